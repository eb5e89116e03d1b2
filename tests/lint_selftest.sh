#!/bin/sh
# lint_selftest.sh DIR - prove that each check of the lint can fail: a small header that obeys the house rules
# passes all of them, and for each check one change to it makes just that check fail. Then the same for what else is
# asked of biostream_cuda.h, with a small header that stands on the first one.
set -u
dir=$1
here=$(dirname "$0")
CC=${CC:-cc}
export CC
mkdir -p "$dir"
passed=0
failed=0
tried=

cat > "$dir/good.h" <<'HEADER'
/*
 * small.h - obeys the house rules; the lint's own test changes it line by line.
 *
 *   >>declare    version
 *   >>api        the calls
 *   >>config     attributes
 *   >>bytes      loads
 *   >>crc        sums
 *   >>platform   the system
 *   >>public     doors
 */
#ifndef SMALL_H
#define SMALL_H
#undef SMALL_H
#ifndef BIOST_H
#define BIOST_H
#ifdef BIOSTREAM_IMPLEMENTATION
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#endif
#include <stddef.h>
#include <stdint.h>

/* ==========================================================================
 * >>declare   version
 * ========================================================================== */
#define BIOST_VERSION_MAJOR 1
#define BIOST_VERSION_MINOR 2
#define BIOST_VERSION_PATCH 3

/* ==========================================================================
 * >>api   the calls
 * ========================================================================== */
#ifdef __cplusplus
extern "C" {
#endif
uint32_t biost_sum(const uint8_t *data, size_t bytes);
uint32_t biost_one(void);
#ifdef __cplusplus
}
#endif
#endif

#ifdef BIOSTREAM_IMPLEMENTATION
/* ==========================================================================
 * >>config   attributes
 *   uses: -                        allocates: no   threads: no   I/O: no
 * ========================================================================== */
#if defined(__GNUC__)
#define BSI_INLINE static inline
#else
#define BSI_INLINE static
#endif
typedef struct bsi_shared {
    uint32_t value;
} bsi_shared;

/* ==========================================================================
 * >>bytes   loads
 *   uses: config                   allocates: no   threads: no   I/O: no
 * ========================================================================== */
static const uint32_t bsi_bytes_table[2] = {1, 2};
#define BSI_TWICE(x) ((x) + (x))
BSI_INLINE uint32_t bsi_bytes_load(const uint8_t *from) {
    return BSI_TWICE((uint32_t)from[0]) + bsi_bytes_table[from[0] & 1]; /* "}" in a comment: { */
}

/* ==========================================================================
 * >>crc   sums
 *   uses: config bytes             allocates: no   threads: no   I/O: no
 * ========================================================================== */
static uint32_t bsi_crc_add(bsi_shared *shared, const uint8_t *data, size_t bytes) {
    size_t i;
    for (i = 0; i < bytes; ++i) {
        if (data[i] != '}') {
            shared->value += bsi_bytes_load(data + i);
        }
    }
    return shared->value;
}

/* ==========================================================================
 * ---- the OS line ----
 *
 * >>platform   the system
 *   uses: config                   allocates: no   threads: no   I/O: no
 * ========================================================================== */
#if defined(_WIN32)
static uint32_t bsi_platform_cores(void) {
    return 1;
}
#else
#include <unistd.h>
static uint32_t bsi_platform_cores(void) {
    return (uint32_t)sysconf(_SC_PAGESIZE);
}
#endif

/* ==========================================================================
 * >>public   doors
 *   uses: all                      allocates: no   threads: no   I/O: no
 * ========================================================================== */
uint32_t biost_sum(const uint8_t *data, size_t bytes) {
    bsi_shared shared = {0};
    return bsi_crc_add(&shared, data, bytes);
}

uint32_t biost_one(void) {
    return bsi_platform_cores();
}
#endif
#endif
HEADER

# expect CHECK: of the lint of DIR/bad.h just CHECK fails (and nothing of `also`, a space-separated list, counts).
expect() {
    # shellcheck disable=SC2086
    sh "$here/lint.sh" "$dir/bad.h" "$dir/work" $kind > "$dir/output.txt" 2>&1
    tried="$tried $1"
    others=$(awk -v check="$1" -v also=" ${2:-} " '
        $1 == "FAILED" && $2 == check { seen = 1 }
        $1 == "FAILED" && $2 != check && !index(also, " " $2 " ") { printf "%s ", $2 }
        END { if (!seen) printf "(it passed)" }' "$dir/output.txt")
    if test -z "$others"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: a header that breaks $1: $others"
        grep -A 3 '^FAILED' "$dir/output.txt" | sed 's/^/    /'
    fi
}

# with SED-SCRIPT: the good header, changed; a change that changes nothing is a fault of this test.
with() {
    sed "$1" "$good" > "$dir/bad.h"
    ! cmp -s "$good" "$dir/bad.h" || echo "FAILED: no change by: $1"
}

# insert LINE-PATTERN: what stands on standard input goes in front of the first such line.
insert() {
    cat > "$dir/insert.txt"
    awk -v pattern="$1" -v file="$dir/insert.txt" '
        !done && $0 ~ pattern { while ((getline line < file) > 0) print line; done = 1 }
        { print }
        END { if (!done) print "#error no line " pattern }' "$good" > "$dir/bad.h"
}

repeat() { awk -v count="$1" -v line="$2" 'BEGIN { for (i = 0; i < count; ++i) print line }'; }

# begin HEADER [cuda]: which passes; what is changed from here on is a copy of it.
begin() {
    good=$1
    kind=${2:-}
    # shellcheck disable=SC2086
    if sh "$here/lint.sh" "$good" "$dir/work" $kind > "$dir/output.txt" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: the good header $good does not pass"
        cat "$dir/output.txt"
    fi
    checks="${checks:-} $(awk '$1 == "ok" { print $2 }' "$dir/output.txt" | tr '\n' ' ')"
}

begin "$dir/good.h"

with 's/^ \*   >>crc .*/ *   >>sums       sums/'
expect contents
with 's/^ \*   >>crc .*/@/;/^@$/d'
expect contents
with 's/ *threads: no   I.O: no//'
expect banners
with 's/uses: config bytes /uses: config platform /'
expect banners "rooms_use_what_they_list rooms_list_what_they_use"
with 's/uses: config bytes /uses: config       /'
expect rooms_use_what_they_list
with 's/^\( \*   uses: config \) \( .*\)$/\1 bytes \2/;/>>bytes/{n;s/ bytes / /;}'
expect rooms_list_what_they_use
with 's/bsi_crc_add/bsi_bytes_add/'
expect names_in_their_room
with 's/bsi_shared/bsi_crc_shared/'
expect names_in_their_room rooms_use_what_they_list
echo 'static uint32_t bsi_bytes_load(const uint8_t *from);' | insert '^BSI_INLINE uint32_t'
expect no_private_prototypes
printf 'static uint32_t bsi_bytes_load(\n    const uint8_t *from);\n' | insert '^BSI_INLINE uint32_t'
expect no_private_prototypes
with 's/return shared->value;/return bytes > 0 ? shared->value : bsi_crc_add(shared, data, 0);/'
expect no_recursion
with 's/return shared->value;/return bytes > 0 ? biost_sum(data, bytes) : 0;/'
expect no_recursion no_calls_of_public_functions
with 's/return shared->value;/return biost_one();/'
expect no_calls_of_public_functions
with 's/bsi_crc_add/crc_add/'
expect functions_carry_our_prefix
repeat 13 '    bytes += 0;' | insert 'bsi_shared shared = '
expect public_doors
printf 'uint32_t biost_one(void) {\n    return 1;\n}\n#define biost_one biost_two\n' | insert '^static uint32_t bsi_crc'
expect public_doors "macros_carry_our_prefix macros_left_by_the_implementation exported_symbols_are_biost"
repeat 100 '    bytes += 0;' | insert 'for [(]i = 0'
expect function_length
with 's/^\(static uint32_t bsi_crc_add\).*/\1(int a, int b, int c, int d, int e, int f, int g, int h) {/'
expect parameters compiles
with 's/^        if (data.*/        if (1) { if (1) { if (1) { if (data[i]) {/;s/^            shared.*/&}}}/'
expect nesting
with 's/^    return bsi_platform_cores();/&}}/;s/^    return (uint32_t)sysconf.*/&{/'
expect braces "compiles"
printf '#if defined(__linux__)\n#endif\n' | insert '^static uint32_t bsi_crc'
expect systems_only_in_platform
printf '#ifdef __clang__\n#endif\n' | insert '^static uint32_t bsi_platform'
expect compilers_only_in_config
printf '#if BSI_X || defined(__AVX2__)\n#endif\n' | insert '^static uint32_t bsi_platform'
expect isas_only_in_kernel_rooms
printf '#define BSI_BODY(x) \\\n    do { \\\n    (x) = 1; \\\n    (x) = 2; \\\n    } while (0)\n' | insert '^static uint32_t bsi_crc'
expect no_function_bodies_in_macros
echo '#define SHORT_NAME 1' | insert '^static uint32_t bsi_crc'
expect macros_carry_our_prefix macros_left_by_the_implementation
expect macros_left_by_the_implementation macros_carry_our_prefix
echo '#define BSI_EARLY 1' | insert '^uint32_t biost_one'
expect macros_left_by_the_interface
# A name that is put together of what the text check cannot see: only on a system that does not compile here.
printf '#ifdef _WIN32\n#define OTHER_SYSTEM 1\n#endif\n' | insert '^static uint32_t bsi_platform'
expect macros_carry_our_prefix
with "s/^    size_t i;/&                                                                                             \/* long *\//"
expect line_form
with 's/^    size_t i;/& /'
expect line_form
with 's/obeys/ob\xc3\xa9ys/'
expect line_form
repeat 25000 '/* more */' | insert '^static uint32_t bsi_crc'
expect total_lines
with 's/^static uint32_t bsi_crc_add/uint32_t bsi_crc_add/'
expect exported_symbols_are_biost
with 's/^static const uint32_t bsi_bytes/static uint32_t bsi_bytes/'
expect no_writable_globals
with 's/^    size_t i;/    static uint32_t calls; size_t i; ++calls;/'
expect no_writable_globals
for call in 'puts("x")' 'printf("%d", 1)' 'abort()' 'exit(1)' 'getenv("x")' 'setlocale(0, "")' 'raise(1)' 'cos(1.0 * (double)bytes)' \
    'sqrtf((float)bytes)' 'strtod("1", 0)'; do
    { printf '#include <stdio.h>\n#include <stdlib.h>\n#include <locale.h>\n#include <signal.h>\n#include <math.h>\n'
        cat "$dir/good.h"; } > "$dir/call.h"
    sed "s/^    return bsi_platform_cores();/    size_t bytes = bsi_platform_cores(); (void)bytes; (void)$call;\n&/" "$dir/call.h" |
        tr '@' '\n' > "$dir/bad.h"
    expect no_forbidden_symbols
done
with 's/^    return bsi_platform_cores();/    return no_such_name;/'
expect compiles

# ---- biostream_cuda.h, beside the first header ----

cp "$dir/good.h" "$dir/biostream.h"
cat > "$dir/good_cuda.h" <<'HEADER'
/*
 * small_cuda.h - obeys the house rules of biostream_cuda.h.
 *
 * Version 1.2.3, for biostream.h of the same version.
 *
 *   >>api        the calls
 *   >>config     switches
 *   >>words      sentences
 *   >>kernels    PTX
 *   >>driver     a library
 *   >>public     doors
 */
#ifndef BIOSTREAM_CUDA_H
#define BIOSTREAM_CUDA_H
#include "biostream.h"

/* ==========================================================================
 * >>api   the calls
 * ========================================================================== */
#ifdef __cplusplus
extern "C" {
#endif
uint32_t biost_cuda_sum(const uint8_t *data, size_t bytes);
#ifdef __cplusplus
}
#endif
#endif

#if defined(BIOSTREAM_CUDA_IMPLEMENTATION) && !defined(BIOSTREAM_CUDA_IMPLEMENTED)
#define BIOSTREAM_CUDA_IMPLEMENTED
/* ==========================================================================
 * >>config   switches
 *   uses: -                        allocates: no   threads: no   I/O: no
 * ========================================================================== */
#define BSI_CUDA_ALIGN 256u
static size_t bsi_cuda_round_up(size_t bytes) {
    return (bytes + (BSI_CUDA_ALIGN - 1)) / BSI_CUDA_ALIGN * BSI_CUDA_ALIGN;
}

/* ==========================================================================
 * >>words   sentences
 *   uses: config                   allocates: no   threads: no   I/O: no
 * ========================================================================== */
static uint32_t bsi_cuda_words_count(const uint8_t *text, size_t bytes) {
    return biost_sum(text, bsi_cuda_round_up(bytes));
}

/* ==========================================================================
 * >>kernels   PTX
 *   uses: -                        allocates: no   threads: no   I/O: no
 * ========================================================================== */
/* ---- PTX begins: a compiler ---- */
static const char *const bsi_cuda_kernels_ptx =
    "{\n"
    "ret;\n";
/* ---- PTX ends ---- */

/* ==========================================================================
 * >>driver   a library
 *   uses: words kernels            allocates: no   threads: no   I/O: no
 * ========================================================================== */
#if defined(_WIN32)
#define BSI_CUDA_DRIVER_LIBRARY "nvcuda.dll"
#else
#define BSI_CUDA_DRIVER_LIBRARY "libcuda.so.1"
#endif
static uint32_t bsi_cuda_driver_count(void) {
    return bsi_cuda_words_count((const uint8_t *)BSI_CUDA_DRIVER_LIBRARY, (size_t)bsi_cuda_kernels_ptx[0]);
}

/* ==========================================================================
 * >>public   doors
 *   uses: words driver             allocates: no   threads: no   I/O: no
 * ========================================================================== */
uint32_t biost_cuda_sum(const uint8_t *data, size_t bytes) {
    return bsi_cuda_words_count(data, bytes) + bsi_cuda_driver_count();
}
#endif
HEADER
begin "$dir/good_cuda.h" cuda

# A private name of the other header compiles where both implementations are in one file, and only there.
with 's/return biost_sum(text, /return bsi_bytes_load(text) + biost_sum(text, /'
expect only_public_names_of_biostream "stands_beside_biostream no_private_prototypes"
with 's/return biost_sum(text, /return BSI_TWICE(1u) + biost_sum(text, /'
expect only_public_names_of_biostream stands_beside_biostream
with 's/uses: words driver  /uses: driver        /'
expect rooms_use_what_they_list
with 's/uses: words kernels /uses: words driver  /'
expect banners "rooms_use_what_they_list rooms_list_what_they_use"
with 's/uses: words driver  /uses: words driver kernels /'
expect rooms_list_what_they_use
with 's/bsi_cuda_words_count/bsi_cuda_count/'
expect names_in_their_room rooms_use_what_they_list
with 's/return biost_sum(text, /return biost_cuda_sum(text, 0) + biost_sum(text, /'
expect no_calls_of_public_functions no_recursion
printf '#if defined(_WIN32)\n#endif\n' | insert '^static uint32_t bsi_cuda_words'
expect systems_only_in_platform
printf '#if defined(__GNUC__)\n#endif\n' | insert '^static uint32_t bsi_cuda_words'
expect compilers_only_in_config
echo '#define BIOST_SUM_TWICE 1' | insert '^static uint32_t bsi_cuda_words'
expect macros_carry_our_prefix macros_left_by_the_implementation
echo '#define BIOST_SUM_TWICE 1' | insert '^uint32_t biost_cuda_sum'
expect macros_left_by_the_interface "macros_carry_our_prefix macros_left_by_the_implementation"
with 's/^static uint32_t bsi_cuda_words/uint32_t bsi_cuda_words/'
expect stands_beside_biostream exported_symbols_are_biost
with 's/Version 1.2.3/Version 1.2.4/'
expect version_is_that_of_biostream
repeat 5000 '/* more */' | insert '^static uint32_t bsi_cuda_words'
expect total_lines
# Of PTX there may be more.
repeat 5000 '    "mov;"' | insert '^    "ret;'
begin "$dir/bad.h" cuda

# None of the lint's checks is left out above.
for check in $checks; do
    case " $tried " in
    *" $check "*) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)) && echo "FAILED: no header here breaks $check" ;;
    esac
done

echo "$passed passed, $failed failed"
test $failed = 0
