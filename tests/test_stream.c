/*
 * test_stream.c - the text of a file through biost_stream and biost_inflate: the hard cases of
 * tests/data/semantics with any number of workers, any cut and any kind of input; each strict and
 * lenient reading of gzip; warnings; files that cannot be read or change; ends that stay.
 *
 * rooms: stream frame route
 * needs: threads library data
 */
#if !defined(_POSIX_C_SOURCE) && !defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#endif
#include "../biostream.h"
#include "test.h"
#include "sha256.h"
#include "deflate_maker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- kinds of input ---- */

typedef enum input_kind { INPUT_MEMORY, INPUT_PATH, INPUT_CALLBACK, INPUT_FILES, INPUT_KINDS } input_kind;

/* A file in memory behind the hooks. Calls never overlap, whichever threads make them. */
typedef struct hooked {
    const uint8_t *bytes;
    size_t count, at;
    size_t most; /* a read gives at most so many; drawn anew each time if 0 */
    uint64_t random;
    int inside;   /* a call is running */
    int overlaps; /* calls that met another */
    int opens, closes;
    const char *path; /* the only one there is */
} hooked;

static void hooked_enter(hooked *h) {
    if (__atomic_exchange_n(&h->inside, 1, __ATOMIC_ACQ_REL) != 0) {
        __atomic_store_n(&h->overlaps, 1, __ATOMIC_RELAXED);
    }
}

static void hooked_leave(hooked *h) {
    __atomic_store_n(&h->inside, 0, __ATOMIC_RELEASE);
}

static int64_t hooked_read_at(void *file, uint64_t offset, void *to, size_t bytes, void *user_data) {
    hooked *h = (hooked *)user_data;
    size_t most, left;
    hooked_enter(h);
    CHECK(file == user_data && bytes > 0);
    left = offset < h->count ? h->count - (size_t)offset : 0;
    most = h->most > 0 ? h->most : 1 + maker_below(&h->random, 5000);
    bytes = bytes < most ? bytes : most;
    bytes = bytes < left ? bytes : left;
    if (bytes > 0) {
        memcpy(to, h->bytes + offset, bytes);
    }
    hooked_leave(h);
    return (int64_t)bytes;
}

static int64_t hooked_read(void *to, size_t bytes, void *user_data) {
    hooked *h = (hooked *)user_data;
    int64_t got = hooked_read_at(user_data, h->at, to, bytes, user_data);
    h->at += (size_t)got;
    return got;
}

static void *hooked_open(const char *path, void *user_data) {
    hooked *h = (hooked *)user_data;
    if (strcmp(path, h->path) != 0) {
        return NULL;
    }
    ++h->opens;
    return user_data;
}

static int64_t hooked_size(void *file, void *user_data) {
    CHECK(file == user_data);
    return (int64_t)((hooked *)user_data)->count;
}

static void hooked_close(void *file, void *user_data) {
    CHECK(file == user_data);
    ++((hooked *)user_data)->closes;
}

/* Point the desc at the bytes, which also lie in the file `path`. */
static void input_set(biost_stream_desc *desc, input_kind kind, hooked *h, const uint8_t *bytes, size_t count,
                      const char *path) {
    memset(h, 0, sizeof *h);
    h->bytes = bytes;
    h->count = count;
    h->path = path;
    h->random = test_seed();
    switch (kind) {
    case INPUT_MEMORY:
        desc->memory.data = bytes;
        desc->memory.bytes = count;
        desc->memory.name = path;
        break;
    case INPUT_CALLBACK:
        desc->callback.read = hooked_read;
        desc->callback.user_data = h;
        desc->callback.name = path;
        break;
    case INPUT_FILES:
        desc->files.open = hooked_open;
        desc->files.read_at = hooked_read_at;
        desc->files.size = hooked_size;
        desc->files.close = hooked_close;
        desc->files.user_data = h;
        desc->path = path;
        break;
    default: desc->path = path; break;
    }
}

/* ---- the hard cases ---- */

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

static int is_case(const expected *e, const char *name) {
    return strncmp(e->file + 5, name, 3) == 0;
}

#define CASES 80u

static struct {
    size_t count;
    expected e[CASES];
    char path[CASES][200];
    uint8_t *source[CASES];
    size_t bytes[CASES];
    uint8_t *truth; /* the text that nearly all of them hold: h14 is it, uncompressed */
    size_t truth_bytes;
} cases;

static int cases_load(void) {
    size_t bytes;
    char *table, *line;
    if (cases.count > 0) {
        return 1;
    }
    table = (char *)test_read_file(TEST_DATA "/semantics/EXPECTED.tsv", &bytes);
    if (table == NULL || bytes == 0) {
        return 0;
    }
    table[bytes - 1] = '\0'; /* was the last line's end */
    for (line = strtok(table, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        size_t i = cases.count;
        if (i < CASES && parse_line(line, &cases.e[i])) {
            strcpy(cases.path[i], TEST_DATA "/semantics/");
            strcat(cases.path[i], cases.e[i].file);
            cases.source[i] = test_read_file(cases.path[i], &cases.bytes[i]);
            if (is_case(&cases.e[i], "h14")) {
                cases.truth = cases.source[i];
                cases.truth_bytes = cases.bytes[i];
            }
            cases.count++;
        }
    }
    free(table);
    return CHECK_EQ_U64(cases.count, 71) && CHECK(cases.truth != NULL);
}

static size_t case_of(const char *name) {
    size_t i = 0;
    while (i + 1 < cases.count && !is_case(&cases.e[i], name)) {
        ++i;
    }
    CHECK(is_case(&cases.e[i], name));
    return i;
}

/*
 * Of an invalid file at least the text of all complete checked members comes out, beyond that any
 * part of the true text. The table says how much may come; where part of that is of the member
 * that fails, the whole members have less. Of a failing BGZF block nothing comes out.
 */
static void case_bounds(const expected *e, size_t *out_least, size_t *out_most) {
    static const struct {
        const char *name;
        size_t least, most;
    } known[] = {
        {"b05", 6000, 6000}, {"b11", 0, 0},    {"b12", 0, 0},    {"b21", 2000, 2000},
        {"t09", 3265, 6515}, {"b08", 0, 6530}, {"b09", 0, 6530}, {"b10", 0, 6530},
    };
    size_t i;
    *out_least = e->members > 0 ? e->bytes : 0;
    *out_most = e->bytes;
    for (i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (is_case(e, known[i].name)) {
            *out_least = known[i].least;
            *out_most = known[i].most;
        }
    }
}

static uint32_t case_warnings(const expected *e) {
    uint32_t bits = strncmp(e->flavour, "zero-padding", 12) == 0 ? BIOST_WARN_ZERO_PADDING : 0;
    return bits | (is_case(e, "b02") ? BIOST_WARN_NO_EOF_BLOCK : 0);
}

/* What EXPECTED.tsv says of the case. */
static void case_check(size_t i, const stream_outcome *out) {
    const expected *e = &cases.e[i];
    char hex[65];
    size_t least, most;
    CHECK_STR(out->result == BIOST_END ? "valid" : "invalid", e->verdict);
    CHECK_STR(out->result < 0 ? biost_fault_name(out->error.fault) : "-", e->fault);
    CHECK(out->result == BIOST_END || out->result == BIOST_ERR_GZIP);
    if (out->result == BIOST_END) {
        sha256_hex(out->text.data, out->text.count, hex);
        CHECK_EQ_U64(out->text.count, e->bytes);
        CHECK_STR(hex, e->sha);
        CHECK_EQ_U64(out->progress.member_count, e->members);
        CHECK_EQ_U64(out->progress.source_bytes, cases.bytes[i]);
        if (!is_case(e, "b13")) { /* a BGZF block, then plain members to the end */
            CHECK_EQ_U64(out->warnings, case_warnings(e));
        }
        return;
    }
    case_bounds(e, &least, &most);
    CHECK(out->text.count >= least);
    CHECK(out->text.count <= most);
    CHECK_EQ_U64(out->error.text_offset, out->text.count);
    if (!is_case(e, "d08")) { /* its seven bytes are another text */
        CHECK(stream_is_prefix(out, cases.truth, cases.truth_bytes));
    }
}

/* One way of many to read: it never shows in what comes out. */
static input_kind way(biost_stream_desc *desc, unsigned i, size_t *out_piece) {
    static const uint32_t workers[] = {1, 2, 5, 0}, chunks[] = {0, 1, 2, 3, 7, 4095};
    static const uint32_t pages[] = {0, 16, 4096, 100, 70000}, counts[] = {0, 2, 3};
    static const size_t pieces[] = {STREAM_PAGES, 1, 2, 3, 7, 4095, STREAM_MIXED, 100000};
    desc->workers = workers[i % 4];
    desc->test.chunk_bytes = chunks[i / 2 % 6];
    desc->test.page_bytes = pages[i % 5];
    desc->test.page_count = counts[i % 3];
    desc->test.order_seed = i % 7 < 4 ? 0 : i + 1;
    *out_piece = pieces[i % 8];
    return (input_kind)(i / 4 % INPUT_KINDS);
}

TEST(stream, semantics) {
    size_t i;
    REQUIRE(cases_load());
    for (i = 0; i < cases.count; ++i) {
        biost_stream_desc desc;
        stream_outcome first;
        unsigned k, ways = MAKER_SLOW ? 8 : cases.bytes[i] > 50000 ? test_effort(8, 20) : test_effort(12, 60);
        test_note("%s", cases.e[i].file);
        memset(&desc, 0, sizeof desc);
        desc.path = cases.path[i];
        first = stream_run(&desc, STREAM_PAGES);
        case_check(i, &first);
        for (k = 0; k < ways; ++k) {
            stream_outcome out;
            hooked h;
            size_t piece;
            uint8_t *copy = test_copy(cases.source[i], cases.bytes[i]); /* of its exact size */
            input_kind kind;
            memset(&desc, 0, sizeof desc);
            kind = way(&desc, k + (unsigned)i * 7, &piece);
            input_set(&desc, kind, &h, copy, cases.bytes[i], cases.path[i]);
            h.most = k % 3;
            test_note("%s, way %u", cases.e[i].file, k + (unsigned)i * 7);
            out = stream_run(&desc, piece);
            stream_same(&out, &first);
            CHECK_EQ_U64(h.overlaps, 0);
            CHECK_EQ_U64(h.opens, h.closes);
            maker_bytes_free(&out.text);
            free(copy);
        }
        maker_bytes_free(&first.text);
    }
}

/* ---- strict and lenient ---- */

#define ANY_PREFIX ((size_t)-1)

/* Read a case with some gzip fields set, in a few ways. `text_bytes`: exactly so many come out. */
static void check_gzip(const char *name, const biost_gzip_rules *gzip, const char *fault, size_t text_bytes,
                       uint32_t warnings) {
    static const uint32_t workers[] = {1, 2, 5}, pages[] = {0, 16, 4096};
    unsigned k;
    size_t i = case_of(name);
    for (k = 0; k < 9; ++k) {
        biost_stream_desc desc;
        stream_outcome out;
        hooked h;
        memset(&desc, 0, sizeof desc);
        desc.gzip = *gzip;
        desc.workers = workers[k % 3];
        desc.test.page_bytes = pages[k / 3];
        desc.test.chunk_bytes = k % 2 == 0 ? 0 : 50;
        input_set(&desc, (input_kind)(k % INPUT_KINDS), &h, cases.source[i], cases.bytes[i], cases.path[i]);
        test_note("%s, fault %s, way %u", name, fault, k);
        out = stream_run(&desc, k % 2 == 0 ? STREAM_PAGES : 1000);
        CHECK(out.result == (fault[0] == '-' ? BIOST_END : BIOST_ERR_GZIP));
        CHECK_STR(out.result < 0 ? biost_fault_name(out.error.fault) : "-", fault);
        if (text_bytes != ANY_PREFIX) {
            CHECK_EQ_U64(out.text.count, text_bytes);
        }
        CHECK(stream_is_prefix(&out, cases.truth, cases.truth_bytes));
        if (out.result == BIOST_END) {
            CHECK_EQ_U64(out.warnings, warnings);
        }
        maker_bytes_free(&out.text);
    }
}

TEST(stream, require) {
    biost_gzip_rules gzip;
    REQUIRE(cases_load());
    memset(&gzip, 0, sizeof gzip);
    gzip.require = 1;
    check_gzip("h14", &gzip, "NOT_GZIP", 0, 0); /* plain text */
    check_gzip("h15", &gzip, "NOT_GZIP", 0, 0);
    check_gzip("g01", &gzip, "-", 6530, 0);
    check_gzip("b01", &gzip, "-", 6530, 0);
    check_gzip("t07", &gzip, "TRUNCATED", 0, 0);
}

TEST(stream, no_crc) {
    biost_gzip_rules gzip;
    REQUIRE(cases_load());
    memset(&gzip, 0, sizeof gzip);
    gzip.no_crc = 1;
    check_gzip("c01", &gzip, "-", 6530, 0);
    check_gzip("c03", &gzip, "-", 6530, 0);
    check_gzip("b12", &gzip, "-", 6530, 0);
    check_gzip("c02", &gzip, "BAD_ISIZE", 6530, 0); /* lengths are checked still */
    check_gzip("b11", &gzip, "BAD_ISIZE", 0, 0);
    check_gzip("g02", &gzip, "-", 6530, 0);
    check_gzip("d03", &gzip, "BAD_DEFLATE", 0, 0);
    check_gzip("t05", &gzip, "TRUNCATED", 6530, 0);
}

TEST(stream, ignore_bc) {
    biost_gzip_rules gzip;
    REQUIRE(cases_load());
    memset(&gzip, 0, sizeof gzip);
    check_gzip("b08", &gzip, "BAD_BGZF", ANY_PREFIX, 0);
    check_gzip("b09", &gzip, "BAD_BGZF", ANY_PREFIX, 0);
    check_gzip("b10", &gzip, "BAD_BGZF", ANY_PREFIX, 0);
    gzip.ignore_bc = 1;
    check_gzip("b08", &gzip, "-", 6530, 0);
    check_gzip("b09", &gzip, "-", 6530, 0);
    check_gzip("b10", &gzip, "-", 6530, 0);
    check_gzip("b01", &gzip, "-", 6530, 0);
    check_gzip("b04", &gzip, "-", 6530, 0);
}

/* Read as plain members, a file knows nothing of blocks: none is counted, and none is missed. */
TEST(stream, ignore_bc_counts_no_block) {
    biost_stream_desc desc;
    stream_outcome out;
    size_t i;
    REQUIRE(cases_load());
    memset(&desc, 0, sizeof desc);
    desc.path = cases.path[case_of("b01")];
    out = stream_run(&desc, STREAM_PAGES);
    CHECK_EQ_U64(out.progress.member_count, 5);
    CHECK_EQ_U64(out.progress.block_count, 5);
    maker_bytes_free(&out.text);
    for (i = 0; i < 2; ++i) {
        desc.workers = 1 + (uint32_t)i * 3;
        desc.gzip.ignore_bc = 1;
        out = stream_run(&desc, STREAM_PAGES);
        CHECK_EQ_U64(out.progress.member_count, 5);
        CHECK_EQ_U64(out.progress.block_count, 0);
        maker_bytes_free(&out.text);
    }
}

TEST(stream, require_eof_block) {
    biost_gzip_rules gzip;
    REQUIRE(cases_load());
    memset(&gzip, 0, sizeof gzip);
    check_gzip("b02", &gzip, "-", 6530, BIOST_WARN_NO_EOF_BLOCK);
    gzip.require_eof_block = 1;
    check_gzip("b02", &gzip, "TRUNCATED", 6530, 0);
    check_gzip("b01", &gzip, "-", 6530, 0);
    check_gzip("b03", &gzip, "-", 0, 0);
    check_gzip("b04", &gzip, "-", 6530, 0);
    check_gzip("b14", &gzip, "-", 6530, 0); /* a plain member, then blocks and the last one */
    check_gzip("b19", &gzip, "-", 6530, BIOST_WARN_ZERO_PADDING);
    check_gzip("g01", &gzip, "-", 6530, 0); /* is no BGZF */
    check_gzip("h14", &gzip, "-", 6530, 0);
}

TEST(stream, refuse_padding) {
    biost_gzip_rules gzip;
    REQUIRE(cases_load());
    memset(&gzip, 0, sizeof gzip);
    check_gzip("g06", &gzip, "-", 6530, BIOST_WARN_ZERO_PADDING);
    check_gzip("g07", &gzip, "-", 6530, BIOST_WARN_ZERO_PADDING);
    check_gzip("b19", &gzip, "-", 6530, BIOST_WARN_ZERO_PADDING);
    gzip.refuse_padding = 1;
    check_gzip("g06", &gzip, "TRAILING_GARBAGE", 6530, 0);
    check_gzip("g07", &gzip, "TRAILING_GARBAGE", 6530, 0);
    check_gzip("b19", &gzip, "TRAILING_GARBAGE", 6530, 0);
    check_gzip("g01", &gzip, "-", 6530, 0);
    check_gzip("b01", &gzip, "-", 6530, 0);
}

TEST(stream, read_past_zeros) {
    biost_gzip_rules gzip;
    REQUIRE(cases_load());
    memset(&gzip, 0, sizeof gzip);
    check_gzip("g13", &gzip, "TRAILING_GARBAGE", 3265, 0);
    gzip.read_past_zeros = 1;
    check_gzip("g13", &gzip, "-", 6530, BIOST_WARN_ZERO_PADDING); /* leniency shows */
    check_gzip("g07", &gzip, "-", 6530, BIOST_WARN_ZERO_PADDING);
    check_gzip("g12", &gzip, "TRAILING_GARBAGE", 3265, 0); /* not zeros, then a member */
    check_gzip("g02", &gzip, "-", 6530, 0);
}

TEST(stream, ignore_garbage) {
    biost_gzip_rules gzip;
    REQUIRE(cases_load());
    memset(&gzip, 0, sizeof gzip);
    gzip.ignore_garbage = 1;
    check_gzip("g08", &gzip, "-", 6530, BIOST_WARN_IGNORED_BYTES);
    check_gzip("g12", &gzip, "-", 3265, BIOST_WARN_IGNORED_BYTES); /* as gzip: what follows is lost */
    check_gzip("g15", &gzip, "-", 6530, BIOST_WARN_IGNORED_BYTES);
    check_gzip("b20", &gzip, "-", 6530, BIOST_WARN_IGNORED_BYTES);
    check_gzip("g09", &gzip, "-", 6530, BIOST_WARN_IGNORED_BYTES); /* 1f, and 1f 8b, and part of a */
    check_gzip("g10", &gzip, "-", 6530, BIOST_WARN_IGNORED_BYTES); /* header at the end: ignored   */
    check_gzip("g11", &gzip, "-", 6530, BIOST_WARN_IGNORED_BYTES); /* as above                     */
    check_gzip("g01", &gzip, "-", 6530, 0);
    check_gzip("g07", &gzip, "-", 6530, BIOST_WARN_ZERO_PADDING);
    check_gzip("c01", &gzip, "BAD_CRC", 6530, 0); /* a member that fails is no garbage */
    check_gzip("t04", &gzip, "TRUNCATED", 6530, 0);
    check_gzip("h15", &gzip, "NOT_GZIP", 0, 0); /* nothing before it */
}

/* ---- other formats ---- */

static void check_memory(const void *bytes, size_t count, const char *fault, const char *says) {
    static const uint32_t chunks[] = {0, 1, 3};
    unsigned k;
    for (k = 0; k < 6; ++k) {
        biost_stream_desc desc;
        stream_outcome out;
        uint8_t *copy = test_copy(bytes, count);
        memset(&desc, 0, sizeof desc);
        desc.memory.data = copy;
        desc.memory.bytes = count;
        desc.workers = 1 + k / 3;
        desc.test.chunk_bytes = chunks[k % 3];
        out = stream_run(&desc, STREAM_PAGES);
        CHECK_STR(out.result < 0 ? biost_fault_name(out.error.fault) : "-", fault);
        if (out.result < 0) {
            CHECK_EQ_U64(out.text.count, 0);
            CHECK(strstr(out.error.text, says) != NULL);
        } else if (CHECK_EQ_U64(out.text.count, count)) {
            CHECK_MEM(out.text.data, bytes, count);
            CHECK_EQ_U64(out.warnings, 0);
            CHECK_EQ_U64(out.progress.member_count, 0);
            CHECK_EQ_U64(out.progress.source_total_bytes, count);
        }
        maker_bytes_free(&out.text);
        free(copy);
    }
}

/* Magic numbers of the formats: RFC 8878, bzip2's block start pi, xz 1.0.4, APPNOTE 4.3.7. */
TEST(stream, named_codecs) {
    check_memory("\x28\xB5\x2F\xFD rest of it......", 22, "CODEC", "zstd");
    check_memory("BZh91AY&SY rest of it", 21, "CODEC", "bzip2");
    check_memory("\xFD"
                 "7zXZ\0\0\4 rest of it..",
                 20, "CODEC", "xz");
    check_memory("PK\3\4\24\0\0\0 rest of it...", 21, "CODEC", "zip");
    check_memory("PK\3\4", 4, "CODEC", "zip");
}

TEST(stream, plain_text) {
    uint64_t random = test_seed();
    maker_bytes text;
    size_t bytes;
    check_memory("", 0, "-", "");
    check_memory("@", 1, "-", "");
    check_memory("\xEF\xBB\xBF@a\n", 6, "-", ""); /* as it is: the mark is the reader's business */
    check_memory("\n\n", 2, "-", "");
    check_memory("BZ is no codec, too short", 25, "-", "");
    check_memory("\0text", 5, "NOT_GZIP", "");
    check_memory("\x1F", 1, "TRUNCATED", "");
    check_memory("\x1F@", 2, "NOT_GZIP", "");
    memset(&text, 0, sizeof text);
    maker_fastq(&text, 700000, &random);
    for (bytes = 15; bytes < 20; ++bytes) {
        check_memory(text.data, bytes, "-", "");
    }
    check_memory(text.data, 65536, "-", "");
    check_memory(text.data, text.count, "-", "");
    maker_bytes_free(&text);
}

/* ---- BGZF at scale: more blocks than pages, in order whoever inflates them ---- */

TEST(stream, many_blocks_many_workers) {
    static const size_t block_bytes[] = {1000, 65280, 17};
    uint64_t random = test_seed();
    maker_bytes text;
    static maker m;
    unsigned k, i;
    memset(&text, 0, sizeof text);
    maker_fastq(&text, 1200000, &random);
    for (k = 0; k < 3; ++k) {
        size_t bytes = k == 2 ? 30000 : text.count;
        size_t blocks = (bytes + block_bytes[k] - 1) / block_bytes[k] + 1;
        maker_begin(&m);
        maker_bgzf(&m, text.data, bytes, block_bytes[k], k == 2 ? -1 : 1);
        for (i = 0; i < 12; ++i) {
            static const uint32_t workers[] = {1, 2, 3, 8};
            biost_stream_desc desc;
            stream_outcome out;
            hooked h;
            memset(&desc, 0, sizeof desc);
            input_set(&desc, i % 2 == 0 ? INPUT_MEMORY : INPUT_CALLBACK, &h, m.file.data, m.file.count, "x");
            desc.workers = workers[i % 4];
            desc.test.order_seed = i / 4 * 77;
            desc.test.page_count = i < 8 ? 0 : 2;
            test_note("blocks of %u, way %u", (unsigned)block_bytes[k], i);
            out = stream_run(&desc, i % 3 == 0 ? STREAM_PAGES : 100000 * (i % 3));
            CHECK(out.result == BIOST_END);
            CHECK_EQ_U64(out.progress.member_count, blocks);
            CHECK_EQ_U64(out.progress.block_count, blocks);
            CHECK_EQ_U64(out.warnings, 0);
            if (CHECK_EQ_U64(out.text.count, bytes)) {
                CHECK_MEM(out.text.data, text.data, bytes);
            }
            maker_bytes_free(&out.text);
        }
    }
    maker_bytes_free(&text);
    maker_free(&m);
}

/* Blocks whose texts together fill a page to the byte, or are one byte too many; and the largest. */
TEST(stream, blocks_that_fill_pages) {
    static const uint32_t pages[] = {70000, 16, 65536, 0};
    uint64_t random = test_seed();
    maker_bytes text;
    static maker m;
    unsigned k;
    memset(&text, 0, sizeof text);
    maker_fastq(&text, 200000, &random);
    for (k = 0; k < 60; ++k) {
        size_t page = pages[k % 4] == 0      ? 131072
                      : pages[k % 4] < 65536 ? 65536
                                             : pages[k % 4]; /* default, least */
        size_t half = page / 2, at = 0, i, sizes[6];
        sizes[0] = sizes[1] = half;
        sizes[2] = page - 2 * half + k % 5; /* two less than fits to two more */
        sizes[2] = sizes[2] > 2 ? sizes[2] - 2 : 0;
        sizes[3] = k % 3 == 0 ? 65536 : 0;
        sizes[4] = page - 65536 > 65536 ? 65536 : page - 65536;
        sizes[5] = k % 5;
        maker_begin(&m);
        for (i = 0; i < 6; ++i) {
            maker_header h;
            memset(&h, 0, sizeof h);
            h.block = 1;
            sizes[i] = sizes[i] < 65536 ? sizes[i] : 65536;
            if (sizes[i] == 65536) { /* compresses to less than 64 KiB without zlib, too: zeros */
                maker_code litlen, distance;
                unsigned left;
                maker_fixed_codes(&litlen, &distance);
                maker_member(&m, &h);
                maker_block(&m, 1, 1);
                maker_literal(&m, &litlen, 'x');
                for (left = 65535; left > 0; left -= 255) {
                    maker_match(&m, &litlen, &distance, 255, 0, 1);
                }
                maker_symbol(&m, &litlen, 256);
                maker_member_end(&m);
            } else {
                maker_pack(&m, &h, text.data + at, sizes[i], -2);
                at += sizes[i];
            }
        }
        maker_eof_block(&m);
        for (i = 1; i < 4; i += 2) {
            biost_stream_desc desc;
            stream_outcome out;
            memset(&desc, 0, sizeof desc);
            desc.memory.data = m.file.data;
            desc.memory.bytes = m.file.count;
            desc.workers = (uint32_t)i;
            desc.test.page_bytes = pages[k % 4];
            test_note("pages of %u, %u workers, way %u", (unsigned)pages[k % 4], (unsigned)i, k);
            out = stream_run(&desc, STREAM_PAGES);
            CHECK(out.result == BIOST_END);
            CHECK_EQ_U64(out.progress.block_count, 7);
            if (CHECK_EQ_U64(out.text.count, m.text.count)) {
                CHECK_MEM(out.text.data, m.text.data, m.text.count);
            }
            maker_bytes_free(&out.text);
        }
    }
    maker_bytes_free(&text);
    maker_free(&m);
}

/* ---- files ---- */

#define FILE_PATH "build/test_stream.tmp"

static int write_file(const char *path, const void *bytes, size_t count, const char *mode) {
    FILE *file = fopen(path, mode);
    int good = file != NULL && fwrite(bytes, 1, count, file) == count;
    if (file != NULL) {
        good = fclose(file) == 0 && good;
    }
    return CHECK(good);
}

/* No stream, and a sentence that names the file. */
static void check_open_fails(const biost_stream_desc *desc, biost_result code, const char *fault,
                             const char *says) {
    stream_outcome out = stream_run(desc, STREAM_PAGES);
    test_note("%s: %s", says, out.error.text);
    CHECK(!out.opened);
    CHECK_EQ_I64(out.result, code);
    CHECK_STR(biost_fault_name(out.error.fault), fault);
    CHECK(strstr(out.error.text, says) != NULL);
    maker_bytes_free(&out.text);
}

TEST(stream, cannot_be_opened) {
    biost_stream_desc desc;
    biost_stream *stream = (biost_stream *)(uintptr_t)&desc;
    unsigned k;
    for (k = 0; k < 3; ++k) {
        memset(&desc, 0, sizeof desc);
        desc.workers = k * 2;
        desc.path = "build/there_is_no_such_file";
        check_open_fails(&desc, BIOST_ERR_IO, "OPEN", "there_is_no_such_file");
        desc.path = "tests";
        check_open_fails(&desc, BIOST_ERR_IO, "DIRECTORY", "tests");
        desc.path = "";
        check_open_fails(&desc, BIOST_ERR_IO, "OPEN", "");
    }
    desc.path = "tests";
    CHECK(biost_stream_open(&desc, &stream, NULL) == BIOST_ERR_IO); /* nobody asks for the sentence */
    CHECK(stream == NULL);
}

TEST(stream, os_error_is_told) {
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    desc.path = "build/there_is_no_such_file";
    CHECK(biost_stream_open(&desc, &stream, &error) == BIOST_ERR_IO);
    CHECK_EQ_I64(error.os_error, 2); /* ENOENT everywhere */
}

/* Root may read anything: it asks as somebody else. */
TEST(stream, permission) {
    biost_stream_desc desc;
    stream_outcome out;
    uid_t user = geteuid();
    REQUIRE(write_file(FILE_PATH, "@a\n", 3, "wb"));
    REQUIRE(chmod(FILE_PATH, 0) == 0);
    memset(&desc, 0, sizeof desc);
    desc.path = FILE_PATH;
    REQUIRE(user != 0 || seteuid(65534) == 0);
    out = stream_run(&desc, STREAM_PAGES);
    REQUIRE(user != 0 || seteuid(user) == 0);
    CHECK(!out.opened && out.result == BIOST_ERR_IO);
    CHECK_STR(biost_fault_name(out.error.fault), "OPEN");
    CHECK_EQ_I64(out.error.os_error, 13); /* EACCES everywhere */
    CHECK(strstr(out.error.text, FILE_PATH) != NULL && strstr(out.error.text, "permission") != NULL);
    maker_bytes_free(&out.text);
    unlink(FILE_PATH);
}

/* A hook that opens nothing. */
static void *open_nothing(const char *path, void *user_data) {
    (void)path;
    (void)user_data;
    return NULL;
}

static int64_t size_fails(void *file, void *user_data) {
    (void)file;
    (void)user_data;
    return -1;
}

TEST(stream, hooks_that_fail_at_open) {
    biost_stream_desc desc;
    hooked h;
    memset(&desc, 0, sizeof desc);
    input_set(&desc, INPUT_FILES, &h, (const uint8_t *)"x", 1, "name");
    desc.path = "another";
    check_open_fails(&desc, BIOST_ERR_IO, "OPEN", "another");
    desc.path = "name";
    desc.files.open = open_nothing;
    check_open_fails(&desc, BIOST_ERR_IO, "OPEN", "name");
    CHECK_EQ_U64(h.opens, 0);
    desc.files.open = hooked_open;
    desc.files.size = size_fails;
    {
        stream_outcome out = stream_run(&desc, STREAM_PAGES);
        CHECK(out.result == BIOST_ERR_IO);
        CHECK_EQ_U64(h.opens, h.closes);
        maker_bytes_free(&out.text);
    }
}

/*
 * A file that becomes another while it is read: shorter, longer, or written over. All that was read
 * before stays true, the fault is CHANGED.
 */
TEST(stream, file_changes) {
    uint64_t random = test_seed();
    maker_bytes text;
    static maker m;
    unsigned k;
    memset(&text, 0, sizeof text);
    maker_fastq(&text, 400010, &random); /* no multiple of the chunk */
    maker_begin(&m);
    maker_pack(&m, NULL, text.data, 200000, -2); /* stored: as long as its text */
    for (k = 0; k < 12; ++k) {
        biost_stream_desc desc;
        biost_stream *stream = NULL;
        stream_outcome out;
        int gzip = k / 3 % 2 == 1;
        const maker_bytes *file = gzip ? &m.file : &text;
        REQUIRE(write_file(FILE_PATH, file->data, file->count, "wb"));
        memset(&desc, 0, sizeof desc);
        memset(&out, 0, sizeof out);
        maker_bytes_add(&out.text, NULL, 0);
        desc.path = FILE_PATH;
        desc.workers = k < 6 ? 1 : 3;
        desc.test.page_bytes = 64;
        desc.test.page_count = 2;
        desc.test.chunk_bytes = 64;
        test_note("change %u", k);
        REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
        CHECK(stream_take(stream, 10, 0, &out.text) == BIOST_OK);
        if (k % 3 == 0) {
            REQUIRE(truncate(FILE_PATH, (off_t)(file->count / 2)) == 0);
        } else if (k % 3 == 1) {
            REQUIRE(write_file(FILE_PATH, "more", 4, "ab"));
        } else { /* the same size, another time */
            struct timespec times[2];
            memset(times, 0, sizeof times);
            times[0].tv_sec = times[1].tv_sec = 1000000000;
            REQUIRE(utimensat(AT_FDCWD, FILE_PATH, times, 0) == 0);
        }
        stream_drain(stream, 5000, &out);
        CHECK(out.result == BIOST_ERR_STALE);
        CHECK_STR(biost_fault_name(out.error.fault), "CHANGED");
        CHECK(stream_is_prefix(&out, text.data, gzip ? 200000 : text.count));
        biost_stream_close(stream);
        maker_bytes_free(&out.text);
    }
    unlink(FILE_PATH);
    maker_bytes_free(&text);
    maker_free(&m);
}

/* ---- pipes ---- */

typedef struct pipe_writer {
    const char *path;
    const uint8_t *bytes;
    size_t count;
} pipe_writer;

static void *pipe_write(void *argument) {
    const pipe_writer *w = (const pipe_writer *)argument;
    size_t at = 0;
    int file = open(w->path, O_WRONLY);
    CHECK(file >= 0);
    while (at < w->count) {
        size_t piece = w->count - at < 1000 ? w->count - at : 1000;
        ssize_t wrote = write(file, w->bytes + at, piece);
        if (!CHECK(wrote > 0)) {
            break;
        }
        at += (size_t)wrote;
    }
    close(file);
    return NULL;
}

TEST(stream, pipe) {
    static const char path[] = "build/test_stream.fifo";
    uint32_t workers;
    size_t i;
    REQUIRE(cases_load());
    i = case_of("b04");
    for (workers = 1; workers < 4; ++workers) {
        biost_stream_desc desc;
        stream_outcome out;
        pipe_writer w;
        pthread_t thread;
        unlink(path);
        REQUIRE(mkfifo(path, 0600) == 0);
        w.path = path;
        w.bytes = cases.source[i];
        w.count = cases.bytes[i];
        REQUIRE(pthread_create(&thread, NULL, pipe_write, &w) == 0);
        memset(&desc, 0, sizeof desc);
        desc.path = path;
        desc.workers = workers;
        out = stream_run(&desc, 777);
        pthread_join(thread, NULL);
        case_check(i, &out);
        CHECK_EQ_U64(out.progress.source_total_bytes, 0); /* not known of a pipe */
        maker_bytes_free(&out.text);
        unlink(path);
    }
}

/* ---- ends stay ---- */

TEST(stream, cancelled_stays) {
    uint32_t workers;
    REQUIRE(cases_load());
    for (workers = 1; workers < 6; workers += 2) {
        biost_stream_desc desc;
        biost_stream *stream = NULL;
        stream_outcome out;
        memset(&desc, 0, sizeof desc);
        memset(&out, 0, sizeof out);
        maker_bytes_add(&out.text, NULL, 0);
        desc.path = cases.path[case_of("b01")];
        desc.workers = workers;
        desc.test.page_bytes = 16;
        REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
        CHECK(stream_take(stream, 3, 0, &out.text) == BIOST_OK);
        biost_stream_cancel(stream);
        stream_drain(stream, 3, &out);
        CHECK(out.result == BIOST_CANCELLED);
        CHECK(out.text.count < 6530 && stream_is_prefix(&out, cases.truth, cases.truth_bytes));
        biost_stream_cancel(stream);
        CHECK(stream_take(stream, 3, 0, &out.text) == BIOST_CANCELLED);
        biost_stream_close(stream);
        maker_bytes_free(&out.text);
        out.text.count = 0; /* and before anything was read */
        REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
        biost_stream_cancel(stream);
        stream_drain(stream, STREAM_PAGES, &out);
        CHECK(out.result == BIOST_CANCELLED && out.text.count == 0);
        biost_stream_close(stream);
        maker_bytes_free(&out.text);
    }
}

/* A cancel after the end, or after the error, changes neither. */
TEST(stream, cancel_after_the_end) {
    static const char *const names[] = {"b01", "g01", "c01", "b12", "h15"};
    size_t k;
    REQUIRE(cases_load());
    for (k = 0; k < 10; ++k) {
        biost_stream_desc desc;
        biost_stream *stream = NULL;
        stream_outcome out;
        biost_result result;
        memset(&desc, 0, sizeof desc);
        memset(&out, 0, sizeof out);
        desc.path = cases.path[case_of(names[k % 5])];
        desc.workers = k < 5 ? 1 : 3;
        REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
        stream_drain(stream, STREAM_PAGES, &out);
        result = out.result;
        CHECK(result == (k % 5 < 2 ? BIOST_END : BIOST_ERR_GZIP));
        biost_stream_cancel(stream);
        stream_drain(stream, 5, &out);
        CHECK_EQ_I64(out.result, result);
        biost_stream_close(stream);
        maker_bytes_free(&out.text);
    }
    biost_stream_close(NULL);
}

/* ---- arguments ---- */

static void *some_alloc(size_t bytes, size_t align, void *user_data) {
    (void)bytes;
    (void)align;
    (void)user_data;
    return NULL;
}

static void check_refused(const biost_stream_desc *desc, const char *says) {
    biost_stream *stream = NULL;
    biost_error error;
    memset(&error, 0, sizeof error);
    test_note("%s", says);
    CHECK(biost_stream_open(desc, &stream, &error) == BIOST_ERR_ARG);
    CHECK(stream == NULL);
    CHECK(error.code == BIOST_ERR_ARG);
    if (!CHECK(strstr(error.text, says) != NULL)) {
        printf("    sentence: %s\n", error.text);
    }
}

TEST(stream, arguments) {
    biost_stream_desc good, desc;
    memset(&good, 0, sizeof good);
    check_refused(&good, "path");
    good.memory.data = "@a\n";
    good.memory.bytes = 3;
    desc = good;
    desc.path = "x";
    check_refused(&desc, "path");
    desc = good;
    desc.callback.read = hooked_read;
    check_refused(&desc, "callback");
    desc = good;
    desc.workers = 257;
    check_refused(&desc, "workers");
    desc = good;
    desc.test.page_bytes = 15;
    check_refused(&desc, "page_bytes");
    desc = good;
    desc.test.page_count = 1;
    check_refused(&desc, "page_count");
    desc = good;
    desc.allocator.alloc = some_alloc;
    check_refused(&desc, "allocator");
    desc = good;
    memset(&desc.memory, 0, sizeof desc.memory);
    desc.path = "x";
    desc.files.open = hooked_open;
    check_refused(&desc, "files");
    {
        biost_stream *stream = NULL;
        CHECK(biost_stream_open(NULL, &stream, NULL) == BIOST_ERR_ARG);
        CHECK(stream == NULL);
        CHECK(biost_stream_open(&good, NULL, NULL) == BIOST_ERR_ARG);
    }
}

/* Input that is empty memory, or memory without an address, is an empty file. */
TEST(stream, empty_memory) {
    biost_stream_desc desc;
    stream_outcome out;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = "";
    out = stream_run(&desc, 10);
    CHECK(out.result == BIOST_END);
    CHECK_EQ_U64(out.text.count, 0);
    maker_bytes_free(&out.text);
}

/* ---- read errors ---- */

typedef struct failing {
    const uint8_t *bytes;
    size_t count, at, fail_at;
} failing;

static int64_t failing_read(void *to, size_t bytes, void *user_data) {
    failing *f = (failing *)user_data;
    size_t left = f->fail_at - f->at;
    bytes = bytes < left ? bytes : left;
    if (bytes == 0) {
        return -1;
    }
    memcpy(to, f->bytes + f->at, bytes);
    f->at += bytes;
    return (int64_t)bytes;
}

/* An error at byte k of the file for many k: what came before is delivered, then ERR_IO. */
TEST(stream, read_error_at_every_byte) {
    static const char *const names[] = {"b01", "g02", "h14"};
    size_t k, at;
    REQUIRE(cases_load());
    for (k = 0; k < 6; ++k) {
        size_t i = case_of(names[k % 3]);
        for (at = 0; at <= cases.bytes[i]; at += 1 + at / (MAKER_SLOW ? 5 : 30)) {
            biost_stream_desc desc;
            stream_outcome out;
            failing f;
            memset(&desc, 0, sizeof desc);
            f.bytes = cases.source[i];
            f.count = cases.bytes[i];
            f.at = 0;
            f.fail_at = at;
            desc.callback.read = failing_read;
            desc.callback.user_data = &f;
            desc.callback.name = "the pipe";
            desc.workers = k < 3 ? 1 : 4;
            desc.test.chunk_bytes = at % 3 == 0 ? 0 : 100;
            desc.test.page_bytes = at % 2 == 0 ? 0 : 64;
            test_note("%s, error at %u", names[k % 3], (unsigned)at);
            out = stream_run(&desc, STREAM_PAGES);
            CHECK(out.result == BIOST_ERR_IO);
            CHECK_STR(biost_fault_name(out.error.fault), "READ");
            CHECK(strstr(out.error.text, "the pipe") != NULL);
            CHECK_EQ_U64(out.error.source_offset, at);
            CHECK(stream_is_prefix(&out, cases.truth, cases.truth_bytes));
            if (k % 3 == 2) {
                CHECK_EQ_U64(out.text.count, at); /* plain text: all of it */
            }
            if (k % 3 == 0 && at >= 1186) {
                CHECK(out.text.count >= 2000); /* the first block has 1185 bytes, see its BSIZE */
            }
            maker_bytes_free(&out.text);
        }
    }
}

/* ---- biost_inflate ---- */

typedef struct inflated {
    biost_result result;
    biost_error error;
    size_t bytes;
    uint8_t *text; /* [capacity], of its exact size */
} inflated;

static inflated inflate_run(const uint8_t *source, size_t bytes, size_t capacity) {
    inflated out;
    uint8_t *copy = test_copy(source, bytes);
    memset(&out, 0, sizeof out);
    out.text = test_copy(NULL, capacity);
    out.bytes = capacity + 1;
    out.result = biost_inflate(copy, bytes, out.text, capacity, &out.bytes, &out.error);
    CHECK(out.bytes <= capacity);
    CHECK(out.result == BIOST_OK || (out.error.code == out.result && out.error.text[0] != '\0'));
    free(copy);
    return out;
}

/* The same verdict, text and place as through a stream with gzip.require. */
static void check_inflate_as_stream(const uint8_t *source, size_t bytes) {
    biost_stream_desc desc;
    stream_outcome out;
    inflated whole;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = bytes == 0 ? (const uint8_t *)"" : source;
    desc.memory.bytes = bytes;
    out = stream_run(&desc, STREAM_PAGES);
    whole = inflate_run(source, bytes, 80000);
    CHECK_EQ_I64(whole.result, out.result == BIOST_END ? BIOST_OK : out.result);
    if (out.result < 0) {
        CHECK_STR(biost_fault_name(whole.error.fault), biost_fault_name(out.error.fault));
        CHECK_EQ_U64(whole.error.source_offset, out.error.source_offset);
        CHECK_EQ_U64(whole.error.text_offset, out.error.text_offset);
    }
    if (CHECK_EQ_U64(whole.bytes, out.text.count)) {
        CHECK_MEM(whole.text, out.text.data, whole.bytes);
    }
    free(whole.text);
    maker_bytes_free(&out.text);
}

TEST(inflate_all, semantics) {
    size_t i;
    REQUIRE(cases_load());
    for (i = 0; i < cases.count; ++i) {
        test_note("%s", cases.e[i].file);
        if (is_case(&cases.e[i], "h14")) { /* text is no gzip file */
            inflated out = inflate_run(cases.source[i], cases.bytes[i], 80000);
            CHECK(out.result == BIOST_ERR_GZIP);
            CHECK_STR(biost_fault_name(out.error.fault), "NOT_GZIP");
            free(out.text);
        } else {
            check_inflate_as_stream(cases.source[i], cases.bytes[i]);
        }
    }
}

/* Room exactly for the text, for one byte less, for none, and for a little more. */
TEST(inflate_all, capacity) {
    size_t i;
    REQUIRE(cases_load());
    for (i = 0; i < cases.count; ++i) {
        const expected *e = &cases.e[i];
        inflated out;
        if (strcmp(e->verdict, "valid") != 0 || is_case(e, "h14")) {
            continue;
        }
        test_note("%s", e->file);
        out = inflate_run(cases.source[i], cases.bytes[i], e->bytes);
        CHECK(out.result == BIOST_OK);
        CHECK_EQ_U64(out.bytes, e->bytes);
        free(out.text);
        out = inflate_run(cases.source[i], cases.bytes[i], e->bytes + 7);
        CHECK(out.result == BIOST_OK);
        CHECK_EQ_U64(out.bytes, e->bytes);
        free(out.text);
        if (e->bytes == 0) {
            continue;
        }
        out = inflate_run(cases.source[i], cases.bytes[i], e->bytes - 1);
        CHECK(out.result == BIOST_ERR_ARG);
        if (e->file[5] != 'b') { /* of BGZF whole blocks at most */
            CHECK_EQ_U64(out.bytes, e->bytes - 1);
        }
        if (e->bytes == cases.truth_bytes) {
            CHECK_MEM(out.text, cases.truth, out.bytes);
        }
        free(out.text);
        out = inflate_run(cases.source[i], cases.bytes[i], 0);
        CHECK(out.result == BIOST_ERR_ARG);
        CHECK_EQ_U64(out.bytes, 0);
        free(out.text);
    }
}

TEST(inflate_all, every_capacity) {
    static const char *const names[] = {"b01", "g04", "d06"};
    size_t k, capacity;
    REQUIRE(cases_load());
    for (k = 0; k < 3; ++k) {
        size_t i = case_of(names[k]), bytes = cases.e[i].bytes;
        for (capacity = 0; capacity <= bytes; capacity += bytes > 1000 ? 13 : 1) {
            inflated out = inflate_run(cases.source[i], cases.bytes[i], capacity);
            test_note("%s, capacity %u", names[k], (unsigned)capacity);
            CHECK(out.result == (capacity < bytes ? BIOST_ERR_ARG : BIOST_OK));
            if (k > 0 || capacity == bytes) { /* of BGZF whole blocks at most */
                CHECK_EQ_U64(out.bytes, capacity < bytes ? capacity : bytes);
            }
            if (k < 2) {
                CHECK_MEM(out.text, cases.truth, out.bytes);
            }
            free(out.text);
        }
    }
}

/* A source cut anywhere: as a stream has it. */
TEST(inflate_all, every_cut) {
    static const char *const names[] = {"b01", "b14", "g04", "h06", "d05"};
    size_t k, cut;
    REQUIRE(cases_load());
    for (k = 0; k < 5; ++k) {
        size_t i = case_of(names[k]);
        for (cut = 0; cut <= cases.bytes[i]; cut += MAKER_SLOW ? 5 : test_effort(3, 1)) {
            test_note("%s cut to %u", names[k], (unsigned)cut);
            if (cut % 16 == 5 || cut < 40 || cut + 40 > cases.bytes[i]) {
                check_inflate_as_stream(cases.source[i], cut);
            } else { /* no member ends here but those of b01 and b14, and their last 40 bytes are above */
                inflated out = inflate_run(cases.source[i], cut, 7000);
                CHECK(out.result == BIOST_OK || out.error.fault == BIOST_FAULT_TRUNCATED);
                CHECK_MEM(out.text, cases.truth, out.bytes);
                free(out.text);
            }
        }
    }
}

TEST(inflate_all, arguments) {
    biost_error error;
    uint8_t text[10];
    size_t bytes = 99;
    CHECK(biost_inflate(NULL, 1, text, 10, &bytes, &error) == BIOST_ERR_ARG);
    CHECK(error.code == BIOST_ERR_ARG && error.text[0] != '\0');
    CHECK(biost_inflate("", 0, NULL, 10, &bytes, &error) == BIOST_ERR_ARG);
    CHECK(biost_inflate("", 0, text, 10, NULL, &error) == BIOST_ERR_ARG);
    CHECK(biost_inflate("", 0, text, 10, &bytes, NULL) == BIOST_OK); /* as an empty file */
    CHECK_EQ_U64(bytes, 0);
    CHECK(biost_inflate("\x28\xB5\x2F\xFD rest of it......", 22, text, 10, &bytes, &error) ==
          BIOST_ERR_UNSUPPORTED);
    CHECK_STR(biost_fault_name(error.fault), "CODEC");
    CHECK_EQ_U64(bytes, 0);
}

/* ---- hand-made streams ---- */

/* A member of one block of each kind with the corners of the format; its text is known bit by bit. */
TEST(stream, corners_of_deflate) {
    static maker m;
    maker_code litlen, distance;
    uint64_t random = test_seed();
    unsigned i, k;
    maker_begin(&m);
    maker_member(&m, NULL);
    maker_stored(&m, 0, 0x7F, "", 0); /* nothing, padding of ones              */
    maker_stored(&m, 0, 0x55, "stored", 6);
    maker_fixed_codes(&litlen, &distance);
    maker_block(&m, 0, 1);
    maker_symbol(&m, &litlen, 256); /* a block of no symbols                 */
    maker_block(&m, 0, 1);
    for (i = 0; i < 32768; ++i) {
        maker_literal(&m, &litlen, (i * 7919u >> 4) & 0xFFu);
    }
    maker_match(&m, &litlen, &distance, 258, 0, 32768); /* length symbol 285, the longest way back */
    maker_match(&m, &litlen, &distance, 258, 1, 32768); /* the same as 284 + 31                    */
    maker_match(&m, &litlen, &distance, 258, 1, 1);     /* one byte, 258 times                     */
    maker_match(&m, &litlen, &distance, 3, 0, 32767);
    maker_symbol(&m, &litlen, 256);
    maker_code_clear(&litlen, 286); /* a distance tree of one code of one bit */
    maker_code_clear(&distance, 30);
    litlen.lengths['x'] = 2; /* x 10, 256 11, 285 0                   */
    litlen.lengths[256] = 2;
    litlen.lengths[285] = 1;
    maker_code_number(&litlen);
    distance.lengths[0] = 1;
    maker_code_number(&distance);
    maker_dynamic(&m, 0, &litlen, &distance, &random);
    maker_literal(&m, &litlen, 'x');
    for (i = 0; i < 100; ++i) {
        maker_match(&m, &litlen, &distance, 258, 0, 1);
    }
    maker_symbol(&m, &litlen, 256);
    maker_code_clear(&litlen, 257); /* an empty distance tree                */
    maker_code_clear(&distance, 1);
    for (i = 0; i < 15; ++i) { /* codes of 1, 2 .. 14, 15 and 15 bits   */
        litlen.lengths['a' + i] = i + 1;
    }
    litlen.lengths[256] = 15;
    maker_code_number(&litlen);
    maker_dynamic(&m, 1, &litlen, &distance, &random);
    for (i = 0; i < 300; ++i) {
        maker_literal(&m, &litlen, 'a' + i * i % 15);
    }
    maker_symbol(&m, &litlen, 256);
    maker_member_end(&m);
    for (k = 0; k < 20; ++k) {
        biost_stream_desc desc;
        stream_outcome out;
        hooked h;
        size_t piece;
        input_kind kind;
        memset(&desc, 0, sizeof desc);
        kind = way(&desc, k, &piece);
        input_set(&desc, kind == INPUT_PATH ? INPUT_MEMORY : kind, &h, m.file.data, m.file.count, "corners");
        test_note("way %u", k);
        out = stream_run(&desc, piece);
        CHECK(out.result == BIOST_END);
        CHECK_EQ_U64(out.progress.member_count, 1);
        if (CHECK_EQ_U64(out.text.count, m.text.count)) {
            CHECK_MEM(out.text.data, m.text.data, m.text.count);
        }
        maker_bytes_free(&out.text);
    }
#ifdef HAVE_ZLIB
    {
        maker_verdict v = maker_control(m.file.data, m.file.count, NULL);
        CHECK(v.fault == BIOST_FAULT_NONE && v.members == 1 && v.text.count == m.text.count);
        CHECK_MEM(v.text.data, m.text.data, m.text.count);
        maker_bytes_free(&v.text);
    }
#endif
    maker_free(&m);
}

/* The block that ends BGZF files, as the SAM specification prints it (4.1.2). */
TEST(stream, eof_block_is_the_known_one) {
    static maker m;
    maker_begin(&m);
    maker_eof_block(&m);
    REQUIRE(CHECK_EQ_U64(m.file.count, 28));
    CHECK_MEM(m.file.data,
              "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x06\x00\x42\x43\x02\x00"
              "\x1b\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00",
              28);
    maker_free(&m);
}

/* ---- what the log and the features say ---- */

typedef struct heard {
    int lines;
    char last[256];
} heard;

static void hear(biost_result level, const char *sentence, void *user_data) {
    heard *h = (heard *)user_data;
    CHECK(level < 0);
    ++h->lines;
    snprintf(h->last, sizeof h->last, "%s", sentence);
}

TEST(stream, log_gets_the_sentence_once) {
    uint32_t workers;
    REQUIRE(cases_load());
    for (workers = 1; workers < 4; ++workers) {
        biost_stream_desc desc;
        stream_outcome out;
        heard h;
        memset(&h, 0, sizeof h);
        memset(&desc, 0, sizeof desc);
        desc.path = cases.path[case_of("b12")];
        desc.workers = workers;
        desc.log.line = hear;
        desc.log.user_data = &h;
        out = stream_run(&desc, STREAM_PAGES);
        CHECK_EQ_U64(h.lines, 1);
        CHECK_STR(h.last, out.error.text);
        CHECK(strstr(h.last, "b12_bad_crc.gz") != NULL);
        maker_bytes_free(&out.text);
        h.lines = 0;
        desc.path = cases.path[case_of("b01")];
        out = stream_run(&desc, STREAM_PAGES);
        CHECK_EQ_U64(h.lines, 0);
        maker_bytes_free(&out.text);
    }
}

TEST(stream, cpu_hidden_changes_nothing) {
    uint32_t hidden;
    REQUIRE(cases_load());
    for (hidden = 0; hidden < 16; hidden += MAKER_SLOW ? 5 : 1) {
        size_t i;
        for (i = 0; i < cases.count; ++i) {
            biost_stream_desc desc;
            stream_outcome out;
            memset(&desc, 0, sizeof desc);
            desc.path = cases.path[i];
            desc.workers = 1 + hidden % 2;
            desc.test.cpu_hidden = hidden;
            test_note("%s without %u", cases.e[i].file, (unsigned)hidden);
            out = stream_run(&desc, STREAM_PAGES);
            case_check(i, &out);
            maker_bytes_free(&out.text);
        }
    }
}

TEST(stream, features) {
    biost_feature_set f = biost_features();
    CHECK(f.text != NULL && strstr(f.text, "biostream") != NULL);
#ifdef BIOSTREAM_LIBDEFLATE
    CHECK_EQ_U64(f.has_libdeflate, 1);
#else
    CHECK_EQ_U64(f.has_libdeflate, 0);
#endif
    CHECK(f.version == BIOST_VERSION && biost_version() == BIOST_VERSION && BIOST_VERSION_FITS(f.version));
    CHECK(!BIOST_VERSION_FITS(100) && BIOST_VERSION_FITS(BIOST_VERSION + 1) == (BIOST_VERSION % 100 < 99));
}

/* ---- blocks that are more, or less, than they claim ---- */

/*
 * A good block of 2000 bytes, then a member with BC whose text is 70,000 bytes: a literal and matches
 * of distance 1 in a fixed block.
 */
static void make_oversize(maker *m) {
    static const char base[] = "ACGTTGCA";
    maker_header block;
    maker_code litlen, distance;
    uint8_t good[2000];
    size_t i;
    for (i = 0; i < sizeof good; ++i) {
        good[i] = (uint8_t)base[i * i % 8];
    }
    memset(&block, 0, sizeof block);
    block.block = 1;
    maker_begin(m);
    maker_pack(m, &block, good, sizeof good, 6);
    maker_member(m, &block);
    maker_fixed_codes(&litlen, &distance);
    maker_block(m, 1, 1);
    maker_literal(m, &litlen, 'A');
    for (i = 0; i < 271; ++i) {
        maker_match(m, &litlen, &distance, 258, 1, 1);
    }
    maker_match(m, &litlen, &distance, 70000 - 1 - 271 * 258, 0, 1);
    maker_symbol(m, &litlen, 256);
    maker_member_end(m);
}

/* The same verdict and text, whatever the pages, chunks and workers. */
static void check_everywhere(const maker *m, size_t bytes, const char *fault, size_t text_bytes) {
    static const uint32_t pages[] = {0, 16, 100, 70000}, chunks[] = {0, 1, 5000};
    uint32_t i;
    for (i = 0; i < 4 * 3 * 2 * 2; ++i) {
        biost_stream_desc desc;
        stream_outcome out;
        hooked h;
        memset(&desc, 0, sizeof desc);
        input_set(&desc, i % 2 == 0 ? INPUT_MEMORY : INPUT_CALLBACK, &h, m->file.data, bytes, "x");
        desc.test.page_bytes = pages[i / 2 % 4];
        desc.test.chunk_bytes = chunks[i / 8 % 3];
        desc.workers = i / 24 == 0 ? 1 : 4;
        test_note("%s, case %u", fault == NULL ? "good" : fault, (unsigned)i);
        out = stream_run(&desc, STREAM_PAGES);
        if (fault == NULL) {
            CHECK(out.result == BIOST_END);
        } else {
            CHECK(out.result == BIOST_ERR_GZIP);
            CHECK_STR(biost_fault_name(out.error.fault), fault);
        }
        CHECK_EQ_U64(out.text.count, text_bytes);
        CHECK(stream_is_prefix(&out, m->text.data, m->text.count));
        maker_bytes_free(&out.text);
    }
}

/*
 * A member with BC and more than 64 KiB of text is plain gzip, and its text provisional: all of it
 * comes out before a wrong CRC is seen. It was taken for a block where it fitted the rest of a page.
 */
TEST(stream, oversize_member_after_a_block) {
    maker m;
    memset(&m, 0, sizeof m);
    make_oversize(&m);
    check_everywhere(&m, m.file.count, NULL, 72000);
    m.file.data[m.file.count - 5] ^= 1; /* CRC-32 */
    check_everywhere(&m, m.file.count, "BAD_CRC", 72000);
    maker_free(&m);
}

/*
 * Cut inside ISIZE nobody knows whether it is a block, so nothing of it comes out. Its CRC is still
 * there, and was once compared with one over bytes that had no room.
 */
TEST(stream, oversize_member_cut_in_its_trailer) {
    maker m;
    memset(&m, 0, sizeof m);
    make_oversize(&m);
    check_everywhere(&m, m.file.count - 3, "TRUNCATED", 2000);
    maker_free(&m);
}

/* A size claimed between what a block may have and what a page has room for, of a block that lies. */
TEST(stream, block_that_claims_more_than_64_kib) {
    maker m;
    memset(&m, 0, sizeof m);
    make_oversize(&m);
    m.file.data[m.file.count - 4] = 1; /* ISIZE 65537 of a text of 70000 */
    m.file.data[m.file.count - 3] = 0;
    m.file.data[m.file.count - 2] = 1;
    check_everywhere(&m, m.file.count, "BAD_ISIZE", 72000);
    maker_free(&m);
}

/* Left-over bytes may be ignored, a block may not: cut off after its BC it is one. */
TEST(stream, ignore_garbage_is_no_way_to_lose_a_block) {
    maker m;
    biost_stream_desc desc;
    stream_outcome out;
    size_t cut;
    maker_header block;
    memset(&m, 0, sizeof m);
    memset(&block, 0, sizeof block);
    block.block = 1;
    block.name = "a name after the extra field";
    maker_begin(&m);
    maker_pack(&m, &block, "ACGT", 4, 6);
    maker_pack(&m, &block, "ACGT", 4, 6);
    for (cut = 18; cut < 18 + 30; ++cut) { /* BC ends at byte 18, the name at 48 */
        memset(&desc, 0, sizeof desc);
        desc.memory.data = m.file.data;
        desc.memory.bytes = m.borders[0].file + cut;
        desc.gzip.ignore_garbage = 1;
        test_note("cut %u", (unsigned)cut);
        out = stream_run(&desc, STREAM_PAGES);
        CHECK(out.result == BIOST_ERR_GZIP && out.error.fault == BIOST_FAULT_TRUNCATED);
        CHECK_EQ_U64(out.text.count, 4);
        maker_bytes_free(&out.text);
    }
    maker_free(&m);
}

/* Nor may a member whose header is whole, wherever after it the file ends. */
TEST(stream, ignore_garbage_is_no_way_to_lose_a_member) {
    maker m;
    maker_header plain;
    biost_stream_desc desc;
    stream_outcome out;
    size_t cut, second;
    memset(&m, 0, sizeof m);
    memset(&plain, 0, sizeof plain);
    maker_begin(&m);
    maker_pack(&m, &plain, "ACGTACGT", 8, 6);
    second = m.file.count;
    maker_pack(&m, &plain, "ACGTTTTTTTTTTTTGCA", 18, 6);
    for (cut = second + 1; cut < m.file.count; ++cut) { /* 10 bytes of header, data, 8 of trailer */
        memset(&desc, 0, sizeof desc);
        desc.memory.data = m.file.data;
        desc.memory.bytes = cut;
        desc.gzip.ignore_garbage = 1;
        test_note("cut %u", (unsigned)(cut - second));
        out = stream_run(&desc, STREAM_PAGES);
        CHECK((out.result == BIOST_END) == (cut < second + 10));
        CHECK(cut < second + 10 || out.error.fault == BIOST_FAULT_TRUNCATED);
        CHECK(out.text.count >= 8);
        maker_bytes_free(&out.text);
    }
    maker_free(&m);
}

/* Asked for no bytes, read tells how the text ended. */
TEST(stream, reading_nothing) {
    biost_stream_desc desc;
    biost_stream *stream;
    char byte[8];
    size_t got = 99;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = "text";
    desc.memory.bytes = 4;
    REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
    CHECK(biost_stream_read(stream, NULL, 0, &got) == BIOST_OK && got == 0);
    CHECK(biost_stream_read(stream, byte, 8, &got) == BIOST_OK && got == 4);
    CHECK(biost_stream_read(stream, NULL, 0, &got) == BIOST_END && got == 0);
    biost_stream_close(stream);
}

/* Inputs in memory are taken 1 MiB at a time, where they lie: a block may cross the border. */
TEST(stream, blocks_across_a_mebibyte_of_memory) {
    maker m;
    maker_bytes text;
    uint64_t random = test_seed() + 5;
    uint32_t workers;
    memset(&m, 0, sizeof m);
    memset(&text, 0, sizeof text);
    maker_fastq(&text, 1400000, &random);
    maker_begin(&m);
    maker_bgzf(&m, text.data, text.count, 60000, 0); /* stored: larger than the text */
    for (workers = 1; workers < 4; ++workers) {
        biost_stream_desc desc;
        stream_outcome out;
        memset(&desc, 0, sizeof desc);
        desc.memory.data = m.file.data;
        desc.memory.bytes = m.file.count;
        desc.workers = workers;
        out = stream_run(&desc, STREAM_PAGES);
        CHECK(out.result == BIOST_END && out.progress.block_count == 25); /* 24 and the empty one */
        CHECK_EQ_U64(out.text.count, text.count);
        CHECK(stream_is_prefix(&out, text.data, text.count));
        maker_bytes_free(&out.text);
    }
    maker_bytes_free(&text);
    maker_free(&m);
}

/* Linux tells 0 as the size of files that it makes up when they are read. */
TEST(stream, file_without_a_size) {
    biost_stream_desc desc;
    stream_outcome out;
    FILE *file = fopen("/proc/self/status", "rb");
    if (file == NULL) {
        return; /* another system */
    }
    fclose(file);
    memset(&desc, 0, sizeof desc);
    desc.path = "/proc/self/status";
    out = stream_run(&desc, STREAM_PAGES);
    CHECK(out.result == BIOST_END);
    CHECK(stream_starts(&out, "Name:", 5));
    maker_bytes_free(&out.text);
}

TEST(stream, counts_are_told_with_wrong_arguments_too) {
    size_t got = 77;
    char byte;
    CHECK(biost_stream_read(NULL, &byte, 1, &got) == BIOST_ERR_ARG && got == 0);
    got = 77;
    CHECK(biost_inflate(NULL, 5, &byte, 1, &got, NULL) == BIOST_ERR_ARG && got == 0);
}

/* ---- counters ---- */

/* One time for each thread; no more than there is room for, and no time before work. */
TEST(stream, busy_tells_a_time_for_each_thread) {
    static const char text[] = "@r\nACGT\n+\nIIII\n";
    int told = getenv("TEST_EXECUTOR") != NULL; /* then there is one worker, whatever the desc says */
    uint32_t workers;
    for (workers = 0; workers < 5; ++workers) {
        uint64_t busy[8] = {7, 7, 7, 7, 7, 7, 7, 7}, total = 0;
        uint32_t threads = workers > 1 && !told ? workers : 1, i;
        biost_stream_desc desc;
        biost_stream *stream = NULL;
        biost_page page;
        memset(&desc, 0, sizeof desc);
        desc.memory.data = text;
        desc.memory.bytes = sizeof text - 1;
        desc.workers = workers;
        CHECK(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
        CHECK_EQ_U64(biost_stream_busy_ns(stream, busy, 8), threads);
        for (i = 0; i < 8; ++i) {
            CHECK_EQ_U64(busy[i], i < threads ? 0 : 7);
        }
        CHECK_EQ_U64(biost_stream_busy_ns(stream, NULL, 0), threads);
        CHECK_EQ_U64(biost_stream_busy_ns(stream, NULL, 1), 0);
        while (biost_stream_next_page(stream, &page) == BIOST_OK) {
        }
        busy[1] = 7;
        CHECK_EQ_U64(biost_stream_busy_ns(stream, busy, 1), threads);
        CHECK(busy[1] == 7);
        CHECK_EQ_U64(biost_stream_busy_ns(stream, busy, 8), threads);
        for (i = 0; i < threads; ++i) {
            total += busy[i];
        }
        CHECK(total > 0);
        biost_stream_close(stream);
    }
    CHECK_EQ_U64(biost_stream_busy_ns(NULL, NULL, 0), 0);
}

/* ---- lines ---- */

/* The lines of a text, split here: LF ends one, and a CR right before it is not in it. */
static size_t line_end(const uint8_t *text, size_t bytes, size_t at, size_t *out_next) {
    size_t end = at;
    while (end < bytes && text[end] != '\n') {
        ++end;
    }
    *out_next = end + (end < bytes);
    return end < bytes && end > at && text[end - 1] == '\r' ? end - 1 : end;
}

static void check_lines(const biost_stream_desc *desc, const uint8_t *text, size_t bytes) {
    biost_stream *stream = NULL;
    biost_line line;
    biost_text_progress progress;
    size_t at = 0, next;
    REQUIRE(biost_stream_open(desc, &stream, NULL) == BIOST_OK);
    while (at < bytes) {
        size_t end = line_end(text, bytes, at, &next);
        REQUIRE(biost_stream_next_line(stream, &line) == BIOST_OK);
        CHECK_EQ_U64(line.text_offset, at);
        CHECK_EQ_U64(line.text_bytes, end - at);
        CHECK_MEM(line.text, text + at, line.text_bytes < end - at ? line.text_bytes : end - at);
        biost_stream_progress(stream, &progress);
        CHECK_EQ_U64(progress.text_bytes, next);
        at = next;
    }
    CHECK(biost_stream_next_line(stream, &line) == BIOST_END);
    CHECK(line.text == NULL && line.text_bytes == 0);
    CHECK(biost_stream_next_line(stream, &line) == BIOST_END && biost_stream_error(stream) == NULL);
    biost_stream_close(stream);
}

TEST(stream, lines) {
    static const char *const texts[] = {"",
                                        "\n",
                                        "\r\n",
                                        "a",
                                        "a\r",
                                        "\r",
                                        "a\n",
                                        "a\r\n",
                                        "\r\r\n",
                                        "a\rb\n\n\nc",
                                        "one\ntwo\r\n\r\nfour is a line longer than a page of 16 bytes\r\n5",
                                        "0123456789abcde\r\n0123456789abcd\r\n0123456789abcdef\n\r\n"};
    unsigned i, page;
    for (i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        for (page = 16; page < 40; ++page) {
            biost_stream_desc desc;
            memset(&desc, 0, sizeof desc);
            desc.memory.data = texts[i];
            desc.memory.bytes = strlen(texts[i]);
            desc.test.page_bytes = page;
            desc.test.chunk_bytes = page % 3 == 0 ? 1 : 0;
            test_note("text %u, page %u", i, page);
            check_lines(&desc, (const uint8_t *)texts[i], strlen(texts[i]));
        }
    }
}

/* Lines of 0 to 300000 bytes, plain and in BGZF, by several workers. */
TEST(stream, long_lines) {
    uint64_t random = test_seed();
    size_t bytes = 0, most = 3000000;
    uint8_t *text = (uint8_t *)malloc(most + 2);
    static maker m;
    unsigned k;
    REQUIRE(text != NULL);
    while (bytes < most) {
        size_t length = maker_below(&random, maker_chance(&random, 10) ? 300000 : 200);
        for (; length > 0 && bytes < most; --length) {
            text[bytes++] = maker_chance(&random, 2) ? '\r' : (uint8_t)('A' + maker_below(&random, 4));
        }
        text[bytes++] = '\n';
    }
    maker_begin(&m);
    maker_bgzf(&m, text, bytes, 20000, -2);
    for (k = 0; k < 6; ++k) {
        biost_stream_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.memory.data = k % 2 == 0 ? text : m.file.data;
        desc.memory.bytes = k % 2 == 0 ? bytes : m.file.count;
        desc.workers = 1 + k / 2;
        desc.test.page_bytes = k == 3 ? 70000 : 0;
        test_note("run %u", k);
        check_lines(&desc, text, bytes);
    }
    maker_free(&m);
    free(text);
}

/* A line over the cap is an error that names the field, wherever pages cut it; those before it come. */
TEST(stream, line_over_the_cap) {
    static const struct {
        const char *text;
        uint64_t most, good, at;
    } capped[] = {{"ab\nabcdefghijklmnopqrstuvwxyz\nc\n", 26, 3, 0},
                  {"ab\nabcdefghijklmnopqrstuvwxyz\nc\n", 25, 1, 3},
                  {"ab\r\nabcdefghijklmnopqrst\r\nc", 20, 3, 0},
                  {"ab\r\nabcdefghijklmnopqrst\r\nc", 19, 1, 4},
                  {"abcdefghijklmnopqrst\r", 20, 0, 0},
                  {"abcdefghijklmnopqrst\r", 21, 1, 0},
                  {"abcdefghijklmnopqrst", 20, 1, 0},
                  {"abcdefghijklmnopqrst", 19, 0, 0},
                  {"abcdefghijklmnopqrst\rx\n", 20, 0, 0}};
    unsigned i, page, good;
    for (i = 0; i < sizeof capped / sizeof capped[0]; ++i) {
        for (page = 16; page < 40; ++page) {
            biost_stream_desc desc;
            biost_stream *stream = NULL;
            biost_line line;
            biost_page rest;
            biost_result result;
            char words[128];
            memset(&desc, 0, sizeof desc);
            desc.memory.data = capped[i].text;
            desc.memory.bytes = strlen(capped[i].text);
            desc.max_line_bytes = capped[i].most;
            desc.test.page_bytes = page;
            test_note("case %u, page %u", i, page);
            REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
            for (good = 0; (result = biost_stream_next_line(stream, &line)) == BIOST_OK; ++good) {
            }
            CHECK_EQ_U64(good, capped[i].good);
            if (good == 3 || (good == 1 && capped[i].at == 0)) {
                CHECK(result == BIOST_END);
            } else {
                snprintf(
                    words, sizeof words,
                    "memory: the line that starts at byte %u of the text is longer than desc.max_line_bytes, "
                    "%u bytes",
                    (unsigned)capped[i].at, (unsigned)capped[i].most);
                CHECK(result == BIOST_ERR_TOO_LONG && line.text == NULL);
                REQUIRE(biost_stream_error(stream) != NULL);
                CHECK_STR(biost_stream_error(stream)->text, words);
                CHECK(biost_stream_next_page(stream, &rest) == BIOST_ERR_TOO_LONG); /* it stays */
                CHECK(biost_stream_seek(stream, capped[i].at) == BIOST_OK);
                CHECK(biost_stream_next_page(stream, &rest) == BIOST_OK);
                CHECK_EQ_U64(rest.text_offset, capped[i].at);
            }
            biost_stream_close(stream);
        }
    }
}

/* Lines, pages, bytes and seeks of one stream go on from one another; a line an error cuts off is not given. */
TEST(stream, lines_among_other_calls) {
    static const char text[] = "one\ntwo\nthree\nfour\nfive\n";
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    biost_line line;
    biost_page page;
    uint8_t bytes[8];
    size_t count;
    static maker m;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = sizeof text - 1;
    REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
    CHECK(biost_stream_next_line(stream, NULL) == BIOST_ERR_ARG);
    CHECK(biost_stream_next_line(NULL, &line) == BIOST_ERR_ARG);
    CHECK(biost_stream_next_line(stream, &line) == BIOST_OK && line.text_bytes == 3);
    CHECK(biost_stream_read(stream, bytes, 2, &count) == BIOST_OK && memcmp(bytes, "tw", 2) == 0);
    CHECK(biost_stream_next_line(stream, &line) == BIOST_OK && line.text_bytes == 1 && line.text[0] == 'o');
    CHECK_EQ_U64(line.text_offset, 6);
    CHECK(biost_stream_seek(stream, 15) == BIOST_OK);
    CHECK(biost_stream_next_line(stream, &line) == BIOST_OK && line.text_bytes == 3); /* "our" */
    CHECK(biost_stream_next_page(stream, &page) == BIOST_OK && page.text_offset == 19 &&
          page.text_bytes == 5);
    CHECK(biost_stream_next_line(stream, &line) == BIOST_END);
    biost_stream_close(stream);
    maker_begin(&m);
    maker_bgzf(&m, (const uint8_t *)"whole\ncut off", 13, 100, -2);
    maker_bytes_add(&m.file, "xyz", 3); /* what follows is no member */
    desc.memory.data = m.file.data;
    desc.memory.bytes = m.file.count;
    REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
    CHECK(biost_stream_next_line(stream, &line) == BIOST_OK && line.text_bytes == 5);
    CHECK(biost_stream_next_line(stream, &line) == BIOST_ERR_GZIP && line.text == NULL);
    biost_stream_close(stream);
    maker_free(&m);
}

/* ---- file descriptors ---- */

/* A file of these bytes, open for reading and unlinked. */
static int fd_of(const void *bytes, size_t count, int flags) {
    char path[] = "/tmp/biostream_fd_XXXXXX";
    int made = mkstemp(path), file;
    CHECK(made >= 0 && write(made, bytes, count) == (ssize_t)count);
    close(made);
    file = open(path, flags);
    unlink(path);
    return file;
}

/* It is read from where it is, its offset moves, and it stays the caller's. */
TEST(stream, descriptor) {
    static const char text[] = "header of mine\n@r1\nACGT\n+\nIIII\n";
    uint64_t random = test_seed();
    static maker m;
    unsigned k;
    for (k = 0; k < 6; ++k) {
        const void *bytes = text;
        size_t count = sizeof text - 1, got = 0;
        char skipped[15], read_text[64];
        biost_stream_desc desc;
        biost_stream *stream = NULL;
        biost_text_progress progress;
        memset(&desc, 0, sizeof desc);
        test_note("run %u", k);
        if (k % 2 == 1) { /* a gzip file after what was read before */
            maker_begin(&m);
            maker_bytes_add(&m.file, text, 15);
            maker_bgzf(&m, (const uint8_t *)text + 15, count - 15, 7, -2);
            bytes = m.file.data;
            count = m.file.count;
        }
        desc.fd = fd_of(bytes, count, O_RDONLY);
        desc.has_fd = 1;
        desc.workers = 1 + k / 2;
        desc.test.chunk_bytes = maker_below(&random, 3);
        REQUIRE(desc.fd >= 0 && read(desc.fd, skipped, sizeof skipped) == 15);
        REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
        CHECK(biost_stream_read(stream, read_text, sizeof read_text, &got) == BIOST_OK);
        CHECK_EQ_U64(got, sizeof text - 1 - 15);
        CHECK_MEM(read_text, text + 15, got);
        CHECK(biost_stream_read(stream, read_text, 1, &got) == BIOST_END);
        biost_stream_progress(stream, &progress);
        CHECK_EQ_U64(progress.source_bytes, count - 15);
        CHECK_EQ_U64(progress.source_total_bytes, 0);
        CHECK(biost_stream_seek(stream, 3) == BIOST_ERR_UNSUPPORTED);
        CHECK(biost_stream_error(stream) != NULL &&
              strstr(biost_stream_error(stream)->text, "desc.fd") != NULL);
        biost_stream_close(stream);
        CHECK(lseek(desc.fd, 0, SEEK_CUR) == (off_t)count); /* open still, and at its end */
        close(desc.fd);
        maker_free(&m);
    }
}

TEST(stream, descriptor_of_a_pipe) {
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    char text[16];
    size_t got = 0;
    int ends[2];
    memset(&desc, 0, sizeof desc);
    REQUIRE(pipe(ends) == 0 && write(ends[1], "ACGTACGT", 8) == 8);
    desc.has_fd = 1;
    desc.fd = ends[0];
    close(ends[1]);
    REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
    CHECK(biost_stream_read(stream, text, sizeof text, &got) == BIOST_OK && got == 8);
    CHECK_MEM(text, "ACGTACGT", 8);
    CHECK(biost_stream_seek(stream, 8) == BIOST_OK);
    CHECK(biost_stream_read(stream, text, sizeof text, &got) == BIOST_END);
    biost_stream_close(stream);
    close(ends[0]);
}

/* A descriptor that cannot be read is told by its number, with the system's error. */
TEST(stream, descriptor_that_cannot_be_read) {
    unsigned k;
    for (k = 0; k < 4; ++k) {
        biost_stream_desc desc;
        biost_stream *stream = NULL;
        biost_error error;
        biost_page page;
        biost_result result;
        char name[64], words[160];
        int ends[2] = {-1, -1};
        memset(&desc, 0, sizeof desc);
        desc.has_fd = 1;
        if (k == 0) {
            desc.fd = fd_of("", 0, O_RDONLY); /* and closed: none has this number now */
            close(desc.fd);
        } else if (k == 1) {
            desc.fd = open("/tmp", O_RDONLY);
        } else if (k == 2) {
            desc.fd = fd_of("ACGT", 4, O_WRONLY);
        } else {
            REQUIRE(pipe(ends) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
            desc.fd = ends[0];
        }
        test_note("case %u", k);
        result = biost_stream_open(&desc, &stream, &error);
        if (result == BIOST_OK) {
            result = biost_stream_next_page(stream, &page);
            error = *biost_stream_error(stream);
        }
        CHECK(result == BIOST_ERR_IO);
        snprintf(name, sizeof name, "file descriptor %d: ", desc.fd);
        snprintf(words, sizeof words, "%s%s", name,
                 k == 1   ? "is a directory, not a file"
                 : k == 3 ? "cannot be read at byte 0: it has no bytes yet, and is not to wait for them"
                          : "cannot be read at byte 0: this descriptor is not open for reading");
        CHECK_STR(error.text, words);
        CHECK(k == 1 || error.os_error == (k == 3 ? EAGAIN : EBADF));
        biost_stream_close(stream);
        if (k > 0) {
            close(desc.fd);
        }
        if (ends[1] >= 0) {
            close(ends[1]);
        }
    }
}

TEST(stream, descriptor_arguments) {
    biost_stream_desc good, desc;
    biost_index *index = NULL;
    memset(&good, 0, sizeof good);
    good.fd = fd_of("ACGT", 4, O_RDONLY);
    check_refused(&good, "desc.fd is given, and desc.has_fd is 0");
    good.has_fd = 1;
    desc = good;
    desc.path = "x";
    check_refused(&desc, "desc.has_fd and desc.path both name an input");
    desc = good;
    desc.memory.data = "x";
    check_refused(&desc, "desc.has_fd and desc.memory both name an input");
    desc = good;
    desc.callback.read = hooked_read;
    check_refused(&desc, "desc.has_fd and desc.callback both name an input");
    desc = good;
    desc.fd = -1;
    check_refused(&desc, "desc.fd is -1, not a whole number of 0..2147483647");
    REQUIRE(biost_index_open(NULL, &index, NULL) == BIOST_OK);
    desc = good;
    desc.index = index;
    check_refused(&desc, "an index needs a file or memory");
    biost_index_close(index);
    close(good.fd);
}

/* ---- memory for lines ---- */

typedef struct counted_memory {
    unsigned allowed, live;
} counted_memory;

static void *counted_alloc(size_t bytes, size_t align, void *user_data) {
    counted_memory *m = (counted_memory *)user_data;
    uint8_t *block, *at;
    if (m->allowed == 0) {
        return NULL;
    }
    m->allowed -= 1;
    m->live += 1;
    block = (uint8_t *)malloc(bytes + align + sizeof(void *));
    at = (uint8_t *)(((uintptr_t)block + sizeof(void *) + align - 1) & ~(uintptr_t)(align - 1));
    memcpy(at - sizeof(void *), &block, sizeof(void *));
    return at;
}

static void counted_free(void *memory, size_t bytes, void *user_data) {
    void *block;
    (void)bytes;
    ((counted_memory *)user_data)->live -= 1;
    memcpy(&block, (uint8_t *)memory - sizeof(void *), sizeof(void *));
    free(block);
}

/* A line in one page takes no memory; others take a buffer, and where there is none the error says so. */
TEST(stream, lines_without_memory) {
    static char text[20000];
    unsigned allowed;
    memset(text, 'A', sizeof text);
    text[5] = '\n';
    text[6 + 5000] = '\n';
    for (allowed = 0; allowed < 4; ++allowed) {
        counted_memory m = {1 + allowed, 0};
        biost_stream_desc desc;
        biost_stream *stream = NULL;
        biost_line line;
        memset(&desc, 0, sizeof desc);
        desc.memory.data = text;
        desc.memory.bytes = sizeof text;
        desc.allocator.alloc = counted_alloc;
        desc.allocator.free = counted_free;
        desc.allocator.user_data = &m;
        desc.test.page_bytes = 1000;
        test_note("%u allocations", allowed);
        REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
        CHECK_EQ_U64(m.live, 1);
        CHECK(biost_stream_next_line(stream, &line) == BIOST_OK && line.text_bytes == 5);
        CHECK_EQ_U64(m.live, 1);
        if (allowed >= 2) { /* 4096 bytes, then 8192 */
            CHECK(biost_stream_next_line(stream, &line) == BIOST_OK && line.text_bytes == 5000);
        }
        if (allowed == 3) { /* and 16384, for 14993 bytes */
            CHECK(biost_stream_next_line(stream, &line) == BIOST_OK && line.text_bytes == 14993);
            CHECK(biost_stream_next_line(stream, &line) == BIOST_END);
        } else {
            CHECK(biost_stream_next_line(stream, &line) == BIOST_ERR_NOMEM && line.text == NULL);
            CHECK(biost_stream_error(stream) != NULL &&
                  biost_stream_error(stream)->fault == BIOST_FAULT_MEMORY);
            CHECK(biost_stream_next_line(stream, &line) == BIOST_ERR_NOMEM);
        }
        biost_stream_close(stream);
        CHECK_EQ_U64(m.live, 0);
    }
}

/* Memory of exactly the bytes that were asked for, with a mark after them. */
static void *marked_alloc(size_t bytes, size_t align, void *user_data) {
    void *memory = NULL;
    (void)user_data;
    if (posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, bytes + 1) != 0) {
        return NULL;
    }
    ((uint8_t *)memory)[bytes] = 0xA5;
    return memory;
}

static void marked_free(void *memory, size_t bytes, void *user_data) {
    (void)user_data;
    CHECK(((uint8_t *)memory)[bytes] == 0xA5);
    free(memory);
}

/* The copy of a name has its room, whatever its length; and who opens a stream by one worker is its only thread. */
TEST(stream, names_of_any_length) {
    static char name[300];
    for (unsigned length = 1; length < sizeof name; length++) {
        biost_stream_desc desc;
        biost_stream *stream;
        memset(&desc, 0, sizeof desc);
        memset(name, 'n', length);
        name[length] = '\0';
        desc.memory.data = "text";
        desc.memory.bytes = 4;
        desc.memory.name = name;
        desc.allocator.alloc = marked_alloc;
        desc.allocator.free = marked_free;
        desc.test.page_bytes = 16;
        desc.workers = 1;
        test_note("%u bytes", length);
        REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
        CHECK_EQ_U64(biost_stream_busy_ns(stream, NULL, 0), 1);
        biost_stream_close(stream);
    }
}
