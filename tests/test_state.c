/*
 * test_state.c - resume states: the layout byte by byte, and that no damaged one is taken.
 *
 * rooms: state
 * needs: loader
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

/* A state with room for its arrays. */
typedef struct whole_state {
    bsi_state head;
    bsi_state_group groups[3];
    bsi_state_file files[3];
} whole_state;

enum { SAMPLE_BYTES = 64 + 2 * 64 + 1 * 40 + 4 };

/* The sample resume state, of two groups, of which one has a file open: every field has bytes of its own. */
static void sample_state(whole_state *state) {
    bsi_state_group *group = state->groups;
    bsi_state_file *file = state->files;
    memset(state, 0, sizeof *state);
    state->head.groups = group;
    state->head.files = file;
    state->head.group_count = 2;
    state->head.file_count = 1;
    state->head.desc_hash = 0x1817161514131211u;
    state->head.input_hash = 0x2827262524232221u;
    state->head.epoch = 0x3837363534333231u;
    state->head.next_batch = 0x4847464544434241u;
    state->head.row = 0x5857565554535251u;
    state->head.tail = 2;
    group[1].sample = 0x6867666564636261u;
    group[1].rest_rows = 0x7877767574737271u;
    group[1].first = 0x8887868584838281u;
    group[1].anchor.sample = 0x9897969594939291u;
    group[1].anchor.visited = 0xA8A7A6A5A4A3A2A1u;
    group[1].anchor.skipped = 0xB8B7B6B5B4B3B2B1u;
    group[1].anchor.turn = 0xC4C3C2C1u;
    group[1].anchor.next_file = 0xC8C7C6C5u;
    group[1].pass = 0xD4D3D2D1u;
    group[1].has_error = 0xD8D7D6D5u;
    file->id = 0x0000820000000085u; /* path 0x82, record 0x85 */
    file->line = 0xE8E7E6E5E4E3E2E1u;
    file->text_offset = 0xF8F7F6F5F4F3F2F1u;
    file->member_record = 0x0807060504030201u;
    file->pieces = 0x0C0B0A09u;
    file->drop = 0x100F0E0Du;
}

/* Its bytes by the table in >>state, without the CRC. */
static const uint8_t sample_bytes[SAMPLE_BYTES] = {
    'B',  'I',  'O',  'S',  'T',  'O',  'K',  7,    /* 0: magic, version          */
    0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, /* 8: desc                    */
    0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, /* 16: input                  */
    0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, /* 24: epoch                  */
    0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, /* 32: next batch             */
    0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, /* 40: next row               */
    2,    0,    0,    0,    0,    0,    0,    0,    /* 48: tail                   */
    2,    0,    0,    0,    1,    0,    0,    0,    /* 56: groups, open files     */
    0,    0,    0,    0,    0,    0,    0,    0,    /* 64: the first group, a store */
    0,    0,    0,    0,    0,    0,    0,    0,    /*                            */
    0,    0,    0,    0,    0,    0,    0,    0,    /*                            */
    0,    0,    0,    0,    0,    0,    0,    0,    /*                            */
    0,    0,    0,    0,    0,    0,    0,    0,    /*                            */
    0,    0,    0,    0,    0,    0,    0,    0,    /*                            */
    0,    0,    0,    0,    0,    0,    0,    0,    /*                            */
    0,    0,    0,    0,    0,    0,    0,    0,    /*                            */
    0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, /* 128: the second: next sample */
    0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, /* 136: rows of the rest      */
    0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, /* 144: first sample          */
    0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, /* 152: anchor: sample        */
    0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, /* 160: visited               */
    0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, /* 168: skipped               */
    0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, /* 176: turn, next file       */
    0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, /* 184: pass, error           */
    0x85, 0,    0,    0,    0,    0x82, 0,    0,    /* 192: file: record id       */
    0xE1, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, /* 200: line                  */
    0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, /* 208: text offset           */
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* 216: member's record       */
    0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, /* 224: pieces, what judged it */
    0,    0,    0,    0,                            /* 232: CRC-32                */
};

/* Read a state of these counts, as a loader does. */
static int read_state(const bsi_hash_crc_tables *tables, const uint8_t *bytes, size_t count, uint32_t groups,
                      uint32_t files, whole_state *out) {
    memset(out, 0xEE, sizeof *out);
    out->head.groups = out->groups;
    out->head.files = out->files;
    if (bsi_state_version(tables, bytes, count) != BSI_STATE_VERSION) {
        return 0;
    }
    bsi_state_read_head(bytes, &out->head);
    return bsi_state_read(bytes, count, groups, files, &out->head);
}

TEST(state, layout_by_hand) {
    bsi_hash_crc_tables tables;
    whole_state state;
    uint8_t bytes[SAMPLE_BYTES + 2], expected[SAMPLE_BYTES];
    sample_state(&state);
    bsi_hash_crc_init(&tables);
    CHECK_EQ_U64(bsi_state_bytes(2, 1), SAMPLE_BYTES);
    CHECK(bsi_state_bytes(1, 8) <= 512); /* contract C10 */
    CHECK(bsi_state_bytes(64, 64) <= 128 + 80 * 64 + 48 * 64);
    memcpy(expected, sample_bytes, sizeof expected);
    put_crc(expected, sizeof expected);
    memset(bytes, 0xEE, sizeof bytes);
    bsi_state_write(&tables, &state.head, bytes + 1);
    CHECK_MEM(bytes + 1, expected, sizeof expected);
    CHECK_EQ_U64(bytes[0], 0xEE);
    CHECK_EQ_U64(bytes[SAMPLE_BYTES + 1], 0xEE);
}

static void check_same(const whole_state *a, const whole_state *b) {
    CHECK_EQ_U64(a->head.desc_hash, b->head.desc_hash);
    CHECK_EQ_U64(a->head.input_hash, b->head.input_hash);
    CHECK_EQ_U64(a->head.epoch, b->head.epoch);
    CHECK_EQ_U64(a->head.next_batch, b->head.next_batch);
    CHECK_EQ_U64(a->head.row, b->head.row);
    CHECK_EQ_U64(a->head.tail, b->head.tail);
    REQUIRE(a->head.group_count == b->head.group_count && a->head.file_count == b->head.file_count);
    for (uint32_t i = 0; i < a->head.group_count; i++) {
        const bsi_state_group *x = &a->groups[i], *y = &b->groups[i];
        CHECK_EQ_U64(x->sample, y->sample);
        CHECK_EQ_U64(x->rest_rows, y->rest_rows);
        CHECK_EQ_U64(x->first, y->first);
        CHECK_EQ_U64(x->pass, y->pass);
        CHECK_EQ_U64(x->has_error, y->has_error);
        CHECK_EQ_U64(x->anchor.sample, y->anchor.sample);
        CHECK_EQ_U64(x->anchor.visited, y->anchor.visited);
        CHECK_EQ_U64(x->anchor.skipped, y->anchor.skipped);
        CHECK_EQ_U64(x->anchor.turn, y->anchor.turn);
        CHECK_EQ_U64(x->anchor.next_file, y->anchor.next_file);
    }
    for (uint32_t i = 0; i < a->head.file_count; i++) {
        const bsi_state_file *x = &a->files[i], *y = &b->files[i];
        CHECK_EQ_U64(x->id, y->id);
        CHECK_EQ_U64(x->line, y->line);
        CHECK_EQ_U64(x->text_offset, y->text_offset);
        CHECK_EQ_U64(x->member_record, y->member_record);
        CHECK_EQ_U64(x->pieces, y->pieces);
        CHECK_EQ_U64(x->drop, y->drop);
    }
}

TEST(state, reads_the_layout_by_hand) {
    bsi_hash_crc_tables tables;
    whole_state state, expected;
    uint8_t bytes[SAMPLE_BYTES];
    sample_state(&expected);
    bsi_hash_crc_init(&tables);
    memcpy(bytes, sample_bytes, sizeof bytes);
    put_crc(bytes, sizeof bytes);
    REQUIRE(read_state(&tables, bytes, sizeof bytes, 2, 1, &state));
    check_same(&state, &expected);
    CHECK(!read_state(&tables, bytes, sizeof bytes, 2, 0, &state));
    CHECK(!read_state(&tables, bytes, sizeof bytes, 1, 1, &state));
    CHECK(!read_state(&tables, bytes, sizeof bytes, 1, 2, &state));
}

static void random_state(uint64_t *random, whole_state *state) {
    memset(state, 0, sizeof *state);
    state->head.desc_hash = test_random(random);
    state->head.input_hash = test_random(random);
    state->head.epoch = test_random(random);
    state->head.next_batch = test_random(random);
    state->head.row = test_random(random);
    state->head.tail = test_random(random);
    state->head.group_count = (uint32_t)(test_random(random) % 4);
    state->head.file_count = (uint32_t)(test_random(random) % 4);
    state->head.groups = state->groups;
    state->head.files = state->files;
    for (int i = 0; i < 3; i++) {
        bsi_state_group *group = &state->groups[i];
        bsi_state_file *file = &state->files[i];
        group->sample = test_random(random);
        group->rest_rows = test_random(random);
        group->first = test_random(random);
        group->pass = (uint32_t)test_random(random);
        group->has_error = (uint32_t)test_random(random);
        group->anchor.sample = test_random(random);
        group->anchor.visited = test_random(random);
        group->anchor.skipped = test_random(random);
        group->anchor.turn = (uint32_t)test_random(random);
        group->anchor.next_file = (uint32_t)test_random(random);
        file->id = test_random(random);
        file->line = test_random(random);
        file->text_offset = test_random(random);
        file->member_record = test_random(random);
        file->pieces = (uint32_t)test_random(random);
        file->drop = (uint32_t)test_random(random);
    }
}

TEST(state, round_trip) {
    bsi_hash_crc_tables tables;
    uint64_t random = test_seed();
    bsi_hash_crc_init(&tables);
    for (int i = 0; i < 500; i++) {
        whole_state state, back;
        size_t count;
        uint8_t *bytes;
        random_state(&random, &state);
        count = bsi_state_bytes(state.head.group_count, state.head.file_count);
        bytes = test_copy(NULL, count);
        bsi_state_write(&tables, &state.head, bytes);
        CHECK(read_state(&tables, bytes, count, state.head.group_count, state.head.file_count, &back));
        check_same(&back, &state);
        free(bytes);
    }
}

static void check_refused(const bsi_hash_crc_tables *tables, const uint8_t *bytes, size_t count) {
    whole_state state;
    uint8_t *copy = test_copy(bytes, count); /* exact: one byte beyond is an error of its own */
    CHECK(!read_state(tables, copy, count, 2, 1, &state));
    free(copy);
}

TEST(state, every_flipped_bit_is_refused) {
    bsi_hash_crc_tables tables;
    uint8_t bytes[SAMPLE_BYTES];
    bsi_hash_crc_init(&tables);
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
    bsi_hash_crc_tables tables;
    uint8_t bytes[512];
    bsi_hash_crc_init(&tables);
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, sample_bytes, SAMPLE_BYTES);
    put_crc(bytes, SAMPLE_BYTES);
    for (size_t count = 0; count <= 512; count++) {
        uint8_t summed[512]; /* with a right CRC where it would be */
        memcpy(summed, bytes, count);
        if (count >= 4) {
            put_crc(summed, count);
        }
        if (count != SAMPLE_BYTES) {
            test_note("%u bytes", (unsigned)count);
            check_refused(&tables, bytes, count);
            check_refused(&tables, summed, count);
        }
    }
}

/* Whole and well summed, yet not ours: another magic, another version. */
TEST(state, others_are_refused) {
    bsi_hash_crc_tables tables;
    uint8_t bytes[SAMPLE_BYTES];
    bsi_hash_crc_init(&tables);
    for (size_t i = 0; i < 8; i++) {
        test_note("magic byte %u", (unsigned)i);
        memcpy(bytes, sample_bytes, sizeof bytes);
        bytes[i] ^= i == 7 ? 2 : 0x20; /* version 5; lower case */
        put_crc(bytes, sizeof bytes);
        check_refused(&tables, bytes, sizeof bytes);
    }
    memset(bytes, 0, sizeof bytes);
    put_crc(bytes, sizeof bytes);
    check_refused(&tables, bytes, sizeof bytes);
}

/* Random bytes of the right size, magic and all but the sum. */
TEST(state, noise_is_refused) {
    bsi_hash_crc_tables tables;
    uint64_t random = test_seed();
    uint8_t bytes[SAMPLE_BYTES];
    bsi_hash_crc_init(&tables);
    for (int round = 0; round < 1000; round++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = i < 8 ? sample_bytes[i] : (uint8_t)test_random(&random);
        }
        check_refused(&tables, bytes, sizeof bytes);
    }
}
