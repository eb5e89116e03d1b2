/*
 * test_gzi.c - fx_gzi.h: that the .gzi files written are bgzip's, byte for byte, that of those read no entry is taken
 * that the file does not have, and that text and faults from a block on are those of the whole file.
 *
 * Expected entries come from bgzip, where it is installed, from a second walk over the blocks here, and of
 * small files from a calculation by hand.
 *
 * rooms: tools
 * needs: threads library
 */
#include "../biostream.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- calls of the system that can fail ---- */

typedef enum call_kind {
    CALL_ALLOC,
    CALL_OPEN,
    CALL_READ,
    CALL_CREATE,
    CALL_WRITE,
    CALL_SYNC,
    CALL_RENAME,
    CALL_KINDS
} call_kind;

/* Call `fail_at` of kind `kind`, counted from 1, fails; 0: none does. A read has half of its bytes then. */
static struct {
    unsigned long counts[CALL_KINDS], fail_at;
    call_kind kind;
    size_t read_bytes; /* in all */
    long files_open;
    const FILE *failed; /* of which a read failed */
} calls;

static int call_fails(call_kind kind) {
    ++calls.counts[kind];
    if (kind != calls.kind || calls.counts[kind] != calls.fail_at) {
        return 0;
    }
    errno = EIO;
    return 1;
}

static void *call_realloc(void *memory, size_t bytes) {
    return call_fails(CALL_ALLOC) ? NULL : realloc(memory, bytes);
}

static FILE *call_fopen(const char *path, const char *mode) {
    FILE *file = call_fails(CALL_OPEN) ? NULL : fopen(path, mode);
    calls.files_open += file != NULL;
    return file;
}

static FILE *call_fdopen(int number, const char *mode) {
    FILE *file = fdopen(number, mode);
    calls.files_open += file != NULL;
    return file;
}

static int call_fclose(FILE *file) {
    --calls.files_open;
    return fclose(file);
}

static size_t call_fread(void *to, size_t bytes, size_t count, FILE *file) {
    const int fails = call_fails(CALL_READ);
    const size_t got = fread(to, bytes, fails ? count / 2 : count, file);
    calls.read_bytes += bytes * got;
    calls.failed = fails ? file : NULL;
    errno = fails ? EIO : errno;
    return got;
}

static int call_ferror(FILE *file) {
    return calls.failed == file || ferror(file);
}

/* The mode follows where a file is made, and is the usual one. */
static int call_open(const char *path, int flags, ...) {
    return call_fails(CALL_CREATE) ? -1 : open(path, flags, 0666);
}

static size_t call_fwrite(const void *from, size_t bytes, size_t count, FILE *file) {
    return call_fails(CALL_WRITE) ? 0 : fwrite(from, bytes, count, file);
}

static int call_fsync(int file) {
    (void)file;
    return call_fails(CALL_SYNC) ? -1 : 0;
}

static int call_rename(const char *from, const char *to) {
    return call_fails(CALL_RENAME) ? -1 : rename(from, to);
}

#define realloc(memory, bytes)           call_realloc(memory, bytes)
#define fopen(path, mode)                call_fopen(path, mode)
#define fdopen(file, mode)               call_fdopen(file, mode)
#define fclose(file)                     call_fclose(file)
#define fread(to, bytes, count, file)    call_fread(to, bytes, count, file)
#define ferror(file)                     call_ferror(file)
#define open(...)                        call_open(__VA_ARGS__)
#define fwrite(from, bytes, count, file) call_fwrite(from, bytes, count, file)
#define fsync(file)                      call_fsync(file)
#define rename(from, to)                 call_rename(from, to)
#include "../examples/tools/fx.h"
#include "../examples/tools/fx_gzi.h"
#undef realloc
#undef fopen
#undef fdopen
#undef fclose
#undef fread
#undef ferror
#undef open
#undef fwrite
#undef fsync
#undef rename

#include "deflate_maker.h"

static void gzi_calls_begin(call_kind kind, unsigned long fail_at) {
    const long files_open = calls.files_open;
    memset(&calls, 0, sizeof calls);
    calls.kind = kind;
    calls.fail_at = fail_at;
    calls.files_open = files_open;
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

/* What the last call said, without the name of the file. */
static fx_gzi now;
static char names_now[2][192];

static void begin(const char *source, const char *gzi) {
    snprintf(names_now[0], sizeof names_now[0], "%s", path_of(source));
    snprintf(names_now[1], sizeof names_now[1], "%s", path_of(gzi));
    fx_gzi_begin(&now, names_now[0], names_now[1]);
}

/* Returns an exit code. What a saver says of its own goes away: it is told by the exit code alone. */
static int write_gzi(const char *source, const char *gzi) {
    int code = FX_BAD_DATA;
    begin(source, gzi);
    if (fx_gzi_make(&now)) {
        int told = dup(2), none = open("/dev/null", O_WRONLY);
        fflush(stderr);
        dup2(none, 2);
        code = fx_gzi_save(&now, "test");
        fflush(stderr);
        dup2(told, 2);
        close(told);
        close(none);
    }
    fx_gzi_end(&now);
    return code;
}

/* Returns 1 if it was taken: fx_gzi_end follows. */
static int load_gzi(const char *gzi, const char *source) {
    begin(source, gzi);
    if (!fx_gzi_load(&now)) {
        fx_gzi_end(&now);
        return 0;
    }
    CHECK_EQ_I64(now.fault, FX_GZI_GOOD);
    return 1;
}

/* Write x.gz's .gzi as x.gzi, and hold it against the expected one. */
static void check_writes(const maker_bytes *expected) {
    size_t count;
    uint8_t *got;
    CHECK_EQ_I64(write_gzi("x.gz", "x.gzi"), FX_OK);
    CHECK_STR(now.words, "");
    got = test_read_file(path_of("x.gzi"), &count);
    if (got != NULL && CHECK_EQ_U64(count, expected->count)) {
        CHECK_MEM(got, expected->data, count);
    }
    free(got);
    CHECK(!gzi_part_is_there());
    CHECK_EQ_I64(calls.files_open, 0);
}

/* x.gzi is taken: its entries are true of the file, and those that the expected one lists. It ends. */
static void check_taken(const maker_bytes *file, const maker_bytes *gzi) {
    if (!CHECK(load_gzi("x.gzi", "x.gz"))) {
        return;
    }
    if (CHECK_EQ_U64(now.count, (gzi->count - 8) / 16)) {
        for (size_t i = 0; i < now.count; i++) {
            CHECK(is_true(file, now.entries[i].offset, now.entries[i].text_offset));
            CHECK_EQ_U64(now.entries[i].offset, number64(gzi->data + 8 + 16 * i));
            CHECK_EQ_U64(now.entries[i].text_offset, number64(gzi->data + 16 + 16 * i));
        }
    }
    fx_gzi_end(&now);
    CHECK_EQ_I64(calls.files_open, 0);
}

/* It is refused with this fault and a sentence about this file. */
static void check_refused(const char *gzi, const char *source, fx_gzi_fault fault, const char *name) {
    CHECK(!load_gzi(gzi, source));
    CHECK_EQ_I64(now.fault, fault);
    CHECK(now.words[0] != '\0' && now.about != NULL && strstr(now.about, name) != NULL);
    CHECK_EQ_I64(calls.files_open, 0);
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
    check_taken(&m.file, &gzi);
    if (CHECK(load_gzi("x.gzi", "x.gz"))) {
        static const unsigned cases[][3] = {
            {0, 0, 0},    {3, 0, 0},    {4, 63, 1},    {13, 63, 1},
            {14, 104, 2}, {16, 104, 2}, {1000, 104, 2}}; /* byte, block, its number */
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            uint64_t blocks = 9;
            CHECK(fx_gzi_find(&now, cases[i][0], &blocks));
            CHECK_EQ_U64(now.at.offset, cases[i][1]);
            CHECK_EQ_U64(blocks, cases[i][2]);
        }
        fx_gzi_end(&now);
    }
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* Files of all forms. */
TEST(gzi, all_forms) {
    uint64_t random = test_seed();
    maker_bytes gzi = {NULL, 0, 0};
    maker m;
    memset(&m, 0, sizeof m);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        test_note("form %u", kind);
        make(&m, kind, &random);
        slow_gzi(&gzi, &m.file);
        put_file("x.gz", m.file.data, m.file.count);
        check_writes(&gzi);
        check_taken(&m.file, &gzi);
    }
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
        check_taken(&m.file, &gzi);
    }
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* Extra fields of any length in front of BC. */
TEST(gzi, long_headers) {
    static const size_t lengths[] = {4, 5, 6, 7, 8, 9, 100, 4000, 5000, 60000};
    maker_bytes gzi = {NULL, 0, 0};
    maker m;
    memset(&m, 0, sizeof m);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        add_block(&m, 100 + i, lengths[i]);
    }
    slow_gzi(&gzi, &m.file);
    CHECK_EQ_U64(gzi.count, 8 + 16 * 9);
    put_file("x.gz", m.file.data, m.file.count);
    check_writes(&gzi);
    check_taken(&m.file, &gzi);
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
static void check_text(const maker_bytes *file, const maker_bytes *text, const fx_gzi_entry *entry) {
#ifdef HAVE_ZLIB
    static uint8_t out[65536];
    z_stream z;
    memset(&z, 0, sizeof z);
    CHECK(inflateInit2(&z, 15 + 16) == Z_OK);
    z.next_in = file->data + entry->offset;
    z.avail_in = (uInt)(file->count - entry->offset);
    z.next_out = out;
    z.avail_out = (uInt)sizeof out;
    CHECK(inflate(&z, Z_FINISH) == Z_STREAM_END);
    if (CHECK(entry->text_offset + z.total_out <= text->count)) {
        CHECK_MEM(out, text->data + entry->text_offset, z.total_out);
    }
    inflateEnd(&z);
#else
    (void)file;
    (void)text;
    (void)entry;
#endif
}

/* Take x.gz, which bgzip made, of this text. */
static void check_bgzip_file(const maker_bytes *text) {
    maker_bytes gzi = {NULL, 0, 0}, file = {NULL, 0, 0};
    size_t count;
    uint8_t *bytes = test_read_file(path_of("x.gz"), &count);
    REQUIRE(bytes != NULL);
    maker_bytes_add(&file, bytes, count);
    free(bytes);
    if (CHECK(bgzip_gzi(&gzi))) {
        check_writes(&gzi);
        put_file("x.gzi", gzi.data, gzi.count);
        check_taken(&file, &gzi);
        if (CHECK(load_gzi("x.gzi", "x.gz"))) {
            for (size_t i = 0; i < now.count; i += 1 + now.count / 8) {
                check_text(&file, text, &now.entries[i]);
            }
            fx_gzi_end(&now);
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
    if (!has_bgzip()) {
        TEST_SKIP("bgzip");
    }
    maker_fastq(&text, 300000, &random);
    put_file("x", text.data, text.count);
    CHECK(shell("cd $(dirname %s) && bgzip -c x > x.gz", "x"));
    CHECK_EQ_I64(write_gzi("x.gz", "x.gz.gzi"), FX_OK);
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
static void check_none(const void *bytes, size_t count, fx_gzi_fault fault, uint64_t offset,
                       const char *says) {
    char place[48];
    size_t kept_bytes;
    uint8_t *kept;
    put_file("x.gz", bytes, count);
    put_file("x.gzi", "as it was", 9);
    CHECK_EQ_I64(write_gzi("x.gz", "x.gzi"), FX_BAD_DATA);
    CHECK_EQ_I64(now.fault, fault);
    CHECK_STR(now.about, names_now[0]);
    snprintf(place, sizeof place, "byte %u of the file: ", (unsigned)offset);
    CHECK(strncmp(now.words, place, strlen(place)) == 0 && strstr(now.words, says) != NULL);
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
    check_none(">a\nACGT\n", 8, FX_GZI_NO_BGZF, 0, "this is not BGZF: it starts with '>'");
    check_none("\x1F", 1, FX_GZI_BLOCK, 1, "ends inside a BGZF block");
    check_none("\x1F"
               "A",
               2, FX_GZI_NO_BGZF, 0, "this is not BGZF");
    check_none("", 0, FX_GZI_BLOCK, 0, "ends inside a BGZF block");
    maker_pack(&m, NULL, "ACGT", 4, -2);
    check_none(m.file.data, m.file.count, FX_GZI_NO_BGZF, 0, "this is plain gzip, not BGZF");
    maker_begin(&m);
    add_block(&m, 50, 0);
    good = m.file.count;
    maker_pack(&m, NULL, "ACGT", 4, -2);
    maker_eof_block(&m);
    check_none(m.file.data, m.file.count, FX_GZI_BLOCK, good, "another gzip member");
    m.file.count = good;
    maker_bytes_add(&m.file, zeros, sizeof zeros);
    check_none(m.file.data, m.file.count, FX_GZI_BLOCK, good, "none starts here");
    m.file.count = good;
    maker_bytes_add(&m.file, "AC", 2);
    check_none(m.file.data, m.file.count, FX_GZI_BLOCK, good, "none starts here");
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
    check_none(m.file.data, m.file.count, FX_GZI_BLOCK, first, "longer than 64 KiB");
    m.file.data[second - 2] = 0;
    m.file.data[first + 16] = 24; /* BSIZE: 25 bytes, and header and trailer have 26 */
    check_none(m.file.data, m.file.count, FX_GZI_BLOCK, first, "smaller than its header");
    m.file.data[first + 17] = 0xFF; /* more than there is */
    check_none(m.file.data, m.file.count, FX_GZI_BLOCK, m.file.count, "ends inside");
    maker_free(&m);
    clean_usual();
}

/* 65536 bytes of text are as many as a block may have; bgzip lists such a one as well. */
TEST(gzi, full_blocks) {
    maker_bytes gzi = {NULL, 0, 0};
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
    check_taken(&m.file, &gzi);
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
            check_none(m.file.data, count, FX_GZI_BLOCK, count, "the file ends inside a BGZF block");
        }
        put_file("x.gzi", whole.data, whole.count); /* the last point needs its block, not the end block */
        if (count == border && count >= m.file.count - 28) {
            check_taken(&m.file, &whole);
        } else {
            check_refused("x.gzi", "x.gz", FX_GZI_STALE, "x.gz");
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
    maker m;
    memset(&m, 0, sizeof m);
    make(&m, 0, &random);
    slow_gzi(&gzi, &m.file);
    put_file("x.gz", m.file.data, m.file.count);
    for (size_t count = 0; count < gzi.count; count++) {
        put_file("x.gzi", gzi.data, count);
        check_refused("x.gzi", "x.gz", FX_GZI_DAMAGED, "x.gzi");
        CHECK(strstr(now.words, count < 8 ? "it was cut off" : "the size of a .gzi") != NULL);
    }
    maker_bytes_add(&gzi, "", 1);
    put_file("x.gzi", gzi.data, gzi.count);
    check_refused("x.gzi", "x.gz", FX_GZI_DAMAGED, "x.gzi");
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
            test_note("form %u, bit %u", kinds[k], (unsigned)bit);
            gzi.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            put_file("x.gzi", gzi.data, gzi.count);
            gzi.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            if (!CHECK(!load_gzi("x.gzi", "x.gz"))) {
                fx_gzi_end(&now);
            }
            CHECK(now.fault == FX_GZI_DAMAGED || now.fault == FX_GZI_STALE);
            CHECK(now.words[0] != '\0');
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
        test_note("byte %u by %u", (unsigned)at, by);
        m.file.data[at] ^= by;
        put_file("x.gz", m.file.data, m.file.count);
        if (load_gzi("x.gzi", "x.gz")) {
            fx_gzi_end(&now);
            check_taken(&m.file, &gzi);
            taken++;
        } else {
            check_refused("x.gzi", "x.gz", FX_GZI_STALE, "x.gz");
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
        check_refused("x.gzi", "x.gz", FX_GZI_STALE, "x.gz");
    }
    put_file("x.gz", m.text.data, m.text.count);
    check_refused("x.gzi", "x.gz", FX_GZI_STALE, "x.gz");
    put_file("x.gz", "", 0);
    check_refused("x.gzi", "x.gz", FX_GZI_STALE, "x.gz");
    maker_eof_block(&m); /* more of those change nothing */
    put_file("x.gz", m.file.data, m.file.count);
    check_taken(&m.file, &gzi);
    add_block(&m, 1, 0); /* but this one is not listed */
    put_file("x.gz", m.file.data, m.file.count);
    check_refused("x.gzi", "x.gz", FX_GZI_STALE, "x.gz");
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
            check_refused("x.gzi", "x.gz", FX_GZI_STALE, "x.gz");
        } else {
            check_refused("x.gzi", "x.gz", FX_GZI_DAMAGED, "x.gzi");
            CHECK(strstr(now.words, cases[i].says) != NULL);
        }
        maker_bytes_free(&gzi);
    }
    maker_free(&m);
    clean_usual();
}

/* htslib before 1.24 says 2^64 - 1 where there is nothing; with entries that is no count. */
TEST(gzi, count_of_no_text) {
    maker_bytes gzi = {NULL, 0, 0};
    maker m;
    memset(&m, 0, sizeof m);
    maker_eof_block(&m);
    put_file("x.gz", m.file.data, m.file.count);
    add64(&gzi, UINT64_MAX);
    put_file("x.gzi", gzi.data, gzi.count);
    check_taken(&m.file, &gzi);
    add64(&gzi, 28);
    add64(&gzi, 0);
    put_file("x.gzi", gzi.data, gzi.count);
    check_refused("x.gzi", "x.gz", FX_GZI_DAMAGED, "x.gzi");
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* ---- many points ---- */

/* Of many points 64 are looked at, the first and last among them. */
TEST(gzi, looks_at_some) {
    maker_bytes gzi = {NULL, 0, 0};
    unsigned found = 0;
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
    check_taken(&m.file, &gzi);
    /* each point: start and end of a block of 5031 bytes in pieces of 4 KiB; the .gzi */
    CHECK(calls.read_bytes < 64 * 3 * 4096 + gzi.count + 20000);
    for (size_t i = 0; i < 1000; i++) {
        uint64_t blocks;
        gzi.data[16 + 16 * i] ^= 1; /* a byte of text more or less */
        put_file("x.gzi", gzi.data, gzi.count);
        if (load_gzi("x.gzi", "x.gz")) {
            CHECK(i > 0 && i < 999);
            CHECK(!fx_gzi_find(&now, 5000 * (i + 1) + 1, &blocks)); /* it is not used, unseen */
            fx_gzi_end(&now);
        } else {
            found++;
        }
        CHECK_EQ_I64(now.fault, FX_GZI_STALE);
        gzi.data[16 + 16 * i] ^= 1;
    }
    CHECK(found > 64 && found <= 128);      /* as the end of one block and the start of the next */
    for (size_t i = 0; i < 1000; i += 16) { /* those looked at: 1000 / 63 + 1 */
        gzi.data[8 + 16 * i] ^= 1;          /* a byte of the source more or less */
        put_file("x.gzi", gzi.data, gzi.count);
        check_refused("x.gzi", "x.gz", FX_GZI_STALE, "x.gz");
        gzi.data[8 + 16 * i] ^= 1;
    }
    put_file("x.gzi", gzi.data, gzi.count);
    m.file.data[5031 * (16 * 30 + 1)] ^= 1; /* where such a one says that a block starts, after the first */
    put_file("x.gz", m.file.data, m.file.count);
    check_refused("x.gzi", "x.gz", FX_GZI_STALE, "x.gz");
    maker_bytes_free(&gzi);
    maker_free(&m);
    clean_usual();
}

/* ---- calls that fail ---- */

/* Files that are none, on either side. */
TEST(gzi, no_files) {
    static const char *const names[] = {"x.gz", "x.gzi", "pipe"};
    maker m;
    memset(&m, 0, sizeof m);
    add_block(&m, 4, 0);
    put_file("x.gz", m.file.data, m.file.count);
    CHECK_EQ_I64(write_gzi("none.gz", "x.gzi"), FX_BAD_DATA);
    CHECK_EQ_I64(now.fault, FX_GZI_SYSTEM);
    CHECK(strstr(now.about, "none.gz") != NULL && strncmp(now.words, "cannot be opened: ", 18) == 0);
    CHECK_EQ_I64(write_gzi(".", "x.gzi"), FX_BAD_DATA);
    CHECK_STR(now.words, "is a directory, not a file");
    CHECK_EQ_I64(write_gzi("x.gz", "none/x.gzi"), FX_BAD_DATA);
    CHECK(!gzi_is_there("x.gzi"));
    CHECK_EQ_I64(write_gzi("x.gz", "x.gzi"), FX_OK);
    check_refused("none", "x.gz", FX_GZI_SYSTEM, "none");
    check_refused("x.gzi", "none", FX_GZI_SYSTEM, "none");
    check_refused(".", "x.gz", FX_GZI_SYSTEM, "/.");
    check_refused("x.gzi", ".", FX_GZI_SYSTEM, "/.");
    REQUIRE(mkfifo(path_of("pipe"), 0600) == 0);
    CHECK_EQ_I64(write_gzi("pipe", "x.gzi"), FX_BAD_DATA);
    CHECK_STR(now.words, "is a pipe or device, and a .gzi is of a file");
    check_refused("pipe", "x.gz", FX_GZI_SYSTEM, "pipe");
    check_refused("x.gzi", "pipe", FX_GZI_SYSTEM, "pipe");
    maker_free(&m);
    clean(names, 3);
}

/* Every call of the system that fails is told, no file is left, and the old one stays. */
TEST(gzi, calls_that_fail) {
    maker m;
    memset(&m, 0, sizeof m);
    for (unsigned i = 0; i < 300; i++) {
        add_block(&m, 1000, 0); /* 309 KB: more than one piece */
    }
    put_file("x.gz", m.file.data, m.file.count);
    for (int kind = 0; kind < (int)CALL_KINDS; kind++) {
        unsigned long fail_at = 0, fails = 1;
        while (fails > 0 && fail_at < 1000) {
            size_t count = 0;
            int code;
            test_note("kind %d, call %lu", kind, fail_at);
            put_file("x.gzi", "old", 3);
            gzi_calls_begin((call_kind)kind, ++fail_at);
            code = write_gzi("x.gz", "x.gzi");
            fails = calls.counts[kind] >= fail_at;
            free(test_read_file(path_of("x.gzi"), &count));
            CHECK_EQ_I64(code, fails ? FX_BAD_DATA : FX_OK);
            CHECK_EQ_U64(count, fails ? 3 : 8 + 16 * 299);
            CHECK(!gzi_part_is_there());
            CHECK_EQ_I64(now.fault, fails && kind <= (int)CALL_READ ? FX_GZI_SYSTEM : FX_GZI_GOOD);
            CHECK_EQ_I64(calls.files_open, 0);
        }
        CHECK(fail_at > 1 && fail_at < 1000);
    }
    gzi_calls_begin(CALL_KINDS, 0);
    maker_free(&m);
    clean_usual();
}

/* The same of reading: a file of which a read fails halfway is not taken for one that ends there. */
TEST(gzi, loads_that_fail) {
    maker m;
    memset(&m, 0, sizeof m);
    for (unsigned i = 0; i < 300; i++) {
        add_block(&m, 1000, 0);
    }
    put_file("x.gz", m.file.data, m.file.count);
    CHECK_EQ_I64(write_gzi("x.gz", "x.gzi"), FX_OK);
    for (int kind = 0; kind <= (int)CALL_READ; kind++) {
        unsigned long fail_at = 0, fails = 1;
        while (fails > 0 && fail_at < 1000) {
            test_note("kind %d, call %lu", kind, fail_at);
            gzi_calls_begin((call_kind)kind, ++fail_at);
            if (load_gzi("x.gzi", "x.gz")) {
                CHECK_EQ_U64(now.count, 299);
                fx_gzi_end(&now);
            }
            fails = calls.counts[kind] >= fail_at;
            CHECK_EQ_I64(now.fault, fails ? FX_GZI_SYSTEM : FX_GZI_GOOD);
            CHECK_EQ_I64(calls.files_open, 0);
        }
        CHECK(fail_at > 1 && fail_at < 1000);
    }
    gzi_calls_begin(CALL_KINDS, 0);
    maker_free(&m);
    clean_usual();
}

/* A device that is full, as the file being written. */
TEST(gzi, full_device) {
    static const char *const names[] = {"x.gz", "x.gzi"};
    maker m;
    if (access("/dev/full", W_OK) != 0) {
        TEST_SKIP("/dev/full");
    }
    memset(&m, 0, sizeof m);
    add_block(&m, 4, 0);
    put_file("x.gz", m.file.data, m.file.count);
    CHECK(symlink("/dev/full", path_of("x.gzi")) == 0);
    CHECK_EQ_I64(write_gzi("x.gz", "x.gzi"), FX_BAD_DATA);
    CHECK(gzi_is_there("x.gzi") && !gzi_part_is_there());
    maker_free(&m);
    clean(names, 2);
}

/* ---- the file from a block on ---- */

/* Read x.gz from byte `from` of its text on, by its .gzi or by nothing. Returns what ended it, its error moved. */
static biost_result read_from(uint64_t from, int by_gzi, uint32_t workers, maker_bytes *out,
                              biost_error *error) {
    char path[192];
    biost_stream_desc desc;
    biost_stream *stream;
    biost_page page;
    biost_result result;
    uint64_t blocks = 0;
    out->count = 0;
    memset(&desc, 0, sizeof desc);
    memset(error, 0, sizeof *error);
    snprintf(path, sizeof path, "%s", path_of("x.gz"));
    desc.path = path;
    desc.workers = workers;
    begin("x.gz", "x.gzi");
    if (by_gzi) {
        if (!CHECK(fx_gzi_load(&now) && fx_gzi_find(&now, from, &blocks))) {
            exit(1);
        }
        fx_gzi_give(&now, &desc.files);
    }
    if (!CHECK(biost_stream_open(&desc, &stream, error) == BIOST_OK)) {
        exit(1);
    }
    result = biost_stream_seek(stream, from - now.at.text_offset);
    while (result == BIOST_OK && (result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
        maker_bytes_add(out, page.text, page.text_bytes);
    }
    if (result < 0) {
        *error = *biost_stream_error(stream);
        fx_gzi_move(&now, error);
    }
    biost_stream_close(stream);
    fx_gzi_end(&now);
    return result;
}

/* Text from any byte on is the text's, and of each block's damage the sentence is the whole file's. */
TEST(gzi, text_and_faults_from_a_block_on) {
    uint64_t random = test_seed();
    maker_bytes out = {NULL, 0, 0}, plain = {NULL, 0, 0};
    biost_error error, expected;
    size_t size = 0;
    maker m;
    memset(&m, 0, sizeof m);
    make(&m, 9, &random); /* blocks with text and without */
    put_file("x.gz", m.file.data, m.file.count);
    REQUIRE(write_gzi("x.gz", "x.gzi") == FX_OK);
    for (uint64_t from = 0; from <= m.text.count; from++) {
        test_note("from byte %u", (unsigned)from);
        CHECK_EQ_I64(read_from(from, 1, 1 + from % 2, &out, &error), BIOST_END);
        if (CHECK_EQ_U64(out.count, m.text.count - from)) {
            CHECK_MEM(out.data, m.text.data + from, out.count);
        }
    }
    for (size_t at = 0; at < m.file.count; at += size) {
        size = slow_block(m.file.data, m.file.count, at);
        if (slow_text(m.file.data + at, size) == 0) {
            continue;
        }
        test_note("the block at byte %u", (unsigned)at);
        m.file.data[at + size - 6] ^= 1; /* its CRC */
        put_file("x.gz", m.file.data, m.file.count);
        m.file.data[at + size - 6] ^= 1;
        for (uint64_t from = 0; from < m.text.count; from++) {
            biost_result result = read_from(from, 0, 1, &plain, &expected);
            if (result >= 0 || plain.count == 0) {
                continue; /* the damage is before it, and without the .gzi seen there */
            }
            CHECK_EQ_I64(read_from(from, 1, 1, &out, &error), result);
            CHECK_STR(error.text, expected.text);
            CHECK_EQ_I64(error.fault, BIOST_FAULT_BAD_CRC);
            CHECK_EQ_U64(error.source_offset, expected.source_offset);
            CHECK_EQ_U64(error.text_offset, expected.text_offset);
            if (CHECK_EQ_U64(out.count, plain.count)) {
                CHECK_MEM(out.data, plain.data, out.count);
            }
        }
    }
    maker_bytes_free(&out);
    maker_bytes_free(&plain);
    maker_free(&m);
    clean_usual();
}

/* Numbers that stand in a sentence for a byte of the file, and no others. */
TEST(gzi, moved_sentences) {
    static const char *const cases[][2] = {
        {"a 7.gz: byte 7 of the file: damaged 7", "a 7.gz: byte 1007 of the file: damaged 7"},
        {"a: cannot be read at byte 7: no 7", "a: cannot be read at byte 1007: no 7"},
        {"a: changed since it was opened, when it had 7 bytes",
         "a: changed since it was opened, when it had 1007 bytes"},
        {"a: byte 77 of the file: x", "a: byte 77 of the file: x"},
        {"out of memory: 7 bytes were refused", "out of memory: 7 bytes were refused"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        biost_error error;
        memset(&error, 0, sizeof error);
        begin("x.gz", "x.gzi");
        now.at.offset = 1000;
        now.at.text_offset = 50;
        error.source_offset = 7;
        error.text_offset = 3;
        strcpy(error.text, cases[i][0]);
        fx_gzi_move(&now, &error);
        CHECK_STR(error.text, cases[i][1]);
        CHECK_EQ_U64(error.source_offset, 1007);
        CHECK_EQ_U64(error.text_offset, 53);
        fx_gzi_end(&now);
    }
    clean(NULL, 0);
}
