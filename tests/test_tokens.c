/*
 * test_tokens.c - rows of tokens whose columns are not their bases: begin and end token, and numbers of k bases. Of text
 * and of stores, against published vocabularies, rows by hand, and windows numbered one by one.
 *
 * rooms: encode pack rows
 * needs: loader stores threads library
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"
#include "store_loader.h"

#define TOKENS_MOST 512

/* The rows of the first batch, whose numbers are wide here. */
typedef struct tokens_batch {
    uint32_t rows, columns;
    int64_t x[8][TOKENS_MOST];
    uint8_t quality[8][TOKENS_MOST], mask[8][TOKENS_MOST];
    int32_t lengths[8];
    uint64_t digest;
} tokens_batch;

static int64_t token_at(const biost_tensor *x, size_t at) {
    return x->dtype == BIOST_DTYPE_U8    ? ((const uint8_t *)x->data)[at]
           : x->dtype == BIOST_DTYPE_I32 ? ((const int32_t *)x->data)[at]
                                         : ((const int64_t *)x->data)[at];
}

/* Read the first batch of a text, or of a store of it; of two bits a base, or with is_store 2 of bytes. */
static void tokens_read(const biost_loader_desc *wish, const char *text, int is_store, tokens_batch *out) {
    const biost_memory memory = {text, strlen(text), "t"};
    biost_store *store = is_store ? store_of(&memory, 1, text[0] == '@', is_store > 1) : NULL;
    biost_loader_desc desc = *wish;
    biost_loader *loader;
    biost_batch batch;
    uint32_t row, column, i;
    desc.store = store;
    desc.memory_count = store == NULL;
    desc.memories = store == NULL ? &memory : NULL;
    desc.batch_rows = 4;
    desc.digest = 1;
    loader = oracle_open(&desc);
    memset(out, 0, sizeof *out);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
    REQUIRE(batch.rows <= 8 && batch.x.shape[1] <= TOKENS_MOST);
    out->rows = batch.rows;
    out->columns = (uint32_t)batch.x.shape[1];
    out->digest = batch.digest;
    memcpy(out->lengths, batch.lengths, batch.rows * sizeof out->lengths[0]);
    for (row = 0; row < batch.rows; ++row) {
        for (column = 0; column < out->columns; ++column) {
            const size_t at = (size_t)row * out->columns + column;
            out->x[row][column] = token_at(&batch.x, at);
            for (i = 1; i < batch.tensor_count; ++i) {
                (batch.tensors[i].role == BIOST_ROLE_MASK
                     ? out->mask
                     : out->quality)[row][column] = ((const uint8_t *)batch.tensors[i].data)[at];
            }
        }
    }
    biost_loader_close(loader);
    if (store != NULL) {
        CHECK(biost_store_close(store, NULL) == BIOST_OK);
    }
}

static void row_is(const int64_t *row, const int64_t *want, uint32_t columns) {
    uint32_t i;
    for (i = 0; i < columns; ++i) {
        CHECK_EQ_I64(row[i], want[i]);
    }
}

/*
 * ACGTAC is 0 2 3 1 0 2 in the order A T C G, 722 in base 4: with the first 6-mer at 4 in the vocabulary of Nucleotide
 * Transformer v1, 6 in that of v2. DNABERT's 3-mers begin with 5: AAA AAT AAC AAG ATA are 5 to 9, and [UNK] is 1.
 */
TEST(tokens, published_vocabularies) {
    static const struct {
        biost_kmer_tokens kmers;
        const char *seq;
        uint32_t count;
        int64_t want[8];
    } cases[] = {{{6, 0, "ATCG", 1, 4, 0}, "ACGTAC", 1, {726}},
                 {{6, 0, "ATCG", 1, 6, 0}, "ACGTAC", 1, {728}},
                 {{6, 6, "ATCG", 1, 6, 0}, "AAAAAAGGGGGGTT", 2, {6, 4101}},
                 {{3, 1, "ATCG", 1, 5, 1}, "AAANAAT", 5, {5, 1, 1, 1, 6}},
                 {{3, 1, "ATCG", 1, 5, 1}, "AAAC", 2, {5, 7}},
                 {{3, 3, "ATCG", 1, 5, 1}, "AAGATAGGG", 3, {8, 9, 68}},
                 {{2, 0, "", 1, 0, 99}, "acUGNAG", 3, {1, 14, 99}},
                 {{1, 0, "", 0, 0, 0}, "ACGTN", 5, {1, 2, 3, 4, 5}},
                 {{6, 0, "", 0, 0, 0}, "TTTTTTNACGTA", 2, {4096, 4097}},
                 {{6, 0, "ATCG", 1, 4, 0}, "ACGTA", 0, {0}}};
    static tokens_batch batch;
    size_t i;
    for (i = 0; i < 4 * sizeof cases / sizeof cases[0]; ++i) {
        biost_loader_desc desc;
        char text[64];
        memset(&desc, 0, sizeof desc);
        snprintf(text, sizeof text, ">a\n%s\n", cases[i / 4].seq);
        desc.row_bases = 8;
        desc.encoding.kind = BIOST_ENCODE_TOKENS;
        desc.encoding.dtype = i % 2 == 0 ? BIOST_DTYPE_I32 : BIOST_DTYPE_I64;
        desc.encoding.kmers = cases[i / 4].kmers;
        test_note("case %u, %s", (unsigned)(i / 4), i % 4 < 2 ? "text" : "store");
        tokens_read(&desc, text, i % 4 < 2 ? 0 : 2, &batch);
        CHECK_EQ_U64(batch.columns, 8);
        row_is(batch.x[0], cases[i / 4].want, 8); /* what is not given is padding */
        CHECK_EQ_I64(batch.lengths[0], (int64_t)strlen(cases[i / 4].seq));
    }
}

/* Rows ACgt and GG of 6 columns with begin 7, end 8 and padding 9; rows of padding alone have neither. */
TEST(tokens, begin_and_end) {
    static const int64_t x[2][4][6] = {
        {{7, 1, 2, 3, 4, 8}, {7, 3, 3, 8, 9, 9}, {9, 9, 9, 9, 9, 9}, {9, 9, 9, 9, 9, 9}},
        {{7, 1, 2, 3, 4, 8}, {9, 9, 7, 3, 3, 8}, {9, 9, 9, 9, 9, 9}, {9, 9, 9, 9, 9, 9}}};
    static const uint8_t quality[2][2][6] = {{{0, 40, 40, 40, 40, 0}, {0, 1, 20, 0, 0, 0}},
                                             {{0, 40, 40, 40, 40, 0}, {0, 0, 0, 1, 20, 0}}};
    static const uint8_t mask[2][4][6] = {{{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 0, 0}},
                                          {{1, 1, 1, 1, 1, 1}, {0, 0, 1, 1, 1, 1}}};
    static tokens_batch batch;
    uint32_t i, row;
    for (i = 0; i < 16; ++i) {
        const uint32_t left = i & 1u;
        biost_loader_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.row_bases = i & 8u ? 0 : 6;
        desc.pad_multiple = i & 8u ? 3 : 0;
        desc.encoding.kind = BIOST_ENCODE_TOKENS;
        desc.encoding.dtype = i & 4u ? BIOST_DTYPE_I32 : BIOST_DTYPE_U8;
        desc.encoding.pad_side = left ? BIOST_PAD_LEFT : BIOST_PAD_RIGHT;
        desc.encoding.pad_value = 9;
        desc.encoding.has_begin = desc.encoding.has_end = 1;
        desc.encoding.begin_token = 7;
        desc.encoding.end_token = 8;
        desc.quality.kind = BIOST_QUALITY_PHRED;
        desc.mask = 1;
        test_note("setting %u", (unsigned)i);
        tokens_read(&desc, "@a\nACgt\n+\nIIII\n@b\nGG\n+\n\"5\n", i & 2u ? 2 : 0, &batch);
        CHECK_EQ_U64(batch.columns, 6);
        for (row = 0; row < 4; ++row) {
            row_is(batch.x[row], x[left][row], 6);
            CHECK_MEM(batch.mask[row], mask[left][row], 6);
        }
        CHECK_MEM(batch.quality[0], quality[left][0], 6);
        CHECK_MEM(batch.quality[1], quality[left][1], 6);
        CHECK(batch.lengths[0] == 4 && batch.lengths[1] == 2 && batch.lengths[2] == 0);
    }
}

/* Number the windows one by one. Returns how many there are. */
static uint32_t tokens_number(const biost_kmer_tokens *kmers, const char *seq, uint32_t bases, int64_t *out) {
    const char *order = kmers->letters[0] != '\0' ? kmers->letters : "ACGT";
    uint32_t count = 0, at, i;
    for (at = 0; at + kmers->k <= bases; at += kmers->stride == 1 ? 1 : kmers->k) {
        int64_t number = kmers->first_id;
        uint64_t digit = 1;
        for (i = kmers->k; i-- > 0; digit *= 4) {
            const char upper = (char)(seq[at + i] & ~0x20),
                       *found = strchr(order, upper == 'U' ? 'T' : upper);
            number = found == NULL || number == INT64_MAX ? INT64_MAX
                                                          : number + (int64_t)digit * (found - order);
        }
        out[count++] = number == INT64_MAX ? kmers->unknown_id : number;
    }
    return count;
}

/* One record at random: k, stride, letters, ids, types, sides, begin and end, kernels, either strand. */
TEST(tokens, windows_at_random) {
    static tokens_batch batch, of_store;
    static const char letters[] = "ACGTacgtTCGAUuAC";
    uint64_t random = test_seed();
    uint32_t round, i;
    for (round = 0; round < 400; ++round) {
        const uint32_t bases = (uint32_t)(test_random(&random) % 300), rare = round % 2 ? 9 : 150;
        char text[400] = ">r\n", *seq = text + 3;
        int64_t want[TOKENS_MOST];
        uint32_t count, left;
        biost_loader_desc desc;
        biost_kmer_tokens *kmers = &desc.encoding.kmers;
        memset(&desc, 0, sizeof desc);
        for (i = 0; i < bases; ++i) {
            seq[i] = test_random(&random) % rare == 0 ? 'N'
                                                      : letters[test_random(&random) % (round % 2 ? 16 : 4)];
        }
        memcpy(seq + bases, "\n", 2);
        desc.encoding.kind = BIOST_ENCODE_TOKENS;
        desc.encoding.dtype = test_random(&random) % 2 ? BIOST_DTYPE_I32 : BIOST_DTYPE_I64;
        kmers->k = 1 + (uint32_t)(test_random(&random) % 12);
        if (kmers->k <= 3 && round % 4 == 0) {
            desc.encoding.dtype = BIOST_DTYPE_U8;
        }
        kmers->stride = round % 2;
        strcpy(kmers->letters, round % 5 < 2 ? "ATCG" : round % 5 < 3 ? "TGCA" : "ACGT");
        kmers->has_ids = 1;
        kmers->first_id = (int32_t)(test_random(&random) % 100);
        kmers->unknown_id = (int32_t)(test_random(&random) % 100);
        desc.row_bases = 320;
        desc.encoding.pad_side = round % 7 < 3 ? BIOST_PAD_LEFT : BIOST_PAD_RIGHT;
        desc.encoding.pad_value = 101;
        desc.encoding.has_begin = round % 3 == 1;
        desc.encoding.has_end = round % 4 == 1;
        desc.encoding.begin_token = round % 3 == 1 ? 102 : 0;
        desc.encoding.end_token = round % 4 == 1 ? 103 : 0;
        desc.augment.reverse_complement = round % 8 < 3 ? 1.0f : 0.0f;
        desc.test.cpu_hidden = round % 6 == 0 ? UINT32_MAX : 0;
        test_note("round %u, k %u, bases %u", (unsigned)round, (unsigned)kmers->k, (unsigned)bases);
        tokens_read(&desc, text, 0, &batch);
        tokens_read(&desc, text, 1 + (int)(round % 2), &of_store);
        if (desc.augment.reverse_complement > 0) {
            biost_reverse_complement(seq, NULL, bases);
        }
        count = tokens_number(kmers, seq, bases, want + 1) + (uint32_t)desc.encoding.has_begin;
        want[0] = 102;
        want[count + (uint32_t)!desc.encoding.has_begin] = 103;
        count += (uint32_t)desc.encoding.has_end;
        left = desc.encoding.pad_side == BIOST_PAD_LEFT ? 320 - count : 0;
        row_is(batch.x[0] + left, want + !desc.encoding.has_begin, count);
        for (i = 0; i < 320; ++i) {
            CHECK(i >= left && i < left + count ? 1 : batch.x[0][i] == 101);
            CHECK_EQ_I64(of_store.x[0][i], batch.x[0][i]);
        }
        CHECK_EQ_I64(batch.lengths[0], bases);
        CHECK_EQ_U64(of_store.digest, batch.digest);
    }
}

/* Bases [-1, 3) of ACGTA: a window that reaches past the sequence is padding, and the others keep their columns. */
TEST(tokens, regions_at_an_edge) {
    static const struct {
        uint32_t stride, columns, strand;
        int has_begin, left;
        int64_t want[4];
    } cases[] = {{0, 2, 0, 0, 0, {0, 7}},        {0, 2, 1, 0, 0, {7, 0}},       {1, 3, 0, 0, 0, {0, 2, 7}},
                 {0, 3, 0, 1, 0, {0, 30, 7}},    {0, 2, 0, 0, 1, {0, 0, 0, 7}}, {1, 3, 1, 0, 0, {7, 12, 0}},
                 {1, 4, 0, 1, 0, {0, 30, 2, 7}}, {0, 2, 1, 0, 1, {0, 0, 7, 0}}};
    size_t i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const biost_memory memory = {">s\nACGTA\n", 9, "s"};
        biost_store *store = store_of(&memory, 1, 0, 0);
        biost_interval interval = {0, -1, 3, 0.0, 0, 0};
        biost_loader_desc desc;
        biost_loader *loader;
        biost_batch got;
        uint32_t k;
        interval.strand = (uint8_t)cases[i].strand;
        memset(&desc, 0, sizeof desc);
        desc.store = store;
        desc.batch_rows = 1;
        desc.row_bases = cases[i].columns;
        desc.pad_multiple = cases[i].left ? 4 : 0;
        desc.regions.kind = BIOST_REGIONS_INTERVALS;
        desc.regions.intervals = &interval;
        desc.regions.interval_count = 1;
        desc.encoding.kind = BIOST_ENCODE_TOKENS;
        desc.encoding.kmers.k = 2;
        desc.encoding.kmers.stride = cases[i].stride;
        desc.encoding.has_begin = cases[i].has_begin;
        desc.encoding.begin_token = cases[i].has_begin ? 30 : 0;
        desc.encoding.pad_side = cases[i].left ? BIOST_PAD_LEFT : BIOST_PAD_RIGHT;
        test_note("case %u", (unsigned)i);
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        REQUIRE(biost_loader_next(loader, &got) == BIOST_OK);
        CHECK_EQ_I64(got.x.shape[1], cases[i].left ? 4 : cases[i].columns);
        for (k = 0; k < (uint32_t)got.x.shape[1]; ++k) {
            CHECK_EQ_I64(token_at(&got.x, k), cases[i].want[k]);
        }
        CHECK_EQ_I64(got.lengths[0], 3);
        biost_loader_close(loader);
        CHECK(biost_store_close(store, NULL) == BIOST_OK);
    }
}

/* Columns say how many bases a row has room for, and a longer record is refused with both. */
TEST(tokens, a_record_longer_than_its_columns) {
    const biost_memory memory = {">s\nACGTACG\n", 11, "s"};
    biost_loader_desc desc;
    biost_loader *loader;
    biost_batch batch;
    memset(&desc, 0, sizeof desc);
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.row_bases = 4;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.encoding.kmers.k = 2;
    desc.encoding.has_end = 1;
    loader = oracle_open(&desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK_EQ_I64(biost_loader_next(loader, &batch), BIOST_ERR_TOO_LONG);
    CHECK(strstr(biost_loader_error(loader)->text,
                 "the record has 7 bases, what desc.row_bases columns show is 6: raise it, or") != NULL);
    biost_loader_close(loader);
}
