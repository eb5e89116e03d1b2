/*
 * index.c - index files that were changed: refused with a sentence, or used without harm; and what was
 * loaded comes back the same after it was saved and loaded again.
 *
 * Input: one byte of choices, then by bit 0 the bytes of a file, or changes of the index that the library makes of a
 * gzip file of 1500 reads (fuzz_change), whose XXH64 is made good then, and without bit 1 the checks of its histories.
 * The index goes with that file, which is read from three seeks on. Where nothing was changed the read that was asked
 * for comes.
 */
#include "fuzz.h"
#include "../xxh64.h"

enum { INDEX_READS = 1500, INDEX_BASES = 60 };

static char index_path[80], index_gzip[80];
static uint8_t index_template[1 << 17];
static size_t index_template_bytes;

static void index_remove(void) {
    (void)remove(index_path);
    (void)remove(index_gzip);
}

/* Bits of deflate, the low one first. */
typedef struct index_bits {
    uint8_t *to;
    size_t used;
    uint32_t held, count;
} index_bits;

static void index_put(index_bits *out, uint32_t value, uint32_t bits) {
    out->held |= value << out->count;
    for (out->count += bits; out->count >= 8; out->count -= 8) {
        out->to[out->used++] = (uint8_t)out->held;
        out->held >>= 8;
    }
}

/* A code, whose high bit is first. */
static void index_put_code(index_bits *out, uint32_t code, uint32_t bits) {
    while (bits-- > 0) {
        index_put(out, code >> bits & 1, 1);
    }
}

/*
 * The head of a dynamic block: codes of 8, 9, 7 and 8 bits for bytes to 143, bytes to 255, 256 to 281 and the rest; of
 * 5 bits for distances to 27, and of 4 for two more. Code 8 is 0, 9 is 10, 5 is 110, 4 is 1110 and 7 is 1111.
 */
static void index_put_head(index_bits *out) {
    static const uint8_t lengths[] = {0, 0, 0, 0, 1, 4, 2, 0, 0, 3, 0, 4};
    static const struct {
        uint32_t count, code, bits;
    } parts[] = {{144, 0, 1}, {112, 2, 2}, {26, 15, 4}, {4, 0, 1}, {28, 6, 3}, {2, 14, 4}};
    index_put(out, 2 << 1 | 29 << 3 | 29 << 8 | 8 << 13, 17);
    for (uint32_t i = 0; i < sizeof lengths; i++) {
        index_put(out, lengths[i], 3);
    }
    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        for (uint32_t k = 0; k < parts[i].count; k++) {
            index_put_code(out, parts[i].code, parts[i].bits);
        }
    }
}

/* Bytes [at, at + part) of the text as such a block, with matches of 3 to 10 bytes that begin nearby. */
static void index_put_dynamic(index_bits *out, const char *text, size_t at, size_t part) {
    size_t end = at + part;
    index_put_head(out);
    while (at < end) {
        size_t most = 0, distance = 0;
        for (size_t far = 1; far <= 400 && far <= at && most < 10; far++) {
            size_t count = 0;
            while (count < 10 && at + count < end && text[at + count] == text[at + count - far]) {
                count++;
            }
            distance = count > most ? far : distance;
            most = count > most ? count : most;
        }
        if (most < 3) {
            index_put_code(out, 52 + (uint8_t)text[at++], 8);
            continue;
        }
        uint32_t code = (uint32_t)distance - 1, bits = 0;
        for (; code >> bits > 3; bits++) {
        }
        index_put_code(out, (uint32_t)most - 2, 7);
        index_put_code(out, 4 + 2 * bits + (code >> bits), 5);
        index_put(out, code & ((1u << bits) - 1), bits);
        at += most;
    }
    index_put_code(out, 0, 7);
}

static void index_put_stored(index_bits *out, const char *text, size_t at, size_t part, int is_last) {
    index_put(out, (uint32_t)is_last, 3);
    index_put(out, 0, (8 - out->count) % 8);
    index_put(out, (uint32_t)part, 16);
    index_put(out, (uint32_t)~part & 65535, 16);
    memcpy(out->to + out->used, text + at, part);
    out->used += part;
}

/*
 * Reads of 60 bases, most of them as the one before it but for a base, in one member of many blocks: there are borders to
 * begin at, and after each of them so much text that all is known of what it copies.
 */
static void index_make(void) {
    static char text[INDEX_READS * 150];
    static uint8_t gzip[sizeof text + 100 * 80] = {31, 139, 8, 0, 0, 0, 0, 0, 0, 255};
    size_t used = 0, at = 0, before = 0, out;
    index_bits bits = {gzip, 10, 0, 0};
    uint32_t draw = 1, crc = UINT32_MAX;
    for (int i = 0; i < INDEX_READS; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "@r%d\n", i);
        for (int k = 0; k < INDEX_BASES; k++) {
            draw = draw * 1664525u + 1013904223u;
            text[used] = i % 8 != 0 && k != i % 60 ? text[before + (size_t)k] : "ACGT"[draw >> 30];
            used++;
        }
        before = used - INDEX_BASES;
        used += (size_t)snprintf(text + used, sizeof text - used, "\n+\n%0*d\n", INDEX_BASES, i);
    }
    for (size_t part; at < used; at += part) {
        part = used - at < 2000 ? used - at : 2000;
        if (at / 2000 % 9 < 8 && at + part < used) {
            index_put_dynamic(&bits, text, at, part);
        } else {
            index_put_stored(&bits, text, at, part, at + part == used);
        }
    }
    out = bits.used;
    for (size_t i = 0; i < used; i++) {
        crc ^= (uint8_t)text[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        }
    }
    for (int i = 0; i < 4; i++) {
        gzip[out++] = (uint8_t)(~crc >> 8 * i);
    }
    for (int i = 0; i < 4; i++) {
        gzip[out++] = (uint8_t)(used >> 8 * i);
    }
    fuzz_place(index_path, sizeof index_path, ".bix");
    fuzz_place(index_gzip, sizeof index_gzip, ".gz");
    fuzz_write_file(index_gzip, gzip, out);
    atexit(index_remove);
}

/* The index of that file, with many points, as bytes. */
static void index_make_template(void) {
    biost_index *index = NULL;
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_record record;
    FUZZ_CHECK(biost_index_open(NULL, &index, NULL) == BIOST_OK);
    memset(&desc, 0, sizeof desc);
    desc.path = index_gzip;
    desc.index = index;
    desc.test.chunk_bytes = 16000; /* a point for each of them at most */
    desc.workers = 2;
    desc.test.parallel_gzip =
        BIOST_PARALLEL_GZIP_ALWAYS; /* which knows the bytes of a history that are copied */
    desc.test.order_seed = 1;
    FUZZ_CHECK(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    while (biost_reader_next(reader, &record) == BIOST_OK) {
    }
    biost_reader_close(reader);
    FUZZ_CHECK(biost_index_save(index, index_path, NULL) == BIOST_OK);
    biost_index_close(index);
    FILE *file = fopen(index_path, "rb");
    FUZZ_CHECK(file != NULL);
    index_template_bytes = fread(index_template, 1, sizeof index_template, file);
    FUZZ_CHECK(fclose(file) == 0 && index_template_bytes > 500 &&
               index_template_bytes < sizeof index_template);
}

/* Read from some records on. `is_whole`: the index is as it was made. */
static void index_use(biost_index *index, uint32_t choices, int is_whole) {
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_error error;
    biost_record record;
    memset(&desc, 0, sizeof desc);
    desc.path = index_gzip;
    desc.index = index;
    desc.workers = choices >> 6;
    if (choices & 16) { /* from points on, ahead of its turn */
        desc.test.parallel_gzip = BIOST_PARALLEL_GZIP_ALWAYS;
        desc.test.chunk_bytes = 16000;
        desc.test.order_seed = choices;
    }
    biost_result result = biost_reader_open(&desc, &reader, &error);
    if (result != BIOST_OK) {
        fuzz_check_error(result, &error, "biost_reader_open");
        return;
    }
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t from = (choices * 13 + k * 97) % (INDEX_READS + 9), most = choices & 32 ? 800 : 9;
        result = biost_reader_seek(reader, from);
        for (uint32_t i = 0; i < most && result == BIOST_OK; i++) {
            result = biost_reader_next(reader, &record);
            FUZZ_CHECK(!is_whole || result != BIOST_OK || record.id == from + i);
        }
        FUZZ_CHECK(!is_whole || result == (from + most <= INDEX_READS ? BIOST_OK : result) ||
                   from >= INDEX_READS);
        if (result < 0) {
            fuzz_check_error(result, biost_reader_error(reader), "biost_reader_seek");
        }
    }
    biost_reader_close(reader);
}

/* Saved, loaded and saved again: the same bytes. */
static void index_check_saving(const biost_index *index) {
    biost_index *again = NULL;
    biost_error error;
    biost_index_info info, info_again;
    if (biost_index_save(index, index_path, &error) != BIOST_OK) {
        fuzz_check_error(error.code, &error, "biost_index_save");
        return;
    }
    if (biost_index_load(index_path, NULL, &again, &error) != BIOST_OK) {
        FUZZ_FAULT("what was saved is refused: %s", error.text);
    }
    biost_index_get_info(index, &info);
    biost_index_get_info(again, &info_again);
    FUZZ_CHECK(info.point_count == info_again.point_count && info.text_bytes == info_again.text_bytes);
    FUZZ_CHECK(info.record_count == info_again.record_count && info.has_records == info_again.has_records);
    biost_index_close(again);
}

/* Make good the checks of the histories, which are where they were in the template. */
static void index_repair(uint8_t *file) {
    fuzz_input head = {index_template + 36, 4};
    size_t points = (size_t)fuzz_number(&head, 4), first = 88 + 104 * points;
    for (size_t i = 0; i < points; i++) {
        fuzz_input place = {index_template + 88 + 104 * i + 72, 12};
        size_t at = (size_t)fuzz_number(&place, 8), bytes = (size_t)fuzz_number(&place, 4);
        if (bytes > 4) {
            fuzz_put(file, index_template_bytes, first + at, slow_xxh64(file + first + at + 4, bytes - 4, 0),
                     4);
        }
    }
}

static void index_write_changed(fuzz_input *in, int repairs) {
    uint8_t *file = fuzz_copy(index_template, index_template_bytes);
    fuzz_change(in, file, index_template_bytes - 8);
    if (repairs) {
        index_repair(file);
    }
    fuzz_put(file, index_template_bytes, index_template_bytes - 8,
             slow_xxh64(file, index_template_bytes - 8, 0), 8);
    fuzz_write_file(index_path, file, index_template_bytes);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    fuzz_input in = {data, bytes};
    biost_index *index = NULL;
    biost_error error;
    biost_index_desc desc;
    fuzz_memory memory;
    uint32_t choices = fuzz_byte(&in);
    if (index_path[0] == '\0') {
        index_make();
        index_make_template();
    }
    if (choices & 1) {
        fuzz_write_file(index_path, in.at, in.bytes);
    } else {
        index_write_changed(&in, !(choices & 2));
    }
    memset(&desc, 0, sizeof desc);
    desc.allocator = fuzz_allocator(&memory, 64 << 20);
    biost_result result = biost_index_load(index_path, &desc, &index, &error);
    if (result != BIOST_OK) {
        fuzz_check_error(result, &error, "biost_index_load");
        FUZZ_CHECK(index == NULL && memory.now == 0);
        return 0;
    }
    index_use(index, choices, bytes <= 1);
    index_check_saving(index);
    biost_index_close(index);
    FUZZ_CHECK(memory.now == 0);
    return 0;
}
