/*
 * tests/fake_libcuda.c finds what a program must not do with a driver, also what a real one might not notice. The
 * rules of captures are in gpu_real.c, where they are asked of any driver.
 *
 * rooms: tests
 * needs: loader library dlopen fake_libcuda
 */
#include "../biostream_cuda.h"
#include "test.h"
#include "fake_libcuda.h"

#if !defined(FAKE_LIBCUDA)
TEST(fake_libcuda, is_not_there) {
    TEST_SKIP("libraries found by soname");
}
#else

/* Its calls, in the order of names below. */
typedef struct calls {
    int (*init)(unsigned);
    int (*device_get)(int *, int);
    int (*retain)(void **, int);
    int (*release)(int);
    int (*push)(void *);
    int (*pop)(void **);
    int (*host_alloc)(void **, size_t, unsigned);
    int (*host_free)(void *);
    int (*host_lock)(void *, size_t, unsigned);
    int (*host_unlock)(void *);
    int (*alloc)(uint64_t *, size_t);
    int (*free)(uint64_t);
    int (*stream_create)(void **, unsigned, int);
    int (*stream_destroy)(void *);
    int (*stream_wait)(void *, void *, unsigned);
    int (*stream_finish)(void *);
    int (*event_create)(void **, unsigned);
    int (*event_destroy)(void *);
    int (*event_record)(void *, void *);
    int (*event_query)(void *);
    int (*event_finish)(void *);
    int (*copy_in)(uint64_t, const void *, size_t, void *);
    int (*copy_out)(void *, uint64_t, size_t, void *);
    int (*copy)(uint64_t, uint64_t, size_t, void *);
    int (*set)(uint64_t, unsigned, size_t, void *);
    int (*load)(void **, const void *);
    int (*unload)(void *);
    int (*function)(void **, void *, const char *);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                  void **, void **);
    int (*priorities)(int *, int *);
    int (*begin)(void *, int);
    int (*end)(void *, void **);
    int (*instantiate)(void **, void *, unsigned long long);
    int (*graph_launch)(void *, void *);
    int (*graph_destroy)(void *);
    int (*executable_destroy)(void *);
} calls;

/* Two devices' contexts, the first of them current, and one of each thing there. */
typedef struct world {
    calls c;
    fake_libcuda_control *control;
    void *contexts[2], *stream, *event, *module, *kernel, *host;
    uint64_t memory; /* 1024 bytes; as of host */
} world;

static const char module_text[] = ".version 6.0\n.visible .entry twice(\n)\n.visible .entry once(\n)";

static int world_make(world *w) {
    static const char *const names[] = {"cuInit",
                                        "cuDeviceGet",
                                        "cuDevicePrimaryCtxRetain",
                                        "cuDevicePrimaryCtxRelease_v2",
                                        "cuCtxPushCurrent_v2",
                                        "cuCtxPopCurrent_v2",
                                        "cuMemHostAlloc",
                                        "cuMemFreeHost",
                                        "cuMemHostRegister_v2",
                                        "cuMemHostUnregister",
                                        "cuMemAlloc_v2",
                                        "cuMemFree_v2",
                                        "cuStreamCreateWithPriority",
                                        "cuStreamDestroy_v2",
                                        "cuStreamWaitEvent",
                                        "cuStreamSynchronize",
                                        "cuEventCreate",
                                        "cuEventDestroy_v2",
                                        "cuEventRecord",
                                        "cuEventQuery",
                                        "cuEventSynchronize",
                                        "cuMemcpyHtoDAsync_v2",
                                        "cuMemcpyDtoHAsync_v2",
                                        "cuMemcpyDtoDAsync_v2",
                                        "cuMemsetD32Async",
                                        "cuModuleLoadData",
                                        "cuModuleUnload",
                                        "cuModuleGetFunction",
                                        "cuLaunchKernel",
                                        "cuCtxGetStreamPriorityRange",
                                        "cuStreamBeginCapture_v2",
                                        "cuStreamEndCapture",
                                        "cuGraphInstantiateWithFlags",
                                        "cuGraphLaunch",
                                        "cuGraphDestroy",
                                        "cuGraphExecDestroy"};
    void *library = NULL;
    size_t i;
    int device = 0;
    w->control = fake_libcuda_fresh(&library);
    for (i = 0; w->control != NULL && i < sizeof names / sizeof names[0]; ++i) {
        void *symbol = dlsym(library, names[i]);
        if (!CHECK(symbol != NULL)) {
            return 0;
        }
        memcpy((uint8_t *)&w->c + i * sizeof symbol, &symbol, sizeof symbol);
    }
    if (w->control == NULL) {
        return 0;
    }
    CHECK_EQ_I64(w->c.init(0), 0);
    for (i = 2; i-- > 0;) {
        CHECK_EQ_I64(w->c.device_get(&device, (int)i), 0);
        CHECK_EQ_I64(w->c.retain(&w->contexts[i], device), 0);
    }
    CHECK_EQ_I64(w->c.push(w->contexts[0]), 0);
    CHECK_EQ_I64(w->c.stream_create(&w->stream, 1, 0), 0);
    CHECK_EQ_I64(w->c.event_create(&w->event, 0), 0);
    CHECK_EQ_I64(w->c.load(&w->module, module_text), 0);
    CHECK_EQ_I64(w->c.function(&w->kernel, w->module, "twice"), 0);
    CHECK_EQ_I64(w->c.host_alloc(&w->host, 1024, 0), 0);
    return CHECK_EQ_I64(w->c.alloc(&w->memory, 1024), 0);
}

#define NEEDS_WORLD(w)                          \
    world w;                                    \
    if (!world_make(&(w))) {                    \
        TEST_SKIP("libraries found by soname"); \
    }

/* The call was one misuse, whose sentence has these words; the next starts from none. */
static void was_misuse(world *w, const char *words) {
    CHECK_EQ_U64(w->control->misuse, 1);
    if (!CHECK(strstr(w->control->misuse_text, words) != NULL)) {
        printf("    it says:  %s\n", w->control->misuse_text);
    }
    w->control->misuse = 0;
    w->control->misuse_text[0] = '\0';
}

static int launch(world *w, void *kernel, const biost_cuda_expansion *e) {
    biost_cuda_expansion given = *e;
    void *parameters[1];
    parameters[0] = &given;
    return w->c.launch(kernel, 1, 1, 1, 256, 1, 1, 0, w->stream, parameters, NULL);
}

/* Of 4 codes in the device's memory: those at 0, a table of one byte each at 256, out at 512. */
static biost_cuda_expansion expansion_of(const world *w) {
    biost_cuda_expansion e;
    memset(&e, 0, sizeof e);
    e.codes = (const uint8_t *)(uintptr_t)w->memory;
    e.table = (const uint8_t *)(uintptr_t)w->memory + 256;
    e.out = (uint8_t *)(uintptr_t)w->memory + 512;
    e.rows = 1;
    e.columns = 4;
    e.channels = 1;
    e.element_bytes = 1;
    return e;
}

TEST(fake_libcuda, nothing_wrong) {
    NEEDS_WORLD(w);
    biost_cuda_expansion e = expansion_of(&w);
    uint8_t *bytes = (uint8_t *)w.host;
    void *context = NULL;
    int least = 7, greatest = 7, i;
    for (i = 0; i < 256; ++i) {
        bytes[i] = (uint8_t)(i == 0 ? 3 : i == 1 ? 0 : i == 2 ? 255 : 3);
        bytes[256 + i] = (uint8_t)(i ^ 0x55);
    }
    CHECK_EQ_I64(w.c.copy_in(w.memory, bytes, 512, w.stream), 0);
    CHECK_EQ_I64(launch(&w, w.kernel, &e), 0);
    CHECK_EQ_I64(w.c.copy_out(bytes + 512, w.memory + 512, 4, w.stream), 0);
    CHECK_MEM(bytes + 512, "\x56\x55\xAA\x56", 4);
    CHECK_EQ_I64(w.c.set(w.memory + 516, 0x01020304, 2, w.stream), 0);
    CHECK_EQ_I64(w.c.copy(w.memory + 512, w.memory + 518, 4, w.stream), 0);
    CHECK_EQ_I64(w.c.copy_out(bytes, w.memory + 512, 4, NULL), 0);
    CHECK_MEM(bytes, "\x02\x01\x04\x03", 4);
    CHECK_EQ_I64(w.c.event_record(w.event, w.stream), 0);
    CHECK_EQ_I64(w.c.stream_wait(NULL, w.event, 0), 0);
    CHECK_EQ_I64(w.c.event_finish(w.event), 0);
    CHECK_EQ_I64(w.c.priorities(&least, &greatest), 0);
    CHECK_EQ_I64(least, 0);
    CHECK_EQ_I64(greatest, -5);
    CHECK_EQ_U64(w.control->kernel_loads, 1);
    CHECK_EQ_I64(w.c.stream_destroy(w.stream), 0);
    CHECK_EQ_I64(w.c.stream_create(&w.stream, 1, -4), 0);
    CHECK_EQ_I64(w.control->last_stream_priority, -4);
    CHECK_EQ_I64(w.c.stream_destroy(w.stream), 0);
    CHECK_EQ_I64(w.c.event_destroy(w.event), 0);
    CHECK_EQ_I64(w.c.unload(w.module), 0);
    CHECK_EQ_I64(w.c.host_free(w.host), 0);
    CHECK_EQ_I64(w.c.free(w.memory), 0);
    CHECK_EQ_I64(w.c.pop(&context), 0);
    CHECK(context == w.contexts[0]);
    CHECK_EQ_I64(w.c.release(40), 0);
    CHECK_EQ_I64(w.c.release(41), 0);
    CHECK_EQ_I64(w.control->live, 0);
    CHECK_EQ_U64(w.control->misuse, 0);
}

/* Nothing new stands where something was. */
TEST(fake_libcuda, objects_after_their_end) {
    NEEDS_WORLD(w);
    biost_cuda_expansion e = expansion_of(&w);
    void *stream = NULL, *event = NULL, *not_asked_for = (void *)(uintptr_t)0x1230;
    CHECK_EQ_I64(w.c.stream_create(&stream, 1, 0), 0);
    CHECK_EQ_I64(w.c.stream_destroy(w.stream), 0);
    CHECK_EQ_I64(w.c.event_record(w.event, w.stream), 400);
    was_misuse(&w, "cuEventRecord: the stream");
    CHECK_EQ_I64(w.c.stream_wait(w.stream, w.event, 0), 400);
    was_misuse(&w, "was destroyed before");
    CHECK_EQ_I64(w.c.copy_in(w.memory, w.host, 4, w.stream), 400);
    was_misuse(&w, "cuMemcpyHtoDAsync_v2: the stream");
    CHECK_EQ_I64(w.c.stream_destroy(w.stream), 400);
    was_misuse(&w, "cuStreamDestroy_v2: the stream");
    CHECK_EQ_I64(w.c.stream_create(&event, 1, 0), 0);
    CHECK(event != w.stream);
    w.stream = stream;
    CHECK_EQ_I64(w.c.event_destroy(w.event), 0);
    CHECK_EQ_I64(w.c.event_query(w.event), 400);
    was_misuse(&w, "cuEventQuery: the event");
    CHECK_EQ_I64(w.c.event_query(w.stream), 400);
    was_misuse(&w, "is no event");
    CHECK_EQ_I64(launch(&w, not_asked_for, &e), 400);
    was_misuse(&w, "is no kernel");
    CHECK_EQ_I64(w.c.unload(w.module), 0);
    CHECK_EQ_I64(launch(&w, w.kernel, &e), 400);
    was_misuse(&w, "cuLaunchKernel: the module");
}

TEST(fake_libcuda, memory_after_its_end) {
    NEEDS_WORLD(w);
    biost_cuda_expansion e = expansion_of(&w);
    uint8_t own[64];
    uint64_t other = 0;
    CHECK_EQ_I64(w.c.copy_in(w.memory + 1000, w.host, 25, w.stream), 0);
    was_misuse(&w, "go beyond their device memory");
    CHECK_EQ_I64(w.c.copy_in(w.memory, (uint8_t *)w.host + 1000, 25, w.stream), 0);
    was_misuse(&w, "go beyond their page-locked memory");
    CHECK_EQ_I64(w.c.copy_in((uintptr_t)w.host, own, 4, w.stream), 0);
    was_misuse(&w, "are host memory");
    CHECK_EQ_I64(w.c.copy_in((uintptr_t)own, own, 4, w.stream), 0);
    was_misuse(&w, "are no device memory");
    CHECK_EQ_I64(w.c.copy_out((void *)(uintptr_t)w.memory, w.memory, 4, w.stream), 0);
    was_misuse(&w, "are device memory");
    CHECK_EQ_I64(w.c.host_free(w.host), 0);
    CHECK_EQ_I64(w.c.copy_in(w.memory, (uint8_t *)w.host + 1020, 4, w.stream), 0);
    was_misuse(&w, "(from) were freed before");
    CHECK_EQ_I64(w.c.host_free(w.host), 0);
    was_misuse(&w, "was freed before (page-locked memory)");
    CHECK_EQ_I64(w.c.free(w.memory), 0);
    CHECK_EQ_I64(w.c.alloc(&other, 1024), 0);
    CHECK(other != w.memory);
    CHECK_EQ_I64(w.c.copy_in(w.memory + 8, own, 4, w.stream), 0);
    was_misuse(&w, "(to) were freed before");
    CHECK_EQ_I64(launch(&w, w.kernel, &e), 0);
    was_misuse(&w, "a kernel: 4 bytes");
    CHECK_EQ_I64(w.c.free(w.memory), 0);
    was_misuse(&w, "cuMemFree_v2");
    CHECK_EQ_I64(w.c.host_lock(own, sizeof own, 1), 0);
    CHECK_EQ_I64(w.c.host_lock(own + 32, 64, 1), 712); /* CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED */
    CHECK_EQ_I64(w.c.host_unlock(own), 0);
    CHECK_EQ_U64(w.control->misuse, 0);
    CHECK_EQ_I64(w.c.host_unlock(own), 713); /* CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED */
    was_misuse(&w, "is not locked");
}

TEST(fake_libcuda, contexts_after_their_end) {
    NEEDS_WORLD(w);
    void *context = NULL, *event = NULL;
    CHECK_EQ_I64(w.c.pop(&context), 0);
    CHECK_EQ_I64(w.c.stream_finish(NULL), 201);
    was_misuse(&w, "no context is current");
    CHECK_EQ_I64(w.c.push(w.contexts[1]), 0);
    CHECK_EQ_I64(w.c.event_record(w.event, NULL), 400); /* of the other device */
    was_misuse(&w, "of two devices");
    CHECK_EQ_I64(w.c.event_create(&event, 0), 0);
    CHECK_EQ_I64(w.c.release(40), 0);
    CHECK_EQ_I64(w.c.stream_wait(NULL, w.event, 0), 400);
    was_misuse(&w, "ended with its context");
    CHECK_EQ_I64(w.c.push(w.contexts[0]), 201);
    was_misuse(&w, "is no context");
    CHECK_EQ_I64(w.c.retain(&context, 40), 0);
    CHECK_EQ_I64(w.c.event_query(w.event), 400); /* not of this one */
    was_misuse(&w, "ended with its context");
    CHECK_EQ_I64(w.c.copy_in(w.memory, &event, 8, NULL), 0);
    was_misuse(&w, "ended with its context");
    CHECK_EQ_I64(w.c.release(41), 0);
    CHECK_EQ_I64(w.c.event_query(event), 201);
    was_misuse(&w, "was released");
    CHECK_EQ_I64(w.c.release(41), 201);
    was_misuse(&w, "is not retained");
}

/* A graph's work is done by each launch and none before; what it names must be there then. */
TEST(fake_libcuda, graphs) {
    NEEDS_WORLD(w);
    uint8_t *bytes = (uint8_t *)w.host;
    void *graph = NULL, *executable = NULL;
    memset(bytes, 1, 4);
    CHECK_EQ_I64(w.c.set(w.memory, 0, 1, NULL), 0);
    CHECK_EQ_I64(w.c.begin(w.stream, 0), 0);
    CHECK_EQ_I64(w.c.copy_in(w.memory, bytes, 4, w.stream), 0);
    CHECK_EQ_I64(w.c.copy_out(bytes + 4, w.memory, 4, NULL), 0);
    CHECK_MEM(bytes + 4, "\0\0\0\0", 4);
    CHECK_EQ_I64(w.c.end(w.stream, &graph), 0);
    CHECK_EQ_I64(w.c.instantiate(&executable, graph, 0), 0);
    CHECK_EQ_I64(w.c.graph_destroy(graph), 0);
    memset(bytes, 2, 4);
    CHECK_EQ_I64(w.c.graph_launch(executable, NULL), 0);
    CHECK_EQ_I64(w.c.copy_out(bytes + 4, w.memory, 4, NULL), 0);
    CHECK_MEM(bytes + 4, "\2\2\2\2", 4);
    CHECK_EQ_U64(w.control->misuse, 0);
    CHECK_EQ_I64(w.c.host_free(w.host), 0);
    CHECK_EQ_I64(w.c.graph_launch(executable, NULL), 0);
    was_misuse(&w, "cuGraphLaunch: 4 bytes");
    CHECK_EQ_I64(w.c.executable_destroy(executable), 0);
    CHECK_EQ_I64(w.c.graph_launch(executable, NULL), 1);
    was_misuse(&w, "the executable graph");
    CHECK_EQ_I64(w.c.begin(w.stream, 0), 0);
    CHECK_EQ_I64(w.c.stream_destroy(w.stream), 0);
    was_misuse(&w, "is capturing");
}

TEST(fake_libcuda, counts_calls) {
    NEEDS_WORLD(w);
    unsigned long all = fake_libcuda_count_all();
    CHECK_EQ_U64(fake_libcuda_count("cuDevicePrimaryCtxRetain"), 2);
    CHECK_EQ_U64(fake_libcuda_count("cuCtxPushCurrent_v2"), 1);
    CHECK_EQ_U64(fake_libcuda_count("cuEventQuery"), 0);
    CHECK_EQ_U64(fake_libcuda_count("cuNothing"), ~0ul);
    CHECK_EQ_I64(w.c.event_query(w.event), 0);
    w.control->fail_name = "cuEventQuery";
    w.control->fail_number = 3;
    CHECK_EQ_I64(w.c.event_query(w.event), 3);
    w.control->fail_name = NULL;
    CHECK_EQ_U64(fake_libcuda_count("cuEventQuery"), 2);
    CHECK_EQ_U64(w.control->calls[FAKE_LIBCUDA_cuEventQuery], 2);
    CHECK_EQ_U64(fake_libcuda_count_all(), all + 2);
    fake_libcuda_count_reset();
    CHECK_EQ_U64(fake_libcuda_count_all(), 0);
}

/* Work under way: for so many queries, or until it is said to be over. An event never recorded has none. */
TEST(fake_libcuda, not_ready) {
    NEEDS_WORLD(w);
    int i;
    w.control->not_ready = -1;
    CHECK_EQ_I64(w.c.event_query(w.event), 0);
    CHECK_EQ_I64(w.c.event_record(w.event, w.stream), 0);
    for (i = 0; i < 5; ++i) {
        CHECK_EQ_I64(w.c.event_query(w.event), 600);
    }
    w.control->not_ready = 2;
    CHECK_EQ_I64(w.c.event_query(w.event), 600);
    CHECK_EQ_I64(w.c.event_query(w.event), 600);
    CHECK_EQ_I64(w.c.event_query(w.event), 0);
    CHECK_EQ_U64(w.control->misuse, 0);
}

/* A kernel over an address where nothing ever is: from the next wait on all of its context fails; freeing frees. */
TEST(fake_libcuda, breaks) {
    NEEDS_WORLD(w);
    biost_cuda_expansion e = expansion_of(&w);
    void *stream = NULL;
    e.codes = (const uint8_t *)(uintptr_t)4096;
    CHECK_EQ_I64(launch(&w, w.kernel, &e), 0);
    CHECK_EQ_I64(w.control->is_broken, 1);
    CHECK_EQ_I64(w.c.copy_out(w.host, w.memory, 4, w.stream), 0);
    CHECK_MEM(w.host, "\xA5\xA5\xA5\xA5", 4); /* as allocated: after a fault nothing is done */
    CHECK_EQ_I64(w.c.stream_finish(w.stream), 700);
    CHECK_EQ_I64(w.c.copy_out(w.host, w.memory, 4, w.stream), 700);
    CHECK_EQ_I64(w.c.event_query(w.event), 700);
    CHECK_EQ_I64(w.c.stream_create(&stream, 1, 0), 700);
    CHECK_EQ_I64(w.c.stream_destroy(w.stream), 700);
    CHECK_EQ_I64(w.c.event_destroy(w.event), 700);
    CHECK_EQ_I64(w.c.unload(w.module), 700);
    CHECK_EQ_I64(w.c.host_free(w.host), 700);
    CHECK_EQ_I64(w.c.free(w.memory), 700);
    CHECK_EQ_I64(w.c.push(w.contexts[1]), 0); /* the other device works */
    CHECK_EQ_I64(w.c.stream_finish(NULL), 0);
    CHECK_EQ_I64(w.c.pop(&stream), 0);
    CHECK_EQ_I64(w.c.pop(&stream), 0);
    CHECK_EQ_I64(w.c.release(40), 0);
    CHECK_EQ_I64(w.c.release(41), 0);
    CHECK_EQ_I64(w.control->live, 0);
    CHECK_EQ_U64(w.control->misuse, 0);
}
#endif
