/*
 * test_guess.c - where a DEFLATE block may start: every kernel against a finder that reads RFC 1951 bit by
 * bit, over made streams, damaged ones and chance, however the bytes are cut into chunks; and against
 * zlib, which tells where its blocks do start.
 *
 * rooms: guess
 * needs: nothing
 */
#include "white.h"
#include "test.h"
#include "deflate_maker.h"
#include "kernels.h"

#define NONE        UINT64_MAX
#define STARTS_MOST 4096u

/* ---- kernels ---- */

static kernel_call pick_guess(uint32_t cpu, int which) {
    bsi_guess guess;
    (void)which;
    bsi_kernels_guess(&guess, cpu);
    return (kernel_call)guess.scan;
}

static kernel_mask kernels[KERNELS_KNOWN];
static size_t kernel_count;

/* Before any test, also of one that runs alone. */
__attribute__((constructor)) static void kernels_find(void) {
    kernel_count = kernels_here(pick_guess, 0, kernels);
}

TEST(guess, kernels) {
    CHECK(kernel_count >= 1);
    kernels_print("guess", kernels, kernel_count);
}

static bsi_guess guess_of(const kernel_mask *kernel, uint32_t distance_counts) {
    bsi_guess guess;
    bsi_kernels_guess(&guess, kernel->cpu);
    guess.distance_counts = distance_counts;
    return guess;
}

/* ---- the rules once more, bit by bit ---- */

typedef struct naive {
    const uint8_t *bytes;
    uint64_t at, end; /* in bits */
    int past;         /* a bit past the end was asked for: it is 0 */
} naive;

static unsigned naive_bit(naive *n) {
    unsigned bit;
    if (n->at >= n->end) {
        n->past = 1;
        return 0;
    }
    bit = n->bytes[n->at / 8] >> (n->at % 8) & 1u;
    n->at++;
    return bit;
}

/* A number: its least significant bit first. */
static unsigned naive_number(naive *n, unsigned bits) {
    unsigned value = 0;
    for (unsigned i = 0; i < bits; i++) {
        value |= naive_bit(n) << i;
    }
    return value;
}

/* Do codes of these lengths use up all of the code space? */
static int naive_complete(const unsigned *lengths, unsigned count) {
    unsigned long space = 0;
    for (unsigned i = 0; i < count; i++) {
        space += lengths[i] > 0 ? 32768ul >> lengths[i] : 0;
    }
    return space == 32768;
}

/* A symbol of a complete code: number all codes as 3.2.2 does, and look for the one in front. */
static unsigned naive_symbol(naive *n, const maker_code *code) {
    unsigned value = 0;
    for (unsigned bits = 1; bits <= 7; bits++) {
        value = value << 1 | naive_bit(n);
        for (unsigned i = 0; i < code->symbols; i++) {
            if (code->lengths[i] == bits && code->codes[i] == value) {
                return i;
            }
        }
    }
    return 99;
}

/* Bits 0..16 and the code-length code: what the first two sieves ask. */
static int naive_front(naive *n, uint32_t counts, unsigned *litlens, unsigned *distances, maker_code *code) {
    static const unsigned order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned sent;
    if (naive_number(n, 1) != 0 || naive_number(n, 2) != 2) {
        return 0;
    }
    *litlens = naive_number(n, 5) + 257;
    *distances = naive_number(n, 5) + 1;
    if (*litlens > 286 || *distances > 30 || (counts != 0 && !(counts >> (*distances - 1) & 1u))) {
        return 0;
    }
    sent = naive_number(n, 4) + 4;
    maker_code_clear(code, 19);
    for (unsigned i = 0; i < sent; i++) {
        code->lengths[order[i]] = naive_number(n, 3);
    }
    return naive_complete(code->lengths, 19);
}

/* May a block start at this bit? */
static int naive_is_start(const uint8_t *bytes, size_t count, uint64_t bit, uint32_t counts) {
    unsigned litlens, distances, lengths[320], filled = 0, used = 0;
    maker_code code;
    naive n = {NULL, 0, 0, 0};
    n.bytes = bytes;
    n.at = bit;
    n.end = 8 * (uint64_t)count;
    if (!naive_front(&n, counts, &litlens, &distances, &code)) {
        return 0;
    }
    maker_code_number(&code);
    while (filled < litlens + distances) {
        unsigned symbol = naive_symbol(&n, &code), repeat = 1, length = symbol;
        if (symbol >= 16) {
            length = symbol == 16 && filled > 0 ? lengths[filled - 1] : 0;
            repeat = symbol == 16   ? 3 + naive_number(&n, 2)
                     : symbol == 17 ? 3 + naive_number(&n, 3)
                                    : 11 + naive_number(&n, 7);
        }
        if (n.past || (symbol == 16 && filled == 0) || repeat > litlens + distances - filled) {
            return 0;
        }
        for (; repeat > 0; repeat--) {
            lengths[filled++] = length;
        }
    }
    for (unsigned i = 0; i < litlens; i++) {
        used += lengths[i] > 0 && i != 256;
    }
    return naive_complete(lengths, litlens) && naive_complete(lengths + litlens, distances) &&
           lengths[256] > 0 && used >= 4;
}

/* All starts, ascending. Returns how many. */
static size_t naive_starts(const uint8_t *bytes, size_t count, uint32_t counts, uint64_t *starts) {
    size_t found = 0;
    for (uint64_t bit = 0; bit < 8 * (uint64_t)count && found < STARTS_MOST; bit++) {
        if (naive_is_start(bytes, count, bit, counts)) {
            starts[found++] = bit;
        }
    }
    return found;
}

/* The first of the starts in [from, to). */
static uint64_t first_start(const uint64_t *starts, size_t count, uint64_t from, uint64_t to) {
    for (size_t i = 0; i < count; i++) {
        if (starts[i] >= from) {
            return starts[i] < to ? starts[i] : NONE;
        }
    }
    return NONE;
}

static uint64_t all_starts[STARTS_MOST];

/* ---- rows of chunks, each an exact heap block ---- */

#define CHUNKS_MOST 4096u

static bsi_guess_chunk chunks[CHUNKS_MOST];
static uint8_t *chunk_bytes[CHUNKS_MOST];
static uint32_t chunk_count;

static void chunk_add(const uint8_t *bytes, size_t count) {
    chunk_bytes[chunk_count] = count > 0 ? test_copy(bytes, count) : NULL;
    chunks[chunk_count].bytes = chunk_bytes[chunk_count];
    chunks[chunk_count].count = count;
    chunk_count++;
}

static void pieces_free(void) {
    for (uint32_t i = 0; i < chunk_count; i++) {
        free(chunk_bytes[i]);
    }
    chunk_count = 0;
}

/* The first chunk has `first` bytes, the others at most `most`, 0: all the rest; some are empty. */
static void pieces_cut(const uint8_t *bytes, size_t count, size_t first, size_t most) {
    size_t at = first;
    chunk_add(bytes, first);
    while (at < count && chunk_count + 2 < CHUNKS_MOST) {
        size_t take = most == 0 || most > count - at ? count - at : most;
        if (chunk_count % 5 == 3) {
            chunk_add(NULL, 0);
        }
        chunk_add(bytes + at, take);
        at += take;
    }
    if (at < count) {
        chunk_add(bytes + at, count - at);
    }
}

/* Go from start to start in the first chunk of the row that stands. */
static void check_walk(const bsi_guess *guess, const uint64_t *starts, size_t count) {
    uint64_t from = 0, to = 8 * (uint64_t)chunks[0].count, found, expected;
    do {
        found = bsi_guess_find(guess, chunks, chunk_count, from, to);
        expected = first_start(starts, count, from, to);
        if (!CHECK_EQ_U64(found, expected)) {
            return;
        }
        from = found + 1;
    } while (found != NONE);
}

/* All kernels, one chunk. Returns how many starts there are. */
static size_t check_bytes(const uint8_t *bytes, size_t count, uint32_t counts) {
    size_t found = naive_starts(bytes, count, counts, all_starts);
    pieces_cut(bytes, count, count, 0);
    for (size_t i = 0; i < kernel_count; i++) {
        bsi_guess guess = guess_of(&kernels[i], counts);
        check_walk(&guess, all_starts, found);
    }
    pieces_free();
    return found;
}

/* ---- a header by hand ---- */

/*
 * Bits in the order of the stream: numbers least significant bit first, codes most significant first.
 *
 *   BFINAL 0, BTYPE 2: 0 01            HLIT 0 (257 lengths): 00000      HDIST 1 (2 lengths): 10000
 *   Lengths of the literal/length code: A 2, C 2, G 2, T 3, 256: 3. 1/4 + 1/4 + 1/4 + 1/8 + 1/8 = 1.
 *   Distance code: 1, 1. 1/2 + 1/2 = 1.
 *   Sent as: 18 (65 zeros, 54 extra), 2 (65 A), 0, 2 (67 C), 17 (3 zeros, 0 extra), 2 (71 G),
 *            18 (12 zeros, 1 extra), 3 (84 T), 18 (138 zeros, 127 extra), 18 (33 zeros, 22 extra), 3 (256),
 *            1, 1
 *   Code-length code: 2 and 18 have 2 bits, 0, 1, 3 and 17 have 3. 2/4 + 4/8 = 1.
 *            2: 00, 18: 01, 0: 100, 1: 101, 3: 110, 17: 111
 *   In the order 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1 the last one not 0 is the 18th: HCLEN 14: 0111.
 */
/* clang-format off */
static const char *const hand_parts[] = {
    "0", "01", "00000", "10000", "0111",                                     /* 0..4 */
    "000" "110" "010" "110" "000000000000000000000000" "000" "110" "000" "010" "000" "110", /* 5 */
    "01" "0110110", "00", "100", "00", "111" "000", "00", "01" "1000000",    /* 6..12 */
    "110", "01" "1111111", "01" "0110100", "110", "101", "101"};             /* 13..18 */
enum { HAND_PARTS = sizeof hand_parts / sizeof hand_parts[0] };
/* clang-format on */

static void put_text(maker *m, const char *bits) {
    for (; *bits != '\0'; bits++) {
        maker_put(m, *bits == '1', 1);
    }
}

/* The header with some parts replaced, `before` zero bits in front of it, and ones after it. */
static void hand_make(maker *m, const char *const *parts, unsigned before) {
    maker_begin(m);
    for (unsigned i = 0; i < before; i++) {
        maker_put(m, 0, 1);
    }
    for (unsigned i = 0; i < HAND_PARTS; i++) {
        put_text(m, parts[i]);
    }
    maker_put(m, 0xFFFF, 16);
}

/* `start`: 1 if that is a start. Where it is none there is no other. */
static void check_hand(const char *const *parts, unsigned start, uint32_t counts) {
    static maker m;
    for (unsigned before = 0; before < 20; before++) {
        hand_make(&m, parts, before);
        CHECK_EQ_U64(naive_is_start(m.file.data, m.file.count, before, counts), start);
        pieces_cut(m.file.data, m.file.count, m.file.count, 0);
        for (size_t i = 0; i < kernel_count; i++) {
            bsi_guess guess = guess_of(&kernels[i], counts);
            CHECK_EQ_U64(bsi_guess_find(&guess, chunks, 1, 0, 8 * m.file.count), start ? before : NONE);
        }
        pieces_free();
    }
    maker_free(&m);
}

/* Parts replaced by others; `start`: it is a start all the same. */
static const struct hand_change {
    const char *what;
    unsigned start;
    struct {
        unsigned part;
        const char *bits;
    } by[3];
    /* clang-format off */
} hand_changes[] = {
    {"last block", 0, {{0, "1"}}},
    {"stored", 0, {{0, "0"}, {1, "00"}}},
    {"fixed", 0, {{0, "0"}, {1, "10"}}},
    {"type 3", 0, {{0, "0"}, {1, "11"}}},
    {"three distance lengths, but two are sent", 0, {{0, "0"}, {3, "01000"}}},
    {"distance code of one code", 0, {{0, "0"}, {18, "100"}}},
    {"no distance code", 0, {{0, "0"}, {17, "100"}, {18, "100"}}},
    {"distance code oversubscribed: 1, 1 and 1", 0, {{0, "0"}, {3, "01000"}, {18, "101" "101"}}},
    {"distance code incomplete: 2 and 2", 0, {{0, "0"}, {17, "00"}, {18, "00"}}},
    {"literal/length code incomplete: 3 for A", 0, {{0, "0"}, {7, "110"}}},
    {"oversubscribed: 2 for T", 0, {{0, "0"}, {13, "00"}}},
    {"one incomplete by 1/8, the other oversubscribed by it: 3 for A; 1, 1 and 3", 0,
     {{7, "110"}, {3, "01000"}, {18, "101" "110"}}},
    {"no end: 3 for 255 (after 32 zeros: 21 extra), 0 for 256", 0,
     {{0, "0"}, {15, "01" "1010100" "110"}, {16, "100"}}},
    {"three letters: 1 for A, 0 for C", 0, {{0, "0"}, {7, "101"}, {9, "100"}}},
    {"zeros over the border of the codes and after the end", 0, {{0, "0"}, {15, "01" "1111111"}}},
    {"four distance lengths: 1, 1 and three zeros (17), one too many", 0,
     {{0, "0"}, {3, "11000"}, {18, "101" "111" "000"}}},
    {"five distance lengths: the same zeros end it", 1, {{0, "0"}, {3, "00100"}, {18, "101" "111" "000"}}},
    {"16 in place of 17, first with nothing before it: 3 of 65 zeros, then 18 with 51 extra", 0,
     {{5, "110" "000" "010" "110" "000000000000000000000000" "000" "110" "000" "010" "000" "110"},
      {6, "111" "00" "01" "1100110"},
      {10, "100100100"}}},
    {"16 in place of 17, after a 0: 12 zeros as 1, 5 (2 extra) and 6 (3 extra)", 1,
     {{5, "110" "000" "010" "110" "000000000000000000000000" "000" "110" "000" "010" "000" "110"},
      {10, "100100100"},
      {12, "100" "111" "01" "111" "11"}}},
    {"code-length code oversubscribed: 2 for 17", 0,
     {{5, "000" "010" "010" "110" "000000000000000000000000" "000" "110" "000" "010" "000" "110"}}},
    {"code-length code incomplete: 4 for 17", 0,
     {{5, "000" "001" "010" "110" "000000000000000000000000" "000" "110" "000" "010" "000" "110"}}},
};
/* clang-format on */
enum { HAND_CHANGES = sizeof hand_changes / sizeof hand_changes[0] };

/* The parts with a change. What the table leaves out replaces nothing. */
static void hand_make_change(const struct hand_change *change, const char **parts) {
    memcpy(parts, hand_parts, sizeof hand_parts);
    for (unsigned i = 0; i < 3 && change->by[i].bits != NULL; i++) {
        parts[change->by[i].part] = change->by[i].bits;
    }
}

TEST(guess, by_hand) {
    check_hand(hand_parts, 1, 0);
    check_hand(hand_parts, 1, 1u << 1);
    check_hand(hand_parts, 1, 0x80000003u);
    check_hand(hand_parts, 0, ~(1u << 1));
    check_hand(hand_parts, 0, 1u << 31);
    for (size_t i = 0; i < HAND_CHANGES; i++) {
        const char *parts[HAND_PARTS];
        test_note("%s", hand_changes[i].what);
        hand_make_change(&hand_changes[i], parts);
        check_hand(parts, hand_changes[i].start, 0);
    }
}

/* A header whose last bits are not there is none, also where they are zeros. */
static void guess_check_cuts(const char *const *parts) {
    static maker m;
    unsigned bits = 0;
    for (unsigned i = 0; i < HAND_PARTS; i++) {
        bits += (unsigned)strlen(parts[i]);
    }
    for (unsigned before = 0; before < 16; before++) {
        hand_make(&m, parts, before);
        for (size_t bytes = 0; bytes <= m.file.count; bytes++) {
            uint64_t expected = 8 * bytes >= before + bits ? before : NONE;
            pieces_cut(m.file.data, bytes, bytes, 0);
            for (size_t i = 0; i < kernel_count; i++) {
                bsi_guess guess = guess_of(&kernels[i], 0);
                CHECK_EQ_U64(bsi_guess_find(&guess, chunks, 1, 0, 8 * bytes), expected);
            }
            pieces_free();
        }
    }
    maker_free(&m);
}

TEST(guess, header_cut_off) {
    guess_check_cuts(hand_parts);
    for (size_t i = 0; i < HAND_CHANGES; i++) {
        const char *parts[HAND_PARTS];
        test_note("%s", hand_changes[i].what);
        hand_make_change(&hand_changes[i], parts);
        if (hand_changes[i].start) {
            guess_check_cuts(parts);
        }
    }
}

/*
 * A header of 283 bytes: 226 lengths of 8 and 60 of 9 (226 / 256 + 60 / 512 = 1), each sent in 7 bits, then
 * 2 lengths of 4 in 5 bits and 28 of 5 in 6 (2 / 16 + 28 / 32 = 1). 17 + 19 * 3 + 286 * 7 + 2 * 5 + 28 * 6
 * bits, at most 7 in front. Code-length code: 3 has 1 bit, 2 has 2, 1: 3, 0: 4, 4: 5, 5: 6, 8 and 9: 7.
 */
static void long_make(maker *m, unsigned before) {
    static const unsigned order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    maker_code code;
    maker_begin(m);
    maker_code_clear(&code, 19);
    for (unsigned i = 0; i < 4; i++) {
        code.lengths[i] = 4 - i;
    }
    code.lengths[4] = 5;
    code.lengths[5] = 6;
    code.lengths[8] = code.lengths[9] = 7;
    maker_code_number(&code);
    maker_put(m, 0, before);
    maker_block(m, 0, 2);
    maker_put(m, 29, 5);
    maker_put(m, 29, 5);
    maker_put(m, 15, 4);
    for (unsigned i = 0; i < 19; i++) {
        maker_put(m, code.lengths[order[i]], 3);
    }
    for (unsigned i = 0; i < 286 + 30; i++) {
        maker_symbol(m, &code, i < 226 ? 8 : i < 286 ? 9 : i < 288 ? 4 : 5);
    }
}

TEST(guess, longest_header) {
    static maker m;
    uint64_t starts[1];
    for (unsigned before = 0; before < 8; before++) {
        long_make(&m, before);
        starts[0] = before;
        CHECK(naive_is_start(m.file.data, m.file.count, before, 0));
        for (unsigned most = 0; most < 3; most++) {
            pieces_cut(m.file.data, m.file.count, most == 0 ? m.file.count : 1, most);
            for (size_t i = 0; i < kernel_count; i++) {
                bsi_guess guess = guess_of(&kernels[i], 1u << 29);
                test_note("%s, bit %u, chunks of %u", kernels[i].name, before, most);
                check_walk(&guess, starts, 1);
            }
            pieces_free();
        }
    }
    maker_free(&m);
}

/* ---- made streams ---- */

/* Blocks at random, `shift` bits from the start of a byte. */
static void stream_make(maker *m, unsigned shift, unsigned ops, uint64_t *random) {
    static const char *const letters[] = {NULL, "ACGT", "ACGTN@+FFFFFF:,#\n"};
    maker_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.blocks = 8;
    shape.ops = ops;
    shape.text_bytes = 100000;
    shape.match_percent = maker_below(random, 101);
    shape.letters = letters[maker_below(random, 3)];
    maker_begin(m);
    maker_put(m, (uint32_t)test_random(random) & ((1u << shift) - 1), shift);
    maker_random_deflate(m, &shape, random);
}

TEST(guess, made_streams) {
    static maker m;
    uint64_t random = test_seed();
    size_t found = 0;
    for (unsigned round = 0; round < (MAKER_SLOW ? 40u : 240u); round++) {
        test_note("round %u", round);
        stream_make(&m, round % 8, 60, &random);
        found += check_bytes(m.file.data, m.file.count, 0);
    }
    CHECK(found > (MAKER_SLOW ? 20u : 120u));
    maker_free(&m);
}

/* The same with filters: none, one count, all but one, any. */
TEST(guess, made_streams_filtered) {
    static maker m;
    uint64_t random = test_seed() + 1;
    for (unsigned round = 0; round < (MAKER_SLOW ? 30u : 150u); round++) {
        uint32_t one = 1u << maker_below(&random, 32);
        uint32_t sets[6] = {1u << 29, 3u << 28, 7u << 27, one, ~one, (uint32_t)test_random(&random)};
        test_note("round %u", round);
        stream_make(&m, round % 8, 40, &random);
        check_bytes(m.file.data, m.file.count, sets[round % 6]);
    }
    maker_free(&m);
}

TEST(guess, damaged_streams) {
    static maker m;
    uint64_t random = test_seed() + 2;
    for (unsigned round = 0; round < (MAKER_SLOW ? 40u : 240u); round++) {
        test_note("round %u", round);
        stream_make(&m, round % 8, 10, &random); /* headers are most of it */
        for (unsigned i = 0; i < 1 + round % 7; i++) {
            uint32_t bit = maker_below(&random, (uint32_t)(8 * m.file.count));
            m.file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        check_bytes(m.file.data, m.file.count, 0);
    }
    maker_free(&m);
}

/* Zeros in front put a start at every distance from the border between two calls of a kernel. */
TEST(guess, every_place) {
    uint32_t scan_bits = 8 * BSI_GUESS_SCAN_BYTES;
    static maker m;
    for (uint32_t bit = scan_bits - 220; bit < scan_bits + 20; bit++) {
        uint64_t starts[1];
        starts[0] = bit;
        hand_make(&m, hand_parts, bit);
        pieces_cut(m.file.data, m.file.count, m.file.count, 0);
        for (size_t i = 0; i < kernel_count; i++) {
            bsi_guess guess = guess_of(&kernels[i], 0);
            test_note("%s, bit %u", kernels[i].name, bit);
            check_walk(&guess, starts, 1);
            CHECK_EQ_U64(bsi_guess_find(&guess, chunks, 1, bit, 8 * m.file.count), bit);
            CHECK_EQ_U64(bsi_guess_find(&guess, chunks, 1, bit + 1, 8 * m.file.count), NONE);
            CHECK_EQ_U64(bsi_guess_find(&guess, chunks, 1, bit, bit + 1), bit);
            CHECK_EQ_U64(bsi_guess_find(&guess, chunks, 1, 0, bit + 1), bit);
            CHECK_EQ_U64(bsi_guess_find(&guess, chunks, 1, 0, bit), NONE);
            CHECK_EQ_U64(bsi_guess_find(&guess, chunks, 1, bit, bit), NONE);
            CHECK_EQ_U64(bsi_guess_find(&guess, chunks, 1, bit + 1, bit), NONE);
        }
        pieces_free();
    }
    maker_free(&m);
}

/* ---- chunks ---- */

TEST(guess, every_cut) {
    static maker m;
    static const size_t most[] = {0, 1, 2, 7, 64};
    uint64_t random = test_seed() + 3;
    for (unsigned round = 0; round < (MAKER_SLOW ? 3u : 10u); round++) {
        size_t found;
        do {
            stream_make(&m, round % 8, 30, &random);
            found = naive_starts(m.file.data, m.file.count, 0, all_starts);
        } while (found == 0 || m.file.count > 1500);
        for (size_t first = 1; first <= m.file.count; first++) {
            pieces_cut(m.file.data, m.file.count, first, most[(first + round) % 5]);
            for (size_t i = 0; i < kernel_count; i++) {
                bsi_guess guess = guess_of(&kernels[i], 0);
                test_note("%s, round %u, first chunk of %u bytes", kernels[i].name, round, (unsigned)first);
                check_walk(&guess, all_starts, found);
            }
            pieces_free();
        }
    }
    maker_free(&m);
}

/* ---- the kernels themselves ---- */

/* Random bits, some of them rich in zeros, ones or starts. */
static void guess_bytes_random(uint8_t *bytes, size_t count, unsigned kind, uint64_t *random) {
    for (size_t i = 0; i < count; i++) {
        uint64_t word = test_random(random);
        bytes[i] = (uint8_t)(kind == 1   ? word & word >> 8
                             : kind == 2 ? word | word >> 8
                             : kind == 3 ? 0x492492u >> i % 3 ^ (word % 3 == 0 ? 1u << (word >> 8 & 7u) : 0)
                                         : word);
    }
}

static void check_scan(const uint8_t *bytes, uint32_t counts) {
    static uint16_t expected[BSI_GUESS_STARTS], starts[BSI_GUESS_STARTS];
    uint32_t count = 0;
    bsi_guess_filter filter;
    for (uint32_t bit = 0; bit < 8 * BSI_GUESS_SCAN_BYTES; bit++) {
        unsigned litlens, distances;
        maker_code code;
        naive n = {NULL, 0, 8 * BSI_GUESS_READ_BYTES, 0};
        n.bytes = bytes;
        n.at = bit;
        if (naive_front(&n, counts, &litlens, &distances, &code)) {
            expected[count++] = (uint16_t)bit;
        }
    }
    bsi_guess_filter_begin(&filter, counts);
    for (size_t i = 0; i < kernel_count; i++) {
        bsi_guess guess = guess_of(&kernels[i], counts);
        uint32_t found = guess.scan(&filter, bytes, starts);
        test_note("%s, distance counts %08x", kernels[i].name, (unsigned)counts);
        if (CHECK_EQ_U64(found, count)) {
            CHECK_MEM(starts, expected, count * sizeof *starts);
        }
    }
}

/* Chance seldom writes a header, but often passes the first two sieves: hold these to the rules apart. */
TEST(guess, kernels_on_chance) {
    uint64_t random = test_seed() + 4;
    uint8_t *bytes = test_copy(NULL, BSI_GUESS_READ_BYTES);
    for (unsigned round = 0; round < (MAKER_SLOW ? 100u : 600u); round++) {
        uint32_t word = (uint32_t)test_random(&random), sets[6];
        guess_bytes_random(bytes, BSI_GUESS_READ_BYTES, round % 4, &random);
        sets[0] = 0;
        sets[1] = 1u << round % 32;
        sets[2] = ~sets[1];
        sets[3] = 3u << round % 31;
        sets[4] = word;
        sets[5] = round % 2 ? 0x55555555u : 0xAAAAAAAAu;
        check_scan(bytes, sets[round / 4 % 6]);
    }
    free(bytes);
}

TEST(guess, chance) {
    uint64_t random = test_seed() + 5;
    uint8_t bytes[3000];
    for (unsigned round = 0; round < (MAKER_SLOW ? 8u : 40u); round++) {
        test_note("round %u", round);
        guess_bytes_random(bytes, sizeof bytes, round % 4, &random);
        check_bytes(bytes, sizeof bytes - round, round % 8 < 4 ? 0 : 1u << 29);
    }
}

/* Sets as the filter keeps them: a count is in it if it is in a group, or in none where `outside` says so. */
TEST(guess, groups) {
    uint64_t random = test_seed() + 6;
    for (unsigned round = 0; round < 2000; round++) {
        uint32_t set = (uint32_t)test_random(&random);
        uint32_t expected, made = 0;
        bsi_guess_filter filter;
        set = round < 32 ? 1u << round : round < 64 ? ~(1u << (round - 32)) : round == 64 ? 0 : set;
        expected = set == 0 ? 0x3FFFFFFFu : set & 0x3FFFFFFFu;
        bsi_guess_filter_begin(&filter, set);
        REQUIRE(filter.group_count <= 16);
        for (uint32_t value = 0; value < 32; value++) {
            uint32_t inside = 0;
            for (uint32_t g = 0; g < filter.group_count; g++) {
                uint32_t same = 0;
                for (uint32_t i = 0; i < 5; i++) {
                    uint64_t bit = 0 - (uint64_t)(value >> i & 1u);
                    same += filter.groups[g].any[i] != 0 || filter.groups[g].bit[i] == bit;
                }
                inside += same == 5;
            }
            CHECK(inside <= 1);
            made |= (inside ^ (uint32_t)(filter.outside & 1u)) << value;
        }
        CHECK_EQ_U64(made, expected);
    }
}

/* ---- zlib ---- */

#ifdef HAVE_ZLIB

/* zlib's blocks, dynamic and not the last, by inflate itself; *out_counts gets their HDIST as a set. */
static size_t zlib_starts(const uint8_t *bytes, size_t count, uint64_t *starts, uint32_t *out_counts) {
    static uint8_t text[65536];
    size_t found = 0;
    int status = Z_OK;
    z_stream z;
    memset(&z, 0, sizeof z);
    *out_counts = 0;
    CHECK(inflateInit2(&z, -15) == Z_OK);
    z.next_in = (Bytef *)(uintptr_t)bytes;
    z.avail_in = (uInt)count;
    for (uint64_t bit = 0; status == Z_OK && found < STARTS_MOST;) {
        naive n = {NULL, 0, 0, 0};
        n.bytes = bytes;
        n.at = bit;
        n.end = 8 * (uint64_t)count;
        if (naive_number(&n, 1) == 0 && naive_number(&n, 2) == 2) {
            starts[found++] = bit;
            naive_number(&n, 5);
            *out_counts |= 1u << naive_number(&n, 5);
        }
        do { /* to the next border: bit 7 of data_type is set after a block, bits 0..2 are unused bits */
            z.next_out = text;
            z.avail_out = (uInt)sizeof text;
            status = inflate(&z, Z_BLOCK);
        } while (status == Z_OK && !(z.data_type & 128));
        bit = 8 * (uint64_t)(count - z.avail_in) - (uint64_t)(z.data_type & 7);
    }
    CHECK(status == Z_STREAM_END);
    inflateEnd(&z);
    return found;
}

/*
 * All blocks of FASTQ text are found, and nothing else: of 6 * 10^9 positions in random bits none passes
 * all three sieves, and these streams have less than 10^8.
 */
static void guess_check_zlib(const maker_bytes *text, int level, int strategy) {
    static uint64_t starts[STARTS_MOST];
    size_t count = text->count + text->count / 8 + 1000, found;
    uint8_t *bytes = test_copy(NULL, count);
    uint32_t counts, set;
    z_stream z;
    memset(&z, 0, sizeof z);
    CHECK(deflateInit2(&z, level, Z_DEFLATED, -15, 8, strategy) == Z_OK);
    z.next_in = text->data;
    z.avail_in = (uInt)text->count;
    z.next_out = bytes;
    z.avail_out = (uInt)count;
    CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
    count -= z.avail_out;
    deflateEnd(&z);
    found = zlib_starts(bytes, count, starts, &counts);
    CHECK(found >= 2);
    pieces_cut(bytes, count, count, 0);
    for (size_t i = 0; i < 2 * kernel_count; i++) {
        bsi_guess guess = guess_of(&kernels[i / 2], 0);
        uint64_t bit = 0;
        size_t at = 0, wrong = 0;
        set = guess.distance_counts = i % 2 ? counts : 0;
        test_note("%s, level %d, strategy %d, filter %08x", kernels[i / 2].name, level, strategy,
                  (unsigned)set);
        while ((bit = bsi_guess_find(&guess, chunks, 1, bit, 8 * count)) != NONE) {
            int is_true = at < found && starts[at] == bit;
            at += is_true ? 1 : 0;
            wrong += is_true ? 0 : 1;
            bit++;
        }
        CHECK_EQ_U64(at, found);
        CHECK_EQ_U64(wrong, 0);
    }
    pieces_free();
    free(bytes);
}

TEST(guess, zlib_streams) {
    static const int levels[] = {1, 6, 9};
    uint64_t random = test_seed() + 7;
    maker_bytes text = {NULL, 0, 0};
    maker_fastq(&text, MAKER_SLOW ? 400000 : 1500000, &random);
    for (size_t i = 0; i < 3; i++) {
        guess_check_zlib(&text, levels[i], Z_DEFAULT_STRATEGY);
    }
    guess_check_zlib(&text, 6, Z_HUFFMAN_ONLY);
    guess_check_zlib(&text, 6, Z_RLE);
    maker_bytes_free(&text);
}

#else

TEST(guess, zlib_streams) {
    TEST_SKIP("zlib");
}

#endif
