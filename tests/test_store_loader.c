/*
 * test_store_loader.c - loaders over stores: epochs of settings at random with the digests that the oracle gives, and
 * the same batches as of the text that a store was made of.
 *
 * rooms: storefeed picks
 * needs: loader stores threads library
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

#include "store_loader.h"

TEST(store_loader, epochs_of_the_oracle) {
    uint64_t random = test_seed() + 31;
    uint32_t i, e;
    stores_begin();
    for (i = 0; i < STORE_CASES; ++i) {
        biost_group groups[4];
        biost_loader_desc desc = store_desc_of(&store_cases[i], groups);
        for (e = 0; e < 3; ++e) {
            uint32_t world = 1 + (i + e) % 4;
            store_epoch got;
            test_note("case %u, epoch %u, world %u", (unsigned)i, (unsigned)e, (unsigned)world);
            got = store_run(&desc, store_epochs[e], world, &random);
            store_check(&got, &store_cases[i].epochs[e]);
        }
    }
    stores_end();
}

/* ---- a store and its text ---- */

/* A label of all that a record of a store has: it is of no line of text. */
static int store_make(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    biost_record without = *record;
    const user_labels *labels = (const user_labels *)user_data;
    user_labels all;
    all.bytes = labels->bytes;
    all.drops = 0;
    without.line = 0;
    without.text_offset = 0;
    return user_make(&without, id, out_label, &all);
}

/* What is of text alone goes. */
static void store_settings(biost_loader_desc *desc) {
    desc->shuffle_rows = 0;
    desc->filter.keep = NULL;
    desc->labels.make = desc->labels.make != NULL ? store_make : NULL;
}

/* An epoch over the store against the oracle of texts, field by field; or what open says of a record. */
static void store_like_text(const oracle *o, const biost_loader_desc *desc) {
    biost_loader *loader = NULL;
    biost_error error;
    uint64_t batches = 0;
    memset(&error, 0, sizeof error);
    if (o->too_long || o->no_field) {
        CHECK(biost_loader_open(desc, &loader, &error) < 0);
        CHECK(error.fault == (o->no_field ? BIOST_FAULT_SPLIT_FIELD : BIOST_FAULT_ROW_TOO_LONG));
        if (o->too_long) {
            CHECK_EQ_U64(error.record, o->too_long_record);
            CHECK_EQ_U64(error.path_index, o->too_long_path);
        }
        CHECK(loader == NULL);
        return;
    }
    loader = oracle_open(desc);
    if (loader != NULL && CHECK(biost_loader_begin(loader, o->epoch) == BIOST_OK)) {
        CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK);
        CHECK_EQ_U64(batches, o->batch_count);
        oracle_drain(o, loader, 0);
    }
    biost_loader_close(loader);
}

TEST(store_loader, file_order_is_that_of_the_text) {
    uint64_t random = test_seed() + 32;
    uint32_t i, tried = 0;
    for (i = 0; i < test_effort(400, 2000); ++i) {
        static random_case c;
        biost_loader_desc desc;
        oracle o;
        random_case_make(&c, &random, 0);
        test_note("case %u", (unsigned)i);
        store_settings(&c.desc);
        if (c.end == ORACLE_ENDS_WELL && c.texts[0].count > 0) {
            const int has_quality = c.texts[0].data[0] == '@';
            const uint64_t epoch = random_below(&random, 3);
            biost_store *store = store_of(c.memories, c.input_count, has_quality, 1);
            oracle_make(&o, &c.desc, c.texts, c.text_count, epoch, c.end);
            desc = c.desc;
            desc.memories = NULL;
            desc.memory_count = 0;
            desc.store = store;
            random_machine(&desc, &random);
            store_like_text(&o, &desc);
            oracle_free(&o);
            CHECK(biost_store_close(store, NULL) == BIOST_OK);
            ++tried;
        }
        random_case_free(&c);
    }
    CHECK(tried > i / 4);
}

/* Of one batch all that a caller sees but the digest, hashed. */
static uint64_t store_seen(const biost_batch *batch) {
    bytes all = {NULL, 0, 0};
    uint64_t hash;
    uint32_t i;
    bytes_words(&all, "");
    bytes_add(&all, batch->lengths, batch->rows * sizeof batch->lengths[0]);
    bytes_add(&all, batch->origins, batch->rows * sizeof batch->origins[0]);
    for (i = 0; i < batch->tensor_count; ++i) {
        bytes_add(&all, batch->tensors[i].data, batch->tensors[i].bytes);
    }
    for (i = 0; batch->names != NULL && i < batch->rows; ++i) {
        bytes_words(&all, batch->names + batch->name_offsets[i]);
    }
    hash = oracle_xxh64(&all, batch->index);
    bytes_free(&all);
    return hash;
}

static uint64_t store_seen_epoch(const biost_loader_desc *desc) {
    biost_loader *loader = oracle_open(desc);
    uint64_t sum = 0;
    biost_batch batch;
    if (loader != NULL && CHECK(biost_loader_begin(loader, 1) == BIOST_OK)) {
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            CHECK(desc->digest || batch.digest == 0);
            sum += store_seen(&batch);
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
    }
    biost_loader_close(loader);
    return sum;
}

TEST(store_loader, a_digest_changes_nothing) {
    uint64_t random = test_seed() + 33;
    uint32_t i;
    stores_begin();
    for (i = 0; i < STORE_CASES; ++i) {
        biost_group groups[4];
        biost_loader_desc desc = store_desc_of(&store_cases[i], groups);
        uint64_t with;
        test_note("case %u", (unsigned)i);
        desc.names = 1;
        desc.name_bytes = 1 + random_below(&random, 9);
        store_machine(&desc, &random);
        with = store_seen_epoch(&desc);
        desc.digest = 0;
        store_machine(&desc, &random);
        CHECK_EQ_U64(store_seen_epoch(&desc), with);
    }
    stores_end();
}

/* ---- two bits a base ---- */

/* Records of `bases` bases, or of 1 to `bases`: of those over 15 one in four has lower case, one in eight some N. */
static void packed_text(bytes *text, uint64_t *random, uint32_t records, uint32_t bases, int differ,
                        int is_rna) {
    uint32_t i, k;
    for (i = 0; i < records; ++i) {
        const uint32_t length = differ ? 1 + random_below(random, bases) : bases;
        const uint32_t lower = length > 15 && random_below(random, 4) == 0 ? length / 2 : length;
        const uint32_t others = length > 15 && random_below(random, 8) == 0 ? length / 3 : length;
        char line[512];
        snprintf(line, sizeof line, "@r%u\n", (unsigned)i);
        bytes_add(text, line, strlen(line));
        for (k = 0; k < length; ++k) {
            const char letter = k >= others && k < others + 3
                                    ? 'N'
                                    : (is_rna ? "ACGU" : "ACGT")[random_below(random, 4)];
            line[k] = (char)(k >= lower ? letter | 0x20 : letter);
        }
        line[length] = '\n';
        bytes_add(text, line, length + 1);
        bytes_add(text, "+\n", 2);
        for (k = 0; k < length; ++k) {
            line[k] = (char)('#' + random_below(random, 1u << (records % 6)));
        }
        bytes_add(text, line, length + 1);
    }
}

/* Settings that rows are made by; each is drawn by itself. */
static void packed_settings(biost_loader_desc *desc, uint64_t *random, uint32_t bases, int has_quality) {
    static int32_t tokens[256];
    const int is_onehot = random_below(random, 2) == 0;
    memset(desc, 0, sizeof *desc);
    desc->batch_rows = 1 + random_below(random, 70);
    desc->row_bases = bases;
    desc->seed = test_random(random);
    desc->digest = 1;
    desc->order = random_below(random, 3) == 0 ? BIOST_ORDER_FILE : BIOST_ORDER_EXACT;
    desc->encoding.kind = is_onehot ? BIOST_ENCODE_ONEHOT : BIOST_ENCODE_TOKENS;
    desc->encoding.dtype = random_below(random, 3) > 0 ? BIOST_DTYPE_U8
                           : is_onehot                 ? BIOST_DTYPE_F16
                                                       : BIOST_DTYPE_I32;
    desc->encoding.pad_side = random_below(random, 2) == 0 ? BIOST_PAD_LEFT : BIOST_PAD_RIGHT;
    desc->encoding.pad_value = (int32_t)random_below(random, 9);
    desc->pad_multiple = 1 + random_below(random, 9);
    desc->augment.reverse_complement = random_below(random, 3) > 0 ? 0.5f : 0.0f;
    desc->augment.substitute = random_below(random, 4) == 0 ? 0.1f : 0.0f;
    if (!is_onehot && random_below(random, 4) == 0) { /* each byte its own, so case and U are told apart */
        for (int i = 0; i < 256; ++i) {
            tokens[i] = i;
        }
        desc->encoding.tokens = tokens;
    }
    if (has_quality) {
        desc->quality.kind = BIOST_QUALITY_PHRED;
        desc->mask = 1;
    }
    if (random_below(random, 3) == 0) {
        desc->row_bases = 1 + bases / 3;
        desc->regions.kind = BIOST_REGIONS_GRID;
        desc->regions.stride = 1 + bases / 5;
        desc->regions.strands = desc->augment.reverse_complement > 0 ? BIOST_STRANDS_PLUS
                                                                     : BIOST_STRANDS_BOTH;
    }
}

/* A store in two bits a base gives the rows of one that keeps bytes, which are held against the text above. */
/*
 * Whether a row is what biost_row_span says of it: bases fetched from the store, each in its column as the header has
 * it, and nothing in the others.
 */
static int store_span_holds(const biost_loader_desc *desc, const biost_batch *batch, uint32_t row) {
    static const char letters[] = "ACGT";
    const uint32_t columns = (uint32_t)batch->x.shape[1];
    const biost_row *origin = &batch->origins[row];
    const uint8_t *x = (const uint8_t *)batch->x.data + (size_t)row * columns * 4;
    const int64_t skip = desc->encoding.pad_side == BIOST_PAD_LEFT ? (int64_t)(columns - desc->row_bases) : 0;
    const int at_end = desc->regions.minus_pad == BIOST_MINUS_PAD_END;
    uint8_t want[128 * 4] = {0};
    char seq[128];
    uint64_t start = 0, end = 0;
    biost_row_span(origin, batch->lengths[row], &start, &end);
    if (start == end) {
        return batch->lengths[row] == 0 && columns <= 128 && memcmp(x, want, columns * 4) == 0;
    }
    if (columns > 128 || end - start > desc->row_bases ||
        biost_store_fetch(desc->store, BIOST_ID_RECORD(origin->id), start, end, seq, NULL) != BIOST_OK) {
        return 0;
    }
    for (uint64_t b = start; b < end; b++) {
        const char *plus = strchr(letters, seq[b - start] & 0xDF);
        int64_t column = (int64_t)b - origin->start_base;
        if (origin->strand == 1) {
            column = at_end ? (int64_t)(end - 1 - b) : (int64_t)desc->row_bases - 1 - column;
        }
        if (column < 0 || column >= (int64_t)desc->row_bases) {
            return 0;
        }
        if (plus != NULL) {
            want[(column + skip) * 4 + (origin->strand == 1 ? 3 - (plus - letters) : plus - letters)] = 1;
        }
    }
    return memcmp(x, want, columns * 4) == 0;
}

/* Windows past both ends: what biost_row_span says lies inside, on either strand, and with either padding. */
TEST(store_loader, spans) {
    biost_loader_desc desc;
    uint32_t i, rows = 0, cut = 0, before = 0;
    stores_begin();
    memset(&desc, 0, sizeof desc);
    desc.store = stores_open[1][STORE_G];
    desc.batch_rows = 16;
    desc.row_bases = 61;
    desc.pad_multiple = 8;
    desc.regions.kind = BIOST_REGIONS_INTERVALS;
    desc.regions.intervals = store_intervals;
    desc.regions.interval_count = 40;
    desc.regions.jitter = 30;
    for (i = 0; i < 3 * 2 * 2 * 2 * 3; ++i) {
        biost_loader *loader;
        biost_batch batch;
        desc.regions.edge = (biost_edge)(i % 3);
        desc.regions.minus_pad = i / 3 % 2 > 0 ? BIOST_MINUS_PAD_END : (biost_minus_pad)0;
        desc.encoding.pad_side = i / 6 % 2 > 0 ? BIOST_PAD_LEFT : BIOST_PAD_RIGHT;
        desc.regions.strands = i / 12 % 2 > 0 ? BIOST_STRANDS_BOTH : BIOST_STRANDS_PLUS;
        desc.augment.reverse_complement = i / 12 % 2 > 0 ? 0.0f : 0.5f;
        desc.regions.fit = (biost_fit)(BIOST_FIT_CENTER + i / 24);
        test_note("case %u", (unsigned)i);
        loader = oracle_open(&desc);
        if (loader == NULL || !CHECK(biost_loader_begin(loader, i) == BIOST_OK)) {
            continue;
        }
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            for (uint32_t row = 0; row < batch.valid_rows; ++row) {
                CHECK(store_span_holds(&desc, &batch, row));
                ++rows;
                cut += batch.lengths[row] < 61;
                before += batch.origins[row].start_base < 0;
            }
            biost_loader_release(loader, &batch);
        }
        biost_loader_close(loader);
    }
    CHECK(rows > 1000 && cut > 200 && before > 100);
    stores_end();
}

/* By hand: a window from five bases before base 0, one inside, one past the end; pointers that are not there. */
TEST(store_loader, spans_by_hand) {
    static const struct {
        int64_t start_base;
        int32_t length;
        uint64_t start, end;
    } cases[] = {{-5, 7, 0, 7}, {12, 9, 12, 21}, {60, 0, 60, 60}, {-90, 0, 0, 0}, {0, 0, 0, 0}};
    uint64_t start = 3, end = 4;
    biost_row row;
    memset(&row, 0, sizeof row);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        row.start_base = cases[i].start_base;
        row.strand = i % 2;
        biost_row_span(&row, cases[i].length, &start, &end);
        CHECK(start == cases[i].start && end == cases[i].end);
    }
    start = 3;
    biost_row_span(NULL, 1, &start, &end);
    biost_row_span(&row, 1, &start, NULL);
    biost_row_span(&row, 1, NULL, &end);
    CHECK(start == 3 && end == 0);
}

TEST(store_loader, packed_rows_are_those_of_bytes) {
    uint64_t random = test_seed() + 34;
    uint32_t i;
    for (i = 0; i < test_effort(300, 3000); ++i) {
        const uint32_t bases = 1 + random_below(&random, 200), records = 1 + random_below(&random, 90);
        const int has_quality = random_below(&random, 2) == 0;
        bytes text = {NULL, 0, 0};
        biost_memory memory = {NULL, 0, "r"};
        biost_store *stores[2];
        biost_loader_desc desc;
        uint64_t seen[2];
        uint32_t k;
        packed_text(&text, &random, records, bases, random_below(&random, 2) == 0,
                    random_below(&random, 4) == 0);
        memory.data = text.data;
        memory.bytes = text.count;
        packed_settings(&desc, &random, bases, has_quality);
        test_note("case %u", (unsigned)i);
        for (k = 0; k < 2; ++k) {
            stores[k] = store_of(&memory, 1, has_quality, (int)k);
            desc.store = stores[k];
            store_machine(&desc, &random);
            seen[k] = store_seen_epoch(&desc);
            CHECK(biost_store_close(stores[k], NULL) == BIOST_OK);
        }
        CHECK_EQ_U64(seen[0], seen[1]);
        bytes_free(&text);
    }
}

/* ---- candidates that many tasks judge ---- */

enum { JUDGED_RECORDS = 70000, JUDGED_BASES = 7, JUDGED_WITHOUT_FIRST = 40123, JUDGED_WITHOUT_LAST = 61000 };

/* Records whose names have a second field of their own; `without`: but for two records. */
static biost_store *judged_store(int without) {
    bytes text = {NULL, 0, 0};
    biost_memory memory = {NULL, 0, "r"};
    biost_store *store;
    uint32_t i;
    for (i = 0; i < JUDGED_RECORDS; ++i) {
        char line[64];
        int lacks = without && (i == JUDGED_WITHOUT_FIRST || i == JUDGED_WITHOUT_LAST);
        snprintf(line, sizeof line, ">r%sc%u\n%.*s\n", lacks ? "-" : ":", (unsigned)i,
                 (int)(4 + i % JUDGED_BASES), "ACGTACGTACGT");
        bytes_words(&text, line);
    }
    memory.data = text.data;
    memory.bytes = text.count;
    store = store_of(&memory, 1, 0, 0);
    bytes_free(&text);
    return store;
}

/* XXH64 of a field, with the salt of judged_settings. */
static uint64_t judged_hash(const char *field) {
    bytes all = {NULL, 0, 0};
    uint64_t hash;
    bytes_words(&all, field);
    hash = oracle_xxh64(&all, 77);
    bytes_free(&all);
    return hash;
}

/* What is left of the records: by their length, and by the upper half of the hash of the field. */
static uint32_t judged_kept(uint8_t kept[JUDGED_RECORDS], uint64_t *out_short, uint64_t *out_others) {
    uint32_t i, count = 0;
    *out_short = 0;
    *out_others = 0;
    for (i = 0; i < JUDGED_RECORDS; ++i) {
        char field[16];
        int is_short = 4 + i % JUDGED_BASES < 6, takes;
        snprintf(field, sizeof field, "c%u", (unsigned)i);
        takes = judged_hash(field) >> 32 < (uint64_t)3 << 30; /* 0.75 of 2^32 */
        kept[i] = (uint8_t)(!is_short && takes);
        *out_short += is_short ? 1u : 0u;
        *out_others += !is_short && !takes ? 1u : 0u;
        count += kept[i];
    }
    return count;
}

static void judged_settings(biost_loader_desc *desc, const biost_store *store) {
    memset(desc, 0, sizeof *desc);
    desc->store = (biost_store *)(uintptr_t)store;
    desc->row_bases = 12;
    desc->batch_rows = 500;
    desc->order = BIOST_ORDER_FILE;
    desc->filter.min_length = 6;
    desc->split.by = BIOST_SPLIT_FIELD;
    desc->split.field = 2;
    desc->split.salt = 77;
    desc->split.below = 0.75f;
}

/* Of 70,000 records, in five tasks or so, those go out that a loop over all of them takes, whoever judges. */
TEST(store_loader, all_workers_judge) {
    static uint8_t kept[JUDGED_RECORDS];
    uint64_t too_short, others, random = test_seed() + 35;
    uint32_t count = judged_kept(kept, &too_short, &others), i;
    biost_store *store = judged_store(0);
    for (i = 0; i < 12 && store != NULL; ++i) {
        biost_loader_desc desc;
        biost_loader *loader;
        biost_progress progress;
        biost_batch batch;
        uint64_t record = 0, rows = 0;
        judged_settings(&desc, store);
        store_machine(&desc, &random);
        test_note("case %u, %u workers", (unsigned)i, (unsigned)desc.workers);
        loader = oracle_open(&desc);
        if (loader == NULL || !CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
            break;
        }
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            uint32_t row;
            for (row = 0; row < batch.valid_rows; ++row, ++record, ++rows) {
                while (record < JUDGED_RECORDS && !kept[record]) {
                    ++record;
                }
                if (!CHECK_EQ_U64((uint64_t)batch.origins[row].id, record)) {
                    break;
                }
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        CHECK_EQ_U64(rows, count);
        biost_loader_progress(loader, &progress);
        CHECK_EQ_U64(progress.dropped[BIOST_DROP_LENGTH], too_short);
        CHECK_EQ_U64(progress.dropped[BIOST_DROP_SPLIT], others);
        biost_loader_close(loader);
    }
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* biost_jobs.submit of a host that runs nothing before open returns: it counts what it is given. */
static void judged_submit(void (*run)(void *), void *argument, void *user_data) {
    (void)run;
    (void)argument;
    ++*(uint32_t *)user_data;
}

/* Of two records that lack the field, in the ranges of different tasks, the first is named. */
TEST(store_loader, the_first_bad_record_is_named) {
    uint64_t random = test_seed() + 36;
    biost_store *store = judged_store(1);
    uint32_t i, submitted = 0;
    for (i = 0; i < 12 && store != NULL; ++i) {
        biost_loader_desc desc;
        biost_loader *loader = NULL;
        biost_error error;
        judged_settings(&desc, store);
        store_machine(&desc, &random);
        desc.filter.min_length = 0;
        if (i == 0) { /* an open that waited for the host would never return */
            desc.workers = 3;
            desc.test.order_seed = 0;
            desc.jobs.submit = judged_submit;
            desc.jobs.user_data = &submitted;
        }
        CHECK(biost_loader_open(&desc, &loader, &error) < 0);
        CHECK(loader == NULL && error.fault == BIOST_FAULT_SPLIT_FIELD);
        CHECK_EQ_U64(error.record, JUDGED_WITHOUT_FIRST);
        CHECK_EQ_U64(submitted, 0);
    }
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* A store of one text. */
static biost_store *of_words(const char *words, int is_bytes) {
    biost_memory text;
    memset(&text, 0, sizeof text);
    text.data = words;
    text.bytes = strlen(words);
    text.name = "words";
    return store_of(&text, 1, 0, is_bytes);
}

/* Regions: each of what can leave all out has its own name. */
TEST(store_loader, each_is_named_that_took_most) {
    static const struct {
        const char *text, *fields, *sentence;
    } cases[] = {
        {">a\nACG\n>b\nAC\n", "regions.edge drop", "of 2 records or pieces desc.regions.edge left out 2"},
        {">a\nacgtacgt\n", "regions.forbid_lower 1",
         "of 2 records or pieces desc.regions.max_lower_fraction or forbid_lower left out 2"},
        {">a\nRRRRRRRR\n", "regions.forbid_other 1",
         "of 2 records or pieces desc.regions.max_other_fraction or forbid_other left out 2"},
        {">a\nNNNNNNNN\n", "filter.forbid_n 1",
         "of 2 records or pieces desc.filter.max_n_fraction or forbid_n left out 2"}};
    static biost_desc_memory memory;
    uint32_t i;
    for (i = 0; i < 2 * sizeof cases / sizeof cases[0]; ++i) {
        biost_store *store = of_words(cases[i / 2].text, (int)(i % 2));
        biost_loader_desc desc;
        biost_loader *loader;
        biost_batch batch;
        memset(&desc, 0, sizeof desc);
        desc.store = store;
        desc.row_bases = 4;
        desc.regions.kind = BIOST_REGIONS_GRID;
        REQUIRE(biost_loader_desc_read(&desc, cases[i / 2].fields, &memory, NULL) == BIOST_OK);
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_ARG);
        test_note("%s: %s", cases[i / 2].fields, error_of(loader)->text);
        CHECK(strstr(error_of(loader)->text, cases[i / 2].sentence) != NULL);
        biost_loader_close(loader);
        CHECK(biost_store_close(store, NULL) == BIOST_OK);
    }
}

/* No label for records 3, 11, 12 and 20. */
static int missing_make(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)record;
    (void)user_data;
    *(uint8_t *)out_label = 1;
    return id != 3 && id != 11 && id != 12 && id != 20;
}

/* Of several records of a batch without a label the one of the smallest id is named, whichever is found first. */
TEST(store_loader, the_first_record_without_a_label_is_named) {
    enum { MISSING_BASES = 60000, MISSING_RECORDS = 24 };
    bytes text = {NULL, 0, 0};
    biost_store *store;
    uint32_t i, k;
    bytes_words(&text, "");
    for (i = 0; i < MISSING_RECORDS; ++i) { /* so long that each row is a task of its own */
        bytes_words(&text, ">r\n");
        for (k = 0; k < MISSING_BASES / 60; ++k) {
            bytes_words(&text, "ACGTACGTACGGACGTACGTACGTACTTACGTACGTACGTACATACGTACGTACGTACGA\n");
        }
    }
    bytes_add(&text, "", 1);
    store = of_words((const char *)text.data, 0);
    for (i = 0; i < 48 && store != NULL; ++i) {
        biost_loader_desc desc;
        biost_loader *loader;
        biost_batch batch;
        memset(&desc, 0, sizeof desc);
        desc.store = store;
        desc.row_bases = MISSING_BASES;
        desc.max_row_bases = MISSING_BASES;
        desc.long_records = BIOST_LONG_HEAD;
        desc.encoding.dtype = BIOST_DTYPE_F32;
        desc.batch_rows = MISSING_RECORDS;
        desc.slots = 2;
        desc.workers = 1 + i % 4;
        desc.test.order_seed = 1 + i;
        desc.labels.make = missing_make;
        desc.labels.dtype = BIOST_DTYPE_U8;
        desc.labels.width = 1;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_ARG);
        test_note("%s", error_of(loader)->text);
        CHECK_STR(biost_fault_name(error_of(loader)->fault), "NO_LABEL");
        CHECK_EQ_U64(error_of(loader)->record, 3);
        biost_loader_close(loader);
    }
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
    bytes_free(&text);
}

/* Ends of passes, by hand: of 10 records rows 0..9 are pass 1, row 10 begins pass 2. */
TEST(store_loader, passes_are_counted_to_the_row) {
    static const struct {
        uint64_t rows, passes;
    } cases[] = {{1, 1}, {9, 1}, {10, 1}, {11, 2}, {19, 2}, {20, 2}, {21, 3}, {30, 3}};
    static const char words[] = ">a\nA\n>a\nA\n>a\nA\n>a\nA\n>a\nA\n>a\nA\n>a\nA\n>a\nA\n>a\nA\n>a\nA\n";
    biost_store *store = of_words(words, 0);
    uint32_t i;
    for (i = 0; i < sizeof cases / sizeof cases[0] && store != NULL; ++i) {
        biost_group group;
        biost_loader_desc desc;
        biost_loader *loader;
        biost_batch batch;
        biost_progress progress;
        uint64_t rows = 0;
        memset(&desc, 0, sizeof desc);
        memset(&group, 0, sizeof group);
        group.store = store;
        group.weight = 1;
        desc.groups = &group;
        desc.group_count = 1;
        desc.row_bases = 1;
        desc.batch_rows = 10;
        desc.epoch_end = BIOST_EPOCH_END_ROWS;
        desc.epoch_rows = cases[i].rows;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            rows += batch.valid_rows;
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        biost_loader_progress(loader, &progress);
        test_note("%u rows", (unsigned)cases[i].rows);
        CHECK_EQ_U64(rows, cases[i].rows);
        CHECK_EQ_U64(progress.row_count, cases[i].rows);
        CHECK_EQ_U64(progress.pass_count, cases[i].passes);
        biost_loader_close(loader);
    }
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}
