/*
 * posix.h - what tests use of POSIX and Windows has under another name, so that they are compiled as they are by
 * MinGW, which includes this file before each (see tests/platform.sh). Not for the header and the tools: they know
 * Windows.
 */
#ifndef TESTS_WINDOWS_POSIX_H
#define TESTS_WINDOWS_POSIX_H

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <direct.h>
#include <io.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#undef near /* windows.h takes two good names */
#undef far

#define mkdir(path, mode) _mkdir(path)
#define tell              test_tell /* io.h takes another */

/* ---- memory that is aligned, and free for it too ---- */

typedef struct posix_block {
    void *given, *from;
    struct posix_block *next;
} posix_block;

static struct {
    posix_block *first[4096];
    LONG volatile taken; /* by the thread that is in here */
} posix_blocks;

static inline posix_block **posix_blocks_enter(const void *given) {
    while (InterlockedExchange(&posix_blocks.taken, 1) != 0) {
        Sleep(0);
    }
    return &posix_blocks.first[((uintptr_t)given >> 6) % 4096];
}

static inline int posix_memalign(void **out, size_t align, size_t bytes) {
    posix_block *block = (posix_block *)malloc(sizeof *block), **first;
    char *from = bytes + align > bytes ? (char *)malloc(bytes + align) : NULL;
    if (block == NULL || from == NULL) {
        free(block);
        free(from);
        return 12;
    }
    block->from = from;
    block->given = from + (align - (uintptr_t)from % align);
    first = posix_blocks_enter(block->given);
    block->next = *first;
    *first = block;
    InterlockedExchange(&posix_blocks.taken, 0);
    *out = block->given;
    return 0;
}

static inline void posix_free(void *memory) {
    posix_block **at = posix_blocks_enter(memory), *block;
    while (*at != NULL && (*at)->given != memory) {
        at = &(*at)->next;
    }
    block = *at;
    if (block != NULL) {
        *at = block->next;
        memory = block->from;
    }
    InterlockedExchange(&posix_blocks.taken, 0);
    free(memory);
    free(block);
}

#define free posix_free

/* ---- patience: nothing is heard of a test that never ends until its time is up ---- */

#define SIGALRM SIGABRT

static inline unsigned alarm(unsigned seconds) {
    (void)seconds;
    return 0;
}

/* ---- files ---- */

/* The last six characters become the number of the process and of the call, in the letters of base 32. */
static inline char *mkdtemp(char *name) {
    static unsigned calls;
    char *x = name + strlen(name) - 6;
    unsigned number = (unsigned)GetCurrentProcessId() * 64 + calls++ % 64, at;
    for (at = 0; at < 6; ++at) {
        x[at] = "abcdefghijklmnopqrstuvwxyz234567"[number % 32];
        number /= 32;
    }
    return _mkdir(name) == 0 ? name : NULL;
}

/* ---- pages that may not be touched ---- */

enum { _SC_PAGESIZE = 30 };

static inline long sysconf(int name) {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return name == _SC_PAGESIZE ? (long)info.dwPageSize : -1;
}

enum { PROT_NONE = 0, PROT_READ = 1, PROT_WRITE = 2, MAP_PRIVATE = 2, MAP_ANONYMOUS = 32 };
#define MAP_FAILED ((void *)-1)

static inline DWORD posix_protection(int protection) {
    return protection == PROT_NONE ? PAGE_NOACCESS : protection == PROT_READ ? PAGE_READONLY : PAGE_READWRITE;
}

/* Of no file. */
static inline void *mmap(void *at, size_t bytes, int protection, int flags, int file, long long offset) {
    void *memory = flags == (MAP_PRIVATE | MAP_ANONYMOUS) && file == -1 && offset == 0
                       ? VirtualAlloc(at, bytes, MEM_RESERVE | MEM_COMMIT, posix_protection(protection))
                       : NULL;
    return memory != NULL ? memory : MAP_FAILED;
}

static inline int mprotect(void *at, size_t bytes, int protection) {
    DWORD before;
    return VirtualProtect(at, bytes, posix_protection(protection), &before) ? 0 : -1;
}

/* The whole of what mmap gave. */
static inline int munmap(void *at, size_t bytes) {
    (void)bytes;
    return VirtualFree(at, 0, MEM_RELEASE) ? 0 : -1;
}

#endif /* TESTS_WINDOWS_POSIX_H */
