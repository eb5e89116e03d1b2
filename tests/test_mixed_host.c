/*
 * test_mixed_host.c - a host and its loaders of stores beside text: the bound of memory, calls of the system that fail,
 * cancel and close at any time, stores that are lent, workers that change.
 *
 * rooms: plan storefeed loader
 * needs: loader stores threads hooks
 */
#include "failing.h"

#include "loader_oracle.h"

#include "store_loader.h"

#include "mixed.h"
#include "leave_loader.h"

#define HOST_CASE(i) ((i) % (uint32_t)MIXED_CASES)

TEST(mixed_host, memory_is_bounded) {
    uint64_t random = test_seed() + 81;
    uint32_t i, e;
    stores_begin();
    for (i = 0; i < MIXED_CASES; ++i) {
        mixed_parts parts;
        biost_loader_desc desc = mixed_desc(&mixed_cases[i], &parts);
        biost_loader *loader;
        counted count;
        uint64_t most;
        test_note("case %u", (unsigned)i);
        desc.allocator = counted_allocator(&count);
        desc.max_record_bytes = 4096;
        mixed_machine(&desc, &random);
        most = biost_loader_memory(&desc);
        loader = oracle_open(&desc);
        for (e = 0; loader != NULL && e < 2; ++e) {
            biost_batch held[8];
            uint32_t k, taken = 0;
            CHECK(biost_loader_begin(loader, e) == BIOST_OK);
            while (taken < desc.slots && biost_loader_next(loader, &held[taken]) == BIOST_OK) {
                ++taken;
            }
            for (k = 0; k < taken; ++k) {
                CHECK(biost_loader_release(loader, &held[k]) == BIOST_OK);
            }
            (void)store_drain(loader, taken);
        }
        biost_loader_close(loader);
        CHECK_EQ_U64(count.blocks, 0);
        CHECK(count.peak_bytes <= most);
    }
    stores_end();
}

/* ---- calls that fail ---- */

/* Open and run with call number `at` of a kind failing. Returns whether one failed. */
static int host_fails(biost_loader_desc *desc, call_kind kind, unsigned long at, int on,
                      const store_epoch *want) {
    biost_loader *loader = NULL;
    biost_error error;
    biost_result result;
    biost_batch batch;
    store_epoch got = {0, 0, 0};
    memset(&error, 0, sizeof error);
    calls_begin(kind, at, on);
    result = biost_loader_open(desc, &loader, &error);
    if (result != BIOST_OK) {
        CHECK(loader == NULL && calls.refused && strlen(error.text) > 0);
    } else if (CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
            got.batches++;
            got.rows += batch.valid_rows;
            got.digest += batch.digest;
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        if (result == BIOST_END) {
            store_check(&got, want);
        } else { /* the buffer of long records, or memory to decode ahead */
            CHECK(call_refused() && result == BIOST_ERR_NOMEM);
            CHECK(biost_loader_next(loader, &batch) == result);
        }
    }
    biost_loader_close(loader);
    check_nothing_left();
    return calls.refused;
}

TEST(mixed_host, failing_calls) {
    static const call_kind kinds[] = {CALL_ALLOC, CALL_MUTEX, CALL_CONDITION, CALL_THREAD};
    uint64_t random = test_seed() + 82;
    uint32_t i, k;
    stores_begin();
    for (i = 0; i < MIXED_CASES; i += test_effort(9, 2)) {
        mixed_parts parts;
        biost_loader_desc desc = mixed_desc(&mixed_cases[i], &parts);
        mixed_machine(&desc, &random);
        desc.test.page_bytes = 64; /* records are longer */
        desc.allocator.alloc = hook_alloc;
        desc.allocator.free = hook_free;
        desc.allocator.user_data = &calls;
        for (k = 0; k < 8; ++k) {
            unsigned long at = 1;
            desc.workers = kinds[k % 4] == CALL_THREAD ? 4 : desc.workers;
            test_note("case %u, %s", (unsigned)i, call_names[kinds[k % 4]]);
            while (host_fails(&desc, kinds[k % 4], at, k / 4 == 1, &mixed_cases[i].epochs[0]) && at < 100) {
                ++at;
            }
            CHECK(at < 100);
        }
    }
    calls_begin(CALL_ALLOC, 0, 0);
    stores_end();
}

/* ---- cancel and close ---- */

TEST(mixed_host, left_at_any_time) {
    uint64_t random = test_seed() + 83;
    uint32_t i;
    THREADS_KEPT;
    stores_begin();
    for (i = 0; i < test_effort(400, 3000); ++i) {
        mixed_parts parts;
        biost_loader_desc desc = mixed_desc(&mixed_cases[HOST_CASE(i)], &parts);
        mixed_machine(&desc, &random);
        test_note("case %u, way %u", (unsigned)HOST_CASE(i), (unsigned)(i % 6));
        host_leave(&desc, random_below(&random, 7), i % 6);
    }
    stores_end();
}

TEST(mixed_host, a_lent_store_stays_open) {
    const biost_memory memory = {store_text_q, sizeof store_text_q - 1, "q"};
    biost_store *store = store_of(&memory, 1, 0, 1);
    biost_loader *loader;
    biost_loader_desc desc;
    biost_error error;
    biost_group groups[2];
    memset(&desc, 0, sizeof desc);
    memset(groups, 0, sizeof groups);
    groups[0].input_count = 1;
    groups[1].store = store;
    groups[0].weight = groups[1].weight = 1;
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.groups = groups;
    desc.group_count = 2;
    desc.row_bases = 50;
    desc.long_records = BIOST_LONG_HEAD;
    loader = oracle_open(&desc);
    CHECK(biost_store_close(store, &error) == BIOST_ERR_ARG);
    CHECK(error.fault == BIOST_FAULT_MISUSE && strstr(error.text, "close the loader first") != NULL);
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        CHECK_EQ_U64(store_drain(loader, 0).rows, 120); /* the store is whole after that */
    }
    biost_loader_close(loader);
    desc.order = BIOST_ORDER_HELIXER; /* refused: nothing stays lent */
    CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_ARG);
    CHECK(biost_store_close(store, &error) == BIOST_OK);
}

TEST(mixed_host, workers_change) {
    uint64_t random = test_seed() + 84;
    uint32_t i;
    stores_begin();
    for (i = 0; i < MIXED_CASES; i += test_effort(3, 1)) {
        mixed_parts parts;
        biost_loader_desc desc = mixed_desc(&mixed_cases[i], &parts);
        biost_loader *loader;
        biost_batch batch;
        store_epoch got = {0, 0, 0};
        biost_result result = BIOST_PENDING;
        test_note("case %u", (unsigned)i);
        mixed_machine(&desc, &random);
        loader = oracle_open(&desc);
        if (loader == NULL || !CHECK(biost_loader_begin(loader, STORE_FAR_EPOCH) == BIOST_OK)) {
            break;
        }
        while (result == BIOST_OK || result == BIOST_PENDING) {
            result = random_below(&random, 2) == 0 ? biost_loader_try_next(loader, &batch)
                                                   : biost_loader_next(loader, &batch);
            if (result == BIOST_OK) {
                got.batches++;
                got.rows += batch.valid_rows;
                got.digest += batch.digest;
                CHECK(biost_loader_set_workers(loader, 1 + random_below(&random, 9)) == BIOST_OK);
                CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
            }
        }
        CHECK(result == BIOST_END);
        store_check(&got, &mixed_cases[i].epochs[2]);
        biost_loader_close(loader);
    }
    stores_end();
}
