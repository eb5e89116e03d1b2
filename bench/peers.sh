#!/bin/sh
# peers.sh DIR - install what `make bench-peers` compares with, and run bench/peers_python.py, bench/peers/full.py and
# bench/peers/groups.py: fxbatch and fxunzip (in build/examples) against whole programs and what is written in Python. DIR
# (build/peers) takes everything that is not a Debian package: a virtual environment, bench/peers/naive, naive_full and
# strong_full, and the two files of groups.py.
#
#   BENCH_DATA=FOLDER   as for bench/run.sh; BENCH_RESULTS, BENCH_ROUNDS (5) and KLIB_KSEQ likewise
#   BENCH_INSTALL=no    take what is there
#   BENCH_ONLY=TEXT     only the measuring whose name contains TEXT: peers_python, peers_full or groups
#   BENCH_GROUP_RECORDS=N   of bench/peers/groups.py: records of each of its two files (300000, or half of those there are;
#                       20000 for datasets)
set -u
dir=$1
data=${BENCH_DATA:-}
results=${BENCH_RESULTS:-}
test -n "$results$data" || results=$dir/results
install=${BENCH_INSTALL:-yes}
mkdir -p "$dir"
. bench/folder.sh
python=$dir/venv/bin/python3

have() { command -v "$1" > /dev/null 2>&1; }

# -- Debian packages: `program package` ---------------------------------------------------------------

missing=
for pair in bgzip:tabix gzip:gzip pigz:pigz igzip:isal python3:python3-venv; do
    have "${pair%%:*}" || missing="$missing ${pair#*:}"
done
test -f /usr/include/zlib.h || missing="$missing zlib1g-dev"
test -f /usr/include/htslib/kseq.h || missing="$missing libhts-dev"
test -f /usr/include/isa-l/igzip_lib.h || missing="$missing libisal-dev"
# shellcheck disable=SC2086
if test -n "$missing" && test "$install" != no && have apt-get && test "$(id -u)" = 0; then
    echo "installing Debian packages:$missing"
    env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends $missing > "$dir/apt.txt" 2>&1 ||
        echo "not all could be installed; see $dir/apt.txt"
elif test -n "$missing"; then
    echo "missing, as root: apt-get install$missing"
fi

# -- PyPI: a virtual environment under DIR -------------------------------------------------------------

if test ! -x "$python" && test "$install" != no; then
    echo "making a virtual environment in $dir/venv"
    python3 -m venv "$dir/venv" > "$dir/venv.txt" 2>&1 || cat "$dir/venv.txt"
fi
test -x "$python" || python=python3
for package in numpy dnaio biopython deepbiop needletail rapidgzip isal xxhash datasets torch; do
    module=$package
    test $package != biopython || module=Bio
    "$python" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('$module') is None)" && continue
    if test "$install" = no; then
        echo "missing, from PyPI: $package"
        continue
    fi
    echo "installing $package from PyPI into $dir/venv"
    # PyTorch for the processor alone is small; PyPI's brings gigabytes of CUDA.
    if test $package = torch && "$python" -m pip install -q --retries 0 --timeout 20 torch \
        --index-url https://download.pytorch.org/whl/cpu > "$dir/torch.txt" 2>&1; then
        continue
    fi
    "$python" -m pip install -q $package > "$dir/$package.txt" 2>&1 || echo "not to be had: $package; see $dir/$package.txt"
done

# -- programs ------------------------------------------------------------------------------------------

for name in naive naive_full; do
    ${CC:-cc} -O2 ${KLIB_KSEQ:+"-DKLIB_KSEQ=\"$KLIB_KSEQ\""} bench/peers/$name.c -o "$dir/$name" -lz 2> "$dir/$name.txt" ||
        echo "not to be had: bench/peers/$name.c; see $dir/$name.txt"
done
# compiled_here NAME FILE FLAG...: as its author would, for this processor and as fast as it can be.
compiled_here() {
    name=$1
    file=$2
    shift 2
    ${CC:-cc} -O3 -march=native "$file" -o "$dir/$name" "$@" 2> "$dir/$name.txt" || echo "not to be had: $file; see $dir/$name.txt"
}
compiled_here strong_full bench/peers/strong_full.c -lisal -pthread
compiled_here cores bench/bench_cores.c -pthread
if test ! -f build/lib/libbiostream.so; then
    ${CC:-cc} -O2 -shared -fPIC -DBIOSTREAM_IMPLEMENTATION examples/cmake/layout.c -o "$dir/libbiostream.so" -pthread &&
        export BIOSTREAM_LIB="$PWD/$dir/libbiostream.so"
fi
echo "not built: readers in Rust (seq_io, needletail, paraseq, helicase); see bench/README.md"

# -- measuring -----------------------------------------------------------------------------------------

if test -z "$data"; then
    echo "BENCH_DATA is not set: measuring on the small files of examples/data"
    reads=examples/data/illumina_hiseqx_150bp
    set -- --batches $reads.fastq.gz $reads.fastq.gz $reads.bgzf.fastq.gz
else
    set -- --batches "$data/short.fastq.gz"
    for file in short.fastq.gz short.fastq.bgzf.gz nova.fastq.bgzf.gz long.fastq.bgzf.gz genome.fa.bgzf.gz; do
        test ! -f "$data/$file" || set -- "$@" "$data/$file"
    done
fi
names=
BENCH_CORES=$("$dir/cores") && export BENCH_CORES || unset BENCH_CORES

# keep NAME: its rows, with ratios and targets.
keep() {
    kept=$(folder_of "$results" "$dir/$1.tsv")/$1.tsv
    awk -f bench/ratios.awk bench/targets.tsv "$dir/$1.tsv" > "$kept.new" && mv "$kept.new" "$kept" || exit 1
    names="$names $kept"
}

# asked_for NAME: does BENCH_ONLY name it?
asked_for() {
    case $1 in *"${BENCH_ONLY:-}"*) ;; *) return 1 ;; esac
}

if asked_for peers_python; then
    "$python" bench/peers_python.py --tsv "$dir/peers-all.tsv" --rounds "${BENCH_ROUNDS:-5}" --naive "$dir/naive" "$@" || exit 1
    grep -v '^peers-waiting' "$dir/peers-all.tsv" > "$dir/peers.tsv"
    grep -e '^#' -e '^stage' -e '^peers-waiting' "$dir/peers-all.tsv" > "$dir/peers-waiting.tsv"
    keep peers
    keep peers-waiting
fi

if asked_for peers_full; then
    whole=${data:+$data/short.fastq.gz}
    "$python" bench/peers/full.py --tsv "$dir/peers-full.tsv" --rounds "${BENCH_ROUNDS:-5}" --naive "$dir/naive_full" --strong "$dir/strong_full" "${whole:-$reads.fastq.gz}" || exit 1
    keep peers-full
fi

# mix RECORDS many|few PEER...: two files of as many records, the first and the next of one, mixed by fxbatch and by each PEER.
mix() {
    each=$1
    rows=$dir/peers-groups-$2.tsv
    mixed=$dir/$(basename "$reads_to_mix" .fastq.gz)_$2
    shift 2
    gzip -dc "$reads_to_mix" | head -n $((each * 4)) | gzip -6 -n > "$mixed.1.fastq.gz"
    gzip -dc "$reads_to_mix" | head -n $((each * 8)) | tail -n $((each * 4)) | gzip -6 -n > "$mixed.2.fastq.gz"
    only=
    for peer in "$@"; do only="$only --only $peer"; done
    # shellcheck disable=SC2086
    "$python" bench/peers/groups.py --tsv "$rows" --rounds "${BENCH_ROUNDS:-5}" $only "$mixed.1.fastq.gz" "$mixed.2.fastq.gz"
}

# Those that take a hundred times as long get fewer records.
if asked_for groups; then
    reads_to_mix=${data:+$data/short.fastq.gz}
    reads_to_mix=${reads_to_mix:-$reads.fastq.gz}
    most=$(($(gzip -dc "$reads_to_mix" | wc -l) / 8))
    many=${BENCH_GROUP_RECORDS:-300000}
    few=20000
    test "$many" -le $most || many=$most
    test $few -le "$many" || few=$many
    mix "$many" many Weighted two && mix "$few" few datasets || exit 1
    {
        cat "$dir/peers-groups-many.tsv"
        grep '^# file' "$dir/peers-groups-few.tsv"
        grep -v -e '^#' -e '^stage' "$dir/peers-groups-few.tsv"
    } > "$dir/peers-groups.tsv"
    keep peers-groups
fi
test -n "$names" || exit 0
# shellcheck disable=SC2086
awk -f bench/tables.awk bench/why.tsv $names
echo
echo "rows in:$names"
