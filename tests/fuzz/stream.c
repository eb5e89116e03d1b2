/*
 * stream.c - plain text, gzip and BGZF through biost_stream, against zlib and against itself in other ways. needs: zlib
 *
 * Input: one byte of choices, one of gzip rules, two of ways, one each of pages and chunks; then bytes. Bit 0 of the
 * choices: the bytes are text, which zlib packs here: bit 1 as BGZF in blocks, else plain gzip with places where it is
 * decoded ahead of its turn, bits 2 and 3 with a level; bits 4 and 5: some bytes of the archive are changed. Else they
 * are a file as it lies there.
 *
 * What is read in order by one thread must come again by pages, chunks, block ways, hidden instructions and workers
 * ahead of their turn: text, offsets, end, sentence and warnings. An archive that was made here gives back its text.
 */
#include "fuzz.h"
#include <zlib.h>

enum { STREAM_MOST = 1 << 18 }; /* bytes of text, from which on nothing is compared */

typedef struct stream_sum {
    uint64_t hash, bytes;
    biost_result end;
    char sentence[256];
    uint32_t warnings;
} stream_sum;

static void stream_read(const biost_stream_desc *desc, stream_sum *sum) {
    biost_stream *stream = NULL;
    biost_error error;
    biost_page page;
    memset(sum, 0, sizeof *sum);
    sum->hash = FUZZ_HASH;
    FUZZ_CHECK(biost_stream_open(desc, &stream, &error) == BIOST_OK);
    while (sum->bytes < STREAM_MOST && (sum->end = biost_stream_next_page(stream, &page)) == BIOST_OK) {
        FUZZ_CHECK(page.text_offset == sum->bytes);
        sum->hash = fuzz_hash(sum->hash, page.text, page.text_bytes);
        sum->bytes += page.text_bytes;
    }
    if (sum->end < 0) {
        fuzz_check_error(sum->end, biost_stream_error(stream), "biost_stream_next_page");
        memcpy(sum->sentence, biost_stream_error(stream)->text, sizeof sum->sentence);
    }
    sum->warnings = biost_stream_warnings(stream);
    biost_stream_close(stream);
}

static void stream_compare(const stream_sum *one, const stream_sum *other, const char *way) {
    if (one->bytes >= STREAM_MOST || other->bytes >= STREAM_MOST) {
        return;
    }
    if (one->hash != other->hash || one->bytes != other->bytes || one->end != other->end ||
        one->warnings != other->warnings || strcmp(one->sentence, other->sentence) != 0) {
        FUZZ_FAULT("%s: %llu bytes and %llu; result %d and %d; warnings %x and %x\n%s\n%s", way,
                   (unsigned long long)one->bytes, (unsigned long long)other->bytes, (int)one->end,
                   (int)other->end, one->warnings, other->warnings, one->sentence, other->sentence);
    }
}

/* Add a member: text packed by zlib; `block` with the extra field of BGZF. Returns its bytes. */
static size_t stream_pack(const uint8_t *text, size_t bytes, int level, int block, uint8_t *to, size_t room) {
    static const uint8_t head[18] = {31, 139, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, 66, 67, 2, 0, 0, 0};
    z_stream z;
    size_t used = block ? sizeof head : 0;
    memset(&z, 0, sizeof z);
    FUZZ_CHECK(deflateInit2(&z, level, 8, block ? -15 : 31, 1 + level % 9, 0) == Z_OK);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)bytes;
    z.next_out = to + used;
    z.avail_out = (uInt)(room - used);
    FUZZ_CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
    used += z.total_out;
    deflateEnd(&z);
    if (block) {
        uint32_t crc = (uint32_t)crc32(0, text, (uInt)bytes);
        memcpy(to, head, sizeof head);
        for (int i = 0; i < 4; i++) {
            to[used++] = (uint8_t)(crc >> 8 * i);
        }
        for (int i = 0; i < 4; i++) {
            to[used++] = (uint8_t)(bytes >> 8 * i);
        }
        to[16] = (uint8_t)(used - 1);
        to[17] = (uint8_t)((used - 1) >> 8);
    }
    return used;
}

/* The text as an archive. The caller frees. */
static uint8_t *stream_archive(const uint8_t *text, size_t bytes, uint32_t choices, uint32_t piece,
                               size_t *out_bytes) {
    int block = (choices & 2) != 0;
    size_t part = block || piece % 3 == 0 ? 1 + bytes / (1 + piece % 7) : bytes + 1;
    size_t room = 2 * bytes + 20 * 256 + 64, at = 0, used = 0;
    uint8_t *archive = (uint8_t *)malloc(room);
    FUZZ_CHECK(archive != NULL);
    part = part < 60000 ? part : 60000;
    while (at < bytes || used == 0) {
        size_t take = part < bytes - at ? part : bytes - at;
        used += stream_pack(text + at, take, (int)(choices >> 2 & 3) * 3, block, archive + used, room - used);
        at += take;
    }
    if (block) {
        used += stream_pack(text, 0, 6, 1, archive + used, room - used);
    }
    for (uint32_t i = 0; i < (choices >> 4 & 3); i++) {
        archive[(piece * 2654435761u + i * 40503u) % used] ^= (uint8_t)(1u << (piece + i) % 8);
    }
    *out_bytes = used;
    return archive;
}

static void stream_ways(const biost_stream_desc *desc, uint32_t ways, uint32_t page, uint32_t chunk,
                        stream_sum *all) {
    biost_stream_desc other = *desc;
    stream_sum sum;
    stream_read(desc, all);
    other.test.page_bytes = 16 + page * 16;
    other.test.chunk_bytes = 1 + chunk;
    other.test.block_ways = ways & 3;
    other.test.cpu_hidden = ways & 4 ? UINT32_MAX : 0;
    stream_read(&other, &sum);
    stream_compare(all, &sum, "pages and chunks");
    if (ways & 8) {
        other = *desc;
        other.workers = 2 + (ways >> 4 & 1);
        other.test.parallel_gzip = BIOST_PARALLEL_GZIP_ALWAYS;
        other.test.chunk_bytes = ways & 32 ? 0 : 256 + chunk * 16;
        other.test.page_bytes = ways & 64 ? 0 : 256 + page * 16;
        other.test.block_ways = ways & 3;
        other.test.order_seed = ways >> 7;
        stream_read(&other, &sum);
        stream_compare(all, &sum, "ahead of its turn");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    fuzz_input in = {data, bytes};
    biost_stream_desc desc;
    fuzz_memory memory;
    stream_sum sum;
    uint8_t *source;
    uint32_t choices = fuzz_byte(&in), rules = fuzz_byte(&in), ways = (uint32_t)fuzz_number(&in, 2);
    uint32_t page = fuzz_byte(&in), chunk = fuzz_byte(&in);
    memset(&desc, 0, sizeof desc);
    desc.test.cpu_hidden = fuzz_hidden(bytes);
    desc.gzip.no_crc = rules & 1;
    desc.gzip.ignore_bc = rules >> 1 & 1;
    desc.gzip.require_eof_block = rules >> 2 & 1;
    desc.gzip.refuse_padding = rules >> 3 & 1;
    desc.gzip.read_past_zeros = rules >> 4 & 1;
    desc.gzip.ignore_garbage = rules >> 5 & 1;
    desc.gzip.require = rules >> 6 & 1;
    if (choices & 1) {
        source = stream_archive(in.at, in.bytes, choices, page + 256 * chunk, &desc.memory.bytes);
        uint8_t *exact = fuzz_copy(source, desc.memory.bytes);
        free(source);
        source = exact;
    } else {
        source = fuzz_copy(in.at, in.bytes);
        desc.memory.bytes = in.bytes;
    }
    desc.memory.data = source;
    desc.allocator = fuzz_allocator(&memory, 1 << 30);
    stream_ways(&desc, ways, page, chunk, &sum);
    if ((choices & 1) && (choices >> 4 & 3) == 0) {
        FUZZ_CHECK(sum.end == BIOST_END && sum.bytes == in.bytes);
        FUZZ_CHECK(sum.hash == fuzz_hash(FUZZ_HASH, in.at, in.bytes));
    }
    FUZZ_CHECK(memory.now == 0);
    free(source);
    return 0;
}
