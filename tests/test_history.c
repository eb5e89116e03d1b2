/*
 * test_history.c - the history of a point: what is marked, the packed form, damage of it, and streams that
 * go on with nothing but what was kept in front.
 *
 * Marks come from a model that copies byte by byte, packed forms from a second reader that knows their
 * table only, and what a stream goes on with from deflate_maker.h and zlib.
 *
 * rooms: history
 * needs: nothing
 */
#include "white.h"
#include "test.h"
#include "segments.h"
#include "xxh64.h"

#define MOST BSI_HISTORY_PACKED_MOST

/* ---- models ---- */

/* Mark what the ops copy from before the point, byte by byte; 1: they have 32 KiB of text. */
static int slow_mark(uint8_t *marks, const uint64_t *ops, size_t count) {
    int64_t text = 0;
    memset(marks, 0, HISTORY);
    for (size_t i = 0; i < count; i++) {
        int64_t length = (int64_t)(ops[i] >> 32 & 127u), distance = (int64_t)(ops[i] >> 48);
        text += (int64_t)(ops[i] >> 39 & 7u);
        for (; length > 0; length--, text++) {
            if (text - distance < 0) {
                marks[(int64_t)HISTORY + text - distance] = 1;
            }
        }
    }
    return text >= (int64_t)HISTORY;
}

static uint32_t number16(const uint8_t *from) {
    return from[0] + 256u * from[1];
}

/* What a packed history holds: [h] bytes, and whether each was kept. 0: it is not sound. */
static int slow_unpack(const uint8_t *packed, size_t count, uint32_t h, uint8_t *text, uint8_t *kept) {
    const uint8_t *run = packed + 12, *codes, *escape, *end = packed + count;
    uint32_t runs, k, e, at = 0, given = 0;
    memset(text, 0, h);
    memset(kept, 0, h);
    if (count < 12 || count > MOST || number16(packed + 4) != h ||
        (slow_xxh64(packed + 4, count - 4, 0) & 0xFFFFFFFFu) !=
            number16(packed) + 65536u * (uint64_t)number16(packed + 2)) {
        return 0;
    }
    runs = number16(packed + 6);
    k = number16(packed + 8);
    e = number16(packed + 10);
    if (count != 12 + 2 * (size_t)runs + (e == 65535 ? k : 15 + (k + 1) / 2 + (size_t)e)) {
        return 0;
    }
    codes = run + 2 * (size_t)runs;
    escape = codes + 15 + (k + 1) / 2;
    for (; runs > 0; runs--, run += 2) {
        at += run[0];
        for (uint32_t i = 0; i < run[1]; i++, at++, given++) {
            uint32_t code;
            if (at >= h || given >= k) {
                return 0;
            }
            kept[at] = 1;
            if (e == 65535) {
                text[at] = codes[given];
                continue;
            }
            code = given % 2 == 0 ? codes[15 + given / 2] & 15u : codes[15 + given / 2] >> 4;
            if (code == 15 && escape == end) {
                return 0;
            }
            text[at] = code == 15 ? *escape++ : codes[code];
        }
    }
    return at <= h && given == k && (e == 65535 || escape == end);
}

/* Write the check again, where there is place for one. */
static void seal(uint8_t *packed, size_t count) {
    uint64_t check = count < 4 ? 0 : slow_xxh64(packed + 4, count - 4, 0);
    for (unsigned i = 0; i < 4 && i < count; i++) {
        packed[i] = (uint8_t)(check >> 8 * i);
    }
}

/* ---- ops made up ---- */

static uint64_t op_of(uint32_t literals, uint32_t count, uint32_t length, uint32_t distance) {
    return literals | (uint64_t)length << 32 | (uint64_t)count << 39 | (uint64_t)distance << 48;
}

/* An op as ways make them: literals and a match, or literals alone, or a match alone. */
static uint64_t op_random(int far, uint64_t *random) {
    static const uint32_t lengths[] = {1, 3, 8, 32, 55, 56, 57, 58, 63, 64};
    uint32_t count = maker_below(random, 5), length = 0, distance = 256 + maker_below(random, 4);
    if (count == 0 || maker_chance(random, 60)) {
        length = maker_chance(random, 50) ? lengths[maker_below(random, 10)] : 1 + maker_below(random, 64);
        distance = far ? HISTORY - maker_below(random, 200)
                       : 1 + maker_below(random, 1u << maker_below(random, 16));
    }
    return op_of((uint32_t)test_random(random), count, length, distance);
}

/* The marks are those of the model, and the ops, which are a block of their own, say so. */
static void check_marks(const uint64_t *ops, size_t count) {
    uint64_t *block = (uint64_t *)(void *)test_copy(ops, count * sizeof *ops);
    bsi_history_marks *marks = (bsi_history_marks *)(void *)test_copy(NULL, sizeof *marks);
    uint8_t *model = test_copy(NULL, HISTORY), *bits = test_copy(NULL, HISTORY);
    memset(marks, 0xA5, sizeof *marks);
    CHECK_EQ_I64(bsi_history_mark(marks, block, block + count), slow_mark(model, ops, count));
    for (size_t i = 0; i < HISTORY; i++) {
        bits[i] = marks->bits[i / 8] >> i % 8 & 1u;
    }
    CHECK_MEM(bits, model, HISTORY);
    free(bits);
    free(model);
    free(marks);
    free(block);
}

TEST(history, marks_are_what_ops_copy) {
    static uint64_t ops[40000];
    uint64_t random = test_seed();
    for (unsigned round = 0; round < (MAKER_SLOW ? 40 : 150); round++) {
        size_t count = maker_chance(&random, 30) ? maker_below(&random, 300) : maker_below(&random, 16000);
        int far = maker_chance(&random, 20);
        test_note("round %u", round);
        for (size_t i = 0; i < count; i++) {
            ops[i] = op_random(far, &random);
        }
        check_marks(ops, count);
    }
    check_marks(ops, 0);
}

TEST(history, marks_at_the_edges) {
    static uint64_t ops[40000];
    for (uint32_t text = 32764; text <= 32772; text++) { /* so much text, then a last op */
        for (uint32_t length = 1; length <= 64; length += 7) {
            size_t count = 0;
            for (uint32_t i = 0; i < text; i++) {
                ops[count++] = op_of('x', 1, 0, 256);
            }
            test_note("%u bytes of text, then a match of %u", text, length);
            check_marks(ops, count);
            ops[count++] = op_of(0x64636261, 4, length, 32768);
            check_marks(ops, count);
            ops[count - 1] = op_of(0x64636261, 4, length, 1);
            check_marks(ops, count);
        }
    }
    for (uint32_t length = 1; length <= 64; length++) { /* the oldest and the newest bytes, one by one */
        for (uint32_t distance = 32700; distance <= 32768; distance++) {
            ops[0] = op_of(0, 0, length, distance);
            ops[1] = op_of(0, 0, length, 1 + (distance * 7 + length) % 70);
            check_marks(ops, 2);
        }
    }
}

/* ---- packing ---- */

/* A history that was packed, as the test knows it. */
typedef struct packing {
    uint32_t bytes;    /* of history */
    uint8_t *text;     /* [bytes] a block of their own */
    uint8_t *expected; /* [bytes] where nothing was kept: 0 */
    uint8_t *kept;     /* [bytes] */
    uint8_t *packed;   /* [packed_bytes] a block of their own */
    uint32_t packed_bytes;
} packing;

static void packing_free(packing *p) {
    free(p->text);
    free(p->expected);
    free(p->kept);
    free(p->packed);
}

/* Pack text of which marks[32768 - bytes + i] says whether byte i is wanted; gaps of 3 and fewer are kept. */
static void packing_make(packing *p, const uint8_t *text, uint32_t bytes, const bsi_history_marks *marks) {
    uint8_t *room = test_copy(NULL, MOST);
    uint32_t last = UINT32_MAX;
    p->bytes = bytes;
    p->text = test_copy(text, bytes);
    p->expected = test_copy(NULL, bytes);
    p->kept = test_copy(NULL, bytes);
    memset(p->expected, 0, bytes);
    memset(p->kept, 0, bytes);
    for (uint32_t i = 0; i < bytes; i++) {
        uint32_t bit = HISTORY - bytes + i;
        if (marks->bits[bit / 8] >> bit % 8 & 1u) {
            uint32_t from = last != UINT32_MAX && i - last <= 4 ? last : i;
            memset(p->kept + from, 1, i - from + 1);
            last = i;
        }
    }
    for (uint32_t i = 0; i < bytes; i++) {
        p->expected[i] = p->kept[i] ? p->text[i] : 0;
    }
    memset(room, 0x5A, MOST);
    p->packed_bytes = bsi_history_pack(marks, p->text + bytes, bytes, room);
    CHECK(p->packed_bytes <= MOST);
    p->packed = test_copy(room, p->packed_bytes);
    free(room);
}

/* All that holds for a history packed and not damaged. */
static void packing_check(packing *p, uint64_t *random) {
    uint8_t *text = test_copy(NULL, p->bytes), *kept = test_copy(NULL, p->bytes);
    uint8_t *end = p->text + p->bytes;
    CHECK(slow_unpack(p->packed, p->packed_bytes, p->bytes, text, kept));
    CHECK(p->packed_bytes <= 12 + 2 * number16(p->packed + 6) + number16(p->packed + 8)); /* as plain */
    CHECK_MEM(text, p->expected, p->bytes);
    CHECK_MEM(kept, p->kept, p->bytes);
    memset(text, 0xC3, p->bytes);
    CHECK_EQ_I64(bsi_history_unpack(p->packed, p->packed_bytes, text + p->bytes, p->bytes), 1);
    CHECK_MEM(text, p->expected, p->bytes);
    CHECK_EQ_I64(bsi_history_matches(p->packed, p->packed_bytes, end, p->bytes), 1);
    for (unsigned i = 0; i < 20 && p->bytes > 0; i++) { /* bytes that were kept count, others do not */
        uint32_t at = i == 0 ? 0 : i == 1 ? p->bytes - 1 : maker_below(random, p->bytes);
        p->text[at] ^= (uint8_t)(1u << maker_below(random, 8));
        CHECK_EQ_I64(bsi_history_matches(p->packed, p->packed_bytes, end, p->bytes), !p->kept[at]);
        p->text[at] = p->kept[at] ? p->expected[at] : p->text[at];
    }
    if (p->bytes > 0) {
        CHECK_EQ_I64(bsi_history_matches(p->packed, p->packed_bytes, end, p->bytes - 1), 0);
        CHECK_EQ_I64(bsi_history_unpack(p->packed, p->packed_bytes, text + p->bytes, p->bytes - 1), 0);
    }
    free(text);
    free(kept);
}

/* Text that codes well, badly, or not at all. */
static void text_random(uint8_t *text, uint32_t bytes, uint64_t *random) {
    static const uint32_t alphabets[] = {1, 2, 5, 14, 15, 16, 17, 30, 60, 256};
    uint32_t alphabet = alphabets[maker_below(random, 10)], often = maker_below(random, 101);
    for (uint32_t i = 0; i < bytes; i++) {
        uint32_t most = maker_chance(random, often) ? BSI_MIN(alphabet, 8u) : alphabet;
        text[i] = (uint8_t)(maker_below(random, most) * 37 + 35);
    }
}

/* Marks in runs of about `run` bytes with about `gap` between, or all, or few. */
static void marks_random(bsi_history_marks *marks, uint64_t *random) {
    uint32_t kind = maker_below(random, 10), at = 0;
    uint32_t run = 1 + maker_below(random, 1u << maker_below(random, 12));
    uint32_t gap = 1 + maker_below(random, 1u << maker_below(random, 12));
    memset(marks, 0, sizeof *marks);
    memset(marks->bits + HISTORY / 8, 0xFF, sizeof marks->bits - HISTORY / 8);
    if (kind == 0) {
        bsi_history_mark_all(marks);
        return;
    }
    at = maker_chance(random, 50) ? 0 : maker_below(random, gap + 1);
    while (at < HISTORY && kind > 1) {
        uint32_t end = at + 1 + maker_below(random, run);
        for (; at < end && at < HISTORY; at++) {
            marks->bits[at / 8] |= (uint8_t)(1u << at % 8);
        }
        at += 1 + maker_below(random, gap);
    }
}

static uint32_t history_bytes_random(uint64_t *random) {
    static const uint32_t some[] = {0,   1,   2,   7,    8,    63,    64,    65,   100,
                                    255, 256, 300, 1000, 4096, 32704, 32767, 32768};
    return maker_chance(random, 60) ? some[maker_below(random, 17)] : maker_below(random, HISTORY + 1);
}

TEST(history, packed_is_what_was_marked) {
    static uint8_t text[HISTORY];
    static bsi_history_marks marks;
    uint64_t random = test_seed() + 1;
    uint32_t coded = 0, plain = 0, escapes = 0;
    for (unsigned round = 0; round < (MAKER_SLOW ? 100 : 600); round++) {
        packing p;
        uint32_t bytes = history_bytes_random(&random);
        test_note("round %u, %u bytes", round, bytes);
        text_random(text, bytes, &random);
        marks_random(&marks, &random);
        packing_make(&p, text, bytes, &marks);
        packing_check(&p, &random);
        plain += number16(p.packed + 10) == 65535;
        coded += number16(p.packed + 10) != 65535;
        escapes += number16(p.packed + 10) != 65535 && number16(p.packed + 10) > 0;
        packing_free(&p);
    }
    CHECK(plain > 0 && coded > 0 && escapes > 0); /* all forms were seen */
}

/* Marks that need the most runs for what they keep, and bytes that have no code. */
TEST(history, packed_is_never_longer_than_said) {
    static uint8_t text[HISTORY];
    static bsi_history_marks marks;
    uint64_t random = test_seed() + 2;
    for (uint32_t i = 0; i < HISTORY; i++) {
        text[i] = (uint8_t)(i * 167 + (i >> 8));
    }
    for (uint32_t run = 1; run <= 520; run += run < 12 ? 1 : 61) {
        for (uint32_t gap = 1; gap <= 520; gap += gap < 12 ? 1 : 61) {
            packing p;
            memset(&marks, 0, sizeof marks);
            for (uint32_t i = 0; i < HISTORY; i++) {
                marks.bits[i / 8] |= (uint8_t)((i % (run + gap) < run) << i % 8);
            }
            test_note("runs of %u, gaps of %u", run, gap);
            packing_make(&p, text, HISTORY, &marks);
            packing_check(&p, &random);
            packing_free(&p);
        }
    }
}

/* Few bytes, with about as many escapes as make plain the shorter form. */
TEST(history, packed_is_plain_where_that_is_shorter) {
    static uint8_t text[200];
    static bsi_history_marks marks;
    uint64_t random = test_seed() + 7;
    bsi_history_mark_all(&marks);
    for (uint32_t bytes = 1; bytes <= 120; bytes++) {
        for (uint32_t rare = 0; rare <= bytes; rare += 1 + rare / 9) {
            packing p;
            for (uint32_t i = 0; i < bytes; i++) {
                text[i] = (uint8_t)(i < rare ? 128 + i : 'A');
            }
            test_note("%u bytes, %u of them rare", bytes, rare);
            packing_make(&p, text, bytes, &marks);
            packing_check(&p, &random);
            packing_free(&p);
        }
    }
}

TEST(history, packed_by_hand) {
    static bsi_history_marks marks;
    static const uint8_t plain[] = {10, 0, 1, 0, 2, 0, 255, 255, 2, 2, 'C', 'D'};
    static const uint8_t coded[] = {64, 0, 1, 0, 64, 0, 1, 0, 0, 64, 'A', 0};
    uint8_t text[64], packed[MOST];
    memset(&marks, 0, sizeof marks);
    marks.bits[(HISTORY - 8) / 8] = 3;
    CHECK_EQ_U64(bsi_history_pack(&marks, (const uint8_t *)"ABCDEFGHIJ" + 10, 10, packed), 16);
    CHECK_MEM(packed + 4, plain, sizeof plain);
    CHECK_EQ_U64(number16(packed) + 65536u * number16(packed + 2), slow_xxh64(plain, 12, 0) & 0xFFFFFFFFu);
    /* 64 bytes A, but for a byte that the count of frequent ones passes over */
    memset(text, 'A', sizeof text);
    text[1] = 'T';
    memset(marks.bits, 0xFF, HISTORY / 8);
    CHECK_EQ_U64(bsi_history_pack(&marks, text + 64, 64, packed), 12 + 2 + 15 + 32 + 1);
    CHECK_MEM(packed + 4, coded, sizeof coded);
    CHECK_EQ_U64(packed[29], 0xF0);
    CHECK_EQ_U64(packed[30], 0);
    CHECK_EQ_U64(packed[61], 'T');
}

/* ---- damage ---- */

/* Unpack and compare bytes that may be anything, all in blocks of their own; the model's verdict counts. */
static void check_any(const packing *p, const uint8_t *bytes, size_t count) {
    uint8_t *packed = test_copy(bytes, count);
    uint8_t *text = test_copy(NULL, p->bytes), *model = test_copy(NULL, p->bytes);
    uint8_t *kept = test_copy(NULL, p->bytes);
    int is_sound = slow_unpack(packed, count, p->bytes, model, kept), is_same = is_sound;
    CHECK_EQ_I64(bsi_history_unpack(packed, (uint32_t)count, text + p->bytes, p->bytes), is_sound);
    if (is_sound) {
        CHECK_MEM(text, model, p->bytes);
    }
    for (uint32_t i = 0; i < p->bytes; i++) {
        is_same = is_same && (!kept[i] || model[i] == p->text[i]);
    }
    CHECK_EQ_I64(bsi_history_matches(packed, (uint32_t)count, p->text + p->bytes, p->bytes), is_same);
    free(kept);
    free(model);
    free(text);
    free(packed);
}

/* Every bit, every end, and random bytes, with the check as it was and, as a liar would, written again. */
static void damage_all(const packing *p, uint64_t *random) {
    uint8_t *bytes = test_copy(NULL, p->packed_bytes + 40);
    size_t count = p->packed_bytes;
    for (size_t bit = 0; bit < count * 8; bit++) {
        memcpy(bytes, p->packed, count);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        test_note("bit %u of %u bytes", (unsigned)bit, (unsigned)count);
        CHECK(!bsi_history_matches(bytes, (uint32_t)count, p->text + p->bytes, p->bytes));
        check_any(p, bytes, count);
        seal(bytes, count);
        check_any(p, bytes, count);
    }
    for (size_t end = 0; end <= count + 40; end++) {
        memset(bytes, 0, count + 40);
        memcpy(bytes, p->packed, BSI_MIN(end, count));
        test_note("%u of %u bytes", (unsigned)end, (unsigned)count);
        check_any(p, bytes, end);
        seal(bytes, end);
        check_any(p, bytes, end);
    }
    for (unsigned round = 0; round < 400; round++) {
        memcpy(bytes, p->packed, count);
        for (unsigned i = 1 + maker_below(random, 4); i > 0; i--) {
            size_t at = 4 + maker_below(random, (uint32_t)count - 4);
            at = maker_chance(random, 40) ? 6 + maker_below(random, 6) : at;
            bytes[at] = maker_chance(random, 50) ? (uint8_t)test_random(random) : (uint8_t)(bytes[at] + 1);
        }
        test_note("random round %u", round);
        seal(bytes, count);
        check_any(p, bytes, count);
    }
    free(bytes);
}

TEST(history, damage_stays_inside) {
    static uint8_t text[HISTORY];
    static bsi_history_marks marks;
    uint64_t random = test_seed() + 3;
    uint32_t coded = 0;
    for (unsigned round = 0; round < (MAKER_SLOW ? 12 : 40); round++) {
        packing p;
        uint32_t bytes = 1 + maker_below(&random, round % 4 == 0 ? 700 : 150);
        text_random(text, bytes, &random);
        marks_random(&marks, &random);
        packing_make(&p, text, bytes, &marks);
        if (p.packed_bytes <= 400) {
            damage_all(&p, &random);
            coded += number16(p.packed + 10) != 65535;
        }
        packing_free(&p);
    }
    CHECK(coded > 0);
}

/* A code in front of the escapes' end, and the escapes moved by one: sound in all sums but this. */
TEST(history, escapes_are_counted) {
    static uint8_t text[600];
    static bsi_history_marks marks;
    uint64_t random = test_seed() + 4;
    packing p;
    for (uint32_t i = 0; i < sizeof text; i++) {
        text[i] = (uint8_t)(i % 60 == 7 ? 200 + i / 60 : 'A' + i % 3);
    }
    bsi_history_mark_all(&marks);
    packing_make(&p, text, sizeof text, &marks);
    packing_check(&p, &random);
    REQUIRE(number16(p.packed + 10) >= 9 && number16(p.packed + 10) != 65535);
    for (uint32_t i = 0; i < 300; i++) {
        uint8_t *bytes = test_copy(p.packed, p.packed_bytes), *codes = bytes + p.packed_bytes;
        codes -= number16(p.packed + 10) + 300;
        codes[i] = codes[i] == 0xFF ? 0 : 0xFF; /* two escapes more, or fewer */
        seal(bytes, p.packed_bytes);
        test_note("codes %u", i);
        CHECK_EQ_I64(bsi_history_matches(bytes, p.packed_bytes, p.text + p.bytes, p.bytes), 0);
        check_any(&p, bytes, p.packed_bytes);
        free(bytes);
    }
    packing_free(&p);
}

/* With an odd number of codes the last half says nothing; it must not count as an escape. */
TEST(history, last_half_is_free) {
    static uint8_t text[601];
    static bsi_history_marks marks;
    bsi_history_mark_all(&marks);
    for (uint32_t bytes = 101; bytes <= 115; bytes += 2) {
        packing p;
        for (uint32_t i = 0; i < bytes; i++) {
            text[i] = (uint8_t)(i % 50 == 9 ? 'a' + i / 50 : 'A'); /* two or three have no code */
        }
        test_note("%u bytes", bytes);
        packing_make(&p, text, bytes, &marks);
        REQUIRE(number16(p.packed + 10) >= 2 && number16(p.packed + 10) < 4);
        for (uint32_t half = 0; half < 16; half++) {
            uint8_t *last = p.packed + p.packed_bytes - number16(p.packed + 10) - 1;
            *last = (uint8_t)(half << 4 | (*last & 15u));
            seal(p.packed, p.packed_bytes);
            check_any(&p, p.packed, p.packed_bytes);
            CHECK_EQ_I64(bsi_history_matches(p.packed, p.packed_bytes, p.text + bytes, bytes), 1);
        }
        packing_free(&p);
    }
}

/* ---- streams that go on ---- */

static bsi_ops_ways history_ways;

/* Ops of a stream from a border on, all in one way; the caller frees. */
static uint64_t *ops_of(const uint8_t *file, size_t count, uint64_t bit, size_t room, size_t *out_count) {
    uint64_t *ops = (uint64_t *)(void *)test_copy(NULL, room * sizeof *ops);
    bsi_guess_chunk chunk;
    chunk.bytes = file;
    chunk.count = count;
    bsi_kernels_ops_ways(&history_ways, bsi_cpu_features());
    bsi_ops_way_begin(&history_ways.ways[0], &chunk, 1, bit, UINT64_MAX - 7, ops, room);
    while (bsi_ops_run(&history_ways, 100000) > 0) {
    }
    *out_count = history_ways.ways[0].op_count;
    return ops;
}

/*
 * Mark, pack and unpack the history of a border, and replay what follows after it. `text` is the whole
 * text of the stream after 32 KiB of zeros, `at` the border's place in it.
 */
static void check_goes_on(const uint64_t *ops, size_t count, const maker_bytes *text, size_t at,
                          uint64_t *random) {
    static bsi_history_marks marks;
    static uint8_t model[HISTORY];
    uint32_t bytes = (uint32_t)BSI_MIN(at, (size_t)HISTORY);
    size_t rest = text->count - HISTORY - at;
    const uint64_t *op = ops;
    uint8_t *page = test_copy(NULL, HISTORY + rest + BSI_OPS_PAST_BYTES), *out = page + HISTORY;
    packing p;
    check_marks(ops, count);
    if (!bsi_history_mark(&marks, ops, ops + count)) {
        CHECK(!slow_mark(model, ops, count));
    }
    packing_make(&p, text->data + HISTORY + at - bytes, bytes, &marks);
    packing_check(&p, random);
    memset(page, 0, HISTORY);
    CHECK(bsi_history_unpack(p.packed, p.packed_bytes, out, bytes));
    op = bsi_ops_replay(&history_ways.kernels, op, ops + count, &out, page + HISTORY + rest);
    CHECK(op == ops + count);
    CHECK_EQ_U64(out - page, HISTORY + rest);
    CHECK_MEM(page + HISTORY, text->data + HISTORY + at, rest);
    packing_free(&p);
    free(page);
}

TEST(history, random_streams_go_on) {
    uint64_t random = test_seed() + 5;
    for (unsigned round = 0; round < (MAKER_SLOW ? 15 : 60); round++) {
        static maker_op made[MAKER_OPS];
        static maker m;
        maker_shape shape;
        maker_bytes text;
        uint64_t bits[64];
        size_t texts[64];
        uint32_t blocks = 2 + maker_below(&random, 40);
        memset(&shape, 0, sizeof shape);
        memset(&text, 0, sizeof text);
        shape.ops = 3000;
        shape.text_bytes = 300000;
        shape.match_percent = maker_below(&random, 80);
        shape.letters = maker_chance(&random, 50) ? "ACGT\nF:,#@" : NULL;
        maker_begin(&m);
        for (uint32_t i = 0; i < blocks; i++) {
            maker_code litlen, distance;
            unsigned count;
            bits[i] = (uint64_t)m.file.count * 8 - m.free_bits;
            texts[i] = m.text.count;
            count = maker_random_ops(&m, &shape, made, &random);
            maker_fixed_codes(&litlen, &distance);
            maker_block(&m, i + 1 == blocks, 1);
            maker_put_ops(&m, made, count, &litlen, &distance);
        }
        maker_raw(&m, "trailer!", 8, 0);
        maker_bytes_add(&text, NULL, HISTORY);
        maker_bytes_add(&text, m.text.data, m.text.count);
        for (uint32_t i = 0; i < blocks; i += 1 + maker_below(&random, 8)) {
            size_t count;
            uint64_t *ops = ops_of(m.file.data, m.file.count, bits[i], m.text.count + 9000, &count);
            test_note("round %u, block %u", round, i);
            check_goes_on(ops, count, &text, texts[i], &random);
            free(ops);
        }
        maker_bytes_free(&text);
        maker_free(&m);
    }
}

#ifdef HAVE_ZLIB

/* FASTQ as a sequencer writes it, its reads from a genome, at random. */
static void fastq_random(maker_bytes *text, size_t bytes, uint64_t *random) {
    static char genome[20000];
    for (size_t i = 0; i < sizeof genome; i++) {
        genome[i] = "ACGT"[maker_below(random, 4)];
    }
    for (unsigned record = 0; text->count < bytes; record++) {
        char line[400];
        int length = snprintf(line, sizeof line, "@A00:7:HX:%u:%u:%u 1:N:0\n", record / 5000, record / 50,
                              maker_below(random, 30000));
        maker_bytes_add(text, line, (size_t)length);
        maker_bytes_add(text, genome + maker_below(random, 20000 - 100), 100);
        maker_bytes_add(text, "\n+\n", 3);
        for (unsigned i = 0; i < 100; i++) {
            line[i] = maker_chance(random, 85) ? 'F' : "#,:5A"[maker_below(random, 5)];
        }
        line[100] = '\n';
        maker_bytes_add(text, line, 101);
    }
}

/* zlib goes on at a border with this history in front: the text is as it was. */
static void zlib_goes_on(const maker_bytes *file, uint64_t bit, const uint8_t *history, const uint8_t *text,
                         size_t count) {
    uint8_t *out = test_copy(NULL, count);
    unsigned held = (unsigned)(8 - bit % 8) % 8;
    size_t at = (size_t)((bit + 7) / 8);
    uint64_t word = held > 0 ? file->data[at - 1] >> (8 - held) : 0;
    CHECK_EQ_U64(zlib_resume(file, at, held, word, history, out, count), count);
    CHECK_MEM(out, text, count);
    free(out);
}

/* From a border on: 256 KiB or more with what was kept and zeros, and not without. */
static void zlib_border(const maker_bytes *file, const maker_bytes *text, uint64_t bit, size_t at,
                        uint64_t *random) {
    static bsi_history_marks marks;
    static uint8_t history[HISTORY];
    size_t count;
    uint64_t *ops = ops_of(file->data, file->count, bit, text->count, &count);
    packing p;
    test_note("border at bit %llu, text %u", (unsigned long long)bit, (unsigned)at);
    check_goes_on(ops, count, text, at, random);
    CHECK_EQ_I64(bsi_history_mark(&marks, ops, ops + count), 1);
    packing_make(&p, text->data + at, HISTORY, &marks); /* with the zeros in front, if at < 32 KiB */
    memset(history, 0xEE, sizeof history);
    CHECK(bsi_history_unpack(p.packed, p.packed_bytes, history + HISTORY, HISTORY));
    CHECK(p.packed_bytes < HISTORY / 2);
    zlib_goes_on(file, bit, history, text->data + HISTORY + at, text->count - HISTORY - at);
    packing_free(&p);
    free(ops);
}

TEST(history, zlib_goes_on_with_what_was_kept) {
    uint64_t random = test_seed() + 6;
    for (int level = 1; level <= 9; level += 4) {
        static stream s;
        maker_bytes text;
        size_t tried = 0;
        z_stream z;
        memset(&text, 0, sizeof text);
        maker_bytes_add(&text, NULL, HISTORY);
        fastq_random(&text, 900000, &random);
        memset(&z, 0, sizeof z);
        REQUIRE(deflateInit2(&z, level, Z_DEFLATED, -15, 7, Z_DEFAULT_STRATEGY) == Z_OK);
        stream_begin(&s);
        maker_bytes_add(&s.file, NULL, deflateBound(&z, (uLong)text.count));
        z.next_in = text.data + HISTORY;
        z.avail_in = (uInt)(text.count - HISTORY);
        z.next_out = s.file.data;
        z.avail_out = (uInt)s.file.count;
        CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
        s.file.count = z.total_out;
        deflateEnd(&z);
        maker_bytes_add(&s.file, NULL, 8);
        stream_by_zlib(&s, 0, 0);
        REQUIRE(s.ends && s.border_count > 7);
        REQUIRE(s.text.count == text.count);
        CHECK_MEM(s.text.data + HISTORY, text.data + HISTORY, text.count - HISTORY);
        for (size_t i = 1; s.texts[i] + (256 << 10) <= text.count - HISTORY; i++, tried++) {
            zlib_border(&s.file, &text, s.bits[i], s.texts[i], &random);
        }
        CHECK(tried > 3);
        stream_free(&s);
        maker_bytes_free(&text);
    }
}

#else

TEST(history, zlib_goes_on_with_what_was_kept) {
    TEST_SKIP("zlib");
}

#endif
