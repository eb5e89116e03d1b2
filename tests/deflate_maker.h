/*
 * deflate_maker.h - gzip files made bit by bit and at random, with the text they stand for.
 *
 * A maker holds three things that grow together: the file, the text it expands to, and a mask of the
 * loose bits: those that say nothing about the text, so that a flip of one must change nothing. Text
 * is expanded here by the three rules of RFC 1951 (a literal, a match, stored bytes), not by any
 * decoder; where zlib is there, maker_control reads any file as the library must, with zlib's inflate
 * in a loop over members that follows the tables of what is accepted.
 *
 * Include it after biostream.h (for the names of faults) and test.h.
 */
#ifndef DEFLATE_MAKER_H
#define DEFLATE_MAKER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

/* Sanitizers make everything several times slower: then tests do less. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MAKER_SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define MAKER_SLOW 1
#endif
#endif
#ifndef MAKER_SLOW
#define MAKER_SLOW 0
#endif

/* ---- bytes that grow ---- */

typedef struct maker_bytes {
    uint8_t *data;
    size_t count, capacity;
} maker_bytes;

/* `from` NULL: zeros. */
static void maker_bytes_add(maker_bytes *to, const void *from, size_t count) {
    if (to->data == NULL || to->capacity - to->count < count) {
        to->capacity = (to->count + count) * 2 + 256;
        to->data = (uint8_t *)realloc(to->data, to->capacity);
        if (to->data == NULL) {
            printf("no memory for %llu bytes\n", (unsigned long long)to->capacity);
            exit(1);
        }
    }
    if (count > 0 && from != NULL) {
        memcpy(to->data + to->count, from, count);
    } else if (count > 0) {
        memset(to->data + to->count, 0, count);
    }
    to->count += count;
}

static void maker_bytes_free(maker_bytes *bytes) {
    free(bytes->data);
    memset(bytes, 0, sizeof *bytes);
}

/* 0..bound-1 */
TEST_MAYBE_UNUSED static uint32_t maker_below(uint64_t *random, uint32_t bound) {
    return (uint32_t)((test_random(random) >> 32) % bound);
}

/* True `percent` times of a hundred. */
TEST_MAYBE_UNUSED static int maker_chance(uint64_t *random, uint32_t percent) {
    return maker_below(random, 100) < percent;
}

/* CRC-32 of RFC 1952, one bit at a time (its annex, 8, has the same with a table). */
TEST_MAYBE_UNUSED static uint32_t maker_crc(uint32_t crc, const uint8_t *bytes, size_t count) {
    static uint32_t table[256]; /* of a byte; filled by the first call, which tests make alone */
    size_t i;
    if (table[1] == 0) {
        uint32_t byte, bit;
        for (byte = 0; byte < 256; ++byte) {
            uint32_t value = byte;
            for (bit = 0; bit < 8; ++bit) {
                value = value >> 1 ^ ((value & 1u) ? 0xEDB88320u : 0u);
            }
            table[byte] = value;
        }
    }
    crc = ~crc;
    for (i = 0; i < count; ++i) {
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xFFu];
    }
    return ~crc;
}

/* ---- the maker ---- */

/* Where a member ends. */
typedef struct maker_border {
    size_t file, text;
    int block; /* it is a BGZF block */
} maker_border;

#define MAKER_BORDERS 512u /* members kept of one file; more are made, but not noted */

typedef struct maker {
    maker_bytes file;
    maker_bytes loose; /* [file.count] bits that say nothing */
    maker_bytes text;
    unsigned free_bits;  /* of file's last byte, most significant first; 0..7 */
    size_t member_file;  /* where the member under way starts */
    size_t member_text;  /* and its text */
    size_t size_at;      /* where BSIZE of the block under way stands; 0: it is none */
    size_t header_end;   /* where FHCRC stands; 0: there is none */
    size_t border_count; /* members ended */
    maker_border borders[MAKER_BORDERS];
} maker;

/* Zeroed, or used before and not freed. */
TEST_MAYBE_UNUSED static void maker_begin(maker *m) {
    m->file.count = m->loose.count = m->text.count = 0;
    m->free_bits = 0;
    m->member_file = m->member_text = m->size_at = m->header_end = m->border_count = 0;
}

TEST_MAYBE_UNUSED static void maker_free(maker *m) {
    maker_bytes_free(&m->file);
    maker_bytes_free(&m->loose);
    maker_bytes_free(&m->text);
    memset(m, 0, sizeof *m);
}

/* Whole bytes, all bits of them loose or none. */
static void maker_raw(maker *m, const void *bytes, size_t count, int loose) {
    m->free_bits = 0;
    maker_bytes_add(&m->file, bytes, count);
    maker_bytes_add(&m->loose, NULL, count);
    if (loose) {
        memset(m->loose.data + m->loose.count - count, 0xFF, count);
    }
}

/* Little-endian. */
static void maker_number(maker *m, uint32_t value, unsigned bytes, int loose) {
    for (; bytes > 0; --bytes, value >>= 8) {
        uint8_t byte = (uint8_t)(value & 0xFFu);
        maker_raw(m, &byte, 1, loose);
    }
}

/* ---- bits ---- */

static void maker_bit(maker *m, unsigned bit, unsigned loose) {
    uint8_t mask;
    if (m->free_bits == 0) {
        maker_raw(m, NULL, 1, 0);
        m->free_bits = 8;
    }
    mask = (uint8_t)(0x100u >> m->free_bits);
    m->file.data[m->file.count - 1] |= bit ? mask : 0;
    m->loose.data[m->loose.count - 1] |= loose ? mask : 0;
    --m->free_bits;
}

/* A number: least significant bit first. */
static void maker_put(maker *m, uint32_t value, unsigned bits) {
    for (; bits > 0; --bits, value >>= 1) {
        maker_bit(m, value & 1u, 0);
    }
}

/* A Huffman code: most significant bit first. */
static void maker_put_code(maker *m, uint32_t value, unsigned bits) {
    for (; bits > 0; --bits) {
        maker_bit(m, value >> (bits - 1) & 1u, 0);
    }
}

/* To the next byte. What stands in between is never looked at. */
static void maker_align(maker *m, uint32_t padding) {
    for (; m->free_bits > 0; padding >>= 1) {
        maker_bit(m, padding & 1u, 1);
    }
}

/* ---- text ---- */

static void maker_text(maker *m, const void *bytes, size_t count) {
    maker_bytes_add(&m->text, bytes, count);
}

/* A copy may read what it just wrote, so byte by byte. */
static void maker_text_match(maker *m, unsigned length, unsigned distance) {
    for (; length > 0; --length) {
        uint8_t byte = m->text.data[m->text.count - distance];
        maker_text(m, &byte, 1);
    }
}

/* How far back a match may reach. */
static size_t maker_history(const maker *m) {
    size_t bytes = m->text.count - m->member_text;
    return bytes < 32768 ? bytes : 32768;
}

/* ---- codes (RFC 1951, 3.2.2 and 3.2.5) ---- */

typedef struct maker_code {
    unsigned lengths[288]; /* in bits; 0: the symbol is not used */
    unsigned codes[288];
    unsigned symbols; /* lengths that are sent */
} maker_code;

static const unsigned maker_length_base[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                               15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                               67, 83, 99, 115, 131, 163, 195, 227, 258};
static const unsigned maker_length_bits[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                               2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const unsigned maker_distance_base[30] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const unsigned maker_distance_bits[30] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                                 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

/* Codes of one length are consecutive in symbol order; the next length goes on with a 0 appended. */
static void maker_code_number(maker_code *code) {
    unsigned value = 0, bits, i;
    for (bits = 1; bits < 16; ++bits) {
        for (i = 0; i < code->symbols; ++i) {
            if (code->lengths[i] == bits) {
                code->codes[i] = value++;
            }
        }
        value <<= 1;
    }
}

TEST_MAYBE_UNUSED static void maker_code_clear(maker_code *code, unsigned symbols) {
    memset(code, 0, sizeof *code);
    code->symbols = symbols;
}

/* The fixed codes of 3.2.6. */
TEST_MAYBE_UNUSED static void maker_fixed_codes(maker_code *litlen, maker_code *distance) {
    unsigned i;
    maker_code_clear(litlen, 288);
    maker_code_clear(distance, 32);
    for (i = 0; i < 288; ++i) {
        litlen->lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    }
    for (i = 0; i < 32; ++i) {
        distance->lengths[i] = 5;
    }
    maker_code_number(litlen);
    maker_code_number(distance);
}

static void maker_symbol(maker *m, const maker_code *code, unsigned symbol) {
    maker_put_code(m, code->codes[symbol], code->lengths[symbol]);
}

/*
 * A random complete code over the symbols marked with any length: the leaves of a binary tree that
 * is split at random, at most `most` bits deep. One symbol gets one bit, none none. `deep`: mostly
 * the deepest leaf is split.
 */
static void maker_code_random(maker_code *code, unsigned most, int deep, uint64_t *random) {
    unsigned leaves[288], used[288], count = 0, made, i;
    for (i = 0; i < code->symbols; ++i) {
        if (code->lengths[i] > 0) {
            used[count++] = i;
        }
    }
    leaves[0] = count > 1 ? 0 : 1;
    for (made = 1; made < count;) {
        unsigned at = deep && maker_chance(random, 75) ? made - 1 : maker_below(random, made);
        if (leaves[at] < most) {
            ++leaves[at];
            leaves[made++] = leaves[at];
        }
    }
    for (i = 0; i < count; ++i) {
        unsigned at = i + maker_below(random, count - i), length = leaves[at];
        leaves[at] = leaves[i];
        code->lengths[used[i]] = length;
    }
    maker_code_number(code);
}

/* ---- blocks ---- */

static void maker_block(maker *m, int last, unsigned type) {
    maker_put(m, last ? 1 : 0, 1); /* BFINAL */
    maker_put(m, type, 2);         /* BTYPE  */
}

/* A stored block of at most 65535 bytes. */
static void maker_stored(maker *m, int last, uint32_t padding, const void *bytes, size_t count) {
    maker_block(m, last, 0);
    maker_align(m, padding);                          /* never looked at    */
    maker_number(m, (uint32_t)count, 2, 0);           /* LEN                */
    maker_number(m, (uint32_t)count ^ 0xFFFFu, 2, 0); /* NLEN, its opposite */
    maker_raw(m, bytes, count, 0);
    maker_text(m, bytes, count);
}

static void maker_literal(maker *m, const maker_code *litlen, unsigned byte) {
    uint8_t one = (uint8_t)byte;
    maker_symbol(m, litlen, byte);
    maker_text(m, &one, 1);
}

/* The symbol of a length; `longest` says 258 with 284 and 31 extra (227 + 31), else with 285. */
static unsigned maker_length_symbol(unsigned length, int longest) {
    unsigned i = 28;
    if (length == 258 && longest) {
        return 284;
    }
    while (maker_length_base[i] > length) {
        --i;
    }
    return 257 + i;
}

static unsigned maker_distance_symbol(unsigned distance) {
    unsigned i = 29;
    while (maker_distance_base[i] > distance) {
        --i;
    }
    return i;
}

TEST_MAYBE_UNUSED static void maker_match(maker *m, const maker_code *litlen, const maker_code *distances,
                                          unsigned length, int longest, unsigned distance) {
    unsigned symbol = maker_length_symbol(length, longest), back = maker_distance_symbol(distance);
    maker_symbol(m, litlen, symbol);
    maker_put(m, length - maker_length_base[symbol - 257], maker_length_bits[symbol - 257]);
    maker_symbol(m, distances, back);
    maker_put(m, distance - maker_distance_base[back], maker_distance_bits[back]);
    maker_text_match(m, length, distance);
}

/* One step of sending code lengths: a length, or 16, 17 or 18 with its extra bits. */
typedef struct maker_step {
    unsigned symbol, extra;
} maker_step;

/*
 * Cut the lengths of both codes, one after the other, into steps. Repeats are taken at random where
 * they fit, also across the border of the codes. Returns how many.
 */
static unsigned maker_steps(const unsigned *lengths, unsigned count, maker_step *steps, uint64_t *random) {
    unsigned made = 0, at = 0;
    while (at < count) {
        unsigned run = 1, take;
        while (at + run < count && lengths[at + run] == lengths[at]) {
            ++run;
        }
        if (lengths[at] == 0 && run >= 3 && maker_chance(random, 90)) {
            int big = run >= 11 && maker_chance(random, 80);
            unsigned most = big ? 138 : 10, least = big ? 11 : 3;
            most = run < most ? run : most;
            take = maker_chance(random, 70) ? most : least + maker_below(random, most - least + 1);
            steps[made].symbol = big ? 18 : 17;
            steps[made++].extra = take - least;
        } else if (at > 0 && lengths[at - 1] == lengths[at] && run >= 3 && maker_chance(random, 80)) {
            unsigned most = run < 6 ? run : 6;
            take = maker_chance(random, 70) ? most : 3 + maker_below(random, most - 2);
            steps[made].symbol = 16;
            steps[made++].extra = take - 3;
        } else {
            take = 1;
            steps[made].symbol = lengths[at];
            steps[made++].extra = 0;
        }
        at += take;
    }
    return made;
}

/* The header of a dynamic block (3.2.7) with these two codes, in one of many ways to write it. */
static void maker_dynamic(maker *m, int last, const maker_code *litlen, const maker_code *distance,
                          uint64_t *random) {
    static const unsigned order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned lengths[320], count, i, used = 0, sent = 19;
    maker_step steps[320];
    maker_code code;
    memcpy(lengths, litlen->lengths, litlen->symbols * sizeof *lengths);
    memcpy(lengths + litlen->symbols, distance->lengths, distance->symbols * sizeof *lengths);
    count = maker_steps(lengths, litlen->symbols + distance->symbols, steps, random);
    maker_code_clear(&code, 19);
    for (i = 0; i < count; ++i) {
        code.lengths[steps[i].symbol] = 1;
    }
    for (i = 0; i < 19; ++i) { /* symbols that are not needed may have a code */
        code.lengths[i] |= maker_chance(random, 10);
        used += code.lengths[i];
    }
    if (used == 1) { /* this code must be complete, so it has two symbols at least */
        code.lengths[code.lengths[0] ? 18 : 0] = 1;
    }
    maker_code_random(&code, 7, maker_chance(random, 50), random);
    while (sent > 4 && code.lengths[order[sent - 1]] == 0) {
        --sent;
    }
    sent += maker_chance(random, 20) ? maker_below(random, 20 - sent) : 0;
    maker_block(m, last, 2);
    maker_put(m, litlen->symbols - 257, 5); /* HLIT  */
    maker_put(m, distance->symbols - 1, 5); /* HDIST */
    maker_put(m, sent - 4, 4);              /* HCLEN */
    for (i = 0; i < sent; ++i) {
        maker_put(m, code.lengths[order[i]], 3);
    }
    for (i = 0; i < count; ++i) {
        unsigned symbol = steps[i].symbol;
        maker_symbol(m, &code, symbol);
        maker_put(m, steps[i].extra, symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7);
    }
}

/* ---- random blocks ---- */

/* What a block says: a literal (length 0), or a match. */
typedef struct maker_op {
    unsigned length, distance; /* a literal's byte stands in distance */
    int longest;               /* 258 as 284 + 31 */
} maker_op;

/* What random streams are like. */
typedef struct maker_shape {
    unsigned blocks;        /* at most */
    unsigned ops;           /* of a block, at most; 0 is drawn often */
    size_t text_bytes;      /* of the member, at most */
    unsigned match_percent; /* of the ops that may be one */
    const char *letters;    /* literals are drawn from these; NULL: from all bytes */
} maker_shape;

static unsigned maker_random_distance(size_t history, uint64_t *random) {
    unsigned most = (unsigned)history, bits;
    switch (maker_below(random, 6)) {
    case 0: return 1;
    case 1: return most; /* the very first byte, or 32768 */
    case 2: return 1 + maker_below(random, most < 64 ? most : 64);
    default: break;
    }
    for (bits = 1; bits < 16 && (1u << bits) <= most && maker_chance(random, 85); ++bits) {
    }
    bits = 1 + maker_below(random, 1u << bits);
    return bits < most ? bits : most;
}

static maker_op maker_random_op(const maker *m, const maker_shape *shape, uint64_t *random) {
    static const unsigned lengths[] = {3, 4, 10, 11, 18, 258, 258, 257, 227, 226};
    maker_op op;
    size_t history = maker_history(m);
    memset(&op, 0, sizeof op);
    if (history > 0 && maker_chance(random, shape->match_percent)) {
        op.length = maker_chance(random, 30) ? lengths[maker_below(random, 10)]
                                             : 3 + maker_below(random, maker_chance(random, 20) ? 256 : 30);
        op.longest = maker_chance(random, 50);
        op.distance = maker_random_distance(history, random);
    } else if (shape->letters != NULL) {
        op.distance = (uint8_t)shape->letters[maker_below(random, (uint32_t)strlen(shape->letters))];
    } else {
        op.distance = maker_below(random, 256);
    }
    return op;
}

#define MAKER_OPS 4096u

/* Ops at random, their text written already, as the next op's reach depends on it. */
static unsigned maker_random_ops(maker *m, const maker_shape *shape, maker_op *ops, uint64_t *random) {
    unsigned count = maker_chance(random, 15) ? 0 : maker_below(random, shape->ops + 1), i;
    count = count < MAKER_OPS ? count : MAKER_OPS;
    for (i = 0; i < count; ++i) {
        uint8_t byte;
        ops[i] = maker_random_op(m, shape, random);
        if (m->text.count - m->member_text + (ops[i].length > 0 ? ops[i].length : 1) > shape->text_bytes) {
            return i;
        }
        if (ops[i].length > 0) {
            maker_text_match(m, ops[i].length, ops[i].distance);
        } else {
            byte = (uint8_t)ops[i].distance;
            maker_text(m, &byte, 1);
        }
    }
    return count;
}

/* Random codes in which all ops can be said, and perhaps more. */
static void maker_random_codes(const maker_op *ops, unsigned count, maker_code *litlen, maker_code *distance,
                               uint64_t *random) {
    unsigned i, extra = maker_chance(random, 50) ? maker_below(random, 60) : 0, most;
    maker_code_clear(litlen, 286);
    maker_code_clear(distance, 30);
    litlen->lengths[256] = 1;
    for (i = 0; i < count; ++i) {
        if (ops[i].length > 0) {
            litlen->lengths[maker_length_symbol(ops[i].length, ops[i].longest)] = 1;
            distance->lengths[maker_distance_symbol(ops[i].distance)] = 1;
        } else {
            litlen->lengths[ops[i].distance] = 1;
        }
    }
    for (i = 0; i < extra; ++i) {
        litlen->lengths[maker_below(random, 286)] = 1;
        distance->lengths[maker_below(random, 30)] = 1;
    }
    most = maker_chance(random, 50) ? 15 : 9 + maker_below(random, 7);
    maker_code_random(litlen, most, maker_chance(random, 50), random);
    most = maker_chance(random, 50) ? 15 : 5 + maker_below(random, 11);
    maker_code_random(distance, most, maker_chance(random, 50), random);
    if (maker_chance(random, 70)) { /* unused symbols at the end need not be sent */
        while (litlen->symbols > 257 && litlen->lengths[litlen->symbols - 1] == 0) {
            --litlen->symbols;
        }
        while (distance->symbols > 1 && distance->lengths[distance->symbols - 1] == 0) {
            --distance->symbols;
        }
    }
}

/* The bits of ops whose text is there already. */
static void maker_put_ops(maker *m, const maker_op *ops, unsigned count, const maker_code *litlen,
                          const maker_code *distance) {
    unsigned i;
    for (i = 0; i < count; ++i) {
        if (ops[i].length > 0) {
            unsigned symbol = maker_length_symbol(ops[i].length, ops[i].longest);
            unsigned back = maker_distance_symbol(ops[i].distance);
            maker_symbol(m, litlen, symbol);
            maker_put(m, ops[i].length - maker_length_base[symbol - 257], maker_length_bits[symbol - 257]);
            maker_symbol(m, distance, back);
            maker_put(m, ops[i].distance - maker_distance_base[back], maker_distance_bits[back]);
        } else {
            maker_symbol(m, litlen, ops[i].distance);
        }
    }
    maker_symbol(m, litlen, 256);
}

static void maker_random_stored(maker *m, int last, const maker_shape *shape, uint64_t *random) {
    uint8_t bytes[4096];
    size_t left = shape->text_bytes - (m->text.count - m->member_text), i;
    size_t count = maker_chance(random, 20) ? 0 : maker_below(random, shape->ops + 1);
    count = count < sizeof bytes ? count : sizeof bytes;
    count = count < left ? count : left;
    for (i = 0; i < count; ++i) {
        maker_shape literals = *shape;
        literals.match_percent = 0;
        bytes[i] = (uint8_t)maker_random_op(m, &literals, random).distance;
    }
    maker_stored(m, last, (uint32_t)test_random(random), bytes, count);
}

/* A random valid DEFLATE stream, from block header to the end of the last byte. */
TEST_MAYBE_UNUSED static void maker_random_deflate(maker *m, const maker_shape *shape, uint64_t *random) {
    static maker_op ops[MAKER_OPS];
    unsigned blocks = 1 + maker_below(random, shape->blocks);
    for (; blocks > 0; --blocks) {
        int last = blocks == 1;
        unsigned type = maker_below(random, 5), count;
        maker_code litlen, distance;
        if (type == 0) {
            maker_random_stored(m, last, shape, random);
            continue;
        }
        count = maker_random_ops(m, shape, ops, random);
        if (type == 1) {
            maker_fixed_codes(&litlen, &distance);
            maker_block(m, last, 1);
        } else {
            maker_random_codes(ops, count, &litlen, &distance, random);
            maker_dynamic(m, last, &litlen, &distance, random);
        }
        maker_put_ops(m, ops, count, &litlen, &distance);
    }
    maker_align(m, (uint32_t)test_random(random));
}

/* ---- members ---- */

/* A header; all zero is the plainest. */
typedef struct maker_header {
    uint32_t mtime;
    uint8_t xfl, os;
    int text;          /* FTEXT */
    int has_extra;     /* FEXTRA; also set by block */
    const void *extra; /* subfields in front of BC */
    size_t extra_bytes;
    int block;         /* a BC subfield; the size is filled in at the member's end */
    const void *after; /* subfields after BC */
    size_t after_bytes;
    const char *name;    /* FNAME */
    const char *comment; /* FCOMMENT */
    int checksum;        /* FHCRC; filled in at the member's end */
} maker_header;

/* A string of the header. Its bits are loose; a flip must not make a 0 of a byte, so none is a power of 2. */
static void maker_string(maker *m, const char *string) {
    maker_raw(m, string, strlen(string), 1);
    maker_raw(m, "", 1, 0);
}

/* Start a member. `header` NULL: the plainest. DEFLATE blocks follow, then maker_member_end. */
TEST_MAYBE_UNUSED static void maker_member(maker *m, const maker_header *header) {
    static const maker_header plain = {0, 0, 255, 0, 0, NULL, 0, 0, NULL, 0, NULL, NULL, 0};
    const maker_header *h = header == NULL ? &plain : header;
    uint8_t flags = (uint8_t)((h->text ? 1 : 0) | (h->checksum ? 2 : 0) | (h->has_extra || h->block ? 4 : 0) |
                              (h->name != NULL ? 8 : 0) | (h->comment != NULL ? 16 : 0));
    m->member_file = m->file.count;
    m->member_text = m->text.count;
    m->size_at = m->header_end = 0;
    maker_raw(m, "\x1F\x8B\x08", 3, 0);    /* magic, CM 8   */
    maker_raw(m, &flags, 1, 0);            /* FLG           */
    m->loose.data[m->loose.count - 1] = 1; /* FTEXT         */
    maker_number(m, h->mtime, 4, 1);       /* MTIME         */
    maker_raw(m, &h->xfl, 1, 1);           /* XFL           */
    maker_raw(m, &h->os, 1, 1);            /* OS            */
    if (flags & 4) {
        size_t extra = h->extra_bytes + (h->block ? 6 : 0) + h->after_bytes;
        maker_number(m, (uint32_t)extra, 2, 0); /* XLEN          */
        maker_raw(m, h->extra, h->extra_bytes, 1);
        if (h->block) {
            maker_raw(m, "BC", 2, 1); /* SI1 SI2: a flip makes another subfield */
            maker_number(m, 2, 2, 1); /* SLEN          */
            m->size_at = m->file.count;
            maker_number(m, 0, 2, 0); /* BSIZE         */
        }
        maker_raw(m, h->after, h->after_bytes, 1);
    }
    if (h->name != NULL) {
        maker_string(m, h->name);
    }
    if (h->comment != NULL) {
        maker_string(m, h->comment);
    }
    if (h->checksum) { /* then nothing of the header is loose */
        memset(m->loose.data + m->member_file, 0, m->file.count - m->member_file);
        m->header_end = m->file.count;
        maker_number(m, 0, 2, 0); /* CRC16 */
    }
}

/* Align, trailer, and what the header could not know. */
TEST_MAYBE_UNUSED static void maker_member_end(maker *m) {
    size_t text_bytes = m->text.count - m->member_text;
    const uint8_t *text = text_bytes == 0 ? (const uint8_t *)"" : m->text.data + m->member_text;
    maker_align(m, 0);
    maker_number(m, maker_crc(0, text, text_bytes), 4, 0); /* CRC32 */
    maker_number(m, (uint32_t)text_bytes, 4, 0);           /* ISIZE */
    if (m->size_at > 0) {
        size_t size = m->file.count - m->member_file - 1;
        m->file.data[m->size_at] = (uint8_t)(size & 0xFFu);
        m->file.data[m->size_at + 1] = (uint8_t)(size >> 8);
    }
    if (m->header_end > 0) {
        uint32_t crc = maker_crc(0, m->file.data + m->member_file, m->header_end - m->member_file);
        m->file.data[m->header_end] = (uint8_t)(crc & 0xFFu);
        m->file.data[m->header_end + 1] = (uint8_t)(crc >> 8 & 0xFFu);
    }
    if (m->border_count < MAKER_BORDERS) {
        maker_border *border = &m->borders[m->border_count];
        border->file = m->file.count;
        border->text = m->text.count;
        border->block = m->size_at > 0;
    }
    ++m->border_count;
}

/* A header with any of the fields. What is in it is static. */
TEST_MAYBE_UNUSED static maker_header maker_random_header(int block, uint64_t *random) {
    maker_header h;
    memset(&h, 0, sizeof h);
    h.os = 255;
    h.block = block;
    if (maker_chance(random, 60)) {
        return h;
    }
    h.mtime = (uint32_t)test_random(random);
    h.xfl = (uint8_t)maker_below(random, 256);
    h.text = maker_chance(random, 30);
    if (maker_chance(random, 40)) {
        h.has_extra = 1;
        h.extra = "XY\3\0abc"; /* SI1 SI2, SLEN 3 */
        h.extra_bytes = maker_chance(random, 80) ? 7 : 0;
        h.after = "ZZ\0\0";
        h.after_bytes = maker_chance(random, 50) ? 4 : 0;
    }
    h.name = maker_chance(random, 40) ? "reads.fastq" : maker_chance(random, 20) ? "" : NULL;
    h.comment = maker_chance(random, 30) ? "seven_words" : NULL;
    h.checksum = maker_chance(random, 30);
    return h;
}

/* The empty block that ends a BGZF file (28 bytes: a fixed block of an end-of-block code). */
TEST_MAYBE_UNUSED static void maker_eof_block(maker *m) {
    maker_header h;
    memset(&h, 0, sizeof h);
    h.os = 255;
    h.block = 1;
    maker_member(m, &h);
    maker_block(m, 1, 1);
    maker_put(m, 0, 7); /* 256 in the fixed code */
    maker_member_end(m);
}

/*
 * DEFLATE of given bytes as one stream: by zlib at a level 0..9, or, with level below 0 or without
 * zlib, of this file's own: stored for even numbers, fixed literals for odd ones.
 */
TEST_MAYBE_UNUSED static void maker_deflate(maker *m, const void *bytes, size_t count, int level) {
    const uint8_t *from = (const uint8_t *)bytes;
    maker_code litlen, distance;
    size_t i;
#ifdef HAVE_ZLIB
    if (level >= 0) {
        z_stream z;
        uint8_t piece[4096];
        int status;
        memset(&z, 0, sizeof z);
        CHECK(deflateInit2(&z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
        z.next_in = (Bytef *)(uintptr_t)from;
        z.avail_in = (uInt)count;
        do {
            z.next_out = piece;
            z.avail_out = (uInt)sizeof piece;
            status = deflate(&z, Z_FINISH);
            maker_raw(m, piece, sizeof piece - z.avail_out, 0);
        } while (status == Z_OK);
        CHECK(status == Z_STREAM_END);
        deflateEnd(&z);
        maker_text(m, from, count);
        return;
    }
#endif
    if (level % 2 == 0) {
        for (i = 0; count - i > 65535; i += 65535) {
            maker_stored(m, 0, 0, from + i, 65535);
        }
        maker_stored(m, 1, 0, from + i, count - i);
        return;
    }
    maker_fixed_codes(&litlen, &distance);
    maker_block(m, 1, 1);
    for (i = 0; i < count; ++i) {
        maker_literal(m, &litlen, from[i]);
    }
    maker_symbol(m, &litlen, 256);
    maker_align(m, 0);
}

/* One member of given bytes. */
TEST_MAYBE_UNUSED static void maker_pack(maker *m, const maker_header *header, const void *bytes,
                                         size_t count, int level) {
    maker_member(m, header);
    maker_deflate(m, bytes, count, level);
    maker_member_end(m);
}

/* A BGZF file of given bytes in blocks of `block_bytes` <= 65280 with its last, empty block. */
TEST_MAYBE_UNUSED static void maker_bgzf(maker *m, const void *bytes, size_t count, size_t block_bytes,
                                         int level) {
    maker_header h;
    size_t at, take;
    memset(&h, 0, sizeof h);
    h.os = 255;
    h.block = 1;
    for (at = 0; at < count; at += take) {
        take = count - at < block_bytes ? count - at : block_bytes;
        maker_pack(m, &h, (const uint8_t *)bytes + at, take, level);
    }
    maker_eof_block(m);
}

/* FASTQ at random: what most of these files hold. */
TEST_MAYBE_UNUSED static void maker_fastq(maker_bytes *to, size_t bytes, uint64_t *random) {
    unsigned number = 0;
    while (to->count < bytes) {
        char title[40];
        unsigned bases = 20 + maker_below(random, 100), i;
        maker_bytes_add(to, title, (size_t)snprintf(title, sizeof title, "@read%u/1\n", ++number));
        for (i = 0; i < bases; ++i) {
            maker_bytes_add(to, &"ACGTN"[maker_below(random, maker_chance(random, 2) ? 5 : 4)], 1);
        }
        maker_bytes_add(to, "\n+\n", 3);
        for (i = 0; i < bases; ++i) {
            maker_bytes_add(to, &"FFFFFF:,#"[maker_below(random, 9)], 1);
        }
        maker_bytes_add(to, "\n", 1);
    }
    to->count = bytes;
}

/* ---- the control ---- */

/* What must become of a file. */
typedef struct maker_verdict {
    biost_fault fault;
    int vague;           /* an error whose name depends on what is looked at first */
    int free;            /* a block over 64 KiB that is damaged: nothing but "a prefix" is sure */
    uint64_t members;    /* verified */
    uint64_t blocks;     /* BGZF blocks among them */
    size_t checked_text; /* text of those */
    uint32_t warnings;   /* as biost_stream_warnings, where warnings_known */
    int warnings_known;
    int open_end;     /* the last member is a block with text */
    maker_bytes text; /* all that can be had before the fault */
} maker_verdict;

#ifdef HAVE_ZLIB

/* What a member's header says. */
typedef struct maker_control_header {
    biost_fault fault;
    size_t bytes;
    int has_size, odd; /* a BC subfield; something else is wrong in the extra field with it */
    uint32_t size;
} maker_control_header;

/* Walk the subfields. The first BC of two bytes counts. */
static void maker_control_extra(maker_control_header *out, const uint8_t *extra, size_t bytes) {
    size_t at = 0;
    while (bytes - at >= 4) {
        size_t size = extra[at + 2] | (size_t)extra[at + 3] << 8;
        if (bytes - at - 4 < size) {
            break;
        }
        if (extra[at] == 'B' && extra[at + 1] == 'C' && size == 2) {
            out->odd |= out->has_size;
            out->has_size = 1;
            out->size = extra[at + 4] | (uint32_t)extra[at + 5] << 8;
        }
        at += 4 + size;
    }
    out->odd |= at < bytes;
}

/* RFC 1952, 2.3, byte by byte: the first thing wrong counts, also in front of a cut. */
static maker_control_header maker_control_member(const uint8_t *at, size_t bytes) {
    maker_control_header out;
    size_t i = 10, field;
    memset(&out, 0, sizeof out);
    out.fault = BIOST_FAULT_BAD_HEADER;
    if ((bytes > 2 && at[2] != 8) || (bytes > 3 && (at[3] & 0xE0u) != 0)) {
        return out;
    }
    out.fault = BIOST_FAULT_TRUNCATED;
    if (bytes < 10) {
        return out;
    }
    if (at[3] & 4u) {
        if (bytes - i < 2) {
            return out;
        }
        field = at[i] | (size_t)at[i + 1] << 8;
        i += 2;
        maker_control_extra(&out, at + i, bytes - i < field ? bytes - i : field);
        if (bytes - i < field) {
            return out;
        }
        i += field;
    }
    for (field = 8; field <= 16; field *= 2) { /* FNAME, FCOMMENT */
        if (at[3] & field) {
            while (i < bytes && at[i] != 0) {
                ++i;
            }
            if (i == bytes) {
                return out;
            }
            ++i;
        }
    }
    if (at[3] & 2u) {
        if (bytes - i < 2) {
            return out;
        }
        if ((at[i] | (uint32_t)at[i + 1] << 8) != (maker_crc(0, at, i) & 0xFFFFu)) {
            out.fault = BIOST_FAULT_BAD_HEADER;
            return out;
        }
        i += 2;
    }
    out.fault = BIOST_FAULT_NONE;
    out.bytes = i;
    return out;
}

/* zlib's inflate on a raw stream; text is added up to the fault. Returns bytes read. */
static size_t maker_control_inflate(const uint8_t *at, size_t bytes, maker_bytes *text,
                                    biost_fault *out_fault) {
    static uint8_t piece[65536];
    z_stream z;
    int status;
    memset(&z, 0, sizeof z);
    CHECK(inflateInit2(&z, -15) == Z_OK);
    z.next_in = (Bytef *)(uintptr_t)at;
    z.avail_in = (uInt)bytes;
    do {
        z.next_out = piece;
        z.avail_out = (uInt)sizeof piece;
        status = inflate(&z, Z_NO_FLUSH);
        maker_bytes_add(text, piece, sizeof piece - z.avail_out);
    } while (status == Z_OK);
    bytes -= z.avail_in;
    inflateEnd(&z);
    *out_fault = status == Z_STREAM_END  ? BIOST_FAULT_NONE
                 : status == Z_BUF_ERROR ? BIOST_FAULT_TRUNCATED
                                         : BIOST_FAULT_BAD_DEFLATE;
    return bytes;
}

/* The trailer of a member whose text starts at `from`. */
static biost_fault maker_control_trailer(const uint8_t *at, size_t bytes, const uint8_t *text, size_t count,
                                         int no_crc) {
    uint32_t crc, size;
    if (bytes < 4) {
        return BIOST_FAULT_TRUNCATED;
    }
    crc = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    if (!no_crc && crc != (uint32_t)crc32(0, text, (uInt)count)) {
        return BIOST_FAULT_BAD_CRC;
    }
    if (bytes < 8) {
        return BIOST_FAULT_TRUNCATED;
    }
    size = at[4] | (uint32_t)at[5] << 8 | (uint32_t)at[6] << 16 | (uint32_t)at[7] << 24;
    return size != (uint32_t)count ? BIOST_FAULT_BAD_ISIZE : BIOST_FAULT_NONE;
}

/* One member at *at; a fault of a block takes back its text. */
static biost_fault maker_control_step(const uint8_t *source, size_t bytes, const biost_gzip_rules *rules,
                                      size_t *at, maker_verdict *v) {
    maker_control_header header = maker_control_member(source + *at, bytes - *at);
    size_t start = *at, from = v->text.count, count;
    biost_fault fault = header.fault;
    if (rules->ignore_bc) {
        header.has_size = header.odd = 0;
    }
    if (fault != BIOST_FAULT_NONE) {
        v->vague = header.has_size;
        if (rules->ignore_garbage && v->members > 0) { /* a header that is bad, not cut: nothing says */
            v->free = fault == BIOST_FAULT_BAD_HEADER || header.has_size;
            v->warnings |= BIOST_WARN_IGNORED_BYTES;
            *at = bytes;
            return BIOST_FAULT_NONE;
        }
        return fault;
    }
    *at += header.bytes;
    *at += maker_control_inflate(source + *at, bytes - *at, &v->text, &fault);
    count = v->text.count - from;
    if (fault == BIOST_FAULT_NONE) {
        fault = maker_control_trailer(source + *at, bytes - *at, v->text.data + from, count, rules->no_crc);
        *at += fault == BIOST_FAULT_NONE ? 8 : 0;
    }
    if (header.has_size) {
        int wrong = fault == BIOST_FAULT_NONE && *at - start != (size_t)header.size + 1;
        fault = wrong ? BIOST_FAULT_BAD_BGZF : fault;
        if (count > 65536 || header.odd) {
            v->free = fault != BIOST_FAULT_NONE;
            v->warnings_known = 0;
        } else if (fault != BIOST_FAULT_NONE) {
            v->text.count = from;
        }
        v->vague = fault != BIOST_FAULT_NONE;
    }
    if (fault == BIOST_FAULT_NONE) {
        ++v->members;
        v->blocks += header.has_size && count <= 65536;
        v->checked_text = v->text.count;
        v->open_end = header.has_size && count > 0;
    }
    return fault;
}

/* Bytes that begin no member, after one. *at moves to what is to be read next, if anything is. */
static biost_fault maker_control_tail(const uint8_t *source, size_t bytes, const biost_gzip_rules *rules,
                                      size_t *at, maker_verdict *v) {
    size_t i = *at;
    while (i < bytes && source[i] == 0) {
        ++i;
    }
    if (i == bytes) {
        v->warnings |= BIOST_WARN_ZERO_PADDING;
        *at = bytes;
        return rules->refuse_padding ? BIOST_FAULT_TRAILING_GARBAGE : BIOST_FAULT_NONE;
    }
    if (i > *at && rules->read_past_zeros && source[i] == 0x1F) {
        v->warnings |= BIOST_WARN_ZERO_PADDING;
        *at = i;
        return BIOST_FAULT_NONE;
    }
    if (rules->ignore_garbage) {
        v->warnings |= BIOST_WARN_IGNORED_BYTES;
        v->warnings_known &= i == *at; /* zeros in front of it: nothing says */
        *at = bytes;
        return BIOST_FAULT_NONE;
    }
    return source[*at] == 0x1F && bytes - *at == 1 ? BIOST_FAULT_TRUNCATED : BIOST_FAULT_TRAILING_GARBAGE;
}

/* What does not start as gzip does. */
static void maker_control_other(const uint8_t *source, size_t bytes, const biost_gzip_rules *rules,
                                maker_verdict *v) {
    int text = source[0] >= 0x20 || source[0] == '\t' || source[0] == '\n' || source[0] == '\r';
    if (source[0] == 0x1F && bytes == 1) {
        v->fault = BIOST_FAULT_TRUNCATED;
    } else if (!text || rules->require) {
        v->fault = BIOST_FAULT_NOT_GZIP;
    } else {
        maker_bytes_add(&v->text, source, bytes);
        v->checked_text = bytes;
    }
}

/*
 * Read a file as the library must, under the rules (NULL: all strict). The verdict is freed by
 * maker_bytes_free(&v.text).
 */
TEST_MAYBE_UNUSED static maker_verdict maker_control(const uint8_t *source, size_t bytes,
                                                     const biost_gzip_rules *wish) {
    maker_verdict v;
    biost_gzip_rules rules;
    size_t at = 0;
    memset(&rules, 0, sizeof rules);
    rules = wish == NULL ? rules : *wish;
    memset(&v, 0, sizeof v);
    v.warnings_known = 1;
    maker_bytes_add(&v.text, NULL, 0);
    while (at < bytes && v.fault == BIOST_FAULT_NONE) {
        if (bytes - at >= 2 && source[at] == 0x1F && source[at + 1] == 0x8B) {
            v.fault = maker_control_step(source, bytes, &rules, &at, &v);
        } else if (v.members > 0) {
            v.fault = maker_control_tail(source, bytes, &rules, &at, &v);
        } else {
            maker_control_other(source, bytes, &rules, &v);
            break;
        }
    }
    if (v.fault == BIOST_FAULT_NONE && v.open_end) {
        v.warnings |= BIOST_WARN_NO_EOF_BLOCK;
        v.fault = rules.require_eof_block ? BIOST_FAULT_TRUNCATED : BIOST_FAULT_NONE;
    }
    return v;
}

#endif /* HAVE_ZLIB */

/* ---- the executor that TEST_EXECUTOR asks for ---- */

/*
 * With TEST_EXECUTOR=n in the environment every stream is opened for one thread that runs ready tasks
 * in an order drawn from n and a count,
 * whatever the test's desc says of workers and jobs. A test of executors
 * defines MAKER_OWN_EXECUTORS.
 */
#ifndef MAKER_OWN_EXECUTORS
TEST_MAYBE_UNUSED static biost_result stream_open_as_told(const biost_stream_desc *desc,
                                                          biost_stream **out_stream, biost_error *out_error) {
    static uint64_t count;
    const char *wish = getenv("TEST_EXECUTOR");
    biost_stream_desc told;
    if (wish == NULL || desc == NULL || desc->workers > 256) {
        return biost_stream_open(desc, out_stream, out_error);
    }
    told = *desc;
    told.workers = 1;
    memset(&told.jobs, 0, sizeof told.jobs);
    told.test.order_seed = strtoull(wish, NULL, 0) * 0x9E3779B97F4A7C15u +
                           __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    return biost_stream_open(&told, out_stream, out_error);
}

#define biost_stream_open stream_open_as_told
#endif

/* ---- reading a whole file through biost_stream ---- */

/* What came of it. Freed by maker_bytes_free(&outcome.text). */
typedef struct stream_outcome {
    biost_result result; /* of open where that failed, else what ended the text */
    int opened;
    biost_error error; /* zeroed where there is none */
    uint32_t warnings;
    biost_text_progress progress;
    maker_bytes text;
} stream_outcome;

#define STREAM_PAGES 0u           /* pieces: lent pages            */
#define STREAM_MIXED ((size_t)-1) /* both calls by turns           */

/* One call. `turn` counts them. The buffer is on the heap and of its exact size, for ASan. */
static biost_result stream_take(biost_stream *stream, size_t piece, unsigned turn, maker_bytes *text) {
    biost_result result;
    if (piece == STREAM_PAGES || (piece == STREAM_MIXED && turn % 3 == 2)) {
        biost_page page;
        memset(&page, 0xA5, sizeof page);
        result = biost_stream_next_page(stream, &page);
        if (result == BIOST_OK && CHECK(page.text_bytes > 0)) {
            CHECK_EQ_U64(page.text_offset, text->count);
            maker_bytes_add(text, page.text, page.text_bytes);
        }
    } else {
        size_t ask = piece == STREAM_MIXED ? 1 + turn % 11 : piece, got = ask + 1;
        uint8_t *to = test_copy(NULL, ask);
        result = biost_stream_read(stream, to, ask, &got);
        if (CHECK(result == BIOST_OK ? got > 0 && got <= ask : got == 0)) {
            maker_bytes_add(text, to, got);
        }
        free(to);
    }
    return result;
}

/* Everything up to what ends the text, which then must stay. */
static void stream_drain(biost_stream *stream, size_t piece, stream_outcome *out) {
    const biost_error *error;
    maker_bytes none;
    unsigned turn = 0;
    do {
        out->result = stream_take(stream, piece, turn++, &out->text);
    } while (out->result == BIOST_OK);
    memset(&none, 0, sizeof none);
    CHECK(stream_take(stream, STREAM_PAGES, 0, &none) == out->result);
    CHECK(stream_take(stream, 10, 0, &none) == out->result);
    CHECK_EQ_U64(none.count, 0);
    maker_bytes_free(&none);
    error = biost_stream_error(stream);
    if (CHECK((error != NULL) == (out->result < 0)) && error != NULL) {
        CHECK(error->code == out->result && error->fault != BIOST_FAULT_NONE && error->text[0] != '\0');
        out->error = *error;
    }
    out->warnings = biost_stream_warnings(stream);
    biost_stream_progress(stream, &out->progress);
    CHECK_EQ_U64(out->progress.text_bytes, out->text.count);
}

/* Open, drain in pieces of `piece` bytes (or STREAM_PAGES, STREAM_MIXED), close. */
TEST_MAYBE_UNUSED static stream_outcome stream_run(const biost_stream_desc *desc, size_t piece) {
    stream_outcome out;
    biost_stream *stream = NULL;
    memset(&out, 0, sizeof out);
    maker_bytes_add(&out.text, NULL, 0);
    out.result = biost_stream_open(desc, &stream, &out.error);
    out.opened = out.result == BIOST_OK;
    if (CHECK((stream != NULL) == out.opened) && out.opened) {
        memset(&out.error, 0, sizeof out.error);
        stream_drain(stream, piece, &out);
        biost_stream_close(stream);
    } else {
        CHECK(out.result < 0 && out.error.code == out.result && out.error.text[0] != '\0');
    }
    return out;
}

/* Does the outcome's text start with these bytes? */
TEST_MAYBE_UNUSED static int stream_starts(const stream_outcome *out, const void *bytes, size_t count) {
    return out->text.count >= count && (count == 0 || memcmp(out->text.data, bytes, count) == 0);
}

/* Is its text the start of these bytes? */
TEST_MAYBE_UNUSED static int stream_is_prefix(const stream_outcome *out, const void *bytes, size_t count) {
    return out->text.count <= count &&
           (out->text.count == 0 || memcmp(out->text.data, bytes, out->text.count) == 0);
}

/* All that may not depend on how a file was read. */
TEST_MAYBE_UNUSED static void stream_same(const stream_outcome *a, const stream_outcome *b) {
    CHECK_EQ_I64(a->result, b->result);
    CHECK_STR(biost_fault_name(a->error.fault), biost_fault_name(b->error.fault));
    CHECK_EQ_U64(a->error.source_offset, b->error.source_offset);
    CHECK_EQ_U64(a->error.text_offset, b->error.text_offset);
    CHECK_EQ_U64(a->error.record, b->error.record);
    CHECK_EQ_U64(a->error.line, b->error.line);
    CHECK_STR(a->error.text, b->error.text);
    CHECK_EQ_U64(a->warnings, b->warnings);
    if (CHECK_EQ_U64(a->text.count, b->text.count)) {
        CHECK_MEM(a->text.data, b->text.data, b->text.count);
    }
    if (a->result == BIOST_END) {
        CHECK_EQ_U64(a->progress.member_count, b->progress.member_count);
        CHECK_EQ_U64(a->progress.block_count, b->progress.block_count);
        CHECK_EQ_U64(a->progress.source_bytes, b->progress.source_bytes);
    }
}

/* biost_inflate agrees with the stream; with too little room it may say that instead. */
TEST_MAYBE_UNUSED static void stream_check_inflate(const uint8_t *bytes, size_t count,
                                                   const stream_outcome *serial) {
    uint8_t *copy = test_copy(bytes, count), *text;
    size_t capacity = serial->text.count + 66000, got = 0;
    biost_error error;
    biost_result result;
    text = test_copy(NULL, capacity);
    result = biost_inflate(copy, count, text, capacity, &got, &error);
    CHECK_EQ_I64(result, serial->result == BIOST_END ? BIOST_OK : serial->result);
    if (result < 0) {
        CHECK_STR(biost_fault_name(error.fault), biost_fault_name(serial->error.fault));
        CHECK_EQ_U64(error.source_offset, serial->error.source_offset);
    }
    if (CHECK_EQ_U64(got, serial->text.count)) {
        CHECK_MEM(text, serial->text.data, got);
    }
    free(text);
    capacity = serial->text.count / 2 + count % 20;
    text = test_copy(NULL, capacity);
    result = biost_inflate(copy, count, text, capacity, &got, &error);
    CHECK(got <= capacity);
    CHECK(got <= serial->text.count || result == BIOST_ERR_ARG); /* provisional, of a damaged block */
    CHECK_MEM(text, serial->text.data, got <= serial->text.count ? got : 0);
    if (result == BIOST_OK) {
        CHECK(serial->result == BIOST_END && got == serial->text.count);
    } else if (result != BIOST_ERR_ARG) {
        CHECK_EQ_I64(result, serial->result);
    }
    free(text);
    free(copy);
}

/*
 * zlib in a loop over members agrees: the same verdict, members and text. A damaged BGZF block may be
 * named in several ways, and one that claims too much is a plain member to some. Returns 1 where the
 * fault is none of a block, so that other peers must see it too.
 */
TEST_MAYBE_UNUSED static int stream_check_control(const uint8_t *bytes, size_t count,
                                                  const biost_gzip_rules *rules,
                                                  const stream_outcome *serial) {
#ifdef HAVE_ZLIB
    maker_verdict v = maker_control(bytes, count, rules);
    CHECK(stream_starts(serial, v.text.data, v.checked_text));
    if (v.free) {
        maker_bytes_free(&v.text);
        return 0;
    }
    CHECK_EQ_I64(serial->result, v.fault == BIOST_FAULT_NONE ? BIOST_END : BIOST_ERR_GZIP);
    if (!v.vague) {
        CHECK_STR(biost_fault_name(serial->error.fault), biost_fault_name(v.fault));
        if (CHECK_EQ_U64(serial->text.count, v.text.count)) {
            CHECK_MEM(serial->text.data, v.text.data, v.text.count);
        }
    }
    if (serial->result == BIOST_END) {
        CHECK_EQ_U64(serial->progress.member_count, v.members);
        CHECK_EQ_U64(serial->progress.block_count, v.blocks);
        CHECK_EQ_U64(serial->progress.source_bytes, count);
        if (v.warnings_known) {
            CHECK_EQ_U64(serial->warnings, v.warnings);
        }
    }
    maker_bytes_free(&v.text);
    return !v.vague;
#else
    (void)bytes;
    (void)count;
    (void)rules;
    (void)serial;
    return 0;
#endif
}

#endif /* DEFLATE_MAKER_H */
