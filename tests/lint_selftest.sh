#!/bin/sh
# lint_selftest.sh DIR - prove that each check of the lint can fail: a small header that obeys the house rules
# passes all of them, and for each check one change to it makes just that check fail.
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
    sh "$here/lint.sh" "$dir/bad.h" "$dir/work" > "$dir/output.txt" 2>&1
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
    sed "$1" "$dir/good.h" > "$dir/bad.h"
    ! cmp -s "$dir/good.h" "$dir/bad.h" || echo "FAILED: no change by: $1"
}

# insert LINE-PATTERN: what stands on standard input goes in front of the first such line.
insert() {
    cat > "$dir/insert.txt"
    awk -v pattern="$1" -v file="$dir/insert.txt" '
        !done && $0 ~ pattern { while ((getline line < file) > 0) print line; done = 1 }
        { print }
        END { if (!done) print "#error no line " pattern }' "$dir/good.h" > "$dir/bad.h"
}

repeat() { awk -v count="$1" -v line="$2" 'BEGIN { for (i = 0; i < count; ++i) print line }'; }

if sh "$here/lint.sh" "$dir/good.h" "$dir/work" > "$dir/output.txt" 2>&1; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "FAILED: the good header does not pass"
    cat "$dir/output.txt"
fi
checks=$(awk '$1 == "ok" { print $2 }' "$dir/output.txt")

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
repeat 19000 '/* more */' | insert '^static uint32_t bsi_crc'
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

# None of the lint's checks is left out above.
for check in $checks; do
    case " $tried " in
    *" $check "*) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)) && echo "FAILED: no header here breaks $check" ;;
    esac
done

echo "$passed passed, $failed failed"
test $failed = 0
