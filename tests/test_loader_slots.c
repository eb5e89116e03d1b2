/*
 * test_loader_slots.c - the memory of batches: where the arrays of a slot lie, for one copy of them all, and the
 * allocator of their own.
 *
 * rooms: batches rows
 * needs: loader threads library orders
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

/* Three numbers of four bytes: the record's bases, three times. */
static int three_lengths(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    int32_t *label = (int32_t *)out_label;
    (void)id;
    (void)user_data;
    label[0] = label[1] = label[2] = (int32_t)record->seq_bases;
    return 1;
}

/* Batches of 3 rows with every tensor: x one-hot u8, quality f32, mask u8, labels i32 [3]. */
static void every_tensor(biost_loader_desc *desc) {
    desc->batch_rows = 3;
    desc->quality.kind = BIOST_QUALITY_PHRED;
    desc->quality.dtype = BIOST_DTYPE_F32;
    desc->mask = 1;
    desc->labels.make = three_lengths;
    desc->labels.dtype = BIOST_DTYPE_I32;
    desc->labels.width = 3;
    desc->names = 1;
}

/* Records of these numbers of bases. */
static void records_of(one_text *one, const uint32_t *bases, uint32_t count) {
    uint32_t i;
    bytes text = {NULL, 0, 0};
    for (i = 0; i < count; ++i) {
        uint64_t random = i;
        text_shape shape = {1, 0, 0, 0, 0, 0, 0, 0};
        shape.min_bases = shape.max_bases = bases[i];
        text_make(&text, &shape, &random);
    }
    memset(one, 0, sizeof *one);
    one->text = text;
    oracle_inputs(&one->desc, &one->memory, &one->text, 1);
    one->desc.workers = 1;
}

/* The place of an array in the slab. */
static uint64_t place_of(const biost_batch *batch, const void *array) {
    return (uint64_t)((uintptr_t)array - (uintptr_t)batch->slab);
}

/*
 * Columns are the longest row rounded up to 8. The arrays of 3 rows, one after the other at multiples of 256:
 *
 *     longest  columns   x: 12 x columns  quality: 12 x columns  mask: 3 x columns  labels: 36  end
 *           1        8   256 + 96         512 + 96               768 + 24           1024          1060
 *          40       40   256 + 480        768 + 480              1280 + 120         1536          1572
 *          17       24   256 + 288        768 + 288              1280 + 72          1536          1572
 *         100      104   256 + 1248       1536 + 1248            2816 + 312         3328          3364
 */
TEST(slots, arrays_lie_close_for_any_columns) {
    static const uint32_t bases[] = {1, 0, 1, 40, 2, 3, 17, 16, 15, 4, 100, 5};
    static const uint64_t places[4][5] = {{8, 512, 768, 1024, 1060},
                                          {40, 768, 1280, 1536, 1572},
                                          {24, 768, 1280, 1536, 1572},
                                          {104, 1536, 2816, 3328, 3364}};
    uint32_t slots, i;
    one_text one;
    records_of(&one, bases, 12);
    every_tensor(&one.desc);
    for (slots = 1; slots <= 4; ++slots) {
        biost_loader *loader;
        biost_batch batch;
        counted count;
        one.desc.slots = slots;
        one.desc.slot_allocator = counted_allocator(&count);
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL);
        CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
        for (i = 0; i < 4; ++i) {
            test_note("slots %u, batch %u", (unsigned)slots, (unsigned)i);
            REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
            CHECK_EQ_I64(batch.x.shape[1], (int64_t)places[i][0]);
            CHECK_EQ_U64(place_of(&batch, batch.lengths), 0);
            CHECK_EQ_U64(place_of(&batch, batch.tensors[0].data), 256);
            CHECK_EQ_U64(place_of(&batch, batch.tensors[1].data), places[i][1]);
            CHECK_EQ_U64(place_of(&batch, batch.tensors[2].data), places[i][2]);
            CHECK_EQ_U64(place_of(&batch, batch.tensors[3].data), places[i][3]);
            CHECK_EQ_U64(batch.slab_bytes, places[i][4]);
            CHECK_EQ_U64((uintptr_t)batch.slab % 256, 0);
            oracle_check_slab(&batch);
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        CHECK(biost_loader_next(loader, &batch) == BIOST_END);
        CHECK(batch.slab == NULL && batch.slab_bytes == 0);
        biost_loader_close(loader);
        CHECK_EQ_U64(count.blocks, 0);
    }
    bytes_free(&one.text);
}

/* Origins and names, which people read back, are not there: slot memory may be slow to read. */
TEST(slots, only_what_a_model_needs_lies_there) {
    static const uint32_t bases[] = {20, 20, 20};
    biost_loader *loader;
    biost_batch batch;
    uint8_t *slab;
    one_text one;
    records_of(&one, bases, 3);
    every_tensor(&one.desc);
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL);
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
    REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
    slab = (uint8_t *)batch.slab;
    /* A block holds 256 + 2 x 12288 + 3072 + 256 bytes: 1024 columns at most. */
    CHECK((const uint8_t *)batch.origins < slab || (const uint8_t *)batch.origins >= slab + 28160);
    CHECK((const uint8_t *)batch.names < slab || (const uint8_t *)batch.names >= slab + 28160);
    CHECK((const uint8_t *)batch.name_offsets < slab || (const uint8_t *)batch.name_offsets >= slab + 28160);
    biost_loader_close(loader);
    bytes_free(&one.text);
}

/*
 * A short last batch in memory nobody has written yet, filled with 0xA5 by the allocator: what it leaves out is
 * zero, whether rows come from cells or straight from a page, and also where it has no row at all.
 */
TEST(slots, short_batches_leave_zeros) {
    uint32_t i, seen = 0;
    for (i = 0; i < 24; ++i) {
        static const uint32_t bases[] = {20, 7, 20, 11, 20};
        one_text one;
        biost_loader *loader;
        biost_batch batch;
        counted count;
        records_of(&one, bases, 1 + i % 5);
        every_tensor(&one.desc);
        one.desc.batch_rows = 4;
        one.desc.tail = BIOST_TAIL_SHORT;
        one.desc.row_bases = i % 2 == 0 ? 20 : 0;
        one.desc.world = i % 3 == 0 ? 2 : 1;
        one.desc.rank = i % 3 == 0 ? i / 3 % 2 : 0;
        one.desc.slot_allocator = counted_allocator(&count);
        test_note("case %u", (unsigned)i);
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL);
        CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            oracle_check_slab(&batch);
            seen |= batch.flags & BIOST_BATCH_SHORT ? 1u << batch.rows : 0;
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        biost_loader_close(loader);
        CHECK_EQ_U64(count.blocks, 0);
        bytes_free(&one.text);
    }
    CHECK_EQ_U64(seen, 0xF); /* short ones of 0, 1, 2 and 3 rows */
}

/* ---- the allocator of slots ---- */

/* What was asked for, call by call. */
typedef struct asked {
    counted count;
    size_t wanted[8], align[8];
} asked;

static void *asked_alloc(size_t wanted, size_t align, void *user_data) {
    asked *a = (asked *)user_data;
    if (a->count.calls < 8) {
        a->wanted[a->count.calls] = wanted;
        a->align[a->count.calls] = align;
    }
    return counted_alloc(wanted, align, &a->count);
}

static void asked_free(void *memory, size_t given, void *user_data) {
    counted_free(memory, given, &((asked *)user_data)->count);
}

/*
 * One block a slot. With row_bases 0 for rows of 1024 columns, max_row_bases' default: 3 lengths are 256 bytes, x
 * and quality 3 x 1024 x 4 each, the mask 3 x 1024, labels 256: 28160. With row_bases 20 it is 256 + 256 + 256 +
 * 256 + 256 = 1280: 240, 240, 60 and 36 bytes.
 */
TEST(slots, one_block_each_from_their_allocator) {
    static const uint32_t bases[] = {20, 7, 20, 11, 20};
    uint32_t i, k;
    one_text one;
    THREADS_KEPT;
    records_of(&one, bases, 5);
    every_tensor(&one.desc);
    for (i = 0; i < 6; ++i) {
        uint32_t slots = 1 + i / 2;
        size_t expected = i % 2 == 0 ? 28160 : 1280;
        uint64_t bound;
        counted rest;
        asked a;
        memset(&a, 0, sizeof a);
        counted_begin(&a.count);
        one.desc.slots = slots;
        one.desc.row_bases = i % 2 == 0 ? 0 : 20;
        memset(&one.desc.slot_allocator, 0, sizeof one.desc.slot_allocator);
        bound = biost_loader_memory(&one.desc);
        one.desc.allocator = counted_allocator(&rest);
        one.desc.slot_allocator.alloc = asked_alloc;
        one.desc.slot_allocator.free = asked_free;
        one.desc.slot_allocator.user_data = &a;
        CHECK_EQ_U64(biost_loader_memory(&one.desc), bound); /* of both together */
        test_note("case %u", (unsigned)i);
        digest_epoch(&one.desc, 0);
        CHECK_EQ_U64(a.count.calls, slots);
        for (k = 0; k < slots; ++k) {
            CHECK_EQ_U64(a.wanted[k], expected);
            CHECK_EQ_U64(a.align[k], 256);
        }
        CHECK_EQ_U64(a.count.peak_bytes, slots * expected);
        CHECK(a.count.peak_bytes + rest.peak_bytes <= bound);
        CHECK_EQ_U64(a.count.blocks, 0);
        CHECK_EQ_U64(a.count.now_bytes, 0);
        CHECK_EQ_U64(rest.blocks, 0);
    }
    bytes_free(&one.text);
}

/* Each of its calls fails in its turn: the size is in the sentence, and nothing is left of either allocator's. */
TEST(slots, each_of_its_calls_fails) {
    static const uint32_t bases[] = {20, 7};
    uint64_t n;
    one_text one;
    records_of(&one, bases, 2);
    every_tensor(&one.desc);
    one.desc.row_bases = 20;
    one.desc.slots = 3;
    for (n = 1; n <= 4; ++n) {
        biost_loader *loader = NULL;
        biost_error error;
        counted rest, count;
        biost_result result;
        one.desc.allocator = counted_allocator(&rest);
        one.desc.slot_allocator = counted_allocator(&count);
        count.fail_at = n;
        test_note("call %u", (unsigned)n);
        result = biost_loader_open(&one.desc, &loader, &error);
        CHECK(result == (n <= 3 ? BIOST_ERR_NOMEM : BIOST_OK));
        CHECK((loader == NULL) == (n <= 3));
        if (n <= 3) {
            CHECK(error.fault == BIOST_FAULT_MEMORY);
            CHECK_STR(error.text, "out of memory: 1280 bytes were refused");
        }
        biost_loader_close(loader);
        CHECK_EQ_U64(count.blocks, 0);
        CHECK_EQ_U64(rest.blocks, 0);
    }
    bytes_free(&one.text);
}

/* biost_loader_get_desc: 0 = allocator, also where that is 0. */
TEST(slots, resolved_says_which_allocator) {
    static const uint32_t bases[] = {20};
    biost_loader_desc got;
    biost_loader *loader;
    counted rest, count;
    one_text one;
    records_of(&one, bases, 1);
    memset(&got, 0xEE, sizeof got);
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL);
    biost_loader_get_desc(loader, &got);
    CHECK(got.slot_allocator.alloc == NULL && got.slot_allocator.free == NULL);
    biost_loader_close(loader);
    one.desc.allocator = counted_allocator(&rest);
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL);
    biost_loader_get_desc(loader, &got);
    CHECK(got.slot_allocator.alloc == counted_alloc && got.slot_allocator.user_data == &rest);
    biost_loader_close(loader);
    one.desc.slot_allocator = counted_allocator(&count);
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL);
    biost_loader_get_desc(loader, &got);
    CHECK(got.slot_allocator.alloc == counted_alloc && got.slot_allocator.user_data == &count);
    biost_loader_close(loader);
    CHECK_EQ_U64(rest.blocks, 0);
    CHECK_EQ_U64(count.blocks, 0);
    bytes_free(&one.text);
}
