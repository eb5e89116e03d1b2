/*
 * test_augment.c - filters, reverse complement and substitution. The oracle of substitution
 * follows its definition word by word: words come one by one from Philox, tables are searched from
 * the front.
 */
#include "white.h"
#include "test.h"

/* ---- filter ---- */

static int keep(uint64_t min_bases, uint64_t max_bases, uint64_t mean_1000, const char *qual) {
    bsi_filter filter;
    size_t bases = strlen(qual);
    uint8_t *copy = test_copy(qual, bases);
    int kept;
    filter.min_bases = min_bases;
    filter.max_bases = max_bases;
    filter.min_mean_quality_1000 = mean_1000;
    kept = bsi_filter_keep(&filter, copy, bases);
    free(copy);
    return kept;
}

TEST(filter, lengths_are_inclusive) {
    CHECK(keep(0, 0, 0, ""));
    CHECK(keep(0, 0, 0, "IIIII"));
    CHECK(!keep(5, 0, 0, "IIII"));
    CHECK(keep(5, 0, 0, "IIIII"));
    CHECK(keep(0, 5, 0, "IIIII"));
    CHECK(!keep(0, 5, 0, "IIIIII"));
    CHECK(keep(5, 5, 0, "IIIII"));
    CHECK(!keep(1, 0, 0, ""));
    CHECK(keep(0, 1, 0, ""));
    CHECK(!keep(6, 5, 0, "IIIII")); /* an empty range keeps nothing */
}

TEST(filter, no_quality_is_needed_for_lengths) {
    bsi_filter filter;
    filter.min_bases = 3;
    filter.max_bases = (uint64_t)1 << 40;
    filter.min_mean_quality_1000 = 0;
    CHECK(bsi_filter_keep(&filter, NULL, 3));
    CHECK(!bsi_filter_keep(&filter, NULL, 2));
}

/* 'I' is 40, '5' is 20, '!' is 0, '"' is 1, '~' is 93. DeepBioP has one mean of raw characters (33
 * too much) and one of Phred values; here 33 is always off. */
TEST(filter, mean_quality_of_raw_ascii_of_deepbiop) {
    CHECK(keep(0, 0, 20000, "5555"));
    CHECK(!keep(0, 0, 20001, "5555"));
    CHECK(keep(0, 0, 20000, "I!I!"));
    CHECK(!keep(0, 0, 20000, "I!I!!"));
    CHECK(!keep(0, 0, 1, "!"));
    CHECK(keep(0, 0, 1000, "\""));
    CHECK(keep(0, 0, 93000, "~~~"));
    CHECK(!keep(0, 0, 93000, "~~}"));
}

/* Means of 1/3 and 2/3 lie between two thresholds, 1/8 on one. */
TEST(filter, mean_quality_in_thousandths) {
    CHECK(keep(0, 0, 333, "!!\""));
    CHECK(!keep(0, 0, 334, "!!\""));
    CHECK(keep(0, 0, 666, "!\"\""));
    CHECK(!keep(0, 0, 667, "!\"\""));
    CHECK(keep(0, 0, 125, "!!!!!!!\"")); /* 1/8, exactly */
    CHECK(!keep(0, 0, 126, "!!!!!!!\""));
}

/* An empty read has mean 0: any threshold drops it, none keeps it. */
TEST(filter, empty_read) {
    CHECK(keep(0, 0, 0, ""));
    CHECK(!keep(0, 0, 1, ""));
    CHECK(!keep(0, 0, 93000, ""));
}

/* The block sum against a plain one, around the ends of blocks of 65536. */
TEST(filter, long_reads) {
    static const size_t lengths[] = {1, 1000, 65535, 65536, 65537, 131072, 131073, 200000};
    uint64_t random = test_seed();
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        uint8_t *qual = test_copy(NULL, lengths[i]);
        uint64_t sum = 0;
        bsi_filter filter;
        for (size_t k = 0; k < lengths[i]; k++) {
            qual[k] = (uint8_t)(33 + test_random(&random) % 94);
            sum += qual[k] - 33u;
        }
        memset(&filter, 0, sizeof filter);
        test_note("%u bases", (unsigned)lengths[i]);
        CHECK_EQ_U64(bsi_filter_quality_sum(qual, lengths[i]), sum);
        filter.min_mean_quality_1000 = 1000 * sum / lengths[i]; /* rounded down */
        CHECK(bsi_filter_keep(&filter, qual, lengths[i]));
        ++filter.min_mean_quality_1000;
        CHECK(!bsi_filter_keep(&filter, qual, lengths[i]));
        memset(qual, '~', lengths[i]); /* the largest sum */
        CHECK_EQ_U64(bsi_filter_quality_sum(qual, lengths[i]), 93 * (uint64_t)lengths[i]);
        free(qual);
    }
}

/* ---- complement ---- */

/* What each IUPAC code stands for, as a set of A 1, C 2, G 4, T 8. The complement of a code is the
 * code of the set with A and T, C and G changed. */
static const char iupac_letters[] = "ACGTRYSWKMBDHVN";
static const uint8_t iupac_sets[] = {1, 2, 4, 8, 1 | 4,     2 | 8,     2 | 4,     1 | 8,
                                     4 | 8, 1 | 2, 2 | 4 | 8, 1 | 4 | 8, 1 | 2 | 8, 1 | 2 | 4, 15};

static uint8_t naive_complement(uint8_t byte) {
    uint8_t lower = byte & 0x20;
    for (int i = 0; iupac_letters[i] != '\0'; i++) {
        if ((uint8_t)(iupac_letters[i] | lower) == byte) {
            uint8_t set = iupac_sets[i], other = 0;
            other = (uint8_t)((set & 1) << 3 | (set & 2) << 1 | (set & 4) >> 1 | (set & 8) >> 3);
            for (int k = 0; iupac_letters[k] != '\0'; k++) {
                if (iupac_sets[k] == other) {
                    return (uint8_t)(iupac_letters[k] | lower);
                }
            }
        }
    }
    return byte == 'U' ? 'A' : byte == 'u' ? 'a' : byte;
}

TEST(augment, complement_of_all_bytes) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        test_note("byte %u", byte);
        CHECK_EQ_U64(bsi_alphabet_complement((uint8_t)byte), naive_complement((uint8_t)byte));
    }
}

/* The pairs by eye, too. */
TEST(augment, complement_by_hand) {
    static const char from[] = "ACGTURYSWKMBDHVNacgturyswkmbdhvn-*.";
    static const char to[] = "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn-*.";
    for (size_t i = 0; i < sizeof from; i++) { /* the NUL stands for itself */
        CHECK_EQ_U64(bsi_alphabet_complement((uint8_t)from[i]), (uint8_t)to[i]);
    }
}

/* A stage with the two probabilities, its keys of (seed, epoch). */
static void begin(bsi_augment *augment, float reverse, float substitute, uint64_t seed,
                  uint64_t epoch) {
    memset(augment, 0xEE, sizeof *augment);
    bsi_augment_begin(augment, reverse, substitute);
    bsi_augment_epoch(augment, seed, epoch);
}

static void check_reversed(const char *seq, const char *expected) {
    bsi_augment augment;
    uint32_t bases = (uint32_t)strlen(seq);
    uint8_t *copy = test_copy(seq, bases);
    begin(&augment, 1.0f, 0.0f, 0, 0);
    test_note("%s", seq);
    bsi_augment_reverse_complement(&augment, copy, bases);
    CHECK_MEM(copy, expected, bases);
    free(copy);
}

/* DeepBioP's vectors, and each length that a swap from both ends treats differently. */
TEST(augment, reverse_complement_vectors) {
    check_reversed("AXZ", "ZXT");
    check_reversed("AtCg", "cGaT");
    check_reversed("", "");
    check_reversed("A", "T");
    check_reversed("AC", "GT");
    check_reversed("AAC", "GTT");
    check_reversed("ACGU", "ACGT");
    check_reversed("GATTACAN-", "-NTGTAATC");
    check_reversed("RYKMBVDHSWN", "NWSDHBVKMRY");
}

/* Twice is the identity but for U, which becomes T; and every length from exact memory. */
TEST(augment, reverse_complement_twice) {
    uint64_t random = test_seed();
    bsi_augment augment;
    begin(&augment, 1.0f, 0.0f, 0, 0);
    for (uint32_t bases = 0; bases <= 300; bases++) {
        uint8_t *seq = test_copy(NULL, bases), *twice, *expected;
        for (uint32_t i = 0; i < bases; i++) {
            seq[i] = (uint8_t)test_random(&random);
        }
        twice = test_copy(seq, bases);
        expected = test_copy(seq, bases);
        bsi_augment_reverse_complement(&augment, twice, bases);
        for (uint32_t i = 0; i < bases; i++) {
            CHECK_EQ_U64(twice[i], naive_complement(seq[bases - 1 - i]));
            expected[i] = seq[i] == 'U' ? 'T' : seq[i] == 'u' ? 't' : seq[i];
        }
        bsi_augment_reverse_complement(&augment, twice, bases);
        CHECK_MEM(twice, expected, bases);
        free(seq);
        free(twice);
        free(expected);
    }
}

/* Word 0 of (stage 19, id, piece) below the threshold, and only then. */
TEST(augment, reverse_complement_by_its_draw) {
    static const float probabilities[] = {0.0f, 0.25f, 0.5f, 1.0f};
    static const uint64_t thresholds[] = {0, (uint64_t)1 << 30, (uint64_t)1 << 31,
                                          (uint64_t)1 << 32};
    for (int p = 0; p < 4; p++) {
        uint32_t reversed = 0;
        bsi_augment augment;
        bsi_rng_key key = bsi_rng_stage_key(11, 5, 19);
        begin(&augment, probabilities[p], 0.0f, 11, 5);
        for (int64_t id = 0; id < 4000; id++) {
            uint32_t counter[4] = {0, 0, 0, 0}, words[4], flags, piece = (uint32_t)id % 4;
            uint8_t seq[3] = {'A', 'C', 'N'};
            int hit;
            counter[1] = piece;
            counter[2] = (uint32_t)id;
            bsi_rng_philox(counter, key, words);
            hit = words[0] < thresholds[p];
            flags = bsi_augment_row(&augment, id, piece, seq, 3);
            test_note("p %d/4, id %d", p, (int)id);
            CHECK_EQ_U64(flags, hit ? (uint32_t)BIOST_ROW_REVERSED : 0u);
            CHECK_MEM(seq, hit ? "NGT" : "ACN", 3);
            reversed += (uint32_t)hit;
        }
        CHECK(p > 0 || reversed == 0);
        CHECK(p != 1 || (reversed > 1000 - 137 && reversed < 1000 + 137)); /* five sigma of 27.4 */
        CHECK(p != 2 || (reversed > 2000 - 158 && reversed < 2000 + 158)); /* of 31.6 */
        CHECK(p < 3 || reversed == 4000);
    }
}

/* A word below the threshold hits, one that equals it does not. */
TEST(augment, reverse_complement_at_the_threshold) {
    uint32_t counter[4] = {0, 0, 9, 0}, words[4];
    uint8_t seq[2] = {'A', 'C'};
    bsi_augment augment;
    begin(&augment, 0.5f, 0.0f, 11, 5);
    bsi_rng_philox(counter, bsi_rng_stage_key(11, 5, 19), words);
    augment.reverse_threshold = words[0];
    CHECK_EQ_U64(bsi_augment_row(&augment, 9, 0, seq, 2), 0);
    augment.reverse_threshold = (uint64_t)words[0] + 1;
    CHECK_EQ_U64(bsi_augment_row(&augment, 9, 0, seq, 2), BIOST_ROW_REVERSED);
    CHECK_MEM(seq, "GT", 2);
}

/* ---- substitution: its table ---- */

static const float rates[] = {1.0f,    0.99999994f, 0.75f,  0.5f,   0.1f,   0.01f,
                              0.0039f, 1e-3f,       1e-4f, 1e-6f, 1e-8f, 2.3283064365386963e-10f};
enum { RATES = sizeof rates / sizeof rates[0] };

/* floor(S (2^32 - p) / 2^32) = S - ceil(S p / 2^32): the formula without its 64-bit product. */
static uint64_t next_survival(uint64_t survival, uint64_t p) {
    const uint64_t one = (uint64_t)1 << 32;
    uint64_t product;
    if (p == one) {
        return 0;
    }
    product = survival * p; /* below 2^64: survival <= 2^32 and p < 2^32 */
    return survival - (product / one + (product % one != 0));
}

TEST(augment, survival_table) {
    for (int r = 0; r < RATES; r++) {
        uint64_t expected = (uint64_t)1 << 32;
        bsi_augment augment;
        begin(&augment, 0.0f, rates[r], 0, 0);
        for (int g = 0; g <= 256; g++) {
            test_note("rate %d, gap %d", r, g);
            CHECK_EQ_U64(augment.survival[g], expected);
            expected = next_survival(expected, bsi_rng_threshold(rates[r]));
        }
    }
}

/* By hand: p = 1/2 halves until nothing is left; p = 2^-32 takes one each time. */
TEST(augment, survival_table_by_hand) {
    bsi_augment augment;
    begin(&augment, 0.0f, 0.5f, 0, 0);
    for (int g = 0; g <= 32; g++) {
        CHECK_EQ_U64(augment.survival[g], (uint64_t)1 << (32 - g));
    }
    CHECK_EQ_U64(augment.survival[33], 0);
    CHECK_EQ_U64(augment.survival[256], 0);
    begin(&augment, 0.0f, 2.3283064365386963e-10f, 0, 0);
    for (uint32_t g = 0; g <= 256; g++) {
        CHECK_EQ_U64(augment.survival[g], ((uint64_t)1 << 32) - g);
    }
}

/* The largest g with u < S[g], from the front. */
static uint32_t naive_gap(const uint64_t survival[257], uint32_t word) {
    uint32_t g, largest = 0;
    for (g = 0; g < 256; g++) {
        if (word < survival[g]) {
            largest = g;
        }
    }
    return largest;
}

TEST(augment, gaps_at_the_edges) {
    uint64_t random = test_seed();
    for (int r = 0; r < RATES; r++) {
        bsi_augment augment;
        begin(&augment, 0.0f, rates[r], 0, 0);
        for (int g = 0; g <= 256; g++) {
            for (int step = -1; step <= 1; step++) {
                uint64_t word = augment.survival[g] + (uint64_t)(int64_t)step;
                if (word <= 0xFFFFFFFFu) {
                    test_note("rate %d, word %u", r, (uint32_t)word);
                    CHECK_EQ_U64(bsi_augment_gap(&augment, (uint32_t)word),
                                 naive_gap(augment.survival, (uint32_t)word));
                }
            }
        }
        for (int i = 0; i < 1000; i++) {
            uint32_t word = (uint32_t)test_random(&random);
            CHECK_EQ_U64(bsi_augment_gap(&augment, word), naive_gap(augment.survival, word));
        }
    }
}

/* ---- substitution: rows ---- */

/* Words of draws 0, 1, 2, ... of one (stage, id, piece). */
typedef struct words {
    bsi_rng_key key;
    uint32_t counter[4], used;
} words;

static uint32_t next_word(words *w) {
    uint32_t block[4];
    w->counter[0] = w->used / 4;
    bsi_rng_philox(w->counter, w->key, block);
    return block[w->used++ % 4];
}

/* A hit: the new base is (old + 1 + draw mod 3) over A C G T, case kept; U is a T; others are left
 * alone. */
static uint8_t naive_other(uint8_t base, uint32_t draw) {
    static const char upper[] = "ACGT", lower[] = "acgt";
    const char *letters = base >= 'a' ? lower : upper;
    uint8_t old = base == 'U' ? 'T' : base == 'u' ? 't' : base;
    for (uint32_t i = 0; i < 4; i++) {
        if ((uint8_t)letters[i] == old) {
            return (uint8_t)letters[(i + 1 + draw % 3) % 4];
        }
    }
    return base;
}

/* The definition, one base after another. Returns the hits. */
static uint32_t naive_substitute(words *w, float rate, uint8_t *seq, uint32_t bases) {
    uint64_t survival[257];
    uint32_t hits = 0, spare = 0; /* bases yet to be spared */
    int to_hit = 0;               /* after them comes a hit, else another gap */
    survival[0] = (uint64_t)1 << 32;
    for (int g = 0; g < 256; g++) {
        survival[g + 1] = next_survival(survival[g], bsi_rng_threshold(rate));
    }
    for (uint32_t at = 0; at < bases; at++) {
        while (spare == 0 && !to_hit) {
            uint32_t word = next_word(w);
            to_hit = word >= survival[256];
            spare = to_hit ? naive_gap(survival, word) : 256;
        }
        if (spare > 0) {
            spare--;
        } else {
            seq[at] = naive_other(seq[at], next_word(w));
            hits++;
            to_hit = 0;
        }
    }
    return hits;
}

static words words_of(uint64_t seed, uint64_t epoch, uint32_t stage, int64_t id, uint32_t piece) {
    words w;
    w.key = bsi_rng_stage_key(seed, epoch, stage);
    w.counter[0] = 0;
    w.counter[1] = piece;
    w.counter[2] = (uint32_t)(id & 0xFFFFFFFF);
    w.counter[3] = (uint32_t)(id >> 32);
    w.used = 0;
    return w;
}

static void random_bases(uint64_t *random, uint8_t *seq, uint32_t bases) {
    static const char letters[] = "ACGTACGTacgtacgtUuNnRYKMry-*";
    for (uint32_t i = 0; i < bases; i++) {
        seq[i] = (uint8_t)letters[test_random(random) % (sizeof letters - 1)];
    }
}

/* Every rate, many lengths, random rows against the oracle; from exact memory. */
TEST(augment, substitution_word_by_word) {
    uint64_t random = test_seed();
    uint32_t all_hits[RATES];
    for (int r = 0; r < RATES; r++) {
        bsi_augment augment;
        all_hits[r] = 0;
        begin(&augment, 0.0f, rates[r], 3, (uint64_t)r);
        for (uint32_t bases = 0; bases <= 700; bases += 1 + bases / 8) {
            int64_t id = (int64_t)(test_random(&random) >> 1);
            uint32_t piece = (uint32_t)test_random(&random), hits;
            uint8_t *seq = test_copy(NULL, bases), *expected;
            words w = words_of(3, (uint64_t)r, 20, id, piece);
            random_bases(&random, seq, bases);
            expected = test_copy(seq, bases);
            hits = naive_substitute(&w, rates[r], expected, bases);
            test_note("rate %d, %u bases", r, bases);
            CHECK_EQ_U64(bsi_augment_row(&augment, id, piece, seq, bases), 0);
            CHECK_MEM(seq, expected, bases);
            CHECK(rates[r] < 1.0f || hits == bases);
            all_hits[r] += hits;
            free(seq);
            free(expected);
        }
    }
    CHECK(all_hits[3] > 1000); /* the oracle did hit */
    CHECK_EQ_U64(all_hits[RATES - 1], 0); /* one in four thousand million */
}

/* Words made up, at the edges of the table: S[256] - 1 spares 256 bases, S[256] the 255 before a
 * hit; 2^32 - 1 spares none. Then the base: draw 0 makes C of A. */
TEST(augment, substitution_at_the_edges) {
    uint8_t seq[700], expected[700];
    bsi_augment augment;
    bsi_rng rng;
    begin(&augment, 0.0f, 0.01f, 0, 0);
    memset(&rng, 0, sizeof rng);
    CHECK(augment.survival[256] < augment.survival[255] && augment.survival[256] > 0);
    memset(seq, 'A', sizeof seq);
    memset(expected, 'A', sizeof expected);
    rng.words[0] = (uint32_t)augment.survival[256] - 1;
    rng.words[1] = (uint32_t)augment.survival[256];
    rng.words[2] = 3; /* mod 3: 0 */
    rng.words[3] = 0xFFFFFFFFu;
    rng.left = 4;
    expected[256 + 255] = 'C';
    expected[256 + 255 + 1] = 'N'; /* hit, and left alone */
    seq[512] = 'N';
    bsi_augment_substitute(&augment, &rng, seq, 513);
    CHECK_MEM(seq, expected, sizeof seq);
    CHECK_EQ_U64(rng.counter[0], 1); /* the hit took a word for its base: also of an N */
    CHECK_EQ_U64(rng.left, 3);
}

/* Long rows with few hits: gaps of several times 256. */
TEST(augment, substitution_over_long_gaps) {
    enum { BASES = 200000 };
    uint8_t *seq = test_copy(NULL, BASES), *expected = test_copy(NULL, BASES);
    for (int64_t id = 0; id < 5; id++) {
        bsi_augment augment;
        words w = words_of(4, 0, 20, id, 0);
        uint32_t hits;
        memset(seq, 'G', BASES);
        memset(expected, 'G', BASES);
        begin(&augment, 0.0f, 1e-4f, 4, 0);
        hits = naive_substitute(&w, 1e-4f, expected, BASES);
        CHECK(hits > 0 && hits < 60); /* 20 expected */
        bsi_augment_row(&augment, id, 0, seq, BASES);
        CHECK_MEM(seq, expected, BASES);
    }
    free(seq);
    free(expected);
}

/* p = 0 uses no table and changes nothing; p = 1 changes every base that is one. */
TEST(augment, substitution_never_and_always) {
    uint64_t random = test_seed();
    uint8_t seq[500], before[500];
    bsi_augment augment;
    random_bases(&random, before, 500);
    memcpy(seq, before, 500);
    begin(&augment, 0.0f, 0.0f, 1, 0);
    CHECK_EQ_U64(bsi_augment_row(&augment, 7, 0, seq, 500), 0);
    CHECK_MEM(seq, before, 500);
    begin(&augment, 0.0f, 1.0f, 1, 0);
    CHECK_EQ_U64(bsi_augment_row(&augment, 7, 0, seq, 500), 0);
    for (int i = 0; i < 500; i++) {
        int base = strchr("ACGTUacgtu", before[i]) != NULL;
        test_note("base %d, %c", i, before[i]);
        CHECK((seq[i] != before[i]) == base);
        CHECK_EQ_U64(seq[i] & 0x20, before[i] & 0x20); /* case kept */
        CHECK(!base || strchr("ACGTacgt", seq[i]) != NULL);
    }
}

/* DeepBioP mutates N and loses the case. Here each byte, hit by each draw mod 3, is as the
 * definition says; a base never stays what it was, and U, being a T, becomes no T. */
TEST(augment, mutated_n_of_deepbiop) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (uint32_t draw = 0; draw < 7; draw++) {
            uint8_t other = bsi_augment_other_base((uint8_t)byte, draw);
            test_note("byte %u, draw %u", byte, draw);
            CHECK_EQ_U64(other, naive_other((uint8_t)byte, draw));
        }
    }
    CHECK_EQ_U64(bsi_augment_other_base('A', 0), 'C');
    CHECK_EQ_U64(bsi_augment_other_base('A', 1), 'G');
    CHECK_EQ_U64(bsi_augment_other_base('A', 2), 'T');
    CHECK_EQ_U64(bsi_augment_other_base('g', 0), 't');
    CHECK_EQ_U64(bsi_augment_other_base('g', 1), 'a');
    CHECK_EQ_U64(bsi_augment_other_base('g', 0xFFFFFFFFu), 't'); /* 2^32 - 1 is a multiple of 3 */
    CHECK_EQ_U64(bsi_augment_other_base('u', 2), 'g');
    CHECK_EQ_U64(bsi_augment_other_base('N', 1), 'N');
    CHECK_EQ_U64(bsi_augment_other_base('r', 1), 'r');
}

/* The frozen order: the reverse complement first, so that sites count from the new start. */
TEST(augment, stages_in_order) {
    uint64_t random = test_seed();
    uint32_t reversed = 0;
    bsi_augment augment;
    begin(&augment, 0.5f, 0.2f, 21, 2);
    for (int64_t id = 0; id < 200; id++) {
        uint8_t seq[60], expected[60];
        words turn = words_of(21, 2, 19, id, 3), w = words_of(21, 2, 20, id, 3);
        uint32_t flags = 0;
        random_bases(&random, seq, 60);
        memcpy(expected, seq, 60);
        if (next_word(&turn) < (uint32_t)1 << 31) {
            for (int i = 0; i < 60; i++) {
                expected[i] = naive_complement(seq[59 - i]);
            }
            flags = BIOST_ROW_REVERSED;
            reversed++;
        }
        naive_substitute(&w, 0.2f, expected, 60);
        CHECK_EQ_U64(bsi_augment_row(&augment, id, 3, seq, 60), flags);
        CHECK_MEM(seq, expected, 60);
    }
    CHECK(reversed > 50 && reversed < 150);
}

/* ---- statistics; limits are the one-in-a-million quantiles of chi-square ---- */

enum { PLACES = 64, ROWS = 20000 };

/* Rows of A: hits of each place, and of each new base. */
static void count_hits(float rate, uint32_t by_place[PLACES], uint32_t by_base[4]) {
    bsi_augment augment;
    begin(&augment, 0.0f, rate, 99, 0);
    memset(by_place, 0, PLACES * sizeof by_place[0]);
    memset(by_base, 0, 4 * sizeof by_base[0]);
    for (int64_t id = 0; id < ROWS; id++) {
        uint8_t seq[PLACES];
        memset(seq, 'A', PLACES);
        bsi_augment_row(&augment, id, 0, seq, PLACES);
        for (int i = 0; i < PLACES; i++) {
            by_place[i] += seq[i] != 'A';
            ++by_base[seq[i] == 'A' ? 0 : seq[i] == 'C' ? 1 : seq[i] == 'G' ? 2 : 3];
        }
    }
}

static void check_rate(float rate) {
    uint32_t by_place[PLACES], by_base[4];
    double expected = (double)rate * ROWS, sum = 0, hits, deviation;
    count_hits(rate, by_place, by_base);
    test_note("rate %g", (double)rate);
    for (int i = 0; i < PLACES; i++) { /* binomial: variance np(1-p) */
        sum += ((double)by_place[i] - expected) * ((double)by_place[i] - expected) / expected /
               (1 - (double)rate);
    }
    CHECK(sum < 133.5); /* 64 degrees of freedom: the expected value is not estimated */
    hits = (double)by_base[1] + (double)by_base[2] + (double)by_base[3];
    deviation = hits - expected * PLACES;
    CHECK(deviation * deviation < 25 * expected * PLACES * (1 - (double)rate)); /* five sigma */
    sum = 0;
    for (int i = 1; i < 4; i++) {
        sum += ((double)by_base[i] - hits / 3) * ((double)by_base[i] - hits / 3) / (hits / 3);
    }
    CHECK(sum < 30.3); /* 2 */
}

TEST(augment, substitution_rates) {
    check_rate(0.5f);
    check_rate(0.1f);
    check_rate(0.01f);
    check_rate(0.002f);
}

static uint32_t sites_in_common(const bsi_augment *a, const bsi_augment *b, int64_t id_a,
                                int64_t id_b, uint32_t piece_b) {
    uint8_t x[200], y[200];
    uint32_t same = 0;
    memset(x, 'A', sizeof x);
    memset(y, 'A', sizeof y);
    bsi_augment_row(a, id_a, 0, x, sizeof x);
    bsi_augment_row(b, id_b, piece_b, y, sizeof y);
    for (size_t i = 0; i < sizeof x; i++) {
        same += x[i] != 'A' && y[i] != 'A';
    }
    return same;
}

/*
 * DeepBioP seeds record i of each batch with seed + i, so every batch gets the same noise, and so
 * does every epoch. Here records 0 and 256, 1 and 257, ... (the same places in batches of 256),
 * other pieces and other epochs have sites in common by chance only: 200 places x 0.1 x 0.1 = 2 a
 * pair.
 */
TEST(augment, same_noise_every_batch_of_deepbiop) {
    uint32_t batches = 0, epochs = 0, pieces = 0, seeds = 0, itself = 0;
    bsi_augment now, next, other;
    begin(&now, 0.0f, 0.1f, 5, 0);
    begin(&next, 0.0f, 0.1f, 5, 1);
    begin(&other, 0.0f, 0.1f, 6, 0);
    for (int64_t id = 0; id < 256; id++) {
        batches += sites_in_common(&now, &now, id, id + 256, 0);
        epochs += sites_in_common(&now, &next, id, id, 0);
        pieces += sites_in_common(&now, &now, id, id, 1);
        seeds += sites_in_common(&now, &other, id + 1, id, 0); /* seed + i again */
        itself += sites_in_common(&now, &now, id, id, 0);
    }
    CHECK(batches > 399 && batches < 625); /* 512, sigma 22.5, five of them */
    CHECK(epochs > 399 && epochs < 625);
    CHECK(pieces > 399 && pieces < 625);
    CHECK(seeds > 399 && seeds < 625);
    CHECK(itself > 4780 && itself < 5460); /* 5120, sigma 68: the same row again is the same */
}

/* In DeepBioP the result of a mutation depends on what was mutated before. Here it does not: rows
 * in reverse order, and a row of which only the start is there, come out the same. */
TEST(augment, order_of_calls_of_deepbiop) {
    uint8_t forth[50][80], back[80];
    bsi_augment augment;
    begin(&augment, 0.5f, 0.05f, 1, 1);
    for (int64_t id = 0; id < 50; id++) {
        memset(forth[id], 'C', 80);
        bsi_augment_row(&augment, id, 0, forth[id], 80);
    }
    for (int64_t id = 50; id-- > 0;) {
        memset(back, 'C', 80);
        bsi_augment_row(&augment, id, 0, back, 80);
        CHECK_MEM(back, forth[id], 80);
        memset(back, 'C', 80);
        bsi_augment_row(&augment, id, 0, back, 33);
        CHECK_MEM(back, forth[id], 33);
        CHECK_MEM(back + 33, "CCCCCCCC", 8);
    }
}
