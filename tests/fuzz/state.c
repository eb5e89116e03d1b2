/*
 * state.c - resume states that were changed: refused with a sentence, or followed the same way by one worker and by
 * several, to an end.
 *
 * Input: one byte that chooses a desc and one of its states, then changes of it: two bytes of the place, one of what is
 * done, and a byte or eight as it needs. The state's CRC is made good again, but for a few inputs.
 */
#include "run_loader.h"

enum { STATE_DESCS = 4, STATE_COUNT = 6, STATE_INPUTS = 3, STATE_FILE = 1 << 15 };

static const char *const state_descs[STATE_DESCS] = {
    "batch_rows 7 row_bases 20 shuffle_rows 30 long_records split digest 1",
    "batch_rows 8 shuffle_rows 50 long_records head row_bases 30 digest 1 filter.first_records 70",
    "batch_rows 6 row_bases 16 long_records split open_files 3 shuffle_files 1 shuffle_rows 20 digest 1 "
    "group.0.input_count 3 group.0.weight 1",
    "batch_rows 5 row_bases 16 long_records crop shuffle_rows 16 digest 1 group.0.input_count 1 "
    "group.0.weight 2 "
    "group.1.first_input 1 group.1.input_count 2 group.1.weight 3 open_files 2 shuffle_files 1 labels.kind "
    "group",
};

static run_loader state_runs[STATE_DESCS][STATE_COUNT]; /* one worker, with a state */
static biost_memory state_inputs[STATE_INPUTS];

/* CRC-32 as RFC 1952 has it, bit by bit. */
static uint32_t state_crc(const uint8_t *bytes, size_t count) {
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        }
    }
    return ~crc;
}

/* Blocks of BGZF whose deflate is stored. Returns the bytes. */
static size_t state_pack(const char *text, size_t bytes, uint8_t *to) {
    static const uint8_t head[18] = {31, 139, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, 66, 67, 2, 0, 0, 0};
    size_t used = 0;
    for (size_t at = 0; at < bytes; at += 700) {
        size_t part = bytes - at < 700 ? bytes - at : 700, size = sizeof head + 5 + part + 8;
        uint32_t crc = state_crc((const uint8_t *)text + at, part);
        uint8_t *block = to + used;
        memcpy(block, head, sizeof head);
        block[16] = (uint8_t)(size - 1);
        block[17] = (uint8_t)((size - 1) >> 8);
        block[18] = 1;
        for (int i = 0; i < 2; i++) {
            block[19 + i] = (uint8_t)(part >> 8 * i);
            block[21 + i] = (uint8_t)(~part >> 8 * i);
        }
        memcpy(block + 23, text + at, part);
        for (size_t i = 0; i < 4; i++) {
            block[23 + part + i] = (uint8_t)(crc >> 8 * i);
            block[27 + part + i] = (uint8_t)(part >> 8 * i);
        }
        used += size;
    }
    return used;
}

/* One text of 120 reads, the same as BGZF, and half of it. */
static void state_make_inputs(void) {
    static char text[STATE_FILE];
    static uint8_t packed[2 * STATE_FILE];
    static const char bases[] = "ACGTNACGTTTGACGATAGCCCATAGACAGATAGACANNACGATACGATA";
    static const char quality[] = "IIIIIIII#####AAAABBBBBIIIIIIIIIIIIIIIIIIIIIIIIIIII";
    size_t used = 0, half = 0;
    for (int i = 0; i < 120; i++) {
        int count = 10 + i * 7 % 39;
        half = i == 60 ? used : half;
        used += (size_t)snprintf(text + used, sizeof text - used, "@r%d x\n%.*s\n+\n%.*s\n", i, count, bases,
                                 count, quality);
    }
    state_inputs[0].data = text;
    state_inputs[0].bytes = used;
    state_inputs[1].data = packed;
    state_inputs[1].bytes = state_pack(text, used, packed);
    state_inputs[2].data = text;
    state_inputs[2].bytes = half;
}

static biost_loader_desc state_desc(uint32_t which) {
    static biost_desc_memory memory;
    biost_loader_desc desc;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    if (biost_loader_desc_read(&desc, state_descs[which], &memory, &error) != BIOST_OK) {
        FUZZ_FAULT("%s", error.text);
    }
    desc.memories = state_inputs;
    desc.memory_count = STATE_INPUTS;
    desc.workers = 1;
    desc.epochs = 2;
    desc.test.page_bytes = 16384;
    return desc;
}

static void state_make(void) {
    state_make_inputs();
    for (uint32_t which = 0; which < STATE_DESCS; which++) {
        for (uint32_t i = 0; i < STATE_COUNT; i++) {
            run_loader_desc(state_desc(which), i * 7, &state_runs[which][i]);
            FUZZ_CHECK(state_runs[which][i].end == BIOST_END);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    static run_loader one, several;
    fuzz_input in = {data, bytes};
    uint32_t choice = fuzz_byte(&in);
    if (state_runs[0][0].count == 0) {
        state_make();
    }
    const run_loader *from = &state_runs[choice % STATE_DESCS][choice / STATE_DESCS % STATE_COUNT];
    size_t count = from->state_bytes;
    if (count < 8) {
        return 0; /* it has so many batches no more */
    }
    uint8_t *state = fuzz_copy(from->state, count);
    fuzz_change(&in, state, count - 4);
    if (choice < 250) {
        uint32_t crc = state_crc(state, count - 4);
        for (size_t i = 0; i < 4; i++) {
            state[count - 4 + i] = (uint8_t)(crc >> 8 * i);
        }
    }
    biost_loader_desc desc = state_desc(choice % STATE_DESCS);
    desc.state = state;
    desc.state_bytes = choice > 252 ? count / (choice - 251) : count;
    run_loader_desc(desc, UINT32_MAX, &one);
    if (one.opened) {
        FUZZ_CHECK(one.end != BIOST_OK); /* no state makes an epoch of so many batches */
        desc.workers = 3;
        run_loader_desc(desc, UINT32_MAX, &several);
        run_compare(&one, &several, 0, "workers");
        if (memcmp(state, from->state, count) == 0) {
            run_compare(from, &one, from->state_at + 1, "as it was");
        }
    }
    free(state);
    return 0;
}
