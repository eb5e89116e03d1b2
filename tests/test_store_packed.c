/*
 * test_store_packed.c - rows that show several records of a store: every array of a batch by hand, tails, counts,
 * resume, epochs one after another, and what is refused.
 *
 * rooms: shapes storefeed batches rows
 * needs: loader stores library
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

#include "store_loader.h"

/* Records of 6 4 7 3 5 2 9 bases: by falling columns 9 (6), 7 (2), 6 (0) and 5 (4) begin rows; 4 (1) goes beside 6, 3 (3)
   beside 7, 2 (5) beside 5. */
static const char packed_text[] =
    "@r0\nACGTAC\n+\n!\"#$%&\n@r1\nTTGA\n+\nIIII\n@r2\nCCATGGA\n+\n5555555\n@r3\nGAT\n+\n&&&\n"
    "@r4\nTACAG\n+\nABCDE\n@r5\nCC\n+\n::\n@r6\nGGGTTTAAA\n+\n?????????\n";
static const char *const packed_seqs[] = {"ACGTAC", "TTGA", "CCATGGA", "GAT", "TACAG", "CC", "GGGTTTAAA"};
static const char *const packed_quals[] = {"!\"#$%&", "IIII", "5555555", "&&&", "ABCDE", "::", "?????????"};

static biost_store *packed_store(const char *text, int qualities) {
    biost_memory memory;
    memory.data = text;
    memory.bytes = strlen(text);
    memory.name = "packed";
    return store_of(&memory, 1, qualities, 0);
}

/* All arrays there are. */
static biost_loader_desc packed_desc(biost_store *store) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.store = store;
    desc.shape.kind = BIOST_SHAPE_PACKED;
    desc.shape.segments = desc.shape.positions = desc.shape.offsets = 1;
    desc.row_bases = 10;
    desc.batch_rows = 5;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.quality.kind = BIOST_QUALITY_PHRED;
    desc.mask = 1;
    desc.labels.kind = BIOST_LABEL_INPUT;
    desc.labels.dtype = BIOST_DTYPE_I32;
    desc.names = 1;
    desc.digest = 1;
    desc.workers = 2;
    return desc;
}

/* What a batch should be: the records of each row, ended by -1. */
typedef struct packed_want {
    uint32_t rows, valid_rows, columns, multiple;
    int records[5][4];
    uint32_t offset_count;
    int32_t offsets[12];
} packed_want;

static const biost_tensor *tensor_of(const biost_batch *batch, biost_role role, const char *layout) {
    uint32_t i;
    for (i = 0; i < batch->tensor_count; ++i) {
        if (batch->tensors[i].role == role) {
            CHECK_STR(batch->tensors[i].layout, layout);
            return &batch->tensors[i];
        }
    }
    CHECK(0);
    return &batch->x;
}

/* A column of a record, or padding: `at` -1. */
static void check_column(const biost_batch *batch, size_t column, int record, int at, int segment) {
    const uint8_t *x = (const uint8_t *)batch->x.data;
    const int is_base = at >= 0;
    const uint8_t token = is_base ? (uint8_t)(strchr("ACGT", packed_seqs[record][at]) - "ACGT" + 1) : 0;
    CHECK_EQ_U64(x[column], token);
    CHECK_EQ_U64(((const uint8_t *)tensor_of(batch, BIOST_ROLE_QUALITY, "NL")->data)[column],
                 is_base ? (uint64_t)packed_quals[record][at] - 33 : 0);
    CHECK_EQ_U64(((const uint8_t *)tensor_of(batch, BIOST_ROLE_MASK, "NL")->data)[column], (uint64_t)is_base);
    CHECK_EQ_I64(((const int32_t *)tensor_of(batch, BIOST_ROLE_SEGMENT, "NL")->data)[column],
                 is_base ? segment : 0);
    CHECK_EQ_I64(((const int32_t *)tensor_of(batch, BIOST_ROLE_POSITION, "NL")->data)[column],
                 is_base ? at : 0);
}

static void check_sample(const biost_batch *batch, uint32_t sample, int record) {
    char name[3] = "r0";
    name[1] = (char)('0' + record);
    CHECK_EQ_I64(batch->lengths[sample], (int64_t)strlen(packed_seqs[record]));
    CHECK_EQ_I64(batch->origins[sample].id, record);
    CHECK_STR(batch->names + batch->name_offsets[sample], name);
    CHECK_EQ_I64(((const int32_t *)tensor_of(batch, BIOST_ROLE_LABEL, "S")->data)[sample], 0);
}

static void check_packed(const biost_batch *batch, const packed_want *want) {
    const biost_tensor *offsets = tensor_of(batch, BIOST_ROLE_OFFSETS, "O");
    uint32_t row, sample = 0, i;
    CHECK_EQ_U64(batch->rows, want->rows);
    CHECK_EQ_U64(batch->valid_rows, want->valid_rows);
    CHECK_EQ_I64(batch->x.shape[0], want->rows);
    CHECK_EQ_I64(batch->x.shape[1], want->columns);
    for (row = 0; row < want->rows; ++row) {
        uint32_t column = 0, at;
        CHECK_EQ_U64(batch->row_samples[row], sample);
        for (i = 0; i < 4 && row < want->valid_rows && want->records[row][i] >= 0; ++i, ++sample) {
            const int record = want->records[row][i];
            const uint32_t bases = (uint32_t)strlen(packed_seqs[record]);
            check_sample(batch, sample, record);
            for (at = 0; at < bases || at % want->multiple != 0; ++at, ++column) {
                check_column(batch, row * want->columns + column, record, at < bases ? (int)at : -1,
                             (int)i + 1);
            }
        }
        for (; column < want->columns; ++column) {
            check_column(batch, row * want->columns + column, 0, -1, 0);
        }
    }
    CHECK_EQ_U64(batch->row_samples[want->rows], sample);
    CHECK_EQ_U64(batch->samples, sample);
    CHECK_EQ_I64(tensor_of(batch, BIOST_ROLE_LABEL, "S")->shape[0], sample);
    CHECK_EQ_I64(offsets->shape[0], want->offset_count);
    CHECK_EQ_U64(offsets->bytes, 4 * (uint64_t)want->offset_count);
    for (i = 0; i < want->offset_count; ++i) {
        CHECK_EQ_I64(((const int32_t *)offsets->data)[i], want->offsets[i]);
    }
}

/* The batches of an epoch are these, and no more. */
static void check_epoch(const biost_loader_desc *desc, const packed_want *want, uint32_t count,
                        uint32_t last_flags) {
    biost_loader *loader = oracle_open(desc);
    biost_batch batch;
    uint64_t batches = 0;
    uint32_t i;
    CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_PENDING);
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK);
    CHECK_EQ_U64(batches, count);
    for (i = 0; i < count && CHECK(biost_loader_next(loader, &batch) == BIOST_OK); ++i) {
        check_packed(&batch, &want[i]);
        CHECK_EQ_U64(batch.flags, i + 1 < count ? 0 : last_flags);
        biost_loader_release(loader, &batch);
    }
    CHECK(biost_loader_next(loader, &batch) == BIOST_END);
    biost_loader_close(loader);
}

TEST(store_packed, every_array) {
    static const packed_want five = {5,
                                     4,
                                     10,
                                     1,
                                     {{6, -1}, {2, 3, -1}, {0, 1, -1}, {4, 5, -1}},
                                     11,
                                     {0, 9, 10, 17, 20, 26, 30, 35, 37, 40, 50}};
    static const packed_want fours = {
        4, 4, 12, 4, {{6, -1}, {0, 1, -1}, {2, 3, -1}, {4, 5, -1}}, 8, {0, 12, 20, 24, 32, 36, 44, 48}};
    static const packed_want alone[] = {
        {3, 3, 10, 1, {{6, -1}, {2, -1}, {0, -1}}, 7, {0, 9, 10, 17, 20, 26, 30}},
        {3, 3, 10, 1, {{4, -1}, {1, -1}, {3, -1}}, 7, {0, 5, 10, 14, 20, 23, 30}},
        {3, 1, 10, 1, {{5, -1}}, 5, {0, 2, 10, 20, 30}}};
    biost_store *store = packed_store(packed_text, 1);
    biost_loader_desc desc = packed_desc(store);
    check_epoch(&desc, &five, 1, BIOST_BATCH_LAST);
    desc.pad_multiple = 4;
    desc.batch_rows = 4;
    check_epoch(&desc, &fours, 1, BIOST_BATCH_LAST);
    desc.pad_multiple = 0;
    desc.batch_rows = 3;
    desc.shape.pack_samples = 1;
    check_epoch(&desc, alone, 3, BIOST_BATCH_LAST);
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* A row a batch is ragged: offsets are those of that row. Tails as of other rows. */
TEST(store_packed, ragged_and_tails) {
    static const packed_want ragged[] = {{1, 1, 10, 1, {{6, -1}}, 3, {0, 9, 10}},
                                         {1, 1, 10, 1, {{2, 3, -1}}, 3, {0, 7, 10}},
                                         {1, 1, 10, 1, {{0, 1, -1}}, 3, {0, 6, 10}},
                                         {1, 1, 10, 1, {{4, 5, -1}}, 4, {0, 5, 7, 10}}};
    static const packed_want threes[] = {
        {3, 3, 10, 1, {{6, -1}, {2, 3, -1}, {0, 1, -1}}, 7, {0, 9, 10, 17, 20, 26, 30}},
        {1, 1, 10, 1, {{4, 5, -1}}, 4, {0, 5, 7, 10}}};
    biost_store *store = packed_store(packed_text, 1);
    biost_loader_desc desc = packed_desc(store);
    desc.batch_rows = 1;
    check_epoch(&desc, ragged, 4, BIOST_BATCH_LAST);
    desc.batch_rows = 3;
    desc.tail = BIOST_TAIL_SHORT;
    check_epoch(&desc, threes, 2, BIOST_BATCH_LAST | BIOST_BATCH_SHORT);
    desc.tail = BIOST_TAIL_DROP;
    check_epoch(&desc, threes, 1, 0);
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* 9,000 records of 0 to 59 bases: three windows. */
static biost_store *many_store(void) {
    bytes text;
    uint64_t random = 5;
    uint32_t i;
    biost_store *store;
    memset(&text, 0, sizeof text);
    for (i = 0; i < 9000; ++i) {
        uint32_t bases = (uint32_t)(test_random(&random) % 60);
        bytes_words(&text, ">r\n");
        for (; bases > 0; --bases) {
            bytes_byte(&text, (uint8_t) "ACGT"[test_random(&random) % 4]);
        }
        bytes_byte(&text, '\n');
    }
    bytes_byte(&text, '\0');
    store = packed_store((const char *)text.data, 0);
    bytes_free(&text);
    return store;
}

static biost_loader_desc many_desc(biost_store *store) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.store = store;
    desc.shape.kind = BIOST_SHAPE_PACKED;
    desc.row_bases = 100;
    desc.batch_rows = 40;
    desc.order = BIOST_ORDER_EXACT;
    desc.seed = 3;
    desc.digest = 1;
    desc.workers = 3;
    return desc;
}

/* Take the rest of an epoch. Returns the sum of its digests; its records are counted in `seen` [9000], or NULL. */
static uint64_t rest_of(biost_loader *loader, uint8_t *seen, uint64_t *batches) {
    biost_batch batch;
    uint64_t digest = 0;
    uint32_t i;
    for (*batches = 0; biost_loader_next(loader, &batch) == BIOST_OK; ++*batches) {
        digest += batch.digest;
        for (i = 0; seen != NULL && i < batch.samples; ++i) {
            ++seen[batch.origins[i].id];
        }
        biost_loader_release(loader, &batch);
    }
    return digest;
}

/* Epochs one after another, where one is packed while batches of the last one are held, are those of loaders that
   begin with them; each has all records once, and its own number of batches. */
TEST(store_packed, epochs_and_counts) {
    biost_store *store = many_store();
    biost_loader_desc desc = many_desc(store);
    biost_loader *loader = oracle_open(&desc), *other;
    uint64_t epoch, batches, told, digest, of_other;
    biost_progress progress;
    for (epoch = 0; epoch < 3; ++epoch) {
        uint8_t seen[9000] = {0};
        uint32_t i, twice = 0;
        CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
        CHECK(biost_loader_batches_per_epoch(loader, &told) == BIOST_OK);
        digest = rest_of(loader, seen, &batches);
        CHECK_EQ_U64(told, batches);
        CHECK(biost_loader_batches_per_epoch(loader, &told) == BIOST_OK);
        CHECK_EQ_U64(told, batches); /* the next one may be packed by now */
        for (i = 0; i < 9000; ++i) {
            twice += seen[i] != 1;
        }
        CHECK_EQ_U64(twice, 0);
        biost_loader_progress(loader, &progress);
        CHECK_EQ_U64(progress.pass_count, 1);
        other = oracle_open(&desc);
        CHECK(biost_loader_begin(other, epoch) == BIOST_OK);
        CHECK_EQ_U64(rest_of(other, NULL, &of_other), digest);
        CHECK_EQ_U64(of_other, batches);
        biost_loader_close(other);
    }
    biost_loader_close(loader);
    desc.epochs = 1;
    loader = oracle_open(&desc);
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
    (void)rest_of(loader, NULL, &batches);
    biost_loader_progress(loader, &progress);
    CHECK_EQ_U64(progress.row_count, 9000);
    biost_loader_close(loader);
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* After each batch, also the last one, on another number of workers. */
TEST(store_packed, resume_after_every_batch) {
    static uint8_t states[300][STORE_MOST_STATE];
    static size_t state_bytes[300];
    static uint64_t before[300];
    biost_store *store = many_store();
    biost_loader_desc desc = many_desc(store);
    biost_loader *loader = oracle_open(&desc);
    biost_batch batch;
    uint64_t sum = 0, batches;
    uint32_t count = 0, i;
    CHECK(biost_loader_begin(loader, 7) == BIOST_OK);
    for (; count < 300 && biost_loader_next(loader, &batch) == BIOST_OK; ++count) {
        sum += batch.digest;
        before[count] = sum;
        CHECK(biost_loader_state(loader, &batch, states[count], STORE_MOST_STATE, &state_bytes[count]) ==
              BIOST_OK);
        biost_loader_release(loader, &batch);
    }
    biost_loader_close(loader);
    CHECK(count > 50);
    for (i = 0; i < count; ++i) {
        desc.state = states[i];
        desc.state_bytes = state_bytes[i];
        desc.workers = 1 + i % 4;
        loader = oracle_open(&desc);
        if (!CHECK(loader != NULL)) {
            break;
        }
        CHECK(biost_loader_begin(loader, 7) == BIOST_OK);
        CHECK_EQ_U64(before[i] + rest_of(loader, NULL, &batches), sum);
        CHECK_EQ_U64(batches, count - 1 - i);
        biost_loader_close(loader);
    }
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* What the largest batch is like, known before any. */
TEST(store_packed, shape_of_the_largest) {
    biost_store *store = packed_store(packed_text, 1);
    biost_loader_desc desc = packed_desc(store);
    biost_batch_shape shape;
    biost_loader *loader;
    biost_batch batch;
    uint32_t i;
    desc.shape.pack_samples = 3;
    CHECK(biost_loader_shape(&desc, &shape, NULL) == BIOST_OK);
    CHECK_EQ_U64(shape.lengths_bytes, 4 * 5 * 3);
    CHECK_EQ_U64(shape.tensor_count, 7);
    loader = oracle_open(&desc);
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK && biost_loader_next(loader, &batch) == BIOST_OK);
    CHECK(batch.slab_bytes <= shape.slab_bytes && shape.slab_bytes <= shape.slot_bytes);
    for (i = 0; i < shape.tensor_count; ++i) {
        const biost_role role = shape.tensors[i].role;
        const int by_samples = role == BIOST_ROLE_LABEL || role == BIOST_ROLE_OFFSETS;
        CHECK(role == batch.tensors[i].role);
        CHECK_EQ_U64((size_t)((uint8_t *)batch.tensors[i].data - (uint8_t *)batch.slab), shape.offsets[i]);
        CHECK_EQ_U64(shape.row_bytes[i], by_samples ? 0 : shape.tensors[i].bytes / 5);
        CHECK_EQ_U64(shape.tensors[i].bytes, role == BIOST_ROLE_LABEL     ? 4u * 15
                                             : role == BIOST_ROLE_OFFSETS ? 4u * (15 + 5 + 1)
                                                                          : batch.tensors[i].bytes);
    }
    biost_loader_close(loader);
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* A record longer than a row is refused as elsewhere, and is cut where that is asked for. */
TEST(store_packed, longer_records) {
    biost_store *store = packed_store(packed_text, 1);
    biost_loader_desc desc = packed_desc(store);
    biost_loader *loader = NULL;
    biost_error error;
    desc.row_bases = 8;
    CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_TOO_LONG);
    CHECK_STR(error.text,
              "store: input 1, record 7: the record has 9 bases, desc.row_bases is 8: raise it, or let "
              "desc.long_records split or cut");
    desc.long_records = BIOST_LONG_HEAD;
    loader = oracle_open(&desc);
    CHECK(loader != NULL);
    biost_loader_close(loader);
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* All memory is that which was told before, whatever is asked for. */
TEST(store_packed, memory_is_told) {
    biost_store *store = many_store();
    uint32_t i;
    for (i = 0; i < 16; ++i) {
        biost_loader_desc desc = many_desc(store);
        counted count;
        uint64_t batches, most;
        biost_loader *loader;
        desc.allocator = counted_allocator(&count);
        desc.shape.segments = i % 2 > 0;
        desc.shape.offsets = i / 2 % 2 > 0;
        desc.names = i / 4 % 2 > 0;
        desc.shape.pack_samples = i / 8 > 0 ? 5 : 0;
        desc.filter.max_length = i == 9 ? 40 : 0;
        most = biost_loader_memory(&desc);
        loader = oracle_open(&desc);
        CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
        (void)rest_of(loader, NULL, &batches);
        CHECK(batches > 10);
        biost_loader_close(loader);
        CHECK_EQ_U64(count.blocks, 0);
        CHECK_EQ_U64(count.peak_bytes, most);
    }
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}
