/*
 * test_ways.c - several DEFLATE streams decoded in one loop, and BGZF blocks through it: streams and
 * blocks of mixed sizes, damaged ones in every way, and what the other ways then say.
 *
 * Texts come from deflate_maker.h, which expands them by the rules of RFC 1951, not from a decoder;
 * verdicts about damage from zlib, or from where and how it was done.
 *
 * rooms: ops frame
 * needs: threads
 */
#include "white.h"
#include "test.h"
#include "deflate_maker.h"
#include "kernels.h"
#include "tagged.h"

#define WAYS_MOST   BSI_OPS_TEXTS_STREAMS
#define FRONT_BYTES 256u /* what a way may read, not write, in front of its text */
#define BLOCK_MOST  65536u

/* ---- kernels ---- */

static kernel_call pick_ways(uint32_t cpu, int which) {
    static bsi_ops_texts_streams ways;
    (void)which;
    bsi_kernels_streams(&ways, cpu);
    return (kernel_call)ways.fast[0];
}

/* Run `body` once for each kernel of ways, with its name in the note. */
static void each_kernel(void (*body)(const kernel_mask *kernel)) {
    kernel_mask masks[KERNELS_KNOWN];
    size_t count = kernels_here(pick_ways, 0, masks);
    CHECK(count >= 1);
    for (size_t i = 0; i < count; i++) {
        test_note("%s", masks[i].name);
        body(&masks[i]);
    }
}

/* ---- streams in ways ---- */

/* A stream of a way. Input and room are heap blocks of exactly their sizes. */
typedef struct way_case {
    maker made;
    size_t in_bytes, out_bytes; /* what the way gets */
    uint8_t *in, *out;          /* out: FRONT_BYTES, then the text */
} way_case;

static way_case cases[WAYS_MOST];
static bsi_ops_texts_streams ways;

/* A random stream of at most `bytes` bytes of text, all of it for the way, with room as wide as the text. */
static void case_random(way_case *c, size_t bytes, uint64_t *random) {
    static const char *const letters[] = {NULL, "ACGT", "A", "FFFFFFFFFFF:,#"};
    maker_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.blocks = 1 + maker_below(random, 6);
    shape.ops = maker_chance(random, 50) ? 4000 : 60;
    shape.text_bytes = bytes;
    shape.match_percent = maker_chance(random, 25) ? 0 : maker_below(random, 101);
    shape.letters = letters[maker_below(random, 4)];
    maker_begin(&c->made);
    maker_random_deflate(&c->made, &shape, random);
    c->in_bytes = c->made.file.count;
    c->out_bytes = c->made.text.count;
}

static void way_start(size_t i) {
    way_case *c = &cases[i];
    c->in = tagged(test_copy(c->made.file.data, c->in_bytes));
    c->out = test_copy(NULL, FRONT_BYTES + c->out_bytes);
    memset(c->out, 0x5A, FRONT_BYTES);
    bsi_ops_texts_stream_begin(&ways.ways[i], c->in, c->in + c->in_bytes, c->out + FRONT_BYTES,
                               c->out + FRONT_BYTES + c->out_bytes);
}

/* All three at once until one ends, then the others, as bsi_frame_blocks does. */
static void ways_decode(void) {
    bsi_ops_texts_streams_stop(&ways);
    for (size_t i = 0; i < WAYS_MOST; i++) {
        way_start(i);
    }
    for (int left = (int)WAYS_MOST; left > 0; left--) {
        CHECK_EQ_U64(bsi_ops_texts_streams_run(&ways), left - 1);
    }
}

static size_t way_text_bytes(size_t i) {
    return (size_t)(ways.ways[i].cursor.out - (cases[i].out + FRONT_BYTES));
}

/* Text that is right as far as it goes, with nothing written in front of it. */
static void check_way_text(size_t i, const uint8_t *text) {
    const way_case *c = &cases[i];
    size_t front = 0;
    while (front < FRONT_BYTES && c->out[front] == 0x5A) {
        front++;
    }
    CHECK_EQ_U64(front, FRONT_BYTES);
    CHECK(way_text_bytes(i) <= c->out_bytes);
    CHECK(ways.ways[i].cursor.in <= c->in + c->in_bytes);
    CHECK_MEM(c->out + FRONT_BYTES, text, way_text_bytes(i));
}

/* A sound stream: all of its text, and its end where it ends. */
static void check_way_done(size_t i) {
    const way_case *c = &cases[i];
    CHECK_EQ_U64(ways.ways[i].verdict, BSI_INFLATE_DONE);
    CHECK_EQ_U64(way_text_bytes(i), c->made.text.count);
    CHECK_EQ_U64(ways.ways[i].cursor.in - c->in, c->made.file.count);
    check_way_text(i, c->made.text.data);
}

static void ways_free(void) {
    for (size_t i = 0; i < WAYS_MOST; i++) {
        free(untagged(cases[i].in));
        free(cases[i].out);
    }
}

static size_t ways_size_random(uint64_t *random) {
    static const uint32_t most[] = {1, 20, 300, 5000, BLOCK_MOST};
    return maker_below(random, most[maker_below(random, 5)] + 1);
}

/* The ways and their tables are used over and over. */
static void ways_sound_streams(const kernel_mask *kernel) {
    uint64_t random = test_seed();
    unsigned rounds = MAKER_SLOW ? 60 : 400;
    memset(&ways, 0xA5, sizeof ways);
    bsi_kernels_streams(&ways, kernel->cpu);
    bsi_ops_texts_begin_trials(&ways, 0);
    for (unsigned round = 0; round < rounds; round++) {
        size_t after = maker_below(&random, 12);
        test_note("%s, round %u", kernel->name, round);
        for (size_t i = 0; i < WAYS_MOST; i++) {
            case_random(&cases[i], ways_size_random(&random), &random);
        }
        maker_raw(&cases[round % WAYS_MOST].made, "gzip trailer", after, 0); /* is not the stream's */
        cases[round % WAYS_MOST].in_bytes += after;
        cases[(round + 1) % WAYS_MOST].out_bytes += maker_below(&random, 200);
        ways_decode();
        cases[round % WAYS_MOST].made.file.count -= after;
        for (size_t i = 0; i < WAYS_MOST; i++) {
            check_way_done(i);
        }
        ways_free();
    }
}

TEST(ways, ways_sound_streams) {
    kernel_mask masks[KERNELS_KNOWN];
    kernels_print("ways", masks, kernels_here(pick_ways, 0, masks));
    each_kernel(ways_sound_streams);
}

/* A stream cut off, or with too little room, asks for more with all the text it could write. */
static void short_streams(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 1;
    unsigned rounds = MAKER_SLOW ? 60 : 400;
    bsi_kernels_streams(&ways, kernel->cpu);
    for (unsigned round = 0; round < rounds; round++) {
        size_t wrong = round % WAYS_MOST;
        int cut = (int)(round / WAYS_MOST % 2);
        test_note("%s, round %u", kernel->name, round);
        for (size_t i = 0; i < WAYS_MOST; i++) {
            do {
                case_random(&cases[i], 1 + ways_size_random(&random), &random);
            } while (cases[i].out_bytes == 0);
        }
        if (cut) {
            cases[wrong].in_bytes = maker_below(&random, (uint32_t)cases[wrong].in_bytes);
        } else {
            cases[wrong].out_bytes = maker_below(&random, (uint32_t)cases[wrong].out_bytes);
        }
        ways_decode();
        for (size_t i = 0; i < WAYS_MOST; i++) {
            if (i != wrong) {
                check_way_done(i);
            }
        }
        check_way_text(wrong, cases[wrong].made.text.data);
        if (cut) {
            CHECK_EQ_U64(ways.ways[wrong].verdict, BSI_INFLATE_NEED_INPUT);
            CHECK_EQ_U64(ways.ways[wrong].cursor.in - cases[wrong].in, cases[wrong].in_bytes);
        } else {
            CHECK_EQ_U64(ways.ways[wrong].verdict, BSI_INFLATE_NEED_OUTPUT);
            CHECK_EQ_U64(way_text_bytes(wrong), cases[wrong].out_bytes);
        }
        ways_free();
    }
}

TEST(ways, short_streams) {
    each_kernel(short_streams);
}

#ifdef HAVE_ZLIB

static uint8_t zlib_text[4 * BLOCK_MOST];

/* What zlib says of a raw stream, and how much text it wrote to zlib_text before. */
static bsi_inflate_status zlib_verdict(const uint8_t *in, size_t bytes, size_t *out_text_bytes) {
    z_stream z;
    int status;
    memset(&z, 0, sizeof z);
    CHECK(inflateInit2(&z, -15) == Z_OK);
    z.next_in = (Bytef *)(uintptr_t)in;
    z.avail_in = (uInt)bytes;
    z.next_out = zlib_text;
    z.avail_out = (uInt)sizeof zlib_text;
    status = inflate(&z, Z_SYNC_FLUSH);
    *out_text_bytes = z.total_out;
    inflateEnd(&z);
    return status == Z_STREAM_END   ? BSI_INFLATE_DONE
           : status == Z_DATA_ERROR ? BSI_INFLATE_BAD
           : z.avail_out == 0       ? BSI_INFLATE_NEED_OUTPUT
                                    : BSI_INFLATE_NEED_INPUT;
}

/* Bits turned over in one way's stream: zlib's verdict and text; the other ways do not notice. */
static void ways_damaged_streams(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 2;
    unsigned rounds = MAKER_SLOW ? 100 : 1000;
    bsi_kernels_streams(&ways, kernel->cpu);
    for (unsigned round = 0; round < rounds; round++) {
        size_t wrong = round % WAYS_MOST, text_bytes;
        way_case *c = &cases[wrong];
        bsi_inflate_status verdict;
        test_note("%s, round %u", kernel->name, round);
        for (size_t i = 0; i < WAYS_MOST; i++) {
            case_random(&cases[i], ways_size_random(&random), &random);
        }
        for (unsigned flips = 1 + maker_below(&random, 4); flips > 0; flips--) {
            uint32_t most = (uint32_t)(maker_chance(&random, 50) && c->in_bytes > 60 ? 60 : c->in_bytes);
            c->made.file.data[maker_below(&random, most)] ^= (uint8_t)(1u << maker_below(&random, 8));
        }
        verdict = zlib_verdict(c->made.file.data, c->in_bytes, &text_bytes);
        c->out_bytes = text_bytes + 700; /* zlib may notice earlier than it is written here */
        ways_decode();
        for (size_t i = 0; i < WAYS_MOST; i++) {
            if (i != wrong) {
                check_way_done(i);
            }
        }
        if (verdict != BSI_INFLATE_NEED_OUTPUT) {
            CHECK_EQ_U64(ways.ways[wrong].verdict, verdict);
            CHECK(way_text_bytes(wrong) >= text_bytes);
            CHECK_MEM(c->out + FRONT_BYTES, zlib_text, text_bytes);
        }
        if (verdict == BSI_INFLATE_DONE) {
            CHECK_EQ_U64(way_text_bytes(wrong), text_bytes);
        }
        ways_free();
    }
}

#endif

TEST(ways, ways_damaged_streams) {
#ifdef HAVE_ZLIB
    each_kernel(ways_damaged_streams);
#else
    TEST_SKIP("zlib");
#endif
}

/* A stream of one block of letters: by the fixed codes, or by a code of its own. */
static void case_letters(way_case *c, int fixed, unsigned letter_count, uint64_t *random) {
    maker_code litlen, distance;
    maker_begin(&c->made);
    maker_fixed_codes(&litlen, &distance);
    maker_block(&c->made, 1, fixed ? 1 : 2);
    if (!fixed) {
        maker_code_clear(&litlen, 286);
        maker_code_clear(&distance, 30);
        for (unsigned i = 0; i < 8; i++) {
            litlen.lengths[(uint8_t) "ACGTNacg"[i]] = 4;
        }
        litlen.lengths[256] = litlen.lengths[257] = 2; /* 8 / 16 + 1 / 4 + 1 / 4 */
        distance.lengths[0] = distance.lengths[1] = 1;
        maker_code_number(&litlen);
        maker_code_number(&distance);
        c->made.file.count = c->made.loose.count = 0;
        c->made.free_bits = 0;
        maker_dynamic(&c->made, 1, &litlen, &distance, random);
    }
    for (unsigned i = 0; i < letter_count; i++) {
        maker_literal(&c->made, &litlen, (uint8_t) "ACGTNacg"[maker_below(random, 8)]);
        if (i % 5 == 4) {
            maker_match(&c->made, &litlen, &distance, 3, 0, 1 + i % 2);
        }
    }
    maker_symbol(&c->made, &litlen, 256);
    maker_align(&c->made, 0);
    c->in_bytes = c->made.file.count;
    c->out_bytes = c->made.text.count;
}

/*
 * A stream of `front` letters, a match that reaches `back` bytes, 0 for none, and 400 letters more, which
 * leave room for the loop. By the fixed codes, or by one with so few matches (1 / 32) that ways ask first.
 */
static void case_far(way_case *c, int fixed, size_t front, unsigned back, uint64_t *random) {
    maker_code litlen, distance;
    maker_begin(&c->made);
    maker_fixed_codes(&litlen, &distance);
    if (fixed) {
        maker_block(&c->made, 1, 1);
    } else {
        maker_code_clear(&litlen, 286);
        maker_code_clear(&distance, 30);
        litlen.lengths['A'] = litlen.lengths['C'] = litlen.lengths['G'] = 2;
        litlen.lengths['T'] = 3;
        litlen.lengths[256] = 4;
        litlen.lengths['N'] = litlen.lengths[257] = 5; /* 3 / 4 + 1 / 8 + 1 / 16 + 2 / 32 */
        for (unsigned i = 0; i < 30; i++) {
            distance.lengths[i] = i < 2 ? 4 : 5; /* 2 / 16 + 28 / 32 */
        }
        maker_code_number(&litlen);
        maker_code_number(&distance);
        maker_dynamic(&c->made, 1, &litlen, &distance, random);
    }
    for (size_t i = 0; i < front + 400; i++) {
        if (i == front && back > 0) {
            unsigned symbol = maker_distance_symbol(back);
            maker_symbol(&c->made, &litlen, 257);
            maker_symbol(&c->made, &distance, symbol);
            maker_put(&c->made, back - maker_distance_base[symbol], maker_distance_bits[symbol]);
        }
        maker_literal(&c->made, &litlen, (uint8_t) "ACGT"[maker_below(random, 4)]);
    }
    maker_symbol(&c->made, &litlen, 256);
    maker_align(&c->made, 0);
    c->in_bytes = c->made.file.count;
    c->out_bytes = c->made.text.count + (back > 0 ? 3 : 0);
}

/* A match from one byte before the text, in any way: bytes lie there, and they are none of its own. */
static void far_matches(const kernel_mask *kernel) {
    static const unsigned fronts[] = {0, 1, 2, 7, 15, 16, 100, 254, 255, 256, 257, 700, 32767};
    uint64_t random = test_seed() + 8;
    bsi_kernels_streams(&ways, kernel->cpu);
    for (size_t i = 0; i < 2 * WAYS_MOST * sizeof fronts / sizeof fronts[0]; i++) {
        size_t wrong = i % WAYS_MOST;
        unsigned front = fronts[i / WAYS_MOST / 2];
        int fixed = (int)(i / WAYS_MOST % 2);
        test_note("%s, after %u bytes in way %u, fixed %d", kernel->name, front, (unsigned)wrong, fixed);
        for (size_t k = 0; k < WAYS_MOST; k++) {
            case_far(&cases[k], fixed, front, k == wrong ? front + 1 : 0, &random);
        }
        ways_decode();
        for (size_t k = 0; k < WAYS_MOST; k++) {
            if (k != wrong) {
                check_way_done(k);
            }
        }
        CHECK_EQ_U64(ways.ways[wrong].verdict, BSI_INFLATE_BAD);
        CHECK_STR(ways.ways[wrong].inflate.detail, "distance too far back");
        CHECK_EQ_U64(way_text_bytes(wrong), front);
        check_way_text(wrong, cases[wrong].made.text.data);
        ways_free();
    }
}

TEST(ways, far_matches) {
    each_kernel(far_matches);
}

/*
 * A way keeps the tables of the fixed codes from stream to stream. They are new again after a code of
 * its own, also where that one was cut off anywhere in its header or its text.
 */
static void kept_tables(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 3;
    bsi_kernels_streams(&ways, kernel->cpu);
    for (size_t cut = 0; cut < 120; cut++) {
        test_note("%s, cut at %u", kernel->name, (unsigned)cut);
        for (int turn = 0; turn < 3; turn++) { /* fixed codes, a cut code, fixed codes */
            for (size_t i = 0; i < WAYS_MOST; i++) {
                case_letters(&cases[i], turn != 1, 400 + (unsigned)i * 30, &random);
            }
            if (turn == 1) {
                cases[cut % WAYS_MOST].in_bytes = cut;
            }
            ways_decode();
            for (size_t i = 0; i < WAYS_MOST; i++) {
                if (turn == 1 && i == cut % WAYS_MOST) {
                    CHECK_EQ_U64(ways.ways[i].verdict, BSI_INFLATE_NEED_INPUT);
                    check_way_text(i, cases[i].made.text.data);
                } else {
                    check_way_done(i);
                }
            }
            ways_free();
        }
    }
}

TEST(ways, kept_tables) {
    each_kernel(kept_tables);
}

/* ---- blocks ---- */

static maker blocks_made;
static bsi_hash_crc_tables crc_tables;

/* A block of random DEFLATE with 1..bytes bytes of text, the first stored; 0: the shortest, no text. */
static void block_add(maker *m, size_t bytes, uint64_t *random) {
    maker_header h;
    maker_shape shape;
    if (bytes == 0) {
        maker_eof_block(m);
        return;
    }
    memset(&h, 0, sizeof h);
    h.os = 255;
    h.block = 1;
    memset(&shape, 0, sizeof shape);
    shape.blocks = 4;
    shape.ops = 4000;
    shape.text_bytes = bytes;
    shape.match_percent = maker_chance(random, 25) ? 0 : maker_below(random, 101);
    shape.letters = maker_chance(random, 60) ? "ACGTN\n" : NULL;
    maker_member(m, &h);
    maker_stored(m, 0, 0, "@", 1);
    maker_random_deflate(m, &shape, random);
    maker_member_end(m);
}

/* A block that is exactly full. */
static void block_full(maker *m, uint64_t *random) {
    static uint8_t text[BLOCK_MOST];
    maker_header h;
    memset(&h, 0, sizeof h);
    h.os = 255;
    h.block = 1;
    for (size_t i = 0; i < BLOCK_MOST; i++) {
        text[i] = (uint8_t) "ACGT"[maker_below(random, 4)];
    }
#ifdef HAVE_ZLIB
    maker_pack(m, &h, text, BLOCK_MOST, 6);
#else
    maker_pack(m, &h, text, 65000, -2);
#endif
}

/* bsi_frame_blocks for all that was made, in a buffer of `room` bytes for the text. */
static int blocks_decode(bsi_frame *frame, size_t room, uint8_t **out_text, size_t *out_bytes) {
    uint8_t *source = test_copy(blocks_made.file.data, blocks_made.file.count);
    uint8_t *buffer = test_copy(NULL, FRONT_BYTES + room), *out = buffer + FRONT_BYTES;
    size_t front = 0;
    int good;
    memset(buffer, 0x5A, FRONT_BYTES + room);
    good = bsi_frame_blocks(frame, &ways, source, blocks_made.file.count, &out, out + room);
    while (front < FRONT_BYTES && buffer[front] == 0x5A) {
        front++;
    }
    CHECK_EQ_U64(front, FRONT_BYTES);
    *out_bytes = (size_t)(out - buffer) - FRONT_BYTES;
    *out_text = buffer;
    free(source);
    return good;
}

static void frame_start(bsi_frame *frame) {
    bsi_frame_begin(frame, &crc_tables);
    frame->source_offset = 1000; /* as if others came before */
    frame->text_offset = frame->member_offset = 5000;
    frame->members_done = 7;
    frame->blocks_done = 6;
}

/* Any number of blocks of any sizes: all of their text, and they are counted. */
static void good_blocks(const kernel_mask *kernel) {
    static bsi_frame frame;
    uint64_t random = test_seed() + 4;
    unsigned rounds = MAKER_SLOW ? 20 : 150;
    bsi_kernels_streams(&ways, kernel->cpu);
    for (unsigned round = 0; round < rounds; round++) {
        unsigned count = 1 + maker_below(&random, 12);
        size_t bytes, last_text;
        uint8_t *text;
        test_note("%s, round %u", kernel->name, round);
        bsi_ops_texts_begin_trials(&ways, 1 + round % WAYS_MOST);
        maker_begin(&blocks_made);
        for (unsigned i = 0; i < count; i++) {
            if (maker_chance(&random, 10)) {
                block_full(&blocks_made, &random);
            } else {
                block_add(&blocks_made, ways_size_random(&random) % 30000, &random);
            }
        }
        frame_start(&frame);
        CHECK(blocks_decode(&frame, blocks_made.text.count, &text, &bytes));
        if (CHECK_EQ_U64(bytes, blocks_made.text.count)) {
            CHECK_MEM(text + FRONT_BYTES, blocks_made.text.data, bytes);
        }
        CHECK_EQ_U64(frame.source_offset, 1000 + blocks_made.file.count);
        CHECK_EQ_U64(frame.text_offset, 5000 + bytes);
        CHECK_EQ_U64(frame.member_offset, 5000 + bytes);
        CHECK_EQ_U64(frame.members_done, 7 + count);
        CHECK_EQ_U64(frame.blocks_done, 6 + count);
        last_text = blocks_made.text.count - (count > 1 ? blocks_made.borders[count - 2].text : 0);
        CHECK_EQ_U64(frame.eof_block_missing, last_text > 0);
        free(text);
    }
}

TEST(ways, good_blocks) {
    bsi_hash_crc_init(&crc_tables);
    each_kernel(good_blocks);
}

/* How a block is damaged, and what must be said of it. */
typedef enum damage {
    DAMAGE_TYPE, /* block type 3 */
    DAMAGE_CRC,
    DAMAGE_MORE_TEXT, /* ISIZE is one too large */
    DAMAGE_LESS_TEXT, /* too small */
    DAMAGE_SHORT,     /* BSIZE is one too small */
    DAMAGE_LONG,      /* too large */
    DAMAGE_SLACK,     /* a byte between DEFLATE and trailer, which BSIZE counts */
    DAMAGE_CUT,       /* the file ends one byte early */
    DAMAGE_FLAG,      /* FTEXT is set, which is no fault */
    DAMAGE_COUNT
} damage;

static const biost_fault damage_faults[DAMAGE_COUNT] = {
    BIOST_FAULT_BAD_DEFLATE, BIOST_FAULT_BAD_CRC,   BIOST_FAULT_BAD_ISIZE,
    BIOST_FAULT_BAD_ISIZE,   BIOST_FAULT_BAD_BGZF,  BIOST_FAULT_BAD_BGZF,
    BIOST_FAULT_BAD_BGZF,    BIOST_FAULT_TRUNCATED, BIOST_FAULT_NONE};

static size_t block_start(size_t block) {
    return block == 0 ? 0 : blocks_made.borders[block - 1].file;
}

static void number_add(uint8_t *at, unsigned bytes, uint32_t what) {
    for (; bytes > 0; --bytes, ++at) {
        what += *at;
        *at = (uint8_t)(what & 0xFFu);
        what = (what >> 8) | ((what & 0x80000000u) ? 0xFF000000u : 0); /* a borrow goes on */
    }
}

/* Put a byte in front of a block's trailer; later blocks move. */
static void block_slack(size_t block) {
    size_t at = blocks_made.borders[block].file - 8;
    maker_bytes_add(&blocks_made.file, "", 1);
    memmove(blocks_made.file.data + at + 1, blocks_made.file.data + at, blocks_made.file.count - 1 - at);
    blocks_made.file.data[at] = 0;
    for (; block < blocks_made.border_count; block++) {
        blocks_made.borders[block].file++;
    }
}

/* Damage a block whose header is the plainest: BSIZE at 16, DEFLATE from 18 on. */
static void block_damage(size_t block, damage how) {
    uint8_t *start, *end;
    if (how == DAMAGE_SLACK) {
        block_slack(block);
    }
    start = blocks_made.file.data + block_start(block);
    end = blocks_made.file.data + blocks_made.borders[block].file;
    switch (how) {
    case DAMAGE_TYPE: start[18] |= 6; break; /* of a stored block, type 0 */
    case DAMAGE_CRC: end[-8] ^= 1; break;
    case DAMAGE_MORE_TEXT: number_add(end - 4, 4, 1); break;
    case DAMAGE_LESS_TEXT: number_add(end - 4, 4, UINT32_MAX); break;
    case DAMAGE_SHORT: number_add(start + 16, 2, UINT32_MAX); break;
    case DAMAGE_SLACK:
    case DAMAGE_LONG: number_add(start + 16, 2, 1); break;
    case DAMAGE_CUT: blocks_made.file.count = blocks_made.borders[block].file - 1; break;
    case DAMAGE_FLAG: start[3] |= 1; break;
    default: break;
    }
}

/* Seven blocks, one of them damaged. */
#define ROW_BLOCKS 7u

static void row_make(size_t block, damage how, uint64_t *random) {
    maker_begin(&blocks_made);
    for (size_t i = 0; i < ROW_BLOCKS; i++) {
        block_add(&blocks_made, 1 + maker_below(random, 9000), random);
    }
    block_damage(block, how);
}

/*
 * Not one byte is accounted for, nor written after the room. Without CRC-32 all damage but that of the
 * CRC-32 itself is found all the same.
 */
static void bad_blocks(const kernel_mask *kernel) {
    static bsi_frame frame, before;
    uint64_t random = test_seed() + 5;
    bsi_kernels_streams(&ways, kernel->cpu);
    for (size_t i = 0; i < 2 * ROW_BLOCKS * DAMAGE_COUNT; i++) {
        size_t block = i / 2 / DAMAGE_COUNT, bytes;
        damage how = (damage)(i / 2 % DAMAGE_COUNT);
        uint8_t *text;
        test_note("%s, block %u, damage %u, no_crc %u", kernel->name, (unsigned)block, (unsigned)how,
                  (unsigned)(i % 2));
        bsi_ops_texts_begin_trials(&ways, 1 + (uint32_t)(i / 2 % WAYS_MOST));
        row_make(block, how, &random);
        frame_start(&frame);
        frame.rules.no_crc = (int)(i % 2);
        before = frame;
        if (how == DAMAGE_CRC && frame.rules.no_crc) {
            CHECK(blocks_decode(&frame, blocks_made.text.count + 1, &text, &bytes));
            CHECK_EQ_U64(bytes, blocks_made.text.count);
        } else {
            CHECK(!blocks_decode(&frame, blocks_made.text.count + 1, &text, &bytes));
            CHECK_EQ_U64(bytes, 0);
            CHECK_MEM(&frame, &before, offsetof(bsi_frame, inflate));
        }
        free(text);
    }
}

TEST(ways, bad_blocks) {
    bsi_hash_crc_init(&crc_tables);
    each_kernel(bad_blocks);
}

/* Blocks that are given up because another one is bad are not decoded on with the next page. */
static void given_up_blocks(const kernel_mask *kernel) {
    static bsi_frame frame;
    uint64_t random = test_seed() + 7;
    bsi_kernels_streams(&ways, kernel->cpu);
    for (size_t block = 0; block < ROW_BLOCKS; block++) {
        uint8_t *old_text, *text;
        size_t old_bytes, bytes, changed = 0;
        test_note("%s, block %u", kernel->name, (unsigned)block);
        row_make(block, DAMAGE_TYPE, &random);
        frame_start(&frame);
        CHECK(!blocks_decode(&frame, blocks_made.text.count, &old_text, &old_bytes));
        old_bytes = blocks_made.text.count;
        memset(old_text, 0x5A, FRONT_BYTES + old_bytes);
        maker_begin(&blocks_made);
        block_add(&blocks_made, 9000, &random);
        frame_start(&frame);
        CHECK(blocks_decode(&frame, blocks_made.text.count, &text, &bytes));
        CHECK_EQ_U64(bytes, blocks_made.text.count);
        for (size_t i = 0; i < FRONT_BYTES + old_bytes; i++) {
            changed += old_text[i] != 0x5A;
        }
        CHECK_EQ_U64(changed, 0);
        free(old_text);
        free(text);
    }
}

TEST(ways, given_up_blocks) {
    bsi_hash_crc_init(&crc_tables);
    each_kernel(given_up_blocks);
}

/* A stream of blocks gives the text of all in front of the damaged one, whoever works on it. */
static void check_row_stream(size_t block, damage how, const biost_stream_desc *desc) {
    size_t text_bytes = how == DAMAGE_FLAG ? blocks_made.text.count
                        : block == 0       ? 0
                                           : blocks_made.borders[block - 1].text;
    stream_outcome out = stream_run(desc, STREAM_PAGES);
    CHECK_STR(biost_fault_name(out.error.fault), biost_fault_name(damage_faults[how]));
    CHECK_EQ_I64(out.result, how == DAMAGE_FLAG ? BIOST_END : BIOST_ERR_GZIP);
    if (how != DAMAGE_FLAG) {
        CHECK_EQ_U64(out.error.text_offset, text_bytes);
        CHECK(out.error.source_offset >= block_start(block));
        CHECK(out.error.source_offset <= blocks_made.borders[block].file);
    }
    if (CHECK_EQ_U64(out.text.count, text_bytes)) {
        CHECK_MEM(out.text.data, blocks_made.text.data, text_bytes);
    }
    maker_bytes_free(&out.text);
}

static void bad_streams(const kernel_mask *kernel) {
    uint64_t random = test_seed() + 6;
    for (size_t i = 0; i < ROW_BLOCKS * DAMAGE_COUNT; i++) {
        size_t block = i / DAMAGE_COUNT;
        damage how = (damage)(i % DAMAGE_COUNT);
        uint8_t *source;
        row_make(block, how, &random);
        source = test_copy(blocks_made.file.data, blocks_made.file.count);
        for (uint32_t turn = 0; turn < 4; turn++) {
            biost_stream_desc desc;
            memset(&desc, 0, sizeof desc);
            desc.memory.data = source;
            desc.memory.bytes = blocks_made.file.count;
            desc.workers = 1 + turn;
            desc.test.cpu_hidden = ~kernel->cpu;
            desc.test.block_ways = (uint32_t)(i + turn) % 4;
            desc.test.chunk_bytes = turn % 2 * 3000;
            desc.test.page_bytes = turn == 3 ? 20000 : 0;
            desc.test.order_seed = turn == 2 ? i + 1 : 0;
            test_note("%s, block %u, damage %u, %u workers", kernel->name, (unsigned)block, (unsigned)how,
                      (unsigned)desc.workers);
            check_row_stream(block, how, &desc);
        }
        free(source);
    }
}

TEST(ways, bad_streams) {
    each_kernel(bad_streams);
}

/* ---- how many at a time ---- */

/*
 * What pages take by a made-up clock, in ns, by each number of blocks at a time and by the processor's kernel; the
 * portable one takes as many thousandths of that. How many pages each number and the portable kernel got.
 */
static uint64_t pace_ns[WAYS_MOST + 1], pace_portable;
static uint32_t pace_pages[WAYS_MOST + 1], pace_portable_pages;

/* What a page takes that `of` is at. */
static uint64_t pace_of(const bsi_ops_texts_streams *of) {
    return pace_ns[bsi_ops_texts_at_once(of)] * (bsi_ops_texts_takes_portable(of) ? pace_portable : 1000) /
           1000;
}

/* Let `pages` pages pass. Page `late` of them takes a thousand times as long: something else ran. */
static void pace_pass(uint32_t pages, uint32_t late) {
    memset(pace_pages, 0, sizeof pace_pages);
    pace_portable_pages = 0;
    for (uint32_t i = 0; i < pages; i++) {
        uint32_t count = bsi_ops_texts_at_once(&ways);
        size_t text_bytes = 50000 + i * 7919 % 100000; /* time is in proportion to it */
        if (!CHECK(count >= 1 && count <= WAYS_MOST)) {
            return;
        }
        pace_pages[count]++;
        pace_portable_pages += (uint32_t)bsi_ops_texts_takes_portable(&ways);
        bsi_ops_texts_note_page(&ways, pace_of(&ways) * text_bytes / 1000 * (i == late ? 1000 : 1),
                                text_bytes);
    }
}

/* Of the pages from one trial to the next all but the trial's go to the faster, whatever one page took. */
TEST(ways, faster_number_goes_on) {
    const uint32_t trial = BSI_OPS_TEXTS_TRIAL_TURNS * 2;
    bsi_kernels_streams(&ways, 0); /* one kernel: all trials are of the number */
    bsi_ops_texts_begin_trials(&ways, 0);
    pace_portable = 1000;
    for (uint32_t turn = 0; turn < 6 * trial; turn++) { /* three turns each, whichever page is late */
        uint32_t faster = turn / 3 % 2 != 0 ? 1 : WAYS_MOST, other = 1 + WAYS_MOST - faster;
        test_note("turn %u", (unsigned)turn);
        pace_ns[faster] = 500;
        pace_ns[other] = 510;
        pace_pass(BSI_OPS_TEXTS_TRIAL_EVERY, turn % trial);
        CHECK_EQ_U64(pace_pages[faster], BSI_OPS_TEXTS_TRIAL_EVERY - BSI_OPS_TEXTS_TRIAL_TURNS);
        CHECK_EQ_U64(pace_pages[other], BSI_OPS_TEXTS_TRIAL_TURNS);
    }
}

/*
 * Where there are two kernels the second trial, the sixth and so on are of these, by the number that is at work; the
 * other trials go on being of the number, by the kernel at work.
 */
TEST(ways, faster_kernel_goes_on) {
    enum { TURNS = BSI_OPS_TEXTS_TRIAL_TURNS, EVERY = BSI_OPS_TEXTS_TRIAL_EVERY, TRIALS = 12 };
    static const struct {
        uint32_t ones, portables; /* pages of the trial and those after it */
    } want[TRIALS] = {{EVERY - TURNS, 0}, {EVERY, TURNS},         {EVERY - TURNS, 0}, {EVERY - TURNS, 0},
                      {EVERY - TURNS, 0}, {EVERY, EVERY - TURNS}, {TURNS, EVERY},     {TURNS, EVERY},
                      {TURNS, EVERY},     {0, EVERY - TURNS},     {TURNS, EVERY},     {TURNS, EVERY}};
    bsi_kernels_streams(&ways, 0);
    ways.fast[0] = NULL; /* another than the portable one, and never called */
    bsi_ops_texts_begin_trials(&ways, 0);
    for (uint32_t i = 0; i < TRIALS; i++) {
        test_note("trial %u", (unsigned)i);
        pace_portable = i < 5 ? 1100 : 900;
        pace_ns[1] = i < 6 ? 500 : 520;
        pace_ns[WAYS_MOST] = 510;
        pace_pass(EVERY, i % (2 * TURNS));
        CHECK_EQ_U64(pace_pages[1], want[i].ones);
        CHECK_EQ_U64(pace_pages[1] + pace_pages[WAYS_MOST], EVERY);
        CHECK_EQ_U64(pace_portable_pages, want[i].portables);
    }
}

/* A number that is fixed stays, and nothing is timed. */
TEST(ways, fixed_number_stays) {
    for (uint32_t count = 1; count <= WAYS_MOST; count++) {
        bsi_ops_texts_begin_trials(&ways, count);
        for (uint32_t i = 0; i < 2 * BSI_OPS_TEXTS_TRIAL_EVERY; i++) {
            CHECK(!bsi_ops_texts_is_trial(&ways));
            CHECK(!bsi_ops_texts_takes_portable(&ways));
            CHECK_EQ_U64(bsi_ops_texts_at_once(&ways), count);
            bsi_ops_texts_note_page(&ways, 0, 1000);
        }
    }
}

/* A clock for one stream of one worker: its time goes on by what a page takes with the number at work. */
static biost_stream *clock_of;
static uint64_t clock_time, clock_reads;

static uint64_t clock_now(void) {
    clock_time += pace_of(&clock_of->pipe.ways[0]);
    ++clock_reads;
    return clock_time;
}

/* Read `pages` pages of a text that is `piece` over and over. */
static void clock_read(uint32_t pages, const maker_bytes *piece, size_t *at) {
    for (uint32_t i = 0; i < pages; i++) {
        biost_page page;
        size_t done = 0;
        if (!CHECK_EQ_I64(biost_stream_next_page(clock_of, &page), BIOST_OK)) {
            return;
        }
        while (done < page.text_bytes) {
            size_t count = piece->count - *at;
            count = count < page.text_bytes - done ? count : page.text_bytes - done;
            CHECK_MEM(page.text + done, piece->data + *at, count);
            done += count;
            *at = (*at + count) % piece->count;
        }
    }
}

/*
 * What a made-up clock favours is at work between trials, the number at a time after the first and the third and the
 * kernel after the second. The text is the same.
 */
TEST(ways, stream_takes_what_the_clock_favours) {
    enum { BLOCK_TEXT = 20000, PAGE_BLOCKS = 3 };
    maker_bytes piece = {NULL, 0, 0}, file = {NULL, 0, 0};
    uint64_t random = test_seed() + 9;
    biost_stream_desc desc;
    biost_error error;
    size_t at = 0;
    maker_begin(&blocks_made);
    maker_fastq(&piece, 1000, &random);
    piece.count = 1000;
    while (piece.count < BLOCK_TEXT * PAGE_BLOCKS) { /* quickly decoded */
        maker_bytes_add(&piece, NULL, 1000);
        memcpy(piece.data + piece.count - 1000, piece.data, 1000);
    }
    maker_bgzf(&blocks_made, piece.data, piece.count, BLOCK_TEXT, 6);
    for (uint32_t i = 0; i < 3 * BSI_OPS_TEXTS_TRIAL_EVERY; i++) {
        maker_bytes_add(&file, blocks_made.file.data, blocks_made.borders[PAGE_BLOCKS - 1].file);
    }
    memset(&desc, 0, sizeof desc);
    desc.memory.data = file.data;
    desc.memory.bytes = file.count;
    desc.test.page_bytes = BLOCK_TEXT; /* a page has room for 64 KiB: three blocks */
    REQUIRE(biost_stream_open(&desc, &clock_of, &error) == BIOST_OK);
    clock_of->pipe.now_ns = clock_now;
    clock_reads = 0;
    for (uint32_t turn = 0; turn < 3; turn++) { /* each time to the middle between two trials */
        const bsi_ops_texts_streams *of = &clock_of->pipe.ways[0];
        uint32_t faster = turn == 2 ? WAYS_MOST : 1;
        test_note("turn %u", (unsigned)turn);
        pace_ns[faster] = 1000;
        pace_ns[1 + WAYS_MOST - faster] = 1100;
        pace_portable = turn == 0 ? 1100 : 900;
        clock_read(turn == 0 ? BSI_OPS_TEXTS_TRIAL_EVERY / 2 : BSI_OPS_TEXTS_TRIAL_EVERY, &piece, &at);
        CHECK_EQ_U64(bsi_ops_texts_at_once(of), faster);
        CHECK_EQ_I64(bsi_ops_texts_takes_portable(of), turn > 0 && of->fast[0] != of->fast[1]);
        CHECK_EQ_I64(clock_of->pipe.pages[0].frame.inflate.fast == bsi_inflate_fast_portable,
                     bsi_ops_texts_takes_portable(of) || of->fast[0] == of->fast[1]);
        CHECK_EQ_U64(clock_reads, 2 * (turn + 1) * 2 * BSI_OPS_TEXTS_TRIAL_TURNS);
    }
    biost_stream_close(clock_of);
    maker_bytes_free(&piece);
    maker_bytes_free(&file);
}

/* ---- a source that fails ---- */

static size_t source_bytes_before; /* what it gives before it fails */
static int source_ends;            /* it ends there, instead of an error */

static void *source_open(const char *path, void *user_data) {
    (void)path;
    (void)user_data;
    return &source_bytes_before;
}

static int64_t source_size(void *file, void *user_data) {
    (void)file;
    (void)user_data;
    return (int64_t)blocks_made.file.count;
}

static int64_t source_read_at(void *file, uint64_t offset, void *out, size_t bytes, void *user_data) {
    (void)file;
    (void)user_data;
    if (offset >= source_bytes_before) {
        return source_ends ? 0 : -1;
    }
    bytes = bytes < source_bytes_before - offset ? bytes : (size_t)(source_bytes_before - offset);
    memcpy(out, blocks_made.file.data + offset, bytes);
    return (int64_t)bytes;
}

static void source_close(void *file, void *user_data) {
    (void)file;
    (void)user_data;
}

/* Blocks that waited for more of them come out whole when the source fails instead. */
TEST(ways, blocks_before_a_source_fails) {
    static const uint32_t chunks[] = {0, 200, 1000, 3000, 6000};
    maker_bytes text = {NULL, 0, 0};
    uint64_t random = test_seed() + 7;
    maker_begin(&blocks_made);
    maker_fastq(&text, 30000, &random);
    maker_bgzf(&blocks_made, text.data, text.count, 5000, 6);
    for (unsigned i = 0; i < 5 * 2 * 5 * 2; i++) {
        size_t blocks = 1 + i % 5;
        biost_stream_desc desc;
        stream_outcome out;
        source_ends = i / 5 % 2 != 0;
        source_bytes_before = blocks_made.borders[blocks - 1].file;
        memset(&desc, 0, sizeof desc);
        desc.path = "blocks.gz";
        desc.files.open = source_open;
        desc.files.size = source_size;
        desc.files.read_at = source_read_at;
        desc.files.close = source_close;
        desc.workers = 1 + i / 50;
        desc.test.chunk_bytes = chunks[i / 10 % 5];
        out = stream_run(&desc, STREAM_PAGES);
        test_note("%u blocks, ends %d, chunk %u, %u workers", (unsigned)blocks, source_ends,
                  (unsigned)desc.test.chunk_bytes, (unsigned)desc.workers);
        CHECK_STR(biost_fault_name(out.error.fault), source_ends ? "CHANGED" : "READ");
        if (!source_ends) {
            CHECK_EQ_U64(out.error.source_offset, source_bytes_before);
        }
        if (CHECK_EQ_U64(out.text.count, blocks * 5000)) {
            CHECK_MEM(out.text.data, text.data, out.text.count);
        }
        maker_bytes_free(&out.text);
    }
    maker_bytes_free(&text);
}

/* ---- members with BC that are no blocks ---- */

#define OVERSIZE_BYTES 70000u

/* A member with BC, of a text of more than 64 KiB: a literal and matches of distance 1. */
static void oversize_add(maker *m) {
    maker_header block;
    maker_code litlen, distance;
    unsigned matches = (OVERSIZE_BYTES - 1) / 258;
    memset(&block, 0, sizeof block);
    block.block = 1;
    maker_member(m, &block);
    maker_fixed_codes(&litlen, &distance);
    maker_block(m, 1, 1);
    maker_literal(m, &litlen, 'A');
    for (unsigned i = 0; i < matches; i++) {
        maker_match(m, &litlen, &distance, 258, 1, 1);
    }
    maker_match(m, &litlen, &distance, OVERSIZE_BYTES - 1 - matches * 258, 0, 1);
    maker_symbol(m, &litlen, 256);
    maker_member_end(m);
}

/* Blocks enough for ways, O an oversize member: what is between two of these is a row. */
static const char members[] = "bbbbObbbOOb";

/* What the members up to and with number `count` have, in the file and as text. */
static uint64_t member_ends[sizeof members][2];

static void members_make(uint64_t *random) {
    maker_begin(&blocks_made);
    for (size_t i = 0; members[i] != 0; i++) {
        if (members[i] == 'O') {
            oversize_add(&blocks_made);
        } else {
            block_add(&blocks_made, 20000, random);
        }
        member_ends[i + 1][0] = blocks_made.file.count;
        member_ends[i + 1][1] = blocks_made.text.count;
    }
}

static void check_members(const char *fault, uint64_t text_bytes) {
    static const uint32_t chunks[] = {0, 1000, 6000};
    for (unsigned i = 0; i < 2 * 3; i++) {
        biost_stream_desc desc;
        stream_outcome out;
        memset(&desc, 0, sizeof desc);
        desc.path = "members.gz";
        desc.files.open = source_open;
        desc.files.size = source_size;
        desc.files.read_at = source_read_at;
        desc.files.close = source_close;
        desc.workers = 1 + i / 3;
        desc.test.chunk_bytes = chunks[i % 3];
        out = stream_run(&desc, STREAM_PAGES);
        test_note("%s, chunk %u, %u workers", fault, (unsigned)desc.test.chunk_bytes, (unsigned)desc.workers);
        CHECK_STR(biost_fault_name(out.error.fault), fault);
        if (CHECK_EQ_U64(out.text.count, text_bytes)) {
            CHECK_MEM(out.text.data, blocks_made.text.data, out.text.count);
        }
        maker_bytes_free(&out.text);
    }
}

/*
 * They are plain members between rows of blocks, whole or in front of a source that fails; and their
 * BSIZE is still checked, after their text.
 */
TEST(ways, oversize_members_among_blocks) {
    uint64_t random = test_seed() + 8;
    members_make(&random);
    source_ends = 0;
    for (size_t count = 1; count < sizeof members; count++) {
        source_bytes_before = member_ends[count][0];
        check_members(count + 1 < sizeof members ? "READ" : "NONE", member_ends[count][1]);
    }
    for (size_t i = 0; members[i] != 0; i++) {
        uint8_t *size = blocks_made.file.data + member_ends[i][0] + 16;
        if (members[i] == 'O') {
            REQUIRE(*size != 255);
            ++*size; /* of BSIZE */
            check_members("BAD_BGZF", member_ends[i + 1][1]);
            --*size;
        }
    }
}
