#!/bin/sh
# gpu_check.sh DIR - all that a GPU can check, built into DIR, in parts of at most six minutes each, what is cheap and tells
# most first. Prints as it goes, and ends on `N passed, N failed`. What a part printed lies in DIR/said/PART.txt, tables in
# bench/results/PROCESSOR, from the first row on: a run that is killed loses the case under way. Without a GPU it says
# `skipped: no GPU` and ends well.
#
#   facts       the machine: GPU, driver, bus, libraries, tools
#   tests       each test of gpu_real in a process of its own, with CUDA's driver and with its runtime
#   expand      bench_gpu: kernels against copies and memsets on the device
#   copy        bench_gpu: copies to the device against the bare loop
#   sanitizer   compute-sanitizer: memcheck with its leak check, initcheck
#   python      tensors of the device in Python, through DLPack into PyTorch and CuPy where they are
#   settings    the tests once more with kernels loaded early and with launches that wait; without a PTX compiler copies
#               work and expansions are refused in a sentence; without a device in sight that is said
#   overlap     bench_gpu: copies beside the consumer's work
#   examples    cuda_stream's timeline; cuda_graph's graphs; cuda_train prints what its twin on the CPU prints
#   pipe        bench_gpu: files to the device
#   torch       the same files through PyTorch's DataLoader
#   ncu         Nsight Compute's figures of each kernel
#   scaling     bench_scaling: workers up to all cores
#
#   GPU_PART="facts tests"   only these parts; without it all of them in this order
#   GPU_BENCH=no             without those that measure
#   GPU_REQUIRED=1           it is an error that there is no GPU
#   BENCH_SECONDS=N          what would begin after so many seconds is named: `skipped: no time: NAME`
#   TEST_TIMEOUT=N           most seconds of one check; without it 150, of one test of gpu_real as gpu_each.sh says
# and what bench/gpu.sh and tests/gpu_build.sh have.
set -u
dir=$1
all='facts tests expand copy sanitizer python settings overlap examples pipe torch ncu scaling'
measuring=' expand copy overlap pipe torch ncu scaling '
part_most=330 # seconds after which nothing of a part begins
mkdir -p "$dir/said"
began=$(date +%s)
counts=$dir/counts.txt
: > "$counts"

parts=$(echo "${GPU_PART:-$all}" | tr ',' ' ')
for part in $parts; do
    case " $all " in *" $part "*) ;; *)
        echo "gpu_check.sh: there is no part '$part'; there are: $all" >&2
        exit 2 ;;
    esac
done

finish() {
    awk '{ p += $1; f += $2; s += $3 }
        END { printf "%d passed, %d failed%s\n", p, f, s ? ", " s " skipped" : ""; exit f > 0 }' "$counts"
    exit
}

# build [all]: what does not compile is one failure; the rest is run.
build() {
    if ! sh tests/gpu_build.sh "$dir" "$@"; then
        echo "FAILED to build"
        echo "0 1 0" >> "$counts"
        if ! test -x "$dir/gpu_real" || ! test -x "$dir/bench_gpu"; then finish; fi
    fi
}

# Where a GPU is likely, all is compiled at once.
likely=
! test -e /dev/nvidiactl && ! nvidia-smi -L > /dev/null 2>&1 || likely=all
build $likely
"$dir/gpu_real" gpu_look > "$dir/look.txt" 2>&1
if grep '^skipped: no GPU' "$dir/look.txt"; then
    test -z "${GPU_REQUIRED:-}" || { echo "FAILED: GPU_REQUIRED asks for one"; echo "0 1 0" >> "$counts"; finish; }
    exit 0
fi
grep '^device: ' "$dir/look.txt"
test -n "$likely" || build all
runtime=$dir/gpu_real_runtime
# A runtime may ask for a newer driver than the one that is there.
if ! test -x "$runtime" || ! "$runtime" gpu_look > "$dir/look.txt" 2>&1 || grep '^skipped: ' "$dir/look.txt"; then
    runtime=
fi

passed() { echo "1 0 0" >> "$counts"; }
failed() { echo "0 1 0" >> "$counts"; }
skipped() { echo "skipped: $1" && echo "0 0 1" >> "$counts"; }

# seconds_left: of the part, or of BENCH_SECONDS where that is less.
seconds_left() {
    now=$(date +%s)
    left=$((part_most + part_began - now))
    whole=${BENCH_SECONDS:+$((BENCH_SECONDS + began - now))}
    test -z "$whole" || test "$whole" -ge "$left" || left=$whole
    echo "$left"
}

# limit_of SECONDS: those, or what is left of the part where that is less, but never below 30.
limit_of() {
    left=$(seconds_left)
    test "$left" -lt "$1" || left=$1
    test "$left" -ge 30 || left=30
    echo "$left"
}

# shown SECONDS COMMAND...: its lines as they come, and in DIR/output.txt; its status; 124 where it is stopped.
shown() {
    limit=
    ! command -v timeout > /dev/null || limit="timeout -k 5 $1"
    shift
    : > "$dir/output.txt"
    echo 1 > "$dir/status"
    { $limit "$@" 2>&1; echo "ended $?"; } | while IFS= read -r line; do
        case $line in 'ended '*) echo "${line#ended }" > "$dir/status" && continue ;; esac
        printf '%s\n' "$line" >> "$dir/output.txt"
        printf '    %s\n' "$line"
    done
    return "$(cat "$dir/status")"
}

# no_time NAME: whether it is too late to begin.
no_time() {
    test "$(seconds_left)" -le 0 || return 1
    skipped "no time: $1"
}

# check NAME COMMAND...: one result. What the end of the part stops is no failure.
check() {
    name=$1 most=${TEST_TIMEOUT:-150}
    shift
    ! no_time "$name" || return 0
    echo "  $name"
    start=$(date +%s)
    seconds=$(limit_of "$most")
    shown "$seconds" "$@"
    status=$?
    if test $status = 0; then
        passed
        echo "  $name: ok ($(($(date +%s) - start)) s)"
    elif test $status = 124 && test "$seconds" != "$most"; then
        skipped "no time: $name (stopped after $seconds s)"
    else
        failed
        echo "FAILED $name (status $status): $*"
    fi
}

# tests NAME COMMAND...: the results of a program that ends on `N passed, N failed`. It stops its own tests.
tests() {
    name=$1
    shift
    ! no_time "$name" || return 0
    echo "  $name"
    start=$(date +%s)
    shown "$(limit_of "$part_most")" "$@"
    awk -v status=$? '/^[0-9]+ passed, [0-9]+ failed/ { p = $1; f = $3; s = $5 + 0; seen = 1 }
        END { if (!seen || (status != 0 && f == 0)) ++f; print p + 0, f + 0, s + 0; exit f > 0 }' "$dir/output.txt" >> "$counts" ||
        echo "FAILED $name: $*"
    echo "  $name: $(tail -n 1 "$counts" | awk '{ print $1 " passed, " $2 " failed, " $3 " skipped" }') ($(($(date +%s) - start)) s)"
}

# bench PART: of bench/gpu.sh, which has the time that is left.
bench() {
    if test "$1" = torch && ! has_torch; then
        skipped "torch (PyTorch with CUDA)"
        return
    fi
    if BENCH_SECONDS=$(seconds_left) BENCH_ONLY=$1 BENCH_TABLES=no sh bench/gpu.sh "$dir"; then passed; else failed; fi
}

# tool NAME: where it is, or nothing.
tool() { command -v "$1" || { test -x "/usr/local/cuda/bin/$1" && echo "/usr/local/cuda/bin/$1"; }; }

# fact WHAT COMMAND...: what it prints, if it works.
fact() {
    what=$1
    shift
    "$@" > "$dir/fact.txt" 2>&1 || return 0
    sed "s/^/$what: /" "$dir/fact.txt"
}

part_facts() {
    fact system uname -srm
    fact processors getconf _NPROCESSORS_ONLN
    fact processor sh -c 'sed -n "s/^model name[^:]*: //p" /proc/cpuinfo | head -n 1'
    fact memory sh -c 'head -n 2 /proc/meminfo'
    fact 'locked memory, KiB' sh -c 'ulimit -l'
    fact gpu nvidia-smi --format=csv --query-gpu=name,driver_version,memory.total,compute_cap,persistence_mode,compute_mode,mig.mode.current,ecc.mode.current,clocks.max.sm,clocks.max.mem,power.limit
    # At rest a link may be slower than it can be.
    fact bus nvidia-smi --format=csv --query-gpu=pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max
    fact topology nvidia-smi topo -m
    fact driver cat /proc/driver/nvidia/version
    fact library sh -c 'ldconfig -p | grep -e libcuda -e ptxjit -e libcudart -e libdeflate'
    fact cache sh -c 'ls -ld ~/.nv 2> /dev/null || echo none'
    for name in nvcc ptxas compute-sanitizer ncu; do
        path=$(tool $name)
        test -z "$path" || fact "$name" sh -c "'$path' --version | tail -n 2"
    done
    fact compiler sh -c "${CC:-cc} --version | head -n 1"
    fact python python3 -c 'import torch; print(torch.__version__, "CUDA", torch.version.cuda, torch.cuda.is_available())'
    fact 'opened by us' "$dir/bench_gpu" device
    passed
}

part_tests() {
    tests "with CUDA's driver" sh tests/gpu_each.sh "$dir/gpu_real"
    test -z "$runtime" || tests "with CUDA's runtime" sh tests/gpu_each.sh "$runtime"
}

part_sanitizer() {
    sanitizer=$(tool compute-sanitizer)
    if test -z "$sanitizer"; then
        skipped "compute-sanitizer"
        return
    fi
    if ! shown 60 "$sanitizer" "$dir/gpu_real" gpu_times; then
        skipped "compute-sanitizer (it does not work here)"
        return
    fi
    memcheck="$sanitizer --tool memcheck --error-exitcode 9"
    initcheck="$sanitizer --tool initcheck --error-exitcode 9"
    # shellcheck disable=SC2086
    for program in gpu_real ${runtime:+gpu_real_runtime}; do
        check "$program, memcheck, expansions" $memcheck "$dir/$program" gpu_expan
        check "$program, memcheck and leaks, ring" $memcheck --leak-check full "$dir/$program" gpu_ring_in
        check "$program, initcheck, expansions" $initcheck "$dir/$program" gpu_expan
        check "$program, initcheck, ring" $initcheck "$dir/$program" gpu_ring_in
        check "$program, initcheck, exports" $initcheck "$dir/$program" gpu_exports
        check "$program, memcheck, exports" $memcheck "$dir/$program" gpu_exports
        check "$program, initcheck, all encodings" $initcheck "$dir/$program" gpu_ring_eq
    done
}

has_torch() { python3 -c 'import torch; raise SystemExit(not torch.cuda.is_available())' 2> /dev/null; }

part_python() {
    if ! command -v python3 > /dev/null || ! test -f "$dir/libgpu_door.so"; then
        skipped "tensors in Python (python3, tests/gpu_door.c)"
    else
        tests "tensors in Python" python3 -u tests/gpu_dlpack.py "$dir/libgpu_door.so" \
            examples/data/illumina_hiseqx_150bp.fastq.gz
    fi
}

# A command that fails and says why, as a script of `sh -c`: TEXT COMMAND...
refused='text=$1
    shift
    if said=$("$@" 2>&1); then
        echo "it works, and was to fail"
        exit 1
    fi
    echo "$said" | tail -n 1
    echo "$said" | grep -q "$text"'

part_settings() {
    for setting in CUDA_MODULE_LOADING=EAGER CUDA_LAUNCH_BLOCKING=1; do
        for program in gpu_real ${runtime:+gpu_real_runtime}; do
            tests "$setting, $program" env $setting sh tests/gpu_each.sh "$dir/$program" gpu_ring
        done
    done
    # The kernels are PTX, and the driver may not compile it.
    reads=examples/data/illumina_hiseqx_150bp.fastq.gz
    no_ptx='CUDA_DISABLE_PTX_JIT=1 BENCH_SMALL=1 BENCH_ROUNDS=5'
    # shellcheck disable=SC2086
    {
        check "CUDA_DISABLE_PTX_JIT=1, copies work" env $no_ptx "$dir/bench_gpu" copy
        check "CUDA_DISABLE_PTX_JIT=1, open is refused" sh -c "$refused" sh 'desc.no_expand' env $no_ptx "$dir/bench_gpu" pipe $reads
        check "CUDA_DISABLE_PTX_JIT=1, expansions are refused" sh -c "$refused" sh 'bench_gpu: expansion: ' env $no_ptx "$dir/bench_gpu" expand
    }
    for program in gpu_real ${runtime:+gpu_real_runtime}; do
        check "no visible device, $program" sh -c "CUDA_VISIBLE_DEVICES= '$dir/$program' gpu_look | grep '^skipped: no GPU: .'"
    done
}

part_examples() {
    reads=examples/data/illumina_hiseqx_150bp.fastq.gz
    check cuda_stream "$dir/cuda_stream" $reads "$dir/timeline.svg"
    # Its batches have 256 rows.
    want=$(gzip -dc $reads | awk 'NR % 4 == 2 { bases += length($0); marked += gsub(/[GC]/, "") }
        END { printf "%d batches, 3 graphs: %.2f %% of %.0f bases are G or C", (NR / 4 + 255) / 256, 100 * marked / bases, bases }')
    check cuda_graph sh -c "got=\$('$dir/cuda_graph' $reads 2>&1); echo \"\$got\"; test \"\$got\" = '$want'"
    genomes="examples/data/ecoli_536_genome.fasta.gz examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz"
    if test -n "$runtime" && test -x "$dir/cuda_train"; then
        check "cuda_train prints what its twin prints" sh -c "'$dir/cuda_train_c' $genomes > '$dir/train_c.txt' 2>&1
            '$dir/cuda_train' $genomes > '$dir/train.txt' 2>&1; cat '$dir/train.txt'; diff '$dir/train_c.txt' '$dir/train.txt'"
    else
        skipped "cuda_train (CUDA's runtime)"
    fi
}

# Of what Nsight Compute prints, all in DIR/said/ncu_all.txt, the lines that matter. The clocks are left as they are.
part_ncu() {
    ncu=$(tool ncu)
    if test -z "$ncu"; then
        skipped ncu
        return
    fi
    ! no_time ncu || return 0
    : > "$dir/said/ncu_all.txt"
    echo 1 > "$dir/status"
    limit=
    ! command -v timeout > /dev/null || limit="timeout -k 5 $(limit_of 300)"
    { $limit "$ncu" --clock-control none --section SpeedOfLight --section LaunchStats --section Occupancy \
        --section MemoryWorkloadAnalysis "$dir/bench_gpu" launch 2>&1; echo "ended $?"; } | while IFS= read -r line; do
        case $line in
            'ended '*) echo "${line#ended }" > "$dir/status" && continue ;;
            launch\ * | *bsi_cuda_kernels_*Context* | *' Duration '* | *' Throughput '* | *'Achieved Occupancy'* | \
                *'Registers Per Thread'* | *'Hit Rate'* | *==ERROR==*) printf '    %s\n' "$line" ;;
        esac
        printf '%s\n' "$line" >> "$dir/said/ncu_all.txt"
    done
    if test "$(cat "$dir/status")" = 0 && grep -q ' Duration ' "$dir/said/ncu_all.txt"; then
        passed
    else
        tail -n 5 "$dir/said/ncu_all.txt" | sed 's/^/    /'
        skipped "ncu (it does not work here)"
    fi
}

for part in $parts; do
    case "${GPU_BENCH:-yes}$measuring" in no*" $part "*) continue ;; esac
    part_began=$(date +%s)
    ! no_time "part $part" || continue
    echo "part $part"
    {
        case $part in
            expand | copy | overlap | pipe | torch | scaling) bench "$part" ;;
            *) "part_$part" ;;
        esac
    } 2>&1 | tee "$dir/said/$part.txt"
    echo "part $part: $(($(date +%s) - part_began)) s"
done
finish
