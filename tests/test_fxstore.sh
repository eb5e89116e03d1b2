#!/bin/sh
# test_fxstore.sh DIR - fxstore in DIR, as a whole program: files of stores against those of oracle_store.py, byte for
# byte; bases as samtools faidx writes them, where it is installed, and as cut writes them; exit codes and sentences.
# Ends with `N passed, N failed`.
# needs: nothing
. tests/shell.sh

run() { call fxstore "$@"; }

# wrote FILE: standard output was that.
wrote() { cmp -s "$work/out" "$1"; }

# says NAME NUMBER: a line of --info.
says() { grep -q -x -e "$1	$2" "$work/out"; }

: > "$work/out"
: > "$work/err"

# -- flags and exit codes ------------------------------------------------------------------------

awk 'BEGIN {
    letters = "ACGTNacgtnRry"; x = 7
    for (r = 1; r <= 5; r++) {
        print ">chr" r " of five"; line = ""
        for (i = 0; i < 40 * r * r + r; i++) {
            x = (x * 16807) % 2147483647
            line = line substr(letters, 1 + int(int(x / 8192) % (i % 97 < 60 ? 4 : i % 97 < 90 ? 4 : 13)), 1)
        }
        for (i = 1; i <= length(line); i += 50) print substr(line, i, 50)
    }
    print ">a:1-5 odd"; print "ACGTACGTACGTTT"; print ">none"
}' > "$work/genome.fa"
printf '>x 1\nACGT\n>y\nCC\n>x 2\nGGGG\n' > "$work/twice.fa"
run --help
cp "$work/out" "$work/help"
for flag in '-o, --output' --mates --interleaved --qualities --names --letters --duplicate-names --memory '-t, --workers' --info --list --verify \
    --check --full --fetch; do
    check "--help names $flag" grep -q -e "^  $flag " "$work/help"
done
run
check "nothing is asked for" ends 2 "give one of"
run -o "$work/x.bst"
check "no file" ends 2 "no file is given"
run -o "$work/x.bst" --info "$work/x.bst" "$work/genome.fa"
check "two things at once" ends 2 "give one of"
run --info "$work/x.bst" "$work/genome.fa"
check "a file too much" ends 2 "this is too much"
run --fetch chr1 "$work/x.bst" "$work/y.bst"
check "a store too much" ends 2 "one store at a time"
run -o "$work/x.bst" "$work/no_such_file"
check "a missing file" ends 1 "no_such_file: cannot be opened"
run -o "$work/x.bst" "$work"
check "a directory" ends 1 "is a directory"
run -o "$work/no/x.bst" "$work/genome.fa"
check "no such folder" ends 1 "cannot be written"
cp "$work/twice.fa" "$work/kept.fa"
run -o "$work/twice.fa" "$work/genome.fa" "$work/twice.fa"
check "an input is not written over" ends 2 "twice.fa: this is an input, and would be lost"
check "and is there" cmp -s "$work/twice.fa" "$work/kept.fa"
run -o "$work/x.bst" --qualities "$work/genome.fa"
check "qualities of FASTA" ends 2 "needs qualities"
run -o "$work/x.bst" --memory 100 "$work/genome.fa"
check "too little memory" ends 1 "needs more than --memory, 100 bytes"
run -o "$work/x.bst" "$work/genome.fa" "$work/genome.fa"
check "names twice" ends 1 "genome.fa: its record 1 is named chr1, as one before it"
run -o "$work/twice.bst" --duplicate-names "$work/twice.fa"
check "names twice are allowed" ends 0 ""
run --fetch x:2-3 "$work/twice.bst"
check "but not asked for" ends 1 "fxstore: x is the name of two sequences: numbers 0 and 2, counted from 0"
check "and nothing is written" test ! -s "$work/out"
run --fetch x "$work/twice.bst"
check "nor all of it" ends 1 "fxstore: x is the name of two sequences"
run --fetch y "$work/twice.bst"
printf '>y\nCC\n' > "$work/want"
check "the name of one sequence" wrote "$work/want"
run --fetch y --fetch y:2 "$work/twice.bst"
printf '>y\nCC\n>y:2\nC\n' > "$work/want"
check "two regions" wrote "$work/want"
printf '>c some\nACGTNNacgtRYACGTTTGACA\n>d\nACG\n>f\nNNNNNNNNNN\n' > "$work/odd.fa"
: > "$work/empty.fa"
run -o "$work/x.bst" "$work/odd.fa" "$work/empty.fa"
check "letters of several inputs" ends 2 "^fxstore: the inputs together: --letters bytes is needed"
run -o "$work/x.bst" "$work/odd.fa"
check "letters of one" ends 2 "odd.fa: --letters bytes is needed"
run -o "$work/nameless.bst" --names none "$work/kept.fa"
run --fetch y "$work/nameless.bst"
check "no names to find" ends 1 "^fxstore: the store has no names"
run --fetch y:1-0 "$work/twice.bst"
check "an end before the start" ends 1 "y:1-0: there are no such bases: the sequence has 2"
(ulimit -f 8 && "$dir/fxstore" -o "$work/long.bst" "$work/genome.fa") > "$work/out" 2> "$work/err"
code=$?
check "a file longer than the shell allows" ends 1 "long.bst: cannot be written: writing failed"
check "and none is left" test "$(find "$work" -name 'long.bst*')" = ""
check "no store was left behind" test "$(find "$work" -name 'x.bst*')" = ""
run --info "$work/genome.fa"
check "no store" ends 2 "cannot be used as a store: it does not begin like one"

# -- a store and what is in it ------------------------------------------------------------------------

run -o "$work/genome.bst" "$work/genome.fa"
check "a store is made" ends 0 ""
run --info "$work/genome.bst"
awk '!/^>/ { n += length($0); lower += gsub(/[a-z]/, "&") } END { print n, lower }' "$work/genome.fa" > "$work/sums"
read -r bases lower < "$work/sums"
check "bases" says bases "$bases"
check "lower case" says "lower case" "$lower"
check "sequences" says sequences 7
check "letters" says letters dna
# The same counts by awk, which knows no store.
awk 'function put() { if (seen) printf "%d\t%s\t%d\t%d\t%d\t%d\t0\t%d\n", k, name, n, gc, ns, lower, k++ }
     BEGIN { print "number\tname\tbases\tgc\tn\tlower\tinput\trecord" }
     /^>/ { put(); seen = 1; name = substr($1, 2); n = gc = ns = lower = 0; next }
     { n += length($0); lower += gsub(/[a-z]/, "&"); u = toupper($0); gc += gsub(/[GCgc]/, "&", u); ns += gsub(/N/, "&", u) }
     END { put() }' "$work/genome.fa" > "$work/want"
run --info "$work/genome.bst" --list
check "its sequences, a line each" wrote "$work/want"
run --verify "$work/genome.bst" --list
check "a list of what is verified" ends 2 "--list goes with --info"
run --info "$work/genome.bst" --full
check "all of what a store has" ends 2 "--full goes with --check"
run --check "$work/genome.bst" --full "$work/genome.fa"
check "all of the files" ends 0 ""
# A base far from both ends of a file, which --check alone does not look at.
awk 'BEGIN { for (i = 0; i < 6000; i++) print ">r" i "\nACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGT" }' > "$work/many.fa"
sed '6000s/^ACG/AGG/' "$work/many.fa" > "$work/other.fa"
run -o "$work/many.bst" "$work/many.fa"
run --check "$work/many.bst" "$work/other.fa"
check "ends and size are the same" ends 0 ""
run --check "$work/many.bst" --full "$work/other.fa"
check "a base is not" ends 1 "other.fa: record 3000 (line 5999) has other bases in the store"
sed '5999s/r2999/r3000/' "$work/many.fa" > "$work/other.fa"
run --check "$work/many.bst" --full "$work/other.fa"
check "a title is not" ends 1 "other.fa: record 3000 (line 5999) has another title in the store"
head -n 200 "$work/many.fa" > "$work/other.fa"
run --check "$work/many.bst" --full "$work/other.fa"
check "a record is missing" ends 1 "the store has 6000 sequences, and the files 100"
run --check "$work/many.bst" --full "$work/many.fa" "$work/other.fa"
check "a record too many" ends 1 "other.fa: record 1 (line 1) is not in the store"
printf '@q\nACGT\n+\nIIII\n' > "$work/q.fq"
run -o "$work/q.bst" --qualities "$work/q.fq"
printf '@q\nACGT\n+\nIIIJ\n' > "$work/other.fq"
run --check "$work/q.bst" --full "$work/other.fq"
check "a quality is not" ends 1 "other.fq: record 1 (line 1) has other qualities in the store"
run --verify "$work/genome.bst"
check "it is whole" ends 0 ""
run --check "$work/genome.bst" "$work/genome.fa"
check "it is that of its file" ends 0 ""
run --check "$work/genome.bst" "$work/help"
check "and of no other" ends 1 "help: is not what the store was built from: it has another size"
run --check "$work/genome.bst" --names none "$work/genome.fa"
check "nor under other rules" ends 1 "--names is another"
sed -e '/^>none/d' "$work/genome.fa" > "$work/filled.fa" # samtools refuses a sequence without bases
awk '/^>/ { on = ($1 == ">chr5"); next } on { printf "%s", $0 }' "$work/genome.fa" > "$work/chr5"
for region in 1-1 2-61 60-60 61-200 1-1005 999-1005 4-7; do
    run --fetch "chr5:$region" "$work/genome.bst"
    { echo ">chr5:$region"; cut -c "$region" "$work/chr5" | fold -w 60; } > "$work/want"
    check "chr5:$region" wrote "$work/want"
    if command -v samtools > /dev/null 2>&1; then
        samtools faidx "$work/filled.fa" "chr5:$region" > "$work/want" 2> "$work/err"
        check "chr5:$region as samtools has it" wrote "$work/want"
    fi
done
command -v samtools > /dev/null 2>&1 || skip samtools
run --fetch a:1-5 "$work/genome.bst"
printf '>a:1-5\nACGTACGTACGTTT\n' > "$work/want"
check "a name with a colon" wrote "$work/want"
run --fetch chr5:1,001-2,000 "$work/genome.bst"
{ echo ">chr5:1,001-2,000"; cut -c 1001-1005 "$work/chr5"; } > "$work/want"
check "commas, and an end past the sequence" wrote "$work/want"
run --fetch none "$work/genome.bst"
echo ">none" > "$work/want"
check "a sequence without bases" wrote "$work/want"
run --fetch chr5:1006 "$work/genome.bst"
check "past the end" ends 1 "there are no such bases: the sequence has 1005"
run --fetch chr55:7-9 "$work/genome.bst"
check "an unknown name" ends 1 "no sequence is named chr55; the nearest name is chr5"
head -c 9000 "$work/genome.bst" > "$work/cut.bst"
run --info "$work/cut.bst"
check "a store that was cut off" ends 2 "cut.bst: cannot be used as a store: it was cut off"
cp "$work/genome.bst" "$work/bad.bst"
printf '\377' | dd of="$work/bad.bst" bs=1 seek=4100 conv=notrunc 2> "$work/err"
run --verify "$work/bad.bst"
check "bases that changed" ends 2 "bases or qualities of it changed"
if test -c /dev/full; then
    "$dir/fxstore" --fetch chr5 "$work/genome.bst" > /dev/full 2> "$work/err"
    code=$?
    check "a full disk" ends 1 "standard output cannot be written"
    run -o /dev/full "$work/genome.fa"
    check "a store is no device" ends 1 "is a pipe or device"
else
    skip /dev/full
fi

# -- disks that are full, builders that are killed, two at once -----------------------------------------

# files: the names in the folder of stores that are being built.
mkdir "$work/built"
files() { find "$work/built" -type f | wc -l; }
if (trap '' XFSZ; ulimit -f 0) 2> /dev/null; then
    cp "$work/genome.bst" "$work/built/x.bst"
    (trap '' XFSZ; ulimit -f 64; "$dir/fxstore" -o "$work/built/x.bst" "$work/genome.fa") > "$work/out" 2> "$work/err"
    code=$?
    check "a full disk" ends 1 "x.bst: cannot be written: writing failed: "
    check "leaves the store that was there" cmp -s "$work/built/x.bst" "$work/genome.bst"
    check "and nothing else" test "$(files)" = 1
    rm "$work/built/x.bst"
else
    skip "ulimit -f"
fi
"$dir/fxstore" -o "$work/twice_less.bst" "$work/filled.fa" 2> "$work/err"
round=0
good=0
while test $round -lt 12; do # both build one file; whichever is renamed last is there, whole
    "$dir/fxstore" -o "$work/built/x.bst" "$work/genome.fa" 2>> "$work/err" &
    first=$!
    "$dir/fxstore" -o "$work/built/x.bst" "$work/filled.fa" 2>> "$work/err" &
    wait $first && wait $! && test "$(files)" = 1 &&
        { cmp -s "$work/built/x.bst" "$work/genome.bst" || cmp -s "$work/built/x.bst" "$work/twice_less.bst"; } &&
        good=$((good + 1))
    round=$((round + 1))
done
check "two builders of one file" test "$good" = 12
# A name that is there is that of a whole store, wherever the builder of a larger one ends.
reads=examples/data/illumina_hiseqx_150bp.fastq.gz
"$dir/fxstore" -o "$work/reads.bst" --qualities "$reads" 2>> "$work/err"
round=0
good=0
while test $round -lt 12; do
    rm -f "$work/built/"*
    "$dir/fxstore" -o "$work/built/x.bst" --qualities "$reads" 2>> "$work/err" &
    builder=$!
    loops=0
    while test $loops -lt $((round * 700)); do loops=$((loops + 1)); done
    kill -9 $builder 2> /dev/null
    wait $builder 2> /dev/null
    { test ! -e "$work/built/x.bst" || cmp -s "$work/built/x.bst" "$work/reads.bst"; } && good=$((good + 1))
    round=$((round + 1))
done
check "a builder that is killed" test "$good" = 12
"$dir/fxstore" -o "$work/built/x.bst" --qualities "$reads" 2>> "$work/err"
check "is followed by one that ends" cmp -s "$work/built/x.bst" "$work/reads.bst"

# -- files byte for byte --------------------------------------------------------------------------------

if command -v python3 > /dev/null 2>&1; then
    python3 tests/oracle_store.py "$dir/fxstore" > "$work/out" 2> "$work/err"
    check "files as the oracle has them" test $? = 0
else
    skip python3
fi

finish
