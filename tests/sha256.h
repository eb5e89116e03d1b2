/*
 * sha256.h - SHA-256 as FIPS 180-4 defines it, for comparing outputs with published sums. A helper of
 * the tests: simple, not fast. Proved by test_sha256.c.
 */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct sha256 {
    uint32_t hash[8];
    uint8_t block[64];    /* the bytes of an unfinished block        */
    size_t block_bytes;   /* how many there are                      */
    uint64_t total_bytes; /* of the message so far                   */
} sha256;

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
static const uint32_t sha256_round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t sha256_rotate(uint32_t value, unsigned bits) {
    return value >> bits | value << (32 - bits);
}

/* One block of 64 bytes into the hash (FIPS 180-4, 6.2.2). */
static void sha256_block(uint32_t hash[8], const uint8_t *block) {
    uint32_t w[64], v[8];
    int t, i;
    for (t = 0; t < 16; ++t) {
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | (uint32_t)block[4 * t + 3];
    }
    for (t = 16; t < 64; ++t) {
        uint32_t s0 = sha256_rotate(w[t - 15], 7) ^ sha256_rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = sha256_rotate(w[t - 2], 17) ^ sha256_rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    memcpy(v, hash, sizeof v);
    for (t = 0; t < 64; ++t) {
        uint32_t sum1 = sha256_rotate(v[4], 6) ^ sha256_rotate(v[4], 11) ^ sha256_rotate(v[4], 25);
        uint32_t choose = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t sum0 = sha256_rotate(v[0], 2) ^ sha256_rotate(v[0], 13) ^ sha256_rotate(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t t1 = v[7] + sum1 + choose + sha256_round_constants[t] + w[t];
        for (i = 7; i > 0; --i) {
            v[i] = v[i - 1];
        }
        v[4] += t1;
        v[0] = t1 + sum0 + majority;
    }
    for (i = 0; i < 8; ++i) {
        hash[i] += v[i];
    }
}

/* Begin a message. The numbers: fractional parts of the square roots of the first eight primes. */
static void sha256_begin(sha256 *state) {
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memset(state, 0, sizeof *state);
    memcpy(state->hash, start, sizeof start);
}

/* More of the message, any number of bytes. */
static void sha256_add(sha256 *state, const void *data, size_t bytes) {
    const uint8_t *from = (const uint8_t *)data;
    state->total_bytes += bytes;
    while (bytes > 0) {
        size_t take = 64 - state->block_bytes;
        take = take < bytes ? take : bytes;
        memcpy(state->block + state->block_bytes, from, take);
        state->block_bytes += take;
        from += take;
        bytes -= take;
        if (state->block_bytes == 64) {
            sha256_block(state->hash, state->block);
            state->block_bytes = 0;
        }
    }
}

/* The end: a 1 bit, zeros, the length in bits as 64-bit big-endian; then the hash as 64 hex digits. */
static void sha256_end(sha256 *state, char out_hex[65]) {
    static const char digits[] = "0123456789abcdef";
    uint64_t bits = state->total_bytes * 8;
    uint8_t tail[72];
    size_t zeros = (state->block_bytes < 56 ? 56 : 120) - state->block_bytes; /* the 1 bit's byte too */
    int i;
    memset(tail, 0, sizeof tail);
    tail[0] = 0x80;
    for (i = 0; i < 8; ++i) {
        tail[zeros + (size_t)i] = (uint8_t)(bits >> (56 - 8 * i));
    }
    sha256_add(state, tail, zeros + 8);
    for (i = 0; i < 64; ++i) {
        out_hex[i] = digits[state->hash[i / 8] >> (28 - 4 * (i % 8)) & 15];
    }
    out_hex[64] = '\0';
}

/* SHA-256 of a buffer as 64 lower-case hex digits. */
__attribute__((unused)) static void sha256_hex(const void *data, size_t bytes, char out_hex[65]) {
    sha256 state;
    sha256_begin(&state);
    sha256_add(&state, data, bytes);
    sha256_end(&state, out_hex);
}

#endif /* SHA256_H */
