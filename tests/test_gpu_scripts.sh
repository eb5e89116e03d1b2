#!/bin/sh
# test_gpu_scripts.sh DIR - the scripts of `make gpu-check` and `make gpu-bench` over a driver without a GPU
# (tests/fake_gpu.c), at sizes of some KiB: each part runs, prints and keeps its table; what is not there is named; a run
# that is killed keeps what it had; a budget of seconds is kept to. No figure is looked at. Ends on `N passed, N failed`.
# needs: full once
. tests/shell.sh
mkdir -p "$work/library"

if ! $CC -O1 -shared -fPIC -pthread -Wl,-soname,libcuda.so.1 tests/fake_gpu.c -o "$work/library/libcuda.so.1" > "$work/out" 2>&1; then
    skip "a shared library with a soname"
    finish
fi
unset BENCH_DATA BENCH_RESULTS BENCH_ONLY BENCH_SECONDS BENCH_TABLES GPU_PART GPU_BENCH GPU_REQUIRED TEST_TIMEOUT \
    CUDA_VISIBLE_DEVICES CUDA_DISABLE_PTX_JIT 2> /dev/null
NVCC=none CFLAGS=-O0 BENCH_SMALL=1 BENCH_ROUNDS=5 BENCH_WORKERS=2
LD_LIBRARY_PATH=$work/library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export CC NVCC CFLAGS BENCH_SMALL BENCH_ROUNDS BENCH_WORKERS LD_LIBRARY_PATH
gpu_check() { sh tests/gpu_check.sh "$work" > "$work/all.txt" 2>&1; }
said() { grep -q -e "$1" "$work/all.txt"; }

# -- all parts --------------------------------------------------------------------------------------------

gpu_check
status=$?
check "nothing fails" sh -c "cat '$work/all.txt'; exit $status"
check "a sum at the end" sh -c "tail -n 1 '$work/all.txt' | grep -q '^[1-9][0-9]* passed, 0 failed, [1-9][0-9]* skipped$'"
for part in facts tests expand copy sanitizer python settings overlap examples pipe torch ncu scaling; do
    check "part $part says how long it took" said "^part $part: [0-9]* s$"
    check "part $part leaves what it said" test -s "$work/said/$part.txt"
done
check "no nvcc" said '^skipped: nvcc '
check "no PTX compiler, the ring" said 'CUDA_DISABLE_PTX_JIT=1, open is refused: ok'
check "no PTX compiler, the sentence" said 'desc.no_expand does without'
check "no device in sight" said 'no visible device, gpu_real: ok'
for part in expand copy overlap pipe scaling; do
    check "table of $part" grep -q '^gpu-[a-z]*	[^	]*	[^	]*	[0-9]' "$work/results/gpu-$part.tsv"
    check "table of $part is whole" sh -c "! grep '^# unfinished' '$work/results/gpu-$part.tsv'"
done
check "below 1 MiB no target" awk -F '\t' '$1 == "gpu-copy" && $6 != "-" { ++rows
    if (($2 ~ /KiB/) != ($8 == "-")) { print; bad = 1 } } END { exit bad || rows != 24 }' "$work/results/gpu-copy.tsv"
check "a batch's microseconds" grep -q '^gpu-copy-time	64 KiB	ring, 1 stream	.*	us a batch	' "$work/results/gpu-copy.tsv"
check "a ring that expands" grep -q '^gpu-overlap	ring expands to bf16	copies, expansions and work	' "$work/results/gpu-overlap.tsv"
check "expansions against memsets" grep -q '^gpu-expand	one-hot f32	expansion	.*	limit: memset on the device	' "$work/results/gpu-expand.tsv"
check "a driver's name" grep -q '^# driver     CUDA ' "$work/results/gpu-scaling.tsv"

# -- parts by name, time, an end in the middle --------------------------------------------------------------

GPU_PART='facts, python' gpu_check
check "two parts" sh -c "grep -c '^part [a-z]*$' '$work/all.txt' | grep -qx 2"
check "an unknown part is refused" sh -c "! GPU_PART=fact sh tests/gpu_check.sh '$work'"
check "with the names there are" sh -c "GPU_PART=fact sh tests/gpu_check.sh '$work' 2>&1 | grep -q 'facts tests expand'"
BENCH_SECONDS=0 gpu_check
check "no time: each part is named" sh -c "grep -c '^skipped: no time: part ' '$work/all.txt' | grep -qx 13"
check "no time: each case is named" sh -c "BENCH_SECONDS=0 '$work/bench_gpu' copy | grep -c '^skipped: no time: copy, ' | grep -qx 24"

if command -v setsid > /dev/null; then # a process group of its own
    rm -f "$work/results/gpu-copy.tsv"
    BENCH_ROUNDS=99 BENCH_ONLY=copy setsid sh bench/gpu.sh "$work" > "$work/all.txt" 2>&1 &
    job=$!
    tries=0
    until grep -q '^gpu-copy	' "$work/results/gpu-copy.tsv" 2> /dev/null || test $tries = 600; do
        tries=$((tries + 1))
        sleep 0.1
    done
    kill -9 -$job
    wait $job 2> /dev/null
    check "killed: the rows before are kept" grep -q '^gpu-copy	64 KiB	ring, 1 stream	' "$work/results/gpu-copy.tsv"
    check "killed: the table says so" grep -q '^# unfinished' "$work/results/gpu-copy.tsv"
    check "killed: what was printed, too" grep -q '^  64 KiB   1 stream ' "$work/all.txt"
else
    skip setsid
fi

# -- no GPU -------------------------------------------------------------------------------------------------

CUDA_VISIBLE_DEVICES=
export CUDA_VISIBLE_DEVICES
check "no GPU is no failure" sh tests/gpu_check.sh "$work"
check "nor of the benches" sh bench/gpu.sh "$work"
gpu_check
check "and it is said" said '^skipped: no GPU: .'
GPU_REQUIRED=1
export GPU_REQUIRED
check "GPU_REQUIRED makes it one" sh -c "! sh tests/gpu_check.sh '$work'"
check "and of the benches" sh -c "! sh bench/gpu.sh '$work'"
gpu_check
check "with the sentence" said '^skipped: no GPU: .'
check "and a sum" said '^0 passed, 1 failed$'
finish
