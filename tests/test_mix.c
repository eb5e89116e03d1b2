/*
 * test_mix.c - which group each row comes from, against the definition in fractions and what it promises; and the
 * permutations of >>order, whose numbers below are those of a program written from the definition alone.
 *
 * rooms: order
 * needs: loader
 */
#include "white.h"
#include "test.h"

/* ---- shares ---- */

/* The letter of each of `rows` rows' group, 'a' for the first. */
static void check_letters(const uint32_t *weights, uint32_t count, const char *want) {
    bsi_order_mix mix;
    char letters[128];
    uint32_t i, rows = (uint32_t)strlen(want);
    bsi_order_mix_begin(&mix, weights, count);
    for (i = 0; i < rows; i++) {
        letters[i] = (char)('a' + (int)bsi_order_mix_next(&mix));
    }
    letters[rows] = '\0';
    CHECK_STR(letters, want);
}

TEST(mix, choices_by_hand) {
    static const uint32_t three[] = {3, 2, 1}, large_first[] = {50, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint32_t divided[] = {6, 4, 10}, equal[] = {1, 1}, four[] = {7, 1, 3, 5};
    static const uint32_t one[] = {9}, most[] = {4294967295u, 4294967295u};
    check_letters(three, 3, "ababacababac");
    check_letters(large_first, 10, "aaaaaabaaaaaacaaaaadaaaaaaeaaaaafaaaaaagaaaaahaaaaaaiaaaaaj");
    check_letters(divided, 3, "cacbcacabccacbcacabc");
    check_letters(equal, 2, "abababab");
    check_letters(four, 4, "adacdaadcadabacd");
    check_letters(one, 1, "aaaaa");
    check_letters(most, 2, "abab");
}

/* Shares of the rows taken so far: the difference to the exact share, times S, is below S in both directions. */
static int is_within(const uint32_t *taken, const bsi_order_mix *mix, uint64_t rows, uint64_t most) {
    uint32_t g;
    for (g = 0; g < mix->count; g++) {
        uint64_t is = taken[g] * mix->sum, wished = rows * mix->weights[g];
        uint64_t apart = is > wished ? is - wished : wished - is;
        if (apart >= most * mix->sum) {
            return 0;
        }
    }
    return 1;
}

/* The definition, where every fraction is compared with every other one. */
static uint32_t defined_group(const bsi_order_mix *mix, const uint32_t *taken, uint64_t row) {
    uint32_t a, b;
    for (a = 0; a < mix->count; a++) {
        int best = taken[a] * mix->sum < (row % mix->sum + 1) * mix->weights[a];
        for (b = 0; best && b < mix->count; b++) {
            if (taken[b] * mix->sum < (row % mix->sum + 1) * mix->weights[b]) {
                uint64_t of_a = (uint64_t)(taken[a] + 1) * mix->weights[b];
                uint64_t of_b = (uint64_t)(taken[b] + 1) * mix->weights[a];
                best = b < a ? of_a < of_b : of_a <= of_b;
            }
        }
        if (best) {
            return a;
        }
    }
    return mix->count;
}

#define WINDOW 32u /* rows of a batch */

/* Several stretches of S rows, row by row. */
static void check_shares(const uint32_t *weights, uint32_t count, uint64_t rows) {
    bsi_order_mix mix;
    uint32_t taken[64], window[64], recent[WINDOW], g;
    uint64_t row;
    int prefixes = 1, windows = 1, stretches = 1, same = 1;
    bsi_order_mix_begin(&mix, weights, count);
    memset(taken, 0, sizeof taken);
    memset(window, 0, sizeof window);
    for (row = 0; row < rows; row++) {
        if (row % mix.sum == 0) {
            memset(taken, 0, sizeof taken);
        }
        g = bsi_order_mix_next(&mix);
        REQUIRE(g < count);
        same &= g == defined_group(&mix, taken, row);
        taken[g]++;
        prefixes &= is_within(taken, &mix, row % mix.sum + 1, 1);
        if (row >= WINDOW) {
            window[recent[row % WINDOW]]--;
        }
        recent[row % WINDOW] = g;
        window[g]++;
        windows &= row + 1 < WINDOW || is_within(window, &mix, WINDOW, 2);
        if ((row + 1) % mix.sum == 0) {
            stretches &= memcmp(taken, mix.weights, count * sizeof taken[0]) == 0;
        }
    }
    test_note("%u groups, S = %u, first weight %u", count, (unsigned)mix.sum, weights[0]);
    CHECK(same);
    CHECK(prefixes);
    CHECK(windows);
    CHECK(stretches);
    CHECK_EQ_U64(mix.at, rows);
}

/* 200 lists of weights: of few and many groups, small and large weights, alike and unlike, with a divisor. */
TEST(mix, shares_are_exact) {
    uint64_t state = test_seed();
    unsigned list;
    for (list = 0; list < 200; list++) {
        uint32_t weights[64], i, count = (uint32_t)(1 + test_random(&state) % (list % 4 == 0 ? 64 : 6));
        uint32_t most = (uint32_t)(1 + test_random(&state) % (list % 3 == 0 ? 3 : 60));
        uint32_t factor = (uint32_t)(1 + test_random(&state) % 1000000);
        uint64_t sum;
        for (i = 0; i < count; i++) {
            weights[i] = (uint32_t)(1 + test_random(&state) % most) * factor;
        }
        if (list % 5 == 0) {
            weights[test_random(&state) % count] = 100 * factor;
        }
        sum = bsi_order_mix_sum(weights, count);
        check_shares(weights, count, sum * 3 + 7);
    }
}

TEST(mix, the_largest_sum) {
    static const uint32_t weights[] = {1, 524287, 524288}, more[] = {2, 524287, 524288};
    bsi_order_mix mix;
    CHECK_EQ_U64(bsi_order_mix_sum(weights, 3), BSI_ORDER_MIX_SUM_MAX);
    CHECK_EQ_U64(bsi_order_mix_sum(more, 3), BSI_ORDER_MIX_SUM_MAX + 1);
    check_shares(weights, 3, BSI_ORDER_MIX_SUM_MAX * 2);
    bsi_order_mix_begin(&mix, weights, 3);
    bsi_order_mix_seek(&mix, UINT64_MAX); /* the last row there can be */
    CHECK_EQ_U64(mix.at, UINT64_MAX);
}

/* Going to a row gives what counting up to it gives. */
TEST(mix, seek) {
    uint64_t state = test_seed();
    unsigned list;
    for (list = 0; list < 20; list++) {
        bsi_order_mix counted, sought;
        uint32_t weights[64], i, count = (uint32_t)(1 + test_random(&state) % 64);
        uint64_t row = test_random(&state) % 5000;
        for (i = 0; i < count; i++) {
            weights[i] = (uint32_t)(1 + test_random(&state) % 20);
        }
        bsi_order_mix_begin(&counted, weights, count);
        bsi_order_mix_begin(&sought, weights, count);
        while (counted.at < row) {
            (void)bsi_order_mix_next(&counted);
        }
        bsi_order_mix_seek(&sought, test_random(&state) % 5000);
        bsi_order_mix_seek(&sought, row);
        CHECK_EQ_U64(sought.at, row);
        for (i = 0; i < 3000; i++) {
            REQUIRE(bsi_order_mix_next(&counted) == bsi_order_mix_next(&sought));
        }
    }
}

TEST(mix, one_group_is_instant) {
    const uint32_t weight = 1;
    bsi_order_mix mix;
    bsi_order_mix_begin(&mix, &weight, 1);
    bsi_order_mix_seek(&mix, (uint64_t)1 << 60);
    CHECK_EQ_U64(bsi_order_mix_next(&mix), 0);
    CHECK_EQ_U64(mix.at, ((uint64_t)1 << 60) + 1);
}

/* ---- permutations ---- */

TEST(permute, keys) {
    static const uint64_t want[16] = {
        0x0959ef626b1bfa4f, 0x4856759254a47a7f, 0x03a3c713cd07e51a, 0x7680c1364dced69,
        0xcce5dbfd02067248, 0xba563fd211c28fb9, 0x6ce56b8fdd14b9c3, 0x2599ff49dae258c9,
        0x58bc9fbe059cd022, 0xef896bf11bcc3cb0, 0xffc7dfcf8addc251, 0x8a28cb41b830af58,
        0xfae10734cfa685f5, 0x66ae92411f9a2ea0, 0xe8ae0241ebe09390, 0x86fb401981f23222};
    uint64_t keys[16];
    bsi_rng_key key = bsi_rng_pass_key(0x0123456789ABCDEF, 0x1122334455667788, 3, BSI_RNG_FILES);
    bsi_rng_key stage = bsi_rng_stage_key(5, 6, BSI_RNG_SHUFFLE);
    bsi_rng_key pass_0 = bsi_rng_pass_key(5, 6, 0, BSI_RNG_SHUFFLE);
    CHECK_EQ_U64(key.word[0], 0x529a475a);
    CHECK_EQ_U64(key.word[1], 0x0eef577b);
    CHECK_MEM(&stage, &pass_0, sizeof stage);
    bsi_rng_permute_keys(42, 7, 0, BSI_RNG_FILES, 0, keys);
    CHECK_MEM(keys, want, sizeof want);
    bsi_rng_permute_keys(0x0123456789ABCDEF, 0x1122334455667788, 3, BSI_RNG_FILES, 5, keys);
    CHECK_EQ_U64(keys[0], 0xd818e58b4f34fab9);
    CHECK_EQ_U64(keys[15], 0xdd68a5459612d268);
}

static uint64_t permuted(const uint64_t keys[16], uint64_t n, uint64_t i) {
    return bsi_order_permute(keys, n, i);
}

TEST(permute, vectors) {
    static const uint64_t of_10[] = {6, 9, 8, 1, 3, 7, 0, 4, 5, 2}, of_3[] = {1, 2, 0}, of_2[] = {1, 0};
    static const uint64_t of_17[] = {6, 12, 16, 9, 7, 4, 15, 1, 13, 0, 2, 14, 10, 5, 8, 3, 11};
    /* n, and the places 0, 1 and n - 1 */
    static const uint64_t large[][4] = {
        {65535, 10923, 35829, 7847},
        {65536, 28797, 37751, 28156},
        {65537, 7641, 57169, 63612},
        {4294967297, 169489437, 3342608305, 3045012122},
        {1000000000000, 518091573505, 260996767797, 127607401192},
        {9223372036854775808u, 3802938932867628278, 4990452126200566410, 382766388118419769},
        {18446744073709551615u, 17618751361041140970u, 17666179544617603519u, 15704433481318591740u}};
    uint64_t keys[16], i;
    bsi_rng_permute_keys(42, 7, 0, BSI_RNG_FILES, 0, keys);
    for (i = 0; i < 10; i++) {
        CHECK_EQ_U64(permuted(keys, 10, i), of_10[i]);
        CHECK(i >= 3 || permuted(keys, 3, i) == of_3[i]);
        CHECK(i >= 2 || permuted(keys, 2, i) == of_2[i]);
    }
    CHECK_EQ_U64(permuted(keys, 1, 0), 0);
    bsi_rng_permute_keys(0x0123456789ABCDEF, 0x1122334455667788, 3, BSI_RNG_FILES, 5, keys);
    for (i = 0; i < 17; i++) {
        CHECK_EQ_U64(permuted(keys, 17, i), of_17[i]);
    }
    for (i = 0; i < sizeof large / sizeof large[0]; i++) {
        CHECK_EQ_U64(permuted(keys, large[i][0], 0), large[i][1]);
        CHECK_EQ_U64(permuted(keys, large[i][0], 1), large[i][2]);
        CHECK_EQ_U64(permuted(keys, large[i][0], large[i][0] - 1), large[i][3]);
    }
}

static void check_bijective(uint64_t seed, uint32_t n) {
    uint8_t *seen = test_copy(NULL, n);
    uint64_t keys[16];
    uint32_t i;
    int fine = 1;
    memset(seen, 0, n);
    bsi_rng_permute_keys(seed, n, n % 3, BSI_RNG_FILES, n % 64, keys);
    for (i = 0; i < n; i++) {
        uint64_t place = permuted(keys, n, i);
        if (place >= n || seen[place]) {
            fine = 0;
            break;
        }
        seen[place] = 1;
    }
    test_note("n = %u", n);
    CHECK(fine);
    free(seen);
}

TEST(permute, bijective) {
    static const uint32_t more[] = {1023, 1024, 1025, 4097, 65535, 65536, 65537, 100003};
    uint32_t n, i;
    for (n = 1; n <= 300; n++) {
        check_bijective(test_seed(), n);
    }
    for (i = 0; i < sizeof more / sizeof more[0]; i++) {
        check_bijective(test_seed() + i, more[i]);
    }
}

/* Each of the 24 orders of 4 is as likely as the others: 23 degrees of freedom, one in a million beyond 71. */
TEST(permute, orders_of_four_are_alike) {
    uint32_t seen[256], i, epoch, code;
    const uint32_t epochs = 24000;
    double sum = 0;
    memset(seen, 0, sizeof seen);
    for (epoch = 0; epoch < epochs; epoch++) {
        uint64_t keys[16];
        bsi_rng_permute_keys(1, epoch, 0, BSI_RNG_FILES, 0, keys);
        for (i = 0, code = 0; i < 4; i++) {
            code = code << 2 | (uint32_t)permuted(keys, 4, i);
        }
        seen[code]++;
    }
    for (i = 0, code = 0; i < 256; i++) {
        if (seen[i]) {
            double apart = seen[i] - epochs / 24.0;
            sum += apart * apart / (epochs / 24.0);
            code++;
        }
    }
    CHECK_EQ_U64(code, 24);
    CHECK(sum < 71);
}
