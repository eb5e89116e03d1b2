#!/bin/sh
# format.sh [FILE]... - see that files are laid out as .clang-format says: those named, else all of C, C++ and CUDA that
# git tracks. For each that is not: the line of the first difference, and what clang-format makes of it. Versions of
# clang-format differ, so only 14 judges; without it nothing is checked. The last line is `N passed, N failed`.
#
#   CLANG_FORMAT   the program; else clang-format-14 or clang-format
set -u
top=$(cd "$(dirname "$0")/.." && pwd)

# The first of the candidates that is version 14.
formatter=
for candidate in "${CLANG_FORMAT:-clang-format-14}" "${CLANG_FORMAT:-clang-format}"; do
    version=$("$candidate" --version 2> /dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')
    if test "$version" = 14; then
        formatter=$candidate
        break
    fi
done
if test -z "$formatter"; then
    echo "skipped: clang-format 14"
    echo "0 passed, 0 failed"
    exit 0
fi

if test $# = 0; then
    cd "$top" || exit 1
    # Names have no blanks here.
    # shellcheck disable=SC2046
    set -- $(git ls-files '*.c' '*.h' '*.cc' '*.hpp' '*.cu' 2> /dev/null)
    if test $# = 0; then
        echo "FAILED format: git tracks no source here"
        echo "0 passed, 1 failed"
        exit 1
    fi
fi

# All at once is quicker; which ones differ is asked only if some do.
if "$formatter" --style=file:"$top/.clang-format" --dry-run -Werror "$@" 2> /dev/null; then
    echo "$# passed, 0 failed"
    exit 0
fi
passed=0
failed=0
for file; do
    test -e "$file" || continue # taken out of the tree, and git was not told yet
    difference=$("$formatter" --style=file:"$top/.clang-format" "$file" 2>&1 | diff "$file" -)
    if test -z "$difference"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $file:$(echo "$difference" | sed -n '1s/[^0-9].*//p')"
        echo "$difference" | sed -n -e 's/^/    /' -e 2,7p
    fi
done
echo "$passed passed, $failed failed"
test $failed = 0
