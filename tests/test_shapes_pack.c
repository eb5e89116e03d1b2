/*
 * test_shapes_pack.c - samples that share rows: batches of columns drawn as tests/oracle_shapes.py drew them, which
 * printed shape_vectors.h, and windows against trying all rows for each sample.
 *
 * rooms: shapes
 * needs: loader stores
 */
#include "white.h"
#include "test.h"
#include "xxh64.h"

#include "shape_cases.h"

#define PACK_MOST 9000

/* A store of lengths alone, packed. */
typedef struct pack_rig {
    uint32_t lengths[PACK_MOST + 1]; /* eight bytes are read of each */
    bsi_tables tables;
    bsi_picks picks;
    bsi_picks_keys keys;
    biost_loader_desc desc;
    uint64_t epoch;
    bsi_shapes_packing packing;
    bsi_shapes_cursor cursor;
    uint32_t samples[PACK_MOST];
    uint64_t rows[64]; /* sums of the rows of windows, and their hints */
} pack_rig;

static pack_rig *rig_of(uint32_t count, uint32_t row_bases, biost_order order, uint64_t seed,
                        uint64_t epoch) {
    pack_rig *rig = (pack_rig *)(void *)test_copy(NULL, sizeof *rig);
    bsi_picks_wish wish;
    memset(rig, 0, sizeof *rig);
    memset(&wish, 0, sizeof wish);
    rig->tables.head.records = count;
    rig->tables.columns[BSI_TABLES_OF_BASES] = bsi_tables_column_of((const uint8_t *)rig->lengths, 4);
    wish.tables = &rig->tables;
    wish.order = order;
    wish.shown.row_bases = row_bases;
    bsi_picks_begin(&rig->picks, &wish, NULL);
    bsi_picks_make_keys(&rig->keys, seed, epoch, 0, 0);
    rig->desc.seed = seed;
    rig->desc.order = order;
    rig->desc.row_bases = row_bases;
    rig->desc.pad_multiple = 1;
    rig->desc.shape.pack_samples = 256;
    rig->packing.picks = &rig->picks;
    rig->packing.desc = &rig->desc;
    rig->packing.memory = rig->rows;
    rig->epoch = epoch;
    rig->packing.samples = rig->samples;
    rig->cursor.row = UINT64_MAX;
    return rig;
}

/* Pack all windows, the last one first. Returns the sum of their rows. */
static uint64_t pack(pack_rig *rig) {
    uint64_t w = bsi_shapes_begin_windows(&rig->packing, &rig->keys, rig->epoch);
    for (; w > 0; w--) {
        bsi_shapes_pack(&rig->packing, w - 1);
    }
    return bsi_picks_sums_end(&rig->packing.rows);
}

/* Append an epoch's batches from one on to `numbers` as the oracle does. Returns how many there are. */
static size_t numbers_of(pack_rig *rig, const shape_case *of, uint64_t rows, uint32_t *numbers) {
    size_t count = 0;
    for (uint64_t b = of->first_batch; b < of->batches; b++) {
        const uint64_t first = b * of->batch_rows, m = BSI_MIN(rows - first, of->batch_rows);
        numbers[count++] = rig->desc.row_bases;
        numbers[count++] = of->tail == 0 ? of->batch_rows : (uint32_t)m; /* PAD */
        numbers[count++] = (uint32_t)m;
        for (uint64_t row = first; row < first + m; row++) {
            uint64_t at;
            uint32_t n, columns = 0;
            bsi_shapes_seek(&rig->packing, row, &rig->cursor);
            at = rig->cursor.sample;
            CHECK(rig->samples[at] & BSI_SHAPES_FIRST);
            bsi_shapes_seek(&rig->packing, row + 1, &rig->cursor);
            numbers[count++] = n = (uint32_t)(rig->cursor.sample - at);
            for (uint32_t i = 0; i < n; i++) {
                const uint32_t candidate = rig->samples[at + i] & ~BSI_SHAPES_FIRST;
                columns += (uint32_t)bsi_cpu_round_up(rig->lengths[candidate], rig->desc.pad_multiple);
                numbers[count++] = candidate;
            }
            CHECK(columns <= rig->desc.row_bases);
        }
    }
    return count;
}

TEST(shapes, packed_like_the_oracle) {
    uint32_t *numbers = (uint32_t *)(void *)test_copy(NULL, 8 * PACK_MOST * sizeof(uint32_t)), tried = 0;
    for (size_t c = 0; c < sizeof shape_cases / sizeof shape_cases[0]; c++) {
        const shape_case *of = &shape_cases[c];
        const uint32_t multiple = of->pad_multiple > 0 ? of->pad_multiple : 1;
        pack_rig *rig;
        uint64_t rows;
        size_t count;
        if (of->kind != 2) {
            continue;
        }
        rig = rig_of(of->drawn[0], (of->row_bases + multiple - 1) / multiple * multiple,
                     of->order ? BIOST_ORDER_EXACT : BIOST_ORDER_FILE, of->seed, of->epoch);
        rig->desc.pad_multiple = multiple;
        rig->desc.shape.pack_samples = of->pack_samples > 0 ? of->pack_samples : 256;
        shape_draw(of->drawn, rig->lengths);
        rows = pack(rig);
        CHECK_EQ_U64(of->tail == 2 ? rows / of->batch_rows : (rows + of->batch_rows - 1) / of->batch_rows,
                     of->batches);
        count = numbers_of(rig, of, rows, numbers);
        shape_check(of, numbers, count);
        tried++;
        free(rig);
    }
    CHECK(tried > 40);
    free(numbers);
}

/* The rows of a window in which each sample in its turn tries them all, as the definition says it. */
static uint32_t rows_by_trying(const pack_rig *rig, uint32_t count, uint32_t *out_row_of) {
    uint32_t room[400], samples[400], rows = 0, turn, i;
    uint8_t done[400] = {0};
    for (turn = 0; turn < count; turn++) {
        uint32_t next = UINT32_MAX, best = UINT32_MAX, n;
        for (i = 0; i < count; i++) {
            if (!done[i] && (next == UINT32_MAX || rig->lengths[i] > rig->lengths[next])) {
                next = i;
            }
        }
        done[next] = 1;
        n = (uint32_t)bsi_cpu_round_up(rig->lengths[next], rig->desc.pad_multiple);
        for (i = 0; i < rows; i++) {
            if (room[i] >= n && samples[i] < rig->desc.shape.pack_samples &&
                (best == UINT32_MAX || room[i] < room[best])) {
                best = i;
            }
        }
        if (best == UINT32_MAX) {
            best = rows++;
            room[best] = rig->desc.row_bases;
            samples[best] = 0;
        }
        room[best] -= n;
        samples[best]++;
        out_row_of[next] = best;
    }
    return rows;
}

/* Few columns, so that most rooms are alike, some of them 0, and records without a base among them. */
TEST(shapes, packed_by_trying_all) {
    uint32_t by_trying[400], rows;
    for (uint32_t seed = 1; seed <= 200; seed++) {
        const uint32_t count = 1 + seed * 7 % 400, most = seed % 3 == 0 ? 70000 : 2 + seed % 60;
        const uint32_t drawn[4] = {count, seed % 2, most, seed};
        pack_rig *rig = rig_of(count, most + seed % 40, BIOST_ORDER_FILE, 0, 0);
        rig->desc.shape.pack_samples = seed % 5 == 0 ? 1 + seed % 4 : 256;
        shape_draw(drawn, rig->lengths);
        rows = rows_by_trying(rig, count, by_trying);
        CHECK_EQ_U64(pack(rig), rows);
        for (uint32_t i = 0, row = 0; row < rows; row++) { /* of each in order, as FILE has them */
            for (uint32_t sample = 0, found = 0; sample < count; sample++) {
                if (by_trying[sample] == row) {
                    CHECK_EQ_U64(rig->samples[i++], found++ == 0 ? sample | BSI_SHAPES_FIRST : sample);
                }
            }
        }
        free(rig);
    }
}
