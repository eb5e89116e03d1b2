/*
 * test_loader_index.c - a loader with an index for each input: a resume state's resume enters the input near the
 * resume state, reads little of what lies before it, and delivers what an uninterrupted loader delivers.
 *
 * Expected batches are those of a loader over the same texts, neither compressed nor interrupted, nor with an
 * index.
 *
 * rooms: index textfeed
 * needs: loader threads library orders
 */
#include "../biostream.h"

#include "test.h"

#include "deflate_maker.h"

#include "loader_oracle.h" /* after it: `bytes` is a type there, and a name in the other */

#include "index_inputs.h"

/* Records of an input: RECORDS and one more, or MANY. */
enum {
    INPUTS = 3,
    BATCHES_MOST = 800,
    CHUNK_BYTES = 2000,
    PAGE_BYTES = 3000,
    RECORDS = MAKER_SLOW ? 400 : 800,
    MANY = 2000
};

static const char *const paths[INPUTS] = {"one.fastq.gz", "two.fastq.bgz", "three.fastq"};

static const char *const index_names[INPUTS] = {"one.idx", "two.idx", "three.idx"};

/* ---- inputs that count what is read ---- */

/* Plain gzip in small blocks, BGZF, and plain text. */
static struct {
    known_text known[INPUTS];
    maker files[INPUTS];
    uint64_t read_bytes[INPUTS]; /* by read_at */
    biost_memory plain[INPUTS];  /* the texts */
} in;

static void *in_open(const char *path, void *user_data) {
    uint32_t i;
    (void)user_data;
    for (i = 0; i < INPUTS; ++i) {
        if (strcmp(path, paths[i]) == 0) {
            return &in.files[i];
        }
    }
    return NULL;
}

static int64_t in_read_at(void *file, uint64_t offset, void *to, size_t count, void *user_data) {
    const maker *m = (const maker *)file;
    size_t left = offset < m->file.count ? m->file.count - (size_t)offset : 0;
    (void)user_data;
    count = count < left ? count : left;
    if (count > 0) {
        memcpy(to, m->file.data + offset, count);
    }
    __atomic_fetch_add(&in.read_bytes[m - in.files], count, __ATOMIC_RELAXED);
    return (int64_t)count;
}

static int64_t in_size(void *file, void *user_data) {
    (void)user_data;
    return (int64_t)((const maker *)file)->file.count;
}

static void in_close(void *file, void *user_data) {
    (void)file;
    (void)user_data;
}

static uint64_t in_read_bytes(uint32_t i) {
    return __atomic_load_n(&in.read_bytes[i], __ATOMIC_RELAXED);
}

static void in_forget(void) {
    uint32_t i;
    for (i = 0; i < INPUTS; ++i) {
        __atomic_store_n(&in.read_bytes[i], 0u, __ATOMIC_RELAXED);
    }
}

/* `bad`: some records are, in percent. */
static void in_make(uint32_t records, uint32_t bad) {
    static const file_kind kinds[INPUTS] = {FILE_LEVEL_6, FILE_BGZF, FILE_PLAIN};
    uint64_t random = test_seed() + 200;
    biost_gzip_rules rules;
    uint32_t i, k;
    for (i = 0; i < INPUTS; ++i) {
        known_text *k_text = &in.known[i];
        known_free(k_text);
        for (k = 0; k < records; ++k) {
            known_add(k_text, TEXT_FASTQ, 40 + maker_below(&random, 60), &random);
            if (maker_chance(&random, bad)) {
                known_bad(k_text);
            }
        }
        known_add(k_text, TEXT_FASTQ, 40, &random);
        file_make(&in.files[i], kinds[i], &k_text->text, &rules);
        in.plain[i].data = k_text->text.data;
        in.plain[i].bytes = k_text->text.count;
        in.plain[i].name = NULL;
    }
    in_forget();
}

static void in_free(void) {
    uint32_t i;
    for (i = 0; i < INPUTS; ++i) {
        known_free(&in.known[i]);
        maker_free(&in.files[i]);
    }
}

/* ---- loaders ---- */

/* Rows of at most 100 bases, 16 a batch, of the files through the functions above. */
static biost_loader_desc desc_make(uint32_t workers, uint32_t shuffle_rows) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.paths = paths;
    desc.path_count = INPUTS;
    desc.files.open = in_open;
    desc.files.read_at = in_read_at;
    desc.files.size = in_size;
    desc.files.close = in_close;
    desc.batch_rows = 16;
    desc.row_bases = 100;
    desc.digest = 1;
    desc.seed = 5;
    desc.shuffle_rows = shuffle_rows;
    desc.quality.kind = BIOST_QUALITY_PHRED;
    desc.workers = workers;
    desc.test.chunk_bytes = CHUNK_BYTES;
    desc.test.page_bytes = PAGE_BYTES;
    desc.test.parallel_gzip = BIOST_PARALLEL_GZIP_ALWAYS;
    return desc;
}

typedef struct state_bytes {
    uint8_t data[512];
    size_t count;
} state_bytes;

/* All that is to be known of an epoch. */
typedef struct epoch_seen {
    uint64_t digests[BATCHES_MOST];
    state_bytes states[BATCHES_MOST];
    size_t count;
    biost_result result;
    char sentence[256];
} epoch_seen;

/* Deliver what is left of an epoch, with the resume state of every batch where they are wanted. */
static void epoch_see(biost_loader *loader, epoch_seen *seen, int states) {
    biost_batch batch;
    memset(seen, 0, sizeof *seen);
    while ((seen->result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        if (!CHECK(seen->count < BATCHES_MOST)) {
            exit(1);
        }
        if (states) {
            state_bytes *state = &seen->states[seen->count];
            CHECK(biost_loader_state(loader, &batch, state->data, 512, &state->count) == BIOST_OK);
        }
        seen->digests[seen->count++] = batch.digest;
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    if (seen->result < 0 && CHECK(biost_loader_error(loader) != NULL)) {
        strcpy(seen->sentence, biost_loader_error(loader)->text);
    }
}

/* What a loader over the texts delivers; `like` says how, but for its inputs. */
static void epoch_wanted(const biost_loader_desc *like, uint64_t epoch, epoch_seen *seen) {
    biost_loader_desc desc = *like;
    biost_loader *loader;
    desc.paths = NULL;
    desc.path_count = 0;
    memset(&desc.files, 0, sizeof desc.files);
    memset(&desc.test, 0, sizeof desc.test);
    desc.memories = in.plain;
    desc.memory_count = INPUTS;
    desc.indexes = NULL;
    desc.state = NULL;
    desc.state_bytes = 0;
    loader = oracle_open(&desc);
    if (CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
        epoch_see(loader, seen, 0);
    }
    biost_loader_close(loader);
}

/* `seen` is what `wanted` has from batch `from` on. */
static void epoch_same(const epoch_seen *seen, const epoch_seen *wanted, size_t from) {
    if (CHECK_EQ_U64(seen->count, wanted->count - from)) {
        CHECK_MEM(seen->digests, wanted->digests + from, seen->count * sizeof *seen->digests);
    }
    CHECK_EQ_I64(seen->result, wanted->result);
}

/* Resume after batch `k`: what follows is what was wanted, and so is another epoch. */
static void resume_at(const biost_loader_desc *desc, const state_bytes *state, size_t k,
                      const epoch_seen *wanted, const epoch_seen *next) {
    static epoch_seen seen;
    biost_loader_desc with = *desc;
    biost_loader *loader;
    with.state = state->data;
    with.state_bytes = state->count;
    loader = oracle_open(&with);
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        epoch_see(loader, &seen, 0);
        epoch_same(&seen, wanted, k + 1);
        if (next != NULL && CHECK(biost_loader_begin(loader, 1) == BIOST_OK)) {
            epoch_see(loader, &seen, 0);
            epoch_same(&seen, next, 0);
        }
    }
    biost_loader_close(loader);
}

/* ---- indexes ---- */

static biost_index_info info_of(const biost_index *index) {
    biost_index_info info;
    memset(&info, 0xA5, sizeof info);
    biost_index_get_info(index, &info);
    return info;
}

static void indexes_open(biost_index **indexes) {
    uint32_t i;
    for (i = 0; i < INPUTS; ++i) {
        indexes[i] = NULL;
        if (!CHECK(biost_index_open(NULL, &indexes[i], NULL) == BIOST_OK)) {
            exit(1);
        }
    }
}

static void indexes_close(biost_index **indexes) {
    uint32_t i;
    for (i = 0; i < INPUTS; ++i) {
        biost_index_close(indexes[i]);
        indexes[i] = NULL;
    }
}

/* Saved, closed, and loaded again. */
static void indexes_pass_through_files(biost_index **indexes) {
    uint32_t i;
    for (i = 0; i < INPUTS; ++i) {
        const char *path = file_path(index_names[i]);
        biost_error error;
        CHECK(biost_index_save(indexes[i], path, NULL) == BIOST_OK);
        biost_index_close(indexes[i]);
        indexes[i] = NULL;
        if (!CHECK(biost_index_load(path, NULL, &indexes[i], &error) == BIOST_OK)) {
            printf("    sentence: %s\n", error.text);
            exit(1);
        }
    }
    file_clean(index_names, INPUTS);
}

/* All inputs were read to their ends. `bad`: some records were left out. */
static void indexes_are_whole(biost_index *const *indexes, int bad) {
    uint32_t i;
    for (i = 0; i < INPUTS; ++i) {
        biost_index_info info = info_of(indexes[i]);
        CHECK(info.is_complete && info.has_records);
        CHECK_EQ_U64(info.source_bytes, in.files[i].file.count);
        CHECK_EQ_U64(info.text_bytes, in.known[i].text.count);
        CHECK(bad || info.record_count == in.known[i].count);
        CHECK(info.point_count >= 2);
    }
}

/* An epoch of a loader that fills them. */
static void indexes_fill(const biost_loader_desc *like, biost_index **indexes, epoch_seen *seen) {
    biost_loader_desc desc = *like;
    biost_loader *loader;
    desc.indexes = indexes;
    desc.epochs = 1;
    loader = oracle_open(&desc);
    if (CHECK(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK)) {
        epoch_see(loader, seen, 1);
    }
    biost_loader_close(loader);
}

/* Or of readers. */
static void indexes_fill_by_readers(biost_index **indexes) {
    uint32_t i;
    for (i = 0; i < INPUTS; ++i) {
        biost_reader_desc desc;
        biost_reader *reader = NULL;
        biost_record record;
        uint64_t count = 0;
        memset(&desc, 0, sizeof desc);
        desc.path = paths[i];
        desc.files.open = in_open;
        desc.files.read_at = in_read_at;
        desc.files.size = in_size;
        desc.files.close = in_close;
        desc.test.chunk_bytes = CHUNK_BYTES;
        desc.test.page_bytes = PAGE_BYTES;
        desc.index = indexes[i];
        if (CHECK(biost_reader_open(&desc, &reader, NULL) == BIOST_OK)) {
            while (biost_reader_next(reader, &record) == BIOST_OK) {
                ++count;
            }
            CHECK_EQ_U64(count, in.known[i].count);
        }
        biost_reader_close(reader);
    }
}

/* ---- tests ---- */

/* Epochs with indexes that are filled in the first are those without; later ones change nothing in them. */
TEST(loader_index, epochs) {
    static epoch_seen wanted, seen;
    uint32_t workers;
    THREADS_KEPT;
    in_make(RECORDS, 0);
    for (workers = 1; workers <= 3; ++workers) {
        biost_loader_desc desc = desc_make(workers, workers == 2 ? 100 : 1);
        biost_index *indexes[INPUTS];
        biost_index_info first[INPUTS];
        biost_loader *loader;
        uint64_t epoch;
        uint32_t i;
        test_note("%u workers", (unsigned)workers);
        indexes_open(indexes);
        desc.indexes = indexes;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL);
        for (epoch = 0; epoch < 3; ++epoch) {
            epoch_wanted(&desc, epoch, &wanted);
            CHECK(wanted.result == BIOST_END && wanted.count == (INPUTS * (RECORDS + 1) + 15) / 16);
            CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
            epoch_see(loader, &seen, 0);
            epoch_same(&seen, &wanted, 0);
            indexes_are_whole(indexes, 0);
            for (i = 0; i < INPUTS; ++i) {
                biost_index_info info = info_of(indexes[i]);
                first[i] = epoch == 0 ? info : first[i];
                CHECK_EQ_U64(info.point_count, first[i].point_count);
                CHECK_EQ_U64(info.spacing_bytes, first[i].spacing_bytes);
            }
        }
        biost_loader_close(loader);
        indexes_close(indexes);
    }
    in_free();
}

/* Resume states of all batches, resumed with indexes that were loaded from files. */
TEST(loader_index, resume) {
    static const uint32_t shuffles[] = {1, 100};
    static epoch_seen wanted, next, seen;
    uint32_t workers, k, bad;
    for (bad = 0; bad < 2; ++bad) {
        in_make(RECORDS, bad ? 3 : 0);
        for (workers = 1; workers <= 3; ++workers) {
            for (k = 0; k < 2; ++k) {
                biost_loader_desc desc = desc_make(workers, shuffles[k]);
                biost_index *indexes[INPUTS];
                size_t at;
                test_note("%u workers, shuffle_rows %u, bad records: %u", (unsigned)workers,
                          (unsigned)shuffles[k], (unsigned)bad);
                desc.text.skip_bad = bad ? UINT64_MAX : 0;
                epoch_wanted(&desc, 0, &wanted);
                epoch_wanted(&desc, 1, &next);
                indexes_open(indexes);
                indexes_fill(&desc, indexes, &seen);
                epoch_same(&seen, &wanted, 0);
                indexes_are_whole(indexes, (int)bad);
                indexes_pass_through_files(indexes);
                indexes_are_whole(indexes, (int)bad);
                desc.indexes = indexes;
                for (at = k; at < seen.count; at += MAKER_SLOW ? 13 : 7) {
                    test_note("%u workers, shuffle_rows %u, bad records: %u, batch %u", (unsigned)workers,
                              (unsigned)shuffles[k], (unsigned)bad, (unsigned)at);
                    desc.workers = 1 + (workers + (uint32_t)at) % 3;
                    desc.test.page_bytes = at % 2 == 0 ? PAGE_BYTES : 700;
                    desc.test.chunk_bytes = at % 3 == 0 ? CHUNK_BYTES : at % 3 == 1 ? 900 : 0;
                    resume_at(&desc, &seen.states[at], at, &wanted, at % 5 == 0 ? &next : NULL);
                }
                resume_at(&desc, &seen.states[seen.count - 1], seen.count - 1, &wanted, &next);
                indexes_close(indexes);
            }
        }
    }
    in_free();
}

/* Bytes of input `i` that are read before the first batch of a resumed loader is there. */
static uint64_t bytes_before_the_first(const biost_loader_desc *desc, const state_bytes *state, uint32_t i,
                                       uint64_t digest) {
    biost_loader_desc with = *desc;
    biost_loader *loader;
    biost_batch batch;
    uint64_t count = 0;
    with.state = state->data;
    with.state_bytes = state->count;
    loader = oracle_open(&with); /* reads both ends of each input for its hash, which is not counted here */
    if (loader == NULL) {
        return 0;
    }
    in_forget();
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
    if (CHECK(biost_loader_next(loader, &batch) == BIOST_OK)) {
        count = in_read_bytes(i);
        CHECK_EQ_U64(batch.digest, digest);
    }
    biost_loader_close(loader);
    return count;
}

/*
 * What a resume reads before its first batch, of the input with the resume state. Chunks have 2000 bytes, so a
 * point is kept at the first border after each 2000 bytes of the file. Borders are nearer to one another
 * than 1500 bytes: a BGZF block has 1500 bytes of text, a block by zlib 255 codes. So the point lies at most
 * 3500 bytes before the anchor. From there on the records are read that the anchor may lie before the resume state,
 * those of a page, 3000 bytes of text; those of the batch, 16 records of at most 2 * 99 + 40 bytes, 3808; and
 * in flight are two pages, of 3000 bytes of text or of the BGZF blocks in two chunks, 4000 bytes of the file,
 * and two chunks, 4000 bytes. No byte of text takes more than one of the file:
 *
 *     3500 + 3000 + 3808 + 2 * 4000 + 4000 = 22308
 *
 * From its start gzip of input 0 would cost all that lies before the resume state.
 */
TEST(loader_index, reads_what_is_needed) {
    static epoch_seen wanted, seen;
    biost_loader_desc desc;
    biost_index *indexes[INPUTS];
    uint32_t i;
    in_make(MANY, 0);
    desc = desc_make(1, 1);
    desc.slots = 1;
    desc.test.parallel_gzip = BIOST_PARALLEL_GZIP_NEVER;
    desc.test.page_count = 2;
    epoch_wanted(&desc, 0, &wanted);
    indexes_open(indexes);
    indexes_fill(&desc, indexes, &seen);
    epoch_same(&seen, &wanted, 0);
    indexes_pass_through_files(indexes);
    for (i = 0; i < INPUTS; ++i) {
        /* The batch whose rows begin 32 records before the input's last; its predecessor's resume state. */
        size_t at = ((size_t)(i + 1) * (MANY + 1) - 32) / 16;
        uint64_t file = in.files[i].file.count, with_index, without;
        desc.indexes = indexes;
        with_index = bytes_before_the_first(&desc, &seen.states[at - 1], i, wanted.digests[at]);
        desc.indexes = NULL;
        without = bytes_before_the_first(&desc, &seen.states[at - 1], i, wanted.digests[at]);
        test_note("input %u, %llu bytes: %llu with an index, %llu without", (unsigned)i,
                  (unsigned long long)file, (unsigned long long)with_index, (unsigned long long)without);
        CHECK(with_index > 0 && with_index <= 22308);
        CHECK(i == 2 || without >= file / 10 * 9); /* plain text is entered anywhere */
        CHECK(file > 3 * 22308);
    }
    indexes_close(indexes);
    in_free();
}

/* Filled by readers and used by a loader, and the other way round. */
TEST(loader_index, with_readers) {
    static epoch_seen wanted, seen;
    uint32_t k, i;
    THREADS_KEPT;
    in_make(RECORDS, 0);
    for (k = 0; k < 2; ++k) {
        biost_loader_desc desc = desc_make(1 + 2 * k, k == 0 ? 1 : 100);
        biost_index *indexes[INPUTS];
        biost_loader *loader;
        size_t at;
        epoch_wanted(&desc, 0, &wanted);
        indexes_open(indexes);
        indexes_fill_by_readers(indexes);
        indexes_are_whole(indexes, 0);
        loader = oracle_open(&desc); /* without an index, for the resume states */
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        epoch_see(loader, &seen, 1);
        epoch_same(&seen, &wanted, 0);
        biost_loader_close(loader);
        desc.indexes = indexes;
        for (at = 3; at < seen.count; at += 17) {
            test_note("by readers, batch %u", (unsigned)at);
            resume_at(&desc, &seen.states[at], at, &wanted, NULL);
        }
        indexes_close(indexes);
        indexes_open(indexes);
        desc.indexes = NULL;
        indexes_fill(&desc, indexes, &seen);
        indexes_pass_through_files(indexes);
        for (i = 0; i < INPUTS; ++i) {
            const known_text *known_here = &in.known[i];
            biost_reader_desc r;
            biost_reader *reader = NULL;
            biost_record record;
            size_t n;
            memset(&r, 0, sizeof r);
            r.memory.data = in.files[i].file.data;
            r.memory.bytes = in.files[i].file.count;
            r.index = indexes[i];
            REQUIRE(biost_reader_open(&r, &reader, NULL) == BIOST_OK);
            for (n = 0; n < 60; ++n) {
                const known *want = &known_here->records[(n * 389 + 7) % known_here->count];
                test_note("by a loader, input %u, record %u", (unsigned)i, (unsigned)want->id);
                CHECK(biost_reader_seek(reader, want->id) == BIOST_OK);
                if (CHECK(biost_reader_next(reader, &record) == BIOST_OK) &&
                    CHECK_EQ_U64(record.seq_bases, want->bases)) {
                    CHECK_EQ_U64(record.id, want->id);
                    CHECK_EQ_U64(record.line, want->line);
                    CHECK_EQ_U64(record.text_offset, want->text_offset);
                    CHECK_MEM(record.seq, known_here->pool.data + want->seq, want->bases);
                }
            }
            CHECK(biost_reader_seek(reader, known_here->count + 5) == BIOST_END);
            biost_reader_close(reader);
        }
        indexes_close(indexes);
    }
    in_free();
}

/* Some inputs have an index, others none; some are filled, others half or not. */
TEST(loader_index, not_for_each_input) {
    static epoch_seen wanted, seen;
    uint32_t mask;
    in_make(RECORDS, 0);
    for (mask = 0; mask < 8; ++mask) {
        biost_loader_desc desc = desc_make(1 + mask % 3, mask % 2 == 0 ? 1 : 100);
        biost_index *indexes[INPUTS], *some[INPUTS];
        biost_loader *loader;
        biost_batch batch;
        size_t at;
        uint32_t i;
        test_note("mask %u", (unsigned)mask);
        epoch_wanted(&desc, 0, &wanted);
        indexes_open(indexes);
        for (i = 0; i < INPUTS; ++i) {
            some[i] = mask >> i & 1u ? indexes[i] : NULL;
        }
        desc.indexes = some;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        for (i = 0; i < wanted.count / 2; ++i) { /* left in the middle */
            REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
            CHECK_EQ_U64(batch.digest, wanted.digests[i]);
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        biost_loader_close(loader);
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        epoch_see(loader, &seen, 1);
        epoch_same(&seen, &wanted, 0);
        biost_loader_close(loader);
        for (i = 0; i < INPUTS; ++i) {
            CHECK_EQ_I64(info_of(indexes[i]).is_complete, (mask >> i & 1u) != 0);
            CHECK((info_of(indexes[i]).point_count > 0) == ((mask >> i & 1u) != 0));
        }
        for (at = 1; at < seen.count; at += 29) {
            resume_at(&desc, &seen.states[at], at, &wanted, NULL);
        }
        indexes_close(indexes);
    }
    in_free();
}

/* Resumed with indexes that know only the beginning, and go on being filled. */
TEST(loader_index, resume_while_filling) {
    static epoch_seen wanted, seen;
    uint32_t k;
    in_make(RECORDS, 0);
    for (k = 0; k < 4; ++k) {
        biost_loader_desc desc = desc_make(1 + k % 3, k % 2 == 0 ? 1 : 100);
        biost_index *indexes[INPUTS];
        biost_loader *loader;
        biost_batch batch;
        state_bytes state;
        size_t at, stop;
        epoch_wanted(&desc, 0, &wanted);
        indexes_open(indexes);
        desc.indexes = indexes;
        memset(&state, 0, sizeof state);
        /* Each loader is opened with the resume state of the last, delivers a sixth, and is closed. */
        for (at = 0; at < wanted.count;) {
            desc.state = at > 0 ? state.data : NULL;
            desc.state_bytes = state.count;
            loader = oracle_open(&desc);
            REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
            stop = at + wanted.count / 6;
            for (; at < stop && at < wanted.count; ++at) {
                test_note("round %u, batch %u", (unsigned)k, (unsigned)at);
                REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
                CHECK_EQ_U64(batch.digest, wanted.digests[at]);
                CHECK(biost_loader_state(loader, &batch, state.data, 512, &state.count) == BIOST_OK);
                CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
            }
            biost_loader_close(loader);
        }
        desc.state = NULL;
        desc.state_bytes = 0;
        loader = oracle_open(&desc); /* what was filled like that serves another epoch */
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        epoch_see(loader, &seen, 1);
        epoch_same(&seen, &wanted, 0);
        biost_loader_close(loader);
        indexes_are_whole(indexes, 0);
        for (at = 2; at < seen.count; at += 31) {
            resume_at(&desc, &seen.states[at], at, &wanted, NULL);
        }
        indexes_close(indexes);
    }
    in_free();
}

/* A resume state enters plain text after all that an empty index has: then it gets nothing, and is not complete. */
TEST(loader_index, resume_after_what_it_has) {
    static epoch_seen wanted;
    biost_loader_desc desc;
    biost_index *indexes[INPUTS];
    biost_index_info info;
    biost_loader *loader;
    in_make(RECORDS, 0);
    desc = desc_make(2, 1);
    loader = oracle_open(&desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    epoch_see(loader, &wanted, 1);
    biost_loader_close(loader);
    REQUIRE(wanted.count > 8);
    indexes_open(indexes);
    desc.indexes = indexes;
    resume_at(&desc, &wanted.states[wanted.count - 4], wanted.count - 4, &wanted,
              NULL); /* in the last input, plain */
    info = info_of(indexes[2]);
    CHECK(info.point_count == 0 && !info.is_complete && !info.has_records);
    resume_at(&desc, &wanted.states[0], 0, &wanted, NULL); /* from the first on: the others are read whole */
    info = info_of(indexes[2]);
    CHECK(info.point_count > 2 && info.is_complete && info.has_records);
    indexes_close(indexes);
    in_free();
}

/* A damaged input ends the epoch with the same sentence wherever it was resumed. */
TEST(loader_index, damaged_input) {
    static epoch_seen wanted, seen, rest;
    uint32_t manner;
    for (manner = 0; manner < 4; ++manner) {
        biost_loader_desc desc = desc_make(1 + manner % 3, manner % 2 == 0 ? 1 : 100);
        biost_index *indexes[INPUTS];
        biost_loader *loader;
        maker_bytes *file;
        size_t at;
        in_make(RECORDS, 0);
        file = &in.files[manner / 2].file;
        if (manner == 0) {
            file->data[file->count - 6] ^= 1; /* of the member's CRC-32 */
        } else if (manner == 1) {
            file->data[file->count / 4 * 3] ^= 16;
        } else if (manner == 2) {
            file->count -= file->count / 5;
        } else {
            file->data[in.files[1].borders[20].file - 3] ^= 1; /* of a block's ISIZE */
        }
        test_note("damage %u", (unsigned)manner);
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        epoch_see(loader, &wanted, 0); /* without an index */
        biost_loader_close(loader);
        CHECK(wanted.result < 0 && wanted.count > 5);
        CHECK(wanted.result == BIOST_ERR_GZIP || manner == 1); /* or text that is none */
        indexes_open(indexes);
        indexes_fill(&desc, indexes, &seen);
        epoch_same(&seen, &wanted, 0);
        CHECK_STR(seen.sentence, wanted.sentence);
        CHECK(!info_of(indexes[manner / 2]).is_complete);
        indexes_pass_through_files(indexes);
        desc.indexes = indexes;
        for (at = 1; at < seen.count; at += at + 9 < seen.count ? 8 : 1) {
            test_note("damage %u, batch %u", (unsigned)manner, (unsigned)at);
            desc.state = seen.states[at].data;
            desc.state_bytes = seen.states[at].count;
            loader = oracle_open(&desc);
            REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
            epoch_see(loader, &rest, 0);
            epoch_same(&rest, &wanted, at + 1);
            CHECK_STR(rest.sentence, wanted.sentence);
            biost_loader_close(loader);
        }
        indexes_close(indexes);
    }
    in_free();
}

/* Opening fails so; nothing is lent then. */
static void refused(const biost_loader_desc *desc, biost_result code, const char *fault, const char *words) {
    biost_loader *loader = NULL;
    biost_error error;
    memset(&error, 0, sizeof error);
    CHECK_STR(biost_result_name(biost_loader_open(desc, &loader, &error)), biost_result_name(code));
    CHECK(loader == NULL && error.code == code);
    CHECK_STR(biost_fault_name(error.fault), fault);
    if (!CHECK(strstr(error.text, words) != NULL)) {
        printf("    sentence: %s\n", error.text);
    }
    biost_loader_close(loader);
}

static int64_t no_bytes(void *to, size_t count, void *user_data) {
    (void)to;
    (void)count;
    (void)user_data;
    return 0;
}

TEST(loader_index, refused) {
    static epoch_seen seen;
    biost_loader_desc desc, with;
    biost_index *indexes[INPUTS], *mixed[INPUTS];
    biost_loader *loader, *other;
    biost_callback callback;
    THREADS_KEPT;
    in_make(RECORDS, 0);
    desc = desc_make(2, 1);
    indexes_open(indexes);
    desc.indexes = indexes;
    test_note("filled by two");
    loader = oracle_open(&desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    refused(&desc, BIOST_ERR_ARG, "ARGUMENT", "being filled");
    mixed[0] = mixed[1] = NULL; /* by a part of them too */
    mixed[2] = indexes[2];
    with = desc;
    with.indexes = mixed;
    refused(&with, BIOST_ERR_ARG, "ARGUMENT", "being filled");
    epoch_see(loader, &seen, 0);
    biost_loader_close(loader);
    indexes_are_whole(indexes, 0);
    test_note("complete, for two at once");
    loader = oracle_open(&desc);
    other = oracle_open(&desc);
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK && biost_loader_begin(other, 0) == BIOST_OK);
    CHECK_EQ_U64(digest_drain(loader, NULL), digest_drain(other, NULL));
    biost_loader_close(loader);
    biost_loader_close(other);
    test_note("of other inputs");
    mixed[0] = indexes[1];
    mixed[1] = indexes[0];
    mixed[2] = NULL;
    refused(&with, BIOST_ERR_STALE, "INDEX_STALE", paths[0]);
    mixed[0] = indexes[0];
    mixed[1] = NULL;
    mixed[2] = indexes[1];
    refused(&with, BIOST_ERR_STALE, "INDEX_STALE", paths[2]);
    in.files[1].file.data[in.files[1].file.count - 2] ^= 1;
    refused(&desc, BIOST_ERR_STALE, "INDEX_STALE", paths[1]);
    in.files[1].file.data[in.files[1].file.count - 2] ^= 1;
    test_note("callbacks");
    memset(&callback, 0, sizeof callback);
    callback.read = no_bytes;
    mixed[0] = indexes[0];
    with.paths = NULL;
    with.path_count = 0;
    with.callbacks = &callback;
    with.callback_count = 1;
    refused(&with, BIOST_ERR_ARG, "ARGUMENT", "index");
    test_note("and still good");
    loader = oracle_open(&desc);
    CHECK(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    biost_loader_close(loader);
    indexes_close(indexes);
    in_free();
}

/* A loader that cannot be opened for want of memory has no index. */
TEST(loader_index, refused_memory) {
    static epoch_seen wanted, seen;
    biost_loader_desc desc;
    biost_index *indexes[INPUTS];
    biost_result result = BIOST_ERR_NOMEM;
    uint64_t fail_at;
    unsigned refusals = 0;
    THREADS_KEPT;
    in_make(RECORDS, 0);
    indexes_open(indexes);
    desc = desc_make(2, 100);
    epoch_wanted(&desc, 0, &wanted);
    for (fail_at = 1; result != BIOST_OK && fail_at < 100; ++fail_at) {
        biost_loader_desc with = desc;
        biost_loader *loader = NULL;
        counted count;
        with.indexes = indexes;
        with.allocator = counted_allocator(&count);
        count.fail_at = fail_at;
        result = biost_loader_open(&with, &loader, NULL);
        if (result == BIOST_OK) {
            count.fail_at = 0;
            CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
            epoch_see(loader, &seen, 0);
            epoch_same(&seen, &wanted, 0);
            CHECK(count.peak_bytes <= biost_loader_memory(&with));
        } else {
            CHECK_EQ_I64(result, BIOST_ERR_NOMEM);
            ++refusals;
        }
        biost_loader_close(loader);
        CHECK_EQ_U64(count.blocks, 0);
    }
    CHECK(result == BIOST_OK && refusals > 0);
    indexes_are_whole(indexes, 0);
    indexes_close(indexes);
    in_free();
}
