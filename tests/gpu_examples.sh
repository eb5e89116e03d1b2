#!/bin/sh
# gpu_examples.sh EXAMPLES DRIVER - run the device examples that lie in the folder EXAMPLES over the libcuda.so.1 without a
# GPU that lies in the folder DRIVER (see fake_libcuda.c). What they must print comes from zcat and awk, or from the same
# program in host memory. Ends on `N passed, N failed`.
set -u
examples=$1
driver=$2
reads=examples/data/illumina_hiseqx_150bp.fastq.gz
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# same NAME WANT GOT
same() {
    if test "$2" = "$3"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED %s\n    expected: %s\n    actual:   %s\n' "$1" "$2" "$3"
    fi
}

on_device() { env LD_LIBRARY_PATH="$driver" "$@"; }

# Batches of 256 rows of 150 bases: 10000 reads are 40 batches.
want=$(gzip -dc $reads | awk 'NR % 4 == 2 { bases += length($0); marked += gsub(/[GC]/, "") }
    END { printf "%.2f %% of %.0f bases are G or C", 100 * marked / bases, bases }')
same cuda_graph "40 batches, 3 graphs: $want" "$(on_device "$examples/cuda_graph" $reads 2>&1)"
same "cuda_graph in host memory" "40 batches, 0 graphs: $want" "$(env LD_LIBRARY_PATH= "$examples/cuda_graph" $reads 2>&1 | tail -n 1)"

same cuda_stream "24 batches, drawn" "$(on_device "$examples/cuda_stream" $reads "$work/timeline.svg" 2>&1 | awk '
    $1 == "batch" && $2 == count + 0 { count++ }
    END { print count " batches, " $0 }')"
same "cuda_stream's picture" 72 "$(grep -c '<rect ' "$work/timeline.svg")"

echo "$passed passed, $failed failed"
test $failed = 0
