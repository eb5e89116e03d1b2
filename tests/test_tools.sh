#!/bin/sh
# test_tools.sh DIR - fxbatch and fxtrain in DIR, as whole programs: flags, exit codes, bad data, equal
# digests, ranks, resume, tails, standard input, encodings, filters, crops, .npy files. Expected counts and rows come
# from awk over the text or are written out by hand, digests from other runs that must agree. What fxunzip writes is
# in test_fxunzip.sh, what fxindex does and the flags of others that take indexes in test_fxindex.sh.
# Ends with `N passed, N failed`.
# needs: nothing
. tests/shell.sh
reads=$data/illumina_hiseqx_150bp.fastq.gz

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
    from=$(echo "$last" | cut -f 7)
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

for tool in fxbatch fxtrain fxunzip fxindex; do
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
run --help
cp "$work/out" "$work/help"
for flag in --rows --bases --max-bases --pad-multiple --long --stride --tail --encode --dtype --layout --channels --n \
    --lower --pad-value --pad-side --quality --mask-dtype --min-length --max-length --min-quality --max-error \
    --min-base-quality --max-n --subsample --split --split-strip --max-record --first --every --skip-bad --crop --rc \
    --mutate --inject-n --shuffle --seed --epochs --rank --world --workers --slots --stop-after --state-file --resume \
    --index --npy --frames --group --label --label-dtype --label-values --epoch-end --epoch-rows --open-files \
    --order --grid --sequences --records --store-in --regions --label-column --strands --fit --jitter --edge --minus-pad --max-region-n --max-lower \
    --max-other --segments; do
    check "--help names $flag" grep -q -e "^  $flag " "$work/help"
    run "$reads" "$flag"
    check "$flag without a value" ends 2 "a value must follow $flag"
done
run -x "$reads"
check "an unknown short flag" ends 2 "unknown flag -x"
for wrong in --rows=1048577 --rows=1k --rows=-1 --rows= --rows=99999999999999999999 \
    --workers=257 --rc=2 --rc=nan --rc=. --long=cut --encode=one --dtype=f64 --tail=cut \
    --no-digest=1 --layout=lcn --n=half --lower=upper --quality=sum --pad-side=both --slots=1025 --pad-value=1.5 \
    --pad-value=-2147483649 --pad-value=2147483648 --pad-value=- --pad-multiple=4097 --max-n=1.1 --max-error=-1 \
    --min-base-quality=94 --inject-n=1e-3 --subsample=0 --subsample=1.5 --subsample=0.5:0.5 \
    --subsample=0.5: --subsample=a:1 --split=0.9 --split=1:0.9 --split=1:0.5:0.5 --split=1:0:2 --split=-1:0:1 \
    --split=1:0:1:name --split=1:0:1:by=x --split=1:0:1:by=name,2 --split=1:0:1:by=field --split=1:0:1:by=field,0 \
    --split=1:0:1:by=field,2,:: --split=1:0:1:by=block --split=1:0:1:by=block,x --split=1:0:1:by=none \
    --split-strip=1234567 --max-record=2147483648 --mask=1 --mask-dtype=f64 --filter.max_n_fraction=2; do
    run "$wrong" --bases 150 "$reads"
    check "$wrong is refused" ends 2 "${wrong%%=*}"
done
run --world 3 --bases 150 "$reads"
check "world must divide batch_rows" ends 2 "--world does not divide --rows"
run --dtype f32 --encode tokens --bases 150 "$reads"
check "tokens are u8" ends 2 dtype
run --mask-dtype f16 --mask --bases 150 "$reads"
check "a mask is u8 or f32" ends 2 "--mask-dtype is none of"
run --split-strip _ --bases 150 "$reads"
check "--split-strip needs --split" ends 2 "what is said of a split needs --split"
run --dtype bf61 "$reads"
check "a word that is nearly right" ends 2 "--dtype is .bf61., not one of .*: did you mean bf16"
run --quality error --quality-in-x --bases 150 "$reads"
check "no chances in u8" ends 2 "--quality.*--dtype"
run --mask-in-x --bases 150 "$reads"
check "--mask-in-x needs --mask" ends 2 "--mask-in-x needs --mask"
# What cannot be is refused before anything is printed, with the names of both fields.
refused() {
    words=$1
    shift
    run "$@" "$reads"
    check "$* is refused" ends 2 "$words"
    check "and nothing was printed for $*" test ! -s "$work/out"
}
refused '--n asks for fractions, and --dtype' --bases 150 --n iupac
refused '--n asks for fractions, and --channels' --bases 150 --n n --dtype f32 --channels ABCD
refused '--encode is onehot, and --dtype' --bases 150 --dtype i32
refused '--encode is tokens, and --layout' --bases 150 --encode tokens --layout ncl
refused '--encode is tokens, and --channels' --bases 150 --encode tokens --channels ACGT
refused '--encode is tokens, and --n ' --bases 150 --encode tokens --n n
refused '--encode is tokens, and --lower' --bases 150 --encode tokens --lower channel
refused channels --bases 150 --channels ACCT
refused channels --bases 150 --channels acgt
refused '--dtype is u8, and --pad-value' --bases 150 --pad-value=-1
refused '--crop is over --bases' --bases 150 --crop 151
refused '--crop and --long split' --bases 150 --crop 100 --long split
refused '--long is split, which needs --bases' --long split
refused '--stride is over --bases' --bases 100 --long split --stride 101
refused 'digest.*no-digest' --bases 150 --digest --no-digest
run --bases 150 --long split --quality phred $data/ecoli_536_genome.fasta.gz
check "--quality of FASTA is refused" ends 2 "ecoli_536_genome.fasta.gz: .*--quality needs.*FASTA"
run "$work/no_such_file.fastq"
check "a missing file is bad data" ends 1 "no_such_file.fastq"
check "and nothing was printed" test ! -s "$work/out"
run "$data"
check "a directory is bad data" ends 1 directory
run --resume "$work/no_such_state" "$reads"
check "a missing state file" ends 1 "no_such_state cannot be read"
: > "$work/empty.state"
run --bases 150 --resume "$work/empty.state" "$reads"
check "an empty state file" ends 1 "empty.state is empty"
check "and nothing was printed for it" test ! -s "$work/out"
echo "no resume state" > "$work/bad.state"
run --bases 150 --resume "$work/bad.state" "$reads"
check "a file that is no resume state" ends 1 "resume state\|the state of --resume"
run --state-file "$work/no/such/folder" --bases 150 "$reads"
check "a resume state that cannot be written" ends 1 "cannot be written"
run --bases=150 -- "$reads"
check "--name=value and --" ends 0 ""

# -- one plain run -------------------------------------------------------------------------------

run --bases 150 --rows 256 "$reads"
whole=$digest
check "a plain run" ends 0 ""
check "prints the shapes first" grep -q '\[256\]\[150\]\[4\]' "$work/out"
check "its epoch" test "$epoch,$batches,$rows,$from" = "epoch 0,batches 40,rows 10000,"
check "its digest has 16 digits" test "$(echo "$digest" | grep -c '^[0-9a-f]\{16\}$')" = 1
check "its line has six fields" test \
    "$(echo "$last" | awk -F '\t' '{ print NF, $5 ~ /^MB\/s [0-9.]+$/ }')" = "6 1"
# Of 40 x 256 rows 240 are empty; all others are full.
check "what of it is padding" test "$(echo "$last" | cut -f 6)" = "padding 2.34 %"
# The sum over all rows of XXH64(600 one-hot bytes, length i32, id i64, piece u32, start i64), each seeded with
# XXH64(epoch u64, batch u64, row u64), computed by a separate program in Python that shares no code with ours.
check "its digest" test "$digest" = 9fd7e04cdb4a8936
run --bases 150 --no-digest "$reads"
check "--no-digest" test "$digest,$rows" = "0000000000000000,rows 10000"
run --bases 150 --digest "$reads"
check "--digest is the default" test "$digest" = "$whole"
gzip -dc "$reads" > "$work/plain.fastq"
run --bases 150 --map "$work/plain.fastq"
check "--map changes no batch" test "$digest" = "$whole"
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
run --bases 150 --min-length 151 --allow-no-rows "$reads"
check "--min-length 151 keeps none" test "$code,$batches,$rows" = "0,batches 0,rows 0"
run --bases 100 "$reads"
check "--long fail" ends 1 "record 1 .*150 bases.*--bases"
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
    run "$@" --stop-after $stop --state-file "$work/state" "$reads"
    before=$digest
    check "stop after $stop" test "$code,$batches,$rows" = "0,batches $stop,rows $((stop * 256))"
    check "no half-written resume state is left" test "$(echo "$work"/state.*)" = "$work/state.*"
    run "$@" --workers 3 --resume "$work/state" "$reads"
    check "resume after $stop" test "$code,$batches,$from" = "0,batches $((40 - stop)),from $stop"
    check "digest before and after $stop" test "$(sum "$before" "$digest")" = "$mixed"
done
run "$@" --state-file "$work/state" "$reads"
run "$@" --resume "$work/state" "$reads"
check "resume at the end of an epoch delivers nothing" test "$code,$batches,$digest" = \
    "0,batches 0,0000000000000000"
run "$@" --epochs 2 "$reads"
second=$digest
run "$@" --epochs 2 --resume "$work/state" "$reads"
check "then comes the next epoch, whole" test "$epoch,$digest,$from" = "epoch 1,$second,"
run "$@" --epochs 2 --stop-after 50 --state-file "$work/state" "$reads"
before=$digest
check "--stop-after counts over epochs" test "$epoch,$batches" = "epoch 1,batches 10"
run "$@" --epochs 2 --resume "$work/state" "$reads"
check "resume in epoch 1" test "$epoch,$(sum "$before" "$digest"),$from" = "epoch 1,$second,from 10"
check "prints that epoch only" test "$(grep -c '^epoch' "$work/out")" = 1
digests=''
for rank in 0 1; do
    run "$@" --epochs 2 --resume "$work/state" --rank $rank --world 2 "$reads"
    digests="$digests $digest"
done
# shellcheck disable=SC2086
check "two ranks resume the resume state of one" test "$(sum "$before" $digests)" = "$second"
run "$@" --seed 8 --resume "$work/state" "$reads"
check "a resume state of another seed is refused" ends 2 "resume state\|the state of --resume"
run "$@" --resume "$work/state" $data/illumina_hiseqx_150bp.bgzf.fastq.gz
check "a resume state of another file is refused" ends 1 "resume state\|the state of --resume"

# -- .npy files: what tensors hold, written out by hand ---------------------------------------------

# TEST_ORDER=big: the tools run by an emulator of a big-endian processor. Otherwise their order is that of od.
endian=
test "${TEST_ORDER:-}" != big || endian=--endian=big

# values FILE TYPE WIDTH: the numbers of DIR/FILE.npy of the run before, as od prints TYPE, WIDTH a line. The header
# says at its bytes 8 and 9 how long it is.
npy=$work/npy
values() {
    test -f "$npy/$1.npy" || return
    from=$(od -An -tu1 -j8 -N2 "$npy/$1.npy" | awk '{ print 10 + $1 + 256 * $2 }')
    # shellcheck disable=SC2086
    od $endian -An -v "-t$2" -j "$from" "$npy/$1.npy" | tr -s ' ' '\n' |
        awk -v width="$3" 'NF { printf "%s%s", $1, ++count % width ? " " : "\n" }'
}
# header FILE: the words of the header, without the blanks and the line end that fill it up.
header() {
    test -f "$npy/$1.npy" || return
    dd if="$npy/$1.npy" bs=1 skip=10 count="$(od -An -tu1 -j8 -N2 "$npy/$1.npy" | awk '{ print $1 + 256 * $2 }')" \
        2> /dev/null | tr -s ' \n' ' ' | sed 's/ $//'
}
# holds NAME TYPE VALUES...: tensor NAME of the only batch is exactly these.
holds() {
    got=$(values "epoch0_batch000000_$1" "$2" 1 | tr '\n' ' ')
    got="$1 $2 ${got% }"
    test "$got" = "$(echo "$*" | tr -s ' ')" || { echo "$got" >> "$work/err"; return 1; }
}
# bits STRING...: '10 01' as '1 0 0 1'.
bits() { echo "$*" | tr -d ' ' | sed 's/./& /g; s/ $//'; }
# tiny FLAGS...: two reads in rows of 6 columns into .npy files.
tiny() {
    rm -rf "$npy"
    run --bases 6 --rows 2 --npy "$npy" "$@" "$work/tiny.fastq"
    check "fxbatch $*" ends 0 ""
}
printf '@one first\nACGTN\n+\n!+5?I\n@two\naBURy\n+\nIIIII\n' > "$work/tiny.fastq"
order='<'
test "$(printf '\001\000' | od $endian -An -td2 | tr -d ' ')" = 1 || order='>'

tiny --names
check "x, one-hot u8" holds x u1 "$(bits 1000 0100 0010 0001 0000 0000  1000 0000 0001 0000 0000 0000)"
check "its shape is printed" grep -q "^x${tab}\[2\]\[6\]\[4\]${tab}u8${tab}NLC${tab}onehot\$" "$work/out"
check "its header" test "$(header epoch0_batch000000_x)" = \
    "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 6, 4), }"
check "starts with the magic and version 1.0" test \
    "$(od -An -tx1 -N8 "$npy/epoch0_batch000000_x.npy" | tr -d ' ')" = 934e554d50590100
check "the header ends at 128 on a line end" test \
    "$(od -An -tu1 -j8 -N2 "$npy/epoch0_batch000000_x.npy" | awk '{ print $1, $2 }'),$(od -An -tu1 -j127 -N1 \
        "$npy/epoch0_batch000000_x.npy" | tr -d ' ')" = "118 0,10"
check "the file ends with the numbers" test "$(wc -c < "$npy/epoch0_batch000000_x.npy" | tr -d ' ')" = $((128 + 48))
check "lengths" holds lengths d4 5 5
check "their header" test "$(header epoch0_batch000000_lengths)" = \
    "{'descr': '${order}i4', 'fortran_order': False, 'shape': (2,), }"
check "ids" holds ids d8 0 0 0 1 0 0
check "their header" test "$(header epoch0_batch000000_ids)" = \
    "{'descr': '${order}i8', 'fortran_order': False, 'shape': (2, 3), }"
check "names" test "$(cat "$npy/epoch0_batch000000_names.txt")" = "one
two"
check "nothing else is written" test "$(find "$npy" -type f | wc -l | tr -d ' ')" = 4
tiny --layout ncl
check "x, NCL" holds x u1 "$(bits 100000 010000 001000 000100  100000 000000 000000 001000)"
check "the shape of NCL" grep -q "^x${tab}\[2\]\[4\]\[6\]${tab}u8${tab}NCL${tab}onehot\$" "$work/out"
check "the header of NCL" test "$(header epoch0_batch000000_x)" = \
    "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 4, 6), }"
tiny --channels CATG
check "--channels CATG" holds x u1 "$(bits 0100 1000 0001 0010 0000 0000  0100 0000 0010 0000 0000 0000)"
tiny --channels ACGTN
check "--channels ACGTN" holds x u1 \
    "$(bits 10000 01000 00100 00010 00001 00000  10000 00000 00010 00000 00000 00000)"
tiny --lower channel
check "--lower channel" holds x u1 \
    "$(bits 10000 01000 00100 00010 00000 00000  10001 00000 00010 00000 00001 00000)"
check "has a channel more" grep -q "^x${tab}\[2\]\[6\]\[5\]" "$work/out"
tiny --lower n --n n --dtype f16
z='0000 0000 0000 0000'
n='3400 3400 3400 3400'
check "--lower n --n n, f16" holds x x2 "3c00 0000 0000 0000 0000 3c00 0000 0000 0000 0000 3c00 0000 \
    0000 0000 0000 3c00 $n $z  $n $z 0000 0000 0000 3c00 $z $n $z"
check "f16 in numpy's words" test "$(header epoch0_batch000000_x | cut -d , -f 1)" = "{'descr': '${order}f2'"
tiny --n iupac --dtype f32
z='00000000 00000000 00000000 00000000'
n='3e800000 3e800000 3e800000 3e800000'
check "--n iupac, f32" holds x x4 "3f800000 00000000 00000000 00000000 00000000 3f800000 00000000 00000000 \
    00000000 00000000 3f800000 00000000 00000000 00000000 00000000 3f800000 $n $z \
    3f800000 00000000 00000000 00000000 00000000 3eaaaaab 3eaaaaab 3eaaaaab 00000000 00000000 00000000 3f800000 \
    3f000000 00000000 3f000000 00000000 00000000 3f000000 00000000 3f000000 $z"
check "f32 in numpy's words" test "$(header epoch0_batch000000_x | cut -d , -f 1)" = "{'descr': '${order}f4'"
tiny --n helixer --dtype bf16 --channels GTAC
z='0000 0000 0000 0000'
check "--n helixer, bf16, --channels GTAC" holds x x2 "0000 0000 3f80 0000 0000 0000 0000 3f80 3f80 0000 0000 0000 \
    0000 3f80 0000 0000 3e80 3e80 3e80 3e80 $z \
    0000 0000 3f80 0000 3ea9 3ea9 0000 3ea9 0000 3f80 0000 0000 3f00 0000 3f00 0000 0000 3f00 0000 3f00 $z"
check "bf16 is written as u2" test "$(header epoch0_batch000000_x | cut -d , -f 1)" = "{'descr': '${order}u2'"
check "and the shape line says bf16" grep -q "^x${tab}\[2\]\[6\]\[4\]${tab}bf16${tab}" "$work/out"
tiny --encode tokens --pad-value 9 --pad-side left --quality phred --mask
check "tokens, padding 9 on the left" holds x u1 9 1 2 3 4 5 9 1 5 4 5 5
check "--quality phred, on the left too" holds quality u1 0 0 10 20 30 40 0 40 40 40 40 40
check "--mask, on the left too" holds mask u1 0 1 1 1 1 1 0 1 1 1 1 1
check "their shapes are printed" test "$(sed -n 1,3p "$work/out")" = \
    "x${tab}[2][6]${tab}u8${tab}NL${tab}tokens
quality${tab}[2][6]${tab}u8${tab}NL${tab}phred
mask${tab}[2][6]${tab}u8${tab}NL${tab}mask"
tiny --encode tokens --pad-side left --mask --mask-dtype f32
check "--mask-dtype f32" holds mask f4 0 1 1 1 1 1 0 1 1 1 1 1
check "and the shape line says so" grep -q "^mask${tab}\[2\]\[6\]${tab}f32${tab}NL${tab}mask$" "$work/out"
tiny --channels CA --pad-value 9 --pad-side left --quality phred --quality-in-x --mask --mask-in-x
check "--quality-in-x and --mask-in-x" holds x u1 9 9 0 0 0 1 0 1 1 0 10 1 0 0 20 1 0 0 30 1 0 0 40 1 \
    9 9 0 0 0 1 40 1 0 0 40 1 0 0 40 1 0 0 40 1 0 0 40 1
check "x is the only tensor" test "$(sed -n 1,2p "$work/out" | cut -f 1-5)" = \
    "x${tab}[2][6][4]${tab}u8${tab}NLC${tab}onehot+phred+mask
rank${tab}0 of 1${tab}global batch 2 rows"
check "and the only array" test ! -e "$npy/epoch0_batch000000_quality.npy" -a ! -e "$npy/epoch0_batch000000_mask.npy"
tiny --channels A --dtype f16 --layout ncl --quality error --quality-in-x --mask
check "chances in x, the mask apart" holds x x2 3c00 0000 0000 0000 0000 0000 3c00 2e66 211f 1419 068e 0000 \
    3c00 0000 0000 0000 0000 0000 068e 068e 068e 068e 068e 0000
check "their shapes are printed" test "$(sed -n 1,2p "$work/out")" = \
    "x${tab}[2][2][6]${tab}f16${tab}NCL${tab}onehot+error
mask${tab}[2][6]${tab}u8${tab}NL${tab}mask"
for type in i32 i64; do
    tiny --encode tokens --dtype $type --pad-value -1 --pad-multiple 4
    check "tokens $type, 8 columns" holds x d$((${type#i} / 8)) 1 2 3 4 5 -1 -1 -1 1 5 4 5 5 -1 -1 -1
    check "$type in numpy's words" test "$(header epoch0_batch000000_x)" = \
        "{'descr': '${order}i$((${type#i} / 8))', 'fortran_order': False, 'shape': (2, 8), }"
done
tiny --quality error
# Qualities of Q 0, 10, 20, 30 and 40.
check "--quality error" test "$(values epoch0_batch000000_quality fF 6 | awk 'NR == 1 {
    for (i = want = 1; i <= 5; ++i) { near += $i > 0.9999999 * want && $i < 1.0000001 * want; want /= 10 }
    print near, $6 }')" = "5 0"
check "in numpy's words" test "$(header epoch0_batch000000_quality)" = \
    "{'descr': '${order}f4', 'fortran_order': False, 'shape': (2, 6), }"
tiny --bases 0
check "--bases 0: columns are the longest row, in eights" test "$(header epoch0_batch000000_x | cut -d "'" -f 9-)" = \
    ": (2, 8, 4), }"
tiny --bases 0 --pad-multiple 3
check "--bases 0 --pad-multiple 3" test "$(header epoch0_batch000000_x | cut -d "'" -f 9-)" = ": (2, 6, 4), }"
run --max-bases 4 "$work/tiny.fastq"
check "--max-bases" ends 1 "5 bases.*--max-bases"
tiny --rows 4 --names
check "padding rows are in the files" holds lengths d4 5 5 0 0
check "with id -1" test "$(values epoch0_batch000000_ids d8 3 | cut -d ' ' -f 1 | tr '\n' ' ')" = "0 1 -1 -1 "
check "and no name" test "$(wc -l < "$npy/epoch0_batch000000_names.txt" | tr -d ' ')" = 4
printf '@r1 a=1 b\nAC\n+\nII\n' > "$work/title.fastq"
for words in '--names' '--names name' '--names title' '--names=title'; do
    rm -rf "$npy"
    # shellcheck disable=SC2086
    run --bases 2 --rows 1 $words --npy "$npy" "$work/title.fastq"
    want='r1 a=1 b'
    test "$words" = "${words%title}" && want=r1
    check "$words" test "$(cat "$npy/epoch0_batch000000_names.txt")" = "$want"
done
run --bases 4 --rows 1 --weights A=1,C=0.5,all=0.25 --label title --label-key a --overwrite --npy "$npy" "$work/title.fastq"
check "--weights and --label title" test "$(header epoch0_batch000000_weights)" = \
    "{'descr': '${order}f4', 'fortran_order': False, 'shape': (1, 4), }"
check "their values" holds weights f4 1 0.5 0 0
check "labels of titles" holds labels u1 1
run --names=2 "$work/title.fastq"
check "--names=2" ends 2 '--names wants one of name|title, not 2'
tiny --rows 1 --epochs 2
check "a file for each batch of each epoch" test \
    "$(find "$npy" -type f | grep -c '/epoch[01]_batch00000[01]_[dghilnstex]*\.npy$')" = 12
run --bases 6 --npy "$work/tiny.fastq" "$work/tiny.fastq"
check "--npy into a file" ends 1 "cannot be written\|cannot be made"
run --bases 6 --npy "$work/no/such" "$work/tiny.fastq"
check "--npy in a folder that is not there" ends 1 "no/such cannot be made"

# -- the resolved desc -------------------------------------------------------------------------------

# says WORDS: a field of the printed desc.
says() { grep '^desc' "$work/out" | tr '\t' '\n' | grep -q -x -e "$1"; }
run "$work/tiny.fastq"
for field in 'batch_rows 256' 'max_row_bases 1024' 'pad_multiple 8' 'max_record_bytes 67108864' \
    'encoding.channels "ACGT"' 'filter.subsample_below 1' 'filter.every_record 1' 'shuffle_rows 1' 'world 1' 'slots 4' \
    'epochs 1' '# memory_bytes [1-9][0-9]\{5,9\}'; do
    check "the default $field is printed" says "$field"
done
check "and nothing that is 0" test "$(grep -c '^desc.*\(row_bases\|seed\|tail\|encoding.kind\|augment\|text\)' \
    "$work/out")" = 1
run --bases 150 --long split --workers 3 --slots 5 --epochs 2 --seed 7 --max-n 0 --subsample 0.25:0.5 --min-quality 20.5 \
    --rc 0.5 --every 2 --shuffle 99 "$work/tiny.fastq"
for field in 'row_bases 150' 'long_records split' 'split_stride 150' 'workers 3' 'slots 5' 'epochs 2' 'seed 7' \
    'filter.forbid_n 1' 'filter.subsample_from 0.25' 'filter.subsample_below 0.5' 'filter.min_mean_quality 20.5' \
    'filter.every_record 2' 'augment.reverse_complement 0.5' 'shuffle_rows 99'; do
    check "$field is printed" says "$field"
done

# The lines `desc` make the desc again, and later flags win.
grep '^desc' "$work/out" > "$work/lines.desc"
digest_of() { grep '^epoch 0' "$work/out" | cut -f 2-4; }
want=$(digest_of)
run --desc "$work/lines.desc" "$work/tiny.fastq"
check "--desc makes the batches of the lines desc" test "$(digest_of)" = "$want"
check "and prints the same desc" test "$(grep '^desc' "$work/out" | cmp - "$work/lines.desc" && echo same)" = same
run --desc "$work/lines.desc" --epochs 1 --slots 6 "$work/tiny.fastq"
check "a flag after --desc wins" says 'slots 6'
printf 'batch_rows 128  # fewer\nencoding.dtype f61\n' > "$work/wrong.desc"
run --desc "$work/wrong.desc" "$work/tiny.fastq"
check "a wrong word in --desc" ends 2 '--desc: line 2: --dtype is .f61., not one of .*: did you mean f16'
run --desc "$work/no/such" "$work/tiny.fastq"
check "--desc of no file" ends 1 "no/such cannot be read"
# Names of fields are flags, too: the same batches as by the short ones.
run --row_bases 20 --encoding.dtype f16 --filter.min_length 3 --quality.kind phred "$work/tiny.fastq"
want=$(digest_of)
run --bases 20 --dtype f16 --min-length 3 --quality phred "$work/tiny.fastq"
check "fields by their own names" test "$(digest_of)" = "$want" -a -n "$want"
run --encode tokens --dtype i32 --tokens 'all=7,A=0,C=-5' "$work/tiny.fastq"
check "--tokens" says 'encoding.tokens "all=7,A=0,C=-5"'

# -- filters, counted by awk -------------------------------------------------------------------------

# 300 reads of 1 to 60 bases, some of them lower case, N, R or U. facts: number, bases, sum of Phred values, lowest,
# count of N, sum of error probabilities.
awk 'BEGIN { x = 12345
             for (i = 0; i < 300; ++i) {
                 seq = qual = ""
                 for (j = 0; j < 1 + i * 37 % 60; ++j) {
                     x = x * 16807 % 2147483647
                     seq = seq substr("ACGTACGTACGTACGTACGTacgtNnRU", 1 + int(x / 7) % 28, 1)
                     x = x * 16807 % 2147483647
                     qual = qual sprintf("%c", 73 - int(x / 7) % (1 + i % 41)) }
                 printf "@read_%d of_300\n%s\n+\n%s\n", i, seq, qual } }' > "$work/mixed.fastq"
awk 'BEGIN { for (i = 33; i < 127; ++i) phred[sprintf("%c", i)] = i - 33 }
     NR % 4 == 2 { seq = $0 }
     NR % 4 == 0 { n = length($0); sum = wrong = 0; low = 93
                   for (i = 1; i <= n; ++i) { q = phred[substr($0, i, 1)]; sum += q; wrong += exp(-q / 10 * log(10))
                                              if (q < low) low = q }
                   print NR / 4 - 1, n, sum, low, gsub(/[Nn]/, "", seq), wrong }' "$work/mixed.fastq" > "$work/facts"
# keeps WHAT CONDITION FLAGS...: as many rows as there are lines of facts where CONDITION, an awk pattern, is true,
# and neither none nor all.
keeps() {
    what=$1
    want=$(awk "$2"' { ++kept } END { print kept + 0 }' "$work/facts")
    shift 2
    run --bases 60 "$@" "$work/mixed.fastq"
    check "$what: $want records" test "$code,$rows" = "0,rows $want" -a "$want" -gt 0 -a "$want" -lt 300
}
keeps --min-length '$2 >= 30' --min-length 30
keeps --max-length '$2 <= 20' --max-length 20
keeps "both lengths" '$2 >= 20 && $2 <= 30' --min-length 20 --max-length 30
keeps --min-quality '1000 * $3 >= 30500 * $2' --min-quality 30.5
keeps --max-error '$6 <= 0.0123 * $2' --max-error 0.0123
keeps --min-base-quality '$4 >= 20' --min-base-quality 20
keeps --max-n '1000000 * $5 <= 50000 * $2' --max-n 0.05
keeps "--max-n 0" '$5 == 0' --max-n 0
keeps --first '$1 < 100' --first 100
keeps --every '$1 % 7 == 0' --every 7
set -- --first 250 --every 2 --min-length 9 --min-quality 20 --min-base-quality 5 --max-n 0
keeps "all of these" '$1 < 250 && $1 % 2 == 0 && $2 >= 9 && 1000 * $3 >= 20000 * $2 && $4 >= 5 && $5 == 0' "$@" --stats
# Each record is counted with the first filter that drops it.
awk '{ if ($1 >= 250) why = "first_records"; else if ($1 % 2) why = "every_record"; else if ($2 < 9) why = "length"
       else if (1000 * $3 < 20000 * $2) why = "min_mean_quality"; else if ($4 < 5) why = "base quality"
       else if ($5 > 0) why = "N"; else next
       ++dropped[why] }
     END { for (why in dropped) printf "stats\tdropped by %s %d\n", why, dropped[why] }' "$work/facts" |
    sort > "$work/want"
grep '^stats.dropped by ' "$work/err" | sort > "$work/got"
check "--stats counts what each filter dropped" cmp -s "$work/want" "$work/got"
check "and all" grep -q "${tab}records 300${tab}kept $want${tab}dropped $((300 - want))${tab}" "$work/err"
check "a line for each stage" test "$(grep -c "^stats${tab}stage [a-z]*${tab}busy " "$work/err")" = 8
check "and a hint" grep -q "^stats${tab}hint${tab}[a-z]" "$work/err"
kept=$(grep '^epoch' "$work/out" | cut -f 1-4)
run --bases 60 "$@" "$work/mixed.fastq"
check "--stats changes no batch" test "$(echo "$last" | cut -f 1-4)" = "$kept"

run --bases 150 --epochs 2 --stats --no-digest "$reads"
check "no third epoch is read ahead" grep -q \
    "^stats${tab}stage read${tab}.*${tab}bytes $((2 * $(wc -c < "$reads")))${tab}" "$work/err"

# ids FLAGS...: the record numbers of all rows of a run over the 300 reads, one batch, in `ids`, sorted.
ids() {
    rm -rf "$npy"
    run --bases 60 --rows 512 --tail short --npy "$npy" --no-digest "$@" "$work/mixed.fastq"
    values epoch0_batch000000_ids d8 3 | cut -d ' ' -f 1 | sort -n > "$work/ids"
}
ids --subsample 0.25
cp "$work/ids" "$work/quarter"
count=$(wc -l < "$work/quarter")
check "--subsample 0.25 keeps about a quarter" test "$count" -gt 45 -a "$count" -lt 110
ids --subsample 0.25 --epochs 2
check "the same in another epoch" test "$(values epoch1_batch000000_ids d8 3 | cut -d ' ' -f 1 | sort -n | cmp - \
    "$work/quarter" && echo same)" = same
ids --subsample 0.25 --seed 1
check "the seed chooses others" test "$(cmp -s "$work/ids" "$work/quarter"; echo $?)" = 1
ids --subsample 0.25:0.6
cp "$work/ids" "$work/middle"
ids --subsample 0.6:1
cat "$work/quarter" "$work/middle" "$work/ids" | sort -n > "$work/all"
cut -d ' ' -f 1 "$work/facts" | cmp -s - "$work/all"
check "three parts of --subsample are all records, each once" test $? = 0

# -- parts of a split ------------------------------------------------------------------------------------

# The 300 reads in another order, a comment after each name.
awk 'NR % 4 == 1 { $0 = $0 " more" } { line[NR] = $0 }
    END { for (i = NR - 3; i > 0; i -= 4) for (k = 0; k < 4; ++k) print line[i + k] }' "$work/mixed.fastq" \
    > "$work/turned.fastq"
# named FILE FLAGS...: the names of all rows, sorted, in `names`.
named() {
    rm -rf "$npy"
    file=$1
    shift
    run --bases 60 --rows 512 --tail short --names --npy "$npy" --no-digest "$@" "$file"
    sort "$npy/epoch0_batch000000_names.txt" > "$work/names"
}
named "$work/mixed.fastq" --split 7:0:0.7 --seed 1
cp "$work/names" "$work/learn"
named "$work/turned.fastq" --split 7:0.7:1 --seed 2
sort "$work/learn" "$work/names" > "$work/both"
grep -c . "$work/learn" > "$work/learn.count"
check "--split takes about its share" test "$(cat "$work/learn.count")" -gt 170 -a "$(cat "$work/learn.count")" -lt 250
awk 'NR % 4 == 1 { sub(/^@/, ""); print $1 }' "$work/mixed.fastq" | sort | cmp -s - "$work/both"
check "two parts of --split are all names, each once, whatever the order and the seed" test $? = 0
run --bases 150 --split 1:0:0.5:by=field,9 "$reads"
check "a name without the field" ends 1 "no field 9"
run --bases 150 --min-length 1000 "$reads"
check "no row left" ends 1 "--min-length and --max-length left out 10000"
run --bases 150 --min-length 1000 --allow-no-rows "$reads"
check "--allow-no-rows" ends 0 ""
run --bases 100 --long split --split 3:0:0.25:by=block,1000 --stats "$data/ecoli_536_genome.fasta.gz"
check "blocks of a genome of one record" ends 0 "dropped by split"
for field in 'split.by block' 'split.salt 3' 'split.below 0.25' 'split.block_bases 1000'; do
    check "$field is printed" says "$field"
done
run --bases 150 --max-record 100 "$reads"
check "--max-record" ends 1 "--max-record, 100 bytes$"

# -- pieces, crops, strands: every row against the text, by awk --------------------------------------

awk 'NR % 4 == 2 { seq = $0 } NR % 4 == 0 { print seq, $0 }' "$work/mixed.fastq" > "$work/reads"
# rows_are MODE ROW STRIDE SIDE FLAGS...: tokens, qualities, mask and origins of all rows of the 300 reads are those of
# rows of ROW bases made in this MODE.
rows_are() {
    mode=$1
    row=$2
    stride=$3
    side=$4
    shift 4
    rm -rf "$npy"
    run --bases "$row" --rows 2048 --tail short --encode tokens --quality phred --mask --pad-side "$side" --npy "$npy" \
        --no-digest "$@" "$work/mixed.fastq"
    columns=$(header epoch0_batch000000_x | sed 's/.*, \([0-9]*\)), }$/\1/')
    values epoch0_batch000000_ids d8 3 > "$work/1"
    values epoch0_batch000000_lengths d4 1 > "$work/2"
    values epoch0_batch000000_x u1 "$columns" > "$work/3"
    values epoch0_batch000000_quality u1 "$columns" > "$work/4"
    values epoch0_batch000000_mask u1 "$columns" > "$work/5"
    paste -d ' ' "$work/1" "$work/2" "$work/3" "$work/4" "$work/5" > "$work/rows"
    awk -v mode="$mode" -v row="$row" -v stride="$stride" -v side="$side" -v columns="$columns" '
        function fail(text) { print "    row " r ": " text; bad = 1; exit 1 }
        # Pieces of a record that has n bases, and where piece k of it starts; -1: anywhere it fits.
        function pieces(n) { return mode != "split" || n <= row ? 1 : 1 + int((n - row + stride - 1) / stride) }
        function start(n, k) {
            if (n <= row) return 0
            if (mode == "split") return k * stride
            if (mode == "tail") return n - row
            if (mode == "center") return int((n - row) / 2)
            return mode == "crop" ? -1 : 0
        }
        BEGIN { record = piece = 0
                for (i = 33; i < 127; ++i) phred[sprintf("%c", i)] = i - 33
                split("A C G T U a c g t u", letter, " ")
                for (i = 1; i <= 10; ++i) token[letter[i]] = i % 5 == 0 ? 4 : i % 5 }
        FNR == NR { seq[NR - 1] = $1; qual[NR - 1] = $2; next }
        { r = FNR
          while (piece == pieces(length(seq[record]))) { ++record; piece = 0 }
          n = length(seq[record])
          from = start(n, piece)
          bases = from < 0 || n - from > row ? row : n - from
          if ($1 != record || $2 != piece++) fail("is of record " $1 ", piece " $2)
          if (from < 0) { from = $3; others += from > 0; if (from > n - row) fail("starts at " from) }
          if ($3 != from || $4 != bases) fail("has " $4 " bases from " $3 ", not " bases " from " from)
          gap = side == "left" ? columns - bases : 0
          for (c = 0; c < columns; ++c) {
              at = c - gap
              real = at >= 0 && at < bases
              want = quality = 0
              if (real) {
                  at = reversed ? from + bases - 1 - at : from + at
                  base = substr(seq[record], at + 1, 1)
                  want = base in token ? token[base] : 5
                  want = reversed && want < 5 ? 5 - want : want
                  quality = phred[substr(qual[record], at + 1, 1)]
              }
              if ($(5 + c) != want) fail("column " c " is " $(5 + c) ", not " want)
              if ($(5 + columns + c) != quality) fail("quality " c " is " $(5 + columns + c) ", not " quality)
              if ($(5 + 2 * columns + c) != real) fail("mask " c)
          } }
        END { if (bad) exit 1
              if (record != 299 || piece != pieces(length(seq[299]))) fail("is the last")
              if (mode == "crop" && others == 0) fail("no crop starts after 0") }' \
        reversed="$reversed" "$work/reads" "$work/rows" > "$work/err.rows"
    good=$?
    cat "$work/err.rows" >> "$work/err"
    check "rows of $mode $row $stride $side $*" test "$code,$good" = 0,0
}
reversed=0
rows_are split 60 60 right --long fail
rows_are split 16 16 right --long split
rows_are split 16 5 left --long split --stride 5
rows_are head 25 0 right --long head --pad-multiple 8
rows_are tail 25 0 left --long tail
rows_are center 24 0 right --long center
rows_are crop 20 0 right --long crop
rows_are crop 20 0 left --crop 20
reversed=1
rows_are split 60 60 right --rc 1
rows_are split 16 7 left --rc 1 --long split --stride 7
rows_are crop 20 0 right --rc 1 --crop 20
reversed=0

# changed FLAGS...: share of the bases of `reads` whose token is another, and of those that are 5.
changed() {
    rm -rf "$npy"
    run --bases 60 --rows 512 --tail short --encode tokens --npy "$npy" --no-digest "$@" "$work/mixed.fastq"
    values epoch0_batch000000_x u1 60 > "$work/3"
    awk 'BEGIN { split("A C G T U a c g t u", letter, " ")
                 for (i = 1; i <= 10; ++i) token[letter[i]] = i % 5 == 0 ? 4 : i % 5 }
         FNR == NR { seq[NR] = $1; next }
         { for (i = 1; i <= length(seq[FNR]); ++i) {
               base = substr(seq[FNR], i, 1)
               if (!(base in token)) { codes += $i != 5; continue }
               ++acgt
               other += $i != token[base] && $i < 5
               unknown += $i == 5 } }
         END { printf "codes %d acgt %d other %d N %d\n", codes, acgt, other, unknown }' "$work/reads" "$work/3"
}
all=$(changed | awk '{ print $4 }')
check "nothing changes by itself" test "$(changed)" = "codes 0 acgt $all other 0 N 0"
check "--mutate 1 changes each base, and no code" test "$(changed --mutate 1)" = "codes 0 acgt $all other $all N 0"
check "--inject-n 1 makes each an N" test "$(changed --inject-n 1)" = "codes 0 acgt $all other 0 N $all"
# Five standard deviations of a binomial count around its mean.
near() { awk -v n="$all" -v p="$2" -v got="$1" 'BEGIN { d = got - n * p; exit !(d * d <= 25 * n * p * (1 - p)) }'; }
check "--mutate 0.1 changes about a tenth" near "$(changed --mutate 0.1 --seed 3 | awk '{ print $6 }')" 0.1
check "--inject-n 0.1 too" near "$(changed --inject-n 0.1 --seed 3 | awk '{ print $8 }')" 0.1

# -- bad records left out ------------------------------------------------------------------------------

awk 'NR == 402 || NR == 802 { $0 = $0 "A" } { print }' "$work/mixed.fastq" > "$work/two_bad.fastq"
run --bases 60 --skip-bad 2 "$work/two_bad.fastq"
check "--skip-bad 2 leaves two out" test "$code,$rows" = "0,rows 298"
check "and says so" grep -q 'epoch 0: 2 bad records were left out (8 lines, in 2 gaps)$' "$work/err"
run --bases 60 --skip-bad 2 --epochs 2 "$work/two_bad.fastq"
check "in each epoch" test "$code,$epoch,$rows" = "0,epoch 1,rows 298"
run --bases 60 --skip-bad 1 "$work/two_bad.fastq"
check "--skip-bad 1 is not enough" ends 1 "two_bad.fastq: record 201 "
check "and what comes before is delivered" test "$rows" = "rows 199"

awk 'NR % 4 == 0 && NR > 40 && NR <= 80 { $0 = substr($0, 2) } { print }' "$work/mixed.fastq" > "$work/ten_bad.fastq"
run --bases 60 --skip-bad 9 "$work/ten_bad.fastq"
check "ten bad records in a row are more than nine" ends 1 "ten_bad.fastq: record 11 "
run --bases 60 --skip-bad 10 "$work/ten_bad.fastq"
check "and ten is enough" test "$code,$rows" = "0,rows 290"
check "it says how many" grep -q 'epoch 0: 10 bad records were left out (40 lines, in 1 gap)$' "$work/err"

# -- all of it at once: workers, slots, ranks, resume ----------------------------------------------------

set -- --bases 24 --rows 24 --long split --stride 10 --shuffle 100 --rc 0.5 --mutate 0.05 --inject-n 0.02 \
    --quality error --mask --names --dtype bf16 --n iupac --lower channel --layout ncl --pad-multiple 8 \
    --pad-side left --pad-value 2 --min-length 3 --subsample 0.1:0.95 --max-n 0.5 --skip-bad 2 --seed 11 --epochs 2
run "$@" "$work/two_bad.fastq"
check "all at once" test "$code" = 0
cut -f 1-4 "$work/out" | grep '^epoch' > "$work/want"
full=$digest
full_rows=${rows#rows }
full_batches=${batches#batches }
test -n "$full_batches" || full_batches=0
check "epochs differ" test "$(cut -f 4 "$work/want" | sort -u | wc -l)" -eq 2
for machine in '--workers 1' '--workers 2 --slots 1' '--workers 3 --slots 2' '--workers 8 --slots 9'; do
    # shellcheck disable=SC2086
    run "$@" $machine "$work/two_bad.fastq"
    cut -f 1-4 "$work/out" | grep '^epoch' > "$work/got"
    check "the same with $machine" cmp -s "$work/want" "$work/got"
done
digests=
all_rows=0
for rank in 0 1 2; do
    run "$@" --world 3 --rank $rank "$work/two_bad.fastq"
    digests="$digests $digest"
    rows=${rows#rows }
    all_rows=$((all_rows + ${rows:-0}))
    check "batches of rank $rank of 3" test "$batches" = "batches $full_batches"
done
# shellcheck disable=SC2086
check "three ranks add up" test "$(sum $digests),$all_rows" = "$full,$full_rows"
run "$@" --stop-after $((full_batches + 7)) --state-file "$work/state" "$work/two_bad.fastq"
before=$digest
run "$@" --workers 3 --slots 2 --resume "$work/state" "$work/two_bad.fastq"
check "stop and resume add up" test "$epoch,$(sum "$before" "$digest"),$from" = "epoch 1,$full,from 7"
run "$@" --subsample 0.1:0.9 --resume "$work/state" "$work/two_bad.fastq"
check "a resume state of another --subsample is refused" ends 2 "resume state\|the state of --resume"
run "$@" --mask --quality phred --resume "$work/state" "$work/two_bad.fastq"
check "a resume state of other tensors is refused" ends 2 "resume state\|the state of --resume"

# numpy itself, where it is; od read the same files above.
if python3 -c 'import numpy' 2> /dev/null; then
    rm -rf "$npy"
    run "$@" --npy "$npy" "$work/two_bad.fastq"
    # Every file loads; shapes and types are as printed; mask, lengths and padding agree.
    python3 - "$npy" > "$work/numpy" 2>&1 <<'END'
import glob, sys
import numpy as np
count = rows = 0
for path in sorted(glob.glob(sys.argv[1] + '/epoch1_*_x.npy')):
    part = lambda name: np.load(path[:-5] + name + '.npy')
    x, quality, mask, lengths, ids = part('x'), part('quality'), part('mask'), part('lengths'), part('ids')
    assert x.dtype == np.uint16 and x.shape == (24, 5, 24), x.shape
    assert quality.dtype == np.float32 and quality.shape == (24, 24)
    assert mask.dtype == np.uint8 and mask.shape == (24, 24)
    assert lengths.dtype == np.int32 and ids.dtype == np.int64 and ids.shape == (24, 3)
    values = (x.astype(np.uint32) << 16).view(np.float32)
    valid = ids[:, 0] >= 0
    rows += valid.sum()
    assert (mask.sum(1) == lengths).all() and (lengths[~valid] == 0).all()
    assert (mask == (np.arange(24) >= 24 - lengths[:, None]))[valid].all()
    assert (values.transpose(0, 2, 1)[(mask == 0)] == 2).all()
    assert (quality[mask == 0] == 0).all() and (quality[mask == 1] > 0).all()
    assert np.isin(values[:, 4][mask == 1], (0, 1)).all()
    bases = values[:, :4].transpose(0, 2, 1)[mask == 1]
    assert (np.abs(bases.sum(1) - 1) < 0.005).all()
    count += 1
print(count, rows)
END
    check "numpy reads the same" test "$(cat "$work/numpy")" = "$full_batches $full_rows"
else
    echo "note: numpy is not here; od alone read the .npy files"
fi

dd if="$reads" of="$work/cut.fastq.gz" bs=1000 count=400 2> /dev/null

# -- frames ----------------------------------------------------------------------------------------
# What frames hold is compared with --npy in tests/test_python.py; od reads the numbers of one here.

printf '@a\nAC\n+\nII\n@b\nG\n+\nI\n' > "$work/two.fastq"
run --bases 2 --rows 2 --frames - "$work/two.fastq"
check "--frames -" ends 0 "^epoch 0${tab}batches 1${tab}rows 2"
check "prints on standard error alone" test "$(head -n 1 "$work/out" | cut -c 1-22)" = '{"biostream_frames": 1'
line=$(head -n 1 "$work/out" | wc -c)
# kind, epoch, index, rows, valid_rows, columns, flags, then bytes and where lengths, x and ids begin.
numbers=$(dd if="$work/out" bs=1 skip="$line" count=96 2> /dev/null | od -A n -v -t u8 | xargs)
check "the numbers of a batch" test "$(echo "$numbers" | cut -d ' ' -f 1-7,9-12)" = "1 0 0 2 2 2 1 320 0 256 272"
bytes=$(dd if="$work/out" bs=1 skip=$((line + 96 + 256)) count=16 2> /dev/null | od -A n -v -t u1 | xargs)
check "x of it" test "$bytes" = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 0"
kinds=$(dd if="$work/out" bs=1 skip=$((line + 96 + 320)) 2> /dev/null | od -A n -v -t u8 | xargs | cut -d ' ' -f 1,3,5,13)
check "the end of the epoch and of the stream" test "$kinds" = "2 1 2 4"
run --frames out "$work/two.fastq"
check "--frames to a file" ends 2 "--frames wants -, standard output, not out"
"$dir/fxbatch" --bases 150 --epochs 100 --frames - "$reads" 2> "$work/err" | head -c 1000 > "$work/out"
check "a reader of frames that goes away" test "$(wc -c < "$work/out"),$(grep -c '^fxbatch' "$work/err")" = 1000,0

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
input --bases 150 --state-file "$work/no.state" - < "$reads"
check "standard input gives no resume states" ends 2 "standard input.*no resume states"
input --bases 150 --resume "$work/state" - < "$reads"
check "standard input takes no resume states" ends 2 "standard input.*no resume states"
input --bases 150 - "$reads" < "$reads"
check "standard input comes alone" ends 2 "standard input.*only file"
input --bases 150 - - < "$reads"
check "and once" ends 2 "standard input.*only file"

# -- groups --------------------------------------------------------------------------------------------

# Of four rows three are of the first group; the second has given its 10000th with the 40000th.
run --bases 150 --group a:3 "$reads" --group b:1 "$reads"
check "two groups" ends 0 ""
check "their rows" test "$batches,$rows" = "batches 157,rows 40000"
check "a line for the first" grep -q "^group a${tab}passes [34]${tab}rows 30000${tab}share 0.7500\$" "$work/out"
check "and one for the second" grep -q "^group b${tab}passes [12]${tab}rows 10000${tab}share 0.2500\$" "$work/out"
run --bases 150 "$reads"
check "without groups there is none" test "$(grep -c '^group' "$work/out")" = 0

rm -rf "$npy"
run --bases 6 --rows 8 --group "a b" "$work/tiny.fastq" --group=c:1:7 "$work/tiny.fastq" --label group --label-dtype i32 \
    --epoch-end rows --epoch-rows 8 --allow-unseen --npy "$npy"
check "labels of groups" ends 0 ""
check "are LABEL, or 0" holds labels d4 0 7 0 7 0 7 0 7
check "their shape is printed" grep -q "^labels${tab}\[8\]${tab}i32${tab}N${tab}group\$" "$work/out"
check "and a share of one half" test "$(grep -c "^group.*${tab}rows 4${tab}share 0.5000\$" "$work/out")" = 2
check "and a name with a blank" grep -q "^desc${tab}group.0.name \"a b\"\$" "$work/out"
rm -rf "$npy"
run --bases 6 --rows 4 --label input --label-values 3,250 --npy "$npy" "$work/tiny.fastq" "$work/tiny.fastq"
check "--label-values" holds labels u1 3 3 250 250
rm -rf "$npy"
run --bases 6 --rows 4 --label input --npy "$npy" "$work/tiny.fastq" "$work/tiny.fastq"
check "--label input" holds labels u1 0 0 1 1

run --bases 150 --group a "$work/tiny.fastq" --group b "$work/tiny.fastq" "$reads"
grep '^desc' "$work/out" > "$work/groups.txt"
want=$digest
run --desc "$work/groups.txt" "$work/tiny.fastq" "$work/tiny.fastq" "$reads"
check "groups from a text" test "$code,$digest" = "0,$want"

run "$work/tiny.fastq" --group a "$work/tiny.fastq"
check "a file before the first group" ends 2 "a file stands before the first --group: .*tiny.fastq"
run --group a "$work/tiny.fastq" --group b
check "a group without files" ends 2 "no file follows --group b"
run --group a --group b "$work/tiny.fastq"
check "the first without files" ends 2 "no file follows --group a"
run --group a:0 "$work/tiny.fastq"
check "--group with weight 0" ends 2 '--group: group.0.weight is "0", not a whole number of 1..4294967295'
run --group a:1:x "$work/tiny.fastq"
check "--group with a label that is no number" ends 2 '--group: group.0.label is "x"'
run --group a "$work/tiny.fastq" --group b "$work/tiny.fastq" --epoch-end first
check "--epoch-end first alone" ends 2 "--epoch-end.*--shuffle-files, or --allow-unseen"
run --open-files 2 "$work/tiny.fastq"
check "--open-files over the files" ends 2 "--open-files is over the files of the largest group"
run --label function "$work/tiny.fastq"
check "--label of a function" ends 2 "--label wants one of group|input|region|title, not function"

: > "$work/none.fastq"
run --bases 150 --group good "$reads" --group none "$work/none.fastq"
check "an empty group is bad data" ends 1 "^fxbatch: none: this group has no record"
run --bases 150 --min-length 151 --group good "$reads" --group other "$reads"
check "so is one that filters leave empty" ends 1 "no row of this group is left"

# -- tails: 10000 = 39 x 256 + 16 ----------------------------------------------------------------

run --bases 150 --tail pad "$reads"
check "--tail pad" test "$batches,$rows,$digest" = "batches 40,rows 10000,$whole"
run --bases 150 --tail short "$reads"
check "--tail short" test "$batches,$rows,$digest" = "batches 40,rows 10000,$whole"
run --bases 150 --tail drop "$reads"
check "--tail drop" test "$batches,$rows" = "batches 39,rows 9984"

# -- bad data ------------------------------------------------------------------------------------

run --bases 150 --state-file "$work/cut.state" "$work/cut.fastq.gz"
check "a truncated file is bad data" ends 1 "cut.fastq.gz: .*ends inside a gzip member"
check "what comes before is delivered" test "${rows#rows }" -gt 4000 -a "${rows#rows }" -lt 5000
check "the resume state is left at an error too" test -s "$work/cut.state"
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
check "qualities of FASTA" ends 2 "--min-quality needs"
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
check "tells E. coli from human" above 0.97
check "prints the chance level" grep -q 'chance level.0\.5000' "$work/out"
cp "$work/out" "$work/unequal"
# Held-out rows are all of their class, each once, though human rows come about five times to be learned from.
check "and each class's right answers" test "$(sed -n 's/^class.* of \([0-9]*\) held-out rows right$/\1/p' "$work/out" |
    tr '\n' ' ')" = '6500 1326 '
check "learns as many rows of both" test \
    "$(sed -n 's/^epoch 0.*rows \([0-9]*\) and 7826.*/\1/p' "$work/out")" -gt 52000
for workers in 1 3; do
    prints "$dir/fxtrain" --epochs 2 --workers $workers --group "$ecoli" $ecoli --group="$human:1" $human
    check "$workers workers and --group learn the same" test "$(sed 's/rows\/s.*//' "$work/out")" = \
        "$(sed 's/rows\/s.*//' "$work/unequal")"
done
prints "$dir/fxtrain" --epochs 1 --seed 1 $ecoli $human
check "the seed counts" test "$(grep '^epoch 0' "$work/out" | cut -f 2)" != \
    "$(grep '^epoch 0' "$work/unequal" | cut -f 2)"
prints "$dir/fxtrain" --epochs 1 --group ecoli:3 $ecoli --group human $human
learned=$(sed -n 's/^epoch 0.*rows \([0-9]*\) and 7826.*/\1/p' "$work/out")
check "weights count" test "$code" = 0 -a "$learned" -gt 35000 -a "$learned" -lt 35300
prints "$dir/fxtrain" --epochs 1 --kmer 1 $ecoli $human
check "composition alone tells less" below 0.95
prints "$dir/fxtrain" --epochs 1 --workers 1 "$reads" $human
check "FASTQ against FASTA" ends 0 ""
cut -f 1-4 "$work/out" | grep -v ^class > "$work/first"
prints "$dir/fxtrain" --epochs 1 --workers 3 "$reads" $human
cut -f 1-4 "$work/out" | grep -v ^class > "$work/second"
check "three workers learn the same" cmp -s "$work/first" "$work/second"
"$dir/fxtrain" --epochs 1 --workers 2 "$reads" - < $human > "$work/out" 2> "$work/err"
code=$?
check "fxtrain with a file on standard input" ends 0 ""
check "names it" grep -q "^class 1${tab}standard input${tab}[0-9]* of 1326 held-out rows right\$" "$work/out"
cut -f 1-4 "$work/out" | grep -v ^class > "$work/second"
check "learns the same" cmp -s "$work/first" "$work/second"
# Three classes, one of two files, at three sizes.
three() { prints "$dir/fxtrain" --epochs 2 "$@" --group ecoli $ecoli --group reads "$reads" "$reads" --group human $human; }
three --workers 1
check "three classes" ends 0 ""
check "guessing scores a third" grep -q 'chance level.0\.3333' "$work/out"
check "are told apart" above 0.8
check "a class of two files" grep -q "^class 1${tab}reads${tab}[0-9]* of [0-9]*[02468] held-out rows right\$" "$work/out"
sed 's/rows\/s.*//' "$work/out" > "$work/first"
three --workers 3
sed 's/rows\/s.*//' "$work/out" > "$work/second"
check "three workers learn the same of three classes" cmp -s "$work/first" "$work/second"
# Nothing to learn: one file against itself scores near 0.5, because the same rows carry both labels.
prints "$dir/fxtrain" --epochs 1 "$human" "$human"
check "a file against itself" below 0.6
prints "$dir/fxtrain" "$work/empty.fastq" $human
check "fxtrain needs rows" ends 1 "empty.fastq: this group has no record"
prints "$dir/fxtrain" --group human $human --group none "$work/empty.fastq" --group ecoli $ecoli
check "an empty class of three" ends 1 "^fxtrain: none: this group has no record"
check "and no epoch is printed" test "$(grep -c -e '^epoch' -e '^class' "$work/out")" = 0
prints "$dir/fxtrain" --group human $human --group short $data/tenx_v2_R2_cdna.fastq.gz
check "a class of short reads" ends 1 "^fxtrain: short has too few rows of 150 bases"
prints "$dir/fxtrain" "$work/cut.fastq.gz" $human
check "fxtrain on a truncated file" ends 1 "ends inside a gzip member"
prints "$dir/fxtrain" "$work/no_such_file.fastq" $human
check "fxtrain without a file" ends 1 "no_such_file.fastq"
"$dir/fxtrain" - $human < "$work/empty.fastq" > "$work/out" 2> "$work/err"
code=$?
check "fxtrain needs rows on standard input too" ends 1 "standard input: this group has no record"
"$dir/fxtrain" - "$work/no_such_file.fastq" < $human > "$work/out" 2> "$work/err"
code=$?
check "nor a file with standard input" ends 1 "no_such_file.fastq cannot be read"
"$dir/fxtrain" - - < $human > "$work/out" 2> "$work/err"
code=$?
check "one file can be standard input" ends 2 "only one of the files"
prints "$dir/fxtrain" $ecoli
check "fxtrain wants two classes" ends 2 "two classes are needed"
prints "$dir/fxtrain" --group one $ecoli $human
check "of one group too" ends 2 "two classes are needed"
# shellcheck disable=SC2046
prints "$dir/fxtrain" $(awk 'BEGIN { for (i = 0; i < 65; ++i) print "'$ecoli'" }')
check "and at most 64" ends 2 "at most 64"
prints "$dir/fxtrain" $ecoli --group one $ecoli --group two $human
check "a file before fxtrain's groups" ends 2 "a file stands before the first --group"
prints "$dir/fxtrain" --group one $ecoli --group two
check "fxtrain's group without files" ends 2 "no file follows --group two"
prints "$dir/fxtrain" --group one $ecoli --group two:1:7 $human
check "fxtrain's classes have no LABEL" ends 2 "--group wants NAME.:WEIGHT., not two:1:7"
for wrong in two:0 two:x two: two:4294967296; do
    prints "$dir/fxtrain" --group one $ecoli --group $wrong $human
    check "--group $wrong" ends 2 "--group: group.1.weight is"
done
prints "$dir/fxtrain" --group one:1048576 $ecoli --group two $human
check "weights of too large a sum" ends 2 "the weights of the groups"
for wrong in --kmer=0 --kmer=11 --epochs=0 --bases=0 --rows=0 --workers=257; do
    prints "$dir/fxtrain" $wrong $ecoli $human
    check "fxtrain $wrong" ends 2 "${wrong%%=*} wants a whole number"
done
prints "$dir/fxtrain" --kmer 5 --bases 4 $ecoli $human
check "fxtrain's words fit a row" ends 2 "--kmer is larger than --bases"

finish
