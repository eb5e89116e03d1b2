/*
 * test_memory.c - checked sizes, loads and stores, byte search; the allocator and layouts.
 *
 * rooms: memory cpu
 * needs: nothing
 */
#include "white.h"
#include "test.h"

/* ---- checked sizes ---- */

TEST(memory, sums_stick_at_the_top) {
    CHECK_EQ_U64(bsi_cpu_add(2, 3), 5);
    CHECK_EQ_U64(bsi_cpu_add(UINT64_MAX - 5, 4), UINT64_MAX - 1);
    CHECK_EQ_U64(bsi_cpu_add(UINT64_MAX - 5, 5), UINT64_MAX);
    CHECK_EQ_U64(bsi_cpu_add(UINT64_MAX - 5, 6), UINT64_MAX); /* would wrap to 0 */
    CHECK_EQ_U64(bsi_cpu_add(UINT64_MAX, UINT64_MAX), UINT64_MAX);
    CHECK_EQ_U64(bsi_cpu_add(UINT64_MAX, 0), UINT64_MAX);
}

TEST(memory, products_stick_at_the_top) {
    const uint64_t half = (uint64_t)1 << 32;
    CHECK_EQ_U64(bsi_cpu_mul(0, UINT64_MAX), 0);
    CHECK_EQ_U64(bsi_cpu_mul(UINT64_MAX, 0), 0);
    CHECK_EQ_U64(bsi_cpu_mul(6, 7), 42);
    CHECK_EQ_U64(bsi_cpu_mul(half, half - 1), UINT64_MAX - half + 1);
    CHECK_EQ_U64(bsi_cpu_mul(half, half), UINT64_MAX); /* would wrap to 0 */
    CHECK_EQ_U64(bsi_cpu_mul(half + 1, half), UINT64_MAX);
    CHECK_EQ_U64(bsi_cpu_mul(3, 0x5555555555555555u), UINT64_MAX); /* exactly */
    CHECK_EQ_U64(bsi_cpu_mul(3, 0x5555555555555556u), UINT64_MAX);
    CHECK_EQ_U64(bsi_cpu_mul(UINT64_MAX, 1), UINT64_MAX);
}

/* Multiples by counting up. */
TEST(memory, rounding_up) {
    static const uint64_t multiples[] = {1, 2, 3, 8, 10, 64, 256};
    for (size_t m = 0; m < sizeof multiples / sizeof multiples[0]; m++) {
        uint64_t expected = 0;
        for (uint64_t value = 0; value < 1000; value++) {
            expected += value > expected ? multiples[m] : 0;
            CHECK_EQ_U64(bsi_cpu_round_up(value, multiples[m]), expected);
        }
    }
    CHECK_EQ_U64(bsi_cpu_round_up(UINT64_MAX - 511, 256), UINT64_MAX - 511);
    CHECK_EQ_U64(bsi_cpu_round_up(UINT64_MAX - 254, 256), UINT64_MAX); /* would wrap to 0 */
    CHECK_EQ_U64(bsi_cpu_round_up(UINT64_MAX, 256), UINT64_MAX);
}

/* ---- loads and stores ---- */

TEST(memory, little_endian_at_any_address) {
    for (size_t shift = 0; shift < 8; shift++) {
        uint8_t *bytes = test_copy(NULL, shift + 8), *at = bytes + shift;
        for (int i = 0; i < 8; i++) {
            at[i] = (uint8_t)(0xF1 - 0x10 * i); /* F1 E1 D1 C1 B1 A1 91 81 */
        }
        CHECK_EQ_U64(bsi_cpu_load16(at), 0xE1F1);
        CHECK_EQ_U64(bsi_cpu_load32(at), 0xC1D1E1F1);
        CHECK_EQ_U64(bsi_cpu_load64(at), 0x8191A1B1C1D1E1F1u);
        memset(at, 0xEE, 8);
        bsi_cpu_store16(at, 0x12345678);
        CHECK_MEM(at, "\x78\x56\xEE\xEE\xEE\xEE\xEE\xEE", 8);
        bsi_cpu_store32(at, 0x12345678);
        CHECK_MEM(at, "\x78\x56\x34\x12\xEE\xEE\xEE\xEE", 8);
        bsi_cpu_store64(at, 0x0123456789ABCDEFu);
        CHECK_MEM(at, "\xEF\xCD\xAB\x89\x67\x45\x23\x01", 8);
        free(bytes);
    }
}

TEST(memory, finding_a_byte) {
    static const uint8_t text[] = "a\nb\n";
    CHECK(bsi_cpu_find(text, text + 4, '\n') == text + 1);
    CHECK(bsi_cpu_find(text + 2, text + 4, '\n') == text + 3);
    CHECK(bsi_cpu_find(text, text + 1, '\n') == text + 1); /* not there: the end */
    CHECK(bsi_cpu_find(text + 1, text + 1, '\n') == text + 1);
    CHECK(bsi_cpu_find(NULL, NULL, '\n') == NULL);
}

/* ---- the allocator ---- */

/* An allocator that keeps account. */
typedef struct account {
    size_t bytes, align, freed_bytes;
    void *memory, *freed;
    int calls, frees, refuse;
} account;

static void *account_alloc(size_t bytes, size_t align, void *user_data) {
    account *a = (account *)user_data;
    a->calls++;
    a->bytes = bytes;
    a->align = align;
    a->memory = a->refuse || posix_memalign(&a->memory, 256, bytes) != 0 ? NULL : a->memory;
    return a->memory;
}

static void account_free(void *memory, size_t bytes, void *user_data) {
    account *a = (account *)user_data;
    a->frees++;
    a->freed = memory;
    a->freed_bytes = bytes;
    free(memory);
}

static biost_allocator account_open(account *a) {
    biost_allocator wish;
    memset(a, 0, sizeof *a);
    wish.alloc = account_alloc;
    wish.free = account_free;
    wish.user_data = a;
    return wish;
}

TEST(memory, users_allocator_is_called_as_promised) {
    account a;
    biost_allocator wish = account_open(&a), allocator = bsi_memory_allocator(&wish);
    void *memory = bsi_memory_alloc(&allocator, 1000);
    CHECK(memory != NULL && memory == a.memory);
    CHECK_EQ_U64(a.bytes, 1000);
    CHECK(a.align > 0 && a.align <= 256 && (a.align & (a.align - 1)) == 0);
    bsi_memory_free(&allocator, memory, 1000);
    CHECK(a.freed == memory);
    CHECK_EQ_U64(a.freed_bytes, 1000);
    bsi_memory_free(&allocator, NULL, 1000); /* "memory is never NULL" */
    CHECK_EQ_I64(a.frees, 1);
    a.refuse = 1;
    CHECK(bsi_memory_alloc(&allocator, 1) == NULL);
}

/* Memory at any other address than a multiple of 256 is given back, and told apart from memory that is not there. */
static uint8_t crooked_memory[1024];

static void *crooked_alloc(size_t bytes, size_t align, void *user_data) {
    uintptr_t at = ((uintptr_t)crooked_memory + 255) & ~(uintptr_t)255;
    account *a = (account *)user_data;
    CHECK(bytes == 100 && align == 256);
    a->memory = (uint8_t *)at + a->bytes;
    return a->memory;
}

static void crooked_free(void *memory, size_t bytes, void *user_data) {
    account *a = (account *)user_data;
    CHECK_EQ_U64(bytes, 100);
    a->freed = memory;
    a->frees++;
}

TEST(memory, crooked_memory_is_given_back) {
    account a;
    biost_allocator allocator = account_open(&a);
    allocator.alloc = crooked_alloc;
    allocator.free = crooked_free;
    for (size_t shift = 0; shift <= 256; shift++) {
        uint64_t refused = 7;
        void *memory;
        a.bytes = shift;
        a.frees = 0;
        memory = bsi_memory_take(&allocator, 100, &refused);
        test_note("%u bytes past", (unsigned)shift);
        if (shift % 256 == 0) {
            CHECK(memory == a.memory && a.frees == 0);
        } else {
            CHECK(memory == NULL && a.frees == 1 && a.freed == a.memory);
            CHECK_EQ_U64(refused, BSI_MEMORY_CROOKED);
        }
    }
}

/* Sizes that stuck at the top, or fit no object, never reach the allocator. */
TEST(memory, impossible_sizes_are_refused) {
    static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX - 1, (uint64_t)1 << 63,
                                     (uint64_t)SIZE_MAX / 2 + 1};
    account a;
    biost_allocator wish = account_open(&a), allocator = bsi_memory_allocator(&wish);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        CHECK(bsi_memory_alloc(&allocator, sizes[i]) == NULL);
    }
    CHECK_EQ_I64(a.calls, 0);
}

/* malloc's memory, at any alignment, all of it ours; ASan watches the ends. */
TEST(memory, default_allocator) {
    biost_allocator wish, allocator;
    memset(&wish, 0, sizeof wish);
    allocator = bsi_memory_allocator(&wish);
    for (size_t align = 1; align <= 256; align *= 2) {
        for (size_t bytes = 1; bytes < 1000; bytes += 1 + bytes / 3) {
            uint8_t *memory = (uint8_t *)allocator.alloc(bytes, align, allocator.user_data);
            REQUIRE(memory != NULL);
            CHECK_EQ_U64((uintptr_t)memory % align, 0);
            memset(memory, 0xA5, bytes);
            allocator.free(memory, bytes, allocator.user_data);
        }
    }
    for (int i = 0; i < 20; i++) {
        void *memory = bsi_memory_alloc(&allocator, (uint64_t)i + 1);
        REQUIRE(memory != NULL);
        CHECK_EQ_U64((uintptr_t)memory % 256, 0); /* biost_tensor.data: 256-byte aligned */
        bsi_memory_free(&allocator, memory, (uint64_t)i + 1);
    }
}

/* Blocks around the size from which large pages are asked for: aligned, and all of them can be written. */
TEST(memory, default_allocator_large_blocks) {
    biost_allocator wish, allocator;
    memset(&wish, 0, sizeof wish);
    allocator = bsi_memory_allocator(&wish);
    for (size_t bytes = BSI_MEMORY_LARGE - 1; bytes < 2 * BSI_MEMORY_LARGE; bytes += 999999) {
        uint8_t *memory = (uint8_t *)bsi_memory_alloc(&allocator, bytes);
        CHECK(memory != NULL && (uintptr_t)memory % BSI_MEMORY_ALIGN == 0);
        for (size_t i = 0; i < bytes; i += 4000) {
            memory[i] = (uint8_t)(i / 4000);
        }
        memory[bytes - 1] = 7;
        for (size_t i = 0; i + 1 < bytes; i += 4000) {
            CHECK_EQ_U64(memory[i], i / 4000 & 0xFF);
        }
        CHECK_EQ_U64(memory[bytes - 1], 7);
        bsi_memory_free(&allocator, memory, bytes);
    }
}

TEST(memory, default_allocator_refuses_what_would_wrap) {
    CHECK(bsi_memory_default_alloc(SIZE_MAX, 256, NULL) == NULL);
    CHECK(bsi_memory_default_alloc(SIZE_MAX - 256, 256, NULL) == NULL);
    CHECK(bsi_memory_default_alloc(SIZE_MAX - 256 - sizeof(void *) + 1, 256, NULL) == NULL);
}

/* ---- layouts ---- */

typedef struct arrays {
    uint8_t *bytes;
    uint64_t *numbers;
    void *none;
    char *last;
} arrays;

static void lay_out(bsi_memory_layout *layout, arrays *out) {
    out->bytes = (uint8_t *)bsi_memory_reserve(layout, 300, 1);
    out->numbers = (uint64_t *)bsi_memory_reserve(layout, 7, sizeof(uint64_t));
    out->none = bsi_memory_reserve(layout, 0, 1000);
    out->last = (char *)bsi_memory_reserve(layout, 256, 1);
}

/* Twice the same calls, sizes first, then addresses: 300 -> 512, 56 -> 256, 0 -> 0, 256 -> 256. */
TEST(memory, layout_of_several_arrays) {
    bsi_memory_layout sizes = {NULL, 0}, addresses = {NULL, 0};
    biost_allocator wish, allocator;
    arrays a;
    memset(&wish, 0, sizeof wish);
    allocator = bsi_memory_allocator(&wish);
    memset(&a, 0xFF, sizeof a);
    lay_out(&sizes, &a);
    CHECK(a.bytes == NULL && a.numbers == NULL && a.none == NULL && a.last == NULL);
    CHECK_EQ_U64(sizes.bytes, 1024);
    addresses.base = (uint8_t *)bsi_memory_alloc(&allocator, sizes.bytes);
    REQUIRE(addresses.base != NULL);
    lay_out(&addresses, &a);
    CHECK_EQ_U64(addresses.bytes, 1024);
    CHECK(a.bytes == addresses.base);
    CHECK((uint8_t *)a.numbers == addresses.base + 512);
    CHECK((uint8_t *)a.last == addresses.base + 768);
    CHECK_EQ_U64((uintptr_t)a.last % 256, 0);
    memset(a.bytes, 1, 300);
    memset(a.numbers, 2, 7 * sizeof(uint64_t));
    memset(a.last, 3, 256); /* the block's last byte */
    bsi_memory_free(&allocator, addresses.base, sizes.bytes);
}

/* A size over the top stays there whatever follows, so that one check at the end is enough. */
TEST(memory, layout_sticks_at_the_top) {
    bsi_memory_layout layout = {NULL, 0};
    bsi_memory_reserve(&layout, (uint64_t)1 << 60, 16);
    CHECK_EQ_U64(layout.bytes, UINT64_MAX);
    bsi_memory_reserve(&layout, 1, 1);
    bsi_memory_reserve(&layout, 0, 1);
    CHECK_EQ_U64(layout.bytes, UINT64_MAX);
    layout.bytes = 0;
    bsi_memory_reserve(&layout, 3, (uint64_t)1 << 62); /* each fits, the sum does not */
    bsi_memory_reserve(&layout, 1, (uint64_t)1 << 62);
    CHECK_EQ_U64(layout.bytes, UINT64_MAX);
}
