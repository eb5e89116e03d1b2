/*
 * test_state.c - resume states: the layout byte by byte, and that no damaged one is taken.
 */
#include "white.h"
#include "test.h"

/* CRC-32 one bit after another. */
static uint32_t state_crc_of(const uint8_t *bytes, size_t count) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t bit = 0; bit < count * 8; bit++) {
        uint32_t in = (uint32_t)(bytes[bit / 8] >> (bit % 8)) & 1u;
        crc = (crc ^ in) & 1u ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    return ~crc;
}

static void put_crc(uint8_t *bytes, size_t count) {
    uint32_t crc = state_crc_of(bytes, count - 4);
    for (int i = 0; i < 4; i++) {
        bytes[count - 4 + (size_t)i] = (uint8_t)(crc >> (8 * i));
    }
}

/* The sample resume state: every field has bytes of its own. */
static bsi_state sample_state(void) {
    bsi_state state;
    memset(&state, 0, sizeof state);
    state.desc_hash = 0x1817161514131211u;
    state.input_hash = 0x2827262524232221u;
    state.epoch = 0x3837363534333231u;
    state.next_batch = 0x4847464544434241u;
    state.sample = 0x5857565554535251u;
    state.rest_rows = 0x6867666564636261u;
    state.first = 0xE8E7E6E5E4E3E2E1u;
    state.tail = 1;
    state.anchor.sample = 0x7877767574737271u;
    state.anchor.id = 0x0000820000000085u; /* path 0x82, record 0x85 */
    state.anchor.line = 0x9897969594939291u;
    state.anchor.text_offset = 0xA8A7A6A5A4A3A2A1u;
    state.anchor.member_record = 0xB8B7B6B5B4B3B2B1u;
    state.anchor.visited = 0xC8C7C6C5C4C3C2C1u;
    state.anchor.skipped = 0xD8D7D6D5D4D3D2D1u;
    return state;
}

/* Its bytes by the table in >>state, without the CRC. */
static const uint8_t sample_bytes[167] = {
    'B',  'I',  'O',  'S',  'T',  'O',  'K',  5,                /* 0: magic, version          */
    0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,             /* 8: desc                    */
    0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,             /* 16: input                  */
    0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38,             /* 24: epoch                  */
    0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48,             /* 32: next batch             */
    0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,             /* 40: next sample            */
    0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68,             /* 48: rows of the rest       */
    0,    0,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0, /* 56: span, its batches      */
    1,    1,                                                    /* 68: tail, open files       */
    0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8,             /* 70: skipped                */
    167,  0,                                                    /* 78: bytes                  */
    0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8,             /* 80: member's record        */
    0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78,             /* 88: anchor: sample         */
    0,    0,    0,    0,                                        /* 96: piece                  */
    0,    0,    0,    0,    0,    0,    0,    0,                /* 100: base offset            */
    0,                                                          /* 108: turn                  */
    0x83, 0,    0,    0,                                        /* 109: next unopened file    */
    0x85, 0,    0,    0,    0,    0x82, 0,    0,                /* 113: file: record id       */
    0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98,             /* 121: line                  */
    0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8,             /* 129: text offset           */
    0,    0,    0,    0,    0,    0,    0,    0,                /* 137: compressed offset     */
    0,    0,                                                    /* 145: bit, state            */
    0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8,             /* 147: visited               */
    0xE1, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8,             /* 155: first sample          */
    0,    0,    0,    0,                                        /* 163: CRC-32                */
};

TEST(state, layout_by_hand) {
    bsi_crc_tables tables;
    bsi_state state = sample_state();
    uint8_t bytes[167 + 2], expected[167];
    bsi_crc_init(&tables);
    CHECK_EQ_U64(BSI_STATE_BYTES, 167);
    CHECK(BSI_STATE_HEAD_BYTES <= 88);
    CHECK(BSI_STATE_HEAD_BYTES + 297 + 16 + 4 <= 512); /* room for 8 open files */
    memcpy(expected, sample_bytes, sizeof expected);
    put_crc(expected, sizeof expected);
    memset(bytes, 0xEE, sizeof bytes);
    bsi_state_write(&tables, &state, bytes + 1);
    CHECK_MEM(bytes + 1, expected, sizeof expected);
    CHECK_EQ_U64(bytes[0], 0xEE);
    CHECK_EQ_U64(bytes[168], 0xEE);
}

static void check_same(const bsi_state *a, const bsi_state *b) {
    CHECK_EQ_U64(a->desc_hash, b->desc_hash);
    CHECK_EQ_U64(a->input_hash, b->input_hash);
    CHECK_EQ_U64(a->epoch, b->epoch);
    CHECK_EQ_U64(a->next_batch, b->next_batch);
    CHECK_EQ_U64(a->sample, b->sample);
    CHECK_EQ_U64(a->rest_rows, b->rest_rows);
    CHECK_EQ_U64(a->first, b->first);
    CHECK_EQ_U64(a->tail, b->tail);
    CHECK_EQ_U64(a->anchor.sample, b->anchor.sample);
    CHECK_EQ_U64(a->anchor.id, b->anchor.id);
    CHECK_EQ_U64(a->anchor.line, b->anchor.line);
    CHECK_EQ_U64(a->anchor.text_offset, b->anchor.text_offset);
    CHECK_EQ_U64(a->anchor.member_record, b->anchor.member_record);
    CHECK_EQ_U64(a->anchor.visited, b->anchor.visited);
    CHECK_EQ_U64(a->anchor.skipped, b->anchor.skipped);
}

TEST(state, reads_the_layout_by_hand) {
    bsi_crc_tables tables;
    bsi_state state, expected = sample_state();
    uint8_t bytes[167];
    bsi_crc_init(&tables);
    memcpy(bytes, sample_bytes, sizeof bytes);
    put_crc(bytes, sizeof bytes);
    memset(&state, 0xEE, sizeof state);
    REQUIRE(bsi_state_read(&tables, bytes, sizeof bytes, &state));
    check_same(&state, &expected);
}

static void random_state(uint64_t *random, bsi_state *state) {
    state->desc_hash = test_random(random);
    state->input_hash = test_random(random);
    state->epoch = test_random(random);
    state->next_batch = test_random(random);
    state->sample = test_random(random);
    state->rest_rows = test_random(random);
    state->first = test_random(random);
    state->tail = (uint8_t)(test_random(random) % 2);
    state->anchor.sample = test_random(random);
    state->anchor.id = test_random(random) >> 1;
    state->anchor.line = test_random(random);
    state->anchor.text_offset = test_random(random);
    state->anchor.member_record = test_random(random);
    state->anchor.visited = test_random(random);
    state->anchor.skipped = test_random(random);
}

TEST(state, round_trip) {
    bsi_crc_tables tables;
    uint64_t random = test_seed();
    bsi_crc_init(&tables);
    for (int i = 0; i < 500; i++) {
        uint8_t *bytes = test_copy(NULL, BSI_STATE_BYTES);
        bsi_state state, back;
        random_state(&random, &state);
        memset(&back, 0xEE, sizeof back);
        bsi_state_write(&tables, &state, bytes);
        CHECK(bsi_state_read(&tables, bytes, BSI_STATE_BYTES, &back));
        check_same(&back, &state);
        free(bytes);
    }
}

/* A refused resume state leaves *out_state as it was. */
static void check_refused(const bsi_crc_tables *tables, const uint8_t *bytes, size_t count) {
    bsi_state state, before;
    uint8_t *copy = test_copy(bytes, count); /* exact: one byte beyond is an error of its own */
    memset(&state, 0x5A, sizeof state);
    before = state;
    CHECK(!bsi_state_read(tables, copy, count, &state));
    check_same(&state, &before);
    free(copy);
}

TEST(state, every_flipped_bit_is_refused) {
    bsi_crc_tables tables;
    uint8_t bytes[167];
    bsi_crc_init(&tables);
    memcpy(bytes, sample_bytes, sizeof bytes);
    put_crc(bytes, sizeof bytes);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        test_note("bit %u", (unsigned)bit);
        bytes[bit / 8] = (uint8_t)(bytes[bit / 8] ^ 1u << bit % 8);
        check_refused(&tables, bytes, sizeof bytes);
        bytes[bit / 8] = (uint8_t)(bytes[bit / 8] ^ 1u << bit % 8);
    }
}

TEST(state, every_truncation_and_extension_is_refused) {
    bsi_crc_tables tables;
    uint8_t bytes[512];
    bsi_crc_init(&tables);
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, sample_bytes, 167);
    put_crc(bytes, 167);
    for (size_t count = 0; count <= 512; count++) {
        uint8_t summed[512]; /* with a right CRC where it would be */
        memcpy(summed, bytes, count);
        if (count >= 4) {
            put_crc(summed, count);
        }
        if (count != 167) {
            test_note("%u bytes", (unsigned)count);
            check_refused(&tables, bytes, count);
            check_refused(&tables, summed, count);
        }
    }
}

/* Whole and well summed, yet not ours: another magic, another version. */
TEST(state, others_are_refused) {
    bsi_crc_tables tables;
    uint8_t bytes[167];
    bsi_crc_init(&tables);
    for (size_t i = 0; i < 8; i++) {
        test_note("magic byte %u", (unsigned)i);
        memcpy(bytes, sample_bytes, sizeof bytes);
        bytes[i] ^= i == 7 ? 6 : 0x20; /* version 3; lower case */
        put_crc(bytes, sizeof bytes);
        check_refused(&tables, bytes, sizeof bytes);
    }
    memset(bytes, 0, sizeof bytes);
    put_crc(bytes, sizeof bytes);
    check_refused(&tables, bytes, sizeof bytes);
}

/* Random bytes of the right size, magic and all but the sum. */
TEST(state, noise_is_refused) {
    bsi_crc_tables tables;
    uint64_t random = test_seed();
    uint8_t bytes[167];
    bsi_crc_init(&tables);
    for (int round = 0; round < 1000; round++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = i < 8 ? sample_bytes[i] : (uint8_t)test_random(&random);
        }
        check_refused(&tables, bytes, sizeof bytes);
    }
}
