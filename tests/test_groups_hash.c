/*
 * test_groups_hash.c - the hash of a desc that is in a resume state: what groups, files and labels without a function
 * add to it, and that it is as it was for a desc without them.
 */
#include "white.h"
#include "test.h"

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

/* Hashes of the version that had no groups. */
TEST(groups_hash, as_before_there_were_groups) {
    static const struct {
        const char *text;
        uint64_t plain, with_labels;
    } rows[] = {
        {"", 0x392db9b7354a891b, 0x26dcb70fb56eaee6},
        {"batch_rows 24 row_bases 77 shuffle_rows 100 seed 5", 0x8dfc6c2e89ae59ef, 0x49e92b56f7dfd550},
        {"encoding.kind tokens encoding.tokens all=1,A=2,a=1 filter.min_length 7 augment.substitute 0.1",
         0xfa0723f4cf9e5661, 0x3b1aa0193492d69f},
        {"split.by sequence split.below 0.5 encoding.channels ACGTN text.skip_bad 3 labels.dtype i64 "
         "labels.width 3",
         0xd2b826886ce5acf9, 0x5057544820b86005}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static biost_desc_memory memory;
        biost_loader_desc desc;
        memset(&desc, 0, sizeof desc);
        test_note("%s", rows[i].text);
        REQUIRE(biost_loader_desc_read(&desc, rows[i].text, &memory, NULL) == BIOST_OK);
        CHECK_EQ_U64(desc_hash(&desc), rows[i].plain);
        desc.open_files = 1;
        desc.allow_unseen = 1;
        CHECK_EQ_U64(desc_hash(&desc), rows[i].plain);
        desc.labels.make = make_any;
        CHECK_EQ_U64(desc_hash(&desc), rows[i].with_labels);
        desc.labels.kind = BIOST_LABEL_FUNCTION;
        CHECK_EQ_U64(desc_hash(&desc), rows[i].with_labels);
    }
}

/* Splits by names part otherwise than version 0.1.0 did, so its resume states are not taken. */
TEST(groups_hash, splits_by_names_have_another) {
    static biost_desc_memory memory;
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    REQUIRE(biost_loader_desc_read(&desc,
                                   "split.by name split.below 0.5 encoding.channels ACGTN text.skip_bad 3 "
                                   "labels.dtype i64 labels.width 3",
                                   &memory, NULL) == BIOST_OK);
    CHECK(desc_hash(&desc) != 0xa616faec9f62c3d5);
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
