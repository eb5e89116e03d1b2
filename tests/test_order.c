/*
 * test_order.c - the shuffle buffer against its definition, an array and one loop:
 *
 *     s < W     s takes cell s
 *     s >= W    the sample in the cell drawn goes out, s takes it
 *     end       what is left goes out in ascending order of (tie, s)
 *
 * and slices of ranks and pieces of records against counting.
 *
 * rooms: order
 * needs: loader
 */
#include "white.h"
#include "test.h"
#include "draws.h"

typedef void draw_rule(uint64_t seed, uint64_t s, uint32_t cells, uint32_t cell_tie[2]);

/* A sample in the definition's array. */
typedef struct order_held {
    uint64_t s;
    uint32_t tie;
} order_held;

static int compare_held(const void *a, const void *b) {
    const order_held *x = (const order_held *)a, *y = (const order_held *)b;
    if (x->tie != y->tie) {
        return x->tie < y->tie ? -1 : 1;
    }
    return x->s < y->s ? -1 : x->s > y->s;
}

/* The definition. The caller frees. */
static uint64_t *defined_order(draw_rule *draw, uint64_t seed, uint32_t n, uint32_t cells) {
    uint64_t *out = (uint64_t *)(void *)test_copy(NULL, n * sizeof(uint64_t));
    uint32_t held_count = cells < n ? cells : n, count = 0;
    order_held *held = (order_held *)(void *)test_copy(NULL, held_count * sizeof(order_held));
    for (uint32_t s = 0; s < n; s++) {
        uint32_t cell_tie[2], j;
        draw(seed, s, cells, cell_tie);
        j = s < cells ? s : cell_tie[0];
        if (s >= cells) {
            out[count++] = held[j].s;
        }
        held[j].s = s;
        held[j].tie = cell_tie[1];
    }
    qsort(held, held_count, sizeof held[0], compare_held);
    for (uint32_t i = 0; i < held_count; i++) {
        out[count++] = held[i].s;
    }
    free(held);
    return out;
}

/* What the loader does with a buffer, from a sample on. */
typedef struct stream {
    bsi_order order;
    uint64_t *out, *times; /* [n] the samples that went out, and which sample was next then */
    uint32_t out_count, most_pending, pending;
} stream;

static void stream_open(stream *t, uint32_t n, uint32_t cells) {
    memset(t, 0, sizeof *t);
    t->order.cell_count = cells;
    t->order.cells = (bsi_order_cell *)(void *)test_copy(NULL, cells * sizeof(bsi_order_cell));
    t->out = (uint64_t *)(void *)test_copy(NULL, n * sizeof(uint64_t));
    t->times = (uint64_t *)(void *)test_copy(NULL, n * sizeof(uint64_t));
    bsi_order_begin(&t->order);
}

static void stream_close(stream *t) {
    free(t->order.cells);
    free(t->out);
    free(t->times);
}

static void stream_put_out(stream *t, uint64_t s, uint64_t time) {
    t->out[t->out_count] = s;
    t->times[t->out_count++] = time;
    --t->pending;
}

/* Samples [from, n); rows of those before `gone` went out before. Returns 0 where an empty cell should put one
   out. */
static int stream_run_from(stream *t, draw_rule *draw, uint64_t seed, uint32_t n, uint32_t from,
                           uint32_t gone) {
    uint32_t cells = t->order.cell_count, s, i;
    for (s = from; s < n; s++) {
        uint32_t cell_tie[2];
        bsi_order_cell *cell;
        draw(seed, s, cells, cell_tie);
        cell = bsi_order_cell_of(&t->order, s, cell_tie[0]);
        if (s >= cells && s >= gone) {
            if (cell->stowed == BSI_ORDER_NONE) {
                return 0;
            }
            stream_put_out(t, cell->sample, s);
        } else if (cell->stowed != BSI_ORDER_NONE) {
            --t->pending;
        }
        cell->sample = s;
        cell->tie = cell_tie[1];
        cell->stowed = s * 3;
        ++t->pending;
        t->most_pending = t->pending > t->most_pending ? t->pending : t->most_pending;
    }
    CHECK_EQ_U64(bsi_order_sort(&t->order), n < cells ? n : cells);
    for (i = 0; i < n && i < cells; i++) {
        if (!CHECK_EQ_U64(t->order.cells[i].stowed, t->order.cells[i].sample * 3)) {
            return 0;
        }
        stream_put_out(t, t->order.cells[i].sample, n);
    }
    return 1;
}

static int stream_run(stream *t, draw_rule *draw, uint64_t seed, uint32_t n) {
    return stream_run_from(t, draw, seed, n, 0, 0);
}

/* One run against the definition. */
static void check_run(draw_rule *draw, uint64_t seed, uint32_t n, uint32_t cells) {
    uint64_t *expected = defined_order(draw, seed, n, cells);
    uint32_t i;
    stream t;
    stream_open(&t, n, cells);
    test_note("n %u, %u cells", n, cells);
    if (CHECK(stream_run(&t, draw, seed, n)) && CHECK_EQ_U64(t.out_count, n)) {
        for (i = 0; i < n && t.out[i] == expected[i]; i++) {
        }
        CHECK_EQ_U64(i, n);       /* the first row that differs */
        for (i = 0; i < n; i++) { /* row i leaves when sample i + W comes, or at the end */
            CHECK_EQ_U64(t.times[i], (uint64_t)i + cells < n ? i + cells : n);
        }
    }
    CHECK(t.most_pending <= cells);
    CHECK_EQ_U64(t.pending, 0);
    stream_close(&t);
    free(expected);
}

static const uint32_t buffers[] = {1, 2, 3, 7, 64, 333, 1000};
enum { BUFFERS = sizeof buffers / sizeof buffers[0] };

/* The real draws; seed is the key's seed, the id that of record s. */
static void draw_philox(uint64_t seed, uint64_t s, uint32_t cells, uint32_t cell_tie[2]) {
    shuffle_one(bsi_rng_stage_key(seed, 0, BSI_RNG_SHUFFLE), (int64_t)s, 0, cells, cell_tie);
}

TEST(order, streaming_is_the_definition) {
    for (uint32_t n = 0; n <= 400; n++) {
        for (int b = 0; b < BUFFERS; b++) {
            check_run(draw_philox, n, n, buffers[b]);
        }
    }
    check_run(draw_philox, 1, 20000, 4096);
    check_run(draw_philox, 2, 20000, 50000); /* all in one sort */
    check_run(draw_philox, 3, 200000, 150000);
}

/* Ties of few values, so that u is equal often and s decides; parts that are empty, or hold all. */
static void draw_ties(uint64_t seed, uint64_t s, uint32_t cells, uint32_t cell_tie[2]) {
    draw_philox(seed, s, cells, cell_tie);
    cell_tie[1] = cell_tie[1] % 3 * 0x7FFFFFFFu;
}

static void draw_first(uint64_t seed, uint64_t s, uint32_t cells, uint32_t cell_tie[2]) {
    (void)cells;
    cell_tie[0] = 0;
    cell_tie[1] = (uint32_t)((s + seed) * 2654435769u);
}

static void draw_last(uint64_t seed, uint64_t s, uint32_t cells, uint32_t cell_tie[2]) {
    cell_tie[0] = cells - 1;
    cell_tie[1] = (uint32_t)(seed - s); /* falling */
}

static void draw_in_turn(uint64_t seed, uint64_t s, uint32_t cells, uint32_t cell_tie[2]) {
    (void)seed;
    cell_tie[0] = (uint32_t)(s % cells);
    cell_tie[1] = 0xFFFFFFFFu;
}

TEST(order, hard_draws) {
    draw_rule *const rules[] = {draw_ties, draw_first, draw_last, draw_in_turn};
    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++) {
        for (uint32_t n = 0; n <= 400; n += 1 + n / 20) {
            for (int b = 0; b < BUFFERS; b++) {
                check_run(rules[r], n, n, buffers[b]);
            }
        }
        check_run(rules[r], r, 5000, 2000); /* many at the end */
        check_run(rules[r], r, 2000, 5000);
    }
}

/* W = 1 is stream order. */
TEST(order, buffer_of_one) {
    stream t;
    stream_open(&t, 300, 1);
    CHECK(stream_run(&t, draw_philox, 5, 300));
    for (uint32_t i = 0; i < 300; i++) {
        CHECK_EQ_U64(t.out[i], i);
    }
    CHECK_EQ_U64(t.most_pending, 1);
    stream_close(&t);
}

/* A worked case, W = 3 and n = 7. Samples with (j, u), and the cells after each:
 *     s     0       1       2       3       4       5       6
 *           (0, 9)  (2, 5)  (0, 7)  (0, 4)  (2, 1)  (2, 6)  (0, 2)
 *     cell0 0       0       0       3       3       3       6
 *     cell1         1       1       1       1       1       1
 *     cell2                 2       2       4       5       5
 *     out                           0       2       4       3
 * end: u 2 (6), u 5 (1), u 6 (5).    Order 0 2 4 3 6 1 5. */
static void draw_worked(uint64_t seed, uint64_t s, uint32_t cells, uint32_t cell_tie[2]) {
    static const uint32_t draws[7][2] = {{0, 9}, {2, 5}, {0, 7}, {0, 4}, {2, 1}, {2, 6}, {0, 2}};
    (void)seed;
    (void)cells;
    cell_tie[0] = draws[s][0];
    cell_tie[1] = draws[s][1];
}

TEST(order, worked_case) {
    static const uint64_t order[7] = {0, 2, 4, 3, 6, 1, 5};
    stream t;
    stream_open(&t, 7, 3);
    CHECK(stream_run(&t, draw_worked, 0, 7));
    CHECK_MEM(t.out, order, sizeof order);
    stream_close(&t);
}

/* A new epoch in the same cells: begin() forgets what pended. */
TEST(order, begin_forgets) {
    bsi_order_cell cells[3];
    bsi_order order;
    order.cells = cells;
    order.cell_count = 3;
    memset(cells, 0, sizeof cells);
    bsi_order_begin(&order);
    bsi_order_cell_of(&order, 2, 0)->stowed = 5;
    CHECK_EQ_U64(cells[2].stowed, 5);
    bsi_order_begin(&order);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ_U64(cells[i].stowed, BSI_ORDER_NONE);
    }
}

/* Cells that are left go out by their ties, wherever their samples are kept: here each is as far as can be. */
TEST(order, ties_alone_sort) {
    enum { CELLS = 1000 };
    static bsi_order_cell cells[CELLS];
    bsi_order order;
    uint32_t i;
    order.cells = cells;
    order.cell_count = CELLS;
    bsi_order_begin(&order);
    for (i = 0; i < CELLS; i++) {
        uint32_t turn = i * 7 % CELLS; /* each once */
        cells[i].sample = i;
        cells[i].tie = turn << 22 | 5;
        cells[i].stowed = (CELLS - 1 - turn) << 22;
    }
    CHECK_EQ_U64(bsi_order_sort(&order), CELLS);
    for (i = 0; i < CELLS && cells[i].tie == (i << 22 | 5); i++) {
    }
    CHECK_EQ_U64(i, CELLS); /* the first that is out of its place */
}

/*
 * Entered again at the oldest sample that pended when t was next, the buffer at t is the same, and so is all
 * after it; entered one later it is not.
 */
TEST(order, entered_at_the_oldest) {
    static const uint32_t sizes[] = {2, 3, 7, 40};
    for (int b = 0; b < 4; b++) {
        uint32_t n = 500, cells = sizes[b];
        uint64_t *all = defined_order(draw_philox, 11, n, cells);
        for (uint32_t t = cells; t <= n; t += 7) {
            uint64_t last[40], oldest = UINT64_MAX; /* last sample before t in each cell, by the definition */
            stream again;
            for (uint32_t s = 0; s < t; s++) {
                uint32_t cell_tie[2];
                draw_philox(11, s, cells, cell_tie);
                last[s < cells ? s : cell_tie[0]] = s;
            }
            for (uint32_t i = 0; i < cells; i++) {
                oldest = last[i] < oldest ? last[i] : oldest;
            }
            test_note("%u cells, entered at %u for %u", cells, (unsigned)oldest, t);
            stream_open(&again, n, cells);
            CHECK(stream_run_from(&again, draw_philox, 11, n, (uint32_t)oldest, t));
            if (CHECK_EQ_U64(again.out_count, n - t + cells)) {
                CHECK_MEM(again.out, all + t - cells, again.out_count * sizeof all[0]);
            }
            stream_close(&again);
            stream_open(&again, t, cells); /* what pends at t, before it is sorted */
            CHECK_EQ_U64(bsi_order_oldest(&again.order), UINT64_MAX);
            for (uint32_t s = 0; s < t; s++) {
                uint32_t cell_tie[2];
                draw_philox(11, s, cells, cell_tie);
                bsi_order_cell_of(&again.order, s, cell_tie[0])->sample = s;
            }
            CHECK_EQ_U64(bsi_order_oldest(&again.order), oldest);
            stream_close(&again);
        }
        free(all);
    }
}

/* ---- statistics ---- */

/* With W >= n each of the 4! orders comes equally often. */
static void check_uniform(uint32_t cells) {
    uint32_t seen[256];
    double sum = 0;
    int orders = 0;
    memset(seen, 0, sizeof seen);
    for (uint64_t seed = 0; seed < 24 * 500; seed++) {
        stream t;
        stream_open(&t, 4, cells);
        CHECK(stream_run(&t, draw_philox, seed, 4));
        ++seen[t.out[0] * 64 + t.out[1] * 16 + t.out[2] * 4 + t.out[3]];
        stream_close(&t);
    }
    for (int i = 0; i < 256; i++) {
        if (seen[i] > 0) {
            sum += ((double)seen[i] - 500) * ((double)seen[i] - 500) / 500;
            orders++;
        }
    }
    CHECK_EQ_I64(orders, 24);
    CHECK(sum < 71.2); /* 23 degrees of freedom, one in a million */
}

TEST(order, buffer_of_all_is_a_uniform_permutation) {
    check_uniform(4);
    check_uniform(5);
}

/* W = 2 and n = 3: sample 0 or 1 goes out first, 1/2 each, and the other with 2 in either order: four orders. */
TEST(order, buffer_of_two_of_three) {
    uint32_t seen[4] = {0, 0, 0, 0};
    for (uint64_t seed = 0; seed < 10000; seed++) {
        stream t;
        stream_open(&t, 3, 2);
        CHECK(stream_run(&t, draw_philox, seed, 3));
        CHECK(t.out[0] < 2);
        ++seen[t.out[0] * 2 + (t.out[1] == 2)];
        stream_close(&t);
    }
    for (int i = 0; i < 4; i++) {
        CHECK(seen[i] > 2500 - 217 && seen[i] < 2500 + 217); /* sigma 43.3, five of them */
    }
}

/*
 * DeepBioP's shuffle buffer never draws one of its slots before the drain, lets one record in `capacity` pass
 * by, and has no seed. Here a sample stays d turns, d = 1, 2, ..., with probability (1 - 1/W)^(d - 1) / W,
 * wherever it stands in the stream: in 16 classes of equal share.
 */
TEST(order, frozen_slot_of_deepbiop) {
    enum { N = 64 * 1600, W = 64, CLASSES = 16 };
    uint32_t seen[CLASSES], counted = 0;
    double share[CLASSES], stays = 1, sum = 0;
    int of[64 * 40], at = 0;
    stream t;
    memset(seen, 0, sizeof seen);
    memset(share, 0, sizeof share);
    for (int d = 1; d < 64 * 40; d++) { /* classes by what is left */
        share[at] += stays / W;
        of[d] = at;
        stays -= stays / W;
        at = stays < 1 - (at + 1) / (double)CLASSES && at + 1 < CLASSES ? at + 1 : at;
    }
    stream_open(&t, N, W);
    CHECK(stream_run(&t, draw_philox, 77, N));
    for (uint32_t i = 0; i < N; i++) {
        if (t.out[i] >= W && t.out[i] < N - 64 * 40) { /* neither the filling nor the end */
            uint64_t d = t.times[i] - t.out[i];
            if (CHECK(d > 0 && d < 64 * 40)) {
                ++seen[of[d]];
                ++counted;
            }
        }
    }
    CHECK_EQ_U64(counted, N - W - 64 * 40);
    for (int c = 0; c < CLASSES; c++) {
        double wanted = counted * share[c];
        CHECK(wanted > 1000);
        sum += (seen[c] - wanted) * (seen[c] - wanted) / wanted;
    }
    CHECK(sum < 56.5); /* 15 degrees of freedom, one in a million */
    stream_close(&t);
}

static uint32_t places_in_common(uint64_t seed_a, uint64_t seed_b) {
    uint32_t same = 0;
    stream a, b;
    stream_open(&a, 400, 64);
    stream_open(&b, 400, 64);
    CHECK(stream_run(&a, draw_philox, seed_a, 400) && stream_run(&b, draw_philox, seed_b, 400));
    for (uint32_t i = 0; i < 400; i++) {
        same += a.out[i] == b.out[i];
    }
    stream_close(&a);
    stream_close(&b);
    return same;
}

TEST(order, unseeded_shuffle_of_deepbiop) {
    CHECK_EQ_U64(places_in_common(1, 1), 400);
    CHECK(places_in_common(1, 2) < 40);
    CHECK(places_in_common(1, (uint64_t)1 << 63 | 1) < 40);
}

/* The same permutation each epoch is another of DeepBioP's bugs. The epoch is in the key. */
TEST(order, same_permutation_each_epoch_of_deepbiop) {
    uint32_t same = 0, a[2], b[2];
    for (int64_t id = 0; id < 1000; id++) {
        shuffle_one(bsi_rng_stage_key(1, 0, BSI_RNG_SHUFFLE), id, 0, 64, a);
        shuffle_one(bsi_rng_stage_key(1, 1, BSI_RNG_SHUFFLE), id, 0, 64, b);
        same += a[0] == b[0];
    }
    CHECK(same < 40); /* 1000 / 64 = 16 by chance */
}

/* ---- slices and pieces ---- */

/* floor(km/R) by taking R away as often as it goes. */
TEST(order, slices) {
    for (uint32_t world = 1; world <= 16; world++) {
        for (uint32_t rows = 0; rows <= 100; rows++) {
            test_note("%u rows over %u ranks", rows, world);
            for (uint32_t rank = 0; rank <= world; rank++) {
                uint32_t left = rank * rows, quotient = 0, size;
                for (; left >= world; left -= world) {
                    quotient++;
                }
                CHECK_EQ_U64(bsi_order_slice(rows, rank, world), quotient);
                size = bsi_order_slice(rows, rank + 1, world) - quotient;
                CHECK(rank == world || size == rows / world || size == rows / world + 1);
            }
            CHECK_EQ_U64(bsi_order_slice(rows, 0, world), 0);
            CHECK_EQ_U64(bsi_order_slice(rows, world, world), rows);
        }
    }
    /* products of 40 and 64 bits */
    CHECK_EQ_U64(bsi_order_slice(1048576, 1048575, 1048576), 1048575);
    CHECK_EQ_U64(bsi_order_slice(0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu), 0xFFFFFFFFu);
}

TEST(order, pieces) {
    for (uint32_t row = 1; row <= 20; row++) {
        for (uint64_t bases = 0; bases <= 100; bases++) {
            uint64_t left = bases, count = 1; /* the first is there even if it is empty */
            while (left > row) {
                left -= row;
                count++;
            }
            test_note("%u bases in rows of %u", (unsigned)bases, row);
            CHECK_EQ_U64(bsi_order_pieces(bases, row, row), count);
        }
    }
    CHECK_EQ_U64(bsi_order_pieces(((uint64_t)1 << 40) + 1, 1u << 20, 1u << 20), ((uint64_t)1 << 20) + 1);
    CHECK_EQ_U64(bsi_order_pieces(3000000000u, 4000000000u, 4000000000u), 1);
}

/* ---- pieces of a record ---- */

/* Piece k shows [k stride, k stride + row) as far as the record goes; the first that shows its end
 * is the last. Whole up to `good` bases are those that end there or before. */
TEST(order, pieces_one_by_one) {
    for (uint32_t row = 1; row <= 12; row++) {
        for (uint32_t stride = 1; stride <= row; stride++) {
            for (uint64_t bases = 0; bases <= 60; bases++) {
                uint64_t pieces = 1, whole = 0;
                while ((pieces - 1) * stride + row < bases) {
                    pieces++;
                }
                while (whole * stride + row <= bases) {
                    whole++;
                }
                test_note("%u bases, rows of %u, stride %u", (unsigned)bases, row, stride);
                CHECK_EQ_U64(bsi_order_pieces(bases, row, stride), pieces);
                CHECK_EQ_U64(bsi_order_partial_pieces(bases, row, stride), whole);
                CHECK(pieces - whole <= 1); /* at most the last is short */
                CHECK(stride < row || pieces == (bases + row - 1) / row || bases == 0);
            }
        }
    }
}

TEST(order, pieces_of_long_records) {
    const uint64_t bases = (uint64_t)1 << 62;
    CHECK_EQ_U64(bsi_order_pieces(bases, 1, 1), bases);
    CHECK_EQ_U64(bsi_order_partial_pieces(bases, 1, 1), bases);
    /* (2^62 - 2^32 + 1) / 2^31 = 2^31 - 2 + 2^-31 */
    CHECK_EQ_U64(bsi_order_pieces(bases, 0xFFFFFFFF, 0x80000000), 2147483648u);
    CHECK_EQ_U64(bsi_order_partial_pieces(bases, 0xFFFFFFFF, 0x80000000), 2147483647);
    /* 2999999000 / 999 = 3003002.002... */
    CHECK_EQ_U64(bsi_order_pieces(3000000000u, 1000, 999), 3003004);
    CHECK_EQ_U64(bsi_order_partial_pieces(3000000000u, 1000, 999), 3003003);
}

/* ---- anchors: where the text can be read again ---- */

/*
 * Pages of `page` samples each, and a buffer whose oldest sample is `age` back: anchors at or before it are kept
 * as wanted, and their number is bounded whatever the age.
 */
static void check_anchors(uint32_t cells, uint32_t page, uint64_t age, uint32_t most) {
    static bsi_groups_group group;
    static bsi_state_file files[BSI_GROUPS_ANCHORS];
    bsi_state_anchor anchor;
    uint32_t i, peak = 0;
    memset(&group, 0, sizeof group);
    memset(&anchor, 0, sizeof anchor);
    group.anchor_count = 1; /* the start */
    group.anchor_files = files;
    group.lane_count = 1;
    group.order.cell_count = cells;
    for (i = 0; i < 20000; ++i) {
        const bsi_state_anchor *found;
        anchor.line = group.sample + 1;
        bsi_groups_add_anchor(&group, &anchor)->line = anchor.line;
        CHECK(group.anchor_count <= BSI_GROUPS_ANCHORS);
        peak = group.anchor_count > peak ? group.anchor_count : peak;
        group.sample += page;
        group.oldest = group.sample > age ? group.sample - age : 0;
        found = &group.anchors[bsi_groups_find_anchor(&group, group.oldest)];
        CHECK(found->sample <= group.oldest);
        CHECK(found->sample == 0 || found->line == found->sample + 1);
        CHECK(found->sample == 0 || files[found - group.anchors].line == found->line);
        if (most < BSI_GROUPS_ANCHORS) { /* none was dropped for want of room */
            CHECK(found->sample + (page > cells / 8 ? page : cells / 8) >= group.oldest);
        }
    }
    test_note("%u cells, pages of %u, age %u: %u anchors", cells, page, (unsigned)age, peak);
    CHECK(peak <= most);
}

TEST(order, anchors_are_bounded) {
    check_anchors(0, 7, 0, 3);
    check_anchors(8, 1, 8 * 3, 16 * 3 + 3);
    check_anchors(1000, 5, 7500, 16 * 75 / 10 + 3);           /* W (ln W + 0.6) */
    check_anchors(65536, 900, 65536 * 12, 16 * 12 + 3);       /* likewise */
    check_anchors(1000, 5, 15900, 16 * 16);                   /* hardly ever */
    check_anchors(1000, 130, 100000, BSI_GROUPS_ANCHORS);     /* never: every second goes, and again */
    check_anchors(1000, 130, UINT64_MAX, BSI_GROUPS_ANCHORS); /* the first stays */
}
