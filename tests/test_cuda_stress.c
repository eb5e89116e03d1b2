/*
 * test_cuda_stress - the ring of biostream_cuda.h in orders of events that seldom happen by themselves: step by step
 * where one order shows a wait that is missing, and drawn at random.
 *
 * As in test_cuda_ring.c a plain loader says what each batch must be, and kernels of the fake's compare it when their
 * stream comes to it. In the steps a copy is one step, and so are an expansion and a kernel; waits and records
 * take none: that a stream cannot go on means that it waits.
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

/* What was deleted during a capture is come for once: behind that a next enters its device once again. */
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
