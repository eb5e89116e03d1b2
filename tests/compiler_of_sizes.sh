#!/bin/sh
# compiler_of_sizes.sh DIR - print _gccMAJOR where CC is gcc for 64-bit x86, which is the end of the names of measures
# that depend on the compiler; print nothing for others, whose sizes and times are not limited.
CC=${CC:-cc}
: > "$1/nothing.c"
# shellcheck disable=SC2086
$CC -E -dM "$1/nothing.c" 2> /dev/null | awk '
    $2 == "__GNUC__"   { major = $3 }
    $2 == "__x86_64__" { x86_64 = 1 }
    $2 ~ /^__(clang__|INTEL_COMPILER|ILP32__|SANITIZE_ADDRESS__|SANITIZE_THREAD__)$/ { other = 1 }
    END { if (major && x86_64 && !other) print "_gcc" major }'
