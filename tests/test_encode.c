/*
 * test_encode.c - what bytes mean, rows of numbers against naive loops with bit patterns worked out by
 * hand, and the digest of a row against a byte string put together by hand and hashed by xxh64.h.
 *
 * rooms: encode lines
 * needs: loader
 */
#include "white.h"
#include "test.h"
#include "kernels.h"
#include "xxh64.h"
#include <sys/mman.h>
#include <unistd.h>

#define NO_TOKENS {0, 0, "", 0, 0, 0}, 0, 0, 0, 0 /* encoding.kmers, begin and end */

/* ---- encodings ---- */

/* An encoding and what is known of it by hand. */
typedef struct kind {
    const char *name;
    biost_encoding encoding;
    uint32_t element_bytes, channels;
    uint64_t pad; /* the bit pattern of its padding */
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

static int32_t table_u8[256], table_i32[256], table_codes[256]; /* filled by fill_tables */

/* Tokens of bases, and of the rest: both ends of what 32 bits hold. */
static int32_t code_token(uint8_t byte) {
    static const int32_t tokens[6] = {INT32_MIN, 12345678, -1, INT32_MAX, 0, 255};
    static const char letters[] = "ACGTU";
    const char *found = byte == 0 ? NULL : strchr(letters, byte >= 'a' && byte <= 'z' ? byte - 32 : byte);
    return found == NULL ? tokens[5] : *found == 'U' ? tokens[3] : tokens[found - letters];
}

/*
 * Patterns of padding: a sign, an exponent (of F16 from 15, of BF16 and F32 from 127), a fraction.
 *   F16   -1 1 01111 0..0   2048 = 2^11 0 11010 0..0   2047 = 1.1111111111 x 2^10 0 11001 1..1
 *   BF16   3 = 1.1 x 2 0 10000000 1000000   -256 = -2^8 1 10000111 0..0   255 = 1.1111111 x 2^7
 *   F32    7 = 1.11 x 2^2 0 10000001 110..0   -1 1 01111111 0..0   2^24 0 10010111 0..0
 */
static const kind kinds[] = {
    {"u8", HOT(U8, NLC, NULL, ZERO, FOLD, 0, RIGHT), 1, 4, 0},
    {"f16", HOT(F16, NLC, NULL, ZERO, FOLD, 0, RIGHT), 2, 4, 0},
    {"bf16", HOT(BF16, NLC, NULL, ZERO, FOLD, 0, RIGHT), 2, 4, 0},
    {"f32", HOT(F32, NLC, NULL, ZERO, FOLD, 0, RIGHT), 4, 4, 0},
    {"tokens u8", TOKENS(U8, NULL, 0, RIGHT), 1, 1, 0},
    {"u8 CATG left", HOT(U8, NLC, "CATG", ZERO, FOLD, 255, LEFT), 1, 4, 255},
    {"f16 GUCA left", HOT(F16, NLC, "GUCA", ZERO, FOLD, -1, LEFT), 2, 4, 0xBC00},
    {"bf16 TGCA", HOT(BF16, NLC, "TGCA", ZERO, FOLD, 3, RIGHT), 2, 4, 0x4040},
    {"f32 CATG left", HOT(F32, NLC, "CATG", ZERO, FOLD, 7, LEFT), 4, 4, 0x40E00000},
    {"tokens u8 left", TOKENS(U8, NULL, 9, LEFT), 1, 1, 9},
    {"u8 NCL", HOT(U8, NCL, NULL, ZERO, FOLD, 0, RIGHT), 1, 4, 0},
    {"f16 NCL GUCA", HOT(F16, NCL, "GUCA", ZERO, FOLD, -1, RIGHT), 2, 4, 0xBC00},
    {"f32 NCL left", HOT(F32, NCL, NULL, ZERO, FOLD, -1, LEFT), 4, 4, 0xBF800000},
    {"tokens i32", TOKENS(I32, NULL, -100, RIGHT), 4, 1, 0xFFFFFF9C},
    {"tokens i64 left", TOKENS(I64, NULL, -1, LEFT), 8, 1, UINT64_MAX},
    {"tokens i32 by code", TOKENS(I32, table_codes, 0, RIGHT), 4, 1, 0},
    {"tokens i64 by code", TOKENS(I64, table_codes, 0, LEFT), 8, 1, 0},
    {"f16 N", HOT(F16, NLC, "ACGT", N, FOLD, 0, RIGHT), 2, 4, 0},
    {"f32 N NCL lower N left", HOT(F32, NCL, "ACGU", N, N, 0, LEFT), 4, 4, 0},
    {"f16 CATG IUPAC NCL", HOT(F16, NCL, "CATG", IUPAC, FOLD, 2048, RIGHT), 2, 4, 0x6800},
    {"bf16 IUPAC lower channel", HOT(BF16, NLC, "TGCA", IUPAC, CHANNEL, 255, LEFT), 2, 5, 0x437F},
    {"f32 ACGU IUPAC", HOT(F32, NLC, "ACGU", IUPAC, FOLD, 16777216, RIGHT), 4, 4, 0x4B800000},
    {"f16 HELIXER", HOT(F16, NLC, "CATG", HELIXER, FOLD, 2047, RIGHT), 2, 4, 0x67FF},
    {"bf16 HELIXER lower N", HOT(BF16, NLC, "CATG", HELIXER, N, -256, RIGHT), 2, 4, 0xC380},
    {"f32 HELIXER NCL lower channel", HOT(F32, NCL, "GTAC", HELIXER, CHANNEL, 0, RIGHT), 4, 5, 0},
    {"u8 lower channel", HOT(U8, NLC, NULL, ZERO, CHANNEL, 0, RIGHT), 1, 5, 0},
    {"u8 ACGTN lower N", HOT(U8, NLC, "ACGTN", ZERO, N, 1, LEFT), 1, 5, 1},
    {"f32 ACGTN", HOT(F32, NLC, "ACGTN", ZERO, FOLD, -1, RIGHT), 4, 5, 0xBF800000},
    {"u8 lower N", HOT(U8, NLC, NULL, ZERO, N, 0, RIGHT), 1, 4, 0},
    {"u8 NRY four others", HOT(U8, NLC, "NRYA", ZERO, FOLD, 0, RIGHT), 1, 4, 0},
    {"u8 T and U", HOT(U8, NLC, "TUAC", ZERO, FOLD, 0, RIGHT), 1, 4, 0},
    {"u8 protein left", HOT(U8, NLC, PROTEIN, ZERO, FOLD, 7, LEFT), 1, 20, 7},
    {"f16 protein NCL", HOT(F16, NCL, PROTEIN, ZERO, FOLD, 0, RIGHT), 2, 20, 0},
    {"f32 protein", HOT(F32, NLC, PROTEIN, ZERO, CHANNEL, 0, RIGHT), 4, 21, 0},
    {"u8 NCL N alone left", HOT(U8, NCL, "N", ZERO, FOLD, 3, LEFT), 1, 1, 3},
    {"bf16 G alone", HOT(BF16, NLC, "G", ZERO, FOLD, 0, RIGHT), 2, 1, 0},
    {"f16 TU", HOT(F16, NLC, "TU", ZERO, FOLD, 0, RIGHT), 2, 2, 0},
    {"f32 GCU", HOT(F32, NLC, "GCU", ZERO, FOLD, 0, LEFT), 4, 3, 0},
    {"u8 all letters", HOT(U8, NLC, LETTERS, ZERO, CHANNEL, 0, RIGHT), 1, 27, 0},
    {"f32 all letters NCL", HOT(F32, NCL, LETTERS, ZERO, N, 0, RIGHT), 4, 26, 0},
    {"tokens u8 by table", TOKENS(U8, table_u8, 255, RIGHT), 1, 1, 255},
    {"tokens i32 by table left", TOKENS(I32, table_i32, INT32_MIN, LEFT), 4, 1, 0x80000000},
    {"tokens i64 by table", TOKENS(I64, table_i32, INT32_MAX, RIGHT), 8, 1, INT32_MAX},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], MOST_COLUMN_BYTES = 108 };
enum { COMMON = 17 }; /* the first kinds: what kernels are for, and other orders and sides of it */

static void fill_tables(void) {
    uint64_t random = 1;
    for (int i = 0; i < 256; i++) {
        table_u8[i] = (int32_t)(test_random(&random) & 255);
        table_i32[i] = (int32_t)(uint32_t)test_random(&random);
        table_codes[i] = code_token((uint8_t)i);
    }
}

static biost_encoder made(const kind *k, uint32_t cpu) {
    biost_encoder encoder;
    biost_error error;
    fill_tables();
    CHECK_EQ_I64(biost_encoder_init(&k->encoding, cpu, &encoder, &error), BIOST_OK);
    return encoder;
}

/* Which row function a mask picks for a kind. */
static kernel_call encode_pick(uint32_t cpu, int kind_number) {
    biost_encoder encoder = made(&kinds[kind_number], cpu);
    return (kernel_call)encoder.row;
}

/* Masks of all kernels that some kind has on this processor; returns how many. */
static size_t all_masks(kernel_mask out_masks[KERNELS_KNOWN]) {
    size_t count = 0;
    for (int m = 0; m < KERNELS_KNOWN; m++) {
        int is_new = 0;
        for (int i = 0; i < COMMON; i++) {
            kernel_mask here[KERNELS_KNOWN];
            size_t found = kernels_here(encode_pick, i, here);
            for (size_t k = 0; k < found; k++) {
                is_new |= here[k].cpu == kernels_known[m].cpu;
            }
        }
        if (is_new) {
            out_masks[count++] = kernels_known[m];
        }
    }
    return count;
}

/* ---- the naive encoder ---- */

static int is_lower(uint8_t byte) {
    return byte >= 'a' && byte <= 'z';
}

static uint8_t upper(uint8_t byte) {
    return is_lower(byte) ? (uint8_t)(byte - 'a' + 'A') : byte;
}

/* The bases of an IUPAC code; "" for every other byte. */
static const char *naive_bases(uint8_t letter) {
    static const struct {
        char code;
        const char *bases;
    } codes[] = {{'A', "A"},   {'C', "C"},   {'G', "G"},   {'T', "T"},   {'U', "T"},  {'R', "AG"},
                 {'Y', "CT"},  {'S', "CG"},  {'W', "AT"},  {'K', "GT"},  {'M', "AC"}, {'B', "CGT"},
                 {'D', "AGT"}, {'H', "ACT"}, {'V', "ACG"}, {'N', "ACGT"}};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if ((char)letter == codes[i].code) {
            return codes[i].bases;
        }
    }
    return "";
}

enum { ZERO, ONE, HALF, THIRD, QUARTER, HUNDREDTHS_33 };

/*
 * Bit patterns by hand. F16: 1 0 01111 0..0, 1/2 0 01110 0..0, 1/4 0 01101 0..0; 1/3 = 4/3 x 2^-2, and
 * 1/3 x 1024 = 341.3 is 0x155; 0.33 = 1.32 x 2^-2, and 0.32 x 1024 = 327.7 is 328 = 0x148. BF16: the
 * same over 7 bits, 1/3 x 128 = 42.7 is 43 = 0x2B, 0.32 x 128 = 40.96 is 41 = 0x29. F32: 1/3 x 2^23 =
 * 2796202.7 is 2796203 = 0x2AAAAB, 0.32 x 2^23 = 2684354.6 is 2684355 = 0x28F5C3.
 */
static uint32_t pattern(biost_dtype dtype, int number) {
    static const uint32_t u8[6] = {0, 1, 0xEE, 0xEE, 0xEE, 0xEE};
    static const uint32_t f16[6] = {0, 0x3C00, 0x3800, 0x3400 + 0x155, 0x3400, 0x3400 + 0x148};
    static const uint32_t bf16[6] = {0, 0x3F80, 0x3F00, 0x3E80 + 0x2B, 0x3E80, 0x3E80 + 0x29};
    static const uint32_t f32[6] = {0,          0x3F800000,           0x3F000000, 0x3E800000 + 0x2AAAAB,
                                    0x3E800000, 0x3E800000 + 0x28F5C3};
    return dtype == BIOST_DTYPE_U8    ? u8[number]
           : dtype == BIOST_DTYPE_F16 ? f16[number]
           : dtype == BIOST_DTYPE_F32 ? f32[number]
                                      : bf16[number];
}

static int is_named(const char *names, char letter) {
    for (; *names != '\0'; names++) {
        if (*names == letter) {
            return 1;
        }
    }
    return 0;
}

/* Does a letter belong to the channel named `name`? */
static int is_channel_of(const char *names, char name, char letter) {
    int is_t_or_u = letter == 'T' || letter == 'U';
    if (is_t_or_u && (name == 'T' || name == 'U') && is_named(names, 'T') != is_named(names, 'U')) {
        return 1;
    }
    return name == letter;
}

static int naive_number(const biost_encoding *e, uint8_t byte, uint32_t channel) {
    static const int numbers[5] = {ZERO, ONE, HALF, THIRD, QUARTER};
    const char *names = e->channels == NULL ? "ACGT" : e->channels, *bases;
    uint8_t letter = upper(byte);
    if (channel == strlen(names)) {
        return is_lower(byte) ? ONE : ZERO;
    }
    if (is_lower(byte) && e->lower_case == BIOST_LOWER_CASE_N) {
        letter = 'N';
    }
    if (is_channel_of(names, names[channel], (char)letter)) {
        return ONE;
    }
    bases = naive_bases(letter);
    if (e->ambiguous == BIOST_AMBIGUOUS_ZERO || strlen(bases) < 2 ||
        (e->ambiguous == BIOST_AMBIGUOUS_N && letter != 'N') ||
        !is_named(bases, names[channel] == 'U' ? 'T' : names[channel])) {
        return ZERO;
    }
    return strlen(bases) == 3 && e->ambiguous == BIOST_AMBIGUOUS_HELIXER ? HUNDREDTHS_33
                                                                         : numbers[strlen(bases)];
}

/* The code of a byte: 0..3 for A C G T, or 4. */
static uint32_t encode_naive_code(uint8_t byte) {
    static const char letters[5] = {'A', 'C', 'G', 'T', 'U'};
    for (uint32_t i = 0; i < 5; i++) {
        if ((char)upper(byte) == letters[i]) {
            return i < 4 ? i : 3;
        }
    }
    return 4;
}

static uint64_t naive_element(const kind *k, uint8_t byte, uint32_t channel) {
    const biost_encoding *e = &k->encoding;
    if (e->kind == BIOST_ENCODE_TOKENS) {
        int64_t token = e->tokens != NULL ? e->tokens[byte] : (int64_t)encode_naive_code(byte) + 1;
        return (uint64_t)token;
    }
    return pattern(e->dtype, naive_number(e, byte, channel));
}

/* In the machine's order. */
static void put_element(uint8_t *out, uint64_t value, uint32_t bytes) {
    uint8_t u8 = (uint8_t)value;
    uint16_t u16 = (uint16_t)value;
    uint32_t u32 = (uint32_t)value;
    switch (bytes) {
    case 1: memcpy(out, &u8, 1); break;
    case 2: memcpy(out, &u16, 2); break;
    case 4: memcpy(out, &u32, 4); break;
    default: memcpy(out, &value, 8);
    }
}

/* Element (column, channel) of a row. */
static uint64_t naive_cell(const kind *k, const uint8_t *seq, uint32_t bases, uint32_t columns,
                           uint32_t column, uint32_t channel) {
    uint32_t first = k->encoding.pad_side == BIOST_PAD_LEFT ? columns - bases : 0;
    if (column < first || column >= first + bases) {
        return k->pad;
    }
    return naive_element(k, seq[column - first], channel);
}

static void naive_row(const kind *k, const uint8_t *seq, uint32_t bases, uint8_t *out, uint32_t columns) {
    for (uint32_t i = 0; i < columns; i++) {
        for (uint32_t c = 0; c < k->channels; c++) {
            size_t at = k->encoding.layout == BIOST_LAYOUT_NCL ? (size_t)c * columns + i
                                                               : (size_t)i * k->channels + c;
            put_element(out + at * k->element_bytes, naive_cell(k, seq, bases, columns, i, c),
                        k->element_bytes);
        }
    }
}

/* ---- the alphabet ---- */

TEST(encode, codes_of_all_bytes) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        test_note("byte %u", byte);
        CHECK_EQ_U64(bsi_lines_code((uint8_t)byte), encode_naive_code((uint8_t)byte));
    }
}

TEST(encode, letters_of_all_bytes) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t up = upper((uint8_t)byte);
        test_note("byte %u", byte);
        CHECK_EQ_U64(bsi_lines_letter((uint8_t)byte), up >= 'A' && up <= 'Z' ? up : 0);
    }
}

TEST(encode, bases_of_all_bytes) {
    static const char bits[] = "ACGT";
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t expected = 0;
        for (uint32_t i = 0; i < 4; i++) {
            expected |= (uint32_t)is_named(naive_bases((uint8_t)byte), bits[i]) << i;
        }
        test_note("byte %u", byte);
        CHECK_EQ_U64(bsi_lines_bases((uint8_t)byte), expected);
    }
}

/* ---- rows by eye ---- */

/* Encode a row of at most 64 bytes and compare. */
static void check_row(biost_encoding encoding, const char *seq, uint32_t columns, const void *expected,
                      size_t bytes) {
    uint8_t out[64];
    biost_encoder encoder;
    memset(out, 0xA5, sizeof out);
    if (!CHECK_EQ_I64(biost_encoder_init(&encoding, biost_cpu(), &encoder, NULL), BIOST_OK) ||
        !CHECK_EQ_U64(biost_encoder_row_bytes(&encoder, columns), bytes)) {
        return;
    }
    biost_encode_row(&encoder, seq, (uint32_t)strlen(seq), out, columns);
    CHECK_MEM(out, expected, bytes);
}

static biost_encoding zero_encoding(void) {
    biost_encoding encoding;
    memset(&encoding, 0, sizeof encoding);
    return encoding;
}

TEST(encode, onehot_by_hand) {
    static const uint8_t expected[8][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1},
                                           {0, 0, 0, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    check_row(zero_encoding(), "AcGtUnN", 8, expected, sizeof expected);
}

/* Helixer's order of channels; padding in front of the bases, in all channels. */
TEST(encode, catg_left_by_hand) {
    static const uint8_t expected[6][4] = {{9, 9, 9, 9}, {9, 9, 9, 9}, {1, 0, 0, 0},
                                           {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    biost_encoding encoding = zero_encoding();
    encoding.channels = "CATG";
    encoding.pad_value = 9;
    encoding.pad_side = BIOST_PAD_LEFT;
    check_row(encoding, "CATG", 6, expected, sizeof expected);
}

TEST(encode, ncl_by_hand) {
    static const uint8_t expected[4][5] = {
        {0, 0, 1, 0, 0}, {1, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 1, 0, 0, 0}};
    biost_encoding encoding = zero_encoding();
    encoding.layout = BIOST_LAYOUT_NCL;
    check_row(encoding, "CTAN", 5, expected, sizeof expected);
}

/* The rows of Helixer's table: C A T G, 0.5, 0.33 and 0.25 as F16. */
TEST(encode, helixer_by_hand) {
    enum { H = 0x3800, T = 0x3548, Q = 0x3400, O = 0x3C00 };
    static const uint16_t expected[7][4] = {
        {H, 0, H, 0}, /* Y: C T   */
        {0, T, T, T}, /* D: A T G */
        {T, T, 0, T}, /* V: C A G */
        {T, T, T, 0}, /* h: C A T */
        {Q, Q, Q, Q}, /* N        */
        {0, 0, O, 0}, /* T        */
        {0, 0, 0, 0}, /* padding  */
    };
    biost_encoding encoding = zero_encoding();
    encoding.dtype = BIOST_DTYPE_F16;
    encoding.channels = "CATG";
    encoding.ambiguous = BIOST_AMBIGUOUS_HELIXER;
    check_row(encoding, "YDVhNT", 7, expected, sizeof expected);
}

/* The same with thirds: what 1/3 is for the machine's own division. */
TEST(encode, thirds_are_thirds) {
    const float third = 1.0f / 3.0f, half = 0.5f, quarter = 0.25f;
    float expected[3][4];
    biost_encoding encoding = zero_encoding();
    for (int i = 0; i < 4; i++) {
        expected[0][i] = i == 0 ? 0.0f : third; /* B: C G T */
        expected[1][i] = i < 2 ? half : 0.0f;   /* M: A C   */
        expected[2][i] = quarter;
    }
    encoding.dtype = BIOST_DTYPE_F32;
    encoding.ambiguous = BIOST_AMBIGUOUS_IUPAC;
    check_row(encoding, "BmN", 3, expected, sizeof expected);
}

TEST(encode, lower_case_by_hand) {
    static const uint8_t folded[4][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    static const uint8_t shown[4][5] = {{1, 0, 0, 0, 0}, {1, 0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0}};
    static const uint8_t hidden[4][5] = {{1, 0, 0, 0, 0}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 1}};
    biost_encoding encoding = zero_encoding();
    check_row(encoding, "AaxN", 4, folded, sizeof folded);
    encoding.lower_case = BIOST_LOWER_CASE_CHANNEL;
    check_row(encoding, "AaxN", 4, shown, sizeof shown);
    encoding.lower_case = BIOST_LOWER_CASE_N;
    encoding.channels = "ACGTN";
    check_row(encoding, "AaxN", 4, hidden, sizeof hidden);
}

/* U is T where T alone is named and the other way round; both named are two letters. */
TEST(encode, t_and_u_by_hand) {
    static const uint8_t one[4] = {1, 1, 1, 1}, two[4][2] = {{1, 0}, {0, 1}, {1, 0}, {0, 1}};
    static const uint8_t none[4] = {0, 0, 0, 0};
    biost_encoding encoding = zero_encoding();
    encoding.channels = "T";
    check_row(encoding, "TUtu", 4, one, sizeof one);
    encoding.channels = "U";
    check_row(encoding, "TUtu", 4, one, sizeof one);
    encoding.channels = "TU";
    check_row(encoding, "TUtu", 4, two, sizeof two);
    encoding.channels = "A";
    check_row(encoding, "TUtu", 4, none, sizeof none);
}

/* In AAM's tokens padding and unknown are both 0, and in DeepBioP's one-hot rows padding and N are
 * both zero. Tokens keep them apart; for one-hot rows biost_batch.lengths does. */
TEST(encode, padding_and_unknown_collide_in_aam) {
    static const uint8_t expected[9] = {1, 2, 3, 4, 4, 5, 5, 0, 0};
    biost_encoding encoding = zero_encoding();
    encoding.kind = BIOST_ENCODE_TOKENS;
    check_row(encoding, "ACgtuN*", 9, expected, sizeof expected);
}

TEST(encode, user_tokens_by_hand) {
    static int32_t tokens[256];
    static const int64_t expected[5] = {-7, INT32_MIN, INT32_MAX, 0, -1};
    biost_encoding encoding = zero_encoding();
    tokens['a'] = -7;
    tokens['A'] = INT32_MIN;
    tokens['*'] = INT32_MAX;
    encoding.kind = BIOST_ENCODE_TOKENS;
    encoding.dtype = BIOST_DTYPE_I64;
    encoding.tokens = tokens;
    encoding.pad_value = -1;
    check_row(encoding, "aA*C", 5, expected, sizeof expected);
}

/* ---- rows against the naive encoder ---- */

TEST(encode, sizes_of_elements) {
    for (int i = 0; i < KINDS; i++) {
        biost_encoder encoder = made(&kinds[i], 0);
        test_note("%s", kinds[i].name);
        CHECK_EQ_U64(encoder.element_bytes, kinds[i].element_bytes);
        CHECK_EQ_U64(encoder.channels, kinds[i].channels);
        CHECK_EQ_U64(encoder.base_bytes, kinds[i].element_bytes * kinds[i].channels);
        CHECK_EQ_U64(bsi_encode_dtype_bytes(kinds[i].encoding.dtype), kinds[i].element_bytes);
        CHECK_EQ_U64(biost_encoder_row_bytes(&encoder, UINT32_MAX),
                     (uint64_t)UINT32_MAX * kinds[i].element_bytes * kinds[i].channels);
        CHECK(kinds[i].element_bytes * kinds[i].channels <= MOST_COLUMN_BYTES);
    }
}

/* All 256 bytes, and once more after one another in another order. */
TEST(encode, all_bytes) {
    static uint8_t out[520 * MOST_COLUMN_BYTES], expected[520 * MOST_COLUMN_BYTES];
    uint8_t seq[512];
    kernel_mask masks[KERNELS_KNOWN];
    size_t count = all_masks(masks);
    for (int i = 0; i < 256; i++) {
        seq[i] = (uint8_t)i;
        seq[256 + i] = (uint8_t)(i * 37 + 11);
    }
    for (int i = 0; i < KINDS; i++) {
        for (size_t m = 0; m < count; m++) {
            biost_encoder encoder = made(&kinds[i], masks[m].cpu);
            naive_row(&kinds[i], seq, 512, expected, 520);
            biost_encode_row(&encoder, (const char *)seq, 512, out, 520);
            test_note("%s, %s", kinds[i].name, masks[m].name);
            CHECK_MEM(out, expected, (size_t)520 * encoder.base_bytes);
        }
    }
}

enum {
    ENCODE_MOST_BASES = 600,
    MOST_PAD = 19,
    ENCODE_GUARD = 64,
    MOST_COLUMNS = ENCODE_MOST_BASES + MOST_PAD
};

static uint8_t expected_row[MOST_COLUMNS * MOST_COLUMN_BYTES];
static uint8_t row_memory[sizeof expected_row + 3 * ENCODE_GUARD];

/* One row at one alignment, with the bytes around it watched. */
static void check_alignment(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                            uint32_t columns, size_t shift) {
    static uint8_t guard[ENCODE_GUARD * 2];
    size_t bytes = (size_t)columns * encoder->base_bytes;
    uint8_t *out = row_memory + ENCODE_GUARD + shift;
    memset(guard, 0xA5, sizeof guard);
    memset(row_memory, 0xA5, bytes + 3 * ENCODE_GUARD);
    bsi_encode_row(encoder, seq, bases, out, columns);
    CHECK_MEM(out, expected_row, bytes);
    CHECK_MEM(row_memory, guard, ENCODE_GUARD + shift);
    CHECK_MEM(out + bytes, guard, 2 * ENCODE_GUARD - shift);
}

static void encode_random_sequence(uint64_t *random, uint8_t *seq, uint32_t bases) {
    static const char letters[] = "ACGTACGTACGTacgtNnUuRYSWKMBDHVryswkmbdhv-*@!";
    for (uint32_t i = 0; i < bases; i++) {
        uint64_t word = test_random(random);
        seq[i] = word % 16 == 0 ? (uint8_t)(word >> 8) : (uint8_t)letters[(word >> 8) % (sizeof letters - 1)];
    }
}

/* Every length, at each step-th of 64 alignments of the row, of long rows fewer, and of a sequence that
 * ends where its memory does; where a step is over 1, other alignments for each length. */
static void check_lengths(const kind *k, uint32_t cpu, int step) {
    uint64_t random = test_seed();
    biost_encoder encoder = made(k, cpu);
    uint8_t seq[ENCODE_MOST_BASES];
    for (uint32_t bases = 0; bases <= ENCODE_MOST_BASES; bases++) {
        uint32_t columns = bases + bases % (MOST_PAD + 1);
        encode_random_sequence(&random, seq, bases);
        naive_row(k, seq, bases, expected_row, columns);
        test_note("%s, cpu %x, %u bases", k->name, (unsigned)cpu, bases);
        step = bases > 140 ? 13 : step;
        for (size_t shift = bases % (uint32_t)step; shift < 64; shift += (size_t)step) {
            uint8_t *copy = test_copy(NULL, shift + bases);
            memcpy(copy + shift, seq, bases);
            check_alignment(&encoder, copy + shift, bases, columns, shift);
            free(copy);
        }
    }
}

TEST(encode, lengths_and_alignments) {
    kernel_mask masks[KERNELS_KNOWN];
    for (int i = 0; i < KINDS; i++) {
        kernel_mask here[KERNELS_KNOWN];
        size_t count = kernels_here(encode_pick, i, here);
        CHECK(here[0].cpu == 0);
        for (size_t k = 0; k < count; k++) {
            check_lengths(&kinds[i], here[k].cpu, i < COMMON ? test_effort(3, 1) : test_effort(13, 5));
        }
    }
    kernels_print("encode", masks, all_masks(masks));
}

/* A row of no bases is padding from end to end, with no sequence given. */
TEST(encode, rows_of_padding) {
    for (int i = 0; i < KINDS; i++) {
        biost_encoder encoder = made(&kinds[i], UINT32_MAX);
        naive_row(&kinds[i], NULL, 0, expected_row, MOST_COLUMNS);
        memset(row_memory, 0xA5, sizeof row_memory);
        biost_encode_row(&encoder, NULL, 0, row_memory, MOST_COLUMNS);
        test_note("%s", kinds[i].name);
        CHECK_MEM(row_memory, expected_row, (size_t)MOST_COLUMNS * encoder.base_bytes);
    }
}

/* ---- kernels ---- */

/* Each byte at each of 64 places, among letters. */
static void check_bytes_at_places(const kind *k, uint32_t cpu) {
    uint8_t seq[64];
    biost_encoder encoder = made(k, cpu);
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (uint32_t place = 0; place < 64; place++) {
            seq[place] = (uint8_t) "GATC"[place % 4];
        }
        for (uint32_t place = 0; place < 64; place++) {
            uint8_t letter = seq[place];
            seq[place] = (uint8_t)byte;
            naive_row(k, seq, 64, expected_row, 64);
            biost_encode_row(&encoder, (const char *)seq, 64, row_memory, 64);
            test_note("%s, cpu %x, byte %u at %u", k->name, (unsigned)cpu, byte, place);
            CHECK_MEM(row_memory, expected_row, (size_t)64 * encoder.base_bytes);
            seq[place] = letter;
        }
    }
}

TEST(encode, every_byte_at_every_place) {
    for (int i = 0; i < COMMON; i++) {
        kernel_mask here[KERNELS_KNOWN];
        size_t count = kernels_here(encode_pick, i, here);
        for (size_t k = 0; k < count; k++) {
            check_bytes_at_places(&kinds[i], here[k].cpu);
        }
    }
}

/* Tokens of a table that is as a kernel wants it but for one entry, each in turn. */
TEST(encode, tokens_but_for_one) {
    static int32_t tokens[256];
    uint8_t seq[256], out[256 * 8], expected[256 * 8];
    for (int changed = -1; changed < 3 * 256; changed++) {
        static const biost_dtype dtypes[3] = {BIOST_DTYPE_U8, BIOST_DTYPE_I32, BIOST_DTYPE_I64};
        int which = changed < 0 ? 0 : changed / 256, bytes = which == 0 ? 1 : 4 * which;
        biost_encoding encoding = zero_encoding();
        biost_encoder encoder;
        for (uint32_t i = 0; i < 256; i++) {
            seq[i] = (uint8_t)(255 - i);
            tokens[i] = (int32_t)(200 - 40 * encode_naive_code((uint8_t)i));
        }
        if (changed >= 0) {
            tokens[changed % 256] += which == 0 ? 1 : 1 << 24; /* also but for one byte of an element */
        }
        for (int i = 0; i < 256; i++) {
            const int64_t token = tokens[seq[i]];
            const int32_t narrow = tokens[seq[i]];
            const uint8_t byte = (uint8_t)narrow;
            memcpy(expected + i * bytes,
                   which == 0   ? (const void *)&byte
                   : which == 1 ? &narrow
                                : (const void *)&token,
                   (size_t)bytes);
        }
        encoding.dtype = dtypes[which];
        encoding.kind = BIOST_ENCODE_TOKENS;
        encoding.tokens = tokens;
        REQUIRE(biost_encoder_init(&encoding, biost_cpu(), &encoder, NULL) == BIOST_OK);
        biost_encode_row(&encoder, (const char *)seq, 256, out, 256);
        test_note("token %d", changed);
        CHECK_MEM(out, expected, 256 * (size_t)bytes);
        CHECK((encoder.is_plain != 0) == (changed < 0));
    }
}

/* Memory whose last byte stands before a page that may be neither read nor written, and whose first
 * stands after one. */
static uint8_t *encode_guarded(size_t bytes, size_t *out_page_bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (bytes + page - 1) / page * page;
    uint8_t *map = (uint8_t *)mmap(NULL, inside + 2 * page, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map, page, PROT_NONE) != 0 ||
        mprotect(map + page + inside, page, PROT_NONE) != 0) {
        printf("no memory\n");
        exit(1);
    }
    *out_page_bytes = inside;
    return map + page;
}

/* Rows and sequences that begin, or end, where memory does. */
TEST(encode, nothing_outside) {
    size_t seq_bytes, out_bytes;
    uint8_t *seq = encode_guarded(ENCODE_MOST_BASES, &seq_bytes), letters[ENCODE_MOST_BASES];
    uint8_t *out = encode_guarded(ENCODE_MOST_BASES * MOST_COLUMN_BYTES, &out_bytes);
    uint64_t random = test_seed();
    kernel_mask masks[KERNELS_KNOWN];
    size_t count = all_masks(masks);
    encode_random_sequence(&random, letters, ENCODE_MOST_BASES);
    for (size_t i = 0; i < KINDS * count; i++) {
        const kind *k = &kinds[i / count];
        biost_encoder encoder = made(k, masks[i % count].cpu);
        for (uint32_t bases = 0; bases <= 200; bases++) {
            size_t bytes = (size_t)bases * encoder.base_bytes;
            naive_row(k, letters, bases, expected_row, bases);
            test_note("%s, %s, %u bases", k->name, masks[i % count].name, bases);
            memcpy(seq, letters, bases);
            biost_encode_row(&encoder, (const char *)seq, bases, out, bases);
            CHECK_MEM(out, expected_row, bytes);
            memcpy(seq + seq_bytes - bases, letters, bases);
            biost_encode_row(&encoder, (const char *)(seq + seq_bytes - bases), bases,
                             out + out_bytes - bytes, bases);
            CHECK_MEM(out + out_bytes - bytes, expected_row, bytes);
        }
    }
    munmap(seq - sysconf(_SC_PAGESIZE), seq_bytes + 2 * (size_t)sysconf(_SC_PAGESIZE));
    munmap(out - sysconf(_SC_PAGESIZE), out_bytes + 2 * (size_t)sysconf(_SC_PAGESIZE));
}

/* The AVX2 kernel of a kind. */
static kernel_call avx2_of(const kind *k) {
#if BSI_CPU_X86_AVX2
    return (kernel_call)(k->encoding.kind == BIOST_ENCODE_TOKENS  ? bsi_encode_tokens_avx2
                         : k->encoding.layout == BIOST_LAYOUT_NCL ? bsi_encode_planes_avx2
                                                                  : bsi_encode_onehot_avx2);
#else
    (void)k;
    return (kernel_call)bsi_encode_row_scalar;
#endif
}

/* Which encodings a processor with AVX2 has kernels for; none has one with no bit set. */
TEST(encode, kernels_picked) {
    for (int i = 0; i < KINDS; i++) {
        biost_encoder encoder = made(&kinds[i], 0);
        test_note("%s", kinds[i].name);
        CHECK(encoder.row == bsi_encode_row_scalar);
        bsi_kernels_encode(&encoder, BIOST_CPU_SSE2 | BIOST_CPU_BMI2 | BIOST_CPU_PCLMUL);
        CHECK(encoder.row == bsi_encode_row_scalar);
        bsi_kernels_encode(&encoder, BIOST_CPU_AVX2);
        if (i < COMMON) {
            CHECK((kernel_call)encoder.row == avx2_of(&kinds[i]));
        } else {
            CHECK(encoder.row == bsi_encode_row_scalar);
        }
        bsi_kernels_encode(&encoder, 0);
        CHECK(encoder.row == bsi_encode_row_scalar);
    }
}

/* The door hands on no more than the processor has. */
TEST(encode, make_asks_the_processor) {
    biost_encoder more = made(&kinds[0], UINT32_MAX), all = made(&kinds[0], bsi_cpu_features());
    CHECK(more.row == all.row);
}

/* ---- the doors ---- */

/* An encoder is plain data: what made it and the encoder itself may go. */
TEST(encode, encoders_are_copied) {
    char channels[5] = "CATG";
    static const uint8_t expected[4] = {1, 0, 0, 0};
    uint8_t out[4];
    biost_encoding encoding = zero_encoding();
    biost_encoder first, second;
    encoding.channels = channels;
    REQUIRE(biost_encoder_init(&encoding, biost_cpu(), &first, NULL) == BIOST_OK);
    memcpy(&second, &first, sizeof first);
    memset(&first, 0xA5, sizeof first);
    memset(channels, 'X', sizeof channels);
    biost_encode_row(&second, "C", 1, out, 1);
    CHECK_MEM(out, expected, 4);
    CHECK_STR(second.names, "CATG");
}

/* What cannot be done leaves memory as it was. */
TEST(encode, impossible_calls_write_nothing) {
    uint8_t out[16], untouched[16];
    float floats[4];
    biost_encoding encoding = zero_encoding();
    biost_encoder encoder, none;
    memset(out, 0xA5, sizeof out);
    memset(untouched, 0xA5, sizeof untouched);
    memset(&none, 0, sizeof none);
    REQUIRE(biost_encoder_init(&encoding, 0, &encoder, NULL) == BIOST_OK);
    biost_encode_row(NULL, "ACGT", 4, out, 4);
    biost_encode_row(&none, "ACGT", 4, out, 4);
    biost_encode_row(&encoder, NULL, 1, out, 4);
    biost_encode_row(&encoder, "ACGT", 4, NULL, 4);
    biost_encode_row(&encoder, "ACGT", 4, out, 3);
    biost_encode_quality(BIOST_QUALITY_NONE, BIOST_DTYPE_U8, BIOST_PAD_RIGHT, "IIII", 4, out, 4);
    biost_encode_quality((biost_quality_kind)3, BIOST_DTYPE_U8, BIOST_PAD_RIGHT, "IIII", 4, out, 4);
    biost_encode_quality(BIOST_QUALITY_PHRED, BIOST_DTYPE_F16, BIOST_PAD_RIGHT, "IIII", 4, out, 4);
    biost_encode_quality(BIOST_QUALITY_ERROR, BIOST_DTYPE_U8, BIOST_PAD_RIGHT, "IIII", 4, out, 4);
    biost_encode_quality(BIOST_QUALITY_PHRED, BIOST_DTYPE_U8, BIOST_PAD_RIGHT, NULL, 4, out, 4);
    biost_encode_quality(BIOST_QUALITY_PHRED, BIOST_DTYPE_U8, BIOST_PAD_RIGHT, "IIII", 4, NULL, 4);
    biost_encode_quality(BIOST_QUALITY_PHRED, BIOST_DTYPE_U8, BIOST_PAD_RIGHT, "IIII", 4, out, 3);
    memset(floats, 0xA5, sizeof floats);
    biost_encode_quality(BIOST_QUALITY_ERROR, BIOST_DTYPE_F32, BIOST_PAD_RIGHT, "IIII", 4, floats, 3);
    biost_encode_mask(BIOST_DTYPE_U8, BIOST_PAD_RIGHT, 4, out, 3);
    biost_encode_mask(BIOST_DTYPE_U8, BIOST_PAD_RIGHT, 4, NULL, 4);
    biost_encode_mask(BIOST_DTYPE_F16, BIOST_PAD_RIGHT, 4, out, 4);
    biost_encode_mask(BIOST_DTYPE_I32, BIOST_PAD_RIGHT, 4, out, 4);
    biost_encode_mask((biost_dtype)7, BIOST_PAD_RIGHT, 4, out, 4);
    CHECK_MEM(out, untouched, sizeof out);
    CHECK_MEM(floats, untouched, sizeof floats);
    CHECK_EQ_U64(biost_encoder_row_bytes(NULL, 100), 0);
    CHECK_EQ_U64(biost_encoder_row_bytes(&none, 100), 0);
}

TEST(encode, make_wants_its_arguments) {
    biost_encoding encoding = zero_encoding();
    biost_encoder encoder;
    biost_error error;
    CHECK_EQ_I64(biost_encoder_init(&encoding, 0, NULL, &error), BIOST_ERR_ARG);
    CHECK(strstr(error.text, "out_encoder") != NULL);
    CHECK_EQ_I64(error.code, BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_encoder_init(NULL, 0, &encoder, &error), BIOST_ERR_ARG);
    CHECK(strstr(error.text, "encoding is NULL") != NULL);
    CHECK(encoder.row == NULL && encoder.base_bytes == 0);
    CHECK_EQ_I64(biost_encoder_init(NULL, 0, NULL, NULL), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_encoder_init(&encoding, 0, &encoder, &error), BIOST_OK);
    CHECK_EQ_I64(error.code, BIOST_OK);
    CHECK_STR(error.text, "");
}

TEST(encode, cpu_is_that_of_the_features) {
    CHECK_EQ_U64(biost_cpu(), biost_features().cpu);
    CHECK_EQ_U64(biost_cpu(), bsi_cpu_features());
}

/* ---- refusals ---- */

static int32_t table_256[256], table_negative[256];

/* Encodings that cannot be, and the fields that the sentence names. */
static const struct {
    biost_encoding encoding;
    const char *one, *other;
    /* clang-format off */
} refusals[] = {
    {{(biost_encode_kind)2, BIOST_DTYPE_U8, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO,
      BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS}, "kind", "kind"},
    {{BIOST_ENCODE_ONEHOT, (biost_dtype)6, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO,
      BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS}, "dtype", "dtype"},
    {{BIOST_ENCODE_ONEHOT, BIOST_DTYPE_U8, (biost_layout_kind)2, NULL, BIOST_AMBIGUOUS_ZERO,
      BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS}, "layout", "layout"},
    {{BIOST_ENCODE_ONEHOT, BIOST_DTYPE_F32, BIOST_LAYOUT_NLC, NULL, (biost_ambiguous_mode)4,
      BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS}, "ambiguous", "ambiguous"},
    {{BIOST_ENCODE_ONEHOT, BIOST_DTYPE_U8, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO,
      (biost_lower_case_mode)3, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS}, "lower_case", "lower_case"},
    {{BIOST_ENCODE_ONEHOT, BIOST_DTYPE_U8, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO,
      BIOST_LOWER_CASE_FOLD, NULL, 0, (biost_pad_side)2, NO_TOKENS}, "pad_side", "pad_side"},
    {HOT(I32, NLC, NULL, ZERO, FOLD, 0, RIGHT), "kind", "dtype"},
    {HOT(I64, NLC, NULL, ZERO, FOLD, 0, RIGHT), "kind", "dtype"},
    {TOKENS(F16, NULL, 0, RIGHT), "kind", "dtype"},
    {TOKENS(F32, NULL, 0, RIGHT), "kind", "dtype"},
    {TOKENS(BF16, NULL, 0, RIGHT), "kind", "dtype"},
    {{BIOST_ENCODE_TOKENS, BIOST_DTYPE_U8, BIOST_LAYOUT_NCL, NULL, BIOST_AMBIGUOUS_ZERO,
      BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS}, "kind", "layout"},
    {{BIOST_ENCODE_TOKENS, BIOST_DTYPE_U8, BIOST_LAYOUT_NLC, "ACGT", BIOST_AMBIGUOUS_ZERO,
      BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS}, "kind", "channels"},
    {{BIOST_ENCODE_TOKENS, BIOST_DTYPE_U8, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_N,
      BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS}, "kind", "ambiguous"},
    {{BIOST_ENCODE_TOKENS, BIOST_DTYPE_U8, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO,
      BIOST_LOWER_CASE_N, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS}, "kind", "lower_case"},
    {{BIOST_ENCODE_ONEHOT, BIOST_DTYPE_U8, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO,
      BIOST_LOWER_CASE_FOLD, table_u8, 0, BIOST_PAD_RIGHT, NO_TOKENS}, "kind", "tokens"},
    {TOKENS(U8, table_256, 0, RIGHT), "dtype", "tokens"},
    {TOKENS(U8, table_negative, 0, RIGHT), "dtype", "tokens"},
    {HOT(U8, NLC, "", ZERO, FOLD, 0, RIGHT), "channels", "channels"},
    {HOT(U8, NLC, "ACgT", ZERO, FOLD, 0, RIGHT), "channels", "channels"},
    {HOT(U8, NLC, "ACGT-", ZERO, FOLD, 0, RIGHT), "channels", "channels"},
    {HOT(U8, NLC, "ACGTA", ZERO, FOLD, 0, RIGHT), "channels", "channels"},
    {HOT(U8, NLC, LETTERS LETTERS, ZERO, FOLD, 0, RIGHT), "channels", "channels"},
    {HOT(U8, NLC, NULL, N, FOLD, 0, RIGHT), "ambiguous", "dtype"},
    {HOT(U8, NLC, NULL, IUPAC, FOLD, 0, RIGHT), "ambiguous", "dtype"},
    {HOT(U8, NLC, NULL, HELIXER, FOLD, 0, RIGHT), "ambiguous", "dtype"},
    {HOT(F16, NLC, "ACGTN", N, FOLD, 0, RIGHT), "ambiguous", "channels"},
    {HOT(F16, NLC, "ACG", IUPAC, FOLD, 0, RIGHT), "ambiguous", "channels"},
    {HOT(F16, NLC, "ACTU", IUPAC, FOLD, 0, RIGHT), "ambiguous", "channels"},
    {HOT(F16, NLC, "ACGN", HELIXER, FOLD, 0, RIGHT), "ambiguous", "channels"},
    {HOT(F16, NLC, "RYCA", HELIXER, FOLD, 0, RIGHT), "ambiguous", "channels"},
    {HOT(U8, NLC, NULL, ZERO, FOLD, 256, RIGHT), "dtype", "pad_value"},
    {HOT(U8, NLC, NULL, ZERO, FOLD, -1, RIGHT), "dtype", "pad_value"},
    {HOT(F16, NLC, NULL, ZERO, FOLD, 2049, RIGHT), "dtype", "pad_value"},
    {HOT(F16, NLC, NULL, ZERO, FOLD, -2049, RIGHT), "dtype", "pad_value"},
    {HOT(BF16, NLC, NULL, ZERO, FOLD, 257, RIGHT), "dtype", "pad_value"},
    {HOT(BF16, NLC, NULL, ZERO, FOLD, -257, RIGHT), "dtype", "pad_value"},
    {HOT(F32, NLC, NULL, ZERO, FOLD, 16777217, RIGHT), "dtype", "pad_value"},
    {HOT(F32, NLC, NULL, ZERO, FOLD, -16777217, RIGHT), "dtype", "pad_value"},
    {TOKENS(U8, NULL, 256, RIGHT), "dtype", "pad_value"},
    {TOKENS(U8, NULL, -1, RIGHT), "dtype", "pad_value"},
};
/* clang-format on */

/* Is desc.GROUP.FIELD named, and not as the beginning of a longer name? */
static int names_field(const char *text, const char *group, const char *field) {
    char name[64];
    const char *at;
    size_t bytes;
    snprintf(name, sizeof name, "desc.%s.%s", group, field);
    bytes = strlen(name);
    for (at = strstr(text, name); at != NULL; at = strstr(at + 1, name)) {
        if (at[bytes] == '\0' || at[bytes] == ' ' || at[bytes] == ',') {
            return 1;
        }
    }
    return 0;
}

TEST(encode, refusals_name_both_fields) {
    table_256[255] = 256;
    table_negative[0] = -1;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        biost_encoder encoder;
        biost_error error;
        test_note("refusal %u: %s and %s", (unsigned)i, refusals[i].one, refusals[i].other);
        memset(&encoder, 0xA5, sizeof encoder);
        memset(&error, 0xA5, sizeof error);
        if (!CHECK_EQ_I64(biost_encoder_init(&refusals[i].encoding, 0, &encoder, &error), BIOST_ERR_ARG)) {
            continue;
        }
        CHECK_EQ_I64(error.code, BIOST_ERR_ARG);
        CHECK_EQ_I64(error.fault, BIOST_FAULT_ARGUMENT);
        if (!CHECK(names_field(error.text, "encoding", refusals[i].one)) ||
            !CHECK(names_field(error.text, "encoding", refusals[i].other))) {
            printf("    text:     %s\n", error.text);
        }
        CHECK(encoder.row == NULL && encoder.channels == 0 && encoder.elements[255][15] == 0);
        CHECK_EQ_I64(biost_encoder_init(&refusals[i].encoding, 0, &encoder, NULL), BIOST_ERR_ARG);
    }
}

/* The ends of what pad_value may be: -2048 is 1 11010 0..0, -256 and 256 are x 10000111 0..0, and -2^24
 * is 1 10010111 0..0. */
TEST(encode, limits_of_padding) {
    static const struct {
        biost_dtype dtype;
        int32_t value;
        uint32_t bits;
    } limits[] = {{BIOST_DTYPE_U8, 0, 0},
                  {BIOST_DTYPE_U8, 255, 255},
                  {BIOST_DTYPE_F16, -2048, 0xE800},
                  {BIOST_DTYPE_F16, 2048, 0x6800},
                  {BIOST_DTYPE_BF16, -256, 0xC380},
                  {BIOST_DTYPE_BF16, 256, 0x4380},
                  {BIOST_DTYPE_F32, -16777216, 0xCB800000},
                  {BIOST_DTYPE_F32, 16777216, 0x4B800000}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        biost_encoding encoding = zero_encoding();
        uint32_t bytes = bsi_encode_dtype_bytes(limits[i].dtype);
        uint8_t expected[8];
        put_element(expected, limits[i].bits, bytes);
        encoding.dtype = limits[i].dtype;
        encoding.pad_value = limits[i].value;
        encoding.channels = "G";
        test_note("dtype %d, %d", (int)limits[i].dtype, (int)limits[i].value);
        check_row(encoding, "", 1, expected, bytes);
    }
}

TEST(encode, types_of_qualities) {
    for (int kind_number = -1; kind_number < 5; kind_number++) {
        for (int dtype = 0; dtype < 7; dtype++) {
            int fits = (kind_number == BIOST_QUALITY_PHRED && dtype == BIOST_DTYPE_U8) ||
                       (kind_number == BIOST_QUALITY_PHRED && dtype == BIOST_DTYPE_F32) ||
                       (kind_number == BIOST_QUALITY_ERROR && dtype == BIOST_DTYPE_F32);
            test_note("kind %d, dtype %d", kind_number, dtype);
            CHECK_EQ_I64(bsi_encode_takes_quality((biost_quality_kind)kind_number, (biost_dtype)dtype), fits);
        }
    }
}

/* ---- qualities ---- */

/* Q of a character, as the API says: 33 and less is 0, 126 and more 93. */
static uint32_t naive_score(uint8_t character) {
    uint32_t score = 0;
    while (score < 93 && 33 + score < character) {
        score++;
    }
    return score;
}

static float error_of(uint32_t score) {
    char character = (char)(33 + score);
    float value = -1.0f;
    biost_encode_quality(BIOST_QUALITY_ERROR, BIOST_DTYPE_F32, BIOST_PAD_RIGHT, &character, 1, &value, 1);
    return value;
}

/* The next float up (by 1) or down (by -1) of a positive one. */
static double neighbour(float value, int by) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    bits += (uint32_t)by;
    memcpy(&value, &bits, 4);
    return (double)value;
}

static double tenth_power(double x) {
    double square = x * x, fourth = square * square;
    return fourth * fourth * square;
}

/*
 * x is the float nearest to 10^(-Q/10) if 10^-Q lies between the tenth powers of the points half way to
 * its neighbours. The nearest of the 94 comes no closer to such a point than 0.0038 of the distance
 * between floats, 2e-10 of the value; doubles are off by 2e-15.
 */
TEST(encode, errors_are_the_nearest_floats) {
    for (uint32_t score = 0; score <= 93; score++) {
        float x = error_of(score);
        char text[8];
        double exact;
        snprintf(text, sizeof text, "1e-%u", score);
        exact = strtod(text, NULL);
        test_note("Q %u", score);
        CHECK(tenth_power(((double)x + neighbour(x, -1)) / 2) < exact);
        CHECK(tenth_power(((double)x + neighbour(x, 1)) / 2) > exact);
    }
    CHECK(error_of(0) == 1.0f);
    CHECK(error_of(10) == 0.1f);
    CHECK(error_of(30) == 0.001f);
}

/* Scores of characters that none should be do not wrap as in DeepBioP. */
TEST(encode, qualities_of_all_bytes) {
    uint8_t qual[256], scores[256];
    float floats[256], errors[256];
    for (int i = 0; i < 256; i++) {
        qual[i] = (uint8_t)i;
    }
    biost_encode_quality(BIOST_QUALITY_PHRED, BIOST_DTYPE_U8, BIOST_PAD_RIGHT, (const char *)qual, 256,
                         scores, 256);
    biost_encode_quality(BIOST_QUALITY_PHRED, BIOST_DTYPE_F32, BIOST_PAD_RIGHT, (const char *)qual, 256,
                         floats, 256);
    biost_encode_quality(BIOST_QUALITY_ERROR, BIOST_DTYPE_F32, BIOST_PAD_RIGHT, (const char *)qual, 256,
                         errors, 256);
    for (int i = 0; i < 256; i++) {
        test_note("byte %d", i);
        CHECK_EQ_U64(scores[i], naive_score((uint8_t)i));
        CHECK(floats[i] == (float)naive_score((uint8_t)i));
        CHECK(errors[i] == error_of(naive_score((uint8_t)i)));
    }
}

/* Each byte at each of 16 places among the least and the greatest that there should be. */
TEST(encode, qualities_every_byte_at_every_place) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (uint32_t place = 0; place < 32; place++) {
            uint8_t qual[16], scores[16], expected[16];
            memset(qual, place < 16 ? 33 : 126, sizeof qual);
            memset(expected, place < 16 ? 0 : 93, sizeof expected);
            qual[place % 16] = (uint8_t)byte;
            expected[place % 16] = (uint8_t)naive_score((uint8_t)byte);
            biost_encode_quality(BIOST_QUALITY_PHRED, BIOST_DTYPE_U8, BIOST_PAD_RIGHT, (const char *)qual, 16,
                                 scores, 16);
            test_note("byte %u at %u", byte, place);
            CHECK_MEM(scores, expected, 16);
        }
    }
}

static kernel_call scoring_pick(uint32_t cpu, int which) {
    bsi_encode_scoring scoring;
    bsi_kernels_scoring(&scoring, cpu);
    return which == 0 ? (kernel_call)scoring.scores : (kernel_call)scoring.scores_f32;
}

/* Every byte in rows of every length up to 130, by every kernel; no byte outside a row is touched. */
TEST(encode, qualities_by_each_kernel) {
    kernel_mask here[KERNELS_KNOWN];
    size_t kernels = kernels_here(scoring_pick, 0, here);
    uint64_t random = test_seed();
    for (size_t k = 0; k < kernels; k++) {
        for (uint32_t bases = 0; bases <= 130; bases++) {
            const int is_f32 = bases % 2 != 0 || bases > 100, left = bases % 3 == 0;
            const uint32_t columns = bases + bases % 5, from = left ? columns - bases : 0;
            uint8_t qual[130], scores[140];
            float floats[140];
            bsi_encode_scoring scoring;
            bsi_encode_scoring_begin(&scoring, BIOST_QUALITY_PHRED, is_f32 ? BIOST_DTYPE_F32 : BIOST_DTYPE_U8,
                                     left ? BIOST_PAD_LEFT : BIOST_PAD_RIGHT);
            bsi_kernels_scoring(&scoring, here[k].cpu);
            for (uint32_t i = 0; i < bases; i++) {
                qual[i] = (uint8_t)test_random(&random);
            }
            memset(scores, 0xA5, sizeof scores);
            for (uint32_t i = 0; i < 140; i++) {
                floats[i] = -7;
            }
            bsi_encode_quality(&scoring, qual, bases, is_f32 ? (uint8_t *)(floats + 1) : scores + 1, columns);
            test_note("kernel %s, %u bases", here[k].name, bases);
            for (uint32_t i = 0; i < 138; i++) {
                const int is_base = i >= from && i < from + bases, is_row = i < columns;
                const uint32_t score = is_base ? naive_score(qual[i - from]) : 0;
                if (is_f32) {
                    CHECK(floats[i + 1] == (is_row ? (float)score : -7.0f));
                } else {
                    CHECK_EQ_U64(scores[i + 1], is_row ? score : 0xA5);
                }
            }
            CHECK(is_f32 ? floats[0] == -7.0f : scores[0] == 0xA5);
        }
    }
}

/* Element `column` of a row of qualities, as bits. */
static uint64_t naive_quality(biost_quality_kind quality, biost_dtype dtype, uint8_t character) {
    float value = quality == BIOST_QUALITY_ERROR ? error_of(naive_score(character))
                                                 : (float)naive_score(character);
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return dtype == BIOST_DTYPE_U8 ? naive_score(character) : bits;
}

static void check_quality_row(biost_quality_kind quality, biost_dtype dtype, const uint8_t *qual,
                              uint32_t bases, int side) {
    uint32_t columns = bases + bases % (MOST_PAD + 1), first = side ? columns - bases : 0;
    uint32_t element_bytes = dtype == BIOST_DTYPE_U8 ? 1 : 4;
    size_t bytes = (size_t)columns * element_bytes;
    for (uint32_t i = 0; i < columns; i++) {
        int is_base = i >= first && i < first + bases;
        put_element(expected_row + (size_t)i * element_bytes,
                    is_base ? naive_quality(quality, dtype, qual[i - first]) : 0, element_bytes);
    }
    memset(expected_row + bytes, 0xA5, ENCODE_GUARD);
    memset(row_memory, 0xA5, bytes + ENCODE_GUARD);
    biost_encode_quality(quality, dtype, (biost_pad_side)side, (const char *)qual, bases, row_memory,
                         columns);
    CHECK_MEM(row_memory, expected_row, bytes + ENCODE_GUARD);
}

TEST(encode, qualities_of_all_lengths) {
    uint64_t random = test_seed();
    for (uint32_t bases = 0; bases <= ENCODE_MOST_BASES; bases++) {
        uint8_t *qual = test_copy(NULL, bases);
        for (uint32_t i = 0; i < bases; i++) {
            qual[i] = (uint8_t)(33 + test_random(&random) % 94);
        }
        for (int side = 0; side < 2; side++) {
            test_note("%u bases, side %d", bases, side);
            check_quality_row(BIOST_QUALITY_PHRED, BIOST_DTYPE_U8, qual, bases, side);
            check_quality_row(BIOST_QUALITY_PHRED, BIOST_DTYPE_F32, qual, bases, side);
            check_quality_row(BIOST_QUALITY_ERROR, BIOST_DTYPE_F32, qual, bases, side);
        }
        free(qual);
    }
}

TEST(encode, masks) {
    for (uint32_t columns = 0; columns <= 70; columns++) {
        for (uint32_t bases = 0; bases <= columns; bases++) {
            for (int side = 0; side < 2; side++) {
                uint8_t *bytes = test_copy(NULL, columns);
                float *floats = (float *)(void *)test_copy(NULL, columns * sizeof(float));
                uint32_t first = side ? columns - bases : 0;
                biost_encode_mask(BIOST_DTYPE_U8, (biost_pad_side)side, bases, bytes, columns);
                biost_encode_mask(BIOST_DTYPE_F32, (biost_pad_side)side, bases, floats, columns);
                test_note("%u of %u, side %d", bases, columns, side);
                for (uint32_t i = 0; i < columns; i++) {
                    int is_base = i >= first && i < first + bases;
                    CHECK_EQ_U64(bytes[i], is_base);
                    CHECK(floats[i] == (is_base ? 1.0f : 0.0f));
                }
                free(bytes);
                free(floats);
            }
        }
    }
}

/* ---- qualities and the mask among the channels ---- */

/* Two to a power. */
static double power_of_two(int exponent) {
    double value = 1;
    for (; exponent > 0; exponent--) {
        value *= 2;
    }
    for (; exponent < 0; exponent++) {
        value /= 2;
    }
    return value;
}

/*
 * What a pattern of F16 or BF16 without a sign is worth, exactly: 1.fraction x 2^(exponent - bias); of exponent
 * 0 it is 0.fraction x 2^(1 - bias).
 */
static double value_of(biost_dtype dtype, uint32_t bits) {
    int fraction_bits = dtype == BIOST_DTYPE_F16 ? 10 : 7, bias = dtype == BIOST_DTYPE_F16 ? 15 : 127;
    int exponent = (int)(bits >> fraction_bits);
    uint32_t one = 1u << fraction_bits, fraction = bits & (one - 1);
    return exponent == 0 ? fraction * power_of_two(1 - bias - fraction_bits)
                         : (fraction + one) * power_of_two(exponent - bias - fraction_bits);
}

/* The pattern nearest to a number, of two as near the even one: looked for among all finite ones. */
static uint32_t nearest_pattern(biost_dtype dtype, double value) {
    static double values[2][0x7F80];
    double least = value, *all = values[dtype == BIOST_DTYPE_F16];
    uint32_t best = 0, end = dtype == BIOST_DTYPE_F16 ? 0x7C00 : 0x7F80;
    for (uint32_t bits = 0; all[end - 1] == 0 && bits < end; bits++) {
        all[bits] = value_of(dtype, bits);
    }
    for (uint32_t bits = 0; bits < end; bits++) {
        double away = all[bits] < value ? value - all[bits] : all[bits] - value;
        if (away < least || (away == least && bits % 2 == 0)) {
            least = away;
            best = bits;
        }
    }
    return best;
}

/* [kind - 1][score] the pattern of a quality in a channel of x. */
static void quality_patterns(biost_dtype dtype, uint32_t out[2][94]) {
    for (uint32_t score = 0; score < 94; score++) {
        const float numbers[2] = {(float)score, error_of(score)};
        for (int i = 0; i < 2; i++) {
            memcpy(&out[i][score], &numbers[i], 4);
            if (dtype == BIOST_DTYPE_F16 || dtype == BIOST_DTYPE_BF16) {
                out[i][score] = nearest_pattern(dtype, (double)numbers[i]);
            }
        }
        out[0][score] = dtype == BIOST_DTYPE_U8 ? score : out[0][score];
    }
}

/*
 * By hand. F16: 2^-24 times 1678 is 0.0001 (1e-4 x 2^24 = 1677.7), in 1.fraction x 2^-14 it is fraction 1678 - 1024
 * = 654 = 0x28E of exponent 1; 1e-6 x 2^24 = 16.8 is 17, 10^-7.5 x 2^24 = 0.53 is 1, 10^-7.6 x 2^24 = 0.42 is 0.
 */
TEST(encode, qualities_in_floats_by_hand) {
    static const struct {
        uint32_t score, f16;
    } by_hand[] = {{0, 0x3C00}, {40, 0x068E}, {60, 17}, {75, 1}, {76, 0}, {93, 0}};
    bsi_encode_more more;
    biost_encoder encoder = made(&kinds[1], 0);
    bsi_encode_begin_more(&more, &encoder, BIOST_DTYPE_F16, BIOST_QUALITY_ERROR, 0);
    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++) {
        uint16_t bits;
        memcpy(&bits, more.elements[33 + by_hand[i].score], 2);
        test_note("Q %u", by_hand[i].score);
        CHECK_EQ_U64(bits, by_hand[i].f16);
    }
}

/* Every score in every type is the pattern nearest to it, of characters out of range too. */
TEST(encode, qualities_in_every_float) {
    for (int d = 0; d < 4; d++) { /* the first kinds: U8, F16, BF16, F32 */
        biost_encoder encoder = made(&kinds[d], 0);
        biost_dtype dtype = kinds[d].encoding.dtype;
        uint32_t patterns[2][94];
        quality_patterns(dtype, patterns);
        for (int kind_number = 0; kind_number < (d == 0 ? 1 : 2); kind_number++) {
            bsi_encode_more more;
            bsi_encode_begin_more(&more, &encoder, dtype, (biost_quality_kind)(kind_number + 1), 0);
            for (uint32_t i = 0; i < 256; i++) {
                uint8_t expected[8] = {0, 0, 0, 0, 0, 0, 0, 0};
                put_element(expected, patterns[kind_number][naive_score((uint8_t)i)], kinds[d].element_bytes);
                test_note("dtype %d, kind %d, byte %u", d, kind_number + 1, i);
                CHECK_MEM(more.elements[i], expected, 8);
            }
        }
    }
}

/* Wishes for more channels: the kind of qualities, and a mask. */
static const struct {
    biost_quality_kind quality;
    int mask;
} wishes[] = {{BIOST_QUALITY_PHRED, 0},
              {BIOST_QUALITY_ERROR, 0},
              {BIOST_QUALITY_NONE, 1},
              {BIOST_QUALITY_PHRED, 1},
              {BIOST_QUALITY_ERROR, 1}};

/* A row of `kind` with more channels, element by element. Returns its bytes. */
static size_t naive_more_row(const kind *k, int wish, const uint8_t *seq, const uint8_t *qual, uint32_t bases,
                             uint8_t *out, uint32_t columns) {
    static uint32_t patterns[7][2][94];
    biost_dtype dtype = k->encoding.dtype;
    int has_quality = wishes[wish].quality != BIOST_QUALITY_NONE;
    uint32_t channels = k->channels + (uint32_t)has_quality + (uint32_t)wishes[wish].mask;
    uint32_t first = k->encoding.pad_side == BIOST_PAD_LEFT ? columns - bases : 0;
    if (patterns[dtype][0][1] == 0) {
        quality_patterns(dtype, patterns[dtype]);
    }
    for (uint32_t i = 0; i < columns; i++) {
        int is_base = i >= first && i < first + bases;
        for (uint32_t c = 0; c < channels; c++) {
            size_t at = k->encoding.layout == BIOST_LAYOUT_NCL ? (size_t)c * columns + i
                                                               : (size_t)i * channels + c;
            uint64_t element = pattern(dtype, is_base ? ONE : ZERO); /* the mask */
            if (c < k->channels) {
                element = naive_cell(k, seq, bases, columns, i, c);
            } else if (c == k->channels && has_quality) {
                element = is_base ? patterns[dtype][wishes[wish].quality - 1][naive_score(qual[i - first])]
                                  : 0;
            }
            put_element(out + at * k->element_bytes, element, k->element_bytes);
        }
    }
    return (size_t)columns * channels * k->element_bytes;
}

/* Rows of one kind and wish, of every length up to 80, in memory that ends with them. */
static void check_more_rows(const kind *k, int wish, uint32_t cpu) {
    uint64_t random = test_seed() + (uint64_t)wish;
    biost_encoder encoder = made(k, cpu);
    bsi_encode_more more;
    bsi_encode_begin_more(&more, &encoder, k->encoding.dtype, wishes[wish].quality, wishes[wish].mask);
    bsi_kernels_encode_more(&more, cpu);
    for (uint32_t bases = 0; bases <= 80; bases++) {
        uint32_t columns = bases + bases % (MOST_PAD + 1);
        size_t bytes = (size_t)columns * (k->channels + more.channels) * k->element_bytes;
        uint8_t *seq = test_copy(NULL, bases), *qual = test_copy(NULL, bases), *out = test_copy(NULL, bytes);
        encode_random_sequence(&random, seq, bases);
        for (uint32_t i = 0; i < bases; i++) {
            qual[i] = (uint8_t)(i % 9 == 8 ? test_random(&random) : 33 + test_random(&random) % 94);
        }
        test_note("%s, wish %d, cpu %x, %u bases", k->name, wish, (unsigned)cpu, bases);
        CHECK_EQ_U64(naive_more_row(k, wish, seq, qual, bases, expected_row, columns), bytes);
        bsi_encode_more_row(&encoder, &more, seq, more.has_quality ? qual : NULL, bases, out, columns);
        CHECK_MEM(out, expected_row, bytes);
        free(seq);
        free(qual);
        free(out);
    }
    bsi_encode_more_row(&encoder, &more, NULL, NULL, 0, row_memory, 7); /* a row of padding */
    naive_more_row(k, wish, NULL, NULL, 0, expected_row, 7);
    CHECK_MEM(row_memory, expected_row, (size_t)7 * (k->channels + more.channels) * k->element_bytes);
}

TEST(encode, rows_with_more_channels) {
    kernel_mask masks[KERNELS_KNOWN];
    size_t count = all_masks(masks);
    for (int i = 0; i < KINDS; i++) {
        for (int wish = 0; wish < (int)(sizeof wishes / sizeof wishes[0]); wish++) {
            int is_u8 = kinds[i].encoding.dtype == BIOST_DTYPE_U8;
            if (kinds[i].encoding.kind == BIOST_ENCODE_TOKENS ||
                (is_u8 && wishes[wish].quality == BIOST_QUALITY_ERROR)) {
                continue;
            }
            for (size_t m = 0; m < count; m++) {
                check_more_rows(&kinds[i], wish, masks[m].cpu);
            }
        }
    }
}

/* Only U8 of four channels side by side, in any order of A C G T, has a kernel. */
TEST(encode, more_kernels_picked) {
    static const char *const picked[] = {"u8", "u8 CATG left"};
    for (int i = 0; i < KINDS; i++) {
        biost_encoder encoder = made(&kinds[i], 0);
        int is_picked = strcmp(kinds[i].name, picked[0]) == 0 || strcmp(kinds[i].name, picked[1]) == 0;
        bsi_encode_more more;
        bsi_encode_begin_more(&more, &encoder, kinds[i].encoding.dtype, BIOST_QUALITY_NONE, 1);
        test_note("%s", kinds[i].name);
        CHECK(more.wide == bsi_encode_more_wide);
        CHECK(more.is_plain == is_picked);
        bsi_kernels_encode_more(&more, BIOST_CPU_AVX2);
#if BSI_CPU_X86_AVX2
        CHECK(more.wide == (is_picked ? bsi_encode_more_avx2 : bsi_encode_more_wide));
#endif
        bsi_kernels_encode_more(&more, 0);
        CHECK(more.wide == bsi_encode_more_wide);
    }
}

/* ---- digests ---- */

static uint8_t *put_number(uint8_t *out, uint64_t value, int bytes) {
    for (; bytes > 0; bytes--) {
        *out++ = (uint8_t)value;
        value /= 256;
    }
    return out;
}

/* What follows the elements: length i32, id i64, piece u32, start_base i64. */
static uint8_t *put_tail(uint8_t *out, uint32_t length, const biost_row *origin) {
    out = put_number(out, length, 4);
    out = put_number(out, (uint64_t)origin->id, 8);
    out = put_number(out, origin->piece, 4);
    return put_number(out, (uint64_t)origin->start_base, 8);
}

/* The seed is XXH64 of {epoch, batch, row}. */
static uint64_t place_seed(const uint64_t place[3]) {
    uint8_t bytes[24], *at = bytes;
    for (int i = 0; i < 3; i++) {
        at = put_number(at, place[i], 8);
    }
    return slow_xxh64(bytes, 24, 0);
}

/* The definition: elements as little-endian patterns in the row's order, then the tail. */
static uint64_t slow_digest(const kind *k, const char *seq, uint32_t columns, const biost_row *origin,
                            const uint64_t place[3]) {
    static uint8_t bytes[64 * MOST_COLUMN_BYTES + 24];
    uint8_t *at = bytes;
    uint32_t bases = (uint32_t)strlen(seq);
    int is_ncl = k->encoding.layout == BIOST_LAYOUT_NCL;
    uint32_t outer = is_ncl ? k->channels : columns, inner = is_ncl ? columns : k->channels;
    for (uint32_t i = 0; i < outer; i++) {
        for (uint32_t j = 0; j < inner; j++) {
            at = put_number(
                at, naive_cell(k, (const uint8_t *)seq, bases, columns, is_ncl ? j : i, is_ncl ? i : j),
                (int)k->element_bytes);
        }
    }
    at = put_tail(at, bases, origin);
    return slow_xxh64(bytes, (size_t)(at - bytes), place_seed(place));
}

static uint64_t digest_of(const kind *k, const char *seq, uint32_t columns, const biost_row *origin,
                          const uint64_t place[3]) {
    static uint8_t row[64 * MOST_COLUMN_BYTES];
    uint32_t bases = (uint32_t)strlen(seq);
    const int32_t length = (int32_t)bases;
    biost_encoder encoder = made(k, UINT32_MAX);
    bsi_encode_part part;
    biost_encode_row(&encoder, seq, bases, row, columns);
    part.row = row;
    part.bytes = (size_t)columns * encoder.base_bytes;
    part.element_bytes = encoder.element_bytes;
    return bsi_encode_digest(&part, 1, &length, origin, 1, place);
}

static biost_row sample_origin(void) {
    biost_row origin;
    memset(&origin, 0, sizeof origin);
    origin.id = ((int64_t)0x123456 << 40) | 0x789ABCDEF0;
    origin.piece = 0x80000005u;
    origin.start_base = 0x1122334455667788;
    origin.flags = BIOST_ROW_REVERSED; /* not hashed: it shows in the elements */
    return origin;
}

static const uint64_t sample_place[3] = {0x0102030405060708u, 9, 0xFFFFFFFFu};

/* The whole byte string once, by hand: tokens of "AC", one base of padding. */
TEST(encode, digest_by_hand) {
    static const uint8_t string[] = {
        1,    2,    0,                                  /* elements             */
        2,    0,    0,    0,                            /* length               */
        0xF0, 0xDE, 0xBC, 0x9A, 0x78, 0x56, 0x34, 0x12, /* id: path, record     */
        5,    0,    0,    0x80,                         /* piece, second mate's */
        0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, /* start_base           */
    };
    static const uint8_t place[24] = {8, 7, 6, 5, 4,    3,    2,    1,    9, 0, 0, 0,
                                      0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0};
    biost_row origin = sample_origin();
    CHECK_EQ_U64(digest_of(&kinds[4], "AC", 3, &origin, sample_place),
                 slow_xxh64(string, sizeof string, slow_xxh64(place, sizeof place, 0)));
}

/* Four tensors of a row by hand: one-hot F16 of "A", quality F32 of Q 1, mask, labels of two I64. */
TEST(encode, digest_of_parts_by_hand) {
    const int32_t one = 1;
    static const uint8_t string[] = {
        0,    0x3C, 0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, /* F16 [2][4]        */
        0,    0,    0x80, 0x3F, 0,    0,    0,    0,                            /* F32 [2]: 1.0, pad */
        1,    0,                                                                /* U8 [2]            */
        0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,                         /* I64 [2]: -2       */
        5,    0,    0,    0,    1,    0,    0,    0,                            /* 5 + 2^32          */
        1,    0,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 7, 0, 0, 0,
        0,    0,    0,    0,    0,    0,    0,    0, /* the tail: 1, 0, 7, 0 */
    };
    static const uint64_t place[3] = {0, 0, 0};
    const uint16_t x[8] = {0x3C00, 0, 0, 0, 0, 0, 0, 0};
    const float quality[2] = {1.0f, 0.0f};
    const uint8_t mask[2] = {1, 0};
    const int64_t labels[2] = {-2, ((int64_t)1 << 32) + 5};
    bsi_encode_part parts[4];
    biost_row origin;
    memset(&origin, 0, sizeof origin);
    origin.piece = 7;
    parts[0].row = (const uint8_t *)x;
    parts[0].bytes = sizeof x;
    parts[0].element_bytes = 2;
    parts[1].row = (const uint8_t *)quality;
    parts[1].bytes = sizeof quality;
    parts[1].element_bytes = 4;
    parts[2].row = mask;
    parts[2].bytes = sizeof mask;
    parts[2].element_bytes = 1;
    parts[3].row = (const uint8_t *)labels;
    parts[3].bytes = sizeof labels;
    parts[3].element_bytes = 8;
    CHECK_EQ_U64(bsi_encode_digest(parts, 4, &one, &origin, 1, place),
                 slow_xxh64(string, sizeof string, place_seed(place)));
}

/* Rows of `bytes` bytes side by side, with a second tensor of `more`: the sum of what each gives by itself. */
static void check_digests(uint32_t cpu, size_t bytes, size_t more, uint64_t *random) {
    static uint8_t tensors[2][BSI_HASH_MANY * 200];
    uint64_t place[3] = {test_random(random), test_random(random), UINT64_MAX - 2}, expected = 0;
    uint32_t count = (uint32_t)(bytes > 0) + (more > 0);
    int32_t lengths[BSI_HASH_MANY];
    biost_row origins[BSI_HASH_MANY];
    bsi_encode_part parts[2] = {{tensors[0], bytes, 1}, {tensors[1], more, 1}};
    bsi_hash_kernels kernels;
    bsi_kernels_hash(&kernels, cpu);
    for (size_t i = 0; i < sizeof tensors; i++) {
        tensors[i / sizeof tensors[0]][i % sizeof tensors[0]] = (uint8_t)test_random(random);
    }
    for (uint32_t i = 0; i < BSI_HASH_MANY; i++) {
        const uint64_t own[3] = {place[0], place[1], place[2] + i};
        bsi_encode_part part[2] = {parts[0], parts[1]};
        lengths[i] = (int32_t)test_random(random);
        origins[i].id = (int64_t)test_random(random);
        origins[i].start_base = (int64_t)test_random(random);
        origins[i].piece = (uint32_t)test_random(random);
        origins[i].flags = 0;
        part[0].row += i * bytes;
        part[1].row += i * more;
        expected += bsi_encode_digest(part, count, &lengths[i], &origins[i], 1, own);
    }
    CHECK_EQ_U64(bsi_encode_digest_many(&kernels, parts, count, lengths, origins, place), expected);
}

TEST(encode, digests_side_by_side) {
    uint64_t random = test_seed();
    for (size_t bytes = 0; bytes < 200; bytes++) {
        test_note("%u bytes", (unsigned)bytes);
        for (size_t more = 0; more < 50 && (more == 0 || bytes > 0); more += 1 + more / 2) {
            check_digests(0, bytes, more, &random);
            check_digests(bsi_cpu_features(), bytes, more, &random);
        }
    }
}

TEST(encode, digests_of_all_kinds) {
    static const char *const rows[] = {"", "A", "ACGTN", "acgtuACGTURYKM-*ACGTACGTACGTACGTAACCGGTT"};
    uint64_t random = test_seed();
    fill_tables();
    for (int k = 0; k < KINDS; k++) {
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            for (uint32_t pad = 0; pad < 20; pad++) {
                uint32_t columns = (uint32_t)strlen(rows[r]) + pad;
                biost_row origin = sample_origin();
                uint64_t place[3];
                for (int i = 0; i < 3; i++) {
                    place[i] = test_random(&random);
                }
                origin.id = (int64_t)(test_random(&random) >> 1);
                test_note("%s, row %u, %u padded", kinds[k].name, (unsigned)r, pad);
                CHECK_EQ_U64(digest_of(&kinds[k], rows[r], columns, &origin, place),
                             slow_digest(&kinds[k], rows[r], columns, &origin, place));
            }
        }
    }
}

/* Every input of the digest counts: one changed base, padding, dtype, place or origin. */
TEST(encode, digest_sees_everything) {
    uint64_t seen[32];
    int count = 0;
    biost_row origin = sample_origin();
    const char *seq = "ACGTACGTAC";
    char changed[16];
    for (int k = 0; k < 5; k++) { /* u8, f16, bf16, f32, tokens */
        seen[count++] = digest_of(&kinds[k], seq, 12, &origin, sample_place);
    }
    for (int i = 0; i < 10; i++) {
        strcpy(changed, seq);
        changed[i] = changed[i] == 'A' ? 'C' : 'A';
        seen[count++] = digest_of(&kinds[0], changed, 12, &origin, sample_place);
    }
    seen[count++] = digest_of(&kinds[0], seq, 13, &origin, sample_place);
    /* N is a zero row like padding: only the length tells */
    seen[count++] = digest_of(&kinds[0], "ACGTACGTACN", 12, &origin, sample_place);
    for (int i = 0; i < 3; i++) {
        uint64_t place[3];
        memcpy(place, sample_place, sizeof place);
        place[i] ^= (uint64_t)1 << 63;
        seen[count++] = digest_of(&kinds[0], seq, 12, &origin, place);
    }
    origin.id ^= 1;
    seen[count++] = digest_of(&kinds[0], seq, 12, &origin, sample_place);
    origin = sample_origin();
    origin.piece ^= 0x80000000u;
    seen[count++] = digest_of(&kinds[0], seq, 12, &origin, sample_place);
    origin = sample_origin();
    origin.start_base ^= (int64_t)1 << 62;
    seen[count++] = digest_of(&kinds[0], seq, 12, &origin, sample_place);
    CHECK(count <= 32);
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            test_note("variants %d and %d", i, j);
            CHECK(seen[i] != seen[j]);
        }
    }
}
