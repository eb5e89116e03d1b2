/*
 * test_loader_ahead.c - epochs that are begun before the last one is drained, try_next, and set_workers
 * in mid-epoch: whatever a host does with them, batches are those of the oracle.
 *
 * rooms: loader sequencer batches
 * needs: loader threads library orders
 */
#include "../biostream.h"

#include <sys/stat.h>
#include <time.h>

#include "test.h"

#include "job_host.h"
#include "loader_oracle.h"

#define EPOCHS 6u

/* A text, a desc that uses most stages, and what six epochs of it are. */
typedef struct setup {
    one_text one;
    oracle epochs[EPOCHS];
} setup;

static void setup_begin(setup *s, uint32_t records, uint32_t window) {
    text_shape shape = {0, 0, 60, 0, 0, 0, 0, 1};
    uint32_t i;
    shape.records = records;
    one_text_shape(&s->one, &shape, 21);
    s->one.desc.batch_rows = 8;
    s->one.desc.row_bases = 40;
    s->one.desc.long_records = BIOST_LONG_CROP;
    s->one.desc.augment.reverse_complement = 0.5f;
    s->one.desc.quality.kind = BIOST_QUALITY_PHRED;
    s->one.desc.mask = 1;
    s->one.desc.names = 1;
    s->one.desc.shuffle_rows = window;
    s->one.desc.slots = 3;
    s->one.desc.test.page_bytes = 700;
    for (i = 0; i < EPOCHS; ++i) {
        oracle_make(&s->epochs[i], &s->one.desc, &s->one.text, 1, i, ORACLE_ENDS_WELL);
    }
}

static void setup_end(setup *s) {
    uint32_t i;
    for (i = 0; i < EPOCHS; ++i) {
        oracle_free(&s->epochs[i]);
    }
    bytes_free(&s->one.text);
}

static const uint32_t all_workers[] = {1, 2, 3, 8};

static void pause_ms(long milliseconds) {
    struct timespec time;
    time.tv_sec = 0;
    time.tv_nsec = milliseconds * 1000000;
    nanosleep(&time, NULL);
}

/* Take `count` batches from `index` on. */
static void take(const oracle *o, biost_loader *loader, size_t index, size_t count) {
    biost_batch batch;
    for (; count > 0 && index < o->batch_count; --count, ++index) {
        if (!CHECK(biost_loader_next(loader, &batch) == BIOST_OK)) {
            return;
        }
        oracle_check(o, index, &batch);
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
}

/* ---- epochs ahead ---- */

TEST(ahead, every_order_of_epochs) {
    /* after one epoch is drained, or abandoned in its midst: the next, the one after, the same,
       an earlier one */
    static const uint8_t orders[][EPOCHS] = {{0, 1, 2, 3, 4, 5}, {0, 2, 4, 1, 3, 5}, {0, 0, 1, 1, 2, 2},
                                             {5, 4, 3, 2, 1, 0}, {0, 1, 0, 1, 2, 1}, {3, 4, 3, 4, 5, 0}};
    uint32_t w, order, stop, window, i;
    for (window = 0; window < 2; ++window) {
        setup s;
        setup_begin(&s, 100, window * 30);
        for (w = 0; w < 4; ++w) {
            for (order = 0; order < 6; ++order) {
                for (stop = 0; stop < 3; ++stop) { /* drained; 5 batches; none */
                    biost_loader *loader;
                    s.one.desc.workers = all_workers[w];
                    s.one.desc.epochs = order % 3 == 2 ? 2 : 0;
                    s.one.desc.slots = 1 + (order + stop) % 4;
                    test_note("window %u, workers %u, order %u, stop %u", (unsigned)window,
                              (unsigned)s.one.desc.workers, (unsigned)order, (unsigned)stop);
                    loader = oracle_open(&s.one.desc);
                    REQUIRE(loader != NULL);
                    for (i = 0; i < EPOCHS; ++i) {
                        const oracle *o = &s.epochs[orders[order][i]];
                        CHECK(biost_loader_begin(loader, o->epoch) == BIOST_OK);
                        if (stop == 0) {
                            oracle_drain(o, loader, 0);
                            oracle_check_progress(o, loader);
                        } else {
                            take(o, loader, 0, stop == 1 ? 5 : 0);
                        }
                        if (w > 0 && i == 2) {
                            pause_ms(2); /* let workers run ahead */
                        }
                    }
                    biost_loader_close(loader);
                }
            }
        }
        setup_end(&s);
    }
}

/* Batches of an epoch are held while the next one fills the other slots, is begun, and drained. */
TEST(ahead, held_batches_stay_as_they_are) {
    uint32_t w, held_count, round;
    setup s;
    setup_begin(&s, 100, 20);
    for (w = 0; w < 4; ++w) {
        for (held_count = 1; held_count <= 3; ++held_count) {
            biost_batch held[3], none;
            biost_loader *loader;
            size_t last = s.epochs[0].batch_count - 1;
            uint32_t i;
            s.one.desc.workers = all_workers[w];
            s.one.desc.slots = 4;
            loader = oracle_open(&s.one.desc);
            test_note("workers %u, held %u", (unsigned)all_workers[w], (unsigned)held_count);
            REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
            take(&s.epochs[0], loader, 0, last + 1 - held_count);
            for (i = 0; i < held_count; ++i) {
                REQUIRE(biost_loader_next(loader, &held[i]) == BIOST_OK);
            }
            CHECK(biost_loader_next(loader, &none) == BIOST_END);
            for (round = 1; round < 4; ++round) {
                CHECK(biost_loader_begin(loader, round) == BIOST_OK);
                take(&s.epochs[round], loader, 0, round == 2 ? 4 : 1000);
                for (i = 0; i < held_count; ++i) {
                    oracle_check(&s.epochs[0], last + 1 - held_count + i, &held[i]);
                }
            }
            for (i = 0; i < held_count; ++i) {
                CHECK(biost_loader_release(loader, &held[i]) == BIOST_OK);
                CHECK(biost_loader_release(loader, &held[i]) == BIOST_ERR_ARG);
            }
            CHECK(biost_loader_begin(loader, 4) == BIOST_OK);
            oracle_drain(&s.epochs[4], loader, 0);
            biost_loader_close(loader);
        }
    }
    setup_end(&s);
}

/* A released slot is filled with the next epoch: the old loan is refused by its generation, also
   when the slot holds a batch that waits, or one that is lent. */
TEST(ahead, loans_of_other_epochs_are_refused) {
    uint32_t w;
    setup s;
    setup_begin(&s, 64, 0);
    for (w = 0; w < 4; ++w) {
        biost_batch old[8], now;
        biost_loader *loader;
        uint32_t i, k;
        s.one.desc.workers = all_workers[w];
        s.one.desc.slots = 2;
        loader = oracle_open(&s.one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        for (i = 0; i < 8; ++i) {
            REQUIRE(biost_loader_next(loader, &old[i]) == BIOST_OK);
            CHECK(biost_loader_release(loader, &old[i]) == BIOST_OK);
        }
        CHECK(biost_loader_next(loader, &now) == BIOST_END);
        CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
        for (i = 0; i < 8; ++i) {
            REQUIRE(biost_loader_next(loader, &now) == BIOST_OK);
            for (k = 0; k < 8; ++k) {
                CHECK(biost_loader_release(loader, &old[k]) == BIOST_ERR_ARG);
            }
            oracle_check(&s.epochs[1], i, &now);
            CHECK(biost_loader_release(loader, &now) == BIOST_OK);
        }
        CHECK(biost_loader_next(loader, &now) == BIOST_END);
        CHECK(biost_loader_error(loader) == NULL);
        biost_loader_close(loader);
    }
    setup_end(&s);
}

/* Inputs of few batches or none, and many slots: more epochs than one could be ready, but only one
   is ahead. */
TEST(ahead, small_inputs_with_many_slots) {
    static const uint32_t records[] = {0, 1, 7, 8, 9, 17};
    uint32_t r, w, tail, i;
    for (r = 0; r < 6; ++r) {
        for (tail = 0; tail < 3; ++tail) {
            text_shape shape = {0, 1, 20, 1, 0, 0, 0, 0};
            one_text one;
            shape.records = records[r];
            one_text_shape(&one, &shape, 5);
            one.desc.batch_rows = 8;
            one.desc.slots = 64;
            one.desc.tail = (biost_tail_mode)tail;
            for (w = 0; w < 4; ++w) {
                biost_loader *loader;
                one.desc.workers = all_workers[w];
                one.desc.shuffle_rows = w * 3;
                test_note("%u records, tail %u, workers %u", (unsigned)records[r], (unsigned)tail,
                          (unsigned)all_workers[w]);
                loader = oracle_open(&one.desc);
                REQUIRE(loader != NULL);
                for (i = 0; i < 5; ++i) {
                    oracle o;
                    uint64_t epoch = i < 3 ? i : i + 7;
                    oracle_make(&o, &one.desc, &one.text, 1, epoch, ORACLE_ENDS_WELL);
                    CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
                    oracle_drain(&o, loader, 0);
                    oracle_check_progress(&o, loader);
                    oracle_free(&o);
                }
                biost_loader_close(loader);
            }
            bytes_free(&one.text);
        }
    }
}

/* Batches that wait are abandoned with their epoch, also where the next one fills other slots by then: none of
   the slots is lost, however often. */
TEST(ahead, abandoned_batches_free_their_slots) {
    uint32_t w, epoch;
    setup s;
    setup_begin(&s, 24, 5); /* 3 batches */
    for (w = 0; w < 4; ++w) {
        biost_loader *loader;
        s.one.desc.workers = all_workers[w];
        s.one.desc.slots = 5;
        loader = oracle_open(&s.one.desc);
        REQUIRE(loader != NULL);
        for (epoch = 0; epoch < 20; ++epoch) {
            oracle o;
            biost_batch held[5];
            size_t i;
            oracle_make(&o, &s.one.desc, &s.one.text, 1, epoch, ORACLE_ENDS_WELL);
            test_note("workers %u, epoch %u", (unsigned)all_workers[w], (unsigned)epoch);
            REQUIRE(biost_loader_begin(loader, epoch) == BIOST_OK);
            if (epoch % 2 == 0) {
                take(&o, loader, 0, epoch % 3);
                pause_ms(1); /* then the next one is ahead, where there are workers */
            } else {         /* all of it, all held */
                for (i = 0; i < o.batch_count; ++i) {
                    REQUIRE(biost_loader_next(loader, &held[i]) == BIOST_OK);
                    oracle_check(&o, i, &held[i]);
                }
                CHECK(biost_loader_next(loader, &held[4]) == BIOST_END);
                for (i = 0; i < o.batch_count; ++i) {
                    CHECK(biost_loader_release(loader, &held[i]) == BIOST_OK);
                }
            }
            oracle_free(&o);
        }
        biost_loader_close(loader);
    }
    setup_end(&s);
}

/* A reel of text that counts where it is. */
typedef struct reel {
    const bytes *text;
    size_t at;
    unsigned rewinds;
} reel;

static int64_t reel_read(void *to, size_t count, void *user_data) {
    reel *r = (reel *)user_data;
    size_t take_bytes = r->text->count - r->at < count ? r->text->count - r->at : count;
    memcpy(to, r->text->data + r->at, take_bytes);
    r->at += take_bytes;
    return (int64_t)take_bytes;
}

static int reel_rewind(void *user_data) {
    reel *r = (reel *)user_data;
    r->at = 0;
    ++r->rewinds;
    return 1;
}

TEST(ahead, callbacks_are_never_read_ahead) {
    uint32_t w, epoch;
    setup s;
    setup_begin(&s, 60, 10);
    for (w = 0; w < 4; ++w) {
        biost_loader_desc desc = s.one.desc;
        biost_callback callback;
        reel r = {NULL, 0, 0};
        biost_loader *loader;
        r.text = &s.one.text;
        memset(&callback, 0, sizeof callback);
        callback.read = reel_read;
        callback.rewind = reel_rewind;
        callback.user_data = &r;
        desc.memories = NULL;
        desc.memory_count = 0;
        desc.callbacks = &callback;
        desc.callback_count = 1;
        desc.workers = all_workers[w];
        desc.slots = 16;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL);
        for (epoch = 0; epoch < 3; ++epoch) {
            CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
            oracle_drain(&s.epochs[epoch], loader, 0);
            pause_ms(5);
            CHECK_EQ_U64(r.rewinds, epoch);
            CHECK_EQ_U64(r.at, r.text->count);
        }
        biost_loader_close(loader);
    }
    setup_end(&s);
}

/* desc.epochs names the first epoch that is not begun ahead: after it nothing is read. */
TEST(ahead, epochs_bounds_what_is_read) {
    static const char *const names[] = {"ahead_bound"};
    const char *path = file_path(names[0]);
    uint32_t w, epoch;
    setup s;
    setup_begin(&s, 60, 10);
    for (w = 0; w < 4; ++w) {
        biost_loader_desc desc = s.one.desc;
        biost_loader *loader;
        biost_batch batch;
        file_write(path, s.one.text.data, s.one.text.count);
        desc.memories = NULL;
        desc.memory_count = 0;
        desc.paths = &path;
        desc.path_count = 1;
        desc.workers = all_workers[w];
        desc.epochs = 2;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL);
        for (epoch = 0; epoch < 2; ++epoch) {
            CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
            oracle_drain(&s.epochs[epoch], loader, 0);
        }
        pause_ms(5);
        file_write(path, "gone", 4); /* nobody reads it any more */
        CHECK(biost_loader_next(loader, &batch) == BIOST_END);
        CHECK(biost_loader_error(loader) == NULL);
        biost_loader_close(loader);
        file_write(path, s.one.text.data, s.one.text.count);
    }
    file_clean(names, 1);
    setup_end(&s);
}

/* A file that changes between the END of an epoch and the next begin: the rest of what was read
   ahead may come, but if batches differ from the old file's it is STALE, and END of that epoch
   never comes with other rows. */
TEST(ahead, changed_inputs_are_stale) {
    static const char *const names[] = {"ahead_changed"};
    const char *path = file_path(names[0]);
    uint32_t w, round;
    setup s;
    setup_begin(&s, 400, 0); /* no window: what is cut short is in order up to there */
    for (w = 0; w < 4; ++w) {
        for (round = 0; round < 6; ++round) {
            biost_loader_desc desc = s.one.desc;
            biost_loader *loader;
            biost_batch batch;
            biost_result result;
            size_t index = 0, count = s.one.text.count;
            file_write(path, s.one.text.data, count);
            desc.memories = NULL;
            desc.memory_count = 0;
            desc.paths = &path;
            desc.path_count = 1;
            desc.workers = all_workers[w];
            desc.epochs = round % 2 == 0 ? 1 : 0; /* not ahead, ahead */
            desc.test.chunk_bytes = 500;
            test_note("workers %u, round %u", (unsigned)desc.workers, (unsigned)round);
            loader = oracle_open(&desc);
            REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
            oracle_drain(&s.epochs[0], loader, 0);
            if (round / 2 == 0) {
                CHECK(truncate(path, (off_t)count - 100) == 0);
            } else if (round / 2 == 1) { /* longer */
                bytes_words(&s.one.text, "@x\nA\n+\nI\n");
                file_write(path, s.one.text.data, s.one.text.count);
                s.one.text.count = count;
            } else {
                remove(path);
                file_write(path, "@x\nA\n+\nI\n", 9);
            }
            result = biost_loader_begin(loader, 1);
            CHECK(result == BIOST_OK || result == BIOST_ERR_STALE);
            while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
                if ((batch.flags & BIOST_BATCH_BEFORE_ERROR) == 0 && CHECK(index < s.epochs[1].batch_count)) {
                    oracle_check(&s.epochs[1], index, &batch);
                }
                ++index;
                CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
            }
            if (desc.epochs == 1) {
                CHECK_STR(biost_result_name(result), "ERR_STALE");
                CHECK_EQ_U64(index, 0);
            } else { /* all of it was read, or not */
                CHECK(result == BIOST_ERR_STALE || (result == BIOST_ERR_IO && round / 2 == 2) ||
                      (result == BIOST_END && index == s.epochs[1].batch_count));
            }
            biost_loader_close(loader);
        }
    }
    file_clean(names, 1);
    setup_end(&s);
}

/* A fault in the epoch that is begun ahead cannot be told before that epoch is begun. */
TEST(ahead, errors_of_the_next_epoch_come_with_it) {
    static const char *const names[] = {"ahead_gone"};
    const char *path = file_path(names[0]);
    uint32_t w;
    setup s;
    setup_begin(&s, 40, 0);
    for (w = 0; w < 4; ++w) {
        biost_loader_desc desc = s.one.desc;
        biost_loader *loader;
        biost_batch batch;
        biost_result result;
        size_t last = s.epochs[0].batch_count - 1;
        file_write(path, s.one.text.data, s.one.text.count);
        desc.memories = NULL;
        desc.memory_count = 0;
        desc.paths = &path;
        desc.path_count = 1;
        desc.workers = all_workers[w];
        desc.slots = 8;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        take(&s.epochs[0], loader, 0, 1); /* the file is small: it is open and read by now, or will be */
        take(&s.epochs[0], loader, 1, last - 1);
        REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK); /* and all of epoch 0 is encoded */
        CHECK_EQ_U64(batch.flags, BIOST_BATCH_LAST | (batch.rows < 8 ? (uint32_t)BIOST_BATCH_SHORT : 0u));
        remove(path);
        pause_ms(5);
        CHECK(biost_loader_next(loader, &batch) == BIOST_END);
        CHECK(biost_loader_next(loader, &batch) == BIOST_END);
        CHECK(biost_loader_error(loader) == NULL);
        result = biost_loader_begin(loader, 1);
        while (result == BIOST_OK) {
            result = biost_loader_next(loader, &batch);
        }
        CHECK(result == BIOST_ERR_IO || result == BIOST_ERR_STALE || result == BIOST_END ||
              result == BIOST_ERR_SLOTS);
        biost_loader_close(loader);
        file_write(path, "", 0);
    }
    file_clean(names, 1);
    setup_end(&s);
}

/* Files of which the reads of one open fail: the first two opens are biost_loader_open's and epoch 0's. */
typedef struct shaky {
    const bytes *text;
    uint32_t opens, bad_open; /* atomic, where workers read */
    size_t bad_from;
} shaky;

typedef struct shaky_file {
    shaky *owner;
    uint32_t number;
} shaky_file;

static void *shaky_open(const char *path, void *user_data) {
    shaky_file *file = (shaky_file *)(void *)test_copy(NULL, sizeof(shaky_file));
    (void)path;
    file->owner = (shaky *)user_data;
    file->number = __atomic_add_fetch(&file->owner->opens, 1u, __ATOMIC_RELAXED);
    return file;
}

static int64_t shaky_read_at(void *file, uint64_t offset, void *to, size_t count, void *user_data) {
    const shaky_file *f = (const shaky_file *)file;
    const bytes *text = f->owner->text;
    size_t left = offset < text->count ? text->count - (size_t)offset : 0;
    (void)user_data;
    count = count < left ? count : left;
    if (f->number == __atomic_load_n(&f->owner->bad_open, __ATOMIC_RELAXED) &&
        offset + count > f->owner->bad_from) {
        return -1;
    }
    if (count > 0) {
        memcpy(to, text->data + offset, count);
    }
    return (int64_t)count;
}

static int64_t shaky_size(void *file, void *user_data) {
    (void)user_data;
    return (int64_t)((const shaky_file *)file)->owner->text->count;
}

static void shaky_close(void *file, void *user_data) {
    (void)user_data;
    free(file);
}

static void shaky_desc(biost_loader_desc *desc, shaky *files, const char *const *path) {
    desc->memories = NULL;
    desc->memory_count = 0;
    desc->paths = path;
    desc->path_count = 1;
    desc->files.open = shaky_open;
    desc->files.read_at = shaky_read_at;
    desc->files.size = shaky_size;
    desc->files.close = shaky_close;
    desc->files.user_data = files;
}

/* With workers the next epoch does begin by itself: the file is opened a third time, while the last
   batches of epoch 0 are not taken yet; and not a fourth, however long one waits. Waits at most 10
   s for it. */
TEST(ahead, the_next_epoch_begins_by_itself) {
    static const char *const path = "shaky";
    uint32_t workers, i;
    setup s;
    THREADS_KEPT;
    setup_begin(&s, 100, 20);
    for (workers = 2; workers < 5; ++workers) {
        biost_loader_desc desc = s.one.desc;
        shaky files;
        biost_loader *loader;
        size_t last = s.epochs[0].batch_count - 1;
        memset(&files, 0, sizeof files);
        files.text = &s.one.text;
        shaky_desc(&desc, &files, &path);
        desc.workers = workers;
        desc.slots = 4;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        take(&s.epochs[0], loader, 0, last);
        for (i = 0; i < 10000 && __atomic_load_n(&files.opens, __ATOMIC_RELAXED) < 3; ++i) {
            pause_ms(1);
        }
        CHECK_EQ_U64(__atomic_load_n(&files.opens, __ATOMIC_RELAXED), 3);
        take(&s.epochs[0], loader, last, 1);
        oracle_drain(&s.epochs[0], loader, last + 1);
        pause_ms(5);
        CHECK_EQ_U64(__atomic_load_n(&files.opens, __ATOMIC_RELAXED), 3);
        CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
        oracle_drain(&s.epochs[1], loader, 0);
        biost_loader_close(loader);
    }
    setup_end(&s);
}

/* Epoch 1, begun ahead, cannot be read. Another epoch is begun instead: the error is abandoned with
   it. Or epoch 1 is begun: then what came before is delivered, and the error stays. */
TEST(ahead, an_abandoned_error_is_forgotten) {
    static const char *const path = "shaky";
    uint32_t w, part, take_it;
    setup s;
    setup_begin(&s, 100, 20);
    for (w = 0; w < 4; ++w) {
        for (part = 0; part < 3; ++part) {
            for (take_it = 0; take_it < 2; ++take_it) {
                biost_loader_desc desc = s.one.desc;
                shaky files;
                biost_loader *loader;
                biost_batch batch;
                biost_result result;
                memset(&files, 0, sizeof files);
                files.text = &s.one.text;
                files.bad_open = 3;
                files.bad_from = part * s.one.text.count / 3;
                shaky_desc(&desc, &files, &path);
                desc.workers = all_workers[w];
                desc.slots = 6;
                desc.test.chunk_bytes = 600;
                test_note("workers %u, part %u, taken %u", (unsigned)desc.workers, (unsigned)part,
                          (unsigned)take_it);
                loader = oracle_open(&desc);
                REQUIRE(loader != NULL);
                CHECK_EQ_U64(__atomic_load_n(&files.opens, __ATOMIC_RELAXED), 1);
                CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
                oracle_drain(&s.epochs[0], loader, 0);
                oracle_check_progress(&s.epochs[0], loader);
                pause_ms(3);
                CHECK(biost_loader_next(loader, &batch) == BIOST_END);
                CHECK(biost_loader_error(loader) == NULL);
                oracle_check_progress(&s.epochs[0], loader); /* of 0 still */
                if (take_it == 0 && __atomic_load_n(&files.opens, __ATOMIC_RELAXED) < 3) {
                    /* not read ahead by now: nothing is to be forgotten */
                    __atomic_store_n(&files.bad_open, 99u, __ATOMIC_RELAXED);
                }
                CHECK(biost_loader_begin(loader, take_it == 1 ? 1 : 4) == BIOST_OK);
                if (take_it == 0) {
                    oracle_drain(&s.epochs[4], loader, 0);
                    CHECK(biost_loader_error(loader) == NULL);
                } else {
                    size_t index = 0;
                    uint32_t flags = 0;
                    while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
                        CHECK_EQ_U64(flags, 0);
                        flags = batch.flags;
                        ++index;
                        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
                    }
                    CHECK_STR(biost_result_name(result), "ERR_IO");
                    CHECK(index == 0 || (flags & BIOST_BATCH_BEFORE_ERROR) != 0);
                    CHECK(part == 0 ? index == 0 : index > 1);
                    CHECK(biost_loader_begin(loader, 2) == BIOST_ERR_IO);
                }
                biost_loader_close(loader);
            }
        }
    }
    setup_end(&s);
}

/* After the last number there is none: epoch 0 follows only when it is asked for. */
TEST(ahead, the_last_epoch_number) {
    uint32_t w, i;
    setup s;
    setup_begin(&s, 40, 10);
    for (w = 0; w < 4; ++w) {
        static const uint64_t epochs[] = {UINT64_MAX - 1, UINT64_MAX, 0, UINT64_MAX, 1, 0};
        biost_loader *loader;
        s.one.desc.workers = all_workers[w];
        s.one.desc.epochs = w == 2 ? UINT64_MAX : 0;
        loader = oracle_open(&s.one.desc);
        REQUIRE(loader != NULL);
        for (i = 0; i < 6; ++i) {
            oracle o;
            oracle_make(&o, &s.one.desc, &s.one.text, 1, epochs[i], ORACLE_ENDS_WELL);
            CHECK(biost_loader_begin(loader, epochs[i]) == BIOST_OK);
            oracle_drain(&o, loader, 0);
            oracle_free(&o);
        }
        biost_loader_close(loader);
    }
    setup_end(&s);
}

/* Resume states of an epoch that was begun ahead are as good, and one taken at END of the last leads to the next. */
TEST(ahead, states_across_epochs) {
    uint32_t w;
    setup s;
    setup_begin(&s, 50, 12);
    for (w = 0; w < 4; ++w) {
        uint8_t states[2][512];
        size_t counts[2];
        biost_loader_desc desc = s.one.desc;
        biost_loader *loader;
        biost_batch batch;
        size_t last = s.epochs[0].batch_count - 1;
        uint32_t i;
        desc.workers = all_workers[w];
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        take(&s.epochs[0], loader, 0, last);
        REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
        pause_ms(2);
        CHECK(biost_loader_state(loader, &batch, states[0], 512, &counts[0]) == BIOST_OK);
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
        take(&s.epochs[1], loader, 0, 2);
        REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK(biost_loader_state(loader, &batch, states[1], 512, &counts[1]) == BIOST_OK);
        biost_loader_close(loader);
        for (i = 0; i < 2; ++i) {
            desc.state = states[i];
            desc.state_bytes = counts[i];
            desc.workers = all_workers[3 - w];
            loader = oracle_open(&desc);
            REQUIRE(loader != NULL);
            CHECK_EQ_U64(biost_loader_first_epoch(loader), i);
            CHECK_EQ_U64(biost_loader_first_batch(loader), i == 0 ? last + 1 : 3);
            CHECK(biost_loader_begin(loader, i) == BIOST_OK);
            oracle_drain(&s.epochs[i], loader, i == 0 ? last + 1 : 3);
            CHECK(biost_loader_begin(loader, i + 1) == BIOST_OK);
            oracle_drain(&s.epochs[i + 1], loader, 0);
            biost_loader_close(loader);
        }
    }
    setup_end(&s);
}

/* ---- try_next ---- */

TEST(try_next, equals_next) {
    uint32_t w, mix;
    setup s;
    setup_begin(&s, 150, 40);
    for (w = 0; w < 4; ++w) {
        for (mix = 0; mix < 2; ++mix) {
            biost_loader *loader;
            uint64_t epoch, random = w + mix;
            s.one.desc.workers = all_workers[w];
            loader = oracle_open(&s.one.desc);
            REQUIRE(loader != NULL);
            for (epoch = 0; epoch < 3; ++epoch) {
                const oracle *o = &s.epochs[epoch];
                size_t index = 0, pending = 0;
                biost_result result = biost_loader_begin(loader, epoch);
                CHECK(result == BIOST_OK);
                while (result == BIOST_OK || result == BIOST_PENDING) {
                    biost_batch batch;
                    int waits = mix == 1 && random_below(&random, 3) == 0;
                    batch.slot = 12345;
                    result = waits ? biost_loader_next(loader, &batch)
                                   : biost_loader_try_next(loader, &batch);
                    if (result == BIOST_OK && CHECK(index < o->batch_count)) {
                        oracle_check(o, index++, &batch);
                        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
                    } else if (result == BIOST_PENDING) {
                        CHECK(!waits);
                        pending += 1;
                        if (all_workers[w] > 1 && getenv("TEST_EXECUTOR") == NULL) {
                            pause_ms(1);
                        }
                        if (!CHECK(pending < 20000)) {
                            break; /* with 1 worker each call does a piece of work */
                        }
                    }
                }
                CHECK(result == BIOST_END);
                CHECK_EQ_U64(index, o->batch_count);
                CHECK(biost_loader_try_next(loader, NULL) == BIOST_ERR_ARG);
            }
            biost_loader_close(loader);
        }
    }
    setup_end(&s);
}

TEST(try_next, before_begin_with_slots_held_cancelled_and_after_an_error) {
    uint32_t w;
    setup s;
    setup_begin(&s, 60, 0);
    for (w = 0; w < 2; ++w) {
        biost_loader *loader;
        biost_batch held[3], none;
        one_text bad;
        biost_result result;
        uint32_t i;
        s.one.desc.workers = all_workers[w];
        loader = oracle_open(&s.one.desc);
        REQUIRE(loader != NULL);
        CHECK(biost_loader_try_next(loader, &none) == BIOST_ERR_ARG);
        CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
        for (i = 0; i < 3; ++i) {
            CHECK(biost_loader_next(loader, &held[i]) == BIOST_OK);
        }
        for (i = 0; i < 1000 && (result = biost_loader_try_next(loader, &none)) == BIOST_PENDING; ++i) {
            pause_ms(1);
        }
        CHECK_STR(biost_result_name(result), "ERR_SLOTS");
        biost_loader_cancel(loader);
        CHECK(biost_loader_try_next(loader, &none) == BIOST_CANCELLED);
        biost_loader_close(loader);
        one_text_make(&bad, "@a\nAC\n+\nI\n");
        bad.desc.workers = all_workers[w];
        loader = oracle_open(&bad.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        for (i = 0; i < 1000 && (result = biost_loader_try_next(loader, &none)) == BIOST_PENDING; ++i) {
            pause_ms(1);
        }
        CHECK_STR(biost_result_name(result), "ERR_TEXT");
        CHECK(biost_loader_try_next(loader, &none) == BIOST_ERR_TEXT);
        biost_loader_close(loader);
        bytes_free(&bad.text);
    }
    CHECK(biost_loader_try_next(NULL, NULL) == BIOST_ERR_ARG);
    setup_end(&s);
}

/* A host that runs nothing: try_next says PENDING and comes back; the one call that does run is
   next's own. */
typedef struct lazy_host {
    void (*run[300])(void *argument);
    void *argument[300];
    uint32_t count, most;
} lazy_host;

static void lazy_submit(void (*run)(void *argument), void *argument, void *user_data) {
    lazy_host *h = (lazy_host *)user_data;
    if (CHECK(h->count < 300)) {
        h->run[h->count] = run;
        h->argument[h->count++] = argument;
        h->most = h->most > h->count ? h->most : h->count;
    }
}

static uint32_t lazy_run(lazy_host *h) {
    uint32_t ran = 0;
    while (h->count > 0) {
        uint32_t at = --h->count;
        h->run[at](h->argument[at]);
        ++ran;
    }
    return ran;
}

TEST(try_next, a_host_that_runs_nothing_never_blocks_it) {
    uint32_t workers;
    setup s;
    THREADS_KEPT;
    setup_begin(&s, 60, 10);
    for (workers = 2; workers < 5; ++workers) {
        static lazy_host h;
        biost_loader_desc desc = s.one.desc;
        biost_loader *loader;
        biost_batch batch;
        biost_result result;
        size_t index = 0;
        uint32_t i;
        memset(&h, 0, sizeof h);
        desc.workers = workers;
        desc.jobs.submit = lazy_submit;
        desc.jobs.user_data = &h;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        for (i = 0; i < 100; ++i) {
            CHECK(biost_loader_try_next(loader, &batch) == BIOST_PENDING);
        }
        CHECK(h.count >= 1 && h.count <= workers - 1);
        for (i = 0; i < 100000 && index < s.epochs[0].batch_count; ++i) { /* the host runs its calls here */
            result = biost_loader_try_next(loader, &batch);
            if (result == BIOST_OK) {
                oracle_check(&s.epochs[0], index++, &batch);
                CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
            } else {
                CHECK(result == BIOST_PENDING);
                CHECK(lazy_run(&h) > 0); /* or nobody would go on */
            }
        }
        CHECK_EQ_U64(index, s.epochs[0].batch_count);
        for (i = 0; i < 1000 && (result = biost_loader_try_next(loader, &batch)) == BIOST_PENDING; ++i) {
            lazy_run(&h);
        }
        CHECK(result == BIOST_END);
        CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
        oracle_drain(&s.epochs[1], loader, 0); /* next does it alone */
        CHECK(h.most <= workers - 1);
        lazy_run(&h); /* close waits for the calls that were asked for */
        biost_loader_close(loader);
        CHECK_EQ_U64(h.count, 0);
    }
    setup_end(&s);
}

/* ---- set_workers ---- */

TEST(set_workers, at_any_time_changes_nothing) {
    static const uint32_t changes[][8] = {
        {8, 1, 3, 1, 8, 2, 1, 5}, {1, 8, 1, 3, 2, 4, 0, 1}, {2, 1, 2, 1, 2, 1, 2, 1}};
    uint32_t start, change, window;
    for (window = 0; window < 2; ++window) {
        setup s;
        setup_begin(&s, 200, window * 50);
        for (start = 0; start < 4; ++start) {
            for (change = 0; change < 3; ++change) {
                biost_loader *loader;
                uint32_t turn = 0;
                uint64_t epoch;
                s.one.desc.workers = all_workers[start];
                test_note("window %u, from %u workers, change %u", (unsigned)window,
                          (unsigned)all_workers[start], (unsigned)change);
                loader = oracle_open(&s.one.desc);
                REQUIRE(loader != NULL);
                CHECK(biost_loader_set_workers(loader, changes[change][turn++ % 8]) == BIOST_OK);
                for (epoch = 0; epoch < 3; ++epoch) {
                    const oracle *o = &s.epochs[epoch];
                    size_t index;
                    CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
                    for (index = 0; index < o->batch_count; index += 3) {
                        biost_counters counters;
                        uint32_t workers = changes[change][turn++ % 8];
                        take(o, loader, index, 3);
                        CHECK(biost_loader_set_workers(loader, workers) == BIOST_OK);
                        biost_loader_counters(loader, &counters);
                        CHECK(workers > 0 ? counters.workers == workers : counters.workers >= 2);
                    }
                    oracle_drain(o, loader, o->batch_count);
                }
                CHECK(biost_loader_set_workers(loader, 257) == BIOST_ERR_ARG);
                CHECK(strstr(error_of(loader)->text, "256") != NULL);
                biost_loader_close(loader);
            }
        }
        setup_end(&s);
    }
    CHECK(biost_loader_set_workers(NULL, 1) == BIOST_ERR_ARG);
}

TEST(set_workers, with_jobs) {
    static host h;
    uint32_t round;
    setup s;
    THREADS_KEPT;
    setup_begin(&s, 200, 30);
    host_begin(&h, 3);
    for (round = 0; round < 10; ++round) {
        static const uint32_t changes[] = {1, 8, 1, 3, 2, 5};
        biost_loader_desc desc = s.one.desc;
        biost_loader *loader;
        uint64_t epoch;
        uint32_t turn = round;
        desc.workers = 1 + round % 5;
        desc.jobs.submit = host_submit;
        desc.jobs.user_data = &h;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL);
        for (epoch = 0; epoch < 3; ++epoch) {
            size_t index;
            CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
            for (index = 0; index < s.epochs[epoch].batch_count; index += 4) {
                take(&s.epochs[epoch], loader, index, 4);
                CHECK(biost_loader_set_workers(loader, changes[turn++ % 6]) == BIOST_OK);
            }
            oracle_drain(&s.epochs[epoch], loader, s.epochs[epoch].batch_count);
        }
        biost_loader_close(loader);
        CHECK(h.count == 0);
        CHECK(h.most_waiting <=
              7); /* not those that ran: a call whose work has ended may not have returned yet */
    }
    host_end(&h);
    setup_end(&s);
}
