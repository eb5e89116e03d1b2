/*
 * Inputs that somebody else writes while they are read: nothing of them is read at open, and what has come is
 * handed on before a read that waits. So one process may write to several pipes in turn, as tools that split
 * pairs do. A real writer does so here, in each order, with mates of unlike lengths; what hangs ends by SIGALRM.
 *
 * rooms: source pipe
 * needs: loader threads library
 */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64
#include "../biostream.h"
#include "test.h"

#include "inputs.h"
#include "patience.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECORDS 2000u

static const char *const pipe_names[2] = {"pipe_1", "pipe_2"};

/* Write all; a reader that has gone ends the process by SIGPIPE. */
static void put(int fd, const char *text, size_t left) {
    while (left > 0) {
        ssize_t count = write(fd, text, left);
        if (count <= 0) {
            _exit(1);
        }
        text += count;
        left -= (size_t)count;
    }
}

static void put_record(int fd, unsigned number, unsigned mate, unsigned bases) {
    char text[4096];
    int at = snprintf(text, sizeof text, "@r%u/%u\n", number, mate + 1);
    memset(text + at, 'A', bases);
    memcpy(text + at + bases, "\n+\n", 3);
    memset(text + at + bases + 3, 'I', bases);
    text[(unsigned)at + 2 * bases + 3] = '\n';
    put(fd, text, (size_t)at + 2 * bases + 4);
}

/* What the writer does: open both pipes in an order, and write a record to each in turn. */
static void write_pairs(unsigned first, const unsigned bases[2]) {
    int fds[2];
    unsigned i;
    patience_alarm(30);
    for (i = 0; i < 2; ++i) {
        unsigned which = i ^ first;
        fds[which] = open(file_path(pipe_names[which]), O_WRONLY);
        if (fds[which] < 0) {
            _exit(1);
        }
    }
    for (i = 0; i < 2 * RECORDS; ++i) {
        put_record(fds[i % 2], i / 2, i % 2, bases[i % 2]);
    }
    _exit(0);
}

static void read_pairs(unsigned first, uint32_t workers, unsigned bases_1, unsigned bases_2) {
    const unsigned bases[2] = {bases_1, bases_2};
    const char *paths[2];
    biost_reader *readers[2] = {NULL, NULL};
    biost_pairs_desc desc;
    biost_pairs *pairs = NULL;
    biost_record mates[2];
    uint64_t count = 0;
    biost_result result;
    int status = 0;
    pid_t writer;
    unsigned i;
    test_note("opened first %u, workers %u, bases %u %u", first, (unsigned)workers, bases_1, bases_2);
    for (i = 0; i < 2; ++i) {
        paths[i] = file_path(pipe_names[i]);
        REQUIRE(mkfifo(paths[i], 0600) == 0);
    }
    patience_alarm(60);
    writer = fork();
    if (writer == 0) {
        write_pairs(first, bases);
    }
    memset(&desc, 0, sizeof desc);
    for (i = 0; i < 2; ++i) {
        biost_reader_desc one;
        memset(&one, 0, sizeof one);
        one.path = paths[i];
        one.workers = workers;
        REQUIRE(biost_reader_open(&one, &readers[i], NULL) == BIOST_OK);
        CHECK(biost_reader_format(readers[i]) == BIOST_FORMAT_EMPTY);
    }
    desc.readers = readers;
    desc.reader_count = 2;
    REQUIRE(biost_pairs_open(&desc, &pairs, NULL) == BIOST_OK);
    while ((result = biost_pairs_next(pairs, mates)) == BIOST_OK) {
        CHECK(mates[0].seq_bases == bases_1 && mates[1].seq_bases == bases_2);
        ++count;
    }
    CHECK(result == BIOST_END);
    CHECK_EQ_U64(count, RECORDS);
    CHECK(biost_reader_format(readers[1]) == BIOST_FORMAT_FASTQ);
    biost_pairs_close(pairs);
    for (i = 0; i < 2; ++i) {
        biost_reader_close(readers[i]);
    }
    CHECK(waitpid(writer, &status, 0) == writer && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    alarm(0);
    file_clean(pipe_names, 2);
}

TEST(pipes, one_writer_of_two) {
    unsigned way;
    for (way = 0; way < 12; ++way) {
#if defined(__linux__)
        unsigned first = way % 2;
#else
        unsigned first = 0; /* elsewhere each open waits for its writer */
#endif
        static const uint32_t workers[3] = {1, 2, 4};
        read_pairs(first, workers[way / 2 % 3], way < 6 ? 100 : 28, way < 6 ? 100 : 1500);
    }
}

typedef struct fed {
    const char *text;
    size_t left;
    unsigned calls;
} fed;

static int64_t feed(void *to, size_t most, void *user_data) {
    fed *f = (fed *)user_data;
    size_t count = f->left < most ? f->left : most;
    ++f->calls;
    memcpy(to, f->text, count);
    f->text += count;
    f->left -= count;
    return (int64_t)count;
}

/* How often a host was asked to run, and what: it is the same each time. */
typedef struct asked {
    void (*run)(void *);
    void *argument;
    unsigned count;
} asked;

static void keep_submitted(void (*run)(void *), void *argument, void *user_data) {
    asked *a = (asked *)user_data;
    a->run = run;
    a->argument = argument;
    ++a->count;
}

/*
 * No open asks a callback for bytes: readers, streams, and loaders of one and of several. Nor does the close of
 * a reader that read nothing leave work behind for a thread that comes late: its stream's host gets none.
 */
TEST(pipes, open_reads_nothing) {
    static const char text[] = "@a\nACGT\n+\nIIII\n";
    fed f[2] = {{text, sizeof text - 1, 0}, {text, sizeof text - 1, 0}};
    biost_callback callbacks[2];
    biost_stream_desc stream_desc;
    biost_reader_desc reader_desc;
    biost_loader_desc loader_desc;
    biost_stream *stream = NULL;
    biost_reader *reader = NULL;
    biost_loader *loader = NULL;
    biost_record record;
    asked host = {NULL, NULL, 0};
    unsigned i;
    memset(callbacks, 0, sizeof callbacks);
    memset(&stream_desc, 0, sizeof stream_desc);
    memset(&reader_desc, 0, sizeof reader_desc);
    memset(&loader_desc, 0, sizeof loader_desc);
    for (i = 0; i < 2; ++i) {
        callbacks[i].read = feed;
        callbacks[i].user_data = &f[i];
    }
    stream_desc.callback = callbacks[0];
    stream_desc.workers = 2;
    stream_desc.jobs.submit = keep_submitted;
    stream_desc.jobs.user_data = &host;
    REQUIRE(biost_stream_open(&stream_desc, &stream, NULL) == BIOST_OK);
    reader_desc.stream = stream;
    REQUIRE(biost_reader_open(&reader_desc, &reader, NULL) == BIOST_OK);
    CHECK_EQ_U64(f[0].calls, 0);
    biost_reader_close(reader);
    CHECK_EQ_U64(host.count, 0);
    biost_stream_cancel(stream);
    for (; host.count > 0; --host.count) {
        host.run(host.argument); /* close would wait for it */
    }
    biost_stream_close(stream);
    loader_desc.callbacks = callbacks;
    loader_desc.callback_count = 2;
    REQUIRE(biost_loader_open(&loader_desc, &loader, NULL) == BIOST_OK);
    biost_loader_close(loader);
    memset(&reader_desc, 0, sizeof reader_desc);
    reader_desc.callback = callbacks[0];
    REQUIRE(biost_reader_open(&reader_desc, &reader, NULL) == BIOST_OK);
    CHECK_EQ_U64(f[0].calls + f[1].calls, 0);
    CHECK(biost_reader_format(reader) == BIOST_FORMAT_EMPTY);
    CHECK(biost_reader_next(reader, &record) == BIOST_OK && record.seq_bases == 4);
    CHECK(f[0].calls > 0 && biost_reader_format(reader) == BIOST_FORMAT_FASTQ);
    biost_reader_close(reader);
}

/* What open says of files whose formats differ, the first pair says of what open does not read. */
TEST(pipes, mixed_formats) {
    static const char fastq[] = "@a\nACGT\n+\nIIII\n", fasta[] = ">a\nACGT\n";
    static const char *const texts[3][3] = {{fastq, fasta, fastq}, {"", fastq, fasta}, {fastq, fastq, fasta}};
    static const char *const said[3] = {
        "0 is FASTQ, 1 is FASTA: inputs that belong together must be of one format",
        "1 is FASTQ, 2 is FASTA: inputs that belong together must be of one format",
        "0 is FASTQ, 2 is FASTA: inputs that belong together must be of one format"};
    static const char *const names[3] = {"0", "1", "2"};
    unsigned i, k;
    for (i = 0; i < 3; ++i) {
        fed f[3];
        biost_reader *readers[3] = {NULL, NULL, NULL};
        biost_pairs_desc desc;
        biost_pairs *pairs = NULL;
        biost_record mates[3];
        memset(&desc, 0, sizeof desc);
        for (k = 0; k < 3; ++k) {
            biost_reader_desc one;
            memset(&one, 0, sizeof one);
            f[k].text = texts[i][k];
            f[k].left = strlen(texts[i][k]);
            f[k].calls = 0;
            one.callback.read = feed;
            one.callback.user_data = &f[k];
            one.callback.name = names[k];
            REQUIRE(biost_reader_open(&one, &readers[k], NULL) == BIOST_OK);
        }
        desc.readers = readers;
        desc.reader_count = 3;
        REQUIRE(biost_pairs_open(&desc, &pairs, NULL) == BIOST_OK);
        CHECK(biost_pairs_next(pairs, mates) == BIOST_ERR_TEXT);
        CHECK(biost_pairs_error(pairs)->fault == BIOST_FAULT_FORMAT);
        CHECK_STR(biost_pairs_error(pairs)->text, said[i]);
        biost_pairs_close(pairs);
        for (k = 0; k < 3; ++k) {
            biost_reader_close(readers[k]);
        }
    }
}
