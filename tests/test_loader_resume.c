/*
 * test_loader_resume.c - resume states: a loader opened with the resume state of a batch delivers exactly what the
 * first one would have delivered after it, whatever the machine and the world; and a resume state that does
 * not fit is refused.
 *
 * rooms: sequencer state textfeed
 * needs: loader threads library orders
 */
#include "peeks.h"

#include "test.h"

#include "loader_oracle.h"

#define STATES_MOST 64u

static char states_sentence[256]; /* what the epoch that states_take delivered ended with; "": well */

typedef struct state_bytes {
    uint8_t data[512];
    size_t count;
} state_bytes;

/* Deliver an epoch, taking the resume state of each batch, the last ones where there are many. Returns
   batches delivered. */
static size_t states_take(const biost_loader_desc *desc, uint64_t epoch, state_bytes *states) {
    biost_loader *loader = oracle_open(desc);
    biost_batch batch;
    size_t count = 0;
    if (loader != NULL && CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            state_bytes *state = &states[count++ % STATES_MOST];
            memset(state->data, 0xEE, sizeof state->data);
            CHECK(biost_loader_state(loader, &batch, state->data, 512, &state->count) == BIOST_OK);
            CHECK(state->count > 0 && state->count <= 512);
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        strcpy(states_sentence, biost_loader_error(loader) == NULL ? "" : biost_loader_error(loader)->text);
    }
    biost_loader_close(loader);
    return count;
}

/* The digests of all batches in [from, ...). */
static uint64_t digest_from(const oracle *o, size_t from) {
    uint64_t digest = 0;
    for (; from < o->batch_count; ++from) {
        digest += o->batches[from].digest;
    }
    return digest;
}

/* Resume after batch `k` and compare the rest of this epoch; then, if it ended well, the next epoch. */
static void resume_at(const biost_loader_desc *desc, const state_bytes *state, size_t k, const oracle *o,
                      const oracle *next) {
    biost_loader_desc with = *desc;
    biost_loader *loader;
    uint8_t *copy = test_copy(state->data, state->count);
    with.state = copy;
    with.state_bytes = state->count;
    loader = oracle_open(&with);
    free(copy); /* the resume state was copied */
    if (loader == NULL) {
        return;
    }
    CHECK_EQ_U64(biost_loader_first_epoch(loader), o->epoch);
    CHECK(biost_loader_begin(loader, o->epoch + 1) == BIOST_ERR_ARG);
    CHECK(biost_loader_error(loader) != NULL &&
          strstr(biost_loader_error(loader)->text, "biost_loader_first_epoch") != NULL);
    if (CHECK(biost_loader_begin(loader, o->epoch) == BIOST_OK)) {
        CHECK(biost_loader_error(loader) == NULL);
        oracle_drain(o, loader, k + 1);
        CHECK_STR(biost_loader_error(loader) == NULL ? "" : biost_loader_error(loader)->text,
                  states_sentence);
        if (next != NULL && !o->failed && CHECK(biost_loader_begin(loader, next->epoch) == BIOST_OK)) {
            oracle_drain(next, loader, 0);
        }
    }
    biost_loader_close(loader);
}

/* Take all resume states of an epoch on one machine, and resume from each of them on others. */
static void resume_everywhere(random_case *c, uint64_t *random) {
    static state_bytes states[STATES_MOST];
    uint64_t epoch = random_below(random, 3);
    size_t count, k;
    c->desc.world = random_world(c->desc.batch_rows, random);
    c->desc.rank = random_below(random, c->desc.world);
    count = states_take(&c->desc, epoch, states);
    for (k = count > STATES_MOST ? count - STATES_MOST : 0; k < count; ++k) {
        oracle o, next;
        biost_loader_desc desc = c->desc;
        random_machine(&desc, random);
        desc.world = random_world(desc.batch_rows, random);
        desc.rank = random_below(random, desc.world);
        oracle_make(&o, &desc, c->texts, c->text_count, epoch, c->end);
        oracle_make(&next, &desc, c->texts, c->text_count, epoch + 1, c->end);
        CHECK_EQ_U64(o.batch_count, count);
        resume_at(&desc, &states[k % STATES_MOST], k, &o, k % 4 == 0 ? &next : NULL);
        oracle_free(&o);
        oracle_free(&next);
    }
}

TEST(resume, random_cases_after_every_batch) {
    uint64_t random = test_seed();
    uint32_t i;
    for (i = 0; i < 80; ++i) {
        random_case c;
        random_case_make(&c, &random, 0);
        random_machine(&c.desc, &random);
        test_note("case %u", (unsigned)i);
        resume_everywhere(&c, &random);
        random_case_free(&c);
    }
}

/* Several default pages, so that anchors stand far apart and some of them are dropped. */
TEST(resume, large_cases) {
    static state_bytes states[STATES_MOST];
    uint64_t random = test_seed() + 1;
    uint32_t i;
    for (i = 0; i < test_effort(3, 8); ++i) {
        size_t count, k;
        oracle o;
        random_case c;
        random_case_make(&c, &random, 1);
        random_machine(&c.desc, &random);
        c.desc.batch_rows = 256;
        c.desc.row_bases = 64;
        c.desc.long_records = BIOST_LONG_SPLIT;
        c.desc.split_stride = i % 3 == 0 ? 40 : 0;
        c.desc.augment.crop_bases = 0;
        c.desc.shuffle_rows = i % 2 == 0 ? 700 : 0;
        c.desc.test.page_bytes = i % 4 < 2 ? 0 : 1000;
        c.desc.test.chunk_bytes = 0;
        test_note("large case %u", (unsigned)i);
        count = states_take(&c.desc, 5, states);
        oracle_make(&o, &c.desc, c.texts, c.text_count, 5, c.end);
        for (k = count > STATES_MOST ? count - STATES_MOST : 0; k < count; k += 1 + count / 5) {
            random_machine(&c.desc, &random);
            c.desc.test.page_bytes = i % 3 == 0 ? 0 : 4096;
            resume_at(&c.desc, &states[k % STATES_MOST], k, &o, NULL);
        }
        oracle_free(&o);
        random_case_free(&c);
    }
}

/* The oldest sample that pends when sample t is next: in each cell the last one before t that took it. */
static uint64_t oldest_pending(const oracle *o, uint32_t cells, uint64_t t) {
    uint64_t *last = (uint64_t *)calloc(cells, sizeof(uint64_t)), oldest = t, i;
    const oracle_sample **by_number;
    by_number = (const oracle_sample **)calloc(o->sample_count, sizeof *by_number);
    if (last == NULL || by_number == NULL) {
        exit(1);
    }
    for (i = 0; i < o->sample_count; ++i) {
        by_number[o->samples[i].number] = &o->samples[i];
    }
    for (i = 0; i < t; ++i) {
        last[i < cells ? i : by_number[i]->cell] = i;
    }
    for (i = 0; i < cells; ++i) {
        oldest = last[i] < oldest ? last[i] : oldest;
    }
    free(last);
    free(by_number);
    return oldest;
}

/* After the last batch, the 63rd, there is nothing to read. */
static void nothing_is_read(const biost_loader_desc *desc, const state_bytes *state) {
    biost_loader_desc with = *desc;
    biost_loader *loader = NULL;
    biost_progress progress;
    biost_batch batch;
    uint64_t batches = 0;
    with.state = state->data;
    with.state_bytes = state->count;
    REQUIRE(biost_loader_open(&with, &loader, NULL) == BIOST_OK);
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(biost_loader_next(loader, &batch) == BIOST_END);
    biost_loader_progress(loader, &progress);
    CHECK_EQ_U64(progress.text_bytes, 0);
    CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK);
    CHECK_EQ_U64(batches, 63);
    biost_loader_close(loader);
}

/* What a resume costs: the anchor lies at or before the oldest sample that pends, which is looked for each W/8
   samples from the W-th on, and no more than max(W/8, samples of one page) before the one found last. Reads of
   50 bases make 113 to 137 bytes of text, so a page of 1000 bytes starts at most 9 of them. */
TEST(resume, anchors_are_close) {
    static state_bytes states[STATES_MOST];
    static const uint32_t buffers[] = {0, 7, 100, 1000, 5000};
    uint64_t random = test_seed() + 8;
    text_shape shape = {4000, 50, 50, 0, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    uint32_t w;
    size_t count, k;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 64;
    desc.row_bases = 50;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.test.page_bytes = 1000;
    for (w = 0; w < 5; ++w) {
        uint32_t cells = buffers[w];
        uint64_t step = cells >= 8 ? cells / 8 : 1, slack = step > 9 ? step : 9;
        oracle o;
        desc.shuffle_rows = cells;
        desc.workers = 1 + w % 3;
        oracle_make(&o, &desc, &text, 1, 0, ORACLE_ENDS_WELL);
        count = states_take(&desc, 0, states);
        CHECK_EQ_U64(count, 63);
        for (k = 0; k < count; ++k) {
            uint64_t next, anchor_sample, oldest, found, rows = 64 * (k + 1);
            test_note("%u cells, batch %u", (unsigned)cells, (unsigned)k);
            REQUIRE(peek_state(states[k].data, states[k].count, &next, &anchor_sample));
            CHECK_EQ_U64(next, rows + cells < 4000 ? rows + cells : 4000);
            if (k + 1 == count) {
                CHECK(anchor_sample <= next);
                nothing_is_read(&desc, &states[k]);
                continue;
            }
            oldest = cells == 0 ? next : oldest_pending(&o, cells, next);
            found = cells == 0     ? next
                    : next < cells ? 0
                                   : oldest_pending(&o, cells, cells + (next - cells) / step * step);
            CHECK(anchor_sample <= oldest);
            CHECK(anchor_sample + slack >= found);
        }
        oracle_free(&o);
    }
    bytes_free(&text);
}

/* Many batches and a buffer of many sizes of a page: resumed at random points of an epoch of 40,000 samples. */
TEST(resume, at_random_points) {
    static state_bytes states[STATES_MOST];
    static const uint32_t buffers[] = {2000, 9999, 40000, 70000};
    uint64_t random = test_seed() + 9;
    text_shape shape = {40000, 20, 30, 1, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    uint32_t w, round;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    for (w = 0; w < test_effort(2, 4); ++w) {
        oracle o;
        size_t count;
        memset(&desc, 0, sizeof desc);
        oracle_inputs(&desc, &memory, &text, 1);
        desc.batch_rows = 640;
        desc.row_bases = 30;
        desc.encoding.kind = BIOST_ENCODE_TOKENS;
        desc.shuffle_rows = buffers[(w + random % 2) % 4];
        desc.test.page_bytes = w % 2 == 0 ? 4096 : 0;
        desc.workers = 2;
        oracle_make(&o, &desc, &text, 1, 1, ORACLE_ENDS_WELL);
        count = states_take(&desc, 1, states);
        CHECK_EQ_U64(count, 63);
        for (round = 0; round < 6; ++round) {
            uint32_t k = random_below(&random, 63);
            desc.world = RANDOM_OF(&random, ((const uint32_t[]){1, 2, 4}));
            desc.rank = random_below(&random, desc.world);
            desc.test.page_bytes = random_below(&random, 2) * 10000;
            test_note("%u cells, after batch %u of rank %u of %u", (unsigned)desc.shuffle_rows, (unsigned)k,
                      (unsigned)desc.rank, (unsigned)desc.world);
            oracle_free(&o);
            oracle_make(&o, &desc, &text, 1, 1, ORACLE_ENDS_WELL);
            resume_at(&desc, &states[k], k, &o, NULL);
        }
        oracle_free(&o);
    }
    bytes_free(&text);
}

/* A gzip file of three members, the last one damaged: all its text is delivered, then the same
   sentence, wherever the loader was resumed, says since which record nothing is vouched for. */
TEST(resume, damaged_gzip) {
    static state_bytes states[STATES_MOST];
    uint64_t random = test_seed() + 7;
    text_shape shape = {60, 5, 20, 0, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0}, packed = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    oracle o;
    size_t count, k;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    gzip_make(&packed, &text, text.count / 3 + 1, 300, 0);
    packed.data[packed.count - 6] ^= 1; /* of its CRC-32 */
    oracle_inputs(&desc, &memory, &packed, 1);
    desc.batch_rows = 4;
    desc.row_bases = 20;
    desc.shuffle_rows = 6;
    desc.workers = 2;
    desc.test.page_bytes = 100;
    oracle_make(&o, &desc, &text, 1, 0, ORACLE_FAILS);
    count = states_take(&desc, 0, states);
    CHECK_EQ_U64(count, 15);
    CHECK(strstr(states_sentence, "unverified") != NULL);
    for (k = 0; k < count; ++k) {
        test_note("after batch %u", (unsigned)k);
        resume_at(&desc, &states[k], k, &o, NULL);
    }
    oracle_free(&o);
    bytes_free(&text);
    bytes_free(&packed);
}

/* What a resume state promises in words: the digests before and after it add up, over all ranks. */
TEST(resume, digests_add_up) {
    uint64_t random = test_seed() + 2, before, after;
    text_shape shape = {57, 1, 50, 1, 17, 0, 0, 1};
    static state_bytes states[STATES_MOST];
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    oracle o;
    size_t count, k, i;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 8;
    desc.row_bases = 16;
    desc.long_records = BIOST_LONG_SPLIT;
    desc.shuffle_rows = 20;
    desc.digest = 1;
    desc.workers = 2;
    desc.test.page_bytes = 100;
    oracle_make(&o, &desc, &text, 1, 0, ORACLE_ENDS_WELL);
    count = states_take(&desc, 0, states);
    CHECK_EQ_U64(count, o.batch_count);
    for (k = 0; k < count && k < STATES_MOST; ++k) {
        before = digest_from(&o, 0) - digest_from(&o, k + 1);
        after = 0;
        for (i = 0; i < 4; ++i) { /* four ranks go on where one stopped */
            biost_loader_desc with = desc;
            biost_loader *loader;
            biost_batch batch;
            with.world = 4;
            with.rank = (uint32_t)i;
            with.state = states[k].data;
            with.state_bytes = states[k].count;
            loader = oracle_open(&with);
            if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
                while (biost_loader_next(loader, &batch) == BIOST_OK) {
                    after += batch.digest;
                    CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
                }
                CHECK(biost_loader_next(loader, &batch) == BIOST_END);
            }
            biost_loader_close(loader);
        }
        CHECK_EQ_U64(before + after, o.digest);
    }
    oracle_free(&o);
    bytes_free(&text);
}

/* A resume state of a batch of an earlier epoch that is still held is a resume state of that epoch. */
TEST(resume, state_of_a_batch_held_into_the_next_epoch) {
    uint64_t random = test_seed() + 3;
    text_shape shape = {30, 5, 20, 0, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    biost_loader *loader;
    biost_batch first, other;
    state_bytes state;
    oracle o;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 4;
    desc.shuffle_rows = 9;
    loader = oracle_open(&desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(biost_loader_next(loader, &first) == BIOST_OK);
    CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
    CHECK(biost_loader_next(loader, &other) == BIOST_OK);
    CHECK(biost_loader_state(loader, &first, state.data, 512, &state.count) == BIOST_OK);
    biost_loader_close(loader);
    oracle_make(&o, &desc, &text, 1, 0, ORACLE_ENDS_WELL);
    resume_at(&desc, &state, 0, &o, NULL);
    oracle_free(&o);
    bytes_free(&text);
}

/* ---- resume states that do not fit ---- */

/* Opening with this resume state fails so. */
static void refused(const biost_loader_desc *desc, biost_result code, biost_fault fault) {
    biost_loader *loader = NULL;
    biost_error error;
    CHECK_STR(biost_result_name(biost_loader_open(desc, &loader, &error)), biost_result_name(code));
    CHECK_STR(biost_fault_name(error.fault), biost_fault_name(fault));
    CHECK(error.code == code && error.text[0] != '\0');
    CHECK(loader == NULL);
    biost_loader_close(loader);
}

/* Change one [data] field, numbered from 0; returns 0 when there are no more. */
static int change_field(biost_loader_desc *desc, int field) {
    switch (field) {
    case 0: desc->batch_rows = 16; return 1;
    case 1: desc->row_bases = 12; return 1;
    case 2: desc->long_records = BIOST_LONG_FAIL; return 1;
    case 3: desc->tail = BIOST_TAIL_SHORT; return 1;
    case 4: desc->encoding.kind = BIOST_ENCODE_TOKENS; return 1;
    case 5: desc->encoding.dtype = BIOST_DTYPE_F32; return 1;
    case 6: desc->filter.min_length = 1; return 1;
    case 7: desc->filter.max_length = 1000; return 1;
    case 8: desc->filter.min_mean_quality = 0.001f; return 1;
    case 9: desc->augment.reverse_complement = 0.25f; return 1;
    case 10: desc->augment.substitute = 0.125f; return 1;
    case 11: desc->shuffle_rows = 21; return 1;
    case 12: desc->seed = 1; return 1;
    case 13: desc->max_record_bytes = 1u << 20; return 1;
    default: return 0;
    }
}

TEST(state, other_descs_and_damage_are_refused) {
    uint64_t random = test_seed() + 4;
    text_shape shape = {57, 1, 50, 0, 0, 0, 0, 0};
    static state_bytes states[STATES_MOST];
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc, with;
    biost_memory memory;
    int field;
    size_t i;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 8;
    desc.row_bases = 16;
    desc.long_records = BIOST_LONG_SPLIT;
    desc.shuffle_rows = 20;
    desc.workers = 1;
    desc.test.page_bytes = 100;
    REQUIRE(states_take(&desc, 2, states) > 2);
    desc.state = states[1].data;
    desc.state_bytes = states[1].count;
    for (field = 0, with = desc; change_field(&with, field); with = desc, ++field) {
        test_note("field %d", field);
        refused(&with, BIOST_ERR_ARG, BIOST_FAULT_STATE_DESC);
    }
    CHECK_EQ_I64(field, 14);
    for (i = 0; i < desc.state_bytes * 8; ++i) { /* each bit of it */
        test_note("bit %u", (unsigned)i);
        states[1].data[i / 8] ^= (uint8_t)(1u << i % 8);
        refused(&desc, BIOST_ERR_ARG, BIOST_FAULT_STATE_DAMAGED);
        states[1].data[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    for (i = 1; i < states[1].count; ++i) { /* each shorter one, in memory of its size */
        uint8_t *part = test_copy(states[1].data, i);
        with = desc;
        with.state = part;
        with.state_bytes = i;
        refused(&with, BIOST_ERR_ARG, BIOST_FAULT_STATE_DAMAGED);
        free(part);
    }
    with = desc;
    with.state_bytes = states[1].count + 1;
    refused(&with, BIOST_ERR_ARG, BIOST_FAULT_STATE_DAMAGED);
    /* [machine] and [place] fields are no part of it */
    with = desc;
    with.workers = 3;
    with.slots = 2;
    with.digest = 1;
    with.world = 4;
    with.rank = 3;
    biost_loader_close(oracle_open(&with));
    bytes_free(&text);
}

TEST(state, other_input_is_refused) {
    uint64_t random = test_seed() + 5;
    text_shape shape = {1200, 60, 60, 0, 0, 0, 0, 0};
    static state_bytes states[STATES_MOST];
    bytes text = {NULL, 0, 0}, two[2];
    biost_loader_desc desc, with;
    biost_memory memory, memories[2];
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    CHECK(text.count > 2 * 65536);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 300;
    desc.workers = 1;
    REQUIRE(states_take(&desc, 0, states) == 4);
    desc.state = states[0].data;
    desc.state_bytes = states[0].count;
    biost_loader_close(oracle_open(&desc));
    with = desc; /* the same text as two inputs */
    two[0] = two[1] = text;
    two[0].count = text.count / 2;
    two[1].data += text.count / 2;
    two[1].count -= text.count / 2;
    oracle_inputs(&with, memories, two, 2);
    refused(&with, BIOST_ERR_STALE, BIOST_FAULT_STATE_INPUT);
    --memory.bytes;
    refused(&desc, BIOST_ERR_STALE, BIOST_FAULT_STATE_INPUT);
    ++memory.bytes;
    text.data[100] ^= 1; /* one bit of its head, of its tail */
    refused(&desc, BIOST_ERR_STALE, BIOST_FAULT_STATE_INPUT);
    text.data[100] ^= 1;
    text.data[text.count - 100] ^= 1;
    refused(&desc, BIOST_ERR_STALE, BIOST_FAULT_STATE_INPUT);
    text.data[text.count - 100] ^= 1;
    memory.name = "another name"; /* names are no part of it */
    biost_loader_close(oracle_open(&desc));
    bytes_free(&text);
}

/* ---- every field of the data ---- */

static int never_called(const biost_record *record, int64_t id, void *user_data) {
    (void)record;
    (void)id;
    (void)user_data;
    return 1;
}

static int label_one(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)record;
    (void)id;
    (void)user_data;
    *(uint8_t *)out_label = 1;
    return 1;
}

static void change_nothing(biost_sample *sample, biost_random *random, void *user_data) {
    (void)sample;
    (void)random;
    (void)user_data;
}

/* Change one [data] field that change_field does not, of a desc of floats without pieces. */
static int change_batch_field(biost_loader_desc *desc, int field) {
    static const int32_t states[256] = {0};
    biost_encoding *encoding = &desc->encoding;
    switch (field) {
    case 0: desc->pad_multiple = 5; return 1;
    case 1: desc->long_records = BIOST_LONG_TAIL; return 1;
    case 2: desc->long_records = BIOST_LONG_CROP; return 1;
    case 3: encoding->layout = BIOST_LAYOUT_NCL; return 1;
    case 4: encoding->channels = "CATG"; return 1;
    case 5: encoding->channels = "ACGU"; return 1;
    case 6: encoding->ambiguous = BIOST_AMBIGUOUS_N; return 1;
    case 7: encoding->ambiguous = BIOST_AMBIGUOUS_HELIXER; return 1;
    case 8: encoding->lower_case = BIOST_LOWER_CASE_CHANNEL; return 1;
    case 9: encoding->lower_case = BIOST_LOWER_CASE_N; return 1;
    case 10: encoding->pad_value = 1; return 1;
    case 11: encoding->pad_side = BIOST_PAD_LEFT; return 1;
    case 12: encoding->dtype = BIOST_DTYPE_BF16; return 1;
    case 13:
        encoding->kind = BIOST_ENCODE_TOKENS;
        encoding->dtype = BIOST_DTYPE_U8;
        encoding->tokens = states;
        return 1;
    case 14: desc->quality.kind = BIOST_QUALITY_PHRED; return 1;
    case 15:
        desc->quality.kind = BIOST_QUALITY_ERROR;
        desc->quality.dtype = BIOST_DTYPE_F32;
        return 1;
    case 16: desc->mask = 1; return 1;
    case 17: desc->labels.make = label_one; return 1;
    case 18: desc->row_bases = 0; return 1;
    case 19:
    case 20:
    case 21:
    case 22:
        encoding->kind = BIOST_ENCODE_TOKENS;
        encoding->dtype = BIOST_DTYPE_I32;
        encoding->kmers.k = field < 21 ? 2 : 0;
        encoding->kmers.stride = field == 20;
        encoding->has_begin = field == 21;
        encoding->has_end = field == 22;
        return 1;
    default: return 0;
    }
}

static int change_record_field(biost_loader_desc *desc, int field) {
    biost_filter *filter = &desc->filter;
    switch (field) {
    case 0: filter->max_error_rate = 0.5f; return 1;
    case 1: filter->min_base_quality = 1; return 1;
    case 2: filter->max_n_fraction = 0.5f; return 1;
    case 3: filter->forbid_n = 1; return 1;
    case 4: filter->subsample_from = 0.125f; return 1;
    case 5: filter->subsample_below = 0.875f; return 1;
    case 6: filter->first_records = 1000; return 1;
    case 7: filter->every_record = 2; return 1;
    case 8: filter->keep = never_called; return 1;
    case 9: desc->augment.crop_bases = 9; return 1;
    case 10: desc->augment.inject_n = 0.125f; return 1;
    case 11: desc->augment.change = change_nothing; return 1;
    case 12: desc->split.by = BIOST_SPLIT_NAME; return 1;
    case 13:
        desc->split.by = BIOST_SPLIT_SEQUENCE;
        desc->split.salt = 1;
        desc->split.below = 0.75f;
        return 1;
    default: return 0;
    }
}

/* The rules of gzip and text: they decide what is read. */
static int change_rule(biost_loader_desc *desc, int field) {
    biost_text_rules *text = &desc->text;
    switch (field) {
    case 0: desc->gzip.require = 1; return 1;
    case 1: desc->gzip.no_crc = 1; return 1;
    case 2: desc->gzip.ignore_bc = 1; return 1;
    case 3: desc->gzip.require_eof_block = 1; return 1;
    case 4: desc->gzip.refuse_padding = 1; return 1;
    case 5: desc->gzip.read_past_zeros = 1; return 1;
    case 6: desc->gzip.ignore_garbage = 1; return 1;
    case 7: text->pedantic = 1; return 1;
    case 8: text->four_lines = 1; return 1;
    case 9: text->require_record = 1; return 1;
    case 10: text->skip_comments = 1; return 1;
    case 11: text->strip_blanks = 1; return 1;
    case 12: text->keep_gt = 1; return 1;
    case 13: text->ignore_plus = 1; return 1;
    case 14: text->phred64 = 1; return 1;
    case 15: text->letters = BIOST_LETTERS_DNA; return 1;
    case 16:
        text->letters = BIOST_LETTERS_DNA;
        text->replace_letters = 1;
        return 1;
    case 17: text->skip_bad = 1; return 1;
    case 18: text->skip_junk = 1; return 1; /* the other two of kseq.h's are refused */
    default: return 0;
    }
}

/* Fields beside one that makes them matter: another width of labels, another dtype, another stride. */
static int change_pair(biost_loader_desc *desc, int field, int second) {
    static int32_t tables[2][256];
    static const char *const channels[] = {"ACGTN", "ACGTX"};
    tables[1]['A'] = 1;
    switch (field) {
    case 0:
        desc->labels.make = label_one;
        desc->labels.width = second ? 2 : 1;
        return 1;
    case 1:
        desc->labels.make = label_one;
        desc->labels.dtype = second ? BIOST_DTYPE_I32 : BIOST_DTYPE_F32;
        return 1;
    case 2:
        desc->long_records = BIOST_LONG_SPLIT;
        desc->split_stride = second ? 8 : 9;
        return 1;
    case 3:
        desc->encoding.kind = BIOST_ENCODE_TOKENS;
        desc->encoding.dtype = BIOST_DTYPE_I32;
        desc->encoding.tokens = tables[second];
        return 1;
    case 4:
        desc->row_bases = 0;
        desc->max_row_bases = second ? 60 : 61;
        return 1;
    case 5:
        desc->quality.kind = BIOST_QUALITY_PHRED;
        desc->quality.dtype = second ? BIOST_DTYPE_U8 : BIOST_DTYPE_F32;
        return 1;
    case 6: desc->encoding.channels = channels[second]; return 1;
    case 10:
        desc->mask = 1;
        desc->mask_dtype = second ? BIOST_DTYPE_F32 : BIOST_DTYPE_U8;
        return 1;
    case 11: /* x has F32, as both tensors have */
        desc->quality.kind = BIOST_QUALITY_PHRED;
        desc->quality.dtype = BIOST_DTYPE_F32;
        desc->quality.in_x = second;
        return 1;
    case 12:
        desc->mask = 1;
        desc->mask_dtype = BIOST_DTYPE_F32;
        desc->mask_in_x = second;
        return 1;
    case 7:
        desc->long_records = second ? BIOST_LONG_CROP : BIOST_LONG_HEAD;
        desc->row_bases = 16;
        return 1;
    case 8: desc->text.skip_bad = second ? 3 : UINT64_MAX; return 1;
    case 9: desc->text.letters = second ? BIOST_LETTERS_DNA_IUPAC : BIOST_LETTERS_DNA; return 1;
    default: return 0;
    }
}

TEST(state, each_field_of_the_data_is_in_it) {
    static int (*const changes[])(biost_loader_desc *, int) = {change_batch_field, change_record_field,
                                                               change_rule};
    static const int counts[] = {23, 14, 19};
    static state_bytes states[STATES_MOST];
    text_shape shape = {57, 1, 50, 0, 0, 0, 0, 0};
    one_text one;
    biost_loader_desc with;
    int group, field;
    one_text_shape(&one, &shape, 4);
    one.desc.batch_rows = 8;
    one.desc.row_bases = 16;
    one.desc.long_records = BIOST_LONG_HEAD;
    one.desc.encoding.dtype = BIOST_DTYPE_F32;
    REQUIRE(states_take(&one.desc, 0, states) > 2);
    one.desc.state = states[1].data;
    one.desc.state_bytes = states[1].count;
    biost_loader_close(oracle_open(&one.desc));
    for (group = 0; group < 3; ++group) {
        for (field = 0, with = one.desc; changes[group](&with, field); with = one.desc, ++field) {
            test_note("group %d, field %d", group, field);
            refused(&with, BIOST_ERR_ARG, BIOST_FAULT_STATE_DESC);
        }
        CHECK_EQ_I64(field, counts[group]);
    }
    for (field = 0, with = one.desc; change_pair(&with, field, 0); with = one.desc, ++field) {
        test_note("pair %d", field);
        with.state = NULL;
        with.state_bytes = 0;
        REQUIRE(states_take(&with, 0, states) > 2);
        with.state = states[1].data;
        with.state_bytes = states[1].count;
        biost_loader_close(oracle_open(&with));
        change_pair(&with, field, 1);
        refused(&with, BIOST_ERR_ARG, BIOST_FAULT_STATE_DESC);
    }
    CHECK_EQ_I64(field, 13);
    bytes_free(&one.text);
}

/* Names are no data, and what a field that matters not says neither; nor what is the default said
   out loud. */
TEST(state, what_is_no_data_is_not_in_it) {
    static state_bytes states[STATES_MOST];
    text_shape shape = {57, 1, 50, 0, 0, 0, 0, 0};
    one_text one;
    one_text_shape(&one, &shape, 4);
    one.desc.batch_rows = 8;
    REQUIRE(states_take(&one.desc, 0, states) > 2);
    one.desc.state = states[1].data;
    one.desc.state_bytes = states[1].count;
    one.desc.names = 1;
    one.desc.name_bytes = 3;
    one.desc.digest = 0;
    one.desc.epochs = 9;
    one.desc.slots = 9;
    one.desc.max_row_bases = 1024;
    one.desc.pad_multiple = 8;
    one.desc.encoding.channels = "ACGT";
    one.desc.shuffle_rows = 1;
    one.desc.filter.subsample_below = 1.0f;
    one.desc.filter.every_record = 1;
    one.desc.max_record_bytes = 64u << 20;
    biost_loader_close(oracle_open(&one.desc));
    bytes_free(&one.text);
}

/* Everything that counts records or needs the whole of one, after every batch: rows, labels, names
   and counts of places go on as if nothing had happened. */
TEST(resume, places_labels_and_strides) {
    static state_bytes states[STATES_MOST];
    static uint32_t one_in = 7;
    static user_labels made = {8, 1};
    uint32_t round;
    for (round = 0; round < 12; ++round) {
        text_shape shape = {150, 0, 70, 0, 20, 0, 0, 1};
        uint64_t random = round;
        one_text one;
        oracle o;
        size_t count, k;
        shape.fasta = (int)(round % 3 == 0);
        one_text_shape(&one, &shape, round + 50);
        one.desc.batch_rows = 12;
        one.desc.row_bases = 20;
        one.desc.long_records = round % 4 == 3 ? BIOST_LONG_CROP : BIOST_LONG_SPLIT;
        one.desc.split_stride = round % 4 == 3 ? 0 : 13;
        one.desc.shuffle_rows = round % 2 * 25;
        one.desc.filter.first_records = round % 5 == 0 ? 0 : 120;
        one.desc.filter.every_record = 1 + round % 3;
        one.desc.filter.subsample_below = round % 2 == 0 ? 0.9375f : 0;
        one.desc.filter.max_n_fraction = 0.25f;
        one.desc.filter.keep = user_keep;
        one.desc.filter.user_data = &one_in;
        one.desc.labels.make = user_make;
        one.desc.labels.user_data = &made;
        one.desc.labels.dtype = BIOST_DTYPE_I64;
        one.desc.names = 1;
        one.desc.mask = 1;
        one.desc.augment.reverse_complement = 0.5f;
        one.desc.augment.inject_n = 0.03125f;
        one.desc.augment.change = user_change;
        one.desc.workers = 1 + round % 3;
        one.desc.test.page_bytes = 200;
        oracle_make(&o, &one.desc, &one.text, 1, 4, ORACLE_ENDS_WELL);
        count = states_take(&one.desc, 4, states);
        CHECK_EQ_U64(count, o.batch_count);
        for (k = 0; k < count && k < STATES_MOST; ++k) {
            random_machine(&one.desc, &random);
            test_note("round %u, after batch %u", (unsigned)round, (unsigned)k);
            resume_at(&one.desc, &states[k], k, &o, NULL);
        }
        oracle_free(&o);
        bytes_free(&one.text);
    }
}

/* Plain text is entered where it must be: what is read after a late resume state is the rest, a page and
   two chunks. Of gzip all of it is read again. */
TEST(resume, source_bytes_are_those_after_the_state) {
    static state_bytes states[STATES_MOST];
    static const char *const names[] = {"resume_rest"};
    const char *path = file_path(names[0]);
    text_shape shape = {4000, 50, 50, 0, 0, 0, 0, 0};
    bytes packed = {NULL, 0, 0};
    one_text one;
    uint32_t kind;
    one_text_shape(&one, &shape, 4);
    gzip_make(&packed, &one.text, one.text.count, 30000, 0);
    for (kind = 0; kind < 4; ++kind) { /* file, gzip file, memory; file with a shuffle */
        const bytes *source = kind == 1 ? &packed : &one.text;
        biost_progress progress;
        biost_loader *loader;
        one.desc.state = NULL;
        one.desc.state_bytes = 0;
        if (kind != 2) {
            file_write(path, source->data, source->count);
            one.desc.memory_count = 0;
            one.desc.memories = NULL;
            one.desc.paths = &path;
            one.desc.path_count = 1;
        } else {
            one.desc.paths = NULL;
            one.desc.path_count = 0;
            oracle_inputs(&one.desc, &one.memory, source, 1);
        }
        one.desc.batch_rows = 100;
        one.desc.row_bases = 50;
        one.desc.epochs = 1;
        one.desc.shuffle_rows = kind == 3 ? 40 : 0; /* W (ln W + 0.6) = 172 records */
        one.desc.test.page_bytes = 4096;
        one.desc.test.chunk_bytes = 8192;
        CHECK_EQ_U64(states_take(&one.desc, 0, states), 40);
        one.desc.state = states[29].data; /* after 3000 of 4000 records */
        one.desc.state_bytes = states[29].count;
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        digest_drain(loader, NULL);
        biost_loader_progress(loader, &progress);
        test_note("kind %u: %llu of %llu bytes", (unsigned)kind, (unsigned long long)progress.source_bytes,
                  (unsigned long long)source->count);
        CHECK_EQ_U64(progress.source_total_bytes, source->count);
        if (kind == 1) {
            CHECK_EQ_U64(progress.source_bytes, source->count);
        } else {
            CHECK(progress.source_bytes < source->count / (kind == 3 ? 2 : 4) + 4096 + 2 * 8192 + 8000);
            CHECK(progress.source_bytes > source->count / 4 - 8000);
        }
        biost_loader_close(loader);
    }
    file_clean(names, 1);
    bytes_free(&packed);
    bytes_free(&one.text);
}

TEST(state, calls_at_the_wrong_time) {
    uint64_t random = test_seed() + 6;
    text_shape shape = {20, 5, 5, 0, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    biost_loader *loader;
    biost_batch batch;
    uint8_t state[512];
    size_t count = 0, i;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 4;
    loader = oracle_open(&desc);
    REQUIRE(loader != NULL);
    CHECK_EQ_U64(biost_loader_first_epoch(loader), 0);
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
    CHECK(biost_loader_state(loader, &batch, state, 512, &count) == BIOST_OK);
    for (i = 0; i < count; ++i) {
        size_t written = 0;
        CHECK(biost_loader_state(loader, &batch, state, i, &written) == BIOST_ERR_ARG);
    }
    CHECK(biost_loader_state(loader, &batch, NULL, 512, &count) == BIOST_ERR_ARG);
    CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    CHECK(biost_loader_state(loader, &batch, state, 512, &count) == BIOST_ERR_ARG);
    CHECK(biost_loader_error(loader) != NULL && biost_loader_error(loader)->code == BIOST_ERR_ARG);
    biost_loader_close(loader);
    bytes_free(&text);
}

/* A resume state of an older version, whole and with its CRC, is told from a damaged one. */
TEST(state, of_another_version) {
    static state_bytes states[STATES_MOST];
    biost_loader *loader = NULL;
    biost_error error;
    one_text one;
    uint32_t crc, i;
    text_shape shape = {57, 1, 50, 0, 0, 0, 0, 0};
    one_text_shape(&one, &shape, 4);
    one.desc.batch_rows = 8;
    REQUIRE(states_take(&one.desc, 0, states) > 2);
    states[1].data[7] = 3;
    crc = gzip_crc(states[1].data, states[1].count - 4);
    for (i = 0; i < 4; ++i) {
        states[1].data[states[1].count - 4 + i] = (uint8_t)(crc >> 8 * i);
    }
    one.desc.state = states[1].data;
    one.desc.state_bytes = states[1].count;
    refused(&one.desc, BIOST_ERR_ARG, BIOST_FAULT_STATE_VERSION);
    CHECK(biost_loader_open(&one.desc, &loader, &error) == BIOST_ERR_ARG);
    CHECK(strstr(error.text, "desc.state is of version 3") != NULL);
    bytes_free(&one.text);
}

/* ---- a callback that decides otherwise ---- */

static int keep_first(const biost_record *record, int64_t id, void *user_data) {
    (void)record;
    return id < *(const int64_t *)user_data;
}

/* What of the rows after a resume state comes before the loader says that the samples are not those of the resume state. */
static biost_result otherwise_drain(const biost_loader_desc *desc, int64_t kept, uint64_t *out_rows) {
    biost_loader_desc with = *desc;
    biost_loader *loader;
    biost_batch batch;
    biost_result result;
    with.filter.user_data = &kept;
    loader = oracle_open(&with);
    *out_rows = 0;
    if (loader == NULL) {
        return BIOST_ERR_ARG;
    }
    result = biost_loader_begin(loader, 0);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        *out_rows += batch.valid_rows;
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    if (result < 0) {
        CHECK_STR(biost_fault_name(biost_loader_error(loader)->fault), "STATE_INPUT");
    }
    biost_loader_close(loader);
    return result;
}

/* A callback that lets fewer records through, or more, than before the resume state: where samples that the resume state counts on
   are missing, that is said, in every order. */
TEST(resume, with_a_callback_that_decides_otherwise) {
    static state_bytes states[STATES_MOST];
    static const uint32_t buffers[] = {0, 8, 300};
    uint32_t w;
    for (w = 0; w < 3; ++w) {
        text_shape shape = {200, 10, 10, 0, 0, 0, 0, 0};
        int64_t kept = 160;
        uint64_t rows;
        one_text one;
        one_text_shape(&one, &shape, 4);
        one.desc.batch_rows = 10;
        one.desc.shuffle_rows = buffers[w];
        one.desc.filter.keep = keep_first;
        one.desc.filter.user_data = &kept;
        test_note("%u cells", (unsigned)buffers[w]);
        CHECK_EQ_U64(states_take(&one.desc, 0, states), 16);
        one.desc.state = states[9].data; /* after 100 rows */
        one.desc.state_bytes = states[9].count;
        CHECK(otherwise_drain(&one.desc, 160, &rows) == BIOST_END);
        CHECK_EQ_U64(rows, 60);
        CHECK(otherwise_drain(&one.desc, 60, &rows) == BIOST_ERR_STALE);
        CHECK_EQ_U64(rows, 0);
        if (w == 2) { /* all 160 are left at the end, in an order that 170 would not have */
            CHECK(otherwise_drain(&one.desc, 170, &rows) == BIOST_ERR_STALE);
            CHECK_EQ_U64(rows, 0);
        }
        bytes_free(&one.text);
    }
}

/* ---- a mended input ---- */

enum { MENDED_RECORDS = 4000, MENDED_BAD = 2000 };

/* Count the rows of each record of `most` batches at most, and keep the resume state of the last one or of that one. */
static biost_result mended_batches(const biost_loader_desc *desc, uint32_t most, uint8_t *seen,
                                   uint8_t *state, size_t *from_bytes) {
    biost_loader *loader = NULL;
    biost_error error;
    biost_batch batch;
    biost_result result = biost_loader_open(desc, &loader, &error);
    if (!CHECK(result == BIOST_OK)) {
        return result;
    }
    result = biost_loader_begin(loader, 0);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        uint32_t i;
        for (i = 0; i < batch.valid_rows; ++i) {
            seen[BIOST_ID_RECORD(batch.origins[i].id)] += 1;
        }
        if (batch.flags & BIOST_BATCH_LAST || most == 1) {
            CHECK(biost_loader_state(loader, &batch, state, 512, from_bytes) == BIOST_OK);
        }
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        if (--most == 0) {
            break;
        }
    }
    biost_loader_close(loader);
    return result;
}

/* The same to the end. */
static biost_result mended_pass(const biost_loader_desc *desc, uint8_t *seen, uint8_t *state,
                                size_t *from_bytes) {
    return mended_batches(desc, UINT32_MAX, seen, state, from_bytes);
}

/*
 * A resume state after the last batch before an error leads, once the input is mended, to the rows after it: none is
 * lost, none comes twice, also of those the shuffle had to let go at the error before their turn. The bad byte
 * lies in the middle, further than the 64 KiB that a resume state knows of either end.
 */
TEST(resume, after_the_error_of_a_mended_input) {
    static const uint32_t windows[] = {0, 2, 8, 500, 10000};
    size_t w, bad_at = 0;
    bytes text;
    uint32_t i;
    memset(&text, 0, sizeof text);
    for (i = 0; i < MENDED_RECORDS; ++i) {
        char record[96];
        snprintf(record, sizeof record, "@r%06u\nACGTACGTACGTACGTACGTACGT\n+\nIIIIIIIIIIIIIIIIIIIIIIII\n",
                 (unsigned)i);
        bytes_words(&text, record);
        if (i == MENDED_BAD) {
            bad_at = text.count - 2;
        }
    }
    for (w = 0; w < 2 * (sizeof windows / sizeof windows[0]); ++w) {
        uint8_t seen[MENDED_RECORDS] = {0}, state[512], last[512];
        size_t from_bytes = 0, last_bytes = 0;
        biost_loader_desc desc;
        biost_memory memory;
        memset(&desc, 0, sizeof desc);
        memset(&memory, 0, sizeof memory);
        memory.data = text.data;
        memory.bytes = text.count;
        desc.memories = &memory;
        desc.memory_count = 1;
        desc.batch_rows = w % 2 == 0 ? 16 : 1; /* 1: stopped while hardly a cell is taken again */
        desc.row_bases = 30;
        desc.shuffle_rows = windows[w / 2];
        desc.test.page_bytes = w % 2 == 0 ? 0 : 333;
        test_note("window %u, batches of %u", (unsigned)desc.shuffle_rows, (unsigned)desc.batch_rows);
        text.data[bad_at] = ' ';
        CHECK(mended_pass(&desc, seen, state, &from_bytes) == BIOST_ERR_TEXT);
        for (i = 0; i < MENDED_RECORDS; ++i) {
            CHECK_EQ_U64(seen[i], i < MENDED_BAD);
        }
        text.data[bad_at] = 'I';
        desc.state = state;
        desc.state_bytes = from_bytes;
        for (i = 0; i < 10; ++i) { /* stopped and resumed again and again */
            CHECK(mended_batches(&desc, 1 + i, seen, last, &last_bytes) == BIOST_OK);
            memcpy(state, last, last_bytes);
            desc.state_bytes = last_bytes;
        }
        CHECK(mended_pass(&desc, seen, last, &last_bytes) == BIOST_END);
        for (i = 0; i < MENDED_RECORDS; ++i) {
            CHECK_EQ_U64(seen[i], 1);
        }
    }
    bytes_free(&text);
}
