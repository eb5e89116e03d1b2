/*
 * gunzip - the text of a gzip, BGZF or plain file, page by page.
 *
 * Shows: a stream: open, next page until it is not OK, tell the end from an error, close. A page is
 * lent until the next call, so nothing is copied. With two workers the blocks of a BGZF file are
 * inflated by two threads, this one and another; other files by one. The tool for every day is
 * examples/tools/fxunzip.c.
 *
 *   cc -O2 examples/gunzip.c -o gunzip -pthread
 *
 *   $ build/examples/gunzip examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz | head -n 2
 *   >chrM
 *   GATCACAGGTCTATCACCCTATTAACCACTCACGGGAGCTCTCCATGCATTTGGTATTTT
 *
 *   $ build/examples/gunzip examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz > /dev/null
 *   gunzip: 335008 bytes became 1033528, 17 members
 *
 *   $ build/examples/gunzip tests/data/semantics/gzip/b21_bad_isize_mid.gz > /dev/null
 *   gunzip: ...byte 2378 of the file: the length stored after a gzip member is wrong
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    biost_stream_desc desc; /* all zero is right; in C: biost_stream_desc desc = {0}; */
    biost_stream *stream;
    biost_page page;
    biost_text_progress sum;
    biost_error error;
    biost_result result;
    if (argc != 2) {
        fprintf(stderr, "usage: gunzip FILE\n");
        return 2;
    }
    memset(&desc, 0, sizeof desc);
    desc.path = argv[1];
    desc.workers = 2;
    result = biost_stream_open(&desc, &stream, &error);
    if (result != BIOST_OK) {
        fprintf(stderr, "gunzip: %s\n", error.text);
        return 1;
    }
    while ((result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
        if (fwrite(page.text, 1, page.text_bytes, stdout) != page.text_bytes) {
            break; /* nobody reads on, or the disk is full */
        }
    }
    if (result == BIOST_OK || fflush(stdout) != 0) {
        fprintf(stderr, "gunzip: standard output takes no more\n");
        result = BIOST_OK;
    }
    biost_stream_progress(stream, &sum);
    if (result == BIOST_END) { /* every checksum was right, and nothing stands after the end */
        fprintf(stderr, "gunzip: %" PRIu64 " bytes became %" PRIu64 ", %" PRIu64 " members\n",
                sum.source_bytes, sum.text_bytes, sum.member_count);
    } else if (result < 0) { /* all good text before it was written */
        fprintf(stderr, "gunzip: %s\n", biost_stream_error(stream)->text);
    }
    biost_stream_close(stream);
    return result == BIOST_END ? 0 : 1;
}
