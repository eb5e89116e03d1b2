/*
 * test_records.c - the FASTQ and FASTA grammar: the hard cases of tests/data/semantics, a table with
 * a row for each rule, every prefix of small files, caps, resuming, and a second parser
 * (records_oracle.h: all lines first, then rules over the array) that must agree on mutated input.
 *
 * Every text is parsed whole and in pieces. After each piece what is still needed is moved to a fresh
 * block of exactly its size, so a sanitizer sees one byte too many; and all that a run says (records,
 * numbers, fault, warnings) is written to a log, so that two runs agree exactly if their logs do.
 *
 * rooms: records lines
 * needs: data
 */
#include "white.h"

#include "test.h"

#include "sha256.h"

#include "records_oracle.h"

#define TEXT(literal) (literal), sizeof(literal) - 1
#define NO_CAP        UINT64_MAX

/* ---- bytes that grow ---- */

typedef struct log_bytes {
    uint8_t *data;
    size_t bytes;
    size_t capacity;
} log_bytes;

static void log_add(log_bytes *log, const void *from, size_t bytes) {
    if (log->bytes + bytes > log->capacity) {
        log->capacity = (log->bytes + bytes) * 2 + 256;
        log->data = (uint8_t *)realloc(log->data, log->capacity);
        if (log->data == NULL) {
            exit(1);
        }
    }
    if (bytes > 0) {
        memcpy(log->data + log->bytes, from, bytes);
    }
    log->bytes += bytes;
}

static void log_text(log_bytes *log, const char *text) {
    log_add(log, text, strlen(text));
}

static void log_number(log_bytes *log, const char *name, uint64_t value) {
    char line[64];
    snprintf(line, sizeof line, " %s=%llu", name, (unsigned long long)value);
    log_text(log, line);
}

/* ---- what a run says ---- */

typedef struct outcome {
    log_bytes records; /* canonical: @title LF seq LF + LF qual LF, or >title LF seq LF */
    log_bytes log;     /* all of it, with every number                                  */
    uint64_t record_count;
    uint64_t base_count;
    biost_format format;
    uint32_t warnings;
    bsi_bad bad; /* fault NONE: END came */
} outcome;

static void outcome_free(outcome *out) {
    free(out->records.data);
    free(out->log.data);
}

static void outcome_add_record(outcome *out, const uint8_t *title, size_t title_bytes, const uint8_t *seq,
                               size_t bases, const uint8_t *qual) {
    log_bytes *records = &out->records;
    log_text(records, qual == NULL ? ">" : "@");
    log_add(records, title, title_bytes);
    log_text(records, "\n");
    log_add(records, seq, bases);
    if (qual != NULL) {
        log_text(records, "\n+\n");
        log_add(records, qual, bases);
    }
    log_text(records, "\n");
    ++out->record_count;
    out->base_count += bases;
}

static void outcome_log_place(outcome *out, uint64_t record, uint64_t line, uint64_t text_offset,
                              uint64_t text_bytes) {
    log_number(&out->log, "record", record);
    log_number(&out->log, "line", line);
    log_number(&out->log, "at", text_offset);
    log_number(&out->log, "text", text_bytes);
    log_text(&out->log, "\n");
}

/* The end of the log: verdict, numbers, warnings, and the bases that stand before a FASTA fault. */
static void outcome_close(outcome *out, const uint8_t *partial, size_t partial_bases) {
    const bsi_bad *bad = &out->bad;
    log_number(&out->log, "fault", (uint64_t)bad->fault);
    log_number(&out->log, "byte", bad->byte);
    log_number(&out->log, "record", bad->record);
    log_number(&out->log, "line", bad->line);
    log_number(&out->log, "at", bad->text_offset);
    log_number(&out->log, "a", bad->a);
    log_number(&out->log, "b", bad->b);
    log_number(&out->log, "format", (uint64_t)out->format);
    log_number(&out->log, "warnings", out->warnings);
    log_number(&out->log, "partial", partial_bases);
    log_text(&out->log, "\n");
    log_add(&out->log, partial, partial_bases);
    log_text(&out->log, "\nrecords\n");
    log_add(&out->log, out->records.data, out->records.bytes);
}

/* ---- the machine, fed in pieces ---- */

enum { WHOLE = 0, RANDOM_PIECES = -1 }; /* or a positive number: pieces of so many bytes */

typedef struct feeder {
    const uint8_t *source;
    size_t source_bytes;
    size_t fed; /* of the source                                            */
    int piece;
    int late; /* the end is said with an empty piece of its own           */
    uint64_t random;
    uint8_t *text; /* the block the machine sees: exactly text_bytes         */
    size_t text_bytes;
    int ended;
} feeder;

/* Keep the text from `position` on, add a piece, in a fresh block. */
static void feeder_more(feeder *feed, size_t position) {
    size_t kept = feed->text_bytes - position;
    size_t left = feed->source_bytes - feed->fed;
    size_t take = feed->piece == WHOLE           ? left
                  : feed->piece == RANDOM_PIECES ? (size_t)(test_random(&feed->random) % 8)
                                                 : (size_t)feed->piece;
    uint8_t *block;
    int is_end = feed->fed == feed->source_bytes;
    take = take < left ? take : left;
    block = test_copy(NULL, kept + take);
    if (kept > 0) {
        memcpy(block, feed->text + position, kept);
    }
    if (take > 0) {
        memcpy(block + kept, feed->source + feed->fed, take);
    }
    free(feed->text);
    feed->text = block;
    feed->text_bytes = kept + take;
    feed->fed += take;
    feed->ended = feed->late ? is_end : feed->fed == feed->source_bytes;
}

/* A view must lie in its text and say where it came from. `source` is the text of the whole file. */
static void check_view(const bsi_records_view *view, const feeder *feed, biost_format format,
                       uint64_t expected_record) {
    uint64_t line = 1;
    uint64_t at;
    char mark = format == BIOST_FORMAT_FASTQ ? '@' : '>';
    int is_fastq = format == BIOST_FORMAT_FASTQ;
    CHECK_EQ_U64(view->record, expected_record);
    CHECK(view->start + view->text_bytes <= feed->text_bytes);
    CHECK(view->flags == 0 && 1 + view->title_bytes <= view->text_bytes);
    CHECK(view->seq + view->bases <= view->text_bytes);
    CHECK(view->qual + (is_fastq ? view->bases : 0) <= view->text_bytes);
    CHECK((view->qual > 0) == is_fastq);
    if (!CHECK(view->text_offset + view->text_bytes <= feed->fed)) {
        return;
    }
    CHECK(feed->source[view->text_offset] == mark && feed->text[view->start] == mark);
    CHECK(memcmp(feed->source + view->text_offset + 1, feed->text + view->start + 1, view->title_bytes) == 0);
    for (at = 0; at < view->text_offset; ++at) {
        line += feed->source[at] == '\n';
    }
    CHECK_EQ_U64(view->line, line);
}

/* Bytes outside [start, end) of the text must be those of `before`. */
static void check_outside(const uint8_t *text, const uint8_t *before, size_t text_bytes, size_t start,
                          size_t end) {
    CHECK(memcmp(text, before, start) == 0);
    CHECK(memcmp(text + end, before + end, text_bytes - end) == 0);
}

static void outcome_record(outcome *out, const bsi_records_view *view, const bsi_records *records,
                           const feeder *feed) {
    const uint8_t *first = feed->text + view->start;
    const uint8_t *qual = records->format == BIOST_FORMAT_FASTQ ? first + view->qual : NULL;
    check_view(view, feed, records->format, out->record_count);
    outcome_log_place(out, view->record, view->line, view->text_offset, view->text_bytes);
    outcome_add_record(out, first + 1, view->title_bytes, first + view->seq, view->bases, qual);
}

/* Run the machine over a text. Free the outcome with outcome_free. */
static void run(outcome *out, const void *text, size_t text_bytes, uint64_t max_record_bytes, int piece,
                int late) {
    bsi_records records;
    bsi_records_view view;
    bsi_records_status status;
    feeder feed;
    size_t position = 0;
    uint8_t *before = test_copy(text, text_bytes);
    memset(out, 0, sizeof *out);
    memset(&feed, 0, sizeof feed);
    feed.source = (const uint8_t *)text;
    feed.source_bytes = text_bytes;
    feed.piece = piece;
    feed.late = late;
    feed.random = test_seed() + text_bytes;
    feed.text = test_copy(NULL, 0);
    bsi_records_begin(&records, max_record_bytes);
    for (;;) {
        status = bsi_records_next(&records, feed.text, feed.text_bytes, feed.ended, &position, &view);
        if (!CHECK(position <= feed.text_bytes)) {
            break;
        }
        if (status == BSI_RECORDS_RECORD) {
            CHECK(position == view.start + view.text_bytes);
            outcome_record(out, &view, &records, &feed);
            if (piece == WHOLE && !late) { /* the text was never moved */
                check_outside(feed.text, before, text_bytes, view.start, position);
                memcpy(before, feed.text, text_bytes);
            }
        } else if (status == BSI_RECORDS_NEED_TEXT) {
            if (!CHECK(!feed.ended)) {
                break;
            }
            CHECK(max_record_bytes == NO_CAP || feed.text_bytes - position < max_record_bytes + 4);
            feeder_more(&feed, position);
            position = 0;
        } else {
            break;
        }
    }
    if (status == BSI_RECORDS_END) {
        CHECK(feed.ended && position == feed.text_bytes && feed.fed == text_bytes);
    }
    /* Both ends stay. */
    CHECK(bsi_records_next(&records, feed.text, feed.text_bytes, feed.ended, &position, &view) == status);
    CHECK((status == BSI_RECORDS_BAD) == (records.bad.fault != BIOST_FAULT_NONE));
    out->format = records.format;
    out->warnings = records.warnings;
    out->bad = records.bad;
    outcome_close(out, feed.text + position + records.seq_offset, records.partial_bases);
    free(feed.text);
    free(before);
}

static int same_log(const outcome *a, const outcome *b) {
    return a->log.bytes == b->log.bytes && memcmp(a->log.data, b->log.data, a->log.bytes) == 0;
}

/* Run whole, and in pieces; all must say the same. The whole run is the outcome. */
static void run_all_cuts(outcome *out, const void *text, size_t text_bytes, uint64_t max_record_bytes) {
    static const int pieces[] = {1, 1, 2, 3, 7, RANDOM_PIECES, WHOLE};
    size_t i;
    run(out, text, text_bytes, max_record_bytes, WHOLE, 0);
    for (i = 0; i < sizeof pieces / sizeof pieces[0]; ++i) {
        outcome cut;
        run(&cut, text, text_bytes, max_record_bytes, pieces[i], i > 0);
        if (!CHECK(same_log(&cut, out))) {
            printf("    pieces of %d:\n%.*s\n    whole:\n%.*s\n", pieces[i], (int)cut.log.bytes,
                   (const char *)cut.log.data, (int)out->log.bytes, (const char *)out->log.data);
        }
        outcome_free(&cut);
    }
}

/* ---- the hard cases ---- */

typedef struct fault_name {
    const char *name;
    biost_fault fault;
} fault_name;

static const fault_name fault_names[] = {
    {"-", BIOST_FAULT_NONE},
    {"BAD_START", BIOST_FAULT_BAD_START},
    {"CR_IN_LINE", BIOST_FAULT_CR_IN_LINE},
    {"NUL", BIOST_FAULT_NUL},
    {"BAD_SEQ", BIOST_FAULT_BAD_SEQ},
    {"BAD_SEQ_BYTE", BIOST_FAULT_BAD_SEQ_BYTE},
    {"BAD_SEP", BIOST_FAULT_BAD_SEP},
    {"PLUS_MISMATCH", BIOST_FAULT_PLUS_MISMATCH},
    {"BAD_QUAL_BYTE", BIOST_FAULT_BAD_QUAL_BYTE},
    {"LENGTH", BIOST_FAULT_LENGTH},
    {"GT_IN_SEQ", BIOST_FAULT_GT_IN_SEQ},
    {"FASTQ_IN_FASTA", BIOST_FAULT_FASTQ_IN_FASTA},
    {"COMMENT_LINE", BIOST_FAULT_COMMENT_LINE},
    {"TRUNCATED", BIOST_FAULT_TRUNCATED},
    {"UTF16", BIOST_FAULT_UTF16},
};

static biost_fault fault_of(const char *name) {
    size_t i;
    for (i = 0; i < sizeof fault_names / sizeof fault_names[0]; ++i) {
        if (strcmp(fault_names[i].name, name) == 0) {
            return fault_names[i].fault;
        }
    }
    test_note("fault %s of EXPECTED.tsv is unknown to this test", name);
    CHECK(0);
    return BIOST_FAULT_COUNT;
}

/* Fields: file, format, verdict, records, bases, sha256, fault, line. */
static void check_hard_case(char *fields[8]) {
    static const char *const formats[] = {"empty", "fasta", "fastq"};
    char path[256];
    char hex[65];
    uint8_t *text;
    size_t text_bytes;
    outcome out;
    test_note("%s", fields[0]);
    snprintf(path, sizeof path, "%s/semantics/%s", TEST_DATA, fields[0]);
    text = test_read_file(path, &text_bytes);
    if (text == NULL) {
        return;
    }
    run_all_cuts(&out, text, text_bytes, NO_CAP);
    CHECK_STR(out.bad.fault == BIOST_FAULT_NONE ? "valid" : "invalid", fields[2]);
    CHECK_STR(formats[out.format], strcmp(fields[1], "-") == 0 ? "empty" : fields[1]);
    CHECK_EQ_U64(out.record_count, strtoull(fields[3], NULL, 10));
    CHECK_EQ_U64(out.base_count, strtoull(fields[4], NULL, 10));
    CHECK_EQ_U64(out.bad.fault, fault_of(fields[6]));
    CHECK_EQ_U64(out.bad.line, strtoull(fields[7], NULL, 10)); /* "-" reads as 0 */
    if (fields[5][0] != '-') {
        sha256_hex(out.records.data, out.records.bytes, hex);
        CHECK_STR(hex, fields[5]);
    }
    outcome_free(&out);
    free(text);
}

TEST(records, hard_cases) {
    size_t bytes;
    uint8_t *table = test_read_file(TEST_DATA "/semantics/EXPECTED.tsv", &bytes);
    uint8_t *at = table;
    uint8_t *end;
    unsigned cases = 0;
    REQUIRE(table != NULL);
    end = table + bytes;
    while (at < end) {
        char *fields[8];
        int count = 0;
        fields[count++] = (char *)at;
        for (; at < end && *at != '\n'; ++at) {
            if (*at == '\t' && count < 8) {
                *at = 0;
                fields[count++] = (char *)at + 1;
            }
        }
        if (at < end) {
            *at++ = 0;
        }
        if (count == 8 && strncmp(fields[0], "fastx/", 6) == 0) {
            check_hard_case(fields);
            ++cases;
        }
    }
    test_note("number of cases");
    CHECK_EQ_U64(cases, 100);
    free(table);
}

/* ---- one row for each rule ---- */

enum { BOM = 1, BLANK = 2, REMOVED = 4 }; /* the warnings' bits, as the manual numbers them */

typedef struct rule_row {
    const char *what;
    const char *text;
    size_t text_bytes;
    const char *records; /* canonical */
    biost_fault fault;
    uint64_t line;
    uint64_t text_offset;
    uint64_t a, b;
    uint32_t warnings;
} rule_row;

#define GOOD(what, literal, records, warnings) \
    { what, TEXT(literal), records, BIOST_FAULT_NONE, 0, 0, 0, 0, warnings }
#define FAIL(what, literal, records, fault, line, at) \
    { what, TEXT(literal), records, BIOST_FAULT_##fault, line, at, 0, 0, 0 }
#define FAIL_AB(what, literal, records, fault, line, at, a, b) \
    { what, TEXT(literal), records, BIOST_FAULT_##fault, line, at, a, b, 0 }
#define FAIL_WARN(what, literal, records, fault, line, at, warnings) \
    { what, TEXT(literal), records, BIOST_FAULT_##fault, line, at, 0, 0, warnings }

static const rule_row rule_rows[] = {
    /* the start, borders, marks */
    GOOD("nothing", "", "", 0), GOOD("only blank lines", "\n \t\n\r\n", "", BLANK),
    GOOD("only blanks, no end", "  ", "", BLANK),
    GOOD("a lone CR at the end is a blank line", "\r", "", BLANK),
    GOOD("UTF-8 mark alone", "\xEF\xBB\xBF", "", BOM),
    GOOD("UTF-8 mark, blank line, record", "\xEF\xBB\xBF\n>a\nA\n", ">a\nA\n", BOM | BLANK),
    FAIL("two of three bytes of a mark", "\xEF\xBB", "", BAD_START, 1, 0),
    FAIL("one byte of a UTF-16 mark", "\xFE", "", BAD_START, 1, 0),
    FAIL("almost a UTF-16 mark", "\xFE\xFE>a\n", "", BAD_START, 1, 0),
    FAIL("almost the other", "\xFF\xFF>a\n", "", BAD_START, 1, 0),
    FAIL("almost a mark", "\xEF\xBB\xBE>a\nA\n", "", BAD_START, 1, 0),
    FAIL_WARN("a second mark", "\xEF\xBB\xBF\xEF\xBB\xBF>a\n", "", BAD_START, 1, 3, BOM),
    FAIL("mark at a later border", "@a\nA\n+\nI\n\xEF\xBB\xBF@b\nA\n+\nI\n", "@a\nA\n+\nI\n", BAD_START, 5,
         9),
    FAIL("UTF-16, big end first", "\xFE\xFF\0@\0a", "", UTF16, 1, 0),
    FAIL("UTF-16, little end first", "\xFF\xFE@\0a\0", "", UTF16, 1, 0),
    FAIL("UTF-16 mark alone", "\xFF\xFE", "", UTF16, 1, 0), FAIL("NUL first", "\0", "", BAD_START, 1, 0),
    FAIL_AB("blanks before '>'", "  >a\nA\n", "", BAD_START, 1, 2, 2, 0),
    FAIL_WARN("CR inside a border line", "\n\r@a\nA\n+\nI\n", "", BAD_START, 2, 1, BLANK),
    FAIL("two CR are no line end", "\r\r\n>a\n", "", BAD_START, 1, 0),
    FAIL("two CR at the end", "\r\r", "", BAD_START, 1, 0),
    FAIL_AB("NUL among blanks", " \0 \n>a\n", "", BAD_START, 1, 1, 1, 0),
    FAIL_WARN("junk after blank lines", "\n\nACGT\n>a\nA\n", "", BAD_START, 3, 2, BLANK),
    FAIL_AB("blanks before '@' later on", "@a\nA\n+\nI\n\t@b\nA\n+\nI\n", "@a\nA\n+\nI\n", BAD_START, 5, 10,
            1, 0),
    FAIL("a record of the other format", "@a\nA\n+\nI\n>b\nA\n", "@a\nA\n+\nI\n", BAD_START, 5, 9),
    GOOD("blank lines of all kinds at borders", "\n@a\nA\n+\nI\n\r\n \t\r\n@b\nC\n+\nJ\n\n ",
         "@a\nA\n+\nI\n@b\nC\n+\nJ\n", BLANK),

    /* line ends */
    GOOD("CRLF", ">a x\r\nAC\r\nG\r\n", ">a x\nACG\n", 0),
    GOOD("CRLF, last LF missing", "@a\r\nAC\r\n+\r\nIJ\r", "@a\nAC\n+\nIJ\n", 0),
    GOOD("CRLF, last line end missing", "@a\r\nAC\r\n+\r\nIJ", "@a\nAC\n+\nIJ\n", 0),
    GOOD("mixed ends", "@a\r\nAC\n+\nIJ\r\n@b\nG\r\n+\r\nK\n", "@a\nAC\n+\nIJ\n@b\nG\n+\nK\n", 0),
    FAIL("two CR before LF, title", "@a\r\r\nA\n+\nI\n", "", CR_IN_LINE, 1, 2),
    FAIL("two CR before LF, bases", ">a\nAC\r\r\n", "", CR_IN_LINE, 2, 5),
    FAIL("two CR before LF, '+'", "@a\nA\n+\r\r\nI\n", "", CR_IN_LINE, 3, 6),
    FAIL("two CR at the end, quality is longer", "@a\nA\n+\nI\r\r", "", LENGTH, 4, 7),
    FAIL("CR only", "@a\rA\r+\rI\r", "", CR_IN_LINE, 1, 2),
    FAIL("CR only, FASTA", ">a\rACGT\r", "", CR_IN_LINE, 1, 2),

    /* titles */
    GOOD("no name", ">\nA\n", ">\nA\n", 0), GOOD("blank title", "@ \t\nA\n+\nI\n", "@ \t\nA\n+\nI\n", 0),
    GOOD("any bytes in a title", ">a\x01\x7F\xFF\xC3\xA9 >;@+\nA\n", ">a\x01\x7F\xFF\xC3\xA9 >;@+\nA\n", 0),
    FAIL("NUL in a title", "@a\0b\nA\n+\nI\n", "", NUL, 1, 2),
    FAIL("the first of NUL and CR", "@a\rb\0\nA\n+\nI\n", "", CR_IN_LINE, 1, 2),
    FAIL("the first of CR and NUL", "@a\0b\rc\nA\n+\nI\n", "", NUL, 1, 2),
    FAIL("NUL before the text ends", "@a\0", "", NUL, 1, 2),

    /* FASTA */
    /* clang-format off */
    GOOD("several lines", ">a\nAC\nGT\nA\n>b\nTT\n", ">a\nACGTA\n>b\nTT\n", 0),
    GOOD("no last LF", ">a\nAC\nGT", ">a\nACGT\n", 0),
    GOOD("title only, no LF", ">a", ">a\n\n", 0),
    GOOD("titles only", ">a\n>b\n>\n", ">a\n\n>b\n\n>\n\n", 0),
    GOOD("blank lines inside", ">a\n\nAC\n \t\n\r\nGT\n\n>b\nA\n", ">a\nACGT\n>b\nA\n", BLANK),
    GOOD("blank lines, then the end", ">a\nA\n\n  ", ">a\nA\n", BLANK),
    GOOD("a lone CR ends the text", ">a\nA\n\r", ">a\nA\n", BLANK),
    GOOD("blanks are taken out", ">a\n A C\tG \nT T\n", ">a\nACGTT\n", REMOVED),
    FAIL("words after a title of PIR", ">P1;A\nCYTOCHROME B\nMD*\n", "", BAD_SEQ_BYTE, 2, 16),
    FAIL_WARN("a title of PIR, after others", ">a\nA C\n>XX;A\n \nC\n>DL;A\n A C\n", ">a\nAC\n>XX;A\nC\n",
              BAD_SEQ_BYTE, 7, 23, BLANK | REMOVED),
    GOOD("no words after a title like PIR's", ">P1;size=3\nAC\nG T\n", ">P1;size=3\nACGT\n", REMOVED),
    GOOD("everything else is kept", ">a\nacgtnRYKM.-*UX0123!~#\"\n", ">a\nacgtnRYKM.-*UX0123!~#\"\n", 0),
    GOOD("';' '@' '+' inside a line", ">a\nA;@+\n", ">a\nA;@+\n", 0),
    FAIL("'>' inside a line", ">a\nAC>b\nGG\n", "", GT_IN_SEQ, 2, 5),
    FAIL("'>' after a blank", ">a\nAC\n >b\n", "", GT_IN_SEQ, 3, 7),
    FAIL("'@' line", ">a\nAC\n@b\nGG\n", "", FASTQ_IN_FASTA, 3, 6),
    FAIL("'+' line", ">a\nAC\n+\nII\n", "", FASTQ_IN_FASTA, 3, 6),
    FAIL("';' line", ">a\nAC\n;b\nGG\n", "", COMMENT_LINE, 3, 6),
    FAIL("';' after a blank", ">a\nAC\n ;b\nGG\n", "", COMMENT_LINE, 3, 7),
    FAIL("'@' after blanks", ">a\n \t@C\n", "", FASTQ_IN_FASTA, 2, 5),
    FAIL("'+' after a tab", ">a\nAC\n\t+\n", "", FASTQ_IN_FASTA, 3, 7),
    GOOD("';' after a base", ">a\nA;\n", ">a\nA;\n", 0),
    FAIL("';' line first", ";b\n>a\nAC\n", "", BAD_START, 1, 0),
    FAIL("NUL in bases", ">a\nA\0C\n", "", NUL, 2, 4),
    FAIL("CR in bases", ">a\nA\rC\n", "", CR_IN_LINE, 2, 4),
    FAIL("control byte in bases", ">a\nA\x1F" "C\n", "", BAD_SEQ_BYTE, 2, 4),
    FAIL("DEL in bases", ">a\nA\x7F" "C\n", "", BAD_SEQ_BYTE, 2, 4),
    FAIL("high byte in bases", ">a\nA\x80" "C\n", "", BAD_SEQ_BYTE, 2, 4),
    FAIL("vertical tab is no blank", ">a\n\x0B\n", "", BAD_SEQ_BYTE, 2, 3),
    FAIL("the first of several, NUL", ">a\nA\0>\r\x7F\n", "", NUL, 2, 4),
    FAIL("the first of several, '>'", ">a\nA>\0\n", "", GT_IN_SEQ, 2, 4),
    FAIL("the first of several, high byte", ">a\nA\xFF\0\n", "", BAD_SEQ_BYTE, 2, 4),
    FAIL_WARN("blanks do not hide a byte", ">a\nA C\n  \x80\n", "", BAD_SEQ_BYTE, 3, 9, REMOVED),
    FAIL("records before a fault", ">a\nAC\n>b\nG\n>c\n;\n", ">a\nAC\n>b\nG\n", COMMENT_LINE, 6, 14),

    /* FASTQ: sequence */
    GOOD("four lines", "@a x\nACGT\n+\nIIII\n@b\nGG\n+\nJ!\n", "@a x\nACGT\n+\nIIII\n@b\nGG\n+\nJ!\n", 0),
    GOOD("title starts with '@'", "@@a\nA\n+\nI\n", "@@a\nA\n+\nI\n", 0),
    GOOD("all bytes allowed", "@a\n!~.-*0acg\n+\n!~+@>;#\"I\n", "@a\n!~.-*0acg\n+\n!~+@>;#\"I\n", 0),
    FAIL("first line starts with '+'", "@a\n+\n@b\nGG\n+\nII\n", "", BAD_SEQ, 2, 3),
    FAIL("first line starts with '@'", "@a\n@C\n+\nII\n", "", BAD_SEQ_BYTE, 2, 3),
    FAIL("first line starts with '>'", "@a\n>C\n+\nII\n", "", BAD_SEQ_BYTE, 2, 3),
    FAIL("first line empty, bases follow", "@a\n\nAC\n+\nII\n", "", BAD_SEQ, 2, 3),
    FAIL("two empty lines", "@a\n\n\n+\n\n", "", BAD_SEQ, 2, 3),
    FAIL("first line empty, a title follows", "@a\n\n@b\nA\n+\nI\n", "", BAD_SEQ, 2, 3),
    FAIL("first line empty, then the end", "@a\n\n", "", TRUNCATED, 2, 4),
    FAIL("first line is a lone CR", "@a\n\r", "", TRUNCATED, 2, 4),
    FAIL("second line is a lone CR", "@a\n\n\r", "", TRUNCATED, 3, 5),
    FAIL("blanks are no sequence", "@a\n  \n+\n\n", "", BAD_SEQ_BYTE, 2, 3),
    FAIL("empty line among the bases", "@a\nAC\n\nGT\n+\nIIII\n", "", BAD_SEQ, 3, 6),
    FAIL("empty line before '+'", "@a\nAC\n\n+\nII\n", "", BAD_SEQ, 3, 6),
    FAIL("no '+', a title follows", "@a\nAC\n@b\nAC\n+\nII\n", "", BAD_SEP, 3, 6),
    FAIL("no '+', '>' follows", "@a\nAC\n>b\nAC\n", "", BAD_SEP, 3, 6),
    FAIL("blank before '+'", "@a\nAC\n +\nII\n", "", BAD_SEQ_BYTE, 3, 6),
    FAIL("NUL in bases of FASTQ", "@a\nA\0\n+\nII\n", "", NUL, 2, 4),
    FAIL("CR in bases of FASTQ", "@a\nA\rC\n+\nIII\n", "", CR_IN_LINE, 2, 4),
    FAIL("tab in bases of FASTQ", "@a\nAC\t\n+\nIII\n", "", BAD_SEQ_BYTE, 2, 5),
    FAIL("high byte far in a line", "@a\nACGTACGTACGTACGTACGTACGTACGTACG\xE9\n+\n", "", BAD_SEQ_BYTE, 2,
         34),
    FAIL("bad byte in the second line", "@a\nAC\nG\x7FT\n+\nIIIII\n", "", BAD_SEQ_BYTE, 3, 7),
    GOOD("empty read", "@a\n\n+\n\n@b\nA\n+\nI\n", "@a\n\n+\n\n@b\nA\n+\nI\n", 0),
    GOOD("empty read, CRLF", "@a\r\n\r\n+\r\n\r\n@b\nA\n+\nI\n", "@a\n\n+\n\n@b\nA\n+\nI\n", 0),
    GOOD("empty read at the end, one line missing", "@a\n\n+\n", "@a\n\n+\n\n", 0),
    GOOD("empty read at the end, LF missing", "@a\n\n+", "@a\n\n+\n\n", 0),
    GOOD("empty read at the end, '+a'", "@a\n\n+a", "@a\n\n+\n\n", 0),
    GOOD("empty read at the end, lone CR", "@a\n\n+\n\r", "@a\n\n+\n\n", 0),
    FAIL("empty read, '+' cut off", "@ab\n\n+a", "", PLUS_MISMATCH, 3, 5),
    FAIL_AB("empty read with quality", "@a\n\n+\nII\n", "", LENGTH, 4, 6, 2, 0),
    FAIL_AB("empty read, its line missing", "@a\n\n+\n@b\nA\n+\nI\n", "", LENGTH, 4, 6, 2, 0),

    /* FASTQ: '+' */
    GOOD("'+' with the title", "@a x\nA\n+a x\nI\n", "@a x\nA\n+\nI\n", 0),
    GOOD("'+' with the name", "@a\tx\nA\n+a\nI\n", "@a\tx\nA\n+\nI\n", 0),
    GOOD("'+' with the name after blanks", "@ a x\nA\n+a\nI\n", "@ a x\nA\n+\nI\n", 0),
    GOOD("'+' with the title and its blanks", "@ a x\nA\n+ a x\nI\n", "@ a x\nA\n+\nI\n", 0),
    FAIL("'+' with another name", "@a\nA\n+b\nI\n", "", PLUS_MISMATCH, 3, 5),
    FAIL("'+' with a part of the title", "@a x\nA\n+a \nI\n", "", PLUS_MISMATCH, 3, 7),
    FAIL("'+' with more than the title", "@a\nA\n+a x\nI\n", "", PLUS_MISMATCH, 3, 5),
    FAIL("'+' with a part of the name", "@abc\nA\n+ab\nI\n", "", PLUS_MISMATCH, 3, 7),
    FAIL("'+' with blanks", "@a\nA\n+ \nI\n", "", PLUS_MISMATCH, 3, 5),
    FAIL("NUL in '+'", "@a\nA\n+a\0\nI\n", "", NUL, 3, 7),
    FAIL("NUL in '+' before its mismatch", "@a\nA\n+b\0\nI\n", "", NUL, 3, 7),
    FAIL("'+' cut off in the title", "@abc x\nA\n+abc ", "", TRUNCATED, 3, 14),
    FAIL("'+' cut off in the name", "@ abc x\nA\n+ab", "", TRUNCATED, 3, 13),
    FAIL("'+' cut off, all of it there", "@abc\nA\n+abc", "", TRUNCATED, 3, 11),
    FAIL("'+' cut off in CRLF", "@abc\r\nA\r\n+abc\r", "", TRUNCATED, 3, 14),
    FAIL("'+' cut off, but not this title's", "@abc\nA\n+b", "", PLUS_MISMATCH, 3, 7),

    /* FASTQ: quality */
    GOOD("quality '@' and '+'", "@a\nA\n+\n@\n@b\nC\n+\n+\n", "@a\nA\n+\n@\n@b\nC\n+\n+\n", 0),
    FAIL_AB("quality too long", "@a\nACGT\n+\nIIIII\n@b\n", "", LENGTH, 4, 10, 5, 4),
    FAIL_AB("quality too short, title eaten", "@a\nACGT\n+\nIII\n@b\nGG\n+\nII\n", "", LENGTH, 5, 14, 3, 4),
    FAIL_AB("too long comes before bad bytes", "@a\nA\n+\n\x80\0\n", "", LENGTH, 4, 7, 2, 1),
    FAIL("quality with a blank", "@a\nACG\n+\nI I\n", "", BAD_QUAL_BYTE, 4, 10),
    FAIL("quality with DEL", "@a\nACG\n+\nII\x7F\n", "", BAD_QUAL_BYTE, 4, 11),
    FAIL("quality with NUL", "@a\nACG\n+\n\0\x80I\n", "", NUL, 4, 9),
    FAIL("quality with CR", "@a\nACG\n+\nI\rI\n", "", CR_IN_LINE, 4, 10),
    FAIL("bad byte in the second line of quality", "@a\nACG\n+\nI\nI \n", "", BAD_QUAL_BYTE, 5, 12),
    FAIL_AB("no quality", "@a\nACG\n+\n\n", "", LENGTH, 4, 9, 0, 3),
    FAIL_AB("empty line inside quality", "@a\nACG\n+\nI\n\nII\n", "", LENGTH, 5, 11, 1, 3),
    FAIL("lone CR inside quality", "@a\nACG\n+\nI\n\r", "", TRUNCATED, 5, 12),

    /* FASTQ over several lines */
    GOOD("several lines", "@a\nAC\nG\n+\nI\nJK\n@b\nA\n+\nI\n", "@a\nACG\n+\nIJK\n@b\nA\n+\nI\n", 0),
    GOOD("several lines, CRLF", "@a\r\nAC\r\nG\r\n+\r\nI\r\nJK\r\n@b\r\nA\r\n+\r\nI\r\n",
         "@a\nACG\n+\nIJK\n@b\nA\n+\nI\n", 0),
    GOOD("sequence of three lines, quality of one", "@a\nAC\nG\nT\n+\nIJKL\n", "@a\nACGT\n+\nIJKL\n", 0),
    GOOD("sequence of two lines of a base, quality of one", "@a\nA\nC\n+\nIJ\n", "@a\nAC\n+\nIJ\n", 0),
    GOOD("quality lines start with '@' and '+'", "@a\nACGT\nAC\n+\n@III\n+I\n@b\nA\n+\n@\n",
         "@a\nACGTAC\n+\n@III+I\n@b\nA\n+\n@\n", 0),
    GOOD("several lines, then the end", "@a\nAC\n+\nI\nJ", "@a\nAC\n+\nIJ\n", 0),
    GOOD("several lines, then a blank line", "@a\nAC\n+\nI\nJ\n\n@b\nA\n+\nI\n",
         "@a\nAC\n+\nIJ\n@b\nA\n+\nI\n", BLANK),
    GOOD("several lines, then a line of blanks", "@a\nAC\n+\nI\nJ\n \t\r\n@b\nA\n+\nI\n",
         "@a\nAC\n+\nIJ\n@b\nA\n+\nI\n", BLANK),
    GOOD("several lines, then blanks and the end", "@a\nAC\n+\nI\nJ\n \t", "@a\nAC\n+\nIJ\n", BLANK),
    GOOD("several lines, then a lone CR", "@a\nAC\n+\nI\nJ\n\r", "@a\nAC\n+\nIJ\n", BLANK),
    FAIL_AB("a title was eaten", "@a\nACGT\n+\nII\n@b\nGG\n+\nII\n", "", LENGTH, 5, 13, 2, 4),
    FAIL_AB("several lines, then junk", "@a\nAC\n+\nI\nJ\nx\n", "", LENGTH, 5, 10, 1, 2),
    FAIL_AB("several lines, then '>'", "@a\nAC\n+\nI\nJ\n>b\nA\n", "", LENGTH, 5, 10, 1, 2),
    FAIL_AB("several lines, then blanks and junk", "@a\nAC\n+\nI\nJ\n  @b\n", "", LENGTH, 5, 10, 1, 2),
    FAIL_AB("several lines, then two CR", "@a\nAC\n+\nI\nJ\n\r\r\n", "", LENGTH, 5, 10, 1, 2),
    FAIL_AB("second line of quality too long", "@a\nACG\n+\nI\nIII\n", "", LENGTH, 5, 11, 1, 3),
    FAIL("one line of quality, then junk", "@a\nAC\nG\n+\nIII\nx\n", "@a\nACG\n+\nIII\n", BAD_START, 6, 14),

    /* the end of the text inside a record */
    FAIL("cut in the title", "@a", "", TRUNCATED, 1, 2),
    FAIL("cut after the title", "@a\n", "", TRUNCATED, 1, 3),
    FAIL("cut in the bases", "@a\nAC", "", TRUNCATED, 2, 5),
    FAIL("cut after the bases", "@a\nAC\n", "", TRUNCATED, 2, 6),
    FAIL("cut after '+'", "@a\nAC\n+", "", TRUNCATED, 3, 7),
    FAIL("cut after the '+' line", "@a\nAC\n+\n", "", TRUNCATED, 3, 8),
    FAIL("cut in the quality", "@a\nAC\n+\nI", "", TRUNCATED, 4, 9),
    FAIL("cut after a line of quality", "@a\nAC\n+\nI\n", "", TRUNCATED, 4, 10),
    FAIL("a lone '@'", "@", "", TRUNCATED, 1, 1),
    FAIL("a bad byte before the cut", "@a\nA\x80", "", BAD_SEQ_BYTE, 2, 4),
    FAIL("'@' before the cut", "@a\n@", "", BAD_SEQ_BYTE, 2, 3),
    /* clang-format on */
};

TEST(records, rules) {
    size_t i;
    for (i = 0; i < sizeof rule_rows / sizeof rule_rows[0]; ++i) {
        const rule_row *row = &rule_rows[i];
        outcome out;
        test_note("%s", row->what);
        run_all_cuts(&out, row->text, row->text_bytes, NO_CAP);
        CHECK_EQ_U64(out.bad.fault, row->fault);
        CHECK_EQ_U64(out.bad.line, row->line);
        CHECK_EQ_U64(out.bad.text_offset, row->text_offset);
        if (row->a != 0 || row->b != 0) {
            CHECK_EQ_U64(out.bad.a, row->a);
            CHECK_EQ_U64(out.bad.b, row->b);
        }
        CHECK_EQ_U64(out.bad.record, row->fault == BIOST_FAULT_NONE ? 0 : out.record_count);
        CHECK_EQ_U64(out.warnings, row->warnings);
        if (CHECK_EQ_U64(out.records.bytes, strlen(row->records))) {
            CHECK_MEM(out.records.data, row->records, out.records.bytes);
        }
        outcome_free(&out);
    }
}

/* The offending byte is named for faults of one byte. */
TEST(records, byte_of_fault) {
    static const struct {
        const char *text;
        size_t text_bytes;
        uint8_t byte;
    } rows[] = {
        {TEXT("x"), 'x'},
        {TEXT("  \x7F"), 0x7F},
        {TEXT("\xFE\xFF"), 0xFE},
        {TEXT("@a\nA\xE9\n"), 0xE9},
        {TEXT("@a\r\r\n"), '\r'},
        {TEXT("@a\nAC\n@b\n"), '@'},
        {TEXT("@a\nAC\n+\nI \n"), ' '},
        {TEXT(">a\nAC>\n"), '>'},
        {TEXT(">a\n;\n"), ';'},
        {TEXT(">a\n@\n"), '@'},
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        outcome out;
        test_note("row %u", (unsigned)i);
        run_all_cuts(&out, rows[i].text, rows[i].text_bytes, NO_CAP);
        CHECK(out.bad.fault != BIOST_FAULT_NONE);
        CHECK_EQ_U64(out.bad.byte, rows[i].byte);
        outcome_free(&out);
    }
}

/* Bases of whole good lines before a FASTA fault stay at hand; FASTQ hands out nothing of a bad record. */
TEST(records, partial_bases) {
    static const struct {
        const char *text;
        size_t text_bytes;
        const char *bases;
    } rows[] = {
        {TEXT(">a\nAC\nGT\nA>\n"), "ACGT"},     {TEXT(">a\nA C\n\nGT\n@\n"), "ACGT"},
        {TEXT(">z\nTT\n>a\nAC\nG\0T\n"), "AC"}, {TEXT(">a\nAC \x80\n"), ""},
        {TEXT(">z\nTT\n>a\0\nAC\n"), ""},       {TEXT("@a\nAC\nGT\n+\nII\n \n"), ""},
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        bsi_records records;
        bsi_records_view view;
        bsi_records_status status;
        size_t position = 0;
        uint8_t *text = test_copy(rows[i].text, rows[i].text_bytes);
        size_t bases = strlen(rows[i].bases);
        test_note("row %u", (unsigned)i);
        bsi_records_begin(&records, NO_CAP);
        do {
            status = bsi_records_next(&records, text, rows[i].text_bytes, 1, &position, &view);
        } while (status == BSI_RECORDS_RECORD);
        CHECK(status == BSI_RECORDS_BAD);
        if (CHECK_EQ_U64(records.partial_bases, bases) && bases > 0) {
            CHECK_MEM(text + position + records.seq_offset, rows[i].bases, bases);
        }
        free(text);
    }
}

/* One-line sequence and quality stay where they were; the views are those counted by hand. */
TEST(records, views) {
    /*                        0123 45678 901 2345 6789 */
    static const char text[] = "@a x\nACGT\n+\nIIII\n\n@b\nAC\nG\n+\nIJK\n";
    uint8_t *copy = test_copy(text, sizeof text - 1);
    bsi_records records;
    bsi_records_view view;
    size_t position = 0;
    bsi_records_begin(&records, NO_CAP);
    CHECK(bsi_records_next(&records, copy, sizeof text - 1, 1, &position, &view) == BSI_RECORDS_RECORD);
    CHECK_EQ_U64(view.start, 0);
    CHECK_EQ_U64(view.text_bytes, 17);
    CHECK_EQ_U64(view.flags, 0);
    CHECK_EQ_U64(view.title_bytes, 3);
    CHECK_EQ_U64(view.seq, 5);
    CHECK_EQ_U64(view.bases, 4);
    CHECK_EQ_U64(view.qual, 12);
    CHECK_EQ_U64(position, 17);
    CHECK_MEM(copy, text, sizeof text - 1);
    CHECK(bsi_records_next(&records, copy, sizeof text - 1, 1, &position, &view) == BSI_RECORDS_RECORD);
    CHECK_EQ_U64(view.start, 18);
    CHECK_EQ_U64(view.text_offset, 18);
    CHECK_EQ_U64(view.line, 6);
    CHECK_EQ_U64(view.text_bytes, 14);
    CHECK_EQ_U64(view.seq, 3);
    CHECK_EQ_U64(view.bases, 3);
    CHECK_EQ_U64(view.qual, 10);
    CHECK_MEM(copy + 18, "@b\nACG", 6);
    CHECK_MEM(copy + 26, text + 26, 6);
    CHECK(bsi_records_next(&records, copy, sizeof text - 1, 1, &position, &view) == BSI_RECORDS_END);
    free(copy);
}

TEST(records, names_and_comments) {
    static const struct {
        const char *title, *name, *comment;
        /* clang-format off */
    } rows[] = {
        {"", "", ""},
        {"a", "a", ""},
        {"a x y", "a", "x y"},
        {"a\tBC:Z:AC", "a", "BC:Z:AC"},
        {"  a  x", "a", " x"},
        {"\t a\t", "a", ""},
        {" \t ", "", ""},
        {"a\x01" "b c", "a\x01" "b", "c"},
    };
    /* clang-format on */
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        size_t title_bytes = strlen(rows[i].title);
        uint8_t *title = test_copy(rows[i].title, title_bytes);
        biost_record record;
        size_t start;
        size_t bytes;
        test_note("title %u", (unsigned)i);
        bsi_lines_name(title, title_bytes, &start, &bytes);
        CHECK_EQ_U64(bytes, strlen(rows[i].name));
        CHECK(start + bytes <= title_bytes && memcmp(title + start, rows[i].name, bytes) == 0);
        memset(&record, 0, sizeof record);
        record.title = (const char *)title;
        record.title_bytes = title_bytes;
        record.name_bytes = bytes;
        bsi_lines_fill_comment(&record, start);
        CHECK_EQ_U64(record.comment_bytes, strlen(rows[i].comment));
        CHECK(record.name == record.title + start);
        CHECK(record.comment + record.comment_bytes == record.title + title_bytes &&
              memcmp(record.comment, rows[i].comment, record.comment_bytes) == 0);
        free(title);
    }
}

/* ---- caps ---- */

TEST(records, cap) {
    static const struct {
        const char *what, *text;
        size_t text_bytes;
        uint64_t max_record_bytes; /* one below is too long, this is not */
        uint64_t line;             /* where it is too long               */
        uint64_t start;            /* of that record                     */
        uint64_t records;          /* before it                          */
    } rows[] = {
        {"title", TEXT(">abcd\n"), 5, 1, 0, 0},
        {"title, CRLF", TEXT(">abcd\r\n"), 5, 1, 0, 0},
        {"title, CR at the end", TEXT(">abcd\r"), 5, 1, 0, 0},
        {"title, no line end", TEXT(">abcd"), 5, 1, 0, 0},
        {"said before LENGTH", TEXT("@a\nA\n+\nII\r\n"), 9, 4, 0, 0},
        {"quality", TEXT("@a\nAC\n+\nII\n"), 10, 4, 0, 0},
        {"quality, CRLF", TEXT("@a\r\nAC\r\n+\r\nII\r\n"), 13, 4, 0, 0},
        {"quality, no line end", TEXT("@a\nAC\n+\nII"), 10, 4, 0, 0},
        {"quality, second record", TEXT("@a\nA\n+\nI\n@b\nAC\n+\nII\n"), 10, 8, 9, 1},
        {"quality, second line", TEXT("@a\nAC\n+\nI\nI\n@b\nA\n+\nI\n"), 11, 5, 0, 0},
        {"bases, third line", TEXT(">a\nAC\nGT\nAC\n"), 11, 4, 0, 0},
        {"blank line of FASTA", TEXT(">a\nAC\n    \n>b\n"), 10, 3, 0, 0},
        {"blank lines before do not count", TEXT("\n\n  \n>a\nA"), 4, 5, 5, 0},
        {"mark does not count", TEXT("\xEF\xBB\xBF>a\nA\n"), 4, 2, 3, 0},
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        uint64_t max = rows[i].max_record_bytes;
        outcome out;
        test_note("%s", rows[i].what);
        run_all_cuts(&out, rows[i].text, rows[i].text_bytes, max - 1);
        CHECK_EQ_U64(out.bad.fault, BIOST_FAULT_RECORD_TOO_LONG);
        CHECK_EQ_U64(out.bad.line, rows[i].line);
        CHECK_EQ_U64(out.bad.text_offset, rows[i].start + max - 1);
        CHECK_EQ_U64(out.bad.a, max - 1);
        CHECK_EQ_U64(out.bad.record, rows[i].records);
        CHECK_EQ_U64(out.record_count, rows[i].records);
        outcome_free(&out);
        run_all_cuts(&out, rows[i].text, rows[i].text_bytes, max);
        CHECK(out.bad.fault != BIOST_FAULT_RECORD_TOO_LONG);
        outcome_free(&out);
    }
}

/* Over the cap is said before anything else about that line, and a cap of 0 lets no record in. */
TEST(records, cap_comes_first) {
    outcome out;
    run_all_cuts(&out, TEXT("@a\nA\0\x80\n"), 4);
    CHECK_EQ_U64(out.bad.fault, BIOST_FAULT_RECORD_TOO_LONG);
    outcome_free(&out);
    run_all_cuts(&out, TEXT("@a\nA\0\x80\n"), 6);
    CHECK_EQ_U64(out.bad.fault, BIOST_FAULT_NUL);
    outcome_free(&out);
    run_all_cuts(&out, TEXT("\n\n@"), 0);
    CHECK_EQ_U64(out.bad.fault, BIOST_FAULT_RECORD_TOO_LONG);
    CHECK_EQ_U64(out.bad.line, 3);
    outcome_free(&out);
}

/* What a text may be instead is looked at in as many bytes as a record may have, and four. */
TEST(records, cap_bounds_what_is_looked_at) {
    uint64_t cap;
    for (cap = 0; cap < 300; cap = cap < 20 ? cap + 1 : cap + 40) {
        outcome out;
        run_all_cuts(&out, TEXT("\nr1\tACGT\tIIII\nr2\tACGT\tIIII\nr3\tACGT\tIIII\n"), cap);
        CHECK_EQ_U64(out.bad.fault, BIOST_FAULT_BAD_START);
        CHECK_EQ_U64(out.bad.line, 2);
        outcome_free(&out);
    }
}

/* A line of blanks after quality of several lines is looked at up to the cap, then believed. */
TEST(records, cap_bounds_the_look) {
    /* content of the record: 11 bytes; its text: 12; then blanks and a byte that is none */
    char text[64];
    outcome out;
    memcpy(text, "@a\nAC\n+\nI\nJ\n", 12);
    memset(text + 12, ' ', 8);
    text[20] = 'x';
    run_all_cuts(&out, text, 21, 64);
    CHECK_EQ_U64(out.bad.fault, BIOST_FAULT_LENGTH); /* 8 blanks, all looked at */
    CHECK_EQ_U64(out.record_count, 0);
    outcome_free(&out);
    run_all_cuts(&out, text, 21, 11); /* byte 11 + 3 is a blank still: believed */
    CHECK_EQ_U64(out.bad.fault, BIOST_FAULT_BAD_START);
    CHECK_EQ_U64(out.bad.text_offset, 20);
    CHECK_EQ_U64(out.bad.a, 8);
    CHECK_EQ_U64(out.record_count, 1);
    outcome_free(&out);
}

TEST(records, record_numbers_end) {
    static const char text[] = "@a\nA\n+\nI\n@b\nA\n+\nI\n";
    uint8_t *copy = test_copy(text, sizeof text - 1);
    bsi_records records;
    bsi_records_view view;
    size_t position = 0;
    bsi_records_resume(&records, NO_CAP, ((uint64_t)1 << 40) - 1, 100, 1000, BIOST_FORMAT_FASTQ);
    CHECK(bsi_records_next(&records, copy, sizeof text - 1, 1, &position, &view) == BSI_RECORDS_RECORD);
    CHECK_EQ_U64(view.record, ((uint64_t)1 << 40) - 1);
    CHECK(bsi_records_next(&records, copy, sizeof text - 1, 1, &position, &view) == BSI_RECORDS_BAD);
    CHECK_EQ_U64(records.bad.fault, BIOST_FAULT_TOO_MANY);
    CHECK_EQ_U64(records.bad.line, 104);
    CHECK_EQ_U64(records.bad.text_offset, 1009);
    free(copy);
}

/* A line that comes byte by byte is searched once: the search stands at the end of what was given. */
TEST(records, search_is_not_repeated) {
    uint8_t text[300];
    bsi_records records;
    bsi_records_view view;
    size_t bytes;
    memset(text, 'A', sizeof text);
    text[0] = '>';
    bsi_records_begin(&records, NO_CAP);
    for (bytes = 4; bytes <= sizeof text; ++bytes) { /* fewer may be another format's */
        size_t position = 0;
        CHECK(bsi_records_next(&records, text, bytes, 0, &position, &view) == BSI_RECORDS_NEED_TEXT);
        CHECK(position == 0 && records.searched_offset == bytes);
    }
}

static size_t joins_asked; /* of lines whose width was worth a look */

static size_t ask_join(uint8_t *to, const uint8_t *from, const uint8_t *end, size_t width, size_t feed_bytes,
                       int keep_gt) {
    joins_asked += width > 100;
    return bsi_check_join_scalar(to, from, end, width, feed_bytes, keep_gt);
}

/*
 * Lines as wide as a wide one are looked for after it, not again after each of many short ones that are blank or have
 * blanks: a look costs as much as a wide line.
 */
TEST(records, a_wide_line_is_looked_for_once) {
    static const char *const lines[] = {"\n", "A \n", " \n", "\tC\n"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        uint8_t text[2000];
        bsi_records records;
        bsi_records_view view;
        size_t bytes = 3, position = 0;
        memset(text, 'A', sizeof text);
        memcpy(text, ">a\n", 3);
        text[bytes + 500] = '\n';
        for (bytes += 501; bytes + strlen(lines[i]) <= sizeof text; bytes += strlen(lines[i])) {
            memcpy(text + bytes, lines[i], strlen(lines[i]));
        }
        bsi_records_begin(&records, NO_CAP);
        records.span = bsi_check_span_scalar;
        records.join = ask_join;
        joins_asked = 0;
        CHECK(bsi_records_next(&records, text, bytes, 1, &position, &view) == BSI_RECORDS_RECORD);
        CHECK(joins_asked >= 1 && joins_asked <= 2);
    }
}

/* ---- every prefix ---- */

typedef struct prefix_record {
    const char *text;
    size_t text_bytes;
    size_t complete_bytes; /* with so many of its bytes, and none after them, it is whole */
} prefix_record;

/*
 * FASTQ: a prefix holds the records whose complete_bytes fit in it; if it ends inside another it is
 * TRUNCATED at its end, on the line its last byte belongs to. Nothing else may come of a cut.
 */
static void check_prefixes(const prefix_record *parts, size_t part_count) {
    log_bytes file;
    size_t bytes;
    size_t i;
    memset(&file, 0, sizeof file);
    for (i = 0; i < part_count; ++i) {
        log_add(&file, parts[i].text, parts[i].text_bytes);
    }
    for (bytes = 0; bytes <= file.bytes; ++bytes) {
        size_t start = 0;
        uint64_t whole = 0;
        uint64_t lines = 0;
        int inside = 0;
        outcome out;
        for (i = 0; i < part_count && start < bytes; ++i) {
            int fits = start + parts[i].complete_bytes <= bytes;
            whole += (uint64_t)fits;
            inside = !fits;
            start += parts[i].text_bytes;
        }
        for (i = 0; i < bytes; ++i) {
            lines += file.data[i] == '\n' || i + 1 == bytes;
        }
        test_note("prefix of %u bytes", (unsigned)bytes);
        run_all_cuts(&out, file.data, bytes, NO_CAP);
        CHECK_EQ_U64(out.record_count, whole);
        CHECK_EQ_U64(out.bad.fault, inside ? BIOST_FAULT_TRUNCATED : BIOST_FAULT_NONE);
        CHECK_EQ_U64(out.bad.text_offset, inside ? bytes : 0);
        CHECK_EQ_U64(out.bad.line, inside ? lines : 0);
        outcome_free(&out);
    }
    free(file.data);
}

TEST(records, prefixes_of_fastq) {
    static const prefix_record plain[] = {{TEXT("@a x\nACGT\n+\nIIII\n"), 16},
                                          {TEXT("@b\nGG\n+b\nI!\n"), 11},
                                          {TEXT("@c c\nG\n+c c\n@\n"), 13}};
    static const prefix_record dos[] = {{TEXT("@a x\r\nAC\r\n+\r\nII\r\n"), 15},
                                        {TEXT("@b\r\nGG\r\n+b\r\nI!\r\n"), 14}};
    static const prefix_record several[] = {{TEXT("@a\nACGT\nAC\n+\n@II\n+II\n"), 20},
                                            {TEXT("@b y\nG\nG\nG\n+b y\nI\nI\nI\n"), 21},
                                            {TEXT("@c\nG\n+\n@\n\n \n"), 8}};
    static const prefix_record empty[] = {{TEXT("@a\n\n+\n\n"), 5}, {TEXT("@b\nG\n+\nI\n"), 8}};
    check_prefixes(plain, 3);
    check_prefixes(dos, 2);
    check_prefixes(several, 3);
    check_prefixes(empty, 2);
}

/* A cut FASTA file cannot be told from a whole one: every prefix is good, with the bases it holds. */
TEST(records, prefixes_of_fasta) {
    static const char text[] = ">a x\r\nACGT\r\nAC\r\n\n>b\nG G\tT\n>c\n";
    size_t bytes;
    for (bytes = 0; bytes < sizeof text; ++bytes) {
        uint64_t records = 0;
        uint64_t bases = 0;
        size_t i;
        outcome out;
        for (i = 0; i < bytes; ++i) {
            records += text[i] == '>';
            bases += text[i] == 'A' || text[i] == 'C' || text[i] == 'G' || text[i] == 'T';
        }
        test_note("prefix of %u bytes", (unsigned)bytes);
        run_all_cuts(&out, text, bytes, NO_CAP);
        CHECK_EQ_U64(out.bad.fault, BIOST_FAULT_NONE);
        CHECK_EQ_U64(out.record_count, records);
        CHECK_EQ_U64(out.base_count, bases);
        outcome_free(&out);
    }
}

/* ---- resuming ---- */

/* Run from a border on and compare with what the run from the start said of the same records. */
static void check_resume(const char *text, size_t text_bytes, uint64_t skip) {
    bsi_records first;
    bsi_records second;
    bsi_records_view a;
    bsi_records_view b;
    uint8_t *whole = test_copy(text, text_bytes);
    uint8_t *tail;
    size_t position = 0;
    size_t tail_position = 0;
    size_t cut;
    uint64_t i;
    bsi_records_status status;
    memset(&a, 0, sizeof a); /* padding too: they are compared as they lie */
    memset(&b, 0, sizeof b);
    bsi_records_begin(&first, NO_CAP);
    for (i = 0; i < skip; ++i) {
        CHECK(bsi_records_next(&first, whole, text_bytes, 1, &position, &a) == BSI_RECORDS_RECORD);
    }
    cut = position;
    tail = test_copy(text + cut, text_bytes - cut);
    bsi_records_resume(&second, NO_CAP, first.record, first.line, first.text_offset, first.format);
    CHECK_EQ_U64(first.text_offset, cut);
    do {
        status = bsi_records_next(&first, whole, text_bytes, 1, &position, &a);
        CHECK(bsi_records_next(&second, tail, text_bytes - cut, 1, &tail_position, &b) == status);
        if (status == BSI_RECORDS_RECORD) {
            CHECK(a.start == b.start + cut);
            b.start = a.start;
            CHECK(memcmp(&a, &b, sizeof a) == 0);
        }
    } while (status == BSI_RECORDS_RECORD);
    CHECK(first.bad.fault == second.bad.fault && first.bad.line == second.bad.line &&
          first.bad.record == second.bad.record && first.bad.text_offset == second.bad.text_offset);
    CHECK(memcmp(whole + cut, tail, text_bytes - cut) == 0);
    free(whole);
    free(tail);
}

TEST(records, resume) {
    static const char fastq[] = "\n@a\nAC\nG\n+\nI\nIJ\n\n@b\r\nA\r\n+\r\nI\r\n@c\nA\n+\nI\n@d\nA\nx";
    static const char fasta[] = ">a\nAC\nG\n\n>b\nA C\n>c\n>d\nA\n;\n";
    uint64_t skip;
    for (skip = 0; skip <= 3; ++skip) {
        test_note("after %u records", (unsigned)skip);
        check_resume(TEXT(fastq), skip);
        check_resume(TEXT(fasta), skip);
    }
}

/* No mark is looked for in the middle of a file. */
TEST(records, resume_sees_no_mark) {
    uint8_t text[] = {0xEF, 0xBB, 0xBF, '>', 'a', '\n'};
    bsi_records records;
    bsi_records_view view;
    size_t position = 0;
    bsi_records_resume(&records, NO_CAP, 1, 3, 10, BIOST_FORMAT_FASTA);
    CHECK(bsi_records_next(&records, text, sizeof text, 1, &position, &view) == BSI_RECORDS_BAD);
    CHECK_EQ_U64(records.bad.fault, BIOST_FAULT_BAD_START);
    CHECK_EQ_U64(records.bad.record, 1);
    CHECK_EQ_U64(records.bad.line, 3);
    CHECK_EQ_U64(records.bad.text_offset, 10);
}

/* ---- the second parser: records_oracle.h ---- */

static void slow_run(outcome *out, const uint8_t *text, size_t text_bytes, uint64_t max) {
    ref r;
    size_t i;
    memset(out, 0, sizeof *out);
    ref_parse(&r, text, text_bytes, max, NULL, 0);
    for (i = 0; i < r.record_count; ++i) {
        const ref_record *record = &r.records[i];
        const uint8_t *qual = r.quals.data + record->qual;
        outcome_log_place(out, record->id, record->line, record->text_offset, record->text_bytes);
        outcome_add_record(out, text + record->title, record->title_bytes, r.seqs.data + record->seq,
                           record->bases, r.format == BIOST_FORMAT_FASTQ ? qual : NULL);
    }
    out->format = r.format;
    out->warnings = r.warnings;
    out->bad.fault = r.bad.fault;
    out->bad.byte = r.bad.byte;
    out->bad.record = r.bad.record;
    out->bad.line = r.bad.line;
    out->bad.text_offset = r.bad.text_offset;
    out->bad.a = r.bad.a;
    out->bad.b = r.bad.b;
    outcome_close(out, r.seqs.data + r.bad.seq, r.bad.partial_bases);
    ref_free(&r);
}

/* ---- mutated input ---- */

enum { FUZZ_BYTES = 400 };

typedef struct fuzz_text {
    uint8_t data[FUZZ_BYTES];
    size_t bytes;
} fuzz_text;

/* Replace [at, at + old_bytes) by new bytes; longer than the room for it: left as it is. */
static void fuzz_splice(fuzz_text *text, size_t at, size_t old_bytes, const uint8_t *from, size_t new_bytes) {
    if (text->bytes - old_bytes + new_bytes > FUZZ_BYTES) {
        return;
    }
    memmove(text->data + at + new_bytes, text->data + at + old_bytes, text->bytes - at - old_bytes);
    memcpy(text->data + at, from, new_bytes);
    text->bytes = text->bytes - old_bytes + new_bytes;
}

/* The line that holds byte `at`: its start and its bytes with the LF. */
static size_t fuzz_line(const fuzz_text *text, size_t at, size_t *out_bytes) {
    size_t end = at;
    while (at > 0 && text->data[at - 1] != '\n') {
        --at;
    }
    while (end < text->bytes && text->data[end] != '\n') {
        ++end;
    }
    *out_bytes = end - at + (end < text->bytes);
    return at;
}

static void fuzz_edit(fuzz_text *text, uint64_t *random) {
    static const uint8_t bytes[] = {'\n', '\n', '\r', 0, ' ', '\t', '@', '+', '>', ';', 0x7F, 0xFF, 'A'};
    uint8_t copy[FUZZ_BYTES];
    uint8_t byte = bytes[test_random(random) % sizeof bytes];
    size_t at = text->bytes == 0 ? 0 : (size_t)(test_random(random) % text->bytes);
    size_t line_bytes;
    size_t line;
    size_t to;
    if (text->bytes == 0) {
        fuzz_splice(text, 0, 0, &byte, 1);
        return;
    }
    line = fuzz_line(text, at, &line_bytes);
    memcpy(copy, text->data + line, line_bytes);
    switch (test_random(random) % 9) {
    case 0:
    case 1: fuzz_splice(text, at, 0, &byte, 1); break;
    case 2:
    case 3: fuzz_splice(text, at, 1, &byte, 1); break;
    case 4: fuzz_splice(text, at, 1, &byte, 0); break;
    case 5: fuzz_splice(text, line, line_bytes, copy, 0); break;
    case 6: fuzz_splice(text, line, 0, copy, line_bytes); break;
    case 7: /* a line goes elsewhere */
        to = fuzz_line(text, (size_t)(test_random(random) % text->bytes), &to);
        fuzz_splice(text, to, 0, copy, line_bytes);
        break;
    default: text->bytes = at; break;
    }
}

static const struct {
    const char *text;
    size_t text_bytes;
} fuzz_seeds[] = {
    {TEXT("@a x\nACGT\n+\nIIII\n@b\nGG\n+b\nJ!\n@c\nA\n+\n@\n")},
    {TEXT("@a\r\nAC\r\n+\r\nII\r\n\r\n@b\r\n\r\n+\r\n\r\n@c\r\nG\r\n+c\r\n+\r\n")},
    {TEXT("@a\nAC\nGT\n+\nII\n@I\n@b y\nG\nG\nG\n+b y\nI\n+\nI\n\n@c\nG\n+\n@\n")},
    {TEXT("@a\nACGT\n+\nII\n@b\n@b\nGG\n+\nI\nI\n    \n@c\nGA\n+\nI\nI")},
    {TEXT("\xEF\xBB\xBF>a x\nACGT\nAC\n\n>b\nG G\tT\n>c\n>d\nAAAAAAAAAAAAAAAAAAAA\nCCCC\n")},
    {TEXT(">a\r\nACGT\r\nAC\r\n>b\r\n  1 acgt acgt\r\n>c;@+\r\nA*-.\r\n")},
    {TEXT("@ n m\nACGTACGTACGTACGTACGT\nACG\n+n\n!~IIIIIIIIIIIIIIIIII\nIII\n@o\nA\n+\nI\n")},
    {TEXT("\n \t\n@a\n\n+\n\n@b\n\n+b\n\n@\nA\n+\nI\n@c\nA\n+\nI")},
};

/* A page is reused: '>' of an older text may lie behind the new one, which still goes on with its last record. */
TEST(records, scan_ends_with_its_text) {
    static uint8_t text[128] = ">a\nAC\n>b\nGT\n>stale";
    static bsi_scan scan;
    bsi_records records;
    biost_text_rules rules;
    biost_record_row rows[4];
    bsi_scan_table table;
    size_t position = 0;
    memset(&rules, 0, sizeof rules);
    memset(&table, 0, sizeof table);
    bsi_kernels_check(&scan.kernels, bsi_cpu_features());
    bsi_records_resume(&records, NO_CAP, 0, 1, 0, BIOST_FORMAT_FASTA);
    bsi_records_set_rules(&records, &rules);
    table.rows = rows;
    table.capacity = 4;
    table.line = 1;
    table.text = text;
    bsi_scan_fasta_rows(&scan, &records, 12, &position, &table);
    CHECK_EQ_U64(table.count, 1);
    CHECK_EQ_U64(position, 6);
    CHECK_EQ_U64(records.record, 1);
    CHECK_EQ_U64(records.line, 3);
    bsi_scan_fasta_rows(&scan, &records, 13, &position, &table);
    CHECK_EQ_U64(table.count, 2);
    CHECK_EQ_U64(table.rows[1].line, 2);
}

TEST(records, agrees_with_second_parser) {
    uint64_t random = test_seed();
    unsigned good = 0;
    unsigned seen[BIOST_FAULT_COUNT];
    unsigned round;
    unsigned i;
    memset(seen, 0, sizeof seen);
    for (round = 0; round < 30000; ++round) {
        fuzz_text text;
        outcome slow_out;
        outcome out;
        unsigned seed = round % (unsigned)(sizeof fuzz_seeds / sizeof fuzz_seeds[0]);
        uint64_t edits = test_random(&random) % 6;
        uint64_t max = test_random(&random) % 4 == 0 ? test_random(&random) % 48 : NO_CAP;
        int late = (int)(test_random(&random) & 1);
        text.bytes = fuzz_seeds[seed].text_bytes;
        memcpy(text.data, fuzz_seeds[seed].text, text.bytes);
        while (edits-- > 0) {
            fuzz_edit(&text, &random);
        }
        test_note("round %u", round);
        slow_run(&slow_out, text.data, text.bytes, max);
        for (i = 0; i < 2; ++i) {
            run(&out, text.data, text.bytes, max, i == 0 ? WHOLE : RANDOM_PIECES, late);
            if (!CHECK(same_log(&out, &slow_out))) {
                printf("    text (cap %llu): %.*s\n    machine:\n%.*s\n    second:\n%.*s\n",
                       (unsigned long long)max, (int)text.bytes, (const char *)text.data, (int)out.log.bytes,
                       (const char *)out.log.data, (int)slow_out.log.bytes, (const char *)slow_out.log.data);
            }
            outcome_free(&out);
        }
        good += slow_out.bad.fault == BIOST_FAULT_NONE;
        ++seen[slow_out.bad.fault];
        outcome_free(&slow_out);
    }
    /* The mutations must reach what they are for. */
    CHECK(good > 1000);
    for (i = 0; i < sizeof fault_names / sizeof fault_names[0]; ++i) {
        test_note("fault %s, seen %u times", fault_names[i].name, seen[fault_names[i].fault]);
        CHECK(seen[fault_names[i].fault] >= 5 || fault_names[i].fault == BIOST_FAULT_UTF16);
    }
    CHECK(seen[BIOST_FAULT_RECORD_TOO_LONG] > 1000);
}
