/*
 * store_tables.h - the tables of a store of a few records, put together by hand, for tests of rooms that only ask
 * them. Letters are bytes; of qualities there are the numbers that filters read.
 */
#ifndef STORE_TABLES_H
#define STORE_TABLES_H

#define STORE_TABLES_MOST 600

typedef struct store_record {
    const char *seq, *qual, *title; /* qual NULL: none */
    int64_t id;
} store_record;

typedef struct store_tables {
    bsi_tables tables;
    uint64_t columns[BSI_TABLES_FIELDS][STORE_TABLES_MOST + 1]; /* little-endian */
    uint64_t firsts[STORE_TABLES_MOST / 16 + 1], texts[STORE_TABLES_MOST / 16 + 1];
    uint64_t ids[STORE_TABLES_MOST][2];
    uint8_t *body;   /* exact: a byte read after it is an error */
    uint8_t *titles; /* as many bytes after it as may be read */
} store_tables;

static void store_tables_put(uint64_t *to, uint64_t number) {
    bsi_cpu_store64((uint8_t *)(void *)to, number);
}

/* What the columns say of a record. */
static void store_tables_count(store_tables *t, size_t i, const store_record *record) {
    const size_t bases = strlen(record->seq);
    biost_stats stats;
    memset(&stats, 0, sizeof stats);
    if (record->qual == NULL) {
        bsi_check_count_scalar((const uint8_t *)record->seq, bases, &stats);
    } else {
        (void)bsi_check_spans_stats_scalar((const uint8_t *)record->seq, (const uint8_t *)record->qual, bases,
                                           33, &stats);
    }
    store_tables_put(&t->columns[BSI_TABLES_OF_BASES][i], bases);
    store_tables_put(&t->columns[BSI_TABLES_OF_OTHERS][i], bases - stats.acgt_count - stats.n_count);
    store_tables_put(&t->columns[BSI_TABLES_OF_GC][i], stats.gc_count);
    store_tables_put(&t->columns[BSI_TABLES_OF_N][i], stats.n_count);
    store_tables_put(&t->columns[BSI_TABLES_OF_QUAL_SUM][i], stats.qual_sum);
    store_tables_put(&t->columns[BSI_TABLES_OF_ERROR_SUM][i], stats.error_sum);
    store_tables_put(&t->columns[BSI_TABLES_OF_QUAL_MIN][i], stats.qual_min);
    store_tables_put(&t->columns[BSI_TABLES_OF_QUAL_MAX][i], stats.qual_max);
    store_tables_put(&t->columns[BSI_TABLES_OF_TITLE][i], strlen(record->title));
    store_tables_put(&t->ids[i][0], i);
    store_tables_put(&t->ids[i][1], (uint64_t)record->id);
}

/* Records one after another; the caller frees with store_tables_free. */
static store_tables *store_tables_make(const store_record *records, size_t count) {
    store_tables *t = (store_tables *)(void *)test_copy(NULL, sizeof *t);
    uint64_t bases = 0, bytes = 0;
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < count; i++) {
        if (i % 16 == 0) {
            store_tables_put(&t->firsts[i / 16], bases);
            store_tables_put(&t->texts[i / 16], bytes);
        }
        store_tables_count(t, i, &records[i]);
        bases += strlen(records[i].seq);
        bytes += strlen(records[i].title);
        t->tables.head.longest = BSI_MAX(t->tables.head.longest, strlen(records[i].seq));
    }
    t->body = test_copy(NULL, (size_t)bases);
    t->titles = test_copy(NULL, (size_t)bytes + 63);
    memset(t->titles, ' ', (size_t)bytes + 63);
    bases = bytes = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(t->body + bases, records[i].seq, strlen(records[i].seq));
        memcpy(t->titles + bytes, records[i].title, strlen(records[i].title));
        bases += strlen(records[i].seq);
        bytes += strlen(records[i].title);
    }
    bsi_kernels_hash(&t->tables.hash, bsi_cpu_features());
    bsi_kernels_check(&t->tables.check, bsi_cpu_features());
    t->tables.head.records = count;
    t->tables.head.id_runs = count;
    t->tables.head.flags = BSI_TABLES_BYTES;
    t->tables.parts[BSI_TABLES_BODY] = t->body;
    t->tables.parts[BSI_TABLES_TITLES] = t->titles;
    t->tables.parts[BSI_TABLES_FIRSTS] = (const uint8_t *)(const void *)t->firsts;
    t->tables.parts[BSI_TABLES_TEXTS] = (const uint8_t *)(const void *)t->texts;
    t->tables.parts[BSI_TABLES_IDS] = (const uint8_t *)(const void *)t->ids;
    for (uint32_t i = 0; i < BSI_TABLES_FIELDS; i++) {
        t->tables.columns[i] = bsi_tables_column_of((const uint8_t *)(const void *)t->columns[i], 8);
    }
    return t;
}

/* Records of As, named a, b, ... */
static store_tables *store_tables_of_lengths(const uint64_t *lengths, size_t count) {
    store_record records[STORE_TABLES_MOST];
    static char names[STORE_TABLES_MOST][3];
    store_tables *t;
    memset(records, 0, sizeof records);
    for (size_t i = 0; i < count; i++) {
        uint8_t *seq = test_copy(NULL, (size_t)lengths[i] + 1);
        memset(seq, 'A', (size_t)lengths[i]);
        seq[lengths[i]] = '\0';
        names[i][0] = (char)('a' + i % 26);
        names[i][1] = (char)('a' + i / 26);
        records[i].seq = (const char *)seq;
        records[i].title = names[i];
        records[i].id = (int64_t)i;
    }
    t = store_tables_make(records, count);
    for (size_t i = 0; i < count; i++) {
        free((char *)(uintptr_t)records[i].seq);
    }
    return t;
}

static void store_tables_free(store_tables *t) {
    free(t->body);
    free(t->titles);
    free(t);
}

#endif /* STORE_TABLES_H */
