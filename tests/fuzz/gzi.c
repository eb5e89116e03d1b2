/*
 * gzi.c - a .gzi and the BGZF file it goes with: refused with a sentence, or each point that was compared is true of the
 * file by a second walk over its blocks; text from a block on is that of the whole file. What fx_gzi.h makes of a file
 * it takes again.
 *
 * Input: one byte of choices, two of a size; so many bytes of the .gzi, or by bit 0 changes of the one that is made of
 * the file (fuzz_change); the rest is the file, or by bit 1 changes of one of 40 blocks.
 */
#include "tools.h"
#define about gzi_about /* the tool has a text of this name */
#include "../../examples/tools/fx_gzi.h"
#undef about

enum { GZI_BLOCKS = 40, GZI_TEXT = 1 << 22 };

static char gzi_file[80], gzi_name[80];
static fx_gzi gzi_now;

static void gzi_remove(void) {
    (void)remove(gzi_file);
    (void)remove(gzi_name);
}

/* ---- a second walk ---- */

/* The bytes of the block at `at`, by the first BC of its header; 0: there is none, or not all of it. */
static size_t gzi_block(const uint8_t *file, size_t count, size_t at) {
    const uint8_t *from = file + at;
    size_t left = count - at, end = left < 12 ? 0 : 12 + from[10] + 256u * from[11];
    if (left < 18 || end > left || memcmp(from, "\x1F\x8B\x08", 3) != 0 || (from[3] & 0xE4) != 4) {
        return 0;
    }
    for (size_t i = 12; i + 4 <= end; i += 4 + from[i + 2] + 256u * from[i + 3]) {
        if (from[i] == 'B' && from[i + 1] == 'C' && from[i + 2] == 2 && from[i + 3] == 0 && i + 6 <= end) {
            size_t bytes = from[i + 4] + 256u * from[i + 5] + 1;
            return bytes <= left && bytes >= end + 8 ? bytes : 0;
        }
    }
    return 0;
}

/* Whether a block is at an offset of the file, and so much text before it. */
static int gzi_is_true(const uint8_t *file, size_t count, fx_gzi_entry entry) {
    uint64_t text = 0;
    size_t at = 0, bytes = 1;
    while (at < count && at < entry.offset && (bytes = gzi_block(file, count, at)) > 0) {
        const uint8_t *end = file + at + bytes - 4;
        text += end[0] + 256u * end[1] + 65536u * end[2] + ((uint64_t)end[3] << 24);
        at += bytes;
    }
    return at == entry.offset && text == entry.text_offset;
}

/* ---- inputs ---- */

/* A file of stored blocks, some without text and some with another field before BC. Returns its bytes. */
static size_t gzi_template(uint8_t *to) {
    size_t used = 0;
    for (uint32_t k = 0; k < GZI_BLOCKS; k++) {
        static const uint8_t field[] = {'x', 'y', 1, 0, 7};
        uint32_t text = k % 7 == 5 ? 0 : 1 + k * 13 % 40, more = k % 5 == 3 ? sizeof field : 0,
                 crc = UINT32_MAX;
        uint8_t head[18] = {31, 139, 8, 4, 0, 0, 0, 0, 0, 255, 0, 0, 'B', 'C', 2, 0, 0, 0}, *at = to + used;
        head[10] = (uint8_t)(6 + more);
        head[16] = (uint8_t)(30 + more + text);
        memcpy(at, head, 12);
        memcpy(at + 12, field, more);
        memcpy(at + 12 + more, head + 12, 6);
        at += 18 + more;
        fuzz_put(at, 5, 0, 1 | (uint64_t)text << 8 | (uint64_t)(65535 - text) << 24, 5);
        at += 5;
        for (uint32_t i = 0; i < text; i++) {
            at[i] = (uint8_t)(33 + (k * 31 + i * 7) % 90);
            crc ^= at[i];
            for (int bit = 0; bit < 8; bit++) {
                crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
            }
        }
        fuzz_put(at + text, 8, 0, (uint32_t)~crc | (uint64_t)text << 32, 8);
        used += 31 + more + text;
    }
    return used;
}

static void gzi_make_files(const uint8_t *gzi, size_t gzi_bytes, const uint8_t *file, size_t count) {
    fuzz_write_file(gzi_file, file, count);
    fuzz_write_file(gzi_name, gzi, gzi_bytes);
}

/* The .gzi that is made of the file, as bytes; what is made is true, and taken. Returns their number, or 0. */
static size_t gzi_made(const uint8_t *file, size_t count, uint8_t *to, size_t most) {
    size_t bytes = 0;
    fx_gzi_begin(&gzi_now, gzi_file, gzi_name);
    if (fx_gzi_make(&gzi_now) && 8 + 16 * gzi_now.count <= most) {
        FUZZ_CHECK(fx_gzi_save(&gzi_now, "fuzz") == FX_OK);
        for (size_t i = 0; i < gzi_now.count; i++) {
            FUZZ_CHECK(gzi_is_true(file, count, gzi_now.entries[i]));
        }
        FILE *saved = fopen(gzi_name, "rb");
        FUZZ_CHECK(saved != NULL);
        bytes = fread(to, 1, most, saved);
        FUZZ_CHECK(fclose(saved) == 0 && bytes == 8 + 16 * gzi_now.count);
        fx_gzi_end(&gzi_now);
        fx_gzi_begin(&gzi_now, gzi_file, gzi_name);
        FUZZ_CHECK(fx_gzi_load(&gzi_now) && 8 + 16 * gzi_now.count == bytes);
    }
    fx_gzi_end(&gzi_now);
    return bytes;
}

/* ---- what is read ---- */

/* Text of the file from byte `from` of what `files` gives on. Returns how it ended. */
static biost_result gzi_read(const biost_files *files, uint64_t from, uint8_t *text, size_t *out_count,
                             biost_error *error) {
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    biost_page page;
    *out_count = 0;
    memset(&desc, 0, sizeof desc);
    desc.path = gzi_file;
    desc.files = *files;
    biost_result result = biost_stream_open(&desc, &stream, error);
    if (result == BIOST_OK) {
        result = biost_stream_seek(stream, from);
        while (result == BIOST_OK && (result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
            FUZZ_CHECK(page.text_bytes <= GZI_TEXT - *out_count);
            memcpy(text + *out_count, page.text, page.text_bytes);
            *out_count += page.text_bytes;
        }
        if (result < 0) {
            *error = *biost_stream_error(stream);
        }
        biost_stream_close(stream);
    }
    return result;
}

/* From a place in the text on, by the .gzi and without: where the whole file is good it is the same text. */
static void gzi_compare(const uint8_t *file, size_t count, uint64_t from) {
    static uint8_t whole[GZI_TEXT], part[GZI_TEXT];
    size_t whole_count, part_count;
    uint64_t blocks = 0;
    biost_files files;
    biost_error error;
    memset(&files, 0, sizeof files);
    biost_result result = gzi_read(&files, 0, whole, &whole_count, &error);
    from = result == BIOST_END && whole_count > 0 ? from % whole_count : from;
    if (!fx_gzi_find(&gzi_now, from, &blocks)) {
        FUZZ_CHECK(gzi_now.fault != FX_GZI_GOOD && gzi_now.words[0] != '\0');
        return;
    }
    FUZZ_CHECK(gzi_is_true(file, count, gzi_now.at) && gzi_now.at.text_offset <= from);
    fx_gzi_give(&gzi_now, &files);
    biost_result again = gzi_read(&files, from - gzi_now.at.text_offset, part, &part_count, &error);
    if (again < 0) {
        fx_gzi_move(&gzi_now, &error);
        fuzz_check_error(again, &error, "biost_stream_next_page");
    }
    if (result == BIOST_END && from <= whole_count) {
        FUZZ_CHECK(again == BIOST_END && part_count == whole_count - from);
        FUZZ_CHECK(memcmp(part, whole + from, part_count) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    static uint8_t template_bytes[GZI_BLOCKS * 96], gzi[1 << 16];
    static size_t template_count;
    fuzz_input in = {data, bytes};
    uint32_t choices = fuzz_byte(&in);
    size_t size = (size_t)fuzz_number(&in, 2), count;
    size = size < in.bytes ? size : in.bytes;
    if (gzi_file[0] == '\0') {
        tools_begin();
        fuzz_place(gzi_file, sizeof gzi_file, ".bgzf.gz");
        fuzz_place(gzi_name, sizeof gzi_name, ".gzi");
        atexit(gzi_remove);
        template_count = gzi_template(template_bytes);
    }
    fuzz_input changes = {in.at + size, in.bytes - size}, said = {in.at, size};
    uint8_t *file = choices & 2 ? fuzz_copy(template_bytes, template_count)
                                : fuzz_copy(changes.at, changes.bytes);
    count = choices & 2 ? template_count : changes.bytes;
    if (choices & 2) {
        fuzz_change(&changes, file, count);
    }
    gzi_make_files(said.at, said.bytes, file, count);
    if (choices & 1) {
        size_t made = gzi_made(file, count, gzi, sizeof gzi);
        fuzz_change(&said, gzi, made);
        fuzz_write_file(gzi_name, gzi, made);
    }
    fx_gzi_begin(&gzi_now, gzi_file, gzi_name);
    if (fx_gzi_load(&gzi_now)) {
        FUZZ_CHECK(gzi_now.fault == FX_GZI_GOOD);
        for (size_t i = 0; i < gzi_now.count && gzi_now.count < FX_GZI_LOOKS; i++) {
            FUZZ_CHECK(gzi_is_true(file, count, gzi_now.entries[i]));
        }
        gzi_compare(file, count, choices * 97);
    } else {
        FUZZ_CHECK(gzi_now.fault != FX_GZI_GOOD && gzi_now.words[0] != '\0');
    }
    fx_gzi_end(&gzi_now);
    free(file);
    return 0;
}
