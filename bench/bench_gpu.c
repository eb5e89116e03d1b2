/*
 * bench_gpu - biostream_cuda.h on a GPU, by NVIDIA's driver alone: no CUDA toolkit is needed.
 *
 *   build/gpu/bench_gpu [--tsv FILE] expand | copy | overlap
 *   build/gpu/bench_gpu [--tsv FILE] pipe FILE...
 *   build/gpu/bench_gpu device | launch
 *
 * expand    codes to elements, against a copy from device to device of as many bytes as are written, and
 *           against setting as many bytes to one value, which reads nothing.
 * copy      bytes to the device: batches that lie ready in all host slots go through the ring as fast as it
 *           can, against the bare loop, cuMemcpyHtoDAsync from page-locked memory, with as many copies of
 *           the same bytes on as many streams. Wall clock, from the first call until all has arrived. Both
 *           have been through all of their memory, streams and events before they are timed. Beside it
 *           microseconds a batch: of small ones the calls take longer than the bytes.
 * overlap   copies of batches while the consumer's stream expands the ones before, against either alone;
 *           by events of the device. Work on the device is made half, once and twice as long as the copies.
 *           And a ring that expands its batches to bf16 itself, while the consumer works on something else.
 * pipe      a file to one-hot bf16 batches of 4096 rows of 150 bases on the device: through the ring,
 *           through the ring without expansion, and from pageable memory with a wait for each batch.
 *           Their outputs are compared before anything is timed.
 * device    which device and driver there are, and nothing else.
 * launch    each expansion of `expand` once, for a profiler.
 *
 *   BENCH_ROUNDS=N    rounds, 5 to 99; without it 7
 *   BENCH_SECONDS=N   what would begin after so many seconds is left out, with a line `skipped: no time: NAME`
 *   BENCH_SMALL=1     sizes of some KiB: shows that all of it runs, and its figures say nothing
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

/* Of what BENCH_SMALL changes: the size without it, or the other one. */
static size_t size_of(size_t bytes, size_t small) {
    return getenv("BENCH_SMALL") != NULL ? small : bytes;
}

static size_t round_up(size_t bytes, size_t to) {
    return (bytes + to - 1) / to * to;
}

/* The device, and what no provider has a call for. */
typedef struct gpu {
    const biost_cuda_provider *calls;
    void *state, *before;
    int number;
    bench_time began; /* the program */
    biost_cuda_stream streams[STREAMS_MOST];
    void *start, *end; /* events with times */
    int (*copy_in)(uint64_t to, const void *from, size_t bytes, biost_cuda_stream stream);
    int (*copy_across)(uint64_t to, uint64_t from, size_t bytes, biost_cuda_stream stream);
    int (*set)(uint64_t to, unsigned value, size_t words, biost_cuda_stream stream);
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
    g->began = bench_now();
    must_result(biost_cuda_look(NULL, NULL, &error), &error, "no GPU");
    g->calls = biost_cuda_driver();
    must(g, g->calls->open(g->calls->user_data, &g->state), "open");
    must(g, g->calls->device_open(g->state, -1, &g->number), "device");
    must(g, g->calls->enter(g->state, g->number, &g->before), "enter");
    for (i = 0; i < STREAMS_MOST; ++i) {
        must(g, g->calls->stream_open(g->state, 0, &g->streams[i]), "stream");
    }
    must(g, g->calls->event_open(g->state, BIOST_CUDA_TIMING, &g->start), "event");
    must(g, g->calls->event_open(g->state, BIOST_CUDA_TIMING, &g->end), "event");
    find(library, "cuMemcpyHtoDAsync_v2", &g->copy_in);
    find(library, "cuMemcpyDtoDAsync_v2", &g->copy_across);
    find(library, "cuMemsetD32Async", &g->set);
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
static void ready_make(ready *r, size_t slot_bytes, uint32_t copies, uint32_t streams, uint32_t epochs) {
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
    r->loader.epochs = epochs;
    r->desc.loader = &r->loader;
    r->desc.copy_streams = streams;
    r->desc.device_slots = DEVICE_SLOTS;
}

static biost_cuda *ready_open(const ready *r) {
    biost_cuda *cuda = NULL;
    biost_error error;
    must_result(biost_cuda_open(&r->desc, &cuda, &error), &error, "open");
    return cuda;
}

/* Begin an epoch, and wait until the loader has filled all slots, which is when the process is idle. */
static void ready_begin(biost_cuda *cuda, uint32_t epoch) {
    clock_t before;
    int idle = 0;
    must_result(biost_cuda_begin(cuda, epoch), biost_cuda_error(cuda), "begin");
    while (idle < 3) {
        before = clock();
        usleep((useconds_t)size_of(20000, 1000));
        idle = clock() - before < CLOCKS_PER_SEC / 1000 ? idle + 1 : 0;
    }
}

/* ---- copy --------------------------------------------------------------------------------------------- */

/* All batches of an epoch through the ring. Returns seconds. */
static double copy_ring(const gpu *g, biost_cuda *cuda, uint32_t epoch) {
    biost_cuda_batch batch;
    bench_time start;
    biost_result result;
    ready_begin(cuda, epoch);
    start = bench_now();
    while ((result = biost_cuda_next(cuda, &g->streams[0], &batch)) == BIOST_OK) {
        must_result(biost_cuda_release(cuda, &batch, g->streams[0]), biost_cuda_error(cuda), "release");
    }
    must_result(result, biost_cuda_error(cuda), "next");
    finish(g, 1);
    return bench_since(start).wall;
}

/* The bare loop, its copies as the ring's slots lie: whole pages of the host's, 256 bytes of the device's. */
static double copy_bare(const gpu *g, const uint8_t *host, uint8_t *device, size_t bytes, uint32_t copies,
                        uint32_t streams) {
    size_t from = round_up(bytes, 4096), to = round_up(bytes, 256);
    bench_time start = bench_now();
    uint32_t i;
    for (i = 0; i < copies; ++i) {
        must(g,
             g->copy_in((uint64_t)(uintptr_t)(device + i % DEVICE_SLOTS * to), host + i * from, bytes,
                        g->streams[i % streams]),
             "copy");
    }
    finish(g, (int)streams);
    return bench_since(start).wall;
}

static void copy_row(const char *size, const char *who, uint32_t streams, double mb, uint32_t copies,
                     double seconds) {
    char name[32];
    snprintf(name, sizeof name, "%s, %u stream%s", who, (unsigned)streams, streams > 1 ? "s" : "");
    bench_tsv_row("gpu-copy", size, name, mb / seconds, "MB/s", 0, no_time);
    bench_tsv_row("gpu-copy-time", size, name, seconds / copies * 1e6, "us a batch", 0, no_time);
    printf("  %s %9.0f MB/s %9.2f us a batch", who, mb / seconds, seconds / copies * 1e6);
}

/* The first round, which is not timed, is the first epoch of the ring and the first pass of the bare loop. */
static void measure_copy_on(const gpu *g, const char *size, size_t slot_bytes, uint32_t copies,
                            uint32_t streams, const uint8_t *host, uint8_t *device) {
    static ready r;
    double ring[BENCH_ROUNDS_MOST], bare[BENCH_ROUNDS_MOST], mb, seconds;
    int round, rounds = bench_rounds();
    biost_cuda_counters counters;
    biost_cuda *cuda;
    ready_make(&r, slot_bytes, copies, streams, (uint32_t)rounds + 1);
    cuda = ready_open(&r);
    for (round = -1; round < rounds; ++round) {
        int at = round < 0 ? 0 : round;
        ring[at] = copy_ring(g, cuda, (uint32_t)(round + 1));
        biost_cuda_count(cuda, &counters);
        bare[at] = copy_bare(g, host, device, (size_t)(counters.copied_bytes / counters.batch_count), copies,
                             streams);
    }
    mb = (double)counters.copied_bytes / (double)counters.batch_count * copies / 1e6;
    seconds = bench_median_of(ring, rounds);
    printf("  %-8s %u stream%s", size, (unsigned)streams, streams > 1 ? "s" : " ");
    copy_row(size, "ring", streams, mb, copies, seconds);
    copy_row(size, "bare loop", streams, mb, copies, bench_median_of(bare, rounds));
    printf("  ratio %.3f\n", bench_median_of(bare, rounds) / seconds);
    if (counters.host_wait_count > 0) {
        printf("           (the host waited %.0f times)\n", (double)counters.host_wait_count);
    }
    biost_cuda_close(cuda);
    free(r.text);
}

static void measure_copy(const gpu *g, const char *size, size_t slot_bytes, uint32_t copies) {
    size_t room = round_up(slot_bytes, 4096) + 4096; /* a slot is its bytes, each array rounded up to 256 */
    uint8_t *host = (uint8_t *)host_memory(g, room * copies);
    uint8_t *device = device_memory(g, room * DEVICE_SLOTS);
    uint32_t streams;
    for (streams = 1; streams <= STREAMS_MOST; ++streams) {
        char name[64];
        snprintf(name, sizeof name, "%s, %u stream%s", size, (unsigned)streams, streams > 1 ? "s" : "");
        if (!bench_no_time(g->began, "copy", name)) {
            measure_copy_on(g, size, slot_bytes, copies, streams, host, device);
        }
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
           "timing     wall clock, median of %d alternating rounds, all memory and streams used before\n\n",
           bench_rounds());
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        measure_copy(g, sizes[i].name, size_of(sizes[i].bytes, (size_t)4096 << i),
                     (uint32_t)size_of(sizes[i].copies, 16));
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

/*
 * An epoch of copies with `work` expansions of each batch; 0: copies alone. `codes` instead of the batch's own
 * where that is no codes any more. Seconds of the device.
 */
static double run_ring(const gpu *g, biost_cuda *cuda, uint32_t epoch, uint32_t work, const uint8_t *codes,
                       uint8_t *table, uint8_t *out) {
    biost_cuda_batch batch;
    biost_cuda_expansion e;
    biost_result result;
    uint32_t i;
    ready_begin(cuda, epoch);
    begin_events(g);
    while ((result = biost_cuda_next(cuda, &g->streams[0], &batch)) == BIOST_OK) {
        make_work(&e, codes != NULL ? codes : (const uint8_t *)batch.x.data, batch.rows, table, out);
        for (i = 0; i < work; ++i) {
            must_result(biost_cuda_expand(cuda, 0, &e, g->streams[0]), biost_cuda_error(cuda), "expand");
        }
        must_result(biost_cuda_release(cuda, &batch, g->streams[0]), biost_cuda_error(cuda), "release");
    }
    must_result(result, biost_cuda_error(cuda), "next");
    return end_events(g);
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
    printf("  %-32s %-28s %9.3f ms  %.3f of the longer\n", what, who, seconds * 1e3, seconds / longer);
    bench_tsv_row("gpu-overlap", what, who, seconds / longer, "of the longer", 0, no_time);
    bench_tsv_row("gpu-overlap-time", what, who, seconds * 1e3, "ms", 0, no_time);
}

enum { OVERLAP_BATCHES = 64, OVERLAP_CASES = 3 };

/* How many expansions a batch make the work `part` of the copies. */
static uint32_t work_of(double part, double copies, double one) {
    double wish = part * copies / OVERLAP_BATCHES / one;
    return wish < 1 ? 1 : wish > 1000 ? 1000 : (uint32_t)(wish + 0.5);
}

/* One ring, so many amounts of work beside it; the ring expands to bf16 where `is_bf16`. */
static void measure_overlap(const gpu *g, size_t bytes, int is_bf16, int cases, const char *const *names,
                            const double *parts) {
    static double copy[BENCH_ROUNDS_MOST], alone[OVERLAP_CASES][BENCH_ROUNDS_MOST],
        both[OVERLAP_CASES][BENCH_ROUNDS_MOST];
    static ready r;
    uint8_t *codes = device_memory(g, bytes), *table = device_memory(g, 256 * 16),
            *out = device_memory(g, bytes * 16);
    const uint8_t *other = is_bf16 ? codes : NULL;
    uint32_t work[OVERLAP_CASES] = {1, 1, 1}, epoch = 0;
    int round, rounds = bench_rounds(), c;
    biost_cuda *cuda;
    ready_make(&r, bytes, OVERLAP_BATCHES, 2, (uint32_t)((rounds + 1) * (cases + 1) + 1));
    if (is_bf16) {
        r.loader.encoding.kind = BIOST_ENCODE_ONEHOT;
        r.loader.encoding.dtype = BIOST_DTYPE_BF16;
    }
    cuda = ready_open(&r);
    (void)run_ring(g, cuda, epoch++, 0, other, table, out);
    for (round = -1; round < rounds; ++round) {
        int at = round < 0 ? 0 : round;
        copy[at] = run_ring(g, cuda, epoch++, 0, other, table, out);
        if (round < 0) { /* how often an expansion is as long as a copy */
            double one;
            (void)run_work(g, &r, 10, codes, table, out);
            one = run_work(g, &r, 100, codes, table, out) / 100;
            for (c = 0; c < cases; ++c) {
                work[c] = work_of(parts[c], copy[at], one);
            }
        }
        for (c = 0; c < cases; ++c) {
            alone[c][at] = run_work(g, &r, OVERLAP_BATCHES * work[c], codes, table, out);
            both[c][at] = run_ring(g, cuda, epoch++, work[c], other, table, out);
        }
    }
    for (c = 0; c < cases; ++c) {
        double copies = bench_median_of(copy, rounds), works = bench_median_of(alone[c], rounds);
        double longer = copies > works ? copies : works;
        overlap_row(names[c], is_bf16 ? "copies and expansions alone" : "copies alone", copies, longer);
        overlap_row(names[c], "work alone", works, longer);
        overlap_row(names[c], is_bf16 ? "copies, expansions and work" : "copies and work",
                    bench_median_of(both[c], rounds), longer);
    }
    biost_cuda_close(cuda);
    free(r.text);
    must(g, g->calls->device_free(g->state, codes), "free");
    must(g, g->calls->device_free(g->state, table), "free");
    must(g, g->calls->device_free(g->state, out), "free");
}

static void run_overlap(const gpu *g) {
    static const char *const names[OVERLAP_CASES] = {"work half as long", "work as long",
                                                     "work twice as long"};
    static const char *const expands[1] = {"ring expands to bf16"};
    static const double parts[OVERLAP_CASES] = {0.5, 1, 2}, as_long[1] = {1};
    size_t bytes = size_of((size_t)16 << 20, 8192);
    printf("overlap    %d batches of %.3f MiB; work: expansions to f32 on the consumer's stream\n"
           "timing     events of the device, median of %d alternating rounds\n\n",
           (int)OVERLAP_BATCHES, (double)bytes / 1048576, bench_rounds());
    if (!bench_no_time(g->began, "overlap", "ring of codes")) {
        measure_overlap(g, bytes, 0, OVERLAP_CASES, names, parts);
    }
    if (!bench_no_time(g->began, "overlap", expands[0])) {
        measure_overlap(g, bytes, 1, 1, expands, as_long);
    }
}

/* ---- expand ------------------------------------------------------------------------------------------- */

enum { EXPAND_BASES = 150, EXPAND_BASES_MOST = 160, EXPAND_TIMES = 10, TABLE_ROOM = 8192 };

/* How an expansion's rows are: as they stand, with a length each, the other strand. */
typedef enum expand_way { AS_IT_STANDS, FULL, SHORTER, TURNED } expand_way;

/* clang-format off */
static const struct { const char *name; uint32_t channels, bytes, is_ncl, columns; expand_way way; } expand_cases[] = {
    {"one-hot f32", 4, 4, 0, EXPAND_BASES, AS_IT_STANDS}, {"one-hot f32 NCL", 4, 4, 1, EXPAND_BASES, AS_IT_STANDS},
    {"one-hot f32 NCL of 160", 4, 4, 1, EXPAND_BASES_MOST, AS_IT_STANDS},
    {"one-hot bf16", 4, 2, 0, EXPAND_BASES, AS_IT_STANDS}, {"one-hot bf16 NCL", 4, 2, 1, EXPAND_BASES, AS_IT_STANDS},
    {"one-hot bf16 NCL of 160", 4, 2, 1, EXPAND_BASES_MOST, AS_IT_STANDS},
    {"one-hot u8", 4, 1, 0, EXPAND_BASES, AS_IT_STANDS}, {"one-hot u8 NCL", 4, 1, 1, EXPAND_BASES, AS_IT_STANDS},
    {"one-hot u8 NCL of 160", 4, 1, 1, EXPAND_BASES_MOST, AS_IT_STANDS},
    {"5 channels f32", 5, 4, 0, EXPAND_BASES, AS_IT_STANDS}, {"5 channels bf16", 5, 2, 0, EXPAND_BASES, AS_IT_STANDS},
    {"tokens i32", 1, 4, 0, EXPAND_BASES, AS_IT_STANDS}, {"tokens i64", 1, 8, 0, EXPAND_BASES, AS_IT_STANDS},
    {"quality f32, full rows", 1, 4, 0, EXPAND_BASES, FULL}, {"quality f32, 75..150 bases", 1, 4, 0, EXPAND_BASES, SHORTER},
    {"one-hot f32, reverse complement", 4, 4, 0, EXPAND_BASES, TURNED}};
enum { EXPAND_CASES = sizeof expand_cases / sizeof expand_cases[0] };
/* clang-format on */

/* What all of them use: on the device codes, lengths of full rows and of others, table, complement. */
typedef struct expand_rig {
    uint8_t *memory, *out, *from; /* device */
    size_t lengths_at, table_at, out_bytes;
    uint32_t rows;
} expand_rig;

static void expand_open(const gpu *g, expand_rig *rig) {
    size_t codes_bytes, bytes, i;
    uint8_t *host;
    int32_t *lengths;
    rig->rows = (uint32_t)size_of((size_t)1 << 18, 64);
    codes_bytes = (size_t)rig->rows * EXPAND_BASES_MOST;
    rig->lengths_at = round_up(codes_bytes, 256);
    rig->table_at = rig->lengths_at + round_up((size_t)rig->rows * 8, 256);
    rig->out_bytes = codes_bytes * 5 * 4;
    bytes = rig->table_at + TABLE_ROOM + 256;
    host = (uint8_t *)host_memory(g, bytes);
    for (i = 0; i < codes_bytes; ++i) {
        host[i] = (uint8_t)(i * 2654435761u >> 11 & 3);
    }
    lengths = (int32_t *)(void *)(host + rig->lengths_at);
    for (i = 0; i < rig->rows; ++i) {
        lengths[i] = EXPAND_BASES;
        lengths[rig->rows + i] = (int32_t)(EXPAND_BASES / 2 + i * 31 % (EXPAND_BASES / 2 + 1));
    }
    rig->memory = device_memory(g, bytes);
    rig->out = device_memory(g, rig->out_bytes);
    rig->from = device_memory(g, rig->out_bytes);
    must(g, g->calls->copy_in(g->state, rig->memory, host, bytes, g->streams[0]), "copy");
    finish(g, 1);
    must(g, g->calls->host_free(g->state, host), "free");
}

static void expand_make(const expand_rig *rig, size_t number, biost_cuda_expansion *e) {
    const int32_t *lengths = (const int32_t *)(const void *)(rig->memory + rig->lengths_at);
    expand_way way = expand_cases[number].way;
    memset(e, 0, sizeof *e);
    e->codes = rig->memory;
    e->table = rig->memory + rig->table_at;
    e->out = rig->out;
    e->lengths = way == AS_IT_STANDS ? NULL : way == SHORTER ? lengths + rig->rows : lengths;
    e->complement = way == TURNED ? rig->memory + rig->table_at + TABLE_ROOM : NULL;
    e->rows = rig->rows;
    e->columns = expand_cases[number].columns;
    e->channels = expand_cases[number].channels;
    e->element_bytes = expand_cases[number].bytes;
    e->is_ncl = expand_cases[number].is_ncl;
}

enum { EXPANSION, ACROSS, SET, EXPAND_WAYS };
static const char *const expand_ways[EXPAND_WAYS] = {"expansion", "copy on the device",
                                                     "memset on the device"};

/* Whether the driver has the call. */
static int has_way(const gpu *g, int way) {
    return way == EXPANSION || (way == ACROSS ? g->copy_across != NULL : g->set != NULL);
}

static double time_expand(const gpu *g, int way, const biost_cuda_expansion *e, const void *from,
                          size_t bytes) {
    uint64_t to = (uint64_t)(uintptr_t)e->out;
    int i, error = 0;
    begin_events(g);
    for (i = 0; i < EXPAND_TIMES && error == 0; ++i) {
        error = way == EXPANSION ? g->calls->expand(g->state, g->number, e, g->streams[0])
                : way == ACROSS  ? g->copy_across(to, (uint64_t)(uintptr_t)from, bytes, g->streams[0])
                                 : g->set(to, 0, bytes / 4, g->streams[0]);
    }
    must(g, error, expand_ways[way]);
    return end_events(g) / EXPAND_TIMES;
}

static void measure_expand(const gpu *g, const char *name, const biost_cuda_expansion *e, const void *from) {
    size_t bytes = (size_t)e->rows * e->columns * e->channels * e->element_bytes;
    double seconds[EXPAND_WAYS][BENCH_ROUNDS_MOST], ours = 1;
    int round, rounds = bench_rounds(), way;
    for (round = -1; round < rounds; ++round) {
        for (way = 0; way < EXPAND_WAYS; ++way) {
            if (has_way(g, way)) {
                seconds[way][round < 0 ? 0 : round] = time_expand(g, way, e, from, bytes);
            }
        }
    }
    printf("  %-32s", name);
    for (way = 0; way < EXPAND_WAYS; ++way) {
        double median;
        if (!has_way(g, way)) {
            continue;
        }
        median = bench_median_of(seconds[way], rounds);
        bench_tsv_row("gpu-expand", name, expand_ways[way], (double)bytes / 1e6 / median, "MB/s", 0, no_time);
        printf("%s%s %8.0f MB/s", way > 0 ? ", " : " ", way > 0 ? expand_ways[way] : "",
               (double)bytes / 1e6 / median);
        if (way == EXPANSION) {
            ours = median;
        } else {
            printf(" (ratio %.3f)", median / ours);
        }
    }
    printf("\n");
}

static void run_expand(const gpu *g) {
    expand_rig rig;
    biost_cuda_expansion e;
    size_t i;
    expand_open(g, &rig);
    printf("expansion  %u rows of 150 bases, or as many as it says; bytes written\n"
           "timing     events of the device around %d in a row, median of %d alternating rounds\n\n",
           (unsigned)rig.rows, EXPAND_TIMES, bench_rounds());
    for (i = ACROSS; i < EXPAND_WAYS; ++i) {
        if (!has_way(g, (int)i)) {
            printf("skipped: %s (this driver has no call for it)\n", expand_ways[i]);
        }
    }
    for (i = 0; i < EXPAND_CASES; ++i) {
        if (!bench_no_time(g->began, "expand", expand_cases[i].name)) {
            expand_make(&rig, i, &e);
            measure_expand(g, expand_cases[i].name, &e, rig.from);
        }
    }
}

static void run_launch(const gpu *g) {
    expand_rig rig;
    biost_cuda_expansion e;
    size_t i;
    expand_open(g, &rig);
    for (i = 0; i < EXPAND_CASES; ++i) {
        printf("launch     %s\n", expand_cases[i].name);
        expand_make(&rig, i, &e);
        must(g, g->calls->expand(g->state, g->number, &e, g->streams[0]), "expand");
        finish(g, 1);
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
        uint32_t most = cores > 256 ? 256 : cores < 1 ? 1 : (uint32_t)cores;
        if (!bench_no_time(g->began, *files, "1 worker")) {
            measure_pipe(g, *files, 1, back);
        }
        if (most > 1 && !bench_no_time(g->began, *files, "all cores")) {
            measure_pipe(g, *files, most, back);
        }
    }
}

int main(int argc, char **argv) {
    gpu g;
    int good = bench_tsv_open(&argc, argv);
    const char *what = argc > 1 ? argv[1] : "";
    if (!good || strstr(" copy overlap expand pipe device launch ", what) == NULL || *what == '\0' ||
        (strcmp(what, "pipe") == 0) != (argc > 2)) {
        fprintf(stderr,
                "usage: bench_gpu [--tsv FILE] expand | copy | overlap | pipe FILE... | device | launch\n");
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
    } else if (strcmp(what, "launch") == 0) {
        run_launch(&g);
    } else if (strcmp(what, "pipe") == 0) {
        run_pipe(&g, argv + 2);
    }
    return 0;
}
