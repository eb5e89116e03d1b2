/*
 * index.c - index files that were changed: refused with a sentence, or used without harm; and what was
 * loaded comes back the same after it was saved and loaded again.
 *
 * Input: one byte of choices, then by bit 0 the bytes of a file, or changes of the index that the library makes of a
 * gzip file of 300 reads (fuzz_change), whose XXH64 is made good then. The index goes
 * with that file, which is read from three seeks on. Where nothing was changed the read that was asked for comes.
 */
#include "fuzz.h"
#include "../xxh64.h"
#include <unistd.h>

enum { INDEX_READS = 300, INDEX_BASES = 60 };

static char index_path[80], index_gzip[80];
static uint8_t index_template[1 << 17];
static size_t index_template_bytes;

static void index_write(const char *path, const uint8_t *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file != NULL && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

/* In memory, where the system has such a place. */
static void index_name(char *path, const char *kind) {
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
    snprintf(path, sizeof index_path, "%.40s/biostream_fuzz_%ld%s", folder != NULL ? folder : "/tmp",
             (long)getpid(), kind);
}

static void index_remove(void) {
    (void)remove(index_path);
    (void)remove(index_gzip);
}

/* Reads of 60 bases, in stored blocks of deflate in one member: there are borders to begin at. */
static void index_make(void) {
    static char text[INDEX_READS * 160];
    static uint8_t gzip[sizeof text + 200 * 5 + 64] = {31, 139, 8, 0, 0, 0, 0, 0, 0, 255};
    size_t used = 0, at = 0, out = 10;
    uint32_t draw = 1, crc = UINT32_MAX;
    for (int i = 0; i < INDEX_READS; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "@r%d\n", i);
        for (int k = 0; k < INDEX_BASES; k++) {
            draw = draw * 1664525u + 1013904223u;
            text[used++] = "ACGT"[draw >> 30];
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "\n+\n%0*d\n", INDEX_BASES, i);
    }
    for (; at < used; at += 300) {
        size_t part = used - at < 300 ? used - at : 300;
        gzip[out++] = at + part == used;
        gzip[out++] = (uint8_t)part;
        gzip[out++] = (uint8_t)(part >> 8);
        gzip[out++] = (uint8_t)~part;
        gzip[out++] = (uint8_t)(~part >> 8);
        memcpy(gzip + out, text + at, part);
        out += part;
    }
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
    index_name(index_path, ".bix");
    index_name(index_gzip, ".gz");
    index_write(index_gzip, gzip, out);
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
    desc.test.chunk_bytes = 12000; /* a point for each of them at most */
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
    biost_result result = biost_reader_open(&desc, &reader, &error);
    if (result != BIOST_OK) {
        fuzz_check_error(result, &error, "biost_reader_open");
        return;
    }
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t from = (choices * 13 + k * 97) % (INDEX_READS + 9);
        result = biost_reader_seek(reader, from);
        for (uint32_t i = 0; i < 9 && result == BIOST_OK; i++) {
            result = biost_reader_next(reader, &record);
            FUZZ_CHECK(!is_whole || result != BIOST_OK || record.id == from + i);
        }
        FUZZ_CHECK(!is_whole || result == (from + 9 <= INDEX_READS ? BIOST_OK : result) ||
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

static void index_write_changed(fuzz_input *in) {
    uint8_t *file = fuzz_copy(index_template, index_template_bytes);
    fuzz_change(in, file, index_template_bytes - 8);
    fuzz_put(file, index_template_bytes, index_template_bytes - 8,
             slow_xxh64(file, index_template_bytes - 8, 0), 8);
    index_write(index_path, file, index_template_bytes);
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
        index_write(index_path, in.at, in.bytes);
    } else {
        index_write_changed(&in);
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
