/*
 * fuzz.h - what the fuzz targets share. A target is one file with one function, LLVMFuzzerTestOneInput: libFuzzer calls
 * it with bytes that it makes up, and test_fuzz.c with those that are kept (see FUZZ.md). It returns 0, and stops the
 * process by FUZZ_FAULT where what the library did is not what it promises.
 *
 * The bytes of an input are taken from its front, by fuzz_byte and its like, for what is chosen; the rest is the text,
 * the archive or the file. gcc and clang only, as test.h.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "../../biostream.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUZZ_UNUSED __attribute__((unused))

#ifdef __cplusplus
extern "C"
#endif
    int
    LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Say what is wrong and stop, so that libFuzzer keeps the input, and a test's log ends with the line. */
#define FUZZ_FAULT(...)                                              \
    do {                                                             \
        fflush(stdout);                                              \
        fprintf(stderr, "fuzz: FAILED %s:%d: ", __FILE__, __LINE__); \
        fprintf(stderr, __VA_ARGS__);                                \
        fprintf(stderr, "\n");                                       \
        abort();                                                     \
    } while (0)

#define FUZZ_CHECK(condition)             \
    do {                                  \
        if (!(condition)) {               \
            FUZZ_FAULT("%s", #condition); \
        }                                 \
    } while (0)

/* ---- an input ---- */

typedef struct fuzz_input {
    const uint8_t *at;
    size_t bytes; /* left */
} fuzz_input;

/* After the end all bytes are 0. */
FUZZ_UNUSED static uint32_t fuzz_byte(fuzz_input *in) {
    if (in->bytes == 0) {
        return 0;
    }
    in->bytes--;
    return *in->at++;
}

/* A number of so many bytes, the low one first. */
FUZZ_UNUSED static uint64_t fuzz_number(fuzz_input *in, int count) {
    uint64_t number = 0;
    for (int i = 0; i < count; i++) {
        number |= (uint64_t)fuzz_byte(in) << 8 * i;
    }
    return number;
}

/* A copy of exactly so many bytes, so that a byte read after them is an error. The caller frees. */
FUZZ_UNUSED static uint8_t *fuzz_copy(const uint8_t *from, size_t bytes) {
    uint8_t *copy = (uint8_t *)malloc(bytes > 0 ? bytes : 1);
    if (copy == NULL) {
        fprintf(stderr, "fuzz: no memory for %llu bytes\n", (unsigned long long)bytes);
        exit(1);
    }
    if (bytes > 0) {
        memcpy(copy, from, bytes);
    }
    return copy;
}

/* Features of the processor that an input is read without, by its size: so that kernels for others run as well. */
FUZZ_UNUSED static uint32_t fuzz_hidden(size_t bytes) {
    static const uint32_t wide = BIOST_CPU_AVX512 | BIOST_CPU_AVX512_VBMI | BIOST_CPU_VPCLMUL;
    const uint32_t hidden[] = {0, wide, wide | BIOST_CPU_AVX2, UINT32_MAX};
    return hidden[bytes % 4];
}

/* ---- files ---- */

FUZZ_UNUSED static void fuzz_write_file(const char *path, const uint8_t *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file != NULL && (count == 0 || fwrite(bytes, 1, count, file) == count) && fclose(file) == 0);
}

/* A file of this process, in memory where the system has such a place. */
FUZZ_UNUSED static void fuzz_place(char *path, size_t most, const char *kind) {
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
    snprintf(path, most, "%.40s/biostream_fuzz_%ld%s", folder != NULL ? folder : "/tmp", (long)getpid(),
             kind);
}

/* ---- an input that changes bytes ---- */

FUZZ_UNUSED static void fuzz_put(uint8_t *bytes, size_t count, size_t at, uint64_t number, int width) {
    for (int i = 0; i < width && at + (size_t)i < count; i++) {
        bytes[at + (size_t)i] = (uint8_t)(number >> 8 * i);
    }
}

/* Changes of bytes: two bytes of the place, one of what is done, and a byte or eight as it needs. */
FUZZ_UNUSED static void fuzz_change(fuzz_input *in, uint8_t *bytes, size_t count) {
    while (in->bytes >= 3 && count > 0) {
        size_t at = (size_t)fuzz_number(in, 2) % count;
        uint32_t what = fuzz_byte(in);
        uint64_t number = 0;
        for (int i = 0; i < 8 && at + (size_t)i < count; i++) {
            number |= (uint64_t)bytes[at + (size_t)i] << 8 * i;
        }
        if (what < 64) {
            fuzz_put(bytes, count, at, fuzz_byte(in), 1);
        } else if (what < 128) {
            fuzz_put(bytes, count, at, fuzz_number(in, 8), 8);
        } else if (what < 160) {
            fuzz_put(bytes, count, at, what & 1 ? UINT64_MAX : 0, 8);
        } else {
            fuzz_put(bytes, count, at, number + what - 208, 8);
        }
    }
}

/* ---- what is compared ---- */

#define FUZZ_HASH 0xCBF29CE484222325u /* of nothing */

/* FNV-1a, 64 bits. */
FUZZ_UNUSED static uint64_t fuzz_hash(uint64_t hash, const void *bytes, size_t count) {
    const uint8_t *at = (const uint8_t *)bytes;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ at[i]) * 0x100000001B3u;
    }
    return hash;
}

/* Every error is a sentence: printable, ended within its 256 bytes, and with the code that the call returned. */
FUZZ_UNUSED static void fuzz_check_error(biost_result result, const biost_error *error, const char *call) {
    if (error == NULL || error->code != result || error->text[0] == '\0') {
        FUZZ_FAULT("%s: result %d comes without its sentence", call, (int)result);
    }
    size_t length = 0;
    while (length < sizeof error->text && error->text[length] != '\0') {
        uint8_t byte = (uint8_t)error->text[length++];
        if (byte < 32 || byte > 126) {
            FUZZ_FAULT("%s: byte %u is in a sentence: %.256s", call, byte, error->text);
        }
    }
    FUZZ_CHECK(length < sizeof error->text);
}

/* ---- memory that is counted ---- */

typedef struct fuzz_memory {
    long now, most, limit; /* bytes; a request that would pass the limit is refused */
} fuzz_memory;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(at, bytes)   ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

/*
 * Large blocks that were freed, to be given out again at the same size: under AddressSanitizer a new one is asked of the
 * system each time, which takes longer than all that is tested with it. Until then no byte of them may be touched.
 */
enum { FUZZ_SPARE = 48, FUZZ_SPARE_BYTES = 32768 };

static struct {
    void *block; /* NULL: no block */
    size_t bytes;
} fuzz_spare[FUZZ_SPARE];
static char fuzz_spare_taken; /* a lock */

FUZZ_UNUSED static void *fuzz_spare_get(size_t bytes) {
    void *block = NULL;
    while (__atomic_test_and_set(&fuzz_spare_taken, __ATOMIC_ACQUIRE)) {
    }
    for (int i = 0; block == NULL && i < FUZZ_SPARE; i++) {
        if (fuzz_spare[i].block != NULL && fuzz_spare[i].bytes == bytes) {
            block = fuzz_spare[i].block;
            fuzz_spare[i].block = NULL;
            ASAN_UNPOISON_MEMORY_REGION(block, bytes);
        }
    }
    __atomic_clear(&fuzz_spare_taken, __ATOMIC_RELEASE);
    return block;
}

/* Returns the block to be freed: the one that was not taken, or NULL. */
FUZZ_UNUSED static void *fuzz_spare_put(void *block, size_t bytes) {
    int place = -1;
    while (__atomic_test_and_set(&fuzz_spare_taken, __ATOMIC_ACQUIRE)) {
    }
    for (int i = 0; place < 0 && bytes >= FUZZ_SPARE_BYTES && bytes < (size_t)4 << 20 && i < FUZZ_SPARE;
         i++) {
        place = fuzz_spare[i].block == NULL ? i : -1;
    }
    if (place >= 0) {
        ASAN_POISON_MEMORY_REGION(block, bytes);
        fuzz_spare[place].block = block;
        fuzz_spare[place].bytes = bytes;
        block = NULL;
    }
    __atomic_clear(&fuzz_spare_taken, __ATOMIC_RELEASE);
    return block;
}

/* All blocks are at multiples of 256 bytes, the most that is ever asked. */
FUZZ_UNUSED static void *fuzz_memory_alloc(size_t bytes, size_t align, void *user_data) {
    fuzz_memory *memory = (fuzz_memory *)user_data;
    void *block = NULL;
    long now = __atomic_add_fetch(&memory->now, (long)bytes, __ATOMIC_SEQ_CST);
    long most = __atomic_load_n(&memory->most, __ATOMIC_SEQ_CST);
    FUZZ_CHECK(align <= 256);
    if (now <= memory->limit) {
        block = fuzz_spare_get(bytes);
    }
    if (now > memory->limit || (block == NULL && posix_memalign(&block, 256, bytes > 0 ? bytes : 1) != 0)) {
        __atomic_sub_fetch(&memory->now, (long)bytes, __ATOMIC_SEQ_CST);
        return NULL;
    }
    while (now > most &&
           !__atomic_compare_exchange_n(&memory->most, &most, now, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return block;
}

FUZZ_UNUSED static void fuzz_memory_free(void *block, size_t bytes, void *user_data) {
    fuzz_memory *memory = (fuzz_memory *)user_data;
    if (block != NULL) {
        __atomic_sub_fetch(&memory->now, (long)bytes, __ATOMIC_SEQ_CST);
        free(fuzz_spare_put(block, bytes));
    }
}

FUZZ_UNUSED static biost_allocator fuzz_allocator(fuzz_memory *memory, long limit) {
    biost_allocator allocator;
    memset(memory, 0, sizeof *memory);
    memory->limit = limit;
    allocator.alloc = fuzz_memory_alloc;
    allocator.free = fuzz_memory_free;
    allocator.user_data = memory;
    return allocator;
}

#endif /* FUZZ_H */
