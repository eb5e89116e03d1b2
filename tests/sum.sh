#!/bin/sh
# sum.sh DIR [STATUS] - print the result of each log named in DIR/logs.txt and the kernels it tested, whole logs of
# failures, each missing peer once, and at the end one plain line `N passed, N failed` (', N skipped'). Exit 1 if anything failed.
#
# STATUS is that of the make that built and ran: unless it is 0, something could not be built, and that counts as a
# failure also where no log tells. No test at all is a failure, too.
#
# A log ends on its program's own `N passed, N failed` and then `exit STATUS`. No log means that the program
# could not be built; no sum, or a status that does not fit, that it died: each counts as one failure.
dir=$1
status=0
before=0
: > "$dir/skips.txt"
test ! -f "$dir/skipped.txt" || cat "$dir/skipped.txt" >> "$dir/skips.txt"
: > "$dir/counts.txt"
while read -r name needs; do
    log=$dir/$name.log
    built=yes
    for need in $needs; do
        case $need in
            "$dir"/flags.txt) ;;
            "$dir"/*) test -e "$need" && ! test "$need" -nt "$log" || built= ;;
        esac
    done
    if test ! -f "$log" || test -z "$built"; then
        echo "$name: FAILED to build"
        echo "0 1 0" >> "$dir/counts.txt"
        continue
    fi
    # passed, failed, skipped, and a word on how it ended
    awk '/^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ { p = $1; f = $3; s = $5 + 0; seen = 1 }
         $1 == "exit" && NF == 2 { status = $2 }
         END {
             word = "ok"
             if (f > 0) word = "FAILED"
             if (!seen || (status != 0) != (f > 0)) { ++f; word = "DIED" (status == 124 ? "_OF_TIME" : "") }
             print p + 0, f + 0, s + 0, word
         }' "$log" > "$dir/one.txt"
    read -r passed failed skipped word < "$dir/one.txt"
    echo "$passed $failed $skipped" >> "$dir/counts.txt"
    if test "$word" = ok; then
        test "$skipped" = 0 && note= || note=", $skipped skipped"
        echo "$name: $passed passed$note"
        test ! -f "$dir/started.txt" || test "$log" -nt "$dir/started.txt" || before=$((before + 1))
    else
        echo "$name: $word"
        # For a program that came to its end only the complaints, for one that died all it said.
        sed -e "$(test "$word" = FAILED && echo '/^run /d;/^ok /d;/^measure: /d;/^kernels: /d')" -e 's/^/    /' "$log"
    fi
    sed -n '/^skipped: /p' "$log" >> "$dir/skips.txt"
    sed -n '/^kernels: /p' "$log" | sort -u
done < "$dir/logs.txt"
test $before = 0 || echo "($before of these passed before, and nothing they need has changed: AGAIN=1 runs them again)"
sort -u "$dir/skips.txt"
failures() { awk '{ f += $2 } END { exit (f == 0) }' "$dir/counts.txt"; }
if test "${2:-0}" != 0 && ! failures; then
    echo "FAILED: something could not be built"
    echo "0 1 0" >> "$dir/counts.txt"
fi
if ! awk '{ n += $1 + $2 + $3 } END { exit (n == 0) }' "$dir/counts.txt" && test ! -s "$dir/skips.txt"; then
    echo "FAILED: no test has the name that PROGRAMS and ONLY ask for"
    echo "0 1 0" >> "$dir/counts.txt"
fi
# Skips that are no test of a program (a compiler that is not there) count one each.
extra=0
test ! -f "$dir/skipped.txt" || extra=$(sort -u "$dir/skipped.txt" | awk 'END { print NR }')
awk -v extra="$extra" '{ p += $1; f += $2; s += $3 }
     END { s += extra; printf "%d passed, %d failed%s\n", p, f, (s > 0 ? ", " s " skipped" : ""); exit (f > 0) }' \
    "$dir/counts.txt" || status=1
exit $status
