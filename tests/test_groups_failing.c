/*
 * test_groups_failing.c - groups over files: each call of the system that can fail fails in its turn, at open and later.
 * What comes then is an error, which stays, and nothing is left behind.
 *
 * rooms: groups textfeed
 * needs: loader threads hooks
 */
#include "failing.h"

#include "loader_oracle.h"

#include "groups_model.h"
#include "patience.h"

static const char *const file_names[] = {"g0", "g1", "g2", "g3", "g4"};

enum { FAILING_FILES = 5 };

/* Two groups of small files, in each of which one record needs the buffer of long records. */
static void failing_case(model_case *c, const char **paths, uint64_t *random) {
    uint32_t i, k;
    model_begin(c);
    for (i = 0; i < FAILING_FILES; ++i) {
        c->files[i].fasta = i >= 3;
        for (k = 0; k < 8; ++k) {
            model_add_record(&c->files[i], k == 4 ? 700 : random_below(random, 30), 0, random);
        }
        model_put_file(c, i, i % 4, random);
        paths[i] = file_path(file_names[i]);
        file_write(paths[i], c->files[i].input.data, c->files[i].input.count);
    }
    model_group(c, "fastq", 0, 3, 2);
    model_group(c, NULL, 3, 2, 1);
    c->desc.open_files = 2;
    c->desc.shuffle_files = 1;
    c->desc.shuffle_rows = 9;
    c->desc.long_records = BIOST_LONG_HEAD;
    c->desc.filter.max_length = 600;
    c->desc.memories = NULL;
    c->desc.memory_count = 0;
    c->desc.paths = paths;
    c->desc.path_count = FAILING_FILES;
    c->desc.epochs = 2;
    c->desc.test.page_bytes = 100;
    c->desc.allocator.alloc = hook_alloc;
    c->desc.allocator.free = hook_free;
    c->desc.allocator.user_data = &calls;
}

/* Two epochs while a call fails. Rows that come are those of the model up to the batch before an error. */
static void failing_run(const model_case *c, const biost_loader_desc *desc) {
    biost_loader *loader = NULL;
    biost_error error;
    biost_batch batch;
    biost_result result = biost_loader_open(desc, &loader, &error);
    uint64_t epoch;
    if (result != BIOST_OK) {
        CHECK(call_refused() && loader == NULL && result < 0 && error.text[0] != '\0');
        return;
    }
    for (epoch = 0; epoch < 2 && result >= 0; ++epoch) {
        model_epoch e;
        size_t i = 0;
        uint8_t state[MODEL_STATE];
        size_t bytes_of_state;
        result = biost_loader_begin(loader, epoch);
        if (result < 0) {
            CHECK(call_refused());
            break;
        }
        model_make(c, &e, epoch);
        for (; (result = biost_loader_next(loader, &batch)) == BIOST_OK; ++i) {
            if (!call_refused()) {
                (void)model_check_batch(c, desc, &e, i, &batch);
            }
            if (i == 1) { /* it may fail, too, and ends nothing */
                (void)biost_loader_state(loader, &batch, state, sizeof state, &bytes_of_state);
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        if (result == BIOST_END) {
            CHECK_EQ_U64(i, model_batches(c, &e));
        } else {
            CHECK(call_refused() && error_of(loader)->text[0] != '\0');
            CHECK(biost_loader_next(loader, &batch) == result);
            CHECK(biost_loader_begin(loader, epoch + 1) == result);
        }
        model_epoch_free(&e);
    }
    biost_loader_close(loader);
}

TEST(groups_failing, each_call) {
    static model_case c;
    const char *paths[FAILING_FILES];
    uint64_t random = test_seed() + 61;
    uint32_t kind, on;
    THREADS_KEPT;
    patience_alarm(100 * test_effort(1, 10));
    failing_case(&c, paths, &random);
    for (kind = 0; kind < CALL_KINDS; ++kind) {
        for (on = 0; on < 2; ++on) {
            unsigned long n, step = 1;
            int reached = 1;
            for (n = 1; reached; n += step) {
                biost_loader_desc desc = c.desc;
                desc.workers = 1 + (uint32_t)n % 3;
                calls_begin((call_kind)kind, n, (int)on);
                test_note("%s %lu fails%s", call_names[kind], n, on ? ", and all after it" : "");
                failing_run(&c, &desc);
                check_nothing_left();
                reached = call_refused() || (kind == CALL_THREAD && n < 3);
                step = test_effort(1 + (unsigned)(n / 30), 1);
            }
            CHECK(n > (kind == CALL_ALLOC || kind == CALL_OPEN || kind == CALL_READ ? 5u : 1u));
        }
    }
    calls_begin(CALL_ALLOC, 0, 0);
    failing_run(&c, &c.desc);
    file_clean(file_names, FAILING_FILES);
    model_free(&c);
    alarm(0);
}
