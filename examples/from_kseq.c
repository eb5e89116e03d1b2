/*
 * from_kseq - a program that was written for kseq.h, over biostream.
 *
 * Shows: two ways in, of which each changes one line of such a program. All below the includes is as it
 * would be with zlib.h and kseq.h, but for the sentences at the end.
 *
 *   kseq_over_biostream.h   in the place of kseq.h: records come from biost_reader, which checks them
 *   gz_over_biostream.h     in the place of zlib.h: text comes from biost_stream, which checks it and inflates it
 *                           with several threads; for the program's own kseq.h. Here it is compiled with
 *                           -DKSEQ='<htslib/kseq.h>', say
 *
 *   cc -O2 examples/from_kseq.c -o from_kseq -pthread
 *
 *   $ build/examples/from_kseq examples/data/illumina_hiseqx_150bp.fastq.gz
 *   10000 records, 1500000 bases, 1500000 qualities
 *   the longest is ST-E00493:56:H33MFALXX:4:1101:23439:1379 of 150
 *
 *   $ build/examples/from_kseq examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz
 *   2 records, 1016571 bases, 0 qualities
 *   the longest is chr20 of 1000000
 *
 *   $ build/examples/from_kseq tests/data/semantics/fastx/q33_trunc_qual.fq
 *   1 records, 4 bases, 4 qualities
 *   the longest is a of 4
 *   from_kseq: code -2: ...
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#define GZ_ON_ERROR(text) /* main says it */
#include "gz_over_biostream.h"
#ifdef KSEQ
#include KSEQ
#define kseq_error(seq) NULL
#else
#define KSEQ_ON_ERROR(text) /* main says it */
#include "kseq_over_biostream.h"
#endif

#include <inttypes.h>
#include <stdio.h>

#ifdef ks_err
KSEQ_INIT(gzFile, gzread)
#else /* a kseq.h like htslib's, which never ends where gzread fails */
KSEQ_INIT(gzFile, gzread_or_end)
#endif

int main(int argc, char **argv) {
    uint64_t records = 0, bases = 0, qualities = 0;
    size_t longest = 0;
    char name[256] = "";
    const char *sentence;
    int64_t length;
    gzFile file;
    kseq_t *seq;
    int code;
    if (argc != 2) {
        fprintf(stderr, "usage: from_kseq FILE\n");
        return 2;
    }
    file = gzopen(argv[1], "r");
    if (file == NULL) {
        perror(argv[1]);
        return 1;
    }
    seq = kseq_init(file);
    while ((length = kseq_read(seq)) >= 0) {
        records += 1;
        bases += (uint64_t)seq->seq.l;
        qualities += (uint64_t)seq->qual.l;
        if (seq->seq.l > longest) {
            longest = seq->seq.l;
            snprintf(name, sizeof name, "%s", seq->name.s);
        }
    }
    printf("%" PRIu64 " records, %" PRIu64 " bases, %" PRIu64 " qualities\n", records, bases, qualities);
    printf("the longest is %s of %zu\n", name, longest);
    fflush(stdout);
    sentence = kseq_error(seq);
    if (length < -1 && sentence != NULL) { /* with another kseq.h there is the code alone */
        fprintf(stderr, "from_kseq: code %" PRId64 ": %s\n", length, sentence);
    }
    sentence = gzerror(file, &code); /* of the compressed file */
    if (code != Z_OK) {
        fprintf(stderr, "from_kseq: %s\n", sentence);
    }
    kseq_destroy(seq);
    gzclose(file);
    return length < -1 || code != Z_OK;
}
