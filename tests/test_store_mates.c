/*
 * test_store_mates.c - stores of pairs: each sequence against what readers give of the same inputs, from two files and
 * from one in which mates take turns, with pages of any size; which inputs are no pairs, by their sentences. What is in
 * such a file, byte by byte, oracle_shapes.py compares.
 *
 * rooms: build parcel store tables
 * needs: loader stores threads library
 */
#define _POSIX_C_SOURCE 200809L
#include "../biostream.h"

#include "test.h"

#include "inputs.h"

static const char mates_file[] = "build/test_store_mates.bst";

/* Bytes in use; the call that fails, counted from 1, 0: none. */
typedef struct mates_memory {
    long held;
    unsigned long calls, fails;
} mates_memory;

static void *mates_alloc(size_t count, size_t align, void *user_data) {
    mates_memory *memory = (mates_memory *)user_data;
    void *made = NULL;
    memory->calls += 1;
    CHECK(align <= 256);
    if (memory->calls == memory->fails || posix_memalign(&made, 256, count) != 0) {
        return NULL;
    }
    memory->held += (long)count;
    return made;
}

static void mates_release(void *made, size_t count, void *user_data) {
    ((mates_memory *)user_data)->held -= (long)count;
    free(made);
}

static biost_store_desc mates_desc(const biost_memory *memories, uint32_t count, mates_memory *memory) {
    biost_store_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(memory, 0, sizeof *memory);
    desc.memories = memories;
    desc.memory_count = count;
    desc.mates = 2;
    desc.allocator.alloc = mates_alloc;
    desc.allocator.free = mates_release;
    desc.allocator.user_data = memory;
    return desc;
}

/* ---- against the reader ---- */

/* Compare sequences `first`, first + step and so on with the records of an input. Returns the number after the last. */
static uint64_t mates_compare(const biost_store *store, const biost_memory *memory, uint32_t path,
                              uint64_t first, uint64_t step) {
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_record record;
    static char seq[100000], qual[100000];
    biost_store_info info;
    int has_quality;
    biost_store_info_of(store, &info);
    memset(&desc, 0, sizeof desc);
    desc.memory = *memory;
    if (!CHECK(biost_reader_open(&desc, &reader, NULL) == BIOST_OK)) {
        return first;
    }
    for (; biost_reader_next(reader, &record) == BIOST_OK; first += step) {
        biost_store_sequence one;
        if (!CHECK(biost_store_get(store, first, &one) == BIOST_OK) ||
            !CHECK(one.bases == record.seq_bases)) {
            break;
        }
        CHECK_EQ_U64((uint64_t)one.id, (uint64_t)path << 40 | record.id);
        CHECK(one.title_bytes == record.title_bytes &&
              memcmp(one.title, record.title, record.title_bytes) == 0);
        has_quality = info.has_quality && record.qual != NULL;
        CHECK(biost_store_fetch(store, first, 0, one.bases, seq, has_quality ? qual : NULL) == BIOST_OK);
        CHECK(memcmp(seq, record.seq, record.seq_bases) == 0);
        CHECK(!has_quality || memcmp(qual, record.qual, record.seq_bases) == 0);
    }
    biost_reader_close(reader);
    return first;
}

/* Pairs at random as two texts, and as one in which they take turns. */
static void mates_make(bytes texts[3], uint32_t pairs, int is_fastq, uint64_t *random) {
    uint32_t i, mate;
    memset(texts, 0, 3 * sizeof *texts);
    for (i = 0; i < pairs; ++i) {
        for (mate = 0; mate < 2; ++mate) {
            bytes one;
            const uint32_t most = random_below(random, 40) == 0 ? 60000 : 200, n = random_below(random, most);
            uint32_t k;
            char title[64];
            memset(&one, 0, sizeof one);
            snprintf(title, sizeof title, "%cread.%u/%u of %u\n", is_fastq ? '@' : '>', (unsigned)i,
                     (unsigned)(1 + mate), (unsigned)n);
            bytes_words(&one, title);
            for (k = 0; k < n; ++k) {
                bytes_add(&one, &"ACGTACGTACGTACGN"[random_below(random, 16)], 1);
                if (!is_fastq && k % 70 == 69) {
                    bytes_words(&one, "\n");
                }
            }
            bytes_words(&one, is_fastq ? "\n+\n" : "\n");
            for (k = 0; k < n && is_fastq; ++k) {
                const char byte = (char)(33 + random_below(random, 40));
                bytes_add(&one, &byte, 1);
            }
            bytes_words(&one, is_fastq ? "\n" : "");
            bytes_add(&texts[mate], one.data, one.count);
            bytes_add(&texts[2], one.data, one.count);
            bytes_free(&one);
        }
    }
}

static void mates_memories(biost_memory memories[3], const bytes texts[3]) {
    static const char *const names[] = {"R1.fq", "R2.fq", "both.fq"};
    uint32_t i;
    for (i = 0; i < 3; ++i) {
        memories[i].data = texts[i].data != NULL ? texts[i].data : (const uint8_t *)"";
        memories[i].bytes = texts[i].count;
        memories[i].name = names[i];
    }
}

/* Two pairs of files have the sequences of both in turn; the interleaved file is the same pairs under other ids. */
TEST(store_mates, sequences_of_readers) {
    uint64_t random = test_seed();
    uint32_t round;
    for (round = 0; round < 12; ++round) {
        const int is_fastq = round % 2 == 0;
        bytes texts[6];
        biost_memory memories[6], four[4];
        biost_store_desc desc;
        biost_store *store = NULL;
        biost_store_info info;
        mates_memory memory;
        mates_make(texts, 1 + random_below(&random, 300), is_fastq, &random);
        mates_make(texts + 3, random_below(&random, 3), is_fastq, &random);
        mates_memories(memories, texts);
        mates_memories(memories + 3, texts + 3);
        memcpy(four, memories, 2 * sizeof *four);
        memcpy(four + 2, memories + 3, 2 * sizeof *four);
        desc = mates_desc(four, 4, &memory);
        desc.qualities = is_fastq && round % 4 == 0;
        desc.workers = 1 + random_below(&random, 5);
        desc.test.page_bytes = round > 6 ? 0 : 16 + random_below(&random, 3000);
        if (CHECK(biost_store_build(&desc, &store, NULL) == BIOST_OK)) {
            uint64_t ends[2];
            CHECK_EQ_U64(mates_compare(store, &four[0], 0, 0, 2),
                         mates_compare(store, &four[1], 1, 1, 2) - 1);
            ends[0] = mates_compare(store, &four[2], 2, mates_compare(store, &four[0], 0, 0, 2), 2);
            ends[1] = mates_compare(store, &four[3], 3, mates_compare(store, &four[1], 1, 1, 2), 2);
            biost_store_info_of(store, &info);
            CHECK(info.mates == 2 && info.sequence_count == ends[0] && ends[1] == ends[0] + 1);
            CHECK(biost_store_check(store, &desc, NULL) == BIOST_OK);
            CHECK(biost_store_close(store, NULL) == BIOST_OK);
        }
        desc.memories = &memories[2];
        desc.memory_count = 1;
        desc.interleaved = 1;
        if (CHECK(biost_store_build(&desc, &store, NULL) == BIOST_OK)) {
            biost_store_info_of(store, &info);
            CHECK_EQ_U64(mates_compare(store, &memories[2], 0, 0, 1), info.sequence_count);
            CHECK_EQ_U64(info.mates, 2);
            CHECK(biost_store_close(store, NULL) == BIOST_OK);
        }
        CHECK_EQ_I64(memory.held, 0);
        bytes_free(&texts[0]);
        bytes_free(&texts[1]);
        bytes_free(&texts[2]);
        bytes_free(&texts[3]);
        bytes_free(&texts[4]);
        bytes_free(&texts[5]);
    }
}

/* As RNA up to a T of the last second mate: all is read once more. */
TEST(store_mates, read_twice) {
    static const char one[] = ">a/1\nACGUACGACGACGGCACAGCGACGACG\n>b/1\nUU\n",
                      two[] = ">a/2\nGGU\n>b/2\nTTT\n";
    const biost_memory memories[] = {{one, sizeof one - 1, "1"}, {two, sizeof two - 1, "2"}};
    biost_store_desc desc;
    biost_store *store;
    biost_store_info info;
    mates_memory memory;
    desc = mates_desc(memories, 2, &memory);
    REQUIRE(biost_store_build(&desc, &store, NULL) == BIOST_OK);
    biost_store_info_of(store, &info);
    CHECK(!info.is_rna && info.other_bases == 4 && info.sequence_count == 4);
    CHECK_EQ_U64(mates_compare(store, &memories[0], 0, 0, 2), 4);
    CHECK_EQ_U64(mates_compare(store, &memories[1], 1, 1, 2), 5);
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
    CHECK_EQ_I64(memory.held, 0);
}

/* ---- what is refused ---- */

typedef struct mates_case {
    const char *texts[4], *sentence;
    biost_fault fault;
    biost_store_desc desc; /* what is not 0 beside mates */
} mates_case;

#define ONE "@a/1 x\nAC\n+\nII\n@b/1 x\nAC\n+\nII\n"
#define TWO "@a/2 x\nGT\n+\nII\n@b/2 y\nGT\n+\nII\n"

static const mates_case mates_cases[] = {
    {{ONE, "@a/2\nG\n+\nI\n@c/2 y\nGT\n+\nII\n"},
     "t1: record 2 (line 5, byte 11 of the text): its name 'c/2' does not belong to 'b/1' of t0",
     BIOST_FAULT_PAIR_NAME,
     {0}},
    {{ONE TWO},
     "t0: record 2 (line 5, byte 15 of the text): its name 'b/1' does not belong to 'a/1'",
     BIOST_FAULT_PAIR_NAME,
     {.interleaved = 1}},
    {{ONE, TWO, ONE, "@a/3\nG\n+\nI\n@b\nGT\n+\nII\n"},
     "t3: record 2 (line 5, byte 11 of the text): its name 'b' does not belong to 'b/1' of t2",
     BIOST_FAULT_PAIR_NAME,
     {.names = BIOST_STORE_NAMES}},
    {{ONE, "@a/2\nG\n+\nI\n"}, "t0 has 2 records, t1 has 1: ", BIOST_FAULT_PAIR_COUNT, {0}},
    {{"@a/1\nG\n+\nI\n", ONE TWO}, "t0 has 1 record, t1 has 4: ", BIOST_FAULT_PAIR_COUNT, {0}},
    {{"", ONE}, "t0 has 0 records, t1 has 2: ", BIOST_FAULT_PAIR_COUNT, {0}},
    {{ONE, ""}, "t0 has 2 records, t1 has 0: ", BIOST_FAULT_PAIR_COUNT, {0}},
    {{"@a/1\nG\n+\nI\n@a/2\nG\n+\nI\n@b/1\nG\n+\nI\n"},
     "t0 has 3 records, which is no multiple of 2",
     BIOST_FAULT_PAIR_COUNT,
     {.interleaved = 1}},
    {{ONE, "@a/2 x\nGT\n+\nII\n@b/2 y\nGT\n+\nIII\n"}, "t1: record 2 (line 8", BIOST_FAULT_LENGTH, {0}},
    {{ONE, ">a/2\nGT\n>b/2\nGT\n"},
     "t0 is FASTQ, t1 is FASTA: inputs that belong together must be of one format",
     BIOST_FAULT_FORMAT,
     {.qualities = 1}},
    {{ONE, TWO, ONE},
     "desc.mates is 2, which takes inputs two by two, and their number is odd",
     BIOST_FAULT_ARGUMENT,
     {0}},
    {{ONE, TWO},
     "desc.mates takes records two by two, and desc.text.skip_bad leaves out one of two",
     BIOST_FAULT_ARGUMENT,
     {.text = {.skip_bad = 1}}},
};

TEST(store_mates, no_pairs) {
    uint32_t i, k, workers;
    for (i = 0; i < sizeof mates_cases / sizeof mates_cases[0]; ++i) {
        for (workers = 1; workers <= 5; workers += 2) {
            static const char *const names[] = {"t0", "t1", "t2", "t3"};
            const mates_case *c = &mates_cases[i];
            biost_memory memories[4];
            biost_store_desc desc = c->desc, usual;
            biost_store *store = NULL;
            biost_error error;
            mates_memory memory;
            for (k = 0; k < 4 && c->texts[k] != NULL; ++k) {
                memories[k].data = c->texts[k];
                memories[k].bytes = strlen(c->texts[k]);
                memories[k].name = names[k];
            }
            usual = mates_desc(memories, k, &memory);
            desc.mates = 2;
            desc.memories = memories;
            desc.memory_count = k;
            desc.allocator = usual.allocator;
            desc.workers = workers;
            test_note("case %u", (unsigned)i);
            CHECK(biost_store_build(&desc, &store, &error) < 0 && store == NULL);
            CHECK_EQ_I64(error.fault, c->fault);
            if (!CHECK(strncmp(error.text, c->sentence, strlen(c->sentence)) == 0)) {
                printf("    says: %s\n", error.text);
            }
            CHECK_EQ_I64(memory.held, 0);
        }
    }
}

TEST(store_mates, fields) {
    static const biost_memory memories[] = {{ONE, sizeof ONE - 1, "1"}, {TWO, sizeof TWO - 1, "2"}};
    biost_store *store = NULL;
    biost_store_info info;
    biost_error error;
    mates_memory memory;
    biost_store_desc desc = mates_desc(memories, 2, &memory);
    desc.mates = 1;
    desc.interleaved = 1;
    CHECK(biost_store_build(&desc, &store, &error) == BIOST_ERR_ARG);
    CHECK_STR(error.text, "desc.interleaved says where mates are, and desc.mates is not 2");
    desc.mates = 3;
    CHECK(biost_store_build(&desc, &store, &error) == BIOST_ERR_ARG);
    CHECK(strstr(error.text, "desc.mates is 3") != NULL);
    desc.mates = 1;
    desc.interleaved = 0;
    REQUIRE(biost_store_build(&desc, &store, &error) == BIOST_OK);
    biost_store_info_of(store, &info);
    CHECK_EQ_U64(info.mates, 1);
    desc.mates = 2;
    CHECK(biost_store_check(store, &desc, &error) == BIOST_ERR_STALE);
    CHECK(strstr(error.text, "desc.mates is another") != NULL);
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
    CHECK_EQ_I64(memory.held, 0);
}

/* A file of pairs says so, and has another version than any before it: older copies refuse it. */
TEST(store_mates, versions_of_files) {
    static const biost_memory memories[] = {{ONE, sizeof ONE - 1, "1"}, {TWO, sizeof TWO - 1, "2"}};
    static const uint8_t versions[2] = {1, 2};
    uint32_t mates;
    for (mates = 1; mates <= 2; ++mates) {
        biost_store *store, *loaded;
        biost_store_info info;
        biost_error error;
        mates_memory memory;
        FILE *file;
        uint8_t head[8];
        biost_store_desc desc = mates_desc(memories, 2, &memory);
        desc.mates = mates;
        desc.save_path = mates_file;
        REQUIRE(biost_store_build(&desc, &store, NULL) == BIOST_OK);
        REQUIRE(biost_store_load(mates_file, NULL, &loaded, NULL) == BIOST_OK);
        biost_store_info_of(loaded, &info);
        CHECK_EQ_U64(info.mates, mates);
        CHECK_EQ_U64(mates_compare(loaded, &memories[0], 0, 0, mates), mates * 2);
        CHECK_EQ_U64(mates_compare(loaded, &memories[1], 1, mates == 2 ? 1 : 2, mates), mates == 2 ? 5 : 4);
        CHECK(biost_store_close(loaded, NULL) == BIOST_OK && biost_store_close(store, NULL) == BIOST_OK);
        file = fopen(mates_file, "r+b");
        REQUIRE(file != NULL && fread(head, 1, 8, file) == 8);
        CHECK_EQ_U64(head[7], versions[mates - 1]);
        head[7] = 3;
        rewind(file);
        CHECK(fwrite(head, 1, 8, file) == 8 && fclose(file) == 0);
        CHECK(biost_store_load(mates_file, NULL, &loaded, &error) < 0);
        CHECK(strstr(error.text, "it is of another version of the library") != NULL);
        remove(mates_file);
    }
}

/* Each call for memory fails once: a sentence, and nothing is left. */
TEST(store_mates, memory_that_is_refused) {
    uint64_t random = test_seed();
    bytes texts[3];
    biost_memory memories[3];
    unsigned long fails = 1, together;
    mates_make(texts, 20, 1, &random);
    mates_memories(memories, texts);
    for (together = 0; together < 2; ++together, fails = 1) {
        biost_result result = BIOST_ERR_NOMEM;
        for (; result == BIOST_ERR_NOMEM && fails < 1000; ++fails) {
            mates_memory memory;
            biost_store *store = NULL;
            biost_store_desc desc = mates_desc(together ? &memories[2] : memories, together ? 1 : 2, &memory);
            desc.interleaved = (int)together;
            memory.fails = fails;
            desc.test.page_bytes = 4000;
            result = biost_store_build(&desc, &store, NULL);
            test_note("%lu %lu %d", together, fails, (int)result);
            CHECK((result == BIOST_OK) == (store != NULL));
            CHECK(biost_store_close(store, NULL) == BIOST_OK);
            CHECK_EQ_I64(memory.held, 0);
        }
        CHECK(result == BIOST_OK && fails > 20);
    }
    bytes_free(&texts[0]);
    bytes_free(&texts[1]);
    bytes_free(&texts[2]);
}
