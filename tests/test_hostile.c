/*
 * test_hostile.c - attacks that once succeeded, each kept from coming back.
 *
 * rooms: frame records
 * needs: loader threads library
 */
#include "../biostream.h"
#include "test.h"
#include "deflate_maker.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The lowest `count` bytes of a number, the lowest first. */
static void store(uint8_t *to, uint64_t number, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        to[i] = (uint8_t)(number >> 8 * i);
    }
}

/* A gzip member of one stored block. Returns its bytes. */
static size_t stored_member(uint8_t *out, const char *text) {
    static const uint8_t header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
    size_t bytes = strlen(text);
    memcpy(out, header, 10);
    out[10] = 1; /* last block, stored */
    store(out + 11, (uint32_t)bytes, 2);
    store(out + 13, ~(uint32_t)bytes & 0xFFFFu, 2);
    memcpy(out + 15, text, bytes);
    store(out + 15 + bytes, maker_crc(0, out + 15, bytes), 4);
    store(out + 19 + bytes, (uint32_t)bytes, 4);
    return 23 + bytes;
}

static biost_result drain(biost_loader *loader, uint64_t *out_rows) {
    biost_batch batch;
    biost_result result;
    *out_rows = 0;
    while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        *out_rows += batch.valid_rows;
        biost_loader_release(loader, &batch);
    }
    return result;
}

/* A byte order mark cut by the end of a piece hid the format at open; FASTA then met a filter of qualities, and a null
   pointer was read. */
TEST(hostile, byte_order_mark_in_pieces) {
    uint8_t member[100];
    biost_memory inputs[2];
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_error error;
    uint32_t chunk;
    memset(inputs, 0, sizeof inputs);
    inputs[0].bytes = stored_member(member, "\xEF\xBB\xBF>a\nACGT\n");
    inputs[0].data = member;
    inputs[1].data = "@b\nAC\n+\nII\n";
    inputs[1].bytes = 11;
    for (chunk = 0; chunk < 40; ++chunk) {
        memset(&desc, 0, sizeof desc);
        desc.memories = inputs;
        desc.memory_count = 1;
        desc.test.page_bytes = 16;
        desc.test.chunk_bytes = chunk;
        desc.filter.min_mean_quality = 10;
        CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_ARG);
        CHECK_STR(biost_fault_name(error.fault), "NO_QUALITY");
        desc.filter.min_mean_quality = 0;
        desc.memory_count = 2;
        CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_TEXT);
        CHECK_STR(biost_fault_name(error.fault), "FORMAT");
        CHECK_EQ_U64(error.path_index, 1);
    }
}

/* An input whose start says nothing at open takes part in the checks when it is reached. */
TEST(hostile, format_known_late) {
    biost_memory inputs[2];
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    uint64_t rows;
    memset(inputs, 0, sizeof inputs);
    inputs[0].data = "x"; /* BAD_START, but only when it is reached */
    inputs[0].bytes = 1;
    inputs[1].data = ">a\nAC\n";
    inputs[1].bytes = 6;
    memset(&desc, 0, sizeof desc);
    desc.memories = inputs;
    desc.memory_count = 2;
    REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
    REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(drain(loader, &rows) == BIOST_ERR_TEXT);
    CHECK_STR(biost_fault_name(biost_loader_error(loader)->fault), "BAD_START");
    biost_loader_close(loader);
}

/* A CRC keeps chance out of a resume state, not intent: numbers that lead outside the input are refused at open. */
TEST(hostile, forged_states) {
    static const struct {
        size_t at;
        uint64_t value;
    } forged[] = {
        {32, 0}, /* next batch: no resume state is after none           */
        {32, UINT64_MAX},
        {40, UINT64_MAX}, /* next row */
        {64, UINT64_MAX}, /* next sample */
        {72, 1},          /* rows left at the end, and there is no shuffle buffer */
        {80, 1000},       /* first sample, after the next one */
        {88, UINT64_MAX}, /* anchor's sample, after the next one */
        {88, 1000},
        {96, UINT64_MAX},         /* records visited */
        {104, UINT64_MAX},        /* bad records left out */
        {112, 1},                 /* turn of a file that is not open */
        {128, (uint64_t)1 << 40}, /* record id: a second path that is not there */
        {128, UINT64_MAX},        /* no file is open */
        {136, 0},                 /* line */
        {144, 4096},              /* text offset, past the end of the input */
        {144, UINT64_MAX},
    };
    char text[512];
    biost_memory input;
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_batch batch;
    biost_error error;
    uint8_t state[512], bad[512];
    size_t bytes = 0, i;
    uint64_t rows;
    memset(&input, 0, sizeof input);
    for (i = 0; i < 20; ++i) {
        input.bytes += (size_t)sprintf(text + input.bytes, "@r%u\nACGT\n+\nIIII\n", (unsigned)i);
    }
    input.data = text;
    memset(&desc, 0, sizeof desc);
    desc.memories = &input;
    desc.memory_count = 1;
    desc.batch_rows = 4;
    desc.row_bases = 4;
    desc.workers = 1;
    REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
    REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK);
    REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
    REQUIRE(biost_loader_state(loader, &batch, state, sizeof state, &bytes) == BIOST_OK);
    biost_loader_close(loader);
    desc.state_bytes = bytes;
    for (i = 0; i < sizeof forged / sizeof forged[0]; ++i) {
        test_note("value %u", (unsigned)i);
        memcpy(bad, state, bytes);
        store(bad + forged[i].at, forged[i].value, 8);
        store(bad + bytes - 4, maker_crc(0, bad, bytes - 4), 4);
        desc.state = bad;
        CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_ARG);
        CHECK_STR(biost_fault_name(error.fault), "STATE_DAMAGED");
        CHECK(loader == NULL);
    }
    desc.state = state; /* and the true one is taken */
    REQUIRE(biost_loader_open(&desc, &loader, &error) == BIOST_OK);
    REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(drain(loader, &rows) == BIOST_END);
    CHECK_EQ_U64(rows, 16);
    biost_loader_close(loader);
}

/* What the log hook of the next test does with its loader. */
typedef struct caller {
    biost_loader *loader;
    unsigned lines;
} caller;

static void call_back(biost_result level, const char *sentence, void *user_data) {
    caller *c = (caller *)user_data;
    biost_progress progress;
    biost_loader_progress(c->loader, &progress);
    CHECK_EQ_U64(biost_loader_warnings(c->loader), 0);
    biost_loader_cancel(c->loader);
    CHECK(level < 0 && sentence[0] != '\0');
    ++c->lines;
}

/* The log was called under the lock, so a hook that asked the loader for anything waited for itself. */
TEST(hostile, log_hook_calls_the_loader) {
    biost_memory input;
    biost_loader_desc desc;
    biost_batch batch;
    caller c = {NULL, 0};
    memset(&input, 0, sizeof input);
    input.data = "@a\nAC\n+\nI\n"; /* quality too short */
    input.bytes = 10;
    memset(&desc, 0, sizeof desc);
    desc.memories = &input;
    desc.memory_count = 1;
    desc.log.line = call_back;
    desc.log.user_data = &c;
    REQUIRE(biost_loader_open(&desc, &c.loader, NULL) == BIOST_OK);
    REQUIRE(biost_loader_begin(c.loader, 0) == BIOST_OK);
    CHECK(biost_loader_next(c.loader, &batch) == BIOST_ERR_TEXT);
    CHECK_EQ_U64(c.lines, 1);
    biost_loader_close(c.loader);
}

/* A file overwritten while it was read gave rows of both versions and a clean end. */
TEST(hostile, overwritten_while_read) {
    static const char path[] = "build/test_hostile.fq";
    static const char *const paths[] = {path};
    struct timespec times[2];
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_batch batch;
    uint64_t rows;
    int turn;
    for (turn = 0; turn < 2; ++turn) {
        FILE *file = fopen(path, "wb");
        int i;
        REQUIRE(file != NULL);
        for (i = 0; i < 1000; ++i) {
            fputs("@a\nAAAA\n+\nIIII\n", file);
        }
        fclose(file);
        memset(&desc, 0, sizeof desc);
        desc.paths = paths;
        desc.path_count = 1;
        desc.batch_rows = 10;
        desc.slots = 1;
        desc.workers = 1;
        desc.test.page_bytes = 64;
        desc.test.chunk_bytes = 64;
        REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
        REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK);
        REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        if (turn == 1) { /* the same size, another time; the content no longer matters */
            memset(times, 0, sizeof times);
            times[0].tv_sec = times[1].tv_sec = 1000000000;
            REQUIRE(utimensat(AT_FDCWD, path, times, 0) == 0);
        }
        CHECK(drain(loader, &rows) == (turn == 0 ? BIOST_END : BIOST_ERR_STALE));
        CHECK_EQ_U64(rows, 990); /* all that was read is delivered, then the fault */
        if (turn == 1) {
            CHECK_STR(biost_fault_name(biost_loader_error(loader)->fault), "CHANGED");
        }
        biost_loader_close(loader);
    }
    unlink(path);
}
