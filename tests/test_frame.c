/*
 * test_frame.c - gzip members: the hard cases of tests/data/semantics, every header field, every
 * cut.
 *
 * rooms: frame
 * needs: data
 */
#include "white.h"
#include "sha256.h"
#include "test.h"
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#define FRAME_TEXT_BYTES 140000u

typedef struct frame_outcome {
    bsi_frame_status status;
    bsi_bad bad;
    uint32_t warnings;
    uint64_t members;
    size_t text_bytes;
    size_t source_bytes; /* consumed */
} frame_outcome;

static uint8_t frame_text_a[FRAME_TEXT_BYTES], frame_text_b[FRAME_TEXT_BYTES];

/* Read members until something is asked for, or the end, or a fault. */
static bsi_frame_status run(bsi_frame *frame, const uint8_t **in, const uint8_t *in_end, int ended,
                            uint8_t **out, uint8_t *out_end) {
    bsi_frame_status status;
    do {
        status = bsi_frame_member(frame, in, in_end, ended, out, out_end);
    } while (status == BSI_FRAME_MEMBER);
    return status;
}

/*
 * Read a source in pieces. Each piece of input and each page with its history is a heap block of
 * exactly its size. `late_end`: the end is told in a call of its own, without bytes, as a file's
 * end is found.
 */
static frame_outcome frame_decode(const uint8_t *source, size_t bytes, size_t in_piece, size_t out_piece,
                                  int late_end, uint8_t *text) {
    static bsi_frame frame;
    static bsi_hash_crc_tables tables;
    frame_outcome result;
    size_t in_at = 0;
    uint8_t *piece = NULL;
    const uint8_t *in = NULL, *in_end = NULL;
    int ended = 0, begun = 0;
    memset(&frame, 0xA5, sizeof frame);
    bsi_hash_crc_init(&tables);
    bsi_frame_begin(&frame, &tables);
    memset(&result, 0, sizeof result);
    result.status = BSI_FRAME_NEED_INPUT;
    while (result.status == BSI_FRAME_NEED_INPUT || result.status == BSI_FRAME_NEED_OUTPUT) {
        size_t history = frame.inflate.history_bytes, got;
        uint8_t *page = test_copy(NULL, history + out_piece);
        uint8_t *out = page + history;
        memcpy(page, text + result.text_bytes - history, history);
        if (result.status == BSI_FRAME_NEED_INPUT) {
            size_t take = bytes - in_at < in_piece ? bytes - in_at : in_piece;
            CHECK(in == in_end);
            if (!CHECK(!ended)) {
                free(page);
                break;
            }
            free(piece);
            piece = test_copy(source + in_at, take);
            in = piece;
            in_end = piece + take;
            in_at += take;
            ended = in_at == bytes && (!late_end || (take == 0 && begun));
            begun = 1;
        }
        result.status = run(&frame, &in, in_end, ended, &out, page + history + out_piece);
        got = (size_t)(out - page) - history;
        memcpy(text + result.text_bytes, page + history, got);
        result.text_bytes += got;
        free(page);
    }
    result.bad = frame.bad;
    result.warnings = frame.warnings;
    result.members = frame.members_done;
    result.source_bytes = in_at - (size_t)(in_end - in);
    CHECK_EQ_U64(frame.source_offset, result.source_bytes);
    CHECK_EQ_U64(frame.text_offset, result.text_bytes);
    CHECK((result.status == BSI_FRAME_END) == (frame.bad.fault == BIOST_FAULT_NONE));
    {
        uint8_t *out = text; /* the verdict stays */
        CHECK(run(&frame, &in, in_end, 1, &out, text) == result.status && out == text);
    }
    free(piece);
    return result;
}

static frame_outcome decode_whole(const uint8_t *source, size_t bytes) {
    return frame_decode(source, bytes, bytes + 1, FRAME_TEXT_BYTES, 0, frame_text_a);
}

/* However it is cut, everything about it is as in one piece. */
static void frame_check_cuts(const uint8_t *source, size_t bytes, const frame_outcome *whole) {
    static const size_t pieces[] = {1, 2, 3, 7, 4095};
    for (size_t i = 0; i < 5; i++) {
        for (size_t k = 0; k < 5; k++) {
            frame_outcome cut;
            if ((i != k && i + k != 4) || whole->text_bytes / pieces[k] + bytes / pieces[i] > 5000) {
                continue; /* nine pairs are enough, and pages with history are slow to copy */
            }
            cut = frame_decode(source, bytes, pieces[i], pieces[k], (i + k) % 2 != 0, frame_text_b);
            CHECK_EQ_U64(cut.status, whole->status);
            CHECK_EQ_U64(cut.bad.fault, whole->bad.fault);
            CHECK_EQ_U64(cut.bad.source_offset, whole->bad.source_offset);
            CHECK_EQ_U64(cut.bad.text_offset, whole->bad.text_offset);
            CHECK_EQ_U64(cut.bad.byte, whole->bad.byte);
            CHECK_STR(cut.bad.detail, whole->bad.detail);
            CHECK_EQ_U64(cut.warnings, whole->warnings);
            CHECK_EQ_U64(cut.members, whole->members);
            if (CHECK_EQ_U64(cut.text_bytes, whole->text_bytes)) {
                CHECK_MEM(frame_text_b, frame_text_a, whole->text_bytes);
            }
        }
    }
}

/* ---- the hard cases ---- */

static const char *fault_name(biost_fault fault) {
    switch (fault) {
    case BIOST_FAULT_NONE: return "-";
    case BIOST_FAULT_NOT_GZIP: return "NOT_GZIP";
    case BIOST_FAULT_BAD_HEADER: return "BAD_HEADER";
    case BIOST_FAULT_BAD_DEFLATE: return "BAD_DEFLATE";
    case BIOST_FAULT_BAD_CRC: return "BAD_CRC";
    case BIOST_FAULT_BAD_ISIZE: return "BAD_ISIZE";
    case BIOST_FAULT_TRAILING_GARBAGE: return "TRAILING_GARBAGE";
    case BIOST_FAULT_TRUNCATED: return "TRUNCATED";
    default: return "?";
    }
}

/* A line of EXPECTED.tsv: file, flavour, verdict, members, bytes, SHA-256, fault, line. */
typedef struct expected {
    char file[80], flavour[120], verdict[16], sha[80], fault[32];
    unsigned long members, bytes;
} expected;

static int parse_line(const char *line, expected *e) {
    int fields = sscanf(line, "%79[^\t]\t%119[^\t]\t%15[^\t]\t%lu\t%lu\t%79[^\t]\t%31[^\t]", e->file,
                        e->flavour, e->verdict, &e->members, &e->bytes, e->sha, e->fault);
    return fields == 7 && strncmp(e->file, "gzip/", 5) == 0;
}

static int is_named(const expected *e, const char *const *names) {
    for (; *names != NULL; names++) {
        if (strncmp(e->file + 5, *names, 3) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Text and verdict of cases that are no gzip are the sniffer's. */
static void check_sniffed(const expected *e, const uint8_t *source, size_t bytes) {
    const char *codec;
    size_t head = bytes < BSI_FRAME_SNIFF_BYTES ? bytes : BSI_FRAME_SNIFF_BYTES;
    bsi_frame_kind kind = bsi_frame_sniff(source, head, &codec);
    bsi_frame_kind wanted = BSI_FRAME_KIND_GZIP;
    if (strcmp(e->fault, "NOT_GZIP") == 0) {
        wanted = BSI_FRAME_KIND_NOT_TEXT;
    } else if (strncmp(e->flavour, "plain text", 10) == 0) {
        wanted = BSI_FRAME_KIND_TEXT;
    } else if (bytes == 0) {
        wanted = BSI_FRAME_KIND_EMPTY;
    } else if (bytes == 1) {
        wanted = BSI_FRAME_KIND_TRUNCATED;
    }
    CHECK_EQ_U64(kind, wanted);
    CHECK(codec == NULL);
}

/*
 * All members are read as plain ones here: BSIZE is not asked for, and bytes come out before their
 * trailer. Blocks are read as blocks in test_stream.c.
 */
static const char *const bsize_is_wrong[] = {"b08", "b09", "b10", NULL};
static const char *const bytes_come_early[] = {"b05", "b11", "b12", "b21", NULL};

static void check_case(const expected *e) {
    char path[200], hex[65];
    size_t bytes;
    uint8_t *source;
    frame_outcome whole;
    snprintf(path, sizeof path, TEST_DATA "/semantics/%s", e->file);
    source = test_read_file(path, &bytes);
    if (source == NULL) {
        return;
    }
    check_sniffed(e, source, bytes);
    if (strncmp(e->flavour, "plain text", 10) != 0) {
        whole = decode_whole(source, bytes);
        if (is_named(e, bsize_is_wrong)) {
            CHECK_EQ_U64(whole.status, BSI_FRAME_END);
            CHECK_EQ_U64(whole.text_bytes, 6530);
        } else {
            CHECK_STR(whole.status == BSI_FRAME_END ? "valid" : "invalid", e->verdict);
            CHECK_STR(fault_name(whole.bad.fault), e->fault);
            CHECK_EQ_U64(whole.members, e->members);
            CHECK_EQ_U64(whole.text_bytes, e->bytes);
            CHECK_EQ_U64(whole.warnings & BIOST_WARN_ZERO_PADDING,
                         strncmp(e->flavour, "zero-padding", 12) == 0 ? BIOST_WARN_ZERO_PADDING : 0);
            sha256_hex(frame_text_a, whole.text_bytes, hex);
            if (e->sha[0] != '-') {
                CHECK_STR(hex, e->sha);
            }
        }
        frame_check_cuts(source, bytes, &whole);
    }
    free(source);
}

TEST(frame, semantics) {
    size_t bytes, cases = 0;
    uint8_t *table = test_read_file(TEST_DATA "/semantics/EXPECTED.tsv", &bytes);
    char *lines, *line;
    REQUIRE(table != NULL);
    lines = (char *)test_copy(NULL, bytes + 1);
    memcpy(lines, table, bytes);
    lines[bytes] = '\0';
    for (line = strtok(lines, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        expected e;
        if (parse_line(line, &e)) {
            test_note("%s", e.file);
            if (is_named(&e, bytes_come_early)) {
                e.bytes = strncmp(e.file + 5, "b05", 3) == 0 ? 6501 : e.bytes;
            }
            check_case(&e);
            cases++;
        }
    }
    CHECK_EQ_U64(cases, 71);
    free(lines);
    free(table);
}

/* ---- hand-made members ---- */

typedef struct source {
    uint8_t bytes[300000];
    size_t count;
} source;

static source shared_source, *const s = &shared_source;

static void frame_put(const void *bytes, size_t count) {
    memcpy(s->bytes + s->count, bytes, count);
    s->count += count;
}

static void put_number(uint32_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) {
        uint8_t byte = (uint8_t)(value >> (8 * i));
        frame_put(&byte, 1);
    }
}

static void put_header(unsigned flags) {
    uint8_t header[10] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255};
    header[3] = (uint8_t)flags;
    frame_put(header, 10);
}

/*
 * "abc" in a stored block (BFINAL 1, type 0; 3; ~3), CRC-32 of "abc" (352441C2, well known), ISIZE
 * 3.
 */
static void put_abc(void) {
    frame_put("\x01\x03\x00\xFC\xFF"
              "abc",
              8);
    put_number(0x352441C2u, 4);
    put_number(3, 4);
}

/* The whole source: verdict, and where the fault lies. */
static frame_outcome check_source(biost_fault fault, uint64_t source_offset, uint64_t text_bytes) {
    frame_outcome whole = decode_whole(s->bytes, s->count);
    CHECK_STR(fault_name(whole.bad.fault), fault_name(fault));
    CHECK_EQ_U64(whole.bad.source_offset, source_offset);
    CHECK_EQ_U64(whole.text_bytes, text_bytes);
    CHECK_EQ_U64(whole.bad.text_offset, fault == BIOST_FAULT_NONE ? 0 : text_bytes);
    frame_check_cuts(s->bytes, s->count, &whole);
    return whole;
}

/* Fields far longer than any buffer one would set aside, all together, and their checksum. */
TEST(frame, long_header_fields) {
    bsi_hash_crc_tables tables;
    uint32_t crc;
    bsi_hash_crc_init(&tables);
    for (unsigned damage = 0; damage < 2; damage++) {
        size_t at;
        s->count = 0;
        put_header(0x1F);
        put_number(65535, 2);
        memset(s->bytes + s->count, 0xEE, 65535);
        s->count += 65535;
        memset(s->bytes + s->count, 'n', 100000);
        s->count += 100000;
        frame_put("", 1);
        memset(s->bytes + s->count, 0xFF, 70000);
        s->count += 70000;
        frame_put("", 1);
        crc = bsi_hash_crc_update_scalar(&tables, 0, s->bytes, s->count);
        at = s->count;
        put_number((crc ^ damage) & 0xFFFF, 2);
        put_abc();
        if (damage) {
            CHECK_STR(check_source(BIOST_FAULT_BAD_HEADER, at, 0).bad.detail, "wrong header checksum");
        } else {
            CHECK_EQ_U64(check_source(BIOST_FAULT_NONE, 0, 3).members, 1);
        }
    }
}

/* Each combination of flags with short and empty fields. */
TEST(frame, every_flag) {
    bsi_hash_crc_tables tables;
    bsi_hash_crc_init(&tables);
    for (unsigned flags = 0; flags < 256; flags++) {
        frame_outcome whole;
        s->count = 0;
        put_header(flags);
        if (flags & 4) {
            put_number(flags % 3, 2);
            frame_put("\0\0", flags % 3);
        }
        if (flags & 8) {
            frame_put("name", 5);
        }
        if (flags & 16) {
            frame_put("", 1);
        }
        if (flags & 2) {
            put_number(bsi_hash_crc_update_scalar(&tables, 0, s->bytes, s->count) & 0xFFFF, 2);
        }
        put_abc();
        test_note("flags %u", flags);
        if (flags < 32) {
            check_source(BIOST_FAULT_NONE, 0, 3);
        } else {
            whole = check_source(BIOST_FAULT_BAD_HEADER, 3, 0);
            CHECK_EQ_U64(whole.bad.byte, flags);
        }
    }
}

TEST(frame, offsets_of_faults) {
    frame_outcome whole;
    s->count = 0;
    put_header(0), put_abc(); /* 26 bytes */
    put_header(0), put_abc();
    s->bytes[26 + 18] ^= 1; /* CRC of the second */
    whole = check_source(BIOST_FAULT_BAD_CRC, 26 + 18, 6);
    CHECK_EQ_U64(whole.members, 1);
    s->bytes[26 + 18] ^= 1;
    s->bytes[26 + 22] = 4; /* ISIZE of the second */
    whole = check_source(BIOST_FAULT_BAD_ISIZE, 26 + 22, 6);
    s->bytes[26 + 22] = 3;
    s->bytes[26 + 2] = 7; /* CM of the second */
    whole = check_source(BIOST_FAULT_BAD_HEADER, 26 + 2, 3);
    CHECK_EQ_U64(whole.bad.byte, 7);
    CHECK_STR(whole.bad.detail, "unknown compression method");
    s->bytes[26 + 2] = 8;
    s->bytes[26 + 1] = 0x8C; /* no magic: the 1f in front of it is the first byte of the garbage */
    CHECK_EQ_U64(check_source(BIOST_FAULT_TRAILING_GARBAGE, 26, 3).bad.byte, 0x1F);
    s->bytes[26] = 'x';
    CHECK_EQ_U64(check_source(BIOST_FAULT_TRAILING_GARBAGE, 26, 3).bad.byte, 'x');
    s->bytes[26] = 0;
    s->bytes[27] = 0x1F; /* zero, then something */
    CHECK_EQ_U64(check_source(BIOST_FAULT_TRAILING_GARBAGE, 27, 3).bad.byte, 0x1F);
    s->bytes[0] = 0;
    check_source(BIOST_FAULT_NOT_GZIP, 0, 0);
    s->bytes[0] = 0x1F;
    s->bytes[1] = 0x8C;
    check_source(BIOST_FAULT_NOT_GZIP, 0, 0);
    s->bytes[1] = 0x8B;
    s->bytes[10] = 7; /* last block, type 3 */
    CHECK_STR(check_source(BIOST_FAULT_BAD_DEFLATE, 11, 0).bad.detail, "invalid block type");
}

/* A match of the second member may not reach the text of the first. */
TEST(frame, history_ends_with_the_member) {
    s->count = 0;
    put_header(0), put_abc();
    put_header(0);
    frame_put("\x03\x02\x00\x00\x00\x00",
              6); /* fixed: 257 = 0000001, distance 0 = 00000: 3 bytes from 1 back */
    CHECK_STR(check_source(BIOST_FAULT_BAD_DEFLATE, 38, 3).bad.detail, "distance too far back");
}

/* Every prefix of three members (one of them empty) is cut short, except between members. */
TEST(frame, every_prefix) {
    s->count = 0;
    put_header(0), put_abc();
    put_header(8), frame_put("n", 2);
    frame_put("\x03\x00\0\0\0\0\0\0\0\0", 10); /* fixed block: end of block; CRC 0, ISIZE 0 */
    put_header(4), put_number(3, 2), frame_put("xyz", 3), put_abc();
    for (size_t bytes = 0; bytes <= s->count; bytes++) {
        frame_outcome whole = decode_whole(s->bytes, bytes);
        int between = bytes == 0 || bytes == 26 || bytes == 48 || bytes == s->count;
        test_note("%u bytes", (unsigned)bytes);
        CHECK_STR(fault_name(whole.bad.fault), between ? "-" : "TRUNCATED");
        CHECK_EQ_U64(whole.bad.source_offset, between ? 0 : bytes);
        CHECK_EQ_U64(whole.source_bytes, bytes);
        CHECK_EQ_U64(whole.members, bytes < 26 ? 0 : bytes < 48 ? 1 : bytes < s->count ? 2 : 3);
        frame_check_cuts(s->bytes, bytes, &whole);
    }
}

/*
 * A bit flipped anywhere but in bytes that say nothing is noticed, and the text before it is
 * untouched.
 */
TEST(frame, every_bit_flip) {
    s->count = 0;
    put_header(0), put_abc();
    put_header(0), put_abc();
    for (size_t bit = 0; bit < s->count * 8; bit++) {
        size_t byte = bit / 8 % 26;
        int is_free = (byte >= 4 && byte < 10) || (byte == 3 && bit % 8 == 0) /* MTIME XFL OS, FTEXT */
                      || (byte == 10 && bit % 8 >= 3);                        /* padding             */
        frame_outcome whole;
        s->bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        whole = decode_whole(s->bytes, s->count);
        test_note("bit %u", (unsigned)bit);
        CHECK_EQ_U64(whole.status, is_free ? BSI_FRAME_END : BSI_FRAME_BAD);
        if (bit >= 26 * 8) {
            CHECK(whole.members >= 1 && whole.text_bytes >= 3 && memcmp(frame_text_a, "abc", 3) == 0);
        }
        frame_check_cuts(s->bytes, s->count, &whole);
        s->bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
}

/* zlib's own files: all levels and strategies, pages that end anywhere. */
TEST(frame, from_zlib) {
#ifdef HAVE_ZLIB
    static uint8_t text[100000];
    uint64_t random = test_seed();
    for (size_t i = 0; i < sizeof text; i++) {
        uint64_t r = test_random(&random);
        int repeats = i > 40000 && r % 16 != 0;
        uint8_t letter = (uint8_t) "ACGTN\n@+FFFFF:,#"[r >> 32 & (i < 20000 ? 15 : 3)];
        text[i] = repeats ? text[i - 32767 - r % 2] : letter; /* 32767 or 32768 back */
    }
    for (int level = 0; level <= 9; level++) {
        for (int strategy = 0; strategy <= 4; strategy++) {
            z_stream z;
            frame_outcome whole;
            memset(&z, 0, sizeof z);
            REQUIRE(deflateInit2(&z, level, Z_DEFLATED, 31, 8, strategy) == Z_OK);
            z.next_in = text;
            z.avail_in = (uInt)sizeof text;
            z.next_out = s->bytes;
            z.avail_out = (uInt)sizeof s->bytes;
            CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
            s->count = sizeof s->bytes - z.avail_out;
            deflateEnd(&z);
            test_note("level %d strategy %d", level, strategy);
            whole = decode_whole(s->bytes, s->count);
            CHECK_EQ_U64(whole.status, BSI_FRAME_END);
            CHECK_EQ_U64(whole.text_bytes, sizeof text);
            CHECK_MEM(frame_text_a, text, sizeof text);
            whole = frame_decode(s->bytes, s->count, 1001, 997 + (size_t)level, 1, frame_text_b);
            CHECK_EQ_U64(whole.status, BSI_FRAME_END);
            CHECK_MEM(frame_text_b, text, sizeof text);
        }
    }
#else
    TEST_SKIP("zlib");
#endif
}

/* ---- sniffing ---- */

static void check_sniff(const char *head, size_t bytes, bsi_frame_kind kind, const char *name) {
    const char *codec = "unset";
    uint8_t *copy = test_copy(head, bytes);
    CHECK_EQ_U64(bsi_frame_sniff(copy, bytes, &codec), kind);
    CHECK_STR(codec, name);
    free(copy);
}

TEST(frame, sniff) {
    check_sniff("", 0, BSI_FRAME_KIND_EMPTY, NULL);
    check_sniff("\x1F", 1, BSI_FRAME_KIND_TRUNCATED, NULL);
    check_sniff("\x1F\x8B", 2, BSI_FRAME_KIND_GZIP, NULL);
    check_sniff("\x1F\x9D", 2, BSI_FRAME_KIND_CODEC, "compress (.Z)");
    check_sniff("\4\"M\x18", 4, BSI_FRAME_KIND_CODEC, "lz4");
    check_sniff("\0\5\x16\7", 4, BSI_FRAME_KIND_NOT_TEXT, "a ._ file of macOS beside the real one");
    check_sniff("\0@\0r", 4, BSI_FRAME_KIND_NOT_TEXT, "UTF-16 (save it as plain ASCII or UTF-8)");
    check_sniff("@", 1, BSI_FRAME_KIND_TEXT, NULL);
    check_sniff(">chr1\nACGT\n", 11, BSI_FRAME_KIND_TEXT, NULL);
    check_sniff("\n", 1, BSI_FRAME_KIND_TEXT, NULL);
    check_sniff("\r\n", 2, BSI_FRAME_KIND_TEXT, NULL);
    check_sniff("\t", 1, BSI_FRAME_KIND_TEXT, NULL);
    check_sniff(" ", 1, BSI_FRAME_KIND_TEXT, NULL);
    check_sniff("\xEF\xBB\xBF>", 4, BSI_FRAME_KIND_TEXT, NULL);
    check_sniff("\xFF\xFE>", 3, BSI_FRAME_KIND_TEXT, NULL);
    check_sniff("\xFE\xFF", 2, BSI_FRAME_KIND_TEXT, NULL);
    for (unsigned byte = 0; byte < 0x20; byte++) {
        int is_text = byte == 9 || byte == 10 || byte == 13;
        char head[2];
        head[0] = (char)byte;
        head[1] = 'x';
        check_sniff(head, 2, is_text ? BSI_FRAME_KIND_TEXT : BSI_FRAME_KIND_NOT_TEXT, NULL);
    }
    check_sniff("\x28\xB5\x2F\xFD", 4, BSI_FRAME_KIND_CODEC, "zstd");
    check_sniff("\x28\xB5\x2F", 3, BSI_FRAME_KIND_TEXT, NULL);
    check_sniff("\x5F\x2A\x4D\x18", 4, BSI_FRAME_KIND_CODEC, "zstd");
    check_sniff("BZh91AY&SY", 10, BSI_FRAME_KIND_CODEC, "bzip2");
    check_sniff("BZh1\x17\x72\x45\x38\x50\x90", 10, BSI_FRAME_KIND_CODEC, "bzip2");
    check_sniff("BZh91AY&S", 9, BSI_FRAME_KIND_TEXT, NULL);
    check_sniff("BZh0123456", 10, BSI_FRAME_KIND_TEXT, NULL);
    check_sniff("\xFD"
                "7zXZ\0",
                6, BSI_FRAME_KIND_CODEC, "xz");
    check_sniff("PK\3\4", 4, BSI_FRAME_KIND_CODEC, "zip");
    check_sniff("PK\5\6", 4, BSI_FRAME_KIND_CODEC, "zip");
    check_sniff("PK\1\2", 4, BSI_FRAME_KIND_TEXT, NULL);
}
