/*
 * two_classes - learn to tell two files apart, and test on a part of them that was held out.
 *
 * Shows: desc.groups and BIOST_LABEL_GROUP, by which each batch has as many rows of one class as of the
 * other, whatever the sizes of their files; and desc.split, by which two loaders share the files: one learns
 * from blocks whose hash is in 0..0.8, the other tests on those in 0.8..1, which the model has never seen.
 *
 * The model is logistic regression: the weights of a row's words of 4 bases add up to a guess of its class.
 * Accuracy is the mean of both classes' shares of right guesses, so knowing nothing scores 0.5. Of one file
 * given twice nothing can be known: each row is right as the one class and wrong as the other.
 *
 *   cc -O2 examples/two_classes.c -o two_classes -lm -pthread
 *
 *   $ build/examples/two_classes examples/data/ecoli_536_genome.fasta.gz examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz
 *   after 0 epochs: held-out accuracy 0.5000
 *   after 1 epochs: held-out accuracy 0.9...
 *   after 2 epochs: held-out accuracy 0.9...
 *   after 3 epochs: held-out accuracy 0.9...
 *
 *   $ build/examples/two_classes examples/data/illumina_hiseqx_150bp.fastq.gz examples/data/illumina_hiseqx_150bp.fastq.gz
 *   ...
 *   after 3 epochs: held-out accuracy 0.5000
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <math.h>
#include <stdio.h>

enum { ROW_BASES = 150, WORDS = 256, EPOCHS = 3 };

typedef struct model {
    double weights[WORDS], bias;
} model;

/* Whether the row seems to be of class 1; with a rate, then a step of gradient descent to its label. */
static int guess(model *m, const uint8_t *row, int label, double rate) {
    uint32_t words[ROW_BASES], count = 0, word = 0, known = 0, i;
    double sum = m->bias, step;
    for (i = 0; i < ROW_BASES; ++i) { /* tokens: A 1, C 2, G 3, T 4, all else 5 */
        known = row[i] < 5 ? known + 1 : 0;
        word = (word << 2 | ((row[i] - 1u) & 3)) % WORDS;
        if (known >= 4) {
            words[count++] = word;
            sum += m->weights[word];
        }
    }
    step = rate * (label - 1 / (1 + exp(-sum)));
    for (i = 0; i < count; ++i) {
        m->weights[words[i]] += step;
    }
    m->bias += step;
    return sum > 0;
}

/* An epoch: learn from it; with rate 0 tell how much of it is known. Returns 1, or 0 after a sentence. */
static int run_epoch(biost_loader *loader, unsigned epoch, model *m, double rate) {
    double right[2] = {0, 0}, all[2] = {0, 0};
    biost_batch batch;
    biost_result result = biost_loader_begin(loader, epoch);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        const uint8_t *labels = (const uint8_t *)biost_batch_tensor(&batch, BIOST_ROLE_LABEL)->data;
        uint32_t row;
        for (row = 0; row < batch.valid_rows; ++row) {
            /* Shorter rows are left out: their length could tell the class. The smaller class starts over
               until the larger one was seen. That is fine to learn from, but each row is tested once. */
            if (batch.lengths[row] == ROW_BASES && (rate > 0 || batch.origins[row].pass == 0)) {
                const uint8_t *x = (const uint8_t *)batch.x.data + row * batch.x.strides[0];
                right[labels[row]] += guess(m, x, labels[row], rate) == labels[row];
                all[labels[row]] += 1;
            }
        }
        biost_loader_release(loader, &batch);
    }
    if (result < 0 || all[0] == 0 || all[1] == 0) {
        const char *why = result < 0 ? biost_loader_error(loader)->text : "a class has no row of 150 bases";
        return fprintf(stderr, "two_classes: %s\n", why), 0;
    }
    if (!(rate > 0)) {
        printf("after %u epochs: held-out accuracy %.4f\n", epoch,
               (right[0] / all[0] + right[1] / all[1]) / 2);
    }
    return 1;
}

int main(int argc, char **argv) {
    static const biost_group groups[] = {{"0", 0, 1, 1, 0, NULL, NULL}, {"1", 1, 1, 1, 1, NULL, NULL}};
    static model m;
    static biost_loader_desc desc; /* static: all 0 */
    biost_loader *learn = NULL, *test = NULL;
    biost_error error;
    unsigned epoch;
    int good;
    desc.paths = (const char *const *)(argv + 1);
    desc.path_count = (uint32_t)argc - 1;
    desc.groups = groups;
    desc.group_count = 2;
    desc.labels.kind = BIOST_LABEL_GROUP;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.row_bases = ROW_BASES;
    desc.long_records = BIOST_LONG_SPLIT;
    desc.shuffle_rows = 65536;
    desc.split.by = BIOST_SPLIT_BLOCK; /* reads of patients: FIELD, so that each is in one part */
    desc.split.block_bases = 20 * ROW_BASES;
    desc.split.below = 0.8f;
    good = biost_loader_open(&desc, &learn, &error) == BIOST_OK;
    desc.split.from = 0.8f;
    desc.split.below = 1;
    good = good && biost_loader_open(&desc, &test, &error) == BIOST_OK;
    if (!good) {
        fprintf(stderr, "two_classes: %s\n", error.text);
    }
    good = good && run_epoch(test, 0, &m, 0);
    for (epoch = 0; good && epoch < EPOCHS; ++epoch) {
        good = run_epoch(learn, epoch, &m, 0.005) && run_epoch(test, epoch + 1, &m, 0);
    }
    biost_loader_close(learn);
    biost_loader_close(test);
    return !good;
}
