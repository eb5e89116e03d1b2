/*
 * bench_loader - from a FASTQ file to one-hot batches: biost_loader against kseq.h + zlib.
 *
 *   build/bench/bench_loader FILE...          (make bench says which; plain or gzip FASTQ)
 *
 * Both sides read the whole file and fill batches of 256 rows of 150 bases, one-hot, as u8 and as
 * f32; a row is padded with zeros. The peer is what one writes by hand: kseq_read over gzread (over
 * read(2) for plain files, which is faster), then a table of four numbers for each letter. It uses
 * one thread, as kseq and zlib do. Ours runs with 1 and with 2 workers, digest off, no shuffle.
 * Opening and closing are inside the time. The outputs are compared byte by byte (by a hash over
 * all rows and lengths) before anything is timed.
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"
#include "bench.h"

#if defined(HAVE_ZLIB) && defined(__has_include)
#if __has_include(<htslib/kseq.h>)
#define HAVE_PEER 1
#endif
#endif

#ifdef BIOSTREAM_NO_LIBDEFLATE
#define CRC_BY "nothing linked"
#else
#define CRC_BY "CRC by libdeflate"
#endif

#ifdef HAVE_PEER

#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include <zlib.h>

#include <htslib/kseq.h>

enum { ROWS = 256, BASES = 150, CASES = 2, CONTENDERS = 3 };

/* What a pass over a file gave. */
typedef struct outcome {
    uint64_t records, bases, text_bytes, hash;
    int failed;
} outcome;

/* One thing to time: the peer (workers 0) or ours. */
typedef struct contender {
    const char *path;
    biost_dtype dtype;
    uint32_t workers;
} contender;

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile unsigned char sink;

/* Use a batch: all of it when outputs are compared, else one byte. */
static void use_batch(outcome *out, const void *x, size_t row_bytes, const int32_t *lengths,
                      uint32_t rows, int compare) {
    uint32_t row;
    sink = *(const unsigned char *)x;
    for (row = 0; row < rows; ++row) {
        out->bases += (uint64_t)lengths[row];
    }
    out->records += rows;
    if (compare) {
        out->hash = bench_hash(out->hash, x, row_bytes * rows);
        out->hash = bench_hash(out->hash, lengths, sizeof *lengths * rows);
    }
}

static size_t element_bytes(biost_dtype dtype) {
    return dtype == BIOST_DTYPE_U8 ? 1 : 4;
}

/* ---- ours ---------------------------------------------------------------- */

static outcome run_ours(const contender *c, int compare) {
    outcome out = {0, 0, 0, 0, 0};
    biost_loader_desc desc;
    biost_loader *loader;
    biost_error error;
    biost_batch batch;
    biost_progress progress;
    biost_result result;
    size_t row_bytes = BASES * 4 * element_bytes(c->dtype);
    memset(&desc, 0, sizeof desc);
    memset(&progress, 0, sizeof progress);
    desc.paths = &c->path;
    desc.path_count = 1;
    desc.batch_rows = ROWS;
    desc.row_bases = BASES;
    desc.encoding.dtype = c->dtype;
    desc.workers = c->workers;
    result = biost_loader_open(&desc, &loader, &error);
    if (result != BIOST_OK) {
        fprintf(stderr, "%s\n", error.text);
        out.failed = 1;
        return out;
    }
    result = biost_loader_begin(loader, 0);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        use_batch(&out, batch.x.data, row_bytes, batch.lengths, batch.valid_rows, compare);
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

/* ---- the peer: kseq.h, zlib, a table ------------------------------------- */

typedef struct peer_file {
    gzFile gz;                  /* NULL: plain, read by fd                                     */
    int fd;
} peer_file;

static int peer_read(peer_file *file, void *out, unsigned count) {
    return file->gz != NULL ? gzread(file->gz, out, count) : (int)read(file->fd, out, count);
}

/*
 * kseq's inner loop depends on where the linker happens to put it: moving it by 16 or 32 bytes
 * took a quarter to a half of its speed on plain text, so that a change in our header changed the
 * peer. It is compiled with aligned functions and loops, which keeps it at its best; ours is not.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("align-functions=64,align-loops=32")
#endif

/* kseq.h is code in macros: its conversions would be warned about as if they stood here. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
KSEQ_INIT(peer_file *, peer_read)
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

/* Open as gzip if it starts with gzip's two bytes, else as plain. Returns 0 if that fails. */
static int peer_open(peer_file *file, const char *path) {
    unsigned char magic[2] = {0, 0};
    file->gz = NULL;
    file->fd = open(path, O_RDONLY);
    if (file->fd < 0 || read(file->fd, magic, 2) != 2 || lseek(file->fd, 0, SEEK_SET) != 0) {
        return 0;
    }
    if (magic[0] == 0x1F && magic[1] == 0x8B) {
        file->gz = gzdopen(file->fd, "rb");
        return file->gz != NULL && gzbuffer(file->gz, 1u << 17) == 0;
    }
    return 1;
}

/* The four numbers of each letter, as they lie in the tensor: 4 bytes a letter or 16. */
static void peer_tables(uint8_t u8[256][4], float f32[256][4]) {
    static const char letters[] = "AaCcGgTtUu";
    static const int channels[] = {0, 0, 1, 1, 2, 2, 3, 3, 3, 3};
    int i;
    memset(u8, 0, 256 * sizeof *u8);
    memset(f32, 0, 256 * sizeof *f32);
    for (i = 0; letters[i] != '\0'; ++i) {
        u8[(unsigned char)letters[i]][channels[i]] = 1;
        f32[(unsigned char)letters[i]][channels[i]] = 1;
    }
}

/* One loop for each number type, with a copy of fixed size inside: compilers make it one store. */
static void peer_encode_u8(const char *seq, size_t bases, uint8_t table[256][4], uint8_t *out) {
    size_t i;
    for (i = 0; i < bases; ++i) {
        memcpy(out + 4 * i, table[(unsigned char)seq[i]], 4);
    }
    memset(out + 4 * bases, 0, 4 * (BASES - bases));
}

static void peer_encode_f32(const char *seq, size_t bases, float table[256][4], float *out) {
    size_t i;
    for (i = 0; i < bases; ++i) {
        memcpy(out + 4 * i, table[(unsigned char)seq[i]], 16);
    }
    memset(out + 4 * bases, 0, 16 * (BASES - bases));
}

static outcome run_peer(const contender *c, int compare) {
    static uint8_t u8[256][4];
    static float f32[256][4];
    outcome out = {0, 0, 0, 0, 0};
    int32_t lengths[ROWS];
    size_t row_bytes = BASES * 4 * element_bytes(c->dtype);
    uint8_t *x = (uint8_t *)malloc(row_bytes * ROWS);
    uint32_t rows = 0;
    peer_file file;
    kseq_t *seq;
    int status = -3;
    peer_tables(u8, f32);
    if (x == NULL || !peer_open(&file, c->path)) {
        fprintf(stderr, "%s cannot be read\n", c->path);
        free(x);
        out.failed = 1;
        return out;
    }
    seq = kseq_init(&file);
    while ((status = (int)kseq_read(seq)) >= 0 && seq->seq.l <= BASES) {
        uint8_t *row = x + row_bytes * rows;
        if (c->dtype == BIOST_DTYPE_U8) {
            peer_encode_u8(seq->seq.s, seq->seq.l, u8, row);
        } else {
            peer_encode_f32(seq->seq.s, seq->seq.l, f32, (float *)(void *)row);
        }
        lengths[rows] = (int32_t)seq->seq.l;
        if (++rows == ROWS) {
            use_batch(&out, x, row_bytes, lengths, rows, compare);
            rows = 0;
        }
    }
    if (rows > 0) {
        use_batch(&out, x, row_bytes, lengths, rows, compare);
    }
    out.failed = status != -1; /* -1: the end; a row over BASES leaves the loop with 0 or more */
    kseq_destroy(seq);
    if (file.gz != NULL) {
        gzclose(file.gz);
    } else {
        close(file.fd);
    }
    free(x);
    return out;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- measuring ----------------------------------------------------------- */

static outcome run(const contender *c, int compare) {
    return c->workers == 0 ? run_peer(c, compare) : run_ours(c, compare);
}

/* Compare the outputs of all contenders; this also warms the cache. Returns 0 if they differ. */
static int verify(const contender *contenders, outcome *out_peer, uint64_t *out_text_bytes) {
    int i;
    *out_peer = run(&contenders[0], 1);
    if (out_peer->failed) {
        fprintf(stderr, "%s: the peer failed, or a read is longer than %d\n", contenders[0].path,
                BASES);
        return 0;
    }
    for (i = 1; i < CONTENDERS; ++i) {
        outcome ours = run(&contenders[i], 1);
        *out_text_bytes = ours.text_bytes;
        if (ours.failed || ours.hash != out_peer->hash || ours.records != out_peer->records) {
            fprintf(stderr, "%s: the outputs differ, nothing is timed\n", contenders[0].path);
            return 0;
        }
    }
    return 1;
}

static int measure(const char *path, biost_dtype dtype) {
    contender contenders[CONTENDERS];
    bench_time times[CONTENDERS][BENCH_ROUNDS], median[CONTENDERS];
    outcome peer;
    uint64_t text_bytes = 0;
    int round, i;
    const char *name = strrchr(path, '/');
    for (i = 0; i < CONTENDERS; ++i) {
        contenders[i].path = path;
        contenders[i].dtype = dtype;
        contenders[i].workers = (uint32_t)i;
    }
    if (!verify(contenders, &peer, &text_bytes)) {
        return 0;
    }
    if (dtype == BIOST_DTYPE_U8) {
        printf("%s: %" PRIu64 " records, mean length %.1f, %.1f MB of text\n",
               name != NULL ? name + 1 : path, peer.records,
               (double)peer.bases / (double)peer.records, (double)text_bytes / 1e6);
    }
    for (round = 0; round < BENCH_ROUNDS; ++round) {
        for (i = 0; i < CONTENDERS; ++i) {
            bench_time start = bench_now();
            if (run(&contenders[i], 0).failed) {
                return 0;
            }
            times[i][round] = bench_since(start);
        }
    }
    for (i = 0; i < CONTENDERS; ++i) {
        median[i] = bench_median(times[i]);
    }
    for (i = 1; i < CONTENDERS; ++i) {
        printf("  one-hot %-3s  workers %d  ours %7.1f  peer %7.1f MB/s  ratio %5.2f"
               "  seconds ours %.3f wall %.3f CPU, peer %.3f wall %.3f CPU\n",
               dtype == BIOST_DTYPE_U8 ? "u8" : "f32", i, (double)text_bytes / 1e6 / median[i].wall,
               (double)text_bytes / 1e6 / median[0].wall, median[0].wall / median[i].wall,
               median[i].wall, median[i].cpu, median[0].wall, median[0].cpu);
        fflush(stdout);
    }
    return 1;
}

int main(int argc, char **argv) {
    int i, good = argc > 1;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_loader FILE...\n");
        return 2;
    }
    bench_conditions();
    printf("ours       biostream %d.%d.%d, %s\n", BIOST_VERSION_MAJOR, BIOST_VERSION_MINOR,
           BIOST_VERSION_PATCH, CRC_BY);
    printf("peer       kseq.h (htslib), zlib %s, table encoder, 1 thread\n", zlibVersion());
    printf("batches    %d rows x %d bases x 4, no shuffle, digest off, 4 slots\n", ROWS, BASES);
    printf("timing     open to close, median of %d alternating rounds, page cache warm; 1 MB is 10^6"
           " bytes of text\n\n",
           BENCH_ROUNDS);
    for (i = 1; i < argc && good; ++i) {
        good = measure(argv[i], BIOST_DTYPE_U8) && measure(argv[i], BIOST_DTYPE_F32);
    }
    return good ? 0 : 1;
}

#else

int main(void) {
    printf("skipped: bench_loader (needs zlib and htslib/kseq.h; Debian: zlib1g-dev libhts-dev)\n");
    return 0;
}

#endif
