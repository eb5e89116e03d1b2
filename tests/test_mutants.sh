#!/bin/sh
# test_mutants.sh - that tests/mutants.py tells a change that tests notice from one that they do not, and one that changes
# nothing; and that its tables fit the tree: each room has a row, each test a file, each judged line stands in the header.
# Ends with `N passed, N failed`; without python3 it prints one line `skipped: python3`.
set -u
if ! command -v python3 > /dev/null; then
    echo "skipped: python3"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
passed=0
failed=0
check() {
    name=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $name"; fi
}

check "mutants of a small header" python3 tests/mutants.py --self-test

# rooms_are_there: rooms of the implementation without a row, rows without a room.
rooms_are_there() {
    sed -n 's/^ \* >>\([a-z]*\)  .*/\1/p' biostream.h | sed '1,/^config$/d' | LC_ALL=C sort > "$1.header"
    sed -n 's/^\([a-z]*\)	.*/\1/p' tests/mutants_rooms.tsv | LC_ALL=C sort > "$1.table"
    diff "$1.header" "$1.table"
}
tests_are_there() {
    for test in $(sed -n 's/^[a-z]*	//p' tests/mutants_rooms.tsv); do
        test -f "tests/test_$test.c" || { echo "there is no tests/test_$test.c"; return 1; }
    done
}
lines_are_there() {
    status=0
    grep -v '^#' tests/mutants_judged.tsv | cut -f 2 > "$1.lines"
    while IFS= read -r line; do
        grep -q -F -- "$line" biostream.h || { echo "no line of biostream.h: $line"; status=1; }
    done < "$1.lines"
    return $status
}
work=${1:-build}/test_mutants
mkdir -p "$work"
check "each room has a row" rooms_are_there "$work/rooms"
check "each test is there" tests_are_there
check "each judged line is there" lines_are_there "$work/judged"
echo "$passed passed, $failed failed"
test "$failed" = 0
