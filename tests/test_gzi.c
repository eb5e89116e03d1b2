/*
 * test_gzi.c - .gzi files: that those written are bgzip's, byte for byte, and that of those read no point is
 * taken that the file does not have.
 *
 * Expected entries come from bgzip, where it is installed, from a second walk over the blocks here, and of
 * small files from a calculation by hand.
 */
#include "failing_files.h"

#include <glob.h>

#include "test.h"
#include "deflate_maker.h"
#include "xxh64.h"

static void gzi_calls_begin(call_kind kind, unsigned long fail_at) {
    long files_open = calls.files_open;
    size_t most = calls.most;
    memset(&calls, 0, sizeof calls);
    calls.kind = kind;
    calls.fail_at = fail_at;
    calls.files_open = files_open;
    calls.most = most;
}

/* ---- files ---- */

static char directory[64]; /* "": none was made yet */

/* A file of this test. Eight names stay valid. */
static const char *path_of(const char *name) {
    static char paths[8][192];
    static unsigned turn;
    char *path = paths[turn++ % 8];
    if (directory[0] == '\0') {
        strcpy(directory, "/tmp/biostream_gzi_XXXXXX");
        if (mkdtemp(directory) == NULL) {
            printf("no directory for test files\n");
            exit(1);
        }
    }
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static void put_file(const char *name, const void *bytes, size_t count) {
    FILE *file;
    remove(path_of(name)); /* some systems wait for the disk where a file is emptied and written again */
    file = fopen(path_of(name), "wb");
    if (!CHECK(file != NULL)) {
        exit(1);
    }
    CHECK_EQ_U64(count == 0 ? 0 : fwrite(bytes, 1, count, file), count);
    CHECK(fclose(file) == 0);
}

static int gzi_is_there(const char *name) {
    return access(path_of(name), F_OK) == 0;
}

/* Whether a file that was being written is left. */
static int gzi_part_is_there(void) {
    char pattern[80];
    glob_t found;
    int result;
    snprintf(pattern, sizeof pattern, "%s/*.part", directory);
    result = glob(pattern, 0, NULL, &found);
    globfree(&found);
    return result != GLOB_NOMATCH;
}

/* The directory has these files and no others: remove it. */
static void clean(const char *const *names, int count) {
    for (int i = 0; i < count; i++) {
        remove(path_of(names[i]));
    }
    CHECK(rmdir(directory) == 0);
    directory[0] = '\0';
    CHECK_EQ_I64(calls.files_open, 0);
}

static const char *const usual_names[] = {"x.gz", "x.gzi"};

static void clean_usual(void) {
    clean(usual_names, 2);
}

/* ---- what is to be listed ---- */

static uint64_t number64(const uint8_t *from) {
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--) {
        value = value << 8 | from[i];
    }
    return value;
}

static void add64(maker_bytes *to, uint64_t value) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
    maker_bytes_add(to, bytes, 8);
}

/* Size of the block at `at`, by the first BC of its extra field; 0: there is none, or not all of it. */
static size_t slow_block(const uint8_t *file, size_t count, size_t at) {
    size_t left = count - at, extra, end;
    const uint8_t *from = file + at;
    if (left < 18 || from[0] != 0x1F || from[1] != 0x8B || from[2] != 8 || (from[3] & 0xE4) != 4) {
        return 0;
    }
    end = 12 + from[10] + 256u * from[11];
    for (extra = 12; extra + 4 <= end && end <= left; extra += 4 + from[extra + 2] + 256u * from[extra + 3]) {
        size_t size = from[extra + 2] + 256u * from[extra + 3];
        if (from[extra] == 'B' && from[extra + 1] == 'C' && size == 2 && extra + 6 <= end) {
            size_t block = from[extra + 4] + 256u * from[extra + 5] + 1;
            return block <= left && block >= end + 8 ? block : 0;
        }
    }
    return 0;
}

static uint32_t slow_text(const uint8_t *block, size_t size) {
    const uint8_t *at = block + size - 4;
    return at[0] + 256u * at[1] + 65536u * (uint32_t)at[2] + 16777216u * (uint32_t)at[3];
}

/* The .gzi of a file: every block with text but the first. */
static void slow_gzi(maker_bytes *out, const maker_bytes *file) {
    uint64_t text = 0, entries = 0;
    out->count = 0;
    add64(out, 0);
    for (size_t at = 0, size; at < file->count; at += size) {
        uint32_t text_bytes;
        size = slow_block(file->data, file->count, at);
        if (!CHECK(size > 0)) {
            return;
        }
        text_bytes = slow_text(file->data + at, size);
        if (text > 0 && text_bytes > 0) {
            add64(out, at);
            add64(out, text);
            entries++;
        }
        text += text_bytes;
    }
    for (int i = 0; i < 8; i++) {
        out->data[i] = (uint8_t)(entries >> 8 * i);
    }
}

/* A block stands at `offset` of the file, and that many bytes of text before it. */
static int is_true(const maker_bytes *file, uint64_t offset, uint64_t text_offset) {
    uint64_t text = 0;
    size_t at = 0, size = 1;
    while (at < file->count && at < offset && size > 0) {
        size = slow_block(file->data, file->count, at);
        text += size > 0 ? slow_text(file->data + at, size) : 0;
        at += size;
    }
    return size > 0 && at == offset && text == text_offset && slow_block(file->data, file->count, at) > 0;
}

/* ---- files of blocks ---- */

/* A block of `text_bytes` <= 65000, stored: `extra` bytes in front of BC, 18 + 5 + text_bytes + 8 without. */
static void add_block(maker *m, size_t text_bytes, size_t extra) {
    static uint8_t text[65000], fields[65000];
    maker_header h;
    memset(&h, 0, sizeof h);
    h.os = 255;
    h.block = 1;
    if (extra > 0) {
        memset(fields, 0, sizeof fields);
        fields[0] = 'X';
        fields[1] = 'Y';
        fields[2] = (uint8_t)(extra - 4);
        fields[3] = (uint8_t)((extra - 4) >> 8);
        h.has_extra = 1;
        h.extra = fields;
        h.extra_bytes = extra;
    }
    for (size_t i = 0; i < text_bytes; i++) {
        text[i] = (uint8_t)(33 + (m->text.count + i) * 2654435761u % 90);
    }
    maker_pack(m, &h, text, text_bytes, -2);
}

/* What kinds of files there are. */
static void make(maker *m, unsigned kind, uint64_t *random) {
    static const char *const forms[] = {
        "tttttttttttttE", "ttt", "t", "tE", "E", "EEE", "EEttE", "ttEttE", "ttttEEE", "tEEEtEttE", "EtEtEtE",
    };
    const char *form = forms[kind];
    maker_begin(m);
    for (; *form != '\0'; form++) {
        if (*form == 'E') {
            maker_eof_block(m);
        } else {
            add_block(m, 1 + maker_below(random, 90), 0);
        }
    }
}
#define KINDS 11u

static biost_result write_gzi(const char *source, const char *gzi, biost_error *error) {
    char from[192], to[192];
    snprintf(from, sizeof from, "%s", path_of(source));
    snprintf(to, sizeof to, "%s", path_of(gzi));
    memset(error, 0, sizeof *error);
    return bsi_gzi_write(from, to, error);
}

static biost_index *load_gzi(const char *gzi, const char *source, const biost_index_desc *desc,
                             biost_error *error) {
    char from[192], of[192];
    snprintf(from, sizeof from, "%s", path_of(gzi));
    snprintf(of, sizeof of, "%s", path_of(source));
    memset(error, 0, sizeof *error);
    return bsi_gzi_load(from, of, desc, error);
}

/* Write x.gz's .gzi as x.gzi, and hold it against the expected one. */
static void check_writes(const maker_bytes *expected) {
    biost_error error;
    size_t count;
    uint8_t *got;
    CHECK_EQ_I64(write_gzi("x.gz", "x.gzi", &error), BIOST_OK);
    CHECK_STR(error.text, "");
    got = test_read_file(path_of("x.gzi"), &count);
    if (got != NULL && CHECK_EQ_U64(count, expected->count)) {
        CHECK_MEM(got, expected->data, count);
    }
    free(got);
    CHECK(!gzi_part_is_there());
    CHECK_EQ_I64(calls.files_open, 0);
}

/* Each point of an index is one of the file; if `all`, it has all that the .gzi lists. */
static void check_points(const biost_index *index, const maker_bytes *file, const maker_bytes *gzi, int all) {
    const bsi_index_store *store = &index->store;
    if (all && !CHECK_EQ_U64(store->count, (gzi->count - 8) / 16)) {
        return;
    }
    for (uint32_t i = 0; i < store->count; i++) {
        const bsi_index_point *point = &store->points[i];
        CHECK(point->bit % 8 == 0 && is_true(file, point->bit / 8, point->text_offset));
        CHECK_EQ_U64(point->member_offset, point->text_offset);
        CHECK_EQ_U64(point->record, BSI_INDEX_NO_RECORD);
        CHECK_EQ_U64(point->flags, BSI_INDEX_AFTER_BLOCK);
        CHECK(point->packed_bytes == 0 && point->history_bytes == 0 && point->text_crc == 0 &&
              point->text_size == 0 && point->warnings == 0 && point->path == 0);
        if (all) {
            CHECK_EQ_U64(point->bit / 8, number64(gzi->data + 8 + 16 * i));
            CHECK_EQ_U64(point->text_offset, number64(gzi->data + 16 + 16 * i));
            CHECK_EQ_U64(point->members_done, i + 1);
            CHECK_EQ_U64(point->blocks_done, i + 1);
        }
    }
}

/* XXH64 of the size and both ends. */
static uint64_t slow_fingerprint(const maker_bytes *file) {
    size_t end = file->count < 65536 ? file->count : 65536;
    maker_bytes all = {NULL, 0, 0};
    uint64_t hash;
    add64(&all, file->count);
    maker_bytes_add(&all, file->data, end);
    maker_bytes_add(&all, file->data + file->count - end, end);
    hash = slow_xxh64(all.data, all.count, 0);
    maker_bytes_free(&all);
    return hash;
}

static void check_tied(const biost_index *index, const maker_bytes *file) {
    CHECK_EQ_I64(index->is_tied, 1);
    CHECK_EQ_U64(index->source_bytes, file->count);
    CHECK_EQ_U64(index->source_hash, slow_fingerprint(file));
    CHECK(!index->is_complete && !index->has_records && index->lock == NULL);
    CHECK(index->text_bytes == 0 && index->record_count == 0 && index->store.packed_used == 0);
}

/* It was refused with this fault and a sentence about this file. */
static void gzi_check_refused(const biost_index *index, const biost_error *error, biost_fault fault,
                              const char *name) {
    CHECK(index == NULL);
    CHECK_EQ_I64(error->fault, fault);
    CHECK(error->code != BIOST_OK);
    CHECK(strstr(error->text, name) != NULL);
}

/* ---- by hand ---- */

/*
 * Stored blocks of n bytes of text have 31 + n, the empty one at the end 28:
 *     byte 0: 4 of text | 35: empty | 63: 10 of text | 104: 3 of text | 138: empty | 166
 */
TEST(gzi, by_hand) {
    static const uint8_t expected[40] = {2, 0, 0, 0, 0,   0, 0, 0, 63, 0, 0, 0, 0,  0, 0, 0, 4, 0, 0, 0,
                                         0, 0, 0, 0, 104, 0, 0, 0, 0,  0, 0, 0, 14, 0, 0, 0, 0, 0, 0, 0};
    maker_bytes gzi = {NULL, 0, 0};
    biost_error error;
    biost_index *index;
    maker m;
    memset(&m, 0, sizeof m);
    add_block(&m, 4, 0);
    maker_eof_block(&m);
    add_block(&m, 10, 0);
    add_block(&m, 3, 0);
    maker_eof_block(&m);
    CHECK_EQ_U64(m.file.count, 166);
    put_file("x.gz", m.file.data, m.file.count);
    maker_bytes_add(&gzi, expected, sizeof expected);
    check_writes(&gzi);
    index = load_gzi("x.gzi", "x.gz", NULL, &error);
    if (CHECK(index != NULL)) {
        check_points(index, &m.file, &gzi, 1);
        CHECK_EQ_U64(index->store.points[0].bit, 8 * 63);
        CHECK_EQ_U64(index->store.points[1].text_offset, 14);
        CHECK_EQ_U64(index->store.spacing_bytes, 65536);
        check_tied(index, &m.file);
        bsi_index_close(index);
    }
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* Files of all forms, read in pieces as well. */
TEST(gzi, all_forms) {
    uint64_t random = test_seed();
    maker_bytes gzi = {NULL, 0, 0};
    maker m;
    memset(&m, 0, sizeof m);
    for (unsigned kind = 0; kind < 2 * KINDS; kind++) {
        biost_error error;
        biost_index *index;
        test_note("form %u", kind);
        calls.most = kind < KINDS ? 0 : 7;
        make(&m, kind % KINDS, &random);
        slow_gzi(&gzi, &m.file);
        put_file("x.gz", m.file.data, m.file.count);
        check_writes(&gzi);
        index = load_gzi("x.gzi", "x.gz", NULL, &error);
        if (CHECK(index != NULL)) {
            check_points(index, &m.file, &gzi, 1);
            check_tied(index, &m.file);
            bsi_index_close(index);
        }
    }
    calls.most = 0;
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* Blocks whose headers and trailers lie across the ends of the pieces that are read, of 128 KiB. */
TEST(gzi, ends_of_pieces) {
    maker_bytes gzi = {NULL, 0, 0};
    maker m;
    memset(&m, 0, sizeof m);
    for (size_t shift = 0; shift < 40; shift++) {
        biost_error error;
        biost_index *index;
        test_note("shift %u", (unsigned)shift);
        maker_begin(&m);
        add_block(&m, 65000, 0);
        add_block(&m, 65000, 0);
        add_block(&m, 131072 - 2 * 65031 - 31 - 20 + shift, 0); /* ends 20 bytes before the piece, and on */
        add_block(&m, 65000, 0);
        add_block(&m, 10, 0);
        maker_eof_block(&m);
        slow_gzi(&gzi, &m.file);
        put_file("x.gz", m.file.data, m.file.count);
        check_writes(&gzi);
        index = load_gzi("x.gzi", "x.gz", NULL, &error);
        if (CHECK(index != NULL)) {
            check_points(index, &m.file, &gzi, 1);
            bsi_index_close(index);
        }
    }
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* Extra fields of any length in front of BC. */
TEST(gzi, long_headers) {
    static const size_t lengths[] = {4, 5, 6, 7, 8, 9, 100, 4000, 5000, 60000};
    maker_bytes gzi = {NULL, 0, 0};
    biost_error error;
    biost_index *index;
    maker m;
    memset(&m, 0, sizeof m);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        add_block(&m, 100 + i, lengths[i]);
    }
    slow_gzi(&gzi, &m.file);
    CHECK_EQ_U64(gzi.count, 8 + 16 * 9);
    put_file("x.gz", m.file.data, m.file.count);
    check_writes(&gzi);
    index = load_gzi("x.gzi", "x.gz", NULL, &error);
    if (CHECK(index != NULL)) {
        check_points(index, &m.file, &gzi, 1);
        bsi_index_close(index);
    }
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* A file that is read once, in pieces, though its blocks are many: no byte of it twice but a few. */
TEST(gzi, reads_once) {
    maker_bytes gzi = {NULL, 0, 0};
    maker m;
    memset(&m, 0, sizeof m);
    for (unsigned i = 0; i < 40; i++) {
        add_block(&m, 20000, 0);
    }
    maker_eof_block(&m);
    put_file("x.gz", m.file.data, m.file.count);
    slow_gzi(&gzi, &m.file);
    gzi_calls_begin(CALL_KINDS, 0);
    check_writes(&gzi);
    CHECK(calls.read_bytes < m.file.count + 1000);
    CHECK(calls.counts[CALL_READ] < 10);
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* ---- bgzip itself ---- */

/* Run a command of which the first file of this test replaces %s, in quiet. 0: it failed. */
static int shell(const char *format, const char *name) {
    char command[512], path[192];
    snprintf(path, sizeof path, "%s", path_of(name));
    snprintf(command, sizeof command, format, path);
    return system(command) == 0;
}

static int has_bgzip(void) {
    return system("bgzip --version >/dev/null 2>&1") == 0;
}

/* The .gzi that `bgzip -r` writes for x.gz. 0: it refuses the file. */
static int bgzip_gzi(maker_bytes *out) {
    static const uint8_t none[8];
    uint8_t *bytes;
    size_t count;
    out->count = 0;
    if (!shell("bgzip -r %s 2>/dev/null", "x.gz")) {
        remove(path_of("x.gz.gzi"));
        return 0;
    }
    bytes = test_read_file(path_of("x.gz.gzi"), &count);
    remove(path_of("x.gz.gzi"));
    if (bytes == NULL) {
        return 0;
    }
    if (count == 8 && number64(bytes) == UINT64_MAX) {
        memcpy(bytes, none, 8); /* no text: htslib before 1.24 */
    }
    maker_bytes_add(out, bytes, count);
    free(bytes);
    return 1;
}

/* All forms once more: bgzip is right about what it lists. */
TEST(gzi, equals_bgzip) {
    uint64_t random = test_seed();
    maker_bytes gzi = {NULL, 0, 0};
    maker m;
    if (!has_bgzip()) {
        TEST_SKIP("bgzip");
    }
    memset(&m, 0, sizeof m);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        test_note("form %u", kind);
        make(&m, kind, &random);
        put_file("x.gz", m.file.data, m.file.count);
        if (CHECK(bgzip_gzi(&gzi))) {
            check_writes(&gzi);
        }
    }
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* The text of a block is what the whole text has there: inflate the block at a point. */
static void check_text(const maker_bytes *file, const maker_bytes *text, const bsi_index_point *point) {
#ifdef HAVE_ZLIB
    static uint8_t out[65536];
    z_stream z;
    memset(&z, 0, sizeof z);
    CHECK(inflateInit2(&z, 15 + 16) == Z_OK);
    z.next_in = file->data + point->bit / 8;
    z.avail_in = (uInt)(file->count - point->bit / 8);
    z.next_out = out;
    z.avail_out = (uInt)sizeof out;
    CHECK(inflate(&z, Z_FINISH) == Z_STREAM_END);
    if (CHECK(point->text_offset + z.total_out <= text->count)) {
        CHECK_MEM(out, text->data + point->text_offset, z.total_out);
    }
    inflateEnd(&z);
#else
    (void)file;
    (void)text;
    (void)point;
#endif
}

/* Take x.gz, which bgzip made, of this text. */
static void check_bgzip_file(const maker_bytes *text) {
    maker_bytes gzi = {NULL, 0, 0}, file = {NULL, 0, 0};
    biost_error error;
    biost_index *index;
    size_t count;
    uint8_t *bytes = test_read_file(path_of("x.gz"), &count);
    REQUIRE(bytes != NULL);
    maker_bytes_add(&file, bytes, count);
    free(bytes);
    if (CHECK(bgzip_gzi(&gzi))) {
        check_writes(&gzi);
        put_file("x.gzi", gzi.data, gzi.count);
        index = load_gzi("x.gzi", "x.gz", NULL, &error);
        if (CHECK(index != NULL)) {
            check_points(index, &file, &gzi, 1);
            check_tied(index, &file);
            for (uint32_t i = 0; i < index->store.count; i += 1 + index->store.count / 8) {
                check_text(&file, text, &index->store.points[i]);
            }
            bsi_index_close(index);
        }
    }
    maker_bytes_free(&gzi);
    maker_bytes_free(&file);
}

TEST(gzi, files_of_bgzip) {
    static const char *const names[] = {"x.gz", "x.gzi", "x", "y.gz"};
    static const size_t sizes[] = {0, 1, 65280, 65281, 400000};
    uint64_t random = test_seed();
    maker_bytes text = {NULL, 0, 0}, twice = {NULL, 0, 0};
    if (!has_bgzip()) {
        TEST_SKIP("bgzip");
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        test_note("%u bytes", (unsigned)sizes[i]);
        text.count = 0;
        twice.count = 0;
        maker_fastq(&text, sizes[i], &random);
        put_file("x", text.data, text.count);
        CHECK(shell("cd $(dirname %s) && bgzip -c x > x.gz", "x"));
        check_bgzip_file(&text);
        CHECK(shell("cd $(dirname %s) && cat x.gz x.gz x.gz > y.gz && mv y.gz x.gz", "x"));
        for (int j = 0; j < 3; j++) {
            maker_bytes_add(&twice, text.data, text.count);
        }
        check_bgzip_file(&twice);
        CHECK(shell("cd $(dirname %s) && bgzip -l 0 -c x | head -c -28 > x.gz", "x"));
        if (sizes[i] > 0) { /* else nothing is left */
            check_bgzip_file(&text);
        }
    }
    maker_bytes_free(&text);
    maker_bytes_free(&twice);
    clean(names, 4);
}

/* htslib goes by a .gzi of ours: text from the middle. */
TEST(gzi, bgzip_reads_it) {
    static const char *const names[] = {"x", "x.gz", "x.gz.gzi", "out"};
    uint64_t random = test_seed();
    maker_bytes text = {NULL, 0, 0};
    biost_error error;
    if (!has_bgzip()) {
        TEST_SKIP("bgzip");
    }
    maker_fastq(&text, 300000, &random);
    put_file("x", text.data, text.count);
    CHECK(shell("cd $(dirname %s) && bgzip -c x > x.gz", "x"));
    CHECK_EQ_I64(write_gzi("x.gz", "x.gz.gzi", &error), BIOST_OK);
    for (unsigned i = 0; i < 6; i++) {
        unsigned from = i == 0 ? 65280 : maker_below(&random, 299000);
        char command[160];
        uint8_t *got;
        size_t count;
        test_note("from byte %u", from);
        snprintf(command, sizeof command, "cd $(dirname %%s) && bgzip -b %u -s 900 x.gz > out", from);
        CHECK(shell(command, "x"));
        got = test_read_file(path_of("out"), &count);
        if (got != NULL && CHECK_EQ_U64(count, 900)) {
            CHECK_MEM(got, text.data + from, 900);
        }
        free(got);
    }
    maker_bytes_free(&text);
    clean(names, 4);
}

/* ---- files that have none ---- */

/* x.gz gets none, with this fault at this byte, in these words; the one it has stays. */
static void check_none(const void *bytes, size_t count, biost_fault fault, uint64_t source_offset,
                       const char *says) {
    biost_error error;
    size_t kept_bytes;
    uint8_t *kept;
    put_file("x.gz", bytes, count);
    put_file("x.gzi", "as it was", 9);
    CHECK_EQ_I64(write_gzi("x.gz", "x.gzi", &error), BIOST_ERR_GZIP);
    CHECK_EQ_I64(error.code, BIOST_ERR_GZIP);
    CHECK_EQ_I64(error.fault, fault);
    CHECK_EQ_U64(error.source_offset, source_offset);
    CHECK(strstr(error.text, "x.gz: byte ") != NULL && strstr(error.text, says) != NULL);
    kept = test_read_file(path_of("x.gzi"), &kept_bytes);
    if (kept != NULL && CHECK_EQ_U64(kept_bytes, 9)) {
        CHECK_MEM(kept, "as it was", 9);
    }
    free(kept);
    CHECK(!gzi_part_is_there());
    CHECK_EQ_I64(calls.files_open, 0);
}

TEST(gzi, no_bgzf) {
    static const uint8_t zeros[40];
    maker m;
    size_t good;
    memset(&m, 0, sizeof m);
    check_none(">a\nACGT\n", 8, BIOST_FAULT_NOT_GZIP, 0, "this is not BGZF: it starts with '>'");
    check_none("\x1F", 1, BIOST_FAULT_TRUNCATED, 1, "ends inside a BGZF block");
    check_none("\x1F"
               "A",
               2, BIOST_FAULT_NOT_GZIP, 0, "this is not BGZF");
    check_none("", 0, BIOST_FAULT_TRUNCATED, 0, "ends inside a BGZF block");
    maker_pack(&m, NULL, "ACGT", 4, -2);
    check_none(m.file.data, m.file.count, BIOST_FAULT_NOT_GZIP, 0, "this is plain gzip, not BGZF, ");
    maker_begin(&m);
    add_block(&m, 50, 0);
    good = m.file.count;
    maker_pack(&m, NULL, "ACGT", 4, -2);
    maker_eof_block(&m);
    check_none(m.file.data, m.file.count, BIOST_FAULT_BAD_BGZF, good, "another gzip member");
    m.file.count = good;
    maker_bytes_add(&m.file, zeros, sizeof zeros);
    check_none(m.file.data, m.file.count, BIOST_FAULT_BAD_BGZF, good, "none starts here");
    m.file.count = good;
    maker_bytes_add(&m.file, "AC", 2);
    check_none(m.file.data, m.file.count, BIOST_FAULT_BAD_BGZF, good, "none starts here");
    maker_free(&m);
    clean_usual();
}

/* What the blocks say of themselves makes no sense. */
TEST(gzi, damaged_blocks) {
    maker m;
    size_t first, second;
    memset(&m, 0, sizeof m);
    add_block(&m, 50, 0);
    first = m.file.count;
    add_block(&m, 60, 0);
    second = m.file.count;
    maker_eof_block(&m);
    m.file.data[second - 2] = 1; /* ISIZE: 65536 + 60 */
    check_none(m.file.data, m.file.count, BIOST_FAULT_BAD_BGZF, first, "longer than 64 KiB");
    m.file.data[second - 2] = 0;
    m.file.data[first + 16] = 24; /* BSIZE: 25 bytes, and header and trailer have 26 */
    check_none(m.file.data, m.file.count, BIOST_FAULT_BAD_BGZF, first, "smaller than its header");
    m.file.data[first + 17] = 0xFF; /* more than there is */
    check_none(m.file.data, m.file.count, BIOST_FAULT_TRUNCATED, m.file.count, "ends inside");
    maker_free(&m);
    clean_usual();
}

/* 65536 bytes of text are as many as a block may have; bgzip lists such a one as well. */
TEST(gzi, full_blocks) {
    maker_bytes gzi = {NULL, 0, 0};
    biost_index *index;
    biost_error error;
    maker m;
    memset(&m, 0, sizeof m);
    add_block(&m, 50, 0);
    add_block(&m, 60, 0);
    m.file.data[81 + 87] = m.file.data[81 + 88] = 0; /* ISIZE, after 81 bytes, 18 + 5 + 60 and CRC */
    m.file.data[81 + 89] = 1;
    CHECK_EQ_U64(m.file.count, 81 + 91);
    add_block(&m, 70, 0);
    add64(&gzi, 2);
    add64(&gzi, 81);
    add64(&gzi, 50);
    add64(&gzi, 81 + 91);
    add64(&gzi, 50 + 65536);
    put_file("x.gz", m.file.data, m.file.count);
    check_writes(&gzi);
    index = load_gzi("x.gzi", "x.gz", NULL, &error);
    if (CHECK(index != NULL)) {
        check_points(index, &m.file, &gzi, 1);
        bsi_index_close(index);
    }
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* A file cut off anywhere: between two blocks it is another good one, else it ends inside a block. */
TEST(gzi, source_cut_at_every_byte) {
    uint64_t random = test_seed();
    maker_bytes gzi = {NULL, 0, 0}, part = {NULL, 0, 0}, whole = {NULL, 0, 0};
    maker m;
    memset(&m, 0, sizeof m);
    make(&m, 9, &random);
    slow_gzi(&whole, &m.file);
    for (size_t count = 0, border = 0, next = 0; count <= m.file.count; count++) {
        biost_index *index;
        biost_error error;
        test_note("%u bytes", (unsigned)count);
        if (count == next) {
            border = count;
            next += count < m.file.count ? slow_block(m.file.data, m.file.count, count) : 1;
        }
        if (count == border && count > 0) {
            part.count = 0;
            maker_bytes_add(&part, m.file.data, count);
            slow_gzi(&gzi, &part);
            put_file("x.gz", m.file.data, count);
            check_writes(&gzi);
        } else {
            check_none(m.file.data, count, BIOST_FAULT_TRUNCATED, count, "the file ends inside a BGZF block");
        }
        put_file("x.gzi", whole.data, whole.count); /* the last point needs its block, not the end block */
        index = load_gzi("x.gzi", "x.gz", NULL, &error);
        if (count == border && count >= m.file.count - 28) {
            CHECK(index != NULL);
        } else {
            gzi_check_refused(index, &error, BIOST_FAULT_INDEX_STALE, "x.gz");
        }
        if (index != NULL) {
            check_points(index, &m.file, &whole, 1);
            bsi_index_close(index);
        }
    }
    maker_bytes_free(&gzi);
    maker_bytes_free(&part);
    maker_bytes_free(&whole);
    maker_free(&m);
    clean_usual();
}

/* ---- files that do not belong together, or are damaged ---- */

TEST(gzi, cut_at_every_byte) {
    uint64_t random = test_seed();
    maker_bytes gzi = {NULL, 0, 0};
    biost_error error;
    maker m;
    memset(&m, 0, sizeof m);
    make(&m, 0, &random);
    slow_gzi(&gzi, &m.file);
    put_file("x.gz", m.file.data, m.file.count);
    for (size_t count = 0; count < gzi.count; count++) {
        put_file("x.gzi", gzi.data, count);
        gzi_check_refused(load_gzi("x.gzi", "x.gz", NULL, &error), &error, BIOST_FAULT_INDEX_DAMAGED,
                          "x.gzi");
        CHECK(strstr(error.text, count < 8 ? "it was cut off" : "the size of a .gzi") != NULL);
    }
    maker_bytes_add(&gzi, "", 1);
    put_file("x.gzi", gzi.data, gzi.count);
    gzi_check_refused(load_gzi("x.gzi", "x.gz", NULL, &error), &error, BIOST_FAULT_INDEX_DAMAGED, "x.gzi");
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* Every bit of it is told from the blocks, as there are few. */
TEST(gzi, every_flipped_bit) {
    static const unsigned kinds[] = {0, 3, 4, 9};
    uint64_t random = test_seed();
    maker_bytes gzi = {NULL, 0, 0};
    maker m;
    memset(&m, 0, sizeof m);
    for (unsigned k = 0; k < 4; k++) {
        make(&m, kinds[k], &random);
        slow_gzi(&gzi, &m.file);
        put_file("x.gz", m.file.data, m.file.count);
        for (size_t bit = 0; bit < 8 * gzi.count; bit++) {
            biost_error error;
            biost_index *index;
            test_note("form %u, bit %u", kinds[k], (unsigned)bit);
            gzi.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            put_file("x.gzi", gzi.data, gzi.count);
            gzi.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            index = load_gzi("x.gzi", "x.gz", NULL, &error);
            CHECK(index == NULL);
            CHECK(error.fault == BIOST_FAULT_INDEX_DAMAGED || error.fault == BIOST_FAULT_INDEX_STALE);
            CHECK(error.text[0] != '\0');
            if (index != NULL) {
                check_points(index, &m.file, &gzi, 0);
                bsi_index_close(index);
            }
        }
    }
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* Any byte of the file changed: refused, or the points are still there. */
TEST(gzi, every_changed_byte_of_the_source) {
    uint64_t random = test_seed();
    maker_bytes gzi = {NULL, 0, 0};
    unsigned refused = 0, taken = 0;
    maker m;
    memset(&m, 0, sizeof m);
    make(&m, 9, &random);
    slow_gzi(&gzi, &m.file);
    put_file("x.gzi", gzi.data, gzi.count);
    for (size_t at = 0; at < m.file.count; at++) {
        uint8_t by = (uint8_t)(1u << maker_below(&random, 8));
        biost_error error;
        biost_index *index;
        test_note("byte %u by %u", (unsigned)at, by);
        m.file.data[at] ^= by;
        put_file("x.gz", m.file.data, m.file.count);
        index = load_gzi("x.gzi", "x.gz", NULL, &error);
        if (index != NULL) {
            check_points(index, &m.file, &gzi, 1);
            check_tied(index, &m.file);
            bsi_index_close(index);
            taken++;
        } else {
            gzi_check_refused(index, &error, BIOST_FAULT_INDEX_STALE, "x.gz");
            CHECK_EQ_I64(error.code, BIOST_ERR_STALE);
            refused++;
        }
        m.file.data[at] ^= by;
    }
    CHECK(refused > 8 * 9 && taken > 0); /* of each of the nine blocks: magic, FLG, XLEN, BC and BSIZE */
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* Other files: of other blocks, longer by some, no BGZF at all. */
TEST(gzi, foreign_files) {
    uint64_t random = test_seed();
    maker_bytes gzi = {NULL, 0, 0};
    biost_error error;
    biost_index *index;
    maker m, other;
    memset(&m, 0, sizeof m);
    memset(&other, 0, sizeof other);
    make(&m, 0, &random);
    slow_gzi(&gzi, &m.file);
    put_file("x.gzi", gzi.data, gzi.count);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        test_note("form %u", kind);
        make(&other, kind, &random);
        put_file("x.gz", other.file.data, other.file.count);
        gzi_check_refused(load_gzi("x.gzi", "x.gz", NULL, &error), &error, BIOST_FAULT_INDEX_STALE, "x.gz");
    }
    put_file("x.gz", m.text.data, m.text.count);
    gzi_check_refused(load_gzi("x.gzi", "x.gz", NULL, &error), &error, BIOST_FAULT_INDEX_STALE, "x.gz");
    put_file("x.gz", "", 0);
    gzi_check_refused(load_gzi("x.gzi", "x.gz", NULL, &error), &error, BIOST_FAULT_INDEX_STALE, "x.gz");
    maker_eof_block(&m); /* more of those change nothing */
    put_file("x.gz", m.file.data, m.file.count);
    index = load_gzi("x.gzi", "x.gz", NULL, &error);
    if (CHECK(index != NULL)) {
        check_points(index, &m.file, &gzi, 1);
        bsi_index_close(index);
    }
    add_block(&m, 1, 0); /* but this one is not listed */
    put_file("x.gz", m.file.data, m.file.count);
    gzi_check_refused(load_gzi("x.gzi", "x.gz", NULL, &error), &error, BIOST_FAULT_INDEX_STALE, "x.gz");
    maker_bytes_free(&gzi);
    maker_free(&m);
    maker_free(&other);
    clean_usual();
}

/* Orders that no .gzi has, whatever the file. */
TEST(gzi, makes_no_sense) {
    static const struct {
        uint64_t numbers[4];
        const char *says;
    } cases[] = {
        {{0, 0, 35, 4}, "order of the input"},
        {{25, 4, 75, 10}, "order of the input"}, /* a block has at least 26 bytes */
        {{35, 4, 10, 10}, "order of the input"},
        {{35, 4, 35, 10}, "order of the input"},
        {{UINT64_MAX, 4, 9, 10}, NULL},
        {{35, 4, 75, 3}, "order of the text"},
        {{35, 4, 75, 65541}, "more text"},
        {{35, UINT64_MAX, 75, 10}, "more text"},
        {{35, 4, UINT64_MAX, 10}, NULL},
        {{35, 4, 400, 10}, NULL}, /* the file's size */
    };
    biost_error error;
    maker m;
    memset(&m, 0, sizeof m);
    add_block(&m, 4, 0);
    add_block(&m, 9, 0);
    while (m.file.count < 300) {
        add_block(&m, 1, 0);
    }
    add_block(&m, 400 - m.file.count - 31, 0);
    CHECK_EQ_U64(m.file.count, 400);
    put_file("x.gz", m.file.data, m.file.count);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        maker_bytes gzi = {NULL, 0, 0};
        test_note("case %u", (unsigned)i);
        add64(&gzi, 2);
        for (unsigned j = 0; j < 4; j++) {
            add64(&gzi, cases[i].numbers[j]);
        }
        put_file("x.gzi", gzi.data, gzi.count);
        if (cases[i].says == NULL) {
            gzi_check_refused(load_gzi("x.gzi", "x.gz", NULL, &error), &error, BIOST_FAULT_INDEX_STALE,
                              "x.gz");
        } else {
            gzi_check_refused(load_gzi("x.gzi", "x.gz", NULL, &error), &error, BIOST_FAULT_INDEX_DAMAGED,
                              "x.gzi");
            CHECK(strstr(error.text, cases[i].says) != NULL);
        }
        maker_bytes_free(&gzi);
    }
    maker_free(&m);
    clean_usual();
}

/* htslib before 1.24 says 2^64 - 1 where there is nothing; with entries that is no count. */
TEST(gzi, count_of_no_text) {
    biost_error error;
    biost_index *index;
    maker_bytes gzi = {NULL, 0, 0};
    maker m;
    memset(&m, 0, sizeof m);
    maker_eof_block(&m);
    put_file("x.gz", m.file.data, m.file.count);
    add64(&gzi, UINT64_MAX);
    put_file("x.gzi", gzi.data, gzi.count);
    index = load_gzi("x.gzi", "x.gz", NULL, &error);
    if (CHECK(index != NULL)) {
        CHECK_EQ_U64(index->store.count, 0);
        check_tied(index, &m.file);
        bsi_index_close(index);
    }
    add64(&gzi, 28);
    add64(&gzi, 0);
    put_file("x.gzi", gzi.data, gzi.count);
    gzi_check_refused(load_gzi("x.gzi", "x.gz", NULL, &error), &error, BIOST_FAULT_INDEX_DAMAGED, "x.gzi");
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* ---- many points ---- */

/* Every 2^n-th point is kept, the fewest that the memory asks for. */
TEST(gzi, budgets) {
    const uint64_t all = 8 * sizeof(bsi_index_point) * 499; /* an eighth of it is for points */
    const uint64_t budgets[] = {65536, 65537, 131072, 200000, 262144, all - 1, all, 0};
    maker_bytes gzi = {NULL, 0, 0};
    uint64_t entries;
    maker m;
    memset(&m, 0, sizeof m);
    for (unsigned i = 0; i < 500; i++) {
        add_block(&m, 1 + i % 50, 0);
        if (i % 100 == 99) {
            maker_eof_block(&m);
        }
    }
    slow_gzi(&gzi, &m.file);
    entries = (gzi.count - 8) / 16;
    CHECK_EQ_U64(entries, 499);
    put_file("x.gz", m.file.data, m.file.count);
    put_file("x.gzi", gzi.data, gzi.count);
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        biost_index_desc desc;
        biost_error error;
        biost_index *index;
        uint64_t keep = 1;
        memset(&desc, 0, sizeof desc);
        desc.budget_bytes = budgets[i];
        test_note("budget %u", (unsigned)budgets[i]);
        index = load_gzi("x.gzi", "x.gz", &desc, &error);
        if (!CHECK(index != NULL)) {
            continue;
        }
        while (entries / keep > index->store.most) {
            keep *= 2;
        }
        /* 8192 bytes for points of over 100: fewer than 499 / 4 */
        CHECK(budgets[i] == 0 || budgets[i] > 65537 || keep == 8);
        CHECK(budgets[i] != all - 1 || keep == 2);
        CHECK((budgets[i] != all && budgets[i] != 0) || keep == 1);
        CHECK_EQ_U64(index->store.count, entries / keep);
        CHECK_EQ_U64(index->store.spacing_bytes, 65536 * keep);
        check_points(index, &m.file, &gzi, keep == 1);
        check_tied(index, &m.file);
        for (uint32_t j = 0; j < index->store.count; j++) {
            const bsi_index_point *point = &index->store.points[j];
            uint64_t number = keep * (j + 1);
            CHECK_EQ_U64(point->bit / 8, number64(gzi.data + 8 + 16 * (number - 1)));
            CHECK_EQ_U64(point->members_done, number);
        }
        bsi_index_close(index);
    }
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* Of many points 64 are looked at, the first and last among them. */
TEST(gzi, looks_at_some) {
    maker_bytes gzi = {NULL, 0, 0};
    unsigned found = 0;
    biost_error error;
    maker m;
    memset(&m, 0, sizeof m);
    for (unsigned i = 0; i < 1001; i++) {
        add_block(&m, 5000, 0);
    }
    slow_gzi(&gzi, &m.file);
    CHECK_EQ_U64(gzi.count, 8 + 16 * 1000);
    put_file("x.gz", m.file.data, m.file.count);
    put_file("x.gzi", gzi.data, gzi.count);
    gzi_calls_begin(CALL_KINDS, 0);
    bsi_index_close(load_gzi("x.gzi", "x.gz", NULL, &error));
    CHECK_STR(error.text, "");
    /* each point: start and end of a block of 5031 bytes in pieces of 4 KiB; the .gzi; the file's ends */
    CHECK(calls.read_bytes < 64 * 3 * 4096 + gzi.count + 131072 + 20000);
    for (size_t i = 0; i < 1000; i++) {
        biost_index *index;
        gzi.data[16 + 16 * i] ^= 1; /* a byte of text more or less */
        put_file("x.gzi", gzi.data, gzi.count);
        index = load_gzi("x.gzi", "x.gz", NULL, &error);
        if (index == NULL) {
            CHECK_EQ_I64(error.fault, BIOST_FAULT_INDEX_STALE);
            found++;
        } else {
            CHECK(i > 0 && i < 999);
            bsi_index_close(index);
        }
        gzi.data[16 + 16 * i] ^= 1;
    }
    CHECK(found > 64 && found <= 128);      /* as the end of one block and the start of the next */
    for (size_t i = 0; i < 1000; i += 16) { /* those looked at: 1000 / 63 + 1 */
        gzi.data[8 + 16 * i] ^= 1;          /* a byte of the source more or less */
        put_file("x.gzi", gzi.data, gzi.count);
        gzi_check_refused(load_gzi("x.gzi", "x.gz", NULL, &error), &error, BIOST_FAULT_INDEX_STALE, "x.gz");
        gzi.data[8 + 16 * i] ^= 1;
    }
    put_file("x.gzi", gzi.data, gzi.count);
    m.file.data[5031 * (16 * 30 + 1)] ^= 1; /* where such a one says that a block starts, after the first */
    put_file("x.gz", m.file.data, m.file.count);
    gzi_check_refused(load_gzi("x.gzi", "x.gz", NULL, &error), &error, BIOST_FAULT_INDEX_STALE, "x.gz");
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* ---- calls that fail ---- */

TEST(gzi, null_and_same_paths) {
    biost_error error;
    maker m;
    size_t count;
    uint8_t *bytes;
    memset(&m, 0, sizeof m);
    add_block(&m, 4, 0);
    put_file("x.gz", m.file.data, m.file.count);
    memset(&error, 0, sizeof error);
    CHECK_EQ_I64(bsi_gzi_write(NULL, "x", &error), BIOST_ERR_ARG);
    CHECK_STR(error.text, "path is NULL");
    memset(&error, 0, sizeof error);
    CHECK_EQ_I64(bsi_gzi_write("x", NULL, &error), BIOST_ERR_ARG);
    CHECK_STR(error.text, "gzi_path is NULL");
    memset(&error, 0, sizeof error);
    CHECK(bsi_gzi_load(NULL, "x", NULL, &error) == NULL);
    CHECK_STR(error.text, "gzi_path is NULL");
    memset(&error, 0, sizeof error);
    CHECK(bsi_gzi_load("x", NULL, NULL, &error) == NULL);
    CHECK_STR(error.text, "path is NULL");
    CHECK_EQ_I64(write_gzi("x.gz", "x.gz", &error), BIOST_ERR_ARG);
    CHECK(strstr(error.text, "gzi_path") != NULL);
    CHECK(symlink("x.gz", path_of("x.link")) == 0 && link(path_of("x.gz"), path_of("x.hard")) == 0);
    CHECK_EQ_I64(write_gzi("x.gz", "x.link", &error), BIOST_ERR_ARG); /* it would take the file's place */
    CHECK_STR(error.text, "gzi_path is where the BGZF file itself is");
    CHECK_EQ_I64(write_gzi("x.gz", "x.hard", &error), BIOST_ERR_ARG);
    remove(path_of("x.link"));
    remove(path_of("x.hard"));
    CHECK_EQ_I64(write_gzi("x.gz", "./x.gz", &error), BIOST_ERR_ARG); /* by another name the same file */
    CHECK_STR(error.text, "gzi_path is where the BGZF file itself is");
    bytes = test_read_file(path_of("x.gz"), &count);
    CHECK_EQ_U64(count, m.file.count);
    free(bytes);
    put_file("y.part", m.file.data, m.file.count); /* is only read, whatever it is called */
    CHECK_EQ_I64(write_gzi("y.part", "y", &error), BIOST_OK);
    bytes = test_read_file(path_of("y.part"), &count);
    CHECK_EQ_U64(count, m.file.count);
    free(bytes);
    maker_free(&m);
    remove(path_of("y.part"));
    remove(path_of("y"));
    clean_usual();
}

/* Files that are none, on either side. */
TEST(gzi, no_files) {
    static const char *const names[] = {"x.gz", "x.gzi", "pipe"};
    biost_index_desc desc;
    biost_error error;
    maker m;
    memset(&m, 0, sizeof m);
    add_block(&m, 4, 0);
    put_file("x.gz", m.file.data, m.file.count);
    CHECK_EQ_I64(write_gzi("none.gz", "x.gzi", &error), BIOST_ERR_IO);
    CHECK_EQ_I64(error.fault, BIOST_FAULT_OPEN);
    CHECK_EQ_I64(error.os_error, ENOENT);
    CHECK(strstr(error.text, "none.gz") != NULL);
    CHECK_EQ_I64(write_gzi(".", "x.gzi", &error), BIOST_ERR_IO);
    CHECK_EQ_I64(error.fault, BIOST_FAULT_DIRECTORY);
    CHECK_EQ_I64(write_gzi("x.gz", "none/x.gzi", &error), BIOST_ERR_IO);
    CHECK_EQ_I64(error.fault, BIOST_FAULT_WRITE);
    CHECK_EQ_I64(error.os_error, ENOENT);
    CHECK(strstr(error.text, "none/x.gzi") != NULL);
    CHECK(!gzi_is_there("x.gzi"));
    CHECK_EQ_I64(write_gzi("x.gz", "x.gzi", &error), BIOST_OK);
    gzi_check_refused(load_gzi("none", "x.gz", NULL, &error), &error, BIOST_FAULT_OPEN, "none");
    gzi_check_refused(load_gzi("x.gzi", "none", NULL, &error), &error, BIOST_FAULT_OPEN, "none");
    gzi_check_refused(load_gzi(".", "x.gz", NULL, &error), &error, BIOST_FAULT_DIRECTORY, "/.");
    gzi_check_refused(load_gzi("x.gzi", ".", NULL, &error), &error, BIOST_FAULT_DIRECTORY, "/.");
    REQUIRE(mkfifo(path_of("pipe"), 0600) == 0);
    CHECK_EQ_I64(write_gzi("pipe", "x.gzi", &error), BIOST_ERR_UNSUPPORTED);
    gzi_check_refused(load_gzi("pipe", "x.gz", NULL, &error), &error, BIOST_FAULT_UNSUPPORTED, "pipe");
    gzi_check_refused(load_gzi("x.gzi", "pipe", NULL, &error), &error, BIOST_FAULT_UNSUPPORTED, "pipe");
    memset(&desc, 0, sizeof desc);
    desc.budget_bytes = 65535;
    gzi_check_refused(load_gzi("x.gzi", "x.gz", &desc, &error), &error, BIOST_FAULT_ARGUMENT, "budget_bytes");
    maker_free(&m);
    clean(names, 3);
}

/* Every call of the system that fails is told, no file is left, and the old one stays. */
TEST(gzi, calls_that_fail) {
    static const biost_fault faults[CALL_KINDS] = {BIOST_FAULT_MEMORY, BIOST_FAULT_OPEN,  BIOST_FAULT_NONE,
                                                   BIOST_FAULT_READ,   BIOST_FAULT_WRITE, BIOST_FAULT_WRITE,
                                                   BIOST_FAULT_WRITE,  BIOST_FAULT_WRITE};
    maker m;
    memset(&m, 0, sizeof m);
    for (unsigned i = 0; i < 300; i++) {
        add_block(&m, 1000, 0); /* 309 KB: more than one piece; and 4.8 KB of .gzi, more than is held back */
    }
    put_file("x.gz", m.file.data, m.file.count);
    for (int kind = 0; kind < (int)CALL_KINDS; kind++) {
        unsigned long fail_at = 0, fails = 1;
        while (fails > 0 && fail_at < 100) {
            biost_error error;
            size_t count = 0;
            biost_result result;
            test_note("kind %d, call %lu", kind, fail_at);
            put_file("x.gzi", "old", 3);
            gzi_calls_begin((call_kind)kind, ++fail_at);
            result = write_gzi("x.gz", "x.gzi", &error);
            fails = calls.counts[kind] >= fail_at;
            free(test_read_file(path_of("x.gzi"), &count));
            CHECK_EQ_I64(result == BIOST_OK, fails == 0);
            CHECK_EQ_U64(count, fails ? 3 : 8 + 16 * 299);
            CHECK(!gzi_part_is_there());
            CHECK(!fails || faults[kind] == BIOST_FAULT_NONE || error.fault == faults[kind]);
            CHECK_EQ_I64(calls.files_open, 0);
        }
        CHECK(fail_at > 1 && fail_at < 100);
    }
    gzi_calls_begin(CALL_KINDS, 0);
    maker_free(&m);
    clean_usual();
}

TEST(gzi, loads_that_fail) {
    static const biost_fault faults[4] = {BIOST_FAULT_MEMORY, BIOST_FAULT_OPEN, BIOST_FAULT_NONE,
                                          BIOST_FAULT_READ};
    biost_error error;
    maker m;
    memset(&m, 0, sizeof m);
    for (unsigned i = 0; i < 300; i++) {
        add_block(&m, 1000, 0);
    }
    put_file("x.gz", m.file.data, m.file.count);
    CHECK_EQ_I64(write_gzi("x.gz", "x.gzi", &error), BIOST_OK);
    for (int kind = 0; kind < 4; kind++) {
        unsigned long fail_at = 0, fails = 1;
        while (fails > 0 && fail_at < 1000) {
            biost_index *index;
            test_note("kind %d, call %lu", kind, fail_at);
            gzi_calls_begin((call_kind)kind, ++fail_at);
            index = load_gzi("x.gzi", "x.gz", NULL, &error);
            fails = calls.counts[kind] >= fail_at;
            CHECK_EQ_I64(index != NULL, fails == 0);
            CHECK_EQ_I64(error.code == BIOST_OK, fails == 0);
            CHECK(!fails || faults[kind] == BIOST_FAULT_NONE || error.fault == faults[kind]);
            CHECK_EQ_I64(calls.files_open, 0);
            if (index != NULL) {
                CHECK_EQ_U64(index->store.count, 299);
                bsi_index_close(index);
            }
        }
        CHECK(fail_at > 2 && fail_at < 1000);
    }
    gzi_calls_begin(CALL_KINDS, 0);
    maker_free(&m);
    clean_usual();
}

/* A read that fails after some of the bytes wanted: the file is not taken for one that ends there. */
TEST(gzi, reads_that_fail_halfway) {
    uint64_t random = test_seed();
    unsigned long fail_at = 0, fails = 1;
    maker_bytes gzi = {NULL, 0, 0};
    biost_error error;
    maker m;
    memset(&m, 0, sizeof m);
    make(&m, 9, &random);
    slow_gzi(&gzi, &m.file);
    put_file("x.gz", m.file.data, m.file.count);
    calls.most = 5;
    while (fails > 0 && fail_at < 5000) {
        test_note("read %lu", fail_at);
        gzi_calls_begin(CALL_READ, ++fail_at);
        (void)write_gzi("x.gz", "x.gzi", &error);
        fails = calls.counts[CALL_READ] >= fail_at;
        CHECK_EQ_I64(error.fault, fails ? BIOST_FAULT_READ : BIOST_FAULT_NONE);
    }
    CHECK(fail_at > m.file.count / 5 && fail_at < 5000);
    put_file("x.gzi", gzi.data, gzi.count);
    for (fails = 1, fail_at = 0; fails > 0 && fail_at < 5000;) {
        biost_index *index;
        test_note("load, read %lu", fail_at);
        gzi_calls_begin(CALL_READ, ++fail_at);
        index = load_gzi("x.gzi", "x.gz", NULL, &error);
        fails = calls.counts[CALL_READ] >= fail_at;
        CHECK_EQ_I64(index == NULL, fails);
        CHECK_EQ_I64(error.fault, fails ? BIOST_FAULT_READ : BIOST_FAULT_NONE);
        if (index != NULL) {
            bsi_index_close(index);
        }
    }
    CHECK(fail_at > m.file.count / 5 && fail_at < 5000);
    calls.most = 0;
    gzi_calls_begin(CALL_KINDS, 0);
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* A device that is full, as the file being written. */
TEST(gzi, full_device) {
    static const char *const names[] = {"x.gz", "x.gzi"};
    biost_error error;
    maker m;
    if (access("/dev/full", W_OK) != 0) {
        TEST_SKIP("/dev/full");
    }
    memset(&m, 0, sizeof m);
    add_block(&m, 4, 0);
    put_file("x.gz", m.file.data, m.file.count);
    CHECK(symlink("/dev/full", path_of("x.gzi")) == 0);
    CHECK_EQ_I64(write_gzi("x.gz", "x.gzi", &error), BIOST_ERR_IO);
    CHECK_EQ_I64(error.fault, BIOST_FAULT_WRITE);
    CHECK_EQ_I64(error.os_error, ENOSPC);
    CHECK(strstr(error.text, "no space left") != NULL);
    CHECK(gzi_is_there("x.gzi") && !gzi_part_is_there());
    maker_free(&m);
    clean(names, 2);
}
