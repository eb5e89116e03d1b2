/*
 * test_cuda_ring - biostream_cuda.h on the fake provider: the batches that arrive, their order, failures at every
 * call, exports, interleavings, and that each wait and record is needed.
 *
 * What a batch must be comes from a plain loader with the same desc, of several devices from one loader a
 * rank. A consumer is a kernel of the fake's: it compares when its stream comes to it, then fills the slot with
 * 0xA5, so that a slot filled too early, or read too late, is seen.
 *
 * rooms: cuda_ring cuda_open cuda_device cuda_words cuda_public
 * needs: loader stores threads library dlopen
 */
#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "../biostream_cuda.h"
#include "test.h"
#include "fake_cuda.h"
#include "cuda_rig.h"

#include <inttypes.h>

#define NO_TOKENS {0, 0, "", 0, 0, 0}, 0, 0, 0, 0 /* encoding.kmers, begin and end */

/* ---- one epoch through the rings -------------------------------------------------------------------- */

typedef struct run_options {
    fake_cuda_options fake;
    uint32_t devices;                                    /* 0 = 1 */
    uint32_t held;                                       /* batches held at a time, of each device; 0 = 1 */
    int own_streams;                                     /* copy streams of the test's */
    int polls;                                           /* try_next instead of next */
    const biost_cuda_provider *(*wrap)(fake_cuda *fake); /* in front of the fake; NULL: the fake */
    int expects_bad;                                     /* contents are not checked here: *out_bad tells */
    biost_cuda_desc desc;                                /* loader, devices, provider are filled in here */
} run_options;

/* What happened, for tests that look closer. */
typedef struct run_result {
    biost_result opened, ended;
    biost_error error;
    uint32_t batches, bad;
    biost_cuda_counters counters;
    uint64_t copy_ins, pageable, queries, waits;
    char problems[8192];
} run_result;

/* Release the oldest of the batches held on every device. */
static void release_oldest(biost_cuda *cuda, biost_cuda_batch *held, uint32_t *count, uint32_t devices,
                           const biost_cuda_stream *streams) {
    uint32_t d;
    for (d = 0; d < devices; ++d) {
        (void)biost_cuda_release(cuda, &held[d], streams[d]);
    }
    --*count;
    memmove(held, held + devices, *count * devices * sizeof *held);
}

/* One epoch: every batch is compared on its stream. */
static run_result run_epoch(const biost_loader_desc *loader, const run_options *wish, const expected_run *run,
                            uint64_t epoch) {
    static consumer consumers[BATCHES_MOST][DEVICES_MOST];
    run_options options = *wish;
    run_result result;
    uint32_t devices = options.devices > 0 ? options.devices : 1, d, b, held_count = 0, most, i;
    biost_cuda_batch batches[DEVICES_MOST], held[16 * DEVICES_MOST];
    biost_cuda_stream streams[DEVICES_MOST], copies[DEVICES_MOST * 8];
    biost_cuda *cuda = NULL;
    fake_cuda *fake;
    const char *problems;
    memset(&result, 0, sizeof result);
    memset(consumers, 0, sizeof consumers);
    options.fake.device_count = (int)devices;
    fake = fake_cuda_new(&options.fake);
    for (d = 0; d < devices; ++d) {
        streams[d] = fake_cuda_stream(fake, (int)d);
        for (i = 0; options.own_streams && i < 2; ++i) {
            copies[d * 2 + i] = fake_cuda_stream(fake, (int)d);
        }
    }
    options.desc.loader = loader;
    options.desc.devices = device_numbers;
    options.desc.device_count = devices;
    options.desc.streams = options.own_streams ? copies : NULL;
    options.desc.provider = options.wrap != NULL ? options.wrap(fake) : fake_cuda_provider(fake);
    fake_cuda_set_current(fake, -1);
    result.opened = biost_cuda_open(&options.desc, &cuda, &result.error);
    most = options.held > 0 ? options.held : 1;
    if (result.opened == BIOST_OK) {
        result.ended = biost_cuda_begin(cuda, epoch);
        while (result.ended == BIOST_OK) {
            if (held_count == most) {
                release_oldest(cuda, held, &held_count, devices, streams);
            }
            do {
                result.ended = options.polls ? biost_cuda_try_next(cuda, streams, batches)
                                             : biost_cuda_next(cuda, streams, batches);
            } while (result.ended == BIOST_PENDING);
            if (result.ended != BIOST_OK) {
                break;
            }
            if (!CHECK(result.batches < run->count)) {
                break;
            }
            use_batches(fake, batches, consumers[result.batches], streams, run, result.batches, devices,
                        !options.expects_bad);
            memcpy(held + held_count++ * devices, batches, devices * sizeof batches[0]);
            ++result.batches;
        }
        while (held_count > 0) {
            release_oldest(cuda, held, &held_count, devices, streams);
        }
        if (result.ended < 0 && biost_cuda_error(cuda) != NULL) {
            result.error = *biost_cuda_error(cuda);
        }
        biost_cuda_count(cuda, &result.counters);
        (void)fake_cuda_finish(fake);
        for (b = 0; b < result.batches; ++b) {
            for (d = 0; d < devices; ++d) {
                result.bad += consumers[b][d].is_bad || !consumers[b][d].is_done;
            }
        }
        result.copy_ins = fake_cuda_count(fake, FAKE_COPY_IN);
        result.pageable = fake_cuda_pageable_count(fake);
        result.waits = fake_cuda_count(fake, FAKE_EVENT_WAIT);
        biost_cuda_close(cuda);
    }
    CHECK(fake_cuda_current(fake) == -1);
    problems = fake_cuda_check(fake);
    if (problems != NULL) {
        snprintf(result.problems, sizeof result.problems, "%s", problems);
    }
    fake_cuda_delete(fake);
    return result;
}

/* As run_epoch, and all must be as expected. */
static run_result run_well(const biost_loader_desc *loader, const run_options *options, uint64_t epoch) {
    uint32_t devices = options->devices > 0 ? options->devices : 1;
    expected_run *run = expect(loader, devices, epoch);
    run_result result = run_epoch(loader, options, run, epoch);
    if (!CHECK(result.opened == BIOST_OK)) {
        printf("  %s\n", result.error.text);
    }
    CHECK_EQ_I64(result.ended, run->result);
    CHECK_EQ_U64(result.batches, run->count);
    CHECK_EQ_U64(result.bad, 0);
    CHECK_EQ_U64(result.pageable, 0);
    CHECK_STR(result.problems, "");
    if (run->result < 0) {
        CHECK_STR(result.error.text, run->sentence);
    }
    expected_free(run);
    return result;
}

/* ---- tests ------------------------------------------------------------------------------------------ */

TEST(cuda, batches_equal_the_loaders) {
    static const struct {
        const char *what;
        biost_encoding encoding;
        biost_quality_kind quality;
        biost_dtype quality_dtype;
        uint32_t row_bases;
        biost_tail_mode tail;
        int mask, labels, names;
        uint32_t shuffle;
        int in_x; /* 1: qualities, 2: the mask, 3: both */
        /* clang-format off */
    } cases[] = {
        {"zero desc", {BIOST_ENCODE_ONEHOT, BIOST_DTYPE_U8, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO,
         BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS}, BIOST_QUALITY_NONE, BIOST_DTYPE_U8, 0, BIOST_TAIL_PAD, 0, 0, 0, 0, 0},
        {"f32", {BIOST_ENCODE_ONEHOT, BIOST_DTYPE_F32, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_IUPAC,
         BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS}, BIOST_QUALITY_PHRED, BIOST_DTYPE_F32, 64, BIOST_TAIL_PAD, 1, 1, 1, 50, 0},
        {"bf16 NCL, padding on the left", {BIOST_ENCODE_ONEHOT, BIOST_DTYPE_BF16, BIOST_LAYOUT_NCL, "CATG",
         BIOST_AMBIGUOUS_HELIXER, BIOST_LOWER_CASE_CHANNEL, NULL, -3, BIOST_PAD_LEFT, NO_TOKENS}, BIOST_QUALITY_ERROR,
         BIOST_DTYPE_F32, 61, BIOST_TAIL_SHORT, 1, 0, 0, 0, 0},
        {"f16, short tail, variable columns", {BIOST_ENCODE_ONEHOT, BIOST_DTYPE_F16, BIOST_LAYOUT_NLC, "ACGTN",
         BIOST_AMBIGUOUS_ZERO, BIOST_LOWER_CASE_N, NULL, 1, BIOST_PAD_RIGHT, NO_TOKENS}, BIOST_QUALITY_PHRED, BIOST_DTYPE_U8, 0,
         BIOST_TAIL_SHORT, 1, 1, 1, 30, 0},
        {"tokens i64, dropped tail", {BIOST_ENCODE_TOKENS, BIOST_DTYPE_I64, BIOST_LAYOUT_NLC, NULL,
         BIOST_AMBIGUOUS_ZERO, BIOST_LOWER_CASE_FOLD, NULL, -100, BIOST_PAD_RIGHT, NO_TOKENS}, BIOST_QUALITY_ERROR, BIOST_DTYPE_F32, 59,
         BIOST_TAIL_DROP, 0, 0, 0, 0, 0},
        {"tokens u8", {BIOST_ENCODE_TOKENS, BIOST_DTYPE_U8, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO,
         BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_LEFT, NO_TOKENS}, BIOST_QUALITY_NONE, BIOST_DTYPE_U8, 64, BIOST_TAIL_PAD, 0, 1, 0, 10, 0},
        {"f32, all in x", {BIOST_ENCODE_ONEHOT, BIOST_DTYPE_F32, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO,
         BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS}, BIOST_QUALITY_ERROR, BIOST_DTYPE_F32, 64, BIOST_TAIL_PAD, 1, 1, 1, 50, 3},
        {"u8 NCL, qualities in x", {BIOST_ENCODE_ONEHOT, BIOST_DTYPE_U8, BIOST_LAYOUT_NCL, NULL, BIOST_AMBIGUOUS_ZERO,
         BIOST_LOWER_CASE_FOLD, NULL, 9, BIOST_PAD_LEFT, NO_TOKENS}, BIOST_QUALITY_PHRED, BIOST_DTYPE_U8, 0, BIOST_TAIL_SHORT, 1, 0, 0, 0, 1},
        {"bf16, mask in x", {BIOST_ENCODE_ONEHOT, BIOST_DTYPE_BF16, BIOST_LAYOUT_NLC, "CATG", BIOST_AMBIGUOUS_ZERO,
         BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_LEFT, NO_TOKENS}, BIOST_QUALITY_PHRED, BIOST_DTYPE_F32, 61, BIOST_TAIL_PAD, 1, 0, 0, 0, 2},
    };
    /* clang-format on */
    input in;
    size_t i;
    input_make(&in, 401);
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        uint32_t devices, expands;
        for (devices = 1; devices <= 4; devices += devices == 2 ? 2 : 1) {
            for (expands = 0; expands < 2; ++expands) {
                biost_loader_desc desc = base_desc(&in);
                run_options options;
                memset(&options, 0, sizeof options);
                test_note("%s, %u devices, no_expand %u", cases[i].what, (unsigned)devices,
                          (unsigned)!expands);
                desc.encoding = cases[i].encoding;
                desc.quality.kind = cases[i].quality;
                desc.quality.dtype = cases[i].quality_dtype;
                desc.row_bases = cases[i].row_bases;
                desc.max_row_bases = 64;
                desc.tail = cases[i].tail;
                desc.mask = cases[i].mask;
                desc.quality.in_x = cases[i].in_x % 2;
                desc.mask_in_x = cases[i].in_x / 2;
                desc.mask_dtype = i % 2 == 1 && !desc.mask_in_x ? BIOST_DTYPE_F32 : BIOST_DTYPE_U8;
                desc.names = cases[i].names;
                desc.name_bytes = 20;
                desc.shuffle_rows = cases[i].shuffle;
                desc.augment.reverse_complement = 0.5f;
                if (cases[i].labels) {
                    desc.labels.make = make_label;
                    desc.labels.dtype = BIOST_DTYPE_F32;
                    desc.labels.width = 2;
                }
                options.devices = devices;
                options.held = 1 + (uint32_t)i % 3;
                options.polls = (int)i % 2;
                options.own_streams = i % 3 == 1;
                options.fake.seed = i;
                options.fake.max_delay_us = 60;
                options.fake.poison_copies = 1;
                options.desc.no_expand = !expands;
                run_well(&desc, &options, i % 2);
            }
        }
    }
    free(in.text);
}

/* Batches of a width each: of these each device has as many rows as a rank would. */
TEST(cuda, batches_by_length) {
    input in;
    biost_store_desc wish;
    biost_store *store = NULL;
    biost_error error;
    uint32_t devices, tail, i = 0;
    input_make(&in, 403);
    memset(&wish, 0, sizeof wish);
    wish.memories = &in.memory;
    wish.letters = BIOST_STORE_BYTES;
    wish.memory_count = 1;
    wish.qualities = 1;
    REQUIRE(biost_store_build(&wish, &store, &error) == BIOST_OK);
    for (devices = 1; devices <= 4; devices *= 2) {
        for (tail = 0; tail < 3; ++tail, ++i) {
            biost_loader_desc desc = base_desc(&in);
            run_options options;
            memset(&options, 0, sizeof options);
            test_note("tail %u, %u devices", (unsigned)tail, (unsigned)devices);
            desc.memories = NULL;
            desc.memory_count = 0;
            desc.store = store;
            desc.batch_rows = 0;
            desc.row_bases = 0;
            desc.shuffle_rows = 0;
            desc.order = BIOST_ORDER_EXACT;
            desc.shape.kind = BIOST_SHAPE_BUCKETS;
            desc.shape.batch_tokens = 900;
            desc.shape.rows_multiple = 4;
            desc.tail = (biost_tail_mode)tail;
            desc.encoding.dtype = BIOST_DTYPE_F16;
            desc.encoding.layout = i % 2 == 0 ? BIOST_LAYOUT_NCL : BIOST_LAYOUT_NLC;
            desc.quality.kind = BIOST_QUALITY_ERROR;
            desc.quality.dtype = BIOST_DTYPE_F32;
            desc.mask = 1;
            desc.names = 1;
            desc.name_bytes = 20;
            options.devices = devices;
            options.held = 1 + i % 3;
            options.fake.seed = i;
            options.fake.max_delay_us = 60;
            options.fake.poison_copies = 1;
            options.desc.no_expand = i % 4 == 0;
            CHECK(run_well(&desc, &options, i % 2).batches > 5);
        }
    }
    CHECK(biost_store_close(store, &error) == BIOST_OK);
    free(in.text);
}

/* Rows found by number instead of read in order: records with all that a store keeps, and regions. */
TEST(cuda, batches_of_a_store) {
    input in;
    biost_store_desc wish;
    biost_store *store = NULL;
    biost_error error;
    uint32_t devices, of_regions, i = 0;
    input_make(&in, 401);
    memset(&wish, 0, sizeof wish);
    wish.memories = &in.memory;
    wish.letters = BIOST_STORE_BYTES; /* the reads have more than one run of N or lower case in 8 bases */
    wish.memory_count = 1;
    wish.qualities = 1;
    REQUIRE(biost_store_build(&wish, &store, &error) == BIOST_OK);
    for (devices = 1; devices <= 4; devices += devices == 2 ? 2 : 1) {
        for (of_regions = 0; of_regions < 2; ++of_regions, ++i) {
            biost_loader_desc desc = base_desc(&in);
            run_options options;
            memset(&options, 0, sizeof options);
            test_note("%s, %u devices", of_regions ? "regions" : "records", (unsigned)devices);
            desc.memories = NULL;
            desc.memory_count = 0;
            desc.store = store;
            desc.order = BIOST_ORDER_EXACT;
            desc.encoding.dtype = BIOST_DTYPE_F32;
            desc.quality.kind = BIOST_QUALITY_PHRED;
            desc.mask = 1;
            desc.names = 1;
            desc.name_bytes = 20;
            desc.augment.reverse_complement = 0.5f;
            if (of_regions) {
                desc.row_bases = 31;
                desc.regions.kind = BIOST_REGIONS_GRID;
                desc.regions.stride = 30;
                desc.regions.jitter = 5;
            }
            options.devices = devices;
            options.held = 1 + i % 3;
            options.polls = (int)i % 2;
            options.fake.seed = i;
            options.fake.max_delay_us = 60;
            options.fake.poison_copies = 1;
            options.desc.no_expand = i % 3 == 0;
            CHECK(run_well(&desc, &options, i % 2).batches > 2);
        }
    }
    CHECK(biost_store_close(store, &error) == BIOST_OK); /* each loader has given it back */
    free(in.text);
}

/* ---- every tensor the loader can make ----------------------------------------------------------------- */

/* A desc drawn from all that puts something into a batch, and what it points to. */
typedef struct drawn {
    biost_loader_desc desc;
    biost_memory memories[3];
    biost_group groups[3];
    biost_interval intervals[60];
    double of_inputs[3];
    int32_t tokens[256];
    uint64_t seed;
} drawn;

enum { DRAWN_LABELS = 6 }; /* kinds of labels: those of biost_label_kind, and a function of several numbers */

static uint32_t draw(drawn *d, uint32_t below) {
    d->seed = d->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((d->seed >> 33) % below);
}

static int make_labels(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    const biost_labels *labels = (const biost_labels *)user_data;
    size_t bytes = labels->dtype == BIOST_DTYPE_U8 ? 1 : labels->dtype == BIOST_DTYPE_I64 ? 8 : 4;
    memset(out_label, (int)((record->seq_bases + (uint64_t)id) & 255),
           bytes * (labels->width > 0 ? labels->width : 1));
    return 1;
}

/* Inputs: text alone, text in groups, a store, stores in groups, or groups of both. */
static void draw_inputs(drawn *d, const input *in, biost_store *store) {
    biost_loader_desc *desc = &d->desc;
    uint32_t of_text = draw(d, 3), of_stores = draw(d, 3), i;
    of_text += of_text + of_stores == 0;
    for (i = 0; i < of_text; ++i) {
        d->memories[i] = in->memory;
    }
    desc->memories = of_text > 0 ? d->memories : NULL;
    desc->memory_count = of_text;
    if (of_stores == 0 && draw(d, 2)) {
        return; /* without groups */
    }
    if (of_text == 0 && of_stores == 1 && draw(d, 2)) {
        desc->store = store;
        return;
    }
    of_stores = of_text > 0 && of_stores > 1 ? 1 : of_stores;
    desc->groups = d->groups;
    for (i = 0; i < of_text + of_stores; ++i) {
        biost_group *group = &d->groups[desc->group_count++];
        group->weight = of_text + of_stores > 1 ? 1 + draw(d, 3) : 1;
        group->label = 1 + draw(d, 100);
        group->first_input = i < of_text ? i : 0;
        group->input_count = i < of_text;
        group->store = i < of_text ? NULL : store;
    }
}

static void draw_labels(drawn *d, uint32_t which) {
    static const biost_dtype dtypes[] = {BIOST_DTYPE_U8, BIOST_DTYPE_I32, BIOST_DTYPE_I64, BIOST_DTYPE_F32};
    biost_loader_desc *desc = &d->desc;
    uint32_t i;
    desc->labels.dtype = dtypes[draw(d, 4)];
    desc->labels.kind = which < 5 ? (biost_label_kind)which : BIOST_LABEL_FUNCTION;
    if (desc->labels.kind == BIOST_LABEL_FUNCTION) {
        desc->labels.make = make_labels;
        desc->labels.user_data = &desc->labels;
        desc->labels.width = which == 5 ? 1 + draw(d, 5) : 0;
    } else if (desc->labels.kind == BIOST_LABEL_INPUT && draw(d, 2)) {
        for (i = 0; i < 3; ++i) {
            d->of_inputs[i] = 1 + draw(d, 200);
        }
        desc->labels.of_inputs = d->of_inputs;
        desc->labels.of_input_count = desc->memory_count + (desc->store != NULL);
        for (i = 0; i < desc->group_count; ++i) {
            desc->labels.of_input_count += d->groups[i].store != NULL;
        }
    }
}

/* Where all rows are of stores, regions of them. */
static void draw_regions(drawn *d) {
    biost_loader_desc *desc = &d->desc;
    uint32_t i;
    desc->row_bases = 20;
    desc->regions.kind = BIOST_REGIONS_INTERVALS;
    desc->regions.intervals = d->intervals;
    desc->regions.interval_count = 60;
    desc->regions.jitter = draw(d, 2) * 2;
    desc->regions.fit = BIOST_FIT_CENTER;
    desc->regions.edge = BIOST_EDGE_PAD;
    for (i = 0; i < 60; ++i) {
        d->intervals[i].sequence = i;
        d->intervals[i].start = draw(d, 3);
        d->intervals[i].end = 12 + draw(d, 8);
        d->intervals[i].strand = draw(d, 2);
        d->intervals[i].label = 1 + draw(d, 100);
    }
}

static void draw_encoding(drawn *d) {
    static const biost_dtype onehot[] = {BIOST_DTYPE_U8, BIOST_DTYPE_F16, BIOST_DTYPE_BF16, BIOST_DTYPE_F32};
    static const biost_dtype tokens[] = {BIOST_DTYPE_U8, BIOST_DTYPE_I32, BIOST_DTYPE_I64};
    static const char *const channels[] = {NULL, "CATG", "ACGTN", "A"};
    biost_encoding *encoding = &d->desc.encoding;
    uint32_t i;
    encoding->pad_side = draw(d, 2) ? BIOST_PAD_LEFT : BIOST_PAD_RIGHT;
    encoding->pad_value = (int32_t)draw(d, 4) * 3;
    if (draw(d, 3) == 0) {
        encoding->kind = BIOST_ENCODE_TOKENS;
        encoding->dtype = tokens[draw(d, 3)];
        for (i = 0; i < 256; ++i) {
            d->tokens[i] = (int32_t)(i % 7 + 1);
        }
        encoding->tokens = draw(d, 2) ? d->tokens : NULL;
        return;
    }
    encoding->dtype = onehot[draw(d, 4)];
    encoding->layout = draw(d, 2) ? BIOST_LAYOUT_NCL : BIOST_LAYOUT_NLC;
    encoding->channels = channels[draw(d, 4)];
    encoding->lower_case = (biost_lower_case_mode)draw(d, 3);
    if (encoding->dtype != BIOST_DTYPE_U8 && draw(d, 2) && draw(d, 2)) {
        encoding->channels = "ACGT";
        encoding->ambiguous = BIOST_AMBIGUOUS_IUPAC;
    }
}

/* Qualities and the mask: none, a tensor of bytes or of floats, a channel of x. Weights or none. */
static void draw_tracks(drawn *d) {
    static float weights[256];
    biost_loader_desc *desc = &d->desc;
    uint32_t quality = draw(d, 4), mask = draw(d, 4);
    desc->quality.kind = quality == 0                ? BIOST_QUALITY_NONE
                         : quality > 1 && draw(d, 2) ? BIOST_QUALITY_ERROR
                                                     : BIOST_QUALITY_PHRED;
    desc->quality.dtype = quality == 2 ? BIOST_DTYPE_F32 : BIOST_DTYPE_U8;
    desc->quality.in_x = quality == 3;
    desc->mask = mask > 0;
    desc->mask_dtype = mask == 2 ? BIOST_DTYPE_F32 : BIOST_DTYPE_U8;
    desc->mask_in_x = mask == 3;
    weights['a'] = 0.25f;
    weights['A'] = weights['C'] = weights['G'] = 1.5f;
    desc->weights = draw(d, 3) == 0 ? weights : NULL;
}

static void draw_desc(drawn *d, const input *in, biost_store *store, uint32_t number) {
    static const uint32_t widths[] = {64, 61, 0, 40};
    biost_loader_desc *desc = &d->desc;
    memset(d, 0, sizeof *d);
    d->seed = number;
    (void)draw(d, 2);
    desc->batch_rows = 12 * (1 + draw(d, 3));
    desc->seed = number;
    desc->workers = 1 + draw(d, 2);
    desc->row_bases = widths[draw(d, 4)];
    desc->max_row_bases = 64;
    desc->pad_multiple = draw(d, 4);
    desc->long_records = desc->row_bases == 40 ? BIOST_LONG_HEAD : BIOST_LONG_FAIL;
    desc->tail = (biost_tail_mode)draw(d, 3);
    draw_inputs(d, in, store);
    draw_encoding(d);
    draw_tracks(d);
    draw_labels(d, number % DRAWN_LABELS);
    if (desc->memory_count == 0 && (desc->labels.kind == BIOST_LABEL_REGION || draw(d, 4) == 0)) {
        draw_regions(d);
    }
    desc->names = (int)draw(d, 2);
    desc->name_bytes = desc->names ? 20 : 0;
    desc->shuffle_rows = desc->memory_count > 0 ? draw(d, 2) * 40 : 0;
    desc->augment.reverse_complement = draw(d, 2) && desc->encoding.tokens == NULL ? 0.5f : 0.0f;
    desc->augment.substitute = draw(d, 4) == 0 ? 0.1f : 0.0f;
}

/* The same over host memory: each batch of the dummy is the loader's, byte by byte. */
static void check_dummy(const biost_loader_desc *loader, int expands) {
    expected_run *run = expect(loader, 1, 0);
    biost_cuda_desc desc;
    biost_cuda_batch batch;
    biost_cuda *cuda;
    biost_error error;
    uint32_t count = 0, i;
    memset(&desc, 0, sizeof desc);
    desc.loader = loader;
    desc.provider = biost_cuda_dummy();
    desc.no_expand = !expands;
    if (CHECK_EQ_I64(biost_cuda_open(&desc, &cuda, &error), BIOST_OK)) {
        CHECK_EQ_I64(biost_cuda_begin(cuda, 0), BIOST_OK);
        while (biost_cuda_next(cuda, NULL, &batch) == BIOST_OK && CHECK(count < run->count)) {
            const expected_batch *expected = &run->batches[0][count++];
            CHECK_EQ_U64(batch.tensor_count, expected->batch.tensor_count);
            for (i = 0; i < batch.tensor_count; ++i) {
                CHECK(same_tensor(&batch.tensors[i], &expected->tensors[i]));
                CHECK_MEM(batch.tensors[i].data, expected->bytes[i], (size_t)batch.tensors[i].bytes);
            }
            CHECK_MEM(batch.lengths, expected->lengths, batch.rows * sizeof(int32_t));
            (void)biost_cuda_release(cuda, &batch, NULL);
        }
        CHECK_EQ_U64(count, run->count);
        biost_cuda_close(cuda);
    }
    expected_free(run);
}

/*
 * Labels of every kind beside qualities, mask, encodings and layouts, of texts, stores and groups of both, over one or
 * several devices: what arrives is what a loader makes.
 */
TEST(cuda, all_tensors_equal_the_loaders) {
    uint32_t made[DRAWN_LABELS], refused = 0, number, i;
    biost_store_desc wish;
    biost_store *store = NULL;
    biost_error error;
    input in;
    memset(made, 0, sizeof made);
    input_make(&in, 60);
    memset(&wish, 0, sizeof wish);
    wish.memories = &in.memory;
    wish.letters = BIOST_STORE_BYTES;
    wish.memory_count = 1;
    wish.qualities = 1;
    REQUIRE(biost_store_build(&wish, &store, &error) == BIOST_OK);
    for (number = 0; number < test_effort(600, 6000); ++number) {
        drawn d;
        run_options options;
        biost_batch_shape shape;
        draw_desc(&d, &in, store, number);
        test_note("desc %u", (unsigned)number);
        if (biost_loader_shape(&d.desc, &shape, &error) != BIOST_OK) {
            ++refused; /* what cannot be together */
            continue;
        }
        ++made[number % DRAWN_LABELS];
        memset(&options, 0, sizeof options);
        options.devices = 1 + number % 3 * (number % 3 + 1) / 2; /* 1, 2 or 4, which divide 12 */
        options.held = 1 + number % 2;
        options.fake.seed = number;
        options.fake.poison_copies = 1;
        options.desc.no_expand = number / DRAWN_LABELS % 2 == 0;
        run_well(&d.desc, &options, 0);
        check_dummy(&d.desc, !options.desc.no_expand);
    }
    for (i = 0; i < DRAWN_LABELS; ++i) {
        CHECK(made[i] >= 10);
    }
    test_note("%u refused", (unsigned)refused);
    CHECK(refused * 4 < number * 3);
    CHECK(biost_store_close(store, &error) == BIOST_OK);
    free(in.text);
}

/*
 * Qualities of a region that begins before its sequence: three columns of padding, then Q 0, 10, 20, 30 and 40. As codes
 * Q 0 and padding are one byte, and the padding is not on the side of encoding.pad_side.
 */
TEST(cuda, qualities_of_padded_regions_by_hand) {
    static const char text[] = "@r\nACGTACGT\n+\n!+5?IIII\n";
    static const float scores[8] = {0, 0, 0, 0, 10, 20, 30, 40},
                       errors[8] = {0, 0, 0, 1, 0.1f, 0.01f, 0.001f, 0.0001f};
    static const biost_interval interval = {0, 0, 2, 0, 0, 0}; /* from floor((0 + 2) / 2) - 8 / 2 = -3 on */
    biost_memory memory;
    biost_store_desc wish;
    biost_store *store = NULL;
    uint32_t is_error, expands, pads_left;
    memset(&memory, 0, sizeof memory);
    memory.data = text;
    memory.bytes = sizeof text - 1;
    memset(&wish, 0, sizeof wish);
    wish.memories = &memory;
    wish.memory_count = 1;
    wish.qualities = 1;
    REQUIRE(biost_store_build(&wish, &store, NULL) == BIOST_OK);
    for (is_error = 0; is_error < 2; ++is_error) {
        for (expands = 0; expands < 2; ++expands) {
            for (pads_left = 0; pads_left < 2; ++pads_left) {
                biost_loader_desc loader;
                biost_cuda_desc desc;
                biost_cuda_batch batch;
                biost_cuda *cuda;
                memset(&loader, 0, sizeof loader);
                loader.store = store;
                loader.batch_rows = 1;
                loader.row_bases = 8;
                loader.workers = 1;
                loader.regions.kind = BIOST_REGIONS_INTERVALS;
                loader.regions.intervals = &interval;
                loader.regions.interval_count = 1;
                loader.regions.fit = BIOST_FIT_CENTER;
                loader.encoding.pad_side = pads_left ? BIOST_PAD_LEFT : BIOST_PAD_RIGHT;
                loader.quality.kind = is_error ? BIOST_QUALITY_ERROR : BIOST_QUALITY_PHRED;
                loader.quality.dtype = BIOST_DTYPE_F32;
                memset(&desc, 0, sizeof desc);
                desc.loader = &loader;
                desc.provider = biost_cuda_dummy();
                desc.no_expand = !expands;
                test_note("errors %u, expands %u, pads left %u", (unsigned)is_error, (unsigned)expands,
                          (unsigned)pads_left);
                REQUIRE(biost_cuda_open(&desc, &cuda, NULL) == BIOST_OK);
                CHECK_EQ_I64(biost_cuda_begin(cuda, 0), BIOST_OK);
                CHECK_EQ_I64(biost_cuda_next(cuda, NULL, &batch), BIOST_OK);
                CHECK_EQ_I64(batch.host_lengths[0], 5);
                CHECK_EQ_I64(batch.origins[0].start_base, -3);
                CHECK_MEM(batch.tensors[1].data, is_error ? errors : scores, sizeof scores);
                biost_cuda_close(cuda);
            }
        }
    }
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/*
 * What a batch says of rows, samples and mates, over two devices: 7 of the 8 rows are reads, so the first device
 * has 3 and a padding row, and the second has 4. Either all rows are reversed, or none is.
 */
TEST(cuda, origins_samples_and_mates_by_hand) {
    static const int32_t devices[] = {0, 1};
    uint8_t strand;
    for (strand = 0; strand < 2; ++strand) {
        rig r;
        biost_cuda_batch batches[2];
        biost_cuda_stream streams[2];
        uint32_t d, i;
        fake_cuda_options options;
        memset(&options, 0, sizeof options);
        options.device_count = 2;
        rig_make(&r, 7, &options);
        r.loader.batch_rows = 8;
        r.loader.augment.reverse_complement = strand ? 1.0f : 0.0f;
        r.desc.devices = devices;
        r.desc.device_count = 2;
        test_note("strand %u", (unsigned)strand);
        streams[0] = r.stream;
        streams[1] = fake_cuda_stream(r.fake, 1);
        REQUIRE(rig_open(&r) && CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK) &&
                CHECK_EQ_I64(biost_cuda_next(r.cuda, streams, batches), BIOST_OK));
        for (d = 0; d < 2; ++d) {
            static const char layout[8] = {'N', 'L', 'C', 0, 0, 0, 0, 0};
            const biost_cuda_batch *batch = &batches[d];
            CHECK_EQ_U64(batch->rows, 4);
            CHECK_EQ_U64(batch->valid_rows, 3 + d);
            CHECK_EQ_U64(batch->samples, 4);
            CHECK_EQ_U64(batch->mates, 1);
            CHECK(batch->row_samples == NULL);
            CHECK_EQ_U64(batch->x.mate, 0);
            CHECK_MEM(batch->x.layout, layout, sizeof layout);
            for (i = 0; i < 4; ++i) {
                const biost_row *row = &batch->origins[i];
                int padding = i >= batch->valid_rows;
                CHECK_EQ_I64(row->id, padding ? -1 : (int64_t)(3 * d + i));
                CHECK_EQ_I64(row->start_base, 0);
                CHECK_EQ_U64(row->piece, 0);
                CHECK_EQ_U64(row->flags, strand && !padding ? (uint32_t)BIOST_ROW_REVERSED : 0u);
                CHECK_EQ_U64(row->pass, 0);
                CHECK_EQ_U64(row->group, 0);
                CHECK_EQ_U64(row->mate, 0);
                CHECK_EQ_U64(row->strand, strand && !padding);
            }
            CHECK_EQ_I64(biost_cuda_release(r.cuda, batch, streams[d]), BIOST_OK);
        }
        rig_end(&r);
    }
}

/* One copy a batch beside that of the tables, nothing pageable, and the host waits for no event. */
TEST(cuda, one_copy_a_batch_and_no_host_wait) {
    input in;
    biost_loader_desc desc;
    run_options options;
    run_result result;
    input_make(&in, 500);
    desc = base_desc(&in);
    desc.encoding.dtype = BIOST_DTYPE_F32;
    desc.quality.kind = BIOST_QUALITY_PHRED;
    desc.quality.dtype = BIOST_DTYPE_F32;
    desc.mask = 1;
    memset(&options, 0, sizeof options);
    result = run_well(&desc, &options, 0);
    CHECK_EQ_U64(result.batches, 21); /* ceil(500 / 24) */
    CHECK_EQ_U64(result.counters.batch_count, 21);
    CHECK_EQ_U64(result.counters.copy_count, 21);
    CHECK_EQ_U64(result.counters.expand_count, 42); /* bases and qualities; not open's trial */
    CHECK_EQ_U64(result.copy_ins, 22);
    /* lengths 24 x 4 -> 256, codes and qualities and mask 24 x 64 = 1536 each */
    CHECK_EQ_U64(result.counters.copied_bytes, 21 * (256 + 3 * 1536));
    free(in.text);
}

/* The first and the last batch before an error of the text arrive, then the loader's sentence. */
TEST(cuda, errors_of_the_text_come_after_all_batches) {
    input in;
    biost_loader_desc desc;
    run_options options;
    run_result result;
    input_make(&in, 100);
    in.text[in.memory.bytes - 30] = '\n'; /* the last record is bad */
    desc = base_desc(&in);
    memset(&options, 0, sizeof options);
    options.fake.max_delay_us = 50;
    options.held = 2;
    result = run_well(&desc, &options, 0);
    CHECK_EQ_I64(result.ended, BIOST_ERR_TEXT);
    CHECK_EQ_U64(result.batches, 5);
    free(in.text);
}

/* ---- each wait and record is needed ----------------------------------------------------------------- */

/* clang-format off */
enum { DROP_NOTHING, DROP_READY_WAIT, DROP_USED_WAIT, DROP_COPIED_RECORD, DROP_READY_RECORD, DROP_USED_RECORD,
       DROP_COUNT };
/* clang-format on */

/* ThreadSanitizer would report them as the races they are. */
#ifdef FAKE_TSAN
enum { DROPS_RUN = 1 };
#else
enum { DROPS_RUN = DROP_COUNT };
#endif

/* A provider in front of the fake that leaves one kind of call out, as a bug would. */
static struct {
    const biost_cuda_provider *inner;
    biost_cuda_provider provider;
    int drop;
    int copied; /* a copy was asked for since the last record on a copy stream */
    uint64_t dropped;
    uint64_t records[DROP_COUNT]; /* by role */
} saboteur;

static int is_consumers(biost_cuda_stream stream) {
    return ((const fake_stream *)(const void *)stream)->is_tests;
}

static int saboteur_wait(void *state, biost_cuda_stream stream, void *event) {
    int role = is_consumers(stream) ? DROP_READY_WAIT : DROP_USED_WAIT;
    if (role == saboteur.drop) {
        ++saboteur.dropped;
        return 0;
    }
    return saboteur.inner->stream_wait(state, stream, event);
}

static int saboteur_record(void *state, void *event, biost_cuda_stream stream) {
    int role = is_consumers(stream) ? DROP_USED_RECORD
               : saboteur.copied    ? DROP_COPIED_RECORD
                                    : DROP_READY_RECORD;
    if (!is_consumers(stream)) {
        saboteur.copied = 0;
    }
    ++saboteur.records[role];
    if (role == saboteur.drop) {
        ++saboteur.dropped;
        return 0;
    }
    return saboteur.inner->event_record(state, event, stream);
}

static int saboteur_copy(void *state, void *to, const void *from, size_t bytes, biost_cuda_stream stream) {
    saboteur.copied = 1;
    return saboteur.inner->copy_in(state, to, from, bytes, stream);
}

static const biost_cuda_provider *saboteur_wrap(fake_cuda *fake) {
    saboteur.inner = fake_cuda_provider(fake);
    saboteur.provider = *saboteur.inner;
    saboteur.provider.stream_wait = saboteur_wait;
    saboteur.provider.event_record = saboteur_record;
    saboteur.provider.copy_in = saboteur_copy;
    return &saboteur.provider;
}

TEST(cuda, each_wait_and_record_is_needed) {
    input in;
    biost_loader_desc desc;
    expected_run *run;
    run_options options;
    input_make(&in, 900);
    desc = base_desc(&in);
    desc.encoding.dtype = BIOST_DTYPE_F16;
    run = expect(&desc, 1, 0);
    memset(&options, 0, sizeof options);
    options.wrap = saboteur_wrap;
    options.expects_bad = 1;
    options.fake.max_delay_us = 300;
    options.desc.device_slots = 2;
    for (saboteur.drop = 0; saboteur.drop < DROPS_RUN; ++saboteur.drop) {
        uint32_t bad = 0, seed;
        test_note("drop %d", saboteur.drop);
        saboteur.dropped = 0;
        for (seed = 0; seed < 20 && (bad == 0 || saboteur.drop == DROP_NOTHING); ++seed) {
            run_result result;
            options.fake.seed = seed;
            result = run_epoch(&desc, &options, run, 0);
            CHECK_EQ_U64(result.batches, run->count);
            bad += result.bad;
        }
        if (saboteur.drop == DROP_NOTHING) {
            CHECK_EQ_U64(bad, 0);
        } else {
            CHECK(bad > 0);
            CHECK(saboteur.dropped > 0);
        }
    }
    expected_free(run);
    free(in.text);
}

/* ---- failures --------------------------------------------------------------------------------------- */

/* Whichever call fails, and whether all later ones do too: a clear error, no leak, no hang, nothing wrong
 * before it. */
TEST(cuda, every_call_may_fail) {
    int kind, sticky;
    input in;
    biost_loader_desc desc;
    expected_run *run;
    input_make(&in, 130);
    desc = base_desc(&in);
    desc.encoding.dtype = BIOST_DTYPE_F32;
    desc.quality.kind = BIOST_QUALITY_ERROR;
    desc.quality.dtype = BIOST_DTYPE_F32;
    run = expect(&desc, 2, 0);
    for (kind = FAKE_OPEN; kind <= FAKE_EXPAND; ++kind) {
        for (sticky = 0; sticky < 2; ++sticky) {
            uint64_t n, failed = 1;
            for (n = 1; failed > 0 && n < 400; n += n < 40 || kind == FAKE_ENTER ? 1 : 17) {
                fake_cuda_options fake_options;
                biost_cuda_desc cuda_desc;
                biost_cuda_batch batches[2];
                biost_cuda_stream streams[2];
                biost_cuda *cuda = NULL;
                biost_error error;
                biost_result result;
                uint32_t count = 0;
                const char *problems;
                fake_cuda *fake;
                test_note("%s, call %d, sticky %d", fake_kind_names[kind], (int)n, sticky);
                memset(&fake_options, 0, sizeof fake_options);
                fake_options.device_count = 2;
                fake = fake_cuda_new(&fake_options);
                streams[0] = fake_cuda_stream(fake, 0);
                streams[1] = fake_cuda_stream(fake, 1);
                memset(&cuda_desc, 0, sizeof cuda_desc);
                cuda_desc.loader = &desc;
                cuda_desc.devices = device_numbers;
                cuda_desc.device_count = 2;
                cuda_desc.timeline_count = 4;
                cuda_desc.provider = fake_cuda_provider(fake);
                fake_cuda_fail(fake, kind, n, 719, sticky);
                result = biost_cuda_open(&cuda_desc, &cuda, &error);
                if (result == BIOST_OK) {
                    result = biost_cuda_begin(cuda, 0);
                    while (result == BIOST_OK &&
                           (result = biost_cuda_next(cuda, streams, batches)) == BIOST_OK) {
                        biost_result a = biost_cuda_release(cuda, &batches[0], streams[0]);
                        biost_result b = biost_cuda_release(cuda, &batches[1], streams[1]);
                        CHECK(a == BIOST_OK || a == BIOST_ERR_DEVICE);
                        CHECK(b == BIOST_OK || b == BIOST_ERR_DEVICE);
                        CHECK(count < run->count);
                        ++count;
                    }
                    CHECK(result < 0 || result == BIOST_END);
                    if (result < 0) {
                        error = *biost_cuda_error(cuda);
                        CHECK_EQ_I64(biost_cuda_next(cuda, streams, batches), result); /* and again */
                        CHECK_EQ_I64(biost_cuda_begin(cuda, 1), result);
                    } else {
                        biost_cuda_span spans[4];
                        uint32_t span_count;
                        (void)biost_cuda_timeline(cuda, 0, spans, 4, &span_count);
                    }
                    biost_cuda_close(cuda);
                } else {
                    CHECK(cuda == NULL);
                }
                if (result == BIOST_ERR_DEVICE) {
                    CHECK(strstr(error.text, "CUDA_ERROR_") != NULL ||
                          strstr(error.text, "NO_LIBRARY") != NULL);
                    CHECK(error.os_error != 0);
                } else {
                    CHECK(result == BIOST_END || result == BIOST_ERR_SLOTS);
                }
                failed = fake_cuda_failed_count(fake);
                if (fake_cuda_failed_enters(fake) == 0 && !sticky) {
                    problems = fake_cuda_check(fake);
                } else {
                    problems = fake_cuda_misuse(fake);
                }
                CHECK_STR(problems, NULL);
                fake_cuda_delete(fake);
            }
            CHECK(n > 1);
        }
    }
    expected_free(run);
    free(in.text);
}

/* A kernel that faults breaks the device: batches before it were right, then the error, and close ends. */
TEST(cuda, broken_device_ends_in_order) {
    input in;
    biost_loader_desc desc;
    uint64_t n;
    input_make(&in, 200);
    desc = base_desc(&in);
    desc.encoding.dtype = BIOST_DTYPE_F32;
    for (n = 1; n < 12; ++n) {
        fake_cuda *fake = fake_cuda_new(NULL);
        biost_cuda_desc cuda_desc;
        biost_cuda_batch batch;
        biost_cuda_stream stream = fake_cuda_stream(fake, 0);
        biost_cuda *cuda = NULL;
        biost_error error;
        biost_result result;
        memset(&cuda_desc, 0, sizeof cuda_desc);
        cuda_desc.loader = &desc;
        cuda_desc.provider = fake_cuda_provider(fake);
        fake_cuda_set_current(fake, 0);
        fake_cuda_fail_operation(fake, n, 700);
        result = biost_cuda_open(&cuda_desc, &cuda, &error);
        if (result == BIOST_OK) {
            result = biost_cuda_begin(cuda, 0);
            while (result == BIOST_OK && (result = biost_cuda_next(cuda, &stream, &batch)) == BIOST_OK) {
                (void)biost_cuda_release(cuda, &batch, stream);
                (void)fake_cuda_finish(fake);
            }
            error = *biost_cuda_error(cuda);
            biost_cuda_close(cuda);
        }
        CHECK_EQ_I64(result, BIOST_ERR_DEVICE);
        CHECK_EQ_I64(error.fault, BIOST_FAULT_DEVICE);
        CHECK_EQ_I64(error.os_error, 700);
        CHECK(strstr(error.text, "CUDA_ERROR_ILLEGAL_ADDRESS") != NULL);
        fake_cuda_delete(fake);
    }
    free(in.text);
}

/* Where copies keep pace the host waits for nothing: no event, no stream, and no allocation of any kind. */
TEST(cuda, steady_state_waits_for_nothing) {
    static const int kinds[] = {FAKE_EVENT_WAIT,   FAKE_STREAM_FINISH, FAKE_HOST_ALLOC,
                                FAKE_DEVICE_ALLOC, FAKE_EVENT_OPEN,    FAKE_STREAM_OPEN};
    rig r;
    biost_cuda_batch batch;
    biost_cuda_counters counters;
    uint64_t before[6];
    size_t i;
    memset(&counters, 0, sizeof counters);
    rig_make(&r, 24 * 50, NULL);
    r.loader.quality.kind = BIOST_QUALITY_PHRED;
    r.loader.quality.dtype = BIOST_DTYPE_F32;
    REQUIRE(rig_open(&r));
    for (i = 0; i < 6; ++i) {
        before[i] = fake_cuda_count(r.fake, kinds[i]);
    }
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    while (biost_cuda_next(r.cuda, &r.stream, &batch) == BIOST_OK) {
        (void)biost_cuda_release(r.cuda, &batch, r.stream);
        (void)fake_cuda_finish(r.fake); /* the device is never behind; not by a call of the provider's */
    }
    for (i = 0; i < 6; ++i) {
        test_note("%s", fake_kind_names[kinds[i]]);
        CHECK_EQ_U64(fake_cuda_count(r.fake, kinds[i]), before[i]);
    }
    biost_cuda_count(r.cuda, &counters);
    CHECK_EQ_U64(counters.batch_count, 50);
    CHECK_EQ_U64(counters.host_wait_count, 0);
    rig_end(&r);
}

TEST(cuda, all_slots_held) {
    rig r;
    biost_cuda_batch held[3], other;
    uint32_t i;
    rig_make(&r, 24 * 4, NULL);
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &other), BIOST_ERR_ARG); /* before begin */
    CHECK_STR(biost_cuda_error(r.cuda)->text, "biost_cuda_begin comes before biost_cuda_next");
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    for (i = 0; i < 3; ++i) {
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &held[i]), BIOST_OK);
    }
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &other), BIOST_ERR_SLOTS);
    CHECK(strstr(biost_cuda_error(r.cuda)->text, "device slots are held") != NULL);
    CHECK_EQ_U64(other.rows, 0);
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &held[1], r.stream), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &held[1], r.stream), BIOST_ERR_ARG); /* a second time */
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &other), BIOST_OK);
    CHECK_EQ_U64(other.index, 3);
    CHECK_EQ_U64(other.slot, held[1].slot);
    CHECK(other.x.data == held[1].x.data); /* a slot keeps its addresses */
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &held[1], r.stream), BIOST_ERR_ARG); /* of the loan before */
    /* At the end END is said, though all slots are held. */
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &held[1]), BIOST_END);
    /* The batches held stay valid over a begin, and the next epoch starts at its first batch. */
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 1), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &held[1]), BIOST_ERR_SLOTS);
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &other, r.stream), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &held[1]), BIOST_OK);
    CHECK_EQ_U64(held[1].index, 0);
    CHECK_EQ_U64(held[1].epoch, 1);
    rig_end(&r);
}

/* An epoch left in its middle: what was on its way is dropped, and the next one is whole. */
static void leave_epochs(int expands, uint64_t seed) {
    fake_cuda_options options;
    rig r;
    expected_run *run;
    uint32_t b, taken;
    memset(&options, 0, sizeof options);
    options.max_delay_us = 100;
    options.seed = seed;
    rig_make(&r, 300, &options);
    r.loader.shuffle_rows = 20;
    if (!expands) {
        r.loader.encoding.kind = BIOST_ENCODE_TOKENS;
        r.loader.encoding.dtype = BIOST_DTYPE_U8;
    }
    run = expect(&r.loader, 1, 1);
    for (taken = 0; taken < 5; ++taken) {
        static consumer consumers[BATCHES_MOST];
        biost_cuda_batch batch;
        biost_result result;
        uint32_t count = 0;
        memset(consumers, 0, sizeof consumers);
        if (!rig_open(&r)) {
            break;
        }
        CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
        for (b = 0; b < taken; ++b) {
            CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
            CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        }
        CHECK_EQ_I64(biost_cuda_begin(r.cuda, 1), BIOST_OK);
        while ((result = biost_cuda_next(r.cuda, &r.stream, &batch)) == BIOST_OK && count < run->count) {
            use_batches(r.fake, &batch, &consumers[count], &r.stream, run, count, 1, 1);
            ++count;
            CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        }
        CHECK_EQ_I64(result, BIOST_END);
        CHECK_EQ_U64(count, run->count);
        (void)fake_cuda_finish(r.fake);
        for (b = 0; b < count; ++b) {
            CHECK(consumers[b].is_done && !consumers[b].is_bad);
        }
        biost_cuda_close(r.cuda);
        r.cuda = NULL;
    }
    expected_free(run);
    rig_end(&r);
}

TEST(cuda, begin_drops_what_is_on_its_way) {
    uint64_t seed;
    for (seed = 0; seed < 3; ++seed) {
        leave_epochs(0, seed);
        leave_epochs(1, seed);
    }
}

/*
 * More slots on the device than in host memory, so that the event of a batch's copy is another's before the batch
 * is handed out; and fewer.
 */
TEST(cuda, slots_of_both_kinds_in_any_number) {
    static const uint32_t kinds[][3] = {{2, 8, 1}, {2, 8, 5}, {3, 16, 9}, {8, 2, 1}, {2, 2, 2}};
    uint32_t k;
    for (k = 0; k < 2 * sizeof kinds / sizeof kinds[0]; ++k) {
        input in;
        biost_loader_desc desc;
        run_options options;
        run_result result;
        const uint32_t *kind = kinds[k / 2];
        test_note("%u host slots, %u on the device, %u held", (unsigned)kind[0], (unsigned)kind[1],
                  (unsigned)kind[2]);
        input_make(&in, 600);
        desc = base_desc(&in);
        desc.slots = kind[0];
        if (k % 2 == 0) {
            desc.encoding.kind = BIOST_ENCODE_TOKENS;
        }
        memset(&options, 0, sizeof options);
        options.fake.max_delay_us = 80;
        options.fake.seed = k;
        options.desc.device_slots = kind[1];
        options.held = kind[2];
        result = run_well(&desc, &options, 0);
        CHECK_EQ_I64(result.ended, BIOST_END);
        free(in.text);
    }
}

/* A resume state of each batch leads to the next one. */
/* Stop after each batch of an epoch and go on: the next batch must be the one that follows. */
static void resume_each(rig *r) {
    expected_run *run;
    uint32_t b;
    run = expect(&r->loader, 1, 0);
    for (b = 0; b + 1 < run->count; ++b) {
        uint8_t state[512];
        size_t state_bytes;
        biost_cuda_batch batch;
        uint32_t i;
        consumer c;
        r->loader.state = NULL;
        r->loader.state_bytes = 0;
        if (!rig_open(r)) {
            break;
        }
        CHECK_EQ_I64(biost_cuda_begin(r->cuda, 0), BIOST_OK);
        for (i = 0; i <= b; ++i) {
            CHECK_EQ_I64(biost_cuda_next(r->cuda, &r->stream, &batch), BIOST_OK);
            CHECK_EQ_I64(biost_cuda_release(r->cuda, &batch, r->stream), BIOST_OK);
        }
        REQUIRE(batch.state != NULL && batch.state_bytes > 0 && batch.state_bytes <= sizeof state);
        state_bytes = batch.state_bytes;
        memcpy(state, batch.state, state_bytes);
        biost_cuda_close(r->cuda);
        r->loader.state = state;
        r->loader.state_bytes = state_bytes;
        if (!rig_open(r)) {
            break;
        }
        CHECK_EQ_U64(biost_loader_first_batch(biost_cuda_loader(r->cuda)), b + 1);
        CHECK_EQ_I64(biost_cuda_begin(r->cuda, 0), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_next(r->cuda, &r->stream, &batch), BIOST_OK);
        memset(&c, 0, sizeof c);
        use_batches(r->fake, &batch, &c, &r->stream, run, b + 1, 1, 1);
        CHECK_EQ_I64(biost_cuda_release(r->cuda, &batch, r->stream), BIOST_OK);
        (void)fake_cuda_finish(r->fake);
        CHECK(c.is_done && !c.is_bad);
        biost_cuda_close(r->cuda);
        r->cuda = NULL;
    }
    expected_free(run);
}

TEST(cuda, states_resume) {
    rig r;
    rig_make(&r, 200, NULL);
    r.loader.shuffle_rows = 30;
    r.loader.augment.reverse_complement = 0.5f;
    r.desc.states = 1;
    resume_each(&r);
    rig_end(&r);
}

TEST(cuda, states_of_a_store_resume) {
    biost_store_desc wish;
    biost_store *store = NULL;
    rig r;
    rig_make(&r, 200, NULL);
    memset(&wish, 0, sizeof wish);
    wish.memories = &r.in.memory;
    wish.letters = BIOST_STORE_BYTES;
    wish.memory_count = 1;
    REQUIRE(biost_store_build(&wish, &store, &r.error) == BIOST_OK);
    r.loader.memories = NULL;
    r.loader.memory_count = 0;
    r.loader.store = store;
    r.loader.order = BIOST_ORDER_EXACT;
    r.loader.augment.reverse_complement = 0.5f;
    r.desc.states = 1;
    resume_each(&r);
    rig_end(&r);
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* ---- exports ---------------------------------------------------------------------------------------- */

/* A slot is used again when its batch was released and its exports deleted, in any order. */
TEST(cuda, exports_hold_the_slot) {
    int order;
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers");
    }
    for (order = 0; order < 6; ++order) {
        static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        rig r;
        biost_cuda_batch first, batch;
        void *managed[2] = {NULL, NULL}, *data;
        int32_t device_type, ndim;
        int64_t *shape;
        int step;
        rig_make(&r, 24 * 9, NULL);
        r.loader.mask = 1;
        r.desc.device_slots = 2;
        REQUIRE(rig_open(&r));
        CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &first), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_export(r.cuda, &first, 0, 0, r.stream, &managed[0]), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_export(r.cuda, &first, 1, 0, r.stream, &managed[1]), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_export(r.cuda, &first, 2, 0, r.stream, &data), BIOST_ERR_ARG);
        memcpy(&data, managed[0], sizeof data);
        CHECK(data == first.x.data);
        memcpy(&device_type, (uint8_t *)managed[0] + 8, 4);
        CHECK_EQ_I64(device_type, 2); /* kDLCUDA */
        memcpy(&ndim, (uint8_t *)managed[0] + 16, 4);
        memcpy(&shape, (uint8_t *)managed[0] + 24, sizeof shape);
        CHECK_EQ_I64(ndim, 3);
        CHECK_EQ_I64(shape[0], 24);
        CHECK_EQ_I64(shape[1], 64);
        CHECK_EQ_I64(shape[2], 4);
        for (step = 0; step < 3; ++step) {
            int i;
            for (i = 0; i < 2; ++i) { /* the other slot goes round and round, this one does not */
                CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
                CHECK(batch.slot != first.slot);
                CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
            }
            if (orders[order][step] == 2) {
                CHECK_EQ_I64(biost_cuda_release(r.cuda, &first, r.stream), BIOST_OK);
            } else {
                delete_export(managed[orders[order][step]]);
            }
        }
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK); /* both slots are free again */
        rig_end(&r);
    }
}

static void *delete_later(void *managed) {
    pause_us(2000);
    delete_export(managed);
    return NULL;
}

/* Deleters on other threads, while it is closed and after: the last one frees all. */
TEST(cuda, exports_outlive_close) {
    int late;
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers");
    }
    for (late = 0; late < 2; ++late) {
        rig r;
        biost_cuda_batch batch;
        void *managed[3];
        pthread_t threads[3];
        int i;
        rig_make(&r, 100, NULL);
        REQUIRE(rig_open(&r));
        CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
        for (i = 0; i < 3; ++i) {
            CHECK_EQ_I64(biost_cuda_export(r.cuda, &batch, 0, 0, r.stream, &managed[i]), BIOST_OK);
        }
        if (late) {
            biost_cuda_close(r.cuda);
        }
        for (i = 0; i < 3; ++i) {
            CHECK(pthread_create(&threads[i], NULL, delete_later, managed[i]) == 0);
        }
        if (!late) {
            biost_cuda_close(r.cuda);
        }
        for (i = 0; i < 3; ++i) {
            pthread_join(threads[i], NULL);
        }
        r.cuda = NULL;
        rig_end(&r);
    }
}

/* ---- captures of CUDA graphs ------------------------------------------------------------------------ */

/* A stream that captures is refused as a consumer, and nothing ends: all goes on where it was. */
TEST(cuda, consumers_that_capture_are_refused) {
    rig r;
    biost_cuda_batch batch;
    void *managed = NULL;
    uint32_t i, way;
    for (way = 0; way < 2; ++way) {
        rig_make(&r, 24 * 6, NULL);
        if (way == 0) {
            r.loader.encoding.kind = BIOST_ENCODE_TOKENS;
            r.loader.encoding.dtype = BIOST_DTYPE_U8;
        }
        REQUIRE(rig_open(&r));
        CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
        for (i = 0; i < 6; ++i) {
            fake_cuda_capture(r.fake, r.stream, 1);
            CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_ERR_ARG);
            CHECK_STR(biost_cuda_error(r.cuda)->text,
                      "a consumer captures a CUDA graph: call biost_cuda_next "
                      "before the capture or after it");
            CHECK_EQ_U64(batch.rows, 0);
            CHECK_EQ_I64(biost_cuda_try_next(r.cuda, &r.stream, &batch), BIOST_ERR_ARG);
            fake_cuda_capture(r.fake, r.stream, 0);
            CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
            CHECK_EQ_U64(batch.index, i);
            fake_cuda_capture(r.fake, r.stream, 1);
            CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_ERR_ARG);
            CHECK_EQ_I64(biost_cuda_export(r.cuda, &batch, 0, 0, r.stream, &managed), BIOST_ERR_ARG);
            CHECK(managed == NULL);
            fake_cuda_capture(r.fake, r.stream, 0);
            CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        }
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_END);
        rig_end(&r);
    }
}

/*
 * Deleted while the consumer captures: what reads the batch was asked for before and may still run, so the slot is
 * held until a next after the capture, which records that on the consumer.
 */
TEST(cuda, deleters_during_a_capture) {
    static consumer consumers[BATCHES_MOST];
    uint32_t seed;
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers");
    }
    for (seed = 0; seed < 6; ++seed) {
        fake_cuda_options options;
        rig r;
        expected_run *run;
        biost_cuda_batch first, batch;
        biost_cuda_stream reader;
        void *managed[2];
        uint32_t i, again = 0, count = 1;
        memset(&options, 0, sizeof options);
        memset(consumers, 0, sizeof consumers);
        options.max_delay_us = 200;
        options.seed = seed;
        rig_make(&r, 24 * 12, &options);
        r.desc.device_slots = 2;
        run = expect(&r.loader, 1, 0);
        reader = fake_cuda_stream(r.fake, 0);
        REQUIRE(rig_open(&r));
        CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &first), BIOST_OK);
        for (i = 0; i < 2; ++i) {
            REQUIRE(biost_cuda_export(r.cuda, &first, 0, 0, reader, &managed[i]) == BIOST_OK);
        }
        use_batches(r.fake, &first, consumers, &reader, run, 0, 1, 1);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &first, r.stream), BIOST_OK);
        fake_cuda_capture(r.fake, reader, 1);
        delete_export(managed[0]);
        delete_export(managed[1]);
        for (; count < 5; ++count) {
            CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
            CHECK(batch.slot != first.slot);
            use_batches(r.fake, &batch, &consumers[count], &r.stream, run, count, 1, 1);
            CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        }
        fake_cuda_capture(r.fake, reader, 0);
        for (; count < 12; ++count) {
            CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
            again += batch.slot == first.slot;
            use_batches(r.fake, &batch, &consumers[count], &r.stream, run, count, 1, 1);
            CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        }
        CHECK(again >= 3);
        (void)fake_cuda_finish(r.fake);
        for (i = 0; i < count; ++i) {
            CHECK(consumers[i].is_done && !consumers[i].is_bad);
        }
        expected_free(run);
        rig_end(&r);
    }
}

/* All slots wait for the end of a capture: refused until then, and next finds them free after it. */
TEST(cuda, all_slots_wait_for_a_capture) {
    rig r;
    biost_cuda_batch batch;
    biost_cuda_stream reader;
    void *managed[2];
    uint32_t i;
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers");
    }
    rig_make(&r, 24 * 6, NULL);
    r.desc.device_slots = 2;
    reader = fake_cuda_stream(r.fake, 0);
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    for (i = 0; i < 2; ++i) {
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
        REQUIRE(biost_cuda_export(r.cuda, &batch, 0, 0, reader, &managed[i]) == BIOST_OK);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    }
    fake_cuda_capture(r.fake, reader, 1);
    delete_export(managed[0]);
    delete_export(managed[1]);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_ERR_SLOTS);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_ERR_SLOTS);
    fake_cuda_capture(r.fake, reader, 0);
    for (i = 2; i < 6; ++i) {
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
        CHECK_EQ_U64(batch.index, i);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    }
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_END);
    rig_end(&r);
}

/*
 * Closed before the capture ends, or deleted after close while it lasts: nobody can say when the slot's users are
 * done, so its memory stays. All else goes.
 */
TEST(cuda, captures_that_last_beyond_close) {
    uint32_t way;
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers");
    }
    for (way = 0; way < 4; ++way) {
        rig r;
        biost_cuda_batch batch;
        biost_cuda_stream reader;
        void *managed = NULL;
        char want[80];
        uint64_t locked = 0, bytes = 0;
        test_note("way %u", (unsigned)way);
        rig_make(&r, 24 * 6, NULL);
        r.loader.encoding.kind = BIOST_ENCODE_TOKENS; /* no tables beside the slots */
        r.loader.encoding.dtype = BIOST_DTYPE_U8;
        reader = fake_cuda_stream(r.fake, 0);
        REQUIRE(rig_open(&r));
        CHECK_EQ_I64(biost_cuda_memory_bytes(&r.desc, &locked, &bytes), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
        REQUIRE(biost_cuda_export(r.cuda, &batch, 0, 0, reader, &managed) == BIOST_OK);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        fake_cuda_capture(r.fake, reader, 1);
        if (way % 2 == 0) { /* deleted before close */
            delete_export(managed);
        }
        if (way == 2 || way == 3) { /* over in time */
            fake_cuda_capture(r.fake, reader, way == 3);
        }
        biost_cuda_close(r.cuda);
        r.cuda = NULL;
        if (way == 3) {
            fake_cuda_capture(r.fake, reader, 0);
        }
        if (way % 2 == 1) {
            delete_export(managed);
        }
        snprintf(want, sizeof want, "leak: %" PRIu64 " bytes of device 0\n", bytes);
        CHECK_STR(fake_cuda_check(r.fake), way < 2 ? want : NULL);
        fake_cuda_delete(r.fake);
        free(r.in.text);
    }
}

typedef struct deleting {
    fake_cuda *fake;
    biost_cuda_stream reader;
    void *managed;
    pthread_t thread;
} deleting;

static void *delete_in_a_capture(void *argument) {
    deleting *d = (deleting *)argument;
    fake_cuda_capture(d->fake, d->reader, 1);
    delete_export(d->managed);
    sched_yield();
    fake_cuda_capture(d->fake, d->reader, 0);
    return NULL;
}

/* Captures begin and end on other threads, and exports are deleted there, while the ring goes on and is closed. */
TEST(cuda, deleters_on_threads_that_capture) {
    enum { READERS = 24 };
    static consumer consumers[READERS];
    static deleting all[READERS];
    fake_cuda_options options;
    rig r;
    expected_run *run;
    biost_result result = BIOST_OK;
    uint32_t count = 0, i;
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers");
    }
    memset(&options, 0, sizeof options);
    memset(consumers, 0, sizeof consumers);
    options.max_delay_us = 50;
    rig_make(&r, 24 * READERS, &options);
    run = expect(&r.loader, 1, 0);
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    for (; count < READERS; ++count) {
        biost_cuda_batch batch;
        deleting *d = &all[count];
        while ((result = biost_cuda_next(r.cuda, &r.stream, &batch)) == BIOST_ERR_SLOTS) {
            sched_yield();
        }
        REQUIRE(result == BIOST_OK);
        d->fake = r.fake;
        d->reader = fake_cuda_stream(r.fake, 0);
        REQUIRE(biost_cuda_export(r.cuda, &batch, 0, 0, d->reader, &d->managed) == BIOST_OK);
        use_batches(r.fake, &batch, &consumers[count], &d->reader, run, count, 1, 1);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        REQUIRE(pthread_create(&d->thread, NULL, delete_in_a_capture, d) == 0);
    }
    for (i = 0; i < count; ++i) {
        pthread_join(all[i].thread, NULL);
    }
    (void)fake_cuda_finish(r.fake);
    for (i = 0; i < count; ++i) {
        CHECK(consumers[i].is_done && !consumers[i].is_bad);
    }
    expected_free(run);
    rig_end(&r);
}

/* ---- threads ---------------------------------------------------------------------------------------- */

typedef struct releaser {
    biost_cuda *cuda;
    biost_cuda_batch batch;
    biost_cuda_stream stream;
    pthread_t thread;
} releaser;

static void *release_elsewhere(void *argument) {
    releaser *r = (releaser *)argument;
    (void)biost_cuda_release(r->cuda, &r->batch, r->stream);
    return NULL;
}

TEST(cuda, release_from_other_threads) {
    static consumer consumers[BATCHES_MOST];
    static releaser releasers[BATCHES_MOST];
    fake_cuda_options options;
    rig r;
    expected_run *run;
    biost_result result;
    uint32_t count = 0, i;
    memset(&options, 0, sizeof options);
    options.max_delay_us = 50;
    rig_make(&r, 800, &options);
    memset(consumers, 0, sizeof consumers);
    run = expect(&r.loader, 1, 0);
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    for (;;) {
        biost_cuda_batch batch;
        while ((result = biost_cuda_next(r.cuda, &r.stream, &batch)) == BIOST_ERR_SLOTS) {
            sched_yield();
        }
        if (result != BIOST_OK || !CHECK(count < run->count)) {
            break;
        }
        use_batches(r.fake, &batch, &consumers[count], &r.stream, run, count, 1, 1);
        releasers[count].cuda = r.cuda;
        releasers[count].batch = batch;
        releasers[count].stream = r.stream;
        CHECK(pthread_create(&releasers[count].thread, NULL, release_elsewhere, &releasers[count]) == 0);
        ++count;
    }
    CHECK_EQ_I64(result, BIOST_END);
    CHECK_EQ_U64(count, run->count);
    for (i = 0; i < count; ++i) {
        pthread_join(releasers[i].thread, NULL);
    }
    (void)fake_cuda_finish(r.fake);
    for (i = 0; i < count; ++i) {
        CHECK(consumers[i].is_done && !consumers[i].is_bad);
    }
    expected_free(run);
    rig_end(&r);
}

static void *cancel_later(void *cuda) {
    pause_us(500);
    biost_cuda_cancel((biost_cuda *)cuda);
    return NULL;
}

TEST(cuda, cancel_and_close_at_any_moment) {
    uint32_t taken;
    for (taken = 0; taken < 12; ++taken) {
        fake_cuda_options options;
        rig r;
        biost_cuda_batch batch;
        biost_result result = BIOST_OK;
        uint32_t i;
        pthread_t thread;
        memset(&options, 0, sizeof options);
        options.max_delay_us = 200;
        options.seed = taken;
        rig_make(&r, 4000, &options);
        REQUIRE(rig_open(&r));
        CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
        if (taken % 2 == 0) {
            CHECK(pthread_create(&thread, NULL, cancel_later, r.cuda) == 0);
        }
        for (i = 0; i < taken && result == BIOST_OK; ++i) {
            result = biost_cuda_next(r.cuda, &r.stream, &batch);
            if (result == BIOST_OK && i % 3 != 2) {
                (void)biost_cuda_release(r.cuda, &batch, r.stream);
            }
            CHECK(result == BIOST_OK || result == BIOST_CANCELLED || result == BIOST_ERR_SLOTS);
        }
        if (taken % 2 == 0) {
            pthread_join(thread, NULL);
        }
        rig_end(&r); /* with batches held, queued and being copied */
    }
}

/* ---- every interleaving of two slots and two copy streams ------------------------------------------- */

/* Choices made one after the other, each of so many; counted through like the digits of a number. */
typedef struct choices {
    int taken[256], of[256];
    int depth, made;
} choices;

static int choose(choices *c, int options) {
    if (c->depth == c->made) {
        if (c->made == 256) {
            return 0;
        }
        c->taken[c->made] = 0;
        c->of[c->made++] = options;
    }
    return c->taken[c->depth++];
}

/* The next sequence of choices; 0: that was the last. */
static int choose_next(choices *c) {
    c->depth = 0;
    while (c->made > 0 && c->taken[c->made - 1] + 1 == c->of[c->made - 1]) {
        --c->made;
    }
    if (c->made == 0) {
        return 0;
    }
    ++c->taken[c->made - 1];
    return 1;
}

static int nth_bit(uint64_t mask, int n) {
    int i;
    for (i = 0; i < 64; ++i) {
        if ((mask >> i & 1) != 0 && n-- == 0) {
            return i;
        }
    }
    return -1;
}

static int count_bits(uint64_t mask) {
    int count = 0;
    for (; mask != 0; mask &= mask - 1) {
        ++count;
    }
    return count;
}

/* Where the host waits, some stream goes on: any. */
static int choose_stream(void *user_data, uint64_t runnable) {
    return nth_bit(runnable, choose((choices *)user_data, count_bits(runnable)));
}

/* Between calls of the host: no step, or one of any stream, and again. */
static void choose_steps(fake_cuda *fake, choices *c) {
    for (;;) {
        uint64_t runnable = fake_cuda_runnable(fake);
        int at = runnable == 0 ? 0 : choose(c, count_bits(runnable) + 1);
        if (at == 0) {
            return;
        }
        (void)fake_cuda_step(fake, nth_bit(runnable, at - 1));
    }
}

/* One epoch under one sequence of choices. Returns how many batches were not as expected. */
static uint32_t interleave(const biost_loader_desc *loader, const expected_run *run, choices *c,
                           int sabotage) {
    static consumer consumers[BATCHES_MOST];
    fake_cuda_options options;
    biost_cuda_desc desc;
    biost_cuda_stream stream;
    biost_cuda_batch batch;
    biost_cuda *cuda = NULL;
    biost_error error;
    fake_cuda *fake;
    uint32_t count = 0, bad = 0, i;
    memset(&options, 0, sizeof options);
    memset(consumers, 0, sizeof consumers);
    options.stepped = 1;
    options.whole_copies = sabotage != DROP_NOTHING || DROPS_RUN == 1;
    options.choose = choose_stream;
    options.choose_data = c;
    fake = fake_cuda_new(&options);
    fake_cuda_set_current(fake, 0);
    stream = fake_cuda_stream(fake, 0);
    memset(&desc, 0, sizeof desc);
    desc.loader = loader;
    desc.device_slots = 2;
    desc.provider = sabotage != DROP_NOTHING ? saboteur_wrap(fake) : fake_cuda_provider(fake);
    saboteur.drop = sabotage;
    if (CHECK(biost_cuda_open(&desc, &cuda, &error) == BIOST_OK) &&
        CHECK(biost_cuda_begin(cuda, 0) == BIOST_OK)) {
        while (biost_cuda_next(cuda, &stream, &batch) == BIOST_OK && count < run->count) {
            choose_steps(fake, c);
            use_batches(fake, &batch, &consumers[count], &stream, run, count, 1, 0);
            ++count;
            (void)biost_cuda_release(cuda, &batch, stream);
            choose_steps(fake, c);
        }
        CHECK_EQ_U64(count, run->count);
        (void)fake_cuda_finish(fake);
        for (i = 0; i < count; ++i) {
            bad += consumers[i].is_bad || !consumers[i].is_done;
        }
        biost_cuda_close(cuda);
    }
    if (sabotage == DROP_NOTHING) {
        CHECK_STR(fake_cuda_check(fake), NULL);
    }
    fake_cuda_delete(fake);
    return bad;
}

TEST(cuda, every_interleaving) {
    static choices c;
    input in;
    biost_loader_desc desc;
    expected_run *run;
    uint64_t runs = 0;
    uint64_t most = test_effort(5000, 100000); /* all of them are fewer than 100000 */
    int drop;
    input_make(&in, 12);
    desc = base_desc(&in);
    desc.batch_rows = 4;
    desc.workers = 1;
    desc.slots = 2;
    desc.encoding.kind = BIOST_ENCODE_TOKENS; /* a copy and a kernel a batch, no expansion */
    desc.test.page_bytes = 512;
    run = expect(&desc, 1, 0);
    CHECK_EQ_U64(run->count, 3);
    c.made = 0;
    c.depth = 0;
    do {
        ++runs;
        CHECK_EQ_U64(interleave(&desc, run, &c, DROP_NOTHING), 0);
    } while (choose_next(&c) && runs < most);
    CHECK(runs > 50 && runs < 100000);
    printf("  %" PRIu64 " interleavings\n", runs);
    memset(saboteur.records, 0, sizeof saboteur.records);
    for (drop = DROP_NOTHING + 1; drop < DROPS_RUN; ++drop) {
        uint32_t bad = 0;
        test_note("drop %d", drop);
        runs = 0;
        c.made = 0;
        c.depth = 0;
        do {
            ++runs;
            bad = interleave(&desc, run, &c, drop);
        } while (bad == 0 && choose_next(&c) && runs < (drop == DROP_READY_RECORD ? 50u : 100000u));
        CHECK(drop == DROP_READY_RECORD || bad > 0);
    }
    /* Where nothing is expanded the copy's event says that the batch is there. */
    CHECK(saboteur.records[DROP_COPIED_RECORD] > 0 || DROPS_RUN == 1);
    CHECK_EQ_U64(saboteur.records[DROP_READY_RECORD], 0);
    expected_free(run);
    free(in.text);
}

/* ---- hooks and numbers ------------------------------------------------------------------------------ */

typedef struct hooks {
    fake_cuda *fake;
    size_t host_bytes, host_most, device_bytes, device_most;
    int fails;
} hooks;

static void *hook_host_alloc(size_t bytes, size_t align, void *user_data) {
    hooks *h = (hooks *)user_data;
    void *memory = NULL;
    if (h->fails == 1 || posix_memalign(&memory, align < 4096 ? 4096 : align, bytes) != 0) {
        return NULL;
    }
    h->host_bytes += bytes;
    h->host_most = h->host_bytes > h->host_most ? h->host_bytes : h->host_most;
    return memory;
}

static void hook_host_free(void *memory, size_t bytes, void *user_data) {
    ((hooks *)user_data)->host_bytes -= bytes;
    free(memory);
}

static void *hook_device_alloc(size_t bytes, int device, void *user_data) {
    hooks *h = (hooks *)user_data;
    if (h->fails == 2) {
        return NULL;
    }
    h->device_bytes += bytes;
    h->device_most = h->device_bytes > h->device_most ? h->device_bytes : h->device_most;
    return fake_cuda_alloc(h->fake, device, bytes);
}

static void hook_device_free(void *memory, size_t bytes, int device, void *user_data) {
    hooks *h = (hooks *)user_data;
    (void)device;
    h->device_bytes -= bytes;
    fake_cuda_free(h->fake, memory);
}

/* Memory of the user's, page-locked by open; and biost_cuda_memory_bytes is what was asked for. */
TEST(cuda, memory_of_yours) {
    int fails;
    for (fails = 0; fails < 3; ++fails) {
        rig r;
        hooks h;
        biost_cuda_batch batch;
        uint64_t locked, device;
        uint32_t count = 0;
        rig_make(&r, 300, NULL);
        r.loader.quality.kind = BIOST_QUALITY_ERROR;
        r.loader.quality.dtype = BIOST_DTYPE_F32;
        memset(&h, 0, sizeof h);
        h.fake = r.fake;
        h.fails = fails;
        r.desc.host.alloc = hook_host_alloc;
        r.desc.host.free = hook_host_free;
        r.desc.host.user_data = &h;
        r.desc.memory.alloc = hook_device_alloc;
        r.desc.memory.free = hook_device_free;
        r.desc.memory.user_data = &h;
        CHECK_EQ_I64(biost_cuda_memory_bytes(&r.desc, &locked, &device), BIOST_OK);
        if (fails > 0) {
            CHECK_EQ_I64(biost_cuda_open(&r.desc, &r.cuda, &r.error), BIOST_ERR_NOMEM);
            CHECK(r.cuda == NULL);
        } else if (rig_open(&r)) {
            /* lengths 24 x 4 -> 256; codes and Phred 24 x 64 = 1536 each; f16 1536 x 4 x 2 and f32 1536 x 4;
             * tables 256 x 8 and 256 x 4 */
            uint64_t slab = 256 + 2 * 1536, tables = 2048 + 1024;
            CHECK(slab <= 65536);
            CHECK_EQ_U64(locked, 4 * 65536 + tables); /* host memory comes in whole pages */
            CHECK_EQ_U64(device, 3 * (slab + 12288 + 6144) + tables);
            CHECK_EQ_U64(h.host_most, 4 * 65536);
            CHECK_EQ_U64(h.device_most, device);
            CHECK_EQ_U64(fake_cuda_count(r.fake, FAKE_HOST_LOCK), 4);
            CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
            while (biost_cuda_next(r.cuda, &r.stream, &batch) == BIOST_OK) {
                (void)biost_cuda_release(r.cuda, &batch, r.stream);
                ++count;
            }
            CHECK_EQ_U64(count, 13);
            CHECK_EQ_U64(fake_cuda_pageable_count(r.fake), 0);
        }
        rig_end(&r);
        CHECK_EQ_U64(h.host_bytes, 0);
        CHECK_EQ_U64(h.device_bytes, 0);
    }
}

/* The times of each batch follow one another. */
TEST(cuda, timeline) {
    fake_cuda_options options;
    rig r;
    biost_cuda_batch batch;
    biost_cuda_span spans[8];
    uint32_t count, i;
    memset(&options, 0, sizeof options);
    options.max_delay_us = 100;
    rig_make(&r, 240, &options);
    r.desc.timeline_count = 6;
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_timeline(r.cuda, 0, spans, 8, &count), BIOST_OK);
    CHECK_EQ_U64(count, 0);
    CHECK_EQ_I64(biost_cuda_timeline(r.cuda, 1, spans, 8, &count), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    while (biost_cuda_next(r.cuda, &r.stream, &batch) == BIOST_OK) {
        (void)biost_cuda_release(r.cuda, &batch, r.stream);
    }
    (void)fake_cuda_finish(r.fake);
    CHECK_EQ_I64(biost_cuda_timeline(r.cuda, 0, spans, 8, &count), BIOST_OK);
    CHECK_EQ_U64(count, 6);
    for (i = 0; i < count; ++i) {
        CHECK_EQ_U64(spans[i].index, 10 - 6 + i);    /* the last of ceil(240 / 24) */
        CHECK(i > 0 || spans[i].copy_start_us == 0); /* times count from there */
        CHECK(i == 0 || spans[i].number > spans[i - 1].number);
        CHECK(spans[i].copy_start_us > BIOST_CUDA_NO_TIME && spans[i].copy_end_us >= spans[i].copy_start_us);
        CHECK(spans[i].expand_end_us >= spans[i].copy_end_us);
        CHECK(spans[i].use_start_us >= spans[i].expand_end_us);
        CHECK(spans[i].use_end_us >= spans[i].use_start_us);
    }
    rig_end(&r);
}

TEST(cuda, descs_that_cannot_be) {
    static const struct {
        const char *words;
        int which;
    } cases[] = {
        {"desc.loader is required", 0},
        {"desc.device_slots is 1, not a whole number of 2..64, or 0 for 3", 1},
        {"desc.copy_streams is 9, not a whole number of 1..8, or 0 for 2", 2},
        {"desc.devices must be given", 3},
        {"names a device twice", 4},
        {"device_count must divide", 5},
        {"desc.host needs both", 6},
        {"desc.memory needs both", 7},
        {"write_combined and desc.host", 8},
        {"desc.loader->digest", 9},
        {"slot_allocator must be 0", 10},
        {"desc.states and desc.loader->callbacks", 11},
        {"desc.timeline_count is 65537, not a whole number of 0..65536", 12},
        {"desc.device_count is 17, not a whole number of 1..16, or 0 for 1", 13},
        {"is over 2^28 columns", 14},
        {"desc.loader->shape.rows_multiple / world", 15},
        {"desc.loader->mates is 2, and pairs do not reach a device in this version: use biost_loader", 16},
        {"desc.loader->shape.kind is BIOST_SHAPE_PACKED", 17},
    };
    static const int32_t twice[2] = {0, 0}, five[5] = {0, 1, 2, 3, 4};
    static const char text[] = ">a\nACGT\n";
    const biost_memory memory = {text, sizeof text - 1, "a"};
    biost_store_desc build;
    biost_store *store = NULL;
    size_t i;
    memset(&build, 0, sizeof build);
    build.memories = &memory;
    build.memory_count = 1;
    REQUIRE(biost_store_build(&build, &store, NULL) == BIOST_OK);
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        rig r;
        biost_callback callback;
        uint64_t locked, device;
        rig_make(&r, 10, NULL);
        memset(&callback, 0, sizeof callback);
        test_note("%s", cases[i].words);
        switch (cases[i].which) {
        case 0: r.desc.loader = NULL; break;
        case 1: r.desc.device_slots = 1; break;
        case 2: r.desc.copy_streams = 9; break;
        case 3: r.desc.device_count = 2; break;
        /* clang-format off */
        case 4: r.desc.device_count = 2; r.desc.devices = twice; break;
        case 5: r.desc.device_count = 5; r.desc.devices = five; break;
        /* clang-format on */
        case 16: r.loader.mates = 2; break;
        case 6: r.desc.host.alloc = hook_host_alloc; break;
        case 7: r.desc.memory.free = hook_device_free; break;
        case 8:
            r.desc.write_combined = 1;
            r.desc.host.alloc = hook_host_alloc;
            r.desc.host.free = hook_host_free;
            break;
        case 9:
            r.desc.write_combined = 1;
            r.loader.digest = 1;
            break;
        case 10:
            r.loader.slot_allocator.alloc = hook_host_alloc;
            r.loader.slot_allocator.free = hook_host_free;
            break;
        case 11:
            r.desc.states = 1;
            r.loader.memory_count = 0;
            r.loader.callbacks = &callback;
            r.loader.callback_count = 1;
            break;
        case 12: r.desc.timeline_count = 65537; break;
        case 14: /* 89478486 x 3 = 2^28 + 2 */
            r.loader.row_bases = (uint32_t)1 << 28;
            r.loader.pad_multiple = 3;
            r.loader.batch_rows = 1;
            break;
        case 15: /* two ranks of three rows each cannot be halved */
            r.loader.memory_count = 0;
            r.loader.store = store;
            r.loader.batch_rows = r.loader.row_bases = 0;
            r.loader.shape.kind = BIOST_SHAPE_BUCKETS;
            r.loader.shape.batch_tokens = 6000;
            r.loader.shape.rows_multiple = 6;
            r.loader.world = 2;
            r.desc.device_count = 2;
            r.desc.devices = five;
            break;
        case 17: r.loader.shape.kind = BIOST_SHAPE_PACKED; break;
        default: r.desc.device_count = 17; break;
        }
        CHECK_EQ_I64(biost_cuda_open(&r.desc, &r.cuda, &r.error), BIOST_ERR_ARG);
        CHECK(r.cuda == NULL);
        if (!CHECK(strstr(r.error.text, cases[i].words) != NULL)) {
            printf("  %s\n", r.error.text);
        }
        CHECK_EQ_I64(biost_cuda_memory_bytes(&r.desc, &locked, &device), BIOST_ERR_ARG);
        rig_end(&r);
    }
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* What the loader refuses is the loader's sentence; no device: said so. */
TEST(cuda, open_says_why_not) {
    fake_cuda_options options;
    rig r;
    int count = -1;
    rig_make(&r, 10, NULL);
    r.loader.encoding.dtype = BIOST_DTYPE_I64; /* one-hot has none */
    CHECK_EQ_I64(biost_cuda_open(&r.desc, &r.cuda, &r.error), BIOST_ERR_ARG);
    CHECK(strstr(r.error.text, "desc.encoding") != NULL);
    CHECK(r.cuda == NULL);
    rig_end(&r);
    memset(&options, 0, sizeof options);
    options.device_count = -1;
    rig_make(&r, 10, &options);
    CHECK_EQ_I64(biost_cuda_look(r.desc.provider, &count, &r.error), BIOST_ERR_DEVICE);
    CHECK_EQ_I64(r.error.fault, BIOST_FAULT_NO_DEVICE);
    CHECK_EQ_I64(count, 0);
    CHECK_EQ_I64(biost_cuda_open(&r.desc, &r.cuda, &r.error), BIOST_ERR_DEVICE);
    CHECK_EQ_I64(r.error.fault, BIOST_FAULT_NO_DEVICE);
    rig_end(&r);
    CHECK_EQ_I64(biost_cuda_look(biost_cuda_dummy(), &count, &r.error), BIOST_OK);
    CHECK_EQ_I64(count, 1);
}

/* The dummy gives what the loader gives, in host memory. */
TEST(cuda, dummy_gives_the_same) {
    rig r;
    biost_cuda_batch batch;
    expected_run *run;
    uint32_t count = 0;
    rig_make(&r, 300, NULL);
    r.loader.quality.kind = BIOST_QUALITY_ERROR;
    r.loader.quality.dtype = BIOST_DTYPE_F32;
    r.desc.provider = biost_cuda_dummy();
    run = expect(&r.loader, 1, 0);
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    while (biost_cuda_next(r.cuda, NULL, &batch) == BIOST_OK && count < run->count) {
        const expected_batch *expected = &run->batches[0][count++];
        CHECK_EQ_I64(batch.x.device, -1);
        CHECK_MEM(batch.x.data, expected->bytes[0], (size_t)batch.x.bytes);
        CHECK_MEM(batch.tensors[1].data, expected->bytes[1], (size_t)batch.tensors[1].bytes);
        CHECK_MEM(batch.lengths, expected->lengths, batch.rows * sizeof(int32_t));
        (void)biost_cuda_release(r.cuda, &batch, NULL);
    }
    CHECK_EQ_U64(count, run->count);
    expected_free(run);
    rig_end(&r);
}

/* ---- faults found in review ------------------------------------------------------------------------- */

/* An export's stream waits for the batch, also where it is not next's; on cudaStreamPerThread it is refused. */
TEST(cuda, export_waits_on_its_own_stream) {
    uint32_t seed;
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers");
    }
    for (seed = 0; seed < 5; ++seed) {
        fake_cuda_options options;
        rig r;
        expected_run *run;
        biost_cuda_batch batch;
        biost_cuda_stream other;
        consumer c;
        void *managed = NULL;
        memset(&options, 0, sizeof options);
        options.max_delay_us = 400;
        options.seed = seed;
        rig_make(&r, 40, &options);
        run = expect(&r.loader, 1, 0);
        other = fake_cuda_stream(r.fake, 0);
        REQUIRE(rig_open(&r));
        CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_export(r.cuda, &batch, 0, 0, (biost_cuda_stream)(uintptr_t)2, &managed),
                     BIOST_ERR_ARG);
        CHECK(managed == NULL);
        CHECK_EQ_I64(biost_cuda_export(r.cuda, &batch, 0, 0, other, &managed), BIOST_OK);
        memset(&c, 0, sizeof c);
        use_batches(r.fake, &batch, &c, &other, run, 0, 1, 1);
        delete_export(managed);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        (void)fake_cuda_finish(r.fake);
        CHECK(c.is_done && !c.is_bad);
        expected_free(run);
        rig_end(&r);
    }
}

/* A release that could not be recorded may be made again; a deleter's failure is told by next. */
TEST(cuda, failed_release_is_not_lost) {
    rig r;
    biost_cuda_batch batch, other;
    void *managed = NULL;
    uint32_t i;
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers");
    }
    rig_make(&r, 24 * 12, NULL);
    r.desc.device_slots = 2;
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
    for (i = 0; i < 3; ++i) {
        fake_cuda_fail(r.fake, FAKE_EVENT_RECORD, 1, 400, 0);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_ERR_DEVICE);
        CHECK(biost_cuda_error(r.cuda) == NULL); /* of next */
    }
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_export(r.cuda, &batch, 0, 0, r.stream, &managed), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    fake_cuda_fail(r.fake, FAKE_EVENT_RECORD, 1, 400, 0);
    delete_export(managed);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &other), BIOST_OK); /* the other slot */
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_ERR_DEVICE);
    CHECK(strstr(biost_cuda_error(r.cuda)->text, "CUDA_ERROR_INVALID_HANDLE") != NULL);
    rig_end(&r);
}

/* A slot's arrays stay where they are, also in a short tail cut over devices. */
TEST(cuda, slots_keep_their_addresses) {
    fake_cuda_options options;
    rig r;
    biost_cuda_stream streams[2];
    biost_cuda_batch batches[2];
    void *seen[2][3][4];
    uint32_t d, i;
    memset(&options, 0, sizeof options);
    memset(seen, 0, sizeof seen);
    options.device_count = 2;
    rig_make(&r, 24 * 7 + 5, &options);
    r.loader.tail = BIOST_TAIL_SHORT;
    r.loader.mask = 1;
    r.loader.labels.make = make_label;
    r.loader.labels.dtype = BIOST_DTYPE_F32;
    r.loader.labels.width = 2;
    r.desc.devices = device_numbers;
    r.desc.device_count = 2;
    streams[0] = r.stream;
    streams[1] = fake_cuda_stream(r.fake, 1);
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    while (biost_cuda_next(r.cuda, streams, batches) == BIOST_OK) {
        for (d = 0; d < 2; ++d) {
            void **slot = seen[d][batches[d].slot];
            CHECK(slot[3] == NULL || slot[3] == (const void *)batches[d].lengths);
            memcpy(&slot[3], &batches[d].lengths, sizeof slot[3]);
            for (i = 0; i < 3; ++i) {
                CHECK(slot[i] == NULL || slot[i] == batches[d].tensors[i].data);
                slot[i] = batches[d].tensors[i].data;
            }
            CHECK_EQ_I64(biost_cuda_release(r.cuda, &batches[d], streams[d]), BIOST_OK);
        }
    }
    rig_end(&r);
}

/* Memory goes away only after the kernels of batches that were released. */
static void touch_later(void *data) {
    consumer *c = (consumer *)data;
    pause_us(3000);
    consume(c);
}

TEST(cuda, close_waits_for_released_batches) {
    int exported;
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers");
    }
    for (exported = 0; exported < 2; ++exported) {
        rig r;
        hooks h;
        expected_run *run;
        biost_cuda_batch batch;
        void *managed = NULL;
        consumer c;
        uint32_t i;
        rig_make(&r, 40, NULL);
        memset(&h, 0, sizeof h);
        h.fake = r.fake;
        r.desc.memory.alloc = hook_device_alloc;
        r.desc.memory.free = hook_device_free;
        r.desc.memory.user_data = &h;
        run = expect(&r.loader, 1, 0);
        REQUIRE(rig_open(&r));
        CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
        memset(&c, 0, sizeof c);
        c.fake = r.fake;
        c.batch = batch;
        c.expected = &run->batches[0][0];
        for (i = 0; i < batch.tensor_count; ++i) {
            c.tensors[i] = batch.tensors[i];
        }
        if (exported) {
            CHECK_EQ_I64(biost_cuda_export(r.cuda, &batch, 0, 0, r.stream, &managed), BIOST_OK);
        }
        fake_cuda_launch(r.fake, 0, r.stream, touch_later, &c);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        biost_cuda_close(r.cuda);
        if (exported) {
            delete_export(managed);
        }
        r.cuda = NULL;
        CHECK(c.is_done && !c.is_bad);
        CHECK_EQ_U64(h.device_bytes, 0);
        expected_free(run);
        rig_end(&r);
    }
}

TEST(cuda, cancel_is_told_at_once) {
    rig r;
    biost_cuda_batch batch;
    rig_make(&r, 400, NULL);
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
    biost_cuda_cancel(r.cuda);
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_CANCELLED); /* though some are ready */
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 1), BIOST_CANCELLED);
    rig_end(&r);
}

/* The loader finds an error ahead: it is told when it is reached. */
TEST(cuda, no_error_after_success) {
    rig r;
    biost_cuda_batch batch;
    biost_result result;
    uint32_t count = 0;
    rig_make(&r, 100, NULL);
    r.in.text[r.in.memory.bytes - 30] = '\n';
    REQUIRE(rig_open(&r));
    CHECK(biost_cuda_error(r.cuda) == NULL);
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    while ((result = biost_cuda_next(r.cuda, &r.stream, &batch)) == BIOST_OK) {
        CHECK(biost_cuda_error(r.cuda) == NULL);
        ++count;
        (void)biost_cuda_release(r.cuda, &batch, r.stream);
    }
    CHECK_EQ_U64(count, 5);
    CHECK_EQ_I64(result, BIOST_ERR_TEXT);
    CHECK_EQ_I64(biost_cuda_error(r.cuda)->code, BIOST_ERR_TEXT);
    rig_end(&r);
}

/* Spans come oldest first, also while the oldest batch is held. */
TEST(cuda, timeline_in_order) {
    rig r;
    biost_cuda_batch held, batch;
    biost_cuda_span spans[4];
    uint32_t count, i;
    rig_make(&r, 24 * 9, NULL);
    r.desc.timeline_count = 4;
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_begin(r.cuda, 0), BIOST_OK);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &held), BIOST_OK);
    while (biost_cuda_next(r.cuda, &r.stream, &batch) == BIOST_OK) {
        (void)biost_cuda_release(r.cuda, &batch, r.stream);
    }
    (void)fake_cuda_finish(r.fake);
    CHECK_EQ_I64(biost_cuda_timeline(r.cuda, 0, spans, 4, &count), BIOST_OK);
    CHECK_EQ_U64(count, 4);
    CHECK_EQ_U64(spans[0].index, 0);
    CHECK(spans[0].use_end_us <= BIOST_CUDA_NO_TIME);
    for (i = 1; i < count; ++i) {
        CHECK(spans[i].index > spans[i - 1].index);
        CHECK(spans[i].use_end_us > BIOST_CUDA_NO_TIME);
    }
    (void)biost_cuda_release(r.cuda, &held, r.stream);
    rig_end(&r);
}
