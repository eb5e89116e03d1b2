/*
 * test_groups_hash.c - the hash of a desc that is in a resume state: by hand, of equal texts, and what groups, files and
 * labels without a function add to it.
 *
 * rooms: plan
 * needs: loader threads
 */
#include "white.h"
#include "test.h"
#include "xxh64.h"

static uint64_t desc_hash(const biost_loader_desc *desc) {
    static bsi_plan plan;
    char words[BSI_FIELDS_WORDS_BYTES];
    CHECK_STR(bsi_plan_make(desc, &plan, words), NULL);
    return plan.desc_hash;
}

static int make_any(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)record;
    (void)id;
    (void)out_label;
    (void)user_data;
    return 1;
}

/*
 * The text by hand, with all defaults and in the order of the fields, then four zeros: no groups, no labels of inputs,
 * and of the one group no sequences and no intervals listed.
 */
TEST(groups_hash, by_hand) {
    static const char text[] = "batch_rows 24\nrow_bases 77\nmax_row_bases 77\npad_multiple 1\n"
                               "encoding.channels \"ACGT\"\nfilter.subsample_below 1\nfilter.every_record 1\n"
                               "augment.substitute 0.1\nshuffle_rows 100\nseed 5\nopen_files 1\n"
                               "max_record_bytes 67108864\n";
    uint8_t bytes[sizeof text - 1 + 32];
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, text, sizeof text - 1);
    desc.batch_rows = 24;
    desc.row_bases = 77;
    desc.shuffle_rows = 100;
    desc.seed = 5;
    desc.augment.substitute = 0.1f;
    CHECK_EQ_U64(desc_hash(&desc), slow_xxh64(bytes, sizeof bytes, 0));
    desc.workers = 7; /* of the machine, of the place, and what has no effect */
    desc.world = 4;
    desc.rank = 3;
    desc.max_row_bases = 500;
    desc.mask_dtype = BIOST_DTYPE_F32;
    desc.labels.width = 2;
    CHECK_EQ_U64(desc_hash(&desc), slow_xxh64(bytes, sizeof bytes, 0));
}

/* Set in C, read from its text, and with each default named: one desc. A label's function counts, not what it does. */
TEST(groups_hash, equal_texts_have_equal_hashes) {
    static const char *const texts[] = {
        "", "batch_rows 24 row_bases 77 shuffle_rows 100 seed 5",
        "encoding.kind tokens encoding.tokens all=1,A=2,a=1 filter.min_length 7 augment.substitute 0.1",
        "split.by name split.below 0.7 encoding.channels ACGTN text.skip_bad 3 labels.dtype i64 labels.width "
        "3",
        "filter.max_n_fraction 0.1 augment.reverse_complement 0.3 quality.kind phred mask 1 names 1 tail "
        "drop"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        static biost_desc_memory memory, again;
        static char text[8192];
        static bsi_plan plan;
        char words[BSI_FIELDS_WORDS_BYTES];
        biost_loader_desc desc, other;
        uint64_t hash;
        memset(&desc, 0, sizeof desc);
        memset(&other, 0, sizeof other);
        test_note("%s", texts[i]);
        REQUIRE(biost_loader_desc_read(&desc, texts[i], &memory, NULL) == BIOST_OK);
        hash = desc_hash(&desc);
        REQUIRE(bsi_plan_make(&desc, &plan, words) == NULL);
        CHECK(biost_loader_desc_text(&plan.desc, text, sizeof text) < sizeof text);
        REQUIRE(biost_loader_desc_read(&other, text, &again, NULL) == BIOST_OK);
        CHECK_EQ_U64(desc_hash(&other), hash);
        desc.allow_unseen = 1;
        CHECK_EQ_U64(desc_hash(&desc), hash);
        desc.labels.make = make_any;
        hash = desc_hash(&desc);
        CHECK(hash != desc_hash(&other));
        desc.labels.kind = BIOST_LABEL_FUNCTION;
        desc.labels.user_data = &desc;
        CHECK_EQ_U64(desc_hash(&desc), hash);
    }
}

static int keep_any(const biost_record *record, int64_t id, void *user_data) {
    (void)record;
    (void)id;
    (void)user_data;
    return 1;
}

static void change_none(biost_sample *sample, biost_random *random, void *user_data) {
    (void)sample;
    (void)random;
    (void)user_data;
}

/* Wishes that drop, split and change are told apart, each from all others; what means the same is the same. */
TEST(groups_hash, wishes_are_told_apart) {
    static const char *const texts[] = {"",
                                        "filter.min_length 5",
                                        "filter.max_length 5",
                                        "filter.min_mean_quality 5",
                                        "filter.min_mean_quality 5.001",
                                        "filter.max_error_rate 0.5",
                                        "filter.min_base_quality 5",
                                        "filter.max_n_fraction 0.5",
                                        "filter.forbid_n 1",
                                        "filter.subsample_from 0.5",
                                        "filter.subsample_below 0.5",
                                        "filter.first_records 5",
                                        "filter.every_record 5",
                                        "augment.crop_bases 5",
                                        "augment.reverse_complement 0.5",
                                        "augment.substitute 0.5",
                                        "augment.inject_n 0.5",
                                        "split.by field split.field 1 split.below 0.5",
                                        "split.by field split.field 1 split.below 0.5 split.salt 1",
                                        "split.by field split.field 1 split.below 0.5 split.from 0.25",
                                        "split.by field split.field 1 split.below 0.75",
                                        "split.by field split.field 2 split.below 0.5",
                                        "split.by field split.field 1 split.below 0.5 split.separator |",
                                        "split.by name split.below 0.5",
                                        "split.by name split.below 0.5 split.strip _____.",
                                        "text.skip_junk 1"};
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    uint64_t hashes[TEXTS + 2];
    static biost_desc_memory memory;
    for (int i = 0; i < TEXTS + 2; i++) {
        biost_loader_desc desc;
        memset(&desc, 0, sizeof desc);
        test_note("%s", i < TEXTS ? texts[i] : "a function");
        REQUIRE(biost_loader_desc_read(&desc, i < TEXTS ? texts[i] : "", &memory, NULL) == BIOST_OK);
        desc.filter.keep = i == TEXTS ? keep_any : NULL;
        desc.augment.change = i == TEXTS + 1 ? change_none : NULL;
        hashes[i] = desc_hash(&desc);
        for (int k = 0; k < i; k++) {
            CHECK(hashes[i] != hashes[k]);
        }
        desc.filter.user_data = desc.augment.user_data = desc.labels.user_data = &memory; /* does not count */
        CHECK_EQ_U64(desc_hash(&desc), hashes[i]);
    }
}

/* Descs that are no two alike in what batches hold. */
TEST(groups_hash, every_field_of_groups_is_in_it) {
    static const char three[] =
        "group.0.input_count 2 group.0.weight 3 group.1.first_input 2 group.1.input_count 1 "
        "group.1.weight 1 group.2.first_input 3 group.2.input_count 2 group.2.weight 2 "
        "labels.dtype f32 ";
    static const char *const texts[] = {"",
                                        "group.1.weight 2",
                                        "group.1.input_count 2",
                                        "group.2.first_input 4",
                                        "group.3.input_count 1 group.3.weight 1",
                                        "shuffle_files 1",
                                        "open_files 2",
                                        "open_files 3",
                                        "epoch_end first allow_unseen 1",
                                        "epoch_end rows epoch_rows 7 allow_unseen 1",
                                        "epoch_end rows epoch_rows 8 allow_unseen 1",
                                        "labels.kind group",
                                        "labels.kind group group.1.label 0.5",
                                        "labels.kind group group.2.label 0.5",
                                        "labels.kind input",
                                        "labels.kind input labels.of_inputs 0,1,2,3,4",
                                        "labels.kind input labels.of_inputs 0,1,2,3,5"};
    /* the same as the first: a name, a label that is not asked for, a wish that changes no row */
    static const char *const same[] = {"group.1.name mouse", "group.1.label 5", "allow_unseen 1"};
    uint64_t hashes[17];
    biost_loader_desc desc;
    static biost_desc_memory memory;
    uint32_t i, k;
    double tenths[2];
    for (i = 0; i < 17 + 3; i++) {
        memset(&desc, 0, sizeof desc);
        REQUIRE(biost_loader_desc_read(&desc, three, &memory, NULL) == BIOST_OK);
        REQUIRE(biost_loader_desc_read(&desc, i < 17 ? texts[i] : same[i - 17], &memory, NULL) == BIOST_OK);
        test_note("%s", i < 17 ? texts[i] : same[i - 17]);
        if (i >= 17) {
            CHECK_EQ_U64(desc_hash(&desc), hashes[0]);
            continue;
        }
        hashes[i] = desc_hash(&desc);
        for (k = 0; k < i; k++) {
            CHECK(hashes[i] != hashes[k]);
        }
    }
    memset(&desc, 0, sizeof desc);
    desc.labels.kind = BIOST_LABEL_INPUT;
    desc.labels.dtype = BIOST_DTYPE_F32;
    desc.labels.of_inputs = tenths;
    desc.labels.of_input_count = 2;
    tenths[0] = tenths[1] = 0.1;
    hashes[0] = desc_hash(&desc);
    tenths[0] = (double)0.1f;
    CHECK_EQ_U64(desc_hash(&desc), hashes[0]);
}
