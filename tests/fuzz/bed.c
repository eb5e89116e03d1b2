/*
 * bed.c - what the tools read as text: BED, lists of names, and sequences for a .fai, each against a plain second
 * reading of the same lines.
 *
 * Input: two bytes of choices, one of pages, then the text. It is read whole and in small pages, to the same intervals,
 * numbers or sentence.
 */
#include "tools.h"
#include <ctype.h>

static const char *const bed_names[] = {"chr1", "x", "track", "scaffold_12", "chr1.2"};
enum { BED_NAMES = sizeof bed_names / sizeof bed_names[0] };

static int bed_find(const char *name, size_t bytes, uint64_t *out_number, void *user_data) {
    (void)user_data;
    for (uint64_t i = 0; i < BED_NAMES; i++) {
        if (strlen(bed_names[i]) == bytes && memcmp(bed_names[i], name, bytes) == 0) {
            *out_number = i;
            return 1;
        }
    }
    return 0;
}

static const char *bed_name_of(uint64_t number, size_t *out_bytes, void *user_data) {
    (void)user_data;
    *out_bytes = number < BED_NAMES ? strlen(bed_names[number]) : 0;
    return number < BED_NAMES ? bed_names[number] : NULL;
}

static uint64_t bed_bases_of(uint64_t number, void *user_data) {
    (void)user_data;
    return number * 300;
}

/* ---- a second reading ---- */

/* Column `column` of the line [from, to) as a text that ends with NUL; 0: there is none. */
static int bed_column(const char *from, const char *to, int column, char *out, size_t room) {
    const char *blanks = memchr(from, '\t', (size_t)(to - from)) != NULL ? "\t" : " \t\v\f\r";
    size_t used = 0;
    while (blanks[1] != '\0' && from < to && isspace((unsigned char)*from)) {
        from++;
    }
    while (blanks[1] != '\0' && to > from && isspace((unsigned char)to[-1])) {
        to--;
    }
    while (--column > 0) {
        while (from < to && (*from == '\0' || strchr(blanks, *from) == NULL)) {
            from++;
        }
        if (from == to) {
            return 0;
        }
        from++;
        while (blanks[1] != '\0' && from < to && isspace((unsigned char)*from)) {
            from++;
        }
    }
    while (from < to && (*from == '\0' || strchr(blanks, *from) == NULL) && used + 1 < room) {
        out[used++] = *from++;
    }
    out[used] = '\0';
    return 1;
}

/* The line's interval is what its columns say. */
static void bed_check_interval(const biost_interval *interval, const char *from, const char *to,
                               int has_strand) {
    char field[64];
    FUZZ_CHECK(bed_column(from, to, 1, field, sizeof field) &&
               strcmp(field, bed_names[interval->sequence]) == 0);
    FUZZ_CHECK(bed_column(from, to, 2, field, sizeof field) && strtoll(field, NULL, 10) == interval->start);
    FUZZ_CHECK(bed_column(from, to, 3, field, sizeof field) && strtoll(field, NULL, 10) == interval->end);
    FUZZ_CHECK(interval->start <= interval->end);
    if (has_strand && bed_column(from, to, 6, field, sizeof field)) {
        FUZZ_CHECK(interval->strand == (strcmp(field, "-") == 0));
    }
}

static int bed_says_nothing(const char *from, const char *to) {
    int is_blank = 1;
    for (const char *at = from; at < to; at++) {
        is_blank &= isspace((unsigned char)*at) != 0;
    }
    return is_blank || *from == '#' || (to - from >= 5 && memcmp(from, "track", 5) == 0) ||
           (to - from >= 7 && memcmp(from, "browser", 7) == 0);
}

/* Each line gave its interval, or says nothing. */
static void bed_check_lines(const fx_bed *bed, const char *text, size_t bytes, int has_strand) {
    const char *at = text, *end = text + bytes;
    uint64_t line = 0, next = 0;
    while (at < end) {
        const char *feed = (const char *)memchr(at, '\n', (size_t)(end - at));
        const char *to = feed != NULL ? feed : end;
        line++;
        if (to > at && to[-1] == '\r') {
            to--;
        }
        if (next < bed->count && bed->lines[next] == line) {
            bed_check_interval(&bed->intervals[next++], at, to, has_strand);
        } else {
            FUZZ_CHECK(bed_says_nothing(at, to));
        }
        at = feed != NULL ? feed + 1 : end;
    }
    FUZZ_CHECK(next == bed->count);
}

/* ---- BED and lists ---- */

static int bed_read(const uint8_t *text, size_t bytes, uint32_t page_bytes, const fx_bed_wish *wish,
                    int is_list, fx_bed *bed) {
    biost_stream_desc desc;
    fuzz_memory memory;
    memset(&desc, 0, sizeof desc);
    memset(bed, 0, sizeof *bed);
    desc.memory.data = text;
    desc.memory.bytes = bytes;
    desc.test.page_bytes = page_bytes;
    desc.allocator = fuzz_allocator(&memory, 1 << 28);
    int good = is_list ? fx_bed_read_list(&desc, wish, bed) : fx_bed_read(&desc, wish, bed);
    FUZZ_CHECK(good == (bed->error[0] == '\0') && memory.now == 0);
    return good;
}

static void bed_compare(const uint8_t *text, size_t bytes, uint32_t choices, uint32_t page) {
    static const biost_dtype dtypes[] = {BIOST_DTYPE_U8, BIOST_DTYPE_I32, BIOST_DTYPE_I64, BIOST_DTYPE_F32};
    int is_list = choices >> 1 & 1;
    fx_bed_wish wish;
    fx_bed whole, cut;
    memset(&wish, 0, sizeof wish);
    wish.names.find = bed_find;
    wish.names.name_of = bed_name_of;
    wish.names.bases_of = choices & 4 ? bed_bases_of : NULL;
    wish.label_column = choices >> 3 & 7;
    wish.label_dtype = dtypes[choices >> 6 & 3];
    wish.edge = (biost_edge)((choices >> 8) % 3);
    wish.fit = choices & 1024 ? BIOST_FIT_SUMMIT : BIOST_FIT_EXACT;
    int good = bed_read(text, bytes, 16384, &wish, is_list, &whole);
    FUZZ_CHECK(bed_read(text, bytes, 16 + page, &wish, is_list, &cut) == good);
    FUZZ_CHECK(whole.count == cut.count && strcmp(whole.error, cut.error) == 0);
    for (uint64_t i = 0; i < whole.count; i++) {
        if (is_list) {
            FUZZ_CHECK(whole.numbers[i] == cut.numbers[i] && whole.numbers[i] < BED_NAMES);
        } else {
            FUZZ_CHECK(memcmp(&whole.intervals[i], &cut.intervals[i], sizeof *whole.intervals) == 0);
        }
    }
    int is_plain = bytes < 2 || (text[0] >= ' ' && text[0] < 127) || text[0] == '\n' || text[0] == '\t';
    if (good && !is_list && is_plain) {
        bed_check_lines(&whole, (const char *)text, bytes, wish.label_column != 6);
    }
    fx_bed_free(&whole);
    fx_bed_free(&cut);
}

/* ---- .fai ---- */

/* Take a text in pieces. Returns 0 where it is refused. */
static int bed_fai_take(fx_fai *fai, const uint8_t *text, size_t bytes, size_t piece) {
    int good = 1;
    fx_fai_begin(fai, "fuzz", "text");
    for (size_t at = 0; good && at < bytes; at += piece) {
        size_t count = bytes - at < piece ? bytes - at : piece;
        uint8_t *copy = fuzz_copy(text + at, count);
        good = fx_fai_take(fai, (const char *)copy, count);
        free(copy);
    }
    return good && fx_fai_finish(fai);
}

/* An entry's name stands before its first base, whose bytes of 33 to 126 are its bases. */
static void bed_check_fai(const fx_fai *fai, const fx_fai_entry *entry, const uint8_t *text, size_t bytes) {
    const char *name = fai->names + entry->name_at;
    uint64_t at = entry->offset, bases = 0;
    FUZZ_CHECK(entry->offset <= bytes && entry->line_bases <= entry->line_bytes);
    while (at < bytes && bases < entry->bases) {
        FUZZ_CHECK(text[at] != (uint8_t)fai->mark || at == 0 || text[at - 1] != '\n' || fai->mark == '@');
        bases += text[at] > 32 && text[at] < 127;
        at++;
    }
    FUZZ_CHECK(bases == entry->bases);
    at = entry->offset;
    while (at > 1 && !(text[at - 1] == (uint8_t)fai->mark && (at == 1 || text[at - 2] == '\n'))) {
        at--;
    }
    while (at < bytes && isspace(text[at])) {
        at++;
    }
    FUZZ_CHECK(at + strlen(name) <= bytes && memcmp(text + at, name, strlen(name)) == 0);
}

static void bed_fai(const uint8_t *text, size_t bytes, uint32_t piece) {
    fx_fai whole, cut;
    int good = bed_fai_take(&whole, text, bytes, bytes > 0 ? bytes : 1);
    FUZZ_CHECK(bed_fai_take(&cut, text, bytes, 1 + piece) == good);
    for (size_t i = 0; good && i < whole.entry_count; i++) {
        const fx_fai_entry *one = &whole.entries[i], *other = &cut.entries[i];
        FUZZ_CHECK(whole.entry_count == cut.entry_count && one->bases == other->bases &&
                   one->offset == other->offset && one->line_bases == other->line_bases &&
                   one->line_bytes == other->line_bytes && one->quality_offset == other->quality_offset);
        if (memchr(text, 0, bytes) == NULL) {
            bed_check_fai(&whole, one, text, bytes);
        }
    }
    fx_fai_end(&whole);
    fx_fai_end(&cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    fuzz_input in = {data, bytes};
    uint32_t choices = (uint32_t)fuzz_number(&in, 2), page = fuzz_byte(&in);
    uint8_t *text = fuzz_copy(in.at, in.bytes);
    tools_begin();
    if (choices & 1) {
        bed_compare(text, in.bytes, choices, page);
    } else {
        bed_fai(text, in.bytes, page);
    }
    free(text);
    return 0;
}
