/*
 * bench_bgzf - BGZF by threads: biost_stream and biost_reader against htslib.
 *
 *   build/bench/bench_bgzf [--tsv FILE] FILE...     (BGZF; make bench says which)
 *
 *   biost_stream            its pages, 1 and 2 workers
 *   htslib bgzf_read        into 256 KiB again and again; alone, and with bgzf_mt and 2 threads,
 *                           which decode while the caller takes
 *   biost_reader            next_page, 1 and 2 workers, every record checked
 *   htslib kseq             kseq_read over bgzf_read, likewise
 *
 * Files are read from the page cache, opening and closing are inside the time. Before anything is
 * timed the text, and the sequences and qualities of all records, are compared by a hash.
 *
 *   BENCH_ROUNDS=N       rounds, 5 to 99; without it 7
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"
#include "bench.h"

#ifdef HAVE_HTSLIB

#include <htslib/bgzf.h>
#include <htslib/hts.h>

/* kseq.h is code in macros: its conversions would be warned about as if they stood here. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include <htslib/kseq.h>
KSEQ_INIT(BGZF *, bgzf_read)
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

enum { PIECE_BYTES = 1 << 18, BLOCKS_AHEAD = 256 };

/* What a pass gave: text or bases, and a hash of them where it was asked for. */
typedef struct outcome {
    uint64_t bytes, records, hash;
    int failed;
} outcome;

typedef outcome pass(const char *path, int threads, int compare);

typedef struct contender {
    const char *name;
    pass *run;
    int threads;
    int records; /* or text: what it is compared with                           */
} contender;

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile unsigned char sink;

static outcome fail(const char *sentence) {
    outcome out = {0, 0, 0, 1};
    fprintf(stderr, "bench_bgzf: %s\n", sentence);
    return out;
}

/* Byte by byte: the same however it is cut. */
static void take(outcome *out, const void *bytes, size_t count, int compare) {
    const unsigned char *at = (const unsigned char *)bytes;
    size_t i;
    out->bytes += count;
    sink = count > 0 ? at[count - 1] : 0;
    for (i = 0; compare && i < count; ++i) {
        out->hash = (out->hash ^ at[i]) * 0x100000001B3u;
    }
}

/* ---- ours ------------------------------------------------------------------- */

static outcome run_stream(const char *path, int threads, int compare) {
    outcome out = {0, 0, 0, 0};
    biost_stream_desc desc;
    biost_stream *stream;
    biost_error error;
    biost_page page;
    biost_result result;
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    desc.workers = (uint32_t)threads;
    if (biost_stream_open(&desc, &stream, &error) != BIOST_OK) {
        return fail(error.text);
    }
    while ((result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
        take(&out, page.text, page.text_bytes, compare);
    }
    if (result < 0) {
        out = fail(biost_stream_error(stream)->text);
    }
    biost_stream_close(stream);
    return out;
}

static outcome run_reader(const char *path, int threads, int compare) {
    outcome out = {0, 0, 0, 0};
    biost_reader_desc desc;
    biost_reader *reader;
    biost_error error;
    biost_record_page page;
    biost_run run;
    biost_result result;
    uint32_t i;
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    desc.workers = (uint32_t)threads;
    if (biost_reader_open(&desc, &reader, &error) != BIOST_OK) {
        return fail(error.text);
    }
    while ((result = biost_reader_next_page(reader, &page)) == BIOST_OK) {
        for (i = 0; i < page.row_count; ++i) {
            biost_record_page_get(&page, i, &run);
            take(&out, run.record.seq, run.record.seq_bases, compare);
            out.records += run.start_base == 0;
        }
        biost_reader_release_page(reader, &page);
    }
    if (result < 0) {
        out = fail(biost_reader_error(reader)->text);
    }
    biost_reader_close(reader);
    return out;
}

/* ---- htslib ----------------------------------------------------------------- */

static BGZF *open_bgzf(const char *path, int threads) {
    BGZF *from = bgzf_open(path, "r");
    if (from != NULL && threads > 1 && bgzf_mt(from, threads, BLOCKS_AHEAD) != 0) {
        bgzf_close(from);
        from = NULL;
    }
    return from;
}

static outcome run_bgzf(const char *path, int threads, int compare) {
    static unsigned char piece[PIECE_BYTES];
    outcome out = {0, 0, 0, 0};
    BGZF *from = open_bgzf(path, threads);
    ssize_t got = -1;
    while (from != NULL && (got = bgzf_read(from, piece, PIECE_BYTES)) > 0) {
        take(&out, piece, (size_t)got, compare);
    }
    if (from != NULL) {
        bgzf_close(from);
    }
    return got == 0 ? out : fail("htslib cannot decode the file");
}

static outcome run_kseq(const char *path, int threads, int compare) {
    outcome out = {0, 0, 0, 0};
    BGZF *from = open_bgzf(path, threads);
    kseq_t *seq = from != NULL ? kseq_init(from) : NULL;
    int status = -2;
    while (seq != NULL && (status = (int)kseq_read(seq)) >= 0) {
        take(&out, seq->seq.s, seq->seq.l, compare);
        out.records += 1;
    }
    if (from != NULL) {
        kseq_destroy(seq);
        bgzf_close(from);
    }
    return status == -1 ? out : fail("kseq.h cannot read the file");
}

/* ---- measuring -------------------------------------------------------------- */

static const contender contenders[] = {
    {"biost_stream, 1 worker", run_stream, 1, 0},   {"biost_stream, 2 workers", run_stream, 2, 0},
    {"htslib bgzf_read, 1 thread", run_bgzf, 1, 0}, {"htslib bgzf_read, 2 threads", run_bgzf, 2, 0},
    {"biost_reader, 1 worker", run_reader, 1, 1},   {"biost_reader, 2 workers", run_reader, 2, 1},
    {"htslib kseq, 1 thread", run_kseq, 1, 1},      {"htslib kseq, 2 threads", run_kseq, 2, 1},
};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

/*
 * One pass of each, compared; this also warms the page cache. Returns bytes of text, 0 if any
 * differs.
 */
static uint64_t verify(const char *path) {
    outcome first[2], out;
    int i;
    memset(first, 0, sizeof first);
    for (i = 0; i < CONTENDERS; ++i) {
        outcome *of = &first[contenders[i].records];
        out = contenders[i].run(path, contenders[i].threads, 1);
        *of = of->bytes == 0 ? out : *of;
        if (out.failed || out.bytes != of->bytes || out.records != of->records || out.hash != of->hash) {
            fprintf(stderr, "%s: %s gives another output, nothing is timed\n", path, contenders[i].name);
            return 0;
        }
    }
    return first[0].bytes;
}

static int measure(const char *path) {
    static double wall[CONTENDERS][BENCH_ROUNDS_MOST], cpu[CONTENDERS][BENCH_ROUNDS_MOST];
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    double mb = (double)verify(path) / 1e6;
    int round, rounds = bench_rounds(), i;
    for (round = 0; round < rounds && mb > 0; ++round) {
        for (i = 0; i < CONTENDERS; ++i) {
            bench_time start = bench_now(), time;
            if (contenders[i].run(path, contenders[i].threads, 0).failed) {
                return 0;
            }
            time = bench_since(start);
            wall[i][round] = time.wall;
            cpu[i][round] = time.cpu;
        }
    }
    printf("%s, %.1f MB of text\n  %-28s %8s %8s %8s\n", name, mb, "", "MB/s", "wall s", "CPU s");
    for (i = 0; i < CONTENDERS && mb > 0; ++i) {
        bench_time median = {bench_median_of(wall[i], rounds), bench_median_of(cpu[i], rounds)};
        printf("  %-28s %8.1f %8.4f %8.4f\n", contenders[i].name, mb / median.wall, median.wall, median.cpu);
        bench_tsv_row("bgzf-htslib", name, contenders[i].name, mb / median.wall, "MB/s",
                      contenders[i].threads, median);
    }
    printf("\n");
    fflush(stdout);
    return mb > 0;
}

int main(int argc, char **argv) {
    int i, good = bench_tsv_open(&argc, argv);
    if (argc < 2) {
        fprintf(stderr, "usage: bench_bgzf [--tsv FILE] FILE...\n");
        return 2;
    }
    bench_conditions();
    printf("ours       %s\n", biost_features().text);
    printf("peer       htslib %s\n", hts_version());
    printf("timing     open to close, median of %d alternating rounds, page cache warm, CPU of all"
           " threads;\n           1 MB is 10^6 bytes of text\n\n",
           bench_rounds());
    for (i = 1; i < argc && good; ++i) {
        good = measure(argv[i]);
    }
    return good ? 0 : 1;
}

#else

int main(int argc, char **argv) {
    bench_conditions();
    printf("skipped: htslib (Debian: libhts-dev)\n");
    return bench_tsv_open(&argc, argv) ? 0 : 1;
}

#endif
