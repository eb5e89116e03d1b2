/*
 * segments.h - DEFLATE streams with their borders, and segments of them for the ways of >>ops and
 * >>ops, which get the same input and report the same of it.
 *
 * A stream comes from deflate_maker.h, which expands it by the rules of RFC 1951, or its borders and text
 * come from zlib's inflate, which stops at borders when asked. A segment goes from one border to a stop; its
 * input is cut into chunks that are heap blocks of their exact size, at addresses with a tag where tagged.h
 * has one.
 *
 * Include it after white.h and test.h.
 */
#ifndef SEGMENTS_H
#define SEGMENTS_H

#include "deflate_maker.h"
#include "kernels.h"
#include "tagged.h"

#define WAYS    BSI_OPS_WAYS
#define HISTORY 32768u
#define BORDERS 600u

BSI_STATIC_ASSERT(BSI_OPS_TEXTS_WAYS == WAYS, both_rooms_have_as_many_ways);

/* ---- streams and their borders ---- */

/* Text: HISTORY bytes that come before, then the stream's. */
typedef struct stream {
    maker_bytes file, text;
    uint64_t bits[BORDERS]; /* borders: in the file, */
    size_t texts[BORDERS];  /* and in the text, the history not counted */
    size_t border_count;
    int ends; /* the last border is after the last block */
} stream;

TEST_MAYBE_UNUSED static void stream_free(stream *s) {
    maker_bytes_free(&s->file);
    maker_bytes_free(&s->text);
}

/* What the history holds where no text came before. */
TEST_MAYBE_UNUSED static void stream_begin(stream *s) {
    s->file.count = s->text.count = s->border_count = 0;
    s->ends = 0;
    maker_bytes_add(&s->text, NULL, HISTORY);
    for (size_t i = 0; i < HISTORY; i++) {
        s->text.data[i] = (uint8_t)(i * 7 + (i >> 8) * 13);
    }
}

/* Note a border, unless it is the last one again or there are too many. */
TEST_MAYBE_UNUSED static void stream_border(stream *s, uint64_t bit, size_t text) {
    if (s->border_count < BORDERS && (s->border_count == 0 || s->bits[s->border_count - 1] != bit)) {
        s->bits[s->border_count] = bit;
        s->texts[s->border_count++] = text;
    }
}

/* Random blocks, as maker_random_deflate makes them, with the borders noted. */
TEST_MAYBE_UNUSED static void stream_blocks(stream *s, const maker_shape *with, uint64_t *random) {
    static maker_op ops[MAKER_OPS];
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
        count = maker_random_ops(&m, &shape, ops, random);
        if (type == 1) {
            maker_fixed_codes(&litlen, &distance);
            maker_block(&m, last, 1);
        } else {
            maker_random_codes(ops, count, &litlen, &distance, random);
            maker_dynamic(&m, last, &litlen, &distance, random);
        }
        maker_put_ops(&m, ops, count, &litlen, &distance);
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
TEST_MAYBE_UNUSED static void stream_random(stream *s, size_t text_bytes, unsigned blocks, uint64_t *random) {
    static const char *const letters[] = {NULL, "ACGT", "A", "FFFFFFFFFFF:,#"};
    maker_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.blocks = blocks;
    shape.ops = maker_chance(random, 50) ? 4000 : 60;
    shape.text_bytes = text_bytes;
    shape.match_percent = maker_chance(random, 25) ? 0 : maker_below(random, 101);
    shape.letters = letters[maker_below(random, 4)];
    stream_blocks(s, &shape, random);
}

/* A size of a stream's text, at most one of these. */
TEST_MAYBE_UNUSED static size_t size_random(uint64_t *random) {
    static const uint32_t most[] = {1, 20, 300, 5000, 70000};
    return maker_below(random, most[maker_below(random, 5)] + 1);
}

/* A small stream of three blocks or more. */
TEST_MAYBE_UNUSED static void stream_of_blocks(stream *s, uint64_t *random) {
    do {
        stream_free(s);
        stream_random(s, 600, 9, random);
    } while (s->border_count < 4);
}

/* A stream with some bits turned over; its borders and text are for zlib to find. */
TEST_MAYBE_UNUSED static void stream_damaged(stream *s, uint64_t *random) {
    stream_random(s, size_random(random), 6, random);
    for (unsigned flips = maker_below(random, 4); flips > 0; flips--) {
        uint32_t all = (uint32_t)s->file.count;
        uint32_t most = maker_chance(random, 50) ? BSI_MIN(all, 60) : all;
        s->file.data[maker_below(random, most)] ^= (uint8_t)(1u << maker_below(random, 8));
    }
    s->text.count = HISTORY;
    s->border_count = 0;
    s->ends = 0;
}

/* Random bytes, of which the first block is not said to be the last, and one border in the first byte. */
TEST_MAYBE_UNUSED static void stream_noise(stream *s, uint64_t *random) {
    size_t bytes = 20 + maker_below(random, 400);
    stream_begin(s);
    maker_bytes_add(&s->file, NULL, bytes);
    for (size_t i = 0; i < bytes; i++) {
        s->file.data[i] = (uint8_t)test_random(random);
    }
    s->file.data[0] &= 0xFE;
    stream_border(s, maker_below(random, 8), 0);
}

/* `bits` bits from a bit on; those after the file are 0. */
TEST_MAYBE_UNUSED static uint32_t stream_peek(const stream *s, uint64_t bit, unsigned bits) {
    uint32_t value = 0;
    for (unsigned i = 0; i < bits; i++, bit++) {
        if (bit / 8 < s->file.count) {
            value |= (uint32_t)(s->file.data[bit / 8] >> bit % 8 & 1u) << i;
        }
    }
    return value;
}

/* HDIST of the dynamic blocks between two borders, a bit each. */
TEST_MAYBE_UNUSED static uint32_t stream_distance_counts(const stream *s, size_t from, size_t to) {
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
 * Find borders and text of s->file with zlib, from a bit of its first byte on and after the last `history`
 * bytes of s->text, up to the first fault.
 */
TEST_MAYBE_UNUSED static void stream_by_zlib(stream *s, unsigned bit, uint32_t history) {
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

/* FASTQ, or bytes that no match is in, by zlib at some level: large blocks, whose borders zlib finds. */
TEST_MAYBE_UNUSED static void stream_deflated(stream *s, size_t bytes, uint64_t *random) {
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

/*
 * What zlib makes of a file from byte `at` on, after `held` bits in front of it and HISTORY bytes of text:
 * as much as comes, and there is room for, in one call. Returns how many bytes.
 */
TEST_MAYBE_UNUSED static size_t zlib_resume(const maker_bytes *file, size_t at, unsigned held, uint64_t word,
                                            const uint8_t *history, uint8_t *out, size_t room) {
    z_stream z;
    memset(&z, 0, sizeof z);
    CHECK(inflateInit2(&z, -15) == Z_OK);
    CHECK(inflateSetDictionary(&z, history, HISTORY) == Z_OK);
    CHECK(inflatePrime(&z, (int)held, (int)word) == Z_OK);
    z.next_in = file->data + at;
    z.avail_in = (uInt)(file->count - at);
    z.next_out = out;
    z.avail_out = (uInt)room;
    (void)inflate(&z, Z_SYNC_FLUSH);
    inflateEnd(&z);
    return room - z.avail_out;
}

/* Go on after a segment with zlib, as the result says: the rest of the text. */
TEST_MAYBE_UNUSED static void stream_check_goes_on(const stream *s, size_t border, const bsi_ops_way *way,
                                                   uint64_t base_bit) {
    static uint8_t room[1 << 16];
    size_t at = (size_t)((way->end + base_bit + 7) / 8), text = s->texts[border];
    size_t rest = s->text.count - HISTORY - text;
    size_t made = zlib_resume(&s->file, at, way->bit_count, way->word, s->text.data + text, room,
                              sizeof room);
    CHECK(made > 0 || rest == 0 || way->is_last);
    if (!way->is_last) {
        CHECK_MEM(room, s->text.data + HISTORY + text, BSI_MIN(made, rest));
    }
}

#endif

/* ---- segments ---- */

typedef struct segment {
    stream s;
    size_t from;      /* border where it starts */
    size_t in_bytes;  /* of the file, what the way gets */
    size_t base;      /* byte of the file with which the first chunk begins */
    uint64_t stop;    /* bit of the file */
    size_t capacity;  /* ops, or bytes of text */
    uint64_t *ops;    /* where a way of >>ops puts them */
    uint32_t history; /* bytes of it that a way of >>ops knows */
    uint8_t *block;   /* where that way puts its text: bytes in front, the history, the text */
    bsi_guess_chunk *chunks;
    uint32_t chunk_count;
} segment;

TEST_MAYBE_UNUSED static segment segments[WAYS];

/* Leaves the stream. */
TEST_MAYBE_UNUSED static void segment_free(segment *g) {
    for (uint32_t i = 0; i < g->chunk_count; i++) {
        free(untagged(g->chunks[i].bytes));
    }
    free(g->chunks);
    free(g->ops);
    free(g->block);
    g->chunks = NULL;
    g->chunk_count = 0;
    g->ops = NULL;
    g->block = NULL;
}

/* Cut the input into chunks of at most `most` bytes, each a heap block; empty ones come between them. */
TEST_MAYBE_UNUSED static void segment_cut(segment *g, size_t most, uint64_t *random) {
    size_t at = g->base, start_byte = (size_t)(g->s.bits[g->from] / 8);
    g->chunks = (bsi_guess_chunk *)calloc((g->in_bytes - at) * 2 + 2, sizeof *g->chunks);
    g->chunk_count = 0;
    while (at < g->in_bytes || g->chunk_count == 0) {
        size_t count = most > 1 ? 1 + maker_below(random, (uint32_t)most) : 1;
        count = BSI_MAX(count, g->chunk_count == 0 ? start_byte + 1 - at : 1);
        count = BSI_MIN(count, g->in_bytes - at);
        g->chunks[g->chunk_count].bytes = tagged(test_copy(g->s.file.data + at, count));
        g->chunks[g->chunk_count++].count = count;
        at += count;
        if (maker_chance(random, 5)) {
            g->chunks[g->chunk_count++].count = 0;
        }
    }
}

/* The same, of any size. */
TEST_MAYBE_UNUSED static void segment_cut_random(segment *g, uint64_t *random) {
    static const uint32_t mosts[] = {1, 2, 9, 40, 3000, 1 << 20};
    segment_cut(g, mosts[maker_below(random, 6)], random);
}

/* Two chunks, the first of `cut` bytes or what the border needs; border and stop go with `cut` too. */
TEST_MAYBE_UNUSED static void segment_cut_in_two(segment *g, size_t cut) {
    size_t from = cut % (g->s.border_count - 1);
    g->from = from;
    g->base = 0;
    g->in_bytes = g->s.file.count;
    g->stop = g->s.bits[from + cut / g->s.border_count % (g->s.border_count - from)];
    g->chunks = (bsi_guess_chunk *)calloc(2, sizeof *g->chunks);
    g->chunk_count = 2;
    g->chunks[0].count = BSI_MAX(cut, (size_t)(g->s.bits[from] / 8 + 1));
    g->chunks[1].count = g->in_bytes - g->chunks[0].count;
    g->chunks[0].bytes = tagged(test_copy(g->s.file.data, g->chunks[0].count));
    g->chunks[1].bytes = tagged(test_copy(g->s.file.data + g->chunks[0].count, g->chunks[1].count));
}

/* All of the stream, in chunks that are large. */
TEST_MAYBE_UNUSED static void segment_whole(segment *g, uint64_t *random) {
    g->from = g->base = 0;
    g->stop = UINT64_MAX - 7;
    g->in_bytes = g->s.file.count;
    segment_cut(g, 1 << 20, random);
}

/*
 * From a border to a stop, at random; not cut yet. The stream has a byte after its border, or the way no
 * bits.
 */
TEST_MAYBE_UNUSED static void segment_place(segment *g, size_t from, uint64_t *random) {
    const stream *s = &g->s;
    uint64_t last = s->bits[s->border_count - 1];
    size_t start_byte = (size_t)(s->bits[from] / 8);
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
}

/* The border a segment must end at, with room for `most` bytes of text. */
TEST_MAYBE_UNUSED static size_t segment_end(const segment *g, size_t most) {
    const stream *s = &g->s;
    size_t border = g->from;
    while (s->bits[border] < g->stop && border + 1 < s->border_count &&
           (s->bits[border + 1] + 7) / 8 <= g->in_bytes && s->texts[border + 1] - s->texts[g->from] <= most) {
        border++;
    }
    return border;
}

/* What the result of a way says of the border it ended at. */
TEST_MAYBE_UNUSED static void segment_check_border(const segment *g, const bsi_ops_way *way, size_t border) {
    const stream *s = &g->s;
    uint64_t end = way->end + g->base * 8;
    unsigned held = (unsigned)(8 - end % 8) % 8;
    CHECK_EQ_U64(way->status, BSI_OPS_ENDED);
    CHECK_EQ_U64(end, s->bits[border]);
    CHECK_EQ_U64(way->bit_count, held);
    CHECK_EQ_U64(way->word, stream_peek(s, end, held));
    CHECK_EQ_I64(way->is_last, s->ends && border + 1 == s->border_count && border > g->from);
    CHECK_EQ_U64(way->distance_counts, stream_distance_counts(s, g->from, border));
}

/* ---- segments in ways ---- */

/* A room whose ways are tested. */
typedef struct segments_room {
    bsi_ops_way *ways; /* [WAYS] */
    kernel_call (*pick)(uint32_t cpu, int which);
    void (*begin)(uint32_t cpu); /* all ways, over whatever was there */
    void (*start)(size_t way);   /* on segments[way] */
    int (*run)(size_t budget);
    /* Check what the way made of segments[way]; returns the sum with it added. */
    uint32_t (*check)(size_t way, uint32_t sum, uint64_t *random);
} segments_room;

/* Run `body` once for each kernel; what it returns, made of all that ways made, is the same for all. */
TEST_MAYBE_UNUSED static void segments_each_kernel(const segments_room *room,
                                                   uint32_t (*body)(const kernel_mask *kernel)) {
    kernel_mask masks[KERNELS_KNOWN];
    size_t count = kernels_here(room->pick, 0, masks);
    uint32_t first = 0;
    CHECK(count >= 1);
    for (size_t i = 0; i < count; i++) {
        uint32_t sum;
        room->begin(masks[i].cpu);
        sum = body(&masks[i]);
        first = i == 0 ? sum : first;
        test_note("%s against %s", masks[i].name, masks[0].name);
        CHECK_EQ_U64(sum, first);
    }
}

/* Decode the ways of `which`, a bit each, with a budget a call. */
TEST_MAYBE_UNUSED static void segments_decode(const segments_room *room, unsigned which, size_t budget) {
    unsigned left = 0;
    for (size_t i = 0; i < WAYS; i++) {
        room->ways[i].status = BSI_OPS_IDLE;
        if (which >> i & 1u) {
            room->start(i);
            left++;
        }
    }
    while (left > 0) {
        unsigned count = 0, now = (unsigned)room->run(budget);
        for (size_t i = 0; i < WAYS; i++) {
            count += room->ways[i].status == BSI_OPS_RUNNING;
        }
        CHECK_EQ_U64(now, count);
        CHECK(now == left || now + 1 == left);
        CHECK(now < left || budget < SIZE_MAX);
        left = now;
    }
    CHECK_EQ_I64(room->run(budget), 0);
}

/* Check the ways of `which` and leave all segments; adds what they made to a sum. */
TEST_MAYBE_UNUSED static uint32_t segments_end(const segments_room *room, const char *kernel, unsigned round,
                                               unsigned which, uint32_t sum, uint64_t *random) {
    for (size_t i = 0; i < WAYS; i++) {
        test_note("%s, round %u, way %u of %x", kernel, round, (unsigned)i, which);
        if (which >> i & 1u) {
            sum = room->check(i, sum, random);
        } else {
            CHECK_EQ_U64(room->ways[i].status, BSI_OPS_IDLE);
        }
        segment_free(&segments[i]);
        stream_free(&segments[i].s);
    }
    return sum;
}

#endif /* SEGMENTS_H */
