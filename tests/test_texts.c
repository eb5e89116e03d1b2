/*
 * test_texts.c - segments of DEFLATE streams decoded into text in one to four lanes: from every border with
 * its history, to several stops, cut into pieces anywhere, with just enough room and less, with matches that
 * start before the history, and damaged.
 *
 * Streams, their borders and their text come from deflate_maker.h, which expands them by the rules of RFC
 * 1951, or from zlib's inflate, which stops at borders when asked; not from the code under test.
 */
#include "white.h"
#include "test.h"
#include "deflate_maker.h"
#include "kernels.h"

#define LANES BSI_TEXTS_LANES
#define HISTORY 32768u
#define BORDERS 600u
#define BEFORE 256u /* readable in front of the history */

/* ---- kernels ---- */

static bsi_texts_lanes lanes;

static kernel_call pick_texts(uint32_t cpu, int which) {
    static bsi_texts_lanes picked;
    (void)which;
    bsi_kernels_texts_lanes(&picked, cpu);
    return (kernel_call)picked.fast;
}

/* Run `body` once for each kernel; what it returns, made of all text, is the same for all. */
static void each_kernel(uint32_t (*body)(const kernel_mask *kernel)) {
    kernel_mask masks[KERNELS_KNOWN];
    size_t count = kernels_here(pick_texts, 0, masks);
    uint32_t first = 0;
    CHECK(count >= 1);
    for (size_t i = 0; i < count; i++) {
        uint32_t sum;
        memset(&lanes, 0xA5, sizeof lanes);
        bsi_kernels_texts_lanes(&lanes, masks[i].cpu);
        sum = body(&masks[i]);
        first = i == 0 ? sum : first;
        test_note("%s against %s", masks[i].name, masks[0].name);
        CHECK_EQ_U64(sum, first);
    }
}

/* ---- streams and their borders ---- */

/* Text: HISTORY bytes that come before, then the stream's. */
typedef struct stream {
    maker_bytes file, text;
    uint64_t bits[BORDERS]; /* borders: in the file, */
    size_t texts[BORDERS];  /* and in the text, the history not counted */
    size_t border_count;
    int ends; /* the last border is behind the last block */
} stream;

static void stream_free(stream *s) {
    maker_bytes_free(&s->file);
    maker_bytes_free(&s->text);
}

/* What the history holds where no text came before. */
static void stream_begin(stream *s) {
    s->file.count = s->text.count = s->border_count = 0;
    s->ends = 0;
    maker_bytes_add(&s->text, NULL, HISTORY);
    for (size_t i = 0; i < HISTORY; i++) {
        s->text.data[i] = (uint8_t)(i * 7 + (i >> 8) * 13);
    }
}

static void stream_border(stream *s, uint64_t bit, size_t text) {
    if (s->border_count < BORDERS && (s->border_count == 0 || s->bits[s->border_count - 1] != bit)) {
        s->bits[s->border_count] = bit;
        s->texts[s->border_count++] = text;
    }
}

/* Random blocks, as maker_random_deflate makes them, with the borders noted. */
static void stream_blocks(stream *s, const maker_shape *with, uint64_t *random) {
    static maker_token tokens[MAKER_TOKENS];
    static maker m;
    maker_shape shape = *with;
    unsigned blocks = 1 + maker_below(random, shape.blocks);
    maker_begin(&m);
    stream_begin(s);
    for (; blocks > 0; --blocks) {
        int last = blocks == 1;
        unsigned type = maker_below(random, 5), count;
        maker_code litlen, distance;
        stream_border(s, m.file.count * 8 - m.free_bits, m.text.count);
        if (type == 0) {
            maker_random_stored(&m, last, &shape, random);
            continue;
        }
        count = maker_random_tokens(&m, &shape, tokens, random);
        if (type == 1) {
            maker_fixed_codes(&litlen, &distance);
            maker_block(&m, last, 1);
        } else {
            maker_random_codes(tokens, count, &litlen, &distance, random);
            maker_dynamic(&m, last, &litlen, &distance, random);
        }
        maker_put_tokens(&m, tokens, count, &litlen, &distance);
    }
    stream_border(s, m.file.count * 8 - m.free_bits, m.text.count);
    s->ends = 1;
    maker_align(&m, (uint32_t)test_random(random));
    maker_raw(&m, "trailer", maker_below(random, 8), 0);
    maker_bytes_add(&s->file, m.file.data, m.file.count);
    maker_bytes_add(&s->text, m.text.data, m.text.count);
    maker_free(&m);
}

/* A stream of any shape. */
static void stream_random(stream *s, size_t text_bytes, unsigned blocks, uint64_t *random) {
    static const char *const letters[] = {NULL, "ACGT", "A", "FFFFFFFFFFF:,#"};
    maker_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.blocks = blocks;
    shape.tokens = maker_chance(random, 50) ? 4000 : 60;
    shape.text_bytes = text_bytes;
    shape.match_percent = maker_chance(random, 25) ? 0 : maker_below(random, 101);
    shape.letters = letters[maker_below(random, 4)];
    stream_blocks(s, &shape, random);
}

/* `bits` bits from a bit on; those behind the file are 0. */
static uint32_t stream_peek(const stream *s, uint64_t bit, unsigned bits) {
    uint32_t value = 0;
    for (unsigned i = 0; i < bits; i++, bit++) {
        if (bit / 8 < s->file.count) {
            value |= (uint32_t)(s->file.data[bit / 8] >> bit % 8 & 1u) << i;
        }
    }
    return value;
}

/* HDIST of the dynamic blocks between two borders, a bit each. */
static uint32_t stream_distance_counts(const stream *s, size_t from, size_t to) {
    uint32_t counts = 0;
    for (; from < to; from++) {
        if (stream_peek(s, s->bits[from] + 1, 2) == 2) {
            counts |= (uint32_t)1 << stream_peek(s, s->bits[from] + 8, 5);
        }
    }
    return counts;
}

#ifdef HAVE_ZLIB

/*
 * Find borders and text of s->file with zlib, from a bit of its first byte on and behind the last `history`
 * bytes of s->text, up to the first fault.
 */
static void stream_by_zlib(stream *s, unsigned bit, uint32_t history) {
    static uint8_t room[1 << 16];
    size_t first = bit > 0;
    z_stream z;
    int status;
    memset(&z, 0, sizeof z);
    CHECK(inflateInit2(&z, -15) == Z_OK);
    if (history > 0) {
        CHECK(inflateSetDictionary(&z, s->text.data + HISTORY - history, history) == Z_OK);
    }
    if (first > 0) {
        CHECK(inflatePrime(&z, (int)(8 - bit), s->file.data[0] >> bit) == Z_OK);
    }
    z.next_in = s->file.data + first;
    z.avail_in = (uInt)(s->file.count - first);
    stream_border(s, bit, 0);
    do {
        z.next_out = room;
        z.avail_out = (uInt)sizeof room;
        status = inflate(&z, Z_BLOCK);
        maker_bytes_add(&s->text, room, sizeof room - z.avail_out);
        if (status == Z_OK && (z.data_type & 128)) {
            stream_border(s, (uint64_t)(z.total_in + first) * 8 - (unsigned)(z.data_type & 7), z.total_out);
            s->ends = (z.data_type & 64) != 0;
        }
    } while (status == Z_OK && !s->ends);
    inflateEnd(&z);
}

/* Go on behind a segment with zlib, as the result says: the rest of the text. */
static void check_goes_on(const stream *s, size_t border, const bsi_texts_lane *lane, uint64_t base_bit) {
    static uint8_t room[1 << 16];
    size_t at = (size_t)((lane->end + base_bit + 7) / 8), text = s->texts[border];
    z_stream z;
    memset(&z, 0, sizeof z);
    CHECK(inflateInit2(&z, -15) == Z_OK);
    CHECK(inflateSetDictionary(&z, s->text.data + text, HISTORY) == Z_OK);
    CHECK(inflatePrime(&z, (int)lane->bit_count, (int)lane->word) == Z_OK);
    z.next_in = s->file.data + at;
    z.avail_in = (uInt)(s->file.count - at);
    z.next_out = room;
    z.avail_out = (uInt)sizeof room;
    (void)inflate(&z, Z_SYNC_FLUSH);
    CHECK(z.total_out > 0 || s->text.count == HISTORY + text || lane->is_last);
    if (!lane->is_last) {
        size_t rest = s->text.count - HISTORY - text;
        CHECK_MEM(room, s->text.data + HISTORY + text, z.total_out < rest ? z.total_out : rest);
    }
    inflateEnd(&z);
}

#endif

/* ---- segments in lanes ---- */

typedef struct segment {
    stream s;
    size_t from;       /* border where it starts */
    size_t in_bytes;   /* of the file, what the lane gets */
    size_t base;       /* byte of the file with which the first piece begins */
    uint64_t stop;     /* bit of the file */
    uint32_t history;  /* bytes of it that the lane knows */
    size_t capacity;
    uint8_t *block;    /* BEFORE bytes, the history, the text */
    bsi_guess_piece *pieces;
    uint32_t piece_count;
} segment;

static segment segments[LANES];

static void segment_free(segment *g) {
    for (uint32_t i = 0; i < g->piece_count; i++) {
        free((void *)(uintptr_t)g->pieces[i].bytes);
    }
    free(g->pieces);
    free(g->block);
    g->block = NULL;
}

/* Cut the input into pieces of at most `most` bytes, each a heap block; empty ones come between them. */
static void segment_cut(segment *g, size_t most, uint64_t *random) {
    size_t at = g->base, start_byte = (size_t)(g->s.bits[g->from] / 8);
    g->pieces = (bsi_guess_piece *)calloc((g->in_bytes - at) * 2 + 2, sizeof *g->pieces);
    g->piece_count = 0;
    while (at < g->in_bytes || g->piece_count == 0) {
        size_t count = most > 1 ? 1 + maker_below(random, (uint32_t)most) : 1;
        count = BSI_MAX(count, g->piece_count == 0 ? start_byte + 1 - at : 1);
        count = BSI_MIN(count, g->in_bytes - at);
        g->pieces[g->piece_count].bytes = test_copy(g->s.file.data + at, count);
        g->pieces[g->piece_count++].count = count;
        at += count;
        if (maker_chance(random, 5)) {
            g->pieces[g->piece_count++].count = 0;
        }
    }
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
static void segment_random(segment *g, size_t from, uint64_t *random) {
    const stream *s = &g->s;
    uint64_t last = s->bits[s->border_count - 1];
    size_t start_byte = (size_t)(s->bits[from] / 8);
    static const uint32_t mosts[] = {1, 2, 9, 40, 3000, 1 << 20};
    g->from = from;
    g->in_bytes = s->file.count;
    if (maker_chance(random, 30)) {
        g->in_bytes = start_byte + 1 + maker_below(random, (uint32_t)(g->in_bytes - start_byte));
        g->in_bytes = BSI_MIN(g->in_bytes, s->file.count);
    }
    g->base = maker_below(random, 20);
    g->base = start_byte - BSI_MIN(start_byte, g->base);
    switch (maker_below(random, 4)) {
        case 0: g->stop = UINT64_MAX - 7; break;
        case 1: g->stop = s->bits[maker_below(random, (uint32_t)s->border_count)]; break;
        case 2: g->stop = s->bits[from] + 1; break;
        default: g->stop = 1 + maker_below(random, (uint32_t)last + 1); break;
    }
    g->stop = BSI_MAX(g->stop, (uint64_t)g->base * 8);
    g->history = HISTORY;
    g->capacity = segment_capacity(g, random);
    segment_cut(g, mosts[maker_below(random, 6)], random);
}

/* What lies in front of the history means nothing. */
static uint8_t segment_before(size_t at) {
    return (uint8_t)(at * 5 + 1);
}

static void lane_start(size_t i) {
    segment *g = &segments[i];
    const uint8_t *text = g->s.text.data + HISTORY + g->s.texts[g->from];
    bsi_texts_page page;
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
    bsi_texts_lane_begin(&lanes.lanes[i], g->pieces, g->piece_count, g->s.bits[g->from] - g->base * 8,
                         g->stop - g->base * 8, &page);
}

/* The border a segment must end at. */
static size_t segment_end(const segment *g) {
    const stream *s = &g->s;
    size_t border = g->from;
    while (s->bits[border] < g->stop && border + 1 < s->border_count &&
           (s->bits[border + 1] + 7) / 8 <= g->in_bytes &&
           s->texts[border + 1] - s->texts[g->from] <= g->capacity) {
        border++;
    }
    return border;
}

/* The result of a lane that ended, at the border it must. Returns the border. */
static size_t check_result(size_t i) {
    const segment *g = &segments[i];
    const stream *s = &g->s;
    const bsi_texts_lane *lane = &lanes.lanes[i];
    const uint8_t *text = s->text.data + HISTORY + s->texts[g->from], *made = g->block + BEFORE + g->history;
    size_t border = segment_end(g), bytes = s->texts[border] - s->texts[g->from], same = 0;
    uint64_t end = lane->end + g->base * 8;
    unsigned held = (unsigned)(8 - end % 8) % 8;
    CHECK_EQ_U64(lane->status, BSI_TOKENS_ENDED);
    CHECK_EQ_U64(end, s->bits[border]);
    CHECK_EQ_U64(lane->bit_count, held);
    CHECK_EQ_U64(lane->word, stream_peek(s, end, held));
    CHECK_EQ_I64(lane->is_last, s->ends && border + 1 == s->border_count && border > g->from);
    CHECK_EQ_U64(lane->distance_counts, stream_distance_counts(s, g->from, border));
    if (CHECK_EQ_U64(lane->text_bytes, bytes)) {
        CHECK_MEM(made, text, bytes);
    }
    CHECK_MEM(made - g->history, text - g->history, g->history);
    while (same < BEFORE && g->block[same] == segment_before(same)) {
        same++;
    }
    CHECK_EQ_U64(same, BEFORE);
    return border;
}

/* Decode the lanes of `which`, a bit each, with a budget a call. */
static void lanes_decode(unsigned which, size_t budget) {
    unsigned left = 0;
    for (size_t i = 0; i < LANES; i++) {
        lanes.lanes[i].status = BSI_TOKENS_IDLE;
        if (which >> i & 1u) {
            lane_start(i);
            left++;
        }
    }
    while (left > 0) {
        unsigned count = 0, now = (unsigned)bsi_texts_run(&lanes, budget);
        for (size_t i = 0; i < LANES; i++) {
            count += lanes.lanes[i].status == BSI_TOKENS_UNDER_WAY;
        }
        CHECK_EQ_U64(now, count);
        CHECK(now == left || now + 1 == left);
        CHECK(now < left || budget < SIZE_MAX);
        left = now;
    }
    CHECK_EQ_I64(bsi_texts_run(&lanes, budget), 0);
}

/* Check the lanes of `which` and leave all segments; adds their text to a sum. */
static uint32_t lanes_end(const char *kernel, unsigned round, unsigned which, uint32_t sum) {
    for (size_t i = 0; i < LANES; i++) {
        segment *g = &segments[i];
        test_note("%s, round %u, lane %u of %x", kernel, round, (unsigned)i, which);
        if (which >> i & 1u) {
            (void)check_result(i);
            sum = maker_crc(sum, g->block + BEFORE + g->history, lanes.lanes[i].text_bytes);
        } else {
            CHECK_EQ_U64(lanes.lanes[i].status, BSI_TOKENS_IDLE);
        }
        segment_free(g);
        stream_free(&g->s);
    }
    return sum;
}

static size_t size_random(uint64_t *random) {
    static const uint32_t most[] = {1, 20, 300, 5000, 70000};
    return maker_below(random, most[maker_below(random, 5)] + 1);
}

/* ---- streams ---- */

/* Random streams in one to four lanes at once, from any border; lanes and tables are used over and over. */
static uint32_t sound_streams(const kernel_mask *kernel) {
    static const size_t budgets[] = {1, 7, 1000, SIZE_MAX};
    uint64_t random = test_seed();
    unsigned rounds = MAKER_SLOW ? 40 : 300;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        unsigned which = 1 + maker_below(&random, (1u << LANES) - 1);
        for (size_t i = 0; i < LANES; i++) {
            segment *g = &segments[i];
            stream_random(&g->s, size_random(&random), 12, &random);
            segment_random(g, maker_below(&random, (uint32_t)g->s.border_count - 1), &random);
            if (maker_chance(&random, 60)) { /* no match starts before the stream */
                g->history = (uint32_t)BSI_MIN(g->s.texts[g->from], HISTORY);
            }
        }
        lanes_decode(which, budgets[maker_below(&random, 4)]);
        sum = lanes_end(kernel->name, round, which, sum);
    }
    return sum;
}

TEST(texts, sound_streams) {
    kernel_mask masks[KERNELS_KNOWN];
    kernels_print("texts", masks, kernels_here(pick_texts, 0, masks));
    each_kernel(sound_streams);
}

/* Literals or matches by themselves, in one to four lanes in step: each of the loops. */
static uint32_t one_kind(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 6;
    unsigned rounds = MAKER_SLOW ? 8 : 24;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        static const unsigned whichs[] = {15, 14, 9, 4};
        unsigned which = whichs[round / 2 % 4];
        maker_shape shape;
        memset(&shape, 0, sizeof shape);
        shape.tokens = 4000;
        shape.blocks = round % 2 == 0 ? 12 : 8;
        shape.match_percent = round % 2 == 0 ? 0 : 90;
        shape.text_bytes = round % 2 == 0 ? 50000 : 300000;
        for (size_t i = 0; i < LANES; i++) {
            segment *g = &segments[i];
            stream_blocks(&g->s, &shape, &random);
            g->from = g->base = 0;
            g->stop = UINT64_MAX - 7;
            g->in_bytes = g->s.file.count;
            g->history = round % 8 < 4 ? 0 : HISTORY;
            g->capacity = g->s.text.count - HISTORY;
            segment_cut(g, 1 << 20, &random);
        }
        lanes_decode(which, SIZE_MAX);
        sum = lanes_end(kernel->name, round, which, sum);
    }
    return sum;
}

TEST(texts, one_kind) {
    each_kernel(one_kind);
}

/* One small stream cut in two at every byte, and from every border to every other. */
static uint32_t every_cut(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 1;
    unsigned rounds = MAKER_SLOW ? 2 : 8;
    uint32_t sum = 0;
    segment *g = &segments[0];
    for (unsigned round = 0; round < rounds; round++) {
        do {
            stream_free(&g->s);
            stream_random(&g->s, 600, 9, &random);
        } while (g->s.border_count < 4);
        for (size_t cut = 1; cut <= g->s.file.count; cut++) {
            size_t from = cut % (g->s.border_count - 1);
            g->from = from;
            g->base = 0;
            g->in_bytes = g->s.file.count;
            g->stop = g->s.bits[from + cut / g->s.border_count % (g->s.border_count - from)];
            g->history = (uint32_t)BSI_MIN(g->s.texts[from], HISTORY);
            g->capacity = g->s.text.count - HISTORY - g->s.texts[from] + cut % 200;
            g->pieces = (bsi_guess_piece *)calloc(2, sizeof *g->pieces);
            g->piece_count = 2;
            g->pieces[0].count = BSI_MAX(cut, (size_t)(g->s.bits[from] / 8 + 1));
            g->pieces[1].count = g->in_bytes - g->pieces[0].count;
            g->pieces[0].bytes = test_copy(g->s.file.data, g->pieces[0].count);
            g->pieces[1].bytes = test_copy(g->s.file.data + g->pieces[0].count, g->pieces[1].count);
            test_note("%s, round %u, cut at %u", kernel->name, round, (unsigned)cut);
            lanes_decode(1, SIZE_MAX);
            (void)check_result(0);
            sum = maker_crc(sum, g->block + BEFORE + g->history, lanes.lanes[0].text_bytes);
            segment_free(g);
        }
    }
    stream_free(&g->s);
    return sum;
}

TEST(texts, every_cut) {
    each_kernel(every_cut);
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
        shape.tokens = 60;
        shape.blocks = 6;
        shape.match_percent = 40 + 15 * round;
        shape.text_bytes = 1500;
        do {
            stream_free(&g->s);
            stream_blocks(&g->s, &shape, &random);
        } while (g->s.border_count < 4 || g->s.text.count < HISTORY + 500);
        g->from = g->base = 0;
        g->in_bytes = g->s.file.count;
        g->stop = UINT64_MAX - 7;
        g->history = 0;
        segment_cut(g, 1 << 20, &random);
        for (g->capacity = 0; g->capacity < g->s.text.count - HISTORY + 120; g->capacity++) {
            test_note("%s, round %u, capacity %u", kernel->name, round, (unsigned)g->capacity);
            lanes_decode(4, SIZE_MAX);
            (void)check_result(2);
            sum += (uint32_t)lanes.lanes[2].text_bytes;
            free(g->block);
        }
        g->block = NULL;
        segment_free(g);
    }
    stream_free(&g->s);
    return sum;
}

TEST(texts, every_capacity) {
    each_kernel(every_capacity);
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
                maker_bytes_add(&g->s.text, "ABC" + k, 1);
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
            g->from = g->base = 0;
            g->in_bytes = g->s.file.count;
            g->stop = UINT64_MAX - 7;
            g->capacity = 500;
            segment_cut(g, 1 << 20, &random);
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
                lanes_decode(2, SIZE_MAX);
                g->s.ends = !short_of;
                (void)check_result(1);
                g->s.ends = 1;
                g->s.border_count = borders;
                sum = maker_crc(sum, g->block + BEFORE + g->history, lanes.lanes[1].text_bytes);
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
    each_kernel(history_edge);
}

#ifdef HAVE_ZLIB

/* FASTQ, or bytes that no match is in, by zlib at some level: large blocks, whose borders zlib finds. */
static void stream_deflated(stream *s, size_t bytes, uint64_t *random) {
    static maker m;
    maker_bytes text;
    memset(&text, 0, sizeof text);
    maker_fastq(&text, bytes, random);
    if (maker_chance(random, 20)) {
        for (size_t i = 0; i < bytes; i++) {
            text.data[i] = (uint8_t)maker_below(random, 1 + maker_below(random, 256));
        }
    }
    maker_begin(&m);
    maker_deflate(&m, text.data, bytes, (int)maker_below(random, 10));
    stream_begin(s);
    maker_bytes_add(&s->file, m.file.data, m.file.count);
    stream_by_zlib(s, 0, HISTORY);
    CHECK(s->ends);
    CHECK_EQ_U64(s->text.count, HISTORY + bytes);
    CHECK_MEM(s->text.data + HISTORY, text.data, bytes);
    maker_bytes_free(&text);
    maker_free(&m);
}

/* Four segments at once, and zlib goes on behind them. */
static uint32_t zlib_streams(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 2;
    unsigned rounds = MAKER_SLOW ? 2 : 6;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < LANES; i++) {
            segment *g = &segments[i];
            stream_deflated(&g->s, 200000, &random);
            segment_random(g, maker_below(&random, (uint32_t)g->s.border_count - 1), &random);
        }
        lanes_decode(15, SIZE_MAX);
        for (size_t i = 0; i < LANES; i++) {
            const segment *g = &segments[i];
            test_note("%s, round %u, lane %u", kernel->name, round, (unsigned)i);
            check_goes_on(&g->s, segment_end(g), &lanes.lanes[i], g->base * 8);
        }
        sum = lanes_end(kernel->name, round, 15, sum);
    }
    return sum;
}

/* Bits turned over: text and end are those of the blocks that zlib decodes before its first fault. */
static uint32_t damaged_streams(const kernel_mask *kernel) {
    static const uint32_t histories[] = {0, 1, 100, 5000, HISTORY};
    uint64_t random = test_seed() + 3;
    unsigned rounds = MAKER_SLOW ? 60 : 300;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < LANES; i++) {
            segment *g = &segments[i];
            uint32_t history = histories[maker_below(&random, 5)];
            stream_random(&g->s, size_random(&random), 6, &random);
            for (unsigned flips = maker_below(&random, 4); flips > 0; flips--) {
                uint32_t all = (uint32_t)g->s.file.count;
                uint32_t most = maker_chance(&random, 50) ? BSI_MIN(all, 60) : all;
                g->s.file.data[maker_below(&random, most)] ^= (uint8_t)(1u << maker_below(&random, 8));
            }
            g->s.text.count = HISTORY;
            g->s.border_count = 0;
            g->s.ends = 0;
            stream_by_zlib(&g->s, 0, history);
            segment_random(g, 0, &random);
            g->history = history;
        }
        lanes_decode(15, 1 + maker_below(&random, 100000));
        sum = lanes_end(kernel->name, round, 15, sum);
    }
    return sum;
}

/* From a border in the middle with less history than there is: as far as zlib comes with as much. */
static uint32_t short_histories(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 9;
    unsigned rounds = MAKER_SLOW ? 30 : 150;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < LANES; i++) {
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
            segment_random(g, 0, &random);
            g->history = history;
            stream_free(&all);
        }
        lanes_decode(15, SIZE_MAX);
        sum = lanes_end(kernel->name, round, 15, sum);
    }
    return sum;
}

#endif

TEST(texts, zlib_streams) {
#ifdef HAVE_ZLIB
    each_kernel(zlib_streams);
#else
    TEST_SKIP("zlib");
#endif
}

TEST(texts, damaged_streams) {
#ifdef HAVE_ZLIB
    each_kernel(damaged_streams);
#else
    TEST_SKIP("zlib");
#endif
}

TEST(texts, short_histories) {
#ifdef HAVE_ZLIB
    each_kernel(short_histories);
#else
    TEST_SKIP("zlib");
#endif
}

/* Random bytes: no crash, and a result within its limits. */
static uint32_t noise(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 4;
    unsigned rounds = MAKER_SLOW ? 100 : 1000;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        segment *g = &segments[round % LANES];
        const bsi_texts_lane *lane = &lanes.lanes[round % LANES];
        size_t bytes = 20 + maker_below(&random, 400);
        test_note("%s, round %u", kernel->name, round);
        stream_begin(&g->s);
        maker_bytes_add(&g->s.file, NULL, bytes);
        for (size_t i = 0; i < bytes; i++) {
            g->s.file.data[i] = (uint8_t)test_random(&random);
        }
        g->s.file.data[0] &= 0xFE;
        stream_border(&g->s, maker_below(&random, 8), 0);
        segment_random(g, 0, &random);
        g->history = maker_below(&random, HISTORY + 1);
        g->capacity = maker_below(&random, 3000);
        lanes_decode(1u << round % LANES, SIZE_MAX);
        CHECK(lane->text_bytes <= g->capacity);
        CHECK(lane->end + g->base * 8 <= g->in_bytes * 8);
        sum = maker_crc(sum, g->block + BEFORE + g->history, lane->text_bytes);
        segment_free(g);
        stream_free(&g->s);
    }
    return sum;
}

TEST(texts, noise) {
    each_kernel(noise);
}
