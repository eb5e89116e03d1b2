/*
 * test_loader_desc.c - descs: those that cannot work name their fields, and biost_loader_get_desc says how
 * one is obeyed.
 *
 * rooms: plan
 * needs: loader threads library orders
 */
#include "../biostream.h"

#include <math.h>

#include "test.h"

#include "loader_oracle.h"

static one_text one;

/* Open is refused with both words, biost_loader_memory says UINT64_MAX; then the desc is good again. */
static void impossible(const char *first, const char *second) {
    open_refused(&one.desc, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, first, second);
    test_note("%s, %s", first, second);
    shape_refused(&one.desc);
    CHECK(biost_loader_memory(&one.desc) == UINT64_MAX);
    bytes_free(&one.text);
    one_text_make(&one, "@a\nACGT\n+\nIIII\n");
    one.desc.row_bases = 4;
    CHECK(biost_loader_memory(&one.desc) < UINT64_MAX);
}

static void good_desc(void) {
    one_text_make(&one, "@a\nACGT\n+\nIIII\n");
    one.desc.row_bases = 4;
}

/* The 17 letters of IUPAC-IUB (1984) for nucleotides, T and U both, and X, have a complement; nine have none. */
TEST(desc, complement_of_letters_that_have_none) {
    static const char *const none[] = {"E",
                                       "F",
                                       "I",
                                       "J",
                                       "L",
                                       "O",
                                       "P",
                                       "Q",
                                       "Z",
                                       "ACGTE",
                                       "ACDEFGHIKLMNPQRSTVWY",
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"};
    static const char *const all[] = {"ACGT", "ACGU", "ACGTUN", "A", "GC", "ACGTX", "ABCDGHKMNRSTUVWXY"};
    uint32_t i;
    good_desc();
    for (i = 0; i < 12; ++i) {
        one.desc.encoding.channels = none[i];
        one.desc.augment.reverse_complement = 0.001f;
        impossible("desc.augment.reverse_complement", "desc.encoding.channels");
        one.desc.encoding.channels = none[i]; /* without that it is fine */
        CHECK(biost_loader_memory(&one.desc) < UINT64_MAX);
    }
    for (i = 0; i < 7; ++i) {
        one.desc.encoding.channels = all[i];
        one.desc.augment.reverse_complement = 0.5f;
        CHECK(biost_loader_memory(&one.desc) < UINT64_MAX);
    }
    one.desc.encoding.channels = NULL;
    one.desc.text.letters = BIOST_LETTERS_PROTEIN;
    impossible("desc.augment.reverse_complement", "desc.text.letters");
    bytes_free(&one.text);
}

static void tokens_with(int32_t byte, int32_t value) {
    static int32_t tokens[256];
    memset(tokens, 0, sizeof tokens);
    tokens[byte] = value;
    one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
    one.desc.encoding.tokens = tokens;
}

TEST(desc, impossible_encodings) {
    static const char *const bad_channels[] = {
        "", "ACGTA", "acgt", "AC-T", "AC T", "ACG1", "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG"};
    static const biost_dtype bad_onehot[] = {BIOST_DTYPE_I32, BIOST_DTYPE_I64},
                             bad_tokens[] = {BIOST_DTYPE_F16, BIOST_DTYPE_BF16, BIOST_DTYPE_F32};
    static const char *const no_fractions[] = {"ACG", "ACGTU", "ACGTN", "ACGN", "AACGT"};
    static const struct {
        biost_dtype dtype;
        int32_t value;
    } pads[] = {{BIOST_DTYPE_U8, -1},        {BIOST_DTYPE_U8, 256},        {BIOST_DTYPE_F16, 2049},
                {BIOST_DTYPE_F16, -2049},    {BIOST_DTYPE_BF16, 257},      {BIOST_DTYPE_BF16, -257},
                {BIOST_DTYPE_F32, 16777217}, {BIOST_DTYPE_F32, -16777217}, {BIOST_DTYPE_F32, INT32_MIN}};
    uint32_t i;
    good_desc();
    for (i = 0; i < 7; ++i) {
        one.desc.encoding.channels = bad_channels[i];
        impossible("encoding.channels", "desc.");
    }
    for (i = 0; i < 2; ++i) {
        one.desc.encoding.dtype = bad_onehot[i];
        impossible("encoding.kind", "encoding.dtype");
    }
    for (i = 0; i < 3; ++i) {
        one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
        one.desc.encoding.dtype = bad_tokens[i];
        impossible("encoding.kind", "encoding.dtype");
    }
    for (i = 0; i < 9; ++i) {
        one.desc.encoding.dtype = pads[i].dtype;
        one.desc.encoding.pad_value = pads[i].value;
        impossible("encoding.pad_value", "encoding.dtype");
    }
    one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
    one.desc.encoding.pad_value = 256;
    impossible("encoding.pad_value", "encoding.dtype");
    for (i = 0; i < 5; ++i) {
        one.desc.encoding.dtype = BIOST_DTYPE_F32;
        one.desc.encoding.ambiguous = (biost_ambiguous_mode)(1 + i % 3);
        one.desc.encoding.channels = no_fractions[i];
        impossible("encoding.channels", i == 4 ? "twice" : "encoding.ambiguous");
    }
    one.desc.encoding.ambiguous = BIOST_AMBIGUOUS_N;
    impossible("encoding.ambiguous", "encoding.dtype");
    tokens_with('A', 0);
    one.desc.encoding.kind = BIOST_ENCODE_ONEHOT;
    impossible("encoding.kind", "encoding.tokens");
    tokens_with(255, 256);
    impossible("encoding.tokens", "encoding.dtype");
    tokens_with(0, -1);
    impossible("encoding.tokens", "encoding.dtype");
    tokens_with(0, 1);
    one.desc.encoding.layout = BIOST_LAYOUT_NCL;
    impossible("encoding.kind", "encoding.layout");
    tokens_with(0, 1);
    one.desc.encoding.channels = "ACGT";
    impossible("encoding.kind", "encoding.channels");
    tokens_with(0, 1);
    one.desc.encoding.ambiguous = BIOST_AMBIGUOUS_N;
    impossible("encoding.kind", "encoding.ambiguous");
    tokens_with(0, 1);
    one.desc.encoding.lower_case = BIOST_LOWER_CASE_N;
    impossible("encoding.kind", "encoding.lower_case");
    one.desc.encoding.layout = (biost_layout_kind)2;
    impossible("desc.encoding.layout is ", "2, not one of nlc|ncl");
    one.desc.encoding.ambiguous = (biost_ambiguous_mode)4;
    impossible("desc.encoding.ambiguous is ", "4, not one of zero|n|iupac|helixer");
    one.desc.encoding.lower_case = (biost_lower_case_mode)3;
    impossible("desc.encoding.lower_case is ", "3, not one of fold|channel|n");
    one.desc.encoding.pad_side = (biost_pad_side)2;
    impossible("desc.encoding.pad_side is ", "2, not one of right|left");
    bytes_free(&one.text);
}

static int label_nothing(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)record;
    (void)id;
    (void)out_label;
    (void)user_data;
    return 1;
}

TEST(desc, impossible_tensors) {
    static const biost_dtype bad_quality[] = {BIOST_DTYPE_F16, BIOST_DTYPE_BF16, BIOST_DTYPE_I32,
                                              BIOST_DTYPE_I64};
    uint32_t i;
    good_desc();
    for (i = 0; i < 4; ++i) {
        one.desc.quality.kind = BIOST_QUALITY_PHRED;
        one.desc.quality.dtype = bad_quality[i];
        impossible("quality.kind", "quality.dtype");
        one.desc.quality.kind = BIOST_QUALITY_ERROR;
        one.desc.quality.dtype = bad_quality[i];
        impossible("quality.kind", "quality.dtype");
    }
    one.desc.quality.kind = BIOST_QUALITY_ERROR;
    impossible("quality.kind", "quality.dtype");
    one.desc.quality.kind = (biost_quality_kind)3;
    impossible("desc.quality.kind is ", "3, not one of none|phred|error");
    for (i = 0; i < 4; ++i) { /* the same types as of qualities */
        one.desc.mask = 1;
        one.desc.mask_dtype = bad_quality[i];
        impossible("desc.mask_dtype", "BIOST_DTYPE_F32");
    }
    one.desc.quality.dtype = (biost_dtype)6;
    impossible("quality.dtype is 6", "not one of u8|f16|f32|bf16|i32|i64");
    one.desc.mask_dtype = (biost_dtype)6;
    impossible("mask_dtype is 6", "not one of u8|f16|f32|bf16|i32|i64");
    one.desc.quality.in_x = 1;
    impossible("desc.quality.in_x", "desc.quality.kind");
    one.desc.quality.in_x = 1;
    one.desc.quality.kind = (biost_quality_kind)3;
    impossible("desc.quality.kind is ", "3, not one of none|phred|error");
    one.desc.quality.in_x = 1;
    one.desc.quality.kind = BIOST_QUALITY_PHRED;
    one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
    impossible("desc.quality.in_x", "desc.encoding.kind");
    one.desc.quality.in_x = 1;
    one.desc.quality.kind = BIOST_QUALITY_ERROR;
    impossible("desc.quality.kind", "desc.encoding.dtype");
    one.desc.quality.in_x = 1;
    one.desc.quality.kind = BIOST_QUALITY_ERROR;
    one.desc.quality.dtype = BIOST_DTYPE_F32;
    one.desc.encoding.dtype = BIOST_DTYPE_F16;
    impossible("desc.quality.dtype", "desc.encoding.dtype");
    one.desc.mask_in_x = 1;
    impossible("desc.mask_in_x", "needs desc.mask,");
    one.desc.mask = 1;
    one.desc.mask_in_x = 1;
    one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
    impossible("desc.mask_in_x", "desc.encoding.kind");
    one.desc.mask = 1;
    one.desc.mask_in_x = 1;
    one.desc.mask_dtype = BIOST_DTYPE_F32;
    impossible("desc.mask_dtype", "desc.encoding.dtype");
    one.desc.labels.make = label_nothing;
    one.desc.labels.width = 65537;
    impossible("labels.width", "65536");
    one.desc.labels.make = label_nothing;
    one.desc.labels.dtype = (biost_dtype)6;
    impossible("labels.dtype is 6", "u8|f16|f32|bf16|i32|i64");
    one.desc.names = 1;
    one.desc.name_bytes = 65537;
    impossible("name_bytes", "65536");
    bytes_free(&one.text);
}

TEST(desc, impossible_shapes) {
    good_desc();
    one.desc.pad_multiple = 4097;
    impossible("pad_multiple", "4096");
    one.desc.long_records = (biost_long_records_mode)6;
    impossible("desc.long_records is ", "6, not one of fail|split|head|tail|center|crop");
    one.desc.long_records = BIOST_LONG_SPLIT;
    one.desc.split_stride = 5;
    impossible("split_stride", "row_bases");
    one.desc.split_stride = 3;
    impossible("split_stride", "long_records");
    one.desc.augment.crop_bases = 5;
    impossible("augment.crop_bases", "row_bases");
    one.desc.row_bases = 0;
    one.desc.max_row_bases = 7;
    one.desc.augment.crop_bases = 8;
    impossible("augment.crop_bases", "max_row_bases");
    one.desc.augment.crop_bases = 2;
    one.desc.long_records = BIOST_LONG_SPLIT;
    impossible("augment.crop_bases", "long_records");
    one.desc.row_bases = (1u << 28) + 1;
    impossible("row_bases", "268435456");
    bytes_free(&one.text);
}

TEST(desc, impossible_filters_and_changes) {
    static const float bad[] = {-0.001f, 1.001f, 1e30f, -1e30f};
    uint32_t i;
    good_desc();
    for (i = 0; i < 5; ++i) {
        float value = i < 4 ? bad[i] : (float)NAN;
        one.desc.filter.max_error_rate = value;
        impossible("filter.max_error_rate", "0..1");
        one.desc.filter.max_n_fraction = value;
        impossible("filter.max_n_fraction", "0..1");
        one.desc.filter.subsample_from = value;
        impossible("filter.subsample_from", "0..1");
        one.desc.filter.subsample_below = value;
        impossible("filter.subsample_below", "0..1");
        one.desc.augment.inject_n = value;
        impossible("augment.inject_n", "0..1");
        one.desc.augment.substitute = value;
        impossible("augment.substitute", "0..1");
        one.desc.augment.reverse_complement = value;
        impossible("augment.reverse_complement", "0..1");
    }
    one.desc.filter.min_base_quality = 94;
    impossible("filter.min_base_quality", "93");
    one.desc.filter.min_mean_quality = (float)INFINITY;
    impossible("filter.min_mean_quality", "93");
    one.desc.filter.forbid_n = 1;
    one.desc.filter.max_n_fraction = 0.5f;
    impossible("filter.forbid_n", "filter.max_n_fraction");
    one.desc.filter.subsample_from = 0.5f;
    one.desc.filter.subsample_below = 0.5f;
    impossible("filter.subsample_from", "filter.subsample_below");
    one.desc.filter.subsample_from = 0.75f;
    one.desc.filter.subsample_below = 0.5f;
    impossible("filter.subsample_from", "filter.subsample_below");
    one.desc.filter.subsample_from = 1.0f;
    impossible("filter.subsample_from", "filter.subsample_below");
    one.desc.text.letters = (biost_letters_kind)5;
    impossible("text.letters", "desc.");
    one.desc.text.replace_letters = 1;
    impossible("text.replace_letters", "text.letters");
    bytes_free(&one.text);
}

/* What needs qualities, over FASTA, is told at open by the field's name. */
TEST(desc, qualities_of_fasta) {
    uint32_t i;
    for (i = 0; i < 4; ++i) {
        static const char *const fields[] = {"quality", "min_mean_quality", "max_error_rate",
                                             "min_base_quality"};
        biost_loader *loader;
        one_text_make(&one, ">a\nACGT\n");
        one.desc.quality.kind = i == 0 ? BIOST_QUALITY_PHRED : BIOST_QUALITY_NONE;
        one.desc.filter.min_mean_quality = i == 1 ? 1.0f : 0.0f;
        one.desc.filter.max_error_rate = i == 2 ? 0.5f : 0.0f;
        one.desc.filter.min_base_quality = i == 3;
        {
            biost_error error;
            memset(&error, 0, sizeof error);
            loader = NULL;
            CHECK(biost_loader_open(&one.desc, &loader, &error) < 0);
            CHECK(loader == NULL);
            CHECK_STR(biost_fault_name(error.fault), "NO_QUALITY");
            if (!CHECK(strstr(error.text, fields[i]) != NULL)) {
                printf("    sentence: %s\n", error.text);
            }
        }
        bytes_free(&one.text);
        one_text_make(&one, "\n\n"); /* an empty input is of any format */
        one.desc.quality.kind = BIOST_QUALITY_PHRED;
        biost_loader_close(oracle_open(&one.desc));
        bytes_free(&one.text);
    }
}

/* The same where a gzip member without text comes before that of the FASTA; both are stored, by hand. */
TEST(desc, qualities_of_fasta_after_an_empty_member) {
    static const uint8_t members[] = {
        0x1F, 0x8B, 8,   0,   0,    0,    0,    0,   0,   0xFF, 1,    0,    0,    0xFF, 0xFF, 0, 0, 0,
        0,    0,    0,   0,   0,    0x1F, 0x8B, 8,   0,   0,    0,    0,    0,    0,    0xFF, 1, 8, 0,
        0xF7, 0xFF, '>', 'a', '\n', 'A',  'C',  'G', 'T', '\n', 0x30, 0x96, 0xDA, 0xDE, 8,    0, 0, 0};
    biost_loader *loader = NULL;
    biost_error error;
    memset(&error, 0, sizeof error);
    one_text_make(&one, "");
    one.memory.data = members;
    one.memory.bytes = sizeof members;
    one.desc.quality.kind = BIOST_QUALITY_PHRED;
    CHECK(biost_loader_open(&one.desc, &loader, &error) < 0 && loader == NULL);
    CHECK_STR(biost_fault_name(error.fault), "NO_QUALITY");
    biost_loader_close(loader);
    bytes_free(&one.text);
}

static int64_t reel_read(void *to, size_t count, void *user_data) {
    const char **text = (const char **)user_data;
    size_t length = strlen(*text);
    count = count < length ? count : length;
    memcpy(to, *text, count);
    *text += count;
    return (int64_t)count;
}

/* Of a callback it is known when it is read. */
TEST(desc, qualities_of_fasta_from_a_callback) {
    uint32_t w;
    for (w = 1; w < 4; ++w) {
        const char *text = ">a\nACGT\n";
        biost_loader_desc desc;
        biost_callback callback;
        biost_loader *loader;
        biost_batch batch;
        memset(&desc, 0, sizeof desc);
        memset(&callback, 0, sizeof callback);
        callback.read = reel_read;
        callback.user_data = &text;
        desc.callbacks = &callback;
        desc.callback_count = 1;
        desc.quality.kind = BIOST_QUALITY_PHRED;
        desc.workers = w;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        CHECK(biost_loader_next(loader, &batch) < 0);
        CHECK_STR(biost_fault_name(error_of(loader)->fault), "NO_QUALITY");
        CHECK(strstr(error_of(loader)->text, "quality") != NULL);
        biost_loader_close(loader);
    }
}

/* Values at their limits are taken. */
TEST(desc, limits_are_allowed) {
    good_desc();
    one.desc.pad_multiple = 4096;
    one.desc.long_records = BIOST_LONG_SPLIT;
    one.desc.split_stride = 4;
    one.desc.filter.min_mean_quality = 93.0f;
    one.desc.filter.max_error_rate = 1.0f;
    one.desc.filter.min_base_quality = 93;
    one.desc.filter.max_n_fraction = 1.0f;
    one.desc.filter.subsample_below = 1.0f;
    one.desc.filter.first_records = UINT64_MAX;
    one.desc.filter.every_record = UINT64_MAX;
    one.desc.filter.min_length = one.desc.filter.max_length = UINT64_MAX;
    one.desc.augment.reverse_complement = one.desc.augment.substitute = one.desc.augment.inject_n = 1.0f;
    one.desc.encoding.channels = "YXWVUTSRNMKHGDCBA"; /* all that have a complement */
    one.desc.encoding.lower_case = BIOST_LOWER_CASE_CHANNEL;
    one.desc.encoding.pad_value = 255;
    one.desc.names = 1;
    one.desc.name_bytes = 65536;
    one.desc.labels.make = label_nothing;
    one.desc.labels.width = 65536;
    one.desc.labels.dtype = BIOST_DTYPE_I64;
    one.desc.batch_rows = 2;
    one.desc.slots = 1;
    one.desc.text.skip_bad = UINT64_MAX;
    one.desc.epochs = UINT64_MAX;
    oracle_run(&one.desc, &one.text, 1, UINT64_MAX, ORACLE_ENDS_WELL);
    memset(&one.desc.filter, 0, sizeof one.desc.filter);
    oracle_run(&one.desc, &one.text, 1, UINT64_MAX, ORACLE_ENDS_WELL);
    bytes_free(&one.text);
}

/* ---- resolved ---- */

TEST(resolved, every_default) {
    biost_loader *loader;
    biost_loader_desc got;
    one_text_make(&one, "@a\nACGT\n+\nIIII\n");
    one.desc.workers = 0;
    one.desc.digest = 0;
    memset(&got, 0xEE, sizeof got);
    THREADS_KEPT;
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL);
    biost_loader_get_desc(loader, &got);
    CHECK(got.paths == NULL && got.memories == NULL && got.callbacks == NULL && got.state == NULL);
    CHECK(got.path_count == 0 && got.memory_count == 0 && got.callback_count == 0);
    CHECK_EQ_U64(got.batch_rows, 256);
    CHECK_EQ_U64(got.row_bases, 0);
    CHECK_EQ_U64(got.max_row_bases, 1024);
    CHECK_EQ_U64(got.pad_multiple, 8);
    CHECK(got.long_records == BIOST_LONG_FAIL && got.tail == BIOST_TAIL_PAD);
    CHECK_EQ_U64(got.split_stride, 0);
    CHECK(got.encoding.kind == BIOST_ENCODE_ONEHOT && got.encoding.dtype == BIOST_DTYPE_U8 &&
          got.encoding.layout == BIOST_LAYOUT_NLC && got.encoding.pad_side == BIOST_PAD_RIGHT);
    CHECK_STR(got.encoding.channels, "ACGT");
    CHECK(got.encoding.tokens == NULL && got.encoding.pad_value == 0);
    CHECK(got.quality.kind == BIOST_QUALITY_NONE && got.mask == 0 && got.names == 0 &&
          got.labels.make == NULL);
    CHECK(got.mask_dtype == BIOST_DTYPE_U8);
    CHECK(got.filter.subsample_below == 1.0f && got.filter.subsample_from == 0.0f);
    CHECK_EQ_U64(got.filter.every_record, 1);
    CHECK_EQ_U64(got.filter.first_records, 0);
    CHECK_EQ_U64(got.shuffle_rows, 1);
    CHECK_EQ_U64(got.seed, 0);
    CHECK_EQ_U64(got.max_record_bytes, 64u << 20);
    CHECK(got.rank == 0 && got.world == 1 && got.digest == 0 && got.state_bytes == 0);
    CHECK(got.workers >= 2 && got.workers <= 256);
    CHECK_EQ_U64(got.slots, 4);
    CHECK_EQ_U64(got.epochs, 0);
    CHECK(got.jobs.submit == NULL && got.files.open == NULL && got.log.line == NULL);
    biost_loader_close(loader);
    biost_loader_get_desc(NULL, &got);
    bytes_free(&one.text);
}

/* What lies in x has the type of x. */
TEST(resolved, types_of_what_is_in_x) {
    biost_loader *loader;
    biost_loader_desc got;
    good_desc();
    one.desc.encoding.dtype = BIOST_DTYPE_BF16;
    one.desc.quality.kind = BIOST_QUALITY_ERROR;
    one.desc.quality.in_x = 1;
    one.desc.mask = 1;
    one.desc.mask_in_x = 1;
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL);
    biost_loader_get_desc(loader, &got);
    CHECK(got.quality.dtype == BIOST_DTYPE_BF16 && got.quality.in_x);
    CHECK(got.mask_dtype == BIOST_DTYPE_BF16 && got.mask_in_x);
    biost_loader_close(loader);
    bytes_free(&one.text);
}

TEST(resolved, depends_on_other_fields) {
    biost_loader *loader;
    biost_loader_desc got;
    char channels[5] = "CATG";
    int32_t tokens[256];
    memset(tokens, 0, sizeof tokens);
    good_desc();
    one.desc.long_records = BIOST_LONG_SPLIT;
    one.desc.encoding.channels = channels;
    one.desc.names = 1;
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL);
    channels[0] = 'X'; /* was copied */
    biost_loader_get_desc(loader, &got);
    CHECK_STR(got.encoding.channels, "CATG");
    CHECK_EQ_U64(got.pad_multiple, 1);
    CHECK_EQ_U64(got.split_stride, 4);
    CHECK_EQ_U64(got.name_bytes, 128);
    biost_loader_close(loader);
    memset(&one.desc.encoding, 0, sizeof one.desc.encoding);
    one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
    one.desc.encoding.tokens = tokens;
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL);
    biost_loader_get_desc(loader, &got);
    CHECK(got.encoding.tokens != tokens);
    CHECK_MEM(got.encoding.tokens, tokens, sizeof tokens);
    biost_loader_close(loader);
    bytes_free(&one.text);
}

/* A loader opened with the resolved desc, its inputs named again, delivers the same, and takes the
   first one's tokens: what is left 0 and what is said as it is are one desc. */
TEST(resolved, is_the_same_desc) {
    uint64_t random = test_seed() + 61;
    uint32_t i;
    for (i = 0; i < 60; ++i) {
        random_case c;
        biost_loader_desc got;
        biost_loader *loader;
        biost_batch batch;
        uint8_t state[512];
        size_t count = 0;
        const int32_t *table;
        random_case_make(&c, &random, 0);
        random_machine(&c.desc, &random);
        test_note("case %u", (unsigned)i);
        loader = oracle_open(&c.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 3) == BIOST_OK);
        biost_loader_get_desc(loader, &got);
        if (biost_loader_next(loader, &batch) == BIOST_OK) {
            CHECK(biost_loader_state(loader, &batch, state, 512, &count) == BIOST_OK);
        }
        table = c.desc.encoding.tokens;
        CHECK((got.encoding.tokens == NULL) == (table == NULL) &&
              (table == NULL || got.encoding.tokens != table));
        if (table != NULL) {
            CHECK_MEM(got.encoding.tokens, table, 256 * sizeof *table);
        }
        got.encoding.tokens = table;
        got.memories = c.desc.memories;
        CHECK_EQ_U64(got.memory_count, 0);
        got.memory_count = c.desc.memory_count;
        oracle_run(&got, c.texts, c.text_count, 3, c.end);
        if (count > 0) {
            got.state = state;
            got.state_bytes = count;
            biost_loader_close(oracle_open(&got));
        }
        biost_loader_close(loader);
        random_case_free(&c);
    }
}
