#!/bin/sh
# test_fxindex.sh DIR - fxindex in DIR, as a whole program, and the flags of fxunzip and fxbatch that take what it
# writes: records by their numbers and text from a byte on, byte for byte, the bytes of a file that are read for them,
# exit codes and sentences. Expected text and numbers come from gzip, awk, sed and tail, .gzi files from bgzip, .fai
# files from samtools.
# Ends with `N passed, N failed`.
# needs: nothing
. tests/shell.sh

run() { call "$@"; }

# wrote FILE: standard output was that.
wrote() { cmp -s "$work/out" "$1"; }

bytes() { wc -c < "$1" | tr -d ' '; }

# says NAME: the number after this word in the line that was printed.
says() { tr '\t' '\n' < "$work/out" | sed -n "s/^$1 \([0-9]*\)\$/\1/p"; }

# source_bytes: what --stats says was read.
source_bytes() { sed -n "s/^stats.*${tab}source \([0-9]*\) bytes.*/\1/p" "$work/err"; }

# flat TEXT: the records of a text as fxindex writes them, those of FASTA in two lines.
flat() {
    case $(head -c 1 "$1") in
    '>') awk '/^>/ { if (count++) print ""; print; next } { printf "%s", $0 } END { print "" }' "$1" ;;
    *) cat "$1" ;;
    esac
}

# lines FLAT FIRST COUNT: COUNT of its records, from FIRST on.
lines() {
    each=4
    test "$(head -c 1 "$1")" = '@' || each=2
    sed -n "$((each * $2 + 1)),$((each * ($2 + $3)))p" "$1"
}

: > "$work/out"
: > "$work/err"
: > "$work/empty"
if ! command -v gzip > /dev/null 2>&1; then
    skip gzip
    echo "$passed passed, $failed failed, $skipped skipped"
    exit 0
fi

# -- flags and exit codes ------------------------------------------------------------------------

cp $data/tenx_v2_R1_barcode_umi.fastq "$work/reads.fastq"
run fxindex --help
cp "$work/out" "$work/help"
for flag in '-o, --output' '-t, --workers' --gzi --fai --budget --stats; do
    check "--help names $flag" grep -q -e "^  $flag " "$work/help"
done
for flag in -o --output -t --workers --budget; do
    run fxindex "$work/reads.fastq" $flag
    check "$flag without a value" ends 2 "a value must follow $flag"
done
run fxindex
check "no file is wrong usage" ends 2 "no file is given"
run fxindex -
check "standard input has no index" ends 2 "standard input"
run fxindex --budget 65535 "$work/reads.fastq"
check "a budget that is too small" ends 2 "budget wants a whole number from 65536 "
for wrong in -1 1x x ' ' '' 99999999999999999999; do
    run fxindex -- "$work/reads.fastq" "$wrong"
    check "record '$wrong'" ends 2 "RECORD is a whole number"
    run fxindex -- "$work/reads.fastq" 0 "$wrong"
    check "count '$wrong'" ends 2 "COUNT is a whole number"
done
run fxindex "$work/reads.fastq" 0 0
check "no records" ends 2 "COUNT is a whole number from 1 on"
run fxindex "$work/reads.fastq" 0 1 2
check "an argument too much" ends 2 "this is too much: 2"
run fxindex --gzi "$work/reads.fastq" 0
check "--gzi with a record" ends 2 "no record"
check "of all these nothing was written" test "$(find "$work" -name '*.bsx*' -o -name '*.gzi*')" = ""
run fxindex "$work/no_such_file.gz"
check "a missing file" ends 1 "no_such_file.gz: cannot be opened"
run fxindex "$work/no_such_file.gz" 1
check "a record of a missing file" ends 1 "no_such_file.gz: cannot be opened"
run fxindex "$data"
check "a directory" ends 1 directory
run fxindex -o "$work/no/such/folder.bsx" "$work/reads.fastq"
check "an index that cannot be written" ends 1 "folder.bsx.*cannot be written"
run fxindex "$work/empty"
check "an empty file" ends 0 ""
check "has no records" test "$(says records),$(says text)" = 0,0
run fxindex "$work/empty" 0
check "not even the first" ends 1 "no record 0: the file has 0,"

# -- files of any kind: what is printed, and records with and without the index --------------------

for file in $data/*.gz $data/*.fastq; do
    name=$(basename "$file")
    cp "$file" "$work/$name"
    case $name in
    *.gz) gzip -dc "$file" > "$work/text" ;;
    *) cp "$file" "$work/text" ;;
    esac
    flat "$work/text" > "$work/flat"
    records=$(awk 'NR == 1 { each = /^@/ ? 4 : 2 } END { print NR / each }' "$work/flat")
    # Without an index, with an index made by so many workers, and with that by so many.
    for workers in none 1 3; do
        if test $workers != none; then
            rm -f "$work/$name.bsx"
            run fxindex -t $workers "$work/$name"
            check "an index of $name by $workers workers" ends 0 ""
            check "its file" test "$(cut -f 1 "$work/out")" = "$work/$name"
            check "its records" test "$(says records)" = "$records"
            check "its text" test "$(says text)" = "$(bytes "$work/text")"
            check "its bytes" test "$(says index)" = "$(bytes "$work/$name.bsx")"
            check "no more points than fit" test "$(($(says points) * $(says spacing)))" -le \
                $(($(bytes "$file") + $(says spacing)))
            check "nothing else is left" test "$(echo "$work/$name.bsx".*)" = "$work/$name.bsx.*"
        fi
        for record in 0 1 $((records / 2)) $((records * 9 / 10)) $((records - 1)); do
            test "$record" -lt "$records" || continue
            for flags in '' '-t 2'; do
                # shellcheck disable=SC2086
                run fxindex $flags "$work/$name" "$record"
                lines "$work/flat" "$record" 1 > "$work/expected"
                check "record $record of $name, index of $workers $flags" ends 0 ""
                check "record $record of $name, index of $workers $flags, is right" wrote "$work/expected"
            done
        done
        run fxindex "$work/$name" $((records / 3)) 3
        lines "$work/flat" $((records / 3)) 3 > "$work/expected"
        check "three records of $name" wrote "$work/expected"
        run fxindex "$work/$name" $((records / 2)) "$records"
        lines "$work/flat" $((records / 2)) "$records" > "$work/expected"
        check "the second half, though more is asked for, of $name" ends 0 ""
        check "is right" wrote "$work/expected"
        for record in "$records" $((records + 1)) 18446744073709551615; do
            run fxindex "$work/$name" "$record"
            check "no record $record of $name, index of $workers" ends 1 \
                "$name: there is no record $record: the file has $records,"
            check "nothing is written" wrote "$work/empty"
        done
    done
done

# -- a file of some length -----------------------------------------------------------------------------

# Eight times the reads, as one member: 29 MB of text.
for _ in 1 2 3 4 5 6 7 8; do
    gzip -dc $data/illumina_hiseqx_150bp.fastq.gz
done > "$work/text"
gzip -1 -c "$work/text" > "$work/long.fastq.gz"
long=$work/long.fastq.gz
size=$(bytes "$long")
lines "$work/text" 70001 2 > "$work/expected"
run fxindex --stats "$long" 70001 2
check "without an index" wrote "$work/expected"
check "the text before is read" test "$(source_bytes)" -gt $((size * 3 / 4))
check "and the line says there is none" ends 0 "^stats${tab}seconds [0-9.]*${tab}source [0-9]* bytes${tab}index none\$"
run fxindex "$long"
check "its index" ends 0 ""
check "has a point every 256 KiB at least" test "$(says points)" -ge $((size / 262144))
run fxindex --stats "$long" 70001 2
check "with an index" wrote "$work/expected"
check "little is read" test "$(source_bytes)" -lt $((size / 4))
check "and the line names it" ends 0 "${tab}index $long.bsx\$"
run fxindex -t 2 "$long" 70001 2
check "by two workers" wrote "$work/expected"
mv "$long.bsx" "$work/other name"
run fxindex --stats -o "$work/other name" "$long" 70001 2
check "an index of another name" wrote "$work/expected"
check "is used" test "$(source_bytes)" -lt $((size / 4))
run fxindex -o "$work/small.bsx" --budget 65536 "$long"
check "an index of 64 KiB" ends 0 ""
check "is not larger" test "$(bytes "$work/small.bsx")" -le 66000
check "and has few points" awk -v spacing="$(says spacing)" 'BEGIN {
    while (spacing > 131072) { spacing /= 2; ++halved }
    exit !(spacing == 131072 && halved > 0) }'
run fxindex --stats -o "$work/small.bsx" "$long" 70001 2
check "with which records are found" wrote "$work/expected"
check "though more is read" test "$(source_bytes)" -lt $((size * 3 / 4))
run fxindex -o "$work/missing.bsx" "$long" 1
check "an index that is named must be there" ends 1 "missing.bsx: cannot be opened"
run fxindex -t 1 -o "$work/x.bsx" "$long"
run fxindex -t 1 --stats -o "$work/y.bsx" "$long"
check "--stats while an index is made" ends 0 ""
check "one worker makes the same index again" cmp -s "$work/x.bsx" "$work/y.bsx"

# -- indexes that are no good --------------------------------------------------------------------------

cp "$work/other name" "$long.bsx"
cp $data/illumina_hiseqx_150bp.fastq.gz "$work/another.gz"
cp "$work/another.gz" "$work/file.gz"
cp "$work/other name" "$work/file.gz.bsx"
run fxindex "$work/file.gz" 5
check "an index of another file" ends 1 "file.gz.*another input.*make it again"
check "how it is made again" ends 1 "file.gz.bsx is made again by: fxindex $work/file.gz\$"
check "nothing is written" wrote "$work/empty"
run fxindex -o "$work/other name" "$work/file.gz" 5
check "how one of that name is made again" ends 1 "again by: fxindex -o $work/other name $work/file.gz\$"
run fxindex "$work/file.gz"
check "it is made again" ends 0 ""
run fxindex "$work/file.gz" 5
check "and fits then" ends 0 ""
# One byte less at the end; and another byte in the first 64 KiB, in the name that the header of a member has.
dd if="$work/another.gz" of="$work/file.gz" bs=1000 count=$(($(bytes "$work/another.gz") / 1000)) 2> /dev/null
run fxindex "$work/file.gz" 5
check "a file that became shorter" ends 1 "make it again"
printf 'x' | cat "$work/another.gz" - > "$work/file.gz"
run fxindex "$work/file.gz" 5
check "a file that became longer" ends 1 "make it again"
{ head -c 4 "$work/another.gz"; printf '\001'; tail -c +6 "$work/another.gz"; } > "$work/file.gz"
if ! cmp -s "$work/another.gz" "$work/file.gz"; then
    run fxindex "$work/file.gz" 5
    check "a file with another time in its head" ends 1 "make it again"
fi
cp "$work/another.gz" "$work/file.gz"
good=$work/file.gz.bsx
cp "$good" "$work/good"
# damaged WHAT: the index as it is now is refused.
damaged() {
    run fxindex "$work/file.gz" 5
    check "an index $1" ends 1 "file.gz.bsx.*cannot be used as an index"
    check "how an index $1 is made again" ends 1 "again by: fxindex $work/file.gz\$"
    check "no record by an index $1" wrote "$work/empty"
}
: > "$good"
damaged "of no bytes"
head -c 7 "$work/good" > "$good"
damaged "of seven bytes"
head -c $(($(bytes "$work/good") - 1)) "$work/good" > "$good"
damaged "that was cut off"
{ cat "$work/good"; printf x; } > "$good"
damaged "that is too long"
cp "$work/file.gz" "$good"
damaged "that is none"
# Another byte in the middle.
half=$(($(bytes "$work/good") / 2))
byte=$(od -An -tu1 -j $half -N 1 "$work/good" | tr -d ' ')
{ head -c $half "$work/good"
  # shellcheck disable=SC2059
  printf "\\$(printf %03o $((byte ^ 1)))"
  tail -c +$((half + 2)) "$work/good"; } > "$good"
check "one byte differs" test "$(cmp -l "$work/good" "$good" | wc -l | tr -d ' ')" = 1
damaged "with a bit that flipped"
rm "$good"

# -- files that are bad ----------------------------------------------------------------------------------

head -c 500000 $data/illumina_hiseqx_150bp.fastq.gz > "$work/cut.gz"
run fxindex "$work/cut.gz"
check "a file that was cut off" ends 1 "cut.gz: .*the file ends inside"
check "gets no index" test "$(echo "$work"/cut.gz.bsx*)" = "$work/cut.gz.bsx*"
check "and no line" wrote "$work/empty"
run fxindex "$work/cut.gz" 9999
check "a record after the damage" ends 1 "cut.gz: .*the file ends inside"
gzip -dc $data/illumina_hiseqx_150bp.fastq.gz > "$work/text10"
lines "$work/text10" 10 1 > "$work/expected"
run fxindex "$work/cut.gz" 10
check "a record before it" wrote "$work/expected"
printf '@a\nACGT\n+\nIIII\n@b\nACGT\n+\nIII\n' > "$work/bad.fastq"
run fxindex "$work/bad.fastq"
check "a bad record" ends 1 "bad.fastq: .*record 2"
check "no index of it" test ! -e "$work/bad.fastq.bsx"
printf '@a\nACGT\n+\nIIII\n' > "$work/expected"
run fxindex "$work/bad.fastq" 0
check "a good record before it" wrote "$work/expected"
run fxindex "$work/bad.fastq" 1
check "the bad one" ends 1 "bad.fastq: .*record 2"

# -- what has no points ----------------------------------------------------------------------------------

mkfifo "$work/pipe" # that nobody writes: it is not opened
run fxindex -o "$work/pipe.bsx" "$work/pipe"
check "a pipe" ends 2 "^fxindex: $work/pipe: an index needs a file, which can be read at any place"
check "is named as one" ends 2 "this is a pipe or device"
check "and no field of a desc is" test "$(grep -c desc "$work/err")" = 0
run fxindex -o "$work/pipe.bsx" /dev/null
check "a device" ends 2 "^fxindex: /dev/null: an index needs a file, which can be read at any place"
check "gets no index either" test ! -e "$work/pipe.bsx"

# -- .gzi ------------------------------------------------------------------------------------------------

blocks=$data/illumina_hiseqx_150bp.bgzf.fastq.gz
run fxindex --gzi "$work/another.gz"
check "--gzi of plain gzip" ends 1 "another.gz: .*this is plain gzip, not BGZF"
check "names no damage" test "$(grep -c damaged "$work/err")" = 0
check "and says what to do" ends 1 "^fxindex: an index of another kind is made by: fxindex $work/another.gz\$"
check "writes nothing" test "$(echo "$work"/another.gz.gzi*)" = "$work/another.gz.gzi*"
run fxindex --gzi "$work/no_such_file"
check "--gzi of a missing file" ends 1 "no_such_file: cannot be opened"
printf '\037\213\010\004\0\0\0\0\0\377\006\0\102\103\002\0\033\0\003\0\0\0\0\0\0\0\0\0' > "$work/no_text.gz"
run fxindex --gzi "$work/no_text.gz"
check "--gzi of BGZF without text" ends 0 ""
check "has the number 0 and no point" test "$(od -An -tx1 "$work/no_text.gz.gzi" | tr -d ' \n')" = 0000000000000000
run fxindex "$work/no_text.gz" 0
check "and is read" ends 1 "no record 0: the file has 0,"
printf '\377\377\377\377\377\377\377\377' > "$work/no_text.gz.gzi"
run fxindex "$work/no_text.gz" 0
check "as is one of an older bgzip" ends 1 "no record 0: the file has 0,"
if command -v bgzip > /dev/null 2>&1; then
    for file in $blocks $data/human_hg18_chrM_chr20part.bgzf.fasta.gz $hard/gzip/b01_bgzf.gz $hard/gzip/b02_noeof.gz; do
        cp "$file" "$work/theirs.gz"
        bgzip -r "$work/theirs.gz" 2> "$work/err"
        cp "$file" "$work/ours.gz"
        rm -f "$work/ours.gz.gzi"
        run fxindex --gzi "$work/ours.gz"
        check "--gzi of $(basename "$file")" ends 0 ""
        check "is what bgzip -r writes" cmp -s "$work/theirs.gz.gzi" "$work/ours.gz.gzi"
        check "and nothing is printed" wrote "$work/empty"
    done
    cp $blocks "$work/blocks.gz"
    bgzip -r "$work/blocks.gz" 2> "$work/err"
    run fxindex --gzi -o "$work/named.gzi" "$work/blocks.gz"
    check "--gzi -o" cmp -s "$work/blocks.gz.gzi" "$work/named.gzi"
    gzip -dc $blocks > "$work/text"
    lines "$work/text" 7777 1 > "$work/expected"
    run fxindex --stats "$work/blocks.gz" 7777
    check "a record with bgzip's index" wrote "$work/expected"
    check "which is used" ends 0 "${tab}index $work/blocks.gz.gzi\$"
    run fxindex "$work/blocks.gz" 10000
    check "and no record after the last" ends 1 "no record 10000: the file has 10000,"
    head -c 100 "$work/named.gzi" > "$work/blocks.gz.gzi"
    run fxindex "$work/blocks.gz" 7777
    check "a .gzi that was cut off" ends 1 "blocks.gz.gzi.*cannot be used as an index"
    check "how it is made again" ends 1 "again by: fxindex --gzi $work/blocks.gz\$"
    run fxindex "$work/blocks.gz"
    run fxindex --stats "$work/blocks.gz" 7777
    check "an index of ours goes before" ends 0 "${tab}index $work/blocks.gz.bsx\$"
    check "and gives the same" wrote "$work/expected"
else
    skip bgzip
fi

# -- fxunzip --from --index ----------------------------------------------------------------------------------

for _ in 1 2 3 4 5 6 7 8; do
    cat "$work/text10"
done > "$work/text"
all=$(bytes "$work/text")
for byte in 1 100000 $((all / 2)) $((all - 1)) "$all"; do
    tail -c +$((byte + 1)) "$work/text" > "$work/expected"
    for flags in "--index $long.bsx" "--index=$long.bsx -t 3" ''; do
        # shellcheck disable=SC2086
        run fxunzip $flags --from "$byte" "$long"
        check "fxunzip $flags --from $byte" ends 0 ""
        check "fxunzip $flags --from $byte writes the rest" wrote "$work/expected"
    done
done
"$dir/fxunzip" --from $((all / 2)) - < "$long" > "$work/out" 2> "$work/err"
tail -c +$((all / 2 + 1)) "$work/text" > "$work/expected"
check "fxunzip --from of standard input" wrote "$work/expected"
for flags in "--index $long.bsx" ''; do
    # shellcheck disable=SC2086
    run fxunzip $flags --from $((all + 1)) "$long"
    check "fxunzip $flags --from past the end" ends 1 "long.fastq.gz: the text ends before byte $((all + 1))"
    check "fxunzip $flags writes nothing" wrote "$work/empty"
done
run fxunzip --index "$long.bsx" "$long"
check "fxunzip --index alone" wrote "$work/text"
run fxunzip --index "$long.bsx" "$work/file.gz"
check "fxunzip with the index of another file" ends 1 "file.gz.*make it again"
run fxunzip --index "$work/missing.bsx" "$long"
check "fxunzip with an index that is not there" ends 1 "missing.bsx: cannot be opened"
run fxunzip --index "$long" "$long"
check "fxunzip with what is no index" ends 1 "cannot be used as an index"
for flags in '--from 1' "--index $long.bsx"; do
    # shellcheck disable=SC2086
    run fxunzip $flags "$long" "$long"
    check "fxunzip $flags of two files" ends 2 "are for one file"
done
if command -v bgzip > /dev/null 2>&1; then
    bgzip -r -I "$work/named.gzi" $blocks 2> "$work/err"
    tail -c +2000001 "$work/text10" > "$work/expected"
    run fxunzip --index "$work/named.gzi" --from 2000000 $blocks
    check "fxunzip with bgzip's index" ends 0 ""
    check "writes the rest" wrote "$work/expected"
    for flags in '' --index=$work/named.gzi; do
        # shellcheck disable=SC2086
        run fxunzip --stats -t 2 $flags --from 2000000 $blocks
        tail -n 1 "$work/err" | cut -f 3-5 > "$work/ends${flags:+_by}"
    done
    check "text, members and blocks are counted from the start" cmp -s "$work/ends" "$work/ends_by"
    { head -c 800000 $blocks; printf UUU; tail -c +800004 $blocks; } > "$work/damaged.gz"
    run fxunzip "$work/damaged.gz"
    cp "$work/err" "$work/sentence"
    check "damage has a place in the file" ends 1 "damaged.gz: byte 8[0-9]* of the file: damaged "
    run fxunzip --index "$work/named.gzi" --from 2000000 "$work/damaged.gz"
    check "which is the same from the middle on" cmp -s "$work/err" "$work/sentence"
fi

# -- fxbatch --index ---------------------------------------------------------------------------------------------

# batches ARGUMENTS...: of both files; the last epoch's digest in $digest.
batches() {
    run fxbatch --bases 150 --shuffle 1000 --workers 2 "$@" "$work/another.gz" "$long"
    digest=$(grep '^epoch' "$work/out" | tail -n 1 | cut -f 4 | sed 's/digest //')
}
batches
whole=$digest
rm -f "$work"/*.bsx
set -- --index "$work/1.bsx" --index "$work/2.bsx"
batches "$@"
check "fxbatch --index changes no batch" test "$code,$digest" = "0,$whole"
check "and writes nothing" test ! -e "$work/1.bsx" -a ! -e "$work/2.bsx"
batches "$@" --save-index
check "--save-index changes no batch" test "$code,$digest" = "0,$whole"
check "and writes both" test -s "$work/1.bsx" -a -s "$work/2.bsx"
lines "$work/text" 70001 2 > "$work/expected"
run fxindex --stats -o "$work/2.bsx" "$long" 70001 2
check "what it writes fits the second file" wrote "$work/expected"
check "and leads near a record" test "$(source_bytes)" -lt $((size / 4))
batches --stop-after 300 --state-file "$work/state"
before=$digest
read_of() { sed -n "s/^stats${tab}stage read${tab}.*${tab}bytes \([0-9]*\)${tab}.*/\1/p" "$work/err"; }
batches --resume "$work/state" --stats
after=$digest
plain=$(read_of)
check "the rest of the batches, without an index" test "$code" = 0 -a "$after" != "$whole"
batches --resume "$work/state" --stats "$@"
check "the same with one" test "$code,$digest" = "0,$after"
check "less of the files is read" test "$(read_of)" -lt "$plain"
check "before and after are not the same" test "$before" != "$after"
batches "$@" --index "$work/3.bsx"
check "more indexes than files" ends 2 "more indexes than files: --index $work/3.bsx"
batches --save-index
check "--save-index alone" ends 2 "needs --index"
batches --index "$work/2.bsx"
check "the index of another file" ends 1 "another.gz.*make it again"
printf '\0\0\0\0\0\0\0\0' > "$work/1.gzi"
batches --index "$work/1.gzi"
check "bgzip's index" ends 2 "1.gzi is bgzip's index, which knows no records: take one that fxindex makes"
run fxbatch --bases 150 --index "$work/1.bsx" -
check "standard input has no index" ends 2 "standard input.*no index"

# -- .fai --------------------------------------------------------------------------------------------------------

rm -rf "$work/fai"
mkdir "$work/fai"
live=
if command -v samtools > /dev/null 2>&1 && samtools --version 2> /dev/null | grep -q '^samtools 1\.16'; then live=yes; else skip 'samtools 1.16'; fi

# fai CODE TEXT FAI WORDS: what becomes of a text, both as printf has it. FAI is what samtools faidx 1.16.1 of Debian 12
# writes of it; where it refuses the text CODE is 1. Where it is there it is asked again.
fai() {
    # shellcheck disable=SC2059
    printf "$2" > "$work/fai/f"
    # shellcheck disable=SC2059
    printf "$3" > "$work/expected"
    rm -f "$work/fai"/f.*
    run fxindex --fai "$work/fai/f"
    check ".fai of '$2'" ends "$1" "$4"
    if test "$1" = 0; then
        check ".fai of '$2' is right" cmp -s "$work/fai/f.fai" "$work/expected"
    else
        check "no .fai of '$2'" test ! -e "$work/fai/f.fai"
    fi
    test -n "$live" || return 0
    rm -f "$work/fai"/f.*
    samtools faidx "$work/fai/f" > "$work/out" 2>&1
    if test "$1" = 0; then
        check "samtools on '$2'" cmp -s "$work/fai/f.fai" "$work/expected"
    else
        check "samtools refuses '$2'" test ! -e "$work/fai/f.fai"
    fi
}

fai 0 '>a b\nACGT\nAC\n>c\nAA\n' 'a\t6\t5\t4\t5\nc\t2\t16\t2\t3\n' ''
fai 0 '>a\nACGT\nAC' 'a\t6\t3\t4\t5\n' ''
fai 1 '' '' 'line 1: there is no sequence'
fai 1 '\n' '' 'line 2: there is no sequence'
fai 0 '\n\n>a\nAC\n' 'a\t2\t5\t2\t3\n' ''
fai 1 'ACGT\n' '' 'line 1: text before the first name'
fai 1 'ACGT\n>a\nAC\n' '' 'line 1: text before the first name'
fai 0 '>a\nACGT\nAC\n\n' 'a\t6\t3\t4\t5\n' ''
fai 0 '>a\nACGT\nAC\n\n\n\n' 'a\t6\t3\t4\t5\n' ''
fai 0 '>a\nACGT\nAC\n\n>b\nAC\n' 'a\t6\t3\t4\t5\nb\t2\t15\t2\t3\n' ''
fai 0 '>a\nACGT\nAC\n\n\n>b\nAC\n' 'a\t6\t3\t4\t5\nb\t2\t16\t2\t3\n' ''
fai 1 '>a\nACGT\n\nACGT\n' '' 'sequence .a. (line 4): its line before is blank or shorter'
fai 1 '>a\nACGT\nAC\n\nAC\n' '' 'sequence .a. (line 5): its line before is blank or shorter'
fai 1 '>a\n\nACGT\nAC\n' '' 'sequence .a. (line 3): its line before is blank'
fai 0 '>a\n\n>b\nAC\n' 'b\t2\t7\t2\t3\n' 'sequence .a. (line 1): warning: it is empty'
fai 0 '>a\n\n\n>b\nAC\n' 'b\t2\t8\t2\t3\n' 'sequence .a. (line 1): warning: it is empty'
fai 0 '>a\n>b\nAC\n' 'b\t2\t6\t2\t3\n' 'sequence .a. (line 1): warning: it is empty'
fai 1 '>b\nAC\n>a\n' '' 'sequence .a. (line 3): the last sequence is empty'
fai 1 '>b\nAC\n>a' '' 'sequence .a. (line 3): the last sequence is empty'
fai 1 '>a\n' '' 'sequence .a. (line 1): the last sequence is empty'
fai 1 '>a' '' 'sequence .a. (line 1): the last sequence is empty'
fai 1 '>' '' 'sequence .. (line 1): the last sequence is empty'
fai 0 '>\nACGT\n' '\t4\t2\t4\t5\n' ''
fai 0 '> a\nACGT\n' 'a\t4\t4\t4\t5\n' ''
fai 0 '>\ta\nACGT\n' 'a\t4\t4\t4\t5\n' ''
fai 0 '>a\nAC\n>b\nACG\n>a x\nACGT\n' 'a\t2\t3\t2\t3\nb\t3\t9\t3\t4\n' 'sequence .a. (line 5): warning: its name came before'
fai 1 '>a\nACGT\nACG\nACGT\n' '' 'sequence .a. (line 4): its line before is blank or shorter'
fai 1 '>a\nACGT\nACGTA\n' '' 'sequence .a. (line 3): this line is longer'
fai 1 '>a\nACGT\nAC\nAC\n' '' 'sequence .a. (line 4): its line before is'
fai 0 '>a\nACGT\nACGT\nACGT\n>b\nA\n' 'a\t12\t3\t4\t5\nb\t1\t21\t1\t2\n' ''
fai 0 '>a b\r\nACGT\r\nAC\r\n>c\r\nAA\r\n' 'a\t6\t6\t4\t6\nc\t2\t20\t2\t4\n' ''
fai 0 '>a b\r\nACGT\r\nAC\r\n\r\n' 'a\t6\t6\t4\t6\n' ''
fai 0 '>a b\r\nACGT\r\nAC\r\n\r\n>c\r\nAA\r\n' 'a\t6\t6\t4\t6\nc\t2\t22\t2\t4\n' ''
fai 0 '>a b\r\nACGT\r\nAC' 'a\t6\t6\t4\t6\n' ''
fai 1 '>a\r\nACGT\nACGT\r\n' '' 'sequence .a. (line 3): this line is longer'
fai 0 '>a\nACGT\r\nACGT\n' 'a\t8\t3\t4\t6\n' ''
fai 1 '>a\nACGT\nACGT\r\n' '' 'sequence .a. (line 3): this line is longer'
fai 0 '>a\nACGT\r\nAC\n' 'a\t6\t3\t4\t6\n' ''
fai 0 '>a\nACGT\r\nACG\n' 'a\t7\t3\t4\t6\n' ''
fai 1 '>a\nACGT\r\nACG\nAC\n' '' 'sequence .a. (line 4): its line before'
fai 0 '>a\nACGT\nAC\r\n' 'a\t6\t3\t4\t5\n' ''
fai 0 '>a\nAC GT\nACG T\nA C\n' 'a\t10\t3\t4\t6\n' ''
fai 0 '>a\nACGT \nACGT\n' 'a\t8\t3\t4\t6\n' ''
fai 0 '>a\nACGT\nAC  \n' 'a\t6\t3\t4\t5\n' ''
fai 0 '>a\nAC>T\nACGT\n' 'a\t8\t3\t4\t5\n' ''
fai 0 '>a\n ACG\nACGT\n' 'a\t7\t3\t3\t5\n' ''
fai 1 ';c\n>a\nAC\n' '' 'line 1: text before the first name'
fai 0 '>a\nAC\n;c\nAC\n' 'a\t6\t3\t2\t3\n' ''
fai 0 '>a\nA\000GT\nACGT\n' 'a\t7\t3\t3\t5\n' ''
fai 0 '>a\000b\nACGT\nACGT\n' 'a\t8\t5\t4\t5\n' ''
fai 0 '>a\377\nAC\377GT\nACGTA\n' 'a\377\t9\t4\t4\t6\n' ''
fai 1 '\357\273\277>a\nACGT\n' '' 'line 1: text before the first name'
fai 1 '>a\rACGT\rAC\r' '' 'sequence .a. (line 1): the last sequence is empty'
fai 0 '>a\r\r\nAC\r\r\nA\r\r\n' 'a\t3\t5\t2\t5\n' ''
fai 0 '>a\nA\rCG\nACGT\n' 'a\t7\t3\t3\t5\n' ''
fai 0 '>a\00013b c\nAC\00013GT\nACGTA\n' 'a\t11\t9\t6\t8\n' ''
fai 0 '>a\00014b c\nAC\00014GT\nACGTA\n' 'a\t11\t9\t6\t8\n' ''
fai 0 '>@a\nAC\n' '@a\t2\t4\t2\t3\n' ''
fai 0 '@a b\nACGT\n+\nIIII\n@c\nAA\n+c\nII\n' 'a\t4\t5\t4\t5\t12\nc\t2\t20\t2\t3\t26\n' ''
fai 0 '>a\nAC\n@c\nAA\n+c\nII\n' 'a\t10\t3\t2\t3\n' ''
fai 1 '@c\nAA\n+c\nII\n>a\nAC\n' '' 'sequence .c. (line 5): more qualities than bases'
fai 0 '@a b\nACGT\nAC\n+\n@III\nII\n@c\nAA\n+c\nII' 'a\t6\t5\t4\t5\t15\nc\t2\t26\t2\t3\t32\n' ''
fai 1 '@a\nACGT\n+\nIII\n' '' 'sequence .a. (line 4): this line of qualities is shorter'
fai 1 '@a\nACGT\n+\nIIIII\n' '' 'sequence .a. (line 4): this line of qualities is longer'
fai 1 '@a\nACGT\n+\n' '' 'sequence .a. (line 1): the text ends before its last quality'
fai 1 '@a\nACGT\n\n+\nIIII\n' '' 'sequence .a. (line 3): a blank line in a sequence'
fai 1 '@a\nACGT\n+\n\nIIII\n' '' 'sequence .a. (line 4): a blank line in qualities'
fai 1 '@a\nACGT\nAC\nAC\n+\nIIII\n' '' 'sequence .a. (line 4): its line before is shorter'
fai 1 '@a\nACGT\n+\nIIII\n\n>b\nAC\n' '' 'sequence .a. (line 6): a record of FASTA follows'
fai 1 '>a\nACGT\nAC\n@b\nAC\n+\nII\n' '' 'sequence .a. (line 4): a record of FASTQ follows'
fai 1 '@a\nAC\n+\nII\n\nAC\n' '' 'sequence .a. (line 6): text that is no record'
fai 1 '>a\nACGT\nAC\n\rA\n' '' 'sequence .a. (line 4): a carriage return without'
fai 1 '>a\nACGT\nAC\n\r' '' 'sequence .a. (line 4): a carriage return without'
fai 0 '>b\nAC\n>' 'b\t2\t3\t2\t3\n' ''
fai 0 '@a b\r\nACGT\r\n+\r\nIIII\r\n@c\r\nAA\r\n+\r\nII\r\n' 'a\t4\t6\t4\t6\t15\nc\t2\t25\t2\t4\t32\n' ''

# The .fai of real files, of several at once, and of the same in BGZF, by several workers.
for file in $data/*.fastq; do
    cp "$file" "$work/fai/reads.fastq"
    awk 'BEGIN { at = 0 } NR % 4 == 1 { name = substr($1, 2); at += length($0) + 1; first = at; next }
        NR % 4 == 2 { bases = length($0) } NR % 4 == 3 { plus = at + length($0) + 1 } { at += length($0) + 1 }
        NR % 4 == 0 { printf "%s\t%d\t%d\t%d\t%d\t%d\n", name, bases, first, bases, bases + 1, plus }' \
        "$file" > "$work/expected"
    run fxindex --fai "$work/fai/reads.fastq"
    check ".fai of $file" ends 0 ""
    check ".fai of $file is right" cmp -s "$work/fai/reads.fastq.fai" "$work/expected"
done
# Lines of 61 bytes, which pages cut at every place: awk counts them.
awk 'BEGIN { for (i = 0; i < 70; ++i) { print ">s" i " x"; for (k = 0; k < 997 + i; ++k)
    print "ACGTNacgtnACGTNacgtnACGTNacgtnACGTNacgtnACGTNacgtnACGTNacgtn"; print "ACGT" } }' > "$work/fai/g.fa"
awk 'BEGIN { for (i = 0; i < 70; ++i) { name = "s" i; at += length(name) + 4; n = 997 + i
    printf "%s\t%d\t%d\t60\t61\n", name, n * 60 + 4, at; at += n * 61 + 5 } }' > "$work/expected"
printf '>b\nAC\n' > "$work/fai/f"
run fxindex --fai "$work/fai/g.fa" "$work/fai/f"
check ".fai of two files" ends 0 ""
check "of the first" cmp -s "$work/fai/g.fa.fai" "$work/expected"
check "of the second" test "$(cat "$work/fai/f.fai")" = "b${tab}2${tab}3${tab}2${tab}3"
run fxindex --fai "$work/fai/no_such" "$work/fai/f"
check "a missing file" ends 1 "no_such: cannot be opened"
run fxindex --fai -o "$work/fai/named" "$work/fai/g.fa"
check "a .fai with a name" ends 0 ""
check "is the same" cmp -s "$work/fai/named" "$work/expected"
run fxindex --fai -o "$work/fai/g.fa" "$work/fai/g.fa"
check "a .fai over its file" ends 2 "would be lost"
gzip -c "$work/fai/g.fa" > "$work/fai/z.fa.gz"
run fxindex --fai "$work/fai/z.fa.gz"
check ".fai of gzip" ends 1 "z.fa.gz is gzip, of which no part can be fetched: compress it with bgzip"
check "is not written" test "$(echo "$work/fai/z.fa.gz".*)" = "$work/fai/z.fa.gz.*"
if command -v bgzip > /dev/null 2>&1; then
    bgzip -c "$work/fai/g.fa" > "$work/fai/b.fa.gz"
    bgzip -r -I "$work/fai/theirs.gzi" "$work/fai/b.fa.gz"
    for workers in 1 3; do
        rm -f "$work/fai"/b.fa.gz.*
        run fxindex -t $workers --fai "$work/fai/b.fa.gz"
        check ".fai of BGZF by $workers workers" ends 0 ""
        check ".fai of BGZF by $workers workers is right" cmp -s "$work/fai/b.fa.gz.fai" "$work/expected"
        check "its .gzi" cmp -s "$work/fai/b.fa.gz.gzi" "$work/fai/theirs.gzi"
    done
    if test -n "$live"; then
        rm -f "$work/fai"/b.fa.gz.*
        samtools faidx "$work/fai/b.fa.gz" 2> "$work/err"
        check "samtools on BGZF" cmp -s "$work/fai/b.fa.gz.fai" "$work/expected"
        check "its .gzi too" cmp -s "$work/fai/b.fa.gz.gzi" "$work/fai/theirs.gzi"
    fi
    head -c $(($(bytes "$work/fai/b.fa.gz") / 2)) "$work/fai/b.fa.gz" > "$work/fai/cut.fa.gz"
    run fxindex --fai "$work/fai/cut.fa.gz"
    check ".fai of a file that is cut" ends 1 "cut.fa.gz"
    check "nothing is written" test "$(echo "$work/fai/cut.fa.gz".*)" = "$work/fai/cut.fa.gz.*"
else
    skip bgzip
fi
run fxindex --fai
check "--fai without a file" ends 2 "no file is given"
run fxindex --fai -
check "--fai of standard input" ends 2 "standard input"
run fxindex --fai --gzi "$work/fai/f"
check "--fai and --gzi" ends 2 "leave out --gzi"
run fxindex --fai -o "$work/fai/named" "$work/fai/f" "$work/fai/g.fa"
check "--fai, -o and two files" ends 2 "several files"

# -- standard output that ends -------------------------------------------------------------------------------------

{ "$dir/fxindex" "$long" 0 80000 2> "$work/err"; echo $? > "$work/code"; } | head -c 10 > "$work/out"
check "a closed pipe" test "$(cat "$work/code"),$(bytes "$work/err")" = 0,0
check "what was read of it" test "$(bytes "$work/out")" = 10
if test -c /dev/full; then
    "$dir/fxindex" "$long" 0 > /dev/full 2> "$work/err"
    code=$?
    check "a full disk" ends 1 "^fxindex: standard output cannot be written: "
    "$dir/fxindex" "$long" > /dev/full 2> "$work/err"
    code=$?
    check "a line to a full disk" ends 1 "^fxindex: standard output cannot be written: "
else
    skip /dev/full
fi

finish
