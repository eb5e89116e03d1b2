/*
 * bench_gzip - plain gzip by several workers: biost_stream, ahead of its turn and in order; and by an index.
 *
 *   build/bench/bench_gzip [--tsv FILE] FILE... [--others FILE...]     (make bench says which)
 *
 *   biost_stream, 1 worker          its pages
 *   biost_stream, 1 worker, ahead   likewise, though one worker gains nothing by it: what decoding
 *                                   ahead costs
 *   biost_stream, 2 workers         ahead, as they do without being asked
 *   biost_stream, 2 workers, in order
 *   isal_inflate                    read(2) of 128 KiB, into 256 KiB, again and again
 *   two streams of 1 worker at once, each of the whole file: the machine's limit for two threads
 *
 * The last two are left out of the files after --others. So is what a loader's later epochs do with text,
 * by a stream that keeps points as a loader does and starts again: inside this process, from the first page
 * to the end.
 *
 *   in order, 1 worker              no point is kept, nothing is decoded ahead
 *   later pass, 1 worker, 2 workers from the points of the first pass
 *
 * And records by their numbers, inside this process: 200 of them, spread over the file, in an order that
 * leaps, from biost_reader_seek to the record; with an index that was saved and loaded.
 *
 *   seek, index, 1 worker, 2 workers
 *   one pass to all                 the pages of a reader of 1 worker, from the start to the last of the 200
 *   seek, no index                  a reader of 1 worker that was just opened, to the record in the middle
 *
 * The first two read from readers that stay open; of the others opening is inside the time.
 *
 * Each is measured as a whole process: this program starts itself, and the time from the start of
 * the child to its end counts, and the CPU time of all its threads. Files are read from the page
 * cache. Before anything is timed the text of all contenders is compared by a hash.
 *
 * Of those with 2 workers the median round also tells how many of the chunks that were looked at
 * ahead of their turn were taken as decoded, and how evenly the threads were at work.
 *
 *   BENCH_ROUNDS=N       rounds, 5 to 99; without it 7
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"
#include "bench.h"

#ifndef _WIN32

#include <inttypes.h>
#include <pthread.h>

#include "peers/child.h"
#include "peers/source.h"

enum { PIECE_BYTES = 1 << 18, THREADS = 2 };

/* What a pass gave; `hash` only where it was asked for. */
typedef struct outcome {
    uint64_t bytes, hash;
    biost_parallel_gzip_counters counters;
    uint64_t busy_ns[THREADS]; /* of ours: each thread of the stream                          */
    uint32_t threads;
    int failed;
} outcome;

struct contender;
typedef outcome pass(const struct contender *c, const char *path, int compare);

typedef struct contender {
    const char *name;
    pass *run;
    int threads;
    biost_parallel_gzip ahead; /* of ours                                                     */
    int main_only;             /* not of files after --others                                */
} contender;

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile unsigned char sink;

static outcome fail(const char *sentence) {
    outcome out;
    memset(&out, 0, sizeof out);
    fprintf(stderr, "bench_gzip: %s\n", sentence);
    out.failed = 1;
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

/* ---- passes -------------------------------------------------------------------- */

static outcome run_stream(const contender *c, const char *path, int compare) {
    outcome out;
    biost_stream_desc desc;
    biost_stream *stream;
    biost_error error;
    biost_page page;
    biost_result result;
    memset(&out, 0, sizeof out);
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    desc.workers = (uint32_t)c->threads;
    desc.test.parallel_gzip = c->ahead;
    if (biost_stream_open(&desc, &stream, &error) != BIOST_OK) {
        return fail(error.text);
    }
    while ((result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
        take(&out, page.text, page.text_bytes, compare);
    }
    biost_stream_counters(stream, &out.counters);
    out.threads = biost_stream_busy_ns(stream, out.busy_ns, THREADS);
    if (result < 0) {
        out = fail(biost_stream_error(stream)->text);
    }
    biost_stream_close(stream);
    return out;
}

/* One of two streams that know nothing of one another. */
typedef struct separate {
    const char *path;
    int compare;
    outcome out;
} separate;

static void *run_separate(void *argument) {
    static const contender alone = {"alone", NULL, 1, BIOST_PARALLEL_GZIP_AUTO, 0};
    separate *of = (separate *)argument;
    of->out = run_stream(&alone, of->path, of->compare);
    return NULL;
}

/* What two threads can reach on this machine at this minute. Counts the text of both. */
static outcome run_two(const contender *c, const char *path, int compare) {
    separate both[2];
    pthread_t thread;
    (void)c;
    memset(both, 0, sizeof both);
    both[0].path = both[1].path = path;
    both[0].compare = both[1].compare = compare;
    if (pthread_create(&thread, NULL, run_separate, &both[1]) != 0) {
        return fail("no thread");
    }
    run_separate(&both[0]);
    pthread_join(thread, NULL);
    if (both[0].out.failed || both[1].out.failed || both[0].out.hash != both[1].out.hash) {
        return fail("one of two streams gives another text");
    }
    both[0].out.bytes += both[1].out.bytes;
    return both[0].out;
}

static outcome run_isal(const contender *c, const char *path, int compare) {
    outcome out;
    input in = {NULL, NULL, 0};
    source from;
    unsigned char *piece = (unsigned char *)malloc(PIECE_BYTES);
    int got = -1;
    (void)c;
    memset(&out, 0, sizeof out);
    in.path = path;
    if (piece == NULL || !source_open(&from, DECODER_ISAL, &in)) {
        free(piece);
        return fail("the file cannot be read");
    }
    while ((got = source_read(&from, piece, PIECE_BYTES)) > 0) {
        take(&out, piece, (size_t)got, compare);
    }
    source_close(&from);
    free(piece);
    return got == 0 ? out : fail("ISA-L cannot decode the file");
}

static const contender contenders[] = {
    {"biost_stream, 1 worker", run_stream, 1, BIOST_PARALLEL_GZIP_AUTO, 0},
    {"biost_stream, 1 worker, ahead", run_stream, 1, BIOST_PARALLEL_GZIP_ALWAYS, 0},
    {"biost_stream, 2 workers", run_stream, 2, BIOST_PARALLEL_GZIP_AUTO, 0},
    {"biost_stream, 2 workers, in order", run_stream, 2, BIOST_PARALLEL_GZIP_NEVER, 0},
    {"isal_inflate", run_isal, 1, BIOST_PARALLEL_GZIP_AUTO, 1},
    {"limit: 2 separate streams", run_two, 2, BIOST_PARALLEL_GZIP_AUTO, 1},
};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

/* ---- a child that does one pass ------------------------------------------------ */

static const char *program;

/* The child's side: one pass, its outcome in binary on standard output. */
static int be_child(const char *index, const char *path, int compare) {
    int which = atoi(index);
    outcome out;
    if (which < 0 || which >= CONTENDERS) {
        return 2;
    }
    out = contenders[which].run(&contenders[which], path, compare);
    return write(STDOUT_FILENO, &out, sizeof out) == (ssize_t)sizeof out ? 0 : 1;
}

/* Start ourselves for one pass, and wait for the end. */
static outcome run_child(int which, const char *path, int compare, bench_time *out_time) {
    const char *arguments[6];
    char index[16];
    outcome out;
    double mib;
    memset(&out, 0, sizeof out);
    snprintf(index, sizeof index, "%d", which);
    arguments[0] = program;
    arguments[1] = "--child";
    arguments[2] = index;
    arguments[3] = path;
    arguments[4] = compare ? "compare" : NULL;
    arguments[5] = NULL;
    if (!child_run(arguments, &out, sizeof out, out_time, &mib)) {
        out.failed = 1;
    }
    return out;
}

/* ---- measuring ----------------------------------------------------------------- */

/* Everything about one file. */
typedef struct table {
    const char *path, *name;
    int which[CONTENDERS], count; /* numbers of contenders                                     */
    uint64_t text_bytes;
    outcome outs[CONTENDERS][BENCH_ROUNDS_MOST];
    double wall[CONTENDERS][BENCH_ROUNDS_MOST], cpu[CONTENDERS][BENCH_ROUNDS_MOST];
    bench_time median[CONTENDERS];
    outcome middle[CONTENDERS]; /* what the median round gave; of an even number the quicker   */
} table;

static void begin_table(table *of, const char *path, int is_main) {
    const char *slash = strrchr(path, '/');
    int i;
    memset(of, 0, sizeof *of);
    of->path = path;
    of->name = slash != NULL ? slash + 1 : path;
    for (i = 0; i < CONTENDERS; ++i) {
        if ((is_main || !contenders[i].main_only) &&
            (contenders[i].run != run_isal || source_has(DECODER_ISAL))) {
            of->which[of->count++] = i;
        }
    }
}

static int is_limit(const table *of, int row) {
    return contenders[of->which[row]].run == run_two;
}

/* One pass of each, compared; this also warms the page cache. */
static int verify(table *of) {
    outcome first, out;
    bench_time time;
    int row;
    memset(&first, 0, sizeof first);
    for (row = 0; row < of->count; ++row) {
        out = run_child(of->which[row], of->path, 1, &time);
        first = row == 0 ? out : first;
        if (out.failed || out.hash != first.hash || first.bytes == 0 ||
            out.bytes != first.bytes * (is_limit(of, row) ? 2 : 1)) {
            fprintf(stderr, "%s: %s gives another text, nothing is timed\n", of->path,
                    contenders[of->which[row]].name);
            return 0;
        }
    }
    of->text_bytes = first.bytes;
    return 1;
}

/* Take turns within each round. */
static int measure(table *of) {
    int round, rounds = bench_rounds(), row;
    double sorted[BENCH_ROUNDS_MOST];
    bench_time time;
    for (round = 0; round < rounds; ++round) {
        for (row = 0; row < of->count; ++row) {
            outcome out = run_child(of->which[row], of->path, 0, &time);
            if (out.failed) {
                return 0;
            }
            of->outs[row][round] = out;
            of->wall[row][round] = time.wall;
            of->cpu[row][round] = time.cpu;
        }
    }
    for (row = 0; row < of->count; ++row) {
        memcpy(sorted, of->wall[row], sizeof sorted);
        of->median[row].wall = bench_median_of(sorted, rounds);
        for (round = 0; round < rounds; ++round) {
            if (of->wall[row][round] <= sorted[(rounds - 1) / 2] &&
                of->wall[row][round] >= sorted[(rounds - 1) / 2]) {
                of->middle[row] = of->outs[row][round];
            }
        }
        of->median[row].cpu = bench_median_of(of->cpu[row], rounds);
    }
    return 1;
}

/* ---- printing ------------------------------------------------------------------ */

/* Of the chunks looked at ahead the share taken as decoded; -1: none was looked at. */
static double share_accepted(const outcome *out) {
    return out->counters.ahead_count > 0
               ? (double)out->counters.accepted_count / (double)out->counters.ahead_count
               : -1;
}

/* How many times as long as the other the busier thread was at work; -1: one did nothing, or is alone. */
static double balance(const outcome *out) {
    uint64_t a = out->busy_ns[0], b = out->busy_ns[1];
    if (out->threads != THREADS || a == 0 || b == 0) {
        return -1;
    }
    return a > b ? (double)a / (double)b : (double)b / (double)a;
}

static void print_figure(double figure) {
    if (figure < 0) {
        printf(" %9s", "-");
    } else {
        printf(" %9.3f", figure);
    }
}

/* The figures of one row, and the share and the balance where they say something. */
static void print_row(const table *of, int row) {
    static const bench_time none = {0, 0};
    const contender *c = &contenders[of->which[row]];
    const outcome *out = &of->middle[row];
    double mb = (double)of->text_bytes / 1e6 * (is_limit(of, row) ? 2 : 1);
    double share = c->run == run_stream ? share_accepted(out) : -1;
    double busier = c->run == run_stream && share >= 0 ? balance(out) : -1;
    double rate = mb / of->median[row].wall;
    printf("  %-34s %8.1f %9.4f %9.4f", c->name, rate, of->median[row].wall, of->median[row].cpu);
    print_figure(share);
    print_figure(busier);
    printf("\n");
    bench_tsv_row("gzip", of->name, c->name, rate, "MB/s", c->threads, of->median[row]);
    if (share >= 0) {
        bench_tsv_row("gzip-accepted", of->name, c->name, share, "accepted / ahead", c->threads, none);
    }
    if (busier >= 0) {
        bench_tsv_row("gzip-balance", of->name, c->name, busier, "busiest / least busy", c->threads, none);
    }
}

/* The row of a contender, -1 where it took no part. */
static int row_of(const table *of, const char *name) {
    int row;
    for (row = 0; row < of->count; ++row) {
        if (strcmp(contenders[of->which[row]].name, name) == 0) {
            return row;
        }
    }
    return -1;
}

static void print_ratio(const table *of, const char *name, const char *to) {
    int a = row_of(of, name), b = row_of(of, to);
    if (a >= 0 && b >= 0) {
        printf("  %s / %s %.2f\n", name, to,
               of->median[b].wall / of->median[a].wall / (is_limit(of, b) ? 2 : 1));
    }
}

static void print_table(const table *of) {
    int row, limit = row_of(of, "limit: 2 separate streams");
    printf("%s: %.1f MB of text\n", of->name, (double)of->text_bytes / 1e6);
    printf("  %-34s %8s %9s %9s %9s %9s\n", "", "MB/s", "wall s", "CPU s", "accepted", "balance");
    for (row = 0; row < of->count; ++row) {
        print_row(of, row);
    }
    print_ratio(of, "biost_stream, 2 workers", "biost_stream, 1 worker");
    print_ratio(of, "biost_stream, 2 workers", "isal_inflate");
    print_ratio(of, "biost_stream, 2 workers", "biost_stream, 2 workers, in order");
    print_ratio(of, "biost_stream, 1 worker, ahead", "biost_stream, 1 worker");
    print_ratio(of, "biost_stream, 2 workers", "limit: 2 separate streams");
    if (limit >= 0) {
        printf("  limit: 2 separate streams / 1 worker %.2f\n",
               2 * of->median[0].wall / of->median[limit].wall);
    }
    printf("\n");
    fflush(stdout);
}

/* ---- later passes ---------------------------------------------------------------- */

/* A stream that stays open. What starts it again is what a loader does between two epochs. */
typedef struct again {
    const char *name;
    uint32_t workers;
    biost_parallel_gzip ahead;
    biost_stream *stream;
    double wall[BENCH_ROUNDS_MOST], cpu[BENCH_ROUNDS_MOST];
} again;

static int begin_again(again *of, const char *path) {
    biost_stream_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    desc.workers = of->workers;
    desc.test.parallel_gzip = of->ahead;
    if (biost_stream_open(&desc, &of->stream, NULL) != BIOST_OK) {
        return 0;
    }
    if (of->stream->pipe.plan.ahead.task_count > 0) { /* before its memory is made */
        of->stream->pipe.plan.points_bytes = BSI_MIB(16);
    }
    return 1;
}

static void start_again(biost_stream *stream) {
    bsi_platform_lock(&stream->sched.lock);
    bsi_sched_pause(&stream->sched);
    bsi_sched_resume(&stream->sched);
    bsi_pipe_reset_locked(&stream->pipe, 0, 1, 0);
    bsi_platform_unlock(&stream->sched.lock);
    stream->page = NULL;
    stream->position = 0;
    stream->ended = BIOST_OK;
}

/* From the first page to the verified end. */
static outcome pass_again(biost_stream *stream, int compare, bench_time *out_time) {
    outcome out;
    biost_page page;
    biost_result result;
    bench_time start = bench_now();
    memset(&out, 0, sizeof out);
    while ((result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
        take(&out, page.text, page.text_bytes, compare);
    }
    *out_time = bench_since(start);
    out.failed = result != BIOST_END;
    return out;
}

/* All have the same text in the first pass, which keeps the points, and in the second. */
static int verify_again(again *of, int count, const char *path, uint64_t *out_bytes) {
    outcome first, out;
    bench_time time;
    int i;
    memset(&first, 0, sizeof first);
    for (i = 0; i < 2 * count; ++i) {
        if (i < count && !begin_again(&of[i], path)) {
            return 0;
        }
        if (i >= count) {
            start_again(of[i - count].stream);
        }
        out = pass_again(of[i % count].stream, 1, &time);
        first = i == 0 ? out : first;
        if (out.failed || out.bytes != first.bytes || out.hash != first.hash) {
            fprintf(stderr, "bench_gzip: %s: %s reads another text\n", path, of[i % count].name);
            return 0;
        }
    }
    *out_bytes = first.bytes;
    return 1;
}

static void print_again(again *of, int count, const char *path, uint64_t bytes) {
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    bench_time median;
    double first = 0;
    int i, rounds = bench_rounds();
    printf("%s: again, inside one process\n  %-34s %8s %9s %9s\n", name, "", "MB/s", "wall s", "CPU s");
    for (i = 0; i < count; ++i) {
        median.wall = bench_median_of(of[i].wall, rounds);
        median.cpu = bench_median_of(of[i].cpu, rounds);
        first = i == 0 ? median.wall : first;
        printf("  %-34s %8.1f %9.4f %9.4f   %.2f times the first\n", of[i].name,
               (double)bytes / 1e6 / median.wall, median.wall, median.cpu, first / median.wall);
        bench_tsv_row("gzip-again", name, of[i].name, (double)bytes / 1e6 / median.wall, "MB/s",
                      (int)of[i].workers, median);
    }
    printf("\n");
    fflush(stdout);
}

static int measure_again(const char *path) {
    static again all[] = {{"in order, 1 worker", 1, BIOST_PARALLEL_GZIP_NEVER, NULL, {0}, {0}},
                          {"later pass, 1 worker", 1, BIOST_PARALLEL_GZIP_ALWAYS, NULL, {0}, {0}},
                          {"later pass, 2 workers", 2, BIOST_PARALLEL_GZIP_ALWAYS, NULL, {0}, {0}}};
    enum { ALL = sizeof all / sizeof all[0] };
    uint64_t bytes = 0;
    bench_time time;
    int i, round, good = verify_again(all, ALL, path, &bytes);
    for (round = 0; round < bench_rounds() && good; ++round) {
        for (i = 0; i < ALL; ++i) {
            start_again(all[i].stream);
            good = good && !pass_again(all[i].stream, 0, &time).failed;
            all[i].wall[round] = time.wall;
            all[i].cpu[round] = time.cpu;
        }
    }
    if (good) {
        print_again(all, ALL, path, bytes);
    }
    for (i = 0; i < ALL; ++i) {
        biost_stream_close(all[i].stream);
        all[i].stream = NULL;
    }
    return good;
}

/* ---- records by their numbers ----------------------------------------------------- */

enum { SEEKS = 200 };

/* A record that is wanted, and what sequential reading found it to be. */
typedef struct wanted {
    uint64_t number, hash; /* of its title                                                */
} wanted;

/* A file, its index and the records wanted, in the order of their numbers. */
typedef struct seeks {
    const char *path, *name;
    biost_index *index;
    biost_index_info info;
    size_t file_bytes; /* of the index as it was saved                                */
    wanted records[SEEKS];
} seeks;

struct seeker;
typedef int reach(const struct seeker *by, const seeks *of, int compare);

/* A way to get to records. */
typedef struct seeker {
    const char *name;
    reach *run; /* returns 0 after a sentence                                  */
    uint32_t workers;
    int records;          /* that one run gets to                                        */
    biost_reader *reader; /* that stays open                                             */
    double wall[BENCH_ROUNDS_MOST], cpu[BENCH_ROUNDS_MOST];
} seeker;

static int refuse(const seeks *of, const char *sentence) {
    fprintf(stderr, "bench_gzip: %s: %s\n", of->name, sentence);
    return 0;
}

static biost_reader *open_records(const seeks *of, uint32_t workers, biost_index *index) {
    biost_reader_desc desc;
    biost_reader *reader;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    desc.path = of->path;
    desc.workers = workers;
    desc.index = index;
    if (biost_reader_open(&desc, &reader, &error) != BIOST_OK) {
        refuse(of, error.text);
        return NULL;
    }
    return reader;
}

static uint64_t hash_title(const biost_record *record) {
    return bench_hash(record->title_bytes, record->title, record->title_bytes);
}

/*
 * The hash of the title of the record that is next in a reader, of which the first run is read. Returns 0
 * where there is none, or one of another number.
 */
static int take_record(biost_reader *reader, uint64_t number, uint64_t *out_hash) {
    biost_run run;
    if (biost_reader_next_run(reader, &run) != BIOST_OK || run.record.id != number || !run.is_first) {
        return 0;
    }
    sink = run.record.seq_bases > 0 ? (unsigned char)run.record.seq[0] : 0;
    *out_hash = hash_title(&run.record);
    return 1;
}

/* The order in which records are sought: 77 and 200 have no factor in common. */
static int leap(int turn) {
    return turn * 77 % SEEKS;
}

/* From an open reader to each record. */
static int reach_all(const seeker *by, const seeks *of, int compare) {
    uint64_t hash = 0;
    int turn;
    for (turn = 0; turn < SEEKS; ++turn) {
        const wanted *record = &of->records[leap(turn)];
        if (biost_reader_seek(by->reader, record->number) != BIOST_OK ||
            !take_record(by->reader, record->number, &hash)) {
            return refuse(of, "a record is not found");
        }
        if (compare && hash != record->hash) {
            return refuse(of, "seeking finds another record");
        }
    }
    return 1;
}

/* From the start, page by page, up to the last record. */
static int reach_in_order(const seeker *by, const seeks *of, int compare) {
    biost_reader *reader = open_records(of, by->workers, NULL);
    biost_record_page page;
    uint64_t last = of->records[SEEKS - 1].number;
    int found = 0;
    (void)compare;
    while (reader != NULL && !found && biost_reader_next_page(reader, &page) == BIOST_OK) {
        found = page.id + page.row_count > last;
        sink = (unsigned char)page.text[page.rows[0].seq];
        biost_reader_release_page(reader, &page);
    }
    biost_reader_close(reader);
    return found ? 1 : refuse(of, "the last record is not found");
}

/* Without an index to the record in the middle. */
static int reach_middle(const seeker *by, const seeks *of, int compare) {
    const wanted *record = &of->records[SEEKS / 2];
    biost_reader *reader = open_records(of, by->workers, NULL);
    uint64_t hash = 0;
    int good = reader != NULL && biost_reader_seek(reader, record->number) == BIOST_OK &&
               take_record(reader, record->number, &hash) && (!compare || hash == record->hash);
    biost_reader_close(reader);
    return good ? 1 : refuse(of, "the record in the middle is not found");
}

/* Read the file with an empty index; save it beside this program, and load it again. */
static int make_index(seeks *of) {
    char name[4096];
    biost_record_page page;
    biost_error error;
    biost_reader *reader;
    biost_result result = BIOST_ERR_ARG;
    void *bytes;
    snprintf(name, sizeof name, "%s.bsx", program);
    if (biost_index_open(NULL, &of->index, &error) != BIOST_OK) {
        return refuse(of, error.text);
    }
    reader = open_records(of, 1, of->index);
    while (reader != NULL && (result = biost_reader_next_page(reader, &page)) == BIOST_OK) {
        biost_reader_release_page(reader, &page);
    }
    biost_reader_close(reader);
    if (result != BIOST_END || biost_index_save(of->index, name, &error) != BIOST_OK) {
        return refuse(of, "no index can be made or saved");
    }
    biost_index_close(of->index);
    of->index = NULL;
    bytes = bench_read_file(name, &of->file_bytes);
    free(bytes);
    if (bytes == NULL || biost_index_load(name, NULL, &of->index, &error) != BIOST_OK) {
        return refuse(of, "the index cannot be loaded");
    }
    biost_index_get_info(of->index, &of->info);
    return of->info.record_count > 0 ? 1 : refuse(of, "the index knows no records");
}

/* Records in the middle of equal parts of the file, and what they hold, by reading it from the start. */
static int choose_records(seeks *of) {
    biost_reader *reader = open_records(of, 1, NULL);
    biost_run run;
    uint64_t parts = 2 * (uint64_t)SEEKS;
    int found = 0;
    while (reader != NULL && found < SEEKS && biost_reader_next_run(reader, &run) == BIOST_OK) {
        while (run.is_first && found < SEEKS &&
               (2 * (uint64_t)found + 1) * of->info.record_count / parts == run.record.id) {
            of->records[found].number = run.record.id;
            of->records[found++].hash = hash_title(&run.record);
        }
    }
    biost_reader_close(reader);
    return found == SEEKS ? 1 : refuse(of, "reading in order does not find all records");
}

static void print_seeks(const seeks *of, seeker *all, int count) {
    static const bench_time none = {0, 0};
    double points = (double)of->info.point_count, first = 0;
    int i, rounds = bench_rounds();
    printf("%s: records by their numbers, %d of %.0f\n", of->name, SEEKS, (double)of->info.record_count);
    printf("  index: %.0f points, %.1f KiB, at least %.0f KiB of source apart, %.0f of text on average\n",
           points, (double)of->file_bytes / 1024, (double)of->info.spacing_bytes / 1024,
           points > 0 ? (double)of->info.text_bytes / 1024 / points : 0);
    printf("  %-34s %10s %9s %9s\n", "", "us/record", "wall s", "CPU s");
    for (i = 0; i < count; ++i) {
        bench_time median;
        double each;
        median.wall = bench_median_of(all[i].wall, rounds);
        median.cpu = bench_median_of(all[i].cpu, rounds);
        each = median.wall / all[i].records;
        first = i == 0 ? each : first;
        printf("  %-34s %10.1f %9.4f %9.4f   %.1f times the first\n", all[i].name, each * 1e6, median.wall,
               median.cpu, each / first);
        bench_tsv_row("seek", of->name, all[i].name, 1 / each, "records/s", (int)all[i].workers, median);
    }
    if (points > 0) {
        bench_tsv_row("seek-spacing", of->name, "text from point to point",
                      (double)of->info.text_bytes / points, "bytes", 0, none);
        bench_tsv_row("seek-spacing", of->name, "index file, for each point", (double)of->file_bytes / points,
                      "bytes", 0, none);
    }
    printf("\n");
    fflush(stdout);
}

/* Compare, then take turns. */
static int measure_ways(const seeks *of, seeker *all, int count) {
    int i, round, good = 1;
    for (i = 0; i < count && good; ++i) {
        if (all[i].run == reach_all) {
            all[i].reader = open_records(of, all[i].workers, of->index);
            good = all[i].reader != NULL;
        }
        good = good && all[i].run(&all[i], of, 1);
    }
    for (round = 0; round < bench_rounds() && good; ++round) {
        for (i = 0; i < count && good; ++i) {
            bench_time start = bench_now(), time;
            good = all[i].run(&all[i], of, 0);
            time = bench_since(start);
            all[i].wall[round] = time.wall;
            all[i].cpu[round] = time.cpu;
        }
    }
    if (good) {
        print_seeks(of, all, count);
    }
    for (i = 0; i < count; ++i) {
        biost_reader_close(all[i].reader);
        all[i].reader = NULL;
    }
    return good;
}

static int measure_seeks(const char *path) {
    static seeker all[] = {{"seek, index, 1 worker", reach_all, 1, SEEKS, NULL, {0}, {0}},
                           {"seek, index, 2 workers", reach_all, 2, SEEKS, NULL, {0}, {0}},
                           {"one pass to all", reach_in_order, 1, SEEKS, NULL, {0}, {0}},
                           {"seek, no index", reach_middle, 1, 1, NULL, {0}, {0}}};
    static seeks of;
    const char *slash = strrchr(path, '/');
    int good;
    memset(&of, 0, sizeof of);
    of.path = path;
    of.name = slash != NULL ? slash + 1 : path;
    good = make_index(&of) && choose_records(&of) &&
           measure_ways(&of, all, (int)(sizeof all / sizeof all[0]));
    biost_index_close(of.index);
    return good;
}

/* By its first bytes; BGZF is gzip with the extra field "BC". */
static int is_plain_gzip(const char *path) {
    unsigned char head[18] = {0};
    FILE *file = fopen(path, "rb");
    size_t got = file != NULL ? fread(head, 1, sizeof head, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    return got == sizeof head && head[0] == 0x1F && head[1] == 0x8B &&
           !((head[3] & 4) && head[12] == 'B' && head[13] == 'C');
}

static int measure_file(const char *path, int is_main) {
    static table of;
    if (!is_plain_gzip(path)) {
        fprintf(stderr, "%s: not plain gzip\n", path);
        return 0;
    }
    begin_table(&of, path, is_main);
    if (!verify(&of) || !measure(&of)) {
        return 0;
    }
    print_table(&of);
    return !is_main || (measure_again(path) && measure_seeks(path));
}

static void print_conditions(void) {
    bench_conditions();
    printf("ours       %s\n", biost_features().text);
#ifdef HAVE_ISAL
    printf("peer       ISA-L %d.%d.%d\n", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
#else
    printf("skipped: ISA-L (Debian: libisal-dev)\n");
#endif
    printf("timing     whole process, median of %d alternating rounds, page cache warm, CPU of all"
           " threads;\n           1 MB is 10^6 bytes of text\n\n",
           bench_rounds());
    fflush(stdout);
}

int main(int argc, char **argv) {
    int i, is_main = 1, good = bench_tsv_open(&argc, argv);
    program = argv[0];
    if (argc >= 4 && strcmp(argv[1], "--child") == 0) {
        return be_child(argv[2], argv[3], argc > 4);
    }
    if (argc < 2) {
        fprintf(stderr, "usage: bench_gzip [--tsv FILE] FILE... [--others FILE...]\n");
        return 2;
    }
    print_conditions();
    for (i = 1; i < argc && good; ++i) {
        if (strcmp(argv[i], "--others") == 0) {
            is_main = 0;
        } else {
            good = measure_file(argv[i], is_main);
        }
    }
    return good ? 0 : 1;
}

#else

int main(void) {
    printf("skipped: bench_gzip (needs POSIX)\n");
    return 0;
}

#endif
