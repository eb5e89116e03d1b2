/*
 * test_textscan.c - records of a page into the loader's table of rows: as many as there are, and no more.
 *
 * rooms: textscan
 * needs: loader
 */
#include "white.h"
#include "test.h"

/* Tables of records, the last of each right at the end of its memory, into rows that are as many as records. */
TEST(textscan, rows_are_as_many_as_records) {
    enum { MOST = 64 };
    for (uint32_t count = 1; count <= MOST; count += count < 8 ? 1 : 7) {
        static bsi_textscan scan;
        static bsi_plan plan;
        biost_record_row records[MOST];
        bsi_textscan_row guard;
        bsi_textscan_page page;
        bsi_pipe_view view;
        bsi_scan_table table;
        uint8_t text[MOST * 16];
        bsi_textscan_row *rows = (bsi_textscan_row *)(void *)test_copy(NULL, (count + 1) * sizeof *rows);
        memset(&scan, 0, sizeof scan);
        memset(&plan, 0, sizeof plan);
        memset(&page, 0, sizeof page);
        memset(&view, 0, sizeof view);
        memset(&table, 0, sizeof table);
        memset(text, 'A', sizeof text);
        memset(records, 0, sizeof records);
        memset(rows, 0xA5, (count + 1) * sizeof *rows);
        memset(&guard, 0xA5, sizeof guard);
        for (uint32_t i = 0; i < count; i++) {
            records[i].start = 16 * i;
            records[i].seq = 16 * i + 4;
            records[i].title_bytes = 2;
            records[i].bases = 1 + i % 5;
        }
        scan.plan = &plan;
        page.rows = rows;
        page.text = &view;
        table.rows = (biost_record_row *)(void *)test_copy(records, count * sizeof *records);
        table.count = count;
        table.text = text;
        bsi_textscan_add_rows(&scan, &page, &table);
        test_note("%u records", (unsigned)count);
        CHECK_EQ_U64(page.row_count, count);
        CHECK_EQ_U64(page.longest, count < 5 ? count : 5);
        CHECK_EQ_U64(scan.visited, count);
        CHECK(rows[count - 1].seq == text + 16 * (count - 1) + 4 && rows[count - 1].pieces == 1);
        CHECK_MEM(&rows[count], &guard, sizeof guard);
        free(table.rows);
        free(rows);
    }
}
