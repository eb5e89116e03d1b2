/*
 * test_cuda_stress - the ring of biostream_cuda.h in orders of events that seldom happen by themselves: step by step
 * where one order shows a wait that is missing, and drawn at random.
 *
 * As in test_cuda_ring.c a plain loader says what each batch must be, and kernels of the fake's compare it when their
 * stream comes to it. In the steps a copy is one step, and so are an expansion and a kernel; waits and records
 * take none: that a stream cannot go on means that it waits.
 *
 * rooms: cuda_ring cuda_device
 * needs: loader threads library dlopen
 */
#include "white_cuda.h"
#include "test.h"
#include "fake_cuda.h"
#include "cuda_rig.h"

/* ---- step by step ----------------------------------------------------------------------------------- */

/* A rig whose streams go on only when told, with `expands` of half floats, else of bytes that cross as they are. */
static void steps_make(rig *r, uint32_t records, int expands) {
    fake_cuda_options options;
    memset(&options, 0, sizeof options);
    options.stepped = 1;
    options.whole_copies = 1;
    rig_make(r, records, &options);
    r->loader.slots = 8;
    if (!expands) {
        r->loader.encoding.kind = BIOST_ENCODE_TOKENS;
        r->loader.encoding.dtype = BIOST_DTYPE_U8;
    }
}

/* Open, with what open itself asked of the device done. */
static int steps_open(rig *r) {
    return rig_open(r) && CHECK_EQ_I64(fake_cuda_finish(r->fake), 0);
}

static int step(rig *r, biost_cuda_stream stream) {
    return fake_cuda_step(r->fake, fake_cuda_stream_index(stream));
}

/* All that a stream can do now. Returns how many steps. */
static int step_all(rig *r, biost_cuda_stream stream) {
    int count = 0;
    while (step(r, stream)) {
        ++count;
    }
    return count;
}

static biost_cuda_stream copy_stream(const rig *r, uint32_t which) {
    return r->cuda->devices[0].streams[which];
}

/* Have so many batches sent, and none handed out: a consumer that captures is refused, but copies are asked for. */
static void send(rig *r, uint32_t count) {
    biost_cuda_batch batch;
    fake_cuda_capture(r->fake, r->stream, 1);
    do {
        CHECK_EQ_I64(biost_cuda_next(r->cuda, &r->stream, &batch), BIOST_ERR_ARG);
    } while (r->cuda->queue_count < count);
    fake_cuda_capture(r->fake, r->stream, 0);
    CHECK_EQ_U64(r->cuda->queue_count, count);
}

/* A kernel that only looks, so that another may do so too. */
static void look(void *data) {
    compare((consumer *)data, 0);
}

static void look_on(rig *r, consumer *c, const biost_cuda_batch *batch, const expected_batch *expected,
                    biost_cuda_stream stream) {
    uint32_t i;
    memset(c, 0, sizeof *c);
    c->fake = r->fake;
    c->batch = *batch;
    c->expected = expected;
    for (i = 0; i < batch->tensor_count; ++i) {
        c->tensors[i] = batch->tensors[i];
    }
    fake_cuda_launch(r->fake, batch->device, stream, look, c);
}

/* Where codes are expanded, that their copy has passed is not enough for a consumer. */
TEST(cuda_steps, consumers_wait_for_the_expansion) {
    rig r;
    expected_run *run;
    biost_cuda_batch batch;
    consumer c;
    steps_make(&r, 24 * 2, 1);
    r.desc.copy_streams = 1;
    r.desc.device_slots = 2;
    run = expect(&r.loader, 1, 0);
    REQUIRE(steps_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    send(&r, 2);
    CHECK(step(&r, copy_stream(&r, 0)));
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
    CHECK_EQ_U64(r.cuda->given_back, 1); /* it is known that the copy has passed */
    look_on(&r, &c, &batch, &run->batches[0][0], r.stream);
    CHECK_EQ_I64(step_all(&r, r.stream), 0);
    CHECK(step(&r, copy_stream(&r, 0)));
    CHECK_EQ_I64(step_all(&r, r.stream), 1);
    CHECK(c.is_done && !c.is_bad);
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    expected_free(run);
    rig_end(&r);
}

/* Of a copy that is known to have passed the consumer's stream is asked nothing: a wait less for each batch. */
TEST(cuda_steps, no_wait_for_what_has_passed) {
    int passed;
    for (passed = 0; passed < 2; ++passed) {
        rig r;
        biost_cuda_batch batches[2];
        uint64_t before;
        uint32_t i;
        steps_make(&r, 24 * 2, 0);
        r.desc.device_slots = 2;
        REQUIRE(steps_open(&r));
        CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
        send(&r, 2);
        for (i = 0; passed && i < 2; ++i) {
            CHECK_EQ_I64(step_all(&r, copy_stream(&r, i)), 1);
        }
        before = fake_cuda_count(r.fake, FAKE_STREAM_WAIT);
        for (i = 0; i < 2; ++i) {
            CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batches[i]), BIOST_OK);
        }
        CHECK_EQ_U64(fake_cuda_count(r.fake, FAKE_STREAM_WAIT) - before, passed ? 0 : 2);
        for (i = 0; i < 2; ++i) {
            CHECK_EQ_I64(biost_cuda_release(r.cuda, &batches[i], r.stream), BIOST_OK);
        }
        rig_end(&r);
    }
}

/*
 * A batch that begin took back may still be copied into its slot: the copy that follows there, on another stream,
 * waits for that. Of three slots in turn over two streams the fourth batch is the first slot's and the second
 * stream's.
 */
TEST(cuda_steps, copies_wait_for_what_begin_took_back) {
    int expands;
    for (expands = 0; expands < 2; ++expands) {
        rig r;
        expected_run *run;
        biost_cuda_batch batch;
        consumer c;
        test_note("expands %d", expands);
        steps_make(&r, 24 * 6, expands);
        r.loader.shuffle_rows = 100; /* another first batch in another epoch */
        r.desc.copy_streams = 2;
        r.desc.device_slots = 3;
        run = expect(&r.loader, 1, 1);
        REQUIRE(steps_open(&r));
        CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
        send(&r, 3);
        CHECK_EQ_I64(biost_cuda_begin(r.cuda, 1), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
        CHECK_EQ_U64(batch.slot, 0);
        look_on(&r, &c, &batch, &run->batches[0][0], r.stream);
        CHECK_EQ_I64(step_all(&r, copy_stream(&r, 1)), 1 + expands); /* the second batch; the fourth waits */
        CHECK_EQ_I64(step_all(&r, r.stream), 0);
        (void)step_all(&r, copy_stream(&r, 0));
        CHECK(step_all(&r, copy_stream(&r, 1)) > 0);
        CHECK_EQ_I64(step_all(&r, r.stream), 1);
        CHECK(c.is_done && !c.is_bad);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        expected_free(run);
        rig_end(&r);
    }
}

/* Release by one stream and the deleter of an export by another, either first: the slot waits for the slow one. */
static void use_twice(int is_release_first) {
    rig r;
    expected_run *run;
    biost_cuda_batch first, batch;
    biost_cuda_stream slow, prompt;
    consumer slow_one, prompt_one;
    void *managed = NULL;
    uint32_t i;
    steps_make(&r, 24 * 4, 0);
    r.desc.device_slots = 2;
    r.desc.copy_streams = 1;
    run = expect(&r.loader, 1, 0);
    slow = fake_cuda_stream(r.fake, 0);
    prompt = fake_cuda_stream(r.fake, 0);
    REQUIRE(steps_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, is_release_first ? &slow : &prompt, &first), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_export(r.cuda, &first, 0, 0, is_release_first ? prompt : slow, &managed),
                 BIOST_OK);
    look_on(&r, &slow_one, &first, &run->batches[0][0], slow);
    look_on(&r, &prompt_one, &first, &run->batches[0][0], prompt);
    /* The slow one says first that it is done, so that the other's record must stand for both. */
    if (is_release_first) {
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &first, slow), BIOST_OK);
        delete_export(managed);
    } else {
        delete_export(managed);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &first, prompt), BIOST_OK);
    }
    for (i = 1; i < 3; ++i) { /* the other slot, then this one */
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
        CHECK_EQ_U64(batch.slot == first.slot, i == 2);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    }
    CHECK_EQ_I64(step_all(&r, copy_stream(&r, 0)), 2);
    CHECK_EQ_I64(step_all(&r, prompt), 1);
    CHECK_EQ_I64(step_all(&r, copy_stream(&r, 0)), 0);
    CHECK_EQ_I64(step_all(&r, slow), 1);
    CHECK(step_all(&r, copy_stream(&r, 0)) >= 1);
    CHECK(slow_one.is_done && !slow_one.is_bad && prompt_one.is_done && !prompt_one.is_bad);
    expected_free(run);
    rig_end(&r);
}

TEST(cuda_steps, slots_wait_for_all_who_used_them) {
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers");
    }
    use_twice(0);
    use_twice(1);
}

/* What was deleted during a capture is come for once: after that a next enters its device once again. */
TEST(cuda_steps, leases_are_come_for_once) {
    rig r;
    biost_cuda_batch batch;
    biost_cuda_stream reader;
    void *managed = NULL;
    uint64_t before;
    int i;
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers");
    }
    rig_make(&r, 24 * 12, NULL);
    reader = fake_cuda_stream(r.fake, 0);
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
    REQUIRE(biost_cuda_export(r.cuda, &batch, 0, 0, reader, &managed) == BIOST_OK);
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    fake_cuda_capture(r.fake, reader, 1);
    delete_export(managed);
    fake_cuda_capture(r.fake, reader, 0);
    for (i = 0; i < 6; ++i) {
        (void)fake_cuda_finish(r.fake); /* host slots come back by themselves: no visit more for them */
        before = fake_cuda_count(r.fake, FAKE_ENTER);
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
        CHECK_EQ_U64(fake_cuda_count(r.fake, FAKE_ENTER) - before, i == 0 ? 2 : 1);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    }
    rig_end(&r);
}

/* ---- captures on one of two devices ----------------------------------------------------------------- */

/* The epoch of `run`, from its first batch to its end, on both devices. */
static void take_epoch(rig *r, const biost_cuda_stream *streams, const expected_run *run) {
    static consumer consumers[BATCHES_MOST][2];
    biost_cuda_batch batches[2];
    biost_result result;
    uint32_t count = 0, b, d;
    memset(consumers, 0, sizeof consumers);
    while ((result = biost_cuda_next(r->cuda, streams, batches)) == BIOST_OK && count < run->count) {
        use_batches(r->fake, batches, consumers[count], streams, run, count, 2, 1);
        for (d = 0; d < 2; ++d) {
            CHECK_EQ_I64(biost_cuda_release(r->cuda, &batches[d], streams[d]), BIOST_OK);
        }
        ++count;
    }
    CHECK_EQ_I64(result, BIOST_END);
    CHECK_EQ_U64(count, run->count);
    (void)fake_cuda_finish(r->fake);
    for (b = 0; b < count; ++b) {
        for (d = 0; d < 2; ++d) {
            CHECK(consumers[b][d].is_done && !consumers[b][d].is_bad);
        }
    }
}

/* One device's consumer captures: refused, and what was on its way to both goes on where it was. */
TEST(cuda_steps, one_of_two_consumers_captures) {
    int which, begins;
    for (which = 0; which < 2; ++which) {
        for (begins = 0; begins < 2; ++begins) {
            fake_cuda_options options;
            rig r;
            biost_cuda_stream streams[2];
            biost_cuda_batch batches[2];
            expected_run *run;
            test_note("device %d, begins %d", which, begins);
            memset(&options, 0, sizeof options);
            options.device_count = 2;
            options.max_delay_us = 50;
            rig_make(&r, 24 * 9, &options);
            r.loader.shuffle_rows = 60;
            r.desc.devices = device_numbers;
            r.desc.device_count = 2;
            streams[0] = r.stream;
            streams[1] = fake_cuda_stream(r.fake, 1);
            run = expect(&r.loader, 2, (uint64_t)begins);
            REQUIRE(rig_open(&r));
            CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
            fake_cuda_capture(r.fake, streams[which], 1);
            CHECK_EQ_I64(biost_cuda_next(r.cuda, streams, batches), BIOST_ERR_ARG);
            CHECK_EQ_I64(biost_cuda_next(r.cuda, streams, batches), BIOST_ERR_ARG);
            CHECK_EQ_U64(batches[0].rows + batches[1].rows, 0);
            fake_cuda_capture(r.fake, streams[which], 0);
            if (begins) {
                CHECK_EQ_I64(biost_cuda_begin(r.cuda, 1), BIOST_OK);
            }
            take_epoch(&r, streams, run);
            expected_free(run);
            rig_end(&r);
        }
    }
}

/* ---- calls that hand nothing out -------------------------------------------------------------------- */

/* By try_next alone, and with hardly a host slot: all batches arrive. */
TEST(cuda_steps, polls_get_all_batches) {
    uint32_t slots;
    for (slots = 1; slots <= 2; ++slots) {
        static consumer consumers[BATCHES_MOST];
        fake_cuda_options options;
        rig r;
        expected_run *run;
        biost_cuda_batch batch;
        biost_result result;
        uint32_t count = 0, i;
        test_note("slots %u", (unsigned)slots);
        memset(&options, 0, sizeof options);
        memset(consumers, 0, sizeof consumers);
        options.max_delay_us = 100;
        rig_make(&r, 24 * 12 + 5, &options);
        r.loader.slots = slots;
        run = expect(&r.loader, 1, 0);
        REQUIRE(rig_open(&r));
        CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
        while ((result = biost_cuda_try_next(r.cuda, &r.stream, &batch)) != BIOST_END && result >= 0) {
            if (result == BIOST_OK && CHECK(count < run->count)) {
                use_batches(r.fake, &batch, &consumers[count], &r.stream, run, count, 1, 1);
                CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
                ++count;
            }
        }
        CHECK_EQ_I64(result, BIOST_END);
        CHECK_EQ_U64(count, run->count);
        (void)fake_cuda_finish(r.fake);
        for (i = 0; i < count; ++i) {
            CHECK(consumers[i].is_done && !consumers[i].is_bad);
        }
        expected_free(run);
        rig_end(&r);
    }
}

enum { LABELS_AT_ONCE = 24 * 5 }; /* of the first rows */

/* The labels of other rows are not to be had before the test says so. */
static int label_when_told(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)record;
    while (id >= LABELS_AT_ONCE && !__atomic_load_n((int *)user_data, __ATOMIC_ACQUIRE)) {
        pause_us(100);
    }
    *(uint8_t *)out_label = 1;
    return 1;
}

/* Host slots come back by every call, also by those that answer PENDING and END. */
TEST(cuda_steps, calls_that_lend_nothing_give_host_slots_back) {
    rig r;
    biost_cuda_batch batch;
    biost_result result;
    int is_told = 0;
    steps_make(&r, 24 * 7, 0);
    r.loader.workers = 1;
    r.loader.test.page_bytes = 512;
    r.loader.labels.make = label_when_told;
    r.loader.labels.dtype = BIOST_DTYPE_U8;
    r.loader.labels.width = 1;
    r.loader.labels.user_data = &is_told;
    REQUIRE(steps_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    do {
        result = biost_cuda_try_next(r.cuda, &r.stream, &batch);
        if (result == BIOST_OK) {
            CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        }
    } while (result == BIOST_OK || (result == BIOST_PENDING && r.cuda->sent < 2));
    CHECK_EQ_I64(result, BIOST_PENDING);
    CHECK_EQ_U64(r.cuda->given_back, 0);
    (void)fake_cuda_finish(r.fake);
    while ((result = biost_cuda_try_next(r.cuda, &r.stream, &batch)) == BIOST_OK) {
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        (void)fake_cuda_finish(r.fake);
    }
    CHECK_EQ_I64(result, BIOST_PENDING);
    CHECK_EQ_U64(r.cuda->given_back, r.cuda->sent);
    __atomic_store_n(&is_told, 1, __ATOMIC_RELEASE);
    while ((result = biost_cuda_next(r.cuda, &r.stream, &batch)) == BIOST_OK) {
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        (void)fake_cuda_finish(r.fake);
    }
    CHECK_EQ_I64(result, BIOST_END);
    CHECK_EQ_U64(r.cuda->given_back, 7);
    rig_end(&r);
}

/* The end is known with the last batch: all host slots are that copy's, and once it has passed a poll says END. */
TEST(cuda_steps, polls_see_the_end_at_once) {
    rig r;
    biost_cuda_batch batch;
    steps_make(&r, 20, 0);
    r.loader.slots = 1;
    REQUIRE(steps_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_try_next(r.cuda, &r.stream, &batch), BIOST_PENDING);
    (void)fake_cuda_finish(r.fake);
    CHECK_EQ_I64(biost_cuda_try_next(r.cuda, &r.stream, &batch), BIOST_END);
    rig_end(&r);
}

/* The host waits for a copy only where that has not passed. */
TEST(cuda_steps, no_host_wait_for_what_has_passed) {
    rig r;
    biost_cuda_batch batch;
    biost_cuda_counters counters;
    uint64_t before;
    uint32_t i;
    steps_make(&r, 24 * 5, 0);
    r.loader.slots = 1;
    REQUIRE(steps_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    before = fake_cuda_count(r.fake, FAKE_EVENT_WAIT);
    for (i = 0; i < 5; ++i) {
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        if (i < 3) {
            (void)fake_cuda_finish(r.fake);
        }
    }
    memset(&counters, 0, sizeof counters);
    biost_cuda_count(r.cuda, &counters);
    CHECK_EQ_U64(counters.host_wait_count, 1); /* of the fourth, for the fifth */
    CHECK_EQ_U64(fake_cuda_count(r.fake, FAKE_EVENT_WAIT) - before, 1);
    rig_end(&r);
}

/* ---- deleters and release at once ------------------------------------------------------------------- */

enum { DELETERS = 3, ROUNDS = 30 };

/* A provider in front of the fake that sees whether two threads record at once. */
static struct {
    biost_cuda_provider provider;
    const biost_cuda_provider *inner;
    int is_watching, inside, at_once;
} crowd;

static int crowd_record(void *state, void *event, biost_cuda_stream stream) {
    int watching = __atomic_load_n(&crowd.is_watching, __ATOMIC_RELAXED), error;
    if (watching && __atomic_add_fetch(&crowd.inside, 1, __ATOMIC_RELAXED) > 1) {
        (void)__atomic_add_fetch(&crowd.at_once, 1, __ATOMIC_RELAXED);
    }
    if (watching) {
        pause_us(100);
    }
    error = crowd.inner->event_record(state, event, stream);
    if (watching) {
        (void)__atomic_sub_fetch(&crowd.inside, 1, __ATOMIC_RELAXED);
    }
    return error;
}

typedef struct ending {
    pthread_barrier_t *start;
    rig *r;
    const biost_cuda_batch *batch;
    void *managed; /* NULL: the batch is released */
    pthread_t thread;
} ending;

static void *end_at_once(void *argument) {
    ending *e = (ending *)argument;
    (void)pthread_barrier_wait(e->start);
    if (e->managed != NULL) {
        delete_export(e->managed);
    } else {
        CHECK_EQ_I64(biost_cuda_release(e->r->cuda, e->batch, e->r->stream), BIOST_OK);
    }
    return NULL;
}

/* One batch: its exports are deleted and it is released on threads of their own, at once. */
static void end_together(rig *r, const biost_cuda_stream *readers, const expected_run *run, uint32_t b) {
    consumer consumers[DELETERS + 1];
    ending all[DELETERS + 1];
    biost_cuda_batch batch;
    pthread_barrier_t start;
    int i;
    REQUIRE(biost_cuda_next(r->cuda, &r->stream, &batch) == BIOST_OK);
    REQUIRE(pthread_barrier_init(&start, NULL, DELETERS + 1) == 0);
    memset(all, 0, sizeof all);
    for (i = 0; i <= DELETERS; ++i) {
        biost_cuda_stream stream = i < DELETERS ? readers[i] : r->stream;
        all[i].start = &start;
        all[i].r = r;
        all[i].batch = &batch;
        if (i < DELETERS) {
            REQUIRE(biost_cuda_export(r->cuda, &batch, 0, 0, stream, &all[i].managed) == BIOST_OK);
        }
        look_on(r, &consumers[i], &batch, &run->batches[0][b], stream);
    }
    __atomic_store_n(&crowd.is_watching, 1, __ATOMIC_RELAXED);
    for (i = 0; i <= DELETERS; ++i) {
        REQUIRE(pthread_create(&all[i].thread, NULL, end_at_once, &all[i]) == 0);
    }
    for (i = 0; i <= DELETERS; ++i) {
        pthread_join(all[i].thread, NULL);
    }
    __atomic_store_n(&crowd.is_watching, 0, __ATOMIC_RELAXED);
    (void)pthread_barrier_destroy(&start);
    (void)fake_cuda_finish(r->fake);
    for (i = 0; i <= DELETERS; ++i) {
        CHECK(consumers[i].is_done && !consumers[i].is_bad);
    }
}

TEST(cuda_steps, deleters_and_release_take_turns) {
    fake_cuda_options options;
    rig r;
    expected_run *run;
    biost_cuda_stream readers[DELETERS];
    uint32_t i;
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers");
    }
    memset(&options, 0, sizeof options);
    options.max_delay_us = 100;
    rig_make(&r, 24 * ROUNDS, &options);
    r.desc.timeline_count = 4;
    run = expect(&r.loader, 1, 0);
    memset(&crowd, 0, sizeof crowd);
    crowd.inner = r.desc.provider;
    crowd.provider = *crowd.inner;
    crowd.provider.event_record = crowd_record;
    r.desc.provider = &crowd.provider;
    for (i = 0; i < DELETERS; ++i) {
        readers[i] = fake_cuda_stream(r.fake, 0);
    }
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    for (i = 0; i < ROUNDS; ++i) {
        end_together(&r, readers, run, i);
    }
    CHECK_EQ_I64(crowd.at_once, 0);
    expected_free(run);
    rig_end(&r);
}

/* ---- random schedules ------------------------------------------------------------------------------- */

enum { STREAMS = 4, EPOCHS = 3, JOBS_MOST = 4096, SPANS_MOST = 64, HELPERS = 3, COPIES_MOST = 8 };

/* One kernel. Of a batch without exports there is one, which spoils the slot. */
typedef struct use {
    struct use *next;
    consumer c;
    int spoils;
} use;

/* What a helper is to end: a loan, or an export. */
typedef struct job {
    biost_cuda_batch batch;
    biost_cuda_stream stream; /* its consumer */
    uint32_t at;              /* which of its device's that is */
    void *managed;            /* NULL: a loan */
} job;

typedef struct schedule schedule;

typedef struct helper {
    schedule *s;
    uint64_t seed;
    pthread_t thread;
} helper;

/* One biost_cuda, and what is drawn for it. */
struct schedule {
    uint64_t seed;
    fake_cuda *fake;
    input in;
    biost_loader_desc loader;
    biost_cuda_desc desc;
    biost_cuda *cuda;
    expected_run *runs[EPOCHS];
    biost_cuda_stream streams[DEVICES_MOST][STREAMS], copies[DEVICES_MOST * COPIES_MOST];
    int captures[DEVICES_MOST][STREAMS], copy_captures[DEVICES_MOST * COPIES_MOST];
    int with_captures, fails, is_broken; /* fails: a call of the provider's; is_broken: all after it too */
    uint32_t epoch, position;            /* of the next batch */
    int has_begun;
    use *uses;
    pthread_rwlock_t gate; /* read where a stream's capture matters, written where one begins or ends */
    pthread_mutex_t lock;  /* over the two below */
    job jobs[JOBS_MOST];
    int job_count, in_hand;
    int is_over; /* atomic; helpers end */
    helper helpers[HELPERS], capturer;
};

static uint32_t draw(uint64_t *seed, uint32_t count) {
    return (uint32_t)(test_random(seed) % count);
}

static uint32_t draw_of(uint64_t *seed, const uint32_t *of, uint32_t count) {
    return of[draw(seed, count)];
}

/* -- loans and exports, ended by helpers -- */

static void job_push(schedule *s, const job *j) {
    pthread_mutex_lock(&s->lock);
    if (s->job_count == JOBS_MOST) {
        abort();
    }
    s->jobs[s->job_count++] = *j;
    pthread_mutex_unlock(&s->lock);
}

/* Any of them. Returns 0 where there is none. */
static int job_pop(schedule *s, uint64_t *seed, job *out) {
    int found;
    pthread_mutex_lock(&s->lock);
    found = s->job_count > 0;
    if (found) {
        uint32_t which = draw(seed, (uint32_t)s->job_count);
        *out = s->jobs[which];
        s->jobs[which] = s->jobs[--s->job_count];
        ++s->in_hand;
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

/* Returns 0 where it is to be tried again. */
static int job_do(const schedule *s, const job *j) {
    int captures;
    biost_result result;
    if (j->managed != NULL) {
        delete_export(j->managed);
        return 1;
    }
    captures = s->captures[j->batch.device_index][j->at];
    result = biost_cuda_release(s->cuda, &j->batch, j->stream);
    if (s->fails && result == BIOST_ERR_DEVICE) {
        return s->is_broken;
    }
    CHECK_EQ_I64(result, captures ? BIOST_ERR_ARG : BIOST_OK);
    if (result == BIOST_OK) { /* a second time */
        CHECK_EQ_I64(biost_cuda_release(s->cuda, &j->batch, j->stream), BIOST_ERR_ARG);
    }
    return result == BIOST_OK;
}

static void *help(void *argument) {
    helper *h = (helper *)argument;
    schedule *s = h->s;
    while (!__atomic_load_n(&s->is_over, __ATOMIC_ACQUIRE)) {
        job j;
        if (job_pop(s, &h->seed, &j)) {
            int is_done;
            pthread_rwlock_rdlock(&s->gate);
            is_done = job_do(s, &j);
            pthread_rwlock_unlock(&s->gate);
            if (!is_done) {
                job_push(s, &j);
            }
            pthread_mutex_lock(&s->lock);
            --s->in_hand;
            pthread_mutex_unlock(&s->lock);
        } else {
            pause_us(20);
        }
    }
    return NULL;
}

static void set_capture(schedule *s, uint32_t device, uint32_t at, int captures) {
    if (s->streams[device][at] != NULL) {
        fake_cuda_capture(s->fake, s->streams[device][at], captures);
        s->captures[device][at] = captures;
    }
}

/* How many streams for copies the test has: none, or of each device as many. */
static uint32_t count_copies(const schedule *s) {
    return s->desc.streams == NULL ? 0 : s->desc.device_count * s->desc.copy_streams;
}

static void set_copy_capture(schedule *s, uint32_t at, int captures) {
    fake_cuda_capture(s->fake, s->copies[at], captures);
    s->copy_captures[at] = captures;
}

static int copies_capture(const schedule *s) {
    uint32_t i, count = count_copies(s), captures = 0;
    for (i = 0; i < count; ++i) {
        captures |= s->copy_captures[i] != 0;
    }
    return captures != 0;
}

/* Captures begin and end, on any stream; those for copies capture seldom, as all is refused then. */
static void *capture_sometimes(void *argument) {
    helper *h = (helper *)argument;
    schedule *s = h->s;
    while (!__atomic_load_n(&s->is_over, __ATOMIC_ACQUIRE)) {
        uint32_t device = draw(&h->seed, s->desc.device_count), at = draw(&h->seed, STREAMS);
        pthread_rwlock_wrlock(&s->gate);
        set_capture(s, device, at, !s->captures[device][at] && draw(&h->seed, 3) == 0);
        if (count_copies(s) > 0) {
            uint32_t copy = draw(&h->seed, count_copies(s)), i;
            for (i = 0; i < count_copies(s); ++i) {
                set_copy_capture(s, i, i == copy && draw(&h->seed, 4) == 0);
            }
        }
        pthread_rwlock_unlock(&s->gate);
        pause_us(30 + (long)draw(&h->seed, 200));
    }
    return NULL;
}

static void helpers_start(schedule *s, uint32_t count, int captures) {
    uint32_t i;
    __atomic_store_n(&s->is_over, 0, __ATOMIC_RELEASE);
    for (i = 0; i <= count; ++i) {
        helper *h = i < count ? &s->helpers[i] : &s->capturer;
        h->s = s;
        h->seed = test_random(&s->seed);
        if ((i < count || captures) &&
            pthread_create(&h->thread, NULL, i < count ? help : capture_sometimes, h) != 0) {
            abort();
        }
    }
}

static void helpers_end(schedule *s, uint32_t count, int captures) {
    uint32_t i;
    __atomic_store_n(&s->is_over, 1, __ATOMIC_RELEASE);
    for (i = 0; i < count; ++i) {
        pthread_join(s->helpers[i].thread, NULL);
    }
    if (captures) {
        pthread_join(s->capturer.thread, NULL);
    }
}

/* -- what is drawn -- */

static void draw_loader(schedule *s) {
    static const uint32_t slots[] = {0, 1, 2, 3, 8};
    uint64_t *seed = &s->seed;
    uint32_t kind = draw(seed, 4);
    input_make(&s->in, 24 * (4 + draw(seed, 12)) + draw(seed, 24));
    if (draw(seed, 6) == 0) { /* an error in the text */
        s->in.memory.bytes -= s->in.memory.bytes / 4 + draw(seed, 50);
    }
    s->loader = base_desc(&s->in);
    s->loader.shuffle_rows = draw(seed, 3) == 0 ? 64 : 0;
    s->loader.slots = draw_of(seed, slots, 5);
    s->loader.tail = draw(seed, 2) ? BIOST_TAIL_PAD : BIOST_TAIL_SHORT;
    s->loader.names = draw(seed, 2) != 0;
    s->desc.no_expand = kind == 1;
    if (kind == 0) {
        s->loader.encoding.kind = BIOST_ENCODE_TOKENS;
        s->loader.encoding.dtype = BIOST_DTYPE_U8;
    } else if (kind > 1) {
        s->loader.encoding.dtype = BIOST_DTYPE_F16;
    }
    if (draw(seed, 3) == 0) {
        s->loader.quality.kind = BIOST_QUALITY_PHRED;
        s->loader.quality.dtype = BIOST_DTYPE_F32;
    }
    if (draw(seed, 3) == 0) {
        s->loader.row_bases = 0;
        s->loader.max_row_bases = 64;
    }
}

/* Streams of the test's: consumers, CUDA's default one among them, and sometimes those for copies. */
static void draw_streams(schedule *s) {
    int has_copies = draw(&s->seed, 3) == 0;
    uint32_t d, i;
    for (d = 0; d < s->desc.device_count; ++d) {
        for (i = 0; i < STREAMS; ++i) {
            int is_default = i == 0 && draw(&s->seed, 2) == 0;
            s->streams[d][i] = is_default ? NULL : fake_cuda_stream(s->fake, (int)d);
        }
        for (i = 0; has_copies && i < s->desc.copy_streams; ++i) {
            s->copies[d * s->desc.copy_streams + i] = fake_cuda_stream(s->fake, (int)d);
        }
    }
    s->desc.streams = has_copies ? s->copies : NULL;
}

/* Draw all and open it. Returns 0 where that failed. */
static int schedule_open(schedule *s, uint64_t number) {
    static const uint32_t delays[] = {0, 20, 200, 800}, slots[] = {2, 2, 3, 4, 7, 64},
                          times[] = {0, 0, 1, 3, 20};
    fake_cuda_options options;
    biost_error error;
    uint32_t i;
    memset(s, 0, sizeof *s);
    s->seed = test_seed() + number;
    pthread_rwlock_init(&s->gate, NULL);
    pthread_mutex_init(&s->lock, NULL);
    memset(&options, 0, sizeof options);
    options.seed = number;
    options.device_count = 1 + (int)draw(&s->seed, 3);
    options.max_delay_us = draw_of(&s->seed, delays, 4);
    options.poison_copies = draw(&s->seed, 2) != 0;
    draw_loader(s);
    s->fake = fake_cuda_new(&options);
    s->desc.loader = &s->loader;
    s->desc.provider = fake_cuda_provider(s->fake);
    s->desc.devices = device_numbers;
    s->desc.device_count = (uint32_t)options.device_count;
    s->desc.device_slots = draw_of(&s->seed, slots, 6);
    s->desc.copy_streams = 1 + draw(&s->seed, COPIES_MOST);
    s->desc.timeline_count = draw_of(&s->seed, times, 5);
    s->with_captures = draw(&s->seed, 3) != 0;
    s->fails = draw(&s->seed, 4) == 0;
    draw_streams(s);
    for (i = 0; i < EPOCHS; ++i) {
        s->runs[i] = expect(&s->loader, s->desc.device_count, i);
    }
    if (!CHECK(biost_cuda_open(&s->desc, &s->cuda, &error) == BIOST_OK)) {
        printf("  %s\n", error.text);
    } else if (s->fails) {
        s->is_broken = draw(&s->seed, 2) != 0;
        fake_cuda_fail(s->fake, FAKE_ANY, 20 + draw(&s->seed, 400), 719, s->is_broken);
    }
    return s->cuda != NULL;
}

/* -- calls of the owner's -- */

/* Is this how a schedule may end in which a call of the provider's failed? */
static int is_failure(schedule *s, biost_result result) {
    return s->fails && result == BIOST_ERR_DEVICE && CHECK(fake_cuda_failed_count(s->fake) > 0) &&
           CHECK(strstr(biost_cuda_error(s->cuda)->text, "CUDA_ERROR_") != NULL);
}

/* The loader's last word on this epoch is the plain loader's, after as many batches. Returns 0 where all ends. */
static int check_end(schedule *s, biost_result result) {
    const expected_run *run = s->runs[s->epoch];
    if (is_failure(s, result)) {
        return 0;
    }
    CHECK_EQ_U64(s->position, run->count);
    CHECK_EQ_I64(result, run->result);
    if (result < 0) {
        CHECK_STR(biost_cuda_error(s->cuda)->text, run->sentence);
    }
    return result == BIOST_END;
}

static int call_begin(schedule *s) {
    uint32_t epoch = draw(&s->seed, EPOCHS);
    biost_result result = biost_cuda_begin(s->cuda, epoch);
    if (result != BIOST_OK) { /* an error that is not reached yet may end it, too */
        CHECK(is_failure(s, result) || s->runs[epoch]->result == result);
        return 0;
    }
    s->epoch = epoch;
    s->position = 0;
    s->has_begun = 1;
    return 1;
}

/* What is known of the times is in order. */
static int call_timeline(schedule *s) {
    biost_cuda_span spans[SPANS_MOST];
    uint32_t count = 0, i, k;
    biost_result result = biost_cuda_timeline(s->cuda, draw(&s->seed, s->desc.device_count), spans,
                                              SPANS_MOST, &count);
    if (result != BIOST_OK) {
        CHECK(is_failure(s, result));
        return 0;
    }
    for (i = 0; i < count; ++i) {
        const double times[5] = {spans[i].copy_start_us, spans[i].copy_end_us, spans[i].expand_end_us,
                                 spans[i].use_start_us, spans[i].use_end_us};
        double last = BIOST_CUDA_NO_TIME;
        CHECK(i == 0 || spans[i].number > spans[i - 1].number);
        for (k = 0; k < 5; ++k) {
            CHECK(times[k] <= BIOST_CUDA_NO_TIME || times[k] >= last);
            last = times[k] > last ? times[k] : last;
        }
    }
    return 1;
}

static void launch_use(schedule *s, const biost_cuda_batch *batch, const expected_batch *expected,
                       biost_cuda_stream stream, int spoils);

/* Export a batch some times, on any streams of its device; one that captures is refused. */
static void export_some(schedule *s, const biost_cuda_batch *batch, const expected_batch *expected,
                        uint32_t count) {
    for (; count > 0; --count) {
        uint32_t at = draw(&s->seed, STREAMS);
        biost_cuda_stream stream = s->streams[batch->device_index][at];
        biost_result result;
        job j;
        memset(&j, 0, sizeof j);
        result = biost_cuda_export(s->cuda, batch, draw(&s->seed, batch->tensor_count), 0, stream,
                                   &j.managed);
        if (!s->fails || result != BIOST_ERR_DEVICE) {
            CHECK_EQ_I64(result, s->captures[batch->device_index][at] ? BIOST_ERR_ARG : BIOST_OK);
        }
        CHECK((j.managed != NULL) == (result == BIOST_OK));
        if (result == BIOST_OK) {
            launch_use(s, batch, expected, stream, 0);
            job_push(s, &j);
        }
    }
}

static void use_kernel(void *data) {
    use *u = (use *)data;
    compare(&u->c, u->spoils);
}

static void launch_use(schedule *s, const biost_cuda_batch *batch, const expected_batch *expected,
                       biost_cuda_stream stream, int spoils) {
    use *u = (use *)calloc(1, sizeof *u);
    uint32_t i;
    if (u == NULL) {
        abort();
    }
    u->c.fake = s->fake;
    u->c.batch = *batch;
    u->c.expected = expected;
    for (i = 0; i < batch->tensor_count; ++i) {
        u->c.tensors[i] = batch->tensors[i];
    }
    u->spoils = spoils;
    u->next = s->uses;
    s->uses = u;
    fake_cuda_launch(s->fake, batch->device, stream, use_kernel, u);
}

/* The batches of one next: used, exported, and given to the helpers. */
static void hand_on(schedule *s, const biost_cuda_batch *batches, const uint32_t *at) {
    uint32_t d;
    for (d = 0; d < s->desc.device_count; ++d) {
        const expected_batch *expected = &s->runs[s->epoch]->batches[d][s->position];
        uint32_t exports = draw(&s->seed, 3) == 0 ? 1 + draw(&s->seed, 3) : 0;
        job j;
        memset(&j, 0, sizeof j);
        j.batch = batches[d];
        j.at = at[d];
        j.stream = s->streams[d][at[d]];
        check_host_side(&batches[d], expected);
        launch_use(s, &batches[d], expected, j.stream, exports == 0);
        export_some(s, &batches[d], expected, sizeof(void *) == 8 ? exports : 0);
        job_push(s, &j);
    }
    ++s->position;
}

/* next or try_next, on any consumers. Returns 0 where all ends. */
static int call_next(schedule *s) {
    biost_cuda_stream consumers[DEVICES_MOST];
    biost_cuda_batch batches[DEVICES_MOST];
    uint32_t at[DEVICES_MOST], d;
    int captures, goes_on = 1;
    biost_result result;
    pthread_rwlock_rdlock(&s->gate);
    captures = copies_capture(s);
    for (d = 0; d < s->desc.device_count; ++d) {
        at[d] = draw(&s->seed, STREAMS);
        consumers[d] = s->streams[d][at[d]];
        captures |= s->captures[d][at[d]];
    }
    result = draw(&s->seed, 3) ? biost_cuda_next(s->cuda, consumers, batches)
                               : biost_cuda_try_next(s->cuda, consumers, batches);
    if (result == BIOST_OK) {
        CHECK(!captures);
        goes_on = CHECK(s->position < s->runs[s->epoch]->count);
        if (goes_on) {
            hand_on(s, batches, at);
        }
    } else if (result == BIOST_ERR_ARG) {
        CHECK(captures);
    } else if (copies_capture(s)) { /* refused before all else */
        CHECK(is_failure(s, result));
        goes_on = 0;
    } else if (result != BIOST_ERR_SLOTS && result != BIOST_PENDING) {
        goes_on = check_end(s, result);
        s->has_begun = draw(&s->seed, 2) != 0; /* else the end is asked for again */
    }
    pthread_rwlock_unlock(&s->gate);
    if (draw(&s->seed, 4) == 0) {
        pause_us((long)draw(&s->seed, 300));
    }
    return goes_on;
}

/* -- the end -- */

/* What is still lent is released. Returns 0 where some stay lent: their consumers capture, or a call failed. */
static int release_rest(schedule *s) {
    int all = 1, count = 0, i;
    for (i = 0; i < s->job_count; ++i) {
        if (s->jobs[i].managed != NULL) {
            s->jobs[count++] = s->jobs[i];
        } else {
            all &= job_do(s, &s->jobs[i]);
        }
    }
    s->job_count = count;
    return all;
}

/* Close, with deleters running meanwhile or after it. */
static void close_and_delete(schedule *s) {
    int meanwhile = (int)draw(&s->seed, 2), i, left = 1;
    if (meanwhile) {
        helpers_start(s, 2, 0);
    }
    biost_cuda_close(s->cuda);
    while (meanwhile && left > 0) {
        pthread_mutex_lock(&s->lock);
        left = s->job_count + s->in_hand;
        pthread_mutex_unlock(&s->lock);
        pause_us(50);
    }
    if (meanwhile) {
        helpers_end(s, 2, 0);
        return;
    }
    if (draw(&s->seed, 2)) {
        (void)fake_cuda_finish(s->fake);
    }
    for (i = 0; i < s->job_count; ++i) {
        (void)job_do(s, &s->jobs[i]);
    }
}

/* Nothing but device memory was left, line by line. */
static int is_only_memory(const char *problems) {
    while (*problems != '\0') {
        const char *end = strchr(problems, '\n'), *found = strstr(problems, " bytes of device ");
        if (strncmp(problems, "leak: ", 6) != 0 || end == NULL || found == NULL || found > end) {
            return 0;
        }
        problems = end + 1;
    }
    return 1;
}

/* All kernels saw what they were to see, and nothing was done wrong. */
static void check_all(schedule *s, int captures_at_close) {
    const char *problems;
    (void)fake_cuda_finish(s->fake);
    while (s->uses != NULL) {
        use *u = s->uses;
        s->uses = u->next;
        if (!s->is_broken) {
            CHECK(u->c.is_done && !u->c.is_bad);
        }
        free(u);
    }
    problems = s->fails ? fake_cuda_misuse(s->fake) : fake_cuda_check(s->fake);
    if (problems != NULL && !(captures_at_close && is_only_memory(problems))) {
        CHECK_STR(problems, NULL);
    }
}

static void schedule_end(schedule *s) {
    int all = (int)draw(&s->seed, 4), captures_at_close = 0;
    uint32_t d, i;
    for (d = 0; d < s->desc.device_count; ++d) {
        for (i = 0; i < STREAMS; ++i) {
            if (all || draw(&s->seed, 2)) {
                set_capture(s, d, i, 0);
            }
            captures_at_close |= s->captures[d][i];
        }
    }
    for (i = 0; i < count_copies(s); ++i) {
        set_copy_capture(s, i, s->with_captures && !all && draw(&s->seed, 2) != 0);
    }
    captures_at_close |= copies_capture(s);
    if (!release_rest(s) || s->fails) {
        (void)fake_cuda_finish(s->fake); /* consumers of batches that are held at close */
    }
    close_and_delete(s);
    for (d = 0; d < s->desc.device_count; ++d) {
        for (i = 0; i < STREAMS; ++i) {
            set_capture(s, d, i, 0);
        }
    }
    for (i = 0; i < count_copies(s); ++i) {
        set_copy_capture(s, i, 0);
    }
    check_all(s, captures_at_close);
    fake_cuda_delete(s->fake);
    for (i = 0; i < EPOCHS; ++i) {
        expected_free(s->runs[i]);
    }
    free(s->in.text);
    pthread_rwlock_destroy(&s->gate);
    pthread_mutex_destroy(&s->lock);
}

static void schedule_run(uint64_t number) {
    static schedule s;
    uint32_t calls, i;
    int goes_on;
    test_note("schedule %u", (unsigned)number);
    goes_on = schedule_open(&s, number);
    helpers_start(&s, HELPERS, s.with_captures);
    calls = 30 + draw(&s.seed, 120);
    for (i = 0; goes_on && i < calls; ++i) {
        uint32_t what = draw(&s.seed, 20);
        goes_on = !s.has_begun || what == 0 ? call_begin(&s) : what == 1 ? call_timeline(&s) : call_next(&s);
    }
    helpers_end(&s, HELPERS, s.with_captures);
    schedule_end(&s);
}

/* Any calls in any order, with any options, on any threads; captures, failing calls, and a close at any moment. */
TEST(cuda_stress, random_schedules) {
    uint64_t i, count = test_effort(60, 800);
    for (i = 0; i < count; ++i) {
        schedule_run(i);
    }
}
