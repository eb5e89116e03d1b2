/*
 * bench_gpu - biostream_cuda.h on a GPU, by NVIDIA's driver alone: no CUDA toolkit is needed.
 *
 *   build/gpu/bench_gpu [--tsv FILE] copy | overlap | expand
 *   build/gpu/bench_gpu [--tsv FILE] pipe FILE...
 *
 * copy      bytes to the device: batches that lie ready in all host slots go through the ring as fast as it
 *           can, against the bare loop, cuMemcpyHtoDAsync from page-locked memory, with as many copies of
 *           the same bytes on as many streams. Wall clock, from the first call until all has arrived.
 * overlap   copies of batches while the consumer's stream expands the ones before, against either alone;
 *           by events of the device. Work on the device is made half, once and twice as long as the copies.
 * expand    codes to elements, against a copy from device to device of as many bytes as are written.
 * pipe      a file to one-hot bf16 batches of 4096 rows of 150 bases on the device: through the ring,
 *           through the ring without expansion, and from pageable memory with a wait for each batch.
 *           Their outputs are compared before anything is timed.
 *
 *   BENCH_ROUNDS=N   rounds, 5 to 99; without it 7
 */
#ifndef BENCH_GPU_OBJECTS
#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_CUDA_IMPLEMENTATION
#endif
#include "../biostream_cuda.h"
#include "bench.h"

#include <dlfcn.h>
#include <unistd.h>

enum { ROW_BASES = 1024, DEVICE_SLOTS = 8, STREAMS_MOST = 4, COPIES_MOST = 512 };

static const bench_time no_time = {0, 0};

/* The device, and what no provider has a call for. */
typedef struct gpu {
    const biost_cuda_provider *calls;
    void *state, *before;
    int number;
    biost_cuda_stream streams[STREAMS_MOST];
    void *start, *end; /* events with times */
    int (*copy_in)(uint64_t to, const void *from, size_t bytes, biost_cuda_stream stream);
    int (*copy_across)(uint64_t to, uint64_t from, size_t bytes, biost_cuda_stream stream);
} gpu;

/* A call failed: say so, and end. */
static void must(const gpu *g, int error, const char *what) {
    if (error != 0) {
        fprintf(stderr, "bench_gpu: %s: %s\n", what, g->calls->error_text(g->state, error));
        exit(1);
    }
}

static void must_result(biost_result result, const biost_error *error, const char *what) {
    if (result < 0) {
        fprintf(stderr, "bench_gpu: %s: %s\n", what, error != NULL ? error->text : biost_result_name(result));
        exit(1);
    }
}

static void *host_memory(const gpu *g, size_t bytes) {
    void *memory = NULL;
    must(g, g->calls->host_alloc(g->state, bytes, 0, &memory), "page-locked memory");
    return memset(memory, 1, bytes);
}

static uint8_t *device_memory(const gpu *g, size_t bytes) {
    void *memory = NULL;
    must(g, g->calls->device_alloc(g->state, bytes, &memory), "device memory");
    return (uint8_t *)memory;
}

/* A call of the driver's; NULL where it has none of that name. */
static void find(void *library, const char *name, void *out_function) {
    void *symbol = library != NULL ? dlsym(library, name) : NULL;
    memcpy(out_function, &symbol, sizeof symbol);
}

static void print_device(void *library, int number) {
    int (*get)(int *, int), (*get_name)(char *, int, int), (*get_version)(int *);
    char name[128] = "unknown device", line[256] = "";
    int handle = 0, version = 0;
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    find(library, "cuDeviceGet", &get);
    find(library, "cuDeviceGetName", &get_name);
    find(library, "cuDriverGetVersion", &get_version);
    if (get != NULL && get_name != NULL && get(&handle, number) == 0) {
        (void)get_name(name, sizeof name, handle);
    }
    if (get_version != NULL) {
        (void)get_version(&version);
    }
    if (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
    printf("device     %s\ndriver     CUDA %d.%d%s%s\n", name, version / 1000, version % 1000 / 10,
           *line ? ", " : "", line);
}

static void gpu_open(gpu *g) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    biost_error error;
    int i;
    memset(g, 0, sizeof *g);
    must_result(biost_cuda_look(NULL, NULL, &error), &error, "no GPU");
    g->calls = biost_cuda_driver();
    must(g, g->calls->open(g->calls->user_data, &g->state), "open");
    must(g, g->calls->device_open(g->state, -1, &g->number), "device");
    must(g, g->calls->enter(g->state, g->number, &g->before), "enter");
    for (i = 0; i < STREAMS_MOST; ++i) {
        must(g, g->calls->stream_open(g->state, &g->streams[i]), "stream");
    }
    must(g, g->calls->event_open(g->state, BIOST_CUDA_TIMING, &g->start), "event");
    must(g, g->calls->event_open(g->state, BIOST_CUDA_TIMING, &g->end), "event");
    find(library, "cuMemcpyHtoDAsync_v2", &g->copy_in);
    find(library, "cuMemcpyDtoDAsync_v2", &g->copy_across);
    print_device(library, g->number);
}

static void finish(const gpu *g, int streams) {
    int i;
    for (i = 0; i < streams; ++i) {
        must(g, g->calls->stream_finish(g->state, g->streams[i]), "waiting");
    }
}

/* Between two events on the first stream, in seconds. Begin with begin_events. */
static void begin_events(const gpu *g) {
    must(g, g->calls->event_record(g->state, g->start, g->streams[0]), "event");
}

static double end_events(const gpu *g) {
    float ms = 0;
    must(g, g->calls->event_record(g->state, g->end, g->streams[0]), "event");
    must(g, g->calls->event_wait(g->state, g->end), "waiting");
    must(g, g->calls->event_elapsed(g->state, g->start, g->end, &ms), "time");
    return ms > 0 ? (double)ms / 1e3 : 1e-9;
}

/* ---- batches that lie ready --------------------------------------------------------------------------- */

typedef struct ready {
    char *text; /* one batch of records, taken again for each batch */
    biost_memory memories[COPIES_MOST];
    biost_loader_desc loader;
    biost_cuda_desc desc;
    uint32_t copies;
} ready;

/* Tokens, a byte a base, in rows of ROW_BASES and a length: so many rows as fill about slot_bytes. */
static void ready_make(ready *r, size_t slot_bytes, uint32_t copies, uint32_t streams) {
    uint32_t rows = (uint32_t)(slot_bytes / (ROW_BASES + 4)), i, at;
    size_t bytes = (size_t)rows * (ROW_BASES + 4);
    char *text = (char *)malloc(bytes + 1);
    memset(r, 0, sizeof *r);
    r->text = text;
    for (i = 0; i < rows && text != NULL; ++i, text += ROW_BASES + 4) {
        memcpy(text, ">r\n", 3);
        for (at = 0; at < ROW_BASES; ++at) {
            text[3 + at] = "ACGT"[(i * 7 + at * at) & 3];
        }
        text[3 + ROW_BASES] = '\n';
    }
    r->copies = copies;
    for (i = 0; i < copies; ++i) {
        r->memories[i].data = r->text;
        r->memories[i].bytes = bytes;
    }
    r->loader.memories = r->memories;
    r->loader.memory_count = copies;
    r->loader.batch_rows = rows;
    r->loader.row_bases = ROW_BASES;
    r->loader.encoding.kind = BIOST_ENCODE_TOKENS;
    r->loader.slots = copies;
    r->loader.epochs = 1;
    r->desc.loader = &r->loader;
    r->desc.copy_streams = streams;
    r->desc.device_slots = DEVICE_SLOTS;
}

/* Open, and wait until the loader has filled all slots, which is when the process is idle. */
static biost_cuda *ready_open(const ready *r) {
    biost_cuda *cuda = NULL;
    biost_error error;
    clock_t before;
    int idle = 0;
    must_result(biost_cuda_open(&r->desc, &cuda, &error), &error, "open");
    must_result(biost_cuda_begin(cuda, 0), biost_cuda_error(cuda), "begin");
    while (idle < 3) {
        before = clock();
        usleep(20000);
        idle = clock() - before < CLOCKS_PER_SEC / 1000 ? idle + 1 : 0;
    }
    return cuda;
}

/* ---- copy --------------------------------------------------------------------------------------------- */

/* All batches through the ring. Returns seconds. */
static double copy_ring(const gpu *g, const ready *r, uint64_t *out_bytes) {
    biost_cuda *cuda = ready_open(r);
    biost_cuda_counters counters;
    biost_cuda_batch batch;
    bench_time start = bench_now();
    biost_result result;
    double seconds;
    while ((result = biost_cuda_next(cuda, &g->streams[0], &batch)) == BIOST_OK) {
        must_result(biost_cuda_release(cuda, &batch, g->streams[0]), biost_cuda_error(cuda), "release");
    }
    must_result(result, biost_cuda_error(cuda), "next");
    finish(g, 1);
    seconds = bench_since(start).wall;
    biost_cuda_count(cuda, &counters);
    *out_bytes = counters.copied_bytes / (counters.batch_count > 0 ? counters.batch_count : 1);
    if (counters.host_wait_count > 0) {
        fprintf(stderr, "the host waited %.0f times\n", (double)counters.host_wait_count);
    }
    biost_cuda_close(cuda);
    return seconds;
}

/* The bare loop. */
static double copy_bare(const gpu *g, const uint8_t *host, uint8_t *device, size_t bytes, uint32_t copies,
                        uint32_t streams) {
    bench_time start = bench_now();
    uint32_t i;
    for (i = 0; i < copies; ++i) {
        must(g,
             g->copy_in((uint64_t)(uintptr_t)(device + i % DEVICE_SLOTS * bytes), host + i * bytes, bytes,
                        g->streams[i % streams]),
             "copy");
    }
    finish(g, (int)streams);
    return bench_since(start).wall;
}

static void measure_copy(const gpu *g, const char *size, size_t slot_bytes, uint32_t copies) {
    uint8_t *host = (uint8_t *)host_memory(g, slot_bytes * copies);
    uint8_t *device = device_memory(g, slot_bytes * DEVICE_SLOTS);
    uint32_t streams;
    for (streams = 1; streams <= STREAMS_MOST; ++streams) {
        double ring[BENCH_ROUNDS_MOST], bare[BENCH_ROUNDS_MOST], mb, seconds;
        char name[32];
        static ready r;
        uint64_t bytes = 0;
        int round, rounds = bench_rounds();
        ready_make(&r, slot_bytes, copies, streams);
        for (round = -1; round < rounds; ++round) { /* the first one warms up */
            int at = round < 0 ? 0 : round;
            ring[at] = copy_ring(g, &r, &bytes);
            bytes = bytes < slot_bytes ? bytes : slot_bytes;
            bare[at] = copy_bare(g, host, device, (size_t)bytes, copies, streams);
        }
        mb = (double)bytes * copies / 1e6;
        snprintf(name, sizeof name, "ring, %u stream%s", (unsigned)streams, streams > 1 ? "s" : "");
        seconds = bench_median_of(ring, rounds);
        bench_tsv_row("gpu-copy", size, name, mb / seconds, "MB/s", 0, no_time);
        printf("  %-8s %u stream%s  ring %9.0f MB/s", size, (unsigned)streams, streams > 1 ? "s" : " ",
               mb / seconds);
        snprintf(name, sizeof name, "bare loop, %u stream%s", (unsigned)streams, streams > 1 ? "s" : "");
        seconds = bench_median_of(bare, rounds);
        bench_tsv_row("gpu-copy", size, name, mb / seconds, "MB/s", 0, no_time);
        printf("  bare loop %9.0f MB/s  ratio %.3f\n", mb / seconds, seconds / bench_median_of(ring, rounds));
        free(r.text);
    }
    must(g, g->calls->device_free(g->state, device), "free");
    must(g, g->calls->host_free(g->state, host), "free");
}

static void run_copy(const gpu *g) {
    /* clang-format off */
    static const struct { const char *name; size_t bytes; uint32_t copies; } sizes[] = {
        {"64 KiB", (size_t)64 << 10, 512}, {"256 KiB", (size_t)256 << 10, 256}, {"1 MiB", (size_t)1 << 20, 128},
        {"4 MiB", (size_t)4 << 20, 64}, {"16 MiB", (size_t)16 << 20, 32}, {"64 MiB", (size_t)64 << 20, 16}};
    /* clang-format on */
    size_t i;
    printf("copies     batches ready in host memory; from the first call until all is on the device\n"
           "timing     wall clock, median of %d alternating rounds\n\n",
           bench_rounds());
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        measure_copy(g, sizes[i].name, sizes[i].bytes, sizes[i].copies);
    }
}

/* ---- overlap ------------------------------------------------------------------------------------------ */

/* Work for the device: tokens to f32 rows of 4 channels. */
static void make_work(biost_cuda_expansion *e, const uint8_t *codes, uint32_t rows, uint8_t *table,
                      uint8_t *out) {
    memset(e, 0, sizeof *e);
    e->codes = codes;
    e->table = table;
    e->out = out;
    e->rows = rows;
    e->columns = ROW_BASES;
    e->channels = 4;
    e->element_bytes = 4;
}

/* Copies with `work` expansions of each batch; 0: copies alone. Seconds of the device. */
static double run_ring(const gpu *g, const ready *r, uint32_t work, uint8_t *table, uint8_t *out) {
    biost_cuda *cuda = ready_open(r);
    biost_cuda_batch batch;
    biost_cuda_expansion e;
    biost_result result;
    double seconds;
    uint32_t i;
    begin_events(g);
    while ((result = biost_cuda_next(cuda, &g->streams[0], &batch)) == BIOST_OK) {
        make_work(&e, (const uint8_t *)batch.x.data, batch.rows, table, out);
        for (i = 0; i < work; ++i) {
            must_result(biost_cuda_expand(cuda, 0, &e, g->streams[0]), biost_cuda_error(cuda), "expand");
        }
        must_result(biost_cuda_release(cuda, &batch, g->streams[0]), biost_cuda_error(cuda), "release");
    }
    must_result(result, biost_cuda_error(cuda), "next");
    seconds = end_events(g);
    biost_cuda_close(cuda);
    return seconds;
}

/* The same work without copies. */
static double run_work(const gpu *g, const ready *r, uint32_t count, const uint8_t *codes, uint8_t *table,
                       uint8_t *out) {
    biost_cuda_expansion e;
    uint32_t i;
    make_work(&e, codes, r->loader.batch_rows, table, out);
    begin_events(g);
    for (i = 0; i < count; ++i) {
        must(g, g->calls->expand(g->state, g->number, &e, g->streams[0]), "expand");
    }
    return end_events(g);
}

static void overlap_row(const char *what, const char *who, double seconds, double longer) {
    printf("  %-24s %-22s %9.3f ms  %.3f of the longer\n", what, who, seconds * 1e3, seconds / longer);
    bench_tsv_row("gpu-overlap", what, who, seconds / longer, "of the longer", 0, no_time);
    bench_tsv_row("gpu-overlap-time", what, who, seconds * 1e3, "ms", 0, no_time);
}

static void run_overlap(const gpu *g) {
    static const struct {
        const char *name;
        double part;
    } cases[3] = {{"work half as long", 0.5}, {"work as long", 1}, {"work twice as long", 2}};
    static double copy[BENCH_ROUNDS_MOST], alone[3][BENCH_ROUNDS_MOST], both[3][BENCH_ROUNDS_MOST];
    static ready r;
    size_t bytes = (size_t)16 << 20;
    uint8_t *codes, *table, *out;
    uint32_t work[3] = {1, 1, 1};
    int round, rounds = bench_rounds(), c;
    printf("overlap    64 batches of 16 MiB; work: expansions to f32 on the consumer's stream\n"
           "timing     events of the device, median of %d alternating rounds\n\n",
           rounds);
    ready_make(&r, bytes, 64, 2);
    codes = device_memory(g, bytes);
    table = device_memory(g, 256 * 16);
    out = device_memory(g, bytes * 16);
    for (round = -1; round < rounds; ++round) {
        int at = round < 0 ? 0 : round;
        copy[at] = run_ring(g, &r, 0, table, out);
        if (round < 0) { /* how often an expansion is as long as a copy */
            double one;
            (void)run_work(g, &r, 10, codes, table, out);
            one = run_work(g, &r, 100, codes, table, out) / 100;
            for (c = 0; c < 3; ++c) {
                double wish = cases[c].part * copy[at] / 64 / one;
                work[c] = wish < 1 ? 1 : wish > 1000 ? 1000 : (uint32_t)(wish + 0.5);
            }
        }
        for (c = 0; c < 3; ++c) {
            alone[c][at] = run_work(g, &r, 64 * work[c], codes, table, out);
            both[c][at] = run_ring(g, &r, work[c], table, out);
        }
    }
    for (c = 0; c < 3; ++c) {
        double copies = bench_median_of(copy, rounds), works = bench_median_of(alone[c], rounds);
        double longer = copies > works ? copies : works;
        overlap_row(cases[c].name, "copies alone", copies, longer);
        overlap_row(cases[c].name, "work alone", works, longer);
        overlap_row(cases[c].name, "copies and work", bench_median_of(both[c], rounds), longer);
    }
    free(r.text);
}

/* ---- expand ------------------------------------------------------------------------------------------- */

enum { EXPAND_ROWS = 1 << 18, EXPAND_BASES = 150, EXPAND_TIMES = 10 };

static double time_expand(const gpu *g, const biost_cuda_expansion *e) {
    int i;
    begin_events(g);
    for (i = 0; i < EXPAND_TIMES; ++i) {
        must(g, g->calls->expand(g->state, g->number, e, g->streams[0]), "expand");
    }
    return end_events(g) / EXPAND_TIMES;
}

static double time_across(const gpu *g, const void *to, const void *from, size_t bytes) {
    int i;
    begin_events(g);
    for (i = 0; i < EXPAND_TIMES; ++i) {
        must(g, g->copy_across((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, bytes, g->streams[0]),
             "copy");
    }
    return end_events(g) / EXPAND_TIMES;
}

static void measure_expand(const gpu *g, const char *name, const biost_cuda_expansion *e, const void *from) {
    size_t bytes = (size_t)e->rows * e->columns * e->channels * e->element_bytes;
    double ours[BENCH_ROUNDS_MOST], across[BENCH_ROUNDS_MOST];
    double seconds;
    int round, rounds = bench_rounds();
    for (round = -1; round < rounds; ++round) {
        ours[round < 0 ? 0 : round] = time_expand(g, e);
        across[round < 0 ? 0 : round] = time_across(g, e->out, from, bytes);
    }
    seconds = bench_median_of(ours, rounds);
    bench_tsv_row("gpu-expand", name, "expansion", (double)bytes / 1e6 / seconds, "MB/s", 0, no_time);
    printf("  %-32s %9.0f MB/s", name, (double)bytes / 1e6 / seconds);
    seconds = bench_median_of(across, rounds);
    bench_tsv_row("gpu-expand", name, "copy on the device", (double)bytes / 1e6 / seconds, "MB/s", 0,
                  no_time);
    printf("  copy on the device %9.0f MB/s  ratio %.3f\n", (double)bytes / 1e6 / seconds,
           seconds / bench_median_of(ours, rounds));
}

static void run_expand(const gpu *g) {
    /* clang-format off */
    static const struct { const char *name; uint32_t channels, bytes, is_ncl, is_turned; } cases[] = {
        {"one-hot f32", 4, 4, 0, 0}, {"one-hot f32 NCL", 4, 4, 1, 0}, {"one-hot bf16", 4, 2, 0, 0},
        {"one-hot bf16 NCL", 4, 2, 1, 0}, {"one-hot u8", 4, 1, 0, 0}, {"one-hot u8 NCL", 4, 1, 1, 0},
        {"tokens i32", 1, 4, 0, 0}, {"tokens i64", 1, 8, 0, 0},
        {"one-hot f32, reverse complement", 4, 4, 0, 1}};
    /* clang-format on */
    size_t codes_bytes = (size_t)EXPAND_ROWS * EXPAND_BASES, out_bytes = codes_bytes * 16, i;
    uint8_t *host = (uint8_t *)host_memory(g, codes_bytes + EXPAND_ROWS * 4 + 8192);
    uint8_t *codes = device_memory(g, codes_bytes + EXPAND_ROWS * 4 + 8192),
            *out = device_memory(g, out_bytes);
    uint8_t *from = device_memory(g, out_bytes);
    int32_t *lengths = (int32_t *)(void *)(host + codes_bytes);
    printf("expansion  2^18 rows of 150 bases; bytes written\n"
           "timing     events of the device around %d in a row, median of %d alternating rounds\n\n",
           EXPAND_TIMES, bench_rounds());
    if (g->copy_across == NULL) {
        printf("  skipped: this driver has no cuMemcpyDtoDAsync\n");
        return;
    }
    for (i = 0; i < codes_bytes; ++i) {
        host[i] = (uint8_t)(i * 2654435761u >> 11 & 3);
    }
    for (i = 0; i < EXPAND_ROWS; ++i) {
        lengths[i] = EXPAND_BASES;
    }
    must(g, g->calls->copy_in(g->state, codes, host, codes_bytes + EXPAND_ROWS * 4 + 8192, g->streams[0]),
         "copy");
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        biost_cuda_expansion e;
        memset(&e, 0, sizeof e);
        e.codes = codes;
        e.table = codes + codes_bytes + EXPAND_ROWS * 4;
        e.out = out;
        e.lengths = cases[i].is_turned ? (const int32_t *)(const void *)(codes + codes_bytes) : NULL;
        e.complement = cases[i].is_turned ? codes + codes_bytes + EXPAND_ROWS * 4 + 4096 : NULL;
        e.rows = EXPAND_ROWS;
        e.columns = EXPAND_BASES;
        e.channels = cases[i].channels;
        e.element_bytes = cases[i].bytes;
        e.is_ncl = cases[i].is_ncl;
        measure_expand(g, cases[i].name, &e, from);
    }
}

/* ---- pipe --------------------------------------------------------------------------------------------- */

enum { PIPE_ROWS = 4096, PIPE_BASES = 150, PIPE_WAYS = 3 };
static const char *const pipe_ways[PIPE_WAYS] = {"ring, codes", "ring, whole tensors",
                                                 "pageable, a wait a batch"};

typedef struct outcome {
    uint64_t bases, hash; /* hash: of what is on the device, where it was asked for */
} outcome;

static void pipe_desc(const char *const *path, uint32_t workers, biost_loader_desc *out) {
    memset(out, 0, sizeof *out);
    out->paths = path;
    out->path_count = 1;
    out->batch_rows = PIPE_ROWS;
    out->row_bases = PIPE_BASES;
    out->long_records = BIOST_LONG_HEAD;
    out->encoding.dtype = BIOST_DTYPE_BF16;
    out->workers = workers;
    out->epochs = 1;
}

/* What came to the device, back again. */
static uint64_t hash_back(const gpu *g, uint64_t hash, const void *device, size_t bytes, void *host) {
    must(g, g->calls->copy_out(g->state, host, device, bytes, g->streams[0]), "copy");
    finish(g, 1);
    return bench_hash(hash, host, bytes);
}

static outcome pipe_ring(const gpu *g, const char *path, uint32_t workers, int whole, void *back) {
    outcome out = {0, 0};
    biost_loader_desc loader;
    biost_cuda_desc desc;
    biost_cuda *cuda = NULL;
    biost_cuda_batch batch;
    biost_error error;
    biost_result result;
    uint32_t i;
    pipe_desc(&path, workers, &loader);
    memset(&desc, 0, sizeof desc);
    desc.loader = &loader;
    desc.no_expand = whole;
    must_result(biost_cuda_open(&desc, &cuda, &error), &error, "open");
    result = biost_cuda_begin(cuda, 0);
    while (result == BIOST_OK && (result = biost_cuda_next(cuda, &g->streams[0], &batch)) == BIOST_OK) {
        for (i = 0; i < batch.valid_rows; ++i) {
            out.bases += (uint64_t)batch.host_lengths[i];
        }
        if (back != NULL) {
            out.hash = hash_back(g, out.hash, batch.x.data, (size_t)batch.x.bytes, back);
        }
        result = biost_cuda_release(cuda, &batch, g->streams[0]);
    }
    must_result(result, biost_cuda_error(cuda), "next");
    finish(g, 1);
    biost_cuda_close(cuda);
    return out;
}

static outcome pipe_pageable(const gpu *g, const char *path, uint32_t workers, void *back) {
    outcome out = {0, 0};
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_batch batch;
    biost_error error;
    biost_result result;
    uint8_t *device = device_memory(g, (size_t)PIPE_ROWS * PIPE_BASES * 4 * 2);
    uint32_t i;
    pipe_desc(&path, workers, &desc);
    must_result(biost_loader_open(&desc, &loader, &error), &error, "open");
    result = biost_loader_begin(loader, 0);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        for (i = 0; i < batch.valid_rows; ++i) {
            out.bases += (uint64_t)batch.lengths[i];
        }
        must(g, g->calls->copy_in(g->state, device, batch.x.data, (size_t)batch.x.bytes, g->streams[0]),
             "copy");
        finish(g, 1);
        if (back != NULL) {
            out.hash = hash_back(g, out.hash, device, (size_t)batch.x.bytes, back);
        }
        biost_loader_release(loader, &batch);
    }
    must_result(result, biost_loader_error(loader), "next");
    biost_loader_close(loader);
    must(g, g->calls->device_free(g->state, device), "free");
    return out;
}

static outcome pipe_way(const gpu *g, int way, const char *path, uint32_t workers, void *back) {
    return way < 2 ? pipe_ring(g, path, workers, way, back) : pipe_pageable(g, path, workers, back);
}

static void measure_pipe(const gpu *g, const char *path, uint32_t workers, void *back) {
    double wall[PIPE_WAYS][BENCH_ROUNDS_MOST], cpu[PIPE_WAYS][BENCH_ROUNDS_MOST];
    const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    outcome first = {0, 0}, other;
    int way, round, rounds = bench_rounds();
    for (way = 0; way < PIPE_WAYS; ++way) {
        other = pipe_way(g, way, path, workers, back);
        first = way == 0 ? other : first;
        if (other.hash != first.hash || other.bases != first.bases) {
            fprintf(stderr, "%s: %s gives another output, nothing is timed\n", path, pipe_ways[way]);
            exit(1);
        }
    }
    for (round = 0; round < rounds; ++round) {
        for (way = 0; way < PIPE_WAYS; ++way) {
            bench_time start = bench_now(), time;
            (void)pipe_way(g, way, path, workers, NULL);
            time = bench_since(start);
            wall[way][round] = time.wall;
            cpu[way][round] = time.cpu;
        }
    }
    for (way = 0; way < PIPE_WAYS; ++way) {
        bench_time median = {bench_median_of(wall[way], rounds), bench_median_of(cpu[way], rounds)};
        char name[64];
        snprintf(name, sizeof name, "%s, %u worker%s", pipe_ways[way], (unsigned)workers,
                 workers > 1 ? "s" : "");
        printf("  %-28s %-38s %8.4f Gbase/s  wall %.3f s  CPU %.3f s\n", file, name,
               (double)first.bases / 1e9 / median.wall, median.wall, median.cpu);
        bench_tsv_row("gpu-pipe", file, name, (double)first.bases / 1e9 / median.wall, "Gbase/s",
                      (int)workers, median);
    }
}

static void run_pipe(const gpu *g, char **files) {
    void *back = host_memory(g, (size_t)PIPE_ROWS * PIPE_BASES * 4 * 2);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    printf(
        "batches    one-hot bf16, 4096 rows of 150 bases, on the device\n"
        "timing     open to close, median of %d alternating rounds, page cache warm, CPU of all threads\n\n",
        bench_rounds());
    for (; *files != NULL; ++files) {
        measure_pipe(g, *files, 1, back);
        if (cores > 1) {
            measure_pipe(g, *files, cores > 256 ? 256 : (uint32_t)cores, back);
        }
    }
}

int main(int argc, char **argv) {
    gpu g;
    int good = bench_tsv_open(&argc, argv);
    const char *what = argc > 1 ? argv[1] : "";
    if (!good || strstr(" copy overlap expand pipe ", what) == NULL || *what == '\0' ||
        (strcmp(what, "pipe") == 0) != (argc > 2)) {
        fprintf(stderr, "usage: bench_gpu [--tsv FILE] copy | overlap | expand | pipe FILE...\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a row is seen when it is there */
    bench_conditions();
    printf("ours       biostream %d.%d.%d\n", BIOST_VERSION_MAJOR, BIOST_VERSION_MINOR, BIOST_VERSION_PATCH);
    gpu_open(&g);
    if (strcmp(what, "copy") == 0) {
        run_copy(&g);
    } else if (strcmp(what, "overlap") == 0) {
        run_overlap(&g);
    } else if (strcmp(what, "expand") == 0) {
        run_expand(&g);
    } else {
        run_pipe(&g, argv + 2);
    }
    return 0;
}
