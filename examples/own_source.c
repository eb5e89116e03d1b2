/*
 * own_source - read records from a source of your own: a function that brings bytes.
 *
 * Shows: desc.callback. The function puts up to `bytes` bytes where it is told and returns how
 * many, 0 at the end, a negative number where it fails. It may bring as few as it likes, cut
 * anywhere, plain or gzip, as from a network or an archive. Here it makes up reads, which never lie
 * anywhere as a whole. Without rewind it can be read once, which is all a reader needs.
 *
 *   cc -O2 examples/own_source.c -o own_source -pthread
 *
 *   $ build/examples/own_source 1000000
 *   1000000 records, 100000000 bases, GC 0.50
 *
 *   $ build/examples/own_source 1000 400
 *   400 records, 40000 bases, GC 0.50
 *   own_source: random reads: cannot be read at byte 83890: ...
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASES = 100 };

/* Where the source is. One read at a time is made, and handed out as asked for. */
typedef struct maker {
    uint64_t made, count, fails_after, random;
    char text[32 + 2 * BASES];
    size_t text_bytes, taken;
} maker;

static void make_read(maker *m) {
    char seq[BASES + 1], qual[BASES + 1];
    int i;
    for (i = 0; i < BASES; ++i) {
        m->random = m->random * 6364136223846793005u + 1442695040888963407u;
        seq[i] = "ACGT"[m->random >> 62];
        qual[i] = (char)('!' + (m->random >> 40) % 42);
    }
    seq[BASES] = qual[BASES] = '\0';
    m->text_bytes = (size_t)snprintf(m->text, sizeof m->text, "@r%" PRIu64 "\n%s\n+\n%s\n", m->made, seq,
                                     qual);
    m->taken = 0;
    m->made += 1;
}

/* biost_callback.read */
static int64_t read_some(void *to, size_t bytes, void *user_data) {
    maker *m = (maker *)user_data;
    size_t left;
    if (m->taken == m->text_bytes) {
        if (m->made == m->fails_after) {
            return -1;
        }
        if (m->made == m->count) {
            return 0;
        }
        make_read(m);
    }
    left = m->text_bytes - m->taken;
    bytes = bytes < left ? bytes : left;
    memcpy(to, m->text + m->taken, bytes);
    m->taken += bytes;
    return (int64_t)bytes;
}

int main(int argc, char **argv) {
    biost_reader_desc desc;
    biost_reader *reader;
    biost_record record;
    biost_error error;
    biost_result result;
    maker source;
    uint64_t records = 0, bases = 0, gc = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: own_source READS [FAIL_AFTER_READS]\n");
        return 2;
    }
    memset(&source, 0, sizeof source);
    source.count = strtoull(argv[1], NULL, 10);
    source.fails_after = argc > 2 ? strtoull(argv[2], NULL, 10) : UINT64_MAX;
    memset(&desc, 0, sizeof desc);
    desc.callback.read = read_some;
    desc.callback.user_data = &source;
    desc.callback.name = "random reads"; /* for sentences */
    desc.stats = 1;                      /* bases are counted while they are checked */
    result = biost_reader_open(&desc, &reader, &error);
    if (result != BIOST_OK) {
        fprintf(stderr, "own_source: %s\n", error.text);
        return 1;
    }
    while ((result = biost_reader_next(reader, &record)) == BIOST_OK) {
        records += 1;
        bases += record.seq_bases;
        gc += record.stats->gc_count;
    }
    printf("%" PRIu64 " records, %" PRIu64 " bases, GC %.2f\n", records, bases,
           bases > 0 ? (double)gc / (double)bases : 0);
    if (result < 0) { /* every record that came whole was delivered before */
        fflush(stdout);
        fprintf(stderr, "own_source: %s\n", biost_reader_error(reader)->text);
    }
    biost_reader_close(reader);
    return result < 0 ? 1 : 0;
}
