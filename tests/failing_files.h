/*
 * failing_files.h - the whole implementation, as white.h, with calls around it that fail when told: those that
 * allocate, open, read, make, write, sync and rename files are counted, and call number n of a kind can be made
 * to fail. For tests of one thread, but for the lock that writes are made under. Include it first.
 */
#ifndef FAILING_FILES_H
#define FAILING_FILES_H

#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1
#endif
#if defined(__APPLE__)
#define _DARWIN_C_SOURCE 1
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- calls of the system that can fail ---- */

typedef enum call_kind {
    CALL_ALLOC,
    CALL_OPEN,
    CALL_SIZE,
    CALL_READ,
    CALL_CREATE,
    CALL_WRITE,
    CALL_SYNC,
    CALL_RENAME,
    CALL_KINDS
} call_kind;

/* Call `fail_at` of kind `kind`, counted from 1, fails with `error_number`, or EIO; 0: none does. */
static struct {
    unsigned long counts[CALL_KINDS], fail_at;
    call_kind kind;
    int error_number;
    size_t most;       /* bytes that one read or write moves; 0: any */
    size_t read_bytes; /* in all */
    int interrupt;     /* every second read and write is interrupted first */
    long files_open, memory_held;
    pthread_mutex_t *lock; /* what writes are made under: noted in */
    unsigned long writes_locked;
} calls;

static int call_fails(call_kind kind) {
    ++calls.counts[kind];
    if (kind != calls.kind || calls.counts[kind] != calls.fail_at) {
        return 0;
    }
    errno = calls.error_number != 0 ? calls.error_number : EIO;
    return 1;
}

static void *call_malloc(size_t bytes) {
    return call_fails(CALL_ALLOC) ? NULL : malloc(bytes);
}

static int call_open(const char *path, int flags) {
    int file = call_fails(CALL_OPEN) ? -1 : open(path, flags);
    calls.files_open += file >= 0;
    return file;
}

static int call_openat(int directory, const char *path, int flags, mode_t mode) {
    int file = call_fails(CALL_CREATE) ? -1 : openat(directory, path, flags, mode);
    calls.files_open += file >= 0;
    return file;
}

static int call_close(int file) {
    --calls.files_open;
    return close(file);
}

static int call_fstat(int file, struct stat *out) {
    return call_fails(CALL_SIZE) ? -1 : fstat(file, out);
}

static int call_is_interrupted(call_kind kind) {
    errno = EINTR;
    return calls.interrupt && calls.counts[kind] % 2 == 1;
}

/* How many of so many bytes a call moves. */
static size_t call_most(size_t count) {
    return calls.most > 0 && calls.most < count ? calls.most : count;
}

static ssize_t call_pread(int file, void *out, size_t count, off_t offset) {
    ssize_t got;
    if (call_fails(CALL_READ) || call_is_interrupted(CALL_READ)) {
        return -1;
    }
    got = pread(file, out, call_most(count), offset);
    calls.read_bytes += got > 0 ? (size_t)got : 0;
    return got;
}

static ssize_t call_pwrite(int file, const void *from, size_t count, off_t offset) {
    if (call_fails(CALL_WRITE) || call_is_interrupted(CALL_WRITE)) {
        return -1;
    }
    if (calls.lock != NULL && pthread_mutex_trylock(calls.lock) == 0) {
        pthread_mutex_unlock(calls.lock);
    } else {
        calls.writes_locked += calls.lock != NULL;
    }
    return pwrite(file, from, call_most(count), offset);
}

static int call_fsync(int file) {
    (void)file;
    return call_fails(CALL_SYNC) ? -1 : 0;
}

static int call_rename(const char *from, const char *to) {
    return call_fails(CALL_RENAME) ? -1 : rename(from, to);
}

#define malloc(bytes)                        call_malloc(bytes)
#define open(path, flags)                    call_open(path, flags)
#define openat(directory, path, flags, mode) call_openat(directory, path, flags, mode)
#define close(file)                          call_close(file)
#define fstat(file, out)                     call_fstat(file, out)
#define pread(file, out, count, offset)      call_pread(file, out, count, offset)
#define pwrite(file, from, count, offset)    call_pwrite(file, from, count, offset)
#define fsync(file)                          call_fsync(file)
#define rename(from, to)                     call_rename(from, to)
#include "white.h"
#undef malloc
#undef open
#undef openat
#undef close
#undef fstat
#undef pread
#undef pwrite
#undef fsync
#undef rename

#endif /* FAILING_FILES_H */
