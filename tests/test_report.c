/*
 * test_report.c - what is said of a loader's counters: each sentence by hand, on both sides of its share of the time.
 *
 * rooms: loader
 * needs: loader
 */
#include "white.h"
#include "test.h"

/* Counters of 100 seconds by four workers, and a batch that was taken. */
static biost_counters report_counters(void) {
    biost_counters counters;
    memset(&counters, 0, sizeof counters);
    counters.elapsed_ns = 100000000000u;
    counters.workers = 4;
    counters.stages[BIOST_STAGE_CALLER].unit_count = 1;
    return counters;
}

static void report_says(const biost_counters *counters, int is_gzip, int has_one_file, const char *expected) {
    char text[256];
    bsi_print_writer writer = bsi_print_begin(text, sizeof text);
    bsi_loader_write_hint(counters, is_gzip, has_one_file, &writer);
    bsi_print_end(&writer);
    CHECK_STR(text, expected);
}

#define REPORT_ENDS ", and loader and caller wait for one another in turn"

TEST(report, the_caller_is_the_limit) {
    biost_counters counters = report_counters();
    counters.stages[BIOST_STAGE_READ].busy_ns = 1;
    counters.slots_full_ns = 50000000000u;
    report_says(&counters, 0, 1,
                "the caller: all slots were full 50 % of the time, so the loader waited for it");
    counters.slots_full_ns -= 1;
    report_says(&counters, 0, 1, "nothing stands out; most time goes into reading the input" REPORT_ENDS);
    counters.stages[BIOST_STAGE_CALLER].unit_count = 0;
    report_says(&counters, 0, 1, "no batch was taken yet: there is nothing to say");
}

/* What one worker does at a time for one file, several do for several files; giving places is always one's. */
TEST(report, one_at_a_time_is_the_limit) {
    biost_counters counters = report_counters();
    counters.stages[BIOST_STAGE_READ].busy_ns = 75000000000u;
    report_says(&counters, 0, 1,
                "reading the input: at work 75 % of the time; one worker does it at a time: the disk or the "
                "callback is the limit");
    report_says(&counters, 0, 0, "nothing stands out; most time goes into reading the input" REPORT_ENDS);
    counters.stages[BIOST_STAGE_DECODE].busy_ns = 76000000000u;
    report_says(&counters, 1, 1,
                "inflating plain gzip in order: at work 76 % of the time; one worker does it at a time: BGZF "
                "would be inflated by all workers");
    counters.stages[BIOST_STAGE_SEQUENCE].busy_ns = 76000000000u;
    report_says(&counters, 0, 0,
                "giving rows their places: at work 76 % of the time; one worker does it at a time: without "
                "shuffle, ranks or row_bases 0 rows are not copied");
}

TEST(report, all_workers_are_the_limit) {
    biost_counters counters = report_counters();
    counters.stages[BIOST_STAGE_ENCODE].busy_ns = 290000000000u;
    counters.stages[BIOST_STAGE_SCAN].busy_ns = 10000000000u;
    report_says(
        &counters, 0, 1,
        "the workers: at work 75 % of the time, all 4 of them, longest augmenting and encoding; more would "
        "help, if the machine has more cores");
    counters.stages[BIOST_STAGE_SCAN].busy_ns = 5000000000u;
    report_says(&counters, 0, 1,
                "nothing stands out; most time goes into augmenting and encoding" REPORT_ENDS);
}

TEST(report, inputs_that_are_not_mixed) {
    static const struct {
        uint32_t shuffle_rows;
        uint64_t samples;
        const char *words;
    } rows[] = {{1, 6, ""},
                {5, 5, ""},
                {5, 6, "; desc.shuffle_rows 5 is below the 6 rows of the first input: inputs are not mixed"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128] = "";
        bsi_print_writer writer = bsi_print_begin(text, sizeof text);
        bsi_loader_write_mixing(rows[i].shuffle_rows, rows[i].samples, &writer);
        bsi_print_end(&writer);
        CHECK_STR(text, rows[i].words);
    }
}
