/*
 * test_bed.c - intervals and lists of names that tools read: BED lines against the oracle's table, names and
 * sentences by hand, and texts of any bytes.
 *
 * rooms: tools
 * needs: loader library
 */
#include "../biostream.h"
#include "../examples/tools/fx.h"
#include "../examples/tools/fx_bed.h"
#include "test.h"

/* Names: of a store, or those that were asked for, which are added. */
typedef struct known {
    char names[600][80];
    size_t bytes[600];
    uint64_t count;
    int grows;
} known;

static int known_find(const char *name, size_t bytes, uint64_t *out_number, void *user_data) {
    known *of = (known *)user_data;
    for (uint64_t i = 0; i < of->count; i++) {
        if (of->bytes[i] == bytes && memcmp(of->names[i], name, bytes) == 0) {
            *out_number = i;
            return 1;
        }
    }
    if (!of->grows || bytes > sizeof of->names[0] || of->count == 600) {
        return 0;
    }
    memcpy(of->names[of->count], name, bytes);
    of->bytes[of->count] = bytes;
    *out_number = of->count++;
    return 1;
}

static int known_again(uint64_t number, uint64_t *out_number, void *user_data) {
    known *of = (known *)user_data;
    for (uint64_t i = number + 1; i < of->count; i++) {
        if (of->bytes[i] == of->bytes[number] && memcmp(of->names[i], of->names[number], of->bytes[i]) == 0) {
            *out_number = i;
            return 1;
        }
    }
    return 0;
}

static const char *known_name_of(uint64_t number, size_t *out_bytes, void *user_data) {
    known *of = (known *)user_data;
    *out_bytes = number < of->count ? of->bytes[number] : 0;
    return number < of->count ? of->names[number] : NULL;
}

static fx_bed_wish wish_of(known *of) {
    fx_bed_wish wish;
    memset(&wish, 0, sizeof wish);
    wish.names.find = known_find;
    wish.names.name_of = known_name_of;
    wish.names.user_data = of;
    return wish;
}

static void know(known *of, const char *const *names, size_t count) {
    memset(of, 0, sizeof *of);
    for (of->count = 0; of->count < count; of->count++) {
        of->bytes[of->count] = strlen(names[of->count]);
        memcpy(of->names[of->count], names[of->count], of->bytes[of->count]);
    }
}

/* Read a text in pages of this many bytes; 0: as it comes. */
static int read_text(const char *text, size_t bytes, uint32_t page_bytes, const fx_bed_wish *wish,
                     int is_list, fx_bed *out) {
    biost_stream_desc desc;
    uint8_t *copy = test_copy(text, bytes); /* exact: a byte read after it is an error */
    memset(&desc, 0, sizeof desc);
    memset(out, 0, sizeof *out);
    desc.memory.data = copy;
    desc.memory.bytes = bytes;
    desc.test.page_bytes = page_bytes;
    int good = is_list ? fx_bed_read_list(&desc, wish, out) : fx_bed_read(&desc, wish, out);
    free(copy);
    return good;
}

/* Intervals as the table has them. */
static void print_intervals(const known *of, const fx_bed *bed, char *out, size_t space) {
    size_t used = 0;
    out[0] = '\0';
    for (uint64_t i = 0; i < bed->count && used + 600 < space; i++) {
        const biost_interval *at = &bed->intervals[i];
        used += (size_t)snprintf(out + used, space - used, "%s", i > 0 ? " " : "");
        for (size_t k = 0; k < of->bytes[at->sequence]; k++) {
            unsigned char byte = (unsigned char)of->names[at->sequence][k];
            const char *form = byte < 32 || byte > 126 ? "\\x%02x" : "%c";
            used += (size_t)snprintf(out + used, space - used, form, byte);
        }
        used += (size_t)snprintf(out + used, space - used, ":%" PRId64 ":%" PRId64 ":%u:%.17g:%u", at->start,
                                 at->end, at->strand, at->label, at->summit);
    }
}

TEST(bed, as_the_oracle_reads) {
    static const struct {
        const char *text;
        size_t bytes;
        uint32_t column;
        biost_dtype dtype;
        int has_summit;
        const char *want;
    } rows[] = {
#include "bed_table.h"
    };
    static known of;
    static char got[65536];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint32_t page = 0; page <= 16; page += 16) {
            fx_bed bed;
            memset(&of, 0, sizeof of);
            of.grows = 1;
            fx_bed_wish wish = wish_of(&of);
            wish.label_column = rows[i].column;
            wish.label_dtype = rows[i].dtype;
            wish.fit = rows[i].has_summit ? BIOST_FIT_SUMMIT : BIOST_FIT_CENTER;
            test_note("row %u, column %u, pages of %u", (unsigned)i, (unsigned)rows[i].column,
                      (unsigned)page);
            int good = read_text(rows[i].text, rows[i].bytes, page, &wish, 0, &bed);
            print_intervals(&of, &bed, got, sizeof got);
            CHECK_STR(good ? got : bed.error, rows[i].want);
            fx_bed_free(&bed);
        }
    }
}

static const char *const genome[] = {"chr1", "chr2", "chr10", "chrX", "chrM", "scaffold_0001", "NC_000913.3"};

/* {line, sentence} */
TEST(bed, unknown_names) {
    static const char *const rows[][2] = {
        {"chr3\t1\t2", "line 1: no sequence is named chr3; the nearest name is chr1"},
        {"1\t1\t2", "line 1: no sequence is named 1; the nearest name is chr1"},
        {"\n#\nx 1 2", "line 3: no sequence is named x; the nearest name is chrX"},
        {"Chr10\t1\t2", "line 1: no sequence is named Chr10; the nearest name is chr10"},
        {"scafold_0001\t1\t2",
         "line 1: no sequence is named scafold_0001; the nearest name is scaffold_0001"},
        {"NC_000913.2\t1\t2", "line 1: no sequence is named NC_000913.2; the nearest name is NC_000913.3"},
        {"NC_000913\t1\t2", "line 1: no sequence is named NC_000913; the nearest name is NC_000913.3"},
        {"plasmid\t1\t2", "line 1: no sequence is named plasmid"},
        {"\t1\t2", "line 1: no sequence is named "},
        {"c\t1\t2", "line 1: no sequence is named c"},
        {"chr\0"
         "1\t1\t2",
         "line 1: no sequence is named chr\\x001; the nearest name is chr1"}};
    known of;
    fx_bed bed;
    know(&of, genome, sizeof genome / sizeof genome[0]);
    fx_bed_wish wish = wish_of(&of);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t bytes = i == 10 ? 9 : strlen(rows[i][0]);
        CHECK_EQ_I64(read_text(rows[i][0], bytes, 0, &wish, 0, &bed), 0);
        CHECK_STR(bed.error, rows[i][1]);
        fx_bed_free(&bed);
    }
    /* chrchr1 without its chr is a name, too; ch1 has one letter less */
    of.count = 1;
    CHECK_EQ_I64(read_text("chrchr1\t1\t2", 11, 0, &wish, 0, &bed), 0);
    CHECK_STR(bed.error, "line 1: no sequence is named chrchr1; the nearest name is chr1");
    CHECK_EQ_I64(read_text("ch1\t1\t2", 7, 0, &wish, 0, &bed), 0);
    CHECK_STR(bed.error, "line 1: no sequence is named ch1; the nearest name is chr1");
}

/* A name of two sequences says neither, wherever it is asked for; other names of the same store do. */
TEST(bed, names_twice) {
    static const char *const names[] = {"chr1", "chr2", "chr1", "chr3", "chr\x01", "chr1", "chr\x01"};
    static const struct {
        const char *text, *sentence; /* NULL: it is read */
        int is_list;
    } rows[] = {
        {"chr2\t1\t2\nchr3\t1\t2\nchr2\t1\t2\n", NULL, 0},
        {"chr3\nchr2\n", NULL, 1},
        {"chr2\t1\t2\nchr1\t1\t2\n", "line 2: two sequences are named chr1: numbers 0 and 2, counted from 0",
         0},
        {"chr1 1 2", "line 1: two sequences are named chr1: numbers 0 and 2, counted from 0", 0},
        {"chr3\nchr\x01\n", "line 2: two sequences are named chr\\x01: numbers 4 and 6, counted from 0", 1}};
    static known of;
    fx_bed bed;
    know(&of, names, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fx_bed_wish wish = wish_of(&of);
        wish.names.again = known_again;
        test_note("row %u", (unsigned)i);
        int good = read_text(rows[i].text, strlen(rows[i].text), 0, &wish, rows[i].is_list, &bed);
        CHECK_EQ_I64(good, rows[i].sentence == NULL);
        CHECK_STR(bed.error, rows[i].sentence != NULL ? rows[i].sentence : "");
        fx_bed_free(&bed);
    }
}

static uint64_t known_bases_of(uint64_t number, void *user_data) {
    (void)user_data;
    return number == 0 ? 60 : 0;
}

/* Lines past the ends of a sequence of 60 bases, or of none, beside each edge. */
TEST(bed, past_ends) {
    static const char *const names[] = {"chr1", "none"};
    static const struct {
        const char *line, *sentence; /* of PAD and INSIDE; NULL: it is read */
    } rows[] = {{"chr1\t-5\t5", NULL},
                {"chr1\t55\t65", NULL},
                {"chr1\t-999999999999999999\t999999999999999999", NULL},
                {"chr1\t59\t60", NULL},
                {"chr1\t-1\t1", NULL},
                {"chr1\t60\t70",
                 "line 1: chr1 has 60 bases, and none of them is in 60 to 70 (--edge drop leaves such "
                 "lines out)"},
                {"chr1\t-7\t0",
                 "line 1: chr1 has 60 bases, and none of them is in -7 to 0 (--edge drop leaves such "
                 "lines out)"},
                {"none\t0\t1",
                 "line 1: none has 0 bases, and none of them is in 0 to 1 (--edge drop leaves such lines "
                 "out)"},
                {"none\t-1\t1",
                 "line 1: none has 0 bases, and none of them is in -1 to 1 (--edge drop leaves such lines "
                 "out)"},
                {"chr1\t5\t5", "line 1: it has no base"}};
    static known of;
    fx_bed bed;
    know(&of, names, 2);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint32_t edge = 0; edge < 3; edge++) {
            fx_bed_wish wish = wish_of(&of);
            wish.names.bases_of = known_bases_of;
            wish.edge = (biost_edge)edge;
            test_note("row %u, edge %u", (unsigned)i, (unsigned)edge);
            int good = read_text(rows[i].line, strlen(rows[i].line), 0, &wish, 0, &bed);
            CHECK_EQ_I64(good, edge == BIOST_EDGE_DROP || rows[i].sentence == NULL);
            CHECK_EQ_U64(bed.count, good);
            CHECK_STR(bed.error, good ? "" : rows[i].sentence);
            fx_bed_free(&bed);
        }
    }
}

/* Distances by hand. */
TEST(bed, edits) {
    static const struct {
        const char *one, *other;
        unsigned edits;
    } rows[] = {
        {"", "", 0},         {"a", "", 1},      {"", "abc", 3},   {"a", "A", 0}, {"kitten", "sitting", 3},
        {"flaw", "lawn", 2}, {"abc", "abc", 0}, {"abc", "cba", 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fx_bed_text one = {rows[i].one, strlen(rows[i].one)}, other = {rows[i].other, strlen(rows[i].other)};
        CHECK_EQ_U64(fx_bed_edits(one, other), rows[i].edits);
        CHECK_EQ_U64(fx_bed_edits(other, one), rows[i].edits);
    }
}

TEST(bed, numbers_of_sequences) {
    known of;
    fx_bed bed;
    know(&of, genome, sizeof genome / sizeof genome[0]);
    fx_bed_wish wish = wish_of(&of);
    REQUIRE(read_text("chrX\t1\t2\nchr1\t3\t9\n", 18, 0, &wish, 0, &bed));
    CHECK_EQ_U64(bed.count, 2);
    CHECK_EQ_U64(bed.intervals[0].sequence, 3);
    CHECK_EQ_U64(bed.intervals[1].sequence, 0);
    fx_bed_free(&bed);
}

TEST(bed, lists) {
    static const char text[] = "# names\nchr2 second\r\n\n \t\nchr1\n chrX\tx\nscaffold_0001";
    static const uint64_t want[] = {1, 0, 3, 5};
    known of;
    fx_bed bed;
    know(&of, genome, sizeof genome / sizeof genome[0]);
    fx_bed_wish wish = wish_of(&of);
    for (uint32_t page = 0; page <= 16; page += 16) {
        REQUIRE(read_text(text, sizeof text - 1, page, &wish, 1, &bed));
        CHECK_EQ_U64(bed.count, 4);
        for (size_t i = 0; i < 4 && i < bed.count; i++) {
            CHECK_EQ_U64(bed.numbers[i], want[i]);
        }
        fx_bed_free(&bed);
    }
    REQUIRE(read_text("", 0, 0, &wish, 1, &bed));
    CHECK_EQ_U64(bed.count, 0);
    fx_bed_free(&bed);
    CHECK_EQ_I64(read_text("chr1\nchr1O\n", 11, 0, &wish, 1, &bed), 0);
    CHECK_STR(bed.error,
              "line 2: no sequence is named chr1O; the nearest name is chr1"); /* the first that is */
    fx_bed_free(&bed);
}

/* A line without end is refused by the library, in its own words. */
TEST(bed, long_lines) {
    size_t bytes = (size_t)FX_BED_LINE_BYTES + 1;
    char *text = (char *)malloc(bytes);
    known of;
    fx_bed bed;
    know(&of, genome, sizeof genome / sizeof genome[0]);
    fx_bed_wish wish = wish_of(&of);
    REQUIRE(text != NULL);
    memset(text, 'c', bytes);
    CHECK_EQ_I64(read_text(text, bytes, 0, &wish, 0, &bed), 0);
    CHECK(strstr(bed.error, "max_line_bytes") != NULL);
    fx_bed_free(&bed);
    text[0] = '#';
    CHECK_EQ_I64(read_text(text, bytes - 1, 0, &wish, 0, &bed), 1);
    fx_bed_free(&bed);
    memset(text, '\t', bytes - 1);
    CHECK_EQ_I64(read_text(text, bytes - 1, 0, &wish, 0, &bed), 1);
    fx_bed_free(&bed);
    free(text);
}

/* Any bytes: what matters is that nothing is read that is not there, and that a refusal has a sentence. */
TEST(bed, any_bytes) {
    static const char letters[] = "\t\t\t\t  \n\n\r\v#+-..0123456789chr1eEx\xff\x00track";
    uint64_t random = 7;
    known of;
    know(&of, genome, sizeof genome / sizeof genome[0]);
    fx_bed_wish wish = wish_of(&of);
    for (uint32_t round = 0; round < 20000; round++) {
        char text[64];
        fx_bed bed;
        size_t bytes = test_random(&random) % sizeof text;
        for (size_t i = 0; i < bytes; i++) {
            text[i] = letters[test_random(&random) % (sizeof letters - 1)];
        }
        wish.label_column = round % 9;
        wish.label_dtype = round % 2 ? BIOST_DTYPE_F32 : BIOST_DTYPE_I64;
        wish.fit = round % 7 ? BIOST_FIT_CENTER : BIOST_FIT_SUMMIT;
        int good = read_text(text, bytes, round % 3 ? 0 : 16, &wish, round % 5 == 0, &bed);
        /* what does not begin as text does the library refuses */
        CHECK(good || strncmp(bed.error, "line ", 5) == 0 || strncmp(bed.error, "memory: ", 8) == 0);
        fx_bed_free(&bed);
    }
}
