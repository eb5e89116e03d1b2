/*
 * batches - what a batch holds: tensors, lengths, origins, names, and labels of your own.
 *
 * Shows: desc.quality and desc.mask, which add tensors; desc.names; desc.labels, a function that
 * makes numbers of each record, here the share of G and C, and can leave a record out, here those
 * without any A, C, G or T. It is called by several threads at once, and only reads what it gets.
 *
 *   cc -O2 examples/batches.c -o batches -pthread
 *
 *   $ build/examples/batches examples/data/tenx_v2_R2_cdna.fastq.gz
 *   batch 0: 8 rows, 8 of them valid
 *     input    u8   NLC [8] [104] [4]
 *     quality  f32  NL  [8] [104]
 *     mask     u8   NL  [8] [104]
 *     label    f32  N   [8]
 *     ST-K00126:314:HFYL2BBXX:7:1101:1631:1226
 *       file 0, record 0, 98 bases: G-TGTGGCAGAGCAGCGACC...
 *       label 0.7938, wrong bases expected 2.0980
 *   ...
 *   batch 2: 8 rows, 4 of them valid
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* biost_labels.make: one f32. record->stats holds what was counted of the record as it stands. */
static int make_label(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    const biost_stats *stats = record->stats;
    (void)id;
    (void)user_data;
    if (stats->acgt_count == 0) {
        return 0; /* no row is made of this record */
    }
    *(float *)out_label = (float)stats->gc_count / (float)stats->acgt_count;
    return 1;
}

static void print_tensor(const biost_tensor *tensor) {
    static const char *const roles[] = {"input", "", "quality", "mask", "label"};
    static const char *const dtypes[] = {"u8", "f16", "f32", "bf16", "i32", "i64"};
    uint32_t axis;
    printf("  %-8s %-4s %-3s", roles[tensor->role], dtypes[tensor->dtype], tensor->layout);
    for (axis = 0; axis < tensor->ndim; ++axis) {
        printf(" [%" PRId64 "]", tensor->shape[axis]);
    }
    putchar('\n');
}

/* The base that channel A, C, G or T of x[row][column] stands for; '-': none. */
static char base_of(const biost_tensor *x, uint32_t row, int32_t column) {
    const uint8_t *channels = (const uint8_t *)x->data + (int64_t)row * x->strides[0] +
                              (int64_t)column * x->strides[1];
    const uint8_t *one = (const uint8_t *)memchr(channels, 1, 4);
    return one != NULL ? "ACGT"[one - channels] : '-';
}

static void print_row(const biost_batch *batch, uint32_t row) {
    const biost_tensor *quality = biost_batch_tensor(batch, BIOST_ROLE_QUALITY);
    const biost_tensor *mask = biost_batch_tensor(batch, BIOST_ROLE_MASK);
    const float *label = (const float *)biost_batch_tensor(batch, BIOST_ROLE_LABEL)->data;
    const float *wrong = (const float *)quality->data + (int64_t)row * quality->strides[0];
    const uint8_t *real = (const uint8_t *)mask->data + (int64_t)row * mask->strides[0];
    float expected = 0;
    int32_t column;
    for (column = 0; column < (int32_t)mask->shape[1]; ++column) {
        expected += real[column] ? wrong[column] : 0;
    }
    printf("  %s\n    file %" PRIu32 ", record %" PRIu64 ", %" PRId32 " bases: ",
           batch->names + batch->name_offsets[row], BIOST_ID_PATH(batch->origins[row].id),
           BIOST_ID_RECORD(batch->origins[row].id), batch->lengths[row]);
    for (column = 0; column < 20 && column < batch->lengths[row]; ++column) {
        putchar(base_of(&batch->x, row, column));
    }
    printf("...\n    label %.4f, wrong bases expected %.4f\n", (double)label[row], (double)expected);
}

int main(int argc, char **argv) {
    biost_loader_desc desc;
    biost_loader *loader;
    biost_batch batch;
    biost_error error;
    biost_result result;
    uint32_t i;
    memset(&desc, 0, sizeof desc);
    desc.paths = (const char *const *)(argv + 1);
    desc.path_count = argc > 1 ? (uint32_t)argc - 1 : 0;
    desc.batch_rows = 8;
    desc.quality.kind = BIOST_QUALITY_ERROR; /* the chance that a base is wrong */
    desc.quality.dtype = BIOST_DTYPE_F32;
    desc.mask = 1;
    desc.names = 1;
    desc.labels.make = make_label;
    desc.labels.dtype = BIOST_DTYPE_F32;
    desc.epochs = 1; /* only epoch 0 is wanted */
    result = biost_loader_open(&desc, &loader, &error);
    if (result != BIOST_OK) {
        return fprintf(stderr, "batches: %s\n", error.text), 1;
    }
    result = biost_loader_begin(loader, 0);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        printf("batch %" PRIu64 ": %" PRIu32 " rows, %" PRIu32 " of them valid\n", batch.index, batch.rows,
               batch.valid_rows);
        for (i = 0; i < batch.tensor_count && batch.index == 0; ++i) {
            print_tensor(&batch.tensors[i]);
        }
        for (i = 0; i < batch.valid_rows && i < 2 && batch.index == 0; ++i) {
            print_row(&batch, i);
        }
        biost_loader_release(loader, &batch);
    }
    if (result < 0) {
        fprintf(stderr, "batches: %s\n", biost_loader_error(loader)->text);
    }
    biost_loader_close(loader);
    return result < 0 ? 1 : 0;
}
