/*
 * test_loader_known_bugs.c - what other loaders got wrong, each as a test of ours. Two of the known
 * ones have no counterpart here: the library counts no k-mers and removes no duplicates. Wrapping
 * qualities and complements of proteins are tested with the encoders and with augment.
 *
 * rooms: loader
 * needs: loader threads library orders
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

static const uint32_t all_workers[] = {1, 2, 3, 8};

/* Members after the first were lost, without a word: any number of them is read, empty ones too. */
TEST(known_bugs, members_after_the_first_are_read) {
    static const size_t members[] = {1, 3, 50, 333, 1000000};
    text_shape shape = {40, 5, 30, 0, 0, 0, 0, 0};
    uint32_t m, w, bgzf;
    one_text one;
    bytes text, empty = {NULL, 0, 0};
    one_text_shape(&one, &shape, 4);
    text = one.text;
    for (m = 0; m < 5; ++m) {
        for (bgzf = 0; bgzf < 2; ++bgzf) {
            bytes packed = {NULL, 0, 0};
            gzip_make(&packed, &text, members[m] < 60000 || !bgzf ? members[m] : 60000, 1000, (int)bgzf);
            gzip_make(&packed, &empty, 100, 100, 0); /* an empty member, and some text after it */
            gzip_member(&packed, (const uint8_t *)"@last\nAC\n+\nII\n", 14, 100);
            oracle_inputs(&one.desc, &one.memory, &packed, 1);
            one.desc.batch_rows = 8;
            for (w = 0; w < 4; ++w) {
                bytes whole = {NULL, 0, 0};
                bytes_add(&whole, text.data, text.count);
                bytes_words(&whole, "@last\nAC\n+\nII\n");
                one.desc.workers = all_workers[w];
                test_note("members of %u, bgzf %u, workers %u", (unsigned)members[m], (unsigned)bgzf,
                          (unsigned)all_workers[w]);
                oracle_run(&one.desc, &whole, 1, 0, ORACLE_ENDS_WELL);
                bytes_free(&whole);
            }
            bytes_free(&packed);
        }
    }
    bytes_free(&text);
}

/* A crop drew one place for the sequence and another for the quality. Quality k belongs to base k here. */
TEST(known_bugs, a_crop_is_one_crop) {
    biost_loader *loader;
    biost_batch batch;
    one_text one;
    uint32_t i, k, moved = 0;
    one_text_make(&one, "");
    for (i = 0; i < 50; ++i) {
        bytes_words(&one.text, "@a\nAAAACCCCGGGGTTTTAAAACCCC\n+\n");
        for (k = 0; k < 24; ++k) {
            bytes_byte(&one.text, 33 + k);
        }
        bytes_words(&one.text, "\n");
    }
    oracle_inputs(&one.desc, &one.memory, &one.text, 1);
    one.desc.batch_rows = 50;
    one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
    one.desc.quality.kind = BIOST_QUALITY_PHRED;
    one.desc.augment.crop_bases = 8;
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK &&
            biost_loader_next(loader, &batch) == BIOST_OK);
    for (i = 0; i < 50; ++i) {
        const uint8_t *x = (const uint8_t *)batch.x.data + i * 8,
                      *q = (const uint8_t *)batch.tensors[1].data + i * 8;
        for (k = 0; k < 8; ++k) {
            CHECK_EQ_U64(x[k], 1 + q[k] / 4 % 4);
            CHECK_EQ_U64(q[k], (uint64_t)batch.origins[i].start_base + k);
        }
        moved += batch.origins[i].start_base > 0;
    }
    CHECK(moved > 30);
    biost_loader_close(loader);
    bytes_free(&one.text);
}

/* One place of the shuffle's buffer was frozen until the end, one record in a buffer's worth passed
   it by, and there was no seed. In 300 epochs of 60 samples and 10 cells the first sample goes out in row i
   with probability 0.1 x 0.9^i: in the first ten rows 195 times (sigma 8.3), after row 30 11.4 times (3.3), at
   the end, from row 50 on, 1.5 times; no sample always keeps its place; the same seed gives the same order. */
TEST(known_bugs, no_cell_of_the_shuffle_is_frozen) {
    text_shape shape = {60, 1, 1, 1, 0, 0, 0, 0};
    static uint8_t kept[60];
    static uint32_t first_at[60];
    uint32_t epoch, i, early = 0, late = 0, last = 0;
    one_text one;
    biost_loader *loader, *again;
    one_text_shape(&one, &shape, 4);
    one.desc.batch_rows = 60;
    one.desc.shuffle_rows = 10;
    memset(kept, 1, sizeof kept);
    memset(first_at, 0, sizeof first_at);
    loader = oracle_open(&one.desc);
    one.desc.workers = 3;
    again = oracle_open(&one.desc);
    REQUIRE(loader != NULL && again != NULL);
    for (epoch = 0; epoch < 300; ++epoch) {
        biost_batch batch, other;
        REQUIRE(biost_loader_begin(loader, epoch) == BIOST_OK &&
                biost_loader_next(loader, &batch) == BIOST_OK);
        REQUIRE(biost_loader_begin(again, epoch) == BIOST_OK && biost_loader_next(again, &other) == BIOST_OK);
        CHECK_EQ_U64(batch.digest, other.digest);
        for (i = 0; i < 60; ++i) {
            kept[i] &= batch.origins[i].id == (int64_t)i;
            if (batch.origins[i].id == 0) {
                ++first_at[i];
            }
        }
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK &&
              biost_loader_release(again, &other) == BIOST_OK);
    }
    for (i = 0; i < 60; ++i) {
        CHECK_EQ_U64(kept[i], 0);
        early += i < 10 ? first_at[i] : 0;
        late += i > 30 ? first_at[i] : 0;
        last += i >= 50 ? first_at[i] : 0;
    }
    CHECK(early > 195 - 42 && early < 195 + 42);
    CHECK(late > 0 && late < 11 + 17);
    CHECK(last < 10);
    biost_loader_close(loader);
    biost_loader_close(again);
    bytes_free(&one.text);
}

/* "Skip" meant zeros in FASTQ, an error in FASTA, and by the manual that the record is dropped.
   Here a letter without a channel is zeros, an error if desc.text.letters says so, left out with
   skip_bad; in both formats alike. */
TEST(known_bugs, an_unknown_letter_means_one_thing) {
    static const uint8_t want[] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    static const char *const words[] = {"@a\nAXT\n+\nIII\n@b\nACG\n+\nIII\n", ">a\nAXT\n>b\nACG\n"};
    uint32_t format;
    for (format = 0; format < 2; ++format) {
        biost_loader *loader;
        biost_batch batch;
        biost_progress progress;
        one_text one;
        one_text_make(&one, words[format]);
        one.desc.row_bases = 3;
        one.desc.batch_rows = 2;
        test_note("format %u", (unsigned)format);
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK &&
                biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK_MEM(batch.x.data, want, sizeof want);
        biost_loader_close(loader);
        one.desc.text.letters = BIOST_LETTERS_DNA;
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_TEXT);
        CHECK_STR(biost_fault_name(error_of(loader)->fault), "BAD_LETTER");
        biost_loader_close(loader);
        one.desc.text.skip_bad = 1;
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK &&
                biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK_EQ_U64(batch.valid_rows, 1);
        CHECK_EQ_I64(batch.origins[0].id, 1);
        CHECK(biost_loader_next(loader, &batch) == BIOST_END);
        biost_loader_progress(loader, &progress);
        CHECK_EQ_U64(progress.skipped_count, 1);
        biost_loader_close(loader);
        bytes_free(&one.text);
    }
}

/* Each sequence began with the same random numbers, each batch repeated the noise of the first,
   each epoch the order of the first. 64 equal reads of 400 A: all noise differs, between rows,
   batches, ranks, epochs and seeds. */
TEST(known_bugs, noise_is_never_repeated) {
    enum { ROWS = 64, EPOCHS = 2, SEEDS = 2, KINDS = 2 };
    uint32_t kind, seed, epoch, i, k;
    for (kind = 0; kind < KINDS; ++kind) {
        static uint8_t rows[ROWS * EPOCHS * SEEDS][400];
        uint32_t count = 0;
        one_text one;
        one_text_make(&one, "");
        for (i = 0; i < ROWS; ++i) {
            bytes_words(&one.text, ">a\n");
            for (k = 0; k < 400; ++k) {
                bytes_byte(&one.text, 'A');
            }
            bytes_words(&one.text, "\n");
        }
        oracle_inputs(&one.desc, &one.memory, &one.text, 1);
        one.desc.row_bases = 400;
        one.desc.batch_rows = 16;
        one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
        one.desc.augment.substitute = kind == 0 ? 0.1f : 0;
        one.desc.augment.inject_n = kind == 1 ? 0.1f : 0;
        for (seed = 0; seed < SEEDS; ++seed) {
            biost_loader *loader;
            one.desc.seed = seed;
            loader = oracle_open(&one.desc);
            REQUIRE(loader != NULL);
            for (epoch = 0; epoch < EPOCHS; ++epoch) {
                biost_batch batch;
                REQUIRE(biost_loader_begin(loader, epoch) == BIOST_OK);
                while (biost_loader_next(loader, &batch) == BIOST_OK) {
                    for (i = 0; i < batch.valid_rows && CHECK(count < ROWS * EPOCHS * SEEDS); ++i) {
                        memcpy(rows[count++], (const uint8_t *)batch.x.data + i * 400, 400);
                    }
                    CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
                }
            }
            biost_loader_close(loader);
        }
        CHECK_EQ_U64(count, ROWS * EPOCHS * SEEDS);
        for (i = 0; i < count; ++i) {
            for (k = 0; k < i; ++k) {
                CHECK(memcmp(rows[i], rows[k], 400) != 0);
            }
        }
        bytes_free(&one.text);
    }
}

/* The number of records was guessed from the first bytes, of gzip from compressed ones, and called
   the length. Ours is not known until it is, and then exact. The first records are long here, and
   many short ones follow. */
TEST(known_bugs, a_length_is_no_guess) {
    uint32_t packing, i;
    bytes text = {NULL, 0, 0}, packed = {NULL, 0, 0};
    text_shape shape = {20, 900, 1000, 0, 0, 0, 0, 0};
    uint64_t random = 1;
    text_make(&text, &shape, &random);
    shape.records = 3001;
    shape.min_bases = shape.max_bases = 1;
    text_make(&text, &shape, &random);
    gzip_make(&packed, &text, 5000, 5000, 0);
    for (packing = 0; packing < 2; ++packing) {
        for (i = 0; i < 4; ++i) {
            biost_loader_desc desc;
            biost_memory memory;
            biost_loader *loader;
            biost_progress progress;
            uint64_t batches = 9;
            memset(&desc, 0, sizeof desc);
            oracle_inputs(&desc, &memory, packing == 0 ? &text : &packed, 1);
            desc.batch_rows = 10;
            desc.workers = all_workers[i];
            desc.tail = i % 2 == 0 ? BIOST_TAIL_PAD : BIOST_TAIL_DROP;
            loader = oracle_open(&desc);
            REQUIRE(loader != NULL);
            CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_PENDING && batches == 0);
            CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
            digest_drain(loader, NULL);
            CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK);
            CHECK_EQ_U64(batches, i % 2 == 0 ? 303 : 302);
            biost_loader_progress(loader, &progress);
            CHECK_EQ_U64(progress.record_count, 3021);
            biost_loader_close(loader);
        }
    }
    bytes_free(&text);
    bytes_free(&packed);
}

/* The mean of qualities was that of their ASCII codes in one place. '5' is Q20 and ASCII 53. */
TEST(known_bugs, a_mean_is_of_qualities_not_of_characters) {
    biost_loader *loader;
    biost_batch batch;
    one_text one;
    one_text_make(&one, "@a\nACGT\n+\n5555\n@b\nACGT\n+\nSSSS\n");
    one.desc.filter.min_mean_quality = 30.0f;
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK &&
            biost_loader_next(loader, &batch) == BIOST_OK);
    CHECK_EQ_U64(batch.valid_rows, 1);
    CHECK_EQ_I64(batch.origins[0].id, 1);
    biost_loader_close(loader);
    bytes_free(&one.text);
}

/* Bad records vanished, and sequence and quality of different lengths went through. */
TEST(known_bugs, bad_records_are_told) {
    uint32_t w;
    for (w = 0; w < 4; ++w) {
        biost_loader *loader;
        biost_batch batch;
        biost_progress progress;
        one_text one;
        one_text_make(&one, "@a\nACGT\n+\nIIII\n@b\nACGT\n+\nIIIII\n@c\nAC\n+\nII\n");
        one.desc.workers = all_workers[w];
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK &&
                biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK_EQ_U64(batch.valid_rows, 1);
        CHECK_EQ_U64(batch.flags, BIOST_BATCH_LAST | BIOST_BATCH_BEFORE_ERROR);
        CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_TEXT);
        CHECK_STR(biost_fault_name(error_of(loader)->fault), "LENGTH");
        CHECK_EQ_U64(error_of(loader)->record, 1);
        biost_loader_close(loader);
        one.desc.text.skip_bad = 1;
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        digest_drain(loader, NULL);
        biost_loader_progress(loader, &progress);
        CHECK_EQ_U64(progress.skipped_count, 1);
        CHECK_EQ_U64(progress.record_count, 2);
        CHECK(biost_loader_warnings(loader) == BIOST_WARN_SKIPPED_RECORDS);
        biost_loader_close(loader);
        bytes_free(&one.text);
    }
}

/* A number of the title is the label: "a123" 123. */
static int label_of_title(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    int32_t number = 0;
    size_t i;
    (void)id;
    (void)user_data;
    for (i = 1; i < record->name_bytes; ++i) {
        number = number * 10 + (record->name[i] - '0');
    }
    memcpy(out_label, &number, 4);
    return 1;
}

/* A cache kept sequences and lost qualities and labels. Here all of a row is of one record, in the
   first epoch and the third: base, quality, label and name of record i all say i. */
TEST(known_bugs, a_row_keeps_its_label_quality_and_name) {
    uint32_t w, i, k;
    one_text one;
    one_text_make(&one, "");
    for (i = 0; i < 300; ++i) {
        char line[200];
        snprintf(line, sizeof line, "@a%u\n%c%c\n+\n%c%c\n", (unsigned)i, "ACGT"[i % 4], "ACGT"[i / 4 % 4],
                 (int)(33 + i % 90), (int)(33 + i / 90));
        bytes_words(&one.text, line);
    }
    oracle_inputs(&one.desc, &one.memory, &one.text, 1);
    one.desc.batch_rows = 16;
    one.desc.row_bases = 2;
    one.desc.shuffle_rows = 100;
    one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
    one.desc.quality.kind = BIOST_QUALITY_PHRED;
    one.desc.labels.make = label_of_title;
    one.desc.labels.dtype = BIOST_DTYPE_I32;
    one.desc.names = 1;
    for (w = 0; w < 4; ++w) {
        biost_loader *loader;
        uint64_t epoch;
        one.desc.workers = all_workers[w];
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL);
        for (epoch = 0; epoch < 3; ++epoch) {
            biost_batch batch;
            uint32_t rows = 0;
            CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
            while (biost_loader_next(loader, &batch) == BIOST_OK) {
                for (k = 0; k < batch.valid_rows; ++k, ++rows) {
                    uint32_t id = (uint32_t)batch.origins[k].id;
                    const uint8_t *x = (const uint8_t *)batch.x.data + 2 * k;
                    const uint8_t *q = (const uint8_t *)batch.tensors[1].data + 2 * k;
                    char name[16];
                    snprintf(name, sizeof name, "a%u", (unsigned)id);
                    CHECK(x[0] == 1 + id % 4 && x[1] == 1 + id / 4 % 4);
                    CHECK(q[0] == id % 90 && q[1] == id / 90);
                    CHECK_EQ_I64(((const int32_t *)batch.tensors[2].data)[k], id);
                    CHECK_STR(batch.names + batch.name_offsets[k], name);
                }
                CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
            }
            CHECK_EQ_U64(rows, 300);
        }
        biost_loader_close(loader);
    }
    bytes_free(&one.text);
}
