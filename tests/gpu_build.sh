#!/bin/sh
# gpu_build.sh DIR [all] - compile into DIR what `make gpu-check` and `make gpu-bench` run: with a C compiler alone
# DIR/gpu_real and DIR/bench_gpu, which load CUDA's driver, and DIR/bench_scaling; with `all` also the examples, the door
# to Python and, where nvcc is found, DIR/gpu_real_runtime and DIR/cuda_train, which have CUDA's runtime. As many
# compilers at once as there are processors. Names each missing thing in a line; exit 1 if something that is there does
# not compile. What was made of the same bytes, by the same command, stays, whatever the times of the files are.
#
#   NVCC=PATH          another nvcc than that of PATH or /usr/local/cuda; none: do without
#   NVCC_ARCH=sm_90    what nvcc compiles for; without it the device that is there
#   NO_LIBDEFLATE=1    for programs that are to run on another machine
#   GPU_JOBS=N         so many compilers at once
set -u
dir=$1
what=${2:-}
CC=${CC:-cc}
mkdir -p "$dir/sources"
warnings="-Wall -Wextra -Wshadow -Wundef -pedantic ${WERROR:-}"
flags="${CFLAGS:--O2} $warnings"

probe() {
    printf '%s\n' "$3" > "$dir/probe.c"
    # shellcheck disable=SC2086
    $CC "$dir/probe.c" -o "$dir/probe" $2 > "$dir/probe_$1.txt" 2>&1
}

define=
libs=
if test -z "${NO_LIBDEFLATE:-}" && probe libdeflate -ldeflate '#include <libdeflate.h>
int main(void) { return (int)libdeflate_crc32(0, "", 0); }'; then
    define=-DBIOSTREAM_LIBDEFLATE
    libs=-ldeflate
fi
! probe dl -ldl 'int main(void) { return 0; }' || libs="$libs -ldl"
libs="$libs -lm -pthread"

# The sum of each source, in a file that is touched only when the source has changed: what rules depend on.
for source in biostream.h biostream_cuda.h tests/gpu_real.c tests/gpu_door.c tests/test.h bench/bench_gpu.c \
    bench/bench_scaling.c bench/bench.h examples/cuda_stream.c examples/cuda_graph.c examples/cuda_train.c examples/cuda_train.cu; do
    test -f "$source" || continue
    sum=$dir/sources/$(basename "$source").sum
    cksum < "$source" > "$dir/sum.new"
    cmp -s "$dir/sum.new" "$sum" || mv "$dir/sum.new" "$sum"
done

rules=$dir/rules.mk
wanted=
: > "$rules.new"

# build OUTPUT SOURCES OBJECTS COMMAND...: a rule for DIR/OUTPUT. A changed command is a changed source.
build() {
    output=$1 needs=
    for source in $2; do needs="$needs $dir/sources/$(basename "$source").sum"; done
    for object in $3; do needs="$needs $dir/$object"; done
    shift 3
    echo "$*" > "$dir/sum.new"
    cmp -s "$dir/sum.new" "$dir/sources/$output.command" || mv "$dir/sum.new" "$dir/sources/$output.command"
    printf '%s: %s\n\t@echo "  cc %s"\n\t@%s -o %s || { rm -f %s; exit 1; }\n' "$dir/$output" \
        "$needs $dir/sources/$output.command" "$dir/$output" "$*" "$dir/$output" "$dir/$output" >> "$rules.new"
    wanted="$wanted $dir/$output"
}

headers='biostream.h biostream_cuda.h'
objects='biostream.o cuda_driver.o'
linked="$dir/biostream.o $dir/cuda_driver.o"
with_objects='-DBIOSTREAM_IMPLEMENTED -DBIOSTREAM_CUDA_IMPLEMENTED'

nvcc=
if test "$what" = all; then
    nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
    if ! test -x "$nvcc"; then
        nvcc=
        echo "skipped: nvcc (CUDA's runtime, and kernels as nvcc compiles them)"
    fi
fi
# What takes longest comes first.
if test -n "$nvcc"; then
    arch=${NVCC_ARCH:-native}
    build cuda_runtime.o "$headers" "" "$nvcc" "-arch=$arch" -O2 "$define" -DBIOSTREAM_CUDA_IMPLEMENTATION -x cu \
        -c biostream_cuda.h
    build cuda_train.o "$headers examples/cuda_train.cu" "" "$nvcc" "-arch=$arch" -O2 "$define" "$with_objects" \
        -c examples/cuda_train.cu
fi
build biostream.o "$headers" "" "$CC" "$flags" "$define" -DBIOSTREAM_IMPLEMENTATION -x c -c biostream.h
build bench_scaling "$headers bench/bench_scaling.c bench/bench.h" "" "$CC" "$flags" "$define" bench/bench_scaling.c "$libs"
build cuda_driver.o "$headers" "" "$CC" "$flags" "$define" -DBIOSTREAM_CUDA_IMPLEMENTATION -x c -c biostream_cuda.h
build gpu_real.o "$headers tests/gpu_real.c tests/test.h" "" "$CC" "$flags" -c tests/gpu_real.c
build gpu_real "" "gpu_real.o $objects" "$CC" "$dir/gpu_real.o" "$linked" "$libs"
build bench_gpu "$headers bench/bench_gpu.c bench/bench.h" "$objects" "$CC" "$flags" -DBENCH_GPU_OBJECTS \
    bench/bench_gpu.c "$linked" "$libs"
if test "$what" = all; then
    build cuda_train_c "$headers examples/cuda_train.c examples/cuda_train.cu" "$objects" "$CC" "$flags" "$define" \
        "$with_objects" examples/cuda_train.c "$linked" "$libs"
    for example in cuda_stream cuda_graph; do
        build $example "$headers examples/$example.c" "$objects" "$CC" "$flags" "$define" "$with_objects" \
            examples/$example.c "$linked" "$libs"
    done
    # The door is a library, and has the implementation inside.
    test ! -f tests/gpu_door.c ||
        build libgpu_door.so "$headers tests/gpu_door.c" "" "$CC" "$flags" "$define" -shared -fPIC tests/gpu_door.c "$libs"
fi
if test -n "$nvcc"; then
    build gpu_real_runtime "" "gpu_real.o biostream.o cuda_runtime.o" "$nvcc" "$dir/gpu_real.o" "$dir/biostream.o" \
        "$dir/cuda_runtime.o" "${libs% -pthread}" -Xcompiler -pthread
    build cuda_train "" "cuda_train.o biostream.o cuda_runtime.o" "$nvcc" "$dir/cuda_train.o" "$dir/biostream.o" \
        "$dir/cuda_runtime.o" "${libs% -pthread}" -Xcompiler -pthread
fi

{
    printf 'all:%s\n' "$wanted"
    cat "$rules.new"
} > "$rules"
jobs=${GPU_JOBS:-$(getconf _NPROCESSORS_ONLN 2> /dev/null || nproc 2> /dev/null || echo 2)}
exec env MAKEFLAGS= MAKELEVEL= "${MAKE:-make}" -s -k "-j$jobs" -f "$rules" all
