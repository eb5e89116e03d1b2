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
 *   BENCH_ROUNDS=N       rounds, 5 to 99; without it 7
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

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile unsigned char sink;

/* Text comes in pieces, cut anywhere; byte by byte, the hash is the same for any cut. */
static uint64_t hash_text(uint64_t hash, const char *text, size_t bytes) {
    size_t at;
    for (at = 0; at < bytes; ++at) {
        hash = (hash ^ (unsigned char)text[at]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static outcome pass_stream(const char *path, uint32_t workers, int compare) {
    outcome out = {0, 0, 0};
    biost_stream_desc desc;
    biost_stream *stream;
    biost_page page;
    biost_error error;
    biost_result result;
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    desc.workers = workers;
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
    desc.epochs = 1;            /* do not begin another ahead */
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

/* Print what one number of workers reached, and how many times as fast as one alone it is. */
static void print_row(const char *path, const char *what, uint32_t workers, double mb,
                      bench_time median, double alone) {
    const char *slash = strrchr(path, '/');
    char name[64];
    snprintf(name, sizeof name, "%s, %" PRIu32 " worker%s", what, workers, workers > 1 ? "s" : "");
    printf("  %-11s %7" PRIu32 " %8.1f %8.4f %8.4f %8.2f\n", what, workers, mb / median.wall,
           median.wall, median.cpu, alone / median.wall);
    bench_tsv_row("scaling", slash != NULL ? slash + 1 : path, name, mb / median.wall, "MB/s",
                  (int)workers, median);
    fflush(stdout);
}

/* Compare all numbers of workers with one, then time them in turns. Returns 0 if any failed. */
static int measure(pass *run, const char *what, const char *path, uint32_t most) {
    static double wall[WORKERS_MOST][BENCH_ROUNDS_MOST], cpu[WORKERS_MOST][BENCH_ROUNDS_MOST];
    outcome first = run(path, 1, 1), other;
    double alone = 0;
    uint32_t workers;
    int round, rounds = bench_rounds();
    for (workers = 2; workers <= most && !first.failed; ++workers) {
        other = run(path, workers, 1);
        if (other.failed || other.hash != first.hash || other.text_bytes != first.text_bytes) {
            fprintf(stderr, "%s: %" PRIu32 " workers give another output, nothing is timed\n", path,
                    workers);
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
    }
    for (workers = 1; workers <= most && !first.failed; ++workers) {
        bench_time median = {bench_median_of(wall[workers - 1], rounds),
                             bench_median_of(cpu[workers - 1], rounds)};
        alone = workers == 1 ? median.wall : alone;
        print_row(path, what, workers, (double)first.text_bytes / 1e6, median, alone);
    }
    return !first.failed;
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
    bench_conditions();
    printf("ours       biostream %d.%d.%d\n", BIOST_VERSION_MAJOR, BIOST_VERSION_MINOR,
           BIOST_VERSION_PATCH);
    printf("loader     one-hot, 256 rows x 150 bases x 4, no shuffle, digest off\n");
    printf("timing     open to close, median of %d alternating rounds, page cache warm, CPU of all"
           " threads;\n           1 MB is 10^6 bytes of text\n\n",
           bench_rounds());
    for (; i < argc && good; ++i) {
        const char *slash = strrchr(argv[i], '/');
        printf("%s\n  %-11s %7s %8s %8s %8s %8s\n", slash != NULL ? slash + 1 : argv[i], "",
               "workers", "MB/s", "wall s", "CPU s", "speed-up");
        good = measure(pass_stream, "stream", argv[i], (uint32_t)cores) &&
               measure(pass_u8, "loader, u8", argv[i], (uint32_t)cores) &&
               measure(pass_f32, "loader, f32", argv[i], (uint32_t)cores);
    }
    return good ? 0 : 1;
}
