/*
 * xxh64.h - XXH64 a second time, for tests: from the steps of its specification, in one go and byte
 * by byte. The header's own works in pieces; the two share no line.
 */
#ifndef XXH64_H
#define XXH64_H

#include <stddef.h>
#include <stdint.h>

/* The specification's primes 1..5, in decimal. */
static const uint64_t xxh64_primes[5] = {11400714785074694791u, 14029467366897019727u, 1609587929392839161u,
                                         9650029242287828579u, 2870177450012600261u};

static uint64_t xxh64_turn(uint64_t value, int bits) {
    return (value << bits) | (value >> (64 - bits));
}

static uint64_t xxh64_number(const uint8_t *bytes, int count) {
    uint64_t value = 0;
    while (count > 0) {
        --count;
        value = value * 256 + bytes[count];
    }
    return value;
}

/* The specification's round(acc, lane). */
static uint64_t xxh64_round(uint64_t acc, uint64_t lane) {
    acc += lane * xxh64_primes[1];
    return xxh64_turn(acc, 31) * xxh64_primes[0];
}

static uint64_t slow_xxh64(const void *data, size_t count, uint64_t seed) {
    static const int turns[4] = {1, 7, 12, 18};
    const uint8_t *bytes = (const uint8_t *)data;
    uint64_t lanes[4], acc = seed + xxh64_primes[4];
    size_t at = 0;
    int i;
    lanes[0] = seed + xxh64_primes[0] + xxh64_primes[1];
    lanes[1] = seed + xxh64_primes[1];
    lanes[2] = seed;
    lanes[3] = seed - xxh64_primes[0];
    for (; at + 32 <= count; at += 32) { /* steps 1 and 2: stripes */
        for (i = 0; i < 4; i++) {
            lanes[i] = xxh64_round(lanes[i], xxh64_number(bytes + at + 8 * (size_t)i, 8));
        }
    }
    if (count >= 32) { /* step 3: the lanes converge */
        acc = 0;
        for (i = 0; i < 4; i++) {
            acc += xxh64_turn(lanes[i], turns[i]);
        }
        for (i = 0; i < 4; i++) {
            acc = (acc ^ xxh64_round(0, lanes[i])) * xxh64_primes[0] + xxh64_primes[3];
        }
    }
    acc += count;        /* step 4 */
    while (at < count) { /* step 5: what is left, in eights, a four and ones */
        if (count - at >= 8) {
            acc ^= xxh64_round(0, xxh64_number(bytes + at, 8));
            acc = xxh64_turn(acc, 27) * xxh64_primes[0] + xxh64_primes[3];
            at += 8;
        } else if (count - at >= 4) {
            acc ^= xxh64_number(bytes + at, 4) * xxh64_primes[0];
            acc = xxh64_turn(acc, 23) * xxh64_primes[1] + xxh64_primes[2];
            at += 4;
        } else {
            acc ^= bytes[at] * xxh64_primes[4];
            acc = xxh64_turn(acc, 11) * xxh64_primes[0];
            at += 1;
        }
    }
    acc ^= acc >> 33; /* step 6 */
    acc *= xxh64_primes[1];
    acc ^= acc >> 29;
    acc *= xxh64_primes[2];
    return acc ^ acc >> 32;
}

#endif /* XXH64_H */
