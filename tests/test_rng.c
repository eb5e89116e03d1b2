/*
 * test_rng.c - random words: Philox4x32-10 against its published answers, keys and counters put
 * together by hand, bounded numbers counted word by word, and statistics at fixed seeds.
 *
 * rooms: rng
 * needs: loader
 */
#include "white.h"
#include "test.h"
#include "kernels.h"
#include "draws.h"

/* ---- Philox ---- */

/* Rows "philox4x32 10" of Random123's kat_vectors: counter, key, answer. */
static const uint32_t known_answers[3][10] = {
    {0, 0, 0, 0, 0, 0, 0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8},
    {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x408F276D, 0x41C83B0E,
     0xA20BC7C6, 0x6D5451FD},
    {0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0, 0xD16CFE09, 0x94FDCCEB,
     0x5001E420, 0x24126EA1},
};

TEST(rng, philox_known_answers) {
    for (int i = 0; i < 3; i++) {
        const uint32_t *row = known_answers[i];
        bsi_rng_key key;
        uint32_t words[4];
        key.word[0] = row[4];
        key.word[1] = row[5];
        bsi_rng_philox(row, key, words);
        test_note("vector %d", i);
        CHECK_MEM(words, row + 6, sizeof words);
    }
}

/* The paper's figure once more: products by halves, and the key schedule by multiplication. */
static void slow_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    static const uint32_t multipliers[2] = {3528531795u, 3449720151u}; /* D2511F53, CD9E8D57 */
    uint32_t c[4];
    memcpy(c, counter, sizeof c);
    for (uint32_t round = 0; round < 10; round++) {
        uint32_t high[2], low[2];
        for (uint32_t i = 0; i < 2; i++) {
            uint64_t m = multipliers[i], x = c[2 * i];
            uint64_t upper = m * (x >> 16), lower = m * (x & 0xFFFF);
            uint64_t sum = (upper & 0xFFFF) * 65536 + lower;
            low[i] = (uint32_t)(sum & 0xFFFFFFFF);
            high[i] = (uint32_t)(upper / 65536 + sum / 4294967296u);
        }
        c[0] = high[1] ^ c[1] ^ (key[0] + round * 2654435769u); /* 2^32 / golden ratio */
        c[1] = low[1];
        c[2] = high[0] ^ c[3] ^ (key[1] + round * 3144134277u); /* 2^32 x (sqrt(3) - 1) */
        c[3] = low[0];
    }
    memcpy(out, c, sizeof c);
}

TEST(rng, philox_against_a_second_one) {
    uint64_t random = test_seed();
    for (int i = 0; i < 2000; i++) {
        uint32_t in[6], words[4], expected[4];
        bsi_rng_key key;
        for (int k = 0; k < 6; k++) {
            in[k] = (uint32_t)test_random(&random);
        }
        key.word[0] = in[4];
        key.word[1] = in[5];
        slow_philox(in, in + 4, expected);
        bsi_rng_philox(in, key, words);
        CHECK_MEM(words, expected, sizeof words);
    }
}

static kernel_call row_pick(uint32_t cpu, int which) {
    bsi_augment augment;
    (void)which;
    bsi_kernels_augment(&augment, cpu);
    return (kernel_call)augment.draw;
}

/* Places side by side, each with a key of its own: every number of them, by every kernel of this processor. */
TEST(rng, rows_of_places) {
    kernel_mask here[KERNELS_KNOWN];
    size_t kernels = kernels_here(row_pick, 0, here);
    uint64_t random = test_seed();
    for (size_t k = 0; k < kernels; k++) {
        bsi_augment augment;
        test_note("kernel %s", here[k].name);
        bsi_kernels_augment(&augment, here[k].cpu);
        for (uint32_t round = 0; round < 800; round++) {
            uint32_t in[BSI_RNG_WAYS][6], count = 1 + round % BSI_RNG_WAYS;
            bsi_rng_row row;
            memset(&row, 0, sizeof row);
            for (uint32_t way = 0; way < count; way++) {
                const uint64_t id = test_random(&random);
                bsi_rng_key key;
                in[way][0] = 0;
                in[way][1] = (uint32_t)test_random(&random);
                in[way][2] = (uint32_t)id;
                in[way][3] = (uint32_t)(id >> 32);
                in[way][4] = key.word[0] = (uint32_t)test_random(&random);
                in[way][5] = key.word[1] = (uint32_t)test_random(&random);
                bsi_rng_row_put(&row, way, key, (int64_t)id, in[way][1]);
            }
            augment.draw(&row, count);
            for (uint32_t way = 0; way < count; way++) {
                uint32_t expected[4];
                slow_philox(in[way], in[way] + 4, expected);
                for (uint32_t i = 0; i < 4; i++) {
                    CHECK_EQ_U64(row.word[i][way], expected[i]);
                }
            }
        }
    }
}

/* ---- keys and counters ---- */

/* The stage numbers and the tag are part of every draw: they must never change. */
TEST(rng, frozen_numbers) {
    CHECK_EQ_U64(BSI_RNG_KEEP, 3);
    CHECK_EQ_U64(BSI_RNG_SHUFFLE, 4);
    CHECK_EQ_U64(BSI_RNG_CROP, 16);
    CHECK_EQ_U64(BSI_RNG_REVERSE_COMPLEMENT, 19);
    CHECK_EQ_U64(BSI_RNG_SUBSTITUTE, 20);
    CHECK_EQ_U64(BSI_RNG_INJECT_N, 21);
    CHECK_EQ_U64(BSI_RNG_USER, 23);
    CHECK_EQ_U64(BSI_RNG_STAGE_TAG, ('B' << 24) + ('I' << 16) + ('O' << 8) + 'S');
}

/* key = first two words of Philox(counter {epoch low, epoch high, stage, tag}, key = seed). */
TEST(rng, stage_key_by_hand) {
    static const uint32_t seed[2] = {0x55667788, 0x11223344}, /* low word first */
        counter[4] = {0xDDEEFF00, 0x99AABBCC, 20, 0x42494F53};
    uint32_t expected[4];
    bsi_rng_key key = bsi_rng_stage_key(0x1122334455667788u, 0x99AABBCCDDEEFF00u, 20);
    slow_philox(counter, seed, expected);
    CHECK_EQ_U64(key.word[0], expected[0]);
    CHECK_EQ_U64(key.word[1], expected[1]);
}

static int same_key(bsi_rng_key a, bsi_rng_key b) {
    return a.word[0] == b.word[0] && a.word[1] == b.word[1];
}

/* Every bit of seed and epoch, and the stage, change the key. */
TEST(rng, stage_key_takes_all_bits) {
    bsi_rng_key key = bsi_rng_stage_key(0, 0, 4);
    for (int bit = 0; bit < 64; bit++) {
        CHECK(!same_key(bsi_rng_stage_key((uint64_t)1 << bit, 0, 4), key));
        CHECK(!same_key(bsi_rng_stage_key(0, (uint64_t)1 << bit, 4), key));
    }
    for (uint32_t stage = 5; stage < 30; stage++) {
        CHECK(!same_key(bsi_rng_stage_key(0, 0, stage), key));
    }
}

/* counter = {draw, piece, id low, id high}; words of draws 0, 1, 2, ... in order. */
TEST(rng, words_by_hand) {
    static const uint32_t key_words[2] = {0xCAFEF00D, 0x12345678};
    uint32_t counter[4] = {0, 0x0A0B0C0D, 0x89ABCDEF, 0x01234567}, expected[4];
    bsi_rng_key key;
    bsi_rng rng;
    key.word[0] = key_words[0];
    key.word[1] = key_words[1];
    bsi_rng_begin(&rng, key, 0x0123456789ABCDEF, 0x0A0B0C0D);
    for (uint32_t draw = 0; draw < 5; draw++) {
        counter[0] = draw;
        slow_philox(counter, key_words, expected);
        for (int i = 0; i < 4; i++) {
            test_note("draw %u, word %d", draw, i);
            CHECK_EQ_U64(bsi_rng_next(&rng), expected[i]);
        }
    }
}

static int compare_u64(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* DeepBioP seeds anew for each sequence, so that all get the same draws. Here first words of many
 * (id, piece, epoch) are all different: of 20000 random 64-bit numbers two agree once in 10^11. */
TEST(rng, same_draws_for_each_sequence_of_deepbiop) {
    enum { COUNT = 20000 };
    uint64_t *seen = (uint64_t *)(void *)test_copy(NULL, COUNT * sizeof(uint64_t));
    size_t n = 0;
    for (uint64_t epoch = 0; epoch < 2; epoch++) {
        bsi_rng_key key = bsi_rng_stage_key(1, epoch, BSI_RNG_SUBSTITUTE);
        for (int64_t id = 0; id < 5000; id++) {
            for (uint32_t piece = 0; piece < 2; piece++) {
                bsi_rng rng;
                bsi_rng_begin(&rng, key, id % 2 ? id : id << 40, piece);
                seen[n] = (uint64_t)bsi_rng_next(&rng) << 32;
                seen[n++] |= bsi_rng_next(&rng);
            }
        }
    }
    CHECK_EQ_U64(n, COUNT);
    qsort(seen, n, sizeof seen[0], compare_u64);
    for (size_t i = 1; i < n; i++) {
        CHECK(seen[i - 1] != seen[i]);
    }
    free(seen);
}

/* ---- bounded numbers ---- */

/*
 * The words w that multiply and shift sends to number k are those with
 *     k 2^32 <= w bound < (k + 1) 2^32.
 * Of them exactly floor(2^32 / bound) must be taken, the same for each k, and refused those whose
 * low half is below 2^32 mod bound. Low halves grow by `bound` from word to word, so only the first
 * can be refused.
 */
static void check_number(uint32_t bound, uint32_t k) {
    const uint64_t all = (uint64_t)1 << 32;
    uint64_t first = ((uint64_t)k * all + bound - 1) / bound;
    uint64_t last = ((uint64_t)(k + 1) * all - 1) / bound; /* k < bound: below 2^32 */
    uint64_t low = first * bound - (uint64_t)k * all;
    int refused = low < all % bound;
    uint32_t number = 0;
    test_note("bound %u, number %u", bound, k);
    CHECK_EQ_I64(bsi_rng_accept((uint32_t)first, bound, &number), !refused);
    CHECK(refused || number == k);
    CHECK_EQ_U64(last - first + 1 - (uint64_t)refused, all / bound);
    if (last > first) {
        CHECK(bsi_rng_accept((uint32_t)last, bound, &number) && number == k);
        CHECK(bsi_rng_accept((uint32_t)first + 1, bound, &number) && number == k);
    }
}

TEST(rng, bounded_numbers_are_fair) {
    static const uint32_t bounds[] = {1,       2,          3,          5,          6,          7,
                                      10,      255,        256,        1000,       65535,      65536,
                                      1048575, 0x55555555, 0x80000000, 0x80000001, 0xC0000000, 0xFFFFFFFF};
    uint64_t random = test_seed();
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        uint32_t bound = bounds[i], some = bound < 1000 ? bound : 1000;
        for (uint32_t k = 0; k < some; k++) { /* every number is reachable */
            check_number(bound, k);
            check_number(bound, bound - 1 - k);
            check_number(bound, (uint32_t)(test_random(&random) % bound));
        }
    }
}

/* With a power of two nothing is refused; just above 2^31 nearly half is. */
TEST(rng, how_much_is_refused) {
    uint64_t random = test_seed();
    uint32_t number, taken = 0;
    for (int i = 0; i < 10000; i++) {
        uint32_t word = (uint32_t)test_random(&random);
        CHECK(bsi_rng_accept(word, 1u << i % 32, &number));
        CHECK_EQ_U64(number, i % 32 == 0 ? 0 : word >> (32 - i % 32)); /* the top bits */
        taken += (uint32_t)bsi_rng_accept(word, 0x80000001u, &number);
    }
    CHECK(taken > 4700 && taken < 5300); /* 5000, sigma 50 */
}

/* Words of draws 0, 1, 2, ... by the slow Philox, handed out one by one. */
typedef struct slow_words {
    uint32_t key[2], counter[4], block[4], used;
} slow_words;

static uint32_t slow_next(slow_words *words) {
    if (words->used % 4 == 0) {
        words->counter[0] = words->used / 4;
        slow_philox(words->counter, words->key, words->block);
    }
    return words->block[words->used++ % 4];
}

static slow_words slow_begin(uint64_t seed, uint64_t epoch, uint32_t stage, int64_t id, uint32_t piece) {
    uint32_t counter[4], seed_words[2], key[4];
    slow_words words;
    memset(&words, 0, sizeof words);
    counter[0] = (uint32_t)(epoch & 0xFFFFFFFF);
    counter[1] = (uint32_t)(epoch >> 32);
    counter[2] = stage;
    counter[3] = 0x42494F53;
    seed_words[0] = (uint32_t)(seed & 0xFFFFFFFF);
    seed_words[1] = (uint32_t)(seed >> 32);
    slow_philox(counter, seed_words, key);
    memcpy(words.key, key, sizeof words.key);
    words.counter[1] = piece;
    words.counter[2] = (uint32_t)(id & 0xFFFFFFFF);
    words.counter[3] = (uint32_t)(id >> 32);
    return words;
}

/* A word w gives floor(w bound / 2^32) unless w bound mod 2^32 is below 2^32 mod bound. */
static uint32_t slow_below(slow_words *words, uint32_t bound) {
    const uint64_t all = (uint64_t)1 << 32;
    for (;;) {
        uint64_t product = (uint64_t)slow_next(words) * bound;
        if (product % all >= all % bound) {
            return (uint32_t)(product / all);
        }
    }
}

/* Words and bounded numbers mixed: a number takes all words it refuses, and no other. */
TEST(rng, below_word_by_word) {
    static const uint32_t bounds[] = {1,     2,          3,          6,          10,        1000,
                                      65536, 0x80000001, 0xAAAAAAAB, 0xC0000000, 0xFFFFFFFF};
    uint32_t most = 0;
    for (int64_t id = 0; id < 300; id++) {
        slow_words words = slow_begin(42, 7, 16, id << 33 | id, 5);
        bsi_rng rng;
        bsi_rng_begin(&rng, bsi_rng_stage_key(42, 7, 16), id << 33 | id, 5);
        for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
            uint32_t before = words.used;
            test_note("id %d, bound %u", (int)id, bounds[b]);
            CHECK_EQ_U64(bsi_rng_below(&rng, bounds[b]), slow_below(&words, bounds[b]));
            most = words.used - before > most ? words.used - before : most;
            if (id % 3 == 0) {
                CHECK_EQ_U64(bsi_rng_next(&rng), slow_next(&words));
            }
        }
    }
    CHECK(most > 4); /* a number did need words of two draws */
}

/* The random numbers a user gets: stage 23. */
TEST(rng, public_words_are_those_of_stage_23) {
    uint64_t random = test_seed();
    for (int i = 0; i < 200; i++) {
        uint64_t seed = test_random(&random), epoch = test_random(&random);
        int64_t id = (int64_t)(test_random(&random) >> 1);
        uint32_t piece = (uint32_t)test_random(&random);
        slow_words words = slow_begin(seed, epoch, 23, id, piece);
        biost_random mine, again;
        memset(&mine, 0xEE, sizeof mine);
        biost_random_init(&mine, seed, epoch, id, piece);
        for (int k = 0; k < 10; k++) {
            uint32_t bound = (uint32_t)test_random(&random) | 1;
            CHECK_EQ_U64(biost_random_next(&mine), slow_next(&words));
            CHECK_EQ_U64(biost_random_below(&mine, bound), slow_below(&words, bound));
        }
        again = mine; /* plain data: a copy goes on where the other stands */
        CHECK_EQ_U64(biost_random_next(&again), biost_random_next(&mine));
    }
}

/* ---- the window shuffle's two draws ---- */

/* As the definition says it: words 0, 1, 2 of draw 0, then all of draws 1, 2, ...; the first whose
 * low half is not below 2^32 mod window. Returns how many were refused. */
static int slow_delay(bsi_rng_key key, int64_t id, uint32_t piece, uint32_t window, uint32_t *delay) {
    uint32_t counter[4], words[4];
    counter[1] = piece;
    counter[2] = (uint32_t)(id & 0xFFFFFFFF);
    counter[3] = (uint32_t)(id >> 32);
    for (int n = 0;; n++) {
        int place = n < 3 ? n : n + 1; /* word 3 of draw 0 is the tie-breaker */
        counter[0] = (uint32_t)(place / 4);
        slow_philox(counter, key.word, words);
        if ((uint64_t)words[place % 4] * window % 4294967296u >= 4294967296u % window) {
            *delay = (uint32_t)((uint64_t)words[place % 4] * window / 4294967296u);
            return n;
        }
    }
}

TEST(rng, shuffle_draws) {
    static const uint32_t windows[] = {1, 2, 3, 7, 1000, 65536, 0x80000001, 0xAAAAAAAB, 0xFFFFFFFF};
    bsi_rng_key key = bsi_rng_stage_key(42, 3, BSI_RNG_SHUFFLE);
    int refused_times[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (size_t w = 0; w < sizeof windows / sizeof windows[0]; w++) {
        for (int64_t i = 0; i < 500; i++) {
            int64_t id = i << 40 | (i * 7919);
            uint32_t piece = (uint32_t)i % 3, counter[4] = {0, 0, 0, 0}, words[4], delay, out[2];
            int refused = slow_delay(key, id, piece, windows[w], &delay);
            refused_times[refused < 7 ? refused : 7]++;
            counter[1] = piece;
            counter[2] = (uint32_t)(id & 0xFFFFFFFF);
            counter[3] = (uint32_t)(id >> 32);
            slow_philox(counter, key.word, words);
            shuffle_one(key, id, piece, windows[w], out);
            test_note("window %u, id %lld, %d refused", windows[w], (long long)id, refused);
            CHECK_EQ_U64(out[0], delay);
            CHECK_EQ_U64(out[1], words[3]);
            CHECK(out[0] < windows[w]);
        }
    }
    for (int i = 0; i < 8; i++) { /* every way through was seen: draw 0, draw 1, beyond */
        CHECK(refused_times[i] > 0);
    }
}

/* ---- thresholds ---- */

/* floor(p x 2^32), by hand; the numbers are exact in binary. */
TEST(rng, thresholds) {
    CHECK_EQ_U64(bsi_rng_threshold(0.0f), 0);
    CHECK_EQ_U64(bsi_rng_threshold(1.0f), 4294967296u);
    CHECK_EQ_U64(bsi_rng_threshold(0.5f), 2147483648u);
    CHECK_EQ_U64(bsi_rng_threshold(0.75f), 3221225472u);
    CHECK_EQ_U64(bsi_rng_threshold(0.1f), 429496736u);           /* 13421773 / 2^27 */
    CHECK_EQ_U64(bsi_rng_threshold(0.99999994f), 4294967040u);   /* 1 - 2^-24 */
    CHECK_EQ_U64(bsi_rng_threshold(2.3283064365386963e-10f), 1); /* 2^-32 */
    CHECK_EQ_U64(bsi_rng_threshold(2.3e-10f), 0);
    CHECK_EQ_U64(bsi_rng_threshold(3.4e-10f), 1);
    CHECK_EQ_U64(bsi_rng_threshold(1e-45f), 0); /* the smallest float */
}

/*
 * ---- statistics; seeds are fixed, limits are the one-in-a-million quantiles of chi-square ----
 *
 * Where the upper tail, the regularized incomplete gamma function Q(degrees / 2, limit / 2), is
 * 10^-6; by its series and continued fraction (Abramowitz and Stegun 26.4.4, 6.5.29, 6.5.31):
 * of 2 degrees 27.63, 5 35.89, 6 38.26, 9 44.81, 19 63.68, 63 131.37, 255 377.08, 999 1226.05.
 */

static double chi_square(const uint32_t *seen, size_t cells, double expected) {
    double sum = 0;
    for (size_t i = 0; i < cells; i++) {
        sum += ((double)seen[i] - expected) * ((double)seen[i] - expected) / expected;
    }
    return sum;
}

static double delays_chi_square(uint32_t window, uint32_t *seen, uint32_t per_cell) {
    bsi_rng_key key = bsi_rng_stage_key(7, 0, BSI_RNG_SHUFFLE);
    memset(seen, 0, window * sizeof seen[0]);
    for (uint32_t i = 0; i < window * per_cell; i++) {
        uint32_t out[2];
        shuffle_one(key, (int64_t)i, 0, window, out);
        ++seen[out[0]];
    }
    return chi_square(seen, window, per_cell);
}

TEST(rng, delays_are_even) {
    static uint32_t seen[1000];
    CHECK(delays_chi_square(7, seen, 10000) < 38.3);    /* 6 degrees of freedom */
    CHECK(delays_chi_square(10, seen, 5000) < 44.9);    /* 9 */
    CHECK(delays_chi_square(1000, seen, 100) < 1226.1); /* 999 */
}

/* Delay and tie-breaker together: 16 x 16 cells of their top bits. */
TEST(rng, delay_and_tie_are_independent) {
    uint32_t seen[256];
    bsi_rng_key key = bsi_rng_stage_key(8, 0, BSI_RNG_SHUFFLE);
    memset(seen, 0, sizeof seen);
    for (int64_t id = 0; id < 256 * 200; id++) {
        uint32_t out[2];
        shuffle_one(key, id, 0, 16, out);
        ++seen[out[0] * 16 + (out[1] >> 28)];
    }
    CHECK(chi_square(seen, 256, 200) < 377.1); /* 255 */
}

/* The same row in consecutive epochs, and neighbours in one: pairs of top bits are even, too. */
TEST(rng, neighbours_are_independent) {
    uint32_t by_epoch[64], by_id[64], by_piece[64];
    bsi_rng_key now = bsi_rng_stage_key(9, 0, 19), next = bsi_rng_stage_key(9, 1, 19);
    memset(by_epoch, 0, sizeof by_epoch);
    memset(by_id, 0, sizeof by_id);
    memset(by_piece, 0, sizeof by_piece);
    for (int64_t id = 0; id < 64 * 300; id++) {
        bsi_rng a, b, c, d;
        uint32_t word;
        bsi_rng_begin(&a, now, id, 0);
        bsi_rng_begin(&b, next, id, 0);
        bsi_rng_begin(&c, now, id + 1, 0);
        bsi_rng_begin(&d, now, id, 1);
        word = bsi_rng_next(&a) >> 29 << 3;
        ++by_epoch[word | bsi_rng_next(&b) >> 29];
        ++by_id[word | bsi_rng_next(&c) >> 29];
        ++by_piece[word | bsi_rng_next(&d) >> 29];
    }
    CHECK(chi_square(by_epoch, 64, 300) < 131.4); /* 63 */
    CHECK(chi_square(by_id, 64, 300) < 131.4);
    CHECK(chi_square(by_piece, 64, 300) < 131.4);
}

static void count_below(uint32_t bound, uint32_t *seen, uint32_t cells, uint32_t per_cell) {
    biost_random random;
    biost_random_init(&random, 12, 1, (int64_t)bound, 0);
    memset(seen, 0, cells * sizeof seen[0]);
    for (uint32_t i = 0; i < cells * per_cell; i++) {
        uint32_t number = biost_random_below(&random, bound);
        CHECK(number < bound);
        ++seen[number % cells];
    }
}

/* 2^32 words go into 3 2^30 numbers: without refusals every third number would come twice as often
 * as the others. */
TEST(rng, bounded_numbers_are_even) {
    uint32_t seen[1000];
    count_below(3, seen, 3, 20000);
    CHECK(chi_square(seen, 3, 20000) < 27.7); /* 2 degrees of freedom */
    count_below(6, seen, 6, 10000);
    CHECK(chi_square(seen, 6, 10000) < 35.9); /* 5 */
    count_below(20, seen, 20, 5000);
    CHECK(chi_square(seen, 20, 5000) < 63.7); /* 19 */
    count_below(1000, seen, 1000, 100);
    CHECK(chi_square(seen, 1000, 100) < 1226.1); /* 999 */
    count_below(0xC0000000, seen, 3, 20000);
    CHECK(chi_square(seen, 3, 20000) < 27.7);
}

/*
 * DeepBioP's loader permutes each epoch alike. Here delays of the same samples in two epochs fall
 * into the 16 x 16 cells of their pairs evenly; alike, they would fill the diagonal.
 */
TEST(rng, same_permutation_each_epoch_of_deepbiop) {
    uint32_t seen[256];
    bsi_rng_key now = bsi_rng_stage_key(10, 0, BSI_RNG_SHUFFLE);
    bsi_rng_key next = bsi_rng_stage_key(10, 1, BSI_RNG_SHUFFLE);
    memset(seen, 0, sizeof seen);
    for (int64_t id = 0; id < 256 * 200; id++) {
        uint32_t a[2], b[2];
        shuffle_one(now, id, 0, 16, a);
        shuffle_one(next, id, 0, 16, b);
        ++seen[a[0] * 16 + b[0]];
    }
    CHECK(chi_square(seen, 256, 200) < 377.1); /* 255 */
}
