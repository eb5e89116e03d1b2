/*
 * test_picks.c - the rows of stores: 120 settings at random with rows and counts that tests/oracle_store.py printed
 * (picks_oracle.h), bits against counting them one by one, and Helixer's published order.
 *
 * rooms: picks
 * needs: loader stores
 */
#include "white.h"
#include "test.h"
#include "store_tables.h"
#include "xxh64.h"

/* One of the oracle's settings. A share of -1 is none, of 0 none allowed. */
typedef struct picks_case {
    uint32_t row_bases, strands, fit, edge, minus_pad, jitter, stride, region;
    uint32_t listed; /* 1: picks_listed, 2: its one sequence 9 */
    uint32_t order, long_records, split_stride, crop;
    uint64_t first, every, min_length, max_length;
    uint32_t min_base_quality, by;
    uint64_t salt, block_bases;
    float max_n, max_lower, max_other, subsample_from, subsample_below, min_quality, max_error, from, below;
    uint64_t seed, epoch;
    uint32_t pass, group;
    const char *dropped, *rows;
} picks_case;

#include "picks_oracle.h"

/* The candidate of row i of a pass; i < bsi_picks_rows. */
static uint64_t bsi_picks_candidate(const bsi_picks *picks, const bsi_picks_keys *keys, uint64_t i) {
    uint64_t candidate;
    bsi_picks_candidates(picks, keys, i, 1, &candidate);
    return candidate;
}

#define PICKS_RECORDS   (sizeof picks_records / sizeof picks_records[0])
#define PICKS_INTERVALS (sizeof picks_intervals / sizeof picks_intervals[0])
#define PICKS_CASES     (sizeof picks_cases / sizeof picks_cases[0])

static const uint64_t picks_listed[] = {11, 2, 5, 1, 0}, picks_one_listed[] = {9};

/* The settings of a case as the rooms take them. */
typedef struct picks_rig {
    store_tables *t;
    bsi_filter filter;
    bsi_filter_split split;
    bsi_picks_region region;
    bsi_picks picks;
    bsi_picks_wish wish;
    bsi_picks_counts counts;
    uint64_t *region_memory, *piece_memory, *bits;
} picks_rig;

static void share_of(float share, float *out_most, int *out_forbids) {
    *out_most = share > 0 ? share : 0.0f;
    *out_forbids = share == 0.0f;
}

static biost_filter filter_of(const picks_case *of) {
    biost_filter wish;
    memset(&wish, 0, sizeof wish);
    share_of(of->max_n, &wish.max_n_fraction, &wish.forbid_n);
    wish.first_records = of->first;
    wish.every_record = of->every;
    wish.min_length = of->min_length;
    wish.max_length = of->max_length;
    wish.min_base_quality = of->min_base_quality;
    wish.min_mean_quality = of->min_quality;
    wish.max_error_rate = of->max_error;
    wish.subsample_from = of->subsample_from;
    wish.subsample_below = of->subsample_below > 0 ? of->subsample_below : 1;
    return wish;
}

static biost_split split_of(const picks_case *of) {
    biost_split wish;
    memset(&wish, 0, sizeof wish);
    wish.by = (biost_split_by)of->by;
    wish.salt = of->salt;
    wish.from = of->from;
    wish.below = of->by != BIOST_SPLIT_NONE && of->below == 0 ? 1 : of->below;
    wish.block_bases = of->block_bases;
    wish.field = of->by == BIOST_SPLIT_FIELD ? 2 : 0;
    wish.separator = of->by == BIOST_SPLIT_FIELD ? ':' : '\0';
    if (of->by == BIOST_SPLIT_NAME) {
        strcpy(wish.strip, "._");
    }
    return wish;
}

static biost_regions regions_of(const picks_case *of) {
    biost_regions wish;
    memset(&wish, 0, sizeof wish);
    wish.kind = (biost_regions_kind)of->region;
    wish.strands = (biost_strands)of->strands;
    wish.edge = (biost_edge)of->edge;
    wish.minus_pad = (biost_minus_pad)of->minus_pad;
    wish.jitter = of->jitter;
    share_of(of->max_lower, &wish.max_lower_fraction, &wish.forbid_lower);
    share_of(of->max_other, &wish.max_other_fraction, &wish.forbid_other);
    if (of->region == BIOST_REGIONS_INTERVALS) {
        wish.fit = (biost_fit)of->fit;
        wish.intervals = picks_intervals;
        wish.interval_count = of->edge == BIOST_EDGE_DROP ? PICKS_INTERVALS : PICKS_WITH_BASE;
    } else if (of->region == BIOST_REGIONS_GRID) {
        wish.stride = of->stride > 0 ? of->stride : of->row_bases;
        wish.sequences = of->listed == 1 ? picks_listed : of->listed == 2 ? picks_one_listed : NULL;
        wish.sequence_count = of->listed == 1 ? 5 : of->listed == 2 ? 1 : 0;
    }
    return wish;
}

static uint64_t *numbers_of(uint64_t count) {
    return (uint64_t *)(void *)test_copy(NULL, (size_t)count * sizeof(uint64_t));
}

/* Fill the bits from the last range to the first, each with counts of its own. */
static void picks_fill_back(bsi_picks *picks, uint64_t range, bsi_picks_counts *counts) {
    bsi_picks_counts_begin(counts);
    for (uint64_t from = bsi_picks_blocks(picks->units) * BSI_PICKS_BLOCK; from > 0;) {
        uint64_t to = BSI_MIN(from, picks->units);
        bsi_picks_counts more;
        from = (from - 1) / range * range;
        bsi_picks_counts_begin(&more);
        bsi_picks_fill(picks, from, to, &more);
        bsi_picks_counts_add(counts, &more);
    }
    bsi_picks_finish(picks);
}

static void picks_open(picks_rig *rig, const picks_case *of) {
    biost_filter filter = filter_of(of);
    biost_split split = split_of(of);
    biost_regions regions = regions_of(of);
    store_record records[PICKS_RECORDS];
    char words[BSI_PICKS_WORDS];
    memset(rig, 0, sizeof *rig);
    for (size_t i = 0; i < PICKS_RECORDS; i++) {
        records[i].seq = picks_records[i][0];
        records[i].qual = picks_records[i][1];
        records[i].title = picks_records[i][2];
        records[i].id = i < 7 ? (int64_t)i : (int64_t)1 << 40 | (int64_t)(i - 7);
    }
    rig->t = store_tables_make(records, PICKS_RECORDS);
    bsi_filter_begin(&rig->filter, &filter, of->seed,
                     of->region != BIOST_REGIONS_NONE || of->long_records == BIOST_LONG_SPLIT);
    bsi_filter_begin_split(&rig->split, &split);
    rig->wish.tables = &rig->t->tables;
    rig->wish.filter = &rig->filter;
    rig->wish.split = &rig->split;
    if (of->region != BIOST_REGIONS_NONE) {
        rig->region_memory = numbers_of(bsi_picks_region_numbers(&regions, &rig->t->tables));
        bsi_picks_begin_region(&rig->region, &regions, &filter, of->row_bases, &rig->t->tables,
                               rig->region_memory);
        CHECK_STR(bsi_picks_check_store(&rig->region, words), NULL);
        rig->wish.region = &rig->region;
    }
    rig->wish.order = (biost_order)of->order;
    rig->wish.shown.long_records = (biost_long_records_mode)of->long_records;
    rig->wish.shown.row_bases = of->row_bases;
    rig->wish.shown.split_stride = of->split_stride > 0 ? of->split_stride : of->row_bases;
    rig->wish.shown.crop_bases = of->long_records == BIOST_LONG_CROP ? of->row_bases : of->crop;
    rig->piece_memory = numbers_of(bsi_picks_piece_numbers(&rig->wish));
    bsi_picks_begin(&rig->picks, &rig->wish, rig->piece_memory);
}

/* Make bits, also where they are not needed. */
static void picks_judge_all(picks_rig *rig) {
    rig->bits = (uint64_t *)(void *)test_copy(NULL, (size_t)bsi_picks_bytes(rig->picks.units));
    bsi_picks_lend_bits(&rig->picks, rig->bits);
    picks_fill_back(&rig->picks, BSI_PICKS_BLOCK, &rig->counts);
}

static void picks_close(picks_rig *rig) {
    free(rig->bits);
    free(rig->piece_memory);
    free(rig->region_memory);
    store_tables_free(rig->t);
}

/* A row as the oracle prints it. Returns its bytes. */
static size_t put_row(const bsi_picks_shown *row, char *out) {
    int bytes = sprintf(out, "%d:%d:%u:%lld:%u:%u:%g:%.*s", (int)(row->id >> 40), (int)(row->id & 0xFFFF),
                        row->piece, (long long)row->start_base, row->strand, row->lefts[0], row->label,
                        (int)row->bases, picks_records[row->record][0] + row->low);
    return (size_t)bytes + (row->lefts[1] > 0 ? (size_t)sprintf(out + bytes, ":%u", row->lefts[1]) : 0);
}

/* The rows of a case, in handfuls of `ways`. */
static const char *put_rows(const picks_rig *rig, const picks_case *of, uint32_t ways, char *out) {
    uint64_t candidates[BSI_ORDER_WAYS], rows = bsi_picks_rows(&rig->picks), i;
    bsi_picks_keys keys;
    size_t bytes = 0;
    bsi_picks_make_keys(&keys, of->seed, of->epoch, of->pass, of->group);
    for (i = 0; i < rows; i += ways) {
        uint32_t count = (uint32_t)BSI_MIN(rows - i, ways);
        bsi_picks_candidates(&rig->picks, &keys, i, count, candidates);
        for (uint32_t k = 0; k < count; k++) {
            bsi_picks_shown row;
            CHECK_EQ_U64(bsi_picks_candidate(&rig->picks, &keys, i + k), candidates[k]);
            bsi_picks_show(&rig->picks, &keys, candidates[k], 0, &row);
            bytes += put_row(&row, out + bytes);
            out[bytes++] = ' ';
        }
    }
    out[bytes] = '\0';
    return out;
}

/*
 * The counts as the oracle prints them: by filter, and borders. A piece that lies in two blocks counts there as one
 * that the split leaves out.
 */
static const char *put_counts(const picks_rig *rig, char *out) {
    size_t bytes = 0;
    int apart = rig->wish.region != NULL;
    for (uint32_t i = 0; i < BIOST_DROP_COUNT; i++) {
        uint64_t more = i == BIOST_DROP_SPLIT && !apart ? rig->counts.border_count : 0;
        bytes += (size_t)sprintf(out + bytes, "%u ", (unsigned)(rig->counts.dropped[i] + more));
    }
    sprintf(out + bytes, "%u", apart ? (unsigned)rig->counts.border_count : 0);
    return out;
}

TEST(picks, rows_of_the_oracle) {
    static char out[20000], counts[400];
    uint32_t without_bits = 0;
    for (size_t i = 0; i < PICKS_CASES; i++) {
        picks_rig rig;
        test_note("case %u", (unsigned)i);
        picks_open(&rig, &picks_cases[i]);
        biost_regions regions = regions_of(&picks_cases[i]);
        if (!bsi_picks_needs_bits(rig.wish.filter, rig.wish.split, &regions)) {
            CHECK_STR(put_rows(&rig, &picks_cases[i], 5, out), picks_cases[i].rows);
            without_bits++;
        }
        picks_judge_all(&rig);
        CHECK_STR(put_rows(&rig, &picks_cases[i], 1, out), picks_cases[i].rows);
        CHECK_STR(put_rows(&rig, &picks_cases[i], BSI_ORDER_WAYS, out), picks_cases[i].rows);
        CHECK_STR(put_counts(&rig, counts), picks_cases[i].dropped);
        CHECK_EQ_U64(rig.counts.bad_record, UINT64_MAX);
        picks_close(&rig);
    }
    CHECK(without_bits > 3 && without_bits < PICKS_CASES / 2);
}

/* Published: start and end of the chunks of a sequence of 51321 bases, in the order of Helixer's files. */
TEST(picks, order_of_helixer) {
    static const uint64_t length[] = {51321};
    static const int64_t ends[][2] = {{0, 21384},     {21384, 42768}, {42768, 51321},
                                      {51321, 42768}, {42768, 21384}, {21384, 0}};
    picks_case none;
    picks_rig rig;
    biost_filter filter;
    biost_regions regions;
    bsi_picks_keys keys;
    memset(&none, 0, sizeof none);
    none.max_n = none.max_lower = none.max_other = -1;
    none.row_bases = 21384;
    none.region = BIOST_REGIONS_GRID;
    none.strands = BIOST_STRANDS_BOTH;
    none.order = BIOST_ORDER_HELIXER;
    filter = filter_of(&none);
    regions = regions_of(&none);
    picks_open(&rig, &none);
    store_tables_free(rig.t);
    free(rig.region_memory);
    rig.t = store_tables_of_lengths(length, 1);
    rig.wish.tables = &rig.t->tables;
    rig.region_memory = numbers_of(bsi_picks_region_numbers(&regions, &rig.t->tables));
    bsi_picks_begin_region(&rig.region, &regions, &filter, 21384, &rig.t->tables, rig.region_memory);
    bsi_picks_begin(&rig.picks, &rig.wish, rig.piece_memory);
    bsi_picks_make_keys(&keys, 1, 2, 3, 4);
    if (CHECK_EQ_U64(bsi_picks_rows(&rig.picks), 6)) {
        for (uint64_t i = 0; i < 6; i++) {
            bsi_picks_shown row;
            bsi_picks_show(&rig.picks, &keys, bsi_picks_candidate(&rig.picks, &keys, i), 0, &row);
            CHECK_EQ_U64(row.strand, i / 3);
            CHECK_EQ_I64(row.start_base, ends[i][i / 3]);
            CHECK_EQ_I64(row.start_base + (int64_t)row.bases, ends[i][1 - i / 3]);
        }
    }
    picks_close(&rig);
}

/* A name without the field, and a record longer than a row with BIOST_LONG_FAIL: the first record is told. */
TEST(picks, errors_of_records) {
    picks_case of;
    picks_rig rig;
    memset(&of, 0, sizeof of);
    of.max_n = of.max_lower = of.max_other = -1;
    of.row_bases = 69;
    picks_open(&rig, &of);
    picks_judge_all(&rig);
    CHECK_EQ_U64(rig.counts.bad_record, 0);
    CHECK_EQ_U64(rig.counts.bad_verdict, BSI_PICKS_TOO_LONG);
    picks_close(&rig);
    of.min_length = 20;
    of.max_length = 69;
    of.row_bases = 30;
    picks_open(&rig, &of);
    picks_judge_all(&rig);
    CHECK_EQ_U64(rig.counts.bad_record, 2);
    picks_close(&rig);
    of.row_bases = 100;
    of.by = BIOST_SPLIT_FIELD;
    picks_open(&rig, &of);
    rig.split.wish.field = 3;
    picks_judge_all(&rig);
    CHECK_EQ_U64(rig.counts.bad_record, 2);
    CHECK_EQ_U64(rig.counts.bad_verdict, BSI_PICKS_NO_FIELD);
    picks_close(&rig);
}

/* ---- names, judged some at a time ---- */

enum { NAMES_MOST = 600, NAMES_TITLE = 96 };

static char names_titles[NAMES_MOST][NAMES_TITLE];

/*
 * Titles of all lengths: most have a name of 8 to 63 bytes, some a longer or a shorter one or none, blanks
 * before it, a mate's number, or no second field.
 */
static store_tables *names_store(uint32_t seed) {
    static const char *const ends[] = {"", "/1", "/2 x", " 1:N:0:ACGT", "\tword", ".3", "/5", "/1 /2"};
    static store_record records[NAMES_MOST];
    uint64_t state = seed;
    for (size_t i = 0; i < NAMES_MOST; i++) {
        uint64_t draw = test_random(&state);
        size_t want = draw % 16 == 0   ? draw / 16 % 8
                      : draw % 16 == 1 ? 60 + draw / 16 % 12
                                       : 8 + draw / 16 % 50;
        char *at = names_titles[i];
        at += sprintf(at, "%s", draw / 4096 % 11 == 0 ? " \t" : "");
        for (size_t k = 0; k < want; k++) {
            *at++ = k == 3 && draw / 65536 % 4 > 0 ? ':' : (char)('a' + test_random(&state) % 26);
        }
        sprintf(at, "%s", ends[test_random(&state) % (sizeof ends / sizeof ends[0])]);
        if (draw / 8192 % 37 == 0) {
            names_titles[i][0] = '\0';
        }
        records[i].seq = "ACGT";
        records[i].qual = NULL;
        records[i].title = names_titles[i];
        records[i].id = (int64_t)i;
    }
    return store_tables_make(records, NAMES_MOST);
}

/* What a title's key is by the definition of desc.split; NULL: it lacks the field. */
static const char *names_key(const biost_split *wish, const char *title, size_t *out_bytes) {
    const char *name = title + strspn(title, " \t");
    size_t bytes = strcspn(name, " \t");
    if (wish->by != BIOST_SPLIT_SEQUENCE && bytes >= 2 && strchr("1234", name[bytes - 1]) != NULL &&
        strchr(wish->strip, name[bytes - 2]) != NULL) {
        bytes -= 2;
    }
    if (wish->by == BIOST_SPLIT_FIELD) {
        const char *colon = (const char *)memchr(name, ':', bytes);
        if (colon == NULL) {
            return NULL;
        }
        bytes -= (size_t)(colon + 1 - name);
        name = colon + 1;
        colon = (const char *)memchr(name, ':', bytes);
        bytes = colon != NULL ? (size_t)(colon - name) : bytes;
    }
    *out_bytes = bytes;
    return name;
}

/* Bits and counts of all names, where names alone decide and where some records are left out before. */
static void check_names(const biost_split *wish, uint64_t every, uint32_t row_bases) {
    store_tables *t = names_store(77);
    bsi_picks_wish picks_wish;
    biost_filter filter_wish;
    bsi_picks_counts counts;
    uint64_t dropped = 0, bad = UINT64_MAX;
    bsi_filter filter;
    bsi_filter_split split;
    bsi_picks picks;
    uint64_t *bits;
    memset(&picks_wish, 0, sizeof picks_wish);
    memset(&filter_wish, 0, sizeof filter_wish);
    filter_wish.every_record = every;
    filter_wish.subsample_below = 1;
    bsi_filter_begin(&filter, &filter_wish, 1, 0);
    bsi_filter_begin_split(&split, wish);
    picks_wish.tables = &t->tables;
    picks_wish.filter = &filter;
    picks_wish.split = &split;
    picks_wish.shown.row_bases = row_bases;
    bsi_picks_begin(&picks, &picks_wish, NULL);
    CHECK(bsi_picks_is_by_name(&picks) == (every == 0 && row_bases >= 4));
    bits = (uint64_t *)(void *)test_copy(NULL, (size_t)bsi_picks_bytes(picks.units));
    bsi_picks_lend_bits(&picks, bits);
    picks_fill_back(&picks, BSI_PICKS_BLOCK, &counts);
    for (size_t i = 0; i < NAMES_MOST; i++) {
        size_t bytes = 0;
        const char *key = names_key(wish, names_titles[i], &bytes);
        const double share = key == NULL ? -1
                                         : (double)(slow_xxh64(key, bytes, wish->salt) >> 32) / 4294967296.0;
        const int taken = share >= wish->from && share < wish->below, judged = every == 0 || i % every == 0;
        const int passes = judged && taken && row_bases >= 4;
        test_note("record %d: '%s'", (int)i, names_titles[i]);
        CHECK_EQ_U64(bits[i / 64] >> i % 64 & 1, (uint64_t)passes);
        dropped += judged && key != NULL && !taken;
        bad = bad == UINT64_MAX && judged && (key == NULL || (taken && row_bases < 4)) ? i : bad;
    }
    CHECK_EQ_U64(counts.dropped[BIOST_DROP_SPLIT], dropped);
    CHECK_EQ_U64(counts.bad_record, bad);
    free(bits);
    store_tables_free(t);
}

TEST(picks, names_some_at_a_time) {
    static const biost_split_by ways[] = {BIOST_SPLIT_NAME, BIOST_SPLIT_SEQUENCE, BIOST_SPLIT_FIELD};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        biost_split wish;
        memset(&wish, 0, sizeof wish);
        wish.by = ways[i];
        wish.salt = 5 * i;
        wish.from = 0.25f;
        wish.below = 0.75f;
        wish.field = ways[i] == BIOST_SPLIT_FIELD ? 2 : 0;
        wish.separator = ways[i] == BIOST_SPLIT_FIELD ? ':' : '\0';
        strcpy(wish.strip, ways[i] == BIOST_SPLIT_SEQUENCE ? "" : "./");
        check_names(&wish, 0, 4);
        check_names(&wish, 0, 3);
        check_names(&wish, 3, 4);
    }
}

/* ---- bits ---- */

static uint64_t picks_state = 7;

static uint64_t picks_random(uint64_t bound) {
    picks_state = picks_state * 6364136223846793005u + 1442695040888963407u;
    return (picks_state >> 33) % bound;
}

TEST(picks, ones_of_a_word) {
    for (uint32_t round = 0; round < 2000; round++) {
        uint64_t word = picks_random((uint64_t)1 << 31) << 33 ^ picks_random((uint64_t)1 << 31) << 11 ^
                        picks_random(4096);
        uint32_t ones = 0;
        word = round % 3 == 0 ? word & word >> 7 : round % 3 == 1 ? word | word << 9 : word;
        word = round == 0 ? UINT64_MAX : word;
        for (uint32_t at = 0; at < 64; at++) {
            if (word >> at & 1) {
                CHECK_EQ_U64(bsi_picks_select_in_word(word, ones), at);
                ones++;
            }
        }
        CHECK_EQ_U64(bsi_picks_ones(word), ones);
    }
}

/* 200 sets of bits of all sizes and densities, some with long stretches of none: found as counting finds them. */
TEST(picks, bits_against_counting) {
    for (uint32_t round = 0; round < 200; round++) {
        uint64_t units = 1 + picks_random(round < 150 ? 3000 : 40000),
                 one_in = 1 + picks_random(round % 5 ? 6 : 2000);
        uint64_t empty_from = picks_random(units), empty_to = empty_from + picks_random(units), passing = 0,
                 word = 0;
        bsi_picks picks;
        uint64_t *bits = (uint64_t *)(void *)test_copy(NULL, (size_t)bsi_picks_bytes(units));
        uint8_t *model = test_copy(NULL, (size_t)units);
        test_note("round %u", round);
        memset(&picks, 0, sizeof picks);
        picks.units = units;
        picks.strands = round % 2;
        picks.wish.order = BIOST_ORDER_EXACT;
        bsi_picks_lend_bits(&picks, bits);
        memset(bits, 0, (size_t)bsi_picks_bytes(units));
        for (uint64_t u = 0; u < bsi_picks_blocks(units) * BSI_PICKS_BLOCK; u++) {
            if (u < units) {
                model[u] = picks_random(one_in) == 0 && (u < empty_from || u >= empty_to || round % 4 != 0);
                word |= (uint64_t)model[u] << u % 64;
            }
            if (u % 64 == 63) {
                bsi_picks_put_word(&picks, u - 63, word);
                word = 0;
            }
        }
        bsi_picks_finish(&picks);
        for (uint64_t u = 0; u < units; u++) {
            CHECK_EQ_U64(bsi_picks_rank(&picks, u), passing);
            if (model[u]) {
                CHECK_EQ_U64(bsi_picks_select(&picks, passing++), u);
            }
        }
        CHECK_EQ_U64(bsi_picks_rank(&picks, units), passing);
        CHECK_EQ_U64(picks.passing, passing);
        free(model);
        free(bits);
    }
}

/* Each candidate that passes comes once, wherever the handfuls are cut. */
TEST(picks, each_row_once) {
    const uint64_t units = 70000;
    for (uint32_t strands = 0; strands < 2; strands++) {
        bsi_picks picks;
        bsi_picks_keys keys;
        uint64_t *bits = (uint64_t *)(void *)test_copy(NULL, (size_t)bsi_picks_bytes(units));
        uint8_t *seen = test_copy(NULL, (size_t)units * 2);
        uint64_t rows;
        memset(&picks, 0, sizeof picks);
        picks.units = units;
        picks.strands = strands;
        picks.wish.order = BIOST_ORDER_EXACT;
        bsi_picks_lend_bits(&picks, bits);
        memset(bits, 0, (size_t)bsi_picks_bytes(units));
        memset(seen, 0, (size_t)units * 2);
        for (uint64_t first = 0; first < bsi_picks_blocks(units) * BSI_PICKS_BLOCK; first += 64) {
            uint64_t word = 0;
            for (uint64_t u = 0; u < 64 && first + u < units; u += 1 + picks_random(3)) {
                word |= (uint64_t)1 << u;
            }
            bsi_picks_put_word(&picks, first, word);
        }
        bsi_picks_finish(&picks);
        bsi_picks_make_keys(&keys, 3, 4, 5, 6);
        rows = bsi_picks_rows(&picks);
        for (uint64_t i = 0, count; i < rows; i += count) {
            uint64_t candidates[BSI_ORDER_WAYS];
            count = BSI_MIN(1 + picks_random(BSI_ORDER_WAYS), rows - i);
            bsi_picks_candidates(&picks, &keys, i, (uint32_t)count, candidates);
            for (uint64_t k = 0; k < count; k++) {
                uint64_t unit = candidates[k] >> strands;
                uint64_t place = bsi_order_permute(keys.permute, rows, i + k);
                CHECK(unit < units && (bits[unit / 64] >> unit % 64 & 1));
                CHECK_EQ_U64(bsi_picks_rank(&picks, unit) << strands | (candidates[k] & strands), place);
                CHECK_EQ_U64(seen[candidates[k]]++, 0);
            }
        }
        free(seen);
        free(bits);
    }
}

/* F of the definition: `half` and a round's key, to 32 bits. */
static uint64_t mangled(uint64_t half, uint64_t key) {
    uint64_t z = (half ^ key) * UINT64_C(0x9E3779B97F4A7C15);
    z ^= z >> 29;
    z *= UINT64_C(0xBF58476D1CE4E5B9);
    return z >> 32;
}

/* Where the permutation of [0, n) takes i, word for word as the definition has it. */
static uint64_t place_by_definition(const uint64_t keys[16], uint64_t n, uint64_t i) {
    uint32_t bits = 0, low_bits;
    uint64_t low_mask, high_mask;
    while (n > 1 && bits < 64 && (n - 1) >> bits) {
        bits++;
    }
    low_bits = bits - bits / 2;
    low_mask = ((uint64_t)1 << low_bits) - 1;
    high_mask = ((uint64_t)1 << bits / 2) - 1;
    if (n == 1) {
        return 0;
    }
    do {
        uint64_t low = i & low_mask, high = i >> low_bits;
        for (uint32_t r = 0; r < (n < 65536 ? 16u : 8u); r++) {
            low ^= r % 2 == 0 ? mangled(high, keys[r]) & low_mask : 0;
            high ^= r % 2 == 1 ? mangled(low, keys[r]) & high_mask : 0;
        }
        i = high << low_bits | low;
    } while (i >= n);
    return i;
}

/* Places side by side are those of the definition, for few and many. */
TEST(picks, permuted_side_by_side) {
    static const uint64_t sizes[] = {1,
                                     2,
                                     3,
                                     5,
                                     17,
                                     1000,
                                     65535,
                                     65536,
                                     65537,
                                     (uint64_t)1 << 32,
                                     ((uint64_t)1 << 33) + 1,
                                     ((uint64_t)1 << 63) + 5};
    bsi_picks_keys keys;
    bsi_picks_make_keys(&keys, 11, 12, 0, 0);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (uint32_t count = 1; count <= BSI_ORDER_WAYS; count++) {
            uint64_t places[BSI_ORDER_WAYS], n = sizes[s];
            for (uint32_t k = 0; k < count; k++) {
                places[k] = (n / 3 + 7 * k) % n;
            }
            bsi_order_permute_some(keys.permute, n, count, places);
            for (uint32_t k = 0; k < count; k++) {
                CHECK_EQ_U64(places[k], place_by_definition(keys.permute, n, (n / 3 + 7 * k) % n));
            }
        }
    }
}
