/*
 * test_stream_damage.c - small gzip and BGZF files cut at every byte and with every single bit turned
 * over: an error or the same text, never another text.
 *
 * The files come from deflate_maker.h, which knows which bits say nothing (MTIME, XFL, OS, FTEXT, the
 * words of FNAME and FCOMMENT, extra subfields, padding bits): a flip of one of those must change
 * nothing, a flip of any other must be an error after the text of all members before it.
 *
 * rooms: frame route
 * needs: threads library
 */
#include "../biostream.h"
#include "test.h"
#include "deflate_maker.h"

#define SEED_BYTES 2048u

static maker made; /* the seed at hand */

/* ---- seeds ---- */

static const char fasta[] = ">chr1 one\r\nACGTACGGTCA\r\nGGTCAATCG\r\n>chr2\r\nTTGACCA\r\n";
static const char fastq_lines[] = "@r1\nACGTTG\nCATG\n+\nFFFF:F\nF,#F\n@r2\nGGAT\n+r2\nIIHH\n";

static maker_header header_of(int block) {
    maker_header h;
    memset(&h, 0, sizeof h);
    h.os = 255;
    h.block = block;
    return h;
}

/* Extra subfields, then no name: or a wrong XLEN could be made up for by the name. */
static maker_header extra_header(int block, int checksum) {
    maker_header h = header_of(block);
    h.has_extra = 1;
    h.extra = "XY\3\0abc";
    h.extra_bytes = 7;
    h.after = "ZZ\1\0z";
    h.after_bytes = 5;
    h.checksum = checksum;
    return h;
}

static maker_header named_header(int checksum) {
    maker_header h = header_of(0);
    h.mtime = 0x5EED5EEDu;
    h.xfl = 4;
    h.os = 3;
    h.text = 1;
    h.name = "reads.fastq";
    h.comment = "seven_words";
    h.checksum = checksum;
    return h;
}

static maker_header full_header(int block) {
    maker_header h = extra_header(block, 1), named = named_header(1);
    named.has_extra = 1;
    named.extra = h.extra;
    named.extra_bytes = h.extra_bytes;
    named.after = h.after;
    named.after_bytes = h.after_bytes;
    named.block = block;
    return named;
}

/* A member of random blocks with matches. */
static void member_random(const maker_header *h, unsigned blocks, unsigned ops, uint64_t *random) {
    maker_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.blocks = blocks;
    shape.ops = ops;
    shape.text_bytes = 5000;
    shape.match_percent = 10;
    maker_member(&made, h);
    maker_random_deflate(&made, &shape, random);
    maker_member_end(&made);
}

static void member_stored(const maker_header *h, const char *text, uint32_t padding) {
    size_t half = strlen(text) / 2;
    maker_member(&made, h);
    maker_stored(&made, 0, padding, text, half);
    maker_stored(&made, 0, ~padding, "", 0);
    maker_stored(&made, 1, padding * 3, text + half, strlen(text) - half);
    maker_member_end(&made);
}

static void member_empty(const maker_header *h) {
    maker_pack(&made, h, "", 0, -1);
}

static void blocks_of(const char *text, size_t block_bytes) {
    size_t at, bytes = strlen(text);
    maker_header h = header_of(1);
    for (at = 0; at < bytes; at += block_bytes) {
        maker_pack(&made, &h, text + at, bytes - at < block_bytes ? bytes - at : block_bytes, -1);
    }
}

static void padding(size_t bytes) {
    maker_raw(&made, NULL, bytes, 0);
}

/* Two members of codes as long as codes can be, from a seed that gives a dynamic block. */
static void long_codes(uint64_t *random) {
    maker_code litlen, distance;
    unsigned i;
    maker_member(&made, NULL);
    maker_code_clear(&litlen, 286);
    maker_code_clear(&distance, 16);
    for (i = 0; i < 12; ++i) {
        litlen.lengths[i < 2 ? 'A' + i : 255 + i] = i + 1; /* A B 257..266: 1..12 bits */
        distance.lengths[i] = i + 1;
    }
    litlen.lengths[256] = 13;
    litlen.lengths[285] = 14;
    litlen.lengths['C'] = litlen.lengths['D'] = 15;
    for (i = 12; i < 16; ++i) {
        distance.lengths[i] = i < 15 ? i + 1 : 15;
    }
    maker_code_number(&litlen);
    maker_code_number(&distance);
    maker_dynamic(&made, 1, &litlen, &distance, random);
    for (i = 0; i < 230; ++i) {
        maker_literal(&made, &litlen, (uint8_t) "ABCD"[test_random(random) % 4]);
    }
    for (i = 0; i < 16; ++i) { /* every code of both trees is used, so that none can be another */
        maker_match(&made, &litlen, &distance, i < 11 ? 3 + i - i / 9 : 258, 0, maker_distance_base[i]);
        maker_literal(&made, &litlen, 'A' + i % 4);
    }
    maker_symbol(&made, &litlen, 256);
    maker_member_end(&made);
}

static const char *seed_try(unsigned number, uint64_t random) {
    maker_header h = header_of(0), block = header_of(1);
    maker_begin(&made);
    switch (number) {
    case 0: member_random(NULL, 4, 300, &random); return "one member";
    case 1:
        member_random(NULL, 3, 90, &random);
        member_empty(NULL);
        member_random(NULL, 3, 90, &random);
        return "three members, one empty";
    case 2: member_stored(NULL, fasta, 0x2B); return "stored blocks, FASTA with CRLF";
    case 3:
        maker_pack(&made, NULL, fastq_lines, strlen(fastq_lines), -1);
        return "fixed block, FASTQ over lines";
    case 4: long_codes(&random); return "dynamic block of long codes";
    case 5:
        h = full_header(0);
        member_random(&h, 3, 100, &random);
        return "all header fields, FHCRC";
    case 6:
        h = named_header(0);
        member_random(&h, 3, 100, &random);
        h = extra_header(0, 0);
        member_stored(&h, "@r\nAC\n+\nFF\n", 7);
        return "all header fields";
    case 7:
        blocks_of(fastq_lines, 20);
        maker_eof_block(&made);
        return "BGZF";
    case 8: blocks_of(fasta, 30); return "BGZF without its last block";
    case 9:
        blocks_of(">a\nACGT\n", 50);
        maker_eof_block(&made);
        member_random(&block, 3, 90, &random);
        maker_eof_block(&made);
        return "BGZF with the empty block in the middle";
    case 10:
        blocks_of(fasta, 30);
        maker_eof_block(&made);
        member_random(NULL, 3, 80, &random);
        return "BGZF, then gzip";
    case 11:
        member_random(NULL, 3, 80, &random);
        blocks_of(fastq_lines, 40);
        maker_eof_block(&made);
        return "gzip, then BGZF";
    case 12:
        member_random(NULL, 3, 80, &random);
        padding(20);
        return "zero padding";
    case 13:
        blocks_of(fasta, 40);
        maker_eof_block(&made);
        padding(9);
        return "BGZF and zero padding";
    case 14:
        h = extra_header(1, 0);
        maker_pack(&made, &h, fasta, 30, -1);
        h = full_header(1);
        maker_pack(&made, &h, fasta + 30, strlen(fasta) - 30, -2);
        maker_eof_block(&made);
        return "BGZF with all header fields";
    case 15:
        member_random(&block, 5, 90, &random);
        member_stored(&block, fastq_lines, 0x55);
        maker_eof_block(&made);
        return "BGZF of all kinds of blocks";
    default: return NULL;
    }
}

/*
 * Seed `number`; NULL: there are no more. The random ones start where no flip happens to say the same
 * text in other words, as another distance into a text that repeats itself does. Number 4 has four
 * letters only, so there it happens.
 */
static const char *seed_make(unsigned number) {
    static const uint64_t starts[] = {34, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    return seed_try(number, number < 16 ? starts[number] : 0);
}

/* ---- what must come of it ---- */

/* The last border at or before a byte of the file: members up to it are whole. Index + 1; 0: none. */
static size_t border_before(size_t byte) {
    size_t i = 0;
    while (i < made.border_count && made.borders[i].file <= byte) {
        ++i;
    }
    return i;
}

static size_t text_before(size_t border) {
    return border == 0 ? 0 : made.borders[border - 1].text;
}

/* Machine fields that may not matter, by turns. */
static biost_stream_desc desc_of(const uint8_t *bytes, size_t count, unsigned turn, uint32_t workers) {
    static const uint32_t pages[] = {0, 16, 64, 4096}, chunks[] = {0, 1, 7};
    biost_stream_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = bytes;
    desc.memory.bytes = count;
    desc.workers = workers;
    desc.test.page_bytes = pages[turn % 4];
    desc.test.page_count = 2 + turn % 2;
    desc.test.chunk_bytes = chunks[turn % 3];
    return desc;
}

/* Bytes as a stream that brings them in small pieces, so that chunks are cut too. */
typedef struct dripping {
    const uint8_t *bytes;
    size_t count, at;
    uint64_t random;
} dripping;

static int64_t drip(void *to, size_t bytes, void *user_data) {
    dripping *d = (dripping *)user_data;
    size_t take = 1 + maker_below(&d->random, 40);
    take = take < bytes ? take : bytes;
    take = take < d->count - d->at ? take : d->count - d->at;
    memcpy(to, d->bytes + d->at, take);
    d->at += take;
    return (int64_t)take;
}

/* Threads cost more than all the rest, so most runs are serial; a long run (TEST_STREAMS) has them all. */
static int is_long_run(void) {
    const char *text = getenv("TEST_STREAMS");
    return text != NULL && strtoul(text, NULL, 0) >= 50000;
}

/* From memory; with 2 workers; from a callback. All the same. The caller frees the text. */
static stream_outcome read_all_ways(const uint8_t *bytes, size_t count, unsigned turn, int threads) {
    uint8_t *copy = test_copy(bytes, count); /* of its exact size */
    biost_stream_desc desc = desc_of(copy, count, turn, 1);
    stream_outcome serial = stream_run(&desc, turn % 5 == 0 ? 7 : STREAM_PAGES), other;
    if (threads) {
        desc.workers = 2;
        other = stream_run(&desc, STREAM_PAGES);
        stream_same(&other, &serial);
        maker_bytes_free(&other.text);
    }
    if (turn % 2 == 0) {
        dripping d;
        d.bytes = copy;
        d.count = count;
        d.at = 0;
        d.random = turn;
        memset(&desc.memory, 0, sizeof desc.memory);
        desc.callback.read = drip;
        desc.callback.user_data = &d;
        desc.callback.name = "memory";
        desc.workers = threads && turn % 4 == 0 ? 2 : 1;
        other = stream_run(&desc, STREAM_PAGES);
        stream_same(&other, &serial);
        maker_bytes_free(&other.text);
    }
    free(copy);
    return serial;
}

/* ---- every prefix ---- */

static void check_prefix(size_t bytes, unsigned turn) {
    stream_outcome out = read_all_ways(made.file.data, bytes, turn, 1);
    size_t whole = border_before(bytes), checked = text_before(whole);
    size_t last = made.borders[made.border_count - 1].file;
    int clean = bytes == 0 || bytes >= last || (whole > 0 && made.borders[whole - 1].file == bytes);
    if (clean) {
        CHECK(out.result == BIOST_END);
        CHECK_EQ_U64(out.text.count, checked);
        CHECK_EQ_U64(out.progress.member_count, whole);
        CHECK_EQ_U64(out.progress.source_bytes, bytes);
        CHECK_EQ_U64(out.warnings & BIOST_WARN_ZERO_PADDING, bytes > last ? BIOST_WARN_ZERO_PADDING : 0);
        if (whole > 0 && made.borders[whole - 1].block) { /* is the last block empty? */
            CHECK_EQ_U64(out.warnings & BIOST_WARN_NO_EOF_BLOCK,
                         text_before(whole - 1) < checked ? BIOST_WARN_NO_EOF_BLOCK : 0);
        }
    } else {
        CHECK(out.result == BIOST_ERR_GZIP);
        CHECK_STR(biost_fault_name(out.error.fault), "TRUNCATED");
        CHECK_EQ_U64(out.error.source_offset, bytes);
        CHECK(out.text.count >= checked);
        if (made.borders[whole].block) {
            CHECK_EQ_U64(out.text.count, checked);
        }
    }
    CHECK(stream_is_prefix(&out, made.text.data, made.text.count));
    stream_check_inflate(made.file.data, bytes, &out);
    stream_check_control(made.file.data, bytes, NULL, &out);
    maker_bytes_free(&out.text);
}

TEST(damage, every_prefix) {
    const char *name;
    unsigned number;
    size_t bytes, step = MAKER_SLOW ? 3 : 1;
    for (number = 0; (name = seed_make(number)) != NULL; ++number) {
        CHECK(made.file.count <= SEED_BYTES);
        for (bytes = 0; bytes <= made.file.count; ++bytes) {
            int border = bytes == made.file.count || bytes == 0 ||
                         (border_before(bytes) > 0 && made.borders[border_before(bytes) - 1].file == bytes);
            if (border || bytes % step == number % step) {
                test_note("%s, first %u of %u bytes", name, (unsigned)bytes, (unsigned)made.file.count);
                check_prefix(bytes, (unsigned)bytes + number);
            }
        }
    }
    CHECK(number >= 12);
}

/* ---- every bit ---- */

/* Bytes of a member's end in which a flip may let a block pass for a plain member of more text: ISIZE. */
static int is_size_field(size_t byte) {
    size_t border = border_before(byte);
    return border < made.border_count && made.borders[border].file - byte <= 4;
}

static void check_flip(size_t bit, unsigned turn, int repeats, int threads) {
    size_t byte = bit / 8, whole = border_before(byte), checked = text_before(whole);
    int loose = made.loose.data[byte] >> (bit % 8) & 1;
    stream_outcome out;
    made.file.data[byte] ^= (uint8_t)(1u << (bit % 8));
    out = read_all_ways(made.file.data, made.file.count, turn, threads);
    if (bit >= 5 && bit < 8) { /* 3f 5f 9f: no magic, and text may begin so */
        CHECK(out.result == BIOST_END);
        if (CHECK_EQ_U64(out.text.count, made.file.count)) {
            CHECK_MEM(out.text.data, made.file.data, made.file.count);
        }
    } else if (loose || (repeats && out.result == BIOST_END)) {
        CHECK(out.result == BIOST_END);
        if (CHECK_EQ_U64(out.text.count, made.text.count)) {
            CHECK_MEM(out.text.data, made.text.data, made.text.count);
        }
        CHECK_EQ_U64(out.progress.member_count, made.border_count);
    } else {
        CHECK(out.result == BIOST_ERR_GZIP);
        CHECK(stream_starts(&out, made.text.data, checked));
        if (whole < made.border_count && made.borders[whole].block) {
            size_t start = whole == 0 ? 0 : made.borders[whole - 1].file;
            if (byte >= start + 18 && !is_size_field(byte) && made.borders[whole].file - start < 200) {
                CHECK_EQ_U64(out.text.count, checked); /* nothing of a failing block */
            }
        }
    }
    if (bit < 5 || bit >= 8) {
        stream_check_inflate(made.file.data, made.file.count, &out);
    }
    stream_check_control(made.file.data, made.file.count, NULL, &out);
    maker_bytes_free(&out.text);
    made.file.data[byte] ^= (uint8_t)(1u << (bit % 8));
}

TEST(damage, every_bit_flip) {
    const char *name;
    unsigned number;
    size_t bit, step = MAKER_SLOW ? 7 : test_effort(7, 1);
    int all = is_long_run();
    for (number = 0; (name = seed_make(number)) != NULL; ++number) {
        for (bit = number % step; bit < made.file.count * 8; bit += step) {
            test_note("%s, bit %u of byte %u", name, (unsigned)bit % 8, (unsigned)bit / 8);
            check_flip(bit, (unsigned)bit + number, number == 4, all || bit % 3 == 0);
        }
    }
}

/* A caller who knows that a file is gzip says so: then a damaged magic is an error too. */
TEST(damage, flips_of_the_magic_when_gzip_is_required) {
    const char *name;
    unsigned number, bit;
    for (number = 0; (name = seed_make(number)) != NULL; ++number) {
        for (bit = 0; bit < 16; ++bit) {
            biost_stream_desc desc;
            stream_outcome out;
            made.file.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            desc = desc_of(made.file.data, made.file.count, bit, 1 + bit % 2);
            desc.gzip.require = 1;
            test_note("%s, bit %u", name, bit);
            out = stream_run(&desc, STREAM_PAGES);
            CHECK(out.result == BIOST_ERR_GZIP);
            CHECK_STR(biost_fault_name(out.error.fault), "NOT_GZIP");
            CHECK_EQ_U64(out.text.count, 0);
            maker_bytes_free(&out.text);
            made.file.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
    }
    maker_free(&made);
}

/* The undamaged seeds: all their text, all their members, and zlib says the same. */
TEST(damage, seeds_are_good) {
    const char *name;
    unsigned number;
    for (number = 0; (name = seed_make(number)) != NULL; ++number) {
        stream_outcome out = read_all_ways(made.file.data, made.file.count, number, 1);
        test_note("%s", name);
        CHECK(out.result == BIOST_END);
        CHECK_EQ_U64(out.progress.member_count, made.border_count);
        if (CHECK_EQ_U64(out.text.count, made.text.count)) {
            CHECK_MEM(out.text.data, made.text.data, made.text.count);
        }
        stream_check_inflate(made.file.data, made.file.count, &out);
        stream_check_control(made.file.data, made.file.count, NULL, &out);
        maker_bytes_free(&out.text);
    }
    maker_free(&made);
}
