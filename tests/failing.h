/*
 * failing.h - calls of the system that fail when told: allocations, opens, sizes, reads, mutexes, conditions and
 * threads are counted, and call number n of a kind can be made to fail, once or from then on. Include it first.
 */
#ifndef FAILING_H
#define FAILING_H

#include "hooks.h"

#include "peeks.h"
#include "test.h"

/* ---- calls that can fail ---- */

typedef enum call_kind {
    CALL_ALLOC,
    CALL_OPEN,
    CALL_SIZE,
    CALL_READ,
    CALL_MUTEX,
    CALL_CONDITION,
    CALL_THREAD,
    CALL_KINDS
} call_kind;

static const char *const call_names[CALL_KINDS] = {"alloc", "open",      "size",  "read",
                                                   "mutex", "condition", "thread"};

/* Call `fail_at` of kind `kind` fails, counted from 1, and with `on` all after it. */
static struct {
    pthread_mutex_t lock;
    call_kind kind;
    unsigned long counts[CALL_KINDS], fail_at;
    int on, refused;
    long files_open, memory_held, threads_made;
} calls = {PTHREAD_MUTEX_INITIALIZER, CALL_ALLOC, {0, 0, 0, 0, 0, 0, 0}, 0, 0, 0, 0, 0, 0};

/* Count a call; 1: it is to fail. */
static int call_fails(call_kind kind) {
    int fails;
    pthread_mutex_lock(&calls.lock);
    ++calls.counts[kind];
    fails = calls.fail_at > 0 && kind == calls.kind &&
            (calls.counts[kind] == calls.fail_at || (calls.on && calls.counts[kind] > calls.fail_at));
    calls.refused |= fails;
    pthread_mutex_unlock(&calls.lock);
    return fails;
}

/* 1: a call has failed. Workers that still run may note that, under the lock. */
TEST_MAYBE_UNUSED static int call_refused(void) {
    int refused;
    pthread_mutex_lock(&calls.lock);
    refused = calls.refused;
    pthread_mutex_unlock(&calls.lock);
    return refused;
}

static void call_note(long *count, long by) {
    pthread_mutex_lock(&calls.lock);
    *count += by;
    pthread_mutex_unlock(&calls.lock);
}

static int call_open(const char *path, int flags) {
    int file;
    if (call_fails(CALL_OPEN)) {
        errno = EMFILE;
        return -1;
    }
    file = open(path, flags);
    call_note(&calls.files_open, file >= 0);
    return file;
}

static int call_close(int file) {
    call_note(&calls.files_open, -1);
    return close(file);
}

static int call_fstat(int file, struct stat *out) {
    if (call_fails(CALL_SIZE)) {
        errno = EIO;
        return -1;
    }
    return fstat(file, out);
}

static ssize_t call_pread(int file, void *out, size_t count, off_t offset) {
    if (call_fails(CALL_READ)) {
        errno = EIO;
        return -1;
    }
    return pread(file, out, count < 70 ? count : 70, offset);
}

static int call_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    return call_fails(CALL_MUTEX) ? ENOMEM : pthread_mutex_init(mutex, attributes);
}

static int call_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
    return call_fails(CALL_CONDITION) ? ENOMEM : pthread_cond_init(condition, attributes);
}

static int call_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                       void *argument) {
    int result = call_fails(CALL_THREAD) ? EAGAIN : pthread_create(thread, attributes, run, argument);
    call_note(&calls.threads_made, result == 0);
    return result;
}

static int call_join(pthread_t thread, void **result) {
    call_note(&calls.threads_made, -1);
    return pthread_join(thread, result);
}

HOOKS_SET {
    os_open = call_open;
    os_close = call_close;
    os_fstat = call_fstat;
    os_pread = call_pread;
    os_mutex_init = call_mutex_init;
    os_cond_init = call_cond_init;
    os_create = call_create;
    os_join = call_join;
}

static void calls_begin(call_kind kind, unsigned long fail_at, int on) {
    memset(calls.counts, 0, sizeof calls.counts);
    calls.kind = kind;
    calls.fail_at = fail_at;
    calls.on = on;
    calls.refused = 0;
}

/* ---- hooks ---- */

/* Sizes are kept in front of the memory, so that free can be held to what alloc was told. */
static void *hook_alloc(size_t bytes, size_t align, void *user_data) {
    void *memory = NULL;
    CHECK(user_data == &calls && align > 0 && (align & (align - 1)) == 0 && align <= 256);
    if (call_fails(CALL_ALLOC) || posix_memalign(&memory, 256, bytes + 256) != 0) {
        return NULL;
    }
    memcpy(memory, &bytes, sizeof bytes);
    call_note(&calls.memory_held, (long)bytes);
    return (uint8_t *)memory + 256;
}

static void hook_free(void *memory, size_t bytes, void *user_data) {
    size_t kept;
    CHECK(user_data == &calls && memory != NULL);
    memcpy(&kept, (uint8_t *)memory - 256, sizeof kept);
    CHECK_EQ_U64(bytes, kept);
    call_note(&calls.memory_held, -(long)bytes);
    free((uint8_t *)memory - 256);
}

/* After each run: all memory, files and threads were given back. */
static void check_nothing_left(void) {
    CHECK_EQ_I64(calls.memory_held, 0);
    CHECK_EQ_I64(calls.files_open, 0);
    CHECK_EQ_I64(calls.threads_made, 0);
}

#endif /* FAILING_H */
