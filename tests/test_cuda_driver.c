/*
 * The ring over CUDA's driver, as tests/fake_libcuda.c has its calls: how many it makes, and that it lives with CUDA
 * graphs which are captured meanwhile.
 *
 * rooms: cuda_driver cuda_ring
 * needs: loader threads library dlopen fake_libcuda
 */
#include "white_cuda.h"
#include "test.h"
#include "fake_libcuda.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FAKE_LIBCUDA
TEST(cuda_calls, need_a_driver) {
    TEST_SKIP("libraries found by soname");
}
#else

enum { RECORDS = 60 * 24, ROWS = 24, BASES = 32 };

/* CUDA's modes of a capture. */
enum { MODE_GLOBAL = 0, MODE_THREAD_LOCAL = 1, MODE_RELAXED = 2 };

typedef struct rig {
    char *text;
    biost_memory memory;
    biost_loader_desc loader;
    biost_cuda_desc desc;
    biost_cuda *cuda;
    const biost_cuda_provider *calls;
    void *state, *before, *library;
    biost_cuda_stream stream;
    fake_libcuda_control *control;
    /* of the library's */
    int (*begin_capture)(biost_cuda_stream stream, int mode);
    int (*end_capture)(biost_cuda_stream stream, void **out_graph);
    int (*exchange)(int *mode);
    int (*graph_destroy)(void *graph);
    int (*instantiate)(void **out_exec, void *graph, unsigned long long flags);
    int (*launch)(void *exec, biost_cuda_stream stream);
    int (*exec_destroy)(void *exec);
} rig;

static void find(void *library, const char *name, void *out_function) {
    void *symbol = dlsym(library, name);
    memcpy(out_function, &symbol, sizeof symbol);
}

/* Reads of BASES bases, and a desc of tokens: nothing is expanded. Returns 0 where libraries are not found. */
static int rig_make(rig *r, const char *library) {
    size_t at = 0;
    int i, k;
    memset(r, 0, sizeof *r);
    if (library == NULL) {
        r->control = fake_libcuda_fresh(&r->library);
    } else {
        r->control = fake_libcuda_load(library, &r->library);
        if (r->control != NULL) {
            fake_libcuda_reset();
            r->control->expand = bsi_cuda_expand_host;
        }
    }
    if (r->control == NULL) {
        return 0;
    }
    find(r->library, "cuStreamBeginCapture_v2", &r->begin_capture);
    find(r->library, "cuStreamEndCapture", &r->end_capture);
    find(r->library, "cuThreadExchangeStreamCaptureMode", &r->exchange);
    find(r->library, "cuGraphDestroy", &r->graph_destroy);
    find(r->library, "cuGraphInstantiateWithFlags", &r->instantiate);
    find(r->library, "cuGraphLaunch", &r->launch);
    find(r->library, "cuGraphExecDestroy", &r->exec_destroy);
    r->text = (char *)malloc(RECORDS * (BASES + 16));
    for (i = 0; i < RECORDS; ++i) {
        at += (size_t)sprintf(r->text + at, ">%d\n", i);
        for (k = 0; k < BASES; ++k) {
            r->text[at++] = "ACGT"[(i * 7 + k * k) & 3];
        }
        r->text[at++] = '\n';
    }
    r->memory.data = r->text;
    r->memory.bytes = at;
    r->loader.memories = &r->memory;
    r->loader.memory_count = 1;
    r->loader.batch_rows = ROWS;
    r->loader.row_bases = BASES;
    r->loader.workers = 1;
    r->loader.encoding.kind = BIOST_ENCODE_TOKENS;
    r->loader.encoding.dtype = BIOST_DTYPE_U8;
    r->desc.loader = &r->loader;
    r->desc.provider = biost_cuda_driver();
    return 1;
}

/* Open, with the device current as in any program that launches kernels there. */
static int rig_open(rig *r) {
    biost_error error;
    if (!CHECK(biost_cuda_open(&r->desc, &r->cuda, &error) == BIOST_OK)) {
        printf("%s\n", error.text);
        return 0;
    }
    r->calls = biost_cuda_calls(r->cuda, &r->state);
    return CHECK(r->calls->enter(r->state, 0, &r->before) == 0) &&
           CHECK(r->calls->stream_open(r->state, 0, &r->stream) == 0) &&
           CHECK(biost_cuda_begin(r->cuda, 0) == BIOST_OK);
}

static void rig_end(rig *r) {
    if (r->cuda != NULL) {
        CHECK_EQ_I64(r->calls->stream_close(r->state, r->stream), 0);
        r->calls->leave(r->state, r->before);
        biost_cuda_close(r->cuda);
    }
    CHECK_EQ_I64(r->control->live, 0);
    CHECK_EQ_U64(r->control->misuse, 0);
    CHECK_STR(r->control->misuse_text, "");
    free(r->text);
}

/* So many batches, each released at once; `pending` every other time: the oldest copy is under way still. */
static void take(rig *r, int count, int pending) {
    biost_cuda_batch batch;
    int i;
    for (i = 0; i < count; ++i) {
        r->control->not_ready = pending && i % 2 != 0;
        CHECK_EQ_I64(biost_cuda_next(r->cuda, &r->stream, &batch), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_release(r->cuda, &batch, r->stream), BIOST_OK);
    }
    r->control->not_ready = 0;
}

/* Calls since they were counted from 0, without the two of a door that are about captures. */
static unsigned long counted(void) {
    return fake_libcuda_count_all() - fake_libcuda_count("cuThreadExchangeStreamCaptureMode") -
           fake_libcuda_count("cuStreamIsCapturing");
}

static void go_without_modes(void);

/* In a process of its own, and before all others: a library stays loaded once the driver has started it. */
TEST(cuda_captures, without_modes_nothing_ends) {
    pid_t child;
    int status = 0;
    fflush(stdout);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        go_without_modes();
        fflush(stdout);
        _exit(test_state.failures > 0 ? 1 : test_state.skip_reason != NULL ? 2 : 0);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) != 1);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
        TEST_SKIP("libraries found by soname");
    }
}

/*
 * A batch costs at most 9 calls where nothing is expanded: two doors that ask which context is current, a wait for
 * the slot, the copy, its event, one or two questions for it, a wait and an event of the consumer's.
 */
TEST(cuda_calls, are_few) {
    enum { COUNT = 40 };
    int pending, expands;
    for (expands = 0; expands < 2; ++expands) {
        for (pending = 0; pending < 2; ++pending) {
            rig r;
            if (!rig_make(&r, NULL)) {
                TEST_SKIP("libraries found by soname");
            }
            test_note("expands %d, pending %d", expands, pending);
            if (expands) {
                r.loader.encoding.kind = BIOST_ENCODE_ONEHOT;
                r.loader.encoding.dtype = BIOST_DTYPE_F32;
            }
            REQUIRE(rig_open(&r));
            take(&r, 8, 0);
            fake_libcuda_count_reset();
            take(&r, COUNT, pending);
            CHECK_EQ_U64(fake_libcuda_count("cuMemcpyHtoDAsync_v2"), COUNT);
            CHECK_EQ_U64(fake_libcuda_count("cuLaunchKernel"), expands ? COUNT : 0);
            CHECK_EQ_U64(fake_libcuda_count("cuEventRecord"), expands ? 3 * COUNT : 2 * COUNT);
            CHECK(fake_libcuda_count("cuStreamWaitEvent") <= 2 * COUNT);
            CHECK(fake_libcuda_count("cuEventQuery") <= 2 * COUNT);
            CHECK_EQ_U64(fake_libcuda_count("cuEventSynchronize"), 0);
            CHECK_EQ_U64(fake_libcuda_count("cuCtxPushCurrent_v2"), 0);
            CHECK_EQ_U64(fake_libcuda_count("cuCtxGetCurrent"), 2 * COUNT);
            CHECK_EQ_U64(fake_libcuda_count("cuThreadExchangeStreamCaptureMode"), 4 * COUNT);
            CHECK_EQ_U64(fake_libcuda_count("cuStreamIsCapturing"), 2 * COUNT);
            CHECK(counted() <= (expands ? 11 : 9) * (unsigned long)COUNT);
            printf("  %.2f calls a batch\n", (double)counted() / COUNT);
            rig_end(&r);
        }
    }
}

static void *take_elsewhere(void *argument) {
    take((rig *)argument, 10, 0);
    return NULL;
}

/* A thread to which no device is current has none after each call either, and its mode of captures is its own. */
TEST(cuda_calls, leave_the_thread_as_it_was) {
    pthread_t thread;
    int mode;
    rig r;
    if (!rig_make(&r, NULL)) {
        TEST_SKIP("libraries found by soname");
    }
    REQUIRE(rig_open(&r));
    for (mode = 0; mode < 3; ++mode) {
        int found = mode;
        biost_cuda_batch batch;
        CHECK_EQ_I64(r.exchange(&found), 0);
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        found = MODE_GLOBAL;
        CHECK_EQ_I64(r.exchange(&found), 0);
        /* enter in rig_open has made it relaxed, to which leave goes back */
        CHECK_EQ_I64(found, mode);
        found = MODE_RELAXED;
        CHECK_EQ_I64(r.exchange(&found), 0);
    }
    fake_libcuda_count_reset();
    REQUIRE(pthread_create(&thread, NULL, take_elsewhere, &r) == 0);
    pthread_join(thread, NULL);
    CHECK_EQ_U64(fake_libcuda_count("cuCtxPushCurrent_v2"), 20);
    CHECK_EQ_U64(fake_libcuda_count("cuCtxPopCurrent_v2"), 20);
    rig_end(&r);
}

/* ---- captures -------------------------------------------------------------------------------------- */

/* A capture on a thread of its own, from start to stop. */
typedef struct capturing {
    rig *r;
    int mode, result;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int has_begun, shall_end;
    pthread_t thread;
} capturing;

static void *capture(void *argument) {
    capturing *c = (capturing *)argument;
    void *before = NULL, *graph = NULL;
    biost_cuda_stream stream = NULL;
    CHECK(c->r->calls->enter(c->r->state, 0, &before) == 0);
    CHECK(c->r->calls->stream_open(c->r->state, 0, &stream) == 0);
    CHECK_EQ_I64(c->r->begin_capture(stream, c->mode), 0);
    pthread_mutex_lock(&c->lock);
    c->has_begun = 1;
    pthread_cond_broadcast(&c->changed);
    while (!c->shall_end) {
        pthread_cond_wait(&c->changed, &c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    c->result = c->r->end_capture(stream, &graph);
    if (graph != NULL) {
        CHECK_EQ_I64(c->r->graph_destroy(graph), 0);
    }
    CHECK_EQ_I64(c->r->calls->stream_close(c->r->state, stream), 0);
    c->r->calls->leave(c->r->state, before);
    return NULL;
}

static void capture_begin(capturing *c, rig *r, int mode) {
    memset(c, 0, sizeof *c);
    c->r = r;
    c->mode = mode;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    REQUIRE(pthread_create(&c->thread, NULL, capture, c) == 0);
    pthread_mutex_lock(&c->lock);
    while (!c->has_begun) {
        pthread_cond_wait(&c->changed, &c->lock);
    }
    pthread_mutex_unlock(&c->lock);
}

/* Returns what the end of the capture did. */
static int capture_end(capturing *c) {
    pthread_mutex_lock(&c->lock);
    c->shall_end = 1;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->changed);
    return c->result;
}

/* All calls, open and close among them, in this thread's own default mode while another thread captures. */
static void use_everything(const biost_cuda_desc *desc) {
    biost_cuda *cuda = NULL;
    biost_cuda_batch batch;
    biost_cuda_span spans[8];
    uint32_t count = 0;
    int i;
    REQUIRE(biost_cuda_open(desc, &cuda, NULL) == BIOST_OK);
    CHECK_EQ_I64(biost_cuda_begin(cuda, 0), BIOST_OK);
    for (i = 0; i < 60; ++i) {
        CHECK_EQ_I64(biost_cuda_next(cuda, NULL, &batch), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_release(cuda, &batch, NULL), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_timeline(cuda, 0, spans, 8, &count), BIOST_OK);
    }
    CHECK_EQ_U64(count, 8);
    CHECK_EQ_I64(biost_cuda_next(cuda, NULL, &batch), BIOST_END);
    biost_cuda_close(cuda);
}

TEST(cuda_captures, on_another_thread_are_left_alone) {
    int mode;
    for (mode = MODE_GLOBAL; mode <= MODE_RELAXED; ++mode) {
        capturing c;
        rig r;
        int found = MODE_GLOBAL;
        if (!rig_make(&r, NULL)) {
            TEST_SKIP("libraries found by soname");
        }
        r.desc.timeline_count = 8;
        REQUIRE(rig_open(&r));
        capture_begin(&c, &r, mode);
        REQUIRE(r.exchange(&found) == 0); /* as a thread that never asked for a mode */
        use_everything(&r.desc);
        take(&r, 20, 1);
        REQUIRE(r.exchange(&found) == 0);
        CHECK_EQ_I64(capture_end(&c), 0);
        take(&r, 20, 0);
        rig_end(&r);
    }
}

/* And what this thread captures itself, on another stream than the consumer. */
TEST(cuda_captures, on_the_same_thread_are_left_alone) {
    int mode;
    for (mode = MODE_GLOBAL; mode <= MODE_RELAXED; ++mode) {
        biost_cuda_stream captured = NULL;
        biost_cuda_batch batch;
        void *graph = NULL;
        int found = MODE_GLOBAL;
        rig r;
        if (!rig_make(&r, NULL)) {
            TEST_SKIP("libraries found by soname");
        }
        REQUIRE(rig_open(&r));
        REQUIRE(r.calls->stream_open(r.state, 0, &captured) == 0);
        REQUIRE(r.exchange(&found) == 0);
        REQUIRE(r.begin_capture(captured, mode) == 0);
        take(&r, 20, 1);
        /* Only the stream that captures is refused. */
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &captured, &batch), BIOST_ERR_ARG);
        CHECK(strstr(biost_cuda_error(r.cuda)->text, "captures a CUDA graph") != NULL);
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, captured), BIOST_ERR_ARG);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        CHECK_EQ_I64(r.end_capture(captured, &graph), 0);
        CHECK(graph != NULL);
        CHECK_EQ_I64(r.graph_destroy(graph), 0);
        take(&r, 10, 0);
        REQUIRE(r.exchange(&found) == 0);
        CHECK_EQ_I64(r.calls->stream_close(r.state, captured), 0);
        rig_end(&r);
    }
}

/* A consumer whose capture was made invalid captures still, until that is ended. */
TEST(cuda_captures, that_were_invalidated_are_refused) {
    biost_cuda_stream captured = NULL;
    biost_cuda_batch batch;
    void *graph = NULL, *memory = NULL, *managed = NULL;
    int found = MODE_GLOBAL;
    rig r;
    if (!rig_make(&r, NULL)) {
        TEST_SKIP("libraries found by soname");
    }
    REQUIRE(rig_open(&r));
    REQUIRE(r.calls->stream_open(r.state, 0, &captured) == 0);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
    REQUIRE(r.exchange(&found) == 0);
    REQUIRE(r.begin_capture(captured, MODE_GLOBAL) == 0);
    CHECK(r.calls->device_alloc(r.state, 256, &memory) !=
          0); /* unsafe in this mode: that is what spoils it */
    r.control->misuse = 0;
    r.control->misuse_text[0] = '\0';
    CHECK_EQ_I64(biost_cuda_export(r.cuda, &batch, 0, 0, captured, &managed), BIOST_ERR_ARG);
    CHECK(managed == NULL);
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, captured), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &captured, &batch), BIOST_ERR_ARG);
    CHECK(strstr(biost_cuda_error(r.cuda)->text, "captures a CUDA graph") != NULL);
    CHECK_EQ_I64(r.end_capture(captured, &graph), 901); /* CUDA_ERROR_STREAM_CAPTURE_INVALIDATED */
    CHECK(graph == NULL);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &captured, &batch), BIOST_OK);
    CHECK_EQ_U64(batch.index, 1);
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, captured), BIOST_OK);
    take(&r, 10, 0);
    REQUIRE(r.exchange(&found) == 0);
    CHECK_EQ_I64(r.calls->stream_close(r.state, captured), 0);
    rig_end(&r);
}

/* A driver that has no modes refuses questions for events while somebody captures: then nothing is known to have
 * passed, and nothing ends. */
static void go_without_modes(void) {
    capturing c;
    rig r;
    biost_cuda_batch batch;
    biost_result result = BIOST_OK;
    int i;
    if (!rig_make(&r, FAKE_LIBCUDA "/libcuda_no_capture.so")) {
        TEST_SKIP("libraries found by soname");
    }
    CHECK(r.exchange == NULL);
    REQUIRE(rig_open(&r));
    take(&r, 5, 0);
    capture_begin(&c, &r, MODE_GLOBAL);
    for (i = 0; i < 20 && result == BIOST_OK; ++i) {
        result = biost_cuda_next(r.cuda, &r.stream, &batch);
        if (result == BIOST_OK) {
            CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        }
    }
    CHECK_EQ_I64(result, BIOST_ERR_ARG);
    CHECK(strstr(biost_cuda_error(r.cuda)->text, "none can be waited for while a CUDA graph is captured") !=
          NULL);
    (void)capture_end(&c); /* spoiled: that is why there are modes */
    r.control->misuse = 0;
    r.control->misuse_text[0] = '\0';
    take(&r, 20, 0);
    rig_end(&r);
}

/* ---- expansions in graphs -------------------------------------------------------------------------- */

/* An expansion that was captured is done at each launch, over what its addresses hold then. */
TEST(cuda_captures, hold_expansions) {
    enum { CODES = 64 };
    void *memory = NULL, *graph = NULL, *exec = NULL;
    biost_cuda_expansion e;
    uint8_t *bytes;
    rig r;
    int i, round;
    if (!rig_make(&r, NULL)) {
        TEST_SKIP("libraries found by soname");
    }
    REQUIRE(rig_open(&r));
    REQUIRE(r.calls->device_alloc(r.state, 8192, &memory) == 0);
    bytes = (uint8_t *)memory; /* the library's device memory is the host's */
    memset(&e, 0, sizeof e);
    e.codes = bytes;
    e.table = bytes + 256;
    e.out = bytes + 4096;
    e.rows = 1;
    e.columns = CODES;
    e.channels = 1;
    e.element_bytes = 2;
    for (i = 0; i < 256; ++i) { /* code c becomes the bytes c and 255 - c */
        bytes[256 + 2 * i] = (uint8_t)i;
        bytes[256 + 2 * i + 1] = (uint8_t)(255 - i);
    }
    memset(bytes + 4096, 0, 2 * CODES);
    REQUIRE(r.begin_capture(r.stream, MODE_GLOBAL) == 0);
    CHECK_EQ_I64(biost_cuda_expand(r.cuda, 0, &e, r.stream), BIOST_OK);
    REQUIRE(r.end_capture(r.stream, &graph) == 0);
    CHECK_EQ_U64(bytes[4096], 0); /* captured, not done */
    REQUIRE(r.instantiate(&exec, graph, 0) == 0);
    for (round = 0; round < 3; ++round) {
        for (i = 0; i < CODES; ++i) {
            bytes[i] = (uint8_t)(i * 3 + round);
        }
        CHECK_EQ_I64(r.launch(exec, r.stream), 0);
        for (i = 0; i < CODES; ++i) {
            CHECK_EQ_U64(bytes[4096 + 2 * i], (uint8_t)(i * 3 + round));
            CHECK_EQ_U64(bytes[4096 + 2 * i + 1], 255 - (uint8_t)(i * 3 + round));
        }
    }
    CHECK_EQ_I64(r.exec_destroy(exec), 0);
    CHECK_EQ_I64(r.graph_destroy(graph), 0);
    CHECK_EQ_I64(r.calls->device_free(r.state, memory), 0);
    take(&r, 5, 0);
    rig_end(&r);
}

/* A launch into a capture that is spoiled already is the capture's error: nothing else ends. */
TEST(cuda_captures, errors_of_a_capture_end_nothing) {
    biost_cuda_expansion e;
    biost_cuda_batch batch;
    rig r;
    int error;
    if (!rig_make(&r, NULL)) {
        TEST_SKIP("libraries found by soname");
    }
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
    memset(&e, 0, sizeof e);
    e.codes = (const uint8_t *)batch.x.data;
    e.table = batch.x.data;
    e.out = batch.x.data;
    e.rows = 1;
    e.columns = 16;
    e.channels = 1;
    e.element_bytes = 1;
    for (error = 900; error < 910; ++error) {
        r.control->fail_name = "cuLaunchKernel";
        r.control->fail_number = error;
        CHECK_EQ_I64(biost_cuda_expand(r.cuda, 0, &e, r.stream), BIOST_ERR_DEVICE);
        CHECK_EQ_I64(biost_cuda_error(r.cuda)->os_error, error);
        r.control->fail_name = NULL;
    }
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    take(&r, 5, 0);
    r.control->fail_name = "cuLaunchKernel";
    r.control->fail_number = 700;
    CHECK_EQ_I64(biost_cuda_expand(r.cuda, 0, &e, r.stream), BIOST_ERR_DEVICE);
    r.control->fail_name = NULL;
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_ERR_DEVICE);
    rig_end(&r);
}
#endif
