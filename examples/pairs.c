/*
 * pairs - read records that belong together: two files in step, or one where mates alternate.
 *
 * Shows: pairs stand on readers that you open, so everything a reader can do is there. Each call of
 * next gives one record of each, whose names were compared. A file that has a record too many, or
 * mates in another order, ends the pairs with a sentence, after all good ones.
 *
 *   cc -O2 examples/pairs.c -o pairs -pthread
 *
 *   $ build/examples/pairs examples/data/tenx_v2_R1*.fastq examples/data/tenx_v2_R2*.fastq.gz
 *   ST-K00126:314:HFYL2BBXX:7:1101:1631:1226 26 98
 *   ...
 *   20 pairs
 *
 *   $ build/examples/pairs examples/data/illumina_hiseqx_150bp.fastq.gz
 *   0 pairs
 *   pairs: ...record 2 (line 5, ...): its name '...' does not belong to '...'
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Open the files, at most two. Returns how many are open; out_error tells of the next one. */
static uint32_t open_readers(char **paths, uint32_t count, biost_reader **out_readers,
                             biost_error *out_error) {
    biost_reader_desc desc;
    uint32_t i;
    memset(&desc, 0, sizeof desc);
    for (i = 0; i < count; ++i) {
        desc.path = paths[i];
        if (biost_reader_open(&desc, &out_readers[i], out_error) != BIOST_OK) {
            break;
        }
    }
    return i;
}

/* Returns BIOST_END, or the error. */
static biost_result print_pairs(biost_reader *const *readers, uint32_t count, biost_error *out_error) {
    biost_pairs_desc desc;
    biost_pairs *pairs;
    biost_record mates[2]; /* with one reader too: desc.mates 0 means 2 */
    biost_result result;
    uint64_t pair_count = 0;
    memset(&desc, 0, sizeof desc);
    desc.readers = readers;
    desc.reader_count = count;
    result = biost_pairs_open(&desc, &pairs, out_error);
    if (result != BIOST_OK) {
        return result;
    }
    while ((result = biost_pairs_next(pairs, mates)) == BIOST_OK) {
        printf("%.*s %zu %zu\n", (int)mates[0].name_bytes, mates[0].name, mates[0].seq_bases,
               mates[1].seq_bases);
        ++pair_count;
    }
    printf("%" PRIu64 " pairs\n", pair_count);
    if (result < 0) {
        *out_error = *biost_pairs_error(pairs); /* a copy: the pairs are closed now */
    }
    biost_pairs_close(pairs);
    return result;
}

int main(int argc, char **argv) {
    biost_reader *readers[2] = {NULL, NULL};
    biost_error error;
    biost_result result = BIOST_ERR_IO;
    uint32_t count = (uint32_t)argc - 1;
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: pairs FILE1 FILE2, or pairs INTERLEAVED_FILE\n");
        return 2;
    }
    if (open_readers(argv + 1, count, readers, &error) == count) {
        result = print_pairs(readers, count, &error);
    }
    if (result < 0) {
        fflush(stdout);
        fprintf(stderr, "pairs: %s\n", error.text);
    }
    biost_reader_close(readers[0]); /* NULL is fine */
    biost_reader_close(readers[1]);
    return result < 0 ? 1 : 0;
}
