/*
 * test_cuda_expand.c - tables of codes, and the C twin of the kernels of biostream_cuda.h, bit by bit
 * against biost_encode_row and biost_encode_quality; and what the PTX text says of itself. No GPU.
 *
 * rooms: cuda_table cuda_expand cuda_kernels
 * needs: loader library dlopen
 */
#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "../biostream.h"
#include "../biostream_cuda.h"
#include "test.h"
#include "ptx.h"
#include <sys/mman.h>
#include <unistd.h>

#define NO_TOKENS {0, 0, "", 0, 0, 0}, 0, 0, 0, 0 /* encoding.kmers, begin and end */

/* ---- encodings ---- */

typedef struct kind {
    const char *name;
    biost_encoding encoding;
} kind;

#define HOT(dtype, layout, channels, ambiguous, lower, pad, side)                                         \
    {                                                                                                     \
        BIOST_ENCODE_ONEHOT, BIOST_DTYPE_##dtype, BIOST_LAYOUT_##layout, channels,                        \
            BIOST_AMBIGUOUS_##ambiguous, BIOST_LOWER_CASE_##lower, NULL, pad, BIOST_PAD_##side, NO_TOKENS \
    }
#define TOKENS(dtype, table, pad, side)                                                         \
    {                                                                                           \
        BIOST_ENCODE_TOKENS, BIOST_DTYPE_##dtype, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO, \
            BIOST_LOWER_CASE_FOLD, table, pad, BIOST_PAD_##side, NO_TOKENS                      \
    }
#define PROTEIN "ACDEFGHIKLMNPQRSTVWY"
#define LETTERS "ZYXWVUTSRQPONMLKJIHGFEDCBA"

static int32_t few_tokens[256], all_tokens[256]; /* filled by fill_tokens */

static const kind kinds[] = {
    {"u8", HOT(U8, NLC, NULL, ZERO, FOLD, 0, RIGHT)},
    {"u8 left", HOT(U8, NLC, "CATG", ZERO, FOLD, 255, LEFT)},
    {"u8 NCL", HOT(U8, NCL, NULL, ZERO, FOLD, 3, LEFT)},
    {"f16", HOT(F16, NLC, NULL, ZERO, FOLD, 0, RIGHT)},
    {"f16 NCL", HOT(F16, NCL, "CATG", IUPAC, FOLD, 2048, RIGHT)},
    {"bf16 N", HOT(BF16, NLC, "TGCA", N, N, -256, LEFT)},
    {"bf16 NCL", HOT(BF16, NCL, NULL, HELIXER, FOLD, 0, LEFT)},
    {"f32", HOT(F32, NLC, NULL, ZERO, FOLD, 0, RIGHT)},
    {"f32 left IUPAC", HOT(F32, NLC, "CATG", IUPAC, N, 7, LEFT)},
    {"f32 NCL", HOT(F32, NCL, NULL, N, FOLD, -1, RIGHT)},
    {"f32 NCL left lower channel", HOT(F32, NCL, "ACGU", HELIXER, CHANNEL, 0, LEFT)},
    {"u8 ACGTN", HOT(U8, NLC, "ACGTN", ZERO, FOLD, 1, LEFT)},
    {"f16 ACGTN NCL", HOT(F16, NCL, "ACGTN", ZERO, FOLD, 0, RIGHT)},
    {"f32 ACGTN", HOT(F32, NLC, "ACGTN", ZERO, N, -1, RIGHT)},
    {"u8 lower channel", HOT(U8, NLC, NULL, ZERO, CHANNEL, 0, RIGHT)},
    {"bf16 lower channel IUPAC", HOT(BF16, NLC, NULL, IUPAC, CHANNEL, 3, LEFT)},
    {"u8 T and U", HOT(U8, NLC, "TUAC", ZERO, FOLD, 0, RIGHT)},
    {"u8 20 letters", HOT(U8, NLC, PROTEIN, ZERO, FOLD, 0, LEFT)},
    {"f16 20 letters NCL", HOT(F16, NCL, PROTEIN, ZERO, CHANNEL, -1, RIGHT)},
    {"f32 20 letters", HOT(F32, NLC, PROTEIN, ZERO, FOLD, 0, RIGHT)},
    {"u8 27 channels", HOT(U8, NCL, LETTERS, ZERO, CHANNEL, 0, RIGHT)},
    {"f32 27 channels", HOT(F32, NLC, LETTERS, ZERO, CHANNEL, 5, LEFT)},
    {"u8 NCL one channel", HOT(U8, NCL, "N", ZERO, FOLD, 3, LEFT)},
    {"bf16 one channel", HOT(BF16, NLC, "G", ZERO, FOLD, 0, RIGHT)},
    {"u8 two channels", HOT(U8, NLC, "TA", ZERO, FOLD, 0, RIGHT)},
    {"f32 two channels", HOT(F32, NLC, "TU", ZERO, FOLD, 0, LEFT)},
    {"f32 three channels", HOT(F32, NLC, "GCU", ZERO, FOLD, 0, LEFT)},
    {"f16 eight channels", HOT(F16, NLC, "ACGTRYKM", ZERO, FOLD, 1, LEFT)},
    {"u8 sixteen channels", HOT(U8, NLC, "ABCDEFGHIJKLMNOP", ZERO, FOLD, 0, RIGHT)},
    {"tokens u8", TOKENS(U8, NULL, 0, RIGHT)},
    {"tokens u8 left", TOKENS(U8, NULL, 255, LEFT)},
    {"tokens i32", TOKENS(I32, NULL, -100, RIGHT)},
    {"tokens i32 by table", TOKENS(I32, few_tokens, INT32_MIN, LEFT)},
    {"tokens i64 by table", TOKENS(I64, few_tokens, -1, RIGHT)},
    {"tokens i64 all bytes", TOKENS(I64, all_tokens, -3, LEFT)},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], CANARY = 32, CANARY_BYTE = 0xC5 };

/* Tokens that are negative and take all of 32 bits: few of them, and one for each byte but the last two,
 * so that with padding's -3 there are 256 different things. */
static void fill_tokens(void) {
    static const int32_t values[5] = {INT32_MIN, -1, 0, 12345678, INT32_MAX};
    for (int i = 0; i < 256; i++) {
        few_tokens[i] = values[i % 5];
        all_tokens[i] = i < 255 ? (i - 128) * 16777213 : 254 - 128;
    }
    all_tokens[255] = all_tokens[254];
}

static uint32_t dtype_bytes(biost_dtype dtype) {
    return dtype == BIOST_DTYPE_U8                                ? 1
           : dtype == BIOST_DTYPE_F32 || dtype == BIOST_DTYPE_I32 ? 4
           : dtype == BIOST_DTYPE_I64                             ? 8
                                                                  : 2;
}

/* ---- one case ---- */

typedef struct shape {
    uint32_t rows, columns;
    int with_lengths, with_complement;
} shape;

/* A case: what goes in, and what must come out. */
typedef struct expansion_case {
    biost_cuda_expansion expansion;
    uint8_t *codes, *table, *complement, *out, *expected; /* out with a canary on both sides */
    int32_t *lengths;
    size_t out_bytes;
} expansion_case;

static uint32_t kernels_seen[BSI_CUDA_EXPAND_KERNELS]; /* cases that each kernel has done */

static void free_case(expansion_case *c) {
    free(c->codes);
    free(c->table);
    free(c->complement);
    free(c->out);
    free(c->expected);
    free(c->lengths);
}

/* Bases of both cases, ambiguous ones, and any byte at all. */
static char random_base(uint64_t *random) {
    static const char common[] = "ACGTACGTACGTacgtNnUuRYKMSWBDHVryX-*E";
    uint64_t word = test_random(random);
    return (word & 15) == 0 ? (char)(uint8_t)(word >> 8) : common[(word >> 8) % (sizeof common - 1)];
}

static void begin_case(expansion_case *c, const biost_cuda_table *table, shape s) {
    uint32_t base_bytes = table->channels * table->element_bytes;
    size_t bases = (size_t)s.rows * s.columns;
    memset(c, 0, sizeof *c);
    c->out_bytes = bases * base_bytes;
    c->codes = test_copy(NULL, bases);
    c->table = test_copy(table->elements, (size_t)table->code_count * base_bytes);
    c->complement = test_copy(table->complement, table->code_count);
    c->lengths = (int32_t *)test_copy(NULL, s.rows * sizeof(int32_t));
    c->expected = test_copy(NULL, c->out_bytes);
    c->out = test_copy(NULL, c->out_bytes + 2 * CANARY);
    c->expansion.codes = c->codes;
    c->expansion.table = c->table;
    c->expansion.out = c->out + CANARY;
    c->expansion.lengths = s.with_lengths ? c->lengths : NULL;
    c->expansion.complement = s.with_complement ? c->complement : NULL;
    c->expansion.rows = s.rows;
    c->expansion.columns = s.columns;
    c->expansion.channels = table->channels;
    c->expansion.element_bytes = table->element_bytes;
}

/* Rows of random bases; their codes; and what the encoder makes of them. */
static void make_case(expansion_case *c, const biost_encoder *encoder, const biost_encoding *encoding,
                      const biost_cuda_table *table, shape s, uint64_t *random) {
    char *seq = (char *)test_copy(NULL, s.columns);
    begin_case(c, table, s);
    c->expansion.is_ncl = encoding->layout == BIOST_LAYOUT_NCL;
    c->expansion.pad_left = s.with_lengths && encoding->pad_side == BIOST_PAD_LEFT;
    c->expansion.pad_code = table->pad_code;
    for (uint32_t row = 0; row < s.rows; row++) {
        uint32_t bases = row == 0 ? s.columns : (uint32_t)(test_random(random) % (s.columns + 1));
        uint32_t first = encoding->pad_side == BIOST_PAD_LEFT ? s.columns - bases : 0;
        uint8_t *codes = c->codes + (size_t)row * s.columns;
        c->lengths[row] = (int32_t)bases;
        for (uint32_t i = 0; i < s.columns; i++) { /* with lengths anything may stand in the padding */
            codes[i] = (uint8_t)(s.with_lengths ? test_random(random) : table->pad_code);
        }
        for (uint32_t i = 0; i < bases; i++) {
            seq[i] = random_base(random);
            codes[first + i] = table->code[(uint8_t)seq[i]];
        }
        if (s.with_complement) {
            biost_reverse_complement(seq, NULL, bases);
        }
        biost_encode_row(encoder, seq, bases, c->expected + row * biost_encoder_row_bytes(encoder, s.columns),
                         s.columns);
    }
    free(seq);
}

static void clear_out(expansion_case *c) {
    memset(c->out, CANARY_BYTE, c->out_bytes + 2 * CANARY);
}

static void check_out(const expansion_case *c) {
    uint8_t canary[CANARY];
    memset(canary, CANARY_BYTE, sizeof canary);
    CHECK_MEM(c->out + CANARY, c->expected, c->out_bytes);
    CHECK_MEM(c->out, canary, CANARY);
    CHECK_MEM(c->out + CANARY + c->out_bytes, canary, CANARY);
}

static void run_thread(uint32_t kernel, const bsi_cuda_expand_job *job, uint64_t i) {
    switch (kernel) {
    case BSI_CUDA_EXPAND_WHOLE: bsi_cuda_expand_whole(job, i); break;
    case BSI_CUDA_EXPAND_PADDED: bsi_cuda_expand_padded(job, i); break;
    case BSI_CUDA_EXPAND_PLANES: bsi_cuda_expand_planes(job, i); break;
    case BSI_CUDA_EXPAND_SIDES: bsi_cuda_expand_sides(job, i); break;
    default: bsi_cuda_expand_any(job, i); break;
    }
}

/* The twin; its threads backwards; and the kernel that can do everything, whichever is the right one. */
static void check_case(expansion_case *c) {
    bsi_cuda_expand_job job;
    uint32_t kernel;
    CHECK_STR(bsi_cuda_expand_check(&c->expansion), NULL);
    clear_out(c);
    bsi_cuda_expand_host(&c->expansion);
    check_out(c);
    kernel = bsi_cuda_expand_plan(&c->expansion, &job);
    if (!CHECK(kernel < BSI_CUDA_EXPAND_KERNELS)) {
        return;
    }
    kernels_seen[kernel] += job.threads > 0;
    clear_out(c);
    for (uint64_t i = job.threads; i-- > 0;) {
        run_thread(kernel, &job, i);
    }
    check_out(c);
    bsi_cuda_expand_prepare(&c->expansion, BSI_CUDA_EXPAND_ANY, &job);
    clear_out(c);
    for (uint64_t i = 0; i < job.threads; i++) {
        bsi_cuda_expand_any(&job, i);
    }
    check_out(c);
}

/* Which kernel must do an expansion: the rules of room >>expand, in other words. */
static uint32_t kernel_by_hand(const biost_cuda_expansion *e) {
    uint32_t base_bytes = e->channels * e->element_bytes;
    int is_power = base_bytes == 1 || base_bytes == 2 || base_bytes == 4 || base_bytes == 8 ||
                   base_bytes == 16;
    if (e->is_ncl && e->channels > 1) {
        int is_long = e->columns >= 16 / e->element_bytes && e->element_bytes < 8;
        return is_long && e->lengths == NULL ? BSI_CUDA_EXPAND_PLANES : BSI_CUDA_EXPAND_ANY;
    }
    if (is_power && e->lengths == NULL) {
        return BSI_CUDA_EXPAND_WHOLE;
    }
    if (is_power && e->complement == NULL && base_bytes > 2 && e->columns > 3) {
        return BSI_CUDA_EXPAND_PADDED;
    }
    return e->lengths == NULL && e->element_bytes < 8 ? BSI_CUDA_EXPAND_SIDES : BSI_CUDA_EXPAND_ANY;
}

static void check_shape(const kind *k, const biost_encoder *encoder, const biost_cuda_table *table, shape s,
                        uint64_t *random) {
    bsi_cuda_expand_job job;
    expansion_case c;
    test_note("%s, %u x %u, lengths %d, complement %d", k->name, (unsigned)s.rows, (unsigned)s.columns,
              s.with_lengths, s.with_complement);
    make_case(&c, encoder, &k->encoding, table, s, random);
    CHECK_EQ_U64(bsi_cuda_expand_plan(&c.expansion, &job), kernel_by_hand(&c.expansion));
    check_case(&c);
    free_case(&c);
}

static void check_kind(const kind *k, uint64_t *random) {
    biost_encoder encoder;
    biost_cuda_table *table = (biost_cuda_table *)test_copy(NULL, sizeof *table);
    biost_error error;
    static const uint32_t more_columns[] = {95, 96, 127, 128, 150, 255, 256, 257, 1001};
    CHECK_EQ_I64(biost_encoder_init(&k->encoding, biost_cpu(), &encoder, &error), BIOST_OK);
    if (CHECK_EQ_I64(bsi_cuda_table_make(&k->encoding, table, &error), BIOST_OK)) {
        for (uint32_t i = 0; i < 70 + sizeof more_columns / sizeof more_columns[0]; i++) {
            for (int mode = 0; mode < 3; mode++) {
                shape s = {1 + i % 5, i < 70 ? i + 1 : more_columns[i - 70], mode > 0, mode > 1};
                check_shape(k, &encoder, table, s, random);
            }
        }
    }
    free(table);
}

/* ---- the twin against the encoders ---- */

TEST(cuda_expand, rows_are_what_the_encoder_makes) {
    uint64_t random = test_seed();
    fill_tokens();
    memset(kernels_seen, 0, sizeof kernels_seen);
    for (int i = 0; i < KINDS; i++) {
        check_kind(&kinds[i], &random);
    }
    for (uint32_t kernel = 0; kernel < BSI_CUDA_EXPAND_KERNELS; kernel++) {
        test_note("kernel %s", bsi_cuda_kernels_names[kernel]);
        CHECK(kernels_seen[kernel] > 100);
    }
}

/* Nothing to do: no row, or no column; nothing is touched. */
TEST(cuda_expand, nothing) {
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t out[16] = {9, 9, 9, 9};
        bsi_cuda_expand_job job;
        biost_cuda_expansion e;
        memset(&e, 0, sizeof e);
        e.channels = i & 1 ? 5 : 4;
        e.element_bytes = 4;
        e.is_ncl = i & 1;
        e.rows = i & 2 ? 3 : 0;
        e.columns = i & 2 ? 0 : 32;
        e.out = out;
        CHECK_STR(bsi_cuda_expand_check(&e), NULL);
        bsi_cuda_expand_plan(&e, &job);
        CHECK_EQ_U64(job.threads, 0);
        bsi_cuda_expand_host(&e);
        CHECK_EQ_U64(out[0], 9);
        CHECK_EQ_U64(bsi_cuda_kernels_blocks(job.threads), 0);
    }
}

/*
 * By hand: code 0 is {1, 2, 3}, code 1 {4, 5, 6}, code 2 {7, 8, 9}; a row of codes 1 0.
 *   NLC: 4 5 6, 1 2 3.   NCL: 4 1, 5 2, 6 3.
 * With 3 columns, padding left, length 2, codes x 1 0, complement 0 <-> 1 and pad code 2: the row is
 * padding, then the complement of 0, then that of 1: codes 2 1 0.
 */
TEST(cuda_expand, by_hand) {
    static const uint8_t nlc[6] = {4, 5, 6, 1, 2, 3}, ncl[6] = {4, 1, 5, 2, 6, 3};
    static const uint8_t turned[9] = {7, 8, 9, 4, 5, 6, 1, 2, 3};
    uint8_t elements[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, codes[2] = {1, 0}, padded[3] = {77, 1, 0};
    uint8_t complement[3] = {1, 0, 2}, *storage = test_copy(NULL, 64), *out = storage;
    int32_t length = 2;
    biost_cuda_expansion e;
    memset(&e, 0, sizeof e);
    memcpy(storage + 32, elements, 9);
    memcpy(storage + 48, codes, 2);
    memcpy(storage + 52, padded, 3);
    e.codes = storage + 48;
    e.table = storage + 32;
    e.out = out;
    e.rows = 1;
    e.columns = 2;
    e.channels = 3;
    e.element_bytes = 1;
    bsi_cuda_expand_host(&e);
    CHECK_MEM(out, nlc, 6);
    e.is_ncl = 1;
    bsi_cuda_expand_host(&e);
    CHECK_MEM(out, ncl, 6);
    e.is_ncl = 0;
    e.codes = storage + 52;
    e.columns = 3;
    e.lengths = &length;
    e.complement = complement;
    e.pad_left = 1;
    e.pad_code = 2;
    CHECK_STR(bsi_cuda_expand_check(&e), NULL);
    bsi_cuda_expand_host(&e);
    CHECK_MEM(out, turned, 9);
    free(storage);
}

/*
 * By hand, from a sequence: ACGT one-hot f16 NLC (1.0 is 0x3C00), padding -1 (0xBC00), 3 columns of
 * "GA" turned round: its reverse complement is TC.
 */
TEST(cuda_expand, reverse_complement_by_hand) {
    static const uint16_t expected[12] = {0, 0, 0, 0x3C00, 0, 0x3C00, 0, 0, 0xBC00, 0xBC00, 0xBC00, 0xBC00};
    biost_encoding encoding;
    biost_cuda_table *table = (biost_cuda_table *)test_copy(NULL, sizeof *table);
    expansion_case c;
    shape s = {1, 3, 1, 1};
    memset(&encoding, 0, sizeof encoding);
    encoding.dtype = BIOST_DTYPE_F16;
    encoding.pad_value = -1;
    CHECK_EQ_I64(bsi_cuda_table_make(&encoding, table, NULL), BIOST_OK);
    begin_case(&c, table, s);
    c.codes[0] = table->code['G'];
    c.codes[1] = table->code['A'];
    c.codes[2] = 200; /* no code at all: padding is not looked at */
    c.lengths[0] = 2;
    c.expansion.pad_code = table->pad_code;
    memcpy(c.expected, expected, sizeof expected);
    CHECK_EQ_U64(c.out_bytes, sizeof expected);
    check_case(&c);
    free_case(&c);
    free(table);
}

/* Lengths below 0 count as 0, beyond the row as all of it; ASan sees that no code outside is read. */
TEST(cuda_expand, wrong_lengths) {
    static const int32_t wrong[4] = {-1, INT32_MIN, 8, INT32_MAX};
    for (int mode = 0; mode < 8; mode++) {
        biost_cuda_table *table = (biost_cuda_table *)test_copy(NULL, sizeof *table);
        biost_encoding encoding = kinds[0].encoding;
        expansion_case c;
        shape s = {4, 7, 1, mode & 1};
        encoding.pad_value = 6;
        CHECK_EQ_I64(bsi_cuda_table_make(&encoding, table, NULL), BIOST_OK);
        begin_case(&c, table, s);
        memcpy(c.lengths, wrong, sizeof wrong);
        memset(c.codes, table->code['A'], 28);
        c.expansion.pad_code = table->pad_code;
        c.expansion.pad_left = mode >> 1 & 1;
        c.expansion.is_ncl = mode >> 2 & 1;
        for (uint32_t i = 0; i < 7 * 4; i++) { /* of rows 2 and 3 A is T with complement: channel 3 */
            uint32_t channel = mode >> 2 & 1 ? i / 7 : i % 4;
            c.expected[i] = c.expected[28 + i] = 6;
            c.expected[56 + i] = c.expected[84 + i] = channel == (mode & 1 ? 3u : 0u);
        }
        test_note("mode %d", mode);
        check_case(&c);
        free_case(&c);
        free(table);
    }
}

/* ---- qualities ---- */

/* Of scores 0..93, padding and whatever stands there: the elements of biost_encode_quality. */
static void check_quality(biost_quality_kind quality, int side, int is_reversed, uint64_t *random) {
    uint32_t columns = 1 + (uint32_t)(test_random(random) % 200), rows = 3;
    float *elements = (float *)test_copy(NULL, 256 * sizeof(float));
    uint8_t *codes = test_copy(NULL, (size_t)rows * columns), same[256];
    uint8_t *out = test_copy(NULL, (size_t)rows * columns * 4),
            *expected = test_copy(out, (size_t)rows * columns * 4);
    char *qual = (char *)test_copy(NULL, columns);
    int32_t lengths[3];
    biost_cuda_expansion e;
    bsi_cuda_table_quality(quality, elements);
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t bases = (uint32_t)(test_random(random) % (columns + 1));
        uint32_t first = side == BIOST_PAD_LEFT ? columns - bases : 0;
        lengths[row] = (int32_t)bases;
        memset(codes + row * columns, 100, columns);
        for (uint32_t i = 0; i < bases; i++) {
            qual[i] = (char)(33 + test_random(random) % 94);
            codes[row * columns + first + (is_reversed ? bases - 1 - i : i)] = (uint8_t)(qual[i] - 33);
        }
        biost_encode_quality(quality, BIOST_DTYPE_F32, (biost_pad_side)side, qual, bases,
                             expected + (size_t)row * columns * 4, columns);
    }
    for (int i = 0; i < 256; i++) {
        same[i] = (uint8_t)i;
    }
    memset(&e, 0, sizeof e);
    e.codes = codes;
    e.table = elements;
    e.out = out;
    e.lengths = lengths;
    e.complement = is_reversed ? same : NULL;
    e.rows = rows;
    e.columns = columns;
    e.channels = 1;
    e.element_bytes = 4;
    e.pad_left = side == BIOST_PAD_LEFT;
    e.pad_code = 255;
    CHECK_STR(bsi_cuda_expand_check(&e), NULL);
    bsi_cuda_expand_host(&e);
    CHECK_MEM(out, expected, (size_t)rows * columns * 4);
    free(elements);
    free(codes);
    free(out);
    free(expected);
    free(qual);
}

TEST(cuda_expand, qualities) {
    uint64_t random = test_seed();
    for (int i = 0; i < 400; i++) {
        test_note("case %d", i);
        check_quality(i & 1 ? BIOST_QUALITY_PHRED : BIOST_QUALITY_ERROR, i >> 1 & 1, i >> 2 & 1, &random);
    }
}

TEST(cuda_table, quality_by_hand) {
    float elements[256];
    bsi_cuda_table_quality(BIOST_QUALITY_ERROR, elements);
    CHECK(elements[0] == 1.0f && elements[10] == 0.1f && elements[20] == 0.01f && elements[40] == 0.0001f);
    CHECK(elements[94] == 0.0f && elements[255] == 0.0f);
    bsi_cuda_table_quality(BIOST_QUALITY_PHRED, elements);
    CHECK(elements[0] == 0.0f && elements[40] == 40.0f && elements[93] == 93.0f);
    CHECK(elements[94] == 0.0f && elements[255] == 0.0f);
}

/* ---- tables ---- */

/* Every byte, and its complement by way of its code, is what the encoder makes of it. */
TEST(cuda_table, codes_stand_for_their_bytes) {
    fill_tokens();
    for (int k = 0; k < KINDS; k++) {
        biost_cuda_table *table = (biost_cuda_table *)test_copy(NULL, sizeof *table);
        const uint8_t *elements = (const uint8_t *)table->elements;
        uint8_t row[128], used[256] = {0};
        biost_encoder encoder;
        uint32_t base_bytes, count = 0;
        test_note("%s", kinds[k].name);
        CHECK_EQ_I64(biost_encoder_init(&kinds[k].encoding, 0, &encoder, NULL), BIOST_OK);
        REQUIRE(bsi_cuda_table_make(&kinds[k].encoding, table, NULL) == BIOST_OK);
        base_bytes = (uint32_t)biost_encoder_row_bytes(&encoder, 1);
        CHECK_EQ_U64(table->element_bytes, dtype_bytes(kinds[k].encoding.dtype));
        CHECK_EQ_U64(table->channels * table->element_bytes, base_bytes);
        CHECK(table->pad_code < table->code_count);
        for (int byte = 0; byte < 256; byte++) {
            char base = (char)(uint8_t)byte, back;
            uint32_t code = table->code[byte];
            CHECK(code < table->code_count);
            biost_encode_row(&encoder, &base, 1, row, 1);
            CHECK_MEM(elements + code * base_bytes, row, base_bytes);
            biost_reverse_complement(&base, NULL, 1);
            CHECK_EQ_U64(table->complement[code], table->code[(uint8_t)base]);
            biost_encode_row(&encoder, &base, 1, row, 1);
            CHECK_MEM(elements + table->complement[code] * base_bytes, row, base_bytes);
            back = base;
            biost_reverse_complement(&back, NULL, 1);
            CHECK_EQ_U64(table->complement[table->complement[code]], table->code[(uint8_t)back]);
            used[code] = 1;
        }
        biost_encode_row(&encoder, NULL, 0, row, 1);
        CHECK_MEM(elements + table->pad_code * base_bytes, row, base_bytes);
        used[table->pad_code] = 1;
        for (int code = 0; code < 256; code++) {
            count += used[code];
        }
        CHECK_EQ_U64(count, table->code_count);
        free(table);
    }
}

static uint32_t codes_of(biost_encoding encoding) {
    biost_cuda_table *table = (biost_cuda_table *)test_copy(NULL, sizeof *table);
    uint32_t count = bsi_cuda_table_make(&encoding, table, NULL) == BIOST_OK ? table->code_count : 0;
    free(table);
    return count;
}

/*
 * Counted by hand. ACGT: 4 and all else, which padding 0 is too; padding 7 is one more. CATG with a
 * channel for lower case: 4, 4, all else and small letters among it. ACGTN: 5, all else. ACGT with
 * fractions: 4, 11 codes of several bases (R Y S W K M B D H V N), all else. T and U named, with A and
 * C: A's other strand is T; C's is G, which is all zeros; so T U A C G and all else.
 */
TEST(cuda_table, counts_by_hand) {
    const biost_encoding acgt = HOT(U8, NLC, NULL, ZERO, FOLD, 0, RIGHT);
    const biost_encoding padded = HOT(U8, NCL, NULL, ZERO, FOLD, 7, LEFT);
    const biost_encoding lower = HOT(F32, NLC, "CATG", ZERO, CHANNEL, 0, RIGHT);
    const biost_encoding with_n = HOT(U8, NLC, "ACGTN", ZERO, FOLD, 0, RIGHT);
    const biost_encoding shared = HOT(F16, NLC, "ACGT", IUPAC, FOLD, 0, RIGHT);
    const biost_encoding both = HOT(U8, NLC, "TUAC", ZERO, FOLD, 0, RIGHT);
    CHECK_EQ_U64(codes_of(acgt), 5);
    CHECK_EQ_U64(codes_of(padded), 6);
    CHECK_EQ_U64(codes_of(lower), 10);
    CHECK_EQ_U64(codes_of(with_n), 6);
    CHECK_EQ_U64(codes_of(shared), 16);
    CHECK_EQ_U64(codes_of(both), 6);
}

/* A token of its own for each byte, and padding: 257, unless it is one of them. */
TEST(cuda_table, too_many_codes) {
    biost_cuda_table *table = (biost_cuda_table *)test_copy(NULL, sizeof *table);
    biost_encoding encoding = TOKENS(I32, all_tokens, -1, RIGHT);
    biost_error error;
    uint8_t *zero = (uint8_t *)calloc(1, sizeof *table);
    for (int i = 0; i < 256; i++) {
        all_tokens[i] = i;
    }
    CHECK_EQ_I64(bsi_cuda_table_make(&encoding, table, &error), BIOST_ERR_ARG);
    CHECK_EQ_I64(error.code, BIOST_ERR_ARG);
    CHECK_EQ_I64(error.fault, BIOST_FAULT_ARGUMENT);
    CHECK(strstr(error.text, "256 codes") != NULL);
    CHECK_MEM(table, zero, sizeof *table);
    encoding.pad_value = 78;
    CHECK_EQ_I64(bsi_cuda_table_make(&encoding, table, &error), BIOST_OK);
    CHECK_EQ_I64(error.code, BIOST_OK);
    CHECK_EQ_U64(table->code_count, 256);
    CHECK_EQ_U64(table->pad_code, table->code[78]);
    free(table);
    free(zero);
}

TEST(cuda_table, encodings_refused) {
    biost_cuda_table *table = (biost_cuda_table *)test_copy(NULL, sizeof *table);
    biost_encoding encoding = HOT(I32, NLC, NULL, ZERO, FOLD, 0, RIGHT);
    biost_error error;
    CHECK_EQ_I64(bsi_cuda_table_make(&encoding, table, &error), BIOST_ERR_ARG);
    CHECK(strstr(error.text, "encoding.dtype") != NULL);
    CHECK_EQ_U64(table->code_count, 0);
    CHECK_EQ_I64(bsi_cuda_table_make(NULL, table, &error), BIOST_ERR_ARG);
    CHECK_EQ_I64(bsi_cuda_table_make(NULL, table, NULL), BIOST_ERR_ARG);
    free(table);
}

/* ---- arguments, plans ---- */

static const char *refused(biost_cuda_expansion e, const char *field) {
    const char *sentence = bsi_cuda_expand_check(&e);
    test_note("%s", field);
    return sentence != NULL && strstr(sentence, field) != NULL ? "named" : sentence;
}

#define REFUSED(field, value)                         \
    do {                                              \
        biost_cuda_expansion bad = e;                 \
        bad.field = value;                            \
        CHECK_STR(refused(bad, "." #field), "named"); \
    } while (0)

TEST(cuda_expand, arguments) {
    uint8_t *memory = test_copy(NULL, 64);
    biost_cuda_expansion e;
    memset(&e, 0, sizeof e);
    e.codes = memory;
    e.table = memory + 16;
    e.out = memory + 32;
    e.lengths = (const int32_t *)(const void *)(memory + 48);
    e.rows = 1u << 20;
    e.columns = 1u << 28;
    e.channels = 27;
    e.element_bytes = 8;
    e.pad_code = 255;
    CHECK_STR(bsi_cuda_expand_check(&e), NULL);
    REFUSED(codes, NULL);
    REFUSED(codes, memory + 2);
    REFUSED(table, NULL);
    REFUSED(table, memory + 8);
    REFUSED(out, NULL);
    REFUSED(out, memory + 40);
    REFUSED(lengths, (const int32_t *)((uintptr_t)memory + 50));
    REFUSED(rows, (1u << 20) + 1);
    REFUSED(columns, (1u << 28) + 1);
    REFUSED(channels, 0);
    REFUSED(channels, 28);
    REFUSED(element_bytes, 0);
    REFUSED(element_bytes, 3);
    REFUSED(element_bytes, 16);
    REFUSED(is_ncl, 2);
    REFUSED(pad_left, 2);
    REFUSED(pad_code, 256);
    e.lengths = NULL;
    CHECK_STR(bsi_cuda_expand_check(&e), NULL);
    REFUSED(complement, memory);
    REFUSED(pad_left, 1);
    e.pad_code = 256; /* without lengths there is none */
    CHECK_STR(bsi_cuda_expand_check(&e), NULL);
    free(memory);
}

typedef struct plan_row {
    uint32_t rows, columns, channels, element_bytes, is_ncl;
    uint32_t kernel;
    uint64_t threads;
} plan_row;

/* Threads by hand: bytes of out / 16, rounded up. */
TEST(cuda_expand, plans_by_hand) {
    static const plan_row rows[] = {
        {1, 1, 4, 4, 0, BSI_CUDA_EXPAND_WHOLE, 1},
        {3, 150, 4, 4, 0, BSI_CUDA_EXPAND_WHOLE, 450},
        {3, 150, 4, 2, 0, BSI_CUDA_EXPAND_WHOLE, 225},
        {3, 151, 4, 1, 0, BSI_CUDA_EXPAND_WHOLE, 114}, /* 453 / 4 */
        {3, 151, 1, 1, 1, BSI_CUDA_EXPAND_WHOLE, 29},  /* 453 / 16; NCL of 1 channel is NLC */
        {3, 151, 1, 8, 0, BSI_CUDA_EXPAND_WHOLE, 227}, /* 453 / 2 */
        {2, 7, 2, 8, 0, BSI_CUDA_EXPAND_WHOLE, 14},
        {2, 7, 4, 8, 0, BSI_CUDA_EXPAND_ANY, 28}, /* 32 bytes a base, of 8 each */
        {2, 7, 8, 4, 0, BSI_CUDA_EXPAND_SIDES, 28},
        {2, 16, 4, 1, 1, BSI_CUDA_EXPAND_PLANES, 8},
        {2, 15, 4, 1, 1, BSI_CUDA_EXPAND_ANY, 8}, /* two ends of planes among 16 bytes */
        {2, 8, 4, 2, 1, BSI_CUDA_EXPAND_PLANES, 8},
        {2, 7, 4, 2, 1, BSI_CUDA_EXPAND_ANY, 7},
        {2, 4, 5, 4, 1, BSI_CUDA_EXPAND_PLANES, 10},
        {2, 3, 5, 4, 1, BSI_CUDA_EXPAND_ANY, 8}, /* 120 / 16 */
        {2, 150, 4, 4, 1, BSI_CUDA_EXPAND_PLANES, 300},
        {2, 150, 4, 1, 1, BSI_CUDA_EXPAND_PLANES, 75},
        {2, 150, 4, 8, 1, BSI_CUDA_EXPAND_ANY, 600},
        {3, 7, 5, 1, 0, BSI_CUDA_EXPAND_SIDES, 7},              /* 105 / 16 */
        {3, 7, 5, 2, 0, BSI_CUDA_EXPAND_SIDES, 14},             /* 210 / 16 */
        {16, 1u << 28, 2, 1, 1, BSI_CUDA_EXPAND_ANY, 1u << 29}, /* 2^33 units are too many to be quick */
        {15, 1u << 27, 2, 1, 1, BSI_CUDA_EXPAND_PLANES, 15u << 24},
        {1u << 20, 1u << 28, 4, 4, 0, BSI_CUDA_EXPAND_WHOLE, UINT64_C(1) << 48},
        {1u << 20, 1u << 28, 27, 4, 1, BSI_CUDA_EXPAND_ANY, UINT64_C(27) << 46},
        {1u << 20, 1u << 28, 27, 8, 0, BSI_CUDA_EXPAND_ANY, UINT64_C(27) << 47},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bsi_cuda_expand_job job;
        biost_cuda_expansion e;
        memset(&e, 0, sizeof e);
        e.rows = rows[i].rows;
        e.columns = rows[i].columns;
        e.channels = rows[i].channels;
        e.element_bytes = rows[i].element_bytes;
        e.is_ncl = rows[i].is_ncl;
        test_note("plan %d", (int)i);
        CHECK_EQ_U64(bsi_cuda_expand_plan(&e, &job), rows[i].kernel);
        CHECK_EQ_U64(job.threads, rows[i].threads);
    }
    CHECK_EQ_U64(bsi_cuda_kernels_blocks(1), 1);
    CHECK_EQ_U64(bsi_cuda_kernels_blocks(256), 1);
    CHECK_EQ_U64(bsi_cuda_kernels_blocks(257), 2);
    CHECK_EQ_U64(bsi_cuda_kernels_blocks(256 * 16384), 16384);
    CHECK_EQ_U64(bsi_cuda_kernels_blocks(256 * 16384 + 1),
                 16384); /* from here on several a thread, up to 8 */
    CHECK_EQ_U64(bsi_cuda_kernels_blocks(UINT64_C(256) * 16384 * 8), 16384);
    CHECK_EQ_U64(bsi_cuda_kernels_blocks(UINT64_C(256) * 16384 * 8 + 1), 16385);
    CHECK_EQ_U64(bsi_cuda_kernels_blocks(UINT64_C(27) << 48), 0x7FFFFFFF); /* gridDim.x goes up to 2^31 - 1 */
}

/*
 * Beyond 2^32 bases: 17 rows of 2^28 columns, whose memory is only reserved; codes are 0 but for the last
 * two, and only the last thread runs.
 */
static void check_far(uint32_t channels, uint32_t is_ncl, int with_lengths) {
    const uint64_t bases = UINT64_C(17) << 28, out_bytes = bases * channels;
    uint8_t *codes = (uint8_t *)mmap(NULL, (size_t)bases, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint8_t *out = (uint8_t *)mmap(NULL, (size_t)out_bytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint8_t *table = test_copy(NULL, 3 * 3);
    int32_t lengths[17];
    bsi_cuda_expand_job job;
    uint32_t kernel;
    biost_cuda_expansion e;
    REQUIRE(codes != MAP_FAILED && out != MAP_FAILED);
    memset(&e, 0, sizeof e);
    for (uint32_t i = 0; i < 3 * channels; i++) { /* [code][channel]: 11 12 13, 21 22 23, 31 32 33 */
        table[i] = (uint8_t)(10 * (1 + i / channels) + 1 + i % channels);
    }
    for (int i = 0; i < 17; i++) {
        lengths[i] = 1 << 28;
    }
    codes[bases - 2] = 1;
    codes[bases - 1] = 2;
    e.codes = codes;
    e.table = table;
    e.out = out;
    e.lengths = with_lengths ? lengths : NULL;
    e.rows = 17;
    e.columns = 1u << 28;
    e.channels = channels;
    e.element_bytes = 1;
    e.is_ncl = is_ncl;
    CHECK_STR(bsi_cuda_expand_check(&e), NULL);
    kernel = bsi_cuda_expand_plan(&e, &job);
    CHECK_EQ_U64(kernel, channels == 1 && !with_lengths ? BSI_CUDA_EXPAND_WHOLE : BSI_CUDA_EXPAND_ANY);
    run_thread(kernel, &job, job.threads - 1);
    if (is_ncl) { /* the second plane's end */
        CHECK_EQ_U64(out[out_bytes - 3], 12);
        CHECK_EQ_U64(out[out_bytes - 2], 22);
        CHECK_EQ_U64(out[out_bytes - 1], 32);
    } else {
        CHECK_EQ_U64(out[out_bytes - channels - 1], channels == 1 ? 21 : 23);
        CHECK_EQ_U64(out[out_bytes - channels], 31);
        CHECK_EQ_U64(out[out_bytes - 1], 30 + channels);
    }
    free(table);
    munmap(codes, (size_t)bases);
    munmap(out, (size_t)out_bytes);
}

TEST(cuda_expand, beyond_32_bits) {
    void *probe = sizeof(size_t) < 8 ? MAP_FAILED
                                     : mmap(NULL, (size_t)(UINT64_C(1) << 35), PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (probe == MAP_FAILED) {
        TEST_SKIP("32 GiB of addresses");
    }
    munmap(probe, (size_t)(UINT64_C(1) << 35));
    for (int with_lengths = 0; with_lengths < 2; with_lengths++) {
        check_far(1, 0, with_lengths);
        check_far(2, 1, with_lengths);
        check_far(3, 0, with_lengths);
    }
}

/* ---- every shape, against the definition ---- */

/* Memory before and after which nothing can be touched. */
typedef struct fence {
    uint8_t *pages, *memory;
    size_t all, page;
} fence;

static void fence_open(fence *f, size_t most) {
    f->page = (size_t)sysconf(_SC_PAGESIZE);
    f->all = (most + f->page - 1) / f->page * f->page + 2 * f->page;
    f->pages = (uint8_t *)mmap(NULL, f->all, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(f->pages != MAP_FAILED);
    REQUIRE(mprotect(f->pages, f->page, PROT_NONE) == 0);
    REQUIRE(mprotect(f->pages + f->all - f->page, f->page, PROT_NONE) == 0);
}

/* So many bytes, aligned so, as near to the end as that goes; or at the beginning. */
static uint8_t *fence_place(const fence *f, size_t bytes, size_t align, int at_end) {
    size_t rounded = (bytes + align - 1) / align * align;
    return at_end ? f->pages + f->all - f->page - rounded : f->pages + f->page;
}

static void fence_close(fence *f) {
    munmap(f->pages, f->all);
}

enum { SHAPE_ROWS = 3, SHAPE_MOST = SHAPE_ROWS * 1000 * 27 * 8 };

/* What a shape is tried in: memory of its own for each array, tables and all. */
typedef struct bench_of_shapes {
    fence codes, lengths, out;
    uint8_t *expected;
    uint8_t table[256 * 27 * 8 + 16], complement[256];
    uint64_t random;
} bench_of_shapes;

static bench_of_shapes *shapes_open(void) {
    bench_of_shapes *b = (bench_of_shapes *)test_copy(NULL, sizeof *b);
    b->random = test_seed();
    fence_open(&b->codes, SHAPE_ROWS * 1000 + 4);
    fence_open(&b->lengths, SHAPE_ROWS * sizeof(int32_t));
    fence_open(&b->out, SHAPE_MOST + 16);
    b->expected = test_copy(NULL, SHAPE_MOST);
    for (size_t i = 0; i < sizeof b->table; i++) {
        b->table[i] = (uint8_t)test_random(&b->random);
    }
    for (size_t i = 0; i < sizeof b->complement; i++) {
        b->complement[i] = (uint8_t)test_random(&b->random);
    }
    return b;
}

static void shapes_close(bench_of_shapes *b) {
    fence_close(&b->codes);
    fence_close(&b->lengths);
    fence_close(&b->out);
    free(b->expected);
    free(b);
}

/* Mode 0: no lengths; 1: lengths; 2: with the other strand; 3 and 4: the same with padding on the left. */
static biost_cuda_expansion shape_of(bench_of_shapes *b, uint32_t columns, uint32_t channels,
                                     uint32_t element_bytes, uint32_t is_ncl, int mode) {
    int at_end = (test_random(&b->random) & 3) != 0;
    size_t bases = (size_t)SHAPE_ROWS * columns, bytes = bases * channels * element_bytes;
    uint8_t *codes = fence_place(&b->codes, bases, 4, at_end);
    int32_t *lengths = (int32_t *)(void *)fence_place(&b->lengths, SHAPE_ROWS * sizeof(int32_t), 4, 1);
    biost_cuda_expansion e;
    memset(&e, 0, sizeof e);
    for (size_t i = 0; i < bases; i++) {
        codes[i] = (uint8_t)test_random(&b->random);
    }
    for (int row = 0; row < SHAPE_ROWS; row++) {
        const int32_t some[8] = {
            -3, INT32_MIN, 0, 1, (int32_t)columns - 1, (int32_t)columns, (int32_t)columns + 3, INT32_MAX};
        uint64_t word = test_random(&b->random);
        lengths[row] = word & 1 ? some[word >> 8 & 7] : (int32_t)((word >> 8) % (columns + 1));
    }
    e.codes = codes;
    e.table = b->table + (16 - (uintptr_t)b->table % 16) % 16;
    e.out = fence_place(&b->out, bytes, 16, at_end);
    e.lengths = mode > 0 ? lengths : NULL;
    e.complement = mode > 0 && mode % 2 == 0 ? b->complement : NULL;
    e.rows = SHAPE_ROWS;
    e.columns = columns;
    e.channels = channels;
    e.element_bytes = element_bytes;
    e.is_ncl = is_ncl;
    e.pad_left = mode > 2;
    e.pad_code = mode > 0 ? (uint32_t)(test_random(&b->random) & 255) : 0;
    return e;
}

/* The code that a column shows, by what the header says of an expansion. */
static uint32_t code_by_definition(const biost_cuda_expansion *e, uint32_t row, uint32_t column) {
    const uint8_t *codes = e->codes + (size_t)row * e->columns;
    int64_t length = e->columns, first = 0;
    if (e->lengths != NULL) {
        length = e->lengths[row] < 0 ? 0 : e->lengths[row];
        length = length < (int64_t)e->columns ? length : (int64_t)e->columns;
        first = e->pad_left ? (int64_t)e->columns - length : 0;
    }
    if ((int64_t)column < first || (int64_t)column >= first + length) {
        return e->pad_code;
    }
    return e->complement == NULL ? codes[column]
                                 : e->complement[codes[first + length - 1 - ((int64_t)column - first)]];
}

static void expand_by_definition(const biost_cuda_expansion *e, uint8_t *out) {
    const uint8_t *table = (const uint8_t *)e->table;
    uint32_t unit = e->element_bytes;
    for (uint32_t row = 0; row < e->rows; row++) {
        for (uint32_t column = 0; column < e->columns; column++) {
            uint32_t code = code_by_definition(e, row, column);
            for (uint32_t channel = 0; channel < e->channels; channel++) {
                size_t within = e->is_ncl ? (size_t)channel * e->columns + column
                                          : (size_t)column * e->channels + channel;
                memcpy(out + ((size_t)row * e->columns * e->channels + within) * unit,
                       table + ((size_t)code * e->channels + channel) * unit, unit);
            }
        }
    }
}

/* The twin of its kernel, and of `any`; kernels_seen counts. */
static void check_shape_twin(bench_of_shapes *b, const biost_cuda_expansion *e) {
    size_t bytes = (size_t)e->rows * e->columns * e->channels * e->element_bytes;
    bsi_cuda_expand_job job;
    uint32_t kernel = bsi_cuda_expand_plan(e, &job);
    CHECK_STR(bsi_cuda_expand_check(e), NULL);
    CHECK_EQ_U64(kernel, kernel_by_hand(e));
    expand_by_definition(e, b->expected);
    memset(e->out, CANARY_BYTE, bytes);
    bsi_cuda_expand_host(e);
    CHECK_MEM((const uint8_t *)e->out, b->expected, bytes);
    bsi_cuda_expand_prepare(e, BSI_CUDA_EXPAND_ANY, &job);
    memset(e->out, CANARY_BYTE, bytes);
    for (uint64_t i = job.threads; i-- > 0;) {
        bsi_cuda_expand_any(&job, i);
    }
    CHECK_MEM((const uint8_t *)e->out, b->expected, bytes);
    kernels_seen[kernel]++;
}

static const uint32_t shape_columns[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,   10,  11,  12,  13,  14,  15, 16,
                                         17, 18, 19, 20, 21, 22, 23, 24, 25,  26,  27,  28,  29,  30,  31, 32,
                                         33, 34, 35, 36, 37, 38, 39, 40, 149, 150, 151, 152, 153, 1000};
enum { SHAPE_COLUMNS = sizeof shape_columns / sizeof shape_columns[0] };

/*
 * All columns by all channels, bytes and layouts: so ends of rows and planes come at every place of 16
 * bytes, and codes begin at every byte of a word. What a thread reads or writes outside is a fault.
 */
TEST(cuda_expand, every_shape) {
    bench_of_shapes *b = shapes_open();
    memset(kernels_seen, 0, sizeof kernels_seen);
    for (uint32_t n = 0; n < SHAPE_COLUMNS; n++) {
        uint32_t columns = shape_columns[n];
        for (uint32_t channels = 1; channels <= 27; channels += columns > 153 ? 4 : 1) {
            for (uint32_t i = 0; i < 4 * 2 * 5; i++) {
                biost_cuda_expansion e = shape_of(b, columns, channels, 1u << (i & 3), i >> 2 & 1,
                                                  (int)(i >> 3));
                test_note("%u columns, %u channels of %u bytes, NCL %u, mode %u", (unsigned)columns,
                          (unsigned)channels, 1u << (i & 3), (unsigned)(i >> 2 & 1), (unsigned)(i >> 3));
                check_shape_twin(b, &e);
            }
        }
    }
    for (uint32_t kernel = 0; kernel < BSI_CUDA_EXPAND_KERNELS; kernel++) {
        test_note("kernel %s", bsi_cuda_kernels_names[kernel]);
        CHECK(kernels_seen[kernel] > 500);
    }
    shapes_close(b);
}

/* Dividing by multiplying: numbers around multiples of the divisor, up to the last that fit 32 bits. */
TEST(cuda_expand, divisions) {
    uint64_t random = test_seed();
    for (uint32_t i = 0; i < 200000; i++) {
        uint64_t word = test_random(&random);
        uint32_t divisor = i < 5000 ? i + 2 : (uint32_t)(word >> (4 + i % 28)) | 2;
        uint32_t most = UINT32_MAX / divisor,
                 times = i & 1 ? most : (uint32_t)(test_random(&random) % most) + 1;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t n = times * divisor - 1 + k; /* may go round past the last number */
            CHECK_EQ_U64(bsi_cuda_expand_divide(n, bsi_cuda_expand_per(divisor)), n / divisor);
        }
    }
    CHECK_EQ_U64(bsi_cuda_expand_divide(UINT32_MAX, bsi_cuda_expand_per(2)), UINT32_MAX / 2);
    CHECK_EQ_U64(bsi_cuda_expand_divide(UINT32_MAX, bsi_cuda_expand_per(UINT32_MAX)), 1);
    CHECK_EQ_U64(bsi_cuda_expand_divide(UINT32_MAX - 1, bsi_cuda_expand_per(UINT32_MAX)), 0);
}

/* ---- PTX ---- */

/* How often a word stands in a text. */
static int count_of(const char *text, const char *word) {
    int count = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

TEST(cuda_kernels, ptx_has_the_kernels) {
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers"); /* which the PTX has, and so do all hosts of CUDA */
    }
    CHECK_EQ_I64(count_of(bsi_cuda_kernels_ptx, ".visible .entry "), BSI_CUDA_EXPAND_KERNELS);
    for (int i = 0; i < BSI_CUDA_EXPAND_KERNELS; i++) {
        char line[128];
        test_note("%s", bsi_cuda_kernels_names[i]);
        snprintf(line, sizeof line, ".visible .entry %s(\n", bsi_cuda_kernels_names[i]);
        CHECK_EQ_I64(count_of(bsi_cuda_kernels_ptx, line), 1);
        snprintf(line, sizeof line, "_param_0[%d]\n)\n", (int)sizeof(bsi_cuda_expand_job));
        CHECK_EQ_I64(count_of(bsi_cuda_kernels_ptx, line), BSI_CUDA_EXPAND_KERNELS);
        snprintf(line, sizeof line, "%s_param_1", bsi_cuda_kernels_names[i]);
        CHECK_EQ_I64(count_of(bsi_cuda_kernels_ptx, line), 0);
    }
    CHECK_EQ_I64(count_of(bsi_cuda_kernels_ptx, ".maxntid 256, 1, 1\n"), BSI_CUDA_EXPAND_KERNELS);
    CHECK_EQ_U64(BSI_CUDA_BLOCK_THREADS, 256);
}

static ptx_kernel *ptx_kernels[BSI_CUDA_EXPAND_KERNELS];

/* A case of its own for the PTX, by its kernel and by the one that can do everything; a grid of one or two
 * blocks, so that threads go on after it. */
static void check_ptx_case(const kind *k, const biost_encoder *encoder, const biost_cuda_table *table,
                           shape s, uint64_t *random) {
    bsi_cuda_expand_job job;
    expansion_case c;
    uint32_t kernel, blocks = 1 + (uint32_t)(test_random(random) & 1);
    test_note("%s, %u x %u, lengths %d, complement %d, blocks %u", k->name, (unsigned)s.rows,
              (unsigned)s.columns, s.with_lengths, s.with_complement, (unsigned)blocks);
    make_case(&c, encoder, &k->encoding, table, s, random);
    kernel = bsi_cuda_expand_plan(&c.expansion, &job);
    clear_out(&c);
    CHECK(ptx_run(ptx_kernels[kernel], &job, blocks, BSI_CUDA_BLOCK_THREADS));
    check_out(&c);
    bsi_cuda_expand_prepare(&c.expansion, BSI_CUDA_EXPAND_ANY, &job);
    clear_out(&c);
    CHECK(ptx_run(ptx_kernels[BSI_CUDA_EXPAND_ANY], &job, blocks, BSI_CUDA_BLOCK_THREADS));
    check_out(&c);
    kernels_seen[kernel]++;
    free_case(&c);
}

static int ptx_runs_here(void) {
    const uint16_t one = 1;
    return sizeof(void *) == 8 && *(const uint8_t *)&one == 1;
}

static void open_kernels(void) {
    char unknown[128];
    memset(kernels_seen, 0, sizeof kernels_seen);
    for (uint32_t i = 0; i < BSI_CUDA_EXPAND_KERNELS; i++) {
        ptx_kernels[i] = ptx_open(bsi_cuda_kernels_ptx, bsi_cuda_kernels_names[i], unknown);
        test_note("%s", unknown);
        REQUIRE(ptx_kernels[i] != NULL);
    }
}

/* The text that ships, run by ptx.h: the encoders' bytes, canaries, and for ASan no byte elsewhere. */
TEST(cuda_kernels, ptx_makes_what_the_encoder_makes) {
    static const uint32_t columns[] = {1, 2, 3, 5, 8, 15, 16, 17, 32, 150};
    uint64_t random = test_seed();
    if (!ptx_runs_here()) {
        TEST_SKIP("64-bit pointers, little-endian");
    }
    fill_tokens();
    open_kernels();
    for (int i = 0; i < KINDS; i++) {
        biost_cuda_table *table = (biost_cuda_table *)test_copy(NULL, sizeof *table);
        biost_encoder encoder;
        CHECK_EQ_I64(biost_encoder_init(&kinds[i].encoding, 0, &encoder, NULL), BIOST_OK);
        CHECK_EQ_I64(bsi_cuda_table_make(&kinds[i].encoding, table, NULL), BIOST_OK);
        for (uint32_t n = 0; n < 3 * sizeof columns / sizeof columns[0]; n++) {
            shape s = {1 + n % 4, columns[n / 3], n % 3 > 0, n % 3 > 1};
            check_ptx_case(&kinds[i], &encoder, table, s, &random);
        }
        free(table);
    }
    for (uint32_t i = 0; i < BSI_CUDA_EXPAND_KERNELS; i++) {
        test_note("kernel %s", bsi_cuda_kernels_names[i]);
        CHECK(kernels_seen[i] > 30);
        ptx_close(ptx_kernels[i]);
    }
}

/* A shape by the PTX, which may touch what an expansion names and not a byte more. */
static void check_shape_ptx(bench_of_shapes *b, const biost_cuda_expansion *e, uint32_t kernel) {
    size_t bases = (size_t)e->rows * e->columns, base_bytes = (size_t)e->channels * e->element_bytes;
    ptx_kernel *run = ptx_kernels[kernel];
    bsi_cuda_expand_job job;
    bsi_cuda_expand_prepare(e, kernel, &job);
    expand_by_definition(e, b->expected);
    memset(e->out, CANARY_BYTE, bases * base_bytes);
    run->range_count = 0;
    ptx_allow(run, e->codes, bases, 0);
    ptx_allow(run, e->table, 256 * base_bytes, 0);
    ptx_allow(run, e->out, bases * base_bytes, 1);
    ptx_allow(run, e->lengths, e->lengths != NULL ? e->rows * sizeof(int32_t) : 0, 0);
    ptx_allow(run, e->complement, e->complement != NULL ? 256 : 0, 0);
    CHECK(ptx_run(run, &job, 1, BSI_CUDA_BLOCK_THREADS));
    CHECK_MEM((const uint8_t *)e->out, b->expected, bases * base_bytes);
    kernels_seen[kernel]++;
}

/* Each column count, with channels, bytes, layout and mode by lot. */
TEST(cuda_kernels, ptx_makes_every_shape) {
    bench_of_shapes *b;
    if (!ptx_runs_here()) {
        TEST_SKIP("64-bit pointers, little-endian");
    }
    b = shapes_open();
    open_kernels();
    for (uint32_t n = 0; n < 60 * SHAPE_COLUMNS; n++) {
        static const uint32_t often[8] = {1, 2, 3, 4, 4, 5, 8, 27};
        uint64_t word = test_random(&b->random);
        uint32_t channels = word & 1 ? often[word >> 4 & 7] : 1 + (uint32_t)(word >> 4) % 27;
        uint32_t columns = shape_columns[n % SHAPE_COLUMNS], mode = word >> 16 & 1 ? 0 : (word >> 20) % 5;
        biost_cuda_expansion e = shape_of(b, columns, columns < 1000 ? channels : 1 + channels % 5,
                                          1u << (word >> 40 & 3), word >> 44 & 1, (int)mode);
        uint32_t kernel = kernel_by_hand(&e);
        test_note("%u columns, %u channels of %u bytes, NCL %u, mode %u", (unsigned)columns,
                  (unsigned)e.channels, (unsigned)e.element_bytes, (unsigned)e.is_ncl, (unsigned)mode);
        check_shape_ptx(b, &e, kernel);
        if (n % 8 == 0) {
            check_shape_ptx(b, &e, BSI_CUDA_EXPAND_ANY);
        }
    }
    for (uint32_t i = 0; i < BSI_CUDA_EXPAND_KERNELS; i++) {
        test_note("kernel %s", bsi_cuda_kernels_names[i]);
        CHECK(kernels_seen[i] > 50);
        ptx_close(ptx_kernels[i]);
    }
    shapes_close(b);
}

/* CUDA 12.0 takes PTX up to 8.0; and compilers literals of up to 65535 bytes. No calls, no local memory,
 * no names from elsewhere; 16 bytes are stored at once by all kernels. */
TEST(cuda_kernels, ptx_is_for_every_driver) {
    int major = 0, minor = 0, target = 0;
    const char *text = bsi_cuda_kernels_ptx;
    CHECK_EQ_I64(sscanf(text, ".version %d.%d\n.target sm_%d\n.address_size 64\n", &major, &minor, &target),
                 3);
    CHECK(major < 8 || (major == 8 && minor == 0));
    CHECK(target >= 70 && target <= 75);
    CHECK(strlen(text) > 1000 && strlen(text) < 65000);
    CHECK_EQ_I64(count_of(text, ".extern") + count_of(text, "call") + count_of(text, ".local"), 0);
    CHECK_EQ_I64(count_of(text, "st.global.v2.u64 ") + count_of(text, "st.global.v4.u32 "),
                 BSI_CUDA_EXPAND_KERNELS);
    CHECK(count_of(text, "ld.global.nc.v2.u64 ") + count_of(text, "ld.global.nc.v4.u32 ") >= 1);
    for (const char *at = text; *at != '\0'; at++) {
        if (!CHECK(*at == '\n' || (*at >= ' ' && *at <= '~'))) {
            break;
        }
    }
}
