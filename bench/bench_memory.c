/*
 * bench_memory - what a loader allocates: the most at a time, and how much of it a row in the shuffle is.
 *
 *   build/bench/bench_memory [--tsv FILE] FILE...
 *
 * of FASTQ, plain, gzip or BGZF. Bytes are counted as the loader asks an allocator for them, over two epochs, so they
 * are the same in each run; that of the process, which leaves out what is never touched, is told by bench_loader.
 *
 *   peak    the most at a time, 2 workers: of the zero desc; of batches of 256 rows of 150 bases, one-hot f32; of these
 *           with a shuffle of 65536 rows; and with reverse complement 0.5, qualities (u8) and mask besides
 *   bound   what biost_loader_memory says of the same desc
 *   row     the peak with a shuffle of 131072 rows less that with 65536, a row: rows of 150 bases; with qualities; with
 *           names, too
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"
#include "bench.h"

enum { ROWS = 256, BASES = 150, WORKERS = 2, SHUFFLE = 65536, EPOCHS = 2 };

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile unsigned char sink;

/* ---- an allocator that counts ------------------------------------------------------ */

/* Several threads may ask; bytes now, and the most there were. */
typedef struct counter {
    bsi_platform_mutex lock;
    uint64_t bytes, most_bytes;
} counter;

static void *counted_alloc(size_t bytes, size_t align, void *user_data) {
    counter *of = (counter *)user_data;
    void *memory = bsi_memory_default_alloc(bytes, align, NULL);
    if (memory != NULL) {
        bsi_platform_lock(&of->lock);
        of->bytes += bytes;
        of->most_bytes = of->bytes > of->most_bytes ? of->bytes : of->most_bytes;
        bsi_platform_unlock(&of->lock);
    }
    return memory;
}

static void counted_free(void *memory, size_t bytes, void *user_data) {
    counter *of = (counter *)user_data;
    bsi_platform_lock(&of->lock);
    of->bytes -= bytes;
    bsi_platform_unlock(&of->lock);
    bsi_memory_default_free(memory, bytes, NULL);
}

/* ---- cases ------------------------------------------------------------------------- */

/* Which desc, by number; each has what the ones before it have. */
enum { CASE_ZERO, CASE_ROWS, CASE_SHUFFLE, CASE_ALL, CASES };

static const char *const case_names[CASES] = {"the zero desc, 2 workers", "256 rows of 150, f32",
                                              "256 rows of 150, f32, shuffle 65536",
                                              "256 rows of 150, f32, shuffle, rc, quality, mask"};

/* What a row in the shuffle may have. */
enum { ROW_BASES, ROW_QUALITIES, ROW_NAMES, ROW_CASES };

static const char *const row_names[ROW_CASES] = {"150 bases", "150 bases, qualities",
                                                 "150 bases, qualities, names"};

static biost_loader_desc make_desc(const char *const *path, int which) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.paths = path;
    desc.path_count = 1;
    desc.workers = WORKERS;
    if (which >= CASE_ROWS) {
        desc.batch_rows = ROWS;
        desc.row_bases = BASES;
        desc.encoding.dtype = BIOST_DTYPE_F32;
    }
    desc.shuffle_rows = which >= CASE_SHUFFLE ? SHUFFLE : 0;
    if (which >= CASE_ALL) {
        desc.augment.reverse_complement = 0.5f;
        desc.quality.kind = BIOST_QUALITY_PHRED;
        desc.mask = 1;
    }
    return desc;
}

/* The most bytes at a time over two epochs; 0 with a word on standard error where it failed. */
static uint64_t peak_of(biost_loader_desc desc) {
    counter bytes;
    biost_loader *loader;
    biost_error error;
    biost_batch batch;
    biost_result result = BIOST_END;
    uint64_t epoch;
    memset(&bytes, 0, sizeof bytes);
    desc.allocator.alloc = counted_alloc;
    desc.allocator.free = counted_free;
    desc.allocator.user_data = &bytes;
    if (!bsi_platform_mutex_open(&bytes.lock)) {
        return 0;
    }
    if (biost_loader_open(&desc, &loader, &error) != BIOST_OK) {
        fprintf(stderr, "bench_memory: %s\n", error.text);
        bsi_platform_mutex_close(&bytes.lock);
        return 0;
    }
    for (epoch = 0; epoch < EPOCHS && result == BIOST_END; ++epoch) {
        result = biost_loader_begin(loader, epoch);
        while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
            sink = *(const unsigned char *)batch.x.data;
            biost_loader_release(loader, &batch);
        }
    }
    if (result != BIOST_END) {
        fprintf(stderr, "bench_memory: %s\n", biost_loader_error(loader)->text);
    }
    biost_loader_close(loader);
    bsi_platform_mutex_close(&bytes.lock);
    if (bytes.bytes != 0) {
        fprintf(stderr, "bench_memory: %.0f bytes were not given back\n", (double)bytes.bytes);
    }
    return result == BIOST_END && bytes.bytes == 0 ? bytes.most_bytes : 0;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static int bench_peaks(const char *path) {
    const bench_time none = {0, 0};
    int which;
    for (which = 0; which < CASES; ++which) {
        biost_loader_desc desc = make_desc(&path, which);
        double bound = (double)biost_loader_memory(&desc) / 1048576;
        double peak = (double)peak_of(desc) / 1048576;
        if (peak == 0) {
            return 0;
        }
        if (peak > bound) {
            fprintf(stderr, "%s, %s: %.1f MiB are over the bound of %.1f\n", path, case_names[which], peak,
                    bound);
            return 0;
        }
        printf("%-24s %-50s %9.1f %9.1f\n", base_name(path), case_names[which], peak, bound);
        bench_tsv_row("memory-peak", base_name(path), case_names[which], peak, "MiB", 0, none);
        bench_tsv_row("memory-bound", base_name(path), case_names[which], bound, "MiB", 0, none);
        fflush(stdout);
    }
    return 1;
}

static int bench_rows(const char *path) {
    const bench_time none = {0, 0};
    int which;
    for (which = 0; which < ROW_CASES; ++which) {
        biost_loader_desc desc = make_desc(&path, CASE_SHUFFLE);
        uint64_t few, many;
        desc.quality.kind = which >= ROW_QUALITIES ? BIOST_QUALITY_PHRED : BIOST_QUALITY_NONE;
        desc.names = which >= ROW_NAMES;
        few = peak_of(desc);
        desc.shuffle_rows = 2 * SHUFFLE;
        many = peak_of(desc);
        if (few == 0 || many <= few) {
            fprintf(stderr, "%s, %s: failed, or a larger shuffle takes no more\n", path, row_names[which]);
            return 0;
        }
        printf("%-24s %-50s %9.1f\n", base_name(path), row_names[which], (double)(many - few) / SHUFFLE);
        bench_tsv_row("memory-row", base_name(path), row_names[which], (double)(many - few) / SHUFFLE,
                      "bytes/row", 0, none);
        fflush(stdout);
    }
    return 1;
}

int main(int argc, char **argv) {
    int i, good = bench_tsv_open(&argc, argv);
    if (argc < 2) {
        fprintf(stderr, "usage: bench_memory [--tsv FILE] FILE...\n");
        return 2;
    }
    bench_conditions();
    printf("ours       %s\n", biost_features().text);
    printf("counting   bytes asked of the allocator, the most at a time over %d epochs\n\n", EPOCHS);
    printf("%-24s %-50s %9s %9s\n", "", "", "MiB", "bound MiB");
    for (i = 1; i < argc && good; ++i) {
        good = bench_peaks(argv[i]);
    }
    printf("\n%-24s %-50s %9s\n", "", "a row in the shuffle", "bytes");
    return good && bench_rows(argv[1]) ? 0 : 1;
}
