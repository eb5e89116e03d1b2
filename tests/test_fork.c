/*
 * After fork the child has an object's memory and none of its threads: it may close the object, and
 * nothing else: what else it calls is refused, by a sentence with both processes' numbers. What used to go wrong
 * elsewhere: joining threads that do not exist, or waiting for a lock that one of them held at the moment of the
 * fork, or for work that they had under way.
 *
 * rooms: platform public
 * needs: loader threads library
 */
#include "../biostream.h"
#include "test.h"
#include "patience.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads enough to keep the workers busy while the process forks. */
static size_t make_reads(char *text, size_t capacity) {
    size_t at = 0, i;
    while (at + 240 < capacity) {
        at += (size_t)sprintf(text + at, "@read%zu\n", at);
        for (i = 0; i < 100; ++i) {
            text[at] = "ACGT"[(at * 2654435761u >> 7) % 4];
            ++at;
        }
        at += (size_t)sprintf(text + at, "\n+\n");
        memset(text + at, 'I', 100);
        at += 100;
        text[at++] = '\n';
    }
    return at;
}

/* A sentence that says who opened what, and what helps. */
static void check_sentence(const char *text, pid_t parent, const char *what) {
    char opened[64], here[64];
    snprintf(opened, sizeof opened, "opened in process %ld,", (long)parent);
    snprintf(here, sizeof here, "process %ld:", (long)getpid());
    test_note("\"%s\"", text);
    CHECK(strstr(text, opened) != NULL && strstr(text, here) != NULL);
    CHECK(strstr(text, "fork") != NULL && strstr(text, "close") != NULL && strstr(text, what) != NULL);
}

static void check_refused(const biost_error *error, pid_t parent) {
    if (CHECK(error != NULL)) {
        CHECK_EQ_I64(error->code, BIOST_ERR_ARG);
        CHECK_EQ_I64(error->fault, BIOST_FAULT_PROCESS);
        check_sentence(error->text, parent, "of its own");
    }
}

/* Fork; in the child: 1. A child that hangs dies, and wait_for_child fails. */
static int is_child(pid_t *out_child) {
    fflush(stdout);
    *out_child = fork();
    if (*out_child == 0) {
        patience_alarm(20);
        return 1;
    }
    return 0;
}

static void end_child(void) {
    fflush(stdout);
    _exit(test_state.failures == 0 ? 7 : 1);
}

static void wait_for_child(pid_t child) {
    int status = -1;
    REQUIRE(child > 0);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

/* What a log was told last. */
static void keep_line(biost_result code, const char *sentence, void *user_data) {
    (void)code;
    snprintf((char *)user_data, sizeof((biost_error *)NULL)->text, "%s", sentence);
}

/* Every call of a loader that works, or tells how the work is. */
static void check_loader_in_child(biost_loader *loader, biost_batch *held, const char *logged, pid_t parent) {
    biost_batch batch;
    biost_counters counters;
    biost_progress progress;
    uint64_t batches = 7;
    char state[512], hint[256] = "?";
    size_t state_bytes;
    void *managed = &batches;
    CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_ARG && batch.x.data == NULL);
    check_refused(biost_loader_error(loader), parent);
    CHECK(biost_loader_try_next(loader, &batch) == BIOST_ERR_ARG);
    check_refused(biost_loader_error(loader), parent);
    CHECK(biost_loader_begin(loader, 1) == BIOST_ERR_ARG);
    check_refused(biost_loader_error(loader), parent);
    CHECK(biost_loader_set_workers(loader, 2) == BIOST_ERR_ARG);
    check_refused(biost_loader_error(loader), parent);
    CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_ERR_ARG);
    check_refused(biost_loader_error(loader), parent);
    CHECK(biost_loader_state(loader, held, state, sizeof state, &state_bytes) == BIOST_ERR_ARG);
    check_refused(biost_loader_error(loader), parent);
    CHECK(biost_loader_export(loader, held, 0, 0, &managed) == BIOST_ERR_ARG && managed == NULL);
    check_refused(biost_loader_error(loader), parent);
    CHECK(biost_loader_release(loader, held) == BIOST_ERR_ARG);
    check_sentence(logged, parent, "of its own");
    biost_loader_cancel(loader); /* what any thread may ask is answered with nothing */
    biost_loader_counters(loader, &counters);
    CHECK_EQ_U64(counters.workers, 0);
    biost_loader_progress(loader, &progress);
    CHECK_EQ_U64(progress.record_count, 0);
    CHECK_EQ_U64(biost_loader_warnings(loader), 0);
    biost_loader_hint(loader, hint, sizeof hint);
    CHECK_STR(hint, "");
}

/* Loaders with threads, and without. */
static void refuse_loader(uint32_t workers, int forks) {
    size_t capacity = 4 << 20;
    char *text = (char *)malloc(capacity), logged[sizeof((biost_error *)NULL)->text] = "";
    biost_memory memory;
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_batch batch;
    int i;
    REQUIRE(text != NULL);
    memory.data = text;
    memory.bytes = make_reads(text, capacity);
    memory.name = NULL;
    memset(&desc, 0, sizeof desc);
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.row_bases = 100;
    desc.workers = workers;
    desc.log.line = keep_line;
    desc.log.user_data = logged;
    REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
    REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK);
    for (i = 0; i < forks; ++i) {
        pid_t parent = getpid(), child;
        CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
        if (is_child(&child)) {
            check_loader_in_child(loader, &batch, logged, parent);
            biost_loader_close(loader);
            end_child();
        }
        wait_for_child(child);
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    biost_loader_close(loader);
    free(text);
}

TEST(fork, child_is_refused_a_loader_with_threads) {
    refuse_loader(4, 20);
}

TEST(fork, child_is_refused_a_loader_without_threads) {
    refuse_loader(1, 1);
}

/* A stream with threads is refused; one without has left nothing behind, and goes on. */
static void read_stream_in_child(uint32_t workers) {
    size_t capacity = 4 << 20;
    char *text = (char *)malloc(capacity);
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    biost_page page;
    biost_text_progress progress;
    biost_parallel_gzip_counters counters;
    uint64_t busy[3];
    pid_t parent = getpid(), child;
    REQUIRE(text != NULL);
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = make_reads(text, capacity);
    desc.workers = workers;
    REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
    REQUIRE(biost_stream_next_page(stream, &page) == BIOST_OK);
    if (is_child(&child)) {
        char bytes[16];
        size_t got = 99;
        if (workers > 1) {
            CHECK(biost_stream_next_page(stream, &page) == BIOST_ERR_ARG && page.text == NULL);
            check_refused(biost_stream_error(stream), parent);
            CHECK(biost_stream_read(stream, bytes, sizeof bytes, &got) == BIOST_ERR_ARG && got == 0);
            check_refused(biost_stream_error(stream), parent);
            CHECK(biost_stream_seek(stream, 0) == BIOST_ERR_ARG);
            check_refused(biost_stream_error(stream), parent);
            biost_stream_cancel(stream);
            CHECK_EQ_U64(biost_stream_warnings(stream), 0);
            biost_stream_progress(stream, &progress);
            CHECK_EQ_U64(progress.text_bytes, 0);
            biost_stream_counters(stream, &counters);
            CHECK_EQ_U64(counters.ahead_count, 0);
            CHECK_EQ_U64(biost_stream_busy_ns(stream, busy, 3), 0);
        } else {
            uint64_t at = page.text_bytes;
            CHECK(biost_stream_next_page(stream, &page) == BIOST_OK);
            CHECK_EQ_U64(page.text_offset, at);
            CHECK_MEM(page.text, text + at, 100);
        }
        biost_stream_close(stream);
        end_child();
    }
    wait_for_child(child);
    biost_stream_close(stream);
    free(text);
}

TEST(fork, child_is_refused_a_stream_with_threads) {
    read_stream_in_child(3);
}

TEST(fork, child_reads_a_stream_without_threads) {
    read_stream_in_child(1);
}

/*
 * A reader's records that lie ready are read; where it would need its threads it ends. Each way to read meets
 * that by itself.
 */
static void read_reader_in_child(uint32_t workers, int way) {
    size_t capacity = 4 << 20;
    char *text = (char *)malloc(capacity);
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_record record;
    pid_t parent = getpid(), child;
    REQUIRE(text != NULL);
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = make_reads(text, capacity);
    desc.workers = workers;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    REQUIRE(biost_reader_next(reader, &record) == BIOST_OK);
    if (is_child(&child)) {
        biost_result result = BIOST_OK;
        biost_record_page page;
        biost_record_progress progress;
        biost_run run;
        uint64_t count = 1;
        while (result == BIOST_OK && count < 100000) {
            result = way == 0   ? biost_reader_next(reader, &record)
                     : way == 1 ? biost_reader_next_run(reader, &run)
                     : way == 2 ? biost_reader_next_page(reader, &page)
                                : biost_reader_seek(reader, 15000);
            count += way == 2 && result == BIOST_OK ? page.row_count : 1;
            if (way == 2 && result == BIOST_OK) {
                CHECK(biost_reader_release_page(reader, &page) == BIOST_OK || workers > 1);
            }
            count = way == 3 && result == BIOST_OK ? 100000 : count;
        }
        if (workers > 1) {
            CHECK_EQ_I64(result, BIOST_ERR_ARG);
            check_refused(biost_reader_error(reader), parent);
            biost_reader_progress(reader, &progress);
            CHECK_EQ_U64(progress.source_bytes, 0);
            (void)biost_reader_warnings(reader);
        } else {
            CHECK(result == (way == 3 ? BIOST_OK : BIOST_END));
        }
        biost_reader_close(reader);
        end_child();
    }
    wait_for_child(child);
    biost_reader_close(reader);
    free(text);
}

TEST(fork, child_is_refused_a_reader_with_threads) {
    int way;
    for (way = 0; way < 4; ++way) {
        read_reader_in_child(3, way);
    }
}

TEST(fork, child_reads_a_reader_without_threads) {
    int way;
    for (way = 0; way < 4; ++way) {
        read_reader_in_child(1, way);
    }
}

/* ThreadSanitizer lets a child make no threads. */
#if defined(__SANITIZE_THREAD__)
#define CHILD_WORKERS 1
#elif defined(__SANITIZE_ADDRESS__)
#define LOCKS_OF_ASAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CHILD_WORKERS 1
#elif __has_feature(address_sanitizer)
#define LOCKS_OF_ASAN 1
#endif
#endif
#ifndef CHILD_WORKERS
#define CHILD_WORKERS 3
#endif
#ifndef LOCKS_OF_ASAN
#define LOCKS_OF_ASAN 0
#endif

/* Whether all threads of this process but the caller's sleep. Where no /proc is, 1. */
static int others_sleep(void) {
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *task;
    int sleep = 1;
    while (tasks != NULL && (task = readdir(tasks)) != NULL) {
        char path[300], state = 'S';
        FILE *stat;
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
        stat = task->d_name[0] == '.' || atol(task->d_name) == (long)getpid() ? NULL : fopen(path, "r");
        if (stat != NULL) {
            /* The name of the program, in brackets, has no blank. */
            sleep &= fscanf(stat, "%*s %*s %c", &state) == 1 && state == 'S';
            fclose(stat);
        }
    }
    if (tasks != NULL) {
        closedir(tasks);
    }
    return sleep;
}

/*
 * AddressSanitizer's allocator has locks that fork does not take, as the C library does with its own: one that a
 * thread holds while it starts would be held in the child for ever.
 */
static void let_threads_start(void) {
    int rested = 0, i;
    for (i = 0; LOCKS_OF_ASAN && i < 5000 && rested < 5; ++i) {
        rested = others_sleep() ? rested + 1 : 0;
        usleep(1000);
    }
}

/* A loader of the child's own, opened after the fork, works beside the parent's. */
TEST(fork, child_opens_its_own) {
    static const char text[] = "@a\nACGT\n+\nIIII\n";
    biost_memory memory;
    biost_loader_desc desc;
    biost_loader *parents = NULL, *loader = NULL;
    biost_batch batch;
    pid_t child;
    memory.data = text;
    memory.bytes = sizeof text - 1;
    memory.name = NULL;
    memset(&desc, 0, sizeof desc);
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.workers = 3;
    REQUIRE(biost_loader_open(&desc, &parents, NULL) == BIOST_OK);
    REQUIRE(biost_loader_begin(parents, 0) == BIOST_OK);
    let_threads_start();
    if (is_child(&child)) {
        desc.workers = CHILD_WORKERS;
        CHECK(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
        CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
        CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK_EQ_U64(batch.valid_rows, 1);
        biost_loader_close(loader);
        biost_loader_close(parents);
        end_child();
    }
    wait_for_child(child);
    CHECK(biost_loader_next(parents, &batch) == BIOST_OK);
    biost_loader_close(parents);
}

TEST(fork, child_closes) {
    size_t capacity = 4 << 20;
    char *text = (char *)malloc(capacity);
    biost_memory memory;
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_batch batch;
    int i;
    REQUIRE(text != NULL);
    memory.data = text;
    memory.bytes = make_reads(text, capacity);
    memory.name = NULL;
    memset(&desc, 0, sizeof desc);
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.row_bases = 100;
    desc.workers = 4;
    REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
    REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK);
    for (i = 0; i < 40; ++i) {
        pid_t child;
        int status = -1;
        CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
        child = fork();
        if (child == 0) {
            patience_alarm(20); /* a child that hangs dies, and the check below fails */
            biost_loader_close(loader);
            _exit(7);
        }
        REQUIRE(child > 0);
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    biost_loader_close(loader);
    free(text);
}
