/*
 * test_augment.c - crop, reverse complement, substitution, injected N and the user's stage. The
 * oracles follow their definitions word by word: words come one by one from Philox, tables are
 * searched from the front.
 *
 * rooms: augment lines
 * needs: loader
 */
#include "white.h"
#include "test.h"
#include "desc_range.h"
#include "kernels.h"
#include <sys/mman.h>
#include <unistd.h>

/* ---- complement ---- */

/* What each IUPAC code stands for, as a set of A 1, C 2, G 4, T 8. The complement of a code is the
 * code of the set with A and T, C and G changed. */
static const char iupac_letters[] = "ACGTRYSWKMBDHVN";
static const uint8_t iupac_sets[] = {1,     2,     4,         8,         1 | 4,     2 | 8,     2 | 4, 1 | 8,
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
        CHECK_EQ_U64(bsi_lines_complements[byte], naive_complement((uint8_t)byte));
    }
}

/* The pairs by eye, too. */
TEST(augment, complement_by_hand) {
    static const char from[] = "ACGTURYSWKMBDHVNacgturyswkmbdhvn-*.";
    static const char to[] = "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn-*.";
    for (size_t i = 0; i < sizeof from; i++) { /* the NUL stands for itself */
        CHECK_EQ_U64(bsi_lines_complements[(uint8_t)from[i]], (uint8_t)to[i]);
    }
}

static biost_augment augment_no_wish(void) {
    biost_augment wish;
    memset(&wish, 0, sizeof wish);
    return wish;
}

/* What is wrong with a wish, or NULL. */
static const char *augment_refusal(const biost_augment *wish) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.augment = *wish;
    return desc_refusal(&desc);
}

/* The stages, with the keys of an epoch. */
typedef struct augment_rig {
    bsi_augment all;
    bsi_augment_keys keys;
    bsi_rng_key crop;
} augment_rig;

/* Stages ready for an epoch; with the kernels of this processor. */
static void begin_wish(augment_rig *augment, const biost_augment *wish, uint64_t seed, uint64_t epoch) {
    memset(augment, 0xEE, sizeof *augment);
    CHECK_STR(augment_refusal(wish), NULL);
    bsi_augment_begin(&augment->all, wish);
    bsi_kernels_augment(&augment->all, bsi_cpu_features());
    bsi_augment_make_keys(&augment->keys, seed, epoch, 0);
    augment->crop = bsi_rng_stage_key(seed, epoch, BSI_RNG_CROP);
}

/* With the two probabilities, its keys of (seed, epoch). */
static void augment_begin(augment_rig *augment, float reverse, float substitute, uint64_t seed,
                          uint64_t epoch) {
    biost_augment wish = augment_no_wish();
    wish.reverse_complement = reverse;
    wish.substitute = substitute;
    begin_wish(augment, &wish, seed, epoch);
}

/* All stages of a sample, which is drawn for alone. */
static void augment_sample(const bsi_augment *augment, const bsi_augment_keys *keys, biost_sample *sample) {
    bsi_rng_row row;
    memset(&row, 0, sizeof row);
    bsi_augment_put(&row, 0, keys, sample->id, sample->piece);
    bsi_augment_row(augment, keys, bsi_augment_draw(augment, &row, 1), sample);
}

/* One row without qualities; returns its flags. */
static uint32_t change_row(const augment_rig *augment, int64_t id, uint32_t piece, uint8_t *seq,
                           uint32_t bases) {
    biost_sample sample;
    memset(&sample, 0, sizeof sample);
    sample.seq = (char *)seq;
    sample.bases = bases;
    sample.id = id;
    sample.piece = piece;
    augment_sample(&augment->all, &augment->keys, &sample);
    CHECK_EQ_U64(sample.bases, bases);
    return sample.flags;
}

static void check_reversed(const char *seq, const char *expected) {
    uint32_t bases = (uint32_t)strlen(seq);
    uint8_t *copy = test_copy(seq, bases);
    test_note("%s", seq);
    biost_reverse_complement((char *)copy, NULL, bases);
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

enum { AUGMENT_MOST_BASES = 600, AUGMENT_ROOM = 64 + AUGMENT_MOST_BASES + 64 };

/* From an exact distance to its neighbours: row [bases] at `from`, turned by `reverse` with or
 * without qualities, against the naive loop over all of the buffer. */
static void check_kernel(void (*reverse)(uint8_t *, uint8_t *, size_t), const uint8_t *seq,
                         const uint8_t *qual, size_t from, size_t bases) {
    uint8_t turned[AUGMENT_ROOM], turned_qual[AUGMENT_ROOM], expected[AUGMENT_ROOM],
        expected_qual[AUGMENT_ROOM];
    memcpy(turned, seq, AUGMENT_ROOM);
    memcpy(turned_qual, qual, AUGMENT_ROOM);
    memcpy(expected, seq, AUGMENT_ROOM);
    memcpy(expected_qual, qual, AUGMENT_ROOM);
    for (size_t i = 0; i < bases; i++) {
        expected[from + i] = bsi_lines_complements[seq[from + bases - 1 - i]];
        expected_qual[from + i] = qual[from + bases - 1 - i];
    }
    test_note("%u bases from %u on", (unsigned)bases, (unsigned)from);
    reverse(turned + from, turned_qual + from, bases);
    CHECK_MEM(turned, expected, AUGMENT_ROOM);
    CHECK_MEM(turned_qual, expected_qual, AUGMENT_ROOM);
    memcpy(turned, seq, AUGMENT_ROOM);
    reverse(turned + from, NULL, bases);
    CHECK_MEM(turned, expected, AUGMENT_ROOM);
}

/* Every length and, of rows up to 150, alignment; random bytes of all values around and within. The table
 * they are looked up in is checked above. */
static void check_all_places(void (*reverse)(uint8_t *, uint8_t *, size_t)) {
    uint64_t random = test_seed();
    uint8_t seq[AUGMENT_ROOM], qual[AUGMENT_ROOM];
    for (size_t bases = 0; bases <= AUGMENT_MOST_BASES; bases++) {
        for (size_t i = 0; i < AUGMENT_ROOM; i++) {
            seq[i] = (uint8_t)test_random(&random);
            qual[i] = (uint8_t)test_random(&random);
        }
        for (size_t from = bases > 150 ? bases % 7 : 0; from<64; from += bases> 150 ? 7 : 1) {
            check_kernel(reverse, seq, qual, from, bases);
        }
    }
}

/* All 256 bytes at every place of a row that a kernel treats differently. */
static void check_all_bytes(void (*reverse)(uint8_t *, uint8_t *, size_t)) {
    uint8_t seq[AUGMENT_ROOM];
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (size_t bases = 1; bases <= 300; bases += bases < 80 ? 1 : 55) {
            memset(seq, (int)byte, AUGMENT_ROOM);
            seq[7] ^= 0x5A; /* the row is not the same both ways */
            check_kernel(reverse, seq, seq, 3, bases);
        }
    }
}

static void reverse_by_door(uint8_t *seq, uint8_t *qual, size_t bases) {
    biost_reverse_complement((char *)seq, (char *)qual, bases);
}

TEST(augment, reverse_complement_scalar) {
    check_all_places(bsi_augment_reverse_scalar);
    check_all_bytes(bsi_augment_reverse_scalar);
}

TEST(augment, reverse_complement_door) {
    check_all_places(reverse_by_door);
    biost_reverse_complement(NULL, NULL, 0);
}

static kernel_call augment_pick(uint32_t cpu, int which) {
    augment_rig augment;
    biost_augment wish = augment_no_wish();
    (void)which;
    bsi_augment_begin(&augment.all, &wish);
    bsi_kernels_augment(&augment.all, cpu);
    return (kernel_call)augment.all.reverse;
}

/* Rows that begin, or end, where memory does: its pages are between two that may not be touched. */
static void check_guarded(void (*reverse)(uint8_t *, uint8_t *, size_t)) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *map = (uint8_t *)mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                                   0);
    REQUIRE(map != MAP_FAILED && mprotect(map, page, PROT_NONE) == 0 &&
            mprotect(map + 2 * page, page, PROT_NONE) == 0);
    for (size_t bases = 0; bases <= AUGMENT_MOST_BASES; bases++) {
        uint8_t expected[AUGMENT_MOST_BASES], *first = map + page, *last = map + 2 * page - bases;
        for (size_t i = 0; i < bases; i++) {
            uint8_t letter = (uint8_t) "GATTACANU"[i % 9];
            first[i] = last[i] = letter;
            expected[bases - 1 - i] = bsi_lines_complements[letter];
        }
        test_note("%u bases", (unsigned)bases);
        if (bases < page / 2) {
            reverse(first, NULL, bases);
            reverse(last, NULL, bases);
            CHECK_MEM(first, expected, bases);
            CHECK_MEM(last, expected, bases);
        }
    }
    munmap(map, 3 * page);
}

TEST(augment, reverse_complement_kernels) {
    kernel_mask here[KERNELS_KNOWN];
    size_t count = kernels_here(augment_pick, 0, here);
    for (size_t k = 0; k < count; k++) {
        augment_rig augment;
        biost_augment wish = augment_no_wish();
        bsi_augment_begin(&augment.all, &wish);
        bsi_kernels_augment(&augment.all, here[k].cpu);
        check_all_places(augment.all.reverse);
        check_all_bytes(augment.all.reverse);
        check_guarded(augment.all.reverse);
    }
    kernels_print("augment", here, count);
}

/* The kernel is picked by the mask, and the portable one is the default. */
TEST(augment, reverse_complement_pick) {
    augment_rig augment;
    biost_augment wish = augment_no_wish();
    bsi_augment_begin(&augment.all, &wish);
    CHECK(augment.all.reverse == bsi_augment_reverse_scalar);
    bsi_kernels_augment(&augment.all, BIOST_CPU_AVX2);
    CHECK((augment.all.reverse != bsi_augment_reverse_scalar) == (BSI_CPU_X86_AVX2 != 0));
    bsi_kernels_augment(&augment.all, BIOST_CPU_NEON);
    CHECK((augment.all.reverse != bsi_augment_reverse_scalar) == (BSI_CPU_ARM_NEON != 0));
    bsi_kernels_augment(&augment.all, BIOST_CPU_SSE2 | BIOST_CPU_BMI2 | BIOST_CPU_PCLMUL);
    CHECK(augment.all.reverse == bsi_augment_reverse_scalar);
}

/* Exact memory, for sanitizers to see a byte read before or after it; twice is the identity but for
 * U, which becomes T. */
TEST(augment, reverse_complement_twice) {
    uint64_t random = test_seed();
    augment_rig augment;
    augment_begin(&augment, 1.0f, 0.0f, 0, 0);
    for (uint32_t bases = 0; bases <= 300; bases++) {
        uint8_t *seq = test_copy(NULL, bases), *qual = test_copy(NULL, bases), *twice, *twice_qual;
        for (uint32_t i = 0; i < bases; i++) {
            seq[i] = (uint8_t)test_random(&random);
            qual[i] = (uint8_t)test_random(&random);
        }
        twice = test_copy(seq, bases);
        twice_qual = test_copy(qual, bases);
        augment.all.reverse(twice, twice_qual, bases);
        augment.all.reverse(twice, twice_qual, bases);
        for (uint32_t i = 0; i < bases; i++) {
            seq[i] = seq[i] == 'U' ? 'T' : seq[i] == 'u' ? 't' : seq[i];
        }
        CHECK_MEM(twice, seq, bases);
        CHECK_MEM(twice_qual, qual, bases);
        free(seq);
        free(qual);
        free(twice);
        free(twice_qual);
    }
}

/* DeepBioP reverse complements anything, proteins among it. Here what is no code of a base stands
 * for itself: I and L of a protein, gaps, any byte; RNA comes out as DNA. */
TEST(augment, reverse_complement_of_anything_of_deepbiop) {
    static const char codes[] = "ACGTURYSWKMBDHVN";
    for (uint32_t byte = 0; byte < 256; byte++) {
        if (byte == 0 || strchr(codes, (int)(byte & 0xDF)) == NULL || (byte & 0x40) == 0) {
            char one[1];
            one[0] = (char)byte;
            biost_reverse_complement(one, NULL, 1);
            test_note("byte %u", byte);
            CHECK_EQ_U64((uint8_t)one[0], byte);
        }
    }
    check_reversed("EFIJLOPQXZ*", "*ZXQPOLJIFE");
    check_reversed("GAUUACAuu", "aaTGTAATC");
}

/* Word 0 of (stage 19, id, piece) below the threshold, and only then. */
TEST(augment, reverse_complement_by_its_draw) {
    static const float probabilities[] = {0.0f, 0.25f, 0.5f, 1.0f};
    static const uint64_t thresholds[] = {0, (uint64_t)1 << 30, (uint64_t)1 << 31, (uint64_t)1 << 32};
    for (int p = 0; p < 4; p++) {
        uint32_t reversed = 0;
        augment_rig augment;
        bsi_rng_key key = bsi_rng_stage_key(11, 5, 19);
        augment_begin(&augment, probabilities[p], 0.0f, 11, 5);
        for (int64_t id = 0; id < 4000; id++) {
            uint32_t counter[4] = {0, 0, 0, 0}, words[4], flags, piece = (uint32_t)id % 4;
            uint8_t seq[3] = {'A', 'C', 'N'};
            int hit;
            counter[1] = piece;
            counter[2] = (uint32_t)id;
            bsi_rng_philox(counter, key, words);
            hit = words[0] < thresholds[p];
            flags = change_row(&augment, id, piece, seq, 3);
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
    augment_rig augment;
    augment_begin(&augment, 0.5f, 0.0f, 11, 5);
    bsi_rng_philox(counter, bsi_rng_stage_key(11, 5, 19), words);
    augment.all.reverse_threshold = words[0];
    CHECK_EQ_U64(change_row(&augment, 9, 0, seq, 2), 0);
    augment.all.reverse_threshold = (uint64_t)words[0] + 1;
    CHECK_EQ_U64(change_row(&augment, 9, 0, seq, 2), BIOST_ROW_REVERSED);
    CHECK_MEM(seq, "GT", 2);
}

/* ---- substitution: its table ---- */

static const float rates[] = {1.0f,    0.99999994f, 0.75f, 0.5f,  0.1f,  0.01f,
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
        augment_rig augment;
        augment_begin(&augment, 0.0f, rates[r], 0, 0);
        for (int g = 0; g <= 256; g++) {
            test_note("rate %d, gap %d", r, g);
            CHECK_EQ_U64(augment.all.substitute.survival[g], expected);
            expected = next_survival(expected, bsi_rng_threshold(rates[r]));
        }
    }
}

/* By hand: p = 1/2 halves until nothing is left; p = 2^-32 takes one each time. */
TEST(augment, survival_table_by_hand) {
    augment_rig augment;
    augment_begin(&augment, 0.0f, 0.5f, 0, 0);
    for (int g = 0; g <= 32; g++) {
        CHECK_EQ_U64(augment.all.substitute.survival[g], (uint64_t)1 << (32 - g));
    }
    CHECK_EQ_U64(augment.all.substitute.survival[33], 0);
    CHECK_EQ_U64(augment.all.substitute.survival[256], 0);
    augment_begin(&augment, 0.0f, 2.3283064365386963e-10f, 0, 0);
    for (uint32_t g = 0; g <= 256; g++) {
        CHECK_EQ_U64(augment.all.substitute.survival[g], ((uint64_t)1 << 32) - g);
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
        augment_rig augment;
        augment_begin(&augment, 0.0f, rates[r], 0, 0);
        for (int g = 0; g <= 256; g++) {
            for (int step = -1; step <= 1; step++) {
                uint64_t word = augment.all.substitute.survival[g] + (uint64_t)(int64_t)step;
                if (word <= 0xFFFFFFFFu) {
                    test_note("rate %d, word %u", r, (uint32_t)word);
                    CHECK_EQ_U64(bsi_augment_gap(&augment.all.substitute, (uint32_t)word),
                                 naive_gap(augment.all.substitute.survival, (uint32_t)word));
                }
            }
        }
        for (int i = 0; i < 1000; i++) {
            uint32_t word = (uint32_t)test_random(&random);
            CHECK_EQ_U64(bsi_augment_gap(&augment.all.substitute, word),
                         naive_gap(augment.all.substitute.survival, word));
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
        augment_rig augment;
        all_hits[r] = 0;
        augment_begin(&augment, 0.0f, rates[r], 3, (uint64_t)r);
        for (uint32_t bases = 0; bases <= 700; bases += 1 + bases / 8) {
            int64_t id = (int64_t)(test_random(&random) >> 1);
            uint32_t piece = (uint32_t)test_random(&random), hits;
            uint8_t *seq = test_copy(NULL, bases), *expected;
            words w = words_of(3, (uint64_t)r, 20, id, piece);
            random_bases(&random, seq, bases);
            expected = test_copy(seq, bases);
            hits = naive_substitute(&w, rates[r], expected, bases);
            test_note("rate %d, %u bases", r, bases);
            CHECK_EQ_U64(change_row(&augment, id, piece, seq, bases), 0);
            CHECK_MEM(seq, expected, bases);
            CHECK(rates[r] < 1.0f || hits == bases);
            all_hits[r] += hits;
            free(seq);
            free(expected);
        }
    }
    CHECK(all_hits[3] > 1000);            /* the oracle did hit */
    CHECK_EQ_U64(all_hits[RATES - 1], 0); /* one in four thousand million */
}

/* Words made up, at the edges of the table: S[256] - 1 spares 256 bases, S[256] the 255 before a
 * hit; 2^32 - 1 spares none. Then the base: draw 0 makes C of A. */
TEST(augment, substitution_at_the_edges) {
    uint8_t seq[700], expected[700];
    augment_rig augment;
    bsi_rng rng;
    augment_begin(&augment, 0.0f, 0.01f, 0, 0);
    memset(&rng, 0, sizeof rng);
    CHECK(augment.all.substitute.survival[256] < augment.all.substitute.survival[255]);
    CHECK(augment.all.substitute.survival[256] > 0);
    memset(seq, 'A', sizeof seq);
    memset(expected, 'A', sizeof expected);
    rng.words[0] = (uint32_t)augment.all.substitute.survival[256] - 1;
    rng.words[1] = (uint32_t)augment.all.substitute.survival[256];
    rng.words[2] = 3; /* mod 3: 0 */
    rng.words[3] = 0xFFFFFFFFu;
    rng.left = 4;
    expected[256 + 255] = 'C';
    expected[256 + 255 + 1] = 'N'; /* hit, and left alone */
    seq[512] = 'N';
    bsi_augment_substitute(&augment.all.substitute, &rng, seq, 513);
    CHECK_MEM(seq, expected, sizeof seq);
    CHECK_EQ_U64(rng.counter[0], 1); /* the hit took a word for its base: also of an N */
    CHECK_EQ_U64(rng.left, 3);
}

/* Long rows with few hits: gaps of several times 256. */
TEST(augment, substitution_over_long_gaps) {
    enum { BASES = 200000 };
    uint8_t *seq = test_copy(NULL, BASES), *expected = test_copy(NULL, BASES);
    for (int64_t id = 0; id < 5; id++) {
        augment_rig augment;
        words w = words_of(4, 0, 20, id, 0);
        uint32_t hits;
        memset(seq, 'G', BASES);
        memset(expected, 'G', BASES);
        augment_begin(&augment, 0.0f, 1e-4f, 4, 0);
        hits = naive_substitute(&w, 1e-4f, expected, BASES);
        CHECK(hits > 0 && hits < 60); /* 20 expected */
        change_row(&augment, id, 0, seq, BASES);
        CHECK_MEM(seq, expected, BASES);
    }
    free(seq);
    free(expected);
}

/* p = 0 uses no table and changes nothing; p = 1 changes every base that is one. */
TEST(augment, substitution_never_and_always) {
    uint64_t random = test_seed();
    uint8_t seq[500], before[500];
    augment_rig augment;
    random_bases(&random, before, 500);
    memcpy(seq, before, 500);
    augment_begin(&augment, 0.0f, 0.0f, 1, 0);
    CHECK_EQ_U64(change_row(&augment, 7, 0, seq, 500), 0);
    CHECK_MEM(seq, before, 500);
    augment_begin(&augment, 0.0f, 1.0f, 1, 0);
    CHECK_EQ_U64(change_row(&augment, 7, 0, seq, 500), 0);
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
    augment_rig augment;
    augment_begin(&augment, 0.5f, 0.2f, 21, 2);
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
        CHECK_EQ_U64(change_row(&augment, id, 3, seq, 60), flags);
        CHECK_MEM(seq, expected, 60);
    }
    CHECK(reversed > 50 && reversed < 150);
}

/* ---- N injection ---- */

/* A hit makes N, n where a lower-case letter stood; the only words are gaps. Returns the hits. */
static uint32_t naive_inject(words *w, float rate, uint8_t *seq, uint32_t bases) {
    uint64_t survival[257];
    uint32_t hits = 0, at = 0;
    survival[0] = (uint64_t)1 << 32;
    for (int g = 0; g < 256; g++) {
        survival[g + 1] = next_survival(survival[g], bsi_rng_threshold(rate));
    }
    while (at < bases) {
        uint32_t word = next_word(w);
        if (word < survival[256]) {
            at += 256;
            continue;
        }
        at += naive_gap(survival, word);
        if (at < bases) {
            seq[at] = strchr("abcdefghijklmnopqrstuvwxyz", seq[at]) != NULL ? 'n' : 'N';
            hits++;
        }
        at++;
    }
    return hits;
}

static void begin_inject(augment_rig *augment, float rate, uint64_t seed, uint64_t epoch) {
    biost_augment wish = augment_no_wish();
    wish.inject_n = rate;
    begin_wish(augment, &wish, seed, epoch);
}

TEST(augment, injection_word_by_word) {
    uint64_t random = test_seed();
    uint32_t all_hits[RATES];
    for (int r = 0; r < RATES; r++) {
        augment_rig augment;
        all_hits[r] = 0;
        begin_inject(&augment, rates[r], 3, (uint64_t)r);
        for (uint32_t bases = 0; bases <= 700; bases += 1 + bases / 8) {
            int64_t id = (int64_t)(test_random(&random) >> 1);
            uint32_t piece = (uint32_t)test_random(&random), hits;
            uint8_t *seq = test_copy(NULL, bases), *expected;
            words w = words_of(3, (uint64_t)r, 21, id, piece);
            random_bases(&random, seq, bases);
            expected = test_copy(seq, bases);
            hits = naive_inject(&w, rates[r], expected, bases);
            test_note("rate %d, %u bases", r, bases);
            CHECK_EQ_U64(change_row(&augment, id, piece, seq, bases), 0);
            CHECK_MEM(seq, expected, bases);
            CHECK(rates[r] < 1.0f || hits == bases);
            all_hits[r] += hits;
            free(seq);
            free(expected);
        }
    }
    CHECK(all_hits[3] > 1000);
    CHECK_EQ_U64(all_hits[RATES - 1], 0);
}

/* Any byte that is hit becomes N, also another code, a gap or an N; case is a letter's. */
TEST(augment, injection_into_all_bytes) {
    augment_rig augment;
    uint8_t seq[256];
    begin_inject(&augment, 1.0f, 1, 0);
    for (int i = 0; i < 256; i++) {
        seq[i] = (uint8_t)i;
    }
    change_row(&augment, 7, 0, seq, 256);
    for (int i = 0; i < 256; i++) {
        test_note("byte %d", i);
        CHECK_EQ_U64(seq[i], i >= 'a' && i <= 'z' ? 'n' : 'N');
    }
    begin_inject(&augment, 0.0f, 1, 0);
    memset(seq, 'a', sizeof seq);
    change_row(&augment, 7, 0, seq, 256);
    CHECK(memchr(seq, 'n', sizeof seq) == NULL);
}

/* ---- crop ---- */

/* Stage 16, counter (id, piece 0); a word w gives floor(w k / 2^32), k = bases - window + 1, unless
 * w k mod 2^32 is below 2^32 mod k: then the next word is taken. */
static uint32_t naive_crop(uint64_t seed, uint64_t epoch, int64_t id, uint32_t bases, uint32_t window) {
    const uint64_t all = (uint64_t)1 << 32;
    uint64_t k = (uint64_t)bases - window + 1;
    words w = words_of(seed, epoch, 16, id, 0);
    for (;;) {
        uint64_t product = next_word(&w) * k;
        if (product % all >= all % k) {
            return (uint32_t)(product / all);
        }
    }
}

static void begin_crop(augment_rig *augment, uint64_t seed, uint64_t epoch) {
    biost_augment wish = augment_no_wish();
    wish.crop_bases = 100;
    begin_wish(augment, &wish, seed, epoch);
}

TEST(augment, crop_word_by_word) {
    static const uint32_t windows[] = {1, 2, 99, 150, 1000};
    uint64_t random = test_seed();
    augment_rig augment;
    begin_crop(&augment, 13, 4);
    for (size_t w = 0; w < sizeof windows / sizeof windows[0]; w++) {
        for (uint32_t more = 1; more < 0x7FFFFFFFu - 1000; more += 1 + more / 3) {
            int64_t id = (int64_t)(test_random(&random) >> 1);
            uint32_t bases = windows[w] + more;
            uint32_t start = bsi_augment_crop_start(augment.crop, id, 0, bases, windows[w]);
            test_note("%u of %u bases", windows[w], bases);
            CHECK_EQ_U64(start, naive_crop(13, 4, id, bases, windows[w]));
            CHECK((uint64_t)start + windows[w] <= bases);
        }
    }
}

/*
 * DeepBioP draws the window of the sequence and that of its qualities apart. Here one start serves
 * both, and what the other stages do keeps a base and its quality together: base i of a record has
 * the quality '!' + i, a reversed row shows the complements.
 */
TEST(augment, crop_desynchronised_of_deepbiop) {
    char seq[90], qual[90];
    biost_augment wish = augment_no_wish();
    augment_rig augment;
    uint32_t reversed = 0;
    wish.reverse_complement = 0.5f;
    wish.crop_bases = 40;
    begin_wish(&augment, &wish, 31, 2);
    for (int64_t id = 0; id < 300; id++) {
        uint32_t start = bsi_augment_crop_start(augment.crop, id, 0, 90, 40);
        biost_sample sample;
        for (int i = 0; i < 90; i++) {
            seq[i] = "ACGTN"[i * i % 11 % 5];
            qual[i] = (char)('!' + i);
        }
        CHECK_EQ_U64(bsi_augment_crop_start(augment.crop, id, 0, 90, 40), start); /* again: the same */
        memset(&sample, 0, sizeof sample);
        sample.seq = seq + start;
        sample.qual = qual + start;
        sample.bases = 40;
        sample.id = id;
        sample.flags = BIOST_ROW_TRUNCATED;
        augment_sample(&augment.all, &augment.keys, &sample);
        CHECK((sample.flags & BIOST_ROW_TRUNCATED) != 0);
        for (uint32_t i = 0; i < 40; i++) {
            int at = sample.qual[i] - '!'; /* where the base stood in the record */
            char base = "ACGTN"[at * at % 11 % 5];
            int turned = (sample.flags & BIOST_ROW_REVERSED) != 0;
            CHECK_EQ_I64(at, turned ? (int)(start + 39 - i) : (int)(start + i));
            CHECK_EQ_I64(sample.seq[i], turned ? naive_complement((uint8_t)base) : base);
        }
        reversed += sample.flags & BIOST_ROW_REVERSED;
    }
    CHECK(reversed > 100 && reversed < 200);
}

/* ---- the user's stage ---- */

typedef struct seen_sample {
    biost_sample sample;
    char seq[64], qual[64];
    uint32_t words[8], calls, leave; /* leave: what bases shall be set to */
} seen_sample;

/* Note what came, then change everything. */
static void note_sample(biost_sample *sample, biost_random *random, void *user_data) {
    seen_sample *seen = (seen_sample *)user_data;
    seen->sample = *sample;
    memcpy(seen->seq, sample->seq, sample->bases);
    memcpy(seen->qual, sample->qual, sample->bases);
    for (int i = 0; i < 8; i++) {
        seen->words[i] = i % 2 == 0 ? biost_random_next(random) : biost_random_below(random, 1000);
    }
    seen->calls++;
    sample->seq[0] = 'x';
    sample->qual[1] = 'y';
    sample->bases = seen->leave;
    sample->id = -5;
    sample->piece = 77;
    sample->flags = 0xFFFF;
    sample->start_base = 99;
    sample->seq = sample->qual = NULL;
}

TEST(augment, user_stage) {
    static const uint32_t leaves[] = {50, 20, 0, 51, 0xFFFFFFFF};
    seen_sample seen;
    biost_augment wish = augment_no_wish();
    augment_rig augment;
    memset(&seen, 0, sizeof seen);
    wish.change = note_sample;
    wish.user_data = &seen;
    begin_wish(&augment, &wish, 1234567890123u, 6);
    for (uint32_t k = 0; k < 5; k++) {
        char seq[50], qual[50];
        int64_t id = (int64_t)k << 40 | 17;
        biost_sample sample, before;
        biost_random random;
        memset(seq, 'A', sizeof seq);
        memset(qual, 'I', sizeof qual);
        memset(&sample, 0, sizeof sample);
        sample.seq = seq;
        sample.qual = qual;
        sample.bases = 50;
        sample.piece = k;
        sample.flags = BIOST_ROW_TRUNCATED;
        sample.id = id;
        sample.start_base = 5;
        before = sample;
        seen.leave = leaves[k];
        augment_sample(&augment.all, &augment.keys, &sample);
        CHECK_EQ_U64(seen.calls, k + 1);
        CHECK_MEM(&seen.sample, &before, sizeof before);
        CHECK_EQ_U64(sample.bases, leaves[k] < 50 ? leaves[k] : 50); /* more counts as unchanged */
        CHECK(seq[0] == 'x' && seq[1] == 'A' && qual[0] == 'I' && qual[1] == 'y');
        CHECK(sample.seq == seq && sample.qual == qual); /* what is the library's stays as it was */
        CHECK_EQ_I64(sample.id, id);
        CHECK_EQ_U64(sample.piece, k);
        CHECK_EQ_U64(sample.flags, BIOST_ROW_TRUNCATED);
        CHECK_EQ_I64(sample.start_base, 5);
        biost_random_init(&random, 1234567890123u, 6, id, k);
        for (int i = 0; i < 8; i++) {
            uint32_t word = i % 2 == 0 ? biost_random_next(&random) : biost_random_below(&random, 1000);
            CHECK_EQ_U64(seen.words[i], word);
        }
    }
}

/* The frozen order: reverse complement with the qualities, substitution, N, then the user's stage,
 * which sees all that and that the row is reversed. */
TEST(augment, all_stages_in_order) {
    uint64_t random = test_seed();
    uint32_t reversed = 0;
    seen_sample seen;
    biost_augment wish = augment_no_wish();
    augment_rig augment;
    memset(&seen, 0, sizeof seen);
    wish.reverse_complement = 0.5f;
    wish.substitute = 0.2f;
    wish.inject_n = 0.1f;
    wish.change = note_sample;
    wish.user_data = &seen;
    seen.leave = 60;
    begin_wish(&augment, &wish, 21, 2);
    for (int64_t id = 0; id < 200; id++) {
        uint8_t seq[60], qual[60], expected[60], expected_qual[60];
        words turn = words_of(21, 2, 19, id, 3), w = words_of(21, 2, 20, id, 3);
        words n = words_of(21, 2, 21, id, 3);
        int turned = next_word(&turn) < (uint32_t)1 << 31;
        biost_sample sample;
        random_bases(&random, seq, 60);
        for (int i = 0; i < 60; i++) {
            qual[i] = (uint8_t)('!' + i);
            expected[i] = seq[i];
        }
        for (int i = 0; i < 60; i++) {
            expected[i] = turned ? naive_complement(seq[59 - i]) : seq[i];
            expected_qual[i] = qual[turned ? 59 - i : i];
        }
        naive_substitute(&w, 0.2f, expected, 60);
        naive_inject(&n, 0.1f, expected, 60);
        memset(&sample, 0, sizeof sample);
        sample.seq = (char *)seq;
        sample.qual = (char *)qual;
        sample.bases = 60;
        sample.id = id;
        sample.piece = 3;
        augment_sample(&augment.all, &augment.keys, &sample);
        test_note("id %d", (int)id);
        CHECK_MEM(seen.seq, expected, 60);
        CHECK_MEM(seen.qual, expected_qual, 60);
        CHECK_EQ_U64(seen.sample.flags, turned ? (uint32_t)BIOST_ROW_REVERSED : 0u);
        CHECK_EQ_U64(sample.flags, seen.sample.flags);
        expected[0] = 'x';
        expected_qual[1] = 'y';
        CHECK_MEM(seq, expected, 60);
        CHECK_MEM(qual, expected_qual, 60);
        reversed += (uint32_t)turned;
    }
    CHECK(reversed > 50 && reversed < 150);
}

/* ---- refusals, and what the desc's hash takes ---- */

static void augment_is_refused(const biost_augment *wish, const char *field) {
    const char *sentence = augment_refusal(wish);
    test_note("%s", sentence == NULL ? "accepted" : sentence);
    CHECK(sentence != NULL && strstr(sentence, field) != NULL);
    CHECK(sentence != NULL && strstr(sentence, "not a number of 0..1") != NULL);
}

TEST(augment, probabilities_out_of_range) {
    const uint32_t nan_bits = 0x7FC00000u;
    float bad[5] = {-0.001f, 1.0001f, 1e30f, -1e30f, 0.0f};
    memcpy(&bad[4], &nan_bits, 4);
    for (int i = 0; i < 5; i++) {
        biost_augment wish = augment_no_wish();
        test_note("value %d", i);
        wish.reverse_complement = bad[i];
        augment_is_refused(&wish, "desc.augment.reverse_complement");
        wish = augment_no_wish();
        wish.substitute = bad[i];
        augment_is_refused(&wish, "desc.augment.substitute");
        wish = augment_no_wish();
        wish.inject_n = bad[i];
        augment_is_refused(&wish, "desc.augment.inject_n");
    }
}

/*
 * ---- statistics; seeds are fixed, limits are the one-in-a-million quantiles of chi-square ----
 *
 * Where the upper tail, the regularized incomplete gamma function Q(degrees / 2, limit / 2), is
 * 10^-6; by its series and continued fraction (Abramowitz and Stegun 26.4.4, 6.5.29, 6.5.31):
 * of 2 degrees 27.63, 19 63.68, 20 65.42, 64 132.79, 99 180.79, 255 377.08.
 */

enum { PLACES = 64, ROWS = 20000 };

/* Rows of A: hits of each place, and of each new base. */
static void count_hits(float rate, uint32_t by_place[PLACES], uint32_t by_base[4]) {
    augment_rig augment;
    augment_begin(&augment, 0.0f, rate, 99, 0);
    memset(by_place, 0, PLACES * sizeof by_place[0]);
    memset(by_base, 0, 4 * sizeof by_base[0]);
    for (int64_t id = 0; id < ROWS; id++) {
        uint8_t seq[PLACES];
        memset(seq, 'A', PLACES);
        change_row(&augment, id, 0, seq, PLACES);
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
    CHECK(sum < 132.8); /* 64 degrees of freedom: the expected value is not estimated */
    hits = (double)by_base[1] + (double)by_base[2] + (double)by_base[3];
    deviation = hits - expected * PLACES;
    CHECK(deviation * deviation < 25 * expected * PLACES * (1 - (double)rate)); /* five sigma */
    sum = 0;
    for (int i = 1; i < 4; i++) {
        sum += ((double)by_base[i] - hits / 3) * ((double)by_base[i] - hits / 3) / (hits / 3);
    }
    CHECK(sum < 27.7); /* 2 */
}

TEST(augment, substitution_rates) {
    check_rate(0.5f);
    check_rate(0.1f);
    check_rate(0.01f);
    check_rate(0.002f);
}

/* Rows of A: hits of each place by N; the rate as above. */
static void check_inject_rate(float rate) {
    uint32_t by_place[PLACES];
    double expected = (double)rate * ROWS, sum = 0;
    augment_rig augment;
    begin_inject(&augment, rate, 98, 0);
    memset(by_place, 0, sizeof by_place);
    for (int64_t id = 0; id < ROWS; id++) {
        uint8_t seq[PLACES];
        memset(seq, 'A', PLACES);
        change_row(&augment, id, 0, seq, PLACES);
        for (int i = 0; i < PLACES; i++) {
            by_place[i] += seq[i] == 'N';
        }
    }
    test_note("rate %g", (double)rate);
    for (int i = 0; i < PLACES; i++) {
        sum += ((double)by_place[i] - expected) * ((double)by_place[i] - expected) / expected /
               (1 - (double)rate);
    }
    CHECK(sum < 132.8); /* 64 */
}

TEST(augment, injection_rates) {
    check_inject_rate(0.5f);
    check_inject_rate(0.1f);
    check_inject_rate(0.01f);
    check_inject_rate(0.002f);
}

/*
 * Gaps between hits of long rows: g spared bases and then a hit have the chance (1 - p)^g p. Cells
 * 0..19, and 20 for all longer gaps.
 */
static void check_gaps(const augment_rig *augment, double p) {
    enum { BASES = 400000 };
    uint8_t *seq = test_copy(NULL, BASES);
    uint32_t seen[21], gap = 0, gaps = 0;
    double chance = p, rest = 1, sum = 0;
    memset(seen, 0, sizeof seen);
    memset(seq, 'A', BASES);
    change_row(augment, 3, 1, seq, BASES);
    for (size_t i = 0; i < BASES; i++) {
        if (seq[i] == 'A') {
            gap++;
            continue;
        }
        ++seen[gap < 20 ? gap : 20];
        gaps++;
        gap = 0;
    }
    for (int g = 0; g <= 20; g++) {
        double expected = (g < 20 ? chance : rest) * gaps;
        sum += ((double)seen[g] - expected) * ((double)seen[g] - expected) / expected;
        rest -= chance;
        chance *= 1 - p;
    }
    test_note("p %g, %u gaps", p, gaps);
    CHECK(sum < 65.5); /* 20 */
    free(seq);
}

TEST(augment, gaps_are_geometric) {
    static const float some[] = {0.25f, 0.1f, 0.01f};
    for (int i = 0; i < 3; i++) {
        augment_rig augment;
        augment_begin(&augment, 0.0f, some[i], 60, 0);
        check_gaps(&augment, (double)some[i]);
        begin_inject(&augment, some[i], 60, 0);
        check_gaps(&augment, (double)some[i]);
    }
}

/* Starts of windows: each of 20 and of 100 comes equally often, and pairs of two epochs too. */
TEST(augment, crop_starts_are_even) {
    uint32_t seen[100], pairs[256];
    double sum = 0;
    augment_rig now, next;
    begin_crop(&now, 14, 0);
    begin_crop(&next, 14, 1);
    memset(seen, 0, sizeof seen);
    memset(pairs, 0, sizeof pairs);
    for (int64_t id = 0; id < 20 * 5000; id++) {
        ++seen[bsi_augment_crop_start(now.crop, id, 0, 119, 100)];
    }
    for (int i = 0; i < 20; i++) {
        sum += ((double)seen[i] - 5000) * ((double)seen[i] - 5000) / 5000;
    }
    CHECK(sum < 63.7); /* 19 */
    memset(seen, 0, sizeof seen);
    for (int64_t id = 0; id < 100 * 1000; id++) {
        ++seen[bsi_augment_crop_start(now.crop, id << 40, 0, 249, 150)];
    }
    sum = 0;
    for (int i = 0; i < 100; i++) {
        sum += ((double)seen[i] - 1000) * ((double)seen[i] - 1000) / 1000;
    }
    CHECK(sum < 180.8); /* 99 */
    for (int64_t id = 0; id < 256 * 200; id++) {
        ++pairs[bsi_augment_crop_start(now.crop, id, 0, 115, 100) * 16 +
                bsi_augment_crop_start(next.crop, id, 0, 115, 100)];
    }
    sum = 0;
    for (int i = 0; i < 256; i++) {
        sum += ((double)pairs[i] - 200) * ((double)pairs[i] - 200) / 200;
    }
    CHECK(sum < 377.1); /* 255 */
}

static uint32_t sites_in_common(const augment_rig *a, const augment_rig *b, int64_t id_a, int64_t id_b,
                                uint32_t piece_b) {
    uint8_t x[200], y[200];
    uint32_t same = 0;
    memset(x, 'A', sizeof x);
    memset(y, 'A', sizeof y);
    change_row(a, id_a, 0, x, sizeof x);
    change_row(b, id_b, piece_b, y, sizeof y);
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
    augment_rig now, next, other;
    augment_begin(&now, 0.0f, 0.1f, 5, 0);
    augment_begin(&next, 0.0f, 0.1f, 5, 1);
    augment_begin(&other, 0.0f, 0.1f, 6, 0);
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

/* The same of injected N; and substituted and injected sites have nothing to do with one another. */
TEST(augment, same_n_every_sequence_of_deepbiop) {
    uint32_t batches = 0, epochs = 0, stages = 0, itself = 0;
    augment_rig now, next, other;
    begin_inject(&now, 0.1f, 5, 0);
    begin_inject(&next, 0.1f, 5, 1);
    augment_begin(&other, 0.0f, 0.1f, 5, 0);
    for (int64_t id = 0; id < 256; id++) {
        batches += sites_in_common(&now, &now, id, id + 256, 0);
        epochs += sites_in_common(&now, &next, id, id, 0);
        stages += sites_in_common(&now, &other, id, id, 0);
        itself += sites_in_common(&now, &now, id, id, 0);
    }
    CHECK(batches > 399 && batches < 625); /* 512, sigma 22.5, five of them */
    CHECK(epochs > 399 && epochs < 625);
    CHECK(stages > 399 && stages < 625);
    CHECK(itself > 4780 && itself < 5460); /* 5120, sigma 68 */
}

/* In DeepBioP the result of a mutation depends on what was mutated before. Here it does not: rows
 * in reverse order, and a row of which only the start is there, come out the same. */
TEST(augment, order_of_calls_of_deepbiop) {
    uint8_t forth[50][80], back[80];
    augment_rig augment;
    augment_begin(&augment, 0.5f, 0.05f, 1, 1);
    for (int64_t id = 0; id < 50; id++) {
        memset(forth[id], 'C', 80);
        change_row(&augment, id, 0, forth[id], 80);
    }
    for (int64_t id = 50; id-- > 0;) {
        memset(back, 'C', 80);
        change_row(&augment, id, 0, back, 80);
        CHECK_MEM(back, forth[id], 80);
        memset(back, 'C', 80);
        change_row(&augment, id, 0, back, 33);
        CHECK_MEM(back, forth[id], 33);
        CHECK_MEM(back + 33, "CCCCCCCC", 8);
    }
}
