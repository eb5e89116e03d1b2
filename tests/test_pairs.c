/*
 * test_pairs.c - records that belong together through the public calls: which names do, counts,
 * errors of the readers, several files and alternating mates, formats and compressions, memory.
 *
 * rooms: pairs
 * needs: library data
 */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64
#include "peeks.h"

#include "test.h"

#include "inputs.h"

#define MOST 16 /* mates */

/* ---- readers, and everything pairs say ---- */

/* A reader of bytes in memory, which must outlive it. */
static biost_reader *reader_of(const char *name, const void *data, size_t count, uint32_t page_bytes) {
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = data;
    desc.memory.bytes = count;
    desc.memory.name = name;
    desc.test.page_bytes = page_bytes;
    CHECK(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    return reader;
}

typedef struct told {
    bytes mates[MOST]; /* @title LF seq LF + LF qual LF of each mate, or >title LF seq LF */
    uint64_t pairs;
    biost_result result;
    biost_error error;
    uint32_t warnings;
    unsigned lines; /* logged */
    char line[256];
} told;

static void told_free(told *t) {
    int i;
    for (i = 0; i < MOST; ++i) {
        bytes_free(&t->mates[i]);
    }
}

static void told_line(biost_result level, const char *sentence, void *user_data) {
    told *t = (told *)user_data;
    CHECK(level < 0);
    ++t->lines;
    snprintf(t->line, sizeof t->line, "%s", sentence);
}

/* Titles of these tests do not start with a blank. */
static void told_record(bytes *to, const biost_record *record) {
    size_t name = 0;
    while (name < record->title_bytes && record->title[name] != ' ' && record->title[name] != '\t') {
        ++name;
    }
    CHECK_EQ_U64(record->name_bytes, name);
    CHECK(record->name == record->title);
    CHECK_EQ_U64(record->comment_bytes, name == record->title_bytes ? 0 : record->title_bytes - name - 1);
    CHECK(record->comment_bytes == 0 || record->comment == record->title + name + 1);
    bytes_words(to, record->qual == NULL ? ">" : "@");
    bytes_add(to, record->title, record->title_bytes);
    bytes_words(to, "\n");
    bytes_add(to, record->seq, record->seq_bases);
    bytes_words(to, "\n");
    if (record->qual != NULL) {
        bytes_words(to, "+\n");
        bytes_add(to, record->qual, record->seq_bases);
        bytes_words(to, "\n");
    }
}

/* Read the pairs to their end, which must stay. The readers are new. */
static void told_read(told *t, const biost_pairs_desc *wish) {
    biost_pairs_desc desc = *wish;
    biost_record records[MOST];
    biost_pairs *pairs = NULL;
    uint32_t mates = desc.reader_count > 1 ? desc.reader_count : desc.mates == 0 ? 2 : desc.mates, i;
    memset(t, 0, sizeof *t);
    desc.log.line = told_line;
    desc.log.user_data = t;
    t->result = biost_pairs_open(&desc, &pairs, &t->error);
    memset(&desc, 0x5A, sizeof desc); /* it may go away */
    if (t->result != BIOST_OK) {
        CHECK(pairs == NULL && t->error.code == t->result && t->error.text[0] != '\0');
        return;
    }
    CHECK(biost_pairs_error(pairs) == NULL && t->error.code == BIOST_OK);
    for (;;) {
        memset(records, 0, sizeof records);
        t->result = biost_pairs_next(pairs, records);
        if (t->result != BIOST_OK) {
            break;
        }
        for (i = 0; i < mates; ++i) {
            CHECK_EQ_U64(records[i].id, wish->reader_count > 1 ? t->pairs : t->pairs * mates + i);
            told_record(&t->mates[i], &records[i]);
        }
        ++t->pairs;
    }
    for (i = 0; i < 3; ++i) {
        CHECK(biost_pairs_next(pairs, records) == t->result);
    }
    if (t->result < 0 && CHECK(biost_pairs_error(pairs) != NULL)) {
        t->error = *biost_pairs_error(pairs);
        CHECK(t->error.code == t->result);
        CHECK_EQ_U64(t->lines, 1);
        CHECK_STR(t->line, t->error.text);
    } else {
        CHECK(biost_pairs_error(pairs) == NULL);
        CHECK_EQ_U64(t->lines, 0);
    }
    t->warnings = biost_pairs_warnings(pairs);
    biost_pairs_close(pairs);
}

static const char *const input_names[] = {"a.fq", "b.fq", "c.fq", "d.fq"};

/* Read texts as files a.fq, b.fq...; one alone as alternating mates. */
static void told_bytes(told *t, const bytes *texts, uint32_t count, uint32_t mates, uint32_t page_bytes) {
    biost_reader *readers[4];
    biost_pairs_desc desc;
    uint32_t i;
    memset(&desc, 0, sizeof desc);
    for (i = 0; i < count; ++i) {
        const void *data = texts[i].data == NULL ? (const uint8_t *)"" : texts[i].data;
        readers[i] = reader_of(input_names[i], data, texts[i].count, page_bytes);
    }
    desc.readers = readers;
    desc.reader_count = count;
    desc.mates = mates;
    told_read(t, &desc);
    for (i = 0; i < count; ++i) {
        biost_reader_close(readers[i]);
    }
}

static void told_texts(told *t, const char *const *texts, uint32_t count) {
    bytes all[4];
    uint32_t i;
    memset(all, 0, sizeof all);
    for (i = 0; i < count; ++i) {
        bytes_words(&all[i], texts[i]);
    }
    told_bytes(t, all, count, 0, 0);
    for (i = 0; i < count; ++i) {
        bytes_free(&all[i]);
    }
}

static void check_ends(const told *t, uint64_t pairs) {
    CHECK_STR(biost_result_name(t->result), "END");
    CHECK_STR(t->error.text, "");
    CHECK_EQ_U64(t->pairs, pairs);
}

static void check_fails(const told *t, biost_fault fault, uint64_t pairs, uint32_t path_index,
                        const char *sentence) {
    CHECK_STR(biost_result_name(t->result), "ERR_TEXT");
    CHECK_STR(biost_fault_name(t->error.fault), biost_fault_name(fault));
    CHECK_EQ_U64(t->pairs, pairs);
    CHECK_EQ_U64(t->error.path_index, path_index);
    CHECK_STR(t->error.text, sentence);
}

static void check_bytes(const bytes *actual, const bytes *expected) {
    if (CHECK_EQ_U64(actual->count, expected->count) && expected->count > 0) {
        CHECK_MEM(actual->data, expected->data, expected->count);
    }
}

/* ---- names ---- */

static const struct {
    const char *first, *second; /* titles */
    int belong;
} titles[] = {
    {"x", "x", 1},
    {"x 1:N:0:ATCACG", "x 2:N:0:ATCACG", 1}, /* Casava 1.8 */
    {"x 1:N:0:ATCACG", "x\t2:N:0:ATCACG", 1},
    {"x first", "x second", 1},
    {"x/1", "x/2", 1}, /* before it */
    {"x/1 length=36", "x/2 length=35", 1},
    {"SRR1.7.1 7 length=36", "SRR1.7.2 7 length=36", 1}, /* SRA */
    {"x_1", "x_2", 1},
    {"x:1", "x:2", 1},
    {"x/1", "x/3", 1},
    {"x.2", "x.3", 1},
    {"x/1", "x/1", 1}, /* equal, whatever the last character is */
    {"x/7", "x/7", 1},
    {"x1", "x1", 1},
    {"/1", "/2", 1},
    {"", "", 1},
    {"x", "y", 0},
    {"x1", "x2", 0},
    {"x-1", "x-2", 0},
    {"x|1", "x|2", 0},
    {"1", "2", 0},
    {"x/0", "x/1", 0},
    {"x/1", "x/4", 1}, /* as desc.split has it: one rule */
    {"x/4", "x/5", 0},
    {"x/a", "x/b", 0},
    {"x/1", "x.2", 0},
    {"x/1", "y/2", 0},
    {"x/1", "x/", 0},
    {"x/1", "x", 0},
    {"x/11", "x/12", 0},
    {"x/12", "x/21", 0},
    {"x/1/", "x/2/", 0},
    {"x.1.7", "x.2.7", 0},
    {"x", "X", 0},
    {"x", "xx", 0},
    {"", "x", 0},
    {"x/1 2", "x/4 2", 1},
    {"x/2 2", "x/5 2", 0},
};
enum { TITLES = sizeof titles / sizeof titles[0] };

/* Records p, then one with this title: 9 bytes and 4 lines in front of it. */
static void title_text(bytes *text, const char *title) {
    bytes_words(text, "@p\nA\n+\nI\n@");
    bytes_words(text, title);
    bytes_words(text, "\nAC\n+\nII\n");
}

/* 0: as they are; 1: in the other order; 2: alternating; 3, 4: names ignored, in step and alternating. */
static void check_titles(unsigned k, int way) {
    const char *first = way == 1 ? titles[k].second : titles[k].first;
    const char *second = way == 1 ? titles[k].first : titles[k].second;
    int alternate = way == 2 || way == 4;
    biost_reader *readers[2] = {NULL, NULL};
    bytes texts[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    biost_pairs_desc desc;
    told t;
    title_text(&texts[0], first);
    title_text(&texts[1], second);
    if (alternate) {
        texts[0].count = 0;
        bytes_words(&texts[0], "@p\nA\n+\nI\n@p\nA\n+\nI\n@");
        bytes_words(&texts[0], first);
        bytes_words(&texts[0], "\n\n+\n\n@");
        bytes_words(&texts[0], second);
        bytes_words(&texts[0], "\nAC\n+\nII\n");
    }
    readers[0] = reader_of("a.fq", texts[0].data, texts[0].count, 0);
    readers[1] = reader_of("b.fq", texts[1].data, texts[1].count, 0);
    memset(&desc, 0, sizeof desc);
    desc.readers = readers;
    desc.reader_count = alternate ? 1 : 2;
    desc.ignore_names = way >= 3;
    told_read(&t, &desc);
    if (titles[k].belong || way >= 3) {
        check_ends(&t, 2);
    } else {
        CHECK(t.result == BIOST_ERR_TEXT && t.error.fault == BIOST_FAULT_PAIR_NAME);
        CHECK_EQ_U64(t.pairs, 1);
        CHECK_EQ_U64(t.error.path_index, alternate ? 0 : 1);
        CHECK_EQ_U64(t.error.record, alternate ? 3 : 1);
        CHECK_EQ_U64(t.error.line, alternate ? 13 : 5);
        /* 9 bytes a record p; '@', title and 5 more: LF LF + LF LF */
        CHECK_EQ_U64(t.error.text_offset, alternate ? 18 + 1 + strlen(first) + 5 : 9);
    }
    told_free(&t);
    biost_reader_close(readers[0]);
    biost_reader_close(readers[1]);
    bytes_free(&texts[0]);
    bytes_free(&texts[1]);
}

TEST(pairs, names_that_belong_together) {
    unsigned k;
    int way;
    for (k = 0; k < TITLES; ++k) {
        for (way = 0; way < 5; ++way) {
            test_note("'%s' and '%s', way %d", titles[k].first, titles[k].second, way);
            check_titles(k, way);
        }
    }
}

/* Each mate is held against the first. */
TEST(pairs, names_of_three_and_four) {
    static const char *const good[] = {"@x/1\nA\n+\nI\n", "@x/2\nA\n+\nI\n", "@x/3\nA\n+\nI\n",
                                       "@x/1\nA\n+\nI\n"};
    static const char *const third[] = {"@x/1\nA\n+\nI\n", "@x/2\nA\n+\nI\n", "@y/3\nA\n+\nI\n",
                                        "@z/1\nA\n+\nI\n"};
    told t;
    told_texts(&t, good, 4);
    check_ends(&t, 1);
    told_free(&t);
    told_texts(&t, good, 3);
    check_ends(&t, 1);
    told_free(&t);
    told_texts(&t, third, 4);
    check_fails(
        &t, BIOST_FAULT_PAIR_NAME, 0, 2,
        "c.fq: record 1 (line 1, byte 0 of the text): its name 'y/3' does not belong to 'x/1' of a.fq");
    told_free(&t);
}

TEST(pairs, sentences_about_names) {
    static const char *const two[] = {"@p\nA\n+\nI\n@y1 c\nA\n+\nI\n", "@p\nA\n+\nI\n@x2 c\nA\n+\nI\n"};
    static const char *const odd[] = {"@a\xC3\xA9'\nA\n+\nI\n", "@\x1B[2J\x7F\nA\n+\nI\n"};
    static const char *const one[] = {"@p\nA\n+\nI\n@p\nA\n+\nI\n@y1\nA\n+\nI\n@x2\nA\n+\nI\n"};
    biost_reader *readers[2];
    biost_pairs_desc desc;
    told t;
    told_texts(&t, two, 2);
    check_fails(&t, BIOST_FAULT_PAIR_NAME, 1, 1,
                "b.fq: record 2 (line 5, byte 9 of the text): its name 'x2' does not belong to 'y1' of a.fq");
    told_free(&t);
    told_texts(&t, odd, 2);
    check_fails(&t, BIOST_FAULT_PAIR_NAME, 0, 1,
                "b.fq: record 1 (line 1, byte 0 of the text): its name '\\x1b[2J\\x7f' does not belong "
                "to 'a\\xc3\\xa9'' of a.fq");
    told_free(&t);
    told_texts(&t, one, 1);
    check_fails(&t, BIOST_FAULT_PAIR_NAME, 1, 0,
                "a.fq: record 4 (line 13, byte 28 of the text): its name 'x2' does not belong to 'y1'");
    told_free(&t);
    memset(&desc, 0, sizeof desc); /* inputs of one name */
    readers[0] = reader_of(NULL, two[0], strlen(two[0]), 0);
    readers[1] = reader_of(NULL, two[1], strlen(two[1]), 0);
    desc.readers = readers;
    desc.reader_count = 2;
    told_read(&t, &desc);
    check_fails(&t, BIOST_FAULT_PAIR_NAME, 1, 1,
                "memory: record 2 (line 5, byte 9 of the text): its name 'x2' does not belong to 'y1'");
    told_free(&t);
    biost_reader_close(readers[0]);
    biost_reader_close(readers[1]);
}

/* A name of `count` bytes that ends in `end`. */
static void long_name(char *name, size_t count, char fill, const char *end) {
    memset(name, fill, count);
    name[count] = '\0';
    memcpy(name + count - strlen(end), end, strlen(end));
}

/*
 * The sentence about names of these lengths. Without its four names it has 75 characters and at most
 * 3 * 20 of numbers, so 254 - 135 are left for four: each keeps 26 at least, and three dots.
 */
static void long_names_say(biost_error *error, const size_t *counts, char fill, int large) {
    char names[4][501];
    biost_reader *readers[2];
    biost_record records[2];
    biost_pairs_desc desc;
    biost_pairs *pairs = NULL;
    int i;
    long_name(names[0], counts[0], fill, "first_R1.fastq.gz");
    long_name(names[1], counts[1], fill, "second_R2.fastq.gz");
    long_name(names[2], counts[2], fill, ":2106:20310:8887/1");
    long_name(names[3], counts[3], fill, ":2106:20310:9043/2");
    memset(records, 0, sizeof records);
    for (i = 0; i < 2; ++i) {
        readers[i] = reader_of(names[i], "", 0, 0);
        records[i].name = names[2 + i];
        records[i].name_bytes = counts[2 + i];
        records[i].id = large ? UINT64_MAX - 1 : 11;
        records[i].line = large ? UINT64_MAX : 45;
        records[i].text_offset = large ? UINT64_MAX : 1234;
    }
    memset(error, 0, sizeof *error);
    memset(&desc, 0, sizeof desc);
    desc.readers = readers;
    desc.reader_count = 2;
    if (CHECK(biost_pairs_open(&desc, &pairs, NULL) == BIOST_OK)) {
        CHECK(peek_pairs_raise_name(pairs, records, 1, error) == BIOST_ERR_TEXT);
        biost_pairs_close(pairs);
    }
    biost_reader_close(readers[0]);
    biost_reader_close(readers[1]);
}

TEST(pairs, long_names_are_shortened) {
    static const size_t lengths[] = {20, 33, 60, 500};
    static const char fills[] = {'n', (char)0xE9};
    unsigned shape, i;
    for (shape = 0; shape < 256 * 4;
         ++shape) { /* all four lengths of all four, plain or not, large numbers */
        size_t counts[4], length;
        biost_error error;
        char text[256];
        for (i = 0; i < 4; ++i) {
            counts[i] = lengths[shape >> 2 * i & 3];
        }
        test_note("shape %u", shape);
        long_names_say(&error, counts, fills[shape >> 8 & 1], (int)(shape >> 9));
        strcpy(text, error.text);
        length = strlen(text);
        CHECK(length < 255);
        CHECK(strstr(text, "second_R2.fastq.gz: record ") != NULL);
        CHECK(strstr(text, ":2106:20310:9043/2' does not belong to '") != NULL);
        CHECK(strstr(text, ":2106:20310:8887/1' of ") != NULL);
        CHECK(length > 17 && strcmp(text + length - 17, "first_R1.fastq.gz") == 0);
        for (i = 0; i < length; ++i) {
            CHECK(text[i] >= 32 && text[i] <= 126);
        }
    }
}

/* Nothing is cut that fits: names as instruments make them, and one long path. */
TEST(pairs, names_that_fit_are_whole) {
    static const size_t usual[] = {32, 32, 36, 36}, path[] = {500, 20, 33, 33};
    biost_error error;
    char expected[300], names[2][40], ids[2][40];
    size_t dots;
    long_name(names[0], 32, 'n', "first_R1.fastq.gz");
    long_name(names[1], 32, 'n', "second_R2.fastq.gz");
    long_name(ids[0], 36, 'n', ":2106:20310:8887/1");
    long_name(ids[1], 36, 'n', ":2106:20310:9043/2");
    long_names_say(&error, usual, 'n', 0);
    snprintf(expected, sizeof expected,
             "%s: record 12 (line 45, byte 1234 of the text): its name '%s' does not belong to '%s' of %s",
             names[1], ids[1], ids[0], names[0]);
    CHECK_STR(error.text, expected);
    long_names_say(&error, path, 'n', 0);
    dots = strlen(error.text) - 3 - 80; /* of the path 80 characters stay: 252 in all */
    CHECK(strncmp(error.text + dots, "...n", 4) == 0);
    CHECK(strstr(error.text, ids[0] + 3) != NULL && strstr(error.text, ids[1] + 3) != NULL);
}

/* ---- read numbers ---- */

static uint32_t warnings_of(const char *const *comments, uint32_t count) {
    bytes texts[4];
    uint32_t i;
    told t;
    memset(texts, 0, sizeof texts);
    for (i = 0; i < count; ++i) {
        bytes_words(&texts[i], "@x");
        bytes_words(&texts[i], comments[i]);
        bytes_words(&texts[i], "\nA\n+\nI\n");
    }
    told_bytes(&t, texts, count, 0, 0);
    check_ends(&t, 1);
    told_free(&t);
    for (i = 0; i < count; ++i) {
        bytes_free(&texts[i]);
    }
    return t.warnings;
}

TEST(pairs, same_read_number_is_a_warning) {
    static const char *const same[][2] = {
        {" 1:N:0:A", " 1:N:0:A"}, {" 2:N:0:A", " 2:Y:0:C"}, {" 1:", "\t1:"}, {" 0:N", " 0:N"}};
    static const char *const other[][2] = {
        {" 1:N:0:A", " 2:N:0:A"}, {" 1:N:0:A", ""}, {"", ""},           {" ", " "},     {" 1", " 1"},
        {" 1 :", " 1 :"},         {" a:N", " a:N"}, {" 11:N", " 11:N"}, {" :N", " :N"}, {"  1:N", "  1:N"},
        {" /:", " /:"},           {" ::", " ::"}};
    /* index reads are numbered from 1 too */
    static const char *const index[] = {" 1:N:0:A", " 2:N:0:A", " 1:N:0:A", " 2:N:0:A"};
    static const char *const all[] = {" 1:N:0:A", " 1:N:0:A", " 1:N:0:A", " 1:N:0:A"};
    unsigned i;
    for (i = 0; i < sizeof same / sizeof same[0]; ++i) {
        test_note("'%s' and '%s'", same[i][0], same[i][1]);
        CHECK_EQ_U64(warnings_of(same[i], 2), BIOST_WARN_SAME_READ);
    }
    for (i = 0; i < sizeof other / sizeof other[0]; ++i) {
        test_note("'%s' and '%s'", other[i][0], other[i][1]);
        CHECK_EQ_U64(warnings_of(other[i], 2), 0);
    }
    CHECK_EQ_U64(warnings_of(index, 3), 0);
    CHECK_EQ_U64(warnings_of(index, 4), 0);
    CHECK_EQ_U64(warnings_of(all, 3), BIOST_WARN_SAME_READ);
    CHECK_EQ_U64(warnings_of(all, 4), BIOST_WARN_SAME_READ);
}

/* One pair is enough, and the readers' own warnings are told with it. */
TEST(pairs, warnings_of_pairs_and_readers) {
    static const char *const texts[] = {"@x 1:N\nA\n+\nI\n@y 1:N\nA\n+\nI\n",
                                        "\xEF\xBB\xBF@x 2:N\nA\n+\nI\n\n@y 1:N\nA\n+\nI\n"};
    told t;
    told_texts(&t, texts, 2);
    check_ends(&t, 2);
    CHECK_EQ_U64(t.warnings, BIOST_WARN_SAME_READ | BIOST_WARN_BOM | BIOST_WARN_BLANK_LINES);
    told_free(&t);
}

/* ---- counts ---- */

/* Records r0, r1...; mate tells texts apart. FASTQ is told back as it stands here. */
static void count_text(bytes *text, unsigned count, unsigned mate) {
    unsigned i;
    for (i = 0; i < count; ++i) {
        char record[64];
        snprintf(record, sizeof record, "@r%u of %u\nACGTN\n+\nIIII%c\n", i, mate, (int)('!' + mate));
        bytes_words(text, record);
    }
}

typedef struct count_case {
    uint32_t inputs;
    unsigned counts[4];
    uint32_t path_index; /* the shortest */
    const char *start;   /* of the sentence; NULL: they are of one length */
} count_case;

/* The same, where reader 1 fails after its last record. */
static void check_counts(const count_case *c, const char *damage, uint32_t page_bytes) {
    bytes texts[4], expected = {NULL, 0, 0};
    char sentence[256];
    unsigned least = c->counts[0];
    uint32_t i;
    told t;
    memset(texts, 0, sizeof texts);
    for (i = 0; i < c->inputs; ++i) {
        count_text(&texts[i], c->counts[i], i);
        least = c->counts[i] < least ? c->counts[i] : least;
        if (i == 1) {
            bytes_words(&texts[i], damage);
        }
    }
    told_bytes(&t, texts, c->inputs, page_bytes == 0 ? c->inputs : 0, page_bytes);
    if (c->start == NULL) {
        check_ends(&t, least);
    } else {
        snprintf(sentence, sizeof sentence, "%s: records that belong together are missing", c->start);
        check_fails(&t, BIOST_FAULT_PAIR_COUNT, least, c->path_index, sentence);
        CHECK_EQ_U64(t.error.record, least);
        CHECK(t.error.line == 0 && t.error.text_offset == 0 && t.error.os_error == 0);
    }
    for (i = 0; i < c->inputs; ++i) {
        expected.count = 0;
        count_text(&expected, least, i);
        check_bytes(&t.mates[i], &expected);
        bytes_free(&texts[i]);
    }
    bytes_free(&expected);
    told_free(&t);
}

TEST(pairs, other_counts) {
    static const count_case cases[] = {
        {2, {0, 0, 0, 0}, 0, NULL},
        {2, {1, 1, 0, 0}, 0, NULL},
        {3, {0, 0, 0, 0}, 0, NULL},
        {3, {9, 9, 9, 0}, 0, NULL},
        {4, {7, 7, 7, 7}, 0, NULL},
        {2, {100, 103, 0, 0}, 0, "a.fq has 100 records, b.fq has 103"},
        {2, {103, 100, 0, 0}, 1, "a.fq has 103 records, b.fq has 100"},
        {2, {1, 2, 0, 0}, 0, "a.fq has 1 record, b.fq has 2"},
        {2, {2, 1, 0, 0}, 1, "a.fq has 2 records, b.fq has 1"},
        {2, {0, 1, 0, 0}, 0, "a.fq has 0 records, b.fq has 1"},
        {2, {5, 0, 0, 0}, 1, "a.fq has 5 records, b.fq has 0"},
        {3, {5, 5, 4, 0}, 2, "a.fq has 5 records, c.fq has 4"},
        {3, {5, 4, 4, 0}, 1, "a.fq has 5 records, b.fq has 4"},
        {3, {4, 5, 6, 0}, 0, "a.fq has 4 records, b.fq has 5"},
        {3, {4, 4, 6, 0}, 0, "a.fq has 4 records, c.fq has 6"},
        {3, {4, 6, 4, 0}, 0, "a.fq has 4 records, b.fq has 6"},
        {3, {6, 5, 4, 0}, 2, "a.fq has 6 records, c.fq has 4"},
        {4, {6, 5, 4, 7}, 2, "a.fq has 6 records, c.fq has 4"},
        {4, {3, 3, 3, 2}, 3, "a.fq has 3 records, d.fq has 2"},
        {4, {3, 3, 3, 4}, 0, "a.fq has 3 records, d.fq has 4"},
        {4, {0, 0, 0, 40}, 0, "a.fq has 0 records, d.fq has 40"},
    };
    unsigned i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        test_note("case %u", i);
        check_counts(&cases[i], "", 0);
        check_counts(&cases[i], "", 16);
        check_counts(&cases[i], "", 100);
    }
}

/* A longer one that fails while it is counted has at least those. */
TEST(pairs, more_than_counted) {
    static const count_case cases[] = {
        {2, {2, 3, 0, 0}, 0, "a.fq has 2 records, b.fq has more than 3"},
        {2, {0, 40, 0, 0}, 0, "a.fq has 0 records, b.fq has more than 40"},
        {3, {9, 40, 7, 0}, 2, "a.fq has 9 records, c.fq has 7"},
        {3, {7, 40, 9, 0}, 0, "a.fq has 7 records, b.fq has more than 40"},
        {3, {7, 8, 7, 0}, 0, "a.fq has 7 records, b.fq has more than 8"},
    };
    static const char *const swapped[] = {"@r\nA\n+\nI\n@s\nA\n+\nI\n@t\nA\n-\nI\n", "@r\nA\n+\nI\n"};
    unsigned i;
    told t;
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        test_note("case %u", i);
        check_counts(&cases[i], "@r\nA\n", 0);
        check_counts(&cases[i], "junk\n", 16);
    }
    told_texts(&t, swapped, 2);
    check_fails(&t, BIOST_FAULT_PAIR_COUNT, 1, 1,
                "a.fq has more than 2 records, b.fq has 1: records that belong together are missing");
    told_free(&t);
}

/* Of inputs with long names the ends stay. */
TEST(pairs, counts_of_long_names) {
    char names[2][301], expected[800];
    biost_reader *readers[2];
    biost_pairs_desc desc;
    told t;
    long_name(names[0], 300, 'n', "reads_R1.fastq");
    long_name(names[1], 300, 'm', "reads_R2.fastq");
    readers[0] = reader_of(names[0], "@a\nA\n+\nI\n", 9, 0);
    readers[1] = reader_of(names[1], "", 0, 0);
    memset(&desc, 0, sizeof desc);
    desc.readers = readers;
    desc.reader_count = 2;
    told_read(&t, &desc);
    snprintf(expected, sizeof expected,
             "...%s has 1 record, ...%s has 0: records that belong together are missing", names[0] + 240,
             names[1] + 240);
    check_fails(&t, BIOST_FAULT_PAIR_COUNT, 0, 1, expected);
    told_free(&t);
    biost_reader_close(readers[0]);
    biost_reader_close(readers[1]);
}

/* Records taken from a reader before are none of the pairs'. */
TEST(pairs, records_taken_before_do_not_count) {
    static const char first[] = "@head\nA\n+\nI\n@x\nA\n+\nI\n", second[] = "@x\nA\n+\nI\n@y\nA\n+\nI\n";
    biost_reader *readers[2];
    biost_record records[2];
    biost_pairs_desc desc;
    biost_pairs *pairs = NULL;
    readers[0] = reader_of("a.fq", first, sizeof first - 1, 0);
    readers[1] = reader_of("b.fq", second, sizeof second - 1, 0);
    REQUIRE(biost_reader_next(readers[0], records) == BIOST_OK);
    memset(&desc, 0, sizeof desc);
    desc.readers = readers;
    desc.reader_count = 2;
    REQUIRE(biost_pairs_open(&desc, &pairs, NULL) == BIOST_OK);
    CHECK(biost_pairs_next(pairs, records) == BIOST_OK);
    CHECK(records[0].id == 1 && records[1].id == 0);
    CHECK(biost_pairs_next(pairs, records) == BIOST_ERR_TEXT);
    CHECK_STR(biost_pairs_error(pairs)->text,
              "a.fq has 1 record, b.fq has 2: records that belong together are missing");
    biost_pairs_close(pairs);
    biost_reader_close(readers[0]);
    biost_reader_close(readers[1]);
}

/* ---- errors of the readers ---- */

/* What a reader alone says about a text. */
static biost_error lone_error(uint32_t number, const char *text) {
    biost_reader *reader = reader_of(input_names[number], text, strlen(text), 0);
    biost_record record;
    biost_error error;
    while (biost_reader_next(reader, &record) == BIOST_OK) {
    }
    memset(&error, 0, sizeof error);
    if (CHECK(biost_reader_error(reader) != NULL)) {
        error = *biost_reader_error(reader);
    }
    biost_reader_close(reader);
    return error;
}

TEST(pairs, error_of_a_reader_ends_them) {
#define GOOD "@r\nACGT\n+\nIIII\n"
#define BAD  "@r\nACGT\n+\nIII\n"
#define CUT  "@r\nACGT\n+"
    static const struct {
        const char *texts[3];
        uint32_t path_index;
        uint64_t pairs;
    } cases[] = {
        {{GOOD GOOD BAD, GOOD GOOD GOOD, GOOD GOOD GOOD}, 0, 2},
        {{GOOD GOOD GOOD, GOOD GOOD BAD GOOD, GOOD GOOD GOOD}, 1, 2},
        {{GOOD GOOD GOOD, GOOD GOOD GOOD, BAD}, 2, 0},
        {{GOOD GOOD BAD, GOOD BAD GOOD, GOOD GOOD CUT}, 1, 1}, /* the earliest record */
        {{GOOD GOOD CUT, GOOD GOOD BAD, GOOD GOOD BAD}, 0, 2}, /* of one pair the first reader */
        {{GOOD GOOD GOOD, GOOD GOOD BAD, GOOD GOOD CUT}, 1, 2},
        {{GOOD GOOD, GOOD GOOD GOOD, GOOD GOOD CUT}, 2, 2}, /* another has ended */
        {{GOOD GOOD, GOOD GOOD, GOOD GOOD "junk\n"}, 2, 2}, /* after all pairs */
        {{"", "", "junk\n"}, 2, 0},
    };
    unsigned i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        uint32_t index = cases[i].path_index;
        biost_error expected = lone_error(index, cases[i].texts[index]);
        told t;
        test_note("case %u", i);
        told_texts(&t, cases[i].texts, 3);
        CHECK_EQ_U64(t.pairs, cases[i].pairs);
        CHECK_EQ_U64(t.error.path_index, index);
        CHECK(strncmp(t.error.text, input_names[index], 4) == 0);
        expected.path_index = index;
        CHECK_MEM(&t.error, &expected, offsetof(biost_error, text));
        CHECK_STR(t.error.text, expected.text);
        told_free(&t);
    }
}

TEST(pairs, error_of_the_reader_of_alternating_mates) {
    static const char *const texts[] = {GOOD GOOD GOOD BAD, GOOD GOOD BAD, GOOD GOOD "junk\n", GOOD CUT};
    static const uint64_t counts[] = {1, 1, 1, 0};
    unsigned i;
    for (i = 0; i < 4; ++i) {
        biost_error expected = lone_error(0, texts[i]);
        told t;
        test_note("text %u", i);
        told_texts(&t, &texts[i], 1);
        CHECK_EQ_U64(t.pairs, counts[i]);
        CHECK_MEM(&t.error, &expected, offsetof(biost_error, text));
        CHECK_STR(t.error.text, expected.text);
        told_free(&t);
    }
}

/* A gzip file cut off in its trailer: all pairs, then the error instead of the end. */
TEST(pairs, unverified_end_is_an_error) {
    bytes texts[2] = {{NULL, 0, 0}, {NULL, 0, 0}}, packed[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    told t;
    int i;
    for (i = 0; i < 2; ++i) {
        count_text(&texts[i], 20, (unsigned)i);
        gzip_make(&packed[i], &texts[i], texts[i].count, 100, 0);
    }
    packed[1].count -= 4;
    told_bytes(&t, packed, 2, 0, 0);
    CHECK(t.result == BIOST_ERR_GZIP && t.error.fault == BIOST_FAULT_TRUNCATED);
    CHECK_EQ_U64(t.pairs, 20);
    CHECK_EQ_U64(t.error.path_index, 1);
    for (i = 0; i < 2; ++i) {
        check_bytes(&t.mates[i], &texts[i]);
        bytes_free(&texts[i]);
        bytes_free(&packed[i]);
    }
    told_free(&t);
}

/* CANCELLED is no error; it comes out of the reading and of the counting. */
TEST(pairs, cancelled_reader_cancels_them) {
    int counting;
    for (counting = 0; counting < 2; ++counting) {
        bytes texts[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
        biost_reader *readers[2];
        biost_record records[2];
        biost_pairs_desc desc;
        biost_pairs *pairs = NULL;
        biost_result result;
        unsigned i;
        count_text(&texts[0], counting ? 1 : 100, 0);
        count_text(&texts[1], 100, 0);
        for (i = 0; i < 2; ++i) { /* a page holds some records */
            readers[i] = reader_of(input_names[i], texts[i].data, texts[i].count, 200);
        }
        memset(&desc, 0, sizeof desc);
        desc.readers = readers;
        desc.reader_count = 2;
        REQUIRE(biost_pairs_open(&desc, &pairs, NULL) == BIOST_OK);
        REQUIRE(biost_pairs_next(pairs, records) == BIOST_OK);
        biost_stream_cancel(peek_reader_stream(readers[1]));
        for (i = 1; (result = biost_pairs_next(pairs, records)) == BIOST_OK; ++i) {
        }
        CHECK(result == BIOST_CANCELLED && i < 50);
        CHECK(biost_pairs_next(pairs, records) == BIOST_CANCELLED);
        CHECK(biost_pairs_error(pairs) == NULL);
        biost_pairs_close(pairs);
        for (i = 0; i < 2; ++i) {
            biost_reader_close(readers[i]);
            bytes_free(&texts[i]);
        }
    }
}

/* ---- alternating mates ---- */

TEST(pairs, rest_of_alternating_mates) {
    static const struct {
        unsigned records;
        uint32_t mates;
        const char *sentence;
    } cases[] = {
        {0, 0, NULL},
        {0, 16, NULL},
        {8, 0, NULL},
        {8, 2, NULL},
        {9, 3, NULL},
        {64, 16, NULL},
        {1, 0, "a.fq has 1 record, which is no multiple of 2"},
        {7, 0, "a.fq has 7 records, which is no multiple of 2"},
        {7, 2, "a.fq has 7 records, which is no multiple of 2"},
        {4, 3, "a.fq has 4 records, which is no multiple of 3"},
        {5, 3, "a.fq has 5 records, which is no multiple of 3"},
        {31, 16, "a.fq has 31 records, which is no multiple of 16"},
        {1, 16, "a.fq has 1 record, which is no multiple of 16"},
    };
    unsigned i, k;
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        uint32_t mates = cases[i].mates == 0 ? 2 : cases[i].mates;
        bytes text = {NULL, 0, 0};
        told t;
        for (k = 0; k < cases[i].records; ++k) {
            char record[32];
            snprintf(record, sizeof record, "@r%u\nACGT\n+\nIIII\n", k / mates);
            bytes_words(&text, record);
        }
        test_note("%u records of %u", cases[i].records, (unsigned)mates);
        told_bytes(&t, &text, 1, cases[i].mates, 0);
        if (cases[i].sentence == NULL) {
            check_ends(&t, cases[i].records / mates);
        } else {
            check_fails(&t, BIOST_FAULT_PAIR_COUNT, cases[i].records / mates, 0, cases[i].sentence);
            CHECK_EQ_U64(t.error.record, cases[i].records);
            CHECK_EQ_U64(t.error.line, 0);
        }
        told_free(&t);
        bytes_free(&text);
    }
}

/* One record into the text of all, and into that of its mate. */
static void mate_text(bytes *all, bytes *mate, unsigned group, unsigned number, size_t bases, int fasta,
                      uint64_t *random) {
    bytes record = {NULL, 0, 0};
    char title[64];
    size_t i;
    snprintf(title, sizeof title, "%c%u/%u %u:%u\n", fasta ? '>' : '@', group, number % 3 + 1, number,
             random_below(random, 1000));
    bytes_words(&record, title);
    for (i = 0; i < bases; ++i) {
        bytes_byte(&record, (uint8_t) "ACGT"[random_below(random, 4)]);
    }
    bytes_words(&record, "\n");
    if (!fasta) {
        bytes_words(&record, "+\n");
        for (i = 0; i < bases; ++i) {
            bytes_byte(&record, 33 + random_below(random, 94));
        }
        bytes_words(&record, "\n");
    }
    bytes_add(all, record.data, record.count);
    bytes_add(mate, record.data, record.count);
    bytes_free(&record);
}

/* Pages cut everywhere, records longer than pages and than the room in front of them. */
TEST(pairs, alternating_mates_in_every_cut) {
    static const uint32_t mates[] = {2, 3, 5, 16}, pages[] = {16, 17, 61, 4096, 0};
    static const size_t lengths[] = {0, 1, 30, 150, 30, 150, 700, 40000};
    uint64_t random = test_seed();
    uint32_t i, k, page;
    for (i = 0; i < 8; ++i) {
        uint32_t count = mates[i / 2];
        bytes all = {NULL, 0, 0}, expected[MOST];
        unsigned group;
        memset(expected, 0, sizeof expected);
        for (group = 0; group < 60; ++group) {
            for (k = 0; k < count; ++k) {
                size_t bases = RANDOM_OF(&random, lengths);
                if ((bases == 40000 && group % 10 != 3) || (bases == 0 && i % 2 == 1)) {
                    bases = 5; /* FASTA without bases would have a blank line here */
                }
                mate_text(&all, &expected[k], group, k, bases, (int)(i % 2), &random);
            }
        }
        for (page = 0; page < 5; ++page) {
            told t;
            test_note("mates %u, format %u, page %u", (unsigned)count, (unsigned)i % 2,
                      (unsigned)pages[page]);
            told_bytes(&t, &all, 1, count, pages[page]);
            check_ends(&t, 60);
            CHECK_EQ_U64(t.warnings, 0);
            for (k = 0; k < count; ++k) {
                check_bytes(&t.mates[k], &expected[k]);
            }
            told_free(&t);
        }
        for (k = 0; k < count; ++k) {
            bytes_free(&expected[k]);
        }
        bytes_free(&all);
    }
}

/* A kept record is a copy, with all that it points to. */
TEST(pairs, kept_record_is_a_copy) {
    char text[300];
    biost_stats stats;
    biost_record record;
    biost_pairs_desc desc;
    biost_pairs *pairs = NULL;
    biost_reader *reader = reader_of("a.fq", "", 0, 0);
    unsigned bases;
    memset(&desc, 0, sizeof desc);
    desc.readers = &reader;
    desc.reader_count = 1;
    REQUIRE(biost_pairs_open(&desc, &pairs, NULL) == BIOST_OK);
    for (bases = 0; bases <= 100; bases += 50) {
        memset(&record, 0, sizeof record);
        memset(text, 'x', sizeof text);
        memcpy(text, " r1 12", 6);
        memset(text + 10, 'G', bases);
        memset(text + 150, '#', bases);
        memset(&stats, 0, sizeof stats);
        stats.gc_count = bases;
        record.title = text;
        record.title_bytes = 6;
        record.name = text + 1;
        record.name_bytes = 2;
        record.comment = text + 4;
        record.comment_bytes = 2;
        record.seq = text + 10;
        record.qual = bases == 50 ? NULL : text + 150;
        record.seq_bases = bases;
        record.id = 7;
        record.stats = bases == 0 ? NULL : &stats;
        REQUIRE(peek_pairs_keep(pairs, &record));
        memset(text, 'Z', sizeof text);
        memset(&stats, 0xFF, sizeof stats);
        CHECK(record.title_bytes == 6 && memcmp(record.title, " r1 12", 6) == 0);
        CHECK(record.name_bytes == 2 && memcmp(record.name, "r1", 2) == 0);
        CHECK(record.comment_bytes == 2 && memcmp(record.comment, "12", 2) == 0);
        CHECK(record.seq_bases == bases && record.id == 7);
        memset(text, 'G', sizeof text);
        CHECK_MEM(record.seq, text, bases);
        memset(text, '#', sizeof text);
        if (bases == 50) {
            CHECK(record.qual == NULL);
        } else {
            CHECK_MEM(record.qual, text, bases);
        }
        CHECK(bases == 0 ? record.stats == NULL : record.stats != &stats && record.stats->gc_count == bases);
    }
    biost_pairs_close(pairs);
    biost_reader_close(reader);
}

/* ---- formats and compressions ---- */

TEST(pairs, fasta_in_step) {
    static const char *const texts[] = {">x/1 a\nACGT\nAC\n>y\n\n", ">x/2 b\nTTTT\n>y\nA\nA\n"};
    told t;
    told_texts(&t, texts, 2);
    check_ends(&t, 2);
    bytes_byte(&t.mates[0], 0);
    bytes_byte(&t.mates[1], 0);
    CHECK_STR((const char *)t.mates[0].data, ">x/1 a\nACGTAC\n>y\n\n");
    CHECK_STR((const char *)t.mates[1].data, ">x/2 b\nTTTT\n>y\nAA\n");
    told_free(&t);
}

TEST(pairs, formats_must_agree) {
    static const char fasta[] = ">x\nA\n", fastq[] = "@x\nA\n+\nI\n";
    static const struct {
        const char *texts[3];
        uint32_t path_index;
        const char *start;
    } cases[] = {
        {{fasta, fastq, fastq}, 1, "a.fq is FASTA, b.fq is FASTQ"},
        {{fastq, fasta, fastq}, 1, "a.fq is FASTQ, b.fq is FASTA"},
        {{fastq, fastq, fasta}, 2, "a.fq is FASTQ, c.fq is FASTA"},
        {{"", fastq, fasta}, 2, "b.fq is FASTQ, c.fq is FASTA"},
        {{fasta, "", fastq}, 2, "a.fq is FASTA, c.fq is FASTQ"},
    };
    unsigned i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char sentence[256];
        told t;
        test_note("case %u", i);
        told_texts(&t, cases[i].texts, 3);
        snprintf(sentence, sizeof sentence, "%s: inputs that belong together must be of one format",
                 cases[i].start);
        check_fails(&t, BIOST_FAULT_FORMAT, 0, cases[i].path_index, sentence);
        told_free(&t);
    }
}

/* An empty input fits any, and is too short for it. */
TEST(pairs, empty_input_fits_any_format) {
    static const char *const with_fasta[] = {"", ">x\nA\n"}, *const with_fastq[] = {"@x\nA\n+\nI\n", "\n\n"};
    told t;
    told_texts(&t, with_fasta, 2);
    check_fails(&t, BIOST_FAULT_PAIR_COUNT, 0, 0,
                "a.fq has 0 records, b.fq has 1: records that belong together are missing");
    told_free(&t);
    told_texts(&t, with_fastq, 2);
    check_fails(&t, BIOST_FAULT_PAIR_COUNT, 0, 1,
                "a.fq has 1 record, b.fq has 0: records that belong together are missing");
    told_free(&t);
}

TEST(pairs, compressions_may_differ) {
    bytes texts[4], packed[4];
    uint32_t i, page;
    memset(texts, 0, sizeof texts);
    memset(packed, 0, sizeof packed);
    for (i = 0; i < 4; ++i) {
        count_text(&texts[i], 500, i);
    }
    gzip_make(&packed[0], &texts[0], 3000, 700, 0);
    gzip_make(&packed[1], &texts[1], 1000, 1000, 1);
    bytes_add(&packed[2], texts[2].data, texts[2].count);
    gzip_make(&packed[3], &texts[3], texts[3].count, 60000, 0);
    for (page = 0; page < 2; ++page) {
        told t;
        told_bytes(&t, packed, 4, 0, page * 64);
        check_ends(&t, 500);
        for (i = 0; i < 4; ++i) {
            check_bytes(&t.mates[i], &texts[i]);
        }
        told_free(&t);
    }
    for (i = 0; i < 4; ++i) {
        bytes_free(&texts[i]);
        bytes_free(&packed[i]);
    }
}

/* ---- real files ---- */

TEST(pairs, real_files) {
    static const char *const paths[] = {"examples/data/tenx_v2_R1_barcode_umi.fastq",
                                        "examples/data/tenx_v2_R2_cdna.fastq.gz"};
    int twice, i;
    for (twice = 0; twice < 2; ++twice) {
        biost_reader *readers[2] = {NULL, NULL};
        biost_pairs_desc desc;
        told t;
        for (i = 0; i < 2; ++i) {
            biost_reader_desc reader;
            memset(&reader, 0, sizeof reader);
            reader.path = paths[twice ? 0 : i];
            REQUIRE(biost_reader_open(&reader, &readers[i], NULL) == BIOST_OK);
        }
        memset(&desc, 0, sizeof desc);
        desc.readers = readers;
        desc.reader_count = 2;
        told_read(&t, &desc);
        check_ends(&t, 20);
        CHECK_EQ_U64(t.warnings, twice ? BIOST_WARN_SAME_READ : 0);
        told_free(&t);
        biost_reader_close(readers[0]);
        biost_reader_close(readers[1]);
    }
}

/* ---- the desc and the calls ---- */

TEST(pairs, wrong_descs) {
    static const char *const fields[] = {"desc is NULL", "desc.readers",      "desc.readers",
                                         "desc.readers", "desc.reader_count", "desc.reader_count",
                                         "desc.mates",   "desc.mates",        "desc.mates",
                                         "desc.mates",   "desc.allocator",    "desc.allocator"};
    biost_reader *readers[17], *wrong[3];
    unsigned i;
    for (i = 0; i < 17; ++i) {
        readers[i] = reader_of("a.fq", "", 0, 0);
    }
    for (i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
        biost_pairs_desc desc;
        biost_pairs *pairs = (biost_pairs *)&desc; /* must become NULL */
        biost_error error;
        counted count;
        memset(&desc, 0, sizeof desc);
        wrong[0] = readers[0];
        wrong[1] = i == 2 ? NULL : readers[1];
        wrong[2] = i == 3 ? readers[0] : readers[2];
        desc.readers = i == 1 ? NULL : i == 5 ? readers : wrong;
        desc.reader_count = i == 4 ? 0 : i == 5 ? 17 : i == 6 || i == 7 ? 1 : 3;
        desc.mates = i == 6 ? 1 : i == 7 ? 17 : i == 8 ? 2 : i == 9 ? 4 : 0;
        desc.allocator = counted_allocator(&count);
        desc.allocator.alloc = i == 10 ? NULL : desc.allocator.alloc;
        desc.allocator.free = i == 11 ? NULL : desc.allocator.free;
        test_note("desc %u", i);
        CHECK(biost_pairs_open(i == 0 ? NULL : &desc, &pairs, &error) == BIOST_ERR_ARG);
        CHECK(pairs == NULL && error.code == BIOST_ERR_ARG && error.fault == BIOST_FAULT_ARGUMENT);
        CHECK(strncmp(error.text, fields[i], strlen(fields[i])) == 0);
        CHECK_EQ_U64(count.calls, 0);
        CHECK(biost_pairs_open(i == 0 ? NULL : &desc, &pairs, NULL) == BIOST_ERR_ARG);
    }
    for (i = 0; i < 17; ++i) {
        biost_reader_close(readers[i]);
    }
}

TEST(pairs, right_descs) {
    static const uint32_t counts[] = {1, 1, 1, 2, 2, 3, 16}, mates[] = {0, 2, 16, 0, 2, 3, 16};
    biost_reader *readers[16];
    unsigned i;
    for (i = 0; i < 16; ++i) {
        readers[i] = reader_of("a.fq", "", 0, 0);
    }
    for (i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        biost_pairs_desc desc;
        told t;
        memset(&desc, 0, sizeof desc);
        desc.readers = readers;
        desc.reader_count = counts[i];
        desc.mates = mates[i];
        test_note("desc %u", i);
        told_read(&t, &desc);
        check_ends(&t, 0);
        told_free(&t);
    }
    for (i = 0; i < 16; ++i) {
        biost_reader_close(readers[i]);
    }
}

TEST(pairs, calls_with_null) {
    biost_reader *readers[2];
    biost_pairs_desc desc;
    biost_pairs *pairs = NULL;
    biost_record records[2];
    biost_error error;
    readers[0] = reader_of("a.fq", "", 0, 0);
    readers[1] = reader_of("b.fq", "", 0, 0);
    memset(&desc, 0, sizeof desc);
    desc.readers = readers;
    desc.reader_count = 2;
    CHECK(biost_pairs_open(&desc, NULL, &error) == BIOST_ERR_ARG);
    CHECK(strstr(error.text, "out_pairs") != NULL);
    REQUIRE(biost_pairs_open(&desc, &pairs, NULL) == BIOST_OK);
    CHECK(biost_pairs_next(pairs, NULL) == BIOST_ERR_ARG);
    CHECK(biost_pairs_next(NULL, records) == BIOST_ERR_ARG);
    CHECK(biost_pairs_next(pairs, records) == BIOST_END);
    CHECK(biost_pairs_error(NULL) == NULL);
    CHECK_EQ_U64(biost_pairs_warnings(NULL), 0);
    biost_pairs_close(NULL);
    biost_pairs_close(pairs);
    biost_reader_close(readers[0]);
    biost_reader_close(readers[1]);
}

/* ---- memory ---- */

/* In step nothing is copied; alternating mates take a buffer each but the last. */
TEST(pairs, memory_they_take) {
    bytes texts[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    uint64_t random = test_seed() + 1;
    counted count;
    unsigned i, mates;
    for (i = 0; i < 40; ++i) { /* records that get longer, to 39000 bytes and a title below 20 */
        mate_text(&texts[0], &texts[1], i / 4, 0, i * 500, 0, &random);
    }
    for (mates = 1; mates <= 4; mates *= 2) { /* 1: two readers of the same text */
        biost_reader *readers[2];
        biost_pairs_desc desc;
        told t;
        readers[0] = reader_of("a.fq", texts[0].data, texts[0].count, 64);
        readers[1] = reader_of("b.fq", texts[1].data, texts[1].count, 64);
        memset(&desc, 0, sizeof desc);
        desc.readers = readers;
        desc.reader_count = mates == 1 ? 2 : 1;
        desc.mates = mates == 1 ? 0 : mates;
        desc.allocator = counted_allocator(&count);
        test_note("mates %u", mates);
        told_read(&t, &desc);
        check_ends(&t, mates == 1 ? 40 : 40 / mates);
        CHECK_EQ_U64(count.blocks, 0);
        CHECK_EQ_U64(count.now_bytes, 0);
        CHECK(count.calls >= mates && count.calls <= 1 + (mates - 1) * 7); /* 1 KiB doubles to 64 */
        CHECK(count.peak_bytes < 8192 + (mates - 1) * 2 * 40000);
        told_free(&t);
        biost_reader_close(readers[0]);
        biost_reader_close(readers[1]);
    }
    bytes_free(&texts[0]);
    bytes_free(&texts[1]);
}

TEST(pairs, nth_allocation_fails) {
    bytes all = {NULL, 0, 0}, unused = {NULL, 0, 0};
    uint64_t random = test_seed() + 2, n, last = 0;
    unsigned i;
    for (i = 0; i < 9; ++i) {
        mate_text(&all, &unused, i / 3, 0, i * 900, 0, &random);
    }
    for (n = 1;; ++n) {
        biost_reader *reader = reader_of("a.fq", all.data, all.count, 100);
        biost_pairs_desc desc;
        counted count;
        told t;
        memset(&desc, 0, sizeof desc);
        desc.readers = &reader;
        desc.reader_count = 1;
        desc.mates = 3;
        desc.allocator = counted_allocator(&count);
        count.fail_at = n;
        test_note("allocation %u", (unsigned)n);
        told_read(&t, &desc);
        CHECK_EQ_U64(count.blocks, 0);
        CHECK(t.result == (count.refused ? BIOST_ERR_NOMEM : BIOST_END));
        CHECK(!count.refused || t.error.fault == BIOST_FAULT_MEMORY);
        CHECK(t.pairs >= last);
        last = t.pairs;
        told_free(&t);
        biost_reader_close(reader);
        if (!count.refused) {
            break;
        }
    }
    CHECK_EQ_U64(last, 3);
    CHECK(n >= 6); /* the pairs, two buffers and their growth */
    bytes_free(&all);
    bytes_free(&unused);
}

/* Readers with desc.terminate: each text of each mate ends with NUL, those that are copies too. */
TEST(pairs, texts_end_with_nul) {
    static const char text[] =
        "@r1/1 first\nACGT\n+\nIIII\n@r1/2\nGG\n+\nJJ\n@ r2\t\n\n+\n\n@r2 x y\nT\n+\nK\n";
    static const char *const expected[4][4] = {{"r1/1", "first", "ACGT", "IIII"},
                                               {"r1/2", "", "GG", "JJ"},
                                               {"r2", "", "", ""},
                                               {"r2", "x y", "T", "K"}};
    biost_reader_desc desc;
    biost_pairs_desc pairs_desc;
    biost_reader *reader = NULL;
    biost_pairs *pairs = NULL;
    biost_record mates[2];
    unsigned i, k;
    memset(&desc, 0, sizeof desc);
    memset(&pairs_desc, 0, sizeof pairs_desc);
    desc.memory.data = text;
    desc.memory.bytes = sizeof text - 1;
    desc.terminate = 1;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    pairs_desc.readers = &reader;
    pairs_desc.reader_count = 1;
    REQUIRE(biost_pairs_open(&pairs_desc, &pairs, NULL) == BIOST_OK);
    for (i = 0; i < 4; i += 2) {
        REQUIRE(biost_pairs_next(pairs, mates) == BIOST_OK);
        for (k = 0; k < 2; ++k) {
            CHECK_STR(mates[k].name, expected[i + k][0]);
            CHECK_STR(mates[k].comment, expected[i + k][1]);
            CHECK_STR(mates[k].seq, expected[i + k][2]);
            CHECK_STR(mates[k].qual, expected[i + k][3]);
            CHECK_EQ_U64(mates[k].title_bytes, 0);
        }
    }
    CHECK(biost_pairs_next(pairs, mates) == BIOST_END);
    biost_pairs_close(pairs);
    biost_reader_close(reader);
}
