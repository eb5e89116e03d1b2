/*
 * test_loader_mates.c - loaders of pairs: both mates of each row as two readers in step give them, under a filter that
 * two loaders of text answer with rows that are out of step; what is drawn once and what for each; splits; lists; memory;
 * ranks, workers and resume. Descs at random oracle_shapes.py compares.
 *
 * rooms: storefeed picks rows batches
 * needs: loader stores threads library data
 */
#define _POSIX_C_SOURCE 200809L
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

#include "store_loader.h"

enum { MATES_MOST = 3000, MATES_BASES = 260, MATES_TEXT = 64 };

/* Reads as the tests know them: from two readers, one record after another. */
typedef struct mates_read {
    char name[MATES_TEXT], seq[MATES_BASES], qual[MATES_BASES];
    uint32_t bases;
    double errors; /* expected of it, from the definition of Phred */
} mates_read;

static mates_read mates_reads[2][MATES_MOST];
static uint32_t mates_count;

static void mates_note(mates_read *to, const biost_record *record) {
    static const double tenths[] = {1,
                                    0.7943282347242815,
                                    0.6309573444801932,
                                    0.5011872336272722,
                                    0.3981071705534972,
                                    0.31622776601683794,
                                    0.251188643150958,
                                    0.19952623149688797,
                                    0.15848931924611134,
                                    0.12589254117941673};
    uint32_t i;
    memset(to, 0, sizeof *to);
    memcpy(to->name, record->name, record->name_bytes < MATES_TEXT ? record->name_bytes : MATES_TEXT - 1);
    memcpy(to->seq, record->seq, record->seq_bases);
    to->bases = (uint32_t)record->seq_bases;
    for (i = 0; i < to->bases && record->qual != NULL; ++i) {
        uint32_t phred = (uint32_t)(uint8_t)record->qual[i] - 33, tens = phred / 10;
        double error = tenths[phred % 10];
        for (; tens > 0; --tens) {
            error /= 10;
        }
        to->errors += error;
        to->qual[i] = record->qual[i];
    }
}

/* Read both inputs of a desc in step, and build their store. */
static biost_store *mates_store(const char *const *paths, const biost_memory *memories) {
    biost_store_desc build;
    uint32_t mate;
    memset(&build, 0, sizeof build);
    for (mate = 0; mate < 2; ++mate) {
        biost_reader_desc desc;
        biost_reader *reader = NULL;
        biost_record record;
        memset(&desc, 0, sizeof desc);
        if (paths != NULL) {
            desc.path = paths[mate];
        } else {
            desc.memory = memories[mate];
        }
        mates_count = 0;
        if (!CHECK(biost_reader_open(&desc, &reader, NULL) == BIOST_OK)) {
            return NULL;
        }
        while (biost_reader_next(reader, &record) == BIOST_OK && CHECK(mates_count < MATES_MOST)) {
            mates_note(&mates_reads[mate][mates_count++], &record);
        }
        biost_reader_close(reader);
    }
    build.paths = paths;
    build.path_count = paths != NULL ? 2 : 0;
    build.memories = memories;
    build.memory_count = paths != NULL ? 0 : 2;
    build.mates = 2;
    build.qualities = 1;
    return store_build(&build);
}

/* Tokens that are the letters themselves. */
static const int32_t *mates_letters(void) {
    static int32_t tokens[256];
    uint32_t i;
    for (i = 0; i < 256; ++i) {
        tokens[i] = (int32_t)i;
    }
    return tokens;
}

static biost_loader_desc mates_desc(biost_store *store) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.store = store;
    desc.mates = 2;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.encoding.tokens = mates_letters();
    desc.batch_rows = 64;
    desc.max_row_bases = MATES_BASES;
    desc.names = 1;
    desc.mask = 1;
    desc.digest = 1;
    desc.workers = 1;
    return desc;
}

/* Whether one mate of a row is all of a read. */
static void mates_check(const biost_batch *batch, uint32_t row, uint32_t mate, uint32_t pair) {
    const mates_read *read = &mates_reads[mate][pair];
    const biost_tensor *x = biost_batch_tensor(batch, BIOST_ROLE_INPUT) + mate,
                       *mask = biost_batch_tensor(batch, BIOST_ROLE_MASK) + mate;
    const uint32_t line = 2 * row + mate, columns = (uint32_t)x->shape[1];
    const uint8_t *seq = (const uint8_t *)x->data + (size_t)row * columns;
    const uint8_t *is_base = (const uint8_t *)mask->data + (size_t)row * columns;
    const biost_row *origin = &batch->origins[line];
    CHECK(x->mate == mate && mask->mate == mate && x->role == BIOST_ROLE_INPUT &&
          mask->role == BIOST_ROLE_MASK);
    CHECK_EQ_U64((uint64_t)batch->lengths[line], read->bases);
    CHECK(memcmp(seq, read->seq, read->bases) == 0);
    CHECK(columns == read->bases || (seq[read->bases] == 0 && is_base[read->bases] == 0));
    CHECK(read->bases == 0 || (is_base[0] == 1 && is_base[read->bases - 1] == 1));
    CHECK_STR(batch->names + batch->name_offsets[line], read->name);
    CHECK(origin->id == (int64_t)pair && origin->piece == 0 && origin->mate == mate &&
          origin->start_base == 0);
}

/* An epoch in file order: its rows are those pairs of which `passes` says so. Returns how many. */
static uint32_t mates_epoch(const biost_loader_desc *desc, int (*passes)(uint32_t pair)) {
    biost_loader *loader = oracle_open(desc);
    biost_batch batch;
    biost_result result;
    uint32_t pair = 0, rows = 0, row, mate;
    if (loader == NULL || !CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        return 0;
    }
    while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        CHECK(batch.mates == 2 && batch.samples == batch.rows && batch.tensor_count == 4);
        for (row = 0; row < batch.valid_rows; ++row, ++pair, ++rows) {
            while (pair < mates_count && !passes(pair)) {
                ++pair;
            }
            if (!CHECK(pair < mates_count)) {
                break;
            }
            for (mate = 0; mate < 2; ++mate) {
                mates_check(&batch, row, mate, pair);
            }
        }
        for (; row < batch.rows; ++row) {
            CHECK(batch.origins[2 * row].id == -1 && batch.origins[2 * row + 1].id == -1);
            CHECK(batch.lengths[2 * row] == 0 && batch.lengths[2 * row + 1] == 0);
        }
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK_EQ_I64(result, BIOST_END);
    biost_loader_close(loader);
    while (pair < mates_count && !passes(pair)) {
        ++pair;
    }
    CHECK_EQ_U64(pair, mates_count);
    return rows;
}

static int mates_all(uint32_t pair) {
    return pair < mates_count;
}

/* What filter.max_error_rate 0.01 lets pass of either mate. */
static int mates_good(uint32_t pair, uint32_t mate) {
    const mates_read *read = &mates_reads[mate][pair];
    return read->errors <= 0.01 * read->bases;
}

static int mates_both_good(uint32_t pair) {
    return mates_good(pair, 0) && mates_good(pair, 1);
}

/* Real pairs under one filter stay in step; two loaders of text with it do not, which is why there are mates. */
TEST(loader_mates, real_pairs_in_step) {
    const char *const folder = getenv("TEST_DATA");
    static char files[2][600];
    const char *paths[2];
    biost_store *store;
    biost_loader_desc desc;
    uint32_t i, rows, singles[2] = {0, 0}, out_of_step = 0, k[2] = {0, 0};
    for (i = 0; i < 2; ++i) {
        snprintf(files[i], sizeof files[i], "%s/illumina_hiseq2500_pair_R%u.fastq.gz",
                 folder != NULL ? folder : "", (unsigned)(i + 1));
        paths[i] = files[i];
    }
    if (folder == NULL) {
        return; /* as test_reader.c does */
    }
    store = mates_store(paths, NULL);
    REQUIRE(store != NULL && mates_count == 2500);
    desc = mates_desc(store);
    CHECK_EQ_U64(mates_epoch(&desc, mates_all), 2500);
    desc.filter.max_error_rate = 0.01f;
    desc.workers = 3;
    rows = mates_epoch(&desc, mates_both_good);
    CHECK(rows > 0 && rows < 2500);
    /* As two loaders of text would pair them: row by row of what passes in each file. */
    for (i = 0; i < 2500; ++i) {
        singles[0] += mates_good(i, 0) != 0;
        singles[1] += mates_good(i, 1) != 0;
    }
    while (k[0] < 2500 && k[1] < 2500) {
        while (k[0] < 2500 && !mates_good(k[0], 0)) {
            ++k[0];
        }
        while (k[1] < 2500 && !mates_good(k[1], 1)) {
            ++k[1];
        }
        out_of_step += k[0] < 2500 && k[1] < 2500 && k[0] != k[1];
        ++k[0];
        ++k[1];
    }
    CHECK(out_of_step > 0 && singles[0] != rows && singles[1] != rows);
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* ---- pairs made here ---- */

static bytes mates_texts[2];

/* So many pairs of 1 to `most` bases, named as in "r7/1", of which the second mates have other letters. */
static biost_store *mates_made(uint32_t pairs, uint32_t most, uint64_t *random) {
    biost_memory memories[2];
    uint32_t i, mate, k;
    for (mate = 0; mate < 2; ++mate) {
        memset(&mates_texts[mate], 0, sizeof mates_texts[mate]);
        for (i = 0; i < pairs; ++i) {
            const uint32_t n = 1 + random_below(random, most);
            char title[40];
            snprintf(title, sizeof title, "@r%u/%u\n", (unsigned)i, (unsigned)(1 + mate));
            bytes_words(&mates_texts[mate], title);
            for (k = 0; k < n; ++k) {
                bytes_add(&mates_texts[mate], &"ACGTTGCA"[4 * mate + random_below(random, 4)], 1);
            }
            bytes_words(&mates_texts[mate], "\n+\n");
            for (k = 0; k < n; ++k) {
                bytes_add(&mates_texts[mate], &"5?I+"[random_below(random, 4)], 1);
            }
            bytes_words(&mates_texts[mate], "\n");
        }
        memories[mate].data = mates_texts[mate].data;
        memories[mate].bytes = mates_texts[mate].count;
        memories[mate].name = mate == 0 ? "R1" : "R2";
    }
    return mates_store(NULL, memories);
}

static void mates_end(biost_store *store) {
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
    bytes_free(&mates_texts[0]);
    bytes_free(&mates_texts[1]);
}

static int mates_long(uint32_t pair) {
    return mates_reads[0][pair].bases >= 40 && mates_reads[1][pair].bases >= 40;
}

/* Filters take a pair where both mates pass; single records come in the order of their numbers. */
TEST(loader_mates, filters_take_both) {
    uint64_t random = test_seed();
    biost_store *store = mates_made(300, 200, &random);
    biost_loader_desc desc = mates_desc(store);
    biost_loader *loader;
    biost_batch batch;
    biost_progress progress;
    uint32_t rows, row, number = 0, left = 0, i;
    desc.filter.min_length = 40;
    rows = mates_epoch(&desc, mates_long);
    for (i = 0; i < 300; ++i) {
        left += !mates_long(i);
    }
    CHECK(rows == 300 - left && left > 0);
    loader = oracle_open(&desc);
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK_EQ_U64(store_drain(loader, 0).rows, rows);
    biost_loader_progress(loader, &progress);
    CHECK_EQ_U64(progress.dropped[BIOST_DROP_LENGTH], left);
    biost_loader_close(loader);
    desc.filter.min_length = 0;
    desc.mates = 0;
    loader = oracle_open(&desc);
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
    while (biost_loader_next(loader, &batch) == BIOST_OK) {
        CHECK(batch.mates == 1 && batch.tensor_count == 2);
        for (row = 0; row < batch.valid_rows; ++row, ++number) {
            const mates_read *read = &mates_reads[number % 2][number / 2];
            CHECK_EQ_U64((uint64_t)batch.lengths[row], read->bases);
            CHECK_STR(batch.names + batch.name_offsets[row], read->name);
            CHECK_EQ_U64((uint64_t)batch.origins[row].id, (uint64_t)(number % 2) << 40 | number / 2);
        }
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK_EQ_U64(number, 600);
    biost_loader_close(loader);
    mates_end(store);
}

static char mates_other(char base) {
    return base == 'A' ? 'T' : base == 'C' ? 'G' : base == 'G' ? 'C' : 'A';
}

/* Both mates are turned or neither is; each is cropped by a draw of its own, and the labels are of the first's file. */
TEST(loader_mates, draws) {
    uint64_t random = test_seed();
    biost_store *store = mates_made(200, 200, &random);
    biost_loader_desc desc = mates_desc(store);
    biost_loader *loader;
    biost_batch batch;
    uint32_t row, mate, k, turned = 0, apart = 0, rows = 0;
    desc.row_bases = 8;
    desc.max_row_bases = 0;
    desc.long_records = BIOST_LONG_CROP;
    desc.augment.reverse_complement = 0.5f;
    desc.labels.kind = BIOST_LABEL_INPUT;
    desc.order = BIOST_ORDER_EXACT;
    loader = oracle_open(&desc);
    CHECK(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    while (biost_loader_next(loader, &batch) == BIOST_OK) {
        for (row = 0; row < batch.valid_rows; ++row, ++rows) {
            const biost_row *origins = &batch.origins[2 * row];
            turned += origins[0].strand;
            apart += origins[0].start_base != origins[1].start_base;
            CHECK(origins[0].strand == origins[1].strand && origins[0].id == origins[1].id);
            for (mate = 0; mate < 2; ++mate) {
                const biost_tensor *x = biost_batch_tensor(&batch, BIOST_ROLE_INPUT) + mate,
                                   *label = biost_batch_tensor(&batch, BIOST_ROLE_LABEL) + mate;
                const char *seq = mates_reads[mate][origins[mate].id].seq + origins[mate].start_base;
                const uint8_t *shown = (const uint8_t *)x->data + 8 * row;
                const uint32_t n = (uint32_t)batch.lengths[2 * row + mate];
                CHECK_EQ_U64(n, mates_reads[mate][origins[mate].id].bases < 8
                                    ? mates_reads[mate][origins[mate].id].bases
                                    : 8);
                for (k = 0; k < n; ++k) {
                    CHECK(shown[k] == (uint8_t)(origins[mate].strand ? mates_other(seq[n - 1 - k]) : seq[k]));
                }
                CHECK(label->mate == mate && ((const uint8_t *)label->data)[row] == 0);
            }
        }
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK(rows == 200 && turned > 50 && turned < 150 && apart > 100);
    biost_loader_close(loader);
    mates_end(store);
}

/* A split by name has both mates in one part, and each pair in one; a list has numbers of pairs. */
TEST(loader_mates, splits_and_lists) {
    static const uint64_t listed[] = {7, 0, 7, 99}, beyond[] = {0, 100};
    uint64_t random = test_seed(), seen = 0;
    biost_store *store = mates_made(100, 60, &random);
    biost_loader_desc desc = mates_desc(store);
    biost_loader *loader;
    biost_batch batch;
    biost_error error;
    uint8_t parts[100];
    uint32_t part, row;
    memset(parts, 0, sizeof parts);
    desc.split.by = BIOST_SPLIT_NAME;
    for (part = 0; part < 2; ++part) {
        desc.split.from = part == 0 ? 0 : 0.5f;
        desc.split.below = part == 0 ? 0.5f : 1;
        loader = oracle_open(&desc);
        CHECK(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            for (row = 0; row < batch.valid_rows; ++row, ++seen) {
                const uint32_t pair = (uint32_t)batch.origins[2 * row].id;
                mates_check(&batch, row, 0, pair);
                mates_check(&batch, row, 1, pair);
                parts[pair] |= (uint8_t)(1u << part);
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        biost_loader_close(loader);
    }
    CHECK_EQ_U64(seen, 100);
    for (row = 0; row < 100; ++row) {
        CHECK(parts[row] == 1 || parts[row] == 2);
    }
    memset(&desc.split, 0, sizeof desc.split);
    desc.regions.kind = BIOST_REGIONS_RECORDS;
    desc.regions.sequences = listed;
    desc.regions.sequence_count = 4;
    loader = oracle_open(&desc);
    CHECK(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK &&
          biost_loader_next(loader, &batch) == BIOST_OK);
    CHECK_EQ_U64(batch.valid_rows, 4);
    for (row = 0; row < 4; ++row) {
        CHECK(batch.origins[2 * row + 1].piece == row &&
              (uint64_t)batch.origins[2 * row + 1].id == listed[row]);
        CHECK_STR(batch.names + batch.name_offsets[2 * row + 1], mates_reads[1][listed[row]].name);
    }
    CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    biost_loader_close(loader);
    desc.regions.sequences = beyond;
    desc.regions.sequence_count = 2;
    CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_ARG);
    CHECK_STR(error.text, "desc.regions.sequences[1] is 100, and the store has 100 pairs, from 0 on");
    mates_end(store);
}

/* A second mate that no row holds is named by its own length, under the id of its pair's own record. */
TEST(loader_mates, too_long) {
    static const char one[] = "@a/1\nACG\n+\nIII\n@b/1\nACG\n+\nIII\n",
                      two[] = "@a/2\nAC\n+\nII\n@b/2\nACGTACGTAC\n+\nIIIIIIIIII\n";
    const biost_memory memories[] = {{one, sizeof one - 1, "1"}, {two, sizeof two - 1, "2"}};
    biost_store *store = mates_store(NULL, memories);
    biost_loader_desc desc = mates_desc(store);
    biost_loader *loader = NULL;
    biost_error error;
    desc.max_row_bases = 8;
    CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_TOO_LONG && loader == NULL);
    if (!CHECK(strstr(error.text, "input 2, record 2") != NULL && strstr(error.text, "10") != NULL)) {
        printf("    says: %s\n", error.text);
    }
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* ---- ranks, workers, resume, memory ---- */

TEST(loader_mates, ranks_and_resume) {
    uint64_t random = test_seed();
    biost_store *store = mates_made(90, 200, &random);
    biost_loader_desc desc = mates_desc(store), later;
    uint8_t state[STORE_MOST_STATE];
    store_epoch whole;
    uint32_t world;
    desc.batch_rows = 8;
    desc.order = BIOST_ORDER_EXACT;
    desc.augment.substitute = 0.1f;
    desc.quality.kind = BIOST_QUALITY_PHRED;
    desc.labels.kind = BIOST_LABEL_INPUT;
    whole = store_run(&desc, 3, 1, &random);
    CHECK(whole.batches == 12 && whole.rows == 90);
    for (world = 2; world <= 4; world *= 2) {
        store_epoch got = store_run(&desc, 3, world, &random);
        store_check(&got, &whole);
    }
    store_check_stops(&desc, 3, &whole, &random, state, &later);
    later.mates = 0; /* another desc */
    {
        biost_loader *loader = NULL;
        biost_error error;
        CHECK(biost_loader_open(&later, &loader, &error) < 0 && error.fault == BIOST_FAULT_STATE_DESC);
    }
    mates_end(store);
}

typedef struct mates_held {
    uint64_t held, most;
} mates_held;

static void *mates_alloc(size_t count, size_t align, void *user_data) {
    mates_held *of = (mates_held *)user_data;
    void *memory = NULL;
    CHECK(align <= 256 && posix_memalign(&memory, 256, count) == 0);
    of->held += count;
    of->most = of->held > of->most ? of->held : of->most;
    return memory;
}

static void mates_free(void *memory, size_t count, void *user_data) {
    ((mates_held *)user_data)->held -= count;
    free(memory);
}

/* Tensors of all kinds, each twice and where the shape says; and no more memory than the bound. */
TEST(loader_mates, shape_and_memory) {
    static const biost_role roles[] = {BIOST_ROLE_INPUT, BIOST_ROLE_QUALITY, BIOST_ROLE_MASK,
                                       BIOST_ROLE_LABEL};
    uint64_t random = test_seed();
    biost_store *store = mates_made(200, 200, &random);
    biost_loader_desc desc = mates_desc(store);
    biost_batch_shape shape;
    mates_held memory = {0, 0};
    biost_loader *loader;
    biost_batch batch;
    uint32_t i, n = 0;
    desc.quality.kind = BIOST_QUALITY_PHRED;
    desc.labels.kind = BIOST_LABEL_INPUT;
    desc.allocator.alloc = mates_alloc;
    desc.allocator.free = mates_free;
    desc.allocator.user_data = &memory;
    CHECK(biost_loader_shape(&desc, &shape, NULL) == BIOST_OK);
    CHECK(shape.tensor_count == 8 && shape.lengths_bytes == 64 * 2 * 4);
    loader = oracle_open(&desc);
    CHECK(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    while (biost_loader_next(loader, &batch) == BIOST_OK) {
        const uint8_t *end = (const uint8_t *)batch.slab + shape.lengths_bytes;
        CHECK(batch.tensor_count == 8 && batch.slab_bytes <= shape.slab_bytes);
        for (i = 0; i < 8; ++i) {
            const biost_tensor *tensor = &batch.tensors[i];
            CHECK(tensor->role == roles[i / 2] && tensor->mate == i % 2 && tensor->shape[0] == 64);
            CHECK((const uint8_t *)tensor->data >= end && (uintptr_t)tensor->data % 256 == 0);
            end = (const uint8_t *)tensor->data + tensor->bytes;
            CHECK(shape.tensors[i].role == tensor->role && shape.tensors[i].mate == tensor->mate);
        }
        CHECK(end == (const uint8_t *)batch.slab + batch.slab_bytes);
        CHECK(batch.x.data == batch.tensors[0].data &&
              biost_batch_tensor(&batch, BIOST_ROLE_MASK) == &batch.tensors[4]);
        ++n;
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK_EQ_U64(n, 4);
    biost_loader_close(loader);
    CHECK(memory.held == 0 && memory.most <= biost_loader_memory(&desc));
    mates_end(store);
}
