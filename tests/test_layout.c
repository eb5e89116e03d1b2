/*
 * test_layout.c - biost_layout: its rows are those that layout.awk makes of the header as it is now, no field of a struct
 * is missing among them, some lines by hand, and what becomes of the text in too little memory.
 *
 * rooms: examples
 * needs: loader library layout_rows
 */
#include "../biostream.h"

#include "../examples/cmake/layout.c"

#include "test.h"

enum { TEXT_MOST = 1 << 16 };

static char text[TEXT_MOST], expected[TEXT_MOST];

static size_t read_whole(const char *path, char *to) {
    FILE *file = fopen(path, "rb");
    size_t bytes = file == NULL ? 0 : fread(to, 1, TEXT_MOST - 1, file);
    to[bytes] = '\0';
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

#ifndef LAYOUT_ROWS_ANEW
#define LAYOUT_ROWS_ANEW NULL /* where awk made none */
#endif

TEST(layout, rows_are_those_of_the_header) {
    const char *anew = LAYOUT_ROWS_ANEW;
    size_t bytes = anew != NULL ? read_whole(anew, expected) : 0;
    if (anew == NULL) {
        TEST_SKIP("the rows of layout.c, made anew by awk");
    }
    test_note("after a change of public structs: awk -f tests/bare.awk -f tests/layout.awk biostream.h > "
              "examples/cmake/layout_rows.h");
    CHECK(bytes > 10000 && bytes < TEXT_MOST - 1);
    CHECK_EQ_U64(read_whole("examples/cmake/layout_rows.h", text), bytes);
    CHECK_STR(text, expected);
}

/* What the compiler leaves between two fields is smaller than the struct's alignment: a field without a row would leave
   more, unless it is smaller than that itself. */
TEST(layout, fields_follow_one_another) {
    size_t i, end = 0, structs = 0;
    const layout_row *whole = NULL;
    for (i = 0; i <= sizeof layout_rows / sizeof layout_rows[0]; ++i) {
        const layout_row *row = &layout_rows[i];
        int ends = i == sizeof layout_rows / sizeof layout_rows[0] || row->type == NULL;
        if (ends && whole != NULL && end > 0) {
            test_note("%s ends", whole->name);
            CHECK(end <= whole->bytes && whole->bytes - end < whole->at);
        }
        if (i == sizeof layout_rows / sizeof layout_rows[0]) {
            break;
        }
        if (ends) {
            whole = row;
            end = 0;
            structs += 1;
            continue;
        }
        test_note("%s.%s", whole->name, row->name);
        CHECK(row->at >= end && row->at - end < whole->at);
        end = row->at + row->bytes;
    }
    CHECK(structs >= 28);
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
