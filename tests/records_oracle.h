/*
 * records_oracle.h - the records of a FASTQ or FASTA text, worked out the slow and obvious way, for the
 * tests of the parser and of the reader.
 *
 * All text lies in memory. It is split into an array of lines; each rule is a walk over that array, once
 * for one record after another. Nothing comes in pieces, nothing is fast, and of the header only public
 * types and the names of faults are used. Include it after the header and test.h.
 *
 *     ref r;
 *     ref_parse(&r, text, text_bytes, UINT64_MAX, &options, 0);
 *     for (i = 0; i < r.record_count; ++i) { ... r.records[i] ... }
 *     if (r.bad.fault != BIOST_FAULT_NONE) { ... the error after them ... }
 *     ref_free(&r);
 *
 * A line is what stands before LF or the end of the text; one CR before that end is not content. A blank
 * line holds nothing but blanks and tabs, or nothing at all.
 */
#ifndef RECORDS_ORACLE_H
#define RECORDS_ORACLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what comes out ---- */

typedef struct ref_bytes {
    uint8_t *data; /* NULL: no byte was added yet */
    size_t count, capacity;
} ref_bytes;

/* Offsets of title, name and comment count from the text, those of seq and qual from ref.seqs and ref.quals. */
typedef struct ref_record {
    size_t title, title_bytes; /* after the '@' or '>' */
    size_t name, name_bytes;
    size_t comment, comment_bytes;
    size_t seq, qual, bases;
    uint64_t id, line, text_offset;
    size_t text_bytes; /* up to the line after the record; FASTA: blank lines belong to it */
    int fastq;         /* with mixed, records differ in it */
} ref_record;

/* What is wrong, and where. */
typedef struct ref_fault {
    biost_fault fault; /* NONE: nothing is */
    uint64_t record, line, text_offset;
    uint64_t a,
        b;        /* LENGTH: characters, bases. RECORD_TOO_LONG: the cap. BAD_START: blanks before the byte */
    uint8_t byte; /* where one byte is to blame, else 0 */
    size_t start; /* the line where the record or the junk starts, counted from 0 */
    size_t seq;   /* FASTA: in ref.seqs, the bases of the record's good lines, */
    size_t partial_bases, partial_more; /* and after them those of the line at fault before the fault */
} ref_fault;

typedef struct ref_line {
    size_t at;    /* its first byte               */
    size_t bytes; /* of content                   */
    size_t next;  /* the byte after its line end */
    int has_feed; /* 0: it ends with the text     */
} ref_line;

typedef struct ref {
    /* given */
    const uint8_t *text;
    size_t text_bytes;
    uint64_t max; /* max_record_bytes; UINT64_MAX: none */
    biost_text_rules options;
    int by_runs; /* the cap does not hold for sequence lines of FASTA */
    /* found */
    biost_format first_format; /* of the first record */
    biost_format format;       /* of the last one */
    uint32_t warnings;
    uint32_t part_warnings; /* perhaps also these, of parts of bad FASTA records that came in runs */
    ref_record *records;
    size_t record_count, record_capacity;
    ref_bytes seqs, quals;
    ref_fault bad;
    ref_fault *skips; /* [skip_count] what was wrong with the records left out */
    size_t skip_count, skip_capacity;
    uint64_t skip_records, skip_lines; /* what they count as, and all lines left out */
    uint64_t blank_count;
    /* under way */
    ref_line *lines;
    size_t line_count;
    size_t start;     /* the line where the record or the junk starts */
    size_t record_at; /* its first byte                               */
    uint64_t record;  /* its number                                   */
    size_t seq, qual; /* where its bases and qualities start          */
} ref;

static void *ref_grow(void *old, size_t count, size_t size) {
    void *grown = realloc(old, count * size);
    if (grown == NULL) {
        printf("no memory\n");
        exit(1);
    }
    return grown;
}

static void ref_add(ref_bytes *to, uint8_t byte) {
    if (to->count == to->capacity) {
        to->capacity = to->capacity * 2 + 256;
        to->data = (uint8_t *)ref_grow(to->data, to->capacity, 1);
    }
    to->data[to->count++] = byte;
}

TEST_MAYBE_UNUSED static void ref_free(ref *r) {
    free(r->records);
    free(r->seqs.data);
    free(r->quals.data);
    free(r->skips);
    free(r->lines);
    memset(r, 0, sizeof *r);
}

/* ---- lines ---- */

static void ref_split(ref *r, size_t at) {
    size_t capacity = 0;
    while (at < r->text_bytes) {
        ref_line *line;
        size_t end = at;
        if (r->line_count == capacity) {
            capacity = capacity * 2 + 64;
            r->lines = (ref_line *)ref_grow(r->lines, capacity, sizeof *r->lines);
        }
        line = &r->lines[r->line_count++];
        while (end < r->text_bytes && r->text[end] != '\n') {
            ++end;
        }
        line->at = at;
        line->has_feed = end < r->text_bytes;
        line->next = end + (size_t)line->has_feed;
        line->bytes = end - at;
        if (line->bytes > 0 && r->text[end - 1] == '\r') {
            --line->bytes;
        }
        at = line->next;
    }
}

static int ref_is_blank_byte(uint8_t byte) {
    return byte == ' ' || byte == '\t';
}

/* Blanks and tabs the line starts with. */
static size_t ref_blanks(const ref *r, size_t i) {
    size_t count = 0;
    while (count < r->lines[i].bytes && ref_is_blank_byte(r->text[r->lines[i].at + count])) {
        ++count;
    }
    return count;
}

static int ref_is_blank(const ref *r, size_t i) {
    return ref_blanks(r, i) == r->lines[i].bytes;
}

/* The first byte of the line's content, or 0 where it has none. */
static uint8_t ref_first(const ref *r, size_t i) {
    return r->lines[i].bytes == 0 ? 0 : r->text[r->lines[i].at];
}

/* ---- faults; each returns 0, so that a rule can say `return ref_bad(...)` ---- */

static int ref_bad(ref *r, biost_fault fault, size_t i, size_t at) {
    memset(&r->bad, 0, sizeof r->bad);
    r->bad.fault = fault;
    r->bad.record = r->record;
    r->bad.line = i + 1;
    r->bad.text_offset = at;
    r->bad.start = r->start;
    r->bad.seq = r->seq;
    return 0;
}

static int ref_bad_byte(ref *r, biost_fault fault, size_t i, size_t at) {
    ref_bad(r, fault, i, at);
    r->bad.byte = r->text[at];
    return 0;
}

/* At line i the quality is seen to have `characters`. */
static int ref_bad_length(ref *r, size_t i, size_t characters) {
    ref_bad(r, BIOST_FAULT_LENGTH, i, r->lines[i].at);
    r->bad.a = characters;
    r->bad.b = r->seqs.count - r->seq;
    return 0;
}

/* The text ends in line i, or after it. */
static int ref_truncated(ref *r, size_t i) {
    return ref_bad(r, BIOST_FAULT_TRUNCATED, i, r->text_bytes);
}

/* The record may have as many bytes as its line i ends with. */
static int ref_fits(ref *r, size_t i) {
    if (r->lines[i].at + r->lines[i].bytes - r->record_at > r->max) {
        ref_bad(r, BIOST_FAULT_RECORD_TOO_LONG, i, r->record_at + (size_t)r->max);
        r->bad.a = r->max;
        return 0;
    }
    return 1;
}

/* Line i must be there and end within the cap. */
static int ref_has_line(ref *r, size_t i) {
    return i == r->line_count ? ref_truncated(r, i - 1) : ref_fits(r, i);
}

/* ---- bytes ---- */

/* Titles and '+' lines: all but NUL and CR. */
static int ref_title_bytes(ref *r, size_t i) {
    size_t at;
    for (at = r->lines[i].at; at < r->lines[i].at + r->lines[i].bytes; ++at) {
        if (r->text[at] == 0) {
            return ref_bad_byte(r, BIOST_FAULT_NUL, i, at);
        }
        if (r->text[at] == '\r') {
            return ref_bad_byte(r, BIOST_FAULT_CR_IN_LINE, i, at);
        }
    }
    return 1;
}

/* `content` bytes of line i, each in lowest..126. */
static int ref_printable(ref *r, size_t i, size_t content, uint8_t lowest, biost_fault fault) {
    size_t at;
    for (at = r->lines[i].at; at < r->lines[i].at + content; ++at) {
        uint8_t byte = r->text[at];
        if (byte == 0) {
            return ref_bad_byte(r, BIOST_FAULT_NUL, i, at);
        }
        if (byte == '\r') {
            return ref_bad_byte(r, BIOST_FAULT_CR_IN_LINE, i, at);
        }
        if (byte < lowest || (byte > 126 && !r->options.high_bytes)) {
            return ref_bad_byte(r, fault, i, at);
        }
    }
    return 1;
}

/* Whether options.letters has the letter. */
static int ref_has_letter(const ref *r, uint8_t byte) {
    static const char *const sets[] = {"", "ACGTNacgtn", "ACGTNRYSWKMBDHVacgtnryswkmbdhv", "ACGUNacgun",
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz*"};
    return r->options.letters == BIOST_LETTERS_ANY || strchr(sets[r->options.letters], byte) != NULL;
}

/* A base joins the sequence, or what stands for it. */
static void ref_add_base(ref *r, uint8_t byte) {
    if (!ref_has_letter(r, byte)) {
        byte = r->options.letters == BIOST_LETTERS_PROTEIN ? 'X' : 'N';
        r->warnings |= (uint32_t)BIOST_WARN_REPLACED_LETTERS;
    }
    ref_add(&r->seqs, byte);
}

/* ---- records ---- */

/* Name: the first word. Comment: what follows the one blank or tab after it. */
static void ref_words(const ref *r, ref_record *record) {
    size_t at = record->title, end = record->title + record->title_bytes;
    while (at < end && ref_is_blank_byte(r->text[at])) {
        ++at;
    }
    record->name = at;
    while (at < end && !ref_is_blank_byte(r->text[at])) {
        ++at;
    }
    record->name_bytes = at - record->name;
    record->comment = at < end ? at + 1 : end;
    record->comment_bytes = end - record->comment;
}

static void ref_title_of(const ref *r, size_t title, ref_record *record) {
    record->title = r->lines[title].at + 1;
    record->title_bytes = r->lines[title].bytes - 1;
    ref_words(r, record);
}

/* The record from line `title` up to line `after` is good. */
static void ref_deliver(ref *r, size_t title, size_t after) {
    ref_record *record;
    if (r->record_count == r->record_capacity) {
        r->record_capacity = r->record_capacity * 2 + 16;
        r->records = (ref_record *)ref_grow(r->records, r->record_capacity, sizeof *r->records);
    }
    record = &r->records[r->record_count++];
    ref_title_of(r, title, record);
    record->seq = r->seq;
    record->qual = r->qual;
    record->bases = r->seqs.count - r->seq;
    record->fastq = r->format == BIOST_FORMAT_FASTQ;
    record->id = r->record++;
    record->line = title + 1;
    record->text_offset = r->record_at;
    record->text_bytes = (after < r->line_count ? r->lines[after].at : r->text_bytes) - r->record_at;
}

/* The title line: '>' or '@' and the title. */
static int ref_title(ref *r, size_t i) {
    ref_record record;
    if (!ref_has_line(r, i) || !ref_title_bytes(r, i)) {
        return 0;
    }
    ref_title_of(r, i, &record);
    if (r->options.pedantic && record.name_bytes == 0) {
        return ref_bad(r, BIOST_FAULT_NO_NAME, i, r->record_at);
    }
    return 1;
}

/* Whether line i, of a FASTA sequence, follows a title of PIR: '>', a kind of two characters, ';'. */
static int ref_follows_pir(const ref *r, size_t i) {
    static const char *const kinds[] = {"P1", "F1", "DL", "DC", "RL", "RC", "N1", "N3", "XX"};
    const uint8_t *title = r->text + (i > 0 ? r->lines[i - 1].at : 0);
    size_t k = 0;
    if (i == 0 || r->lines[i - 1].bytes < 4 || title[0] != '>' || title[3] != ';') {
        return 0;
    }
    while (k < 9 && memcmp(title + 1, kinds[k], 2) != 0) {
        ++k;
    }
    return k < 9;
}

/* What is wrong with the byte at `at` of FASTA sequence line i. */
static biost_fault ref_base_fault(const ref *r, size_t i, size_t at) {
    uint8_t byte = r->text[at];
    int opens_line = 1; /* nothing but blanks stands before it */
    size_t before;
    for (before = r->lines[i].at; before < at; ++before) {
        opens_line = opens_line && ref_is_blank_byte(r->text[before]);
    }
    if (byte == 0) {
        return BIOST_FAULT_NUL;
    }
    if (byte == '\r') {
        return BIOST_FAULT_CR_IN_LINE;
    }
    if (ref_is_blank_byte(byte)) {
        return r->options.pedantic || ref_follows_pir(r, i) ? BIOST_FAULT_BAD_SEQ_BYTE : BIOST_FAULT_NONE;
    }
    if (opens_line && byte == ';') {
        return BIOST_FAULT_COMMENT_LINE;
    }
    if (opens_line && (byte == '@' || byte == '+')) {
        return BIOST_FAULT_FASTQ_IN_FASTA;
    }
    if (byte == '>' && (opens_line || !r->options.keep_gt)) {
        return BIOST_FAULT_GT_IN_SEQ;
    }
    if (byte < 33 || (byte > 126 && !r->options.high_bytes)) {
        return BIOST_FAULT_BAD_SEQ_BYTE;
    }
    return ref_has_letter(r, byte) || r->options.replace_letters ? BIOST_FAULT_NONE : BIOST_FAULT_BAD_LETTER;
}

/* A line to be left out; NUL and CR are errors there too. */
static int ref_comment(ref *r, size_t i) {
    if (!ref_title_bytes(r, i)) {
        return 0;
    }
    r->warnings |= (uint32_t)BIOST_WARN_SKIPPED_COMMENTS;
    return 1;
}

static int ref_fasta_line(ref *r, size_t i) {
    size_t at, end = r->lines[i].at + r->lines[i].bytes;
    if (r->options.skip_comments && ref_first(r, i) == ';') {
        return ref_comment(r, i);
    }
    if (ref_is_blank(r, i)) {
        if (r->options.pedantic) {
            return ref_bad(r, BIOST_FAULT_BLANK_LINE, i, r->lines[i].at);
        }
        r->warnings |= (uint32_t)BIOST_WARN_BLANK_LINES;
        return 1;
    }
    for (at = r->lines[i].at; at < end; ++at) {
        biost_fault fault = ref_base_fault(r, i, at);
        if (fault != BIOST_FAULT_NONE) {
            size_t blanks = ref_blanks(r, i);
            ref_bad_byte(r, fault, i, at);
            r->bad.a = at == r->lines[i].at + blanks ? blanks : 0;
            return 0;
        }
    }
    for (at = r->lines[i].at; at < end; ++at) {
        if (ref_is_blank_byte(r->text[at])) {
            r->warnings |= (uint32_t)BIOST_WARN_BLANKS_REMOVED;
            ++r->blank_count;
        } else {
            ref_add_base(r, r->text[at]);
        }
    }
    return 1;
}

/* Whether a FASTA record ends before line i. */
static int ref_ends_fasta(const ref *r, size_t i) {
    uint8_t first = r->text[r->lines[i].at];
    return first == '>' || (first == '@' && r->options.mixed);
}

/* A FASTA record goes up to the next line that starts with '>'. Returns that line, or 0 after a fault. */
static size_t ref_fasta(ref *r, size_t title) {
    size_t i;
    if (!ref_title(r, title)) {
        return 0;
    }
    for (i = title + 1; i < r->line_count && !ref_ends_fasta(r, i); ++i) {
        if ((!r->by_runs && !ref_fits(r, i)) || !ref_fasta_line(r, i)) {
            return 0;
        }
    }
    ref_deliver(r, title, i);
    return i;
}

/* The content of a FASTQ sequence line, which may end in blanks that are not wanted. */
static size_t ref_seq_bytes(const ref *r, size_t i) {
    size_t content = r->lines[i].bytes;
    while (r->options.strip_blanks && content > 0 &&
           ref_is_blank_byte(r->text[r->lines[i].at + content - 1])) {
        --content;
    }
    return content;
}

/* So many blanks at the end of a line are left out. */
static void ref_strip(ref *r, size_t blanks) {
    r->blank_count += blanks;
    r->warnings |= blanks > 0 ? (uint32_t)BIOST_WARN_BLANKS_REMOVED : 0u;
}

/* One more line of bases, the first of which line `first` is. Which fault comes first is the order here. */
static int ref_seq_line(ref *r, size_t i, size_t first) {
    const ref_line *line = &r->lines[i];
    size_t content = ref_seq_bytes(r, i), k;
    uint8_t byte = content == 0 ? 0 : r->text[line->at];
    if (content == 0 && !line->has_feed) { /* cut off in it */
        ref_strip(r, line->bytes);
        return ref_truncated(r, i);
    }
    if (r->options.four_lines && i == first + 1) {
        return content == 0 ? ref_bad(r, BIOST_FAULT_BAD_SEP, i, line->at)
                            : ref_bad_byte(r, BIOST_FAULT_BAD_SEP, i, line->at);
    }
    if (i == first + 1 && ref_seq_bytes(r, first) == 0) {
        return ref_bad(r, BIOST_FAULT_BAD_SEQ, first, r->lines[first].at);
    }
    if (content == 0 && i > first) {
        return ref_bad(r, BIOST_FAULT_BAD_SEQ, i, line->at);
    }
    if (content > 0 && byte == '+') {
        return ref_bad(r, BIOST_FAULT_BAD_SEQ, i, line->at);
    }
    if (content > 0 && (byte == '@' || byte == '>')) {
        return ref_bad_byte(r, i == first ? BIOST_FAULT_BAD_SEQ_BYTE : BIOST_FAULT_BAD_SEP, i, line->at);
    }
    if (!ref_printable(r, i, content, 33, BIOST_FAULT_BAD_SEQ_BYTE)) {
        return 0;
    }
    for (k = 0; k < content; ++k) { /* letters are looked at when all else is known to be good */
        ref_add(&r->seqs, r->text[line->at + k]);
    }
    ref_strip(r, line->bytes - content);
    return 1;
}

/* The '+' line: it says nothing, or the title, or the name. */
static int ref_plus(ref *r, size_t title, size_t i) {
    const uint8_t *plus = r->text + r->lines[i].at + 1;
    size_t content = r->lines[i].bytes - 1;
    int is_cut = !r->lines[i].has_feed && r->seqs.count > r->seq; /* the rest of it may be missing */
    ref_record record;
    if (!ref_title_bytes(r, i)) {
        return 0;
    }
    ref_title_of(r, title, &record);
    if (r->options.ignore_plus || content == 0) {
        return 1;
    }
    if ((content == record.title_bytes || (is_cut && content < record.title_bytes)) &&
        memcmp(plus, r->text + record.title, content) == 0) {
        return 1;
    }
    if ((content == record.name_bytes || (is_cut && content < record.name_bytes)) &&
        memcmp(plus, r->text + record.name, content) == 0) {
        return 1;
    }
    return ref_bad(r, BIOST_FAULT_PLUS_MISMATCH, i, r->lines[i].at);
}

/*
 * Quality took several lines, the last of them i - 1. It is believed where a record, a blank line or the
 * end follows; blanks that reach past the cap by 3 count as a blank line.
 */
static int ref_look(ref *r, size_t i) {
    size_t blanks;
    if (i == r->line_count || r->text[r->lines[i].at] == '@' || ref_is_blank(r, i) ||
        (r->text[r->lines[i].at] == '>' && r->options.mixed)) {
        return 1;
    }
    blanks = ref_blanks(r, i);
    if (blanks > 0 && r->lines[i].at + blanks - r->record_at > r->max &&
        r->lines[i].at + blanks - r->record_at - r->max >= 3) {
        return 1;
    }
    return ref_bad_length(r, i - 1, r->quals.count - r->qual - r->lines[i - 1].bytes);
}

/* A line of quality, of which `first` is the first. */
static int ref_qual_line(ref *r, size_t i, size_t first) {
    const ref_line *line = &r->lines[i];
    size_t bases = r->seqs.count - r->seq, total = r->quals.count - r->qual, k;
    int is_short = line->bytes < bases;
    if (line->bytes == 0 && bases > 0) {
        return line->has_feed ? ref_bad_length(r, i, total) : ref_truncated(r, i);
    }
    if (total + line->bytes > bases) {
        return ref_bad_length(r, i, i == first ? line->bytes : total);
    }
    if (r->options.four_lines && is_short && line->has_feed) {
        return ref_bad_length(r, i, line->bytes);
    }
    if (!ref_printable(r, i, line->bytes, r->options.phred64 ? 64 : 33, BIOST_FAULT_BAD_QUAL_BYTE)) {
        return 0;
    }
    for (k = 0; k < line->bytes; ++k) {
        uint8_t byte = r->text[line->at + k];
        ref_add(&r->quals, (uint8_t)(r->options.phred64 ? byte - 31 : byte));
    }
    return 1;
}

/* The sequence lines [first, plus) of a record that is good otherwise: their letters. */
static int ref_letters(ref *r, size_t first, size_t plus) {
    size_t i, at;
    r->seqs.count = r->seq;
    for (i = first; i < plus; ++i) {
        for (at = r->lines[i].at; at < r->lines[i].at + ref_seq_bytes(r, i); ++at) {
            if (!ref_has_letter(r, r->text[at]) && !r->options.replace_letters) {
                return ref_bad_byte(r, BIOST_FAULT_BAD_LETTER, i, at);
            }
        }
    }
    for (i = first; i < plus; ++i) {
        for (at = r->lines[i].at; at < r->lines[i].at + ref_seq_bytes(r, i); ++at) {
            ref_add_base(r, r->text[at]);
        }
    }
    return 1;
}

/* Returns the line after the record, or 0 after a fault. */
static size_t ref_fastq(ref *r, size_t title) {
    size_t plus = title + 1, i;
    if (!ref_title(r, title)) {
        return 0;
    }
    for (;; ++plus) {
        if (!ref_has_line(r, plus)) {
            return 0;
        }
        if (plus > title + 1 && ref_first(r, plus) == '+') {
            break;
        }
        if (!ref_seq_line(r, plus, title + 1)) {
            return 0;
        }
    }
    if (!ref_plus(r, title, plus)) {
        return 0;
    }
    i = plus + 1;
    if (i < r->line_count || r->seqs.count > r->seq) { /* of an empty read this line may be missing */
        do {
            if (!ref_has_line(r, i) || !ref_qual_line(r, i, plus + 1)) {
                return 0;
            }
            ++i;
        } while (r->quals.count - r->qual < r->seqs.count - r->seq);
    }
    if ((i > plus + 2 && !ref_look(r, i)) || !ref_letters(r, title + 1, plus)) {
        return 0;
    }
    ref_deliver(r, title, i);
    return i;
}

/* ---- bad records ---- */

/* Do four lines of a record stand from line i on? */
static int ref_is_fastq(const ref *r, size_t i) {
    const ref_line *line = r->lines + i;
    return i + 3 < r->line_count && ref_first(r, i) == '@' && ref_first(r, i + 2) == '+' &&
           line[1].bytes == line[3].bytes && line[3].at + line[3].bytes - line[0].at <= r->max;
}

/* Bases of a FASTA record at fault: of its good lines, and of the last line up to the fault. */
static void ref_partial(ref *r) {
    uint32_t warnings = r->warnings;
    size_t at, i = (size_t)r->bad.line - 1;
    if (r->format != BIOST_FORMAT_FASTA) {
        return;
    }
    r->bad.partial_bases = r->seqs.count - r->seq;
    for (at = r->lines[i].at; i > r->start && at < r->bad.text_offset; ++at) {
        if (!ref_is_blank_byte(r->text[at])) {
            ref_add_base(r, r->text[at]);
        }
    }
    r->bad.partial_more = r->seqs.count - r->seq - r->bad.partial_bases;
    r->part_warnings |= r->warnings;
    r->warnings = warnings;
}

/*
 * The fault in r->bad: may it be left out, and where does reading go on? Returns 0: it is the error that
 * ends the records.
 */
static int ref_skip(ref *r, size_t *out_line) {
    int fastq = r->format == BIOST_FORMAT_FASTQ;
    size_t i = fastq ? r->start + 1 : (size_t)r->bad.line; /* lines count from 1 there */
    uint64_t count;
    ref_partial(r);
    if (r->skip_records >= r->options.skip_bad || r->format == BIOST_FORMAT_EMPTY) {
        return 0;
    }
    while (i < r->line_count && !(fastq ? ref_is_fastq(r, i) : r->text[r->lines[i].at] == '>')) {
        ++i;
    }
    count = fastq ? (i - r->start + 3) / 4 : 1; /* the title of FASTA's next record ends it */
    if ((i == r->line_count && r->bad.fault == BIOST_FAULT_TRUNCATED) ||
        count > r->options.skip_bad - r->skip_records) {
        return 0;
    }
    r->skip_records += count;
    r->skip_lines += i - r->start;
    if (r->skip_count == r->skip_capacity) {
        r->skip_capacity = r->skip_capacity * 2 + 16;
        r->skips = (ref_fault *)ref_grow(r->skips, r->skip_capacity, sizeof *r->skips);
    }
    r->skips[r->skip_count++] = r->bad;
    r->warnings |= (uint32_t)BIOST_WARN_SKIPPED_RECORDS;
    memset(&r->bad, 0, sizeof r->bad);
    ++r->record;
    *out_line = i;
    return 1;
}

/* ---- the text ---- */

/* A line at a border that is no record's: 1, go on after it. */
static int ref_border_line(ref *r, size_t i) {
    uint8_t first = ref_first(r, i);
    if (r->options.skip_comments && r->format == BIOST_FORMAT_EMPTY && (first == '#' || first == ';')) {
        return ref_comment(r, i);
    }
    if (ref_is_blank(r, i)) {
        if (r->options.pedantic) {
            return ref_bad(r, BIOST_FAULT_BLANK_LINE, i, r->lines[i].at);
        }
        r->warnings |= (uint32_t)BIOST_WARN_BLANK_LINES;
        return 1;
    }
    return 0;
}

/* skip_junk: the line at a border starts where a record does. Returns 0 if it has no record. */
static int ref_pass_junk(ref *r, size_t i) {
    ref_line *line = &r->lines[i];
    size_t junk = 0;
    while (junk < line->bytes && r->text[line->at + junk] != '>' && r->text[line->at + junk] != '@') {
        ++junk;
    }
    if (junk > 0) {
        r->warnings |= (uint32_t)BIOST_WARN_SKIPPED_COMMENTS;
    }
    line->at += junk;
    line->bytes -= junk;
    return line->bytes > 0;
}

/* What stands at line i. Returns the line to go on with, or 0 after a fault. */
static size_t ref_record_at(ref *r, size_t i) {
    uint8_t first;
    biost_format format;
    r->start = i;
    r->record_at = r->lines[i].at;
    r->seq = r->seqs.count;
    r->qual = r->quals.count;
    if (ref_border_line(r, i)) {
        return i + 1;
    }
    if (r->bad.fault != BIOST_FAULT_NONE) {
        return 0;
    }
    if (r->options.skip_junk && !ref_pass_junk(r, i)) {
        return i + 1;
    }
    r->record_at = r->lines[i].at;
    first = ref_first(r, i);
    format = first == '@' ? BIOST_FORMAT_FASTQ : first == '>' ? BIOST_FORMAT_FASTA : BIOST_FORMAT_EMPTY;
    if (format == BIOST_FORMAT_EMPTY ||
        (r->format != BIOST_FORMAT_EMPTY && r->format != format && !r->options.mixed)) {
        size_t blanks = ref_blanks(r, i);
        ref_bad_byte(r, BIOST_FAULT_BAD_START, i, r->lines[i].at + blanks);
        r->bad.a = blanks;
        return 0;
    }
    r->first_format = r->format == BIOST_FORMAT_EMPTY ? format : r->first_format;
    r->format = format;
    return format == BIOST_FORMAT_FASTA ? ref_fasta(r, i) : ref_fastq(r, i);
}

static void ref_text(ref *r) {
    size_t i = 0;
    while (i < r->line_count) {
        size_t next = ref_record_at(r, i);
        if (r->bad.fault != BIOST_FAULT_NONE && !ref_skip(r, &next)) {
            return;
        }
        i = next;
    }
    if (r->options.require_record && r->record_count == 0) {
        r->bad.fault = BIOST_FAULT_NO_RECORD;
    }
}

/* Parse a text, which must stay until ref_free. options: NULL = none. max: UINT64_MAX = no cap. */
TEST_MAYBE_UNUSED static void ref_parse(ref *r, const void *text, size_t text_bytes, uint64_t max,
                                        const biost_text_rules *options, int by_runs) {
    memset(r, 0, sizeof *r);
    r->text = (const uint8_t *)text;
    r->text_bytes = text_bytes;
    r->max = max;
    r->by_runs = by_runs;
    if (options != NULL) {
        r->options = *options;
    }
    ref_add(&r->seqs, 0); /* neither pool is NULL, even where there are no bases */
    ref_add(&r->quals, 0);
    if (text_bytes >= 2 && (memcmp(text, "\xFE\xFF", 2) == 0 || memcmp(text, "\xFF\xFE", 2) == 0)) {
        ref_bad_byte(r, BIOST_FAULT_UTF16, 0, 0);
    } else if (text_bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        r->warnings = (uint32_t)BIOST_WARN_BOM;
        ref_split(r, 3);
        ref_text(r);
    } else {
        ref_split(r, 0);
        ref_text(r);
    }
}

/* ---- statistics ---- */

/* 10^(-score/10) x 2^31, rounded: step by step from 2^31 by the tenth root of 1/10. */
static uint64_t ref_error_of(unsigned score) {
    long double value = 2147483648.0L;
    while (score-- > 0) {
        value *= 0.794328234724281502065918282836387933L;
    }
    return (uint64_t)(value + 0.5L);
}

/* One loop a number. qual: Phred + 33, or NULL. */
TEST_MAYBE_UNUSED static void ref_stats(const uint8_t *seq, const uint8_t *qual, size_t bases,
                                        biost_stats *out) {
    static uint64_t errors[94]; /* 0: not known yet */
    size_t i;
    memset(out, 0, sizeof *out);
    for (i = 0; i < bases; ++i) {
        out->acgt_count += memchr("ACGTacgt", seq[i], 8) != NULL;
        out->gc_count += memchr("GCgc", seq[i], 4) != NULL;
        out->n_count += memchr("Nn", seq[i], 2) != NULL;
    }
    for (i = 0; qual != NULL && i < bases; ++i) {
        unsigned score = (unsigned)qual[i] - 33u;
        if (errors[score] == 0) {
            errors[score] = ref_error_of(score);
        }
        out->qual_sum += score;
        out->error_sum += errors[score];
        out->qual_min = i == 0 || score < out->qual_min ? score : out->qual_min;
        out->qual_max = score > out->qual_max ? score : out->qual_max;
    }
}

#endif /* RECORDS_ORACLE_H */
