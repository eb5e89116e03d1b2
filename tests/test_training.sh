#!/bin/sh
# test_training.sh DIR - the lesson resume_training, in DIR: stopped after any batch and killed at any moment it ends with
# the weights of a training without a stop; so it does not with a checkpoint of which one bit is another. Bad checkpoints,
# other reads and a full disk are one sentence each. Ends with `N passed, N failed`.
# needs: nothing
. tests/shell.sh
reads=examples/data/illumina_hiseqx_150bp.fastq.gz
same='^after 120 batches the same weights as without a stop, bit for bit$'

train() { "$dir/resume_training" "$@" > "$work/out" 2>&1; }
says() { grep -q "$1" "$work/out"; }
# ends STATUS TEXT ARGUMENTS...: train ends so, and prints a line that fits TEXT.
ends() {
    status=$1 text=$2
    shift 2
    train "$@"
    check "resume_training $* ends with $status and says $text" eval "test $? = $status && says '$text'"
}

# After an epoch has 40 batches: in the first, at its end, and in the others.
for most in 1 10 40 47 80 113 120; do
    ends 0 "^stopped after $most batches$" "$work/stop" $reads $most
    ends 0 "$same" "$work/stop" $reads
    check "the checkpoint of $most is gone after its end" test ! -e "$work/stop"
done
# One checkpoint after several stops, and the same after one.
for most in 12 25 38 61 95; do train "$work/often" $reads $most; done
train "$work/once" $reads 95
check "checkpoints at batch 90 are the same bytes" cmp -s "$work/often" "$work/once"
train "$work/earlier" $reads 85
check "checkpoints at batches 80 and 90 are not" eval "! cmp -s '$work/earlier' '$work/once'"
ends 0 "^from batch 90 on$" "$work/often" $reads

# A bit of a weight, and of the optimizer's state, of which there are 150 doubles each.
flip() {
    byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    # shellcheck disable=SC2059
    printf "$(printf '\\%03o' $((byte ^ 64)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2> /dev/null
}
for at in 6 1206; do
    cp "$work/once" "$work/flipped"
    flip "$work/flipped" $at
    check "byte $at is another" eval "! cmp -s '$work/once' '$work/flipped'"
    ends 1 "^not the weights of a training without a stop$" "$work/flipped" $reads
done

# Killed at any moment, also in a save; each time it may run a little longer.
rm -f "$work/kill"
if command -v timeout > /dev/null 2>&1; then
    tries=0
    killed=0
    milliseconds=3
    while ! timeout -s KILL "$(printf '%d.%03d' $((milliseconds / 1000)) $((milliseconds % 1000)))" \
        "$dir/resume_training" "$work/kill" $reads > "$work/out" 2>&1; do
        ! says '^not the' || break
        killed=$((killed + 1))
        tries=$((tries + 1))
        test $tries -lt 400 || break
        milliseconds=$((milliseconds + 3 + milliseconds / 20))
    done
    check "killed $killed times, and at last the same weights" eval "says '$same' && test $killed -gt 0"
else
    echo "skipped: timeout, to kill a training"
fi

# What cannot be gone on with is told, and stays as it is.
cp "$work/once" "$work/kept"
ends 1 'made over other input' "$work/once" examples/data/tenx_v2_R2_cdna.fastq.gz
check "a refused checkpoint stays" cmp -s "$work/once" "$work/kept"
head -c 1000 "$work/kept" > "$work/half"
ends 2 '^usage: ' "$work/half" $reads
if test -c /dev/full; then
    ln -s /dev/full "$work/once.part"
    ends 1 '^resume_training: [A-Z]' "$work/once" $reads
    check "a full disk leaves the old checkpoint" cmp -s "$work/once" "$work/kept"
    rm -f "$work/once.part"
    ends 0 "$same" "$work/once" $reads
fi
finish
