/*
 * limit.c - run a command, and stop it with all that it started when it takes too long for this machine:
 *
 *   limit SECONDS COMMAND [ARGUMENT]...
 *
 * SECONDS are those of an idle, usual machine. Every few seconds it is measured how much slower things are right now
 * (patience.h), and time counts the less, the slower they are; at most ten times SECONDS go by. Exit status: the
 * command's; 128 and the signal it died of; 124 if it was stopped; 127 if it cannot be run.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "patience.h"

enum { TICK_SECONDS = 5, GRACE_SECONDS = 5 };

static pid_t child;

static void on_alarm(int number) {
    (void)number;
}

static void on_stop(int number) {
    if (child > 0) { /* the command is stopped; we follow it */
        (void)kill(-child, number);
    }
}

static void catch (int number, void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL); /* without SA_RESTART: waitpid returns */
}

/* Wait for the command, up to so many seconds. 1: it has ended. */
static int wait_for(int *status, unsigned seconds) {
    pid_t got;
    (void)alarm(seconds);
    got = waitpid(child, status, 0);
    (void)alarm(0);
    return got == child || (got < 0 && errno != EINTR);
}

static int ended(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int stop(double limit, unsigned went_by, int *status) {
    fprintf(
        stderr,
        "stopped after %u s: too long, also for a machine that is as slow as this one was (limit %.0f s)\n",
        went_by, limit);
    (void)kill(-child, SIGTERM);
    if (!wait_for(status, GRACE_SECONDS)) {
        (void)kill(-child, SIGKILL);
        (void)waitpid(child, status, 0);
    }
    (void)kill(-child, SIGKILL); /* what it left behind */
    return 124;
}

int main(int argc, char **argv) {
    double limit = argc > 2 ? atof(argv[1]) : 0, used = 0;
    unsigned went_by = 0;
    int status = 0;
    if (!(limit > 0)) {
        fprintf(stderr, "limit SECONDS COMMAND [ARGUMENT]...\n");
        return 127;
    }
    catch (SIGALRM, on_alarm);
    catch (SIGINT, on_stop);
    catch (SIGTERM, on_stop);
    catch (SIGHUP, on_stop);
    child = fork();
    if (child == 0) {
        (void)setpgid(0, 0);
        (void)execvp(argv[2], argv + 2);
        fprintf(stderr, "%s cannot be run\n", argv[2]);
        _exit(127);
    }
    if (child < 0) {
        fprintf(stderr, "no process can be made\n");
        return 127;
    }
    (void)setpgid(child, child);
    while (used < limit) {
        unsigned tick = limit < TICK_SECONDS ? (unsigned)limit + 1 : TICK_SECONDS;
        if (wait_for(&status, tick)) {
            return ended(status);
        }
        went_by += tick;
        used += tick / patience_factor();
    }
    return stop(limit, went_by, &status);
}
