/*
 * resume - stop in the middle of an epoch and go on later, in another process if need be.
 *
 * Shows: biost_loader_state writes the point after a batch into at most 512 bytes. A loader opened
 * with them, over the same input and with the same fields marked [data], goes on with the next
 * batch. How many workers there are makes no difference. Digests prove it: those of the batches
 * before the stop and after it add up to that of an epoch without a stop. Keep the resume state with the
 * weights of the model it belongs to.
 *
 *   cc -O2 examples/resume.c -o resume -pthread
 *
 *   $ build/examples/resume build/epoch0.state examples/data/illumina_hiseqx_150bp.fastq.gz
 *   whole:  40 batches, digest e52f5f95168d6982
 *   before: 17 batches, digest ...
 *   after:  23 batches, digest ...
 *   before + after = e52f5f95168d6982
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct state {
    unsigned char bytes[512];
    size_t count;
} state;

/*
 * Take epoch 0, or what is left of it after `from`, to its end or for `most` batches; leave the
 * resume state of the last one in `to`. Returns 1, or 0 after a sentence.
 */
static int take_epoch(biost_loader_desc desc, const state *from, int most, const char *name, state *to,
                      uint64_t *out_digest) {
    biost_loader *loader;
    biost_batch batch;
    biost_error error;
    biost_result result;
    int batches = 0;
    desc.state = from->count > 0 ? from->bytes : NULL; /* no resume state: from the start */
    desc.state_bytes = from->count;
    if (biost_loader_open(&desc, &loader, &error) != BIOST_OK) {
        return fprintf(stderr, "resume: %s\n", error.text), 0;
    }
    result = biost_loader_begin(loader, biost_loader_first_epoch(loader));
    for (*out_digest = 0; result == BIOST_OK && batches < most; ++batches) {
        if ((result = biost_loader_next(loader, &batch)) != BIOST_OK) {
            break;
        }
        *out_digest += batch.digest;
        result = biost_loader_state(loader, &batch, to->bytes, sizeof to->bytes, &to->count);
        biost_loader_release(loader, &batch); /* a resume state is taken before */
    }
    if (result < 0) {
        fprintf(stderr, "resume: %s\n", biost_loader_error(loader)->text);
    } else {
        printf("%-7s %d batches, digest %016" PRIx64 "\n", name, batches, *out_digest);
    }
    biost_loader_close(loader);
    return result >= 0;
}

static int save(const char *path, const state *from) {
    FILE *file = fopen(path, "wb");
    int good = file != NULL && fwrite(from->bytes, 1, from->count, file) == from->count;
    return file != NULL && fclose(file) == 0 && good;
}

static int load(const char *path, state *to) {
    FILE *file = fopen(path, "rb");
    to->count = file != NULL ? fread(to->bytes, 1, sizeof to->bytes, file) : 0;
    return file != NULL && fclose(file) == 0 && to->count > 0;
}

int main(int argc, char **argv) {
    static const state start; /* of no bytes */
    biost_loader_desc desc;
    state point, last;
    uint64_t whole, before, after;
    if (argc < 3) {
        return fprintf(stderr, "usage: resume STATE_FILE FILE...\n"), 2;
    }
    memset(&desc, 0, sizeof desc);
    desc.paths = (const char *const *)(argv + 2);
    desc.path_count = (uint32_t)argc - 2;
    desc.row_bases = 150;
    desc.shuffle_rows = 65536;
    desc.digest = 1;
    desc.epochs = 1;
    if (!take_epoch(desc, &start, 1 << 30, "whole:", &last, &whole)) {
        return 1;
    }
    desc.workers = 1; /* this process is stopped after its 17th batch */
    if (!take_epoch(desc, &start, 17, "before:", &point, &before) || !save(argv[1], &point)) {
        return 1;
    }
    desc.workers = 3; /* and another takes over */
    if (!load(argv[1], &point) || !take_epoch(desc, &point, 1 << 30, "after:", &last, &after)) {
        return 1;
    }
    printf("before + after = %016" PRIx64 "\n", before + after); /* modulo 2^64 */
    return before + after == whole ? 0 : 1;
}
