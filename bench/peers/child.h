/*
 * child.h - the measuring program starts itself, for what only a fresh process can tell: the time
 * of a whole process, and its peak memory.
 */
#ifndef PEERS_CHILD_H
#define PEERS_CHILD_H

#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../bench.h"

extern char **environ;

/*
 * The peak of this process's own memory, as Linux tells it; 0 elsewhere. (What getrusage tells
 * begins with that of the parent at the moment of the start, which is more than an empty program.)
 */
static inline uint64_t child_own_peak_kib(void) {
    char line[128];
    unsigned long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "VmHWM: %lu", &kib) == 1) {
            break;
        }
    }
    if (status != NULL) {
        fclose(status);
    }
    return kib;
}

/*
 * Start a program, take `bytes` from its standard output, wait for its end. Wall time is from
 * before the start to after the end, CPU time is the child's own as the system counted it.
 *
 *   arguments  in   [NULL-terminated] the program first
 *   out_mib    out  peak memory as getrusage tells it
 *
 * Returns 0 unless it wrote all of them and exited 0.
 */
static inline int child_run(const char *const *arguments, void *out, size_t bytes, bench_time *out_time,
                            double *out_mib) {
    posix_spawn_file_actions_t actions;
    bench_time start = bench_now();
    struct rusage usage;
    int ends[2], status = 1, good = 0;
    pid_t child = 0;
    memset(&usage, 0, sizeof usage);
    if (pipe(ends) != 0) {
        return 0;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    if (posix_spawn(&child, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments, environ) ==
        0) {
        close(ends[1]);
        good = read(ends[0], out, bytes) == (ssize_t)bytes;
        wait4(child, &status, 0, &usage);
    } else {
        close(ends[1]);
    }
    close(ends[0]);
    posix_spawn_file_actions_destroy(&actions);
    *out_time = bench_since(start);
    out_time->cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
#ifdef __APPLE__
    *out_mib = (double)usage.ru_maxrss / 1048576;
#else
    *out_mib = (double)usage.ru_maxrss / 1024;
#endif
    return good && status == 0;
}

#endif /* PEERS_CHILD_H */
