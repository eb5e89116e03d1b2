#!/bin/sh
# gpu_build.sh DIR [all] - compile into DIR what `make gpu-check` and `make gpu-bench` run: with a C compiler alone
# DIR/gpu_real and DIR/bench_gpu, which load CUDA's driver; with `all` and where nvcc is found also DIR/gpu_real_runtime
# and DIR/cuda_train, which have CUDA's runtime. Names each missing thing in a line; exit 1 if something that is there
# does not compile. What is newer than its sources stays.
set -u
dir=$1
what=${2:-}
CC=${CC:-cc}
mkdir -p "$dir"
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
echo "$CC $flags $define $libs" > "$dir/flags.new"
cmp -s "$dir/flags.new" "$dir/flags.txt" || mv "$dir/flags.new" "$dir/flags.txt"

# build OUTPUT SOURCES COMMAND...: unless OUTPUT is newer than all SOURCES, the headers and the flags.
build() {
    output=$dir/$1
    sources=$2
    shift 2
    stale=
    for source in $sources biostream.h biostream_cuda.h "$dir/flags.txt"; do
        test "$output" -nt "$source" || stale=yes
    done
    test -n "$stale" || return 0
    echo "  cc $output"
    "$@" -o "$output"
}

# shellcheck disable=SC2086
{
    build biostream.o biostream.h $CC $flags $define -DBIOSTREAM_IMPLEMENTATION -x c -c biostream.h &&
    build cuda_driver.o biostream_cuda.h $CC $flags $define -DBIOSTREAM_CUDA_IMPLEMENTATION -x c -c biostream_cuda.h &&
    build gpu_real.o "tests/gpu_real.c tests/test.h" $CC $flags -c tests/gpu_real.c &&
    build gpu_real "$dir/gpu_real.o $dir/biostream.o $dir/cuda_driver.o" \
        $CC "$dir/gpu_real.o" "$dir/biostream.o" "$dir/cuda_driver.o" $libs &&
    build bench_gpu "bench/bench_gpu.c bench/bench.h $dir/biostream.o $dir/cuda_driver.o" \
        $CC $flags -DBENCH_GPU_OBJECTS bench/bench_gpu.c "$dir/biostream.o" "$dir/cuda_driver.o" $libs &&
    build bench_scaling "bench/bench_scaling.c bench/bench.h" $CC $flags $define bench/bench_scaling.c $libs
} || exit 1
test "$what" = all || exit 0

# shellcheck disable=SC2086
{
    build cuda_train_c "examples/cuda_train.c examples/cuda_train.cu" $CC $flags $define examples/cuda_train.c $libs &&
    build cuda_stream "examples/cuda_stream.c" $CC $flags $define examples/cuda_stream.c $libs
} || exit 1

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if ! test -x "$nvcc"; then
    echo "skipped: nvcc (CUDA's runtime, and kernels as nvcc compiles them)"
    exit 0
fi
# For the device that is there.
# shellcheck disable=SC2086
{
    build cuda_runtime.o biostream_cuda.h "$nvcc" -arch=native -O2 $define -DBIOSTREAM_CUDA_IMPLEMENTATION -x cu \
        -c biostream_cuda.h &&
    build gpu_real_runtime "$dir/gpu_real.o $dir/biostream.o $dir/cuda_runtime.o" \
        "$nvcc" "$dir/gpu_real.o" "$dir/biostream.o" "$dir/cuda_runtime.o" ${libs% -pthread} -Xcompiler -pthread &&
    build cuda_train.o examples/cuda_train.cu "$nvcc" -arch=native -O2 $define \
        -c examples/cuda_train.cu &&
    build cuda_train "$dir/cuda_train.o" "$nvcc" "$dir/cuda_train.o" ${libs% -pthread} -Xcompiler -pthread
} || exit 1
