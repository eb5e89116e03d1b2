/*
 * test_ops.c - segments of DEFLATE streams decoded into ops in one to four ways, and replayed:
 * from every border to several stops, cut into chunks anywhere, with little room, and damaged.
 *
 * Streams, their borders and their text come from segments.h: from a maker that expands them by the rules of
 * RFC 1951, or from zlib's inflate; not from the code under test.
 *
 * rooms: ops
 * needs: nothing
 */
#include "white.h"
#include "test.h"
#include "segments.h"

#define LEAST BSI_OPS_LEAST_CAPACITY

/* ---- ways ---- */

static bsi_ops_ways ops_ways;

static kernel_call pick_ops(uint32_t cpu, int which) {
    bsi_ops_kernels kernels;
    bsi_kernels_ops(&kernels, cpu);
    return which == 0 ? (kernel_call)kernels.fast : (kernel_call)kernels.replay;
}

static void ops_ways_begin(uint32_t cpu) {
    memset(&ops_ways, 0xA5, sizeof ops_ways);
    bsi_kernels_ops_ways(&ops_ways, cpu);
}

static int ops_ways_run(size_t budget) {
    return bsi_ops_run(&ops_ways, budget);
}

/* From a border to a stop, at random. */
static void ops_segment_random(segment *g, size_t from, uint64_t *random) {
    segment_place(g, from, random);
    g->capacity = maker_chance(random, 30) ? LEAST : LEAST + g->s.text.count;
    segment_cut_random(g, random);
}

static void ops_way_start(size_t i) {
    segment *g = &segments[i];
    g->ops = (uint64_t *)(void *)test_copy(NULL, g->capacity * sizeof *g->ops);
    bsi_ops_way_begin(&ops_ways.ways[i], g->chunks, g->chunk_count, g->s.bits[g->from] - g->base * 8,
                      g->stop - g->base * 8, g->ops, g->capacity);
}

/* Replay all ops in pages of an odd size, after the segment's history; compare `bytes` of text. */
static uint32_t check_replay(const segment *g, size_t count, size_t page_bytes, size_t bytes) {
    size_t made = 0;
    uint8_t *page = test_copy(NULL, HISTORY + page_bytes + (size_t)BSI_OPS_PAST_BYTES);
    const uint8_t *text = g->s.text.data + g->s.texts[g->from];
    uint8_t *limit = page + HISTORY + page_bytes, *out = page + HISTORY;
    const uint64_t *at = g->ops, *end = at + count;
    memcpy(page, text, HISTORY);
    while (at < end) {
        size_t before = made, written;
        const uint64_t *from = at;
        at = bsi_ops_replay(&ops_ways.kernels, at, end, &out, limit);
        CHECK(at > from && (at == end || out >= limit));
        written = (size_t)(out - (page + HISTORY));
        made += written;
        if (before < bytes) {
            CHECK_MEM(page + HISTORY, text + HISTORY + before, BSI_MIN(written, bytes - before));
        }
        memmove(page, out - HISTORY, HISTORY);
        out = page + HISTORY;
    }
    free(page);
    CHECK(made >= bytes);
    return (uint32_t)made;
}

/* A simple reading of the rule: every match starts in the text. */
static int reach_model(const uint64_t *ops, size_t count, uint64_t history) {
    for (size_t i = 0; i < count; i++) {
        history += ops[i] >> 39 & 7;
        if ((ops[i] >> 32 & 127) > 0 && ops[i] >> 48 > history) {
            return 0;
        }
        history += ops[i] >> 32 & 127;
    }
    return 1;
}

static void check_reach(const segment *g, size_t count, uint32_t history) {
    int model = reach_model(g->ops, count, history);
    CHECK_EQ_I64(bsi_ops_reach(g->ops, g->ops + count, history), model);
}

/* The border at which a way ended: the one it must, unless room was short. */
static size_t check_end(size_t i) {
    const segment *g = &segments[i];
    const stream *s = &g->s;
    const bsi_ops_way *way = &ops_ways.ways[i];
    size_t wanted = segment_end(g, SIZE_MAX), border = g->from;
    while (border < wanted && s->bits[border] != way->end + g->base * 8) {
        border++;
    }
    segment_check_border(g, way, border);
    if (s->texts[wanted] - s->texts[g->from] <= g->capacity) {
        CHECK_EQ_U64(border, wanted);
    }
    CHECK(border == wanted || way->ops_end - way->at < 5); /* of which a match is at most */
    return border;
}

/* The result of a way that ended, and its ops. */
static uint32_t ops_check_result(size_t i, uint32_t sum, uint64_t *random) {
    const segment *g = &segments[i];
    size_t count = ops_ways.ways[i].op_count, from = g->s.texts[g->from];
    size_t bytes = g->s.texts[check_end(i)] - from;
    CHECK(count <= g->capacity);
    CHECK_EQ_U64(check_replay(g, count, 1 + maker_below(random, 5000), bytes), bytes);
    check_reach(g, count, (uint32_t)BSI_MIN(from, HISTORY));
    check_reach(g, count, 0);
    check_reach(g, count, maker_below(random, HISTORY + 100));
    return maker_crc(sum, (const uint8_t *)g->ops, count * sizeof *g->ops);
}

static const segments_room ops_room = {ops_ways.ways, pick_ops,     ops_ways_begin,
                                       ops_way_start, ops_ways_run, ops_check_result};

/* ---- streams ---- */

/* Random streams in one to four ways at once, from any border; ways and tables are used over and over. */
static uint32_t ops_sound_streams(const kernel_mask *kernel) {
    static const size_t budgets[] = {1, 7, 1000, SIZE_MAX};
    uint64_t random = test_seed();
    unsigned rounds = MAKER_SLOW ? 40 : 200;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        unsigned which = 1 + maker_below(&random, (1u << WAYS) - 1);
        for (size_t i = 0; i < WAYS; i++) {
            segment *g = &segments[i];
            stream_random(&g->s, size_random(&random), 12, &random);
            ops_segment_random(g, maker_below(&random, (uint32_t)g->s.border_count - 1), &random);
        }
        segments_decode(&ops_room, which, budgets[maker_below(&random, 4)]);
        sum = segments_end(&ops_room, kernel->name, round, which, sum, &random);
    }
    return sum;
}

TEST(ops, ops_sound_streams) {
    kernel_mask masks[KERNELS_KNOWN];
    kernels_print("ops", masks, kernels_here(pick_ops, 0, masks));
    CHECK_EQ_U64(kernels_here(pick_ops, 1, masks), kernels_here(pick_ops, 0, masks));
    segments_each_kernel(&ops_room, ops_sound_streams);
}

/*
 * Literals or matches by themselves, in three or four ways in step: the loop that asks, and more of both
 * than there is room for.
 */
static uint32_t ops_one_kind(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 6;
    unsigned rounds = MAKER_SLOW ? 4 : 12;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        unsigned which = round % 4 < 2 ? 15 : 7;
        maker_shape shape;
        memset(&shape, 0, sizeof shape);
        shape.ops = 4000;
        shape.blocks = round % 2 == 0 ? 20 : 8;
        shape.match_percent = round % 2 == 0 ? 0 : 100;
        shape.text_bytes = round % 2 == 0 ? 60000 : 1500000;
        for (size_t i = 0; i < WAYS; i++) {
            segment *g = &segments[i];
            do {
                stream_blocks(&g->s, &shape, &random);
            } while (g->s.text.count < HISTORY + 2000);
            g->capacity = LEAST;
            segment_whole(g, &random);
        }
        segments_decode(&ops_room, which, SIZE_MAX);
        sum = segments_end(&ops_room, kernel->name, round, which, sum, &random);
    }
    return sum;
}

TEST(ops, ops_one_kind) {
    segments_each_kernel(&ops_room, ops_one_kind);
}

/* One small stream cut in two at every byte, and from every border to every other. */
static uint32_t ops_every_cut(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 1;
    unsigned rounds = MAKER_SLOW ? 2 : 8;
    uint32_t sum = 0;
    segment *g = &segments[0];
    for (unsigned round = 0; round < rounds; round++) {
        stream_of_blocks(&g->s, &random);
        for (size_t cut = 1; cut <= g->s.file.count; cut++) {
            segment_cut_in_two(g, cut);
            g->capacity = LEAST;
            test_note("%s, round %u, cut at %u", kernel->name, round, (unsigned)cut);
            segments_decode(&ops_room, 1, SIZE_MAX);
            sum = ops_check_result(0, sum, &random);
            segment_free(g);
        }
    }
    stream_free(&g->s);
    return sum;
}

TEST(ops, ops_every_cut) {
    segments_each_kernel(&ops_room, ops_every_cut);
}

#ifdef HAVE_ZLIB

/* Four segments at once, and zlib goes on after them. */
static uint32_t ops_zlib_streams(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 2;
    unsigned rounds = MAKER_SLOW ? 2 : 6;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < WAYS; i++) {
            segment *g = &segments[i];
            stream_deflated(&g->s, 200000, &random);
            ops_segment_random(g, maker_below(&random, (uint32_t)g->s.border_count - 1), &random);
        }
        segments_decode(&ops_room, 15, SIZE_MAX);
        for (size_t i = 0; i < WAYS; i++) {
            const segment *g = &segments[i];
            test_note("%s, round %u, way %u", kernel->name, round, (unsigned)i);
            stream_check_goes_on(&g->s, check_end(i), &ops_ways.ways[i], g->base * 8);
        }
        sum = segments_end(&ops_room, kernel->name, round, 15, sum, &random);
    }
    return sum;
}

/* Bits turned over: ops and end are those of the blocks that zlib decodes before its first fault. */
static uint32_t ops_damaged_streams(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 3;
    unsigned rounds = MAKER_SLOW ? 60 : 300;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < WAYS; i++) {
            segment *g = &segments[i];
            stream_damaged(&g->s, &random);
            stream_by_zlib(&g->s, 0, HISTORY);
            ops_segment_random(g, 0, &random);
        }
        segments_decode(&ops_room, 15, 1 + maker_below(&random, 100000));
        sum = segments_end(&ops_room, kernel->name, round, 15, sum, &random);
    }
    return sum;
}

#endif

TEST(ops, ops_zlib_streams) {
#ifdef HAVE_ZLIB
    segments_each_kernel(&ops_room, ops_zlib_streams);
#else
    TEST_SKIP("zlib");
#endif
}

TEST(ops, ops_damaged_streams) {
#ifdef HAVE_ZLIB
    segments_each_kernel(&ops_room, ops_damaged_streams);
#else
    TEST_SKIP("zlib");
#endif
}

/* Random bytes: no crash, a result within its limits, and ops that can be replayed. */
static uint32_t ops_noise(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 4;
    unsigned rounds = MAKER_SLOW ? 100 : 1000;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        segment *g = &segments[round % WAYS];
        const bsi_ops_way *way = &ops_ways.ways[round % WAYS];
        test_note("%s, round %u", kernel->name, round);
        stream_noise(&g->s, &random);
        ops_segment_random(g, 0, &random);
        segments_decode(&ops_room, 1u << round % WAYS, SIZE_MAX);
        CHECK(way->op_count <= g->capacity);
        CHECK(way->end + g->base * 8 <= g->in_bytes * 8);
        (void)check_replay(g, way->op_count, 100, 0);
        sum = maker_crc(sum, (const uint8_t *)g->ops, way->op_count * sizeof *g->ops);
        segment_free(g);
        stream_free(&g->s);
    }
    return sum;
}

TEST(ops, ops_noise) {
    segments_each_kernel(&ops_room, ops_noise);
}

/* ---- ops by hand ---- */

TEST(ops, layout) {
    uint64_t op = UINT64_C(0x8000FE4044434241); /* 0x240 is 4 << 7 | 64; 0xFC00 says nothing */
    uint64_t matches[5];
    CHECK_EQ_U64(bsi_ops_of_literals(0x4241, 2), UINT64_C(0x0100010000004241));
    CHECK_EQ_U64(bsi_ops_literals(op), 0x44434241);
    CHECK_EQ_U64(bsi_ops_count(op), 4);
    CHECK_EQ_U64(bsi_ops_length(op), 64);
    CHECK_EQ_U64(bsi_ops_distance(op), 32768);
    CHECK_EQ_U64(bsi_ops_put_match(matches, 258, 7) - matches, 5);
    CHECK_EQ_U64(matches[3], UINT64_C(7) << 48 | UINT64_C(64) << 32);
    CHECK_EQ_U64(matches[4], UINT64_C(7) << 48 | UINT64_C(2) << 32);
    CHECK_EQ_U64(bsi_ops_put_match(matches, 64, 1) - matches, 1);
    CHECK_EQ_U64(bsi_ops_put_match(matches, 65, 1) - matches, 2);
}

/* Ops of all lengths, distances and numbers of literals, against copies byte by byte. */
static uint32_t all_ops(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 5;
    segment *g = &segments[0];
    size_t count = 0;
    (void)kernel;
    stream_begin(&g->s);
    stream_border(&g->s, 0, 0);
    g->from = 0;
    g->ops = (uint64_t *)(void *)test_copy(NULL, 64 * 80 * sizeof *g->ops);
    for (unsigned length = 0; length <= 64; length++) {
        for (unsigned i = 1; i <= 78; i++) {
            unsigned literals = maker_below(&random, 5);
            unsigned distance = i < 77 ? i : i == 77 ? 32768 : 1 + maker_below(&random, 32768);
            distance = length == 0 ? 256 + maker_below(&random, 32768 - 256) : distance;
            if (length == 0 && i > 20) {
                continue;
            }
            g->ops[count] = (uint64_t)distance << 48 | (uint64_t)maker_below(&random, 64) << 42;
            g->ops[count] |= (uint64_t)literals << 39 | (uint64_t)length << 32;
            g->ops[count++] |= (uint32_t)test_random(&random);
            for (unsigned k = 0; k < literals; k++) {
                uint8_t byte = (uint8_t)(g->ops[count - 1] >> 8 * k);
                maker_bytes_add(&g->s.text, &byte, 1);
            }
            for (unsigned k = 0; k < length; k++) {
                uint8_t byte = g->s.text.data[g->s.text.count - distance];
                maker_bytes_add(&g->s.text, &byte, 1);
            }
        }
    }
    for (size_t page = 1; page < 40000; page = page * 3 / 2 + 1) {
        CHECK_EQ_U64(check_replay(g, count, page, g->s.text.count - HISTORY), g->s.text.count - HISTORY);
    }
    for (uint32_t history = 0; history < HISTORY + 2; history += 1 + history / 3) {
        check_reach(g, count, history);
        check_reach(g, 5, history);
    }
    segment_free(g);
    stream_free(&g->s);
    return 0;
}

TEST(ops, all_ops) {
    segments_each_kernel(&ops_room, all_ops);
}
