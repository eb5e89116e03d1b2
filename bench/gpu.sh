#!/bin/sh
# gpu.sh DIR - measure biostream_cuda.h on a GPU; called by `make gpu-bench`. Programs are built into DIR.
#
#   BENCH_DATA=FOLDER       where make-data.sh put its files: short.fastq.gz and short.fastq.bgzf.gz are read; without it
#                           the reads of examples/data a hundred times over, made in DIR/data
#   BENCH_RESULTS=FOLDER    where gpu-*.tsv go, anew after each row; bench/results/PROCESSOR without it, with BENCH_SMALL
#                           DIR/results
#   BENCH_ONLY=TEXT         only the parts whose name contains TEXT: expand copy overlap pipe torch scaling
#   BENCH_WORKERS=N         most workers of `scaling`; 16 without it, or as many as there are cores
#   BENCH_ROUNDS=N          rounds, 5 to 99; without it 7
#   BENCH_TORCH_ROUNDS=N    rounds of PyTorch, which reads slowly; without it 1, after one that is not timed
#   BENCH_SECONDS=N         what would begin after so many seconds is named: `skipped: no time: NAME`
#   BENCH_TABLES=no         no tables at the end
#   BENCH_SMALL=1           sizes of some KiB, to see that all of it runs; the figures say nothing
#   GPU_REQUIRED=1          it is an error that there is no GPU
set -u
dir=$1
results=${BENCH_RESULTS:-}
test -n "$results" || results=${BENCH_SMALL:+$dir/results}
raw=$dir/raw
mkdir -p "$raw"
. bench/folder.sh
failed=0
names=
began=$(date +%s)

sh tests/gpu_build.sh "$dir" || exit 1
"$dir/gpu_real" gpu_look > "$dir/look.txt" 2>&1
if grep '^skipped: no GPU' "$dir/look.txt"; then
    test -z "${GPU_REQUIRED:-}"
    exit
fi
"$dir/bench_gpu" device | grep -e '^device ' -e '^driver ' > "$raw/device.txt"

wanted() { case $1 in *"${BENCH_ONLY:-}"*) ;; *) return 1 ;; esac; }

# no_time NAME: whether BENCH_SECONDS is over; else `left` is what remains of it.
left=
no_time() {
    test -n "${BENCH_SECONDS:-}" || return 1
    left=$((BENCH_SECONDS - $(date +%s) + began))
    test "$left" -le 0 || return 1
    echo "skipped: no time: $1"
}

# keep PART [unfinished]: rows with ratios and targets, below the conditions that were printed and the device. Nothing is
# kept where no row is.
keep() {
    test "$1" != torch || set -- pipe "${2:-}"
    {
        test ! -f "$raw/$1.tsv" || cat "$raw/$1.tsv"
        awk '/^skipped: / { print "# skipped    " substr($0, 10) } done { next } /^$/ { done = 1 }
            /^(processor|compiler|date|device|driver|skipped:) / || done { next } { print "# " $0 }' "$raw/$1.txt"
        sed 's/^/# /' "$raw/device.txt"
        test -z "${2:-}" || echo '# unfinished it ended before all was measured'
        test "$1" != pipe || test ! -f "$raw/torch.tsv" || cat "$raw/torch.tsv"
    } 2> /dev/null > "$raw/$1.both"
    # Of another file than those of bench_scaling.tsv: another stage.
    test "$1" != scaling || { sed 's/^scaling/gpu-scaling/' "$raw/$1.both" > "$raw/$1.new" && mv "$raw/$1.new" "$raw/$1.both"; }
    grep -q "^gpu-" "$raw/$1.both" || return 0
    table=$(folder_of "$results" "$raw/$1.both")/gpu-$1.tsv
    awk -f bench/ratios.awk bench/targets.tsv "$raw/$1.both" > "$table.new" && mv "$table.new" "$table"
}

# measure PART COMMAND...: a row is seen and kept when it is there.
measure() {
    part=$1
    shift
    : > "$raw/$part.txt"
    echo 1 > "$raw/status"
    { env BENCH_SECONDS="$left" "$@"; echo "ended $?"; } | while IFS= read -r line; do
        case $line in
            'ended '*) echo "${line#ended }" > "$raw/status" && continue ;;
        esac
        printf '%s\n' "$line"
        printf '%s\n' "$line" >> "$raw/$part.txt"
        case $line in '  '*) keep "$part" unfinished ;; esac
    done
    if test "$(cat "$raw/status")" = 0; then
        keep "$part"
    else
        failed=1
        echo "FAILED $part"
    fi
    test "$part" != torch || part=pipe
    test -f "$raw/$part.both" || return 0
    table=$(folder_of "$results" "$raw/$part.both")/gpu-$part.tsv
    case " $names " in *" $table "*) ;; *) test ! -f "$table" || names="$names $table" ;; esac
}

# repeated N FILE: so often, one after the other.
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
elif test -n "${BENCH_SMALL:-}"; then
    plain=examples/data/illumina_hiseqx_150bp.fastq.gz
    bgzf=examples/data/illumina_hiseqx_150bp.bgzf.fastq.gz
else
    plain=$dir/data/reads.fastq.gz
    bgzf=$dir/data/reads.bgzf.fastq.gz
    mkdir -p "$dir/data"
    reads=examples/data/illumina_hiseqx_150bp
    if { wanted pipe || wanted torch || wanted scaling; } && test ! -f "$bgzf"; then
        repeated 100 $reads.bgzf.fastq.gz > "$bgzf.new" && mv "$bgzf.new" "$bgzf" || exit 1
    fi
    # One member of 361 MB of text, which takes its time.
    if { wanted pipe || wanted torch; } && test ! -f "$plain"; then
        echo "making $plain"
        gzip -dc $reads.fastq.gz > "$dir/data/once.fastq" &&
            repeated 100 "$dir/data/once.fastq" | gzip -6 -n > "$plain.new" && mv "$plain.new" "$plain" || exit 1
    fi
fi

for part in expand copy overlap; do
    if wanted $part && ! no_time $part; then
        measure $part "$dir/bench_gpu" --tsv "$raw/$part.tsv" $part
    fi
done
if wanted pipe && ! no_time pipe; then
    rm -f "$raw/torch.tsv" # measured beside another pipe than this one
    measure pipe "$dir/bench_gpu" --tsv "$raw/pipe.tsv" pipe "$plain" "$bgzf"
fi
# The same files through PyTorch, where it is with CUDA.
if wanted torch && ! no_time torch; then
    if python3 -c 'import torch; raise SystemExit(not torch.cuda.is_available())' 2> /dev/null; then
        measure torch python3 -u bench/peers/gpu_torch.py --tsv "$raw/torch.tsv" --rounds "${BENCH_TORCH_ROUNDS:-1}" \
            "$plain" "$bgzf"
    else
        echo "skipped: PyTorch with CUDA"
    fi
fi
if wanted scaling && ! no_time scaling; then
    cores=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 1)
    workers=${BENCH_WORKERS:-16}
    test "$workers" -le "$cores" || workers=$cores
    measure scaling "$dir/bench_scaling" --tsv "$raw/scaling.tsv" -n "$workers" "$bgzf"
fi

if test -n "$names" && test "${BENCH_TABLES:-yes}" != no; then
    # Words are to be split.
    # shellcheck disable=SC2086
    awk -f bench/tables.awk bench/why.tsv $names
    echo
    echo "rows in:$names"
fi
exit $failed
