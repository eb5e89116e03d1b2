/*
 * pages - all cores on the records of one file, with threads of your own.
 *
 * Shows: a page is a piece of text and the table of its records. Each thread takes a page under a
 * lock, works on it without one, and gives it back whenever it is done. The reader needs a page for
 * each thread that may hold one. Pages come in the order of the file; here the sum is the same in
 * any order. Inflating is under the lock too, unless desc.workers says more. (POSIX threads.)
 *
 *   cc -O2 examples/pages.c -o pages -pthread
 *
 *   $ build/examples/pages examples/data/illumina_hiseqx_150bp.fastq.gz 3
 *   3 threads: 10000 records, 1500000 bases, GC 0.4991
 *
 *   $ build/examples/pages tests/data/semantics/fastx/q53_junk_mid.fq
 *   2 threads: 1 records, 4 bases, GC 0.5000
 *   pages: ...record 2 (line 5, ...): a record must start with ...
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MOST = 64 };

typedef struct counts {
    uint64_t records, bases, gc, acgt;
} counts;

/* What the threads share: all of it under the lock. */
typedef struct work {
    pthread_mutex_t lock;
    biost_reader *reader;
    biost_result result; /* how it ended; OK: it goes on */
    counts sum;
} work;

static void count_page(counts *own, const biost_record_page *page) {
    uint32_t i, at;
    for (i = 0; i < page->row_count; ++i) {
        const biost_record_row *row = &page->rows[i];
        const char *seq = page->text + row->seq;
        for (at = 0; at < row->bases; ++at) {
            int letter = seq[at] & ~0x20; /* upper case */
            own->gc += letter == 'G' || letter == 'C';
            own->acgt += letter == 'A' || letter == 'C' || letter == 'G' || letter == 'T';
        }
        own->bases += row->bases;
        /* A FASTA record may go on in the next page, perhaps another thread's: its end counts. */
        own->records += (row->flags & BIOST_RUN_GOES_ON) ? 0 : 1;
    }
}

/* Each thread's work: pages as long as there are any. */
static void *run(void *argument) {
    work *shared = (work *)argument;
    counts own = {0, 0, 0, 0};
    pthread_mutex_lock(&shared->lock);
    while (shared->result == BIOST_OK) { /* not END or an error, met by any thread */
        biost_record_page page;
        shared->result = biost_reader_next_page(shared->reader, &page);
        if (shared->result == BIOST_OK) {
            pthread_mutex_unlock(&shared->lock);
            count_page(&own, &page);
            biost_reader_release_page(shared->reader, &page); /* needs no lock */
            pthread_mutex_lock(&shared->lock);
        }
    }
    shared->sum.records += own.records;
    shared->sum.bases += own.bases;
    shared->sum.gc += own.gc;
    shared->sum.acgt += own.acgt;
    pthread_mutex_unlock(&shared->lock);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS_MOST];
    biost_reader_desc desc;
    biost_error error;
    work shared;
    int count = argc > 2 ? atoi(argv[2]) : 2, made;
    if (argc < 2 || count < 1 || count > THREADS_MOST) {
        fprintf(stderr, "usage: pages FILE [THREADS]\n");
        return 2;
    }
    memset(&shared, 0, sizeof shared);
    memset(&desc, 0, sizeof desc);
    desc.path = argv[1];
    desc.page_count = (uint32_t)count;
    shared.result = biost_reader_open(&desc, &shared.reader, &error);
    if (shared.result != BIOST_OK) {
        fprintf(stderr, "pages: %s\n", error.text);
        return 1;
    }
    pthread_mutex_init(&shared.lock, NULL);
    for (made = 1; made < count; ++made) { /* this thread is the first */
        if (pthread_create(&threads[made], NULL, run, &shared) != 0) {
            break;
        }
    }
    run(&shared);
    for (count = made; made > 1; --made) {
        pthread_join(threads[made - 1], NULL);
    }
    printf("%d threads: %" PRIu64 " records, %" PRIu64 " bases, GC %.4f\n", count, shared.sum.records,
           shared.sum.bases, shared.sum.acgt > 0 ? (double)shared.sum.gc / (double)shared.sum.acgt : 0);
    if (shared.result < 0) { /* the sum is of the records before the bad one */
        fflush(stdout);
        fprintf(stderr, "pages: %s\n", biost_reader_error(shared.reader)->text);
    }
    biost_reader_close(shared.reader);
    pthread_mutex_destroy(&shared.lock);
    return shared.result < 0 ? 1 : 0;
}
