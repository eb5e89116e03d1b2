/*
 * test_ahead.c - plain gzip decoded ahead of its turn is exactly the text that is decoded in order: bytes,
 * faults, their places and sentences, warnings and counts; of a stream, a reader and a loader.
 *
 * What is right is known from deflate_maker.h, which expands text by the rules of RFC 1951, from zlib where
 * it is there, and from the same text read without gzip. All else is compared with one thread that never
 * decodes ahead.
 *
 * TEST_STREAMS=100000 makes so many files at random; some hundreds otherwise.
 *
 * rooms: ahead route
 * needs: loader parallel_gzip threads library
 */
#include "../biostream.h"
#include "test.h"
#include "stream_source.h"
#include "job_host.h"
#include <unistd.h>

static unsigned long streams_wanted(void) {
    const char *text = getenv("TEST_STREAMS");
    return text != NULL ? strtoul(text, NULL, 0) : MAKER_SLOW ? 100 : test_effort(200, 400);
}

/* ---- one way to read a file ---- */

typedef struct dripping {
    size_t at, most, fail_at; /* a read from fail_at on fails; SIZE_MAX: none does */
    uint64_t random;
} dripping;

static int64_t drip(void *to, size_t bytes, void *user_data) {
    dripping *d = (dripping *)user_data;
    size_t take = 1 + maker_below(&d->random, (uint32_t)d->most);
    take = take < bytes ? take : bytes;
    take = take < source.count - d->at ? take : source.count - d->at;
    if (d->at >= d->fail_at) {
        return -1;
    }
    take = take < d->fail_at - d->at ? take : d->fail_at - d->at;
    if (take > 0) {
        memcpy(to, source.data + d->at, take);
    }
    d->at += take;
    return (int64_t)take;
}

typedef enum way_kind { WAY_MEMORY, WAY_CALLBACK, WAY_FILE } way_kind;

/* All that may not matter. */
typedef struct way {
    way_kind kind;
    uint32_t workers, chunk_bytes, page_bytes, page_count, cpu_hidden;
    uint64_t order_seed;
    size_t piece, drop, fail_at; /* of reading; of the callback; see dripping */
    biost_parallel_gzip ahead;
    biost_gzip_rules rules;
} way;

static biost_parallel_gzip_counters counted; /* of the last stream */
static biost_parallel_gzip_counters total;   /* of all */
static const char *file_path = NULL;         /* a file of source's bytes, once it was wanted */

static void file_remove(void) {
    unlink(file_path);
}

static const char *file_make(void) {
    static char path[] = "/tmp/biostream_ahead_XXXXXX";
    FILE *file;
    int handle;
    if (file_path == NULL) {
        handle = mkstemp(path);
        CHECK(handle >= 0);
        close(handle);
        file_path = path;
        atexit(file_remove);
    }
    file = fopen(path, "wb");
    if (CHECK(file != NULL)) {
        CHECK(fwrite(source.data, 1, source.count, file) == source.count);
        fclose(file);
    }
    return path;
}

/* What the counters must say at the end, whatever the source is. */
static void counters_check(const way *w, const stream_outcome *out) {
    CHECK(counted.accepted_count <= counted.guessed_count);
    CHECK(counted.guessed_count <= counted.ahead_count);
    CHECK(counted.accepted_count + counted.redecoded_count <= counted.ahead_count);
    if (out->result == BIOST_END) {
        CHECK_EQ_U64(counted.accepted_count + counted.redecoded_count, counted.ahead_count);
    }
    if (w->ahead == BIOST_PARALLEL_GZIP_NEVER) {
        CHECK_EQ_U64(counted.ahead_count + counted.guessed_count + counted.redecoded_count, 0);
    }
    total.ahead_count += counted.ahead_count;
    total.guessed_count += counted.guessed_count;
    total.accepted_count += counted.accepted_count;
    total.redecoded_count += counted.redecoded_count;
}

/* The input and the sizes of a way. `copy`: memory of source's exact size, or NULL. */
static biost_stream_desc way_desc(const way *w, const uint8_t *copy, dripping *d) {
    biost_stream_desc desc;
    memset(&desc, 0, sizeof desc);
    if (w->kind == WAY_CALLBACK) {
        d->at = 0;
        d->most = w->drop > 0 ? w->drop : 100000;
        d->fail_at = w->fail_at > 0 ? w->fail_at : SIZE_MAX;
        d->random = 7;
        desc.callback.read = drip;
        desc.callback.user_data = d;
        desc.callback.name = "memory";
    } else if (w->kind == WAY_FILE) {
        desc.path = file_make();
    } else {
        desc.memory.data = copy;
        desc.memory.bytes = source.count;
    }
    desc.workers = w->workers;
    desc.gzip = w->rules;
    desc.test.chunk_bytes = w->chunk_bytes;
    desc.test.page_bytes = w->page_bytes;
    desc.test.page_count = w->page_count;
    desc.test.cpu_hidden = w->cpu_hidden;
    desc.test.order_seed = w->order_seed;
    desc.test.parallel_gzip = w->ahead;
    return desc;
}

/* Read source; as stream_run, with counters, and all memory must come back. Free the outcome's text. */
static stream_outcome read_way(const way *w) {
    uint8_t *copy = test_copy(source.data, source.count);
    dripping d;
    biost_stream_desc desc = way_desc(w, copy, &d);
    biost_stream *stream = NULL;
    stream_outcome out;
    account a;
    account_give(&a, &desc.allocator);
    memset(&out, 0, sizeof out);
    memset(&counted, 0, sizeof counted);
    maker_bytes_add(&out.text, NULL, 0);
    out.result = biost_stream_open(&desc, &stream, &out.error);
    out.opened = out.result == BIOST_OK;
    if (CHECK(out.opened)) {
        stream_drain(stream, w->piece, &out);
        biost_stream_counters(stream, &counted);
        biost_stream_close(stream);
        counters_check(w, &out);
        CHECK(a.calls <= (w->ahead == BIOST_PARALLEL_GZIP_NEVER ? 1u : 2u));
    }
    CHECK_EQ_U64(a.held, 0);
    free(copy);
    return out;
}

/* One thread, in order, from memory or, where `like` is given, from what that reads. */
static stream_outcome read_serial(const way *like) {
    way w;
    memset(&w, 0, sizeof w);
    w.workers = 1;
    w.ahead = BIOST_PARALLEL_GZIP_NEVER;
    if (like != NULL) {
        w.kind = like->kind;
        w.rules = like->rules;
        w.fail_at = like->fail_at;
    }
    return read_way(&w);
}

static const uint32_t way_chunks[] = {1, 2, 3, 5, 7, 13, 16, 33, 64, 200, 500, 1000, 2500, 5000, 20000, 0};

static uint32_t below_log(uint64_t *random, uint32_t most) {
    return maker_below(random, 1 + maker_below(random, 1 + maker_below(random, most)));
}

/* Any way. Small chunks of large files take long: chunks are at least `least` bytes. */
static way way_random(uint32_t least, uint64_t *random) {
    static const uint32_t pages[] = {0, 0, 16, 17, 64, 300, 1000, 5000, 40000, 65536, 65728};
    static const size_t pieces[] = {STREAM_PAGES, STREAM_PAGES, 1000, 100000, STREAM_MIXED, 4097};
    way w;
    memset(&w, 0, sizeof w);
    w.ahead = BIOST_PARALLEL_GZIP_ALWAYS;
    w.workers = maker_chance(random, 40) ? 1 : 1 + maker_below(random, maker_chance(random, 80) ? 4 : 8);
    w.chunk_bytes = way_chunks[maker_below(random, sizeof way_chunks / sizeof *way_chunks)];
    w.chunk_bytes += w.chunk_bytes > 16 ? maker_below(random, w.chunk_bytes) : 0;
    if (w.chunk_bytes > 0 && w.chunk_bytes < least) {
        w.chunk_bytes = least + maker_below(random, 10 * least);
    }
    w.page_bytes = pages[maker_below(random, sizeof pages / sizeof *pages)];
    if (w.page_bytes > 0 && w.page_bytes < least) {
        w.page_bytes = 16 + least + maker_below(random, 10 * least);
    }
    w.page_count = maker_chance(random, 60) ? 0 : 2 + maker_below(random, 4);
    w.cpu_hidden = maker_chance(random, 70) ? 0 : UINT32_MAX;
    w.order_seed = maker_chance(random, 60) ? test_random(random) : 0;
    w.piece = pieces[maker_below(random, 6)];
    if (w.piece > 0 && w.piece != STREAM_MIXED && w.piece < least) {
        w.piece = least;
    }
    if (maker_chance(random, 35) && source.count > 0) {
        w.kind = WAY_CALLBACK;
        w.drop = maker_chance(random, 50) ? least + 1 + maker_below(random, 40) : 0;
    }
    return w;
}

static void note_way(const char *what, unsigned long number, const way *w) {
    test_note("%s %lu, %lu bytes: way %u, %u workers, chunk %u, page %u x %u, seed %llx, piece %ld, drop %lu",
              what, number, (unsigned long)source.count, (unsigned)w->kind, (unsigned)w->workers,
              (unsigned)w->chunk_bytes, (unsigned)w->page_bytes, (unsigned)w->page_count,
              (unsigned long long)w->order_seed, (long)w->piece, (unsigned long)w->drop);
}

/* stream_same, and what is verified in front of an error too. */
static void same(const stream_outcome *a, const stream_outcome *b) {
    stream_same(a, b);
    CHECK(a->error.code == b->error.code && a->error.path_index == b->error.path_index &&
          a->error.os_error == b->error.os_error);
    CHECK_EQ_U64(a->progress.member_count, b->progress.member_count);
    CHECK_EQ_U64(a->progress.block_count, b->progress.block_count);
    CHECK_EQ_U64(a->progress.text_bytes, b->progress.text_bytes);
}

/* Read source in `times` ways; each is as in order. */
static void check_ways(const char *what, unsigned long number, unsigned times, const stream_outcome *serial,
                       uint64_t *random) {
    uint32_t least = source.count > 200000 ? 1000 : source.count > 30000 ? 64 : source.count > 4000 ? 7 : 1;
    least = serial->text.count / 1000 > least ? (uint32_t)(serial->text.count / 1000) : least;
    for (; times > 0 && test_state.failures < TEST_FAILURES_SHOWN; --times) {
        way w = way_random(least, random);
        stream_outcome out;
        note_way(what, number, &w);
        out = read_way(&w);
        same(&out, serial);
        maker_bytes_free(&out.text);
    }
}

/* The made file, undamaged: in order it is what was made, and in `times` other ways too. */
static void check_made(const char *what, unsigned long number, unsigned times, uint64_t *random) {
    stream_outcome serial;
    source_is_made();
    test_note("%s %lu, in order", what, number);
    serial = read_serial(NULL);
    outcome_is_made(&serial);
    check_ways(what, number, times, &serial, random);
    maker_bytes_free(&serial.text);
}

/* Source, which is damaged: in order it is what zlib says, and in other ways the same. */
static void check_damaged(const char *what, unsigned long number, unsigned times, uint64_t *random) {
    stream_outcome serial;
    test_note("%s %lu, damaged, in order", what, number);
    serial = read_serial(NULL);
    (void)stream_check_control(source.data, source.count, NULL, &serial);
    check_ways(what, number, times, &serial, random);
    maker_bytes_free(&serial.text);
}

/* ---- makers of members with many blocks ---- */

/* Text: FASTQ, or letters with runs and repeats near and as far as can be. */
static void text_random(maker_bytes *text, size_t bytes, uint64_t *random) {
    const char *letters = letters_random(random);
    text->count = 0;
    maker_bytes_add(text, NULL, 0);
    if (maker_chance(random, 50)) {
        maker_fastq(text, bytes, random);
    } else {
        text_of_letters(text, bytes, letters, 32768, 20, random);
    }
}

#ifdef HAVE_ZLIB
/*
 * DEFLATE of a text by zlib. `memory` 1 makes blocks of 127 codes, 9 of 32767; `flush`: in how many of 1000
 * pieces something is flushed.
 */
static void deflate_zlib(maker *m, const uint8_t *text, size_t bytes, int level, int memory, int strategy,
                         uint32_t flush, uint64_t *random) {
    static const int flushes[] = {Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK};
    uint8_t out[4096];
    z_stream z;
    size_t at = 0;
    int status = Z_OK, how = Z_NO_FLUSH;
    memset(&z, 0, sizeof z);
    CHECK(deflateInit2(&z, level, Z_DEFLATED, -15, memory, strategy) == Z_OK);
    while (status == Z_OK || status == Z_BUF_ERROR) {
        if (z.avail_in == 0) {
            size_t take = flush > 0 ? 1 + maker_below(random, 5000) : bytes;
            take = take < bytes - at ? take : bytes - at;
            z.next_in = take == 0 ? out : (Bytef *)(uintptr_t)(text + at);
            z.avail_in = (uInt)take;
            at += take;
            how = at == bytes                         ? Z_FINISH
                  : maker_below(random, 1000) < flush ? flushes[maker_below(random, 4)]
                                                      : Z_NO_FLUSH;
        }
        z.next_out = out;
        z.avail_out = (uInt)sizeof out;
        status = deflate(&z, how);
        maker_raw(m, out, sizeof out - z.avail_out, 0);
    }
    CHECK(status == Z_STREAM_END);
    deflateEnd(&z);
    maker_text(m, text, bytes);
}
#endif

/* Two complete codes for text of these letters and some matches. */
static void codes_for(const char *letters, maker_code *litlen, maker_code *distance, uint64_t *random) {
    size_t i;
    maker_code_clear(litlen, 286);
    maker_code_clear(distance, 30);
    for (i = 0; letters[i] != '\0'; ++i) {
        litlen->lengths[(uint8_t)letters[i]] = 1;
    }
    litlen->lengths[256] = litlen->lengths[257] = litlen->lengths[268] = litlen->lengths[284] = 1;
    litlen->lengths[285] = 1;
    for (i = 0; i < 30; ++i) {
        distance->lengths[i] = 1;
    }
    maker_code_random(litlen, 15, 0, random);
    maker_code_random(distance, 15, 0, random);
}

/* A dynamic block such as is guessed at, of so many ops, matches `percent` of them. */
static void block_of(maker *m, int last, unsigned ops, uint32_t percent, uint64_t *random) {
    static const unsigned lengths[] = {3, 17, 258, 227};
    static const char letters[] = "ACGTN\n@+F:,#";
    maker_code litlen, distance;
    codes_for(letters, &litlen, &distance, random);
    maker_dynamic(m, last, &litlen, &distance, random);
    for (; ops > 0; --ops) {
        size_t history = maker_history(m);
        unsigned i = maker_below(random, 4);
        if (history == 0 || !maker_chance(random, percent)) {
            maker_literal(m, &litlen, (uint8_t)letters[maker_below(random, 12)]);
        } else {
            maker_match(m, &litlen, &distance, lengths[i], (int)maker_below(random, 2),
                        maker_random_distance(history, random));
        }
    }
    maker_symbol(m, &litlen, 256);
}

/* DEFLATE of a text of ASCII in small dynamic blocks: by zlib, else as literals alone. */
static void deflate_small(maker *m, const uint8_t *text, size_t bytes, int memory, uint64_t *random) {
#ifdef HAVE_ZLIB
    deflate_zlib(m, text, bytes, 6, memory, 0, 0, random);
#else
    char letters[127];
    size_t at = 0, i;
    (void)memory;
    for (i = 0; i < 126; ++i) {
        letters[i] = (char)(i + 1);
    }
    letters[126] = '\0';
    do {
        maker_code litlen, distance;
        size_t take = bytes - at < 150 ? bytes - at : 150;
        codes_for(letters, &litlen, &distance, random);
        maker_dynamic(m, at + take == bytes, &litlen, &distance, random);
        for (i = 0; i < take; ++i, ++at) {
            maker_literal(m, &litlen, text[at]);
        }
        maker_symbol(m, &litlen, 256);
    } while (at < bytes);
    maker_align(m, 0);
#endif
}

/* Blocks of all kinds, mostly such as are guessed at, their stream's end included. */
static void blocks_random(maker *m, unsigned blocks, unsigned ops, uint64_t *random) {
    for (; blocks > 0; --blocks) {
        unsigned kind = maker_below(random, 12), count = maker_below(random, ops + 1);
        int last = blocks == 1;
        maker_code litlen, distance;
        if (kind == 0) {
            char bytes[64];
            memset(bytes, 's', sizeof bytes);
            maker_stored(m, last, (uint32_t)test_random(random), bytes, maker_below(random, 65));
        } else if (kind == 1) {
            maker_fixed_codes(&litlen, &distance);
            maker_block(m, last, 1);
            for (; count > 0; --count) {
                maker_literal(m, &litlen, maker_below(random, 256));
            }
            maker_symbol(m, &litlen, 256);
        } else {
            block_of(m, last, count, maker_below(random, 101), random);
        }
    }
    maker_align(m, (uint32_t)test_random(random));
}

/* Bytes that are blocks such as are guessed at, but lie where no block is: a bait. */
static void bait_make(maker_bytes *bait, size_t most, uint64_t *random) {
    static maker other;
    maker_begin(&other);
    maker_put(&other, (uint32_t)test_random(random), maker_below(random, 8));
    blocks_random(&other, 1 + maker_below(random, 4), 60, random);
    bait->count = 0;
    maker_bytes_add(bait, other.file.data, other.file.count < most ? other.file.count : most);
}

/* A member in one of many manners. */
static void member_random(size_t text_bytes, uint64_t *random) {
    static maker_bytes text, bait;
    int block = maker_chance(random, 10);
    maker_header h = maker_random_header(block, random);
    unsigned manner = maker_below(random, 10);
    if (maker_chance(random, 10)) {
        bait_make(&bait, 60000, random);
        h.has_extra = 1;
        h.extra = bait.data;
        h.extra_bytes = bait.count < 4000 ? bait.count : 4000;
        h.block = block = 0;
    }
    maker_member(&made, &h);
    text_bytes = maker_chance(random, 8) ? 0 : 1 + maker_below(random, (uint32_t)text_bytes);
    if (manner == 0) {
        maker_shape shape;
        memset(&shape, 0, sizeof shape);
        shape.blocks = 5;
        shape.ops = 250;
        shape.text_bytes = text_bytes;
        shape.match_percent = maker_below(random, 101);
        maker_random_deflate(&made, &shape, random);
    } else if (manner <= 4 && !block) {
        blocks_random(&made, 1 + below_log(random, 60), 1 + below_log(random, 400), random);
    } else if (manner == 5 && !block) {
        unsigned count = 1 + maker_below(random, 8);
        for (; count > 0; --count) { /* baits, and what is sought between them */
            bait_make(&bait, 60000, random);
            maker_stored(&made, 0, 0, bait.data, bait.count);
            block_of(&made, 0, maker_below(random, 100), 30, random);
        }
        block_of(&made, 1, 5, 30, random);
        maker_align(&made, 0);
    } else {
        text_random(&text, text_bytes, random);
#ifdef HAVE_ZLIB
        deflate_zlib(&made, text.data, text.count, (int)maker_below(random, 10),
                     1 + (int)maker_below(random, maker_chance(random, 80) ? 3 : 9),
                     (int)(maker_chance(random, 70) ? 0 : maker_below(random, 5)),
                     maker_chance(random, 70) ? 0 : maker_below(random, 500), random);
#else
        maker_deflate(&made, text.data, text.count, -1 - (int)maker_below(random, 2));
#endif
    }
    maker_member_end(&made);
}

static void file_random(uint64_t *random) {
    unsigned members = maker_chance(random, 50) ? 1 : 1 + maker_below(random, 6);
    size_t text_bytes = maker_chance(random, 10) ? 60000 : maker_chance(random, 60) ? 12000 : 800;
    maker_begin(&made);
    for (; members > 0; --members) {
        member_random(text_bytes, random);
        if (maker_chance(random, 5)) {
            maker_eof_block(&made);
        }
    }
    if (maker_chance(random, 5)) {
        maker_raw(&made, NULL, 1 + maker_below(random, 600), 0);
    }
}

/* ---- damage ---- */

static void damage(uint64_t *random) {
    unsigned times = maker_chance(random, 70) ? 1 : 1 + maker_below(random, 4);
    for (; times > 0 && source.count > 0; --times) {
        size_t at = maker_below(random, (uint32_t)source.count), other, most = source.count - at;
        size_t bytes = 1 + maker_below(random, 40), border;
        bytes = bytes < most ? bytes : most;
        other = maker_below(random, (uint32_t)source.count);
        border = made.borders[maker_below(random, (uint32_t)made.border_count)].file;
        switch (maker_below(random, 9)) {
        case 0: source.count = at; break;
        case 1: /* bytes change places */
            most = source.data[at];
            source.data[at] = source.data[other];
            source.data[other] = (uint8_t)most;
            break;
        case 2: /* of a trailer: CRC-32 or ISIZE */
            if (border <= source.count) {
                source.data[border - 1 - maker_below(random, 8)] ^= (uint8_t)(1u << maker_below(random, 8));
            }
            break;
        case 3: /* garbage after it, that may look like a member */
            maker_bytes_add(&source, &"\x1F\x8B\x08garbage"[maker_below(random, 8)], maker_below(random, 3));
            break;
        case 4:
            maker_bytes_add(&source, NULL, bytes);
            maker_bytes_add(&source, made.file.data, made.file.count);
            break;
        case 5:
            memmove(source.data + at, source.data + at + bytes, most - bytes), source.count -= bytes;
            break;
        default: source.data[at] ^= (uint8_t)(1u << maker_below(random, 8)); break;
        }
    }
}

TEST(ahead, random_streams) {
    unsigned long wanted = streams_wanted(), i;
    memset(&total, 0, sizeof total);
    for (i = 0; i < wanted && test_state.failures < TEST_FAILURES_SHOWN; ++i) {
        uint64_t random = test_seed() * 1000000007u + i * 1000003u;
        stream_outcome serial;
        way w;
        int damaged;
        file_random(&random);
        source_is_made();
        damaged = maker_chance(&random, 45);
        if (damaged) {
            damage(&random);
        }
        memset(&w, 0, sizeof w);
        (void)rules_random(&w.rules, &random);
        test_note("stream %lu%s, %lu bytes, in order", i, damaged ? ", damaged" : "",
                  (unsigned long)source.count);
        serial = read_serial(&w);
        if (!damaged && !w.rules.require_eof_block && !w.rules.refuse_padding) {
            outcome_is_made(&serial);
        }
        (void)stream_check_control(source.data, source.count, &w.rules, &serial);
        {
            biost_gzip_rules rules = w.rules;
            unsigned k;
            uint32_t least = source.count > 30000 ? 64 : source.count > 4000 ? 7 : 1;
            for (k = 0; k < 3; ++k) {
                stream_outcome out;
                w = way_random(least, &random);
                w.rules = rules;
                note_way(damaged ? "damaged stream" : "stream", i, &w);
                out = read_way(&w);
                same(&out, &serial);
                maker_bytes_free(&out.text);
            }
        }
        maker_bytes_free(&serial.text);
    }
    CHECK(total.accepted_count > wanted); /* else it was for nothing */
    CHECK(total.redecoded_count > wanted);
}

/* ---- files of one kind ---- */

/* Small blocks of FASTQ, as zlib makes them with little memory; without zlib blocks of this file's own. */
static void member_fastq(size_t text_bytes, int level, int memory, int strategy, uint64_t *random) {
    static maker_bytes text;
    text.count = 0;
    maker_bytes_add(&text, NULL, 0);
    maker_fastq(&text, text_bytes, random);
    maker_member(&made, NULL);
#ifdef HAVE_ZLIB
    deflate_zlib(&made, text.data, text.count, level, memory, strategy, 0, random);
#else
    (void)level;
    (void)strategy;
    while (made.text.count - made.member_text < text_bytes) {
        block_of(&made, 0, 50 + maker_below(random, memory > 3 ? 1000 : 100), 1, random);
    }
    block_of(&made, 1, 50, 1, random);
#endif
    maker_member_end(&made);
}

/* A member of zeros: blocks of so many matches of 258 bytes, each a bit of length and one of distance. */
static void member_of_runs(unsigned blocks, unsigned matches, uint64_t *random) {
    maker_code litlen, distance;
    unsigned i, k;
    maker_code_clear(&litlen, 286);
    maker_code_clear(&distance, 2);
    litlen.lengths[285] = 1;
    litlen.lengths[256] = litlen.lengths[0] = 3;
    for (k = 0; k < 4; ++k) {
        litlen.lengths[(uint8_t) "ACGT"[k]] = 4;
    }
    distance.lengths[0] = distance.lengths[1] = 1;
    maker_code_number(&litlen);
    maker_code_number(&distance);
    maker_member(&made, NULL);
    for (i = 0; i < blocks; ++i) {
        maker_dynamic(&made, i + 1 == blocks, &litlen, &distance, random);
        maker_literal(&made, &litlen, (uint8_t) "ACGT"[i % 4]);
        maker_literal(&made, &litlen, 0);
        for (k = 0; k < matches; ++k) {
            maker_match(&made, &litlen, &distance, 258, 0, 1);
        }
        maker_symbol(&made, &litlen, 256);
    }
    maker_member_end(&made);
}

/* Matches that all reach as far as they may. */
static void member_far(unsigned blocks, unsigned ops, uint64_t *random) {
    maker_code litlen, distance;
    maker_member(&made, NULL);
    for (; blocks > 0; --blocks) {
        unsigned i;
        codes_for("ACGTN\n", &litlen, &distance, random);
        maker_dynamic(&made, blocks == 1, &litlen, &distance, random);
        for (i = 0; i < ops; ++i) {
            if (maker_history(&made) > 0 && maker_chance(random, 40)) {
                maker_match(&made, &litlen, &distance, maker_chance(random, 50) ? 258 : 3, 0,
                            (unsigned)maker_history(&made));
            } else {
                maker_literal(&made, &litlen, (uint8_t) "ACGTN\n"[maker_below(random, 6)]);
            }
        }
        maker_symbol(&made, &litlen, 256);
    }
    maker_member_end(&made);
}

/* Blocks whose distance code is none or a single one, which no guess finds, between others. */
static void member_unguessed(unsigned blocks, uint64_t *random) {
    maker_member(&made, NULL);
    for (; blocks > 0; --blocks) {
        maker_code litlen, distance;
        codes_for("ACGTN\n", &litlen, &distance, random);
        maker_code_clear(&distance, 1 + maker_below(random, 3));
        distance.lengths[0] = maker_below(random, 2);
        maker_code_number(&distance);
        maker_dynamic(&made, 0, &litlen, &distance, random);
        maker_literal(&made, &litlen, 'A');
        if (distance.lengths[0] > 0) {
            maker_match(&made, &litlen, &distance, 17, 0, 1);
        }
        maker_symbol(&made, &litlen, 256);
        block_of(&made, 0, maker_below(random, 40), 20, random);
    }
    block_of(&made, 1, 9, 20, random);
    maker_member_end(&made);
}

static void member_stored(size_t bytes, uint64_t *random) {
    static uint8_t piece[3000];
    size_t i;
    maker_member(&made, NULL);
    while (bytes > 0) {
        size_t take = 1 + maker_below(random, 3000);
        take = take < bytes ? take : bytes;
        for (i = 0; i < take; ++i) {
            piece[i] = (uint8_t)test_random(random);
        }
        bytes -= take;
        maker_stored(&made, bytes == 0, (uint32_t)test_random(random), piece, take);
    }
    maker_member_end(&made);
}

/* Baits: in the extra field of headers, in stored blocks, cut off anywhere; between them little else. */
static void members_baited(unsigned count, uint64_t *random) {
    static maker_bytes bait;
    for (; count > 0; --count) {
        maker_header h;
        memset(&h, 0, sizeof h);
        h.os = 255;
        bait_make(&bait, 30 + maker_below(random, 1000), random);
        h.has_extra = (int)maker_below(random, 2);
        h.extra = bait.data;
        h.extra_bytes = h.has_extra ? bait.count : 0;
        maker_member(&made, &h);
        if (maker_chance(random, 60)) {
            block_of(&made, 0, maker_below(random, 20), 20, random);
        }
        bait_make(&bait, 30 + maker_below(random, 1000), random);
        maker_stored(&made, 0, 0, bait.data, bait.count);
        block_of(&made, 1, maker_below(random, 20), 20, random);
        maker_member_end(&made);
    }
}

static void members_empty(unsigned count, uint64_t *random) {
    for (; count > 0; --count) {
        maker_pack(&made, NULL, "", 0, -1 - (int)maker_below(random, 2));
    }
}

static void members_tiny(unsigned count, uint64_t *random) {
    for (; count > 0; --count) {
        maker_member(&made, NULL);
        block_of(&made, 0, maker_below(random, 4), 20, random);
        block_of(&made, 1, maker_below(random, 4), 20, random);
        maker_member_end(&made);
    }
}

static void bgzf_fastq(size_t bytes, size_t block_bytes, uint64_t *random) {
    static maker_bytes text;
    text.count = 0;
    maker_bytes_add(&text, NULL, 0);
    maker_fastq(&text, bytes, random);
    maker_bgzf(&made, text.data, text.count, block_bytes, 6);
}

/* File `number`; NULL: there are no more. */
static const char *kind_make(unsigned number, uint64_t *random) {
    maker_begin(&made);
    switch (number) {
    case 0:
        maker_member(&made, NULL);
        block_of(&made, 1, MAKER_SLOW ? 5000 : 40000, 5, random);
        maker_member_end(&made);
        return "one block";
    case 1:
        maker_member(&made, NULL);
        blocks_random(&made, 500, 5, random);
        maker_member_end(&made);
        return "tiny blocks";
    case 2: member_stored(60000, random); return "stored";
    case 3:
        maker_pack(&made, NULL, made.file.data, 0, -1);
        maker_pack(&made, NULL, "@r\nACGT\n+\nFFFF\n", 15, -1);
        maker_member(&made, NULL);
        blocks_random(&made, 200, 60, random);
        maker_member_end(&made);
        return "fixed";
    case 4: member_fastq(100000, 6, 1, 2, random); return "Huffman only";
    case 5: member_fastq(100000, 6, 2, 3, random); return "RLE";
    case 6: member_fastq(150000, 9, 3, 0, random); return "FASTQ";
    case 7:
        members_empty(40, random);
        members_tiny(30, random);
        members_empty(300, random);
        member_fastq(5000, 6, 1, 0, random);
        members_empty(3, random);
        return "empty members";
    case 8: member_of_runs(40, 60, random); return "runs of 258";
    case 9: member_far(30, 200, random); return "distances of 32768";
    case 10: members_baited(30, random); return "baits";
    case 11: member_unguessed(200, random); return "blocks that are not guessed";
    case 12: members_tiny(400, random); return "tiny members";
    case 13:
        member_fastq(9000, 6, 1, 0, random);
        bgzf_fastq(9000, 700, random);
        member_stored(3000, random);
        member_fastq(9000, 1, 2, 0, random);
        members_empty(5, random);
        bgzf_fastq(3000, 5000, random);
        member_fastq(20000, 6, 1, 0, random);
        return "members and BGZF blocks";
    case 14:
        member_fastq(20000, 6, 1, 0, random);
        maker_raw(&made, NULL, 3000, 0);
        return "zeros after";
    case 15: member_of_runs(60, 300, random); return "a bomb of blocks";
    case 16: member_of_runs(1, 15000, random); return "a bomb of one block";
    default: return NULL;
    }
}

/* Each kind in ways drawn at random; more of them in a long run. */
TEST(ahead, kinds) {
    unsigned number, round, rounds = streams_wanted() >= 10000 ? 20 : 1;
    const char *name;
    memset(&total, 0, sizeof total);
    for (round = 0; round < rounds; ++round) {
        uint64_t random = test_seed() + round * 77777u;
        for (number = 0; (name = kind_make(number, &random)) != NULL; ++number) {
            check_made(name, number, MAKER_SLOW ? 3 : 10, &random);
        }
        CHECK(number >= 15);
    }
    CHECK(total.accepted_count > 100);
}

/* The same damaged: zlib says what is right, where there is one answer. */
TEST(ahead, kinds_damaged) {
    unsigned number, round, rounds = streams_wanted() >= 10000 ? 20 : MAKER_SLOW ? 1 : 2;
    const char *name;
    for (round = 0; round < rounds; ++round) {
        uint64_t random = test_seed() + 3 + round * 77777u;
        for (number = 0; (name = kind_make(number, &random)) != NULL; ++number) {
            source_is_made();
            damage(&random);
            check_damaged(name, number, MAKER_SLOW ? 2 : 4, &random);
        }
    }
}

/* Small files of each kind, all chunk sizes that may matter and numbers of workers. */
TEST(ahead, every_chunk_size) {
    static const uint32_t chunks[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33, 64, 200, 1000, 5000, 0};
    uint64_t random = test_seed() + 5;
    unsigned k, i, number = 0;
    memset(&total, 0, sizeof total);
    for (k = 0; k < (MAKER_SLOW ? 3u : 9u); ++k) {
        stream_outcome serial;
        maker_begin(&made);
        switch (k) {
        case 0: members_tiny(6, &random); break;
        case 1: members_baited(3, &random); break;
        case 2: member_unguessed(8, &random); break;
        case 3: member_far(5, 30, &random); break;
        case 4: member_of_runs(8, 5, &random); break;
        case 5: member_fastq(1500, 6, 1, 0, &random); break;
        case 6:
            members_tiny(3, &random);
            bgzf_fastq(500, 200, &random);
            members_tiny(3, &random);
            break;
        default:
            maker_member(&made, NULL);
            blocks_random(&made, 30, 10, &random);
            maker_member_end(&made);
        }
        source_is_made();
        serial = read_serial(NULL);
        CHECK(serial.result == BIOST_END && stream_starts(&serial, made.text.data, made.text.count));
        for (i = 0; i < sizeof chunks / sizeof *chunks; ++i) {
            for (number = 0; number < 4; ++number) {
                stream_outcome out;
                way w;
                memset(&w, 0, sizeof w);
                w.ahead = BIOST_PARALLEL_GZIP_ALWAYS;
                w.kind = number == 3 ? WAY_CALLBACK : WAY_MEMORY;
                w.chunk_bytes = chunks[i];
                w.workers = number == 2 ? 3 : 1;
                w.order_seed = number == 0 ? 0 : test_random(&random);
                w.page_bytes = number == 1 ? 16 : 0;
                note_way("small file", k, &w);
                out = read_way(&w);
                same(&out, &serial);
                maker_bytes_free(&out.text);
            }
        }
        maker_bytes_free(&serial.text);
    }
    CHECK(total.accepted_count > (MAKER_SLOW ? 30 : 200));
}

/* From a file, which is read and not lent. */
TEST(ahead, files) {
    uint64_t random = test_seed() + 9;
    unsigned number;
    const char *name;
    for (number = 3; (name = kind_make(number, &random)) != NULL; number += MAKER_SLOW ? 5 : 2) {
        stream_outcome serial, out;
        unsigned k;
        source_is_made();
        if (number % 3 == 0) {
            damage(&random);
        }
        for (k = 0; k < 3; ++k) {
            way w = way_random(200, &random);
            w.kind = WAY_FILE;
            w.piece = STREAM_PAGES;
            serial = read_serial(&w);
            note_way(name, number, &w);
            out = read_way(&w);
            same(&out, &serial);
            maker_bytes_free(&out.text);
            maker_bytes_free(&serial.text);
        }
    }
}

/* Literals and a match of about 64 bytes by turns: the most that an op holds. */
static void member_of_long_ops(unsigned blocks, unsigned ops, uint64_t *random) {
    maker_code litlen, distance;
    maker_code_clear(&litlen, 277);
    maker_code_clear(&distance, 11);
    litlen.lengths[(uint8_t)'A'] = litlen.lengths[(uint8_t)'C'] = 2;
    litlen.lengths[(uint8_t)'G'] = litlen.lengths[(uint8_t)'T'] = 4;
    litlen.lengths[276] = 2; /* lengths 59..66 */
    litlen.lengths[0] = litlen.lengths[256] = 4;
    distance.lengths[0] = distance.lengths[10] = 1; /* 1; 33..48 */
    maker_code_number(&litlen);
    maker_code_number(&distance);
    maker_member(&made, NULL);
    for (; blocks > 0; --blocks) {
        unsigned i;
        maker_dynamic(&made, blocks == 1, &litlen, &distance, random);
        for (i = 0; i < ops; ++i) {
            unsigned literals = 1 + maker_below(random, 4);
            int near = maker_history(&made) < 48 || maker_chance(random, 30);
            for (; literals > 0; --literals) {
                maker_literal(&made, &litlen, (uint8_t) "AC"[maker_below(random, 2)]);
            }
            maker_match(&made, &litlen, &distance, 61 + maker_below(random, 4), 0,
                        near ? 1 : 33 + maker_below(random, 16));
        }
        maker_symbol(&made, &litlen, 256);
    }
    maker_member_end(&made);
}

/*
 * A page with nothing to spare after its padding: with its room of 32 KiB and its padding of 64 bytes it
 * takes a multiple of 256 bytes. Long copies end anywhere at its end, of every second page at that of all
 * memory.
 */
TEST(ahead, full_pages) {
    uint64_t random = test_seed() + 10;
    unsigned k;
    for (k = 0; k < 8; ++k) {
        stream_outcome out;
        way w;
        maker_begin(&made);
        member_of_long_ops(MAKER_SLOW ? 100 : 50, 200, &random);
        source_is_made();
        memset(&w, 0, sizeof w);
        w.ahead = BIOST_PARALLEL_GZIP_ALWAYS;
        w.workers = 1 + k % 2;
        w.chunk_bytes = 2000;
        w.page_bytes = k < 6 ? 65728 : 65728 + 256 * k;
        w.page_count = 2;
        w.cpu_hidden = k % 4 < 2 ? 0 : UINT32_MAX;
        note_way("runs", k, &w);
        out = read_way(&w);
        /* In a drawn order of tasks what is in turn may always come first. */
        CHECK(out.result == BIOST_END &&
              (w.workers > 1 || getenv("TEST_EXECUTOR") != NULL || counted.accepted_count > 0));
        if (CHECK_EQ_U64(out.text.count, made.text.count)) {
            CHECK_MEM(out.text.data, made.text.data, made.text.count);
        }
        maker_bytes_free(&out.text);
    }
}

/* On the threads of a host, which run what they get in another order. */
TEST(ahead, jobs) {
    static host h;
    uint64_t random = test_seed() + 12;
    unsigned k;
    host_begin(&h, 3);
    for (k = 0; k < (MAKER_SLOW ? 8u : 40u); ++k) {
        uint8_t *copy;
        biost_stream_desc desc;
        stream_outcome serial, out;
        dripping d;
        way w;
        maker_begin(&made);
        members_tiny(5, &random);
        member_fastq(1000 + maker_below(&random, 30000), 6, 1, 0, &random);
        source_is_made();
        if (k % 3 == 0) {
            damage(&random);
        }
        serial = read_serial(NULL);
        w = way_random(64, &random);
        w.workers = 2 + maker_below(&random, 4);
        w.order_seed = 0;
        copy = test_copy(source.data, source.count);
        desc = way_desc(&w, copy, &d);
        desc.jobs.submit = host_submit;
        desc.jobs.user_data = &h;
        note_way("jobs", k, &w);
        out = stream_run(&desc, w.piece);
        same(&out, &serial);
        maker_bytes_free(&out.text);
        maker_bytes_free(&serial.text);
        free(copy);
    }
    host_end(&h);
}

/* ---- matches from in front of a member ---- */

/* A match whose text is nowhere: the bits alone. */
static void put_match(maker *m, const maker_code *litlen, const maker_code *distances, unsigned distance) {
    unsigned back = maker_distance_symbol(distance);
    maker_symbol(m, litlen, 257); /* 3 bytes */
    maker_symbol(m, distances, back);
    maker_put(m, distance - maker_distance_base[back], maker_distance_bits[back]);
}

/*
 * A member with `history` bytes of text, then a block that starts, after some literals, with a match of
 * `distance`; in front of that block `fill` empty ones, to move it, and after it more.
 */
static void member_reaching(unsigned history, unsigned fill, unsigned literals, unsigned distance,
                            uint64_t *random) {
    maker_code litlen, codes;
    unsigned i;
    maker_member(&made, NULL);
    maker_fixed_codes(&litlen, &codes);
    maker_block(&made, 0, 1);
    for (i = 0; i < history; ++i) {
        maker_literal(&made, &litlen, 'A' + i % 26);
    }
    maker_symbol(&made, &litlen, 256);
    for (i = 0; i < fill; ++i) {
        block_of(&made, 0, 0, 0, random);
    }
    codes_for("ACGTN\n", &litlen, &codes, random);
    maker_dynamic(&made, 0, &litlen, &codes, random);
    for (i = 0; i < literals; ++i) {
        maker_literal(&made, &litlen, (uint8_t) "ACGT"[i % 4]);
    }
    if (distance <= maker_history(&made)) {
        maker_match(&made, &litlen, &codes, 3, 0, distance);
    } else {
        put_match(&made, &litlen, &codes, distance);
    }
    maker_literal(&made, &litlen, 'G');
    maker_symbol(&made, &litlen, 256);
    block_of(&made, 0, 20, 0, random);
    block_of(&made, 1, 20, 0, random);
    maker_member_end(&made);
}

TEST(ahead, distances_in_front_of_a_member) {
    static const unsigned histories[] = {0, 1, 2, 7, 100, 300}, literals[] = {0, 1, 3, 70};
    uint64_t random = test_seed() + 11;
    unsigned h, l, first, over, k;
    memset(&total, 0, sizeof total);
    for (h = 0; h < 6; ++h) {
        for (l = 0; l < 4; ++l) {
            for (first = 0; first < 3; ++first) {
                for (over = 0; over < 3; ++over) {
                    unsigned reach = histories[h] + literals[l];
                    stream_outcome serial;
                    if (reach + over == 0) {
                        continue;
                    }
                    maker_begin(&made);
                    if (first == 1) { /* a member with much text, which is not to be seen */
                        member_fastq(700, 6, 1, 0, &random);
                    } else if (first == 2) { /* and one with little */
                        maker_pack(&made, NULL, "xyz", 3, -1);
                    }
                    member_reaching(histories[h], 3 + maker_below(&random, 4), literals[l],
                                    over == 2 ? 32768 : reach + over, &random);
                    source_is_made();
                    serial = read_serial(NULL);
                    test_note("history %u, literals %u, over %u", histories[h], literals[l], over);
                    CHECK(serial.result == (over > 0 ? BIOST_ERR_GZIP : BIOST_END));
                    CHECK(over == 0 || serial.error.fault == BIOST_FAULT_BAD_DEFLATE);
                    (void)stream_check_control(source.data, source.count, NULL, &serial);
                    for (k = 0; k < (MAKER_SLOW ? 2u : 6u); ++k) {
                        way w;
                        stream_outcome out;
                        memset(&w, 0, sizeof w);
                        w.ahead = BIOST_PARALLEL_GZIP_ALWAYS;
                        w.workers = 1 + k / 5;
                        w.chunk_bytes = 4 + maker_below(&random, 60);
                        w.order_seed = test_random(&random);
                        note_way("reaching", reach, &w);
                        out = read_way(&w);
                        same(&out, &serial);
                        maker_bytes_free(&out.text);
                    }
                    maker_bytes_free(&serial.text);
                }
            }
        }
    }
    CHECK(total.accepted_count > (MAKER_SLOW ? 10 : 30));
}

/* ---- damage, small files: every cut, many flips ---- */

static void small_make(unsigned number, uint64_t *random) {
    maker_begin(&made);
    switch (number) {
    case 0: members_tiny(4, random); break;
    case 1: member_reaching(50, 4, 2, 52, random); break;
    case 2:
        members_tiny(1, random);
        bgzf_fastq(150, 100, random);
        members_tiny(2, random);
        break;
    case 3: members_baited(1, random); break;
    default:
        maker_member(&made, NULL);
        blocks_random(&made, 6, 10, random);
        maker_member_end(&made);
    }
}

/* In order as zlib has it, and in one other way, with threads one time of ten. */
static void check_once(const char *what, unsigned number, uint64_t *random) {
    stream_outcome serial = read_serial(NULL), out;
    way w = way_random(1, random);
    w.workers = maker_chance(random, 90) ? 1 : w.workers;
    w.chunk_bytes = 1 + below_log(random, 100);
    w.piece = w.piece == 1 ? STREAM_PAGES : w.piece;
    note_way(what, number, &w);
    (void)stream_check_control(source.data, source.count, NULL, &serial);
    out = read_way(&w);
    same(&out, &serial);
    maker_bytes_free(&out.text);
    maker_bytes_free(&serial.text);
}

TEST(ahead, every_prefix) {
    uint64_t random = test_seed() + 13;
    unsigned number, step = MAKER_SLOW ? 5 : 1;
    size_t bytes;
    for (number = 0; number < 5; ++number) {
        small_make(number, &random);
        for (bytes = number % step; bytes <= made.file.count; bytes += step) {
            source_is_made();
            source.count = bytes;
            check_once("prefix", number, &random);
        }
    }
}

/*
 * A member that carries a BC, with more text than a block may have: it is read as a plain member, and ends
 * where its BSIZE says, which is wrong here. What was decoded ahead goes past that, and must not count.
 */
TEST(ahead, members_with_a_block_size_end_there) {
#ifdef HAVE_ZLIB
    uint64_t random = test_seed() + 23;
    unsigned size, k;
    for (size = 30000; size <= 65000; size += 5000) {
        stream_outcome serial;
        maker_bytes text = {NULL, 0, 0};
        maker_header header;
        memset(&header, 0, sizeof header);
        header.os = 255;
        header.block = 1;
        maker_fastq(&text, MAKER_SLOW ? 300000 : 600000, &random);
        maker_begin(&made);
        maker_pack(&made, NULL, text.data, 200000, 6);
        maker_pack(&made, &header, text.data, text.count, 6);
        made.file.data[made.size_at] = (uint8_t)((size - 1) & 0xFFu);
        made.file.data[made.size_at + 1] = (uint8_t)((size - 1) >> 8);
        source_is_made();
        serial = read_serial(NULL);
        CHECK(serial.result == BIOST_ERR_GZIP && serial.error.fault == BIOST_FAULT_BAD_BGZF);
        for (k = 0; k < 6; ++k) {
            way w;
            stream_outcome out;
            memset(&w, 0, sizeof w);
            w.ahead = BIOST_PARALLEL_GZIP_ALWAYS;
            w.workers = 1 + k % 3;
            w.chunk_bytes = 16384 << k / 3;
            w.order_seed = k / 3 == 0 ? 0 : test_random(&random);
            note_way("BSIZE", size, &w);
            out = read_way(&w);
            same(&out, &serial);
            maker_bytes_free(&out.text);
        }
        maker_bytes_free(&serial.text);
        maker_bytes_free(&text);
    }
#else
    TEST_SKIP("zlib");
#endif
}

TEST(ahead, bit_flips) {
    uint64_t random = test_seed() + 17;
    unsigned number, step = streams_wanted() >= 10000 ? 1 : MAKER_SLOW ? 41 : 5;
    size_t bit;
    for (number = 0; number < 5; ++number) {
        small_make(number, &random);
        for (bit = number % step; bit < made.file.count * 8; bit += step) {
            source_is_made();
            source.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            check_once("flip", number, &random);
        }
    }
}

/* Every byte of every trailer, and what may follow the last. */
TEST(ahead, trailers_and_garbage) {
    static const char *const tails[] = {"x", "\x1F", "\x1F\x8B", "\x1F\x8B\x08", "\0\0", "\0x", "\x1F\x8C"};
    uint64_t random = test_seed() + 19;
    unsigned i, k;
    maker_begin(&made);
    members_tiny(3, &random);
    member_fastq(600, 6, 1, 0, &random);
    for (i = 0; i < made.border_count; ++i) {
        for (k = 1; k <= 8; ++k) {
            source_is_made();
            source.data[made.borders[i].file - k] ^= (uint8_t)(1u << maker_below(&random, 8));
            check_once("trailer", i * 8 + k, &random);
        }
    }
    for (i = 0; i < sizeof tails / sizeof *tails; ++i) {
        for (k = 0; k < 5; ++k) {
            source_is_made();
            maker_bytes_add(&source, tails[i], i == 4 || i == 5 ? 2 : strlen(tails[i]));
            check_once("tail", i, &random);
        }
    }
}

/* A source that fails: all text in front of it, then the fault. */
TEST(ahead, source_that_fails) {
    uint64_t random = test_seed() + 23;
    unsigned k;
    maker_begin(&made);
    members_tiny(5, &random);
    member_fastq(6000, 6, 1, 0, &random);
    source_is_made();
    for (k = 0; k < (MAKER_SLOW ? 30u : 150u); ++k) {
        way w = way_random(7, &random);
        stream_outcome serial, out;
        w.kind = WAY_CALLBACK;
        w.fail_at = 17 + maker_below(&random, (uint32_t)source.count - 17);
        serial = read_serial(&w);
        note_way("failing", k, &w);
        CHECK(serial.result == BIOST_ERR_IO);
        out = read_way(&w);
        same(&out, &serial);
        maker_bytes_free(&out.text);
        maker_bytes_free(&serial.text);
    }
}

/* ---- a hundred thousand members ---- */

TEST(ahead, many_members) {
    unsigned count = MAKER_SLOW ? 10000 : 100000, i, k, text = 0;
    maker one;
    uint64_t random = test_seed() + 29;
    memset(&one, 0, sizeof one);
    maker_begin(&one);
    maker_pack(&one, NULL, "@", 1, -1);
    maker_begin(&made);
    for (i = 0; i < count; ++i) {
        if (i % 5 == 0) {
            maker_raw(&made, one.file.data, one.file.count, 0);
            ++text;
        } else {
            maker_raw(&made, "\x1F\x8B\x08\0\0\0\0\0\0\xFF\3\0\0\0\0\0\0\0\0\0", 20, 0);
        }
    }
    member_fastq(2000, 6, 1, 0, &random);
    source_is_made();
    for (k = 0; k < 3; ++k) {
        stream_outcome out;
        way w;
        memset(&w, 0, sizeof w);
        w.ahead = k == 2 ? BIOST_PARALLEL_GZIP_AUTO : BIOST_PARALLEL_GZIP_ALWAYS;
        w.kind = k == 1 ? WAY_CALLBACK : WAY_MEMORY;
        w.workers = k == 0 ? 1 : 2 + k;
        w.chunk_bytes = k == 0 ? 5000 : 0;
        note_way("many members", k, &w);
        out = read_way(&w);
        CHECK(out.result == BIOST_END);
        CHECK_EQ_U64(out.progress.member_count, count + 1);
        CHECK_EQ_U64(out.progress.block_count, 0);
        if (CHECK_EQ_U64(out.text.count, text + made.text.count)) {
            for (i = 0; i < text && out.text.data[i] == '@'; ++i) {
            }
            CHECK_EQ_U64(i, text);
            CHECK_MEM(out.text.data + text, made.text.data, made.text.count);
        }
        maker_bytes_free(&out.text);
    }
    maker_free(&one);
}

/* ---- stopping ---- */

static void fastq_make(size_t bytes, int memory, uint64_t *random) {
    maker_begin(&made);
    member_fastq(bytes, 6, memory, 0, random);
    source_is_made();
}

/* Close or cancel at any time, while anything is under way; all memory comes back. */
TEST(ahead, close_and_cancel) {
    uint64_t random = test_seed() + 31;
    unsigned k;
    fastq_make(100000, 1, &random);
    for (k = 0; k < (MAKER_SLOW ? 60u : 300u); ++k) {
        way w = way_random(200, &random);
        dripping d;
        biost_stream_desc desc;
        biost_stream *stream = NULL;
        biost_page page;
        account a;
        unsigned pages = maker_below(&random, 20), cancels = maker_below(&random, 2);
        biost_result result = BIOST_OK;
        size_t at = 0;
        desc = way_desc(&w, source.data, &d);
        account_give(&a, &desc.allocator);
        note_way("stopping", k, &w);
        REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
        for (; pages > 0 && result == BIOST_OK; --pages) {
            result = biost_stream_next_page(stream, &page);
            if (result == BIOST_OK && CHECK(at + page.text_bytes <= made.text.count)) {
                CHECK_MEM(page.text, made.text.data + at, page.text_bytes);
                at += page.text_bytes;
            }
        }
        if (cancels && result == BIOST_OK) {
            biost_stream_cancel(stream);
            CHECK(biost_stream_next_page(stream, &page) == BIOST_CANCELLED);
        }
        biost_stream_close(stream);
        CHECK_EQ_U64(a.held, 0);
    }
}

/* ---- memory ---- */

/* No memory to decode ahead: the text is decoded without. */
TEST(ahead, refused_memory) {
    uint64_t random = test_seed() + 37;
    uint32_t workers;
    unsigned refuse;
    fastq_make(60000, 1, &random);
    for (workers = 1; workers <= 4; ++workers) {
        for (refuse = 1; refuse <= 3; ++refuse) {
            way w;
            dripping d;
            biost_stream_desc desc;
            biost_stream *stream = NULL;
            stream_outcome out;
            account a;
            memset(&w, 0, sizeof w);
            w.ahead = BIOST_PARALLEL_GZIP_ALWAYS;
            w.workers = workers;
            w.chunk_bytes = 700;
            w.order_seed = workers;
            w.kind = workers % 2 == 0 ? WAY_CALLBACK : WAY_MEMORY;
            desc = way_desc(&w, source.data, &d);
            account_give(&a, &desc.allocator);
            a.refuse = refuse;
            note_way("refused", refuse, &w);
            memset(&out, 0, sizeof out);
            out.result = biost_stream_open(&desc, &stream, &out.error);
            CHECK(out.result == (refuse == 1 ? BIOST_ERR_NOMEM : BIOST_OK));
            if (stream != NULL) {
                biost_parallel_gzip_counters counters;
                stream_drain(stream, STREAM_PAGES, &out);
                CHECK(out.result == BIOST_END);
                if (CHECK_EQ_U64(out.text.count, made.text.count)) {
                    CHECK_MEM(out.text.data, made.text.data, made.text.count);
                }
                CHECK_EQ_U64(a.calls, 2); /* asked once, whatever came of it */
                biost_stream_counters(stream, &counters);
                CHECK((counters.ahead_count > 0) == (refuse == 3));
                biost_stream_close(stream);
            }
            CHECK_EQ_U64(a.held, 0);
            maker_bytes_free(&out.text);
        }
    }
}

/*
 * What is held does not depend on the text's size: what any stream holds (see test_stream_random.c), and for
 * each of 4 (workers + 1) chunks its ops, 8 bytes for a byte of the chunk, and a buffer of 64 + 256 KiB.
 */
TEST(ahead, memory_does_not_grow) {
    uint64_t random = test_seed() + 41;
    uint32_t workers;
    unsigned k;
    for (k = 0; k < 2; ++k) {
        static size_t first[5];
        fastq_make(k == 0 ? 400000 : 1000000, 4, &random);
        for (workers = 1; workers <= 4; ++workers) {
            const size_t chunk = 9000, w = workers;
            size_t bound = ((w + 4) * 282 + (3 + w / 2) * 321 + w * 75 + 256) << 10;
            way how;
            dripping d;
            biost_stream_desc desc;
            stream_outcome out;
            account a;
            bound += 4 * (w + 1) * (chunk * 8 + (322u << 10)) + w * (128u << 10);
            memset(&how, 0, sizeof how);
            how.ahead = BIOST_PARALLEL_GZIP_ALWAYS;
            how.kind = WAY_CALLBACK;
            how.workers = workers;
            how.chunk_bytes = (uint32_t)chunk;
            how.order_seed = workers;
            desc = way_desc(&how, NULL, &d);
            account_give(&a, &desc.allocator);
            note_way("memory", k, &how);
            out = stream_run(&desc, STREAM_PAGES);
            CHECK(out.result == BIOST_END);
            CHECK_EQ_U64(out.text.count, made.text.count);
            CHECK(a.calls == 2 && a.peak <= bound);
            first[workers] = k == 0 ? a.peak : first[workers];
            CHECK_EQ_U64(a.peak, first[workers]);
            CHECK_EQ_U64(a.held, 0);
            maker_bytes_free(&out.text);
        }
    }
}

/* ---- counters ---- */

/*
 * The made file with these settings. `wanted`: something must be decoded ahead and accepted. With threads
 * route may be first everywhere: then tasks run in an order drawn from a seed, of a few seeds.
 */
static void check_counted(const char *what, uint32_t workers, biost_parallel_gzip ahead, uint32_t chunk_bytes,
                          int wanted) {
    uint64_t accepted = 0;
    unsigned seed;
    for (seed = 0; seed < 8 && (seed == 0 || (wanted && accepted == 0)); ++seed) {
        way w;
        stream_outcome out;
        memset(&w, 0, sizeof w);
        w.workers = workers;
        w.ahead = ahead;
        w.chunk_bytes = chunk_bytes;
        w.order_seed = seed;
        note_way(what, (unsigned long)ahead, &w);
        out = read_way(&w);
        CHECK(out.result == BIOST_END);
        if (CHECK_EQ_U64(out.text.count, made.text.count)) {
            CHECK_MEM(out.text.data, made.text.data, made.text.count);
        }
        if (wanted) { /* read_way checks the sum */
            accepted = counted.accepted_count;
        } else {
            CHECK_EQ_U64(counted.ahead_count + counted.guessed_count, 0);
            CHECK_EQ_U64(counted.accepted_count + counted.redecoded_count, 0);
        }
        maker_bytes_free(&out.text);
    }
    CHECK(!wanted || accepted > 0);
}

TEST(ahead, counters) {
    uint64_t random = test_seed() + 43;
    int told = getenv("TEST_EXECUTOR") != NULL; /* then there is one worker, whatever the desc says */
    fastq_make(MAKER_SLOW ? 1000000 : 4500000, 8, &random);
    CHECK(MAKER_SLOW || source.count > 1100000);
    check_counted("long", 2, BIOST_PARALLEL_GZIP_ALWAYS, 30000, 1);
    check_counted("long", 1, BIOST_PARALLEL_GZIP_ALWAYS, 30000, 1);
    check_counted("long", 4, BIOST_PARALLEL_GZIP_NEVER, 0, 0);
    check_counted("long", 1, BIOST_PARALLEL_GZIP_AUTO, 0, 0);
    if (!MAKER_SLOW) {
        check_counted("long", 2, BIOST_PARALLEL_GZIP_ALWAYS, 0, 1);
        check_counted("long", 1, BIOST_PARALLEL_GZIP_ALWAYS, 0, 1);
        check_counted("long", 4, BIOST_PARALLEL_GZIP_AUTO, 0, !told);
    }
    fastq_make(1000000, 8, &random); /* half of it as gzip: too short */
    check_counted("short", 4, BIOST_PARALLEL_GZIP_AUTO, 0, 0);
    check_counted("short", 4, BIOST_PARALLEL_GZIP_ALWAYS, 30000, 1);
}

/* Where every guess is wrong, few are made. */
TEST(ahead, gives_up_where_guesses_are_wrong) {
    uint64_t random = test_seed() + 47;
    uint32_t workers;
    maker_begin(&made);
    member_stored(MAKER_SLOW ? 1000000 : 3000000, &random);
    source_is_made();
    for (workers = 1; workers <= 8; workers *= 2) {
        way w;
        stream_outcome out;
        memset(&w, 0, sizeof w);
        w.workers = workers;
        w.ahead = BIOST_PARALLEL_GZIP_ALWAYS;
        w.chunk_bytes = 1000;
        note_way("stored", workers, &w);
        out = read_way(&w);
        CHECK(out.result == BIOST_END);
        CHECK_EQ_U64(out.text.count, made.text.count);
        CHECK_EQ_U64(counted.accepted_count, 0);
        CHECK(counted.ahead_count < source.count / 1000 / 5);
        maker_bytes_free(&out.text);
    }
}

/* ---- the reader ---- */

/* All that a reader said. */
typedef struct told {
    uint64_t sum, count; /* of the records: any change of one changes the sum */
    biost_result result;
    biost_error error;
    uint32_t warnings;
    biost_record_progress progress;
} told;

static uint64_t sum_of(uint64_t sum, const void *bytes, size_t count) {
    const uint8_t *at = (const uint8_t *)bytes;
    for (; count > 0; --count) {
        sum = (sum ^ *at++) * UINT64_C(0x100000001B3);
    }
    return (sum ^ 0xFF) * UINT64_C(0x100000001B3);
}

static told read_records(const biost_reader_desc *desc) {
    told t;
    biost_reader *reader = NULL;
    biost_record record;
    memset(&t, 0, sizeof t);
    t.result = biost_reader_open(desc, &reader, &t.error);
    while (t.result == BIOST_OK && (t.result = biost_reader_next(reader, &record)) == BIOST_OK) {
        uint64_t numbers[3];
        numbers[0] = record.id;
        numbers[1] = record.line;
        numbers[2] = record.text_offset;
        t.sum = sum_of(t.sum, record.title, record.title_bytes);
        t.sum = sum_of(t.sum, record.seq, record.seq_bases);
        t.sum = record.qual == NULL ? t.sum : sum_of(t.sum, record.qual, record.seq_bases);
        t.sum = sum_of(t.sum, numbers, sizeof numbers);
        ++t.count;
    }
    if (reader != NULL) {
        const biost_error *error = biost_reader_error(reader);
        if (error != NULL) {
            t.error = *error;
        }
        t.warnings = biost_reader_warnings(reader);
        biost_reader_progress(reader, &t.progress);
        biost_reader_close(reader);
    }
    return t;
}

static void same_records(const told *a, const told *b, int same_source) {
    CHECK_EQ_U64(a->count, b->count);
    CHECK_EQ_U64(a->sum, b->sum);
    CHECK_EQ_I64(a->result, b->result);
    CHECK_STR(biost_fault_name(a->error.fault), biost_fault_name(b->error.fault));
    CHECK_EQ_U64(a->error.record, b->error.record);
    CHECK_EQ_U64(a->error.line, b->error.line);
    CHECK_EQ_U64(a->error.text_offset, b->error.text_offset);
    if (same_source) {
        CHECK_EQ_U64(a->error.source_offset, b->error.source_offset);
        CHECK_STR(a->error.text, b->error.text);
        CHECK_EQ_U64(a->warnings, b->warnings);
    }
    if (same_source && a->result == BIOST_END) {
        CHECK(memcmp(&a->progress, &b->progress, sizeof a->progress) == 0);
    }
}

/* FASTQ, good and with a letter wrong in its text, or with its gzip damaged. */
TEST(ahead, reader) {
    uint64_t random = test_seed() + 53;
    unsigned k, i;
    for (k = 0; k < (MAKER_SLOW ? 10u : 60u); ++k) {
        static maker_bytes text;
        biost_reader_desc desc;
        told plain, serial;
        size_t bytes = 500 + maker_below(&random, 60000);
        int spoilt = (int)(k % 3);
        text.count = 0;
        maker_bytes_add(&text, NULL, 0);
        maker_fastq(&text, bytes, &random);
        while (text.count > 0 && text.data[text.count - 1] != '\n') {
            --text.count; /* perhaps still inside a record: then that is a fault like any other */
        }
        if (spoilt == 1) {
            size_t at = maker_below(&random, (uint32_t)text.count);
            text.data[at] = (uint8_t) "\n@+\x01>"[maker_below(&random, 5)];
        }
        maker_begin(&made);
        maker_member(&made, NULL);
        deflate_small(&made, text.data, text.count, 1 + (int)maker_below(&random, 2), &random);
        maker_member_end(&made);
        source_is_made();
        if (spoilt == 2) {
            damage(&random);
        }
        memset(&desc, 0, sizeof desc);
        desc.text.skip_bad = k % 5 == 0 ? 100 : 0;
        desc.memory.data = text.data;
        desc.memory.bytes = text.count;
        plain = read_records(&desc);
        desc.memory.data = source.data;
        desc.memory.bytes = source.count;
        desc.test.parallel_gzip = BIOST_PARALLEL_GZIP_NEVER;
        serial = read_records(&desc);
        test_note("records of text %u, %lu bytes", k, (unsigned long)text.count);
        if (spoilt < 2) {
            same_records(&serial, &plain, 0);
        }
        for (i = 0; i < 4; ++i) {
            told t;
            desc.test.parallel_gzip = BIOST_PARALLEL_GZIP_ALWAYS;
            desc.workers = 1 + maker_below(&random, 4);
            desc.test.chunk_bytes = 64 + maker_below(&random, 3000);
            desc.test.page_bytes = maker_chance(&random, 50) ? 0 : 64 + maker_below(&random, 5000);
            desc.test.order_seed = maker_chance(&random, 50) ? 0 : test_random(&random);
            test_note("records of text %u, %lu bytes: %u workers, chunk %u", k, (unsigned long)text.count,
                      (unsigned)desc.workers, (unsigned)desc.test.chunk_bytes);
            t = read_records(&desc);
            same_records(&t, &serial, 1);
        }
    }
}

/* ---- the loader ---- */

#define INPUTS 5u

static maker_bytes texts[INPUTS], inputs[INPUTS];

/* Gzip of small blocks, of many members, of BGZF, text, and gzip again. */
static void inputs_make(uint64_t *random) {
    static const size_t sizes[INPUTS] = {60000, 20000, 15000, 9000, 50000};
    unsigned i;
    for (i = 0; i < INPUTS; ++i) {
        size_t at = 0;
        maker_header h;
        texts[i].count = inputs[i].count = 0;
        maker_fastq(&texts[i], 300, random);
        texts[i].count = 0;
        while (texts[i].count < sizes[i]) { /* whole records */
            char record[200];
            unsigned bases = 20 + maker_below(random, 60), k;
            int bytes = snprintf(record, sizeof record, "@r%lu\n", (unsigned long)texts[i].count);
            maker_bytes_add(&texts[i], record, (size_t)bytes);
            for (k = 0; k < 2 * bases + 4; ++k) {
                char c = k < bases ? "ACGT"[maker_below(random, 4)] : "FFF:,#"[maker_below(random, 6)];
                c = k == bases || k == bases + 2 || k == 2 * bases + 3 ? '\n' : k == bases + 1 ? '+' : c;
                maker_bytes_add(&texts[i], &c, 1);
            }
        }
        maker_begin(&made);
        memset(&h, 0, sizeof h);
        if (i == 2) {
            maker_bgzf(&made, texts[i].data, texts[i].count, 3000, 6);
        } else if (i == 3) {
            maker_raw(&made, texts[i].data, texts[i].count, 0);
        }
        while (i != 2 && i != 3 && at < texts[i].count) {
            size_t take = i == 1 ? 700 : texts[i].count;
            take = take < texts[i].count - at ? take : texts[i].count - at;
            maker_member(&made, NULL);
            deflate_small(&made, texts[i].data + at, take, 1, random);
            maker_member_end(&made);
            at += take;
        }
        maker_bytes_add(&inputs[i], made.file.data, made.file.count);
    }
}

static biost_loader_desc loader_desc(const maker_bytes *from, biost_memory *memories) {
    biost_loader_desc desc;
    unsigned i;
    memset(&desc, 0, sizeof desc);
    for (i = 0; i < INPUTS; ++i) {
        memories[i].data = from[i].data;
        memories[i].bytes = from[i].count;
        memories[i].name = NULL;
    }
    desc.memories = memories;
    desc.memory_count = INPUTS;
    desc.batch_rows = 64;
    desc.row_bases = 50;
    desc.long_records = BIOST_LONG_CROP;
    desc.shuffle_rows = 200;
    desc.seed = 5;
    desc.augment.reverse_complement = 0.5f;
    desc.digest = 1;
    desc.workers = 1;
    return desc;
}

/* An epoch that was begun, of at most `most` batches: the sum of their digests, and what ended it. */
static uint64_t epoch_sum(biost_loader *loader, unsigned most, biost_result *out_result) {
    biost_batch batch;
    uint64_t sum = 0;
    *out_result = BIOST_OK;
    for (; most > 0 && (*out_result = biost_loader_next(loader, &batch)) == BIOST_OK; --most) {
        sum += batch.digest;
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    return sum;
}

#define ALL (~0u)

/* Digests of two epochs. */
static void epochs_sums(const biost_loader_desc *desc, uint64_t *sums, biost_result *results) {
    biost_loader *loader = NULL;
    unsigned epoch;
    REQUIRE(biost_loader_open(desc, &loader, NULL) == BIOST_OK);
    for (epoch = 0; epoch < 2; ++epoch) {
        results[epoch] = biost_loader_begin(loader, epoch);
        if (results[epoch] == BIOST_OK) {
            sums[epoch] = epoch_sum(loader, ALL, &results[epoch]);
        }
    }
    biost_loader_close(loader);
}

/* How a loader reads, at random. */
static void loader_way(biost_loader_desc *desc, uint64_t *random) {
    desc->test.parallel_gzip = BIOST_PARALLEL_GZIP_ALWAYS;
    desc->workers = 1 + maker_below(random, 4);
    desc->test.chunk_bytes = 100 + maker_below(random, 2000);
    desc->test.page_bytes = maker_chance(random, 50) ? 0 : 200 + maker_below(random, 5000);
    desc->test.order_seed = maker_chance(random, 40) ? test_random(random) : 0;
    test_note("%u workers, chunk %u, page %u, seed %llx", (unsigned)desc->workers,
              (unsigned)desc->test.chunk_bytes, (unsigned)desc->test.page_bytes,
              (unsigned long long)desc->test.order_seed);
}

/* What two epochs must be: of the texts themselves, and of gzip in order. */
static void loader_expect(uint64_t *sums) {
    biost_memory memories[INPUTS];
    biost_loader_desc desc = loader_desc(texts, memories);
    uint64_t other[2] = {0, 1};
    biost_result results[2] = {BIOST_OK, BIOST_OK};
    epochs_sums(&desc, sums, results);
    CHECK(results[0] == BIOST_END && results[1] == BIOST_END && sums[0] != sums[1]);
    desc = loader_desc(inputs, memories);
    desc.test.parallel_gzip = BIOST_PARALLEL_GZIP_NEVER;
    epochs_sums(&desc, other, results);
    CHECK(results[0] == BIOST_END && results[1] == BIOST_END);
    CHECK_EQ_U64(other[0], sums[0]);
    CHECK_EQ_U64(other[1], sums[1]);
}

TEST(ahead, loader_epochs) {
    uint64_t random = test_seed() + 59, sums[2] = {0, 0};
    unsigned k;
    inputs_make(&random);
    loader_expect(sums);
    for (k = 0; k < (MAKER_SLOW ? 8u : 30u); ++k) {
        biost_memory memories[INPUTS];
        biost_loader_desc desc = loader_desc(inputs, memories);
        uint64_t other[2] = {0, 0}, most;
        biost_result results[2] = {BIOST_OK, BIOST_OK};
        account a;
        loader_way(&desc, &random);
        desc.epochs = maker_below(&random, 3);
        account_give(&a, &desc.allocator);
        epochs_sums(&desc, other, results);
        CHECK(results[0] == BIOST_END && results[1] == (desc.epochs == 1 ? results[1] : BIOST_END));
        CHECK_EQ_U64(other[0], sums[0]);
        CHECK(desc.epochs == 1 || other[1] == sums[1]);
        most = biost_loader_memory(&desc);
        CHECK(a.peak <= most);
        CHECK_EQ_U64(a.held, 0);
    }
}

/* Begin anew in the middle, cancel and close in the middle, change the workers: what comes is right. */
TEST(ahead, loader_stops_anywhere) {
    uint64_t random = test_seed() + 61, sums[2] = {0, 0};
    unsigned k;
    inputs_make(&random);
    loader_expect(sums);
    for (k = 0; k < (MAKER_SLOW ? 10u : 60u); ++k) {
        biost_memory memories[INPUTS];
        biost_loader_desc desc = loader_desc(inputs, memories);
        biost_loader *loader = NULL;
        biost_result result;
        account a;
        unsigned times = 1 + maker_below(&random, 3), epoch;
        loader_way(&desc, &random);
        account_give(&a, &desc.allocator);
        REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
        for (; times > 0; --times) {
            CHECK(biost_loader_begin(loader, maker_below(&random, 4)) == BIOST_OK);
            (void)epoch_sum(loader, maker_below(&random, 12), &result);
            if (maker_chance(&random, 30)) {
                CHECK(biost_loader_set_workers(loader, 1 + maker_below(&random, 4)) == BIOST_OK);
            }
        }
        if (k % 3 == 0) {
            biost_batch batch;
            biost_loader_cancel(loader);
            CHECK(biost_loader_next(loader, &batch) == BIOST_CANCELLED);
        } else if (k % 3 == 1) {
            epoch = maker_below(&random, 2);
            CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
            CHECK_EQ_U64(epoch_sum(loader, ALL, &result), sums[epoch]);
            CHECK(result == BIOST_END);
        }
        biost_loader_close(loader);
        CHECK_EQ_U64(a.held, 0);
    }
}

/* A damaged input: the same batches, then the same error. */
TEST(ahead, loader_faults) {
    uint64_t random = test_seed() + 67;
    unsigned k, i;
    inputs_make(&random);
    for (k = 0; k < (MAKER_SLOW ? 6u : 20u); ++k) {
        maker_bytes *spoilt = &inputs[k % 2 == 0 ? 0 : 4];
        size_t at = 20 + maker_below(&random, (uint32_t)spoilt->count - 20);
        uint8_t bit = (uint8_t)(1u << maker_below(&random, 8));
        uint64_t sum = 0;
        biost_error error;
        memset(&error, 0, sizeof error);
        spoilt->data[at] ^= bit;
        for (i = 0; i < 4; ++i) {
            biost_memory memories[INPUTS];
            biost_loader_desc desc = loader_desc(inputs, memories);
            biost_loader *loader = NULL;
            biost_result result = BIOST_OK;
            uint64_t other;
            if (i == 0) {
                desc.test.parallel_gzip = BIOST_PARALLEL_GZIP_NEVER;
            } else {
                loader_way(&desc, &random);
            }
            REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
            CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
            other = epoch_sum(loader, ALL, &result);
            if (i == 0) {
                sum = other;
                error = biost_loader_error(loader) != NULL ? *biost_loader_error(loader) : error;
                CHECK((result == BIOST_END) == (error.code == BIOST_OK));
            } else {
                CHECK_EQ_I64(result, error.code == BIOST_OK ? BIOST_END : error.code);
                CHECK_EQ_U64(other, sum);
                if (CHECK((biost_loader_error(loader) != NULL) == (error.code != BIOST_OK)) &&
                    error.code != BIOST_OK) {
                    const biost_error *got = biost_loader_error(loader);
                    CHECK_STR(got->text, error.text);
                    CHECK_EQ_U64(got->source_offset, error.source_offset);
                    CHECK_EQ_U64(got->text_offset, error.text_offset);
                    CHECK_EQ_U64(got->record, error.record);
                    CHECK_EQ_U64(got->line, error.line);
                    CHECK(got->fault == error.fault && got->path_index == error.path_index);
                }
            }
            biost_loader_close(loader);
        }
        spoilt->data[at] ^= bit;
    }
}

/* Records as blocks of their own, such as are guessed at. */
static void blocks_of_records(unsigned count, int ends, uint64_t *random) {
    for (; count > 0; --count) {
        static const char record[] = "@F\nACGTNACGT\n+\nFFFF:,#FF\n";
        maker_code litlen, distance;
        unsigned i;
        codes_for("ACGTN\n@+F:,#", &litlen, &distance, random);
        maker_dynamic(&made, ends && count == 1, &litlen, &distance, random);
        for (i = 0; record[i] != '\0'; ++i) {
            maker_literal(&made, &litlen, (uint8_t)record[i]);
        }
        maker_symbol(&made, &litlen, 256);
    }
}

/* An input cut off inside a stored block, which the next input's bytes would fill: they are not its own. */
TEST(ahead, loader_inputs_are_not_joined) {
    uint64_t random = test_seed() + 69;
    unsigned k, i;
    for (k = 0; k < 30; ++k) {
        maker_bytes cut = {NULL, 0, 0}, next = {NULL, 0, 0};
        biost_error error;
        uint64_t sum = 0;
        maker_begin(&made);
        maker_member(&made, NULL);
        blocks_of_records(20, 1, &random);
        maker_member_end(&made);
        maker_bytes_add(&next, made.file.data, made.file.count);
        maker_begin(&made);
        maker_member(&made, NULL);
        blocks_of_records(12 + k, 0, &random);
        maker_stored(&made, 0, 0, next.data, 40 + k);
        maker_bytes_add(&cut, made.file.data, made.file.count - 40 - k);
        memset(&error, 0, sizeof error);
        for (i = 0; i < 5; ++i) {
            biost_memory memories[INPUTS];
            biost_loader_desc desc = loader_desc(inputs, memories);
            biost_loader *loader = NULL;
            biost_result result = BIOST_OK;
            uint64_t other;
            desc.memory_count = 2;
            memories[0].data = cut.data;
            memories[0].bytes = cut.count;
            memories[1].data = next.data;
            memories[1].bytes = next.count;
            if (i == 0) {
                desc.test.parallel_gzip = BIOST_PARALLEL_GZIP_NEVER;
            } else {
                loader_way(&desc, &random);
                desc.test.chunk_bytes = 20 + maker_below(&random, 100);
            }
            REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
            CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
            other = epoch_sum(loader, ALL, &result);
            CHECK(result == BIOST_ERR_GZIP);
            if (CHECK(biost_loader_error(loader) != NULL)) {
                const biost_error *got = biost_loader_error(loader);
                error = i == 0 ? *got : error;
                sum = i == 0 ? other : sum;
                CHECK(got->fault == BIOST_FAULT_TRUNCATED && got->path_index == 0);
                CHECK_EQ_U64(got->source_offset, cut.count);
                CHECK_STR(got->text, error.text);
                CHECK_EQ_U64(other, sum);
            }
            biost_loader_close(loader);
        }
        maker_bytes_free(&cut);
        maker_bytes_free(&next);
    }
}

/* Each allocation refused in turn: no loader, no memory in the middle, or all batches as they should be. */
TEST(ahead, loader_refused_memory) {
    uint64_t random = test_seed() + 71, sums[2] = {0, 0};
    unsigned long refuse;
    unsigned whole = 0, opened = 0;
    inputs_make(&random);
    loader_expect(sums);
    for (refuse = 1; refuse < 40; ++refuse) {
        biost_memory memories[INPUTS];
        biost_loader_desc desc = loader_desc(inputs, memories);
        biost_loader *loader = NULL;
        biost_result result;
        account a;
        loader_way(&desc, &random);
        account_give(&a, &desc.allocator);
        a.refuse = refuse;
        result = biost_loader_open(&desc, &loader, NULL);
        if (result == BIOST_OK) {
            uint64_t sum = 0;
            ++opened;
            result = biost_loader_begin(loader, 0);
            sum = result == BIOST_OK ? epoch_sum(loader, ALL, &result) : 0;
            CHECK(result == BIOST_END || result == BIOST_ERR_NOMEM);
            CHECK(result != BIOST_END || sum == sums[0]);
            whole += result == BIOST_END && a.calls >= refuse;
            biost_loader_close(loader);
        } else {
            CHECK_STR(biost_result_name(result), "ERR_NOMEM");
        }
        CHECK_EQ_U64(a.held, 0);
    }
    CHECK(opened > 0 && whole > 0); /* that of decoding ahead was among the refused */
    for (refuse = 0; refuse < INPUTS; ++refuse) {
        maker_bytes_free(&texts[refuse]);
        maker_bytes_free(&inputs[refuse]);
    }
}
