/*
 * fake_libcuda.h - what a test sets and reads of fake_libcuda.c: its variable `fake_libcuda`. Include
 * biostream_cuda.h first. A test that is built with FAKE_LIBCUDA, the folder of the libraries, loads it here;
 * any other finds it by fake_libcuda_find where it stands in the driver's place.
 */
#ifndef FAKE_LIBCUDA_H
#define FAKE_LIBCUDA_H

#include <dlfcn.h>
#include <string.h>

/* The library's calls, in the order of fake_libcuda.calls. */
#define FAKE_LIBCUDA_CALLS(X)            \
    X(cuInit)                            \
    X(cuDriverGetVersion)                \
    X(cuGetErrorName)                    \
    X(cuGetErrorString)                  \
    X(cuDeviceGetCount)                  \
    X(cuDeviceGet)                       \
    X(cuDeviceGetName)                   \
    X(cuDevicePrimaryCtxRetain)          \
    X(cuDevicePrimaryCtxRelease_v2)      \
    X(cuCtxPushCurrent_v2)               \
    X(cuCtxPopCurrent_v2)                \
    X(cuCtxGetCurrent)                   \
    X(cuCtxGetDevice)                    \
    X(cuCtxGetStreamPriorityRange)       \
    X(cuMemHostAlloc)                    \
    X(cuMemFreeHost)                     \
    X(cuMemHostRegister_v2)              \
    X(cuMemHostUnregister)               \
    X(cuMemAlloc_v2)                     \
    X(cuMemFree_v2)                      \
    X(cuStreamCreate)                    \
    X(cuStreamCreateWithPriority)        \
    X(cuStreamDestroy_v2)                \
    X(cuStreamWaitEvent)                 \
    X(cuStreamSynchronize)               \
    X(cuEventCreate)                     \
    X(cuEventDestroy_v2)                 \
    X(cuEventRecord)                     \
    X(cuEventQuery)                      \
    X(cuEventSynchronize)                \
    X(cuEventElapsedTime)                \
    X(cuMemcpyHtoDAsync_v2)              \
    X(cuMemcpyDtoHAsync_v2)              \
    X(cuMemcpyDtoDAsync_v2)              \
    X(cuMemsetD32Async)                  \
    X(cuModuleLoadData)                  \
    X(cuModuleUnload)                    \
    X(cuModuleGetFunction)               \
    X(cuLaunchKernel)                    \
    X(cuThreadExchangeStreamCaptureMode) \
    X(cuStreamIsCapturing)               \
    X(cuStreamBeginCapture_v2)           \
    X(cuStreamEndCapture)                \
    X(cuGraphGetNodes)                   \
    X(cuGraphInstantiateWithFlags)       \
    X(cuGraphLaunch)                     \
    X(cuGraphDestroy)                    \
    X(cuGraphExecDestroy)

#define FAKE_LIBCUDA_NUMBER(name) FAKE_LIBCUDA_##name,
enum { FAKE_LIBCUDA_CALLS(FAKE_LIBCUDA_NUMBER) FAKE_LIBCUDA_CALL_COUNT };

typedef struct fake_libcuda_control {
    const char *fail_name; /* the call that fails, with fail_number; NULL: none */
    int fail_number;
    int device_count;
    void (*expand)(const biost_cuda_expansion *expansion); /* what kernels do; NULL: the library knows */
    long live;             /* objects opened and not closed, pushed contexts and captures included */
    unsigned misuse;       /* calls that the real driver would refuse or crash in */
    char misuse_text[200]; /* which was the first; empty: none */
    int not_ready; /* > 0: so many event queries find work under way; < 0: all do, until it is 0 again */
    int is_broken; /* a kernel read where nothing is: its device fails from the next wait on */
    unsigned kernel_loads; /* kernels asked for by name, which loads them */
    char last_kernel[64];
    unsigned last_grid;
    unsigned last_host_flags, last_stream_flags, last_event_flags;
    int last_stream_priority;                     /* as it was asked for */
    unsigned long calls[FAKE_LIBCUDA_CALL_COUNT]; /* by FAKE_LIBCUDA_ and the call's name */
} fake_libcuda_control;

#ifndef FAKE_LIBCUDA_INSIDE
#define FAKE_LIBCUDA_MAYBE_UNUSED __attribute__((unused))

/* The control of what was loaded or found last. */
FAKE_LIBCUDA_MAYBE_UNUSED static fake_libcuda_control *fake_libcuda_known;
static void *fake_libcuda_handle;

/* The library as new: all it kept is gone, nothing is counted, two devices. None of its objects may be in use. */
FAKE_LIBCUDA_MAYBE_UNUSED static void fake_libcuda_reset(void) {
    void *found = fake_libcuda_handle != NULL ? dlsym(fake_libcuda_handle, "fake_libcuda_as_new") : NULL;
    void (*as_new)(void);
    if (found != NULL) {
        memcpy(&as_new, &found, sizeof as_new);
        as_new();
    }
}

/* How often a call was made, whatever it returned; ~0 for a call that the library does not know. */
FAKE_LIBCUDA_MAYBE_UNUSED static unsigned long fake_libcuda_count(const char *name) {
#define FAKE_LIBCUDA_NAME(call) #call,
    static const char *const names[] = {FAKE_LIBCUDA_CALLS(FAKE_LIBCUDA_NAME)};
    int i;
    for (i = 0; i < FAKE_LIBCUDA_CALL_COUNT; ++i) {
        if (strcmp(names[i], name) == 0) {
            return fake_libcuda_known != NULL ? fake_libcuda_known->calls[i] : 0;
        }
    }
    return ~0ul;
}

/* Of all calls, those that only tell errors' names aside. */
FAKE_LIBCUDA_MAYBE_UNUSED static unsigned long fake_libcuda_count_all(void) {
    unsigned long sum = 0;
    int i;
    for (i = 0; fake_libcuda_known != NULL && i < FAKE_LIBCUDA_CALL_COUNT; ++i) {
        if (i != FAKE_LIBCUDA_cuGetErrorName && i != FAKE_LIBCUDA_cuGetErrorString) {
            sum += fake_libcuda_known->calls[i];
        }
    }
    return sum;
}

/* Count from 0 again. */
FAKE_LIBCUDA_MAYBE_UNUSED static void fake_libcuda_count_reset(void) {
    if (fake_libcuda_known != NULL) {
        memset(fake_libcuda_known->calls, 0, sizeof fake_libcuda_known->calls);
    }
}

/* The library's control, where it is what dlopen finds as the driver; NULL: a real driver, or none. */
FAKE_LIBCUDA_MAYBE_UNUSED static fake_libcuda_control *fake_libcuda_find(void) {
    fake_libcuda_handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL); /* stays loaded */
    fake_libcuda_known = fake_libcuda_handle == NULL
                             ? NULL
                             : (fake_libcuda_control *)dlsym(fake_libcuda_handle, "fake_libcuda");
    return fake_libcuda_known;
}

#ifdef FAKE_LIBCUDA
/* The library, so that dlopen of its soname finds it from now on; NULL where that does not work. */
static fake_libcuda_control *fake_libcuda_load(const char *path, void **out_library) {
    void *found;
    *out_library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*out_library == NULL) {
        return NULL;
    }
    found = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (found != NULL) {
        dlclose(found);
    }
    fake_libcuda_handle = *out_library;
    fake_libcuda_known = found == *out_library ? (fake_libcuda_control *)dlsym(found, "fake_libcuda") : NULL;
    return fake_libcuda_known;
}

/* The library, as new; NULL where there is none. It stays loaded once the driver has started it. */
static fake_libcuda_control *fake_libcuda_fresh(void **out_library) {
    fake_libcuda_control *control = fake_libcuda_load(FAKE_LIBCUDA "/libcuda_fake.so", out_library);
    if (control != NULL) {
        fake_libcuda_reset();
    }
    return control;
}
#endif
#endif /* FAKE_LIBCUDA_INSIDE */

#endif /* FAKE_LIBCUDA_H */
