/*
 * test_carry.c - what is carried from page to page: the long buffer grows to what is wanted, up to the most that a
 * record may need, to the byte.
 *
 * rooms: carry
 * needs: nothing
 */
#include "white.h"
#include "test.h"

/* Wanted bytes against the sizes that doubling gives, worked out by hand. */
TEST(carry, sizes_double_up_to_the_most) {
    static const struct {
        uint64_t size, wanted, most, up;
    } rows[] = {{1000, 1, 9000, 1000},    {1000, 1000, 9000, 1000}, {1000, 1001, 9000, 2000},
                {1000, 2000, 9000, 2000}, {1000, 2001, 9000, 4000}, {1000, 8000, 9000, 8000},
                {1000, 8001, 9000, 9000}, {1000, 9000, 9000, 9000}, {1000, 9001, 9000, 9000},
                {9000, 9000, 9000, 9000}, {3000, 6001, 7000, 7000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_note("%u from %u", (unsigned)rows[i].wanted, (unsigned)rows[i].size);
        CHECK_EQ_U64(bsi_carry_long_up(rows[i].size, rows[i].wanted, rows[i].most), rows[i].up);
    }
}

/* A text that ends exactly where the grown buffer does has its room, one byte more has none; nothing is lost. */
TEST(carry, a_buffer_grows_to_its_last_byte) {
    enum { PAGE = 4096, RECORD = 1 << 20, CARRIED = 1000 };
    uint8_t text[CARRIED];
    for (int more = -1; more < 2; more++) {
        bsi_carry carry;
        biost_allocator allocator;
        uint64_t most, refused = 0;
        memset(&allocator, 0, sizeof allocator);
        allocator = bsi_memory_allocator(&allocator);
        bsi_carry_open(&carry, &allocator, RECORD, PAGE, 0, 0);
        most = carry.long_most;
        CHECK(most >= RECORD + PAGE + BSI_PADDING_BYTES);
        for (size_t i = 0; i < CARRIED; i++) {
            text[i] = (uint8_t)(i * 7);
        }
        carry.carried = text;
        carry.carried_bytes = CARRIED;
        test_note("%d more than the most", more);
        CHECK_EQ_I64(bsi_carry_grow(&carry, most + (uint64_t)(int64_t)more, PAGE, &refused), more <= 0);
        CHECK_EQ_U64(refused, more <= 0 ? 0 : most + 1);
        if (more <= 0) {
            CHECK_EQ_U64(carry.long_buffer.capacity, most);
            CHECK_MEM(carry.long_buffer.text, text, CARRIED);
            carry.long_buffer.text[most - 1] = 1; /* a sanitizer sees if it is not there */
        } else {
            CHECK(carry.long_buffer.text == NULL && carry.carried == text);
        }
        bsi_carry_close(&carry);
    }
}
