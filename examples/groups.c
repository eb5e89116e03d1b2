/*
 * groups - batches from two classes in fixed shares, whatever the sizes of their files.
 *
 * Shows: desc.groups, each with its inputs, weight and label; desc.labels.kind, which makes a tensor of the
 * groups' labels; desc.epoch_end; biost_row.pass; biost_loader_group_progress. Of every four rows three are of
 * the first file and one of the second. The epoch ends when each row was seen once: a group that ends before that
 * starts over, in a new pass.
 *
 *   cc -O2 examples/groups.c -o groups -pthread
 *
 *   $ build/examples/groups examples/data/ecoli_536_genome.fasta.gz examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz
 *   batch 0: 3072 of class 0, 1024 of class 1
 *   ...
 *   batch 10: 2207 of class 0, 735 of class 1
 *   class 0: 32927 rows, 0 of them again, share 0.7500
 *   class 1: 10975 rows, 4197 of them again, share 0.2500
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CLASSES = 2 };

/* Rows of each class, and how many of them are of a later pass than the first. */
typedef struct counts {
    uint64_t rows[CLASSES], again[CLASSES];
} counts;

static void count_batch(const biost_batch *batch, counts *out) {
    const uint8_t *labels = (const uint8_t *)biost_batch_tensor(batch, BIOST_ROLE_LABEL)->data;
    uint32_t row;
    memset(out, 0, sizeof *out);
    for (row = 0; row < batch->valid_rows; ++row) {
        out->rows[labels[row]] += 1;
        out->again[labels[row]] += batch->origins[row].pass > 0;
    }
}

/* One epoch. Returns what ended it: BIOST_END, or an error. */
static biost_result run_epoch(biost_loader *loader, counts *out) {
    biost_batch batch;
    biost_result result = biost_loader_begin(loader, 0);
    int c;
    memset(out, 0, sizeof *out);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        counts here;
        count_batch(&batch, &here);
        printf("batch %" PRIu64 ": %" PRIu64 " of class 0, %" PRIu64 " of class 1\n", batch.index,
               here.rows[0], here.rows[1]);
        for (c = 0; c < CLASSES; ++c) {
            out->rows[c] += here.rows[c];
            out->again[c] += here.again[c];
        }
        biost_loader_release(loader, &batch);
    }
    return result;
}

static void print_shares(biost_loader *loader, const biost_group *groups, const counts *sum) {
    uint32_t c;
    for (c = 0; c < CLASSES; ++c) {
        biost_progress progress;
        biost_loader_group_progress(loader, c, &progress); /* exact once the epoch has ended */
        printf("%s: %" PRIu64 " rows, %" PRIu64 " of them again, share %.4f\n", groups[c].name,
               progress.row_count, sum->again[c],
               (double)sum->rows[c] / (double)(sum->rows[0] + sum->rows[1]));
    }
}

int main(int argc, char **argv) {
    biost_group groups[CLASSES];
    biost_loader_desc desc;
    biost_loader *loader;
    biost_error error;
    biost_result result;
    counts sum;
    if (argc != 1 + CLASSES) {
        fprintf(stderr, "usage: groups FILE_0 FILE_1\n");
        return 2;
    }
    memset(groups, 0, sizeof groups);
    groups[0].name = "class 0"; /* for messages */
    groups[0].first_input = 0;  /* paths[0], and input_count - 1 after it */
    groups[0].input_count = 1;
    groups[0].weight = 3;
    groups[0].label = 0;
    groups[1].name = "class 1";
    groups[1].first_input = 1;
    groups[1].input_count = 1;
    groups[1].weight = 1;
    groups[1].label = 1;
    memset(&desc, 0, sizeof desc);
    desc.paths = (const char *const *)(argv + 1);
    desc.path_count = CLASSES;
    desc.groups = groups;
    desc.group_count = CLASSES;
    desc.labels.kind = BIOST_LABEL_GROUP; /* u8 unless labels.dtype says more */
    desc.epoch_end = BIOST_EPOCH_END_ALL; /* the default; FIRST, ROWS: see biost_epoch_end */
    desc.batch_rows = 4096;
    desc.row_bases = 150;
    desc.long_records = BIOST_LONG_SPLIT;
    desc.shuffle_rows = 65536; /* a part for each group, by its weight */
    desc.epochs = 1;
    result = biost_loader_open(&desc, &loader, &error);
    if (result != BIOST_OK) {
        return fprintf(stderr, "groups: %s\n", error.text), 1;
    }
    result = run_epoch(loader, &sum);
    if (result < 0) {
        fprintf(stderr, "groups: %s\n", biost_loader_error(loader)->text); /* names the group */
    } else {
        print_shares(loader, groups, &sum);
    }
    biost_loader_close(loader);
    return result < 0 ? 1 : 0;
}
