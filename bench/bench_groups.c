/*
 * bench_groups - what mixing costs: groups and files that are open at a time against one file with the same bytes.
 *
 *   build/bench/bench_groups [--tsv FILE] --whole FILE PART... [--whole FILE PART...]...
 *
 * Of gzip FASTQ; the file after --whole is its PARTs one after the other, as `cat` makes it. The rows of results bear
 * its name.
 *
 * Batches have 256 rows of 150 bases, one-hot u8, padded with zeros, by biost_loader with 2 workers, digest off and
 * without shuffle:
 *
 *   one file              the whole; what the others are compared with
 *   one file, one group   likewise, named as a group
 *   files in a row        the parts, one open at a time
 *   2 groups              the first half of the parts and the second, 1:1; each must have as many records
 *   N files open          the parts, 2, 16 and 64 of them open at a time and giving a record in turn; where there are
 *                         fewer parts such a case is named and left out
 *
 * Opening and closing are inside the time. Before anything is timed the outputs are compared: each has as many rows and
 * bases as the whole file, the same rows in whatever order (by the sum of a hash of each row and its length), and of
 * groups as many rows as the other.
 *
 *   BENCH_ROUNDS=N       rounds, 5 to 99; without it 7
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"
#include "bench.h"

enum { ROWS = 256, BASES = 150, CHANNELS = 4, ROW_BYTES = BASES * CHANNELS, SLOTS = 4, WORKERS = 2 };

typedef struct contender {
    const char *name;
    int parts;       /* 0: the whole file                  */
    uint32_t groups; /* 0: none are named                  */
    uint32_t open;   /* files at a time                    */
} contender;

/* The first is what the others are compared with. */
static const contender contenders[] = {
    {"one file", 0, 0, 1},       {"one file, one group", 0, 1, 1}, {"files in a row", 1, 0, 1},
    {"2 groups", 1, 2, 1},       {"2 files open", 1, 0, 2},        {"16 files open", 1, 0, 16},
    {"64 files open", 1, 0, 64},
};

enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

/* What a pass gave. */
typedef struct outcome {
    uint64_t rows, bases, text_bytes;
    uint64_t group_rows[2];
    uint64_t hash; /* the sum over rows, when outputs are compared; else 0 */
    int failed;
} outcome;

/* A whole file and its parts. */
typedef struct set {
    const char *whole, *name;
    const char *const *parts; /* [part_count] */
    uint32_t part_count;
    outcome first; /* of the whole file */
    double wall[CONTENDERS][BENCH_ROUNDS_MOST], cpu[CONTENDERS][BENCH_ROUNDS_MOST];
} set;

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile unsigned char sink;

static int is_there(const set *of, const contender *c) {
    return !c->parts || of->part_count >= (c->groups > c->open ? c->groups : c->open);
}

/* ---- one pass -------------------------------------------------------------------- */

/* `groups` [2] is filled where the contender has any. */
static biost_loader_desc make_desc(const set *of, const contender *c, biost_group *groups) {
    biost_loader_desc desc;
    uint32_t i, half;
    memset(&desc, 0, sizeof desc);
    memset(groups, 0, 2 * sizeof *groups);
    desc.paths = c->parts ? of->parts : &of->whole;
    desc.path_count = c->parts ? of->part_count : 1;
    desc.batch_rows = ROWS;
    desc.row_bases = BASES;
    desc.workers = WORKERS;
    desc.slots = SLOTS;
    desc.epochs = 1; /* do not begin another ahead */
    desc.long_records = BIOST_LONG_FAIL;
    desc.open_files = c->open;
    half = c->groups > 0 ? desc.path_count / c->groups : 0;
    for (i = 0; i < c->groups; ++i) {
        groups[i].first_input = i * half;
        groups[i].input_count = i + 1 < c->groups ? half : desc.path_count - i * half;
        groups[i].weight = 1;
    }
    desc.groups = c->groups > 0 ? groups : NULL;
    desc.group_count = c->groups;
    return desc;
}

/* Use a batch: all of it when outputs are compared, else one byte of it. */
static void use_batch(outcome *out, const biost_batch *batch, int compare) {
    const unsigned char *x = (const unsigned char *)batch->x.data;
    uint32_t i;
    sink = *x;
    out->rows += batch->valid_rows;
    for (i = 0; i < batch->valid_rows; ++i) {
        out->bases += (uint64_t)batch->lengths[i];
        if (compare) {
            out->hash += bench_hash((uint64_t)batch->lengths[i], x + (size_t)ROW_BYTES * i, ROW_BYTES);
            out->group_rows[batch->origins[i].group & 1] += 1;
        }
    }
}

static outcome run(const set *of, const contender *c, int compare) {
    outcome out;
    biost_group groups[2];
    biost_loader_desc desc = make_desc(of, c, groups);
    biost_loader *loader;
    biost_error error;
    biost_batch batch;
    biost_progress progress;
    biost_result result;
    memset(&out, 0, sizeof out);
    if (biost_loader_open(&desc, &loader, &error) != BIOST_OK) {
        fprintf(stderr, "bench_groups: %s\n", error.text);
        out.failed = 1;
        return out;
    }
    result = biost_loader_begin(loader, 0);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        use_batch(&out, &batch, compare);
        biost_loader_release(loader, &batch);
    }
    biost_loader_progress(loader, &progress);
    out.text_bytes = progress.text_bytes;
    if (result < 0) {
        fprintf(stderr, "bench_groups: %s\n", biost_loader_error(loader)->text);
        out.failed = 1;
    }
    biost_loader_close(loader);
    return out;
}

/* ---- comparing and measuring ------------------------------------------------------- */

/* One pass of each, compared with the first; this also warms the page cache. */
static int verify(set *of) {
    int i;
    for (i = 0; i < CONTENDERS; ++i) {
        const contender *c = &contenders[i];
        outcome out;
        if (!is_there(of, c)) {
            printf("skipped: %s (%s has %u parts)\n", c->name, of->name, (unsigned)of->part_count);
            continue;
        }
        out = run(of, c, 1);
        if (out.failed || out.rows == 0) {
            fprintf(stderr, "%s: %s failed, nothing is timed\n", of->name, c->name);
            return 0;
        }
        of->first = i == 0 ? out : of->first;
        if (c->groups == 2 && out.group_rows[0] != out.group_rows[1]) {
            fprintf(stderr, "%s: the halves have not as many records, nothing is timed\n", of->name);
            return 0;
        }
        if (out.rows != of->first.rows || out.bases != of->first.bases || out.hash != of->first.hash) {
            fprintf(stderr, "%s: %s gives other rows than %s, nothing is timed\n", of->name, c->name,
                    contenders[0].name);
            return 0;
        }
    }
    printf("compared   %s: %.0f rows, the same from all\n", of->name, (double)of->first.rows);
    return 1;
}

/* Contenders take turns within each round. */
static int measure(set *of) {
    int round, i, count = bench_rounds();
    for (round = 0; round < count; ++round) {
        for (i = 0; i < CONTENDERS; ++i) {
            bench_time start = bench_now(), time;
            outcome out;
            if (!is_there(of, &contenders[i])) {
                continue;
            }
            out = run(of, &contenders[i], 0);
            time = bench_since(start);
            if (out.failed || out.rows != of->first.rows) {
                return 0;
            }
            of->wall[i][round] = time.wall;
            of->cpu[i][round] = time.cpu;
        }
    }
    for (i = 0; i < CONTENDERS; ++i) { /* from here on the medians stand in [0] */
        of->wall[i][0] = bench_median_of(of->wall[i], count);
        of->cpu[i][0] = bench_median_of(of->cpu[i], count);
    }
    return 1;
}

static void report(const set *of) {
    double megabytes = (double)of->first.text_bytes / 1e6;
    int i;
    bench_tsv_file(of->name, of->first.rows, of->first.bases, of->first.text_bytes);
    printf("%s, %u parts, %.1f MB of text\n  %-24s %8s %8s %9s %9s %9s\n", of->name, (unsigned)of->part_count,
           megabytes, "", "MB/s", "krec/s", "/one file", "wall s", "CPU s");
    for (i = 0; i < CONTENDERS; ++i) {
        bench_time time;
        if (!is_there(of, &contenders[i])) {
            continue;
        }
        time.wall = of->wall[i][0];
        time.cpu = of->cpu[i][0];
        printf("  %-24s %8.0f %8.0f %9.3f %9.4f %9.4f\n", contenders[i].name, megabytes / time.wall,
               (double)of->first.rows / 1e3 / time.wall, of->wall[0][0] / time.wall, time.wall, time.cpu);
        bench_tsv_row("groups", of->name, contenders[i].name, megabytes / time.wall, "MB/s", WORKERS, time);
    }
    printf("\n");
    fflush(stdout);
}

static void print_conditions(void) {
    bench_conditions();
    printf("ours       %s\n", biost_features().text);
    printf(
        "batches    %d rows x %d bases x %d, one-hot u8 NLC, padding 0, digest off, %d slots, %d workers\n",
        ROWS, BASES, CHANNELS, SLOTS, WORKERS);
    printf("timing     open to close, median of %d alternating rounds, page cache warm, CPU of all threads;\n"
           "           1 MB is 10^6 bytes of text\n\n",
           bench_rounds());
    fflush(stdout);
}

int main(int argc, char **argv) {
    static set of;
    const char *slash;
    int i = 1, good = bench_tsv_open(&argc, argv);
    if (argc < 4 || strcmp(argv[1], "--whole") != 0) {
        fprintf(stderr, "usage: bench_groups [--tsv FILE] --whole FILE PART... [--whole FILE PART...]...\n");
        return 2;
    }
    print_conditions();
    while (i + 1 < argc && good) { /* argv[i] is --whole */
        memset(&of, 0, sizeof of);
        of.whole = argv[i + 1];
        slash = strrchr(of.whole, '/');
        of.name = slash != NULL ? slash + 1 : of.whole;
        of.parts = (const char *const *)&argv[i + 2];
        for (i += 2; i < argc && strcmp(argv[i], "--whole") != 0; ++i) {
            ++of.part_count;
        }
        good = verify(&of) && measure(&of);
        if (good) {
            report(&of);
        }
    }
    return good ? 0 : 1;
}
