/*
 * test_idle.c - a pipe is idle where none of its tasks is ready or runs: each of them is asked, and no other. A feed
 * that is reset while one runs has a race that no result shows for long.
 *
 * rooms: pipe ahead
 * needs: loader
 */
#include "white.h"
#include "test.h"

enum { IDLE_PAGES = 3, IDLE_AHEAD = 3 };

static bsi_pipe idle_pipe;
static bsi_route_page idle_pages[IDLE_PAGES + 1];
static bsi_ahead_task idle_ahead[IDLE_AHEAD + 1];

/* One task is busy, and the pipe is asked. */
static int idle_with(bsi_sched_task *task) {
    int is_idle;
    task->busy = 1;
    is_idle = bsi_pipe_is_idle_locked(&idle_pipe);
    task->busy = 0;
    return is_idle;
}

TEST(idle, each_task_is_asked) {
    memset(&idle_pipe, 0, sizeof idle_pipe);
    idle_pipe.pages = idle_pages;
    idle_pipe.plan.page_count = IDLE_PAGES;
    CHECK_EQ_U64(bsi_pipe_is_idle_locked(&idle_pipe), 1);
    for (uint32_t i = 0; i < IDLE_PAGES; ++i) {
        CHECK(!idle_with(&idle_pages[i].inflate));
    }
    CHECK(!idle_with(&idle_pipe.read.run.task));
    CHECK(!idle_with(&idle_pipe.route_run.task));
    CHECK(idle_with(&idle_pages[IDLE_PAGES].inflate)); /* another pipe's */
}

/* Tasks that decode ahead are made when there is work for them: before that the plan has their number alone. */
TEST(idle, tasks_ahead_are_asked) {
    memset(&idle_pipe, 0, sizeof idle_pipe);
    idle_pipe.pages = idle_pages;
    idle_pipe.plan.ahead.task_count = IDLE_AHEAD;
    idle_pipe.ahead.plan = idle_pipe.plan.ahead;
    CHECK_EQ_U64(bsi_pipe_is_idle_locked(&idle_pipe), 1);
    idle_pipe.ahead.shared.tasks = idle_ahead;
    CHECK_EQ_U64(bsi_pipe_is_idle_locked(&idle_pipe), 1);
    for (uint32_t i = 0; i < IDLE_AHEAD; ++i) {
        CHECK(!idle_with(&idle_ahead[i].run));
    }
    CHECK(idle_with(&idle_ahead[IDLE_AHEAD].run));
}
