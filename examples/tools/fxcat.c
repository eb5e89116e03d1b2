/*
 * fxcat - write the records of FASTQ and FASTA files in one fixed form to standard output.
 *
 * What it is for: one clean file out of many, and a look at what this library makes of a text. A
 * FASTQ record becomes four lines, '@' and its title as it stood, the sequence, '+', the quality; a
 * FASTA record two, '>' and its title, the sequence, which may be an empty line. Line ends are LF.
 * Packing, line lengths, CRLF and blank lines go; titles and letters stay.
 *
 *   cc -O2 examples/tools/fxcat.c -o fxcat -pthread
 *   ./fxcat lane1.fastq.gz lane2.fastq.gz | gzip > both.fastq.gz
 *   ./fxcat --skip-bad 10 --letters dna --replace-letters reads.fastq > clean.fastq
 *
 * Files come one after another, all FASTQ or all FASTA. The first that is bad ends the run, after
 * every good record before it. A FASTA record is written while it is read, so it may have any length;
 * if it turns out bad after its first pages, its beginning was written, without a line end. With
 * --skip-bad each record is held whole and written when it is known to be good.
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../../biostream.h"

#define FX_FLAGS                                                                                       \
    {"pedantic", "text.pedantic"}, {"four-lines", "text.four_lines"},                                  \
        {"require-record", "text.require_record"}, {"skip-comments", "text.skip_comments"},            \
        {"strip-blanks", "text.strip_blanks"}, {"keep-gt", "text.keep_gt"},                            \
        {"ignore-plus", "text.ignore_plus"}, {"phred64", "text.phred64"}, {"letters", "text.letters"}, \
        {"replace-letters", "text.replace_letters"}, {"skip-junk", "text.skip_junk"},                  \
        {"high-bytes", "text.high_bytes"}, {"mixed", "text.mixed"}, {"skip-bad", "text.skip_bad"},     \
        {"max-record", "max_record_bytes"},
#define FX_SAYS                                                                             \
    {"desc.max_record_bytes", "--max-record"},                                              \
        {"desc.text.loose goes with BIOST_TEXT_AS_KSEQ, require_record and skip_bad alone", \
         "--loose goes with no other rule but --skip-bad"},

#include "fx.h"

#define PROGRAM "fxcat"

/* What is written goes through here: small pieces are gathered, large ones go out as they lie. */
typedef struct output {
    char bytes[1 << 18];
    size_t used;
    int exit; /* where standard output takes no more                         */
} output;

typedef struct options {
    biost_reader_desc desc;
    int letters, verbose;
    biost_format format; /* of the files so far                                         */
    char pending[sizeof(((biost_error *)0)->text)]; /* a line of the log, not said yet; or ""  */
} options;

static const char *const about =
    "Write the records of FASTQ or FASTA files (plain, gzip, BGZF) to standard output: FASTQ in\n"
    "four lines, with '+' alone, FASTA in two. - is standard input. The first bad record ends it,\n"
    "also for the files that follow; every good one before was written, and of a bad one of FASTA\n"
    "perhaps its beginning, since what is long, or comes from a pipe in pieces, is written as it comes.\n"
    "--loose is a set of rules of its own, and takes no other rule but --skip-bad.\n";

/* ---- writing --------------------------------------------------------------- */

/* Send what was gathered. Returns 0 where standard output takes no more. */
static int flush_output(output *out) {
    size_t bytes = out->used;
    out->used = 0;
    return fx_write(PROGRAM, out->bytes, bytes, &out->exit);
}

static int put(output *out, const char *bytes, size_t count) {
    if (count > sizeof out->bytes - out->used && !flush_output(out)) {
        return 0;
    }
    if (count > sizeof out->bytes / 2) {
        return flush_output(out) && fx_write(PROGRAM, bytes, count, &out->exit);
    }
    memcpy(out->bytes + out->used, bytes, count);
    out->used += count;
    return 1;
}

/* Whether a FASTQ record lies in its page as it is to be written, but for its last line end. */
static int lies_ready(const char *text, const biost_record_row *row) {
    return row->seq == row->start + row->title_bytes + 2 && text[row->seq - 1] == '\n' &&
           row->qual == row->seq + row->bases + 3 && memcmp(text + row->seq + row->bases, "\n+\n", 3) == 0;
}

/*
 * Write as many records as lie ready one after the other, in one piece. At least one does. Returns
 * how many.
 */
static uint32_t put_ready(output *out, const biost_record_page *page, uint32_t first, int *out_good) {
    const biost_record_row *row = &page->rows[first], *rows_end = page->rows + page->row_count;
    uint32_t start = row->start;
    while (row + 1 < rows_end && row[1].start == row->qual + row->bases + 1 &&
           page->text[row[1].start - 1] == '\n' && lies_ready(page->text, row + 1)) {
        ++row;
    }
    *out_good = put(out, page->text + start, row->qual + row->bases - start) && put(out, "\n", 1);
    return (uint32_t)(row - page->rows) - first + 1;
}

static int put_fastq(output *out, const char *text, const biost_record_row *row) {
    return put(out, "@", 1) && put(out, text + row->start + 1, row->title_bytes) && put(out, "\n", 1) &&
           put(out, text + row->seq, row->bases) && put(out, "\n+\n", 3) &&
           put(out, text + row->qual, row->bases) && put(out, "\n", 1);
}

/* A run: its title if it is the first, its line end if it is the last. */
static int put_fasta(output *out, const char *text, const biost_record_row *row) {
    if (!(row->flags & BIOST_RUN_STARTED) &&
        !(put(out, ">", 1) && put(out, text + row->start + 1, row->title_bytes) && put(out, "\n", 1))) {
        return 0;
    }
    return put(out, text + row->seq, row->bases) &&
           ((row->flags & BIOST_RUN_GOES_ON) != 0 || put(out, "\n", 1));
}

static int put_page(output *out, const biost_record_page *page) {
    uint32_t i = 0;
    int good = 1;
    while (i < page->row_count && good) {
        const biost_record_row *row = &page->rows[i];
        if (page->format == BIOST_FORMAT_FASTA) {
            good = put_fasta(out, page->text, row);
            ++i;
        } else if (lies_ready(page->text, row)) {
            i += put_ready(out, page, i, &good);
        } else {
            good = put_fastq(out, page->text, row);
            ++i;
        }
    }
    return good;
}

static int put_record(output *out, const biost_record *record) {
    int good = put(out, record->qual != NULL ? "@" : ">", 1) &&
               put(out, record->title, record->title_bytes) && put(out, "\n", 1) &&
               put(out, record->seq, record->seq_bases) && put(out, "\n", 1);
    if (good && record->qual != NULL) {
        good = put(out, "+\n", 2) && put(out, record->qual, record->seq_bases) && put(out, "\n", 1);
    }
    return good;
}

/* ---- one file ---------------------------------------------------------------- */

/*
 * The log tells of records that were left out, and of the error too, which fx_fail says when all
 * before it was written. So a line waits until it is known not to be the error.
 */
static void say_pending(options *opt) {
    if (opt->pending[0] != '\0') {
        fx_complain(PROGRAM, opt->pending);
    }
    opt->pending[0] = '\0';
}

/* biost_log.line */
static void log_line(biost_result level, const char *sentence, void *user_data) {
    options *opt = (options *)user_data;
    (void)level;
    say_pending(opt);
    snprintf(opt->pending, sizeof opt->pending, "%s", sentence);
}

static int fail(options *opt, biost_result result, const biost_error *error) {
    if (error != NULL && strcmp(error->text, opt->pending) == 0) {
        opt->pending[0] = '\0';
    }
    say_pending(opt);
    return fx_fail(PROGRAM, result, error);
}

/* FASTQ after FASTA, or the reverse, would make a text that nobody can read. */
static int fits(options *opt, const char *name, biost_format format, output *out) {
    static const char *const formats[] = {"empty", "FASTA", "FASTQ"};
    if (opt->desc.text.mixed) {
        return 1;
    }
    if (opt->format == BIOST_FORMAT_EMPTY) {
        opt->format = format;
    }
    if (format != BIOST_FORMAT_EMPTY && format != opt->format) {
        fprintf(stderr, "%s: %s is %s, and the files before it are %s\n", PROGRAM, name, formats[format],
                formats[opt->format]);
        out->exit = FX_BAD_DATA;
        return 0;
    }
    return 1;
}

/*
 * Write the records. Returns what ended it: BIOST_OK where standard output takes no more; else END
 * or the reader's error.
 */
static biost_result copy_pages(biost_reader *reader, options *opt, const char *name, fx_bar *bar,
                               output *out) {
    biost_result result = BIOST_OK;
    biost_record_page page;
    int good = 1;
    while (good && (result = biost_reader_next_page(reader, &page)) == BIOST_OK) {
        good = fits(opt, name, page.format, out) && put_page(out, &page);
        biost_reader_release_page(reader, &page);
        fx_bar_reader(bar, reader);
    }
    return good && flush_output(out) ? result : BIOST_OK;
}

/* The same, each record whole. */
static biost_result copy_records(biost_reader *reader, options *opt, const char *name, fx_bar *bar,
                                 output *out) {
    biost_result result = BIOST_OK;
    biost_record record;
    int good = 1;
    while (good && (result = biost_reader_next(reader, &record)) == BIOST_OK) {
        good = fits(opt, name, record.qual != NULL ? BIOST_FORMAT_FASTQ : BIOST_FORMAT_FASTA, out) &&
               put_record(out, &record);
        fx_bar_reader(bar, reader);
    }
    return good && flush_output(out) ? result : BIOST_OK;
}

/* Write a file's records. Returns 1 to go on with the next file, 0 to stop with *out_exit. */
static int cat(const char *path, options *opt, output *out, int *out_exit) {
    const char *name = fx_name(path);
    biost_reader *reader;
    biost_error error;
    biost_result result = fx_open_reader(path, opt->desc, &reader, &error);
    biost_record_progress at;
    fx_bar bar;
    if (result != BIOST_OK) {
        *out_exit = fail(opt, result, &error);
        return 0;
    }
    fx_bar_begin(&bar, name, 1);
    result = opt->desc.text.skip_bad > 0 || opt->desc.text.mixed ? copy_records(reader, opt, name, &bar, out)
                                                                 : copy_pages(reader, opt, name, &bar, out);
    fx_bar_end(&bar);
    if (result == BIOST_OK) {
        *out_exit = out->exit;
    }
    if (result >= 0) {
        say_pending(opt);
    }
    if (opt->verbose) {
        biost_reader_progress(reader, &at);
        fx_print_warnings(PROGRAM, name,
                          biost_reader_warnings(reader) & ~(uint32_t)BIOST_WARN_SKIPPED_RECORDS);
        if (at.skipped_gaps > 0) {
            fprintf(stderr, "%s: %s: warning: ", PROGRAM, name);
            fx_print_skipped(at.skipped_count, at.skipped_lines, at.skipped_gaps);
        }
    }
    if (result < 0) {
        *out_exit = fail(opt, result, biost_reader_error(reader));
    }
    biost_reader_close(reader);
    return result == BIOST_END;
}

/* ---- flags --------------------------------------------------------------------- */

static uint32_t read_flags(int argc, char **argv, options *opt) {
    biost_text_rules *text = &opt->desc.text;
    const fx_flag flags[] = {
        {'t', "workers", "N", FX_U32, &opt->desc.workers, 0, 256,
         "threads that inflate BGZF (0: one per core, at most 8)"},
        {'v', "verbose", "", FX_SWITCH, &opt->verbose, 0, 0, "print warnings too"},
        {0, "pedantic", "", FX_SWITCH, &text->pedantic, 0, 0,
         "blank lines, blanks in FASTA, titles without a name are errors"},
        {0, "four-lines", "", FX_SWITCH, &text->four_lines, 0, 0,
         "FASTQ of more than four lines a record is an error"},
        {0, "require-record", "", FX_SWITCH, &text->require_record, 0, 0,
         "a file without any record is an error"},
        {0, "skip-comments", "", FX_SWITCH, &text->skip_comments, 0, 0,
         "leave out lines with '#' or ';' before the first record, ';' in FASTA"},
        {0, "strip-blanks", "", FX_SWITCH, &text->strip_blanks, 0, 0,
         "leave out blanks at the end of FASTQ sequence lines"},
        {0, "keep-gt", "", FX_SWITCH, &text->keep_gt, 0, 0, "'>' inside a FASTA line is a base"},
        {0, "ignore-plus", "", FX_SWITCH, &text->ignore_plus, 0, 0,
         "what stands after '+' need not be the title"},
        {0, "phred64", "", FX_SWITCH, &text->phred64, 0, 0,
         "qualities are Phred + 64, and are written as Phred + 33"},
        {0, "letters", "any|dna|iupac|rna|protein", FX_CHOICE, &opt->letters, 0, 0,
         "other letters in a sequence are an error"},
        {0, "replace-letters", "", FX_SWITCH, &text->replace_letters, 0, 0,
         "and become N instead (X for protein)"},
        {0, "skip-junk", "", FX_SWITCH, &text->skip_junk, 0, 0,
         "leave out what stands before the first record, or after a FASTQ record"},
        {0, "high-bytes", "", FX_SWITCH, &text->high_bytes, 0, 0,
         "bytes above 126 are bases and qualities too"},
        {0, "mixed", "", FX_SWITCH, &text->mixed, 0, 0, "a file may have FASTQ and FASTA records"},
        {0, "loose", "", FX_SWITCH, &text->loose, 0, 0,
         "take what kseq.h takes: --keep-gt, --ignore-plus, the three before this, and any byte anywhere"},
        {0, "skip-bad", "N", FX_U64, &text->skip_bad, 0, UINT64_MAX,
         "leave out N bad records of each file, and say so (FASTQ: 4 bad lines, or fewer, are one)"},
        {0, "max-record", "BYTES", FX_U64, &opt->desc.max_record_bytes, 1, UINT64_MAX,
         "longest FASTQ record and FASTA title; with --skip-bad any record (1073741824)"},
        {0, NULL, NULL, FX_SWITCH, NULL, 0, 0, NULL}};
    const fx_tool tool = {PROGRAM, "FILE...", about, flags};
    uint32_t file_count = fx_start(&tool, argc, argv);
    if (file_count == 0) {
        fx_usage(&tool, "no file is given (- is standard input)", "");
    }
    text->letters = (biost_letters_kind)opt->letters;
    if (text->loose) {
        text->skip_junk = text->high_bytes = text->mixed = text->keep_gt = text->ignore_plus = 1;
    }
    if (text->replace_letters && text->letters == BIOST_LETTERS_ANY) {
        fx_usage(&tool, "--replace-letters needs --letters: which are to stay?", "");
    }
    return file_count;
}

int main(int argc, char **argv) {
    static options opt;
    static output out;
    uint32_t file_count, file;
    int status = FX_OK;
    fx_arguments(&argc, &argv);
    file_count = read_flags(argc, argv, &opt);
    opt.desc.workers = opt.desc.workers > 0 ? opt.desc.workers : fx_cores(8);
    opt.desc.log.line = log_line;
    opt.desc.log.user_data = &opt;
    fx_raw_output();
    for (file = 0; file < file_count; ++file) {
        if (!cat(argv[file], &opt, &out, &status)) {
            break;
        }
    }
    return status;
}
