/*
 * test_feed.c - the wall between feeds and the sequencer: a feed whose samples are made by a formula, without any
 * text, page or file, takes the place of a loader's text feed. Numbers, shuffle, ranks, tails, resume, errors and
 * digests must be those that the oracle works out of the same records written as text.
 */
#include "white.h"

#include "test.h"

#include "loader_oracle.h"

#define FORMULA_BASES   150
#define FORMULA_RECORDS 60 /* of a flight, at most */
#define FORMULA_FLIGHTS 3

/* ---- the formula ---- */

static uint32_t formula_bases(uint64_t record) {
    return (uint32_t)(record * 37 % (FORMULA_BASES + 1));
}

static uint8_t formula_base(uint64_t record, uint32_t i) {
    return (uint8_t) "ACGTTGCAN"[(record * 7 + (uint64_t)i * i * 3 + i) % 9];
}

static uint8_t formula_score(uint64_t record, uint32_t i) {
    return (uint8_t)(33 + (record * 5 + i * 3) % 42);
}

/* What the oracle reads: these records as FASTQ. */
static void formula_text(bytes *text, uint64_t records) {
    uint64_t n;
    uint32_t i;
    char title[32];
    memset(text, 0, sizeof *text);
    for (n = 0; n < records; ++n) {
        snprintf(title, sizeof title, "@r%u of them\n", (unsigned)n);
        bytes_words(text, title);
        for (i = 0; i < formula_bases(n); ++i) {
            bytes_byte(text, formula_base(n, i));
        }
        bytes_words(text, "\n+\n");
        for (i = 0; i < formula_bases(n); ++i) {
            bytes_byte(text, formula_score(n, i));
        }
        bytes_byte(text, '\n');
    }
}

/* ---- the feed ---- */

typedef struct formula_flight {
    bsi_feeds_flight flight;
    int is_lent;
    uint64_t first;
    uint32_t count;
    char seq[FORMULA_RECORDS][FORMULA_BASES], qual[FORMULA_RECORDS][FORMULA_BASES], name[FORMULA_RECORDS][16];
} formula_flight;

typedef struct formula {
    uint64_t records, next;
    int fails;          /* a fault follows the last record */
    uint32_t name_most; /* desc.name_bytes */
    uint64_t begun;     /* the record at which the last reset began */
    uint32_t taken_count, given_count;
    bsi_feeds_counts counts;
    formula_flight flights[FORMULA_FLIGHTS];
} formula;

static void formula_fill(const formula *feed, const formula_flight *from, uint32_t row,
                         bsi_feeds_sample *out) {
    uint64_t record = from->first + row;
    memset(out, 0, sizeof *out);
    out->view.id = (int64_t)record;
    out->view.bases = formula_bases(record);
    out->view.seq = (char *)(uintptr_t)from->seq[row];
    out->view.qual = (char *)(uintptr_t)from->qual[row];
    out->name = (const uint8_t *)from->name[row];
    out->name_bytes = (uint32_t)strlen(from->name[row]);
    if (feed->name_most > 0 && out->name_bytes > feed->name_most) {
        out->name_bytes = feed->name_most;
        out->view.flags = (uint32_t)BIOST_ROW_NAME_CUT;
    }
}

static uint32_t formula_visit(const void *own, const bsi_feeds_flight *flight, bsi_feeds_visit *visit,
                              bsi_feeds_sample *out_samples, uint32_t most) {
    const formula_flight *from = (const formula_flight *)flight->own;
    uint32_t i, count = from->count - visit->at.row;
    visit->at_anchor = !visit->entered;
    visit->entered = 1;
    if (visit->at_anchor) {
        return 0;
    }
    count = count < most ? count : most;
    for (i = 0; i < count && out_samples != NULL; ++i) {
        formula_fill((const formula *)own, from, visit->at.row + i, &out_samples[i]);
    }
    visit->at.row += count;
    return count;
}

static void formula_read(const void *own, const bsi_feeds_flight *flight, bsi_feeds_cursor *cursor,
                         bsi_feeds_sample *out_samples, uint32_t count) {
    uint32_t i;
    for (i = 0; i < count; ++i) {
        formula_fill((const formula *)own, (const formula_flight *)flight->own, cursor->row++,
                     &out_samples[i]);
    }
}

static void formula_raise(const void *own, const bsi_feeds_flight *flight, const bsi_feeds_visit *visit,
                          biost_error *out_error) {
    const formula *feed = (const formula *)own;
    (void)visit;
    if (feed->fails && flight->ends) {
        bsi_bad bad;
        memset(&bad, 0, sizeof bad);
        bad.fault = BIOST_FAULT_PLUS_MISMATCH;
        bad.record = feed->records;
        bsi_fault_raise(out_error, &bad, "formula", 0, 0);
    }
}

/* Make the next flight: of 0 to FORMULA_RECORDS records, the first of which is its anchor. */
static bsi_feeds_flight *formula_take_locked(void *own) {
    formula *feed = (formula *)own;
    formula_flight *to = NULL;
    uint32_t i, k;
    for (i = 0; i < FORMULA_FLIGHTS; ++i) {
        to = feed->flights[i].is_lent ? to : &feed->flights[i];
    }
    if (to == NULL || feed->next > feed->records) {
        return NULL;
    }
    to->is_lent = 1;
    to->first = feed->next;
    to->count = (uint32_t)(feed->next * 13 % (FORMULA_RECORDS + 1));
    to->count = feed->taken_count % 5 == 4 ? 0 : to->count > 0 ? to->count : 1;
    to->count = (uint32_t)BSI_MIN(to->count, feed->records - feed->next);
    feed->next += to->count;
    for (k = 0; k < to->count; ++k) {
        for (i = 0; i < formula_bases(to->first + k); ++i) {
            to->seq[k][i] = (char)formula_base(to->first + k, i);
            to->qual[k][i] = (char)formula_score(to->first + k, i);
        }
        snprintf(to->name[k], sizeof to->name[k], "r%u", (unsigned)(to->first + k));
    }
    memset(&to->flight, 0, sizeof to->flight);
    to->flight.own = to;
    to->flight.readers = 1;
    to->flight.anchor.id = to->first;
    to->flight.anchor.line = to->first + 1;
    to->flight.ends = feed->next == feed->records;
    feed->next += (uint64_t)to->flight.ends;
    ++feed->taken_count;
    return &to->flight;
}

static void formula_give_back_locked(void *own, bsi_feeds_flight *flight) {
    formula *feed = (formula *)own;
    CHECK(((formula_flight *)flight->own)->is_lent);
    ((formula_flight *)flight->own)->is_lent = 0;
    ++feed->given_count;
}

static void formula_advance_locked(void *own) {
    (void)own;
}

static int formula_is_idle_locked(const void *own) {
    (void)own;
    return 1;
}

static void formula_reset_locked(void *own, const bsi_feeds_start *start, const bsi_feeds_counts *counts) {
    formula *feed = (formula *)own;
    uint32_t i;
    for (i = 0; i < FORMULA_FLIGHTS; ++i) {
        feed->flights[i].is_lent = 0;
    }
    feed->counts = *counts;
    feed->next = start->anchor.id;
    feed->begun = start->anchor.id;
    feed->taken_count = 0;
    feed->given_count = 0;
}

static const bsi_feeds_kind formula_kind = {formula_visit,
                                            formula_read,
                                            NULL,
                                            NULL,
                                            formula_raise,
                                            NULL,
                                            formula_take_locked,
                                            formula_give_back_locked,
                                            formula_advance_locked,
                                            formula_is_idle_locked,
                                            formula_reset_locked,
                                            NULL,
                                            NULL,
                                            NULL};

/* A loader over one record in memory, which is not read: `feed` is in its place. */
static biost_loader *formula_open(const biost_loader_desc *desc, formula *feed) {
    static const char text[] = "@one\nA\n+\nI\n";
    biost_memory memory;
    biost_loader_desc with = *desc;
    biost_loader *loader = NULL;
    biost_error error;
    memset(&memory, 0, sizeof memory);
    memory.data = text;
    memory.bytes = sizeof text - 1;
    with.memories = &memory;
    with.memory_count = 1;
    if (!CHECK(biost_loader_open(&with, &loader, &error) == BIOST_OK)) {
        printf("%s\n", error.text);
        return NULL;
    }
    feed->name_most = loader->plan.name_bytes;
    loader->feeds[0].kind = &formula_kind;
    loader->feeds[0].own = feed;
    return loader;
}

/* ---- epochs against the oracle ---- */

/* Take batches from number `first` on and compare each; returns the sum of their digests. */
static uint64_t formula_drain(const oracle *o, biost_loader *loader, size_t first) {
    biost_batch batch;
    biost_result result;
    uint64_t digest = 0;
    size_t index = first;
    while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        if (CHECK(index < o->batch_count)) {
            oracle_check(o, index, &batch);
        }
        digest += batch.digest;
        ++index;
        biost_loader_release(loader, &batch);
    }
    CHECK(o->failed ? result == BIOST_ERR_TEXT : result == BIOST_END);
    CHECK_EQ_U64(index, o->batch_count);
    return digest;
}

/* Two epochs of one rank; returns the sum of the digests. */
static uint64_t formula_run(const biost_loader_desc *desc, const bytes *text, formula *feed) {
    biost_loader *loader = formula_open(desc, feed);
    uint64_t epoch, digest = 0;
    biost_progress progress;
    for (epoch = 0; epoch < (feed->fails ? 1u : 2u) && loader != NULL; ++epoch) {
        oracle o;
        oracle_make(&o, desc, text, 1, epoch, feed->fails ? ORACLE_FAILS : ORACLE_ENDS_WELL);
        CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
        digest += formula_drain(&o, loader, 0);
        biost_loader_progress(loader, &progress);
        CHECK_EQ_U64(progress.sample_count, feed->records);
        CHECK_EQ_U64(progress.tail_dropped_rows, o.dropped_rows);
        oracle_free(&o);
    }
    biost_loader_close(loader);
    return digest;
}

static biost_loader_desc formula_desc(uint32_t shuffle_rows, uint32_t world) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.batch_rows = 48;
    desc.row_bases = FORMULA_BASES;
    desc.shuffle_rows = shuffle_rows;
    desc.world = world;
    desc.seed = 1234567890123u;
    desc.digest = 1;
    desc.epochs = 2; /* none begins after it */
    return desc;
}

TEST(feed, a_formula_equals_the_oracle) {
    static const uint32_t shuffles[] = {0, 2, 100, 5000};
    static const uint32_t record_counts[] = {0, 1, 48, 49, 2000};
    static formula feed;
    uint32_t i, k, workers;
    for (i = 0; i < sizeof record_counts / sizeof record_counts[0]; ++i) {
        bytes text;
        formula_text(&text, record_counts[i]);
        for (k = 0; k < sizeof shuffles / sizeof shuffles[0]; ++k) {
            for (workers = 1; workers <= 3; workers += 2) {
                biost_loader_desc desc = formula_desc(shuffles[k], 1);
                uint64_t digest;
                desc.workers = workers;
                memset(&feed, 0, sizeof feed);
                feed.records = record_counts[i];
                test_note("%u records, shuffle %u", record_counts[i], shuffles[k]);
                digest = formula_run(&desc, &text, &feed);
                CHECK_EQ_U64(feed.given_count, feed.taken_count);
                desc.world = 3; /* the ranks' digests add up */
                for (desc.rank = 0; desc.rank < desc.world; ++desc.rank) {
                    digest -= formula_run(&desc, &text, &feed);
                }
                CHECK_EQ_U64(digest, 0);
            }
        }
        bytes_free(&text);
    }
}

TEST(feed, every_tensor_tail_and_change) {
    static formula feed;
    bytes text;
    uint32_t i;
    formula_text(&text, 1000);
    for (i = 0; i < 12; ++i) {
        biost_loader_desc desc = formula_desc(i % 2 == 0 ? 0 : 300, i % 4 == 3 ? 2 : 1);
        desc.tail = (biost_tail_mode)(i % 3);
        desc.row_bases = i % 6 == 5 ? 0 : FORMULA_BASES;
        desc.quality.kind = i % 3 == 0 ? BIOST_QUALITY_PHRED : BIOST_QUALITY_NONE;
        desc.mask = i % 4 == 1;
        desc.names = i % 2;
        desc.name_bytes = i % 4 == 1 ? 3 : 0;
        desc.augment.reverse_complement = i % 3 == 1 ? 0.5f : 0;
        desc.augment.substitute = i % 3 == 2 ? 0.125f : 0;
        memset(&feed, 0, sizeof feed);
        feed.records = 1000;
        feed.fails = i >= 6;
        test_note("case %u", i);
        formula_run(&desc, &text, &feed);
    }
    bytes_free(&text);
}

/* ---- resume ---- */

/*
 * Begin again after some batches: the rest of the epoch is the same, whatever the number of workers and ranks, and
 * the feed is entered at an anchor, not at its start.
 */
static void formula_resume(uint32_t shuffle_rows, uint64_t *out_latest) {
    static formula first, second;
    biost_loader_desc desc = formula_desc(shuffle_rows, 1);
    biost_loader *loader;
    biost_batch batch;
    oracle o, part;
    bytes text;
    size_t index = 0;
    desc.epochs = 8;
    formula_text(&text, 3000);
    memset(&first, 0, sizeof first);
    first.records = 3000;
    oracle_make(&o, &desc, &text, 1, 7, ORACLE_ENDS_WELL);
    desc.world = 2;
    desc.rank = 1;
    oracle_make(&part, &desc, &text, 1, 7, ORACLE_ENDS_WELL);
    desc.world = 1;
    desc.rank = 0;
    loader = formula_open(&desc, &first);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 7) == BIOST_OK);
    *out_latest = 0;
    while (biost_loader_next(loader, &batch) == BIOST_OK) {
        uint8_t state[512];
        size_t state_bytes = 0;
        ++index;
        CHECK(biost_loader_state(loader, &batch, state, sizeof state, &state_bytes) == BIOST_OK);
        biost_loader_release(loader, &batch);
        if (index % 7 == 1 || index == o.batch_count) {
            biost_loader_desc with = desc;
            biost_loader *resumed;
            with.state = state;
            with.state_bytes = state_bytes;
            with.workers = 1 + (uint32_t)(index % 3);
            with.world = 1 + (uint32_t)(index % 2);
            with.rank = with.world - 1;
            memset(&second, 0, sizeof second);
            second.records = 3000;
            test_note("shuffle %u, after batch %u", shuffle_rows, (unsigned)index);
            resumed = formula_open(&with, &second);
            REQUIRE(resumed != NULL && biost_loader_begin(resumed, 7) == BIOST_OK);
            formula_drain(with.world == 1 ? &o : &part, resumed, index);
            *out_latest = second.begun > *out_latest ? second.begun : *out_latest;
            biost_loader_close(resumed);
        }
    }
    CHECK_EQ_U64(index, o.batch_count);
    biost_loader_close(loader);
    oracle_free(&o);
    oracle_free(&part);
    bytes_free(&text);
}

TEST(feed, resume_enters_at_an_anchor) {
    uint64_t latest;
    formula_resume(0, &latest);
    CHECK(latest > 3000 - 48 - 2 * FORMULA_RECORDS); /* at the flight of the next sample */
    formula_resume(64, &latest);
    CHECK(latest > 3000 - 64 * 16); /* W (ln W + 0.6) = 305 back on average */
}
