/*
 * test_crc.c - CRC-32 against its published check value, a bit-by-bit division, zlib and libdeflate.
 *
 * rooms: hash
 * needs: nothing
 */
#include "white.h"
#include "test.h"
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

/* The remainder, one bit after another, straight from RFC 1952's definition. */
static uint32_t divide(const uint8_t *bytes, size_t count) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t bit = 0; bit < count * 8; bit++) {
        uint32_t in = (uint32_t)(bytes[bit / 8] >> (bit % 8)) & 1u;
        crc = (crc ^ in) & 1u ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    return ~crc;
}

static uint32_t crc_of(const bsi_hash_crc_tables *tables, const void *bytes, size_t count) {
    uint32_t scalar = bsi_hash_crc_update_scalar(tables, 0, (const uint8_t *)bytes, count);
    CHECK_EQ_U64(bsi_hash_crc_update(tables, 0, (const uint8_t *)bytes, count), scalar);
    return scalar;
}

/*
 * Check values of the CRC catalogue (CRC-32/ISO-HDLC) and of the 1-byte and 32-byte messages of
 * zeros and ones.
 */
TEST(crc, published_values) {
    bsi_hash_crc_tables tables;
    uint8_t zeros[32], ones[32];
    bsi_hash_crc_init(&tables);
    memset(zeros, 0x00, sizeof zeros);
    memset(ones, 0xFF, sizeof ones);
    CHECK_EQ_U64(crc_of(&tables, "123456789", 9), 0xCBF43926u);
    CHECK_EQ_U64(crc_of(&tables, "", 0), 0);
    CHECK_EQ_U64(crc_of(&tables, "a", 1), 0xE8B7BE43u);
    CHECK_EQ_U64(crc_of(&tables, "The quick brown fox jumps over the lazy dog", 43), 0x414FA339u);
    CHECK_EQ_U64(crc_of(&tables, zeros, 1), 0xD202EF8Du);
    CHECK_EQ_U64(crc_of(&tables, zeros, 32), 0x190A55ADu);
    CHECK_EQ_U64(crc_of(&tables, ones, 32), 0xFF6CAB0Bu);
}

/* Every length around the eight-byte group at every alignment, from exact heap memory. */
TEST(crc, lengths_and_alignments) {
    bsi_hash_crc_tables tables;
    uint64_t random = test_seed();
    bsi_hash_crc_init(&tables);
    for (size_t bytes = 0; bytes < 48; bytes++) {
        for (size_t shift = 0; shift < 8; shift++) {
            uint8_t *memory = test_copy(NULL, shift + bytes);
            for (size_t i = 0; i < shift + bytes; i++) {
                memory[i] = (uint8_t)test_random(&random);
            }
            test_note("%u bytes at %u", (unsigned)bytes, (unsigned)shift);
            CHECK_EQ_U64(crc_of(&tables, memory + shift, bytes), divide(memory + shift, bytes));
            free(memory);
        }
    }
}

/* A CRC is carried over any cut as it stands. */
TEST(crc, pieces) {
    static uint8_t text[777];
    bsi_hash_crc_tables tables;
    uint64_t random = test_seed();
    uint32_t whole;
    bsi_hash_crc_init(&tables);
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (uint8_t)test_random(&random);
    }
    whole = divide(text, sizeof text);
    for (size_t cut = 0; cut <= sizeof text; cut++) {
        uint32_t scalar = bsi_hash_crc_update_scalar(&tables, 0, text, cut);
        uint32_t chosen = bsi_hash_crc_update(&tables, 0, text, cut);
        scalar = bsi_hash_crc_update_scalar(&tables, scalar, text + cut, sizeof text - cut);
        chosen = bsi_hash_crc_update(&tables, chosen, text + cut, sizeof text - cut);
        test_note("cut at %u", (unsigned)cut);
        CHECK_EQ_U64(scalar, whole);
        CHECK_EQ_U64(chosen, whole);
    }
}

TEST(crc, like_zlib) {
#ifdef HAVE_ZLIB
    static uint8_t text[100000];
    bsi_hash_crc_tables tables;
    uint64_t random = test_seed();
    uint32_t ours = 0;
    uLong theirs = 0;
    size_t at = 0;
    bsi_hash_crc_init(&tables);
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (uint8_t)test_random(&random);
    }
    while (at < sizeof text) {
        size_t piece = 1 + (size_t)(test_random(&random) % 4000);
        piece = piece > sizeof text - at ? sizeof text - at : piece;
        ours = bsi_hash_crc_update_scalar(&tables, ours, text + at, piece);
        theirs = crc32(theirs, text + at, (uInt)piece);
        CHECK_EQ_U64(ours, theirs);
        at += piece;
    }
#else
    TEST_SKIP("zlib");
#endif
}

/* The kernels this processor can run: the scalar one, and one for each of these sets of bits. */
enum { KERNELS = 6 };
static size_t all_kernels(bsi_hash_crc_tables kernels[KERNELS], const char *names[KERNELS]) {
    static const struct {
        const char *name;
        uint32_t cpu;
    } sets[KERNELS] = {{"scalar", 0},
                       {"PCLMUL", BIOST_CPU_PCLMUL},
                       {"VPCLMUL", BIOST_CPU_VPCLMUL},
                       {"VPCLMUL, AVX-512", BIOST_CPU_VPCLMUL | BIOST_CPU_AVX512},
                       {"ARM CRC32", BIOST_CPU_ARM_CRC32},
                       {"all", UINT32_MAX}};
    uint32_t here = bsi_cpu_features();
    size_t count = 0;
    for (size_t i = 0; i < KERNELS; i++) {
        if (i + 1 == KERNELS || (sets[i].cpu & ~here) == 0) {
            bsi_hash_crc_init(&kernels[count]);
            bsi_kernels_crc(&kernels[count], sets[i].cpu & here);
            names[count++] = sets[i].name;
        }
    }
    return count;
}

static void fill(uint8_t *bytes, size_t count, uint64_t *random) {
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)test_random(random);
    }
}

/* What zlib says, or without it a division bit by bit; and libdeflate must say the same. */
static uint32_t carry(uint32_t start, const uint8_t *bytes, size_t count) {
    uint32_t crc = ~start;
#ifdef HAVE_LIBDEFLATE
    uint32_t theirs = count == 0 ? start : libdeflate_crc32(start, bytes, count);
#endif
#ifdef HAVE_ZLIB
    crc = count == 0 ? start : (uint32_t)crc32(start, bytes, (uInt)count);
#else
    for (size_t bit = 0; bit < count * 8; bit++) {
        uint32_t in = (uint32_t)(bytes[bit / 8] >> (bit % 8)) & 1u;
        crc = (crc ^ in) & 1u ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    crc = ~crc;
#endif
#ifdef HAVE_LIBDEFLATE
    CHECK_EQ_U64(theirs, crc);
#endif
    return crc;
}

/* The published check value, and nothing at all. */
TEST(crc, kernel_check_value) {
    bsi_hash_crc_tables kernels[KERNELS];
    const char *names[KERNELS];
    size_t count = all_kernels(kernels, names);
    CHECK(count >= 2);
    for (size_t k = 0; k < count; k++) {
        test_note("%s", names[k]);
        CHECK_EQ_U64(kernels[k].update(&kernels[k], 0, (const uint8_t *)"123456789", 9), 0xCBF43926u);
        CHECK_EQ_U64(bsi_hash_crc_update(&kernels[k], 0, (const uint8_t *)"123456789", 9), 0xCBF43926u);
        CHECK_EQ_U64(kernels[k].update(&kernels[k], 0x12345678u, NULL, 0), 0x12345678u);
    }
}

/*
 * All lengths to 1100 at all places in a cache line, from random starts, in heap memory that ends with
 * the text.
 */
TEST(crc, kernel_lengths_and_alignments) {
    static uint8_t source[1100];
    bsi_hash_crc_tables kernels[KERNELS];
    const char *names[KERNELS];
    size_t count = all_kernels(kernels, names);
    uint64_t random = test_seed();
    fill(source, sizeof source, &random);
    for (size_t bytes = 0; bytes <= sizeof source; bytes++) {
        for (size_t shift = 0; shift < 64; shift++) {
            void *memory = NULL;
            uint8_t *text;
            uint32_t start = (uint32_t)test_random(&random), want;
            REQUIRE(posix_memalign(&memory, 64, shift + bytes + (shift + bytes == 0)) == 0);
            text = (uint8_t *)memory + shift;
            memcpy(text, source + (sizeof source - bytes), bytes);
            want = carry(start, text, bytes);
            for (size_t k = 0; k < count; k++) {
                test_note("%s: %u bytes at %u", names[k], (unsigned)bytes, (unsigned)shift);
                CHECK_EQ_U64(kernels[k].update(&kernels[k], start, text, bytes), want);
            }
            free(memory);
        }
    }
}

/* Long texts of random bytes, zeros and ones, and the first in pieces of all sizes one after another. */
TEST(crc, kernel_long) {
    static uint8_t text[300000];
    static const struct {
        size_t at, bytes;
    } parts[] = {{0, 300000}, {3, 262144}, {17, 65280}, {64, 65536}, {1, 131072}};
    bsi_hash_crc_tables kernels[KERNELS];
    const char *names[KERNELS];
    size_t count = all_kernels(kernels, names);
    uint64_t random = test_seed();
    for (unsigned kind = 0; kind < 3; kind++) {
        memset(text, kind == 1 ? 0x00 : 0xFF, sizeof text);
        if (kind == 0) {
            fill(text, sizeof text, &random);
            CHECK_EQ_U64(carry(0, text, sizeof text), divide(text, sizeof text));
        }
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            uint32_t start = (uint32_t)test_random(&random);
            uint32_t want = carry(start, text + parts[i].at, parts[i].bytes);
            for (size_t k = 0; k < count; k++) {
                test_note("%s: kind %u, part %u", names[k], kind, (unsigned)i);
                CHECK_EQ_U64(kernels[k].update(&kernels[k], start, text + parts[i].at, parts[i].bytes), want);
            }
        }
    }
}

TEST(crc, kernel_pieces) {
    static uint8_t text[1000000];
    bsi_hash_crc_tables kernels[KERNELS];
    const char *names[KERNELS];
    size_t count = all_kernels(kernels, names);
    uint64_t random = test_seed();
    uint32_t want;
    fill(text, sizeof text, &random);
    want = carry(0, text, sizeof text);
    for (size_t k = 0; k < count; k++) {
        uint32_t crc = 0;
        for (size_t at = 0, piece = 0; at < sizeof text; at += piece) {
            piece = (piece + 1) % 1400;
            piece = piece > sizeof text - at ? sizeof text - at : piece;
            crc = kernels[k].update(&kernels[k], crc, text + at, piece);
        }
        test_note("%s", names[k]);
        CHECK_EQ_U64(crc, want);
    }
}

static uint32_t update_marked(const bsi_hash_crc_tables *tables, uint32_t crc, const uint8_t *bytes,
                              size_t count) {
    (void)tables;
    (void)bytes;
    return crc + (uint32_t)count;
}

/* Kernels with VPCLMULQDQ go before libdeflate, others after it; without libdeflate all are called. */
TEST(crc, kernel_or_libdeflate) {
    bsi_hash_crc_tables tables;
    uint32_t here = bsi_cpu_features();
    bsi_hash_crc_init(&tables);
    CHECK_EQ_U64(tables.beats_libdeflate, 0);
    bsi_kernels_crc(&tables, here);
    CHECK_EQ_U64(tables.beats_libdeflate, BSI_CPU_X86_VPCLMUL && (here & BIOST_CPU_VPCLMUL) != 0);
    tables.update = update_marked;
    tables.beats_libdeflate = 1;
    CHECK_EQ_U64(bsi_hash_crc_update(&tables, 5, (const uint8_t *)"123456789", 9), 14);
    tables.beats_libdeflate = 0;
    CHECK_EQ_U64(bsi_hash_crc_update(&tables, 0, (const uint8_t *)"123456789", 9),
                 BSI_HAS_LIBDEFLATE ? 0xCBF43926u : 9u);
    bsi_kernels_crc(&tables, here & ~(uint32_t)BIOST_CPU_VPCLMUL);
    CHECK_EQ_U64(tables.beats_libdeflate, 0);
}

/* The kernel's constants: x^n, highest power first, is n steps of "shift right, XOR P" from x^0. */
TEST(crc, kernel_constants) {
#if BSI_CPU_X86
    static const struct {
        unsigned n;
        uint32_t power;
        /* clang-format off */
    } constants[] = {
#if BSI_CPU_X86_VPCLMUL
        {2111, BSI_HASH_CRC_X_2111}, {2047, BSI_HASH_CRC_X_2047}, {1087, BSI_HASH_CRC_X_1087},
        {1023, BSI_HASH_CRC_X_1023}, {319, BSI_HASH_CRC_X_319},   {255, BSI_HASH_CRC_X_255},
#endif
        {575, BSI_HASH_CRC_X_575},   {511, BSI_HASH_CRC_X_511},   {191, BSI_HASH_CRC_X_191},
        {127, BSI_HASH_CRC_X_127}};
    /* clang-format on */
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        uint32_t power = 0x80000000u;
        for (unsigned n = 0; n < constants[i].n; n++) {
            power = power >> 1 ^ (power & 1u ? 0xEDB88320u : 0);
        }
        test_note("x^%u", constants[i].n);
        CHECK_EQ_U64(constants[i].power, power);
    }
#else
    TEST_SKIP("x86");
#endif
}
