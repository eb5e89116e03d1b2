#!/bin/sh
# cuda.sh [DIR] - compile biostream_cuda.h with nvcc and with CUDA's runtime in, warnings as errors; let ptxas have
# the PTX that is in it; see that this PTX is the kernels', and that the driver's calls are declared as the toolkit
# declares them. No GPU is needed; a minute.
#
# nvcc is looked for in PATH and in /usr/local/cuda/bin; headers in the folders CUDA_INCLUDE names (apart by colons),
# in CUDA_HOME, beside nvcc, and where toolkits and Debian put them. The last line is `N passed, N failed`; before it
# is a line `skipped: WHAT` for each thing that is missing.
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

# header_folder HEADER...: the first include folder that has all of them; nothing where none has.
header_folder() {
    nvcc=$(command -v nvcc)
    for folder in $(echo "${CUDA_INCLUDE:-}" | tr : ' ') "${CUDA_HOME:-/usr/local/cuda}/include" \
        "${nvcc:+$(dirname "$nvcc")/../include}" "${CUDA_HOME:-/usr/local/cuda}"/targets/*/include \
        /usr/local/cuda/include /usr/local/include /usr/include; do
        for header in "$@"; do
            test -f "$folder/$header" || continue 2
        done
        echo "$folder"
        return
    done
}

# include_option FOLDER: the option for it. None for a folder that compilers search by themselves: named, it would be
# searched too early.
include_option() {
    case $1 in
        /usr/include | /usr/local/include) ;;
        *) echo "-isystem $1" ;;
    esac
}

# The driver's calls as the toolkit declares them; and the comparison sees two names swapped, and one wider argument.
api() {
    # shellcheck disable=SC2046
    $CXX -std=c++17 -O0 -Wall -Wextra -Wconversion -Wshadow -Wundef -pedantic -Werror $(include_option "$include") \
        "$@" tests/cuda_api.cc -o "$dir/cuda_api" -ldl -pthread && "$dir/cuda_api"
}
api_sees() {
    message=$1
    sed "$2" biostream_cuda.h > "$dir/changed.h"
    ! cmp -s biostream_cuda.h "$dir/changed.h" || return 1
    ! api -I"$dir" -I. -DCUDA_API_HEADER='"changed.h"' > "$dir/changed.txt" 2>&1 || return 1
    cat "$dir/changed.txt"
    grep -q "$message" "$dir/changed.txt"
}
include=$(header_folder cuda.h cudaTypedefs.h)
if test -n "$include"; then
    check api api
    sed -n '/^toolkit /p' "$dir/output.txt"
    check api_sees_names api_sees '^FAILED cuMemAlloc_v2: cuMemFree_v2' \
        's/"cuMemAlloc_v2"/"a"/; s/"cuMemFree_v2"/"cuMemAlloc_v2"/; s/"a"/"cuMemFree_v2"/'
    check api_sees_sizes api_sees '^FAILED cuDevicePrimaryCtxRetain: an argument differs' \
        's/\*primary_retain)(void \*\*out_context, int device)/*primary_retain)(void **out_context, uint64_t device)/'
else
    echo "skipped: cuda.h and cudaTypedefs.h (the driver's calls are compared with nothing)"
fi

# The example that trains, over the driver's calls: it prints what it prints without them. (CUDA's runtime does not
# start over the fake driver, so this is its twin in C.)
train() {
    genomes="examples/data/ecoli_536_genome.fasta.gz examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz"
    # shellcheck disable=SC2086
    $CC -shared -fPIC -Wl,-soname,libcuda.so.1 tests/fake_libcuda.c -o "$dir/libcuda_fake.so" -pthread &&
        $CC -O2 examples/cuda_train.c -o "$dir/train" $libs &&
        $CC -O2 -DFAKE_LIBCUDA="\"$dir\"" tests/cuda_train_fake.c -o "$dir/train_fake" $libs &&
        "$dir/train" $genomes > "$dir/train.txt" && "$dir/train_fake" $genomes > "$dir/train_fake.txt" &&
        test "$(grep -c '^epoch ' "$dir/train.txt")" = 5 && diff "$dir/train.txt" "$dir/train_fake.txt"
}
libs='-ldl -lm -pthread'
if test "$(uname -s)" = Linux; then
    check train_over_the_driver train
else
    echo "skipped: the fake driver (Linux)"
fi

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
include=$(header_folder cuda_runtime_api.h)
if test -n "$include"; then
    # shellcheck disable=SC2046,SC2086
    check runtime_c $CC -std=c99 -O1 $warnings $define $(include_option "$include") -c tests/compile/cuda_runtime.c \
        -o "$dir/runtime_c.o"
    # shellcheck disable=SC2046,SC2086
    check runtime_cxx $CXX -std=c++11 -O1 $warnings $define $(include_option "$include") -x c++ \
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
