/*
 * job_host.h - a host's job system, for tests: threads that run what was submitted, last first, so in an
 * order that is not the library's.
 *
 * Include it after test.h.
 */
#ifndef JOB_HOST_H
#define JOB_HOST_H

#include <pthread.h>

enum { HOST_CALLS = 4096, HOST_THREADS = 3 };

typedef struct host {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct {
        void (*run)(void *argument);
        void *argument;
    } calls[HOST_CALLS];
    uint32_t count, most_waiting; /* calls that wait, and the most that waited at a time */
    uint32_t submitted;           /* calls in all */
    int stopping;
    uint32_t thread_count;
    pthread_t threads[HOST_THREADS];
} host;

/* biost_jobs.submit. */
static void host_submit(void (*run)(void *argument), void *argument, void *user_data) {
    host *h = (host *)user_data;
    pthread_mutex_lock(&h->lock);
    if (CHECK(h->count < HOST_CALLS)) {
        h->calls[h->count].run = run;
        h->calls[h->count].argument = argument;
        ++h->count;
        ++h->submitted;
        h->most_waiting = h->most_waiting > h->count ? h->most_waiting : h->count;
    }
    pthread_cond_signal(&h->more);
    pthread_mutex_unlock(&h->lock);
}

static void *host_thread(void *argument) {
    host *h = (host *)argument;
    pthread_mutex_lock(&h->lock);
    while (!h->stopping || h->count > 0) {
        if (h->count == 0) {
            pthread_cond_wait(&h->more, &h->lock);
        } else {
            uint32_t at = --h->count;
            void (*run)(void *) = h->calls[at].run;
            void *with = h->calls[at].argument;
            pthread_mutex_unlock(&h->lock);
            run(with);
            pthread_mutex_lock(&h->lock);
        }
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

/* At most HOST_THREADS threads. */
static void host_begin(host *h, uint32_t threads) {
    memset(h, 0, sizeof *h);
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->more, NULL);
    while (h->thread_count < threads &&
           CHECK(pthread_create(&h->threads[h->thread_count], NULL, host_thread, h) == 0)) {
        ++h->thread_count;
    }
}

/* After the objects that submit to it are closed: close waited for all calls. */
static void host_end(host *h) {
    uint32_t i;
    pthread_mutex_lock(&h->lock);
    CHECK_EQ_U64(h->count, 0);
    h->stopping = 1;
    pthread_cond_broadcast(&h->more);
    pthread_mutex_unlock(&h->lock);
    for (i = 0; i < h->thread_count; ++i) {
        pthread_join(h->threads[i], NULL);
    }
    pthread_cond_destroy(&h->more);
    pthread_mutex_destroy(&h->lock);
}

#endif /* JOB_HOST_H */
