/*
 * test_crc.c - CRC-32 against its published check value, a bit-by-bit division, and zlib.
 */
#include "white.h"
#include "test.h"
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

static uint32_t crc_of(const bsi_crc_tables *tables, const void *bytes, size_t count) {
    uint32_t scalar = bsi_crc_update_scalar(tables, 0, (const uint8_t *)bytes, count);
    CHECK_EQ_U64(bsi_crc_update(tables, 0, (const uint8_t *)bytes, count), scalar);
    return scalar;
}

/*
 * Check values of the CRC catalogue (CRC-32/ISO-HDLC) and of the 1-byte and 32-byte messages of
 * zeros and ones.
 */
TEST(crc, published_values) {
    bsi_crc_tables tables;
    uint8_t zeros[32], ones[32];
    bsi_crc_init(&tables);
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
    bsi_crc_tables tables;
    uint64_t random = test_seed();
    bsi_crc_init(&tables);
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
    bsi_crc_tables tables;
    uint64_t random = test_seed();
    uint32_t whole;
    bsi_crc_init(&tables);
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (uint8_t)test_random(&random);
    }
    whole = divide(text, sizeof text);
    for (size_t cut = 0; cut <= sizeof text; cut++) {
        uint32_t scalar = bsi_crc_update_scalar(&tables, 0, text, cut);
        uint32_t chosen = bsi_crc_update(&tables, 0, text, cut);
        scalar = bsi_crc_update_scalar(&tables, scalar, text + cut, sizeof text - cut);
        chosen = bsi_crc_update(&tables, chosen, text + cut, sizeof text - cut);
        test_note("cut at %u", (unsigned)cut);
        CHECK_EQ_U64(scalar, whole);
        CHECK_EQ_U64(chosen, whole);
    }
}

TEST(crc, like_zlib) {
#ifdef HAVE_ZLIB
    static uint8_t text[100000];
    bsi_crc_tables tables;
    uint64_t random = test_seed();
    uint32_t ours = 0;
    uLong theirs = 0;
    size_t at = 0;
    bsi_crc_init(&tables);
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (uint8_t)test_random(&random);
    }
    while (at < sizeof text) {
        size_t piece = 1 + (size_t)(test_random(&random) % 4000);
        piece = piece > sizeof text - at ? sizeof text - at : piece;
        ours = bsi_crc_update_scalar(&tables, ours, text + at, piece);
        theirs = crc32(theirs, text + at, (uInt)piece);
        CHECK_EQ_U64(ours, theirs);
        at += piece;
    }
#else
    TEST_SKIP("zlib");
#endif
}

/* Random bytes through the kernel this processor gets, against the scalar one. */
static void check_kernel(const bsi_crc_tables *tables, const uint8_t *bytes, size_t count) {
    uint32_t start = (uint32_t)count * 0x9E3779B1u;
    CHECK_EQ_U64(tables->update(tables, start, bytes, count),
                 bsi_crc_update_scalar(tables, start, bytes, count));
}

/* All lengths to 300 at all places in a cache line, from heap memory that ends with the text. */
TEST(crc, kernel_lengths_and_alignments) {
    bsi_crc_tables tables;
    uint64_t random = test_seed();
    bsi_crc_init(&tables);
    bsi_kernels_crc(&tables, bsi_cpu_features());
    for (size_t bytes = 0; bytes <= 300; bytes++) {
        for (size_t shift = 0; shift < 64; shift++) {
            void *memory = NULL;
            uint8_t *text;
            REQUIRE(posix_memalign(&memory, 64, shift + bytes + (shift + bytes == 0)) == 0);
            text = (uint8_t *)memory;
            for (size_t i = 0; i < shift + bytes; i++) {
                text[i] = (uint8_t)test_random(&random);
            }
            test_note("%u bytes at %u", (unsigned)bytes, (unsigned)shift);
            check_kernel(&tables, text + shift, bytes);
            free(memory);
        }
    }
}

/* Long texts, and the same in pieces of all sizes one after another. */
TEST(crc, kernel_long) {
    static uint8_t text[300000];
    bsi_crc_tables tables;
    uint64_t random = test_seed();
    uint32_t whole, pieces = 0;
    bsi_crc_init(&tables);
    bsi_kernels_crc(&tables, bsi_cpu_features());
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (uint8_t)test_random(&random);
    }
    check_kernel(&tables, text, sizeof text);
    check_kernel(&tables, text + 3, 262144);
    check_kernel(&tables, text + 17, 65280);
    whole = tables.update(&tables, 0, text, sizeof text);
    CHECK_EQ_U64(whole, divide(text, sizeof text));
    for (size_t at = 0, piece = 0; at < sizeof text; at += piece) {
        piece = (piece + 1) % 700;
        piece = piece > sizeof text - at ? sizeof text - at : piece;
        pieces = tables.update(&tables, pieces, text + at, piece);
    }
    CHECK_EQ_U64(pieces, whole);
    memset(text, 0, sizeof text);
    check_kernel(&tables, text, sizeof text);
    memset(text, 0xFF, sizeof text);
    check_kernel(&tables, text, sizeof text);
}

/* The kernel's constants: x^n, highest power first, is n steps of "shift right, XOR P" from x^0. */
TEST(crc, kernel_constants) {
#if defined(__x86_64__) || defined(__i386__)
    static const struct {
        unsigned n;
        uint32_t power;
    } constants[] = {
        {575, BSI_CRC_X_575}, {511, BSI_CRC_X_511}, {191, BSI_CRC_X_191}, {127, BSI_CRC_X_127}};
    for (size_t i = 0; i < 4; i++) {
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
