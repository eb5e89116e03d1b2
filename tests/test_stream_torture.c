/*
 * test_stream_torture.c - biost_stream when things go wrong around it: every allocation, read, open,
 * thread and lock refused in turn, once and from then on; memory with unmapped pages on both sides;
 * cancel and close at any time; the host's own job systems. Always the right code, never another text,
 * nothing left behind, and a good file reads well afterwards.
 *
 * rooms: pipe stream source
 * needs: threads hooks
 */
#include "failing.h"

#define MAKER_OWN_EXECUTORS 1
#include "deflate_maker.h"

/* The one file of the tests. */
static struct {
    uint8_t *bytes;
    size_t count;
    maker_bytes text;
    size_t at;  /* of the callback */
    int yields; /* a read lets others run first */
} file;

static int64_t hook_read_at(void *handle, uint64_t offset, void *to, size_t bytes, void *user_data) {
    size_t left = offset < file.count ? file.count - (size_t)offset : 0;
    CHECK(user_data == &file && (handle == NULL || handle == (void *)&file.at));
    if (call_fails(CALL_READ)) {
        return -1;
    }
    if (file.yields) {
        sched_yield();
    }
    bytes = bytes < 70 ? bytes : 70;
    bytes = bytes < left ? bytes : left;
    memcpy(to, file.bytes + (left > 0 ? offset : 0), bytes);
    return (int64_t)bytes;
}

static int64_t hook_read(void *to, size_t bytes, void *user_data) {
    int64_t got = hook_read_at(NULL, file.at, to, bytes, user_data);
    file.at += got > 0 ? (size_t)got : 0;
    return got;
}

static void *hook_open(const char *path, void *user_data) {
    CHECK(user_data == &file && path != NULL);
    if (call_fails(CALL_OPEN)) {
        return NULL;
    }
    call_note(&calls.files_open, 1);
    return &file.at;
}

static int64_t hook_size(void *handle, void *user_data) {
    CHECK(user_data == &file && handle == (void *)&file.at);
    return call_fails(CALL_SIZE) ? -1 : (int64_t)file.count;
}

static void hook_close(void *handle, void *user_data) {
    CHECK(user_data == &file && handle == (void *)&file.at);
    call_note(&calls.files_open, -1);
}

/* ---- job systems ---- */

typedef struct ticket {
    void (*run)(void *argument);
    void *argument;
} ticket;

#define TICKETS 512u

/* Threads that run what was asked for: the oldest first, or the newest, or only when released. */
typedef struct host {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    ticket tickets[TICKETS];
    unsigned count, running, most; /* waiting; running, or just done; most of both together */
    unsigned long asked, ran;
    int newest_first, held, stopping;
    pthread_t threads[3];
    unsigned thread_count;
} host;

static void *host_work(void *argument) {
    host *h = (host *)argument;
    pthread_mutex_lock(&h->lock);
    for (;;) {
        ticket t;
        while ((h->count == 0 || h->held) && !h->stopping) {
            pthread_cond_wait(&h->wake, &h->lock);
        }
        if (h->count == 0) {
            break;
        }
        --h->count;
        if (h->newest_first) {
            t = h->tickets[h->count];
        } else {
            t = h->tickets[0];
            memmove(h->tickets, h->tickets + 1, h->count * sizeof t);
        }
        ++h->running;
        pthread_mutex_unlock(&h->lock);
        if (h->newest_first) {
            sched_yield(); /* late */
        }
        t.run(t.argument);
        pthread_mutex_lock(&h->lock);
        --h->running;
        ++h->ran;
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

static void host_submit(void (*run)(void *argument), void *argument, void *user_data) {
    host *h = (host *)user_data;
    pthread_mutex_lock(&h->lock);
    CHECK(h->count < TICKETS && !h->stopping);
    h->tickets[h->count].run = run;
    h->tickets[h->count++].argument = argument;
    ++h->asked;
    h->most = h->count + h->running > h->most ? h->count + h->running : h->most;
    pthread_cond_signal(&h->wake);
    pthread_mutex_unlock(&h->lock);
}

static void host_open(host *h, unsigned threads, int newest_first, int held) {
    memset(h, 0, sizeof *h);
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->wake, NULL);
    h->newest_first = newest_first;
    h->held = held;
    for (h->thread_count = 0; h->thread_count < threads; ++h->thread_count) {
        CHECK(pthread_create(&h->threads[h->thread_count], NULL, host_work, h) == 0);
    }
}

static void host_release(host *h) {
    pthread_mutex_lock(&h->lock);
    h->held = 0;
    pthread_cond_broadcast(&h->wake);
    pthread_mutex_unlock(&h->lock);
}

/* Nothing may be asked for any more: the streams are closed, and they wait for all they asked for. */
static void host_close(host *h) {
    unsigned i;
    pthread_mutex_lock(&h->lock);
    CHECK_EQ_U64(h->count + h->running > 0, 0);
    CHECK_EQ_U64(h->asked, h->ran);
    h->stopping = 1;
    pthread_cond_broadcast(&h->wake);
    pthread_mutex_unlock(&h->lock);
    for (i = 0; i < h->thread_count; ++i) {
        pthread_join(h->threads[i], NULL);
    }
    pthread_cond_destroy(&h->wake);
    pthread_mutex_destroy(&h->lock);
}

/* A ticket counts as run a moment after its run() returned, which is when close may go on. */
static void host_settle(host *h) {
    pthread_mutex_lock(&h->lock);
    while (h->count + h->running > 0) {
        pthread_mutex_unlock(&h->lock);
        sched_yield();
        pthread_mutex_lock(&h->lock);
    }
    pthread_mutex_unlock(&h->lock);
}

/* ---- the file, and ways to read it ---- */

#define FILE_PATH "build/test_stream_torture.gz"

static maker made;

/* Blocks, a plain member, blocks, the last one. About 1 KiB, 3 KiB of text. */
static int file_make(void) {
    uint64_t random = test_seed();
    maker_bytes text;
    maker_shape shape;
    FILE *out;
    int good;
    if (file.bytes != NULL) {
        return 1;
    }
    memset(&text, 0, sizeof text);
    memset(&shape, 0, sizeof shape);
    maker_fastq(&text, 600, &random);
    maker_begin(&made);
    maker_bgzf(&made, text.data, text.count, 90, -1);
    shape.blocks = 6;
    shape.ops = 200;
    shape.text_bytes = 2500;
    shape.match_percent = 40;
    shape.letters = "ACGT\n";
    maker_member(&made, NULL);
    maker_random_deflate(&made, &shape, &random);
    maker_member_end(&made);
    maker_bgzf(&made, text.data, text.count, 250, -2);
    maker_bytes_free(&text);
    file.bytes = test_copy(made.file.data, made.file.count);
    file.count = made.file.count;
    maker_bytes_add(&file.text, made.text.data, made.text.count);
    out = fopen(FILE_PATH, "wb");
    good = out != NULL && fwrite(file.bytes, 1, file.count, out) == file.count;
    good = out != NULL && fclose(out) == 0 && good;
    return CHECK(good);
}

enum { BY_MEMORY, BY_PATH, BY_CALLBACK, BY_FILES, WAYS };

static void desc_make(biost_stream_desc *desc, int by, uint32_t workers) {
    memset(desc, 0, sizeof *desc);
    file.at = 0;
    if (by == BY_MEMORY) {
        desc->memory.data = file.bytes;
        desc->memory.bytes = file.count;
    } else if (by == BY_CALLBACK) {
        desc->callback.read = hook_read;
        desc->callback.user_data = &file;
    } else {
        desc->path = FILE_PATH;
    }
    if (by == BY_FILES) {
        desc->files.open = hook_open;
        desc->files.read_at = hook_read_at;
        desc->files.size = hook_size;
        desc->files.close = hook_close;
        desc->files.user_data = &file;
    }
    desc->workers = workers;
    desc->allocator.alloc = hook_alloc;
    desc->allocator.free = hook_free;
    desc->allocator.user_data = &calls;
    desc->test.page_bytes = 64;
    desc->test.chunk_bytes = 100;
}

/* The whole file, right to the end. */
static void check_good(const biost_stream_desc *desc, size_t piece) {
    stream_outcome out;
    file.at = 0;
    calls_begin(CALL_ALLOC, 0, 0);
    out = stream_run(desc, piece);
    CHECK(out.result == BIOST_END);
    CHECK_EQ_U64(out.progress.member_count, made.border_count);
    if (CHECK_EQ_U64(out.text.count, file.text.count)) {
        CHECK_MEM(out.text.data, file.text.data, file.text.count);
    }
    maker_bytes_free(&out.text);
    check_nothing_left();
}

/* ---- every call refused ---- */

static void check_refused(const biost_stream_desc *desc, call_kind kind, unsigned long fail_at, int on) {
    static const biost_result codes[CALL_KINDS] = {BIOST_ERR_NOMEM, BIOST_ERR_IO,     BIOST_ERR_IO,
                                                   BIOST_ERR_IO,    BIOST_ERR_THREAD, BIOST_ERR_THREAD,
                                                   BIOST_ERR_THREAD};
    stream_outcome out;
    file.at = 0;
    calls_begin(kind, fail_at, on);
    out = stream_run(desc, fail_at % 2 == 0 ? STREAM_PAGES : 50);
    CHECK(stream_is_prefix(&out, file.text.data, file.text.count));
    if (!calls.refused) {
        CHECK(out.result == BIOST_END && out.text.count == file.text.count);
    } else if (kind == CALL_SIZE && out.opened) { /* asked again at the end: has the file changed? */
        CHECK(out.result == BIOST_ERR_IO || out.result == BIOST_ERR_STALE);
    } else {
        CHECK_EQ_I64(out.result, codes[kind]);
    }
    calls.fail_at = 0;
    maker_bytes_free(&out.text);
    check_nothing_left();
}

/* Each call of each kind, once and from then on. */
static void refuse_all(const biost_stream_desc *desc, const char *what) {
    unsigned long counts[CALL_KINDS], n;
    call_kind kind;
    check_good(desc, STREAM_PAGES);
    memcpy(counts, calls.counts, sizeof counts);
    CHECK(counts[CALL_ALLOC] >= 1 && counts[CALL_MUTEX] >= 1);
    for (kind = CALL_ALLOC; kind < CALL_KINDS; kind = (call_kind)(kind + 1)) {
        for (n = 1; n <= counts[kind]; ++n) {
            test_note("%s: %s %lu of %lu, once", what, call_names[kind], n, counts[kind]);
            check_refused(desc, kind, n, 0);
            test_note("%s: %s %lu of %lu and on", what, call_names[kind], n, counts[kind]);
            check_refused(desc, kind, n, 1);
            if (n % 8 == 1) {
                check_good(desc, 77);
            }
        }
    }
}

TEST(torture, every_call_refused) {
    static const char *const names[WAYS] = {"memory", "path", "callback", "files"};
    int by;
    REQUIRE(file_make());
    for (by = 0; by < WAYS; ++by) {
        uint32_t workers;
        for (workers = 1; workers <= 4; workers += 3) {
            biost_stream_desc desc;
            desc_make(&desc, by, workers);
            check_good(&desc, STREAM_PAGES);
            if (by != BY_MEMORY) { /* what fails here is counted at all */
                CHECK(calls.counts[CALL_READ] >= file.count / 100);
            }
            if (by == BY_PATH || by == BY_FILES) {
                CHECK(calls.counts[CALL_OPEN] >= 1 && calls.counts[CALL_SIZE] >= 1);
            }
            CHECK_EQ_U64(calls.counts[CALL_THREAD], workers - 1);
            refuse_all(&desc, names[by]);
        }
    }
}

TEST(torture, every_call_refused_with_jobs) {
    unsigned k;
    REQUIRE(file_make());
    for (k = 0; k < 4; ++k) {
        biost_stream_desc desc;
        host h;
        host_open(&h, k % 2 == 0 ? 3 : 1, k % 2 != 0, 0);
        desc_make(&desc, k < 2 ? BY_CALLBACK : BY_PATH, 4);
        desc.jobs.submit = host_submit;
        desc.jobs.user_data = &h;
        refuse_all(&desc, k % 2 == 0 ? "pool" : "late thread");
        check_good(&desc, STREAM_PAGES);
        CHECK_EQ_U64(calls.counts[CALL_THREAD], 0); /* none of its own */
        host_settle(&h);
        CHECK(h.most <= 4 + h.thread_count);
        host_close(&h);
    }
}

/* ---- jobs ---- */

/* Any job system, any order: the same text, and what was asked for is at most desc.workers. */
TEST(torture, jobs_deliver_the_same) {
    unsigned k;
    unsigned long asked = 0;
    REQUIRE(file_make());
    for (k = 0; k < 48; ++k) {
        biost_stream_desc desc;
        host h;
        uint32_t workers = 1 + k % 5;
        host_open(&h, 1 + k % 3, k / 2 % 2 != 0, 0);
        desc_make(&desc, (int)(k % WAYS), workers);
        desc.jobs.submit = host_submit;
        desc.jobs.user_data = &h;
        desc.test.order_seed = k % 3 == 0 ? 0 : k;
        test_note("way %u", k);
        check_good(&desc, k % 4 == 0 ? STREAM_PAGES : 1 + k);
        host_settle(&h);
        CHECK(h.most <= workers + h.thread_count);
        asked += h.asked;
        host_close(&h);
    }
    CHECK(asked > 0);
}

/* A host too busy to run anything: the caller does all the work. close waits for the tickets. */
TEST(torture, jobs_of_a_busy_host) {
    int by;
    REQUIRE(file_make());
    for (by = 0; by < WAYS; ++by) {
        biost_stream_desc desc;
        biost_stream *stream = NULL;
        stream_outcome out;
        host h;
        calls_begin(CALL_ALLOC, 0, 0);
        host_open(&h, 2, 0, 1);
        desc_make(&desc, by, 3);
        desc.jobs.submit = host_submit;
        desc.jobs.user_data = &h;
        memset(&out, 0, sizeof out);
        REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
        stream_drain(stream, STREAM_PAGES, &out);
        CHECK(out.result == BIOST_END);
        CHECK(out.text.count == file.text.count &&
              memcmp(out.text.data, file.text.data, file.text.count) == 0);
        host_release(&h);
        biost_stream_close(stream);
        host_settle(&h);
        CHECK(h.most <= 3); /* none has run yet, so all are counted rightly */
        host_close(&h);
        maker_bytes_free(&out.text);
        check_nothing_left();
    }
}

/* ---- guard pages ---- */

/* Memory between two pages that cannot be touched. */
typedef struct guarded {
    uint8_t *map, *first, *end; /* bytes first..end-1 can be used */
    size_t map_bytes;
} guarded;

static int guarded_open(guarded *g, size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (bytes + page - 1) / page * page + page;
    g->map_bytes = inner + 2 * page;
    g->map = (uint8_t *)mmap(NULL, g->map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(g->map != (uint8_t *)MAP_FAILED)) {
        return 0;
    }
    g->first = g->map + page;
    g->end = g->first + inner;
    return CHECK(mprotect(g->map, page, PROT_NONE) == 0) && CHECK(mprotect(g->end, page, PROT_NONE) == 0);
}

static void guarded_close(guarded *g) {
    munmap(g->map, g->map_bytes);
}

/* `count` bytes that begin after the first guard, or end in front of the second. */
static uint8_t *guarded_place(const guarded *g, size_t count, int at_end) {
    return at_end ? g->end - count : g->first;
}

/* Read from guarded memory to guarded memory: a stream and biost_inflate, at both ends. */
static void check_guarded(const guarded *in, const guarded *to, const uint8_t *bytes, size_t count,
                          const uint8_t *text, size_t text_bytes) {
    int end;
    for (end = 0; end < 4; ++end) {
        uint8_t *source = guarded_place(in, count, end & 1), *out;
        size_t capacity, got = 0, done = 0;
        biost_stream_desc desc;
        biost_stream *stream = NULL;
        biost_result result;
        memcpy(source, bytes, count);
        memset(&desc, 0, sizeof desc);
        desc.memory.data = source;
        desc.memory.bytes = count;
        desc.workers = 1 + (count % 64 == 5);
        desc.test.page_bytes = count % 2 == 0 ? 64 : 0;
        desc.test.chunk_bytes = count % 3 == 0 ? 7 : 0;
        desc.test.page_count = 2;
        if (end == (int)(count % 4)) { /* one of four: opening costs more than all the rest */
            REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
            do {
                size_t ask = 1 + (done + count) % 130;
                out = guarded_place(to, ask, end >> 1);
                result = biost_stream_read(stream, out, ask, &got);
                CHECK(done + got <= text_bytes && memcmp(out, text + done, got) == 0);
                done += got;
            } while (result == BIOST_OK);
            biost_stream_close(stream);
        }
        for (capacity = 0; capacity <= text_bytes; capacity += 1 + text_bytes / 3) {
            size_t room = capacity + text_bytes / 3 >= text_bytes ? text_bytes : capacity;
            out = guarded_place(to, room, end >> 1);
            result = biost_inflate(source, count, out, room, &got, NULL);
            CHECK(got <= room && memcmp(out, text, got) == 0);
            CHECK(result != BIOST_OK || got <= text_bytes);
        }
    }
}

/* Every prefix of some files up to 600 bytes, so every length, cut at every place of the format. */
TEST(torture, guard_pages) {
    guarded in, to;
    size_t count, step = MAKER_SLOW ? 7 : 1;
    unsigned k;
    uint64_t random = test_seed();
    static maker m;
    if (!guarded_open(&in, 70000) || !guarded_open(&to, 70000)) {
        return;
    }
    for (k = 0; k < 4; ++k) {
        maker_bytes text;
        memset(&text, 0, sizeof text);
        maker_fastq(&text, 2000, &random);
        maker_begin(&m);
        if (k == 0) {
            maker_bgzf(&m, text.data, 500, 100, 6);
        } else if (k == 1) {
            maker_pack(&m, NULL, text.data, text.count, 9);
        } else {
            maker_shape shape;
            memset(&shape, 0, sizeof shape);
            shape.blocks = 6;
            shape.ops = 150;
            shape.text_bytes = 9000;
            shape.match_percent = k == 2 ? 80 : 20;
            do {
                maker_header h = maker_random_header(k == 3, &random);
                maker_member(&m, &h);
                maker_random_deflate(&m, &shape, &random);
                maker_member_end(&m);
            } while (m.file.count < 600);
        }
        for (count = 0; count <= m.file.count && count <= 600; count += step) {
            test_note("file %u, %u bytes", k, (unsigned)count);
            check_guarded(&in, &to, m.file.data, count, m.text.data,
                          m.text.count < 60000 ? m.text.count : 60000);
        }
        check_guarded(&in, &to, m.file.data, m.file.count < 70000 ? m.file.count : 70000, m.text.data,
                      m.text.count < 60000 ? m.text.count : 60000);
        maker_bytes_free(&text);
    }
    guarded_close(&in);
    guarded_close(&to);
    maker_free(&m);
}

/* Plain text, and files larger than chunks, in guarded memory. */
TEST(torture, guard_pages_large) {
    static const size_t sizes[] = {65536, 131072, 131073, 300001, 1u << 20, (1u << 20) + 63};
    uint64_t random = test_seed();
    static maker m;
    size_t k;
    maker_bytes text;
    memset(&text, 0, sizeof text);
    maker_fastq(&text, (1u << 20) + 63, &random);
    for (k = 0; k < 18; ++k) {
        size_t bytes = sizes[k / 3];
        guarded in, to;
        const maker_bytes *from = &text;
        maker_begin(&m);
        if (k % 3 == 1) {
            maker_pack(&m, NULL, text.data, bytes, 1);
            from = &m.file;
        } else if (k % 3 == 2) {
            maker_bgzf(&m, text.data, bytes, 65280, 1);
            from = &m.file;
        }
        if (!guarded_open(&in, from == &text ? bytes : from->count) || !guarded_open(&to, bytes)) {
            break;
        }
        test_note("%u bytes, kind %u", (unsigned)bytes, (unsigned)k % 3);
        check_guarded(&in, &to, from->data, from == &text ? bytes : from->count, text.data, bytes);
        guarded_close(&in);
        guarded_close(&to);
    }
    maker_bytes_free(&text);
    maker_free(&m);
}

/* ---- close and cancel at any time ---- */

TEST(torture, close_at_every_page) {
    unsigned workers, by;
    REQUIRE(file_make());
    for (by = 0; by < WAYS; ++by) {
        for (workers = 1; workers <= 4; ++workers) {
            unsigned stop;
            biost_result result = BIOST_OK;
            for (stop = 0; result == BIOST_OK; stop += MAKER_SLOW ? 3 : 1) {
                biost_stream_desc desc;
                biost_stream *stream = NULL;
                stream_outcome out;
                unsigned turn;
                memset(&out, 0, sizeof out);
                calls_begin(CALL_ALLOC, 0, 0);
                desc_make(&desc, (int)by, workers);
                desc.test.order_seed = stop % 3;
                test_note("input %u, %u workers, closed after %u pages", by, workers, stop);
                REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
                for (turn = 0; turn < stop && result == BIOST_OK; ++turn) {
                    result = stream_take(stream, STREAM_PAGES, turn, &out.text);
                }
                biost_stream_close(stream);
                CHECK(stream_is_prefix(&out, file.text.data, file.text.count));
                maker_bytes_free(&out.text);
                check_nothing_left();
            }
            CHECK(result == BIOST_END && stop > 10);
        }
    }
}

/* What a second thread does meanwhile. */
typedef struct meddler {
    biost_stream *stream;
    unsigned yields;
    int cancels;
    int done; /* atomic */
} meddler;

static void *meddle(void *argument) {
    meddler *m = (meddler *)argument;
    biost_text_progress before, now;
    unsigned i;
    memset(&before, 0, sizeof before);
    for (i = 0; m->cancels ? i < m->yields : !__atomic_load_n(&m->done, __ATOMIC_ACQUIRE); ++i) {
        biost_stream_progress(m->stream, &now);
        CHECK(now.text_bytes >= before.text_bytes && now.source_bytes >= before.source_bytes &&
              now.member_count >= before.member_count && now.block_count >= before.block_count);
        before = now;
        CHECK_EQ_U64(biost_stream_warnings(m->stream), 0);
        sched_yield();
    }
    if (m->cancels) {
        biost_stream_cancel(m->stream);
    }
    return NULL;
}

/* Counts may be asked for, and the stream cancelled, from another thread at any time. */
TEST(torture, another_thread_looks_and_cancels) {
    unsigned k, cancelled = 0, ended = 0, count = MAKER_SLOW ? 60 : 400;
    REQUIRE(file_make());
    for (k = 0; k < count; ++k) {
        biost_stream_desc desc;
        stream_outcome out;
        meddler m;
        pthread_t thread;
        host h;
        int jobs = k % 7 == 3, first = k % 9 == 1; /* the cancel comes before all reading */
        memset(&out, 0, sizeof out);
        calls_begin(CALL_ALLOC, 0, 0);
        desc_make(&desc, (int)(k % WAYS), 1 + k % 5);
        if (jobs) {
            host_open(&h, 2, 0, 0);
            desc.jobs.submit = host_submit;
            desc.jobs.user_data = &h;
        }
        m.stream = NULL;
        file.yields = 1;
        m.yields = k / 4 % 50;
        m.cancels = k % 3 != 0;
        m.done = 0;
        test_note("run %u", k);
        REQUIRE(biost_stream_open(&desc, &m.stream, NULL) == BIOST_OK);
        REQUIRE(pthread_create(&thread, NULL, meddle, &m) == 0);
        if (first) {
            pthread_join(thread, NULL);
        }
        stream_drain(m.stream, k % 2 == 0 ? STREAM_PAGES : 30, &out);
        __atomic_store_n(&m.done, 1, __ATOMIC_RELEASE);
        if (!first) {
            pthread_join(thread, NULL);
        }
        CHECK(!first || out.result == BIOST_CANCELLED);
        CHECK(out.result == BIOST_END || (m.cancels && out.result == BIOST_CANCELLED));
        CHECK(out.result != BIOST_END || out.text.count == file.text.count);
        CHECK(stream_is_prefix(&out, file.text.data, file.text.count));
        cancelled += out.result == BIOST_CANCELLED;
        ended += out.result == BIOST_END;
        biost_stream_close(m.stream);
        if (jobs) {
            host_settle(&h);
            host_close(&h);
        }
        maker_bytes_free(&out.text);
        check_nothing_left();
    }
    CHECK(ended > 0 && cancelled > 0);
    file.yields = 0;
}

/* A callback that waits for a network that says nothing. */
typedef struct blocking {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t before; /* bytes it gives before it waits */
    size_t at;
    int waits, released;
    pthread_t reader; /* the thread that is in it */
    pthread_t caller; /* the one that reads the stream */
    biost_stream *stream;
} blocking;

static int64_t blocking_read(void *to, size_t bytes, void *user_data) {
    blocking *b = (blocking *)user_data;
    size_t left = b->before - b->at;
    if (left == 0) {
        pthread_mutex_lock(&b->lock);
        b->reader = pthread_self();
        b->waits = 1;
        pthread_cond_broadcast(&b->changed);
        while (!b->released) {
            pthread_cond_wait(&b->changed, &b->lock);
        }
        pthread_mutex_unlock(&b->lock);
        return 0;
    }
    bytes = bytes < left ? bytes : left;
    memcpy(to, file.bytes + b->at, bytes);
    b->at += bytes;
    return (int64_t)bytes;
}

/* Has a worker, and not the caller, come to wait in the callback? */
static int is_worker_in_it(blocking *b) {
    int yes;
    pthread_mutex_lock(&b->lock);
    yes = b->waits && !pthread_equal(b->reader, b->caller);
    pthread_mutex_unlock(&b->lock);
    return yes;
}

/*
 * Cancel once the callback waits: with a worker in it, when the caller sleeps, which must wake it;
 * with the caller in it the callback must return first.
 */
static void *cancel_blocked(void *argument) {
    blocking *b = (blocking *)argument;
    int sleeps = 0, worker;
    pthread_mutex_lock(&b->lock);
    while (!b->waits) {
        pthread_cond_wait(&b->changed, &b->lock);
    }
    pthread_mutex_unlock(&b->lock);
    worker = is_worker_in_it(b);
    while (worker && !sleeps) {
        sleeps = peek_stream_sleeps(b->stream);
        sched_yield();
    }
    biost_stream_cancel(b->stream);
    pthread_mutex_lock(&b->lock);
    if (!worker) {
        b->released = 1;
        pthread_cond_broadcast(&b->changed);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

TEST(torture, cancel_while_a_callback_blocks) {
    static const size_t befores[] = {0, 130, 260, 800, 1200}; /* chunks have 100, and 5 may be ahead */
    unsigned k, sleepers = 0, i;
    REQUIRE(file_make());
    CHECK(file.count > 1200);
    for (k = 0; k < 60; ++k) {
        biost_stream_desc desc;
        stream_outcome out;
        blocking b;
        pthread_t thread;
        memset(&out, 0, sizeof out);
        memset(&b, 0, sizeof b);
        pthread_mutex_init(&b.lock, NULL);
        pthread_cond_init(&b.changed, NULL);
        b.before = befores[k % 5];
        b.caller = pthread_self();
        calls_begin(CALL_ALLOC, 0, 0);
        desc_make(&desc, BY_CALLBACK, 1 + k % 4);
        desc.callback.read = blocking_read;
        desc.callback.user_data = &b;
        test_note("run %u", k);
        REQUIRE(biost_stream_open(&desc, &b.stream, NULL) == BIOST_OK);
        REQUIRE(pthread_create(&thread, NULL, cancel_blocked, &b) == 0);
        if (b.before >= 800 && desc.workers > 1) { /* workers read ahead while the caller is away */
            biost_result taken = stream_take(b.stream, 10, 0, &out.text);
            CHECK(taken == BIOST_OK || taken == BIOST_CANCELLED); /* the caller may come to wait in it, too */
            for (i = 0; i < 10000 && !is_worker_in_it(&b); ++i) {
                sched_yield();
            }
            sleepers += is_worker_in_it(&b) ? 1 : 0;
        }
        stream_drain(b.stream, 10, &out); /* hangs if a sleeping caller is not woken */
        CHECK(out.result == BIOST_CANCELLED);
        CHECK(stream_is_prefix(&out, file.text.data, file.text.count));
        pthread_join(thread, NULL);
        pthread_mutex_lock(&b.lock);
        b.released = 1; /* close waits for the callback */
        pthread_cond_broadcast(&b.changed);
        pthread_mutex_unlock(&b.lock);
        biost_stream_close(b.stream);
        pthread_cond_destroy(&b.changed);
        pthread_mutex_destroy(&b.lock);
        maker_bytes_free(&out.text);
        check_nothing_left();
    }
    CHECK(sleepers > 0);
}

/* ---- hooks that call back ---- */

typedef struct talker {
    biost_stream *stream;
    unsigned lines;
} talker;

static void talk(biost_result level, const char *sentence, void *user_data) {
    talker *t = (talker *)user_data;
    biost_text_progress progress;
    biost_stream_progress(t->stream, &progress);
    (void)biost_stream_warnings(t->stream);
    biost_stream_cancel(t->stream);
    CHECK(level < 0 && sentence[0] != '\0');
    ++t->lines;
}

/* The log may ask the stream for anything: no lock is held. */
TEST(torture, log_hook_calls_the_stream) {
    uint32_t workers;
    REQUIRE(file_make());
    for (workers = 1; workers <= 4; ++workers) {
        biost_stream_desc desc;
        stream_outcome out;
        talker t = {NULL, 0};
        memset(&out, 0, sizeof out);
        calls_begin(CALL_ALLOC, 0, 0);
        desc_make(&desc, BY_MEMORY, workers);
        desc.memory.bytes = file.count - 30; /* cut */
        desc.log.line = talk;
        desc.log.user_data = &t;
        REQUIRE(biost_stream_open(&desc, &t.stream, NULL) == BIOST_OK);
        stream_drain(t.stream, STREAM_PAGES, &out);
        CHECK(out.result == BIOST_ERR_GZIP);
        CHECK_EQ_U64(t.lines, 1);
        biost_stream_close(t.stream);
        maker_bytes_free(&out.text);
        check_nothing_left();
    }
}

/* ---- many schedules ---- */

/* Whatever order the ready tasks are taken in, on one thread and on several: the same. */
TEST(torture, a_thousand_schedules) {
    unsigned seed, count = MAKER_SLOW ? 100 : 1000;
    REQUIRE(file_make());
    for (seed = 1; seed <= count; ++seed) {
        biost_stream_desc desc;
        desc_make(&desc, (int)(seed % WAYS), 1 + seed % 4);
        desc.test.order_seed = seed;
        desc.test.page_count = 2 + seed % 5;
        test_note("seed %u", seed);
        check_good(&desc, seed % 3 == 0 ? STREAM_MIXED : STREAM_PAGES);
    }
    unlink(FILE_PATH);
}
