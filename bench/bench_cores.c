/*
 * bench_cores - how far two cores are from each other, which decides what a second worker is worth.
 *
 *   build/bench/bench_cores
 *
 * Two threads, on the first two processors that this process may use, pass a number to and fro; then one of them writes
 * 256 KiB, which the other reads twice: out of the first one's cache, and again out of its own. The best of ROUNDS rounds
 * counts, since what else runs only adds to it. run.sh and peers.sh put the line that it prints into the head of each file
 * of results; they ask before each program, since a host may move virtual processors at any time. With one processor, and
 * where a thread cannot be told where to run, it says so.
 */
#ifdef __linux__
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for the processors that a thread may use */
#endif
#include <pthread.h>
#include <sched.h>

#include "bench.h"

enum { ROUNDS = 65, PASSES = 300, PAGE = 256 << 10, PAGES = 2, LINE = 128 };

/* What both threads see. The number is even while it is the first thread's turn. */
typedef struct table {
    uint64_t page[PAGE / 8];
    uint8_t before[LINE];
    uint32_t number; /* alone in its lines of the cache */
    uint8_t after[LINE];
    int processors[2];
    double passing[ROUNDS], far[ROUNDS], near[ROUNDS]; /* s for all passes, and for all pages */
} table_t;

static table_t table;

/* Keeps the compiler from leaving out what is read. */
static volatile uint64_t sink;

static int stay_on(size_t processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static void await(uint32_t number) {
    while (__atomic_load_n(&table.number, __ATOMIC_ACQUIRE) != number) {
    }
}

static void hand_on(uint32_t number) {
    __atomic_store_n(&table.number, number, __ATOMIC_RELEASE);
}

static double best_of(const double *times) {
    double best = times[0];
    for (int i = 1; i < ROUNDS; ++i) {
        best = times[i] < best ? times[i] : best;
    }
    return best;
}

/* Seconds to read the page. */
static double read_page(void) {
    bench_time start = bench_now();
    uint64_t sums[4] = {0, 0, 0, 0}; /* of which none waits for another */
    for (size_t i = 0; i < PAGE / 8; i += 4) {
        sums[0] += table.page[i];
        sums[1] += table.page[i + 1];
        sums[2] += table.page[i + 2];
        sums[3] += table.page[i + 3];
    }
    sink = sums[0] + sums[1] + sums[2] + sums[3];
    return bench_since(start).wall;
}

/* The second thread: it answers each number, and reads what the first has written. */
static void *answer(void *unused) {
    uint32_t number = 0;
    (void)unused;
    if (!stay_on((size_t)table.processors[1])) {
        table.processors[1] = -1;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < PASSES; ++i, number += 2) {
            await(number + 1);
            hand_on(number + 2);
        }
        for (int i = 0; i < PAGES; ++i, number += 2) {
            await(number + 1);
            table.far[round] += read_page();
            table.near[round] += read_page();
            hand_on(number + 2);
        }
    }
    return NULL;
}

static void ask(void) {
    uint32_t number = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        bench_time start = bench_now();
        for (int i = 0; i < PASSES; ++i, number += 2) {
            hand_on(number + 1);
            await(number + 2);
        }
        table.passing[round] = bench_since(start).wall;
        for (int i = 0; i < PAGES; ++i, number += 2) {
            for (size_t at = 0; at < PAGE / 8; ++at) {
                table.page[at] = number + at;
            }
            hand_on(number + 1);
            await(number + 2);
        }
    }
}

int main(void) {
    cpu_set_t set;
    pthread_t thread;
    int found = 0;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        fprintf(stderr, "bench_cores: the processors that this process may use cannot be learnt\n");
        return 1;
    }
    for (size_t i = 0; i < CPU_SETSIZE && found < 2; ++i) {
        if (CPU_ISSET(i, &set)) {
            table.processors[found++] = (int)i;
        }
    }
    if (found < 2) {
        printf("one processor\n");
        return 0;
    }
    if (!stay_on((size_t)table.processors[0]) || pthread_create(&thread, NULL, answer, NULL) != 0) {
        fprintf(stderr, "bench_cores: two threads on two processors cannot be had\n");
        return 1;
    }
    ask();
    pthread_join(thread, NULL);
    if (table.processors[1] < 0) {
        fprintf(stderr, "bench_cores: the second thread cannot stay on one processor\n");
        return 1;
    }
    printf("%d and %d: %.0f ns to and fro, a page of 256 KiB that the other wrote %.1f GB/s, its own %.1f "
           "GB/s\n",
           table.processors[0], table.processors[1], best_of(table.passing) / PASSES * 1e9,
           1e-9 * PAGE * PAGES / best_of(table.far), 1e-9 * PAGE * PAGES / best_of(table.near));
    return 0;
}

#else
#include <stdio.h>

int main(void) {
    printf("unknown, since no thread can be told where to run\n");
    return 0;
}
#endif
