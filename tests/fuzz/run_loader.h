/*
 * run_loader.h - a loader from open to close, for targets that compare two of them: the hash of each batch, the end
 * with its sentence, and the memory that it took, which must be no more than biost_loader_memory says.
 */
#ifndef RUN_LOADER_H
#define RUN_LOADER_H

#include "fuzz.h"

enum { RUN_BATCHES = 300, RUN_STATE_BYTES = 16384, RUN_MEMORY = 300 << 20 };

typedef struct run_loader {
    uint64_t batches[RUN_BATCHES]; /* hashes */
    uint32_t count;
    int opened;
    biost_result end; /* of open, or what ended it; OK: RUN_BATCHES came */
    char sentence[256];
    uint64_t digests; /* a sum */
    uint64_t skipped, filtered;
    uint8_t state[RUN_STATE_BYTES]; /* after batch `state_at` */
    size_t state_bytes;             /* 0: none was asked for, or it was refused */
    uint32_t state_at;
} run_loader;

/* All that a batch shows: its slab with lengths and tensors, origins, names, numbers. */
static uint64_t run_hash_batch(const biost_batch *batch) {
    uint64_t hash = fuzz_hash(FUZZ_HASH, batch->slab, (size_t)batch->slab_bytes);
    hash = fuzz_hash(hash, batch->origins, batch->rows * sizeof *batch->origins);
    hash = fuzz_hash(hash, &batch->index, sizeof batch->index);
    hash = fuzz_hash(hash, &batch->valid_rows, sizeof batch->valid_rows);
    hash = fuzz_hash(hash, &batch->flags, sizeof batch->flags);
    for (uint32_t i = 0; batch->names != NULL && i < batch->rows; i++) {
        const char *name = batch->names + batch->name_offsets[i];
        hash = fuzz_hash(hash, name, strlen(name) + 1);
    }
    return hash;
}

static void run_take_state(biost_loader *loader, const biost_batch *batch, run_loader *run) {
    biost_result result = biost_loader_state(loader, batch, run->state, sizeof run->state, &run->state_bytes);
    if (result != BIOST_OK) {
        fuzz_check_error(result, biost_loader_error(loader), "biost_loader_state");
        run->state_bytes = 0;
    }
}

/* One epoch, the first that the loader has. */
static void run_batches(biost_loader *loader, run_loader *run) {
    biost_batch batch;
    biost_result result = biost_loader_begin(loader, biost_loader_first_epoch(loader));
    uint64_t first = biost_loader_first_batch(loader);
    while (result == BIOST_OK && run->count < RUN_BATCHES &&
           (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        FUZZ_CHECK(batch.index == first + run->count);
        run->batches[run->count] = run_hash_batch(&batch);
        run->digests += batch.digest;
        if (run->count == run->state_at) {
            run_take_state(loader, &batch, run);
        }
        run->count++;
        FUZZ_CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    run->end = result;
}

/* `state_at`: the batch after which a state is taken; UINT32_MAX: none. desc.allocator is set here. */
static void run_loader_desc(biost_loader_desc desc, uint32_t state_at, run_loader *run) {
    biost_loader *loader = NULL;
    biost_error error;
    biost_progress progress;
    fuzz_memory memory;
    run->count = 0;
    run->state_bytes = 0;
    run->state_at = state_at;
    run->digests = run->skipped = run->filtered = 0;
    memset(run->sentence, 0, sizeof run->sentence);
    desc.allocator = fuzz_allocator(&memory, RUN_MEMORY);
    uint64_t most = biost_loader_memory(&desc);
    run->end = biost_loader_open(&desc, &loader, &error);
    run->opened = run->end == BIOST_OK;
    if (!run->opened) {
        fuzz_check_error(run->end, &error, "biost_loader_open");
        memcpy(run->sentence, error.text, sizeof run->sentence);
        FUZZ_CHECK(loader == NULL && memory.now == 0);
        return;
    }
    FUZZ_CHECK(most != UINT64_MAX);
    run_batches(loader, run);
    if (run->end < 0) {
        fuzz_check_error(run->end, biost_loader_error(loader), "biost_loader_next");
        memcpy(run->sentence, biost_loader_error(loader)->text, sizeof run->sentence);
    }
    biost_loader_progress(loader, &progress);
    run->skipped = progress.skipped_count;
    run->filtered = progress.filtered_count;
    biost_loader_close(loader);
    FUZZ_CHECK(memory.now == 0);
    if ((uint64_t)memory.most > most) {
        FUZZ_FAULT("it took %ld bytes, and biost_loader_memory says %llu", memory.most,
                   (unsigned long long)most);
    }
}

/* The batches of one are those of the other from batch `from` on, up to the same end. */
static void run_compare(const run_loader *one, const run_loader *other, uint32_t from, const char *way) {
    if (one->end == BIOST_ERR_NOMEM || other->end == BIOST_ERR_NOMEM || one->count == RUN_BATCHES ||
        other->count == RUN_BATCHES) {
        return;
    }
    if (one->count - from != other->count || one->end != other->end ||
        strcmp(one->sentence, other->sentence) != 0) {
        FUZZ_FAULT("%s: %u batches from %u on, and %u; result %d and %d\n%s\n%s", way, one->count, from,
                   other->count, (int)one->end, (int)other->end, one->sentence, other->sentence);
    }
    for (uint32_t i = 0; i < other->count; i++) {
        if (one->batches[from + i] != other->batches[i]) {
            FUZZ_FAULT("%s: batch %u is another", way, from + i);
        }
    }
}

#endif /* RUN_LOADER_H */
