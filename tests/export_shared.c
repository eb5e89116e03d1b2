/*
 * export_shared.c - a loader behind plain functions, as a shared library for tests/export_numpy.py. It counts the
 * blocks of slot memory, so that the test sees when the last array of a slot is gone.
 *
 *     cc -O2 -shared -fPIC tests/export_shared.c -o export_shared.so -pthread
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* For Python; the prototypes are for compilers that ask for them. */
biost_loader *shared_open(const char *path, int kind, int dtype, int label_dtype, int with_quality);
int shared_next(biost_loader *loader, biost_batch *out_batch);
const biost_tensor *shared_tensor(const biost_batch *batch, uint32_t index);
int shared_blocks(void);
size_t shared_batch_bytes(void);

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static int shared_block_count;

static void shared_count(int by) {
    pthread_mutex_lock(&shared_lock);
    shared_block_count += by;
    pthread_mutex_unlock(&shared_lock);
}

static void *shared_alloc(size_t bytes, size_t align, void *user_data) {
    void *memory = NULL;
    (void)user_data;
    if (posix_memalign(&memory, align, bytes) != 0) {
        return NULL;
    }
    shared_count(1);
    return memory;
}

/* Freed memory is overwritten: an array that reads it shows. */
static void shared_free(void *memory, size_t bytes, void *user_data) {
    (void)user_data;
    memset(memory, 0xDD, bytes);
    shared_count(-1);
    free(memory);
}

/* Blocks of slot memory alive. */
int shared_blocks(void) {
    int count;
    pthread_mutex_lock(&shared_lock);
    count = shared_block_count;
    pthread_mutex_unlock(&shared_lock);
    return count;
}

size_t shared_batch_bytes(void) {
    return sizeof(biost_batch);
}

/* Two numbers: the record's bases, and its number in the file. */
static int shared_label(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    const int64_t numbers[2] = {(int64_t)record->seq_bases, (int64_t)BIOST_ID_RECORD(id)};
    biost_dtype dtype = *(const biost_dtype *)user_data;
    int i;
    for (i = 0; i < 2; ++i) {
        switch (dtype) {
        case BIOST_DTYPE_I64: ((int64_t *)out_label)[i] = numbers[i]; break;
        case BIOST_DTYPE_I32: ((int32_t *)out_label)[i] = (int32_t)numbers[i]; break;
        case BIOST_DTYPE_F32: ((float *)out_label)[i] = (float)numbers[i]; break;
        default: ((uint8_t *)out_label)[i] = (uint8_t)numbers[i]; break;
        }
    }
    return 1;
}

/* A loader that begun its first epoch, or NULL. Batches of 64 rows, 3 slots. */
biost_loader *shared_open(const char *path, int kind, int dtype, int label_dtype, int with_quality) {
    static biost_dtype label_dtypes[BIOST_DTYPE_U16]; /* of any loader still open */
    biost_loader_desc desc;
    biost_loader *loader;
    memset(&desc, 0, sizeof desc);
    desc.paths = &path;
    desc.path_count = 1;
    desc.batch_rows = 64;
    desc.slots = 3;
    desc.workers = 2;
    desc.long_records = BIOST_LONG_HEAD;
    desc.encoding.kind = (biost_encode_kind)kind;
    desc.encoding.dtype = (biost_dtype)dtype;
    desc.mask = 1;
    desc.quality.kind = with_quality ? BIOST_QUALITY_PHRED : BIOST_QUALITY_NONE;
    desc.quality.dtype = BIOST_DTYPE_F32;
    label_dtypes[label_dtype] = (biost_dtype)label_dtype;
    desc.labels.make = shared_label;
    desc.labels.dtype = (biost_dtype)label_dtype;
    desc.labels.width = 2;
    desc.labels.user_data = &label_dtypes[label_dtype];
    desc.slot_allocator.alloc = shared_alloc;
    desc.slot_allocator.free = shared_free;
    if (biost_loader_open(&desc, &loader, NULL) != BIOST_OK) {
        return NULL;
    }
    if (biost_loader_begin(loader, 0) != BIOST_OK) {
        biost_loader_close(loader);
        return NULL;
    }
    return loader;
}

int shared_next(biost_loader *loader, biost_batch *out_batch) {
    return biost_loader_next(loader, out_batch);
}

const biost_tensor *shared_tensor(const biost_batch *batch, uint32_t index) {
    return index < batch->tensor_count ? &batch->tensors[index] : NULL;
}
