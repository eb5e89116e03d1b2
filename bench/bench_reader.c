/*
 * bench_reader - from a file to its records: biost_reader against kseq.h, and against the limit.
 *
 *   build/bench/bench_reader [--tsv FILE] [--process | --inside] FILE...
 *
 * of plain or gzip FASTQ or FASTA.
 *
 * Contenders for plain text:
 *   the limit            read(2) into 256 KiB again and again, newlines counted (AVX2 where there)
 *   biost_reader         by next and by next_page, with and without stats, read and mapped
 *   kseq.h of htslib     over read(2); and with plain loops for the same statistics
 *   kseq.h of klib       likewise; it searches lines with memchr, htslib's does not
 * and for gzip:
 *   the limit            biost_stream and the same newline count
 *   biost_reader         likewise
 *   kseq.h               of both, over gzread with 128 KiB, and over ISA-L
 *
 * Of crlf_NAME also our own speed over lf_NAME beside it, the same records with LF, in the same rounds.
 *
 * Each is measured as a whole process (this program starts itself: the time from the start of the
 * child to its end counts, exec, libraries and page faults included) and inside one process, from
 * open to close; plain text there also from memory. All run in one thread.
 *
 * Before anything is timed each contender runs once to be compared: numbers of records and bases,
 * and a hash over all names, comments, sequences and qualities must agree, statistics too.
 *
 *   BENCH_ROUNDS=N       rounds, 5 to 99; without it 7
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"
#include "bench.h"

#ifndef _WIN32

#include <inttypes.h>

#include "peers/child.h"
#include "peers/source.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAVE_AVX2_COUNT 1
#endif

enum { PIECE_BYTES = 1 << 18, CONTENDERS_MOST = 16 };

typedef enum engine {
    ENGINE_NOTHING, /* an empty program                                            */
    ENGINE_COUNT,   /* read(2) and newlines                                        */
    ENGINE_TEXT,    /* biost_stream and newlines                                   */
    ENGINE_NEXT,
    ENGINE_PAGE,
    ENGINE_HTSLIB,
    ENGINE_KLIB
} engine;

typedef struct contender {
    const char *name;
    engine by;
    decoder with; /* for kseq.h                                                  */
    int gzip;     /* for gzip files, or for plain ones                           */
    int stats;
    int column; /* ratios to this one stand in column 1, 2 or 3; 0: none       */
    int mapped; /* desc.map                                                    */
    int twin;   /* reads the same records with LF, where they are there        */
} contender;

/* What a pass over an input gave. */
typedef struct outcome {
    uint64_t records, bases, longest, text_bytes;
    uint64_t hash; /* of everything, when outputs are compared; else 0            */
    uint64_t qual_sum, acgt, gc, n;
    uint64_t format;   /* biost_format; 0 where the contender does not know           */
    uint64_t peak_kib; /* of a child's memory; 0: not known                           */
    int failed;
} outcome;

static const contender contenders[] = {
    {"read(2) + newline count", ENGINE_COUNT, DECODER_NONE, 0, 0, 1, 0, 0},
    {"ours, next", ENGINE_NEXT, DECODER_NONE, 0, 0, 0, 0, 0},
    {"ours, next, stats", ENGINE_NEXT, DECODER_NONE, 0, 1, 0, 0, 0},
    {"ours, next_page", ENGINE_PAGE, DECODER_NONE, 0, 0, 0, 0, 0},
    {"ours, next_page, stats", ENGINE_PAGE, DECODER_NONE, 0, 1, 0, 0, 0},
    {"ours, next, mapped", ENGINE_NEXT, DECODER_NONE, 0, 0, 0, 1, 0},
    {"ours, next, mapped, stats", ENGINE_NEXT, DECODER_NONE, 0, 1, 0, 1, 0},
    {"ours, next_page, mapped", ENGINE_PAGE, DECODER_NONE, 0, 0, 0, 1, 0},
    {"ours, page, mapped, stats", ENGINE_PAGE, DECODER_NONE, 0, 1, 0, 1, 0},
    {"kseq.h htslib", ENGINE_HTSLIB, DECODER_NONE, 0, 0, 2, 0, 0},
    {"kseq.h htslib, stats", ENGINE_HTSLIB, DECODER_NONE, 0, 1, 0, 0, 0},
    {"kseq.h klib", ENGINE_KLIB, DECODER_NONE, 0, 0, 3, 0, 0},
    {"kseq.h klib, stats", ENGINE_KLIB, DECODER_NONE, 0, 1, 0, 0, 0},
    {"ours, next, LF", ENGINE_NEXT, DECODER_NONE, 0, 0, 0, 0, 1},
    {"ours, next_page, LF", ENGINE_PAGE, DECODER_NONE, 0, 0, 0, 0, 1},
    {"biost_stream + newlines", ENGINE_TEXT, DECODER_NONE, 1, 0, 1, 0, 0},
    {"ours, next", ENGINE_NEXT, DECODER_NONE, 1, 0, 0, 0, 0},
    {"ours, next_page", ENGINE_PAGE, DECODER_NONE, 1, 0, 0, 0, 0},
    {"ours, next_page, stats", ENGINE_PAGE, DECODER_NONE, 1, 1, 0, 0, 0},
    {"kseq.h htslib, zlib", ENGINE_HTSLIB, DECODER_ZLIB, 1, 0, 2, 0, 0},
    {"kseq.h klib, zlib", ENGINE_KLIB, DECODER_ZLIB, 1, 0, 2, 0, 0},
    {"kseq.h htslib, ISA-L", ENGINE_HTSLIB, DECODER_ISAL, 1, 0, 3, 0, 0},
    {"kseq.h klib, ISA-L", ENGINE_KLIB, DECODER_ISAL, 1, 0, 3, 0, 0},
};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

/* An empty program, to be subtracted from memory and to be seen beside the times. */
static const contender nothing = {"an empty program", ENGINE_NOTHING, DECODER_NONE, 0, 0, 0, 0, 0};

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile uint64_t sink;

/* ---- outputs -------------------------------------------------------------- */

/* FNV-1a, byte by byte: the same however a sequence is cut into runs. */
static void mix(outcome *out, const char *bytes, size_t count) {
    uint64_t hash = out->hash;
    size_t at;
    for (at = 0; at < count; ++at) {
        hash = (hash ^ (unsigned char)bytes[at]) * 0x100000001B3u;
    }
    out->hash = hash;
}

/* What stands in front of the sequence; the numbers keep "ab" "c" apart from "a" "bc". */
static void mix_title(outcome *out, const char *name, size_t name_bytes, const char *comment,
                      size_t comment_bytes) {
    mix(out, name, name_bytes);
    mix(out, "\n", 1);
    mix(out, comment, comment_bytes);
    mix(out, "\n", 1);
}

static void count_record(outcome *out, uint64_t bases) {
    out->records += 1;
    out->bases += bases;
    out->longest = bases > out->longest ? bases : out->longest;
}

static void add_stats(outcome *out, const biost_stats *stats) {
    out->qual_sum += stats->qual_sum;
    out->acgt += stats->acgt_count;
    out->gc += stats->gc_count;
    out->n += stats->n_count;
}

static int fail(outcome *out, const char *sentence) {
    fprintf(stderr, "bench_reader: %s\n", sentence);
    out->failed = 1;
    return 0;
}

/* ---- the limit ------------------------------------------------------------- */

static uint64_t count_by_memchr(const unsigned char *text, size_t bytes) {
    const unsigned char *end = text + bytes;
    uint64_t lines = 0;
    while (text < end && (text = (const unsigned char *)memchr(text, '\n', (size_t)(end - text)))) {
        ++lines;
        ++text;
    }
    return lines;
}

#ifdef HAVE_AVX2_COUNT
/* 128 bytes at a time: a compare gives -1 where a newline is; four are summed in each byte. */
__attribute__((target("avx2,popcnt"))) static uint64_t count_by_avx2(const unsigned char *text,
                                                                     size_t bytes) {
    const __m256i newline = _mm256_set1_epi8('\n');
    uint64_t lines = 0;
    size_t at = 0;
    int i;
    for (; bytes - at >= 128; at += 128) {
        __m256i sum = _mm256_setzero_si256();
        for (i = 0; i < 4; ++i) {
            __m256i piece = _mm256_loadu_si256((const __m256i *)(const void *)(text + at + 32 * i));
            sum = _mm256_sub_epi8(sum, _mm256_cmpeq_epi8(piece, newline));
        }
        sum = _mm256_sad_epu8(sum, _mm256_setzero_si256());
        lines += (uint64_t)(_mm256_extract_epi64(sum, 0) + _mm256_extract_epi64(sum, 1) +
                            _mm256_extract_epi64(sum, 2) + _mm256_extract_epi64(sum, 3));
    }
    return lines + count_by_memchr(text + at, bytes - at);
}
#endif

static uint64_t count_lines(const unsigned char *text, size_t bytes) {
#ifdef HAVE_AVX2_COUNT
    if (__builtin_cpu_supports("avx2")) {
        return count_by_avx2(text, bytes);
    }
#endif
    return count_by_memchr(text, bytes);
}

static const char *count_name(void) {
#ifdef HAVE_AVX2_COUNT
    if (__builtin_cpu_supports("avx2")) {
        return "AVX2";
    }
#endif
    return "memchr";
}

static outcome run_count(const input *in) {
    outcome out;
    unsigned char *piece;
    ssize_t got = 1;
    int fd;
    memset(&out, 0, sizeof out);
    if (in->memory != NULL) {
        sink = count_lines(in->memory, in->bytes);
        out.text_bytes = in->bytes;
        return out;
    }
    fd = open(in->path, O_RDONLY);
    piece = (unsigned char *)malloc(PIECE_BYTES);
    while (fd >= 0 && piece != NULL && (got = read(fd, piece, PIECE_BYTES)) > 0) {
        sink += count_lines(piece, (size_t)got);
        out.text_bytes += (uint64_t)got;
    }
    if (fd < 0 || got != 0) {
        fail(&out, "the file cannot be read");
    }
    free(piece);
    close(fd);
    return out;
}

static outcome run_text(const input *in) {
    outcome out;
    biost_stream_desc desc;
    biost_stream *stream;
    biost_error error;
    biost_page page;
    biost_result result;
    memset(&out, 0, sizeof out);
    memset(&desc, 0, sizeof desc);
    desc.path = in->path;
    if (biost_stream_open(&desc, &stream, &error) != BIOST_OK) {
        fail(&out, error.text);
        return out;
    }
    while ((result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
        sink += count_lines((const unsigned char *)page.text, page.text_bytes);
        out.text_bytes += page.text_bytes;
    }
    if (result < 0) {
        fail(&out, biost_stream_error(stream)->text);
    }
    biost_stream_close(stream);
    return out;
}

/* ---- ours ------------------------------------------------------------------ */

static void take_records(biost_reader *reader, outcome *out, int stats, int compare) {
    biost_record record;
    while (biost_reader_next(reader, &record) == BIOST_OK) {
        count_record(out, record.seq_bases);
        if (stats) {
            add_stats(out, record.stats);
        }
        if (compare) {
            mix_title(out, record.name, record.name_bytes, record.comment, record.comment_bytes);
            mix(out, record.seq, record.seq_bases);
            if (record.qual != NULL) {
                mix(out, record.qual, record.seq_bases);
            }
        }
    }
}

static void mix_page(const biost_record_page *page, outcome *out) {
    biost_run run;
    uint32_t i;
    for (i = 0; i < page->row_count; ++i) {
        biost_record_page_get(page, i, &run);
        if (run.start_base == 0) {
            mix_title(out, run.record.name, run.record.name_bytes, run.record.comment,
                      run.record.comment_bytes);
        }
        mix(out, run.record.seq, run.record.seq_bases);
        if (run.record.qual != NULL) {
            mix(out, run.record.qual, run.record.seq_bases);
        }
    }
}

static void take_pages(biost_reader *reader, outcome *out, int stats, int compare) {
    biost_record_page page;
    uint64_t bases = 0; /* of the record so far */
    uint32_t i;
    while (biost_reader_next_page(reader, &page) == BIOST_OK) {
        for (i = 0; i < page.row_count; ++i) {
            bases += page.rows[i].bases;
            if (stats) {
                add_stats(out, &page.stats[i]);
            }
            if (!(page.rows[i].flags & BIOST_RUN_GOES_ON)) {
                count_record(out, bases);
                bases = 0;
            }
        }
        if (compare) {
            mix_page(&page, out);
        }
        biost_reader_release_page(reader, &page);
    }
}

static outcome run_ours(const contender *c, const input *in, int compare) {
    outcome out;
    biost_reader_desc desc;
    biost_reader *reader;
    biost_error error;
    memset(&out, 0, sizeof out);
    memset(&desc, 0, sizeof desc);
    desc.path = in->path;
    desc.memory.data = in->memory;
    desc.memory.bytes = in->bytes;
    desc.stats = c->stats;
    desc.map = c->mapped;
    if (biost_reader_open(&desc, &reader, &error) != BIOST_OK) {
        fail(&out, error.text);
        return out;
    }
    if (c->by == ENGINE_NEXT) {
        take_records(reader, &out, c->stats, compare);
    } else {
        take_pages(reader, &out, c->stats, compare);
    }
    if (biost_reader_error(reader) != NULL) {
        fail(&out, biost_reader_error(reader)->text);
    }
    out.format = (uint64_t)biost_reader_format(reader);
    biost_reader_close(reader);
    return out;
}

/* ---- kseq.h ------------------------------------------------------------------ */

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("align-functions=64,align-loops=32")
#endif
#include "peers/kseq.h"

#if defined(HAVE_HTSLIB_KSEQ) || defined(KLIB_KSEQ)
/* The statistics by the plainest loops. */
static void loop_stats(outcome *out, const char *seq, const char *qual, size_t bases) {
    uint64_t acgt = 0, gc = 0, n = 0, sum = 0;
    size_t at;
    for (at = 0; at < bases; ++at) {
        int letter = seq[at] & 0xDF;
        int strong = letter == 'G' || letter == 'C';
        gc += strong;
        acgt += strong || letter == 'A' || letter == 'T';
        n += letter == 'N';
    }
    for (at = 0; qual != NULL && at < bases; ++at) {
        sum += (uint64_t)(qual[at] - 33);
    }
    out->acgt += acgt;
    out->gc += gc;
    out->n += n;
    out->qual_sum += sum;
}

/* What is done with a record beyond counting it. */
static void take_kseq(outcome *out, const contender *c, int compare, const char *seq, const char *qual,
                      size_t bases) {
    if (c->stats) {
        loop_stats(out, seq, qual, bases);
    }
    if (compare) {
        mix(out, seq, bases);
        mix(out, qual, qual != NULL ? bases : 0);
    }
}

/* Close; status is what kseq_read returned last, -1 at the end. */
static void end_kseq(outcome *out, source *from, int status) {
    source_close(from);
    if (status != -1) {
        fail(out, "kseq.h met an error");
    }
}

#endif

#ifdef HAVE_HTSLIB_KSEQ
static outcome run_htslib(const contender *c, const input *in, int compare) {
    outcome out;
    source from;
    kseq_t *seq;
    int status = 0;
    memset(&out, 0, sizeof out);
    if (!source_open(&from, c->with, in)) {
        fail(&out, "the file cannot be read");
        return out;
    }
    seq = kseq_init(&from);
    while ((status = (int)kseq_read(seq)) >= 0) {
        count_record(&out, seq->seq.l);
        if (compare) {
            mix_title(&out, seq->name.s, seq->name.l, seq->comment.s, seq->comment.l);
        }
        take_kseq(&out, c, compare, seq->seq.s, seq->qual.l > 0 ? seq->qual.s : NULL, seq->seq.l);
    }
    kseq_destroy(seq);
    end_kseq(&out, &from, status);
    return out;
}
#endif

#ifdef KLIB_KSEQ
static outcome run_klib(const contender *c, const input *in, int compare) {
    outcome out;
    source from;
    klib_seq_t *seq;
    int status = 0;
    memset(&out, 0, sizeof out);
    if (!source_open(&from, c->with, in)) {
        fail(&out, "the file cannot be read");
        return out;
    }
    seq = klib_init(&from);
    while ((status = (int)klib_read(seq)) >= 0) {
        count_record(&out, seq->seq.l);
        if (compare) {
            mix_title(&out, seq->name.s, seq->name.l, seq->comment.s, seq->comment.l);
        }
        take_kseq(&out, c, compare, seq->seq.s, seq->qual.l > 0 ? seq->qual.s : NULL, seq->seq.l);
    }
    klib_destroy(seq);
    end_kseq(&out, &from, status);
    return out;
}
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- one pass ----------------------------------------------------------------- */

static int is_there(const contender *c) {
#ifndef HAVE_HTSLIB_KSEQ
    if (c->by == ENGINE_HTSLIB) {
        return 0;
    }
#endif
#ifndef KLIB_KSEQ
    if (c->by == ENGINE_KLIB) {
        return 0;
    }
#endif
    return c->by != ENGINE_NOTHING && source_has(c->with);
}

static outcome run(const contender *c, const input *in, int compare) {
    outcome none;
    memset(&none, 0, sizeof none);
    switch (c->by) {
    case ENGINE_COUNT: return run_count(in);
    case ENGINE_TEXT: return run_text(in);
    case ENGINE_NEXT:
    case ENGINE_PAGE: return run_ours(c, in, compare);
#ifdef HAVE_HTSLIB_KSEQ
    case ENGINE_HTSLIB: return run_htslib(c, in, compare);
#endif
#ifdef KLIB_KSEQ
    case ENGINE_KLIB: return run_klib(c, in, compare);
#endif
    default: return none;
    }
}

/* ---- a child that does one pass ------------------------------------------------ */

static const char *program;

/* The child's side: one pass, its outcome in binary on standard output. */
static int be_child(const char *index, const char *path, int compare) {
    input in = {NULL, NULL, 0};
    int which = atoi(index);
    outcome out;
    in.path = path;
    out = run(which < CONTENDERS ? &contenders[which] : &nothing, &in, compare);
    out.peak_kib = compare ? child_own_peak_kib() : 0;
    return write(STDOUT_FILENO, &out, sizeof out) == (ssize_t)sizeof out ? 0 : 1;
}

/* Start ourselves for one pass, and wait for the end. */
static outcome run_child(int which, const char *path, int compare, bench_time *out_time, double *out_mib) {
    const char *arguments[6];
    char index[16];
    outcome out;
    memset(&out, 0, sizeof out);
    snprintf(index, sizeof index, "%d", which);
    arguments[0] = program;
    arguments[1] = "--child";
    arguments[2] = index;
    arguments[3] = path;
    arguments[4] = compare ? index : NULL;
    arguments[5] = NULL;
    if (!child_run(arguments, &out, sizeof out, out_time, out_mib)) {
        out.failed = 1;
    }
    if (out.peak_kib > 0) {
        *out_mib = (double)out.peak_kib / 1024;
    }
    return out;
}

/* ---- measuring ------------------------------------------------------------------ */

/* Everything about one table: who takes part, and what was measured. */
typedef struct table {
    const char *path, *name;
    char twin[1024]; /* of crlf_NAME: lf_NAME                                       */
    input in;        /* for passes inside this process                              */
    int whole_process;
    int is_gzip;
    int which[CONTENDERS_MOST]; /* numbers of contenders                                       */
    int count;
    outcome first;       /* of our records by next                                      */
    uint64_t text_bytes; /* as the limit counted them                                   */
    double wall[CONTENDERS_MOST][BENCH_ROUNDS_MOST], cpu[CONTENDERS_MOST][BENCH_ROUNDS_MOST];
    double mib[CONTENDERS_MOST]; /* peak memory, from the pass that was compared               */
} table;

static const contender *row_of(const table *of, int row) {
    return of->which[row] < CONTENDERS ? &contenders[of->which[row]] : &nothing;
}

static outcome pass(const table *of, int row, int compare, bench_time *out_time, double *out_mib) {
    const char *path = row_of(of, row)->twin ? of->twin : of->path;
    bench_time start;
    outcome out;
    input in = of->in;
    if (of->whole_process) {
        return run_child(of->which[row], path, compare, out_time, out_mib);
    }
    in.path = in.path != NULL ? path : NULL;
    start = bench_now();
    out = run(&contenders[of->which[row]], &in, compare);
    *out_time = bench_since(start);
    *out_mib = 0;
    return out;
}

/* Whether two contenders agree on records, and where both have them on statistics. */
static int agree(const contender *a, const outcome *x, const contender *b, const outcome *y) {
    if (x->records != y->records || x->bases != y->bases || x->longest != y->longest || x->hash != y->hash) {
        return 0;
    }
    return !a->stats || !b->stats ||
           (x->qual_sum == y->qual_sum && x->acgt == y->acgt && x->gc == y->gc && x->n == y->n);
}

/* One pass of each, compared with each other; this also warms the page cache. */
static int verify(table *of) {
    outcome outs[CONTENDERS_MOST];
    bench_time time;
    int row, other;
    for (row = 0; row < of->count; ++row) {
        const contender *c = row_of(of, row);
        outs[row] = pass(of, row, 1, &time, &of->mib[row]);
        of->first = c->by == ENGINE_NEXT && !c->stats ? outs[row] : of->first;
        of->text_bytes = c->column == 1 ? outs[row].text_bytes : of->text_bytes;
        if (outs[row].failed) {
            fprintf(stderr, "%s: %s failed, nothing is timed\n", of->path, c->name);
            return 0;
        }
        for (other = 0; other < row && c->by >= ENGINE_NEXT; ++other) {
            const contender *d = row_of(of, other);
            if (d->by >= ENGINE_NEXT && !agree(c, &outs[row], d, &outs[other])) {
                fprintf(stderr, "%s: %s and %s differ, nothing is timed\n", of->path, c->name, d->name);
                return 0;
            }
        }
    }
    return 1;
}

/* Contenders take turns within each round. */
static int measure(table *of) {
    int round, row, count = bench_rounds();
    bench_time time;
    double mib;
    for (round = 0; round < count; ++round) {
        for (row = 0; row < of->count; ++row) {
            if (pass(of, row, 0, &time, &mib).failed) {
                return 0;
            }
            of->wall[row][round] = time.wall;
            of->cpu[row][round] = time.cpu;
        }
    }
    return 1;
}

/* ---- printing ------------------------------------------------------------------- */

/* Wall time of the row that is this; 0: it is not there. */
static double wall_of(const table *of, const double wall[], engine by, int stats, int mapped) {
    int row;
    for (row = 0; row < of->count; ++row) {
        const contender *c = row_of(of, row);
        if (c->by == by && c->stats == stats && c->mapped == mapped) {
            return wall[row];
        }
    }
    return 0;
}

static void print_floor(const char *what, double base, double wall, double wanted) {
    if (base > 0 && wall > 0) {
        printf("  floor: %s %.2f, wanted %.2f\n", what, base / wall, wanted);
    }
}

/* The promises that are checked by people: shown below the figures they are about. */
static void print_floors(const table *of, const double wall[], double empty_mib) {
    double limit = wall_of(of, wall, ENGINE_COUNT, 0, 0), klib = wall_of(of, wall, ENGINE_KLIB, 0, 0);
    double htslib = wall_of(of, wall, ENGINE_HTSLIB, 0, 0), next = wall_of(of, wall, ENGINE_NEXT, 0, 0);
    double page = wall_of(of, wall, ENGINE_PAGE, 0, 0);
    int row;
    if (strncmp(of->name, "short.fastq", 11) == 0) {
        print_floor("next / limit", limit, next, 0.80);
        print_floor("next / klib's kseq.h", klib, next, 1.8);
        print_floor("next / htslib's kseq.h", htslib, next, 3.2);
        print_floor("next, stats / limit", limit, wall_of(of, wall, ENGINE_NEXT, 1, 0), 0.70);
        print_floor("next_page, stats / limit", limit, wall_of(of, wall, ENGINE_PAGE, 1, 0), 0.70);
        print_floor("next_page, mapped / klib's kseq.h", klib, wall_of(of, wall, ENGINE_PAGE, 0, 1), 2.1);
    } else if (strncmp(of->name, "long.fastq", 10) == 0) {
        print_floor("next / limit", limit, next, 0.82);
        print_floor("next / htslib's kseq.h", htslib, next, 2.4);
    } else if (of->first.format == BIOST_FORMAT_FASTA) {
        print_floor("next / limit", limit, next, 0.75);
        print_floor("next_page / limit", limit, page, 0.75);
        print_floor("next / klib's kseq.h", klib, next, 1.3);
    }
    for (row = 0; row < of->count && of->first.longest <= 1u << 20; ++row) {
        if (row_of(of, row)->by == ENGINE_NEXT && !row_of(of, row)->stats && !row_of(of, row)->mapped &&
            !row_of(of, row)->twin) {
            printf("  floor: next, memory %.1f MiB over an empty program, wanted 8.0 at most\n",
                   of->mib[row] - empty_mib);
        }
    }
}

static const char *name_of(const table *of, const contender *c) {
    return c->by == ENGINE_COUNT && of->in.memory != NULL ? "newline count" : c->name;
}

static void print_ratio(double base, double wall) {
    if (base > 0) {
        printf(" %8.2f", base / wall);
    } else {
        printf(" %8s", "-");
    }
}

/* The table's rows for the file of results. */
static void write_rows(const table *of, const double wall[], double empty_mib) {
    static const char *const stages[] = {"parse-inside", "parse-inside-gzip", "parse", "parse-gzip"};
    const char *stage = stages[of->whole_process * 2 + of->is_gzip];
    int row;
    for (row = 0; row < of->count; ++row) {
        const contender *c = row_of(of, row);
        bench_time time = {wall[row], of->cpu[row][0]};
        if (c->by == ENGINE_NOTHING) {
            continue;
        }
        bench_tsv_row(of->in.memory != NULL ? "parse-memory" : stage, of->name, name_of(of, c),
                      (double)of->text_bytes / 1e6 / wall[row], "MB/s", 1, time);
        time.wall = 0;
        if (of->whole_process) {
            bench_tsv_row("parse-peak", of->name, c->name, of->mib[row] - empty_mib, "MiB", 0, time);
        }
    }
}

static void print_table(table *of) {
    double wall[CONTENDERS_MOST], base[4] = {0, 0, 0, 0}, empty_mib = 0;
    double mb = (double)of->text_bytes / 1e6;
    int row, count = bench_rounds();
    for (row = 0; row < of->count; ++row) {
        const contender *c = row_of(of, row);
        wall[row] = bench_median_of(of->wall[row], count);
        base[c->column] = wall[row];
        empty_mib = c->by == ENGINE_NOTHING ? of->mib[row] : empty_mib;
    }
    printf("%s, %s\n", of->name,
           of->whole_process       ? "whole process, read(2)"
           : of->in.memory == NULL ? "inside one process, read(2)"
                                   : "inside one process, from memory");
    printf("  %-25s %8s %8s %8s %8s %9s %9s%s\n", "", "MB/s", "/limit", of->is_gzip ? "/zlib" : "/htslib",
           of->is_gzip ? "/ISA-L" : "/klib", "wall s", "CPU s", of->whole_process ? "  MiB over empty" : "");
    for (row = 0; row < of->count; ++row) {
        const contender *c = row_of(of, row);
        if (c->by == ENGINE_NOTHING) {
            printf("  %-25s %8s %8s %8s %8s", name_of(of, c), "-", "-", "-", "-");
        } else {
            printf("  %-25s %8.0f", name_of(of, c), mb / wall[row]);
            print_ratio(base[1], wall[row]);
            print_ratio(base[2], wall[row]);
            print_ratio(base[3], wall[row]);
        }
        of->cpu[row][0] = bench_median_of(of->cpu[row], count); /* from here on the median */
        printf(" %9.4f %9.4f", wall[row], of->cpu[row][0]);
        if (of->whole_process) {
            printf(" %8.1f", of->mib[row] - empty_mib);
        }
        printf("\n");
    }
    write_rows(of, wall, empty_mib);
    if (of->whole_process && !of->is_gzip) {
        print_floors(of, wall, empty_mib);
    }
    printf("\n");
    fflush(stdout);
}

/* ---- tables ----------------------------------------------------------------------- */

static int is_gzip(const char *path) {
    unsigned char magic[2] = {0, 0};
    FILE *file = fopen(path, "rb");
    size_t got = file != NULL ? fread(magic, 1, 2, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    return got == 2 && magic[0] == 0x1F && magic[1] == 0x8B;
}

/* The path of a file with CRLF with the name of its twin with LF; "": there is none. */
static void find_twin(table *of) {
    int folder = (int)(of->name - of->path);
    if (strncmp(of->name, "crlf_", 5) == 0) {
        snprintf(of->twin, sizeof of->twin, "%.*s%s", folder, of->path, of->name + 2);
        if (access(of->twin, R_OK) != 0) {
            of->twin[0] = '\0';
        }
    }
}

static void begin_table(table *of, const char *path, int whole_process, int in_memory) {
    const char *slash = strrchr(path, '/');
    int i;
    memset(of, 0, sizeof *of);
    of->path = path;
    of->in.path = path;
    of->name = slash != NULL ? slash + 1 : path;
    of->whole_process = whole_process;
    of->is_gzip = is_gzip(path);
    find_twin(of);
    for (i = 0; i < CONTENDERS; ++i) {
        if (contenders[i].gzip == of->is_gzip && is_there(&contenders[i]) &&
            !(in_memory && (contenders[i].mapped || contenders[i].twin)) &&
            !(contenders[i].twin && of->twin[0] == '\0')) {
            of->which[of->count++] = i;
        }
    }
    if (whole_process) {
        of->which[of->count++] = CONTENDERS;
    }
}

static int fill_table(table *of) {
    if (!verify(of) || !measure(of)) {
        return 0;
    }
    print_table(of);
    return 1;
}

static int measure_processes(const char *path) {
    static table of;
    const char *formats[] = {"empty", "FASTA", "FASTQ"};
    begin_table(&of, path, 1, 0);
    if (!verify(&of)) {
        return 0;
    }
    printf("%s: %s, %" PRIu64 " records, mean length %.1f, longest %" PRIu64 ", %.1f MB of text\n", of.name,
           formats[of.first.format], of.first.records,
           of.first.records > 0 ? (double)of.first.bases / (double)of.first.records : 0, of.first.longest,
           (double)of.text_bytes / 1e6);
    bench_tsv_file(of.name, of.first.records, of.first.bases, of.text_bytes);
    if (!measure(&of)) {
        return 0;
    }
    print_table(&of);
    return 1;
}

static int measure_inside(const char *path) {
    static table of;
    unsigned char *bytes;
    int good;
    begin_table(&of, path, 0, 0);
    if (!fill_table(&of)) {
        return 0;
    }
    if (of.is_gzip) {
        return 1;
    }
    begin_table(&of, path, 0, 1);
    bytes = (unsigned char *)bench_read_file(path, &of.in.bytes);
    of.in.path = NULL;
    of.in.memory = bytes;
    good = bytes != NULL && fill_table(&of);
    free(bytes);
    return good;
}

static void print_conditions(void) {
    bench_conditions();
    printf("ours       %s, 1 thread\n", biost_features().text);
    printf("limit      %s newline count\n", count_name());
    kseq_print_peers();
    printf("timing     median of %d alternating rounds, page cache warm; 1 MB is 10^6 bytes of"
           " text\n\n",
           bench_rounds());
    fflush(stdout);
}

int main(int argc, char **argv) {
    int processes = 1, inside = 1, first = 1, i, good = bench_tsv_open(&argc, argv);
    program = argv[0];
    if (argc >= 4 && strcmp(argv[1], "--child") == 0) {
        return be_child(argv[2], argv[3], argc > 4);
    }
    if (argc > 1 && strcmp(argv[1], "--process") == 0) {
        inside = 0;
        first = 2;
    } else if (argc > 1 && strcmp(argv[1], "--inside") == 0) {
        processes = 0;
        first = 2;
    }
    if (first >= argc) {
        fprintf(stderr, "usage: bench_reader [--tsv FILE] [--process | --inside] FILE...\n");
        return 2;
    }
    print_conditions();
    for (i = first; i < argc && good && processes; ++i) { /* first: this process is small still */
        good = measure_processes(argv[i]);
    }
    for (i = first; i < argc && good && inside; ++i) {
        good = measure_inside(argv[i]);
    }
    return good ? 0 : 1;
}

#else

int main(void) {
    printf("skipped: bench_reader (needs POSIX)\n");
    return 0;
}

#endif
