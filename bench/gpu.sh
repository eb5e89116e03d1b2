#!/bin/sh
# gpu.sh DIR - measure biostream_cuda.h on a GPU; called by `make gpu-bench`. Programs are built into DIR.
#
#   BENCH_DATA=FOLDER      where make-data.sh put its files: short.fastq.gz and short.fastq.bgzf.gz are read; without it
#                          the reads of examples/data a hundred times over, made in DIR/data
#   BENCH_RESULTS=FOLDER   where gpu-*.tsv go; bench/results without it
#   BENCH_ONLY=TEXT        only the parts whose name contains TEXT: copy overlap expand pipe scaling
#   BENCH_WORKERS=N        most workers of `scaling`; 16 without it, or as many as there are cores
#   BENCH_ROUNDS=N         rounds, 5 to 99; without it 7
set -u
dir=$1
results=${BENCH_RESULTS:-bench/results}
raw=$dir/raw
mkdir -p "$raw" "$results"
failed=0
names=

sh tests/gpu_build.sh "$dir" || exit 1
"$dir/gpu_real" gpu_look > "$dir/look.txt" 2>&1
if grep '^skipped: no GPU' "$dir/look.txt"; then
    exit 0
fi

wanted() { case $1 in *"${BENCH_ONLY:-}"*) ;; *) return 1 ;; esac; }

# keep PART: rows with ratios and targets, below the conditions that were printed and the device.
keep() {
    {
        cat "$raw/$1.tsv"
        awk '/^$/ { exit } /^(processor|compiler|date) / { next } { print "# " $0 }' "$raw/$1.txt"
        test ! -f "$raw/torch.tsv" || test "$1" != pipe || cat "$raw/torch.tsv"
    } > "$raw/$1.both"
    awk -f bench/ratios.awk bench/targets.tsv "$raw/$1.both" > "$results/gpu-$1.tsv.new" &&
        mv "$results/gpu-$1.tsv.new" "$results/gpu-$1.tsv"
}

# measure PART COMMAND...
measure() {
    part=$1
    shift
    { "$@"; echo $? > "$raw/status"; } | tee "$raw/$part.txt"
    if test "$(cat "$raw/status")" = 0; then
        test "$part" != pipe || torch "$@"
        test "$part" != scaling || as_gpu_scaling
        keep "$part" && names="$names $results/gpu-$part.tsv"
    else
        failed=1
    fi
}

# The same files through PyTorch, where it is with CUDA. Called with the command of `pipe`.
torch() {
    rm -f "$raw/torch.tsv"
    if ! python3 -c 'import torch; raise SystemExit(not torch.cuda.is_available())' 2> /dev/null; then
        echo "skipped: PyTorch with CUDA"
        return
    fi
    shift 4
    python3 bench/peers/gpu_torch.py --tsv "$raw/torch.tsv" --rounds 5 "$@" || failed=1
}

# bench_scaling's rows are of another machine than those in bench/results/bench_scaling.tsv: another stage.
as_gpu_scaling() {
    sed 's/^scaling/gpu-scaling/' "$raw/scaling.tsv" > "$raw/scaling.new" && mv "$raw/scaling.new" "$raw/scaling.tsv"
    sed -n 's/^device  */device     /p; s/^driver  */driver     /p' "$raw"/copy.txt 2> /dev/null > "$raw/device.txt"
    cat "$raw/device.txt" "$raw/scaling.txt" > "$raw/scaling.new" && mv "$raw/scaling.new" "$raw/scaling.txt"
}

# repeated N FILE: so often, one behind the other.
repeated() {
    i=$1
    while test "$i" -gt 0; do
        cat "$2"
        i=$((i - 1))
    done
}

data=${BENCH_DATA:-}
if test -n "$data"; then
    plain=$data/short.fastq.gz
    bgzf=$data/short.fastq.bgzf.gz
else
    plain=$dir/data/reads.fastq.gz
    bgzf=$dir/data/reads.bgzf.fastq.gz
    if { wanted pipe || wanted scaling; } && test ! -f "$bgzf"; then
        sh bench/make-data.sh --bundled "$dir/data" &&
            repeated 10 "$dir/data/bundled.fastq" | gzip -6 -n > "$plain" &&
            repeated 10 "$dir/data/bundled.bgzf.fastq.gz" > "$bgzf.new" && mv "$bgzf.new" "$bgzf" || exit 1
    fi
fi

for part in copy overlap expand; do
    ! wanted $part || measure $part "$dir/bench_gpu" --tsv "$raw/$part.tsv" $part
done
! wanted pipe || measure pipe "$dir/bench_gpu" --tsv "$raw/pipe.tsv" pipe "$plain" "$bgzf"
if wanted scaling; then
    cores=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 1)
    workers=${BENCH_WORKERS:-16}
    test "$workers" -le "$cores" || workers=$cores
    measure scaling "$dir/bench_scaling" --tsv "$raw/scaling.tsv" -n "$workers" "$bgzf"
fi

if test -n "$names"; then
    # Words are to be split.
    # shellcheck disable=SC2086
    awk -f bench/tables.awk $names
    echo
    echo "rows in:$names"
fi
exit $failed
