/*
 * bench_scaling - how biost_stream and biost_loader grow with the number of workers.
 *
 *   build/bench/bench_scaling [--tsv FILE] [-n WORKERS_MOST] FILE...
 *
 * For 1, 2 ... WORKERS_MOST workers (as many as there are cores) the text of each file is read
 * through biost_stream, and one epoch of one-hot batches, u8 and f32, of 256 rows of 150 bases
 * through biost_loader: no shuffle, digest off, longer records split. Files are read from the page
 * cache, opening and closing are inside the time. Before anything is timed the text and the digest
 * for every number of workers are compared with those of one worker.
 *
 * Of plain gzip that is decoded ahead of its turn a model stands beside what was measured. One thread
 * at a time replays the text, in order; whatever else is to be done any number can do at once. With R
 * seconds for the replay of a byte of text, and T for the rest, W workers reach
 *
 *     min(W / (T + R), 1 / R)   bytes a second
 *
 * T + R is what 1 worker takes that is told to decode ahead. How much of it is R is measured in the
 * parts alone: those of >>guess and >>ops decode all chunks of the file, as the stream does, and
 * replay them into pages, with the CRC-32 of the text.
 *
 *   BENCH_ROUNDS=N       rounds, 5 to 99; without it 7
 *   BENCH_SECONDS=N      what would begin after so many seconds is left out, with a line `skipped: no time: NAME`
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"
#include "bench.h"

#include <inttypes.h>
#include <unistd.h>

enum { WORKERS_MOST = 256 };

/* What a pass gave; `hash` only where it was asked for. */
typedef struct outcome {
    uint64_t text_bytes, hash;
    int failed;
} outcome;

typedef outcome pass(const char *path, uint32_t workers, int compare);

static bench_time began; /* when the program did */

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile unsigned char sink;

/* Text comes in parts, cut anywhere; byte by byte, the hash is the same for any cut. */
static uint64_t hash_text(uint64_t hash, const char *text, size_t bytes) {
    size_t at;
    for (at = 0; at < bytes; ++at) {
        hash = (hash ^ (unsigned char)text[at]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static outcome read_stream(const char *path, uint32_t workers, int compare, biost_parallel_gzip ahead) {
    outcome out = {0, 0, 0};
    biost_stream_desc desc;
    biost_stream *stream;
    biost_page page;
    biost_error error;
    biost_result result;
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    desc.workers = workers;
    desc.test.parallel_gzip = ahead;
    result = biost_stream_open(&desc, &stream, &error);
    if (result != BIOST_OK) {
        fprintf(stderr, "%s\n", error.text);
        out.failed = 1;
        return out;
    }
    while ((result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
        sink = (unsigned char)page.text[page.text_bytes - 1];
        out.text_bytes += page.text_bytes;
        if (compare) {
            out.hash = hash_text(out.hash, page.text, page.text_bytes);
        }
    }
    if (result < 0) {
        fprintf(stderr, "%s\n", biost_stream_error(stream)->text);
        out.failed = 1;
    }
    biost_stream_close(stream);
    return out;
}

static outcome pass_stream(const char *path, uint32_t workers, int compare) {
    return read_stream(path, workers, compare, BIOST_PARALLEL_GZIP_AUTO);
}

static outcome pass_ahead(const char *path, uint32_t workers, int compare) {
    return read_stream(path, workers, compare, BIOST_PARALLEL_GZIP_ALWAYS);
}

static outcome pass_loader(const char *path, uint32_t workers, int compare, biost_dtype dtype) {
    outcome out = {0, 0, 0};
    biost_loader_desc desc;
    biost_loader *loader;
    biost_batch batch;
    biost_progress progress;
    biost_error error;
    biost_result result;
    memset(&desc, 0, sizeof desc);
    desc.paths = &path;
    desc.path_count = 1;
    desc.batch_rows = 256;
    desc.row_bases = 150;
    desc.encoding.dtype = dtype;
    desc.long_records = BIOST_LONG_SPLIT;
    desc.digest = compare;
    desc.epochs = 1; /* do not begin another ahead */
    desc.workers = workers;
    result = biost_loader_open(&desc, &loader, &error);
    if (result != BIOST_OK) {
        fprintf(stderr, "%s\n", error.text);
        out.failed = 1;
        return out;
    }
    result = biost_loader_begin(loader, 0);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        sink = *(const unsigned char *)batch.x.data;
        out.hash += batch.digest;
        biost_loader_release(loader, &batch);
    }
    if (result < 0) {
        fprintf(stderr, "%s\n", biost_loader_error(loader)->text);
        out.failed = 1;
    }
    biost_loader_progress(loader, &progress);
    out.text_bytes = progress.text_bytes;
    biost_loader_close(loader);
    return out;
}

static outcome pass_u8(const char *path, uint32_t workers, int compare) {
    return pass_loader(path, workers, compare, BIOST_DTYPE_U8);
}

static outcome pass_f32(const char *path, uint32_t workers, int compare) {
    return pass_loader(path, workers, compare, BIOST_DTYPE_F32);
}

/* ---- plain gzip: what workers can reach ----------------------------------------- */

enum {
    CHUNK_BYTES = BSI_PIPE_CHUNK_BYTES,
    PAGE_BYTES = BSI_PIPE_PAGE_BYTES,
    PAGES = BSI_PIPE_SERIAL_PAGES,
    SEGMENTS = 2 * BSI_OPS_WAYS /* at a time, as a stream with 1 worker has */
};

/* From where a block may start in a chunk to the first border after the chunk. */
typedef struct segment {
    uint64_t *ops; /* [CHUNK_BYTES]                                               */
    size_t count;
    uint64_t start, end; /* bits of the file                                            */
    int ended;
} segment;

/* The parts that decode ahead and replay, over a whole file. */
typedef struct parts {
    uint8_t *source;             /* the file                                                    */
    size_t source_bytes, chunks; /* whole chunks                                               */
    bsi_guess guess;
    bsi_ops_ways ways;
    bsi_guess_chunk inputs[BSI_OPS_WAYS]; /* of each way, to the end of the file          */
    size_t chunk_of[BSI_OPS_WAYS];
    segment segments[SEGMENTS];
    uint8_t *pages[PAGES]; /* each with room for history in front                         */
    uint32_t page;
    uint8_t *out;     /* in that page                                                */
    uint64_t reached; /* bit of the file where the text so far ends                  */
    bsi_hash_crc_tables crc_tables;
    uint32_t crc;
    double decode_s, replay_s; /* of the pass under way,                                      */
    uint64_t text_bytes;       /* and what it has replayed                                    */
} parts;

static void parts_close(parts *of) {
    uint32_t i;
    for (i = 0; i < SEGMENTS; ++i) {
        free(of->segments[i].ops);
    }
    for (i = 0; i < PAGES; ++i) {
        free(of->pages[i]);
    }
    free(of->source);
    free(of);
}

/* NULL with a word on standard error where that fails. */
static parts *parts_open(const char *path) {
    parts *of = (parts *)calloc(1, sizeof *of);
    int good = of != NULL;
    uint32_t i;
    if (!good) {
        return NULL;
    }
    of->source = (uint8_t *)bench_read_file(path, &of->source_bytes);
    of->chunks = of->source_bytes / CHUNK_BYTES;
    good = of->source != NULL;
    for (i = 0; i < SEGMENTS; ++i) {
        of->segments[i].ops = (uint64_t *)malloc(CHUNK_BYTES * sizeof(uint64_t));
        good = good && of->segments[i].ops != NULL;
    }
    for (i = 0; i < PAGES; ++i) {
        of->pages[i] = (uint8_t *)calloc(1, BSI_PIPE_ROOM_BYTES + PAGE_BYTES + BSI_OPS_PAST_BYTES);
        good = good && of->pages[i] != NULL;
    }
    bsi_hash_crc_init(&of->crc_tables);
    bsi_kernels_guess(&of->guess, biost_cpu());
    bsi_kernels_ops_ways(&of->ways, biost_cpu());
    if (!good) {
        fprintf(stderr, "%s: no memory for its ops\n", path);
        parts_close(of);
        return NULL;
    }
    return of;
}

/* Begin a chunk's segment in a way; where no block seems to start it has ended. */
static void parts_begin_segment(parts *of, uint32_t way, size_t chunk) {
    segment *to = &of->segments[chunk % SEGMENTS];
    bsi_guess_chunk *input = &of->inputs[way];
    uint64_t bits = 8 * (uint64_t)CHUNK_BYTES, start;
    input->bytes = of->source + chunk * CHUNK_BYTES;
    input->count = of->source_bytes - chunk * CHUNK_BYTES;
    start = bsi_guess_find(&of->guess, input, 1, 0, bits);
    to->count = 0;
    to->start = to->end = chunk * bits;
    to->ended = start == UINT64_MAX;
    if (!to->ended) {
        to->start += start;
        of->chunk_of[way] = chunk;
        bsi_ops_way_begin(&of->ways.ways[way], input, 1, start, bits, to->ops, CHUNK_BYTES);
    }
}

/* Give idle ways the next chunks, and decode until a segment has ended. */
static void parts_decode(parts *of, size_t *next, size_t done) {
    uint32_t i;
    for (i = 0; i < BSI_OPS_WAYS; ++i) {
        if (of->ways.ways[i].status == BSI_OPS_IDLE && *next < of->chunks && *next < done + SEGMENTS) {
            parts_begin_segment(of, i, (*next)++);
        }
    }
    (void)bsi_ops_run(&of->ways, SIZE_MAX);
    for (i = 0; i < BSI_OPS_WAYS; ++i) {
        bsi_ops_way *way = &of->ways.ways[i];
        if (way->status == BSI_OPS_ENDED) {
            segment *to = &of->segments[of->chunk_of[i] % SEGMENTS];
            to->count = way->op_count;
            to->end = of->chunk_of[i] * 8 * (uint64_t)CHUNK_BYTES + way->end;
            to->ended = 1;
            of->guess.distance_counts = way->distance_counts;
            way->status = BSI_OPS_IDLE;
        }
    }
}

/* Replay a segment that starts where the one before ended; full pages leave their end as history. */
static void parts_replay(parts *of, const segment *from) {
    const uint64_t *at = from->ops, *end = from->ops + from->count;
    while (from->start == of->reached && at < end) {
        uint8_t *text = of->out, *page = of->pages[of->page] + BSI_PIPE_ROOM_BYTES;
        at = bsi_ops_replay(&of->ways.kernels, at, end, &of->out, page + PAGE_BYTES);
        of->crc = bsi_hash_crc_update(&of->crc_tables, of->crc, text, (size_t)(of->out - text));
        of->text_bytes += (uint64_t)(of->out - text);
        if (of->out >= page + PAGE_BYTES) {
            of->page = (of->page + 1) % PAGES;
            memcpy(of->pages[of->page], of->out - BSI_PIPE_ROOM_BYTES, BSI_PIPE_ROOM_BYTES);
            of->out = of->pages[of->page] + BSI_PIPE_ROOM_BYTES;
        }
    }
    sink = (unsigned char)of->crc;
}

/* A pass over the file: how long decoding took, and replay. */
static void parts_run(parts *of) {
    size_t next = 0, done = 0;
    of->decode_s = of->replay_s = 0;
    of->text_bytes = 0;
    of->out = of->pages[of->page] + BSI_PIPE_ROOM_BYTES;
    of->guess.distance_counts = 0;
    while (done < of->chunks) {
        bench_time start = bench_now();
        parts_decode(of, &next, done);
        of->decode_s += bench_since(start).wall;
        start = bench_now();
        for (; done < next && of->segments[done % SEGMENTS].ended; ++done) {
            const segment *at = &of->segments[done % SEGMENTS];
            of->reached = done == 0 ? at->start : of->reached;
            parts_replay(of, at);
            of->reached = at->end;
        }
        of->replay_s += bench_since(start).wall;
    }
}

/* Whether two workers decode a file ahead without being told to. */
static int is_ahead(const char *path) {
    biost_stream_desc desc;
    biost_stream *stream;
    biost_page page;
    biost_parallel_gzip_counters counters;
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    desc.workers = 2;
    if (biost_stream_open(&desc, &stream, NULL) != BIOST_OK) {
        return 0;
    }
    while (biost_stream_next_page(stream, &page) == BIOST_OK) {
    }
    biost_stream_counters(stream, &counters);
    biost_stream_close(stream);
    return counters.ahead_count > 0;
}

/* What the model is made of: nanoseconds for a byte of text in each round. */
typedef struct sample {
    parts *of;
    double whole[BENCH_ROUNDS_MOST]; /* of 1 worker that is told to decode ahead               */
    double decode[BENCH_ROUNDS_MOST], replay[BENCH_ROUNDS_MOST]; /* of the parts alone         */
} sample;

/* What belongs to a round of the stream. Returns 0 if it failed. */
static int take_sample(sample *to, const char *path, int round) {
    bench_time start = bench_now();
    outcome out = pass_ahead(path, 1, 0);
    to->whole[round] = 1e9 * bench_since(start).wall / (double)out.text_bytes;
    parts_run(to->of);
    if (to->of->text_bytes == 0) {
        fprintf(stderr, "%s: nothing can be replayed\n", path);
    }
    to->decode[round] = 1e9 * to->of->decode_s / (double)to->of->text_bytes;
    to->replay[round] = 1e9 * to->of->replay_s / (double)to->of->text_bytes;
    return !out.failed && to->of->text_bytes > 0;
}

/* What the model gives for each number of workers, beside the MB/s that were measured. */
static void print_model(const char *path, const double *rates, uint32_t most, sample *from) {
    static const bench_time none = {0, 0};
    const char *slash = strrchr(path, '/');
    double whole_ns = bench_median_of(from->whole, bench_rounds());
    double decode_ns = bench_median_of(from->decode, bench_rounds());
    double replay_ns = bench_median_of(from->replay, bench_rounds());
    double share = replay_ns / (decode_ns + replay_ns);
    char name[64];
    uint32_t workers;
    printf("  1 worker, ahead: %.1f MB/s; T %.3f ns, R %.3f ns a byte of text (parts alone %.3f, %.3f)\n",
           1e3 / whole_ns, whole_ns * (1 - share), whole_ns * share, decode_ns, replay_ns);
    for (workers = 1; workers <= most; ++workers) {
        double rate = 1e3 * workers / whole_ns, cap = 1e3 / (whole_ns * share);
        rate = rate < cap ? rate : cap;
        printf("  %-11s %7" PRIu32 " %8.1f %17s %8.2f", "model", workers, rate, "", rate / rates[0]);
        if (workers > 1) {
            printf("  measured / model %.2f", rates[workers - 1] / rate);
        }
        printf("\n");
        snprintf(name, sizeof name, "model, %" PRIu32 " worker%s", workers, workers > 1 ? "s" : "");
        bench_tsv_row("scaling", slash != NULL ? slash + 1 : path, name, rate, "MB/s", (int)workers, none);
    }
}

/* Print what one number of workers reached, and how many times as fast as one alone it is. */
static void print_row(const char *path, const char *what, uint32_t workers, double mb, bench_time median,
                      double alone) {
    const char *slash = strrchr(path, '/');
    char name[64];
    snprintf(name, sizeof name, "%s, %" PRIu32 " worker%s", what, workers, workers > 1 ? "s" : "");
    printf("  %-11s %7" PRIu32 " %8.1f %8.4f %8.4f %8.2f\n", what, workers, mb / median.wall, median.wall,
           median.cpu, alone / median.wall);
    bench_tsv_row("scaling", slash != NULL ? slash + 1 : path, name, mb / median.wall, "MB/s", (int)workers,
                  median);
    fflush(stdout);
}

/*
 * Compare all numbers of workers with one, then time them in turns, and what the model is made of if
 * `beside` is not NULL. Returns 0 if any failed.
 */
static int measure(pass *run, const char *what, const char *path, uint32_t most, sample *beside) {
    static double wall[WORKERS_MOST][BENCH_ROUNDS_MOST], cpu[WORKERS_MOST][BENCH_ROUNDS_MOST];
    static double rates[WORKERS_MOST]; /* MB/s */
    outcome first, other;
    double alone = 0;
    uint32_t workers;
    int round, rounds = bench_rounds();
    if (bench_no_time(began, path, what)) {
        return 1;
    }
    first = run(path, 1, 1);
    for (workers = 2; workers <= most && !first.failed; ++workers) {
        other = run(path, workers, 1);
        if (other.failed || other.hash != first.hash || other.text_bytes != first.text_bytes) {
            fprintf(stderr, "%s: %" PRIu32 " workers give another output, nothing is timed\n", path, workers);
            return 0;
        }
    }
    for (round = 0; round < rounds && !first.failed; ++round) {
        for (workers = 1; workers <= most; ++workers) {
            bench_time start = bench_now(), time;
            if (run(path, workers, 0).failed) {
                return 0;
            }
            time = bench_since(start);
            wall[workers - 1][round] = time.wall;
            cpu[workers - 1][round] = time.cpu;
        }
        if (beside != NULL && !take_sample(beside, path, round)) {
            return 0;
        }
    }
    for (workers = 1; workers <= most && !first.failed; ++workers) {
        bench_time median = {bench_median_of(wall[workers - 1], rounds),
                             bench_median_of(cpu[workers - 1], rounds)};
        alone = workers == 1 ? median.wall : alone;
        rates[workers - 1] = (double)first.text_bytes / 1e6 / median.wall;
        print_row(path, what, workers, (double)first.text_bytes / 1e6, median, alone);
    }
    if (beside != NULL && !first.failed) {
        print_model(path, rates, most, beside);
    }
    return !first.failed;
}

/* The text: of a file that is decoded ahead with the model beside. Returns 0 if anything failed. */
static int measure_stream(const char *path, uint32_t most) {
    static sample beside;
    outcome first, ahead;
    int good;
    if (!is_ahead(path)) {
        return measure(pass_stream, "stream", path, most, NULL);
    }
    first = pass_stream(path, 1, 1);
    ahead = pass_ahead(path, 1, 1);
    if (first.failed || ahead.failed || first.hash != ahead.hash || first.text_bytes != ahead.text_bytes) {
        fprintf(stderr, "%s: ahead gives another text, nothing is timed\n", path);
        return 0;
    }
    beside.of = parts_open(path);
    if (beside.of == NULL) {
        return 0;
    }
    good = measure(pass_stream, "stream", path, most, &beside);
    parts_close(beside.of);
    return good;
}

int main(int argc, char **argv) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int i = 1, good = bench_tsv_open(&argc, argv);
    if (argc > 2 && strcmp(argv[1], "-n") == 0) {
        cores = strtol(argv[2], NULL, 10);
        i = 3;
    }
    if (i >= argc || cores < 1 || cores > WORKERS_MOST) {
        fprintf(stderr, "usage: bench_scaling [--tsv FILE] [-n WORKERS_MOST] FILE...\n");
        return 2;
    }
    began = bench_now();
    bench_conditions();
    printf("ours       biostream %d.%d.%d\n", BIOST_VERSION_MAJOR, BIOST_VERSION_MINOR, BIOST_VERSION_PATCH);
    printf("loader     one-hot, 256 rows x 150 bases x 4, no shuffle, digest off\n");
    printf("timing     open to close, median of %d alternating rounds, page cache warm, CPU of all"
           " threads;\n           1 MB is 10^6 bytes of text\n\n",
           bench_rounds());
    for (; i < argc && good; ++i) {
        const char *slash = strrchr(argv[i], '/');
        printf("%s\n  %-11s %7s %8s %8s %8s %8s\n", slash != NULL ? slash + 1 : argv[i], "", "workers",
               "MB/s", "wall s", "CPU s", "speed-up");
        good = measure_stream(argv[i], (uint32_t)cores) &&
               measure(pass_u8, "loader, u8", argv[i], (uint32_t)cores, NULL) &&
               measure(pass_f32, "loader, f32", argv[i], (uint32_t)cores, NULL);
    }
    return good ? 0 : 1;
}
