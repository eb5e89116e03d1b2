/*
 * test_loader_encode.c - what lies in the tensors of a batch: every encoding, layout, dtype and padding,
 * qualities, mask, labels and names, against the naive loops of loader_oracle.h and against numbers
 * written down by hand; and that the digest covers each of them.
 *
 * rooms: rows batches encode
 * needs: loader threads library orders
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

/* ---- against the oracle ---- */

TEST(encode, random_encodings_equal_the_oracle) {
    uint64_t random = test_seed() + 31;
    uint32_t i;
    for (i = 0; i < 250; ++i) {
        static const uint32_t bases[] = {0, 1, 20, 33, 64}, multiples[] = {0, 1, 8, 9, 64};
        text_shape shape = {0, 0, 40, 0, 0, 0, 0, 1};
        one_text one;
        shape.records = random_below(&random, 30);
        shape.fasta = (int)random_below(&random, 3) == 0;
        one_text_shape(&one, &shape, test_random(&random));
        one.desc.batch_rows = 1 + random_below(&random, 12);
        one.desc.row_bases = RANDOM_OF(&random, bases);
        one.desc.pad_multiple = RANDOM_OF(&random, multiples);
        one.desc.long_records = one.desc.row_bases > 0 ? BIOST_LONG_SPLIT : BIOST_LONG_FAIL;
        one.desc.tail = (biost_tail_mode)random_below(&random, 3);
        one.desc.shuffle_rows = random_below(&random, 3) * 7;
        random_encoding(&one.desc.encoding, &random);
        random_others(&one.desc, shape.fasta, &random);
        random_machine(&one.desc, &random);
        one.desc.augment.reverse_complement = i % 2 == 0 ? 0.5f : 0.0f;
        random_not_turned(&one.desc);
        test_note("case %u", (unsigned)i);
        oracle_run(&one.desc, &one.text, 1, i % 3, ORACLE_ENDS_WELL);
        bytes_free(&one.text);
    }
}

/* Every byte that a sequence may have, 33..126, in every combination of what one-hot can do. */
TEST(encode, every_byte_in_every_onehot) {
    static const biost_dtype dtypes[] = {BIOST_DTYPE_U8, BIOST_DTYPE_F16, BIOST_DTYPE_BF16, BIOST_DTYPE_F32};
    static const char *const channels[] = {NULL, "CATG", "UGCA", "ACGTU", "NT", "ACDEFGHIKLMNPQRSTVWY"};
    uint32_t dtype, channel, ambiguous, lower, place;
    one_text one;
    char words[400];
    size_t at = 3, i;
    memcpy(words, "@a\n", 3);
    for (i = 33; i < 127; ++i) {
        words[at++] = (char)i;
    }
    memcpy(words + at, "\n+\n", 3);
    at += 3;
    for (i = 33; i < 127; ++i) {
        words[at++] = (char)i;
    }
    memcpy(words + at, "\n", 2);
    one_text_make(&one, words);
    one.desc.row_bases = 97;
    one.desc.batch_rows = 2;
    one.desc.slots = 1;
    for (dtype = 0; dtype < 4; ++dtype) {
        for (channel = 0; channel < 6; ++channel) {
            for (ambiguous = 0; ambiguous < (dtype > 0 && channel < 3 ? 4u : 1u); ++ambiguous) {
                for (lower = 0; lower < 3; ++lower) {
                    for (place = 0; place < 4; ++place) {
                        one.desc.encoding.dtype = dtypes[dtype];
                        one.desc.encoding.channels = channels[channel];
                        one.desc.encoding.ambiguous = (biost_ambiguous_mode)ambiguous;
                        one.desc.encoding.lower_case = (biost_lower_case_mode)lower;
                        one.desc.encoding.layout = (biost_layout_kind)(place % 2);
                        one.desc.encoding.pad_side = (biost_pad_side)(place / 2);
                        one.desc.encoding.pad_value = place == 3 ? 5 : 0;
                        test_note("dtype %u, channels %u, ambiguous %u, lower %u, place %u", (unsigned)dtype,
                                  (unsigned)channel, (unsigned)ambiguous, (unsigned)lower, (unsigned)place);
                        oracle_run(&one.desc, &one.text, 1, 0, ORACLE_ENDS_WELL);
                    }
                }
            }
        }
    }
    bytes_free(&one.text);
}

/* Rows of every length around whole words and vectors, so that every end of a kernel's loop is met. */
TEST(encode, rows_of_every_length) {
    uint32_t kind, length;
    bytes text = {NULL, 0, 0};
    for (length = 0; length <= 130; ++length) {
        uint64_t random = length;
        text_shape shape = {1, 0, 0, 0, 0, 0, 0, 1};
        shape.min_bases = shape.max_bases = length;
        text_make(&text, &shape, &random);
    }
    for (kind = 0; kind < 8; ++kind) {
        static const biost_dtype dtypes[] = {BIOST_DTYPE_U8,  BIOST_DTYPE_F16, BIOST_DTYPE_BF16,
                                             BIOST_DTYPE_F32, BIOST_DTYPE_U8,  BIOST_DTYPE_I32,
                                             BIOST_DTYPE_I64, BIOST_DTYPE_F32};
        biost_loader_desc desc;
        biost_memory memory;
        memset(&desc, 0, sizeof desc);
        oracle_inputs(&desc, &memory, &text, 1);
        desc.batch_rows = 10;
        desc.row_bases = kind % 2 == 0 ? 130 : 0;
        desc.workers = 2;
        desc.digest = 1;
        desc.encoding.kind = kind >= 4 && kind < 7 ? BIOST_ENCODE_TOKENS : BIOST_ENCODE_ONEHOT;
        desc.encoding.dtype = dtypes[kind];
        desc.encoding.layout = kind == 2 || kind == 3 || kind == 7 ? BIOST_LAYOUT_NCL : BIOST_LAYOUT_NLC;
        desc.encoding.pad_side = kind % 3 == 1 ? BIOST_PAD_LEFT : BIOST_PAD_RIGHT;
        desc.quality.kind = kind % 2 == 0 ? BIOST_QUALITY_PHRED : BIOST_QUALITY_ERROR;
        desc.quality.dtype = kind % 4 == 0 ? BIOST_DTYPE_U8 : BIOST_DTYPE_F32;
        desc.mask = 1;
        desc.augment.reverse_complement = 0.5f;
        test_note("kind %u", (unsigned)kind);
        oracle_run(&desc, &text, 1, 1, ORACLE_ENDS_WELL);
    }
    bytes_free(&text);
}

/* ---- by hand ---- */

/* The first batch of the one input, held in the loader that is returned. */
static biost_loader *first_batch(const biost_loader_desc *desc, biost_batch *batch) {
    biost_loader *loader = oracle_open(desc);
    memset(batch, 0, sizeof *batch);
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK) &&
        CHECK(biost_loader_next(loader, batch) == BIOST_OK)) {
        return loader;
    }
    biost_loader_close(loader);
    return NULL;
}

/* N C A T G of channels CATG: every pattern of 16 bits is written down in IEEE 754's tables. */
TEST(encode, halves_and_thirds_by_hand) {
    static const char sequence[] = "CatgNRBn-";
    static const uint16_t f16[2][9][4] = {{{0x3C00, 0, 0, 0},
                                           {0, 0x3C00, 0, 0},
                                           {0, 0, 0x3C00, 0},
                                           {0, 0, 0, 0x3C00},
                                           {0x3400, 0x3400, 0x3400, 0x3400},
                                           {0, 0x3800, 0, 0x3800},
                                           {0x3555, 0, 0x3555, 0x3555},
                                           {0x3400, 0x3400, 0x3400, 0x3400},
                                           {0, 0, 0, 0}},
                                          {{0x3C00, 0, 0, 0},
                                           {0, 0x3C00, 0, 0},
                                           {0, 0, 0x3C00, 0},
                                           {0, 0, 0, 0x3C00},
                                           {0x3400, 0x3400, 0x3400, 0x3400},
                                           {0, 0x3800, 0, 0x3800},
                                           {0x3548, 0, 0x3548, 0x3548},
                                           {0x3400, 0x3400, 0x3400, 0x3400},
                                           {0, 0, 0, 0}}};
    static const uint16_t bf16_b[2] = {0x3EAB, 0x3EA9};
    static const uint32_t f32_b[2] = {0x3EAAAAABu, 0x3EA8F5C3u};
    uint32_t helixer, i;
    one_text one;
    one_text_make(&one, "@a\nCatgNRBn-\n+\nIIIIIIIII\n");
    one.desc.encoding.channels = "CATG";
    one.desc.batch_rows = 1;
    CHECK_EQ_U64(sizeof sequence - 1, 9);
    for (helixer = 0; helixer < 2; ++helixer) {
        biost_batch batch;
        biost_loader *loader;
        one.desc.row_bases = 9;
        one.desc.encoding.ambiguous = helixer ? BIOST_AMBIGUOUS_HELIXER : BIOST_AMBIGUOUS_IUPAC;
        one.desc.encoding.dtype = BIOST_DTYPE_F16;
        loader = first_batch(&one.desc, &batch);
        REQUIRE(loader != NULL);
        CHECK_MEM(batch.x.data, f16[helixer], 72);
        biost_loader_close(loader);
        one.desc.encoding.dtype = BIOST_DTYPE_BF16;
        loader = first_batch(&one.desc, &batch);
        REQUIRE(loader != NULL);
        CHECK_EQ_U64(((const uint16_t *)batch.x.data)[0], 0x3F80);
        CHECK_EQ_U64(((const uint16_t *)batch.x.data)[4 * 4], 0x3E80);
        CHECK_EQ_U64(((const uint16_t *)batch.x.data)[5 * 4 + 1], 0x3F00);
        CHECK_EQ_U64(((const uint16_t *)batch.x.data)[6 * 4], bf16_b[helixer]);
        biost_loader_close(loader);
        one.desc.encoding.dtype = BIOST_DTYPE_F32;
        one.desc.encoding.layout = BIOST_LAYOUT_NCL;
        loader = first_batch(&one.desc, &batch);
        REQUIRE(loader != NULL);
        for (i = 0; i < 4; ++i) { /* column 6 of channels C A T G */
            CHECK_EQ_U64(((const uint32_t *)batch.x.data)[i * 9 + 6], i == 1 ? 0 : f32_b[helixer]);
        }
        one.desc.encoding.layout = BIOST_LAYOUT_NLC;
        biost_loader_close(loader);
    }
    bytes_free(&one.text);
}

/* A row's description has 32 bytes wherever an int64_t has 8, whatever size pointers have. */
TEST(encode, a_row_has_32_bytes) {
    CHECK_EQ_U64(sizeof(biost_row), 32);
    CHECK_EQ_U64(offsetof(biost_row, id), 0);
    CHECK_EQ_U64(offsetof(biost_row, start_base), 8);
    CHECK_EQ_U64(offsetof(biost_row, piece), 16);
    CHECK_EQ_U64(offsetof(biost_row, flags), 20);
    CHECK_EQ_U64(offsetof(biost_row, pass), 24);
    CHECK_EQ_U64(offsetof(biost_row, group), 28);
    CHECK_EQ_U64(offsetof(biost_row, mate), 30);
    CHECK_EQ_U64(offsetof(biost_row, strand), 31);
    CHECK_EQ_U64(sizeof(((biost_tensor *)NULL)->layout), 8);
    CHECK_EQ_U64(sizeof(((biost_tensor *)NULL)->mate), 4);
}

static void check_origin(const biost_row *row, int64_t id, uint32_t piece, int64_t start_base,
                         uint8_t strand) {
    CHECK_EQ_I64(row->id, id);
    CHECK_EQ_I64(row->start_base, start_base);
    CHECK_EQ_U64(row->piece, piece);
    CHECK_EQ_U64(row->flags, strand ? (uint32_t)BIOST_ROW_REVERSED : 0u);
    CHECK_EQ_U64(row->pass, 0);
    CHECK_EQ_U64(row->group, 0);
    CHECK_EQ_U64(row->mate, 0);
    CHECK_EQ_U64(row->strand, strand);
}

/*
 * Where rows came from, and what a batch says of samples and mates: rows straight from the text, rows that are
 * augmented, rows that waited in cells, and padding. The loader's memory is full of 0xA5 before, so a field that
 * nobody writes shows.
 */
TEST(encode, origins_samples_and_mates_by_hand) {
    uint32_t augments, stows;
    for (augments = 0; augments < 3; ++augments) {
        for (stows = 0; stows < 2; ++stows) {
            static const char layout[8] = {'N', 'L', 'C', 0, 0, 0, 0, 0};
            counted count = {0};
            one_text one;
            biost_batch batch;
            biost_loader *loader;
            one_text_make(&one, "@a\nACGTA\n+\nIIIII\n@b\nGG\n+\nII\n");
            one.desc.batch_rows = 5;
            one.desc.row_bases = 3;
            one.desc.long_records = BIOST_LONG_SPLIT;
            one.desc.shuffle_rows = stows ? 2 : 0;
            one.desc.mask = augments > 0;
            one.desc.augment.reverse_complement = augments == 2 ? 1.0f : 0.0f;
            one.desc.allocator = counted_allocator(&count);
            test_note("augments %u, stows %u", (unsigned)augments, (unsigned)stows);
            loader = first_batch(&one.desc, &batch);
            REQUIRE(loader != NULL);
            CHECK_EQ_U64(batch.rows, 5);
            CHECK_EQ_U64(batch.valid_rows, 3);
            CHECK_EQ_U64(batch.samples, 5);
            CHECK_EQ_U64(batch.mates, 1);
            CHECK(batch.row_samples == NULL);
            CHECK_EQ_U64(batch.x.mate, 0);
            CHECK_MEM(batch.x.layout, layout, sizeof layout);
            CHECK_EQ_U64(batch.tensors[batch.tensor_count - 1].mate, 0);
            if (!stows) {
                uint8_t strand = augments == 2;
                check_origin(&batch.origins[0], 0, 0, 0, strand);
                check_origin(&batch.origins[1], 0, 1, 3, strand);
                check_origin(&batch.origins[2], 1, 0, 0, strand);
            } else { /* the same three in another order */
                uint32_t i, seen = 0;
                for (i = 0; i < 3; ++i) {
                    const biost_row *row = &batch.origins[i];
                    seen |= 1u << (row->id * 2 + row->piece);
                    check_origin(row, row->id, row->piece, row->piece > 0 ? 3 : 0, augments == 2);
                }
                CHECK_EQ_U64(seen, 7);
            }
            check_origin(&batch.origins[3], -1, 0, 0, 0);
            check_origin(&batch.origins[4], -1, 0, 0, 0);
            biost_loader_close(loader);
            bytes_free(&one.text);
        }
    }
}

/* Two reads of 3 bases and 1 base, padded on the left to 5 columns, and a padding row. */
TEST(encode, every_tensor_by_hand) {
    static const int32_t x[] = {-9, -9, 1, 2, 5, -9, -9, -9, -9, 4, -9, -9, -9, -9, -9};
    static const float quality[] = {0, 0, 1.0f, 0.1f, 0.001f, 0, 0, 0, 0, 0.0001f, 0, 0, 0, 0, 0};
    static const uint8_t mask[] = {0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
    static const float mask_f32[] = {0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
    one_text one;
    biost_batch batch;
    biost_loader *loader;
    const biost_tensor *t;
    one_text_make(&one, "@first read\nAcN\n+\n!+?\n@second\nU\n+\nI\n");
    one.desc.batch_rows = 3;
    one.desc.row_bases = 4;
    one.desc.pad_multiple = 5;
    one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
    one.desc.encoding.dtype = BIOST_DTYPE_I32;
    one.desc.encoding.pad_side = BIOST_PAD_LEFT;
    one.desc.encoding.pad_value = -9;
    one.desc.quality.kind = BIOST_QUALITY_ERROR;
    one.desc.quality.dtype = BIOST_DTYPE_F32;
    one.desc.mask = 1;
    one.desc.names = 1;
    one.desc.name_bytes = 5;
    loader = first_batch(&one.desc, &batch);
    REQUIRE(loader != NULL);
    REQUIRE(CHECK_EQ_U64(batch.tensor_count, 3));
    t = batch.tensors;
    CHECK_EQ_I64(t[0].shape[0], 3);
    CHECK_EQ_I64(t[0].shape[1], 5);
    CHECK_EQ_U64(t[0].ndim, 2);
    CHECK_MEM(t[0].data, x, sizeof x);
    CHECK(t[1].role == BIOST_ROLE_QUALITY && t[2].role == BIOST_ROLE_MASK);
    CHECK_MEM(t[1].data, quality, sizeof quality);
    CHECK_MEM(t[2].data, mask, sizeof mask);
    CHECK_STR(batch.names + batch.name_offsets[0], "first");
    CHECK_STR(batch.names + batch.name_offsets[1], "secon");
    CHECK_STR(batch.names + batch.name_offsets[2], "");
    CHECK_EQ_U64(batch.origins[0].flags, 0);
    CHECK_EQ_U64(batch.origins[1].flags, BIOST_ROW_NAME_CUT);
    CHECK_EQ_I64(batch.lengths[0], 3);
    CHECK_EQ_I64(batch.lengths[1], 1);
    CHECK_EQ_I64(batch.lengths[2], 0);
    biost_loader_close(loader);
    one.desc.mask_dtype = BIOST_DTYPE_F32;
    loader = first_batch(&one.desc, &batch);
    REQUIRE(loader != NULL);
    t = biost_batch_tensor(&batch, BIOST_ROLE_MASK);
    REQUIRE(CHECK(t != NULL) && CHECK_EQ_U64(t->bytes, sizeof mask_f32));
    CHECK(t->dtype == BIOST_DTYPE_F32);
    CHECK_MEM(t->data, mask_f32, sizeof mask_f32);
    biost_loader_close(loader);
    bytes_free(&one.text);
}

static int label_one(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)record;
    (void)id;
    (void)user_data;
    *(uint8_t *)out_label = 7;
    return 1;
}

/* Whatever is asked for is found by its role, and nothing else; of no batch nothing is. */
TEST(encode, tensors_are_found_by_their_role) {
    one_text one;
    uint32_t wish, role;
    one_text_make(&one, "@a\nACG\n+\nIII\n");
    one.desc.row_bases = 3;
    one.desc.batch_rows = 1;
    for (wish = 0; wish < 8; ++wish) {
        const int wanted[6] = {1, 0, (int)(wish & 1), (int)(wish >> 1 & 1), (int)(wish >> 2 & 1), 0};
        uint32_t found = 0;
        biost_batch batch;
        biost_loader *loader;
        one.desc.quality.kind = wanted[2] ? BIOST_QUALITY_PHRED : BIOST_QUALITY_NONE;
        one.desc.mask = wanted[3];
        one.desc.labels.make = wanted[4] ? label_one : NULL;
        loader = first_batch(&one.desc, &batch);
        REQUIRE(loader != NULL);
        for (role = 0; role < 6; ++role) { /* 1 is not used, 5 is none */
            const biost_tensor *tensor = biost_batch_tensor(&batch, (biost_role)role);
            test_note("wish %u, role %u", (unsigned)wish, (unsigned)role);
            CHECK((tensor != NULL) == wanted[role]);
            if (tensor != NULL) {
                CHECK(tensor->role == (biost_role)role);
                CHECK(tensor == &batch.tensors[found]); /* they are in the order of their roles */
                ++found;
            }
        }
        CHECK_EQ_U64(found, batch.tensor_count);
        CHECK(biost_batch_tensor(&batch, (biost_role)0xFFFF) == NULL);
        if (wish == 7) {
            CHECK_MEM(biost_batch_tensor(&batch, BIOST_ROLE_QUALITY)->data, "\50\50\50", 3);
            CHECK_MEM(biost_batch_tensor(&batch, BIOST_ROLE_MASK)->data, "\1\1\1", 3);
            CHECK_MEM(biost_batch_tensor(&batch, BIOST_ROLE_LABEL)->data, "\7", 1);
        }
        biost_loader_close(loader);
        memset(&batch, 0, sizeof batch);
        CHECK(biost_batch_tensor(&batch, BIOST_ROLE_INPUT) == NULL);
    }
    CHECK(biost_batch_tensor(NULL, BIOST_ROLE_INPUT) == NULL);
    bytes_free(&one.text);
}

/* The first batch of two reads and a row of padding: x holds what was written down, and the other tensors are those
   of `tensors`. */
static void in_x(one_text *one, const void *x, size_t x_bytes, uint32_t channels, uint32_t tensors) {
    biost_batch batch;
    biost_loader *loader = first_batch(&one->desc, &batch);
    int is_ncl = one->desc.encoding.layout == BIOST_LAYOUT_NCL;
    REQUIRE(loader != NULL);
    CHECK_EQ_U64(batch.tensor_count, tensors);
    CHECK(batch.x.dtype == one->desc.encoding.dtype && batch.x.ndim == 3);
    CHECK_EQ_I64(batch.x.shape[0], 3);
    CHECK_EQ_I64(batch.x.shape[1], is_ncl ? channels : 4);
    CHECK_EQ_I64(batch.x.shape[2], is_ncl ? 4 : channels);
    REQUIRE(CHECK_EQ_U64(batch.x.bytes, x_bytes));
    CHECK_MEM(batch.x.data, x, x_bytes);
    CHECK(biost_batch_tensor(&batch, BIOST_ROLE_QUALITY) == NULL);
    CHECK((biost_batch_tensor(&batch, BIOST_ROLE_MASK) != NULL) == (one->desc.mask && !one->desc.mask_in_x));
    biost_loader_close(loader);
}

/* Q of '!' 0, '5' 20, 'I' 40, '~' 93; channels A C G T, with u8 one for lower case, then quality, then mask. */
TEST(encode, qualities_and_mask_in_x_by_hand) {
    static const uint8_t u8[3][4][7] = {
        {{7, 7, 7, 7, 7, 0, 0}, {1, 0, 0, 0, 0, 0, 1}, {0, 1, 0, 0, 1, 20, 1}, {0, 0, 0, 0, 0, 40, 1}},
        {{7, 7, 7, 7, 7, 0, 0}, {7, 7, 7, 7, 7, 0, 0}, {7, 7, 7, 7, 7, 0, 0}, {0, 0, 1, 0, 0, 93, 1}},
        {{7, 7, 7, 7, 7, 0, 0}, {7, 7, 7, 7, 7, 0, 0}, {7, 7, 7, 7, 7, 0, 0}, {7, 7, 7, 7, 7, 0, 0}}};
    static const float planes[3][5][4] = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0}, {0}, {0, 20, 40, 0}},
                                          {{0}, {0}, {1, 0, 0, 0}, {0}, {93, 0, 0, 0}},
                                          {{0}, {0}, {0}, {0}, {0}}};
    /* turned: NgT with Q 40 20 0, 0.0001 0.01 1; and C */
    static const uint16_t f16[3][4][5] = {{{0, 0, 0, 0, 0x068E},
                                           {0, 0, 0x3C00, 0, 0x211F},
                                           {0, 0, 0, 0x3C00, 0x3C00},
                                           {0xBC00, 0xBC00, 0xBC00, 0xBC00, 0}},
                                          {{0, 0x3C00, 0, 0, 0},
                                           {0xBC00, 0xBC00, 0xBC00, 0xBC00, 0},
                                           {0xBC00, 0xBC00, 0xBC00, 0xBC00, 0},
                                           {0xBC00, 0xBC00, 0xBC00, 0xBC00, 0}},
                                          {{0xBC00, 0xBC00, 0xBC00, 0xBC00, 0},
                                           {0xBC00, 0xBC00, 0xBC00, 0xBC00, 0},
                                           {0xBC00, 0xBC00, 0xBC00, 0xBC00, 0},
                                           {0xBC00, 0xBC00, 0xBC00, 0xBC00, 0}}};
    /* F32 0x3C23D70A, 0x38D1B717 and 0x3009C3EB, the lower halves rounded away */
    static const uint16_t bf16[3][3][4] = {
        {{0x3F80, 0, 0, 0}, {0x3F80, 0x3C24, 0x38D2, 0}, {0x3F80, 0x3F80, 0x3F80, 0}},
        {{0, 0, 0, 0}, {0x300A, 0, 0, 0}, {0x3F80, 0, 0, 0}},
        {{0}, {0}, {0}}};
    one_text one;
    biost_encoding *encoding = &one.desc.encoding;
    one_text_make(&one, "@a\nAcN\n+\n!5I\n@b\nG\n+\n~\n");
    one.desc.batch_rows = 3;
    one.desc.row_bases = 4;
    one.desc.quality.kind = BIOST_QUALITY_PHRED;
    one.desc.quality.in_x = 1;
    one.desc.mask = 1;
    one.desc.mask_in_x = 1;
    encoding->lower_case = BIOST_LOWER_CASE_CHANNEL;
    encoding->pad_value = 7;
    encoding->pad_side = BIOST_PAD_LEFT;
    in_x(&one, u8, sizeof u8, 7, 1);
    memset(encoding, 0, sizeof *encoding);
    encoding->dtype = BIOST_DTYPE_F32;
    encoding->layout = BIOST_LAYOUT_NCL;
    one.desc.mask_in_x = 0;
    in_x(&one, planes, sizeof planes, 5, 2);
    one.desc.mask = 0;
    one.desc.quality.kind = BIOST_QUALITY_ERROR;
    one.desc.quality.dtype = BIOST_DTYPE_F16; /* that of x may be named */
    one.desc.augment.reverse_complement = 1;
    encoding->dtype = BIOST_DTYPE_F16;
    encoding->layout = BIOST_LAYOUT_NLC;
    encoding->pad_value = -1;
    in_x(&one, f16, sizeof f16, 5, 1);
    memset(encoding, 0, sizeof *encoding);
    one.desc.augment.reverse_complement = 0;
    one.desc.quality.dtype = BIOST_DTYPE_U8;
    one.desc.mask = 1;
    one.desc.mask_in_x = 1;
    one.desc.mask_dtype = BIOST_DTYPE_BF16;
    encoding->dtype = BIOST_DTYPE_BF16;
    encoding->layout = BIOST_LAYOUT_NCL;
    encoding->channels = "A";
    in_x(&one, bf16, sizeof bf16, 3, 1);
    bytes_free(&one.text);
}

/* FASTA has no qualities, but a mask, in x too. */
TEST(encode, mask_of_fasta_in_x) {
    static const uint8_t x[3][4][2] = {
        {{1, 1}, {0, 1}, {0, 0}, {0, 0}}, {{0, 1}, {1, 1}, {1, 1}, {1, 1}}, {{0, 0}, {0, 0}, {0, 0}, {0, 0}}};
    one_text one;
    one_text_make(&one, ">a\nAC\n>b\nTAAA\n");
    one.desc.batch_rows = 3;
    one.desc.row_bases = 4;
    one.desc.encoding.channels = "A";
    one.desc.mask = 1;
    one.desc.mask_in_x = 1;
    in_x(&one, x, sizeof x, 2, 1);
    bytes_free(&one.text);
}

/* A row of N is neither padding nor of no length, whatever the channels hold. */
TEST(encode, n_is_not_padding) {
    one_text one;
    biost_batch batch;
    biost_loader *loader;
    one_text_make(&one, ">a\nNNN\n>b\nACN\n");
    one.desc.row_bases = 4;
    one.desc.batch_rows = 2;
    one.desc.mask = 1;
    loader = first_batch(&one.desc, &batch);
    REQUIRE(loader != NULL);
    CHECK_EQ_I64(batch.lengths[0], 3);
    CHECK_EQ_I64(batch.lengths[1], 3);
    CHECK_MEM(batch.tensors[1].data, "\1\1\1\0\1\1\1\0", 8);
    biost_loader_close(loader);
    bytes_free(&one.text);
}

/* ---- labels ---- */

static int label_base_count(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    int64_t numbers[2];
    (void)user_data;
    numbers[0] = (int64_t)record->seq_bases;
    numbers[1] = id;
    memcpy(out_label, numbers, sizeof numbers);
    return record->seq_bases != 2;
}

TEST(encode, labels_by_hand) {
    one_text one;
    biost_batch batch;
    biost_loader *loader;
    biost_progress progress;
    const int64_t *label;
    uint32_t i;
    one_text_make(&one, ">a\nACGTA\n>b\nAC\n>c\nACG\n");
    one.desc.row_bases = 3;
    one.desc.batch_rows = 4;
    one.desc.long_records = BIOST_LONG_SPLIT;
    one.desc.labels.make = label_base_count;
    one.desc.labels.dtype = BIOST_DTYPE_I64;
    one.desc.labels.width = 2;
    loader = first_batch(&one.desc, &batch);
    REQUIRE(loader != NULL);
    REQUIRE(CHECK_EQ_U64(batch.tensor_count, 2));
    CHECK(batch.tensors[1].role == BIOST_ROLE_LABEL && batch.tensors[1].dtype == BIOST_DTYPE_I64);
    CHECK(strcmp(batch.tensors[1].layout, "NC") == 0);
    CHECK_EQ_U64(batch.valid_rows, 3);
    label = (const int64_t *)batch.tensors[1].data;
    for (i = 0; i < 4; ++i) { /* both pieces of a, then c, then padding; b was dropped */
        CHECK_EQ_I64(label[2 * i], i < 2 ? 5 : i == 2 ? 3 : 0);
        CHECK_EQ_I64(label[2 * i + 1], i == 2 ? 2 : 0);
    }
    biost_loader_release(loader, &batch);
    CHECK(biost_loader_next(loader, &batch) == BIOST_END);
    biost_loader_progress(loader, &progress);
    CHECK_EQ_U64(progress.dropped[BIOST_DROP_LABEL], 1);
    CHECK_EQ_U64(progress.filtered_count, 1);
    biost_loader_close(loader);
    bytes_free(&one.text);
}

/* ---- digest ---- */

static int label_first_of_title(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)id;
    (void)user_data;
    *(uint8_t *)out_label = record->title_bytes > 0 ? (uint8_t)record->title[0] : 0;
    return 1;
}

/* One other base, quality, length or title: the digest differs where a tensor shows it, and only there. */
TEST(digest, each_tensor_is_in_it) {
    static const char *const changes[][2] = {{"CGTA", "CGCA"}, {"FGHI", "FGHJ"}, {"@b", "@c"}};
    static const int32_t *same_tokens;
    static int32_t tokens[256];
    uint32_t tensor, change;
    same_tokens = tokens;                    /* all bases are the same token */
    for (tensor = 0; tensor < 4; ++tensor) { /* none but x, quality, label, all bases alike */
        for (change = 0; change < 3; ++change) {
            static const char plain[] = "@a\nACGT\n+\nIIII\n@b\nCGTA\n+\nFGHI\n";
            uint64_t digests[2];
            uint32_t i;
            for (i = 0; i < 2; ++i) {
                one_text one;
                char *place;
                one_text_make(&one, plain);
                bytes_byte(&one.text, 0);
                --one.text.count;
                place = strstr((char *)one.text.data, changes[change][0]);
                REQUIRE(place != NULL);
                memcpy(place, changes[change][i], strlen(changes[change][i]));
                oracle_inputs(&one.desc, &one.memory, &one.text, 1);
                one.desc.batch_rows = 2;
                if (tensor == 1) {
                    one.desc.quality.kind = BIOST_QUALITY_PHRED;
                }
                if (tensor == 2) {
                    one.desc.labels.make = label_first_of_title;
                }
                if (tensor == 3) {
                    one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
                    one.desc.encoding.tokens = same_tokens;
                }
                digests[i] = digest_epoch(&one.desc, 0);
                bytes_free(&one.text);
            }
            test_note("tensor %u, change %u", (unsigned)tensor, (unsigned)change);
            CHECK_EQ_U64(digests[0] != digests[1], (change == 0 && tensor != 3) ||
                                                       (change == 1 && tensor == 1) ||
                                                       (change == 2 && tensor == 2));
        }
    }
}

/* Another tensor, another side of padding and other elements are other digests. */
TEST(digest, mask_side_and_dtype_are_in_it) {
    one_text one;
    uint64_t seen[12];
    uint32_t i, k;
    one_text_make(&one, "@a\nACG\n+\nIII\n");
    one.desc.row_bases = 5;
    one.desc.batch_rows = 1;
    for (i = 0; i < 12; ++i) {
        one.desc.mask = i / 4 > 0;
        one.desc.mask_dtype = i / 4 == 2 ? BIOST_DTYPE_F32 : BIOST_DTYPE_U8;
        one.desc.encoding.pad_side = i / 2 % 2 == 1 ? BIOST_PAD_LEFT : BIOST_PAD_RIGHT;
        one.desc.encoding.dtype = i % 2 == 1 ? BIOST_DTYPE_BF16 : BIOST_DTYPE_F16;
        seen[i] = digest_epoch(&one.desc, 0);
        for (k = 0; k < i; ++k) {
            CHECK(seen[k] != seen[i]);
        }
    }
    bytes_free(&one.text);
}
