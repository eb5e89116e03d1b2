/*
 * test_filter.c - which records become samples: borders of each filter calculated by hand, the order
 * of filters, shares kept by hash, and sentences about what cannot be. Statistics of records come
 * from >>check, as in a loader.
 *
 * rooms: filter
 * needs: loader
 */
#include "white.h"
#include "test.h"
#include "desc_range.h"

static biost_filter filter_no_wish(void) {
    biost_filter wish;
    memset(&wish, 0, sizeof wish);
    return wish;
}

static bsi_filter filter_begin_seeded(const biost_filter *wish, uint64_t seed) {
    biost_loader_desc desc;
    bsi_filter filter;
    memset(&filter, 0xEE, sizeof filter);
    memset(&desc, 0, sizeof desc);
    desc.filter = *wish;
    CHECK_STR(desc_refusal(&desc), NULL);
    bsi_filter_begin(&filter, &desc.filter, seed, 0);
    return filter;
}

static bsi_filter filter_begin(const biost_filter *wish) {
    return filter_begin_seeded(wish, 1);
}

/* What drops record 0 with this sequence and quality, or BIOST_DROP_COUNT; qual NULL: FASTA. */
static uint32_t judge(const biost_filter *wish, const char *seq, const char *qual) {
    bsi_filter filter = filter_begin(wish);
    size_t bases = strlen(seq);
    biost_stats stats;
    uint32_t drop;
    memset(&stats, 0, sizeof stats);
    if (qual == NULL) {
        bsi_check_count_scalar((const uint8_t *)seq, bases, &stats);
    } else if (!CHECK(strlen(qual) == bases) ||
               !CHECK(bsi_check_spans_stats_scalar((const uint8_t *)seq, (const uint8_t *)qual, bases, 33,
                                                   &stats))) {
        return 99;
    }
    drop = bsi_filter_judge_place(&filter, 0, 0, 0, bases);
    return drop != BIOST_DROP_COUNT ? drop : bsi_filter_judge_stats(&filter, bases, &stats);
}

/* Is FASTQ of these qualities kept? Bases are all A. */
static int keeps_qual(const biost_filter *wish, const char *qual, uint32_t reason) {
    char seq[300];
    size_t bases = strlen(qual);
    uint32_t drop;
    memset(seq, 'A', bases);
    seq[bases] = '\0';
    drop = judge(wish, seq, qual);
    CHECK(drop == reason || drop == BIOST_DROP_COUNT);
    return drop == BIOST_DROP_COUNT;
}

TEST(filter, nothing_asked_keeps_all) {
    biost_filter wish = filter_no_wish();
    bsi_filter filter = filter_begin(&wish);
    CHECK_EQ_U64(judge(&wish, "", NULL), BIOST_DROP_COUNT);
    CHECK_EQ_U64(judge(&wish, "", ""), BIOST_DROP_COUNT);
    CHECK_EQ_U64(judge(&wish, "NNNN", "!!!!"), BIOST_DROP_COUNT);
    CHECK_EQ_U64(bsi_filter_judge_place(&filter, INT64_MAX, 0, UINT64_MAX, UINT64_MAX), BIOST_DROP_COUNT);
    CHECK(!bsi_filter_needs_stats(&filter));
    CHECK_STR(bsi_filter_whole_words(&filter), NULL);
    CHECK_STR(bsi_filter_quality_field(&filter), NULL);
}

/* ---- length ---- */

static int keeps_bases(uint64_t min_length, uint64_t max_length, uint64_t bases) {
    biost_filter wish = filter_no_wish();
    bsi_filter filter;
    uint32_t drop;
    wish.min_length = min_length;
    wish.max_length = max_length;
    filter = filter_begin(&wish);
    drop = bsi_filter_judge_place(&filter, 0, 0, 0, bases);
    CHECK(drop == BIOST_DROP_LENGTH || drop == BIOST_DROP_COUNT);
    return drop == BIOST_DROP_COUNT;
}

TEST(filter, lengths_are_inclusive) {
    CHECK(!keeps_bases(5, 0, 4));
    CHECK(keeps_bases(5, 0, 5));
    CHECK(keeps_bases(5, 0, (uint64_t)1 << 40));
    CHECK(keeps_bases(0, 5, 5));
    CHECK(!keeps_bases(0, 5, 6));
    CHECK(!keeps_bases(5, 5, 4));
    CHECK(keeps_bases(5, 5, 5));
    CHECK(!keeps_bases(5, 5, 6));
    CHECK(!keeps_bases(1, 0, 0)); /* an empty record */
    CHECK(keeps_bases(0, 1, 0));
    CHECK(keeps_bases(UINT64_MAX, 0, UINT64_MAX));
}

/* ---- mean quality ---- */

static int keeps_mean(float mean, const char *qual) {
    biost_filter wish = filter_no_wish();
    wish.min_mean_quality = mean;
    return keeps_qual(&wish, qual, BIOST_DROP_MEAN_QUALITY);
}

/* 'I' is 40, '5' is 20, '!' is 0, '"' is 1, '~' is 93. DeepBioP has one mean of raw characters (33
 * too much) and one of Phred values; here 33 is always off. */
TEST(filter, mean_quality_of_raw_ascii_of_deepbiop) {
    CHECK(keeps_mean(20.0f, "5555"));
    CHECK(!keeps_mean(20.001f, "5555"));
    CHECK(!keeps_mean(53.0f, "5555")); /* 20 + 33 */
    CHECK(keeps_mean(20.0f, "I!I!"));
    CHECK(!keeps_mean(20.0f, "I!I!!"));
    CHECK(!keeps_mean(0.001f, "!"));
    CHECK(keeps_mean(1.0f, "\""));
    CHECK(keeps_mean(93.0f, "~~~"));
    CHECK(!keeps_mean(93.0f, "~~}"));
}

/* Means of 1/3 and 2/3 lie between two thousandths, 1/8 on one. */
TEST(filter, mean_quality_in_thousandths) {
    CHECK(keeps_mean(0.333f, "!!\""));
    CHECK(!keeps_mean(0.334f, "!!\""));
    CHECK(keeps_mean(0.666f, "!\"\""));
    CHECK(!keeps_mean(0.667f, "!\"\""));
    CHECK(keeps_mean(0.125f, "!!!!!!!\""));
    CHECK(!keeps_mean(0.126f, "!!!!!!!\""));
}

/* Exactly at the threshold, and one Phred unit short: 200 bases with the sum 6000, then 5999. */
TEST(filter, mean_quality_at_the_threshold) {
    char qual[201];
    memset(qual, '?', 200); /* 30 */
    qual[200] = '\0';
    CHECK(keeps_mean(30.0f, qual));
    qual[17] = '>'; /* 29 */
    CHECK(!keeps_mean(30.0f, qual));
    CHECK(keeps_mean(29.995f, qual)); /* 5999 / 200, exactly */
    CHECK(!keeps_mean(29.996f, qual));
    qual[99] = '@'; /* 31 */
    CHECK(keeps_mean(30.0f, qual));
}

/* A record of no bases has the mean 0: any threshold drops it. */
TEST(filter, mean_quality_of_no_bases) {
    CHECK(!keeps_mean(0.001f, ""));
    CHECK(!keeps_mean(0.0001f, "")); /* rounds to 0, and is asked for all the same */
    CHECK(!keeps_mean(93.0f, ""));
}

/* ---- chance of a wrong base ---- */

static int keeps_rate(float rate, const char *qual) {
    biost_filter wish = filter_no_wish();
    wish.max_error_rate = rate;
    return keeps_qual(&wish, qual, BIOST_DROP_ERROR_RATE);
}

/*
 * In units of 2^-31 a base of Q20, '5', has 21474836 (0.01 x 2^31 is 21474836.48), and so has the
 * threshold 0.01, a float that is 0.00999999977...: 21474836.0. Q19, '4', has 27035217, Q21
 * 17058069, Q0 all 2147483648.
 */
TEST(filter, error_rate_at_q20) {
    char qual[101];
    memset(qual, '5', 100);
    qual[100] = '\0';
    CHECK(keeps_rate(0.01f, qual));
    qual[50] = '4';
    CHECK(!keeps_rate(0.01f, qual));
    qual[51] = '6'; /* 27035217 + 17058069 is 1143614 more than two of Q20 */
    CHECK(!keeps_rate(0.01f, qual));
    qual[52] = '6'; /* now 3273153 less than three of Q20 */
    CHECK(keeps_rate(0.01f, qual));
    CHECK(keeps_rate(0.01f, "5"));
    CHECK(!keeps_rate(0.01f, "4"));
    CHECK(keeps_rate(0.1f, "+"));   /* Q10: 214748365 of 214748368 */
    CHECK(keeps_rate(0.001f, "?")); /* Q30: 2147484 of 2147484 */
    CHECK(!keeps_rate(0.001f, ">"));
}

/* The mean Phred value hides one bad base, the chance of an error does not: Q0 and 99 of Q93, which
 * have 1 each, make 2147483747 / 100, more than 21474836; among 101 it is little enough. */
TEST(filter, error_rate_sees_one_bad_base) {
    char qual[102];
    memset(qual, '~', 101);
    qual[100] = '\0';
    qual[33] = '!';
    CHECK(keeps_mean(92.0f, qual));
    CHECK(!keeps_rate(0.01f, qual));
    qual[100] = '~';
    qual[101] = '\0';
    CHECK(keeps_rate(0.01f, qual)); /* 2147483748 against 101 x 21474836 = 2168958436 */
}

TEST(filter, error_rate_ends_of_its_range) {
    CHECK(keeps_rate(1.0f, "!!!"));
    CHECK(!keeps_rate(0.99999994f, "!!!")); /* 1 - 2^-24 */
    CHECK(!keeps_rate(1e-12f, "~"));        /* rounds to 0; Q93 is 1 */
    CHECK(!keeps_rate(0.5f, ""));           /* no bases: the chance is 1 */
}

/* ---- lowest quality ---- */

static int keeps_lowest(uint32_t lowest, const char *qual) {
    biost_filter wish = filter_no_wish();
    wish.min_base_quality = lowest;
    return keeps_qual(&wish, qual, BIOST_DROP_BASE_QUALITY);
}

TEST(filter, lowest_quality) {
    CHECK(keeps_lowest(20, "5IIII"));
    CHECK(keeps_lowest(20, "II5I"));
    CHECK(!keeps_lowest(20, "IIIII4"));
    CHECK(!keeps_lowest(20, "4"));
    CHECK(keeps_lowest(93, "~~"));
    CHECK(!keeps_lowest(93, "~}"));
    CHECK(!keeps_lowest(1, "!"));
}

/* Of no bases it is 0, whatever the statistics say. */
TEST(filter, lowest_quality_of_no_bases) {
    biost_filter wish = filter_no_wish();
    bsi_filter filter;
    biost_stats stats;
    CHECK(!keeps_lowest(1, ""));
    memset(&stats, 0, sizeof stats);
    stats.qual_min = 93;
    wish.min_base_quality = 1;
    filter = filter_begin(&wish);
    CHECK_EQ_U64(bsi_filter_judge_stats(&filter, 0, &stats), BIOST_DROP_BASE_QUALITY);
    CHECK_EQ_U64(bsi_filter_judge_stats(&filter, 1, &stats), BIOST_DROP_COUNT);
}

/* ---- N ---- */

static int keeps_n(float most, int none, const char *seq) {
    biost_filter wish = filter_no_wish();
    uint32_t drop;
    wish.max_n_fraction = most;
    wish.forbid_n = none;
    drop = judge(&wish, seq, NULL);
    CHECK(drop == BIOST_DROP_N || drop == BIOST_DROP_COUNT);
    return drop == BIOST_DROP_COUNT;
}

/* 0.7f is 0.69999998..., which rounded down would be below 7 of 10. */
TEST(filter, share_of_n) {
    CHECK(keeps_n(0.7f, 0, "NNNNNNNACG"));
    CHECK(keeps_n(0.7f, 0, "NnNnNnNACG"));
    CHECK(!keeps_n(0.7f, 0, "NNNNNNNnCG"));
    CHECK(keeps_n(0.3f, 0, "ACGTACGNNN"));
    CHECK(!keeps_n(0.3f, 0, "ACGTACNNNN"));
    CHECK(keeps_n(0.333333f, 0, "ACGTN"));
    CHECK(!keeps_n(0.333333f, 0, "ACN")); /* 1000000 / 3 is over 333333 */
    CHECK(keeps_n(0.333334f, 0, "ACN"));
    CHECK(keeps_n(1.0f, 0, "NNNN"));
    CHECK(!keeps_n(0.999999f, 0, "NNNN"));
    CHECK(keeps_n(0.1f, 0, "RYKMSWBDHV-*X.")); /* only N is N */
}

TEST(filter, no_n_at_all) {
    CHECK(keeps_n(0.0f, 1, "ACGTRYacgtu"));
    CHECK(!keeps_n(0.0f, 1, "ACGTN"));
    CHECK(!keeps_n(0.0f, 1, "n"));
    CHECK(!keeps_n(1e-9f, 0, "ACGTN")); /* rounds to 0, and is asked for all the same */
    CHECK(keeps_n(0.0f, 0, "NNNN"));
}

TEST(filter, no_bases_have_no_n) {
    CHECK(keeps_n(0.0f, 1, ""));
    CHECK(keeps_n(0.1f, 0, ""));
}

/* ---- the longest records ---- */

/* 2^31 - 1 bases, the worst of everything: no product may wrap. */
TEST(filter, largest_sums) {
    const uint64_t bases = 0x7FFFFFFF;
    biost_filter wish = filter_no_wish();
    bsi_filter filter;
    biost_stats stats;
    memset(&stats, 0, sizeof stats);
    stats.qual_sum = 93 * bases;
    stats.qual_min = 93;
    stats.error_sum = bases << 31;
    stats.n_count = bases;
    wish.min_mean_quality = 93.0f;
    wish.max_error_rate = 1.0f;
    wish.max_n_fraction = 1.0f;
    filter = filter_begin(&wish);
    CHECK_EQ_U64(bsi_filter_judge_stats(&filter, bases, &stats), BIOST_DROP_COUNT);
    stats.qual_sum--;
    CHECK_EQ_U64(bsi_filter_judge_stats(&filter, bases, &stats), BIOST_DROP_MEAN_QUALITY);
    stats.qual_sum++;
    filter.max_error--;
    CHECK_EQ_U64(bsi_filter_judge_stats(&filter, bases, &stats), BIOST_DROP_ERROR_RATE);
    filter.max_error++;
    filter.max_n_fraction--;
    CHECK_EQ_U64(bsi_filter_judge_stats(&filter, bases, &stats), BIOST_DROP_N);
}

/* ---- first_records and every_record ---- */

static uint32_t kept_of_hundred(uint64_t first_records, uint64_t every_record, uint32_t dropped[2]) {
    biost_filter wish = filter_no_wish();
    bsi_filter filter;
    uint32_t kept = 0;
    wish.first_records = first_records;
    wish.every_record = every_record;
    filter = filter_begin(&wish);
    dropped[0] = dropped[1] = 0;
    for (uint64_t visited = 0; visited < 100; visited++) {
        uint32_t drop = bsi_filter_judge_place(&filter, (int64_t)(visited * 7919), 0, visited, 5);
        CHECK(drop <= BIOST_DROP_EVERY_RECORD || drop == BIOST_DROP_COUNT);
        if (drop == BIOST_DROP_COUNT) {
            kept++;
        } else {
            dropped[drop]++;
        }
    }
    return kept;
}

TEST(filter, first_records) {
    uint32_t dropped[2];
    CHECK_EQ_U64(kept_of_hundred(1, 0, dropped), 1);
    CHECK_EQ_U64(dropped[0], 99);
    CHECK_EQ_U64(kept_of_hundred(99, 0, dropped), 99);
    CHECK_EQ_U64(kept_of_hundred(100, 0, dropped), 100);
    CHECK_EQ_U64(kept_of_hundred(UINT64_MAX, 0, dropped), 100);
    CHECK_EQ_U64(kept_of_hundred(0, 0, dropped), 100);
}

TEST(filter, every_nth_record) {
    biost_filter wish = filter_no_wish();
    bsi_filter filter;
    uint32_t dropped[2];
    CHECK_EQ_U64(kept_of_hundred(0, 1, dropped), 100);
    CHECK_EQ_U64(kept_of_hundred(0, 2, dropped), 50);
    CHECK_EQ_U64(dropped[1], 50);
    CHECK_EQ_U64(kept_of_hundred(0, 7, dropped), 15); /* 0, 7, ..., 98 */
    CHECK_EQ_U64(kept_of_hundred(0, 1000, dropped), 1);
    wish.every_record = 3;
    filter = filter_begin(&wish);
    for (uint64_t visited = 0; visited < 9; visited++) { /* 0, 3, 6, whatever the id */
        CHECK_EQ_U64(bsi_filter_judge_place(&filter, 5, 0, visited, 0),
                     visited % 3 == 0 ? BIOST_DROP_COUNT : BIOST_DROP_EVERY_RECORD);
    }
}

/* Both count visited records: of the first 10 each third, and the rest is first_records's. */
TEST(filter, first_and_every_nth) {
    uint32_t dropped[2];
    CHECK_EQ_U64(kept_of_hundred(10, 3, dropped), 4);
    CHECK_EQ_U64(dropped[0], 90);
    CHECK_EQ_U64(dropped[1], 6);
}

/* ---- keep ---- */

static int is_kept(const bsi_filter *filter, int64_t id) {
    uint32_t drop = bsi_filter_judge_place(filter, id, 0, 0, 0);
    CHECK(drop == BIOST_DROP_SUBSAMPLE || drop == BIOST_DROP_COUNT);
    return drop == BIOST_DROP_COUNT;
}

static bsi_filter keeper(float from, float below, uint64_t seed) {
    biost_filter wish = filter_no_wish();
    wish.subsample_from = from;
    wish.subsample_below = below;
    return filter_begin_seeded(&wish, seed);
}

/* Ids as they are: number in the file, the path's above bit 40. */
static int64_t some_id(int64_t i) {
    return (i % 5) << 40 | i / 5;
}

/* Word 0 of Philox: stage 3, epoch 0 whichever is under way, counter {0, 0, id low, id high}. */
static uint32_t word_of(uint64_t seed, int64_t id) {
    uint32_t counter[4], words[4];
    bsi_rng_key key;
    key.word[0] = (uint32_t)(seed & 0xFFFFFFFF);
    key.word[1] = (uint32_t)(seed >> 32);
    counter[0] = counter[1] = 0;
    counter[2] = 3;
    counter[3] = 0x42494F53;
    bsi_rng_philox(counter, key, words);
    key.word[0] = words[0];
    key.word[1] = words[1];
    counter[0] = counter[1] = 0;
    counter[2] = (uint32_t)(id & 0xFFFFFFFF);
    counter[3] = (uint32_t)(id >> 32);
    bsi_rng_philox(counter, key, words);
    return words[0];
}

/* 0.25 and 0.75 are exact: thresholds 2^30 and 3 x 2^30. */
TEST(filter, keep_by_its_word) {
    const uint64_t seed = 0x0123456789ABCDEF;
    bsi_filter filter = keeper(0.25f, 0.75f, seed);
    for (int64_t i = 0; i < 3000; i++) {
        uint32_t word = word_of(seed, some_id(i));
        CHECK(is_kept(&filter, some_id(i)) == (word >= 0x40000000u && word < 0xC0000000u));
    }
}

/* from <= word < below, to the unit. */
TEST(filter, keep_at_the_border) {
    bsi_filter filter = keeper(0.25f, 0.75f, 77);
    uint64_t word = word_of(77, 1234);
    filter.subsample_from = word;
    filter.subsample_below = word + 1;
    CHECK(is_kept(&filter, 1234));
    filter.subsample_from = word + 1;
    filter.subsample_below = word + 2;
    CHECK(!is_kept(&filter, 1234));
    filter.subsample_from = word - 1;
    filter.subsample_below = word;
    CHECK(!is_kept(&filter, 1234));
}

/* Parts that share a border have no record in common, and leave none out. */
TEST(filter, keep_splits_without_overlap) {
    static const float borders[] = {0.0f, 1e-3f, 0.1f, 0.3333333f, 0.5f, 0.8f, 0.9f, 0.99999994f, 1.0f};
    enum { PARTS = sizeof borders / sizeof borders[0] - 1 };
    for (uint64_t seed = 0; seed < 3; seed++) {
        uint32_t in_part[PARTS];
        memset(in_part, 0, sizeof in_part);
        for (int64_t i = 0; i < 5000; i++) {
            int parts = 0;
            for (int p = 0; p < PARTS; p++) {
                bsi_filter filter = keeper(borders[p], borders[p + 1], seed);
                int kept = is_kept(&filter, some_id(i));
                parts += kept;
                in_part[p] += (uint32_t)kept;
            }
            CHECK_EQ_I64(parts, 1);
        }
        CHECK(in_part[1] > 0 && in_part[5] > 0);
    }
}

/* subsample_below 0 is 1; the whole range keeps everything. */
TEST(filter, keep_defaults) {
    bsi_filter upper = keeper(0.5f, 0.0f, 3), whole = keeper(0.0f, 1.0f, 3);
    bsi_filter same = keeper(0.5f, 1.0f, 3);
    uint32_t kept = 0;
    for (int64_t i = 0; i < 2000; i++) {
        CHECK(is_kept(&whole, some_id(i)));
        CHECK(is_kept(&upper, some_id(i)) == is_kept(&same, some_id(i)));
        kept += (uint32_t)is_kept(&upper, some_id(i));
    }
    CHECK(kept > 900 && kept < 1100);
}

/* Of n records n p are kept, give or take five standard deviations, sqrt(n p (1 - p)): once in 1.7
 * million seeds it is more. n = 40000. */
TEST(filter, keep_share) {
    static const struct {
        float below;
        uint32_t expected, bound;
    } rows[] = {{0.01f, 400, 100},  /* 5 x 19.9 */
                {0.1f, 4000, 300},  /* 5 x 60 */
                {0.5f, 20000, 500}, /* 5 x 100 */
                {0.9f, 36000, 300}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            bsi_filter filter = keeper(0.0f, rows[r].below, seed);
            uint32_t kept = 0;
            for (int64_t i = 0; i < 40000; i++) {
                kept += (uint32_t)is_kept(&filter, some_id(i));
            }
            test_note("row %u: %u kept", (unsigned)r, kept);
            CHECK(kept > rows[r].expected - rows[r].bound && kept < rows[r].expected + rows[r].bound);
        }
    }
}

/* Another seed splits in another way: of 40000 both halves share a quarter, five sigma are 433. */
TEST(filter, keep_depends_on_the_seed) {
    bsi_filter a = keeper(0.0f, 0.5f, 1), b = keeper(0.0f, 0.5f, 2);
    uint32_t both = 0;
    for (int64_t i = 0; i < 40000; i++) {
        both += (uint32_t)(is_kept(&a, some_id(i)) && is_kept(&b, some_id(i)));
    }
    CHECK(both > 10000 - 433 && both < 10000 + 433);
}

/* ---- the order of filters ---- */

/* A record that all filters drop, and the wish taken back filter by filter: the first is counted. */
TEST(filter, first_that_drops_is_counted) {
    biost_filter wish = filter_no_wish();
    biost_stats stats;
    int64_t id = 0;
    uint32_t seen = 0;
    memset(&stats, 0, sizeof stats);
    stats.qual_sum = 60;
    stats.qual_min = 2;
    stats.error_sum = 21474836u * 10u;
    stats.n_count = 3;
    while (word_of(1, id) < 0x80000000u) {
        id++;
    }
    wish.first_records = 5;
    wish.every_record = 4;
    wish.subsample_below = 0.5f;
    wish.min_length = 11;
    wish.min_mean_quality = 7.0f;
    wish.max_error_rate = 0.001f;
    wish.min_base_quality = 3;
    wish.max_n_fraction = 0.25f;
    for (uint32_t expected = 0; expected <= BIOST_DROP_N + 1; expected++) {
        bsi_filter filter = filter_begin(&wish);
        uint32_t drop;
        if (expected == BIOST_DROP_SPLIT) { /* judged between the two, by desc.split */
            continue;
        }
        drop = bsi_filter_judge_place(&filter, id, 0, 7, 10);
        drop = drop != BIOST_DROP_COUNT ? drop : bsi_filter_judge_stats(&filter, 10, &stats);
        CHECK_EQ_U64(drop, expected <= BIOST_DROP_N ? expected : BIOST_DROP_COUNT);
        seen++;
        switch (expected) {
        case BIOST_DROP_FIRST_RECORDS: wish.first_records = 0; break;
        case BIOST_DROP_EVERY_RECORD: wish.every_record = 0; break;
        case BIOST_DROP_SUBSAMPLE: wish.subsample_below = 0.0f; break;
        case BIOST_DROP_LENGTH: wish.min_length = 0; break;
        case BIOST_DROP_MEAN_QUALITY: wish.min_mean_quality = 0.0f; break;
        case BIOST_DROP_ERROR_RATE: wish.max_error_rate = 0.0f; break;
        case BIOST_DROP_BASE_QUALITY: wish.min_base_quality = 0; break;
        default: wish.max_n_fraction = 0.0f; break;
        }
    }
    CHECK_EQ_U64(seen, 9);
}

/* ---- what filters need ---- */

static int any_record(const biost_record *record, int64_t id, void *user_data) {
    (void)record;
    (void)id;
    (void)user_data;
    return 1;
}

static void check_needs(const biost_filter *wish, int stats, int whole, const char *field) {
    bsi_filter filter = filter_begin(wish);
    CHECK_EQ_I64(bsi_filter_needs_stats(&filter) != 0, stats);
    CHECK_EQ_I64(bsi_filter_whole_words(&filter) != NULL, whole);
    CHECK_STR(bsi_filter_quality_field(&filter), field);
}

TEST(filter, needs) {
    biost_filter wish = filter_no_wish();
    wish.first_records = 1;
    wish.every_record = 2;
    wish.subsample_from = 0.5f;
    check_needs(&wish, 0, 0, NULL);
    wish.max_length = 1;
    check_needs(&wish, 0, 1, NULL);
    wish = filter_no_wish();
    wish.min_length = 1;
    check_needs(&wish, 0, 1, NULL);
    wish = filter_no_wish();
    wish.forbid_n = 1;
    check_needs(&wish, 1, 0, NULL);
    wish = filter_no_wish();
    wish.max_n_fraction = 0.5f;
    check_needs(&wish, 1, 0, NULL);
    wish = filter_no_wish();
    wish.keep = any_record; /* is lent the whole record with its statistics */
    check_needs(&wish, 1, 0, NULL);
    wish.min_base_quality = 1;
    check_needs(&wish, 1, 0, "desc.filter.min_base_quality");
    wish.max_error_rate = 0.5f;
    check_needs(&wish, 1, 0, "desc.filter.max_error_rate");
    wish.min_mean_quality = 1.0f;
    check_needs(&wish, 1, 0, "desc.filter.min_mean_quality");
}

/* ---- refusals ---- */

/* What is wrong with a wish: a field out of its range, or fields that do not fit together; NULL: nothing. */
static const char *filter_refusal(const biost_filter *wish) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.filter = *wish;
    return desc_refusal(&desc);
}

/* The sentence must hold both names; b may be NULL. */
static void filter_is_refused(const biost_filter *wish, const char *a, const char *b) {
    const char *sentence = filter_refusal(wish);
    test_note("%s", sentence == NULL ? "accepted" : sentence);
    CHECK(sentence != NULL && strstr(sentence, a) != NULL);
    CHECK(sentence != NULL && (b == NULL || strstr(sentence, b) != NULL));
}

TEST(filter, impossible_pairs_name_both_fields) {
    biost_filter wish = filter_no_wish();
    wish.min_length = 6;
    wish.max_length = 5;
    filter_is_refused(&wish, "desc.filter.min_length", "desc.filter.max_length");
    wish = filter_no_wish();
    wish.forbid_n = 1;
    wish.max_n_fraction = 0.5f;
    filter_is_refused(&wish, "desc.filter.forbid_n", "desc.filter.max_n_fraction");
    wish = filter_no_wish();
    wish.subsample_from = 0.5f;
    wish.subsample_below = 0.5f;
    filter_is_refused(&wish, "desc.filter.subsample_from", "desc.filter.subsample_below");
    wish.subsample_below = 0.25f;
    filter_is_refused(&wish, "desc.filter.subsample_from", "desc.filter.subsample_below");
    wish.subsample_from = 1.0f;
    wish.subsample_below = 0.0f; /* means 1 */
    filter_is_refused(&wish, "desc.filter.subsample_from", "desc.filter.subsample_below");
}

/* Not a number, made without libm. */
static float not_a_number(void) {
    uint32_t bits = 0x7FC00000u;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

TEST(filter, values_out_of_range) {
    const float bad[] = {-0.001f, -1e30f, 1e30f, 93.001f, not_a_number(), -not_a_number()};
    biost_filter wish;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        wish = filter_no_wish();
        wish.min_mean_quality = bad[i];
        filter_is_refused(&wish, "desc.filter.min_mean_quality", NULL);
        wish = filter_no_wish();
        wish.max_error_rate = bad[i];
        filter_is_refused(&wish, "desc.filter.max_error_rate", NULL);
        wish = filter_no_wish();
        wish.max_n_fraction = bad[i];
        filter_is_refused(&wish, "desc.filter.max_n_fraction", NULL);
        wish = filter_no_wish();
        wish.subsample_from = bad[i];
        filter_is_refused(&wish, "desc.filter.subsample_from", NULL);
        wish = filter_no_wish();
        wish.subsample_below = bad[i];
        filter_is_refused(&wish, "desc.filter.subsample_below", NULL);
    }
    wish = filter_no_wish();
    wish.max_error_rate = 1.0001f;
    filter_is_refused(&wish, "desc.filter.max_error_rate", NULL);
    wish = filter_no_wish();
    wish.min_base_quality = 94;
    filter_is_refused(&wish, "desc.filter.min_base_quality", NULL);
}

/* Minus zero is zero: no filter. */
TEST(filter, minus_zero) {
    biost_filter wish = filter_no_wish();
    bsi_filter filter;
    wish.min_mean_quality = wish.max_error_rate = wish.max_n_fraction = -0.0f;
    wish.subsample_from = wish.subsample_below = -0.0f;
    filter = filter_begin(&wish);
    CHECK_EQ_U64(filter.wanted, 0);
}
