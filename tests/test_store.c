/*
 * test_store.c - stores built, saved, loaded and fetched from: each record against what a reader gives of the same
 * input, for all inputs of tests/data and for pages of any size; names; bounds of memory; calls of the system that
 * fail; files that changed. What is in a file, byte by byte, test_fxstore.sh compares with the oracle's.
 *
 * rooms: build parcel store
 * needs: loader stores threads data
 */
#include "failing_files.h"

#include <dirent.h>

#include "test.h"
#include "xxh64.h"

static const char store_file[] = "build/test_store.bst", store_input[] = "build/test_store.fa";

static void store_calls(call_kind kind, unsigned long fail_at, int error_number) {
    memset(calls.counts, 0, sizeof calls.counts);
    calls.kind = kind;
    calls.fail_at = fail_at;
    calls.error_number = error_number;
    calls.most = 0;
    calls.interrupt = 0;
    calls.lock = NULL;
}

static void *store_alloc(size_t bytes, size_t align, void *user_data) {
    void *memory = NULL;
    CHECK(user_data == &calls && align <= 256);
    if (call_fails(CALL_ALLOC) || posix_memalign(&memory, 256, bytes) != 0) {
        return NULL;
    }
    calls.memory_held += (long)bytes;
    return memory;
}

static void store_release(void *memory, size_t bytes, void *user_data) {
    CHECK(user_data == &calls && memory != NULL);
    calls.memory_held -= (long)bytes;
    free(memory);
}

static void store_check_nothing_left(void) {
    CHECK_EQ_I64(calls.memory_held, 0);
    CHECK_EQ_I64(calls.files_open, 0);
}

static biost_store_desc store_desc(const biost_memory *memory) {
    biost_store_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.memories = memory;
    desc.memory_count = 1;
    desc.allocator.alloc = store_alloc;
    desc.allocator.free = store_release;
    desc.allocator.user_data = &calls;
    return desc;
}

static biost_memory store_text(const char *text) {
    biost_memory memory;
    memory.data = text;
    memory.bytes = strlen(text);
    memory.name = "text";
    return memory;
}

static void store_write(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL);
    fwrite(text, 1, strlen(text), file);
    fclose(file);
}

/* A file whole; from malloc. */
static uint8_t *store_read(const char *path, size_t *out_bytes) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;
    *out_bytes = 0;
    if (file == NULL) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    *out_bytes = (size_t)ftell(file);
    rewind(file);
    bytes = (uint8_t *)malloc(*out_bytes + 1);
    *out_bytes = bytes != NULL ? fread(bytes, 1, *out_bytes, file) : 0;
    fclose(file);
    return bytes;
}

static int store_is_there(const char *path) {
    return access(path, F_OK) == 0;
}

/* ---- against the reader ---- */

/* A column's number of one sequence. */
static uint64_t store_number(const biost_store *store, biost_store_column column, uint64_t number) {
    uint64_t out = UINT64_MAX;
    CHECK_EQ_I64(biost_store_numbers(store, column, number, 1, &out), BIOST_OK);
    return out;
}

/* Whether the store's next record is that of the reader. */
static void store_check_record(const biost_store *store, uint64_t number, const biost_record *record,
                               const biost_store_desc *desc) {
    biost_store_sequence sequence;
    const size_t bases = record->seq_bases, part = bases / 3;
    char *seq = (char *)malloc(bases + 1), *qual = (char *)malloc(bases + 1);
    REQUIRE(seq != NULL && qual != NULL);
    CHECK_EQ_I64(biost_store_get(store, number, &sequence), BIOST_OK);
    CHECK_EQ_U64((uint64_t)sequence.id, record->id);
    CHECK_EQ_U64(sequence.bases, bases);
    if (desc->names == BIOST_STORE_TITLES) {
        CHECK_EQ_U64(sequence.title_bytes, record->title_bytes);
        CHECK_MEM(sequence.title, record->title, record->title_bytes);
    } else {
        const size_t bytes = desc->names == BIOST_STORE_NAMES ? record->name_bytes : 0;
        CHECK_EQ_U64(sequence.title_bytes, bytes);
        CHECK_MEM(sequence.title, record->name, bytes);
    }
    CHECK_EQ_U64(store_number(store, BIOST_COLUMN_BASES, number), bases);
    if (record->stats != NULL) {
        CHECK_EQ_U64(store_number(store, BIOST_COLUMN_GC, number), record->stats->gc_count);
        CHECK_EQ_U64(store_number(store, BIOST_COLUMN_N, number), record->stats->n_count);
        CHECK_EQ_U64(store_number(store, BIOST_COLUMN_OTHER, number),
                     bases - record->stats->n_count - record->stats->acgt_count);
        CHECK_EQ_U64(store_number(store, BIOST_COLUMN_QUALITY_SUM, number),
                     desc->qualities ? record->stats->qual_sum : 0);
        CHECK_EQ_U64(store_number(store, BIOST_COLUMN_QUALITY_MIN, number),
                     desc->qualities ? record->stats->qual_min : 0);
        CHECK_EQ_U64(store_number(store, BIOST_COLUMN_QUALITY_MAX, number),
                     desc->qualities ? record->stats->qual_max : 0);
        CHECK_EQ_U64(sequence.stats.acgt_count, record->stats->acgt_count);
        CHECK_EQ_U64(sequence.stats.gc_count, record->stats->gc_count);
        CHECK_EQ_U64(sequence.stats.n_count, record->stats->n_count);
        CHECK_EQ_U64(sequence.stats.error_sum, desc->qualities ? record->stats->error_sum : 0);
        CHECK_EQ_U64(sequence.stats.qual_max, desc->qualities ? record->stats->qual_max : 0);
    }
    CHECK_EQ_I64(biost_store_fetch(store, number, 0, bases, seq, desc->qualities ? qual : NULL), BIOST_OK);
    CHECK_MEM(seq, record->seq, bases);
    if (desc->qualities) {
        CHECK_MEM(qual, record->qual, bases);
        CHECK_EQ_I64(biost_store_fetch(store, number, part, bases, NULL, qual), BIOST_OK);
        CHECK_MEM(qual, record->qual + part, bases - part);
    }
    CHECK_EQ_I64(biost_store_fetch(store, number, part, bases - part, seq, NULL), BIOST_OK);
    CHECK_MEM(seq, record->seq + part, bases - 2 * part);
    free(seq);
    free(qual);
}

/* Build by a desc of one memory, in memory or in a file, and compare with the reader, its error too. */
static void store_check_input(const biost_store_desc *desc) {
    biost_reader_desc reader_desc;
    biost_reader *reader = NULL;
    biost_record record;
    biost_store *store = NULL;
    biost_store_info info;
    biost_error error, reader_error;
    uint64_t count = 0;
    biost_result result = biost_store_build(desc, &store, &error), read;
    memset(&reader_desc, 0, sizeof reader_desc);
    memset(&reader_error, 0, sizeof reader_error);
    reader_desc.memory = desc->memories[0];
    reader_desc.stats = 1;
    reader_desc.max_record_bytes = (uint64_t)64 << 20;
    read = biost_reader_open(&reader_desc, &reader, &reader_error);
    while (read == BIOST_OK && (read = biost_reader_next(reader, &record)) == BIOST_OK) {
        if (store != NULL) {
            store_check_record(store, count, &record, desc);
        }
        count++;
    }
    if (reader != NULL && biost_reader_error(reader) != NULL) {
        reader_error = *biost_reader_error(reader);
    }
    if (read == BIOST_END && result == BIOST_OK) {
        biost_store_info_of(store, &info);
        CHECK_EQ_U64(info.sequence_count, count);
        CHECK_EQ_I64(biost_store_verify(store, NULL), BIOST_OK);
        CHECK_EQ_I64(biost_store_check(store, desc, &error), BIOST_OK);
    } else if (read == BIOST_END) {
        CHECK(error.fault == BIOST_FAULT_STORE_LETTERS || error.fault == BIOST_FAULT_NO_QUALITY);
    } else if (error.fault != BIOST_FAULT_NO_QUALITY) { /* a record before the bad one is of FASTA */
        CHECK_STR(error.text, reader_error.text);
        CHECK(store == NULL);
    }
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    biost_reader_close(reader);
    remove(store_file);
    store_check_nothing_left();
}

/* All ways to build from one input. */
static void store_check_ways(const biost_memory *memory) {
    static const uint32_t pages[] = {0, 40, 1000};
    for (uint32_t way = 0; way < 12; way++) {
        biost_store_desc desc = store_desc(memory);
        desc.duplicate_names = 1;
        desc.letters = way % 2 == 0 ? BIOST_STORE_DNA : BIOST_STORE_BYTES;
        desc.qualities = way / 2 % 2 == 1;
        desc.names = way % 3 == 0   ? BIOST_STORE_TITLES
                     : way % 3 == 1 ? BIOST_STORE_NAMES
                                    : BIOST_STORE_NO_NAMES;
        desc.test.page_bytes = pages[way / 4];
        desc.test.cpu_hidden = way % 5 == 0 ? UINT32_MAX : 0;
        desc.workers = way % 3 == 1 ? 3 : 0;
        desc.save_path = way % 4 == 3 ? store_file : NULL;
        store_check_input(&desc);
    }
}

TEST(store, hard_inputs) {
    static const char *const folders[] = {"tests/data/semantics/fastx", "tests/data/semantics/gzip",
                                          "examples/data"};
    unsigned files = 0;
    store_calls(CALL_ALLOC, 0, 0);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        DIR *folder = opendir(folders[i]);
        struct dirent *entry;
        while (folder != NULL && (entry = readdir(folder)) != NULL) {
            char path[512];
            biost_memory memory;
            snprintf(path, sizeof path, "%s/%s", folders[i], entry->d_name);
            memory.data = entry->d_name[0] == '.' ? NULL : store_read(path, &memory.bytes);
            memory.name = path;
            if (memory.data == NULL || memory.bytes > 200000) {
                free((void *)(uintptr_t)memory.data);
                continue;
            }
            test_note("%s", path);
            store_check_ways(&memory);
            free((void *)(uintptr_t)memory.data);
            files++;
        }
        if (folder != NULL) {
            closedir(folder);
        }
    }
    CHECK(files > 50);
}

/* Sequences of all lengths around words and stretches, with runs that begin and end anywhere. */
TEST(store, random_sequences) {
    uint64_t random = 11;
    store_calls(CALL_ALLOC, 0, 0);
    for (int round = 0; round < 12; round++) {
        size_t used = 0, capacity = 200000;
        char *text = (char *)malloc(capacity);
        biost_memory memory;
        REQUIRE(text != NULL);
        for (int i = 0; i < 40; i++) {
            size_t bases = (size_t)(test_random(&random) >> 40) % (i % 8 == 0 ? 9000 : 70);
            int left = 0, kind = 0;
            used += (size_t)sprintf(text + used, ">s%d\n", i);
            for (size_t k = 0; k < bases; k++, left--) {
                if (left <= 0) {
                    left = 1 + (int)(test_random(&random) >> 40) % (k % 3 == 0 ? 900 : 60);
                    kind = (int)(test_random(&random) >> 40) % 7;
                }
                text[used] = kind == 0   ? 'N'
                             : kind == 1 ? 'R'
                             : kind == 6 ? 'U'
                                         : "ACGT"[test_random(&random) >> 62];
                text[used] = (char)(kind == 2 || (kind == 1 && round % 2) ? text[used] | 0x20 : text[used]);
                used++;
            }
            text[used++] = '\n';
        }
        memory.data = text;
        memory.bytes = used;
        memory.name = NULL;
        test_note("round %d", round);
        store_check_ways(&memory);
        free(text);
    }
}

/* ---- saved and loaded ---- */

TEST(store, the_same_bytes_whatever_the_way) {
    static const char text[] =
        ">a x\nACGTNNNNNNNNNNNNNNacgtacgtACGATCGATCGATGCATCGATCGATCG\n>b\nACGT\n>c\nGGGGGGGGGGGG\n";
    biost_memory memory = store_text(text);
    biost_store_desc desc = store_desc(&memory);
    biost_store *store, *loaded;
    biost_store_info info;
    biost_error error;
    uint8_t *one, *other;
    size_t bytes, other_bytes;
    store_calls(CALL_ALLOC, 0, 0);
    desc.save_path = store_file;
    REQUIRE(biost_store_build(&desc, &store, &error) == BIOST_OK);
    biost_store_info_of(store, &info);
    CHECK(info.is_mapped && info.sequence_count == 3 && info.base_count == 69 && info.longest_bases == 53);
    CHECK(info.n_bases == 14 && info.lower_bases == 8 && info.other_bases == 0);
    CHECK_EQ_I64(biost_store_save(store, store_file, &error), BIOST_ERR_ARG);
    CHECK_STR(error.text, "this is the file that the store was loaded from: save it under another name");
    one = store_read(store_file, &bytes);
    CHECK_EQ_U64(info.file_bytes, bytes);
    CHECK_EQ_I64(biost_store_close(store, &error), BIOST_OK);
    desc.save_path = NULL;
    REQUIRE(biost_store_build(&desc, &store, &error) == BIOST_OK);
    CHECK_EQ_I64(biost_store_save(store, store_file, &error), BIOST_OK);
    other = store_read(store_file, &other_bytes);
    CHECK_EQ_U64(other_bytes, bytes);
    CHECK_MEM(other, one, bytes);
    REQUIRE(biost_store_load(store_file, &desc.allocator, &loaded, &error) == BIOST_OK);
    CHECK_EQ_U64(bsi_tables_fingerprint(bsi_store_tables(loaded)),
                 bsi_tables_fingerprint(bsi_store_tables(store)));
    CHECK_EQ_I64(biost_store_save(store, store_file, &error),
                 BIOST_OK); /* the other has the old file still */
    CHECK_EQ_I64(biost_store_verify(loaded, &error), BIOST_OK);
    bsi_store_take(loaded);
    CHECK_EQ_I64(biost_store_close(loaded, &error), BIOST_ERR_ARG);
    CHECK_STR(error.text, "a loader has this store: close the loader first");
    bsi_store_give_back(loaded);
    CHECK_EQ_I64(biost_store_close(loaded, NULL), BIOST_OK);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    CHECK_EQ_I64(biost_store_close(NULL, NULL), BIOST_OK);
    free(one);
    free(other);
    remove(store_file);
    store_check_nothing_left();
}

/* By whatever name: the input is there afterwards as before. */
TEST(store, input_is_not_written_over) {
    static const char text[] = ">a\nACGTACGT\n", hard[] = "build/test_store.hard",
                      soft[] = "build/test_store.soft";
    static const char *const names[] = {store_input, hard, soft, "./build/../build/test_store.fa"};
    const char *paths[2];
    biost_store_desc desc;
    biost_store *store;
    biost_error error;
    uint32_t i;
    paths[0] = store_file;
    paths[1] = store_input;
    for (i = 0; i < 2; i++) {
        FILE *file = fopen(paths[i], "wb");
        REQUIRE(file != NULL && fwrite(text, 1, sizeof text - 1, file) == sizeof text - 1 &&
                fclose(file) == 0);
    }
    remove(hard);
    remove(soft);
    REQUIRE(link(store_input, hard) == 0 && symlink("test_store.fa", soft) == 0);
    memset(&desc, 0, sizeof desc);
    desc.paths = paths;
    desc.path_count = 2;
    desc.duplicate_names = 1;
    for (i = 0; i < 4; i++) {
        size_t bytes;
        uint8_t *left;
        desc.save_path = names[i];
        CHECK_EQ_I64(biost_store_build(&desc, &store, &error), BIOST_ERR_ARG);
        CHECK_STR(error.text, "desc.save_path is one of desc.paths, which would be lost");
        left = store_read(store_input, &bytes);
        if (CHECK_EQ_U64(bytes, sizeof text - 1)) {
            CHECK_MEM(left, text, bytes);
        }
        free(left);
    }
    desc.path_count = 1; /* the other file, which is no input then, is replaced */
    desc.save_path = soft;
    REQUIRE(biost_store_build(&desc, &store, &error) == BIOST_OK);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    remove(hard);
    remove(soft);
    remove(store_input);
    remove(store_file);
}

/* FASTQ of records of up to `most` bases, nearly all of them the first four of `letters`. */
static char *store_reads(uint32_t records, uint32_t most, const char *letters, uint64_t *random,
                         size_t *bytes) {
    char *text = (char *)malloc((size_t)records * (2 * most + 40));
    const size_t count = strlen(letters);
    size_t used = 0;
    if (!CHECK(text != NULL)) {
        exit(1);
    }
    for (uint32_t i = 0; i < records; i++) {
        const size_t bases = (size_t)(test_random(random) >> 40) % (most + 1);
        used += (size_t)sprintf(text + used, "@r%u some words\n", (unsigned)i);
        for (size_t k = 0; k < bases; k++) {
            const size_t any = (size_t)(test_random(random) >> 40);
            text[used++] = letters[any % 32 < 31 ? any / 32 % 4 : any / 32 % count];
        }
        used += (size_t)sprintf(text + used, "\n+\n");
        for (size_t k = 0; k < bases; k++) {
            text[used++] = (char)('!' + (i / 4096 + 1) * (test_random(random) >> 62));
        }
        text[used++] = '\n';
    }
    *bytes = used;
    return text;
}

/* A store of three inputs, over three blocks of qualities, has the same bytes for any number of workers and any pages. */
TEST(store, the_same_bytes_with_workers) {
    static const char *const letters[] = {"ACGTNnacgtR", "ACGUacguN", "ACGTU", "ACGGU"};
    static const uint32_t workers[] = {1, 2, 3, 8, 3, 256}, pages[] = {0, 0, 900, 40, 100000, 3000};
    uint64_t random = 5;
    store_calls(CALL_ALLOC, 0, 0);
    for (uint32_t round = 0; round < 8; round++) {
        biost_memory memories[3] = {{NULL, 0, "a"}, {NULL, 0, "b"}, {NULL, 0, "c"}};
        uint8_t *want = NULL;
        size_t want_bytes = 0;
        memories[0].data = store_reads(4100, 40, letters[round % 4], &random, &memories[0].bytes);
        memories[1].data = store_reads(20, 70000, letters[round % 4 == 1], &random, &memories[1].bytes);
        memories[2].data = store_reads(6000, 30, letters[round % 4 == 1], &random, &memories[2].bytes);
        for (size_t way = 0; way < sizeof workers / sizeof workers[0]; way++) {
            biost_store_desc desc = store_desc(memories);
            biost_store *store = NULL;
            biost_error error;
            uint8_t *got;
            size_t bytes;
            desc.memory_count = 3;
            desc.duplicate_names = 1;
            desc.qualities = round < 4;
            desc.names = round % 3 == 0 ? BIOST_STORE_NAMES : BIOST_STORE_TITLES;
            desc.letters = round == 6 ? BIOST_STORE_BYTES : BIOST_STORE_DNA;
            desc.workers = workers[way];
            desc.test.page_bytes = pages[way];
            desc.save_path = way % 2 == 0 ? store_file : NULL;
            test_note("round %u, %u workers, pages of %u", (unsigned)round, (unsigned)workers[way],
                      (unsigned)pages[way]);
            REQUIRE(biost_store_build(&desc, &store, &error) == BIOST_OK);
            CHECK_EQ_I64(biost_store_verify(store, &error), BIOST_OK);
            if (way % 2 == 1) {
                CHECK_EQ_I64(biost_store_save(store, store_file, &error), BIOST_OK);
            }
            CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
            got = store_read(store_file, &bytes);
            if (way == 0) {
                want = got;
                want_bytes = bytes;
                continue;
            }
            CHECK_EQ_U64(bytes, want_bytes);
            CHECK_MEM(got, want, want_bytes);
            free(got);
        }
        free(want);
        for (size_t i = 0; i < 3; i++) {
            free((void *)(uintptr_t)memories[i].data);
        }
        remove(store_file);
    }
    store_check_nothing_left();
}

TEST(store, arguments) {
    biost_memory memory = store_text(">a\nACGTACGTAC\n");
    biost_store_desc desc = store_desc(&memory);
    biost_store_sequence sequence;
    biost_store *store, *other = NULL;
    biost_error error;
    uint64_t number;
    char seq[16];
    store_calls(CALL_ALLOC, 0, 0);
    CHECK_EQ_I64(biost_store_build(NULL, &store, &error), BIOST_ERR_ARG);
    CHECK_STR(error.text, "desc is NULL");
    CHECK_EQ_I64(biost_store_build(&desc, NULL, NULL), BIOST_ERR_ARG);
    desc.path_count = 1;
    CHECK_EQ_I64(biost_store_build(&desc, &store, &error), BIOST_ERR_ARG);
    desc.path_count = 0;
    desc.qualities = 1;
    CHECK_EQ_I64(biost_store_build(&desc, &store, &error), BIOST_ERR_ARG);
    CHECK_STR(error.text, "text: desc.qualities needs qualities, and this input is FASTA");
    desc.text.high_bytes = 1;
    CHECK_EQ_I64(biost_store_build(&desc, &store, &error), BIOST_ERR_ARG);
    desc.qualities = 0;
    REQUIRE(biost_store_build(&desc, &store, &error) == BIOST_OK);
    CHECK_EQ_I64(biost_store_get(store, 1, &sequence), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_get(store, 0, NULL), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_fetch(store, 0, 3, 11, seq, NULL), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_fetch(store, 0, 4, 3, seq, NULL), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_fetch(store, 1, 0, 0, seq, NULL), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_fetch(store, 0, 0, 10, NULL, seq), BIOST_ERR_UNSUPPORTED);
    CHECK_EQ_I64(biost_store_fetch(store, 0, 10, 10, seq, NULL), BIOST_OK);
    CHECK_EQ_I64(biost_store_find(store, "a", 1, &number), BIOST_OK);
    CHECK_EQ_I64(biost_store_find(store, "b", 1, &number), BIOST_END);
    CHECK_EQ_I64(biost_store_find(store, "", 0, &number), BIOST_END);
    CHECK_EQ_I64(biost_store_find(store, NULL, 0, &number), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_save(store, NULL, &error), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_load(NULL, NULL, &other, NULL), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_verify(NULL, NULL), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_load("tests/no_such_file", NULL, &other, &error), BIOST_ERR_IO);
    CHECK_EQ_I64(biost_store_load("tests", NULL, &other, &error), BIOST_ERR_IO);
    CHECK_EQ_I64(biost_store_load("/dev/null", NULL, &other, &error), BIOST_ERR_UNSUPPORTED);
    CHECK_EQ_I64(biost_store_load("Makefile", NULL, &other, &error), BIOST_ERR_ARG);
    CHECK_STR(error.text, "Makefile: cannot be used as a store: it does not begin like one; build it again");
    CHECK(other == NULL);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    store_check_nothing_left();
}

TEST(store, names) {
    biost_memory memory = store_text(">a 1\nACGTACGT\n>b\nAC\n> a\ttab\nGG\n>\nA\n>\nC\n");
    biost_store_desc desc = store_desc(&memory);
    biost_store *store;
    biost_error error;
    uint64_t number = 9, i;
    store_calls(CALL_ALLOC, 0, 0);
    CHECK_EQ_I64(biost_store_build(&desc, &store, &error), BIOST_ERR_TEXT);
    CHECK_EQ_I64(error.fault, BIOST_FAULT_STORE_NAME);
    CHECK_STR(error.text,
              "text: its record 3 is named a, as one before it: desc.duplicate_names allows that");
    CHECK(store == NULL);
    desc.duplicate_names = 1;
    REQUIRE(biost_store_build(&desc, &store, &error) == BIOST_OK);
    CHECK_EQ_I64(biost_store_find(store, "a", 1, &number), BIOST_OK);
    CHECK_EQ_U64(number, 0);
    CHECK_EQ_I64(biost_store_find(store, "b", 1, &number), BIOST_OK);
    CHECK_EQ_U64(number, 1);
    number = 9;
    CHECK_EQ_I64(biost_store_find_again(store, 0, &number), BIOST_OK);
    CHECK_EQ_U64(number, 2);
    for (i = 1; i < 5; ++i) { /* b, the second a, and two without a name */
        CHECK_EQ_I64(biost_store_find_again(store, i, &number), BIOST_END);
    }
    CHECK_EQ_I64(biost_store_find_again(store, 5, &number), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_find_again(store, 0, NULL), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_find_again(NULL, 0, &number), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    desc.duplicate_names = 0;
    desc.names = BIOST_STORE_NO_NAMES;
    REQUIRE(biost_store_build(&desc, &store, &error) == BIOST_OK);
    CHECK_EQ_I64(biost_store_find(store, "a", 1, &number), BIOST_END);
    CHECK_EQ_I64(biost_store_find_again(store, 0, &number), BIOST_END);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    store_check_nothing_left();
}

/* Records r0, r1, ... of a base each, of which one or two have the name of another. */
static char *store_names(uint32_t records, const uint32_t same[2][2]) {
    char *text = (char *)malloc((size_t)records * 16 + 1);
    size_t used = 0;
    if (!CHECK(text != NULL)) {
        exit(1);
    }
    for (uint32_t i = 0; i < records; i++) {
        const uint32_t name = i == same[0][0] ? same[0][1] : i == same[1][0] ? same[1][1] : i;
        used += (size_t)sprintf(text + used, ">r%u\nA\n", (unsigned)name);
    }
    return text;
}

/* Chains of names are made by many tasks: each name is found, and the first that comes again is told. */
TEST(store, many_names) {
    enum { RECORDS = 20000 };
    static const uint32_t workers[] = {1, 2, 5, 16};
    static const uint32_t same[2][2] = {{15000, 7}, {12000, 9000}};
    char *text = store_names(RECORDS, same);
    biost_memory memory = store_text(text);
    store_calls(CALL_ALLOC, 0, 0);
    for (size_t way = 0; way < sizeof workers / sizeof workers[0]; way++) {
        biost_store_desc desc = store_desc(&memory);
        biost_store *store;
        biost_error error;
        uint64_t number;
        desc.workers = workers[way];
        test_note("%u workers", (unsigned)workers[way]);
        CHECK_EQ_I64(biost_store_build(&desc, &store, &error), BIOST_ERR_TEXT);
        CHECK_STR(error.text, "text: its record 12001 is named r9000, as one before it: desc.duplicate_names "
                              "allows that");
        desc.duplicate_names = 1;
        REQUIRE(biost_store_build(&desc, &store, &error) == BIOST_OK);
        for (uint32_t i = 0; i < RECORDS; i++) {
            char name[16];
            const int bytes = sprintf(name, "r%u", (unsigned)i);
            const int is_there = i != same[0][0] && i != same[1][0];
            number = RECORDS;
            CHECK_EQ_I64(biost_store_find(store, name, (size_t)bytes, &number),
                         is_there ? BIOST_OK : BIOST_END);
            CHECK_EQ_U64(number, is_there ? i : RECORDS);
        }
        CHECK_EQ_I64(biost_store_find_again(store, 9000, &number), BIOST_OK);
        CHECK_EQ_U64(number, 12000);
        CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    }
    free(text);
    store_check_nothing_left();
}

static uint64_t turned(uint64_t value, int bits) {
    return value << bits | value >> (64 - bits);
}

/*
 * Names of 16 bytes with one XXH64: the first 8 are `number`, and the others bring the hash to the same value whatever
 * it was, which the steps of the specification can be gone back for. Each multiplier has its inverse modulo 2^64.
 * Returns 0 where a byte of the name is a blank or one of control.
 */
static int name_of_one_hash(uint32_t number, char name[17]) {
    const uint64_t p1 = xxh64_primes[0], p2 = xxh64_primes[1];
    uint64_t lane, hash = xxh64_primes[4] + 16, undo1 = p1, undo2 = p2;
    int good = 1;
    for (int i = 0; i < 6; i++) {
        undo1 *= 2 - p1 * undo1;
        undo2 *= 2 - p2 * undo2;
    }
    snprintf(name, 17, "%08u", (unsigned)number);
    memcpy(&lane, name, 8);
    hash ^= turned(lane * p2, 31) * p1;
    hash = turned(hash, 27) * p1 + xxh64_primes[3];
    lane = turned((hash ^ 12345) * undo1, 33) * undo2;
    memcpy(name + 8, &lane, 8);
    for (int i = 8; i < 16; i++) {
        good = good && name[i] > 32 && name[i] < 127;
    }
    name[16] = '\0';
    return good;
}

/* Names that were made for one hash: 32 are chained, and more would take time by the square of their number. */
TEST(store, names_of_one_hash) {
    char text[33 * 20 + 1], name[17];
    uint64_t first = 0, found;
    uint32_t count = 0, number;
    biost_store *store;
    biost_error error;
    const uint16_t one = 1;
    if (*(const unsigned char *)&one != 1) {
        TEST_SKIP("a machine whose numbers begin with the low byte");
    }
    for (number = 0; count < 33; number++) {
        if (name_of_one_hash(number, name)) {
            uint64_t hash = slow_xxh64((const uint8_t *)name, 16, 0);
            first = count == 0 ? hash : first;
            CHECK_EQ_U64(hash, first);
            snprintf(text + 20 * count, 21, ">%s\nA\n", name);
            count++;
        }
    }
    for (uint32_t names = 32; names <= 33; names++) {
        for (int duplicates = 0; duplicates < 2; duplicates++) {
            biost_memory memory = {text, 20 * (size_t)names, NULL};
            biost_store_desc desc;
            biost_result result;
            memset(&desc, 0, sizeof desc);
            desc.memories = &memory;
            desc.memory_count = 1;
            desc.duplicate_names = duplicates;
            result = biost_store_build(&desc, &store, &error);
            CHECK_EQ_I64(result, names == 32 ? BIOST_OK : BIOST_ERR_ARG);
            if (result == BIOST_OK) {
                CHECK(biost_store_find(store, text + 20 * 31 + 1, 16, &found) == BIOST_OK && found == 31);
                CHECK(biost_store_close(store, NULL) == BIOST_OK);
            } else {
                CHECK(strstr(error.text, "more than 32 names have one hash") != NULL);
            }
        }
    }
}

/* One run of N per 8 bases is the most. */
TEST(store, letters) {
    biost_memory memory = store_text(">a\nANAAAAAA\n");
    biost_store_desc desc = store_desc(&memory);
    biost_store *store;
    biost_error error;
    store_calls(CALL_ALLOC, 0, 0);
    CHECK_EQ_I64(biost_store_build(&desc, &store, &error), BIOST_OK);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    memory = store_text(">a\nANAAAAA\n");
    CHECK_EQ_I64(biost_store_build(&desc, &store, &error), BIOST_ERR_ARG);
    CHECK_EQ_I64(error.fault, BIOST_FAULT_STORE_LETTERS);
    CHECK(strstr(error.text, "desc.letters has to be BIOST_STORE_BYTES") != NULL);
    desc.letters = BIOST_STORE_BYTES;
    CHECK_EQ_I64(biost_store_build(&desc, &store, &error), BIOST_OK);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    store_check_nothing_left();
}

/* ---- what ends a build ---- */

static int store_stop(uint64_t record_count, uint64_t base_count, void *user_data) {
    unsigned *left = (unsigned *)user_data;
    CHECK(base_count <= 20 * record_count + 20);
    return (*left)-- > 0;
}

TEST(store, stopped) {
    biost_memory memory = store_text(">a\nACGTACGTACGTACGTACGT\n>b\nACGTACGTACGTACGTACGT\n>c\nACGTACGT\n");
    biost_store_desc desc = store_desc(&memory);
    biost_store *store;
    biost_error error;
    unsigned left;
    biost_result result = BIOST_CANCELLED;
    store_calls(CALL_ALLOC, 0, 0);
    desc.test.page_bytes = 20;
    desc.progress = store_stop;
    desc.user_data = &left;
    desc.save_path = store_file;
    for (unsigned most = 0; result == BIOST_CANCELLED; most++) {
        left = most;
        desc.workers = most % 2 == 0 ? 0 : 3;
        result = biost_store_build(&desc, &store, &error);
        test_note("after %u", most);
        CHECK(most < 1 ? result == BIOST_CANCELLED : 1);
        CHECK((result == BIOST_OK) == (store != NULL) && store_is_there(store_file) == (result == BIOST_OK));
    }
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    remove(store_file);
    store_check_nothing_left();
}

/*
 * Bytes of a store's parts as the format has them: 1000 A, then 100000 N, which have a run in each of 25 stretches of
 * 4096 bases, 4 bytes each, and an index of 26 numbers of one byte; each of three lists has 8 bytes of 0 after its index.
 * Of qualities a block of 112 bytes is in the tables, not in the lists.
 */
TEST(store, parts_by_hand) {
    static char text[202100];
    biost_memory memory;
    biost_store_desc desc;
    biost_store *store;
    biost_store_info info;
    biost_error error;
    store_calls(CALL_ALLOC, 0, 0);
    for (int qualities = 0; qualities < 2; qualities++) {
        memset(text, 'N', sizeof text);
        memcpy(text, "@z\n", 3);
        memset(text + 3, 'A', 2003);
        memcpy(text + 1003, "\n+\n", 3);
        memcpy(text + 2006, "\n@a b\n", 6);
        memcpy(text + 102012, "\n+\n", 3);
        memcpy(text + 202015, "\n", 2);
        memory = store_text(text);
        desc = store_desc(&memory);
        desc.qualities = qualities;
        desc.names = qualities ? BIOST_STORE_TITLES : BIOST_STORE_NAMES;
        REQUIRE(biost_store_build(&desc, &store, &error) == BIOST_OK);
        biost_store_info_of(store, &info);
        CHECK_EQ_U64(info.list_bytes, 25 * 4 + 26 + 3 * 8);
        CHECK_EQ_I64(info.names, desc.names);
        CHECK_EQ_I64(info.letters, BIOST_STORE_DNA);
        CHECK_EQ_U64(info.base_bytes, 25250);
        CHECK_EQ_U64(info.n_bases, 100000);
        CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    }
    store_check_nothing_left();
}

/* A store without a record keeps the rules it was built by, and is loaded again. */
/* ---- all sequences at once ---- */

enum { TOLD_SEQUENCES = 5, TOLD_LONGEST = 70000 };

/* Titles, two of them empty, and what is counted: bases, other, GC, N, lower case. Numbers of 3, 1, 2, 1 and 1 bytes. */
static const char *const told_titles[TOLD_SEQUENCES] = {"", "b of it", "", "c", "d\tx y"};
static const uint64_t told_numbers[5][TOLD_SEQUENCES] = {
    {4, 10, 300, 0, TOLD_LONGEST}, {0, 2, 0, 0, 0}, {2, 3, 300, 0, 0}, {0, 2, 0, 0, 0}, {1, 6, 0, 0, 0}};

static biost_store *told_store(biost_store_names names) {
    static char text[TOLD_LONGEST + 400];
    biost_store_desc desc;
    biost_memory memory = {text, 0, "told"};
    biost_store *store = NULL;
    biost_error error;
    size_t at = (size_t)sprintf(text, ">\nAcGT\n>b of it\nugRnNacTgA\n>\n");
    memset(text + at, 'G', 300);
    at += 300;
    at += (size_t)sprintf(text + at, "\n>c\n>d\tx y\n");
    memset(text + at, 'A', TOLD_LONGEST);
    memory.bytes = at + TOLD_LONGEST;
    memset(&desc, 0, sizeof desc);
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.names = names;
    desc.letters = BIOST_STORE_BYTES;
    desc.duplicate_names = 1;
    CHECK_EQ_I64(biost_store_build(&desc, &store, &error), BIOST_OK);
    return store;
}

TEST(store, columns_by_hand) {
    static const uint32_t widths[8] = {3, 1, 2, 1, 1, 0, 0, 0};
    biost_store *store = told_store(BIOST_STORE_TITLES);
    uint64_t numbers[TOLD_SEQUENCES + 1], first, count, i;
    uint32_t bytes = 9;
    for (int column = 0; column < 8; column++) {
        const uint8_t *at = (const uint8_t *)biost_store_column_at(store, (biost_store_column)column, &bytes);
        test_note("column %d", column);
        CHECK(at != NULL && bytes == widths[column]);
        for (first = 0; first <= TOLD_SEQUENCES; first++) {
            for (count = 0; count <= TOLD_SEQUENCES - first; count++) {
                numbers[count] = 77;
                CHECK_EQ_I64(biost_store_numbers(store, (biost_store_column)column, first, count, numbers),
                             BIOST_OK);
                for (i = 0; i < count; i++) {
                    CHECK_EQ_U64(numbers[i], column < 5 ? told_numbers[column][first + i] : 0);
                }
                CHECK_EQ_U64(numbers[count], 77);
            }
        }
        for (i = 0; i < TOLD_SEQUENCES && column < 5; i++) {
            uint64_t number = 0;
            for (uint32_t k = 0; k < bytes; k++) {
                number |= (uint64_t)at[i * bytes + k] << 8 * k;
            }
            CHECK_EQ_U64(number, told_numbers[column][i]);
        }
    }
    CHECK_EQ_I64(biost_store_numbers(store, BIOST_COLUMN_BASES, 0, TOLD_SEQUENCES + 1, numbers),
                 BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_numbers(store, BIOST_COLUMN_BASES, TOLD_SEQUENCES + 1, 0, numbers),
                 BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_numbers(store, BIOST_COLUMN_BASES, 1, UINT64_MAX, numbers), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_numbers(store, (biost_store_column)8, 0, 1, numbers), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_numbers(NULL, BIOST_COLUMN_BASES, 0, 1, numbers), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_store_numbers(store, BIOST_COLUMN_BASES, 0, 1, NULL), BIOST_ERR_ARG);
    CHECK(biost_store_column_at(store, (biost_store_column)8, &bytes) == NULL);
    CHECK(biost_store_column_at(store, BIOST_COLUMN_BASES, NULL) == NULL);
    CHECK(biost_store_column_at(NULL, BIOST_COLUMN_BASES, &bytes) == NULL);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
}

TEST(store, titles_by_hand) {
    for (int names = 0; names < 3; names++) {
        static const char *const only_names[TOLD_SEQUENCES] = {"", "b", "", "c", "d"};
        biost_store *store = told_store((biost_store_names)names);
        uint64_t ends[TOLD_SEQUENCES + 1], first, count, i;
        for (first = 0; first <= TOLD_SEQUENCES; first++) {
            for (count = 0; count <= TOLD_SEQUENCES - first; count++) {
                const char *at = biost_store_titles(store, first, count, ends);
                test_note("names %d, %u sequences from %u", names, (unsigned)count, (unsigned)first);
                CHECK(at != NULL);
                for (i = 0; i < count; i++) {
                    const char *want = names == BIOST_STORE_NO_NAMES
                                           ? ""
                                           : (names == 0 ? told_titles : only_names)[first + i];
                    const uint64_t start = i > 0 ? ends[i - 1] : 0;
                    CHECK_EQ_U64(ends[i] - start, strlen(want));
                    CHECK_MEM(at + start, want, strlen(want));
                }
            }
        }
        CHECK(biost_store_titles(store, 0, TOLD_SEQUENCES + 1, ends) == NULL);
        CHECK(biost_store_titles(store, UINT64_MAX, 1, ends) == NULL);
        CHECK(biost_store_titles(store, 0, 1, NULL) == NULL && biost_store_titles(NULL, 0, 0, ends) == NULL);
        CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    }
}

TEST(store, empty_with_rules) {
    biost_memory memory = store_text("");
    biost_store_desc desc = store_desc(&memory);
    biost_store *store;
    biost_store_info info;
    biost_error error;
    store_calls(CALL_ALLOC, 0, 0);
    desc.gzip.refuse_padding = 1;
    desc.save_path = store_file;
    REQUIRE(biost_store_build(&desc, &store, &error) == BIOST_OK);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    if (!CHECK(biost_store_load(store_file, &desc.allocator, &store, &error) == BIOST_OK)) {
        printf("    %s\n", error.text);
        return;
    }
    biost_store_info_of(store, &info);
    CHECK_EQ_U64(info.sequence_count, 0);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    remove(store_file);
    store_check_nothing_left();
}

/* Under a bound that is too small the record is named; what was allocated never passes the bound by a reader's. */
TEST(store, memory_bound) {
    static char text[40000];
    biost_memory memories[2];
    biost_store_desc desc;
    biost_store *store;
    biost_error error;
    size_t used = 0;
    unsigned refused = 0;
    const char *words;
    unsigned long long record;
    for (int i = 0; i < 1000; i++) {
        used += (size_t)sprintf(text + used, ">name%d\nACGTACGTACGTNacgtacgt\n", i);
    }
    memories[0] = store_text(">first\nACGT\n");
    memories[1] = store_text(text);
    for (int file = 0; file < 2; file++) {
        biost_result result = BIOST_ERR_TOO_LONG;
        for (uint64_t limit = 64; result == BIOST_ERR_TOO_LONG; limit += limit / 3) {
            desc = store_desc(memories);
            desc.memory_count = 2;
            store_calls(CALL_ALLOC, 0, 0);
            desc.memory_bytes = limit;
            desc.save_path = file ? store_file : NULL;
            result = biost_store_build(&desc, &store, &error);
            test_note("limit %u", (unsigned)limit);
            if (result == BIOST_ERR_TOO_LONG) {
                CHECK_EQ_I64(error.fault, BIOST_FAULT_STORE_MEMORY);
                CHECK(strstr(error.text, "text: the store needs more than desc.memory_bytes, ") ==
                      error.text);
                words = strstr(error.text, " bytes, at record ");
                record = words == NULL ? 0 : strtoull(words + 18, NULL, 10);
                CHECK(record >= 1 && record <= 1001); /* of its input, or its end */
                CHECK(!store_is_there(store_file));
                refused++;
            }
        }
        CHECK_EQ_I64(result, BIOST_OK);
        CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
        remove(store_file);
        store_check_nothing_left();
    }
    CHECK(refused > 10);
}

/* Each call of the system fails once: the error says so, nothing stays, and no file is there. */
TEST(store, calls_that_fail) {
    static const call_kind kinds[] = {CALL_ALLOC,  CALL_OPEN,  CALL_SIZE, CALL_READ,
                                      CALL_CREATE, CALL_WRITE, CALL_SYNC, CALL_RENAME};
    const char *path = store_input;
    store_calls(CALL_ALLOC, 0, 0);
    store_write(store_input, "@a\nACGTNACGT\n+\nIIII#IIII\n@b\nACGTACGTACGT\n+\nJJJJJJJJJJJJ\n");
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        biost_result result = BIOST_ERR_IO;
        unsigned long at = 1;
        for (; result != BIOST_OK && at < 400; at++) {
            biost_store_desc desc = store_desc(NULL); /* one worker, so that calls come in one order */
            biost_store *store = NULL;
            biost_error error;
            desc.memory_count = 0;
            desc.paths = &path;
            desc.path_count = 1;
            desc.qualities = 1;
            desc.save_path = store_file;
            store_calls(kinds[k], at, kinds[k] == CALL_WRITE ? ENOSPC : 0);
            result = biost_store_build(&desc, &store, &error);
            test_note("kind %u, call %lu", (unsigned)kinds[k], at);
            store_calls(CALL_ALLOC, 0, 0);
            CHECK((result == BIOST_OK) == (store != NULL));
            CHECK(result == BIOST_OK || result == BIOST_ERR_IO || result == BIOST_ERR_NOMEM ||
                  result == BIOST_ERR_STALE);
            if (kinds[k] == CALL_WRITE && result != BIOST_OK) {
                CHECK(strstr(error.text, "there is no space left") != NULL);
                CHECK(!store_is_there(store_file));
            }
            CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
            remove(store_file);
            store_check_nothing_left();
        }
        CHECK(at > 2 && at < 400);
    }
    remove(store_input);
}

/* Short reads and writes, and interrupted ones. */
TEST(store, calls_in_parts) {
    const char *path = store_input;
    biost_store_desc desc = store_desc(NULL);
    biost_store *store;
    biost_error error;
    char seq[9];
    store_calls(CALL_ALLOC, 0, 0);
    store_write(store_input, ">a\nACGTNACGT\n");
    calls.most = 700;
    calls.interrupt = 1;
    desc.memory_count = 0;
    desc.paths = &path;
    desc.path_count = 1;
    desc.save_path = store_file;
    REQUIRE(biost_store_build(&desc, &store, &error) == BIOST_OK);
    CHECK_EQ_I64(biost_store_fetch(store, 0, 0, 9, seq, NULL), BIOST_OK);
    CHECK_MEM(seq, "ACGTNACGT", 9);
    CHECK_EQ_I64(biost_store_verify(store, NULL), BIOST_OK);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    store_calls(CALL_ALLOC, 0, 0);
    remove(store_file);
    remove(store_input);
    store_check_nothing_left();
}

/* ---- is it still that of its inputs? ---- */

TEST(store, checked) {
    const char *path = store_input;
    biost_store_desc desc = store_desc(NULL);
    biost_store *store;
    biost_error error;
    store_calls(CALL_ALLOC, 0, 0);
    store_write(store_input, ">a\nACGTNACGT\n");
    desc.memory_count = 0;
    desc.paths = &path;
    desc.path_count = 1;
    REQUIRE(biost_store_build(&desc, &store, &error) == BIOST_OK);
    CHECK_EQ_I64(biost_store_check(store, &desc, &error), BIOST_OK);
    desc.text.strip_blanks = 1;
    CHECK_EQ_I64(biost_store_check(store, &desc, &error), BIOST_ERR_STALE);
    CHECK(strstr(error.text, "desc.text is another") != NULL);
    desc.text.strip_blanks = 0;
    store_write(store_input, ">a\nACGTNACGA\n");
    CHECK_EQ_I64(biost_store_check(store, &desc, &error), BIOST_ERR_STALE);
    CHECK(strstr(error.text, "bytes at its start or end are others") != NULL);
    store_write(store_input, ">a\nACGTNACGAA\n");
    CHECK_EQ_I64(biost_store_check(store, &desc, &error), BIOST_ERR_STALE);
    CHECK(strstr(error.text, "it has another size") != NULL);
    remove(store_input);
    CHECK_EQ_I64(biost_store_check(store, &desc, &error), BIOST_ERR_IO);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    store_check_nothing_left();
}
