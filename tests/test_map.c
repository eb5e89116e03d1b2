/*
 * test_map.c - mapped files: whatever reading gives, mapping gives too; what is mapped is unmapped; and
 * what shall not or cannot be mapped is read.
 *
 * rooms: source platform
 * needs: loader threads hooks data
 */
#include "hooks.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* How many mappings there are and were; counted by whatever thread makes them. */
static struct {
    pthread_mutex_t lock;
    long now, total;
    size_t bytes; /* of the last one */
    int refuse;
} maps = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 0};

static void count_map(long more, size_t bytes) {
    pthread_mutex_lock(&maps.lock);
    maps.now += more;
    if (more > 0) {
        maps.total += 1;
        maps.bytes = bytes;
    }
    pthread_mutex_unlock(&maps.lock);
}

static long maps_now(void) {
    long now;
    pthread_mutex_lock(&maps.lock);
    now = maps.now;
    pthread_mutex_unlock(&maps.lock);
    return now;
}

static void *counted_map(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
    void *memory = MAP_FAILED;
    errno = ENODEV;
    if (!maps.refuse) {
        memory = mmap(at, bytes, protection, flags, file, offset);
    }
    if (memory != MAP_FAILED) {
        count_map(1, bytes);
    }
    return memory;
}

static int counted_unmap(void *memory, size_t bytes) {
    count_map(-1, bytes);
    return munmap(memory, bytes);
}

HOOKS_SET {
    os_mmap = counted_map;
    os_munmap = counted_unmap;
}

#include "peeks.h"

#include "test.h"

#include "loader_oracle.h"

#include "records_oracle.h"

#include "reader_collect.h"

/* ---- the same by reading and by mapping ---- */

static void check_same(const collected *read, const collected *mapped) {
    CHECK_EQ_I64(mapped->result, read->result);
    CHECK_EQ_U64(mapped->text.count, read->text.count);
    if (mapped->text.count == read->text.count && read->text.count > 0) {
        CHECK_MEM(mapped->text.data, read->text.data, read->text.count);
    }
    CHECK_EQ_U64(mapped->records, read->records);
    CHECK_EQ_U64(mapped->started, read->started);
    CHECK(mapped->format == read->format && mapped->warnings == read->warnings);
    CHECK(mapped->error.fault == read->error.fault);
    CHECK_STR(mapped->error.text, read->error.text);
    CHECK_EQ_U64(mapped->error.text_offset, read->error.text_offset);
    CHECK_EQ_U64(mapped->progress.text_bytes, read->progress.text_bytes);
    if (read->result == BIOST_END) { /* else how far was read ahead may differ */
        CHECK_EQ_U64(mapped->progress.source_bytes, read->progress.source_bytes);
    }
    CHECK(memcmp(&mapped->stats, &read->stats, sizeof read->stats) == 0);
}

/* One file both ways, with pages and chunks of many sizes; the file must be left as it is. */
static void check_file(const char *path, const biost_text_rules *rules, int all_cuts) {
    static const uint32_t pages[] = {0, 4096, 777, 64, 17, 16}, chunks[] = {0, 4096, 1};
    size_t before_bytes, after_bytes;
    uint8_t *before = test_read_file(path, &before_bytes), *after;
    unsigned i, styles = COLLECT_STYLES;
    for (i = 0; i < (all_cuts ? 6u : 2u) * styles; ++i) {
        collected read, mapped;
        biost_reader_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.path = path;
        desc.text = *rules;
        desc.stats = 1;
        desc.test.page_bytes = pages[i / styles];
        desc.test.chunk_bytes = chunks[i / styles % 3];
        desc.workers = i % 4 == 3 ? 2 : 0;
        collect(&read, &desc, (collect_style)(i % styles));
        desc.map = 1;
        collect(&mapped, &desc, (collect_style)(i % styles));
        test_note("%s, %s, pages of %u", path, collect_names[i % styles], desc.test.page_bytes);
        check_same(&read, &mapped);
        CHECK_EQ_I64(maps_now(), 0);
        collected_free(&read);
        collected_free(&mapped);
    }
    after = test_read_file(path, &after_bytes);
    CHECK(after_bytes == before_bytes && (after_bytes == 0 || memcmp(after, before, before_bytes) == 0));
    free(before);
    free(after);
}

/* All texts and gzip files of the semantics cases, by strict rules and by loose ones. */
TEST(map, semantics_cases) {
    size_t count;
    uint8_t *table = test_read_file(TEST_DATA "/semantics/EXPECTED.tsv", &count);
    bytes text = {NULL, 0, 0};
    biost_text_rules strict, loose;
    char *line;
    unsigned cases = 0;
    long total = maps.total;
    REQUIRE(table != NULL);
    memset(&strict, 0, sizeof strict);
    loose = strict;
    loose.skip_bad = 1000;
    loose.strip_blanks = 1;
    loose.letters = BIOST_LETTERS_DNA;
    loose.replace_letters = 1;
    bytes_add(&text, table, count);
    bytes_byte(&text, 0);
    for (line = strtok((char *)text.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char path[256];
        size_t name = strcspn(line, "\t");
        if (line[0] != '#' && line[name] == '\t' && memchr(line, '/', name) != NULL) {
            snprintf(path, sizeof path, TEST_DATA "/semantics/%.*s", (int)name, line);
            check_file(path, &strict, (int)test_effort(0, 1));
            check_file(path, &loose, 0);
            ++cases;
        }
    }
    CHECK(cases >= 160);
    CHECK(maps.total > total + 100);
    bytes_free(&text);
    free(table);
}

/* `count` records with lines of LF or CR LF, of 1 to `most` bases and qualities from `zero` on; then one
   that fills the text up to `fill` bytes, unless there are as many. */
static void make_text_from(bytes *text, unsigned count, unsigned most, int returns, size_t fill,
                           unsigned zero, uint64_t *random) {
    const char *end = returns ? "\r\n" : "\n";
    unsigned i, k;
    for (i = 0; i < count; ++i) {
        unsigned bases = 1 + random_below(random, most);
        char title[32];
        snprintf(title, sizeof title, "@read_%u x%s", i, end);
        bytes_words(text, title);
        for (k = 0; k < bases; ++k) {
            bytes_byte(text, (unsigned)"ACGTN"[random_below(random, 5)]);
        }
        bytes_words(text, end);
        bytes_words(text, i % 3 == 0 ? "+" : "+read_");
        if (i % 3 != 0) {
            snprintf(title, sizeof title, "%u%s", i, i % 3 == 1 ? " x" : "");
            bytes_words(text, title);
        }
        bytes_words(text, end);
        for (k = 0; k < bases; ++k) {
            bytes_byte(text, zero + random_below(random, 42));
        }
        bytes_words(text, end);
    }
    if (fill > text->count + 10 && (fill - text->count) % 2 == 0) { /* "@f\n" "+\n" and two ends, and one */
        bytes_words(text, "@");
    } else if (fill > text->count + 10) {
        bytes_words(text, "@f");
    }
    if (fill > text->count + 10) {
        size_t bases = (fill - text->count - 5) / 2;
        bytes_words(text, "\n");
        for (k = 0; k < bases; ++k) {
            bytes_byte(text, 'A');
        }
        bytes_words(text, "\n+\n");
        for (k = 0; k < bases; ++k) {
            bytes_byte(text, 'I');
        }
        bytes_words(text, "\n");
        CHECK_EQ_U64(text->count, fill);
    }
}

static void make_text(bytes *text, unsigned count, unsigned most, int returns, size_t fill,
                      uint64_t *random) {
    make_text_from(text, count, most, returns, fill, 33, random);
}

/* Ends at, before and after the end of a page of the system: what is read after the end must be there. */
TEST(map, every_end_around_a_system_page) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    biost_text_rules rules;
    uint64_t random = 5;
    long total = maps.total;
    int k;
    const char *names[] = {"ends.fastq"};
    memset(&rules, 0, sizeof rules);
    for (k = -70; k <= 6; ++k) {
        bytes text = {NULL, 0, 0};
        size_t bytes_wanted = (size_t)((long)(2 * page) + k);
        make_text(&text, 20, 50, k % 5 == 0, bytes_wanted, &random);
        file_write(file_path(names[0]), text.data, text.count);
        check_file(file_path(names[0]), &rules, k > -3 && k < 3);
        bytes_free(&text);
    }
    CHECK(maps.total > total);
    file_clean(names, 1);
}

/* Records that pages cut, some longer than the room in front of a page; and every rule that changes text. */
TEST(map, records_over_page_ends) {
    static const unsigned most[] = {1, 40, 400, 3000, 60000};
    const char *names[] = {"cuts.fastq"};
    uint64_t random = 6;
    unsigned k;
    for (k = 0; k < 20; k += test_effort(3, 1)) {
        bytes text = {NULL, 0, 0};
        biost_text_rules rules;
        memset(&rules, 0, sizeof rules);
        rules.letters = k % 4 == 1 ? BIOST_LETTERS_DNA : BIOST_LETTERS_ANY;
        rules.replace_letters = k % 4 == 1;
        rules.skip_bad = k % 4 == 2 ? 1000 : 0;
        rules.phred64 = k % 4 == 3;
        make_text_from(&text, most[k % 5] > 1000 ? 30 : 200, most[k % 5], k % 2 == 1, 0,
                       rules.phred64 ? 64 : 33, &random);
        if (k % 4 == 2) { /* some damage */
            text.data[random_below(&random, (uint32_t)text.count)] = '\n';
            text.data[random_below(&random, (uint32_t)text.count)] = 7;
        }
        text.data[0] = '@';
        file_write(file_path(names[0]), text.data, text.count);
        check_file(file_path(names[0]), &rules, most[k % 5] < 1000);
        bytes_free(&text);
    }
    file_clean(names, 1);
}

/* ---- what is not mapped ---- */

static void *hook_open(const char *path, void *user_data) {
    (void)user_data;
    return fopen(path, "rb");
}

static int64_t hook_read_at(void *file, uint64_t offset, void *buffer, size_t capacity, void *user_data) {
    (void)user_data;
    if (fseek((FILE *)file, (long)offset, SEEK_SET) != 0) {
        return -1;
    }
    return (int64_t)fread(buffer, 1, capacity, (FILE *)file);
}

static int64_t hook_size(void *file, void *user_data) {
    (void)user_data;
    return fseek((FILE *)file, 0, SEEK_END) == 0 ? (int64_t)ftell((FILE *)file) : -1;
}

static void hook_close(void *file, void *user_data) {
    (void)user_data;
    fclose((FILE *)file);
}

/* Mappings that are there while the first page of records is held. */
static long maps_while_reading(const biost_reader_desc *desc) {
    biost_reader *reader = NULL;
    biost_record record;
    biost_error error;
    long now = -1;
    if (CHECK(biost_reader_open(desc, &reader, &error) == BIOST_OK)) {
        (void)(biost_reader_next(reader, &record) == BIOST_OK);
        now = maps_now();
    }
    biost_reader_close(reader);
    return now;
}

TEST(map, only_plain_fastq_of_the_system) {
    static const char fastq[] = "@a\nACGT\n+\nIIII\n", fasta[] = ">a\nACGT\nAC\n";
    const char *names[] = {"a.fastq", "a.fasta", "a.gz", "none"};
    const biost_files hooks = {hook_open, hook_read_at, hook_size, hook_close, NULL};
    bytes packed = {NULL, 0, 0};
    unsigned k;
    gzip_member(&packed, (const uint8_t *)fastq, sizeof fastq - 1, 100);
    file_write(file_path(names[0]), fastq, sizeof fastq - 1);
    file_write(file_path(names[1]), fasta, sizeof fasta - 1);
    file_write(file_path(names[2]), packed.data, packed.count);
    file_write(file_path(names[3]), "", 0);
    for (k = 0; k < 6; ++k) {
        collected c;
        biost_reader_desc desc;
        long total = maps.total;
        memset(&desc, 0, sizeof desc);
        desc.path = file_path(names[k % 4]);
        desc.map = 1;
        if (k == 4) {
            desc.files = hooks;
        }
        maps.refuse = k == 5;
        if (k == 5) {
            desc.path = file_path(names[0]);
        }
        test_note("case %u", k);
        collect(&c, &desc, COLLECT_NEXT);
        CHECK_EQ_I64(c.result, BIOST_END);
        CHECK_EQ_U64(c.records, k == 3 ? 0 : 1);
        CHECK_EQ_I64(maps_now(), 0);
        CHECK(k != 0 || (maps.total == total + 1 && maps.bytes == sizeof fastq - 1));
        CHECK_EQ_I64(maps_while_reading(&desc), k == 0);
        maps.refuse = 0;
        CHECK(k < 3 || maps.total == total); /* empty, hooks, refused */
        collected_free(&c);
    }
    bytes_free(&packed);
    file_clean(names, 4);
}

TEST(map, belongs_to_the_stream_given) {
    static const char fastq[] = "@a\nACGT\n+\nIIII\n";
    const char *names[] = {"a.fastq"};
    biost_stream_desc desc;
    biost_reader_desc over;
    biost_stream *stream = NULL;
    biost_reader *reader = NULL;
    biost_record record;
    biost_error error;
    file_write(file_path(names[0]), fastq, sizeof fastq - 1);
    memset(&desc, 0, sizeof desc);
    desc.path = file_path(names[0]);
    desc.map = 1;
    REQUIRE(biost_stream_open(&desc, &stream, &error) == BIOST_OK);
    memset(&over, 0, sizeof over);
    over.stream = stream;
    over.map = 1;
    CHECK(biost_reader_open(&over, &reader, &error) == BIOST_ERR_ARG);
    CHECK(strstr(error.text, "map") != NULL);
    over.map = 0;
    REQUIRE(biost_reader_open(&over, &reader, &error) == BIOST_OK);
    CHECK(biost_reader_next(reader, &record) == BIOST_OK);
    CHECK(record.seq_bases == 4 && memcmp(record.seq, "ACGT", 4) == 0);
    biost_reader_close(reader);
    biost_stream_close(stream);
    CHECK_EQ_I64(maps_now(), 0);
    file_clean(names, 1);
}

/* ---- changes, and how long a mapping stays ---- */

/* A file that grew since it was opened is refused at its end; everything before is delivered. */
TEST(map, a_file_that_grows) {
    const char *names[] = {"grows.fastq"};
    uint64_t random = 9;
    int map;
    for (map = 0; map < 2; ++map) {
        bytes text = {NULL, 0, 0};
        biost_reader_desc desc;
        biost_reader *reader = NULL;
        collected c;
        biost_error error;
        memset(&c, 0, sizeof c);
        make_text(&text, 9000, 200, 0, 0, &random); /* more than is looked at in one go */
        file_write(file_path(names[0]), text.data, text.count);
        memset(&desc, 0, sizeof desc);
        desc.path = file_path(names[0]);
        desc.map = map;
        REQUIRE(biost_reader_open(&desc, &reader, &error) == BIOST_OK);
        CHECK_EQ_I64(maps_now(), map);
        bytes_words(&text, "@late\nA\n+\nI\n");
        file_write(file_path(names[0]), text.data, text.count); /* it is cut to 0 on the way */
        collect_reader(reader, COLLECT_NEXT, &c);
        CHECK_EQ_U64(c.records, 9000);
        CHECK_EQ_I64(c.result, BIOST_ERR_STALE);
        CHECK_STR(biost_fault_name(c.error.fault), "CHANGED");
        biost_reader_close(reader);
        CHECK_EQ_I64(maps_now(), 0);
        collected_free(&c);
        bytes_free(&text);
    }
    file_clean(names, 1);
}

/* A file that shrank between open and the first page is not mapped: it would kill this process. */
TEST(map, a_file_that_shrank) {
    const char *names[] = {"shrank.fastq"};
    uint64_t random = 13;
    bytes text = {NULL, 0, 0};
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    biost_page page;
    biost_error error;
    biost_result result;
    long total = maps.total;
    make_text(&text, 300, 200, 0, 0, &random);
    file_write(file_path(names[0]), text.data, text.count);
    memset(&desc, 0, sizeof desc);
    desc.path = file_path(names[0]);
    desc.map = 1;
    REQUIRE(biost_stream_open(&desc, &stream, &error) == BIOST_OK);
    file_write(file_path(names[0]), text.data, 100);
    while ((result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
        CHECK_MEM(page.text, text.data + page.text_offset, page.text_bytes);
    }
    CHECK_EQ_I64(result, BIOST_ERR_STALE);
    CHECK_EQ_I64(maps.total, total);
    biost_stream_close(stream);
    bytes_free(&text);
    file_clean(names, 1);
}

/* Pages lent stay readable when all text was read, whatever became of the others. */
TEST(map, pages_held_to_the_end) {
    const char *names[] = {"held.fastq"};
    uint64_t random = 10;
    bytes text = {NULL, 0, 0};
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_record_page first, page;
    biost_error error;
    biost_result result;
    size_t bases = 0;
    uint32_t i;
    make_text(&text, 3000, 200, 0, 0, &random);
    file_write(file_path(names[0]), text.data, text.count);
    memset(&desc, 0, sizeof desc);
    desc.path = file_path(names[0]);
    desc.map = 1;
    desc.workers = 2;
    REQUIRE(biost_reader_open(&desc, &reader, &error) == BIOST_OK);
    REQUIRE(biost_reader_next_page(reader, &first) == BIOST_OK);
    while ((result = biost_reader_next_page(reader, &page)) == BIOST_OK) {
        bases += page.row_count;
        CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
    }
    CHECK_EQ_I64(result, BIOST_END);
    CHECK_EQ_U64(bases + first.row_count, 3000);
    for (i = 0; i < first.row_count; ++i) {
        const biost_record_row *row = &first.rows[i];
        CHECK_MEM(first.text + row->start, text.data + first.text_offset + row->text_offset,
                  row->qual + row->bases - row->start);
    }
    biost_reader_close(reader);
    CHECK_EQ_I64(maps_now(), 0);
    bytes_free(&text);
    file_clean(names, 1);
}

/* ---- the loader ---- */

/* A digest over the batches of some epochs; *out_most: mappings at a time. */
static uint64_t digest_of(const biost_loader_desc *desc, unsigned epochs, long *out_most) {
    biost_loader *loader = NULL;
    biost_error error;
    biost_batch batch;
    biost_result result = BIOST_OK;
    uint64_t digest = 0, epoch;
    long now;
    *out_most = 0;
    if (!CHECK(biost_loader_open(desc, &loader, &error) == BIOST_OK)) {
        return 0;
    }
    for (epoch = 0; epoch < epochs; ++epoch) {
        CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
        while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
            digest = digest * UINT64_C(0x9E3779B97F4A7C15) + batch.digest;
            now = maps_now();
            *out_most = now > *out_most ? now : *out_most;
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        digest = digest * 31 + (uint64_t)(int64_t)result;
    }
    biost_loader_close(loader);
    return digest;
}

TEST(map, batches_of_a_loader) {
    const char *names[] = {"0.fastq", "1.fastq", "2.fastq", "3.fastq", "4.fastq", "5.fastq"};
    const char *paths[6];
    uint64_t random = 11, expected = 0;
    biost_loader_desc desc;
    unsigned k;
    for (k = 0; k < 6; ++k) {
        bytes text = {NULL, 0, 0};
        make_text(&text, k == 3 ? 1 : 400, 150, k % 2 == 1, k == 4 ? 131072 : 0, &random);
        paths[k] = file_path(names[k]);
        file_write(paths[k], text.data, text.count);
        bytes_free(&text);
    }
    memset(&desc, 0, sizeof desc);
    desc.paths = paths;
    desc.path_count = 6;
    desc.batch_rows = 32;
    desc.row_bases = 150;
    desc.long_records = BIOST_LONG_SPLIT;
    desc.shuffle_rows = 100;
    desc.digest = 1;
    desc.epochs = 2;
    for (k = 0; k < 18; ++k) {
        long total = maps.total, most;
        uint64_t digest;
        desc.map = k > 0;
        desc.workers = 1 + k % 3;
        desc.test.page_bytes = k < 6 ? 0 : k < 12 ? 4096 : 100 + k;
        desc.test.chunk_bytes = k % 2 == 0 ? 0 : 1000;
        digest = digest_of(&desc, 2, &most);
        expected = k == 0 ? digest : expected;
        test_note("case %u", k);
        CHECK_EQ_U64(digest, expected);
        CHECK_EQ_I64(maps_now(), 0);
        CHECK_EQ_I64(maps.total - total, k == 0 ? 0 : 12); /* each file once an epoch */
        CHECK(desc.workers > 1 || most < 6);               /* not all at a time */
    }
    file_clean(names, 6);
}

/* A file that is another one when its turn comes is not mapped, but refused. */
TEST(map, a_file_changed_before_its_turn) {
    const char *names[] = {"0.fastq", "1.fastq"}, *paths[2];
    uint64_t random = 12;
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_error error;
    biost_batch batch;
    biost_result result;
    unsigned k, rows = 0;
    for (k = 0; k < 2; ++k) {
        bytes text = {NULL, 0, 0};
        make_text(&text, 64, 100, 0, 0, &random);
        paths[k] = file_path(names[k]);
        file_write(paths[k], text.data, text.count);
        bytes_free(&text);
    }
    memset(&desc, 0, sizeof desc);
    desc.paths = paths;
    desc.path_count = 2;
    desc.batch_rows = 16;
    desc.row_bases = 100;
    desc.workers = 1;
    desc.map = 1;
    REQUIRE(biost_loader_open(&desc, &loader, &error) == BIOST_OK);
    file_write(paths[1], "@a\nA\n+\nI\n", 9);
    REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK);
    while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        rows += batch.valid_rows;
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK_EQ_I64(result, BIOST_ERR_STALE);
    CHECK_EQ_U64(rows, 64);
    biost_loader_close(loader);
    CHECK_EQ_I64(maps_now(), 0);
    file_clean(names, 2);
}
