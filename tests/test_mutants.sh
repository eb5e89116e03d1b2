#!/bin/sh
# test_mutants.sh DIR - that mutants.py tells a change that tests notice from one that they do not and one that changes
# nothing; and that its tables fit the tree: each room has a row, each test a file, each judged line stands in the header.
# DIR is for what is built. Ends with `N passed, N failed`.
# needs: nothing
if ! command -v python3 > /dev/null; then
    echo "skipped: python3"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
. tests/shell.sh

rooms_are_there() {
    sed -n 's/^ \* >>\([a-z]*\)  .*/\1/p' biostream.h | sed '1,/^config$/d' | LC_ALL=C sort > "$work/header"
    sed -n 's/^\([a-z]*\)	.*/\1/p' tests/mutants_rooms.tsv | LC_ALL=C sort > "$work/table"
    diff "$work/header" "$work/table"
}
tests_are_there() {
    for test in $(sed -n 's/^[a-z]*	//p' tests/mutants_rooms.tsv); do
        test -f "tests/test_$test.c" || echo "there is no tests/test_$test.c"
    done > "$work/missing"
    cat "$work/missing"
    test ! -s "$work/missing"
}
# A line that was changed makes another mutant: its row goes.
lines_are_there() {
    grep -v '^#' tests/mutants_judged.tsv | cut -f 2 > "$work/lines"
    while IFS= read -r line; do
        grep -q -F -- "$line" biostream.h || echo "no line of biostream.h: $line"
    done < "$work/lines" > "$work/missing"
    cat "$work/missing"
    test ! -s "$work/missing"
}

check "mutants of a small header" python3 tests/mutants.py --self-test
check "each room has a row" rooms_are_there
check "each test is there" tests_are_there
check "each judged line is there" lines_are_there
finish
