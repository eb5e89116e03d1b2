/*
 * test_store_resume.c - resume states of loaders over stores: after every batch, on other machines and in other
 * worlds; states of text, of other stores and descs, damaged ones, and such whose numbers are made up.
 *
 * rooms: storefeed state
 * needs: loader stores threads library
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

#include "store_loader.h"

#define RESUME_BATCHES 128u

typedef struct resume_state {
    uint8_t data[STORE_MOST_STATE];
    size_t bytes;
} resume_state;

/* The batches of an epoch as rank 0 of a world of one sees them. */
typedef struct resume_epoch {
    uint64_t epoch, count;
    uint64_t digests[RESUME_BATCHES];
    resume_state states[RESUME_BATCHES];
} resume_epoch;

static void resume_take(biost_loader *loader, const biost_loader_desc *desc, const biost_batch *batch,
                        resume_state *out) {
    uint8_t small[STORE_MOST_STATE];
    size_t most = biost_loader_state_bytes(desc), none;
    CHECK(most <= sizeof out->data);
    CHECK(biost_loader_state(loader, batch, out->data, most, &out->bytes) == BIOST_OK);
    CHECK(out->bytes > 0 && out->bytes <= most);
    CHECK(biost_loader_state(loader, batch, small, out->bytes - 1, &none) == BIOST_ERR_ARG);
}

static void resume_record(const biost_loader_desc *desc, uint64_t epoch, resume_epoch *out) {
    biost_loader *loader = oracle_open(desc);
    biost_batch batch;
    out->epoch = epoch;
    out->count = 0;
    if (loader != NULL && CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
        while (biost_loader_next(loader, &batch) == BIOST_OK && CHECK(out->count < RESUME_BATCHES)) {
            out->digests[out->count] = batch.digest;
            resume_take(loader, desc, &batch, &out->states[out->count]);
            out->count++;
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
    }
    biost_loader_close(loader);
}

/* Go on from a state on all ranks of a world: what is left has the digests it had. */
static void resume_from(const biost_loader_desc *desc, const resume_epoch *e, uint64_t index,
                        const store_case *c, uint64_t *random) {
    biost_loader_desc of = *desc;
    uint64_t want = 0, got = 0, next = 0, k;
    uint8_t *copy = test_copy(e->states[index].data, e->states[index].bytes);
    for (k = index + 1; k < e->count; ++k) {
        want += e->digests[k];
    }
    of.world = 1 + random_below(random, 4);
    of.state = copy;
    of.state_bytes = e->states[index].bytes;
    for (of.rank = 0; of.rank < of.world; ++of.rank) {
        biost_loader *loader;
        store_machine(&of, random);
        loader = oracle_open(&of);
        if (loader == NULL) {
            break;
        }
        CHECK_EQ_U64(biost_loader_first_epoch(loader), e->epoch);
        CHECK_EQ_U64(biost_loader_first_batch(loader), index + 1);
        CHECK(biost_loader_begin(loader, e->epoch + 1) == BIOST_ERR_ARG);
        if (CHECK(biost_loader_begin(loader, e->epoch) == BIOST_OK)) {
            got += store_drain(loader, index + 1).digest;
            CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
            next += store_drain(loader, 0).digest;
        }
        biost_loader_close(loader);
    }
    CHECK_EQ_U64(got, want);
    CHECK_EQ_U64(next, c->epochs[1].digest);
    free(copy);
}

TEST(store_resume, after_every_batch) {
    static resume_epoch e, same;
    uint64_t random = test_seed() + 41, k;
    uint32_t i, step = test_effort(5, 1);
    stores_begin();
    for (i = 0; i < STORE_CASES; i += step) {
        biost_group groups[4];
        biost_loader_desc desc = store_desc_of(&store_cases[i], groups);
        uint64_t epoch = store_epochs[i % 3];
        store_machine(&desc, &random);
        test_note("case %u", (unsigned)i);
        resume_record(&desc, epoch, &e);
        CHECK_EQ_U64(e.count, store_cases[i].epochs[i % 3].batches);
        for (k = 0; k < e.count; k += 1 + e.count / 8) {
            resume_from(&desc, &e, k, &store_cases[i], &random);
        }
        if (e.count > 0) { /* the first state after the last batch is like the others */
            resume_from(&desc, &e, e.count - 1, &store_cases[i], &random);
        }
        desc.world = 4;
        desc.rank = 3;
        store_machine(&desc, &random);
        resume_record(&desc, epoch, &same);
        for (k = 0; k < e.count && k < same.count; ++k) {
            CHECK_EQ_U64(same.states[k].bytes, e.states[k].bytes);
            CHECK_MEM(same.states[k].data, e.states[k].data, e.states[k].bytes);
        }
    }
    stores_end();
}

/* ---- states that are refused ---- */

/* Open with a state is refused; a sentence with these words. */
static void resume_refused(const biost_loader_desc *desc, const void *state, size_t count, biost_result code,
                           biost_fault fault, const char *words) {
    biost_loader_desc with = *desc;
    uint8_t *copy = test_copy(state, count);
    with.state = copy;
    with.state_bytes = count;
    open_refused(&with, code, fault, words, words);
    free(copy);
}

/* The state after the first batch of epoch 0. */
static void resume_first(const biost_loader_desc *desc, resume_state *out) {
    biost_loader *loader = oracle_open(desc);
    biost_batch batch;
    out->bytes = 0;
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK) &&
        CHECK(biost_loader_next(loader, &batch) == BIOST_OK)) {
        resume_take(loader, desc, &batch, out);
    }
    biost_loader_close(loader);
}

/* A loader over the text of STORE_Q, or over the store. */
static biost_loader_desc resume_desc(biost_memory *text, int of_text) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    text->data = store_text_q;
    text->bytes = sizeof store_text_q - 1;
    text->name = "q";
    desc.memories = of_text ? text : NULL;
    desc.memory_count = (uint32_t)of_text;
    desc.store = of_text ? NULL : stores_open[1][STORE_Q];
    desc.batch_rows = 8;
    desc.row_bases = 70;
    desc.digest = 1;
    return desc;
}

TEST(store_resume, of_another_source) {
    static resume_state state;
    biost_memory text;
    biost_loader_desc store, of_text;
    stores_begin();
    store = resume_desc(&text, 0);
    of_text = resume_desc(&text, 1);
    resume_first(&store, &state);
    resume_refused(&of_text, state.data, state.bytes, BIOST_ERR_ARG, BIOST_FAULT_STATE_SOURCE, "stores");
    store.seed = 1;
    resume_refused(&store, state.data, state.bytes, BIOST_ERR_ARG, BIOST_FAULT_STATE_DESC, "data fields");
    store.seed = 0;
    store.order = BIOST_ORDER_EXACT;
    resume_refused(&store, state.data, state.bytes, BIOST_ERR_ARG, BIOST_FAULT_STATE_DESC, "data fields");
    store.order = BIOST_ORDER_FILE;
    store.regions.kind = BIOST_REGIONS_GRID;
    resume_refused(&store, state.data, state.bytes, BIOST_ERR_ARG, BIOST_FAULT_STATE_DESC, "data fields");
    store.regions.kind = BIOST_REGIONS_NONE;
    store.store = stores_open[1][STORE_QR];
    resume_refused(&store, state.data, state.bytes, BIOST_ERR_STALE, BIOST_FAULT_STATE_INPUT, "other input");
    resume_first(&of_text, &state);
    store.store = stores_open[1][STORE_Q];
    resume_refused(&store, state.data, state.bytes, BIOST_ERR_ARG, BIOST_FAULT_STATE_SOURCE, "text");
    of_text.open_files = 0;
    of_text.epoch_end = BIOST_EPOCH_END_ROWS;
    of_text.epoch_rows = 1000;
    resume_first(&of_text, &state);
    resume_refused(&store, state.data, state.bytes, BIOST_ERR_ARG, BIOST_FAULT_STATE_SOURCE, "text");
    stores_end();
}

/* What of an interval, and which padding of the minus strand, decides about rows is in a state; what not is not. */
TEST(store_resume, of_other_intervals) {
    biost_interval places[40];
    biost_loader_desc desc;
    resume_state state;
    biost_memory text;
    stores_begin();
    desc = resume_desc(&text, 0);
    desc.store = stores_open[1][STORE_G];
    desc.regions.kind = BIOST_REGIONS_INTERVALS;
    desc.regions.fit = BIOST_FIT_SUMMIT;
    desc.regions.intervals = places;
    desc.regions.interval_count = 40;
    memcpy(places, store_intervals, sizeof places);
    places[7].end = places[7].start + 90;
    places[7].summit = 5;
    resume_first(&desc, &state);
    places[7].summit = 6;
    resume_refused(&desc, state.data, state.bytes, BIOST_ERR_ARG, BIOST_FAULT_STATE_DESC, "data fields");
    places[7].summit = 5;
    places[7].start -= 1;
    resume_refused(&desc, state.data, state.bytes, BIOST_ERR_ARG, BIOST_FAULT_STATE_DESC, "data fields");
    places[7].start += 1;
    desc.regions.minus_pad = BIOST_MINUS_PAD_END;
    resume_refused(&desc, state.data, state.bytes, BIOST_ERR_ARG, BIOST_FAULT_STATE_DESC, "data fields");
    desc.regions.minus_pad = BIOST_MINUS_PAD_START;
    desc.regions.fit = BIOST_FIT_CENTER; /* which looks at no summit */
    resume_first(&desc, &state);
    places[7].summit = 6;
    desc.state = state.data;
    desc.state_bytes = state.bytes;
    biost_loader_close(oracle_open(&desc));
    stores_end();
}

/* The CRC-32 at the end of a state made right. */
static void resume_seal(uint8_t *data, size_t count) {
    uint32_t crc = gzip_crc(data, count - 4), i;
    for (i = 0; i < 4; ++i) {
        data[count - 4 + i] = (uint8_t)(crc >> 8 * i);
    }
}

/*
 * The regions of each group are in a state, with the sequences they go over; the default of a stride is the same said
 * aloud. A state of groups of an older version is refused as such.
 */
TEST(store_resume, of_other_regions_of_groups) {
    uint64_t sequences[2] = {0, 1};
    biost_regions of_first, changed;
    biost_group groups[2];
    biost_loader_desc desc;
    resume_state state;
    biost_memory text;
    uint32_t i;
    stores_begin();
    desc = resume_desc(&text, 0);
    memset(&of_first, 0, sizeof of_first);
    memset(groups, 0, sizeof groups);
    of_first.kind = desc.regions.kind = BIOST_REGIONS_GRID;
    of_first.sequences = sequences;
    of_first.sequence_count = 2;
    groups[0].store = groups[1].store = stores_open[1][STORE_G];
    groups[0].weight = groups[1].weight = 1;
    groups[0].regions = &of_first;
    desc.store = NULL;
    desc.groups = groups;
    desc.group_count = 2;
    resume_first(&desc, &state);
    REQUIRE(state.bytes > 0);
    changed = of_first;
    groups[0].regions = &changed;
    changed.stride = desc.regions.stride = desc.row_bases;
    desc.state = state.data;
    desc.state_bytes = state.bytes;
    biost_loader_close(oracle_open(&desc));
    for (i = 0; i < 5; ++i) {
        test_note("change %u", (unsigned)i);
        changed = of_first;
        changed.stride = i == 0 ? desc.row_bases - 1 : 0;
        changed.sequence_count = i == 1 ? 1 : 2;
        sequences[1] = i == 2 ? 2 : 1;
        groups[0].regions = i == 3 ? NULL : &changed;
        groups[1].regions = i == 4 ? &changed : NULL;
        resume_refused(&desc, state.data, state.bytes, BIOST_ERR_ARG, BIOST_FAULT_STATE_DESC, "data fields");
    }
    groups[1].regions = NULL;
    state.data[7] = 4;
    resume_seal(state.data, state.bytes);
    resume_refused(&desc, state.data, state.bytes, BIOST_ERR_ARG, BIOST_FAULT_STATE_VERSION, "of version 4");
    stores_end();
}

TEST(store_resume, damaged) {
    static resume_state state;
    biost_memory text;
    biost_loader_desc desc;
    size_t i;
    stores_begin();
    desc = resume_desc(&text, 0);
    resume_first(&desc, &state);
    for (i = 0; i < state.bytes; ++i) {
        state.data[i] ^= (uint8_t)(1u << i % 8);
        resume_refused(&desc, state.data, state.bytes, BIOST_ERR_ARG, BIOST_FAULT_STATE_DAMAGED, "damaged");
        state.data[i] ^= (uint8_t)(1u << i % 8);
        if (i > 0) {
            resume_refused(&desc, state.data, i, BIOST_ERR_ARG, BIOST_FAULT_STATE_DAMAGED, "damaged");
        }
    }
    stores_end();
}

/* Whatever a state's bytes say that are sealed, open takes or refuses it, and what it takes ends. */
TEST(store_resume, made_up) {
    static resume_state state, other;
    uint64_t random = test_seed() + 42;
    biost_memory text;
    biost_loader_desc desc;
    biost_batch batch;
    uint32_t i, taken = 0;
    stores_begin();
    desc = resume_desc(&text, 0);
    desc.workers = 2;
    resume_first(&desc, &state);
    for (i = 0; i < test_effort(1500, 6000); ++i) {
        biost_loader *loader = NULL;
        uint64_t count = 0;
        uint32_t changes = 1 + random_below(&random, 3), k;
        size_t size = i % 3 == 0 ? 12 + random_below(&random, (uint32_t)state.bytes - 11) : state.bytes;
        uint8_t *copy;
        other = state;
        for (k = 0; k < changes; ++k) {
            other.data[(i % 2 == 0 ? 24 : 8) + random_below(&random, 80)] = (uint8_t)(test_random(&random) >>
                                                                                      7);
        }
        resume_seal(other.data, size);
        copy = test_copy(other.data, size);
        desc.state = copy;
        desc.state_bytes = size;
        if (biost_loader_open(&desc, &loader, NULL) == BIOST_OK &&
            CHECK(biost_loader_begin(loader, biost_loader_first_epoch(loader)) == BIOST_OK)) {
            while (biost_loader_next(loader, &batch) == BIOST_OK) {
                CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
                ++count;
            }
            CHECK(count <= 8);
            ++taken;
        }
        biost_loader_close(loader);
        free(copy);
    }
    CHECK(taken > 0 && taken < i);
    stores_end();
}

/* The labels of intervals are of a desc, as their places are: a state is not taken where one is another. */
TEST(store_resume, of_other_labels_of_intervals) {
    static resume_state state;
    biost_interval intervals[3];
    biost_memory text;
    biost_loader_desc desc;
    uint32_t i;
    stores_begin();
    memset(intervals, 0, sizeof intervals);
    for (i = 0; i < 3; ++i) {
        intervals[i].start = 10 * i;
        intervals[i].end = intervals[i].start + 20;
        intervals[i].label = 0.5 * i;
    }
    desc = resume_desc(&text, 0);
    desc.store = stores_open[1][STORE_GH];
    desc.batch_rows = 1;
    desc.row_bases = 20;
    desc.regions.kind = BIOST_REGIONS_INTERVALS;
    desc.regions.intervals = intervals;
    desc.regions.interval_count = 3;
    desc.labels.kind = BIOST_LABEL_REGION;
    desc.labels.dtype = BIOST_DTYPE_F32;
    resume_first(&desc, &state);
    REQUIRE(state.bytes > 0);
    for (i = 0; i < 3; ++i) {
        intervals[i].label += 1;
        resume_refused(&desc, state.data, state.bytes, BIOST_ERR_ARG, BIOST_FAULT_STATE_DESC, "data fields");
        intervals[i].label -= 1;
    }
    desc.state = state.data; /* as it was it is taken */
    desc.state_bytes = state.bytes;
    biost_loader_close(oracle_open(&desc));
    desc.labels.kind = BIOST_LABEL_NONE; /* labels that nobody asks for change nothing */
    desc.labels.dtype = (biost_dtype)0;
    desc.state = NULL;
    desc.state_bytes = 0;
    resume_first(&desc, &state);
    intervals[1].label = 7;
    desc.state = state.data;
    desc.state_bytes = state.bytes;
    biost_loader_close(oracle_open(&desc));
    stores_end();
}
