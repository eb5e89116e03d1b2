#!/bin/sh
# gpu_check.sh DIR - all that a GPU can check, built into DIR: batches, expansions, contexts, exports, times and errors
# with CUDA's driver and, where nvcc is, its runtime; the examples; compute-sanitizer where it works; the benchmarks.
# Without a GPU it says `skipped: no GPU` and ends well. Ends on `N passed, N failed`.
#
#   GPU_BENCH=no   the tests alone
set -u
dir=$1
mkdir -p "$dir"
passed=0
failed=0
limit=
! command -v timeout > /dev/null || limit="timeout ${TEST_TIMEOUT:-600}"

if ! sh tests/gpu_build.sh "$dir" > "$dir/build.txt" 2>&1; then
    cat "$dir/build.txt"
    echo "FAILED to build"
    echo "0 passed, 1 failed"
    exit 1
fi
"$dir/gpu_real" gpu_look > "$dir/look.txt" 2>&1
if grep '^skipped: no GPU' "$dir/look.txt"; then
    exit 0
fi
sed -n 's/^device: /device: /p' "$dir/look.txt"

# check WHAT COMMAND...: one result.
check() {
    name=$1
    shift
    if $limit "$@" > "$dir/output.txt" 2>&1; then
        passed=$((passed + 1))
        echo "$name: ok"
    else
        failed=$((failed + 1))
        echo "FAILED $name: $*"
        tail -n 40 "$dir/output.txt" | sed 's/^/    /'
    fi
}

# tests WHAT COMMAND...: the results of a program that ends on `N passed, N failed`.
tests() {
    name=$1
    shift
    $limit "$@" > "$dir/output.txt" 2>&1
    status=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$dir/output.txt" | tail -n 1)
    test -n "$line" || line="0 passed, 1 failed"
    p=${line%% *}
    f=${line#*, }
    f=${f%% *}
    test $status = 0 || test "$f" != 0 || f=1
    echo "$name: $line"
    test "$f" = 0 || sed 's/^/    /' "$dir/output.txt" | tail -n 60
    passed=$((passed + p))
    failed=$((failed + f))
}

check build sh tests/gpu_build.sh "$dir" all
grep '^skipped: ' "$dir/output.txt"
runtime=$dir/gpu_real_runtime
test -x "$runtime" || runtime=
# A runtime may ask for a newer driver than the one that is there.
if test -n "$runtime" && ! "$runtime" gpu_look > "$dir/look.txt" 2>&1 || grep '^skipped: ' "$dir/look.txt"; then
    runtime=
fi
tests "with CUDA's driver" "$dir/gpu_real" gpu_
test -z "$runtime" || tests "with CUDA's runtime" "$runtime" gpu_

# The examples: one picture, and the same figures with kernels as with loops.
genomes="examples/data/ecoli_536_genome.fasta.gz examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz"
check cuda_stream "$dir/cuda_stream" examples/data/illumina_hiseqx_150bp.fastq.gz "$dir/timeline.svg"
cat "$dir/output.txt"
# shellcheck disable=SC2086
if test -n "$runtime"; then
    "$dir/cuda_train_c" $genomes > "$dir/train_c.txt" 2>&1
    "$dir/cuda_train" $genomes > "$dir/train.txt" 2>&1
    check "cuda_train prints what its twin prints" diff "$dir/train_c.txt" "$dir/train.txt"
fi

# compute-sanitizer, where this driver lets it work.
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
if ! test -x "$sanitizer"; then
    echo "skipped: compute-sanitizer"
elif ! $limit "$sanitizer" "$dir/gpu_real" gpu_times > "$dir/output.txt" 2>&1; then
    echo "skipped: compute-sanitizer (it does not work here)"
    tail -n 5 "$dir/output.txt" | sed 's/^/    /'
else
    for program in gpu_real ${runtime:+gpu_real_runtime}; do
        for tool in memcheck racecheck; do
            check "$program, $tool, expansions" "$sanitizer" --tool $tool --error-exitcode 9 "$dir/$program" gpu_expan
            check "$program, $tool, ring" "$sanitizer" --tool $tool --error-exitcode 9 "$dir/$program" gpu_ring_in
        done
    done
fi

if test "${GPU_BENCH:-yes}" != no; then
    echo "benchmarks"
    sh bench/gpu.sh "$dir" > "$dir/bench.txt" 2>&1
    status=$?
    cat "$dir/bench.txt"
    if test $status = 0; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
fi
echo "$passed passed, $failed failed"
test $failed = 0
