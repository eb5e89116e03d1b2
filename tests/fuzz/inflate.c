/*
 * inflate.c - biost_inflate against zlib. needs: zlib
 *
 * Input: one byte of choices, then bytes. Its bit 0: they are deflate alone, and get the header and the trailer of a
 * gzip member here, with the CRC that zlib found; else they are a whole file as it lies there. Bit 1: the member stands
 * twice.
 *
 * Both have to agree on whether it is good, and on each byte of the text; and the text fits where it has exactly the
 * room it needs, and not where that is one byte less.
 */
#include "fuzz.h"
#include <zlib.h>

enum { INFLATE_MOST = 1 << 17 };

/* What zlib makes of the bytes: 1 good, 0 refused, -1 more text than there is room for. */
typedef struct inflate_peer {
    int verdict;
    size_t text_bytes, source_bytes; /* written, read */
} inflate_peer;

static inflate_peer inflate_by_zlib(const uint8_t *source, size_t bytes, uint8_t *text, size_t capacity) {
    inflate_peer peer;
    z_stream z;
    memset(&z, 0, sizeof z);
    FUZZ_CHECK(inflateInit2(&z, -15) == Z_OK);
    z.next_in = (Bytef *)(uintptr_t)source;
    z.avail_in = (uInt)bytes;
    z.next_out = text;
    z.avail_out = (uInt)capacity;
    int end = inflate(&z, Z_FINISH);
    peer.verdict = end == Z_STREAM_END ? 1 : z.avail_out == 0 ? -1 : 0;
    peer.text_bytes = capacity - z.avail_out;
    peer.source_bytes = bytes - z.avail_in;
    inflateEnd(&z);
    return peer;
}

/* A member around the bytes of deflate. The caller frees. */
static uint8_t *inflate_member(const uint8_t *deflate, size_t bytes, const uint8_t *text, size_t text_bytes,
                               int twice, size_t *out_bytes) {
    static const uint8_t head[10] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3};
    size_t member = sizeof head + bytes + 8;
    uint8_t *source = (uint8_t *)malloc(member * (twice ? 2 : 1));
    FUZZ_CHECK(source != NULL);
    uint32_t crc = (uint32_t)crc32(0, text, (uInt)text_bytes);
    memcpy(source, head, sizeof head);
    memcpy(source + sizeof head, deflate, bytes);
    for (int i = 0; i < 4; i++) {
        source[member - 8 + (size_t)i] = (uint8_t)(crc >> 8 * i);
        source[member - 4 + (size_t)i] = (uint8_t)((uint32_t)text_bytes >> 8 * i);
    }
    if (twice) {
        memcpy(source + member, source, member);
    }
    *out_bytes = member * (twice ? 2 : 1);
    return source;
}

static biost_result inflate_into(const uint8_t *source, size_t bytes, uint8_t *out_text, size_t capacity,
                                 size_t *out_bytes) {
    biost_error error;
    biost_result result = biost_inflate(source, bytes, out_text, capacity, out_bytes, &error);
    if (result != BIOST_OK) {
        fuzz_check_error(result, &error, "biost_inflate");
    }
    FUZZ_CHECK(*out_bytes <= capacity);
    return result;
}

/* The text that must come, in memory of exactly its size, and in a capacity of one byte less. */
static void inflate_expect(const uint8_t *source, size_t bytes, const uint8_t *text, size_t text_bytes) {
    uint8_t *got = (uint8_t *)malloc(text_bytes > 0 ? text_bytes : 1);
    size_t got_bytes;
    FUZZ_CHECK(got != NULL);
    biost_result result = inflate_into(source, bytes, got, text_bytes, &got_bytes);
    if (result != BIOST_OK || got_bytes != text_bytes || memcmp(got, text, text_bytes) != 0) {
        FUZZ_FAULT("zlib takes it and gives %llu bytes; here: result %d, %llu bytes",
                   (unsigned long long)text_bytes, (int)result, (unsigned long long)got_bytes);
    }
    if (text_bytes > 0) {
        FUZZ_CHECK(inflate_into(source, bytes, got, text_bytes - 1, &got_bytes) == BIOST_ERR_ARG);
    }
    free(got);
}

/* Deflate alone. */
static void inflate_raw(const uint8_t *deflate, size_t bytes, int twice) {
    static uint8_t text[2 * INFLATE_MOST], got[INFLATE_MOST];
    uint8_t *source;
    size_t source_bytes, got_bytes;
    inflate_peer peer = inflate_by_zlib(deflate, bytes, text, INFLATE_MOST);
    if (peer.verdict < 0) {
        return;
    }
    source = inflate_member(deflate, peer.verdict ? peer.source_bytes : bytes, text, peer.text_bytes,
                            twice && peer.verdict, &source_bytes);
    if (peer.verdict) {
        memcpy(text + peer.text_bytes, text, peer.text_bytes);
        inflate_expect(source, source_bytes, text, peer.text_bytes * (twice ? 2 : 1));
    } else {
        biost_result result = inflate_into(source, source_bytes, got, INFLATE_MOST, &got_bytes);
        /* Where the bytes end too early, the trailer's bits are read on: 64 of them may be as many matches. */
        int may_overrun = peer.text_bytes + 64 * 258 > INFLATE_MOST;
        if (result != BIOST_ERR_GZIP && !(result == BIOST_ERR_ARG && may_overrun)) {
            FUZZ_FAULT("zlib refuses it, after %llu bytes of text; here: result %d",
                       (unsigned long long)peer.text_bytes, (int)result);
        }
    }
    free(source);
}

/* A file as it lies there: each member by zlib, with its own reading of header and trailer. Returns as above. */
static inflate_peer inflate_file_by_zlib(const uint8_t *source, size_t bytes, uint8_t *text,
                                         size_t capacity) {
    inflate_peer peer = {1, 0, 0};
    while (peer.verdict == 1 && peer.source_bytes < bytes) {
        z_stream z;
        memset(&z, 0, sizeof z);
        FUZZ_CHECK(inflateInit2(&z, 31) == Z_OK);
        z.next_in = (Bytef *)(uintptr_t)(source + peer.source_bytes);
        z.avail_in = (uInt)(bytes - peer.source_bytes);
        z.next_out = text + peer.text_bytes;
        z.avail_out = (uInt)(capacity - peer.text_bytes);
        int end = inflate(&z, Z_FINISH);
        peer.verdict = end == Z_STREAM_END ? 1 : z.avail_out == 0 ? -1 : 0;
        peer.text_bytes = capacity - z.avail_out;
        peer.source_bytes = bytes - z.avail_in;
        inflateEnd(&z);
    }
    return peer;
}

/* Does an extra field say a block size somewhere? */
static int inflate_has_bc(const uint8_t *source, size_t bytes) {
    for (size_t i = 0; i + 4 <= bytes; i++) {
        if (memcmp(source + i, "BC\2\0", 4) == 0) {
            return 1;
        }
    }
    return 0;
}

/*
 * What zlib takes, this takes, but for blocks of BGZF, whose sizes it holds against what they say. What this takes and
 * zlib does not is zero bytes after a member; the text is the same then.
 */
static void inflate_file(const uint8_t *source, size_t bytes) {
    static uint8_t text[INFLATE_MOST], got[INFLATE_MOST];
    size_t got_bytes;
    biost_result result = inflate_into(source, bytes, got, INFLATE_MOST, &got_bytes);
    inflate_peer peer = inflate_file_by_zlib(source, bytes, text, INFLATE_MOST);
    if (result == BIOST_OK && peer.verdict >= 0 &&
        (got_bytes != peer.text_bytes || memcmp(got, text, got_bytes) != 0)) {
        FUZZ_FAULT("%llu bytes of text, and by zlib %llu", (unsigned long long)got_bytes,
                   (unsigned long long)peer.text_bytes);
    }
    FUZZ_CHECK(result == BIOST_OK || peer.verdict != 1 || inflate_has_bc(source, bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    fuzz_input in = {data, bytes};
    uint32_t choices = fuzz_byte(&in);
    uint8_t *copy = fuzz_copy(in.at, in.bytes);
    if (choices & 1) {
        inflate_raw(copy, in.bytes, (choices & 2) != 0);
    } else {
        inflate_file(copy, in.bytes);
    }
    free(copy);
    return 0;
}
