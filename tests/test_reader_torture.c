/*
 * test_reader_torture.c - biost_reader when things go wrong around it: every allocation, open, size, read,
 * mutex, condition and thread refused in turn, once and from then on, over all ways of reading, with bad
 * records left out, with records longer than pages and with pages held. Always the right code, no record
 * that is not there, nothing left behind, and a good file reads well afterwards.
 *
 * rooms: reader memory platform
 * needs: threads hooks
 */
#include "failing.h"

#define MAKER_OWN_EXECUTORS 1
#include "deflate_maker.h"

#include "records_oracle.h"

#include "reader_collect.h"

/* ---- the files ---- */

enum { KIND_FASTQ, KIND_FASTA, KIND_BAD_FASTQ, KINDS };
static const char *const kind_names[KINDS] = {"FASTQ", "FASTA", "FASTQ with bad records"};

/* What the reader is given, and what it must make of it. */
typedef struct source {
    ref_bytes packed;
    collected expected;
    size_t at; /* of the callback */
} source;

static source sources[KINDS];

static void add_record(ref_bytes *text, int fasta, unsigned number, size_t bases) {
    char title[32];
    size_t i;
    snprintf(title, sizeof title, "%cr%u\n", fasta ? '>' : '@', number);
    collect_bytes(text, title, strlen(title));
    for (i = 0; i < bases; ++i) {
        ref_add(text, (uint8_t) "ACGTN"[i * i % 5]);
        if (fasta && i % 50 == 49) {
            ref_add(text, '\n');
        }
    }
    collect_bytes(text, fasta ? "\n" : "\n+\n", fasta ? 1 : 3);
    for (i = 0; !fasta && i < bases; ++i) {
        ref_add(text, (uint8_t)(33 + i % 90));
    }
    collect_bytes(text, "\n", fasta ? 0 : 1);
}

/*
 * Small records, and one longer than the room in front of a page, so that it needs a buffer which grows.
 * The long one is near the start: what fails after it finds that buffer there.
 */
static void make_text(ref_bytes *text, int kind) {
    unsigned i;
    for (i = 0; i < 12; ++i) {
        add_record(text, kind == KIND_FASTA, i, i == 4 ? 45000 : i * 7);
        if (kind == KIND_BAD_FASTQ && i % 4 == 1) {
            collect_bytes(text, "@bad\nAC\n+\nI\n", 12);
        }
    }
}

static biost_text_rules text_options(int kind) {
    biost_text_rules options;
    memset(&options, 0, sizeof options);
    options.skip_bad = kind == KIND_BAD_FASTQ ? UINT64_MAX : 0;
    return options;
}

/* BGZF first, plain gzip after it. */
static void sources_make(void) {
    int kind;
    for (kind = 0; kind < KINDS && sources[kind].packed.count == 0; ++kind) {
        static maker made;
        ref_bytes text;
        biost_reader_desc desc;
        memset(&text, 0, sizeof text);
        make_text(&text, kind);
        maker_begin(&made);
        maker_bgzf(&made, text.data, text.count / 2, 9000, -1);
        maker_member(&made, NULL);
        maker_deflate(&made, text.data + text.count / 2, text.count - text.count / 2, -1);
        maker_member_end(&made);
        collect_bytes(&sources[kind].packed, made.file.data, made.file.count);
        memset(&desc, 0, sizeof desc);
        desc.memory.data = text.data;
        desc.memory.bytes = text.count;
        desc.text = text_options(kind);
        collect(&sources[kind].expected, &desc, COLLECT_NEXT);
        CHECK(sources[kind].expected.result == BIOST_END && sources[kind].expected.records == 12);
        maker_free(&made);
        free(text.data);
    }
}

static int64_t hook_read(void *to, size_t bytes, void *user_data) {
    source *s = (source *)user_data;
    size_t left = s->packed.count - s->at;
    if (call_fails(CALL_READ)) {
        return -1;
    }
    bytes = bytes < 7000 ? bytes : 7000;
    bytes = bytes < left ? bytes : left;
    memcpy(to, s->packed.data + s->at, bytes);
    s->at += bytes;
    return (int64_t)bytes;
}

/* ---- ways to read ---- */

enum { WAY_NEXT, WAY_RUNS, WAY_PAGES, WAY_HELD, WAY_STREAM, WAYS };
static const char *const way_names[WAYS] = {"next", "next_run", "next_page", "pages held", "over a stream"};

static void desc_make(biost_reader_desc *desc, source *s, int kind, uint32_t workers) {
    memset(desc, 0, sizeof *desc);
    s->at = 0;
    desc->callback.read = hook_read;
    desc->callback.user_data = s;
    desc->text = text_options(kind);
    desc->workers = workers;
    desc->stats = 1;
    desc->page_count = 3;
    desc->allocator.alloc = hook_alloc;
    desc->allocator.free = hook_free;
    desc->allocator.user_data = &calls;
    desc->test.page_bytes = 4000;
    desc->test.chunk_bytes = 5000;
    desc->test.row_count = 2;
}

/* Take all pages that may be held, give the oldest back for each more. */
static void read_held(biost_reader *reader, collected *c) {
    biost_record_page held[3];
    unsigned count = 0, i;
    for (;;) {
        uint32_t row;
        c->result = biost_reader_next_page(reader, &held[count]);
        if (c->result != BIOST_OK) {
            break;
        }
        for (row = 0; row < held[count].row_count; ++row) {
            biost_run run;
            biost_record_page_get(&held[count], row, &run);
            collect_run(c, &run);
        }
        if (++count == 3) {
            CHECK(biost_reader_release_page(reader, &held[0]) == BIOST_OK);
            held[0] = held[1];
            held[1] = held[2];
            --count;
        }
    }
    for (i = 0; i < count; ++i) {
        CHECK(biost_reader_release_page(reader, &held[i]) == BIOST_OK);
    }
    collect_drop(c);
}

/* Read all. *out_opened: whether there was a reader. */
static void read_way(source *s, int kind, int way, uint32_t workers, collected *c, int *out_opened) {
    static const collect_style styles[WAYS] = {COLLECT_NEXT, COLLECT_RUNS, COLLECT_PAGES, COLLECT_PAGES,
                                               COLLECT_RUNS};
    biost_reader_desc desc;
    biost_stream *stream = NULL;
    biost_reader *reader = NULL;
    memset(c, 0, sizeof *c);
    desc_make(&desc, s, kind, workers);
    if (way == WAY_STREAM) {
        biost_stream_desc below;
        memset(&below, 0, sizeof below);
        below.callback = desc.callback;
        below.workers = workers;
        below.allocator = desc.allocator;
        below.test.page_bytes = desc.test.page_bytes;
        below.test.chunk_bytes = desc.test.chunk_bytes;
        c->result = biost_stream_open(&below, &stream, &c->error);
        memset(&desc.callback, 0, sizeof desc.callback);
        desc.workers = 0;
        desc.test.page_bytes = 0;
        desc.test.chunk_bytes = 0;
        desc.stream = stream;
    }
    if (c->result == BIOST_OK) {
        c->result = biost_reader_open(&desc, &reader, &c->error);
    }
    *out_opened = reader != NULL;
    CHECK((reader != NULL) == (c->result == BIOST_OK));
    if (reader != NULL && way == WAY_HELD) {
        read_held(reader, c);
        c->error = biost_reader_error(reader) == NULL ? c->error : *biost_reader_error(reader);
    } else if (reader != NULL) {
        collect_reader(reader, styles[way], c);
    }
    biost_reader_close(reader);
    biost_stream_close(stream);
}

/* ---- every call refused ---- */

static int is_prefix(const collected *part, const collected *whole) {
    return part->text.count <= whole->text.count &&
           (part->text.count == 0 || memcmp(part->text.data, whole->text.data, part->text.count) == 0);
}

static void check_good(source *s, int kind, int way, uint32_t workers) {
    collected c;
    int opened;
    calls_begin(CALL_ALLOC, 0, 0);
    read_way(s, kind, way, workers, &c, &opened);
    CHECK(c.result == BIOST_END);
    CHECK_EQ_U64(c.text.count, s->expected.text.count);
    CHECK(is_prefix(&c, &s->expected));
    collected_free(&c);
    check_nothing_left();
}

static void check_refused(source *s, int kind, int way, uint32_t workers, call_kind call, unsigned long n,
                          int on) {
    static const biost_result codes[CALL_KINDS] = {BIOST_ERR_NOMEM, BIOST_ERR_IO,     BIOST_ERR_IO,
                                                   BIOST_ERR_IO,    BIOST_ERR_THREAD, BIOST_ERR_THREAD,
                                                   BIOST_ERR_THREAD};
    collected c;
    int opened;
    calls_begin(call, n, on);
    read_way(s, kind, way, workers, &c, &opened);
    CHECK(is_prefix(&c, &s->expected));
    if (calls.refused) {
        CHECK_STR(biost_result_name(c.result), biost_result_name(codes[call]));
        CHECK(c.error.code == codes[call] && c.error.text[0] != '\0');
    } else {
        CHECK(c.result == BIOST_END && c.text.count == s->expected.text.count);
    }
    calls.fail_at = 0;
    collected_free(&c);
    check_nothing_left();
}

TEST(reader_torture, every_call_refused) {
    int kind, way;
    uint32_t workers;
    sources_make();
    for (kind = 0; kind < KINDS; ++kind) {
        for (way = 0; way < WAYS; ++way) {
            for (workers = 1; workers <= 2; ++workers) {
                source *s = &sources[kind];
                unsigned long counts[CALL_KINDS], n;
                call_kind call;
                test_note("%s, %s, %u workers", kind_names[kind], way_names[way], (unsigned)workers);
                check_good(s, kind, way, workers);
                memcpy(counts, calls.counts, sizeof counts);
                CHECK(counts[CALL_ALLOC] >= 2 && counts[CALL_MUTEX] >= 1 && counts[CALL_READ] >= 2);
                CHECK_EQ_U64(counts[CALL_THREAD], workers - 1);
                for (call = CALL_ALLOC; call < CALL_KINDS; call = (call_kind)(call + 1)) {
                    for (n = 1; n <= counts[call] + 1; ++n) {
                        test_note("%s, %s, %u workers: %s %lu of %lu", kind_names[kind], way_names[way],
                                  (unsigned)workers, call_names[call], n, counts[call]);
                        check_refused(s, kind, way, workers, call, n, 0);
                        check_refused(s, kind, way, workers, call, n, 1);
                        if (n % 8 == 1) {
                            check_good(s, kind, way, workers);
                        }
                    }
                }
            }
        }
    }
}

/* A path's own calls too: open, fstat, pread. */
TEST(reader_torture, every_call_of_a_path_refused) {
    static const char path[] = "build/test_reader_torture.gz";
    biost_reader_desc desc;
    source *s = &sources[KIND_FASTQ];
    unsigned long counts[CALL_KINDS], n;
    call_kind call;
    collected c;
    FILE *out;
    sources_make();
    out = fopen(path, "wb");
    REQUIRE(out != NULL);
    CHECK(fwrite(s->packed.data, 1, s->packed.count, out) == s->packed.count);
    CHECK(fclose(out) == 0);
    desc_make(&desc, s, KIND_FASTQ, 1);
    memset(&desc.callback, 0, sizeof desc.callback);
    desc.path = path;
    calls_begin(CALL_ALLOC, 0, 0);
    collect(&c, &desc, COLLECT_NEXT);
    CHECK(c.result == BIOST_END && c.text.count == s->expected.text.count);
    collected_free(&c);
    memcpy(counts, calls.counts, sizeof counts);
    CHECK(counts[CALL_OPEN] >= 1 && counts[CALL_SIZE] >= 1 && counts[CALL_READ] >= 2);
    for (call = CALL_OPEN; call <= CALL_READ; call = (call_kind)(call + 1)) {
        unsigned long step = call == CALL_READ ? 1 + counts[call] / 100 : 1;
        for (n = 1; n <= counts[call]; n += step) {
            test_note("%s %lu of %lu", call_names[call], n, counts[call]);
            calls_begin(call, n, (int)(n % 2));
            collect(&c, &desc, (collect_style)(n % COLLECT_STYLES));
            CHECK(calls.refused && is_prefix(&c, &s->expected));
            CHECK(c.result == BIOST_ERR_IO || (call == CALL_SIZE && c.result == BIOST_ERR_STALE));
            calls.fail_at = 0;
            collected_free(&c);
            check_nothing_left();
        }
    }
    unlink(path);
}

/* ---- close at any time ---- */

TEST(reader_torture, close_at_every_call) {
    unsigned workers, way;
    sources_make();
    for (way = 0; way < 3; ++way) {
        for (workers = 1; workers <= 2; ++workers) {
            source *s = &sources[KIND_FASTA];
            biost_result result = BIOST_OK;
            unsigned stop;
            for (stop = 0; result == BIOST_OK; ++stop) {
                biost_reader_desc desc;
                biost_reader *reader = NULL;
                biost_record_page page;
                collected c;
                unsigned turn;
                memset(&c, 0, sizeof c);
                calls_begin(CALL_ALLOC, 0, 0);
                desc_make(&desc, s, KIND_FASTA, workers);
                test_note("%s, %u workers, closed after %u calls", way_names[way], workers, stop);
                REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
                for (turn = 0; turn < stop && result == BIOST_OK; ++turn) {
                    if (way < 2) {
                        result = collect_one(reader, (collect_style)way, &c);
                    } else if (turn % 3 == 0) { /* and not given back */
                        result = biost_reader_next_page(reader, &page);
                        result = result == BIOST_ERR_SLOTS ? BIOST_OK : result;
                    } else {
                        result = collect_one(reader, COLLECT_NEXT, &c);
                    }
                }
                biost_reader_close(reader);
                collected_free(&c);
                check_nothing_left();
            }
            CHECK(result == BIOST_END && stop > 5);
        }
    }
}
