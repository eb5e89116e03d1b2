/*
 * naive_full.c - what a C program of an afternoon does for training: a gzip FASTQ file by kseq.h over zlib's gzread, a
 * buffer of 65536 reads that is permuted when it is full, and of it batches: one-hot f32 [256][150][4], qualities u8 and
 * mask u8 [256][150], each read reverse complemented with probability 0.5; letters and complements by tables.
 *
 *   cc -O2 bench/peers/naive_full.c -o naive_full -lz             (htslib's kseq.h)
 *   cc -O2 -DKLIB_KSEQ='"/path/to/kseq.h"' ...                    (klib's)
 *   ./naive_full [--sums] FILE.fastq.gz
 *
 * Prints the number of rows; with --sums what bench/peers/full.py compares, from the tensors: sums of A and T, of C and G,
 * of qualities, mask and lengths, and the letters of the first batch, a row each.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gzip_kseq.h"

enum { ROWS = 256, BASES = 150, CHANNELS = 4, BUFFER = 256 * ROWS };

typedef struct read {
    uint32_t bases;
    char seq[BASES], qual[BASES];
} read_t;

static read_t buffer[BUFFER];
static uint32_t order[BUFFER];
static float x[ROWS][BASES][CHANNELS];
static uint8_t quality[ROWS][BASES], mask[ROWS][BASES];
static int32_t lengths[ROWS];
static float one_hot[256][CHANNELS];
static unsigned char complements[256];

/* What is summed from the tensors. */
static uint64_t sum_at, sum_cg, sum_quality, sum_mask, sum_lengths;
static char first[ROWS][BASES + 1]; /* the letters of the first batch; a row that is not there is empty */

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile float sink;

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void make_tables(void) {
    static const char letters[] = "AaCcGgTtUu", channels[] = "0011223333", others[] = "TtGgCcAaAa";
    int i;
    for (i = 0; i < 256; ++i) {
        complements[i] = (unsigned char)i;
    }
    for (i = 0; letters[i] != '\0'; ++i) {
        one_hot[(unsigned char)letters[i]][channels[i] - '0'] = 1;
        complements[(unsigned char)letters[i]] = (unsigned char)others[i];
    }
}

static void encode(const read_t *from, int reversed, int row) {
    uint32_t i;
    for (i = 0; i < from->bases; ++i) {
        uint32_t at = reversed ? from->bases - 1 - i : i;
        unsigned char letter = (unsigned char)from->seq[at];
        memcpy(x[row][i], one_hot[reversed ? complements[letter] : letter], sizeof x[row][i]);
        quality[row][i] = (uint8_t)(from->qual[at] - 33);
        mask[row][i] = 1;
    }
    memset(x[row][i], 0, sizeof x[row][0] * (BASES - i));
    memset(&quality[row][i], 0, BASES - i);
    memset(&mask[row][i], 0, BASES - i);
    lengths[row] = (int32_t)from->bases;
}

static void add_sums(int rows) {
    int row, i;
    for (row = 0; row < rows; ++row) {
        sum_lengths += (uint64_t)lengths[row];
        for (i = 0; i < BASES; ++i) {
            sum_at += x[row][i][0] > 0 || x[row][i][3] > 0;
            sum_cg += x[row][i][1] > 0 || x[row][i][2] > 0;
            sum_quality += quality[row][i];
            sum_mask += mask[row][i];
        }
    }
}

static void keep_first(int rows) {
    int row, i, c;
    for (row = 0; row < rows; ++row) {
        for (i = 0; i < lengths[row]; ++i) {
            first[row][i] = 'N';
            for (c = 0; c < CHANNELS; ++c) {
                first[row][i] = x[row][i][c] > 0 ? "ACGT"[c] : first[row][i];
            }
        }
    }
}

/* Permute the reads of the buffer, and make batches of them. Only the last one of the last buffer has fewer rows. */
static void take_buffer(uint32_t count, int wants_sums) {
    uint32_t i, row, from;
    for (i = 0; i < count; ++i) {
        uint32_t j = (uint32_t)(next_random() % (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    for (from = 0; from < count; from += ROWS) {
        uint32_t rows = count - from < ROWS ? count - from : ROWS;
        for (row = 0; row < rows; ++row) {
            encode(&buffer[order[from + row]], (int)(next_random() >> 63), (int)row);
        }
        if (wants_sums) {
            add_sums((int)rows);
            if (first[0][0] == '\0') {
                keep_first((int)rows);
            }
        }
        sink = x[rows - 1][0][0];
    }
}

int main(int argc, char **argv) {
    int wants_sums = argc == 3 && strcmp(argv[1], "--sums") == 0, status = 0;
    gzFile from = argc == 2 + wants_sums ? gzopen(argv[1 + wants_sums], "rb") : NULL;
    uint64_t rows = 0;
    uint32_t count = 0;
    kseq_t *seq;
    if (from == NULL) {
        fprintf(stderr, "usage: naive_full [--sums] FILE.fastq.gz\n");
        return 2;
    }
    make_tables();
    seq = kseq_init(from);
    while ((status = (int)kseq_read(seq)) >= 0 && seq->seq.l <= BASES && seq->qual.l == seq->seq.l) {
        read_t *to = &buffer[count++];
        to->bases = (uint32_t)seq->seq.l;
        memcpy(to->seq, seq->seq.s, seq->seq.l);
        memcpy(to->qual, seq->qual.s, seq->qual.l);
        ++rows;
        if (count == BUFFER) {
            take_buffer(count, wants_sums);
            count = 0;
        }
    }
    take_buffer(count, wants_sums);
    kseq_destroy(seq);
    gzclose(from);
    printf("rows %" PRIu64, rows);
    if (wants_sums) {
        int row;
        printf(" at %" PRIu64 " cg %" PRIu64 " quality %" PRIu64 " mask %" PRIu64 " lengths %" PRIu64, sum_at,
               sum_cg, sum_quality, sum_mask, sum_lengths);
        for (row = 0; row < ROWS && first[row][0] != '\0'; ++row) {
            printf("\n%s", first[row]);
        }
    }
    printf("\n");
    return status == -1 ? 0 : 1;
}
