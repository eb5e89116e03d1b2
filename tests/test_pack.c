/*
 * test_pack.c - two bits a base, back again, and k-mers: results worked out by hand, then every kernel
 * against naive loops that set one bit, or number one window, at a time; every byte value, length and
 * alignment, and memory that ends where the arguments do.
 *
 * rooms: pack
 * needs: loader
 */
#include "white.h"
#include "test.h"
#include "kernels.h"
#include <sys/mman.h>
#include <unistd.h>

enum { PACK_MOST_BASES = 600, PACK_GUARD = 64, PACK_ROOM = PACK_MOST_BASES * 8 + 3 * PACK_GUARD };

/* ---- the naive versions ---- */

/* 0 to 3, or -1. */
static int pack_naive_code(uint8_t byte) {
    static const char letters[] = "ACGTUacgtu";
    static const int codes[] = {0, 1, 2, 3, 3, 0, 1, 2, 3, 3};
    for (int i = 0; i < 10; i++) {
        if ((uint8_t)letters[i] == byte) {
            return codes[i];
        }
    }
    return -1;
}

static void set_bit(uint8_t *bits, size_t at) {
    bits[at / 8] = (uint8_t)(bits[at / 8] | 1u << at % 8);
}

static void naive_pack(const uint8_t *seq, size_t bases, uint8_t *packed, uint8_t *mask) {
    memset(packed, 0, (bases + 3) / 4);
    memset(mask, 0, (bases + 7) / 8);
    for (size_t i = 0; i < bases; i++) {
        int code = pack_naive_code(seq[i]);
        if (code < 0) {
            set_bit(mask, i);
        }
        if (code == 1 || code == 3) {
            set_bit(packed, 2 * i);
        }
        if (code == 2 || code == 3) {
            set_bit(packed, 2 * i + 1);
        }
    }
}

/* The number of the window at `seq`. */
static int64_t naive_id(const biost_kmers *kmers, const uint8_t *seq) {
    int64_t id = 0, place = 1;
    for (uint32_t i = kmers->k; i > 0; i--, place *= 4) {
        int code = pack_naive_code(seq[i - 1]);
        if (code < 0) {
            return kmers->unknown_id;
        }
        id += code * place;
    }
    return kmers->first_id + id;
}

static size_t dtype_bytes(biost_dtype dtype) {
    return dtype == BIOST_DTYPE_U16 ? 2 : dtype == BIOST_DTYPE_I32 ? 4 : 8;
}

static size_t naive_kmers(const biost_kmers *kmers, const uint8_t *seq, size_t bases, uint8_t *out) {
    size_t count = 0, bytes = dtype_bytes(kmers->dtype), step = kmers->stride == 0 ? 1 : kmers->stride;
    for (size_t at = 0; at + kmers->k <= bases; at += step, count++) {
        int64_t id = naive_id(kmers, seq + at);
        uint16_t u16 = (uint16_t)id;
        int32_t i32 = (int32_t)id;
        memcpy(out + count * bytes,
               bytes == 2   ? (void *)&u16
               : bytes == 4 ? (void *)&i32
                            : (void *)&id,
               bytes);
    }
    return count;
}

/* ---- by hand ---- */

/*
 * A 00, C 01, G 10, T 11, the first base lowest: ACGT is 11 10 01 00 = 0xE4, TTUU 0xFF, ugca 00 01 10 11 =
 * 0x1B, N-@C 01 00 00 00 = 0x40, and x 00. Of the mask, bits 4, 5, 6 of byte 1 and bit 0 of byte 2 are 1.
 */
TEST(pack, by_hand) {
    static const uint8_t packed[5] = {0xE4, 0xFF, 0x1B, 0x40, 0x00}, mask[3] = {0x00, 0x70, 0x01};
    uint8_t bits[5], others[3];
    char seq[18];
    biost_pack_bases(0, "ACGTTTUUugcaN-@CxAAT", 17, bits, others);
    CHECK_MEM(bits, packed, 5);
    CHECK_MEM(others, mask, 3);
    memset(seq, '?', sizeof seq);
    biost_unpack_bases(0, bits, others, 17, seq);
    CHECK_MEM(seq, "ACGTTTTTTGCANNNCN?", 18);
    biost_unpack_bases(0, bits, NULL, 17, seq);
    CHECK_MEM(seq, "ACGTTTTTTGCAAAACA?", 18);
}

/* 3-mers: ACG 0 x 16 + 1 x 4 + 2 = 6, CGT 16 + 8 + 3 = 27, GTn is not known, TTT 63. */
TEST(pack, kmers_by_hand) {
    static const uint16_t expected[6] = {106, 127, 7, 7, 7, 163};
    static const int32_t strided[3] = {-2, 0, 55};
    uint16_t ids[6];
    int32_t ids32[3];
    size_t windows = 99;
    biost_kmers kmers = {3, 0, BIOST_DTYPE_U16, 100, 7};
    biost_kmers third = {3, 3, BIOST_DTYPE_I32, -8, 0};
    CHECK_EQ_I64(biost_encode_kmers(&kmers, 0, "acgtnuut", 8, ids, &windows), BIOST_OK);
    CHECK_EQ_U64(windows, 6);
    CHECK_MEM(ids, expected, sizeof ids);
    CHECK_EQ_I64(biost_encode_kmers(&third, 0, "ACGTnUUUTAA", 11, ids32, &windows), BIOST_OK);
    CHECK_EQ_U64(windows, 3); /* ACG, TnU, UUT; AA is short */
    CHECK_MEM(ids32, strided, sizeof ids32);
}

/* The largest: 15 times T is 4^15 - 1 = 1073741823; 8 times T fills 16 bits. */
TEST(pack, kmers_at_the_limits) {
    char seq[41];
    int64_t ids[41];
    uint16_t ids16[41];
    int32_t ids32[41];
    size_t windows;
    biost_kmers kmers = {15, 1, BIOST_DTYPE_I64, INT32_MAX - 1073741823, INT32_MIN};
    memset(seq, 'T', sizeof seq);
    CHECK_EQ_I64(biost_encode_kmers(&kmers, biost_cpu(), seq, 41, ids, &windows), BIOST_OK);
    CHECK_EQ_U64(windows, 27);
    CHECK(ids[0] == INT32_MAX && ids[26] == INT32_MAX);
    seq[0] = seq[30] = 'N';
    kmers.dtype = BIOST_DTYPE_I32;
    CHECK_EQ_I64(biost_encode_kmers(&kmers, biost_cpu(), seq, 41, ids32, &windows), BIOST_OK);
    CHECK(ids32[0] == INT32_MIN && ids32[1] == INT32_MAX && ids32[26] == INT32_MIN);
    kmers.first_id++;
    CHECK_EQ_I64(biost_encode_kmers(&kmers, 0, seq, 41, ids32, NULL), BIOST_ERR_ARG);
    kmers.k = 8;
    kmers.dtype = BIOST_DTYPE_U16;
    kmers.first_id = 0;
    kmers.unknown_id = 65535;
    CHECK_EQ_I64(biost_encode_kmers(&kmers, biost_cpu(), seq, 41, ids16, &windows), BIOST_OK);
    CHECK_EQ_U64(windows, 34);
    CHECK(ids16[1] == 65535 && ids16[0] == 65535 && ids16[33] == 65535);
    seq[0] = 'A'; /* 65535 - 3 x 4^7 */
    CHECK_EQ_I64(biost_encode_kmers(&kmers, biost_cpu(), seq, 41, ids16, &windows), BIOST_OK);
    CHECK_EQ_U64(ids16[0], 16383);
}

static kernel_call take_pick(uint32_t cpu, int which) {
    bsi_pack_kernels kernels;
    bsi_kernels_pack(&kernels, cpu);
    return which == 0   ? (kernel_call)kernels.take
           : which == 1 ? (kernel_call)kernels.see
                        : (kernel_call)kernels.squeeze;
}

enum { MASK_BYTES = BSI_PACK_PIECE / 8 + 8 }; /* of a piece's bits, with those that kernels write past them */

/* What a piece has, one letter at a time. Returns which BSI_PACK_. */
static uint32_t naive_look(const uint8_t *seq, size_t bases, int has_u, uint32_t counts[4],
                           uint8_t bits[2][MASK_BYTES]) {
    uint32_t what = 0;
    memset(counts, 0, 4 * sizeof counts[0]);
    memset(bits, 0, 2 * MASK_BYTES);
    for (size_t i = 0; i < bases; i++) {
        const int is_u = seq[i] == 'U' || seq[i] == 'u', is_n = seq[i] == 'N' || seq[i] == 'n';
        const int code = pack_naive_code(seq[i]);
        counts[0] += (uint32_t)((code < 0 || is_u) && !is_n);
        counts[1] += (uint32_t)(code == 1 || code == 2);
        counts[2] += (uint32_t)is_n;
        if (seq[i] >= 'a' && seq[i] <= 'z') {
            set_bit(bits[0], i);
            counts[3]++;
        }
        if (code < 0 || (is_u && !has_u)) {
            set_bit(bits[1], i);
        }
        what |= !has_u || code != 3 ? 0 : is_u ? BSI_PACK_U : BSI_PACK_T;
    }
    return what;
}

/*
 * Pieces packed after some bases, and what is in them: each kernel, every byte value, length and alignment, against
 * one letter at a time.
 */
TEST(pack, take) {
    static uint8_t seq[BSI_PACK_PIECE + 64], packed[BSI_PACK_PIECE / 4 + 64], want[BSI_PACK_PIECE / 4 + 64];
    static uint8_t all[BSI_PACK_PIECE + 64], mask[BSI_PACK_PIECE / 8 + 64];
    static uint8_t bits[2][MASK_BYTES], want_bits[2][MASK_BYTES];
    uint8_t *const out_bits[2] = {bits[0], bits[1]};
    uint32_t counts[4], want_counts[4];
    kernel_mask masks[KERNELS_KNOWN];
    uint64_t random = 5;
    const size_t count = kernels_here(take_pick, 0, masks);
    kernels_print("take", masks, count);
    for (size_t way = 0; way < 1000; way++) {
        const size_t bases = way < 996 ? way / 4 + 1 : BSI_PACK_PIECE - way % 3, skip = way % 4,
                     from = bases % 7;
        const int has_u = way / 4 % 2 == 0;
        uint32_t what;
        for (size_t i = 0; i < from + bases + 31; i++) {
            seq[i] = way % 3 == 0 ? (uint8_t)test_random(&random)
                                  : (uint8_t) "ACGTacgtUuNn"[(i * bases) % (4 + bases % 9)];
        }
        memcpy(all, "TGCT", 4);
        memcpy(all + skip, seq + from, bases);
        naive_pack(all, skip + bases, want, mask);
        what = naive_look(seq + from, bases, has_u, want_counts, want_bits);
        for (size_t k = 0; k < count; k++) {
            bsi_pack_kernels kernels;
            bsi_kernels_pack(&kernels, masks[k].cpu);
            test_note("%s, %u bases after %u, %d", masks[k].name, (unsigned)bases, (unsigned)skip, has_u);
            memset(packed, 0xA5, sizeof packed);
            packed[0] = (uint8_t)(0xDB ^
                                  (0x5A & ~0u << 2 * skip)); /* TGCT as far as it is there, then other bits */
            memset(bits, 0xA5, sizeof bits);
            CHECK_EQ_U64(kernels.take(seq + from, bases, has_u, packed, (uint32_t)skip, counts, out_bits),
                         what);
            CHECK_MEM(packed, want, (skip + bases + 3) / 4);
            CHECK(packed[(skip + bases + 3) / 4 + 16] == 0xA5);
            CHECK_MEM(counts, want_counts, sizeof counts);
            CHECK_MEM(bits[0], want_bits[0], (bases + 7) / 8);
            CHECK_MEM(bits[1], want_bits[1], (bases + 7) / 8);
            CHECK(bits[0][(bases + 7) / 8 + 7] == 0xA5 && bits[1][(bases + 7) / 8 + 7] == 0xA5);
        }
    }
}

/* ---- spelling ---- */

static kernel_call spell_pick(uint32_t cpu, int which) {
    bsi_pack_kernels kernels;
    bsi_kernels_pack(&kernels, cpu);
    return which == 0   ? (kernel_call)kernels.spell
           : which == 1 ? (kernel_call)kernels.grade
                        : (kernel_call)kernels.lay;
}

/* Random packed bases, and the 8 bytes after them that may be read, on the heap: nothing else may be. */
static uint8_t *packed_random(size_t bases, uint64_t *random) {
    const size_t bytes = (bases + 3) / 4 + 8;
    uint8_t *packed = (uint8_t *)malloc(bytes);
    for (size_t i = 0; i < bytes; i++) {
        packed[i] = (uint8_t)(test_random(random) >> 32);
    }
    return packed;
}

/* Bases from any place of packed bytes, both ways, in any four bytes: each is two bits, the lowest first. */
TEST(pack, spelled) {
    enum { PLACES = 9, MOST = 200 };
    static const uint8_t alphabets[2][4] = {{'A', 'C', 'G', 'T'}, {255, 0, 7, 128}};
    kernel_mask masks[KERNELS_KNOWN];
    size_t count = kernels_here(spell_pick, 0, masks);
    uint64_t random = 3;
    CHECK(count > 0);
    kernels_print("pack, spelled", masks, count);
    for (size_t bases = 0; bases <= MOST; bases++) {
        const size_t from = bases % PLACES;
        uint8_t *packed = packed_random(from + bases, &random);
        uint8_t out[MOST + 2], want[MOST + 2];
        for (size_t k = 0; k < 4 * count; k++) {
            const uint8_t *alphabet = alphabets[k / 2 % 2];
            const int turned = (int)(k % 2);
            bsi_pack_kernels kernels;
            memset(out, 0xA5, sizeof out);
            memset(want, 0xA5, sizeof want);
            for (size_t i = 0; i < bases; i++) {
                const size_t at = from + i;
                want[1 + (turned ? bases - 1 - i : i)] = alphabet[packed[at / 4] >> 2 * (at % 4) & 3];
            }
            bsi_kernels_pack(&kernels, masks[k / 4].cpu);
            test_note("%s, %u bases, turned %d", masks[k / 4].name, (unsigned)bases, turned);
            kernels.spell(packed, from, bases, alphabet, turned, out + 1);
            CHECK_MEM(out, want, bases + 2);
        }
        free(packed);
    }
}

/* Likewise as elements of four bytes. */
TEST(pack, laid) {
    enum { PLACES = 9, MOST = 100 };
    static const uint8_t elements[4][4] = {{1, 0, 0, 0}, {2, 200, 7, 0}, {0, 3, 255, 4}, {5, 6, 8, 9}};
    kernel_mask masks[KERNELS_KNOWN];
    size_t count = kernels_here(spell_pick, 2, masks);
    uint64_t random = 4;
    CHECK(count > 0);
    kernels_print("pack, laid", masks, count);
    for (size_t bases = 0; bases <= MOST; bases++) {
        const size_t from = bases % PLACES;
        uint8_t *packed = packed_random(from + bases, &random);
        uint8_t out[4 * MOST + 2], want[4 * MOST + 2];
        for (size_t k = 0; k < 2 * count; k++) {
            const int turned = (int)(k % 2);
            bsi_pack_kernels kernels;
            memset(out, 0xA5, sizeof out);
            memset(want, 0xA5, sizeof want);
            for (size_t i = 0; i < 4 * bases; i++) {
                const size_t at = from + (turned ? bases - 1 - i / 4 : i / 4);
                want[1 + i] = elements[packed[at / 4] >> 2 * (at % 4) & 3][i % 4];
            }
            bsi_kernels_pack(&kernels, masks[k / 2].cpu);
            test_note("%s, %u bases, turned %d", masks[k / 2].name, (unsigned)bases, turned);
            kernels.lay(packed, from, bases, elements, turned, out + 1);
            CHECK_MEM(out, want, 4 * bases + 2);
        }
        free(packed);
    }
}

/*
 * Qualities from any place of packed numbers, both ways, from palettes of every size: each is `bits` bits, the lowest
 * first. Memory is no more than may be read. Numbers past the palette give what its last place has.
 */
TEST(pack, graded) {
    enum { MOST = 200, SIZE = 94 };
    kernel_mask masks[KERNELS_KNOWN];
    size_t count = kernels_here(spell_pick, 1, masks);
    uint64_t random = 5;
    CHECK(count > 0);
    kernels_print("pack, graded", masks, count);
    for (size_t way = 0; way < 6 * (MOST + 1); way++) {
        const uint32_t bits = way % 3 == 0 ? 1 : way % 3 == 1 ? 4 : 8, levels = 1 + (uint32_t)(way % SIZE);
        const size_t grades = way / 6, from = way % 7, bytes = ((from + grades) * bits + 7) / 8;
        uint8_t *packed = (uint8_t *)malloc(bytes + (bytes == 0)), *palette = (uint8_t *)malloc(SIZE);
        uint8_t out[MOST + 2], want[MOST + 2];
        for (size_t i = 0; i < bytes; i++) {
            const uint32_t number = (uint32_t)(test_random(&random) >> 32);
            packed[i] = (uint8_t)(bits == 8 && way % 11 != 0 ? number % levels : number);
        }
        for (uint32_t i = 0; i < SIZE; i++) {
            palette[i] = (uint8_t)(i < levels ? 255 - i * 2 : 0);
        }
        for (size_t k = 0; k < 2 * count; k++) {
            const int turned = (int)(k % 2);
            bsi_pack_kernels kernels;
            memset(out, 0xA5, sizeof out);
            memset(want, 0xA5, sizeof want);
            for (size_t i = 0; i < grades; i++) {
                const size_t at = (from + i) * bits;
                const uint32_t number = (uint32_t)packed[at / 8] >> at % 8 & ((1u << bits) - 1);
                want[1 + (turned ? grades - 1 - i : i)] = palette[number < SIZE ? number : SIZE - 1];
            }
            bsi_kernels_pack(&kernels, masks[k / 2].cpu);
            test_note("%s, %u grades of %u bits, turned %d", masks[k / 2].name, (unsigned)grades,
                      (unsigned)bits, turned);
            kernels.grade(packed, from, grades, bits, palette, turned, out + 1);
            CHECK_MEM(out, want, grades + 2);
        }
        free(packed);
        free(palette);
    }
}

/* Which bytes there are, few or all, and their codes: each kernel, every length, into other memory and in place. */
TEST(pack, see_and_squeeze) {
    uint8_t bytes[300 + 31], codes[256], seen[256], want_seen[256], to[300], want[300];
    kernel_mask masks[2][KERNELS_KNOWN];
    uint64_t random = 7;
    size_t counts[2];
    for (int which = 0; which < 2; which++) {
        counts[which] = kernels_here(take_pick, 1 + which, masks[which]);
        kernels_print(which == 0 ? "see" : "squeeze", masks[which], counts[which]);
    }
    for (size_t way = 0; way < 2400; way++) {
        const uint32_t bits = 1u << way % 4, least = (uint32_t)(way % 5 == 0 ? 0 : 33 + way % 32);
        const size_t count = way / 8;
        memset(want_seen, 0, sizeof want_seen);
        memset(want, 0, sizeof want);
        for (uint32_t i = 0; i < 256; i++) { /* codes of bytes past `least`, in no order */
            codes[i] = (uint8_t)((i * 7 + way) & ((1u << bits) - 1));
        }
        for (size_t i = 0; i < count; i++) {
            bytes[i] = (uint8_t)(least + (test_random(&random) >> 40) % (way % 3 == 0 ? 3u : 128u - least));
            want_seen[bytes[i]] = 1;
            for (uint32_t bit = 0; bit < bits; bit++) {
                if (codes[bytes[i]] >> bit & 1) {
                    set_bit(want, i * bits + bit);
                }
            }
        }
        for (size_t k = 0; k < counts[0]; k++) {
            bsi_pack_kernels kernels;
            bsi_kernels_pack(&kernels, masks[0][k].cpu);
            test_note("%s, %u bytes", masks[0][k].name, (unsigned)count);
            kernels.see(bytes, count, seen);
            CHECK_MEM(seen, want_seen, 256);
        }
        for (size_t k = 0; k < 2 * counts[1]; k++) {
            uint8_t in_place[300 + 31];
            bsi_pack_kernels kernels;
            bsi_kernels_pack(&kernels, masks[1][k / 2].cpu);
            test_note("%s, %u bytes in %u bits", masks[1][k / 2].name, (unsigned)count, bits);
            memcpy(in_place, bytes, sizeof in_place);
            kernels.squeeze(codes, k % 2 == 0 ? bytes : in_place, count, bits, k % 2 == 0 ? to : in_place);
            CHECK_MEM(k % 2 == 0 ? to : in_place, want, (count * bits + 7) / 8);
        }
    }
    /* A byte of the upper half, which no reader lets pass, is told of, too. */
    for (size_t k = 0; k < counts[0]; k++) {
        bsi_pack_kernels kernels;
        bsi_kernels_pack(&kernels, masks[0][k].cpu);
        memset(bytes, 200, 64);
        kernels.see(bytes, 64, seen);
        CHECK(seen[200] == 1 && seen[72] == 0);
    }
}

/* ---- what cannot be ---- */

TEST(pack, kmers_refused) {
    /* clang-format off */
    static const biost_kmers bad[] = {
        {0, 1, BIOST_DTYPE_I32, 0, 0},       {16, 1, BIOST_DTYPE_I64, 0, 0},
        {4, 1, BIOST_DTYPE_U8, 0, 0},        {4, 1, BIOST_DTYPE_F32, 0, 0},
        {4, 1, (biost_dtype)7, 0, 0},        {8, 1, BIOST_DTYPE_U16, 1, 0},
        {4, 1, BIOST_DTYPE_U16, -1, 0},      {4, 1, BIOST_DTYPE_U16, 0, -1},
        {4, 1, BIOST_DTYPE_U16, 0, 65536},   {9, 1, BIOST_DTYPE_U16, 0, 0},
        {1, 1, BIOST_DTYPE_I32, INT32_MAX - 2, 0}, {1, 1, BIOST_DTYPE_I64, INT32_MAX - 2, 0}};
    /* clang-format on */
    biost_kmers good = {1, 1, BIOST_DTYPE_I32, INT32_MAX - 3, -1};
    uint8_t out[64], untouched[64];
    size_t windows;
    memset(out, 0xA5, sizeof out);
    memset(untouched, 0xA5, sizeof untouched);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        test_note("wish %u", (unsigned)i);
        windows = 99;
        CHECK_EQ_I64(biost_encode_kmers(&bad[i], 0, "ACGTACGTACGT", 12, out, &windows), BIOST_ERR_ARG);
        CHECK_EQ_U64(windows, 0);
    }
    CHECK_EQ_I64(biost_encode_kmers(NULL, 0, "ACGT", 4, out, NULL), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_encode_kmers(&good, 0, NULL, 4, out, NULL), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_encode_kmers(&good, 0, NULL, 0, out, &windows), BIOST_OK);
    CHECK_EQ_U64(windows, 0);
    CHECK_EQ_I64(biost_encode_kmers(&good, 0, "ACGT", 4, NULL, &windows), BIOST_OK);
    CHECK_EQ_U64(windows, 4);
    biost_pack_bases(0, NULL, 4, out, out + 32);
    biost_pack_bases(0, "ACGT", 4, NULL, NULL);
    biost_unpack_bases(0, NULL, NULL, 4, (char *)out);
    biost_unpack_bases(0, out, NULL, 4, NULL);
    CHECK_MEM(out, untouched, sizeof out);
}

/* A dtype of k-mers is none of encodings. */
TEST(pack, u16_is_for_kmers_only) {
    biost_encoding encoding;
    biost_encoder encoder;
    memset(&encoding, 0, sizeof encoding);
    encoding.dtype = BIOST_DTYPE_U16;
    CHECK_EQ_I64(biost_encoder_init(&encoding, 0, &encoder, NULL), BIOST_ERR_ARG);
    encoding.kind = BIOST_ENCODE_TOKENS;
    CHECK_EQ_I64(biost_encoder_init(&encoding, 0, &encoder, NULL), BIOST_ERR_ARG);
}

/* ---- every kernel ---- */

static kernel_call pack_pick(uint32_t cpu, int which) {
    bsi_pack_kernels kernels;
    bsi_kernels_pack(&kernels, cpu);
    return which == 0   ? (kernel_call)kernels.pack
           : which == 1 ? (kernel_call)kernels.unpack
                        : (kernel_call)kernels.kmers;
}

/* Letters, of which one in `rare` is any byte. */
static void pack_random_sequence(uint64_t *random, uint8_t *seq, size_t bases, uint32_t rare) {
    for (size_t i = 0; i < bases; i++) {
        uint64_t word = test_random(random);
        seq[i] = (word >> 32) % rare == 0 ? (uint8_t)word : (uint8_t) "ACGTacgtTCGAuUAC"[word & 15];
    }
}

/* The first `bytes` of both are the same, and around those of `out` nothing was written. */
static void check_written(const uint8_t *memory, const uint8_t *out, const uint8_t *expected, size_t bytes) {
    static uint8_t guard[2 * PACK_GUARD];
    memset(guard, 0xA5, sizeof guard);
    CHECK_MEM(out, expected, bytes);
    CHECK_MEM(memory, guard, (size_t)(out - memory));
    CHECK_MEM(out + bytes, guard, PACK_GUARD);
}

static uint8_t memory[3][PACK_ROOM], expected[3][PACK_ROOM];

static void check_pack(uint32_t cpu, const uint8_t *seq, size_t bases, size_t shift) {
    uint8_t *packed = memory[0] + PACK_GUARD + shift, *mask = memory[1] + PACK_GUARD + shift;
    uint8_t *letters = memory[2] + PACK_GUARD + shift;
    memset(memory, 0xA5, sizeof memory);
    naive_pack(seq, bases, expected[0], expected[1]);
    biost_pack_bases(cpu, (const char *)seq, bases, packed, mask);
    check_written(memory[0], packed, expected[0], (bases + 3) / 4);
    check_written(memory[1], mask, expected[1], (bases + 7) / 8);
    for (size_t i = 0; i < bases; i++) {
        int code = pack_naive_code(seq[i]);
        expected[2][i] = code < 0 ? (uint8_t)'N' : (uint8_t) "ACGT"[code];
    }
    biost_unpack_bases(cpu, packed, mask, bases, (char *)letters);
    check_written(memory[2], letters, expected[2], bases);
    for (size_t i = 0; i < bases; i++) {
        expected[2][i] = expected[2][i] == 'N' ? (uint8_t)'A' : expected[2][i];
    }
    biost_unpack_bases(cpu, packed, NULL, bases, (char *)letters);
    check_written(memory[2], letters, expected[2], bases);
    memset(memory, 0xA5, sizeof memory);
    biost_pack_bases(cpu, (const char *)seq, bases, packed, NULL);
    biost_pack_bases(cpu, (const char *)seq, bases, NULL, mask);
    check_written(memory[0], packed, expected[0], (bases + 3) / 4);
    check_written(memory[1], mask, expected[1], (bases + 7) / 8);
}

/* Every length; all alignments of short ones. The sequence ends where its memory does. */
TEST(pack, lengths_and_alignments) {
    kernel_mask here[KERNELS_KNOWN];
    size_t count = kernels_here(pack_pick, 0, here);
    uint64_t random = test_seed();
    for (size_t i = 0; i < count * (PACK_MOST_BASES + 1); i++) {
        size_t bases = i / count;
        for (size_t shift = bases > 140 ? bases % 17 : 0; shift<64; shift += bases> 140 ? 17 : 1) {
            uint8_t *seq = test_copy(NULL, shift + bases);
            pack_random_sequence(&random, seq + shift, bases, 1 + (uint32_t)bases % 40);
            test_note("%s, %u bases at %u", here[i % count].name, (unsigned)bases, (unsigned)shift);
            check_pack(here[i % count].cpu, seq + shift, bases, shift);
            free(seq);
        }
    }
    kernels_print("pack", here, count);
}

TEST(pack, every_byte_at_every_place) {
    kernel_mask here[KERNELS_KNOWN];
    size_t count = kernels_here(pack_pick, 0, here);
    uint8_t seq[70];
    for (size_t i = 0; i < count * 256 * 70; i++) {
        for (size_t k = 0; k < sizeof seq; k++) {
            seq[k] = (uint8_t) "GATC"[k % 4];
        }
        seq[i / count / 256] = (uint8_t)(i / count % 256);
        test_note("%s, byte %u at %u", here[i % count].name, (unsigned)(i / count % 256),
                  (unsigned)(i / count / 256));
        memset(memory, 0xA5, sizeof memory);
        naive_pack(seq, sizeof seq, expected[0], expected[1]);
        biost_pack_bases(here[i % count].cpu, (const char *)seq, sizeof seq, memory[0], memory[1]);
        CHECK_MEM(memory[0], expected[0], 18);
        CHECK_MEM(memory[1], expected[1], 9);
    }
}

static void check_kmers(uint32_t cpu, const biost_kmers *kmers, const uint8_t *seq, size_t bases,
                        size_t shift) {
    uint8_t *out = memory[0] + PACK_GUARD + shift;
    size_t windows, wanted = naive_kmers(kmers, seq, bases, expected[0]);
    memset(memory[0], 0xA5, sizeof memory[0]);
    CHECK_EQ_I64(biost_encode_kmers(kmers, cpu, (const char *)seq, bases, out, &windows), BIOST_OK);
    CHECK_EQ_U64(windows, wanted);
    check_written(memory[0], out, expected[0], wanted * dtype_bytes(kmers->dtype));
}

/* Every k with every dtype that holds it, strides 1 to 20, every length; in sequences with other bytes and
 * without. */
TEST(pack, kmers_of_all_kinds) {
    static const biost_dtype dtypes[3] = {BIOST_DTYPE_U16, BIOST_DTYPE_I32, BIOST_DTYPE_I64};
    kernel_mask here[KERNELS_KNOWN];
    size_t count = kernels_here(pack_pick, 2, here);
    uint64_t random = test_seed();
    for (size_t i = 0; i < count * 15 * 3 * 4; i++) {
        biost_kmers kmers;
        size_t rest = i / count;
        uint32_t rare = rest % 2 ? 13 : 1000000000;
        kmers.k = (uint32_t)(rest / 2 / 3 % 15) + 1;
        kmers.stride = rest / 2 / 45 ? (uint32_t)(1 + test_random(&random) % 20) : 0;
        kmers.dtype = dtypes[rest / 2 % 3];
        kmers.first_id = kmers.k == 8 && kmers.dtype == BIOST_DTYPE_U16 ? 0 : 5;
        kmers.unknown_id = kmers.dtype == BIOST_DTYPE_U16 ? 65535 : -77;
        if (kmers.k > 8 && kmers.dtype == BIOST_DTYPE_U16) {
            continue;
        }
        for (size_t bases = 0; bases <= 200; bases++) {
            uint8_t *seq = test_copy(NULL, bases);
            pack_random_sequence(&random, seq, bases, rare);
            test_note("%s, k %u, stride %u, dtype %d, %u bases", here[i % count].name, kmers.k, kmers.stride,
                      (int)kmers.dtype, (unsigned)bases);
            check_kmers(here[i % count].cpu, &kmers, seq, bases, bases % 8 * 8);
            free(seq);
        }
    }
    kernels_print("k-mers", here, count);
}

/* Each byte, alone among bases, at each place that a kernel treats differently. */
TEST(pack, kmers_of_every_byte) {
    kernel_mask here[KERNELS_KNOWN];
    size_t count = kernels_here(pack_pick, 2, here);
    uint8_t seq[61];
    for (size_t i = 0; i < count * 256 * 4; i++) {
        biost_kmers kmers = {1, 1, BIOST_DTYPE_I32, 1, 0};
        kmers.k = "\001\006\010\015"[i / count % 4];
        for (size_t at = 0; at < sizeof seq; at++) {
            for (size_t k = 0; k < sizeof seq; k++) {
                seq[k] = (uint8_t) "GATTC"[k % 5];
            }
            seq[at] = (uint8_t)(i / count / 4);
            test_note("%s, k %u, byte %u at %u", here[i % count].name, kmers.k, (unsigned)(i / count / 4),
                      (unsigned)at);
            check_kmers(here[i % count].cpu, &kmers, seq, sizeof seq, 0);
        }
    }
}

/* ---- nothing outside ---- */

/* Memory between two pages that may be neither read nor written; *out_bytes are inside. */
static uint8_t *pack_guarded(size_t bytes, size_t *out_bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (bytes + page - 1) / page * page;
    uint8_t *map = (uint8_t *)mmap(NULL, inside + 2 * page, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map, page, PROT_NONE) != 0 ||
        mprotect(map + page + inside, page, PROT_NONE) != 0) {
        printf("no memory\n");
        exit(1);
    }
    *out_bytes = inside;
    return map + page;
}

/* Inputs and outputs that begin, or end, where memory does. */
TEST(pack, nothing_outside) {
    size_t room[3], page = (size_t)sysconf(_SC_PAGESIZE), count;
    uint8_t *in = pack_guarded(PACK_MOST_BASES, &room[0]), *out = pack_guarded(8 * PACK_MOST_BASES, &room[1]);
    uint8_t *other = pack_guarded(PACK_MOST_BASES, &room[2]);
    kernel_mask here[KERNELS_KNOWN];
    uint64_t random = test_seed();
    count = kernels_here(pack_pick, 0, here); /* wherever k-mers or unpacking have a kernel, packing has */
    for (size_t i = 0; i < count * 2 * 260; i++) {
        size_t bases = i / count / 2, ids = 0;
        int at_end = i / count % 2;
        uint32_t cpu = here[i % count].cpu;
        size_t packed_bytes = (bases + 3) / 4, mask_bytes = (bases + 7) / 8;
        uint8_t *seq = at_end ? in + room[0] - bases : in;
        uint8_t *packed = at_end ? out + room[1] - packed_bytes : out;
        uint8_t *mask = at_end ? other + room[2] - mask_bytes : other;
        pack_random_sequence(&random, seq, bases, 50);
        naive_pack(seq, bases, expected[0], expected[1]);
        test_note("%s, %u bases, end %d", here[i % count].name, (unsigned)bases, at_end);
        biost_pack_bases(cpu, (const char *)seq, bases, packed, mask);
        CHECK_MEM(packed, expected[0], packed_bytes);
        CHECK_MEM(mask, expected[1], mask_bytes);
        for (uint32_t k = 1; k <= 15; k++) {
            biost_kmers kmers = {1, 1, BIOST_DTYPE_I64, 3, 2};
            uint8_t *to;
            kmers.k = k;
            ids = naive_kmers(&kmers, seq, bases, expected[2]);
            to = at_end ? out + room[1] - ids * 8 : out;
            CHECK_EQ_I64(biost_encode_kmers(&kmers, cpu, (const char *)seq, bases, to, NULL), BIOST_OK);
            CHECK_MEM(to, expected[2], ids * 8);
        }
        memcpy(packed, expected[0], packed_bytes);
        biost_unpack_bases(cpu, packed, mask, bases, (char *)seq);
        naive_pack(seq, bases, expected[0], expected[1]);
        CHECK_MEM(packed, expected[0], packed_bytes);
        CHECK_MEM(mask, expected[1], mask_bytes);
    }
    munmap(in - page, room[0] + 2 * page);
    munmap(out - page, room[1] + 2 * page);
    munmap(other - page, room[2] + 2 * page);
}

/* ---- picking ---- */

TEST(pack, kernels_picked) {
    bsi_pack_kernels kernels;
    bsi_kernels_pack(&kernels, bsi_cpu_features());
    bsi_kernels_pack(&kernels, 0);
    CHECK(kernels.pack == bsi_pack_scalar && kernels.unpack == bsi_pack_unpack_scalar);
    CHECK(kernels.kmers == bsi_pack_kmers_scalar && kernels.take == bsi_pack_take_scalar);
    CHECK(kernels.spell == bsi_pack_spell_scalar && kernels.grade == bsi_pack_grade_scalar);
    CHECK(kernels.lay == bsi_pack_lay_scalar);
    CHECK(kernels.see == bsi_pack_see_scalar && kernels.squeeze == bsi_pack_squeeze_scalar);
#if BSI_CPU_X86_AVX2
    bsi_kernels_pack(&kernels, BIOST_CPU_AVX2);
    CHECK(kernels.pack == bsi_pack_avx2 && kernels.unpack == bsi_pack_unpack_avx2);
    CHECK(kernels.kmers == bsi_pack_kmers_avx2 && kernels.take == bsi_pack_take_avx2);
    CHECK(kernels.spell == bsi_pack_spell_avx2 && kernels.grade == bsi_pack_grade_avx2);
    CHECK(kernels.lay == bsi_pack_lay_avx2);
    CHECK(kernels.see == bsi_pack_see_avx2 && kernels.squeeze == bsi_pack_squeeze_avx2);
    bsi_kernels_pack(&kernels, BIOST_CPU_AVX2 | BIOST_CPU_AVX512);
    CHECK(kernels.kmers == bsi_pack_kmers_avx2 && kernels.take == bsi_pack_take_avx512);
#endif
}
