/*
 * regions - batches of regions of a genome in random order, from a store.
 *
 * Shows: a store keeps a genome packed in a file that is mapped, so any stretch of any sequence is there at once.
 * It is built the first time and loaded after that; biost_store_check says whether the genome changed since.
 * Regions of 512 bases, one every 256, come in an order that is another in each epoch and takes no memory.
 * What reaches past the end of a sequence is padded; lengths say how many bases a row has, and biost_row_span
 * which bases of the sequence these are, as a track of numbers beside it needs to know.
 *
 *   cc -O2 examples/regions.c -o regions -pthread
 *
 *   $ build/examples/regions examples/data/ecoli_536_genome.fasta.gz build/ecoli.bst
 *   1 sequence, 4938920 bases, 0.26 bytes each
 *   epoch 0: 76 batches, 19292 regions, the first at base ... of gi|110640213|ref|NC_008253.1|
 *   epoch 1: 76 batches, 19292 regions, the first at base ... of gi|110640213|ref|NC_008253.1|
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <stdio.h>
#include <string.h>

static int fail(const biost_error *error) {
    fprintf(stderr, "regions: %s\n", error->text);
    return 1;
}

/* Load the store of a genome, or build it where there is none, or one of other inputs. */
static biost_result open_store(const char *const *paths, const char *store_path, biost_store **out_store,
                               biost_error *error) {
    biost_store_desc desc;
    biost_result result = biost_store_load(store_path, NULL, out_store, error);
    memset(&desc, 0, sizeof desc);
    desc.paths = paths;
    desc.path_count = 1;
    desc.save_path = store_path;
    desc.workers = 2;
    if (result == BIOST_OK && biost_store_check(*out_store, &desc, error) == BIOST_OK) {
        return BIOST_OK;
    }
    if (result == BIOST_OK) {
        (void)biost_store_close(*out_store, NULL);
    }
    return biost_store_build(&desc, out_store, error);
}

/* Of the title the name; it has no NUL at its end. */
static int name_bytes(const biost_store_sequence *sequence) {
    const char *blank = (const char *)memchr(sequence->title, ' ', sequence->title_bytes);
    return (int)(blank != NULL ? (size_t)(blank - sequence->title) : sequence->title_bytes);
}

static biost_result run_epoch(biost_loader *loader, const biost_store *store, uint64_t epoch) {
    biost_store_sequence sequence;
    uint64_t batches = 0, rows = 0;
    uint64_t first = 0, end = 0;
    biost_batch batch;
    biost_result result = biost_loader_begin(loader, epoch);
    (void)biost_store_get(store, 0, &sequence);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        if (batch.index ==
            0) { /* id: path index and number of the record; of one file it is the sequence's number */
            biost_row_span(&batch.origins[0], batch.lengths[0], &first, &end); /* e.g. track[first .. end) */
            (void)biost_store_get(store, (uint64_t)batch.origins[0].id, &sequence);
        }
        batches += 1;
        rows += batch.valid_rows; /* train on batch.x here: [rows][512][4] */
        (void)biost_loader_release(loader, &batch);
    }
    if (result == BIOST_END) {
        printf("epoch %u: %u batches, %u regions, the first at base %llu of %.*s\n", (unsigned)epoch,
               (unsigned)batches, (unsigned)rows, (unsigned long long)first, name_bytes(&sequence),
               sequence.title);
    }
    return result;
}

int main(int argc, char **argv) {
    biost_store *store = NULL;
    biost_store_info info;
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_error error;
    biost_result result;
    uint64_t epoch;
    if (argc != 3) {
        fprintf(stderr, "usage: regions GENOME.fa.gz STORE.bst\n");
        return 2;
    }
    if (open_store((const char *const *)(argv + 1), argv[2], &store, &error) != BIOST_OK) {
        return fail(&error);
    }
    biost_store_info_of(store, &info);
    printf("%u sequence%s, %llu bases, %.2f bytes each\n", (unsigned)info.sequence_count,
           info.sequence_count == 1 ? "" : "s", (unsigned long long)info.base_count,
           (double)info.file_bytes / (double)info.base_count);
    memset(&desc, 0, sizeof desc);
    desc.store = store;
    desc.row_bases = 512;
    desc.regions.kind = BIOST_REGIONS_GRID;
    desc.regions.stride = 256;
    desc.order = BIOST_ORDER_EXACT;
    desc.augment.reverse_complement = 0.5f;
    desc.epochs = 2;
    result = biost_loader_open(&desc, &loader, &error);
    for (epoch = 0; epoch < 2 && result >= 0; ++epoch) {
        result = run_epoch(loader, store, epoch);
    }
    if (result < 0) {
        (void)fail(loader != NULL ? biost_loader_error(loader) : &error);
    }
    biost_loader_close(loader); /* before its store */
    (void)biost_store_close(store, NULL);
    return result < 0;
}
