/*
 * test_cut.c - pieces of a sequence that comes in runs: each exactly once, in order, with its own bases, wherever the
 * runs end.
 *
 * rooms: order
 * needs: loader
 */
#include "white.h"
#include "test.h"

enum { CUT_MOST = 400 };

/* The rows of memory hold the next pieces, base k of the sequence being k mod 251. Returns the next piece. */
static uint64_t check_cut_rows(const bsi_order_cut_row *rows, uint32_t count, uint64_t next, uint64_t bases,
                               uint32_t most, uint32_t stride) {
    for (uint32_t r = 0; r < count; r++) {
        CHECK_EQ_U64(rows[r].first_piece, next);
        CHECK(rows[r].pieces > 0);
        for (uint32_t p = 0; p < rows[r].pieces; p++, next++) {
            uint64_t start = next * stride, end = start + most < bases ? start + most : bases;
            if (!CHECK(start >= rows[r].start_base && end <= rows[r].start_base + rows[r].bases)) {
                return next;
            }
            for (uint64_t k = start; k < end; k++) {
                CHECK_EQ_U64(rows[r].seq[k - rows[r].start_base], k % 251);
            }
        }
    }
    return next;
}

/* A sequence of `bases` in runs of random lengths, also of none; broken off: all but its end. */
static void check_cut(uint64_t *random, uint32_t most, uint32_t stride, uint32_t bases, int broken) {
    uint8_t *tail = test_copy(NULL, most), *joint = test_copy(NULL, 2 * most), sequence[CUT_MOST];
    uint64_t next = 0, pieces = 0, at = 0;
    uint32_t reach = 2 + (uint32_t)(test_random(random) % (2 * most + 3));
    bsi_order_cut cut;
    int begun = 0;
    memset(&cut, 0, sizeof cut);
    cut.tail = tail;
    cut.row_bases = most;
    cut.stride = stride;
    for (uint32_t k = 0; k < bases; k++) {
        sequence[k] = (uint8_t)(k % 251);
    }
    do {
        uint32_t run = (uint32_t)(test_random(random) % reach), count;
        bsi_order_cut_row rows[2];
        run = run < bases - at ? run : (uint32_t)(bases - at);
        if (!begun) {
            bsi_order_cut_begin(&cut, sequence, run);
            while (next * stride + most <= run) { /* these are cut from where it lies */
                ++next;
            }
            begun = 1;
        } else {
            memset(joint, 0xEE, 2 * most);
            count = bsi_order_cut_go_on(&cut, sequence + at, run, !broken && at + run == bases, joint, rows);
            next = check_cut_rows(rows, count, next, at + run, most, stride);
        }
        CHECK_EQ_U64(cut.next_piece, next);
        at += run;
    } while (at < bases);
    if (!broken && cut.bases == bases && begun) { /* where the last run came first, it ended in another */
        bsi_order_cut_row rows[2];
        while (pieces * stride + most < bases) {
            ++pieces;
        }
        ++pieces;
        if (next < pieces) {
            next = check_cut_rows(rows, bsi_order_cut_go_on(&cut, sequence, 0, 1, joint, rows), next, bases,
                                  most, stride);
        }
        CHECK_EQ_U64(next, pieces);
    }
    free(tail);
    free(joint);
}

TEST(cut, pieces_once_and_in_order) {
    uint64_t random = test_seed();
    for (uint32_t i = 0; i < test_effort(3000, 20000); i++) {
        uint32_t most = 1 + (uint32_t)(test_random(&random) % 40);
        uint32_t stride = 1 + (uint32_t)(test_random(&random) % most);
        uint32_t bases = (uint32_t)(test_random(&random) % CUT_MOST);
        test_note("case %u: rows of %u, stride %u, %u bases", i, most, stride, bases);
        check_cut(&random, most, stride, bases, i % 3 == 0);
    }
}

/* Rows of 4 every 3 over ABCDEFGHIJ in runs ABCDEF, G, HIJ: pieces ABCD; DEFG; GHIJ. */
TEST(cut, worked_case) {
    uint8_t tail[4], joint[8], text[] = "ABCDEFGHIJ";
    bsi_order_cut_row rows[2];
    bsi_order_cut cut;
    memset(&cut, 0, sizeof cut);
    cut.tail = tail;
    cut.row_bases = 4;
    cut.stride = 3;
    bsi_order_cut_begin(&cut, text, 6);
    CHECK_EQ_U64(cut.next_piece, 1);
    CHECK_EQ_U64(cut.tail_bases, 3);
    CHECK_MEM(tail, "DEF", 3);
    CHECK_EQ_U64(bsi_order_cut_go_on(&cut, text + 6, 1, 0, joint, rows), 1);
    CHECK(rows[0].first_piece == 1 && rows[0].pieces == 1 && rows[0].start_base == 3 && rows[0].bases == 4);
    CHECK_MEM(rows[0].seq, "DEFG", 4);
    CHECK_EQ_U64(cut.tail_bases, 1);
    CHECK_EQ_U64(bsi_order_cut_go_on(&cut, text + 7, 3, 1, joint, rows), 1);
    CHECK(rows[0].first_piece == 2 && rows[0].pieces == 1 && rows[0].start_base == 6 && rows[0].bases == 4);
    CHECK_MEM(rows[0].seq, "GHIJ", 4);
}
