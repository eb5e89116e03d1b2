/*
 * test_index_file.c - indexes in files: the layout byte by byte, that no damaged one and none that makes no
 * sense is taken, and that a file is written as a whole or not at all.
 *
 * Expected bytes come from a writer of its own here, and the XXH64 of xxh64.h.
 *
 * rooms: index
 * needs: threads
 */
#include "failing_files.h"

#include <glob.h>

#include "test.h"
#include "xxh64.h"

static const char *const call_names[CALL_KINDS] = {"alloc",  "open",  "size", "read",
                                                   "create", "write", "sync", "rename"};

static void index_file_calls_begin(call_kind kind, unsigned long fail_at, int error_number) {
    memset(calls.counts, 0, sizeof calls.counts);
    calls.kind = kind;
    calls.fail_at = fail_at;
    calls.error_number = error_number;
    calls.most = 4096;
    calls.interrupt = 0;
    calls.lock = NULL;
    calls.writes_locked = 0;
}

static void *hook_alloc(size_t bytes, size_t align, void *user_data) {
    void *memory = NULL;
    CHECK(user_data == &calls && align <= 256);
    if (call_fails(CALL_ALLOC) || posix_memalign(&memory, 256, bytes) != 0) {
        return NULL;
    }
    calls.memory_held += (long)bytes;
    return memory;
}

static void hook_free(void *memory, size_t bytes, void *user_data) {
    CHECK(user_data == &calls && memory != NULL);
    calls.memory_held -= (long)bytes;
    free(memory);
}

static void check_nothing_left(void) {
    CHECK_EQ_I64(calls.memory_held, 0);
    CHECK_EQ_I64(calls.files_open, 0);
}

#define BUDGET 65536u

/* Small, with memory that is counted. */
static biost_index_desc small_desc(void) {
    biost_index_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.budget_bytes = BUDGET;
    desc.allocator.alloc = hook_alloc;
    desc.allocator.free = hook_free;
    desc.allocator.user_data = &calls;
    return desc;
}

/* ---- files ---- */

#define PATH "build/test_index_file.index"

static void write_file(const char *path, const void *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    int good = file != NULL && fwrite(bytes, 1, count, file) == count;
    if (file != NULL) {
        good = fclose(file) == 0 && good;
    }
    CHECK(good);
}

/* Whether there is a file that a save left; pattern: names of such files. */
static int index_file_part_is_there(const char *pattern) {
    glob_t found;
    int result = glob(pattern, 0, NULL, &found);
    globfree(&found);
    return result != GLOB_NOMATCH;
}

static int index_file_is_left(void) {
    return index_file_part_is_there(PATH "*.part");
}

/* ---- a writer of its own ---- */

enum { HEAD = 88, POINT = 104, MOST_POINTS = 8, MOST_PACKED = 40000 };

typedef struct numbers {
    uint64_t source_bytes, source_hash, flags, text_bytes, record_count, spacing_bytes;
    uint64_t count, packed_bytes;
    uint64_t text_rules, max_record_bytes;
    uint64_t points[MOST_POINTS][16]; /* 10 of 8 bytes and 6 of 4, in the order of the file */
    uint8_t packed[MOST_PACKED];
} numbers;

/* Where a point's numbers stand in `points`. */
enum {
    BIT,
    TEXT,
    MEMBER,
    MEMBERS,
    BLOCKS,
    RECORD,
    LINE,
    OFFSET,
    STARTS,
    AT,
    PACKED,
    HISTORY,
    CRC,
    SIZE,
    WARNINGS,
    FLAGS
};

static uint8_t *put(uint8_t *to, uint64_t value, int bytes) {
    for (; bytes > 0; bytes--, value /= 256) {
        *to++ = (uint8_t)(value % 256);
    }
    return to;
}

/* XXH64 at the end of so many bytes. */
static void put_hash(uint8_t *bytes, size_t count) {
    put(bytes + count - 8, slow_xxh64(bytes, count - 8, 0), 8);
}

static size_t file_of(const numbers *n, uint8_t *bytes) {
    size_t count = HEAD + POINT * (size_t)n->count + (size_t)n->packed_bytes + 8;
    uint8_t *to = bytes;
    memcpy(to, "BIOSTIX\002", 8);
    to = put(to + 8, count, 8);
    to = put(to, n->source_bytes, 8);
    to = put(to, n->source_hash, 8);
    to = put(to, n->flags, 4);
    to = put(to, n->count, 4);
    to = put(to, n->text_bytes, 8);
    to = put(to, n->record_count, 8);
    to = put(to, n->spacing_bytes, 8);
    to = put(to, n->packed_bytes, 8);
    to = put(to, n->text_rules, 8);
    to = put(to, n->max_record_bytes, 8);
    for (uint64_t i = 0; i < n->count; i++) {
        for (int k = 0; k < 16; k++) {
            to = put(to, n->points[i][k], k < 10 ? 8 : 4);
        }
    }
    memcpy(to, n->packed, (size_t)n->packed_bytes);
    put_hash(bytes, count);
    return count;
}

/* Four points: inside a member, without its history, between members after a BGZF block, in plain text. All
 * that is free has bytes of its own. */
static void sample(numbers *n) {
    static const uint64_t points[4][16] = {
        {0x0000008887868581u, 0x0000001817161511u, 0x0000000807060501u, 0x2827262524232221u,
         0x3837363534333231u, 0x0000000000004A41u, 0x5857565554535251u, 0x0000006867666561u,
         0x0000000000004941u, 0, 13, 0x7FFF, 0x94939291u, 0xA4A3A2A1u, 0x3FF, 1 | 8},
        {0x0000008887868589u, 0x0000001817161511u, 0x0000001817161511u, 1, 2, 0x4A42, 3, 0x0000007877767571u,
         0x4942, 13, 0, 0, 4, 5, 6, 1},
        {0x0000008987868580u, 0x0000011817161511u, 0x0000001817161599u, 7, 8, 0x4A42, 9, 0x0000017877767571u,
         0x4943, 13, 0, 0, 0, 0, 0, 4},
        {0x0000009987868588u, 0x0000021817161511u, 0, 0, 0, UINT64_MAX, 0, 0, 0, 13, 20, 32768, 0, 0, 1, 2},
    };
    memset(n, 0, sizeof *n);
    n->source_bytes = 0x000000E7E6E5E4E3u;
    n->source_hash = 0xF8F7F6F5F4F3F2F1u;
    n->flags = 1;
    n->text_bytes = 0x000003D7D6D5D4D3u;
    n->record_count = 0x000000C7C6C5C4C3u;
    n->spacing_bytes = 0x000000B7B6B5B4B3u;
    n->count = 4;
    n->packed_bytes = 33;
    n->text_rules = 0x0000000000000F95u;
    n->max_record_bytes = 0x1817161514131211u;
    memcpy(n->points, points, sizeof points);
    for (size_t i = 0; i < 33; i++) {
        n->packed[i] = (uint8_t)(200 + i);
    }
}

/* ---- indexes ---- */

static void fill_point(bsi_index_point *p, const uint64_t *n) {
    memset(p, 0, sizeof *p);
    p->bit = n[BIT];
    p->text_offset = n[TEXT];
    p->member_offset = n[MEMBER];
    p->members_done = n[MEMBERS];
    p->blocks_done = n[BLOCKS];
    p->record = n[RECORD];
    p->record_line = n[LINE];
    p->record_offset = n[OFFSET];
    p->member_record = n[STARTS];
    p->packed_at = n[AT];
    p->packed_bytes = (uint32_t)n[PACKED];
    p->history_bytes = (uint32_t)n[HISTORY];
    p->text_crc = (uint32_t)n[CRC];
    p->text_size = (uint32_t)n[SIZE];
    p->warnings = (uint32_t)n[WARNINGS];
    p->flags = (uint32_t)n[FLAGS];
}

/* An index with these numbers; the file has nothing of `path`. */
static biost_index *index_of(const numbers *n) {
    biost_index_desc desc = small_desc();
    biost_index *index = NULL;
    if (!CHECK(biost_index_open(&desc, &index, NULL) == BIOST_OK)) {
        exit(1);
    }
    index->is_tied = 1;
    index->source_bytes = n->source_bytes;
    index->source_hash = n->source_hash;
    index->is_complete = (int)(n->flags & 1);
    index->has_records = (int)(n->flags >> 1 & 1);
    index->text_bytes = n->text_bytes;
    index->record_count = n->record_count;
    index->store.spacing_bytes = n->spacing_bytes;
    index->store.count = (uint32_t)n->count;
    index->store.packed_used = n->packed_bytes;
    index->text.bits = n->text_rules;
    index->text.max_record_bytes = n->max_record_bytes;
    for (uint64_t i = 0; i < n->count; i++) {
        fill_point(&index->store.points[i], n->points[i]);
        index->store.points[i].path = 99;
    }
    memcpy(index->store.packed, n->packed, (size_t)n->packed_bytes);
    return index;
}

static void check_point(const bsi_index_point *p, const uint64_t *n) {
    CHECK_EQ_U64(p->bit, n[BIT]);
    CHECK_EQ_U64(p->text_offset, n[TEXT]);
    CHECK_EQ_U64(p->member_offset, n[MEMBER]);
    CHECK_EQ_U64(p->members_done, n[MEMBERS]);
    CHECK_EQ_U64(p->blocks_done, n[BLOCKS]);
    CHECK_EQ_U64(p->record, n[RECORD]);
    CHECK_EQ_U64(p->record_line, n[LINE]);
    CHECK_EQ_U64(p->record_offset, n[OFFSET]);
    CHECK_EQ_U64(p->member_record, n[STARTS]);
    CHECK_EQ_U64(p->packed_at, n[AT]);
    CHECK_EQ_U64(p->packed_bytes, n[PACKED]);
    CHECK_EQ_U64(p->history_bytes, n[HISTORY]);
    CHECK_EQ_U64(p->text_crc, n[CRC]);
    CHECK_EQ_U64(p->text_size, n[SIZE]);
    CHECK_EQ_U64(p->warnings, n[WARNINGS]);
    CHECK_EQ_U64(p->flags, n[FLAGS]);
    CHECK_EQ_U64(p->path, 0);
}

static void check_index(const biost_index *index, const numbers *n) {
    biost_index_info info;
    biost_index_get_info(index, &info);
    CHECK_EQ_U64(info.point_count, n->count);
    CHECK_EQ_U64(info.source_bytes, n->source_bytes);
    CHECK_EQ_U64(info.text_bytes, n->text_bytes);
    CHECK_EQ_U64(info.record_count, n->record_count);
    CHECK_EQ_U64(info.spacing_bytes, n->spacing_bytes);
    CHECK_EQ_I64(info.is_complete, n->flags & 1);
    CHECK_EQ_I64(info.has_records, n->flags >> 1 & 1);
    CHECK_EQ_U64(info.memory_bytes, calls.memory_held);
    CHECK_EQ_U64(index->source_hash, n->source_hash);
    CHECK_EQ_U64(index->text.bits, n->text_rules);
    CHECK_EQ_U64(index->text.max_record_bytes, n->max_record_bytes);
    CHECK_EQ_I64(index->is_tied, n->source_bytes > 0 || n->source_hash > 0);
    CHECK(index->lock == NULL);
    CHECK(index->store.most >= n->count && index->store.packed_most >= n->packed_bytes);
    CHECK(index->store.packed_most >= BSI_HISTORY_PACKED_MOST);
    CHECK_EQ_U64(index->store.packed_used, n->packed_bytes);
    CHECK_MEM(index->store.packed, n->packed, (size_t)n->packed_bytes);
    for (uint64_t i = 0; i < n->count && i < index->store.count; i++) {
        test_note("point %u", (unsigned)i);
        check_point(&index->store.points[i], n->points[i]);
    }
}

/* The file is refused as damaged, with these words, and nothing is left of it. */
static void index_file_check_refused(const char *words) {
    biost_index_desc desc = small_desc();
    biost_index *index = (biost_index *)(uintptr_t)&desc;
    biost_error error;
    CHECK_EQ_I64(biost_index_load(PATH, &desc, &index, &error), BIOST_ERR_ARG);
    CHECK_STR(biost_fault_name(error.fault), "INDEX_DAMAGED");
    CHECK(strncmp(error.text, PATH ": cannot be used as an index: ", strlen(PATH) + 30) == 0);
    if (words != NULL && !CHECK(strstr(error.text, words) != NULL)) {
        printf("    says:     %s\n", error.text);
        printf("    not:      %s\n", words);
    }
    CHECK(index == NULL);
    check_nothing_left();
}

static void check_loads(const numbers *n) {
    biost_index_desc desc = small_desc();
    biost_index *index = NULL;
    biost_error error;
    if (!CHECK_EQ_I64(biost_index_load(PATH, &desc, &index, &error), BIOST_OK)) {
        printf("    %s\n", error.text);
        return;
    }
    check_index(index, n);
    biost_index_close(index);
    check_nothing_left();
}

/* ---- layout ---- */

static uint8_t file_bytes[HEAD + POINT * MOST_POINTS + MOST_PACKED + 9];

static void check_saves(const numbers *n) {
    biost_index *index = index_of(n);
    size_t expected = file_of(n, file_bytes), got;
    uint8_t *bytes;
    CHECK_EQ_I64(biost_index_save(index, PATH, NULL), BIOST_OK);
    CHECK(!index_file_is_left());
    bytes = test_read_file(PATH, &got);
    if (bytes != NULL && CHECK_EQ_U64(got, expected)) {
        CHECK_MEM(bytes, file_bytes, expected);
    }
    free(bytes);
    biost_index_close(index);
    check_nothing_left();
}

/* Offsets of the table in >>index, by hand. */
TEST(index_file, layout_by_hand) {
    static const uint8_t head[88] = {
        'B',  'I',  'O',  'S',  'T',  'I',  'X',  2,     /* 0 */
        0x21, 0x02, 0,    0,    0,    0,    0,    0,     /* 8: 88 + 4 x 104 + 33 + 8 = 545 = 0x221 bytes */
        0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0,    0,    0,     /* 16: source */
        0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8,  /* 24: hash */
        1,    0,    0,    0,    4,    0,    0,    0,     /* 32: flags, points */
        0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 3,    0,    0,     /* 40: text */
        0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0,    0,    0,     /* 48: records */
        0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0,    0,    0,     /* 56: spacing */
        33,   0,    0,    0,    0,    0,    0,    0,     /* 64: packed */
        0x95, 0x0F, 0,    0,    0,    0,    0,    0,     /* 72: rules of text */
        0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18}; /* 80: max_record_bytes */
    /* clang-format off */
    static const uint8_t first[104] = {
        0x81, 0x85, 0x86, 0x87, 0x88, 0,    0,    0,    0x11, 0x15, 0x16, 0x17, 0x18, 0,    0,    0,
        0x01, 0x05, 0x06, 0x07, 0x08, 0,    0,    0,    0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
        0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x41, 0x4A, 0,    0,    0,    0,    0,    0,
        0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x61, 0x65, 0x66, 0x67, 0x68, 0,    0,    0,
        0x41, 0x49, 0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
        13,   0,    0,    0,    0xFF, 0x7F, 0,    0,    0x91, 0x92, 0x93, 0x94, 0xA1, 0xA2, 0xA3, 0xA4,
        0xFF, 3,    0,    0,    9,    0,    0,    0};
    /* clang-format on */
    static numbers n;
    uint8_t *bytes;
    size_t count;
    CHECK(system("rm -f " PATH "*.part") == 0); /* of a run that was killed */
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    sample(&n);
    check_saves(&n);
    bytes = test_read_file(PATH, &count);
    REQUIRE(bytes != NULL && CHECK_EQ_U64(count, 545));
    CHECK_MEM(bytes, head, sizeof head);
    CHECK_MEM(bytes + 88, first, sizeof first);
    CHECK_MEM(bytes + 88 + 416, n.packed, 33);
    CHECK_EQ_U64(xxh64_number(bytes + 537, 8), slow_xxh64(bytes, 537, 0));
    free(bytes);
    check_loads(&n);
}

/* Empty ones; one of no input; one with its records; one that is more than the writer's buffer. */
TEST(index_file, there_and_back) {
    static numbers n;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    memset(&n, 0, sizeof n);
    n.spacing_bytes = 131072;
    check_saves(&n);
    check_loads(&n);
    n.source_hash = 1; /* of an input of no bytes */
    check_saves(&n);
    check_loads(&n);
    sample(&n);
    n.flags = 3;
    n.points[3][RECORD] = n.record_count;
    n.points[3][OFFSET] = n.text_bytes;
    check_saves(&n);
    check_loads(&n);
    n.flags = 0;
    n.text_bytes = n.record_count = 0;
    check_saves(&n);
    check_loads(&n);
    for (uint64_t more = 3560; more <= 33000; more += more < 3580 ? 1 : 3700) { /* 4096 in all, and above */
        sample(&n);
        n.points[3][PACKED] += more;
        n.packed_bytes += more;
        for (size_t i = 33; i < n.packed_bytes; i++) {
            n.packed[i] = (uint8_t)(i * 7 % 251);
        }
        check_saves(&n);
        check_loads(&n);
    }
}

/* Many points: more than are read at a time, and more than fit into the writer's buffer. */
TEST(index_file, many_points) {
    enum { POINTS = 543 }; /* 65536 / 8 = 8192 bytes of the budget, for fewer than 100 */
    biost_index_desc desc = small_desc();
    biost_index *index, *back = NULL;
    biost_error error;
    memset(&error, 0, sizeof error);
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    calls.most = 999;
    calls.interrupt = 1;
    index = bsi_index_reserve(&desc, POINTS, 0, &error);
    REQUIRE(index != NULL && index->store.most == POINTS);
    index->source_bytes = 1000000;
    index->store.spacing_bytes = 500;
    for (uint32_t i = 0; i < POINTS; i++) {
        bsi_index_point *point = &index->store.points[index->store.count++];
        memset(point, 0, sizeof *point);
        point->bit = 8 * 1000 * (uint64_t)(i + 1);
        point->text_offset = 5000 * (uint64_t)(i + 1);
        point->record = BSI_INDEX_NO_RECORD;
    }
    CHECK_EQ_I64(biost_index_save(index, PATH, NULL), BIOST_OK);
    CHECK_EQ_I64(biost_index_load(PATH, &desc, &back, &error), BIOST_OK);
    REQUIRE(back != NULL && CHECK_EQ_U64(back->store.count, POINTS));
    for (uint32_t i = 0; i < POINTS; i++) {
        CHECK_EQ_U64(back->store.points[i].bit, 8000 * (uint64_t)(i + 1));
        CHECK_EQ_U64(back->store.points[i].text_offset, 5000 * (uint64_t)(i + 1));
    }
    biost_index_close(index);
    biost_index_close(back);
    check_nothing_left();
}

/* The input's fingerprint: its size and both ends, which for 100 bytes are the same. */
TEST(index_file, fingerprint) {
    static uint8_t text[200000], model[8 + 131072];
    static const size_t sizes[] = {0, 1, 100, 65535, 65536, 65537, 131071, 131072, 131073, 200000};
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (uint8_t)(i * 31 % 253);
    }
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        size_t size = sizes[k], end = size < 65536 ? size : 65536;
        bsi_source_input input;
        int32_t os_error = 7;
        uint64_t hash = 0;
        bsi_bad bad;
        test_note("%u bytes", (unsigned)size);
        memset(&input, 0, sizeof input);
        input.name = "memory";
        input.memory = text;
        input.size_bytes = size;
        input.regular = 1;
        put(model, size, 8);
        memcpy(model + 8, text, end);
        memcpy(model + 8 + end, text + size - end, end);
        CHECK(bsi_index_fingerprint(&input, &hash, &bad, &os_error));
        CHECK_EQ_U64(hash, slow_xxh64(model, 8 + 2 * end, 0));
        CHECK_EQ_I64(os_error, 0);
    }
}

/* Of a file; one that changed, or is not there, has none. */
TEST(index_file, fingerprint_of_files) {
    bsi_source_input input;
    int32_t os_error;
    uint64_t hash = 0;
    bsi_bad bad;
    uint8_t model[14] = {3, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', 'c', 'a', 'b', 'c'};
    struct stat info;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    write_file(PATH, "abc", 3);
    REQUIRE(stat(PATH, &info) == 0);
    memset(&input, 0, sizeof input);
    input.name = PATH;
    input.size_bytes = 3;
#if defined(__APPLE__)
    input.modified = (int64_t)info.st_mtimespec.tv_sec * 1000000000 + info.st_mtimespec.tv_nsec;
#else
    input.modified = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
#endif
    input.regular = 1;
    CHECK(bsi_index_fingerprint(&input, &hash, &bad, &os_error));
    CHECK_EQ_U64(hash, slow_xxh64(model, 14, 0));
    index_file_calls_begin(CALL_READ, 1, EIO);
    CHECK(!bsi_index_fingerprint(&input, &hash, &bad, &os_error));
    CHECK_EQ_I64(bad.fault, BIOST_FAULT_READ);
    CHECK_EQ_I64(os_error, EIO);
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    write_file(PATH, "abcd", 4);
    CHECK(!bsi_index_fingerprint(&input, &hash, &bad, &os_error));
    CHECK_EQ_I64(bad.fault, BIOST_FAULT_CHANGED);
    remove(PATH);
    CHECK(!bsi_index_fingerprint(&input, &hash, &bad, &os_error));
    CHECK_EQ_I64(bad.fault, BIOST_FAULT_OPEN);
    CHECK_EQ_I64(os_error, ENOENT);
    check_nothing_left();
}

/* ---- damage ---- */

TEST(index_file, cut_at_every_byte) {
    static numbers n;
    size_t count;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    sample(&n);
    count = file_of(&n, file_bytes);
    for (size_t kept = 0; kept < count; kept++) {
        test_note("%u of %u bytes", (unsigned)kept, (unsigned)count);
        write_file(PATH, file_bytes, kept);
        index_file_check_refused(kept < 7 ? "it does not begin like one" : "it was cut off");
    }
    file_bytes[count] = 0;
    write_file(PATH, file_bytes, count + 1);
    index_file_check_refused("bytes follow after its end");
}

TEST(index_file, every_flipped_bit) {
    static numbers n;
    size_t count;
    int file;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    sample(&n);
    count = file_of(&n, file_bytes);
    write_file(PATH, file_bytes, count);
    file = open(PATH, O_WRONLY);
    REQUIRE(file >= 0);
    for (size_t bit = 0; bit < 8 * count; bit++) {
        uint8_t byte = (uint8_t)(file_bytes[bit / 8] ^ 1u << bit % 8);
        const char *words = bit < 56    ? "it does not begin like one"
                            : bit < 64  ? "it is of another version" /* none of one bit from 2 is 1 */
                            : bit < 128 ? NULL                       /* cut off, or longer */
                                        : "bytes of it changed";
        if ((bit >= 8 * 36 && bit < 8 * 40) || (bit >= 8 * 64 && bit < 8 * 72)) {
            words = "does not fit its size";
        }
        test_note("bit %u", (unsigned)bit);
        REQUIRE(pwrite(file, &byte, 1, (off_t)(bit / 8)) == 1);
        index_file_check_refused(words);
        REQUIRE(pwrite(file, &file_bytes[bit / 8], 1, (off_t)(bit / 8)) == 1);
    }
    close(file);
    check_loads(&n);
}

/* Sizes that lie, under a hash that is right: memory is asked for what is there, never for more. */
TEST(index_file, sizes_that_lie) {
    static const struct {
        uint32_t points;
        uint64_t packed;
    } lies[] = {
        {5, 33},           {3, 33},
        {0xFFFFFFFFu, 33}, {4, 32},
        {4, UINT64_MAX},   {5, (uint64_t)33 - 104},
        {0x80000004u, 33}, {0, 33 + 4 * 104 + 1},
    };
    static numbers n;
    size_t count;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    sample(&n);
    count = file_of(&n, file_bytes);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        test_note("lie %u", (unsigned)i);
        put(file_bytes + 36, lies[i].points, 4);
        put(file_bytes + 64, lies[i].packed, 8);
        put_hash(file_bytes, count);
        write_file(PATH, file_bytes, count);
        index_file_check_refused("what it should hold does not fit its size");
    }
    CHECK_EQ_U64(calls.counts[CALL_ALLOC], 0);
}

/* One number of a good index changed, under a hash that is right. */
typedef struct lie {
    int point;  /* -1: the head; -2: of three points, without the last */
    int number; /* of a point; of the head 0 source, 1 flags, 2 text, 3 records, 4 spacing, 5 rules of text */
    uint64_t value;
    const char *words; /* NULL: it is good */
} lie;

static const lie lies[] = {
    {-1, 0, 0x0000009987868588u / 8 + 1, NULL}, /* the last point's bit is in the last byte */
    {-1, 0, 0x0000009987868588u / 8, "a point is past the end of its input"},
    {-1, 0, 0, "a point is past the end of its input"},
    {-1, 0, UINT64_MAX / 8, NULL},
    {-1, 0, UINT64_MAX / 8 + 1, "no input is that long"},
    {-1, 0, UINT64_MAX, "no input is that long"},
    {-1, 1, 4, "it has flags that this version does not know"},
    {-1, 1, 0x80000001u, "it has flags that this version does not know"},
    {-1, 1, 3, "the record at a point is missing"},
    {-1, 2, 0x0000021817161511u, NULL},
    {-1, 2, 0x0000021817161510u, "a point is past the end of the text"},
    {-1, 4, 0, "its spacing makes no sense"},
    {-1, 4, 1, NULL},
    {-1, 4, (uint64_t)1 << 56, NULL},
    {-1, 4, ((uint64_t)1 << 56) + 1, "its spacing makes no sense"},
    {-1, 4, (uint64_t)1 << 63, "its spacing makes no sense"},
    {-1, 5, 1, NULL},
    {-1, 5, 0xFFF, NULL},
    {-1, 5, 0x8001, "it has rules of text that this version does not know"},
    {-1, 5, (uint64_t)1 << 63 | 1, "it has rules of text that this version does not know"},
    {-1, 5, 2, "it has rules of text that this version does not know"},
    {-1, 5, 0, "it does not say under which rules its records are numbered"},
    {0, BIT, 0, NULL},
    {0, BIT, 0x0000008887868589u, "its points are not in the order of the input"},
    {1, BIT, 0x0000008887868580u, "its points are not in the order of the input"},
    {3, BIT, 0x0000008987868580u, "its points are not in the order of the input"},
    {3, BIT, UINT64_MAX, "a point is past the end of its input"},
    {2, BIT, 0x0000008987868581u, "a point between members is inside a byte"},
    {3, BIT, 0x0000009987868589u, "a point between members is inside a byte"},
    {1, TEXT, 0x0000001817161510u, "its points are not in the order of the text"},
    {3, TEXT, 0x0000011817161510u, "its points are not in the order of the text"},
    {3, TEXT, UINT64_MAX, "a point is past the end of the text"},
    {0, MEMBER, 0x0000001817161511u, NULL},
    {0, MEMBER, 0x0000001817161512u, "a point is past the end of the text"},
    {0, RECORD, 0x4A43, "its records are not in order"},
    {1, RECORD, 0x4A40, "its records are not in order"},
    {0, OFFSET, 0x0000001817161510u, "the record at a point is not there"},
    {1, OFFSET, 0x0000006867666560u, "the record at a point is not there"},
    {0, AT, 1, "its histories do not follow one another"},
    {1, AT, 12, "its histories do not follow one another"},
    {2, AT, UINT64_MAX, "its histories do not follow one another"},
    {0, PACKED, 14, "its histories do not follow one another"},
    {3, PACKED, 19, "its histories do not fill their place"},
    {3, PACKED, 21, "its histories do not fill their place"},
    {3, PACKED, 33041, "a history is too long"},
    {3, PACKED, 0xFFFFFFFFu, "a history is too long"},
    {0, HISTORY, 32768, NULL},
    {0, HISTORY, 32769, "a history is too long"},
    {0, FLAGS, 16, "a point has flags that this version does not know"},
    {0, FLAGS, 0x80000001u, "a point has flags that this version does not know"},
    {0, FLAGS, 3, "a point has flags that this version does not know"},
    {0, FLAGS, 15 - 2, NULL},
};

TEST(index_file, makes_no_sense) {
    static numbers n;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        const lie *l = &lies[i];
        sample(&n);
        if (l->point >= 0) {
            n.points[l->point][l->number] = l->value;
        } else {
            uint64_t *const head[6] = {&n.source_bytes, &n.flags,         &n.text_bytes,
                                       &n.record_count, &n.spacing_bytes, &n.text_rules};
            *head[l->number] = l->value;
        }
        test_note("lie %u", (unsigned)i);
        write_file(PATH, file_bytes, file_of(&n, file_bytes));
        if (l->words == NULL) {
            check_loads(&n);
        } else {
            index_file_check_refused(l->words);
        }
    }
}

/* Records known to the end: none is after it. A history that is as long as any can be. */
TEST(index_file, makes_just_sense) {
    static numbers n;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    sample(&n);
    n.flags = 3;
    n.points[3][RECORD] = n.record_count + 1;
    n.points[3][OFFSET] = n.text_bytes;
    write_file(PATH, file_bytes, file_of(&n, file_bytes));
    index_file_check_refused("the record at a point is not there");
    sample(&n);
    n.points[3][PACKED] = 33040; /* 12 + 32768 + 2 x (32768 / 255 + 2) */
    n.packed_bytes = 13 + 33040;
    write_file(PATH, file_bytes, file_of(&n, file_bytes));
    check_loads(&n);
    sample(&n); /* histories without a point */
    n.count = 0;
    write_file(PATH, file_bytes, file_of(&n, file_bytes));
    index_file_check_refused("its histories do not fill their place");
    n.packed_bytes = 0;
    write_file(PATH, file_bytes, file_of(&n, file_bytes));
    check_loads(&n);
}

/* Another version is told as such, whatever follows. */
TEST(index_file, other_versions) {
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    write_file(PATH, "BIOSTIX\003", 8);
    index_file_check_refused("it is of another version of the library");
    write_file(PATH, "BIOSTIX\001", 8);
    index_file_check_refused("it is of version 1, which does not say under which rules its records are "
                             "numbered, and version 2 is read; make it again");
    write_file(PATH, "BIOSTIX\002", 8);
    index_file_check_refused("it was cut off");
    write_file(PATH, "@r\nA\n+\nI\n", 9);
    index_file_check_refused("it does not begin like one");
    write_file(PATH, "", 0);
    index_file_check_refused("it does not begin like one");
}

/* ---- memory ---- */

TEST(index_file, budgets) {
    biost_index_desc desc = small_desc();
    biost_index *index = (biost_index *)(uintptr_t)&desc;
    biost_index_info info;
    biost_error error;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    desc.budget_bytes = 65535;
    CHECK_EQ_I64(biost_index_open(&desc, &index, &error), BIOST_ERR_ARG);
    CHECK(index == NULL);
    CHECK_STR(
        error.text,
        "desc.budget_bytes is 65535, not a whole number of 65536..18446744073709551615, or 0 for 16777216");
    desc.budget_bytes = 65536; /* 8192 for points, and 57344 or a little more for histories */
    REQUIRE(CHECK_EQ_I64(biost_index_open(&desc, &index, &error), BIOST_OK));
    CHECK_EQ_U64(index->store.most, 8192 / sizeof(bsi_index_point));
    CHECK_EQ_U64(index->store.packed_most, 65536 - index->store.most * sizeof(bsi_index_point));
    biost_index_get_info(index, &info);
    CHECK_EQ_U64(info.memory_bytes, calls.memory_held);
    CHECK(info.memory_bytes >= 65536 && info.memory_bytes < 65536 + 1024);
    CHECK_EQ_U64(info.spacing_bytes, 0); /* of no input yet */
    CHECK(info.point_count == 0 && info.source_bytes == 0 && info.text_bytes == 0 && info.record_count == 0);
    CHECK(!info.is_complete && !info.has_records);
    biost_index_close(index);
    desc.budget_bytes = UINT64_MAX;
    CHECK_EQ_I64(biost_index_open(&desc, &index, &error), BIOST_ERR_NOMEM);
    CHECK(index == NULL);
    desc.budget_bytes = 0;
    REQUIRE(CHECK_EQ_I64(biost_index_open(&desc, &index, NULL), BIOST_OK));
    biost_index_get_info(index, &info);
    CHECK(info.memory_bytes >= 16777216 && info.memory_bytes < 16777216 + 1024);
    biost_index_close(index);
    REQUIRE(CHECK_EQ_I64(biost_index_open(NULL, &index, NULL), BIOST_OK)); /* by malloc */
    CHECK_EQ_U64(index->own_bytes, info.memory_bytes);
    biost_index_close(index);
    desc.allocator.free = NULL;
    CHECK_EQ_I64(biost_index_open(&desc, &index, &error), BIOST_ERR_ARG);
    CHECK_STR(error.text, "desc.allocator needs both alloc and free, or neither");
    check_nothing_left();
}

TEST(index_file, null_arguments) {
    biost_index_desc desc = small_desc();
    biost_index *index = (biost_index *)(uintptr_t)&desc;
    biost_index_info info;
    biost_error error;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    CHECK_EQ_I64(biost_index_open(&desc, NULL, &error), BIOST_ERR_ARG);
    CHECK_STR(error.text, "out_index is NULL");
    CHECK_EQ_I64(biost_index_load(PATH, &desc, NULL, &error), BIOST_ERR_ARG);
    CHECK_STR(error.text, "out_index is NULL");
    CHECK_EQ_I64(biost_index_load(NULL, &desc, &index, &error), BIOST_ERR_ARG);
    CHECK_STR(error.text, "path is NULL");
    CHECK(index == NULL);
    CHECK_EQ_I64(biost_index_save(NULL, PATH, &error), BIOST_ERR_ARG);
    CHECK_STR(error.text, "index or path is NULL");
    memset(&info, 0xEE, sizeof info);
    biost_index_get_info(NULL, &info);
    CHECK(info.point_count == 0 && info.memory_bytes == 0);
    biost_index_get_info(NULL, NULL);
    biost_index_close(NULL);
    check_nothing_left();
}

/* What a file holds is kept, however small the budget. */
TEST(index_file, a_small_budget_holds_all) {
    static numbers n;
    biost_index_desc desc = small_desc();
    biost_index *index = NULL;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    sample(&n);
    write_file(PATH, file_bytes, file_of(&n, file_bytes));
    desc.budget_bytes = 65535;
    CHECK_EQ_I64(biost_index_load(PATH, &desc, &index, NULL), BIOST_ERR_ARG);
    n.points[1][PACKED] = n.points[2][PACKED] = n.points[3][PACKED] = 0;
    n.points[0][PACKED] = 33040;
    n.points[1][AT] = 33040;
    n.points[1][PACKED] = 6000;
    n.points[2][AT] = n.points[3][AT] = n.packed_bytes = 39040;
    check_saves(&n);
    check_loads(&n);
}

/* ---- calls that fail ---- */

/* A load of which call `at` of a kind fails: told as such, and nothing is left. */
static void check_load_fails(call_kind kind, unsigned long at, biost_fault fault) {
    biost_index_desc desc = small_desc();
    biost_index *index = NULL;
    biost_error error;
    test_note("load: %s %lu", call_names[kind], at);
    index_file_calls_begin(kind, at, EIO);
    calls.most = 50;
    CHECK(biost_index_load(PATH, &desc, &index, &error) < 0 && index == NULL);
    CHECK_EQ_I64(error.fault, fault);
    CHECK_EQ_I64(error.os_error, fault == BIOST_FAULT_MEMORY ? 0 : EIO);
    check_nothing_left();
}

TEST(index_file, loads_that_fail) {
    static numbers n;
    unsigned long reads;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    sample(&n);
    write_file(PATH, file_bytes, file_of(&n, file_bytes));
    calls.most = 50;
    calls.interrupt = 1;
    check_loads(&n);
    reads = calls.counts[CALL_READ] / 2;
    CHECK_EQ_U64(calls.counts[CALL_ALLOC], 1);
    CHECK_EQ_U64(reads, 2 + 9 + 1 + 1); /* 88, 416, 33 and 8 bytes */
    check_load_fails(CALL_ALLOC, 1, BIOST_FAULT_MEMORY);
    check_load_fails(CALL_OPEN, 1, BIOST_FAULT_OPEN);
    check_load_fails(CALL_SIZE, 1, BIOST_FAULT_OPEN);
    for (unsigned long at = 1; at <= reads; at++) {
        check_load_fails(CALL_READ, at, BIOST_FAULT_READ);
    }
}

/* A save of which call `at` of a kind fails: the file of before is there as it was, and no other. */
static void check_save_fails(const biost_index *index, call_kind kind, unsigned long at, int error_number,
                             const char *text) {
    static const char before[] = "what was there";
    biost_error error;
    size_t count;
    uint8_t *bytes;
    test_note("save: %s %lu", call_names[kind], at);
    write_file(PATH, before, sizeof before);
    index_file_calls_begin(kind, at, error_number);
    calls.most = 50;
    CHECK_EQ_I64(biost_index_save(index, PATH, &error), BIOST_ERR_IO);
    CHECK_EQ_I64(error.fault, BIOST_FAULT_WRITE);
    CHECK_EQ_I64(error.os_error, error_number);
    CHECK_STR(error.text, text);
    CHECK(!index_file_is_left());
    CHECK_EQ_I64(calls.files_open, 0);
    bytes = test_read_file(PATH, &count);
    if (bytes != NULL && CHECK_EQ_U64(count, sizeof before)) {
        CHECK_MEM(bytes, before, count);
    }
    free(bytes);
}

TEST(index_file, saves_that_fail) {
    static numbers n;
    biost_index *index;
    unsigned long writes;
    long held;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    sample(&n);
    index = index_of(&n);
    held = calls.memory_held;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    calls.most = 50;
    calls.interrupt = 1;
    write_file(PATH, "an index of before that is in the way", 20); /* is replaced */
    CHECK_EQ_I64(biost_index_save(index, PATH, NULL), BIOST_OK);
    CHECK_EQ_U64(calls.counts[CALL_ALLOC], 0);
    writes = calls.counts[CALL_WRITE] / 2;
    CHECK_EQ_U64(writes, (529 + 49) / 50);
    check_save_fails(index, CALL_CREATE, 1, EMFILE,
                     PATH ": cannot be written: creating a file beside it failed: too many files are open");
    for (unsigned long at = 1; at <= writes; at++) {
        check_save_fails(index, CALL_WRITE, at, ENOSPC,
                         PATH ": cannot be written: writing failed: there is no space left");
    }
    check_save_fails(index, CALL_WRITE, 1, EFBIG,
                     PATH ": cannot be written: writing failed: files may not be that long");
    check_save_fails(index, CALL_SYNC, 1, EIO,
                     PATH ": cannot be written: flushing it to the disk failed: the device failed");
    check_save_fails(index, CALL_RENAME, 1, EROFS,
                     PATH
                     ": cannot be written: renaming the finished file failed: the file system is read-only");
    CHECK_EQ_I64(calls.memory_held, held);
    biost_index_close(index);
    check_nothing_left();
}

/* A name that somebody has is left alone: the next one is taken. */
TEST(index_file, names_that_are_taken) {
    static numbers n;
    char name[64];
    biost_index *index;
    biost_error error;
    bsi_platform_save save;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    sample(&n);
    index = index_of(&n);
    REQUIRE(
        bsi_platform_save_begin(&save, PATH, 0)); /* somebody who began to save the same and is not ready */
    snprintf(name, sizeof name, PATH ".%08lx0000.part", (unsigned long)getpid());
    CHECK_STR(save.temporary, name);
    CHECK_STR(save.path, PATH);
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    CHECK_EQ_I64(biost_index_save(index, PATH, NULL), BIOST_OK);
    CHECK_EQ_U64(calls.counts[CALL_CREATE], 2);
    index_file_calls_begin(CALL_WRITE, 1, ENOSPC); /* one that fails removes its own only */
    CHECK_EQ_I64(biost_index_save(index, PATH, &error), BIOST_ERR_IO);
    CHECK(index_file_part_is_there(name));
    bsi_platform_save_end(&save, 0);
    CHECK_EQ_I64(save.failed, BSI_PLATFORM_STEP_NONE);
    CHECK(!index_file_is_left());
    biost_index_close(index);
    check_loads(&n);
}

/* What has nothing to bring to a device says EINVAL, and that is fine. */
TEST(index_file, no_device_to_bring_it_to) {
    static numbers n;
    biost_index *index;
    sample(&n);
    index = index_of(&n);
    index_file_calls_begin(CALL_SYNC, 1, EINVAL);
    CHECK_EQ_I64(biost_index_save(index, PATH, NULL), BIOST_OK);
    CHECK_EQ_U64(calls.counts[CALL_SYNC], 1);
    biost_index_close(index);
    check_loads(&n);
}

/* Places where no file can be. */
TEST(index_file, saves_to_nowhere) {
    static numbers n;
    biost_index *index;
    biost_error error;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    sample(&n);
    index = index_of(&n);
    CHECK_EQ_I64(biost_index_save(index, "build/there_is_no_such_directory/a.index", &error), BIOST_ERR_IO);
    CHECK_STR(biost_fault_name(error.fault), "WRITE");
    CHECK_STR(error.text, "build/there_is_no_such_directory/a.index: cannot be written: "
                          "creating a file beside it failed: there is no such directory");
    CHECK_EQ_I64(error.os_error, ENOENT);
    CHECK_EQ_I64(biost_index_save(index, "build", &error), BIOST_ERR_IO); /* a directory has the name */
    CHECK_STR(error.text, "build: cannot be written: a directory has that name");
    CHECK(!index_file_part_is_there("build*.part"));
    CHECK_EQ_I64(biost_index_save(index, "", &error), BIOST_ERR_IO);
    CHECK(!index_file_part_is_there(".*.part"));
    biost_index_close(index);
    check_nothing_left();
}

/* Root may write anywhere: it writes as somebody else. */
TEST(index_file, saves_to_a_directory_without_permission) {
    static const char directory[] = "build/test_index_file.directory";
    static const char path[] = "build/test_index_file.directory/a.index";
    static numbers n;
    uid_t user = geteuid();
    biost_result result;
    biost_index *index;
    biost_error error;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    sample(&n);
    index = index_of(&n);
    rmdir(directory);
    REQUIRE(mkdir(directory, 0555) == 0);
    REQUIRE(user != 0 || seteuid(65534) == 0);
    result = biost_index_save(index, path, &error);
    REQUIRE(user != 0 || seteuid(user) == 0);
    CHECK_EQ_I64(result, BIOST_ERR_IO);
    CHECK(strstr(error.text, "cannot be written: creating a file beside it failed: permission was denied") !=
          NULL);
    CHECK_EQ_I64(error.os_error, EACCES);
    CHECK(rmdir(directory) == 0); /* it is empty */
    biost_index_close(index);
    check_nothing_left();
}

/* A disk that is full, where there is one to be had. */
TEST(index_file, full_device) {
    static numbers n;
    biost_index *index;
    biost_error error;
    if (access("/dev/full", W_OK) != 0) {
        TEST_SKIP("/dev/full");
    }
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    sample(&n);
    index = index_of(&n);
    remove(PATH);
    REQUIRE(symlink("/dev/full", PATH) == 0);
    CHECK_EQ_I64(biost_index_save(index, PATH, &error), BIOST_ERR_IO);
    CHECK_EQ_I64(error.os_error, ENOSPC);
    CHECK(remove(PATH) == 0 && !index_file_is_left());
    biost_index_close(index);
    check_nothing_left();
}

/* What is no file is no index. */
TEST(index_file, loads_of_no_files) {
    biost_index_desc desc = small_desc();
    biost_index *index = NULL;
    biost_error error;
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    remove(PATH);
    CHECK_EQ_I64(biost_index_load(PATH, &desc, &index, &error), BIOST_ERR_IO);
    CHECK_STR(error.text, PATH ": cannot be opened: there is no such file");
    CHECK_EQ_I64(biost_index_load("tests", &desc, &index, &error), BIOST_ERR_IO);
    CHECK_STR(error.text, "tests: is a directory, not a file");
    REQUIRE(mkfifo(PATH, 0600) == 0);
    CHECK_EQ_I64(biost_index_load(PATH, &desc, &index, &error), BIOST_ERR_UNSUPPORTED);
    CHECK_STR(error.text, PATH ": is a pipe or device, and an index is a file");
    remove(PATH);
    CHECK(index == NULL);
    check_nothing_left();
}

/* ---- an index that is being filled ---- */

typedef struct filler {
    pthread_mutex_t lock;  /* the object's */
    pthread_mutex_t start; /* held until the lock is */
    biost_index *index;
} filler;

/* Whoever fills it has the lock for a while, and adds the points then. */
static void *fill_by_thread(void *argument) {
    struct timespec pause = {0, 20000000};
    filler *f = (filler *)argument;
    pthread_mutex_lock(&f->lock);
    pthread_mutex_lock(&f->start);
    pthread_mutex_unlock(&f->start);
    nanosleep(&pause, NULL);
    f->index->store.count = 4;
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

/* The lock is held from the first byte to the last, and given back; a save waits for it. */
TEST(index_file, saves_under_the_lock) {
    static numbers n;
    biost_index_info info;
    filler f;
    memset(&f, 0, sizeof f);
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    sample(&n);
    REQUIRE(pthread_mutex_init(&f.lock, NULL) == 0);
    f.index = index_of(&n);
    f.index->lock = &f.lock;
    calls.most = 50;
    calls.lock = &f.lock;
    CHECK_EQ_I64(biost_index_save(f.index, PATH, NULL), BIOST_OK);
    CHECK_EQ_U64(calls.counts[CALL_WRITE], (529 + 49) / 50);
    CHECK_EQ_U64(calls.writes_locked, calls.counts[CALL_WRITE]);
    CHECK(pthread_mutex_trylock(&f.lock) == 0);
    pthread_mutex_unlock(&f.lock);
    index_file_calls_begin(CALL_WRITE, 1, ENOSPC); /* one that fails gives it back too */
    CHECK_EQ_I64(biost_index_save(f.index, PATH, NULL), BIOST_ERR_IO);
    CHECK(pthread_mutex_trylock(&f.lock) == 0);
    pthread_mutex_unlock(&f.lock);
    biost_index_get_info(f.index, &info);
    CHECK(pthread_mutex_trylock(&f.lock) == 0);
    pthread_mutex_unlock(&f.lock);
    f.index->lock = NULL;
    biost_index_close(f.index);
    pthread_mutex_destroy(&f.lock);
    check_loads(&n);
}

TEST(index_file, waits_for_the_lock) {
    static numbers n;
    pthread_t thread;
    filler f;
    memset(&f, 0, sizeof f);
    index_file_calls_begin(CALL_ALLOC, 0, 0);
    sample(&n);
    REQUIRE(pthread_mutex_init(&f.lock, NULL) == 0 && pthread_mutex_init(&f.start, NULL) == 0);
    f.index = index_of(&n);
    f.index->store.count = 0;
    f.index->lock = &f.lock;
    pthread_mutex_lock(&f.start);
    REQUIRE(pthread_create(&thread, NULL, fill_by_thread, &f) == 0);
    while (pthread_mutex_trylock(&f.lock) == 0) { /* till the thread has it */
        pthread_mutex_unlock(&f.lock);
        sched_yield();
    }
    pthread_mutex_unlock(&f.start);
    CHECK_EQ_I64(biost_index_save(f.index, PATH, NULL), BIOST_OK);
    pthread_join(thread, NULL);
    f.index->lock = NULL;
    biost_index_close(f.index);
    pthread_mutex_destroy(&f.lock);
    pthread_mutex_destroy(&f.start);
    check_loads(&n);
    remove(PATH);
}
