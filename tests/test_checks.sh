#!/bin/sh
# test_checks.sh DIR - the checks themselves: limits of time that grow on slow machines, the gate on instructions, what
# tests say that they need, the list of them. Each can fail, and says why. DIR is for what is made. Ends with `N passed, N failed`.
# needs: once
set -u
work=$1/test_checks
rm -rf "$work"
mkdir -p "$work"
passed=0
failed=0
CC=${CC:-cc}

# check WHAT STATUS TEXT COMMAND...: it ends with STATUS, and prints TEXT, a pattern; "" for nothing that is looked at.
check() {
    what=$1 status=$2 text=$3
    shift 3
    "$@" > "$work/out" 2>&1
    got=$?
    if test $got = "$status" && grep -q -e "$text" "$work/out" || test $got = "$status" -a -z "$text"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $what: status $got, and $status was expected, with: $text"
        sed 's/^/    /' "$work/out"
    fi
}

# -- limits of time ------------------------------------------------------------------------------------

# One that takes every machine for a usual and idle one, one that takes each for ten times as slow.
$CC -O1 -DPATIENCE_MOST=1 tests/limit.c -o "$work/strict" && $CC -O1 -DPATIENCE_USUAL_US=1 tests/limit.c -o "$work/patient"
check "a command's status is the limit's" 7 "" "$work/strict" 60 sh -c 'exit 7'
check "a signal is 128 and its number" 137 "" "$work/strict" 60 sh -c 'kill -9 $$'
check "no command" 127 "no_such_command cannot be run" "$work/strict" 60 no_such_command
check "what hangs is stopped" 124 "^stopped after 2 s: " "$work/strict" 1 sleep 60
# Who still had the pipe would keep cat waiting, and say so.
"$work/strict" 1 sh -c '(sleep 20; echo still here) & wait' 2> /dev/null | cat > "$work/left"
check "what it started, too" 0 "" test ! -s "$work/left"
check "what is only slow is not stopped" 0 "" "$work/patient" 1 sleep 3

# -- instructions --------------------------------------------------------------------------------------

printf '# jobs\nfast\t1000\nslow\t1000\n' > "$work/table.tsv"
judge() { printf "$1" > "$work/counts.tsv" && sh tests/instructions.sh --table "$work/table.tsv" --judge "$work/counts.tsv"; }
check "as the table has it" 0 "^2 passed, 0 failed" judge 'fast\t1000\nslow\t1020\n'
check "more than 2 % over" 1 "^FAILED instructions slow: 1021 are 2.1 % more than 1000" judge 'fast\t1000\nslow\t1021\n'
check "more than 2 % under" 0 "^lower the row of fast to 979 " judge 'fast\t979\nslow\t1000\n'
check "a job without a row" 1 "^FAILED instructions new: 5, and no row" judge 'fast\t1000\nslow\t1000\nnew\t5\n'
check "a row without a job" 1 "^FAILED instructions slow: the table has a row" judge 'fast\t1000\n'

# -- rooms, cut and joined -----------------------------------------------------------------------------

cp biostream.h "$work/biostream.h"
room="$work/rooms/biostream/*_pairs.h"
rooms() { sh tests/rooms.sh "$work/rooms" "$work/biostream.h"; }
join() { sh tests/join.sh "$work/rooms" "$work/biostream.h"; }
same() { cmp "$work/biostream.h" "$1"; }
check "nothing to join" 1 "there is no cut of it" join
check "a cut" 0 "" rooms
check "a join without an edit" 0 "biostream.h: nothing was edited" join
check "has the same bytes" 0 "" same biostream.h
for file in $room; do sed 's/^ \* >>pairs .*/&, edited/' "$file" > "$work/room" && cat "$work/room" > "$file"; done
sed 's/^ \* >>pairs .*/&, edited/' biostream.h > "$work/edited.h"
check "an edit there" 1 "" same "$work/edited.h"
check "is not cut away" 1 "biostream was edited: make join" rooms
check "but joined" 0 "" join
check "and then in the header" 0 "" same "$work/edited.h"
check "which is not the old one" 1 "" same biostream.h
check "once" 0 "nothing was edited" join
for file in $room; do printf 'int last;' >> "$file"; done
check "a last line without an end" 0 "" join
check "gets one" 0 "^int last;$" cat "$work/biostream.h"
check "in its place" 0 "" sh -c "grep -v '^int last;$' '$work/biostream.h' | cmp - '$work/edited.h'"
cp biostream.h "$work/biostream.h"
check "a header that changed meanwhile" 1 "it was changed since it was cut" join
check "stays as it is" 0 "" same biostream.h
rm -rf "$work/rooms"
check "a cut anew" 0 "" rooms
for file in $room; do sed 1d "$file" > "$work/room" && cat "$work/room" > "$file"; done
check "a file without its first line" 1 "does not begin with its #line" join
check "changes nothing" 0 "" same biostream.h

# -- what tests need -----------------------------------------------------------------------------------

# A copy of what rules.sh reads, in which one test says something else.
copied() {
    rm -rf "$work/copy"
    mkdir -p "$work/copy"
    cp -r tests examples Makefile biostream.h biostream_cuda.h "$work/copy/" && mkdir -p "$work/copy/bench"
    rm -rf "$work/copy/examples/data" "$work/copy/tests/data"
    mkdir "$work/copy/examples/data" "$work/copy/tests/data"
}
# needs EDIT SETTING...: what rules.sh makes of test_crc.c after an edit; the programs it would run.
needs() {
    sed "$1" tests/test_crc.c > "$work/copy/tests/test_crc.c"
    shift
    (cd "$work/copy" && env -u ONLY -u PROGRAMS -u FULL -u SANITIZE CC="$CC" CONFIG=needs "$@" sh tests/rules.sh) > "$work/said" 2>&1
    code=$?
    cat "$work/said"
    test $code = 0 || return $code
    sed -n 's/^logs: //p' "$work/copy/build/needs/rules.mk" | tr ' ' '\n'
}
copied
check "a test is run" 0 "/test_crc.log$" needs ''
check "a word that nobody knows" 1 "test_crc: laoder: rules.sh knows no such word" needs 's/^ \* needs: .*/ * needs: laoder/'
check "no line at all" 1 "test_crc: its first comment has no line .needs:" needs '/^ \* needs: /d'
check "a line after the first comment is none" 1 "test_crc: its first comment has no line .needs:" \
    needs '/^ \* needs: /d; $s,$,\n/*\n * needs: nothing\n */,'
without_loader() {
    needs 's/^ \* needs: .*/ * needs: loader/' WITHOUT=loader > "$work/list" && ! grep '/test_crc.log' "$work/list" && cat "$work/list"
}
check "it needs a layer that is left out" 0 "/test_check.log$" without_loader
# -- the list of tests ---------------------------------------------------------------------------------

# listed EDIT: what the list says after an edit of test_check.c.
listed() {
    sed "$1" tests/test_check.c > "$work/copy/tests/test_check.c"
    (cd "$work/copy" && sh tests/list.sh > list.md && mv list.md tests/README.md && sh tests/list.sh check)
}
check "the list is made" 0 "^1 passed, 0 failed" listed ''
check "a room that is not there" 1 "test_check.c: there is no room chexk" listed 's/^ \* rooms: check/ * rooms: chexk/'
check "a room without a test" 1 "room check has no test" listed 's/^ \* rooms: check/ * rooms: hash/'
out_of_date() { listed '' > /dev/null && echo more >> "$work/copy/tests/README.md" && (cd "$work/copy" && sh tests/list.sh check); }
check "a list that is not up to date" 1 "^FAILED tests/README.md is not up to date" out_of_date
rm -rf "$work/copy"

echo "$passed passed, $failed failed"
test $failed = 0
