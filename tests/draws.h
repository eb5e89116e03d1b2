/*
 * draws.h - draws of one sample alone, which the library makes for eight at a time. Include it after white.h and test.h.
 */
#ifndef DRAWS_H
#define DRAWS_H

/* The cell and the tie of one sample in the shuffle buffer. */
TEST_MAYBE_UNUSED static void shuffle_one(bsi_rng_key key, int64_t id, uint32_t piece, uint32_t cells,
                                          uint32_t out_cell_tie[2]) {
    bsi_rng_row row;
    bsi_rng_row_put(&row, 0, key, id, piece);
    bsi_rng_row_portable(&row, 1);
    bsi_rng_shuffle(&row, 0, key, id, piece, cells, out_cell_tie);
}

#endif /* DRAWS_H */
