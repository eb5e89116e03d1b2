/*
 * test_store_host.c - a host and its loaders over stores: the bound of memory, calls of the system that fail, cancel
 * and close at any time, two loaders on one store at once, a store that is lent, workers that change, a job system of
 * the host, tensors lent to other libraries.
 *
 * rooms: storefeed plan store
 * needs: loader stores threads hooks
 */
#include "failing.h"

#include "loader_oracle.h"

#include "job_host.h"

#include "store_loader.h"
#include "leave_loader.h"

#define HOST_CASE(i) ((i) % (uint32_t)STORE_CASES)

/* ---- memory ---- */

/* Two epochs with every slot held once. */
static void host_hold_all(const biost_loader_desc *desc, uint64_t batches) {
    biost_loader *loader = oracle_open(desc);
    biost_batch held[9];
    uint64_t epoch;
    uint32_t count, i;
    for (epoch = 0; loader != NULL && epoch < 2; ++epoch) {
        CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
        for (count = 0; count < desc->slots && biost_loader_next(loader, &held[count]) == BIOST_OK; ++count) {
        }
        if (count == desc->slots) {
            biost_result result = biost_loader_next(loader, &held[8]);
            CHECK(result == BIOST_ERR_SLOTS || (result == BIOST_END && desc->slots >= batches));
        }
        for (i = 0; i < count; ++i) {
            CHECK(biost_loader_release(loader, &held[count - 1 - i]) == BIOST_OK);
        }
        (void)store_drain(loader, count);
    }
    biost_loader_close(loader);
}

TEST(store_host, memory_is_bounded) {
    uint64_t random = test_seed() + 51;
    uint32_t i;
    stores_begin();
    for (i = 0; i < STORE_CASES; ++i) {
        biost_group groups[4];
        biost_loader_desc desc = store_desc_of(&store_cases[i], groups);
        counted count;
        uint64_t most;
        test_note("case %u", (unsigned)i);
        desc.allocator = counted_allocator(&count);
        store_machine(&desc, &random);
        most = biost_loader_memory(&desc);
        host_hold_all(&desc, store_cases[i].epochs[0].batches);
        CHECK_EQ_U64(count.blocks, 0);
        CHECK_EQ_U64(count.peak_bytes, most); /* all is allocated at open */
    }
    stores_end();
}

/* A store has a record of 5000 bases that labels.make sees whole. */
static int host_make(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    uint32_t label = (uint32_t)record->seq_bases;
    (void)id;
    (void)user_data;
    CHECK(record->seq_bases == 0 || strchr("ACGT", record->seq[record->seq_bases - 1]) != NULL);
    memcpy(out_label, &label, sizeof label);
    return 1;
}

TEST(store_host, memory_with_whole_records) {
    bytes text = {NULL, 0, 0};
    biost_memory memory;
    biost_loader_desc desc;
    biost_loader *loader;
    biost_batch batch;
    biost_store *store;
    counted count;
    uint32_t i;
    for (i = 0; i < 5004; ++i) {
        bytes_words(&text, i == 0 ? ">a\n" : i == 5001 ? "\n>b\n" : "");
        bytes_byte(&text, (uint8_t) "ACGT"[i * i % 7 % 4]);
    }
    memory.data = text.data;
    memory.bytes = text.count;
    memory.name = "long";
    store = store_of(&memory, 1, 0, 0);
    memset(&desc, 0, sizeof desc);
    desc.store = store;
    desc.row_bases = 9;
    desc.long_records = BIOST_LONG_SPLIT;
    desc.batch_rows = 64;
    desc.workers = 3;
    desc.slots = 2;
    desc.labels.make = host_make;
    desc.labels.dtype = BIOST_DTYPE_I32;
    desc.allocator = counted_allocator(&count);
    loader = oracle_open(&desc);
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            const biost_tensor *labels = biost_batch_tensor(&batch, BIOST_ROLE_LABEL);
            for (i = 0; CHECK(labels != NULL) && i < batch.valid_rows; ++i) {
                CHECK_EQ_U64(((const uint32_t *)labels->data)[i], batch.origins[i].id == 0 ? 5001 : 3);
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
    }
    CHECK(count.peak_bytes <= biost_loader_memory(&desc));
    biost_loader_close(loader);
    CHECK_EQ_U64(count.blocks, 0);
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
    bytes_free(&text);
}

/* ---- calls that fail ---- */

/* Open and run with call number `at` of a kind failing. Returns whether one failed. */
static int host_fails(biost_loader_desc *desc, call_kind kind, unsigned long at, int on,
                      const store_epoch *want) {
    biost_loader *loader = NULL;
    biost_error error;
    biost_result result;
    memset(&error, 0, sizeof error);
    calls_begin(kind, at, on);
    result = biost_loader_open(desc, &loader, &error);
    if (result != BIOST_OK) {
        CHECK(loader == NULL && calls.refused);
        CHECK(result == (kind == CALL_ALLOC ? BIOST_ERR_NOMEM : BIOST_ERR_THREAD));
        CHECK(strlen(error.text) > 0);
    } else if (CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        store_epoch got = store_drain(loader, 0);
        store_check(&got, want);
    }
    biost_loader_close(loader);
    check_nothing_left();
    return calls.refused;
}

TEST(store_host, failing_calls) {
    static const call_kind kinds[] = {CALL_ALLOC, CALL_MUTEX, CALL_CONDITION, CALL_THREAD};
    uint64_t random = test_seed() + 52;
    uint32_t i, k;
    stores_begin();
    for (i = 0; i < STORE_CASES; i += test_effort(9, 2)) {
        biost_group groups[4];
        biost_loader_desc desc = store_desc_of(&store_cases[i], groups);
        store_machine(&desc, &random);
        desc.allocator.alloc = hook_alloc;
        desc.allocator.free = hook_free;
        desc.allocator.user_data = &calls;
        for (k = 0; k < 8; ++k) {
            unsigned long at = 1;
            desc.workers = kinds[k % 4] == CALL_THREAD ? 4 : desc.workers;
            test_note("case %u, %s", (unsigned)i, call_names[kinds[k % 4]]);
            while (host_fails(&desc, kinds[k % 4], at, k / 4 == 1, &store_cases[i].epochs[0]) && at < 100) {
                ++at;
            }
            CHECK(at < 100);
        }
    }
    calls_begin(CALL_ALLOC, 0, 0);
    stores_end();
}

/* ---- cancel and close ---- */

TEST(store_host, left_at_any_time) {
    uint64_t random = test_seed() + 53;
    uint32_t i;
    THREADS_KEPT;
    stores_begin();
    for (i = 0; i < test_effort(500, 3000); ++i) {
        biost_group groups[4];
        biost_loader_desc desc = store_desc_of(&store_cases[HOST_CASE(i)], groups);
        store_machine(&desc, &random);
        test_note("case %u, way %u", (unsigned)HOST_CASE(i), (unsigned)(i % 6));
        host_leave(&desc, random_below(&random, 7), i % 6);
    }
    stores_end();
}

/* ---- a store that is lent ---- */

typedef struct host_job {
    const store_case *c;
    uint64_t seed;
    store_epoch got;
} host_job;

static void *host_run(void *argument) {
    host_job *job = (host_job *)argument;
    biost_group groups[4];
    biost_loader_desc desc = store_desc_of(job->c, groups);
    job->got = store_run(&desc, 1, 1, &job->seed);
    return NULL;
}

TEST(store_host, loaders_at_once) {
    uint32_t i, k;
    THREADS_KEPT;
    stores_begin();
    for (i = 0; i < test_effort(60, 150); ++i) {
        host_job jobs[3];
        pthread_t threads[3];
        for (k = 0; k < 3; ++k) { /* cases 5 apart are of one kind, and often of one store */
            jobs[k].c = &store_cases[HOST_CASE(i + k / 2 * 5)];
            jobs[k].seed = test_seed() + i * 3 + k;
            CHECK(pthread_create(&threads[k], NULL, host_run, &jobs[k]) == 0);
        }
        for (k = 0; k < 3; ++k) {
            CHECK(pthread_join(threads[k], NULL) == 0);
            store_check(&jobs[k].got, &jobs[k].c->epochs[1]);
        }
    }
    stores_end();
}

TEST(store_host, a_lent_store_stays_open) {
    const biost_memory memory = {store_text_g, sizeof store_text_g - 1, "g"};
    biost_store *store = store_of(&memory, 1, 0, 1);
    biost_loader *loaders[2];
    biost_loader_desc desc;
    biost_error error;
    biost_group groups[2];
    memset(&desc, 0, sizeof desc);
    memset(groups, 0, sizeof groups);
    desc.store = store;
    desc.row_bases = 50;
    desc.long_records = BIOST_LONG_SPLIT;
    loaders[0] = oracle_open(&desc);
    groups[0].store = groups[1].store = store;
    groups[0].weight = groups[1].weight = 1;
    desc.store = NULL;
    desc.groups = groups;
    desc.group_count = 2;
    loaders[1] = oracle_open(&desc);
    CHECK(biost_store_close(store, &error) == BIOST_ERR_ARG);
    CHECK(error.fault == BIOST_FAULT_MISUSE && strstr(error.text, "close the loader first") != NULL);
    biost_loader_close(loaders[0]);
    CHECK(biost_store_close(store, &error) == BIOST_ERR_ARG);
    if (loaders[1] != NULL && CHECK(biost_loader_begin(loaders[1], 0) == BIOST_OK)) {
        CHECK(store_drain(loaders[1], 0).rows > 0); /* the store is whole after that */
    }
    biost_loader_close(loaders[1]);
    desc.seed = 1;
    desc.row_bases = 0; /* refused: nothing stays lent */
    CHECK(biost_loader_open(&desc, &loaders[0], &error) == BIOST_ERR_ARG);
    CHECK(biost_store_close(store, &error) == BIOST_OK);
    CHECK(biost_store_close(NULL, NULL) == BIOST_OK);
}

/* ---- workers, jobs, calls that do not wait ---- */

TEST(store_host, workers_change) {
    uint64_t random = test_seed() + 54;
    uint32_t i;
    stores_begin();
    for (i = 0; i < STORE_CASES; i += test_effort(3, 1)) {
        biost_group groups[4];
        biost_loader_desc desc = store_desc_of(&store_cases[i], groups);
        biost_loader *loader;
        biost_batch batch;
        store_epoch got = {0, 0, 0};
        biost_result result = BIOST_PENDING;
        test_note("case %u", (unsigned)i);
        store_machine(&desc, &random);
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
                CHECK(biost_loader_release(loader, &batch) == BIOST_ERR_ARG);
            }
        }
        CHECK(result == BIOST_END);
        store_check(&got, &store_cases[i].epochs[2]);
        biost_loader_close(loader);
    }
    stores_end();
}

TEST(store_host, jobs_of_the_host) {
    static host h;
    uint64_t random = test_seed() + 55;
    uint32_t i, e;
    THREADS_KEPT;
    stores_begin();
    host_begin(&h, 3);
    for (i = 0; i < STORE_CASES; i += test_effort(3, 1)) {
        biost_group groups[4];
        biost_loader_desc desc = store_desc_of(&store_cases[i], groups);
        biost_loader *loader;
        test_note("case %u", (unsigned)i);
        store_machine(&desc, &random);
        desc.test.order_seed = 0;
        desc.workers = 2 + random_below(&random, 3);
        desc.jobs.submit = host_submit;
        desc.jobs.user_data = &h;
        loader = oracle_open(&desc);
        for (e = 0; loader != NULL && e < 3; ++e) {
            store_epoch got;
            CHECK(biost_loader_begin(loader, store_epochs[e]) == BIOST_OK);
            got = store_drain(loader, 0);
            store_check(&got, &store_cases[i].epochs[e]);
        }
        biost_loader_close(loader);
    }
    host_end(&h);
    stores_end();
}

/* ---- tensors lent on ---- */

/* DLManagedTensor: a DLTensor of 48 bytes where pointers have 8, a pointer for the maker, the deleter. */
typedef struct host_managed {
    void *data;
    int32_t device[2], dimensions;
    uint8_t type[4];
    int64_t *shape, *strides;
    uint64_t byte_offset;
    void *maker;
    void (*deleter)(struct host_managed *self);
} host_managed;

TEST(store_host, tensors_outlive_loader_and_store) {
    const biost_memory memory = {store_text_q, sizeof store_text_q - 1, "q"};
    biost_store *store = store_of(&memory, 1, 1, 1);
    biost_loader_desc desc;
    biost_loader *loader;
    biost_batch batch;
    host_managed *managed = NULL;
    void *out = NULL;
    uint8_t *copy = NULL;
    size_t count = 0;
    memset(&desc, 0, sizeof desc);
    desc.store = store;
    desc.row_bases = 64;
    desc.batch_rows = 16;
    desc.order = BIOST_ORDER_EXACT;
    desc.workers = 3;
    loader = oracle_open(&desc);
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK) &&
        CHECK(biost_loader_next(loader, &batch) == BIOST_OK)) {
        CHECK(biost_loader_export(loader, &batch, 0, 0, &out) == BIOST_OK);
        count = (size_t)batch.tensors[0].bytes;
        copy = test_copy(batch.tensors[0].data, count);
    }
    biost_loader_close(loader);
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
    managed = (host_managed *)out;
    if (managed != NULL && copy != NULL) {
        CHECK_MEM(managed->data, copy, count);
        managed->deleter(managed);
    }
    free(copy);
}
