/*
 * test_groups_desc.c - groups, ends of epochs, open files and labels without a function: each bad use is refused at
 * open in a sentence that names its fields, also by biost_loader_memory.
 *
 * rooms: plan
 * needs: loader threads library
 */
#include "../biostream.h"

#include <math.h>

#include "test.h"

#include "loader_oracle.h"

/* Five inputs of one record each, and groups over them, which are good until a test changes them. */
typedef struct rig {
    biost_loader_desc desc;
    biost_memory memories[400];
    biost_group groups[65];
    double of_inputs[400];
} rig;

static rig t;

static void begin_inputs(uint32_t inputs) {
    uint32_t i;
    memset(&t, 0, sizeof t);
    for (i = 0; i < inputs; i++) {
        t.memories[i].data = "@a\nACGT\n+\nIIII\n";
        t.memories[i].bytes = 15;
        t.of_inputs[i] = i % 3;
    }
    t.desc.memories = t.memories;
    t.desc.memory_count = inputs;
    t.desc.row_bases = 4;
    t.desc.workers = 1;
}

/* Groups of two, two and one inputs: "human", one without a name, "mouse". */
static void begin(void) {
    begin_inputs(5);
    t.groups[0].name = "human";
    t.groups[2].name = "mouse";
    for (uint32_t i = 0; i < 3; i++) {
        t.groups[i].first_input = 2 * i;
        t.groups[i].input_count = i < 2 ? 2 : 1;
        t.groups[i].weight = 3 - i;
        t.groups[i].label = i;
    }
    t.desc.groups = t.groups;
    t.desc.group_count = 3;
}

/* Groups of one input each. */
static void begin_singles(uint32_t count) {
    begin_inputs(count);
    for (uint32_t i = 0; i < count; i++) {
        t.groups[i].first_input = i;
        t.groups[i].input_count = 1;
        t.groups[i].weight = 1;
    }
    t.desc.groups = t.groups;
    t.desc.group_count = count;
}

/* Open says exactly this, and biost_loader_memory UINT64_MAX. */
static void refused(const char *sentence) {
    biost_loader *loader = NULL;
    biost_error error;
    memset(&error, 0, sizeof error);
    test_note("%s", sentence);
    CHECK(biost_loader_open(&t.desc, &loader, &error) == BIOST_ERR_ARG);
    CHECK(loader == NULL && error.fault == BIOST_FAULT_ARGUMENT);
    CHECK_STR(error.text, sentence);
    CHECK_EQ_U64(biost_loader_memory(&t.desc), UINT64_MAX);
    biost_loader_close(loader);
}

/* What is checked before any input is opened takes the desc. */
static void taken(const char *what) {
    test_note("%s", what);
    CHECK(biost_loader_memory(&t.desc) < UINT64_MAX);
}

/* ---- groups ---- */

TEST(groups, good_ones) {
    begin();
    taken("three groups");
    t.desc.shuffle_files = 1;
    t.desc.open_files = 2;
    taken("shuffled files");
    begin_singles(64);
    taken("64 groups");
    begin_inputs(5);
    taken("none");
    t.desc.open_files = 5;
    t.desc.shuffle_files = 1;
    taken("one group of all");
    begin_inputs(300);
    t.desc.open_files = 64;
    taken("64 of 300 files");
}

TEST(groups, each_by_itself) {
    char name[65];
    begin();
    t.desc.group_count = 65;
    refused("desc.group_count is 65, not a whole number of 0..64");
    begin();
    t.desc.groups = NULL;
    refused("desc.groups is NULL, and desc.group_count is 3");
    begin();
    t.groups[0].weight = 0;
    refused("desc.groups[0] (human): weight is 0, and has to be at least 1");
    begin();
    t.groups[1].weight = 0;
    refused("desc.groups[1]: weight is 0, and has to be at least 1");
    begin();
    t.groups[2].input_count = 0;
    refused("desc.groups[2] (mouse): input_count is 0, and has to be at least 1");
    begin();
    memset(name, 'n', 64);
    name[64] = '\0';
    t.groups[1].name = name;
    refused("desc.groups[1].name is longer than 63 bytes");
    name[63] = '\0';
    taken("a name of 63 bytes");
    begin();
    t.groups[0].name = "a\n\xff";
    t.groups[0].weight = 0;
    refused("desc.groups[0] (a\\x0a\\xff): weight is 0, and has to be at least 1");
    begin_inputs(5);
    t.groups[0].input_count = 5;
    t.groups[0].weight = 2;
    t.desc.groups = t.groups;
    t.desc.group_count = 1;
    refused("desc.groups[0]: weight is over 1, and there is no other group to weigh against");
    t.groups[0].weight = 1;
    taken("one group");
}

TEST(groups, cover_each_input_once) {
    begin();
    t.groups[1].first_input = 1;
    refused("input 1 is in desc.groups[0] (human) and in desc.groups[1]");
    begin();
    t.groups[2].first_input = 0;
    refused("input 0 is in desc.groups[0] (human) and in desc.groups[2] (mouse)");
    begin();
    t.groups[1].input_count = 1;
    refused("input 3 is in none of desc.groups, which have to cover every input");
    begin();
    t.groups[0].first_input = 1;
    t.groups[0].input_count = 1;
    refused("input 0 is in none of desc.groups, which have to cover every input");
    begin();
    t.desc.group_count = 2;
    refused("input 4 is in none of desc.groups, which have to cover every input");
    begin();
    t.groups[2].input_count = 2;
    refused("desc.groups[2] (mouse): first_input 4 and input_count 2 go past the last of 5 inputs");
    begin();
    t.groups[1].first_input = 4294967295u;
    refused("desc.groups[1]: first_input 4294967295 and input_count 2 go past the last of 5 inputs");
    begin();
    t.groups[1].input_count = 4294967295u;
    refused("desc.groups[1]: first_input 2 and input_count 4294967295 go past the last of 5 inputs");
    begin(); /* in any order */
    t.groups[0].first_input = 3;
    t.groups[1].first_input = 0;
    t.groups[2].first_input = 2;
    taken("groups in another order than their inputs");
}

TEST(groups, weights) {
    begin();
    t.groups[0].weight = 1048576;
    t.groups[1].weight = 1;
    t.groups[2].weight = 1;
    refused(
        "the weights of desc.groups, divided by their greatest common divisor, sum to 1048578; the most is "
        "1048576");
    t.groups[0].weight = 1048574;
    taken("the largest sum");
    t.groups[0].weight = t.groups[1].weight = t.groups[2].weight = 4294967295u;
    taken("the largest weights");
    t.groups[2].weight = 4294967294u;
    refused("the weights of desc.groups, divided by their greatest common divisor, sum to 12884901884; the "
            "most is "
            "1048576");
}

/* ---- epochs and files ---- */

TEST(groups, ends_of_epochs) {
    static const char unseen[] = "desc.epoch_end may end each epoch before the same part of desc.groups, "
                                 "which then is never seen: give "
                                 "desc.shuffle_files, or desc.allow_unseen";
    begin();
    t.desc.epoch_rows = 5;
    refused("desc.epoch_rows needs desc.epoch_end to be BIOST_EPOCH_END_ROWS");
    t.desc.epoch_end = BIOST_EPOCH_END_FIRST;
    refused("desc.epoch_rows needs desc.epoch_end to be BIOST_EPOCH_END_ROWS");
    t.desc.epoch_end = BIOST_EPOCH_END_ROWS;
    refused(unseen);
    t.desc.allow_unseen = 1;
    taken("rows");
    t.desc.epoch_rows = 0;
    refused("desc.epoch_end is BIOST_EPOCH_END_ROWS, which needs desc.epoch_rows, and desc.epoch_rows is 0");
    begin();
    t.desc.epoch_end = BIOST_EPOCH_END_FIRST;
    refused(unseen);
    t.desc.shuffle_files = 1;
    taken("first");
    begin_inputs(5);
    t.desc.epoch_end = BIOST_EPOCH_END_FIRST;
    taken("one group");
    t.desc.epoch_end = (biost_epoch_end)3;
    refused("desc.epoch_end is 3, not one of all|first|rows");
}

TEST(groups, open_files) {
    begin();
    t.desc.open_files = 65;
    refused("desc.open_files is 65, not a whole number of 1..64, or 0 for 1");
    t.desc.open_files = 3;
    refused("desc.open_files is over the files of the largest group, of which there are 2");
    begin_inputs(5);
    t.desc.open_files = 6;
    refused("desc.open_files is over the files of the largest group, of which there are 5");
    begin_inputs(100);
    for (uint32_t i = 0; i < 3; i++) {
        t.groups[i].first_input = i == 2 ? 97 : 50 * i;
        t.groups[i].input_count = i == 0 ? 50 : i == 1 ? 47 : 3;
        t.groups[i].weight = 1;
    }
    t.desc.groups = t.groups;
    t.desc.group_count = 3;
    t.desc.open_files = 31;
    refused("desc.open_files, or all files of a smaller group, come to 65 over all of desc.groups; the most "
            "is 64");
    t.desc.open_files = 30;
    taken("30 + 30 + 3");
    begin_singles(3);
    t.desc.shuffle_files = 1;
    refused("desc.shuffle_files has nothing to shuffle: no group has two files");
    begin_inputs(1);
    t.desc.shuffle_files = 1;
    refused("desc.shuffle_files has nothing to shuffle: no group has two files");
}

static int64_t read_nothing(void *out, size_t capacity, void *user_data) {
    (void)out;
    (void)capacity;
    (void)user_data;
    return 0;
}

TEST(groups, inputs_that_are_read_once) {
    static const char sentence[] =
        "desc.callbacks are read once and in order: they take neither several desc.groups, "
        "desc.shuffle_files, desc.open_files over 1 nor desc.epoch_rows";
    biost_callback callbacks[5];
    uint32_t i;
    memset(callbacks, 0, sizeof callbacks);
    for (i = 0; i < 5; i++) {
        callbacks[i].read = read_nothing;
    }
    for (i = 0; i < 4; i++) {
        begin();
        t.desc.memories = NULL;
        t.desc.memory_count = 0;
        t.desc.callbacks = callbacks;
        t.desc.callback_count = 5;
        if (i > 0) {
            t.groups[0].input_count = 5;
            t.groups[0].weight = 1;
            t.desc.group_count = 1;
            t.desc.shuffle_files = i == 1;
            t.desc.open_files = i == 2 ? 2 : 0;
        }
        if (i < 3) {
            refused(sentence);
        } else {
            taken("one group of callbacks");
        }
    }
    begin_inputs(0);
    t.desc.memories = NULL;
    t.desc.has_fd = 1;
    t.desc.open_files = 2;
    refused("desc.fd is read once and in order: it takes neither several desc.groups, desc.shuffle_files, "
            "desc.open_files over 1 nor desc.epoch_rows");
}

/* ---- labels ---- */

static int make_label(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)record;
    (void)id;
    (void)out_label;
    (void)user_data;
    return 1;
}

TEST(groups, kinds_of_labels) {
    static const char made[] =
        "desc.labels.make needs desc.labels.kind to be BIOST_LABEL_FUNCTION, or BIOST_LABEL_NONE";
    static const char both[] =
        "desc.labels.of_inputs and desc.labels.of_input_count must both be given, or neither";
    static const char elsewhere[] =
        "desc.labels.of_inputs and desc.labels.of_input_count need desc.labels.kind to be BIOST_LABEL_INPUT";
    begin_inputs(5);
    t.desc.labels.kind = BIOST_LABEL_GROUP;
    refused("desc.labels.kind is BIOST_LABEL_GROUP, which needs desc.groups, and desc.group_count is 0");
    t.desc.labels.kind = BIOST_LABEL_FUNCTION;
    refused("desc.labels.kind is BIOST_LABEL_FUNCTION, which needs desc.labels.make");
    t.desc.labels.make = make_label;
    taken("a function");
    t.desc.labels.kind = BIOST_LABEL_INPUT;
    refused(made);
    begin();
    t.desc.labels.kind = BIOST_LABEL_GROUP;
    taken("labels of groups");
    t.desc.labels.make = make_label;
    refused(made);
    t.desc.labels.make = NULL;
    t.desc.labels.width = 1;
    refused("desc.labels.width has to be 0 unless desc.labels.make makes the labels");
    t.desc.labels.width = 0;
    t.desc.labels.dtype = BIOST_DTYPE_BF16;
    refused(
        "desc.labels.dtype is none of BIOST_DTYPE_U8, BIOST_DTYPE_I32, BIOST_DTYPE_I64 and BIOST_DTYPE_F32");
    t.desc.labels.dtype = BIOST_DTYPE_I32;
    t.desc.labels.of_inputs = t.of_inputs;
    refused(elsewhere);
    t.desc.labels.kind = BIOST_LABEL_INPUT;
    refused(both);
    t.desc.labels.of_input_count = 4;
    refused("desc.labels.of_input_count is neither 0 nor the number of inputs, 5");
    t.desc.labels.of_input_count = 5;
    taken("labels of inputs");
    t.desc.labels.of_inputs = NULL;
    refused(both);
    t.desc.labels.kind = BIOST_LABEL_NONE;
    refused(elsewhere);
    t.desc.labels.kind = (biost_label_kind)6;
    refused("desc.labels.kind is 6, not one of none|function|group|input|region|title");
}

/* Labels at and beyond the ends of each type. */
TEST(groups, labels_fit_their_types) {
    static const struct {
        biost_dtype dtype;
        double label;
        int fits;
    } rows[] = {{BIOST_DTYPE_U8, 255, 1},
                {BIOST_DTYPE_U8, 256, 0},
                {BIOST_DTYPE_U8, -1, 0},
                {BIOST_DTYPE_U8, 0.5, 0},
                {BIOST_DTYPE_I32, 2147483647.0, 1},
                {BIOST_DTYPE_I32, 2147483648.0, 0},
                {BIOST_DTYPE_I32, -2147483648.0, 1},
                {BIOST_DTYPE_I32, -2147483649.0, 0},
                {BIOST_DTYPE_I32, 1.5, 0},
                {BIOST_DTYPE_I64, 9007199254740992.0, 1},
                {BIOST_DTYPE_I64, 9007199254740994.0, 0},
                {BIOST_DTYPE_I64, -9007199254740992.0, 1},
                {BIOST_DTYPE_I64, -1e300, 0},
                {BIOST_DTYPE_I64, 0.25, 0},
                {BIOST_DTYPE_F32, 0.1, 1},
                {BIOST_DTYPE_F32, 3.4028234663852886e38, 1},
                {BIOST_DTYPE_F32, 3.5e38, 0},
                {BIOST_DTYPE_F32, -1e-300, 1},
                {BIOST_DTYPE_U8, (double)NAN, 0},
                {BIOST_DTYPE_I32, (double)INFINITY, 0},
                {BIOST_DTYPE_I64, (double)NAN, 0},
                {BIOST_DTYPE_F32, (double)NAN, 0},
                {BIOST_DTYPE_F32, (double)-INFINITY, 0}};
    static const char *const ranges[] = {"a whole number of 0..255",
                                         NULL,
                                         "a finite number in the range of floats",
                                         NULL,
                                         "a whole number of -2147483648..2147483647",
                                         "a whole number of -2^53..2^53"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char sentence[256];
        begin();
        t.desc.labels.dtype = rows[i].dtype;
        t.desc.labels.kind = BIOST_LABEL_GROUP;
        t.groups[2].label = rows[i].label;
        snprintf(sentence, sizeof sentence,
                 "desc.groups[2] (mouse): label does not fit desc.labels.dtype: it has to be %s",
                 ranges[rows[i].dtype]);
        if (rows[i].fits) {
            taken("a label of a group");
        } else {
            refused(sentence);
        }
        t.groups[2].label = (double)NAN; /* has no say now */
        t.desc.labels.kind = BIOST_LABEL_INPUT;
        t.desc.labels.of_inputs = t.of_inputs;
        t.desc.labels.of_input_count = 5;
        t.of_inputs[4] = rows[i].label;
        snprintf(sentence, sizeof sentence,
                 "desc.labels.of_inputs[4] does not fit desc.labels.dtype: it has to be %s",
                 ranges[rows[i].dtype]);
        if (rows[i].fits) {
            taken("a label of an input");
        } else {
            refused(sentence);
        }
    }
    begin_inputs(257);
    t.desc.labels.kind = BIOST_LABEL_INPUT;
    refused("desc.labels.dtype is BIOST_DTYPE_U8, and there are 257 inputs to number: take BIOST_DTYPE_I32, "
            "or give "
            "desc.labels.of_inputs");
    t.desc.memory_count = 256;
    taken("256 numbers");
}

/* Without inputs biost_loader_memory asks what can be known of groups. */
TEST(groups, memory_without_inputs) {
    begin();
    t.desc.memory_count = 0;
    taken("groups without inputs");
    t.groups[1].weight = 0;
    CHECK_EQ_U64(biost_loader_memory(&t.desc), UINT64_MAX);
}
