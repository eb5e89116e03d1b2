/*
 * train_loop - the loop every training program has: epochs, batches, a step of a model for each.
 *
 * Shows: a loader with shuffle and reverse complement, and its three calls: begin an epoch, next batch,
 * release it. Rows come as one-hot [rows][bases][4]. The model is the smallest that really learns: from one base it
 * guesses the next, by a 4 x 4 matrix and softmax. Guessing blindly costs ln 4 = 1.386 per base.
 *
 *   cc -O2 examples/train_loop.c -o train_loop -lm -pthread
 *
 *   $ build/examples/train_loop examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz
 *   epoch 0: 27 batches, 6778 rows, loss 1.356
 *   epoch 1: 27 batches, 6778 rows, loss 1.347
 *   epoch 2: 27 batches, 6778 rows, loss 1.347
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct model {
    double weights[4][4]; /* [base][next base] */
} model;

/* Which channel of a one-hot base is set; -1: none, as for N. */
static int letter(const float base[4]) {
    int j = 3;
    while (j >= 0 && base[j] < 0.5f) {
        --j;
    }
    return j;
}

static void softmax(const double weights[4], double out[4]) {
    double sum = 0;
    int j;
    for (j = 0; j < 4; ++j) {
        sum += out[j] = exp(weights[j]);
    }
    for (j = 0; j < 4; ++j) {
        out[j] /= sum;
    }
}

/* A step of gradient descent on x[rows][bases][4]. Returns the mean loss per base before it. */
static double train(model *m, const biost_batch *batch) {
    const float *x = (const float *)batch->x.data;
    double gradient[4][4], guess[4], loss = 0, count = 0;
    uint32_t row;
    int32_t at;
    int last, next, j;
    memset(gradient, 0, sizeof gradient);
    for (row = 0; row < batch->valid_rows; ++row) { /* after valid_rows lie padding rows */
        const float *bases = x + (int64_t)row * batch->x.strides[0];
        for (last = -1, at = 0; at < batch->lengths[row]; ++at, last = next) {
            next = letter(bases + 4 * at); /* after lengths[row] lie padding bases */
            if (last >= 0 && next >= 0) {
                softmax(m->weights[last], guess);
                loss -= log(guess[next]);
                guess[next] -= 1; /* now the gradient of this loss by the weights */
                for (j = 0; j < 4; ++j) {
                    gradient[last][j] += guess[j];
                }
                count += 1;
            }
        }
    }
    for (j = 0; j < 16 && count > 0; ++j) {
        m->weights[j / 4][j % 4] -= 2 * gradient[j / 4][j % 4] / count;
    }
    return count > 0 ? loss / count : 0;
}

int main(int argc, char **argv) {
    biost_loader_desc desc;
    biost_loader *loader;
    biost_error error;
    biost_result result;
    biost_batch batch;
    model m;
    uint64_t epoch;
    memset(&m, 0, sizeof m);
    memset(&desc, 0, sizeof desc); /* zero is the default of every field; C also takes = {0} */
    desc.paths = (const char *const *)(argv + 1);
    desc.path_count = argc > 1 ? (uint32_t)argc - 1 : 0;
    desc.batch_rows = 256;
    desc.row_bases = 150;
    desc.long_records = BIOST_LONG_SPLIT; /* a longer read or a genome gives many rows */
    desc.encoding.kind = BIOST_ENCODE_ONEHOT;
    desc.encoding.dtype = BIOST_DTYPE_F32;
    desc.augment.reverse_complement = 0.5f;
    desc.shuffle_rows = 65536;
    desc.seed = 42;
    desc.epochs = 3; /* so nothing is read ahead of a fourth */
    result = biost_loader_open(&desc, &loader, &error);
    if (result != BIOST_OK) {
        fprintf(stderr, "train_loop: %s\n", error.text);
        return 1;
    }
    for (epoch = biost_loader_first_epoch(loader); epoch < 3 && result >= 0; ++epoch) {
        uint64_t rows = 0, batches = 0;
        double loss = 0;
        result = biost_loader_begin(loader, epoch);
        while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
            loss += train(&m, &batch);
            rows += batch.valid_rows;
            ++batches;
            biost_loader_release(loader, &batch); /* its memory is filled again from here on */
        }
        printf("epoch %" PRIu64 ": %" PRIu64 " batches, %" PRIu64 " rows, loss %.3f\n", epoch, batches, rows,
               batches > 0 ? loss / (double)batches : 0);
    }
    if (result < 0) {
        fprintf(stderr, "train_loop: %s\n", biost_loader_error(loader)->text);
    }
    biost_loader_close(loader);
    return result < 0 ? 1 : 0;
}
