/*
 * test_loader_faults.c - what the loader does when something is wrong: bad records at every place,
 * damaged gzip, files that vanish, change or cannot be read, no memory, no threads. Everything before
 * the fault is delivered, the last batch says that an error follows, the error stays, and its sentence
 * names file, record and line.
 *
 * The system calls of the header go through wrappers that can fail at the n-th call.
 *
 * rooms: textfeed loader fault
 * needs: loader threads hooks orders
 */
#include "hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum call_kind {
    CALL_OPEN,
    CALL_READ,
    CALL_MUTEX,
    CALL_CONDITION,
    CALL_THREAD,
    CALL_KINDS
} call_kind;

/* Call `fail_at` of kind `kind` fails, counted from 1, and with `on` all after it. */
static struct {
    pthread_mutex_t lock;
    call_kind kind;
    unsigned long counts[CALL_KINDS], fail_at;
    int on, refused;
    int error_number;
    size_t read_most; /* a read gives at most so many bytes; 0: as many as asked         */
    int interrupt;    /* every second read is interrupted                                */
    long files_open;
} calls = {PTHREAD_MUTEX_INITIALIZER, CALL_OPEN, {0, 0, 0, 0, 0}, 0, 0, 0, 0, 0, 0, 0};

/* Count a call; 1: it is to fail. */
static int call_fails(call_kind kind) {
    int fails;
    pthread_mutex_lock(&calls.lock);
    ++calls.counts[kind];
    fails = calls.fail_at > 0 && kind == calls.kind &&
            (calls.counts[kind] == calls.fail_at || (calls.on && calls.counts[kind] > calls.fail_at));
    calls.refused |= fails;
    pthread_mutex_unlock(&calls.lock);
    return fails;
}

/* 1: a call has failed. Workers that still run may note that, under the lock. */
static int call_refused(void) {
    int refused;
    pthread_mutex_lock(&calls.lock);
    refused = calls.refused;
    pthread_mutex_unlock(&calls.lock);
    return refused;
}

/* 1: this read, which was just counted, is to be interrupted. */
static int call_interrupted(void) {
    int interrupted;
    pthread_mutex_lock(&calls.lock);
    interrupted = calls.interrupt && calls.counts[CALL_READ] % 2 == 0;
    pthread_mutex_unlock(&calls.lock);
    return interrupted;
}

static int call_open(const char *path, int flags) {
    int file;
    if (call_fails(CALL_OPEN)) {
        errno = calls.error_number;
        return -1;
    }
    file = open(path, flags);
    pthread_mutex_lock(&calls.lock);
    calls.files_open += file >= 0;
    pthread_mutex_unlock(&calls.lock);
    return file;
}

static int call_close(int file) {
    pthread_mutex_lock(&calls.lock);
    --calls.files_open;
    pthread_mutex_unlock(&calls.lock);
    return close(file);
}

static ssize_t call_pread(int file, void *out, size_t count, off_t offset) {
    if (call_fails(CALL_READ)) {
        errno = calls.error_number;
        return -1;
    }
    if (call_interrupted()) {
        errno = EINTR;
        return -1;
    }
    return pread(file, out, calls.read_most > 0 && count > calls.read_most ? calls.read_most : count, offset);
}

static int call_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    return call_fails(CALL_MUTEX) ? ENOMEM : pthread_mutex_init(mutex, attributes);
}

static int call_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
    return call_fails(CALL_CONDITION) ? ENOMEM : pthread_cond_init(condition, attributes);
}

static int call_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                       void *argument) {
    return call_fails(CALL_THREAD) ? EAGAIN : pthread_create(thread, attributes, run, argument);
}

HOOKS_SET {
    os_open = call_open;
    os_close = call_close;
    os_pread = call_pread;
    os_mutex_init = call_mutex_init;
    os_cond_init = call_cond_init;
    os_create = call_create;
}

#include "peeks.h"

#include "test.h"

#include "loader_oracle.h"

static void calls_begin(call_kind kind, unsigned long fail_at, int on, int error_number) {
    memset(calls.counts, 0, sizeof calls.counts);
    calls.kind = kind;
    calls.fail_at = fail_at;
    calls.on = on;
    calls.refused = 0;
    calls.error_number = error_number;
}

/* ---- rows up to a fault ---- */

/* What a whole epoch without shuffle is made of: row i is record i. */
typedef struct plain_rows {
    bytes x;
    size_t rows, row_bytes;
} plain_rows;

static void plain_rows_make(plain_rows *plain, const oracle *o) {
    size_t i;
    memset(plain, 0, sizeof *plain);
    for (i = 0; i < o->batch_count; ++i) {
        plain->row_bytes = o->batches[i].x.count / o->batches[i].rows;
        plain->rows += o->batches[i].valid_rows;
        bytes_add(&plain->x, o->batches[i].x.data, o->batches[i].valid_rows * plain->row_bytes);
    }
}

/* Deliver to the end. Every row is the next of `plain`; only the last batch has flags, and they fit
   the end. Returns the result that ended it; *out_rows: rows delivered. */
static biost_result plain_rows_drain(const plain_rows *plain, biost_loader *loader, size_t *out_rows) {
    biost_batch batch;
    biost_result result;
    size_t rows = 0;
    uint32_t flags = 0, i;
    while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        CHECK_EQ_U64(flags, 0);
        flags = batch.flags;
        if (!CHECK(rows + batch.valid_rows <= plain->rows)) {
            break;
        }
        for (i = 0; i < batch.valid_rows; ++i) {
            CHECK_EQ_I64(batch.origins[i].id, rows + i);
        }
        CHECK_MEM(batch.x.data, plain->x.data + rows * plain->row_bytes, batch.valid_rows * plain->row_bytes);
        rows += batch.valid_rows;
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    if (rows > 0) {
        CHECK_EQ_U64(flags, BIOST_BATCH_LAST | (result < 0 ? (uint32_t)BIOST_BATCH_BEFORE_ERROR : 0u));
    }
    *out_rows = rows;
    return result;
}

/* The error stays, for next and begin. */
static void error_stays(biost_loader *loader, biost_result result) {
    biost_batch batch;
    const biost_error *error = biost_loader_error(loader);
    if (!CHECK(error != NULL)) {
        return;
    }
    CHECK(error->code == result && error->text[0] != '\0');
    CHECK(biost_loader_next(loader, &batch) == result);
    CHECK(biost_loader_begin(loader, 0) == result);
    CHECK(biost_loader_begin(loader, 1) == result);
    CHECK(biost_loader_next(loader, &batch) == result);
    CHECK(biost_loader_error(loader) == error && error->code == result);
}

/* ---- bad records ---- */

/* One way to spoil a record, with what is said then. %RECORD, %LINE and %BYTE stand for where. */
typedef struct spoiled {
    const char *record; /* the bad record's text; the good ones are of this format         */
    biost_fault fault;
    biost_result code;
    unsigned line, byte; /* where, counted from the record's first line and byte            */
    uint32_t good_bases; /* FASTA: bases before the byte at fault                           */
    const char *says;
} spoiled;

static const spoiled spoiled_records[] = {
    /* a quality too short may go on: it shows on the next line, as in q25 of the semantics cases */
    {"@bad\nACGTACGTAC\n+\nIIIIIIIII\n", BIOST_FAULT_LENGTH, BIOST_ERR_TEXT, 4, 28, 0,
     "quality has 9 characters, sequence has 10"},
    {"@bad\nACGT\n+\nIIIII\n", BIOST_FAULT_LENGTH, BIOST_ERR_TEXT, 3, 12, 0,
     "quality has 5 characters, sequence has 4"},
    {"@bad\nACGT\n+\nII I\n", BIOST_FAULT_BAD_QUAL_BYTE, BIOST_ERR_TEXT, 3, 14, 0, "' '"},
    {"@bad\nAC\x02T\n+\nIIII\n", BIOST_FAULT_BAD_SEQ_BYTE, BIOST_ERR_TEXT, 1, 7, 0, "'\\x02'"},
    {"@bad\nACGT\n+other\nIIII\n", BIOST_FAULT_PLUS_MISMATCH, BIOST_ERR_TEXT, 2, 10, 0, "'+' line"},
    {"bad\nACGT\n+\nIIII\n", BIOST_FAULT_BAD_START, BIOST_ERR_TEXT, 0, 0, 0, "'b'"},
    {">bad\nACGTACGTACGT\nACGTAC\nAC\tG\x7fT\nACGT\n", BIOST_FAULT_BAD_SEQ_BYTE, BIOST_ERR_TEXT, 3, 29, 21,
     "'\\x7f'"},
    {">bad\nACGTACGTAC\n;ACGT\n", BIOST_FAULT_COMMENT_LINE, BIOST_ERR_TEXT, 2, 16, 10, "';'"},
    {">bad\nACGTAC>next\nACGT\n", BIOST_FAULT_GT_IN_SEQ, BIOST_ERR_TEXT, 1, 11, 6, "'>'"},
};
#define SPOILED_COUNT (sizeof spoiled_records / sizeof spoiled_records[0])

/* Good records in front of number `at`, which is bad, and good ones after it. Line and byte where it
   starts come out. */
static void spoil(const spoiled *bad, uint32_t at, bytes *good, bytes *text, uint64_t *out_line,
                  uint64_t *out_byte) {
    uint64_t random = test_seed() + 9;
    text_shape shape = {0, 1, 9, 0, 5, 0, 0, 0};
    bytes after = {NULL, 0, 0};
    size_t i;
    shape.records = at;
    shape.fasta = bad->good_bases > 0 || bad->record[0] == '>';
    text_make(good, &shape, &random);
    bytes_words(text, "");
    bytes_add(text, good->data, good->count);
    *out_byte = text->count;
    for (*out_line = 1, i = 0; i < text->count; ++i) {
        *out_line += text->data[i] == '\n';
    }
    bytes_words(text, bad->record);
    shape.records = 3;
    text_make(&after, &shape, &random);
    bytes_add(text, after.data, after.count);
    bytes_free(&after);
    if (bad->good_bases > 0) { /* the oracle gets what of the bad record is good, without blanks */
        uint32_t bases = 0;
        for (i = 0; i < bad->byte; ++i) {
            if (bad->record[i] != '\t') {
                bytes_byte(good, (uint8_t)bad->record[i]);
            }
            bases += bad->record[i] >= 'A' && bad->record[i] <= 'T';
        }
        CHECK_EQ_U64(bases, bad->good_bases);
    }
}

TEST(fault, bad_record_at_every_place) {
    uint32_t kind, at, i;
    for (kind = 0; kind < SPOILED_COUNT; ++kind) {
        const spoiled *bad = &spoiled_records[kind];
        for (at = 0; at < 12; ++at) {
            bytes texts[2], inputs[2];
            uint64_t line, byte, random = at;
            uint32_t first = at % 2; /* the bad one is in input 0 or 1 */
            char place[128];
            memset(texts, 0, sizeof texts);
            memset(inputs, 0, sizeof inputs);
            bytes_words(&texts[0], "");
            spoil(bad, at, &texts[first], &inputs[first], &line, &byte);
            if (first == 1) { /* one good record in front of all */
                bytes_words(&texts[0], bad->record[0] == '>' ? ">one\nACGT\n" : "@one\nACGT\n+\nIIII\n");
                bytes_add(&inputs[0], texts[0].data, texts[0].count);
            } else {
                bytes_words(&inputs[1], "");
            }
            snprintf(place, sizeof place,
                     "%s: record %u (line %u, byte %u of the text): ", first == 0 ? "even" : "odd",
                     (unsigned)at + 1, (unsigned)(line + bad->line), (unsigned)(byte + bad->byte));
            for (i = 0; i < 9; ++i) {
                biost_loader_desc desc;
                biost_memory memories[2];
                biost_loader *loader;
                biost_result result;
                oracle o;
                memset(&desc, 0, sizeof desc);
                random_machine(&desc, &random);
                oracle_inputs(&desc, memories, inputs, 2);
                desc.batch_rows = 4;
                desc.row_bases = 6 + i % 3;
                desc.long_records = BIOST_LONG_SPLIT;
                desc.tail = (biost_tail_mode)(i % 3);
                desc.world = 1 + i % 2;
                desc.rank = desc.world - 1;
                desc.shuffle_rows = i / 3 * 4;
                desc.digest = 1;
                test_note("kind %u, place %u, run %u", (unsigned)kind, (unsigned)at, (unsigned)i);
                oracle_make(&o, &desc, texts, first + 1, 0,
                            bad->good_bases > 0 ? ORACLE_FAILS_PARTIAL : ORACLE_FAILS);
                loader = oracle_open(&desc);
                if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
                    result = oracle_drain(&o, loader, 0);
                    CHECK(result == bad->code);
                    error_stays(loader, result);
                }
                if (loader != NULL && biost_loader_error(loader) != NULL) {
                    const biost_error *error = biost_loader_error(loader);
                    CHECK_STR(biost_fault_name(error->fault), biost_fault_name(bad->fault));
                    CHECK_EQ_U64(error->path_index, first);
                    CHECK_EQ_U64(error->record, at);
                    CHECK_EQ_U64(error->line, line + bad->line);
                    CHECK_EQ_U64(error->text_offset, byte + bad->byte);
                    if (!CHECK(strncmp(error->text, place, strlen(place)) == 0) ||
                        !CHECK(strstr(error->text, bad->says) != NULL)) {
                        printf("    sentence: %s\n", error->text);
                    }
                }
                biost_loader_close(loader);
                oracle_free(&o);
            }
            for (i = 0; i < 2; ++i) {
                bytes_free(&texts[i]);
                bytes_free(&inputs[i]);
            }
        }
    }
}

/* A tail under DROP before an error: delivered, padded to the whole batch, as PAD would have it. */
TEST(fault, drop_delivers_the_tail_before_an_error) {
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    biost_loader *loader;
    biost_batch batch;
    biost_progress progress;
    bytes_words(&text, "@a\nAC\n+\nII\n@b\nGT\n+\nII\n@c\nACG\n+\nII\n@d\nAC\n+\nII\n");
    memset(&desc, 0, sizeof desc);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 4;
    desc.row_bases = 3;
    desc.tail = BIOST_TAIL_DROP;
    loader = oracle_open(&desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
    CHECK_EQ_U64(batch.rows, 4);
    CHECK_EQ_U64(batch.valid_rows, 2);
    CHECK_EQ_U64(batch.flags, BIOST_BATCH_LAST | BIOST_BATCH_BEFORE_ERROR);
    CHECK_EQ_I64(batch.origins[2].id, -1);
    CHECK_EQ_I64(batch.lengths[3], 0);
    CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_TEXT);
    CHECK_STR(error_of(loader)->text,
              "even: record 3 (line 13, byte 34 of the text): quality has 2 characters, sequence has 3");
    biost_loader_progress(loader, &progress);
    CHECK_EQ_U64(progress.tail_dropped_rows, 0);
    biost_loader_close(loader);
    bytes_free(&text);
}

/* ---- too long ---- */

TEST(fault, too_long_for_a_row_names_the_field) {
    bytes text = {NULL, 0, 0};
    uint32_t i;
    bytes_words(&text, "@a\nACGTA\n+\nIIIII\n@b\nACGTACG\n+\nIIIIIII\n@c\nA\n+\nI\n");
    for (i = 0; i < 12; ++i) {
        biost_loader_desc desc;
        biost_memory memory;
        biost_loader *loader;
        oracle o;
        memset(&desc, 0, sizeof desc);
        oracle_inputs(&desc, &memory, &text, 1);
        desc.batch_rows = 2;
        desc.row_bases = i % 2 == 0 ? 6 : 0;
        desc.max_row_bases = i % 2 == 0 ? 0 : 6;
        desc.shuffle_rows = i / 2 % 3;
        desc.workers = 1 + i / 6;
        oracle_make(&o, &desc, &text, 1, 0, ORACLE_ENDS_WELL);
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        CHECK(oracle_drain(&o, loader, 0) == BIOST_ERR_TOO_LONG);
        error_stays(loader, BIOST_ERR_TOO_LONG);
        CHECK_EQ_U64(error_of(loader)->line, 5);
        CHECK_STR(error_of(loader)->text, i % 2 == 0 ? "even: record 2 (line 5, byte 17 of the text): the "
                                                       "record has 7 bases, desc.row_bases is 6: raise "
                                                       "it, or let desc.long_records split or cut"
                                                     : "even: record 2 (line 5, byte 17 of the text): the "
                                                       "record has 7 bases, desc.max_row_bases is 6: "
                                                       "raise it, or let desc.long_records split or cut");
        biost_loader_close(loader);
        oracle_free(&o);
    }
    bytes_free(&text);
}

/* A record over max_record_bytes: the same batches and the same sentence for every cut. FASTA that is split is not
   held whole and has no such limit, unless a filter must see all of it. */
TEST(fault, too_long_a_record_whatever_the_cut) {
    static const uint32_t pages[] = {16, 100, 1000, 0}, chunks[] = {1, 50, 0};
    uint32_t k, i, format;
    for (format = 0; format < 2; ++format) {
        for (k = 0; k < 2; ++k) { /* exactly as long as allowed, and one byte more */
            uint64_t random = test_seed() + 10;
            text_shape shape = {20, 5, 30, 0, 10, 0, 0, 0}, longest = {1, 0, 0, 0, 50, 0, 0, 0};
            bytes good = {NULL, 0, 0}, text = {NULL, 0, 0}, record = {NULL, 0, 0};
            char sentence[256] = "";
            size_t cap;
            shape.fasta = longest.fasta = (int)format;
            longest.min_bases = longest.max_bases = 40000;
            text_make(&text, &shape, &random);
            text_make(&record, &longest, &random);
            cap = record.count - 1 - k; /* the last line end does not count */
            bytes_add(&good, text.data, text.count);
            bytes_add(&text, record.data, record.count);
            if (k == 0) {
                bytes_add(&good, record.data, record.count);
                bytes_words(&good, format == 1 ? ">z\nACGT\n" : "@z\nACGT\n+\nIIII\n");
            }
            bytes_words(&text, format == 1 ? ">z\nACGT\n" : "@z\nACGT\n+\nIIII\n");
            for (i = 0; i < 12; ++i) {
                int fails = k == 1 && (format == 0 || i % 3 == 0);
                biost_loader_desc desc;
                biost_memory memory;
                biost_loader *loader;
                oracle o;
                memset(&desc, 0, sizeof desc);
                oracle_inputs(&desc, &memory, &text, 1);
                desc.batch_rows = 64;
                desc.row_bases = 32;
                desc.long_records = BIOST_LONG_SPLIT;
                desc.max_record_bytes = cap;
                desc.workers = 1 + i % 2;
                desc.shuffle_rows = i / 2 % 2 * 100;
                desc.test.page_bytes = pages[i % 4];
                desc.test.chunk_bytes = chunks[i / 3 % 3];
                desc.filter.min_length = format == 1 && i % 3 == 0 ? 1 : 0;
                test_note("format %u, over by %u, run %u", (unsigned)format, (unsigned)k, (unsigned)i);
                oracle_make(&o, &desc, fails || k == 0 ? &good : &text, 1, 0,
                            fails ? ORACLE_FAILS : ORACLE_ENDS_WELL);
                loader = oracle_open(&desc);
                if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK) &&
                    oracle_drain(&o, loader, 0) < 0 && CHECK(k == 1)) {
                    const biost_error *error = biost_loader_error(loader);
                    CHECK((strstr(error->text, "; desc.filter.min_length and max_length hold it whole") !=
                           NULL) == (format == 1));
                    CHECK(error->code == BIOST_ERR_TOO_LONG && error->fault == BIOST_FAULT_RECORD_TOO_LONG);
                    CHECK(strstr(error->text, "desc.max_record_bytes") != NULL);
                    CHECK_EQ_U64(error->record, 20);
                    CHECK_STR(error->text, sentence[0] == '\0' ? error->text : sentence);
                    strcpy(sentence, error->text);
                }
                biost_loader_close(loader);
                oracle_free(&o);
            }
            bytes_free(&good);
            bytes_free(&text);
            bytes_free(&record);
        }
    }
}

/* ---- damaged gzip ---- */

/* 14 reads in three members of stored blocks. */
static void damage_make(bytes *text, bytes *packed, biost_loader_desc *desc, plain_rows *plain) {
    uint64_t random = test_seed() + 11;
    text_shape shape = {14, 2, 8, 0, 0, 0, 0, 0};
    oracle o;
    memset(desc, 0, sizeof *desc);
    text_make(text, &shape, &random);
    gzip_make(packed, text, text->count / 3 + 1, 60, 0);
    desc->batch_rows = 4;
    desc->row_bases = 8;
    desc->workers = 1;
    desc->test.page_bytes = 64;
    oracle_make(&o, desc, text, 1, 0, ORACLE_ENDS_WELL);
    plain_rows_make(plain, &o);
    oracle_free(&o);
}

/* How much of the text lies in front of byte `cut` of its members of `member_bytes` in blocks of
   60: a header of 10 bytes, 5 in front of each block, a trailer of 8. *out_border: the cut is
   between two members. */
static size_t damage_text_before(size_t text_bytes, size_t member_bytes, size_t cut, int *out_border) {
    size_t text_at = 0;
    *out_border = cut == 0;
    while (text_at < text_bytes && !*out_border) {
        size_t left = text_bytes - text_at < member_bytes ? text_bytes - text_at : member_bytes;
        size_t member = 10 + 5 * ((left + 59) / 60) + left + 8;
        if (cut < member) {
            for (cut = cut > 10 ? cut - 10 : 0; cut > 5 && left > 0;) {
                size_t take = left < 60 ? left : 60;
                take = take < cut - 5 ? take : cut - 5;
                text_at += take;
                left -= take;
                cut -= 5 + take;
            }
            break;
        }
        text_at += left;
        cut -= member;
        *out_border = cut == 0;
    }
    return text_at;
}

TEST(gzip, cut_off_at_every_byte) {
    bytes text = {NULL, 0, 0}, packed = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    plain_rows plain;
    size_t cut;
    unsigned borders = 0;
    damage_make(&text, &packed, &desc, &plain);
    for (cut = 0; cut < packed.count; ++cut) {
        uint8_t *part = test_copy(packed.data, cut);
        biost_loader *loader;
        biost_result result;
        bytes there = {NULL, 0, 0};
        size_t rows, whole, lines = 0, i, text_there;
        int border = 0;
        text_there = damage_text_before(text.count, text.count / 3 + 1, cut, &border);
        borders += border > 0;
        for (i = 0; i < text_there; ++i) {
            lines += text.data[i] == '\n';
        }
        whole = lines / 4;
        bytes_add(&there, part, cut);
        oracle_inputs(&desc, &memory, &there, 1);
        desc.workers = 1 + (uint32_t)(cut % 2);
        desc.test.chunk_bytes = cut % 3 == 0 ? 1 : 0;
        test_note("cut at %u", (unsigned)cut);
        loader = oracle_open(&desc);
        if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
            result = plain_rows_drain(&plain, loader, &rows);
            CHECK_EQ_U64(rows, whole);
            if (cut == 0) {
                CHECK(result == BIOST_END);
            } else if (CHECK(result < 0)) {
                const biost_error *error = biost_loader_error(loader);
                CHECK_STR(biost_fault_name(error->fault), "TRUNCATED");
                /* after a whole member only the text is cut off, else the file */
                CHECK(error->code == (border ? BIOST_ERR_TEXT : BIOST_ERR_GZIP));
                CHECK(strncmp(error->text, "even", 4) == 0);
                error_stays(loader, result);
            }
        }
        biost_loader_close(loader);
        bytes_free(&there);
        free(part);
    }
    CHECK_EQ_U64(borders, 3); /* nothing, one member, two */
    bytes_free(&text);
    bytes_free(&packed);
    bytes_free(&plain.x);
}

/* What a reader gets out of the same bytes: a straight loop, tested on its own. */
static size_t damage_read(const bytes *packed, char sentence[256], biost_result *out_result) {
    biost_reader_desc desc;
    biost_reader *reader;
    biost_record record;
    size_t count = 0;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = packed->data;
    desc.memory.bytes = packed->count;
    desc.memory.name = "even";
    sentence[0] = '\0';
    *out_result = BIOST_ERR_ARG;
    if (CHECK(biost_reader_open(&desc, &reader, NULL) == BIOST_OK)) {
        while ((*out_result = biost_reader_next(reader, &record)) == BIOST_OK) {
            ++count;
        }
        if (biost_reader_error(reader) != NULL) {
            memcpy(sentence, biost_reader_error(reader)->text, 256);
        }
        biost_reader_close(reader);
    }
    return count;
}

TEST(gzip, every_byte_flipped) {
    bytes text = {NULL, 0, 0}, packed = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    plain_rows plain;
    size_t at, harmless = 0;
    damage_make(&text, &packed, &desc, &plain);
    for (at = 0; at < packed.count; ++at) {
        char sentence[256];
        biost_result expected, result;
        biost_loader *loader = NULL;
        biost_error error;
        size_t records, rows = 0;
        uint8_t was = packed.data[at];
        packed.data[at] ^= (uint8_t)(1u << at % 8);
        test_note("byte %u", (unsigned)at);
        records = damage_read(&packed, sentence, &expected);
        CHECK(records <= plain.rows);
        harmless += expected == BIOST_END;
        oracle_inputs(&desc, &memory, &packed, 1);
        desc.row_bases = 64;
        desc.workers = 1 + (uint32_t)(at % 2);
        result = biost_loader_open(&desc, &loader, &error);
        if (result == BIOST_OK && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
            biost_batch batch;
            while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
                rows += batch.valid_rows;
                CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
            }
            CHECK_EQ_U64(rows, records);
            if (result < 0) {
                CHECK_STR(error_of(loader)->text, sentence);
            }
        } else {
            CHECK_STR(error.text, sentence);
        }
        CHECK_STR(biost_result_name(result), biost_result_name(expected));
        biost_loader_close(loader);
        packed.data[at] = was;
    }
    /* Harmless are, per member, MTIME, XFL and OS, 6 bytes; FLG where the bit flipped is a hint; and of a
       stored block's first byte the 5 upper bits, which are padding. */
    CHECK(harmless >= 3 * 6 && harmless < packed.count / 4);
    packed.data[packed.count - 1] ^= 1;
    {
        char sentence[256];
        biost_result result;
        CHECK_EQ_U64(damage_read(&packed, sentence, &result), plain.rows);
        CHECK(result == BIOST_ERR_GZIP);
    }
    bytes_free(&text);
    bytes_free(&packed);
    bytes_free(&plain.x);
}

/* ---- inputs that do not fit ---- */

/* Open with inputs of these texts fails so; the sentence starts with the name of input `path`. */
static void open_fails(biost_loader_desc *desc, const char *const *texts, const size_t *counts,
                       uint32_t count, uint32_t path, biost_result code, biost_fault fault) {
    biost_memory memories[4];
    bytes inputs[4];
    biost_loader *loader = NULL;
    biost_error error;
    uint32_t i;
    memset(inputs, 0, sizeof inputs);
    for (i = 0; i < count; ++i) {
        bytes_words(&inputs[i], "");
        bytes_add(&inputs[i], texts[i], counts == NULL ? strlen(texts[i]) : counts[i]);
    }
    oracle_inputs(desc, memories, inputs, count);
    CHECK_STR(biost_result_name(biost_loader_open(desc, &loader, &error)), biost_result_name(code));
    CHECK_STR(biost_fault_name(error.fault), biost_fault_name(fault));
    CHECK_EQ_U64(error.path_index, path);
    CHECK(strncmp(error.text, path % 2 == 0 ? "even" : "odd", 3) == 0);
    CHECK(loader == NULL);
    biost_loader_close(loader);
    for (i = 0; i < count; ++i) {
        bytes_free(&inputs[i]);
    }
}

TEST(open, inputs_of_different_format) {
    static const char *const mixed[] = {"@a\nA\n+\nI\n", "", "\n \n>a\nA\n"};
    static const char *const other[] = {"", "\xEF\xBB\xBF>a\nA\n", "@a\nA\n+\nI\n"};
    static const char *const fasta[] = {">a\nA\n"};
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    open_fails(&desc, mixed, NULL, 3, 2, BIOST_ERR_TEXT, BIOST_FAULT_FORMAT);
    open_fails(&desc, other, NULL, 3, 2, BIOST_ERR_TEXT, BIOST_FAULT_FORMAT);
    desc.filter.min_mean_quality = 20.0f;
    open_fails(&desc, fasta, NULL, 1, 0, BIOST_ERR_ARG, BIOST_FAULT_NO_QUALITY);
}

TEST(open, other_codecs) {
    static const char *const magic[] = {"PK\x03\x04zip archive and more", "\x28\xB5\x2F\xFDzstandard frame",
                                        "BZh91AY&SY bzip2 stream", "\xFD\x37zXZ\0 xz stream....."};
    static const size_t counts[] = {20, 20, 20, 20};
    static const char *const names[] = {"zip", "zstd", "bzip2", "xz"};
    uint32_t i;
    for (i = 0; i < 4; ++i) {
        biost_loader_desc desc;
        biost_memory memory;
        biost_error error;
        biost_loader *loader;
        bytes input = {NULL, 0, 0};
        memset(&desc, 0, sizeof desc);
        open_fails(&desc, &magic[i], &counts[i], 1, 0, BIOST_ERR_UNSUPPORTED, BIOST_FAULT_CODEC);
        bytes_add(&input, magic[i], 20);
        oracle_inputs(&desc, &memory, &input, 1);
        CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_UNSUPPORTED);
        CHECK(strstr(error.text, names[i]) != NULL);
        bytes_free(&input);
    }
}

TEST(open, empty_inputs_fit_any_format) {
    static const char *const names[] = {"empty", "empty.gz"};
    const char *paths[2];
    bytes packed = {NULL, 0, 0}, none = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_loader *loader;
    biost_batch batch;
    uint32_t round;
    bytes_words(&none, "");
    gzip_make(&packed, &none, 10, 10, 1);
    paths[0] = file_path(names[0]);
    paths[1] = file_path(names[1]);
    file_write(paths[0], none.data, 0);
    file_write(paths[1], packed.data, packed.count);
    for (round = 0; round < 6; ++round) {
        memset(&desc, 0, sizeof desc);
        desc.paths = paths;
        desc.path_count = 2;
        desc.row_bases = round % 2 == 0 ? 0 : 10;
        desc.shuffle_rows = round / 2 * 5;
        desc.filter.min_mean_quality = round < 3 ? 0.0f : 5.0f;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL);
        CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
        CHECK(biost_loader_next(loader, &batch) == BIOST_END);
        CHECK(biost_loader_next(loader, &batch) == BIOST_END);
        CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
        CHECK(biost_loader_next(loader, &batch) == BIOST_END);
        biost_loader_close(loader);
    }
    file_clean(names, 2);
    bytes_free(&packed);
    bytes_free(&none);
}

/* ---- files ---- */

/* 50 reads in a file; `plain` gets its rows. */
static void file_setup(const char *path, bytes *text, biost_loader_desc *desc, plain_rows *plain,
                       const char *const *paths) {
    uint64_t random = test_seed() + 12;
    text_shape shape = {50, 10, 40, 0, 0, 0, 0, 0};
    oracle o;
    memset(desc, 0, sizeof *desc);
    text_make(text, &shape, &random);
    file_write(path, text->data, text->count);
    desc->paths = paths;
    desc->path_count = 1;
    desc->batch_rows = 8;
    desc->row_bases = 40;
    desc->workers = 2;
    desc->test.page_bytes = 300;
    desc->test.chunk_bytes = 100;
    oracle_make(&o, desc, text, 1, 0, ORACLE_ENDS_WELL);
    plain_rows_make(plain, &o);
    oracle_free(&o);
}

TEST(files, missing_and_directories) {
    static const char *const names[] = {"good"};
    const char *paths[2];
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_error error;
    plain_rows plain;
    paths[0] = file_path(names[0]);
    file_setup(paths[0], &text, &desc, &plain, paths);
    desc.path_count = 2;
    paths[1] = file_path("there is\tnothing");
    CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_IO);
    CHECK(loader == NULL);
    CHECK(error.fault == BIOST_FAULT_OPEN && error.path_index == 1 && error.os_error == ENOENT);
    CHECK(strstr(error.text, "there is\\x09nothing: cannot be opened: there is no such file") != NULL);
    paths[1] = file_path("");
    CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_IO);
    CHECK(error.fault == BIOST_FAULT_DIRECTORY && error.path_index == 1);
    CHECK(strstr(error.text, "is a directory") != NULL);
    CHECK_EQ_I64(calls.files_open, 0);
    file_clean(names, 1);
    bytes_free(&text);
    bytes_free(&plain.x);
}

TEST(files, changed_or_gone_between_epochs) {
    static const char *const names[] = {"changing"};
    uint32_t round;
    for (round = 0; round < 3; ++round) {
        const char *path = file_path(names[0]);
        bytes text = {NULL, 0, 0};
        biost_loader_desc desc;
        biost_loader *loader;
        biost_result result;
        plain_rows plain;
        size_t rows;
        file_setup(path, &text, &desc, &plain, &path);
        desc.epochs = 1; /* so that the next one is not read ahead */
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        CHECK(plain_rows_drain(&plain, loader, &rows) == BIOST_END);
        CHECK_EQ_U64(rows, 50);
        if (round == 0) { /* longer */
            bytes_words(&text, "@x\nA\n+\nI\n");
            file_write(path, text.data, text.count);
        } else if (round == 1) { /* as long, another time */
            struct timespec times[2];
            times[0].tv_sec = times[1].tv_sec = 1000000000;
            times[0].tv_nsec = times[1].tv_nsec = 0;
            CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
        } else {
            remove(path);
        }
        CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
        result = plain_rows_drain(&plain, loader, &rows);
        CHECK_EQ_U64(rows, 0);
        CHECK_STR(biost_result_name(result), round < 2 ? "ERR_STALE" : "ERR_IO");
        CHECK_STR(biost_fault_name(error_of(loader)->fault), round < 2 ? "CHANGED" : "OPEN");
        CHECK(strstr(error_of(loader)->text, "changing") != NULL);
        error_stays(loader, result);
        biost_loader_close(loader);
        CHECK_EQ_I64(calls.files_open, 0);
        file_clean(names, 1);
        bytes_free(&text);
        bytes_free(&plain.x);
    }
}

/* A file that shrinks while it is read: what came before is delivered, then STALE. */
TEST(files, shrinking_under_way) {
    static const char *const names[] = {"shrinking"};
    const char *path = file_path(names[0]);
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_loader *loader;
    biost_batch batch;
    biost_result result;
    plain_rows plain;
    file_setup(path, &text, &desc, &plain, &path);
    desc.workers = 1; /* so that it reads no further than it must */
    desc.slots = 1;
    loader = oracle_open(&desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
    CHECK(truncate(path, (off_t)text.count - 50) == 0);
    CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK_STR(biost_result_name(result), "ERR_STALE");
    CHECK_STR(biost_fault_name(error_of(loader)->fault), "CHANGED");
    biost_loader_close(loader);
    file_clean(names, 1);
    bytes_free(&text);
    bytes_free(&plain.x);
}

TEST(files, short_and_interrupted_reads_change_nothing) {
    static const char *const names[] = {"short"};
    const char *path = file_path(names[0]);
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_loader *loader;
    plain_rows plain;
    size_t rows;
    file_setup(path, &text, &desc, &plain, &path);
    calls_begin(CALL_READ, 0, 0, 0);
    calls.read_most = 3;
    calls.interrupt = 1;
    loader = oracle_open(&desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(plain_rows_drain(&plain, loader, &rows) == BIOST_END);
    CHECK_EQ_U64(rows, 50);
    biost_loader_close(loader);
    calls.read_most = 0;
    calls.interrupt = 0;
    file_clean(names, 1);
    bytes_free(&text);
    bytes_free(&plain.x);
}

/* ---- the n-th call fails ---- */

/* Two files, the second one gzip; opened, drained, a resume state taken in the middle, opened again with it,
   drained. The error is ERR_IO wherever it strikes, rows before it are right, and no file stays open.
   Returns 1 if the failing call was reached. */
static int run_with_failing_calls(biost_loader_desc *desc, const plain_rows plain[2]) {
    uint8_t state[512];
    size_t state_bytes = 0, rows[2] = {0, 0}; /* rows before the resume state, rows so far */
    int turn;
    for (turn = 0; turn < 2; ++turn) {
        biost_loader *loader = NULL;
        biost_error error;
        biost_batch batch;
        biost_result result;
        desc->state = turn == 1 ? state : NULL;
        desc->state_bytes = turn == 1 ? state_bytes : 0;
        result = biost_loader_open(desc, &loader, &error);
        if (result != BIOST_OK) {
            CHECK_STR(biost_result_name(result), "ERR_IO");
            CHECK(call_refused() && error.os_error == calls.error_number);
            CHECK(loader == NULL);
            break;
        }
        CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
        rows[1] = turn == 1 ? rows[0] : 0;
        while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
            uint32_t i;
            for (i = 0; i < batch.valid_rows; ++i, ++rows[1]) {
                size_t in_first = plain[0].rows, at = rows[1] < in_first ? rows[1] : rows[1] - in_first;
                const plain_rows *from = &plain[rows[1] >= in_first];
                CHECK_EQ_I64(batch.origins[i].id, (int64_t)at | (from == &plain[1] ? (int64_t)1 << 40 : 0));
                if (CHECK(at < from->rows)) {
                    CHECK_MEM((const uint8_t *)batch.x.data + i * from->row_bytes,
                              from->x.data + at * from->row_bytes, from->row_bytes);
                }
            }
            if (turn == 0 && batch.index == 25) { /* deep in the second file: 120 rows are in the first */
                rows[0] = rows[1]; /* 26 * 8, or fewer where the failing read cut this batch short */
                CHECK(rows[0] == 26 * 8 || (batch.flags & BIOST_BATCH_BEFORE_ERROR) != 0);
                result = biost_loader_state(loader, &batch, state, sizeof state, &state_bytes);
                CHECK(result == BIOST_OK || (result == BIOST_ERR_IO && call_refused()));
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        if (result == BIOST_END) {
            CHECK_EQ_U64(rows[1], plain[0].rows + plain[1].rows);
        } else {
            const biost_error *why = biost_loader_error(loader);
            CHECK_STR(biost_result_name(result), "ERR_IO");
            if (CHECK(call_refused() && why != NULL)) {
                CHECK_EQ_I64(why->os_error, calls.error_number);
            }
        }
        biost_loader_close(loader);
        if (state_bytes == 0) {
            break;
        }
    }
    CHECK_EQ_I64(calls.files_open, 0);
    return call_refused();
}

TEST(nth, open_or_read_fails) {
    static const char *const names[] = {"nth_plain", "nth_gzip"};
    const char *paths[2];
    bytes texts[2], packed = {NULL, 0, 0};
    biost_loader_desc desc;
    plain_rows plain[2];
    uint64_t random = test_seed() + 13;
    text_shape shape = {120, 10, 16, 0, 0, 0, 0, 0};
    uint32_t i, on, kind;
    unsigned long n;
    memset(texts, 0, sizeof texts);
    memset(&desc, 0, sizeof desc);
    desc.paths = paths;
    desc.path_count = 2;
    desc.batch_rows = 8;
    desc.row_bases = 16;
    desc.workers = 2;
    desc.epochs = 1; /* so that no call of another epoch fails */
    desc.test.page_bytes = 500;
    desc.test.chunk_bytes = 700;
    for (i = 0; i < 2; ++i) {
        oracle o;
        paths[i] = file_path(names[i]);
        text_make(&texts[i], &shape, &random);
        oracle_make(&o, &desc, &texts[i], 1, 0, ORACLE_ENDS_WELL);
        plain_rows_make(&plain[i], &o);
        oracle_free(&o);
    }
    gzip_make(&packed, &texts[1], 1000, 300, 0);
    file_write(paths[0], texts[0].data, texts[0].count);
    file_write(paths[1], packed.data, packed.count);
    for (kind = 0; kind < 2; ++kind) {
        for (on = 0; on < 2; ++on) {
            int reached = 1;
            for (n = 1; reached; ++n) {
                test_note("%s %lu fails%s", kind == 0 ? "open" : "read", n, on ? ", and all after it" : "");
                calls_begin(kind == 0 ? CALL_OPEN : CALL_READ, n, (int)on, kind == 0 ? EMFILE : EIO);
                desc.workers = 1 + (uint32_t)n % 2;
                reached = run_with_failing_calls(&desc, plain);
            }
            CHECK(n > 8);
            calls_begin(CALL_OPEN, 0, 0, 0);
            CHECK(run_with_failing_calls(&desc, plain) == 0); /* the same process reads the good files */
        }
    }
    file_clean(names, 2);
    for (i = 0; i < 2; ++i) {
        bytes_free(&texts[i]);
        bytes_free(&plain[i].x);
    }
    bytes_free(&packed);
}

TEST(nth, thread_or_lock_fails) {
    static const call_kind kinds[] = {CALL_THREAD, CALL_MUTEX, CALL_CONDITION};
    uint64_t random = test_seed() + 14;
    text_shape shape = {30, 10, 16, 0, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    oracle o;
    uint32_t k, on;
    unsigned long n;
    THREADS_KEPT;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 8;
    desc.row_bases = 16;
    desc.workers = 8;
    oracle_make(&o, &desc, &text, 1, 0, ORACLE_ENDS_WELL);
    for (k = 0; k < 3; ++k) {
        for (on = 0; on < 2; ++on) {
            for (n = 1;; ++n) {
                counted count;
                biost_loader *loader = NULL;
                biost_error error;
                biost_result result;
                desc.allocator = counted_allocator(&count);
                calls_begin(kinds[k], n, (int)on, 0);
                test_note("kind %u, call %lu", (unsigned)k, n);
                result = biost_loader_open(&desc, &loader, &error);
                if (result == BIOST_OK) { /* there was no n-th call */
                    CHECK(!call_refused());
                    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
                    oracle_drain(&o, loader, 0);
                    biost_loader_close(loader);
                } else {
                    CHECK(result == BIOST_ERR_THREAD && error.fault == BIOST_FAULT_THREAD && loader == NULL);
                    CHECK(error.text[0] != '\0');
                }
                CHECK_EQ_U64(count.blocks, 0);
                if (result == BIOST_OK) {
                    break;
                }
            }
            CHECK(n > (kinds[k] == CALL_THREAD ? 7u : kinds[k] == CALL_MUTEX ? 1u : 2u));
        }
    }
    calls_begin(CALL_OPEN, 0, 0, 0);
    oracle_free(&o);
    bytes_free(&text);
}

/* Every allocation fails, once and from then on: ERR_NOMEM at open, or, when a long record needs its
   buffer, after the rows before it. Nothing leaks. */
TEST(nth, allocation_fails) {
    uint64_t random = test_seed() + 15;
    text_shape shape = {40, 10, 16, 0, 0, 0, 0, 0}, longer = {1, 30000, 30000, 0, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    oracle o;
    uint32_t on, i, workers;
    unsigned long n;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    for (i = 0; i < 3; ++i) { /* the buffer grows more than once */
        longer.min_bases = longer.max_bases = 30000u << i;
        text_make(&text, &longer, &random);
        text_make(&text, &shape, &random);
    }
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 8;
    desc.row_bases = 16;
    desc.filter.max_length = 100;
    desc.test.page_bytes = 2000;
    oracle_make(&o, &desc, &text, 1, 0, ORACLE_ENDS_WELL);
    for (workers = 1; workers < 4; workers += 2) {
        desc.workers = workers;
        for (on = 0; on < 2; ++on) {
            int reached = 1;
            for (n = 1; reached; ++n) {
                counted count;
                biost_loader *loader = NULL;
                biost_error error;
                biost_batch batch;
                biost_result result;
                size_t k = 0;
                desc.allocator = counted_allocator(&count);
                count.fail_at = n;
                count.fail_on = on > 0;
                test_note("allocation %lu, workers %u", n, (unsigned)workers);
                result = biost_loader_open(&desc, &loader, &error);
                if (result == BIOST_OK) {
                    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
                    while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
                        if (batch.valid_rows == 8 && CHECK(k < o.batch_count) &&
                            batch.flags == o.batches[k].flags) {
                            oracle_check(&o, k, &batch);
                        }
                        ++k;
                        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
                    }
                    CHECK(result == (count.refused ? BIOST_ERR_NOMEM : BIOST_END));
                    if (result < 0) {
                        CHECK(k >= 5); /* the 40 rows before the first long record */
                        CHECK(error_of(loader)->fault == BIOST_FAULT_MEMORY);
                        error_stays(loader, result);
                    } else {
                        CHECK_EQ_U64(k, o.batch_count);
                    }
                    biost_loader_close(loader);
                } else {
                    CHECK(result == BIOST_ERR_NOMEM && error.fault == BIOST_FAULT_MEMORY && loader == NULL);
                    CHECK(strstr(error.text, "memory") != NULL);
                }
                CHECK_EQ_U64(count.blocks, 0);
                CHECK_EQ_U64(count.now_bytes, 0);
                reached = count.refused;
            }
            CHECK(n > 6);
        }
    }
    oracle_free(&o);
    bytes_free(&text);
}

/*
 * Workers that nobody asked for are as many as the system makes, none of them included: resolved and counters tell,
 * and the batches are the same. Asked for by number they are an error; see nth_thread_or_lock_fails.
 */
TEST(fault, default_workers_that_cannot_be_made) {
    uint64_t random = test_seed() + 32;
    text_shape shape = {90, 5, 20, 0, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc, resolved;
    biost_memory memory;
    biost_loader *loader;
    biost_counters counters;
    uint32_t wanted = 0, n;
    oracle o, next;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 8;
    desc.row_bases = 20;
    desc.slots = 3;
    THREADS_KEPT;
    oracle_make(&o, &desc, &text, 1, 0, ORACLE_ENDS_WELL);
    oracle_make(&next, &desc, &text, 1, 1, ORACLE_ENDS_WELL);
    for (n = 0; n == 0 || n <= wanted; ++n) { /* the n-th thread and all after it are not made; 0: all are */
        counted count;
        test_note("%u", (unsigned)n);
        calls_begin(CALL_THREAD, n, 1, 0);
        desc.workers = 0;
        desc.allocator = counted_allocator(&count);
        REQUIRE((loader = oracle_open(&desc)) != NULL);
        biost_loader_get_desc(loader, &resolved);
        wanted = n == 0 ? resolved.workers : wanted;
        CHECK_EQ_U64(resolved.workers, n > 0 && n < wanted ? n : wanted);
        biost_loader_counters(loader, &counters);
        CHECK_EQ_U64(counters.workers, resolved.workers);
        CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
        oracle_drain(&o, loader, 0);
        calls_begin(CALL_THREAD, 0, 0, 0); /* when there are threads again, they can be had */
        CHECK(biost_loader_set_workers(loader, wanted + 1) == BIOST_OK);
        CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
        oracle_drain(&next, loader, 0);
        biost_loader_close(loader);
        CHECK_EQ_U64(count.blocks, 0);
    }
    CHECK(wanted >= 2);
    oracle_free(&o);
    oracle_free(&next);
    bytes_free(&text);
}

/* A loader that asks the system for more threads than it makes says how many it asked for, and works with those it
   has. */
TEST(fault, workers_that_cannot_be_made) {
    uint64_t random = test_seed() + 31;
    text_shape shape = {90, 5, 20, 0, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    biost_loader *loader;
    const biost_error *why;
    biost_counters counters;
    oracle o;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 8;
    desc.row_bases = 20;
    desc.slots = 3;
    desc.workers = 2;
    THREADS_KEPT;
    oracle_make(&o, &desc, &text, 1, 0, ORACLE_ENDS_WELL);
    calls_begin(CALL_THREAD, 0, 0, 0);
    REQUIRE((loader = oracle_open(&desc)) != NULL);
    calls_begin(CALL_THREAD, 3, 1, 0); /* two more are made, then no more */
    CHECK(biost_loader_set_workers(loader, 9) == BIOST_ERR_THREAD);
    why = biost_loader_error(loader);
    if (CHECK(why != NULL)) {
        CHECK(why->fault == BIOST_FAULT_THREAD && strstr(why->text, "(8 threads were asked for)") != NULL);
    }
    biost_loader_counters(loader, &counters);
    CHECK_EQ_U64(counters.workers, 4); /* the caller, the first one's thread and two */
    calls_begin(CALL_THREAD, 0, 0, 0);
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
    oracle_drain(&o, loader, 0);
    biost_loader_close(loader);
    oracle_free(&o);
    bytes_free(&text);
}
