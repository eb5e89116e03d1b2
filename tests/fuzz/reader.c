/*
 * reader.c - records: each way to read a text against the plain slow parser of records_oracle.h, and against each other.
 *
 * Input: two bytes of text rules and one of more, one of skip_bad, two of max_record_bytes, one each of pages and
 * chunks, one of ways; then the text. It is read by biost_reader_next, by the general parser alone, in tiny pages
 * without vector instructions and with peeks, by workers with a NUL after each text, by pages, by runs, and again after
 * seeks: the same records, the same end, the same sentence.
 */
#include "fuzz.h"
#ifndef TEST_MAYBE_UNUSED
#define TEST_MAYBE_UNUSED FUZZ_UNUSED
#endif
#include "../records_oracle.h"

/* All that one way of reading gave. */
typedef struct reader_sum {
    uint64_t hash, records; /* of whole records */
    biost_result end;
    biost_error error; /* zero where it ended well */
    biost_record_progress progress;
    uint32_t warnings;
} reader_sum;

/* What the ways of reading share. */
static biost_reader_desc reader_desc_of(fuzz_input *in, uint32_t *out_ways) {
    biost_reader_desc desc;
    memset(&desc, 0, sizeof desc);
    uint32_t rules = (uint32_t)fuzz_number(in, 2), more = fuzz_byte(in), bad = fuzz_byte(in);
    uint64_t most = fuzz_number(in, 2);
    desc.text.pedantic = rules & 1;
    desc.text.four_lines = rules >> 1 & 1;
    desc.text.require_record = rules >> 2 & 1;
    desc.text.skip_comments = rules >> 3 & 1;
    desc.text.strip_blanks = rules >> 4 & 1;
    desc.text.keep_gt = rules >> 5 & 1;
    desc.text.ignore_plus = rules >> 6 & 1;
    desc.text.phred64 = rules >> 7 & 1;
    desc.text.replace_letters = rules >> 8 & 1;
    desc.text.skip_junk = rules >> 9 & 1;
    desc.text.high_bytes = rules >> 10 & 1;
    desc.text.mixed = rules >> 11 & 1;
    desc.text.letters = (biost_letters_kind)((rules >> 12) % 5);
    if (more & 1) {
        static const biost_text_rules as_kseq = BIOST_TEXT_AS_KSEQ;
        desc.text = as_kseq;
    }
    desc.stats = more >> 1 & 1;
    desc.max_record_bytes = more & 4 ? most : 0;
    desc.text.skip_bad = bad == 255 ? UINT64_MAX : bad % 16;
    *out_ways = more >> 3;
    return desc;
}

/* Two readings whose record came; a title is in two where desc.terminate cut it, so it is not looked at. */
static void reader_add(reader_sum *sum, const biost_record *record) {
    uint64_t hash = sum->hash;
    hash = fuzz_hash(hash, &record->id, sizeof record->id);
    hash = fuzz_hash(hash, &record->line, sizeof record->line);
    hash = fuzz_hash(hash, &record->text_offset, sizeof record->text_offset);
    hash = fuzz_hash(fuzz_hash(hash, record->name, record->name_bytes), " ", 1);
    hash = fuzz_hash(fuzz_hash(hash, record->comment, record->comment_bytes), "\n", 1);
    hash = fuzz_hash(fuzz_hash(hash, record->seq, record->seq_bases), record->qual != NULL ? "+" : "-", 1);
    sum->hash = record->qual != NULL ? fuzz_hash(hash, record->qual, record->seq_bases) : hash;
    sum->records++;
}

/* The statistics of a record, by one loop a number. */
static void reader_check_stats(const biost_record *record, int asked) {
    biost_stats stats;
    FUZZ_CHECK((record->stats != NULL) == (asked != 0));
    if (record->stats != NULL) {
        ref_stats((const uint8_t *)record->seq, (const uint8_t *)record->qual, record->seq_bases, &stats);
        FUZZ_CHECK(stats.qual_sum == record->stats->qual_sum && stats.error_sum == record->stats->error_sum);
        FUZZ_CHECK(stats.acgt_count == record->stats->acgt_count &&
                   stats.gc_count == record->stats->gc_count);
        FUZZ_CHECK(stats.n_count == record->stats->n_count && stats.qual_min == record->stats->qual_min);
        FUZZ_CHECK(stats.qual_max == record->stats->qual_max);
    }
}

/* Open it, or have the sentence in the sum and NULL. */
static biost_reader *reader_open(const biost_reader_desc *desc, reader_sum *sum) {
    biost_reader *reader = NULL;
    memset(sum, 0, sizeof *sum);
    sum->hash = FUZZ_HASH;
    sum->end = biost_reader_open(desc, &reader, &sum->error);
    if (sum->end != BIOST_OK) {
        fuzz_check_error(sum->end, &sum->error, "biost_reader_open");
        FUZZ_CHECK(reader == NULL);
    }
    return reader;
}

static void reader_end(biost_reader *reader, biost_result end, reader_sum *sum) {
    sum->end = end;
    if (end < 0) {
        fuzz_check_error(end, biost_reader_error(reader), "biost_reader");
        sum->error = *biost_reader_error(reader);
    }
    sum->warnings = biost_reader_warnings(reader);
    biost_reader_progress(reader, &sum->progress);
    biost_reader_close(reader);
}

/* Record after record; each third call after a peek, which must show the same. */
static void reader_by_next(const biost_reader_desc *desc, int peeks, reader_sum *sum) {
    biost_reader *reader = reader_open(desc, sum);
    biost_record record;
    biost_result result = BIOST_OK;
    while (reader != NULL && result == BIOST_OK) {
        reader_sum peeked = *sum;
        int peek = peeks && sum->records % 3 == 0;
        biost_result seen = peek ? biost_reader_peek(reader, &record) : BIOST_OK;
        if (peek && seen == BIOST_OK) {
            reader_add(&peeked, &record);
        }
        result = biost_reader_next(reader, &record);
        if (result == BIOST_OK) {
            reader_add(sum, &record);
            reader_check_stats(&record, desc->stats);
        }
        FUZZ_CHECK(!peek || (seen == result && peeked.hash == sum->hash));
    }
    if (reader != NULL) {
        reader_end(reader, result, sum);
    }
}

/* The record that comes in runs, put together. */
typedef struct reader_whole {
    biost_record record; /* its texts are in `bytes` until the next one begins */
    ref_bytes title, seq, qual;
    int is_open;
} reader_whole;

static void reader_add_bytes(ref_bytes *to, const char *from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ref_add(to, (uint8_t)from[i]);
    }
}

static void reader_begin_whole(reader_whole *whole, const biost_run *run) {
    whole->record = run->record;
    whole->title.count = whole->seq.count = whole->qual.count = 0;
    whole->is_open = 1;
    reader_add_bytes(&whole->title, run->record.name, run->record.name_bytes);
    reader_add_bytes(&whole->title, run->record.comment, run->record.comment_bytes);
}

static void reader_add_run(reader_whole *whole, const biost_run *run, reader_sum *sum) {
    if (run->is_first) {
        reader_begin_whole(whole, run);
    }
    FUZZ_CHECK(whole->is_open && run->record.id == whole->record.id && run->start_base == whole->seq.count);
    reader_add_bytes(&whole->seq, run->record.seq, run->record.seq_bases);
    if (run->record.qual != NULL) {
        reader_add_bytes(&whole->qual, run->record.qual, run->record.seq_bases);
    }
    if (run->is_last) {
        biost_record *record = &whole->record;
        record->name = (const char *)whole->title.data;
        record->comment = (const char *)whole->title.data + record->name_bytes;
        record->seq = (const char *)whole->seq.data;
        record->seq_bases = whole->seq.count;
        record->qual = run->record.qual != NULL ? (const char *)whole->qual.data : NULL;
        reader_add(sum, record);
        whole->is_open = 0;
    }
}

static biost_result reader_add_page(biost_reader *reader, reader_whole *whole, reader_sum *sum) {
    biost_record_page page;
    biost_run run;
    biost_result result = biost_reader_next_page(reader, &page);
    if (result == BIOST_OK) {
        for (uint32_t i = 0; i < page.row_count; i++) {
            biost_record_page_get(&page, i, &run);
            reader_add_run(whole, &run, sum);
        }
        FUZZ_CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
        FUZZ_CHECK(biost_reader_release_page(reader, &page) == BIOST_ERR_ARG);
    }
    return result;
}

/* By pages, or by runs. */
static void reader_by_runs(const biost_reader_desc *desc, int pages, reader_sum *sum) {
    biost_reader *reader = reader_open(desc, sum);
    reader_whole whole;
    biost_run run;
    biost_result result = BIOST_OK;
    memset(&whole, 0, sizeof whole);
    ref_add(&whole.title, 0); /* no pool is NULL */
    ref_add(&whole.seq, 0);
    ref_add(&whole.qual, 0);
    while (reader != NULL && result == BIOST_OK) {
        result = pages ? reader_add_page(reader, &whole, sum) : biost_reader_next_run(reader, &run);
        if (!pages && result == BIOST_OK) {
            reader_add_run(&whole, &run, sum);
        }
    }
    if (reader != NULL) {
        reader_end(reader, result, sum);
    }
    free(whole.title.data);
    free(whole.seq.data);
    free(whole.qual.data);
}

/*
 * The same records and the same end. `by_runs`: parts of bad records of FASTA came before the fault was there, with
 * their warnings, so warnings are compared only where nothing was bad.
 */
static void reader_compare(const reader_sum *one, const reader_sum *other, int by_runs, const char *way) {
    const biost_record_progress *a = &one->progress, *b = &other->progress;
    int warned = by_runs && (one->end < 0 || a->skipped_count > 0);
    if (one->records != other->records || one->hash != other->hash || one->end != other->end ||
        strcmp(one->error.text, other->error.text) != 0 || a->skipped_count != b->skipped_count ||
        a->skipped_lines != b->skipped_lines || a->skipped_gaps != b->skipped_gaps ||
        (!warned && one->warnings != other->warnings)) {
        FUZZ_FAULT(
            "%s: %llu records and %llu; result %d and %d; skipped %llu and %llu; warnings %x and %x\n%s\n%s",
            way, (unsigned long long)one->records, (unsigned long long)other->records, (int)one->end,
            (int)other->end, (unsigned long long)a->skipped_count, (unsigned long long)b->skipped_count,
            one->warnings, other->warnings, one->error.text, other->error.text);
    }
}

/* What the slow parser says of the same text. */
static void reader_compare_oracle(const biost_reader_desc *desc, const reader_sum *sum) {
    ref r;
    reader_sum slow;
    uint64_t most = desc->max_record_bytes > 0 ? desc->max_record_bytes : UINT64_MAX;
    ref_parse(&r, desc->memory.data, desc->memory.bytes, most, &desc->text, 0);
    memset(&slow, 0, sizeof slow);
    slow.hash = FUZZ_HASH;
    for (size_t i = 0; i < r.record_count; i++) {
        const ref_record *from = &r.records[i];
        biost_record record;
        memset(&record, 0, sizeof record);
        record.name = (const char *)r.text + from->name;
        record.name_bytes = from->name_bytes;
        record.comment = (const char *)r.text + from->comment;
        record.comment_bytes = from->comment_bytes;
        record.seq = (const char *)r.seqs.data + from->seq;
        record.seq_bases = from->bases;
        record.qual = from->fastq ? (const char *)r.quals.data + from->qual : NULL;
        record.id = from->id;
        record.line = from->line;
        record.text_offset = from->text_offset;
        reader_add(&slow, &record);
    }
    if (slow.records != sum->records || slow.hash != sum->hash || r.bad.fault != sum->error.fault ||
        (r.bad.line > 0 && (r.bad.line != sum->error.line || r.bad.record != sum->error.record ||
                            r.bad.text_offset != sum->error.text_offset)) ||
        r.skip_records != sum->progress.skipped_count || r.warnings != sum->warnings) {
        FUZZ_FAULT("slow parser: %llu records, fault %d in line %llu, %llu skipped, warnings %x; here %llu "
                   "records, %llu "
                   "skipped, warnings %x\n%s",
                   (unsigned long long)slow.records, (int)r.bad.fault, (unsigned long long)r.bad.line,
                   (unsigned long long)r.skip_records, r.warnings, (unsigned long long)sum->records,
                   (unsigned long long)sum->progress.skipped_count, sum->warnings, sum->error.text);
    }
    ref_free(&r);
}

/* A seek finds the record, or one after it where that was left out; and after a seek to 0 all is as before. */
static void reader_check_seeks(const biost_reader_desc *desc, uint32_t draw, const reader_sum *all) {
    reader_sum again;
    biost_reader *reader = reader_open(desc, &again);
    biost_record record;
    FUZZ_CHECK(reader != NULL);
    uint64_t to = draw % (all->records + 2);
    biost_result result = biost_reader_seek(reader, to);
    if (result == BIOST_OK) {
        result = biost_reader_next(reader, &record);
        FUZZ_CHECK(result != BIOST_OK || record.id >= to);
    }
    if (result < 0) {
        fuzz_check_error(result, biost_reader_error(reader), "biost_reader_seek");
    }
    result = biost_reader_seek(reader, 0);
    if (result != BIOST_OK) {
        biost_reader_close(reader);
        return;
    }
    while ((result = biost_reader_next(reader, &record)) == BIOST_OK) {
        reader_add(&again, &record);
    }
    reader_end(reader, result, &again);
    if (again.records != all->records || again.hash != all->hash || again.end != all->end ||
        strcmp(again.error.text, all->error.text) != 0) {
        FUZZ_FAULT("after seek to 0: %llu of %llu records\n%s\n%s", (unsigned long long)again.records,
                   (unsigned long long)all->records, again.error.text, all->error.text);
    }
}

/* Is it text, for the slow parser, which knows neither archives nor what else begins with a byte of control? */
static int reader_is_text(const biost_reader_desc *desc, const reader_sum *sum) {
    const uint8_t *text = (const uint8_t *)desc->memory.data;
    size_t bytes = desc->memory.bytes;
    int is_binary = bytes > 0 && text[0] < ' ' && (text[0] == 0 || strchr("\t\n\r", text[0]) == NULL);
    return !is_binary && !desc->text.loose && sum->end != BIOST_ERR_UNSUPPORTED;
}

static void reader_ways(const biost_reader_desc *desc, uint32_t ways, uint32_t page, uint32_t chunk) {
    biost_reader_desc other = *desc;
    reader_sum all, sum;
    reader_by_next(desc, 0, &all);
    if (all.end == BIOST_ERR_ARG) {
        return; /* rules that exclude each other */
    }
    if (reader_is_text(desc, &all)) {
        reader_compare_oracle(desc, &all);
    }
    other.test.general = 1;
    reader_by_next(&other, 0, &sum);
    reader_compare(&all, &sum, 0, "the general parser");
    other = *desc;
    other.test.cpu_hidden = UINT32_MAX;
    other.test.page_bytes = 16 + page;
    other.test.chunk_bytes = 1 + chunk;
    other.test.row_count = 1 + ways % 4;
    reader_by_next(&other, 1, &sum);
    reader_compare(&all, &sum, 0, "tiny pages");
    other = *desc;
    /* A NUL in a title, which `loose` alone lets through, ends the name of a record with NULs after its texts. */
    other.terminate = !desc->text.loose || memchr(desc->memory.data, 0, desc->memory.bytes) == NULL;
    other.workers = 1 + (page & 1);
    other.test.page_bytes = ways & 1 ? 16 + page : 0;
    reader_by_next(&other, 0, &sum);
    reader_compare(&all, &sum, 0, "terminate and workers");
    if (!desc->stats &&
        desc->max_record_bytes == 0) { /* stats are of runs, and the cap does not bound runs */
        other = *desc;
        other.test.page_bytes = ways & 2 ? 16 + chunk : 0;
        other.page_count = 1 + page % 3;
        reader_by_runs(&other, (ways & 4) != 0, &sum);
        reader_compare(&all, &sum, 1, ways & 4 ? "pages" : "runs");
    }
    if (all.records > 0 && ways & 8) {
        reader_check_seeks(desc, page, &all);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    fuzz_input in = {data, bytes};
    uint32_t ways;
    fuzz_memory memory;
    biost_reader_desc desc = reader_desc_of(&in, &ways);
    uint32_t page = fuzz_byte(&in), chunk = fuzz_byte(&in);
    uint8_t *text = fuzz_copy(in.at, in.bytes);
    /* Pages as they come are larger than any input here, and so are these, but for the time to get them. */
    desc.test.page_bytes = ways & 16 ? 0 : 16384;
    desc.test.cpu_hidden = fuzz_hidden(bytes);
    desc.allocator = fuzz_allocator(&memory, 1 << 30);
    desc.memory.data = text;
    desc.memory.bytes = in.bytes;
    reader_ways(&desc, ways, page, chunk);
    FUZZ_CHECK(memory.now == 0);
    free(text);
    return 0;
}
