/*
 * test_index.c - seeking in streams and readers, with an index of points where reading may begin and without:
 * what comes after a seek is what stands there, as sequential reading gives it: text, records with their
 * numbers, lines and bytes, errors with their places and sentences.
 *
 * What is right is known from the text and the records as they were made; of damaged files from reading them
 * from their start, without an index.
 *
 * rooms: index reader stream
 * needs: loader threads library
 */
#include "../biostream.h"

#include "test.h"

#include "deflate_maker.h"

#include "loader_oracle.h" /* after it: `bytes` is a type there, and a name in the other */

#include "index_inputs.h"

#include <glob.h>
#include <pthread.h>

/* ---- what is read, and how ---- */

/* A text, the file that holds it, and the rules it is read by. */
typedef struct input {
    known_text known;
    maker file;
    biost_gzip_rules rules;
    const char *path; /* NULL: it is read from memory */
} input;

static input in; /* of the test that runs */

/* Sizes that may not matter. */
typedef struct setting {
    uint32_t workers, chunk_bytes, page_bytes;
    biost_parallel_gzip ahead;
    uint64_t order_seed;
} setting;

static const setting settings[] = {
    {1, 700, 300, BIOST_PARALLEL_GZIP_NEVER, 0},     {2, 1500, 4000, BIOST_PARALLEL_GZIP_ALWAYS, 0},
    {1, 3000, 1000, BIOST_PARALLEL_GZIP_ALWAYS, 77}, {4, 900, 2000, BIOST_PARALLEL_GZIP_ALWAYS, 0},
    {4, 20000, 700, BIOST_PARALLEL_GZIP_NEVER, 0},   {1, 2000, 16, BIOST_PARALLEL_GZIP_NEVER, 0},
    {2, 5000, 100, BIOST_PARALLEL_GZIP_ALWAYS, 0},
};

enum { SETTINGS = sizeof settings / sizeof settings[0], TEXT_BYTES = MAKER_SLOW ? 20000 : 28000 };

static char stored_path[] = "/tmp/biostream_index_XXXXXX"; /* what input_store wrote */

static void stored_remove(void) {
    unlink(stored_path);
}

/*
 * Put the input into a file, to be read from there: BGZF blocks in memory come many at a time, whatever the
 * size of a chunk, and only the first of these is a point.
 */
static void input_store(void) {
    static int is_made;
    if (!is_made) {
        int handle = mkstemp(stored_path);
        CHECK(handle >= 0);
        close(handle);
        atexit(stored_remove);
        is_made = 1;
    }
    file_write(stored_path, in.file.file.data, in.file.file.count);
    in.path = stored_path;
}

/* BGZF is put into a file, and other kinds with every second number. */
static void input_make(text_kind text, file_kind file, size_t text_bytes, uint64_t random) {
    known_free(&in.known);
    known_make(&in.known, text, text_bytes, &random);
    file_make(&in.file, file, &in.known.text, &in.rules);
    in.path = NULL;
    if (file >= FILE_BGZF || file % 2 == 1) {
        input_store();
    }
    test_note("%s, %s", text_names[text], file_names[file]);
}

static void input_free(void) {
    known_free(&in.known);
    maker_free(&in.file);
    in.path = NULL;
}

static biost_stream_desc stream_desc(const setting *with, biost_index *index) {
    biost_stream_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.path = in.path;
    desc.memory.data = in.path == NULL ? in.file.file.data : NULL;
    desc.memory.bytes = in.path == NULL ? in.file.file.count : 0;
    desc.gzip = in.rules;
    desc.workers = with->workers;
    desc.test.chunk_bytes = with->chunk_bytes;
    desc.test.page_bytes = with->page_bytes;
    desc.test.parallel_gzip = with->ahead;
    desc.test.order_seed = with->order_seed;
    desc.index = index;
    return desc;
}

static biost_reader_desc reader_desc(const setting *with, biost_index *index) {
    biost_reader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.path = in.path;
    desc.memory.data = in.path == NULL ? in.file.file.data : NULL;
    desc.memory.bytes = in.path == NULL ? in.file.file.count : 0;
    desc.gzip = in.rules;
    desc.workers = with->workers;
    desc.test.chunk_bytes = with->chunk_bytes;
    desc.test.page_bytes = with->page_bytes;
    desc.test.parallel_gzip = with->ahead;
    desc.test.order_seed = with->order_seed;
    desc.index = index;
    return desc;
}

static biost_index *index_open(uint64_t budget_bytes) {
    biost_index_desc desc;
    biost_index *index = NULL;
    memset(&desc, 0, sizeof desc);
    desc.budget_bytes = budget_bytes;
    if (!CHECK(biost_index_open(&desc, &index, NULL) == BIOST_OK && index != NULL)) {
        exit(1);
    }
    return index;
}

static biost_index_info info_of(const biost_index *index) {
    biost_index_info info;
    memset(&info, 0xA5, sizeof info);
    biost_index_get_info(index, &info);
    return info;
}

static biost_stream *stream_open(const setting *with, biost_index *index) {
    biost_stream_desc desc = stream_desc(with, index);
    biost_stream *stream = NULL;
    biost_error error;
    if (!CHECK(biost_stream_open(&desc, &stream, &error) == BIOST_OK)) {
        printf("    sentence: %s\n", error.text);
    }
    return stream;
}

static biost_reader *reader_open_desc(const biost_reader_desc *desc) {
    biost_reader *reader = NULL;
    biost_error error;
    if (!CHECK(biost_reader_open(desc, &reader, &error) == BIOST_OK)) {
        printf("    sentence: %s\n", error.text);
    }
    return reader;
}

static biost_reader *reader_open(const setting *with, biost_index *index) {
    biost_reader_desc desc = reader_desc(with, index);
    return reader_open_desc(&desc);
}

/* ---- text after a point ---- */

/* The next `count` bytes, or what is left, are those at `at`; by all calls. Returns where it stops. */
static size_t text_follows(biost_stream *stream, size_t at, size_t count, unsigned turn) {
    const bytes *text = &in.known.text;
    size_t end = count < text->count - at ? at + count : text->count;
    while (at < end) {
        if (++turn % 3 == 0) {
            biost_page page;
            if (!CHECK(biost_stream_next_page(stream, &page) == BIOST_OK)) {
                return at;
            }
            CHECK_EQ_U64(page.text_offset, at);
            if (!CHECK(page.text_bytes > 0 && page.text_bytes <= text->count - at)) {
                return at;
            }
            CHECK_MEM(page.text, text->data + at, page.text_bytes);
            at += page.text_bytes;
        } else {
            uint8_t to[1200];
            size_t ask = 1 + turn * 37u % sizeof to, got = 0;
            if (!CHECK(biost_stream_read(stream, to, ask, &got) == BIOST_OK && got <= text->count - at)) {
                return at;
            }
            CHECK_MEM(to, text->data + at, got);
            at += got;
        }
    }
    return at;
}

/* What a stream says at its end. */
typedef struct stream_end {
    biost_text_progress progress;
    uint32_t warnings;
} stream_end;

static stream_end end_of(biost_stream *stream) {
    stream_end end;
    uint8_t byte;
    size_t got = 1;
    biost_page page;
    CHECK(biost_stream_read(stream, &byte, 1, &got) == BIOST_END && got == 0);
    CHECK(biost_stream_next_page(stream, &page) == BIOST_END);
    CHECK(biost_stream_error(stream) == NULL);
    memset(&end, 0, sizeof end);
    biost_stream_progress(stream, &end.progress);
    end.warnings = biost_stream_warnings(stream);
    return end;
}

/* The end is the same, however it was come to. */
static void end_same(const stream_end *a, const stream_end *b) {
    CHECK_EQ_U64(a->progress.text_bytes, b->progress.text_bytes);
    CHECK_EQ_U64(a->progress.member_count, b->progress.member_count);
    CHECK_EQ_U64(a->progress.block_count, b->progress.block_count);
    CHECK_EQ_U64(a->progress.source_total_bytes, b->progress.source_total_bytes);
    CHECK_EQ_U64(a->warnings, b->warnings);
}

/* Without an index, and without a seek. */
static stream_end end_wanted(void) {
    static const setting plain = {1, 0, 0, BIOST_PARALLEL_GZIP_NEVER, 0};
    biost_stream *stream = stream_open(&plain, NULL);
    stream_end end;
    CHECK_EQ_U64(text_follows(stream, 0, SIZE_MAX, 0), in.known.text.count);
    end = end_of(stream);
    CHECK_EQ_U64(end.progress.text_bytes, in.known.text.count);
    CHECK_EQ_U64(end.progress.source_bytes, in.file.file.count);
    biost_stream_close(stream);
    return end;
}

/* Go to a byte of the text and read some; beyond the end there is nothing. */
static void stream_goes_to(biost_stream *stream, uint64_t at, size_t count, unsigned turn,
                           const stream_end *end) {
    size_t text_bytes = in.known.text.count;
    stream_end here;
    if (at > text_bytes) {
        CHECK(biost_stream_seek(stream, at) == BIOST_END);
        here = end_of(stream);
        end_same(&here, end);
        return;
    }
    if (!CHECK(biost_stream_seek(stream, at) == BIOST_OK)) {
        const biost_error *error = biost_stream_error(stream);
        printf("    byte %llu of %llu: %s\n", (unsigned long long)at, (unsigned long long)text_bytes,
               error == NULL ? "no error" : error->text);
        return;
    }
    CHECK(biost_stream_error(stream) == NULL);
    biost_stream_progress(stream, &here.progress);
    CHECK_EQ_U64(here.progress.text_bytes, at);
    if (text_follows(stream, (size_t)at, count, turn) == text_bytes) {
        here = end_of(stream);
        end_same(&here, end);
    }
}

/* Places all over the text, its ends and what lies beyond, in a random order, `times` of them. */
static void stream_goes_everywhere(biost_stream *stream, unsigned times, uint64_t *random,
                                   const stream_end *end) {
    size_t text_bytes = in.known.text.count;
    unsigned i;
    for (i = 0; i < times; ++i) {
        uint64_t at = maker_below(random, (uint32_t)text_bytes + 1);
        size_t count = 1 + maker_below(random, maker_chance(random, 20) ? 5000 : 500);
        switch (maker_below(random, 12)) {
        case 0: at = 0; break;
        case 1: at = text_bytes; break;
        case 2: at = text_bytes + 1 + maker_below(random, 3); break;
        case 3: at = i % 2 == 0 ? UINT64_MAX : text_bytes + 100000; break;
        case 4: count = SIZE_MAX; break;
        case 5: at = text_bytes - maker_below(random, 20); break;
        default: break;
        }
        stream_goes_to(stream, at, count, i, end);
    }
}

/* Kinds of text, other ones for each kind of file. */
static unsigned text_of(unsigned kind, unsigned number) {
    return (kind + number * (1 + kind / TEXT_KINDS % 3)) % TEXT_KINDS;
}

/* What an index says of an input that was read to its end. */
static void info_is_whole(const biost_index *index, file_kind kind, int has_records) {
    biost_index_info info = info_of(index);
    CHECK(info.is_complete == 1);
    CHECK_EQ_U64(info.source_bytes, in.file.file.count);
    CHECK_EQ_U64(info.text_bytes, in.known.text.count);
    CHECK_EQ_I64(info.has_records, has_records);
    CHECK_EQ_U64(info.record_count, has_records ? in.known.count : 0);
    if (!CHECK(info.spacing_bytes > 0 && info.memory_bytes > 0)) {
        return;
    }
    CHECK(info.point_count <= 1 + in.file.file.count / info.spacing_bytes);
    if (file_has_points(kind) && in.file.file.count >= 4 * info.spacing_bytes) {
        CHECK(info.point_count >= 2);
    }
}

/* ---- streams ---- */

TEST(index, streams) {
    uint64_t random = test_seed() + 100;
    unsigned kind, number, round;
    for (kind = 0; kind < FILE_KINDS; ++kind) {
        for (number = 0; number < 2; ++number) {
            unsigned text = text_of(kind, number);
            input_make((text_kind)text, (file_kind)kind, TEXT_BYTES, random + text);
            for (round = 0; round < (MAKER_SLOW ? 1u : 2u); ++round) {
                const setting *with = &settings[(kind + 3 * text + round) % SETTINGS];
                biost_index *index = index_open(0);
                biost_stream *stream;
                stream_end end = end_wanted(), here;
                test_note("%s, %s, setting %u", file_names[kind], text_names[text],
                          (kind + 3 * text + round) % SETTINGS);
                CHECK_EQ_U64(info_of(index).source_bytes, 0);
                stream = stream_open(with, index); /* fills it */
                CHECK_EQ_U64(text_follows(stream, 0, SIZE_MAX, text), in.known.text.count);
                here = end_of(stream);
                end_same(&here, &end);
                info_is_whole(index, (file_kind)kind, 0);
                stream_goes_everywhere(stream, 6, &random, &end);
                biost_stream_close(stream);
                stream = stream_open(with, index); /* begins in the middle */
                stream_goes_everywhere(stream, 12, &random, &end);
                biost_stream_close(stream);
                info_is_whole(index, (file_kind)kind, 0);
                biost_index_close(index);
            }
        }
    }
    input_free();
}

/* The same without an index: forwards it is read on, backwards from the start. */
TEST(index, streams_without_one) {
    uint64_t random = test_seed() + 101;
    unsigned kind;
    for (kind = 0; kind < FILE_KINDS; ++kind) {
        const setting *with = &settings[kind % SETTINGS];
        biost_stream *stream;
        stream_end end;
        input_make(TEXT_FASTQ, (file_kind)kind, TEXT_BYTES / 2, random);
        end = end_wanted();
        stream = stream_open(with, NULL);
        stream_goes_to(stream, in.known.text.count / 2, 100, 0, &end);
        stream_goes_everywhere(stream, MAKER_SLOW ? 8 : 20, &random, &end);
        biost_stream_close(stream);
    }
    input_free();
}

/* Points are kept after the last one as reading gets there, in steps and by seeks. */
TEST(index, streams_fill_in_steps) {
    uint64_t random = test_seed() + 102;
    unsigned kind;
    for (kind = 0; kind < FILE_KINDS; ++kind) {
        const setting *with = &settings[(kind + 1) % SETTINGS];
        biost_index *index = index_open(0);
        stream_end end;
        uint64_t count = 0;
        unsigned step;
        input_make(TEXT_FASTQ, (file_kind)kind, TEXT_BYTES, random);
        end = end_wanted();
        for (step = 1; step <= 4; ++step) { /* each stream goes further than the last, and closes early */
            biost_stream *stream = stream_open(with, index);
            biost_index_info info;
            stream_goes_to(stream, in.known.text.count / 8 * step, 3000, step, &end);
            stream_goes_to(stream, 0, 100, step, &end);
            stream_goes_to(stream, in.known.text.count / 6 * step, 300, step, &end);
            info = info_of(index);
            CHECK(info.point_count >= count);
            count = info.point_count;
            biost_stream_close(stream);
        }
        {
            biost_stream *stream = stream_open(with, index);
            stream_goes_to(stream, in.known.text.count / 3, SIZE_MAX, 1, &end);
            biost_stream_close(stream);
        }
        info_is_whole(index, (file_kind)kind, 0);
        biost_index_close(index);
    }
    input_free();
}

/* Every byte of a small text: next to pages, blocks and members. */
TEST(index, streams_to_every_byte) {
    static const file_kind kinds[] = {FILE_PLAIN, FILE_LEVEL_1, FILE_STORED, FILE_MEMBERS_AND_ZEROS,
                                      FILE_MIXED};
    static const setting small = {1, 100, 64, BIOST_PARALLEL_GZIP_NEVER, 0};
    uint64_t random = test_seed() + 103;
    unsigned k;
    for (k = 0; k < 5; ++k) {
        biost_index *index = index_open(0);
        biost_stream *stream;
        stream_end end;
        size_t i;
        input_make(TEXT_FASTQ, kinds[k], MAKER_SLOW ? 1200 : 2500, random);
        end = end_wanted();
        stream = stream_open(&small, index);
        CHECK_EQ_U64(text_follows(stream, 0, SIZE_MAX, 1), in.known.text.count);
        for (i = 0; i <= in.known.text.count + 1 && test_state.failures == 0; ++i) {
            size_t at = i * 811 % (in.known.text.count + 2); /* 811 is prime: each of them, in some order */
            stream_goes_to(stream, at, 40, (unsigned)i, &end);
        }
        CHECK((in.known.text.count + 2) % 811 != 0);
        biost_stream_close(stream);
        biost_index_close(index);
    }
    input_free();
}

/* ---- records after a point ---- */

static void run_is(const known *want, const biost_run *run, size_t from) {
    const biost_record *r = &run->record;
    const uint8_t *pool = in.known.pool.data;
    CHECK_EQ_U64(r->id, want->id);
    CHECK_EQ_U64(run->start_base, from);
    CHECK_EQ_I64(run->is_first, from == 0);
    CHECK((r->qual != NULL) == want->has_qual);
    if (!CHECK(r->seq_bases <= want->bases - from)) {
        return;
    }
    CHECK_MEM(r->seq, pool + want->seq + from, r->seq_bases);
    if (r->qual != NULL && want->has_qual) {
        CHECK_MEM(r->qual, pool + want->seq + want->bases + from, r->seq_bases);
    }
    if (from == 0) {
        CHECK_EQ_U64(r->line, want->line);
        CHECK_EQ_U64(r->text_offset, want->text_offset);
        if (CHECK_EQ_U64(r->title_bytes, want->title_bytes)) {
            CHECK_MEM(r->title, pool + want->title, want->title_bytes);
        }
        CHECK(r->name_bytes < r->title_bytes && memcmp(r->name, "read", 4) == 0);
    }
}

/* What is counted of the bases, counted once more. */
static void stats_are(const known *want, const biost_stats *stats) {
    const uint8_t *seq = in.known.pool.data + want->seq, *qual = seq + want->bases;
    uint64_t acgt = 0, gc = 0, sum = 0;
    size_t i;
    for (i = 0; i < want->bases; ++i) {
        acgt += seq[i] != 'N';
        gc += seq[i] == 'G' || seq[i] == 'C';
        sum += want->has_qual ? qual[i] - 33u : 0;
    }
    CHECK_EQ_U64(stats->acgt_count, acgt);
    CHECK_EQ_U64(stats->gc_count, gc);
    CHECK_EQ_U64(stats->n_count, want->bases - acgt);
    CHECK_EQ_U64(stats->qual_sum, sum);
}

static biost_result next_is(biost_reader *reader, const known *want) {
    biost_run run;
    biost_result result;
    memset(&run, 0, sizeof run);
    run.is_first = run.is_last = 1;
    result = biost_reader_next(reader, &run.record);
    if (want == NULL) {
        CHECK(result == BIOST_END);
    } else if (CHECK(result == BIOST_OK)) {
        run_is(want, &run, 0);
        CHECK_EQ_U64(run.record.seq_bases, want->bases);
        if (run.record.stats != NULL) {
            stats_are(want, run.record.stats);
        }
    }
    return result;
}

/* The next record as runs. */
static void runs_are(biost_reader *reader, const known *want) {
    biost_run run;
    size_t from = 0;
    int first = 1;
    if (want == NULL) {
        CHECK(biost_reader_next_run(reader, &run) == BIOST_END);
        return;
    }
    do {
        if (!CHECK(biost_reader_next_run(reader, &run) == BIOST_OK)) {
            return;
        }
        CHECK_EQ_I64(run.is_first, first);
        if (first || from > 0) { /* after a first run without bases start_base is 0 again */
            run.is_first = from == 0;
            run_is(want, &run, from);
        }
        first = 0;
        from += run.record.seq_bases;
    } while (!run.is_last && from <= want->bases);
    CHECK_EQ_U64(from, want->bases);
}

/* The next page begins with a record: all of its rows are what follows. */
static void page_is(biost_reader *reader, const known *want, size_t left) {
    biost_record_page page;
    biost_run run;
    uint32_t i;
    biost_result result = biost_reader_next_page(reader, &page);
    if (want == NULL) {
        CHECK(result == BIOST_END);
        return;
    }
    if (!CHECK(result == BIOST_OK) || !CHECK(page.row_count <= left)) {
        return;
    }
    CHECK_EQ_U64(page.id, want->id);
    CHECK_EQ_U64(page.start_base, 0);
    for (i = 0; i < page.row_count; ++i) {
        biost_record_page_get(&page, i, &run);
        run_is(want + i, &run, 0);
        CHECK(!run.is_last || run.record.seq_bases == want[i].bases);
        CHECK(run.is_last || i + 1 == page.row_count);
    }
    CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
}

/* Go to the record that is number `at` of those known, by its id, and read on; after them is the end. */
static void reader_goes_to(biost_reader *reader, size_t at, unsigned count, unsigned turn) {
    const known_text *k = &in.known;
    uint64_t id = at < k->count ? k->records[at].id : k->ids + (at - k->count);
    biost_result result = biost_reader_seek(reader, id);
    if (!CHECK(result == BIOST_OK || (at >= k->count && result == BIOST_END))) {
        const biost_error *error = biost_reader_error(reader);
        printf("    record %llu of %llu: %s\n", (unsigned long long)id, (unsigned long long)k->ids,
               error == NULL ? biost_result_name(result) : error->text);
        return;
    }
    CHECK(at < k->count || at == k->count || result == BIOST_END);
    CHECK(biost_reader_error(reader) == NULL);
    for (; count > 0; --count, ++at) {
        const known *want = at < k->count ? &k->records[at] : NULL;
        if (turn % 7 == 3) {
            page_is(reader, want, k->count - (want == NULL ? k->count : at));
            return;
        }
        if (turn % 7 == 5) {
            runs_are(reader, want);
        } else {
            next_is(reader, want);
        }
        if (want == NULL) {
            next_is(reader, NULL);
            return;
        }
    }
}

/* All records, or `most` of them, and what lies beyond, in a random order. */
static void reader_goes_everywhere(biost_reader *reader, unsigned most, uint64_t *random) {
    size_t count = in.known.count, i;
    uint32_t *order = (uint32_t *)malloc((count + 3) * sizeof *order);
    REQUIRE(order != NULL);
    for (i = 0; i < count + 3; ++i) {
        uint32_t at = maker_below(random, (uint32_t)i + 1);
        order[i] = order[at];
        order[at] = (uint32_t)i;
    }
    for (i = 0; i < count + 3 && i < most; ++i) {
        reader_goes_to(reader, order[i], 3, (unsigned)i);
    }
    reader_goes_to(reader, 0, 2, 0);
    reader_goes_to(reader, count, 1, 0);
    reader_goes_to(reader, count > 2 ? count - 2 : 0, 5, 1);
    free(order);
}

/* From where it stands, record `at`, to the end. */
static void reader_reads_on(biost_reader *reader, size_t at) {
    while (at < in.known.count && next_is(reader, &in.known.records[at]) == BIOST_OK) {
        ++at;
    }
    if (CHECK_EQ_U64(at, in.known.count)) {
        next_is(reader, NULL);
        CHECK(biost_reader_error(reader) == NULL);
    }
}

TEST(index, readers) {
    uint64_t random = test_seed() + 110;
    unsigned kind, round;
    for (kind = 0; kind < FILE_KINDS; ++kind) {
        for (round = 0; round < 2; ++round) {
            unsigned text = text_of(kind + 1, round), number = (2 * kind + 3 * round) % SETTINGS;
            biost_index *index = index_open(0);
            biost_record_progress progress;
            biost_reader_desc desc;
            biost_reader *reader;
            uint32_t warnings;
            input_make((text_kind)text, (file_kind)kind, TEXT_BYTES, random + text);
            test_note("%s, %s, setting %u", file_names[kind], text_names[text], number);
            desc = reader_desc(&settings[number], index);
            desc.stats = (int)(kind % 2);
            reader = reader_open_desc(&desc);
            reader_reads_on(reader, 0); /* fills it */
            warnings = biost_reader_warnings(reader);
            info_is_whole(index, (file_kind)kind, 1);
            reader_goes_everywhere(reader, 10, &random);
            biost_reader_close(reader);
            reader = reader_open_desc(&desc); /* begins in the middle */
            reader_goes_everywhere(reader, MAKER_SLOW ? 20 : 50, &random);
            reader_goes_to(reader, in.known.count / 2, 1, 0);
            reader_reads_on(reader, in.known.count / 2 + 1);
            CHECK_EQ_U64(biost_reader_warnings(reader), warnings);
            biost_reader_progress(reader, &progress);
            CHECK_EQ_U64(progress.text_bytes, in.known.text.count);
            CHECK_EQ_U64(progress.source_total_bytes, in.file.file.count);
            biost_reader_close(reader);
            info_is_whole(index, (file_kind)kind, 1);
            biost_index_close(index);
        }
    }
    input_free();
}

TEST(index, readers_without_one) {
    uint64_t random = test_seed() + 111;
    unsigned kind;
    for (kind = 0; kind < FILE_KINDS; ++kind) {
        biost_reader *reader;
        input_make((text_kind)(kind % TEXT_KINDS), (file_kind)kind, TEXT_BYTES / 3, random);
        reader = reader_open(&settings[kind % SETTINGS], NULL);
        reader_goes_to(reader, in.known.count / 2, 3, 0); /* forwards */
        reader_goes_to(reader, in.known.count - 1, 2, 0);
        reader_goes_everywhere(reader, MAKER_SLOW ? 8 : 25, &random);
        biost_reader_close(reader);
    }
    input_free();
}

/* Readers that are closed early, each further than the last. */
TEST(index, readers_fill_in_steps) {
    uint64_t random = test_seed() + 112;
    unsigned kind;
    for (kind = 0; kind < FILE_KINDS; ++kind) {
        const setting *with = &settings[(kind + 2) % SETTINGS];
        biost_index *index = index_open(0);
        biost_reader *reader;
        unsigned step;
        input_make((text_kind)(kind % TEXT_KINDS), (file_kind)kind, TEXT_BYTES / 2, random);
        for (step = 1; step <= 4; ++step) {
            reader = reader_open(with, index);
            reader_goes_to(reader, in.known.count / 8 * step, 9, step);
            reader_goes_to(reader, 0, 2, step);
            reader_goes_to(reader, in.known.count / 6 * step, 3, step);
            biost_reader_close(reader);
        }
        reader = reader_open(with, index);
        reader_goes_to(reader, in.known.count / 3, 1, 0);
        reader_reads_on(reader, in.known.count / 3 + 1);
        biost_reader_close(reader);
        info_is_whole(index, (file_kind)kind, 1);
        reader = reader_open(with, index);
        reader_goes_everywhere(reader, 40, &random);
        biost_reader_close(reader);
        biost_index_close(index);
    }
    input_free();
}

/* An index a stream filled has no records: a reader finds them. And one of a reader serves a stream. */
TEST(index, of_a_stream_for_a_reader) {
    uint64_t random = test_seed() + 113;
    unsigned kind;
    for (kind = 0; kind < FILE_KINDS; ++kind) {
        const setting *with = &settings[(kind + 4) % SETTINGS];
        const setting *other = &settings[(kind + 1) % SETTINGS];
        biost_index *index = index_open(0);
        biost_stream *stream;
        biost_reader *reader;
        stream_end end;
        input_make((text_kind)(kind / 2 % TEXT_KINDS), (file_kind)kind, TEXT_BYTES / 2, random);
        end = end_wanted();
        stream = stream_open(with, index);
        stream_goes_to(stream, 0, SIZE_MAX, 0, &end);
        biost_stream_close(stream);
        info_is_whole(index, (file_kind)kind, 0);
        reader = reader_open(other, index);
        reader_goes_everywhere(reader, 10, &random);
        reader_goes_to(reader, 0, 1, 0);
        reader_reads_on(reader, 1);
        info_is_whole(index, (file_kind)kind, 1);
        reader_goes_everywhere(reader, 30, &random);
        biost_reader_close(reader);
        stream = stream_open(with, index);
        stream_goes_everywhere(stream, 15, &random, &end);
        biost_stream_close(stream);
        info_is_whole(index, (file_kind)kind, 1);
        biost_index_close(index);
    }
    input_free();
}

/* In the middle of a sequence of several pages, and of a page. */
TEST(index, seeks_in_the_middle_of_a_sequence) {
    static const file_kind kinds[] = {FILE_PLAIN, FILE_LEVEL_6, FILE_BGZF};
    uint64_t random = test_seed() + 114;
    unsigned k, with_index;
    for (k = 0; k < 6; ++k) {
        biost_index *index = k % 2 == 0 ? index_open(0) : NULL;
        biost_reader *reader;
        biost_run run;
        size_t at;
        with_index = k % 2 == 0;
        input_make(TEXT_FASTA_LONG, kinds[k / 2], TEXT_BYTES, random);
        test_note("%s, with index: %u", file_names[kinds[k / 2]], with_index);
        reader = reader_open(&settings[k % 2], index);
        for (at = 0; at < in.known.count; ++at) {
            unsigned runs = 0;
            reader_goes_to(reader, at, 0, 0);
            do {
                REQUIRE(biost_reader_next_run(reader, &run) == BIOST_OK);
                CHECK_EQ_U64(run.record.id, at);
            } while (!run.is_last && ++runs < 3);
            reader_goes_to(reader, at, 1, 5); /* the same record, from its first base */
            reader_goes_to(reader, (at * 7 + 3) % in.known.count, 2, 5);
            reader_goes_to(reader, at, 0, 0);
            CHECK(biost_reader_next_run(reader, &run) == BIOST_OK);
            next_is(reader, at + 1 < in.known.count ? &in.known.records[at + 1] : NULL);
        }
        biost_reader_close(reader);
        biost_index_close(index);
    }
    input_free();
}

/* Bad records have numbers too; where one was left out, the next good one comes. */
TEST(index, bad_records_left_out) {
    static const file_kind kinds[] = {FILE_PLAIN, FILE_LEVEL_6, FILE_BGZF, FILE_MEMBERS};
    uint64_t random = test_seed() + 115;
    unsigned k;
    for (k = 0; k < 4 * SETTINGS; ++k) {
        biost_index *index = k % 5 == 4 ? NULL : index_open(0);
        biost_record_progress progress;
        biost_reader_desc desc;
        biost_reader *reader;
        size_t i;
        known_free(&in.known);
        while (in.known.text.count < TEXT_BYTES / 2) {
            known_add(&in.known, TEXT_FASTQ, 20 + maker_below(&random, 80), &random);
            if (in.known.count > 2 && maker_chance(&random, 15)) {
                known_bad(&in.known);
            }
        }
        known_add(&in.known, TEXT_FASTQ, 30, &random);
        file_make(&in.file, kinds[k / SETTINGS], &in.known.text, &in.rules);
        input_store();
        test_note("%s, setting %u", file_names[kinds[k / SETTINGS]], k % SETTINGS);
        desc = reader_desc(&settings[k % SETTINGS], index);
        desc.text.skip_bad = UINT64_MAX;
        reader = reader_open_desc(&desc);
        reader_reads_on(reader, 0);
        biost_reader_progress(reader, &progress);
        CHECK_EQ_U64(progress.record_count, in.known.count);
        CHECK_EQ_U64(progress.skipped_count, in.known.ids - in.known.count);
        reader_goes_everywhere(reader, 60, &random);
        for (i = 1; i < in.known.count; ++i) { /* to those left out */
            const known *r = &in.known.records[i];
            if (r->id != r[-1].id + 1 && maker_chance(&random, 50)) {
                CHECK(biost_reader_seek(reader, r->id - 1) == BIOST_OK);
                next_is(reader, r);
            }
        }
        reader_goes_to(reader, 1, 1, 0);
        reader_reads_on(reader, 2);
        CHECK((biost_reader_warnings(reader) & BIOST_WARN_SKIPPED_RECORDS) != 0);
        biost_reader_close(reader);
        biost_index_close(index);
    }
    input_free();
}

/*
 * The same of FASTA, in pages of 16 bytes and more: after c the page ends, and b, which is left out, is the
 * first of its page.
 */
TEST(index, bad_records_of_several_pages) {
    static const char text[] = ">a\nACGT\n>b\nAC\x80GT\n>c\nACGTACGTAC\nGTACGTACGT\nACGTACGTAC\n>d\nA\n";
    static const size_t bases[] = {4, 0, 30, 1}; /* b is bad */
    uint32_t page, number;
    for (page = 16; page < 64; ++page) {
        biost_reader_desc desc;
        biost_reader *reader;
        biost_record record;
        memset(&desc, 0, sizeof desc);
        desc.memory.data = text;
        desc.memory.bytes = sizeof text - 1;
        desc.text.skip_bad = UINT64_MAX;
        desc.test.page_bytes = page;
        test_note("page %u", (unsigned)page);
        reader = reader_open_desc(&desc);
        REQUIRE(reader != NULL);
        for (number = 3; number < 4; --number) { /* backwards, and 0 is the last */
            CHECK(biost_reader_seek(reader, number) == BIOST_OK);
            if (CHECK(biost_reader_next(reader, &record) == BIOST_OK)) {
                CHECK_EQ_U64(record.id, number == 1 ? 2 : number);
                CHECK_EQ_U64(record.seq_bases, bases[record.id % 4]);
            }
        }
        for (number = 1; number < 4; ++number) { /* forwards */
            CHECK(biost_reader_seek(reader, number) == BIOST_OK);
            if (CHECK(biost_reader_next(reader, &record) == BIOST_OK)) {
                number += number == 1;
                CHECK_EQ_U64(record.id, number);
                CHECK_EQ_U64(record.seq_bases, bases[record.id % 4]);
            }
        }
        biost_reader_close(reader);
    }
}

/* ---- damage ---- */

/* All that a reader says from where it stands. */
typedef struct heard {
    uint64_t *sums, *ids; /* [count] of the records */
    size_t count, capacity;
    biost_result result;
    biost_error error; /* zero without one */
    uint32_t warnings;
} heard;

static void heard_free(heard *h) {
    free(h->sums);
    free(h->ids);
    memset(h, 0, sizeof *h);
}

static uint64_t sum_of(uint64_t sum, const void *from, size_t count) {
    const uint8_t *at = (const uint8_t *)from;
    for (; count > 0; --count) {
        sum = (sum ^ *at++) * UINT64_C(0x100000001B3);
    }
    return (sum ^ 0xFF) * UINT64_C(0x100000001B3);
}

/* Read on to what ends the records, which stays. */
static heard hear(biost_reader *reader) {
    biost_record r;
    heard h;
    memset(&h, 0, sizeof h);
    while ((h.result = biost_reader_next(reader, &r)) == BIOST_OK) {
        uint64_t numbers[3], sum;
        if (h.count == h.capacity) {
            h.capacity = h.capacity * 2 + 256;
            h.sums = (uint64_t *)realloc(h.sums, h.capacity * sizeof *h.sums);
            h.ids = (uint64_t *)realloc(h.ids, h.capacity * sizeof *h.ids);
            if (!CHECK(h.sums != NULL && h.ids != NULL)) {
                exit(1);
            }
        }
        numbers[0] = r.id;
        numbers[1] = r.line;
        numbers[2] = r.text_offset;
        sum = sum_of(sum_of(0, numbers, sizeof numbers), r.title, r.title_bytes);
        sum = sum_of(sum, r.seq, r.seq_bases);
        h.ids[h.count] = r.id;
        h.sums[h.count++] = r.qual == NULL ? sum : sum_of(sum, r.qual, r.seq_bases);
    }
    CHECK(biost_reader_next(reader, &r) == h.result);
    if (CHECK((biost_reader_error(reader) != NULL) == (h.result < 0)) && h.result < 0) {
        h.error = *biost_reader_error(reader);
    }
    h.warnings = biost_reader_warnings(reader);
    return h;
}

static void error_same(const biost_error *a, const biost_error *b) {
    CHECK_EQ_I64(a->code, b->code);
    CHECK_STR(biost_fault_name(a->fault), biost_fault_name(b->fault));
    CHECK_EQ_U64(a->path_index, b->path_index);
    CHECK_EQ_I64(a->os_error, b->os_error);
    CHECK_EQ_U64(a->record, b->record);
    CHECK_EQ_U64(a->line, b->line);
    CHECK_EQ_U64(a->text_offset, b->text_offset);
    CHECK_EQ_U64(a->source_offset, b->source_offset);
    CHECK_STR(a->text, b->text);
}

/* `a` is what `all` has from its record `from` on. */
static void heard_same(const heard *a, const heard *all, size_t from) {
    if (CHECK_EQ_U64(a->count, all->count - from) && a->count > 0) {
        CHECK_MEM(a->ids, all->ids + from, a->count * sizeof *a->ids);
        CHECK_MEM(a->sums, all->sums + from, a->count * sizeof *a->sums);
    }
    CHECK_EQ_I64(a->result, all->result);
    error_same(&a->error, &all->error);
}

/*
 * A reader, fresh or not, goes to records before the damage and to it, and hears all that follows. `over_it`:
 * after it too, where the same error must be met.
 */
static void damage_is_met(biost_reader *reader, const heard *all, unsigned times, int over_it,
                          uint64_t *random) {
    for (; times > 0 && test_state.failures == 0; --times) {
        size_t from = maker_below(random, (uint32_t)all->count + 1);
        uint64_t beyond = all->count == 0 ? 1 : all->ids[all->count - 1] + 5 + maker_below(random, 9);
        heard h;
        biost_result result;
        if (over_it && times % 4 == 0) { /* over it, or beyond the end */
            CHECK_EQ_I64(biost_reader_seek(reader, beyond), all->result);
            h = hear(reader);
            heard_same(&h, all, all->count);
            heard_free(&h);
        }
        if (times % 4 == 1 && all->count > 0) { /* towards the end, where the damage is near */
            from = all->count - maker_below(random, (uint32_t)(all->count < 9 ? all->count : 9));
        }
        result = biost_reader_seek(reader, from < all->count ? all->ids[from]
                                           : all->count > 0  ? all->ids[all->count - 1] + 1
                                                             : 0);
        if (from < all->count) {
            CHECK(result == BIOST_OK && biost_reader_error(reader) == NULL);
        } else {
            CHECK(result == BIOST_OK || result == all->result);
        }
        h = hear(reader);
        heard_same(&h, all, from);
        heard_free(&h);
    }
}

static maker_bytes undamaged; /* the file, as damages_begin found it */

/* The input is to be damaged in several ways, one after another. */
static void damages_begin(void) {
    undamaged.count = 0;
    maker_bytes_add(&undamaged, in.file.file.data, in.file.file.count);
}

/* Spoil the file in one of several ways. */
static const char *damage_file(unsigned manner, uint64_t *random) {
    maker_bytes *file = &in.file.file;
    size_t most = in.file.border_count < MAKER_BORDERS ? in.file.border_count : MAKER_BORDERS, border = 0;
    if (most > 0) {
        border = in.file.borders[most / 2 + maker_below(random, (uint32_t)(most - most / 2))].file;
    }
    switch (most == 0 && manner >= 2 && manner <= 3 ? 0u : manner) {
    case 0: /* of the DEFLATE data, or of the text */
        file->data[file->count / 3 + maker_below(random, (uint32_t)(file->count / 2))] ^=
            (uint8_t)(1u << maker_below(random, 8));
        return "a bit flipped";
    case 1: file->count -= 1 + maker_below(random, (uint32_t)(file->count / 3)); return "cut off";
    case 2: file->data[border - 5] ^= 4; return "CRC-32";
    case 3: file->data[border - 2] ^= 16; return "ISIZE";
    case 4: maker_bytes_add(file, "\x1Fgarbage", 8); return "garbage after";
    default: maker_bytes_add(file, "garbage", 7); return "other garbage after";
    }
}

/* Spoil the file that damages_begin found; returns how. */
static const char *damage(unsigned manner, uint64_t *random) {
    const char *what;
    in.file.file.count = 0;
    maker_bytes_add(&in.file.file, undamaged.data, undamaged.count);
    what = damage_file(manner, random);
    if (in.path != NULL) {
        input_store();
    }
    return what;
}

/* What an index says of an input that ended so: bytes may be good to their end where the text is not. */
static void info_is_of(const biost_index *index, biost_result result) {
    biost_index_info info = info_of(index);
    CHECK_EQ_U64(info.source_bytes, in.file.file.count);
    if (result == BIOST_END) {
        CHECK(info.is_complete && info.has_records);
    } else {
        CHECK(!info.has_records && info.record_count == 0);
        CHECK(result == BIOST_ERR_TEXT || (!info.is_complete && info.text_bytes == 0));
    }
}

/*
 * The index is of the damaged file, filled by reading up to the error: it is not complete, and good for what
 * came before.
 */
TEST(index, damaged_files) {
    uint64_t random = test_seed() + 120;
    unsigned kind, manner, failed = 0;
    for (kind = 0; kind < FILE_KINDS; ++kind) {
        input_make((text_kind)(kind % TEXT_KINDS), (file_kind)kind, TEXT_BYTES / 2, random + kind);
        damages_begin();
        for (manner = 0; manner < 6; ++manner) {
            const setting *with = &settings[(kind + manner) % SETTINGS];
            biost_index *index = index_open(0);
            biost_reader_desc desc;
            biost_reader *reader;
            const char *what;
            heard all, h;
            /* Seeks pass FASTA by runs, and meet the first of a record's faults; next meets the last. */
            int over_it = manner > 0 || kind % TEXT_KINDS < TEXT_FASTA;
            what = damage(manner, &random);
            desc = reader_desc(with, NULL);
            desc.text.skip_bad = manner % 2 == 0 && kind % 3 == 0 ? UINT64_MAX : 0;
            test_note("%s, %s, %s, setting %u%s", file_names[kind], text_names[kind % TEXT_KINDS], what,
                      (kind + manner) % SETTINGS, desc.text.skip_bad > 0 ? ", skip_bad" : "");
            reader = reader_open_desc(&desc);
            all = hear(reader);
            biost_reader_close(reader);
            failed += all.result < 0;
            desc.index = index;
            reader = reader_open_desc(&desc); /* fills it */
            h = hear(reader);
            heard_same(&h, &all, 0);
            CHECK_EQ_U64(h.warnings, all.warnings);
            heard_free(&h);
            info_is_of(index, all.result);
            damage_is_met(reader, &all, 3, over_it, &random);
            biost_reader_close(reader);
            reader = reader_open_desc(&desc); /* begins in the middle */
            damage_is_met(reader, &all, 5, over_it, &random);
            biost_reader_close(reader);
            info_is_of(index, all.result);
            if (manner == kind % 6) { /* and without an index */
                desc.index = NULL;
                reader = reader_open_desc(&desc);
                damage_is_met(reader, &all, 3, over_it, &random);
                biost_reader_close(reader);
            }
            heard_free(&all);
            biost_index_close(index);
        }
    }
    CHECK(failed >= FILE_KINDS * 3); /* of gzip nearly all; of plain text fewer */
    maker_bytes_free(&undamaged);
    input_free();
}

/* The same of a stream: text up to the error, and the error, are those of reading from the start. */
TEST(index, damaged_files_as_streams) {
    static const setting plain = {1, 0, 0, BIOST_PARALLEL_GZIP_NEVER, 0};
    uint64_t random = test_seed() + 121;
    unsigned kind, manner;
    for (kind = 0; kind < FILE_KINDS; ++kind) {
        input_make(TEXT_FASTQ, (file_kind)kind, TEXT_BYTES / 2, random + kind);
        damages_begin();
        for (manner = 0; manner < 6; ++manner) {
            const setting *with = &settings[(kind + 2 * manner) % SETTINGS];
            biost_index *index = index_open(0);
            biost_stream_desc desc;
            biost_stream *stream;
            stream_outcome all, out;
            unsigned i;
            test_note("%s, %s", file_names[kind], damage(manner, &random));
            desc = stream_desc(&plain, NULL);
            all = stream_run(&desc, STREAM_MIXED);
            desc = stream_desc(with, index);
            out = stream_run(&desc, STREAM_MIXED); /* fills it */
            stream_same(&out, &all);
            maker_bytes_free(&out.text);
            stream = stream_open(with, index);
            for (i = 0; i < 8 && test_state.failures == 0; ++i) {
                size_t at = maker_below(&random, (uint32_t)all.text.count + 1), left, got;
                uint8_t *rest;
                biost_result result;
                if (i % 3 == 2) { /* near the damage */
                    at = all.text.count - maker_below(&random, (uint32_t)(at < 99 ? at + 1 : 99));
                }
                if (i % 4 == 3) {
                    CHECK_EQ_I64(biost_stream_seek(stream, all.text.count + 10), all.result);
                }
                result = biost_stream_seek(stream, at);
                CHECK(result == BIOST_OK || (at == all.text.count && result == all.result));
                left = all.text.count - at;
                rest = test_copy(NULL, left + 1);
                while (result == BIOST_OK && left > 0) {
                    result = biost_stream_read(stream, rest, left, &got);
                    CHECK(result == BIOST_OK);
                    CHECK_MEM(rest, all.text.data + all.text.count - left, got);
                    left -= got;
                }
                CHECK_EQ_I64(biost_stream_read(stream, rest, 1, &got), all.result);
                if (CHECK((biost_stream_error(stream) != NULL) == (all.result < 0)) && all.result < 0) {
                    error_same(biost_stream_error(stream), &all.error);
                }
                CHECK_EQ_U64(biost_stream_warnings(stream), all.warnings);
                free(rest);
            }
            biost_stream_close(stream);
            maker_bytes_free(&all.text);
            biost_index_close(index);
        }
    }
    maker_bytes_free(&undamaged);
    input_free();
}

/*
 * A bad BGZF block, the fifth of 1000 bytes: whatever was looked at ahead of its turn, no point after it is
 * kept, and nobody comes there.
 */
TEST(index, no_points_after_a_bad_block) {
    uint64_t random = test_seed() + 123;
    uint32_t workers, k;
    known_free(&in.known);
    known_make(&in.known, TEXT_FASTQ, 20000, &random);
    memset(&in.rules, 0, sizeof in.rules);
    maker_begin(&in.file);
    maker_bgzf(&in.file, in.known.text.data, in.known.text.count, 1000, 6);
    in.file.file.data[in.file.borders[4].file - 5] ^= 4; /* of its CRC-32 */
    input_store();
    for (workers = 1; workers <= 4; ++workers) {
        setting with = {0, 900, 0, BIOST_PARALLEL_GZIP_AUTO, 0};
        biost_index *index = index_open(0);
        biost_stream *stream;
        uint8_t to[500];
        size_t text_bytes = 0, got;
        with.workers = workers;
        test_note("%u workers", (unsigned)workers);
        stream = stream_open(&with, index);
        while (biost_stream_read(stream, to, sizeof to, &got) == BIOST_OK) {
            text_bytes += got;
        }
        CHECK_EQ_U64(text_bytes, 4000);
        biost_stream_close(stream);
        stream = stream_open(&with, index);
        for (k = 4001; k < 20000; k += 900) {
            CHECK_EQ_I64(biost_stream_seek(stream, k), BIOST_ERR_GZIP);
            if (CHECK(biost_stream_error(stream) != NULL)) {
                CHECK(biost_stream_error(stream)->fault == BIOST_FAULT_BAD_CRC);
                CHECK_EQ_U64(biost_stream_error(stream)->text_offset, 4000);
            }
        }
        biost_stream_close(stream);
        biost_index_close(index);
    }
    input_free();
}

/*
 * A bad record in the middle of good ones, read strictly: before it the error is that of sequential reading.
 * A reader that left it out may fill the index; then what lies far after it is reached without meeting it.
 */
TEST(index, a_bad_record_in_the_middle) {
    static const file_kind kinds[] = {FILE_PLAIN, FILE_LEVEL_6, FILE_BGZF, FILE_MEMBERS};
    unsigned k;
    for (k = 0; k < 4; ++k) {
        static const setting with = {1, 1000, 500, BIOST_PARALLEL_GZIP_NEVER, 0};
        uint64_t random = test_seed() + 122;
        biost_index *index = index_open(0);
        biost_reader_desc desc;
        biost_reader *reader;
        biost_index_info info;
        heard all, h;
        size_t i;
        known_free(&in.known);
        for (i = 0; i < 300; ++i) {
            known_add(&in.known, TEXT_FASTQ, 60, &random);
            if (i == 99) {
                known_bad(&in.known); /* number 100 */
            }
        }
        file_make(&in.file, kinds[k], &in.known.text, &in.rules);
        input_store();
        test_note("%s", file_names[kinds[k]]);
        desc = reader_desc(&with, NULL);
        reader = reader_open_desc(&desc);
        all = hear(reader);
        biost_reader_close(reader);
        CHECK_EQ_U64(all.count, 100);
        CHECK(all.result == BIOST_ERR_TEXT);
        CHECK_EQ_U64(all.error.record, 100);
        CHECK_EQ_U64(all.error.line, 402); /* 100 records of four lines before it, and its title */
        desc.index = index;
        reader = reader_open_desc(&desc);
        h = hear(reader);
        heard_same(&h, &all, 0);
        heard_free(&h);
        damage_is_met(reader, &all, 12, 1, &random);
        CHECK_EQ_I64(biost_reader_seek(reader, 250), BIOST_ERR_TEXT);
        if (CHECK(biost_reader_error(reader) != NULL)) {
            error_same(biost_reader_error(reader), &all.error);
        }
        biost_reader_close(reader);
        info = info_of(index);
        CHECK(!info.has_records && info.record_count == 0);
        desc.text.skip_bad = 1;
        reader = reader_open_desc(&desc); /* fills the rest */
        reader_reads_on(reader, 0);
        biost_reader_close(reader);
        info = info_of(index);
        CHECK(info.is_complete && info.has_records);
        desc.text.skip_bad = 0;
        reader = reader_open_desc(&desc);
        damage_is_met(reader, &all, 8, 0, &random);
        CHECK(biost_reader_seek(reader, 299) == BIOST_OK); /* far after it */
        next_is(reader, &in.known.records[298]);
        next_is(reader, &in.known.records[299]);
        next_is(reader, NULL);
        damage_is_met(reader, &all, 4, 0, &random);
        biost_reader_close(reader);
        heard_free(&all);
        biost_index_close(index);
    }
    input_free();
}

/* ---- lent, saved and loaded ---- */

static void info_same(const biost_index *a, const biost_index *b) {
    biost_index_info x = info_of(a), y = info_of(b);
    CHECK_EQ_U64(x.point_count, y.point_count);
    CHECK_EQ_U64(x.source_bytes, y.source_bytes);
    CHECK_EQ_U64(x.text_bytes, y.text_bytes);
    CHECK_EQ_U64(x.record_count, y.record_count);
    CHECK_EQ_U64(x.spacing_bytes, y.spacing_bytes);
    CHECK(x.is_complete == y.is_complete && x.has_records == y.has_records);
}

static biost_index *index_load(const char *path) {
    biost_index *index = NULL;
    biost_error error;
    if (!CHECK(biost_index_load(path, NULL, &index, &error) == BIOST_OK)) {
        printf("    sentence: %s\n", error.text);
        exit(1);
    }
    return index;
}

static void no_part_left(const char *path) {
    char part[160];
    glob_t found;
    snprintf(part, sizeof part, "%s.*.part", path);
    CHECK(glob(part, 0, NULL, &found) == GLOB_NOMATCH);
    globfree(&found);
}

TEST(index, saved_in_the_middle) {
    static const char *const names[] = {"half.idx", "whole.idx"};
    uint64_t random = test_seed() + 130;
    unsigned kind;
    for (kind = 0; kind < FILE_KINDS; ++kind) {
        const setting *with = &settings[(kind + 5) % SETTINGS], *other = &settings[kind % SETTINGS];
        const char *half = file_path(names[0]), *whole = file_path(names[1]);
        biost_index *index = index_open(0), *loaded;
        biost_reader *reader;
        biost_stream *stream;
        stream_end end;
        size_t i;
        input_make((text_kind)(kind % TEXT_KINDS), (file_kind)kind, TEXT_BYTES / 2, random);
        end = end_wanted();
        CHECK(biost_index_save(index, half, NULL) == BIOST_OK); /* an empty one */
        loaded = index_load(half);
        info_same(index, loaded);
        biost_index_close(loaded);
        reader = reader_open(with, index);
        for (i = 0; i < in.known.count / 2; ++i) {
            next_is(reader, &in.known.records[i]);
        }
        CHECK(biost_index_save(index, half, NULL) == BIOST_OK); /* while it is lent */
        no_part_left(half);
        reader_reads_on(reader, i);
        biost_reader_close(reader);
        info_is_whole(index, (file_kind)kind, 1);
        CHECK(biost_index_save(index, whole, NULL) == BIOST_OK);
        no_part_left(whole);
        loaded = index_load(half);
        CHECK_EQ_U64(info_of(loaded).source_bytes, in.file.file.count);
        CHECK(info_of(loaded).point_count <= info_of(index).point_count);
        biost_index_close(index);
        if (in.path == NULL) { /* from somewhere else, where the same bytes are */
            input_store();
        } else {
            in.path = NULL;
        }
        reader = reader_open(other, loaded);
        reader_goes_everywhere(reader, 30, &random);
        reader_goes_to(reader, 0, 1, 0);
        reader_reads_on(reader, 1);
        biost_reader_close(reader);
        info_is_whole(loaded, (file_kind)kind, 1);
        biost_index_close(loaded);
        loaded = index_load(whole);
        info_is_whole(loaded, (file_kind)kind, 1);
        reader = reader_open(other, loaded);
        reader_goes_everywhere(reader, 30, &random);
        biost_reader_close(reader);
        stream = stream_open(with, loaded);
        stream_goes_everywhere(stream, 10, &random, &end);
        biost_stream_close(stream);
        CHECK(biost_index_save(loaded, half, NULL) == BIOST_OK); /* over the other */
        biost_index_close(loaded);
        {
            size_t a_bytes, b_bytes;
            uint8_t *a = test_read_file(half, &a_bytes), *b = test_read_file(whole, &b_bytes);
            if (CHECK_EQ_U64(a_bytes, b_bytes)) { /* nothing was lost on the way */
                CHECK_MEM(a, b, a_bytes);
            }
            free(a);
            free(b);
        }
    }
    file_clean(names, 2);
    input_free();
}

TEST(index, cannot_be_saved) {
    biost_index *index = index_open(0);
    biost_error error;
    memset(&error, 0, sizeof error);
    CHECK_EQ_I64(biost_index_save(index, "/nonexistent_directory/x.idx", &error), BIOST_ERR_IO);
    CHECK_STR(biost_fault_name(error.fault), "WRITE");
    CHECK(error.os_error != 0 && strstr(error.text, "/nonexistent_directory/x.idx") != NULL);
    biost_index_close(index);
    biost_index_close(NULL);
}

/* Opening a stream and a reader with this index fails so, with these words; the index stays as it was. */
static void lending_refused(biost_index *index, biost_result code, const char *fault, const char *words) {
    biost_stream_desc s = stream_desc(&settings[0], index);
    biost_reader_desc r = reader_desc(&settings[0], index);
    biost_index_info before = info_of(index), after;
    biost_stream *stream = NULL;
    biost_reader *reader = NULL;
    biost_error error;
    memset(&error, 0, sizeof error);
    CHECK_EQ_I64(biost_stream_open(&s, &stream, &error), code);
    CHECK(stream == NULL && error.code == code);
    CHECK_STR(biost_fault_name(error.fault), fault);
    if (!CHECK(strstr(error.text, words) != NULL)) {
        printf("    sentence: %s\n", error.text);
    }
    memset(&error, 0, sizeof error);
    CHECK_EQ_I64(biost_reader_open(&r, &reader, &error), code);
    CHECK(reader == NULL && error.code == code);
    CHECK_STR(biost_fault_name(error.fault), fault);
    if (!CHECK(strstr(error.text, words) != NULL)) {
        printf("    sentence: %s\n", error.text);
    }
    after = info_of(index);
    CHECK(after.point_count >= before.point_count && after.is_complete >= before.is_complete);
    biost_stream_close(stream);
    biost_reader_close(reader);
}

/* An index is filled with one set of rules, and lent with the same. */
TEST(index, rules_of_gzip) {
    static const setting with = {1, 700, 300, BIOST_PARALLEL_GZIP_NEVER, 0};
    uint64_t random = test_seed() + 133;
    unsigned k;
    for (k = 0; k < 4; ++k) {
        biost_index *index = index_open(0);
        biost_stream *stream;
        stream_end end;
        input_make(TEXT_FASTQ, FILE_MEMBERS, TEXT_BYTES, random);
        memset(&in.rules, 0, sizeof in.rules);
        end = end_wanted();
        stream = stream_open(&with, index);
        stream_goes_to(stream, in.known.text.count, 0, 0, &end);
        in.rules.ignore_bc = k == 0;
        in.rules.read_past_zeros = k == 1;
        in.rules.ignore_garbage = k == 2;
        in.rules.require = k == 3;
        biost_stream_close(stream);
        lending_refused(index, BIOST_ERR_ARG, "ARGUMENT", "desc.gzip");
        CHECK(biost_index_save(index, "build/index_rules.bsx", NULL) ==
              BIOST_OK); /* and so it is when loaded */
        biost_index_close(index);
        index = index_load("build/index_rules.bsx");
        lending_refused(index, BIOST_ERR_ARG, "ARGUMENT", "desc.gzip");
        memset(&in.rules, 0, sizeof in.rules);
        in.rules.require_eof_block = 1; /* that is about the end alone */
        stream = stream_open(&with, index);
        stream_goes_to(stream, in.known.text.count / 2, 100, 0, &end);
        biost_stream_close(stream);
        biost_index_close(index);
    }
    remove("build/index_rules.bsx");
    input_free();
}

/* Without checks of CRC-32 nothing is added, for a point has the sum so far; what there is can be used. */
TEST(index, without_sums) {
    static const setting with = {1, 700, 300, BIOST_PARALLEL_GZIP_NEVER, 0};
    uint64_t random = test_seed() + 134;
    biost_index *index = index_open(0);
    biost_stream *stream;
    biost_index_info info;
    stream_end end;
    input_make(TEXT_FASTQ, FILE_PLAIN + 1, TEXT_BYTES, random);
    end = end_wanted();
    in.rules.no_crc = 1;
    stream = stream_open(&with, index);
    CHECK(biost_stream_seek(stream, in.known.text.count) == BIOST_OK);
    (void)end_of(stream);
    biost_stream_close(stream);
    info = info_of(index);
    CHECK(info.point_count == 0 && info.source_bytes == 0 && !info.is_complete);
    in.rules.no_crc = 0;
    stream = stream_open(&with, index);
    stream_goes_everywhere(stream, 20, &random, &end);
    CHECK(biost_stream_seek(stream, in.known.text.count) == BIOST_OK);
    (void)end_of(stream);
    biost_stream_close(stream);
    info = info_of(index);
    CHECK(info.point_count > 0 && info.is_complete);
    in.rules.no_crc = 1;
    stream = stream_open(&with, index);
    stream_goes_everywhere(stream, 20, &random, &end);
    biost_stream_close(stream);
    biost_index_close(index);
    input_free();
}

/* While it is filled it has one object; complete and with its records it has any number. */
TEST(index, lent_to_one_then_to_many) {
    uint64_t random = test_seed() + 131;
    biost_index *index = index_open(0);
    biost_stream *stream, *streams[3];
    biost_reader *reader, *readers[3];
    stream_end end;
    unsigned i;
    input_make(TEXT_FASTQ, FILE_LEVEL_6, TEXT_BYTES, random);
    end = end_wanted();
    stream = stream_open(&settings[1], index);
    lending_refused(index, BIOST_ERR_ARG, "ARGUMENT", "desc.index");
    stream_goes_to(stream, in.known.text.count / 2, 1000, 0, &end);
    lending_refused(index, BIOST_ERR_ARG, "ARGUMENT", "desc.index");
    stream_goes_to(stream, 5, SIZE_MAX, 0, &end);
    lending_refused(index, BIOST_ERR_ARG, "ARGUMENT", "desc.index"); /* its records are not known */
    biost_stream_close(stream);
    reader = reader_open(&settings[2], index);
    lending_refused(index, BIOST_ERR_ARG, "ARGUMENT", "being filled");
    reader_goes_to(reader, in.known.count / 2, 3, 0);
    biost_reader_close(reader);
    reader = reader_open(&settings[0], index);
    reader_reads_on(reader, 0);
    biost_reader_close(reader);
    info_is_whole(index, FILE_LEVEL_6, 1);
    for (i = 0; i < 3; ++i) {
        streams[i] = stream_open(&settings[i], index);
        readers[i] = reader_open(&settings[i + 1], index);
    }
    for (i = 0; i < 60; ++i) {
        stream_goes_to(streams[i % 3], maker_below(&random, (uint32_t)in.known.text.count), 300, i, &end);
        reader_goes_to(readers[(i + 1) % 3], maker_below(&random, (uint32_t)in.known.count), 2, i);
    }
    for (i = 0; i < 3; ++i) {
        biost_stream_close(streams[i]);
        biost_reader_close(readers[i]);
    }
    info_is_whole(index, FILE_LEVEL_6, 1);
    biost_index_close(index);
    input_free();
}

/* One of several threads with a reader each, over one index. */
typedef struct seeker {
    pthread_t thread;
    biost_index *index;
    unsigned number;
} seeker;

static void *seeker_run(void *argument) {
    const seeker *s = (const seeker *)argument;
    uint64_t random = s->number * 7919u + 1;
    biost_reader *reader = reader_open(&settings[s->number], s->index);
    unsigned i;
    for (i = 0; i < (MAKER_SLOW ? 30u : 100u); ++i) {
        reader_goes_to(reader, maker_below(&random, (uint32_t)in.known.count), 3, i);
    }
    reader_goes_to(reader, in.known.count, 1, 0);
    reader_goes_to(reader, in.known.count - 5, 9, 0);
    CHECK(info_of(s->index).is_complete);
    biost_reader_close(reader);
    return NULL;
}

TEST(index, lent_to_threads) {
    static const file_kind kinds[] = {FILE_PLAIN, FILE_LEVEL_6, FILE_BGZF};
    uint64_t random = test_seed() + 132;
    unsigned k, i;
    for (k = 0; k < 3; ++k) {
        biost_index *index = index_open(0);
        biost_reader *reader;
        seeker seekers[3];
        input_make(TEXT_FASTQ, kinds[k], TEXT_BYTES, random);
        reader = reader_open(&settings[3], index);
        reader_reads_on(reader, 0);
        biost_reader_close(reader);
        for (i = 0; i < 3; ++i) {
            seekers[i].index = index;
            seekers[i].number = i;
            CHECK(pthread_create(&seekers[i].thread, NULL, seeker_run, &seekers[i]) == 0);
        }
        for (i = 0; i < 3; ++i) {
            pthread_join(seekers[i].thread, NULL);
        }
        biost_index_close(index);
    }
    input_free();
}

/* Another thread looks at an index while it is filled, and saves it. */
typedef struct watcher {
    const biost_index *index;
    const char *path;
    int stop;
    uint64_t rounds;
} watcher;

static void *watcher_run(void *argument) {
    watcher *w = (watcher *)argument;
    uint64_t count = 0;
    while (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE)) {
        biost_index *loaded = NULL;
        CHECK(biost_index_save(w->index, w->path, NULL) == BIOST_OK);
        if (CHECK(biost_index_load(w->path, NULL, &loaded, NULL) == BIOST_OK)) {
            CHECK(info_of(loaded).point_count >= count);
            count = info_of(loaded).point_count;
        }
        biost_index_close(loaded);
        ++w->rounds;
    }
    return NULL;
}

TEST(index, saved_by_another_thread) {
    static const char *const names[] = {"watched.idx"};
    uint64_t random = test_seed() + 133;
    biost_index *index = index_open(0);
    biost_reader *reader;
    pthread_t thread;
    watcher w = {NULL, NULL, 0, 0};
    input_make(TEXT_FASTQ, FILE_LEVEL_6, 4 * TEXT_BYTES, random);
    reader = reader_open(&settings[3], index);
    w.index = index;
    w.path = file_path(names[0]);
    REQUIRE(pthread_create(&thread, NULL, watcher_run, &w) == 0);
    reader_reads_on(reader, 0);
    reader_goes_everywhere(reader, 20, &random);
    __atomic_store_n(&w.stop, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    biost_reader_close(reader);
    CHECK(biost_index_save(index, w.path, NULL) == BIOST_OK); /* at least once */
    info_is_whole(index, FILE_LEVEL_6, 1);
    biost_index_close(index);
    file_clean(names, 1);
    input_free();
}

/* It belongs to the bytes it was filled from: their size, and 64 KiB at both ends. */
TEST(index, of_another_input) {
    static const file_kind kinds[] = {FILE_PLAIN, FILE_STORED, FILE_BGZF};
    uint64_t random = test_seed() + 134;
    unsigned k;
    for (k = 0; k < 3; ++k) {
        biost_index *index = index_open(0);
        biost_reader *reader;
        maker_bytes *file = &in.file.file;
        size_t count;
        input_make(TEXT_FASTQ, kinds[k], k < 2 ? 150000 : 400000, random);
        in.path = NULL;
        CHECK(file->count > 2 * 65536);
        reader = reader_open(&settings[4], index);
        reader_goes_to(reader, in.known.count / 2, 2, 0);
        biost_reader_close(reader);
        count = file->count;
        file->data[100] ^= 1;
        lending_refused(index, BIOST_ERR_STALE, "INDEX_STALE", "memory");
        file->data[100] ^= 1;
        file->data[count - 100] ^= 1;
        lending_refused(index, BIOST_ERR_STALE, "INDEX_STALE", "memory");
        file->data[count - 100] ^= 1;
        file->data[count - 65536] ^= 1; /* the first byte of the last 64 KiB */
        lending_refused(index, BIOST_ERR_STALE, "INDEX_STALE", "memory");
        file->data[count - 65536] ^= 1;
        file->data[65535] ^= 1; /* the last of the first */
        lending_refused(index, BIOST_ERR_STALE, "INDEX_STALE", "memory");
        file->data[65535] ^= 1;
        --file->count;
        lending_refused(index, BIOST_ERR_STALE, "INDEX_STALE", "memory");
        file->count += 1;
        maker_bytes_add(file, "\n", 1);
        lending_refused(index, BIOST_ERR_STALE, "INDEX_STALE", "memory");
        --file->count;
        reader = reader_open(&settings[4], index); /* its own is fine still */
        reader_reads_on(reader, 0);
        reader_goes_everywhere(reader, 5, &random);
        biost_reader_close(reader);
        file->data[100] ^= 1; /* complete or not */
        lending_refused(index, BIOST_ERR_STALE, "INDEX_STALE", "memory");
        biost_index_close(index);
    }
    input_free();
}

/* ---- inputs that come piece by piece ---- */

typedef struct dripping {
    size_t at;
    unsigned rewinds;
} dripping;

static int64_t drip(void *to, size_t count, void *user_data) {
    dripping *d = (dripping *)user_data;
    size_t left = in.file.file.count - d->at, take = count < 3000 ? count : 3000;
    take = take < left ? take : left;
    if (take > 0) {
        memcpy(to, in.file.file.data + d->at, take);
    }
    d->at += take;
    return (int64_t)take;
}

static int drip_rewind(void *user_data) {
    dripping *d = (dripping *)user_data;
    d->at = 0;
    ++d->rewinds;
    return 1;
}

static biost_callback drip_from(dripping *d, int rewinds) {
    biost_callback callback;
    memset(&callback, 0, sizeof callback);
    memset(d, 0, sizeof *d);
    callback.read = drip;
    callback.rewind = rewinds ? drip_rewind : NULL;
    callback.user_data = d;
    callback.name = "drip";
    return callback;
}

TEST(index, callbacks) {
    uint64_t random = test_seed() + 140;
    unsigned kind, k;
    for (kind = 0; kind < FILE_KINDS; ++kind) {
        for (k = 0; k < 2; ++k) {
            biost_index *index = index_open(0);
            biost_stream_desc s;
            biost_reader_desc r;
            biost_stream *stream = NULL;
            biost_reader *reader = NULL;
            biost_error error;
            stream_end end;
            dripping d;
            memset(&error, 0, sizeof error);
            input_make(TEXT_FASTQ, (file_kind)kind, 15000, random);
            in.path = NULL;
            test_note("%s, rewinds: %u", file_names[kind], k);
            end = end_wanted();
            end.progress.source_total_bytes = 0;
            s = stream_desc(&settings[kind % SETTINGS], index);
            memset(&s.memory, 0, sizeof s.memory);
            s.callback = drip_from(&d, (int)k);
            CHECK_EQ_I64(biost_stream_open(&s, &stream, &error), BIOST_ERR_ARG); /* nothing to tie it to */
            CHECK(stream == NULL && error.fault == BIOST_FAULT_ARGUMENT);
            CHECK(strstr(error.text, "index") != NULL);
            r = reader_desc(&settings[kind % SETTINGS], index);
            memset(&r.memory, 0, sizeof r.memory);
            r.callback = s.callback;
            CHECK_EQ_I64(biost_reader_open(&r, &reader, &error), BIOST_ERR_ARG);
            CHECK(reader == NULL && error.fault == BIOST_FAULT_ARGUMENT);
            CHECK(strstr(error.text, "index") != NULL);
            s.callback = drip_from(&d, (int)k);
            s.index = NULL;
            REQUIRE(biost_stream_open(&s, &stream, NULL) == BIOST_OK);
            stream_goes_to(stream, 3000, 100, 0, &end);
            stream_goes_to(stream, 9000, 100, 0, &end);
            if (k == 0) {
                CHECK_EQ_I64(biost_stream_seek(stream, 8999), BIOST_ERR_UNSUPPORTED);
                stream_goes_to(stream, 12000, SIZE_MAX, 2, &end); /* that ended nothing */
                CHECK_EQ_I64(biost_stream_seek(stream, 0), BIOST_ERR_UNSUPPORTED);
            } else {
                stream_goes_everywhere(stream, 10, &random, &end);
                CHECK(d.rewinds > 0);
            }
            biost_stream_close(stream);
            r.callback = drip_from(&d, (int)k);
            r.index = NULL;
            reader = reader_open_desc(&r);
            reader_goes_to(reader, 10, 2, 0);
            reader_goes_to(reader, 30, 2, 0);
            if (k == 0) {
                CHECK_EQ_I64(biost_reader_seek(reader, 29), BIOST_ERR_UNSUPPORTED);
                reader_goes_to(reader, 40, 2, 0);
                reader_reads_on(reader, 42);
                CHECK_EQ_I64(biost_reader_seek(reader, 0), BIOST_ERR_UNSUPPORTED);
            } else {
                reader_goes_everywhere(reader, 10, &random);
                CHECK(d.rewinds > 0);
            }
            biost_reader_close(reader);
            CHECK_EQ_U64(info_of(index).source_bytes, 0); /* it was lent to none of them */
            biost_index_close(index);
        }
    }
    input_free();
}

/* A pipe has no size either. It is open for writing here, so that opening it for reading waits for nobody. */
TEST(index, pipes) {
#ifdef _WIN32
    TEST_SKIP("FIFOs, which Windows has not");
#else
    static const char *const names[] = {"fifo"};
    const char *path = file_path(names[0]);
    biost_index *index = index_open(0);
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    biost_error error;
    FILE *both;
    memset(&error, 0, sizeof error);
    REQUIRE(mkfifo(path, 0600) == 0);
    both = fopen(path, "r+b");
    REQUIRE(both != NULL);
    CHECK(fputs("@r\nACGT\n+\nIIII\n", both) >= 0 && fflush(both) == 0);
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    desc.index = index;
    CHECK_EQ_I64(biost_stream_open(&desc, &stream, &error), BIOST_ERR_ARG);
    CHECK(stream == NULL && error.fault == BIOST_FAULT_ARGUMENT && strstr(error.text, "index") != NULL);
    biost_stream_close(stream);
    fclose(both);
    biost_index_close(index);
    file_clean(names, 1);
#endif
}

/* ---- calls at the wrong time ---- */

TEST(index, seeks_that_are_refused) {
    uint64_t random = test_seed() + 141;
    biost_index *index = index_open(0);
    biost_reader_desc desc;
    biost_stream *stream;
    biost_reader *reader;
    biost_record_page page;
    stream_end end;
    input_make(TEXT_FASTQ, FILE_BGZF, TEXT_BYTES, random);
    end = end_wanted();
    reader = reader_open(&settings[1], index);
    REQUIRE(biost_reader_next_page(reader, &page) == BIOST_OK); /* pages still lent */
    CHECK_EQ_I64(biost_reader_seek(reader, 7), BIOST_ERR_ARG);
    CHECK_EQ_U64(page.id, 0);
    CHECK(page.text[page.rows[0].start] == '@');
    next_is(reader, &in.known.records[page.row_count]); /* that ended nothing, and moved nothing */
    CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
    reader_goes_to(reader, 7, 3, 0);
    biost_reader_close(reader);
    stream = stream_open(&settings[1], index); /* a reader over a stream */
    memset(&desc, 0, sizeof desc);
    desc.stream = stream;
    reader = reader_open_desc(&desc);
    next_is(reader, &in.known.records[0]);
    CHECK_EQ_I64(biost_reader_seek(reader, 0), BIOST_ERR_ARG);
    next_is(reader, &in.known.records[1]);
    biost_reader_close(reader);
    stream_goes_to(stream, 77, 1000, 0, &end); /* the stream is the caller's again */
    biost_stream_cancel(stream);
    CHECK_EQ_I64(biost_stream_seek(stream, 0), BIOST_CANCELLED);
    biost_stream_close(stream);
    memset(&desc, 0, sizeof desc); /* an index beside a stream */
    stream = stream_open(&settings[1], NULL);
    desc.stream = stream;
    desc.index = index;
    reader = NULL;
    CHECK_EQ_I64(biost_reader_open(&desc, &reader, NULL), BIOST_ERR_ARG);
    biost_reader_close(reader);
    biost_stream_close(stream);
    biost_index_close(index);
    input_free();
}

/* No text, and gzip of none. */
TEST(index, empty_inputs) {
    unsigned k;
    for (k = 0; k < 3; ++k) {
        biost_index *index = index_open(0);
        biost_stream *stream;
        biost_reader *reader;
        uint8_t byte;
        size_t got;
        input_free();
        maker_begin(&in.file);
        maker_bytes_add(&in.file.file, NULL, 0);
        if (k == 1) {
            maker_pack(&in.file, NULL, "", 0, -1);
        } else if (k == 2) {
            maker_eof_block(&in.file);
        }
        test_note("%s", k == 0 ? "no bytes" : k == 1 ? "an empty member" : "an empty block");
        stream = stream_open(&settings[0], index);
        CHECK_EQ_I64(biost_stream_seek(stream, 0), BIOST_OK);
        CHECK(biost_stream_read(stream, &byte, 1, &got) == BIOST_END);
        CHECK_EQ_I64(biost_stream_seek(stream, 1), BIOST_END);
        CHECK_EQ_I64(biost_stream_seek(stream, 0), BIOST_OK);
        biost_stream_close(stream);
        reader = reader_open(&settings[0], index);
        CHECK(biost_reader_seek(reader, 3) == BIOST_END);
        next_is(reader, NULL);
        CHECK(biost_reader_seek(reader, 0) >= 0);
        next_is(reader, NULL);
        biost_reader_close(reader);
        biost_index_close(index);
    }
    input_free();
}

/* ---- memory ---- */

/*
 * The least budget, over a file with more points than it holds. A point takes 104 bytes at least, which is
 * what is saved of one; so 65536 hold at most 630.
 */
TEST(index, small_budgets) {
    static const file_kind kinds[] = {FILE_PLAIN, FILE_LEVEL_1, FILE_LEVEL_6, FILE_MEMBERS, FILE_BGZF};
    static const setting fine[] = {{1, 100, 500, BIOST_PARALLEL_GZIP_NEVER, 0},
                                   {2, 200, 1000, BIOST_PARALLEL_GZIP_ALWAYS, 0}};
    uint64_t random = test_seed() + 150;
    unsigned k;
    for (k = 0; k < 10; ++k) {
        const setting *with = &fine[k % 2];
        biost_index_desc desc;
        biost_index *index = NULL;
        biost_index_info info;
        biost_reader *reader;
        biost_stream *stream;
        stream_end end;
        counted count;
        memset(&desc, 0, sizeof desc);
        desc.budget_bytes = 65536;
        desc.allocator = counted_allocator(&count);
        input_make(k % 3 == 2 ? TEXT_FASTA : TEXT_FASTQ, kinds[k / 2], 150000, random);
        end = end_wanted();
        REQUIRE(biost_index_open(&desc, &index, NULL) == BIOST_OK);
        CHECK_EQ_U64(info_of(index).memory_bytes, count.now_bytes);
        CHECK(count.now_bytes >= 32768 && count.now_bytes <= 65536 + 4096);
        reader = reader_open(with, index);
        reader_reads_on(reader, 0);
        info = info_of(index);
        CHECK(info.is_complete && info.has_records);
        CHECK(info.point_count >= 1 && info.point_count <= 65536 / 104);
        CHECK(info.spacing_bytes >= 2 * with->chunk_bytes); /* it was used up, and halved */
        CHECK_EQ_U64(info.memory_bytes, count.now_bytes);
        CHECK(count.peak_bytes <= 65536 + 4096);
        reader_goes_everywhere(reader, 40, &random);
        biost_reader_close(reader);
        stream = stream_open(with, index);
        stream_goes_everywhere(stream, 20, &random, &end);
        biost_stream_close(stream);
        biost_index_close(index);
        CHECK_EQ_U64(count.blocks, 0);
        CHECK_EQ_U64(count.now_bytes, 0);
    }
    {
        biost_index_desc desc;
        biost_index *index = NULL;
        biost_error error;
        memset(&desc, 0, sizeof desc);
        memset(&error, 0, sizeof error);
        desc.budget_bytes = 65535;
        CHECK_EQ_I64(biost_index_open(&desc, &index, &error), BIOST_ERR_ARG);
        CHECK(index == NULL && strstr(error.text, "budget_bytes") != NULL);
    }
    input_free();
}

/* A saved index is loaded with all its points, whatever the budget says. */
TEST(index, loaded_with_less_memory) {
    static const char *const names[] = {"large.idx"};
    static const setting fine = {1, 100, 500, BIOST_PARALLEL_GZIP_NEVER, 0};
    const char *path = file_path(names[0]);
    uint64_t random = test_seed() + 151;
    biost_index *index = index_open(0), *loaded = NULL;
    biost_index_desc desc;
    biost_reader *reader;
    input_make(TEXT_FASTQ, FILE_LEVEL_6, 150000, random);
    reader = reader_open(&fine, index);
    reader_reads_on(reader, 0);
    biost_reader_close(reader);
    CHECK(biost_index_save(index, path, NULL) == BIOST_OK);
    memset(&desc, 0, sizeof desc);
    desc.budget_bytes = 65536;
    REQUIRE(biost_index_load(path, &desc, &loaded, NULL) == BIOST_OK);
    info_same(index, loaded);
    reader = reader_open(&settings[1], loaded);
    reader_goes_everywhere(reader, 100, &random);
    biost_reader_close(reader);
    biost_index_close(loaded);
    biost_index_close(index);
    file_clean(names, 1);
    input_free();
}

/* The n-th allocation is refused: of open, of load, and of what the index is lent to. */
TEST(index, refused_memory) {
    static const char *const names[] = {"refused.idx"};
    const char *path = file_path(names[0]);
    uint64_t random = test_seed() + 152;
    biost_index *index = index_open(0), *other;
    biost_reader *reader;
    biost_index_desc desc;
    biost_error error;
    counted count;
    unsigned round, refusals[3] = {0, 0, 0};
    uint64_t fail_at;
    biost_result result;
    input_make(TEXT_FASTQ, FILE_LEVEL_6, TEXT_BYTES / 3, random);
    reader = reader_open(&settings[0], index);
    reader_goes_to(reader, in.known.count / 2, 2, 0);
    biost_reader_close(reader);
    CHECK(biost_index_save(index, path, NULL) == BIOST_OK);
    for (round = 0; round < 2; ++round) {
        for (fail_at = 1, result = BIOST_ERR_NOMEM; result != BIOST_OK && fail_at < 50; ++fail_at) {
            memset(&desc, 0, sizeof desc);
            memset(&error, 0, sizeof error);
            desc.allocator = counted_allocator(&count);
            count.fail_at = fail_at;
            other = NULL;
            result = round == 0 ? biost_index_open(&desc, &other, &error)
                                : biost_index_load(path, &desc, &other, &error);
            if (result != BIOST_OK) {
                CHECK_EQ_I64(result, BIOST_ERR_NOMEM);
                CHECK(other == NULL && count.refused && error.fault == BIOST_FAULT_MEMORY);
                CHECK_EQ_U64(count.blocks, 0);
                ++refusals[round];
            }
        }
        CHECK(result == BIOST_OK && refusals[round] > 0);
        biost_index_close(other);
        CHECK_EQ_U64(count.blocks, 0);
    }
    for (fail_at = 1, result = BIOST_ERR_NOMEM; result != BIOST_OK && fail_at < 50; ++fail_at) {
        biost_reader_desc r = reader_desc(&settings[1], index);
        r.allocator = counted_allocator(&count);
        count.fail_at = fail_at;
        reader = NULL;
        result = biost_reader_open(&r, &reader, &error);
        if (result != BIOST_OK) {
            CHECK_EQ_I64(result, BIOST_ERR_NOMEM);
            CHECK(reader == NULL);
            CHECK_EQ_U64(count.blocks, 0);
            ++refusals[2];
            reader = reader_open(&settings[2], index); /* nobody has it now */
            reader_goes_to(reader, fail_at, 2, 0);
            biost_reader_close(reader);
            reader = NULL;
        } else {
            count.fail_at = 0;
            reader_reads_on(reader, 0);
            biost_reader_close(reader);
            CHECK_EQ_U64(count.blocks, 0);
        }
    }
    CHECK(result == BIOST_OK && refusals[2] > 0);
    info_is_whole(index, FILE_LEVEL_6, 1);
    biost_index_close(index);
    file_clean(names, 1);
    input_free();
}
/* ---- rules of text ---- */

/* Every seventh record has its sequence and quality in two lines, every eleventh a blank line after it. */
static bytes ruled_text(unsigned count) {
    bytes text = {NULL, 0, 0};
    char words[256];
    unsigned i;
    for (i = 0; i < count; ++i) {
        const char *cut = i % 7 == 6 ? "\n" : "";
        snprintf(words, sizeof words,
                 "@r%u\nACGTACGTACGTACGTACGTACGT%sACGTACGTACGTACGT\n+\nIIIIIIIIIIIIIIIIIIIIIIII%"
                 "sIIIIIIIIIIIIIIII\n%s",
                 i, cut, cut, i % 11 == 10 ? "\n" : "");
        bytes_words(&text, words);
    }
    return text;
}

static biost_reader_desc ruled_desc(const bytes *text, biost_index *index) {
    biost_reader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text->data;
    desc.memory.bytes = text->count;
    desc.index = index;
    return desc;
}

/* Read `count` records, or all; what ended it. */
static biost_result ruled_read(const biost_reader_desc *desc, unsigned count) {
    biost_reader *reader = reader_open_desc(desc);
    biost_result result = BIOST_OK;
    biost_record record;
    while (count-- > 0 && result == BIOST_OK) {
        result = biost_reader_next(reader, &record);
    }
    biost_reader_close(reader);
    return result;
}

/* Record `number` by a seek is the one that reading from the start gives. */
static void ruled_seek(const biost_reader_desc *desc, uint64_t number) {
    biost_reader_desc plain = *desc;
    biost_reader *reader, *seeks = reader_open_desc(desc);
    biost_record record, wanted;
    plain.index = NULL;
    reader = reader_open_desc(&plain);
    do {
        CHECK(biost_reader_next(reader, &wanted) == BIOST_OK);
    } while (wanted.id < number);
    CHECK(biost_reader_seek(seeks, number) == BIOST_OK && biost_reader_next(seeks, &record) == BIOST_OK);
    CHECK_EQ_U64(record.id, wanted.id);
    CHECK_EQ_U64(record.text_offset, wanted.text_offset);
    CHECK_EQ_U64(record.name_bytes, wanted.name_bytes);
    CHECK_MEM(record.name, wanted.name, wanted.name_bytes);
    biost_reader_close(reader);
    biost_reader_close(seeks);
}

/* A seek by an index made under other rules is refused, and names the field; the reader goes on. */
static void ruled_refuses(const biost_reader_desc *desc, const char *field) {
    biost_reader *reader = reader_open_desc(desc);
    biost_record record;
    CHECK(biost_reader_next(reader, &record) == BIOST_OK && record.id == 0);
    CHECK(biost_reader_seek(reader, 3000) == BIOST_ERR_ARG);
    if (CHECK(biost_reader_error(reader) != NULL)) {
        char words[128];
        CHECK(biost_reader_error(reader)->fault == BIOST_FAULT_INDEX_RULES);
        snprintf(words, sizeof words, "another %s: ", field);
        CHECK(strstr(biost_reader_error(reader)->text, words) != NULL);
    }
    CHECK(biost_reader_next(reader, &record) == BIOST_OK && record.id == 1);
    CHECK(biost_reader_error(reader) == NULL);
    CHECK(biost_reader_seek(reader, 0) == BIOST_OK && biost_reader_next(reader, &record) == BIOST_OK);
    CHECK_EQ_U64(record.id, 0);
    biost_reader_close(reader);
}

/* The text, from a byte in its middle on, by a stream that has the index. */
static void ruled_stream(const bytes *text, biost_index *index) {
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    uint8_t got[1000];
    size_t count = 0, at = text->count / 2;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text->data;
    desc.memory.bytes = text->count;
    desc.index = index;
    CHECK(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
    CHECK(biost_stream_seek(stream, at) == BIOST_OK);
    CHECK(biost_stream_read(stream, got, sizeof got, &count) == BIOST_OK && count == sizeof got);
    CHECK_MEM(got, text->data + at, sizeof got);
    biost_stream_close(stream);
}

/* The index of four_lines and skip_bad numbers other records than a reader without them. */
TEST(index_rules, another_rule_is_named) {
    static const char path[] = "build/test_index_rules.bsx";
    static const biost_text_rules as_kseq = BIOST_TEXT_AS_KSEQ;
    bytes text = ruled_text(8000);
    unsigned k, loaded;
    for (k = 0; k < 17; ++k) {
        biost_index *index = index_open(0);
        biost_reader_desc made = ruled_desc(&text, index), used = made;
        const char *field = NULL;
        switch (k) {
        case 0: break;
        case 1:
            made.text.four_lines = 1, made.text.skip_bad = UINT64_MAX, field = "desc.text.four_lines";
            break;
        case 2: used.text.four_lines = 1, field = "desc.text.four_lines"; break;
        case 3: made.text.pedantic = 1, made.text.skip_bad = UINT64_MAX, field = "desc.text.pedantic"; break;
        case 4: made.text.skip_comments = 1, field = "desc.text.skip_comments"; break;
        case 5: made.text.strip_blanks = 1, field = "desc.text.strip_blanks"; break;
        case 6: used.text.keep_gt = 1, field = "desc.text.keep_gt"; break;
        case 7: used.text.ignore_plus = 1, field = "desc.text.ignore_plus"; break;
        case 8: used.text.phred64 = 1, used.text.skip_bad = 1, field = "desc.text.phred64"; break;
        case 9:
            used.text.letters = BIOST_LETTERS_DNA, field = "desc.text.letters (or replace_letters)";
            break;
        case 10: /* the bad record has a number too */ made.text.skip_bad = 1; break;
        case 11:
            made.text.skip_bad = 1, used.text.skip_bad = 1, used.max_record_bytes = 10000;
            field = "desc.max_record_bytes";
            break;
        case 12: made.text.skip_junk = 1, field = "desc.text.skip_junk"; break;
        case 13: used.text.high_bytes = 1, field = "desc.text.high_bytes"; break;
        case 14: made.text.mixed = 1, field = "desc.text.mixed"; break;
        case 15:
            made.text = used.text = as_kseq, used.text.loose = 0;
            field = "desc.text.loose";
            break;
        default: /* these change no number */
            made.text.require_record = 1, made.max_record_bytes = 10000;
            used.text.letters = BIOST_LETTERS_DNA, used.text.replace_letters = 1;
        }
        test_note("case %u", k);
        CHECK(ruled_read(&made, UINT32_MAX) == BIOST_END);
        for (loaded = 0; loaded < 2; ++loaded) {
            CHECK(info_of(index).point_count > 3 && info_of(index).has_records);
            made.index = used.index = index;
            if (field == NULL) {
                ruled_seek(&used, 5999);
            } else {
                ruled_refuses(&used, field);
            }
            ruled_seek(&made, 5999);
            ruled_stream(&text, index);
            if (loaded == 0) {
                CHECK(biost_index_save(index, path, NULL) == BIOST_OK);
                biost_index_close(index);
                REQUIRE(biost_index_load(path, NULL, &index, NULL) == BIOST_OK);
            }
        }
        biost_index_close(index);
    }
    remove(path);
    bytes_free(&text);
}

/* Who adds the first record decides; another adds points of the text alone. */
TEST(index_rules, the_first_who_fills_it_decides) {
    bytes text = ruled_text(8000);
    biost_index *index = index_open(0);
    biost_reader_desc four = ruled_desc(&text, index), plain = four;
    four.text.four_lines = 1;
    four.text.skip_bad = UINT64_MAX;
    CHECK(ruled_read(&plain, 0) == BIOST_OK); /* of no record yet: it decides nothing */
    CHECK(ruled_read(&four, 4000) == BIOST_OK);
    CHECK(info_of(index).point_count > 1 && !info_of(index).is_complete);
    CHECK(ruled_read(&plain, UINT32_MAX) == BIOST_END);
    CHECK(info_of(index).is_complete && !info_of(index).has_records);
    ruled_refuses(&plain, "desc.text.four_lines");
    ruled_stream(&text, index);
    ruled_seek(&four, 4500);
    CHECK(ruled_read(&four, UINT32_MAX) == BIOST_END);
    CHECK(info_of(index).has_records);
    ruled_seek(&four, 4500);
    ruled_refuses(&plain, "desc.text.four_lines");
    biost_index_close(index);
    bytes_free(&text);
}

/* A loader's records and those of a reader have the same numbers, under the same rules. */
TEST(index_rules, loaders_and_readers) {
    bytes text = ruled_text(8000);
    unsigned k;
    for (k = 0; k < 2; ++k) {
        biost_index *index = index_open(0);
        biost_reader_desc used = ruled_desc(&text, index);
        biost_loader_desc desc;
        biost_loader *loader = NULL;
        biost_batch batch;
        biost_result result;
        memset(&desc, 0, sizeof desc);
        desc.memories = &used.memory;
        desc.memory_count = 1;
        desc.indexes = &index;
        desc.workers = 2;
        desc.epochs = 1;
        desc.text.four_lines = (int)k;
        desc.text.skip_bad = k == 0 ? 0 : UINT64_MAX;
        REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
        CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
        while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
            biost_loader_release(loader, &batch);
        }
        CHECK(result == BIOST_END);
        biost_loader_close(loader);
        CHECK(info_of(index).has_records && info_of(index).record_count > 5999);
        if (k == 0) {
            ruled_seek(&used, 5999);
        } else {
            ruled_refuses(&used, "desc.text.four_lines");
            used.text = desc.text;
            used.max_record_bytes = 64 << 20; /* a loader's default */
            ruled_seek(&used, 5999);
        }
        biost_index_close(index);
    }
    bytes_free(&text);
}

/* After a seek to the end there was a record. */
TEST(index_rules, require_record_after_a_seek) {
    bytes text = ruled_text(8000);
    biost_index *index = index_open(0);
    biost_reader_desc desc = ruled_desc(&text, index);
    biost_reader *reader;
    biost_record record;
    desc.text.require_record = 1;
    CHECK(ruled_read(&desc, UINT32_MAX) == BIOST_END);
    reader = reader_open_desc(&desc);
    CHECK(biost_reader_seek(reader, 8000) == BIOST_OK);
    CHECK(biost_reader_next(reader, &record) == BIOST_END);
    biost_reader_close(reader);
    biost_index_close(index);
    bytes_free(&text);
}
