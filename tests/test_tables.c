/*
 * test_tables.c - the image of a store as the room tables reads it: one that oracle_store.py wrote, of five records,
 * whose sequences and counts stand here as they were given to it; cut off anywhere, with each byte changed, and
 * with each byte changed under checksums that were made to fit, so that only the room's own checks are left.
 *
 * rooms: tables
 * needs: loader stores
 */
#include "white.h"
#include "test.h"
#include "xxh64.h"

enum { TABLES_BYTES = 65536, TABLES_RECORDS = 5, TABLES_BASES = 132 };

typedef struct tables_piece {
    uint32_t at, bytes;
    const char *text;
} tables_piece;

/* What is not 0 of the oracle's file. */
/* clang-format off */
static const tables_piece tables_pieces[] = {
    {0, 16, "\x42\x49\x4F\x53\x54\x53\x54\x01\x00\x00\x01\x00\x00\x00\x00\x00"},
    {16, 16, "\x08\x07\x06\x05\x04\x03\x02\x01\x24\x00\x00\x00\x00\x10\x00\x00"},
    {32, 1, "\x05"},
    {40, 1, "\x78"},
    {48, 1, "\x02"},
    {56, 1, "\x02"},
    {72, 1, "\x01"},
    {83, 6, "\x04\x00\x00\x00\x00\x38"},
    {96, 1, "\x09"},
    {104, 1, "\x03"},
    {112, 1, "\x02"},
    {120, 16, "\x01\x01\x01\x01\x01\x02\x05\x01\x01\x01\x00\x01\x01\x01\x01\x02"},
    {136, 9, "\x00\x10\x00\x00\x00\x00\x00\x00\x3C"},
    {152, 16, "\x56\xA2\x3E\xFC\x14\xD2\xAD\x1C\x00\x20\x00\x00\x00\x00\x00\x00"},
    {168, 1, "\x30"},
    {176, 16, "\x48\xD2\xC6\xFD\xCA\x58\x83\x76\x00\x30\x00\x00\x00\x00\x00\x00"},
    {192, 1, "\x20"},
    {200, 16, "\x32\x9B\x25\x89\xF2\x98\x95\x10\x00\x40\x00\x00\x00\x00\x00\x00"},
    {216, 1, "\x53"},
    {224, 16, "\xFD\xB4\xF0\xF9\xB6\x2D\xB4\x80\x00\x50\x00\x00\x00\x00\x00\x00"},
    {240, 1, "\x08"},
    {248, 16, "\xBB\x1B\xDB\xCA\xCD\x6A\xC9\x34\x00\x60\x00\x00\x00\x00\x00\x00"},
    {264, 1, "\x0A"},
    {272, 16, "\xFD\x61\x26\x4F\xFD\xD7\xF0\xAA\x00\x70\x00\x00\x00\x00\x00\x00"},
    {288, 1, "\x08"},
    {296, 16, "\x2B\x12\x63\x22\x26\xC9\x49\x1D\x00\x80\x00\x00\x00\x00\x00\x00"},
    {312, 1, "\x0A"},
    {320, 16, "\xFD\x61\x26\x4F\xFD\xD7\xF0\xAA\x00\x90\x00\x00\x00\x00\x00\x00"},
    {336, 1, "\x08"},
    {344, 16, "\x2A\x93\x7D\xA6\x7E\xFD\x66\xCC\x00\xA0\x00\x00\x00\x00\x00\x00"},
    {360, 1, "\x0A"},
    {368, 16, "\x18\xEA\x54\xEE\x5F\x9A\x20\xA0\x00\xB0\x00\x00\x00\x00\x00\x00"},
    {384, 1, "\x04"},
    {392, 16, "\x84\x29\x1F\xE1\x79\x45\xF7\x96\x00\xC0\x00\x00\x00\x00\x00\x00"},
    {408, 1, "\x70"},
    {416, 16, "\x86\x8A\xA1\x9E\xAB\x75\x88\xE4\x00\xD0\x00\x00\x00\x00\x00\x00"},
    {432, 1, "\x08"},
    {440, 16, "\xBB\x1B\xDB\xCA\xCD\x6A\xC9\x34\x00\xE0\x00\x00\x00\x00\x00\x00"},
    {456, 1, "\x1A"},
    {464, 16, "\x83\x14\xD3\xA1\x66\x73\xAC\x31\x00\xF0\x00\x00\x00\x00\x00\x00"},
    {480, 1, "\x0C"},
    {488, 16, "\xB0\xC8\x60\x0B\x91\x31\xBC\x81\x57\x71\x21\x7D\x32\xF4\xDE\x22"},
    {4096, 16, "\xE4\x40\x0E\xFF\xAB\x2A\x44\x44\x44\x44\x44\x44\x44\x44\x44\x44"},
    {4112, 16, "\xF2\x84\x3C\x21\x4F\xC8\x13\xF2\x84\x3C\x21\x4F\xC8\x13\x50\xA0"},
    {4128, 16, "\x4A\xFF\xFF\xFF\xAA\xAA\xAA\xAA\xAA\xAA\xAA\xAA\xAA\xAA\x55\x55"},
    {4144, 12, "\x55\x55\x55\x55\x55\x55\x55\x55\x55\x55\x55\x55"},
    {8192, 1, "\x6F"},
    {8200, 1, "\xDE"},
    {8208, 1, "\x03"},
    {8216, 16, "\x4D\x01\x00\x00\x00\x00\x00\x00\xBC\x01\x00\x00\x00\x00\x00\x00"},
    {8232, 1, "\x02"},
    {12304, 1, "\x03"},
    {12317, 1, "\x01"},
    {16384, 16, "\x0C\x00\x0C\x28\x38\x02\x00\x00\x00\x00\x04\x00\x06\x14\x10\x02"},
    {16400, 16, "\x00\x01\x00\x00\x04\x00\x05\x00\x00\xA6\x00\x00\x00\xEC\x01\x40"},
    {16416, 16, "\x06\x70\x00\xEC\xBC\x56\x72\x03\x00\x00\x00\x00\x00\xFC\x3B\x1F"},
    {16432, 16, "\x00\x00\x60\x12\x83\x00\x00\x60\xC6\xB3\xAA\x11\x00\x00\x29\x28"},
    {16448, 11, "\x02\x28\x00\x29\x28\x02\x09\x00\x04\x09\x04"},
    {24577, 1, "\x02"},
    {28672, 5, "\x04\x10\x00\x00\x17"},
    {32769, 1, "\x02"},
    {36864, 6, "\x06\x30\x00\x00\x0C\x40"},
    {40961, 1, "\x01"},
    {45056, 4, "\x0A\x10\x00\x52"},
    {49160, 1, "\x1E"},
    {49168, 6, "\x02\x04\x21\x23\x49\x4A"},
    {57344, 16, "\x6F\x6E\x65\x20\x66\x69\x72\x73\x74\x20\x74\x77\x6F\x6F\x6E\x65"},
    {57360, 10, "\x20\x61\x67\x61\x69\x6E\x66\x69\x76\x65"},
    {61441, 3, "\x05\x01\x03"},
};
/* clang-format on */

/* What went in: sequences, qualities, titles; what they have of A C G T, G and C, N, lower case. */
static const struct {
    const char *seq, *qual, *title;
    int64_t id;
    uint64_t acgt, gc, n, lower, qual_sum, others;
    uint32_t qual_min, qual_max;
} tables_records[TABLES_RECORDS] = {
    {"ACGTNNacgtRR", "!!##!!IIII!#", "one first", 0, 8, 4, 2, 4, 4 * 40 + 3 * 2, 4, 0, 40},
    {"", "", "", 1, 0, 0, 0, 0, 0, 0, 0, 0},
    {"tttttGGGGGGN", "JJJJJJJJJJJJ", " two", 2, 11, 6, 1, 5, 12 * 41, 1, 41, 41},
    {"ACACACACACACACACACACACACACACACACACACACAC", "IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII", "one again",
     (int64_t)1 << 40, 40, 20, 0, 0, 40 * 40, 0, 40, 40},
    {"GATTACAGATTACAGATTACAGATTACAGATTACAGATTACAGATTACAGATTACA",
     "########################################################", "five", ((int64_t)1 << 40) + 1, 56, 16, 0, 0,
     2 * 56, 0, 2, 2},
};

static uint8_t tables_image[TABLES_BYTES];

static void tables_fill(void) {
    memset(tables_image, 0, sizeof tables_image);
    for (size_t i = 0; i < sizeof tables_pieces / sizeof tables_pieces[0]; i++) {
        memcpy(tables_image + tables_pieces[i].at, tables_pieces[i].text, tables_pieces[i].bytes);
    }
}

/* Open a copy of the image in memory of exactly its size, so that a sanitizer sees what is read past its end. */
static const char *tables_open(bsi_tables *tables, const uint8_t *image, size_t bytes, uint8_t **out_copy) {
    *out_copy = (uint8_t *)malloc(bytes > 0 ? bytes : 1);
    if (*out_copy == NULL) {
        return "no memory";
    }
    memcpy(*out_copy, image, bytes);
    memset(tables, 0, sizeof *tables);
    bsi_kernels_pack(&tables->pack, bsi_cpu_features());
    return bsi_tables_open(tables, *out_copy, bytes);
}

TEST(tables, what_the_oracle_wrote) {
    bsi_tables tables;
    uint8_t *copy, seq[64], qual[64];
    uint64_t first = 0;
    tables_fill();
    REQUIRE(tables_open(&tables, tables_image, TABLES_BYTES, &copy) == NULL);
    CHECK_EQ_U64(bsi_tables_count(&tables), TABLES_RECORDS);
    CHECK(bsi_tables_has_names(&tables) && bsi_tables_has_quality(&tables));
    CHECK_EQ_U64(bsi_tables_fingerprint(&tables), slow_xxh64(tables_image, 496, 0));
    for (uint32_t i = 0; i < TABLES_RECORDS; i++) {
        const size_t bases = strlen(tables_records[i].seq);
        biost_stats stats;
        size_t title_bytes;
        const uint8_t *title = bsi_tables_title(&tables, i, &title_bytes);
        test_note("record %u", (unsigned)i);
        CHECK_EQ_U64(bsi_tables_bases(&tables, i), bases);
        CHECK_EQ_U64(bsi_tables_first(&tables, i), first);
        CHECK_EQ_I64(bsi_tables_id(&tables, i), tables_records[i].id);
        CHECK_EQ_U64(title_bytes, strlen(tables_records[i].title));
        CHECK_MEM(title, tables_records[i].title, title_bytes);
        bsi_tables_stats(&tables, i, &stats);
        CHECK_EQ_U64(stats.acgt_count, tables_records[i].acgt);
        CHECK_EQ_U64(stats.gc_count, tables_records[i].gc);
        CHECK_EQ_U64(stats.n_count, tables_records[i].n);
        CHECK_EQ_U64(stats.qual_sum, tables_records[i].qual_sum);
        CHECK_EQ_U64(stats.qual_min, tables_records[i].qual_min);
        CHECK_EQ_U64(stats.qual_max, tables_records[i].qual_max);
        CHECK_EQ_U64(bsi_tables_lower(&tables, i), tables_records[i].lower);
        CHECK_EQ_U64(bsi_tables_count_in(&tables, BSI_TABLES_N, i, 0, bases), tables_records[i].n);
        CHECK_EQ_U64(bsi_tables_count_in(&tables, BSI_TABLES_LOWER, i, 0, bases), tables_records[i].lower);
        CHECK_EQ_U64(bsi_tables_count_in(&tables, BSI_TABLES_OTHER, i, 0, bases), tables_records[i].others);
        for (size_t start = 0; start <= bases; start++) {
            for (size_t end = start; end <= bases; end++) {
                bsi_tables_fetch(&tables, i, start, end, seq);
                bsi_tables_fetch_quality(&tables, i, start, end, qual);
                CHECK_MEM(seq, tables_records[i].seq + start, end - start);
                CHECK_MEM(qual, tables_records[i].qual + start, end - start);
            }
        }
        first += bases;
    }
    free(copy);
}

TEST(tables, names) {
    static const struct {
        const char *name;
        int is_found;
        uint64_t record;
    } cases[] = {{"one", 1, 0}, {"two", 1, 2}, {"five", 1, 4}, {"on", 0, 0}, {"one first", 0, 0}, {"", 0, 0}};
    bsi_tables tables;
    uint8_t *copy;
    tables_fill();
    REQUIRE(tables_open(&tables, tables_image, TABLES_BYTES, &copy) == NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t record = 99;
        int is_found = bsi_tables_find(&tables, (const uint8_t *)cases[i].name, strlen(cases[i].name),
                                       &record);
        test_note("%s", cases[i].name);
        CHECK_EQ_I64(is_found, cases[i].is_found);
        CHECK(!is_found || record == cases[i].record);
    }
    for (uint64_t i = 0; i < TABLES_RECORDS; i++) { /* records 0 and 3 are named one, record 1 not at all */
        uint64_t record = 99;
        CHECK_EQ_I64(bsi_tables_find_again(&tables, i, &record), i == 0);
        CHECK_EQ_U64(record, i == 0 ? 3 : 99);
    }
    free(copy);
}

/* ---- what is no image ---- */

/* Use all that can be asked of tables that were taken. Returns a number that depends on all of it. */
static uint64_t tables_use(const bsi_tables *tables) {
    uint64_t sum = bsi_tables_fingerprint(tables), record, found = 0;
    for (record = 0; record < bsi_tables_count(tables); record++) {
        uint64_t bases = bsi_tables_bases(tables, record);
        uint8_t *out = (uint8_t *)malloc((size_t)bases + 1);
        size_t title_bytes;
        const uint8_t *title = bsi_tables_title(tables, record, &title_bytes);
        biost_stats stats;
        if (out == NULL) {
            return 0;
        }
        sum += slow_xxh64(title, title_bytes, 0) + (uint64_t)bsi_tables_id(tables, record);
        bsi_tables_stats(tables, record, &stats);
        sum += stats.acgt_count + bsi_tables_lower(tables, record);
        for (int kind = 0; kind < 3; kind++) {
            sum += bsi_tables_count_in(tables, (bsi_tables_kind)kind, record, bases / 3, bases);
        }
        bsi_tables_fetch(tables, record, 0, bases, out);
        sum += slow_xxh64(out, (size_t)bases, 0);
        if (bsi_tables_has_quality(tables)) {
            bsi_tables_fetch_quality(tables, record, bases / 2, bases, out);
            sum += slow_xxh64(out, (size_t)(bases - bases / 2), 0);
        }
        free(out);
    }
    sum += (uint64_t)bsi_tables_find(tables, (const uint8_t *)"five", 4, &found) + found;
    sum += (uint64_t)bsi_tables_find(tables, (const uint8_t *)"none", 4, &found);
    return sum;
}

TEST(tables, cut_off) {
    bsi_tables tables;
    tables_fill();
    for (size_t bytes = 0; bytes < TABLES_BYTES; bytes += bytes < 600 ? 1 : 61) {
        uint8_t *copy;
        const char *wrong = tables_open(&tables, tables_image, bytes, &copy);
        test_note("%u bytes", (unsigned)bytes);
        CHECK(wrong != NULL);
        CHECK_STR(wrong, bytes == 0 ? "it does not begin like one" : "it was cut off");
        free(copy);
    }
}

TEST(tables, refused) {
    static const struct {
        uint32_t at;
        uint8_t byte;
        const char *wrong;
    } cases[] = {{0, 'C', "it does not begin like one"},
                 {7, 3, "it is of another version of the library"},
                 {7, 0, "it is of another version of the library"},
                 {16, 9, "its head is damaged"},
                 {30, 1, "its head is damaged"},
                 {495, 1, "its head is damaged"}};
    bsi_tables tables;
    uint8_t *copy, longer[TABLES_BYTES + 1] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tables_fill();
        tables_image[cases[i].at] = cases[i].byte;
        CHECK_STR(tables_open(&tables, tables_image, TABLES_BYTES, &copy), cases[i].wrong);
        free(copy);
    }
    tables_fill();
    for (uint32_t i = 0; i < 8; i++) {
        tables_image[16 + i] = (uint8_t)(i + 1);
    }
    CHECK_STR(tables_open(&tables, tables_image, TABLES_BYTES, &copy),
              "its numbers are in another byte order");
    free(copy);
    tables_fill();
    memcpy(longer, tables_image, TABLES_BYTES);
    CHECK_STR(tables_open(&tables, longer, TABLES_BYTES + 1, &copy), "bytes follow after its end");
    free(copy);
}

/* A changed byte is refused, or is one of those that no table holds: bases, qualities, and what fills up. */
TEST(tables, each_byte_changed) {
    bsi_tables good, tables;
    uint8_t *copy, *other;
    uint64_t all;
    tables_fill();
    REQUIRE(tables_open(&good, tables_image, TABLES_BYTES, &copy) == NULL);
    all = tables_use(&good);
    for (size_t at = 0; at < TABLES_BYTES; at++) {
        const char *wrong;
        int is_held = at < BSI_TABLES_HEAD_BYTES, is_body;
        for (uint32_t i = 1; i < BSI_TABLES_SECTIONS; i++) {
            is_held |= at >= good.head.sections[i].at &&
                       at - good.head.sections[i].at < good.head.sections[i].bytes;
        }
        is_body = at >= 4096 && at - 4096 < good.head.sections[0].bytes;
        if (!is_held && !is_body && at % 4096 > 64 && at % 4096 < 4090) {
            continue; /* zeros that fill up: a few are enough */
        }
        test_note("byte %u", (unsigned)at);
        tables_image[at] ^= 0x21;
        wrong = tables_open(&tables, tables_image, TABLES_BYTES, &other);
        CHECK(is_held == (wrong != NULL));
        if (wrong == NULL) {
            uint64_t now = tables_use(&tables);
            CHECK(is_body || now == all);
            CHECK(!is_body || !bsi_tables_is_section_good(&tables, BSI_TABLES_BODY));
        }
        free(other);
        tables_image[at] ^= 0x21;
    }
    free(copy);
}

static void tables_store64(uint8_t *to, uint64_t number) {
    for (int i = 0; i < 8; i++, number >>= 8) {
        to[i] = (uint8_t)number;
    }
}

static uint64_t tables_load64(const uint8_t *from) {
    uint64_t number = 0;
    for (int i = 7; i >= 0; i--) {
        number = number << 8 | from[i];
    }
    return number;
}

/* Make the checksums of an image fit what it holds. */
static void tables_seal(uint8_t *image) {
    for (uint32_t i = 0; i < BSI_TABLES_SECTIONS; i++) {
        uint8_t *entry = image + 136 + 24 * i;
        uint64_t at = tables_load64(entry), bytes = tables_load64(entry + 8);
        if (at <= TABLES_BYTES && bytes <= TABLES_BYTES - at) {
            tables_store64(entry + 16, slow_xxh64(image + at, (size_t)bytes, 0));
        }
    }
    tables_store64(image + 496, slow_xxh64(image, 496, 0));
}

/* A run of ids may not lead to an input that there is not, which a table of labels by input has no number for. */
TEST(tables, ids_past_the_last_input) {
    bsi_tables tables;
    uint8_t *copy;
    uint64_t first;
    for (first = ((uint64_t)2 << 40) - 2; first < (uint64_t)2 << 40; first++) { /* of records 3 and 4 */
        const int is_good = first + 1 < (uint64_t)2 << 40;
        const char *wrong;
        tables_fill();
        tables_store64(tables_image + 12312, first);
        tables_seal(tables_image);
        wrong = tables_open(&tables, tables_image, TABLES_BYTES, &copy);
        CHECK((wrong == NULL) == is_good);
        CHECK_STR(wrong != NULL ? wrong : "", is_good ? "" : "its tables contradict one another");
        free(copy);
    }
}

/* Inputs or runs of ids whose bytes are no number of 64 bits are not taken for those that there are. */
TEST(tables, counts_too_large) {
    static const size_t places[] = {48, 56};
    bsi_tables tables;
    uint8_t *copy;
    for (size_t i = 0; i < 4; i++) {
        const char *wrong;
        tables_fill();
        tables_store64(tables_image + places[i / 2], i % 2 ? UINT64_MAX : ((uint64_t)1 << 60) + 2);
        tables_seal(tables_image);
        test_note("byte %u, number %u", (unsigned)places[i / 2], (unsigned)i % 2);
        wrong = tables_open(&tables, tables_image, TABLES_BYTES, &copy);
        CHECK_STR(wrong != NULL ? wrong : "", "what it should hold does not fit its size");
        free(copy);
    }
}

/* Without names there are no titles, whatever the column of their sizes says. */
TEST(tables, titles_of_a_store_without_names) {
    enum { NAMELESS_BYTES = 0xD000 };
    bsi_tables tables;
    uint8_t *copy;
    uint32_t section;
    tables_fill();
    tables_image[24] = 4 | 16;
    tables_store64(tables_image + 8, NAMELESS_BYTES);
    tables_image[134] = tables_image[135] = 0; /* the heads of chains */
    for (section = 12; section < 15; section++) {
        tables_store64(tables_image + 136 + 24 * section, NAMELESS_BYTES);
        tables_store64(tables_image + 136 + 24 * section + 8, 0);
    }
    tables_seal(tables_image);
    if (CHECK(tables_open(&tables, tables_image, NAMELESS_BYTES, &copy) == NULL)) {
        for (uint64_t i = 0; i < TABLES_RECORDS; i++) {
            size_t bytes = 99;
            uint64_t record;
            (void)bsi_tables_title(&tables, i, &bytes);
            CHECK_EQ_U64(bytes, 0);
            CHECK_EQ_I64(bsi_tables_find_again(&tables, i, &record), 0);
        }
        (void)tables_use(&tables);
    }
    free(copy);
}

/* Heads that take no bytes may claim to be 2^48: nobody goes over them, and no name leads to its record. */
TEST(tables, heads_without_bytes) {
    bsi_tables tables;
    uint64_t record;
    uint8_t *copy;
    tables_fill();
    tables_image[134] = 0;
    tables_image[135] = 48;
    tables_store64(tables_image + 136 + 24 * 14 + 8, BSI_TABLES_PAD);
    tables_seal(tables_image);
    if (CHECK(tables_open(&tables, tables_image, sizeof tables_image, &copy) == NULL)) {
        CHECK_EQ_I64(bsi_tables_find(&tables, (const uint8_t *)"one", 3, &record), 0);
    }
    free(copy);
}

/* Whatever is taken can be used, though its numbers may be wrong. */
TEST(tables, each_byte_changed_and_sealed) {
    static const uint8_t changes[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x40, 0x80, 0xFF};
    bsi_tables good, tables;
    uint8_t *copy, *other;
    unsigned taken = 0, refused = 0;
    tables_fill();
    REQUIRE(tables_open(&good, tables_image, TABLES_BYTES, &copy) == NULL);
    for (size_t at = 8; at < TABLES_BYTES; at++) {
        int is_held = at < 496;
        for (uint32_t i = 0; i < BSI_TABLES_SECTIONS; i++) {
            is_held |= at >= good.head.sections[i].at &&
                       at - good.head.sections[i].at < good.head.sections[i].bytes;
        }
        for (size_t k = 0; is_held && k < sizeof changes; k++) {
            tables_fill();
            tables_image[at] ^= changes[k];
            tables_seal(tables_image);
            test_note("byte %u by %u", (unsigned)at, (unsigned)changes[k]);
            if (tables_open(&tables, tables_image, TABLES_BYTES, &other) == NULL) {
                (void)tables_use(&tables);
                taken++;
            } else {
                refused++;
            }
            free(other);
        }
    }
    CHECK(taken > 100 && refused > 1000);
    free(copy);
}
