/*
 * bench_model - what a loader would reach with more workers than there are cores: its own tasks on a time line of
 * 1, 2, 4 ... 64 workers.
 *
 *   build/bench/bench_model [--tsv FILE] [-n WORKERS_MOST] FILE... [--open NAME PART...] [--store READS.fastq FOLDER]
 *
 * of FASTQ, plain, gzip or BGZF. After --open all parts are one input, NAME, and are open at the same time; after
 * --store a store of the reads is written to FOLDER, mapped, and removed at the end.
 *
 * A loader is opened for W workers and makes no thread. One thread runs its tasks, one after another; how long each
 * takes is measured, in CPU time of that thread, and the task is put on the time line of one of W workers. Which task is ready when, for whom, and
 * what it makes ready is decided by the loader's own scheduler and its own conditions, pages and slots among them, at
 * the time the task ends on that line. A task's end under the lock takes its own time, and no two of them overlap. The
 * first worker is the caller, who takes each batch as soon as it is ready, uses one byte, and helps meanwhile.
 *
 * With many workers so much is under way at a time that it leaves the cache of the one core that does all, which it would
 * not if each worker had a core. So times are scaled: each part of the pipe works as long in all as it does with 2 workers
 * in the same round. How long each did in fact is printed below.
 *
 * So the model has what waiting for one another costs, and serial work. It has not: waking a thread, moving data
 * from one core's cache to another's, and cores that share memory and clock. What that makes out is told by the run
 * with 2 workers that is measured in the same rounds.
 *
 * Batches have 256 rows of 150 bases, one-hot f32; the second case has all that trainers use: shuffle 65536, reverse
 * complement 0.5, qualities (u8) and mask. There are 4 slots, and a slot for each worker where there are more. Before
 * anything is timed the digests of all are compared, of the model with those of the loader at work.
 *
 *   BENCH_ROUNDS=N       rounds, 5 to 99; without it 7
 */
#define BIOSTREAM_IMPLEMENTATION
#define BSI_SCHED_MORE_WORKERS 256u /* which it has no cores for */
#include "../biostream.h"
#include "bench.h"

#include <inttypes.h>

enum { ROWS = 256, BASES = 150, SLOTS = 4, WORKERS_MOST = 64, PARTS_MOST = 64, COUNTS = 7, TASKS = 1 << 14 };

static const uint32_t worker_counts[COUNTS] = {1, 2, 4, 8, 16, 32, 64};

/* What is measured besides is: with 1 worker and with 2. */
enum { MEASURED = 2 };

/*
 * What takes time: the scheduler's stages, by its numbers, and beside them the caller's calls. The lock is held in these
 * and at the end of each task.
 */
enum { PART_CALLER = BSI_SCHED_STAGES, PART_LOCK, PARTS };

static const char *const part_names[PARTS] = {"inflate ahead", "decode",   "read",   "inflate", "scan",
                                              "check",         "sequence", "encode", "caller",  "lock"};

/* An input, which is one file, several that are open at a time, or a store. */
typedef struct input {
    const char *name;
    const char *const *paths; /* [path_count] */
    uint32_t path_count;
    biost_store *store; /* NULL: text */
    double megabytes;   /* of text; of a store, of the text that it was built of */
} input;

/* ---- the loader ---------------------------------------------------------------- */

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile unsigned char sink;

static biost_loader_desc make_desc(const input *of, int has_all, uint32_t workers, int digest) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.batch_rows = ROWS;
    desc.row_bases = BASES;
    desc.encoding.dtype = BIOST_DTYPE_F32;
    desc.epochs = 1; /* do not begin another ahead */
    desc.seed = 1;
    desc.workers = workers;
    desc.slots = workers > SLOTS ? workers : (uint32_t)SLOTS;
    desc.digest = digest;
    if (of->store != NULL) {
        desc.store = of->store;
        desc.order = BIOST_ORDER_EXACT;
    } else {
        desc.paths = of->paths;
        desc.path_count = of->path_count;
        desc.open_files = of->path_count;
        desc.shuffle_rows = has_all ? 65536 : 0;
    }
    if (has_all) {
        desc.augment.reverse_complement = 0.5f;
        desc.quality.kind = BIOST_QUALITY_PHRED;
        desc.mask = 1;
    }
    return desc;
}

/* What a pass gave. */
typedef struct outcome {
    uint64_t rows, digest; /* the sum over batches */
    uint64_t text_bytes;
    bench_time time; /* from begin to the end of the epoch */
    int failed;
} outcome;

static void use_batch(outcome *out, const biost_batch *batch) {
    sink = *(const unsigned char *)batch->x.data;
    out->rows += batch->valid_rows;
    out->digest += batch->digest;
}

/* The text that a loader has read. */
static uint64_t text_of(biost_loader *loader) {
    biost_progress progress;
    memset(&progress, 0, sizeof progress);
    biost_loader_progress(loader, &progress);
    return progress.text_bytes;
}

/* The loader at work, with threads of its own. */
static outcome run_loader(const input *of, int has_all, uint32_t workers, int digest) {
    outcome out;
    biost_loader_desc desc = make_desc(of, has_all, workers, digest);
    biost_loader *loader;
    biost_error error;
    biost_batch batch;
    biost_result result;
    bench_time start;
    memset(&out, 0, sizeof out);
    if (biost_loader_open(&desc, &loader, &error) != BIOST_OK) {
        fprintf(stderr, "bench_model: %s\n", error.text);
        out.failed = 1;
        return out;
    }
    start = bench_now();
    result = biost_loader_begin(loader, 0);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        use_batch(&out, &batch);
        biost_loader_release(loader, &batch);
    }
    if (result != BIOST_END) {
        fprintf(stderr, "bench_model: %s\n", biost_loader_error(loader)->text);
        out.failed = 1;
    }
    out.time = bench_since(start);
    out.text_bytes = text_of(loader);
    biost_loader_close(loader);
    return out;
}

/* ---- the model ------------------------------------------------------------------ */

/* What is known of a task, by where it lies. */
typedef struct known {
    const bsi_sched_task *task; /* NULL: none */
    uint64_t busy_ns;           /* in all of its runs */
    uint64_t chain_ns;          /* the longest chain of work up to where it became ready, or ended */
} known;

/* A worker on the time line. Number 0 is the caller. */
typedef struct worker {
    bsi_sched_task *task;       /* at work until end_ns; NULL: it is idle, or the caller is in a call */
    const bsi_sched_task *last; /* what it ran before */
    uint64_t end_ns;
    int busy;
} worker;

typedef struct model {
    biost_loader *loader;
    bsi_sched *sched; /* the loader's */
    uint32_t workers;
    worker all[WORKERS_MOST];
    double scale[PARTS];      /* a task of a part counts as so many times as long as it took */
    uint64_t took_ns[PARTS];  /* of each part, over all its tasks, not scaled */
    uint64_t most_ns[PARTS];  /* of each part, of its task that worked longest in all */
    uint64_t lock_ns;         /* the lock is free from here on */
    uint64_t chain_ns;        /* the longest chain of work that has ended */
    uint64_t caller_chain_ns; /* and the caller's */
    uint64_t end_ns;          /* when the caller learnt that all batches were delivered */
    known tasks[TASKS];
    void (*ticket)(void *argument); /* what the loader submitted, which is run at the end */
    void *ticket_argument;
    uint32_t ticket_count;
    outcome out;
    int ended;
} model;

/* The loader's jobs. What it submits waits for the end: tasks are taken from its scheduler. */
static void keep_ticket(void (*run)(void *argument), void *argument, void *user_data) {
    model *of = (model *)user_data;
    of->ticket = run;
    of->ticket_argument = argument;
    of->ticket_count += 1;
}

static known *known_of(model *of, const bsi_sched_task *task) {
    size_t at = (size_t)(((uintptr_t)task >> 4) * 0x9E3779B1u) % TASKS;
    while (of->tasks[at].task != NULL && of->tasks[at].task != task) {
        at = (at + 1) % TASKS;
    }
    of->tasks[at].task = task;
    return &of->tasks[at];
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* The last ready task of each stage, before something that makes others ready. */
static void note_ready(const model *of, bsi_sched_task **out_last) {
    uint32_t stage;
    for (stage = 0; stage < BSI_SCHED_STAGES; ++stage) {
        out_last[stage] = of->sched->first[stage] != NULL ? of->sched->last[stage] : NULL;
    }
}

/* What became ready since waited for the work of a chain of that length. */
static void chain_ready(model *of, bsi_sched_task *const *last, uint64_t chain_ns) {
    uint32_t stage;
    for (stage = 0; stage < BSI_SCHED_STAGES; ++stage) {
        const bsi_sched_task *task = last[stage] != NULL ? last[stage]->next : of->sched->first[stage];
        for (; task != NULL; task = task->next) {
            known *about = known_of(of, task);
            about->chain_ns = later(about->chain_ns, chain_ns);
        }
    }
}

/* The time that this thread has been at work: nobody else's, where a core is shared with other programs. */
static uint64_t thread_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A part has worked for so long. Returns what that counts as. */
static uint64_t count_work(model *of, int part, uint64_t took_ns) {
    of->took_ns[part] += took_ns;
    return (uint64_t)((double)took_ns * of->scale[part]);
}

/* Something that held the lock for so long, from `from_ns` or from when the lock was free on. Returns its end. */
static uint64_t hold_lock(model *of, int by_caller, uint64_t from_ns, uint64_t took_ns) {
    uint64_t counts_ns = count_work(of, PART_LOCK, took_ns);
    of->lock_ns = later(from_ns, of->lock_ns) + counts_ns;
    of->most_ns[PART_LOCK] += counts_ns;
    of->most_ns[PART_CALLER] += by_caller ? counts_ns : 0;
    of->took_ns[PART_CALLER] += by_caller ? took_ns : 0;
    return of->lock_ns;
}

/*
 * The caller asks for its batch at a time on the line. Returns whether it was busy with one, or learnt of the end; the
 * batch is then used and released.
 */
static int call(model *of, uint64_t now_ns) {
    bsi_sched_task *last[BSI_SCHED_STAGES];
    biost_batch batch;
    uint64_t start_ns, took_ns;
    biost_result result;
    note_ready(of, last);
    start_ns = bsi_platform_now_ns();
    result = biost_loader_try_next(of->loader, &batch);
    if (result == BIOST_OK) {
        use_batch(&of->out, &batch);
        biost_loader_release(of->loader, &batch);
    }
    took_ns = bsi_platform_now_ns() - start_ns;
    if (result == BIOST_PENDING) {
        return 0;
    }
    if (result != BIOST_OK) {
        of->ended = 1;
        of->end_ns = later(now_ns, of->lock_ns);
        of->out.failed = result != BIOST_END;
        return 1;
    }
    of->all[0].end_ns = hold_lock(of, 1, now_ns, took_ns);
    of->all[0].busy = 1;
    of->caller_chain_ns = later(of->caller_chain_ns, of->chain_ns) + took_ns;
    chain_ready(of, last, of->caller_chain_ns);
    return 1;
}

/* An idle worker takes the task that the loader's scheduler gives it, and does its work. Returns 0 if there is none. */
static int take(model *of, uint32_t number, uint64_t now_ns) {
    worker *who = &of->all[number];
    known *about;
    uint64_t start_ns, took_ns;
    who->task = bsi_sched_take_by(of->sched, who->last, number + BSI_SCHED_CALLER);
    who->last = who->task;
    if (who->task == NULL) {
        return 0;
    }
    of->sched->running_count += 1;
    start_ns = thread_ns();
    who->task->work(of->sched->owner, who->task);
    took_ns = count_work(of, (int)who->task->stage, thread_ns() - start_ns);
    about = known_of(of, who->task);
    about->busy_ns += took_ns;
    about->chain_ns += took_ns;
    of->most_ns[who->task->stage] = later(of->most_ns[who->task->stage], about->busy_ns);
    who->end_ns = now_ns + took_ns;
    who->busy = 1;
    return 1;
}

/* A worker's task ends: what bsi_sched_run_by does after the work. Returns when the lock was free again. */
static uint64_t end_task(model *of, worker *who) {
    bsi_sched_task *task = who->task, *last[BSI_SCHED_STAGES];
    uint64_t start_ns, took_ns, chain_ns = known_of(of, task)->chain_ns;
    note_ready(of, last);
    who->task = NULL;
    start_ns = bsi_platform_now_ns();
    bsi_platform_lock(&of->sched->lock);
    of->sched->running_count -= 1;
    task->busy = 0;
    task->finish(of->sched->owner, task);
    bsi_platform_unlock(&of->sched->lock);
    took_ns = bsi_platform_now_ns() - start_ns;
    chain_ready(of, last, chain_ns);
    of->chain_ns = later(of->chain_ns, chain_ns);
    return hold_lock(of, 0, who->end_ns, took_ns);
}

/* At a time on the line: idle workers take what is ready; first the one whose task has just ended, then the caller. */
static void give_work(model *of, uint32_t first, uint64_t now_ns) {
    uint32_t i;
    for (i = 0; i <= of->workers && !of->ended; ++i) {
        uint32_t number = i == 0 ? first : i - 1;
        if (!of->all[number].busy && (number > 0 || !call(of, now_ns))) {
            (void)take(of, number, now_ns);
        }
    }
}

/* The worker that is the first to end what it does, or `workers` if all are idle. */
static uint32_t first_to_end(const model *of) {
    uint32_t i, best = of->workers;
    for (i = 0; i < of->workers; ++i) {
        if (of->all[i].busy && (best == of->workers || of->all[i].end_ns < of->all[best].end_ns)) {
            best = i;
        }
    }
    return best;
}

/* From begin to the end of the epoch. */
static void run_line(model *of) {
    uint32_t number;
    give_work(of, 0, 0);
    while (!of->ended && (number = first_to_end(of)) < of->workers) {
        worker *who = &of->all[number];
        uint64_t now_ns = who->task != NULL ? end_task(of, who) : who->end_ns;
        who->busy = 0;
        give_work(of, number, now_ns);
    }
    for (number = 0; number < of->workers; ++number) { /* nobody waits for these */
        if (of->all[number].task != NULL) {
            (void)end_task(of, &of->all[number]);
        }
    }
    if (!of->ended) {
        fprintf(stderr, "bench_model: all workers are idle, and the epoch has not ended\n");
        of->out.failed = 1;
    }
}

/* Run an epoch on the time line of so many workers. `scale` [PARTS]: see `model`; NULL: nothing is scaled. */
static void run_model(model *of, const input *from, int has_all, uint32_t workers, const double *scale,
                      int digest) {
    biost_loader_desc desc = make_desc(from, has_all, workers, digest);
    biost_error error;
    uint64_t start_ns;
    int part;
    memset(of, 0, sizeof *of);
    of->workers = workers;
    for (part = 0; part < PARTS; ++part) {
        of->scale[part] = scale != NULL ? scale[part] : 1;
    }
    desc.jobs.submit = keep_ticket;
    desc.jobs.user_data = of;
    if (biost_loader_open(&desc, &of->loader, &error) != BIOST_OK) {
        fprintf(stderr, "bench_model: %s\n", error.text);
        of->out.failed = 1;
        return;
    }
    of->sched = &of->loader->sched;
    of->sched->active_count = workers - 1; /* as if threads were there, see bsi_sched_take_by */
    if (workers == 1) {
        of->sched->helper_limit = 1; /* else try_next would run tasks itself */
    }
    start_ns = bsi_platform_now_ns();
    of->out.failed = biost_loader_begin(of->loader, 0) != BIOST_OK;
    (void)hold_lock(of, 1, 0, bsi_platform_now_ns() - start_ns);
    if (!of->out.failed) {
        run_line(of);
    }
    of->out.text_bytes = text_of(of->loader);
    for (; of->ticket_count > 0; --of->ticket_count) {
        of->ticket(of->ticket_argument);
    }
    biost_loader_close(of->loader);
}

/* ---- comparing and measuring ------------------------------------------------------- */

/* What is measured of one input. */
typedef struct table {
    double measured_s[MEASURED][BENCH_ROUNDS_MOST], measured_cpu[MEASURED][BENCH_ROUNDS_MOST];
    double line_s[COUNTS][BENCH_ROUNDS_MOST];        /* of the model */
    double chain_s[COUNTS][BENCH_ROUNDS_MOST];       /* its longest chain */
    double took_s[COUNTS][PARTS][BENCH_ROUNDS_MOST]; /* what each part works in all, not scaled */
    double share[COUNTS][PARTS]
                [BENCH_ROUNDS_MOST]; /* of the time line, of the task that took longest in each part */
} table;

static model line; /* one at a time; it is large */

/* As many workers as are asked for: of `worker_counts`. */
static int count_of(uint32_t most) {
    int count = 0;
    while (count < COUNTS && worker_counts[count] <= most) {
        ++count;
    }
    return count;
}

/* One pass of each with digests. Returns 0 if they differ. */
static int verify(input *of, int has_all, int count) {
    outcome first = run_loader(of, has_all, 1, 1), other = run_loader(of, has_all, 2, 1);
    int i, good = !first.failed && !other.failed && first.digest == other.digest && first.rows == other.rows;
    for (i = 0; i < count && good; ++i) {
        run_model(&line, of, has_all, worker_counts[i], NULL, 1);
        good = !line.out.failed && line.out.digest == first.digest && line.out.rows == first.rows;
    }
    if (!good) {
        fprintf(stderr, "%s: failed, or gives another digest with other workers; nothing is timed\n",
                of->name);
    }
    of->megabytes = of->store == NULL ? (double)first.text_bytes / 1e6 : of->megabytes;
    return good;
}

/* Keep what a pass of the model gave. */
static void keep_pass(table *to, int which, int round) {
    int part;
    for (part = 0; part < PARTS; ++part) {
        to->took_s[which][part][round] = 1e-9 * (double)line.took_ns[part];
        to->share[which][part][round] = (double)line.most_ns[part] / (double)line.end_ns;
    }
    to->line_s[which][round] = 1e-9 * (double)line.end_ns;
    to->chain_s[which][round] = 1e-9 * (double)later(line.chain_ns, line.caller_chain_ns);
}

/*
 * How to scale a pass with more workers than 2, which comes after that with 2 in its round: so that each part works as
 * long, if it takes as long as it did last time. With many workers files that are open at a time may be decoded ahead,
 * which they are not with few: then decoding has nothing to be compared with.
 */
static void make_scale(const table *from, int which, int round, double *out_scale) {
    int part, last = round > 0 ? round - 1 : 0;
    int differs = (from->took_s[1][BSI_PIPE_AHEAD][round] > 0) !=
                  (from->took_s[which][BSI_PIPE_AHEAD][last] > 0);
    for (part = 0; part < PARTS; ++part) {
        double wanted = from->took_s[1][part][round], took = from->took_s[which][part][last];
        int may = wanted > 0 && took > 0 && which > 1 && !(differs && part == BSI_PIPE_ROUTE);
        out_scale[part] = may ? wanted / took : 1;
    }
}

/* In turns; medians stand in [0] at the end. */
static int measure(const input *of, int has_all, int count, table *to) {
    int round, i, part, rounds = bench_rounds();
    for (i = 0; i < count; ++i) { /* how long parts take, for the first round */
        run_model(&line, of, has_all, worker_counts[i], NULL, 0);
        keep_pass(to, i, 0);
    }
    for (round = 0; round < rounds; ++round) {
        for (i = 0; i < MEASURED; ++i) {
            outcome out = run_loader(of, has_all, (uint32_t)i + 1, 0);
            if (out.failed) {
                return 0;
            }
            to->measured_s[i][round] = out.time.wall;
            to->measured_cpu[i][round] = out.time.cpu;
        }
        for (i = 0; i < count; ++i) {
            double scale[PARTS];
            make_scale(to, i, round, scale);
            run_model(&line, of, has_all, worker_counts[i], scale, 0);
            if (line.out.failed) {
                return 0;
            }
            keep_pass(to, i, round);
        }
    }
    for (i = 0; i < MEASURED; ++i) {
        to->measured_s[i][0] = bench_median_of(to->measured_s[i], rounds);
        to->measured_cpu[i][0] = bench_median_of(to->measured_cpu[i], rounds);
    }
    for (i = 0; i < count; ++i) {
        to->line_s[i][0] = bench_median_of(to->line_s[i], rounds);
        to->chain_s[i][0] = bench_median_of(to->chain_s[i], rounds);
        for (part = 0; part < PARTS; ++part) {
            to->share[i][part][0] = bench_median_of(to->share[i][part], rounds);
            to->took_s[i][part][0] = bench_median_of(to->took_s[i][part], rounds);
        }
    }
    return 1;
}

/* ---- printing ------------------------------------------------------------------------ */

/* Whether only one task of a part runs at a time, for a file. */
static int is_serial(int part) {
    return part == BSI_PIPE_ROUTE || part == BSI_PIPE_READ || part == BSI_PLAN_SCAN ||
           part == BSI_PLAN_SEQUENCE || part == PART_CALLER || part == PART_LOCK;
}

/* The serial part that takes most of the time line. */
static int busiest(const table *of, int which) {
    int part, best = PART_LOCK;
    for (part = 0; part < PARTS; ++part) {
        if (is_serial(part) && of->share[which][part][0] > of->share[which][best][0]) {
            best = part;
        }
    }
    return best;
}

static void write_row(const input *of, const char *stage, const char *has, const char *what, uint32_t workers,
                      double value, const char *unit, bench_time time) {
    char name[96];
    snprintf(name, sizeof name, "%s, %s%s%" PRIu32 " worker%s", has, what, *what != '\0' ? ", " : "", workers,
             workers > 1 ? "s" : "");
    bench_tsv_row(stage, of->name, name, value, unit, (int)workers, time);
}

/* What all parts work, in s; the caller's calls are part of the lock's time. */
static double work_of(const table *from, int which) {
    double work_s = 0;
    int part;
    for (part = 0; part < PARTS; ++part) {
        work_s += part == PART_CALLER ? 0 : from->took_s[which][part][0];
    }
    return work_s;
}

/* The CPU time of both is not touched by other programs: with 2 workers it tells what moving data between cores costs. */
static void print_measured(const input *of, const char *has, const table *from) {
    int i;
    for (i = 0; i < MEASURED; ++i) {
        bench_time time = {from->measured_s[i][0], from->measured_cpu[i][0]};
        printf("  %-10s %7d %8.0f %8.2f %9s MB/s of model / measured %.2f, CPU time %.2f\n", "measured",
               i + 1, of->megabytes / time.wall, from->measured_s[0][0] / time.wall, "",
               time.wall / from->line_s[i][0], work_of(from, i) / time.cpu);
        write_row(of, "model", has, "measured", (uint32_t)i + 1, of->megabytes / time.wall, "MB/s", time);
    }
}

/* What each serial part takes of the time line of most workers: from a tenth on. */
static void write_shares(const input *of, const char *has, const table *from, int which) {
    const bench_time none = {0, 0};
    int part;
    for (part = 0; part < PARTS; ++part) {
        if (is_serial(part) && from->share[which][part][0] >= 0.1) {
            write_row(of, "model-serial", has, part_names[part], worker_counts[which],
                      from->share[which][part][0], "of the time", none);
        }
    }
    write_row(of, "model-serial", has, "longest chain of tasks", worker_counts[which],
              from->chain_s[which][0] / from->line_s[which][0], "of the time", none);
}

/* What each part works in all, in ms, as it was; see the top. */
static void print_parts(int count, const table *from) {
    int i, part;
    printf("  %-18s", "work of, ms");
    for (part = 0; part < PARTS; ++part) {
        printf(" %9.9s", part_names[part]);
    }
    printf("\n");
    for (i = 0; i < count; ++i) {
        printf("  %-10s %7" PRIu32, "model", worker_counts[i]);
        for (part = 0; part < PARTS; ++part) {
            printf(" %9.1f", 1e3 * from->took_s[i][part][0]);
        }
        printf("\n");
    }
}

static void print_table(const input *of, const char *has, int count, const table *from) {
    int i;
    printf("%s, %s: %.1f MB of text\n  %-10s %7s %8s %8s %8s  %s\n", of->name, has, of->megabytes, "",
           "workers", "MB/s", "speed-up", "chain", "busiest serial part");
    print_measured(of, has, from);
    for (i = 0; i < count; ++i) {
        const bench_time none = {0, 0};
        int part = busiest(from, i);
        printf("  %-10s %7" PRIu32 " %8.0f %8.2f %8.2f  %s %.2f\n", "model", worker_counts[i],
               of->megabytes / from->line_s[i][0], from->line_s[0][0] / from->line_s[i][0],
               from->chain_s[i][0] / from->line_s[i][0], part_names[part], from->share[i][part][0]);
        write_row(of, "model", has, "model", worker_counts[i], of->megabytes / from->line_s[i][0], "MB/s",
                  none);
    }
    write_shares(of, has, from, count - 1);
    print_parts(count, from);
    printf("\n");
    fflush(stdout);
}

/* Both cases of an input. */
static int bench_input(input *of, int count) {
    static table all;
    int has_all, good = 1;
    for (has_all = 0; has_all < 2 && good; ++has_all) {
        good = verify(of, has_all, count) && measure(of, has_all, count, &all);
        if (good) {
            print_table(of, has_all ? "f32 with all" : "f32", count, &all);
        }
    }
    return good;
}

/* ---- inputs ---------------------------------------------------------------------------- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* A store of reads in a folder, with qualities. The name of its file is kept in `save_path`. */
static int bench_store(const char *reads, const char *folder, int count) {
    char save_path[1024];
    biost_store_desc desc;
    biost_error error;
    input of;
    size_t bytes = 0;
    int good;
    memset(&desc, 0, sizeof desc);
    memset(&of, 0, sizeof of);
    snprintf(save_path, sizeof save_path, "%s/model.bst", folder);
    desc.paths = &reads;
    desc.path_count = 1;
    desc.duplicate_names = 1;
    desc.qualities = 1;
    desc.memory_bytes = UINT64_C(1) << 33;
    desc.save_path = save_path;
    if (biost_store_build(&desc, &of.store, &error) != BIOST_OK) {
        fprintf(stderr, "bench_model: %s\n", error.text);
        return 0;
    }
    free(bench_read_file(reads, &bytes));
    of.name = "short.bst";
    of.megabytes = (double)bytes / 1e6;
    good = bench_input(&of, count);
    (void)biost_store_close(of.store, NULL);
    remove(save_path);
    return good;
}

/* What the arguments from `i` on name. Returns how many were used, 0 if it failed. */
static int bench_arguments(int argc, char **argv, int i, int count) {
    const char *parts[PARTS_MOST];
    input of;
    int first = i;
    memset(&of, 0, sizeof of);
    if (strcmp(argv[i], "--store") == 0) {
        return i + 2 < argc && bench_store(argv[i + 1], argv[i + 2], count) ? 3 : 0;
    }
    if (strcmp(argv[i], "--open") == 0 && i + 2 < argc) {
        of.name = argv[i + 1];
        for (i += 2; i < argc && argv[i][0] != '-' && of.path_count < PARTS_MOST; ++i) {
            parts[of.path_count++] = argv[i];
        }
    } else {
        parts[of.path_count++] = argv[i++];
        of.name = base_name(parts[0]);
    }
    of.paths = parts;
    return bench_input(&of, count) ? i - first : 0;
}

int main(int argc, char **argv) {
    long most = WORKERS_MOST;
    int i = 1, count, used, good = bench_tsv_open(&argc, argv);
    if (argc > 2 && strcmp(argv[1], "-n") == 0) {
        most = strtol(argv[2], NULL, 10);
        i = 3;
    }
    if (i >= argc || most < 2) {
        fprintf(stderr, "usage: bench_model [--tsv FILE] [-n WORKERS_MOST] FILE... [--open NAME PART...] "
                        "[--store READS.fastq FOLDER]\n");
        return 2;
    }
    bench_conditions();
    printf("ours       %s\n", biost_features().text);
    printf("loader     one-hot f32, %d rows x %d bases x 4, %d slots, of more workers as many; with all: "
           "shuffle 65536 "
           "(a store: any\n           order), reverse complement 0.5, qualities (u8), mask\n",
           ROWS, BASES, SLOTS);
    printf("timing     medians of %d alternating rounds, page cache warm; measured: from begin to the end of "
           "the epoch; model: "
           "tasks of one "
           "thread on a\n           time line; 1 MB is 10^6 bytes of text\n\n",
           bench_rounds());
    fflush(stdout);
    count = count_of((uint32_t)most);
    for (; i < argc && good; i += used) {
        used = bench_arguments(argc, argv, i, count);
        good = used > 0;
    }
    return good ? 0 : 1;
}
