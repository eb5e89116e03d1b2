/*
 * resume_training - save all that decides what comes next, and go on after a stop as if without one.
 *
 * Shows: a checkpoint of the model's weights, the optimizer's state (here the velocity of gradient descent
 * with momentum) and biost_loader_state, all after one batch. It is written under another name, flushed, then
 * renamed, so a stop at any moment, also during a save, leaves a whole one. Run again, the program goes on
 * after the last save; at its end it trains anew without a stop, and compares. The model learns mean qualities.
 *
 *   cc -O2 examples/resume_training.c -o resume_training -pthread
 *
 *   $ build/examples/resume_training build/examples/training.checkpoint examples/data/illumina_hiseqx_150bp.fastq.gz 47
 *   from batch 0 on
 *   stopped after 47 batches
 *
 *   $ build/examples/resume_training build/examples/training.checkpoint examples/data/illumina_hiseqx_150bp.fastq.gz
 *   from batch 40 on
 *   after 120 batches the same weights as without a stop, bit for bit
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EPOCHS = 3, SAVE_EVERY = 10, ROW_BASES = 150 };
/* All that decides what comes next; as it lies in memory, so for machines of one kind. */
typedef struct training {
    double weights[ROW_BASES], velocity[ROW_BASES];
    unsigned batches;   /* learned from */
    size_t state_bytes; /* 0: nothing was saved */
    unsigned char state[512];
} training;

/* Gradient descent with momentum, so slow that each row counts to the end; quality is 0 after a read. */
static void learn(training *t, const biost_batch *batch) {
    const float *quality = (const float *)biost_batch_tensor(batch, BIOST_ROLE_QUALITY)->data;
    uint32_t i, at;
    for (i = 0; i < batch->valid_rows * ROW_BASES; ++i) {
        at = i % ROW_BASES;
        t->velocity[at] = 0.9 * t->velocity[at] + 0.00001 * ((double)quality[i] - t->weights[at]);
        t->weights[at] += t->velocity[at];
    }
}

/* Save what is after the batch. Returns 0 if that fails: then the old checkpoint is as it was. */
static int save(biost_loader *loader, const biost_batch *batch, const char *path, training *t) {
    char part[1024];
    int bytes = snprintf(part, sizeof part, "%s.part", path);
    int good = bytes > 0 && bytes < (int)sizeof part &&
               biost_loader_state(loader, batch, t->state, sizeof t->state, &t->state_bytes) == BIOST_OK;
    FILE *file = good ? fopen(part, "wb") : NULL;
    good = file != NULL && fwrite(t, sizeof *t, 1, file) == 1 && fflush(file) == 0 &&
           fsync(fileno(file)) == 0;
    return file != NULL && fclose(file) == 0 && good && rename(part, path) == 0;
}

/* Train to the end or `most` batches; with a path, save now and then. Returns 1, or 0 after a sentence. */
static int train(training *t, biost_loader_desc desc, const char *path, unsigned most) {
    biost_loader *loader;
    biost_batch batch;
    biost_error error;
    biost_result result = BIOST_OK;
    uint64_t epoch;
    int good = 1;
    desc.state = t->state_bytes > 0 ? t->state : NULL;
    desc.state_bytes = t->state_bytes;
    if (biost_loader_open(&desc, &loader, &error) != BIOST_OK) {
        return fprintf(stderr, "resume_training: %s\n", error.text), 0;
    }
    for (epoch = biost_loader_first_epoch(loader); good && result >= 0 && epoch < EPOCHS; ++epoch) {
        result = biost_loader_begin(loader, epoch);
        while (good && result == BIOST_OK && t->batches < most &&
               (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
            learn(t, &batch);
            good = ++t->batches % SAVE_EVERY != 0 || path == NULL || save(loader, &batch, path, t);
            biost_loader_release(loader, &batch);
        }
    }
    if (!good || result < 0) {
        const biost_error *why = biost_loader_error(loader);
        fprintf(stderr, "resume_training: %s\n", why != NULL ? why->text : strerror(errno));
    }
    biost_loader_close(loader);
    return good && result >= 0;
}

int main(int argc, char **argv) {
    static training t, whole; /* static: all 0 */
    static biost_loader_desc desc;
    unsigned most = argc > 3 ? (unsigned)atoi(argv[3]) : ~0u;
    FILE *file = argc > 2 ? fopen(argv[1], "rb") : NULL;
    if (argc < 3 || (file == NULL && errno != ENOENT) ||
        (file != NULL &&
         (fread(&t, sizeof t, 1, file) != 1 || fclose(file) != 0 || t.state_bytes > sizeof t.state))) {
        return fprintf(stderr, "usage: resume_training CHECKPOINT (its own or new) FILE [BATCHES]\n"), 2;
    }
    desc.paths = (const char *const *)(argv + 2);
    desc.path_count = 1;
    desc.row_bases = ROW_BASES;
    desc.quality.kind = BIOST_QUALITY_PHRED;
    desc.quality.dtype = BIOST_DTYPE_F32;
    desc.augment.reverse_complement = 0.5f;
    desc.shuffle_rows = 65536;
    desc.epochs = EPOCHS;
    printf("from batch %u on\n", t.batches);
    if (!train(&t, desc, argv[1], most)) {
        return 1;
    }
    if (argc > 3) {
        return printf("stopped after %u batches\n", t.batches), 0;
    }
    if (!train(&whole, desc, NULL, most) || memcmp(t.weights, whole.weights, sizeof t.weights) != 0) {
        return printf("not the weights of a training without a stop\n"), 1;
    }
    printf("after %u batches the same weights as without a stop, bit for bit\n", t.batches);
    return remove(argv[1]) != 0;
}
