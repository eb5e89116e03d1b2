/*
 * test_groups_loader.c - groups of files in exact shares, files in turns and passes: every row of random data sets
 * against a model that is loops over arrays.
 *
 * rooms: groups order sequencer
 * needs: loader library
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

#include "groups_model.h"

TEST(groups_loader, random_cases) {
    uint64_t random = test_seed() + 11;
    uint32_t i, k;
    for (i = 0; i < test_effort(120, 600); ++i) {
        static model_case c;
        model_random(&c, &random);
        test_note("case %u", (unsigned)i);
        for (k = 0; k < 2; ++k) {
            biost_loader_desc desc = model_machine(&c, &random);
            model_run(&c, &desc, random_below(&random, 4), 2);
        }
        model_free(&c);
    }
}

/* ---- found once ---- */

/* One group without a row is as a loader without groups: an input without records just ends. */
TEST(groups_loader, one_group_without_a_row) {
    uint64_t random = test_seed();
    uint32_t k;
    for (k = 0; k < 16; ++k) {
        static model_case c;
        biost_loader *loader;
        biost_batch batch;
        model_begin(&c);
        c.desc.long_records = BIOST_LONG_HEAD;
        model_add_file(&c, 0, k % 2 == 0 ? 0 : 3, 5, 9, &random);
        model_add_file(&c, 0, k % 2 == 0 ? 0 : 2, 5, 9, &random);
        c.desc.open_files = 2;
        c.desc.allow_no_rows = k / 2 % 2 == 1;
        c.desc.filter.min_length = 10;
        c.desc.epoch_end = k / 4 % 2 == 0 ? BIOST_EPOCH_END_ALL : BIOST_EPOCH_END_ROWS;
        c.desc.epoch_rows = k / 4 % 2 == 0 ? 0 : 10;
        if (k / 8 == 1) {
            model_group(&c, "alone", 0, 2, 1);
        }
        test_note("case %u", (unsigned)k);
        loader = oracle_open(&c.desc);
        if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
            if (k % 4 == 1) {
                CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_ARG);
                CHECK(error_of(loader)->fault == BIOST_FAULT_NO_ROW);
                CHECK(strstr(error_of(loader)->text, "desc.filter.min_length") != NULL);
                CHECK(strstr(error_of(loader)->text, "group 0") == NULL);
            } else {
                CHECK(biost_loader_next(loader, &batch) == BIOST_END);
            }
        }
        biost_loader_close(loader);
        model_free(&c);
    }
}
