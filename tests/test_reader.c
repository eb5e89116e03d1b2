/*
 * test_reader.c - records of one file through the public calls: views, long records, every prefix,
 * every cut of pages and chunks, the semantics cases, real files, and what happens without memory or
 * with files that cannot be read.
 *
 * rooms: reader carry lines
 * needs: threads hooks data
 */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64
#include "hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The n-th read fails, counted from 1; 0: none. */
static unsigned long reads_done, reads_fail_at;

/* Both may be called by several threads at a time. */
static pthread_mutex_t counts_lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t failing_pread(int file, void *out, size_t count, off_t offset) {
    int fails;
    pthread_mutex_lock(&counts_lock);
    fails = ++reads_done == reads_fail_at;
    pthread_mutex_unlock(&counts_lock);
    if (fails) {
        errno = EIO;
        return -1;
    }
    return pread(file, out, count, offset);
}

/* malloc refuses more than this; and the most it was asked for. */
static size_t malloc_most = SIZE_MAX, malloc_asked;

static void *short_malloc(size_t bytes) {
    pthread_mutex_lock(&counts_lock);
    malloc_asked = bytes > malloc_asked ? bytes : malloc_asked;
    pthread_mutex_unlock(&counts_lock);
    return bytes > malloc_most ? NULL : malloc(bytes);
}

HOOKS_SET {
    os_pread = failing_pread;
    os_malloc = short_malloc;
}

#include "peeks.h"

#include "test.h"

#include "sha256.h"

#include "inputs.h"

#include "records_oracle.h"

#include "reader_collect.h"

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

/* ---- everything a reader says ---- */

/* Records in one fixed way with all their numbers, then result, error and warnings: two runs are equal
   if these are. */
typedef struct said {
    bytes all;       /* records with numbers, and how it ended                          */
    bytes canonical; /* records alone: @title LF seq LF + LF qual LF, or >title LF seq LF */
    uint64_t records, bases;
    biost_result result;
    biost_format format;
    biost_error error;
} said;

static void said_free(said *s) {
    bytes_free(&s->all);
    bytes_free(&s->canonical);
}

static void said_record(said *s, const biost_record *record) {
    CHECK_EQ_U64(record->id, s->records);
    bytes_words(&s->canonical, record->qual == NULL ? ">" : "@");
    bytes_add(&s->canonical, record->title, record->title_bytes);
    bytes_words(&s->canonical, "\n");
    bytes_add(&s->canonical, record->seq, record->seq_bases);
    bytes_words(&s->canonical, "\n");
    if (record->qual != NULL) {
        bytes_words(&s->canonical, "+\n");
        bytes_add(&s->canonical, record->qual, record->seq_bases);
        bytes_words(&s->canonical, "\n");
    }
    bytes_number(&s->all, record->line, 8);
    bytes_number(&s->all, record->text_offset, 8);
    bytes_number(&s->all, record->title_bytes, 8);
    bytes_number(&s->all, record->name_bytes, 8);
    bytes_add(&s->all, record->name, record->name_bytes);
    bytes_number(&s->all, record->comment_bytes, 8);
    bytes_add(&s->all, record->comment, record->comment_bytes);
    ++s->records;
    s->bases += record->seq_bases;
}

/* Read to the end or the error, which must stay. */
static void said_read(said *s, const biost_reader_desc *desc) {
    biost_reader *reader = NULL;
    biost_record record;
    int i;
    memset(s, 0, sizeof *s);
    s->result = biost_reader_open(desc, &reader, &s->error);
    if (s->result != BIOST_OK) {
        CHECK(reader == NULL && s->error.code == s->result && s->error.text[0] != '\0');
        return;
    }
    CHECK(biost_reader_error(reader) == NULL);
    while ((s->result = biost_reader_next(reader, &record)) == BIOST_OK) {
        said_record(s, &record);
    }
    for (i = 0; i < 3; ++i) {
        CHECK(biost_reader_next(reader, &record) == s->result);
    }
    s->format = biost_reader_format(reader);
    if (s->result < 0) {
        if (CHECK(biost_reader_error(reader) != NULL)) {
            s->error = *biost_reader_error(reader);
            CHECK(s->error.code == s->result);
        }
    } else {
        CHECK(s->result == BIOST_END && biost_reader_error(reader) == NULL);
    }
    bytes_add(&s->all, s->canonical.data == NULL ? (const uint8_t *)"" : s->canonical.data,
              s->canonical.count);
    bytes_number(&s->all, (uint64_t)s->result + 100, 4);
    bytes_number(&s->all, s->error.fault, 4);
    bytes_number(&s->all, s->error.record, 8);
    bytes_number(&s->all, s->error.line, 8);
    bytes_number(&s->all, s->error.text_offset, 8);
    bytes_number(&s->all, s->error.source_offset, 8);
    bytes_add(&s->all, s->error.text, strlen(s->error.text));
    bytes_number(&s->all, s->result == BIOST_END ? biost_reader_warnings(reader) : 0, 4);
    biost_reader_close(reader);
}

/* Read bytes in memory that end where their block ends. */
static void said_memory(said *s, const void *data, size_t count, uint32_t page_bytes) {
    uint8_t *copy = test_copy(data, count);
    biost_reader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = copy;
    desc.memory.bytes = count;
    desc.test.page_bytes = page_bytes;
    said_read(s, &desc);
    free(copy);
}

/* Read the same bytes with other pages, chunks and from a file; all must say the same. */
static void said_everywhere(const said *first, const void *data, size_t count, const char *path) {
    static const uint32_t pages[] = {16, 17, 61, 4096, 16, 0}, chunks[] = {1, 7, 0, 1, 4096, 100};
    biost_reader_desc desc;
    said other;
    uint32_t i;
    for (i = 0; i < 6; ++i) {
        said_memory(&other, data, count, pages[i]);
        if (CHECK_EQ_U64(other.all.count, first->all.count)) {
            CHECK_MEM(other.all.data, first->all.data, first->all.count);
        } else {
            CHECK_STR(other.error.text, first->error.text);
        }
        said_free(&other);
    }
    if (path == NULL) {
        return;
    }
    file_write(path, data, count);
    for (i = 0; i < 6; ++i) {
        memset(&desc, 0, sizeof desc);
        desc.path = path;
        desc.test.page_bytes = pages[i];
        desc.test.chunk_bytes = chunks[i];
        said_read(&other, &desc);
        CHECK_EQ_U64(other.records, first->records);
        CHECK_EQ_U64(other.canonical.count, first->canonical.count);
        if (other.canonical.count == first->canonical.count && first->canonical.count > 0) {
            CHECK_MEM(other.canonical.data, first->canonical.data, first->canonical.count);
        }
        CHECK(other.result == first->result && other.error.fault == first->error.fault);
        if (first->result < 0) { /* the same words after another name */
            CHECK(strncmp(other.error.text, path, strlen(path)) == 0);
            CHECK_STR(other.error.text + strlen(path), first->error.text + strlen("memory"));
        }
        said_free(&other);
    }
}

/* ---- views ---- */

static void view_is(const char *view, size_t count, const char *expected) {
    CHECK_EQ_U64(count, strlen(expected));
    CHECK(view != NULL && strncmp(view, expected, count) == 0);
}

TEST(reader, views_of_fastq) {
    static const char text[] =
        "@r1 a comment\nACgtN\n+\nI!~@+\n\n@ r2\t x \nAC\nGT\n+ r2\t x \nII\nII\n@\n\n+\n\n";
    biost_reader_desc desc;
    biost_reader *reader;
    biost_record record;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = sizeof text - 1;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    CHECK(biost_reader_format(reader) == BIOST_FORMAT_FASTQ);
    REQUIRE(biost_reader_next(reader, &record) == BIOST_OK);
    view_is(record.title, record.title_bytes, "r1 a comment");
    view_is(record.name, record.name_bytes, "r1");
    view_is(record.comment, record.comment_bytes, "a comment");
    view_is(record.seq, record.seq_bases, "ACgtN");
    view_is(record.qual, 5, "I!~@+");
    CHECK(record.id == 0 && record.line == 1 && record.text_offset == 0);
    REQUIRE(biost_reader_next(reader, &record) == BIOST_OK);
    view_is(record.title, record.title_bytes, " r2\t x ");
    view_is(record.name, record.name_bytes, "r2");
    view_is(record.comment, record.comment_bytes, " x ");
    view_is(record.seq, record.seq_bases, "ACGT");
    view_is(record.qual, 4, "IIII");
    CHECK(record.id == 1 && record.line == 6 && record.text_offset == 29);
    REQUIRE(biost_reader_next(reader, &record) == BIOST_OK);
    view_is(record.title, record.title_bytes, "");
    view_is(record.name, record.name_bytes, "");
    view_is(record.comment, record.comment_bytes, "");
    view_is(record.seq, record.seq_bases, "");
    CHECK(record.qual != NULL && record.id == 2 && record.line == 12);
    CHECK(biost_reader_next(reader, &record) == BIOST_END);
    CHECK_EQ_U64(biost_reader_warnings(reader), BIOST_WARN_BLANK_LINES);
    biost_reader_close(reader);
}

TEST(reader, views_of_fasta) {
    static const char text[] = "\xEF\xBB\xBF>chr1 one\r\nACGT\r\nAC GT\r\n>\r\n>chr2\r\nNN";
    biost_reader_desc desc;
    biost_reader *reader;
    biost_record record;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = sizeof text - 1;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    REQUIRE(biost_reader_next(reader, &record) == BIOST_OK);
    view_is(record.name, record.name_bytes, "chr1");
    view_is(record.comment, record.comment_bytes, "one");
    view_is(record.seq, record.seq_bases, "ACGTACGT");
    CHECK(record.qual == NULL && record.line == 1 && record.text_offset == 3);
    REQUIRE(biost_reader_next(reader, &record) == BIOST_OK);
    view_is(record.seq, record.seq_bases, "");
    CHECK(record.id == 1 && record.line == 4);
    REQUIRE(biost_reader_next(reader, &record) == BIOST_OK);
    view_is(record.seq, record.seq_bases, "NN");
    CHECK(biost_reader_next(reader, &record) == BIOST_END);
    CHECK(biost_reader_format(reader) == BIOST_FORMAT_FASTA);
    CHECK_EQ_U64(biost_reader_warnings(reader), BIOST_WARN_BOM | BIOST_WARN_BLANKS_REMOVED);
    biost_reader_close(reader);
}

/* ---- cuts ---- */

TEST(reader, pages_and_chunks_change_nothing) {
    static const char *const names[] = {"cuts"};
    uint64_t random = test_seed();
    uint32_t i;
    for (i = 0; i < 24; ++i) {
        text_shape shape = {30, 0, 60, 0, 0, 0, 0, 1};
        bytes text = {NULL, 0, 0}, packed = {NULL, 0, 0};
        const bytes *input = &text;
        said first;
        shape.fasta = (int)(i % 2);
        shape.line_bases = i % 5 * 7;
        shape.crlf = i % 4 == 3;
        shape.no_last_feed = i % 3 == 1;
        text_make(&text, &shape, &random);
        if (i % 6 == 5) { /* damage */
            text.data[random_below(&random, (uint32_t)text.count)] = (uint8_t)random_below(&random, 256);
        }
        if (i % 4 >= 2) {
            gzip_make(&packed, &text, 500, 100, i % 8 >= 4);
            input = &packed;
        }
        if (i % 12 >= 10) {
            packed.count -= 9;
        }
        test_note("text %u", (unsigned)i);
        said_memory(&first, input->data, input->count, 0);
        said_everywhere(&first, input->data, input->count, file_path(names[0]));
        said_free(&first);
        bytes_free(&text);
        bytes_free(&packed);
    }
    file_clean(names, 1);
}

/* Random damage: whatever is said, all cuts say it. */
TEST(reader, damaged_text_is_judged_alike_in_every_cut) {
    static const char odd[] = "@>+;\n\r \t\0\x7f\x80I";
    uint64_t random = test_seed() + 1;
    uint32_t i, k;
    for (i = 0; i < 150; ++i) {
        text_shape shape = {6, 0, 12, 0, 0, 0, 0, 0};
        bytes text = {NULL, 0, 0};
        said first;
        shape.fasta = (int)(i % 2);
        shape.line_bases = i % 3 * 4;
        text_make(&text, &shape, &random);
        for (k = 0; k < 1 + i % 3; ++k) {
            text.data[random_below(&random, (uint32_t)text.count)] = (uint8_t)odd[random_below(&random, 12)];
        }
        test_note("text %u", (unsigned)i);
        said_memory(&first, text.data, text.count, 0);
        said_everywhere(&first, text.data, text.count, NULL);
        said_free(&first);
        bytes_free(&text);
    }
}

/* ---- long records ---- */

/* A record of exactly `count` bytes of text, line end not counted, in lines of `line` bases (0: one
   line). */
static void long_record(bytes *text, size_t count, int fasta, size_t line) {
    size_t start = text->count, bases = 0, i;
    if (fasta) {
        bytes_words(text, ">long\n");
        while (text->count - start < count) {
            bytes_byte(text, (uint8_t) "ACGT"[bases++ % 4]);
            if (line > 0 && bases % line == 0 && text->count - start + 1 < count) {
                bytes_words(text, "\n");
            }
        }
    } else { /* "@long", "+" and line ends are 9 bytes; where the rest is odd the title has one more */
        bytes_words(text, count % 2 == 0 ? "@long!\n" : "@long\n");
        bases = (count - 9) / 2;
        for (i = 0; i < bases; ++i) {
            bytes_byte(text, (uint8_t) "ACGT"[i % 4]);
        }
        bytes_words(text, "\n+\n");
        for (i = 0; i < bases; ++i) {
            bytes_byte(text, 33 + (unsigned)(i % 90));
        }
    }
    CHECK_EQ_U64(text->count - start, count);
    bytes_words(text, "\n");
}

TEST(reader, records_of_every_size_around_page_and_room) {
    static const size_t sizes[] = {20,    100,   4095,  4096,  4097,  32767, 32768,
                                   32769, 36863, 36864, 36865, 70001, 300000};
    static const uint32_t pages[] = {16, 4096, 0};
    uint32_t i, k, form;
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        for (form = 0; form < 3; ++form) {
            bytes text = {NULL, 0, 0};
            said first, other;
            long_record(&text, 30, form > 0, 0);
            long_record(&text, sizes[i], form > 0, form == 2 ? 60 : 0);
            long_record(&text, 41, form > 0, 0);
            long_record(&text, sizes[i] / 2 + 15, form > 0, form == 2 ? 60 : 0);
            bytes_words(&text, "\n  \n");
            long_record(&text, 25, form > 0, 0);
            test_note("size %u, form %u", (unsigned)sizes[i], (unsigned)form);
            said_memory(&first, text.data, text.count, 1u << 20);
            CHECK_EQ_U64(first.records, 5);
            CHECK(first.result == BIOST_END);
            if (form < 2) { /* one-line records come out as they went in, but for the blank lines */
                CHECK_EQ_U64(first.canonical.count, text.count - 4);
            }
            for (k = 0; k < 3; ++k) {
                said_memory(&other, text.data, text.count, pages[k]);
                if (CHECK_EQ_U64(other.all.count, first.all.count)) {
                    CHECK_MEM(other.all.data, first.all.data, first.all.count);
                }
                said_free(&other);
            }
            said_free(&first);
            bytes_free(&text);
        }
    }
}

/* A FASTQ record of several quality lines is known to be whole only after the blanks that follow;
   they may end a page while the record lies in the long buffer. */
TEST(reader, long_record_before_blanks_at_a_page_border) {
    uint32_t blanks, bases = 17000, i;
    for (blanks = 0; blanks < 40; ++blanks) {
        bytes text = {NULL, 0, 0};
        said first, other;
        bytes_words(&text, "@long\n");
        for (i = 0; i < bases; ++i) {
            bytes_byte(&text, 'A');
        }
        bytes_words(&text, "\nCC\n+\n");
        for (i = 0; i < bases; ++i) {
            bytes_byte(&text, 'I');
        }
        bytes_words(&text, "\nHH\n");
        for (i = 0; i < blanks; ++i) {
            bytes_words(&text, " ");
        }
        bytes_words(&text, blanks > 0 ? "\n@next\nACGT\n+\nFFFF\n" : "@next\nACGT\n+\nFFFF\n");
        test_note("%u blanks", (unsigned)blanks);
        said_memory(&first, text.data, text.count, 0);
        CHECK_EQ_U64(first.records, 2);
        CHECK_EQ_U64(first.bases, bases + 2 + 4);
        said_memory(&other, text.data, text.count, 16);
        if (CHECK_EQ_U64(other.all.count, first.all.count)) {
            CHECK_MEM(other.all.data, first.all.data, first.all.count);
        }
        said_free(&first);
        said_free(&other);
        bytes_free(&text);
    }
}

/* Where memory that nobody touches is for free, the buffer for a record of megabytes has room for the
   longest at once; without that much memory it grows to what is needed. */
TEST(reader, long_buffer_of_malloc) {
    static const size_t most[] = {SIZE_MAX, (size_t)32 << 20, (size_t)3 << 20};
    bytes text = {NULL, 0, 0}, joined = {NULL, 0, 0};
    size_t i;
    long_record(&text, 1500000, 1, 60);
    long_record(&text, 50, 1, 0);
    long_record(&text, 5000000, 1, 61);
    for (i = 0; i < text.count; ++i) { /* without the line ends inside the sequences */
        int in_title = i > 0 && text.data[i - 1] == 'g';
        if (text.data[i] != '\n' || in_title || i + 1 == text.count || text.data[i + 1] == '>') {
            bytes_byte(&joined, text.data[i]);
        }
    }
    for (i = 0; i < 3; ++i) {
        said s;
        test_note("malloc gives up to %lu bytes", (unsigned long)most[i]);
        malloc_most = most[i];
        malloc_asked = 0;
        said_memory(&s, text.data, text.count, 0);
        malloc_most = SIZE_MAX;
        CHECK(malloc_asked > (size_t)64 << 20);
        if (most[i] < 5000000) { /* the second record has no room */
            CHECK_EQ_U64(s.records, 2);
            CHECK(s.result == BIOST_ERR_NOMEM && s.error.fault == BIOST_FAULT_MEMORY);
        } else {
            CHECK(s.result == BIOST_END);
            CHECK_EQ_U64(s.canonical.count, joined.count);
        }
        CHECK(s.canonical.count <= joined.count);
        CHECK_MEM(s.canonical.data, joined.data, s.canonical.count);
        said_free(&s);
    }
    bytes_free(&text);
    bytes_free(&joined);
}

TEST(reader, longest_record_and_one_byte_more) {
    static const size_t caps[] = {40, 4096, 32768, 33000, 100001};
    static const uint32_t pages[] = {16, 1000, 0};
    uint32_t i, k, form;
    for (i = 0; i < 5; ++i) {
        for (k = 0; k < 3; ++k) {
            for (form = 0; form < 6; ++form) { /* exact or one more; FASTQ, FASTA, FASTA in lines */
                bytes text = {NULL, 0, 0};
                biost_reader_desc desc;
                counted count;
                said s;
                long_record(&text, 30, form / 2 > 0, 0);
                long_record(&text, caps[i] + form % 2, form / 2 > 0, form / 2 == 2 ? 37 : 0);
                long_record(&text, 30, form / 2 > 0, 0);
                memset(&desc, 0, sizeof desc);
                desc.memory.data = text.data;
                desc.memory.bytes = text.count;
                desc.max_record_bytes = caps[i];
                desc.test.page_bytes = pages[k];
                desc.allocator = counted_allocator(&count);
                said_read(&s, &desc);
                test_note("cap %u, page %u, form %u", (unsigned)caps[i], (unsigned)pages[k], (unsigned)form);
                CHECK_EQ_U64(s.records, form % 2 == 0 ? 3 : 1);
                if (form % 2 == 1) {
                    CHECK(s.result == BIOST_ERR_TOO_LONG && s.error.fault == BIOST_FAULT_RECORD_TOO_LONG);
                    CHECK(strstr(s.error.text, "desc.max_record_bytes") != NULL);
                    CHECK_EQ_U64(s.error.record, 1);
                } else {
                    CHECK(s.result == BIOST_END);
                }
                CHECK_EQ_U64(count.blocks, 0);
                CHECK(count.peak_bytes <
                      2 * (caps[i] + 200000) + 1000000); /* grows with the longest record, no further */
                said_free(&s);
                bytes_free(&text);
            }
        }
    }
}

/* ---- prefixes ---- */

/* Records of a prefix of plain text: the whole ones, and the last one where its quality is as long as
   its sequence already. Everything else is TRUNCATED, or clean where a record may end. */
TEST(reader, every_prefix_of_fastq) {
    static const char text[] = "@a x\nACGT\n+\nIIII\n@b\nAC\n+b\nII\n@c\n\n+\n\n@d\nA\n+\nI\n";
    /* where each record is complete: after the last quality character; @c has none, so after its '+' */
    static const size_t complete[] = {16, 28, 34, 44}, starts[] = {0, 17, 29, 36};
    size_t cut, i;
    for (cut = 0; cut < sizeof text; ++cut) {
        said s;
        size_t records = 0;
        int clean = 0;
        for (i = 0; i < 4; ++i) {
            records += cut >= complete[i];
            clean |= cut >= complete[i] && cut <= (i < 3 ? starts[i + 1] : sizeof text);
        }
        clean |= cut == 0;
        test_note("cut at %u", (unsigned)cut);
        said_memory(&s, text, cut, 0);
        CHECK_EQ_U64(s.records, records);
        CHECK_STR(biost_result_name(s.result), clean ? "END" : "ERR_TEXT");
        CHECK_STR(biost_fault_name(s.error.fault), clean ? "NONE" : "TRUNCATED");
        said_everywhere(&s, text, cut, NULL);
        said_free(&s);
    }
}

/* A gzip file ends well only as a whole, or cut between members. Of the text in front of the cut every
   whole record comes out. */
TEST(reader, every_prefix_of_gzip) {
    uint64_t random = test_seed() + 2;
    text_shape shape = {9, 1, 9, 0, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0}, packed = {NULL, 0, 0};
    size_t cut, k, member_ends[8], member_texts[8], members = 0, at;
    text_make(&text, &shape, &random);
    for (at = 0; at < text.count; at += 100) { /* members of 100 bytes in blocks of 40 */
        gzip_member(&packed, text.data + at, text.count - at < 100 ? text.count - at : 100, 40);
        member_texts[members] = text.count - at < 100 ? text.count : at + 100;
        member_ends[members++] = packed.count;
    }
    CHECK(members > 2);
    for (cut = 0; cut < packed.count; ++cut) {
        said s;
        size_t start = 0, there = 0, lines = 0;
        int border = cut == 0;
        for (k = 0; k < members && member_ends[k] <= cut; ++k) {
            start = member_ends[k];
            there = member_texts[k];
            border |= cut == start;
        }
        if (!border) { /* 10 bytes of header, then per block 5 bytes and up to 40 of text */
            size_t in_member = cut - start > 10 ? cut - start - 10 : 0, left = member_texts[k] - there;
            while (in_member > 5 && left > 0) {
                size_t take = in_member - 5 < 40 ? in_member - 5 : 40;
                take = take < left ? take : left;
                there += take;
                left -= take;
                in_member -= 5 + take;
            }
        }
        for (k = 0; k < there; ++k) {
            lines += text.data[k] == '\n';
        }
        test_note("cut at %u", (unsigned)cut);
        said_memory(&s, packed.data, cut, 0);
        if (cut == 0) {
            CHECK(s.result == BIOST_END);
        } else if (
            border) { /* whole members: only the text is cut off, perhaps right after its last character */
            CHECK(s.records == lines / 4 || s.records == lines / 4 + 1);
            CHECK(s.result == BIOST_END ||
                  (s.result == BIOST_ERR_TEXT && s.error.fault == BIOST_FAULT_TRUNCATED));
        } else {
            CHECK_EQ_U64(s.records, lines / 4);
            CHECK_STR(biost_result_name(s.result), "ERR_GZIP");
            CHECK_STR(biost_fault_name(s.error.fault), "TRUNCATED");
        }
        said_everywhere(&s, packed.data, cut, NULL);
        said_free(&s);
    }
    bytes_free(&text);
    bytes_free(&packed);
}

/* ---- the semantics cases ---- */

/* One line of EXPECTED.tsv that names a text. Columns: file, format, verdict, records, bases, sha256,
   fault, line. */
static void semantics_case(char *columns[8]) {
    char path[256], digest[65];
    uint8_t *data;
    sha256 hash;
    size_t count;
    said s;
    uint64_t records = strtoull(columns[3], NULL, 10), bases = strtoull(columns[4], NULL, 10);
    snprintf(path, sizeof path, TEST_DATA "/semantics/%s", columns[0]);
    data = test_read_file(path, &count);
    if (data == NULL) {
        return;
    }
    said_memory(&s, data, count, 0);
    if (strcmp(columns[2], "valid") == 0) {
        CHECK(s.result == BIOST_END);
        CHECK_EQ_U64(s.records, records);
        CHECK_EQ_U64(s.bases, bases);
        sha256_begin(&hash);
        sha256_add(&hash, s.canonical.data == NULL ? (const uint8_t *)"" : s.canonical.data,
                   s.canonical.count);
        sha256_end(&hash, digest);
        CHECK_STR(digest, columns[5]);
        CHECK_STR(s.format == BIOST_FORMAT_FASTA   ? "fasta"
                  : s.format == BIOST_FORMAT_FASTQ ? "fastq"
                                                   : "empty",
                  columns[1]);
    } else {
        CHECK(s.result < 0);
        CHECK_STR(biost_fault_name(s.error.fault), columns[6]);
        if (strcmp(columns[7], "-") != 0) {
            CHECK_EQ_U64(s.error.line, strtoull(columns[7], NULL, 10));
        }
        CHECK(s.records >= records);
    }
    said_everywhere(&s, data, count, NULL);
    said_free(&s);
    free(data);
}

TEST(reader, semantics_of_texts) {
    size_t count;
    uint8_t *table = test_read_file(TEST_DATA "/semantics/EXPECTED.tsv", &count);
    char *at, *end, *next;
    unsigned cases = 0;
    bytes text = {NULL, 0, 0};
    REQUIRE(table != NULL);
    bytes_add(&text, table, count);
    bytes_byte(&text, 0);
    for (at = (char *)text.data; *at != '\0'; at = next) {
        char *columns[8];
        int i;
        end = strchr(at, '\n');
        next = end == NULL ? at + strlen(at) : end + 1;
        if (end != NULL) {
            *end = '\0';
        }
        for (i = 0; i < 8 && at != NULL; ++i) {
            columns[i] = at;
            at = strchr(at, '\t');
            if (at != NULL) {
                *at++ = '\0';
            }
        }
        if (i == 8 && strncmp(columns[0], "fastx/", 6) == 0) {
            test_note("%s", columns[0]);
            semantics_case(columns);
            ++cases;
        }
    }
    CHECK_EQ_U64(cases, 100);
    bytes_free(&text);
    free(table);
}

/* ---- real files ---- */

/*
 * Numbers of the READMEs beside the files, where seqkit 2.3 agrees. Of those that are not in examples/data
 * TEST_DATA=DIR in the environment names the folder.
 */
typedef struct real_file {
    const char *name;
    int is_here;  /* in examples/data                                                     */
    int is_plain; /* four lines a record and '+' alone, so that it comes out as it is     */
    uint64_t records, bases, shortest, longest;
} real_file;

static const real_file real_files[] = {
    {"illumina_hiseqx_150bp.fastq.gz", 1, 1, 10000, 1500000, 150, 150},
    {"illumina_hiseqx_150bp.bgzf.fastq.gz", 1, 1, 10000, 1500000, 150, 150},
    {"illumina_hiseqx_150bp.multimember.fastq.gz", 0, 1, 10000, 1500000, 150, 150},
    {"illumina_hiseq2500_pair_R1.fastq.gz", 0, 1, 2500, 567516, 226, 229},
    {"illumina_hiseq2500_pair_R2.fastq.gz", 0, 1, 2500, 560002, 223, 225},
    {"illumina_hiseq_125bp_sra.fastq", 0, 0, 2000, 250000, 125, 125},
    {"illumina_gaii_72bp_SRR059298_subset.fastq.gz", 0, 0, 100000, 7200000, 72, 72},
    {"illumina_ecoli_1k_trimmed_R1.fastq.gz", 0, 1, 2054, 178211, 30, 100},
    {"illumina_ecoli_1k_trimmed_R2.fastq.gz", 0, 1, 2054, 175739, 30, 100},
    {"ont_cdna_pass.fastq.gz", 0, 1, 4000, 1798723, 153, 6006},
    {"ont_long_subset.fastq.gz", 0, 1, 61, 961406, 225, 393431},
    {"ont_qcat_nbd103.fastq.gz", 0, 1, 8, 74260, 4155, 19214},
    {"tenx_v2_R1_barcode_umi.fastq", 1, 1, 20, 520, 26, 26},
    {"tenx_v2_R2_cdna.fastq.gz", 1, 1, 20, 1960, 98, 98},
    {"ecoli_536_genome.fasta.gz", 1, 0, 1, 4938920, 4938920, 4938920},
    {"human_hg18_chrM_chr20part.bgzf.fasta.gz", 1, 0, 2, 1016571, 16571, 1000000},
    {"mirbase_mature_rna.fasta.gz", 0, 0, 35828, 781222, 15, 34},
};

/* Where a plain file is, zlib's text is the records'. */
static void check_text(const char *path, const collected *c) {
#ifdef HAVE_ZLIB
    gzFile file = gzopen(path, "rb");
    uint8_t *text = test_copy(NULL, c->text.count + 1);
    if (CHECK(file != NULL)) {
        CHECK_EQ_U64((uint64_t)gzread(file, text, (unsigned)c->text.count + 1), c->text.count);
        CHECK_MEM(c->text.data, text, c->text.count);
        gzclose(file);
    }
    free(text);
#else
    (void)path;
    (void)c;
#endif
}

/* One file by each call, one thread and two; every way must give the same. */
static void check_real_file(const real_file *file, const char *folder) {
    char path[512];
    collected first;
    unsigned k;
    snprintf(path, sizeof path, "%s/%s", folder, file->name);
    memset(&first, 0, sizeof first);
    for (k = 0; k < 6; ++k) {
        biost_reader_desc desc;
        collected c;
        memset(&desc, 0, sizeof desc);
        desc.path = path;
        desc.workers = k / 3 == 1 ? 2 : 0;
        desc.stats = 1;
        desc.text.pedantic = 1;
        desc.text.letters = strstr(path, "rna") == NULL ? BIOST_LETTERS_DNA : BIOST_LETTERS_RNA;
        test_note("%s, %s", file->name, collect_names[k % 3]);
        collect(&c, &desc, (collect_style)(k % 3));
        CHECK(c.result == BIOST_END && c.warnings == 0);
        CHECK_EQ_U64(c.records, file->records);
        CHECK_EQ_U64(c.bases, file->bases);
        CHECK_EQ_U64(c.shortest, file->shortest);
        CHECK_EQ_U64(c.longest, file->longest);
        CHECK_EQ_U64(c.progress.record_count, file->records);
        CHECK(c.format == (strstr(path, ".fasta") != NULL ? BIOST_FORMAT_FASTA : BIOST_FORMAT_FASTQ));
        if (k == 0) {
            first = c;
            continue;
        }
        if (CHECK_EQ_U64(c.text.count, first.text.count) && c.text.count > 0) {
            CHECK(memcmp(c.text.data, first.text.data, c.text.count) == 0);
        }
        CHECK_EQ_U64(c.stats.qual_sum, first.stats.qual_sum);
        CHECK_EQ_U64(c.stats.error_sum, first.stats.error_sum);
        CHECK_EQ_U64(c.stats.acgt_count, first.stats.acgt_count);
        CHECK_EQ_U64(c.stats.gc_count, first.stats.gc_count);
        CHECK_EQ_U64(c.stats.n_count, first.stats.n_count);
        collected_free(&c);
    }
    if (file->is_plain) {
        check_text(path, &first);
    }
    collected_free(&first);
}

TEST(reader, real_files) {
    const char *folder = getenv("TEST_DATA");
    size_t i;
    for (i = 0; i < sizeof real_files / sizeof real_files[0]; ++i) {
        if (real_files[i].is_here) {
            check_real_file(&real_files[i], "examples/data");
        }
        if (folder != NULL) {
            check_real_file(&real_files[i], folder);
        }
    }
}

/* ---- what cannot be read ---- */

TEST(reader, other_codecs_are_named) {
    static const struct {
        const char *start, *name;
        size_t count;
    } codecs[] = {{"PK\x03\x04", "zip", 4},
                  {"\x28\xB5\x2F\xFD", "zstd", 4},
                  {"BZh91AY&SY", "bzip2", 10},
                  {"\xFD"
                   "7zXZ\0",
                   "xz", 6}};
    uint32_t i;
    for (i = 0; i < 4; ++i) {
        uint8_t data[64];
        said s;
        memset(data, 1, sizeof data);
        memcpy(data, codecs[i].start, codecs[i].count);
        said_memory(&s, data, sizeof data, 0);
        CHECK(s.result == BIOST_ERR_UNSUPPORTED && s.error.fault == BIOST_FAULT_CODEC);
        CHECK(strstr(s.error.text, codecs[i].name) != NULL);
        said_everywhere(&s, data, sizeof data, NULL);
        said_free(&s);
    }
    {
        static const uint8_t nonsense[] = {1, 2, 3, 4, 5};
        said s;
        said_memory(&s, nonsense, sizeof nonsense, 0);
        CHECK(s.result == BIOST_ERR_GZIP && s.error.fault == BIOST_FAULT_NOT_GZIP);
        said_free(&s);
    }
}

TEST(reader, files_that_cannot_be_opened) {
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    desc.path = "tests/there/is/nothing";
    CHECK(biost_reader_open(&desc, &reader, &error) == BIOST_ERR_IO);
    CHECK(reader == NULL && error.fault == BIOST_FAULT_OPEN && error.os_error == ENOENT);
    CHECK(strncmp(error.text, desc.path, strlen(desc.path)) == 0);
    desc.path = "tests";
    CHECK(biost_reader_open(&desc, &reader, &error) == BIOST_ERR_IO);
    CHECK(reader == NULL && error.fault == BIOST_FAULT_DIRECTORY);
    CHECK(biost_reader_open(&desc, &reader, NULL) == BIOST_ERR_IO);
}

static void *refusing_alloc(size_t count, size_t align, void *user_data) {
    (void)count;
    (void)align;
    (void)user_data;
    return NULL;
}

TEST(reader, wrong_descs) {
    biost_reader_desc desc;
    biost_reader *reader;
    biost_record record;
    biost_error error;
    uint32_t i;
    for (i = 0; i < 5; ++i) {
        static const char *const fields[][2] = {
            {"path", "memory"}, {"path", "memory"}, {"alloc", "free"}, {"page_bytes", "16"}, {"desc", ""}};
        memset(&desc, 0, sizeof desc);
        desc.path = i == 0 ? NULL : "tests/white.h";
        desc.memory.data = i == 1 ? "x" : NULL;
        desc.allocator.alloc = i == 2 ? refusing_alloc : NULL;
        desc.test.page_bytes = i == 3 ? 15 : 0;
        reader = (biost_reader *)&desc; /* must become NULL */
        test_note("desc %u", (unsigned)i);
        CHECK(biost_reader_open(i == 4 ? NULL : &desc, &reader, &error) == BIOST_ERR_ARG);
        CHECK(reader == NULL);
        CHECK(error.code == BIOST_ERR_ARG && error.fault == BIOST_FAULT_ARGUMENT);
        CHECK(strstr(error.text, fields[i][0]) != NULL && strstr(error.text, fields[i][1]) != NULL);
    }
    memset(&desc, 0, sizeof desc);
    desc.path = "tests/white.h";
    CHECK(biost_reader_open(&desc, NULL, &error) == BIOST_ERR_ARG);
    CHECK(biost_reader_next(NULL, &record) == BIOST_ERR_ARG);
    CHECK(biost_reader_error(NULL) == NULL);
    biost_reader_close(NULL);
}

TEST(reader, empty_input) {
    said s;
    bytes none = {NULL, 0, 0}, packed = {NULL, 0, 0};
    said_memory(&s, "", 0, 0);
    CHECK(s.result == BIOST_END && s.records == 0 && s.format == BIOST_FORMAT_EMPTY);
    said_free(&s);
    bytes_words(&none, "");
    gzip_make(&packed, &none, 1, 1, 1);
    said_memory(&s, packed.data, packed.count, 0);
    CHECK(s.result == BIOST_END && s.records == 0);
    said_everywhere(&s, packed.data, packed.count, NULL);
    said_free(&s);
    bytes_free(&none);
    bytes_free(&packed);
}

/* Every read of a file fails in turn: the records before, then ERR_IO, which stays. */
TEST(reader, nth_read_fails) {
    static const char *const names[] = {"nth"};
    const char *path = file_path(names[0]);
    uint64_t random = test_seed() + 3, last = 0;
    text_shape shape = {40, 5, 20, 0, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0};
    biost_reader_desc desc;
    said s;
    unsigned long n;
    text_make(&text, &shape, &random);
    file_write(path, text.data, text.count);
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    desc.test.page_bytes = 64;
    desc.test.chunk_bytes = 100;
    for (n = 1;; ++n) {
        reads_done = 0;
        reads_fail_at = n;
        test_note("read %lu", n);
        said_read(&s, &desc);
        if (s.result == BIOST_END) {
            break;
        }
        CHECK(s.result == BIOST_ERR_IO && s.error.fault == BIOST_FAULT_READ && s.error.os_error == EIO);
        CHECK_EQ_U64(s.error.source_offset, 100 * (n - 1));
        CHECK(s.records >= last && s.records < 40);
        last = s.records;
        said_free(&s);
    }
    CHECK(n > text.count / 100 && last > 30);
    CHECK_EQ_U64(s.records, 40);
    said_free(&s);
    reads_fail_at = 0;
    file_clean(names, 1);
    bytes_free(&text);
}

TEST(reader, nth_allocation_fails) {
    bytes text = {NULL, 0, 0};
    uint64_t n;
    int on;
    long_record(&text, 50, 0, 0);
    long_record(&text, 60000, 0, 0);
    long_record(&text, 50, 0, 0);
    long_record(&text, 600000, 0, 0);
    for (on = 0; on < 2; ++on) {
        for (n = 1;; ++n) {
            biost_reader_desc desc;
            counted count;
            said s;
            memset(&desc, 0, sizeof desc);
            desc.memory.data = text.data;
            desc.memory.bytes = text.count;
            desc.test.page_bytes = 1000;
            desc.allocator = counted_allocator(&count);
            count.fail_at = n;
            count.fail_on = on;
            said_read(&s, &desc);
            test_note("allocation %u", (unsigned)n);
            CHECK_EQ_U64(count.blocks, 0);
            CHECK(s.result == (count.refused ? BIOST_ERR_NOMEM : BIOST_END));
            CHECK(!count.refused || s.error.fault == BIOST_FAULT_MEMORY);
            said_free(&s);
            if (!count.refused) {
                CHECK_EQ_U64(s.records, 4);
                break;
            }
        }
        CHECK(n > 3);
    }
    bytes_free(&text);
}

static void count_line(biost_result level, const char *sentence, void *user_data) {
    CHECK(level == BIOST_ERR_TEXT && strstr(sentence, "record 2") != NULL);
    ++*(unsigned *)user_data;
}

/* desc.log "receives what is worth a line". */
TEST(reader, error_is_logged_once) {
    static const char text[] = "@a\nA\n+\nI\n@b\n";
    biost_reader_desc desc;
    unsigned lines = 0;
    said s;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = sizeof text - 1;
    desc.log.line = count_line;
    desc.log.user_data = &lines;
    said_read(&s, &desc);
    CHECK(s.result == BIOST_ERR_TEXT);
    CHECK_EQ_U64(lines, 1);
    said_free(&s);
}

/* A stream whose last page its reader took is at its end, or at its error, and says so for ever. */
TEST(reader, stream_after_its_reader) {
    static const char text[] = "@a\nA\n+\nI\n";
    static const char cut[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03\x01"; /* a member that ends in its first block */
    unsigned k, i;
    for (k = 0; k < 2; ++k) {
        biost_stream_desc from;
        biost_reader_desc desc;
        biost_stream *stream;
        biost_reader *reader;
        biost_record record;
        biost_page page;
        biost_result expected = k == 0 ? BIOST_END : BIOST_ERR_GZIP;
        memset(&from, 0, sizeof from);
        memset(&desc, 0, sizeof desc);
        from.memory.data = k == 0 ? text : cut;
        from.memory.bytes = k == 0 ? sizeof text - 1 : sizeof cut - 1;
        REQUIRE(biost_stream_open(&from, &stream, NULL) == BIOST_OK);
        desc.stream = stream;
        REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
        CHECK(biost_reader_next(reader, &record) == (k == 0 ? BIOST_OK : BIOST_ERR_GZIP));
        biost_reader_close(reader);
        for (i = 0; i < 2; ++i) {
            CHECK(biost_stream_next_page(stream, &page) == expected);
        }
        CHECK((biost_stream_error(stream) != NULL) == (k == 1));
        REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
        CHECK(biost_reader_next(reader, &record) == expected);
        CHECK((biost_reader_error(reader) != NULL) == (k == 1));
        biost_reader_close(reader);
        biost_stream_close(stream);
    }
}

/*
 * A line of 300 KiB of blanks after a title, with a cap that fits the title alone: in runs it passes
 * through, as no sequence is capped there; read whole, the record is too long.
 */
TEST(reader, blanks_over_the_cap) {
    enum { BLANKS = 300 << 10 };
    uint8_t *text = test_copy(NULL, BLANKS + 16);
    biost_reader_desc desc;
    biost_reader *reader;
    biost_record record;
    biost_run run;
    uint64_t bases = 0;
    unsigned titles = 0;
    memset(text, ' ', BLANKS + 16);
    memcpy(text, ">title\n", 7);
    memcpy(text + 7 + BLANKS, "AC\n", 3);
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = 7 + BLANKS + 3;
    desc.max_record_bytes = 100;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    while (biost_reader_next_run(reader, &run) == BIOST_OK) {
        CHECK_EQ_U64(run.start_base, bases);
        bases += run.record.seq_bases;
        titles += run.record.title_bytes == 5;
    }
    CHECK_EQ_U64(bases, 2);
    CHECK_EQ_U64(titles, 1);
    CHECK(biost_reader_error(reader) == NULL);
    CHECK(biost_reader_warnings(reader) == (uint32_t)BIOST_WARN_BLANKS_REMOVED);
    biost_reader_close(reader);
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    CHECK(biost_reader_next(reader, &record) == BIOST_ERR_TOO_LONG);
    biost_reader_close(reader);
    free(text);
}

/* ---- what open says of memory ---- */

typedef struct reader_memory {
    uint64_t held, peak; /* bytes */
} reader_memory;

static void *reader_memory_alloc(size_t count, size_t align, void *user_data) {
    reader_memory *memory = (reader_memory *)user_data;
    void *at = NULL;
    if (posix_memalign(&at, align < sizeof(void *) ? sizeof(void *) : align, count) != 0) {
        return NULL;
    }
    memory->held += count;
    memory->peak = memory->held > memory->peak ? memory->held : memory->peak;
    return at;
}

static void reader_memory_free(void *at, size_t count, void *user_data) {
    ((reader_memory *)user_data)->held -= count;
    free(at);
}

/* A file is read with buffers of its own, which an input in memory does without. */
TEST(reader, memory_as_open_says) {
    static const uint32_t workers[] = {0, 1, 2, 4, 8}, pages[] = {0, 2, 3, 16};
    unsigned w, p, stats;
    for (w = 0; w < 5; ++w) {
        for (p = 0; p < 4; ++p) {
            for (stats = 0; stats < 2; ++stats) {
                uint64_t kib = stats ? 2253 : 2048; /* 2.2 and 2 MiB */
                reader_memory memory = {0, 0};
                biost_reader_desc desc;
                biost_reader *reader;
                biost_record record;
                memset(&desc, 0, sizeof desc);
                desc.path = "examples/data/tenx_v2_R1_barcode_umi.fastq";
                desc.workers = workers[w];
                desc.page_count = pages[p];
                desc.stats = (int)stats;
                desc.allocator.alloc = reader_memory_alloc;
                desc.allocator.free = reader_memory_free;
                desc.allocator.user_data = &memory;
                REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
                while (biost_reader_next(reader, &record) == BIOST_OK) {
                }
                biost_reader_close(reader);
                kib += workers[w] > 1 ? 512 + 500 * workers[w] : 0;
                kib += (pages[p] > 2 ? pages[p] - 2 : 0) * (stats ? 380u : 330u);
                test_note("%u workers, %u pages, stats %u", (unsigned)workers[w], (unsigned)pages[p], stats);
                CHECK(memory.peak <= kib << 10);
                CHECK(memory.peak > 0);
                CHECK_EQ_U64(memory.held, 0);
            }
        }
    }
}

/* Without max_record_bytes a record may have more than a loader's 64 MiB: here 70 MiB of bases. */
TEST(reader, a_long_record_without_a_word) {
    size_t bases = (size_t)70 << 20, at = 0;
    char *text = (char *)malloc(2 * bases + 100);
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_record record;
    REQUIRE(text != NULL);
    at += (size_t)sprintf(text + at, "@long\n");
    memset(text + at, 'G', bases);
    at += bases;
    at += (size_t)sprintf(text + at, "\n+\n");
    memset(text + at, 'I', bases);
    at += bases;
    at += (size_t)sprintf(text + at, "\n@short\nA\n+\nI\n");
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = at;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    CHECK(biost_reader_next(reader, &record) == BIOST_OK);
    CHECK_EQ_U64(record.seq_bases, bases);
    CHECK(biost_reader_next(reader, &record) == BIOST_OK);
    CHECK_EQ_U64(record.seq_bases, 1);
    CHECK(biost_reader_next(reader, &record) == BIOST_END);
    biost_reader_close(reader);
    free(text);
}

/* ---- desc.terminate, biost_reader_peek ---- */

/* What a record is as strings: each ends where the record says. */
static void is_strings(const biost_record *record, const char *name, const char *comment, const char *seq,
                       const char *qual) {
    CHECK_STR(record->name, name);
    CHECK_STR(record->comment, comment);
    CHECK_STR(record->seq, seq);
    CHECK_EQ_U64(record->name_bytes, strlen(name));
    CHECK_EQ_U64(record->comment_bytes, strlen(comment));
    CHECK_EQ_U64(record->seq_bases, strlen(seq));
    CHECK_EQ_U64(record->title_bytes, 0);
    CHECK((record->qual == NULL) == (qual == NULL));
    if (qual != NULL) {
        CHECK_STR(record->qual, qual);
    }
}

typedef struct strings {
    const char *name, *comment, *seq, *qual;
} strings;

static const char cut_fastq[] =
    "@r1 one two\nACGT\n+r1 one two\nIIII\n@r2\r\nA\r\n+\r\nJ\r\n@ r3\t\nAC\nG\n+\nKK\nK\n@\n\n+\n\n"
    "@r5\nACG\n+\nLMN";
static const strings cut_fastq_strings[] = {{"r1", "one two", "ACGT", "IIII"},
                                            {"r2", "", "A", "J"},
                                            {"r3", "", "ACG", "KKK"},
                                            {"", "", "", ""},
                                            {"r5", "", "ACG", "LMN"}};
static const char cut_fasta[] = ">a x\nACGT\nAC\n>b\n>c\r\n\r\nGG\r\nT\r\n>d \n\n>e\nA C\n>f";
static const strings cut_fasta_strings[] = {{"a", "x", "ACGTAC", NULL}, {"b", "", "", NULL},
                                            {"c", "", "GGT", NULL},     {"d", "", "", NULL},
                                            {"e", "", "AC", NULL},      {"f", "", "", NULL}};

static biost_reader_desc cut_desc(const char *text, unsigned page_bytes) {
    biost_reader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = strlen(text);
    desc.terminate = 1;
    desc.test.page_bytes = page_bytes;
    return desc;
}

TEST(reader, texts_end_with_nul) {
    static const unsigned pages[] = {0, 16, 17, 19, 23, 40};
    unsigned k, i, fasta, count;
    for (k = 0; k < 24; ++k) {
        const char *text = k % 2 == 0 ? cut_fastq : cut_fasta;
        const strings *expected = k % 2 == 0 ? cut_fastq_strings : cut_fasta_strings;
        biost_reader_desc desc = cut_desc(text, pages[k / 4]);
        biost_reader *reader = NULL;
        biost_record record;
        fasta = k % 2;
        count = fasta ? 6 : 5;
        desc.test.general = k / 2 % 2;
        test_note("run %u", k);
        REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
        for (i = 0; i < count; ++i) {
            REQUIRE(biost_reader_next(reader, &record) == BIOST_OK);
            is_strings(&record, expected[i].name, expected[i].comment, expected[i].seq, expected[i].qual);
        }
        CHECK(biost_reader_next(reader, &record) == BIOST_END);
        biost_reader_close(reader);
    }
}

/* Runs that pages cut, also between CR and LF: joined they are the sequence, and only the first has a name. */
TEST(reader, runs_end_with_nul) {
    static const char text[] =
        ">name of it\r\nACGTACGTA\r\nCGTACGTACG\r\nTACGTACGTACGTACGT\r\n\r\n>b\r\nGATTACA\r\n";
    unsigned page, style;
    for (page = 16; page < 60; ++page) {
        for (style = 0; style < 2; ++style) {
            biost_reader_desc desc = cut_desc(text, page);
            biost_reader *reader = NULL;
            char seq[100] = "", names[100] = "";
            biost_record_page lent;
            biost_run run;
            uint32_t i;
            test_note("page %u, style %u", page, style);
            REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
            while (style == 0 && biost_reader_next_run(reader, &run) == BIOST_OK) {
                CHECK(strlen(run.record.seq) == run.record.seq_bases);
                strcat(strcat(seq, run.record.seq), run.is_last ? "." : "");
                strcat(strcat(names, run.record.name), run.record.comment);
            }
            while (style == 1 && biost_reader_next_page(reader, &lent) == BIOST_OK) {
                for (i = 0; i < lent.row_count; ++i) {
                    biost_record_page_get(&lent, i, &run);
                    CHECK(strlen(run.record.seq) == run.record.seq_bases);
                    strcat(strcat(seq, run.record.seq), run.is_last ? "." : "");
                    strcat(strcat(names, run.record.name), run.record.comment);
                }
                CHECK(biost_reader_release_page(reader, &lent) == BIOST_OK);
            }
            CHECK(biost_reader_error(reader) == NULL);
            CHECK_STR(seq, "ACGTACGTACGTACGTACGTACGTACGTACGTACGT.GATTACA.");
            CHECK_STR(names, "nameof itb");
            biost_reader_close(reader);
        }
    }
}

/* The NUL that ends a run may be written over too: those that follow have their own. */
TEST(reader, a_nul_written_over_is_of_its_run_alone) {
    static const char text[] = ">a\nACGTACGTACGT\n>b\nACGTACGTACGT\n>c\nACGTACGTACGT\n>d\nACGTACGTACGT\n";
    unsigned page, empty = 0;
    for (page = 16; page < 60; ++page) {
        biost_reader_desc desc = cut_desc(text, page);
        biost_reader *reader = NULL;
        biost_run run;
        test_note("page %u", page);
        REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
        while (biost_reader_next_run(reader, &run) == BIOST_OK) {
            REQUIRE(run.record.seq[run.record.seq_bases] == '\0');
            empty += run.record.seq_bases == 0;
            ((char *)run.record.seq)[run.record.seq_bases] = '\n';
        }
        CHECK(biost_reader_error(reader) == NULL);
        biost_reader_close(reader);
    }
    CHECK(empty > 1);
}

TEST(reader, terminate_and_map_exclude_each_other) {
    biost_reader_desc desc;
    biost_stream_desc stream_desc;
    biost_stream *stream = NULL;
    biost_reader *reader = NULL;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    memset(&stream_desc, 0, sizeof stream_desc);
    desc.path = stream_desc.path = "examples/data/illumina_hiseqx_150bp.fastq.gz";
    desc.map = stream_desc.map = 1;
    desc.terminate = 1;
    CHECK(biost_reader_open(&desc, &reader, &error) == BIOST_ERR_ARG && reader == NULL);
    CHECK_STR(error.text,
              "desc.terminate writes into the text, and desc.map lends it as it is in the file: leave "
              "one of them 0");
    REQUIRE(biost_stream_open(&stream_desc, &stream, NULL) == BIOST_OK);
    desc.path = NULL;
    desc.map = 0;
    desc.stream = stream;
    CHECK(biost_reader_open(&desc, &reader, &error) == BIOST_ERR_ARG && reader == NULL);
    CHECK_STR(error.text, "desc.terminate writes into the text, and desc.stream was opened with map");
    biost_stream_close(stream);
}

/* A record looked at is what each call then gives, and stays where it is; so do END and an error. */
TEST(reader, peek) {
    static const char text[] = ">a\nACGTACGTACGTACGTACGTACGT\n>b\nGG\n>c\nT\n>d\nA\n";
    static const char bad[] = ">a\nA\n>b\nA\x80\n";
    biost_reader_desc desc = cut_desc(text, 16);
    biost_reader *reader = NULL;
    biost_record record, same;
    biost_record_page page;
    biost_run run;
    desc.terminate = 0;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    CHECK(biost_reader_peek(reader, NULL) == BIOST_ERR_ARG);
    CHECK(biost_reader_peek(NULL, &record) == BIOST_ERR_ARG);
    CHECK(biost_reader_peek(reader, &record) == BIOST_OK && record.id == 0 && record.seq_bases == 24);
    CHECK(biost_reader_peek(reader, &same) == BIOST_OK && memcmp(&record, &same, sizeof same) == 0);
    CHECK(biost_reader_next(reader, &same) == BIOST_OK && memcmp(&record, &same, sizeof same) == 0);
    CHECK(biost_reader_seek(reader, 0) == BIOST_OK);
    CHECK(biost_reader_peek(reader, &record) == BIOST_OK && record.id == 0);
    CHECK(biost_reader_next_run(reader, &run) == BIOST_OK && run.record.id == 0);
    CHECK(run.is_first && run.is_last && run.record.seq_bases == 24); /* whole: it was looked at whole */
    CHECK(biost_reader_seek(reader, 0) == BIOST_OK);
    CHECK(biost_reader_next_run(reader, &run) == BIOST_OK && !run.is_last);
    CHECK(biost_reader_peek(reader, &record) == BIOST_OK && record.id == 1); /* what is left of a is passed */
    CHECK(biost_reader_next_run(reader, &run) == BIOST_OK && run.record.id == 1 && run.is_first);
    CHECK(biost_reader_peek(reader, &record) == BIOST_OK && record.id == 2);
    CHECK(biost_reader_next_page(reader, &page) == BIOST_OK && page.id == 2 && page.start_base == 0);
    CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
    CHECK(biost_reader_seek(reader, 1) == BIOST_OK);
    CHECK(biost_reader_peek(reader, &record) == BIOST_OK && record.id == 1);
    CHECK(biost_reader_seek(reader, 1) == BIOST_OK);
    CHECK(biost_reader_peek(reader, &record) == BIOST_OK && record.id == 1 && record.seq_bases == 2);
    CHECK(biost_reader_seek(reader, 3) == BIOST_OK);
    CHECK(biost_reader_peek(reader, &record) == BIOST_OK && record.id == 3);
    CHECK(biost_reader_next(reader, &record) == BIOST_OK && record.id == 3);
    CHECK(biost_reader_peek(reader, &record) == BIOST_END && record.seq == NULL);
    CHECK(biost_reader_next(reader, &record) == BIOST_END);
    biost_reader_close(reader);
    desc.memory.data = bad;
    desc.memory.bytes = sizeof bad - 1;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    CHECK(biost_reader_next(reader, &record) == BIOST_OK);
    CHECK(biost_reader_peek(reader, &record) == BIOST_ERR_TEXT && record.seq == NULL);
    CHECK(biost_reader_error(reader) != NULL && biost_reader_error(reader)->line == 4);
    CHECK(biost_reader_peek(reader, &record) == BIOST_ERR_TEXT);
    CHECK(biost_reader_next(reader, &record) == BIOST_ERR_TEXT);
    biost_reader_close(reader);
}

/* ---- desc.fd ---- */

TEST(reader, descriptor) {
    static const char text[] = "not mine\n>a\nACGT\n>b\nAC\n";
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_record record;
    biost_error error;
    biost_stream_desc stream_desc;
    biost_stream *stream = NULL;
    FILE *file = tmpfile();
    char skipped[9];
    memset(&desc, 0, sizeof desc);
    REQUIRE(file != NULL && fwrite(text, 1, sizeof text - 1, file) == sizeof text - 1 && fflush(file) == 0);
    desc.fd = fileno(file);
    CHECK(biost_reader_open(&desc, &reader, &error) == BIOST_ERR_ARG);
    CHECK_STR(error.text, "desc.fd is given, and desc.has_fd is 0");
    desc.has_fd = 1;
    REQUIRE(lseek(desc.fd, 0, SEEK_SET) == 0 && read(desc.fd, skipped, 9) == 9);
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    CHECK(biost_reader_format(reader) == BIOST_FORMAT_EMPTY); /* no byte was taken yet */
    CHECK(biost_reader_next(reader, &record) == BIOST_OK && record.seq_bases == 4 && record.line == 1);
    CHECK(biost_reader_format(reader) == BIOST_FORMAT_FASTA);
    CHECK(biost_reader_seek(reader, 0) == BIOST_ERR_UNSUPPORTED);
    CHECK(biost_reader_next(reader, &record) == BIOST_OK && record.seq_bases == 2);
    CHECK(biost_reader_next(reader, &record) == BIOST_END);
    biost_reader_close(reader);
    CHECK(lseek(desc.fd, 0, SEEK_CUR) == (off_t)(sizeof text - 1));
    memset(&stream_desc, 0, sizeof stream_desc);
    stream_desc.has_fd = 1;
    stream_desc.fd = desc.fd;
    REQUIRE(lseek(desc.fd, 9, SEEK_SET) == 9 && biost_stream_open(&stream_desc, &stream, NULL) == BIOST_OK);
    desc.stream = stream;
    CHECK(biost_reader_open(&desc, &reader, &error) == BIOST_ERR_ARG);
    CHECK_STR(error.text, "desc.has_fd and desc.stream both name an input: give one of them");
    desc.has_fd = 0;
    desc.fd = 0;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    CHECK(biost_reader_next(reader, &record) == BIOST_OK && record.seq_bases == 4);
    biost_reader_close(reader);
    biost_stream_close(stream);
    fclose(file);
}
