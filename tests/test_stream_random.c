/*
 * test_stream_random.c - gzip and BGZF files at random, whole and damaged: biost_stream with any number
 * of workers and biost_inflate against zlib and libdeflate; and files that are small and stand for a
 * lot, under an allocator that counts.
 *
 * TEST_STREAMS=100000 makes so many files; a few thousand otherwise.
 *
 * rooms: route inflate ops
 * needs: threads library
 */
#include "../biostream.h"
#include "test.h"
#include "stream_source.h"
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

#define PLENTY 50000u /* so many streams are a long run, which does the slow tests too */

static unsigned long streams_wanted(void) {
    const char *text = getenv("TEST_STREAMS");
    return text != NULL ? strtoul(text, NULL, 0) : MAKER_SLOW ? 300 : test_effort(1000, 3000);
}

/* ---- random files ---- */

#ifdef HAVE_ZLIB
/* zlib at any level and strategy, flushed here and there in any way. */
static void deflate_zlib(maker *m, const maker_bytes *text, uint64_t *random) {
    static const int flushes[] = {Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK};
    uint8_t piece[4096];
    z_stream z;
    size_t at = 0;
    int status = Z_OK, flush = Z_NO_FLUSH;
    memset(&z, 0, sizeof z);
    CHECK(deflateInit2(&z, (int)maker_below(random, 10), Z_DEFLATED, -9 - (int)maker_below(random, 7),
                       1 + (int)maker_below(random, 9), (int)maker_below(random, 5)) == Z_OK);
    while (status == Z_OK || status == Z_BUF_ERROR) {
        if (z.avail_in == 0) {
            size_t take = 1 + maker_below(random, 20000);
            take = take < text->count - at ? take : text->count - at;
            z.next_in = take == 0 ? piece : text->data + at;
            z.avail_in = (uInt)take;
            at += take;
            flush = at == text->count ? Z_FINISH
                                      : flushes[maker_chance(random, 60) ? 0 : maker_below(random, 5)];
        }
        z.next_out = piece;
        z.avail_out = (uInt)sizeof piece;
        status = deflate(&z, flush);
        maker_raw(m, piece, sizeof piece - z.avail_out, 0);
    }
    CHECK(status == Z_STREAM_END);
    deflateEnd(&z);
    maker_text(m, text->data, text->count);
}
#endif

#ifdef HAVE_LIBDEFLATE
static void deflate_libdeflate(maker *m, const maker_bytes *text, uint64_t *random) {
    struct libdeflate_compressor *peer = libdeflate_alloc_compressor((int)maker_below(random, 13));
    size_t most = libdeflate_deflate_compress_bound(peer, text->count), bytes;
    uint8_t *out = test_copy(NULL, most);
    bytes = libdeflate_deflate_compress(peer, text->data, text->count, out, most);
    CHECK(bytes > 0);
    maker_raw(m, out, bytes, 0);
    maker_text(m, text->data, text->count);
    libdeflate_free_compressor(peer);
    free(out);
}
#endif

static void member_random(maker *m, size_t text_bytes, int block, uint64_t *random) {
    maker_header h = maker_random_header(block, random);
    unsigned by = maker_below(random, 4);
    maker_member(m, &h);
    if (by >= 2) {
        maker_shape shape;
        memset(&shape, 0, sizeof shape);
        shape.blocks = 1 + maker_below(random, 5);
        shape.ops = maker_chance(random, 10) ? 4000 : 250;
        shape.text_bytes = text_bytes;
        shape.match_percent = maker_below(random, 101);
        shape.letters = maker_chance(random, 50) ? "ACGTN\n@+" : NULL;
        maker_random_deflate(m, &shape, random);
    } else {
        maker_bytes text;
        memset(&text, 0, sizeof text);
        maker_bytes_add(&text, NULL, 0);
        text_bytes = maker_chance(random, 10) ? 0 : 1 + maker_below(random, (uint32_t)text_bytes);
        text_of_letters(&text, text_bytes, letters_random(random), 33000, 0, random);
#ifdef HAVE_LIBDEFLATE
        if (by == 1) {
            deflate_libdeflate(m, &text, random);
            by = 9;
        }
#endif
#ifdef HAVE_ZLIB
        if (by < 2) {
            deflate_zlib(m, &text, random);
            by = 9;
        }
#endif
        if (by < 2) {
            maker_deflate(m, text.data, text.count, -1 - (int)by);
        }
        maker_bytes_free(&text);
    }
    maker_member_end(m);
}

/* A valid file: plain members, BGZF blocks, or both; at its end perhaps the empty block, perhaps zeros. */
static void file_random(uint64_t *random) {
    unsigned members = maker_chance(random, 40) ? 1 : 1 + maker_below(random, 6);
    uint32_t blocks = maker_chance(random, 40) ? 100 : maker_chance(random, 60) ? 0 : 50;
    size_t text_bytes = maker_chance(random, 10) ? 60000 : maker_chance(random, 50) ? 6000 : 300;
    maker_begin(&made);
    for (; members > 0; --members) {
        member_random(&made, text_bytes, maker_chance(random, blocks), random);
        if (maker_chance(random, 5)) {
            maker_eof_block(&made);
        }
    }
    if (blocks > 0 && maker_chance(random, 70)) {
        maker_eof_block(&made);
    }
    if (maker_chance(random, 5)) {
        maker_raw(&made, NULL, 1 + maker_below(random, 600), 0);
    }
}

/* Damage: bits, bytes, a cut, a piece left out or put in twice, garbage after it. */
static void damage(uint64_t *random) {
    unsigned times = maker_chance(random, 70) ? 1 : 1 + maker_below(random, 5);
    for (; times > 0 && source.count > 0; --times) {
        size_t at = maker_below(random, (uint32_t)source.count);
        size_t most = source.count - at, bytes = 1 + maker_below(random, 40);
        bytes = bytes < most ? bytes : most;
        switch (maker_below(random, 9)) {
        case 0: source.count = at; break;
        case 1: /* zeros, and perhaps the file once more */
            maker_bytes_add(&source, NULL, bytes);
            if (maker_chance(random, 60)) {
                maker_bytes_add(&source, made.file.data, made.file.count);
            }
            break;
        case 7: source.data[at] = (uint8_t)test_random(random); break;
        case 2:
            memmove(source.data + at, source.data + at + bytes, most - bytes), source.count -= bytes;
            break;
        case 3:
            maker_bytes_add(&source, NULL, bytes);
            memmove(source.data + at + bytes, source.data + at, most);
            break;
        case 4:
            maker_bytes_add(&source, &"\x1F\x8B\x08garbage"[maker_below(random, 8)], maker_below(random, 3));
            break;
        case 5: /* header fields and the first block's header, where most of the rules are */
            source.data[at % 40 < source.count ? at % 40 : 0] ^= (uint8_t)(1u << maker_below(random, 8));
            break;
        default: source.data[at] ^= (uint8_t)(1u << maker_below(random, 8)); break;
        }
    }
}

/* ---- against the peers ---- */

#ifdef HAVE_LIBDEFLATE
/* Members that zlib accepts libdeflate accepts with the same text; where the data are bad it refuses. */
static void check_libdeflate(struct libdeflate_decompressor *peer, const stream_outcome *serial,
                             int plain_fault) {
    static uint8_t text[1u << 21];
    size_t at = 0, text_at = 0, used = 0, bytes = 0;
    uint64_t members = 0;
    int good = 1;
    while (good && at + 18 <= source.count && source.data[at] == 0x1F) {
        good = libdeflate_gzip_decompress_ex(peer, source.data + at, source.count - at, text, sizeof text,
                                             &used, &bytes) == LIBDEFLATE_SUCCESS;
        if (good) {
            if (text_at + bytes > serial->text.count) {
                break; /* a block that ours refuses for its size, or a header for its checksum */
            }
            CHECK_MEM(serial->text.data + text_at, text, bytes);
            at += used;
            text_at += bytes;
            ++members;
        }
    }
    if (serial->result == BIOST_END && serial->progress.member_count > 0) {
        CHECK_EQ_U64(members, serial->progress.member_count);
        CHECK_EQ_U64(text_at, serial->text.count);
    }
    if (plain_fault && strstr(serial->error.text, "too many code lengths") == NULL && /* it lets those pass */
        (serial->error.fault == BIOST_FAULT_BAD_DEFLATE || serial->error.fault == BIOST_FAULT_BAD_CRC ||
         serial->error.fault == BIOST_FAULT_BAD_ISIZE)) {
        CHECK(!good || source.count - at < 18); /* it looks at no fewer bytes */
    }
}
#endif

/* A source that comes in pieces. */
typedef struct dripping {
    size_t at, most;
} dripping;

static int64_t drip(void *to, size_t bytes, void *user_data) {
    dripping *d = (dripping *)user_data;
    size_t take = source.count - d->at;
    take = take < bytes ? take : bytes;
    take = take < d->most ? take : d->most;
    memcpy(to, source.data + d->at, take);
    d->at += take;
    return (int64_t)take;
}

static stream_outcome read_source(unsigned way, uint32_t workers, const biost_gzip_rules *rules,
                                  uint64_t *random) {
    static const size_t pieces[] = {STREAM_PAGES, STREAM_PAGES, 1000, 100000, STREAM_MIXED};
    biost_stream_desc desc;
    stream_outcome out;
    dripping d = {0, 0};
    uint8_t *copy = NULL;
    memset(&desc, 0, sizeof desc);
    if (way % 3 != 0 || source.count == 0) {
        copy = test_copy(source.data, source.count);
        desc.memory.data = copy;
        desc.memory.bytes = source.count;
    } else {
        d.most = 1 + maker_below(random, maker_chance(random, 50) ? 100 : 100000);
        desc.callback.read = drip;
        desc.callback.user_data = &d;
        desc.callback.name = "memory";
        desc.test.chunk_bytes = maker_chance(random, 50) ? 0 : 1 + maker_below(random, 5000);
    }
    desc.workers = workers;
    desc.gzip = *rules;
    desc.test.page_bytes = way % 2 == 0 ? 0 : 4096;
    desc.test.page_count = maker_chance(random, 50) ? 0 : 2 + maker_below(random, 4);
    desc.test.cpu_hidden = maker_chance(random, 60) ? 0 : maker_below(random, 16);
    desc.test.order_seed = maker_chance(random, 50) ? 0 : test_random(random);
    out = stream_run(&desc, pieces[maker_below(random, 5)]);
    free(copy);
    return out;
}

TEST(random, differential) {
    unsigned long wanted = streams_wanted(), i;
#ifdef HAVE_LIBDEFLATE
    struct libdeflate_decompressor *peer = libdeflate_alloc_decompressor();
#endif
    for (i = 0; i < wanted && test_state.failures < TEST_FAILURES_SHOWN; ++i) {
        uint64_t random = test_seed() + i * 1000003u;
        stream_outcome serial, other;
        biost_gzip_rules rules;
        int damaged, lenient, plain_fault;
        file_random(&random);
        source_is_made();
        damaged = maker_chance(&random, 45);
        if (damaged) {
            damage(&random);
        }
        lenient = rules_random(&rules, &random);
        test_note("stream %lu%s%s, %lu bytes", i, damaged ? ", damaged" : "", lenient ? ", with rules" : "",
                  (unsigned long)source.count);
        serial = read_source((unsigned)i, 1, &rules, &random);
        if (!damaged && !lenient) {
            outcome_is_made(&serial);
        }
        plain_fault = stream_check_control(source.data, source.count, &rules, &serial);
        other = read_source((unsigned)(i / 2 + 1), 2, &rules, &random);
        stream_same(&other, &serial);
        maker_bytes_free(&other.text);
        other = read_source((unsigned)(i / 4), 5, &rules, &random);
        stream_same(&other, &serial);
        maker_bytes_free(&other.text);
        if (!lenient && (source.count == 0 || source.data[0] == 0x1F)) { /* else a stream may call it text */
            stream_check_inflate(source.data, source.count, &serial);
        }
#ifdef HAVE_LIBDEFLATE
        if (!lenient) {
            check_libdeflate(peer, &serial, plain_fault);
        }
#else
        (void)plain_fault;
#endif
        maker_bytes_free(&serial.text);
    }
#ifdef HAVE_LIBDEFLATE
    libdeflate_free_decompressor(peer);
#endif
    maker_bytes_free(&source);
}

/* The generator's own streams are DEFLATE to zlib too, and mean the same to it. */
TEST(random, generator_is_right) {
#ifdef HAVE_ZLIB
    uint64_t random = test_seed();
    unsigned i;
    for (i = 0; i < 400; ++i) {
        maker_verdict v;
        file_random(&random);
        v = maker_control(made.file.data, made.file.count, NULL);
        test_note("file %u", i);
        CHECK(v.fault == BIOST_FAULT_NONE);
        CHECK_EQ_U64(v.members, made.border_count);
        if (CHECK_EQ_U64(v.text.count, made.text.count)) {
            CHECK_MEM(v.text.data, made.text.data, made.text.count);
        }
        maker_bytes_free(&v.text);
    }
#else
    TEST_SKIP("zlib");
#endif
}

/* ---- small files that stand for a lot ---- */

/* CRC-32 of `count` zero bytes: a linear map of the register, squared as often as count has bits. */
static uint32_t crc_of_zeros(uint64_t count) {
    uint32_t power[32], square[32], crc = 0xFFFFFFFFu, bit, i, k;
    for (bit = 0; bit < 32; ++bit) { /* one zero byte, on each bit alone */
        uint32_t value = 1u << bit;
        for (i = 0; i < 8; ++i) {
            value = value >> 1 ^ ((value & 1u) ? 0xEDB88320u : 0u);
        }
        power[bit] = value;
    }
    for (; count > 0; count >>= 1) {
        if (count & 1) {
            uint32_t next = 0;
            for (bit = 0; bit < 32; ++bit) {
                next ^= (crc >> bit & 1u) ? power[bit] : 0;
            }
            crc = next;
        }
        for (i = 0; i < 32; ++i) {
            square[i] = 0;
            for (k = 0; k < 32; ++k) {
                square[i] ^= (power[i] >> k & 1u) ? power[k] : 0;
            }
        }
        memcpy(power, square, sizeof power);
    }
    return ~crc;
}

TEST(bomb, crc_of_zeros) { /* as zlib's crc32 of so many zeros has it; the first two are in many tables */
    static const uint8_t zeros[1000] = {0};
    CHECK_EQ_U64(crc_of_zeros(1), 0xD202EF8Du);
    CHECK_EQ_U64(crc_of_zeros(4), 0x2144DF1Cu);
    CHECK_EQ_U64(crc_of_zeros(1000), maker_crc(0, zeros, 1000));
}

/* One member of `literals` + 258 * `matches` zeros, two bits a match: 1032 to 1, the most there is. */
static void member_of_zeros(unsigned literals, uint64_t matches, int block) {
    maker_code litlen, distance;
    uint64_t random = 1, bytes = literals + 258 * matches, i;
    maker_header h;
    memset(&h, 0, sizeof h);
    h.block = block;
    maker_member(&made, &h);
    maker_code_clear(&litlen, 286);
    maker_code_clear(&distance, 1);
    litlen.lengths[0] = 2;
    litlen.lengths[256] = 2;
    litlen.lengths[285] = 1; /* the code 0 */
    distance.lengths[0] = 1; /* the code 0 */
    maker_code_number(&litlen);
    maker_code_number(&distance);
    maker_dynamic(&made, 1, &litlen, &distance, &random);
    for (i = 0; i < literals; ++i) {
        maker_symbol(&made, &litlen, 0);
    }
    for (i = 0; i < matches && made.free_bits > 0; ++i) {
        maker_put(&made, 0, 2);
    }
    maker_raw(&made, NULL, (size_t)((matches - i) / 4), 0); /* four matches a byte of zeros */
    for (i += (matches - i) / 4 * 4; i < matches; ++i) {
        maker_put(&made, 0, 2);
    }
    maker_symbol(&made, &litlen, 256);
    maker_member_end(&made);
    made.file.count -= 8; /* its text is not here, so the trailer is made by hand */
    made.loose.count -= 8;
    maker_number(&made, crc_of_zeros(bytes), 4, 0);
    maker_number(&made, (uint32_t)bytes, 4, 0);
}

/* Read `made`; every byte must be 0. Returns the outcome without text; *out_bytes: how many. */
static stream_outcome drain_zeros(uint32_t workers, int by_callback, account *a, uint64_t *out_bytes) {
    static uint8_t zeros[1u << 20];
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    stream_outcome out;
    biost_page page;
    dripping d = {0, 1000000};
    unsigned long calls;
    memset(&out, 0, sizeof out);
    memset(&desc, 0, sizeof desc);
    *out_bytes = 0;
    if (by_callback) {
        source_is_made();
        desc.callback.read = drip;
        desc.callback.user_data = &d;
    } else {
        desc.memory.data = made.file.data;
        desc.memory.bytes = made.file.count;
    }
    desc.workers = workers;
    account_give(a, &desc.allocator);
    out.result = biost_stream_open(&desc, &stream, &out.error);
    calls = a->calls;
    while (out.result == BIOST_OK && (out.result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
        CHECK(page.text_bytes <= sizeof zeros && memcmp(page.text, zeros, page.text_bytes) == 0);
        CHECK_EQ_U64(page.text_offset, *out_bytes);
        *out_bytes += page.text_bytes;
    }
    if (stream != NULL && biost_stream_error(stream) != NULL) {
        out.error = *biost_stream_error(stream);
    }
    if (stream != NULL) {
        biost_stream_progress(stream, &out.progress);
    }
    CHECK(a->calls - calls <= (workers > 1)); /* all memory is taken at open, but what decodes ahead */
    biost_stream_close(stream);
    CHECK_EQ_U64(a->held, 0);
    return out;
}

/*
 * Bytes a stream may hold, whatever it reads: pages of 256 KiB (192 and 64 in front) with a decoder
 * of 25 KiB, 4 + workers of them and at least 5; chunks of 256 KiB, 3 + workers / 2; three decoders a
 * worker; and a quarter MiB. With two workers or more, of which each decodes four chunks ahead, and four
 * more wait: four more decoders a worker, a MiB of ops for each of these chunks, and in all three chunks
 * more than these.
 */
static size_t memory_bound(uint32_t workers) {
    size_t pages = workers + 4 > 5 ? workers + 4 : 5, chunks = 3 + workers / 2, ahead = 4 * (workers + 1);
    size_t bound = pages * (282u << 10) + chunks * (257u << 10) + workers * (75u << 10) + (256u << 10);
    if (workers > 1) {
        bound += workers * (105u << 10) + ahead * (1025u << 10) + (ahead + 3 - chunks) * (257u << 10);
    }
    return bound;
}

TEST(bomb, memory_does_not_grow) {
    static const uint64_t matches[] = {1, 1000, 400000}; /* 258 B, 258 kB, 103 MB */
    uint32_t workers;
    unsigned k, by_callback;
    for (workers = 1; workers <= 5; workers += 2) {
        for (by_callback = 0; by_callback < 2; ++by_callback) {
            size_t first_peak = 0;
            for (k = 0; k < (MAKER_SLOW ? 2 : 3); ++k) {
                account a;
                uint64_t bytes;
                stream_outcome out;
                maker_begin(&made);
                member_of_zeros(1, matches[k], 0);
                test_note("%u workers, %lu matches", (unsigned)workers, (unsigned long)matches[k]);
                CHECK(k < 2 || (1 + 258 * matches[k]) / made.file.count >= 1030);
                out = drain_zeros(workers, (int)by_callback, &a, &bytes);
                CHECK(out.result == BIOST_END);
                CHECK_EQ_U64(bytes, 1 + 258 * matches[k]);
                CHECK_EQ_U64(out.progress.member_count, 1);
                CHECK(a.peak <= memory_bound(workers));
                first_peak = k == 0 ? a.peak : first_peak;
                CHECK_EQ_U64(a.peak, first_peak);
            }
        }
    }
    maker_bytes_free(&source);
}

/* A hundred thousand members that hold nothing, plain and BGZF: no page each, no error, no growth. */
TEST(bomb, empty_members) {
    unsigned k, count = MAKER_SLOW ? 10000 : 100000, i;
    for (k = 0; k < 6; ++k) {
        account a;
        uint64_t bytes;
        stream_outcome out;
        maker_begin(&made);
        for (i = 0; i < count; ++i) {
            if (k % 2 == 0) {
                maker_raw(&made, "\x1F\x8B\x08\0\0\0\0\0\0\xFF\3\0\0\0\0\0\0\0\0\0", 20, 0);
            } else {
                maker_raw(&made, "\x1f\x8b\x08\x04\0\0\0\0\0\xff\6\0BC\2\0\x1b\0\3\0\0\0\0\0\0\0\0\0", 28, 0);
            }
        }
        test_note("%s, way %u", k % 2 == 0 ? "members" : "blocks", k);
        out = drain_zeros(1 + k / 2 * 2, k >= 4, &a, &bytes);
        CHECK(out.result == BIOST_END);
        CHECK_EQ_U64(bytes, 0);
        CHECK_EQ_U64(out.progress.member_count, count);
        CHECK_EQ_U64(out.progress.block_count, k % 2 == 0 ? 0 : count);
        CHECK(a.peak <= memory_bound(1 + k / 2 * 2));
    }
    maker_bytes_free(&source);
}

/* A block that says it holds little and holds a lot: found out without room for it, nothing comes out. */
TEST(bomb, block_that_lies) {
    unsigned k;
    for (k = 0; k < 8; ++k) {
        account a;
        uint64_t bytes;
        stream_outcome out;
        maker_begin(&made);
        member_of_zeros(1, 50000, 1); /* 13 MB in 12.5 kB */
        made.file.count -= 4;
        made.loose.count -= 4;
        maker_number(&made, k < 4 ? 100 : 65536, 4, 0); /* ISIZE */
        maker_eof_block(&made);
        test_note("way %u", k);
        out = drain_zeros(1 + k % 4, 0, &a, &bytes);
        CHECK(out.result == BIOST_ERR_GZIP);
        CHECK_STR(biost_fault_name(out.error.fault), "BAD_ISIZE");
        CHECK_EQ_U64(bytes, 0);
        CHECK(a.peak <= memory_bound(4));
    }
}

/* The text of a gzip file may be one itself: it comes out as it is. */
TEST(bomb, nested) {
    biost_stream_desc desc;
    stream_outcome out;
    maker_bytes inner;
    unsigned depth;
    memset(&inner, 0, sizeof inner);
    maker_begin(&made);
    member_of_zeros(1, 100000, 0);
    for (depth = 0; depth < 4; ++depth) {
        maker_bytes_free(&inner);
        maker_bytes_add(&inner, made.file.data, made.file.count);
        maker_begin(&made);
        maker_pack(&made, NULL, inner.data, inner.count, depth % 2 == 0 ? 9 : -2);
        memset(&desc, 0, sizeof desc);
        desc.memory.data = made.file.data;
        desc.memory.bytes = made.file.count;
        desc.workers = 1 + depth;
        out = stream_run(&desc, STREAM_PAGES);
        CHECK(out.result == BIOST_END);
        if (CHECK_EQ_U64(out.text.count, inner.count)) {
            CHECK_MEM(out.text.data, inner.data, inner.count);
        }
        maker_bytes_free(&out.text);
    }
    maker_bytes_free(&inner);
}

/* Header fields as long as they come, over and over, need no memory. */
TEST(bomb, long_headers) {
    static uint8_t extra[65535];
    static char name[1000001];
    unsigned i, k;
    memset(extra, 0xEE, sizeof extra);
    memset(name, 'n', sizeof name - 1);
    for (k = 0; k < 4; ++k) {
        account a;
        uint64_t bytes;
        stream_outcome out;
        maker_begin(&made);
        for (i = 0; i < 20; ++i) {
            maker_header h;
            memset(&h, 0, sizeof h);
            h.has_extra = 1;
            h.extra = extra;
            h.extra_bytes = sizeof extra;
            h.name = i % 10 == 0 ? name : NULL;
            h.comment = i % 10 == 1 ? name : NULL;
            h.checksum = i % 2 != 0;
            maker_pack(&made, &h, "\0\0\0", 3, -1);
        }
        out = drain_zeros(1 + k % 2 * 2, k >= 2, &a, &bytes);
        CHECK(out.result == BIOST_END);
        CHECK_EQ_U64(bytes, 60);
        CHECK_EQ_U64(out.progress.member_count, 20);
        CHECK(a.peak <= memory_bound(3));
    }
    maker_bytes_free(&source);
}

/* ISIZE counts modulo 2^32: of 4 GiB and a byte it is 1. A short run reads 4 MiB and a byte. */
TEST(bomb, four_gigabytes_and_a_byte) {
    int plenty = streams_wanted() >= PLENTY;
    const uint64_t bytes = ((uint64_t)1 << (plenty ? 32 : 22)) + 1, matches = bytes / 258;
    account a;
    uint64_t got;
    unsigned k;
    for (k = 0; k < 3; ++k) {
        stream_outcome out;
        maker_begin(&made);
        member_of_zeros((unsigned)(bytes - 258 * matches), matches, 0);
        CHECK_EQ_U64(made.file.data[made.file.count - 4], 1);
        CHECK_EQ_U64(made.file.data[made.file.count - 2], plenty ? 0 : 64);
        made.file.data[made.file.count - 4] ^= k == 2; /* ISIZE one less */
        test_note("way %u", k);
        out = drain_zeros(1 + k % 2, k == 0, &a, &got);
        CHECK_EQ_U64(got, bytes);
        CHECK_EQ_U64(out.progress.text_bytes, bytes);
        CHECK(out.result == (k == 2 ? BIOST_ERR_GZIP : BIOST_END));
        CHECK(k != 2 || out.error.fault == BIOST_FAULT_BAD_ISIZE);
        CHECK(a.peak <= memory_bound(2));
    }
    maker_bytes_free(&source);
    maker_free(&made);
}
