/*
 * test_loader_torture.c - random descs over random texts, and a host that does anything at any time:
 * next and try_next, batches held and given back in any order, resume states and a loader opened with them,
 * any epoch begun, workers changed, counters read, cancel, close. Every batch is that of the oracle.
 *
 *     test_loader_torture                     a few hundred cases
 *     TEST_SEED=n TEST_TORTURE=cases ...      others, and more of them
 *
 * rooms: loader groups sequencer
 * needs: loader threads library orders
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

#define EPOCHS 3u
#define HELD   8u

typedef struct torture {
    random_case c;
    biost_loader_desc desc; /* of the loader that is open                                     */
    uint64_t random;
    oracle epochs[EPOCHS];
    biost_loader *loader;
    uint32_t epoch;
    size_t index; /* of the next batch                                              */
    int begun, cancelled, failed, resumed; /* resumed: counts are from the resume state on             */
    biost_batch held[HELD];
    uint32_t held_count;
} torture;

static uint32_t below(torture *t, uint32_t bound) {
    return random_below(&t->random, bound);
}

static void open_it(torture *t) {
    t->loader = oracle_open(&t->desc);
    t->begun = t->cancelled = t->failed = t->resumed = 0;
    t->held_count = 0;
    t->epoch = 0;
    t->index = 0;
}

static void close_it(torture *t) {
    biost_loader_close(t->loader);
    t->loader = NULL;
}

/* What next and try_next may say now. */
static void took(torture *t, biost_result result, const biost_batch *batch, int waited) {
    const oracle *o = &t->epochs[t->epoch];
    if (t->cancelled) { /* an error that came before stays, one before begin is as good */
        CHECK(result == BIOST_CANCELLED || (!t->begun && result == BIOST_ERR_ARG) ||
              (o->failed && result < 0));
        return;
    }
    if (!t->begun || t->failed) {
        CHECK_STR(biost_result_name(result),
                  biost_result_name(t->failed ? biost_loader_error(t->loader)->code : BIOST_ERR_ARG));
        return;
    }
    switch (result) {
    case BIOST_OK:
        if (CHECK(t->index < o->batch_count) && CHECK(t->held_count < HELD)) {
            oracle_check(o, t->index, batch);
            t->held[t->held_count++] = *batch;
            ++t->index;
        }
        break;
    case BIOST_END:
        CHECK(!o->failed);
        CHECK_EQ_U64(t->index, o->batch_count);
        if (!t->resumed) {
            oracle_check_progress(o, t->loader);
        }
        break;
    case BIOST_PENDING: CHECK(!waited); break;
    case BIOST_ERR_SLOTS: CHECK(t->held_count == (t->desc.slots > 0 ? t->desc.slots : 4)); break;
    default:
        CHECK(o->failed && result < 0);
        CHECK_EQ_U64(t->index, o->batch_count);
        CHECK(biost_loader_error(t->loader) != NULL && biost_loader_error(t->loader)->code == result);
        t->failed = 1;
    }
}

/* The index of the oracle's batch that a held one is. */
static void check_held(torture *t, uint32_t which) {
    const biost_batch *batch = &t->held[which];
    oracle_check(&t->epochs[batch->epoch], (size_t)batch->index, batch);
}

static void release_one(torture *t) {
    uint32_t which;
    biost_batch copy;
    if (t->held_count == 0) {
        return;
    }
    which = below(t, t->held_count);
    check_held(t, which);
    copy = t->held[which];
    CHECK(biost_loader_release(t->loader, &copy) == BIOST_OK);
    if (below(t, 4) == 0) {
        CHECK(biost_loader_release(t->loader, &copy) == BIOST_ERR_ARG);
    }
    t->held[which] = t->held[--t->held_count];
}

static void begin_some(torture *t) {
    uint32_t epoch = below(t, 2) == 0 ? (t->epoch + t->begun) % EPOCHS : below(t, EPOCHS);
    biost_result result = biost_loader_begin(t->loader, epoch);
    if (t->cancelled) {
        CHECK(result == BIOST_CANCELLED || (t->epochs[0].failed && result < 0));
        return;
    }
    if (t->failed) {
        CHECK(result == biost_loader_error(t->loader)->code);
        return;
    }
    CHECK(result == BIOST_OK);
    t->epoch = epoch;
    t->index = 0;
    t->begun = 1;
    t->resumed = 0;
}

/* Take a resume state of a batch that is held; go on from it with another machine. */
static void reopen(torture *t) {
    uint8_t state[512];
    size_t count = 0;
    biost_batch batch;
    if (t->held_count == 0 || t->cancelled) {
        return;
    }
    batch = t->held[below(t, t->held_count)];
    CHECK(biost_loader_state(t->loader, &batch, state, 512, &count) == BIOST_OK);
    if (below(t, 3) == 0) {
        return; /* only looked at */
    }
    close_it(t);
    random_machine(&t->desc, &t->random);
    t->desc.state = state;
    t->desc.state_bytes = count;
    open_it(t);
    t->desc.state = NULL;
    t->desc.state_bytes = 0;
    if (t->loader != NULL) {
        t->epoch = (uint32_t)batch.epoch;
        t->index = (size_t)batch.index + 1;
        CHECK_EQ_U64(biost_loader_first_epoch(t->loader), batch.epoch);
        CHECK_EQ_U64(biost_loader_first_batch(t->loader), t->index);
        CHECK(biost_loader_begin(t->loader, batch.epoch) == BIOST_OK);
        t->begun = 1;
        t->resumed = 1;
    }
}

static void look(torture *t) {
    biost_counters counters;
    biost_progress progress;
    biost_loader_desc resolved;
    char hint[256];
    uint64_t batches;
    biost_loader_counters(t->loader, &counters);
    biost_loader_progress(t->loader, &progress);
    biost_loader_hint(t->loader, hint, sizeof hint);
    biost_loader_get_desc(t->loader, &resolved);
    (void)biost_loader_warnings(t->loader);
    CHECK(hint[0] != '\0');
    if (biost_loader_batches_per_epoch(t->loader, &batches) == BIOST_OK) {
        CHECK_EQ_U64(batches, t->epochs[0].batch_count);
    }
}

static void act(torture *t) {
    static const uint32_t workers[] = {1, 1, 2, 3, 8, 0};
    biost_batch batch;
    biost_result result;
    switch (below(t, 20)) {
    case 0: begin_some(t); break;
    case 1: reopen(t); break;
    case 2: CHECK(biost_loader_set_workers(t->loader, RANDOM_OF(&t->random, workers)) == BIOST_OK); break;
    case 3: look(t); break;
    case 4:
        if (below(t, 15) == 0) {
            biost_loader_cancel(t->loader);
            t->cancelled = !t->failed;
        }
        break;
    case 5:
        close_it(t);
        random_machine(&t->desc, &t->random);
        open_it(t);
        break;
    case 6:
    case 7:
    case 8:
    case 9: release_one(t); break;
    case 10:
    case 11:
    case 12:
        if (t->held_count < HELD) {
            result = biost_loader_try_next(t->loader, &batch);
            took(t, result, &batch, 0);
        }
        break;
    default:
        if (t->held_count < HELD) {
            result = biost_loader_next(t->loader, &batch);
            took(t, result, &batch, 1);
        }
        break;
    }
}

static void torture_case(uint64_t number, uint64_t seed) {
    static torture t;
    uint32_t i, actions;
    memset(&t, 0, sizeof t);
    t.random = seed;
    random_case_make(&t.c, &t.random, number % 40 == 39);
    random_machine(&t.c.desc, &t.random);
    t.c.desc.world = random_world(t.c.desc.batch_rows > 0 ? t.c.desc.batch_rows : 256, &t.random);
    t.c.desc.rank = below(&t, t.c.desc.world);
    t.c.desc.epochs = below(&t, 3);
    t.desc = t.c.desc;
    for (i = 0; i < EPOCHS; ++i) {
        oracle_make(&t.epochs[i], &t.desc, t.c.texts, t.c.text_count, i, t.c.end);
    }
    test_note("case %llu, seed %llu", (unsigned long long)number, (unsigned long long)seed);
    open_it(&t);
    if (t.loader != NULL && below(&t, 8) > 0) {
        begin_some(&t);
    }
    for (actions = 20 + below(&t, 100); actions > 0 && t.loader != NULL; --actions) {
        act(&t);
    }
    for (i = 0; i < t.held_count && t.loader != NULL; ++i) {
        check_held(&t, i);
    }
    close_it(&t);
    for (i = 0; i < EPOCHS; ++i) {
        oracle_free(&t.epochs[i]);
    }
    random_case_free(&t.c);
}

TEST(torture, a_host_that_does_anything) {
    const char *wanted = getenv("TEST_TORTURE");
    uint64_t cases = wanted != NULL ? strtoull(wanted, NULL, 0) : test_effort(120, 400), i,
             seeds = test_seed() + 81;
    for (i = 0; i < cases && test_state.failures == 0; ++i) {
        torture_case(i, test_random(&seeds));
    }
}
