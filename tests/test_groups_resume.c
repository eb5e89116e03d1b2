/*
 * test_groups_resume.c - resume states of groups, after every batch, on other machines and in other worlds; damage in
 * one group of several; and states whose numbers are made up.
 *
 * rooms: groups sequencer
 * needs: loader threads library
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

#include "groups_model.h"

typedef struct taken_state {
    uint8_t data[MODEL_STATE];
    size_t count;
} taken_state;

/* The state after batch `index` of an epoch on this machine. Returns 0 if there is no such batch. */
static int state_after(const model_case *c, const biost_loader_desc *desc, const model_epoch *e, size_t index,
                       taken_state *out) {
    biost_loader *loader = oracle_open(desc);
    size_t i = desc->state != NULL ? index : 0;
    int found = 0;
    biost_batch batch;
    if (loader != NULL && CHECK(biost_loader_begin(loader, e->number) == BIOST_OK)) {
        for (; !found && biost_loader_next(loader, &batch) == BIOST_OK; ++i) {
            if (i == index) {
                size_t most = biost_loader_state_bytes(desc), short_count;
                CHECK(most <= sizeof out->data);
                CHECK(biost_loader_state(loader, &batch, out->data, most, &out->count) == BIOST_OK);
                CHECK(out->count <= most);
                if (model_group_count(c) > 1) {
                    CHECK(biost_loader_state(loader, &batch, out->data, out->count - 1, &short_count) ==
                          BIOST_ERR_ARG);
                    CHECK(strstr(error_of(loader)->text, "biost_loader_state_bytes") != NULL);
                }
                found = 1;
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
    }
    biost_loader_close(loader);
    return found;
}

/* Resume on another machine after batch `index`; if asked, once more one batch later; then the next epoch. */
static void resume_from(const model_case *c, const model_epoch *e, taken_state *state, size_t index,
                        uint64_t *random) {
    biost_loader_desc desc = model_machine(c, random);
    uint8_t *copy = test_copy(state->data, state->count);
    biost_loader *loader;
    desc.state = copy;
    desc.state_bytes = state->count;
    loader = oracle_open(&desc);
    if (loader != NULL) {
        CHECK_EQ_U64(biost_loader_first_epoch(loader), e->number);
        if (CHECK(biost_loader_begin(loader, e->number) == BIOST_OK) &&
            model_drain(c, &desc, e, loader, index + 1) && !e->failed && index % 4 == 0) {
            model_epoch next;
            model_make(c, &next, e->number + 1);
            CHECK(biost_loader_begin(loader, e->number + 1) == BIOST_OK);
            (void)model_drain(c, &desc, &next, loader, 0);
            model_epoch_free(&next);
        }
    }
    biost_loader_close(loader);
    if (index + 1 < model_batches(c, e) && state_after(c, &desc, e, index + 1, state)) {
        biost_loader_desc again = model_machine(c, random);
        again.state = state->data;
        again.state_bytes = state->count;
        loader = oracle_open(&again);
        if (loader != NULL && CHECK(biost_loader_begin(loader, e->number) == BIOST_OK)) {
            (void)model_drain(c, &again, e, loader, index + 2);
        }
        biost_loader_close(loader);
    }
    free(copy);
}

/* States of all batches of one epoch, or of some forty of them. */
static void resume_everywhere(const model_case *c, uint64_t *random, size_t most) {
    biost_loader_desc desc = model_machine(c, random);
    static taken_state states[64];
    static size_t of[64];
    uint64_t epoch = random_below(random, 3);
    biost_loader *loader = oracle_open(&desc);
    biost_batch batch;
    model_epoch e;
    size_t count = 0, index = 0, step, i;
    model_make(c, &e, epoch);
    step = model_batches(c, &e) / most + 1;
    if (loader != NULL && CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
        for (; biost_loader_next(loader, &batch) == BIOST_OK; ++index) {
            if (count < 64 && (index % step == 0 || index + 1 == model_batches(c, &e))) {
                of[count] = index;
                CHECK(biost_loader_state(loader, &batch, states[count].data, MODEL_STATE,
                                         &states[count].count) == BIOST_OK);
                CHECK(states[count].count <= biost_loader_state_bytes(&desc));
                ++count;
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
    }
    biost_loader_close(loader);
    CHECK_EQ_U64(index, model_batches(c, &e));
    for (i = 0; i < count; ++i) {
        resume_from(c, &e, &states[i], of[i], random);
    }
    model_epoch_free(&e);
}

TEST(groups_resume, random_cases_after_every_batch) {
    uint64_t random = test_seed() + 21;
    uint32_t i;
    for (i = 0; i < test_effort(30, 80); ++i) {
        static model_case c;
        model_random(&c, &random);
        test_note("case %u", (unsigned)i);
        resume_everywhere(&c, &random, test_effort(8, 16));
        model_free(&c);
    }
}

TEST(groups_resume, random_damage) {
    uint64_t random = test_seed() + 22;
    uint32_t i;
    for (i = 0; i < test_effort(120, 400); ++i) {
        static model_case c;
        biost_loader_desc desc;
        model_random(&c, &random);
        model_random_damage(&c, &random);
        test_note("case %u", (unsigned)i);
        desc = model_machine(&c, &random);
        model_run(&c, &desc, 1, 1);
        resume_everywhere(&c, &random, i % 3 == 0 ? 4 : 1);
        model_free(&c);
    }
}

/* Three groups of two files each, of which tests damage one. */
static void three_groups_of(model_case *c, int fasta, uint64_t *random) {
    uint32_t i;
    model_begin(c);
    c->desc.long_records = BIOST_LONG_HEAD;
    c->desc.shuffle_rows = 12;
    for (i = 0; i < 6; ++i) {
        model_add_file(c, fasta && i / 2 == 1, 15 + i, 5, 40, random);
        c->files[i].input.count = c->files[i].text.count = 0;
        model_put_file(c, i, i % 4, random);
    }
    model_group(c, "one", 0, 2, 2);
    model_group(c, NULL, 2, 2, 1);
    model_group(c, "three", 4, 2, 1);
    c->desc.open_files = 2;
}

static void three_groups(model_case *c, uint64_t *random) {
    three_groups_of(c, 1, random);
}

/* Files on disk that are cut off, changed or gone before the second epoch, and that come back. */
TEST(groups_resume, files_that_go) {
    static const char *const names[] = {"f0", "f1", "f2", "f3", "f4", "f5"};
    const char *paths[6];
    uint64_t random = test_seed() + 23;
    uint32_t round, i;
    for (round = 0; round < 24; ++round) {
        static model_case c;
        static taken_state state;
        uint32_t bad = round % 6, manner = round / 6 % 3;
        biost_loader *loader;
        biost_loader_desc desc;
        model_epoch e;
        size_t kept;
        three_groups(&c, &random);
        c.desc.open_files = 1 + round / 12;
        for (i = 0; i < 6; ++i) {
            paths[i] = file_path(names[i]);
            file_write(paths[i], c.files[i].input.data, c.files[i].input.count);
            snprintf(c.names[i], sizeof c.names[i], "/%s", names[i]);
        }
        desc = c.desc;
        desc.memories = NULL;
        desc.memory_count = 0;
        desc.paths = paths;
        desc.path_count = 6;
        desc.epochs = 1; /* of another epoch nothing is read ahead */
        desc.workers = 1 + round % 3;
        test_note("round %u", (unsigned)round);
        loader = oracle_open(&desc);
        model_make(&c, &e, 0);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        (void)model_drain(&c, &desc, &e, loader, 0);
        model_epoch_free(&e);
        if (manner == 0) {
            remove(paths[bad]);
        } else {
            file_write(paths[bad], c.files[bad].input.data, c.files[bad].input.count - manner);
        }
        kept = c.files[bad].count;
        c.files[bad].count = 0;
        c.files[bad].end_fault = manner == 0 ? BIOST_FAULT_OPEN : BIOST_FAULT_CHANGED;
        model_make(&c, &e, 1);
        CHECK(e.failed);
        CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
        (void)model_drain(&c, &desc, &e, loader, 0);
        biost_loader_close(loader);
        /* the same file, back again, in memory: a state from there goes on where the rest comes */
        c.files[bad].count = kept;
        c.files[bad].end_fault = BIOST_FAULT_NONE;
        model_epoch_free(&e);
        model_make(&c, &e, 1);
        if (state_after(&c, &c.desc, &e, 1, &state)) {
            resume_from(&c, &e, &state, 1, &random);
        }
        model_epoch_free(&e);
        model_free(&c);
        for (i = 0; i < 6; ++i) {
            file_write(file_path(names[i]), "", 0);
        }
        file_clean(names, 6);
    }
}

/* gzip whose end is missing: all records before the cut, then the error of that group. */
TEST(groups_resume, truncated_gzip_in_one_group) {
    uint64_t random = test_seed() + 24;
    uint32_t round;
    for (round = 0; round < 48; ++round) {
        static model_case c;
        uint32_t bad = round % 6;
        biost_loader_desc desc;
        three_groups(&c, &random);
        c.desc.open_files = 1 + round / 6 % 2;
        c.desc.shuffle_files = round / 12 % 2 == 0;
        c.desc.epoch_end = round % 5 == 0 ? BIOST_EPOCH_END_FIRST : BIOST_EPOCH_END_ALL;
        c.desc.allow_unseen = round % 5 == 0;
        c.files[bad].input.count = 0;
        gzip_make(&c.files[bad].input, &c.files[bad].text, 1u << 20, 200, 0);
        c.memories[bad].data = c.files[bad].input.data;
        c.memories[bad].bytes = c.files[bad].input.count - 1 - round % 8;
        c.files[bad].end_fault = BIOST_FAULT_TRUNCATED;
        c.files[bad].count -= (size_t)c.files[bad].fasta; /* its last record might have gone on */
        test_note("round %u", (unsigned)round);
        desc = model_machine(&c, &random);
        model_run(&c, &desc, 0, 2);
        resume_everywhere(&c, &random, 4);
        model_free(&c);
    }
}

/* The bad record over the quota is told, wherever pages end. */
TEST(groups_resume, quota_is_told_by_the_record_over_it) {
    static const uint32_t pages[] = {16, 17, 40, 100, 4096};
    uint64_t random = test_seed() + 25;
    uint32_t quota, page, i;
    for (quota = 0; quota < 5; ++quota) {
        for (page = 0; page < 5; ++page) {
            static model_case c;
            three_groups(&c, &random);
            c.desc.text.skip_bad = quota;
            for (i = 0; i < 4; ++i) {
                c.files[4].records[5 + 2 * i].bad = 1;
                c.files[i / 2 == 0 ? 5 : 0].records[3 + 2 * i].bad = 1;
            }
            for (i = 0; i < 6; ++i) {
                c.files[i].text.count = c.files[i].input.count = 0;
                model_put_file(&c, i, 0, &random);
            }
            c.desc.test.page_bytes = pages[page];
            test_note("quota %u, pages of %u", (unsigned)quota, (unsigned)pages[page]);
            model_run(&c, &c.desc, 0, 2);
            model_free(&c);
        }
    }
}

/* Of two groups with errors, and of groups without a row, the one asked first is told, by its name. */
TEST(groups_resume, groups_without_a_row) {
    uint64_t random = test_seed() + 26;
    uint32_t round;
    for (round = 0; round < 40; ++round) {
        static model_case c;
        biost_loader_desc desc;
        uint32_t i, empty = round % 3, other = round / 3 % 3;
        three_groups(&c, &random);
        c.desc.epoch_end = (biost_epoch_end)(round / 9 % 3);
        c.desc.epoch_rows = c.desc.epoch_end == BIOST_EPOCH_END_ROWS ? 100 : 0;
        c.desc.allow_unseen = 1;
        c.desc.allow_no_rows = round % 2 == 0;
        for (i = 0; i < 2; ++i) {
            model_file *file = &c.files[2 * empty + i];
            file->count = round % 2 == 0 ? 0 : file->count;
            file->text.count = file->input.count = 0;
            model_put_file(&c, 2 * empty + i, 0, &random);
        }
        if (round % 2 == 1) { /* all of the group's records are below, of the others some */
            size_t k;
            for (i = 0; i < 6; ++i) {
                for (k = 0; k < c.files[i].count; ++k) {
                    if (i / 2 == empty) {
                        c.files[i].records[k].bases = c.files[i].records[k].bases % 4;
                    }
                }
                c.files[i].text.count = c.files[i].input.count = 0;
                model_put_file(&c, i, 0, &random);
            }
            c.desc.filter.min_length = 4;
        }
        c.files[2 * other].records[3].bad = c.files[2 * other].count > 3;
        c.files[2 * other].text.count = c.files[2 * other].input.count = 0;
        model_put_file(&c, 2 * other, 0, &random);
        test_note("round %u", (unsigned)round);
        desc = model_machine(&c, &random);
        model_run(&c, &desc, 0, 2);
        if (round % 2 == 1 && other != empty) {
            biost_loader *loader = oracle_open(&desc);
            model_epoch e;
            model_make(&c, &e, 0);
            REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
            (void)model_drain(&c, &desc, &e, loader, 0);
            if (e.failed && e.fault == BIOST_FAULT_NO_GROUP_ROW) {
                CHECK(strstr(error_of(loader)->text, "desc.filter.min_length") != NULL);
            }
            biost_loader_close(loader);
            model_epoch_free(&e);
        }
        model_free(&c);
    }
}

/* ---- states that nobody wrote ---- */

/* Open with a state and read at most 40 batches: whatever its numbers are, it ends with some result. */
static void try_state(const biost_loader_desc *desc, const uint8_t *state, size_t count) {
    biost_loader_desc with = *desc;
    uint8_t *copy = test_copy(state, count);
    biost_loader *loader = NULL;
    biost_error error;
    biost_batch batch;
    biost_result result;
    uint32_t i = 0;
    with.state = copy;
    with.state_bytes = count;
    result = biost_loader_open(&with, &loader, &error);
    CHECK((result == BIOST_OK) == (loader != NULL));
    if (loader == NULL) {
        CHECK(result == BIOST_ERR_STALE || result == BIOST_ERR_ARG);
        CHECK(error.fault == BIOST_FAULT_STATE_DAMAGED || error.fault == BIOST_FAULT_STATE_DESC ||
              error.fault == BIOST_FAULT_STATE_INPUT || error.fault == BIOST_FAULT_STATE_VERSION ||
              error.fault == BIOST_FAULT_STATE_SOURCE); /* one without open files is of stores */
    } else if (biost_loader_begin(loader, biost_loader_first_epoch(loader)) == BIOST_OK) {
        for (; i < 40 && biost_loader_next(loader, &batch) == BIOST_OK; ++i) {
            uint32_t row;
            for (row = 0; row < batch.valid_rows; ++row) {
                CHECK(batch.origins[row].id >= 0 && batch.origins[row].group < 3);
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
    }
    biost_loader_close(loader);
    free(copy);
}

TEST(groups_resume, states_of_any_numbers) {
    static const uint64_t wrong[] = {0,
                                     1,
                                     2,
                                     7,
                                     63,
                                     255,
                                     4096,
                                     1u << 30,
                                     0x7FFFFFFF,
                                     0xFFFFFFFF,
                                     (uint64_t)1 << 40,
                                     ((uint64_t)1 << 40) - 1,
                                     (uint64_t)3 << 40,
                                     (uint64_t)1 << 62,
                                     UINT64_MAX};
    uint64_t random = test_seed() + 27;
    uint32_t i, k, rounds = test_effort(1500, 8000);
    static model_case c;
    static taken_state states[3];
    model_epoch e;
    three_groups(&c, &random);
    c.desc.long_records = BIOST_LONG_SPLIT;
    c.desc.test.page_bytes = 300;
    model_make(&c, &e, 0);
    for (i = 0; i < 3; ++i) {
        REQUIRE(state_after(&c, &c.desc, &e, 1 + 4 * i, &states[i]));
    }
    for (i = 0; i < rounds; ++i) {
        taken_state changed = states[random_below(&random, 3)];
        uint32_t changes = 1 + random_below(&random, 3);
        size_t count = changed.count;
        for (k = 0; k < changes; ++k) {
            uint32_t width = random_below(&random, 3), at;
            uint64_t value = random_below(&random, 4) == 0 ? test_random(&random) : RANDOM_OF(&random, wrong);
            width = width == 0 ? 1 : 4 * width;
            at = 24 + width * random_below(&random, (uint32_t)(count - 4 - 24) / width);
            for (; width > 0 && at < count - 4; --width, ++at, value >>= 8) {
                changed.data[at] = (uint8_t)(value & 255);
            }
        }
        if (random_below(&random, 10) == 0) {
            count -= random_below(&random, (uint32_t)count - 4);
        }
        if (i % 8 > 0 && count > 4) {
            uint32_t crc = gzip_crc(changed.data, count - 4);
            for (k = 0; k < 4; ++k, crc >>= 8) {
                changed.data[count - 4 + k] = (uint8_t)(crc & 255);
            }
        }
        test_note("state %u", (unsigned)i);
        try_state(&c.desc, changed.data, count);
    }
    model_epoch_free(&e);
    model_free(&c);
}

/* A state of another desc, or of a loader without groups, is refused and says so. */
TEST(groups_resume, states_of_other_descs) {
    uint64_t random = test_seed() + 28;
    uint32_t i;
    static model_case c;
    static taken_state state;
    model_epoch e;
    three_groups_of(&c, 0, &random);
    model_make(&c, &e, 0);
    REQUIRE(state_after(&c, &c.desc, &e, 1, &state));
    for (i = 0; i < 6; ++i) {
        biost_loader_desc desc = c.desc;
        biost_group groups[3];
        biost_loader *loader = NULL;
        biost_error error;
        memcpy(groups, c.groups, sizeof groups);
        desc.groups = groups;
        switch (i) {
        case 0: groups[0].weight = 3; break;
        case 1: desc.open_files = 1; break;
        case 2: desc.shuffle_files = 1; break;
        case 3: desc.group_count = 0, desc.groups = NULL; break;
        case 4: desc.group_count = 0, desc.groups = NULL, desc.open_files = 0; break;
        default: desc.epoch_end = BIOST_EPOCH_END_FIRST, desc.allow_unseen = 1; break;
        }
        desc.state = state.data;
        desc.state_bytes = state.count;
        test_note("desc %u", (unsigned)i);
        CHECK(biost_loader_open(&desc, &loader, &error) < 0);
        CHECK(error.fault == BIOST_FAULT_STATE_DESC && loader == NULL);
        biost_loader_close(loader);
    }
    model_epoch_free(&e);
    model_free(&c);
}

/* Where each page has few records a state still leads close to where it was taken: its anchor is not the start. */
TEST(groups_resume, anchors_follow_long_records) {
    uint64_t random = test_seed() + 29;
    uint32_t lanes;
    for (lanes = 1; lanes <= 3; ++lanes) {
        static model_case c;
        static taken_state state;
        model_epoch e;
        uint64_t sample = 0, anchor = 0;
        uint32_t i;
        model_begin(&c);
        for (i = 0; i < 6; ++i) {
            model_add_file(&c, 0, 60, 300, 400, &random);
        }
        model_group(&c, "a", 0, 3, 1);
        model_group(&c, "b", 3, 3, 1);
        c.desc.long_records = BIOST_LONG_HEAD;
        c.desc.open_files = lanes;
        c.desc.test.page_bytes = 2000; /* two records */
        model_make(&c, &e, 0);
        REQUIRE(state_after(&c, &c.desc, &e, 40, &state));
        for (i = 8; i-- > 0;) {
            sample = sample << 8 | state.data[64 + i];
            anchor = anchor << 8 | state.data[64 + 24 + i];
        }
        test_note("%u open files, sample %u, anchor %u", (unsigned)lanes, (unsigned)sample, (unsigned)anchor);
        CHECK(sample > 150 && anchor <= sample && sample - anchor < 40);
        model_epoch_free(&e);
        model_free(&c);
    }
}
