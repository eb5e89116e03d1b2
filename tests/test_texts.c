/*
 * test_texts.c - segments of DEFLATE streams decoded into text in one to four ways: from every border with
 * its history, to several stops, cut into chunks anywhere, with just enough room and less, with matches that
 * start before the history, and damaged.
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

#define BEFORE 256u /* readable in front of the history */

/* ---- ways ---- */

static bsi_ops_texts_ways texts_ways;

static kernel_call pick_texts(uint32_t cpu, int which) {
    static bsi_ops_texts_ways picked;
    (void)which;
    bsi_kernels_texts_ways(&picked, cpu);
    return (kernel_call)picked.fast;
}

static void texts_ways_begin(uint32_t cpu) {
    memset(&texts_ways, 0xA5, sizeof texts_ways);
    bsi_kernels_texts_ways(&texts_ways, cpu);
}

static int texts_ways_run(size_t budget) {
    return bsi_ops_texts_run(&texts_ways, budget);
}

/* Room for the text: all of it, as much as to some border, one byte less, or anything. */
static size_t segment_capacity(const segment *g, uint64_t *random) {
    const stream *s = &g->s;
    size_t all = s->texts[s->border_count - 1] - s->texts[g->from];
    uint32_t borders = (uint32_t)(s->border_count - g->from);
    size_t some = s->texts[g->from + maker_below(random, borders)] - s->texts[g->from];
    switch (maker_below(random, 5)) {
    case 0: return some;
    case 1: return some - (some > 0);
    case 2: return maker_below(random, (uint32_t)all + 400);
    case 3: return all + 1;
    default: return all + 400;
    }
}

/* From a border to a stop, at random, with all of its history. */
static void texts_segment_random(segment *g, size_t from, uint64_t *random) {
    segment_place(g, from, random);
    g->history = HISTORY;
    g->capacity = segment_capacity(g, random);
    segment_cut_random(g, random);
}

/* What lies in front of the history means nothing. */
static uint8_t segment_before(size_t at) {
    return (uint8_t)(at * 5 + 1);
}

static void texts_way_start(size_t i) {
    segment *g = &segments[i];
    const uint8_t *text = g->s.text.data + HISTORY + g->s.texts[g->from];
    bsi_ops_texts_page page;
    g->block = test_copy(NULL, BEFORE + g->history + g->capacity);
    for (size_t at = 0; at < BEFORE; at++) {
        g->block[at] = segment_before(at);
    }
    if (g->history > 0) {
        memcpy(g->block + BEFORE, text - g->history, g->history);
    }
    page.text = g->block + BEFORE + g->history;
    page.capacity = g->capacity;
    page.history_bytes = g->history;
    bsi_ops_texts_way_begin(&texts_ways.ways[i], g->chunks, g->chunk_count, g->s.bits[g->from] - g->base * 8,
                            g->stop - g->base * 8, &page);
}

/* The result of a way that ended, at the border it must, and its text. */
static uint32_t texts_check_result(size_t i, uint32_t sum, uint64_t *random) {
    const segment *g = &segments[i];
    const stream *s = &g->s;
    const bsi_ops_texts_way *way = &texts_ways.ways[i];
    const uint8_t *text = s->text.data + HISTORY + s->texts[g->from], *made = g->block + BEFORE + g->history;
    size_t border = segment_end(g, g->capacity), bytes = s->texts[border] - s->texts[g->from], same = 0;
    (void)random;
    segment_check_border(g, way, border);
    if (CHECK_EQ_U64(way->text_bytes, bytes)) {
        CHECK_MEM(made, text, bytes);
    }
    CHECK_MEM(made - g->history, text - g->history, g->history);
    while (same < BEFORE && g->block[same] == segment_before(same)) {
        same++;
    }
    CHECK_EQ_U64(same, BEFORE);
    return maker_crc(sum, made, way->text_bytes);
}

static const segments_room texts_room = {texts_ways.ways, pick_texts,     texts_ways_begin,
                                         texts_way_start, texts_ways_run, texts_check_result};

/* To stop all streams ends each way, and touches none after the last. */
TEST(texts, streams_stop) {
    static struct {
        bsi_ops_texts_streams streams;
        bsi_ops_texts_way after;
    } room;
    uint8_t *after = test_copy(NULL, sizeof room.after);
    memset(&room, 0xA5, sizeof room);
    memset(after, 0xA5, sizeof room.after);
    bsi_ops_texts_streams_stop(&room.streams);
    for (size_t i = 0; i < BSI_OPS_TEXTS_STREAMS; i++) {
        CHECK_EQ_U64(room.streams.ways[i].status, BSI_OPS_IDLE);
    }
    CHECK_MEM(&room.after, after, sizeof room.after);
    free(after);
}

/* ---- streams ---- */

/* Random streams in one to four ways at once, from any border; ways and tables are used over and over. */
static uint32_t texts_sound_streams(const kernel_mask *kernel) {
    static const size_t budgets[] = {1, 7, 1000, SIZE_MAX};
    uint64_t random = test_seed();
    unsigned rounds = MAKER_SLOW ? 40 : 300;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        unsigned which = 1 + maker_below(&random, (1u << WAYS) - 1);
        for (size_t i = 0; i < WAYS; i++) {
            segment *g = &segments[i];
            stream_random(&g->s, size_random(&random), 12, &random);
            texts_segment_random(g, maker_below(&random, (uint32_t)g->s.border_count - 1), &random);
            if (maker_chance(&random, 60)) { /* no match starts before the stream */
                g->history = (uint32_t)BSI_MIN(g->s.texts[g->from], HISTORY);
            }
        }
        segments_decode(&texts_room, which, budgets[maker_below(&random, 4)]);
        sum = segments_end(&texts_room, kernel->name, round, which, sum, &random);
    }
    return sum;
}

TEST(texts, texts_sound_streams) {
    kernel_mask masks[KERNELS_KNOWN];
    kernels_print("texts", masks, kernels_here(pick_texts, 0, masks));
    segments_each_kernel(&texts_room, texts_sound_streams);
}

/* Literals or matches by themselves, in one to four ways in step: each of the loops. */
static uint32_t texts_one_kind(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 6;
    unsigned rounds = MAKER_SLOW ? 8 : 24;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        static const unsigned whichs[] = {15, 14, 9, 4};
        unsigned which = whichs[round / 2 % 4];
        maker_shape shape;
        memset(&shape, 0, sizeof shape);
        shape.ops = 4000;
        shape.blocks = round % 2 == 0 ? 12 : 8;
        shape.match_percent = round % 2 == 0 ? 0 : 90;
        shape.text_bytes = round % 2 == 0 ? 50000 : 300000;
        for (size_t i = 0; i < WAYS; i++) {
            segment *g = &segments[i];
            stream_blocks(&g->s, &shape, &random);
            g->history = round % 8 < 4 ? 0 : HISTORY;
            g->capacity = g->s.text.count - HISTORY;
            segment_whole(g, &random);
        }
        segments_decode(&texts_room, which, SIZE_MAX);
        sum = segments_end(&texts_room, kernel->name, round, which, sum, &random);
    }
    return sum;
}

TEST(texts, texts_one_kind) {
    segments_each_kernel(&texts_room, texts_one_kind);
}

/* One small stream cut in two at every byte, and from every border to every other. */
static uint32_t texts_every_cut(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 1;
    unsigned rounds = MAKER_SLOW ? 2 : 8;
    uint32_t sum = 0;
    segment *g = &segments[0];
    for (unsigned round = 0; round < rounds; round++) {
        stream_of_blocks(&g->s, &random);
        for (size_t cut = 1; cut <= g->s.file.count; cut++) {
            segment_cut_in_two(g, cut);
            g->history = (uint32_t)BSI_MIN(g->s.texts[g->from], HISTORY);
            g->capacity = g->s.text.count - HISTORY - g->s.texts[g->from] + cut % 200;
            test_note("%s, round %u, cut at %u", kernel->name, round, (unsigned)cut);
            segments_decode(&texts_room, 1, SIZE_MAX);
            sum = texts_check_result(0, sum, &random);
            segment_free(g);
        }
    }
    stream_free(&g->s);
    return sum;
}

TEST(texts, texts_every_cut) {
    segments_each_kernel(&texts_room, texts_every_cut);
}

/* Every capacity of a small stream, from 0 to more than there is text. */
static uint32_t every_capacity(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 7;
    const unsigned rounds = 5;
    uint32_t sum = 0;
    segment *g = &segments[2];
    for (unsigned round = 0; round < rounds; round++) {
        maker_shape shape;
        memset(&shape, 0, sizeof shape);
        shape.ops = 60;
        shape.blocks = 6;
        shape.match_percent = 40 + 15 * round;
        shape.text_bytes = 1500;
        do {
            stream_free(&g->s);
            stream_blocks(&g->s, &shape, &random);
        } while (g->s.border_count < 4 || g->s.text.count < HISTORY + 500);
        g->history = 0;
        segment_whole(g, &random);
        for (g->capacity = 0; g->capacity < g->s.text.count - HISTORY + 120; g->capacity++) {
            test_note("%s, round %u, capacity %u", kernel->name, round, (unsigned)g->capacity);
            segments_decode(&texts_room, 4, SIZE_MAX);
            sum = texts_check_result(2, sum, &random);
            free(g->block);
        }
        g->block = NULL;
        segment_free(g);
    }
    stream_free(&g->s);
    return sum;
}

TEST(texts, every_capacity) {
    segments_each_kernel(&texts_room, every_capacity);
}

/* A match of every short distance and of distances about the history's size, with and without it there. */
static uint32_t history_edge(const kernel_mask *kernel) {
    static const unsigned distances[] = {1, 2, 31, 32, 33, 255, 256, 257, 258, 1000, 32767, 32768};
    uint64_t random = test_seed() + 8;
    uint32_t sum = 0;
    segment *g = &segments[1];
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        for (unsigned literals = 0; literals < 3; literals++) {
            static maker m;
            maker_code litlen, distance;
            unsigned symbol = maker_distance_symbol(distances[i]);
            stream_begin(&g->s);
            maker_begin(&m);
            maker_fixed_codes(&litlen, &distance);
            maker_block(&m, 1, 1);
            stream_border(&g->s, 0, 0);
            for (unsigned k = 0; k < literals; k++) {
                maker_literal(&m, &litlen, 'A' + k);
                maker_bytes_add(&g->s.text, &"ABC"[k], 1);
            }
            maker_symbol(&m, &litlen, 257 + 2); /* 5 bytes */
            maker_symbol(&m, &distance, symbol);
            maker_put(&m, distances[i] - maker_distance_base[symbol], maker_distance_bits[symbol]);
            for (unsigned k = 0; k < 5; k++) {
                uint8_t byte = g->s.text.data[g->s.text.count - distances[i]];
                maker_bytes_add(&g->s.text, &byte, 1);
            }
            for (unsigned k = 0; k < 100; k++) { /* for the fast loop to begin */
                maker_literal(&m, &litlen, 'x');
                maker_bytes_add(&g->s.text, "x", 1);
            }
            maker_symbol(&m, &litlen, 256);
            stream_border(&g->s, m.file.count * 8 - m.free_bits, g->s.text.count - HISTORY);
            g->s.ends = 1;
            maker_align(&m, 0);
            maker_bytes_add(&g->s.file, m.file.data, m.file.count);
            maker_free(&m);
            g->capacity = 500;
            segment_whole(g, &random);
            for (unsigned short_of = 0; short_of < 2; short_of++) {
                size_t borders = g->s.border_count;
                uint32_t needed = distances[i] > literals ? distances[i] - literals : 0;
                if (needed < short_of) {
                    continue;
                }
                test_note("%s, distance %u, %u literals, %u short", kernel->name, distances[i], literals,
                          short_of);
                g->history = needed - short_of;
                g->s.border_count -= short_of;
                segments_decode(&texts_room, 2, SIZE_MAX);
                g->s.ends = !short_of;
                sum = texts_check_result(1, sum, &random);
                g->s.ends = 1;
                g->s.border_count = borders;
                free(g->block);
                g->block = NULL;
            }
            segment_free(g);
            stream_free(&g->s);
        }
    }
    return sum;
}

TEST(texts, history_edge) {
    segments_each_kernel(&texts_room, history_edge);
}

#ifdef HAVE_ZLIB

/* Four segments at once, and zlib goes on after them. */
static uint32_t texts_zlib_streams(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 2;
    unsigned rounds = MAKER_SLOW ? 2 : 6;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < WAYS; i++) {
            segment *g = &segments[i];
            stream_deflated(&g->s, 200000, &random);
            texts_segment_random(g, maker_below(&random, (uint32_t)g->s.border_count - 1), &random);
        }
        segments_decode(&texts_room, 15, SIZE_MAX);
        for (size_t i = 0; i < WAYS; i++) {
            const segment *g = &segments[i];
            test_note("%s, round %u, way %u", kernel->name, round, (unsigned)i);
            stream_check_goes_on(&g->s, segment_end(g, g->capacity), &texts_ways.ways[i], g->base * 8);
        }
        sum = segments_end(&texts_room, kernel->name, round, 15, sum, &random);
    }
    return sum;
}

/* Bits turned over: text and end are those of the blocks that zlib decodes before its first fault. */
static uint32_t texts_damaged_streams(const kernel_mask *kernel) {
    static const uint32_t histories[] = {0, 1, 100, 5000, HISTORY};
    uint64_t random = test_seed() + 3;
    unsigned rounds = MAKER_SLOW ? 60 : 300;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < WAYS; i++) {
            segment *g = &segments[i];
            uint32_t history = histories[maker_below(&random, 5)];
            stream_damaged(&g->s, &random);
            stream_by_zlib(&g->s, 0, history);
            texts_segment_random(g, 0, &random);
            g->history = history;
        }
        segments_decode(&texts_room, 15, 1 + maker_below(&random, 100000));
        sum = segments_end(&texts_room, kernel->name, round, 15, sum, &random);
    }
    return sum;
}

/* From a border in the middle with less history than there is: as far as zlib comes with as much. */
static uint32_t short_histories(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 9;
    unsigned rounds = MAKER_SLOW ? 30 : 150;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < WAYS; i++) {
            segment *g = &segments[i];
            stream all;
            size_t from;
            uint32_t history = maker_below(&random, maker_chance(&random, 50) ? 600 : HISTORY);
            memset(&all, 0, sizeof all);
            stream_random(&all, size_random(&random), 20, &random);
            from = maker_below(&random, (uint32_t)all.border_count - 1);
            g->s.file.count = g->s.text.count = g->s.border_count = 0;
            g->s.ends = 0;
            maker_bytes_add(&g->s.text, all.text.data + all.texts[from], HISTORY);
            maker_bytes_add(&g->s.file, all.file.data + all.bits[from] / 8,
                            all.file.count - (size_t)(all.bits[from] / 8));
            stream_by_zlib(&g->s, (unsigned)(all.bits[from] % 8), history);
            texts_segment_random(g, 0, &random);
            g->history = history;
            stream_free(&all);
        }
        segments_decode(&texts_room, 15, SIZE_MAX);
        sum = segments_end(&texts_room, kernel->name, round, 15, sum, &random);
    }
    return sum;
}

#endif

TEST(texts, texts_zlib_streams) {
#ifdef HAVE_ZLIB
    segments_each_kernel(&texts_room, texts_zlib_streams);
#else
    TEST_SKIP("zlib");
#endif
}

TEST(texts, texts_damaged_streams) {
#ifdef HAVE_ZLIB
    segments_each_kernel(&texts_room, texts_damaged_streams);
#else
    TEST_SKIP("zlib");
#endif
}

TEST(texts, short_histories) {
#ifdef HAVE_ZLIB
    segments_each_kernel(&texts_room, short_histories);
#else
    TEST_SKIP("zlib");
#endif
}

/* Random bytes: no crash, and a result within its limits. */
static uint32_t texts_noise(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 4;
    unsigned rounds = MAKER_SLOW ? 100 : 1000;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        segment *g = &segments[round % WAYS];
        const bsi_ops_texts_way *way = &texts_ways.ways[round % WAYS];
        test_note("%s, round %u", kernel->name, round);
        stream_noise(&g->s, &random);
        texts_segment_random(g, 0, &random);
        g->history = maker_below(&random, HISTORY + 1);
        g->capacity = maker_below(&random, 3000);
        segments_decode(&texts_room, 1u << round % WAYS, SIZE_MAX);
        CHECK(way->text_bytes <= g->capacity);
        CHECK(way->end + g->base * 8 <= g->in_bytes * 8);
        sum = maker_crc(sum, g->block + BEFORE + g->history, way->text_bytes);
        segment_free(g);
        stream_free(&g->s);
    }
    return sum;
}

TEST(texts, texts_noise) {
    segments_each_kernel(&texts_room, texts_noise);
}
