/*
 * test_order.c - the window shuffle against its definition, one sort by (key, u, s), with
 *
 *     key(s) = min(max(s + d, W - 1), n)
 *
 * and slices of ranks and pieces of records against counting.
 */
#include "white.h"
#include "test.h"

/* A sample with its draws, and where the definition puts it. */
typedef struct sample {
    uint64_t s, key;
    uint32_t delay, tie;
} sample;

typedef void draw_rule(uint64_t seed, uint64_t s, uint32_t window, uint32_t delay_tie[2]);

static int compare_samples(const void *a, const void *b) {
    const sample *x = (const sample *)a, *y = (const sample *)b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    if (x->tie != y->tie) {
        return x->tie < y->tie ? -1 : 1;
    }
    return x->s < y->s ? -1 : x->s > y->s;
}

/* The definition. The caller frees. */
static sample *sorted_samples(draw_rule *draw, uint64_t seed, uint32_t n, uint32_t window) {
    sample *all = (sample *)(void *)test_copy(NULL, n * sizeof(sample));
    for (uint32_t s = 0; s < n; s++) {
        uint32_t delay_tie[2];
        uint64_t key;
        draw(seed, s, window, delay_tie);
        key = (uint64_t)s + delay_tie[0];
        key = key > (uint64_t)window - 1 ? key : (uint64_t)window - 1;
        all[s].s = s;
        all[s].key = key < n ? key : n;
        all[s].delay = delay_tie[0];
        all[s].tie = delay_tie[1];
    }
    qsort(all, n, sizeof all[0], compare_samples);
    return all;
}

/* What the loader does: W cells, taken from a free list and given back at hand-out. */
typedef struct stream {
    bsi_order order;
    uint32_t *free_cells, free_count, cell_count, most_pending;
    uint64_t *out;   /* [n] the shuffled samples                 */
    uint64_t *ticks; /* [n] when each was handed out             */
    uint32_t out_count;
} stream;

static void stream_open(stream *t, uint32_t n, uint32_t window) {
    memset(t, 0, sizeof *t);
    t->cell_count = window < n ? window : n; /* exactly: a window that held more would run out */
    t->order.window = window;
    t->order.cells = (bsi_order_cell *)(void *)test_copy(NULL, t->cell_count * sizeof(bsi_order_cell));
    t->order.lists = (uint32_t *)(void *)test_copy(NULL, window * sizeof(uint32_t));
    t->free_cells = (uint32_t *)(void *)test_copy(NULL, t->cell_count * sizeof(uint32_t));
    t->out = (uint64_t *)(void *)test_copy(NULL, n * sizeof(uint64_t));
    t->ticks = (uint64_t *)(void *)test_copy(NULL, n * sizeof(uint64_t));
    for (uint32_t i = 0; i < t->cell_count; i++) {
        t->free_cells[t->free_count++] = i;
    }
    bsi_order_begin(&t->order);
}

static void stream_close(stream *t) {
    free(t->order.cells);
    free(t->order.lists);
    free(t->free_cells);
    free(t->out);
    free(t->ticks);
}

static void stream_hand_out(stream *t, uint32_t list, uint64_t tick) {
    while (list != BSI_ORDER_NONE) {
        t->out[t->out_count] = t->order.cells[list].sample;
        t->ticks[t->out_count++] = tick;
        t->free_cells[t->free_count++] = list;
        list = t->order.cells[list].next;
    }
}

/* Returns 0 if more than W samples pended. */
static int stream_run(stream *t, draw_rule *draw, uint64_t seed, uint32_t n) {
    for (uint32_t s = 0; s < n; s++) {
        uint32_t delay_tie[2], cell, pending;
        if (t->free_count == 0) {
            return 0;
        }
        cell = t->free_cells[--t->free_count];
        pending = t->cell_count - t->free_count;
        t->most_pending = pending > t->most_pending ? pending : t->most_pending;
        draw(seed, s, t->order.window, delay_tie);
        t->order.cells[cell].sample = s;
        t->order.cells[cell].tie = delay_tie[1];
        bsi_order_enter(&t->order, cell, bsi_order_key(&t->order, s, delay_tie[0]));
        stream_hand_out(t, bsi_order_take(&t->order, s), s);
    }
    stream_hand_out(t, bsi_order_take_rest(&t->order), n);
    return 1;
}

/* One run against the one sort. */
static void check_run(draw_rule *draw, uint64_t seed, uint32_t n, uint32_t window) {
    sample *expected = sorted_samples(draw, seed, n, window);
    uint32_t i;
    stream t;
    stream_open(&t, n, window);
    test_note("n %u, window %u", n, window);
    if (CHECK(stream_run(&t, draw, seed, n)) && CHECK_EQ_U64(t.out_count, n)) {
        for (i = 0; i < n && t.out[i] == expected[i].s && t.ticks[i] == expected[i].key; i++) {
        }
        CHECK_EQ_U64(i, n);       /* the first row that differs */
        for (i = 0; i < n; i++) { /* nothing leaves before the window is full, or stays too long */
            CHECK(t.ticks[i] + 1 >= window || t.ticks[i] == n);
            CHECK(t.ticks[i] <= t.out[i] + window - 1 || t.ticks[i] + 1 == window);
        }
    }
    CHECK(t.most_pending <= window);
    CHECK_EQ_U64(t.free_count, t.cell_count);
    stream_close(&t);
    free(expected);
}

static const uint32_t windows[] = {1, 2, 3, 7, 64, 333, 1000};
enum { WINDOWS = sizeof windows / sizeof windows[0] };

/* The real draws; seed is the key's seed, the id that of record s. */
static void draw_philox(uint64_t seed, uint64_t s, uint32_t window, uint32_t delay_tie[2]) {
    bsi_rng_shuffle(bsi_rng_stage_key(seed, 0, BSI_RNG_SHUFFLE), (int64_t)s, 0, window, delay_tie);
}

TEST(order, streaming_is_the_one_sort) {
    for (uint32_t n = 0; n <= 400; n++) {
        for (int w = 0; w < WINDOWS; w++) {
            check_run(draw_philox, n, n, windows[w]);
        }
    }
    check_run(draw_philox, 1, 20000, 4096);
    check_run(draw_philox, 2, 20000, 50000); /* all in one sort */
}

/* Ties of few values, so that u is equal often and s decides. */
static void draw_ties(uint64_t seed, uint64_t s, uint32_t window, uint32_t delay_tie[2]) {
    draw_philox(seed, s, window, delay_tie);
    delay_tie[1] %= 3;
}

static void draw_no_delay(uint64_t seed, uint64_t s, uint32_t window, uint32_t delay_tie[2]) {
    (void)window;
    delay_tie[0] = 0;
    delay_tie[1] = (uint32_t)((s + seed) * 2654435769u);
}

static void draw_most_delay(uint64_t seed, uint64_t s, uint32_t window, uint32_t delay_tie[2]) {
    delay_tie[0] = window - 1;
    delay_tie[1] = (uint32_t)(seed - s); /* falling: the list comes in reverse */
}

/* All samples of a window fall into one tick: delays run down. */
static void draw_together(uint64_t seed, uint64_t s, uint32_t window, uint32_t delay_tie[2]) {
    (void)seed;
    delay_tie[0] = window - 1 - (uint32_t)(s % window);
    delay_tie[1] = 0xFFFFFFFFu;
}

TEST(order, hard_draws) {
    draw_rule *const rules[] = {draw_ties, draw_no_delay, draw_most_delay, draw_together};
    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++) {
        for (uint32_t n = 0; n <= 400; n += 1 + n / 20) {
            for (int w = 0; w < WINDOWS; w++) {
                check_run(rules[r], n, n, windows[w]);
            }
        }
        check_run(rules[r], r, 5000, 2000); /* many in the first tick, and at the end */
    }
}

/* W = 1 is stream order. */
TEST(order, window_of_one) {
    stream t;
    stream_open(&t, 300, 1);
    CHECK(stream_run(&t, draw_philox, 5, 300));
    for (uint32_t i = 0; i < 300; i++) {
        CHECK_EQ_U64(t.out[i], i);
        CHECK_EQ_U64(t.ticks[i], i);
    }
    CHECK_EQ_U64(t.most_pending, 1);
    stream_close(&t);
}

/* A worked case, W = 3 and n = 5. Samples with (d, u):
 *     s     0       1       2       3       4
 *           (0, 9)  (2, 5)  (0, 7)  (0, 4)  (2, 1)
 *     s+d   0       3       2       3       6
 *     key   2       3       2       3       5        (W - 1 = 2 below, n = 5 above)
 * tick 2: u 7 (2), u 9 (0); tick 3: u 4 (3), u 5 (1); end: 4.    Order 2 0 3 1 4. */
static void draw_worked(uint64_t seed, uint64_t s, uint32_t window, uint32_t delay_tie[2]) {
    static const uint32_t draws[5][2] = {{0, 9}, {2, 5}, {0, 7}, {0, 4}, {2, 1}};
    (void)seed;
    (void)window;
    delay_tie[0] = draws[s][0];
    delay_tie[1] = draws[s][1];
}

TEST(order, worked_case) {
    static const uint64_t order[5] = {2, 0, 3, 1, 4}, ticks[5] = {2, 2, 3, 3, 5};
    stream t;
    stream_open(&t, 5, 3);
    CHECK(stream_run(&t, draw_worked, 0, 5));
    CHECK_MEM(t.out, order, sizeof order);
    CHECK_MEM(t.ticks, ticks, sizeof ticks);
    stream_close(&t);
}

/* A new epoch on the same lists: begin() forgets what pended. */
TEST(order, begin_forgets) {
    bsi_order_cell cells[4];
    uint32_t lists[3];
    bsi_order order;
    order.cells = cells;
    order.lists = lists;
    order.window = 3;
    memset(cells, 0, sizeof cells);
    bsi_order_begin(&order);
    bsi_order_enter(&order, 2, bsi_order_key(&order, 0, 2));
    bsi_order_begin(&order);
    CHECK_EQ_U64(bsi_order_take(&order, 2), BSI_ORDER_NONE);
    CHECK_EQ_U64(bsi_order_take_rest(&order), BSI_ORDER_NONE);
}

/* ---- statistics ---- */

/* With W > n all keys are n, and each of the 4! orders comes equally often. */
TEST(order, window_above_n_is_a_uniform_permutation) {
    uint32_t seen[256];
    double sum = 0;
    int orders = 0;
    memset(seen, 0, sizeof seen);
    for (uint64_t seed = 0; seed < 24 * 500; seed++) {
        stream t;
        stream_open(&t, 4, 5);
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

/*
 * With W = n = 2 the definition is not quite uniform: key(0) = 1, and key(1) = 1 or 2 with d = 0
 * or 1. So sample 0 comes first with 1/2 x 1/2 + 1/2 = 3/4.
 */
TEST(order, window_equal_to_n) {
    uint32_t first = 0;
    for (uint64_t seed = 0; seed < 10000; seed++) {
        stream t;
        stream_open(&t, 2, 2);
        CHECK(stream_run(&t, draw_philox, seed, 2));
        first += t.out[0] == 0;
        stream_close(&t);
    }
    CHECK(first > 7500 - 217 && first < 7500 + 217); /* sigma 43.3, five of them */
}

/*
 * DeepBioP's shuffle buffer never draws one of its slots before the drain, lets one record in
 * `capacity` pass by, and has no seed. Here all delays 0..W-1 come equally often, wherever a
 * sample stands in the stream.
 */
TEST(order, frozen_slot_of_deepbiop) {
    enum { N = 64 * 400, W = 64 };
    uint32_t seen[W];
    double sum = 0;
    stream t;
    memset(seen, 0, sizeof seen);
    stream_open(&t, N, W);
    CHECK(stream_run(&t, draw_philox, 77, N));
    for (uint32_t i = 0; i < N; i++) {
        if (t.out[i] >= W && t.out[i] < N - W) { /* neither the filling nor the end */
            CHECK(t.ticks[i] >= t.out[i] && t.ticks[i] - t.out[i] < W);
            ++seen[t.ticks[i] - t.out[i]];
        }
    }
    for (int d = 0; d < W; d++) {
        sum += ((double)seen[d] - 398) * ((double)seen[d] - 398) / 398;
    }
    CHECK(sum < 131.7); /* 63 */
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
        bsi_rng_shuffle(bsi_rng_stage_key(1, 0, BSI_RNG_SHUFFLE), id, 0, 64, a);
        bsi_rng_shuffle(bsi_rng_stage_key(1, 1, BSI_RNG_SHUFFLE), id, 0, 64, b);
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
