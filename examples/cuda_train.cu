/*
 * cuda_train - tell the sequence of one file from that of another, with batches and model on a GPU.
 *
 *   nvcc -O2 examples/cuda_train.cu -o cuda_train
 *   ./cuda_train ecoli.fasta.gz human.fasta.gz
 *
 * The model is as fxtrain's with two classes: a logistic regression on k-mer counts. Each word of KMER bases
 * has a weight, the score of a row is the sum of the weights of its words and a bias, and
 * 1 / (1 + exp(-score)) the probability that it is of the second file. Rows are pieces of 150 bases,
 * shuffled. A fifth of them, by a hash of their bases, is held out: scored, and never learned from. A step is a batch of each file; an
 * epoch ends with the shorter file, so the score of guessing is 0.5, and the other file's rows are drawn
 * anew in each epoch.
 *
 * Two biost_cuda bring tokens, a byte a base, to the device; one kernel adds up gradients, a thread a row,
 * another makes the step; nothing comes back before the end of an epoch. Weights and sums are integers, in
 * units of 2^-24, and exp comes from a table: in whatever order threads run, the figures are the same.
 *
 * Compiled as C, by examples/cuda_train.c, loops over the dummy's memory take the place of kernels.
 */
#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "../biostream_cuda.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#if defined(__CUDACC__)
#define ON_DEVICE static __device__ __forceinline__
#else
#define ON_DEVICE static
#ifndef TRAIN_PROVIDER /* any whose device memory is host memory, for the loops read it */
#define TRAIN_PROVIDER biost_cuda_dummy
#endif
#endif

enum { KMER = 5, WORDS = 1 << (2 * KMER), BASES = 150, ROWS = 64, EPOCHS = 5 };
enum { STEPS = 4096, STEPS_A_UNIT = 256 }; /* scores -8..8 of the table; beyond, its ends count */

#define ONE ((int64_t)1 << 24)               /* 1.0 of weights, gradients, probabilities and losses */
enum { LEARNED, LOSS, TESTED, RIGHT, SUMS }; /* what is added up */

/* All on the device, in one piece. */
typedef struct model {
    int64_t weights[WORDS + 1];  /* the last one is the bias */
    int64_t gradient[WORDS + 1]; /* of the step under way */
    int64_t sums[SUMS];
    int64_t probability[STEPS]; /* [(score + 8) * STEPS_A_UNIT] */
    int64_t loss[STEPS];        /* log(1 + exp(score)), likewise */
} model;

/* ---- on the device -------------------------------------------------------------------------------- */

/* Other threads add to it as well; the order of sums of integers does not matter. */
ON_DEVICE void add(int64_t *sum, int64_t value) {
#if defined(__CUDACC__)
    atomicAdd((unsigned long long *)sum, (unsigned long long)value);
#else
    *sum += value;
#endif
}

/*
 * Go over the words of a row: score it, or add `error` to the gradient of each. tokens: A 1, C 2, G 3, T 4,
 * anything else 5. Returns how many words there are.
 */
ON_DEVICE int walk(model *m, const uint8_t *tokens, int64_t *score, uint64_t *hash, int64_t error) {
    uint32_t word = 0, run = 0;
    int at, words = 0;
    for (at = 0; at < BASES; ++at) {
        uint32_t base = (uint32_t)tokens[at] - 1;
        run = base < 4 ? run + 1 : 0;
        word = (word << 2 | (base & 3)) & (WORDS - 1);
        *hash = (*hash ^ base) * 0x9E3779B97F4A7C15u;
        if (run >= KMER) {
            ++words;
            *score += m->weights[word];
            if (error != 0) {
                add(&m->gradient[word], error);
            }
        }
    }
    return words;
}

/* Learn from a row, or test it. A shorter last piece has padding after it, and is left out. */
ON_DEVICE void use_row(model *m, const uint8_t *tokens, int64_t label) {
    int64_t score = m->weights[WORDS], error;
    uint64_t hash = 0;
    int step, words = tokens[BASES - 1] != 0 ? walk(m, tokens, &score, &hash, 0) : 0;
    score = score * STEPS_A_UNIT / ONE + STEPS / 2;
    step = (int)(score < 0 ? 0 : score >= STEPS ? STEPS - 1 : score);
    if (words > 0 && (hash >> 32) % 5 == 0) {
        add(&m->sums[TESTED], 1);
        add(&m->sums[RIGHT], (step > STEPS / 2) == label);
    } else if (words > 0) {
        error = label * ONE - m->probability[step];
        (void)walk(m, tokens, &score, &hash, error);
        add(&m->gradient[WORDS], error);
        add(&m->sums[LEARNED], 1);
        add(&m->sums[LOSS], m->loss[label ? STEPS - 1 - step : step]);
    }
}

/* Down the gradient, by 1 / `part` of it. */
ON_DEVICE void step_weight(model *m, int word, int64_t part) {
    m->weights[word] += m->gradient[word] / part;
    m->gradient[word] = 0;
}

#if defined(__CUDACC__)
static __global__ void use_rows(model *m, const uint8_t *tokens, uint32_t rows, int64_t label) {
    uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        use_row(m, tokens + (size_t)row * BASES, label);
    }
}

static __global__ void step_weights(model *m, int64_t part) {
    int word = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (word <= WORDS) {
        step_weight(m, word, part);
    }
}
#endif

/* Use a batch of each file, then make the step. Returns CUDA's error. */
static int learn(model *m, const biost_cuda_batch *batches, int64_t part, biost_cuda_stream stream) {
    for (int label = 0; label < 2; ++label) {
        const uint8_t *tokens = (const uint8_t *)batches[label].x.data;
        uint32_t rows = batches[label].valid_rows;
#if defined(__CUDACC__)
        use_rows<<<(ROWS + 63) / 64, 64, 0, stream>>>(m, tokens, rows, label);
#else
        for (uint32_t row = 0; row < rows; ++row) {
            use_row(m, tokens + (size_t)row * BASES, label);
        }
#endif
    }
#if defined(__CUDACC__)
    step_weights<<<WORDS / 256 + 1, 256, 0, stream>>>(m, part);
    return (int)cudaGetLastError();
#else
    for (int word = 0; word <= WORDS; ++word) {
        step_weight(m, word, part);
    }
    return (void)stream, 0;
#endif
}

/* ---- on the host ---------------------------------------------------------------------------------- */

typedef struct trainer {
    biost_cuda *files[2];
    const biost_cuda_provider *calls; /* with `state`: of the device */
    void *state, *before;
    biost_cuda_stream stream;
    model *on_device, *on_host; /* on_host: page-locked, as it was after the last epoch */
    int failed;                 /* the provider's number of the first call that failed */
} trainer;

static int complain(const char *sentence) {
    fprintf(stderr, "cuda_train: %s\n", sentence);
    return 1;
}

/* Open one file; the second shares the first one's device. Returns 0 where that failed. */
static int open_file(const char *path, uint64_t seed, biost_cuda **out) {
    biost_loader_desc loader;
    biost_cuda_desc desc;
    biost_error error;
    memset(&loader, 0, sizeof loader);
    memset(&desc, 0, sizeof desc);
    desc.loader = &loader;
    loader.paths = &path;
    loader.path_count = 1;
    loader.batch_rows = ROWS;
    loader.row_bases = BASES;
    loader.long_records = BIOST_LONG_SPLIT;
    loader.encoding.kind = BIOST_ENCODE_TOKENS;
    loader.shuffle_rows = 65536;
    loader.seed = seed;
    loader.epochs = EPOCHS;
#if !defined(__CUDACC__)
    desc.provider = TRAIN_PROVIDER();
#endif
    return biost_cuda_open(&desc, out, &error) == BIOST_OK || !complain(error.text);
}

/* Put the model on the device: weights of 0, and the tables. */
static int start(trainer *t) {
    const biost_cuda_provider *calls = t->calls = biost_cuda_calls(t->files[0], &t->state);
    void *memory[2] = {NULL, NULL};
    int failed = calls->enter(t->state, biost_cuda_device(t->files[0], 0), &t->before), i;
    failed = failed ? failed : calls->stream_open(t->state, 0, &t->stream);
    failed = failed ? failed : calls->host_alloc(t->state, sizeof(model), 0, &memory[0]);
    failed = failed ? failed : calls->device_alloc(t->state, sizeof(model), &memory[1]);
    t->on_host = (model *)memory[0];
    t->on_device = (model *)memory[1];
    if (failed != 0) {
        return failed;
    }
    memset(t->on_host, 0, sizeof(model));
    for (i = 0; i < STEPS; ++i) {
        double score = (double)(i - STEPS / 2) / STEPS_A_UNIT;
        t->on_host->probability[i] = (int64_t)((double)ONE / (1 + exp(-score)));
        t->on_host->loss[i] = (int64_t)((double)ONE * log1p(exp(score)));
    }
    return calls->copy_in(t->state, t->on_device, t->on_host, sizeof(model), t->stream);
}

/* Take batches of both files, until one of them ends. Returns how the loaders ended. */
static biost_result go_through(trainer *t, int64_t part) {
    biost_cuda_batch batches[2];
    biost_result result = BIOST_OK;
    while (result == BIOST_OK && t->failed == 0) {
        result = biost_cuda_next(t->files[0], &t->stream, &batches[0]);
        result = result == BIOST_OK ? biost_cuda_next(t->files[1], &t->stream, &batches[1]) : result;
        if (result == BIOST_OK) {
            t->failed = learn(t->on_device, batches, part, t->stream);
            (void)biost_cuda_release(t->files[1], &batches[1], t->stream);
        }
        (void)biost_cuda_release(t->files[0], &batches[0], t->stream); /* refused where there is none */
    }
    return result;
}

/* One epoch, and a line of what it gave. Returns 0 where something failed. */
static int run_epoch(trainer *t, uint64_t epoch) {
    int64_t before[SUMS], now[SUMS];
    biost_result result = biost_cuda_begin(t->files[0], epoch);
    int i;
    memcpy(before, t->on_host->sums, sizeof before);
    result = result == BIOST_OK ? biost_cuda_begin(t->files[1], epoch) : result;
    result = result == BIOST_OK ? go_through(t, 200 * (1 + (int64_t)epoch)) : result;
    if (t->failed == 0) {
        t->failed = t->calls->copy_out(t->state, t->on_host, t->on_device, sizeof(model), t->stream);
        t->failed = t->calls->stream_finish(t->state, t->stream) + t->failed;
    }
    if (result < 0 || t->failed != 0) {
        const biost_error *error = biost_cuda_error(t->files[biost_cuda_error(t->files[0]) == NULL]);
        return !complain(error != NULL ? error->text : t->calls->error_text(t->state, t->failed));
    }
    for (i = 0; i < SUMS; ++i) {
        now[i] = t->on_host->sums[i] - before[i];
    }
    printf("epoch %" PRIu64 ": %" PRId64 " rows learned, loss %.4f; %" PRId64 " held out, accuracy %.4f\n",
           epoch, now[LEARNED], (double)now[LOSS] / (double)ONE / (double)(now[LEARNED] + !now[LEARNED]),
           now[TESTED], (double)now[RIGHT] / (double)(now[TESTED] + !now[TESTED]));
    return 1;
}

int main(int argc, char **argv) {
    trainer t;
    uint64_t epoch = 0;
    int good = argc == 3;
    memset(&t, 0, sizeof t);
    if (!good || !open_file(argv[1], 1, &t.files[0]) || !open_file(argv[2], 2, &t.files[1])) {
        biost_cuda_close(t.files[0]);
        return good ? 1 : complain("usage: cuda_train FILE_A FILE_B");
    }
    t.failed = start(&t);
    good = t.failed == 0 || !complain(t.calls->error_text(t.state, t.failed));
    while (good && epoch < EPOCHS) {
        good = run_epoch(&t, epoch++);
    }
    (void)(t.calls->stream_finish(t.state, t.stream) + t.calls->stream_close(t.state, t.stream));
    (void)(t.calls->device_free(t.state, t.on_device) + t.calls->host_free(t.state, t.on_host));
    t.calls->leave(t.state, t.before);
    biost_cuda_close(t.files[0]);
    biost_cuda_close(t.files[1]);
    return !good;
}
