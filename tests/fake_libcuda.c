/*
 * fake_libcuda.c - a libcuda.so.1 for tests, without a GPU: the calls that >>driver makes, over host memory,
 * done when they return. Two devices. Built as a shared library with that soname; test_cuda_providers.c
 * loads it, so that the driver's own dlopen finds it. FAKE_LIBCUDA_OLD leaves one call out.
 *
 * Prototypes are cuda.h's, in plain types: results int for CUresult, handles void *.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../biostream_cuda.h"
#include "fake_libcuda.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT fake_libcuda_control fake_libcuda = {NULL, 0, 2, NULL, 0, 0, "", 0, 0, 0, 0};

typedef struct context {
    int device, retained;
} context;

typedef struct event {
    unsigned flags;
    double time_ms;
} event;

static context contexts[2] = {{0, 0}, {1, 0}};
static __thread context *stack[16];
static __thread int depth;
static int is_started;
static double now_ms;
static const char module_image[] = "a module";
static const char *const kernel_names[3] = {"bsi_cuda_kernels_whole", "bsi_cuda_kernels_planes",
                                            "bsi_cuda_kernels_any"};

/* The error a call ends with before it does anything. */
static int failure(const char *name, int needs_context) {
    if (fake_libcuda.fail_name != NULL && strcmp(fake_libcuda.fail_name, name) == 0) {
        return fake_libcuda.fail_number;
    }
    if (!is_started && strcmp(name, "cuInit") != 0) {
        ++fake_libcuda.misuse;
        return 3;
    }
    if (needs_context && (depth == 0 || stack[depth - 1]->retained == 0)) {
        ++fake_libcuda.misuse;
        return 201;
    }
    return 0;
}

#define BEGIN(name, needs_context)                 \
    do {                                           \
        int failed = failure(name, needs_context); \
        if (failed != 0) {                         \
            return failed;                         \
        }                                          \
    } while (0)

/* A call that frees: done also where it fails. */
#define END(name, needs_context)                   \
    do {                                           \
        int failed = failure(name, needs_context); \
        --fake_libcuda.live;                       \
        return failed;                             \
    } while (0)

EXPORT int cuInit(unsigned flags);
EXPORT int cuInit(unsigned flags) {
    BEGIN("cuInit", 0);
    is_started = 1;
    return flags == 0 ? 0 : 1;
}

EXPORT int cuGetErrorName(int error, const char **out);
EXPORT int cuGetErrorName(int error, const char **out) {
    *out = error == 0     ? "CUDA_SUCCESS"
           : error == 222 ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
           : error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                          : NULL;
    return *out == NULL ? 1 : 0;
}

EXPORT int cuGetErrorString(int error, const char **out);
EXPORT int cuGetErrorString(int error, const char **out) {
    *out = error == 700 ? "an illegal memory access was encountered" : NULL;
    return *out == NULL ? 1 : 0;
}

EXPORT int cuDeviceGetCount(int *out_count);
EXPORT int cuDeviceGetCount(int *out_count) {
    BEGIN("cuDeviceGetCount", 0);
    *out_count = fake_libcuda.device_count;
    return 0;
}

EXPORT int cuDeviceGet(int *out_device, int ordinal);
EXPORT int cuDeviceGet(int *out_device, int ordinal) {
    BEGIN("cuDeviceGet", 0);
    *out_device = ordinal + 40; /* handles are not numbers */
    return ordinal >= 0 && ordinal < 2 ? 0 : 101;
}

EXPORT int cuDevicePrimaryCtxRetain(void **out_context, int device);
EXPORT int cuDevicePrimaryCtxRetain(void **out_context, int device) {
    BEGIN("cuDevicePrimaryCtxRetain", 0);
    if (device < 40 || device > 41) {
        return 101;
    }
    ++contexts[device - 40].retained;
    ++fake_libcuda.live;
    *out_context = &contexts[device - 40];
    return 0;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device);
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
    if (device < 40 || device > 41 || contexts[device - 40].retained == 0) {
        ++fake_libcuda.misuse;
        return 201;
    }
    --contexts[device - 40].retained;
    END("cuDevicePrimaryCtxRelease_v2", 0);
}

EXPORT int cuCtxPushCurrent_v2(void *pushed);
EXPORT int cuCtxPushCurrent_v2(void *pushed) {
    BEGIN("cuCtxPushCurrent_v2", 0);
    stack[depth++] = (context *)pushed;
    ++fake_libcuda.live;
    return 0;
}

EXPORT int cuCtxPopCurrent_v2(void **out_context);
EXPORT int cuCtxPopCurrent_v2(void **out_context) {
    if (depth == 0) {
        ++fake_libcuda.misuse;
        return 201;
    }
    *out_context = stack[--depth];
    END("cuCtxPopCurrent_v2", 0);
}

EXPORT int cuCtxGetCurrent(void **out_context);
EXPORT int cuCtxGetCurrent(void **out_context) {
    BEGIN("cuCtxGetCurrent", 0);
    *out_context = depth == 0 ? NULL : stack[depth - 1];
    return 0;
}

EXPORT int cuCtxGetDevice(int *out_device);
EXPORT int cuCtxGetDevice(int *out_device) {
    BEGIN("cuCtxGetDevice", 1);
    *out_device = stack[depth - 1]->device + 40;
    return 0;
}

static int allocate(void **out, size_t bytes, size_t align) {
    if (bytes == 0 || posix_memalign(out, align, bytes) != 0) {
        return bytes == 0 ? 1 : 2;
    }
    memset(*out, 0xA5, bytes);
    ++fake_libcuda.live;
    return 0;
}

EXPORT int cuMemHostAlloc(void **out, size_t bytes, unsigned flags);
EXPORT int cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
    BEGIN("cuMemHostAlloc", 1);
    fake_libcuda.last_host_flags = flags;
    return allocate(out, bytes, 4096);
}

EXPORT int cuMemFreeHost(void *memory);
EXPORT int cuMemFreeHost(void *memory) {
    free(memory);
    END("cuMemFreeHost", 1);
}

EXPORT int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags);
EXPORT int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags) {
    BEGIN("cuMemHostRegister_v2", 1);
    fake_libcuda.last_host_flags = flags;
    fake_libcuda.live += memory != NULL && bytes > 0;
    return memory == NULL || bytes == 0 ? 1 : 0;
}

EXPORT int cuMemHostUnregister(void *memory);
EXPORT int cuMemHostUnregister(void *memory) {
    fake_libcuda.misuse += memory == NULL;
    END("cuMemHostUnregister", 1);
}

EXPORT int cuMemAlloc_v2(uint64_t *out, size_t bytes);
EXPORT int cuMemAlloc_v2(uint64_t *out, size_t bytes) {
    void *memory = NULL;
    int error;
    BEGIN("cuMemAlloc_v2", 1);
    error = allocate(&memory, bytes, 256);
    *out = (uintptr_t)memory;
    return error;
}

EXPORT int cuMemFree_v2(uint64_t memory);
EXPORT int cuMemFree_v2(uint64_t memory) {
    free((void *)(uintptr_t)memory);
    END("cuMemFree_v2", 1);
}

EXPORT int cuStreamCreate(void **out, unsigned flags);
EXPORT int cuStreamCreate(void **out, unsigned flags) {
    BEGIN("cuStreamCreate", 1);
    fake_libcuda.last_stream_flags = flags;
    *out = calloc(1, 8);
    ++fake_libcuda.live;
    return 0;
}

EXPORT int cuStreamDestroy_v2(void *stream);
EXPORT int cuStreamDestroy_v2(void *stream) {
    free(stream);
    END("cuStreamDestroy_v2", 1);
}

EXPORT int cuStreamWaitEvent(void *stream, void *waited, unsigned flags);
EXPORT int cuStreamWaitEvent(void *stream, void *waited, unsigned flags) {
    (void)stream;
    BEGIN("cuStreamWaitEvent", 1);
    return waited == NULL || flags != 0 ? 400 : 0;
}

EXPORT int cuStreamSynchronize(void *stream);
EXPORT int cuStreamSynchronize(void *stream) {
    (void)stream;
    BEGIN("cuStreamSynchronize", 1);
    return 0;
}

EXPORT int cuEventCreate(void **out, unsigned flags);
EXPORT int cuEventCreate(void **out, unsigned flags) {
    BEGIN("cuEventCreate", 1);
    fake_libcuda.last_event_flags = flags;
    *out = calloc(1, sizeof(event));
    ((event *)*out)->flags = flags;
    ++fake_libcuda.live;
    return 0;
}

EXPORT int cuEventDestroy_v2(void *closed);
EXPORT int cuEventDestroy_v2(void *closed) {
    free(closed);
    END("cuEventDestroy_v2", 1);
}

EXPORT int cuEventRecord(void *recorded, void *stream);
EXPORT int cuEventRecord(void *recorded, void *stream) {
    (void)stream;
    BEGIN("cuEventRecord", 1);
    ((event *)recorded)->time_ms = now_ms;
    return 0;
}

EXPORT int cuEventQuery(void *asked);
EXPORT int cuEventQuery(void *asked) {
    BEGIN("cuEventQuery", 1);
    return asked == NULL ? 400 : 0;
}

EXPORT int cuEventSynchronize(void *waited);
EXPORT int cuEventSynchronize(void *waited) {
    BEGIN("cuEventSynchronize", 1);
    return waited == NULL ? 400 : 0;
}

EXPORT int cuEventElapsedTime(float *out_ms, void *from, void *to);
EXPORT int cuEventElapsedTime(float *out_ms, void *from, void *to) {
    BEGIN("cuEventElapsedTime", 1);
    *out_ms = (float)(((event *)to)->time_ms - ((event *)from)->time_ms);
    return ((((event *)from)->flags | ((event *)to)->flags) & 2) != 0 ? 400 : 0;
}

EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream);
EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
    (void)stream;
    BEGIN("cuMemcpyHtoDAsync_v2", 1);
    memcpy((void *)(uintptr_t)to, from, bytes);
    now_ms += 1;
    return 0;
}

EXPORT int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream);
EXPORT int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
    (void)stream;
    BEGIN("cuMemcpyDtoHAsync_v2", 1);
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    now_ms += 1;
    return 0;
}

/* PTX starts with its version, after comments, and has an entry of each kernel's name. */
EXPORT int cuModuleLoadData(void **out, const void *image);
EXPORT int cuModuleLoadData(void **out, const void *image) {
    char entry[96];
    int i;
    BEGIN("cuModuleLoadData", 1);
    if (strstr((const char *)image, ".version ") == NULL) {
        return 218;
    }
    for (i = 0; i < 3; ++i) {
        snprintf(entry, sizeof entry, ".entry %s(", kernel_names[i]);
        if (strstr((const char *)image, entry) == NULL) {
            return 218;
        }
    }
    ++fake_libcuda.live;
    *out = (void *)(uintptr_t)module_image;
    return 0;
}

EXPORT int cuModuleUnload(void *module);
EXPORT int cuModuleUnload(void *module) {
    fake_libcuda.misuse += module != module_image;
    END("cuModuleUnload", 1);
}

EXPORT int cuModuleGetFunction(void **out, void *module, const char *name);
EXPORT int cuModuleGetFunction(void **out, void *module, const char *name) {
    int i;
    BEGIN("cuModuleGetFunction", 1);
    fake_libcuda.misuse += module != module_image;
    for (i = 0; i < 3; ++i) {
        if (strcmp(name, kernel_names[i]) == 0) {
            *out = (void *)(uintptr_t)kernel_names[i];
            return 0;
        }
    }
    return 500;
}

#ifndef FAKE_LIBCUDA_OLD
EXPORT int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream,
                          void **parameters, void **extra);
EXPORT int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream,
                          void **parameters, void **extra) {
    (void)stream;
    BEGIN("cuLaunchKernel", 1);
    if (grid_x == 0 || grid_y != 1 || grid_z != 1 || block_x != 256 || block_y != 1 || block_z != 1 ||
        shared_bytes != 0 || extra != NULL) {
        return 1;
    }
    snprintf(fake_libcuda.last_kernel, sizeof fake_libcuda.last_kernel, "%s", (const char *)function);
    fake_libcuda.last_grid = grid_x;
    fake_libcuda.expand((const biost_cuda_expansion *)parameters[0]);
    now_ms += 1;
    return 0;
}
#endif
