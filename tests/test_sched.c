/*
 * test_sched.c - the scheduler: order of tasks on one thread, each task once on many, pause and
 * close.
 *
 * Nothing here waits for time to pass. Where one thread must be at some point before another goes
 * on, it looks, under the scheduler's lock, for what the other leaves there.
 *
 * rooms: sched platform
 * needs: loader threads
 */
/* As the header would, were it the first to include anything. */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64
#if defined(__APPLE__)
#define _DARWIN_C_SOURCE 1
#endif
#include <pthread.h>
#include <sched.h>

/* Threads that the system refuses: the wrappers below stand in for pthread_create and
 * pthread_join. */
static int refused_thread, threads_made, threads_joined;

static int test_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                       void *argument) {
    if (refused_thread > 0 && threads_made + 1 == refused_thread) {
        return 11; /* EAGAIN */
    }
    ++threads_made;
    return pthread_create(thread, attributes, run, argument);
}

static int test_join(pthread_t thread, void **result) {
    ++threads_joined;
    return pthread_join(thread, result);
}

#define pthread_create test_create
#define pthread_join   test_join
#include "white.h"
#undef pthread_create
#undef pthread_join
#include "test.h"

/* ---- one thread ---- */

/* What ran, in order; the owner of the scheduler. */
typedef struct journal {
    uint32_t ids[4096], count;
} journal;

typedef struct job {
    bsi_sched_task task; /* first: a task's address is its job's */
    uint32_t id, works, finishes;
} job;

static void job_work(void *owner, bsi_sched_task *task) {
    job *j = (job *)task;
    (void)owner;
    ++j->works;
}

static void job_finish(void *owner, bsi_sched_task *task) {
    journal *all = (journal *)owner;
    job *j = (job *)task;
    CHECK_EQ_U64(task->busy, 0); /* finish may push it again */
    CHECK_EQ_U64(j->works, j->finishes + 1);
    ++j->finishes;
    all->ids[all->count++] = j->id;
}

static void job_open(job *j, uint32_t id, uint32_t stage) {
    memset(j, 0, sizeof *j);
    j->task.work = job_work;
    j->task.finish = job_finish;
    j->task.stage = stage;
    j->id = id;
}

/* Zeroed on the heap: a scheduler must not move. */
static bsi_sched *sched_open(void *owner, uint32_t threads, uint64_t order_seed) {
    bsi_sched *sched = (bsi_sched *)(void *)test_copy(NULL, sizeof(bsi_sched));
    memset(sched, 0, sizeof *sched);
    biost_jobs own_threads = {NULL, NULL};
    if (!bsi_sched_open(sched, owner, threads, &own_threads, order_seed)) {
        free(sched);
        return NULL;
    }
    return sched;
}

static void sched_close(bsi_sched *sched) {
    bsi_sched_close(sched);
    free(sched);
}

/* Under lock, which it lets go meanwhile: until so many workers sleep. */
static void await_sleeping(bsi_sched *sched, uint32_t count) {
    while (sched->sleeping_count < count) {
        bsi_platform_unlock(&sched->lock);
        sched_yield();
        bsi_platform_lock(&sched->lock);
    }
}

/* Under lock. The caller runs tasks until none is ready. */
static void run_ready(bsi_sched *sched) {
    bsi_sched_task *task = NULL;
    while ((task = bsi_sched_take_by(sched, task, BSI_SCHED_ANY)) != NULL) {
        bsi_sched_run_by(sched, task, BSI_SCHED_ANY);
    }
}

TEST(sched, deepest_stage_first_and_oldest_within) {
    static const uint32_t stages[10] = {0, 3, 1, 3, 7, 0, 1, 7, 3, 5};
    static const uint32_t order[10] = {4, 7, 9, 1, 3, 8, 2, 6, 0, 5};
    journal all;
    job jobs[10];
    bsi_sched *sched = sched_open(&all, 0, 0);
    REQUIRE(sched != NULL);
    all.count = 0;
    bsi_platform_lock(&sched->lock);
    for (uint32_t i = 0; i < 10; i++) {
        job_open(&jobs[i], i, stages[i]);
        bsi_sched_push(sched, &jobs[i].task);
        CHECK_EQ_U64(jobs[i].task.busy, 1);
    }
    CHECK_EQ_U64(sched->ready_count, 10);
    run_ready(sched);
    CHECK_EQ_U64(sched->ready_count, 0);
    CHECK(bsi_sched_take_by(sched, NULL, BSI_SCHED_ANY) == NULL);
    bsi_platform_unlock(&sched->lock);
    CHECK_EQ_U64(all.count, 10);
    CHECK_MEM(all.ids, order, sizeof order);
    sched_close(sched);
}

enum { MODEL_JOBS = 60 };

/* Random pushes and takes against a plain list: of the ready ones the highest stage, then the
 * first pushed. */
TEST(sched, random_traffic_against_a_list) {
    uint64_t random = test_seed();
    journal all;
    job jobs[MODEL_JOBS];
    uint32_t ready[MODEL_JOBS], count = 0;
    bsi_sched *sched = sched_open(&all, 0, 0);
    REQUIRE(sched != NULL);
    all.count = 0;
    for (uint32_t i = 0; i < MODEL_JOBS; i++) {
        job_open(&jobs[i], i, (uint32_t)(test_random(&random) % BSI_SCHED_STAGES));
    }
    bsi_platform_lock(&sched->lock);
    for (int step = 0; step < 3000; step++) {
        uint32_t i = (uint32_t)(test_random(&random) % MODEL_JOBS), best = 0;
        bsi_sched_task *task;
        if (!jobs[i].task.busy) {
            bsi_sched_push(sched, &jobs[i].task);
            ready[count++] = i;
        }
        if (test_random(&random) % 3 > 0) {
            continue;
        }
        for (uint32_t k = 1; k < count; k++) {
            best = jobs[ready[k]].task.stage > jobs[ready[best]].task.stage ? k : best;
        }
        task = bsi_sched_take_by(sched, NULL, BSI_SCHED_ANY);
        if (!CHECK(task == (count > 0 ? &jobs[ready[best]].task : NULL)) || task == NULL) {
            break;
        }
        task->busy = 0;
        memmove(ready + best, ready + best + 1, (--count - best) * sizeof ready[0]);
        CHECK_EQ_U64(sched->ready_count, count);
    }
    bsi_platform_unlock(&sched->lock);
    CHECK(count > 0); /* the traffic did not stop early */
    sched_close(sched);
}

/* A task may make itself ready again from finish. */
typedef struct counter {
    bsi_sched_task task;
    bsi_sched *sched;
    uint32_t left, runs;
} counter;

static void counter_work(void *owner, bsi_sched_task *task) {
    (void)owner;
    (void)task;
}

static void counter_finish(void *owner, bsi_sched_task *task) {
    counter *c = (counter *)task;
    (void)owner;
    ++c->runs;
    if (--c->left > 0) {
        bsi_sched_push(c->sched, task);
    }
}

TEST(sched, pushed_again_from_finish) {
    counter c;
    bsi_sched *sched = sched_open(NULL, 0, 0);
    REQUIRE(sched != NULL);
    memset(&c, 0, sizeof c);
    c.task.work = counter_work;
    c.task.finish = counter_finish;
    c.sched = sched;
    c.left = 100;
    bsi_platform_lock(&sched->lock);
    bsi_sched_push(sched, &c.task);
    run_ready(sched);
    bsi_platform_unlock(&sched->lock);
    CHECK_EQ_U64(c.runs, 100);
    CHECK_EQ_U64(c.task.busy, 0);
    sched_close(sched);
}

/*
 * A task that stays is taken again by the thread that ran it last, before deeper ones, if it is
 * the oldest of its stage and there are threads to take the deeper ones. The worker sleeps all the
 * while: nobody wakes it.
 */
static void check_staying(uint32_t threads, int stays, int first_of_stage, int expected_to_stay) {
    job self, other, deep;
    bsi_sched_task *task;
    bsi_sched *sched = sched_open(NULL, threads, 0);
    REQUIRE(sched != NULL);
    job_open(&self, 0, 2);
    job_open(&other, 1, 2);
    job_open(&deep, 2, 5);
    self.task.stays = stays;
    bsi_platform_lock(&sched->lock);
    await_sleeping(sched, threads);
    if (!first_of_stage) {
        bsi_sched_push(sched, &other.task);
    }
    bsi_sched_push(sched, &self.task);
    bsi_sched_push(sched, &deep.task);
    task = bsi_sched_take_by(sched, &self.task, BSI_SCHED_ANY);
    CHECK(task == (expected_to_stay ? &self.task : &deep.task));
    while (bsi_sched_take_by(sched, NULL, BSI_SCHED_ANY) != NULL) {
    }
    bsi_platform_unlock(&sched->lock);
    sched_close(sched);
}

TEST(sched, a_task_that_stays) {
    check_staying(1, 1, 1, 1);
    check_staying(1, 0, 1, 0); /* it does not ask to */
    check_staying(1, 1, 0, 0); /* an older one of its stage waits */
    check_staying(0, 1, 1, 0); /* one thread: depth first, always */
}

/*
 * What is at home with a thread is left to it while there is anything else, of any stage; who takes it
 * gives it a home.
 */
TEST(sched, tasks_at_home) {
    enum { NONE = BSI_SCHED_ANY, CALLER = BSI_SCHED_CALLER, WORKER };
    job jobs[4];
    uint32_t homes[4] = {NONE, WORKER, WORKER, NONE};
    bsi_sched *sched = sched_open(NULL, 0, 0);
    REQUIRE(sched != NULL);
    bsi_platform_lock(&sched->lock);
    CHECK(bsi_sched_take_by(sched, NULL, CALLER) == NULL);
    for (uint32_t i = 0; i < 4; i++) {
        job_open(&jobs[i], i, i < 3 ? 5 : 1);
        jobs[i].task.home = i < 3 ? &homes[i] : NULL;
    }
    bsi_sched_push(sched, &jobs[1].task);
    bsi_sched_push(sched, &jobs[0].task);
    bsi_sched_push(sched, &jobs[2].task);
    bsi_sched_push(sched, &jobs[3].task);
    CHECK(bsi_sched_take_by(sched, NULL, CALLER) == &jobs[0].task); /* after another's, nobody's */
    CHECK_EQ_U64(homes[0], CALLER);
    CHECK(bsi_sched_take_by(sched, NULL, CALLER) == &jobs[3].task); /* less deep */
    CHECK(bsi_sched_take_by(sched, NULL, CALLER) == &jobs[1].task); /* there is nothing else */
    CHECK_EQ_U64(homes[1], CALLER);
    bsi_sched_push(sched, &jobs[0].task);
    CHECK(bsi_sched_take_by(sched, NULL, WORKER) == &jobs[2].task); /* its own, the older one too */
    CHECK(bsi_sched_take_by(sched, NULL, BSI_SCHED_ANY) ==
          &jobs[0].task); /* threads without a number take the deepest */
    CHECK_EQ_U64(homes[0], NONE);
    CHECK_EQ_U64(sched->ready_count, 0);
    bsi_platform_unlock(&sched->lock);
    sched_close(sched);
}

/* ---- the random executor ---- */

/* Push 12 tasks over all stages, run them in the order of a seed; each runs once. */
static void random_run(uint64_t seed, journal *all) {
    job jobs[12];
    uint32_t runs = 0;
    bsi_sched *sched = sched_open(all, 0, seed);
    REQUIRE(sched != NULL);
    all->count = 0;
    bsi_platform_lock(&sched->lock);
    for (uint32_t i = 0; i < 12; i++) {
        job_open(&jobs[i], i, i * 5 % BSI_SCHED_STAGES);
        bsi_sched_push(sched, &jobs[i].task);
    }
    run_ready(sched);
    bsi_platform_unlock(&sched->lock);
    for (uint32_t i = 0; i < 12; i++) {
        CHECK_EQ_U64(jobs[i].works, 1);
        CHECK_EQ_U64(jobs[i].finishes, 1);
        runs += jobs[i].works;
    }
    CHECK_EQ_U64(all->count, runs);
    CHECK_EQ_U64(sched->ready_count, 0);
    for (uint32_t stage = 0; stage < BSI_SCHED_STAGES; stage++) {
        CHECK(sched->first[stage] == NULL && sched->last[stage] == NULL);
    }
    sched_close(sched);
}

TEST(sched, random_order_runs_each_once) {
    uint32_t first[12], last[12];
    memset(first, 0, sizeof first);
    memset(last, 0, sizeof last);
    for (uint64_t seed = 1; seed <= 1200; seed++) {
        journal all, again;
        random_run(seed * 0x9E3779B97F4A7C15u, &all);
        random_run(seed * 0x9E3779B97F4A7C15u, &again);
        CHECK_MEM(again.ids, all.ids, 12 * sizeof all.ids[0]); /* a seed is an order */
        ++first[all.ids[0]];
        ++last[all.ids[11]];
    }
    for (int i = 0; i < 12; i++) { /* every task can come first and last: 100 each, sigma 9.6 */
        test_note("task %d", i);
        CHECK(first[i] > 50 && first[i] < 150);
        CHECK(last[i] > 50 && last[i] < 150);
    }
}

/* Pushes among random takes: nothing is lost where lists empty and fill. */
TEST(sched, random_order_under_traffic) {
    uint64_t random = test_seed();
    for (uint64_t seed = 1; seed <= 20; seed++) {
        journal all;
        job jobs[MODEL_JOBS];
        uint32_t pushed = 0;
        bsi_sched *sched = sched_open(&all, 0, seed);
        REQUIRE(sched != NULL);
        all.count = 0;
        for (uint32_t i = 0; i < MODEL_JOBS; i++) {
            job_open(&jobs[i], i, (uint32_t)(test_random(&random) % BSI_SCHED_STAGES));
        }
        bsi_platform_lock(&sched->lock);
        for (int step = 0; step < 1000; step++) {
            job *j = &jobs[test_random(&random) % MODEL_JOBS];
            if (!j->task.busy) {
                bsi_sched_push(sched, &j->task);
                ++pushed;
            }
            if (test_random(&random) % 3 == 0) {
                bsi_sched_task *task = bsi_sched_take_by(sched, NULL, BSI_SCHED_ANY);
                REQUIRE(task != NULL);
                bsi_sched_run_by(sched, task, BSI_SCHED_ANY);
            }
            CHECK_EQ_U64(sched->ready_count, pushed - all.count);
        }
        run_ready(sched);
        bsi_platform_unlock(&sched->lock);
        CHECK_EQ_U64(all.count, pushed);
        sched_close(sched);
    }
}

/* ---- many threads ---- */

enum { CHAINS = 16, LINKS = 200 };

/* A chain runs LINKS times, one stage deeper each time, and counts what it does without and with
 * the lock. */
typedef struct chain {
    bsi_sched_task task;
    uint32_t works, finishes;
} chain;

typedef struct chains {
    bsi_sched *sched;
    chain all[CHAINS];
    uint32_t links_left; /* under lock */
} chains;

static void chain_work(void *owner, bsi_sched_task *task) {
    chains *c = (chains *)owner;
    bsi_platform_lock(&c->sched->lock); /* never returns if the caller holds it */
    bsi_platform_unlock(&c->sched->lock);
    ++((chain *)task)->works;
}

static void chain_finish(void *owner, bsi_sched_task *task) {
    chains *c = (chains *)owner;
    chain *self = (chain *)task;
    ++self->finishes;
    if (self->finishes < LINKS) {
        task->stage = self->finishes % BSI_SCHED_STAGES;
        bsi_sched_push(c->sched, task);
    }
    if (--c->links_left == 0) {
        bsi_sched_wake_caller(c->sched);
    }
}

/* The caller helps, as biost_loader_next does: runs what is ready, sleeps while others run. */
static void run_chains(uint32_t threads, uint64_t order_seed) {
    chains c;
    bsi_sched_task *task = NULL;
    memset(&c, 0, sizeof c);
    c.sched = sched_open(&c, threads, order_seed);
    REQUIRE(c.sched != NULL);
    bsi_platform_lock(&c.sched->lock);
    for (int round = 0; round < 3; round++) {
        c.links_left = CHAINS * LINKS;
        for (int i = 0; i < CHAINS; i++) {
            memset(&c.all[i], 0, sizeof c.all[i]);
            c.all[i].task.work = chain_work;
            c.all[i].task.finish = chain_finish;
            c.all[i].task.stays = i < 2;
            bsi_sched_push(c.sched, &c.all[i].task);
        }
        bsi_sched_wake_one(c.sched);
        while (c.links_left > 0) {
            task = bsi_sched_take_by(c.sched, task, BSI_SCHED_ANY);
            if (task != NULL) {
                bsi_sched_run_by(c.sched, task, BSI_SCHED_ANY);
            } else {
                CHECK(c.sched->running_count > 0); /* else all is stuck */
                bsi_sched_wait(c.sched);
            }
        }
        for (int i = 0; i < CHAINS; i++) {
            CHECK_EQ_U64(c.all[i].works, LINKS);
            CHECK_EQ_U64(c.all[i].finishes, LINKS);
            CHECK_EQ_U64(c.all[i].task.busy, 0);
        }
        CHECK_EQ_U64(c.sched->ready_count, 0);
        CHECK_EQ_U64(c.sched->running_count, 0);
    }
    bsi_platform_unlock(&c.sched->lock);
    sched_close(c.sched);
}

TEST(sched, each_task_once_on_any_number_of_threads) {
    static const uint32_t threads[] = {0, 1, 2, 4, 8}; /* beside the caller */
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        test_note("%u threads", threads[i]);
        run_chains(threads[i], 0);
        run_chains(threads[i], 0x123456789u);
    }
}

/* Threads alone, without a helping caller: one wake suffices, each worker wakes the next. */
TEST(sched, workers_need_no_caller) {
    chains c;
    memset(&c, 0, sizeof c);
    c.sched = sched_open(&c, 2, 0);
    REQUIRE(c.sched != NULL);
    bsi_platform_lock(&c.sched->lock);
    c.links_left = CHAINS * LINKS;
    for (int i = 0; i < CHAINS; i++) {
        c.all[i].task.work = chain_work;
        c.all[i].task.finish = chain_finish;
        bsi_sched_push(c.sched, &c.all[i].task);
    }
    bsi_sched_wake_one(c.sched);
    while (c.links_left > 0) {
        bsi_sched_wait(c.sched);
    }
    bsi_platform_unlock(&c.sched->lock);
    sched_close(c.sched);
}

/* ---- threads that meet ---- */

/* A task whose work goes on only when `until` holds, which is asked under the lock. */
typedef struct meeting {
    bsi_sched_task task;
    bsi_sched *sched;
    int (*until)(struct meeting *self);
    bsi_sched_task *push_in_work, *push_in_finish;
    uint32_t runs;
    int begun; /* under lock: work was entered */
    struct meeting *other;
} meeting;

static int until_now(meeting *self) {
    (void)self;
    return 1;
}

static int until_caller_sleeps(meeting *self) {
    return self->sched->caller_sleeps;
}

static int until_paused(meeting *self) {
    return self->sched->paused && self->sched->caller_sleeps;
}

static int until_stopping(meeting *self) {
    return self->sched->stopping;
}

static int until_other_ran(meeting *self) {
    return self->other->runs > 0;
}

static void meeting_wait(meeting *self) {
    bsi_platform_lock(&self->sched->lock);
    self->begun = 1;
    while (!self->until(self)) {
        bsi_platform_unlock(&self->sched->lock);
        sched_yield();
        bsi_platform_lock(&self->sched->lock);
    }
    bsi_platform_unlock(&self->sched->lock);
}

static void meeting_work(void *owner, bsi_sched_task *task) {
    meeting *self = (meeting *)task;
    (void)owner;
    meeting_wait(self);
    if (self->push_in_work != NULL) {
        bsi_platform_lock(&self->sched->lock);
        bsi_sched_push(self->sched, self->push_in_work);
        bsi_sched_wake_one(self->sched);
        bsi_platform_unlock(&self->sched->lock);
        self->until = until_other_ran;
        meeting_wait(self);
    }
}

static void meeting_finish(void *owner, bsi_sched_task *task) {
    meeting *self = (meeting *)task;
    (void)owner;
    ++self->runs;
    if (self->push_in_finish != NULL) {
        bsi_sched_push(self->sched, self->push_in_finish);
    }
}

static void meeting_open(meeting *m, bsi_sched *sched, int (*until)(meeting *self)) {
    memset(m, 0, sizeof *m);
    m->task.work = meeting_work;
    m->task.finish = meeting_finish;
    m->sched = sched;
    m->until = until;
}

/* Under lock, which it lets go meanwhile: until a worker has entered the task's work. */
static void await_begun(meeting *m) {
    while (!m->begun) {
        bsi_platform_unlock(&m->sched->lock);
        sched_yield();
        bsi_platform_lock(&m->sched->lock);
    }
}

static int until_other_begun(meeting *self) {
    return self->other->begun;
}

/* One wake for two tasks: who takes the first wakes another worker for the second. Each task goes
 * on only when the other was begun. */
TEST(sched, a_woken_worker_wakes_the_next) {
    meeting a, b;
    bsi_sched *sched = sched_open(NULL, 2, 0);
    REQUIRE(sched != NULL);
    meeting_open(&a, sched, until_other_begun);
    meeting_open(&b, sched, until_other_begun);
    a.other = &b;
    b.other = &a;
    bsi_platform_lock(&sched->lock);
    await_sleeping(sched, 2);
    bsi_sched_push(sched, &a.task);
    bsi_sched_push(sched, &b.task);
    bsi_sched_wake_one(sched);
    await_begun(&a);
    await_begun(&b);
    while (sched->running_count > 0) {
        bsi_sched_wait(sched);
    }
    bsi_platform_unlock(&sched->lock);
    CHECK_EQ_U64(a.runs, 1);
    CHECK_EQ_U64(b.runs, 1);
    sched_close(sched);
}

/* The last running task makes nothing ready. The caller that sleeps must wake all the same: it is
 * the one to see that nothing more will come. */
TEST(sched, caller_learns_that_all_is_stuck) {
    meeting last;
    bsi_sched *sched = sched_open(NULL, 1, 0);
    REQUIRE(sched != NULL);
    meeting_open(&last, sched, until_caller_sleeps);
    bsi_platform_lock(&sched->lock);
    bsi_sched_push(sched, &last.task);
    bsi_sched_wake_one(sched);
    await_begun(&last);
    while (sched->running_count > 0) {
        bsi_sched_wait(sched);
    }
    bsi_platform_unlock(&sched->lock);
    CHECK_EQ_U64(last.runs, 1);
    sched_close(sched);
}

/* All workers are at work and the caller sleeps: a task made ready then wakes the caller, who runs
 * it. */
TEST(sched, sleeping_caller_helps) {
    meeting busy, small;
    bsi_sched_task *task = NULL;
    bsi_sched *sched = sched_open(NULL, 1, 0);
    REQUIRE(sched != NULL);
    meeting_open(&busy, sched, until_caller_sleeps);
    meeting_open(&small, sched, until_now);
    busy.push_in_work = &small.task;
    busy.other = &small;
    bsi_platform_lock(&sched->lock);
    bsi_sched_push(sched, &busy.task);
    bsi_sched_wake_one(sched);
    await_begun(&busy);
    while ((task = bsi_sched_take_by(sched, NULL, BSI_SCHED_ANY)) == NULL) {
        bsi_sched_wait(sched);
    }
    CHECK(task == &small.task);
    bsi_sched_run_by(sched, task, BSI_SCHED_ANY);
    while (sched->running_count > 0) {
        bsi_sched_wait(sched);
    }
    bsi_platform_unlock(&sched->lock);
    CHECK_EQ_U64(busy.runs, 1);
    CHECK_EQ_U64(small.runs, 1);
    sched_close(sched);
}

/* Pause lets the running task end and its finish be heard, forgets what is ready, also what that
 * finish made ready, and leaves all tasks idle; then nothing runs until resume. */
TEST(sched, pause_waits_and_forgets) {
    meeting running, ready[3];
    bsi_sched *sched = sched_open(NULL, 1, 0);
    REQUIRE(sched != NULL);
    meeting_open(&running, sched, until_paused);
    for (uint32_t i = 0; i < 3; i++) {
        meeting_open(&ready[i], sched, until_now);
        ready[i].task.stage = i % 2;
    }
    running.task.stage = 7;
    running.push_in_finish = &ready[2].task;
    bsi_platform_lock(&sched->lock);
    bsi_sched_push(sched, &ready[0].task);
    bsi_sched_push(sched, &ready[1].task);
    bsi_sched_push(sched, &running.task); /* deepest: it goes first */
    bsi_sched_wake_one(sched);
    await_begun(&running);
    bsi_sched_pause(sched);
    CHECK_EQ_U64(running.runs, 1);
    CHECK_EQ_U64(running.task.busy, 0);
    CHECK_EQ_U64(sched->running_count, 0);
    CHECK_EQ_U64(sched->ready_count, 0);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ_U64(ready[i].runs, 0);
        CHECK_EQ_U64(ready[i].task.busy, 0);
    }
    bsi_sched_push(sched, &ready[0].task);
    CHECK(bsi_sched_take_by(sched, NULL, BSI_SCHED_ANY) == NULL); /* paused */
    bsi_sched_resume(sched);
    running.until = until_now;
    running.push_in_finish = NULL;
    bsi_sched_push(sched, &ready[1].task);
    bsi_sched_push(sched, &ready[2].task);
    bsi_sched_push(sched, &running.task);
    run_ready(sched); /* and so does the worker, if it wakes */
    while (sched->running_count > 0) {
        bsi_sched_wait(sched);
    }
    bsi_platform_unlock(&sched->lock);
    CHECK_EQ_U64(running.runs, 2);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ_U64(ready[i].runs, 1);
    }
    sched_close(sched);
}

TEST(sched, pause_of_an_idle_scheduler) {
    meeting m;
    bsi_sched *sched = sched_open(NULL, 2, 0);
    REQUIRE(sched != NULL);
    meeting_open(&m, sched, until_now);
    bsi_platform_lock(&sched->lock);
    bsi_sched_pause(sched);
    bsi_sched_pause(sched); /* twice is once */
    bsi_sched_resume(sched);
    bsi_sched_push(sched, &m.task);
    run_ready(sched);
    while (sched->running_count > 0) {
        bsi_sched_wait(sched);
    }
    bsi_platform_unlock(&sched->lock);
    CHECK_EQ_U64(m.runs, 1);
    sched_close(sched);
}

/* ---- open and close ---- */

/* Close comes while a task runs: it ends, finish and all, before close returns; what is ready
 * stays undone. */
TEST(sched, close_joins) {
    meeting running, ready;
    bsi_sched *sched = sched_open(NULL, 1, 0);
    REQUIRE(sched != NULL);
    meeting_open(&running, sched, until_stopping);
    meeting_open(&ready, sched, until_now);
    running.task.stage = 1;
    bsi_platform_lock(&sched->lock);
    bsi_sched_push(sched, &ready.task);
    bsi_sched_push(sched, &running.task);
    bsi_sched_wake_one(sched);
    await_begun(&running);
    bsi_platform_unlock(&sched->lock);
    threads_joined = 0;
    sched_close(sched);
    CHECK_EQ_I64(threads_joined, 1);
    CHECK_EQ_U64(running.runs, 1);
    CHECK_EQ_U64(ready.runs, 0);
}

TEST(sched, open_and_close_at_once) {
    for (uint32_t threads = 0; threads <= 5; threads++) {
        for (int i = 0; i < 20; i++) {
            bsi_sched *sched = sched_open(NULL, threads, 0);
            REQUIRE(sched != NULL);
            CHECK_EQ_U64(sched->thread_count, threads);
            sched_close(sched);
        }
    }
}

/* The system refuses the n-th thread: open fails and those made before are joined. */
TEST(sched, refused_threads) {
    for (refused_thread = 1; refused_thread <= 5; refused_thread++) {
        bsi_sched *sched;
        threads_made = 0;
        threads_joined = 0;
        sched = sched_open(NULL, 5, 0);
        test_note("thread %d", refused_thread);
        CHECK(sched == NULL);
        CHECK_EQ_I64(threads_made, refused_thread - 1);
        CHECK_EQ_I64(threads_joined, threads_made);
    }
    refused_thread = 0;
}
