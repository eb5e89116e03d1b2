#!/bin/sh
# mpi.sh DIR - mpi_train in DIR, on 1, 2 and 4 ranks of this machine: all ranks together see each batch and each held-out
# row once, learn the same model, go on after a stop with other ranks, and end together where one of them fails.
# What digests must be comes from fxbatch in DIR, which knows nothing of MPI, counts of rows from awk over the text.
# Ends with `N passed, N failed`.
set -u
dir=$1
data=examples/data
work=$dir/mpi
coli=$data/ecoli_536_genome.fasta.gz
human=$data/human_hg18_chrM_chr20part.bgzf.fasta.gz
passed=0
failed=0
rm -rf "$work"
mkdir -p "$work"
. tests/mpi_here.sh
limit=$(sh tests/limit.sh)
test -z "$limit" || limit="$limit 120"

if ! command -v mpicc > /dev/null || ! command -v mpiexec > /dev/null || ! test -x "$dir/mpi_train"; then
    echo "skipped: mpicc and mpiexec, of an MPI library, or examples built without them"
    echo "0 passed, 0 failed"
    exit 0
fi

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

# train RANKS ARGUMENTS...: what it prints in out and err, the exit code of mpiexec in $code; 124 is a hang.
train() {
    ranks=$1
    shift
    $limit mpiexec -n "$ranks" "$dir/mpi_train" "$@" > "$work/out" 2> "$work/err"
    code=$?
}

# ends CODE WORDS: the exit code, and one sentence of mpi_train, with WORDS (a basic regular expression).
ends() {
    test "$code" = "$1" && test "$(grep -c -e '^mpi_train: ' -e '^usage: ' "$work/err")" = 1 && grep -q -e "$2" "$work/err"
}

# of LINE FIELD [FILE]: what follows FIELD in the line that begins with LINE; `of "epoch 0" digest`.
of() { sed -n "s/^$1: .*$2 \\([0-9a-f.]*\\).*/\\1/p" "${3:-$work/out}"; }

# rows LINE [FILE]: "of the one class, of the other".
rows() { sed -n "s/^$1: .* batches, \\([0-9]*\\) + \\([0-9]*\\) rows.*/\\1 \\2/p" "${2:-$work/out}"; }

# sum HEX HEX: modulo 2^64, in four parts of 16 bits, which every awk can add exactly.
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

: > "$work/out"
: > "$work/err"
check "sum carries" test "$(sum ffffffffffffffff 0000000000000002)" = 0000000000000001

# -- the same for any number of ranks, and what fxbatch makes of the same desc --------------------------------

# batches LAST_FLAGS...: the digests of two epochs, a line each.
batches() {
    "$dir/fxbatch" --encode tokens --bases 150 --long split --rows 256 --label input --epochs 2 "$@" |
        sed -n 's/^epoch.*digest \([0-9a-f]*\).*/\1/p'
}
batches --split 1:0:0.8:by=block,3000 --shuffle 65536 --group coli $coli --group human $human > "$work/learned"
batches --split 1:0.8:1:by=block,3000 $coli $human > "$work/tested"
check "fxbatch made two epochs of both parts" test "$(cat "$work/learned" "$work/tested" | wc -l)" = 4

# Pieces of 150 bases in a text, less those that are learned from: what must be held out.
held_out() {
    learned=$("$dir/fxbatch" --encode tokens --bases 150 --long split --split 1:0:0.8:by=block,3000 "$1" |
        sed -n 's/^epoch.*rows \([0-9]*\).*/\1/p')
    gzip -dc "$1" | awk -v learned="$learned" '
        function piece() { pieces += int((bases + 149) / 150); bases = 0 }
        /^>/ { piece(); next }
        { bases += length($0) }
        END { piece(); print pieces - learned }'
}
tested="$(held_out $coli) $(held_out $human)"

for ranks in 1 2 4; do
    train $ranks $coli $human 2
    check "$ranks ranks end well" test $code = 0
    check "$ranks ranks say what each gets" test "$(head -n 1 "$work/out")" = "$ranks ranks, each $((256 / ranks)) of 256 rows"
    sed 1d "$work/out" > "$work/whole_$ranks"
    check "$ranks ranks print what one prints, the model's bits too" cmp "$work/whole_1" "$work/whole_$ranks"
    for epoch in 0 1; do
        line=$((epoch + 1))p
        check "$ranks ranks: digests add up, epoch $epoch" test "$(of "epoch $epoch" digest)" = "$(sed -n $line "$work/learned")"
        check "$ranks ranks: digests add up, held out $epoch" test "$(of "held out $epoch" digest)" = "$(sed -n $line "$work/tested")"
        check "$ranks ranks: each held-out row once, $epoch" test "$(rows "held out $epoch")" = "$tested"
    done
    check "$ranks ranks: accuracy" awk -v got="$(of "held out 1" accuracy)" 'BEGIN { exit !(got >= 0.95 && got <= 1) }'
    check "$ranks ranks: a model" grep -q -x 'model [0-9a-f]\{16\}' "$work/out"
done

# -- stop with 2 ranks, go on with others ----------------------------------------------------------------------

# goes_on RANKS EPOCH: from a copy of the state; `before` is what was printed before the stop.
goes_on() {
    cp "$work/state" "$work/copy"
    train "$1" $coli $human 2 "$work/copy"
    check "go on with $1 after $stop: ends well" test $code = 0
    check "go on with $1 after $stop: digests add up" test \
        "$(sum "$(of "epoch $2" digest "$work/before")" "$(of "epoch $2" digest)")" = "$(of "epoch $2" digest "$work/whole_1")"
    # From the test of that epoch on nothing tells that there was a stop.
    sed -n "/^held out $2/,\$p" "$work/out" > "$work/after"
    sed -n "/^held out $2/,\$p" "$work/whole_1" > "$work/want"
    check "go on with $1 after $stop: the same model" cmp "$work/want" "$work/after"
}
per_epoch=$(sed -n 's/^epoch 0: \([0-9]*\) batches.*/\1/p' "$work/whole_1")
for stop in 100 "$per_epoch" $((per_epoch + 1)); do
    rm -f "$work/state"
    train 2 $coli $human 2 "$work/state" "$stop"
    check "stop after $stop: ends well, and leaves a state" test $code = 0 -a -s "$work/state"
    check "stop after $stop: no test of the epoch under way" test \
        "$(grep -c '^held out' "$work/out")" = $((stop > per_epoch))
    cp "$work/out" "$work/before"
    goes_on 4 $((stop > per_epoch))
    goes_on 1 $((stop > per_epoch))
done
train 4 $coli $human 2 "$work/copy"
check "a state after the last epoch leads to the same model" test "$(tail -n 1 "$work/out")" = "$(tail -n 1 "$work/whole_1")"

# -- what one rank meets ends all ---------------------------------------------------------------------------------

# apart FILE_OF_RANK_0 FILE_OF_RANK_1 FILE_OF_RANK_2: three ranks with a file each, beside the same human one; each rank's
# own exit code in $codes.
cat > "$work/rank.sh" << 'END'
"$@"
echo $? > "$WORK/code.$OMPI_COMM_WORLD_RANK$PMI_RANK"
END
apart() {
    rm -f "$work"/code.*
    export WORK="$work" PMI_RANK=
    $limit mpiexec -n 1 sh "$work/rank.sh" "$dir/mpi_train" "$1" $human 1 : \
        -n 1 sh "$work/rank.sh" "$dir/mpi_train" "$2" $human 1 : \
        -n 2 sh "$work/rank.sh" "$dir/mpi_train" "$3" $human 1 > "$work/out" 2> "$work/err"
    code=$?
    codes=$(cat "$work"/code.* | tr '\n' ' ')
}
head -c 900000 $coli > "$work/cut.fasta.gz"
gzip -dc $coli | head -n 60000 | gzip -1 > "$work/short.fasta.gz"
apart $coli "$work/cut.fasta.gz" $coli
check "a damaged file of one rank is told once, with its name" ends 0 "^mpi_train: rank 1: .*cut\.fasta\.gz"
check "a damaged file of one rank ends all, each with 1" test "$codes" = "1 1 1 1 "
check "nothing is said of an epoch that was not whole" test "$(grep -c '^epoch' "$work/out")" = 0
apart $coli $coli "$work/cut.fasta.gz"
check "a damaged file of two ranks is told once" ends 0 "^mpi_train: rank 2: .*cut\.fasta\.gz"
check "a damaged file of two ranks ends all" test "$codes" = "1 1 1 1 "
apart "$work/none.fasta.gz" $coli $coli
check "a file that rank 0 lacks" ends 0 "^mpi_train: rank 0: .*none\.fasta\.gz"
check "a file that rank 0 lacks ends all" test "$codes" = "1 1 1 1 "
apart $coli "$work/short.fasta.gz" $coli
check "another file on one rank" ends 0 "^mpi_train: rank 1: .*are the files the same"
check "another file on one rank ends all" test "$codes" = "1 1 1 1 "
train 4 "$work/cut.fasta.gz" $human 1
check "a damaged file of all ranks is told once, and mpiexec fails" ends 1 "^mpi_train: rank 0: .*cut\.fasta\.gz"

# A rank is killed, as when a machine is lost, once there is a state: mpiexec ends the others, and two ranks go on.
cat > "$work/pid.sh" << 'END'
echo $$ > "$WORK/pid.$OMPI_COMM_WORLD_RANK$PMI_RANK"
exec "$@"
END
rm -f "$work/state"
$limit mpiexec -n 4 sh "$work/pid.sh" "$dir/mpi_train" $coli $human 100000 "$work/state" > "$work/out" 2> "$work/err" &
started=$!
waited=0
while test ! -s "$work/state" && test $waited -lt 600; do
    sleep 0.1
    waited=$((waited + 1))
done
kill -9 "$(cat "$work/pid.3")"
wait $started
code=$?
check "a rank that is killed ends all" test $code != 0 -a $code != 124
last=$(sed -n 's/^epoch \([0-9]*\):.*/\1/p' "$work/out" | tail -n 1)
epochs=$((${last:-0} + 2))
train 2 $coli $human $epochs "$work/state"
check "after a rank was killed two go on" test $code = 0
cp "$work/out" "$work/after"
train 1 $coli $human $epochs
check "after a rank was killed: the same model" test "$(tail -n 1 "$work/after")" = "$(tail -n 1 "$work/out")"

# -- wrong use ----------------------------------------------------------------------------------------------------

train 3 $coli $human 1
check "ranks that do not divide the batch" ends 1 "rank 0: desc\.world does not divide desc\.batch_rows"
train 2
check "no files" ends 2 "^usage: mpi_train "
train 2 $coli $human 0
check "no epoch" ends 2 "^usage: mpi_train "
train 2 $coli $human 1x
check "epochs that are no number" ends 2 "^usage: mpi_train "
train 2 $coli $human 1 "$work/none/state" 10
check "a state file that cannot be written" ends 1 "rank 0: the state file cannot be written"
train 2 $coli $human 1 $coli
check "a state file that is none" ends 1 "rank 0: the state file was not written by mpi_train"
train 2 $human $coli 2 "$work/copy"
check "a state of other files" ends 1 "rank 0: .*state"

# -- examples without their compilers are named -------------------------------------------------------------------

# All that is on PATH, but for MPI.
mkdir "$work/bin"
for folder in /usr/local/bin /usr/bin /bin; do ln -sf $folder/* "$work/bin/" 2> /dev/null; done
rm -f "$work"/bin/mpi*
env PATH="$work/bin" CONFIG=no_mpi sh tests/rules.sh > "$work/out" 2> "$work/err"
code=$?
check "rules without mpicc" test $code = 0
check "rules without mpicc name the example" grep -q '"not built: examples/mpi_train.c (mpicc, .*is not there)"' build/no_mpi/rules.mk
check "rules without mpicc do not build it" test "$(grep -c '^build/no_mpi/examples/mpi_train:' build/no_mpi/rules.mk)" = 0
check "rules without mpicc build the others" grep -q '^build/no_mpi/examples/train_loop:' build/no_mpi/rules.mk
rm -rf build/no_mpi

echo "$passed passed, $failed failed"
test $failed = 0
