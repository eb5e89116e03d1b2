/*
 * test_store_buckets.c - loaders that cut batches of a store by length: random stores and settings, of which each row
 * comes once, in a batch of the width that it needs, within the budget of columns, on any rank, with any workers and
 * after any resume; what a shape says of the largest batch; and what only the store makes wrong.
 *
 * rooms: shapes storefeed rows sequencer
 * needs: loader stores threads library
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

#include "store_loader.h"

enum { SHAPED_RECORDS = 90, SHAPED_LONGEST = 150 };

static const uint32_t shaped_widths[4] = {16, 40, 96, 152};

/* A store of random sequences, as they were before they were stored. */
typedef struct shaped_store {
    char seqs[SHAPED_RECORDS][SHAPED_LONGEST + 1];
    uint32_t bases[SHAPED_RECORDS];
    biost_store *store;
} shaped_store;

static void shaped_build(shaped_store *of, uint64_t *random) {
    static char text[SHAPED_RECORDS * (SHAPED_LONGEST + 20)];
    biost_memory memory = {text, 0, "shaped"};
    uint32_t i, k;
    for (i = 0; i < SHAPED_RECORDS; ++i) {
        of->bases[i] = random_below(random, 4) == 0 ? 1 + random_below(random, SHAPED_LONGEST)
                                                    : 20 + random_below(random, 30);
        for (k = 0; k < of->bases[i]; ++k) {
            of->seqs[i][k] = "ACGT"[random_below(random, 4)];
        }
        of->seqs[i][k] = '\0';
        memory.bytes += (size_t)sprintf(text + memory.bytes, ">r%u\n%s\n", (unsigned)i, of->seqs[i]);
    }
    of->store = store_of(&memory, 1, 0, 0);
}

/* Settings at random. */
static biost_loader_desc shaped_desc(const shaped_store *of, uint64_t *random) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.store = of->store;
    desc.shape.kind = BIOST_SHAPE_BUCKETS;
    desc.shape.batch_tokens = 1300 + random_below(random, 1000);
    desc.shape.rows_multiple = random_below(random, 2) * 4;
    if (random_below(random, 3) == 0) {
        desc.shape.widths = shaped_widths;
        desc.shape.width_count = 4;
    } else {
        desc.shape.growth = random_below(random, 2) * 1500000;
        desc.pad_multiple = random_below(random, 3) == 0 ? 5 : 0;
    }
    desc.order = random_below(random, 4) == 0 ? BIOST_ORDER_FILE : BIOST_ORDER_EXACT;
    desc.tail = (biost_tail_mode)random_below(random, 3);
    desc.seed = test_random(random);
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.encoding.pad_side = (biost_pad_side)random_below(random, 2);
    desc.mask = (int)random_below(random, 2);
    desc.names = (int)random_below(random, 2);
    desc.filter.min_length = random_below(random, 2) * 10;
    desc.filter.max_length = random_below(random, 3) == 0 ? 60 : 0;
    desc.digest = 1;
    return desc;
}

/* A row's bases, names and padding. */
static void shaped_row(const shaped_store *of, const biost_batch *batch, uint32_t row, int pads_left) {
    const uint32_t record = (uint32_t)batch->origins[row].id, columns = (uint32_t)batch->x.shape[1];
    const uint8_t *x = (const uint8_t *)batch->x.data + (size_t)row * columns;
    const uint32_t bases = of->bases[record], first = pads_left ? columns - bases : 0;
    uint32_t i;
    CHECK_EQ_U64((uint64_t)batch->lengths[row], bases);
    for (i = 0; i < columns; ++i) {
        const int is_base = i >= first && i < first + bases;
        if (!CHECK_EQ_U64(x[i], is_base ? (uint64_t)(strchr("ACGT", of->seqs[record][i - first]) - "ACGT" + 1)
                                        : 0)) {
            break;
        }
    }
    if (batch->names != NULL) {
        char name[16];
        sprintf(name, "r%u", (unsigned)record);
        CHECK_STR(batch->names + batch->name_offsets[row], name);
    }
}

/* What a batch must be beside its desc, and that its slab is no larger than was said. */
static void shaped_batch(const biost_loader_desc *desc, const biost_batch *batch,
                         const biost_batch_shape *most) {
    const uint32_t columns = (uint32_t)batch->x.shape[1];
    uint32_t i, world = desc->world > 0 ? desc->world : 1;
    CHECK((uint64_t)batch->rows * world * columns <= desc->shape.batch_tokens);
    CHECK(batch->rows <= most->rows && columns <= most->columns);
    CHECK_EQ_U64(batch->tensor_count, most->tensor_count);
    for (i = 0; i < batch->tensor_count; ++i) {
        CHECK_EQ_U64(batch->tensors[i].shape[0], batch->rows);
        CHECK(batch->tensors[i].bytes <= most->tensors[i].bytes);
        CHECK_EQ_U64((uint64_t)(uintptr_t)batch->tensors[i].data % 64, 0);
        CHECK((const uint8_t *)batch->tensors[i].data + batch->tensors[i].bytes <=
              (const uint8_t *)batch->slab + batch->slab_bytes);
    }
    CHECK(batch->slab_bytes <= most->slab_bytes && most->slab_bytes <= most->slot_bytes);
    for (i = 0; desc->shape.width_count > 0 && i < batch->valid_rows; ++i) {
        uint32_t k = 0;
        while (shaped_widths[k] < (uint32_t)batch->lengths[i]) {
            ++k;
        }
        CHECK_EQ_U64(columns, shaped_widths[k]);
    }
    if (desc->tail != BIOST_TAIL_SHORT) {
        CHECK_EQ_U64(batch->rows * world % (desc->shape.rows_multiple > 0 ? desc->shape.rows_multiple : 1),
                     0);
    }
}

/* The rows of an epoch, on each rank of a world: how often each record came, and their sum. */
static store_epoch shaped_epoch(const shaped_store *of, const biost_loader_desc *desc, uint32_t world,
                                uint64_t *random, uint32_t seen[SHAPED_RECORDS]) {
    store_epoch sum = {0, 0, 0};
    biost_loader_desc one = *desc;
    one.world = world;
    for (one.rank = 0; one.rank < world; ++one.rank) {
        biost_batch_shape most;
        biost_loader *loader;
        biost_batch batch;
        biost_error error;
        store_machine(&one, random);
        loader = oracle_open(&one);
        CHECK(biost_loader_shape(&one, &most, &error) == BIOST_OK);
        if (loader == NULL || !CHECK(biost_loader_begin(loader, 1) == BIOST_OK)) {
            break;
        }
        for (sum.batches = 0; biost_loader_next(loader, &batch) == BIOST_OK; ++sum.batches) {
            uint32_t row;
            shaped_batch(&one, &batch, &most);
            for (row = 0; row < batch.valid_rows; ++row) {
                shaped_row(of, &batch, row, desc->encoding.pad_side == BIOST_PAD_LEFT);
                ++seen[batch.origins[row].id];
            }
            sum.rows += batch.valid_rows;
            sum.digest += batch.digest;
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        biost_loader_close(loader);
    }
    return sum;
}

TEST(loader_shapes, each_row_once_within_the_budget) {
    uint64_t random = test_seed() + 101;
    uint32_t turn, i;
    for (turn = 0; turn < 24; ++turn) {
        static shaped_store of;
        biost_loader_desc desc;
        store_epoch one, all;
        uint32_t seen[2][SHAPED_RECORDS] = {{0}}, passing = 0, came = 0;
        shaped_build(&of, &random);
        desc = shaped_desc(&of, &random);
        test_note("turn %u", (unsigned)turn);
        one = shaped_epoch(&of, &desc, 1, &random, seen[0]);
        all = shaped_epoch(&of, &desc, desc.shape.rows_multiple > 0 ? 2 + 2 * (turn % 2) : 1, &random,
                           seen[1]);
        store_check(&all, &one);
        CHECK(memcmp(seen[0], seen[1], sizeof seen[0]) == 0);
        for (i = 0; i < SHAPED_RECORDS; ++i) {
            const int passes = of.bases[i] >= desc.filter.min_length &&
                               (desc.filter.max_length == 0 || of.bases[i] <= desc.filter.max_length);
            CHECK(seen[0][i] <= (uint32_t)passes &&
                  (seen[0][i] == (uint32_t)passes || desc.tail == BIOST_TAIL_DROP));
            passing += (uint32_t)passes;
            came += seen[0][i];
        }
        CHECK(came == passing || desc.tail == BIOST_TAIL_DROP);
        CHECK(biost_store_close(of.store, NULL) == BIOST_OK);
    }
}

/* After each batch an epoch goes on from its state, with other workers. */
TEST(loader_shapes, resume_after_each_batch) {
    uint64_t random = test_seed() + 102;
    uint32_t turn;
    for (turn = 0; turn < 4; ++turn) {
        static shaped_store of;
        biost_loader_desc desc, later;
        uint8_t state[STORE_MOST_STATE];
        store_epoch whole;
        shaped_build(&of, &random);
        desc = shaped_desc(&of, &random);
        desc.tail = turn == 0 ? BIOST_TAIL_DROP : BIOST_TAIL_PAD;
        whole = store_run(&desc, 0, 1, &random);
        store_check_stops(&desc, 0, &whole, &random, state, &later);
        CHECK(biost_store_close(of.store, NULL) == BIOST_OK);
    }
}

/* ---- what is allocated ---- */

/*
 * All is allocated at open, and as much as was said: slots have room for batch_tokens columns, not for as many of the
 * longest rows as a batch of the shortest has.
 */
TEST(loader_shapes, memory_is_what_was_said) {
    uint64_t random = test_seed() + 103;
    static shaped_store of;
    biost_loader_desc desc;
    counted count;
    biost_batch_shape shape;
    biost_error error;
    biost_loader *loader;
    THREADS_KEPT; /* they are part of it */
    shaped_build(&of, &random);
    memset(&desc, 0, sizeof desc);
    desc.store = of.store;
    desc.shape.kind = BIOST_SHAPE_BUCKETS;
    desc.shape.batch_tokens = 1 << 20;
    desc.filter.min_length = 20;
    desc.slots = 3;
    desc.workers = 2;
    desc.allocator = counted_allocator(&count);
    CHECK(biost_loader_shape(&desc, &shape, &error) == BIOST_OK);
    CHECK_EQ_U64(shape.tensors[0].bytes, 4 << 20);                /* four channels a column */
    CHECK_EQ_U64(shape.rows, (1 << 20) / 24);                     /* of 20 bases, rounded up to 8 */
    CHECK(shape.slot_bytes < (4u << 20) + 4 * shape.rows + 1024); /* and lengths */
    loader = oracle_open(&desc);
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        (void)store_drain(loader, 0);
    }
    biost_loader_close(loader);
    CHECK_EQ_U64(count.blocks, 0);
    CHECK_EQ_U64(count.peak_bytes, biost_loader_memory(&desc));
    CHECK(biost_store_close(of.store, NULL) == BIOST_OK);
}

/* ---- what only the store makes wrong ---- */

static void shaped_refused(biost_loader_desc desc, const char *sentence) {
    biost_loader *loader = NULL;
    biost_error error;
    CHECK(biost_loader_open(&desc, &loader, &error) < 0 && loader == NULL);
    CHECK_STR(error.text, sentence);
}

TEST(loader_shapes, refusals_by_the_store) {
    static const char text[] = ">a\nACGTACGTACGTACGTACGT\n>b\nACG\n"; /* 20 and 3 bases */
    const biost_memory memory = {text, sizeof text - 1, "few"};
    biost_store *store = store_of(&memory, 1, 0, 0);
    biost_loader_desc desc;
    biost_loader *loader;
    memset(&desc, 0, sizeof desc);
    desc.store = store;
    desc.shape.kind = BIOST_SHAPE_BUCKETS;
    desc.shape.batch_tokens = 23;
    shaped_refused(desc, "desc.shape.batch_tokens is 23, and 1 rows of 24 columns need 24");
    desc.shape.batch_tokens = 40;
    desc.shape.rows_multiple = 2;
    shaped_refused(desc, "desc.shape.batch_tokens is 40, and 2 rows of 24 columns need 48");
    desc.shape.rows_multiple = 0;
    desc.max_row_bases = 19;
    shaped_refused(
        desc, "store: input 1, record 1: the record has 20 bases, desc.max_row_bases is 19: raise it, or let "
              "desc.long_records split or cut");
    desc.max_row_bases = 0;
    desc.shape.widths = shaped_widths;
    desc.shape.width_count = 1;
    shaped_refused(
        desc, "store: input 1, record 1: the record has 20 bases, the last of desc.shape.widths is 16: raise "
              "it, or let desc.long_records split or cut");
    desc.long_records = BIOST_LONG_HEAD;
    loader = oracle_open(&desc);
    if (loader != NULL) {
        uint64_t batches = 0;
        CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK);
        CHECK_EQ_U64(batches, 1);
        biost_loader_get_desc(loader, &desc);
        CHECK(desc.shape.widths != shaped_widths && desc.shape.widths[0] == 16); /* a copy */
        CHECK_EQ_U64(desc.batch_rows, 0);
        CHECK_EQ_U64(desc.row_bases, 16);
        biost_loader_close(loader);
    }
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}
