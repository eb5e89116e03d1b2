/*
 * records - read a FASTQ or FASTA file record by record.
 *
 * Shows: open, next until it is not OK, tell the end from an error, close. The reader makes no
 * thread unless asked (desc.workers); a record's pointers live in its buffers until the next call.
 * Plain, gzip and BGZF files look the same from here. For threads of your own see pages.c, for
 * batches that a model eats train_loop.c.
 *
 *   cc -O2 examples/records.c -o records -pthread
 *
 *   $ build/examples/records examples/data/illumina_hiseqx_150bp.fastq.gz
 *   FASTQ, 10000 records, 1500000 bases
 *   length 150 to 150, mean 150.0
 *   bases  A 0.2507  C 0.2496  G 0.2495  T 0.2502  other 0.0000
 *   mean quality 37.63
 *
 *   $ build/examples/records examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz
 *   FASTA, 2 records, 1016571 bases
 *   length 16571 to 1000000, mean 508285.5
 *   bases  A 0.2690  C 0.2330  G 0.2260  T 0.2642  other 0.0079
 *
 *   $ build/examples/records examples/data
 *   records: examples/data...is a directory, not a file
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What we want to know about a file. */
typedef struct summary {
    uint64_t records, bases, shortest, longest, quality_sum;
    uint64_t letters[5]; /* A C G T and all others, upper and lower case together       */
    int has_quality;
} summary;

/* Take what is needed from the record: it is gone with the next call. */
static void add_record(summary *sum, const biost_record *record) {
    static const char order[] = "AaCcGgTt";
    size_t at;
    for (at = 0; at < record->seq_bases; ++at) {
        const char *found = (const char *)memchr(order, record->seq[at], 8);
        sum->letters[found != NULL ? (found - order) / 2 : 4] += 1;
    }
    if (record->qual != NULL) { /* NULL in FASTA */
        sum->has_quality = 1;
        for (at = 0; at < record->seq_bases; ++at) {
            sum->quality_sum += (uint64_t)(record->qual[at] - 33);
        }
    }
    if (sum->records == 0 || record->seq_bases < sum->shortest) {
        sum->shortest = record->seq_bases;
    }
    if (record->seq_bases > sum->longest) {
        sum->longest = record->seq_bases;
    }
    sum->records += 1;
    sum->bases += record->seq_bases;
}

static void print_summary(const summary *sum, biost_format format) {
    static const char *const formats[] = {"empty", "FASTA", "FASTQ"};
    static const char *const names[] = {"A", "C", "G", "T", "other"};
    double records = sum->records > 0 ? (double)sum->records : 1;
    double bases = sum->bases > 0 ? (double)sum->bases : 1;
    int i;
    printf("%s, %" PRIu64 " records, %" PRIu64 " bases\n", formats[format], sum->records, sum->bases);
    printf("length %" PRIu64 " to %" PRIu64 ", mean %.1f\nbases", sum->shortest, sum->longest,
           (double)sum->bases / records);
    for (i = 0; i < 5; ++i) {
        printf("  %s %.4f", names[i], (double)sum->letters[i] / bases);
    }
    printf("\n");
    if (sum->has_quality) {
        printf("mean quality %.2f\n", (double)sum->quality_sum / bases);
    }
}

int main(int argc, char **argv) {
    biost_reader_desc desc; /* all zero is right; in C: biost_reader_desc desc = {0}; */
    biost_reader *reader;
    biost_record record;
    biost_error error;
    biost_result result;
    summary sum;
    if (argc != 2) {
        fprintf(stderr, "usage: records FILE\n");
        return 2;
    }
    memset(&sum, 0, sizeof sum);
    memset(&desc, 0, sizeof desc);
    desc.path = argv[1];
    result = biost_reader_open(&desc, &reader, &error);
    if (result != BIOST_OK) {
        fprintf(stderr, "records: %s\n", error.text); /* one whole sentence: file, place, reason */
        return 1;
    }
    while ((result = biost_reader_next(reader, &record)) == BIOST_OK) {
        add_record(&sum, &record);
    }
    print_summary(&sum, biost_reader_format(reader)); /* also after an error: what came before it */
    if (result < 0) { /* BIOST_END is positive: the verified end of the file */
        fflush(stdout);
        fprintf(stderr, "records: %s\n", biost_reader_error(reader)->text);
    }
    biost_reader_close(reader);
    return result < 0 ? 1 : 0;
}
