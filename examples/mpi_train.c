/*
 * mpi_train - train one model on many machines, on what clusters already run: MPI.
 *
 * Shows: desc.rank and desc.world, taken from MPI. batch_rows counts the rows of all ranks: each gets its slice of
 * every batch, and all get the same number of batches, so none waits in MPI_Allreduce for one that has finished.
 * The rows of the last batch are spread, too: ranks differ by a row at most, and one may have none (valid_rows
 * 0, the rest is padding). World must divide batch_rows. Also: rows held out by desc.split, each tested by one
 * rank; a state file from which any number of ranks goes on; errors of one rank that end them all.
 *
 * The model is logistic regression on words of 5 bases: which of two files is a row from? Each file is a group, so that
 * both give as many rows to learn from.
 *
 * Sums of floats depend on the order of adding, which MPI_Allreduce leaves open, and on how many ranks there are. So
 * gradients are added as whole numbers (of 2^-32), modulo 2^64, where no order changes the sum. The model, and
 * all that is printed after the first line, is the same for any number of ranks, bit for bit, where all have the
 * same exp (one C library, one kind of processor); the ranks of one run always have the same model. To add floats
 * instead, let one rank add them in the order of the ranks: repeatable, but another model for each number of ranks.
 *
 * Each rank reads and inflates all files, which must be the same on each machine, and encodes its own rows.
 *
 *   mpicc -O2 examples/mpi_train.c -o mpi_train -lm -pthread
 *
 * Arguments: the files, how many epochs (3), a state file, after how many batches to stop. The state file is written
 * at the stop and after each epoch; a run that finds it goes on from there.
 *
 *   $ mpiexec -n 2 build/examples/mpi_train examples/data/ecoli_536_genome.fasta.gz examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz
 *   2 ranks, each 128 of 256 rows
 *   epoch 0: 207 batches, 26427 + 26426 rows, digest e90df3158c565ba6, loss 0.09..., accuracy 0.96...
 *   held out 0: 31 batches, 6500 + 1327 rows, digest 0ebd403591b1bc3b, loss 0.05..., accuracy 0.97...
 *   ...
 *   model ...
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_BASES = 150, BATCH_ROWS = 256, WORD_BASES = 5, WORDS = 1024, WEIGHTS = WORDS + 1 };

/* What the ranks add up: gradients of the weights (the last is the bias), then these, of which two for the classes. */
enum { LOSS = WEIGHTS, DIGEST, ROWS, RIGHT = ROWS + 2, LAST = RIGHT + 2, ENDED, FAILED, SUMS };
static const double one = 4294967296.0; /* 1 as a whole number, in gradients and loss */

/* What a run leaves in the state file, as it lies in memory: for machines of one kind. */
typedef struct checkpoint {
    double weights[WEIGHTS];
    uint64_t state_bytes; /* 0: nothing is learned yet */
    unsigned char state[512];
} checkpoint;

typedef struct run {
    int rank, world, well;         /* well: no rank met an error */
    uint64_t epochs, batches_left; /* batches until the stop */
    const char *state_file;        /* or NULL */
    checkpoint at;
} run;

/*
 * Whether all ranks are well; `wrong` is what is wrong on this one, or NULL. The first that is not says it for all. All
 * ranks call this at the same points, so they leave together.
 */
static int all_well(run *r, const char *wrong) {
    int first = wrong != NULL ? r->rank : r->world;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == r->rank) {
        fprintf(stderr, "mpi_train: rank %d: %s\n", r->rank, wrong);
    }
    r->well = first == r->world;
    return r->well;
}

/* Add what this rank's rows of a batch say. */
static void add_rows(const double *weights, const biost_batch *batch, uint64_t *sums) {
    const uint8_t *labels = (const uint8_t *)biost_batch_tensor(batch, BIOST_ROLE_LABEL)->data;
    const uint8_t *tokens = (const uint8_t *)batch->x.data; /* A 1, C 2, G 3, T 4; others 5, padding 0 */
    uint32_t row, words[ROW_BASES], word = 0, letters, count, at;
    for (row = 0; row < batch->valid_rows; ++row, tokens += ROW_BASES) {
        double score = weights[WORDS], error, right;
        for (at = 0, letters = 0, count = 0; at < ROW_BASES; ++at) {
            word = (4 * word + ((tokens[at] - 1u) & 3)) % WORDS;
            letters = tokens[at] >= 1 && tokens[at] <= 4 ? letters + 1 : 0;
            if (letters >= WORD_BASES) {
                score += weights[word];
                words[count++] = word;
            }
        }
        error = labels[row] - 1 / (1 + exp(-score)); /* the loss's gradient by the score, downhill */
        for (at = 0; at < count; ++at) {
            sums[words[at]] += (uint64_t)llround(error * one);
        }
        sums[WORDS] += (uint64_t)llround(error * one);
        right = labels[row] ? score : -score;
        sums[LOSS] += (uint64_t)llround((log1p(exp(-fabs(right))) + (right < 0 ? -right : 0)) * one);
        sums[ROWS + labels[row]] += 1;
        sums[RIGHT + labels[row]] += right > 0;
    }
    sums[DIGEST] += batch->digest;
}

/* Rank 0 keeps the point after a batch; the state is good for all ranks. Returns what is wrong, or NULL. */
static const char *save(run *r, biost_loader *loader, const biost_batch *batch) {
    char part[4096];
    size_t bytes = 0;
    FILE *file;
    int good;
    if (biost_loader_state(loader, batch, r->at.state, sizeof r->at.state, &bytes) != BIOST_OK) {
        return biost_loader_error(loader)->text;
    }
    r->at.state_bytes = bytes;
    snprintf(part, sizeof part, "%s.part", r->state_file);
    file = fopen(part, "wb");
    good = file != NULL && fwrite(&r->at, sizeof r->at, 1, file) == 1;
    good = file != NULL && fclose(file) == 0 && good && rename(part, r->state_file) == 0;
    return good ? NULL : "the state file cannot be written";
}

/* Rank 0 reads the state file, if there is one, for all. Returns what is wrong, or NULL. */
static const char *load(run *r) {
    const char *wrong = NULL;
    FILE *file = r->rank == 0 && r->state_file != NULL ? fopen(r->state_file, "rb") : NULL;
    if (file != NULL) {
        int good = fread(&r->at, sizeof r->at, 1, file) == 1 && getc(file) == EOF;
        good = good && r->at.state_bytes <= sizeof r->at.state;
        wrong = good ? NULL : "the state file was not written by mpi_train";
        fclose(file);
    } else if (r->rank == 0 && r->state_file != NULL && errno != ENOENT) {
        wrong = "the state file cannot be read";
    }
    MPI_Bcast(&r->at, sizeof r->at, MPI_BYTE, 0, MPI_COMM_WORLD);
    return wrong;
}

/* Which share of a class's rows was told right. */
static double share(const uint64_t *total, int label) {
    return total[ROWS + label] > 0 ? (double)total[RIGHT + label] / (double)total[ROWS + label] : 0;
}

/*
 * Learn from the rows of an epoch, or of what is left of it, or test them. The ranks take the same turns at every
 * step, because sums decide; one that has nothing more to add still takes part, as the others wait for it.
 */
static void pass(run *r, biost_loader *loader, uint64_t epoch, int learn) {
    uint64_t sums[SUMS], total[SUMS] = {0}, batches = 0, world = (uint64_t)r->world, rows;
    const double step = 0.005 / (double)(epoch + 1) / one;
    biost_result result = biost_loader_begin(loader, epoch);
    biost_batch batch;
    int at;
    do {
        memset(sums, 0, sizeof sums);
        result = result == BIOST_OK ? biost_loader_next(loader, &batch) : result;
        if (result == BIOST_OK) {
            add_rows(r->at.weights, &batch, sums);
            sums[LAST] = (batch.flags & BIOST_BATCH_LAST) != 0;
        }
        sums[ENDED] = result == BIOST_END;
        sums[FAILED] = result < 0;
        MPI_Allreduce(MPI_IN_PLACE, sums, SUMS, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        if (sums[FAILED] > 0) {
            all_well(r, result < 0 ? biost_loader_error(loader)->text : NULL);
        } else if (sums[ENDED] > 0 && sums[ENDED] < world) {
            all_well(r, result == BIOST_END ? "fewer batches than others: are the files the same?" : NULL);
        } else if (sums[ENDED] == 0) {
            ++batches;
            for (at = LOSS; at < SUMS; ++at) {
                total[at] += sums[at];
            }
            for (at = 0; at < WEIGHTS && learn; ++at) {
                r->at.weights[at] += step * (double)(int64_t)sums[at];
            }
            r->batches_left -= learn ? 1 : 0;
            if (learn && r->state_file != NULL && (r->batches_left == 0 || sums[LAST] == world)) {
                all_well(r, r->rank == 0 ? save(r, loader, &batch) : NULL);
            }
        }
        if (result == BIOST_OK) {
            biost_loader_release(loader, &batch);
        }
    } while (r->well && sums[ENDED] == 0 && r->batches_left > 0);
    rows = total[ROWS] + total[ROWS + 1];
    if (r->well && r->rank == 0) {
        printf("%s %" PRIu64 ": %" PRIu64 " batches, %" PRIu64 " + %" PRIu64 " rows, digest %016" PRIx64 ", ",
               learn ? "epoch" : "held out", epoch, batches, total[ROWS], total[ROWS + 1], total[DIGEST]);
        printf("loss %.6f, accuracy %.4f\n", (double)total[LOSS] / one / (double)(rows > 0 ? rows : 1),
               (share(total, 0) + share(total, 1)) / 2);
        fflush(stdout); /* now, not when the buffer is full */
    }
}

/* The loaders of both parts: [1] shuffled and in equal shares to learn from, [0] each row once to test. */
static int open_both(run *r, char **files, biost_loader *out_loaders[2]) {
    biost_group groups[2];
    biost_loader_desc desc;
    biost_error error;
    biost_result result;
    memset(groups, 0, sizeof groups);
    groups[0].input_count = groups[1].input_count = groups[0].weight = groups[1].weight = 1;
    groups[1].first_input = 1;
    memset(&desc, 0, sizeof desc);
    desc.paths = (const char *const *)files;
    desc.path_count = 2;
    desc.rank = (uint32_t)r->rank;
    desc.world = (uint32_t)r->world;
    desc.batch_rows = BATCH_ROWS;
    desc.row_bases = ROW_BASES;
    desc.long_records = BIOST_LONG_SPLIT;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.labels.kind = BIOST_LABEL_INPUT; /* the number of the row's file */
    desc.split.by = BIOST_SPLIT_BLOCK;    /* stretches of 20 rows, by a hash of their place */
    desc.split.block_bases = 20 * ROW_BASES;
    desc.split.salt = 1;
    desc.split.from = 0.8f;
    desc.epochs = r->epochs;
    desc.digest = 1;
    desc.workers = 2; /* of each rank: those of one machine share its cores, and 0 is all of them */
    result = biost_loader_open(&desc, &out_loaders[0], &error);
    desc.split.from = 0;
    desc.split.below = 0.8f;
    desc.groups = groups;
    desc.group_count = 2;
    desc.shuffle_rows = 65536;
    desc.state = r->at.state_bytes > 0 ? r->at.state : NULL;
    desc.state_bytes = r->at.state_bytes;
    if (result == BIOST_OK) {
        result = biost_loader_open(&desc, &out_loaders[1], &error);
    }
    return all_well(r, result != BIOST_OK ? error.text : NULL);
}

/* A whole number above 0; 0 for any other text. */
static uint64_t number(const char *text) {
    return strspn(text, "0123456789") == strlen(text) ? strtoull(text, NULL, 10) : 0;
}

int main(int argc, char **argv) {
    static run r;
    biost_loader *loaders[2] = {NULL, NULL};
    uint64_t epoch, sum = 0;
    int threads, at;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads); /* a loader's threads call nothing of MPI */
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.world);
    r.epochs = argc > 3 ? number(argv[3]) : 3;
    r.state_file = argc > 4 ? argv[4] : NULL;
    r.batches_left = argc > 5 ? number(argv[5]) : UINT64_MAX;
    if (argc < 3 || argc > 6 || r.epochs == 0 || r.batches_left == 0) {
        if (r.rank == 0) {
            fprintf(stderr, "usage: mpi_train FILE_0 FILE_1 [EPOCHS [STATE_FILE [STOP_AFTER_BATCHES]]]\n");
        }
        MPI_Finalize();
        return 2;
    }
    if (all_well(&r, load(&r)) && open_both(&r, argv + 1, loaders)) {
        if (r.rank == 0) {
            printf("%d ranks, each %d of %d rows\n", r.world, BATCH_ROWS / r.world, BATCH_ROWS);
        }
        for (epoch = biost_loader_first_epoch(loaders[1]); r.well && r.batches_left > 0 && epoch < r.epochs;
             ++epoch) {
            pass(&r, loaders[1], epoch, 1);
            if (r.well && r.batches_left > 0) {
                pass(&r, loaders[0], epoch, 0);
            }
        }
    }
    if (r.well && r.rank == 0) {
        for (at = 0; at < WEIGHTS; ++at) {
            uint64_t bits;
            memcpy(&bits, &r.at.weights[at], sizeof bits);
            sum = sum * 31 + bits;
        }
        printf("model %016" PRIx64 "\n", sum);
    }
    biost_loader_close(loaders[0]);
    biost_loader_close(loaders[1]);
    MPI_Finalize();
    return r.well ? 0 : 1;
}
