/*
 * hooks.h - the calls that the implementation makes of the system, each through a pointer that a test may set to
 * a function of its own, so that a call fails, waits or is counted. A program that includes this file is linked with
 * hooked.c, which has the implementation and sets each pointer to the system's own call.
 *
 *     static ssize_t failing_pread(int file, void *out, size_t count, off_t offset) { ... }
 *     HOOKS_SET {
 *         os_pread = failing_pread;
 *     }
 *
 * The function runs on whatever thread makes the call. Include this file first.
 */
#ifndef HOOKS_H
#define HOOKS_H

/* As the header would, were it the first to include anything. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS, madvise */
#endif
#if defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
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
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern void *(*os_malloc)(size_t bytes);
extern int (*os_open)(const char *path, int flags);
extern int (*os_openat)(int directory, const char *path, int flags, mode_t mode);
extern int (*os_close)(int file);
extern int (*os_fstat)(int file, struct stat *out);
extern ssize_t (*os_pread)(int file, void *out, size_t count, off_t offset);
extern ssize_t (*os_pwrite)(int file, const void *from, size_t count, off_t offset);
extern int (*os_fsync)(int file);
extern int (*os_rename)(const char *from, const char *to);
extern void *(*os_mmap)(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
extern int (*os_munmap)(void *memory, size_t bytes);
extern int (*os_mutex_init)(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
extern int (*os_cond_init)(pthread_cond_t *condition, const pthread_condattr_t *attributes);
extern int (*os_create)(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                        void *argument);
extern int (*os_join)(pthread_t thread, void **result);

/* The body that sets them; it runs before main. */
#define HOOKS_SET __attribute__((constructor)) static void hooks_set(void)

#endif /* HOOKS_H */
