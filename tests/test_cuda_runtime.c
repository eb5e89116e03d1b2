/*
 * The provider over CUDA's runtime, where the toolkit's headers are: compiled as in a plain C file, over
 * functions of this file in libcudart's place, which call tests/fake_libcuda.c.
 *
 * rooms: cuda_runtime
 * needs: loader library dlopen fake_libcuda cuda_runtime
 */
#ifdef HAVE_CUDA_RUNTIME
#define BIOSTREAM_CUDA_RUNTIME 1
#endif
#include "white_cuda.h"
#include "test.h"
#include "fake_libcuda.h"
#include "cuda_around.h"

#if !defined(HAVE_CUDA_RUNTIME)
TEST(cuda_runtime, is_not_there) {
    CHECK(bsi_cuda_runtime_provider() == NULL);
    TEST_SKIP("headers of CUDA's runtime");
}
#else

static void *fake_library;
static cudaError_t last_error; /* as cudaGetLastError has it */
static int count_error;        /* of cudaGetDeviceCount */

/* A function of the library, to be cast to what it is. */
static void (*symbol(const char *name))(void) {
    void *found = dlsym(fake_library, name);
    void (*function)(void);
    memcpy(&function, &found, sizeof function);
    return function;
}

static cudaError_t ended(int error) {
    if (error != 0) {
        last_error = (cudaError_t)error;
    }
    return (cudaError_t)error;
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaGetDeviceCount(int *out_count) {
    *out_count = 2;
    return ended(count_error);
}

const char *cudaGetErrorName(cudaError_t error) {
    return error == cudaErrorInsufficientDriver ? "cudaErrorInsufficientDriver" : "cudaErrorOther";
}

const char *cudaGetErrorString(cudaError_t error) {
    (void)error;
    return "words of the runtime's";
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags) {
    return ended(((int (*)(void **, size_t, unsigned))symbol("cuMemHostAlloc"))(out, bytes, flags));
}

cudaError_t cudaFreeHost(void *memory) {
    return ended(((int (*)(void *))symbol("cuMemFreeHost"))(memory));
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags) {
    return ended(((int (*)(void *, size_t, unsigned))symbol("cuMemHostRegister_v2"))(memory, bytes, flags));
}

cudaError_t cudaHostUnregister(void *memory) {
    return ended(((int (*)(void *))symbol("cuMemHostUnregister"))(memory));
}

cudaError_t cudaMalloc(void **out, size_t bytes) {
    uint64_t memory = 0;
    int error = ((int (*)(uint64_t *, size_t))symbol("cuMemAlloc_v2"))(&memory, bytes);
    *out = (void *)(uintptr_t)memory;
    return ended(error);
}

cudaError_t cudaFree(void *memory) {
    return ended(((int (*)(uint64_t))symbol("cuMemFree_v2"))((uintptr_t)memory));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *out_least, int *out_greatest) {
    return ended(((int (*)(int *, int *))symbol("cuCtxGetStreamPriorityRange"))(out_least, out_greatest));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority) {
    return ended(
        ((int (*)(cudaStream_t *, unsigned, int))symbol("cuStreamCreateWithPriority"))(out, flags, priority));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return ended(((int (*)(cudaStream_t))symbol("cuStreamDestroy_v2"))(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return ended(
        ((int (*)(cudaStream_t, cudaEvent_t, unsigned))symbol("cuStreamWaitEvent"))(stream, event, flags));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return ended(((int (*)(cudaStream_t))symbol("cuStreamSynchronize"))(stream));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags) {
    return ended(((int (*)(cudaEvent_t *, unsigned))symbol("cuEventCreate"))(out, flags));
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return ended(((int (*)(cudaEvent_t))symbol("cuEventDestroy_v2"))(event));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return ended(((int (*)(cudaEvent_t, cudaStream_t))symbol("cuEventRecord"))(event, stream));
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return ended(((int (*)(cudaEvent_t))symbol("cuEventQuery"))(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return ended(((int (*)(cudaEvent_t))symbol("cuEventSynchronize"))(event));
}

cudaError_t cudaEventElapsedTime(float *out_ms, cudaEvent_t from, cudaEvent_t to) {
    return ended(
        ((int (*)(float *, cudaEvent_t, cudaEvent_t))symbol("cuEventElapsedTime"))(out_ms, from, to));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    if (kind == cudaMemcpyHostToDevice) {
        return ended(((int (*)(uint64_t, const void *, size_t, cudaStream_t))symbol("cuMemcpyHtoDAsync_v2"))(
            (uintptr_t)to, from, bytes, stream));
    }
    return ended(((int (*)(void *, uint64_t, size_t, cudaStream_t))symbol("cuMemcpyDtoHAsync_v2"))(
        to, (uintptr_t)from, bytes, stream));
}

/* Before the library is loaded. */
TEST(cuda_runtime, without_a_driver) {
    const biost_cuda_provider *provider = bsi_cuda_runtime_provider();
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *state = library;
    if (library != NULL) {
        dlclose(library);
        TEST_SKIP("a machine without NVIDIA's driver");
    }
    CHECK_EQ_I64(provider->open(provider->user_data, &state), BIOST_CUDA_NO_LIBRARY);
    CHECK(state == NULL);
    CHECK_STR(provider->error_name(NULL, BIOST_CUDA_NO_LIBRARY), "NO_LIBRARY");
    CHECK(strstr(provider->error_text(NULL, BIOST_CUDA_NO_LIBRARY),
                 sizeof(void *) == 8 ? "cannot be loaded" : "32-bit") != NULL);
}

TEST(cuda_runtime, goes_around) {
    const biost_cuda_provider *provider = bsi_cuda_runtime_provider();
    fake_libcuda_control *control = fake_libcuda_fresh(&fake_library);
    void *state = NULL;
    int count = 0, device = -7;
    if (control == NULL) {
        TEST_SKIP("libraries found by soname");
    }
    CHECK_STR(provider->name, "runtime");
    REQUIRE(provider->open(provider->user_data, &state) == 0);
    CHECK_EQ_I64(provider->device_count(state, &count), 0);
    CHECK_EQ_I64(count, 2);
    CHECK_EQ_I64(provider->device_open(state, -1, &device), 0);
    CHECK_EQ_I64(device, 0);
    CHECK_EQ_I64(provider->device_open(state, 1, &device), 0);
    go_around(provider, state, 0);
    go_around(provider, state, 1);
    CHECK_STR(control->last_kernel, bsi_cuda_kernels_names[0]);
    CHECK_EQ_U64(control->last_stream_flags, 1); /* cudaStreamNonBlocking */
    CHECK_EQ_U64(control->last_event_flags, 1);  /* cudaEventBlockingSync */
    CHECK_EQ_U64(control->last_host_flags, 1);   /* cudaHostRegisterPortable */
    provider->device_close(state, 0);
    provider->device_close(state, 1);
    provider->close(state);
    CHECK_EQ_I64(control->live, 0);
    CHECK_EQ_U64(control->misuse, 0);
    CHECK_EQ_I64(last_error, 0);
}

/* The runtime is newer than the driver can serve. */
TEST(cuda_runtime, driver_is_older) {
    const biost_cuda_provider *provider = bsi_cuda_runtime_provider();
    fake_libcuda_control *control = fake_libcuda_fresh(&fake_library);
    void *state = &state;
    if (control == NULL) {
        TEST_SKIP("libraries found by soname");
    }
    count_error = 35;
    CHECK_EQ_I64(provider->open(provider->user_data, &state), 35);
    count_error = 0;
    CHECK(state == NULL);
    CHECK_STR(provider->error_name(NULL, 35), "cudaErrorInsufficientDriver");
    CHECK_EQ_I64(last_error, 0);
}

/* An error is handed on, and not found a second time by cudaGetLastError of the program's. */
TEST(cuda_runtime, errors_come_through_once) {
    const biost_cuda_provider *provider = bsi_cuda_runtime_provider();
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
    control->fail_number = 600; /* as event_query's cudaErrorNotReady */
#define FAILS(name, call)                  \
    do {                                   \
        control->fail_name = name;         \
        CHECK_EQ_I64(provider->call, 600); \
        CHECK_EQ_I64(last_error, 0);       \
        control->fail_name = NULL;         \
    } while (0)
    FAILS("cuMemHostAlloc", host_alloc(state, 8, 0, &out));
    FAILS("cuMemHostRegister_v2", host_lock(state, bytes, 8));
    FAILS("cuMemAlloc_v2", device_alloc(state, 8, &out));
    FAILS("cuStreamCreateWithPriority", stream_open(state, 0, &stream));
    FAILS("cuCtxGetStreamPriorityRange", stream_open(state, BIOST_CUDA_FIRST, &stream));
    FAILS("cuStreamWaitEvent", stream_wait(state, NULL, event));
    FAILS("cuStreamSynchronize", stream_finish(state, NULL));
    FAILS("cuEventCreate", event_open(state, 0, &out));
    CHECK(out == NULL);
    FAILS("cuEventRecord", event_record(state, event, NULL));
    FAILS("cuEventQuery", event_query(state, event));
    FAILS("cuEventSynchronize", event_wait(state, event));
    FAILS("cuEventElapsedTime", event_elapsed(state, event, event, &ms));
    FAILS("cuMemcpyHtoDAsync_v2", copy_in(state, memory, bytes, 8, NULL));
    FAILS("cuMemcpyDtoHAsync_v2", copy_out(state, bytes, memory, 8, NULL));
    FAILS("cuEventDestroy_v2", event_close(state, event));
    control->fail_name = "cuMemFree_v2"; /* cudaErrorCudartUnloading: the program ends */
    control->fail_number = 4;
    CHECK_EQ_I64(provider->device_free(state, memory), 0);
    control->fail_name = NULL;
    provider->leave(state, before);
    provider->device_close(state, 0);
    provider->close(state);
    CHECK_EQ_I64(control->live, 0);
    CHECK_EQ_U64(control->misuse, 0);
}
#endif
