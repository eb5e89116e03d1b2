/*
 * shape_cases.h - what tests/oracle_shapes.py says of shapes of columns that both draw alike, from shape_vectors.h.
 *
 * Include it after biostream.h and test.h.
 */
#ifndef SHAPE_CASES_H
#define SHAPE_CASES_H

typedef struct shape_case {
    uint32_t kind, order, tail;
    uint64_t seed, epoch;
    uint32_t first_batch, row_bases, pad_multiple, growth, rows_multiple, batch_tokens, pack_samples,
        width_count, batch_rows;
    uint32_t widths[3];
    uint32_t drawn[4]; /* candidates, least and most of their columns, seed */
    uint32_t batches, count, first[12];
    uint64_t hash;
} shape_case;

static const shape_case shape_cases[] = {
#include "shape_vectors.h"
};

/* Lengths as the oracle draws columns. */
static void shape_draw(const uint32_t drawn[4], uint32_t *lengths) {
    uint32_t x = drawn[3];
    for (uint32_t i = 0; i < drawn[0]; i++) {
        x = (1103515245u * x + 12345u) & 0x7FFFFFFFu;
        lengths[i] = drawn[1] + (x >> 8) % (drawn[2] - drawn[1] + 1);
    }
}

/* That numbers, which become those of a file, are an epoch's batches as the oracle has them. */
static void shape_check(const shape_case *of, uint32_t *numbers, size_t count) {
    CHECK_EQ_U64(count, of->count);
    for (size_t i = 0; i < count && i < 12; i++) {
        CHECK_EQ_U64(numbers[i], of->first[i]);
    }
    for (size_t i = 0; i < count; i++) {
        bsi_cpu_store32((uint8_t *)(void *)&numbers[i], numbers[i]);
    }
    CHECK_EQ_U64(slow_xxh64(numbers, count * sizeof(uint32_t), 0), of->hash);
}

#endif
