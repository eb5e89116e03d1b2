/*
 * test_loader_shape.c - biost_loader_shape against the batches that come, and against sizes worked out here by what
 * the comments of biost_batch and biost_batch_shape promise: lengths, then the tensors in their order, each at a
 * multiple of 256 bytes. What open refuses it refuses with the same sentence.
 *
 * rooms: plan rows
 * needs: loader stores threads library orders
 */
#include "../biostream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#define NO_TOKENS {0, 0, "", 0, 0, 0}, 0, 0, 0, 0 /* encoding.kmers, begin and end */

enum { RECORDS = 40, BASES = 13, ROWS = 8 };

static char texts[2][RECORDS * 64];
static biost_memory memories[2];
static biost_group groups[2];
static biost_interval intervals[RECORDS];
static biost_store *store;

static void begin(void) {
    biost_store_desc desc;
    uint32_t i, k;
    for (i = 0; i < 2; ++i) {
        char *at = texts[i];
        for (k = 0; k < RECORDS; ++k) { /* every batch has a record of BASES bases */
            at += sprintf(at, "@r%u\n%.*s\n+\n%.*s\n", (unsigned)k, k % 4 == 0 ? BASES : 5, "ACGTNACGTACGT",
                          k % 4 == 0 ? BASES : 5, "IIIII5IIIIIII");
        }
        memories[i].data = texts[i];
        memories[i].bytes = (size_t)(at - texts[i]);
        memories[i].name = i == 0 ? "a" : "b";
        groups[i].first_input = i;
        groups[i].input_count = 1;
        groups[i].weight = 1;
        groups[i].label = 3 + i;
    }
    memset(&desc, 0, sizeof desc);
    desc.memories = memories;
    desc.memory_count = 1;
    desc.qualities = 1;
    desc.letters = BIOST_STORE_BYTES;
    REQUIRE(biost_store_build(&desc, &store, NULL) == BIOST_OK);
    memset(intervals, 0, sizeof intervals);
    for (k = 0; k < RECORDS; ++k) {
        intervals[k].sequence = k;
        intervals[k].end = 5;
        intervals[k].label = 1;
    }
}

static void end(void) {
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

static int make_label(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)record;
    (void)id;
    (void)user_data;
    *(uint8_t *)out_label = 1;
    return 1;
}

static uint64_t element_bytes(biost_dtype dtype) {
    static const struct {
        biost_dtype dtype;
        uint64_t bytes;
    } all[] = {{BIOST_DTYPE_U8, 1},  {BIOST_DTYPE_F16, 2}, {BIOST_DTYPE_BF16, 2},
               {BIOST_DTYPE_F32, 4}, {BIOST_DTYPE_I32, 4}, {BIOST_DTYPE_I64, 8}};
    uint32_t i;
    for (i = 0; i < sizeof all / sizeof all[0] && all[i].dtype != dtype; ++i) {
    }
    return all[i].bytes;
}

/* ---- what a desc asks for, worked out here ---- */

typedef struct want {
    uint64_t rows, columns, channels, end; /* end: of the last tensor in the slab */
    uint32_t count;
    biost_role roles[4];
    biost_dtype dtypes[4];
    uint64_t row_bytes[4], offsets[4];
} want;

static void want_tensor(want *w, biost_role role, biost_dtype dtype, uint64_t row_bytes) {
    w->roles[w->count] = role;
    w->dtypes[w->count] = dtype;
    w->row_bytes[w->count] = row_bytes;
    w->offsets[w->count] = (w->end + 255) / 256 * 256;
    w->end = w->offsets[w->count] + w->rows * row_bytes;
    ++w->count;
}

/* desc gives all that has a default here: batch_rows, one of row_bases and max_row_bases, pad_multiple. */
static want want_of(const biost_loader_desc *desc) {
    want w;
    int has_quality = desc->quality.kind != BIOST_QUALITY_NONE;
    int has_label = desc->labels.kind != BIOST_LABEL_NONE || desc->labels.make != NULL;
    uint64_t bases = desc->row_bases > 0 ? desc->row_bases : desc->max_row_bases;
    memset(&w, 0, sizeof w);
    w.rows = desc->batch_rows;
    w.columns = (bases + desc->pad_multiple - 1) / desc->pad_multiple * desc->pad_multiple;
    w.channels = desc->encoding.kind == BIOST_ENCODE_TOKENS ? 1 : 4;
    w.channels += (has_quality && desc->quality.in_x) + (desc->mask && desc->mask_in_x);
    w.end = 4 * w.rows;
    want_tensor(&w, BIOST_ROLE_INPUT, desc->encoding.dtype,
                w.columns * w.channels * element_bytes(desc->encoding.dtype));
    if (has_quality && !desc->quality.in_x) {
        want_tensor(&w, BIOST_ROLE_QUALITY, desc->quality.dtype,
                    w.columns * element_bytes(desc->quality.dtype));
    }
    if (desc->mask && !desc->mask_in_x) {
        want_tensor(&w, BIOST_ROLE_MASK, desc->mask_dtype, w.columns * element_bytes(desc->mask_dtype));
    }
    if (has_label) {
        want_tensor(&w, BIOST_ROLE_LABEL, desc->labels.dtype,
                    (desc->labels.width > 0 ? desc->labels.width : 1) * element_bytes(desc->labels.dtype));
    }
    return w;
}

static void check_shape(const biost_batch_shape *shape, const want *w) {
    uint32_t i;
    CHECK_EQ_U64(shape->rows, w->rows);
    CHECK_EQ_U64(shape->columns, w->columns);
    CHECK_EQ_U64(shape->channels, w->channels);
    CHECK_EQ_U64(shape->lengths_bytes, 4 * w->rows);
    CHECK_EQ_U64(shape->slab_bytes, w->end);
    CHECK_EQ_U64(shape->slot_bytes, (w->end + 255) / 256 * 256);
    CHECK_EQ_U64(shape->tensor_count, w->count);
    for (i = 0; i < w->count; ++i) {
        CHECK_EQ_U64(shape->tensors[i].role, w->roles[i]);
        CHECK_EQ_U64(shape->tensors[i].dtype, w->dtypes[i]);
        CHECK_EQ_U64(shape->tensors[i].bytes, w->rows * w->row_bytes[i]);
        CHECK_EQ_U64(shape->row_bytes[i], w->row_bytes[i]);
        CHECK_EQ_U64(shape->offsets[i], w->offsets[i]);
        CHECK(shape->tensors[i].data == NULL);
    }
}

/* ---- against batches ---- */

/* A batch that is as wide as batches get is as the shape says, but for its data. */
static void check_batch(const biost_batch *batch, const biost_batch_shape *shape) {
    const uint8_t *slab = (const uint8_t *)batch->slab;
    uint32_t i;
    CHECK_EQ_U64(batch->rows, shape->rows);
    CHECK_EQ_U64(batch->slab_bytes, shape->slab_bytes);
    CHECK((const uint8_t *)batch->lengths == slab);
    CHECK_EQ_U64(batch->tensor_count, shape->tensor_count);
    for (i = 0; i < batch->tensor_count; ++i) {
        biost_tensor tensor = batch->tensors[i];
        CHECK_EQ_U64((const uint8_t *)tensor.data - slab, shape->offsets[i]);
        tensor.data = NULL;
        CHECK_MEM(&tensor, &shape->tensors[i], sizeof tensor);
    }
    if (shape->name_bytes > 0) {
        CHECK_EQ_U64(batch->name_offsets[1] - batch->name_offsets[0], shape->name_bytes);
    }
    CHECK(shape->name_bytes > 0 || batch->names == NULL);
}

/* The shape of a desc, the batches of a loader that is opened with it, and what its allocators are asked for. */
static void check_desc(const biost_loader_desc *desc) {
    biost_batch_shape shape;
    biost_loader *loader;
    biost_batch batch;
    biost_error error;
    uint8_t state[1024];
    size_t state_bytes = 0;
    want w = want_of(desc);
    if (!CHECK_EQ_I64(biost_loader_shape(desc, &shape, &error), BIOST_OK)) {
        printf("    sentence: %s\n", error.text);
        return;
    }
    check_shape(&shape, &w);
    CHECK_EQ_U64(biost_loader_memory(desc), shape.memory_bytes);
    CHECK_EQ_U64(biost_loader_state_bytes(desc), shape.state_bytes);
    CHECK_EQ_U64(shape.slots, desc->slots);
    CHECK_EQ_U64(shape.name_bytes, desc->names ? desc->name_bytes + 1 : 0);
    if (!CHECK_EQ_I64(biost_loader_open(desc, &loader, &error), BIOST_OK)) {
        printf("    sentence: %s\n", error.text);
        return;
    }
    CHECK_EQ_I64(biost_loader_begin(loader, 0), BIOST_OK);
    CHECK_EQ_I64(biost_loader_next(loader, &batch), BIOST_OK);
    check_batch(&batch, &shape);
    CHECK_EQ_I64(biost_loader_state(loader, &batch, state, sizeof state, &state_bytes), BIOST_OK);
    CHECK(state_bytes <= shape.state_bytes);
    biost_loader_close(loader);
}

static biost_loader_desc fresh(void) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.memories = memories;
    desc.memory_count = 2;
    desc.batch_rows = ROWS;
    desc.row_bases = BASES;
    desc.pad_multiple = 1;
    desc.slots = 2;
    desc.workers = 1;
    return desc;
}

/* One of the ways in which labels come: 0 none, then by all kinds, dtypes and widths that there are. */
static int set_labels(biost_loader_desc *desc, uint32_t which) {
    static const biost_dtype dtypes[] = {BIOST_DTYPE_U8, BIOST_DTYPE_I32, BIOST_DTYPE_I64, BIOST_DTYPE_F32};
    biost_label_kind kind = (biost_label_kind)(which / 4 % 5);
    desc->labels.dtype = dtypes[which % 4];
    if (which >= 24) {
        return 0;
    }
    if (which >= 20 || kind == BIOST_LABEL_NONE) { /* a function of several numbers, or of one, or none */
        desc->labels.make = which >= 20 || which > 0 ? make_label : NULL;
        desc->labels.dtype = which == 0 ? BIOST_DTYPE_U8 : desc->labels.dtype;
        desc->labels.width = which >= 20 ? which % 4 * 3 + 1 : 0;
        return 1;
    }
    desc->labels.kind = kind;
    desc->labels.make = kind == BIOST_LABEL_FUNCTION ? make_label : NULL;
    if (kind == BIOST_LABEL_GROUP) {
        desc->groups = groups;
        desc->group_count = 2;
    }
    if (kind == BIOST_LABEL_REGION) {
        desc->memories = NULL;
        desc->memory_count = 0;
        desc->store = store;
        desc->row_bases = 5;
        desc->regions.kind = BIOST_REGIONS_INTERVALS;
        desc->regions.intervals = intervals;
        desc->regions.interval_count = RECORDS;
    }
    return 1;
}

static void set_quality_and_mask(biost_loader_desc *desc, uint32_t quality, uint32_t mask) {
    desc->quality.kind = quality > 0 ? BIOST_QUALITY_PHRED : BIOST_QUALITY_NONE;
    desc->quality.in_x = quality == 3;
    desc->quality.dtype = quality == 3   ? desc->encoding.dtype
                          : quality == 2 ? BIOST_DTYPE_F32
                                         : BIOST_DTYPE_U8;
    desc->mask = mask > 0;
    desc->mask_in_x = mask == 3;
    desc->mask_dtype = mask == 3 ? desc->encoding.dtype : mask == 2 ? BIOST_DTYPE_F32 : BIOST_DTYPE_U8;
}

static const biost_encoding encodings[] = {
    {BIOST_ENCODE_ONEHOT, BIOST_DTYPE_U8, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO, BIOST_LOWER_CASE_FOLD,
     NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS},
    {BIOST_ENCODE_ONEHOT, BIOST_DTYPE_F32, BIOST_LAYOUT_NCL, NULL, BIOST_AMBIGUOUS_ZERO,
     BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS},
    {BIOST_ENCODE_ONEHOT, BIOST_DTYPE_BF16, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO,
     BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_LEFT, NO_TOKENS},
    {BIOST_ENCODE_TOKENS, BIOST_DTYPE_U8, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO, BIOST_LOWER_CASE_FOLD,
     NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS},
    {BIOST_ENCODE_TOKENS, BIOST_DTYPE_I64, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO,
     BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS},
};

TEST(shape, is_that_of_every_batch) {
    uint32_t labels, quality, mask, e, more, tried = 0;
    begin();
    for (labels = 0; labels < 24; ++labels) {
        for (quality = 0; quality < 4; ++quality) {
            for (mask = 0; mask < 4; ++mask) {
                for (e = 0; e < sizeof encodings / sizeof encodings[0]; ++e) {
                    biost_loader_desc desc = fresh();
                    desc.encoding = encodings[e];
                    if ((quality == 3 || mask == 3) && desc.encoding.kind == BIOST_ENCODE_TOKENS) {
                        continue; /* tokens have no channels */
                    }
                    more = tried++;
                    set_quality_and_mask(&desc, quality, mask);
                    (void)set_labels(&desc, labels);
                    desc.names = more % 2 == 0;
                    desc.name_bytes = more % 3 + 1;
                    if (more % 3 == 1 && desc.regions.kind == BIOST_REGIONS_NONE) {
                        desc.row_bases = 0;
                        desc.max_row_bases = BASES;
                    }
                    desc.pad_multiple = more % 5 + 1;
                    desc.shuffle_rows = more % 7 == 0 && desc.store == NULL ? 3 : 0;
                    test_note("labels %u, quality %u, mask %u, encoding %u, row_bases %u", (unsigned)labels,
                              (unsigned)quality, (unsigned)mask, (unsigned)e, (unsigned)desc.row_bases);
                    check_desc(&desc);
                }
            }
        }
    }
    CHECK(tried > 1000);
    end();
}

/* Narrower batches, and shorter ones: the same tensors, and never more bytes. */
TEST(shape, is_the_most_there_can_be) {
    biost_loader_desc desc;
    biost_batch_shape shape;
    biost_loader *loader;
    biost_batch batch;
    uint32_t rows = 0;
    begin();
    desc = fresh();
    desc.row_bases = 0;
    desc.max_row_bases = 100;
    desc.batch_rows = 24; /* 80 records: three batches and one of 8 rows */
    desc.tail = BIOST_TAIL_SHORT;
    set_quality_and_mask(&desc, 1, 2);
    (void)set_labels(&desc, 14); /* of inputs, I64 */
    REQUIRE(biost_loader_shape(&desc, &shape, NULL) == BIOST_OK);
    CHECK_EQ_U64(shape.columns, 100);
    CHECK_EQ_U64(shape.slab_bytes, 256 + 24 * 400 + 128 + 24 * 100 + 160 + 24 * 400 + 128 + 24 * 8);
    REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
    REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK);
    while (biost_loader_next(loader, &batch) == BIOST_OK) {
        CHECK_EQ_U64(batch.x.shape[1], BASES);
        CHECK(batch.slab_bytes < shape.slab_bytes);
        CHECK_EQ_U64(batch.tensor_count, shape.tensor_count);
        CHECK_EQ_U64(batch.tensors[3].bytes, batch.rows * shape.row_bytes[3]);
        rows += batch.rows;
        CHECK_EQ_I64(biost_loader_release(loader, &batch), BIOST_OK);
    }
    CHECK_EQ_U64(rows, 2 * RECORDS);
    biost_loader_close(loader);
    end();
}

/* ---- by hand ---- */

/* Defaults: 256 rows of at most 1024 bases, one-hot u8, 4 slots, names of 128 bytes. No inputs are needed. */
TEST(shape, of_the_zero_desc_by_hand) {
    biost_loader_desc desc;
    biost_batch_shape shape;
    memset(&desc, 0, sizeof desc);
    CHECK_EQ_I64(biost_loader_shape(&desc, &shape, NULL), BIOST_OK);
    CHECK_EQ_U64(shape.rows, 256);
    CHECK_EQ_U64(shape.columns, 1024);
    CHECK_EQ_U64(shape.channels, 4);
    CHECK_EQ_U64(shape.tensor_count, 1);
    CHECK_EQ_U64(shape.offsets[0], 1024);
    CHECK_EQ_U64(shape.row_bytes[0], 4096);
    CHECK_EQ_U64(shape.slab_bytes, 1024 + 1048576);
    CHECK_EQ_U64(shape.slot_bytes, 1024 + 1048576);
    CHECK_EQ_U64(shape.slots, 4);
    CHECK_EQ_U64(shape.name_bytes, 0);
    CHECK_EQ_U64(shape.state_bytes, 512);
    CHECK(memcmp(shape.tensors[0].layout, "NLC", 4) == 0);
    desc.names = 1;
    desc.row_bases = 150; /* a multiple of 1 */
    desc.world = 64;
    CHECK_EQ_I64(biost_loader_shape(&desc, &shape, NULL), BIOST_OK);
    CHECK_EQ_U64(shape.name_bytes, 129);
    CHECK_EQ_U64(shape.columns, 150);
    CHECK_EQ_U64(shape.rows, 4);
    CHECK_EQ_U64(shape.lengths_bytes, 16);
    CHECK_EQ_U64(shape.slab_bytes, 256 + 2400);
    CHECK_EQ_U64(shape.slot_bytes, 256 + 2560);
    desc.row_bases = 0;
    desc.max_row_bases = 150; /* a multiple of 8 */
    CHECK_EQ_I64(biost_loader_shape(&desc, &shape, NULL), BIOST_OK);
    CHECK_EQ_U64(shape.columns, 152);
}

/* A state of three groups, two files of each open: 128 + 3 * 80 + 6 * 48. Of 9 files of one group: 128 + 80 + 9 * 48. */
TEST(shape, resume_states_by_hand) {
    biost_memory inputs[9];
    biost_group three[3];
    biost_loader_desc desc;
    biost_batch_shape shape;
    uint32_t i;
    begin();
    desc = fresh();
    memset(three, 0, sizeof three);
    for (i = 0; i < 9; ++i) {
        inputs[i] = memories[0];
        three[i / 3].first_input = i / 3 * 3;
        three[i / 3].input_count = 3;
        three[i / 3].weight = 1;
    }
    desc.memories = inputs;
    desc.memory_count = 9;
    desc.open_files = 8;
    CHECK_EQ_I64(biost_loader_shape(&desc, &shape, NULL), BIOST_OK);
    CHECK_EQ_U64(shape.state_bytes, 512);
    desc.open_files = 9;
    CHECK_EQ_I64(biost_loader_shape(&desc, &shape, NULL), BIOST_OK);
    CHECK_EQ_U64(shape.state_bytes, 640);
    desc.groups = three;
    desc.group_count = 3;
    desc.open_files = 2;
    CHECK_EQ_I64(biost_loader_shape(&desc, &shape, NULL), BIOST_OK);
    CHECK_EQ_U64(shape.state_bytes, 656);
    end();
}

/* ---- slots ---- */

static struct {
    uint32_t calls;
    size_t bytes;
} asked;

static void *counted_alloc(size_t bytes, size_t align, void *user_data) {
    void *memory = NULL;
    (void)user_data;
    ++asked.calls;
    asked.bytes = bytes;
    CHECK(align == 256);
    return posix_memalign(&memory, 256, bytes) == 0 ? memory : NULL;
}

static void counted_free(void *memory, size_t bytes, void *user_data) {
    (void)user_data;
    CHECK_EQ_U64(bytes, asked.bytes);
    free(memory);
}

/* desc.slot_allocator is asked for `slots` times slot_bytes, and for nothing else. */
TEST(shape, slots_are_what_is_asked_for) {
    biost_loader_desc desc;
    biost_batch_shape shape;
    biost_loader *loader;
    uint32_t slots;
    begin();
    for (slots = 0; slots < 6; slots += 5) {
        desc = fresh();
        desc.slots = slots;
        desc.slot_allocator.alloc = counted_alloc;
        desc.slot_allocator.free = counted_free;
        (void)set_labels(&desc, 10);
        memset(&asked, 0, sizeof asked);
        CHECK_EQ_I64(biost_loader_shape(&desc, &shape, NULL), BIOST_OK);
        CHECK_EQ_U64(asked.calls, 0);
        CHECK_EQ_U64(shape.slots, slots > 0 ? slots : 4);
        REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
        CHECK_EQ_U64(asked.calls, shape.slots);
        CHECK_EQ_U64(asked.bytes, shape.slot_bytes);
        biost_loader_close(loader);
    }
    end();
}

/* ---- refusals ---- */

static int is_zero(const void *memory, size_t bytes) {
    const uint8_t *at = (const uint8_t *)memory;
    while (bytes > 0 && at[bytes - 1] == 0) {
        --bytes;
    }
    return bytes == 0;
}

static void spoil(biost_loader_desc *desc, uint32_t which) {
    static const char *const no_path[] = {NULL};
    switch (which) {
    case 0: desc->batch_rows = 1048577; break;
    case 1: desc->world = 3; break;
    case 2: desc->encoding.dtype = BIOST_DTYPE_I64; break;
    case 3: desc->labels.kind = BIOST_LABEL_GROUP; break;
    case 4: desc->labels.kind = BIOST_LABEL_REGION; break;
    case 5: desc->group_count = 1; break;
    case 6:
        desc->groups = groups;
        desc->group_count = 1;
        break;
    case 7:
        desc->paths = no_path;
        desc->path_count = 1;
        break;
    case 8:
        desc->memory_count = 0;
        desc->paths = no_path;
        desc->path_count = 1;
        break;
    case 9: desc->shuffle_rows = UINT32_MAX; break;
    case 10: desc->filter.min_mean_quality = -1; break;
    case 11: desc->slot_allocator.alloc = counted_alloc; break;
    case 12: desc->store = store; break;
    default: desc->quality.in_x = 1; break;
    }
}

/* The sentence of open, whatever is wrong; then nothing is left in *out_shape. */
TEST(shape, refuses_what_open_refuses) {
    biost_batch_shape shape;
    biost_error said, told;
    biost_loader_desc desc;
    biost_loader *loader;
    uint32_t i;
    begin();
    for (i = 0; i < 14; ++i) {
        desc = fresh();
        spoil(&desc, i);
        test_note("desc %u", (unsigned)i);
        memset(&shape, 0xA5, sizeof shape);
        CHECK_EQ_I64(biost_loader_open(&desc, &loader, &told), BIOST_ERR_ARG);
        CHECK_EQ_I64(biost_loader_shape(&desc, &shape, &said), BIOST_ERR_ARG);
        CHECK_STR(said.text, told.text);
        CHECK_EQ_I64(said.fault, told.fault);
        CHECK(is_zero(&shape, sizeof shape));
        CHECK(biost_loader_memory(&desc) == UINT64_MAX);
        CHECK_EQ_U64(biost_loader_state_bytes(&desc), 0);
    }
    desc = fresh();
    CHECK_EQ_I64(biost_loader_shape(NULL, &shape, &said), BIOST_ERR_ARG);
    CHECK_STR(said.text, "desc is NULL");
    CHECK_EQ_I64(biost_loader_shape(&desc, NULL, &said), BIOST_ERR_ARG);
    CHECK_STR(said.text, "out_shape is NULL");
    CHECK_EQ_I64(biost_loader_shape(&desc, &shape, &said), BIOST_OK);
    CHECK(is_zero(&said, sizeof said));
    end();
}
