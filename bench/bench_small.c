/*
 * bench_small - small inputs: how long a loader takes to its first batch, and whether a second worker pays.
 *
 *   build/bench/bench_small [--tsv FILE] FILE... [--files NAME FILE...]...
 *
 * of FASTQ, plain, gzip or BGZF. All files after --files are one input, NAME, read one after another.
 *
 * Batches have 256 rows of 150 bases, one-hot f32, no shuffle, digest off, 4 slots. With 1 worker and with 2:
 *
 *   first   from before the loader is opened to its first batch
 *   whole   from before it is opened to after it is closed, one epoch
 *
 * Before anything is timed the digests with 1 worker and with 2 are compared. Then they take turns, and who comes first
 * changes with each round.
 *
 *   BENCH_ROUNDS=N       three times as many rounds, but at most 99; without it 21
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"
#include "bench.h"

enum { ROWS = 256, BASES = 150, SLOTS = 4, WORKERS = 2 };

/* One input. */
typedef struct input {
    const char *name;
    const char *const *paths; /* [path_count] */
    uint32_t path_count;
} input;

/* What a pass gave. */
typedef struct outcome {
    uint64_t rows, bases, digest, text_bytes;
    bench_time first, whole;
    int failed;
} outcome;

/* What is measured, by the number of workers less 1. Medians stand in [0] at the end. */
typedef struct table {
    outcome out; /* of one of the passes that were compared */
    double first_s[WORKERS][BENCH_ROUNDS_MOST], first_cpu[WORKERS][BENCH_ROUNDS_MOST];
    double whole_s[WORKERS][BENCH_ROUNDS_MOST], whole_cpu[WORKERS][BENCH_ROUNDS_MOST];
} table;

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile unsigned char sink;

/* Three times the rounds of others: these are short, and times to a first batch spread. */
static int rounds_of(void) {
    int rounds = 3 * bench_rounds();
    return rounds < BENCH_ROUNDS_MOST ? rounds : BENCH_ROUNDS_MOST;
}

static outcome run(const input *of, uint32_t workers, int compare) {
    outcome out;
    biost_loader_desc desc;
    biost_loader *loader;
    biost_error error;
    biost_batch batch;
    biost_progress progress;
    biost_result result;
    bench_time start = bench_now();
    uint32_t i;
    memset(&out, 0, sizeof out);
    memset(&desc, 0, sizeof desc);
    desc.paths = of->paths;
    desc.path_count = of->path_count;
    desc.batch_rows = ROWS;
    desc.row_bases = BASES;
    desc.encoding.dtype = BIOST_DTYPE_F32;
    desc.epochs = 1; /* do not begin another ahead */
    desc.workers = workers;
    desc.slots = SLOTS;
    desc.digest = compare;
    if (biost_loader_open(&desc, &loader, &error) != BIOST_OK) {
        fprintf(stderr, "bench_small: %s\n", error.text);
        out.failed = 1;
        return out;
    }
    result = biost_loader_begin(loader, 0);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        sink = *(const unsigned char *)batch.x.data;
        out.first = out.rows == 0 ? bench_since(start) : out.first;
        out.rows += batch.valid_rows;
        out.digest += batch.digest;
        for (i = 0; i < batch.valid_rows && compare; ++i) {
            out.bases += (uint64_t)batch.lengths[i];
        }
        biost_loader_release(loader, &batch);
    }
    if (result != BIOST_END) {
        fprintf(stderr, "bench_small: %s\n", biost_loader_error(loader)->text);
        out.failed = 1;
    }
    biost_loader_progress(loader, &progress);
    out.text_bytes = progress.text_bytes;
    biost_loader_close(loader);
    out.whole = bench_since(start);
    return out;
}

/* Returns 0 if anything failed, or 2 workers give something else than 1. */
static int verify(const input *of, table *to) {
    outcome other = run(of, 2, 1);
    to->out = run(of, 1, 1);
    if (other.failed || to->out.failed || other.digest != to->out.digest || other.rows != to->out.rows ||
        other.rows == 0) {
        fprintf(stderr, "%s: failed, or 2 workers give another digest than 1; nothing is timed\n", of->name);
        return 0;
    }
    return 1;
}

static int measure(const input *of, table *to) {
    int round, turn, rounds = rounds_of();
    for (round = 0; round < rounds; ++round) {
        for (turn = 0; turn < WORKERS; ++turn) {
            int at = (turn + round) % WORKERS;
            outcome out = run(of, (uint32_t)at + 1, 0);
            if (out.failed) {
                return 0;
            }
            to->first_s[at][round] = out.first.wall;
            to->first_cpu[at][round] = out.first.cpu;
            to->whole_s[at][round] = out.whole.wall;
            to->whole_cpu[at][round] = out.whole.cpu;
        }
    }
    for (turn = 0; turn < WORKERS; ++turn) {
        to->first_s[turn][0] = bench_median_of(to->first_s[turn], rounds);
        to->first_cpu[turn][0] = bench_median_of(to->first_cpu[turn], rounds);
        to->whole_s[turn][0] = bench_median_of(to->whole_s[turn], rounds);
        to->whole_cpu[turn][0] = bench_median_of(to->whole_cpu[turn], rounds);
    }
    return 1;
}

static void print_table(const input *of, const table *from) {
    double megabytes = (double)from->out.text_bytes / 1e6;
    int i;
    bench_tsv_file(of->name, from->out.rows, from->out.bases, from->out.text_bytes);
    for (i = 0; i < WORKERS; ++i) {
        const bench_time first = {from->first_s[i][0], from->first_cpu[i][0]};
        const bench_time whole = {from->whole_s[i][0], from->whole_cpu[i][0]};
        char name[32];
        snprintf(name, sizeof name, "%d worker%s", i + 1, i > 0 ? "s" : "");
        printf("%-24s %9.2f %-10s %9.2f %9.2f %9.2f %9.0f %9.2f\n", i == 0 ? of->name : "", megabytes, name,
               1e3 * first.wall, 1e3 * whole.wall, 1e3 * whole.cpu, megabytes / whole.wall,
               from->whole_s[0][0] / whole.wall);
        bench_tsv_row("small", of->name, name, megabytes / whole.wall, "MB/s", i + 1, whole);
        bench_tsv_row("small-first", of->name, name, 1e3 * first.wall, "ms", i + 1, first);
    }
    fflush(stdout);
}

static int bench_input(const input *of) {
    static table all;
    if (!verify(of, &all) || !measure(of, &all)) {
        return 0;
    }
    print_table(of, &all);
    return 1;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

int main(int argc, char **argv) {
    int i = 1, good = bench_tsv_open(&argc, argv);
    if (argc < 2) {
        fprintf(stderr, "usage: bench_small [--tsv FILE] FILE... [--files NAME FILE...]...\n");
        return 2;
    }
    bench_conditions();
    printf("ours       %s\n", biost_features().text);
    printf("loader     one-hot f32, %d rows x %d bases x 4, no shuffle, digest off, %d slots\n", ROWS, BASES,
           SLOTS);
    printf(
        "timing     medians of %d alternating rounds, page cache warm, CPU of all threads; first: from "
        "before "
        "open to the first\n           batch; whole: from before open to after close; 1 MB is 10^6 bytes of "
        "text\n\n",
        rounds_of());
    printf("%-24s %9s %-10s %9s %9s %9s %9s %9s\n", "", "MB", "", "first ms", "whole ms", "CPU ms", "MB/s",
           "/1 worker");
    fflush(stdout);
    while (i < argc && good) {
        input of;
        const char *const *rest = (const char *const *)(argv + i);
        int is_many = strcmp(rest[0], "--files") == 0 && i + 2 < argc;
        of.name = is_many ? rest[1] : base_name(rest[0]);
        of.paths = rest + (is_many ? 2 : 0);
        of.path_count = 1;
        for (i += is_many ? 3 : 1; is_many && i < argc && argv[i][0] != '-'; ++i) {
            of.path_count += 1;
        }
        good = bench_input(&of);
    }
    return good ? 0 : 1;
}
