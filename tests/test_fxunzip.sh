#!/bin/sh
# test_fxunzip.sh DIR - fxunzip in DIR, as a whole program: what it writes, byte for byte, its exit codes and its
# sentences, over the files of examples/data and the hard cases of tests/data/semantics/gzip. Expected text comes
# from gzip or from the plain copy that stands among the hard cases, expected faults from EXPECTED.tsv.
# Ends with `N passed, N failed`.
# needs: nothing
. tests/shell.sh
content=$hard/gzip/h14_plain_text.gz    # plain, whatever it is called; most hard cases hold this text

run() { call fxunzip "$@"; }

# wrote FILE: standard output was that.
wrote() { cmp -s "$work/out" "$1"; }

bytes() { wc -c < "$1" | tr -d ' '; }

# begins FILE: standard output is FILE or a beginning of it.
begins() {
    count=$(bytes "$work/out")
    test "$count" = 0 && return 0
    dd if="$1" of="$work/begin" bs="$count" count=1 2> /dev/null
    cmp -s "$work/out" "$work/begin"
}

have_gzip=1
command -v gzip > /dev/null 2>&1 || have_gzip=
test -n "$have_gzip" || skip gzip
: > "$work/out"
: > "$work/err"
: > "$work/empty"

# -- flags and exit codes ------------------------------------------------------------------------

for flag in '-t, --workers' '-v, --verbose' --from --index --stats --version '-h, --help'; do
    run --help
    check "--help names $flag" grep -q -e "^  $flag " "$work/out"
done
check "--help says that - is standard input" grep -q 'standard input' "$work/out"
for flag in -t --workers; do
    run "$content" $flag
    check "$flag without a value" ends 2 "a value must follow $flag"
    for wrong in -1 257 x 1x 99999999999999999999; do
        run $flag $wrong "$content"
        check "$flag $wrong is refused" ends 2 "workers wants a whole number from 0 to 256, not $wrong"
    done
done
for wrong in -x -vx -vx2 -t=2 --workers= --stats=1 --verbose=yes --stat; do
    run $wrong "$content"
    check "$wrong is refused" ends 2 "^usage: fxunzip "
    check "$wrong writes nothing" wrote "$work/empty"
done
run
check "no file is wrong usage, not standard input" ends 2 "no file is given"
run --index reads.gzi -
check "standard input has no index" ends 2 "has no index: it can be read once only"
for flags in '-t 2' -t2 '-vt2' '-vt 2' '-v -t 0' '--workers=2' '--workers 2' --; do
    # shellcheck disable=SC2086
    run $flags "$content"
    check "$flags is right" ends 0 ""
    check "$flags writes the text" wrote "$content"
done
cp "$content" "$work/-v"
case $dir in /*) tool=$dir/fxunzip ;; *) tool=$PWD/$dir/fxunzip ;; esac
(cd "$work" && "$tool" -- -v) > "$work/out" 2> "$work/err"
code=$?
check "after -- all are files" ends 0 ""
check "and are written" wrote "$content"

run "$work/no_such_file.gz"
check "a missing file" ends 1 "no_such_file.gz: cannot be opened"
run "$data"
check "a directory" ends 1 directory
printf '\050\265\057\375\044\000\001\000\000\231\351\330\121' > "$work/other.zst"
run "$work/other.zst"
check "another codec" ends 1 "other.zst.*zstd"
check "writes nothing of it" wrote "$work/empty"
run "$work/empty"
check "an empty file is fine" ends 0 ""
check "and gives nothing" wrote "$work/empty"

# -- real files, any number of workers -----------------------------------------------------------

for file in $data/*.gz $data/*.fastq; do
    name=$(basename "$file")
    case $file in
    *.gz)
        test -n "$have_gzip" || continue
        gzip -dc "$file" > "$work/text"
        ;;
    *) cp "$file" "$work/text" ;;
    esac
    for workers in 1 2 5; do
        run -t $workers "$file"
        check "$name with $workers workers" ends 0 ""
        check "$name with $workers workers is what gzip gives" wrote "$work/text"
    done
    run "$file"
    check "$name with as many workers as there are cores" wrote "$work/text"
    "$dir/fxunzip" - < "$file" > "$work/out" 2> "$work/err"
    code=$?
    check "$name as standard input" ends 0 ""
    check "$name as standard input is the same" wrote "$work/text"
    # shellcheck disable=SC2002
    cat "$file" | "$dir/fxunzip" -t 3 - > "$work/out" 2> "$work/err"
    code=$?
    check "$name from a pipe" ends 0 ""
    check "$name from a pipe is the same" wrote "$work/text"
done

# -- the hard cases ------------------------------------------------------------------------------

# words KIND: what the sentence of this fault says.
words() {
    case $1 in
    NOT_GZIP) echo 'neither gzip nor text' ;;
    BAD_HEADER) echo 'damaged gzip header' ;;
    BAD_DEFLATE) echo 'damaged compressed data' ;;
    BAD_CRC) echo 'the checksum (CRC-32)' ;;
    BAD_ISIZE) echo 'the length stored after' ;;
    BAD_BGZF) echo 'damaged BGZF block' ;;
    TRAILING_GARBAGE) echo 'bytes that are no gzip member follow' ;;
    TRUNCATED) echo 'the file ends inside' ;;
    *) echo 'no such fault' ;;
    esac
}

# exact NAME: the bytes of text in front of a BGZF block that is bad: nothing of that one may come out.
exact() {
    case $1 in
    b05_*) echo 6000 ;;
    b08_* | b09_* | b10_* | b11_* | b12_*) echo 0 ;;
    b21_*) echo 2000 ;;
    esac
}

whole=$(grep 'gzip/h14_plain_text.gz' $hard/EXPECTED.tsv | cut -f 6)
grep '^gzip/' $hard/EXPECTED.tsv > "$work/expected.tsv"
while IFS=$tab read -r file flavour verdict members text_bytes sha kind _; do
    name=$(basename "$file" .gz)
    run -t 1 "$hard/$file"
    if test "$verdict" = valid; then
        check "$name is valid" ends 0 ""
        check "$name has $text_bytes bytes of text" test "$(bytes "$work/out")" = "$text_bytes"
        if test "$sha" = "$whole"; then
            check "$name has the right text" wrote "$content"
        elif test -n "$have_gzip"; then
            gzip -dc "$hard/$file" > "$work/text" 2> /dev/null
            check "$name has the right text" wrote "$work/text"
        fi
    else
        check "$name is bad: $kind" ends 1 "^fxunzip: $hard/$file: .*$(words "$kind")"
        check "$name says one sentence" test "$(wc -l < "$work/err" | tr -d ' ')" = 1
        case $name in
        d08_*) ;; # a text of its own
        *) check "$name writes what is true" begins "$content" ;;
        esac
        if test -n "$(exact "$name")"; then
            check "$name writes the good blocks" test "$(bytes "$work/out")" = "$(exact "$name")"
        fi
    fi
    mv "$work/out" "$work/one"
    mv "$work/err" "$work/one.err"
    one=$code
    for workers in 2 5; do
        run -t $workers "$hard/$file"
        check "$name with $workers workers writes the same" wrote "$work/one"
        check "$name with $workers workers says the same" cmp -s "$work/err" "$work/one.err"
        check "$name with $workers workers ends the same" test "$code" = "$one"
    done
    "$dir/fxunzip" - < "$hard/$file" > "$work/out" 2> "$work/err"
    code=$?
    check "$name as standard input ends the same" test "$code" = "$one"
    check "$name as standard input writes the same" wrote "$work/one"
    if test "$verdict" != valid; then
        check "$name as standard input names it" ends 1 "^fxunzip: standard input: .*$(words "$kind")"
    fi
    run --stats -t 2 "$hard/$file"
    tail -n +2 "$work/err" | head -n 1 > "$work/line"
    if test "$verdict" = valid; then
        check "$name --stats has the bytes read and written, and members" test \
            "$(cut -f 2-4 "$work/line")" = "$(bytes "$hard/$file")$tab$text_bytes$tab$members"
        case $flavour in
        bgzf) check "$name all members are blocks" test "$(cut -f 5 "$work/line")" = "$members" ;;
        gzip) check "$name no member is a block" test "$(cut -f 5 "$work/line")" = 0 ;;
        esac
    fi
done < "$work/expected.tsv"

# -- several files -------------------------------------------------------------------------------

good=$hard/gzip/g01_single.gz
bgzf=$hard/gzip/b01_bgzf.gz
bad=$hard/gzip/c01_badcrc.gz
cat "$content" "$content" "$content" > "$work/thrice"
run -t 2 "$good" "$bgzf" "$content"
check "several files" ends 0 ""
check "come one after another" wrote "$work/thrice"
"$dir/fxunzip" "$good" - "$bgzf" < "$good" > "$work/out" 2> "$work/err"
code=$?
check "standard input among files" ends 0 ""
check "comes in its place" wrote "$work/thrice"
run "$good" "$bad" "$bgzf"
check "a bad file among them" ends 1 "c01_badcrc.gz"
cat "$content" "$content" > "$work/twice"
check "what was good before it is written" begins "$work/twice"
check "the first one whole, nothing after the bad one" test "$(bytes "$work/out")" -ge 6530 -a \
    "$(bytes "$work/out")" -le 13060
run "$good" "$work/no_such_file" "$bgzf"
check "a missing file among them" ends 1 "no_such_file"
check "ends it too" wrote "$content"
"$dir/fxunzip" - <&- > "$work/out" 2> "$work/err"
code=$?
check "no standard input at all" ends 1 "standard input: cannot be read"

# -- warnings ------------------------------------------------------------------------------------

run -v $hard/gzip/g07_tz512.gz
check "-v tells of zero bytes at the end" ends 0 "g07_tz512.gz: warning: zero bytes"
run -v $hard/gzip/b02_noeof.gz
check "-v tells of a missing last block" ends 0 "b02_noeof.gz: warning: .*empty last block"
run --verbose -t 2 "$good" "$bgzf" "$content"
check "-v says nothing else" ends 0 ""

# -- figures -------------------------------------------------------------------------------------

names="file${tab}source_bytes${tab}text_bytes${tab}members${tab}bgzf_blocks${tab}workers${tab}seconds${tab}MB/s"
names="$names${tab}chunks_ahead${tab}guessed${tab}accepted${tab}redecoded${tab}busy_seconds"
blocks=$data/illumina_hiseqx_150bp.bgzf.fastq.gz
run --stats -t 3 "$good" "$blocks" "$content"
check "--stats starts with the names" test "$(head -n 1 "$work/err")" = "$names"
check "then a line per file" test "$(cut -f 1 "$work/err" | tail -n +2 | tr '\n' ' ')" = "$good $blocks $content "
check "of thirteen fields" test "$(awk -F '\t' 'NF != 13' "$work/err" | wc -l | tr -d ' ')" = 0
check "a time for each worker" test "$(tail -n +2 "$work/err" | cut -f 13 | tr -cd ',\n' | sort -u)" = ,,
check "source bytes add up" test "$(awk -F '\t' 'NR > 1 { n += $2 } END { print n }' "$work/err")" = \
    "$(cat "$good" "$blocks" "$content" | wc -c | tr -d ' ')"
check "text bytes add up" test "$(awk -F '\t' 'NR > 1 { n += $3 } END { print n }' "$work/err")" = \
    "$(bytes "$work/out")"
check "members and blocks" test "$(tail -n +2 "$work/err" | cut -f 4,5 | tr '\t\n' '  ')" = "1 0 57 57 0 0 "
check "workers" test "$(tail -n +2 "$work/err" | cut -f 6 | sort -u)" = 3
check "MB/s is text by seconds" awk -F '\t' \
    'NR > 1 && $7 > 0.001 { want = $3 / 1e6 / $7; if ($8 < 0.98 * want - 0.1 || $8 > 1.02 * want + 0.1) bad = 1 }
     END { exit bad }' "$work/err"
# Three times the reads in one member of 2.6 MB: all but the ends are decoded ahead, or not with one worker.
for i in 1 2 3; do
    gzip -dc "$data/illumina_hiseqx_150bp.fastq.gz"
done > "$work/long"
gzip -c "$work/long" > "$work/long.gz"
run --stats -t 2 "$work/long.gz"
check "a long member with 2 workers" wrote "$work/long"
check "was decoded ahead" awk -F '\t' 'NR == 2 && !($9 > 0 && $10 <= $9 && $11 > $9 / 2 && $11 + $12 == $9) { bad = 1 }
     END { exit bad || NR != 2 }' "$work/err"
run --stats -t 1 "$work/long.gz"
check "a long member with 1 worker" wrote "$work/long"
check "was not" test "$(tail -n +2 "$work/err" | cut -f 9-12 | tr '\t' ' ')" = "0 0 0 0"
run --stats "$bad"
check "--stats also of a bad file" test "$code,$(wc -l < "$work/err" | tr -d ' ')" = 1,3
check "the sentence comes last" test "$(tail -n 1 "$work/err" | grep -c '^fxunzip: .*checksum')" = 1

# -- standard output that ends -------------------------------------------------------------------

# More text than a pipe holds; a reader that goes away is no error: no words, exit 0.
for workers in 1 3; do
    { "$dir/fxunzip" -t $workers "$blocks" "$blocks" 2> "$work/err"
      echo $? > "$work/code"; } | head -c 10 > "$work/out"
    check "a closed pipe, $workers workers" test "$(cat "$work/code"),$(bytes "$work/err")" = 0,0
    check "what was read of it, $workers workers" test "$(bytes "$work/out")" = 10
done
if test -c /dev/full; then
    "$dir/fxunzip" "$good" > /dev/full 2> "$work/err"
    code=$?
    check "a full disk" ends 1 "^fxunzip: standard output cannot be written: "
    "$dir/fxunzip" "$good" "$bad" > /dev/full 2> "$work/err"
    check "is said once" test "$(wc -l < "$work/err" | tr -d ' ')" = 1
else
    skip /dev/full
fi

# -- progress bar --------------------------------------------------------------------------------

# An input that takes more than a second, because its second half comes late.
cat > "$work/slow.sh" <<END
{ cat $blocks; sleep 1.3; cat $blocks; } | $dir/fxunzip -
END
sh "$work/slow.sh" > "$work/out" 2> "$work/err"
code=$?
check "no bar without a terminal" ends 0 ""
if script --version 2> /dev/null | grep -q util-linux; then
    script -q -e -c "sh $work/slow.sh > $work/out" "$work/typescript" > "$work/err" 2>&1 < /dev/null
    code=$?
    check "on a terminal" test "$code" = 0
    check "it is drawn" grep -q 'standard input  [0-9.]* MB  [0-9]* MB/s' "$work/err"
    # After the last carriage return but one stand only blanks.
    tr '\r' '\n' < "$work/err" | tail -n 1 > "$work/last"
    check "and cleaned" test -z "$(tr -d ' \n' < "$work/last")"
    script -q -e -c "$dir/fxunzip $good" "$work/typescript" > "$work/err" 2>&1 < /dev/null
    check "no bar where the text goes to the terminal" test "$(grep -c 'MB/s' "$work/err")" = 0
else
    skip "script of util-linux"
fi

finish
