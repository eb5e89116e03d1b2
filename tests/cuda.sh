#!/bin/sh
# cuda.sh [DIR] - compile biostream_cuda.h with nvcc and with CUDA's runtime in, warnings as errors; let ptxas have
# the PTX that is in it; and see that this PTX is the kernels'. No GPU is needed; a minute.
#
# nvcc is looked for in PATH and in /usr/local/cuda/bin. The last line is `N passed, N failed`; without nvcc one
# line `skipped: no nvcc` stands in front of it.
set -u
dir=${1:-build/cuda}
CC=${CC:-cc}
CXX=${CXX:-c++}
mkdir -p "$dir"
PATH=$PATH:/usr/local/cuda/bin
passed=0
failed=0

# check NAME COMMAND...: one result; what a failing command printed is shown.
check() {
    name=$1
    shift
    if "$@" > "$dir/output.txt" 2>&1; then
        passed=$((passed + 1))
        sed -n -e '/^skipped: /p' "$dir/output.txt"
    else
        failed=$((failed + 1))
        echo "FAILED $name: $*"
        sed -e 's/^/    /' -e 40q "$dir/output.txt"
    fi
}

finish() {
    echo "$passed passed, $failed failed"
    test $failed = 0
    exit
}

check ptx_is_fresh sh tests/make_ptx.sh --check biostream_cuda.h

if ! command -v nvcc > /dev/null 2>&1; then
    echo "skipped: no nvcc"
    finish
fi
nvcc --version | sed -n 's/^Cuda compilation tools, /nvcc: /p'
warnings="-Wall -Wextra -Wconversion -Wshadow -Wundef -pedantic -Werror"
define=
echo '#include <libdeflate.h>' > "$dir/libdeflate.c"
! $CC -E "$dir/libdeflate.c" > "$dir/output.txt" 2>&1 || define=-DBIOSTREAM_LIBDEFLATE

# Which processors this nvcc knows of those we name; and PTX for all that come.
nvcc --list-gpu-code > "$dir/known.txt"
codes='-gencode arch=compute_75,code=compute_75'
known=
for number in 75 80 86 90 100; do
    if grep -q "^sm_$number\$" "$dir/known.txt"; then
        codes="$codes -gencode arch=compute_$number,code=sm_$number"
        known="$known $number"
    else
        echo "skipped: sm_$number (nvcc does not know it)"
    fi
done

# The implementation, and examples that are CUDA, for all of them at once.
for source in tests/compile/cuda.cu examples/*.cu; do
    test -f "$source" || continue
    # shellcheck disable=SC2086
    check "nvcc $source" nvcc -std=c++17 -O2 $codes $define -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror \
        -c "$source" -o "$dir/$(basename "$source" .cu).o"
done

# CUDA's runtime in a C and in a C++ compiler's file.
include=
for candidate in "$(dirname "$(command -v nvcc)")/../include" /usr/local/cuda/include /usr/local/include \
    /usr/include; do
    test -n "$include" || ! test -f "$candidate/cuda_runtime_api.h" || include=$candidate
done
if test -n "$include"; then
    # shellcheck disable=SC2086
    check runtime_c $CC -std=c99 -O1 $warnings $define -isystem "$include" -c tests/compile/cuda_runtime.c \
        -o "$dir/runtime_c.o"
    # shellcheck disable=SC2086
    check runtime_cxx $CXX -std=c++11 -O1 $warnings $define -isystem "$include" -x c++ \
        -c tests/compile/cuda_runtime.c -o "$dir/runtime_cxx.o"
else
    echo "skipped: cuda_runtime_api.h"
fi

# The PTX as the header has it.
sed -n '/PTX begins:/,/PTX ends/s/^    "\(.*\)\\n";*$/\1/p' biostream_cuda.h |
    sed 's/\\\([\\"]\)/\1/g' > "$dir/kernels.ptx"
if command -v ptxas > /dev/null 2>&1; then
    for number in $known; do
        check "ptxas sm_$number" ptxas --warning-as-error -arch="sm_$number" "$dir/kernels.ptx" -o "$dir/kernels.cubin"
    done
else
    echo "skipped: ptxas"
fi
finish
