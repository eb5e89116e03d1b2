/*
 * test_shapes.c - rows of about one length: batches of columns drawn as tests/oracle_shapes.py drew them, which printed
 * shape_vectors.h; however many tasks sort them, and whatever a filter leaves out.
 *
 * rooms: shapes
 * needs: loader stores
 */
#include "white.h"
#include "test.h"
#include "xxh64.h"

#include "shape_cases.h"

#define BUCKET_MOST 9000u

/* A store of lengths alone, sorted into classes. */
typedef struct bucket_rig {
    uint32_t lengths[BUCKET_MOST + 1]; /* eight bytes are read of each */
    uint32_t members[BUCKET_MOST];
    uint64_t bits[BUCKET_MOST / 64 + 1];
    bsi_tables tables;
    bsi_picks picks;
    biost_loader_desc desc;
    bsi_shapes_buckets buckets;
    bsi_shapes_tally tallies[7];
    char words[BSI_PICKS_WORDS];
} bucket_rig;

/* The desc of a case with its defaults; widths lie in the case. */
static bucket_rig *bucket_open(const shape_case *of) {
    bucket_rig *rig = (bucket_rig *)(void *)test_copy(NULL, sizeof *rig);
    bsi_picks_wish wish;
    memset(rig, 0, sizeof *rig);
    memset(&wish, 0, sizeof wish);
    rig->desc.shape.kind = BIOST_SHAPE_BUCKETS;
    rig->desc.shape.batch_tokens = of->batch_tokens;
    rig->desc.shape.growth = of->growth;
    rig->desc.shape.rows_multiple = of->rows_multiple;
    rig->desc.shape.widths = of->width_count > 0 ? of->widths : NULL;
    rig->desc.shape.width_count = of->width_count;
    rig->desc.row_bases = of->row_bases;
    rig->desc.pad_multiple = of->pad_multiple;
    rig->desc.order = of->order ? BIOST_ORDER_EXACT : BIOST_ORDER_FILE;
    rig->desc.tail = (biost_tail_mode)of->tail;
    rig->desc.seed = of->seed;
    bsi_fields_resolve_loader(&rig->desc);
    rig->tables.head.records = of->drawn[0];
    rig->tables.columns[BSI_TABLES_OF_BASES] = bsi_tables_column_of((const uint8_t *)rig->lengths, 4);
    shape_draw(of->drawn, rig->lengths);
    wish.tables = &rig->tables;
    wish.order = rig->desc.order;
    wish.shown.row_bases = UINT32_MAX;
    bsi_picks_begin(&rig->picks, &wish, NULL);
    rig->buckets.picks = &rig->picks;
    rig->buckets.desc = &rig->desc;
    rig->buckets.members = rig->members;
    return rig;
}

/* Sort the candidates by so many tasks. Returns what is wrong. */
static const char *bucket_sort(bucket_rig *rig, uint32_t tasks) {
    const uint64_t units = rig->picks.units;
    const char *wrong = NULL;
    for (int round = BSI_SHAPES_MEASURE; round <= BSI_SHAPES_FILL && wrong == NULL; round++) {
        for (uint32_t i = 0; i < tasks; i++) {
            bsi_shapes_go_over(&rig->buckets, (bsi_shapes_round)round, units * i / tasks,
                               units * (i + 1) / tasks, &rig->tallies[i]);
        }
        if (round == BSI_SHAPES_MEASURE) {
            wrong = bsi_shapes_make_classes(&rig->buckets, rig->tallies, tasks, rig->words);
        } else if (round == BSI_SHAPES_COUNT) {
            bsi_shapes_place_members(&rig->buckets, rig->tallies, tasks);
        }
    }
    return wrong;
}

/* Append an epoch's batches from one on to `numbers` as the oracle does. Returns how many there are. */
static size_t bucket_numbers(bucket_rig *rig, uint64_t first_batch, uint32_t *numbers) {
    size_t count = 0;
    for (uint64_t b = first_batch; b < rig->buckets.batch_count; b++) {
        const bsi_order_batch cut = bsi_shapes_batch(&rig->buckets, b);
        CHECK_EQ_U64(cut.is_last, b + 1 == rig->buckets.batch_count && rig->buckets.tail_dropped == 0);
        CHECK((uint64_t)cut.full_rows * cut.columns <= rig->desc.shape.batch_tokens);
        CHECK(cut.full_rows >= cut.rows && cut.full_rows % rig->desc.shape.rows_multiple == 0);
        numbers[count++] = cut.columns;
        numbers[count++] = rig->desc.tail == BIOST_TAIL_PAD ? cut.full_rows : cut.rows;
        numbers[count++] = cut.rows;
        for (uint32_t row = 0; row < cut.rows;) {
            uint64_t some[BSI_ORDER_WAYS];
            const uint32_t n = BSI_MIN(cut.rows - row, 1 + (row + (uint32_t)b) % BSI_ORDER_WAYS);
            bsi_shapes_candidates(&rig->buckets, cut.first + row, n, some);
            for (uint32_t i = 0; i < n; i++) {
                numbers[count++] = 1;
                numbers[count++] = (uint32_t)some[i];
            }
            row += n;
        }
    }
    return count;
}

TEST(shapes, buckets_like_the_oracle) {
    uint32_t *numbers = (uint32_t *)(void *)test_copy(NULL, 8 * BUCKET_MOST * sizeof(uint32_t)), tried = 0;
    for (size_t c = 0; c < sizeof shape_cases / sizeof shape_cases[0]; c++) {
        const shape_case *of = &shape_cases[c];
        if (of->kind == 1) {
            bucket_rig *rig = bucket_open(of);
            CHECK(bucket_sort(rig, 1 + (uint32_t)c % 7) == NULL);
            bsi_shapes_begin_epoch(&rig->buckets, of->epoch);
            CHECK_EQ_U64(rig->buckets.batch_count, of->batches);
            shape_check(of, numbers, bucket_numbers(rig, of->first_batch, numbers));
            tried++;
            free(rig);
        }
    }
    CHECK(tried > 40);
    free(numbers);
}

/* By hand: columns 16 24 32 40 16 40, of which 24 and 40 are left out. Widths by growth 1.5 down from 40: 24, 16. */
TEST(shapes, buckets_of_what_passes) {
    static const uint32_t lengths[6] = {10, 20, 30, 40, 9, 33};
    shape_case of = {0};
    bucket_rig *rig;
    uint64_t some[3];
    bsi_order_batch cut;
    of.growth = 1500000;
    of.batch_tokens = 80;
    of.drawn[0] = 6;
    of.drawn[1] = of.drawn[2] = 1;
    rig = bucket_open(&of);
    memcpy(rig->lengths, lengths, sizeof lengths);
    rig->bits[0] = 1u | 4u | 16u | 32u;
    rig->picks.bits = rig->bits;
    CHECK(bucket_sort(rig, 2) == NULL);
    CHECK_EQ_U64(rig->buckets.class_count, 3);
    CHECK_EQ_U64(rig->buckets.classes[0].columns, 16);
    CHECK_EQ_U64(rig->buckets.classes[0].rows, 5);
    CHECK_EQ_U64(rig->buckets.classes[1].columns, 24);
    CHECK_EQ_U64(rig->buckets.classes[2].columns, 40);
    CHECK_EQ_U64(rig->buckets.classes[2].rows, 2);
    CHECK_EQ_U64(rig->buckets.batch_count, 2); /* nothing is 24 wide */
    cut = bsi_shapes_batch(&rig->buckets, 1);
    CHECK_EQ_U64(cut.columns, 40);
    CHECK_EQ_U64(cut.rows, 2);
    bsi_shapes_candidates(&rig->buckets, cut.first, 2, some);
    CHECK_EQ_U64(some[0], 2);
    CHECK_EQ_U64(some[1], 5);
    free(rig);
}

/* What is wrong is known once all are measured. */
TEST(shapes, buckets_that_are_none) {
    shape_case of = {0};
    bucket_rig *rig;
    of.drawn[0] = 100;
    of.drawn[1] = 1;
    of.drawn[2] = 400;
    of.drawn[3] = 1;
    of.batch_tokens = 3199;
    of.rows_multiple = 8;
    of.row_bases = 400;
    rig = bucket_open(&of);
    CHECK_STR(bucket_sort(rig, 3), "desc.shape.batch_tokens is 3199, and 8 rows of 400 columns need 3200");
    free(rig);
    of.batch_tokens = 3200;
    rig = bucket_open(&of);
    CHECK(bucket_sort(rig, 3) == NULL);
    free(rig);
    of.growth = 1000001;
    of.pad_multiple = 1;
    rig = bucket_open(&of); /* 400, 399, 398, ... */
    CHECK_STR(bucket_sort(rig, 3), "desc.shape.growth is 1000001, which makes more than 256 widths");
    free(rig);
    of.row_bases = of.drawn[2] = 256;
    rig = bucket_open(&of);
    rig->lengths[0] = 1;
    CHECK(bucket_sort(rig, 3) == NULL);
    CHECK_EQ_U64(rig->buckets.class_count, 256);
    CHECK_EQ_U64(rig->buckets.classes[0].columns, 1);
    free(rig);
}
