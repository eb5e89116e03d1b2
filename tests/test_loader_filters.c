/*
 * test_loader_filters.c - which records become samples: each filter at its border, the order in which
 * they are asked and counted, the split by a hash, the user's own; against hand-made expectations and
 * against loader_oracle.h.
 *
 * rooms: filter textscan fault
 * needs: loader threads library orders
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

/* ---- which ids pass ---- */

/* The ids of an epoch in the order of delivery. Returns how many; at most `most` are written. */
static size_t ids_of(const biost_loader_desc *desc, uint64_t epoch, int64_t *ids, size_t most,
                     biost_progress *progress) {
    biost_loader *loader = oracle_open(desc);
    biost_batch batch;
    size_t count = 0;
    uint32_t i;
    if (loader != NULL && CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            for (i = 0; i < batch.valid_rows; ++i, ++count) {
                if (count < most) {
                    ids[count] = batch.origins[i].id;
                }
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        CHECK(biost_loader_next(loader, &batch) == BIOST_END);
        biost_loader_progress(loader, progress);
    }
    biost_loader_close(loader);
    return count;
}

/* The records of `words` that pass are those numbered by the digits of `kept`; the others are all counted
   under `drop`. */
static void kept_are(one_text *one, const char *kept, biost_drop_reason drop) {
    int64_t ids[16];
    biost_progress progress;
    size_t count = ids_of(&one->desc, 0, ids, 16, &progress), i;
    uint64_t records = 0;
    for (i = 0; i < one->text.count; ++i) {
        records += one->text.data[i] == '@' || one->text.data[i] == '>';
    }
    CHECK_EQ_U64(count, strlen(kept));
    for (i = 0; i < count && i < strlen(kept); ++i) {
        CHECK_EQ_I64(ids[i], kept[i] - '0');
    }
    CHECK_EQ_U64(progress.dropped[drop], records - strlen(kept));
    CHECK_EQ_U64(progress.filtered_count, records - strlen(kept));
    CHECK_EQ_U64(progress.record_count, records);
    CHECK_EQ_U64(progress.sample_count, strlen(kept));
    memset(&one->desc.filter, 0, sizeof one->desc.filter);
}

TEST(filter, lengths_are_inclusive) {
    one_text one;
    one_text_make(&one, ">a\n>b\nA\n>c\nAC\n>d\nACG\n>e\nACGT\n>f\nACG\nTA\n");
    one.desc.filter.min_length = 2;
    kept_are(&one, "2345", BIOST_DROP_LENGTH);
    one.desc.filter.max_length = 4;
    kept_are(&one, "01234", BIOST_DROP_LENGTH);
    one.desc.filter.min_length = one.desc.filter.max_length = 3;
    kept_are(&one, "3", BIOST_DROP_LENGTH);
    one.desc.filter.min_length = 1;
    kept_are(&one, "12345", BIOST_DROP_LENGTH);
    bytes_free(&one.text);
}

/* Q of the records: 10 20 | 15 15 | 14 15 | none | 40 0 | 93. ASCII is 33 more: the mean is of Q. */
TEST(filter, qualities_at_their_borders) {
    one_text one;
    one_text_make(&one,
                  "@0\nAC\n+\n+5\n@1\nAC\n+\n00\n@2\nAC\n+\n/0\n@3\n\n+\n\n@4\nAC\n+\nI!\n@5\nA\n+\n~\n");
    CHECK_EQ_U64('+' - 33, 10);
    CHECK_EQ_U64('0' - 33, 15);
    one.desc.filter.min_mean_quality = 15.0f;
    kept_are(&one, "0145", BIOST_DROP_MEAN_QUALITY);
    one.desc.filter.min_mean_quality = 14.5f;
    kept_are(&one, "01245", BIOST_DROP_MEAN_QUALITY);
    one.desc.filter.min_mean_quality = 14.501f;
    kept_are(&one, "0145", BIOST_DROP_MEAN_QUALITY);
    one.desc.filter.min_mean_quality = 93.0f;
    kept_are(&one, "5", BIOST_DROP_MEAN_QUALITY);
    one.desc.filter.min_base_quality = 10;
    kept_are(&one, "0125", BIOST_DROP_BASE_QUALITY);
    one.desc.filter.min_base_quality = 11;
    kept_are(&one, "125", BIOST_DROP_BASE_QUALITY);
    one.desc.filter.min_base_quality = 1; /* of no bases the lowest is 0 */
    kept_are(&one, "0125", BIOST_DROP_BASE_QUALITY);
    one.desc.filter.max_error_rate = 0.054f; /* (0.1 + 0.01) / 2 is above it */
    kept_are(&one, "125", BIOST_DROP_ERROR_RATE);
    one.desc.filter.max_error_rate = 0.056f;
    kept_are(&one, "0125", BIOST_DROP_ERROR_RATE);
    one.desc.filter.max_error_rate = 1.0f; /* no bases: 1, dropped nevertheless */
    kept_are(&one, "01245", BIOST_DROP_ERROR_RATE);
    bytes_free(&one.text);
}

/* 0.01 is Q20 exactly: all 20 passes, one 19 among them does not. */
TEST(filter, q20_is_one_in_a_hundred) {
    one_text one;
    one_text_make(&one, "@0\nACGT\n+\n5555\n@1\nACGT\n+\n5554\n@2\nACGT\n+\n5556\n@3\nA\n+\n5\n");
    one.desc.filter.max_error_rate = 0.01f;
    kept_are(&one, "023", BIOST_DROP_ERROR_RATE);
    bytes_free(&one.text);
}

TEST(filter, n_fractions) {
    one_text one;
    one_text_make(&one, ">0\nACGT\n>1\nACGN\n>2\nACn\n>3\n>4\nN\n>5\nRYKM\n>6\nACGTACGN\n");
    one.desc.filter.max_n_fraction = 0.25f;
    kept_are(&one, "01356", BIOST_DROP_N);
    one.desc.filter.max_n_fraction = 0.2499998f; /* in steps of a millionth */
    kept_are(&one, "01356", BIOST_DROP_N);
    one.desc.filter.max_n_fraction = 0.249f;
    kept_are(&one, "0356", BIOST_DROP_N);
    one.desc.filter.max_n_fraction = 0.125f;
    kept_are(&one, "0356", BIOST_DROP_N);
    one.desc.filter.forbid_n = 1;
    kept_are(&one, "035", BIOST_DROP_N);
    one.desc.filter.max_n_fraction = 1.0f;
    kept_are(&one, "0123456", BIOST_DROP_N);
    bytes_free(&one.text);
}

/* ---- places ---- */

/* Three inputs of 4, 0 and 5 records are counted through. */
TEST(filter, places_are_counted_over_all_inputs) {
    static const uint64_t first[] = {1, 3, 4, 5, 8, 9, 10}, nth[] = {1, 2, 3, 5, 100};
    uint32_t i, k, shuffle;
    uint64_t random = 5;
    bytes texts[3];
    biost_loader_desc desc;
    biost_memory memories[3];
    text_shape shape = {4, 3, 9, 0, 0, 0, 0, 0};
    memset(&desc, 0, sizeof desc);
    memset(texts, 0, sizeof texts);
    text_make(&texts[0], &shape, &random);
    bytes_words(&texts[1], "");
    shape.records = 5;
    text_make(&texts[2], &shape, &random);
    oracle_inputs(&desc, memories, texts, 3);
    desc.batch_rows = 3;
    desc.digest = 1;
    for (i = 0; i < 7; ++i) {
        for (k = 0; k < 5; ++k) {
            for (shuffle = 0; shuffle < 2; ++shuffle) {
                biost_progress progress;
                int64_t ids[16];
                uint64_t want = 0, v;
                size_t count;
                desc.filter.first_records = first[i];
                desc.filter.every_record = nth[k];
                desc.shuffle_rows = shuffle * 5;
                desc.workers = 1 + i % 3;
                desc.test.page_bytes = k % 2 == 0 ? 16 : 0;
                test_note("first %u, every %u", (unsigned)first[i], (unsigned)nth[k]);
                oracle_run(&desc, texts, 3, 1, ORACLE_ENDS_WELL);
                if (shuffle == 0) {
                    count = ids_of(&desc, 0, ids, 16, &progress);
                    for (v = 0; v < 9 && v < first[i]; ++v) {
                        if (v % nth[k] == 0 && CHECK(want < count)) {
                            CHECK_EQ_I64(ids[want], v < 4 ? (int64_t)v : ((int64_t)2 << 40) + (int64_t)v - 4);
                            ++want;
                        }
                    }
                    CHECK_EQ_U64(count, want);
                    CHECK_EQ_U64(progress.record_count, 9); /* the others are read all the same */
                    CHECK_EQ_U64(progress.dropped[BIOST_DROP_FIRST_RECORDS],
                                 9 - (first[i] < 9 ? first[i] : 9));
                }
            }
        }
    }
    for (i = 0; i < 3; ++i) {
        bytes_free(&texts[i]);
    }
}

/* What stands after first_records is verified: a fault there ends the epoch as ever. */
TEST(filter, first_n_reads_to_the_end) {
    one_text one;
    biost_loader *loader;
    biost_batch batch;
    one_text_make(&one, "@0\nA\n+\nI\n@1\nA\n+\nI\n@2\nA\n+\nII\n");
    one.desc.filter.first_records = 1;
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
    CHECK_EQ_U64(batch.valid_rows, 1);
    CHECK_EQ_U64(batch.flags, BIOST_BATCH_LAST | BIOST_BATCH_BEFORE_ERROR);
    CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_TEXT);
    CHECK_EQ_U64(error_of(loader)->record, 2);
    biost_loader_close(loader);
    bytes_free(&one.text);
}

/* ---- a split by hash ---- */

/* Parts [0, .7), [.7, .9), [.9, 1): disjoint, together everything, the same in each epoch and for
   any order of the inputs' other records; about as large as asked (5 sigma of a binomial of 4000);
   another seed, others. */
TEST(filter, keep_splits_without_overlap) {
    static const float from[] = {0.0f, 0.7f, 0.9f}, below[] = {0.7f, 0.9f, 0.0f};
    static const double share[] = {0.7, 0.2, 0.1};
    static uint8_t part_of[4000];
    static int64_t ids[4000], again[4000];
    text_shape shape = {4000, 1, 3, 1, 0, 0, 0, 0};
    uint32_t part, same = 0;
    size_t i;
    one_text one;
    one_text_shape(&one, &shape, 9);
    one.desc.workers = 3;
    one.desc.seed = 77;
    memset(part_of, 9, sizeof part_of);
    for (part = 0; part < 3; ++part) {
        biost_progress progress;
        size_t count, other;
        double wanted = 4000 * share[part], slack = 25.0 * 4000 * share[part] * (1 - share[part]);
        one.desc.filter.subsample_from = from[part];
        one.desc.filter.subsample_below = below[part];
        count = ids_of(&one.desc, 0, ids, 4000, &progress);
        other = ids_of(&one.desc, 5, again, 4000, &progress);
        CHECK_EQ_U64(count, other);
        CHECK_EQ_U64(progress.dropped[BIOST_DROP_SUBSAMPLE], 4000 - count);
        CHECK(((double)count - wanted) * ((double)count - wanted) < slack);
        for (i = 0; i < count && i < other; ++i) {
            CHECK_EQ_I64(ids[i], again[i]);
            CHECK_EQ_U64(part_of[ids[i]], 9);
            part_of[ids[i]] = (uint8_t)part;
        }
        one.desc.seed = 78;
        other = ids_of(&one.desc, 0, again, 4000, &progress);
        one.desc.seed = 77;
        for (i = 0; i < other; ++i) {
            same += part_of[again[i]] == part;
        }
    }
    for (i = 0; i < 4000; ++i) {
        CHECK(part_of[i] < 3);
    }
    CHECK(same < 3000); /* 0.49 + 0.04 + 0.01 of 4000 by chance */
    bytes_free(&one.text);
}

/* ---- order and counts ---- */

static int keep_not_8(const biost_record *record, int64_t id, void *user_data) {
    (void)user_data;
    CHECK(record->stats != NULL && record->id == (uint64_t)id);
    CHECK(id != 0 && id != 4); /* dropped before */
    return id != 8;
}

static int label_not_9(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)record;
    (void)user_data;
    CHECK(id > 8); /* all others were dropped before */
    memcpy(out_label, &id, 1);
    return id != 9;
}

/* Each record fails a filter of biost_drop_reason and all after it, but for FIRST_RECORDS and EVERY_RECORD, which go by place:
   it is counted under the first. */
TEST(filter, the_first_that_drops_is_counted) {
    static const char words[] = "@0\nN\n+\n!\n" /* the hash filter takes these two */
                                "@1\nN\n+\n!\n"
                                "@2\nN\n+\n!\n"       /* length */
                                "@3\nNNNN\n+\n!!!!\n" /* mean quality */
                                "@4\nNNNN\n+\n!!!!\n"
                                "@5\nNNNN\n+\n!~~~\n" /* error rate */
                                "@6\nNNNN\n+\n5~~~\n" /* lowest quality */
                                "@7\nNNNN\n+\n~~~~\n" /* N */
                                "@8\nACGT\n+\n~~~~\n" /* user */
                                "@9\nACGT\n+\n~~~~\n" /* label */
                                "@10\nACGT\n+\n~~~~\n"
                                "@11\nACGT\n+\n~~~~\n"; /* first_records */
    one_text one;
    uint64_t seed;
    uint32_t workers, i;
    one_text_make(&one, words);
    one.desc.filter.first_records = 11;
    one.desc.filter.min_length = 2;
    one.desc.filter.min_mean_quality = 30.0f;
    one.desc.filter.max_error_rate = 0.1f;
    one.desc.filter.min_base_quality = 30;
    one.desc.filter.forbid_n = 1;
    one.desc.filter.keep = keep_not_8;
    one.desc.labels.make = label_not_9;
    for (workers = 1; workers < 4; ++workers) {
        static const uint64_t want[BIOST_DROP_COUNT] = {1, 0, 0, 3, 0, 2,
                                                        1, 1, 1, 1, 1}; /* of split: test_loader_split.c */
        biost_progress progress;
        int64_t ids[12];
        one.desc.workers = workers;
        CHECK_EQ_U64(ids_of(&one.desc, 0, ids, 12, &progress), 1);
        CHECK_EQ_I64(ids[0], 10);
        for (i = 0; i < BIOST_DROP_COUNT; ++i) {
            test_note("drop %u", (unsigned)i);
            CHECK_EQ_U64(progress.dropped[i], want[i]);
        }
        CHECK_EQ_U64(progress.filtered_count, 11);
    }
    for (seed = 0; seed < 20; ++seed) { /* with the hash, and every second record, in front of them */
        oracle o;
        one.desc.seed = seed;
        one.desc.filter.every_record = 1 + seed % 3;
        one.desc.filter.subsample_from = 0.5f;
        one.desc.filter.keep = NULL;
        one.desc.labels.make = NULL;
        oracle_make(&o, &one.desc, &one.text, 1, 0, ORACLE_ENDS_WELL);
        CHECK(o.dropped[BIOST_DROP_SUBSAMPLE] > 0 || seed > 0);
        oracle_free(&o);
        oracle_run(&one.desc, &one.text, 1, 0, ORACLE_ENDS_WELL);
    }
    bytes_free(&one.text);
}

/* ---- callbacks ---- */

typedef struct tally {
    uint32_t keep_calls, label_calls, change_calls;
    uint8_t seen[4096];
} tally;

static int tally_keep(const biost_record *record, int64_t id, void *user_data) {
    tally *t = (tally *)user_data;
    __atomic_fetch_add(&t->keep_calls, 1u, __ATOMIC_RELAXED);
    CHECK_EQ_U64(__atomic_fetch_add(&t->seen[id], (uint8_t)1, __ATOMIC_RELAXED), 0);
    return record->seq_bases % 2 == 0;
}

static int tally_make(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    uint16_t label = (uint16_t)(record->seq_bases + (uint64_t)id);
    __atomic_fetch_add(&((tally *)user_data)->label_calls, 1u, __ATOMIC_RELAXED);
    CHECK_EQ_U64(record->seq_bases % 2, 0);
    memcpy(out_label, &label, 2);
    return 1;
}

static void tally_change(biost_sample *sample, biost_random *random, void *user_data) {
    if (random != NULL) { /* the loader's, not the oracle's */
        __atomic_fetch_add(&((tally *)user_data)->change_calls, 1u, __ATOMIC_RELAXED);
    }
    if (sample->bases > 0 && user_below(random, 3) == 0) {
        sample->seq[0] = 'N';
    }
}

/* Each record is seen once by each, on whichever thread. */
TEST(filter, callbacks_see_each_record_once) {
    text_shape shape = {4096, 1, 30, 0, 0, 0, 0, 0};
    uint32_t i;
    one_text one;
    one_text_shape(&one, &shape, 12);
    for (i = 0; i < 12; ++i) {
        static tally t;
        oracle o;
        biost_loader *loader;
        one.desc.batch_rows = 64;
        one.desc.workers = 1 + i % 4 * 2;
        one.desc.shuffle_rows = i % 2 * 300;
        one.desc.test.page_bytes = i % 3 == 0 ? 4096 : 0;
        one.desc.epochs = 1; /* nothing of another epoch is looked at */
        one.desc.filter.keep = tally_keep;
        one.desc.labels.make = tally_make;
        one.desc.labels.dtype = BIOST_DTYPE_F16;
        one.desc.augment.change = tally_change;
        one.desc.filter.user_data = one.desc.labels.user_data = one.desc.augment.user_data = &t;
        memset(&t, 0, sizeof t);
        oracle_make(&o, &one.desc, &one.text, 1, 0, ORACLE_ENDS_WELL);
        memset(&t, 0, sizeof t);
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        oracle_drain(&o, loader, 0);
        biost_loader_close(loader);
        CHECK_EQ_U64(t.keep_calls, 4096);
        CHECK_EQ_U64(t.label_calls, o.sample_count);
        CHECK_EQ_U64(t.change_calls, o.sample_count);
        oracle_free(&o);
    }
    bytes_free(&one.text);
}

/* user_data without a function is nothing; functions get NULL where none was given. */
static int keep_checks_null(const biost_record *record, int64_t id, void *user_data) {
    CHECK(user_data == NULL && record->name != NULL);
    return id % 2 == 0;
}

TEST(filter, null_pointers) {
    one_text one;
    int number = 0;
    one_text_make(&one, ">0\nA\n>1\nA\n>2\nA\n");
    one.desc.filter.user_data = one.desc.labels.user_data = one.desc.augment.user_data = &number;
    kept_are(&one, "012", BIOST_DROP_USER);
    one.desc.filter.keep = keep_checks_null;
    kept_are(&one, "02", BIOST_DROP_USER);
    bytes_free(&one.text);
}

static int keep_none(const biost_record *record, int64_t id, void *user_data) {
    (void)record;
    (void)id;
    (void)user_data;
    return 0;
}

/* Nothing passes, and that is allowed: END at once, epoch after epoch, whatever the tail and the shuffle. */
TEST(filter, dropping_everything) {
    text_shape shape = {300, 1, 20, 0, 0, 0, 0, 0};
    uint32_t i, workers;
    one_text one;
    one_text_shape(&one, &shape, 4);
    for (i = 0; i < 18; ++i) {
        for (workers = 1; workers < 4; ++workers) {
            biost_loader *loader;
            biost_batch batch;
            biost_progress progress;
            uint64_t batches = 7, epoch;
            memset(&one.desc.filter, 0, sizeof one.desc.filter);
            one.desc.filter.min_length = i % 3 == 0 ? 21 : 0;
            one.desc.filter.min_base_quality = i % 3 == 1 ? 93 : 0;
            one.desc.filter.keep = i % 3 == 2 ? keep_none : NULL;
            one.desc.tail = (biost_tail_mode)(i / 3 % 3);
            one.desc.shuffle_rows = i / 9 * 50;
            one.desc.allow_no_rows = 1;
            one.desc.workers = workers;
            loader = oracle_open(&one.desc);
            REQUIRE(loader != NULL);
            for (epoch = 0; epoch < 3; ++epoch) {
                CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
                CHECK(biost_loader_next(loader, &batch) == BIOST_END);
                CHECK(biost_loader_next(loader, &batch) == BIOST_END);
                CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK);
                CHECK_EQ_U64(batches, 0);
                biost_loader_progress(loader, &progress);
                CHECK_EQ_U64(progress.filtered_count, 300);
                CHECK_EQ_U64(progress.record_count, 300);
                CHECK_EQ_U64(progress.sample_count, 0);
            }
            biost_loader_close(loader);
        }
    }
    bytes_free(&one.text);
}

/* Nothing passes, and that is not allowed: an error, once and for all, that names the filter that took most. */
TEST(filter, dropping_everything_is_an_error) {
    static const char *const sentences[] = {
        "of 300 records or pieces desc.filter.min_length and max_length left out 300",
        "of 300 records or pieces desc.filter.every_record left out 200", /* and 100 by the quality */
        "of 300 records or pieces desc.filter.keep left out 300",
        "of 300 records or pieces desc.filter.first_records left out 299",
    };
    text_shape shape = {300, 1, 20, 0, 0, 0, 0, 0};
    uint32_t i;
    one_text one;
    one_text_shape(&one, &shape, 4);
    for (i = 0; i < 24; ++i) {
        biost_loader *loader;
        biost_batch batch;
        memset(&one.desc.filter, 0, sizeof one.desc.filter);
        one.desc.filter.min_length = i % 4 == 0 ? 21 : 0;
        one.desc.filter.every_record = i % 4 == 1 ? 3 : 0;
        one.desc.filter.min_base_quality = i % 4 == 1 ? 93 : 0;
        one.desc.filter.keep = i % 4 >= 2 ? keep_none : NULL;
        one.desc.filter.first_records = i % 4 == 3 ? 1 : 0;
        one.desc.tail = (biost_tail_mode)(i / 4 % 3);
        one.desc.shuffle_rows = i / 12 * 50;
        one.desc.workers = 1 + i % 3;
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_ARG);
        CHECK_STR(biost_fault_name(error_of(loader)->fault), "NO_ROW");
        test_note("case %u: %s", (unsigned)i, error_of(loader)->text);
        CHECK(strstr(error_of(loader)->text, sentences[i % 4]) != NULL);
        CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_ARG);
        CHECK(biost_loader_begin(loader, 1) == BIOST_ERR_ARG);
        biost_loader_close(loader);
    }
    one.text.count = 0; /* no record: an end like any other */
    oracle_inputs(&one.desc, &one.memory, &one.text, 1);
    CHECK(oracle_run(&one.desc, &one.text, 1, 0, ORACLE_ENDS_WELL) == 0);
    bytes_free(&one.text);
}

static int label_none(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)record;
    (void)id;
    (void)out_label;
    (void)user_data;
    return 0;
}

/* Each of what can leave all out has its own name: of 10 reads of 12 bases, an N and qualities of 40. */
TEST(filter, each_is_named_that_took_most) {
    static const struct {
        const char *fields, *sentence;
    } cases[] = {
        {"filter.first_records 1 filter.min_length 13",
         "of 10 records or pieces desc.filter.first_records left out 9"},
        {"filter.every_record 3 filter.min_length 13",
         "of 10 records or pieces desc.filter.every_record left out 6"},
        {"filter.subsample_below 0.0000001",
         "of 10 records or pieces desc.filter.subsample_from and subsample_below left out 10"},
        {"filter.max_length 11", "of 10 records or pieces desc.filter.min_length and max_length left out 10"},
        {"split.by name split.below 0.0000001", "of 10 records or pieces desc.split left out 10"},
        {"filter.min_mean_quality 41", "of 10 records or pieces desc.filter.min_mean_quality left out 10"},
        {"filter.max_error_rate 0.00005", "of 10 records or pieces desc.filter.max_error_rate left out 10"},
        {"filter.min_base_quality 41", "of 10 records or pieces desc.filter.min_base_quality left out 10"},
        {"filter.forbid_n 1", "of 10 records or pieces desc.filter.max_n_fraction or forbid_n left out 10"},
        {"", "of 10 records or pieces desc.filter.keep left out 10"},
        {"labels.dtype u8 labels.width 1", "of 10 records or pieces desc.labels.make left out 10"},
        {"long_records split split.by block split.block_bases 5 split.below 0.0000001", /* of each [0, 4) is in one */
         "of 30 records or pieces the border between two blocks of desc.split left out 20"}};
    static biost_desc_memory memory;
    uint32_t i, w;
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (w = 1; w < 4; ++w) {
            one_text one;
            biost_loader *loader;
            biost_batch batch;
            uint32_t k;
            one_text_make(&one, "");
            for (k = 0; k < 10; ++k) {
                char record[64];
                snprintf(record, sizeof record, "@r%u\nACGTNACGTACG\n+\nIIIIIIIIIIII\n", (unsigned)k);
                bytes_words(&one.text, record);
            }
            oracle_inputs(&one.desc, &one.memory, &one.text, 1);
            one.desc.workers = w;
            one.desc.row_bases = strstr(cases[i].fields, "long_records") != NULL ? 4 : 12;
            REQUIRE(biost_loader_desc_read(&one.desc, cases[i].fields, &memory, NULL) == BIOST_OK);
            one.desc.filter.keep = cases[i].fields[0] == '\0' ? keep_none : NULL;
            one.desc.labels.make = one.desc.labels.width > 0 ? label_none : NULL;
            loader = oracle_open(&one.desc);
            REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
            CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_ARG);
            test_note("%s: %s", cases[i].fields, error_of(loader)->text);
            CHECK(strstr(error_of(loader)->text, cases[i].sentence) != NULL);
            biost_loader_close(loader);
            bytes_free(&one.text);
        }
    }
}

/* ---- at random ---- */

TEST(filter, random_filters_equal_the_oracle) {
    uint64_t random = test_seed() + 41;
    uint32_t i;
    for (i = 0; i < 200; ++i) {
        text_shape shape = {0, 0, 30, 0, 0, 0, 0, 1};
        one_text one;
        shape.records = random_below(&random, 80);
        shape.fasta = (int)random_below(&random, 3) == 0;
        one_text_shape(&one, &shape, test_random(&random));
        one.desc.batch_rows = 1 + random_below(&random, 12);
        one.desc.shuffle_rows = random_below(&random, 3) * 7;
        one.desc.seed = test_random(&random);
        random_filter(&one.desc, shape.fasta, &random);
        random_more_filters(&one.desc, shape.fasta, &random);
        random_machine(&one.desc, &random);
        test_note("case %u", (unsigned)i);
        oracle_run(&one.desc, &one.text, 1, i % 3, ORACLE_ENDS_WELL);
        bytes_free(&one.text);
    }
}
