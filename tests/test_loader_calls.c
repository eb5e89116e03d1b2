/*
 * test_loader_calls.c - the loader's calls in every order that a host may try: batches held, released
 * twice or from another thread, all slots held, cancel, close at any time, many epochs; and every desc
 * that cannot work is refused with a sentence that names its fields. Reads of files go through a
 * wrapper that can make a worker wait.
 *
 * rooms: loader public
 * needs: loader threads hooks orders
 */
#include "hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* While `armed`, a read from byte `from` on by another thread than the one that armed it waits until
   `open`. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t owner;
    off_t from;
    int armed, waiting, open;
} gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, 0, 0};

static ssize_t gate_pread(int file, void *out, size_t count, off_t offset) {
    pthread_mutex_lock(&gate.lock);
    if (gate.armed && offset >= gate.from && !pthread_equal(pthread_self(), gate.owner)) {
        gate.waiting = 1;
        pthread_cond_broadcast(&gate.changed);
        while (!gate.open) {
            pthread_cond_wait(&gate.changed, &gate.lock);
        }
    }
    pthread_mutex_unlock(&gate.lock);
    return pread(file, out, count, offset);
}

HOOKS_SET {
    os_pread = gate_pread;
}

#include "peeks.h"

#include "test.h"

#include "loader_oracle.h"

static void gate_arm(off_t from) {
    pthread_mutex_lock(&gate.lock);
    gate.from = from;
    gate.owner = pthread_self();
    gate.armed = 1;
    gate.waiting = 0;
    gate.open = 0;
    pthread_mutex_unlock(&gate.lock);
}

static void gate_await(void) {
    pthread_mutex_lock(&gate.lock);
    while (!gate.waiting) {
        pthread_cond_wait(&gate.changed, &gate.lock);
    }
    pthread_mutex_unlock(&gate.lock);
}

static void gate_open(void) {
    pthread_mutex_lock(&gate.lock);
    gate.open = 1;
    gate.armed = 0;
    pthread_cond_broadcast(&gate.changed);
    pthread_mutex_unlock(&gate.lock);
}

static void pause_ms(long milliseconds) {
    struct timespec time;
    time.tv_sec = 0;
    time.tv_nsec = milliseconds * 1000000;
    nanosleep(&time, NULL);
}

/* ---- one desc for most of these tests ---- */

typedef struct setup {
    biost_loader_desc desc;
    biost_memory memory;
    bytes text;
} setup;

/* 400 reads in 50 batches of 8 rows. */
static void setup_begin(setup *s, uint32_t workers) {
    uint64_t random = test_seed();
    text_shape shape = {400, 10, 30, 0, 0, 0, 0, 0};
    memset(s, 0, sizeof *s);
    text_make(&s->text, &shape, &random);
    oracle_inputs(&s->desc, &s->memory, &s->text, 1);
    s->desc.batch_rows = 8;
    s->desc.row_bases = 30;
    s->desc.shuffle_rows = 20;
    s->desc.augment.reverse_complement = 0.5f;
    s->desc.digest = 1;
    s->desc.workers = workers;
    s->desc.slots = 3;
    s->desc.test.page_bytes = 500;
}

static void setup_end(setup *s) {
    bytes_free(&s->text);
}

static const uint32_t all_workers[] = {1, 2, 3, 8};

/* ---- holding and releasing ---- */

TEST(calls, batches_held_over_begin_stay_as_they_are) {
    uint32_t w, i;
    for (w = 0; w < 4; ++w) {
        setup s;
        biost_loader *loader;
        biost_batch held[2];
        oracle epochs[3];
        setup_begin(&s, all_workers[w]);
        for (i = 0; i < 3; ++i) {
            oracle_make(&epochs[i], &s.desc, &s.text, 1, i, ORACLE_ENDS_WELL);
        }
        loader = oracle_open(&s.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        CHECK(biost_loader_next(loader, &held[0]) == BIOST_OK);
        CHECK(biost_loader_next(loader, &held[1]) == BIOST_OK);
        CHECK(biost_loader_begin(loader, 1) == BIOST_OK); /* before epoch 0 was drained */
        oracle_drain(&epochs[1], loader, 0);              /* with the one slot left      */
        CHECK(biost_loader_begin(loader, 2) == BIOST_OK);
        oracle_check(&epochs[0], 0, &held[0]);
        CHECK(biost_loader_release(loader, &held[0]) == BIOST_OK);
        oracle_drain(&epochs[2], loader, 0);
        oracle_check(&epochs[0], 1, &held[1]);
        CHECK(biost_loader_release(loader, &held[1]) == BIOST_OK);
        CHECK(biost_loader_release(loader, &held[1]) == BIOST_ERR_ARG);
        biost_loader_close(loader);
        for (i = 0; i < 3; ++i) {
            oracle_free(&epochs[i]);
        }
        setup_end(&s);
    }
}

TEST(calls, second_release_changes_nothing) {
    setup s;
    biost_loader *loader;
    biost_batch first, copy, other;
    oracle o;
    setup_begin(&s, 1);
    s.desc.slots = 1;
    oracle_make(&o, &s.desc, &s.text, 1, 0, ORACLE_ENDS_WELL);
    loader = oracle_open(&s.desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(biost_loader_next(loader, &first) == BIOST_OK);
    copy = first;
    CHECK(biost_loader_release(loader, &first) == BIOST_OK);
    CHECK(biost_loader_release(loader, &copy) == BIOST_ERR_ARG);
    CHECK(biost_loader_next(loader, &other) == BIOST_OK); /* lies in the same slot */
    CHECK_EQ_U64(other.slot, first.slot);
    CHECK(biost_loader_release(loader, &first) == BIOST_ERR_ARG);
    oracle_check(&o, 1, &other);
    first.slot = 77;
    CHECK(biost_loader_release(loader, &first) == BIOST_ERR_ARG);
    CHECK(biost_loader_release(loader, &other) == BIOST_OK);
    CHECK(biost_loader_error(loader) == NULL);
    oracle_drain(&o, loader, 2);
    CHECK(biost_loader_release(NULL, &other) == BIOST_ERR_ARG);
    CHECK(biost_loader_release(loader, NULL) == BIOST_ERR_ARG);
    biost_loader_close(loader);
    oracle_free(&o);
    setup_end(&s);
}

/* ERR_SLOTS comes at once with all slots held, as often as asked, and after a release the epoch goes
   on. */
TEST(calls, all_slots_held) {
    uint32_t w, round;
    for (w = 0; w < 4; ++w) {
        for (round = 0; round < 25; ++round) {
            setup s;
            biost_loader *loader;
            biost_batch held[3], none;
            oracle o;
            size_t i;
            setup_begin(&s, all_workers[w]);
            s.desc.shuffle_rows = round % 2 == 0 ? 0 : 20;
            s.desc.slots = 1 + round % 3;
            oracle_make(&o, &s.desc, &s.text, 1, 0, ORACLE_ENDS_WELL);
            loader = oracle_open(&s.desc);
            REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
            for (i = 0; i < s.desc.slots; ++i) {
                CHECK(biost_loader_next(loader, &held[i]) == BIOST_OK);
            }
            CHECK(biost_loader_next(loader, &none) == BIOST_ERR_SLOTS);
            CHECK(biost_loader_next(loader, &none) == BIOST_ERR_SLOTS);
            CHECK(error_of(loader)->code == BIOST_ERR_SLOTS &&
                  strstr(error_of(loader)->text, "slots") != NULL);
            for (i = s.desc.slots; i > 0; --i) { /* in any order */
                oracle_check(&o, i - 1, &held[i - 1]);
                CHECK(biost_loader_release(loader, &held[i - 1]) == BIOST_OK);
            }
            oracle_drain(&o, loader, s.desc.slots);
            CHECK(biost_loader_next(loader, &none) == BIOST_END);
            biost_loader_close(loader);
            oracle_free(&o);
            setup_end(&s);
        }
    }
}

static void *open_soon(void *argument) {
    (void)argument;
    pause_ms(20);
    gate_open();
    return NULL;
}

/* The only slot is held and the owner sleeps in next, because a worker still reads ahead. When that is
   done nothing can go on: the owner must be told, by the worker that found no more to do. */
TEST(calls, all_slots_held_while_next_sleeps) {
    static const char *const names[] = {"slots"};
    const char *path = file_path(names[0]);
    uint32_t round;
    setup s;
    THREADS_KEPT; /* a worker must be the one that waits */
    setup_begin(&s, 2);
    file_write(path, s.text.data, s.text.count);
    s.desc.memory_count = 0;
    s.desc.memories = NULL;
    s.desc.paths = &path;
    s.desc.path_count = 1;
    s.desc.slots = 1;
    s.desc.test.chunk_bytes = 4000;
    for (round = 0; round < 4; ++round) {
        biost_loader *loader;
        biost_batch held, none;
        pthread_t thread;
        oracle o;
        s.desc.workers = 2 + round / 2;
        s.desc.shuffle_rows = round % 2 == 0 ? 0 : 20;
        oracle_make(&o, &s.desc, &s.text, 1, 0, ORACLE_ENDS_WELL);
        loader = oracle_open(&s.desc);
        REQUIRE(loader != NULL);
        gate_arm(4000);
        CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
        gate_await(); /* a worker is in the second read */
        CHECK(biost_loader_next(loader, &held) == BIOST_OK);
        REQUIRE(pthread_create(&thread, NULL, open_soon, NULL) == 0);
        CHECK(biost_loader_next(loader, &none) == BIOST_ERR_SLOTS);
        pthread_join(thread, NULL);
        oracle_check(&o, 0, &held);
        CHECK(biost_loader_release(loader, &held) == BIOST_OK);
        oracle_drain(&o, loader, 1);
        biost_loader_close(loader);
        oracle_free(&o);
    }
    file_clean(names, 1);
    setup_end(&s);
}

/* The last batches of an epoch are held: END is known all the same. */
TEST(calls, end_with_all_slots_held) {
    uint32_t w;
    for (w = 0; w < 4; ++w) {
        setup s;
        biost_loader *loader;
        biost_batch held[3], none;
        uint32_t i;
        setup_begin(&s, all_workers[w]);
        s.desc.batch_rows = 160;
        loader = oracle_open(&s.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        for (i = 0; i < 3; ++i) {
            CHECK(biost_loader_next(loader, &held[i]) == BIOST_OK);
        }
        CHECK_EQ_U64(held[1].flags, 0);
        CHECK_EQ_U64(held[2].flags, BIOST_BATCH_LAST);
        CHECK(biost_loader_next(loader, &none) == BIOST_END);
        CHECK(biost_loader_next(loader, &none) == BIOST_END);
        biost_loader_close(loader);
        setup_end(&s);
    }
}

/* A second thread that checks batches and gives them back, while the owner takes the next. */
typedef struct consumer {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    biost_loader *loader;
    const oracle *o;
    biost_batch batches[8];
    uint32_t head, tail;
    int done;
} consumer;

static void *consumer_main(void *argument) {
    consumer *c = (consumer *)argument;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        biost_batch batch;
        while (c->head == c->tail && !c->done) {
            pthread_cond_wait(&c->changed, &c->lock);
        }
        if (c->head == c->tail) {
            break;
        }
        batch = c->batches[c->tail % 8];
        pthread_mutex_unlock(&c->lock);
        oracle_check(c->o, (size_t)batch.index, &batch);
        CHECK(biost_loader_release(c->loader, &batch) == BIOST_OK);
        pthread_mutex_lock(&c->lock);
        ++c->tail;
        pthread_cond_signal(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

TEST(calls, release_from_another_thread) {
    uint32_t w;
    for (w = 0; w < 4; ++w) {
        setup s;
        oracle o;
        consumer c;
        pthread_t thread;
        biost_batch batch;
        biost_result result;
        size_t count = 0;
        setup_begin(&s, all_workers[w]);
        s.desc.slots = 4;
        oracle_make(&o, &s.desc, &s.text, 1, 0, ORACLE_ENDS_WELL);
        memset(&c, 0, sizeof c);
        pthread_mutex_init(&c.lock, NULL);
        pthread_cond_init(&c.changed, NULL);
        c.o = &o;
        c.loader = oracle_open(&s.desc);
        REQUIRE(c.loader != NULL && biost_loader_begin(c.loader, 0) == BIOST_OK);
        REQUIRE(pthread_create(&thread, NULL, consumer_main, &c) == 0);
        for (;;) {
            result = biost_loader_next(c.loader, &batch);
            pthread_mutex_lock(&c.lock);
            if (result == BIOST_OK) {
                c.batches[c.head++ % 8] = batch;
                pthread_cond_signal(&c.changed);
                ++count;
            }
            while (result == BIOST_ERR_SLOTS && c.head != c.tail) {
                pthread_cond_wait(&c.changed, &c.lock);
            }
            pthread_mutex_unlock(&c.lock);
            if (result != BIOST_OK && result != BIOST_ERR_SLOTS) {
                break;
            }
        }
        CHECK(result == BIOST_END);
        CHECK_EQ_U64(count, o.batch_count);
        pthread_mutex_lock(&c.lock);
        c.done = 1;
        pthread_cond_signal(&c.changed);
        pthread_mutex_unlock(&c.lock);
        pthread_join(thread, NULL);
        biost_loader_close(c.loader);
        oracle_free(&o);
        setup_end(&s);
    }
}

/* ---- epochs ---- */

TEST(calls, twenty_epochs) {
    uint32_t w;
    uint64_t epoch;
    for (w = 0; w < 4; ++w) {
        setup s;
        biost_loader *loader;
        setup_begin(&s, all_workers[w]);
        loader = oracle_open(&s.desc);
        for (epoch = 0; loader != NULL && epoch < 20; ++epoch) {
            oracle o;
            uint64_t number = epoch < 18 ? epoch : UINT64_MAX - epoch; /* any order, any number */
            oracle_make(&o, &s.desc, &s.text, 1, number, ORACLE_ENDS_WELL);
            CHECK(biost_loader_begin(loader, number) == BIOST_OK);
            oracle_drain(&o, loader, 0);
            oracle_free(&o);
        }
        biost_loader_close(loader);
        setup_end(&s);
    }
}

TEST(calls, begin_in_mid_epoch) {
    uint32_t w, i;
    for (w = 0; w < 4; ++w) {
        setup s;
        biost_loader *loader;
        oracle o;
        setup_begin(&s, all_workers[w]);
        oracle_make(&o, &s.desc, &s.text, 1, 5, ORACLE_ENDS_WELL);
        loader = oracle_open(&s.desc);
        REQUIRE(loader != NULL);
        for (i = 0; i < 30; ++i) { /* abandoned after 0..29 batches */
            uint32_t k;
            CHECK(biost_loader_begin(loader, i) == BIOST_OK);
            for (k = 0; k < i; ++k) {
                biost_batch batch;
                CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
                CHECK_EQ_U64(batch.index, k);
                CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
            }
        }
        CHECK(biost_loader_begin(loader, 5) == BIOST_OK);
        oracle_drain(&o, loader, 0);
        biost_loader_close(loader);
        oracle_free(&o);
        setup_end(&s);
    }
}

TEST(calls, next_before_begin) {
    setup s;
    biost_loader *loader;
    biost_batch batch;
    setup_begin(&s, 2);
    loader = oracle_open(&s.desc);
    REQUIRE(loader != NULL);
    CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_ARG);
    CHECK(strstr(error_of(loader)->text, "biost_loader_begin") != NULL);
    CHECK(biost_loader_next(loader, NULL) == BIOST_ERR_ARG);
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(biost_loader_error(loader) == NULL);
    CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
    biost_loader_close(loader);
    biost_loader_close(NULL);
    setup_end(&s);
}

/* ---- close ---- */

TEST(calls, close_at_any_time) {
    uint32_t w, stage, round;
    for (w = 0; w < 4; ++w) {
        for (stage = 0; stage < 6; ++stage) {
            for (round = 0; round < 5; ++round) {
                setup s;
                counted count;
                biost_loader *loader;
                biost_batch batch;
                uint32_t i;
                setup_begin(&s, all_workers[w]);
                s.desc.allocator = counted_allocator(&count);
                loader = oracle_open(&s.desc);
                REQUIRE(loader != NULL);
                /* 0: right after open; 1: after begin; 2..4: with 1..3 batches held; 5: after the end */
                if (stage > 0) {
                    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
                }
                for (i = 1; i < stage && stage < 5; ++i) {
                    CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
                }
                while (stage == 5 && biost_loader_next(loader, &batch) == BIOST_OK) {
                    CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
                }
                biost_loader_close(loader);
                CHECK_EQ_U64(count.blocks, 0);
                CHECK_EQ_U64(count.now_bytes, 0);
                setup_end(&s);
            }
        }
    }
}

/* ---- cancel ---- */

static void *cancel_soon(void *argument) {
    pause_ms(20);
    biost_loader_cancel((biost_loader *)argument);
    return NULL;
}

static void *cancel_now(void *argument) {
    biost_loader_cancel((biost_loader *)argument);
    return NULL;
}

/* A worker sits in a read that does not return; the owner sleeps in next, and a third thread cancels.
   next comes back while the read still waits: that it comes back at all is the test. */
TEST(cancel, wakes_a_sleeping_next) {
    static const char *const names[] = {"cancel"};
    const char *path = file_path(names[0]);
    uint32_t round;
    setup s;
    THREADS_KEPT;
    setup_begin(&s, 2);
    file_write(path, s.text.data, s.text.count);
    s.desc.memory_count = 0;
    s.desc.memories = NULL;
    s.desc.paths = &path;
    s.desc.path_count = 1;
    for (round = 0; round < 4; ++round) {
        biost_loader *loader;
        biost_batch batch;
        pthread_t thread;
        s.desc.workers = round % 2 == 0 ? 2 : 4;
        loader = oracle_open(&s.desc);
        REQUIRE(loader != NULL);
        gate_arm(0);
        CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
        gate_await();
        REQUIRE(pthread_create(&thread, NULL, round < 2 ? cancel_soon : cancel_now, loader) == 0);
        CHECK(biost_loader_next(loader, &batch) == BIOST_CANCELLED);
        CHECK(biost_loader_next(loader, &batch) == BIOST_CANCELLED);
        pthread_join(thread, NULL);
        gate_open();
        CHECK(biost_loader_begin(loader, 0) == BIOST_CANCELLED);
        CHECK(biost_loader_begin(loader, 1) == BIOST_CANCELLED);
        CHECK(biost_loader_next(loader, &batch) == BIOST_CANCELLED);
        CHECK(biost_loader_error(loader) == NULL);
        biost_loader_close(loader);
    }
    file_clean(names, 1);
    setup_end(&s);
}

/* The owner is busy, helping or not: it gets batches, then CANCELLED, and nothing else. */
TEST(cancel, while_next_helps) {
    uint32_t w, round;
    for (w = 0; w < 4; ++w) {
        for (round = 0; round < 4; ++round) {
            setup s;
            biost_loader *loader;
            biost_batch batch;
            biost_result result = BIOST_OK;
            pthread_t thread;
            uint64_t epoch;
            setup_begin(&s, all_workers[w]);
            loader = oracle_open(&s.desc);
            REQUIRE(loader != NULL);
            REQUIRE(pthread_create(&thread, NULL, cancel_soon, loader) == 0);
            for (epoch = 0; result != BIOST_CANCELLED; ++epoch) {
                result = biost_loader_begin(loader, epoch);
                CHECK(result == BIOST_OK || result == BIOST_CANCELLED);
                while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
                    CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
                }
                CHECK(result == BIOST_END || result == BIOST_CANCELLED);
            }
            CHECK(biost_loader_next(loader, &batch) == BIOST_CANCELLED);
            CHECK(biost_loader_begin(loader, 0) == BIOST_CANCELLED);
            pthread_join(thread, NULL);
            biost_loader_close(loader);
            setup_end(&s);
        }
    }
}

/* What a thread is to cancel, once told to. */
typedef struct cancel_order {
    biost_loader *loader;
    int goes; /* atomic, and relaxed: it orders nothing else, so that ThreadSanitizer sees what the library does */
} cancel_order;

static void *cancel_when_told(void *argument) {
    cancel_order *order = (cancel_order *)argument;
    while (!__atomic_load_n(&order->goes, __ATOMIC_RELAXED)) {
        sched_yield();
    }
    biost_loader_cancel(order->loader);
    return NULL;
}

/* The owner does nothing between begin and the cancel: whatever begin looked at last must have been
   under the lock. */
TEST(cancel, while_the_owner_is_elsewhere) {
    uint32_t round;
    for (round = 0; round < 8; ++round) {
        setup s;
        cancel_order order = {NULL, 0};
        biost_batch batch;
        pthread_t thread;
        setup_begin(&s, 1 + round % 4);
        order.loader = oracle_open(&s.desc);
        REQUIRE(order.loader != NULL);
        REQUIRE(pthread_create(&thread, NULL, cancel_when_told, &order) == 0);
        CHECK(biost_loader_begin(order.loader, 0) == BIOST_OK);
        __atomic_store_n(&order.goes, 1, __ATOMIC_RELAXED);
        pthread_join(thread, NULL);
        CHECK(biost_loader_next(order.loader, &batch) == BIOST_CANCELLED);
        biost_loader_close(order.loader);
        setup_end(&s);
    }
}

/* Cancelled before anything began, with a batch held: what is held stays whole and can be given back. */
TEST(cancel, before_begin_and_with_a_batch_held) {
    setup s;
    biost_loader *loader;
    biost_batch batch, none;
    oracle o;
    setup_begin(&s, 3);
    loader = oracle_open(&s.desc);
    REQUIRE(loader != NULL);
    biost_loader_cancel(loader);
    CHECK(biost_loader_begin(loader, 0) == BIOST_CANCELLED);
    biost_loader_close(loader);
    oracle_make(&o, &s.desc, &s.text, 1, 0, ORACLE_ENDS_WELL);
    loader = oracle_open(&s.desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
    biost_loader_cancel(loader);
    CHECK(biost_loader_next(loader, &none) == BIOST_CANCELLED);
    oracle_check(&o, 0, &batch);
    CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    CHECK(biost_loader_next(loader, &none) == BIOST_CANCELLED);
    biost_loader_cancel(NULL);
    biost_loader_close(loader);
    oracle_free(&o);
    setup_end(&s);
}

/* ---- descs that cannot work ---- */

/* Open fails with ERR_ARG and a sentence with both words, biost_loader_memory says UINT64_MAX; then
   the desc is good. */
static void impossible(setup *s, const char *one, const char *other) {
    biost_loader *loader = (biost_loader *)&gate; /* must become NULL */
    biost_error error;
    test_note("%s, %s", one, other);
    CHECK(biost_loader_open(&s->desc, &loader, &error) == BIOST_ERR_ARG);
    CHECK(loader == NULL);
    CHECK(error.code == BIOST_ERR_ARG && error.fault == BIOST_FAULT_ARGUMENT);
    if (!CHECK(strstr(error.text, one) != NULL) || !CHECK(strstr(error.text, other) != NULL)) {
        printf("    sentence: %s\n", error.text);
    }
    /* a desc without inputs is no desc to open, but one may ask what it would cost */
    if (s->desc.path_count + s->desc.memory_count > 0) {
        shape_refused(&s->desc);
        CHECK(biost_loader_memory(&s->desc) == UINT64_MAX);
    }
    CHECK(biost_loader_open(&s->desc, &loader, NULL) == BIOST_ERR_ARG);
    setup_end(s);
    setup_begin(s, 1);
    loader = oracle_open(&s->desc);
    CHECK(loader != NULL);
    CHECK(biost_loader_memory(&s->desc) < UINT64_MAX);
    biost_loader_close(loader);
}

static void *no_alloc(size_t count, size_t align, void *user_data) {
    (void)count;
    (void)align;
    (void)user_data;
    return NULL;
}

TEST(desc, impossible_combinations_name_their_fields) {
    static const char *const path = "x";
    static const char *const no_path = NULL;
    setup s;
    setup_begin(&s, 1);
    s.desc.paths = &path;
    s.desc.path_count = 1;
    impossible(&s, "path_count", "memory_count");
    s.desc.memory_count = 0;
    s.desc.memories = NULL;
    impossible(&s, "path_count", "memory_count");
    s.desc.memories = NULL;
    impossible(&s, "memories", "count");
    s.memory.data = NULL;
    impossible(&s, "memories", "data");
    s.desc.memory_count = 0;
    s.desc.path_count = 1;
    impossible(&s, "paths", "NULL");
    s.desc.memory_count = 0;
    s.desc.path_count = 1;
    s.desc.paths = &no_path;
    impossible(&s, "paths", "NULL");
    s.desc.memory_count = 1u << 23;
    impossible(&s, "memory_count is 8388608", "0..8388607");
    s.desc.world = 3;
    impossible(&s, "world", "batch_rows");
    s.desc.batch_rows = 0;
    s.desc.world = 7;
    impossible(&s, "world", "batch_rows");
    s.desc.world = 4;
    s.desc.rank = 4;
    impossible(&s, "rank", "world");
    s.desc.rank = 1;
    impossible(&s, "rank", "world");
    s.desc.row_bases = 0;
    s.desc.long_records = BIOST_LONG_SPLIT;
    impossible(&s, "long_records", "row_bases");
    s.desc.encoding.kind = BIOST_ENCODE_TOKENS;
    s.desc.encoding.dtype = BIOST_DTYPE_F32;
    impossible(&s, "encoding.kind", "encoding.dtype");
    s.desc.filter.min_length = 10;
    s.desc.filter.max_length = 9;
    impossible(&s, "filter.min_length", "filter.max_length");
    s.desc.filter.min_mean_quality = 93.5f;
    impossible(&s, "filter.min_mean_quality", "93");
    s.desc.filter.min_mean_quality = -1.0f;
    impossible(&s, "filter.min_mean_quality", "0");
    s.desc.filter.min_mean_quality = (float)NAN;
    impossible(&s, "filter.min_mean_quality", "93");
    s.desc.augment.reverse_complement = 1.5f;
    impossible(&s, "augment.reverse_complement", "1");
    s.desc.augment.reverse_complement = (float)NAN;
    impossible(&s, "augment.reverse_complement", "1");
    s.desc.augment.substitute = -0.5f;
    impossible(&s, "augment.substitute", "0");
    s.desc.augment.substitute = (float)NAN;
    impossible(&s, "augment.substitute", "1");
    s.desc.batch_rows = 1048577;
    impossible(&s, "batch_rows", "1048576");
    s.desc.max_record_bytes = (uint64_t)1 << 31;
    impossible(&s, "max_record_bytes", "1..2147483647, or 0 for 67108864");
    s.desc.workers = 257;
    impossible(&s, "workers", "256");
    s.desc.slots = 1025;
    impossible(&s, "slots", "1024");
    s.desc.allocator.alloc = no_alloc;
    impossible(&s, "allocator", "free");
    s.desc.slot_allocator.alloc = no_alloc;
    impossible(&s, "slot_allocator", "free");
    s.desc.state_bytes = 10;
    impossible(&s, "desc.state", "state_bytes");
    s.desc.state = "x";
    impossible(&s, "desc.state", "state_bytes");
    s.desc.test.page_bytes = 15;
    impossible(&s, "page_bytes", "16");
    s.desc.test.page_count = 1;
    impossible(&s, "page_count", "2");
    s.desc.tail = (biost_tail_mode)3;
    impossible(&s, "desc.tail is 3", "not one of pad|short|drop");
    s.desc.long_records = (biost_long_records_mode)6;
    impossible(&s, "desc.long_records is 6", "not one of fail|split|head|tail|center|crop");
    s.desc.encoding.kind = (biost_encode_kind)2;
    impossible(&s, "desc.encoding.kind is 2", "not one of onehot|tokens");
    s.desc.encoding.dtype = (biost_dtype)6;
    impossible(&s, "desc.encoding.dtype is 6", "not one of u8|f16|f32|bf16|i32|i64");
    s.desc.shuffle_rows = UINT32_MAX;
    s.desc.slots = 1024;
    s.desc.batch_rows = 1048576;
    impossible(&s, "shuffle_rows", "batch_rows");
    setup_end(&s);
}

TEST(desc, missing_arguments) {
    setup s;
    biost_loader *loader = (biost_loader *)&gate;
    biost_error error;
    setup_begin(&s, 1);
    CHECK(biost_loader_open(NULL, &loader, &error) == BIOST_ERR_ARG);
    CHECK(loader == NULL); /* "NULL unless BIOST_OK" */
    CHECK(error.text[0] != '\0');
    CHECK(biost_loader_open(&s.desc, NULL, &error) == BIOST_ERR_ARG);
    CHECK(biost_loader_open(NULL, NULL, NULL) == BIOST_ERR_ARG);
    CHECK(biost_loader_memory(NULL) == UINT64_MAX);
    CHECK(biost_loader_begin(NULL, 0) == BIOST_ERR_ARG);
    CHECK(biost_loader_error(NULL) == NULL);
    CHECK_EQ_U64(biost_loader_warnings(NULL), 0);
    CHECK_EQ_U64(biost_loader_first_epoch(NULL), 0);
    setup_end(&s);
}

/* ---- log ---- */

static void log_line(biost_result level, const char *sentence, void *user_data) {
    uint32_t *counts = (uint32_t *)user_data;
    CHECK(level < 0 && sentence[0] != '\0' && strchr(sentence, '\n') == NULL);
    ++counts[-(int)level];
}

TEST(log, errors_are_said_once) {
    setup s;
    biost_loader *loader;
    biost_batch batch;
    uint32_t counts[16], i;
    memset(counts, 0, sizeof counts);
    setup_begin(&s, 1);
    bytes_words(&s.text, "@bad\n");
    oracle_inputs(&s.desc, &s.memory, &s.text, 1);
    s.desc.log.line = log_line;
    s.desc.log.user_data = counts;
    loader = oracle_open(&s.desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    while (biost_loader_next(loader, &batch) == BIOST_OK) {
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK(biost_loader_release(loader, &batch) == BIOST_ERR_ARG);
    for (i = 0; i < 3; ++i) {
        CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_TEXT);
        CHECK(biost_loader_begin(loader, 1) == BIOST_ERR_TEXT);
    }
    CHECK_EQ_U64(counts[-BIOST_ERR_TEXT], 1);
    CHECK_EQ_U64(counts[-BIOST_ERR_ARG], 1);
    biost_loader_close(loader);
    setup_end(&s);
}
