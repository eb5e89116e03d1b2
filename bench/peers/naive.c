/*
 * naive.c - a gzip FASTQ file to one-hot f32 batches [256][150][4] as a program of an afternoon does it: kseq.h over zlib's
 * gzread, and a switch over each base.
 *
 *   cc -O2 bench/peers/naive.c -o naive -lz             (htslib's kseq.h)
 *   cc -O2 -DKLIB_KSEQ='"/path/to/kseq.h"' ...          (klib's)
 *   ./naive [--digest] FILE.fastq.gz
 *
 * Prints the number of rows, and with --digest the digest of the epoch as biostream.h defines it, so that its batches can
 * be compared with those of fxbatch.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tests/xxh64.h"
#include "gzip_kseq.h"

enum { ROWS = 256, BASES = 150, CHANNELS = 4 };

static float batch[ROWS][BASES][CHANNELS];
static int32_t lengths[ROWS];

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile float sink;

static void encode(const char *seq, size_t bases, float to[BASES][CHANNELS]) {
    size_t i;
    memset(to, 0, sizeof(float) * BASES * CHANNELS);
    for (i = 0; i < bases; ++i) {
        switch (seq[i]) {
        case 'A':
        case 'a': to[i][0] = 1; break;
        case 'C':
        case 'c': to[i][1] = 1; break;
        case 'G':
        case 'g': to[i][2] = 1; break;
        case 'T':
        case 't':
        case 'U':
        case 'u': to[i][3] = 1; break;
        default: break;
        }
    }
}

static void put(uint8_t *to, uint64_t value, int bytes) {
    int i;
    for (i = 0; i < bytes; ++i) {
        to[i] = (uint8_t)(value >> 8 * i);
    }
}

/* The rows' digests, summed: each XXH64 of its numbers, its length and its origin, seeded by its place. */
static uint64_t batch_digest(uint64_t number, int rows, uint64_t first_id) {
    static uint8_t text[sizeof batch[0] + 24];
    uint8_t place[24] = {0};
    uint64_t sum = 0;
    int row;
    for (row = 0; row < rows; ++row) {
        put(place + 8, number, 8);
        put(place + 16, (uint64_t)row, 8);
        memset(text, 0, sizeof text);
        memcpy(text, batch[row], sizeof batch[row]);
        put(text + sizeof batch[row], (uint64_t)lengths[row], 4);
        put(text + sizeof batch[row] + 4, first_id + (uint64_t)row, 8);
        sum += slow_xxh64(text, sizeof text, slow_xxh64(place, sizeof place, 0));
    }
    return sum;
}

int main(int argc, char **argv) {
    int wants_digest = argc == 3 && strcmp(argv[1], "--digest") == 0, rows = 0, status = 0;
    gzFile from = argc == 2 + wants_digest ? gzopen(argv[1 + wants_digest], "rb") : NULL;
    uint64_t number = 0, digest = 0;
    kseq_t *seq;
    if (from == NULL) {
        fprintf(stderr, "usage: naive [--digest] FILE.fastq.gz\n");
        return 2;
    }
    seq = kseq_init(from);
    while ((status = (int)kseq_read(seq)) >= 0 && seq->seq.l <= BASES) {
        encode(seq->seq.s, seq->seq.l, batch[rows]);
        lengths[rows] = (int32_t)seq->seq.l;
        if (++rows == ROWS) {
            digest += wants_digest ? batch_digest(number, rows, number * ROWS) : 0;
            sink = batch[ROWS - 1][0][0];
            ++number;
            rows = 0;
        }
    }
    digest += wants_digest && rows > 0 ? batch_digest(number, rows, number * ROWS) : 0;
    kseq_destroy(seq);
    gzclose(from);
    printf("rows %" PRIu64 " digest %016" PRIx64 "\n", number * ROWS + (uint64_t)rows, digest);
    return status == -1 ? 0 : 1;
}
