/*
 * fake_libcuda.c - a libcuda.so.1 for tests, without a GPU: the calls that >>driver makes and those a program makes
 * beside it, over host memory, done when they return. Two devices, any threads. Built as a shared library with that
 * soname: a test loads it by its path, so that the driver's own dlopen finds it, or LD_LIBRARY_PATH leads to it.
 *
 * What a program must not do is counted as misuse, with a sentence for the first. So that the use of something
 * after its end is found, and not hidden by something new at its address, nothing is given back to the system
 * before fake_libcuda_as_new: not objects, and of memory not the addresses.
 *
 * Captures of graphs follow the rules that CUDA documents; comments name the source:
 *   [exchange]  cuda.h, cuThreadExchangeStreamCaptureMode
 *   [begin]     cuda.h, cuStreamBeginCapture; [end] cuStreamEndCapture; [status] cuStreamIsCapturing
 *   [errors]    cuda.h, CUDA_ERROR_STREAM_CAPTURE_*
 *   [guide]     CUDA C++ Programming Guide, CUDA Graphs, Creating a Graph Using Stream Capture
 *   [devices]   the same, Multi-Device System, Stream and Event Behavior
 * Where those say that a call is refused but not by which number, a comment says so, too.
 *
 * Prototypes are cuda.h's, in plain types: results int for CUresult, handles void *. FAKE_LIBCUDA_OLD leaves
 * cuLaunchKernel out, FAKE_LIBCUDA_NO_CAPTURE the two calls of captures that >>driver does without.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* MAP_ANONYMOUS */
#endif
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "../biostream_cuda.h"
#define FAKE_LIBCUDA_INSIDE
#include "fake_libcuda.h"

#define EXPORT                 __attribute__((visibility("default")))
#define CALL(name, parameters) /* a call, after its prototype */ \
    EXPORT int name parameters;                                  \
    EXPORT int name parameters

/* CUDA's numbers of errors, flags and modes. */
enum {
    BAD_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    BAD_DEVICE = 101,
    BAD_IMAGE = 218,
    BAD_CONTEXT = 201,
    BAD_HANDLE = 400,
    ILLEGAL_STATE = 401,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    ALREADY_LOCKED = 712,
    NOT_LOCKED = 713,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
    CAPTURE_MERGE = 902,
    CAPTURE_UNMATCHED = 903,
    CAPTURE_UNJOINED = 904,
    CAPTURE_ISOLATION = 905,
    CAPTURE_IMPLICIT = 906,
    CAPTURED_EVENT = 907,
    CAPTURE_WRONG_THREAD = 908,
    MODE_GLOBAL = 0,
    MODE_RELAXED = 2,
    NON_BLOCKING = 1, /* of streams */
    NO_TIMING = 2,    /* of events */
    GREATEST_PRIORITY = -5,
    STREAMS_MOST = 16,     /* in one capture */
    NOTHING_BELOW = 65536, /* no memory has such an address */
    BUCKETS = 4096
};

EXPORT fake_libcuda_control fake_libcuda = {.device_count = 2};

/* ---- what there is ------------------------------------------------------------------------------------ */

typedef struct context {
    int device, retained;
    unsigned life;                   /* how often it was made new: what was made before is gone */
    int is_faulty, is_fault_noticed; /* a kernel read where nothing is; a wait has seen it */
} context;

/* Work for a device. */
typedef struct work {
    enum { WORK_IN, WORK_OUT, WORK_COPY, WORK_SET, WORK_KERNEL } kind;
    uintptr_t to, from;
    size_t bytes;
    uint32_t value;
    biost_cuda_expansion expansion;
} work;

typedef struct work_list {
    work *at;
    size_t count;
} work_list;

typedef struct object object;

/*
 * A capture, of the stream it was begun in and those that joined it. made[i] counts what the i-th stream did in it;
 * known[i] of a stream or event says how much of that it comes after.
 */
typedef struct capture {
    struct capture *next;
    object *members[STREAMS_MOST];
    unsigned made[STREAMS_MOST];
    int member_count;
    pthread_t thread;
    int mode, is_invalid, is_over;
    work_list list;
} capture;

typedef enum object_kind { STREAM, EVENT, MODULE, KERNEL, GRAPH, EXECUTABLE } object_kind;

struct object {
    object *chain; /* of its bucket */
    object_kind kind;
    int is_destroyed;
    context *home;
    unsigned life; /* of home, when it was made */
    unsigned flags;
    capture *capture;             /* stream: it is part of; event: it was last recorded in, over or not */
    int member;                   /* stream: which of capture's */
    unsigned known[STREAMS_MOST]; /* of capture's streams */
    int is_recorded;              /* event */
    double time_ms;
    char *text;     /* module: its PTX; kernel: its name */
    object *module; /* of the kernel */
    work_list list; /* of a graph */
};

typedef struct block {
    struct block *next;
    enum { DEVICE_BLOCK, HOST_BLOCK, LOCKED_BLOCK } kind;
    int is_freed;
    context *home; /* of device memory */
    unsigned life;
    uintptr_t at;
    size_t bytes;
    void *mapping; /* NULL: memory of the caller's */
    size_t mapped;
} block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static context contexts[2] = {{0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}};
static __thread context *stack[16];
static __thread int depth;
static __thread int thread_mode; /* of captures */
static int is_started;
static double now_ms;
static object *objects[BUCKETS];
static capture *captures;
static block *blocks;

static const char *const call_names[] = {
#define NAME(call) #call,
    FAKE_LIBCUDA_CALLS(NAME)};

__attribute__((format(printf, 1, 2))) static void misuse(const char *format, ...) {
    va_list arguments;
    if (fake_libcuda.misuse++ == 0) {
        va_start(arguments, format);
        vsnprintf(fake_libcuda.misuse_text, sizeof fake_libcuda.misuse_text, format, arguments);
        va_end(arguments);
    }
}

static context *current(void) {
    return depth == 0 ? NULL : stack[depth - 1];
}

/* ---- objects -------------------------------------------------------------------------------------------- */

static object **bucket_of(const void *handle) {
    return &objects[(uintptr_t)handle / 16 % BUCKETS];
}

static object *object_new(object_kind kind, unsigned flags) {
    object *made = (object *)calloc(1, sizeof *made);
    object **bucket = bucket_of(made);
    if (made == NULL) {
        abort();
    }
    made->kind = kind;
    made->flags = flags;
    made->home = current();
    made->life = made->home != NULL ? made->home->life : 0;
    made->chain = *bucket;
    *bucket = made;
    ++fake_libcuda.live;
    return made;
}

static const char *kind_name(object_kind kind) {
    static const char *const names[] = {"stream", "event", "module", "kernel", "graph", "executable graph"};
    return names[kind];
}

/* The living object of a handle; NULL and a misuse where it is none. */
static object *object_of(void *handle, object_kind kind, const char *call) {
    object *found = *bucket_of(handle);
    while (found != NULL && found != (object *)handle) {
        found = found->chain;
    }
    if (found == NULL || found->kind != kind) {
        misuse("%s: %p is no %s", call, handle, kind_name(kind));
        return NULL;
    }
    if (found->is_destroyed) {
        misuse("%s: the %s %p was destroyed before", call, kind_name(kind), handle);
        return NULL;
    }
    if (found->home != NULL && found->life != found->home->life) {
        misuse("%s: the %s %p ended with its context", call, kind_name(kind), handle);
        return NULL;
    }
    return found;
}

static void object_end(object *ended) {
    ended->is_destroyed = 1;
    --fake_libcuda.live;
}

/* ---- memory --------------------------------------------------------------------------------------------- */

static block *block_new(int kind, uintptr_t at, size_t bytes) {
    block *made = (block *)calloc(1, sizeof *made);
    if (made == NULL) {
        abort();
    }
    made->kind = kind == DEVICE_BLOCK ? DEVICE_BLOCK : kind == HOST_BLOCK ? HOST_BLOCK : LOCKED_BLOCK;
    made->home = kind == DEVICE_BLOCK ? current() : NULL;
    made->life = made->home != NULL ? made->home->life : 0;
    made->at = at;
    made->bytes = bytes;
    made->next = blocks;
    blocks = made;
    ++fake_libcuda.live;
    return made;
}

/* Pages of their own. Device memory is aligned as CUDA promises, to 256 bytes, and no better. */
static int block_allocate(int kind, size_t bytes, uintptr_t *out) {
    size_t before = kind == DEVICE_BLOCK ? 256 : 0, mapped = (before + bytes + 4095) / 4096 * 4096;
    void *mapping;
    block *made;
    *out = 0;
    if (bytes == 0) {
        return BAD_VALUE;
    }
    mapping = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) {
        return OUT_OF_MEMORY;
    }
    made = block_new(kind, (uintptr_t)mapping + before, bytes);
    made->mapping = mapping;
    made->mapped = mapped;
    memset((void *)made->at, 0xA5, bytes);
    *out = made->at;
    return 0;
}

/* Give the memory back; keep the addresses. */
static void block_free(int kind, uintptr_t at, const char *call) {
    static const char *const names[] = {"device memory", "page-locked memory", "locked memory"};
    block *freed = blocks;
    while (freed != NULL && (freed->at != at || (int)freed->kind != kind)) {
        freed = freed->next;
    }
    if (freed == NULL || freed->is_freed) {
        misuse(freed == NULL ? "%s: %p is no %s" : "%s: %p was freed before (%s)", call, (void *)at,
               names[kind]);
        return;
    }
    freed->is_freed = 1;
    --fake_libcuda.live;
    madvise(freed->mapping, freed->mapped, MADV_DONTNEED);
    mprotect(freed->mapping, freed->mapped, PROT_NONE);
}

/* A block of that kind (-1: any but the caller's) with one of these bytes, freed or not. */
static block *block_at(int kind, int is_freed, uintptr_t at, size_t bytes) {
    block *found = blocks;
    while (found != NULL &&
           !((kind < 0 ? found->kind != LOCKED_BLOCK : (int)found->kind == kind) &&
             found->is_freed == is_freed && at < found->at + found->bytes && found->at < at + bytes)) {
        found = found->next;
    }
    return found;
}

/* May a device use all of these bytes of its memory? */
static int device_may(const char *call, const char *what, uintptr_t at, size_t bytes) {
    const block *found = block_at(DEVICE_BLOCK, 0, at, bytes);
    if (found != NULL && at >= found->at && bytes <= found->bytes - (at - found->at)) {
        if (found->home != NULL && found->life != found->home->life) {
            misuse("%s: device memory %p (%s) ended with its context", call, (void *)at, what);
            return 0;
        }
        return 1;
    }
    misuse("%s: %llu bytes at %p (%s) %s", call, (unsigned long long)bytes, (void *)at, what,
           found != NULL                            ? "go beyond their device memory"
           : block_at(-1, 1, at, bytes) != NULL     ? "were freed before"
           : block_at(HOST_BLOCK, 0, at, 1) != NULL ? "are host memory"
                                                    : "are no device memory");
    return 0;
}

/* May a copy use these bytes of the host? They are page-locked as a whole, or the caller's. */
static int host_may(const char *call, const char *what, uintptr_t at, size_t bytes) {
    const block *found = block_at(HOST_BLOCK, 0, at, bytes);
    const char *why = NULL;
    if (block_at(-1, 1, at, bytes) != NULL) {
        why = "were freed before";
    } else if (block_at(DEVICE_BLOCK, 0, at, bytes) != NULL) {
        why = "are device memory";
    } else if (at < NOTHING_BELOW) {
        why = "are no memory";
    } else if (found != NULL && (at < found->at || bytes > found->bytes - (at - found->at))) {
        why = "go beyond their page-locked memory";
    }
    if (why != NULL) {
        misuse("%s: %llu bytes at %p (%s) %s", call, (unsigned long long)bytes, (void *)at, what, why);
    }
    return why == NULL;
}

/* ---- work ------------------------------------------------------------------------------------------------- */

/* The code shown at a place of a row, by the words of biost_cuda_expansion. */
static uint32_t shown_code(const biost_cuda_expansion *e, uint32_t row, uint32_t column) {
    const uint8_t *codes = e->codes + (size_t)row * e->columns;
    int64_t length, first, base;
    if (e->lengths == NULL) {
        return codes[column];
    }
    length = e->lengths[row] < 0 ? 0 : e->lengths[row];
    length = length > e->columns ? e->columns : length;
    first = e->pad_left ? e->columns - length : 0;
    base = column - first;
    if (base < 0 || base >= length) {
        return e->pad_code;
    }
    return e->complement != NULL ? e->complement[codes[first + length - 1 - base]] : codes[column];
}

/* An expansion, element by element. */
static void expand_plainly(const biost_cuda_expansion *e) {
    uint32_t row, column, channel;
    for (row = 0; row < e->rows; ++row) {
        for (column = 0; column < e->columns; ++column) {
            uint32_t code = shown_code(e, row, column);
            for (channel = 0; channel < e->channels; ++channel) {
                size_t at = e->is_ncl ? ((size_t)row * e->channels + channel) * e->columns + column
                                      : ((size_t)row * e->columns + column) * e->channels + channel;
                memcpy((uint8_t *)e->out + at * e->element_bytes,
                       (const uint8_t *)e->table + ((size_t)code * e->channels + channel) * e->element_bytes,
                       e->element_bytes);
            }
        }
    }
}

/* May a kernel use all that an expansion names? An address where never anything is breaks the device. */
static int kernel_may(const biost_cuda_expansion *e) {
    size_t codes = (size_t)e->rows * e->columns, element = (size_t)e->channels * e->element_bytes;
    if ((uintptr_t)e->codes < NOTHING_BELOW || (uintptr_t)e->table < NOTHING_BELOW ||
        (uintptr_t)e->out < NOTHING_BELOW || (e->lengths != NULL && (uintptr_t)e->lengths < NOTHING_BELOW) ||
        (e->complement != NULL && (uintptr_t)e->complement < NOTHING_BELOW)) {
        current()->is_faulty = 1;
        fake_libcuda.is_broken = 1;
        return 0;
    }
    return device_may("a kernel", "codes", (uintptr_t)e->codes, codes) &&
           device_may("a kernel", "table", (uintptr_t)e->table, 256 * element) &&
           device_may("a kernel", "out", (uintptr_t)e->out, codes * element) &&
           (e->lengths == NULL ||
            device_may("a kernel", "lengths", (uintptr_t)e->lengths, 4 * (size_t)e->rows)) &&
           (e->complement == NULL || device_may("a kernel", "complement", (uintptr_t)e->complement, 256));
}

/* Do it now, unless the device is broken. */
static void work_do(const work *done, const char *call) {
    now_ms += 1;
    if (current()->is_faulty) {
        return;
    }
    switch (done->kind) {
    case WORK_KERNEL:
        if (kernel_may(&done->expansion)) {
            (fake_libcuda.expand != NULL ? fake_libcuda.expand : expand_plainly)(&done->expansion);
        }
        return;
    case WORK_SET:
        if (device_may(call, "to", done->to, done->bytes)) {
            size_t i;
            for (i = 0; i < done->bytes / 4; ++i) {
                memcpy((uint8_t *)done->to + 4 * i, &done->value, 4);
            }
        }
        return;
    case WORK_IN:
    case WORK_OUT:
    case WORK_COPY:
        if ((done->kind == WORK_OUT ? host_may : device_may)(call, "to", done->to, done->bytes) &&
            (done->kind == WORK_IN ? host_may : device_may)(call, "from", done->from, done->bytes)) {
            memmove((void *)done->to, (const void *)done->from, done->bytes);
        }
        return;
    }
}

static void work_add(work_list *list, const work *added) {
    list->at = (work *)realloc(list->at, (list->count + 1) * sizeof *list->at);
    if (list->at == NULL) {
        abort();
    }
    list->at[list->count++] = *added;
}

/* ---- captures --------------------------------------------------------------------------------------------- */

/* Is it prohibited from potentially unsafe calls? [exchange] Then the captures that stand against it are invalid. */
static int prohibited(void) {
    capture *one;
    int found = 0;
    if (thread_mode == MODE_RELAXED) {
        return 0; /* "The local thread is not prohibited from potentially unsafe API calls." */
    }
    for (one = captures; one != NULL; one = one->next) {
        int is_own = pthread_equal(one->thread, pthread_self());
        /* "an ongoing capture sequence that was not initiated with ... RELAXED"; of other threads, where this one's
         * mode is GLOBAL: "a concurrent capture sequence initiated with ... GLOBAL". */
        if (!one->is_over &&
            (is_own ? one->mode != MODE_RELAXED : thread_mode == MODE_GLOBAL && one->mode == MODE_GLOBAL)) {
            one->is_invalid = 1;
            found = 1;
        }
    }
    return found;
}

/*
 * Does the legacy stream depend on a capture: one of a blocking stream of the current context? [guide] "any
 * attempted use of the legacy stream is invalid", which makes the captures so; but asking for its status [status].
 */
static int legacy_captures(int invalidate) {
    capture *one;
    int found = 0, i;
    for (one = captures; one != NULL; one = one->next) {
        for (i = 0; !one->is_over && i < one->member_count; ++i) {
            const object *member = one->members[i];
            if (member->home == current() && (member->flags & NON_BLOCKING) == 0) {
                one->is_invalid |= invalidate;
                found = 1;
            }
        }
    }
    return found;
}

static int is_legacy(const void *stream) {
    return stream == NULL || stream == (void *)1; /* CU_STREAM_LEGACY */
}

/*
 * The stream of a call that gives it work, waits for it or asks for it: NULL for the legacy stream and the thread's
 * (CU_STREAM_PER_THREAD), which do not capture here. An error where the call must not be.
 */
static int stream_of(void *handle, const char *call, object **out) {
    *out = NULL;
    if (is_legacy(handle)) {
        return legacy_captures(1) ? CAPTURE_IMPLICIT : 0; /* [errors] a disallowed implicit dependency */
    }
    if (handle == (void *)2) {
        return 0;
    }
    *out = object_of(handle, STREAM, call);
    if (*out == NULL) {
        return BAD_HANDLE;
    }
    /* [guide] "further use of any streams which are being captured ... is invalid and will return an error, until
     * stream capture is ended" */
    return (*out)->capture != NULL && (*out)->capture->is_invalid ? CAPTURE_INVALIDATED : 0;
}

static void stream_join(object *joined, capture *to) {
    joined->capture = to;
    joined->member = to->member_count;
    memset(joined->known, 0, sizeof joined->known);
    to->members[to->member_count++] = joined;
}

/* One more node of the capture, in this stream. */
static void stream_makes(object *stream) {
    stream->known[stream->member] = ++stream->capture->made[stream->member];
}

static void stream_knows(object *stream, const unsigned *known) {
    int i;
    for (i = 0; i < STREAMS_MOST; ++i) {
        stream->known[i] = known[i] > stream->known[i] ? known[i] : stream->known[i];
    }
}

/* Work of a call's: into the capture of its stream, or done. */
static int work_send(void *handle, const char *call, const work *sent) {
    object *stream;
    int error = stream_of(handle, call, &stream);
    if (error != 0) {
        return error;
    }
    if (stream != NULL && stream->capture != NULL) {
        work_add(&stream->capture->list, sent);
        stream_makes(stream);
    } else {
        work_do(sent, call);
    }
    return 0;
}

/* Is the context broken, and noticed to be so by now? */
static int fault_notice(void) {
    context *here = current();
    here->is_fault_noticed |= here->is_faulty;
    return here->is_fault_noticed ? ILLEGAL_ADDRESS : 0;
}

/* ---- the beginning and end of a call ----------------------------------------------------------------------- */

enum { IN_CONTEXT = 1, UNSAFE = 2, FREES = 4 };

/* The error a call ends with before it does anything. Locks. */
static int call_begin(int number, int needs) {
    const char *name = call_names[number];
    pthread_mutex_lock(&lock);
    ++fake_libcuda.calls[number];
    if (fake_libcuda.fail_name != NULL && strcmp(fake_libcuda.fail_name, name) == 0) {
        return fake_libcuda.fail_number;
    }
    if (!is_started && number != FAKE_LIBCUDA_cuInit) {
        misuse("%s: before cuInit", name);
        return NOT_INITIALIZED;
    }
    if ((needs & IN_CONTEXT) != 0 && (depth == 0 || current()->retained == 0)) {
        misuse(depth == 0 ? "%s: no context is current" : "%s: the current context was released", name);
        return BAD_CONTEXT;
    }
    if ((needs & UNSAFE) != 0 && prohibited()) {
        return CAPTURE_UNSUPPORTED; /* [errors] "not permitted when the stream is capturing" */
    }
    return (needs & IN_CONTEXT) != 0 && current()->is_fault_noticed ? ILLEGAL_ADDRESS : 0;
}

static void call_end(const int *begun) {
    (void)begun;
    pthread_mutex_unlock(&lock);
}

/* What every call begins with; it ends where its block does. `began` is its error. */
#define STARTS(name, needs) \
    __attribute__((cleanup(call_end))) const int began = call_begin(FAKE_LIBCUDA_##name, needs)

#define BEGIN(name, needs) \
    STARTS(name, needs);   \
    if (began != 0) {      \
        return began;      \
    }

/* A call that frees: done also where it fails, but where a capture forbids it. */
#define BEGIN_FREE(name, needs)         \
    STARTS(name, needs);                \
    if (began == CAPTURE_UNSUPPORTED) { \
        return began;                   \
    }

/* All new, for the next test. Not while another thread is in a call. */
EXPORT void fake_libcuda_as_new(void);
EXPORT void fake_libcuda_as_new(void) {
    int i;
    pthread_mutex_lock(&lock);
    for (i = 0; i < BUCKETS; ++i) {
        while (objects[i] != NULL) {
            object *next = objects[i]->chain;
            free(objects[i]->text);
            free(objects[i]->list.at);
            free(objects[i]);
            objects[i] = next;
        }
    }
    while (captures != NULL) {
        capture *next = captures->next;
        free(captures->list.at);
        free(captures);
        captures = next;
    }
    while (blocks != NULL) {
        block *next = blocks->next;
        if (blocks->mapping != NULL) {
            munmap(blocks->mapping, blocks->mapped);
        }
        free(blocks);
        blocks = next;
    }
    for (i = 0; i < 2; ++i) {
        memset(&contexts[i], 0, sizeof contexts[i]);
        contexts[i].device = i;
    }
    depth = thread_mode = is_started = 0;
    now_ms = 0;
    memset(&fake_libcuda, 0, sizeof fake_libcuda);
    fake_libcuda.device_count = 2;
    pthread_mutex_unlock(&lock);
}

/* ---- the driver, devices, contexts --------------------------------------------------------------------------- */

CALL(cuInit, (unsigned flags)) {
    BEGIN(cuInit, 0);
    is_started = 1;
    return flags == 0 ? 0 : BAD_VALUE;
}

CALL(cuDriverGetVersion, (int *out_version)) {
    STARTS(cuDriverGetVersion, 0); /* also before cuInit */
    (void)began;
    *out_version = 12000;
    return 0;
}

CALL(cuGetErrorName, (int error, const char **out)) {
    static const struct {
        int number;
        const char *name;
    } names[] = {{0, "CUDA_SUCCESS"},
                 {1, "CUDA_ERROR_INVALID_VALUE"},
                 {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                 {201, "CUDA_ERROR_INVALID_CONTEXT"},
                 {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
                 {400, "CUDA_ERROR_INVALID_HANDLE"},
                 {401, "CUDA_ERROR_ILLEGAL_STATE"},
                 {600, "CUDA_ERROR_NOT_READY"},
                 {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                 {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
                 {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
                 {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE"},
                 {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
                 {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
                 {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
                 {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
                 {907, "CUDA_ERROR_CAPTURED_EVENT"},
                 {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"}};
    size_t i;
    *out = NULL;
    for (i = 0; i < sizeof names / sizeof names[0]; ++i) {
        *out = names[i].number == error ? names[i].name : *out;
    }
    return *out == NULL ? BAD_VALUE : 0;
}

CALL(cuGetErrorString, (int error, const char **out)) {
    *out = error == ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : NULL;
    return *out == NULL ? BAD_VALUE : 0;
}

CALL(cuDeviceGetCount, (int *out_count)) {
    BEGIN(cuDeviceGetCount, 0);
    *out_count = fake_libcuda.device_count;
    return 0;
}

CALL(cuDeviceGet, (int *out_device, int ordinal)) {
    BEGIN(cuDeviceGet, 0);
    *out_device = ordinal + 40; /* handles are not numbers */
    return ordinal >= 0 && ordinal < 2 ? 0 : BAD_DEVICE;
}

CALL(cuDeviceGetName, (char *out, int bytes, int device)) {
    BEGIN(cuDeviceGetName, 0);
    if (device < 40 || device > 41 || bytes <= 0) {
        return device < 40 || device > 41 ? BAD_DEVICE : BAD_VALUE;
    }
    snprintf(out, (size_t)bytes, "no GPU, number %d", device - 40);
    return 0;
}

CALL(cuDevicePrimaryCtxRetain, (void **out_context, int device)) {
    BEGIN(cuDevicePrimaryCtxRetain, 0);
    if (device < 40 || device > 41) {
        return BAD_DEVICE;
    }
    ++contexts[device - 40].retained;
    ++fake_libcuda.live;
    *out_context = &contexts[device - 40];
    return 0;
}

/* With the last one that had retained it, a context ends, and all that was made in it. */
CALL(cuDevicePrimaryCtxRelease_v2, (int device)) {
    BEGIN_FREE(cuDevicePrimaryCtxRelease_v2, 0);
    if (device < 40 || device > 41 || contexts[device - 40].retained == 0) {
        misuse("cuDevicePrimaryCtxRelease_v2: the context is not retained");
        return BAD_CONTEXT;
    }
    if (--contexts[device - 40].retained == 0) {
        ++contexts[device - 40].life;
    }
    --fake_libcuda.live;
    return began;
}

CALL(cuCtxPushCurrent_v2, (void *pushed)) {
    BEGIN(cuCtxPushCurrent_v2, 0);
    if ((pushed != &contexts[0] && pushed != &contexts[1]) || ((context *)pushed)->retained == 0) {
        misuse("cuCtxPushCurrent_v2: %p is no context", pushed);
        return BAD_CONTEXT;
    }
    stack[depth++] = (context *)pushed;
    ++fake_libcuda.live;
    return 0;
}

CALL(cuCtxPopCurrent_v2, (void **out_context)) {
    BEGIN_FREE(cuCtxPopCurrent_v2, 0);
    if (depth == 0) {
        misuse("cuCtxPopCurrent_v2: no context is current");
        return BAD_CONTEXT;
    }
    *out_context = stack[--depth];
    --fake_libcuda.live;
    return began;
}

CALL(cuCtxGetCurrent, (void **out_context)) {
    BEGIN(cuCtxGetCurrent, 0);
    *out_context = current();
    return 0;
}

CALL(cuCtxGetDevice, (int *out_device)) {
    BEGIN(cuCtxGetDevice, IN_CONTEXT);
    *out_device = current()->device + 40;
    return 0;
}

/* Lower numbers are greater priorities. */
CALL(cuCtxGetStreamPriorityRange, (int *out_least, int *out_greatest)) {
    BEGIN(cuCtxGetStreamPriorityRange, IN_CONTEXT);
    *out_least = 0;
    *out_greatest = GREATEST_PRIORITY;
    return 0;
}

/* ---- memory ------------------------------------------------------------------------------------------------ */

CALL(cuMemHostAlloc, (void **out, size_t bytes, unsigned flags)) {
    uintptr_t at;
    int error;
    BEGIN(cuMemHostAlloc, IN_CONTEXT | UNSAFE);
    fake_libcuda.last_host_flags = flags;
    error = block_allocate(HOST_BLOCK, bytes, &at);
    *out = (void *)at;
    return error;
}

CALL(cuMemFreeHost, (void *memory)) {
    BEGIN_FREE(cuMemFreeHost, IN_CONTEXT | UNSAFE);
    block_free(HOST_BLOCK, (uintptr_t)memory, "cuMemFreeHost");
    return began;
}

CALL(cuMemHostRegister_v2, (void *memory, size_t bytes, unsigned flags)) {
    BEGIN(cuMemHostRegister_v2, IN_CONTEXT | UNSAFE);
    fake_libcuda.last_host_flags = flags;
    if (memory == NULL || bytes == 0) {
        return BAD_VALUE;
    }
    if (block_at(LOCKED_BLOCK, 0, (uintptr_t)memory, bytes) != NULL ||
        block_at(HOST_BLOCK, 0, (uintptr_t)memory, bytes) != NULL) {
        return ALREADY_LOCKED;
    }
    (void)block_new(LOCKED_BLOCK, (uintptr_t)memory, bytes);
    return 0;
}

/* The memory is its owner's again: nothing of it is kept. */
CALL(cuMemHostUnregister, (void *memory)) {
    block **link = &blocks, *ended;
    BEGIN_FREE(cuMemHostUnregister, IN_CONTEXT | UNSAFE);
    while (*link != NULL && ((*link)->kind != LOCKED_BLOCK || (*link)->at != (uintptr_t)memory)) {
        link = &(*link)->next;
    }
    if (*link == NULL) {
        misuse("cuMemHostUnregister: %p is not locked", memory);
        return NOT_LOCKED;
    }
    ended = *link;
    *link = ended->next;
    free(ended);
    --fake_libcuda.live;
    return began;
}

CALL(cuMemAlloc_v2, (uint64_t * out, size_t bytes)) {
    uintptr_t at;
    int error;
    BEGIN(cuMemAlloc_v2, IN_CONTEXT | UNSAFE);
    error = block_allocate(DEVICE_BLOCK, bytes, &at);
    *out = at;
    return error;
}

CALL(cuMemFree_v2, (uint64_t memory)) {
    BEGIN_FREE(cuMemFree_v2, IN_CONTEXT | UNSAFE);
    block_free(DEVICE_BLOCK, (uintptr_t)memory, "cuMemFree_v2");
    return began;
}

/* ---- streams ------------------------------------------------------------------------------------------------- */

static int stream_create(void **out, unsigned flags, int priority) {
    fake_libcuda.last_stream_flags = flags;
    fake_libcuda.last_stream_priority = priority;
    *out = (flags & ~(unsigned)NON_BLOCKING) == 0 ? object_new(STREAM, flags) : NULL;
    return *out == NULL ? BAD_VALUE : 0;
}

CALL(cuStreamCreate, (void **out, unsigned flags)) {
    BEGIN(cuStreamCreate, IN_CONTEXT);
    return stream_create(out, flags, 0);
}

/* A priority beyond the range is moved into it; what was asked for is kept. */
CALL(cuStreamCreateWithPriority, (void **out, unsigned flags, int priority)) {
    BEGIN(cuStreamCreateWithPriority, IN_CONTEXT);
    return stream_create(out, flags, priority);
}

CALL(cuStreamDestroy_v2, (void *handle)) {
    object *stream;
    BEGIN_FREE(cuStreamDestroy_v2, IN_CONTEXT);
    stream = object_of(handle, STREAM, "cuStreamDestroy_v2");
    if (stream == NULL) {
        return BAD_HANDLE;
    }
    if (stream->capture != NULL) { /* not documented: nobody could end that capture any more */
        misuse("cuStreamDestroy_v2: the stream %p is capturing", handle);
        stream->capture->is_invalid = 1;
    }
    object_end(stream);
    return began;
}

/*
 * Of an event of another capture, or of one that is over. [guide] "It is invalid to merge two separate capture
 * graphs by waiting on a captured event from a stream which is being captured and is associated with a different
 * capture graph than the event." Of a stream that does not capture and a capture that is over the documents only
 * say that a dependency must not cross its boundary [errors].
 */
static int wait_elsewhere(object *stream, const object *event) {
    if (event->capture != NULL && !event->capture->is_over) {
        event->capture->is_invalid = 1;
    }
    if (stream == NULL || stream->capture == NULL) {
        return event->capture->is_over ? CAPTURED_EVENT : CAPTURE_IMPLICIT;
    }
    stream->capture->is_invalid = 1;
    /* [guide] "It is invalid to wait on a non-captured event from a stream which is being captured" */
    return event->capture == NULL ? CAPTURE_ISOLATION : CAPTURE_MERGE;
}

CALL(cuStreamWaitEvent, (void *handle, void *waited, unsigned flags)) {
    object *stream, *event;
    int error;
    BEGIN(cuStreamWaitEvent, IN_CONTEXT);
    event = object_of(waited, EVENT, "cuStreamWaitEvent");
    error = stream_of(handle, "cuStreamWaitEvent", &stream);
    if (event == NULL || flags != 0) {
        return event == NULL ? BAD_HANDLE : BAD_VALUE;
    }
    if (error != 0) {
        return error;
    }
    if (event->capture == NULL && (stream == NULL || stream->capture == NULL)) {
        return 0; /* what was recorded is done */
    }
    if (event->capture == NULL || event->capture->is_over || stream == NULL ||
        (stream->capture != NULL && stream->capture != event->capture)) {
        return wait_elsewhere(stream, event);
    }
    if (event->capture->is_invalid) {
        return CAPTURE_INVALIDATED; /* [guide] "or captured events associated with the graph" */
    }
    if (stream->capture == NULL) { /* [guide] "the other stream will be placed into capture mode" */
        if (event->capture->member_count == STREAMS_MOST) {
            return OUT_OF_MEMORY;
        }
        stream_join(stream, event->capture);
        stream_makes(stream); /* so that it has to be joined, also where nothing is asked of it */
    }
    stream_knows(stream, event->known);
    return 0;
}

/* [guide] "it is invalid to synchronize or query the execution status of a stream which is being captured" */
CALL(cuStreamSynchronize, (void *handle)) {
    object *stream;
    int error;
    BEGIN(cuStreamSynchronize, IN_CONTEXT | UNSAFE);
    error = stream_of(handle, "cuStreamSynchronize", &stream);
    if (error == 0 && stream != NULL && stream->capture != NULL) {
        stream->capture->is_invalid = 1;
        error = CAPTURE_UNSUPPORTED;
    }
    return error != 0 ? error : fault_notice();
}

/* ---- events -------------------------------------------------------------------------------------------------- */

CALL(cuEventCreate, (void **out, unsigned flags)) {
    BEGIN(cuEventCreate, IN_CONTEXT);
    fake_libcuda.last_event_flags = flags;
    *out = object_new(EVENT, flags);
    return 0;
}

CALL(cuEventDestroy_v2, (void *handle)) {
    object *event;
    BEGIN_FREE(cuEventDestroy_v2, IN_CONTEXT);
    event = object_of(handle, EVENT, "cuEventDestroy_v2");
    if (event == NULL) {
        return BAD_HANDLE;
    }
    object_end(event);
    return began;
}

/* In a capture, the event stands for what the stream did in it, and is captured until it is recorded elsewhere. */
CALL(cuEventRecord, (void *handle, void *recorded_on)) {
    object *event, *stream;
    int error;
    BEGIN(cuEventRecord, IN_CONTEXT);
    event = object_of(handle, EVENT, "cuEventRecord");
    error = stream_of(recorded_on, "cuEventRecord", &stream);
    if (event == NULL || error != 0) {
        return event == NULL ? BAD_HANDLE : error;
    }
    if (event->home != (stream != NULL ? stream->home : current())) { /* [devices] */
        misuse("cuEventRecord: the event %p and the stream %p are of two devices", handle, recorded_on);
        return BAD_HANDLE;
    }
    event->is_recorded = 1;
    event->time_ms = now_ms;
    event->capture = stream != NULL ? stream->capture : NULL;
    if (event->capture != NULL) {
        memcpy(event->known, stream->known, sizeof event->known);
    }
    return 0;
}

/*
 * An event that the host asks or waits for. One that was last recorded in a capture is not to be asked, in no mode
 * of the thread [exchange]; that is said before what depends on the mode, an order that is not documented.
 */
static int event_of(void *handle, const char *call, object **out) {
    *out = object_of(handle, EVENT, call);
    if (*out == NULL) {
        return BAD_HANDLE;
    }
    if ((*out)->capture != NULL) {
        (*out)->capture->is_invalid |= !(*out)->capture->is_over;
        return CAPTURED_EVENT;
    }
    return prohibited() ? CAPTURE_UNSUPPORTED : 0;
}

CALL(cuEventQuery, (void *handle)) {
    object *event;
    int error;
    BEGIN(cuEventQuery, IN_CONTEXT);
    error = event_of(handle, "cuEventQuery", &event);
    if (error == 0 && event->is_recorded && __atomic_load_n(&fake_libcuda.not_ready, __ATOMIC_RELAXED) != 0) {
        if (__atomic_load_n(&fake_libcuda.not_ready, __ATOMIC_RELAXED) > 0) {
            __atomic_sub_fetch(&fake_libcuda.not_ready, 1, __ATOMIC_RELAXED);
        }
        return NOT_READY;
    }
    return error != 0 ? error : fault_notice();
}

CALL(cuEventSynchronize, (void *handle)) {
    object *event;
    int error;
    BEGIN(cuEventSynchronize, IN_CONTEXT);
    error = event_of(handle, "cuEventSynchronize", &event);
    return error != 0 ? error : fault_notice();
}

/* Both with times, recorded, and of one device [devices]. */
CALL(cuEventElapsedTime, (float *out_ms, void *from_handle, void *to_handle)) {
    object *from, *to;
    BEGIN(cuEventElapsedTime, IN_CONTEXT);
    from = object_of(from_handle, EVENT, "cuEventElapsedTime");
    to = object_of(to_handle, EVENT, "cuEventElapsedTime");
    if (from == NULL || to == NULL || ((from->flags | to->flags) & NO_TIMING) != 0 || !from->is_recorded ||
        !to->is_recorded || from->home != to->home) {
        return BAD_HANDLE;
    }
    if (from->capture != NULL || to->capture != NULL) {
        return CAPTURED_EVENT;
    }
    *out_ms = (float)(to->time_ms - from->time_ms);
    return 0;
}

/* ---- copies ---------------------------------------------------------------------------------------------------- */

CALL(cuMemcpyHtoDAsync_v2, (uint64_t to, const void *from, size_t bytes, void *stream)) {
    work sent;
    BEGIN(cuMemcpyHtoDAsync_v2, IN_CONTEXT);
    memset(&sent, 0, sizeof sent);
    sent.kind = WORK_IN;
    sent.to = (uintptr_t)to;
    sent.from = (uintptr_t)from;
    sent.bytes = bytes;
    return work_send(stream, "cuMemcpyHtoDAsync_v2", &sent);
}

CALL(cuMemcpyDtoHAsync_v2, (void *to, uint64_t from, size_t bytes, void *stream)) {
    work sent;
    BEGIN(cuMemcpyDtoHAsync_v2, IN_CONTEXT);
    memset(&sent, 0, sizeof sent);
    sent.kind = WORK_OUT;
    sent.to = (uintptr_t)to;
    sent.from = (uintptr_t)from;
    sent.bytes = bytes;
    return work_send(stream, "cuMemcpyDtoHAsync_v2", &sent);
}

CALL(cuMemcpyDtoDAsync_v2, (uint64_t to, uint64_t from, size_t bytes, void *stream)) {
    work sent;
    BEGIN(cuMemcpyDtoDAsync_v2, IN_CONTEXT);
    memset(&sent, 0, sizeof sent);
    sent.kind = WORK_COPY;
    sent.to = (uintptr_t)to;
    sent.from = (uintptr_t)from;
    sent.bytes = bytes;
    return work_send(stream, "cuMemcpyDtoDAsync_v2", &sent);
}

CALL(cuMemsetD32Async, (uint64_t to, unsigned value, size_t count, void *stream)) {
    work sent;
    BEGIN(cuMemsetD32Async, IN_CONTEXT);
    if (to % 4 != 0) {
        return BAD_VALUE;
    }
    memset(&sent, 0, sizeof sent);
    sent.kind = WORK_SET;
    sent.to = (uintptr_t)to;
    sent.value = value;
    sent.bytes = 4 * count;
    return work_send(stream, "cuMemsetD32Async", &sent);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* PTX has its version, after comments, and at least one entry; as a string. */
CALL(cuModuleLoadData, (void **out, const void *image)) {
    object *module;
    BEGIN(cuModuleLoadData, IN_CONTEXT | UNSAFE);
    if (strstr((const char *)image, ".version ") == NULL || strstr((const char *)image, ".entry ") == NULL) {
        return BAD_IMAGE;
    }
    module = object_new(MODULE, 0);
    module->text = (char *)malloc(strlen((const char *)image) + 1);
    if (module->text == NULL) {
        abort();
    }
    strcpy(module->text, (const char *)image);
    *out = module;
    return 0;
}

CALL(cuModuleUnload, (void *handle)) {
    object *module;
    BEGIN_FREE(cuModuleUnload, IN_CONTEXT | UNSAFE);
    module = object_of(handle, MODULE, "cuModuleUnload");
    if (module == NULL) {
        return BAD_HANDLE;
    }
    object_end(module);
    return began;
}

/* The kernel is loaded with this call; whoever launches one that was not asked for has no handle of it. */
CALL(cuModuleGetFunction, (void **out, void *handle, const char *name)) {
    char entry[160];
    object *module, *kernel;
    BEGIN(cuModuleGetFunction, IN_CONTEXT);
    module = object_of(handle, MODULE, "cuModuleGetFunction");
    if (module == NULL) {
        return BAD_HANDLE;
    }
    snprintf(entry, sizeof entry, ".entry %s(", name);
    if (strstr(module->text, entry) == NULL) {
        return NOT_FOUND;
    }
    kernel = object_new(KERNEL, 0);
    --fake_libcuda.live; /* ends with its module */
    kernel->module = module;
    kernel->text = (char *)malloc(strlen(name) + 1);
    if (kernel->text == NULL) {
        abort();
    }
    strcpy(kernel->text, name);
    ++fake_libcuda.kernel_loads;
    *out = kernel;
    return 0;
}

#ifndef FAKE_LIBCUDA_OLD
CALL(cuLaunchKernel,
     (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
      unsigned block_z, unsigned shared_bytes, void *stream, void **parameters, void **extra)) {
    object *kernel, *on;
    work sent;
    int error;
    BEGIN(cuLaunchKernel, IN_CONTEXT);
    kernel = object_of(function, KERNEL, "cuLaunchKernel");
    if (kernel == NULL || object_of(kernel->module, MODULE, "cuLaunchKernel") == NULL) {
        return BAD_HANDLE;
    }
    if (grid_x == 0 || grid_y != 1 || grid_z != 1 || block_x != 256 || block_y != 1 || block_z != 1 ||
        shared_bytes != 0 || extra != NULL) {
        return BAD_VALUE;
    }
    error = stream_of(stream, "cuLaunchKernel", &on);
    if (error != 0) {
        return error;
    }
    if (kernel->home != current() || (on != NULL && on->home != current())) { /* [devices] */
        misuse("cuLaunchKernel: the kernel or the stream is of another device than the current one");
        return BAD_HANDLE;
    }
    snprintf(fake_libcuda.last_kernel, sizeof fake_libcuda.last_kernel, "%s", kernel->text);
    fake_libcuda.last_grid = grid_x;
    memset(&sent, 0, sizeof sent);
    sent.kind = WORK_KERNEL;
    memcpy(&sent.expansion, parameters[0], sizeof sent.expansion); /* read during the call */
    return work_send(stream, "cuLaunchKernel", &sent);
}
#endif

/* ---- captures, graphs ---------------------------------------------------------------------------------------------- */

#ifndef FAKE_LIBCUDA_NO_CAPTURE
CALL(cuThreadExchangeStreamCaptureMode, (int *mode)) {
    int before;
    BEGIN(cuThreadExchangeStreamCaptureMode, 0);
    if (mode == NULL || *mode < MODE_GLOBAL || *mode > MODE_RELAXED) {
        return BAD_VALUE;
    }
    before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return 0;
}

CALL(cuStreamIsCapturing, (void *handle, int *out_status)) {
    object *stream;
    BEGIN(cuStreamIsCapturing, IN_CONTEXT);
    if (is_legacy(handle) || handle == (void *)2) {
        *out_status = 0;
        return is_legacy(handle) && legacy_captures(0) ? CAPTURE_IMPLICIT : 0;
    }
    stream = object_of(handle, STREAM, "cuStreamIsCapturing");
    if (stream == NULL) {
        return BAD_HANDLE;
    }
    *out_status = stream->capture == NULL ? 0 : stream->capture->is_invalid ? 2 : 1;
    return 0;
}
#endif

CALL(cuStreamBeginCapture_v2, (void *handle, int mode)) {
    object *stream;
    capture *begun;
    BEGIN(cuStreamBeginCapture_v2, IN_CONTEXT);
    if (is_legacy(handle)) {
        return CAPTURE_UNSUPPORTED; /* [begin] "may not be initiated if stream is CU_STREAM_LEGACY"; no number */
    }
    stream = object_of(handle, STREAM, "cuStreamBeginCapture_v2");
    if (stream == NULL || mode < MODE_GLOBAL || mode > MODE_RELAXED) {
        return stream == NULL ? BAD_HANDLE : BAD_VALUE;
    }
    if (stream->capture != NULL) {
        return ILLEGAL_STATE; /* [begin] "only ... if the stream is not already in capture mode"; no number */
    }
    begun = (capture *)calloc(1, sizeof *begun);
    if (begun == NULL) {
        abort();
    }
    begun->thread = pthread_self();
    begun->mode = mode;
    begun->next = captures;
    captures = begun;
    ++fake_libcuda.live;
    stream_join(stream, begun);
    return 0;
}

/* What the capture ends with, once it may be ended here. */
static int capture_verdict(const capture *ended) {
    const object *origin = ended->members[0];
    int i;
    if (ended->is_invalid) {
        return CAPTURE_INVALIDATED; /* [end] "then a NULL graph will be returned" */
    }
    for (i = 1; i < ended->member_count; ++i) {
        if (origin->known[i] < ended->made[i]) {
            return CAPTURE_UNJOINED; /* [errors] "a fork that was not joined to the primary stream" */
        }
    }
    return 0;
}

CALL(cuStreamEndCapture, (void *handle, void **out_graph)) {
    object *stream, *graph;
    capture *ended;
    int verdict, i;
    BEGIN(cuStreamEndCapture, IN_CONTEXT);
    *out_graph = NULL;
    stream = is_legacy(handle) ? NULL : object_of(handle, STREAM, "cuStreamEndCapture");
    if (stream == NULL || stream->capture == NULL) {
        return ILLEGAL_STATE; /* [end] "must have been initiated"; no number */
    }
    ended = stream->capture;
    if (ended->members[0] != stream) {
        ended->is_invalid = 1;
        return CAPTURE_UNMATCHED; /* [errors] "the capture was not initiated in this stream" */
    }
    if (ended->mode != MODE_RELAXED && !pthread_equal(ended->thread, pthread_self())) {
        return CAPTURE_WRONG_THREAD;
    }
    verdict = capture_verdict(ended);
    for (i = 0; i < ended->member_count;
         ++i) { /* [guide] "will take the associated streams out of capture mode" */
        ended->members[i]->capture = NULL;
    }
    ended->is_over = 1;
    --fake_libcuda.live;
    if (verdict == 0) {
        graph = object_new(GRAPH, 0);
        graph->home = NULL; /* no device's */
        graph->list = ended->list;
        memset(&ended->list, 0, sizeof ended->list);
        *out_graph = graph;
    }
    return verdict;
}

/* How many nodes there are, which is all that nodes NULL asks for. */
CALL(cuGraphGetNodes, (void *handle, void **nodes, size_t *count)) {
    object *graph;
    BEGIN(cuGraphGetNodes, 0);
    graph = object_of(handle, GRAPH, "cuGraphGetNodes");
    if (graph == NULL || nodes != NULL) {
        return BAD_VALUE;
    }
    *count = graph->list.count;
    return 0;
}

CALL(cuGraphInstantiateWithFlags, (void **out, void *handle, unsigned long long flags)) {
    object *graph, *made;
    size_t i;
    BEGIN(cuGraphInstantiateWithFlags, IN_CONTEXT);
    graph = object_of(handle, GRAPH, "cuGraphInstantiateWithFlags");
    if (graph == NULL || flags != 0) {
        return BAD_VALUE;
    }
    made = object_new(EXECUTABLE, 0);
    for (i = 0; i < graph->list.count; ++i) {
        work_add(&made->list, &graph->list.at[i]);
    }
    *out = made;
    return 0;
}

/* In a capture, its nodes are the graph's from here on. */
CALL(cuGraphLaunch, (void *handle, void *stream)) {
    object *launched, *on;
    size_t i;
    int error;
    BEGIN(cuGraphLaunch, IN_CONTEXT);
    launched = object_of(handle, EXECUTABLE, "cuGraphLaunch");
    error = launched == NULL ? BAD_VALUE : stream_of(stream, "cuGraphLaunch", &on);
    for (i = 0; error == 0 && i < launched->list.count; ++i) {
        error = work_send(stream, "cuGraphLaunch", &launched->list.at[i]);
    }
    return error;
}

CALL(cuGraphDestroy, (void *handle)) {
    object *graph;
    BEGIN_FREE(cuGraphDestroy, 0);
    graph = object_of(handle, GRAPH, "cuGraphDestroy");
    if (graph == NULL) {
        return BAD_VALUE;
    }
    object_end(graph);
    return began;
}

CALL(cuGraphExecDestroy, (void *handle)) {
    object *ended;
    BEGIN_FREE(cuGraphExecDestroy, 0);
    ended = object_of(handle, EXECUTABLE, "cuGraphExecDestroy");
    if (ended == NULL) {
        return BAD_VALUE;
    }
    object_end(ended);
    return began;
}
