/*
 * store.c - images of stores, with their sums made good: refused with a sentence, or read without harm, the same by one
 * worker and by several. And stores that are built here: written, then read.
 *
 * Input: one byte of choices. With bit 0 the rest is two bytes of ways and a text, which is built into a store and must
 * come back letter by letter, also from its file. Else sixteen bytes choose what a loader asks; then come the first 136
 * bytes of an image, its 15 sections' sizes, two bytes each, and the sections. Places and sums are filled in here.
 */
#include "run_loader.h"
#include "../xxh64.h"
#include <unistd.h>

enum {
    STORE_HEAD = 136,
    STORE_SECTIONS = 15,
    STORE_PAGE = 4096,
    STORE_MOST = 1 << 19,
    STORE_SEQUENCES = 500
};

static char store_path[80];

static void store_remove(void) {
    (void)remove(store_path);
}

static void store_name(void) {
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
    snprintf(store_path, sizeof store_path, "%.40s/biostream_fuzz_%ld.bst", folder != NULL ? folder : "/tmp",
             (long)getpid());
    atexit(store_remove);
}

/* ---- stores that are built ---- */

/* Each record of the text is a sequence of the store; with step 2 there are two alike, as of two inputs. */
static void store_check_records(const biost_store *store, const uint8_t *text, size_t bytes, uint32_t step) {
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_record record;
    biost_store_info info;
    biost_store_sequence sequence;
    uint64_t number = 0;
    biost_store_info_of(store, &info);
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = bytes;
    desc.test.page_bytes = 16384;
    FUZZ_CHECK(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    for (; biost_reader_next(reader, &record) == BIOST_OK; number += step) {
        char *letters = (char *)malloc(2 * record.seq_bases + 1);
        FUZZ_CHECK(letters != NULL && biost_store_get(store, number + step - 1, &sequence) == BIOST_OK);
        FUZZ_CHECK(sequence.bases == record.seq_bases);
        FUZZ_CHECK(biost_store_fetch(store, number + step - 1, 0, sequence.bases, letters,
                                     info.has_quality ? letters + record.seq_bases : NULL) == BIOST_OK);
        FUZZ_CHECK(memcmp(letters, record.seq, record.seq_bases) == 0);
        FUZZ_CHECK(!info.has_quality ||
                   memcmp(letters + record.seq_bases, record.qual, record.seq_bases) == 0);
        FUZZ_CHECK(sequence.title_bytes == 0 || sequence.title_bytes == record.name_bytes ||
                   (sequence.title_bytes == record.title_bytes &&
                    memcmp(sequence.title, record.title, record.title_bytes) == 0));
        if (sequence.title_bytes > 0 && record.name_bytes > 0) {
            uint64_t found;
            FUZZ_CHECK(biost_store_find(store, record.name, record.name_bytes, &found) == BIOST_OK);
            FUZZ_CHECK(found <= number);
        }
        free(letters);
    }
    biost_reader_close(reader);
    FUZZ_CHECK(number == info.sequence_count);
}

static void store_build(fuzz_input *in) {
    uint32_t ways = (uint32_t)fuzz_number(in, 2);
    uint8_t *text = fuzz_copy(in->at, in->bytes);
    biost_memory input[2] = {{text, in->bytes, NULL}, {text, in->bytes, NULL}};
    const uint32_t step = (ways >> 6 & 3) == 3 ? 2 : 1;
    biost_store_desc desc;
    biost_store *store = NULL, *loaded = NULL;
    biost_error error;
    fuzz_memory memory;
    memset(&desc, 0, sizeof desc);
    desc.memories = input;
    desc.memory_count = step;
    desc.mates = 1 + (ways >> 6 & 1);
    desc.interleaved = desc.mates > step;
    desc.letters = (biost_store_letters)(ways & 1);
    desc.names = (biost_store_names)((ways >> 1) % 3);
    desc.qualities = ways >> 3 & 1;
    desc.duplicate_names = ways >> 4 & 1;
    desc.workers = 1 + (ways >> 5 & 1);
    desc.test.cpu_hidden = fuzz_hidden(in->bytes);
    desc.allocator = fuzz_allocator(&memory, 200 << 20);
    biost_result result = biost_store_build(&desc, &store, &error);
    if (result != BIOST_OK) {
        fuzz_check_error(result, &error, "biost_store_build");
        FUZZ_CHECK(store == NULL && memory.now == 0);
    } else {
        store_check_records(store, text, in->bytes, step);
        FUZZ_CHECK(biost_store_save(store, store_path, &error) == BIOST_OK);
        FUZZ_CHECK(biost_store_load(store_path, NULL, &loaded, &error) == BIOST_OK);
        FUZZ_CHECK(biost_store_verify(loaded, &error) == BIOST_OK);
        FUZZ_CHECK(biost_store_check(loaded, &desc, &error) == BIOST_OK);
        store_check_records(loaded, text, in->bytes, step);
        FUZZ_CHECK(biost_store_close(loaded, &error) == BIOST_OK &&
                   biost_store_close(store, &error) == BIOST_OK);
        FUZZ_CHECK(memory.now == 0);
    }
    free(text);
}

/* ---- images ---- */

static void store_put64(uint8_t *to, uint64_t number) {
    fuzz_put(to, 8, 0, number, 8);
}

/* Returns the bytes of the image; 0: it would be too large. */
static size_t store_image(fuzz_input *in, uint8_t *image) {
    size_t sizes[STORE_SECTIONS], at = STORE_PAGE;
    memset(image, 0, STORE_PAGE);
    memcpy(image, in->at, STORE_HEAD);
    in->at += STORE_HEAD;
    in->bytes -= STORE_HEAD;
    for (int i = 0; i < STORE_SECTIONS; i++) {
        sizes[i] = (size_t)fuzz_number(in, 2);
    }
    for (int i = 0; i < STORE_SECTIONS; i++) {
        size_t room = (sizes[i] + STORE_PAGE - 1) / STORE_PAGE * STORE_PAGE;
        size_t given = sizes[i] < in->bytes ? sizes[i] : in->bytes;
        if (at + room > STORE_MOST) {
            return 0;
        }
        memset(image + at, 0, room);
        memcpy(image + at, in->at, given);
        in->at += given;
        in->bytes -= given;
        store_put64(image + STORE_HEAD + 24 * i, at);
        store_put64(image + STORE_HEAD + 24 * i + 8, sizes[i]);
        store_put64(image + STORE_HEAD + 24 * i + 16, slow_xxh64(image + at, sizes[i], 0));
        at += room;
    }
    memcpy(image, "BIOSTST", 7);
    image[7] = image[24] & 128 ? 2 : 1; /* of pairs or not, as its flags say */
    store_put64(image + 8, at);
    store_put64(image + 16, 0x0102030405060708u);
    store_put64(image + 496, slow_xxh64(image, 496, 0));
    return at;
}

/* One sequence: part of it, with not a byte written beyond, and its name. */
static void store_ask(const biost_store *store, const biost_store_info *info, uint64_t number,
                      const uint8_t *choose) {
    biost_store_sequence sequence;
    uint64_t found, next = number;
    size_t name_bytes = 0;
    FUZZ_CHECK(biost_store_get(store, number, &sequence) == BIOST_OK &&
               sequence.bases <= info->longest_bases);
    uint64_t start = choose[0] * 257u % (sequence.bases + 1);
    uint64_t end = start + choose[1] * 77u % (sequence.bases - start + 1);
    size_t bases = (size_t)(end - start);
    char *letters = (char *)malloc(bases + 1), *quality = (char *)malloc(bases + 1);
    FUZZ_CHECK(letters != NULL && quality != NULL);
    FUZZ_CHECK(biost_store_fetch(store, number, start, end, letters, info->has_quality ? quality : NULL) ==
               BIOST_OK);
    FUZZ_CHECK(biost_store_fetch(store, number, 0, sequence.bases + 1, letters, NULL) == BIOST_ERR_ARG);
    free(letters);
    free(quality);
    while (name_bytes < sequence.title_bytes && sequence.title[name_bytes] != ' ') {
        name_bytes++;
    }
    (void)biost_store_find(store, sequence.title, name_bytes, &found);
    for (int i = 0; i < 9 && biost_store_find_again(store, next, &found) == BIOST_OK; i++) {
        FUZZ_CHECK(found > next);
        next = found;
    }
}

static biost_loader_desc store_desc(biost_store *store, const biost_store_info *info, const uint8_t *choose,
                                    biost_interval intervals[3]) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.store = store;
    desc.batch_rows = 1 + choose[3] % 9u;
    desc.row_bases = 1 + choose[4] % 200u;
    desc.order = (biost_order)(choose[6] % 3);
    desc.regions.kind = (biost_regions_kind)(choose[7] % 3);
    desc.names = choose[11] & 1;
    desc.digest = 1;
    desc.quality.kind = (biost_quality_kind)(info->has_quality ? choose[11] >> 1 & 3 : 0);
    desc.quality.dtype = desc.quality.kind == BIOST_QUALITY_ERROR ? BIOST_DTYPE_F32 : BIOST_DTYPE_U8;
    desc.mask = choose[11] >> 3 & 1;
    desc.filter.max_n_fraction = choose[12] & 1 ? 0.3f : 0;
    desc.filter.min_length = choose[12] >> 4;
    desc.allow_no_rows = 1;
    desc.split.by = (biost_split_by)(choose[13] % 5);
    desc.split.below = desc.split.by != 0 ? 0.5f : 0;
    desc.split.block_bases = desc.split.by == BIOST_SPLIT_BLOCK ? 300 : 0;
    desc.augment.reverse_complement = choose[14] & 1 ? 0.5f : 0;
    desc.augment.substitute = choose[14] & 2 ? 0.1f : 0;
    desc.seed = choose[15];
    desc.epochs = 1;
    if (info->mates == 2 && choose[0] & 1) {
        desc.mates = 2;
        desc.regions.kind = BIOST_REGIONS_NONE;
    }
    if (desc.regions.kind == 0) {
        desc.long_records = (biost_long_records_mode)(choose[5] % 6);
        if (choose[8] & 1) {
            desc.shape.kind = BIOST_SHAPE_BUCKETS;
            desc.shape.batch_tokens = 1 + choose[3] * 16u;
            desc.shape.rows_multiple = choose[8] >> 1 & 3;
            desc.shape.growth = choose[8] & 8 ? 1500000 : 0;
            desc.row_bases = choose[8] & 16 ? desc.row_bases : 0;
            desc.tail = (biost_tail_mode)((choose[8] >> 5) % 3);
            desc.batch_rows = 0;
        }
        return desc;
    }
    desc.regions.strands = (biost_strands)(choose[8] & 1);
    desc.regions.edge = (biost_edge)(choose[8] >> 1 & 3);
    desc.regions.fit = (biost_fit)(choose[8] >> 3 & 3);
    desc.regions.jitter = choose[9];
    desc.regions.stride = desc.regions.kind == 1 ? choose[10] % (desc.row_bases + 1) : 0;
    desc.regions.forbid_other = choose[8] >> 6 & 1;
    desc.regions.forbid_lower = choose[8] >> 7;
    for (uint32_t i = 0; i < 3; i++) {
        memset(&intervals[i], 0, sizeof intervals[i]);
        intervals[i].sequence = choose[13 + i] & 7;
        intervals[i].start = choose[i];
        intervals[i].end = intervals[i].start + (choose[8] & 8 ? choose[i + 4] : desc.row_bases);
        intervals[i].strand = choose[i] & 1;
    }
    if (desc.regions.kind == 2) {
        desc.regions.intervals = intervals;
        desc.regions.interval_count = 3;
    }
    return desc;
}

static void store_load_rows(biost_store *store, const biost_store_info *info, const uint8_t *choose) {
    static run_loader one, several;
    biost_interval intervals[3];
    biost_loader_desc desc = store_desc(store, info, choose, intervals);
    desc.workers = 1;
    run_loader_desc(desc, UINT32_MAX, &one);
    if (one.opened) {
        desc.workers = 3;
        desc.test.order_seed = choose[9];
        desc.test.cpu_hidden = fuzz_hidden(choose[10]);
        run_loader_desc(desc, UINT32_MAX, &several);
        run_compare(&one, &several, 0, "workers");
    }
}

static void store_load(fuzz_input *in) {
    static uint8_t image[STORE_MOST];
    biost_store *store = NULL;
    biost_store_info info;
    biost_error error;
    const uint8_t *choose = in->at;
    if (in->bytes < 16 + STORE_HEAD + 2 * STORE_SECTIONS) {
        return;
    }
    in->at += 16;
    in->bytes -= 16;
    size_t bytes = store_image(in, image);
    FILE *file = fopen(store_path, "wb");
    FUZZ_CHECK(file != NULL && fwrite(image, 1, bytes, file) == bytes && fclose(file) == 0);
    biost_result result = biost_store_load(store_path, NULL, &store, &error);
    if (result != BIOST_OK) {
        fuzz_check_error(result, &error, "biost_store_load");
        FUZZ_CHECK(store == NULL);
        return;
    }
    biost_store_info_of(store, &info);
    result = biost_store_verify(store, &error);
    if (result != BIOST_OK) {
        fuzz_check_error(result, &error, "biost_store_verify");
    }
    for (uint64_t i = 0; i < info.sequence_count && i < STORE_SEQUENCES; i++) {
        store_ask(store, &info, i, choose);
    }
    store_load_rows(store, &info, choose);
    FUZZ_CHECK(biost_store_close(store, &error) == BIOST_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    fuzz_input in = {data, bytes};
    if (store_path[0] == '\0') {
        store_name();
    }
    if (fuzz_byte(&in) & 1) {
        store_build(&in);
    } else {
        store_load(&in);
    }
    return 0;
}
