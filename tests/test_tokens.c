/*
 * test_tokens.c - segments of DEFLATE streams decoded into tokens in one to four lanes, and replayed:
 * from every border to several stops, cut into pieces anywhere, with little room, and damaged.
 *
 * Streams, their borders and their text come from deflate_maker.h, which expands them by the rules of RFC
 * 1951, or from zlib's inflate, which stops at borders when asked; not from the code under test.
 */
#include "white.h"
#include "test.h"
#include "deflate_maker.h"
#include "kernels.h"

#define LANES BSI_TOKENS_LANES
#define HISTORY 32768u
#define BORDERS 600u
#define LEAST BSI_TOKENS_LEAST_CAPACITY

/* ---- kernels ---- */

static bsi_tokens_lanes lanes;

static kernel_call pick_tokens(uint32_t cpu, int which) {
    bsi_tokens_kernels kernels;
    bsi_kernels_tokens(&kernels, cpu);
    return which == 0 ? (kernel_call)kernels.fast : (kernel_call)kernels.replay;
}

/* Run `body` once for each kernel; what it returns, made of all tokens, is the same for all. */
static void each_kernel(uint32_t (*body)(const kernel_mask *kernel)) {
    kernel_mask masks[KERNELS_KNOWN];
    size_t count = kernels_here(pick_tokens, 0, masks);
    uint32_t first = 0;
    CHECK(count >= 1);
    for (size_t i = 0; i < count; i++) {
        uint32_t sum;
        memset(&lanes, 0xA5, sizeof lanes);
        bsi_kernels_tokens_lanes(&lanes, masks[i].cpu);
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

/* Find borders and text of s->file with zlib, behind the history, up to the first fault. */
static void stream_by_zlib(stream *s) {
    static uint8_t room[1 << 16];
    z_stream z;
    int status;
    memset(&z, 0, sizeof z);
    CHECK(inflateInit2(&z, -15) == Z_OK);
    CHECK(inflateSetDictionary(&z, s->text.data, HISTORY) == Z_OK);
    z.next_in = s->file.data;
    z.avail_in = (uInt)s->file.count;
    stream_border(s, 0, 0);
    do {
        z.next_out = room;
        z.avail_out = (uInt)sizeof room;
        status = inflate(&z, Z_BLOCK);
        maker_bytes_add(&s->text, room, sizeof room - z.avail_out);
        if (status == Z_OK && (z.data_type & 128)) {
            stream_border(s, (uint64_t)z.total_in * 8 - (unsigned)(z.data_type & 7), z.total_out);
            s->ends = (z.data_type & 64) != 0;
        }
    } while (status == Z_OK && !s->ends);
    inflateEnd(&z);
}

/* Go on behind a segment with zlib, as the result says: the rest of the text. */
static void check_goes_on(const stream *s, size_t border, const bsi_tokens_lane *lane, uint64_t base_bit) {
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
    size_t capacity;
    uint64_t *tokens;
    bsi_guess_piece *pieces;
    uint32_t piece_count;
} segment;

static segment segments[LANES];

static void segment_free(segment *g) {
    for (uint32_t i = 0; i < g->piece_count; i++) {
        free((void *)(uintptr_t)g->pieces[i].bytes);
    }
    free(g->pieces);
    free(g->tokens);
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

/* From a border to a stop, at random. The stream has a byte behind its border, or the lane no bits. */
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
    g->capacity = maker_chance(random, 30) ? LEAST : LEAST + s->text.count;
    segment_cut(g, mosts[maker_below(random, 6)], random);
}

static void lane_start(size_t i) {
    segment *g = &segments[i];
    g->tokens = (uint64_t *)(void *)test_copy(NULL, g->capacity * sizeof *g->tokens);
    bsi_tokens_lane_begin(&lanes.lanes[i], g->pieces, g->piece_count, g->s.bits[g->from] - g->base * 8,
                          g->stop - g->base * 8, g->tokens, g->capacity);
}

/* The border a segment must end at, with room for all tokens. */
static size_t segment_end(const segment *g) {
    const stream *s = &g->s;
    size_t border = g->from;
    while (s->bits[border] < g->stop && border + 1 < s->border_count &&
           (s->bits[border + 1] + 7) / 8 <= g->in_bytes) {
        border++;
    }
    return border;
}

/* Replay all tokens in pages of an odd size, behind the segment's history; compare `bytes` of text. */
static uint32_t check_replay(const segment *g, size_t count, size_t page_bytes, size_t bytes) {
    size_t made = 0;
    uint8_t *page = test_copy(NULL, HISTORY + page_bytes + (size_t)BSI_TOKENS_BEHIND_BYTES);
    const uint8_t *text = g->s.text.data + g->s.texts[g->from];
    uint8_t *limit = page + HISTORY + page_bytes, *out = page + HISTORY;
    const uint64_t *at = g->tokens, *end = at + count;
    memcpy(page, text, HISTORY);
    while (at < end) {
        size_t before = made, written;
        const uint64_t *from = at;
        at = bsi_tokens_replay(&lanes.kernels, at, end, &out, limit);
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
static int reach_model(const uint64_t *tokens, size_t count, uint64_t history) {
    for (size_t i = 0; i < count; i++) {
        history += tokens[i] >> 39 & 7;
        if ((tokens[i] >> 32 & 127) > 0 && tokens[i] >> 48 > history) {
            return 0;
        }
        history += tokens[i] >> 32 & 127;
    }
    return 1;
}

static void check_reach(const segment *g, size_t count, uint32_t history) {
    int model = reach_model(g->tokens, count, history);
    CHECK_EQ_I64(bsi_tokens_reach(g->tokens, g->tokens + count, history), model);
}

/* The result of a lane that ended, at the border it must unless room was short. Returns the border. */
static size_t check_result(size_t i, uint64_t *random) {
    const segment *g = &segments[i];
    const stream *s = &g->s;
    const bsi_tokens_lane *lane = &lanes.lanes[i];
    size_t wanted = segment_end(g), border = g->from, bytes;
    uint64_t end = lane->end + g->base * 8;
    unsigned held = (unsigned)(8 - end % 8) % 8;
    while (border < wanted && s->bits[border] != end) {
        border++;
    }
    CHECK_EQ_U64(lane->status, BSI_TOKENS_ENDED);
    CHECK_EQ_U64(end, s->bits[border]);
    CHECK(lane->token_count <= g->capacity);
    if (s->texts[wanted] - s->texts[g->from] <= g->capacity) {
        CHECK_EQ_U64(border, wanted);
    }
    CHECK(border == wanted || lane->tokens_end - lane->at < 5); /* of which a match is at most */
    CHECK_EQ_U64(lane->bit_count, held);
    CHECK_EQ_U64(lane->word, stream_peek(s, end, held));
    CHECK_EQ_I64(lane->is_last, s->ends && border + 1 == s->border_count && border > g->from);
    CHECK_EQ_U64(lane->distance_counts, stream_distance_counts(s, g->from, border));
    bytes = s->texts[border] - s->texts[g->from];
    CHECK_EQ_U64(check_replay(g, lane->token_count, 1 + maker_below(random, 5000), bytes), bytes);
    check_reach(g, lane->token_count, (uint32_t)BSI_MIN(s->texts[g->from], HISTORY));
    check_reach(g, lane->token_count, 0);
    check_reach(g, lane->token_count, maker_below(random, HISTORY + 100));
    return border;
}

/* Decode the lanes of `which`, a bit each, with a budget a call. */
static void lanes_decode(unsigned which, size_t budget) {
    unsigned under_way = 0, left;
    for (size_t i = 0; i < LANES; i++) {
        lanes.lanes[i].status = BSI_TOKENS_IDLE;
        if (which >> i & 1u) {
            lane_start(i);
            under_way++;
        }
    }
    for (left = under_way; left > 0;) {
        unsigned count = 0, now = (unsigned)bsi_tokens_run(&lanes, budget);
        for (size_t i = 0; i < LANES; i++) {
            count += lanes.lanes[i].status == BSI_TOKENS_UNDER_WAY;
        }
        CHECK_EQ_U64(now, count);
        CHECK(now == left || now + 1 == left);
        CHECK(now < left || budget < SIZE_MAX);
        left = now;
    }
    CHECK_EQ_I64(bsi_tokens_run(&lanes, budget), 0);
}

static uint32_t tokens_sum(uint32_t sum, size_t i) {
    const uint8_t *bytes = (const uint8_t *)segments[i].tokens;
    return maker_crc(sum, bytes, lanes.lanes[i].token_count * sizeof(uint64_t));
}

static size_t size_random(uint64_t *random) {
    static const uint32_t most[] = {1, 20, 300, 5000, 70000};
    return maker_below(random, most[maker_below(random, 5)] + 1);
}

/* Random streams in one to four lanes at once, from any border; lanes and tables are used over and over. */
static uint32_t sound_streams(const kernel_mask *kernel) {
    static const size_t budgets[] = {1, 7, 1000, SIZE_MAX};
    uint64_t random = test_seed();
    unsigned rounds = MAKER_SLOW ? 40 : 200;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        unsigned which = 1 + maker_below(&random, (1u << LANES) - 1);
        for (size_t i = 0; i < LANES; i++) {
            segment *g = &segments[i];
            stream_random(&g->s, size_random(&random), 12, &random);
            segment_random(g, maker_below(&random, (uint32_t)g->s.border_count - 1), &random);
        }
        lanes_decode(which, budgets[maker_below(&random, 4)]);
        for (size_t i = 0; i < LANES; i++) {
            test_note("%s, round %u, lane %u of %x", kernel->name, round, (unsigned)i, which);
            if (which >> i & 1u) {
                (void)check_result(i, &random);
                sum = tokens_sum(sum, i);
            } else {
                CHECK_EQ_U64(lanes.lanes[i].status, BSI_TOKENS_IDLE);
                segments[i].tokens = NULL;
            }
            segment_free(&segments[i]);
            stream_free(&segments[i].s);
        }
    }
    return sum;
}

TEST(tokens, sound_streams) {
    kernel_mask masks[KERNELS_KNOWN];
    kernels_print("tokens", masks, kernels_here(pick_tokens, 0, masks));
    CHECK_EQ_U64(kernels_here(pick_tokens, 1, masks), kernels_here(pick_tokens, 0, masks));
    each_kernel(sound_streams);
}

/*
 * Literals or matches by themselves, in three or four lanes in step: the loop that asks, and more of both
 * than there is room for.
 */
static uint32_t one_kind(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 6;
    unsigned rounds = MAKER_SLOW ? 4 : 12;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        unsigned which = round % 4 < 2 ? 15 : 7;
        maker_shape shape;
        memset(&shape, 0, sizeof shape);
        shape.tokens = 4000;
        shape.blocks = round % 2 == 0 ? 20 : 8;
        shape.match_percent = round % 2 == 0 ? 0 : 100;
        shape.text_bytes = round % 2 == 0 ? 60000 : 1500000;
        for (size_t i = 0; i < LANES; i++) {
            segment *g = &segments[i];
            do {
                stream_blocks(&g->s, &shape, &random);
            } while (g->s.text.count < HISTORY + 2000);
            g->from = g->base = 0;
            g->stop = UINT64_MAX - 7;
            g->in_bytes = g->s.file.count;
            g->capacity = LEAST;
            segment_cut(g, 1 << 20, &random);
        }
        lanes_decode(which, SIZE_MAX);
        for (size_t i = 0; i < LANES; i++) {
            test_note("%s, round %u, lane %u", kernel->name, round, (unsigned)i);
            if (which >> i & 1u) {
                (void)check_result(i, &random);
                sum = tokens_sum(sum, i);
            } else {
                segments[i].tokens = NULL;
            }
            segment_free(&segments[i]);
            stream_free(&segments[i].s);
        }
    }
    return sum;
}

TEST(tokens, one_kind) {
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
            g->capacity = LEAST;
            g->pieces = (bsi_guess_piece *)calloc(2, sizeof *g->pieces);
            g->piece_count = 2;
            g->pieces[0].count = BSI_MAX(cut, (size_t)(g->s.bits[from] / 8 + 1));
            g->pieces[1].count = g->in_bytes - g->pieces[0].count;
            g->pieces[0].bytes = test_copy(g->s.file.data, g->pieces[0].count);
            g->pieces[1].bytes = test_copy(g->s.file.data + g->pieces[0].count, g->pieces[1].count);
            test_note("%s, round %u, cut at %u", kernel->name, round, (unsigned)cut);
            lanes_decode(1, SIZE_MAX);
            (void)check_result(0, &random);
            sum = tokens_sum(sum, 0);
            segment_free(g);
        }
    }
    stream_free(&g->s);
    return sum;
}

TEST(tokens, every_cut) {
    each_kernel(every_cut);
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
    stream_by_zlib(s);
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
            size_t border;
            test_note("%s, round %u, lane %u", kernel->name, round, (unsigned)i);
            border = check_result(i, &random);
            check_goes_on(&segments[i].s, border, &lanes.lanes[i], segments[i].base * 8);
            sum = tokens_sum(sum, i);
            segment_free(&segments[i]);
            stream_free(&segments[i].s);
        }
    }
    return sum;
}

/* Bits turned over: tokens and end are those of the blocks that zlib decodes before its first fault. */
static uint32_t damaged_streams(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 3;
    unsigned rounds = MAKER_SLOW ? 60 : 300;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < LANES; i++) {
            segment *g = &segments[i];
            stream_random(&g->s, size_random(&random), 6, &random);
            for (unsigned flips = maker_below(&random, 4); flips > 0; flips--) {
                uint32_t all = (uint32_t)g->s.file.count;
                uint32_t most = maker_chance(&random, 50) ? BSI_MIN(all, 60) : all;
                g->s.file.data[maker_below(&random, most)] ^= (uint8_t)(1u << maker_below(&random, 8));
            }
            g->s.text.count = HISTORY;
            g->s.border_count = 0;
            g->s.ends = 0;
            stream_by_zlib(&g->s);
            segment_random(g, 0, &random);
        }
        lanes_decode(15, 1 + maker_below(&random, 100000));
        for (size_t i = 0; i < LANES; i++) {
            test_note("%s, round %u, lane %u", kernel->name, round, (unsigned)i);
            (void)check_result(i, &random);
            sum = tokens_sum(sum, i);
            segment_free(&segments[i]);
            stream_free(&segments[i].s);
        }
    }
    return sum;
}

#endif

TEST(tokens, zlib_streams) {
#ifdef HAVE_ZLIB
    each_kernel(zlib_streams);
#else
    TEST_SKIP("zlib");
#endif
}

TEST(tokens, damaged_streams) {
#ifdef HAVE_ZLIB
    each_kernel(damaged_streams);
#else
    TEST_SKIP("zlib");
#endif
}

/* Random bytes: no crash, a result within its limits, and tokens that can be replayed. */
static uint32_t noise(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 4;
    unsigned rounds = MAKER_SLOW ? 100 : 1000;
    uint32_t sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        segment *g = &segments[round % LANES];
        const bsi_tokens_lane *lane = &lanes.lanes[round % LANES];
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
        lanes_decode(1u << round % LANES, SIZE_MAX);
        CHECK(lane->token_count <= g->capacity);
        CHECK(lane->end + g->base * 8 <= g->in_bytes * 8);
        (void)check_replay(g, lane->token_count, 100, 0);
        sum = tokens_sum(sum, round % LANES);
        segment_free(g);
        stream_free(&g->s);
    }
    return sum;
}

TEST(tokens, noise) {
    each_kernel(noise);
}

/* ---- tokens by hand ---- */

TEST(tokens, layout) {
    uint64_t token = UINT64_C(0x8000FE4044434241); /* 0x240 is 4 << 7 | 64; 0xFC00 says nothing */
    uint64_t matches[5];
    CHECK_EQ_U64(bsi_tokens_of_literals(0x4241, 2), UINT64_C(0x0100010000004241));
    CHECK_EQ_U64(bsi_tokens_literals(token), 0x44434241);
    CHECK_EQ_U64(bsi_tokens_count(token), 4);
    CHECK_EQ_U64(bsi_tokens_length(token), 64);
    CHECK_EQ_U64(bsi_tokens_distance(token), 32768);
    CHECK_EQ_U64(bsi_tokens_put_match(matches, 258, 7) - matches, 5);
    CHECK_EQ_U64(matches[3], UINT64_C(7) << 48 | UINT64_C(64) << 32);
    CHECK_EQ_U64(matches[4], UINT64_C(7) << 48 | UINT64_C(2) << 32);
    CHECK_EQ_U64(bsi_tokens_put_match(matches, 64, 1) - matches, 1);
    CHECK_EQ_U64(bsi_tokens_put_match(matches, 65, 1) - matches, 2);
}

/* Tokens of all lengths, distances and numbers of literals, against copies byte by byte. */
static uint32_t all_tokens(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 5;
    segment *g = &segments[0];
    size_t count = 0;
    (void)kernel;
    stream_begin(&g->s);
    stream_border(&g->s, 0, 0);
    g->from = 0;
    g->tokens = (uint64_t *)(void *)test_copy(NULL, 64 * 80 * sizeof *g->tokens);
    for (unsigned length = 0; length <= 64; length++) {
        for (unsigned i = 1; i <= 78; i++) {
            unsigned literals = maker_below(&random, 5);
            unsigned distance = i < 77 ? i : i == 77 ? 32768 : 1 + maker_below(&random, 32768);
            distance = length == 0 ? 256 + maker_below(&random, 32768 - 256) : distance;
            if (length == 0 && i > 20) {
                continue;
            }
            g->tokens[count] = (uint64_t)distance << 48 | (uint64_t)maker_below(&random, 64) << 42;
            g->tokens[count] |= (uint64_t)literals << 39 | (uint64_t)length << 32;
            g->tokens[count++] |= (uint32_t)test_random(&random);
            for (unsigned k = 0; k < literals; k++) {
                uint8_t byte = (uint8_t)(g->tokens[count - 1] >> 8 * k);
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
    free(g->tokens);
    stream_free(&g->s);
    return 0;
}

TEST(tokens, all_tokens) {
    each_kernel(all_tokens);
}
