/*
 * reader_collect.h - all that a biost_reader gives, read in one of three ways and written in one form:
 * FASTQ is @title LF seq LF + LF qual LF, FASTA is >title LF seq LF. Include it after the header, test.h and
 * records_oracle.h.
 */
#ifndef READER_COLLECT_H
#define READER_COLLECT_H

typedef enum collect_style {
    COLLECT_NEXT = 0,
    COLLECT_RUNS = 1,
    COLLECT_PAGES = 2,
    COLLECT_STYLES = 3
} collect_style;

TEST_MAYBE_UNUSED static const char *const collect_names[] = {"next", "next_run", "next_page"};

typedef struct collected {
    ref_bytes text; /* whole records; of one that ended in a fault nothing */
    uint64_t records, bases, shortest, longest;
    uint64_t runs;       /* FASTA may have more than records                    */
    uint64_t started;    /* bases of records of which the end never came        */
    biost_result result; /* of open, if that failed; else what ended the records */
    biost_error error;   /* zero unless result is negative                      */
    biost_format format;
    uint32_t warnings;
    biost_record_progress progress;
    biost_stats stats;         /* the sum over all runs; qual_min and qual_max of runs with bases */
    int inside;                /* a record is under way                               */
    size_t whole_bytes;        /* of text: up to the last whole record                */
    uint64_t id, record_bases; /* of that record                                     */
} collected;

static void collect_bytes(ref_bytes *to, const void *from, size_t count) {
    size_t i;
    if (to->count + count > to->capacity) {
        to->capacity = (to->count + count) * 2 + 256;
        to->data = (uint8_t *)ref_grow(to->data, to->capacity, 1);
    }
    for (i = 0; i < count; ++i) {
        to->data[to->count + i] = ((const uint8_t *)from)[i];
    }
    to->count += count;
}

TEST_MAYBE_UNUSED static void collected_free(collected *c) {
    free(c->text.data);
    memset(c, 0, sizeof *c);
}

/* Forget the record under way: its end will not come. */
static void collect_drop(collected *c) {
    c->started += c->inside ? c->record_bases : 0;
    c->text.count = c->whole_bytes;
    c->inside = 0;
}

static void collect_stats(collected *c, const biost_record *record) {
    const biost_stats *s = record->stats;
    if (s == NULL) {
        return;
    }
    c->stats.qual_sum += s->qual_sum;
    c->stats.error_sum += s->error_sum;
    c->stats.acgt_count += s->acgt_count;
    c->stats.gc_count += s->gc_count;
    c->stats.n_count += s->n_count;
    if (record->seq_bases > 0) {
        c->stats.qual_min = c->bases == 0 || s->qual_min < c->stats.qual_min ? s->qual_min
                                                                             : c->stats.qual_min;
        c->stats.qual_max = s->qual_max > c->stats.qual_max ? s->qual_max : c->stats.qual_max;
    }
}

static void collect_run(collected *c, const biost_run *run) {
    const biost_record *record = &run->record;
    CHECK(run->is_first || (c->inside && record->id == c->id));
    if (run->is_first) {
        collect_drop(c);
        collect_bytes(&c->text, record->qual == NULL ? ">" : "@", 1);
        collect_bytes(&c->text, record->title, record->title_bytes);
        collect_bytes(&c->text, "\n", 1);
        c->record_bases = 0;
        c->inside = 1;
        c->id = record->id;
    }
    CHECK_EQ_U64(run->start_base, c->record_bases);
    collect_stats(c, record);
    collect_bytes(&c->text, record->seq, record->seq_bases);
    c->record_bases += record->seq_bases;
    ++c->runs;
    if (!run->is_last) {
        return;
    }
    collect_bytes(&c->text, "\n", 1);
    if (record->qual != NULL) {
        collect_bytes(&c->text, "+\n", 2);
        collect_bytes(&c->text, record->qual, record->seq_bases);
        collect_bytes(&c->text, "\n", 1);
    }
    c->inside = 0;
    c->whole_bytes = c->text.count;
    c->bases += c->record_bases;
    c->shortest = c->records == 0 || c->record_bases < c->shortest ? c->record_bases : c->shortest;
    c->longest = c->record_bases > c->longest ? c->record_bases : c->longest;
    ++c->records;
}

static biost_result collect_page(biost_reader *reader, collected *c) {
    biost_record_page page;
    biost_run run;
    uint32_t i;
    biost_result result = biost_reader_next_page(reader, &page);
    if (result != BIOST_OK) {
        return result;
    }
    for (i = 0; i < page.row_count; ++i) {
        biost_record_page_get(&page, i, &run);
        collect_run(c, &run);
    }
    CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
    return BIOST_OK;
}

/* One call. Returns what it returned. */
static biost_result collect_one(biost_reader *reader, collect_style style, collected *c) {
    biost_run run;
    biost_result result;
    if (style == COLLECT_PAGES) {
        return collect_page(reader, c);
    }
    if (style == COLLECT_RUNS) {
        result = biost_reader_next_run(reader, &run);
    } else {
        memset(&run, 0, sizeof run);
        run.is_first = 1;
        run.is_last = 1;
        result = biost_reader_next(reader, &run.record);
    }
    if (result == BIOST_OK) {
        collect_run(c, &run);
    }
    return result;
}

/* Read an open reader to its end, which must stay, and ask it all there is to ask. */
TEST_MAYBE_UNUSED static void collect_reader(biost_reader *reader, collect_style style, collected *c) {
    const biost_error *error;
    int i;
    while ((c->result = collect_one(reader, style, c)) == BIOST_OK) {
        /* collected */
    }
    collect_drop(c);
    for (i = 0; i < 3; ++i) {
        CHECK(collect_one(reader, style, c) == c->result);
    }
    error = biost_reader_error(reader);
    CHECK((error != NULL) == (c->result < 0) && (error == NULL || error->code == c->result));
    if (error != NULL) {
        c->error = *error;
    }
    c->format = biost_reader_format(reader);
    c->warnings = biost_reader_warnings(reader);
    biost_reader_progress(reader, &c->progress);
}

/* Open, read to the end, close. Free with collected_free. */
TEST_MAYBE_UNUSED static void collect(collected *c, const biost_reader_desc *desc, collect_style style) {
    biost_reader *reader = NULL;
    memset(c, 0, sizeof *c);
    c->result = biost_reader_open(desc, &reader, &c->error);
    if (c->result != BIOST_OK) {
        CHECK(reader == NULL && c->error.code == c->result && c->error.text[0] != '\0');
        return;
    }
    collect_reader(reader, style, c);
    biost_reader_close(reader);
}

#endif /* READER_COLLECT_H */
