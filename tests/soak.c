/*
 * soak.c - texts of gigabytes that no file holds: a function makes them while they are read. Run it with
 * `make soak`. An allocator that counts sees that memory stays constant where it must.
 *
 * TEST_BIG=1 adds a record of more than 4 GiB, for which 9 GiB of memory are needed.
 */
#include "../biostream.h"
#include "test.h"

#define GIB            ((uint64_t)1 << 30)
#define CONSTANT_BYTES (8u << 20) /* "constant memory", whatever the text */

/* ---- an allocator that counts; readers without workers call it from one thread ---- */

typedef struct counted {
    uint64_t now, peak;
} counted;

static void *counted_alloc(size_t bytes, size_t align, void *user_data) {
    counted *count = (counted *)user_data;
    size_t room = align < sizeof(void *) ? sizeof(void *) : align;
    uint8_t *memory = (uint8_t *)malloc(bytes + room + sizeof(void *));
    uint8_t *aligned;
    if (memory == NULL) {
        return NULL;
    }
    count->now += bytes;
    count->peak = count->now > count->peak ? count->now : count->peak;
    aligned = memory + sizeof(void *) + (room - (size_t)((uintptr_t)(memory + sizeof(void *)) % room)) % room;
    memcpy(aligned - sizeof(void *), &memory, sizeof memory); /* for free */
    return aligned;
}

static void counted_free(void *memory, size_t bytes, void *user_data) {
    counted *count = (counted *)user_data;
    void *start;
    memcpy(&start, (uint8_t *)memory - sizeof(void *), sizeof start);
    count->now -= bytes;
    free(start);
}

/* ---- texts made on the way: a head, a block again and again, a tail ---- */

typedef struct endless {
    const char *head, *tail;
    const uint8_t *block;
    size_t block_bytes;
    uint64_t middle_bytes; /* how much of the block's repetition */
    uint64_t at;
} endless;

/* As many bytes as there are of one part. */
static size_t endless_part(const uint8_t *from, uint64_t bytes, uint64_t at, uint8_t *to, size_t wanted) {
    size_t take = bytes - at < wanted ? (size_t)(bytes - at) : wanted;
    memcpy(to, from + at, take);
    return take;
}

static int64_t endless_read(void *to, size_t bytes, void *user_data) {
    endless *text = (endless *)user_data;
    uint64_t head = strlen(text->head), tail = strlen(text->tail);
    size_t done = 0;
    while (done < bytes && text->at < head + text->middle_bytes + tail) {
        uint8_t *out = (uint8_t *)to + done;
        size_t wanted = bytes - done, got;
        if (text->at < head) {
            got = endless_part((const uint8_t *)text->head, head, text->at, out, wanted);
        } else if (text->at < head + text->middle_bytes) {
            uint64_t at = text->at - head, left = text->middle_bytes - at;
            got = endless_part(text->block, text->block_bytes, at % text->block_bytes, out,
                               left < wanted ? (size_t)left : wanted);
        } else {
            got = endless_part((const uint8_t *)text->tail, tail, text->at - head - text->middle_bytes, out,
                               wanted);
        }
        done += got;
        text->at += got;
    }
    return (int64_t)done;
}

static biost_reader_desc endless_desc(endless *text, counted *count) {
    biost_reader_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(count, 0, sizeof *count);
    text->at = 0;
    desc.callback.read = endless_read;
    desc.callback.user_data = text;
    desc.allocator.alloc = counted_alloc;
    desc.allocator.free = counted_free;
    desc.allocator.user_data = count;
    return desc;
}

static void letters_make(uint8_t *to, size_t bytes) {
    uint64_t random = test_seed();
    size_t i;
    for (i = 0; i < bytes; ++i) {
        to[i] = (uint8_t) "ACGTNacgtn"[test_random(&random) % 10];
    }
}

/* ---- FASTA of more than 2^32 bases ---- */

/* Whether `seq` is the part from base `at` on of `period` letters that come again and again. */
static int is_part_of(const char *seq, size_t bases, const uint8_t *letters, size_t period, uint64_t at) {
    size_t done = 0;
    while (done < bases) {
        size_t offset = (size_t)((at + done) % period);
        size_t take = period - offset < bases - done ? period - offset : bases - done;
        if (memcmp(seq + done, letters + offset, take) != 0) {
            return 0;
        }
        done += take;
    }
    return 1;
}

/* What read_fasta has seen; the first record has `bases` bases, the second 4. */
typedef struct fasta_seen {
    const endless *text;
    const uint8_t *letters;
    size_t period;
    uint64_t bases, done, second, records, wrong;
} fasta_seen;

static void see_run(fasta_seen *seen, const biost_run *run) {
    const biost_record *record = &run->record;
    if (record->id == 0) {
        seen->wrong += run->start_base != seen->done || record->line != 1 || record->text_offset != 0;
        seen->wrong += !is_part_of(record->seq, record->seq_bases, seen->letters, seen->period, seen->done);
        seen->done += record->seq_bases;
        seen->wrong += run->is_last && seen->done != seen->bases;
    } else {
        seen->second += record->seq_bases;
        CHECK_EQ_U64(record->text_offset, strlen(seen->text->head) + seen->text->middle_bytes + 1);
    }
    seen->records += run->is_last ? 1 : 0;
}

/* Read by next_run, or by next_page. */
static void read_fasta(endless *text, uint64_t bases, const uint8_t *letters, size_t period, int by_page) {
    counted count;
    biost_reader_desc desc = endless_desc(text, &count);
    biost_reader *reader = NULL;
    biost_record_progress progress;
    biost_result result = BIOST_OK;
    biost_run run;
    fasta_seen seen = {text, letters, period, bases, 0, 0, 0, 0};
    test_note("%s", by_page ? "by next_page" : "by next_run");
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    while (result == BIOST_OK && by_page) {
        biost_record_page page;
        uint32_t row;
        result = biost_reader_next_page(reader, &page);
        for (row = 0; result == BIOST_OK && row < page.row_count; ++row) {
            biost_record_page_get(&page, row, &run);
            see_run(&seen, &run);
        }
        if (result == BIOST_OK) {
            CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
        }
    }
    while (result == BIOST_OK) {
        result = biost_reader_next_run(reader, &run);
        if (result == BIOST_OK) {
            see_run(&seen, &run);
        }
    }
    CHECK(result == BIOST_END);
    CHECK_EQ_U64(seen.records, 2);
    CHECK_EQ_U64(seen.done, bases);
    CHECK_EQ_U64(seen.second, 4);
    CHECK_EQ_U64(seen.wrong, 0);
    biost_reader_progress(reader, &progress);
    CHECK_EQ_U64(progress.text_bytes, text->at);
    CHECK_EQ_U64(progress.record_count, 2);
    CHECK(count.peak <= CONSTANT_BYTES);
    biost_reader_close(reader);
    CHECK_EQ_U64(count.now, 0);
}

TEST(soak, fasta_of_5_gib_on_one_line) {
    enum { PERIOD = 65521 };
    static uint8_t letters[PERIOD];
    endless text = {">chr1 on one line\n", "\n>chr2\nACGT\n", letters, PERIOD, 5 * GIB, 0};
    letters_make(letters, PERIOD);
    read_fasta(&text, 5 * GIB, letters, PERIOD, 0);
    read_fasta(&text, 5 * GIB, letters, PERIOD, 1);
}

TEST(soak, fasta_of_5_gib_in_lines_of_60) {
    enum { LINES = 4093, PERIOD = LINES * 60 };
    static uint8_t letters[PERIOD], lines[LINES * 61];
    uint64_t line_count = 5 * GIB / 60 + 1;
    endless text = {">chr1 in lines of 60\n", ">chr2\nACGT\n", lines, sizeof lines, 0, 0};
    size_t i;
    letters_make(letters, PERIOD);
    for (i = 0; i < LINES; ++i) {
        memcpy(lines + i * 61, letters + i * 60, 60);
        lines[i * 61 + 60] = '\n';
    }
    text.middle_bytes = line_count * 61 - 1; /* the last line end is the tail's */
    text.tail = "\n>chr2\nACGT\n";
    read_fasta(&text, line_count * 60, letters, PERIOD, 0);
    read_fasta(&text, line_count * 60, letters, PERIOD, 1);
}

/* A bad byte far past 2^32: the place is told right, in pages too. */
TEST(soak, fault_after_4_gib) {
    enum { PERIOD = 65521 };
    static uint8_t letters[PERIOD];
    endless text = {">chr1\n", "\nAC>T\n", letters, PERIOD, 4 * GIB + 12345, 0};
    counted count;
    biost_reader_desc desc = endless_desc(&text, &count);
    biost_reader *reader = NULL;
    biost_record_page page;
    biost_result result;
    uint64_t done = 0;
    letters_make(letters, PERIOD);
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    while ((result = biost_reader_next_page(reader, &page)) == BIOST_OK) {
        CHECK_EQ_U64(page.start_base, done);
        done += page.rows[0].bases;
        CHECK(page.row_count == 1 && (page.rows[0].flags & (uint32_t)BIOST_RUN_GOES_ON) != 0);
        CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
    }
    CHECK(result == BIOST_ERR_TEXT && done <= 4 * GIB + 12345 + 2);
    REQUIRE(biost_reader_error(reader) != NULL);
    CHECK(biost_reader_error(reader)->fault == BIOST_FAULT_GT_IN_SEQ);
    CHECK_EQ_U64(biost_reader_error(reader)->line, 3);
    CHECK_EQ_U64(biost_reader_error(reader)->text_offset, 6 + 4 * GIB + 12345 + 3);
    CHECK(count.peak <= CONSTANT_BYTES);
    biost_reader_close(reader);
}

/* ---- FASTQ of more than 2^32 bytes ---- */

/* One record of 320 bytes, 3 of them bases N, then 13.4 million like it, then a line that is none. */
TEST(soak, fastq_of_more_than_4_gib) {
    enum { RECORD = 320, PER_BLOCK = 4096 };
    static uint8_t block[RECORD * PER_BLOCK];
    uint64_t records = 4 * GIB / RECORD + 5000;
    endless text = {"", "junk\n", block, sizeof block, 0, 0};
    int by_page, i;
    for (i = 0; i < PER_BLOCK; ++i) {
        uint8_t *at = block + i * RECORD;
        memcpy(at, "@read of a soak\n", 16);
        letters_make(at + 16, 150);
        memcpy(at + 166, "\n+\n", 3);
        memset(at + 169, '5', 150);
        at[319] = '\n';
    }
    text.middle_bytes = records * RECORD;
    for (by_page = 0; by_page < 2; ++by_page) {
        counted count;
        biost_reader_desc desc = endless_desc(&text, &count);
        biost_reader *reader = NULL;
        biost_result result = BIOST_OK;
        uint64_t done = 0, wrong = 0, sum = 0;
        desc.stats = by_page;
        REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
        while (result == BIOST_OK && by_page) {
            biost_record_page page;
            uint32_t row;
            result = biost_reader_next_page(reader, &page);
            for (row = 0; result == BIOST_OK && row < page.row_count; ++row, ++done) {
                biost_run run;
                biost_record_page_get(&page, row, &run);
                wrong += run.record.id != done || run.record.line != 4 * done + 1 ||
                         run.record.text_offset != RECORD * done || run.record.seq_bases != 150;
                sum += page.stats[row].qual_sum;
            }
            if (result == BIOST_OK) {
                CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
            }
        }
        while (result == BIOST_OK) {
            biost_record record;
            result = biost_reader_next(reader, &record);
            if (result == BIOST_OK) {
                wrong += record.id != done || record.line != 4 * done + 1 ||
                         record.text_offset != RECORD * done || record.seq_bases != 150 ||
                         memcmp(record.seq, block + 16, 150) != 0;
                ++done;
            }
        }
        test_note("%s", by_page ? "by next_page" : "by next");
        CHECK(result == BIOST_ERR_TEXT);
        CHECK_EQ_U64(done, records);
        CHECK_EQ_U64(wrong, 0);
        CHECK_EQ_U64(sum, by_page ? records * 150 * 20 : 0);
        REQUIRE(biost_reader_error(reader) != NULL);
        CHECK(biost_reader_error(reader)->fault == BIOST_FAULT_BAD_START);
        CHECK_EQ_U64(biost_reader_error(reader)->record, records);
        CHECK_EQ_U64(biost_reader_error(reader)->line, 4 * records + 1);
        CHECK_EQ_U64(biost_reader_error(reader)->text_offset, records * RECORD);
        CHECK(count.peak <= CONSTANT_BYTES);
        biost_reader_close(reader);
    }
}

/* ---- a long record ---- */

/*
 * "@long", `bases` bases, '+', as many quality characters, and a small record after it. The text is made by
 * place: the block is not used.
 */
typedef struct long_text {
    uint64_t bases, at;
} long_text;

static int64_t long_read(void *to, size_t bytes, void *user_data) {
    static const char tail[] = "\n@b\nAC\n+\nII\n";
    long_text *text = (long_text *)user_data;
    const uint64_t seq = 6, plus = seq + text->bases, qual = plus + 3, after = qual + text->bases,
                   end = after + sizeof tail - 1;
    size_t done = 0;
    while (done < bytes && text->at < end) {
        uint8_t *out = (uint8_t *)to + done;
        uint64_t stop = text->at < seq     ? seq
                        : text->at < plus  ? plus
                        : text->at < qual  ? qual
                        : text->at < after ? after
                                           : end;
        size_t take = stop - text->at < bytes - done ? (size_t)(stop - text->at) : bytes - done;
        if (text->at < seq) {
            memcpy(out, "@long\n" + text->at, take);
        } else if (text->at < plus) {
            memset(out, 'G', take);
        } else if (text->at < qual) {
            memcpy(out, "\n+\n" + (text->at - plus), take);
        } else if (text->at < after) {
            memset(out, '+', take);
        } else {
            memcpy(out, tail + (text->at - after), take);
        }
        done += take;
        text->at += take;
    }
    return (int64_t)done;
}

static int is_all(const char *bytes, size_t count, char byte) {
    return count == 0 || (bytes[0] == byte && memcmp(bytes, bytes + 1, count - 1) == 0);
}

static biost_reader *long_open(long_text *text, counted *count, uint64_t max_record_bytes) {
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    memset(&desc, 0, sizeof desc);
    memset(count, 0, sizeof *count);
    text->at = 0;
    desc.callback.read = long_read;
    desc.callback.user_data = text;
    desc.allocator.alloc = counted_alloc;
    desc.allocator.free = counted_free;
    desc.allocator.user_data = count;
    desc.max_record_bytes = max_record_bytes;
    CHECK(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    return reader;
}

/* A line of 1 GiB, so a record of 2: under a cap of its size, and of one byte less. */
TEST(soak, fastq_of_lines_of_1_gib) {
    long_text text = {GIB, 0};
    uint64_t size = 9 + 2 * GIB;
    counted count;
    biost_reader *reader;
    biost_record record;
    biost_record_page page;
    if (sizeof(size_t) < 8) {
        TEST_SKIP("64-bit size_t");
    }
    reader = long_open(&text, &count, size);
    REQUIRE(reader != NULL);
    REQUIRE(biost_reader_next(reader, &record) == BIOST_OK);
    CHECK(record.seq_bases == GIB && is_all(record.seq, record.seq_bases, 'G'));
    CHECK(record.qual != NULL && is_all(record.qual, record.seq_bases, '+'));
    REQUIRE(biost_reader_next(reader, &record) == BIOST_OK);
    CHECK_EQ_U64(record.text_offset, size + 1);
    CHECK_EQ_U64(record.line, 5);
    CHECK_EQ_U64(record.seq_bases, 2);
    CHECK(biost_reader_next(reader, &record) == BIOST_END);
    CHECK(count.peak <= 2 * size); /* the buffer grows by doubling and is there twice meanwhile */
    biost_reader_close(reader);
    reader = long_open(&text, &count, size - 1);
    REQUIRE(reader != NULL);
    CHECK(biost_reader_next(reader, &record) == BIOST_ERR_TOO_LONG);
    REQUIRE(biost_reader_error(reader) != NULL);
    CHECK_EQ_U64(biost_reader_error(reader)->line, 4);
    CHECK_EQ_U64(biost_reader_error(reader)->text_offset, size - 1);
    biost_reader_close(reader);
    reader = long_open(&text, &count, size);
    REQUIRE(reader != NULL);
    REQUIRE(biost_reader_next_page(reader, &page) == BIOST_OK);
    CHECK(page.row_count == 1 && page.rows[0].bases == GIB);
    CHECK(is_all(page.text + page.rows[0].qual, page.rows[0].bases, '+'));
    CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
    CHECK(biost_reader_next_page(reader, &page) == BIOST_OK && page.id == 1);
    CHECK(biost_reader_next_page(reader, &page) == BIOST_END);
    biost_reader_close(reader);
}

/* More than a page's 32 bits can say: next_page refuses it, next reads it. */
TEST(soak, fastq_of_more_than_4_gib_in_one_record) {
    long_text text = {2 * GIB + 100, 0};
    counted count;
    biost_reader *reader;
    biost_record record;
    biost_record_page page;
    if (getenv("TEST_BIG") == NULL || sizeof(size_t) < 8) {
        return;
    }
    reader = long_open(&text, &count, 5 * GIB);
    REQUIRE(reader != NULL);
    CHECK(biost_reader_next_page(reader, &page) == BIOST_ERR_UNSUPPORTED);
    CHECK(biost_reader_next(reader, &record) == BIOST_OK);
    CHECK(record.seq_bases == 2 * GIB + 100 && is_all(record.seq, record.seq_bases, 'G'));
    CHECK(biost_reader_next_page(reader, &page) == BIOST_OK);
    CHECK(page.id == 1 && page.row_count == 1);
    CHECK(biost_reader_next(reader, &record) == BIOST_END);
    biost_reader_close(reader);
}
