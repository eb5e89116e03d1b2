#!/bin/sh
# lint_selftest.sh DIR - prove that each check and each measure of the lint can fail: a small header that obeys the
# house rules passes all of them, and for each check one change to it, or to a table of limits of its own, makes just
# that check fail. Then the same for what else is asked of biostream_cuda.h, with a small header that stands on the
# first one; and for the checks of compile time and format.
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

/* Stop here if you only want the API. */

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

ok() { passed=$((passed + 1)); }

not_ok() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    test ! -s "$2" || grep -A 3 '^FAILED' "$2" | sed 's/^/    /'
}

# lint [OPTION]...: of DIR/bad.h by the table DIR/limits.tsv.
lint() {
    # shellcheck disable=SC2086
    sh "$here/lint.sh" "${@:---quick}" --limits "$dir/limits.tsv" --reference "$dir/reference.c" "$dir/bad.h" \
        "$dir/linted" $kind > "$dir/output.txt" 2>&1
}

# expect CHECK [ALSO [OPTION]...]: just CHECK fails, and nothing in the space-separated list ALSO counts.
expect() {
    check=$1
    also=${2:-}
    shift
    test $# = 0 || shift
    lint "$@"
    tried="$tried $check"
    others=$(awk -v check="$check" -v also=" $also " '
        $1 == "FAILED" && $2 == check { seen = 1 }
        $1 == "FAILED" && $2 != check && !index(also, " " $2 " ") { printf "%s ", $2 }
        END { if (!seen) printf "(it passed)" }' "$dir/output.txt")
    if test -z "$others"; then ok; else not_ok "a header that breaks $check: $others" "$dir/output.txt"; fi
}

# expect_pass WHAT [OPTION]...: nothing fails.
expect_pass() {
    what=$1
    shift
    if lint "$@"; then ok; else not_ok "$what does not pass" "$dir/output.txt"; fi
}

# -- limits: most changes below shall break no limit, so the table is a wide one unless a test narrows it ------

# wide: rows for every measure of the good header that nothing here exceeds and that never want to be lowered.
wide() {
    awk -F '\t' '
        $1 == "room_comment" { print "bad.h\t" $1 ":" $2 "\tleast\t0\t1000"; next }
        !seen[$1]++          { print "bad.h\t" $1 ($1 == "comment" ? "\tleast\t0" : "\tmost\t9000000") "\t9000000" }' \
        "$dir/good.tsv" > "$dir/limits.tsv"
}

# narrow MEASURE: its rows are the sizes of the good header, to the digit.
narrow() {
    wide
    awk -F '\t' -v measure="$1" '
        NR == FNR {
            row = $1 == "room_comment" ? $1 ":" $2 : $1
            if (!(row in size) || $3 + 0 > size[row] + 0) size[row] = $3
            next
        }
        { name = $2; sub(/:.*/, "", name) }
        name == measure { print $1 "\t" $2 "\t" $3 "\t" size[$2] "\t0"; next }
        { print }' "$dir/good.tsv" "$dir/limits.tsv" > "$dir/narrow.tsv"
    mv "$dir/narrow.tsv" "$dir/limits.tsv"
}

# row MEASURE DIRECTION LIMIT SLACK: a row of the table, instead of the one it had.
row() {
    awk -F '\t' -v measure="$1" '$2 != measure' "$dir/limits.tsv" > "$dir/rows.tsv"
    printf 'bad.h\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" >> "$dir/rows.tsv"
    mv "$dir/rows.tsv" "$dir/limits.tsv"
}

limit_of() { awk -F '\t' -v measure="$1" '$2 == measure { print $4 }' "$dir/limits.tsv"; }

printf 'int reference(int x) {\n    return x + 1;\n}\n' > "$dir/reference.c"
compiler=$(sh "$here/compiler_of_sizes.sh" "$dir")

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
    cp "$good" "$dir/bad.h"
    echo > "$dir/limits.tsv"
    lint --full
    cp "$dir/linted/values.tsv" "$dir/good.tsv"
    wide
    expect_pass "the good header $good" --full
    checks="${checks:-} $(awk '$1 == "ok" { print $2 }' "$dir/output.txt" | tr '\n' ' ')"
}

begin "$dir/good.h"

with 's/^ \*   >>crc .*/ *   >>sums       sums/'
expect contents
printf '%s\n' '/*' 'static const biost_field bsi_fields_of_small[] = {' '    BSI_FIELD_FLAG(biost_small_desc, one, DATA, "")' \
    '    BSI_FIELD_FLAG(biost_small_desc, two, DATA, "")' 'typedef struct biost_small_desc {' '    int one;' \
    '} biost_small_desc;' '*/' | insert '^BSI_INLINE uint32_t'
expect every_field_has_a_row
# A room of rules, in a comment, with a sentence that test_rules.c lacks; then one that it has.
printf '%s\n' '/*' ' * >>rules   sentences' '*/' '/* return desc->one > 0 ?' '   "desc.one is not two" :' '*/' |
    insert '^BSI_INLINE uint32_t'
expect every_rule_has_a_case
sed 's/desc.one is not two/desc.rank is not below desc.world/' "$dir/bad.h" > "$dir/kept.h" && mv "$dir/kept.h" "$dir/bad.h"
expect_pass "a sentence with a case"
for guess in 'desc->rows > 0 ? desc->rows : 9' 'BSI_MAX(desc->rows, 9)' 'desc->name != NULL ? desc->name : "x"'; do
    printf '%s\n' '/*' '    BSI_FIELD_NUMBER(biost_small_desc, rows, U32, DATA, 1, 99, 9, "")' \
        'static void bsi_fields_resolve_small(biost_small_desc *desc) {' '    desc->name = "x";' '}' "    x = $guess;" '*/' |
        insert '^BSI_INLINE uint32_t'
    expect defaults_stand_once
    sed 's/desc->rows > 0 ? desc->rows/desc->rows > 0 ? 3/;s/(desc->rows,/(desc->rows + 1,/;s/desc->name != NULL ? desc->name/desc->name != NULL ? other/' \
        "$dir/bad.h" > "$dir/kept.h" && mv "$dir/kept.h" "$dir/bad.h"
    expect_pass "no guess: $guess"
done
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
# Comments: the order of words, one before a function, and rows that name parameters.
for sentence in 'Of a byte the sum.' 'The sum. Of a byte, too.' 'Likewise the sum.'; do
    echo "/* $sentence */" | insert '^static uint32_t bsi_crc'
    expect sentences_in_natural_order
done
echo '/* The sum of a byte. Often asked. */' | insert '^static uint32_t bsi_crc'
expect_pass "words that only begin alike"
printf '/* The sum. */\n/* Another. */\n' | insert '^static uint32_t bsi_crc'
expect one_comment_at_a_time
printf '/*\n * The sum.\n *   data, size  in  what is summed\n */\n' | insert '^static uint32_t bsi_crc'
expect comments_name_parameters
printf '/*\n * The sum.\n *   data, bytes  in  what is summed\n */\n' | insert '^static uint32_t bsi_crc'
expect_pass "rows of parameters"
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

# ---- words: the examples of each row, in the half of the header that users read, or in a page ----

tab=$(printf '\t')
# write SENTENCE: where the rows that are read now belong.
write() {
    cp "$good" "$dir/bad.h"
    if test "$where" = page; then printf '# small\n\nHere is %s.\n' "$1" > "$dir/README.md"; else
        echo "/* Here is $1. */" | insert '^uint32_t biost_one'
    fi
}
where=header
while IFS=$tab read -r word allowed instead wrong right; do
    case $word in
    '# -- of pages alone'*) where=page && continue ;;
    '# -- '*) where=header && rm -f "$dir/README.md" && continue ;;
    '' | '#'*) continue ;;
    esac
    write "$wrong"
    expect words_of_the_glossary "" --text
    if grep -qF -e "- say $instead" "$dir/output.txt"; then ok; else not_ok "the words for $word" "$dir/output.txt"; fi
    write "$right"
    expect_pass "$right" --text
    # An example without the word proves nothing where phrases with it are allowed.
    test "$allowed" = - || echo "$right" | grep -qiE "$word" || not_ok "$word: the phrase that is allowed has another word" /dev/null
done < "$here/lint_words.tsv"
echo '/* It is beside the door. */' | insert '^uint32_t biost_one'
expect_pass "words of pages in a header" --text
echo '/* The nearest place before the record. */' | insert '^static uint32_t bsi_crc'
expect_pass "words of the rooms" --text
printf '/*\n * What is kept in\n * place of the file.\n */\n' | insert '^uint32_t biost_one'
expect_pass "an allowed phrase that goes on in the next line" --text
printf '/*\n * What lies in front\n * of the file.\n */\n' | insert '^uint32_t biost_one'
expect words_of_the_glossary "" --text
echo '#define BIOST_PLACE_COUNT 1' | insert '^uint32_t biost_one'
expect words_of_the_glossary "" --text
with '/^.. Stop here if/d'
expect words_of_the_glossary "" --text
cp "$good" "$dir/bad.h"
printf '# small\n\nThe nearest place.\n' > "$dir/README.md"
expect words_of_the_glossary "" --text
printf '# small\n\n## Changes\n\n| was | is |\n|---|---|\n| place | point |\n' > "$dir/README.md"
expect_pass "old names in the section that lists them" --text
printf '\n## Licence\n\nThe nearest place.\n' >> "$dir/README.md"
expect words_of_the_glossary "" --text
rm "$dir/README.md"
for page in bench/README.md examples/GUIDE.md; do
    mkdir -p "$dir/${page%/*}"
    printf '# small\n\nThe nearest place.\n' > "$dir/$page"
    expect words_of_the_glossary "" --text
    if grep -q "^ *$page, line 3: place" "$dir/output.txt"; then ok; else not_ok "the name of $page" "$dir/output.txt"; fi
    rm "$dir/$page"
done

# ---- measures, each with its limit at the size of the good header ----

narrow lines
cp "$good" "$dir/bad.h"
expect_pass "a header with as many lines as it may have"
echo '/* more */' | insert '^static uint32_t bsi_crc'
expect lines
narrow bytes
with 's/^    return bsi_crc_add(&shared, data/& /'
expect bytes
narrow comment
with 's/ .. "}" in a comment.*//'
expect comment
narrow room_comment
expect room_comment
narrow rooms
awk '
    /^ \*   >>declare /   { print " *   >>more       more" }
    !done && /^.. =+$/    { print; print " * >>more   more\n * ========== */\n"; done = 1 }
    { print }' "$good" > "$dir/bad.h"
row room_comment:more least 0 1000
expect rooms
row rooms most 9000000 9000000
expect_pass "a header with one more room and its rows"
wide
expect limits_are_complete
narrow rooms_used
with 's/uses: config bytes /uses: config bytes bytes /'
expect rooms_used
narrow room_lines
{ echo '/*'; repeat 38 ' * more'; echo ' */'; } | insert '^static uint32_t bsi_crc'
expect room_lines
row room_lines most "$(limit_of room_lines)" 9000
row room_lines:crc most 60 9000
expect_pass "a room with a row of its own"
narrow if_per_1000_lines
printf '#if 1\n#endif\n' | insert '^static uint32_t bsi_crc'
expect if_per_1000_lines
for room in crc platform; do
    narrow if_in_functions
    if test $room = crc; then printf '#if 1\n    data += 0;\n#endif\n' | insert '^    for [(]i = 0'
    else printf '#ifdef _SC_PAGESIZE\n#endif\n' | insert '^    return [(]uint32_t[)]sysconf'; fi
    expect if_in_functions
    row if_in_functions:$room most 1 0
    expect_pass "#if inside a function of a room that may"
done
narrow if_in_functions
printf '#ifndef BSI_ONE\n#define BSI_ONE 1\n#endif\n' | insert '^static uint32_t bsi_crc'
expect_pass "#if between functions"
narrow macros_with_parameters
echo '#define BSI_CONSTANT (1)' | insert '^static uint32_t bsi_crc'
expect_pass "a macro without parameters"
echo '#define BSI_THRICE(x) (3 * (x))' | insert '^static uint32_t bsi_crc'
expect macros_with_parameters
narrow function_lines_median
with 's/^static uint32_t bsi_platform_cores.*/&\
/'
expect function_lines_median
narrow function_lines_p90
repeat 1 '    bytes += 0;' | insert '^    for [(]i = 0'
expect function_lines_p90
narrow function_lines
expect function_lines
row function_lines most "$(limit_of function_lines)" 9000
row function_lines:bsi_crc_add most 10 9000
expect_pass "a function with a row of its own"
repeat 2 '    bytes += 0;' | insert '^    for [(]i = 0'
expect function_lines
narrow parameters
with 's/^static uint32_t bsi_crc_add(/&int a, /;s/return bsi_crc_add(/&1, /'
expect parameters
narrow desc_readers
printf '%s\n' 'typedef struct biost_loader_desc {' '    int one;' '} biost_loader_desc;' \
    'static int bsi_crc_one(const biost_loader_desc *desc) {' '    return desc->one;' '}' | insert '^static uint32_t bsi_crc'
expect desc_readers
narrow nesting
with 's/^        if (data.*/        if (1) { if (1) { if (data[i]) {/;s/^            shared.*/&}}/'
expect nesting

# Owners: a struct of >>bytes and one of >>crc, and functions that go where they should not.
owned() {
    insert '^static uint32_t bsi_crc' << 'C'
typedef struct bsi_crc_part {
    uint32_t sum_of_crc;
    struct {
        uint32_t count;
    } shared;
} bsi_crc_part;

C
    cp "$dir/bad.h" "$dir/owned.h"
    insert_into_owned "$1" < "$dir/function.txt"
}
# insert_into_owned LINE-PATTERN: as insert, into the header with the struct.
insert_into_owned() {
    cp "$good" "$dir/kept.h"
    cp "$dir/owned.h" "$good"
    insert "$1"
    cp "$dir/kept.h" "$good"
}
# function FIRST-LINE STATEMENT: what `owned` puts in.
function() { printf '%s {\n    %s\n}\n' "$1" "$2" > "$dir/function.txt"; }

narrow fields_of_other_rooms
function 'static uint32_t bsi_crc_sum(const bsi_crc_part *part)' 'return part->sum_of_crc;'
owned '^static uint32_t bsi_crc'
expect_pass "a field in its own room"
function 'static uint32_t bsi_platform_sum(const bsi_crc_part *part)' 'return part->sum_of_crc;'
owned '^static uint32_t bsi_platform'
expect fields_of_other_rooms "rooms_use_what_they_list"
narrow writes_of_asking
function 'static void bsi_crc_set(bsi_crc_part *part)' 'part->sum_of_crc = 1;'
owned '^static uint32_t bsi_crc'
expect_pass "a write of a function that does not ask"
for statement in 'part->sum_of_crc = 1;' 'part->sum_of_crc |= 1;' '++part->sum_of_crc;' 'part->sum_of_crc--;'; do
    function 'static int bsi_crc_is_done(bsi_crc_part *part)' "$statement"
    owned '^static uint32_t bsi_crc'
    expect writes_of_asking
done
function 'static int bsi_crc_is_one(const bsi_crc_part *part)' 'return part->sum_of_crc == 1 && part->sum_of_crc <= 1;'
owned '^static uint32_t bsi_crc'
expect_pass "a function that asks and writes nothing"
narrow shared_outside_locked
for name in add_locked finish finish_page; do
    function "static void bsi_crc_$name(bsi_crc_part *part)" '++part->shared.count;'
    owned '^static uint32_t bsi_crc'
    expect_pass "what is shared, in $name"
done
locks='static void bsi_crc_lock(bsi_crc_part *part) {
    part->sum_of_crc = 1;
}

static void bsi_crc_unlock(bsi_crc_part *part) {
    part->sum_of_crc = 0;
}
'
function "$locks
static void bsi_crc_held(bsi_crc_part *part)" 'bsi_crc_lock(part);
    ++part->shared.count;
    bsi_crc_unlock(part);'
owned '^static uint32_t bsi_crc'
expect_pass "what is shared, between lock and unlock"
function "$locks
static void bsi_crc_let_go(bsi_crc_part *part)" 'bsi_crc_lock(part);
    bsi_crc_unlock(part);
    ++part->shared.count;'
owned '^static uint32_t bsi_crc'
expect shared_outside_locked
function 'static void bsi_crc_more(bsi_crc_part *part)' '++part->shared.count;'
owned '^static uint32_t bsi_crc'
expect shared_outside_locked

# Sizes of code, where this compiler's are limited.
if test -n "$compiler"; then
    narrow "undefined_symbols$compiler"
    with 's/return (uint32_t)sysconf/return (uint32_t)getpid() + (uint32_t)sysconf/'
    expect "undefined_symbols$compiler"
    narrow "object_bytes$compiler"
    repeat 9 '    bytes += bytes ^ 3;' | insert '^    for [(]i = 0'
    expect "object_bytes$compiler"
    narrow "code_bytes$compiler"
    expect "code_bytes$compiler" "" --full
    wide
    for said in 96 97; do
        printf '/*\n * BIOSTREAM_NO_SUMS   changes nothing: remains 9 %%, 9 %%, %s %%\n */\n' $said |
            insert '^static uint32_t bsi_crc'
        if test "$compiler" = _gcc12 && test $said = 96; then
            expect prices_of_switches "" --full
        else
            expect_pass "a price of code that is within 3 points, or of another compiler" --full
        fi
    done
    # The row of another version of gcc allows 5 % more.
    wide
    cp "$good" "$dir/bad.h"
    size=$(awk -F '\t' -v name="object_bytes$compiler" '$1 == name { print $3 }' "$dir/good.tsv")
    for beyond in 104 106; do
        awk -F '\t' -v name="object_bytes$compiler" '$2 != name' "$dir/limits.tsv" > "$dir/rows.tsv"
        mv "$dir/rows.tsv" "$dir/limits.tsv"
        row object_bytes_gcc1 most $((size * 100 / beyond + 1)) 0
        if test $beyond = 104; then expect_pass "4 % beyond the size by another gcc"; else expect "object_bytes$compiler"; fi
    done
else
    echo "skipped: sizes of code (gcc for 64-bit x86)"
fi

# ---- the table itself ----

cp "$good" "$dir/bad.h"
wide
awk -F '\t' '$2 != "nesting"' "$dir/limits.tsv" > "$dir/rows.tsv" && mv "$dir/rows.tsv" "$dir/limits.tsv"
expect limits_are_complete
wide
row function_lines:bsi_gone most 10 9000000
expect limits_are_complete
wide
row no_such_measure most 10 9000000
expect limits_are_complete
for line in 'bad.h	lines	most	10' 'bad.h	lines	about	10	1' 'bad.h	lines	most	ten	1' \
    'bad.h	nesting	most	9000000	9000000' 'words'; do
    wide
    echo "$line" >> "$dir/limits.tsv"
    expect limits_are_complete
done
rm "$dir/limits.tsv"
lint
if grep -q '^FAILED limits_are_read$' "$dir/output.txt"; then ok; else not_ok "a table that is not there" "$dir/output.txt"; fi
: > "$dir/limits.tsv"
expect limits_are_complete
wide
printf '\n# words\nother.h\tlines\tmost\t1\t1\n' >> "$dir/limits.tsv"
expect_pass "a table with a comment and rows of another header"
narrow nesting
row nesting most $(($(limit_of nesting) + 1)) 0
expect limits_are_those_of_today
row nesting most "$(limit_of nesting)" 1
expect_pass "a limit within its slack"
narrow room_comment
row room_comment:public least 22 0
expect_pass "a limit that no tighter one follows"
row room_comment:api least 0 1
expect limits_are_those_of_today
wide
row function_lines most 100 -
expect_pass "a goal that is not reached"
row lines most 100000 -
expect_pass "a size far below its ceiling"
row lines most 5 -
expect lines
wide
row function_lines most 100 -
row function_lines:bsi_crc_add most 100 100
expect limits_are_those_of_today

# --lower lowers and raises nothing; --table gives the sizes of today.
wide
row nesting most 1 0
cp "$dir/limits.tsv" "$dir/before.tsv"
printf '# words\nother.h\tlines\tmost\t1\t1\n' >> "$dir/limits.tsv"
lint --quick --lower
if test "$(limit_of nesting)" = 1 && test "$(limit_of function_lines)" = 10 && test "$(limit_of parameters)" = 3 &&
    grep -q '^# words$' "$dir/limits.tsv" && grep -q '^other.h	lines	most	1	1$' "$dir/limits.tsv"; then
    ok
else
    not_ok "--lower" "$dir/limits.tsv"
fi
lint --quick --table
if grep -q '^bad.h	nesting	most	2	0$' "$dir/output.txt" && test "$(limit_of nesting)" = 1; then
    ok
else
    not_ok "--table" "$dir/output.txt"
fi
echo > "$dir/limits.tsv"
lint --full --table
cp "$dir/output.txt" "$dir/limits.tsv"
expect_pass "a header with the table of today" --full

# ---- compilers ----

# Without libdeflate's header tables of pointers are no writable globals either.
wide
mkdir -p "$dir/without"
echo '#error there is no libdeflate' > "$dir/without/libdeflate.h"
compilers=$CC
CC="$CC -I$dir/without"
echo 'static const char *const bsi_bytes_words[2] = {"one", "two"};' | insert '^BSI_INLINE uint32_t'
sed 's/^    return BSI_TWICE/    from += bsi_bytes_words[from[0] \& 1] == NULL;\
&/' "$dir/bad.h" > "$dir/more.h" && mv "$dir/more.h" "$dir/bad.h"
expect_pass "a table of pointers where libdeflate is not"
CC=$compilers

# ---- compile time and format ----

if test -n "$compiler"; then
    cp "$good" "$dir/bad.h"
    for most in 9000 0.001; do
        printf 'bad.h\tcompile_O0%s\tmost\t9000\t9000\nbad.h\tcompile_O2%s\tmost\t%s\t9000\n' "$compiler" "$compiler" $most \
            > "$dir/limits.tsv"
        status=0
        sh "$here/compile_time.sh" --rounds 1 --limits "$dir/limits.tsv" --reference "$dir/reference.c" "$dir/bad.h" \
            "$dir/linted" judge > "$dir/output.txt" 2>&1 || status=1
        if test $most = 9000 && test $status = 0 && tail -n 1 "$dir/output.txt" | grep -q ' passed, 0 failed$'; then
            ok
        elif test $most != 9000 && test $status = 1 && grep -q "^FAILED compile_O2$compiler" "$dir/output.txt"; then
            ok
        else
            not_ok "compile_time.sh judge, at most $most" "$dir/output.txt"
        fi
    done
fi
sum=$(awk -f "$here/compile_reference.awk" | cksum)
if grep -q "\"$sum\"" "$here/compile_time.sh"; then ok; else not_ok "the reference file's cksum is $sum" /dev/null; fi

printf 'int f(void) {\n    return 1;\n}\n' > "$dir/form.c"
printf 'int f(void) {\n  return 1;\n}\n' > "$dir/bad_form.c"
sh "$here/format.sh" "$dir/form.c" "$dir/bad_form.c" > "$dir/output.txt" 2>&1
if grep -q '^skipped: clang-format 14$' "$dir/output.txt"; then
    echo "skipped: format (clang-format 14)"
elif grep -q "^FAILED $dir/bad_form.c:2\$" "$dir/output.txt" &&
    test "$(tail -n 1 "$dir/output.txt")" = "1 passed, 1 failed" && sh "$here/format.sh" "$dir/form.c" > /dev/null; then
    ok
else
    not_ok "format.sh" "$dir/output.txt"
fi

# ---- biostream_cuda.h, beside the first header ----

sed 's|^BSI_INLINE uint32_t|/* BSI_FIELD_NUMBER(biost_loader_desc, rows, U32, DATA, 1, 9999, 1024, "") */\
&|' "$dir/good.h" > "$dir/biostream.h"
printf '%s\n' '/*' 'static void bsi_fields_resolve_loader(biost_loader_desc *desc) {' '    desc->name_bytes = desc->names ? 128 : 0;' '}' '*/' \
    >> "$dir/biostream.h"
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
 *   >>open       planning
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

/* Stop here if you only want the API. */

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
 * >>open   planning
 *   uses: -                        allocates: no   threads: no   I/O: no
 * ========================================================================== */
static uint32_t bsi_cuda_open_slots(void) {
    return 3; /* 128 and 1024 are not ours */
}

/* ==========================================================================
 * >>public   doors
 *   uses: words driver open        allocates: no   threads: no   I/O: no
 * ========================================================================== */
uint32_t biost_cuda_sum(const uint8_t *data, size_t bytes) {
    return bsi_cuda_words_count(data, bytes) + bsi_cuda_driver_count() + bsi_cuda_open_slots();
}
#endif
HEADER
begin "$dir/good_cuda.h" cuda

# A private name of the other header compiles where both implementations are in one file, and only there.
with 's/return biost_sum(text, /return bsi_bytes_load(text) + biost_sum(text, /'
expect only_public_names_of_biostream "stands_beside_biostream no_private_prototypes"
with 's/return biost_sum(text, /return BSI_TWICE(1u) + biost_sum(text, /'
expect only_public_names_of_biostream stands_beside_biostream
with 's/uses: words driver open/uses: driver open/'
expect rooms_use_what_they_list
with 's/uses: words kernels /uses: words driver  /'
expect banners "rooms_use_what_they_list rooms_list_what_they_use"
with 's/uses: words driver open/uses: words driver open kernels/'
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
with 's/return 3;/return 1024u;/'
expect no_defaults_of_loaders
with 's/return 3;/return 128;/'
expect no_defaults_of_loaders
with 's/return 3;/return 129;/'
expect_pass "another number"
echo '/* The nearest place before the record. */' | insert '^uint32_t biost_cuda_sum'
expect words_of_the_glossary
# PTX has a limit of its own and counts for no other but the bytes.
repeat 100 '    "mov;"' | insert '^    "ret;'
narrow ptx_lines
expect ptx_lines
narrow lines
expect_pass "more lines of PTX"
echo '/* more */' | insert '^static uint32_t bsi_cuda_words'
expect lines
narrow if_in_functions
printf '#if 1\n#endif\n' | insert '^    return bsi_cuda_words_count[(]data'
expect if_in_functions
if test -n "$compiler"; then
    narrow "object_bytes$compiler"
    with 's/return biost_sum(text, /return (uint32_t)(bytes % 7 * bytes % 9) + biost_sum(text, /'
    expect "object_bytes$compiler"
fi
# biostream.h's own sizes do not count here.
sed 's/^    return bsi_platform_cores();/    uint32_t a = bsi_platform_cores();\n    a += a % 7;\n    return a;/' "$dir/good.h" \
    > "$dir/biostream.h"
test -z "$compiler" || narrow "object_bytes$compiler"
cp "$good" "$dir/bad.h"
expect_pass "a larger biostream.h"

# None of the lint's checks is left out above.
for check in $checks; do
    case " $tried " in
    *" $check "*) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)) && echo "FAILED: no header here breaks $check" ;;
    esac
done

echo "$passed passed, $failed failed"
test $failed = 0
