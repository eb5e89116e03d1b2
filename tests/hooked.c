/*
 * hooked.c - the implementation with its calls of the system through the pointers of hooks.h, and the peeks of
 * peeks.h.
 */
#include "hooks.h"

static int system_open(const char *path, int flags) {
    return open(path, flags);
}

static int system_openat(int directory, const char *path, int flags, mode_t mode) {
    return openat(directory, path, flags, mode);
}

static int system_fstat(int file, struct stat *out) {
    return fstat(file, out);
}

void *(*os_malloc)(size_t bytes) = malloc;
int (*os_open)(const char *path, int flags) = system_open;
int (*os_openat)(int directory, const char *path, int flags, mode_t mode) = system_openat;
int (*os_close)(int file) = close;
int (*os_fstat)(int file, struct stat *out) = system_fstat;
ssize_t (*os_pread)(int file, void *out, size_t count, off_t offset) = pread;
ssize_t (*os_pwrite)(int file, const void *from, size_t count, off_t offset) = pwrite;
int (*os_fsync)(int file) = fsync;
int (*os_rename)(const char *from, const char *to) = rename;
void *(*os_mmap)(void *at, size_t bytes, int protection, int flags, int file, off_t offset) = mmap;
int (*os_munmap)(void *memory, size_t bytes) = munmap;
int (*os_mutex_init)(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) = pthread_mutex_init;
int (*os_cond_init)(pthread_cond_t *condition, const pthread_condattr_t *attributes) = pthread_cond_init;
int (*os_create)(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                 void *argument) = pthread_create;
int (*os_join)(pthread_t thread, void **result) = pthread_join;

/* Members of biost_files have two of these names, and get another one here; where they lie stays the same. */
#define malloc             os_malloc
#define open               os_open
#define openat             os_openat
#define close              os_close
#define fstat              os_fstat
#define pread              os_pread
#define pwrite             os_pwrite
#define fsync              os_fsync
#define rename             os_rename
#define mmap               os_mmap
#define munmap             os_munmap
#define pthread_mutex_init os_mutex_init
#define pthread_cond_init  os_cond_init
#define pthread_create     os_create
#define pthread_join       os_join
#include "implementation.c"
