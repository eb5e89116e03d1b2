/*
 * patience.h - how much longer than on an idle, usual machine things take here and now: limits of time grow by it, so that
 * what hangs is stopped, and what is only slow is not. POSIX.
 */
#ifndef PATIENCE_H
#define PATIENCE_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifndef PATIENCE_MOST
#define PATIENCE_MOST 10 /* no limit grows by more */
#endif
#ifndef PATIENCE_USUAL_US
#define PATIENCE_USUAL_US 7000 /* of the loop that measures, on a usual machine */
#endif
#define PATIENCE_STEPS 5000000 /* of that loop: a multiplication and an addition, one after the other */

#if defined(__linux__) || defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || \
    defined(__NetBSD__)
#ifdef __cplusplus
extern "C"
#else
extern
#endif
    int
    getloadavg(double *, int); /* strict C hides it */
#define PATIENCE_LOAD(out) (getloadavg(out, 1) == 1)
#else
#define PATIENCE_LOAD(out) 0
#endif

/* Processor seconds of the loop against what it takes on a usual machine: slow and emulated ones are above 1. */
static double patience_slowness(void) {
    volatile uint32_t sink;
    uint32_t value = 1;
    clock_t start = clock();
    int i;
    for (i = 0; i < PATIENCE_STEPS; ++i) {
        value = value * 1664525u + 1013904223u;
        __asm__ volatile("" : "+r"(value));
    }
    sink = value;
    (void)sink;
    return (double)(clock() - start) * (1e6 / CLOCKS_PER_SEC) / PATIENCE_USUAL_US;
}

/* How many want each processor, over the last minute: of a loaded machine above 1. */
static double patience_load(void) {
    double load = 1, count = (double)sysconf(_SC_NPROCESSORS_ONLN);
    return PATIENCE_LOAD(&load) && count >= 1 ? load / count : 1;
}

/* 1 on a usual machine that is idle, more on others, PATIENCE_MOST at most. */
static double patience_factor(void) {
    double slowness = patience_slowness(), load = patience_load(), factor;
    slowness = slowness > 1 ? slowness : 1;
    load = load > 1 ? load : 1;
    factor = slowness * load;
    return factor < PATIENCE_MOST ? factor : PATIENCE_MOST;
}

/* As alarm, for what never comes back. */
__attribute__((unused)) static void patience_alarm(unsigned seconds) {
    (void)alarm((unsigned)(seconds * patience_factor()) + 1);
}

#endif
