/*
 * fake_cuda.h - a provider for tests of biostream_cuda.h that does what CUDA documents, only later, and that
 * looks for misuse. Include it after biostream_cuda.h.
 *
 *     fake_cuda_options options = {0};
 *     options.max_delay_us = 200;
 *     fake_cuda *fake = fake_cuda_new(&options);
 *     desc.provider = fake_cuda_provider(fake);
 *     ... the test ...
 *     CHECK_STR(fake_cuda_check(fake), NULL);     (what was done wrong, leaks included)
 *     fake_cuda_delete(fake);
 *
 * Streams. Each has a worker thread that does what the stream was asked for, first come first served, each
 * operation after a delay drawn from the seed. With options.stepped there are no threads, and nothing is done
 * until fake_cuda_step says of which stream. Copies go in two halves, with a delay or a step between them.
 *
 * Device memory. Its addresses are not those of any memory: reading or writing through one on the host
 * ends the program. fake_cuda_at says where its bytes are, for kernels (fake_cuda_launch) and for tests.
 * It is full of 0xA5 after device_alloc, and after device_free.
 *
 * Host memory. copy_in from memory that is not page-locked takes the bytes during the call, and is counted;
 * copy_out to it is done when the call returns.
 *
 * Events. stream_wait waits for the last event_record before the call, and for nothing where there was none.
 *
 * ThreadSanitizer. Operations are done without the fake's lock, and all that the fake does for itself,
 * its lock included, is hidden from ThreadSanitizer (FAKE_QUIET). What it sees is only what CUDA promises:
 * what the host did before a call comes before the operation (FAKE_BEFORE, FAKE_AFTER), operations of a
 * stream come one after the other, a record before its waits, and an operation before the host goes on
 * only through event_query, event_wait, stream_finish. So a host write to a slot that nobody waited for is
 * reported even where its copy happened to be over; and calls order nothing between threads of the host.
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FAKE_UNUSED __attribute__((unused))

#if defined(__SANITIZE_THREAD__)
#define FAKE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FAKE_TSAN 1
#endif
#endif
#ifdef FAKE_TSAN
void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
void AnnotateHappensBefore(const char *file, int line, uintptr_t address);
void AnnotateHappensAfter(const char *file, int line, uintptr_t address);
#define FAKE_QUIET_BEGIN()                                                                      \
    (AnnotateIgnoreSyncBegin(__FILE__, __LINE__), AnnotateIgnoreReadsBegin(__FILE__, __LINE__), \
     AnnotateIgnoreWritesBegin(__FILE__, __LINE__))
#define FAKE_QUIET_END()                                                                      \
    (AnnotateIgnoreWritesEnd(__FILE__, __LINE__), AnnotateIgnoreReadsEnd(__FILE__, __LINE__), \
     AnnotateIgnoreSyncEnd(__FILE__, __LINE__))
#define FAKE_BEFORE(tag) AnnotateHappensBefore(__FILE__, __LINE__, (uintptr_t)(tag))
#define FAKE_AFTER(tag)  AnnotateHappensAfter(__FILE__, __LINE__, (uintptr_t)(tag))
#else
#define FAKE_QUIET_BEGIN() ((void)0)
#define FAKE_QUIET_END()   ((void)0)
#define FAKE_BEFORE(tag)   ((void)(tag))
#define FAKE_AFTER(tag)    ((void)(tag))
#endif

enum { FAKE_DEVICES_MOST = 16, FAKE_TRACE_LINES = 256, FAKE_ENTERS_MOST = 16, FAKE_POISON = 0xA5 };

/* Calls of the provider. FAKE_ANY: each that can fail. */
enum {
    /* clang-format off */
    FAKE_ANY, FAKE_OPEN, FAKE_DEVICE_COUNT, FAKE_ENTER, FAKE_DEVICE_OPEN, FAKE_HOST_ALLOC, FAKE_HOST_FREE,
    FAKE_HOST_LOCK, FAKE_HOST_UNLOCK, FAKE_DEVICE_ALLOC, FAKE_DEVICE_FREE, FAKE_STREAM_OPEN,
    FAKE_STREAM_CLOSE, FAKE_STREAM_CAPTURES, FAKE_STREAM_WAIT, FAKE_STREAM_FINISH, FAKE_EVENT_OPEN, FAKE_EVENT_CLOSE,
    FAKE_EVENT_RECORD, FAKE_EVENT_QUERY, FAKE_EVENT_WAIT, FAKE_EVENT_ELAPSED, FAKE_COPY_IN, FAKE_COPY_OUT,
    FAKE_EXPAND,
    FAKE_CLOSE, FAKE_LEAVE, FAKE_DEVICE_CLOSE, /* these cannot fail */
    FAKE_TEST,                                 /* what the test asked for itself */
    FAKE_KINDS
    /* clang-format on */
};

static const char *const fake_kind_names[FAKE_KINDS] = {
    "any",           "open",          "device_count", "enter",           "device_open",
    "host_alloc",    "host_free",     "host_lock",    "host_unlock",     "device_alloc",
    "device_free",   "stream_open",   "stream_close", "stream_captures", "stream_wait",
    "stream_finish", "event_open",    "event_close",  "event_record",    "event_query",
    "event_wait",    "event_elapsed", "copy_in",      "copy_out",        "expand",
    "close",         "leave",         "device_close", "(test)"};

/* Which of the streams in the mask (bit i: stream i) goes on. */
typedef int (*fake_choose)(void *user_data, uint64_t runnable);

typedef struct fake_cuda_options {
    int device_count;      /* 1..16; 0 = 1; -1 = no device at all */
    uint64_t seed;         /* of delays, and of the default `choose` */
    uint32_t max_delay_us; /* before an operation; below a second; 0: none */
    int stepped;           /* no threads; see fake_cuda_step */
    fake_choose choose;    /* stepped: asked where the host waits; NULL: drawn from the seed */
    void *choose_data;
    int poison_copies; /* copy_in and expand fill what they write with 0xA5 first; in expand that is
                          a step of its own */
    int whole_copies;  /* copies go in one step */
} fake_cuda_options;

typedef struct fake_cuda fake_cuda;

enum { FAKE_OP_COPY, FAKE_OP_EXPAND, FAKE_OP_KERNEL, FAKE_OP_POISON, FAKE_OP_RECORD, FAKE_OP_WAIT };

/* A thing an event can stand for: one event_record. Kept until fake_cuda_delete, as all below are. */
typedef struct fake_record {
    struct fake_record *next;
    int is_done;
    double time_ms;
} fake_record;

typedef struct fake_device_memory {
    struct fake_device_memory *next;
    uintptr_t address; /* as the program sees it */
    uint8_t *bytes;    /* where it is */
    size_t size;
    int device, is_live, is_tests;
} fake_device_memory;

typedef struct fake_host_memory {
    struct fake_host_memory *next;
    uint8_t *bytes;
    size_t size;
    int is_live, is_callers; /* is_callers: locked, not allocated */
} fake_host_memory;

typedef struct fake_event {
    struct fake_event *next;
    fake_record *last; /* NULL: never recorded */
    int device, is_open, has_time;
} fake_event;

typedef struct fake_op {
    struct fake_op *next, *next_all;
    int kind, phase, phase_count;
    int is_in, is_done;
    void *to; /* as the caller gave it */
    const void *from;
    size_t bytes;
    uint8_t *snapshot;        /* of pageable memory, instead of from */
    fake_host_memory *locked; /* what from or to lies in */
    biost_cuda_expansion expansion;
    void (*kernel)(void *data);
    void *data;
    fake_record *record; /* of RECORD and WAIT */
    uint8_t *real_to;    /* where the bytes are; found when it is done */
    const uint8_t *real_from;
    biost_cuda_expansion real;
    size_t real_out_bytes;
    char done_tag;
} fake_op;

typedef struct fake_stream {
    struct fake_stream *next;
    fake_cuda *fake;
    int index, device, is_open, is_tests, is_busy;
    int captures, is_first; /* BIOST_CUDA_FIRST */
    uint64_t seed;
    fake_op *head, *tail;
    fake_op *last_done;
    int has_thread;
    pthread_t thread;
} fake_stream;

typedef struct fake_trace_line {
    int kind, thread, device, result, is_over;
    uintptr_t a, b, c;
} fake_trace_line;

struct fake_cuda {
    fake_cuda_options options;
    biost_cuda_provider provider;
    uint64_t serial;      /* tells fakes at the same address apart */
    pthread_mutex_t lock; /* over all below */
    pthread_cond_t changed;
    int is_ending;
    uint64_t seed;
    uintptr_t next_address;
    fake_record *records;
    fake_op *ops;
    fake_event *events;
    fake_stream *streams, *last_stream;
    fake_stream *defaults[FAKE_DEVICES_MOST]; /* CUDA's default streams */
    int stream_count;
    fake_device_memory *device_memory;
    fake_host_memory *host_memory;
    uint64_t counts[FAKE_KINDS];
    uint64_t pageable_count, failed_count, failed_enters, op_count;
    int64_t opens, enters, device_opens[FAKE_DEVICES_MOST];
    int fail_kind, fail_number, fail_sticky;
    uint64_t fail_left; /* the call that makes it 0 fails */
    uint64_t fail_op_left;
    int fail_op_number;
    int broken;    /* every call fails with it */
    double now_ms; /* stepped: one operation a millisecond */
    fake_trace_line trace[FAKE_TRACE_LINES];
    uint64_t trace_count;
    char problems[8192];
    size_t problems_bytes;
};

/* What a thread has entered, of the fake it used last. */
typedef struct fake_thread {
    uint64_t serial;
    int id;
    int current; /* device */
    int depth;
    int before[FAKE_ENTERS_MOST];
    fake_trace_line *line; /* of its last call */
} fake_thread;

static __thread fake_thread fake_this_thread;
static uint64_t fake_serials;
static int fake_thread_ids;

static fake_thread *fake_thread_of(const fake_cuda *fake) {
    fake_thread *thread = &fake_this_thread;
    if (thread->serial != fake->serial) {
        int id = thread->id != 0 ? thread->id : __atomic_add_fetch(&fake_thread_ids, 1, __ATOMIC_RELAXED);
        memset(thread, 0, sizeof *thread);
        thread->serial = fake->serial;
        thread->id = id;
    }
    return thread;
}

static uint64_t fake_random(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* ---- under the lock -------------------------------------------------------------------------------- */

static void fake_lock(fake_cuda *fake) {
    FAKE_QUIET_BEGIN();
    pthread_mutex_lock(&fake->lock);
}

static void fake_unlock(fake_cuda *fake) {
    pthread_mutex_unlock(&fake->lock);
    FAKE_QUIET_END();
}

/* Something is wrong: one line more for fake_cuda_check. */
__attribute__((format(printf, 2, 3))) static void fake_problem(fake_cuda *fake, const char *format, ...) {
    size_t room = sizeof fake->problems - fake->problems_bytes;
    va_list arguments;
    int bytes;
    va_start(arguments, format);
    bytes = vsnprintf(fake->problems + fake->problems_bytes, room, format, arguments);
    va_end(arguments);
    if (bytes < 0 || (size_t)bytes + 2 > room) {
        fake->problems[fake->problems_bytes] = '\0'; /* no room: those before are enough */
        return;
    }
    fake->problems_bytes += (size_t)bytes;
    fake->problems[fake->problems_bytes++] = '\n';
    fake->problems[fake->problems_bytes] = '\0';
}

static void *fake_alloc(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (memory == NULL) {
        printf("fake_cuda: no memory\n");
        exit(1);
    }
    return memory;
}

/* A call begins: take the lock, count, draw a line. Returns the error it is to fail with, or 0. */
static int fake_call(fake_cuda *fake, int kind, uintptr_t a, uintptr_t b, uintptr_t c) {
    fake_thread *thread;
    int error = 0;
    fake_lock(fake);
    thread = fake_thread_of(fake);
    thread->line = &fake->trace[fake->trace_count++ % FAKE_TRACE_LINES];
    memset(thread->line, 0, sizeof *thread->line);
    thread->line->kind = kind;
    thread->line->thread = thread->id;
    thread->line->device = thread->current;
    thread->line->a = a;
    thread->line->b = b;
    thread->line->c = c;
    ++fake->counts[kind];
    if (kind < FAKE_CLOSE) {
        ++fake->counts[FAKE_ANY];
        if (fake->broken != 0 && kind != FAKE_ENTER) {
            return fake->broken;
        }
        if (fake->fail_left > 0 && (fake->fail_kind == FAKE_ANY || fake->fail_kind == kind) &&
            --fake->fail_left == 0) {
            error = fake->fail_number;
            ++fake->failed_count;
            fake->failed_enters += kind == FAKE_ENTER;
            if (fake->fail_sticky) {
                fake->broken = 700;
                pthread_cond_broadcast(&fake->changed);
            }
        }
    }
    return error;
}

/* And ends. Returns result. */
static int fake_return(fake_cuda *fake, int result) {
    fake_thread *thread = fake_thread_of(fake);
    thread->line->result = result;
    thread->line->is_over = 1;
    fake_unlock(fake);
    return result;
}

/* Is the thread between enter and leave, on this device (-1: on any)? */
static void fake_on_device(fake_cuda *fake, int kind, int device) {
    const fake_thread *thread = fake_thread_of(fake);
    if (thread->depth == 0) {
        fake_problem(fake, "%s outside enter and leave", fake_kind_names[kind]);
    } else if (device >= 0 && thread->current != device) {
        fake_problem(fake, "%s of device %d while device %d is current", fake_kind_names[kind], device,
                     thread->current);
    }
    if (fake->opens == 0) {
        fake_problem(fake, "%s without open", fake_kind_names[kind]);
    }
}

static fake_device_memory *fake_find_device(fake_cuda *fake, const void *address) {
    fake_device_memory *at;
    for (at = fake->device_memory; at != NULL; at = at->next) {
        if ((uintptr_t)address >= at->address && (uintptr_t)address < at->address + at->size) {
            return at;
        }
    }
    return NULL;
}

static fake_host_memory *fake_find_host(fake_cuda *fake, const void *address, size_t bytes) {
    fake_host_memory *at;
    for (at = fake->host_memory; at != NULL; at = at->next) {
        if (at->is_live && (const uint8_t *)address >= at->bytes &&
            (uintptr_t)address + bytes <= (uintptr_t)at->bytes + at->size) {
            return at;
        }
    }
    return NULL;
}

/* Where bytes of a device are; NULL and a problem where they are not all in live memory of it. */
static uint8_t *fake_real(fake_cuda *fake, const char *what, int device, const void *address, size_t bytes) {
    fake_device_memory *memory = fake_find_device(fake, address);
    size_t at;
    if (memory == NULL) {
        fake_problem(fake, "%s: %p is no device memory", what, address);
        return NULL;
    }
    at = (size_t)((uintptr_t)address - memory->address);
    if (!memory->is_live) {
        fake_problem(fake, "%s: use of device memory after free", what);
        return NULL;
    }
    if (memory->device != device) {
        fake_problem(fake, "%s: memory of device %d on device %d", what, memory->device, device);
        return NULL;
    }
    if (bytes > memory->size - at) {
        fake_problem(fake, "%s: out of bounds: bytes [%zu, %zu) of an allocation of %zu", what, at,
                     at + bytes, memory->size);
        return NULL;
    }
    return memory->bytes + at;
}

static fake_device_memory *fake_new_device_memory(fake_cuda *fake, int device, size_t bytes) {
    fake_device_memory *memory = (fake_device_memory *)fake_alloc(sizeof *memory);
    void *storage = NULL;
    if (posix_memalign(&storage, 256, bytes) != 0) {
        printf("fake_cuda: no memory\n");
        exit(1);
    }
    memset(storage, FAKE_POISON, bytes);
    memory->address = fake->next_address;
    memory->bytes = (uint8_t *)storage;
    memory->size = bytes;
    memory->device = device;
    memory->is_live = 1;
    memory->next = fake->device_memory;
    fake->device_memory = memory;
    fake->next_address += (bytes + 255) / 256 * 256 + 4096 + 256; /* a gap, and no page's start */
    return memory;
}

/* ---- operations ------------------------------------------------------------------------------------ */

/* May the stream's first operation be done? */
static int fake_is_runnable(const fake_cuda *fake, const fake_stream *stream) {
    const fake_op *op = stream->head;
    return op != NULL && !stream->is_busy &&
           (op->kind != FAKE_OP_WAIT || op->record->is_done || fake->broken != 0);
}

/* Where all that an expansion reads and writes is. */
static int fake_resolve_expansion(fake_cuda *fake, int device, fake_op *op) {
    const biost_cuda_expansion *given = &op->expansion;
    size_t count = (size_t)given->rows * given->columns;
    size_t base_bytes = (size_t)given->channels * given->element_bytes;
    op->real = *given;
    op->real_out_bytes = count * base_bytes;
    if (count == 0) {
        return 0;
    }
    op->real.codes = fake_real(fake, "expand, codes", device, given->codes, count);
    op->real.table = fake_real(fake, "expand, table", device, given->table, 256 * base_bytes);
    op->real.out = fake_real(fake, "expand, out", device, given->out, op->real_out_bytes);
    if (given->lengths != NULL) {
        op->real.lengths = (const int32_t *)(const void *)fake_real(fake, "expand, lengths", device,
                                                                    given->lengths, (size_t)given->rows * 4);
    }
    if (given->complement != NULL) {
        op->real.complement = fake_real(fake, "expand, complement", device, given->complement, 256);
    }
    return op->real.codes != NULL && op->real.table != NULL && op->real.out != NULL &&
           (given->lengths == NULL || op->real.lengths != NULL) &&
           (given->complement == NULL || op->real.complement != NULL);
}

/* Where the bytes of an operation are. Returns 0 where it is not to be done. */
static int fake_resolve(fake_cuda *fake, int device, fake_op *op) {
    if (fake->broken != 0) {
        return 0;
    }
    if (op->kind == FAKE_OP_EXPAND) {
        return fake_resolve_expansion(fake, device, op);
    }
    if (op->kind == FAKE_OP_POISON) {
        op->real_to = fake_real(fake, "poison", device, op->to, op->bytes);
        return op->real_to != NULL;
    }
    if (op->kind != FAKE_OP_COPY) {
        return 1;
    }
    if (op->locked != NULL && !op->locked->is_live) {
        fake_problem(fake, "host memory freed or unlocked while a copy of it was on its way");
        return 0;
    }
    op->real_to = op->is_in ? fake_real(fake, "copy_in", device, op->to, op->bytes) : (uint8_t *)op->to;
    op->real_from = op->snapshot != NULL ? op->snapshot
                    : op->is_in          ? (const uint8_t *)op->from
                                         : fake_real(fake, "copy_out", device, op->from, op->bytes);
    return op->real_to != NULL && op->real_from != NULL;
}

static void fake_expand_host(const biost_cuda_expansion *expansion) {
#ifdef BIOSTREAM_CUDA_IMPLEMENTED
    bsi_cuda_expand_host(expansion);
#else
    (void)biost_cuda_expand_host(expansion);
#endif
}

/* Do one phase of an operation; without the lock, and seen by ThreadSanitizer. */
static void fake_run(const fake_cuda *fake, const fake_op *op) {
    size_t half = op->phase_count == 1 ? op->bytes : op->bytes / 2;
    switch (op->kind) {
    case FAKE_OP_COPY:
        if (op->phase == 0) {
            if (op->is_in && fake->options.poison_copies) {
                memset(op->real_to, FAKE_POISON, op->bytes);
            }
            memcpy(op->real_to, op->real_from, half);
        } else {
            memcpy(op->real_to + half, op->real_from + half, op->bytes - half);
        }
        break;
    case FAKE_OP_EXPAND:
        if (op->phase + 1 < op->phase_count) {
            memset(op->real.out, FAKE_POISON, op->real_out_bytes);
        } else {
            fake_expand_host(&op->real);
        }
        break;
    case FAKE_OP_KERNEL: op->kernel(op->data); break;
    case FAKE_OP_POISON: memset(op->real_to, FAKE_POISON, op->bytes); break;
    default: break;
    }
}

static double fake_now_ms(const fake_cuda *fake) {
    struct timespec now;
    if (fake->options.stepped) {
        return fake->now_ms;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* The n-th operation that does something: does it break the device? */
static void fake_count_op(fake_cuda *fake, const fake_op *op) {
    if (op->kind == FAKE_OP_RECORD || op->kind == FAKE_OP_WAIT || op->phase > 0) {
        return;
    }
    ++fake->op_count;
    if (fake->fail_op_left > 0 && --fake->fail_op_left == 0) {
        fake->broken = fake->fail_op_number;
    }
}

/* Do the next phase of the stream's first operation. Under the lock, which it leaves in between. */
static void fake_advance(fake_cuda *fake, fake_stream *stream) {
    fake_op *op = stream->head;
    uint64_t draw = fake_random(&stream->seed);
    int does;
    stream->is_busy = 1;
    if (!fake->options.stepped && op->kind != FAKE_OP_RECORD && op->kind != FAKE_OP_WAIT) {
        pthread_mutex_unlock(&fake->lock);
        if (fake->options.max_delay_us > 0 && draw % 4 != 0) {
            struct timespec delay = {0, 0};
            delay.tv_nsec = (long)((draw >> 8) % fake->options.max_delay_us) * 1000;
            nanosleep(&delay, NULL);
        } else {
            sched_yield();
        }
        pthread_mutex_lock(&fake->lock);
    }
    fake_count_op(fake, op);
    does = fake_resolve(fake, stream->device, op);
    fake_unlock(fake);
    FAKE_AFTER(op);
    if (op->kind == FAKE_OP_WAIT) {
        FAKE_AFTER(op->record);
    }
    if (does) {
        fake_run(fake, op);
    }
    FAKE_BEFORE(&op->done_tag);
    if (op->kind == FAKE_OP_RECORD) {
        FAKE_BEFORE(op->record);
    }
    fake_lock(fake);
    stream->is_busy = 0;
    fake->now_ms += op->kind != FAKE_OP_RECORD && op->kind != FAKE_OP_WAIT;
    if (++op->phase < op->phase_count && fake->broken == 0) {
        return;
    }
    stream->head = op->next;
    stream->tail = stream->head == NULL ? NULL : stream->tail;
    stream->last_done = op;
    op->is_done = 1;
    if (op->kind == FAKE_OP_RECORD) {
        op->record->is_done = 1;
        op->record->time_ms = fake_now_ms(fake);
    }
    pthread_cond_broadcast(&fake->changed);
}

/* Stepped: records and waits are done as soon as they can be, so that steps are copies and kernels. */
static void fake_drain(fake_cuda *fake) {
    fake_stream *stream;
    int again = fake->options.stepped;
    while (again) {
        again = 0;
        for (stream = fake->streams; stream != NULL; stream = stream->next) {
            while (fake_is_runnable(fake, stream) &&
                   (stream->head->kind == FAKE_OP_RECORD || stream->head->kind == FAKE_OP_WAIT)) {
                fake_advance(fake, stream);
                again = 1;
            }
        }
    }
}

static uint64_t fake_runnable_mask(fake_cuda *fake) {
    fake_stream *stream;
    uint64_t mask = 0;
    fake_drain(fake);
    for (stream = fake->streams; stream != NULL; stream = stream->next) {
        mask |= (uint64_t)fake_is_runnable(fake, stream) << (stream->index & 63);
    }
    return mask;
}

static fake_stream *fake_stream_at(fake_cuda *fake, int index) {
    fake_stream *stream = fake->streams;
    while (stream != NULL && stream->index != index) {
        stream = stream->next;
    }
    return stream;
}

/* Stepped: one step, of a stream that `choose` names. Returns 0 where none can go on. */
static int fake_choose_step(fake_cuda *fake) {
    uint64_t mask = fake_runnable_mask(fake);
    int index;
    if (mask == 0) {
        return 0;
    }
    if (fake->options.choose != NULL) {
        index = fake->options.choose(fake->options.choose_data, mask);
    } else {
        uint64_t skip = fake_random(&fake->seed) % (uint64_t)__builtin_popcountll(mask);
        uint64_t left = mask;
        while (skip-- > 0) {
            left &= left - 1;
        }
        index = __builtin_ctzll(left);
    }
    if (index < 0 || index > 63 || !(mask >> index & 1)) {
        fake_problem(fake, "choose named stream %d, which cannot go on", index);
        index = __builtin_ctzll(mask);
    }
    fake_advance(fake, fake_stream_at(fake, index));
    fake_drain(fake);
    return 1;
}

/* The host waits until *is_done. Returns 0, or the error of a broken device. */
static int fake_wait_for(fake_cuda *fake, const char *what, const int *is_done) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    fake_drain(fake);
    while (!*is_done && fake->broken == 0) {
        if (fake->options.stepped ? !fake_choose_step(fake)
                                  : pthread_cond_timedwait(&fake->changed, &fake->lock, &until) != 0) {
            fake_problem(fake, "%s never ends", what);
            return 999;
        }
    }
    return fake->broken;
}

static void *fake_worker(void *argument) {
    fake_stream *stream = (fake_stream *)argument;
    fake_cuda *fake = stream->fake;
    fake_lock(fake);
    for (;;) {
        if (fake_is_runnable(fake, stream)) {
            fake_advance(fake, stream);
        } else if (stream->head == NULL && (fake->is_ending || !stream->is_open)) {
            break;
        } else {
            pthread_cond_wait(&fake->changed, &fake->lock);
        }
    }
    fake_unlock(fake);
    return NULL;
}

static fake_stream *fake_new_stream(fake_cuda *fake, int device) {
    fake_stream *stream = (fake_stream *)fake_alloc(sizeof *stream);
    stream->fake = fake;
    stream->device = device;
    stream->is_open = 1;
    stream->index = fake->stream_count++;
    stream->seed = fake_random(&fake->seed);
    if (fake->last_stream != NULL) {
        fake->last_stream->next = stream;
    } else {
        fake->streams = stream;
    }
    fake->last_stream = stream;
    if (!fake->options.stepped) {
        stream->has_thread = pthread_create(&stream->thread, NULL, fake_worker, stream) == 0;
        if (!stream->has_thread) {
            printf("fake_cuda: no thread\n");
            exit(1);
        }
    }
    return stream;
}

/* Whether the stream captures, which no call that asks it for something may meet. */
static void fake_not_captured(fake_cuda *fake, int kind, const fake_stream *stream) {
    if (stream != NULL && stream->captures) {
        fake_problem(fake, "%s on a stream that captures", fake_kind_names[kind]);
    }
}

/* The stream of a handle; NULL is the default one of `device`. NULL and a problem if there is none. */
static fake_stream *fake_stream_of(fake_cuda *fake, int kind, biost_cuda_stream handle, int device) {
    fake_stream *stream;
    if (handle == NULL) {
        if (fake->defaults[device] == NULL) {
            fake->defaults[device] = fake_new_stream(fake, device);
            fake->defaults[device]->is_tests = 1;
        }
        return fake->defaults[device];
    }
    for (stream = fake->streams; stream != NULL; stream = stream->next) {
        if (stream == (fake_stream *)(void *)handle) {
            break;
        }
    }
    if (stream == NULL) {
        fake_problem(fake, "%s: not a stream", fake_kind_names[kind]);
    } else if (!stream->is_open) {
        fake_problem(fake, "%s: use of a stream after close", fake_kind_names[kind]);
        stream = NULL;
    }
    return stream;
}

static fake_event *fake_event_of(fake_cuda *fake, int kind, const void *handle) {
    fake_event *event;
    for (event = fake->events; event != NULL; event = event->next) {
        if (event == handle) {
            break;
        }
    }
    if (event == NULL) {
        fake_problem(fake, "%s: not an event", fake_kind_names[kind]);
    } else if (!event->is_open) {
        fake_problem(fake, "%s: use of an event after close", fake_kind_names[kind]);
        event = NULL;
    }
    return event;
}

static fake_op *fake_new_op(fake_cuda *fake, int kind) {
    fake_op *op = (fake_op *)fake_alloc(sizeof *op);
    op->kind = kind;
    op->phase_count = 1;
    op->next_all = fake->ops;
    fake->ops = op;
    return op;
}

/* Ask a stream for it. What the host did up to here comes before. */
static void fake_enqueue(fake_cuda *fake, fake_stream *stream, fake_op *op) {
    FAKE_QUIET_END();
    FAKE_BEFORE(op);
    FAKE_QUIET_BEGIN();
    if (stream->tail != NULL) {
        stream->tail->next = op;
    } else {
        stream->head = op;
    }
    stream->tail = op;
    fake_drain(fake);
    pthread_cond_broadcast(&fake->changed);
}

/* ---- the calls ------------------------------------------------------------------------------------- */

static int fake_open(void *user_data, void **out_state) {
    fake_cuda *fake = (fake_cuda *)user_data;
    int error = fake_call(fake, FAKE_OPEN, 0, 0, 0);
    *out_state = error == 0 ? fake : NULL;
    fake->opens += error == 0;
    return fake_return(fake, error);
}

static void fake_close(void *state) {
    fake_cuda *fake = (fake_cuda *)state;
    (void)fake_call(fake, FAKE_CLOSE, 0, 0, 0);
    if (--fake->opens < 0) {
        fake_problem(fake, "close without open");
    }
    (void)fake_return(fake, 0);
}

static int fake_device_count(void *state, int *out_count) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_DEVICE_COUNT, 0, 0, 0);
    if (error == 0 && fake->options.device_count == 0) {
        error = 100;
    }
    *out_count = error == 0 ? fake->options.device_count : 0;
    return fake_return(fake, error);
}

static int fake_enter(void *state, int device, void **out_before) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_ENTER, (uintptr_t)(intptr_t)device, 0, 0);
    fake_thread *thread = fake_thread_of(fake);
    int is_device = device >= 0 && device < fake->options.device_count;
    *out_before = NULL;
    if (error == 0 && !is_device) {
        error = 101;
    }
    if (error != 0) {
        return fake_return(fake, error);
    }
    if (fake->device_opens[device] == 0) {
        fake_problem(fake, "enter of device %d, which is not open", device);
    }
    if (thread->depth == FAKE_ENTERS_MOST) {
        fake_problem(fake, "enter without leave, %d times", FAKE_ENTERS_MOST);
        return fake_return(fake, 999);
    }
    thread->before[thread->depth++] = thread->current;
    *out_before = (void *)(uintptr_t)(thread->depth * 64 + thread->current);
    thread->current = device;
    ++fake->enters;
    return fake_return(fake, 0);
}

static void fake_leave(void *state, void *before) {
    fake_cuda *fake = (fake_cuda *)state;
    fake_thread *thread;
    (void)fake_call(fake, FAKE_LEAVE, (uintptr_t)before, 0, 0);
    thread = fake_thread_of(fake);
    if (thread->depth == 0) {
        fake_problem(fake, "leave without enter");
    } else {
        int expected = thread->depth * 64 + thread->before[thread->depth - 1];
        if ((uintptr_t)before != (uintptr_t)expected) {
            fake_problem(fake, "leave with what another enter gave");
        }
        thread->current = thread->before[--thread->depth];
        --fake->enters;
    }
    (void)fake_return(fake, 0);
}

static int fake_device_open(void *state, int device, int *out_device) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_DEVICE_OPEN, (uintptr_t)(intptr_t)device, 0, 0);
    int number = device == -1 ? fake_thread_of(fake)->current : device;
    *out_device = -1;
    if (fake->opens == 0) {
        fake_problem(fake, "device_open without open");
    }
    if (error == 0 && (number < 0 || number >= fake->options.device_count)) {
        error = 101;
    }
    if (error == 0) {
        ++fake->device_opens[number];
        *out_device = number;
    }
    return fake_return(fake, error);
}

static void fake_device_close(void *state, int device) {
    fake_cuda *fake = (fake_cuda *)state;
    (void)fake_call(fake, FAKE_DEVICE_CLOSE, (uintptr_t)(intptr_t)device, 0, 0);
    if (device < 0 || device >= fake->options.device_count || --fake->device_opens[device] < 0) {
        fake_problem(fake, "device_close without device_open");
    }
    (void)fake_return(fake, 0);
}

static void fake_add_host(fake_cuda *fake, void *bytes, size_t size, int is_callers) {
    fake_host_memory *memory = (fake_host_memory *)fake_alloc(sizeof *memory);
    memory->bytes = (uint8_t *)bytes;
    memory->size = size;
    memory->is_live = 1;
    memory->is_callers = is_callers;
    memory->next = fake->host_memory;
    fake->host_memory = memory;
}

static int fake_host_alloc(void *state, size_t bytes, unsigned flags, void **out) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_HOST_ALLOC, bytes, flags, 0);
    *out = NULL;
    fake_on_device(fake, FAKE_HOST_ALLOC, -1);
    if (error == 0 && (bytes == 0 || (flags & ~(unsigned)BIOST_CUDA_WRITE_COMBINED) != 0)) {
        fake_problem(fake, "host_alloc of %zu bytes, flags %u", bytes, flags);
        error = 1;
    }
    if (error == 0 && posix_memalign(out, 4096, bytes) != 0) {
        error = 2;
    }
    if (error == 0) {
        memset(*out, FAKE_POISON, bytes);
        fake_add_host(fake, *out, bytes, 0);
    }
    return fake_return(fake, error);
}

static int fake_is_any_busy(const fake_cuda *fake) {
    const fake_stream *stream = fake->streams;
    while (stream != NULL && !stream->is_busy) {
        stream = stream->next;
    }
    return stream != NULL;
}

/* Of host_free and host_unlock. */
static int fake_end_host(fake_cuda *fake, int kind, void *memory, int is_callers) {
    int error = fake_call(fake, kind, (uintptr_t)memory, 0, 0);
    fake_host_memory *at;
    fake_on_device(fake, kind, -1);
    for (at = fake->host_memory; at != NULL; at = at->next) {
        if (at->bytes == memory && at->is_callers == is_callers && at->is_live) {
            break;
        }
    }
    if (at == NULL) {
        fake_problem(fake, "%s of %p, which is not or no longer %s", fake_kind_names[kind], memory,
                     is_callers ? "locked" : "allocated");
        return fake_return(fake, error != 0 ? error : 1);
    }
    at->is_live = 0;
    while (fake_is_any_busy(fake)) { /* a copy under way ends first, also of a device that is lost */
        pthread_cond_wait(&fake->changed, &fake->lock);
    }
    if (!is_callers) {
        free(at->bytes);
    }
    return fake_return(fake, error);
}

static int fake_host_free(void *state, void *memory) {
    return fake_end_host((fake_cuda *)state, FAKE_HOST_FREE, memory, 0);
}

static int fake_host_lock(void *state, void *memory, size_t bytes) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_HOST_LOCK, (uintptr_t)memory, bytes, 0);
    fake_host_memory *at;
    fake_on_device(fake, FAKE_HOST_LOCK, -1);
    if (error == 0 && (memory == NULL || bytes == 0)) {
        error = 1;
    }
    for (at = fake->host_memory; at != NULL && error == 0; at = at->next) {
        if (at->is_live && (uintptr_t)memory < (uintptr_t)at->bytes + at->size &&
            (uintptr_t)at->bytes < (uintptr_t)memory + bytes) {
            fake_problem(fake, "host_lock of memory that is locked");
            error = 712;
        }
    }
    if (error == 0) {
        fake_add_host(fake, memory, bytes, 1);
    }
    return fake_return(fake, error);
}

static int fake_host_unlock(void *state, void *memory) {
    return fake_end_host((fake_cuda *)state, FAKE_HOST_UNLOCK, memory, 1);
}

static int fake_device_alloc(void *state, size_t bytes, void **out) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_DEVICE_ALLOC, bytes, 0, 0);
    *out = NULL;
    fake_on_device(fake, FAKE_DEVICE_ALLOC, -1);
    if (error == 0 && bytes == 0) {
        error = 1;
    }
    if (error == 0) {
        fake_device_memory *memory = fake_new_device_memory(fake, fake_thread_of(fake)->current, bytes);
        *out = (void *)memory->address;
    }
    return fake_return(fake, error);
}

/* 0xA5 all over, for those who still read; the bytes stay until fake_cuda_delete. */
static int fake_free_device_memory(fake_cuda *fake, const void *address) {
    fake_device_memory *at = fake_find_device(fake, address);
    if (at == NULL || at->address != (uintptr_t)address) {
        fake_problem(fake, "device_free of %p, which is no allocation", address);
        return 1;
    }
    if (!at->is_live) {
        fake_problem(fake, "device_free, twice");
        return 1;
    }
    at->is_live = 0;
    memset(at->bytes, FAKE_POISON, at->size);
    return 0;
}

static int fake_device_free(void *state, void *memory) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_DEVICE_FREE, (uintptr_t)memory, 0, 0), bad;
    fake_device_memory *at = fake_find_device(fake, memory);
    fake_on_device(fake, FAKE_DEVICE_FREE, at == NULL ? -1 : at->device);
    bad = fake_free_device_memory(fake, memory);
    return fake_return(fake, error != 0 ? error : bad);
}

static int fake_stream_open(void *state, unsigned flags, biost_cuda_stream *out) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_STREAM_OPEN, flags, 0, 0);
    *out = NULL;
    fake_on_device(fake, FAKE_STREAM_OPEN, -1);
    if (error == 0) {
        fake_stream *stream = fake_new_stream(fake, fake_thread_of(fake)->current);
        stream->is_first = (flags & BIOST_CUDA_FIRST) != 0;
        *out = (biost_cuda_stream)(void *)stream;
    }
    return fake_return(fake, error);
}

static int fake_stream_captures(void *state, biost_cuda_stream handle, int *out_captures) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_STREAM_CAPTURES, (uintptr_t)handle, 0, 0);
    fake_stream *stream = fake_stream_of(fake, FAKE_STREAM_CAPTURES, handle, fake_thread_of(fake)->current);
    fake_on_device(fake, FAKE_STREAM_CAPTURES, stream == NULL ? -1 : stream->device);
    *out_captures = stream != NULL && stream->captures;
    return fake_return(fake, error != 0 ? error : stream == NULL ? 400 : 0);
}

static int fake_stream_close(void *state, biost_cuda_stream handle) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_STREAM_CLOSE, (uintptr_t)handle, 0, 0);
    fake_stream *stream = handle == NULL ? NULL : fake_stream_of(fake, FAKE_STREAM_CLOSE, handle, 0);
    fake_on_device(fake, FAKE_STREAM_CLOSE, stream == NULL ? -1 : stream->device);
    if (stream == NULL || stream->is_tests) {
        fake_problem(fake, "stream_close of a stream that is not its own");
        return fake_return(fake, error != 0 ? error : 400);
    }
    stream->is_open = 0;
    pthread_cond_broadcast(&fake->changed);
    return fake_return(fake, error);
}

static int fake_stream_wait(void *state, biost_cuda_stream handle, void *handle_of_event) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_STREAM_WAIT, (uintptr_t)handle, (uintptr_t)handle_of_event, 0);
    fake_stream *stream = fake_stream_of(fake, FAKE_STREAM_WAIT, handle, fake_thread_of(fake)->current);
    fake_event *event = fake_event_of(fake, FAKE_STREAM_WAIT, handle_of_event);
    fake_not_captured(fake, FAKE_STREAM_WAIT, stream);
    fake_on_device(fake, FAKE_STREAM_WAIT, stream == NULL ? -1 : stream->device);
    if (error == 0 && (stream == NULL || event == NULL)) {
        error = 400;
    }
    if (error == 0 && event->last != NULL) {
        fake_op *op = fake_new_op(fake, FAKE_OP_WAIT);
        op->record = event->last;
        fake_enqueue(fake, stream, op);
    }
    return fake_return(fake, error);
}

static int fake_stream_finish(void *state, biost_cuda_stream handle) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_STREAM_FINISH, (uintptr_t)handle, 0, 0);
    fake_stream *stream = fake_stream_of(fake, FAKE_STREAM_FINISH, handle, fake_thread_of(fake)->current);
    fake_op *last = NULL;
    fake_not_captured(fake, FAKE_STREAM_FINISH, stream);
    fake_on_device(fake, FAKE_STREAM_FINISH, stream == NULL ? -1 : stream->device);
    if (error == 0 && stream == NULL) {
        error = 400;
    }
    if (error == 0) {
        last = stream->tail != NULL ? stream->tail : stream->last_done;
        error = last == NULL ? 0 : fake_wait_for(fake, "stream_finish", &last->is_done);
    }
    (void)fake_return(fake, error);
    if (error == 0 && last != NULL) {
        FAKE_AFTER(&last->done_tag);
    }
    return error;
}

static int fake_event_open(void *state, unsigned flags, void **out) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_EVENT_OPEN, flags, 0, 0);
    *out = NULL;
    fake_on_device(fake, FAKE_EVENT_OPEN, -1);
    if (error == 0) {
        fake_event *event = (fake_event *)fake_alloc(sizeof *event);
        event->device = fake_thread_of(fake)->current;
        event->is_open = 1;
        event->has_time = (flags & BIOST_CUDA_TIMING) != 0;
        event->next = fake->events;
        fake->events = event;
        *out = event;
    }
    return fake_return(fake, error);
}

static int fake_event_close(void *state, void *handle) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_EVENT_CLOSE, (uintptr_t)handle, 0, 0);
    fake_event *event = fake_event_of(fake, FAKE_EVENT_CLOSE, handle);
    fake_on_device(fake, FAKE_EVENT_CLOSE, event == NULL ? -1 : event->device);
    if (event == NULL) {
        return fake_return(fake, error != 0 ? error : 400);
    }
    event->is_open = 0;
    return fake_return(fake, error);
}

static int fake_event_record(void *state, void *handle, biost_cuda_stream handle_of_stream) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_EVENT_RECORD, (uintptr_t)handle, (uintptr_t)handle_of_stream, 0);
    fake_event *event = fake_event_of(fake, FAKE_EVENT_RECORD, handle);
    fake_stream *stream = fake_stream_of(fake, FAKE_EVENT_RECORD, handle_of_stream,
                                         fake_thread_of(fake)->current);
    fake_not_captured(fake, FAKE_EVENT_RECORD, stream);
    fake_on_device(fake, FAKE_EVENT_RECORD, stream == NULL ? -1 : stream->device);
    if (event != NULL && stream != NULL && event->device != stream->device) {
        fake_problem(fake, "event_record: event of device %d on a stream of device %d", event->device,
                     stream->device);
        error = error != 0 ? error : 400;
    }
    if (error == 0 && (stream == NULL || event == NULL)) {
        error = 400;
    }
    if (error == 0) {
        fake_op *op = fake_new_op(fake, FAKE_OP_RECORD);
        op->record = (fake_record *)fake_alloc(sizeof *op->record);
        op->record->next = fake->records;
        fake->records = op->record;
        event->last = op->record;
        fake_enqueue(fake, stream, op);
    }
    return fake_return(fake, error);
}

/* Of event_query and event_wait. */
static int fake_event_look(fake_cuda *fake, int kind, void *handle) {
    int error = fake_call(fake, kind, (uintptr_t)handle, 0, 0);
    fake_event *event = fake_event_of(fake, kind, handle);
    fake_record *record = event == NULL ? NULL : event->last;
    fake_on_device(fake, kind, event == NULL ? -1 : event->device);
    if (error == 0 && event == NULL) {
        error = 400;
    }
    if (error == 0 && record != NULL) {
        fake_drain(fake);
        if (kind == FAKE_EVENT_WAIT) {
            error = fake_wait_for(fake, "event_wait", &record->is_done);
        } else if (!record->is_done) {
            error = BIOST_CUDA_NOT_READY;
        }
    }
    (void)fake_return(fake, error);
    if (error == 0 && record != NULL) {
        FAKE_AFTER(record);
    }
    return error;
}

static int fake_event_query(void *state, void *event) {
    return fake_event_look((fake_cuda *)state, FAKE_EVENT_QUERY, event);
}

static int fake_event_wait(void *state, void *event) {
    return fake_event_look((fake_cuda *)state, FAKE_EVENT_WAIT, event);
}

static int fake_event_elapsed(void *state, void *from, void *to, float *out_ms) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_EVENT_ELAPSED, (uintptr_t)from, (uintptr_t)to, 0);
    fake_event *first = fake_event_of(fake, FAKE_EVENT_ELAPSED, from);
    fake_event *last = fake_event_of(fake, FAKE_EVENT_ELAPSED, to);
    *out_ms = 0;
    fake_on_device(fake, FAKE_EVENT_ELAPSED, first == NULL ? -1 : first->device);
    if (error == 0 && (first == NULL || last == NULL)) {
        error = 400;
    }
    if (error == 0 && (!first->has_time || !last->has_time || first->device != last->device)) {
        fake_problem(fake, "event_elapsed of events without times, or of two devices");
        error = 400;
    }
    if (error == 0 && (first->last == NULL || last->last == NULL)) {
        error = 400;
    }
    if (error == 0 && (!first->last->is_done || !last->last->is_done)) {
        error = BIOST_CUDA_NOT_READY;
    }
    if (error == 0) {
        *out_ms = (float)(last->last->time_ms - first->last->time_ms);
    }
    return fake_return(fake, error);
}

/* Both copies. Memory that is not page-locked: its bytes are taken now, or there when the call returns. */
static int fake_copy(fake_cuda *fake, int kind, void *to, const void *from, size_t bytes,
                     biost_cuda_stream handle) {
    int error = fake_call(fake, kind, (uintptr_t)to, (uintptr_t)from, bytes);
    fake_stream *stream = fake_stream_of(fake, kind, handle, fake_thread_of(fake)->current);
    int is_in = kind == FAKE_COPY_IN;
    const void *on_device = is_in ? to : from, *on_host = is_in ? from : to;
    fake_op *op = NULL;
    fake_on_device(fake, kind, stream == NULL ? -1 : stream->device);
    if (error == 0 && stream == NULL) {
        error = 400;
    }
    if (error != 0 || bytes == 0) {
        return fake_return(fake, error);
    }
    if (fake_find_device(fake, on_host) != NULL ||
        fake_real(fake, fake_kind_names[kind], stream->device, on_device, bytes) == NULL) {
        fake_problem(fake, "%s from %p to %p, %zu bytes", fake_kind_names[kind], from, to, bytes);
        return fake_return(fake, 1);
    }
    op = fake_new_op(fake, FAKE_OP_COPY);
    op->is_in = is_in;
    op->to = to;
    op->from = from;
    op->bytes = bytes;
    op->phase_count = fake->options.whole_copies || bytes < 2 ? 1 : 2;
    op->locked = fake_find_host(fake, on_host, bytes);
    fake->pageable_count += op->locked == NULL;
    if (is_in && op->locked == NULL) {
        op->snapshot = (uint8_t *)fake_alloc(bytes);
        FAKE_QUIET_END();
        memcpy(op->snapshot, from, bytes);
        FAKE_QUIET_BEGIN();
    }
    fake_enqueue(fake, stream, op);
    if (!is_in && op->locked == NULL) {
        error = fake_wait_for(fake, "copy_out", &op->is_done);
    }
    (void)fake_return(fake, error);
    if (!is_in && op->locked == NULL && error == 0) {
        FAKE_AFTER(&op->done_tag);
    }
    return error;
}

static int fake_copy_in(void *state, void *to, const void *from, size_t bytes, biost_cuda_stream stream) {
    return fake_copy((fake_cuda *)state, FAKE_COPY_IN, to, from, bytes, stream);
}

static int fake_copy_out(void *state, void *to, const void *from, size_t bytes, biost_cuda_stream stream) {
    return fake_copy((fake_cuda *)state, FAKE_COPY_OUT, to, from, bytes, stream);
}

static int fake_expand(void *state, int device, const biost_cuda_expansion *expansion,
                       biost_cuda_stream handle) {
    fake_cuda *fake = (fake_cuda *)state;
    int error = fake_call(fake, FAKE_EXPAND, (uintptr_t)(intptr_t)device, (uintptr_t)expansion->codes,
                          (uintptr_t)expansion->out);
    fake_stream *stream = fake_stream_of(fake, FAKE_EXPAND, handle, fake_thread_of(fake)->current);
    fake_op *op;
    fake_on_device(fake, FAKE_EXPAND, device);
    if (stream != NULL && stream->device != device) {
        fake_problem(fake, "expand for device %d on a stream of device %d", device, stream->device);
        error = error != 0 ? error : 400;
    }
    if (error == 0 && stream == NULL) {
        error = 400;
    }
    if (error != 0 || expansion->rows == 0 || expansion->columns == 0) {
        return fake_return(fake, error);
    }
    op = fake_new_op(fake, FAKE_OP_EXPAND);
    op->expansion = *expansion;
    op->phase_count = fake->options.poison_copies ? 2 : 1;
    if (!fake_resolve_expansion(fake, device, op)) {
        return fake_return(fake, 1);
    }
#ifdef BIOSTREAM_CUDA_IMPLEMENTED
    if (bsi_cuda_expand_check(&op->real) != NULL) {
        fake_problem(fake, "expand: %s", bsi_cuda_expand_check(&op->real));
        return fake_return(fake, 1);
    }
#endif
    fake_enqueue(fake, stream, op);
    return fake_return(fake, 0);
}

static const char *fake_error_name(void *state, int error) {
    (void)state;
    switch (error) {
    case 0: return "CUDA_SUCCESS";
    case 1: return "CUDA_ERROR_INVALID_VALUE";
    case 2: return "CUDA_ERROR_OUT_OF_MEMORY";
    case 100: return "CUDA_ERROR_NO_DEVICE";
    case 101: return "CUDA_ERROR_INVALID_DEVICE";
    case 400: return "CUDA_ERROR_INVALID_HANDLE";
    case 600: return "CUDA_ERROR_NOT_READY";
    case 700: return "CUDA_ERROR_ILLEGAL_ADDRESS";
    case 719: return "CUDA_ERROR_LAUNCH_FAILED";
    default: return "CUDA_ERROR_UNKNOWN";
    }
}

static const char *fake_error_text(void *state, int error) {
    (void)state;
    return error == 0 ? "no error" : error == 700 ? "an illegal memory access was encountered" : "fake error";
}

/* ---- for tests ------------------------------------------------------------------------------------- */

/* A new one. options NULL: all 0. Ends with fake_cuda_delete. */
FAKE_UNUSED static fake_cuda *fake_cuda_new(const fake_cuda_options *options) {
    fake_cuda *fake = (fake_cuda *)fake_alloc(sizeof *fake);
    /* clang-format off */
    const biost_cuda_provider provider = {
        "fake", fake, fake_open, fake_close, fake_device_count, fake_enter, fake_leave, fake_device_open,
        fake_device_close, fake_host_alloc, fake_host_free, fake_host_lock, fake_host_unlock,
        fake_device_alloc, fake_device_free, fake_stream_open, fake_stream_close, fake_stream_captures,
        fake_stream_wait,
        fake_stream_finish, fake_event_open, fake_event_close, fake_event_record, fake_event_query,
        fake_event_wait, fake_event_elapsed, fake_copy_in, fake_copy_out, fake_expand, fake_error_name,
        fake_error_text, 0};
    /* clang-format on */
    if (options != NULL) {
        fake->options = *options;
    }
    if (fake->options.device_count == 0) {
        fake->options.device_count = 1;
    } else if (fake->options.device_count < 0) {
        fake->options.device_count = 0;
    }
    fake->provider = provider;
    fake->serial = __atomic_add_fetch(&fake_serials, 1, __ATOMIC_RELAXED);
    fake->seed = fake->options.seed;
    fake->next_address = ((uintptr_t)0x0DE7 << (sizeof(uintptr_t) * 8 - 16)) + 256; /* nobody's memory */
    pthread_mutex_init(&fake->lock, NULL);
    pthread_cond_init(&fake->changed, NULL);
    return fake;
}

FAKE_UNUSED static const biost_cuda_provider *fake_cuda_provider(const fake_cuda *fake) {
    return &fake->provider;
}

/* The n-th call from now on of this kind (FAKE_ANY: of any that can fail) fails with `number`; sticky: and
 * all later ones with 700, but enter. A failing free, unlock or close has done it nevertheless. n 0: none. */
FAKE_UNUSED static void fake_cuda_fail(fake_cuda *fake, int kind, uint64_t n, int number, int sticky) {
    fake_lock(fake);
    fake->fail_kind = kind;
    fake->fail_left = n;
    fake->fail_number = number;
    fake->fail_sticky = sticky;
    fake_unlock(fake);
}

/* The n-th copy, expansion or kernel from now on is not done, and breaks the device: all calls fail. */
FAKE_UNUSED static void fake_cuda_fail_operation(fake_cuda *fake, uint64_t n, int number) {
    fake_lock(fake);
    fake->fail_op_left = n;
    fake->fail_op_number = number;
    fake_unlock(fake);
}

static uint64_t fake_get(fake_cuda *fake, const uint64_t *from) {
    uint64_t value;
    fake_lock(fake);
    value = *from;
    fake_unlock(fake);
    return value;
}

/* How many calls there were. */
FAKE_UNUSED static uint64_t fake_cuda_count(fake_cuda *fake, int kind) {
    return fake_get(fake, &fake->counts[kind]);
}

/* Copies from and to memory that is not page-locked. */
FAKE_UNUSED static uint64_t fake_cuda_pageable_count(fake_cuda *fake) {
    return fake_get(fake, &fake->pageable_count);
}

/* Calls that failed because fake_cuda_fail said so; and of these, enters: after one at the end, what its
 * device has cannot be freed any more. */
FAKE_UNUSED static uint64_t fake_cuda_failed_count(fake_cuda *fake) {
    return fake_get(fake, &fake->failed_count);
}

FAKE_UNUSED static uint64_t fake_cuda_failed_enters(fake_cuda *fake) {
    return fake_get(fake, &fake->failed_enters);
}

/* Copies, expansions and kernels begun. */
FAKE_UNUSED static uint64_t fake_cuda_operation_count(fake_cuda *fake) {
    return fake_get(fake, &fake->op_count);
}

/* The calling thread's current device. */
FAKE_UNUSED static int fake_cuda_current(fake_cuda *fake) {
    return fake_thread_of(fake)->current;
}

FAKE_UNUSED static void fake_cuda_set_current(fake_cuda *fake, int device) {
    fake_thread_of(fake)->current = device;
}

/* A stream of the test's; ends with the fake. */
FAKE_UNUSED static biost_cuda_stream fake_cuda_stream(fake_cuda *fake, int device) {
    fake_stream *stream;
    fake_lock(fake);
    stream = fake_new_stream(fake, device);
    stream->is_tests = 1;
    fake_unlock(fake);
    return (biost_cuda_stream)(void *)stream;
}

/* A capture begins or ends on a stream of the test's. */
FAKE_UNUSED static void fake_cuda_capture(fake_cuda *fake, biost_cuda_stream stream, int captures) {
    fake_lock(fake);
    ((fake_stream *)(void *)stream)->captures = captures;
    fake_unlock(fake);
}

/* Stepped: which stream it is, for fake_cuda_step. Default streams count from when they are used first. */
FAKE_UNUSED static int fake_cuda_stream_index(biost_cuda_stream stream) {
    return ((const fake_stream *)(const void *)stream)->index;
}

/* Device memory of the test's, as from a framework's pool; it ends with the fake. */
FAKE_UNUSED static void *fake_cuda_alloc(fake_cuda *fake, int device, size_t bytes) {
    fake_device_memory *memory;
    fake_lock(fake);
    memory = fake_new_device_memory(fake, device, bytes);
    memory->is_tests = 1;
    fake_unlock(fake);
    return (void *)memory->address;
}

/* Freed before; uses that come later are reported. */
FAKE_UNUSED static void fake_cuda_free(fake_cuda *fake, void *memory) {
    fake_lock(fake);
    (void)fake_free_device_memory(fake, memory);
    fake_unlock(fake);
}

/* Where bytes of a device's memory are; NULL and a problem where there are none. For kernels, and for the
 * test after fake_cuda_finish. */
FAKE_UNUSED static uint8_t *fake_cuda_at(fake_cuda *fake, const void *address, size_t bytes) {
    fake_device_memory *memory;
    uint8_t *real;
    fake_lock(fake);
    memory = fake_find_device(fake, address);
    real = fake_real(fake, "fake_cuda_at", memory == NULL ? 0 : memory->device, address, bytes);
    fake_unlock(fake);
    return real;
}

static void fake_launch_op(fake_cuda *fake, int device, biost_cuda_stream handle, const fake_op *given) {
    fake_stream *stream;
    (void)fake_call(fake, FAKE_TEST, (uintptr_t)handle, (uintptr_t)given->to, (uintptr_t)given->data);
    stream = fake_stream_of(fake, FAKE_TEST, handle, device);
    if (stream != NULL) {
        fake_op *op = fake_new_op(fake, given->kind);
        op->to = given->to;
        op->bytes = given->bytes;
        op->kernel = given->kernel;
        op->data = given->data;
        fake_enqueue(fake, stream, op);
    }
    (void)fake_return(fake, 0);
}

/* A kernel of the test's: the function is called when the stream comes to it. */
FAKE_UNUSED static void fake_cuda_launch(fake_cuda *fake, int device, biost_cuda_stream stream,
                                         void (*kernel)(void *data), void *data) {
    fake_op op;
    memset(&op, 0, sizeof op);
    op.kind = FAKE_OP_KERNEL;
    op.kernel = kernel;
    op.data = data;
    fake_launch_op(fake, device, stream, &op);
}

/* Fill device memory with 0xA5 when the stream comes to it, as right before a slot is handed back. */
FAKE_UNUSED static void fake_cuda_poison_on(fake_cuda *fake, int device, biost_cuda_stream stream,
                                            void *memory, size_t bytes) {
    fake_op op;
    memset(&op, 0, sizeof op);
    op.kind = FAKE_OP_POISON;
    op.to = memory;
    op.bytes = bytes;
    fake_launch_op(fake, device, stream, &op);
}

/* Fill host or device memory with 0xA5 now. */
FAKE_UNUSED static void fake_cuda_poison(fake_cuda *fake, void *memory, size_t bytes) {
    fake_device_memory *on_device;
    uint8_t *real = (uint8_t *)memory;
    fake_lock(fake);
    on_device = fake_find_device(fake, memory);
    if (on_device != NULL) {
        real = fake_real(fake, "fake_cuda_poison", on_device->device, memory, bytes);
    }
    fake_unlock(fake);
    if (real != NULL) {
        memset(real, FAKE_POISON, bytes);
    }
}

/* Stepped: streams whose first operation can be done now; bit i: stream i. */
FAKE_UNUSED static uint64_t fake_cuda_runnable(fake_cuda *fake) {
    uint64_t mask;
    fake_lock(fake);
    mask = fake_runnable_mask(fake);
    fake_unlock(fake);
    return mask;
}

/* Stepped: one step of a stream: half a copy, an expansion, a kernel. Records and waits take no step.
 * Returns 0 where it cannot go on. */
FAKE_UNUSED static int fake_cuda_step(fake_cuda *fake, int stream_index) {
    int can;
    fake_lock(fake);
    can = stream_index >= 0 && stream_index < 64 && (fake_runnable_mask(fake) >> stream_index & 1) != 0;
    if (can) {
        fake_advance(fake, fake_stream_at(fake, stream_index));
        fake_drain(fake);
    }
    fake_unlock(fake);
    return can;
}

/* Wait until all streams have done all, the closed ones too. Returns 0, or the error of a broken device. */
FAKE_UNUSED static int fake_cuda_finish(fake_cuda *fake) {
    fake_stream *stream;
    int error = 0;
    fake_lock(fake);
    for (stream = fake->streams; stream != NULL; stream = stream->next) {
        while (stream->head != NULL && error != 999) {
            if (fake->broken != 0 && !fake->options.stepped) {
                pthread_cond_broadcast(&fake->changed);
            }
            if (fake->options.stepped && fake->broken != 0 && fake_is_runnable(fake, stream)) {
                fake_advance(fake, stream);
                continue;
            }
            if (fake->broken != 0) {
                pthread_cond_wait(&fake->changed, &fake->lock);
                continue;
            }
            error = fake_wait_for(fake, "a stream", &stream->tail->is_done);
        }
    }
    error = error == 999 ? error : fake->broken;
    fake_unlock(fake);
    for (stream = fake->streams; stream != NULL; stream = stream->next) {
        if (stream->last_done != NULL) {
            FAKE_AFTER(&stream->last_done->done_tag);
        }
    }
    return error;
}

/* Streams and events that are still open, memory still allocated, and so on. */
static void fake_find_leaks(fake_cuda *fake) {
    const fake_device_memory *device;
    const fake_host_memory *host;
    const fake_stream *stream;
    const fake_event *event;
    int i;
    for (device = fake->device_memory; device != NULL; device = device->next) {
        if (device->is_live && !device->is_tests) {
            fake_problem(fake, "leak: %zu bytes of device %d", device->size, device->device);
        }
    }
    for (host = fake->host_memory; host != NULL; host = host->next) {
        if (host->is_live) {
            fake_problem(fake, "leak: %zu bytes of host memory%s", host->size,
                         host->is_callers ? " are locked" : "");
        }
    }
    for (stream = fake->streams; stream != NULL; stream = stream->next) {
        if (stream->is_open && !stream->is_tests) {
            fake_problem(fake, "leak: a stream of device %d", stream->device);
        }
    }
    for (event = fake->events; event != NULL; event = event->next) {
        if (event->is_open) {
            fake_problem(fake, "leak: an event of device %d", event->device);
        }
    }
    for (i = 0; i < fake->options.device_count; ++i) {
        if (fake->device_opens[i] > 0) {
            fake_problem(fake, "leak: device %d is open", i);
        }
    }
    if (fake->enters != 0) {
        fake_problem(fake, "leak: an enter without leave");
    }
    if (fake->opens > 0) {
        fake_problem(fake, "leak: open without close");
    }
}

/* What was done wrong so far, leaks excluded; NULL: nothing. Valid until the next call. */
FAKE_UNUSED static const char *fake_cuda_misuse(fake_cuda *fake) {
    size_t bytes;
    fake_lock(fake);
    bytes = fake->problems_bytes;
    fake_unlock(fake);
    return bytes == 0 ? NULL : fake->problems;
}

/* At the end of a test: let all streams finish, then say what was done wrong, leaks included, a line each;
 * NULL: nothing. Valid until fake_cuda_delete. */
FAKE_UNUSED static const char *fake_cuda_check(fake_cuda *fake) {
    (void)fake_cuda_finish(fake);
    fake_lock(fake);
    fake_find_leaks(fake);
    fake_unlock(fake);
    return fake->problems_bytes == 0 ? NULL : fake->problems;
}

/* The last calls, oldest first. */
FAKE_UNUSED static void fake_cuda_print_trace(fake_cuda *fake) {
    uint64_t i;
    fake_lock(fake);
    i = fake->trace_count < FAKE_TRACE_LINES ? 0 : fake->trace_count - FAKE_TRACE_LINES;
    for (; i < fake->trace_count; ++i) {
        const fake_trace_line *line = &fake->trace[i % FAKE_TRACE_LINES];
        printf("    %6llu thread %d device %d %s(%llx, %llx, %llx)", (unsigned long long)i, line->thread,
               line->device, fake_kind_names[line->kind], (unsigned long long)line->a,
               (unsigned long long)line->b, (unsigned long long)line->c);
        printf(line->is_over ? " = %d\n" : " (not over)\n", line->result);
    }
    fake_unlock(fake);
}

/* End it: what is asked for is done first, unless stepped. */
FAKE_UNUSED static void fake_cuda_delete(fake_cuda *fake) {
    fake_stream *stream;
    fake_lock(fake);
    fake->is_ending = 1;
    pthread_cond_broadcast(&fake->changed);
    fake_unlock(fake);
    for (stream = fake->streams; stream != NULL; stream = stream->next) {
        if (stream->has_thread) {
            pthread_join(stream->thread, NULL);
        }
    }
    FAKE_QUIET_BEGIN();
    while (fake->streams != NULL) {
        stream = fake->streams;
        fake->streams = stream->next;
        free(stream);
    }
    while (fake->ops != NULL) {
        fake_op *op = fake->ops;
        fake->ops = op->next_all;
        free(op->snapshot);
        free(op);
    }
    while (fake->records != NULL) {
        fake_record *record = fake->records;
        fake->records = record->next;
        free(record);
    }
    while (fake->events != NULL) {
        fake_event *event = fake->events;
        fake->events = event->next;
        free(event);
    }
    while (fake->device_memory != NULL) {
        fake_device_memory *memory = fake->device_memory;
        fake->device_memory = memory->next;
        free(memory->bytes);
        free(memory);
    }
    while (fake->host_memory != NULL) {
        fake_host_memory *memory = fake->host_memory;
        fake->host_memory = memory->next;
        if (memory->is_live && !memory->is_callers) {
            free(memory->bytes);
        }
        free(memory);
    }
    pthread_mutex_destroy(&fake->lock);
    pthread_cond_destroy(&fake->changed);
    free(fake);
    FAKE_QUIET_END();
}

#endif /* FAKE_CUDA_H */
