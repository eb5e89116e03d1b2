/*
 * bench_inflate - from compressed bytes in memory to text: biost_stream and biost_inflate against
 * zlib, libdeflate and ISA-L.
 *
 *   build/bench/bench_inflate [--tsv FILE] FILE...     (make bench says which; gzip or BGZF)
 *
 * A gzip file is decoded by
 *   biost_stream, 1 worker       pages of the library's own size
 *   biost_inflate                one call, the whole text
 *   zlib inflate                 into 256 KiB, again and again
 *   libdeflate_gzip_decompress   one call a member, the whole text
 *   isal_inflate                 into 256 KiB, again and again
 * and a BGZF file by
 *   biost_stream, 1 and 2 workers
 *   the same, 1 worker, with one block at a time, two and three, which it else chooses by measuring
 *   two streams of 1 worker at once, each on half of the file: the machine's limit for two threads
 *   biost_inflate                one call, the whole text
 *   libdeflate_deflate_decompress  block by block into 64 KiB, each with its CRC-32 by libdeflate
 *   isal_inflate_stateless       likewise, with the CRC-32 of ISA-L
 * All compare the CRC-32 of the text with the one stored.
 *
 * The source lies in memory, the text of the one-call contenders goes to memory that was written to
 * before. Opening and closing are inside the time. The text of every contender is compared byte by
 * byte with that of biost_stream before anything is timed.
 *
 *   BENCH_ROUNDS=N       rounds, 5 to 99; without it 7
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"
#include "bench.h"

#include <inttypes.h>
#include <pthread.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef HAVE_ISAL
#include <isa-l.h>
#endif

enum { PIECE_BYTES = 1 << 18, BLOCK_BYTES = 1 << 16 };
enum { CONTENDERS_MOST = 12 };

/* What a file decodes to: as it lies, and its text, found by the first pass. */
typedef struct job {
    const char *name;
    uint8_t *source;
    size_t source_bytes;
    uint8_t *text; /* [text_bytes] NULL in the first pass                        */
    size_t text_bytes;
    uint8_t *room; /* [text_bytes] for those who want to write it whole          */
    int is_bgzf;
} job;

/* Takes text as it comes. Text is compared where `compare` is set, else only touched. */
typedef struct taker {
    const job *of;
    size_t taken;
    int compare, differs;
} taker;

/* Returns 0 if the decoder failed. */
typedef int decoder(const job *of, taker *to);

typedef struct contender {
    const char *name;
    decoder *decode;
    int is_ours;
} contender;

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile unsigned char sink;

static void take(taker *to, const void *text, size_t count) {
    const job *of = to->of;
    if (count == 0) {
        return;
    }
    sink = ((const unsigned char *)text)[count - 1];
    if (to->compare) {
        to->differs |= count > of->text_bytes - to->taken || memcmp(text, of->text + to->taken, count) != 0;
    }
    to->taken += count;
}

/* ---- ours ---------------------------------------------------------------- */

static int run_stream(const job *of, taker *to, uint32_t workers, uint32_t cpu_hidden, uint32_t block_ways) {
    biost_stream_desc desc;
    biost_stream *stream;
    biost_page page;
    biost_error error;
    biost_result result;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = of->source;
    desc.memory.bytes = of->source_bytes;
    desc.memory.name = of->name;
    desc.workers = workers;
    desc.test.cpu_hidden = cpu_hidden;
    desc.test.block_ways = block_ways;
    result = biost_stream_open(&desc, &stream, &error);
    if (result != BIOST_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 0;
    }
    while ((result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
        take(to, page.text, page.text_bytes);
    }
    if (result < 0) {
        fprintf(stderr, "%s\n", biost_stream_error(stream)->text);
    }
    biost_stream_close(stream);
    return result == BIOST_END;
}

static int run_stream_1(const job *of, taker *to) {
    return run_stream(of, to, 1, 0, 0);
}

static int run_blocks_1(const job *of, taker *to) {
    return run_stream(of, to, 1, 0, 1);
}

static int run_blocks_2(const job *of, taker *to) {
    return run_stream(of, to, 1, 0, 2);
}

static int run_blocks_3(const job *of, taker *to) {
    return run_stream(of, to, 1, 0, 3);
}

/* As on a processor without BMI2, and so without what came with or after it. */
static int run_stream_plain(const job *of, taker *to) {
    return run_stream(of, to, 1, ~(uint32_t)(BIOST_CPU_SSE2 | BIOST_CPU_PCLMUL), 0);
}

static int run_stream_2(const job *of, taker *to) {
    return run_stream(of, to, 2, 0, 0);
}

static uint32_t little_16(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8;
}

static uint32_t little_32(const uint8_t *at) {
    return little_16(at) | little_16(at + 2) << 16;
}

/*
 * The size of the BGZF block at `at`, from the subfield BC of its header, and where its DEFLATE
 * stream starts; 0: none stands there.
 */
static size_t block_size(const uint8_t *at, size_t left, size_t *out_start) {
    size_t size = 0, extra, field;
    if (left < 18 || at[0] != 31 || at[1] != 139 || at[3] != 4) {
        return 0;
    }
    extra = little_16(at + 10);
    for (field = 12; field + 4 <= 12 + extra && field + 4 <= left; field += 4 + little_16(at + field + 2)) {
        if (at[field] == 'B' && at[field + 1] == 'C' && field + 6 <= left) {
            size = little_16(at + field + 4) + 1u;
        }
    }
    *out_start = 12 + extra;
    return size >= 12 + extra + 8 && size <= left ? size : 0;
}

/* One half of a file, decoded by a stream of its own. */
typedef struct half {
    job part;
    taker to;
    int good;
} half;

static void *run_half(void *argument) {
    half *h = (half *)argument;
    h->good = run_stream(&h->part, &h->to, 1, 0, 0);
    return NULL;
}

/*
 * What two threads can reach on this machine at this minute: each has half of the blocks and a
 * stream of its own, and they share nothing. No contender, the limit of one.
 */
static int run_halves(const job *of, taker *to) {
    half halves[2];
    pthread_t thread;
    size_t at = 0, size, start;
    memset(halves, 0, sizeof halves);
    halves[0].part = halves[1].part = *of;
    halves[0].to = halves[1].to = *to;
    while (at < of->source_bytes / 2) {
        size = block_size(of->source + at, of->source_bytes - at, &start);
        if (size == 0) {
            return 0;
        }
        at += size;
        halves[1].to.taken += little_32(of->source + at - 4);
    }
    halves[0].part.source_bytes = at;
    halves[1].part.source += at;
    halves[1].part.source_bytes -= at;
    if (pthread_create(&thread, NULL, run_half, &halves[1]) != 0) {
        return 0;
    }
    run_half(&halves[0]);
    pthread_join(thread, NULL);
    to->differs = halves[0].to.differs || halves[1].to.differs;
    to->taken = halves[1].to.taken;
    return halves[0].good && halves[1].good;
}

static int run_inflate(const job *of, taker *to) {
    biost_error error;
    size_t count;
    biost_result result = biost_inflate(of->source, of->source_bytes, of->room, of->text_bytes, &count,
                                        &error);
    if (result != BIOST_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 0;
    }
    take(to, of->room, count);
    return 1;
}

/* ---- the peers ----------------------------------------------------------- */

#ifdef HAVE_ZLIB
static int run_zlib(const job *of, taker *to) {
    static uint8_t out[PIECE_BYTES];
    z_stream state;
    int status = Z_OK;
    memset(&state, 0, sizeof state);
    if (inflateInit2(&state, 15 + 16) != Z_OK) {
        return 0;
    }
    state.next_in = of->source;
    state.avail_in = (uInt)of->source_bytes;
    while (status == Z_OK) {
        state.next_out = out;
        state.avail_out = PIECE_BYTES;
        status = inflate(&state, Z_NO_FLUSH);
        take(to, out, PIECE_BYTES - state.avail_out);
        if (status == Z_STREAM_END && state.avail_in > 0) { /* another member */
            status = inflateReset(&state);
        }
    }
    inflateEnd(&state);
    return status == Z_STREAM_END;
}
#endif

#ifdef HAVE_LIBDEFLATE
static int run_libdeflate(const job *of, taker *to) {
    struct libdeflate_decompressor *state = libdeflate_alloc_decompressor();
    size_t at = 0, written = 0, used, count;
    int good = state != NULL;
    while (good && at < of->source_bytes) {
        good = libdeflate_gzip_decompress_ex(state, of->source + at, of->source_bytes - at,
                                             of->room + written, of->text_bytes - written, &used,
                                             &count) == LIBDEFLATE_SUCCESS;
        at += good ? used : 0;
        written += good ? count : 0;
    }
    libdeflate_free_decompressor(state);
    take(to, of->room, written);
    return good;
}

static int run_blocks(const job *of, taker *to) {
    static uint8_t out[BLOCK_BYTES];
    struct libdeflate_decompressor *state = libdeflate_alloc_decompressor();
    size_t at = 0, size, start, count;
    int good = state != NULL;
    while (good && at < of->source_bytes) {
        const uint8_t *block = of->source + at;
        size = block_size(block, of->source_bytes - at, &start);
        good = size > 0 &&
               libdeflate_deflate_decompress(state, block + start, size - start - 8, out, BLOCK_BYTES,
                                             &count) == LIBDEFLATE_SUCCESS &&
               count == little_32(block + size - 4) &&
               libdeflate_crc32(0, out, count) == little_32(block + size - 8);
        take(to, out, good ? count : 0);
        at += size;
    }
    libdeflate_free_decompressor(state);
    return good;
}
#endif

#ifdef HAVE_ISAL
static int run_isal(const job *of, taker *to) {
    static uint8_t out[PIECE_BYTES];
    static struct inflate_state state;
    int status = ISAL_DECOMP_OK;
    isal_inflate_init(&state);
    state.crc_flag = ISAL_GZIP; /* read the header, compare the checksum */
    state.next_in = of->source;
    state.avail_in = (uint32_t)of->source_bytes;
    do {
        if (state.block_state == ISAL_BLOCK_FINISH) { /* another member */
            isal_inflate_reset(&state);
        }
        do {
            state.next_out = out;
            state.avail_out = PIECE_BYTES;
            status = isal_inflate(&state);
            take(to, out, PIECE_BYTES - state.avail_out);
        } while (status == ISAL_DECOMP_OK && state.block_state != ISAL_BLOCK_FINISH &&
                 (state.avail_in > 0 || state.avail_out == 0));
    } while (status == ISAL_DECOMP_OK && state.block_state == ISAL_BLOCK_FINISH && state.avail_in > 0);
    return status == ISAL_DECOMP_OK && state.block_state == ISAL_BLOCK_FINISH;
}

/* Stateless, since a block is whole; its checksum too, which is faster than libdeflate 1.14's. */
static int run_isal_blocks(const job *of, taker *to) {
    static uint8_t out[BLOCK_BYTES];
    static struct inflate_state state;
    size_t at = 0, size, start;
    int good = 1;
    while (good && at < of->source_bytes) {
        const uint8_t *block = of->source + at;
        size = block_size(block, of->source_bytes - at, &start);
        if (size == 0) {
            return 0;
        }
        isal_inflate_init(&state);
        state.next_in = of->source + at + start;
        state.avail_in = (uint32_t)(size - start - 8);
        state.next_out = out;
        state.avail_out = BLOCK_BYTES;
        good = isal_inflate_stateless(&state) == ISAL_DECOMP_OK &&
               state.total_out == little_32(block + size - 4) &&
               crc32_gzip_refl(0, out, state.total_out) == little_32(block + size - 8);
        take(to, out, good ? state.total_out : 0);
        at += size;
    }
    return good;
}
#endif

/* ---- measuring ----------------------------------------------------------- */

/* Who decodes a gzip or a BGZF file here. Returns how many. */
static int list_contenders(int is_bgzf, contender out[CONTENDERS_MOST]) {
    int count = 0;
    memset(out, 0, CONTENDERS_MOST * sizeof *out);
    out[count].name = "biost_stream, 1 worker";
    out[count].is_ours = 1;
    out[count++].decode = run_stream_1;
    if (is_bgzf) {
        out[count].name = "biost_stream, 2 workers";
        out[count].is_ours = 1;
        out[count++].decode = run_stream_2;
        out[count].name = "limit: 2 separate halves";
        out[count].is_ours = 1;
        out[count++].decode = run_halves;
        out[count].name = "biost_stream, 1 block at a time";
        out[count].is_ours = 1;
        out[count++].decode = run_blocks_1;
        out[count].name = "biost_stream, 2 blocks at a time";
        out[count].is_ours = 1;
        out[count++].decode = run_blocks_2;
        out[count].name = "biost_stream, 3 blocks at a time";
        out[count].is_ours = 1;
        out[count++].decode = run_blocks_3;
    }
    if (!is_bgzf) {
        out[count].name = "biost_stream, without BMI2";
        out[count].is_ours = 1;
        out[count++].decode = run_stream_plain;
    }
    out[count].name = "biost_inflate";
    out[count].is_ours = 1;
    out[count++].decode = run_inflate;
#ifdef HAVE_ZLIB
    if (!is_bgzf) {
        out[count].name = "zlib inflate";
        out[count++].decode = run_zlib;
    }
#endif
#ifdef HAVE_LIBDEFLATE
    out[count].name = is_bgzf ? "libdeflate, by block" : "libdeflate, one call";
    out[count++].decode = is_bgzf ? run_blocks : run_libdeflate;
#endif
#ifdef HAVE_ISAL
    out[count].name = is_bgzf ? "ISA-L, by block" : "isal_inflate";
    out[count++].decode = is_bgzf ? run_isal_blocks : run_isal;
#endif
    return count;
}

/* Read the file, find its text by biost_stream. Returns 0 if that fails. */
static int prepare(const char *path, job *of) {
    const char *slash = strrchr(path, '/');
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    biost_error error;
    biost_text_progress progress;
    taker to;
    memset(of, 0, sizeof *of);
    of->name = slash != NULL ? slash + 1 : path;
    of->source = (uint8_t *)bench_read_file(path, &of->source_bytes);
    if (of->source == NULL) {
        return 0;
    }
    memset(&to, 0, sizeof to);
    to.of = of;
    if (!run_stream_1(of, &to)) { /* how long the text is */
        return 0;
    }
    of->text_bytes = to.taken;
    of->text = (uint8_t *)malloc(of->text_bytes + 1);
    of->room = (uint8_t *)malloc(of->text_bytes + 1);
    memset(&desc, 0, sizeof desc);
    desc.memory.data = of->source;
    desc.memory.bytes = of->source_bytes;
    if (of->text == NULL || of->room == NULL || biost_stream_open(&desc, &stream, &error) != BIOST_OK) {
        fprintf(stderr, "%s: no memory for its text\n", of->name);
        return 0;
    }
    memset(of->room, 1, of->text_bytes + 1);
    for (to.taken = 0; to.taken < of->text_bytes;) {
        size_t count;
        if (biost_stream_read(stream, of->text + to.taken, of->text_bytes - to.taken, &count) != BIOST_OK) {
            break;
        }
        to.taken += count;
    }
    biost_stream_progress(stream, &progress);
    of->is_bgzf = progress.block_count > 0;
    biost_stream_close(stream);
    return to.taken == of->text_bytes;
}

/* Compare the text of all contenders. Returns 0 if one differs. */
static int verify(const job *of, const contender *contenders, int count) {
    int i;
    for (i = 0; i < count; ++i) {
        taker to;
        memset(&to, 0, sizeof to);
        to.of = of;
        to.compare = 1;
        if (!contenders[i].decode(of, &to) || to.differs || to.taken != of->text_bytes) {
            fprintf(stderr, "%s: %s gives another text, nothing is timed\n", of->name, contenders[i].name);
            return 0;
        }
    }
    return 1;
}

/* Take turns. Returns 0 if a decoder failed. */
static int time_all(const job *of, const contender *contenders, int count,
                    bench_time out_median[CONTENDERS_MOST]) {
    static double wall[CONTENDERS_MOST][BENCH_ROUNDS_MOST], cpu[CONTENDERS_MOST][BENCH_ROUNDS_MOST];
    int round, rounds = bench_rounds(), i;
    for (round = 0; round < rounds; ++round) {
        for (i = 0; i < count; ++i) {
            bench_time start, time;
            taker to;
            memset(&to, 0, sizeof to);
            to.of = of;
            start = bench_now();
            if (!contenders[i].decode(of, &to)) {
                return 0;
            }
            time = bench_since(start);
            wall[i][round] = time.wall;
            cpu[i][round] = time.cpu;
        }
    }
    for (i = 0; i < count; ++i) {
        out_median[i].wall = bench_median_of(wall[i], rounds);
        out_median[i].cpu = bench_median_of(cpu[i], rounds);
    }
    return 1;
}

/* Of BGZF: what two threads could reach here, and whether they could at all. */
static void print_limit(const bench_time *median) {
    if (median[1].cpu < 1.6 * median[1].wall) {
        printf("  note: the 2 workers did not run at once (CPU is %.1f times wall): repeat\n",
               median[1].cpu / median[1].wall);
    }
    printf("  limit: 2 separate halves / 1 worker %.2f, of which the 2 workers reach %.2f\n",
           median[0].wall / median[2].wall, median[2].wall / median[1].wall);
}

/* Each contender's figures, and how many times faster each of ours is than it. */
static void print_table(const job *of, const contender *contenders, int count, const bench_time *median) {
    int i, j;
    printf("  %-24s %8s %8s %8s", "", "MB/s", "wall s", "CPU s");
    for (j = 0; j < count && contenders[j].is_ours; ++j) {
        printf("  %s", contenders[j].decode == run_stream_1       ? "stream 1/it"
                       : contenders[j].decode == run_stream_2     ? "stream 2/it"
                       : contenders[j].decode == run_stream_plain ? "no BMI2/it "
                       : contenders[j].decode == run_halves       ? "   limit/it"
                       : contenders[j].decode == run_blocks_1     ? " 1 block/it"
                       : contenders[j].decode == run_blocks_2     ? "2 blocks/it"
                       : contenders[j].decode == run_blocks_3     ? "3 blocks/it"
                                                                  : " inflate/it");
    }
    printf("\n");
    for (i = 0; i < count; ++i) {
        printf("  %-24s %8.1f %8.4f %8.4f", contenders[i].name, (double)of->text_bytes / 1e6 / median[i].wall,
               median[i].wall, median[i].cpu);
        bench_tsv_row(of->is_bgzf ? "bgzf" : "inflate", of->name, contenders[i].name,
                      (double)of->text_bytes / 1e6 / median[i].wall, "MB/s",
                      contenders[i].decode == run_stream_2 || contenders[i].decode == run_halves ? 2 : 1,
                      median[i]);
        for (j = 0; j < count && contenders[j].is_ours && !contenders[i].is_ours; ++j) {
            printf("  %11.2f", median[i].wall / median[j].wall);
        }
        printf("\n");
    }
}

static int measure(const char *path) {
    contender contenders[CONTENDERS_MOST];
    bench_time median[CONTENDERS_MOST];
    job of;
    int count, good = prepare(path, &of);
    if (good) {
        count = list_contenders(of.is_bgzf, contenders);
        good = verify(&of, contenders, count) && time_all(&of, contenders, count, median);
    }
    if (good) {
        printf("%s: %s, %.1f MB, %.1f MB of text, %.2f to 1\n", of.name, of.is_bgzf ? "BGZF" : "gzip",
               (double)of.source_bytes / 1e6, (double)of.text_bytes / 1e6,
               (double)of.text_bytes / (double)of.source_bytes);
        print_table(&of, contenders, count, median);
        if (of.is_bgzf) {
            print_limit(median);
        }
        printf("\n");
        fflush(stdout);
    }
    free(of.source);
    free(of.text);
    free(of.room);
    return good;
}

static void print_peers(void) {
    int is_own_crc = !biost_features().has_libdeflate || (biost_cpu() & BIOST_CPU_VPCLMUL);
    printf("ours       biostream %d.%d.%d, CRC-32 by %s\n", BIOST_VERSION_MAJOR, BIOST_VERSION_MINOR,
           BIOST_VERSION_PATCH, is_own_crc ? "its own kernels" : "libdeflate");
#ifdef HAVE_ZLIB
    printf("peer       zlib %s\n", zlibVersion());
#else
    printf("skipped: zlib (Debian: zlib1g-dev)\n");
#endif
#ifdef HAVE_LIBDEFLATE
    printf("peer       libdeflate %s\n", LIBDEFLATE_VERSION_STRING);
#else
    printf("skipped: libdeflate (Debian: libdeflate-dev)\n");
#endif
#ifdef HAVE_ISAL
    printf("peer       ISA-L %d.%d.%d\n", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
#else
    printf("skipped: ISA-L (Debian: libisal-dev)\n");
#endif
}

int main(int argc, char **argv) {
    int i, good = bench_tsv_open(&argc, argv);
    if (argc < 2) {
        fprintf(stderr, "usage: bench_inflate [--tsv FILE] FILE...\n");
        return 2;
    }
    bench_conditions();
    print_peers();
    printf("timing     from memory, open to close, median of %d alternating rounds; CPU of all\n"
           "           threads; 1 MB is 10^6 bytes of text; stream/it: how many times as fast as it"
           "\n\n",
           bench_rounds());
    for (i = 1; i < argc && good; ++i) {
        good = measure(argv[i]);
    }
    return good ? 0 : 1;
}
