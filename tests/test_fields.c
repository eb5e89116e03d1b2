/*
 * test_fields.c - the tables of fields: every field of a loader's desc set by its name is the field set in C, descs are
 * the same after they were written and read, and what no field takes is refused in a sentence.
 *
 * rooms: fields desctext print
 * needs: loader threads library
 */
#include "../biostream.h"

#include <float.h>

#include "test.h"

#include "loader_oracle.h"

/* ---- a value for each field that a text can have ---- */

/*
 * Rows of: the field, its value in a text and in C, and what else the desc must have so that open takes it ("-": it
 * cannot be opened with the inputs of this test). tests/fields.awk sees that no field is missing here.
 */
#define FIELD_VALUES(FIELD, CHARS)                                                                         \
    FIELD(has_fd, "1", 1, "-")                                                                             \
    FIELD(fd, "3", 3, "-")                                                                                 \
    FIELD(order, "exact", BIOST_ORDER_EXACT, "-")                                                          \
    FIELD(regions.kind, "grid", BIOST_REGIONS_GRID, "-")                                                   \
    FIELD(regions.stride, "50", 50, "-")                                                                   \
    FIELD(regions.strands, "both", BIOST_STRANDS_BOTH, "-")                                                \
    FIELD(regions.fit, "summit", BIOST_FIT_SUMMIT, "-")                                                    \
    FIELD(regions.edge, "drop", BIOST_EDGE_DROP, "-")                                                      \
    FIELD(regions.minus_pad, "end", BIOST_MINUS_PAD_END, "-")                                              \
    FIELD(regions.jitter, "7", 7, "-")                                                                     \
    FIELD(regions.max_lower_fraction, "0.25", 0.25f, "-")                                                  \
    FIELD(regions.max_other_fraction, "0.5", 0.5f, "-")                                                    \
    FIELD(regions.forbid_lower, "1", 1, "-")                                                               \
    FIELD(regions.forbid_other, "1", 1, "-")                                                               \
    FIELD(mates, "2", 2, "-")                                                                              \
    FIELD(shape.kind, "buckets", BIOST_SHAPE_BUCKETS, "-")                                                 \
    FIELD(shape.batch_tokens, "65536", 65536, "-")                                                         \
    FIELD(shape.growth, "1062500", 1062500, "-")                                                           \
    FIELD(shape.rows_multiple, "8", 8, "-")                                                                \
    FIELD(shape.pack_samples, "7", 7, "-")                                                                 \
    FIELD(shape.segments, "1", 1, "-")                                                                     \
    FIELD(shape.positions, "1", 1, "-")                                                                    \
    FIELD(shape.offsets, "1", 1, "-")                                                                      \
    FIELD(batch_rows, "24", 24, "")                                                                        \
    FIELD(row_bases, "77", 77, "long_records head")                                                        \
    FIELD(max_row_bases, "200", 200, "row_bases 0")                                                        \
    FIELD(pad_multiple, "16", 16, "")                                                                      \
    FIELD(long_records, "tail", BIOST_LONG_TAIL, "row_bases 50")                                           \
    FIELD(split_stride, "20", 20, "row_bases 40 long_records split")                                       \
    FIELD(tail, "drop", BIOST_TAIL_DROP, "")                                                               \
    FIELD(encoding.kind, "tokens", BIOST_ENCODE_TOKENS, "")                                                \
    FIELD(encoding.dtype, "bf16", BIOST_DTYPE_BF16, "")                                                    \
    FIELD(encoding.layout, "ncl", BIOST_LAYOUT_NCL, "")                                                    \
    FIELD(encoding.channels, "ACGTN", "ACGTN", "")                                                         \
    FIELD(encoding.ambiguous, "iupac", BIOST_AMBIGUOUS_IUPAC, "encoding.dtype f32")                        \
    FIELD(encoding.lower_case, "channel", BIOST_LOWER_CASE_CHANNEL, "")                                    \
    FIELD(encoding.tokens, "\"all=9,A=0,a=9,c=-1,C=9,\\x2c=70000\"", field_tokens,                         \
          "encoding.kind tokens encoding.dtype i32")                                                       \
    FIELD(encoding.pad_value, "-200", -200, "encoding.dtype f16")                                          \
    FIELD(encoding.pad_side, "left", BIOST_PAD_LEFT, "")                                                   \
    FIELD(encoding.kmers.k, "6", 6, "encoding.kind tokens encoding.dtype i32")                             \
    FIELD(encoding.kmers.stride, "1", 1, "encoding.kmers.k 6 encoding.kind tokens encoding.dtype i32")     \
    CHARS(encoding.kmers.letters, "ATCG", "ATCG",                                                          \
          "encoding.kmers.k 6 encoding.kind tokens encoding.dtype i32")                                    \
    FIELD(encoding.kmers.has_ids, "1", 1, "encoding.kmers.k 2 encoding.kind tokens")                       \
    FIELD(encoding.kmers.first_id, "-4", -4,                                                               \
          "encoding.kmers.k 2 encoding.kmers.has_ids 1 encoding.kind tokens encoding.dtype i64")           \
    FIELD(encoding.kmers.unknown_id, "9", 9,                                                               \
          "encoding.kmers.k 1 encoding.kmers.has_ids 1 encoding.kind tokens")                              \
    FIELD(encoding.has_begin, "1", 1, "encoding.kind tokens")                                              \
    FIELD(encoding.has_end, "1", 1, "encoding.kind tokens")                                                \
    FIELD(encoding.begin_token, "2", 2, "encoding.has_begin 1 encoding.kind tokens")                       \
    FIELD(encoding.end_token, "-3", -3, "encoding.has_end 1 encoding.kind tokens encoding.dtype i32")      \
    FIELD(quality.kind, "phred", BIOST_QUALITY_PHRED, "")                                                  \
    FIELD(quality.dtype, "f32", BIOST_DTYPE_F32, "quality.kind error")                                     \
    FIELD(quality.in_x, "1", 1, "quality.kind phred")                                                      \
    FIELD(mask, "1", 1, "")                                                                                \
    FIELD(mask_dtype, "f32", BIOST_DTYPE_F32, "mask 1")                                                    \
    FIELD(mask_in_x, "1", 1, "mask 1")                                                                     \
    FIELD(labels.kind, "input", BIOST_LABEL_INPUT, "labels.dtype i32")                                     \
    FIELD(labels.of_inputs, "0,-1,0.25,70000.0", field_numbers, "-")                                       \
    FIELD(labels.dtype, "i64", BIOST_DTYPE_I64, "")                                                        \
    FIELD(labels.width, "3", 3, "")                                                                        \
    FIELD(weights, "\"all=0.5,A=1,a=-2,\\x2c=3\"", field_weights, "")                                      \
    FIELD(labels.key, "\"c=\\\"\"", "c=\"", "-")                                                           \
    FIELD(labels.field, "2", 2, "-")                                                                       \
    FIELD(labels.separator, "_", '_', "-")                                                                 \
    FIELD(labels.classes, "a,b,c", "a,b,c", "-")                                                           \
    FIELD(names, "2", 2, "")                                                                               \
    FIELD(name_bytes, "5", 5, "names 1")                                                                   \
    FIELD(filter.min_length, "70", 70, "")                                                                 \
    FIELD(filter.max_length, "90", 90, "")                                                                 \
    FIELD(filter.min_mean_quality, "20.5", 20.5f, "")                                                      \
    FIELD(filter.max_error_rate, "0.03", 0.03f, "")                                                        \
    FIELD(filter.min_base_quality, "3", 3, "")                                                             \
    FIELD(filter.max_n_fraction, "0.02", 0.02f, "")                                                        \
    FIELD(filter.forbid_n, "1", 1, "")                                                                     \
    FIELD(filter.subsample_from, "0.3", 0.3f, "")                                                          \
    FIELD(filter.subsample_below, "0.7", 0.7f, "")                                                         \
    FIELD(filter.first_records, "40", 40, "")                                                              \
    FIELD(filter.every_record, "3", 3, "")                                                                 \
    FIELD(split.salt, "18446744073709551615", UINT64_MAX, "split.by name split.below 0.5")                 \
    FIELD(split.by, "name", BIOST_SPLIT_NAME, "split.below 0.5")                                           \
    FIELD(split.from, "0.9", 0.9f, "split.by name")                                                        \
    FIELD(split.below, "0.9", 0.9f, "split.by name")                                                       \
    FIELD(split.field, "2", 2, "split.by field split.below 0.5")                                           \
    FIELD(split.block_bases, "100", 100, "split.by block split.below 0.5 row_bases 40 long_records split") \
    FIELD(split.separator, "\"_\"", '_', "split.by field split.field 2 split.below 0.5")                   \
    CHARS(split.strip, "\"_:# \\\"\\\\\"", "_:# \"\\", "split.by name split.below 0.5")                    \
    FIELD(allow_no_rows, "1", 1, "")                                                                       \
    FIELD(augment.crop_bases, "50", 50, "")                                                                \
    FIELD(augment.reverse_complement, "0.5", 0.5f, "")                                                     \
    FIELD(augment.substitute, "0.1", 0.1f, "")                                                             \
    FIELD(augment.inject_n, "0.125", 0.125f, "")                                                           \
    FIELD(shuffle_rows, "32", 32, "")                                                                      \
    FIELD(seed, "9223372036854775808", (uint64_t)1 << 63, "shuffle_rows 16")                               \
    FIELD(epoch_end, "first", BIOST_EPOCH_END_FIRST, "")                                                   \
    FIELD(epoch_rows, "50", 50, "epoch_end rows")                                                          \
    FIELD(allow_unseen, "1", 1, "")                                                                        \
    FIELD(shuffle_files, "1", 1, "-")                                                                      \
    FIELD(open_files, "64", 64, "-")                                                                       \
    FIELD(max_record_bytes, "100000", 100000, "")                                                          \
    FIELD(rank, "1", 1, "world 2")                                                                         \
    FIELD(world, "2", 2, "")                                                                               \
    FIELD(state, "42494f00ff", field_state, "-")                                                           \
    FIELD(digest, "1", 1, "")                                                                              \
    FIELD(gzip.require, "1", 1, "-")                                                                       \
    FIELD(gzip.no_crc, "1", 1, "")                                                                         \
    FIELD(gzip.ignore_bc, "1", 1, "")                                                                      \
    FIELD(gzip.require_eof_block, "1", 1, "")                                                              \
    FIELD(gzip.refuse_padding, "1", 1, "")                                                                 \
    FIELD(gzip.read_past_zeros, "1", 1, "")                                                                \
    FIELD(gzip.ignore_garbage, "1", 1, "")                                                                 \
    FIELD(text.pedantic, "1", 1, "")                                                                       \
    FIELD(text.four_lines, "1", 1, "")                                                                     \
    FIELD(text.require_record, "1", 1, "")                                                                 \
    FIELD(text.skip_comments, "1", 1, "")                                                                  \
    FIELD(text.strip_blanks, "1", 1, "")                                                                   \
    FIELD(text.keep_gt, "1", 1, "")                                                                        \
    FIELD(text.ignore_plus, "1", 1, "")                                                                    \
    FIELD(text.phred64, "1", 1, "")                                                                        \
    FIELD(text.replace_letters, "1", 1, "text.letters dna")                                                \
    FIELD(text.skip_junk, "1", 1, "")                                                                      \
    FIELD(text.high_bytes, "1", 1, "-")                                                                    \
    FIELD(text.mixed, "1", 1, "-")                                                                         \
    FIELD(text.loose, "1", 1, "-")                                                                         \
    FIELD(text.letters, "iupac", BIOST_LETTERS_DNA_IUPAC, "")                                              \
    FIELD(text.skip_bad, "7", 7, "")                                                                       \
    FIELD(workers, "3", 3, "")                                                                             \
    FIELD(slots, "6", 6, "")                                                                               \
    FIELD(epochs, "2", 2, "")                                                                              \
    FIELD(checkpoint_bytes, "65536", 65536, "")                                                            \
    FIELD(map, "1", 1, "")                                                                                 \
    FIELD(test.page_bytes, "4096", 4096, "")                                                               \
    FIELD(test.chunk_bytes, "1000", 1000, "")                                                              \
    FIELD(test.page_count, "3", 3, "")                                                                     \
    FIELD(test.block_ways, "2", 2, "")                                                                     \
    FIELD(test.cpu_hidden, "4294967295", 0xFFFFFFFFu, "")                                                  \
    FIELD(test.parallel_gzip, "always", BIOST_PARALLEL_GZIP_ALWAYS, "")                                    \
    FIELD(test.order_seed, "5", 5, "workers 1")

typedef struct field_value {
    const char *name, *text, *with;
} field_value;

#define FIELD_ROW(member, text, value, with) {#member, text, with},
static const field_value values[] = {FIELD_VALUES(FIELD_ROW, FIELD_ROW){NULL, NULL, NULL}};
#undef FIELD_ROW

static int32_t field_tokens[256];
static float field_weights[256];
static const double field_numbers[4] = {0, -1, 0.25, 70000};
static const uint8_t field_state[5] = {0x42, 0x49, 0x4F, 0x00, 0xFF};

/* Set one field as a C program does. */
static void set_in_c(biost_loader_desc *desc, const char *name) {
    for (int i = 0; i < 256; ++i) {
        field_weights[i] = i == 'A' ? 1 : i == 'a' ? -2 : i == ',' ? 3 : 0.5f;
        field_tokens[i] = i == 'A' ? 0 : i == 'c' ? -1 : i == ',' ? 70000 : 9;
    }
#define FIELD_SET(member, text, value, with) \
    if (strcmp(name, #member) == 0) {        \
        desc->member = value;                \
    }
#define CHARS_SET(member, text, value, with) \
    if (strcmp(name, #member) == 0) {        \
        strcpy(desc->member, value);         \
    }
    FIELD_VALUES(FIELD_SET, CHARS_SET)
#undef FIELD_SET
#undef CHARS_SET
    if (strcmp(name, "state") == 0) {
        desc->state_bytes = sizeof field_state;
    }
    if (strcmp(name, "labels.of_inputs") == 0) {
        desc->labels.of_input_count = sizeof field_numbers / sizeof field_numbers[0];
    }
}

/* ---- helpers ---- */

static void zero_desc(biost_loader_desc *desc) {
    memset(desc, 0, sizeof *desc);
}

/* Set the fields of a text, or a failed check with the sentence. */
static int read_text(biost_loader_desc *desc, const char *text, biost_desc_memory *memory) {
    biost_error error;
    test_note("%s", text);
    if (!CHECK(biost_loader_desc_read(desc, text, memory, &error) == BIOST_OK)) {
        printf("    sentence: %s\n", error.text);
        return 0;
    }
    CHECK(error.code == BIOST_OK && error.text[0] == '\0');
    return 1;
}

/* The desc as a text, in a buffer of this function's; `number` 0..3 chooses one. */
static const char *text_of(const biost_loader_desc *desc, int number) {
    static char texts[4][16384];
    size_t used = biost_loader_desc_text(desc, texts[number], sizeof texts[number]);
    CHECK(used < sizeof texts[number] && used == strlen(texts[number]));
    return texts[number];
}

/* 120 reads of 60 to 110 bases with names of fields, some N and lower case, and qualities of 0 to 41. */
static void make_reads(bytes *text) {
    uint64_t random = test_seed();
    memset(text, 0, sizeof *text);
    for (int i = 0; i < 120; ++i) {
        char record[400];
        int bases = 60 + (int)(test_random(&random) % 51);
        int at = snprintf(record, sizeof record, "@r%d_%d:%d/1\n", i, i % 7, i % 5);
        for (int k = 0; k < bases; ++k) {
            record[at++] = "ACGTACGTACGTACGTACGTACGTACGTACGTNacgtR"[test_random(&random) % 38];
        }
        at += snprintf(record + at, sizeof record - (size_t)at, "\n+\n");
        for (int k = 0; k < bases; ++k) {
            record[at++] = (char)(33 +
                                  (k % 9 == 0 ? test_random(&random) % 42 : 20 + test_random(&random) % 22));
        }
        record[at++] = '\n';
        bytes_add(text, record, (size_t)at);
    }
}

/* What an opened loader is: its resolved desc as a text, the digest of epoch 0, the first resume state. */
typedef struct outcome {
    biost_result open;
    char desc[16384], sentence[256];
    uint64_t digest;
    uint8_t state[512];
    size_t state_bytes;
} outcome;

static void run_desc(const biost_loader_desc *desc, outcome *out) {
    biost_loader *loader;
    biost_loader_desc resolved;
    biost_batch batch;
    biost_error error;
    memset(out, 0, sizeof *out);
    out->open = biost_loader_open(desc, &loader, &error);
    memcpy(out->sentence, error.text, sizeof out->sentence);
    if (out->open != BIOST_OK) {
        return;
    }
    biost_loader_get_desc(loader, &resolved);
    CHECK(biost_loader_desc_text(&resolved, out->desc, sizeof out->desc) < sizeof out->desc);
    if (CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            if (out->state_bytes == 0) {
                CHECK(biost_loader_state(loader, &batch, out->state, sizeof out->state, &out->state_bytes) ==
                      BIOST_OK);
            }
            out->digest += batch.digest;
            (void)biost_loader_release(loader, &batch);
        }
    }
    biost_loader_close(loader);
}

/* ---- set, write, read, open ---- */

static const biost_field *field_of(const char *name) {
    uint32_t count, i;
    const biost_field *fields = biost_desc_fields("biost_loader_desc", &count);
    for (i = 0; i < count; ++i) {
        if (strcmp(fields[i].name, name) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

/* The text that a field points to. */
static const char *text_at(const biost_loader_desc *desc, const biost_field *field) {
    const char *text;
    memcpy(&text, (const char *)desc + field->offset, sizeof text);
    return text;
}

/* Whether a text can name the field by itself; groups are set by fields of their own. */
static int is_settable(const biost_field *field) {
    return field->kind != BIOST_FIELD_HOOK && field->kind != BIOST_FIELD_GROUPS;
}

TEST(fields, each_has_a_value_here) {
    uint32_t count, i, settable = 0;
    const biost_field *fields = biost_desc_fields("biost_loader_desc", &count);
    for (i = 0; i < count; ++i) {
        const field_value *value = values;
        while (value->name != NULL && strcmp(value->name, fields[i].name) != 0) {
            ++value;
        }
        test_note("%s", fields[i].name);
        CHECK((value->name != NULL) == is_settable(&fields[i]));
        CHECK(fields[i].about != NULL && fields[i].about[0] != '\0');
        settable += (uint32_t)is_settable(&fields[i]);
    }
    CHECK_EQ_U64(settable, sizeof values / sizeof values[0] - 1);
}

/* Set by name, set by a text, set in C: the same. What a desc says as a text makes the desc again. */
TEST(fields, set_by_name_is_set_in_c) {
    for (const field_value *value = values; value->name != NULL; ++value) {
        static biost_desc_memory memory, again;
        biost_loader_desc in_c, by_text, by_name, back;
        char text[600];
        const biost_field *field = field_of(value->name);
        zero_desc(&in_c);
        zero_desc(&by_text);
        zero_desc(&by_name);
        zero_desc(&back);
        set_in_c(&in_c, value->name);
        snprintf(text, sizeof text, "%s %s", value->name, value->text);
        if (!CHECK(field != NULL) || !read_text(&by_text, text, &memory)) {
            continue;
        }
        CHECK_STR(text_of(&by_text, 0), text_of(&in_c, 1));
        CHECK(strchr(text_of(&in_c, 1), '\n') != NULL); /* it is not 0 */
        if (read_text(&back, text_of(&in_c, 1), &again)) {
            CHECK_STR(text_of(&back, 2), text_of(&in_c, 1));
        }
        if (field->kind == BIOST_FIELD_TOKENS) {
            CHECK_MEM(by_text.encoding.tokens, field_tokens, sizeof field_tokens);
        } else if (field->kind == BIOST_FIELD_WEIGHTS) {
            CHECK_MEM(by_text.weights, field_weights, sizeof field_weights);
        } else if (field->kind == BIOST_FIELD_STATE) {
            CHECK_EQ_U64(by_text.state_bytes, sizeof field_state);
            CHECK_MEM(by_text.state, field_state, sizeof field_state);
        } else if (field->kind == BIOST_FIELD_NUMBERS) {
            CHECK_EQ_U64(by_text.labels.of_input_count, 4);
            CHECK_MEM(by_text.labels.of_inputs, field_numbers, sizeof field_numbers);
        } else if (field->kind == BIOST_FIELD_TEXT) {
            CHECK_STR(text_at(&by_text, field), text_at(&in_c, field));
            CHECK_STR(text_at(&back, field), text_at(&in_c, field));
            CHECK(biost_loader_desc_set(&by_name, value->name, value->text, NULL) == BIOST_OK);
            CHECK(text_at(&by_name, field) == value->text);
        } else {
            CHECK_MEM(&by_text, &in_c, sizeof in_c);
            CHECK_MEM(&back, &in_c, sizeof in_c);
            if (value->text[0] != '"') { /* quotes are of texts */
                CHECK(biost_loader_desc_set(&by_name, value->name, value->text, NULL) == BIOST_OK);
                CHECK_MEM(&by_name, &in_c, sizeof in_c);
            }
        }
    }
}

/*
 * Loaders opened by a text and in C resolve the desc alike, give the same digest and the same resume state, in which
 * the hash of the desc is: that of the field's default differs where the table says that the field enters the hash.
 */
TEST(fields, loaders_opened_by_texts) {
    static outcome plain, by_text, in_c;
    bytes text;
    biost_memory memory;
    make_reads(&text);
    for (const field_value *value = values; value->name != NULL; ++value) {
        static biost_desc_memory fields_memory, base_memory;
        biost_loader_desc base, desc;
        const biost_field *field = field_of(value->name);
        char words[700];
        if (value->with[0] == '-') {
            continue;
        }
        zero_desc(&base);
        oracle_inputs(&base, &memory, &text, 1);
        base.row_bases = 120;
        base.batch_rows = 16;
        base.digest = 1;
        base.workers = 2;
        snprintf(words, sizeof words, "%s # %s", value->with, value->name);
        if (!read_text(&base, words, &base_memory)) {
            continue;
        }
        run_desc(&base, &plain);
        desc = base;
        set_in_c(&desc, value->name);
        run_desc(&desc, &in_c);
        desc = base;
        snprintf(words, sizeof words, "\tdesc %s\t%s\r\n", value->name, value->text);
        if (!read_text(&desc, words, &fields_memory)) {
            continue;
        }
        run_desc(&desc, &by_text);
        if (!CHECK(in_c.open == BIOST_OK)) {
            printf("    sentence: %s\n", in_c.sentence);
        }
        CHECK(by_text.open == in_c.open);
        CHECK_STR(by_text.desc, in_c.desc);
        CHECK_EQ_U64(by_text.digest, in_c.digest);
        CHECK_EQ_U64(by_text.state_bytes, in_c.state_bytes);
        CHECK_MEM(by_text.state, in_c.state, sizeof in_c.state);
        /* Of the state its first bytes: magic, version and the hash of the desc. */
        if (plain.open == BIOST_OK && in_c.open == BIOST_OK && strncmp(value->name, "labels.", 7) != 0) {
            int is_same = memcmp(plain.state, in_c.state, 16) == 0;
            CHECK(is_same == (field->mark != BIOST_MARK_DATA));
        }
    }
    bytes_free(&text);
}

/* What a loader says of its desc opens a loader that gives the same rows: all defaults are numbers then. */
TEST(fields, a_resolved_desc_is_a_text) {
    static outcome first, second;
    static biost_desc_memory memory;
    static const char *const texts[] = {
        "",
        "encoding.kind tokens encoding.tokens all=1,A=2,C=3 pad_multiple 8",
        "encoding.channels ACGU names 1 quality.kind phred mask 1 shuffle_rows 20 augment.substitute 0.01",
        "split.by field split.field 1 split.separator \"_\" split.below 0.75 filter.max_error_rate 0.9",
        "names 2 labels.kind title labels.field 2 labels.classes 0/1,1/1,2/1,3/1,4/1",
    };
    bytes text;
    biost_memory input;
    make_reads(&text);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        biost_loader_desc desc;
        zero_desc(&desc);
        oracle_inputs(&desc, &input, &text, 1);
        if (!read_text(&desc, "digest 1 batch_rows 16", &memory) || !read_text(&desc, texts[i], &memory)) {
            continue;
        }
        run_desc(&desc, &first);
        if (!CHECK(first.open == BIOST_OK)) {
            printf("    sentence: %s\n", first.sentence);
        }
        zero_desc(&desc);
        oracle_inputs(&desc, &input, &text, 1);
        if (read_text(&desc, first.desc, &memory)) {
            run_desc(&desc, &second);
            CHECK_STR(second.desc, first.desc);
            CHECK_EQ_U64(second.digest, first.digest);
            CHECK_MEM(second.state, first.state, sizeof first.state);
        }
    }
    bytes_free(&text);
}

TEST(fields, open_text_takes_paths) {
    static const char *const path = "build/fields.fastq";
    bytes text;
    biost_loader *loader = NULL;
    biost_error error;
    biost_loader_desc desc;
    outcome *by_path = (outcome *)calloc(1, sizeof *by_path);
    FILE *file = fopen(path, "wb");
    biost_result opened;
    make_reads(&text);
    if (!CHECK(file != NULL && fwrite(text.data, 1, text.count, file) == text.count)) {
        return;
    }
    fclose(file);
    opened = biost_loader_open_text("digest 1\nencoding.channels CGAT\nencoding.dtype f16", &path, 1, &loader,
                                    &error);
    if (!CHECK(opened == BIOST_OK)) {
        printf("    sentence: %s\n", error.text);
    }
    zero_desc(&desc);
    desc.paths = &path;
    desc.path_count = 1;
    desc.digest = 1;
    desc.encoding.channels = "CGAT";
    desc.encoding.dtype = BIOST_DTYPE_F16;
    run_desc(&desc, by_path);
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        CHECK_EQ_U64(digest_drain(loader, NULL), by_path->digest);
    }
    biost_loader_close(loader);
    CHECK(biost_loader_open_text(NULL, &path, 1, &loader, &error) == BIOST_OK); /* the zero desc */
    biost_loader_close(loader);
    CHECK(biost_loader_open_text("tail shrot", &path, 1, &loader, &error) == BIOST_ERR_ARG);
    CHECK(loader == NULL && error.line == 1);
    CHECK_STR(error.text, "line 1: desc.tail is \"shrot\", not one of pad|short|drop: did you mean short?");
    CHECK(biost_loader_open_text("tail short", &path, 1, NULL, &error) == BIOST_ERR_ARG);
    CHECK_STR(error.text, "out_loader is NULL");
    CHECK(biost_loader_open_text("", NULL, 0, &loader, &error) == BIOST_ERR_ARG);
    CHECK(loader == NULL);
    remove(path);
    free(by_path);
    bytes_free(&text);
}

/* ---- groups ---- */

/* Groups in a text and in C are the same text, and the text is the same desc again. */
TEST(fields, groups_in_texts) {
    static biost_desc_memory memory, again, longest;
    static const char text[] =
        "group.0.name \"human\"\ngroup.0.input_count 2\ngroup.0.weight 3\n"
        "group.0.label 9007199254740991\ngroup.1.name \"mouse, \\\"field\\\"\"\ngroup.1.first_input 2\n"
        "group.1.input_count 1\ngroup.1.weight 4294967295\ngroup.1.label -9007199254740992\n"
        "group.2.name \"\"\ngroup.2.first_input 3\ngroup.2.input_count 8388607\n"
        "group.2.weight 1\ngroup.2.label 0.1\n";
    const biost_group groups[] = {{"human", 0, 2, 3, 9007199254740991.0, NULL, NULL},
                                  {"mouse, \"field\"", 2, 1, 4294967295u, -9007199254740992.0, NULL, NULL},
                                  {"", 3, 8388607, 1, 0.1, NULL, NULL}};
    biost_loader_desc in_c, desc, back;
    char name[64], words[128];
    zero_desc(&in_c);
    zero_desc(&desc);
    zero_desc(&back);
    in_c.groups = groups;
    in_c.group_count = 3;
    CHECK_STR(text_of(&in_c, 0), text);
    if (read_text(&desc, text, &memory)) {
        CHECK(desc.groups == memory.groups && desc.group_count == 3);
        CHECK_STR(text_of(&desc, 1), text);
        CHECK(desc.groups[1].label == -9007199254740992.0 && desc.groups[2].label == (double)0.1f);
    }
    /* later texts add to what is there, also to groups that lie elsewhere */
    if (read_text(&in_c, "group.1.weight 7 group.4.input_count 1", &again)) {
        CHECK(in_c.groups == again.groups && in_c.group_count == 5 && groups[1].weight == 4294967295u);
        CHECK(in_c.groups[1].weight == 7 && in_c.groups[0].weight == 3 && in_c.groups[3].weight == 0);
        CHECK(in_c.groups[0].name == groups[0].name && in_c.groups[4].input_count == 1);
    }
    if (read_text(&in_c, "group.0.name cow", &again)) {
        CHECK(in_c.group_count == 5 && in_c.groups[1].weight == 7);
        CHECK_STR(in_c.groups[0].name, "cow");
    }
    memset(name, 'n', 63);
    name[63] = '\0';
    snprintf(words, sizeof words, "group.63.name %s group.63.label -0.5", name);
    if (read_text(&back, words, &longest)) {
        CHECK_EQ_U64(back.group_count, 64);
        CHECK_STR(back.groups[63].name, name);
        CHECK(back.groups[63].label == -0.5);
    }
}

/* As many numbers as a text can have, each as long as it can be. */
TEST(fields, the_longest_list) {
    static biost_desc_memory memory, again;
    static char text[32768];
    biost_loader_desc desc, back;
    int at = snprintf(text, sizeof text, "labels.of_inputs "), start = at;
    zero_desc(&desc);
    zero_desc(&back);
    for (int i = 0; i < 1024; ++i) {
        at += snprintf(text + at, sizeof text - (size_t)at, "%s-0.%018lld", i > 0 ? "," : "",
                       (i + 1) * 9700000007LL);
    }
    if (!CHECK(biost_loader_desc_read(&desc, text, &memory, NULL) == BIOST_OK)) {
        return;
    }
    CHECK_EQ_U64(desc.labels.of_input_count, 1024);
    at = (int)biost_loader_desc_text(&desc, NULL, 0);
    CHECK(at > 1024 * 12 && at < (int)sizeof text);
    (void)biost_loader_desc_text(&desc, text, sizeof text);
    if (CHECK(biost_loader_desc_read(&back, text, &again, NULL) == BIOST_OK)) {
        CHECK_MEM(again.of_inputs, memory.of_inputs, sizeof memory.of_inputs);
    }
    for (at = start; at < start + 2 * 1025; at += 2) {
        memcpy(text + at, "1,", 2);
    }
    text[at - 1] = '\0';
    CHECK(biost_loader_desc_read(&back, text, &again, NULL) == BIOST_ERR_ARG);
}

/* ---- refusals ---- */

TEST(fields, what_no_text_can_say) {
    static const struct {
        const char *text, *sentence;
        uint32_t line;
    } rows[] = {
        {"batch_rows", "desc.batch_rows has no value", 1},
        {"\n\nbatch_rows   # nothing\n", "desc.batch_rows has no value", 4},
        {"batch_rows 1048577", "desc.batch_rows is \"1048577\", not a whole number of 1..1048576, or 0", 1},
        {"batch_rows -1", "desc.batch_rows is \"-1\", not a whole number of 1..1048576, or 0", 1},
        {"batch_rows 0x10", "desc.batch_rows is \"0x10\", not a whole number of 1..1048576, or 0", 1},
        {"batch_rows 4294967297", "desc.batch_rows is \"4294967297\", not a whole number of 1..1048576, or 0",
         1},
        {"seed 18446744073709551616",
         "desc.seed is \"18446744073709551616\", not a whole number of 0..18446744073709551615", 1},
        {"test.page_bytes 15", "desc.test.page_bytes is \"15\", not a whole number of 16..4294967295, or 0",
         1},
        {"encoding.pad_value 2147483648",
         "desc.encoding.pad_value is \"2147483648\", not a whole number of -2147483648..2147483647", 1},
        {"filter.max_error_rate 1.0001", "desc.filter.max_error_rate is \"1.0001\", not a number of 0..1", 1},
        {"filter.max_error_rate nan", "desc.filter.max_error_rate is \"nan\", not a number of 0..1", 1},
        {"filter.max_error_rate 1e-3", "desc.filter.max_error_rate is \"1e-3\", not a number of 0..1", 1},
        {"filter.max_error_rate .", "desc.filter.max_error_rate is \".\", not a number of 0..1", 1},
        {"filter.subsample_below 2", "desc.filter.subsample_below is \"2\", not a number of 0..1, 0 for 1",
         1},
        {"mask 2", "desc.mask is \"2\", not 0 or 1", 1},
        {"mask yes", "desc.mask is \"yes\", not 0 or 1", 1},
        {"encoding.dtype f8",
         "desc.encoding.dtype is \"f8\", not one of u8|f16|f32|bf16|i32|i64: did you mean u8?", 1},
        {"encoding.dtype float64", "desc.encoding.dtype is \"float64\", not one of u8|f16|f32|bf16|i32|i64",
         1},
        {"encoding.kind one", "desc.encoding.kind is \"one\", not one of onehot|tokens", 1},
        {"encoding.kind \"\"", "desc.encoding.kind is \"\", not one of onehot|tokens", 1},
        {"tail pad\nrow_basse 5", "the desc has no field \"row_basse\": did you mean row_bases?", 2},
        {"quality phred", "the desc has no field \"quality\": did you mean quality.kind?", 1},
        {"shuffle 9", "the desc has no field \"shuffle\": did you mean shuffle_rows?", 1},
        {"dtype f16", "the desc has no field \"dtype\": did you mean encoding.dtype?", 1},
        {"xyzzyxyzzyxyzzy 1", "the desc has no field \"xyzzyxyzzyxyzzy\"", 1},
        {"mask 1 mask 1", "desc.mask is set twice", 1},
        {"\"mask\" 1", "a name must stand here, and not a value in quotes", 1},
        {"split.strip \"abc", "a value has no \" at its end", 1},
        {"split.strip \"a\nb\"", "a value has no \" at its end", 1},
        {"split.strip \"\\n\"", "after \\ must stand \\, \" or x and two hexadecimal digits", 1},
        {"split.strip \"\\x4\"", "after \\ must stand \\, \" or x and two hexadecimal digits", 1},
        {"split.strip \"\\", "after \\ must stand \\, \" or x and two hexadecimal digits", 1},
        {"split.strip 1234567", "desc.split.strip is \"1234567\", not a text of at most 6 bytes", 1},
        {"split.separator ab", "desc.split.separator is \"ab\", not one character", 1},
        {"split.separator \"\"", "desc.split.separator is \"\", not one character", 1},
        {"filter.keep 1", "desc.filter.keep is a function or memory of yours: a text cannot set it", 1},
        {"paths x", "desc.paths is a function or memory of yours: a text cannot set it", 1},
        {"state_bytes 5", "desc.state_bytes is a function or memory of yours: a text cannot set it", 1},
        {"state 123", "desc.state is \"123\", not two hexadecimal digits for each of at most 8320 bytes", 1},
        {"state 0g", "desc.state is \"0g\", not two hexadecimal digits for each of at most 8320 bytes", 1},
        {"groups 1", "desc.groups are set field by field, as group.0.weight", 1},
        {"group_count 1", "desc.group_count is a function or memory of yours: a text cannot set it", 1},
        {"group.0.weigth 3", "the desc has no field \"group.0.weigth\": did you mean group.0.weight?", 1},
        {"grup.7.wieght 3", "the desc has no field \"grup.7.wieght\": did you mean group.7.weight?", 1},
        {"group.0. 3", "the desc has no field \"group.0.\"", 1},
        {"group.64.weight 3", "the desc has no field \"group.64.weight\": groups have the numbers 0..63", 1},
        {"group.99999999999999999999.weight 3", "the desc has no field \"group.99999999999999999999.weight\"",
         1},
        {"group.1.weight 0", "desc.group.1.weight is \"0\", not a whole number of 1..4294967295", 1},
        {"group.1.input_count 0", "desc.group.1.input_count is \"0\", not a whole number of 1..8388607", 1},
        {"group.1.first_input 8388607",
         "desc.group.1.first_input is \"8388607\", not a whole number of 0..8388606", 1},
        {"group.1.weight 1 group.01.weight 1", "desc.group.1.weight is set twice", 1},
        {"group.1.label", "desc.group.1.label has no value", 1},
        {"group.1.label 1e3",
         "desc.group.1.label is \"1e3\", not a whole number of at most 2^53, or a number with a point", 1},
        {"group.1.label 9007199254740993",
         "desc.group.1.label is \"9007199254740993\", not a whole number of at most 2^53, or a number with a "
         "point",
         1},
        {"group.1.label nan",
         "desc.group.1.label is \"nan\", not a whole number of at most 2^53, or a number with a point", 1},
        {"group.0.name 1234567890123456789012345678901234567890123456789012345678901234",
         "desc.group.0.name is \"1234567890123456789012345678901234567890...\", not a text of at most 63 "
         "bytes",
         1},
        {"labels.of_inputs 0,,1",
         "desc.labels.of_inputs is \"0,,1\", not a list of at most 1024 numbers, with commas between, as "
         "0,1,1",
         1},
        {"labels.of_inputs \"\"",
         "desc.labels.of_inputs is \"\", not a list of at most 1024 numbers, with commas between, as 0,1,1",
         1},
        {"epoch_end last", "desc.epoch_end is \"last\", not one of all|first|rows", 1},
        {"open_files 65", "desc.open_files is \"65\", not a whole number of 1..64, or 0 for 1", 1},
        {"encoding.tokens A",
         "desc.encoding.tokens is \"A\", not a list of byte=number, each once, with commas between, as "
         "all=5,A=1,C=2",
         1},
        {"encoding.tokens A=",
         "desc.encoding.tokens is \"A=\", not a list of byte=number, each once, with commas between, as "
         "all=5,A=1,C=2",
         1},
        {"encoding.tokens A=1,",
         "desc.encoding.tokens is \"A=1,\", not a list of byte=number, each once, with commas between, as "
         "all=5,A=1,C=2",
         1},
        {"encoding.tokens A=1,all=5,A=2",
         "desc.encoding.tokens is \"A=1,all=5,A=2\", not a list of byte=number, each once, with commas "
         "between, as "
         "all=5,A=1,C=2",
         1},
        {"encoding.tokens all=1,all=1",
         "desc.encoding.tokens is \"all=1,all=1\", not a list of byte=number, each once, with commas "
         "between, as "
         "all=5,A=1,C=2",
         1},
        {"batch_rows \x01\x7f\xff",
         "desc.batch_rows is \"\\x01\\x7f\\xff\", not a whole number of 1..1048576, or 0", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        static biost_desc_memory memory;
        biost_loader_desc desc, before;
        biost_error error;
        char wanted[256];
        zero_desc(&desc);
        desc.batch_rows = 77;
        before = desc;
        test_note("%s", rows[i].text);
        CHECK(biost_loader_desc_read(&desc, rows[i].text, &memory, &error) == BIOST_ERR_ARG);
        CHECK(error.code == BIOST_ERR_ARG && error.fault == BIOST_FAULT_ARGUMENT);
        snprintf(wanted, sizeof wanted, "line %u: %s", rows[i].line, rows[i].sentence);
        CHECK_STR(error.text, wanted);
        CHECK_EQ_U64(error.line, rows[i].line);
        CHECK_MEM(&desc, &before, sizeof desc);
    }
}

/* The value is a string of C: no quotes. What would need memory is refused. */
TEST(fields, what_cannot_be_set_by_name) {
    biost_loader_desc desc, before;
    biost_error error;
    zero_desc(&desc);
    zero_desc(&before);
    CHECK(biost_loader_desc_set(&desc, "split.strip", "\"#\"", &error) == BIOST_OK);
    CHECK_STR(desc.split.strip, "\"#\"");
    zero_desc(&desc);
    CHECK(biost_loader_desc_set(&desc, "encoding.tokens", "A=1", &error) == BIOST_ERR_ARG);
    CHECK_STR(error.text, "desc.encoding.tokens needs memory: biost_loader_desc_read takes some for it");
    CHECK(biost_loader_desc_set(&desc, "state", "00", &error) == BIOST_ERR_ARG);
    CHECK(biost_loader_desc_set(&desc, "labels.of_inputs", "0", &error) == BIOST_ERR_ARG);
    CHECK_STR(error.text, "desc.labels.of_inputs needs memory: biost_loader_desc_read takes some for it");
    CHECK(biost_loader_desc_set(&desc, "group.3.weight", "2", &error) == BIOST_ERR_ARG);
    CHECK_STR(error.text, "desc.group.3.weight needs memory: biost_loader_desc_read takes some for it");
    CHECK(biost_loader_desc_set(&desc, "Mask", "1", &error) == BIOST_ERR_ARG);
    CHECK_STR(error.text, "the desc has no field \"Mask\": did you mean mask?");
    CHECK(biost_loader_desc_set(&desc, "", "1", &error) == BIOST_ERR_ARG);
    CHECK(biost_loader_desc_set(&desc, "mask", "", &error) == BIOST_ERR_ARG);
    CHECK(biost_loader_desc_set(&desc, "mask ", "1", &error) == BIOST_ERR_ARG);
    CHECK(biost_loader_desc_set(NULL, "mask", "1", &error) == BIOST_ERR_ARG);
    CHECK_STR(error.text, "desc is NULL");
    CHECK(biost_loader_desc_set(&desc, NULL, "1", &error) == BIOST_ERR_ARG);
    CHECK(biost_loader_desc_set(&desc, "mask", NULL, NULL) == BIOST_ERR_ARG);
    CHECK(biost_loader_desc_read(&desc, NULL, NULL, &error) == BIOST_ERR_ARG);
    CHECK(biost_loader_desc_read(&desc, "", NULL, &error) == BIOST_ERR_ARG);
    CHECK_STR(error.text, "memory is NULL");
    CHECK_MEM(&desc, &before, sizeof desc);
}

static int keep_all(const biost_record *record, int64_t id, void *user_data) {
    (void)record;
    (void)id;
    (void)user_data;
    return 1;
}

TEST(fields, a_text_says_what_it_leaves_out) {
    biost_loader_desc desc;
    char out[64];
    static const char whole[] = "mask 1\n# left out: path_count, filter.keep\n";
    zero_desc(&desc);
    CHECK_STR(text_of(&desc, 0), "");
    CHECK_EQ_U64(biost_loader_desc_text(NULL, out, sizeof out), 0);
    CHECK_STR(out, "");
    desc.mask = 5; /* any number but 0 is 1 */
    desc.filter.keep = keep_all;
    desc.path_count = 3;
    CHECK_STR(text_of(&desc, 0), whole);
    CHECK_EQ_U64(biost_loader_desc_text(&desc, NULL, 0), sizeof whole - 1);
    memset(out, 'x', sizeof out);
    CHECK_EQ_U64(biost_loader_desc_text(&desc, out, 8), sizeof whole - 1);
    CHECK_STR(out, "mask 1\n");
    CHECK(out[8] == 'x');
    CHECK_EQ_U64(biost_loader_desc_text(&desc, out, 1), sizeof whole - 1);
    CHECK_STR(out, "");
}

/* ---- fractions ---- */

/* The C library reads a text as the float nearest to it, and so must a desc. */
TEST(fields, fractions_are_the_nearest_floats) {
    uint64_t random = test_seed();
    biost_loader_desc desc;
    unsigned tries = test_effort(20000, 2000000), i;
    zero_desc(&desc);
    for (i = 0; i < tries; ++i) {
        char text[40];
        float wanted;
        if (i % 2 == 0) { /* decimals of 1 to 18 digits */
            int digits = 1 + (int)(test_random(&random) % 18);
            uint64_t number = test_random(&random) % 1000000000000000000u;
            int k;
            for (k = digits; k < 18; ++k) {
                number /= 10;
            }
            snprintf(text, sizeof text, "0.%0*llu", digits, (unsigned long long)number);
        } else { /* halves between two floats, and what lies just beside them */
            uint32_t bits = (uint32_t)(0x3A000000u + test_random(&random) % 0x05800000u);
            float low, high;
            int places = 9 + (int)(test_random(&random) % 9);
            memcpy(&low, &bits, 4);
            ++bits;
            memcpy(&high, &bits, 4);
            snprintf(text, sizeof text, "%.*f", places, ((double)low + (double)high) / 2);
        }
        wanted = strtof(text, NULL);
        if (wanted > 1) {
            continue;
        }
        test_note("%s", text);
        CHECK(biost_loader_desc_set(&desc, "split.from", text, NULL) == BIOST_OK);
        CHECK_MEM(&desc.split.from, &wanted, sizeof wanted);
    }
}

/* A float that was written is the same float when read, and no shorter text is; below 1e-18 it is 1e-18. */
TEST(fields, fractions_are_written_short) {
    static const struct {
        float value;
        const char *text;
    } rows[] = {{0.1f, "0.1"},
                {0.5f, "0.5"},
                {1.0f, "1"},
                {0.3f, "0.3"},
                {93.0f, "93"},
                {20.5f, "20.5"},
                {0.01f, "0.01"},
                {16.1f, "16.1"},
                {0.999f, "0.999"},
                {1.0f / 3.0f, "0.33333334"},
                {1e-18f, "0.000000000000000001"},
                {FLT_MIN, "0.000000000000000001"},
                {1e-9f, "0.000000001"}};
    uint64_t random = test_seed();
    unsigned tries = test_effort(20000, 2000000), i;
    biost_loader_desc desc;
    zero_desc(&desc);
    for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char wanted[64];
        desc.filter.min_mean_quality = rows[i].value;
        snprintf(wanted, sizeof wanted, "filter.min_mean_quality %s\n", rows[i].text);
        CHECK_STR(text_of(&desc, 0), wanted);
    }
    for (i = 0; i < tries; ++i) {
        uint32_t bits = (uint32_t)(0x2E000000u + test_random(&random) % 0x13B90000u); /* 2.9e-11 to 92 */
        biost_loader_desc back;
        const char *text;
        char shorter[40], *end;
        memcpy(&desc.filter.min_mean_quality, &bits, 4);
        text = text_of(&desc, 0) + strlen("filter.min_mean_quality ");
        zero_desc(&back);
        snprintf(shorter, sizeof shorter, "%.*s", (int)strcspn(text, "\n"), text);
        test_note("%s", shorter);
        CHECK(biost_loader_desc_set(&back, "filter.min_mean_quality", shorter, NULL) == BIOST_OK);
        CHECK_MEM(&back, &desc, sizeof desc);
        end = strchr(shorter, '.');
        if (end != NULL && strlen(end) > 1) { /* one digit less, down or up, is another float */
            int places = (int)strlen(end) - 2;
            snprintf(shorter, sizeof shorter, "%.*f", places, (double)desc.filter.min_mean_quality);
            CHECK(strtof(shorter, NULL) != desc.filter.min_mean_quality);
        }
    }
}

/* ---- lists of tokens ---- */

/* What bytes have by a list, worked out by hand: letters, and the token of each. */
TEST(fields, a_letter_means_both_cases) {
    static const struct {
        const char *list, *bytes;
        int32_t tokens[16];
    } cases[] = {
        {"all=5,A=1,C=2,G=3,T=4", "ACGTUacgtuNn@`[{", {1, 2, 3, 4, 4, 1, 2, 3, 4, 4, 5, 5, 5, 5, 5, 5}},
        {"T=4,G=3,C=2,all=5,A=1", "ACGTUacgtuNn@`[{", {1, 2, 3, 4, 4, 1, 2, 3, 4, 4, 5, 5, 5, 5, 5, 5}},
        {"a=1,all=5,u=4", "AaTtUuCVvSs", {1, 1, 4, 4, 4, 4, 5, 5, 5, 5, 5}}, /* as the table has T and U */
        {"A=1,a=6,all=-2", "AaBb", {1, 6, -2, -2}},
        {"a=6,A=1", "AaBb", {1, 6, 0, 0}},
        {"T=4,u=7,all=9", "TtUu", {4, 4, 7, 7}},
        {"T=4,t=8,all=9", "TtUu", {4, 8, 4, 8}},
        {"U=4,t=8", "TtUu", {8, 8, 4, 4}},
        {"T=1,t=2,U=3,u=4", "TtUu", {1, 2, 3, 4}},
        {"N=1,T=4,X=2,-=3,all=9", "TtUuNX-", {4, 4, 4, 4, 1, 2, 3}},
        {"A=1,C=2,D=3,T=4,Y=5,e=6,all=9", "TtUuEe", {4, 4, 9, 9, 6, 6}}, /* a protein has no uracil */
        {"all=9,u=4,Q=1", "TtUuq", {9, 9, 4, 4, 1}},
        {"T=4,z=1", "TtUu", {4, 4, 0, 0}},
        {"T=4,M=1,K=2,S=3,Y=5", "TtUu", {4, 4, 4, 4}},
        {"T=1,u=2,F=3", "TtUu", {1, 1, 2, 2}},
        {"-=1,[=2,@=3,all=4", "-\r[{@`", {1, 4, 2, 4, 3, 4}}, /* no letters: 32 from one another */
        {"\xe1=1,all=4", "\xe1\xc1", {1, 4}},
        {"all=3", "Az", {3, 3}},
    };
    static biost_desc_memory memory, again;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[100];
        biost_loader_desc desc, back;
        biost_error error;
        zero_desc(&desc);
        zero_desc(&back);
        snprintf(text, sizeof text, "encoding.tokens \"%s\"", cases[i].list);
        test_note("%s", text);
        if (CHECK(biost_loader_desc_read(&desc, text, &memory, &error) == BIOST_OK)) {
            for (size_t k = 0; cases[i].bytes[k] != '\0'; ++k) {
                CHECK_EQ_I64(desc.encoding.tokens[(uint8_t)cases[i].bytes[k]], cases[i].tokens[k]);
            }
            REQUIRE(biost_loader_desc_read(&back, text_of(&desc, 0), &again, &error) == BIOST_OK);
            CHECK_MEM(back.encoding.tokens, desc.encoding.tokens, 256 * sizeof(int32_t));
        }
    }
    /* the shortest list is written */
    for (int i = 0; i < 256; ++i) {
        field_tokens[i] = strchr("Aa", i) != NULL && i > 0 ? 1 : strchr("TtUu", i) != NULL && i > 0 ? 4 : 5;
    }
    {
        biost_loader_desc desc;
        zero_desc(&desc);
        desc.encoding.tokens = field_tokens;
        CHECK(strstr(text_of(&desc, 0), "encoding.tokens \"all=5,A=1,T=4\"") != NULL);
    }
}

/* Any tokens of bytes are written as a list that is read as them. */
TEST(fields, any_tokens_are_written_and_read) {
    static biost_desc_memory memory;
    uint64_t random = test_seed();
    for (int i = 0; i < 2000; ++i) {
        static int32_t tokens[256];
        uint64_t kinds = 1 + test_random(&random) % 4, letters = test_random(&random) % 2;
        biost_loader_desc desc, back;
        biost_error error;
        for (int k = 0; k < 256; ++k) {
            const int is_drawn = letters == 0 || strchr("ACTUactuEq\xc1", k) != NULL;
            tokens[k] = is_drawn ? (int32_t)(test_random(&random) % kinds) - 1 : 7;
        }
        zero_desc(&desc);
        zero_desc(&back);
        desc.encoding.tokens = tokens;
        REQUIRE(biost_loader_desc_read(&back, text_of(&desc, 0), &memory, &error) == BIOST_OK);
        test_note("%s", text_of(&desc, 0));
        CHECK_MEM(back.encoding.tokens, tokens, sizeof tokens);
    }
}

/* With the manual's list a soft-masked read and RNA come out as with the table that is used without a list. */
TEST(fields, a_list_of_bases_is_the_table) {
    static const char *const lists[] = {"", "encoding.tokens all=5,A=1,C=2,G=3,T=4",
                                        "encoding.tokens u=4,g=3,c=2,a=1,all=5"};
    static biost_desc_memory memory;
    for (size_t i = 0; i < 3; ++i) {
        static const char text[] = "@r\nACGTUNacgtun-*\n+\nIIIIIIIIIIIIII\n";
        static const uint8_t wanted[14] = {1, 2, 3, 4, 4, 5, 1, 2, 3, 4, 4, 5, 5, 5};
        const biost_memory input = {text, sizeof text - 1, "r"};
        char all[200];
        biost_loader_desc desc;
        biost_loader *loader;
        biost_batch batch;
        biost_error error;
        zero_desc(&desc);
        snprintf(all, sizeof all, "batch_rows 1 row_bases 14 encoding.kind tokens %s", lists[i]);
        REQUIRE(biost_loader_desc_read(&desc, all, &memory, &error) == BIOST_OK);
        desc.memories = &input;
        desc.memory_count = 1;
        REQUIRE(biost_loader_open(&desc, &loader, &error) == BIOST_OK);
        REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK && biost_loader_next(loader, &batch) == BIOST_OK);
        test_note("%s", all);
        CHECK_MEM(batch.x.data, wanted, sizeof wanted);
        biost_loader_close(loader);
    }
}

/* ---- any bytes ---- */

/*
 * Texts of names, words and random bytes: no crash, and a text that was taken is the same again when it was written
 * and read. TEST_TEXTS sets the number, as ten million do where every change is tried.
 */
TEST(fields, any_text) {
    static const char *const pieces[] = {" ",    "\n",    "#",  "\"",   "\\",  "\\x41",
                                         "0",    "1",     "17", "0.25", "=",   ",",
                                         "desc", "all=5", "A=", "-",    "pad", "18446744073709551615"};
    const char *wish = getenv("TEST_TEXTS");
    uint64_t tries = wish != NULL ? strtoull(wish, NULL, 10) : test_effort(20000, 200000), taken = 0, i;
    uint64_t random = test_seed();
    uint32_t count, group_fields;
    const biost_field *fields = biost_desc_fields("biost_loader_desc", &count);
    const biost_field *of_group = biost_desc_fields("biost_group", &group_fields);
    for (i = 0; i < tries; ++i) {
        static biost_desc_memory memory, again;
        biost_loader_desc desc, back;
        biost_error error;
        char text[512];
        size_t at = 0, parts = 1 + (size_t)(test_random(&random) % 12), k;
        for (k = 0; k < parts && at < 400; ++k) {
            uint64_t kind = test_random(&random) % 8;
            const biost_field *field = &fields[test_random(&random) % count];
            if (kind < 5) { /* a field and a value that often fits */
                const char *value = field->words != NULL ? field->words
                                                         : pieces[6 + test_random(&random) % 4];
                if (test_random(&random) % 16 == 0) {
                    value = pieces[test_random(&random) % 18];
                }
                if (test_random(&random) % 4 == 0) {
                    field = &of_group[test_random(&random) % group_fields];
                    at += (size_t)snprintf(text + at, 20, "group.%u.", (unsigned)(test_random(&random) % 66));
                    value = pieces[test_random(&random) % 18];
                }
                at += (size_t)snprintf(text + at, 100, "%s %.*s ", field->name, (int)strcspn(value, "|"),
                                       value);
            } else if (kind < 7) {
                at += (size_t)snprintf(text + at, 100, "%s", pieces[test_random(&random) % 18]);
            } else {
                text[at++] = (char)(1 + test_random(&random) % 255);
            }
        }
        text[at] = '\0';
        zero_desc(&desc);
        if (biost_loader_desc_read(&desc, text, &memory, &error) != BIOST_OK) {
            if (error.code != BIOST_ERR_ARG || error.line == 0 || strlen(error.text) < 10) {
                test_note("%s", text);
                CHECK(error.code == BIOST_ERR_ARG && error.line > 0 && strlen(error.text) >= 10);
            }
            continue;
        }
        ++taken;
        zero_desc(&back);
        (void)text_of(&desc, 0);
        if (biost_loader_desc_read(&back, text_of(&desc, 0), &again, &error) != BIOST_OK ||
            strcmp(text_of(&desc, 0), text_of(&back, 1)) != 0) {
            test_note("%s", text);
            CHECK_STR(text_of(&back, 1), text_of(&desc, 0));
        }
    }
    CHECK(taken > tries / 50);
}

/* ---- the tables ---- */

TEST(fields, tables_of_all_descs) {
    static const struct {
        const char *name;
        size_t bytes;
    } descs[] = {
        {"biost_loader_desc", sizeof(biost_loader_desc)}, {"biost_reader_desc", sizeof(biost_reader_desc)},
        {"biost_stream_desc", sizeof(biost_stream_desc)}, {"biost_pairs_desc", sizeof(biost_pairs_desc)},
        {"biost_index_desc", sizeof(biost_index_desc)},   {"biost_group", sizeof(biost_group)}};
    uint32_t count = 7;
    for (size_t i = 0; i < sizeof descs / sizeof descs[0]; ++i) {
        const biost_field *fields = biost_desc_fields(descs[i].name, &count);
        test_note("%s", descs[i].name);
        if (CHECK(fields != NULL && count > 1)) {
            for (uint32_t k = 0; k < count; ++k) { /* no two fields lie in the same bytes, and none outside */
                CHECK(fields[k].offset + fields[k].bytes <= descs[i].bytes);
                for (uint32_t m = 0; m < k; ++m) {
                    CHECK(fields[m].offset >= fields[k].offset + fields[k].bytes ||
                          fields[k].offset >= fields[m].offset + fields[m].bytes);
                }
            }
        }
    }
    CHECK(biost_desc_fields("biost_other_desc", &count) == NULL && count == 0);
    CHECK(biost_desc_fields(NULL, NULL) == NULL);
}

TEST(fields, check_says_the_first_field_out_of_range) {
    biost_loader_desc desc;
    biost_error error;
    uint32_t count;
    const biost_field *fields = biost_desc_fields("biost_loader_desc", &count);
    zero_desc(&desc);
    CHECK(biost_desc_check(fields, count, &desc, &error) == BIOST_OK);
    desc.slots = 1025;
    desc.filter.max_error_rate = 1.5f;
    CHECK(biost_desc_check(fields, count, &desc, &error) == BIOST_ERR_ARG);
    CHECK_STR(error.text, "desc.filter.max_error_rate is 1.5, not a number of 0..1");
    desc.filter.max_error_rate = -0.25f;
    CHECK(biost_desc_check(fields, count, &desc, &error) == BIOST_ERR_ARG);
    CHECK_STR(error.text, "desc.filter.max_error_rate is -0.25, not a number of 0..1");
    desc.filter.max_error_rate = 0;
    CHECK(biost_desc_check(fields, count, &desc, &error) == BIOST_ERR_ARG);
    CHECK_STR(error.text, "desc.slots is 1025, not a whole number of 1..1024, or 0 for 4");
    CHECK(biost_desc_check(fields, count, NULL, &error) == BIOST_ERR_ARG);
    CHECK(biost_desc_check(NULL, 1, &desc, NULL) == BIOST_ERR_ARG);
}
