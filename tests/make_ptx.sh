#!/bin/sh
# make_ptx.sh [--check] [HEADER] - compile the kernels of biostream_cuda.h (rooms >>expand and >>kernels) to PTX
# and put it into the header between its marks, or see whether what is there is still that.
#
# Needs clang with its NVPTX back end, and no CUDA toolkit. The first mark names the compiler: with another one
# --check says `skipped: ...`, because its text may differ and be as good. Exit status 1: stale, or not made.
set -eu
mode=make
if test "${1:-}" = --check; then
    mode=check
    shift
fi
header=${1:-biostream_cuda.h}
CLANG=${CLANG:-clang}
here=$(dirname "$header")
target=sm_70

if ! command -v "$CLANG" > /dev/null 2>&1; then
    echo "skipped: no $CLANG"
    exit 0
fi
version=$("$CLANG" --version | sed -n 1p)
made_by=$(sed -n 's|^/\* ---- PTX begins: \(.*\) ---- \*/$|\1|p' "$header")
test -n "$made_by" || { echo "there is no mark in $header"; exit 1; }
if test $mode = check && test "$made_by" != "$version, $target"; then
    echo "skipped: the PTX was made by $made_by, here is $version, $target"
    exit 0
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# What the kernels know of CUDA, which its own headers would bring.
cat > "$dir/kernels.cu" << 'END'
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __launch_bounds__(threads) __attribute__((launch_bounds(threads)))
#define __forceinline__ inline __attribute__((always_inline))
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
struct __attribute__((aligned(16))) uint4 { unsigned x, y, z, w; };
typedef unsigned prelude_vector __attribute__((ext_vector_type(4)));
struct prelude_index { unsigned x; };
#define threadIdx (prelude_index{(unsigned)__nvvm_read_ptx_sreg_tid_x()})
#define blockIdx (prelude_index{(unsigned)__nvvm_read_ptx_sreg_ctaid_x()})
#define gridDim (prelude_index{(unsigned)__nvvm_read_ptx_sreg_nctaid_x()})
static inline __device__ unsigned char __ldg(const unsigned char *from) { return __nvvm_ldg_uc(from); }
static inline __device__ unsigned short __ldg(const unsigned short *from) { return __nvvm_ldg_us(from); }
static inline __device__ unsigned __ldg(const unsigned *from) { return __nvvm_ldg_ui(from); }
static inline __device__ int __ldg(const int *from) { return __nvvm_ldg_i(from); }
static inline __device__ unsigned long __ldg(const unsigned long *from) { return __nvvm_ldg_ul(from); }
static inline __device__ unsigned long long __ldg(const unsigned long long *from) { return __nvvm_ldg_ull(from); }
static inline __device__ uint4 __ldg(const uint4 *from) {
    prelude_vector v = __nvvm_ldg_ui4((const prelude_vector *)from);
    return uint4{v.x, v.y, v.z, v.w};
}
#define BSI_CUDA_HAS_RUNTIME 0
#define BSI_CUDA_KERNEL extern "C" __global__
#define BSI_CUDA_STATIC_ASSERT(condition, name) static_assert(condition, #name)
#include <stddef.h>
#include <stdint.h>
#include <string.h>
END
# The interface alone; then the two rooms, without the PTX.
echo '#include "biostream_cuda.h"' >> "$dir/kernels.cu"
awk '/^\/\* =====+$/        { rule = $0; next }
     rule != ""            { inside = $0 ~ /^ \* >>(expand|kernels) /; if (inside) print rule; rule = "" }
     /PTX begins:/         { inside = 0 }
     inside                { print }' "$header" >> "$dir/kernels.cu"
cp "$header" "$dir/biostream_cuda.h"

"$CLANG" -x cuda --cuda-device-only --cuda-gpu-arch=$target -nocudainc -nocudalib -std=c++11 -O2 -Wall -Wextra \
    -Wno-unused-function -Wno-unused-const-variable -Wno-unknown-cuda-version -I"$dir" -I"$here" -S \
    -o "$dir/kernels.ptx" "$dir/kernels.cu"

# One instruction a line, without comments and indents.
{
    echo "/* ---- PTX begins: $version, $target ---- */"
    printf 'static const char *const bsi_cuda_kernels_ptx = BSI_CUDA_LONG_TEXT\n'
    sed -e 's|//.*$||' -e 's/[ \t][ \t]*/ /g' -e 's/^ //' -e 's/ $//' -e '/^$/d' "$dir/kernels.ptx" |
        sed -e 's/[\\"]/\\&/g' -e 's/^/    "/' -e 's/$/\\n"/' -e '$s/$/;/'
    echo "/* ---- PTX ends ---- */"
} > "$dir/text"
awk 'length($0) > 110 { print "too long: " $0; bad = 1 } END { exit bad }' "$dir/text"
# MSVC takes literals of up to 65535 bytes, of which it counts what the quotation marks enclose.
bytes=$(sed -n 's/^    "\(.*\)\\n";*$/\1/p' "$dir/text" | wc -c)
test "$bytes" -lt 65000 || { echo "$bytes bytes of PTX, MSVC takes literals of up to 65535"; exit 1; }

awk -v text="$dir/text" '
    /^\/\* ---- PTX begins:/ { while ((getline line < text) > 0) print line; skipping = 1 }
    !skipping                { print }
    /^\/\* ---- PTX ends/    { skipping = 0 }' "$header" > "$dir/header"
if test $mode = check; then
    cmp -s "$header" "$dir/header" || { echo "the PTX in $header is stale: sh tests/make_ptx.sh"; exit 1; }
    echo "the PTX is what $version makes"
else
    cp "$dir/header" "$header"
    echo "$(wc -l < "$dir/text") lines of PTX by $version"
fi
