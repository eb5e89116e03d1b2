/*
 * test_left.c - functions of the user's that never return, because an exception or longjmp leaves them: the call that
 * was left is over, the next one says so instead of waiting for work that will not end, and close gives everything
 * back. Only on the caller's thread: with a job system that runs nothing until it is asked to, that is all work.
 *
 * rooms: sched pipe loader
 * needs: loader threads library
 */
#define _POSIX_C_SOURCE 200809L

#include "../biostream.h"
#include "test.h"
#include "patience.h"

#include <pthread.h>
#include <setjmp.h>
#include <unistd.h>

/* What leaves, and what was taken and not given back. */
typedef enum leaver {
    BY_KEEP,
    BY_MAKE,
    BY_CHANGE,
    BY_READ,
    BY_READ_AT,
    BY_SIZE,
    BY_ALLOC,
    BY_LOG,
    LEAVERS
} leaver;

static const char *const leaver_names[LEAVERS] = {
    "filter.keep",   "labels.make", "augment.change", "callback",
    "files.read_at", "files.size",  "allocator",      "log"};

#define TICKETS 64

static struct {
    jmp_buf back;
    leaver by;
    int is_armed;
    uint32_t calls_before; /* of the one that leaves */
    uint64_t bytes;        /* allocated */
    uint32_t files;        /* open */
    const char *text;      /* the input */
    size_t text_bytes, at;
    unsigned told; /* lines of the log that tell LEFT */
    struct {
        void (*run)(void *argument);
        void *argument;
    } tickets[TICKETS];
    uint32_t ticket_count;
} host;

static void leave(leaver by) {
    if (host.by == by && host.is_armed &&
        host.calls_before-- == 0) { /* in this order: other threads may ask */
        host.is_armed = 0;
        longjmp(host.back, 1);
    }
}

static int keep(const biost_record *record, int64_t id, void *user_data) {
    (void)record;
    (void)id;
    (void)user_data;
    leave(BY_KEEP);
    return 1;
}

static int make(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)record;
    (void)id;
    (void)out_label;
    (void)user_data;
    leave(BY_MAKE);
    return 1;
}

static void change(biost_sample *sample, biost_random *random, void *user_data) {
    (void)sample;
    (void)random;
    (void)user_data;
    leave(BY_CHANGE);
}

static int64_t take(void *to, size_t bytes) {
    size_t count = host.text_bytes - host.at;
    count = count < bytes ? count : bytes;
    memcpy(to, host.text + host.at, count);
    host.at += count;
    return (int64_t)count;
}

static int64_t read_more(void *to, size_t bytes, void *user_data) {
    (void)user_data;
    leave(BY_READ);
    return take(to, bytes < 4096 ? bytes : 4096);
}

static int rewind_all(void *user_data) {
    (void)user_data;
    host.at = 0;
    return 1;
}

static void *file_open(const char *path, void *user_data) {
    (void)path;
    (void)user_data;
    ++host.files;
    return &host;
}

static int64_t file_read_at(void *file, uint64_t offset, void *to, size_t bytes, void *user_data) {
    (void)file;
    (void)user_data;
    leave(BY_READ_AT);
    host.at = (size_t)offset;
    return take(to, bytes);
}

static int64_t file_size(void *file, void *user_data) {
    (void)file;
    (void)user_data;
    leave(BY_SIZE);
    return (int64_t)host.text_bytes;
}

static void file_close(void *file, void *user_data) {
    (void)file;
    (void)user_data;
    --host.files;
}

static void *host_alloc(size_t bytes, size_t align, void *user_data) {
    void *memory = NULL;
    (void)user_data;
    leave(BY_ALLOC);
    if (posix_memalign(&memory, align, bytes) != 0) {
        return NULL;
    }
    host.bytes += bytes;
    return memory;
}

static void host_free(void *memory, size_t bytes, void *user_data) {
    (void)user_data;
    host.bytes -= bytes;
    free(memory);
}

static pthread_mutex_t told_lock = PTHREAD_MUTEX_INITIALIZER;

/* By several threads at once, as the manual says; no lock is held where it leaves. */
static void line(biost_result code, const char *sentence, void *user_data) {
    (void)code;
    (void)user_data;
    pthread_mutex_lock(&told_lock);
    host.told += strstr(sentence, "longjmp") != NULL;
    pthread_mutex_unlock(&told_lock);
    leave(BY_LOG);
}

static void submit(void (*run)(void *argument), void *argument, void *user_data) {
    (void)user_data;
    REQUIRE(host.ticket_count < TICKETS);
    host.tickets[host.ticket_count].run = run;
    host.tickets[host.ticket_count].argument = argument;
    ++host.ticket_count;
}

static void run_tickets(void) {
    while (host.ticket_count > 0) {
        --host.ticket_count;
        host.tickets[host.ticket_count].run(host.tickets[host.ticket_count].argument);
    }
}

/*
 * Reads of which one is bad, for the log, and one is long, for the allocator; the first reads come before what any
 * of the functions leaves.
 */
#define SHORT_READS 400
#define LONG_BASES  30000

static char *make_text(size_t *out_bytes) {
    char *text = (char *)malloc(2 * LONG_BASES + 100 * SHORT_READS);
    size_t at = 0;
    int i;
    for (i = 0; text != NULL && i < SHORT_READS; ++i) {
        at += (size_t)sprintf(text + at, "@read%d\nACGTACGTAC\n+\n%s\n", i, i == 300 ? "III" : "IIIIIIIIII");
        if (i == 350) {
            at += (size_t)sprintf(text + at, "@long\n");
            memset(text + at, 'A', LONG_BASES);
            at += LONG_BASES;
            at += (size_t)sprintf(text + at, "\n+\n");
            memset(text + at, 'I', LONG_BASES);
            at += LONG_BASES;
            text[at++] = '\n';
        }
    }
    *out_bytes = at;
    return text;
}

static char *begin_host(leaver by, uint32_t calls_before) {
    char *text;
    memset(&host, 0, sizeof host);
    text = make_text(&host.text_bytes);
    host.text = text;
    host.by = by;
    host.calls_before = calls_before;
    patience_alarm(20); /* what hangs dies */
    return text;
}

static void end_host(char *text) {
    alarm(0);
    CHECK_EQ_U64(host.bytes, 0);
    CHECK_EQ_U64(host.files, 0);
    free(text);
}

static void check_left(const biost_error *error) {
    if (CHECK(error != NULL)) {
        CHECK_EQ_I64(error->code, BIOST_ERR_ARG);
        CHECK_EQ_I64(error->fault, BIOST_FAULT_LEFT);
        CHECK(strstr(error->text, "exception or longjmp") != NULL && strstr(error->text, "close") != NULL);
    }
}

/* ---- loaders ---- */

static void loader_desc(biost_loader_desc *desc, leaver by, uint32_t workers) {
    static const biost_callback callback = {read_more, rewind_all, NULL, NULL};
    static const char *const paths[] = {"reads"};
    memset(desc, 0, sizeof *desc);
    if (by == BY_READ_AT || by == BY_SIZE) {
        desc->paths = paths;
        desc->path_count = 1;
        desc->files.open = file_open;
        desc->files.read_at = file_read_at;
        desc->files.size = file_size;
        desc->files.close = file_close;
    } else {
        desc->callbacks = &callback;
        desc->callback_count = 1;
    }
    desc->batch_rows = 16;
    desc->row_bases = 10;
    desc->long_records = BIOST_LONG_HEAD;
    desc->text.skip_bad = 1;
    desc->test.page_bytes = 4096;
    desc->test.chunk_bytes = 4096;
    desc->workers = workers;
    desc->jobs.submit = submit;
    desc->allocator.alloc = host_alloc;
    desc->allocator.free = host_free;
    desc->log.line = line;
    desc->filter.keep = keep;
    desc->labels.make = make;
    desc->augment.change = change;
}

/* Take batches until one of the calls is left. Returns whether one was. */
static int run_until_left(biost_loader *loader) {
    biost_batch batch;
    biost_result result;
    if (setjmp(host.back) != 0) {
        return 1;
    }
    host.is_armed = 1;
    result = biost_loader_begin(loader, 0);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        result = biost_loader_release(loader, &batch);
    }
    return 0;
}

static void leave_loader(leaver by, uint32_t workers) {
    static const uint32_t calls_before[LEAVERS] = {20, 50, 30, 2, 1, 0, 0, 0};
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_batch batch;
    biost_progress progress;
    char *text = begin_host(by, calls_before[by]);
    int i;
    REQUIRE(text != NULL);
    loader_desc(&desc, by, workers);
    test_note("%s, %u workers", leaver_names[by], (unsigned)workers);
    REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
    CHECK(run_until_left(loader));
    for (i = 0; i < 2; ++i) { /* it stays so */
        CHECK_EQ_I64(biost_loader_next(loader, &batch), BIOST_ERR_ARG);
        CHECK(batch.x.data == NULL);
        check_left(biost_loader_error(loader));
        CHECK_EQ_I64(biost_loader_try_next(loader, &batch), BIOST_ERR_ARG);
        CHECK_EQ_I64(biost_loader_begin(loader, (uint64_t)i), BIOST_ERR_ARG);
        check_left(biost_loader_error(loader));
    }
    CHECK_EQ_U64(host.told, 1);
    biost_loader_progress(loader, &progress);
    biost_loader_cancel(loader);
    run_tickets();
    biost_loader_close(loader);
    end_host(text);
}

TEST(left, loader) {
    int by;
    for (by = 0; by < (int)LEAVERS; ++by) {
        leave_loader((leaver)by, 1);
        leave_loader((leaver)by, 3);
    }
}

/* The first call after it may be begin, and close may come at once. */
TEST(left, loader_begins_or_closes) {
    int closes;
    for (closes = 0; closes < 2; ++closes) {
        biost_loader_desc desc;
        biost_loader *loader = NULL;
        char *text = begin_host(BY_KEEP, 20);
        REQUIRE(text != NULL);
        loader_desc(&desc, BY_KEEP, 1);
        REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
        CHECK(run_until_left(loader));
        if (!closes) {
            CHECK_EQ_I64(biost_loader_begin(loader, 1), BIOST_ERR_ARG);
            check_left(biost_loader_error(loader));
        }
        biost_loader_close(loader);
        end_host(text);
    }
}

/* With threads of its own, whichever ran the function: only the caller's is left. */
static pthread_t owner;

static int keep_on_owner(const biost_record *record, int64_t id, void *user_data) {
    (void)record;
    (void)id;
    (void)user_data;
    if (pthread_equal(pthread_self(), owner)) {
        leave(BY_KEEP);
    }
    return 1;
}

TEST(left, loader_with_threads) {
    int i, count = 0;
    for (i = 0; i < 20; ++i) {
        biost_loader_desc desc;
        biost_loader *loader = NULL;
        biost_batch batch;
        char *text = begin_host(BY_KEEP, 0);
        REQUIRE(text != NULL);
        loader_desc(&desc, BY_KEEP, 3);
        desc.jobs.submit = NULL;
        desc.allocator.alloc = NULL;
        desc.allocator.free = NULL;
        desc.filter.keep = keep_on_owner;
        owner = pthread_self();
        REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
        if (run_until_left(loader)) {
            ++count;
            CHECK_EQ_I64(biost_loader_next(loader, &batch), BIOST_ERR_ARG);
            check_left(biost_loader_error(loader));
        } else {
            CHECK_EQ_I64(biost_loader_next(loader, &batch), BIOST_END);
        }
        biost_loader_close(loader);
        end_host(text);
    }
    test_note("%d of 20 were left", count);
}

/* A function that calls its own loader, which it may not: an error, no wait for itself. */
static biost_loader *nested;

static int keep_nested(const biost_record *record, int64_t id, void *user_data) {
    biost_batch batch;
    (void)record;
    (void)id;
    (void)user_data;
    if (host.is_armed) {
        host.is_armed = 0;
        CHECK_EQ_I64(biost_loader_next(nested, &batch), BIOST_ERR_ARG);
        check_left(biost_loader_error(nested));
    }
    return 1;
}

TEST(left, loader_called_by_its_own_function) {
    biost_loader_desc desc;
    biost_batch batch;
    biost_result result;
    char *text = begin_host(BY_KEEP, 0);
    REQUIRE(text != NULL);
    loader_desc(&desc, BY_KEEP, 1);
    desc.filter.keep = keep_nested;
    REQUIRE(biost_loader_open(&desc, &nested, NULL) == BIOST_OK);
    REQUIRE(biost_loader_begin(nested, 0) == BIOST_OK);
    host.is_armed = 1;
    do {
        result = biost_loader_next(nested, &batch);
    } while (result == BIOST_OK && biost_loader_release(nested, &batch) == BIOST_OK);
    CHECK_EQ_I64(result, BIOST_ERR_ARG);
    check_left(biost_loader_error(nested));
    biost_loader_close(nested);
    end_host(text);
}

/* ---- streams ---- */

static int stream_until_left(biost_stream *stream) {
    biost_page page;
    if (setjmp(host.back) != 0) {
        return 1;
    }
    host.is_armed = 1;
    while (biost_stream_next_page(stream, &page) == BIOST_OK) {
    }
    return 0;
}

static void leave_stream(leaver by, uint32_t workers) {
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    biost_page page;
    size_t got = 1;
    char *text = begin_host(by, 2), bytes[8];
    REQUIRE(text != NULL);
    test_note("%s, %u workers", leaver_names[by], (unsigned)workers);
    memset(&desc, 0, sizeof desc);
    if (by == BY_READ) {
        desc.callback.read = read_more;
    } else {
        desc.path = "reads";
        desc.files.open = file_open;
        desc.files.read_at = file_read_at;
        desc.files.size = file_size;
        desc.files.close = file_close;
        desc.test.chunk_bytes = 4096;
    }
    desc.test.page_bytes = 1024;
    desc.workers = workers;
    desc.jobs.submit = submit;
    desc.allocator.alloc = host_alloc;
    desc.allocator.free = host_free;
    desc.log.line = line;
    REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
    CHECK(stream_until_left(stream));
    CHECK_EQ_I64(biost_stream_next_page(stream, &page), BIOST_ERR_ARG);
    CHECK(page.text == NULL);
    check_left(biost_stream_error(stream));
    CHECK_EQ_I64(biost_stream_read(stream, bytes, sizeof bytes, &got), BIOST_ERR_ARG);
    CHECK_EQ_U64(got, 0);
    CHECK_EQ_I64(biost_stream_seek(stream, 0), BIOST_ERR_ARG);
    check_left(biost_stream_error(stream));
    CHECK_EQ_U64(host.told, 1);
    biost_stream_cancel(stream);
    run_tickets();
    biost_stream_close(stream);
    end_host(text);
}

TEST(left, stream) {
    leave_stream(BY_READ, 1);
    leave_stream(BY_READ, 3);
    leave_stream(BY_READ_AT, 1);
    leave_stream(BY_READ_AT, 3);
}

/* ---- readers ---- */

static biost_result read_on(biost_reader *reader, int way) {
    biost_record record;
    biost_run run;
    biost_record_page page;
    biost_result result;
    switch (way) {
    case 0: return biost_reader_next(reader, &record);
    case 1: return biost_reader_next_run(reader, &run);
    case 2:
        result = biost_reader_next_page(reader, &page);
        return result == BIOST_OK ? biost_reader_release_page(reader, &page) : result;
    default: result = biost_reader_seek(reader, 399); return result == BIOST_OK ? BIOST_END : result;
    }
}

static int reader_until_left(biost_reader *reader, int way) {
    if (setjmp(host.back) != 0) {
        return 1;
    }
    host.is_armed = 1;
    while (read_on(reader, way) == BIOST_OK) {
    }
    return 0;
}

static void leave_reader(leaver by, int way) {
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    char *text = begin_host(by, by == BY_READ ? 2 : 0);
    int i;
    REQUIRE(text != NULL);
    test_note("%s, way %d", leaver_names[by], way);
    memset(&desc, 0, sizeof desc);
    desc.callback.read = read_more;
    desc.callback.rewind = rewind_all;
    desc.test.page_bytes = 4096;
    desc.text.skip_bad = 1;
    desc.allocator.alloc = host_alloc;
    desc.allocator.free = host_free;
    desc.log.line = line;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    CHECK(reader_until_left(reader, way));
    CHECK(host.told == 0);
    for (i = 0; i < 4; ++i) {
        biost_result result = read_on(reader, way);
        while (result == BIOST_OK && i == 0) { /* what lay ready */
            result = read_on(reader, way);
        }
        CHECK_EQ_I64(result, BIOST_ERR_ARG);
        check_left(biost_reader_error(reader));
        way = i;
    }
    CHECK_EQ_U64(host.told, 1);
    biost_reader_close(reader);
    end_host(text);
}

TEST(left, reader) {
    int way;
    for (way = 0; way < 4; ++way) {
        leave_reader(BY_READ, way);
        leave_reader(BY_LOG, way);
        leave_reader(BY_ALLOC, way);
    }
}

/* Of pairs in one file half may be left in the hands of the function: what belongs together is lost. */
TEST(left, pairs) {
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_pairs_desc pairs_desc;
    biost_pairs *pairs = NULL;
    biost_record mates[2];
    char *text = begin_host(BY_ALLOC, 0);
    int is_left = 0;
    REQUIRE(text != NULL);
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = host.text_bytes;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    memset(&pairs_desc, 0, sizeof pairs_desc);
    pairs_desc.readers = &reader;
    pairs_desc.reader_count = 1;
    pairs_desc.ignore_names = 1;
    pairs_desc.allocator.alloc = host_alloc;
    pairs_desc.allocator.free = host_free;
    REQUIRE(biost_pairs_open(&pairs_desc, &pairs, NULL) == BIOST_OK);
    if (setjmp(host.back) == 0) {
        host.is_armed = 1;
        CHECK(biost_pairs_next(pairs, mates) == BIOST_OK);
    } else {
        is_left = 1;
    }
    CHECK(is_left);
    CHECK_EQ_I64(biost_pairs_next(pairs, mates), BIOST_ERR_ARG);
    check_left(biost_pairs_error(pairs));
    CHECK_EQ_I64(biost_pairs_next(pairs, mates), BIOST_ERR_ARG);
    CHECK(mates[0].seq == NULL && mates[1].seq == NULL);
    biost_pairs_close(pairs);
    biost_reader_close(reader);
    end_host(text);
}
