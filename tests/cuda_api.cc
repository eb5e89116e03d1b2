/*
 * cuda_api.cc - the calls of CUDA's driver as biostream_cuda.h declares them, against the toolkit's own headers: of
 * each its name, its place in the table, its arguments and what they point to, and the CUDA release that it came with;
 * and the numbers of flags and errors. Needs cuda.h and cudaTypedefs.h, and neither a GPU nor a driver; compiled and
 * run by tests/cuda.sh. Prints a line for each call that differs; the last line is `N passed, N failed`.
 *
 *     c++ -std=c++17 -isystem /usr/local/cuda/include tests/cuda_api.cc -o cuda_api -ldl -pthread
 */
#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <type_traits>

#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_CUDA_IMPLEMENTATION
#ifndef CUDA_API_HEADER
#define CUDA_API_HEADER "../biostream_cuda.h"
#endif
#include CUDA_API_HEADER

/* CUDA 12.8 gave this call a second form, under its plain name; the header takes the first, which all drivers have. */
#undef cuEventElapsedTime

/* Of each CUDA release that a driver must have, as cuda.h counts. */
enum { NEWEST = 11000 };

/* ---- what is the same to a compiled call ------------------------------------------------------------------ */

/* What a pointer of it leads to cannot be looked into: void, and the structs behind CUDA's handles. */
template <class T, class = void> struct is_opaque : std::true_type {};
template <class T> struct is_opaque<T, std::void_t<decltype(sizeof(T))>> : std::is_void<T> {};

template <class T> constexpr bool is_number = std::is_integral<T>::value || std::is_enum<T>::value;

/* Integers, floating numbers or pointers, of one size; pointers to the same, or both to something opaque. */
template <class A, class B> constexpr bool is_same_value() {
    if constexpr (std::is_pointer<A>::value && std::is_pointer<B>::value) {
        using to_a = std::remove_cv_t<std::remove_pointer_t<A>>;
        using to_b = std::remove_cv_t<std::remove_pointer_t<B>>;
        if constexpr (is_opaque<to_a>::value || is_opaque<to_b>::value) {
            return is_opaque<to_a>::value && is_opaque<to_b>::value;
        } else {
            return is_same_value<to_a, to_b>();
        }
    } else {
        return sizeof(A) == sizeof(B) &&
               ((is_number<A> && is_number<B>) ||
                (std::is_floating_point<A>::value && std::is_floating_point<B>::value));
    }
}

template <class A, class B> struct comparison;
template <class R, class... A, class S, class... B>
struct comparison<R(CUDAAPI *)(A...), S(CUDAAPI *)(B...)> {
    /* What differs, or NULL. */
    static constexpr const char *difference() {
        if constexpr (sizeof...(A) != sizeof...(B)) {
            return "the count of arguments differs";
        } else {
            return !is_same_value<R, S>()            ? "the result differs"
                   : !(is_same_value<A, B>() && ...) ? "an argument differs"
                                                     : nullptr;
        }
    }
};

template <class A, class B> constexpr bool is_same_call() {
    return comparison<A, B>::difference() == nullptr;
}

/* It sees what it is for. */
static_assert(is_same_call<int (*)(void **, unsigned), CUresult (*)(CUcontext *, unsigned)>(), "");
static_assert(is_same_call<int (*)(uint64_t *), CUresult (*)(CUdeviceptr *)>(), "");
static_assert(is_same_call<int (*)(biost_cuda_stream), CUresult (*)(CUstream)>(), "");
static_assert(!is_same_call<int (*)(int), int (*)(uint64_t)>(), "a size");
static_assert(!is_same_call<int (*)(int), int (*)(float)>(), "a class");
static_assert(!is_same_call<int (*)(int), int (*)(int, int)>(), "a count");
static_assert(!is_same_call<int (*)(int *), int (*)(uint64_t *)>(), "a pointee's size");
static_assert(!is_same_call<int (*)(int *), int (*)(float *)>(), "a pointee's class");
static_assert(!is_same_call<int (*)(void *), int (*)(int *)>(), "something opaque");
static_assert(!is_same_call<int (*)(void *), int (*)(uint64_t)>(), "a pointer");
static_assert(!is_same_call<uint64_t (*)(int), CUresult (*)(int)>(), "a result");

/* ---- the table --------------------------------------------------------------------------------------------- */

static int passed, failed, newest;
static bool is_known[BSI_CUDA_DRIVER_NAMES];

static void result(bool is_good, const char *what, const char *why) {
    passed += is_good;
    failed += !is_good;
    if (!is_good) {
        printf("FAILED %s: %s\n", what, why);
    }
}

/* One call: its place in the struct must be that of its name, and a driver has it since `version`. */
static void call(size_t place, const char *name, int version, bool is_optional, const char *difference) {
    result(place < BSI_CUDA_DRIVER_NAMES && strcmp(bsi_cuda_driver_names[place], name) == 0, name,
           place < BSI_CUDA_DRIVER_NAMES ? bsi_cuda_driver_names[place] : "no name at its place");
    result(difference == nullptr, name, difference);
    result(is_optional == (place >= BSI_CUDA_DRIVER_NAMES - BSI_CUDA_DRIVER_OPTIONAL), name,
           "is optional on one side only");
    result(is_optional || version <= NEWEST, name, "newer than CUDA 11.0, and not optional");
    newest = is_optional || version <= newest ? newest : version;
    if (place < BSI_CUDA_DRIVER_NAMES) {
        is_known[place] = true;
    }
}

#define QUOTED_(text) #text
#define QUOTED(text)  QUOTED_(text)

/* The name is what cuda.h makes of the plain one, so the latest form; the type is cudaTypedefs.h's of that release. */
#define ROW(field, name, type, version, is_optional)                          \
    call(offsetof(Calls, field) / sizeof(void *), name, version, is_optional, \
         comparison<decltype(Calls::field), type>::difference())
#define CALL(field, name, version)     ROW(field, QUOTED(name), PFN_##name##_v##version, version, false)
#define OPTIONAL(field, name, version) ROW(field, QUOTED(name), PFN_##name##_v##version, version, true)

template <class Calls> static void devices() {
    CALL(init, cuInit, 2000);
    CALL(get_error_name, cuGetErrorName, 6000);
    CALL(get_error_string, cuGetErrorString, 6000);
    CALL(device_get_count, cuDeviceGetCount, 2000);
    CALL(device_get, cuDeviceGet, 2000);
    CALL(primary_retain, cuDevicePrimaryCtxRetain, 7000);
    CALL(primary_release, cuDevicePrimaryCtxRelease, 11000);
    CALL(context_push, cuCtxPushCurrent, 4000);
    CALL(context_pop, cuCtxPopCurrent, 4000);
    CALL(context_current, cuCtxGetCurrent, 4000);
    CALL(context_device, cuCtxGetDevice, 2000);
    CALL(host_alloc, cuMemHostAlloc, 2020);
    CALL(host_free, cuMemFreeHost, 2000);
    CALL(host_lock, cuMemHostRegister, 6050);
    CALL(host_unlock, cuMemHostUnregister, 4000);
    CALL(device_alloc, cuMemAlloc, 3020);
    CALL(device_free, cuMemFree, 3020);
}

template <class Calls> static void streams() {
    CALL(priority_range, cuCtxGetStreamPriorityRange, 5050);
    CALL(stream_create, cuStreamCreateWithPriority, 5050);
    OPTIONAL(exchange_mode, cuThreadExchangeStreamCaptureMode, 10010);
    OPTIONAL(stream_is_capturing, cuStreamIsCapturing, 10000);
    CALL(stream_destroy, cuStreamDestroy, 4000);
    CALL(stream_wait, cuStreamWaitEvent, 3020);
    CALL(stream_finish, cuStreamSynchronize, 2000);
}

template <class Calls> static void work() {
    CALL(event_create, cuEventCreate, 2000);
    CALL(event_destroy, cuEventDestroy, 4000);
    CALL(event_record, cuEventRecord, 2000);
    CALL(event_query, cuEventQuery, 2000);
    CALL(event_wait, cuEventSynchronize, 2000);
    CALL(event_elapsed, cuEventElapsedTime, 2000);
    CALL(copy_in, cuMemcpyHtoDAsync, 3020);
    CALL(copy_out, cuMemcpyDtoHAsync, 3020);
    CALL(module_load, cuModuleLoadData, 2000);
    CALL(module_unload, cuModuleUnload, 2000);
    CALL(module_function, cuModuleGetFunction, 2000);
    CALL(launch, cuLaunchKernel, 4000);
}

/* ---- numbers ----------------------------------------------------------------------------------------------- */

static_assert(CU_MEMHOSTALLOC_PORTABLE == BSI_CUDA_DRIVER_PORTABLE, "");
static_assert(CU_MEMHOSTREGISTER_PORTABLE == BSI_CUDA_DRIVER_PORTABLE, "");
static_assert(CU_MEMHOSTALLOC_WRITECOMBINED == BSI_CUDA_DRIVER_WRITE_COMBINED, "");
static_assert(static_cast<int>(CU_STREAM_NON_BLOCKING) == BSI_CUDA_DRIVER_NON_BLOCKING, "");
static_assert(static_cast<int>(CU_EVENT_BLOCKING_SYNC) == BSI_CUDA_DRIVER_BLOCKING_SYNC, "");
static_assert(static_cast<int>(CU_EVENT_DISABLE_TIMING) == BSI_CUDA_DRIVER_NO_TIMING, "");
static_assert(static_cast<int>(CU_STREAM_CAPTURE_MODE_RELAXED) == BSI_CUDA_DRIVER_RELAXED, "");
static_assert(sizeof(CUstreamCaptureMode) == sizeof(int) && sizeof(CUstreamCaptureStatus) == sizeof(int), "");
static_assert(static_cast<int>(CU_STREAM_CAPTURE_STATUS_NONE) == 0, "any other status is a capture");
static_assert(static_cast<int>(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) == BIOST_CUDA_CAPTURES, "");
static_assert(static_cast<int>(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) == BSI_CUDA_DRIVER_IMPLICIT, "");
static_assert(static_cast<int>(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD) == 908 &&
                  static_cast<int>(CUDA_ERROR_CAPTURED_EVENT) == 907,
              "errors of captures are BIOST_CUDA_CAPTURES and the nine numbers past it");
static_assert(static_cast<int>(CUDA_ERROR_NOT_READY) == BIOST_CUDA_NOT_READY, "");
static_assert(static_cast<int>(CUDA_ERROR_INVALID_VALUE) == BSI_CUDA_DRIVER_BAD_VALUE, "");
static_assert(static_cast<int>(CUDA_ERROR_DEINITIALIZED) == BSI_CUDA_DRIVER_UNLOADING, "");
static_assert(static_cast<int>(CUDA_ERROR_NO_DEVICE) == BSI_CUDA_DRIVER_NO_DEVICE, "");
static_assert(static_cast<int>(CUDA_ERROR_INVALID_DEVICE) == BSI_CUDA_DRIVER_BAD_DEVICE, "");
static_assert(static_cast<int>(CUDA_ERROR_INVALID_CONTEXT) == BSI_CUDA_DRIVER_BAD_CONTEXT, "");
static_assert(sizeof(CUdeviceptr) == sizeof(void *), "an address of host memory fits");

/* The errors that have names in the header, for when there is no driver to ask: by the name that cuda.h gives them. */
static int names;

static void named(int error, const char *name) {
    ++names;
    result(strcmp(bsi_cuda_driver_open_name(error), name) == 0, name, "has another number");
}

#define NAMED(error) named(error, #error)

static void errors() {
    NAMED(CUDA_SUCCESS);
    NAMED(CUDA_ERROR_OUT_OF_MEMORY);
    NAMED(CUDA_ERROR_NOT_INITIALIZED);
    NAMED(CUDA_ERROR_DEINITIALIZED);
    NAMED(CUDA_ERROR_STUB_LIBRARY);
    NAMED(CUDA_ERROR_DEVICE_UNAVAILABLE);
    NAMED(CUDA_ERROR_NO_DEVICE);
    NAMED(CUDA_ERROR_INVALID_DEVICE);
    NAMED(CUDA_ERROR_OPERATING_SYSTEM);
    NAMED(CUDA_ERROR_SYSTEM_NOT_READY);
    NAMED(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
    NAMED(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);
    for (int error = 0; error < 1000; ++error) {
        names -= strcmp(bsi_cuda_driver_open_name(error), "CUDA_ERROR_UNKNOWN") != 0;
    }
    result(names == 0, "bsi_cuda_driver_open_name", "names errors that are compared with nothing");
}

int main() {
    devices<bsi_cuda_driver_calls>();
    streams<bsi_cuda_driver_calls>();
    work<bsi_cuda_driver_calls>();
    for (size_t i = 0; i < BSI_CUDA_DRIVER_NAMES; ++i) {
        result(is_known[i], bsi_cuda_driver_names[i], "is compared with nothing: it needs a line here");
    }
    /* CU_STREAM_LEGACY and CU_STREAM_PER_THREAD, which are casts and no constants. */
    result(reinterpret_cast<uintptr_t>(CU_STREAM_PER_THREAD) == BSI_CUDA_OPEN_PER_THREAD,
           "CU_STREAM_PER_THREAD", "has another number");
    errors();
    printf("toolkit %d.%d; a driver of CUDA %d.%d has all calls\n", CUDA_VERSION / 1000,
           CUDA_VERSION % 1000 / 10, newest / 1000, newest % 1000 / 10);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
