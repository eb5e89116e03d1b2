/*
 * test_encode.c - what bytes mean, rows of numbers against naive loops, and the digest of a row
 * against a byte string put together by hand and hashed by xxh64.h.
 */
#include "white.h"
#include "test.h"
#include "xxh64.h"

/* The kinds of tensors there are, and the pattern of the number one in each. */
typedef struct kind {
    const char *name;
    biost_encode encode;
    biost_dtype dtype;
    uint32_t element_bytes, channels, one;
} kind;

static const kind kinds[] = {
    {"one-hot u8", BIOST_ENCODE_ONEHOT, BIOST_DTYPE_U8, 1, 4, 1},
    {"one-hot f16", BIOST_ENCODE_ONEHOT, BIOST_DTYPE_F16, 2, 4, 0x3C00},     /* 0 01111 0...0    */
    {"one-hot f32", BIOST_ENCODE_ONEHOT, BIOST_DTYPE_F32, 4, 4, 0x3F800000}, /* 0 01111111 0...0 */
    {"tokens u8", BIOST_ENCODE_TOKENS, BIOST_DTYPE_U8, 1, 1, 1},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The channel of a byte, 0..3 for A C G T, or 4. */
static uint32_t naive_channel(uint8_t byte) {
    static const char channels[5][4] = {"Aa", "Cc", "Gg", "Tt", "Uu"};
    for (uint32_t i = 0; i < 5; i++) {
        if (byte == (uint8_t)channels[i][0] || byte == (uint8_t)channels[i][1]) {
            return i < 4 ? i : 3;
        }
    }
    return 4;
}

/* Element `channel` of a base, as a number of the kind's width. */
static uint32_t naive_element(const kind *k, uint8_t byte, uint32_t channel) {
    if (k->encode == BIOST_ENCODE_TOKENS) {
        return naive_channel(byte) + 1;
    }
    return naive_channel(byte) == channel ? k->one : 0;
}

static void put_element(uint8_t *out, uint32_t value, uint32_t bytes) {
    uint8_t u8 = (uint8_t)value;
    uint16_t u16 = (uint16_t)value;
    const void *from = bytes == 1 ? (void *)&u8 : bytes == 2 ? (void *)&u16 : (void *)&value;
    memcpy(out, from, bytes); /* in the machine's order */
}

/* [row_bases][channels] elements, one after another; padding is zero. */
static void naive_row(const kind *k, const uint8_t *seq, uint32_t bases, uint8_t *out,
                      uint32_t row_bases) {
    for (uint32_t i = 0; i < row_bases; i++) {
        for (uint32_t c = 0; c < k->channels; c++) {
            put_element(out, i < bases ? naive_element(k, seq[i], c) : 0, k->element_bytes);
            out += k->element_bytes;
        }
    }
}

/* ---- the alphabet ---- */

TEST(encode, codes_of_all_bytes) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        test_note("byte %u", byte);
        CHECK_EQ_U64(bsi_alphabet_code((uint8_t)byte), naive_channel((uint8_t)byte));
    }
}

/* ---- rows ---- */

TEST(encode, one_is_one) {
    uint8_t u8 = 0;
    uint16_t f16 = 0;
    float f32 = 0;
    bsi_encode_one(&u8, BIOST_DTYPE_U8);
    bsi_encode_one((uint8_t *)&f16, BIOST_DTYPE_F16);
    bsi_encode_one((uint8_t *)&f32, BIOST_DTYPE_F32);
    CHECK_EQ_U64(u8, 1);
    CHECK_EQ_U64(f16, 0x3C00);
    CHECK(f32 == 1.0f);
}

TEST(encode, sizes_of_elements) {
    for (int i = 0; i < KINDS; i++) {
        bsi_encode encode;
        bsi_encode_begin(&encode, kinds[i].encode, kinds[i].dtype);
        test_note("%s", kinds[i].name);
        CHECK_EQ_U64(encode.element_bytes, kinds[i].element_bytes);
        CHECK_EQ_U64(encode.channels, kinds[i].channels);
        CHECK_EQ_U64(encode.base_bytes, kinds[i].element_bytes * kinds[i].channels);
    }
}

/* By eye: AcGtUnN and one base of padding. */
TEST(encode, onehot_by_hand) {
    static const uint8_t expected[8][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1},
                                           {0, 0, 0, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    uint8_t out[8][4];
    bsi_encode encode;
    bsi_encode_begin(&encode, BIOST_ENCODE_ONEHOT, BIOST_DTYPE_U8);
    bsi_encode_row(&encode, (const uint8_t *)"AcGtUnN", 7, out[0], 8);
    CHECK_MEM(out, expected, sizeof expected);
}

/* In AAM's tokens padding and unknown are both 0, and in DeepBioP's one-hot rows padding and N are
 * both zero. Tokens keep them apart; for one-hot rows biost_batch.lengths does. */
TEST(encode, padding_and_unknown_collide_in_aam) {
    static const uint8_t expected[9] = {1, 2, 3, 4, 4, 5, 5, 0, 0};
    uint8_t out[9];
    bsi_encode encode;
    bsi_encode_begin(&encode, BIOST_ENCODE_TOKENS, BIOST_DTYPE_U8);
    bsi_encode_row(&encode, (const uint8_t *)"ACgtuN*", 7, out, 9);
    CHECK_MEM(out, expected, sizeof expected);
}

TEST(encode, all_bytes) {
    uint8_t seq[256], out[256 * 16], expected[256 * 16];
    for (int i = 0; i < 256; i++) {
        seq[i] = (uint8_t)i;
    }
    for (int i = 0; i < KINDS; i++) {
        bsi_encode encode;
        size_t bytes = 256 * (size_t)kinds[i].channels * kinds[i].element_bytes;
        bsi_encode_begin(&encode, kinds[i].encode, kinds[i].dtype);
        bsi_encode_row(&encode, seq, 256, out, 256);
        naive_row(&kinds[i], seq, 256, expected, 256);
        test_note("%s", kinds[i].name);
        CHECK_MEM(out, expected, bytes);
    }
}

enum { MOST_BASES = 300, MOST_PAD = 19, GUARD = 64 };

/* One length at 64 alignments of sequence and row, with the bytes around the row watched. The
 * sequence ends where its memory does. */
static void check_alignments(const kind *k, const bsi_encode *encode, const uint8_t *seq,
                             uint32_t bases) {
    static uint8_t expected[(MOST_BASES + MOST_PAD) * 16], memory[sizeof expected + 3 * GUARD];
    static uint8_t guard[GUARD * 2];
    uint32_t row_bases = bases + bases % (MOST_PAD + 1);
    size_t bytes = (size_t)row_bases * encode->base_bytes;
    naive_row(k, seq, bases, expected, row_bases);
    memset(guard, 0xA5, sizeof guard);
    for (size_t shift = 0; shift < 64; shift++) {
        uint8_t *copy = test_copy(NULL, shift + bases), *out = memory + GUARD + shift;
        memcpy(copy + shift, seq, bases);
        memset(memory, 0xA5, bytes + 3 * GUARD);
        bsi_encode_row(encode, copy + shift, bases, out, row_bases);
        CHECK_MEM(out, expected, bytes);
        CHECK_MEM(memory, guard, GUARD + shift);
        CHECK_MEM(out + bytes, guard, 2 * GUARD - shift);
        free(copy);
    }
}

TEST(encode, lengths_and_alignments) {
    static const char letters[] = "ACGTACGTACGTacgtNnUuRY-*";
    uint64_t random = test_seed();
    uint8_t seq[MOST_BASES];
    for (uint32_t i = 0; i < MOST_BASES; i++) {
        seq[i] = (uint8_t)letters[test_random(&random) % (sizeof letters - 1)];
    }
    for (int i = 0; i < KINDS; i++) {
        bsi_encode encode;
        bsi_encode_begin(&encode, kinds[i].encode, kinds[i].dtype);
        for (uint32_t bases = 0; bases <= MOST_BASES; bases++) {
            test_note("%s, %u bases", kinds[i].name, bases);
            check_alignments(&kinds[i], &encode, seq, bases);
        }
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

/* The definition: elements as little-endian patterns, then length i32, id i64, piece u32,
 * start_base i64; the seed is XXH64 of {epoch, batch, row}. */
static uint64_t slow_digest(const kind *k, const char *seq, uint32_t row_bases,
                            const biost_row *origin, const uint64_t place[3]) {
    uint8_t bytes[4096], seed_bytes[24], *at = bytes, *seed_at = seed_bytes;
    uint32_t bases = (uint32_t)strlen(seq);
    for (int i = 0; i < 3; i++) {
        seed_at = put_number(seed_at, place[i], 8);
    }
    for (uint32_t i = 0; i < row_bases; i++) {
        for (uint32_t c = 0; c < k->channels; c++) {
            uint32_t element = i < bases ? naive_element(k, (uint8_t)seq[i], c) : 0;
            at = put_number(at, element, (int)k->element_bytes);
        }
    }
    at = put_number(at, bases, 4);
    at = put_number(at, (uint64_t)origin->id, 8);
    at = put_number(at, origin->piece, 4);
    at = put_number(at, (uint64_t)origin->start_base, 8);
    return slow_xxh64(bytes, (size_t)(at - bytes), slow_xxh64(seed_bytes, 24, 0));
}

static uint64_t digest_of(const kind *k, const char *seq, uint32_t row_bases,
                          const biost_row *origin, const uint64_t place[3]) {
    uint8_t row[4096];
    uint32_t bases = (uint32_t)strlen(seq);
    bsi_encode encode;
    bsi_encode_begin(&encode, k->encode, k->dtype);
    bsi_encode_row(&encode, (const uint8_t *)seq, bases, row, row_bases);
    return bsi_encode_digest(&encode, row, (size_t)row_bases * encode.base_bytes, (int32_t)bases,
                             origin, place);
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
    static const uint8_t place[24] = {8, 7, 6, 5, 4, 3, 2, 1, 9,    0,    0,    0,
                                      0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0};
    biost_row origin = sample_origin();
    CHECK_EQ_U64(digest_of(&kinds[3], "AC", 3, &origin, sample_place),
                 slow_xxh64(string, sizeof string, slow_xxh64(place, sizeof place, 0)));
}

TEST(encode, digests_of_all_kinds) {
    static const char *const rows[] = {"", "A", "ACGTN",
                                       "acgtuACGTURYKM-*ACGTACGTACGTACGTAACCGGTT"};
    uint64_t random = test_seed();
    for (int k = 0; k < KINDS; k++) {
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            for (uint32_t pad = 0; pad < 20; pad++) {
                uint32_t row_bases = (uint32_t)strlen(rows[r]) + pad;
                biost_row origin = sample_origin();
                uint64_t place[3];
                for (int i = 0; i < 3; i++) {
                    place[i] = test_random(&random);
                }
                origin.id = (int64_t)(test_random(&random) >> 1);
                test_note("%s, row %u, %u padded", kinds[k].name, (unsigned)r, pad);
                CHECK_EQ_U64(digest_of(&kinds[k], rows[r], row_bases, &origin, place),
                             slow_digest(&kinds[k], rows[r], row_bases, &origin, place));
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
    for (int k = 0; k < KINDS; k++) {
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
