#!/bin/sh
# test_tools.sh DIR - fxbatch and fxtrain in DIR, as whole programs: flags, exit codes, bad data, equal
# digests, ranks, resume, tails, standard input. Expected counts come from awk over the text, digests from other
# runs that must agree. What fxunzip writes is in test_fxunzip.sh.
# Ends with `N passed, N failed`.
set -u
dir=$1
data=examples/data
work=$dir/test_tools
rm -rf "$work"
mkdir -p "$work"
passed=0
failed=0
skipped=0
reads=$data/illumina_hiseqx_150bp.fastq.gz
tab=$(printf '\t')

# check WHAT COMMAND...: one result.
check() {
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $what"
        sed 's/^/    out: /' "$work/out"
        sed 's/^/    err: /' "$work/err"
    fi
}

# run ARGUMENTS...: fxbatch; what it prints in out and err, its exit code in $code, the fields of the last
# epoch's line in variables.
run() {
    "$dir/fxbatch" "$@" > "$work/out" 2> "$work/err"
    code=$?
    last=$(grep '^epoch' "$work/out" | tail -n 1)
    epoch=$(echo "$last" | cut -f 1)
    batches=$(echo "$last" | cut -f 2)
    rows=$(echo "$last" | cut -f 3)
    digest=$(echo "$last" | cut -f 4)
    digest=${digest#digest }
    from=$(echo "$last" | cut -f 6)
}

# ends CODE WORDS: the exit code, and WORDS (a basic regular expression) on standard error; '' for nothing.
ends() {
    test "$code" = "$1" || return 1
    if test -n "$2"; then grep -q -e "$2" "$work/err"; else test ! -s "$work/err"; fi
}

# sum HEX...: modulo 2^64, in four parts of 16 bits, which every awk can add exactly.
sum() {
    printf '%s\n' "$@" | awk '
        { for (p = 0; p < 4; ++p) {
              value = 0
              for (i = 0; i < 4; ++i)
                  value = value * 16 + index("0123456789abcdef", substr($1, 13 - 4 * p + i, 1)) - 1
              total[p] += value } }
        END { for (p = 0; p < 3; ++p) { total[p + 1] += int(total[p] / 65536); total[p] %= 65536 }
              printf "%04x%04x%04x%04x\n", total[3] % 65536, total[2], total[1], total[0] }'
}

prints() { "$@" > "$work/out" 2> "$work/err"; code=$?; }
: > "$work/out"
: > "$work/err"

check "sum carries" test "$(sum ffffffffffffffff 0000000000000002)" = 0000000000000001
check "sum of parts" test "$(sum 00000000ffff0001 0123456789abcdef)" = 0123456889aacdf0

# -- flags and exit codes ------------------------------------------------------------------------

for tool in fxbatch fxtrain fxunzip; do
    prints "$dir/$tool" --help
    check "$tool --help ends with 0" ends 0 ""
    check "$tool --help shows the usage" grep -q "^usage: $tool " "$work/out"
    check "$tool --help tells of standard input" grep -q 'standard input' "$work/out"
    prints "$dir/$tool" -h
    check "$tool -h too" grep -q "^usage: $tool " "$work/out"
    prints "$dir/$tool" --version
    check "$tool --version" test "$(cat "$work/out")" = "$tool $(sh tests/version.sh)"
    prints "$dir/$tool"
    check "$tool without files is wrong usage" ends 2 "^usage: $tool "
    prints "$dir/$tool" --nonsense "$reads"
    check "$tool with an unknown flag" ends 2 "unknown flag --nonsense"
    check "$tool says it on standard error only" test ! -s "$work/out"
    if test -c /dev/full; then
        for flag in --help -h --version; do
            "$dir/$tool" $flag > /dev/full 2> "$work/err"
            code=$?
            check "$tool $flag on a full disk" ends 1 "^$tool: standard output cannot be written"
        done
    fi
done
for flag in --rows --bases --long --encode --dtype --workers --seed --epochs --shuffle --rank --world \
    --tail --rc --mutate --min-length --min-quality --stop-after --token-file --resume; do
    run --help
    check "--help names $flag" grep -q -e "^  $flag " "$work/out"
    run "$reads" "$flag"
    check "$flag without a value" ends 2 "a value must follow $flag"
done
run -x "$reads"
check "an unknown short flag" ends 2 "unknown flag -x"
for wrong in --rows=0 --rows=1048577 --rows=1k --rows=-1 --rows= --rows=99999999999999999999 \
    --workers=257 --rc=2 --rc=nan --rc=. --long=cut --encode=one --dtype=f64 --tail=cut --epochs=0 \
    --no-digest=1; do
    run "$wrong" --bases 150 "$reads"
    check "$wrong is refused" ends 2 "${wrong%%=*}"
done
run --world 3 --bases 150 "$reads"
check "world must divide batch_rows" ends 2 "world.*batch_rows\|batch_rows.*world"
run --dtype f32 --encode tokens --bases 150 "$reads"
check "tokens are u8" ends 2 dtype
run "$work/no_such_file.fastq"
check "a missing file is bad data" ends 1 "no_such_file.fastq"
check "and nothing was printed" test ! -s "$work/out"
run "$data"
check "a directory is bad data" ends 1 directory
run --resume "$work/no_such_token" "$reads"
check "a missing token file" ends 1 "no_such_token cannot be read"
: > "$work/empty.token"
run --bases 150 --resume "$work/empty.token" "$reads"
check "an empty token file" ends 1 "empty.token is empty"
check "and nothing was printed for it" test ! -s "$work/out"
echo "no token" > "$work/bad.token"
run --bases 150 --resume "$work/bad.token" "$reads"
check "a file that is no token" ends 1 token
run --token-file "$work/no/such/folder" --bases 150 "$reads"
check "a token that cannot be written" ends 1 "cannot be written"
run --bases=150 -- "$reads"
check "--name=value and --" ends 0 ""

# -- one plain run -------------------------------------------------------------------------------

run --bases 150 --rows 256 "$reads"
whole=$digest
check "a plain run" ends 0 ""
check "prints the shapes first" grep -q '\[256\]\[150\]\[4\]' "$work/out"
check "its epoch" test "$epoch,$batches,$rows,$from" = "epoch 0,batches 40,rows 10000,"
check "its digest has 16 digits" test "$(echo "$digest" | grep -c '^[0-9a-f]\{16\}$')" = 1
check "its line has five fields" test \
    "$(echo "$last" | awk -F '\t' '{ print NF, $5 ~ /^MB\/s [0-9.]+$/ }')" = "5 1"
# The sum over all rows of XXH64(600 one-hot bytes, length i32, id i64, piece u32, start i64), each seeded with
# XXH64(epoch u64, batch u64, row u64), computed by a separate program in Python that shares no code with ours.
check "its digest" test "$digest" = 9fd7e04cdb4a8936
run --bases 150 --no-digest "$reads"
check "--no-digest" test "$digest,$rows" = "0000000000000000,rows 10000"
run --bases 150 --epochs 3 --shuffle 1000 "$reads"
check "three epochs" test "$(grep -c '^epoch' "$work/out"),$epoch" = "3,epoch 2"
check "differ when shuffled" test "$(grep '^epoch' "$work/out" | cut -f 4 | sort -u | wc -l)" -eq 3
run --bases 150 --seed 1 --shuffle 1000 "$reads"
one=$digest
run --bases 150 --seed 2 --shuffle 1000 "$reads"
check "the seed counts" test "$one" != "$digest"
run "$reads"
check "without --bases too" ends 0 ""
check "without --bases all rows come" test "$rows" = "rows 10000"

# Filters and pieces, counted by awk over the same text.
if command -v gzip > /dev/null 2>&1; then
    text=$work/reads.fastq
    gzip -dc "$reads" > "$text"
    want=$(awk 'BEGIN { for (i = 33; i < 127; ++i) phred[sprintf("%c", i)] = i - 33 }
                NR % 4 == 0 { n = length($0); s = 0; for (i = 1; i <= n; ++i) s += phred[substr($0, i, 1)]
                              if (s >= 38 * n) ++kept }
                END { print kept + 0 }' "$text")
    run --bases 150 --min-quality 38 "$reads"
    check "--min-quality 38 keeps $want" test "$rows" = "rows $want"
    run --bases 150 "$text"
    check "plain text gives the same digest" test "$digest" = "$whole"
else
    echo "skipped: gzip"
    skipped=$((skipped + 1))
    text=
fi
run --bases 150 --min-length 151 "$reads"
check "--min-length 151 keeps none" test "$code,$batches,$rows" = "0,batches 0,rows 0"
run --bases 100 "$reads"
check "--long fail" ends 1 "record 1 .*150 bases.*row_bases"
run --bases 100 --long split "$reads"
check "--long split" test "$code,$rows" = "0,rows 20000"

# -- the same batches ----------------------------------------------------------------------------

set -- --bases 150 --shuffle 1000 --rc 0.5 --mutate 0.01 --seed 7 --encode onehot --dtype f16
run "$@" "$reads"
mixed=$digest
check "augmented batches are others" test "$code" = 0 -a "$mixed" != "$whole"
for workers in 1 2 3 8; do
    run "$@" --workers $workers "$reads"
    check "$workers workers give the same digest" test "$digest" = "$mixed"
done
run "$@" --workers 2 $data/illumina_hiseqx_150bp.bgzf.fastq.gz
check "BGZF gives the same digest" test "$digest" = "$mixed"
if sh $data/multimember.sh "$reads" "$work/multimember.fastq.gz" 2> /dev/null; then
    run "$@" --workers 2 "$work/multimember.fastq.gz"
    check "ten members give the same digest" test "$digest" = "$mixed"
else
    echo "skipped: gzip and split"
    skipped=$((skipped + 1))
fi

# -- ranks ---------------------------------------------------------------------------------------

for world in 2 4; do
    digests=''
    counts=''
    all_rows=0
    rank=0
    while test $rank -lt $world; do
        run "$@" --rank $rank --world $world "$reads"
        digests="$digests $digest"
        all_rows=$((all_rows + ${rows#rows }))
        counts="$counts${batches#batches } "
        rank=$((rank + 1))
    done
    # shellcheck disable=SC2086
    check "digests of $world ranks add up" test "$(sum $digests)" = "$mixed"
    check "rows of $world ranks add up" test $all_rows = 10000
    # shellcheck disable=SC2086
    check "all $world ranks have the same batches" test "$(printf '%s\n' $counts | sort -u)" = 40
done

# -- stop and resume -----------------------------------------------------------------------------

for stop in 1 17 39; do
    run "$@" --stop-after $stop --token-file "$work/token" "$reads"
    before=$digest
    check "stop after $stop" test "$code,$batches,$rows" = "0,batches $stop,rows $((stop * 256))"
    check "no half-written token is left" test ! -e "$work/token.part"
    run "$@" --workers 3 --resume "$work/token" "$reads"
    check "resume behind $stop" test "$code,$batches,$from" = "0,batches $((40 - stop)),from $stop"
    check "digest before and after $stop" test "$(sum "$before" "$digest")" = "$mixed"
done
run "$@" --token-file "$work/token" "$reads"
run "$@" --resume "$work/token" "$reads"
check "resume at the end of an epoch delivers nothing" test "$code,$batches,$digest" = \
    "0,batches 0,0000000000000000"
run "$@" --epochs 2 "$reads"
second=$digest
run "$@" --epochs 2 --resume "$work/token" "$reads"
check "then comes the next epoch, whole" test "$epoch,$digest,$from" = "epoch 1,$second,"
run "$@" --epochs 2 --stop-after 50 --token-file "$work/token" "$reads"
before=$digest
check "--stop-after counts over epochs" test "$epoch,$batches" = "epoch 1,batches 10"
run "$@" --epochs 2 --resume "$work/token" "$reads"
check "resume in epoch 1" test "$epoch,$(sum "$before" "$digest"),$from" = "epoch 1,$second,from 10"
check "prints that epoch only" test "$(grep -c '^epoch' "$work/out")" = 1
digests=''
for rank in 0 1; do
    run "$@" --epochs 2 --resume "$work/token" --rank $rank --world 2 "$reads"
    digests="$digests $digest"
done
# shellcheck disable=SC2086
check "two ranks resume the token of one" test "$(sum "$before" $digests)" = "$second"
run "$@" --seed 8 --resume "$work/token" "$reads"
check "a token of another seed is refused" ends 2 token
run "$@" --resume "$work/token" $data/illumina_hiseqx_150bp.bgzf.fastq.gz
check "a token of another file is refused" ends 1 token

dd if="$reads" of="$work/cut.fastq.gz" bs=1000 count=400 2> /dev/null

# -- standard input ------------------------------------------------------------------------------

input() { "$dir/fxbatch" "$@" > "$work/out" 2> "$work/err"; code=$?; last=$(grep '^epoch' "$work/out"); }
for file in "$reads" $data/illumina_hiseqx_150bp.bgzf.fastq.gz; do
    # shellcheck disable=SC2002
    code=$(cat "$file" | "$dir/fxbatch" --bases 150 - > "$work/out" 2> "$work/err"; echo $?)
    check "$(basename "$file") from a pipe" ends 0 ""
    check "gives the same batches" test "$(grep '^epoch' "$work/out" | cut -f 2-4)" = \
        "batches 40${tab}rows 10000${tab}digest $whole"
    input --bases 150 --workers 3 - < "$file"
    check "$(basename "$file") as standard input" ends 0 ""
    check "gives the same batches too" test "$(echo "$last" | cut -f 4)" = "digest $whole"
done
input --bases 150 - < "$work/cut.fastq.gz"
check "a truncated standard input" ends 1 "standard input: .*ends inside a gzip member"
input --bases 150 - < /dev/null
check "nothing on standard input" test "$code,$(echo "$last" | cut -f 2)" = "0,batches 0"
input --bases 150 --epochs 2 - < "$reads"
check "standard input is for one epoch" ends 2 "standard input.*--epochs must be 1"
input --bases 150 --token-file "$work/no.token" - < "$reads"
check "standard input gives no tokens" ends 2 "standard input.*no tokens"
input --bases 150 --resume "$work/token" - < "$reads"
check "standard input takes no tokens" ends 2 "standard input.*no tokens"
input --bases 150 - "$reads" < "$reads"
check "standard input comes alone" ends 2 "standard input.*only file"
input --bases 150 - - < "$reads"
check "and once" ends 2 "standard input.*only file"

# -- tails: 10000 = 39 x 256 + 16 ----------------------------------------------------------------

run --bases 150 --tail pad "$reads"
check "--tail pad" test "$batches,$rows,$digest" = "batches 40,rows 10000,$whole"
run --bases 150 --tail short "$reads"
check "--tail short" test "$batches,$rows,$digest" = "batches 40,rows 10000,$whole"
run --bases 150 --tail drop "$reads"
check "--tail drop" test "$batches,$rows" = "batches 39,rows 9984"

# -- bad data ------------------------------------------------------------------------------------

run --bases 150 --token-file "$work/cut.token" "$work/cut.fastq.gz"
check "a truncated file is bad data" ends 1 "cut.fastq.gz: .*ends inside a gzip member"
check "what comes before is delivered" test "${rows#rows }" -gt 4000 -a "${rows#rows }" -lt 5000
check "the token is left at an error too" test -s "$work/cut.token"
cut=$digest
run --bases 150 --workers 3 "$work/cut.fastq.gz"
check "as much with three workers" test "$code,$digest" = "1,$cut"
if test -n "$text"; then
    awk 'NR == 4000 { $0 = substr($0, 2) } { print }' "$text" > "$work/bad.fastq"
    run --bases 150 --tail drop "$work/bad.fastq"
    # The fault shows where the next title stands in the place of the missing character.
    check "a short quality" ends 1 \
        "bad.fastq: record 1000 (line 4001, .*): quality has 149 characters, sequence has 150"
    check "999 records come before it" test "$batches,$rows" = "batches 4,rows 999"
    head -n 3996 "$text" > "$work/good.fastq"
    bad=$digest
    run --bases 150 "$work/good.fastq"
    check "the same as if the file ended there" test "$code,$digest" = "0,$bad"
    awk 'NR == 4000 { $0 = $0 "I" } { print }' "$text" > "$work/bad.fastq"
    run --bases 150 --tail drop "$work/bad.fastq"
    check "a long quality" ends 1 \
        "bad.fastq: record 1000 (line 4000, .*): quality has 151 characters, sequence has 150"
    check "gives the same rows" test "$digest" = "$bad"
fi
: > "$work/empty.fastq"
run "$work/empty.fastq"
check "an empty file is fine" test "$code,$batches" = "0,batches 0"
run --bases 150 --min-quality 20 $data/ecoli_536_genome.fasta.gz
check "qualities of FASTA" ends 2 min_mean_quality
run --bases 150 --long split "$reads" $data/ecoli_536_genome.fasta.gz
check "FASTQ and FASTA together" ends 1 "FASTA"

# A reader that goes away is no error: no words, exit 0.
{ "$dir/fxbatch" --bases 150 --epochs 3000 "$data/tenx_v2_R2_cdna.fastq.gz" 2> "$work/err"
  echo $? > "$work/code"; } | head -n 1 > "$work/out"
check "a closed pipe" test "$(cat "$work/code"),$(wc -c < "$work/err" | tr -d ' ')" = "0,0"

# -- fxtrain -------------------------------------------------------------------------------------

ecoli=$data/ecoli_536_genome.fasta.gz
human=$data/human_hg18_chrM_chr20part.bgzf.fasta.gz
# ACCURACY of the last epoch in out.
accuracy() { sed -n 's/.*held-out accuracy \([0-9.]*\).*/\1/p' "$work/out" | tail -n 1; }
above() { awk -v a="$(accuracy)" -v b="$1" 'BEGIN { exit !(a >= b) }'; }
below() { awk -v a="$(accuracy)" -v b="$1" 'BEGIN { exit !(a < b) }'; }
prints "$dir/fxtrain" --epochs 2 $ecoli $human
check "fxtrain ends with 0" ends 0 ""
check "tells E. coli from human" above 0.95
check "prints the chance level" grep -q 'chance level.0\.5' "$work/out"
prints "$dir/fxtrain" --epochs 1 --kmer 1 $ecoli $human
check "composition alone tells less" below 0.95
prints "$dir/fxtrain" --epochs 1 --workers 1 "$reads" $human
check "FASTQ against FASTA" ends 0 ""
cut -f 1-3 "$work/out" > "$work/first"
prints "$dir/fxtrain" --epochs 1 --workers 3 "$reads" $human
cut -f 1-3 "$work/out" > "$work/second"
check "three workers learn the same" cmp -s "$work/first" "$work/second"
# Nothing to learn: one file against itself scores near 0.5, because the same rows carry both labels.
prints "$dir/fxtrain" --epochs 1 "$human" "$human"
check "a file against itself" below 0.6
prints "$dir/fxtrain" "$work/empty.fastq" $human
check "fxtrain needs rows" ends 1 "empty.fastq has too few rows"
prints "$dir/fxtrain" "$work/cut.fastq.gz" $human
check "fxtrain on a truncated file" ends 1 "ends inside a gzip member"
"$dir/fxtrain" --epochs 1 --workers 2 "$reads" - < $human > "$work/out" 2> "$work/err"
code=$?
check "fxtrain with a file on standard input" ends 0 ""
tail -n +3 "$work/out" | cut -f 1-3 > "$work/second"
tail -n +3 "$work/first" | cmp -s - "$work/second"
check "learns the same" test $? = 0
"$dir/fxtrain" - $human < "$work/empty.fastq" > "$work/out" 2> "$work/err"
code=$?
check "fxtrain needs rows on standard input too" ends 1 "too few rows"
"$dir/fxtrain" - - < $human > "$work/out" 2> "$work/err"
code=$?
check "one file can be standard input" ends 2 "only one of the files"
prints "$dir/fxtrain" $ecoli
check "fxtrain wants two files" ends 2 "two files"

note=
test $skipped = 0 || note=", $skipped skipped"
echo "$passed passed, $failed failed$note"
test $failed = 0
