/*
 * test_mixed.c - groups of stores and of text in one loader: epochs of settings at random with the digests that the
 * oracle gives, resume after every batch, a store in file order beside text as if both were text, progress, what is
 * refused, and errors of either kind.
 *
 * rooms: textscan storefeed groups
 * needs: loader stores threads library
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

#include "store_loader.h"

#include "mixed.h"

TEST(mixed, epochs_of_the_oracle) {
    uint64_t random = test_seed() + 71;
    uint32_t i, e;
    stores_begin();
    for (i = 0; i < MIXED_CASES; ++i) {
        mixed_parts parts;
        biost_loader_desc desc = mixed_desc(&mixed_cases[i], &parts);
        for (e = 0; e < 3; ++e) {
            uint32_t world = 1 + (i + e) % 4;
            store_epoch got;
            test_note("case %u, epoch %u, world %u", (unsigned)i, (unsigned)e, (unsigned)world);
            got = mixed_run(&desc, store_epochs[e], world, &random);
            store_check(&got, &mixed_cases[i].epochs[e]);
        }
    }
    stores_end();
}

/* ---- resume ---- */

#define MIXED_BATCHES 64u

typedef struct mixed_state {
    uint8_t data[STORE_MOST_STATE];
    size_t bytes;
} mixed_state;

typedef struct mixed_epoch {
    uint64_t number, count;
    uint64_t digests[MIXED_BATCHES];
    mixed_state states[MIXED_BATCHES];
} mixed_epoch;

static void mixed_record(const biost_loader_desc *desc, uint64_t epoch, mixed_epoch *out) {
    biost_loader *loader = oracle_open(desc);
    biost_batch batch;
    out->number = epoch;
    out->count = 0;
    if (loader != NULL && CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
        while (biost_loader_next(loader, &batch) == BIOST_OK && CHECK(out->count < MIXED_BATCHES)) {
            mixed_state *state = &out->states[out->count];
            size_t most = biost_loader_state_bytes(desc);
            CHECK(most <= sizeof state->data);
            CHECK(biost_loader_state(loader, &batch, state->data, most, &state->bytes) == BIOST_OK);
            out->digests[out->count++] = batch.digest;
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
    }
    biost_loader_close(loader);
}

/* Go on from a state on all ranks of a world: what is left has the digests it had. */
static void mixed_resume(const biost_loader_desc *desc, const mixed_epoch *e, uint64_t index,
                         const mixed_case *c, uint64_t *random) {
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
        mixed_machine(&of, random);
        loader = oracle_open(&of);
        if (loader == NULL) {
            break;
        }
        CHECK_EQ_U64(biost_loader_first_epoch(loader), e->number);
        CHECK_EQ_U64(biost_loader_first_batch(loader), index + 1);
        if (CHECK(biost_loader_begin(loader, e->number) == BIOST_OK)) {
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

TEST(mixed, resume_after_every_batch) {
    static mixed_epoch e, same;
    uint64_t random = test_seed() + 72, k;
    uint32_t i;
    stores_begin();
    for (i = 0; i < MIXED_CASES; i += test_effort(3, 1)) {
        mixed_parts parts;
        biost_loader_desc desc = mixed_desc(&mixed_cases[i], &parts);
        mixed_machine(&desc, &random);
        test_note("case %u", (unsigned)i);
        mixed_record(&desc, store_epochs[i % 3], &e);
        CHECK_EQ_U64(e.count, mixed_cases[i].epochs[i % 3].batches);
        for (k = 0; k < e.count; k += test_effort(1 + (unsigned)(e.count / 6), 1)) {
            mixed_resume(&desc, &e, k, &mixed_cases[i], &random);
        }
        if (e.count > 0) {
            mixed_resume(&desc, &e, e.count - 1, &mixed_cases[i], &random);
        }
        desc.world = 4;
        desc.rank = 3;
        mixed_machine(&desc, &random);
        mixed_record(&desc, store_epochs[i % 3], &same);
        CHECK_EQ_U64(same.count, e.count);
    }
    stores_end();
}

/* The digest of what follows a state, from its epoch's next batch to the end; a loader that takes it. */
static int mixed_takes(biost_loader_desc desc, const mixed_state *state, biost_error *error) {
    biost_loader *loader = NULL;
    uint8_t *copy = test_copy(state->data, state->bytes);
    int takes;
    desc.state = copy;
    desc.state_bytes = state->bytes;
    takes = biost_loader_open(&desc, &loader, error) == BIOST_OK;
    biost_loader_close(loader);
    free(copy);
    return takes;
}

/* Two groups: reads as a store, and as text. */
static biost_loader_desc mixed_two(mixed_parts *parts, biost_store *store) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(parts, 0, sizeof *parts);
    parts->groups[0].name = "kept";
    parts->groups[0].store = store;
    parts->groups[0].weight = 2;
    parts->groups[1].name = "read";
    parts->groups[1].input_count = 1;
    parts->groups[1].weight = 1;
    parts->memories[0].data = store_text_r;
    parts->memories[0].bytes = sizeof store_text_r - 1;
    parts->memories[0].name = "r";
    desc.memories = parts->memories;
    desc.memory_count = 1;
    desc.groups = parts->groups;
    desc.group_count = 2;
    desc.batch_rows = 8;
    desc.row_bases = 70;
    desc.digest = 1;
    desc.workers = 2;
    return desc;
}

TEST(mixed, states_of_others_are_refused) {
    static mixed_epoch e, alone;
    mixed_parts parts;
    biost_loader_desc desc, other;
    biost_error error;
    stores_begin();
    desc = mixed_two(&parts, stores_open[1][STORE_Q]);
    mixed_record(&desc, 0, &e);
    CHECK(e.count > 3 && mixed_takes(desc, &e.states[1], &error));
    parts.groups[0].store = stores_open[1][STORE_QR]; /* another store */
    CHECK(!mixed_takes(desc, &e.states[1], &error));
    CHECK(error.code == BIOST_ERR_STALE && error.fault == BIOST_FAULT_STATE_INPUT);
    parts.groups[0].store = stores_open[1][STORE_Q];
    parts.memories[0].bytes -= 1; /* other text */
    CHECK(!mixed_takes(desc, &e.states[1], &error) && error.fault == BIOST_FAULT_STATE_INPUT);
    parts.memories[0].bytes += 1;
    other = desc;
    other.order = BIOST_ORDER_EXACT;
    CHECK(!mixed_takes(other, &e.states[1], &error) && error.fault == BIOST_FAULT_STATE_DESC);
    other = desc;
    other.shuffle_rows = 9;
    CHECK(!mixed_takes(other, &e.states[1], &error) && error.fault == BIOST_FAULT_STATE_DESC);
    parts.groups[1].store = stores_open[1][STORE_QR]; /* stores alone */
    parts.groups[1].input_count = 0;
    other = desc;
    other.memories = NULL;
    other.memory_count = 0;
    CHECK(!mixed_takes(other, &e.states[1], &error) && error.fault == BIOST_FAULT_STATE_SOURCE);
    mixed_record(&other, 0, &alone);
    parts.groups[1].store = NULL;
    parts.groups[1].input_count = 1;
    CHECK(!mixed_takes(desc, &alone.states[1], &error) && error.fault == BIOST_FAULT_STATE_SOURCE);
    stores_end();
}

/* The CRC-32 at the end of a state made right. */
static void mixed_seal(mixed_state *state) {
    uint32_t crc = gzip_crc(state->data, state->bytes - 4), i;
    for (i = 0; i < 4; ++i) {
        state->data[state->bytes - 4 + i] = (uint8_t)(crc >> 8 * i);
    }
}

/* Whatever a state's bytes say that are sealed, open takes or refuses it, and what it takes ends. */
TEST(mixed, states_made_up) {
    static mixed_epoch e;
    static mixed_state state;
    uint64_t random = test_seed() + 73;
    mixed_parts parts;
    biost_loader_desc desc;
    biost_error error;
    uint32_t i, k, taken = 0;
    stores_begin();
    desc = mixed_two(&parts, stores_open[1][STORE_Q]);
    desc.order = BIOST_ORDER_EXACT;
    mixed_record(&desc, 0, &e);
    for (i = 0; i < test_effort(1500, 6000); ++i) {
        biost_loader *loader = NULL;
        biost_batch batch;
        uint64_t count = 0;
        uint8_t *copy;
        state = e.states[i % e.count];
        for (k = 0; k < 1 + i % 3; ++k) {
            size_t most = state.bytes - 28, at = 24 + random_below(&random, (uint32_t)(i % 2 ? 34 : most));
            state.data[at] = (uint8_t)(test_random(&random) >> 7);
        }
        mixed_seal(&state);
        copy = test_copy(state.data, state.bytes);
        desc.state = copy;
        desc.state_bytes = state.bytes;
        if (biost_loader_open(&desc, &loader, &error) == BIOST_OK &&
            CHECK(biost_loader_begin(loader, biost_loader_first_epoch(loader)) == BIOST_OK)) {
            while (count < 50 && biost_loader_next(loader, &batch) == BIOST_OK) {
                CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
                ++count;
            }
            ++taken;
        }
        biost_loader_close(loader);
        free(copy);
    }
    CHECK(taken > 0 && taken < i);
    stores_end();
}

/* ---- a store in file order is its text ---- */

typedef struct mixed_seen {
    store_epoch all;
    uint32_t flags; /* of all batches together */
    biost_result result;
    biost_error error; /* unless result is BIOST_END */
} mixed_seen;

static mixed_seen mixed_see(const biost_loader_desc *desc, uint64_t epoch) {
    mixed_seen seen;
    biost_loader *loader = NULL;
    biost_batch batch;
    memset(&seen, 0, sizeof seen);
    seen.result = biost_loader_open(desc, &loader, &seen.error);
    if (seen.result != BIOST_OK || !CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
        return seen;
    }
    while ((seen.result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        seen.all.batches++;
        seen.all.rows += batch.valid_rows;
        seen.all.digest += batch.digest;
        seen.flags |= batch.flags;
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    if (seen.result != BIOST_END) {
        seen.error = *error_of(loader);
    }
    biost_loader_close(loader);
    return seen;
}

/* A label of all that a record of a store has, which is of no line of text; it always is one. */
static int mixed_make(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    biost_record without = *record;
    const user_labels *labels = (const user_labels *)user_data;
    user_labels all;
    all.bytes = labels->bytes;
    all.drops = 0;
    without.line = 0;
    without.text_offset = 0;
    return user_make(&without, id, out_label, &all);
}

/*
 * The inputs of a case: the first are a group of text, which may be damaged, the others another. Of these a store is
 * made, after as many empty inputs as there are first ones, so that ids are the same.
 */
static int mixed_like_text(random_case *c, uint32_t first, uint64_t *random) {
    const uint32_t count = c->input_count;
    biost_memory of_store[CASE_INPUTS];
    biost_loader_desc desc = c->desc;
    biost_group groups[2];
    biost_store_desc build;
    biost_store *store = NULL;
    mixed_seen want, got;
    uint64_t epoch = random_below(random, 3);
    uint32_t i;
    int swapped = (int)random_below(random, 2), compared = 0;
    memset(groups, 0, sizeof groups);
    groups[swapped].input_count = first;
    groups[!swapped].first_input = first;
    groups[!swapped].input_count = count - first;
    groups[0].weight = 1 + random_below(random, 4);
    groups[1].weight = 1 + random_below(random, 4);
    desc.groups = groups;
    desc.group_count = 2;
    desc.shuffle_rows = random_below(random, 2);
    desc.epoch_end = (biost_epoch_end)random_below(random, 3);
    desc.epoch_rows = desc.epoch_end == BIOST_EPOCH_END_ROWS ? 1 + random_below(random, 200) : 0;
    desc.filter.keep = NULL;
    desc.labels.make = desc.labels.make != NULL ? mixed_make : NULL;
    desc.labels.kind = desc.labels.make != NULL ? BIOST_LABEL_FUNCTION : BIOST_LABEL_NONE;
    desc.allow_unseen = 1;
    desc.text.skip_bad = 0;
    random_machine(&desc, random);
    for (i = 0; i < count; ++i) {
        of_store[i] = c->memories[i];
        of_store[i].bytes = i < first ? 0 : of_store[i].bytes;
    }
    memset(&build, 0, sizeof build);
    build.memories = of_store;
    build.memory_count = count;
    for (i = 0; i < count; ++i) { /* also those after a damaged one */
        build.qualities |= c->texts[i].count > 0 && c->texts[i].data[0] == '@';
    }
    build.letters = BIOST_STORE_BYTES;
    build.duplicate_names = 1;
    want = mixed_see(&desc, epoch);
    if (biost_store_build(&build, &store, NULL) != BIOST_OK) {
        return 0; /* the damage is in the second half */
    }
    groups[!swapped].first_input = 0;
    groups[!swapped].input_count = 0;
    groups[!swapped].store = store;
    desc.memory_count = first;
    random_machine(&desc, random);
    got = mixed_see(&desc, epoch);
    /* Open of a store refuses a record that text meets in its turn: too long, or without the field of a split. */
    if (got.error.fault != BIOST_FAULT_ROW_TOO_LONG && got.error.fault != BIOST_FAULT_SPLIT_FIELD &&
        want.error.fault != BIOST_FAULT_ROW_TOO_LONG && want.error.fault != BIOST_FAULT_SPLIT_FIELD &&
        got.error.fault != BIOST_FAULT_ARGUMENT) {
        CHECK_EQ_I64(got.result, want.result);
        CHECK_EQ_U64(got.flags, want.flags);
        if (want.error.fault ==
            BIOST_FAULT_NO_GROUP_ROW) { /* of a store pieces are left out, of text records */
            CHECK_STR(biost_fault_name(got.error.fault), biost_fault_name(want.error.fault));
        } else {
            CHECK_STR(got.error.text, want.error.text);
        }
        store_check(&got.all, &want.all);
        compared = want.all.rows > 0;
    }
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
    return compared;
}

TEST(mixed, file_order_is_that_of_the_text) {
    uint64_t random = test_seed() + 74;
    uint32_t i, compared = 0;
    for (i = 0; i < test_effort(700, 4000); ++i) {
        static random_case c;
        random_case_make(&c, &random, 0);
        test_note("case %u", (unsigned)i);
        if (c.input_count > 1) {
            compared += (uint32_t)mixed_like_text(&c, 1 + random_below(&random, c.input_count - 1), &random);
        }
        random_case_free(&c);
    }
    CHECK(compared > i / 8);
}

/* ---- a mended input ---- */

enum { MENDED_RECORDS = 4000, MENDED_BAD = 2001, MENDED_OTHERS = 700 };

/* Drain an epoch, from desc.state on or from its start; the state after the last batch. */
static mixed_seen mended_run(const biost_loader_desc *desc, mixed_state *last) {
    mixed_seen seen;
    biost_loader *loader = oracle_open(desc);
    biost_batch batch;
    memset(&seen, 0, sizeof seen);
    if (loader == NULL || !CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        return seen;
    }
    while ((seen.result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        seen.all.batches++;
        seen.all.rows += batch.valid_rows;
        seen.all.digest += batch.digest;
        seen.flags |= batch.flags;
        CHECK(biost_loader_state(loader, &batch, last->data, sizeof last->data, &last->bytes) == BIOST_OK);
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    biost_loader_close(loader);
    return seen;
}

/*
 * After the error of a damaged text, which ended a batch early, rows go on once it is mended: those of a store, too,
 * though no later batch begins at a multiple of batch_rows. As of two groups of text.
 */
TEST(mixed, resume_after_the_error_of_a_mended_input) {
    static mixed_state last;
    uint64_t random = test_seed() + 76;
    bytes text = {NULL, 0, 0}, other = {NULL, 0, 0};
    biost_memory memories[2];
    biost_group groups[2];
    biost_loader_desc desc;
    biost_store *store = NULL;
    mixed_seen seen[2][2];
    size_t bad = 0;
    uint32_t i, way;
    for (i = 0; i < MENDED_RECORDS + MENDED_OTHERS; ++i) {
        bytes *to = i < MENDED_RECORDS ? &text : &other;
        char line[128];
        snprintf(line, sizeof line, "@r%u a comment to make it longer\n", (unsigned)i);
        bytes_words(to, line);
        bad = i == MENDED_BAD ? text.count : bad;
        snprintf(line, sizeof line, "ACGTTGCAAC%.*s\n+\nIIIIIIIIII%.*s\n", (int)(i % 7), "GTGTGTG",
                 (int)(i % 7), "#######");
        bytes_words(to, line);
    }
    memset(&desc, 0, sizeof desc);
    memset(groups, 0, sizeof groups);
    memories[0].data = text.data;
    memories[0].bytes = text.count;
    memories[0].name = "text";
    memories[1].data = other.data;
    memories[1].bytes = 0;
    memories[1].name = "other";
    for (way = 0; way < 2; ++way) { /* 0: two texts, 1: a text and a store of nothing and the other */
        const biost_memory of_store[2] = {{"", 0, "none"}, {other.data, other.count, "other"}};
        memories[1].bytes = other.count;
        store = way == 1 ? store_of(of_store, 2, 1, 0) : NULL;
        groups[0].input_count = 1;
        groups[0].weight = 2;
        groups[1].first_input = way == 0;
        groups[1].input_count = way == 0;
        groups[1].store = store;
        groups[1].weight = 3;
        desc.memories = memories;
        desc.memory_count = way == 0 ? 2 : 1;
        desc.groups = groups;
        desc.group_count = 2;
        desc.batch_rows = 64;
        desc.row_bases = 0;
        desc.augment.reverse_complement = 0.5f;
        desc.digest = 1;
        desc.state = NULL;
        desc.state_bytes = 0;
        mixed_machine(&desc, &random);
        text.data[bad] = 1;
        seen[way][0] = mended_run(&desc, &last);
        CHECK(seen[way][0].result == BIOST_ERR_TEXT);
        CHECK((seen[way][0].flags & BIOST_BATCH_BEFORE_ERROR) != 0 && seen[way][0].all.rows % 64 != 0);
        text.data[bad] = 'A';
        desc.state = test_copy(last.data, last.bytes);
        desc.state_bytes = last.bytes;
        mixed_machine(&desc, &random);
        seen[way][1] = mended_run(&desc, &last);
        CHECK(seen[way][1].result == BIOST_END && seen[way][1].all.rows > 1000);
        free((void *)(uintptr_t)desc.state);
        CHECK(biost_store_close(store, NULL) == BIOST_OK);
    }
    for (i = 0; i < 2; ++i) {
        store_check(&seen[1][i].all, &seen[0][i].all);
    }
    bytes_free(&text);
    bytes_free(&other);
}

/* ---- what is told, refused, and goes wrong ---- */

TEST(mixed, progress_of_each_group) {
    mixed_parts parts;
    biost_loader_desc desc;
    biost_loader *loader;
    biost_progress kept, read, sum;
    biost_batch batch;
    uint64_t batches = 7, rows[2] = {0, 0};
    uint32_t i, warnings;
    stores_begin();
    desc = mixed_two(&parts, stores_open[1][STORE_Q]);
    desc.filter.min_length = 7;
    desc.epoch_end = BIOST_EPOCH_END_ROWS;
    desc.epoch_rows = 200;
    loader = oracle_open(&desc);
    CHECK(loader != NULL && biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK);
    CHECK_EQ_U64(batches, 25);
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
    while (biost_loader_next(loader, &batch) == BIOST_OK) {
        for (i = 0; i < batch.valid_rows; ++i) {
            CHECK(batch.origins[i].group < 2 && batch.lengths[i] >= 7);
            ++rows[batch.origins[i].group];
        }
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK(biost_loader_group_progress(loader, 0, &kept) == BIOST_OK);
    CHECK(biost_loader_group_progress(loader, 1, &read) == BIOST_OK);
    biost_loader_progress(loader, &sum);
    CHECK_EQ_U64(kept.row_count, rows[0]);
    CHECK_EQ_U64(read.row_count, rows[1]);
    CHECK_EQ_U64(sum.row_count, 200);
    CHECK(rows[0] == 133 || rows[0] == 134);
    /* Of the 60 records of the store, and of the 23 of the text, some are shorter. */
    CHECK(kept.dropped[BIOST_DROP_LENGTH] > 0 && kept.dropped[BIOST_DROP_LENGTH] < 60);
    CHECK_EQ_U64(kept.filtered_count, kept.dropped[BIOST_DROP_LENGTH]);
    CHECK_EQ_U64(kept.pass_count, (rows[0] - 1) / (60 - kept.filtered_count) + 1);
    CHECK(read.pass_count > 1 && read.dropped[BIOST_DROP_LENGTH] > 0);
    warnings = biost_loader_warnings(loader);
    CHECK((warnings & BIOST_WARN_NOT_PASSED) != 0); /* of the text */
    CHECK((warnings & BIOST_WARN_SMALL_SHUFFLE) == 0);
    biost_loader_close(loader);
    stores_end();
}

TEST(mixed, refused) {
    mixed_parts parts;
    biost_loader_desc desc, good;
    static const char *const nowhere[] = {"no_such_file"};
    stores_begin();
    good = mixed_two(&parts, stores_open[1][STORE_Q]);
    desc = good;
    desc.labels.kind = BIOST_LABEL_REGION;
    desc.labels.dtype = BIOST_DTYPE_F32;
    open_refused(&desc, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "BIOST_LABEL_REGION",
                 "desc.groups[0] (kept): it shows no intervals");
    desc.regions.kind = BIOST_REGIONS_INTERVALS;
    desc.regions.intervals = store_intervals;
    desc.regions.interval_count = 3;
    open_refused(&desc, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "BIOST_LABEL_REGION",
                 "desc.groups[1] (read): it shows no intervals");
    desc = good;
    desc.labels.kind = BIOST_LABEL_INPUT;
    desc.labels.dtype = BIOST_DTYPE_I32;
    desc.labels.of_inputs = store_labels;
    desc.labels.of_input_count = 1;
    open_refused(&desc, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "desc.labels.of_input_count",
                 "the number of inputs, 2");
    desc = good;
    desc.order = BIOST_ORDER_HELIXER;
    open_refused(&desc, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "BIOST_ORDER_HELIXER", "grid");
    desc = good;
    desc.paths = nowhere;
    desc.path_count = 1;
    open_refused(&desc, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "inputs of two kinds", "desc.paths");
    desc = good;
    desc.memory_count = 0;
    open_refused(&desc, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "desc.groups[1]", "past the last of 0 inputs");
    desc = good;
    desc.split.by = BIOST_SPLIT_BLOCK;
    desc.split.below = 0.5f;
    desc.split.block_bases = 1000;
    desc.regions.kind = BIOST_REGIONS_GRID;
    open_refused(&desc, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "BIOST_SPLIT_BLOCK", "BIOST_LONG_SPLIT");
    desc = good;
    parts.memories[0].data = store_text_g;
    parts.memories[0].bytes = sizeof store_text_g - 1;
    desc.quality.kind = BIOST_QUALITY_PHRED;
    desc.long_records = BIOST_LONG_SPLIT;
    open_refused(&desc, BIOST_ERR_ARG, BIOST_FAULT_NO_QUALITY, "desc.quality.kind", "FASTA");
    parts.groups[1].store = stores_open[1][STORE_Q];
    parts.groups[1].input_count = 0;
    open_refused(&good, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "names inputs", "stores alone");
    parts.groups[1].store = NULL;
    parts.groups[1].input_count = 1;
    parts.groups[0].store = NULL;
    parts.groups[0].input_count = 1;
    parts.groups[1].first_input = 1;
    desc = good;
    desc.memory_count = 2;
    parts.memories[1] = parts.memories[0];
    desc.order = BIOST_ORDER_EXACT;
    open_refused(&desc, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "desc.order is of stores", "there is none");
    desc.order = BIOST_ORDER_FILE;
    desc.labels.kind = BIOST_LABEL_REGION;
    desc.labels.dtype = BIOST_DTYPE_F32;
    open_refused(&desc, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "BIOST_LABEL_REGION",
                 "desc.groups[0] (kept): it shows no intervals");
    stores_end();
}

/* Numbers of inputs, those of the store last, need a type that holds them. */
TEST(mixed, more_inputs_than_a_byte_counts) {
    static biost_memory many[256];
    mixed_parts parts;
    biost_loader_desc desc;
    biost_store *store;
    uint32_t i, count;
    for (i = 0; i < 256; ++i) {
        many[i].data = "";
    }
    for (count = 255; count <= 256; ++count) {
        biost_loader *loader;
        biost_batch batch;
        many[count - 1].data = store_text_r;
        many[count - 1].bytes = sizeof store_text_r - 1;
        store = store_of(many, count, 1, 1);
        many[count - 1].bytes = 0;
        desc = mixed_two(&parts, store);
        desc.labels.kind = BIOST_LABEL_INPUT;
        if (count == 256) {
            open_refused(&desc, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                         "BIOST_DTYPE_U8, and there are 257 inputs", "desc.labels.dtype");
            desc.labels.dtype = BIOST_DTYPE_I64;
        }
        loader = oracle_open(&desc);
        if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK) &&
            CHECK(biost_loader_next(loader, &batch) == BIOST_OK)) {
            const void *labels = biost_batch_tensor(&batch, BIOST_ROLE_LABEL)->data;
            for (i = 0; i < batch.valid_rows;
                 ++i) { /* the text is input 0, of the store the last has records */
                int64_t want = batch.origins[i].group == 0 ? (int64_t)count : 0;
                CHECK_EQ_I64(count == 256 ? ((const int64_t *)labels)[i] : ((const uint8_t *)labels)[i],
                             want);
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        biost_loader_close(loader);
        CHECK(biost_store_close(store, NULL) == BIOST_OK);
    }
}

/* A group of which nothing passes is an error where it is asked, by its name. */
TEST(mixed, a_group_without_a_row) {
    mixed_parts parts;
    biost_loader_desc desc;
    biost_loader *loader;
    biost_batch batch;
    stores_begin();
    desc = mixed_two(&parts, stores_open[1][STORE_H]);
    desc.filter.min_length = 300;
    desc.long_records = BIOST_LONG_HEAD;
    parts.memories[0].data = store_text_g;
    parts.memories[0].bytes = sizeof store_text_g - 1;
    parts.groups[0].weight = 1;
    parts.groups[1].weight = 2;
    loader = oracle_open(&desc);
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK_EQ_U64(batch.valid_rows, 1);
        CHECK(batch.origins[0].group == 1 && (batch.flags & BIOST_BATCH_BEFORE_ERROR) != 0);
        CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_ARG);
        CHECK(error_of(loader)->fault == BIOST_FAULT_NO_GROUP_ROW);
        CHECK(strstr(error_of(loader)->text, "kept") != NULL);
        CHECK(strstr(error_of(loader)->text, "desc.filter.min_length") != NULL);
    }
    biost_loader_close(loader);
    stores_end();
}

/* ---- labels.make ---- */

typedef struct mixed_maker {
    int64_t missing; /* the id that has none, */
    size_t bases;    /* of a record of so many bases */
} mixed_maker;

static int mixed_label(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    const mixed_maker *maker = (const mixed_maker *)user_data;
    int32_t label = (int32_t)record->seq_bases * 1000 + (int32_t)(id % 1000);
    memcpy(out_label, &label, sizeof label);
    return id != maker->missing || record->seq_bases != maker->bases;
}

/* A record of text without a label is left out; one of a store ends the epoch before its batch. */
TEST(mixed, a_missing_label) {
    mixed_parts parts;
    mixed_maker maker = {-1, 0};
    biost_loader_desc desc;
    biost_loader *loader;
    biost_batch batch;
    biost_result result;
    uint64_t random = test_seed() + 75;
    uint32_t i, way;
    stores_begin();
    for (way = 0; way < 40; ++way) {
        /* record 30 of q has 61 bases or fewer, and is row 45 of the epoch, in batch 5 */
        uint64_t batches = 0;
        desc = mixed_two(&parts, stores_open[1][STORE_Q]);
        mixed_machine(&desc, &random);
        desc.labels.make = mixed_label;
        desc.labels.user_data = &maker;
        desc.labels.dtype = BIOST_DTYPE_I32;
        loader = oracle_open(&desc);
        if (loader == NULL || !CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
            break;
        }
        while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
            const int32_t *labels = (const int32_t *)biost_batch_tensor(&batch, BIOST_ROLE_LABEL)->data;
            for (i = 0; i < batch.valid_rows; ++i) {
                CHECK_EQ_I64(labels[i], batch.lengths[i] * 1000 + batch.origins[i].id % 1000);
                if (batch.origins[i].group == 0 && batch.origins[i].id == 30) {
                    maker.missing = 30; /* of the next loader */
                    maker.bases = (size_t)batch.lengths[i];
                    CHECK_EQ_U64(batches, 5);
                }
            }
            ++batches;
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        if (way == 0) {
            CHECK(result == BIOST_END && maker.missing == 30);
        } else {
            CHECK_EQ_U64(batches, 5);
            CHECK(result == BIOST_ERR_ARG && error_of(loader)->fault == BIOST_FAULT_NO_LABEL);
            CHECK_EQ_U64(error_of(loader)->record, 30);
            CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_ARG);
            CHECK(biost_loader_begin(loader, 1) == BIOST_ERR_ARG);
        }
        biost_loader_close(loader);
    }
    stores_end();
}
