/*
 * frames.c - what fxbatch writes for other languages, read back by the words of its own comment: frames of batches, and
 * arrays as .npy files by the words of NumPy's format 1.0.
 *
 * Input: the text of a desc, a NUL, one byte of ways, then an input. Each batch goes out as a frame, and its numbers,
 * lengths, ids, tensors and names must be found in the frame; the first also as .npy, with rows that lie apart.
 */
#include "tools.h"
#include <unistd.h>

enum { FRAMES_BATCHES = 40 };

/* ---- frames ---- */

typedef struct frames_reading {
    char *bytes; /* what was written */
    size_t count, at;
    uint64_t numbers; /* of a frame, as the first line names them */
} frames_reading;

/* The first line: how many numbers it names, each in quotes. */
static void frames_read_head(frames_reading *in) {
    const char *list = strstr(in->bytes, "\"numbers\": ["),
               *end = list != NULL ? strchr(list + 12, ']') : NULL;
    const char *feed = strchr(in->bytes, '\n');
    FUZZ_CHECK(strncmp(in->bytes, "{\"biostream_frames\": 1, ", 24) == 0 && end != NULL && feed != NULL);
    uint64_t quotes = 0;
    for (const char *at = list + 12; at < end; at++) {
        quotes += *at == '"';
    }
    in->numbers = quotes / 2;
    in->at = (size_t)(feed + 1 - in->bytes);
}

/* The numbers of the next frame; its bytes are at the value that is returned. */
static const char *frames_next(frames_reading *in, uint64_t numbers[32]) {
    FUZZ_CHECK(in->numbers >= 12 && in->numbers <= 32 && in->at + 8 * in->numbers <= in->count);
    memcpy(numbers, in->bytes + in->at, 8 * (size_t)in->numbers);
    const char *bytes = in->bytes + in->at + 8 * in->numbers;
    in->at += (size_t)(8 * in->numbers + numbers[8]);
    FUZZ_CHECK(in->at <= in->count);
    return bytes;
}

static void frames_check_batch(frames_reading *in, const biost_batch *batch) {
    uint64_t numbers[32], at = 9;
    const char *bytes = frames_next(in, numbers);
    FUZZ_CHECK(numbers[0] == 1 && numbers[1] == batch->epoch && numbers[2] == batch->index);
    FUZZ_CHECK(numbers[3] == batch->rows && numbers[4] == batch->valid_rows && numbers[6] == batch->flags);
    FUZZ_CHECK(numbers[7] == batch->digest);
    FUZZ_CHECK(memcmp(bytes + numbers[at++], batch->lengths, batch->rows * sizeof *batch->lengths) == 0);
    for (uint32_t i = 0; i < batch->tensor_count; i++, at++) {
        const biost_tensor *tensor = &batch->tensors[i];
        FUZZ_CHECK(numbers[at] + tensor->bytes <= numbers[8]);
        FUZZ_CHECK(memcmp(bytes + numbers[at], tensor->data, (size_t)tensor->bytes) == 0);
    }
    for (uint32_t row = 0; row < batch->rows; row++) {
        int64_t ids[3];
        memcpy(ids, bytes + numbers[at] + 24 * row, sizeof ids);
        FUZZ_CHECK(ids[0] == batch->origins[row].id && ids[1] == (int64_t)batch->origins[row].piece);
        FUZZ_CHECK(ids[2] == batch->origins[row].start_base);
    }
    const char *name = batch->names != NULL ? bytes + numbers[at + 1] : NULL;
    for (uint32_t row = 0; name != NULL && row < batch->rows; row++) {
        FUZZ_CHECK(strcmp(name, batch->names + batch->name_offsets[row]) == 0);
        name += strlen(name) + 1;
    }
    FUZZ_CHECK(name == NULL || name == bytes + numbers[8]);
    FUZZ_CHECK(at + 1 + (batch->names != NULL) == in->numbers && in->at == in->count);
}

/* ---- .npy ---- */

static char frames_path[80];

static void frames_remove(void) {
    (void)remove(frames_path);
}

/* The file's words and its array, against the rows that were given. */
static void frames_check_npy(const biost_tensor *tensor, uint32_t rows, size_t row_bytes, size_t stride,
                             const uint8_t *apart) {
    static uint8_t file[1 << 20];
    char words[128], type[8] = "";
    int64_t shape[4] = {0, 0, 0, 0};
    FILE *from = fopen(frames_path, "rb");
    FUZZ_CHECK(from != NULL);
    size_t count = fread(file, 1, sizeof file, from), head = 10 + file[8] + 256u * file[9];
    fclose(from);
    FUZZ_CHECK(count > 64 && memcmp(file, "\x93NUMPY\x01\x00", 8) == 0 && head % 64 == 0 && head <= count);
    FUZZ_CHECK(file[head - 1] == '\n' && head - 10 < 1000);
    snprintf(words, sizeof words, "%.120s", (const char *)file + 10);
    FUZZ_CHECK(sscanf(words,
                      "{'descr': '%7[^']', 'fortran_order': False, 'shape': (%" SCNd64 ", %" SCNd64
                      ", %" SCNd64,
                      type, &shape[0], &shape[1], &shape[2]) >= 2);
    FUZZ_CHECK(shape[0] == (int64_t)rows && shape[1] == tensor->shape[1] && shape[2] == tensor->shape[2]);
    FUZZ_CHECK(strchr("<>|", type[0]) != NULL && count - head == rows * row_bytes);
    FUZZ_CHECK(row_bytes == 0 || tensor->bytes == 0 || type[2] == '1' || type[2] == '2' || type[2] == '4' ||
               type[2] == '8');
    for (uint32_t row = 0; row < rows; row++) {
        FUZZ_CHECK(memcmp(file + head + row * row_bytes, apart + row * stride, row_bytes) == 0);
    }
}

/* Rows of a tensor, put `ways` bytes apart, some at a time. */
static void frames_write_npy(const biost_tensor *tensor, uint32_t ways) {
    uint32_t rows = (uint32_t)tensor->shape[0], first = ways % (rows + 1);
    size_t row_bytes = rows > 0 ? (size_t)tensor->bytes / rows : 0, stride = row_bytes + ways % 5;
    uint8_t *apart = (uint8_t *)calloc(rows + 1, stride + 1);
    fx_npy npy;
    FUZZ_CHECK(apart != NULL);
    if (tensor->bytes < 1 << 19) {
        for (uint32_t row = 0; row < rows; row++) {
            memcpy(apart + row * stride, (const uint8_t *)tensor->data + row * row_bytes, row_bytes);
        }
        fx_npy_begin(&npy, frames_path, fx_npy_type(tensor->dtype), fx_npy_size(tensor->dtype), tensor->shape,
                     tensor->ndim);
        fx_npy_put(&npy, apart, first, stride);
        fx_npy_put(&npy, apart + first * stride, rows - first, stride);
        FUZZ_CHECK(fx_npy_end(&npy, "fuzz") == FX_OK);
        frames_check_npy(tensor, rows, row_bytes, stride, apart);
    }
    free(apart);
}

/* ---- a loader ---- */

static void frames_run(biost_loader *loader, uint32_t ways) {
    options opt;
    frames_reading in;
    biost_loader_desc desc;
    biost_batch batch;
    frame last;
    uint64_t numbers[32];
    uint32_t count = 0;
    memset(&opt, 0, sizeof opt);
    memset(&in, 0, sizeof in);
    memset(&last, 0, sizeof last);
    biost_loader_get_desc(loader, &desc);
    opt.frames_file = open_memstream(&in.bytes, &in.count);
    FUZZ_CHECK(opt.frames_file != NULL && put_header(&opt, &desc) == FX_OK);
    frames_read_head(&in);
    biost_result result = biost_loader_begin(loader, 0);
    while (result == BIOST_OK && count < FRAMES_BATCHES &&
           (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        FUZZ_CHECK(put_batch(&opt, &batch) == FX_OK);
        frames_check_batch(&in, &batch);
        if (count++ == 0) {
            frames_write_npy(&batch.tensors[ways % batch.tensor_count], ways);
        }
        FUZZ_CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    last.kind = FRAME_ERROR;
    FUZZ_CHECK(put_frame(&opt, &last, "a sentence") == FX_OK);
    const char *text = frames_next(&in, numbers);
    FUZZ_CHECK(numbers[0] == 3 && numbers[8] == 10 && memcmp(text, "a sentence", 10) == 0 &&
               in.at == in.count);
    fclose(opt.frames_file);
    free(in.bytes);
}

static void frames_open(const char *text, const uint8_t *input, size_t bytes, uint32_t ways) {
    static biost_desc_memory desc_memory;
    biost_memory memory = {input, bytes, NULL};
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    fuzz_memory counted;
    memset(&desc, 0, sizeof desc);
    if (biost_loader_desc_read(&desc, text, &desc_memory, NULL) != BIOST_OK) {
        return;
    }
    desc.allocator = fuzz_allocator(&counted, 64 << 20);
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.has_fd = 0;
    desc.state_bytes = 0;
    desc.state = NULL;
    desc.epochs = 1;
    desc.workers = 1;
    desc.batch_rows = desc.batch_rows > 100 ? 100 : desc.batch_rows;
    desc.row_bases = desc.row_bases > 2000 ? 2000 : desc.row_bases;
    desc.max_row_bases = desc.max_row_bases > 2000 ? 2000 : desc.max_row_bases;
    desc.slots = 2;
    desc.test.page_bytes = 16384;
    if (biost_loader_open(&desc, &loader, NULL) == BIOST_OK) {
        frames_run(loader, ways);
        biost_loader_close(loader);
    }
    FUZZ_CHECK(counted.now == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    const uint8_t *end = bytes > 0 ? (const uint8_t *)memchr(data, 0, bytes) : NULL;
    tools_begin();
    if (frames_path[0] == '\0') {
        snprintf(frames_path, sizeof frames_path, "%s/biostream_fuzz_%ld.npy",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
        atexit(frames_remove);
    }
    if (end != NULL) {
        fuzz_input in = {end + 1, (size_t)(data + bytes - end - 1)};
        uint32_t ways = fuzz_byte(&in);
        uint8_t *input = fuzz_copy(in.at, in.bytes);
        frames_open((const char *)data, input, in.bytes, ways);
        free(input);
    }
    return 0;
}
