/*
 * bench.h - what a benchmark needs: wall clock and CPU time, medians, a hash to compare outputs
 * before anything is timed, files read whole, the conditions to print beside the numbers, and
 * the file of results that `--tsv FILE` asks for.
 *
 * Rules (a ratio that breaks one is not worth printing): the outputs of all contenders are equal,
 * checked before timing; contenders take turns within each round; the median of at least five
 * rounds counts; the first, untimed round warms the page cache.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BENCH_ROUNDS = 7, BENCH_ROUNDS_MOST = 99 };

/* Both in seconds. CPU is the whole process: all its threads, user and system. */
typedef struct bench_time {
    double wall, cpu;
} bench_time;

static inline bench_time bench_now(void) {
    struct timespec now;
    bench_time time;
    clock_gettime(CLOCK_MONOTONIC, &now);
    time.wall = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    time.cpu = (double)clock() / CLOCKS_PER_SEC;
    return time;
}

static inline bench_time bench_since(bench_time start) {
    bench_time now = bench_now();
    now.wall -= start.wall;
    now.cpu -= start.cpu;
    return now;
}

static inline int bench_by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Rounds as BENCH_ROUNDS in the environment wishes, 5 to BENCH_ROUNDS_MOST; without it 7. */
static inline int bench_rounds(void) {
    const char *wish = getenv("BENCH_ROUNDS");
    int count = wish != NULL ? atoi(wish) : BENCH_ROUNDS;
    return count < 5 ? 5 : count > BENCH_ROUNDS_MOST ? BENCH_ROUNDS_MOST : count;
}

/*
 * With BENCH_SECONDS=N in the environment a case that would begin more than N seconds after `start`, which is when
 * the program began, is named and left out. Returns 1 then.
 */
static inline int bench_no_time(bench_time start, const char *part, const char *name) {
    const char *wish = getenv("BENCH_SECONDS");
    if (wish == NULL || *wish == '\0' || bench_since(start).wall < atof(wish)) {
        return 0;
    }
    printf("skipped: no time: %s, %s\n", part, name);
    return 1;
}

/* Median of that many values, which end up sorted. */
static inline double bench_median_of(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, bench_by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* A running hash of bytes in order: good enough to tell two outputs apart, and for nothing else. */
static inline uint64_t bench_hash(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *at = (const unsigned char *)bytes;
    uint64_t word;
    for (; count > 0; count -= count < 8 ? count : 8, at += 8) {
        word = 0;
        memcpy(&word, at, count < 8 ? count : 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* A file, whole, in memory from malloc; NULL with a word on standard error where that fails. */
static inline void *bench_read_file(const char *path, size_t *out_count) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    long size = -1;
    int good = 0;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) {
        rewind(file);
        bytes = (unsigned char *)malloc((size_t)size + 1);
        good = bytes != NULL && fread(bytes, 1, (size_t)size, file) == (size_t)size;
    }
    if (file != NULL) {
        fclose(file);
    }
    if (!good) {
        fprintf(stderr, "%s cannot be read\n", path);
        free(bytes);
        return NULL;
    }
    *out_count = (size_t)size;
    return bytes;
}

/*
 * Write the processor, by its family and model too, since makers give one name to several, the number of cores as the
 * system tells, how far two of them are from each other where BENCH_CORES tells it (see bench_cores.c), the compiler and
 * the date.
 */
static inline void bench_write_conditions(FILE *to, const char *before) {
    char line[256], model[256] = "unknown processor", day[32] = "";
    time_t now = time(NULL);
    int cores = 0, family = -1, number = -1;
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info != NULL && fgets(line, sizeof line, info) != NULL) {
        cores += strncmp(line, "processor", 9) == 0;
        (void)sscanf(line, "cpu family : %d", &family);
        (void)sscanf(line, "model : %d", &number);
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL) {
            snprintf(model, sizeof model, "%s", strchr(line, ':') + 2);
            model[strcspn(model, "\n")] = '\0';
        }
    }
    if (info != NULL) {
        fclose(info);
    }
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    fprintf(to, "%sprocessor  %s, ", before, model);
    if (family >= 0 && number >= 0) {
        fprintf(to, "family %d model %d, ", family, number);
    }
    fprintf(to, "%d cores\n", cores);
    if (getenv("BENCH_CORES") != NULL) {
        fprintf(to, "%scores      %s\n", before, getenv("BENCH_CORES"));
    }
#if defined(__clang__)
    fprintf(to, "%scompiler   %s\n", before, __VERSION__);
#elif defined(__GNUC__)
    fprintf(to, "%scompiler   gcc %s\n", before, __VERSION__);
#endif
    fprintf(to, "%sdate       %s\n", before, day);
}

static inline void bench_conditions(void) {
    bench_write_conditions(stdout, "");
}

/* ---- results: one row for each figure, see "Files of results" in bench/README.md ------------- */

/* Where rows go; NULL: nowhere. */
static FILE *bench_tsv;

/*
 * Take `--tsv FILE` out of the arguments if they begin with it, and begin that file: conditions,
 * then the names of the columns. Returns 0 if it cannot be written.
 */
static inline int bench_tsv_open(int *argc, char **argv) {
    int i;
    if (*argc < 3 || strcmp(argv[1], "--tsv") != 0) {
        return 1;
    }
    bench_tsv = fopen(argv[2], "w");
    if (bench_tsv == NULL) {
        fprintf(stderr, "%s cannot be written\n", argv[2]);
        return 0;
    }
    for (i = 1; i + 2 <= *argc; ++i) { /* the NULL at the end too */
        argv[i] = argv[i + 2];
    }
    *argc -= 2;
    bench_write_conditions(bench_tsv, "# ");
    fprintf(bench_tsv, "stage\tfile\tcontender\tvalue\tunit\tratio\tto\ttarget\tthreads\tcpu_s"
                       "\twall_s\n");
    return 1;
}

/* What a file holds: records, their mean length in bases, text in bytes. */
static inline void bench_tsv_file(const char *file, uint64_t records, uint64_t bases, uint64_t text_bytes) {
    if (bench_tsv != NULL) {
        fprintf(bench_tsv, "# file       %s: %.0f records, mean length %.1f, %.1f MB of text\n", file,
                (double)records, records > 0 ? (double)bases / (double)records : 0, (double)text_bytes / 1e6);
    }
}

/*
 * A figure. Ratios and targets are added by bench/ratios.awk.
 *
 *   stage      in  the table it belongs to
 *   unit       in  "MB/s", "Gbase/s", "MiB"
 *   threads    in  that work for it; 0: says nothing
 *   time       in  medians, s; 0: none
 */
static inline void bench_tsv_row(const char *stage, const char *file, const char *contender, double value,
                                 const char *unit, int threads, bench_time time) {
    if (bench_tsv == NULL) {
        return;
    }
    fprintf(bench_tsv, "%s\t%s\t%s\t%.6g\t%s\t-\t-\t-\t", stage, file, contender, value, unit);
    if (threads > 0) {
        fprintf(bench_tsv, "%d", threads);
    } else {
        fprintf(bench_tsv, "-");
    }
    if (time.wall > 0) {
        fprintf(bench_tsv, "\t%.6f\t%.6f\n", time.cpu, time.wall);
    } else {
        fprintf(bench_tsv, "\t-\t-\n");
    }
    fflush(bench_tsv);
}

#endif /* BENCH_H */
