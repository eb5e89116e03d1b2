/*
 * test_loader_points.c - epochs that decode gzip from points the first one kept: the same batches as of plain
 * text, whatever is kept and wherever an epoch was left; and the points are really used.
 *
 * Expected digests are those of a loader over the text itself, which the deflater never saw again.
 *
 * rooms: index textfeed
 * needs: loader parallel_gzip threads library orders
 */
#include "peeks.h"

#include "test.h"

#include "deflate_maker.h"

#include "loader_oracle.h" /* after it: `bytes` is a type there, and a name in the other */

#ifdef HAVE_ZLIB

enum { INPUTS = 3, EPOCHS = 3 };

/* FASTQ in members by zlib, its plain text, and FASTA. */
typedef struct inputs {
    bytes text[INPUTS], gzip[INPUTS];
} inputs;

static void inputs_make(inputs *in) {
    static maker m;
    uint64_t random = test_seed() + 5;
    uint32_t i, member;
    memset(in, 0, sizeof *in);
    for (i = 0; i < INPUTS; ++i) {
        text_shape shape = {0, 60, 90, 0, 70, 0, 0, 1};
        shape.records = MAKER_SLOW ? 1300 - 400 * i : 2200 - 800 * i;
        maker_begin(&m);
        for (member = 0; member < (i == 2 ? 3u : 1u); ++member) { /* the last in three members */
            bytes part = {NULL, 0, 0};
            text_make(&part, &shape, &random);
            bytes_add(&in->text[i], part.data, part.count);
            maker_pack(&m, NULL, part.data, part.count, member == 1 ? 1 : 6);
            bytes_free(&part);
        }
        bytes_add(&in->gzip[i], m.file.data, m.file.count);
        maker_free(&m);
    }
}

static void inputs_free(inputs *in) {
    uint32_t i;
    for (i = 0; i < INPUTS; ++i) {
        bytes_free(&in->text[i]);
        bytes_free(&in->gzip[i]);
    }
}

static void desc_make(biost_loader_desc *desc, uint32_t number) {
    memset(desc, 0, sizeof *desc);
    desc->batch_rows = 32;
    desc->row_bases = 200;
    desc->digest = 1;
    desc->seed = 9;
    desc->shuffle_rows = number % 2 == 0 ? 0 : 300;
    desc->quality.kind = BIOST_QUALITY_PHRED;
    desc->quality.dtype = BIOST_DTYPE_U8;
    desc->workers = 1 + number % 4;
}

/* Epochs of the text itself: what all others must be. */
static void digests_wanted(const inputs *in, uint32_t number, uint64_t *out_digests) {
    biost_loader_desc desc;
    biost_memory memories[INPUTS];
    biost_loader *loader;
    uint64_t epoch;
    desc_make(&desc, number);
    oracle_inputs(&desc, memories, in->text, INPUTS);
    loader = oracle_open(&desc);
    for (epoch = 0; epoch < EPOCHS && loader != NULL; ++epoch) {
        CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
        out_digests[epoch] = digest_drain(loader, NULL);
    }
    biost_loader_close(loader);
}

/*
 * Chunk sizes around that of a DEFLATE block (about 20 kB here), memory for all points, for a few and for
 * none: every epoch is that of the text; with memory the later ones enter at points.
 */
TEST(points, later_epochs_are_the_text) {
    static const uint32_t chunks[] = {0, 4000, 20000, 60000};
    static const uint64_t memory[] = {0, 150000, 1};
    inputs in;
    uint32_t number, c, m;
    THREADS_KEPT;
    inputs_make(&in);
    for (number = 0; number < 4; ++number) {
        uint64_t wanted[EPOCHS];
        digests_wanted(&in, number, wanted);
        for (c = 0; c < 4; ++c) {
            for (m = 0; m < 3; ++m) {
                biost_loader_desc desc;
                biost_memory memories[INPUTS];
                biost_loader *loader;
                uint64_t epoch, entered = 0;
                uint32_t points = 0;
                test_note("desc %u, chunks of %u, %u bytes for points", (unsigned)number, (unsigned)chunks[c],
                          (unsigned)memory[m]);
                desc_make(&desc, number);
                oracle_inputs(&desc, memories, in.gzip, INPUTS);
                desc.test.parallel_gzip = BIOST_PARALLEL_GZIP_ALWAYS;
                desc.test.chunk_bytes = chunks[c];
                desc.test.page_bytes = c == 1 ? 3000 : 0;
                desc.test.order_seed = number == 3 ? 77 + c : 0;
                desc.checkpoint_bytes = memory[m];
                loader = oracle_open(&desc);
                for (epoch = 0; epoch < EPOCHS && loader != NULL; ++epoch) {
                    CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
                    CHECK_EQ_U64(digest_drain(loader, NULL), wanted[epoch]);
                    points = peek_loader_points(loader, &entered);
                }
                CHECK(m != 2 || (points == 0 && entered == 0));
                CHECK(m != 0 || MAKER_SLOW || c == 0 || (points > 2 && entered > 0));
                CHECK(m != 1 || points <= 150000 / 4096);
                biost_loader_close(loader);
            }
        }
    }
    inputs_free(&in);
}

/* Epochs left in the middle, at every place: points of some inputs are there, of others a few, of some none. */
TEST(points, epochs_left_in_the_middle) {
    inputs in;
    uint32_t number, taken;
    THREADS_KEPT;
    inputs_make(&in);
    for (number = 0; number < 4; ++number) {
        uint64_t wanted[EPOCHS];
        digests_wanted(&in, number, wanted);
        for (taken = 1; taken < 80; taken += 19) {
            biost_loader_desc desc;
            biost_memory memories[INPUTS];
            biost_loader *loader;
            biost_batch batch;
            uint32_t i;
            test_note("desc %u, after %u batches", (unsigned)number, (unsigned)taken);
            desc_make(&desc, number);
            oracle_inputs(&desc, memories, in.gzip, INPUTS);
            desc.test.parallel_gzip = BIOST_PARALLEL_GZIP_ALWAYS;
            desc.test.chunk_bytes = 20000;
            desc.checkpoint_bytes = taken % 2 == 0 ? 0 : 200000;
            loader = oracle_open(&desc);
            CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
            for (i = 0; i < taken && biost_loader_next(loader, &batch) == BIOST_OK; ++i) {
                CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
            }
            CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
            CHECK_EQ_U64(digest_drain(loader, NULL), wanted[1]);
            CHECK(biost_loader_begin(loader, 2) == BIOST_OK);
            CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
            CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
            CHECK_EQ_U64(digest_drain(loader, NULL), wanted[0]);
            CHECK(biost_loader_begin(loader, 2) == BIOST_OK);
            for (i = 0; i < taken && biost_loader_next(loader, &batch) == BIOST_OK; ++i) {
                CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
            }
            biost_loader_close(loader); /* in the middle */
        }
    }
    inputs_free(&in);
}

/* Memory that changes between two epochs: a point is taken only where the text before it is what it was. */
TEST(points, another_text_with_the_same_blocks) {
    inputs in;
    biost_loader_desc desc;
    biost_memory memory;
    biost_loader *loader;
    uint64_t entered = 0;
    THREADS_KEPT;
    inputs_make(&in);
    desc_make(&desc, 1);
    oracle_inputs(&desc, &memory, in.gzip, 1);
    desc.test.parallel_gzip = BIOST_PARALLEL_GZIP_ALWAYS;
    desc.test.chunk_bytes = 20000;
    desc.epochs =
        2; /* after the last of them the loader reads none ahead: nobody else looks at the points then */
    loader = oracle_open(&desc);
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
    (void)digest_drain(loader, NULL);
    CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
    (void)digest_drain(loader, NULL);
    if (!CHECK(peek_loader_points(loader, &entered) > 1)) {
        biost_loader_close(loader);
        inputs_free(&in);
        return;
    }
    /* Break the first history that is kept: its segment is not taken, and the text is right all the same. */
    peek_loader_break_point(loader);
    {
        biost_loader_desc plain;
        biost_memory text;
        biost_loader *other;
        desc_make(&plain, 1);
        oracle_inputs(&plain, &text, in.text, 1);
        other = oracle_open(&plain);
        CHECK(biost_loader_begin(other, 1) == BIOST_OK);
        CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
        CHECK_EQ_U64(digest_drain(loader, NULL), digest_drain(other, NULL));
        biost_loader_close(other);
    }
    biost_loader_close(loader);
    inputs_free(&in);
}

#else

TEST(points, later_epochs_are_the_text) {
    TEST_SKIP("zlib");
}

#endif
