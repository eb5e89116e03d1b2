/*
 * own_jobs - a loader inside a host that has a job system and a frame loop of its own.
 *
 * Shows: desc.jobs, so that the loader makes no thread: it hands its work to the host's pool, a few
 * jobs at a time. And biost_loader_try_next, which never waits: a frame takes the batches that are
 * ready and goes on. The digest is that of the loader's own threads. The pool outlives the loader.
 *
 *   cc -O2 examples/own_jobs.c -o own_jobs -pthread
 *
 *   $ build/examples/own_jobs examples/data/illumina_hiseqx_150bp.fastq.gz
 *   40 batches, 10000 rows, digest e52f5f95168d6982, ... frames
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 2, MOST_JOBS = 16 };

typedef struct job {
    void (*run)(void *argument);
    void *argument;
} job;

/* The host's pool: a ring of jobs, and threads that take them. */
typedef struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work;
    job jobs[MOST_JOBS];
    unsigned first, count;
} pool;

/* biost_jobs.submit: keep the job, to be run later. It must not run inside this call. */
static void submit(void (*run)(void *argument), void *argument, void *user_data) {
    pool *p = (pool *)user_data;
    const job last = {run, argument};
    pthread_mutex_lock(&p->lock);
    p->jobs[(p->first + p->count++) % MOST_JOBS] = last; /* at most desc.workers - 1 wait */
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
}

static void *run_jobs(void *argument) {
    pool *p = (pool *)argument;
    for (;;) {
        job next;
        pthread_mutex_lock(&p->lock);
        while (p->count == 0) {
            pthread_cond_wait(&p->work, &p->lock);
        }
        next = p->jobs[p->first++ % MOST_JOBS];
        p->count -= 1;
        pthread_mutex_unlock(&p->lock);
        if (next.run == NULL) {
            return NULL; /* the host ends its pool */
        }
        next.run(next.argument);
    }
}

/* The frame loop. Returns what ended it. */
static biost_result run_frames(biost_loader *loader) {
    const struct timespec rest_of_frame = {0, 500000}; /* 0.5 ms: here, sleep */
    uint64_t digest = 0;
    int count = 0, rows = 0, frames = 0;
    biost_batch batch;
    biost_result result = biost_loader_begin(loader, 0);
    for (; result == BIOST_OK || result == BIOST_PENDING; ++frames) {
        while ((result = biost_loader_try_next(loader, &batch)) == BIOST_OK) {
            count += 1;
            rows += (int)batch.valid_rows;
            digest += batch.digest;
            biost_loader_release(loader, &batch);
        }
        nanosleep(&rest_of_frame, NULL);
    }
    printf("%d batches, %d rows, digest %016" PRIx64 ", %d frames\n", count, rows, digest, frames);
    return result;
}

int main(int argc, char **argv) {
    static pool host = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {{NULL, NULL}}, 0, 0};
    pthread_t threads[THREADS];
    static biost_loader_desc desc; /* all 0 */
    biost_loader *loader;
    biost_error error;
    biost_result result;
    int i, good = 1;
    desc.paths = (const char *const *)(argv + 1);
    desc.path_count = argc > 1 ? (uint32_t)argc - 1 : 0;
    desc.row_bases = 150;
    desc.shuffle_rows = 65536;
    desc.digest = 1;
    desc.epochs = 1;            /* nothing is read after epoch 0 */
    desc.workers = THREADS + 1; /* the pool's, and a caller of biost_loader_next, which helps */
    desc.jobs.submit = submit;
    desc.jobs.user_data = &host;
    result = biost_loader_open(&desc, &loader, &error);
    for (i = 0; i < THREADS && result == BIOST_OK && good; ++i) {
        good = pthread_create(&threads[i], NULL, run_jobs, &host) == 0;
    }
    if (result != BIOST_OK || !good) {
        return fprintf(stderr, "own_jobs: %s\n", good ? error.text : "no thread can be made"), 1;
    }
    if ((result = run_frames(loader)) < 0) {
        fprintf(stderr, "own_jobs: %s\n", biost_loader_error(loader)->text);
    }
    biost_loader_close(loader);
    for (i = 0; i < THREADS; ++i) {
        submit(NULL, NULL, &host);
    }
    for (i = 0; i < THREADS; ++i) {
        pthread_join(threads[i], NULL);
    }
    return result < 0;
}
