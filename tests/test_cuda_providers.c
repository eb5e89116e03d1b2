/*
 * The providers: the dummy; the driver without a driver, with one that is too old, and over
 * tests/fake_libcuda.c; and the fake of tests/fake_cuda.h, which must do what CUDA documents and find each
 * misuse (pthread).
 *
 * rooms: cuda_dummy cuda_driver
 * needs: loader threads library dlopen fake_libcuda
 */
#include "white_cuda.h"
#include "test.h"
#include "fake_cuda.h"
#include "fake_libcuda.h"
#include "cuda_around.h"
#include <dlfcn.h>

/* ---- the dummy -------------------------------------------------------------------------------------- */

TEST(cuda_dummy, goes_around) {
    const biost_cuda_provider *provider = bsi_cuda_dummy_provider();
    void *state = NULL;
    int count = 0, device = -7;
    CHECK_STR(provider->name, "dummy");
    CHECK_EQ_I64(provider->is_host, 1);
    REQUIRE(provider->open(provider->user_data, &state) == 0);
    CHECK(state != NULL);
    CHECK_EQ_I64(provider->device_count(state, &count), 0);
    CHECK_EQ_I64(count, 1);
    CHECK_EQ_I64(provider->device_open(state, -1, &device), 0);
    CHECK_EQ_I64(device, 0);
    go_around(provider, state, 0);
    provider->device_close(state, 0);
    provider->close(state);
}

TEST(cuda_dummy, refuses) {
    const biost_cuda_provider *provider = bsi_cuda_dummy_provider();
    void *state = NULL, *out = &state, *before = NULL, *event = NULL;
    float ms = 7;
    int device = 0;
    REQUIRE(provider->open(NULL, &state) == 0);
    CHECK_EQ_I64(provider->device_open(state, 1, &device), 101);
    CHECK_EQ_I64(provider->enter(state, 1, &before), 101);
    CHECK_EQ_I64(provider->enter(state, -1, &before), 101);
    CHECK_EQ_I64(provider->host_alloc(state, 0, 0, &out), 1);
    CHECK(out == NULL);
    CHECK_EQ_I64(provider->device_alloc(state, SIZE_MAX, &out), 2);
    CHECK_EQ_I64(provider->device_alloc(state, SIZE_MAX - 64, &out), 2);
    CHECK(out == NULL);
    CHECK_EQ_I64(provider->device_free(state, NULL), 1);
    CHECK_EQ_I64(provider->host_lock(state, NULL, 1), 1);
    CHECK_EQ_I64(provider->host_unlock(state, NULL), 1);
    CHECK_EQ_I64(provider->copy_in(state, NULL, "x", 1, NULL), 1);
    CHECK_EQ_I64(provider->copy_in(state, NULL, NULL, 0, NULL), 0);
    CHECK_EQ_I64(provider->event_record(state, NULL, NULL), 400);
    CHECK_EQ_I64(provider->event_query(state, NULL), 400);
    CHECK_EQ_I64(provider->event_close(state, NULL), 400);
    REQUIRE(provider->event_open(state, 0, &event) == 0); /* without times */
    CHECK_EQ_I64(provider->event_record(state, event, NULL), 0);
    CHECK_EQ_I64(provider->event_elapsed(state, event, event, &ms), 400);
    CHECK(!(ms > 0 || ms < 0));
    CHECK_EQ_I64(provider->event_close(state, event), 0);
    CHECK_STR(provider->error_name(NULL, 101), "CUDA_ERROR_INVALID_DEVICE");
    CHECK_STR(provider->error_name(state, 12345), "CUDA_ERROR_UNKNOWN");
    CHECK(strlen(provider->error_text(NULL, 12345)) > 0);
    provider->close(state);
}

/* ---- the driver ------------------------------------------------------------------------------------ */

/* Before any library is loaded below: tests run in the order of the file. */
TEST(cuda_driver, without_a_driver) {
    const biost_cuda_provider *provider = bsi_cuda_driver_provider();
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *state = library;
    biost_error error;
    if (library != NULL) {
        dlclose(library);
        TEST_SKIP("a machine without NVIDIA's driver");
    }
    CHECK_EQ_I64(provider->open(provider->user_data, &state), BIOST_CUDA_NO_LIBRARY);
    CHECK(state == NULL);
    CHECK_STR(provider->error_name(NULL, BIOST_CUDA_NO_LIBRARY), "NO_LIBRARY");
    bsi_cuda_words_device_error(&error, provider, state, BIOST_CUDA_NO_LIBRARY, "opening");
    CHECK_EQ_I64(error.code, BIOST_ERR_DEVICE);
    CHECK_EQ_I64(error.fault, BIOST_FAULT_NO_DEVICE);
    CHECK(strstr(error.text, sizeof(void *) == 8 ? "libcuda.so.1 cannot be loaded"
                                                 : "this process has 32-bit addresses") != NULL);
}

#ifdef FAKE_LIBCUDA
static void *fake_library;

TEST(cuda_driver, too_old) {
    const biost_cuda_provider *provider = bsi_cuda_driver_provider();
    void *library = NULL, *state = &library;
    biost_error error;
    if (fake_libcuda_load(FAKE_LIBCUDA "/libcuda_old.so", &library) == NULL) {
        TEST_SKIP("libraries found by soname");
    }
    CHECK_EQ_I64(provider->open(provider->user_data, &state), BIOST_CUDA_NO_SYMBOL);
    CHECK(state == NULL);
    bsi_cuda_words_device_error(&error, provider, state, BIOST_CUDA_NO_SYMBOL, "opening");
    CHECK_EQ_I64(error.fault, BIOST_FAULT_NO_DEVICE);
    CHECK(strstr(error.text, "too old") != NULL);
    dlclose(library);
}

TEST(cuda_driver, goes_around) {
    const biost_cuda_provider *provider = bsi_cuda_driver_provider();
    fake_libcuda_control *control = fake_libcuda_fresh(&fake_library);
    void *state = NULL;
    int count = 0, device = -7;
    if (control == NULL) {
        TEST_SKIP("libraries found by soname");
    }
    REQUIRE(provider->open(provider->user_data, &state) == 0);
    CHECK_EQ_I64(provider->device_count(state, &count), 0);
    CHECK_EQ_I64(count, 2);
    CHECK_EQ_I64(provider->device_open(state, -1, &device), 0);
    CHECK_EQ_I64(device, 0); /* no context is current */
    CHECK_EQ_I64(provider->device_open(state, 1, &device), 0);
    CHECK_EQ_I64(device, 1);
    go_around(provider, state, 0);
    go_around(provider, state, 1);
    /* 4 x 5 x 4 bytes, 16 a thread: 5 threads, one block */
    CHECK_STR(control->last_kernel, bsi_cuda_kernels_names[0]);
    CHECK_EQ_U64(control->last_grid, 1);
    CHECK_EQ_U64(control->last_stream_flags, 1); /* non-blocking */
    CHECK_EQ_U64(control->last_event_flags, 1);  /* blocking wait, with times */
    CHECK_EQ_U64(control->last_host_flags, 1);   /* portable; of host_lock */
    provider->device_close(state, 0);
    provider->device_close(state, 1);
    provider->close(state);
    CHECK_EQ_I64(control->live, 0);
    CHECK_EQ_U64(control->misuse, 0);
}

TEST(cuda_driver, flags) {
    const biost_cuda_provider *provider = bsi_cuda_driver_provider();
    fake_libcuda_control *control = fake_libcuda_fresh(&fake_library);
    void *state = NULL, *before = NULL, *memory = NULL, *event = NULL;
    biost_cuda_stream stream = NULL;
    int device = 0;
    if (control == NULL) {
        TEST_SKIP("libraries found by soname");
    }
    REQUIRE(provider->open(provider->user_data, &state) == 0);
    REQUIRE(provider->device_open(state, 0, &device) == 0);
    CHECK_EQ_U64(control->kernel_loads, BSI_CUDA_EXPAND_KERNELS); /* none is late */
    REQUIRE(provider->enter(state, 0, &before) == 0);
    REQUIRE(provider->host_alloc(state, 1, 0, &memory) == 0);
    CHECK_EQ_U64(control->last_host_flags, 1); /* CU_MEMHOSTALLOC_PORTABLE */
    CHECK_EQ_I64(provider->host_free(state, memory), 0);
    REQUIRE(provider->host_alloc(state, 1, BIOST_CUDA_WRITE_COMBINED, &memory) == 0);
    CHECK_EQ_U64(control->last_host_flags, 1 | 4); /* and CU_MEMHOSTALLOC_WRITECOMBINED */
    CHECK_EQ_I64(provider->host_free(state, memory), 0);
    REQUIRE(provider->event_open(state, 0, &event) == 0);
    CHECK_EQ_U64(control->last_event_flags, 1 | 2); /* BLOCKING_SYNC | DISABLE_TIMING */
    CHECK_EQ_I64(provider->event_close(state, event), 0);
    REQUIRE(provider->stream_open(state, 0, &stream) == 0);
    CHECK_EQ_I64(control->last_stream_priority, 0);
    CHECK_EQ_U64(control->last_stream_flags, 1);
    CHECK_EQ_I64(provider->stream_close(state, stream), 0);
    REQUIRE(provider->stream_open(state, BIOST_CUDA_FIRST, &stream) == 0);
    CHECK_EQ_I64(control->last_stream_priority, -5); /* the greatest that the library has */
    CHECK_EQ_I64(provider->stream_close(state, stream), 0);
    provider->leave(state, before);
    provider->device_close(state, 0);
    provider->close(state);
    CHECK_EQ_I64(control->live, 0);
    CHECK_EQ_U64(control->misuse, 0);
}

/* -1 is the device of the context that is current, and what is current stays so. */
TEST(cuda_driver, current_device) {
    const biost_cuda_provider *provider = bsi_cuda_driver_provider();
    fake_libcuda_control *control = fake_libcuda_fresh(&fake_library);
    void *state = NULL, *outer = NULL, *inner = NULL, *other = NULL;
    int device = -7;
    if (control == NULL) {
        TEST_SKIP("libraries found by soname");
    }
    REQUIRE(provider->open(provider->user_data, &state) == 0);
    CHECK_EQ_I64(provider->enter(state, 1, &outer), 201); /* not open */
    CHECK_EQ_I64(provider->enter(state, 2, &outer), 101);
    CHECK_EQ_I64(provider->enter(state, -1, &outer), 101);
    REQUIRE(provider->device_open(state, 1, &device) == 0);
    REQUIRE(provider->enter(state, 1, &outer) == 0);
    REQUIRE(provider->open(provider->user_data, &other) == 0);
    CHECK_EQ_I64(provider->device_open(other, -1, &device), 0);
    CHECK_EQ_I64(device, 1);
    REQUIRE(provider->device_open(state, 0, &device) == 0);
    REQUIRE(provider->enter(state, 0, &inner) == 0);
    provider->leave(state, inner);
    provider->device_close(other, 1);
    CHECK_EQ_I64(provider->device_open(other, -1, &device), 0);
    CHECK_EQ_I64(device, 1);                                   /* back on it */
    CHECK_EQ_I64(provider->device_open(other, 1, &device), 0); /* twice open: closed twice */
    provider->device_close(other, 1);
    provider->device_close(other, 1);
    provider->close(other);
    provider->leave(state, outer);
    CHECK_EQ_I64(provider->device_open(state, 7, &device), 101);
    provider->device_close(state, 0);
    provider->device_close(state, 1);
    provider->close(state);
    CHECK_EQ_I64(control->live, 0);
    CHECK_EQ_U64(control->misuse, 0);
}

/* Nothing there, or not to be had: open says which, and has words without a state. */
TEST(cuda_driver, open_fails) {
    static const struct {
        const char *call;
        int number;
        const char *name;
    } cases[] = {{"cuInit", 100, "CUDA_ERROR_NO_DEVICE"},
                 {"cuInit", 34, "CUDA_ERROR_STUB_LIBRARY"},
                 {"cuInit", 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
                 {"cuInit", 12345, "CUDA_ERROR_UNKNOWN"},
                 {"cuDeviceGetCount", 3, "CUDA_ERROR_NOT_INITIALIZED"}};
    const biost_cuda_provider *provider = bsi_cuda_driver_provider();
    fake_libcuda_control *control = fake_libcuda_fresh(&fake_library);
    void *state = &state;
    size_t i;
    if (control == NULL) {
        TEST_SKIP("libraries found by soname");
    }
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        test_note("%s %d", cases[i].call, cases[i].number);
        control->fail_name = cases[i].call;
        control->fail_number = cases[i].number;
        CHECK_EQ_I64(provider->open(provider->user_data, &state), cases[i].number);
        CHECK(state == NULL);
        CHECK_STR(provider->error_name(NULL, cases[i].number), cases[i].name);
        CHECK(strlen(provider->error_text(NULL, cases[i].number)) > 0);
    }
    control->fail_name = NULL;
    control->device_count = 0;
    CHECK_EQ_I64(provider->open(provider->user_data, &state), 100);
    CHECK(state == NULL);
    CHECK_EQ_I64(control->live, 0);
}

TEST(cuda_driver, device_open_fails) {
    static const char *const calls[] = {"cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent_v2",
                                        "cuCtxGetCurrent"};
    const biost_cuda_provider *provider = bsi_cuda_driver_provider();
    fake_libcuda_control *control = fake_libcuda_fresh(&fake_library);
    void *state = NULL;
    int device = 0;
    size_t i;
    if (control == NULL) {
        TEST_SKIP("libraries found by soname");
    }
    REQUIRE(provider->open(provider->user_data, &state) == 0);
    for (i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
        test_note("%s", calls[i]);
        control->fail_name = calls[i];
        control->fail_number = 46;
        CHECK_EQ_I64(provider->device_open(state, -1, &device), 46);
        CHECK_EQ_I64(device, -1);
        CHECK_EQ_I64(control->live, 0);
    }
    control->fail_name = NULL;
    CHECK_EQ_I64(provider->device_open(state, 1, &device), 0);
    provider->device_close(state, 1);
    provider->close(state);
    CHECK_EQ_I64(control->live, 0);
    CHECK_EQ_U64(control->misuse, 0);
}

/* A GPU that cannot have the kernels still copies; what it lacks is said at the first expansion. */
TEST(cuda_driver, without_kernels) {
    static const char *const calls[] = {"cuModuleLoadData", "cuModuleGetFunction"};
    const biost_cuda_provider *provider = bsi_cuda_driver_provider();
    fake_libcuda_control *control = fake_libcuda_fresh(&fake_library);
    static const uint8_t nothing[256 * 4] = {0};
    uint64_t memory[512] = {0};
    biost_cuda_expansion expansion;
    void *state = NULL, *before = NULL;
    int device = 0;
    size_t i;
    if (control == NULL) {
        TEST_SKIP("libraries found by soname");
    }
    memset(&expansion, 0, sizeof expansion);
    expansion.codes = nothing;
    expansion.table = memory;
    expansion.out = memory + 256;
    expansion.channels = 1;
    expansion.element_bytes = 1;
    expansion.columns = 4;
    for (i = 0; i < 2; ++i) {
        test_note("%s", calls[i]);
        REQUIRE(provider->open(provider->user_data, &state) == 0);
        control->fail_name = calls[i];
        control->fail_number = 222;
        CHECK_EQ_I64(provider->device_open(state, 0, &device), 0);
        control->fail_name = NULL;
        REQUIRE(provider->enter(state, 0, &before) == 0);
        expansion.rows = 1;
        CHECK_EQ_I64(provider->expand(state, 0, &expansion, NULL), 222);
        expansion.rows = 0;
        CHECK_EQ_I64(provider->expand(state, 0, &expansion, NULL), 0); /* nothing to do */
        CHECK_STR(provider->error_name(state, 222), "CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
        CHECK_STR(provider->error_text(state, 700), "an illegal memory access was encountered");
        CHECK(strlen(provider->error_text(state, 222)) > 0); /* the library has no words */
        CHECK_STR(provider->error_name(state, BIOST_CUDA_NO_MEMORY), "NO_MEMORY");
        provider->leave(state, before);
        provider->device_close(state, 0);
        provider->close(state);
    }
    CHECK_EQ_I64(control->live, 0);
    CHECK_EQ_U64(control->misuse, 0);
}

/* Every call hands on what the driver returned. */
TEST(cuda_driver, errors_come_through) {
    const biost_cuda_provider *provider = bsi_cuda_driver_provider();
    fake_libcuda_control *control = fake_libcuda_fresh(&fake_library);
    void *state = NULL, *before = NULL, *out = NULL, *event = NULL, *memory = NULL;
    biost_cuda_stream stream = NULL;
    uint64_t bytes[32] = {0};
    float ms = 0;
    int device = 0;
    if (control == NULL) {
        TEST_SKIP("libraries found by soname");
    }
    REQUIRE(provider->open(provider->user_data, &state) == 0);
    REQUIRE(provider->device_open(state, 0, &device) == 0);
    REQUIRE(provider->enter(state, 0, &before) == 0);
    REQUIRE(provider->event_open(state, BIOST_CUDA_TIMING, &event) == 0);
    REQUIRE(provider->device_alloc(state, 64, &memory) == 0);
    control->fail_number = 700;
#define FAILS(name, call)                  \
    do {                                   \
        control->fail_name = name;         \
        CHECK_EQ_I64(provider->call, 700); \
        control->fail_name = NULL;         \
    } while (0)
    FAILS("cuMemHostAlloc", host_alloc(state, 8, 0, &out));
    CHECK(out == NULL);
    FAILS("cuMemHostRegister_v2", host_lock(state, bytes, 8));
    FAILS("cuMemAlloc_v2", device_alloc(state, 8, &out));
    CHECK(out == NULL);
    FAILS("cuStreamCreateWithPriority", stream_open(state, 0, &stream));
    FAILS("cuCtxGetStreamPriorityRange", stream_open(state, BIOST_CUDA_FIRST, &stream));
    FAILS("cuStreamIsCapturing", stream_captures(state, NULL, &device));
    FAILS("cuStreamWaitEvent", stream_wait(state, NULL, event));
    FAILS("cuStreamSynchronize", stream_finish(state, NULL));
    FAILS("cuEventCreate", event_open(state, 0, &out));
    FAILS("cuEventRecord", event_record(state, event, NULL));
    FAILS("cuEventQuery", event_query(state, event));
    FAILS("cuEventSynchronize", event_wait(state, event));
    FAILS("cuEventElapsedTime", event_elapsed(state, event, event, &ms));
    FAILS("cuMemcpyHtoDAsync_v2", copy_in(state, memory, bytes, 8, NULL));
    FAILS("cuMemcpyDtoHAsync_v2", copy_out(state, bytes, memory, 8, NULL));
    FAILS("cuEventDestroy_v2", event_close(state, event));
    FAILS("cuMemFree_v2", device_free(state, memory));
    /* But at the end of the program, where the driver is gone already (CUDA_ERROR_DEINITIALIZED). */
    REQUIRE(provider->device_alloc(state, 64, &memory) == 0);
    control->fail_name = "cuMemFree_v2";
    control->fail_number = 4;
    CHECK_EQ_I64(provider->device_free(state, memory), 0);
    control->fail_name = NULL;
    provider->leave(state, before);
    provider->device_close(state, 0);
    provider->close(state);
    CHECK_EQ_I64(control->live, 0);
    CHECK_EQ_U64(control->misuse, 0);
}
#endif /* FAKE_LIBCUDA */

/* ---- the fake: what CUDA documents ----------------------------------------------------------------- */

/* A fake with open devices, the first of which was entered. */
typedef struct opened {
    fake_cuda *fake;
    const biost_cuda_provider *provider;
    void *state, *before;
    int device_count;
} opened;

static opened open_fake(const fake_cuda_options *options) {
    opened it;
    int i, device;
    it.fake = fake_cuda_new(options);
    it.provider = fake_cuda_provider(it.fake);
    it.device_count = options == NULL || options->device_count == 0 ? 1 : options->device_count;
    CHECK_EQ_I64(it.provider->open(it.provider->user_data, &it.state), 0);
    for (i = 0; i < it.device_count; ++i) {
        CHECK_EQ_I64(it.provider->device_open(it.state, i, &device), 0);
        CHECK_EQ_I64(device, i);
    }
    CHECK_EQ_I64(it.provider->enter(it.state, 0, &it.before), 0);
    return it;
}

/* Leave and close all; the caller deletes. */
static void leave_fake(const opened *it) {
    int i;
    it->provider->leave(it->state, it->before);
    for (i = 0; i < it->device_count; ++i) {
        it->provider->device_close(it->state, i);
    }
    it->provider->close(it->state);
}

/* And nothing was wrong. */
static void close_fake(const opened *it) {
    const char *wrong;
    leave_fake(it);
    wrong = fake_cuda_check(it->fake);
    CHECK_STR(wrong, NULL);
    if (wrong != NULL) {
        fake_cuda_print_trace(it->fake);
    }
    fake_cuda_delete(it->fake);
}

static opened open_stepped(void) {
    fake_cuda_options options;
    memset(&options, 0, sizeof options);
    options.stepped = 1;
    return open_fake(&options);
}

TEST(cuda_fake, goes_around) {
    fake_cuda_options options;
    opened it;
    void *before = NULL;
    int stepped;
    for (stepped = 0; stepped < 2; ++stepped) {
        memset(&options, 0, sizeof options);
        options.device_count = 3;
        options.stepped = stepped;
        options.poison_copies = 1;
        options.max_delay_us = 200;
        options.seed = test_seed();
        it = open_fake(&options);
        go_around(it.provider, it.state, 0);
        fake_cuda_set_current(it.fake, 1);
        REQUIRE(it.provider->enter(it.state, 2, &before) == 0);
        CHECK_EQ_I64(fake_cuda_current(it.fake), 2);
        it.provider->leave(it.state, before);
        CHECK_EQ_I64(fake_cuda_current(it.fake), 1);
        go_around(it.provider, it.state, 2);
        CHECK_EQ_U64(fake_cuda_pageable_count(it.fake), 0);
        close_fake(&it);
    }
}

/* Host bytes are read when the copy runs, in two halves; from pageable memory, during the call. */
TEST(cuda_fake, copies_happen_later) {
    opened it = open_stepped();
    const biost_cuda_provider *provider = it.provider;
    uint8_t pageable[8] = "ABCDEFG", expected[8];
    biost_cuda_stream stream = fake_cuda_stream(it.fake, 0);
    int index = fake_cuda_stream_index(stream);
    void *host = NULL, *memory = NULL;
    uint8_t *bytes, *real;
    memset(expected, 0xA5, sizeof expected);
    REQUIRE(provider->host_alloc(it.state, 8, 0, &host) == 0);
    REQUIRE(provider->device_alloc(it.state, 16, &memory) == 0);
    bytes = (uint8_t *)host;
    CHECK_MEM(bytes, expected, 8); /* as device memory: poison */
    real = fake_cuda_at(it.fake, memory, 16);
    memcpy(bytes, "abcdefg", 8);
    CHECK_EQ_I64(provider->copy_in(it.state, memory, host, 8, stream), 0);
    CHECK_EQ_I64(provider->copy_in(it.state, (uint8_t *)memory + 8, pageable, 8, stream), 0);
    CHECK_MEM(real, expected, 8);
    memcpy(bytes, "hijklmn", 8);
    memcpy(pageable, "HIJKLMN", 8);
    CHECK_EQ_U64(fake_cuda_runnable(it.fake), (uint64_t)1 << index);
    CHECK_EQ_I64(fake_cuda_step(it.fake, index), 1);
    memcpy(expected, "hijk", 4);
    CHECK_MEM(real, expected, 8); /* half of it */
    memcpy(bytes, "opqrstu", 8);
    CHECK_EQ_I64(fake_cuda_step(it.fake, index), 1);
    CHECK_MEM(real, "hijkstu", 8);
    CHECK_EQ_I64(fake_cuda_step(it.fake, index), 1);
    CHECK_EQ_I64(fake_cuda_step(it.fake, index), 1);
    CHECK_MEM(real + 8, "ABCDEFG", 8);
    CHECK_EQ_I64(fake_cuda_step(it.fake, index), 0);
    CHECK_EQ_U64(fake_cuda_pageable_count(it.fake), 1);
    fake_cuda_poison(it.fake, host, 4);
    fake_cuda_poison(it.fake, memory, 4);
    CHECK_MEM(real, bytes, 4);
    CHECK_EQ_U64(bytes[0], 0xA5);
    CHECK_EQ_I64(provider->host_free(it.state, host), 0);
    CHECK_EQ_I64(provider->device_free(it.state, memory), 0);
    close_fake(&it);
}

static void add_one(void *data) {
    ++*(int *)data;
}

/* A wait is for the last record before it, a query for the last of all; unrecorded events hold nothing. */
TEST(cuda_fake, waits_and_records) {
    opened it = open_stepped();
    const biost_cuda_provider *provider = it.provider;
    biost_cuda_stream a = fake_cuda_stream(it.fake, 0), b = fake_cuda_stream(it.fake, 0);
    int at_a = fake_cuda_stream_index(a), at_b = fake_cuda_stream_index(b), on_a = 0, on_b = 0;
    void *event = NULL;
    REQUIRE(provider->event_open(it.state, 0, &event) == 0);
    CHECK_EQ_I64(provider->stream_wait(it.state, b, event), 0); /* never recorded */
    fake_cuda_launch(it.fake, 0, b, add_one, &on_b);
    CHECK_EQ_U64(fake_cuda_runnable(it.fake), (uint64_t)1 << at_b);
    CHECK_EQ_I64(fake_cuda_step(it.fake, at_b), 1);
    fake_cuda_launch(it.fake, 0, a, add_one, &on_a);
    CHECK_EQ_I64(provider->event_record(it.state, event, a), 0);
    CHECK_EQ_I64(provider->stream_wait(it.state, b, event), 0); /* the first record */
    fake_cuda_launch(it.fake, 0, b, add_one, &on_b);
    fake_cuda_launch(it.fake, 0, a, add_one, &on_a);
    CHECK_EQ_I64(provider->event_record(it.state, event, a), 0); /* the second */
    CHECK_EQ_U64(fake_cuda_runnable(it.fake), (uint64_t)1 << at_a);
    CHECK_EQ_I64(fake_cuda_step(it.fake, at_b), 0);
    CHECK_EQ_I64(provider->event_query(it.state, event), BIOST_CUDA_NOT_READY);
    CHECK_EQ_I64(fake_cuda_step(it.fake, at_a), 1);
    CHECK_EQ_U64(fake_cuda_runnable(it.fake), (uint64_t)1 << at_a | (uint64_t)1 << at_b);
    CHECK_EQ_I64(provider->event_query(it.state, event), BIOST_CUDA_NOT_READY); /* the second */
    CHECK_EQ_I64(fake_cuda_step(it.fake, at_b), 1);
    CHECK_EQ_I64(on_b, 2);
    CHECK_EQ_I64(provider->event_wait(it.state, event), 0); /* makes steps */
    CHECK_EQ_I64(on_a, 2);
    CHECK_EQ_I64(provider->event_query(it.state, event), 0);
    CHECK_EQ_I64(provider->event_close(it.state, event), 0);
    close_fake(&it);
}

/* The choice of steps is the caller's: last stream first. */
static int choose_last(void *user_data, uint64_t runnable) {
    ++*(int *)user_data;
    return 63 - __builtin_clzll(runnable);
}

typedef struct appended {
    char text[8];
    size_t used;
} appended;

static appended appended_text;

static void append_a(void *data) {
    appended_text.text[appended_text.used++ & 7] = *(const char *)data;
}

TEST(cuda_fake, chooser) {
    static char x[] = "x", y[] = "y";
    fake_cuda_options options;
    int choices = 0;
    biost_cuda_stream a, b;
    opened it;
    memset(&options, 0, sizeof options);
    memset(&appended_text, 0, sizeof appended_text);
    options.stepped = 1;
    options.choose = choose_last;
    options.choose_data = &choices;
    it = open_fake(&options);
    a = fake_cuda_stream(it.fake, 0);
    b = fake_cuda_stream(it.fake, 0);
    fake_cuda_launch(it.fake, 0, a, append_a, x);
    fake_cuda_launch(it.fake, 0, a, append_a, x);
    fake_cuda_launch(it.fake, 0, b, append_a, y);
    fake_cuda_launch(it.fake, 0, b, append_a, y);
    CHECK_EQ_I64(it.provider->stream_finish(it.state, a), 0);
    CHECK_STR(appended_text.text, "yyxx");
    CHECK_EQ_I64(choices, 4);
    close_fake(&it);
}

/* Two streams in turn over one number: with the waits, every add comes after the other stream's last. */
static void double_it(void *data) {
    *(uint32_t *)data *= 2;
}

static void add_3(void *data) {
    *(uint32_t *)data += 3;
}

TEST(cuda_fake, threads_in_order) {
    fake_cuda_options options;
    uint32_t number = 1, expected = 1;
    biost_cuda_stream streams[2];
    void *events[2] = {NULL, NULL};
    opened it;
    int i;
    memset(&options, 0, sizeof options);
    options.max_delay_us = 100;
    options.seed = test_seed();
    it = open_fake(&options);
    for (i = 0; i < 2; ++i) {
        streams[i] = fake_cuda_stream(it.fake, 0);
        REQUIRE(it.provider->event_open(it.state, 0, &events[i]) == 0);
    }
    for (i = 0; i < 200; ++i) {
        CHECK_EQ_I64(it.provider->stream_wait(it.state, streams[i & 1], events[!(i & 1)]), 0);
        fake_cuda_launch(it.fake, 0, streams[i & 1], i & 1 ? add_3 : double_it, &number);
        CHECK_EQ_I64(it.provider->event_record(it.state, events[i & 1], streams[i & 1]), 0);
        expected = i & 1 ? expected + 3 : expected * 2;
    }
    CHECK_EQ_I64(it.provider->event_wait(it.state, events[1]), 0);
    CHECK_EQ_U64(number, expected);
    for (i = 0; i < 2; ++i) {
        CHECK_EQ_I64(it.provider->event_close(it.state, events[i]), 0);
    }
    CHECK_EQ_U64(fake_cuda_operation_count(it.fake), 200);
    close_fake(&it);
}

/* A stream that is closed does what it was asked for. */
TEST(cuda_fake, close_lets_finish) {
    fake_cuda_options options;
    int stepped, count;
    for (stepped = 0; stepped < 2; ++stepped) {
        biost_cuda_stream stream = NULL;
        opened it;
        memset(&options, 0, sizeof options);
        options.stepped = stepped;
        options.max_delay_us = 500;
        it = open_fake(&options);
        count = 0;
        REQUIRE(it.provider->stream_open(it.state, 0, &stream) == 0);
        fake_cuda_launch(it.fake, 0, stream, add_one, &count);
        fake_cuda_launch(it.fake, 0, stream, add_one, &count);
        CHECK_EQ_I64(it.provider->stream_close(it.state, stream), 0);
        close_fake(&it);
        CHECK_EQ_I64(count, 2);
    }
}

/* ---- the fake: failures ---------------------------------------------------------------------------- */

TEST(cuda_fake, nth_call_fails) {
    opened it = open_stepped();
    const biost_cuda_provider *provider = it.provider;
    void *event = NULL, *memory = NULL, *before = NULL;
    fake_cuda_fail(it.fake, FAKE_EVENT_OPEN, 2, 2, 0);
    CHECK_EQ_I64(provider->device_alloc(it.state, 8, &memory), 0);
    CHECK_EQ_I64(provider->event_open(it.state, 0, &event), 0);
    CHECK_EQ_I64(provider->event_close(it.state, event), 0);
    CHECK_EQ_I64(provider->event_open(it.state, 0, &event), 2);
    CHECK(event == NULL);
    CHECK_EQ_I64(provider->event_open(it.state, 0, &event), 0);
    CHECK_EQ_U64(fake_cuda_failed_count(it.fake), 1);
    CHECK_EQ_U64(fake_cuda_count(it.fake, FAKE_EVENT_OPEN), 3);
    fake_cuda_fail(it.fake, FAKE_ANY, 3, 719, 0);
    CHECK_EQ_I64(provider->event_query(it.state, event), 0);
    CHECK_EQ_I64(provider->event_record(it.state, event, NULL), 0);
    CHECK_EQ_I64(provider->event_close(it.state, event), 719); /* closed nevertheless */
    fake_cuda_fail(it.fake, FAKE_ENTER, 1, 46, 0);
    CHECK_EQ_I64(provider->enter(it.state, 0, &before), 46);
    CHECK_EQ_U64(fake_cuda_failed_enters(it.fake), 1);
    CHECK_EQ_I64(provider->device_free(it.state, memory), 0);
    close_fake(&it);
}

/* After a sticky error all calls fail, nothing is done any more, nothing hangs, and all can be freed. */
TEST(cuda_fake, sticky) {
    fake_cuda_options options;
    int kind, stepped, count;
    for (kind = 0; kind < 4; ++kind) {
        void *event = NULL, *memory = NULL, *host = NULL, *before = NULL, *more = NULL;
        biost_cuda_stream stream = NULL;
        opened it;
        memset(&options, 0, sizeof options);
        stepped = options.stepped = kind & 1;
        options.max_delay_us = 500;
        it = open_fake(&options);
        count = 0;
        test_note("%s, %s", stepped ? "stepped" : "threads", kind < 2 ? "call" : "operation");
        REQUIRE(it.provider->event_open(it.state, 0, &event) == 0);
        REQUIRE(it.provider->device_alloc(it.state, 64, &memory) == 0);
        REQUIRE(it.provider->host_alloc(it.state, 64, 0, &host) == 0);
        REQUIRE(it.provider->stream_open(it.state, 0, &stream) == 0);
        if (kind < 2) {
            fake_cuda_fail(it.fake, FAKE_EVENT_RECORD, 1, 719, 1);
            CHECK_EQ_I64(it.provider->event_record(it.state, event, stream), 719);
            fake_cuda_launch(it.fake, 0, stream, add_one, &count);
        } else {
            fake_cuda_fail_operation(it.fake, 2, 700);
            CHECK_EQ_I64(it.provider->copy_in(it.state, memory, host, 64, stream), 0);
            fake_cuda_launch(it.fake, 0, stream, add_one, &count); /* this one */
            fake_cuda_launch(it.fake, 0, stream, add_one, &count);
            (void)it.provider->event_record(it.state, event, stream);
        }
        CHECK_EQ_I64(it.provider->event_wait(it.state, event), 700);
        CHECK_EQ_I64(it.provider->stream_finish(it.state, stream), 700);
        CHECK_EQ_I64(it.provider->copy_in(it.state, memory, host, 64, stream), 700);
        CHECK_EQ_I64(it.provider->device_alloc(it.state, 64, &more), 700);
        CHECK(more == NULL);
        CHECK_EQ_I64(it.provider->enter(it.state, 0, &before), 0);
        it.provider->leave(it.state, before);
        CHECK_EQ_I64(it.provider->stream_close(it.state, stream), 700);
        CHECK_EQ_I64(it.provider->event_close(it.state, event), 700);
        CHECK_EQ_I64(it.provider->device_free(it.state, memory), 700);
        CHECK_EQ_I64(it.provider->host_free(it.state, host), 700);
        close_fake(&it);
        CHECK_EQ_I64(count, 0);
    }
}

TEST(cuda_fake, no_device) {
    fake_cuda_options options;
    fake_cuda *fake;
    const biost_cuda_provider *provider;
    void *state = NULL;
    int count = 7;
    memset(&options, 0, sizeof options);
    options.device_count = -1;
    fake = fake_cuda_new(&options);
    provider = fake_cuda_provider(fake);
    CHECK_EQ_I64(provider->open(provider->user_data, &state), 0);
    CHECK_EQ_I64(provider->device_count(state, &count), 100);
    CHECK_EQ_I64(count, 0);
    CHECK_EQ_I64(provider->device_open(state, -1, &count), 101);
    provider->close(state);
    CHECK_STR(fake_cuda_check(fake), NULL);
    fake_cuda_delete(fake);
}

/* ---- the fake: each misuse is found ---------------------------------------------------------------- */

static uint64_t someones_memory[64];

static void misuse_leak_device(const opened *it) {
    void *out;
    it->provider->device_alloc(it->state, 16, &out);
}

static void misuse_leak_host(const opened *it) {
    void *out;
    it->provider->host_alloc(it->state, 16, 0, &out);
}

static void misuse_leak_lock(const opened *it) {
    it->provider->host_lock(it->state, someones_memory, 64);
}

static void misuse_leak_stream(const opened *it) {
    biost_cuda_stream out;
    it->provider->stream_open(it->state, 0, &out);
}

static void misuse_leak_event(const opened *it) {
    void *out;
    it->provider->event_open(it->state, 0, &out);
}

static void misuse_leak_enter(const opened *it) {
    void *before;
    it->provider->enter(it->state, 0, &before);
}

static void misuse_leak_device_open(const opened *it) {
    int device;
    it->provider->device_open(it->state, 1, &device);
}

static void misuse_leak_open(const opened *it) {
    void *state;
    it->provider->open(it->provider->user_data, &state);
}

static void misuse_close_twice(const opened *it) {
    it->provider->close(it->state);
    it->provider->close(it->state);
}

static void misuse_device_close(const opened *it) {
    it->provider->device_close(it->state, 0);
    it->provider->device_close(it->state, 0);
}

static void misuse_free_device_twice(const opened *it) {
    void *out;
    it->provider->device_alloc(it->state, 16, &out);
    it->provider->device_free(it->state, out);
    it->provider->device_free(it->state, out);
}

static void misuse_free_inside(const opened *it) {
    void *out;
    it->provider->device_alloc(it->state, 16, &out);
    it->provider->device_free(it->state, (uint8_t *)out + 1);
    it->provider->device_free(it->state, out);
}

static void misuse_free_host_twice(const opened *it) {
    void *out;
    it->provider->host_alloc(it->state, 16, 0, &out);
    it->provider->host_free(it->state, out);
    it->provider->host_free(it->state, out);
}

static void misuse_free_locked(const opened *it) {
    it->provider->host_lock(it->state, someones_memory, 64);
    it->provider->host_free(it->state, someones_memory);
    it->provider->host_unlock(it->state, someones_memory);
}

static void misuse_lock_twice(const opened *it) {
    it->provider->host_lock(it->state, someones_memory, 64);
    it->provider->host_lock(it->state, someones_memory + 4, 64);
    it->provider->host_unlock(it->state, someones_memory);
}

static void misuse_outside(const opened *it) {
    void *out, *before;
    it->provider->leave(it->state, it->before);
    it->provider->event_open(it->state, 0, &out);
    it->provider->enter(it->state, 0, &before);
    it->provider->event_close(it->state, out);
}

static void misuse_leave_order(const opened *it) {
    void *first, *second;
    it->provider->enter(it->state, 1, &first);
    it->provider->enter(it->state, 0, &second);
    it->provider->leave(it->state, first);
    it->provider->leave(it->state, second);
}

static void misuse_leave_only(const opened *it) {
    void *before;
    it->provider->leave(it->state, it->before);
    it->provider->leave(it->state, it->before);
    it->provider->enter(it->state, 0, &before);
}

static void misuse_enter_closed(const opened *it) {
    void *before;
    it->provider->device_close(it->state, 1);
    it->provider->enter(it->state, 1, &before);
    it->provider->leave(it->state, before);
    misuse_leak_device_open(it);
}

static void misuse_wrong_device(const opened *it) {
    void *before, *out;
    it->provider->device_alloc(it->state, 16, &out);
    it->provider->enter(it->state, 1, &before);
    it->provider->device_free(it->state, out);
    it->provider->leave(it->state, before);
}

static void misuse_wrong_stream(const opened *it) {
    it->provider->stream_finish(it->state, fake_cuda_stream(it->fake, 1));
}

static void misuse_unknown_stream(const opened *it) {
    it->provider->stream_finish(it->state, (biost_cuda_stream)(void *)someones_memory);
}

static void misuse_unknown_event(const opened *it) {
    it->provider->event_record(it->state, someones_memory, NULL);
}

static void misuse_closed_stream(const opened *it) {
    biost_cuda_stream out;
    it->provider->stream_open(it->state, 0, &out);
    it->provider->stream_close(it->state, out);
    it->provider->stream_finish(it->state, out);
}

static void misuse_closed_event(const opened *it) {
    void *out;
    it->provider->event_open(it->state, 0, &out);
    it->provider->event_close(it->state, out);
    it->provider->event_query(it->state, out);
}

static void misuse_users_stream(const opened *it) {
    it->provider->stream_close(it->state, fake_cuda_stream(it->fake, 0));
}

static void misuse_record_elsewhere(const opened *it) {
    void *out, *before;
    it->provider->event_open(it->state, 0, &out);
    it->provider->enter(it->state, 1, &before);
    it->provider->event_record(it->state, out, NULL);
    it->provider->leave(it->state, before);
    it->provider->event_close(it->state, out);
}

static void misuse_elapsed(const opened *it) {
    void *out;
    float ms;
    it->provider->event_open(it->state, 0, &out);
    it->provider->event_record(it->state, out, NULL);
    it->provider->event_elapsed(it->state, out, out, &ms);
    it->provider->event_close(it->state, out);
}

static void misuse_out_of_bounds(const opened *it) {
    uint8_t *memory = (uint8_t *)fake_cuda_alloc(it->fake, 0, 64);
    it->provider->copy_in(it->state, memory + 8, someones_memory, 57, NULL);
}

static void misuse_host_as_device(const opened *it) {
    it->provider->copy_in(it->state, someones_memory, someones_memory + 1, 8, NULL);
}

static void misuse_device_as_host(const opened *it) {
    void *memory = fake_cuda_alloc(it->fake, 0, 64);
    it->provider->copy_in(it->state, memory, memory, 8, NULL);
}

static void misuse_other_memory(const opened *it) {
    it->provider->copy_in(it->state, fake_cuda_alloc(it->fake, 1, 64), someones_memory, 8, NULL);
}

static void misuse_free_while_copied_to(const opened *it) {
    void *host, *memory;
    it->provider->host_alloc(it->state, 16, 0, &host);
    it->provider->device_alloc(it->state, 16, &memory);
    it->provider->copy_in(it->state, memory, host, 16, NULL);
    it->provider->device_free(it->state, memory);
    it->provider->stream_finish(it->state, NULL);
    it->provider->host_free(it->state, host);
}

static void misuse_free_while_copied_from(const opened *it) {
    void *host;
    it->provider->host_alloc(it->state, 16, 0, &host);
    it->provider->copy_in(it->state, fake_cuda_alloc(it->fake, 0, 64), host, 16, NULL);
    it->provider->host_free(it->state, host);
}

static void misuse_expand_out_of_bounds(const opened *it) {
    biost_cuda_expansion expansion;
    uint8_t *memory = (uint8_t *)fake_cuda_alloc(it->fake, 0, 1024);
    memset(&expansion, 0, sizeof expansion);
    expansion.codes = memory;
    expansion.table = memory + 256;
    expansion.out = memory + 512;
    expansion.rows = 1;
    expansion.columns = 513;
    expansion.channels = 1;
    expansion.element_bytes = 1;
    it->provider->expand(it->state, 0, &expansion, NULL);
}

static void misuse_expand_unaligned(const opened *it) {
    biost_cuda_expansion expansion;
    uint8_t *memory = (uint8_t *)fake_cuda_alloc(it->fake, 0, 1024);
    memset(&expansion, 0, sizeof expansion);
    expansion.codes = memory + 1;
    expansion.table = memory + 256;
    expansion.out = memory + 512;
    expansion.rows = 1;
    expansion.columns = 4;
    expansion.channels = 1;
    expansion.element_bytes = 1;
    it->provider->expand(it->state, 0, &expansion, NULL);
}

static const struct {
    void (*plant)(const opened *it);
    const char *found;
} misuses[] = {
    {misuse_leak_device, "leak: 16 bytes of device 0"},
    {misuse_leak_host, "leak: 16 bytes of host memory\n"},
    {misuse_leak_lock, "leak: 64 bytes of host memory are locked"},
    {misuse_leak_stream, "leak: a stream"},
    {misuse_leak_event, "leak: an event"},
    {misuse_leak_enter, "leak: an enter without leave"},
    {misuse_leak_device_open, "leak: device 1 is open"},
    {misuse_leak_open, "leak: open without close"},
    {misuse_close_twice, "close without open"},
    {misuse_device_close, "device_close without device_open"},
    {misuse_free_device_twice, "device_free, twice"},
    {misuse_free_inside, "which is no allocation"},
    {misuse_free_host_twice, "which is not or no longer allocated"},
    {misuse_free_locked, "which is not or no longer allocated"},
    {misuse_lock_twice, "host_lock of memory that is locked"},
    {misuse_outside, "event_open outside enter and leave"},
    {misuse_leave_order, "leave with what another enter gave"},
    {misuse_leave_only, "leave without enter"},
    {misuse_enter_closed, "enter of device 1, which is not open"},
    {misuse_wrong_device, "device_free of device 0 while device 1 is current"},
    {misuse_wrong_stream, "stream_finish of device 1 while device 0 is current"},
    {misuse_unknown_stream, "stream_finish: not a stream"},
    {misuse_unknown_event, "event_record: not an event"},
    {misuse_closed_stream, "stream_finish: use of a stream after close"},
    {misuse_closed_event, "event_query: use of an event after close"},
    {misuse_users_stream, "stream_close of a stream that is not its own"},
    {misuse_record_elsewhere, "event of device 0 on a stream of device 1"},
    {misuse_elapsed, "event_elapsed of events without times"},
    {misuse_out_of_bounds, "out of bounds: bytes [8, 65) of an allocation of 64"},
    {misuse_host_as_device, "is no device memory"},
    {misuse_device_as_host, "copy_in from"},
    {misuse_other_memory, "memory of device 1 on device 0"},
    {misuse_free_while_copied_to, "use of device memory after free"},
    {misuse_free_while_copied_from, "host memory freed or unlocked while a copy of it was on its way"},
    {misuse_expand_out_of_bounds, "expand, out: out of bounds"},
    {misuse_expand_unaligned, "expand: "},
};

TEST(cuda_fake, finds_misuse) {
    size_t i;
    for (i = 0; i < sizeof misuses / sizeof misuses[0]; ++i) {
        fake_cuda_options options;
        const char *wrong;
        opened it;
        memset(&options, 0, sizeof options);
        options.stepped = 1;
        options.device_count = 2;
        it = open_fake(&options);
        test_note("%s", misuses[i].found);
        misuses[i].plant(&it);
        leave_fake(&it);
        wrong = fake_cuda_check(it.fake);
        CHECK(wrong != NULL && strstr(wrong, misuses[i].found) != NULL);
        if (wrong != NULL && strstr(wrong, misuses[i].found) == NULL) {
            printf("    found:    %s", wrong);
        }
        fake_cuda_delete(it.fake);
    }
}

/* Poison is seen by a reader that comes before the copy, or in the middle of it. */
static uint8_t seen_bytes[3][8];
static int seen_count;

static void look_at(void *data) {
    memcpy(seen_bytes[seen_count++], data, 8);
}

TEST(cuda_fake, early_reader_sees_poison) {
    fake_cuda_options options;
    biost_cuda_stream copies, reads;
    void *host = NULL, *memory;
    uint8_t *real;
    opened it;
    int i;
    memset(&options, 0, sizeof options);
    options.stepped = 1;
    options.poison_copies = 1;
    it = open_fake(&options);
    copies = fake_cuda_stream(it.fake, 0);
    reads = fake_cuda_stream(it.fake, 0);
    memory = fake_cuda_alloc(it.fake, 0, 8);
    real = fake_cuda_at(it.fake, memory, 8);
    REQUIRE(it.provider->host_alloc(it.state, 8, 0, &host) == 0);
    memcpy(host, "12345678", 8);
    memcpy(real, "oldvalue", 8);
    seen_count = 0;
    CHECK_EQ_I64(it.provider->copy_in(it.state, memory, host, 8, copies), 0);
    for (i = 0; i < 3; ++i) {
        fake_cuda_launch(it.fake, 0, reads, look_at, real);
        CHECK_EQ_I64(fake_cuda_step(it.fake, fake_cuda_stream_index(reads)), 1);
        CHECK_EQ_I64(fake_cuda_step(it.fake, fake_cuda_stream_index(copies)), i < 2);
    }
    CHECK_MEM(seen_bytes[0], "oldvalue", 8);
    CHECK_MEM(seen_bytes[1], "1234\xA5\xA5\xA5\xA5", 8);
    CHECK_MEM(seen_bytes[2], "12345678", 8);
    fake_cuda_poison_on(it.fake, 0, reads, (uint8_t *)memory + 2, 3);
    CHECK_EQ_I64(fake_cuda_step(it.fake, fake_cuda_stream_index(reads)), 1);
    CHECK_MEM(real,
              "12\xA5\xA5\xA5"
              "678",
              8);
    CHECK_EQ_I64(it.provider->host_free(it.state, host), 0);
    close_fake(&it);
}
