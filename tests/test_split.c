/*
 * test_split.c - which part of a split a name belongs to: keys by hand, hashes by xxh64.h.
 *
 * rooms: filter
 * needs: loader
 */
#include "white.h"
#include "test.h"
#include "desc_range.h"
#include "xxh64.h"
#include <math.h>

/* What is wrong with a wish, of records that are cut or not, or NULL; it gets its defaults. */
static const char *split_wrong(biost_split *io_wish, int cuts, uint32_t row_bases) {
    biost_loader_desc desc;
    const char *wrong;
    memset(&desc, 0, sizeof desc);
    desc.split = *io_wish;
    desc.row_bases = row_bases;
    desc.long_records = cuts ? BIOST_LONG_SPLIT : BIOST_LONG_FAIL;
    wrong = desc_refusal(&desc);
    *io_wish = desc.split;
    return wrong;
}

static bsi_filter_split split_begin(const biost_split *wish) {
    biost_split own = *wish;
    bsi_filter_split split;
    CHECK_STR(split_wrong(&own, 1, 1), NULL);
    bsi_filter_begin_split(&split, &own);
    return split;
}

/* Whether the title's key is this one: it is in the part that is as narrow as the hash, and in no other. */
static void check_key(const biost_split *wish, int is_fastq, const char *title, const void *key,
                      size_t key_bytes) {
    bsi_filter_split split = split_begin(wish);
    uint64_t upper = slow_xxh64(key, key_bytes, wish->salt) >> 32;
    uint8_t *copy = test_copy(title, strlen(title)); /* exact: a byte read after it is an error */
    test_note("title '%s'", title);
    split.from = upper;
    split.below = upper + 1;
    CHECK_EQ_I64(bsi_filter_takes(&split, is_fastq, copy, strlen(title)), 1);
    split.from = upper + 1;
    split.below = (uint64_t)1 << 32;
    CHECK_EQ_I64(bsi_filter_takes(&split, is_fastq, copy, strlen(title)), 0);
    split.from = 0;
    split.below = upper;
    CHECK_EQ_I64(bsi_filter_takes(&split, is_fastq, copy, strlen(title)), 0);
    free(copy);
}

/* {title, key by name of FASTA, of FASTQ, of either with strip "_:.", key by sequence} */
TEST(split, keys_of_names) {
    static const char *const cases[][5] = {
        {"read", "read", "read", "read", "read"},
        {"read/1", "read", "read", "read/1", "read/1"},
        {"read/4 x/2", "read", "read", "read/4", "read/4"},
        {"read/5", "read/5", "read/5", "read/5", "read/5"},
        {"read/0", "read/0", "read/0", "read/0", "read/0"},
        {"read/12", "read/12", "read/12", "read/12", "read/12"},
        {"read_1", "read_1", "read", "read", "read_1"},
        {"read-1", "read-1", "read-1", "read-1", "read-1"},
        {"a:b:2\tcomment", "a:b:2", "a:b", "a:b", "a:b:2"},
        {"SRR9.5.1 5 length=36", "SRR9.5.1", "SRR9.5", "SRR9.5", "SRR9.5.1"},
        {"SRR9.5.2 5 length=36", "SRR9.5.2", "SRR9.5", "SRR9.5", "SRR9.5.2"},
        {"SRR1.3", "SRR1.3", "SRR1", "SRR1", "SRR1.3"},
        {"SRR1.13", "SRR1.13", "SRR1.13", "SRR1.13", "SRR1.13"},
        {"read/1/1", "read/1", "read/1", "read/1/1", "read/1/1"},
        {"read_1/1", "read_1", "read_1", "read_1/1", "read_1/1"},
        {"  two blanks/2", "two", "two", "two", "two"},
        {"\t/3", "", "", "/3", "/3"},
        {"/1", "", "", "/1", "/1"},
        {".1", ".1", "", "", ".1"},
        {"", "", "", "", ""},
        {"1", "1", "1", "1", "1"},
        {" ", "", "", "", ""}};
    biost_split wish;
    memset(&wish, 0, sizeof wish);
    wish.salt = 77;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int fastq = 0; fastq < 2; fastq++) {
            wish.by = BIOST_SPLIT_NAME;
            wish.strip[0] = '\0';
            check_key(&wish, fastq, cases[i][0], cases[i][1 + fastq], strlen(cases[i][1 + fastq]));
            strcpy(wish.strip, "/"); /* as of FASTA, for both */
            check_key(&wish, fastq, cases[i][0], cases[i][1], strlen(cases[i][1]));
            strcpy(wish.strip, "_:.");
            check_key(&wish, fastq, cases[i][0], cases[i][3], strlen(cases[i][3]));
            wish.strip[0] = '\0';
            wish.by = BIOST_SPLIT_SEQUENCE;
            check_key(&wish, fastq, cases[i][0], cases[i][4], strlen(cases[i][4]));
        }
    }
}

/* Six marks fill the list, and none of them is '/'. */
TEST(split, a_full_list) {
    biost_split wish;
    memset(&wish, 0, sizeof wish);
    wish.by = BIOST_SPLIT_NAME;
    strcpy(wish.strip, "abcdef");
    check_key(&wish, 1, "readf4", "read", 4);
    check_key(&wish, 0, "reada1", "read", 4);
    check_key(&wish, 1, "read/1", "read/1", 6);
}

/* More than half of the neighbours among the first 1,000 names, by hand. */
TEST(split, names_that_look_like_mates) {
    static const struct {
        const char *names; /* a %u counts reads, a digit after '~' is that of a mate */
        uint32_t reads, mates, first, step;
        int is_fastq, field, alike;
    } cases[] = {
        {"r%u-~", 500, 2, 0, 1, 1, 0, 1},  /* 500 of 999 */
        {"r%u-~", 5000, 2, 0, 1, 1, 0, 1}, /* later names do not count */
        {"r%u-~", 1, 2, 0, 1, 1, 0, 1},    /* 1 of 1 */
        {"r%u-~x", 3, 2, 0, 1, 0, 0, 1},   /* 3 of 5 */
        {"R~_%u", 9, 2, 10, 7, 1, 0, 1},   /* 9 of 17 */
        {"r%u.~", 500, 2, 0, 1, 1, 0, 0},  /* a mate's number of FASTQ, */
        {"r%u.~", 500, 2, 0, 1, 0, 0, 1},  /* and none of FASTA */
        {"r%u/~", 500, 2, 0, 1, 0, 0, 0},
        {"r%u-~", 500, 4, 0, 1, 1, 0, 1},    /* 1,500 of 1,999, of which 750 of 999 count */
        {"SRR9.%u", 1000, 1, 1, 1, 1, 0, 0}, /* counted: a digit in nine of ten, 1..4 in three */
        {"chr%u", 22, 1, 1, 1, 0, 0, 0},
        {"%u:r~", 500, 2, 0, 1, 1, 1, 0}, /* FIELD 1 is the same for both */
        {"%u:r~", 500, 2, 0, 1, 1, 2, 1},
        {"r%u", 1, 1, 0, 1, 1, 0, 0}, /* no neighbours */
        {"r%u", 0, 1, 0, 1, 1, 0, 0}, /* no names */
    };
    biost_split wish;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bsi_filter_look look;
        bsi_filter_split split;
        memset(&wish, 0, sizeof wish);
        wish.by = cases[i].field > 0 ? BIOST_SPLIT_FIELD : BIOST_SPLIT_NAME;
        wish.field = (uint32_t)cases[i].field;
        split = split_begin(&wish);
        bsi_filter_look_begin(&split, &look);
        for (uint32_t k = 0; k < cases[i].reads * cases[i].mates && bsi_filter_look_asks(&look); k++) {
            char text[40];
            bsi_filter_text name;
            uint8_t *copy;
            int bytes = snprintf(text, sizeof text, cases[i].names,
                                 (unsigned)(cases[i].first + k / cases[i].mates * cases[i].step));
            char *digit = strchr(text, '~');
            if (digit != NULL) {
                *digit = (char)('1' + k % cases[i].mates);
            }
            copy = test_copy(text, (size_t)bytes); /* it is gone when the next name comes */
            name.at = copy;
            name.bytes = (size_t)bytes;
            bsi_filter_look_at(&split, cases[i].is_fastq, &look, name);
            free(copy);
        }
        test_note("%s, case %d", cases[i].names, (int)i);
        CHECK_EQ_I64(bsi_filter_look_ends(&look), cases[i].alike);
    }
    wish.by = BIOST_SPLIT_SEQUENCE; /* the name as it is, as was asked */
    wish.field = 0;
    {
        bsi_filter_split split = split_begin(&wish);
        bsi_filter_look look;
        bsi_filter_look_begin(&split, &look);
        CHECK(!bsi_filter_look_asks(&look));
    }
}

/* A name that has no room is like no other, and the next begins anew. */
TEST(split, long_names_look_like_none) {
    static uint8_t names[4][257];
    bsi_filter_look look;
    bsi_filter_split split;
    biost_split wish;
    memset(&wish, 0, sizeof wish);
    wish.by = BIOST_SPLIT_NAME;
    split = split_begin(&wish);
    for (size_t bytes = 255; bytes <= 257; bytes++) {
        bsi_filter_look_begin(&split, &look);
        for (int i = 0; i < 4; i++) {
            bsi_filter_text name = {names[i], bytes};
            memset(names[i], 'x', sizeof names[i]);
            names[i][0] = (uint8_t)('1' + i);
            bsi_filter_look_at(&split, 1, &look, name);
        }
        CHECK_EQ_I64(bsi_filter_look_ends(&look), bytes <= 256);
    }
}

/* {title, fields from 1 on by ':', and by '|'; NULL: none} */
TEST(split, keys_of_fields) {
    static const char *const cases[][6] = {{"a:b:c/2 x:y", "a", "b", "c", NULL, "a:b:c"},
                                           {":b:", "", "b", "", NULL, ":b:"},
                                           {"abc", "abc", NULL, NULL, NULL, "abc"},
                                           {"", "", NULL, NULL, NULL, ""},
                                           {"x|y:z", "x|y", "z", NULL, NULL, "x"}};
    biost_split wish;
    memset(&wish, 0, sizeof wish);
    wish.by = BIOST_SPLIT_FIELD;
    wish.salt = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (uint32_t field = 1; field <= 5; field++) {
            const char *key = cases[i][field];
            wish.field = field < 5 ? field : 1;
            wish.separator = field < 5 ? '\0' : '|';
            if (key != NULL) {
                check_key(&wish, 1, cases[i][0], key, strlen(key));
            } else {
                bsi_filter_split split = split_begin(&wish);
                test_note("field %u of '%s'", field, cases[i][0]);
                CHECK_EQ_I64(bsi_filter_takes(&split, 1, (const uint8_t *)cases[i][0], strlen(cases[i][0])),
                             -1);
            }
        }
    }
}

/* The hashes of the page of definitions' own steps, worked out apart: XXH64("read1", seed 7) = 1fc9fef7ddbba956. */
TEST(split, a_hash_by_hand) {
    biost_split wish;
    bsi_filter_split split;
    memset(&wish, 0, sizeof wish);
    wish.by = BIOST_SPLIT_NAME;
    wish.salt = 7;
    split = split_begin(&wish);
    split.from = 0x1fc9fef7;
    split.below = 0x1fc9fef8;
    CHECK_EQ_I64(bsi_filter_takes(&split, 1, (const uint8_t *)"read1/2 x", 9), 1);
    split.from = 0x1fc9fef8;
    split.below = (uint64_t)1 << 32;
    CHECK_EQ_I64(bsi_filter_takes(&split, 1, (const uint8_t *)"read1/2 x", 9), 0);
}

/* Whether a record's key is the smaller of the hashes of its letters and of their reverse complement. */
static void check_content(const char *seq, const char *letters, const char *turned) {
    const uint64_t salt = 5;
    uint64_t hash = slow_xxh64(letters, strlen(letters), salt);
    biost_split wish;
    bsi_filter_split split;
    uint8_t key[8], *copy = test_copy(seq, strlen(seq));
    memset(&wish, 0, sizeof wish);
    wish.by = BIOST_SPLIT_CONTENT;
    wish.salt = salt;
    split = split_begin(&wish);
    if (turned != NULL && slow_xxh64(turned, strlen(turned), salt) < hash) {
        hash = slow_xxh64(turned, strlen(turned), salt);
    }
    for (uint32_t i = 0; i < 8; i++) {
        key[i] = (uint8_t)(hash >> 8 * i);
    }
    split.from = slow_xxh64(key, 8, salt) >> 32;
    split.below = split.from + 1;
    test_note("letters '%.40s'", seq);
    CHECK_EQ_I64(bsi_filter_takes_content(&split, copy, strlen(seq)), 1);
    split.from += 1;
    split.below = ((uint64_t)1 << 32) + 1;
    CHECK_EQ_I64(bsi_filter_takes_content(&split, copy, strlen(seq)), 0);
    free(copy);
}

/* {letters of a record, in upper case with T for U, their reverse complement; NULL: a letter has none} */
TEST(split, keys_of_content) {
    static const char *const cases[][3] = {{"ACGTTGA", "ACGTTGA", "TCAACGT"},
                                           {"acguUga", "ACGTTGA", "TCAACGT"},
                                           {"TCAACGT", "TCAACGT", "ACGTTGA"},
                                           {"", "", ""},
                                           {"A", "A", "T"},
                                           {"u", "T", "A"},
                                           {"RYKMBDN*", "RYKMBDN*", "*NHVKMRY"},
                                           {"WSHVX-x", "WSHVX-X", "X-XBDSW"},
                                           {"@[`{1", "@[`{1", "1{`[@"},
                                           {"MKLE", "MKLE", NULL},
                                           {"acgtz", "ACGTZ", NULL},
                                           {"aE", "AE", NULL},
                                           {"AF", "AF", NULL},
                                           {"AI", "AI", NULL},
                                           {"AJ", "AJ", NULL},
                                           {"AO", "AO", NULL},
                                           {"AP", "AP", NULL},
                                           {"AQ", "AQ", NULL}};
    static char plus[2100], minus[2100];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_content(cases[i][0], cases[i][1], cases[i][2]);
    }
    for (size_t bases = 500; bases < 2100; bases += bases < 530 ? 1 : 391) {
        for (size_t i = 0; i < bases; i++) { /* A C G T and T G C A are complements place by place */
            const uint32_t code = (uint32_t)(i * i % 11 % 4);
            plus[i] = "ACGT"[code];
            minus[bases - 1 - i] = "TGCA"[code];
        }
        plus[bases] = minus[bases] = '\0';
        check_content(plus, plus, minus);
        check_content(minus, minus, plus);
    }
}

TEST(split, keys_of_blocks) {
    static const uint8_t key[] = {'c', 'h', 'r', '1', 0, 3, 1, 0, 0, 0, 0, 0, 0};
    biost_split wish;
    bsi_filter_split split;
    bsi_hash blocks;
    uint64_t upper = slow_xxh64(key, sizeof key, 99) >> 32;
    memset(&wish, 0, sizeof wish);
    wish.by = BIOST_SPLIT_BLOCK;
    wish.salt = 99;
    wish.block_bases = 100;
    split = split_begin(&wish);
    split.from = upper;
    split.below = upper + 1;
    blocks = bsi_filter_hash_blocks(&split, (const uint8_t *)"chr1 of it", 10);
    CHECK(bsi_filter_takes_block(&split, &blocks, 259));
    CHECK(!bsi_filter_takes_block(&split, &blocks, 3));
    CHECK(bsi_filter_takes_block(&split, &blocks, 259)); /* what they share is as it was */
    blocks = bsi_filter_hash_blocks(&split, (const uint8_t *)"chr2", 4);
    CHECK(!bsi_filter_takes_block(&split, &blocks, 259));
    CHECK_EQ_U64(bsi_filter_block(&split, 0, 100), 0);
    CHECK_EQ_U64(bsi_filter_block(&split, 1, 100), UINT64_MAX);
    CHECK_EQ_U64(bsi_filter_block(&split, 99, 1), 0);
    CHECK_EQ_U64(bsi_filter_block(&split, 100, 0), 1);
    CHECK_EQ_U64(bsi_filter_block(&split, 199, 2), UINT64_MAX);
    CHECK_EQ_U64(bsi_filter_block(&split, 25999, 1), 259);
}

/* Parts with common borders hold each name once, in shares as asked: of 100000 names 5 sigma are 790 at most. */
TEST(split, parts_hold_each_name_once) {
    static const float borders[] = {0, 0.1f, 1.0f / 3, 0.9f, 0.90000004f, 1};
    uint32_t counts[5] = {0, 0, 0, 0, 0};
    bsi_filter_split parts[5];
    for (int p = 0; p < 5; p++) {
        biost_split wish;
        memset(&wish, 0, sizeof wish);
        wish.by = BIOST_SPLIT_NAME;
        wish.salt = 42;
        wish.from = borders[p];
        wish.below = p == 4 ? 0 : borders[p + 1];
        parts[p] = split_begin(&wish);
    }
    for (uint32_t i = 0; i < 100000; i++) {
        char title[32];
        int takes = 0;
        size_t bytes = (size_t)snprintf(title, sizeof title, "@SRR%u/%u", i, 1 + i % 2);
        for (int p = 0; p < 5; p++) {
            int taken = bsi_filter_takes(&parts[p], 1, (const uint8_t *)title, bytes);
            takes += taken;
            counts[p] += (uint32_t)taken;
        }
        CHECK_EQ_I64(takes, 1);
    }
    for (int p = 0; p < 5; p++) {
        double wanted = 100000.0 * ((p == 4 ? 1.0 : (double)borders[p + 1]) - (double)borders[p]);
        test_note("part %d: %u of %.0f", p, counts[p], wanted);
        CHECK(counts[p] > wanted - 790 && counts[p] < wanted + 790);
    }
}

/* What is wrong with a wish, or NULL; it stays as it is. */
static const char *split_refusal(const biost_split *wish, int cuts, uint32_t row_bases) {
    biost_split own = *wish;
    return split_wrong(&own, cuts, row_bases);
}

static void split_is_refused(const biost_split *wish, int cuts, uint32_t row_bases, const char *field,
                             const char *other) {
    const char *sentence = split_refusal(wish, cuts, row_bases);
    if (CHECK(sentence != NULL)) {
        test_note("%s", sentence);
        CHECK(strstr(sentence, field) != NULL && strstr(sentence, other) != NULL);
    }
}

TEST(split, wishes_that_make_no_sense) {
    const float bad[] = {-0.1f, 1.5f, (float)NAN};
    biost_split none, wish;
    memset(&none, 0, sizeof none);
    CHECK_STR(split_refusal(&none, 0, 0), NULL);
    wish = none;
    wish.by = (biost_split_by)6;
    split_is_refused(&wish, 1, 1, "desc.split.by", "");
    for (int i = 0; i < 7; i++) { /* fields without by */
        wish = none;
        wish.salt = i == 0;
        wish.from = i == 1 ? 0.5f : 0;
        wish.below = i == 2 ? 0.5f : 0;
        wish.field = i == 3;
        wish.block_bases = i == 4;
        wish.separator = i == 5 ? '|' : '\0';
        wish.strip[0] = i == 6 ? '_' : '\0';
        split_is_refused(&wish, 1, 1, "desc.split", "desc.split.by");
    }
    none.by = BIOST_SPLIT_NAME;
    for (int i = 0; i < 3; i++) {
        wish = none;
        wish.from = bad[i];
        split_is_refused(&wish, 1, 1, "desc.split.from", "0..1");
        wish = none;
        wish.below = bad[i];
        split_is_refused(&wish, 1, 1, "desc.split.below", "0..1");
    }
    wish = none;
    wish.from = wish.below = 0.5f;
    split_is_refused(&wish, 1, 1, "desc.split.from", "desc.split.below");
    wish.from = 1;
    wish.below = 0;
    split_is_refused(&wish, 1, 1, "desc.split.from", "desc.split.below");
    wish = none;
    wish.field = 1;
    split_is_refused(&wish, 1, 1, "desc.split.field", "desc.split.by");
    wish.by = BIOST_SPLIT_FIELD;
    CHECK_STR(split_refusal(&wish, 0, 0), NULL);
    wish.field = 0;
    split_is_refused(&wish, 1, 1, "desc.split.field", "desc.split.by");
    wish = none;
    wish.separator = '|';
    split_is_refused(&wish, 1, 1, "desc.split.separator", "desc.split.by");
    wish = none;
    wish.strip[0] = '1';
    split_is_refused(&wish, 1, 1, "desc.split.strip", "digit");
    memset(wish.strip, '_', sizeof wish.strip);
    split_is_refused(&wish, 1, 1, "desc.split.strip", "NUL");
    wish.strip[1] = '\0';
    CHECK_STR(split_refusal(&wish, 0, 0), NULL);
    wish.by = BIOST_SPLIT_SEQUENCE;
    split_is_refused(&wish, 1, 1, "desc.split.strip", "desc.split.by");
    wish = none;
    wish.block_bases = 100;
    split_is_refused(&wish, 1, 1, "desc.split.block_bases", "desc.split.by");
    wish.by = BIOST_SPLIT_BLOCK;
    CHECK_STR(split_refusal(&wish, 1, 100), NULL);
    split_is_refused(&wish, 0, 100, "desc.split.by", "desc.long_records");
    split_is_refused(&wish, 1, 101, "desc.split.block_bases", "desc.row_bases");
    wish.block_bases = ((uint64_t)1 << 40) + 1;
    split_is_refused(&wish, 1, 101, "desc.split.block_bases", "0..1099511627775");
}
