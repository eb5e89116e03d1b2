/*
 * test_refusals.c - calls that are refused: each gives its code, leaves a sentence that names what is wrong and
 * what helps where the API says, tells the log the same once, and ends nothing: what worked before goes on.
 *
 * Only the API is used. What a sentence must say is written here from what the API's comments promise.
 *
 * rooms: public fault
 * needs: loader threads library
 */
#define _POSIX_C_SOURCE 200809L

#include "../biostream.h"

#include "test.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY "build/test_refusals.files"

static const char two_reads[] = "@a\nACGT\n+\nIIII\n@b\nTTGCA\n+\n!!!!!\n"; /* record 1 starts at byte 15 */
static const char three_fasta[] = ">a\nAC\n>b\nGGT\n>c\nT\n";

/* ---- what is told ---- */

/* Lines of a log. */
typedef struct told {
    unsigned count;
    biost_result code;
    char text[sizeof((biost_error *)NULL)->text];
} told;

static void tell(biost_result code, const char *sentence, void *user_data) {
    told *to = (told *)user_data;
    ++to->count;
    to->code = code;
    snprintf(to->text, sizeof to->text, "%s", sentence);
}

static biost_log log_to(told *to) {
    biost_log log;
    memset(to, 0, sizeof *to);
    log.line = tell;
    log.user_data = to;
    return log;
}

/* The error is of this code and fault, and each of two words is in its sentence, which is whole. */
static void check_error(const biost_error *error, biost_result code, biost_fault fault, const char *word,
                        const char *other, int line) {
    test_note("line %d: \"%s\"", line, error != NULL ? error->text : "no error");
    if (!CHECK(error != NULL)) {
        return;
    }
    CHECK_EQ_I64(error->code, code);
    CHECK_EQ_I64(error->fault, fault);
    CHECK(strstr(error->text, word) != NULL);
    CHECK(strstr(error->text, other) != NULL);
    CHECK(strlen(error->text) + 1 < sizeof error->text); /* nothing was cut off */
}

/* A call of an object was refused: its error and its log say so, the log once more than before. */
static void check_refused(biost_result result, biost_result code, const biost_error *error, biost_fault fault,
                          told *log, const char *word, const char *other, int line) {
    test_note("line %d", line);
    CHECK_EQ_I64(result, code);
    check_error(error, code, fault, word, other, line);
    CHECK_EQ_U64(log->count, 1);
    CHECK_EQ_I64(log->code, code);
    CHECK_STR(log->text, error != NULL ? error->text : "");
    log->count = 0;
}

#define REFUSED_BY(call, kind, object, code, fault, word, other)                                    \
    do {                                                                                            \
        biost_result refused_result = (call);                                                       \
        check_refused(refused_result, code, biost_##kind##_error(object), fault, &log, word, other, \
                      __LINE__);                                                                    \
    } while (0)

/* Likewise one of any thread: the log alone is told. */
#define REFUSED_TO_LOG(call, kind, object, word)                          \
    do {                                                                  \
        const biost_error *refused_before = biost_##kind##_error(object); \
        test_note("line %d: \"%s\"", __LINE__, log.text);                 \
        CHECK_EQ_I64(call, BIOST_ERR_ARG);                                \
        CHECK(biost_##kind##_error(object) == refused_before);            \
        CHECK_EQ_U64(log.count, 1);                                       \
        CHECK_EQ_I64(log.code, BIOST_ERR_ARG);                            \
        CHECK(strstr(log.text, word) != NULL);                            \
        log.count = 0;                                                    \
    } while (0)

/* ---- inputs ---- */

static biost_memory memory_of(const void *bytes, size_t count) {
    biost_memory memory;
    memset(&memory, 0, sizeof memory);
    memory.data = bytes;
    memory.bytes = count;
    return memory;
}

/* A callback over a text. */
typedef struct spring {
    const char *text;
    size_t bytes, at;
    int rewind_fails;
} spring;

static int64_t spring_read(void *to, size_t bytes, void *user_data) {
    spring *from = (spring *)user_data;
    size_t count = bytes < from->bytes - from->at ? bytes : from->bytes - from->at;
    memcpy(to, from->text + from->at, count);
    from->at += count;
    return (int64_t)count;
}

static int spring_rewind(void *user_data) {
    spring *from = (spring *)user_data;
    from->at = 0;
    return !from->rewind_fails;
}

static biost_callback callback_of(spring *from, const char *text, int rewinds) {
    biost_callback callback;
    memset(&callback, 0, sizeof callback);
    memset(from, 0, sizeof *from);
    from->text = text;
    from->bytes = strlen(text);
    callback.read = spring_read;
    callback.rewind = rewinds ? spring_rewind : NULL;
    callback.user_data = from;
    callback.name = "spring";
    return callback;
}

/* A pipe with a text in it, open for writing here, so that nobody waits for a writer. */
static FILE *fill_pipe(const char *path, const char *text) {
    FILE *both = NULL;
    (void)mkdir("build", 0777);
    (void)mkdir(DIRECTORY, 0777);
    (void)unlink(path);
    if (CHECK(mkfifo(path, 0600) == 0)) {
        both = fopen(path, "r+b");
    }
    if (CHECK(both != NULL)) {
        CHECK(fputs(text, both) >= 0 && fflush(both) == 0);
    }
    return both;
}

/* A pipe whose writer goes once all is written. */
typedef struct pouring {
    pthread_t thread;
    const char *path, *text;
} pouring;

static void *pour(void *argument) {
    const pouring *from = (const pouring *)argument;
    FILE *file = fopen(from->path, "wb");
    if (CHECK(file != NULL)) {
        CHECK(fputs(from->text, file) >= 0 && fclose(file) == 0);
    }
    return NULL;
}

static int pour_begins(pouring *from, const char *path, const char *text) {
    from->path = path;
    from->text = text;
    (void)mkdir("build", 0777);
    (void)mkdir(DIRECTORY, 0777);
    (void)unlink(path);
    return CHECK(mkfifo(path, 0600) == 0) && CHECK(pthread_create(&from->thread, NULL, pour, from) == 0);
}

static void pour_ends(pouring *from) {
    CHECK(pthread_join(from->thread, NULL) == 0 && unlink(from->path) == 0);
}

static void put_file(const char *path, const void *bytes, size_t count) {
    FILE *file;
    (void)mkdir("build", 0777);
    (void)mkdir(DIRECTORY, 0777);
    file = fopen(path, "wb");
    if (CHECK(file != NULL)) {
        CHECK_EQ_U64(fwrite(bytes, 1, count, file), count);
        CHECK(fclose(file) == 0);
    }
}

/* ---- streams ---- */

/* The next bytes of the text are these, and nothing is left to be said. */
static void stream_gives(biost_stream *stream, const char *text) {
    char to[64];
    size_t bytes = 0;
    memset(to, 0, sizeof to);
    CHECK_EQ_I64(biost_stream_read(stream, to, strlen(text), &bytes), BIOST_OK);
    CHECK_STR(to, text);
    CHECK_EQ_U64(bytes, strlen(text));
    CHECK(biost_stream_error(stream) == NULL);
}

TEST(refusals, stream_arguments) {
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    biost_page page;
    size_t bytes = 7;
    char to[8];
    told log;
    memset(&desc, 0, sizeof desc);
    desc.memory = memory_of(two_reads, strlen(two_reads));
    desc.log = log_to(&log);
    REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
    stream_gives(stream, "@a\n");
    REFUSED_BY(biost_stream_read(stream, to, 4, NULL), stream, stream, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
               "out_bytes", "NULL");
    REFUSED_BY(biost_stream_read(stream, NULL, 4, &bytes), stream, stream, BIOST_ERR_ARG,
               BIOST_FAULT_ARGUMENT, "to is", "NULL");
    CHECK_EQ_U64(bytes, 0);
    stream_gives(stream, "ACGT");
    REFUSED_BY(biost_stream_next_page(stream, NULL), stream, stream, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
               "out_page", "NULL");
    CHECK_EQ_I64(biost_stream_seek(stream, 15), BIOST_OK); /* takes the refusal back */
    CHECK(biost_stream_error(stream) == NULL);
    stream_gives(stream, "@b");
    CHECK_EQ_I64(biost_stream_read(stream, NULL, 0, &bytes), BIOST_OK);
    CHECK_EQ_I64(biost_stream_next_page(stream, &page), BIOST_OK);
    CHECK_EQ_I64(biost_stream_next_page(stream, &page), BIOST_END);
    REFUSED_BY(biost_stream_next_page(stream, NULL), stream, stream, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
               "out_page", "NULL");
    CHECK_EQ_I64(biost_stream_next_page(stream, &page), BIOST_END);
    CHECK(biost_stream_error(stream) == NULL);
    CHECK_EQ_U64(log.count, 0);
    CHECK_EQ_I64(biost_stream_read(NULL, to, 4, &bytes), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_stream_next_page(NULL, &page), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_stream_seek(NULL, 0), BIOST_ERR_ARG);
    CHECK(biost_stream_error(NULL) == NULL);
    biost_stream_close(stream);
}

/* Of a stream that has failed a refusal is told until the next call, and then the error again, as it was. */
TEST(refusals, stream_after_an_error) {
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    biost_error first;
    size_t bytes;
    char to[8];
    told log;
    memset(&desc, 0, sizeof desc);
    desc.memory = memory_of("\x1f\x8b\x08\0\0", 5);
    desc.log = log_to(&log);
    REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
    CHECK_EQ_I64(biost_stream_read(stream, to, 4, &bytes), BIOST_ERR_GZIP);
    REQUIRE(biost_stream_error(stream) != NULL);
    first = *biost_stream_error(stream);
    CHECK_EQ_I64(first.fault, BIOST_FAULT_TRUNCATED);
    CHECK_EQ_U64(log.count, 1);
    log.count = 0;
    REFUSED_BY(biost_stream_read(stream, to, 4, NULL), stream, stream, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
               "out_bytes", "NULL");
    CHECK_EQ_I64(biost_stream_read(stream, to, 4, &bytes), BIOST_ERR_GZIP);
    REQUIRE(biost_stream_error(stream) != NULL);
    CHECK_STR(biost_stream_error(stream)->text, first.text);
    CHECK_EQ_U64(log.count, 0); /* an error is told once */
    biost_stream_close(stream);
}

TEST(refusals, stream_seeks_backwards) {
    const char *path = DIRECTORY "/stream.pipe";
    int is_pipe;
    for (is_pipe = 0; is_pipe < 2; ++is_pipe) {
        const char *name = is_pipe ? path : "spring: ";
        const char *why = is_pipe ? "pipe or device" : "desc.callback.rewind";
        biost_stream_desc desc;
        biost_stream *stream = NULL;
        biost_page page;
        pouring poured;
        spring from;
        told log;
        memset(&desc, 0, sizeof desc);
        desc.log = log_to(&log);
        desc.path = is_pipe ? path : NULL;
        if (!is_pipe) {
            desc.callback = callback_of(&from, two_reads, 0);
        }
        REQUIRE(!is_pipe || pour_begins(&poured, path, two_reads));
        REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
        stream_gives(stream, "@a\nACGT");
        REFUSED_BY(biost_stream_seek(stream, 6), stream, stream, BIOST_ERR_UNSUPPORTED,
                   BIOST_FAULT_UNSUPPORTED, name, why);
        stream_gives(stream, "\n+\nIIII\n@b");
        CHECK_EQ_I64(biost_stream_seek(stream, 18), BIOST_OK);
        REFUSED_BY(biost_stream_seek(stream, 0), stream, stream, BIOST_ERR_UNSUPPORTED,
                   BIOST_FAULT_UNSUPPORTED, name, why);
        stream_gives(stream, "TTGCA\n+\n!!!!!\n");
        CHECK_EQ_I64(biost_stream_next_page(stream, &page), BIOST_END);
        REFUSED_BY(biost_stream_seek(stream, 31), stream, stream, BIOST_ERR_UNSUPPORTED,
                   BIOST_FAULT_UNSUPPORTED, name, why);
        CHECK_EQ_I64(biost_stream_next_page(stream, &page), BIOST_END);
        CHECK(biost_stream_error(stream) == NULL);
        biost_stream_close(stream);
        if (is_pipe) {
            pour_ends(&poured);
        }
    }
}

/* While a reader has a stream its own calls would take text away: they are refused, and work again after. */
TEST(refusals, stream_that_a_reader_has) {
    biost_stream_desc desc;
    biost_reader_desc reader_desc;
    biost_stream *stream = NULL;
    biost_reader *reader = NULL, *second = NULL;
    biost_record record;
    biost_error error;
    biost_page page;
    size_t bytes;
    char to[8];
    told log;
    memset(&desc, 0, sizeof desc);
    desc.memory = memory_of(two_reads, strlen(two_reads));
    desc.test.page_bytes = 16;
    desc.log = log_to(&log);
    REQUIRE(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
    memset(&reader_desc, 0, sizeof reader_desc);
    reader_desc.stream = stream;
    REQUIRE(biost_reader_open(&reader_desc, &reader, NULL) == BIOST_OK);
    REFUSED_BY(biost_stream_read(stream, to, 4, &bytes), stream, stream, BIOST_ERR_ARG, BIOST_FAULT_MISUSE,
               "reader", "biost_reader_close");
    REFUSED_BY(biost_stream_next_page(stream, &page), stream, stream, BIOST_ERR_ARG, BIOST_FAULT_MISUSE,
               "reader", "biost_reader_close");
    CHECK(page.text == NULL && page.text_bytes == 0);
    REFUSED_BY(biost_stream_seek(stream, 0), stream, stream, BIOST_ERR_ARG, BIOST_FAULT_MISUSE, "reader",
               "biost_reader_close");
    CHECK_EQ_I64(biost_reader_open(&reader_desc, &second, &error), BIOST_ERR_ARG);
    CHECK(second == NULL);
    check_error(&error, BIOST_ERR_ARG, BIOST_FAULT_MISUSE, "desc.stream", "closed", __LINE__);
    REQUIRE(biost_reader_next(reader, &record) == BIOST_OK); /* and has lost nothing */
    CHECK(record.seq_bases == 4 && memcmp(record.seq, "ACGT", 4) == 0);
    REQUIRE(biost_reader_next(reader, &record) == BIOST_OK);
    CHECK(record.seq_bases == 5 && memcmp(record.seq, "TTGCA", 5) == 0);
    CHECK_EQ_I64(biost_reader_next(reader, &record), BIOST_END);
    biost_reader_close(reader);
    CHECK_EQ_I64(biost_stream_seek(stream, 15), BIOST_OK);
    stream_gives(stream, "@b\nTT");
    reader_desc.stream = stream;
    REQUIRE(biost_reader_open(&reader_desc, &second, &error) == BIOST_OK);
    biost_reader_close(second);
    biost_stream_close(stream);
}

/* ---- readers ---- */

/* The next record has these bases, and nothing is left to be said. */
static void reader_gives(biost_reader *reader, const char *seq) {
    biost_record record;
    if (CHECK_EQ_I64(biost_reader_next(reader, &record), BIOST_OK)) {
        CHECK_EQ_U64(record.seq_bases, strlen(seq));
        CHECK(record.seq_bases == strlen(seq) && memcmp(record.seq, seq, record.seq_bases) == 0);
    }
    CHECK(biost_reader_error(reader) == NULL);
}

static void reader_ends(biost_reader *reader) {
    biost_record record;
    CHECK_EQ_I64(biost_reader_next(reader, &record), BIOST_END);
    CHECK(biost_reader_error(reader) == NULL);
}

TEST(refusals, reader_arguments) {
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_record_page page;
    biost_record record;
    biost_run run;
    told log;
    memset(&desc, 0, sizeof desc);
    desc.memory = memory_of(three_fasta, strlen(three_fasta));
    desc.log = log_to(&log);
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    REFUSED_BY(biost_reader_next(reader, NULL), reader, reader, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
               "out_record", "NULL");
    reader_gives(reader, "AC");
    REFUSED_BY(biost_reader_next_run(reader, NULL), reader, reader, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
               "out_run", "NULL");
    CHECK_EQ_I64(biost_reader_next_run(reader, &run), BIOST_OK);
    CHECK(biost_reader_error(reader) == NULL);
    CHECK_EQ_U64(run.record.id, 1);
    REFUSED_BY(biost_reader_next_page(reader, NULL), reader, reader, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
               "out_page", "NULL");
    REFUSED_TO_LOG(biost_reader_release_page(reader, NULL), reader, reader, "page is NULL");
    CHECK_EQ_I64(biost_reader_next_page(reader, &page), BIOST_OK);
    CHECK(biost_reader_error(reader) == NULL);
    CHECK_EQ_U64(page.row_count, 1);
    CHECK_EQ_I64(biost_reader_release_page(reader, &page), BIOST_OK);
    REFUSED_BY(biost_reader_next(reader, NULL), reader, reader, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
               "out_record", "NULL");
    CHECK_EQ_I64(biost_reader_seek(reader, 2), BIOST_OK); /* takes the refusal back */
    CHECK(biost_reader_error(reader) == NULL);
    reader_gives(reader, "T");
    reader_ends(reader);
    REFUSED_BY(biost_reader_next(reader, NULL), reader, reader, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
               "out_record", "NULL");
    reader_ends(reader);
    CHECK_EQ_I64(biost_reader_next(NULL, &record), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_reader_next_run(NULL, &run), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_reader_next_page(NULL, &page), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_reader_release_page(NULL, &page), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_reader_seek(NULL, 0), BIOST_ERR_ARG);
    CHECK_EQ_U64(log.count, 0);
    biost_reader_close(reader);
}

/* Each page has one record: all that may be held are. */
TEST(refusals, reader_pages) {
    static const uint32_t counts[] = {0, 1, 2, 3};
    static const char *const said[] = {"all 2 pages", "all 1 pages", "all 2 pages", "all 3 pages"};
    char text[512]; /* 12 records of 34 bytes */
    unsigned k, i;
    text[0] = '\0';
    for (i = 0; i < 12; ++i) {
        strcat(text, "@name\nACGTACGTACGT\n+\nIIIIIIIIIIII\n");
    }
    for (k = 0; k < 4; ++k) {
        uint32_t most = counts[k] > 0 ? counts[k] : 2;
        biost_reader_desc desc;
        biost_reader *reader = NULL;
        biost_record_page pages[3], page, old;
        told log;
        memset(&desc, 0, sizeof desc);
        desc.memory = memory_of(text, strlen(text));
        desc.page_count = counts[k];
        desc.test.row_count = 1;
        desc.log = log_to(&log);
        REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
        for (i = 0; i < most; ++i) {
            REQUIRE(biost_reader_next_page(reader, &pages[i]) == BIOST_OK);
        }
        for (i = 0; i < 2; ++i) {
            REFUSED_BY(biost_reader_next_page(reader, &page), reader, reader, BIOST_ERR_SLOTS,
                       BIOST_FAULT_SLOTS, said[k], "raise desc.page_count");
            CHECK(page.row_count == 0 && page.rows == NULL);
            REFUSED_BY(biost_reader_seek(reader, 0), reader, reader, BIOST_ERR_ARG, BIOST_FAULT_MISUSE,
                       "biost_reader_seek", "release");
        }
        reader_gives(reader, "ACGTACGTACGT"); /* by a table of its own, with all pages held */
        old = pages[0];
        CHECK_EQ_I64(biost_reader_release_page(reader, &pages[0]), BIOST_OK);
        REFUSED_TO_LOG(biost_reader_release_page(reader, &old), reader, reader, "released before");
        REQUIRE(biost_reader_next_page(reader, &pages[0]) == BIOST_OK);
        CHECK_EQ_U64(pages[0].id, most + 1);
        REFUSED_TO_LOG(biost_reader_release_page(reader, &old), reader, reader, "released before");
        old.slot = 99;
        REFUSED_TO_LOG(biost_reader_release_page(reader, &old), reader, reader, "not held");
        REFUSED_BY(biost_reader_next_page(reader, &page), reader, reader, BIOST_ERR_SLOTS, BIOST_FAULT_SLOTS,
                   said[k], "raise desc.page_count");
        REFUSED_TO_LOG(biost_reader_release_page(reader, &old), reader, reader, "not held"); /* that stays */
        for (i = 0; i < most; ++i) {
            CHECK_EQ_I64(biost_reader_release_page(reader, &pages[i]), BIOST_OK);
        }
        CHECK_EQ_I64(biost_reader_seek(reader, 11), BIOST_OK);
        reader_gives(reader, "ACGTACGTACGT");
        reader_ends(reader);
        CHECK_EQ_U64(log.count, 0);
        biost_reader_close(reader);
    }
}

/* A page of another reader. */
TEST(refusals, reader_page_of_another) {
    biost_reader *readers[2] = {NULL, NULL};
    biost_record_page pages[2];
    told log;
    unsigned i;
    for (i = 0; i < 2; ++i) {
        biost_reader_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.memory = memory_of(two_reads, strlen(two_reads));
        desc.log = log_to(&log);
        REQUIRE(biost_reader_open(&desc, &readers[i], NULL) == BIOST_OK);
        REQUIRE(biost_reader_next_page(readers[i], &pages[i]) == BIOST_OK);
    }
    REFUSED_TO_LOG(biost_reader_release_page(readers[0], &pages[1]), reader, readers[0], "another reader");
    CHECK(pages[0].rows[0].bases == 4 && pages[1].rows[0].bases == 4);
    for (i = 0; i < 2; ++i) {
        CHECK_EQ_I64(biost_reader_release_page(readers[i], &pages[i]), BIOST_OK);
        reader_ends(readers[i]);
        biost_reader_close(readers[i]);
    }
}

/* A stream given decides how many pages there are, and cannot be sought by its reader. */
TEST(refusals, reader_over_a_stream) {
    biost_stream_desc stream_desc;
    biost_reader_desc desc;
    biost_stream *stream = NULL;
    biost_reader *reader = NULL;
    biost_record_page first, page;
    told log;
    memset(&stream_desc, 0, sizeof stream_desc);
    stream_desc.memory = memory_of(two_reads, strlen(two_reads));
    REQUIRE(biost_stream_open(&stream_desc, &stream, NULL) == BIOST_OK);
    memset(&desc, 0, sizeof desc);
    desc.stream = stream;
    desc.page_count = 5;
    desc.test.row_count = 1;
    desc.log = log_to(&log);
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    REFUSED_BY(biost_reader_seek(reader, 0), reader, reader, BIOST_ERR_ARG, BIOST_FAULT_MISUSE, "desc.stream",
               "biost_reader_seek");
    REQUIRE(biost_reader_next_page(reader, &first) == BIOST_OK);
    CHECK(biost_reader_error(reader) == NULL);
    REFUSED_BY(biost_reader_next_page(reader, &page), reader, reader, BIOST_ERR_SLOTS, BIOST_FAULT_SLOTS,
               "all 1 pages that desc.stream allows", "more workers");
    CHECK_EQ_I64(biost_reader_release_page(reader, &first), BIOST_OK);
    reader_gives(reader, "TTGCA");
    reader_ends(reader);
    CHECK_EQ_U64(log.count, 0);
    biost_reader_close(reader);
    biost_stream_close(stream);
}

TEST(refusals, reader_seeks_backwards) {
    const char *path = DIRECTORY "/reader.pipe";
    int is_pipe;
    for (is_pipe = 0; is_pipe < 2; ++is_pipe) {
        const char *name = is_pipe ? path : "spring: ";
        const char *why = is_pipe ? "pipe or device" : "desc.callback.rewind";
        biost_reader_desc desc;
        biost_reader *reader = NULL;
        pouring poured;
        spring from;
        told log;
        memset(&desc, 0, sizeof desc);
        desc.log = log_to(&log);
        desc.path = is_pipe ? path : NULL;
        if (!is_pipe) {
            desc.callback = callback_of(&from, three_fasta, 0);
        }
        REQUIRE(!is_pipe || pour_begins(&poured, path, three_fasta));
        REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
        reader_gives(reader, "AC");
        REFUSED_BY(biost_reader_seek(reader, 0), reader, reader, BIOST_ERR_UNSUPPORTED,
                   BIOST_FAULT_UNSUPPORTED, name, why);
        reader_gives(reader, "GGT");
        CHECK_EQ_I64(biost_reader_seek(reader, 2), BIOST_OK);
        REFUSED_BY(biost_reader_seek(reader, 1), reader, reader, BIOST_ERR_UNSUPPORTED,
                   BIOST_FAULT_UNSUPPORTED, name, why);
        reader_gives(reader, "T");
        reader_ends(reader);
        REFUSED_BY(biost_reader_seek(reader, 0), reader, reader, BIOST_ERR_UNSUPPORTED,
                   BIOST_FAULT_UNSUPPORTED, name, why);
        reader_ends(reader);
        CHECK_EQ_U64(log.count, 0);
        biost_reader_close(reader);
        if (is_pipe) {
            pour_ends(&poured);
        }
    }
}

/* A rewind that fails is no refusal: the seek meets the end of what can be read. */
TEST(refusals, reader_rewind_fails) {
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_record record;
    spring from;
    told log;
    memset(&desc, 0, sizeof desc);
    desc.callback = callback_of(&from, three_fasta, 1);
    desc.log = log_to(&log);
    from.rewind_fails = 1;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    reader_gives(reader, "AC");
    reader_gives(reader, "GGT");
    REFUSED_BY(biost_reader_seek(reader, 1), reader, reader, BIOST_ERR_IO, BIOST_FAULT_READ,
               "spring: ", "rewind");
    CHECK_EQ_I64(biost_reader_next(reader, &record), BIOST_ERR_IO);
    check_error(biost_reader_error(reader), BIOST_ERR_IO, BIOST_FAULT_READ, "spring: ", "rewind", __LINE__);
    from.rewind_fails = 0;
    CHECK_EQ_I64(biost_reader_seek(reader, 1), BIOST_OK);
    reader_gives(reader, "GGT");
    biost_reader_close(reader);
}

TEST(refusals, reader_after_an_error) {
    static const char bad[] = "@a\nACGT\n+\nIIII\n@b\nTTGCA\n+\n!!!!!!\n";
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_record record;
    biost_record_page page;
    biost_error first;
    told log;
    memset(&desc, 0, sizeof desc);
    desc.memory = memory_of(bad, strlen(bad));
    desc.log = log_to(&log);
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    REQUIRE(biost_reader_next_page(reader, &page) == BIOST_OK);
    CHECK_EQ_I64(biost_reader_next(reader, &record), BIOST_ERR_TEXT);
    REQUIRE(biost_reader_error(reader) != NULL);
    first = *biost_reader_error(reader);
    CHECK_EQ_I64(first.fault, BIOST_FAULT_LENGTH);
    log.count = 0;
    REFUSED_BY(biost_reader_seek(reader, 0), reader, reader, BIOST_ERR_ARG, BIOST_FAULT_MISUSE,
               "biost_reader_seek", "release");
    CHECK_EQ_I64(biost_reader_next(reader, &record), BIOST_ERR_TEXT);
    REQUIRE(biost_reader_error(reader) != NULL);
    CHECK_STR(biost_reader_error(reader)->text, first.text);
    CHECK_EQ_U64(log.count, 0);
    CHECK_EQ_I64(biost_reader_release_page(reader, &page), BIOST_OK);
    CHECK_EQ_I64(biost_reader_seek(reader, 0), BIOST_OK);
    reader_gives(reader, "ACGT");
    biost_reader_close(reader);
}

/* ---- releases from other threads ---- */

enum { REFUSERS = 2, REFUSED_RELEASES = 300 };

typedef struct refuser {
    pthread_t thread;
    biost_reader *reader;
    const biost_record_page *page; /* released before */
    unsigned refused;
} refuser;

static void *refuse_again(void *argument) {
    refuser *r = (refuser *)argument;
    unsigned i;
    for (i = 0; i < REFUSED_RELEASES; ++i) {
        r->refused += biost_reader_release_page(r->reader, r->page) == BIOST_ERR_ARG;
    }
    return NULL;
}

/* Their refusals are theirs: what the owner was told is not touched while the owner reads it. */
TEST(refusals, releases_from_other_threads) {
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_record_page released, held[2], page;
    refuser refusers[REFUSERS];
    unsigned i, wrong = 0;
    memset(&desc, 0, sizeof desc);
    desc.memory = memory_of("@a\nA\n+\nI\n@b\nC\n+\nI\n@c\nG\n+\nI\n@d\nT\n+\nI\n", 36);
    desc.test.row_count = 1;
    desc.workers = 2;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    REQUIRE(biost_reader_next_page(reader, &released) == BIOST_OK);
    CHECK_EQ_I64(biost_reader_release_page(reader, &released), BIOST_OK);
    REQUIRE(biost_reader_next_page(reader, &held[0]) == BIOST_OK);
    REQUIRE(biost_reader_next_page(reader, &held[1]) == BIOST_OK);
    for (i = 0; i < REFUSERS; ++i) {
        refusers[i].reader = reader;
        refusers[i].page = &released;
        refusers[i].refused = 0;
        REQUIRE(pthread_create(&refusers[i].thread, NULL, refuse_again, &refusers[i]) == 0);
    }
    for (i = 0; i < REFUSED_RELEASES; ++i) {
        const biost_error *error;
        wrong += biost_reader_next_page(reader, &page) != BIOST_ERR_SLOTS;
        error = biost_reader_error(reader);
        wrong += error == NULL || error->code != BIOST_ERR_SLOTS ||
                 strstr(error->text, "all 2 pages") == NULL;
        wrong += biost_reader_seek(reader, 0) != BIOST_ERR_ARG;
        error = biost_reader_error(reader);
        wrong += error == NULL || error->code != BIOST_ERR_ARG || strstr(error->text, "release") == NULL;
    }
    CHECK_EQ_U64(wrong, 0);
    for (i = 0; i < REFUSERS; ++i) {
        CHECK(pthread_join(refusers[i].thread, NULL) == 0);
        CHECK_EQ_U64(refusers[i].refused, REFUSED_RELEASES);
    }
    CHECK_EQ_I64(biost_reader_release_page(reader, &held[0]), BIOST_OK);
    CHECK_EQ_I64(biost_reader_release_page(reader, &held[1]), BIOST_OK);
    reader_gives(reader, "T");
    reader_ends(reader);
    biost_reader_close(reader);
}

/* ---- pairs ---- */

TEST(refusals, pairs) {
    static const char unequal[] = "@a\nA\n+\nI\n@a\nC\n+\nI\n@b\nG\n+\nI\n";
    biost_reader_desc reader_desc;
    biost_pairs_desc desc;
    biost_reader *reader = NULL;
    biost_pairs *pairs = NULL;
    biost_record mates[2];
    biost_error first;
    told log;
    memset(&reader_desc, 0, sizeof reader_desc);
    reader_desc.memory = memory_of(unequal, strlen(unequal));
    REQUIRE(biost_reader_open(&reader_desc, &reader, NULL) == BIOST_OK);
    memset(&desc, 0, sizeof desc);
    desc.readers = &reader;
    desc.reader_count = 1;
    desc.log = log_to(&log);
    REQUIRE(biost_pairs_open(&desc, &pairs, NULL) == BIOST_OK);
    REFUSED_BY(biost_pairs_next(pairs, NULL), pairs, pairs, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
               "out_records", "NULL");
    CHECK_EQ_I64(biost_pairs_next(pairs, mates), BIOST_OK);
    CHECK(biost_pairs_error(pairs) == NULL);
    CHECK(mates[0].seq[0] == 'A' && mates[1].seq[0] == 'C');
    CHECK_EQ_I64(biost_pairs_next(pairs, mates), BIOST_ERR_TEXT);
    REQUIRE(biost_pairs_error(pairs) != NULL);
    first = *biost_pairs_error(pairs);
    CHECK_EQ_I64(first.fault, BIOST_FAULT_PAIR_COUNT);
    log.count = 0;
    REFUSED_BY(biost_pairs_next(pairs, NULL), pairs, pairs, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
               "out_records", "NULL");
    CHECK_EQ_I64(biost_pairs_next(pairs, mates), BIOST_ERR_TEXT);
    CHECK_STR(biost_pairs_error(pairs)->text, first.text);
    CHECK_EQ_U64(log.count, 0);
    CHECK_EQ_I64(biost_pairs_next(NULL, mates), BIOST_ERR_ARG);
    biost_pairs_close(pairs);
    biost_reader_close(reader);
}

/* ---- loaders: what has no place among their own tests ---- */

TEST(refusals, loader_arguments) {
    biost_memory memory = memory_of(two_reads, strlen(two_reads));
    uint8_t state[512];
    size_t state_bytes = 0;
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_batch batch, ended;
    void *managed = state;
    told log;
    memset(&desc, 0, sizeof desc);
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.batch_rows = 1;
    desc.workers = 1;
    desc.log = log_to(&log);
    REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
    REFUSED_BY(biost_loader_next(loader, &batch), loader, loader, BIOST_ERR_ARG, BIOST_FAULT_MISUSE,
               "biost_loader_begin", "biost_loader_next");
    REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(biost_loader_error(loader) == NULL);
    REFUSED_BY(biost_loader_next(loader, NULL), loader, loader, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
               "out_batch", "NULL");
    REFUSED_BY(biost_loader_try_next(loader, NULL), loader, loader, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
               "out_batch", "NULL");
    REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
    CHECK(biost_loader_error(loader) == NULL);
    REFUSED_BY(biost_loader_state(loader, NULL, state, sizeof state, &state_bytes), loader, loader,
               BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "batch", "NULL");
    REFUSED_BY(biost_loader_state(loader, &batch, NULL, sizeof state, &state_bytes), loader, loader,
               BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "out_state", "NULL");
    REFUSED_BY(biost_loader_state(loader, &batch, state, sizeof state, NULL), loader, loader, BIOST_ERR_ARG,
               BIOST_FAULT_ARGUMENT, "out_bytes", "NULL");
    REFUSED_BY(biost_loader_state(loader, &batch, state, 1, &state_bytes), loader, loader, BIOST_ERR_ARG,
               BIOST_FAULT_ARGUMENT, "resume state", "512");
    REFUSED_BY(biost_loader_batches_per_epoch(loader, NULL), loader, loader, BIOST_ERR_ARG,
               BIOST_FAULT_ARGUMENT, "out_batches", "NULL");
    REFUSED_BY(biost_loader_export(loader, NULL, 0, 0, &managed), loader, loader, BIOST_ERR_ARG,
               BIOST_FAULT_ARGUMENT, "batch", "NULL");
    CHECK(managed == NULL);
    REFUSED_BY(biost_loader_export(loader, &batch, 0, 0, NULL), loader, loader, BIOST_ERR_ARG,
               BIOST_FAULT_ARGUMENT, "out_managed", "NULL");
    REFUSED_BY(biost_loader_export(loader, &batch, 9, 0, &managed), loader, loader, BIOST_ERR_ARG,
               BIOST_FAULT_MISUSE, "tensor", "number");
    REFUSED_BY(biost_loader_set_workers(loader, 257), loader, loader, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
               "workers", "256");
    REFUSED_TO_LOG(biost_loader_release(loader, NULL), loader, loader, "batch is NULL");
    CHECK_EQ_I64(biost_loader_release(loader, &batch), BIOST_OK);
    REFUSED_TO_LOG(biost_loader_release(loader, &batch), loader, loader, "released before");
    REFUSED_BY(biost_loader_state(loader, &batch, state, sizeof state, &state_bytes), loader, loader,
               BIOST_ERR_ARG, BIOST_FAULT_MISUSE, "resume state", "held");
    REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
    CHECK_EQ_I64(biost_loader_next(loader, &ended), BIOST_END);
    CHECK_EQ_I64(biost_loader_state(loader, &batch, state, sizeof state, &state_bytes), BIOST_OK);
    CHECK(biost_loader_error(loader) == NULL);
    CHECK_EQ_U64(log.count, 0);
    biost_loader_close(loader);
}

/* Of a loader that has failed, too, the error that is told is that of the last call. */
TEST(refusals, loader_after_an_error) {
    static const char bad[] = "@a\nACGT\n+\nIIII\n@b\nTTGCA\n+\n!!!!!!\n";
    biost_memory memory = memory_of(bad, strlen(bad));
    uint8_t state[512];
    size_t state_bytes = 0;
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_batch batch, none;
    biost_error first;
    told log;
    memset(&desc, 0, sizeof desc);
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.workers = 1;
    desc.log = log_to(&log);
    REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
    REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK);
    REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
    CHECK_EQ_I64(biost_loader_next(loader, &none), BIOST_ERR_TEXT);
    REQUIRE(biost_loader_error(loader) != NULL);
    first = *biost_loader_error(loader);
    CHECK_EQ_I64(first.fault, BIOST_FAULT_LENGTH);
    log.count = 0;
    REFUSED_BY(biost_loader_state(loader, &batch, state, 1, &state_bytes), loader, loader, BIOST_ERR_ARG,
               BIOST_FAULT_ARGUMENT, "resume state", "512");
    CHECK_EQ_I64(biost_loader_next(loader, &none), BIOST_ERR_TEXT);
    REQUIRE(biost_loader_error(loader) != NULL);
    CHECK_STR(biost_loader_error(loader)->text, first.text);
    CHECK_EQ_I64(biost_loader_state(loader, &batch, state, sizeof state, &state_bytes), BIOST_OK);
    CHECK_STR(biost_loader_error(loader)->text, first.text);
    biost_loader_close(loader);
}

/* ---- opens, and indexes: their sentence is in out_error ---- */

#define REFUSED_INTO(call, expected, fault, word)                   \
    do {                                                            \
        memset(&error, 0, sizeof error);                            \
        test_note("line %d", __LINE__);                             \
        CHECK_EQ_I64(call, expected);                               \
        check_error(&error, expected, fault, word, word, __LINE__); \
    } while (0)

TEST(refusals, opens) {
    biost_stream_desc stream;
    biost_reader_desc reader;
    biost_pairs_desc pairs;
    biost_loader_desc loader;
    biost_stream *out_stream = NULL;
    biost_reader *out_reader = NULL;
    biost_pairs *out_pairs = NULL;
    biost_loader *out_loader = NULL;
    biost_error error;
    memset(&stream, 0, sizeof stream);
    memset(&reader, 0, sizeof reader);
    memset(&pairs, 0, sizeof pairs);
    memset(&loader, 0, sizeof loader);
    REFUSED_INTO(biost_stream_open(&stream, NULL, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "out_stream");
    REFUSED_INTO(biost_reader_open(&reader, NULL, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "out_reader");
    REFUSED_INTO(biost_pairs_open(&pairs, NULL, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "out_pairs");
    REFUSED_INTO(biost_loader_open(&loader, NULL, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "out_loader");
    REFUSED_INTO(biost_stream_open(NULL, &out_stream, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "desc");
    REFUSED_INTO(biost_reader_open(NULL, &out_reader, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "desc");
    REFUSED_INTO(biost_pairs_open(NULL, &out_pairs, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "desc");
    REFUSED_INTO(biost_loader_open(NULL, &out_loader, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "desc");
    REFUSED_INTO(biost_stream_open(&stream, &out_stream, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 "desc.path");
    REFUSED_INTO(biost_reader_open(&reader, &out_reader, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 "desc.path");
    REFUSED_INTO(biost_pairs_open(&pairs, &out_pairs, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 "desc.readers");
    REFUSED_INTO(biost_loader_open(&loader, &out_loader, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 "desc.paths");
    stream.memory = reader.memory = memory_of(two_reads, strlen(two_reads));
    stream.path = reader.path = "x";
    REFUSED_INTO(biost_stream_open(&stream, &out_stream, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 "one of desc.path");
    REFUSED_INTO(biost_reader_open(&reader, &out_reader, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 "one of desc.path");
    stream.path = reader.path = NULL;
    stream.workers = reader.workers = 257;
    REFUSED_INTO(biost_stream_open(&stream, &out_stream, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 "desc.workers");
    REFUSED_INTO(biost_reader_open(&reader, &out_reader, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 "desc.workers");
    reader.workers = 0;
    reader.page_count = 1025;
    REFUSED_INTO(biost_reader_open(&reader, &out_reader, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 "desc.page_count");
    CHECK(out_stream == NULL && out_reader == NULL && out_pairs == NULL && out_loader == NULL);
}

TEST(refusals, index_calls) {
    static const char *const path = DIRECTORY "/reads.fastq";
    biost_index_desc desc;
    biost_index *index = NULL, *out = NULL;
    biost_error error;
    put_file(path, two_reads, strlen(two_reads));
    memset(&desc, 0, sizeof desc);
    desc.budget_bytes = 1;
    REFUSED_INTO(biost_index_open(NULL, NULL, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "out_index");
    REFUSED_INTO(biost_index_open(&desc, &out, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 "desc.budget_bytes");
    REFUSED_INTO(biost_index_load(path, NULL, NULL, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 "out_index");
    REFUSED_INTO(biost_index_load(NULL, NULL, &out, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "path");
    REFUSED_INTO(biost_index_load(path, NULL, &out, &error), BIOST_ERR_ARG, BIOST_FAULT_INDEX_DAMAGED, path);
    REFUSED_INTO(biost_index_load(DIRECTORY "/none", NULL, &out, &error), BIOST_ERR_IO, BIOST_FAULT_OPEN,
                 DIRECTORY "/none");
    CHECK(out == NULL);
    REQUIRE(biost_index_open(NULL, &index, &error) == BIOST_OK);
    REFUSED_INTO(biost_index_save(NULL, path, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "index or path");
    REFUSED_INTO(biost_index_save(index, NULL, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "index or path");
    REFUSED_INTO(biost_index_save(index, DIRECTORY "/none/x.bsx", &error), BIOST_ERR_IO, BIOST_FAULT_WRITE,
                 "none/x.bsx");
    CHECK_EQ_I64(biost_index_save(index, DIRECTORY "/x.bsx", &error), BIOST_OK);
    REQUIRE(biost_index_load(DIRECTORY "/x.bsx", NULL, &out, &error) == BIOST_OK);
    biost_index_close(out);
    biost_index_close(index);
    CHECK(unlink(DIRECTORY "/x.bsx") == 0 && unlink(path) == 0);
}

/* An index that an object cannot have: the object's open says why, and the index works elsewhere. */
TEST(refusals, index_lent) {
    const char *path = DIRECTORY "/index.pipe";
    FILE *both = fill_pipe(path, two_reads);
    biost_reader_desc desc;
    biost_stream_desc stream;
    biost_reader *reader = NULL, *second = NULL;
    biost_stream *out_stream = NULL;
    biost_index *index = NULL;
    biost_record record;
    biost_error error;
    spring from;
    REQUIRE(both != NULL && biost_index_open(NULL, &index, &error) == BIOST_OK);
    memset(&desc, 0, sizeof desc);
    memset(&stream, 0, sizeof stream);
    desc.index = stream.index = index;
    desc.callback = stream.callback = callback_of(&from, two_reads, 1);
    REFUSED_INTO(biost_reader_open(&desc, &second, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 "spring: an index needs");
    REFUSED_INTO(biost_stream_open(&stream, &out_stream, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 "spring: an index needs");
    memset(&desc.callback, 0, sizeof desc.callback);
    desc.path = path;
    REFUSED_INTO(biost_reader_open(&desc, &second, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 DIRECTORY "/index.pipe: an index needs");
    desc.path = NULL;
    desc.memory = memory_of(two_reads, strlen(two_reads));
    REQUIRE(biost_reader_open(&desc, &reader, &error) == BIOST_OK);
    REFUSED_INTO(biost_reader_open(&desc, &second, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                 "being filled by another");
    reader_gives(reader, "ACGT");
    reader_gives(reader, "TTGCA");
    reader_ends(reader);
    CHECK_EQ_I64(biost_reader_seek(reader, 1), BIOST_OK);
    CHECK_EQ_I64(biost_reader_next(reader, &record), BIOST_OK);
    biost_reader_close(reader);
    desc.gzip.ignore_bc = 1;
    REFUSED_INTO(biost_reader_open(&desc, &second, &error), BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, "desc.gzip");
    desc.gzip.ignore_bc = 0;
    desc.memory = memory_of(three_fasta, strlen(three_fasta));
    REFUSED_INTO(biost_reader_open(&desc, &second, &error), BIOST_ERR_STALE, BIOST_FAULT_INDEX_STALE,
                 "another input");
    CHECK(second == NULL && out_stream == NULL);
    desc.memory = memory_of(two_reads, strlen(two_reads));
    REQUIRE(biost_reader_open(&desc, &reader, &error) == BIOST_OK);
    CHECK_EQ_I64(biost_reader_seek(reader, 1), BIOST_OK);
    reader_gives(reader, "TTGCA");
    biost_reader_close(reader);
    biost_index_close(index);
    fclose(both);
    CHECK(unlink(path) == 0);
}
