/*
 * store_loader.h - loaders over stores, for their tests: the stores and settings of store_vectors.h, opened on any
 * machine, and epochs summed up as the oracle sums them.
 *
 * Include it after biostream.h, test.h and loader_oracle.h.
 */
#ifndef STORE_LOADER_H
#define STORE_LOADER_H

/* What the oracle says of an epoch, over all ranks. */
typedef struct store_epoch {
    uint64_t batches, rows, digest;
} store_epoch;

typedef struct store_case {
    biost_loader_desc desc; /* what is not 0 */
    int is_bytes;           /* how its stores keep letters */
    uint32_t group_count;   /* 0: its one store is desc.store */
    uint32_t stores[4];     /* STORE_* */
    uint32_t weights[4];
    uint32_t regions[4]; /* 1 + which of store_regions is the group's own */
    store_epoch epochs[3];
} store_case;

#include "store_vectors.h"

#define STORE_COUNT      6u
#define STORE_CASES      (sizeof store_cases / sizeof store_cases[0])
#define STORE_FAR_EPOCH  (((uint64_t)1 << 32) + 5u)
#define STORE_MOST_STATE 8192u

TEST_MAYBE_UNUSED static const uint64_t store_epochs[] = {0, 1, STORE_FAR_EPOCH};

/* The stores that cases name: as DNA, then as bytes. */
static biost_store *stores_open[2][STORE_COUNT];

static biost_store *store_build(biost_store_desc *desc) {
    biost_store *store = NULL;
    biost_error error;
    if (!CHECK(biost_store_build(desc, &store, &error) == BIOST_OK)) {
        printf("    sentence: %s\n", error.text);
    }
    return store;
}

/* A store of texts. */
TEST_MAYBE_UNUSED static biost_store *store_of(const biost_memory *texts, uint32_t count, int qualities,
                                               int is_bytes) {
    biost_store_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.memories = texts;
    desc.memory_count = count;
    desc.qualities = qualities;
    desc.duplicate_names = 1;
    desc.letters = is_bytes ? BIOST_STORE_BYTES : BIOST_STORE_DNA;
    return store_build(&desc);
}

TEST_MAYBE_UNUSED static void stores_begin(void) {
    const biost_memory texts[] = {{store_text_g, sizeof store_text_g - 1, "g"},
                                  {store_text_h, sizeof store_text_h - 1, "h"},
                                  {store_text_q, sizeof store_text_q - 1, "q"},
                                  {store_text_r, sizeof store_text_r - 1, "r"},
                                  {"", 0, "e"}};
    int k;
    for (k = 0; k < 2; ++k) {
        stores_open[k][STORE_G] = store_of(texts, 1, 0, k);
        stores_open[k][STORE_GH] = store_of(texts, 2, 0, k);
        stores_open[k][STORE_H] = store_of(texts + 1, 1, 0, k);
        stores_open[k][STORE_Q] = store_of(texts + 2, 1, 1, k);
        stores_open[k][STORE_QR] = store_of(texts + 2, 2, 1, k);
        stores_open[k][STORE_E] = store_of(texts + 4, 1, 0, k);
    }
}

TEST_MAYBE_UNUSED static void stores_end(void) {
    uint32_t k, i;
    for (k = 0; k < 2; ++k) {
        for (i = 0; i < STORE_COUNT; ++i) {
            CHECK(biost_store_close(stores_open[k][i], NULL) == BIOST_OK);
            stores_open[k][i] = NULL;
        }
    }
}

/* The desc of a case. Its groups are in `groups` [4]. */
TEST_MAYBE_UNUSED static biost_loader_desc store_desc_of(const store_case *c, biost_group *groups) {
    biost_loader_desc desc = c->desc;
    uint32_t i;
    memset(groups, 0, 4 * sizeof *groups);
    for (i = 0; i < c->group_count; ++i) {
        groups[i].store = stores_open[c->is_bytes][c->stores[i]];
        groups[i].weight = c->weights[i];
        groups[i].label = 3.0 * i + 1;
        groups[i].regions = c->regions[i] > 0 ? &store_regions[c->regions[i] - 1] : NULL;
    }
    desc.store = c->group_count == 0 ? stores_open[c->is_bytes][c->stores[0]] : NULL;
    desc.groups = c->group_count > 0 ? groups : NULL;
    desc.group_count = c->group_count;
    desc.allow_unseen = 1;
    desc.digest = 1;
    return desc;
}

/* Workers, slots and an order of tasks at random; none of them may change a byte. */
TEST_MAYBE_UNUSED static void store_machine(biost_loader_desc *desc, uint64_t *random) {
    desc->workers = 1 + random_below(random, 8);
    desc->slots = 1 + random_below(random, 6);
    desc->test.cpu_hidden = random_below(random, 4) == 0 ? UINT32_MAX : 0;
    desc->test.order_seed = 0;
    if (random_below(random, 3) == 0) {
        desc->workers = 1;
        desc->test.order_seed = test_random(random) | 1u;
    }
}

/* What a loader gives from batch `first` on, up to END. */
TEST_MAYBE_UNUSED static store_epoch store_drain(biost_loader *loader, uint64_t first) {
    store_epoch got = {0, 0, 0};
    biost_batch batch;
    biost_result result;
    while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        CHECK_EQ_U64(batch.index, first + got.batches);
        got.batches++;
        got.rows += batch.valid_rows;
        got.digest += batch.digest;
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    if (!CHECK(result == BIOST_END)) {
        printf("    sentence: %s\n", error_of(loader)->text);
    }
    return got;
}

/* Open, begin and drain an epoch on each rank of a world; the sum. */
TEST_MAYBE_UNUSED static store_epoch store_run(const biost_loader_desc *desc, uint64_t epoch, uint32_t world,
                                               uint64_t *random) {
    store_epoch sum = {0, 0, 0};
    biost_loader_desc of = *desc;
    uint32_t rank;
    of.world = world;
    for (rank = 0; rank < world; ++rank) {
        biost_loader *loader;
        uint64_t batches = 0;
        of.rank = rank;
        store_machine(&of, random);
        loader = oracle_open(&of);
        if (loader == NULL) {
            break;
        }
        CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK);
        if (CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
            store_epoch got = store_drain(loader, 0);
            CHECK_EQ_U64(got.batches, batches);
            sum.batches = got.batches;
            sum.rows += got.rows;
            sum.digest += got.digest;
        }
        biost_loader_close(loader);
    }
    return sum;
}

TEST_MAYBE_UNUSED static void store_check(const store_epoch *got, const store_epoch *want) {
    CHECK_EQ_U64(got->batches, want->batches);
    CHECK_EQ_U64(got->rows, want->rows);
    CHECK_EQ_U64(got->digest, want->digest);
}

/*
 * After each batch of an epoch another loader goes on from the state, on another machine: what both give is the whole.
 *   out_later  out  the desc of the last one, with its state in `state`
 */
TEST_MAYBE_UNUSED static void store_check_stops(const biost_loader_desc *desc, uint64_t epoch,
                                                const store_epoch *whole, uint64_t *random,
                                                uint8_t state[STORE_MOST_STATE],
                                                biost_loader_desc *out_later) {
    store_epoch got = {0, 0, 0}, rest;
    biost_loader *loader = oracle_open(desc), *second;
    biost_batch batch;
    *out_later = *desc;
    out_later->state = state;
    if (loader == NULL || !CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
        biost_loader_close(loader);
        return;
    }
    while (biost_loader_next(loader, &batch) == BIOST_OK) {
        got.batches++;
        got.rows += batch.valid_rows;
        got.digest += batch.digest;
        CHECK(biost_loader_state(loader, &batch, state, STORE_MOST_STATE, &out_later->state_bytes) ==
              BIOST_OK);
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        store_machine(out_later, random);
        second = oracle_open(out_later);
        if (second != NULL && CHECK(biost_loader_begin(second, epoch) == BIOST_OK)) {
            rest = store_drain(second, got.batches);
            CHECK_EQ_U64(got.batches + rest.batches, whole->batches);
            CHECK_EQ_U64(got.rows + rest.rows, whole->rows);
            CHECK_EQ_U64(got.digest + rest.digest, whole->digest);
        }
        biost_loader_close(second);
    }
    CHECK_EQ_U64(got.batches, whole->batches);
    biost_loader_close(loader);
}

#endif /* STORE_LOADER_H */
