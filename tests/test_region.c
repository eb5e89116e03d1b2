/*
 * test_region.c - places of regions: by hand, by Helixer's published examples, sums against counting. Rows drawn at
 * random are in test_picks.c.
 *
 * rooms: picks
 * needs: loader stores
 */
#include "white.h"
#include "test.h"
#include "store_tables.h"

/* Regions, on one strand or on both. */
static uint64_t region_candidates(const bsi_picks_region *region) {
    return region->count << region->strands;
}

/* Regions of sequences of these lengths. */
typedef struct region_rig {
    store_tables *t;
    uint64_t *memory;
    bsi_picks_region region;
    char words[BSI_PICKS_WORDS];
    const char *wrong;
} region_rig;

static void region_open(region_rig *rig, const biost_regions *wish, uint32_t row_bases,
                        const uint64_t *lengths, size_t count) {
    biost_regions own = *wish;
    biost_filter filter;
    memset(&filter, 0, sizeof filter);
    bsi_fields_resolve_regions(&own, row_bases);
    rig->t = store_tables_of_lengths(lengths, count);
    rig->memory = (uint64_t *)(void *)test_copy(
        NULL, (size_t)bsi_picks_region_numbers(wish, &rig->t->tables) * sizeof(uint64_t));
    bsi_picks_begin_region(&rig->region, &own, &filter, row_bases, &rig->t->tables, rig->memory);
    rig->wrong = bsi_picks_check_store(&rig->region, rig->words);
}

static void region_close(region_rig *rig) {
    free(rig->memory);
    store_tables_free(rig->t);
}

/* Candidates as "a0 a5- b0": sequence, start, a mark for the minus strand; those past an edge in brackets. */
static const char *region_starts(const region_rig *rig, char *out) {
    size_t bytes = 0;
    out[0] = '\0';
    for (uint64_t c = 0; c < region_candidates(&rig->region); c++) {
        bsi_picks_place place = bsi_picks_place_at(&rig->region, c);
        int past = bsi_picks_is_past_edge(&rig->region, &place);
        bytes += (size_t)sprintf(out + bytes, "%s%s%c%lld%s%s", c > 0 ? " " : "", past ? "(" : "",
                                 (char)('a' + place.record), (long long)place.start,
                                 place.strand == 1 ? "-" : "", past ? ")" : "");
    }
    return out;
}

static void check_starts(const biost_regions *wish, uint32_t row_bases, const uint64_t *lengths, size_t count,
                         const char *expected) {
    region_rig rig;
    char out[1000];
    test_note("%s", expected);
    region_open(&rig, wish, row_bases, lengths, count);
    if (CHECK_STR(rig.wrong, NULL)) {
        CHECK_STR(region_starts(&rig, out), expected);
    }
    region_close(&rig);
}

static const uint64_t four[] = {12, 0, 5, 3};

TEST(region, grids_by_hand) {
    static const uint64_t two[] = {12, 6}, other_two[] = {11, 8}, listed[] = {3, 0}, ends[] = {11, 5};
    biost_regions wish;
    memset(&wish, 0, sizeof wish);
    wish.kind = BIOST_REGIONS_GRID;
    check_starts(&wish, 5, four, 4, "a0 a5 a10 c0 d0");
    check_starts(&wish, 5, four, 0, "");
    check_starts(&wish, 5, four + 1, 1, "");
    wish.edge = BIOST_EDGE_INSIDE;
    check_starts(&wish, 5, four, 4, "a0 a5 a7 c0 d0");
    wish.edge = BIOST_EDGE_DROP;
    check_starts(&wish, 5, four, 4, "a0 a5 (a10) c0 (d0)");
    wish.strands = BIOST_STRANDS_BOTH;
    check_starts(&wish, 5, four, 4, "a0 a0- a5 a5- (a10) (a10-) c0 c0- (d0) (d0-)");
    memset(&wish, 0, sizeof wish);
    wish.kind = BIOST_REGIONS_GRID;
    wish.stride = 3;
    check_starts(&wish, 5, two, 2, "a0 a3 a6 a9 b0 b3");
    check_starts(&wish, 5, other_two, 2, "a0 a3 a6 b0 b3");
    wish.stride = 4;
    wish.edge = BIOST_EDGE_INSIDE;
    check_starts(&wish, 5, ends, 2, "a0 a4 a6 b0");
    wish.stride = 0;
    wish.edge = BIOST_EDGE_PAD;
    wish.sequences = listed;
    wish.sequence_count = 2;
    check_starts(&wish, 5, four, 4, "a0 a5 a10 d0");
}

static biost_interval interval_of(uint64_t sequence, int64_t start, int64_t end, uint32_t strand) {
    biost_interval interval;
    memset(&interval, 0, sizeof interval);
    interval.sequence = sequence;
    interval.start = start;
    interval.end = end;
    interval.strand = strand;
    return interval;
}

TEST(region, intervals_by_hand) {
    static const uint64_t lengths[] = {20, 9};
    biost_interval exact[3], center[6], start[4];
    biost_regions wish;
    exact[0] = interval_of(0, 3, 8, 0);
    exact[1] = interval_of(1, 4, 9, 1);
    exact[2] = interval_of(0, 0, 5, 1);
    center[0] = interval_of(0, 3, 9, 0);
    center[1] = interval_of(0, 3, 10, 1);
    center[2] = interval_of(1, 8, 9, 0);
    center[3] = interval_of(0, 0, 1, 0);
    center[4] = interval_of(1, 0, 9, 0);
    center[5] = interval_of(0, 4, 5, 0);
    start[0] = interval_of(0, 3, 20, 0);
    start[1] = interval_of(0, 3, 20, 1);
    start[2] = interval_of(1, 0, 2, 1);
    start[3] = interval_of(1, 7, 9, 0);
    memset(&wish, 0, sizeof wish);
    wish.kind = BIOST_REGIONS_INTERVALS;
    wish.intervals = exact;
    wish.interval_count = 3;
    check_starts(&wish, 5, lengths, 2, "a3 b4- a0-");
    wish.interval_count = 2;
    wish.strands = BIOST_STRANDS_BOTH;
    check_starts(&wish, 5, lengths, 2, "a3 a3- b4 b4-");
    wish.strands = BIOST_STRANDS_PLUS;
    wish.fit = BIOST_FIT_CENTER;
    wish.interval_count = 1;
    check_starts(&wish, 4, lengths, 2, "a3");
    wish.intervals = center;
    wish.interval_count = 6;
    check_starts(&wish, 5, lengths, 2, "a4 a4- b6 a-2 b2 a2");
    wish.edge = BIOST_EDGE_INSIDE;
    check_starts(&wish, 5, lengths, 2, "a4 a4- b4 a0 b2 a2");
    wish.edge = BIOST_EDGE_DROP;
    check_starts(&wish, 5, lengths, 2, "a4 a4- (b6) (a-2) b2 a2");
    wish.edge = BIOST_EDGE_PAD;
    wish.fit = BIOST_FIT_START;
    wish.intervals = start;
    wish.interval_count = 4;
    check_starts(&wish, 5, lengths, 2, "a3 a15- b-3- b7");
}

/* Intervals past both ends of a sequence, as datasets.md 4 has them: {start, end, strand, summit}. */
TEST(region, intervals_past_ends) {
    static const uint64_t lengths[] = {20};
    static const biost_interval
        center[] = {{0, -6, 1, 0, 0, 0},   {0, -5, 2, 0, 1, 0},  {0, 18, 25, 0, 0, 0},
                    {0, -100, 9, 0, 0, 0}, {0, 8, 101, 0, 1, 0}, {0, -10, 30, 0, 0, 0}},
        exact[] = {{0, -2, 3, 0, 0, 0}, {0, 17, 22, 0, 1, 0}, {0, -4, 1, 0, 1, 0}},
        none[] = {{0, 20, 25, 0, 0, 0}, {0, -5, 0, 0, 1, 0}, {0, 15, 20, 0, 0, 0}, {0, 0, 5, 0, 1, 0}},
        summit[] = {{0, 3, 9, 0, 0, 5},
                    {0, 3, 9, 0, 1, 5},
                    {0, -7, 1, 0, 0, 7},
                    {0, 2, 900, 0, 0, 800},
                    {0, 18, 19, 0, 1, 0}},
        empty[] = {{0, 4, 4, 0, 0, 0}, {0, 20, 20, 0, 1, 0}, {0, -9, -9, 0, 0, 0}, {0, 9, 10, 0, 0, 0}};
    biost_regions wish;
    memset(&wish, 0, sizeof wish);
    wish.kind = BIOST_REGIONS_INTERVALS;
    wish.intervals = exact;
    wish.interval_count = 3;
    check_starts(&wish, 5, lengths, 1, "a-2 a17- a-4-");
    wish.edge = BIOST_EDGE_INSIDE;
    check_starts(&wish, 5, lengths, 1, "a0 a15- a0-");
    wish.edge = BIOST_EDGE_DROP;
    check_starts(&wish, 5, lengths, 1, "(a-2) (a17-) (a-4-)");
    wish.intervals = none;
    wish.interval_count = 4;
    check_starts(&wish, 5, lengths, 1, "(a20) (a-5-) a15 a0-");
    wish.fit = BIOST_FIT_SUMMIT;
    wish.intervals = summit;
    wish.interval_count = 5;
    check_starts(&wish, 5, lengths, 1, "a6 a6- (a-2) (a800) (a16-)");
    wish.edge = BIOST_EDGE_PAD;
    check_starts(&wish, 5, lengths, 1, "a6 a6- a-2 a800 a16-");
    wish.edge = BIOST_EDGE_INSIDE;
    check_starts(&wish, 4, lengths, 1, "a6 a6- a0 a16 a16-");
    wish.edge = BIOST_EDGE_PAD;
    wish.fit = BIOST_FIT_CENTER;
    wish.intervals = center;
    wish.interval_count = 6;
    check_starts(&wish, 5, lengths, 1, "a-5 a-4- a19 a-48 a52- a8");
    wish.edge = BIOST_EDGE_DROP;
    wish.intervals = empty;
    for (uint32_t fit = BIOST_FIT_CENTER; fit <= BIOST_FIT_SUMMIT; fit++) {
        region_rig rig;
        wish.fit = (biost_fit)fit;
        wish.interval_count = 4;
        region_open(&rig, &wish, 1, lengths, 1);
        CHECK_STR(rig.wrong, NULL);
        for (uint64_t c = 0; c < 4; c++) { /* of no bases: wherever it is, it has none of its sequence */
            bsi_picks_place place = bsi_picks_place_at(&rig.region, c);
            CHECK_EQ_I64(bsi_picks_is_past_edge(&rig.region, &place), c < 3);
        }
        region_close(&rig);
    }
}

/* Columns of "AACGTTGT" around its ends, and of a sequence that is shorter than a row. */
TEST(region, columns) {
    static const struct {
        int64_t start;
        uint64_t bases, low, high;
        uint32_t before, after; /* without MINUS_PAD_END */
    } cases[] = {{-1, 8, 0, 4, 1, 0}, {6, 8, 6, 8, 0, 3},  {8, 8, 8, 8, 0, 5},  {-5, 8, 0, 0, 5, 0},
                 {-9, 8, 0, 0, 5, 0}, {20, 8, 8, 8, 0, 5}, {-1, 3, 0, 3, 1, 1}, {0, 3, 0, 3, 0, 2},
                 {3, 8, 3, 8, 0, 0},  {-2, 0, 0, 0, 2, 3}};
    biost_regions wish;
    memset(&wish, 0, sizeof wish);
    wish.kind = BIOST_REGIONS_GRID;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        bsi_picks_place place = {0, cases[i / 2].start, 0.0, 0};
        bsi_picks_bounds bounds;
        region_rig rig;
        test_note("case %u", (unsigned)i);
        wish.minus_pad = i % 2 ? BIOST_MINUS_PAD_END : (biost_minus_pad)0;
        region_open(&rig, &wish, 5, &cases[i / 2].bases, 1);
        bounds = bsi_picks_bounds_of(&rig.region, &place);
        CHECK_EQ_U64(bounds.low, cases[i / 2].low);
        CHECK_EQ_U64(bounds.high, cases[i / 2].high);
        CHECK_EQ_U64(bounds.lefts[0], cases[i / 2].before);
        CHECK_EQ_U64(bounds.lefts[1], i % 2 ? 0 : cases[i / 2].after);
        region_close(&rig);
    }
}

/* Published: the count of Helixer's chunks, both strands, is 2 ceil(bases / chunk). */
TEST(region, counts_of_helixer) {
    static const uint64_t cases[][2] = {{1, 2}, {21383, 2}, {21384, 2}, {21385, 4}, {51321, 6}, {64152, 6}};
    biost_regions wish;
    memset(&wish, 0, sizeof wish);
    wish.kind = BIOST_REGIONS_GRID;
    wish.strands = BIOST_STRANDS_BOTH;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        region_rig rig;
        region_open(&rig, &wish, 21384, cases[i], 1);
        CHECK_EQ_U64(region_candidates(&rig.region), cases[i][1]);
        region_close(&rig);
    }
}

/* Jitter is in its range, reaches both its ends, is the same for both strands and clamped but for PAD. */
TEST(region, jitter) {
    static const uint64_t lengths[] = {1000};
    biost_regions wish;
    memset(&wish, 0, sizeof wish);
    wish.kind = BIOST_REGIONS_GRID;
    wish.strands = BIOST_STRANDS_BOTH;
    wish.jitter = 4;
    for (uint32_t edge = 0; edge < 3; edge++) {
        bsi_rng_key key = bsi_rng_stage_key(5, edge, BSI_RNG_SHIFT);
        region_rig rig;
        uint32_t seen = 0;
        wish.edge = (biost_edge)edge;
        region_open(&rig, &wish, 2, lengths, 1);
        for (uint64_t c = 0; c < 1000; c += 2) {
            bsi_picks_place at = bsi_picks_place_at(&rig.region, c), plus = at;
            bsi_picks_place minus = bsi_picks_place_at(&rig.region, c + 1);
            bsi_picks_shift(&rig.region, key, c, &plus);
            bsi_picks_shift(&rig.region, key, c + 1, &minus);
            CHECK_EQ_I64(plus.start, minus.start);
            CHECK(plus.start >= at.start - 4 && plus.start <= at.start + 4);
            CHECK(edge == BIOST_EDGE_PAD || (plus.start >= 0 && plus.start <= 998));
            if (at.start > 4 && at.start < 990) {
                seen |= 1u << (plus.start - at.start + 4);
            }
        }
        CHECK_EQ_U64(seen, 0x1FF);
        region_close(&rig);
    }
}

/* ---- refusals ---- */

static const char *region_refusal(const biost_regions *wish, const biost_loader_desc *desc) {
    bsi_rules_case of;
    const char *wrong;
    memset(&of, 0, sizeof of);
    of.desc = desc;
    wrong = bsi_rules_regions(&of, wish);
    return wrong != NULL ? wrong : "none";
}

static int says(const char *sentence, const char *part) {
    return CHECK(sentence != NULL) && (strstr(sentence, part) != NULL || CHECK_STR(sentence, part));
}

TEST(region, wishes_refused) {
    static const biost_interval intervals[1] = {{0, 0, 5, 0.0, 0, 0}};
    static const uint64_t sequences[1] = {0};
    biost_loader_desc desc;
    biost_regions grid, wish;
    memset(&desc, 0, sizeof desc);
    memset(&grid, 0, sizeof grid);
    says(region_refusal(&grid, &desc), "none");
    grid.jitter = 1;
    says(region_refusal(&grid, &desc), "no desc.regions.kind");
    grid.kind = BIOST_REGIONS_GRID;
    says(region_refusal(&grid, &desc), "need desc.row_bases");
    desc.row_bases = 5;
    says(region_refusal(&grid, &desc), "none");
    wish = grid;
    wish.stride = 6;
    says(region_refusal(&wish, &desc), "desc.regions.stride is over desc.row_bases");
    wish = grid;
    wish.intervals = intervals;
    wish.interval_count = 1;
    says(region_refusal(&wish, &desc), "desc.regions.intervals and fit");
    wish = grid;
    wish.fit = BIOST_FIT_START;
    says(region_refusal(&wish, &desc), "desc.regions.intervals and fit");
    wish = grid;
    wish.sequence_count = 1;
    says(region_refusal(&wish, &desc), "desc.regions.sequence_count has no");
    wish.sequences = sequences;
    says(region_refusal(&wish, &desc), "none");
    wish.kind = BIOST_REGIONS_INTERVALS;
    says(region_refusal(&wish, &desc), "desc.regions.sequences need");
    wish.sequences = NULL;
    wish.sequence_count = 0;
    wish.interval_count = 1;
    says(region_refusal(&wish, &desc), "desc.regions.interval_count has no");
    wish = grid;
    wish.forbid_lower = 1;
    wish.max_lower_fraction = 0.5f;
    says(region_refusal(&wish, &desc), "forbid_lower");
    wish = grid;
    wish.forbid_other = 1;
    wish.max_other_fraction = 0.5f;
    says(region_refusal(&wish, &desc), "forbid_other");
    desc.augment.crop_bases = 3;
    says(region_refusal(&grid, &desc), "desc.augment.crop_bases");
    desc.augment.crop_bases = 0;
    desc.split_stride = 3;
    says(region_refusal(&grid, &desc), "desc.split_stride");
    desc.split_stride = 0;
    desc.split.by = BIOST_SPLIT_BLOCK;
    desc.split.block_bases = 6;
    says(region_refusal(&grid, &desc), "twice desc.regions.jitter");
    desc.split.block_bases = 7;
    says(region_refusal(&grid, &desc), "none");
}

static void check_store_refusal(const biost_regions *wish, const char *part) {
    region_rig rig;
    region_open(&rig, wish, 5, four, 4);
    says(rig.wrong != NULL ? rig.wrong : "none", part);
    region_close(&rig);
}

TEST(region, stores_refused) {
    static const uint64_t missing[] = {3, 4, 0}, twice[] = {3, 0, 2, 3, 1};
    static const uint64_t long_one[] = {(1u << 20) + 1};
    biost_interval intervals[2];
    biost_regions wish;
    region_rig rig;
    memset(&wish, 0, sizeof wish);
    wish.kind = BIOST_REGIONS_GRID;
    wish.sequences = missing;
    wish.sequence_count = 3;
    check_store_refusal(&wish, "the store has no sequence 4");
    wish.sequences = twice;
    wish.sequence_count = 5;
    check_store_refusal(&wish, "sequence 3 is listed twice");
    memset(&wish, 0, sizeof wish);
    wish.kind = BIOST_REGIONS_INTERVALS;
    wish.intervals = intervals;
    wish.interval_count = 2;
    intervals[0] = intervals[1] = interval_of(0, 1, 6, 0);
    check_store_refusal(&wish, "none");
    intervals[1] = interval_of(4, 1, 6, 0);
    check_store_refusal(&wish, "desc.regions.intervals[1] is of a sequence");
    intervals[1] = interval_of(0, 6, 1, 0);
    check_store_refusal(&wish, "desc.regions.intervals[1] ends before it starts");
    intervals[1] = interval_of(0, 8, 13, 0);
    check_store_refusal(&wish, "none");
    intervals[1] = interval_of(0, 8, 12, 0);
    check_store_refusal(&wish, "BIOST_FIT_EXACT");
    intervals[1] = interval_of(0, 8, 12, 2);
    check_store_refusal(&wish, "strand");
    for (uint32_t edge = 0; edge < 3; edge++) {
        const int drops = edge == BIOST_EDGE_DROP;
        wish.edge = (biost_edge)edge;
        intervals[1] = interval_of(2, 5, 10, 0);
        check_store_refusal(&wish, drops ? "none"
                                         : "desc.regions.intervals[1] has no base of sequence 2, which "
                                           "has 5; desc.regions.edge BIOST_EDGE_DROP leaves it out");
        intervals[1] = interval_of(0, -5, 0, 1);
        check_store_refusal(&wish,
                            drops ? "none" : "desc.regions.intervals[1] has no base of sequence 0, which");
        intervals[1] = interval_of(1, -1, 4, 0);
        check_store_refusal(&wish, drops ? "none" : "intervals[1] has no base of sequence 1, which has 0");
        intervals[1] = interval_of(0, -5 - ((int64_t)1 << 61), -((int64_t)1 << 61), 0);
        check_store_refusal(&wish, "desc.regions.intervals[1] is more than 2^61 bases away");
        intervals[1] = interval_of(0, 11, ((int64_t)1 << 61) + 1, 0);
        check_store_refusal(&wish, "desc.regions.intervals[1] is more than 2^61 bases away");
        intervals[1] = interval_of(0, INT64_MIN, INT64_MAX, 0);
        check_store_refusal(&wish, "desc.regions.intervals[1] is more than 2^61 bases away");
    }
    wish.edge = BIOST_EDGE_PAD;
    wish.fit = BIOST_FIT_CENTER;
    intervals[1] = interval_of(0, 4, 4, 0);
    check_store_refusal(&wish, "desc.regions.intervals[1] has no base of sequence 0, which has 12");
    intervals[1] = interval_of(0, -((int64_t)1 << 61), (int64_t)1 << 61, 0);
    check_store_refusal(&wish, "none");
    wish.fit = BIOST_FIT_SUMMIT;
    intervals[1] = interval_of(0, 4, 8, 0);
    intervals[1].summit = 3;
    check_store_refusal(&wish, "none");
    intervals[1].summit = 4;
    check_store_refusal(&wish, "desc.regions.intervals[1].summit is past its end");
    intervals[1].summit = UINT32_MAX; /* -1, as narrowPeak has it where there is none */
    check_store_refusal(&wish, "desc.regions.intervals[1].summit is past its end");
    wish.fit = BIOST_FIT_CENTER;
    check_store_refusal(&wish, "none");
    memset(&wish, 0, sizeof wish);
    wish.kind = BIOST_REGIONS_GRID;
    region_open(&rig, &wish, 1, long_one, 1);
    rig.region.count = (uint64_t)1 << 30;
    CHECK_STR(bsi_picks_check_store(&rig.region, rig.words), NULL);
    rig.region.strands = 1;
    says(bsi_picks_check_store(&rig.region, rig.words), "2^30");
    rig.region.strands = 0;
    ++rig.region.count;
    says(bsi_picks_check_store(&rig.region, rig.words), "desc.regions are 1073741825");
    region_close(&rig);
}

/* ---- sums ---- */

static uint64_t region_state = 1;

static uint64_t region_random(uint64_t bound) {
    region_state = region_state * 6364136223846793005u + 1442695040888963407u;
    return (region_state >> 33) % bound;
}

/* Every number of 200 lists of counts, many of them 0 and some large, is found where counting finds it. */
TEST(region, sums) {
    for (uint32_t round = 0; round < 200; round++) {
        uint64_t count = region_random(round < 100 ? 20 : 300), total = 0, i = 0;
        uint64_t most = 1 + region_random(40);
        uint64_t *memory = (uint64_t *)(void *)test_copy(NULL, (size_t)bsi_picks_sums_numbers(count) *
                                                                   sizeof(uint64_t));
        bsi_picks_sums sums;
        test_note("round %u", round);
        bsi_picks_sums_begin(&sums, count, memory);
        for (uint64_t k = 0; k < count; k++) {
            memory[k] = region_random(3) == 0 ? 0 : region_random(most) * (region_random(50) == 0 ? 100 : 1);
            total += memory[k];
        }
        uint64_t *counts = (uint64_t *)(void *)test_copy(memory, (size_t)count * sizeof(uint64_t));
        CHECK_EQ_U64(bsi_picks_sums_end(&sums), total);
        for (uint64_t k = 0; k < count; k++) {
            for (uint64_t n = 0; n < counts[k]; n++, i++) {
                CHECK_EQ_U64(bsi_picks_sums_find(&sums, i), k);
            }
        }
        free(counts);
        free(memory);
    }
}

TEST(region, sorting) {
    for (uint32_t round = 0; round < 100; round++) {
        uint64_t numbers[50], count = region_random(51), sum = 0;
        for (uint64_t i = 0; i < count; i++) {
            numbers[i] = region_random(60);
            sum += numbers[i] * numbers[i];
        }
        bsi_picks_sort(numbers, count);
        for (uint64_t i = 0; i < count; i++) {
            sum -= numbers[i] * numbers[i];
            CHECK(i == 0 || numbers[i - 1] <= numbers[i]);
        }
        CHECK_EQ_U64(sum, 0);
    }
}
