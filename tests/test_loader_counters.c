/*
 * test_loader_counters.c - what a loader says about itself: batches per epoch, counters of its stages,
 * the hint, and progress.
 *
 * rooms: loader
 * needs: loader threads library orders
 */
#include "../biostream.h"

#include "test.h"

#include "deflate_maker.h"

#include "loader_oracle.h" /* after it: `bytes` is a type there, and a name in the other */

static const uint32_t all_workers[] = {1, 2, 3, 8};

/* ---- batches per epoch ---- */

TEST(batches_per_epoch, is_exact_or_pending) {
    static const uint32_t records[] = {0, 1, 3, 4, 5, 8, 30};
    uint32_t r, tail, w, world;
    for (r = 0; r < 7; ++r) {
        text_shape shape = {0, 1, 30, 0, 0, 0, 0, 0};
        one_text one;
        shape.records = records[r];
        one_text_shape(&one, &shape, 3);
        one.desc.batch_rows = 4;
        for (tail = 0; tail < 3; ++tail) {
            for (w = 0; w < 4; ++w) {
                for (world = 1; world <= 4; world += 3) {
                    biost_loader *loader;
                    uint64_t batches = 99,
                             want = tail == BIOST_TAIL_DROP ? records[r] / 4 : (records[r] + 3) / 4;
                    one.desc.tail = (biost_tail_mode)tail;
                    one.desc.workers = all_workers[w];
                    one.desc.world = world;
                    one.desc.rank = world - 1;
                    one.desc.shuffle_rows = r * 2;
                    test_note("%u records, tail %u, world %u", (unsigned)records[r], (unsigned)tail,
                              (unsigned)world);
                    loader = oracle_open(&one.desc);
                    REQUIRE(loader != NULL);
                    CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_PENDING);
                    CHECK_EQ_U64(batches, 0);
                    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
                    digest_drain(loader, NULL);
                    CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK);
                    CHECK_EQ_U64(batches, want);
                    CHECK(biost_loader_begin(loader, 7) == BIOST_OK);
                    batches = 99;
                    CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK);
                    CHECK_EQ_U64(batches, want); /* known while the next one is under way */
                    biost_loader_close(loader);
                }
            }
        }
        bytes_free(&one.text);
    }
}

/* Known once all records were seen, after a resume too; an abandoned epoch, or one that failed,
   tells nothing. */
TEST(batches_per_epoch, after_resume_abandon_and_fault) {
    text_shape shape = {200, 1, 30, 0, 0, 0, 0, 0};
    uint8_t state[512];
    size_t count = 0;
    uint64_t batches = 99;
    one_text one;
    biost_loader *loader;
    biost_batch batch;
    uint32_t i;
    one_text_shape(&one, &shape, 3);
    one.desc.batch_rows = 8;
    one.desc.row_bases = 30;
    one.desc.shuffle_rows = 20;
    one.desc.slots = 1;
    one.desc.test.page_bytes = 300;
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    for (i = 0; i < 10; ++i) {
        REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK(biost_loader_state(loader, &batch, state, 512, &count) == BIOST_OK);
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_PENDING);
    CHECK(biost_loader_begin(loader, 1) == BIOST_OK); /* abandons 0 */
    CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_PENDING);
    CHECK_EQ_U64(batches, 0);
    biost_loader_close(loader);
    one.desc.state = state;
    one.desc.state_bytes = count;
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_PENDING);
    digest_drain(loader, NULL);
    CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK);
    CHECK_EQ_U64(batches, 25);
    biost_loader_close(loader);
    one.desc.state = NULL;
    one.desc.state_bytes = 0;
    bytes_words(&one.text, "@bad\n");
    oracle_inputs(&one.desc, &one.memory, &one.text, 1);
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    while (biost_loader_next(loader, &batch) == BIOST_OK) {
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_PENDING);
    biost_loader_close(loader);
    bytes_free(&one.text);
}

/* ---- counters ---- */

static void counters_are_sane(const biost_counters *counters, uint32_t workers) {
    uint64_t busy = 0;
    uint32_t i;
    for (i = 0; i < BIOST_STAGE_CALLER; ++i) {
        busy += counters->stages[i].busy_ns;
        CHECK(counters->stages[i].unit_count > 0 || counters->stages[i].busy_ns == 0);
        CHECK(counters->stages[i].unit_count > 0 || counters->stages[i].waiting_ns == 0);
    }
    CHECK(busy <= counters->elapsed_ns * workers);
    CHECK(counters->slots_full_ns <= counters->elapsed_ns);
    CHECK(counters->stages[BIOST_STAGE_CALLER].waiting_ns + counters->stages[BIOST_STAGE_CALLER].busy_ns <=
          counters->elapsed_ns);
}

/* Two epochs, not ahead, of 320 records in batches of 32: units, bytes and records of each stage. */
TEST(counters, are_exact_at_the_end) {
    uint32_t w, packing;
    text_shape shape = {320, 20, 60, 0, 0, 0, 0, 0};
    one_text one;
    bytes bgzf = {NULL, 0, 0}, members = {NULL, 0, 0};
    maker m;
    THREADS_KEPT;
    one_text_shape(&one, &shape, 15);
    memset(&m, 0, sizeof m);
    maker_begin(&m);
    maker_bgzf(&m, one.text.data, one.text.count, 3000, 6);
    bytes_add(&bgzf, m.file.data, m.file.count);
    maker_free(&m);
    gzip_make(&members, &one.text, 10000, 3000, 0);
    for (packing = 0; packing < 3; ++packing) {
        const bytes *input = packing == 0 ? &one.text : packing == 1 ? &members : &bgzf;
        oracle_inputs(&one.desc, &one.memory, input, 1);
        for (w = 0; w < 8; ++w) {
            biost_counters c;
            biost_loader *loader;
            uint64_t epoch, tensor_bytes = (uint64_t)320 * (60 * 4 * 4 + 60 + 60), n;
            uint32_t i;
            one.desc.batch_rows = 32;
            one.desc.row_bases = 60;
            one.desc.encoding.dtype = BIOST_DTYPE_F32;
            one.desc.quality.kind = BIOST_QUALITY_PHRED;
            one.desc.mask = 1;
            one.desc.epochs = 1;
            one.desc.shuffle_rows = w / 4 * 100;
            one.desc.workers = all_workers[w % 4];
            one.desc.test.page_bytes = w % 2 == 0 ? 0 : 1000;
            test_note("packing %u, run %u", (unsigned)packing, (unsigned)w);
            loader = oracle_open(&one.desc);
            REQUIRE(loader != NULL);
            biost_loader_counters(loader, &c);
            CHECK_EQ_U64(c.elapsed_ns, 0);
            CHECK_EQ_U64(c.stages[BIOST_STAGE_SCAN].unit_count, 0);
            CHECK_EQ_U64(c.workers, one.desc.workers);
            for (epoch = 0; epoch < 2; ++epoch) {
                CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
                digest_drain(loader, NULL);
                n = epoch + 1; /* since open */
                biost_loader_counters(loader, &c);
                counters_are_sane(&c, one.desc.workers);
                for (i = 0; i < BIOST_STAGE_COUNT; ++i) {
                    if (i != BIOST_STAGE_INFLATE && i != BIOST_STAGE_READ) {
                        test_note("packing %u, run %u, epoch %u, stage %u", (unsigned)packing, (unsigned)w,
                                  (unsigned)epoch, (unsigned)i);
                        CHECK(c.stages[i].unit_count > 0);
                    }
                }
                CHECK((c.stages[BIOST_STAGE_INFLATE].unit_count > 0) == (packing == 2));
                CHECK_EQ_U64(c.stages[BIOST_STAGE_INFLATE].record_count, 0);
                CHECK_EQ_U64(c.stages[BIOST_STAGE_READ].bytes, n * input->count);
                CHECK_EQ_U64(c.stages[packing == 2 ? BIOST_STAGE_INFLATE : BIOST_STAGE_DECODE].bytes,
                             n * one.text.count);
                for (i = BIOST_STAGE_SCAN; i <= BIOST_STAGE_SEQUENCE; ++i) {
                    test_note("packing %u, run %u, epoch %u, stage %u", (unsigned)packing, (unsigned)w,
                              (unsigned)epoch, (unsigned)i);
                    CHECK_EQ_U64(c.stages[i].record_count, n * 320);
                    CHECK_EQ_U64(c.stages[i].bytes, i == BIOST_STAGE_SCAN ? n * one.text.count : 0);
                }
                CHECK_EQ_U64(c.stages[BIOST_STAGE_ENCODE].record_count, n * 320);
                CHECK_EQ_U64(c.stages[BIOST_STAGE_ENCODE].bytes, n * tensor_bytes);
                CHECK_EQ_U64(c.stages[BIOST_STAGE_CALLER].record_count, n * 320);
                CHECK_EQ_U64(c.stages[BIOST_STAGE_CALLER].bytes, n * tensor_bytes);
                CHECK_EQ_U64(c.stages[BIOST_STAGE_CALLER].unit_count, n * 10);
            }
            biost_loader_close(loader);
        }
    }
    biost_loader_counters(NULL, &(biost_counters){0});
    bytes_free(&bgzf);
    bytes_free(&members);
    bytes_free(&one.text);
}

/* Records are told from the samples made of them, and rows from padding; over two ranks. */
TEST(counters, records_samples_and_rows) {
    text_shape shape = {101, 1, 60, 1, 0, 0, 0, 0};
    uint32_t rank;
    one_text one;
    THREADS_KEPT;
    one_text_shape(&one, &shape, 15);
    one.desc.batch_rows = 32;
    one.desc.row_bases = 20;
    one.desc.long_records = BIOST_LONG_SPLIT;
    one.desc.filter.min_length = 30;
    one.desc.shuffle_rows = 40;
    one.desc.epochs = 1;
    one.desc.workers = 3;
    one.desc.world = 2;
    for (rank = 0; rank < 2; ++rank) {
        biost_counters c;
        biost_loader *loader;
        uint64_t rows = 0;
        size_t i;
        oracle o;
        one.desc.rank = rank;
        oracle_make(&o, &one.desc, &one.text, 1, 0, ORACLE_ENDS_WELL);
        for (i = 0; i < o.batch_count; ++i) {
            rows += o.batches[i].valid_rows;
        }
        CHECK(o.filtered > 20 && o.sample_count % 32 != 0);
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        oracle_drain(&o, loader, 0);
        biost_loader_counters(loader, &c);
        CHECK_EQ_U64(c.stages[BIOST_STAGE_SCAN].record_count, 101);
        CHECK_EQ_U64(c.stages[BIOST_STAGE_CHECK].record_count, 101);
        CHECK_EQ_U64(c.stages[BIOST_STAGE_SEQUENCE].record_count, o.sample_count);
        CHECK_EQ_U64(c.stages[BIOST_STAGE_ENCODE].record_count, rows);
        CHECK_EQ_U64(c.stages[BIOST_STAGE_CALLER].record_count, rows);
        biost_loader_close(loader);
        oracle_free(&o);
    }
    bytes_free(&one.text);
}

/* Asked at any moment, from another thread too, they make sense and never fall. */
static void *counters_watch(void *argument) {
    biost_loader *loader = (biost_loader *)argument;
    biost_counters last, now;
    biost_progress progress;
    char hint[256];
    uint32_t i, k;
    memset(&last, 0, sizeof last);
    for (i = 0; i < 3000; ++i) {
        biost_loader_counters(loader, &now);
        biost_loader_progress(loader, &progress);
        biost_loader_hint(loader, hint, sizeof hint);
        CHECK(strlen(hint) > 10);
        for (k = 0; k < BIOST_STAGE_CALLER; ++k) {
            CHECK(now.stages[k].busy_ns >= last.stages[k].busy_ns);
            CHECK(now.stages[k].unit_count >= last.stages[k].unit_count);
            CHECK(now.stages[k].bytes >= last.stages[k].bytes);
            CHECK(now.stages[k].record_count >= last.stages[k].record_count);
        }
        last = now;
    }
    return NULL;
}

TEST(counters, may_be_read_by_any_thread) {
    text_shape shape = {3000, 20, 60, 0, 0, 0, 0, 0};
    uint32_t w;
    one_text one;
    one_text_shape(&one, &shape, 15);
    one.desc.batch_rows = 32;
    one.desc.row_bases = 60;
    one.desc.test.page_bytes = 3000;
    for (w = 0; w < 4; ++w) {
        pthread_t thread;
        uint64_t epoch;
        biost_loader *loader;
        one.desc.workers = all_workers[w];
        one.desc.shuffle_rows = w * 100;
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        REQUIRE(pthread_create(&thread, NULL, counters_watch, loader) == 0);
        for (epoch = 1; epoch < 6; ++epoch) {
            digest_drain(loader, NULL);
            CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
        }
        pthread_join(thread, NULL);
        biost_loader_close(loader);
    }
    bytes_free(&one.text);
}

/* ---- hint ---- */

static void hint_is_a_sentence(biost_loader *loader) {
    char text[256], small[17];
    size_t n, i;
    memset(text, 0x7F, sizeof text);
    biost_loader_hint(loader, text, sizeof text);
    n = strlen(text);
    CHECK(n > 10 && n < 255);
    CHECK(text[n - 1] != '\n' && text[n - 1] != ' ');
    for (i = 0; i < n; ++i) {
        CHECK(text[i] >= 32 && text[i] < 127);
    }
    memset(small, 0x7F, sizeof small); /* cut where there is less room */
    biost_loader_hint(loader, small, 10);
    CHECK(strlen(small) <= 9 && small[10] == 0x7F);
    biost_loader_hint(loader, small, 1);
    CHECK(small[0] == '\0' && small[10] == 0x7F);
    small[0] = 'x';
    biost_loader_hint(loader, small, 0);
    CHECK(small[0] == 'x');
    biost_loader_hint(loader, NULL, 0);
}

TEST(hint, is_a_sentence_at_any_time) {
    text_shape shape = {500, 20, 60, 0, 0, 0, 0, 0};
    uint32_t w;
    one_text one;
    one_text_shape(&one, &shape, 15);
    one.desc.batch_rows = 32;
    for (w = 0; w < 4; ++w) {
        biost_loader *loader;
        biost_batch held[4];
        uint32_t i;
        one.desc.workers = all_workers[w];
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL);
        hint_is_a_sentence(loader);
        CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
        hint_is_a_sentence(loader);
        for (i = 0; i < 4; ++i) {
            CHECK(biost_loader_next(loader, &held[i]) == BIOST_OK);
            hint_is_a_sentence(loader);
        }
        for (i = 0; i < 4; ++i) {
            CHECK(biost_loader_release(loader, &held[i]) == BIOST_OK);
        }
        digest_drain(loader, NULL);
        hint_is_a_sentence(loader);
        biost_loader_cancel(loader);
        hint_is_a_sentence(loader);
        biost_loader_close(loader);
    }
    biost_loader_hint(NULL, (char[4]){0}, 4);
    bytes_free(&one.text);
}

/* Of two inputs of 50 and 30 rows: a buffer smaller than the first does not mix them, and that is said once the
   second is reached; one as large does, and in stream order nothing is to be mixed. */
TEST(hint, says_that_inputs_are_not_mixed) {
    static const uint32_t buffers[] = {0, 1, 2, 49, 50, 80};
    text_shape shape = {50, 20, 20, 0, 0, 0, 0, 0};
    uint64_t random = test_seed() + 16;
    bytes texts[2];
    uint32_t i;
    memset(texts, 0, sizeof texts);
    text_make(&texts[0], &shape, &random);
    shape.records = 30;
    text_make(&texts[1], &shape, &random);
    for (i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        biost_loader_desc desc;
        biost_memory memories[2];
        biost_loader *loader;
        char hint[256], want[128];
        memset(&desc, 0, sizeof desc);
        oracle_inputs(&desc, memories, texts, 2);
        desc.batch_rows = 10;
        desc.shuffle_rows = buffers[i];
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL);
        biost_loader_hint(loader, hint, sizeof hint);
        CHECK(strstr(hint, "mixed") == NULL);
        REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK); /* from here on the second may be reached */
        digest_drain(loader, NULL);
        biost_loader_hint(loader, hint, sizeof hint);
        snprintf(want, sizeof want,
                 "; desc.shuffle_rows %u is below the 50 rows of the first input: inputs are not mixed",
                 (unsigned)buffers[i]);
        test_note("%s", hint);
        CHECK((strstr(hint, want) != NULL) == (buffers[i] == 2 || buffers[i] == 49));
        CHECK((strstr(hint, "mixed") != NULL) == (buffers[i] == 2 || buffers[i] == 49));
        hint_is_a_sentence(loader);
        biost_loader_close(loader);
    }
    bytes_free(&texts[0]);
    bytes_free(&texts[1]);
}

/* ---- progress ---- */

/* Of plain text, gzip and BGZF: bytes of source and text are exact at END, while the next epoch is
   ahead too. */
TEST(progress, bytes_are_exact_at_the_end) {
    uint32_t w, packing;
    text_shape shape = {320, 20, 60, 1, 17, 0, 0, 0};
    one_text one;
    bytes packed[3];
    one_text_shape(&one, &shape, 15);
    memset(packed, 0, sizeof packed);
    bytes_add(&packed[0], one.text.data, one.text.count);
    gzip_make(&packed[1], &one.text, 10000, 3000, 0);
    gzip_make(&packed[2], &one.text, 4000, 3000, 1);
    for (packing = 0; packing < 3; ++packing) {
        biost_memory memories[2];
        bytes inputs[2];
        inputs[0] = packed[packing];
        inputs[1] = packed[0];
        oracle_inputs(&one.desc, memories, inputs, 2);
        for (w = 0; w < 8; ++w) {
            biost_loader *loader;
            biost_progress p;
            uint64_t epoch;
            one.desc.batch_rows = 32;
            one.desc.workers = all_workers[w % 4];
            one.desc.shuffle_rows = w / 4 * 100;
            one.desc.epochs = w % 3 == 0;
            test_note("packing %u, run %u", (unsigned)packing, (unsigned)w);
            loader = oracle_open(&one.desc);
            REQUIRE(loader != NULL);
            for (epoch = 0; epoch < 3; ++epoch) {
                CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
                biost_loader_progress(loader, &p);
                CHECK(p.record_count <= 640 && p.sample_count <= 640);
                digest_drain(loader, NULL);
                biost_loader_progress(loader, &p);
                CHECK_EQ_U64(p.source_bytes, inputs[0].count + inputs[1].count);
                CHECK_EQ_U64(p.source_total_bytes, inputs[0].count + inputs[1].count);
                CHECK_EQ_U64(p.text_bytes, 2 * one.text.count);
                CHECK_EQ_U64(p.record_count, 640);
                CHECK_EQ_U64(p.sample_count, 640);
                CHECK_EQ_U64(p.filtered_count, 0);
                CHECK_EQ_U64(p.skipped_count, 0);
            }
            biost_loader_close(loader);
        }
    }
    bytes_free(&packed[0]);
    bytes_free(&packed[1]);
    bytes_free(&packed[2]);
    bytes_free(&one.text);
}
