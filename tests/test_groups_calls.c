/*
 * test_groups_calls.c - groups: shares, long records in several open files, memory, and calls at any time: cancel,
 * close, another epoch in the middle, try_next, a host's jobs, all slots held.
 *
 * rooms: groups loader
 * needs: loader threads library
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

#include "groups_model.h"
#include "job_host.h"
#include "patience.h"

/* A test that never comes back is ended. */
static void watch(unsigned seconds) {
    patience_alarm(seconds * test_effort(1, 10));
}

/* ---- shares ---- */

TEST(groups_calls, shares_are_exact) {
    uint64_t random = test_seed() + 41;
    uint32_t round, i;
    for (round = 0; round < test_effort(200, 1000); ++round) {
        static model_case c;
        uint64_t sum = 0, divisor = 0, n = 0, at_sum[MODEL_GROUPS] = {0}, counts[MODEL_GROUPS] = {0};
        uint32_t groups = 2 + random_below(&random, MODEL_GROUPS - 1), most = 1 + random_below(&random, 40);
        biost_loader *loader;
        biost_batch batch;
        model_begin(&c);
        for (i = 0; i < groups; ++i) {
            model_add_file(&c, 0, 1 + random_below(&random, 5), 1, 9, &random);
            model_group(&c, NULL, i, 1, 1 + random_below(&random, most));
            divisor = model_divisor(divisor, c.groups[i].weight);
            sum += c.groups[i].weight;
        }
        sum /= divisor;
        c.desc.batch_rows = 1 + random_below(&random, 30);
        c.desc.shuffle_rows = random_below(&random, 20);
        c.desc.epoch_end = BIOST_EPOCH_END_ROWS;
        c.desc.epoch_rows = 3 * sum;
        c.desc.allow_unseen = 1;
        c.desc.tail = BIOST_TAIL_SHORT;
        test_note("list %u of %u groups, sum %u", (unsigned)round, (unsigned)groups, (unsigned)sum);
        loader = oracle_open(&c.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            uint64_t of_batch[MODEL_GROUPS] = {0};
            uint32_t row;
            for (row = 0; row < batch.valid_rows; ++row) {
                uint32_t group = batch.origins[row].group;
                CHECK_EQ_U64(batch.origins[row].id >> 40, group);
                ++counts[group];
                ++of_batch[group];
                ++n;
                for (i = 0; i < groups; ++i) {
                    int64_t off = (int64_t)(counts[i] * sum) - (int64_t)(n * c.groups[i].weight / divisor);
                    CHECK(off > -(int64_t)sum && off < (int64_t)sum);
                    if (n % sum == 0) {
                        CHECK_EQ_U64(counts[i] - at_sum[i], c.groups[i].weight / divisor);
                        at_sum[i] = counts[i];
                    }
                }
            }
            for (i = 0; i < groups; ++i) {
                int64_t off = (int64_t)(of_batch[i] * sum) -
                              (int64_t)(batch.valid_rows * (c.groups[i].weight / divisor));
                CHECK(off > -2 * (int64_t)sum && off < 2 * (int64_t)sum);
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        CHECK_EQ_U64(n, 3 * sum);
        biost_loader_close(loader);
        model_free(&c);
    }
}

/* ---- long records ---- */

/* Groups whose files have long records at random places, some bad. */
static void long_case(model_case *c, uint64_t *random) {
    uint32_t i, k, groups = 1 + random_below(random, 3), files = 1 + random_below(random, 4);
    int is_split = random_below(random, 3) == 0;
    model_begin(c);
    c->desc.long_records = is_split ? BIOST_LONG_SPLIT : BIOST_LONG_TAIL;
    c->desc.row_bases = is_split ? 1000 : 50;
    c->desc.filter.max_length = random_below(random, 3) == 0 ? 40000 : 0; /* FASTA is held whole then */
    c->desc.shuffle_rows = random_below(random, 3) == 0 ? 0 : random_below(random, 60);
    c->desc.text.skip_bad = random_below(random, 2) * random_below(random, 4);
    c->desc.batch_rows = 12;
    for (i = 0; i < groups; ++i) {
        int fasta = random_below(random, 2) == 0;
        for (k = 0; k < files; ++k) {
            uint32_t number = c->file_count, records = 1 + random_below(random, 6), r;
            model_file *file = &c->files[number];
            int was_bad = 0;
            file->fasta = fasta;
            file->line_bases = random_below(random, 2) == 0 ? 0 : 60;
            for (r = 0; r < records; ++r) {
                int bad = !was_bad && random_below(random, 12) == 0;
                model_add_record(file,
                                 random_below(random, 3) == 0 ? 10000 + random_below(random, 60000)
                                                              : random_below(random, 30),
                                 bad, random);
                was_bad = bad;
            }
            model_put_file(c, number, random_below(random, 4), random);
        }
        model_group(c, NULL, i * files, files, groups == 1 ? 1 : 1 + random_below(random, 3));
    }
    c->desc.open_files = 1 + random_below(random, files);
    c->desc.shuffle_files = files > 1 && random_below(random, 2) == 0;
}

TEST(groups_calls, long_records_in_several_files) {
    static const uint32_t pages[] = {3000, 10000, 50000, 0};
    uint64_t random = test_seed() + 42;
    uint32_t round;
    watch(100);
    for (round = 0; round < test_effort(40, 200); ++round) {
        static model_case c;
        biost_loader_desc desc;
        long_case(&c, &random);
        desc = model_machine(&c, &random);
        desc.test.page_bytes = RANDOM_OF(&random, pages);
        desc.test.chunk_bytes = 20000;
        desc.max_record_bytes = c.desc.max_record_bytes = 200000;
        test_note("round %u", (unsigned)round);
        model_run(&c, &desc, 0, 2);
        model_free(&c);
    }
    alarm(0);
}

/* ---- memory ---- */

/* 64 open files, of which many have a record of exactly the cap at the same turn. */
TEST(groups_calls, memory_of_64_open_files) {
    uint64_t random = test_seed() + 43;
    uint32_t round, i, k;
    watch(100);
    for (round = 0; round < 6; ++round) {
        static model_case c;
        counted count;
        biost_loader_desc desc;
        uint64_t bound;
        uint32_t cap = round % 3 == 0 ? 1501 : round % 3 == 1 ? 70001 : 40001;
        model_begin(&c);
        c.desc.row_bases = 40;
        c.desc.long_records = round % 2 == 0 ? BIOST_LONG_HEAD : BIOST_LONG_CENTER;
        c.desc.filter.max_length = round % 4 == 1 ? 100 : 0;
        c.desc.max_record_bytes = cap;
        c.desc.shuffle_rows = 30 * (round % 3);
        c.desc.epochs = 2;
        for (i = 0; i < 64; ++i) {
            model_file *file = &c.files[i];
            file->fasta = i >= 32;
            for (k = 0; k < 6; ++k) {
                uint32_t title = (uint32_t)(sizeof "@f_0 of this\n" - 1 + (i > 9 ? 2 : 1));
                int is_long = k == 2 || k == 3 + i % 3;
                model_add_record(file,
                                 !is_long      ? random_below(&random, 30)
                                 : file->fasta ? cap - title
                                               : (cap - title - 3) / 2,
                                 0, &random);
            }
            model_put_file(&c, i, i % 8 == 1 || cap < 40000 ? i % 4 : 0, &random);
        }
        model_group(&c, "fastq", 0, 32, 2);
        model_group(&c, "fasta", 32, 32, 3);
        c.desc.open_files = 32;
        desc = c.desc;
        desc.workers = 1 + round % 4;
        desc.test.page_bytes = round % 4 == 3 ? 0 : 5000;
        desc.test.order_seed = round % 5 == 0 ? round + 1 : 0;
        bound = biost_loader_memory(&desc);
        desc.allocator = counted_allocator(&count);
        test_note("round %u", (unsigned)round);
        model_run(&c, &desc, 0, 2);
        if (!CHECK(count.peak_bytes <= bound)) {
            printf("    bound %llu, peak %llu\n", (unsigned long long)bound,
                   (unsigned long long)count.peak_bytes);
        }
        CHECK_EQ_U64(count.blocks, 0);
        model_free(&c);
    }
    alarm(0);
}

TEST(groups_calls, bound_of_64_open_files) {
    static biost_memory memories[64];
    biost_loader_desc desc;
    uint32_t workers;
    memset(&desc, 0, sizeof desc);
    desc.memories = memories;
    desc.memory_count = 64;
    desc.row_bases = 150;
    desc.open_files = 64;
    for (workers = 1; workers <= 64; workers *= 4) {
        desc.workers = workers;
        test_note("%u workers: %u MiB", (unsigned)workers, (unsigned)(biost_loader_memory(&desc) >> 20));
        CHECK(biost_loader_memory(&desc) < (uint64_t)512 << 20);
    }
}

/* ---- calls at any time ---- */

static void *cancel_it(void *argument) {
    biost_loader_cancel((biost_loader *)argument);
    return NULL;
}

/* Cancel from another thread after some batches, at another place each time. */
TEST(groups_calls, cancel_at_any_time) {
    uint64_t random = test_seed() + 44;
    uint32_t round;
    watch(60);
    for (round = 0; round < test_effort(60, 200); ++round) {
        static model_case c;
        biost_loader_desc desc;
        biost_loader *loader;
        biost_batch batch;
        biost_result result = BIOST_OK;
        counted count;
        pthread_t thread;
        uint32_t batches = random_below(&random, 8), held = 0;
        model_random(&c, &random);
        desc = model_machine(&c, &random);
        desc.test.order_seed = 0;
        desc.allocator = counted_allocator(&count);
        test_note("round %u", (unsigned)round);
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL);
        CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
        for (; batches > 0 && (result = biost_loader_next(loader, &batch)) == BIOST_OK; --batches) {
            held = batches % 2 == 0 && desc.slots > 2;
            CHECK(held || biost_loader_release(loader, &batch) == BIOST_OK);
            if (held) {
                break;
            }
        }
        REQUIRE(pthread_create(&thread, NULL, cancel_it, loader) == 0);
        while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        CHECK(result == BIOST_CANCELLED || result == BIOST_END || result == BIOST_ERR_ARG ||
              result == BIOST_ERR_SLOTS);
        pthread_join(thread, NULL);
        if (result != BIOST_ERR_ARG) {
            CHECK(biost_loader_next(loader, &batch) == BIOST_CANCELLED);
        }
        biost_loader_close(loader);
        CHECK_EQ_U64(count.blocks, 0);
        model_free(&c);
    }
    alarm(0);
}

/* Epochs begun in the middle of others, in any order; what comes then is whole. Closed anywhere. */
TEST(groups_calls, epochs_left_in_the_middle) {
    uint64_t random = test_seed() + 45;
    uint32_t round, k, i;
    watch(60);
    for (round = 0; round < test_effort(60, 200); ++round) {
        static model_case c;
        biost_loader_desc desc;
        biost_loader *loader;
        biost_batch batch;
        counted count;
        model_random(&c, &random);
        desc = model_machine(&c, &random);
        desc.allocator = counted_allocator(&count);
        test_note("round %u", (unsigned)round);
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL);
        for (k = 0; k < 4; ++k) {
            uint64_t epoch = random_below(&random, 5);
            uint32_t most = k == 2 ? UINT32_MAX : random_below(&random, 6);
            biost_result result = BIOST_OK;
            model_epoch e;
            model_make(&c, &e, epoch);
            if (biost_loader_begin(loader, epoch) != BIOST_OK) {
                CHECK(e.failed);
                model_epoch_free(&e);
                break;
            }
            for (i = 0; i < most; ++i) {
                do {
                    result = k % 2 == 0 ? biost_loader_try_next(loader, &batch)
                                        : biost_loader_next(loader, &batch);
                } while (result == BIOST_PENDING);
                if (result != BIOST_OK) {
                    CHECK_EQ_U64(i, model_batches(&c, &e));
                    break;
                }
                if (!model_check_batch(&c, &desc, &e, i, &batch)) {
                    break;
                }
                CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
            }
            model_epoch_free(&e);
        }
        biost_loader_close(loader);
        CHECK_EQ_U64(count.blocks, 0);
        model_free(&c);
    }
    alarm(0);
}

TEST(groups_calls, jobs_of_a_host) {
    static host h;
    uint64_t random = test_seed() + 46;
    uint32_t round;
    THREADS_KEPT;
    watch(60);
    for (round = 0; round < 20; ++round) {
        static model_case c;
        biost_loader_desc desc;
        model_random(&c, &random);
        desc = model_machine(&c, &random);
        desc.workers = 2 + round % 3;
        desc.test.order_seed = 0;
        host_begin(&h, 1 + round % HOST_THREADS);
        desc.jobs.submit = host_submit;
        desc.jobs.user_data = &h;
        test_note("round %u", (unsigned)round);
        model_run(&c, &desc, 0, 2);
        host_end(&h);
        model_free(&c);
    }
    alarm(0);
}

/* All slots held: next says so, and after a release the epoch goes on as if nothing had been. */
TEST(groups_calls, all_slots_held) {
    uint64_t random = test_seed() + 47;
    uint32_t round;
    watch(60);
    for (round = 0; round < 30; ++round) {
        static model_case c;
        biost_loader_desc desc;
        biost_batch held[3], more;
        biost_loader *loader;
        biost_result result = BIOST_OK;
        model_epoch e;
        uint32_t count = 0, i;
        model_random(&c, &random);
        desc = model_machine(&c, &random);
        desc.slots = 1 + round % 3;
        test_note("round %u", (unsigned)round);
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        model_make(&c, &e, 0);
        while (count < desc.slots && (result = biost_loader_next(loader, &held[count])) == BIOST_OK) {
            ++count;
        }
        if (result == BIOST_OK) {
            result = biost_loader_next(loader, &more);
            CHECK(result == BIOST_ERR_SLOTS || count == model_batches(&c, &e));
            for (i = 0; i < count; ++i) {
                (void)model_check_batch(&c, &desc, &e, i, &held[i]);
                CHECK(biost_loader_release(loader, &held[i]) == BIOST_OK);
            }
            (void)model_drain(&c, &desc, &e, loader, count);
        }
        biost_loader_close(loader);
        model_epoch_free(&e);
        model_free(&c);
    }
    alarm(0);
}
