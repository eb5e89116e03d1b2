/*
 * test_inflate.c - DEFLATE written bit by bit and by a generator that knows the text, and zlib and
 * libdeflate on whatever random damage makes of it.
 *
 * rooms: inflate huff
 * needs: nothing
 */
#include "white.h"
#include "test.h"
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

/* ---- writing DEFLATE ---- */

#define STREAM_BYTES       140000u
#define INFLATE_TEXT_BYTES 400000u

/* A stream being written, and the text it stands for. */
typedef struct writer {
    uint8_t bytes[STREAM_BYTES];
    size_t bits;
    uint8_t text[INFLATE_TEXT_BYTES];
    size_t text_bytes;
} writer;

/*
 * A code: lengths, and the codes of RFC 1951, 3.2.2, most significant bit first. Both arrays have one
 * element type: with bytes beside numbers gcc 12.2 -O1 loses the stores of number() below.
 */
typedef struct code {
    unsigned lengths[288];
    unsigned codes[288];
    unsigned symbols;
} code;

static writer shared_writer, *const w = &shared_writer;

static void start(void) {
    memset(w, 0, sizeof *w);
}

static void put_bit(unsigned bit) {
    if (bit) {
        w->bytes[w->bits / 8] |= (uint8_t)(1u << (w->bits % 8));
    }
    w->bits++;
}

/* Numbers: least significant bit first; what is longer than 32 bits goes on in zeros. */
static void inflate_put(unsigned value, unsigned bits) {
    for (unsigned i = 0; i < bits; i++) {
        put_bit(i < 32 && (value >> i & 1u));
    }
}

/* Codes: most significant bit first. */
static void put_code(unsigned value, unsigned bits) {
    for (unsigned i = bits; i > 0; i--) {
        put_bit(value >> (i - 1) & 1u);
    }
}

static void put_symbol(const code *c, unsigned symbol) {
    put_code(c->codes[symbol], c->lengths[symbol]);
}

static size_t stream_bytes(void) {
    return (w->bits + 7) / 8;
}

/*
 * RFC 1951, 3.2.2: codes of one length are consecutive in symbol order, and the first of a length is the
 * number after the last of the length before with a 0 appended. Lengths and symbols are set.
 */
static void number(code *c) {
    unsigned value = 0;
    for (unsigned bits = 1; bits < 16; bits++) {
        for (unsigned i = 0; i < c->symbols; i++) {
            if (c->lengths[i] == bits) {
                c->codes[i] = value++;
            }
        }
        value <<= 1;
    }
}

static void clear(code *c, unsigned symbols) {
    memset(c, 0, sizeof *c);
    c->symbols = symbols;
}

static void fill(code *c, unsigned from, unsigned to, unsigned bits) {
    for (unsigned i = from; i < to; i++) {
        c->lengths[i] = bits;
    }
}

/* The fixed codes of 3.2.6. */
static void fixed_codes(code *litlen, code *distance) {
    clear(litlen, 288);
    clear(distance, 32);
    fill(litlen, 0, 144, 8);
    fill(litlen, 144, 256, 9);
    fill(litlen, 256, 280, 7);
    fill(litlen, 280, 288, 8);
    fill(distance, 0, 32, 5);
    number(litlen);
    number(distance);
}

/*
 * HLIT, HDIST, HCLEN 19 and a code-length code in which the symbols 0..15 all have 4 bits, so that
 * a length is written as itself. Order of transmission: 16 17 18 first, then 0 8 7 ... 15.
 */
static void put_counts(unsigned litlen, unsigned distance) {
    inflate_put(litlen - 257, 5);
    inflate_put(distance - 1, 5);
    inflate_put(19 - 4, 4);
    for (unsigned i = 0; i < 19; i++) {
        inflate_put(i < 3 ? 0 : 4, 3);
    }
}

static void put_lengths(const code *c) {
    for (unsigned i = 0; i < c->symbols; i++) {
        put_code(c->lengths[i], 4);
    }
}

/* Block header, type 2, with both codes. */
static void put_dynamic(int last, const code *litlen, const code *distance) {
    inflate_put(last ? 1 : 0, 1);
    inflate_put(2, 2);
    put_counts(litlen->symbols, distance->symbols);
    put_lengths(litlen);
    put_lengths(distance);
}

static void put_fixed(int last) {
    inflate_put(last ? 1 : 0, 1);
    inflate_put(1, 2);
}

/* Block header, type 0, padding bits of ones, LEN and its complement. */
static void put_stored(int last, unsigned bytes) {
    inflate_put(last ? 1 : 0, 1);
    inflate_put(0, 2);
    inflate_put(0x7F, (unsigned)(8 - w->bits % 8) % 8);
    inflate_put(bytes, 16);
    inflate_put(~bytes & 0xFFFFu, 16);
}

static void text_literal(unsigned byte) {
    w->text[w->text_bytes++] = (uint8_t)byte;
}

static void text_match(unsigned length, unsigned distance) {
    for (unsigned i = 0; i < length; i++) {
        text_literal(w->text[w->text_bytes - distance]);
    }
}

/* The tables of RFC 1951, 3.2.5, as printed there. */
static const unsigned length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                         31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const unsigned length_extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                          2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const unsigned distance_base[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                           33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                           1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const unsigned distance_extra[30] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                            6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

static void put_literal(const code *litlen, unsigned byte) {
    put_symbol(litlen, byte);
    text_literal(byte);
}

/* A match by symbol numbers and extra bits. */
static void put_match(const code *litlen, unsigned length_symbol, unsigned length_bits, const code *distance,
                      unsigned distance_symbol, unsigned distance_bits) {
    put_symbol(litlen, length_symbol);
    inflate_put(length_bits, length_extra[length_symbol - 257]);
    put_symbol(distance, distance_symbol);
    inflate_put(distance_bits, distance_extra[distance_symbol]);
    text_match(length_base[length_symbol - 257] + length_bits,
               distance_base[distance_symbol] + distance_bits);
}

/* ---- reading it ---- */

typedef struct inflate_outcome {
    bsi_inflate_status status;
    uint8_t *text; /* TEXT_BYTES + some */
    size_t text_bytes;
    size_t consumed;
    const char *detail;
} inflate_outcome;

static uint8_t inflate_text_a[1u << 21], inflate_text_b[1u << 21];
static bsi_inflate decoder; /* of decode(), to look at afterwards */
static uint32_t cpu;        /* which kernels decode() may use; 0: the portable ones */

/*
 * Decode in pieces of so many bytes. Every piece of input is a heap block of its exact size, and
 * every page is one of exactly its history and its own bytes, so that ASan sees any step outside.
 */
static inflate_outcome inflate_decode(const uint8_t *stream, size_t bytes, size_t in_piece, size_t out_piece,
                                      uint8_t *text) {
    inflate_outcome result;
    size_t in_at = 0, in_left = 0;
    uint8_t *piece = NULL;
    const uint8_t *in = NULL, *in_end = NULL;
    memset(&decoder, 0xA5, sizeof decoder); /* begin must not count on zeros */
    bsi_inflate_begin(&decoder);
    bsi_kernels_inflate(&decoder, cpu);
    result.text = text;
    result.text_bytes = 0;
    result.status = BSI_INFLATE_NEED_INPUT;
    for (;;) {
        size_t history = decoder.history_bytes;
        uint8_t *page = test_copy(NULL, history + out_piece);
        uint8_t *out = page + history;
        memcpy(page, text + result.text_bytes - history, history);
        if (result.status == BSI_INFLATE_NEED_INPUT) {
            CHECK(in == in_end);
            free(piece);
            in_left = bytes - in_at < in_piece ? bytes - in_at : in_piece;
            piece = test_copy(stream + in_at, in_left);
            in = piece;
            in_end = piece + in_left;
            in_at += in_left;
        }
        result.status = bsi_inflate_run(&decoder, &in, in_end, &out, page + history + out_piece);
        memcpy(text + result.text_bytes, page + history, (size_t)(out - page) - history);
        result.text_bytes += (size_t)(out - page) - history;
        CHECK_EQ_U64(decoder.history_bytes, result.text_bytes < 32768 ? result.text_bytes : 32768);
        if (result.status == BSI_INFLATE_NEED_OUTPUT) {
            CHECK(out == page + history + out_piece);
        }
        free(page);
        if (result.status == BSI_INFLATE_DONE || result.status == BSI_INFLATE_BAD ||
            (result.status == BSI_INFLATE_NEED_INPUT && in_at == bytes)) {
            break;
        }
    }
    result.consumed = in_at - (size_t)(in_end - in);
    result.detail = decoder.detail;
    if (result.status == BSI_INFLATE_DONE || result.status == BSI_INFLATE_BAD) {
        uint8_t *out = text; /* the verdict stays */
        CHECK(bsi_inflate_run(&decoder, &in, in_end, &out, text) == result.status && out == text);
    }
    free(piece);
    return result;
}

static void check_same(const inflate_outcome *a, const inflate_outcome *b) {
    CHECK_EQ_U64(a->status, b->status);
    CHECK_EQ_U64(a->text_bytes, b->text_bytes);
    if (a->text_bytes == b->text_bytes) {
        CHECK_MEM(a->text, b->text, a->text_bytes);
    }
    if (a->status == BSI_INFLATE_DONE) {
        CHECK_EQ_U64(a->consumed, b->consumed);
    }
    CHECK_STR(a->detail, b->detail);
}

/* The stream written gives this verdict and its text, however it is cut, with the kernels of `cpu`. */
static void check_stream_here(bsi_inflate_status status, const char *detail) {
    static const size_t pieces[] = {1, 2, 3, 7, 4095};
    inflate_outcome whole = inflate_decode(w->bytes, stream_bytes(), STREAM_BYTES, INFLATE_TEXT_BYTES,
                                           inflate_text_a);
    CHECK_EQ_U64(whole.status, status);
    CHECK_STR(whole.detail, detail);
    CHECK_EQ_U64(whole.text_bytes, w->text_bytes);
    if (whole.text_bytes == w->text_bytes) {
        CHECK_MEM(whole.text, w->text, w->text_bytes);
    }
    if (status == BSI_INFLATE_DONE) {
        CHECK_EQ_U64(whole.consumed, stream_bytes());
    }
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
            inflate_outcome cut;
            if (w->text_bytes / pieces[k] + stream_bytes() / pieces[i] > 3000) {
                continue; /* too many pages of 32 KiB of history to copy */
            }
            cut = inflate_decode(w->bytes, stream_bytes(), pieces[i], pieces[k], inflate_text_b);
            check_same(&cut, &whole);
        }
    }
}

/* The same with the portable kernels and with this processor's. */
static void check_stream(bsi_inflate_status status, const char *detail) {
    cpu = bsi_cpu_features();
    check_stream_here(status, detail);
    cpu = 0;
    check_stream_here(status, detail);
}

static void check_done(void) {
    check_stream(BSI_INFLATE_DONE, NULL);
}

static void check_bad(const char *detail) {
    inflate_put(0, 64); /* what follows does not matter, but is there */
    check_stream(BSI_INFLATE_BAD, detail);
}

/* ---- rare legal forms ---- */

TEST(inflate, fixed_block) {
    code litlen, distance;
    fixed_codes(&litlen, &distance);
    start();
    put_fixed(1);
    put_literal(&litlen, 'a');                   /* 8 bits                        */
    put_literal(&litlen, 0xFF);                  /* 9 bits                        */
    put_match(&litlen, 257, 0, &distance, 1, 0); /* 3 bytes from 2 back: overlap */
    put_symbol(&litlen, 256);
    check_done();
    CHECK_MEM(inflate_text_a,
              "a\xFF"
              "a\xFF"
              "a",
              5);
}

TEST(inflate, empty_blocks) {
    code litlen, distance;
    fixed_codes(&litlen, &distance);
    start();
    put_stored(0, 0);
    put_fixed(0);
    put_symbol(&litlen, 256);
    put_stored(0, 0);
    put_stored(0, 0);
    put_fixed(1);
    put_symbol(&litlen, 256);
    check_done();
}

/* Sizes at the ends of LEN's range; the padding bits are ones. */
TEST(inflate, stored_blocks) {
    static const unsigned sizes[] = {1, 65535, 0, 300};
    uint64_t random = test_seed();
    start();
    for (unsigned i = 0; i < 4; i++) {
        put_stored(i == 3, sizes[i]);
        for (unsigned k = 0; k < sizes[i]; k++) {
            unsigned byte = (unsigned)(test_random(&random) & 0xFF);
            inflate_put(byte, 8);
            text_literal(byte);
        }
    }
    check_done();
}

/*
 * Longest match both ways: 285, and 284 with all extra bits set (227 + 31), at every distance up to
 * 40.
 */
TEST(inflate, longest_matches_at_short_distances) {
    code litlen, distance;
    fixed_codes(&litlen, &distance);
    start();
    put_fixed(1);
    for (unsigned i = 0; i < 40; i++) {
        put_literal(&litlen, i * 5);
    }
    for (unsigned back = 1; back <= 40; back++) {
        for (unsigned length = 0; length < 29; length += 7) {
            unsigned symbol = 29;
            while (distance_base[--symbol] > back) {
            }
            put_match(&litlen, 257 + length, 0, &distance, symbol, back - distance_base[symbol]);
            put_match(&litlen, 284, 31, &distance, symbol, back - distance_base[symbol]);
            put_literal(&litlen, back);
        }
    }
    put_symbol(&litlen, 256);
    check_done();
}

/* Distance 32768 = 24577 + 8191 as soon as there are so many bytes, and all other extremes. */
TEST(inflate, longest_distance) {
    code litlen, distance;
    fixed_codes(&litlen, &distance);
    start();
    put_fixed(1);
    for (unsigned i = 0; i < 32768; i++) {
        put_literal(&litlen, (i * 7919 >> 4) & 0xFF);
    }
    for (unsigned symbol = 0; symbol < 30; symbol++) {
        put_match(&litlen, 285, 0, &distance, symbol, 0);
        put_match(&litlen, 265, 1, &distance, symbol, (1u << distance_extra[symbol]) - 1);
    }
    put_symbol(&litlen, 256);
    check_done();
    CHECK_MEM(inflate_text_a + 32768 + 29 * 270 + 258, inflate_text_a + 29 * 270 + 258,
              12); /* 258 and 12 a pair */
}

/*
 * One code of one bit: end of block alone; no distance code at all is written as one of length 0.
 */
TEST(inflate, one_code_trees) {
    code litlen, distance;
    clear(&litlen, 257);
    clear(&distance, 1);
    litlen.lengths[256] = 1;
    number(&litlen);
    start();
    put_dynamic(0, &litlen, &distance);
    put_symbol(&litlen, 256);
    /* a distance tree of one code, used: distance 1 */
    clear(&litlen, 258);
    litlen.lengths['x'] = 2;
    litlen.lengths[256] = 2;
    litlen.lengths[257] = 1;
    number(&litlen);
    distance.lengths[0] = 1;
    number(&distance);
    put_dynamic(0, &litlen, &distance);
    put_literal(&litlen, 'x');
    for (unsigned i = 0; i < 300; i++) {
        put_match(&litlen, 257, 0, &distance, 0, 0);
    }
    put_symbol(&litlen, 256);
    /* literals only, no distance code */
    clear(&litlen, 257);
    clear(&distance, 30);
    litlen.lengths['y'] = 1;
    litlen.lengths[256] = 1;
    number(&litlen);
    put_dynamic(1, &litlen, &distance);
    for (unsigned i = 0; i < 3000; i++) {
        put_literal(&litlen, 'y');
    }
    put_symbol(&litlen, 256);
    check_done();
}

/* A code of lengths 1, 2, ... 14, 15, 15 has subtables of every depth after both roots. */
TEST(inflate, longest_codes) {
    code litlen, distance;
    clear(&litlen, 286);
    clear(&distance, 16);
    for (unsigned i = 0; i < 12; i++) {
        litlen.lengths[i < 2 ? 'A' + i : 255 + i] = i + 1; /* A B, 257..266: 1..12 bits */
    }
    litlen.lengths[256] = 13;
    litlen.lengths[285] = 14;
    litlen.lengths['C'] = 15;
    litlen.lengths['D'] = 15;
    for (unsigned i = 0; i < 16; i++) {
        distance.lengths[i] = i < 15 ? 15 - i : 15; /* 15 14 .. 1 15 */
    }
    number(&litlen);
    number(&distance);
    start();
    put_dynamic(1, &litlen, &distance);
    for (unsigned i = 0; i < 256; i++) {
        put_literal(&litlen, (unsigned)"ABCD"[i * i % 7 % 4]);
    }
    for (unsigned i = 0; i < 160; i++) {
        put_match(&litlen, i % 11 == 10 ? 285 : 257 + i % 11, 0, &distance, i % 16, 0);
        put_literal(&litlen, (unsigned)"ABCD"[i % 4]);
    }
    put_symbol(&litlen, 256);
    check_done();
}

/* Repeats 16, 17 and 18 with least and most, one of them from the first code into the second. */
TEST(inflate, repeats) {
    /* code-length code: 1 -> 1 bit, 18 -> 2 bits, 16 and 17 -> 3 bits; sent 16 17 18 0 8 7 9 6 10 5 11 4 12 3
     * 13 2 14 1 15. Codes: 1 = 0, 18 = 10, 16 = 110, 17 = 111. */
    static const uint8_t sent[18] = {3, 3, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    start();
    inflate_put(1, 1);
    inflate_put(2, 2);
    inflate_put(258 - 257, 5);
    inflate_put(10 - 1, 5);
    inflate_put(18 - 4, 4);
    for (unsigned i = 0; i < 18; i++) {
        inflate_put(sent[i], 3);
    }
    put_code(2, 2), inflate_put(138 - 11, 7); /* 0..137 zero       */
    put_code(2, 2), inflate_put(11 - 11, 7);  /* 138..148 zero     */
    put_code(7, 3), inflate_put(10 - 3, 3);   /* 149..158 zero     */
    put_code(7, 3), inflate_put(3 - 3, 3);    /* 159..161 zero     */
    put_code(2, 2), inflate_put(94 - 11, 7);  /* 162..255 zero     */
    put_code(0, 1);                           /* 256: 1 bit        */
    put_code(0, 1);                           /* 257: 1 bit        */
    put_code(7, 3), inflate_put(10 - 3, 3);   /* no distance code  */
    inflate_put(0, 1);                        /* 256: end of block */
    check_done();
}

/* ---- every fault ---- */

TEST(inflate, bad_block_type) {
    start();
    inflate_put(0, 1);
    inflate_put(3, 2);
    check_bad("invalid block type");
}

TEST(inflate, bad_stored_lengths) {
    start();
    put_stored(0, 1);
    inflate_put('a', 8), text_literal('a');
    inflate_put(1, 1), inflate_put(0, 2), inflate_put(0, 5);
    inflate_put(5, 16), inflate_put(5, 16); /* NLEN is not the complement */
    check_bad("invalid stored block lengths");
}

TEST(inflate, bad_counts) {
    start();
    inflate_put(1, 1), inflate_put(2, 2), put_counts(287, 1);
    check_bad("too many literal/length codes");
    start();
    inflate_put(1, 1), inflate_put(2, 2), put_counts(288, 1);
    check_bad("too many literal/length codes");
    start();
    inflate_put(1, 1), inflate_put(2, 2), put_counts(257, 31);
    check_bad("too many distance codes");
    start();
    inflate_put(1, 1), inflate_put(2, 2), put_counts(257, 32);
    check_bad("too many distance codes");
}

/* HCLEN 4: only 16, 17, 18 and 0 get a length. */
static void put_codelens(unsigned a, unsigned b, unsigned c, unsigned d) {
    start();
    inflate_put(1, 1), inflate_put(2, 2), inflate_put(0, 5), inflate_put(0, 5), inflate_put(0, 4);
    inflate_put(a, 3), inflate_put(b, 3), inflate_put(c, 3), inflate_put(d, 3);
}

TEST(inflate, bad_code_length_code) {
    put_codelens(1, 1, 1, 0); /* three codes of one bit       */
    check_bad("invalid code-length code");
    put_codelens(2, 2, 2, 0); /* a quarter is missing         */
    check_bad("invalid code-length code");
    put_codelens(0, 0, 0, 1); /* one code of one bit: not here */
    check_bad("invalid code-length code");
    put_codelens(0, 0, 0, 0); /* no code: 258 zeros of one bit each, as zlib has it */
    inflate_put(0, 258);
    check_bad("no end-of-block code");
}

TEST(inflate, bad_repeats) {
    put_codelens(1, 0, 0, 1);             /* codes: 0 = 0, 16 = 1 */
    inflate_put(1, 1), inflate_put(0, 2); /* a repeat first of all */
    check_bad("repeat of a code length with none before");
    put_codelens(0, 0, 1, 1);                    /* codes: 0 = 0, 18 = 1 */
    inflate_put(1, 1), inflate_put(138 - 11, 7); /* 138 */
    inflate_put(1, 1), inflate_put(121 - 11, 7); /* 259 of 258 */
    check_bad("too many code lengths");
}

/* A dynamic block of these two codes; nothing follows. */
static void check_bad_codes(const code *litlen, const code *distance, const char *detail) {
    start();
    put_dynamic(1, litlen, distance);
    check_bad(detail);
}

TEST(inflate, bad_codes) {
    code litlen, distance;
    clear(&litlen, 286);
    clear(&distance, 30);
    litlen.lengths['a'] = 1;
    litlen.lengths['b'] = 1;
    check_bad_codes(&litlen, &distance, "no end-of-block code");
    litlen.lengths[256] = 1;
    check_bad_codes(&litlen, &distance, "invalid set of literal/length code lengths");
    litlen.lengths['a'] = 2; /* 1 + 1 + 1/4: over */
    check_bad_codes(&litlen, &distance, "invalid set of literal/length code lengths");
    litlen.lengths['b'] = 3; /* 1/2 + 1/4 + 1/8: incomplete */
    check_bad_codes(&litlen, &distance, "invalid set of literal/length code lengths");
    litlen.lengths['b'] = 0; /* 1/2 + 1/4: incomplete */
    check_bad_codes(&litlen, &distance, "invalid set of literal/length code lengths");
    litlen.lengths['a'] = 0;
    litlen.lengths[256] = 2; /* one code, but of two bits */
    check_bad_codes(&litlen, &distance, "invalid set of literal/length code lengths");
    litlen.lengths['a'] = 1;
    litlen.lengths[256] = 1;
    distance.lengths[3] = 2; /* one code of two bits */
    check_bad_codes(&litlen, &distance, "invalid set of distance code lengths");
    distance.lengths[4] = 2; /* a half is missing */
    check_bad_codes(&litlen, &distance, "invalid set of distance code lengths");
    distance.lengths[5] = distance.lengths[6] = distance.lengths[29] = 2; /* 5/4 */
    check_bad_codes(&litlen, &distance, "invalid set of distance code lengths");
}

/* The pattern that no symbol has, at the exact path and in the middle of the fast loop's reach. */
TEST(inflate, bad_symbols) {
    code litlen, distance;
    clear(&litlen, 257);
    clear(&distance, 30);
    litlen.lengths[256] = 1;
    number(&litlen);
    start();
    put_dynamic(0, &litlen, &distance); /* only 256 = 0 */
    inflate_put(1, 1);
    check_bad("invalid literal/length code");
    for (unsigned literals = 1; literals <= 4000; literals += 3999) {
        for (unsigned tree = 0; tree < 2; tree++) { /* no distance code; one code, whose other bit is sent */
            clear(&litlen, 258);
            litlen.lengths['a'] = 2;
            litlen.lengths[256] = 2;
            litlen.lengths[257] = 1;
            number(&litlen);
            clear(&distance, 30);
            distance.lengths[0] = tree;
            number(&distance);
            start();
            put_dynamic(0, &litlen, &distance);
            for (unsigned i = 0; i < literals; i++) {
                put_literal(&litlen, 'a');
            }
            put_symbol(&litlen, 257);
            inflate_put(1, 1);
            inflate_put(0, 8000);
            check_bad("invalid distance code");
        }
        fixed_codes(&litlen, &distance);
        for (unsigned symbol = 286; symbol < 288; symbol++) {
            start();
            put_fixed(0);
            for (unsigned i = 0; i < literals; i++) {
                put_literal(&litlen, 'a');
            }
            put_symbol(&litlen, symbol);
            inflate_put(0, 8000);
            check_bad("invalid literal/length code");
        }
        for (unsigned symbol = 30; symbol < 32; symbol++) {
            start();
            put_fixed(0);
            for (unsigned i = 0; i < literals; i++) {
                put_literal(&litlen, 'a');
            }
            put_symbol(&litlen, 257);
            put_symbol(&distance, symbol);
            inflate_put(0, 8000);
            check_bad("invalid distance code");
        }
    }
}

/*
 * One byte further back than there is, at the very start, in the middle, and at the last possible
 * place.
 */
TEST(inflate, bad_distance) {
    code litlen, distance;
    fixed_codes(&litlen, &distance);
    for (unsigned literals = 0; literals < 30; literals++) {
        unsigned bytes = distance_base[literals] + (1u << distance_extra[literals]) - 2;
        start();
        put_fixed(0);
        for (unsigned i = 0; i < bytes; i++) {
            put_literal(&litlen, i & 0xFF);
        }
        put_symbol(&litlen, 257);
        put_symbol(&distance, literals);
        inflate_put((1u << distance_extra[literals]) - 1, distance_extra[literals]); /* bytes + 1 */
        inflate_put(0, 8000);
        test_note("after %u bytes", bytes);
        check_bad("distance too far back");
    }
}

/* A stream starts with no history, also when the decoder has one of an earlier stream. */
TEST(inflate, begin_forgets) {
    static bsi_inflate inflate;
    code litlen, distance;
    uint8_t page[600];
    const uint8_t *in = w->bytes;
    uint8_t *out = page;
    fixed_codes(&litlen, &distance);
    start();
    put_fixed(1);
    for (unsigned i = 0; i < 100; i++) {
        put_literal(&litlen, 'a');
    }
    put_symbol(&litlen, 256);
    bsi_inflate_begin(&inflate);
    CHECK_EQ_U64(bsi_inflate_run(&inflate, &in, w->bytes + stream_bytes(), &out, page + 600),
                 BSI_INFLATE_DONE);
    CHECK_EQ_U64(inflate.history_bytes, 100);
    start();
    put_fixed(1);
    put_symbol(&litlen, 257);
    put_symbol(&distance, 0);
    inflate_put(0, 200);
    in = w->bytes;
    bsi_inflate_begin(&inflate);
    CHECK_EQ_U64(bsi_inflate_run(&inflate, &in, w->bytes + stream_bytes(), &out, page + 600),
                 BSI_INFLATE_BAD);
    CHECK_STR(inflate.detail, "distance too far back");
    CHECK(out == page + 100);
}

/* ---- random valid streams ---- */

static uint64_t random_state;

static unsigned below(unsigned bound) {
    return (unsigned)(test_random(&random_state) % bound);
}

/*
 * A random complete code over `used` >= 2 symbols of at most 15 bits: leaves of a binary tree,
 * split at random. `deep` splits the deepest leaf more often than not.
 */
static void random_code(code *c, const unsigned *symbols, unsigned used, int deep) {
    uint8_t leaves[288] = {1, 1};
    for (unsigned count = 2; count < used;) {
        unsigned at = deep && below(4) != 0 ? count - 1 : below(count);
        if (leaves[at] < 15) {
            leaves[at]++;
            leaves[count++] = leaves[at];
        }
    }
    for (unsigned i = 0; i < used; i++) {
        unsigned at = i + below(used - i);
        uint8_t length = leaves[at];
        leaves[at] = leaves[i];
        c->lengths[symbols[i]] = length;
    }
    number(c);
}

static void random_codes(code *litlen, code *distance) {
    unsigned symbols[288], used = 0;
    unsigned literals = 1 + below(255), lengths = below(30), distances = below(31);
    clear(litlen, 257 + lengths);
    symbols[used++] = 256;
    for (unsigned i = 0; i < 256; i++) {
        if (below(256) < literals || i == 'A') {
            symbols[used++] = i;
        }
    }
    for (unsigned i = 0; i < lengths; i++) {
        symbols[used++] = 257 + i;
    }
    random_code(litlen, symbols, used, below(2) != 0);
    clear(distance, distances == 0 ? 1 : distances);
    for (unsigned i = 0; i < distances; i++) {
        symbols[i] = i;
    }
    if (distances == 1) {
        distance->lengths[0] = 1;
        number(distance);
    } else if (distances > 1) {
        random_code(distance, symbols, distances, below(2) != 0);
    }
}

/* Symbols of both codes at random, `percent` of them matches where the history allows. */
static void random_symbols(const code *litlen, const code *distance, unsigned count, unsigned percent) {
    for (unsigned i = 0; i < count; i++) {
        unsigned length = 257 + below(29), back = below(30), bits;
        unsigned literal = below(256);
        if (below(100) < percent && length < litlen->symbols && litlen->lengths[length] != 0 &&
            back < distance->symbols && distance->lengths[back] != 0) {
            bits = below(1u << distance_extra[back]);
            if (distance_base[back] + bits <= w->text_bytes) {
                put_match(litlen, length, below(1u << length_extra[length - 257]), distance, back, bits);
                continue;
            }
        }
        put_literal(litlen, litlen->lengths[literal] != 0 ? literal : 'A');
    }
}

/* A valid stream of a few random blocks, at most about `symbols` symbols each. */
static void random_stream(unsigned blocks, unsigned symbols) {
    code litlen, distance;
    start();
    for (unsigned i = 1 + below(blocks); i > 0; i--) {
        int last = i == 1;
        unsigned bytes, type = below(4);
        if (type == 0) {
            bytes = below(symbols);
            put_stored(last, bytes);
            for (; bytes > 0; bytes--) {
                unsigned byte = below(256);
                inflate_put(byte, 8);
                text_literal(byte);
            }
            continue;
        }
        if (type == 1) {
            fixed_codes(&litlen, &distance);
            put_fixed(last);
        } else {
            random_codes(&litlen, &distance);
            put_dynamic(last, &litlen, &distance);
        }
        random_symbols(&litlen, &distance, below(symbols), below(101));
        put_symbol(&litlen, 256);
    }
}

#ifdef HAVE_LIBDEFLATE
static void check_libdeflate(struct libdeflate_decompressor *peer) {
    size_t consumed = 0, bytes = 0;
    CHECK(libdeflate_deflate_decompress_ex(peer, w->bytes, stream_bytes(), inflate_text_b,
                                           sizeof inflate_text_b, &consumed, &bytes) == LIBDEFLATE_SUCCESS);
    CHECK_EQ_U64(consumed, stream_bytes());
    CHECK_EQ_U64(bytes, w->text_bytes);
    CHECK_MEM(inflate_text_b, w->text, w->text_bytes);
}
#endif

/*
 * Long ones for the fast loop. The text is the generator's own; libdeflate confirms that it is
 * DEFLATE.
 */
TEST(inflate, random_valid_streams) {
#ifdef HAVE_LIBDEFLATE
    struct libdeflate_decompressor *peer = libdeflate_alloc_decompressor();
#endif
    for (unsigned i = 0; i < 400; i++) {
        inflate_outcome result;
        random_state = test_seed() + i;
        random_stream(4, i % 8 == 0 ? 1500 : 300);
        test_note("stream %u", i);
        cpu = i % 2 == 0 ? bsi_cpu_features() : 0;
        result = inflate_decode(w->bytes, stream_bytes(), STREAM_BYTES, INFLATE_TEXT_BYTES, inflate_text_a);
        CHECK_EQ_U64(result.status, BSI_INFLATE_DONE);
        CHECK_EQ_U64(result.consumed, stream_bytes());
        CHECK_EQ_U64(result.text_bytes, w->text_bytes);
        CHECK_MEM(inflate_text_a, w->text, w->text_bytes);
        if (w->text_bytes < 20000) {
            size_t in_piece = 1 + below(400), out_piece = 1 + below(1000);
            result = inflate_decode(w->bytes, stream_bytes(), in_piece, out_piece, inflate_text_b);
            CHECK_EQ_U64(result.status, BSI_INFLATE_DONE);
            CHECK_EQ_U64(result.text_bytes, w->text_bytes);
            CHECK_MEM(inflate_text_b, w->text, w->text_bytes);
        }
#ifdef HAVE_LIBDEFLATE
        check_libdeflate(peer);
#endif
    }
    cpu = 0;
#ifdef HAVE_LIBDEFLATE
    libdeflate_free_decompressor(peer);
#endif
}

/*
 * Input in pieces of every size: a symbol is cut at each of its bits, with room for the fast loop
 * after the cut.
 */
TEST(inflate, every_piece_size) {
    for (unsigned i = 0; i < 12; i++) {
        random_state = test_seed() + 600 + i;
        random_stream(3, 150);
        for (size_t piece = 1; piece <= stream_bytes(); piece++) {
            inflate_outcome result;
            cpu = piece % 2 == 0 ? bsi_cpu_features() : 0;
            result = inflate_decode(w->bytes, stream_bytes(), piece, 20000, inflate_text_a);
            test_note("stream %u, pieces of %u", i, (unsigned)piece);
            CHECK_EQ_U64(result.status, BSI_INFLATE_DONE);
            CHECK_EQ_U64(result.consumed, stream_bytes());
            CHECK_EQ_U64(result.text_bytes, w->text_bytes);
            CHECK_MEM(inflate_text_a, w->text, w->text_bytes);
        }
    }
    cpu = 0;
}

/*
 * Blocks of matches: few literals and all lengths and distances, so that a quarter of the code space
 * and more is theirs. Small texts meet the start of the history, and every way to copy.
 */
TEST(inflate, blocks_of_matches) {
    for (unsigned i = 0; i < 60; i++) {
        code litlen, distance;
        unsigned symbols[288], used = 0, literals = 1 + i % 9;
        inflate_outcome result;
        random_state = test_seed() + 700 + i;
        clear(&litlen, 286);
        clear(&distance, 30);
        for (unsigned k = 0; k < literals; k++) {
            symbols[used++] = 'A' + k;
        }
        for (unsigned k = 256; k < 286; k++) {
            symbols[used++] = k;
        }
        random_code(&litlen, symbols, used, i % 3 == 0);
        for (unsigned k = 0; k < 30; k++) {
            symbols[k] = k;
        }
        random_code(&distance, symbols, 30, i % 4 == 0);
        start();
        put_dynamic(1, &litlen, &distance);
        random_symbols(&litlen, &distance, 2500, 20 + below(80));
        put_symbol(&litlen, 256);
        for (unsigned turn = 0; turn < 2; turn++) {
            cpu = turn == 0 ? 0 : bsi_cpu_features();
            test_note("stream %u, turn %u", i, turn);
            result = inflate_decode(w->bytes, stream_bytes(), STREAM_BYTES, INFLATE_TEXT_BYTES,
                                    inflate_text_a);
            CHECK_EQ_U64(result.status, BSI_INFLATE_DONE);
            CHECK_EQ_U64(result.consumed, stream_bytes());
            CHECK_EQ_U64(result.text_bytes, w->text_bytes);
            CHECK_MEM(inflate_text_a, w->text, w->text_bytes);
            if (i % 3 != 0) { /* no deep code: its length codes have their quarter */
                CHECK(decoder.match_space >= BSI_INFLATE_MATCH_SPACE);
            }
        }
        cpu = 0;
    }
}

/* The symbol whose code starts these bits, first bit lowest, if it ends within them; else 288. */
static unsigned symbol_at(const code *c, unsigned bits, unsigned count) {
    for (unsigned symbol = 0; symbol < c->symbols; symbol++) {
        unsigned length = c->lengths[symbol], value = 0;
        for (unsigned i = 0; i < length; i++) {
            value = value << 1 | (bits >> i & 1u);
        }
        if (length > 0 && length <= count && value == c->codes[symbol]) {
            return symbol;
        }
    }
    return 288;
}

/*
 * What a wide entry has to say of the bits of a look-up, read symbol by symbol from the code itself:
 * literals and at last a length. After the first symbol it looks at `most` bits at most, in which are no
 * more than three literals: fewer than 4 times the shortest code of one.
 */
static void check_wide_entry(const code *litlen, uint64_t entry, unsigned pattern, unsigned wide_bits,
                             unsigned most) {
    unsigned literals = 0, count = 0, bits = 0, length = 0;
    int rare = 0;
    for (;;) {
        unsigned symbol = symbol_at(litlen, pattern >> bits, wide_bits - bits);
        if (symbol < 256) {
            bits += litlen->lengths[symbol];
            literals |= symbol << 8 * count++;
            wide_bits = count == 1 && wide_bits > bits + most ? bits + most : wide_bits;
        } else {
            unsigned code_bits = 0, extra_bits = 0, extra = 0, value = 0;
            if (symbol > 256 && symbol < 286) {
                code_bits = litlen->lengths[symbol];
                extra_bits = length_extra[symbol - 257];
                extra = pattern >> bits >> code_bits & ((1u << extra_bits) - 1);
                value = length_base[symbol - 257] + extra;
            }
            if (value != 0 && value <= 64 && bits + code_bits + extra_bits <= wide_bits) {
                length = value;
                bits += code_bits + extra_bits;
            } else {
                rare = count == 0;
            }
            break;
        }
    }
    CHECK_EQ_U64(entry >> 31 & 1u, rare);
    if (!rare) {
        CHECK_EQ_U64(entry >> 16 & 0x7FFF, count);
        CHECK_EQ_U64(entry >> 32, literals);
        CHECK_EQ_U64(entry & 0xFF, bits);
        CHECK_EQ_U64((entry & BSI_HUFF_MATCH) != 0, length != 0);
        CHECK_EQ_U64(entry >> 9 & 0x7F, length);
    }
}

/* All entries of wide tables of both sizes, for codes of all shapes, by both kernels. */
TEST(inflate, wide_tables) {
    static uint32_t litlen_table[BSI_HUFF_LITLEN_ENTRIES];
    static uint64_t wide[BSI_HUFF_WIDE_ENTRIES];
    for (unsigned i = 0; i < 40; i++) {
        code litlen, distance;
        uint8_t lengths[288];
        bsi_huff_plan plan;
        unsigned shortest = 15; /* of the literals' codes */
        random_state = test_seed() + 900 + i;
        random_codes(&litlen, &distance);
        for (unsigned k = 0; k < litlen.symbols; k++) {
            lengths[k] = (uint8_t)litlen.lengths[k];
        }
        REQUIRE(bsi_huff_build(&plan, litlen_table, BSI_HUFF_KIND_LITLEN, lengths, litlen.symbols));
        for (unsigned k = 0; k < 256; k++) {
            shortest = lengths[k] > 0 && lengths[k] < shortest ? lengths[k] : shortest;
        }
        for (unsigned turn = 0; turn < 2; turn++) {
            if (turn < 1) {
                bsi_huff_widen_portable(wide, litlen_table);
#if BSI_CPU_X86_AVX2
            } else if (bsi_cpu_features() & BIOST_CPU_AVX2) {
                bsi_huff_widen_avx2(wide, litlen_table);
#endif
            } else {
                continue;
            }
            for (unsigned pattern = 0; pattern < BSI_HUFF_WIDE_ENTRIES; pattern++) {
                test_note("code %u, turn %u, pattern %u", i, turn, pattern);
                check_wide_entry(&litlen, wide[pattern], pattern, BSI_HUFF_WIDE_BITS, 4 * shortest - 1);
            }
        }
    }
}

/* Levels end where they are said to end, and the largest just where their memory does. */
TEST(inflate, levels_end) {
    static uint32_t litlen_table[BSI_HUFF_LITLEN_ENTRIES];
    unsigned largest = 0;
    for (unsigned i = 0; i < 40; i++) {
        struct {
            bsi_huff_levels levels;
            uint64_t after;
        } room;
        code litlen, distance;
        uint8_t lengths[288];
        bsi_huff_plan plan;
        uint32_t end;
        random_state = test_seed() + 1900 + i;
        random_codes(&litlen, &distance);
        for (unsigned k = 0; k < litlen.symbols; k++) {
            lengths[k] = (uint8_t)litlen.lengths[k];
        }
        REQUIRE(bsi_huff_build(&plan, litlen_table, BSI_HUFF_KIND_LITLEN, lengths, litlen.symbols));
        memset(&room, 0xA5, sizeof room);
        room.levels.most = bsi_huff_level_bits(litlen_table);
        end = (uint32_t)2 << room.levels.most;
        REQUIRE(end <= BSI_HUFF_LEVEL_ENTRIES);
        bsi_huff_fill_levels(&room.levels, litlen_table, end);
        test_note("code %u, %u entries", i, (unsigned)end);
        CHECK_EQ_U64(room.after, 0xA5A5A5A5A5A5A5A5);
        for (uint32_t at = end; at < BSI_HUFF_LEVEL_ENTRIES; at++) {
            CHECK_EQ_U64(room.levels.entries[at], 0xA5A5A5A5A5A5A5A5);
        }
        largest += end == BSI_HUFF_LEVEL_ENTRIES;
    }
    CHECK(largest > 0);
}

/* In front of the distance table proper stand steps without a match: no bits, and a distance. */
TEST(inflate, steps_without_a_match) {
    bsi_inflate_begin(&decoder);
    for (unsigned i = 0; i < 256; i++) {
        CHECK_EQ_U64(decoder.distances[i], 256u << 16);
    }
}

/* A decoder copied in the middle of a stream goes on as the first would: it holds no own address. */
TEST(inflate, may_be_copied) {
    static bsi_inflate first, second;
    const uint8_t *in = w->bytes;
    uint8_t *out = inflate_text_a;
    random_state = test_seed() + 800;
    do {
        random_stream(3, 1500);
    } while (w->text_bytes < 4000);
    bsi_inflate_begin(&first);
    bsi_kernels_inflate(&first, bsi_cpu_features());
    CHECK_EQ_U64(bsi_inflate_run(&first, &in, w->bytes + stream_bytes(), &out, inflate_text_a + 2000),
                 BSI_INFLATE_NEED_OUTPUT);
    second = first;
    memset(&first, 0xA5, sizeof first);
    CHECK_EQ_U64(
        bsi_inflate_run(&second, &in, w->bytes + stream_bytes(), &out, inflate_text_a + INFLATE_TEXT_BYTES),
        BSI_INFLATE_DONE);
    CHECK_EQ_U64((size_t)(out - inflate_text_a), w->text_bytes);
    CHECK_MEM(inflate_text_a, w->text, w->text_bytes);
}

/* ---- damage ---- */

/* No prefix is a stream: each wants more input and gives a prefix of the text. */
TEST(inflate, every_prefix) {
    for (unsigned i = 0; i < 12; i++) {
        random_state = test_seed() + 1000 + i;
        random_stream(3, 100);
        for (size_t bytes = 0; bytes < stream_bytes(); bytes++) {
            inflate_outcome result = inflate_decode(w->bytes, bytes, STREAM_BYTES, INFLATE_TEXT_BYTES,
                                                    inflate_text_a);
            test_note("stream %u, %u bytes", i, (unsigned)bytes);
            CHECK_EQ_U64(result.status, BSI_INFLATE_NEED_INPUT);
            CHECK_EQ_U64(result.consumed, bytes);
            if (CHECK(result.text_bytes <= w->text_bytes)) {
                CHECK_MEM(inflate_text_a, w->text, result.text_bytes);
            }
        }
    }
}

#ifdef HAVE_ZLIB
static uint8_t text_z[1u << 21];

/* What zlib's inflate says. */
static inflate_outcome by_zlib(z_stream *z, const uint8_t *stream, size_t bytes) {
    inflate_outcome result;
    int verdict;
    inflateReset(z);
    z->next_in = (z_const Bytef *)stream;
    z->avail_in = (uInt)bytes;
    z->next_out = text_z;
    z->avail_out = (uInt)sizeof text_z;
    verdict = inflate(z, Z_NO_FLUSH);
    result.status = verdict == Z_STREAM_END   ? BSI_INFLATE_DONE
                    : verdict == Z_DATA_ERROR ? BSI_INFLATE_BAD
                                              : BSI_INFLATE_NEED_INPUT;
    result.text = text_z;
    result.text_bytes = sizeof text_z - z->avail_out;
    result.consumed = bytes - z->avail_in;
    result.detail = NULL;
    return result;
}

/* Both kernels say the same, and that is what zlib says. */
static void inflate_check_zlib(z_stream *z, const uint8_t *stream, size_t bytes, size_t in_piece,
                               size_t out_piece) {
    inflate_outcome ours = inflate_decode(stream, bytes, in_piece, out_piece, inflate_text_a);
    inflate_outcome theirs = by_zlib(z, stream, bytes), picked;
    cpu = bsi_cpu_features();
    picked = inflate_decode(stream, bytes, in_piece, out_piece, inflate_text_b);
    cpu = 0;
    CHECK((ours.detail != NULL) == (ours.status == BSI_INFLATE_BAD));
    check_same(&picked, &ours);
    ours.detail = NULL;
    check_same(&ours, &theirs);
}
#endif

/*
 * Every single bit of a few small streams flipped: zlib's verdict, bytes and end; and the same in
 * pieces of one.
 */
TEST(inflate, every_bit_flip) {
#ifdef HAVE_ZLIB
    z_stream z;
    memset(&z, 0, sizeof z);
    REQUIRE(inflateInit2(&z, -15) == Z_OK);
    for (unsigned i = 0; i < 8; i++) {
        random_state = test_seed() + 2000 + i;
        random_stream(2, 40);
        for (size_t bit = 0; bit < w->bits; bit++) {
            w->bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            test_note("stream %u, bit %u", i, (unsigned)bit);
            inflate_check_zlib(&z, w->bytes, stream_bytes(), STREAM_BYTES, 20000);
            if (bit % 7 == 0) {
                inflate_check_zlib(&z, w->bytes, stream_bytes(), 1, 64);
            }
            w->bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
    }
    inflateEnd(&z);
#else
    TEST_SKIP("zlib");
#endif
}

/* One to four bytes or bits of a stream changed, or its header grown from random bits. */
static void mutate(unsigned round) {
    if (round % 5 == 0) {
        for (size_t i = 0; i < 300; i++) {
            w->bytes[i] = (uint8_t)below(256);
        }
        w->bytes[0] = (uint8_t)((w->bytes[0] & ~6u) | (round % 10 == 0 ? 4u : 2u)); /* dynamic or fixed */
        w->bits = 300 * 8;
        return;
    }
    for (unsigned i = 1 + below(4); i > 0; i--) {
        size_t reach = below(2) != 0 ? 80 : stream_bytes();
        size_t at = below((unsigned)(reach < stream_bytes() ? reach : stream_bytes()));
        w->bytes[at] = (uint8_t)(below(2) != 0 ? w->bytes[at] ^ 1u << below(8) : below(256));
    }
}

/* 20,000 damaged or random streams: verdict, every byte, and where it ended are zlib's. */
TEST(inflate, like_zlib) {
#ifdef HAVE_ZLIB
    z_stream z;
    memset(&z, 0, sizeof z);
    REQUIRE(inflateInit2(&z, -15) == Z_OK);
    for (unsigned round = 0; round < 20000; round++) {
        random_state = test_seed() + 5000 + round;
        if (round % 20 == 0) {
            random_stream(3, 200);
        }
        test_note("round %u", round);
        mutate(round);
        if (round % 10 == 3) {
            size_t in_piece = 1 + below(100), out_piece = 1 + below(1000);
            inflate_check_zlib(&z, w->bytes, stream_bytes(), in_piece, out_piece);
        } else {
            inflate_check_zlib(&z, w->bytes, stream_bytes(), STREAM_BYTES, 20000);
        }
    }
    inflateEnd(&z);
#else
    TEST_SKIP("zlib");
#endif
}
