/*
 * test_layout.c - biost_layout against the source of the structs: layout.awk reads biostream.h and writes which fields
 * there are and of which types, and the compiler says here where they lie. Then the text's form by hand, and what
 * becomes of it in too little memory.
 */
#include "../biostream.h"

#include <stddef.h>

#include "test.h"

typedef struct expected_row {
    const char *name; /* of a field; of a struct where type is NULL */
    size_t at, bytes; /* its offset; of a struct its alignment */
    const char *type; /* the text's word, or an enum's name */
    size_t count;     /* elements of an array; 0: none */
    int is_enum;
} expected_row;

#include "layout_expected.h"

enum { ROWS = sizeof expected_rows / sizeof expected_rows[0], TEXT_MOST = 1 << 16 };

static char text[TEXT_MOST], expected[TEXT_MOST];

static size_t expect(void) {
    size_t i, at = (size_t)snprintf(expected, TEXT_MOST, "biostream %d.%d.%d\n", BIOST_VERSION_MAJOR,
                                    BIOST_VERSION_MINOR, BIOST_VERSION_PATCH);
    for (i = 0; i < ROWS; ++i) {
        const expected_row *row = &expected_rows[i];
        char *to = expected + at;
        size_t room = TEXT_MOST - at;
        if (row->type == NULL) {
            at += (size_t)snprintf(to, room, "struct %s %u %u\n", row->name, (unsigned)row->bytes,
                                   (unsigned)row->at);
            continue;
        }
        at += (size_t)snprintf(to, room, "%s %u %u ", row->name, (unsigned)row->at, (unsigned)row->bytes);
        to = expected + at;
        room = TEXT_MOST - at;
        if (row->is_enum) {
            at += (size_t)snprintf(to, room, "i%u %s\n", (unsigned)(8 * row->bytes), row->type);
        } else if (row->count > 0) {
            at += (size_t)snprintf(to, room, "%s[%u]\n", row->type, (unsigned)row->count);
        } else {
            at += (size_t)snprintf(to, room, "%s\n", row->type);
        }
    }
    return at;
}

/* Line by line, so that what differs is shown. */
TEST(layout, each_field_is_as_the_source_says) {
    size_t bytes = expect(), line = 1;
    const char *got = text, *want = expected;
    CHECK(bytes < TEXT_MOST);
    CHECK_EQ_U64(biost_layout(text, TEXT_MOST), bytes);
    while (*got != '\0' && *want != '\0') {
        size_t got_bytes = strcspn(got, "\n"), want_bytes = strcspn(want, "\n");
        test_note("line %u: %.*s", (unsigned)line++, (int)(want_bytes < 100 ? want_bytes : 100), want);
        REQUIRE(CHECK_EQ_U64(got_bytes, want_bytes) && CHECK_MEM(got, want, want_bytes));
        got += got_bytes + (got[got_bytes] == '\n');
        want += want_bytes + (want[want_bytes] == '\n');
    }
    CHECK_STR(text, expected);
}

/* Numbers that are the same on every ABI where int64_t and uint64_t have 8 bytes. */
TEST(layout, lines_by_hand) {
    static const char row[] = "id 0 8 i64\n"
                              "start_base 8 8 i64\n"
                              "piece 16 4 u32\n"
                              "flags 20 4 u32\n"
                              "pass 24 4 u32\n"
                              "group 28 2 u16\n"
                              "mate 30 1 u8\n"
                              "strand 31 1 u8\n"
                              "struct biost_batch ";
    const char *at;
    biost_layout(text, TEXT_MOST);
    CHECK(strncmp(text, "biostream ", 10) == 0);
    at = strstr(text, "\nstruct biost_row 32 ");
    REQUIRE(CHECK(at != NULL));
    at = strchr(at + 1, '\n') + 1;
    CHECK(strncmp(at, row, sizeof row - 1) == 0);
    CHECK(strstr(text, " char[256]\nstruct biost_stats 48 ") != NULL);
    CHECK(strstr(text, "\ncode 0 4 i32 biost_result\nfault 4 4 i32 biost_fault\npath_index 8 4 u32\n") !=
          NULL);
    CHECK(strstr(text, " biost_tensor\ntensors ") != NULL);
    CHECK(strstr(text, " biost_stage_counters[8]\nelapsed_ns ") != NULL);
    CHECK(strstr(text, " int\n") != NULL && strstr(text, " size\n") != NULL);
}

/* Every capacity: what is written ends on NUL, nothing lies after it, and the whole length is told. */
TEST(layout, cut_where_memory_ends) {
    size_t whole = biost_layout(text, TEXT_MOST), capacity;
    CHECK_EQ_U64(whole, strlen(text));
    CHECK_EQ_U64(biost_layout(NULL, 0), whole);
    CHECK_EQ_U64(biost_layout(NULL, 100), whole);
    for (capacity = 0; capacity < whole + 3; capacity += capacity < 70 || capacity + 5 > whole ? 1 : 61) {
        size_t kept = capacity == 0 ? 0 : capacity - 1 < whole ? capacity - 1 : whole;
        test_note("capacity %u", (unsigned)capacity);
        memset(expected, 0x5A, TEXT_MOST);
        CHECK_EQ_U64(biost_layout(expected, capacity), whole);
        CHECK(memcmp(expected, text, kept) == 0);
        CHECK(capacity == 0 || expected[kept] == '\0');
        CHECK(expected[capacity] == 0x5A && expected[capacity + 1] == 0x5A);
    }
}
