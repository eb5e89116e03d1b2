#!/bin/sh
# test_fxbatch_store.sh DIR - fxbatch in DIR over stores that fxstore makes there: batches of a store in the order of its
# files, file by file as those of the text; BED, grids and groups; wrong use, each with a sentence of its own. What the
# rows of regions and orders are, resume, ranks and workers: oracle_store.py, which is run at the end.
# Ends with `N passed, N failed`.
# needs: nothing
. tests/shell.sh

# run ARGUMENTS...: fxbatch; what it prints in out and err, its exit code in $code, rows and digests in $sums.
run() {
    "$dir/fxbatch" "$@" > "$work/out" 2> "$work/err" < /dev/null
    code=$?
    sums=$(grep '^epoch' "$work/out" | cut -f 1-4)
}

# refused CODE WORDS ARGUMENTS...: it ends with the sentence and prints nothing.
refused() {
    words=$2
    want=$1
    shift 2
    run "$@"
    check "$* is refused" ends "$want" "$words"
    check "and nothing was printed for $*" test ! -s "$work/out"
}

# store NAME ARGUMENTS...: fxstore makes NAME.bst.
store() {
    name=$1
    shift
    "$dir/fxstore" -o "$work/$name.bst" "$@" > "$work/out" 2> "$work/err"
    check "$name.bst is made" test $? = 0
}

# -- a store in FILE order is its text --------------------------------------------------------------

: > "$work/out"
: > "$work/err"
genome=$data/human_hg18_chrM_chr20part.bgzf.fasta.gz
reads=$data/illumina_hiseqx_150bp.fastq.gz
more=$data/tenx_v2_R2_cdna.fastq.gz
store genome "$genome"
store reads --qualities --letters bytes --duplicate-names "$reads" "$more"

# as_text WHAT STORE FLAGS... -- FILES...: both give the same epochs.
as_text() {
    what=$1
    of_store=$2
    shift 2
    flags=
    while test "$1" != --; do
        flags="$flags $1"
        shift
    done
    shift
    # shellcheck disable=SC2086
    run --epochs 2 $flags "$@"
    want=$sums
    # shellcheck disable=SC2086
    run --epochs 2 $flags "$work/$of_store.bst"
    check "$what: a store fails as its text does not" ends 0 ''
    check "$what: a store is its text" test -n "$want" -a "$sums" = "$want"
}

as_text "FASTA in pieces" genome --bases 500 --long split --stride 400 -- "$genome"
as_text "FASTA in tokens, filtered" genome --bases 300 --long split --encode tokens --dtype i64 --max-n 0 -- "$genome"
as_text "FASTA, random strands and letters" genome --bases 300 --long split --rc 0.5 --mutate 0.1 --seed 3 -- "$genome"
as_text "qualities, masks, labels" reads --bases 160 --quality phred --mask --label input -- "$reads" "$more"
as_text "labels of inputs" reads --bases 160 --label input --label-dtype f32 --label-values 0.5,7 -- "$reads" "$more"
as_text "filters of qualities" reads --bases 80 --long crop --min-quality 35.5 --rc 0.5 --seed 8 -- "$reads" "$more"
as_text "a split of names" reads --bases 80 --long head --split 3:0.1:0.6 --tail drop -- "$reads" "$more"
as_text "rows as long as they are" reads --long center --max-bases 90 --lower channel -- "$reads" "$more"

# files FOLDER FLAGS...: every array of every batch.
files() {
    folder=$work/$1
    shift
    run --npy "$folder" "$@"
    check "--npy of $*" ends 0 ''
}
gzip -dc "$reads" | head -n 400 > "$work/few.fastq"
store few --qualities "$work/few.fastq"
head="--rows 30 --bases 150 --quality error --quality-in-x --dtype f16 --names --label input --mask"
# shellcheck disable=SC2086
files text $head "$work/few.fastq"
# shellcheck disable=SC2086
files store $head "$work/few.bst"
check "files of a store are those of its text" diff -r "$work/text" "$work/store"
check "with names" test "$(cat "$work"/store/*_names.txt | wc -l)" = 120
cp "$work/few.bst" "$work/few.data"
# shellcheck disable=SC2086
run $head "$work/few.fastq"
want=$sums
# shellcheck disable=SC2086
run $head "$work/few.data"
check "a store is told by its first bytes" test "$sums" = "$want"

# -- stores that --store-in keeps -------------------------------------------------------------------

# kept: the stores in the folder, with their inodes.
kept() { ls -i "$work/kept"; }
cp "$work/few.fastq" "$work/own.fastq"
run --bases 150 --rows 30 --min-length 20 "$work/own.fastq"
want=$sums
run --bases 150 --rows 30 --min-length 20 --store-in "$work/kept" "$work/own.fastq"
check "a store that is kept" ends 0 ''
check "and says nothing" test ! -s "$work/err"
check "is its text" test "$sums" = "$want"
check "its batches are known at open" grep -q "^batches per epoch" "$work/out"
check "a file of one store" test "$(kept | grep -c ' own.fastq-[0-9a-f]*[.]bst$')" = 1
was=$(kept)
run --bases 150 --rows 30 --order exact --store-in "$work/kept" "$work/own.fastq"
check "it is used again" test "$(kept)" = "$was"
run --bases 150 --rows 30 --quality phred "$work/own.fastq"
want=$sums
run --bases 150 --rows 30 --quality phred --store-in "$work/kept" "$work/own.fastq"
check "it had no qualities" ends 0 "qualities.*; the store is built now"
check "and has them" test "$sums" = "$want" -a "$(kept)" != "$was"
was=$(kept)
run --bases 150 --rows 30 --store-in "$work/kept" "$work/own.fastq"
check "they do no harm" test "$(kept)" = "$was" -a ! -s "$work/err"
printf '@last\nACGT\n+\nIIII\n' >> "$work/own.fastq"
run --bases 150 --rows 30 --store-in "$work/kept" "$work/own.fastq"
check "a file that was changed" ends 0 "own.fastq.*; the store is built now"
check "its rows" test "$(echo "$sums" | cut -f 3)" = "rows 101"
printf 'no store' > "$work/kept/$(ls "$work/kept")"
run --bases 150 --rows 30 --store-in "$work/kept" "$work/own.fastq"
check "a store that was damaged" ends 0 "; the store is built now"
check "its rows are there again" test "$(echo "$sums" | cut -f 3)" = "rows 101"
printf '>p\nMKLVREFPNNiiii\n>q\nmKlVrEfP\n' > "$work/own.fa"
run --bases 150 --rows 2 --group p "$work/own.fa" --group r:2 "$work/own.fastq" "$work/few.fastq"
want=$(echo "$sums" | cut -f 2,3)
run --bases 150 --rows 2 --store-in "$work/kept" --group p "$work/own.fa" --group r:2 "$work/own.fastq" "$work/few.fastq"
check "a store for each group" test "$(echo "$sums" | cut -f 2,3)" = "$want"
check "of proteins, and of two files" test "$(kept | grep -c bst)" = 3
run --bases 150 --rows 2 --store-in "$work/kept" --group p "$work/own.fa" --group r "$work/few.bst"
check "beside a group that is a store" ends 0 ''
check "which is none of them" test "$(kept | grep -c bst)" = 3
printf '0\n' > "$work/zero"
run --bases 150 --store-in "$work/kept" --records "$work/zero" "$work/own.fastq"
check "a list of its records" test "$(echo "$sums" | cut -f 3)" = "rows 1"
refused 2 "own.fastq is no folder" --bases 150 --store-in "$work/own.fastq" "$work/few.fastq"
# As many bytes as before, and the same 64 KiB at both ends.
gzip -dc "$reads" | head -n 4000 > "$work/middle.fastq"
run --bases 150 --store-in "$work/kept" "$work/middle.fastq"
gzip -dc "$reads" | head -n 4000 | awk 'NR == 2002 { gsub(/[CGT]/, "A") } { print }' > "$work/middle.new"
cat "$work/middle.new" > "$work/middle.fastq"
run --bases 150 "$work/middle.fastq"
want=$sums
run --bases 150 --store-in "$work/kept" "$work/middle.fastq"
check "a change in the middle" ends 0 "middle.fastq was written after its store; the store is built now"
check "its rows are the file's" test "$sums" = "$want"
name=$(printf 'n%.0s' $(seq 240))
cp "$work/few.fastq" "$work/$name"
run --bases 150 --store-in "$work/kept" "$work/$name"
check "a name of 240 bytes" ends 0 ''
refused 1 "no/folder.*cannot be made a folder: No such file" --store-in "$work/no/folder" "$work/few.fastq"
refused 2 "store-in wants files without an --index" --store-in "$work/kept" --index "$work/i" "$work/own.fastq"
refused 2 "store-in wants files without an --index" --store-in "$work/kept" -
refused 1 "none.fq" --store-in "$work/kept" "$work/none.fq"
check "and no store is left of no file" test "$(kept | grep -c none)" = 0

# -- regions --------------------------------------------------------------------------------------

# a: 13 bases, of which one N, two lower case; b: 23 bases with an R
printf '>a of it\nAATGACATNcgTT\n>b\nACGTACGTACGTRCGTACGTACG\n' > "$work/small.fa"
printf '>c\nGGGGGCCCCCTTTTT\n' > "$work/other.fa"
store small "$work/small.fa"
store other "$work/other.fa"
store nameless --names none "$work/small.fa"
small=$work/small.bst
other=$work/other.bst

# ids: id, piece and start_base of the rows in the .npy of one batch, on lines.
ids() {
    tail -c $((24 * $2)) "$work/$1/epoch0_batch000000_ids.npy" | od -A n -v -t d8 |
        awk '{ for (i = 1; i <= NF; ++i) { printf "%s%s", $i, ++n % 3 ? " " : "\n" } }'
}

# says NUMBER...: the lines of ids are these, three numbers each.
says() {
    printf '%s %s %s\n' "$@" > "$work/want"
    cmp -s "$work/ids" "$work/want" || { sed 's/^/    ids: /' "$work/ids"; return 1; }
}

run --grid 10:5 "$small"
check "a grid: 0 5 of a; 0 5 10 15 of b" test "$(echo "$sums" | cut -f 3)" = "rows 6"
check "its batches are known at open" grep -q -x "batches per epoch 1" "$work/out"
run --grid 10:5 --rows 4 "$small"
check "these of more" grep -q -x "batches per epoch 2" "$work/out"
check "and so many come" test "$(echo "$sums" | cut -f 2)" = "batches 2"
run --grid 5 --strands both --rows 2 --epochs 3 "$small"
check "both strands: 3 of a, 5 of b, twice" test "$(echo "$sums" | cut -f 3 | sort -u)" = "rows 16"
printf 'b\n' > "$work/list"
run --grid 5 --sequences "$work/list" "$small"
check "a grid over b" test "$(echo "$sums" | cut -f 3)" = "rows 5"
# A list of records: ids, and piece, which is where in the list it stands.
printf '#two copies\nb\n\n0 of it\n 1 \n1\n' > "$work/records"
files listed --records "$work/records" --rows 4 "$small"
ids listed 4 > "$work/ids"
check "records in the order of a list" says 1 0 0  0 1 0  1 2 0  1 3 0
run --records "$work/records" --min-length 20 "$small"
check "and of these filters leave" test "$(echo "$sums" | cut -f 3)" = "rows 3"
printf '1\n0\n' > "$work/numbers"
run --records "$work/numbers" "$work/nameless.bst"
check "numbers of a store without names" ends 0 ''
printf 'c\n' > "$work/first"
run --records "x=$work/first" --records "y=$work/numbers" --group x "$other" --group y "$small"
check "a list for each group: c, b, c again, a" test "$(echo "$sums" | cut -f 3)" = "rows 4"
# Rows of about one length. Of 10, 20, 30, 40, 9 and 33 bases, widths 40, 24 and 16: 2 x 16, 24, 2 x 40 and 40 columns,
# 176 in all, of which 142 are bases.
for n in 10 20 30 40 9 33; do
    printf '>r%s\n%s\n' "$n" "$(printf '%0*d' "$n" 0 | tr 0 A)"
done > "$work/lengths.fa"
store lengths "$work/lengths.fa"
run --batch-tokens 80 --growth 1.5 --encode tokens "$work/lengths.bst"
check "buckets" ends 0 ''
check "are four batches" test "$(echo "$sums" | cut -f 2-3)" = "batches 4	rows 6"
check "of which 34 columns are padding" grep -q '	padding 19.32 %$' "$work/out"
check "the shape says so" grep -qx 'x	\[rows\]\[width\]	u8	NL	tokens' "$work/out"
check "and the rank" grep -qx 'rank	0 of 1	global batch 80 columns' "$work/out"
want=$sums
run --batch-tokens 80 --widths 16,24,40 --pad-multiple 8 --encode tokens "$work/lengths.bst"
check "the same widths, given" test "$sums" = "$want"
run --batch-tokens 80 --growth 1.5 --encode tokens --store-in "$work/shaped" "$work/lengths.fa"
check "of files that become a store" test "$sums" = "$want"
run --batch-tokens 80 --growth 1.5 --rows-multiple 2 --encode tokens "$work/lengths.bst"
check "rows by twos" grep -q '	padding 40.83 %$' "$work/out" # 98 of 240
refused 2 "batch-tokens and --pack need the lengths of all records, which a store knows and text does not: make one with fxstore" \
    --batch-tokens 80 "$work/lengths.fa"
refused 2 "batch-tokens is 39, and 1 rows of 40 columns need 40" --batch-tokens 39 "$work/lengths.bst"
refused 2 "leave --rows 0" --batch-tokens 80 --rows 256 "$work/lengths.bst"
refused 2 "what is said of widths and of rows needs --batch-tokens" --growth 1.5 "$work/lengths.bst"
# Several records in a row of 40: 40; 33; 10 and 30, in the order of the file; 20 and 9.
run --pack --bases 40 --rows 4 --encode tokens --segment --position --offsets --names --label input "$work/lengths.bst"
check "packed rows" ends 0 ''
check "are one batch" test "$(echo "$sums" | cut -f 2-3)" = "batches 1	rows 4"
check "of 160 columns 18 are padding" grep -q '	padding 11.25 %$' "$work/out"
check "with a number for each column" grep -qx 'segment	\[4\]\[40\]	i32	NL	segment' "$work/out"
check "and labels by record" grep -qx 'labels	\[records\]	u8	S	input' "$work/out"
run --npy "$work/packed" --pack --bases 40 --rows 4 --encode tokens --offsets --names "$work/lengths.bst"
numbers() { tail -c "$((4 * $2))" "$work/packed/epoch0_batch000000_$1.npy" | od -A n -v -t d4 | tr -s ' \n' ' '; }
check "lengths in rows" test "$(numbers lengths 6)" = " 40 33 10 30 20 9 "
check "their first records" test "$(numbers row_samples 5)" = " 0 1 2 4 6 "
check "where they start" test "$(numbers offsets 9)" = " 0 40 73 80 90 120 140 149 160 "
check "and their names" test "$(tr '\n' ' ' < "$work/packed/epoch0_batch000000_names.txt")" = "r40 r33 r10 r30 r20 r9 "
run --pack --bases 40 --rows 7 --pack-samples 1 --encode tokens "$work/lengths.bst"
check "a record a row" test "$(echo "$sums" | cut -f 2-3)" = "batches 1	rows 6"
refused 2 "pack needs --bases, the columns of its rows" --pack "$work/lengths.bst"
refused 2 "pack is given, where a record's columns lie beside one another" --pack --bases 40 --layout ncl "$work/lengths.bst"
refused 2 "need --pack" --batch-tokens 80 --segment "$work/lengths.bst"
refused 2 "frames has rows of one record each" --frames - --pack --bases 40 "$work/lengths.bst"
refused 2 "growth wants a number from 1.000001 to 4000, not 1" --batch-tokens 80 --growth 1 "$work/lengths.bst"
refused 2 "widths wants up to 256 whole numbers with commas between, not 16,,40" --batch-tokens 80 --widths 16,,40 \
    "$work/lengths.bst"
refused 2 "widths are given and --growth makes some" --batch-tokens 80 --widths 40 --growth 1.5 "$work/lengths.bst"
refused 2 "world does not divide --rows-multiple" --batch-tokens 80 --world 2 "$work/lengths.bst"

run --grid 5 --max-region-n 0 "$small"
check "without N: 2 of a, 5 of b" test "$(echo "$sums" | cut -f 3)" = "rows 7"
want=$sums
run --grid 5 --max-n 0 "$small"
check "--max-n says the same" test "$sums" = "$want"
run --grid 5 --max-lower 0 --stats "$small"
check "without lower case: 1 of a less" test "$(echo "$sums" | cut -f 3)" = "rows 6"
check "and told" grep -q -x "stats${tab}dropped by lower case 2" "$work/err"
run --grid 5 --max-other 0 --stats "$small"
check "without other letters" grep -q -x "stats${tab}dropped by other letters 2" "$work/err"
run --grid 5 --edge drop "$small"
check "none that reach past the end: 2 of a, 4 of b" test "$(echo "$sums" | cut -f 3)" = "rows 6"

printf 'track name=x\na\t2\t6\tn\t7\t+\n# c\n\nb\t3\t9\tn\t9\t-\r\nb 0 1 n 1 +\n' > "$work/some.bed"
files bed --regions "$work/some.bed" --bases 4 --fit center --rows 3 "$small"
ids bed 3 > "$work/ids"
check "intervals around their middles" says 0 0 2 1 1 4 1 2 -2
files bed2 --regions "$work/some.bed" --bases 4 --fit start --rows 3 "$small"
ids bed2 3 > "$work/ids"
check "intervals from their 5' ends" says 0 0 2 1 1 5 1 2 0
printf 'a\t-2\t3\na\t13\t18\na\t10\t15\nb\t0\t5\na\t4\t4\n' > "$work/past.bed"
run --regions "$work/past.bed" --bases 5 --fit center --edge drop --stats "$small"
check "lines past the ends, and of no base, are left out" test "$(echo "$sums" | cut -f 3)" = "rows 1"
check "and counted" grep -q -x "stats${tab}dropped by edge 4" "$work/err"
printf 'a\t-2\t3\nb\t-9\t2\n' > "$work/ends.bed"
files ends --regions "$work/ends.bed" --bases 5 --fit start --rows 2 "$small"
ids ends 2 > "$work/ids"
check "lines that begin before base 0" says 0 0 -2 1 1 -9
files ends2 --regions "$work/ends.bed" --bases 5 --fit start --edge inside --rows 2 "$small"
ids ends2 2 > "$work/ids"
check "moved until they fit" says 0 0 0 1 1 0
printf 'a\t2\t9\tn\t0\t-\t1\t-1\t-1\t5\nb\t-1\t9\tn\t0\t.\t1\t-1\t-1\t0\n' > "$work/narrow"
files peaks --regions "$work/narrow" --bases 4 --fit summit --rows 2 "$small"
ids peaks 2 > "$work/ids"
check "peaks around their summits" says 0 0 5 1 1 -3
gzip -c "$work/some.bed" > "$work/some.bed.gz"
run --regions "$work/some.bed" --bases 4 --fit start "$small"
want=$sums
run --regions "$work/some.bed.gz" --bases 4 --fit start "$small"
check "BED in gzip" test "$sums" = "$want"
files labels --regions "$work/some.bed" --bases 4 --fit start --label region --label-column 5 --label-dtype u8 --rows 3 \
    "$small"
check "labels of lines" test \
    "$(tail -c 3 "$work/labels/epoch0_batch000000_labels.npy" | od -A n -v -t u1 | tr -s ' ')" = " 7 9 1"
check "and their shape" grep -q "^labels${tab}\[3\]${tab}u8${tab}N${tab}region\$" "$work/out"

# -- groups of stores ----------------------------------------------------------------------------------

printf 'c\t0\t4\nc\t9\t13\nc\t3\t7\n' > "$work/c.bed"
files groups --bases 4 --fit start --regions "one=$work/some.bed" --regions "two=$work/c.bed" --rows 6 \
    --label group --group one:1:3 "$small" --group two:1:5 "$other"
check "each group has its BED: passes and rows" test \
    "$(grep '^group' "$work/out" | cut -f 2,3 | sort -u)" = "passes 1${tab}rows 3"
ids groups 6 > "$work/ids"
check "in turn" says 0 0 2 0 0 0 1 1 5 0 1 9 1 2 0 0 2 3
check "with their labels" test "$(tail -c 6 "$work/groups/epoch0_batch000000_labels.npy" | od -A n -v -t u1 | tr -s ' ')" = \
    " 3 5 3 5 3 5"
run --grid 5 --group one:1 "$small" --group two:1 "$other"
want=$sums
sed -n "s/^desc$tab//p" "$work/out" > "$work/desc"
run --desc "$work/desc" "$small" "$other"
check "a desc of them gives the same" test "$sums" = "$want"
run --desc "$work/desc" --grid 5 --group two:1 "$other" --group one:1 "$small"
check "--group takes its place" test "$(grep '^group' "$work/out" | cut -f 1 | tr '\n' ' ')" = "group two group one "
run --desc "$work/desc" "$small"
check "a store of a group is missing" ends 2 "fewer files than the groups have"
run --desc "$work/desc" "$small" "$other" "$work/reads.bst"
check "one is too much" ends 2 "this file is in no group: .*reads.bst"

# A group of text beside one of a store: two rows of text for each of the store, whose order is that of --order.
run --bases 150 --long head --epoch-end rows --epoch-rows 90 --order exact --shuffle 50 --group x:1 "$small" \
    --group y:2 "$work/few.fastq"
check "a store beside text" test "$(grep '^group' "$work/out" | cut -f 1,3 | tr '\n\t' '  ')" = \
    "group x rows 30 group y rows 60 "
want=$sums
sed -n "s/^desc$tab//p" "$work/out" > "$work/desc"
run --desc "$work/desc" "$small" "$work/few.fastq"
check "a desc of both gives the same" test "$sums" = "$want"
printf 'b\t3\t9\tn\t9\t-\r\nb 0 4 n 1 +\n' > "$work/b.bed"
run --bases 4 --long head --fit start --regions "$work/b.bed" --group y "$work/few.fastq" --group x "$small"
check "regions are of the store" test "$(grep '^group x' "$work/out" | cut -f 2,3)" = "passes 50${tab}rows 99"
# Labels by input: files of text are counted first, wherever they stand, then those of each store.
store both --duplicate-names --letters bytes "$work/other.fa" "$work/small.fa"
labels() { tail -c "$1" "$work/$2/epoch0_batch000000_labels.npy" | od -A n -v -t u1 | tr -s ' '; }
inputs="--bases 30 --long head --rows 12 --epoch-end rows --epoch-rows 12 --label input --label-dtype u8"
# shellcheck disable=SC2086
files inputs $inputs --group x "$work/both.bst" --group y "$work/few.fastq" --group z "$other"
check "c of input 1, a and b of input 2 alone, then over again; the text is input 0" test \
    "$(labels 12 inputs)" = " 1 0 3 2 0 3 2 0 3 1 0 3"
# shellcheck disable=SC2086
files values $inputs --label-values 9,8,7,6 --group x "$work/both.bst" --group y "$work/few.fastq" --group z "$other"
check "and their values" test "$(labels 12 values)" = " 8 9 6 7 9 6 7 9 6 8 9 6"
# shellcheck disable=SC2086
refused 2 "the count of --label-values is not the number of inputs, 4" $inputs --label-values 9,8 \
    --group x "$work/both.bst" --group y "$work/few.fastq" --group z "$other"
head -n 3 "$work/few.fastq" > "$work/half.fastq"
run --bases 150 --long head --group x "$small" --group y "$work/half.fastq"
check "damaged text beside a store" ends 1 "half.fastq"

# -- wrong use --------------------------------------------------------------------------------------------

text=$work/few.fastq
refused 2 "several stores, or one and other files, are groups: .*other.bst" --bases 30 "$small" "$other"
refused 2 "several stores, or one and other files, are groups: .*few.fastq" --bases 30 "$small" "$text"
refused 2 "a group is one store, or files of text: --group x" --bases 30 --group x "$small" "$other"
refused 2 "a group is one store, or files of text: --group x" --bases 30 --group x "$text" "$other"
refused 2 "must be the only file" --bases 30 "$small" -
refused 2 "must be the only file" --bases 30 --group x "$small" --group y -
refused 1 "no_such.bst: cannot be opened" "$work/no_such.bst"
head -c 9000 "$small" > "$work/cut.bst"
refused 2 "cut.bst: cannot be used as a store: it was cut off" --grid 5 "$work/cut.bst"
cp "$text" "$work/text.bst"
refused 2 "text.bst: cannot be used as a store: it does not begin like one" "$work/text.bst"
refused 2 "a store has no index" --grid 5 --index "$work/x" "$small"
for wrong in 0 5:0 5: :5 a 5:x 5:5:5 -1 268435457 5:268435457; do
    refused 2 "grid wants L or L:STRIDE, whole numbers from 1 to 268435456, not $wrong" "--grid=$wrong" "$small"
done
refused 2 "stride of --grid is over --bases" --grid 5:6 "$small"
refused 2 "grid says the bases of a row, and --bases others" --grid 5 --bases 6 "$small"
refused 2 "grid and --regions cannot both be" --grid 5 --regions "$work/c.bed" "$other"
refused 2 "sequences is of a --grid" --sequences "$work/list" "$small"
refused 2 "are of regions: give --grid or --regions" --bases 30 --max-lower 0.1 "$small"
refused 2 "max-n and --max-region-n are one limit" --grid 5 --max-n 0.1 --max-region-n 0 "$small"
refused 2 "regions need --bases" --regions "$work/c.bed" "$other"
refused 2 "label region and --label-column" --grid 5 --label region "$small"
refused 2 "label region and --label-column" --grid 5 --label-column 4 "$small"
refused 2 "--fit needs --regions" --grid 5 --fit center "$small"
refused 2 "--shuffle is of text, and there is none" --grid 5 --shuffle 9 "$small"
refused 2 "--order is helixer, which is of a grid" --order helixer --bases 30 "$small"
refused 2 "--order is helixer, which is of a grid" --order helixer --grid 5 "$small"
refused 2 "--order is helixer, which is of a grid" --order helixer --bases 4 --fit start --strands both \
    --regions "$work/c.bed" "$other"
refused 2 "--strands both shows each strand, and --rc" --grid 5 --strands both \
    --rc 0.5 "$small"
refused 2 "--split.block_bases is below --bases and twice --jitter" --grid 5 --jitter 3 \
    --split 1:0:0.5:by=block,10 "$small"
refused 2 "--grid and --regions and --crop" --grid 5 --crop 3 "$small"
refused 2 "--quality needs qualities, and the store has none" --grid 5 --quality phred "$small"
refused 2 "a filter asks for qualities, and the store has none" --grid 5 --min-quality 3 "$small"
refused 2 "--names needs names, and the store has none" --grid 5 --names "$work/nameless.bst"
refused 2 "--split needs names, and the store has none" --grid 5 --split 1:0:0.5 "$work/nameless.bst"
refused 1 "nameless.bst has no names: .*list" --grid 5 --sequences "$work/list" "$work/nameless.bst"
# Letters without a complement, and the minus strand.
refused 2 "--strands both needs nucleotides, and --channels names a letter without" --grid 5 \
    --strands both --channels ACDE "$small"
refused 2 "some.bed: line 5: the interval, which is on the minus strand, needs nucleotides, and --channels" --bases 4 \
    --regions "$work/some.bed" --fit start --channels LMN "$small"
# Labels of intervals, of groups that show none.
refused 2 "group 1 (y): it shows no intervals of a store" --bases 4 --fit start --regions "$work/some.bed" \
    --label region --label-column 5 --group x "$small" --group y "$text"
refused 2 "other.bst has no --regions: give BED, or GROUP=BED for its group" --bases 4 --fit start \
    --regions "x=$work/some.bed" --group y "$other" --group x "$small"
refused 2 "small.bst has no --regions" --bases 4 --regions.kind intervals "$small"
# Without a store.
refused 2 "--order is of stores, and there is none" --order exact --bases 150 "$text"
refused 2 "--grid, --regions and --records are of stores, and there is none" --grid 5 "$text"
refused 2 "--grid, --regions and --records are of stores, and there is none" --bases 5 --regions "$work/c.bed" "$text"
for flag in --jitter=3 --edge=drop --strands=both --minus-pad=end; do
    refused 2 "what is said of regions needs --grid or --regions" "$flag" --bases 150 "$text"
done
refused 2 "what is said of regions needs --grid or --regions" --jitter 3 --bases 30 "$small"
# Lines of BED and of lists.
bad_bed() {
    # shellcheck disable=SC2059
    printf "$1" > "$work/bad.bed"
    refused 1 "bad.bed$2" --bases 5 --fit start --regions "$work/bad.bed" "$small"
}
bad_bed 'a\t0\t5\nchrb\t1\t3\n' ': line 2: no sequence is named chrb; the nearest name is b$'
bad_bed 'zzzz\t0\t5\n' ': line 1: no sequence is named zzzz$'
bad_bed 'a\t5\t5\n' ': line 1: it has no base'
bad_bed '\n#\na\t6\t5\n' ': line 3: it ends before it starts'
bad_bed 'a\t13\t18\n' ': line 1: a has 13 bases, and none of them is in 13 to 18 (--edge drop leaves such lines out)'
bad_bed 'a\t0\t5\nb\t-5\t0\n' ': line 2: b has [0-9]* bases, and none of them is in -5 to 0'
bad_bed 'a\t0\n' ': line 1: 2 columns, not at least 3'
bad_bed 'a\t0\t-5\n' ': line 1: it ends before it starts'
bad_bed 'a\t0\t+5\n' ': line 1: the end +5 is no number'
bad_bed 'a\t0\t5\tn\t0\tx\n' ': line 1: the strand x is none of'
printf 'a\t2\t9\tn\t0\t-\t1\t-1\t-1\t5\nb\t1\t9\tn\t0\t.\t1\t-1\t-1\t-1\n' > "$work/no_summit"
refused 1 "no_summit: line 2: the summit -1 is narrowPeak's for a peak that has none" --bases 4 --fit summit \
    --regions "$work/no_summit" "$small"
refused 1 "some.bed: line 2: 6 columns, and the summit is column 10 (narrowPeak)" --bases 4 --fit summit \
    --regions "$work/some.bed" "$small"
bad_bed 'a\t0\t5\tn\t-\n' ": line 1: column 5 is -, a strand, which BED has in column 6: sequence, start, end, name, score, strand"
bad_bed 'a\t0\t5\tn\t0\t+\nb 0 5 n +\n' ': line 2: column 5 is +, a strand'
bad_bed 'a\t0\t5\t-\n' ': line 1: column 4 is -, a strand'
bad_bed '# nothing\n' ' has no line that names a sequence'
refused 1 "no_such.bed: cannot be opened" --bases 5 --regions "$work/no_such.bed" "$small"
refused 2 "c.bed: line 1: the interval is not as long as --bases" --bases 5 --regions "$work/c.bed" "$other"
refused 1 "some.bed: line 2: no column 7 for the label" --bases 4 --fit start --regions "$work/some.bed" --label region \
    --label-column 7 "$small"
refused 1 "some.bed: line 2: the label n is no i32" --bases 4 --fit start --regions "$work/some.bed" --label region \
    --label-column 4 --label-dtype i32 "$small"
refused 1 "c.bed: line 1: no sequence is named c$" --bases 4 --regions "$work/c.bed" --group x "$other" --group y "$small"
printf 'b\nb\n' > "$work/twice"
refused 2 "sequence 1 is listed twice" --grid 5 --sequences "$work/twice" "$small"
printf 'b\nd\n' > "$work/unknown"
refused 1 "unknown: line 2: no sequence is named d" --grid 5 --sequences "$work/unknown" "$small"
printf '1\n2\n' > "$work/beyond"
refused 1 "beyond: line 2: the store has no sequence 2, counted from 0" --records "$work/beyond" "$small"
refused 1 "unknown: line 2: no sequence is named d" --records "$work/unknown" "$small"
refused 2 "--records stands beside neither --grid nor --regions" --records "$work/list" --grid 5 "$small"
refused 2 "small.bst has no --records: give a FILE, or GROUP=FILE" --regions.kind records "$small"
refused 2 "list: this is an input" --records "$work/list" --state-file "$work/list" "$small"
printf '>1\nAC\n>0\nGT\n>2\nCC\n' > "$work/digits.fa"
store digits "$work/digits.fa"
refused 1 "beyond: line 1: 1 is the number of one sequence and the name of another one" --records "$work/beyond" \
    "$work/digits.bst"
printf '2\n' > "$work/third"
run --records "$work/third" "$work/digits.bst"
check "a number that is a name, too" ends 0 ''
: > "$work/empty"
refused 1 "empty has no line that names a sequence" --grid 5 --sequences "$work/empty" "$small"
# A name that two sequences have; b has only one.
printf '>a 1\nACGTACGT\n>b\nCCCCCCCC\n>a 2\nGGGGGGGG\n' > "$work/names.fa"
store names --duplicate-names "$work/names.fa"
printf 'b\t0\t5\nb\t1\t6\na\t0\t5\n' > "$work/names.bed"
refused 1 "names.bed: line 3: two sequences are named a: numbers 0 and 2, counted from 0" --bases 5 \
    --regions "$work/names.bed" "$work/names.bst"
printf 'b\na\n' > "$work/names.list"
refused 1 "names.list: line 2: two sequences are named a: numbers 0 and 2, counted from 0" --grid 5 \
    --sequences "$work/names.list" "$work/names.bst"
sed 2q "$work/names.bed" > "$work/once.bed"
run --bases 5 --regions "$work/once.bed" "$work/names.bst"
check "the name of one sequence" ends 0 ''
run --grid 8 "$work/names.bst"
check "all sequences, whose names are not asked for" test "$(echo "$sums" | cut -f 3)" = "rows 3"
# Resume states.
run --bases 150 --rows 20 --stop-after 1 --state-file "$work/text.state" "$text"
run --bases 150 --rows 20 --stop-after 1 --state-file "$work/store.state" "$work/few.bst"
check "a state of a store" test -s "$work/store.state"
refused 2 "the state of --resume is of text, and this has stores" --bases 150 --rows 20 --resume "$work/text.state" "$work/few.bst"
refused 2 "the state of --resume is of stores, and this has text" --bases 150 --rows 20 --resume "$work/store.state" "$text"
refused 2 "the state of --resume was made with other flags" --bases 150 --rows 20 --order exact --resume "$work/store.state" \
    "$work/few.bst"
run --grid 50 --regions.stride 25 "$work/few.bst"
apart=$(grep '^epoch' "$work/out" | cut -f 1-4)
run --grid 50:25 "$work/few.bst"
check "a stride said apart" test "$(grep '^epoch' "$work/out" | cut -f 1-4)" = "${apart:-none}"
printf '>s\nAAA\n' > "$work/three.fa"
printf '>t\nAAAAAAAAA\n' > "$work/nine.fa"
store lengths "$work/three.fa" "$work/nine.fa"
refused 1 "store: input 2, record 1: the record has 9 bases, --bases is 4" --bases 4 "$work/lengths.bst"
mkdir "$work/taken"
: > "$work/taken/file"
run --grid 50 --segments "$work/taken/file" "$work/few.bst"
check "segments in a file" ends 1 "taken/file/X.npy cannot be written"
check "and that is said once" test "$(grep -c "cannot be written" "$work/err")" = 1
refused 2 "few.bst: this is an input" --bases 150 --state-file "$work/few.bst" "$work/few.bst"
refused 2 "once.bed: this is an input" --bases 5 --regions "$work/once.bed" --state-file "$work/once.bed" "$work/names.bst"
refused 2 "once.bed: this is an input" --bases 5 --group g "$work/names.bst" --regions "g=$work/once.bed" \
    --state-file "$work/once.bed"
refused 2 "names.list: this is an input" --grid 5 --sequences "$work/names.list" --state-file "$work/names.list" \
    "$work/names.bst"
check "lists and intervals are there as before" test "$(cat "$work/names.list")" = "b
a"
run --bases 150 --rows 20 --resume "$work/store.state" "$work/few.bst"
check "a store goes on" test "$(grep '^epoch' "$work/out" | cut -f 2,3,7)" = "batches 4${tab}rows 80${tab}from 1"
# No row is left.
run --grid 5 --min-length 1000 "$small"
check "no row is left" ends 1 "--min-length and --max-length"

# -- segments ---------------------------------------------------------------------------------------

refused 2 "segments writes regions of a store" --segments "$work/s" "$small"
refused 2 "segments writes one whole epoch" --segments "$work/s" --grid 5 --epochs 2 "$small"
refused 2 "segments writes one whole epoch" --segments "$work/s" --grid 5 --resume "$work/store.state" "$small"
refused 1 "none/s cannot be made a folder" --segments "$work/none/s" --grid 5 "$small"
printf '>a_long_name_of_letters\nACGT\n' > "$work/long.fa"
store long "$work/long.fa"
run --segments "$work/s" --grid 5 --name_bytes 4 "$work/long.bst"
check "a name that would be cut" ends 1 "a_lon is longer than the names in seqids.npy can be"
check "and nothing was left" test ! -e "$work/s"
refused 2 "the stride of --grid is over --bases" --segments "$work/s" --grid 5:6 "$small"
check "nothing after a desc that is refused" test ! -e "$work/s"
run --segments "$work/s" --grid 5 --min-length 1000 "$small"
check "nothing where no row is left" test ! -e "$work/s"
mkdir "$work/there"
refused 2 "the stride of --grid is over --bases" --segments "$work/there" --grid 5:6 "$small"
check "a folder that was there stays" test -d "$work/there"
run --npy "$work/s" --grid 5 --min-length 1000 "$small"
check "nor is one of --npy" test ! -e "$work/s"
run --segments "$work/s" --grid 5 "$work/long.bst"
check "names as long as they are" grep -q "|S22" "$work/s/seqids.npy"
check "three files" test "$(find "$work/s" -type f | wc -l)" = 3

# -- windows longer than any record, and lists of pairs -------------------------------------------------

printf '@s1\nACGTAC\n+\nIIIIII\n@s2\nACGT\n+\nIIII\n' > "$work/short.fq"
store short "$work/short.fq"
run --batch-tokens 3000 --max-bases 300 --encode tokens --dtype i32 --kmer 8 "$work/short.bst"
check "two rows without a column of their own" grep -q '	rows 2	' "$work/out"
run --batch-tokens 24 --encode tokens --dtype i32 --kmer 3 --kmer-ids 1,65 "$work/short.bst"
check "two windows of 3 and one, in rows of 8" grep -q '	padding 81.25 %$' "$work/out" # 13 of 16
printf '@a/1\nAC\n+\nII\n@b/1\nGG\n+\nII\n' > "$work/r1.fq"
printf '@a/2\nGT\n+\nII\n@b/2\nCC\n+\nII\n' > "$work/r2.fq"
"$dir/fxstore" --mates "$work/r1.fq" "$work/r2.fq" -o "$work/two.bst" > "$work/out"
printf 'b/2\nb/1\n0\n' > "$work/pairs.txt"
run --records "$work/pairs.txt" --mates --names name --npy "$work/listed" --overwrite "$work/two.bst"
check "pairs by the name of either mate" test "$(tr '\n' ' ' < "$work/listed/epoch0_batch000000_names.txt" | sed 's/ *$//')" = "b/1 b/2 b/1 b/2 a/1 a/2"

# -- the definition -------------------------------------------------------------------------------------

if command -v python3 > /dev/null 2>&1; then
    python3 tests/oracle_store.py "$dir/fxbatch" > "$work/out" 2> "$work/err"
    check "rows as the oracle has them" test $? = 0
else
    skip python3
fi

finish
