/*
 * test_hash.c - XXH64 against published values and against a second implementation (xxh64.h).
 *
 * rooms: hash
 * needs: loader
 */
#include "white.h"
#include "test.h"
#include "kernels.h"
#include "xxh64.h"

static uint64_t hash_bytes(const void *data, size_t count, uint64_t seed) {
    bsi_hash hash;
    bsi_hash_begin(&hash, seed);
    bsi_hash_update(&hash, data, count);
    return bsi_hash_end(&hash);
}

typedef struct hash_case {
    const char *text;
    uint64_t seed, hash;
} hash_case;

/* Values that the tests of xxHash and of its ports agree on. */
static const hash_case published[] = {
    {"", 0, 0xEF46DB3751D8E999u},
    {"", 1, 0xD5AFBA1336A3BE4Bu},
    {"a", 0, 0xD24EC4F1A98C6E5Bu},
    {"as", 0, 0x1C330FB2D66BE179u},
    {"asd", 0, 0x631C37CE72A97393u},
    {"asdf", 0, 0x415872F599CEA71Eu},
    {"abc", 0, 0x44BC2CF5AD770999u},
    {"abcdefgh", 0, 0x3AD351775B4634B7u},
    {"abcdefghij", 0, 0xD6287A1DE5498BB2u},
    {"0123456789abcdef", 0, 0x5C5B90C34E376D0Bu},
    {"0123456789abcdef0123456789abcdef", 0, 0x642A94958E71E6C5u},
    {"abcdefghijklmnopqrstuvwxyz012345", 0, 0xBF2CD639B4143B80u},
    {"abcdefghijklmnopqrstuvwxyz0123456789", 0, 0x64F23ECF1609B766u},
    {"Nobody inspects the spammish repetition", 0, 0xFBCEA83C8A378BF1u},
    {"Call me Ishmael. Some years ago--never mind how long precisely-", 0, 0x02A2E85470D6FD96u},
};

TEST(hash, published_values) {
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        const hash_case *c = &published[i];
        test_note("\"%s\", seed %u", c->text, (unsigned)c->seed);
        CHECK_EQ_U64(hash_bytes(c->text, strlen(c->text), c->seed), c->hash);
        CHECK_EQ_U64(slow_xxh64(c->text, strlen(c->text), c->seed), c->hash);
    }
}

/* The self-check of the xxhsum program, releases 0.6: bytes from repeated squaring of a prime,
 * hashed with seed 0 and with that prime. */
TEST(hash, published_self_check) {
    static const struct {
        size_t bytes;
        uint64_t plain, seeded;
    } rows[] = {
        {0, 0xEF46DB3751D8E999u, 0xAC75FDA2929B17EFu},
        {1, 0x4FCE394CC88952D8u, 0x739840CB819FA723u},
        {14, 0xCFFA8DB881BC3A3Du, 0x5B9611585EFCC9CBu},
        {101, 0x0EAB543384F878ADu, 0xCAA65939306F1E21u},
    };
    const uint32_t prime = 2654435761u;
    uint32_t value = prime;
    uint8_t bytes[101];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(value >> 24);
        value *= value;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_note("%u bytes", (unsigned)rows[i].bytes);
        CHECK_EQ_U64(hash_bytes(bytes, rows[i].bytes, 0), rows[i].plain);
        CHECK_EQ_U64(hash_bytes(bytes, rows[i].bytes, prime), rows[i].seeded);
    }
}

static uint8_t *random_bytes(uint64_t *random, size_t count) {
    uint8_t *bytes = test_copy(NULL, count);
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)test_random(random);
    }
    return bytes;
}

/* Every length over four stripes, at every alignment to eight, with random seeds. */
TEST(hash, lengths_and_alignments) {
    uint64_t random = test_seed();
    for (size_t count = 0; count <= 4 * 32 + 1; count++) {
        for (size_t shift = 0; shift < 8; shift++) {
            uint8_t *bytes = random_bytes(&random, shift + count);
            uint64_t seed = test_random(&random);
            test_note("%u bytes at %u", (unsigned)count, (unsigned)shift);
            CHECK_EQ_U64(hash_bytes(bytes + shift, count, seed), slow_xxh64(bytes + shift, count, seed));
            free(bytes);
        }
    }
}

/* Any cut into two, and end() in between, which must not disturb what follows. */
TEST(hash, every_cut) {
    uint64_t random = test_seed();
    uint8_t *bytes = random_bytes(&random, 100);
    uint64_t whole = slow_xxh64(bytes, 100, 7);
    for (size_t cut = 0; cut <= 100; cut++) {
        bsi_hash hash;
        test_note("cut at %u", (unsigned)cut);
        bsi_hash_begin(&hash, 7);
        bsi_hash_update(&hash, bytes, cut);
        CHECK_EQ_U64(bsi_hash_end(&hash), slow_xxh64(bytes, cut, 7));
        bsi_hash_update(&hash, bytes + cut, 100 - cut);
        CHECK_EQ_U64(bsi_hash_end(&hash), whole);
    }
    free(bytes);
}

/* Many random pieces, empty ones among them; each from exact heap memory. */
TEST(hash, random_pieces) {
    uint64_t random = test_seed();
    for (int round = 0; round < 200; round++) {
        size_t count = (size_t)(test_random(&random) % 600), at = 0;
        uint8_t *bytes = random_bytes(&random, count);
        bsi_hash hash;
        bsi_hash_begin(&hash, (uint64_t)round);
        while (at < count) {
            size_t piece = (size_t)(test_random(&random) % 70);
            uint8_t *copy;
            piece = piece < count - at ? piece : count - at;
            copy = test_copy(bytes + at, piece);
            bsi_hash_update(&hash, copy, piece);
            free(copy);
            at += piece;
        }
        CHECK_EQ_U64(bsi_hash_end(&hash), slow_xxh64(bytes, count, (uint64_t)round));
        free(bytes);
    }
}

/* One flipped bit anywhere makes another hash. */
TEST(hash, every_bit_matters) {
    uint8_t bytes[75];
    uint64_t whole;
    memset(bytes, 'A', sizeof bytes);
    whole = hash_bytes(bytes, sizeof bytes, 0);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] = (uint8_t)(bytes[bit / 8] ^ 1u << bit % 8);
        CHECK(hash_bytes(bytes, sizeof bytes, 0) != whole);
        bytes[bit / 8] = (uint8_t)(bytes[bit / 8] ^ 1u << bit % 8);
    }
    for (uint32_t bit = 0; bit < 64; bit++) {
        CHECK(hash_bytes(bytes, sizeof bytes, (uint64_t)1 << bit) != whole);
    }
}

/* Numbers from xorshift64, as bytes. */
static void fill_bytes(uint8_t *bytes, size_t count, uint64_t seed) {
    for (size_t i = 0; i < count; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        bytes[i] = (uint8_t)(seed >> 32);
    }
}

/* Words at the end are the same bytes in little-endian order. */
TEST(hash, words_at_the_end) {
    uint8_t bytes[3 * 32 + 7 * 8];
    fill_bytes(bytes, sizeof bytes, 11);
    for (size_t stripes = 0; stripes <= 3; stripes++) {
        for (uint32_t count = 0; count < 8; count++) {
            uint64_t words[8] = {0};
            bsi_hash hash;
            for (uint32_t i = 0; i < 8 * count; i++) {
                words[i / 8] |= (uint64_t)bytes[32 * stripes + i] << (i % 8 * 8);
            }
            bsi_hash_begin(&hash, count);
            bsi_hash_update(&hash, bytes, 32 * stripes);
            CHECK_EQ_U64(bsi_hash_end_words(&hash, words, count),
                         slow_xxh64(bytes, 32 * stripes + 8 * count, count));
        }
    }
}

/* The bytes of words in little-endian order. */
static void put_words(uint8_t *out, const uint64_t *words, size_t count) {
    for (size_t i = 0; i < 8 * count; i++) {
        out[i] = (uint8_t)(words[i / 8] >> (i % 8 * 8));
    }
}

/* What the hashes of `many` should be after `tail`. */
static uint64_t slow_of_many(const uint64_t place[3], uint32_t i, const uint8_t *bytes, size_t stripes,
                             const uint8_t *tail, size_t tail_bytes) {
    static uint8_t copy[32 * 80 + 64];
    uint64_t words[3];
    memcpy(words, place, sizeof words);
    words[2] += i;
    put_words(copy, words, 3);
    words[0] = slow_xxh64(copy, 24, 0);
    memcpy(copy, bytes, 32 * stripes);
    memcpy(copy + 32 * stripes, tail, tail_bytes);
    return slow_xxh64(copy, 32 * stripes + tail_bytes, words[0]);
}

/* Hashes side by side, ended each by itself and together; their inputs may overlap. */
static void check_many(uint32_t cpu) {
    enum { STRIPES = 80 };
    static uint8_t bytes[BSI_HASH_MANY * 32 * STRIPES], tail[BSI_HASH_MANY][64];
    static const size_t steps[] = {0, 1, 33, 600, 32 * STRIPES};
    const uint64_t place[3] = {1, (uint64_t)7 << 40, UINT64_MAX - 3};
    uint64_t words[7][BSI_HASH_MANY], values[BSI_HASH_MANY];
    bsi_hash_kernels kernels;
    bsi_kernels_hash(&kernels, cpu);
    fill_bytes(bytes, sizeof bytes, 5);
    fill_bytes((uint8_t *)words, sizeof words, 6);
    for (uint32_t i = 0; i < BSI_HASH_MANY; i++) {
        for (uint32_t k = 0; k < 7; k++) {
            put_words(tail[i] + 8 * k, &words[k][i], 1);
        }
    }
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        for (size_t stripes = 0; stripes <= STRIPES; stripes += 1 + stripes / 5) {
            bsi_hash hashes[BSI_HASH_MANY];
            uint32_t count = stripes == 0 ? 4 : (uint32_t)(stripes % 8); /* 32 bytes or more */
            kernels.many(hashes, place, bytes, steps[s], stripes);
            for (uint32_t i = 0; i < BSI_HASH_MANY; i++) {
                bsi_hash hash = hashes[i];
                bsi_hash_update(&hash, tail[i], 3);
                CHECK_EQ_U64(bsi_hash_end(&hash),
                             slow_of_many(place, i, bytes + i * steps[s], stripes, tail[i], 3));
            }
            kernels.end(hashes, words[0], count, values);
            for (uint32_t i = 0; i < BSI_HASH_MANY; i++) {
                CHECK_EQ_U64(values[i], slow_of_many(place, i, bytes + i * steps[s], stripes, tail[i],
                                                     8 * (size_t)count));
            }
        }
    }
}

static kernel_call pick_many(uint32_t cpu, int which) {
    bsi_hash_kernels kernels;
    bsi_kernels_hash(&kernels, cpu);
    return which == 0 ? (kernel_call)kernels.many : (kernel_call)kernels.end;
}

TEST(hash, many_at_a_time) {
    kernel_mask here[KERNELS_KNOWN];
    size_t count = kernels_here(pick_many, 0, here);
    CHECK(count >= 1 && here[0].cpu == 0);
    for (size_t i = 0; i < count; i++) {
        test_note("%s", here[i].name);
        check_many(here[i].cpu);
    }
    kernels_print("hash", here, count);
}

/* ---- keys ---- */

enum { KEY_MOST = 80 };

/* A batch of keys of these lengths, from a text that ends as soon as a kernel may read no further. */
static void check_keys(const bsi_hash_kernels *kernels, const size_t *lengths, size_t count, uint64_t seed) {
    size_t used = 0, most = 0, start[BSI_HASH_MANY];
    uint64_t values[BSI_HASH_MANY];
    bsi_hash_batch batch;
    uint8_t *text;
    for (size_t i = 0; i < count; i++) { /* keys do not come in order, and share bytes */
        start[i] = (i * 5 % count) * 7;
        most = start[i] + lengths[i] > most ? start[i] + lengths[i] : most;
        used += lengths[i];
    }
    text = test_copy(NULL, most + BSI_HASH_KEY_PAST);
    fill_bytes(text, most + BSI_HASH_KEY_PAST, (uint32_t)used);
    bsi_hash_batch_begin(&batch, text);
    for (size_t i = 0; i < count; i++) {
        bsi_hash_batch_add(&batch, text + start[i], lengths[i]);
    }
    bsi_hash_batch_end(kernels, seed, &batch, values);
    for (size_t i = 0; i < count; i++) {
        CHECK_EQ_U64(values[i], slow_xxh64(text + start[i], lengths[i], seed));
    }
    CHECK(batch.count == 0 && batch.fit == 0);
    free(text);
}

/* Every length beside every other, keys that no kernel takes among them, and batches that are not full. */
static void check_keys_by(uint32_t cpu) {
    size_t lengths[BSI_HASH_MANY];
    bsi_hash_kernels kernels;
    bsi_kernels_hash(&kernels, cpu);
    for (size_t length = 0; length <= KEY_MOST; length++) {
        for (size_t other = 0; other <= KEY_MOST; other++) {
            for (size_t i = 0; i < BSI_HASH_MANY; i++) {
                lengths[i] = i % 3 == 0 ? length : i % 3 == 1 ? other : (length + other) / 2;
            }
            check_keys(&kernels, lengths, BSI_HASH_MANY, length + ((uint64_t)other << 40));
        }
        check_keys(&kernels, lengths, length % (BSI_HASH_MANY + 1), UINT64_MAX - length);
    }
}

static kernel_call pick_keys(uint32_t cpu, int which) {
    bsi_hash_kernels kernels;
    (void)which;
    bsi_kernels_hash(&kernels, cpu);
    return (kernel_call)kernels.keys;
}

TEST(hash, keys) {
    kernel_mask here[KERNELS_KNOWN];
    size_t count = kernels_here(pick_keys, 0, here);
    CHECK(count >= 1 && here[0].cpu == 0);
    for (size_t i = 0; i < count; i++) {
        test_note("%s", here[i].name);
        check_keys_by(here[i].cpu);
    }
    kernels_print("hash, keys", here, count);
}
