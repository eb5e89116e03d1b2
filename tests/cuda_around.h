/*
 * cuda_around.h - what every provider must do: codes to the device, an expansion there, elements back. Include
 * it after white_cuda.h and test.h.
 */
#ifndef CUDA_AROUND_H
#define CUDA_AROUND_H

/*
 * One channel of 4 bytes, so that the expansion can be read off: code c becomes the bytes 16*c+1..16*c+4.
 * Codes 2 0 1 3 1, then three more rows of them.
 */
enum { ROWS = 4, COLUMNS = 5 };

static void make_codes(uint8_t codes[ROWS * COLUMNS], uint8_t table[256 * 4]) {
    static const uint8_t row[COLUMNS] = {2, 0, 1, 3, 1};
    int i;
    for (i = 0; i < ROWS * COLUMNS; ++i) {
        codes[i] = row[i % COLUMNS];
    }
    for (i = 0; i < 256 * 4; ++i) {
        table[i] = (uint8_t)(16 * (i / 4) + i % 4 + 1);
    }
}

/* By hand: rows of 2 0 1 3 1. */
static const uint8_t expanded_row[COLUMNS * 4] = {0x21, 0x22, 0x23, 0x24, 0x01, 0x02, 0x03, 0x04, 0x11, 0x12,
                                                  0x13, 0x14, 0x31, 0x32, 0x33, 0x34, 0x11, 0x12, 0x13, 0x14};

static uint64_t to_lock[512]; /* memory of the caller's */

/* Copy codes in, expand, copy out, on one stream of an open device; the host waits for an event. */
static void go_around(const biost_cuda_provider *provider, void *state, int device) {
    void *before = NULL, *host = NULL, *memory = NULL, *start = NULL, *end = NULL;
    biost_cuda_stream stream = NULL;
    biost_cuda_expansion expansion;
    uint8_t *bytes;
    float ms = -1;
    int i;
    REQUIRE(provider->enter(state, device, &before) == 0);
    REQUIRE(provider->host_alloc(state, 8192, BIOST_CUDA_WRITE_COMBINED, &host) == 0);
    REQUIRE(provider->device_alloc(state, 8192, &memory) == 0);
    CHECK_EQ_U64((uintptr_t)memory % 256, 0);
    REQUIRE(provider->stream_open(state, 0, &stream) == 0);
    CHECK(stream != NULL);
    REQUIRE(provider->event_open(state, BIOST_CUDA_TIMING, &start) == 0);
    REQUIRE(provider->event_open(state, BIOST_CUDA_TIMING, &end) == 0);
    CHECK_EQ_I64(provider->event_query(state, end), 0); /* never recorded */
    CHECK_EQ_I64(provider->event_wait(state, end), 0);
    CHECK_EQ_I64(provider->stream_wait(state, stream, end), 0);
    bytes = (uint8_t *)host;
    make_codes(bytes, bytes + 256);
    memset(&expansion, 0, sizeof expansion);
    expansion.codes = (const uint8_t *)memory;
    expansion.table = (const uint8_t *)memory + 256;
    expansion.out = (uint8_t *)memory + 4096;
    expansion.rows = ROWS;
    expansion.columns = COLUMNS;
    expansion.channels = 1;
    expansion.element_bytes = 4;
    CHECK_EQ_I64(provider->event_record(state, start, stream), 0);
    CHECK_EQ_I64(provider->copy_in(state, memory, host, 256 + 256 * 4, stream), 0);
    CHECK_EQ_I64(provider->expand(state, device, &expansion, stream), 0);
    CHECK_EQ_I64(provider->copy_out(state, bytes + 4096, expansion.out, ROWS * COLUMNS * 4, stream), 0);
    CHECK_EQ_I64(provider->event_record(state, end, stream), 0);
    CHECK_EQ_I64(provider->event_wait(state, end), 0);
    for (i = 0; i < ROWS; ++i) {
        CHECK_MEM(bytes + 4096 + (size_t)i * sizeof expanded_row, expanded_row, sizeof expanded_row);
    }
    CHECK_EQ_I64(provider->event_elapsed(state, start, end, &ms), 0);
    CHECK(ms >= 0 && ms < 1e6f);
    expansion.channels = 99;
    if (strcmp(provider->name, "fake") != 0) {                                /* for which that is a misuse */
        CHECK_EQ_I64(provider->expand(state, device, &expansion, stream), 1); /* INVALID_VALUE */
    }
    CHECK_EQ_I64(provider->stream_finish(state, stream), 0);
    CHECK_EQ_I64(provider->host_lock(state, to_lock, 4096), 0);
    CHECK_EQ_I64(provider->host_unlock(state, to_lock), 0);
    CHECK_EQ_I64(provider->event_close(state, start), 0);
    CHECK_EQ_I64(provider->event_close(state, end), 0);
    CHECK_EQ_I64(provider->stream_close(state, stream), 0);
    CHECK_EQ_I64(provider->device_free(state, memory), 0);
    CHECK_EQ_I64(provider->host_free(state, host), 0);
    provider->leave(state, before);
}

#endif /* CUDA_AROUND_H */
