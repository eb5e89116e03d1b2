/*
 * fxcount - count the records and bases of FASTQ and FASTA files.
 *
 * What it is for: the first look at a file, and a check that it is whole: all of it is read, every
 * checksum compared, every record checked.
 *
 *   cc -O2 examples/tools/fxcount.c -o fxcount -pthread
 *   ./fxcount *.fastq.gz
 *
 * Standard output: a line of names, then a line per file, separated by tabs. A file that is bad
 * gets no line but a sentence on standard error; the next one is counted, and the exit code is 1.
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../../biostream.h"
#include "fx.h"

#define PROGRAM "fxcount"

/* What one file holds. */
typedef struct counts {
    uint64_t records, bases, shortest, longest;
    uint64_t gc, acgt, n;
    uint64_t length; /* of the record under way: a FASTA record comes in runs       */
} counts;

static const char *const about =
    "Count records and bases of FASTQ or FASTA files (plain, gzip, BGZF); - is standard input.\n"
    "Prints a line of names, then a line per file, separated by tabs:\n"
    "  #file  records  bases  min  mean  max  gc  n\n"
    "In the name of a file bytes outside 32..126, and the backslash, are written as \\xHH.\n"
    "min, mean (two decimals) and max are of the lengths of records, 0 without any. gc is G and C\n"
    "among A C G T, n is N among all bases, both cases, as fractions with four decimals (0.0000\n"
    "without any). A bad file gets no line but a sentence on standard error;\n"
    "the next one is counted.\n";

static void end_record(counts *sum) {
    if (sum->records == 0 || sum->length < sum->shortest) {
        sum->shortest = sum->length;
    }
    if (sum->length > sum->longest) {
        sum->longest = sum->length;
    }
    sum->records += 1;
    sum->bases += sum->length;
    sum->length = 0;
}

static void add_page(counts *sum, const biost_record_page *page) {
    uint32_t i;
    for (i = 0; i < page->row_count; ++i) {
        sum->length += page->rows[i].bases;
        sum->gc += page->stats[i].gc_count;
        sum->acgt += page->stats[i].acgt_count;
        sum->n += page->stats[i].n_count;
        if (!(page->rows[i].flags & BIOST_RUN_GOES_ON)) {
            end_record(sum);
        }
    }
}

static double share(uint64_t part, uint64_t whole) {
    return whole > 0 ? (double)part / (double)whole : 0;
}

static void print_counts(const char *name, const counts *sum) {
    fx_print_name(stdout, name);
    printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.2f\t%" PRIu64 "\t%.4f\t%.4f\n", sum->records,
           sum->bases, sum->shortest, share(sum->bases, sum->records), sum->longest,
           share(sum->gc, sum->acgt), share(sum->n, sum->bases));
}

/* Count a file and print its line. Returns an exit code. */
static int count(const char *path, uint32_t workers) {
    biost_reader_desc desc;
    biost_reader *reader;
    biost_record_page page;
    biost_error error;
    biost_result result;
    counts sum;
    fx_bar bar;
    int status = FX_OK;
    memset(&sum, 0, sizeof sum);
    memset(&desc, 0, sizeof desc);
    desc.stats = 1;
    desc.workers = workers;
    result = fx_open_reader(path, desc, &reader, &error);
    if (result != BIOST_OK) {
        return fx_fail(PROGRAM, result, &error);
    }
    fx_bar_begin(&bar, path, 0);
    while ((result = biost_reader_next_page(reader, &page)) == BIOST_OK) {
        add_page(&sum, &page);
        biost_reader_release_page(reader, &page);
        fx_bar_reader(&bar, reader);
    }
    fx_bar_end(&bar);
    if (result < 0) {
        status = fx_fail(PROGRAM, result, biost_reader_error(reader));
    } else {
        print_counts(fx_name(path), &sum);
    }
    biost_reader_close(reader);
    return status;
}

int main(int argc, char **argv) {
    uint32_t workers = 0, file_count, file;
    const fx_flag flags[] = {{'t', "workers", "N", FX_U32, &workers, 0, 256,
                              "threads that inflate BGZF (0: one per core, at most 8)"},
                             {0, NULL, NULL, FX_SWITCH, NULL, 0, 0, NULL}};
    const fx_tool tool = {PROGRAM, "FILE...", about, flags};
    int status = FX_OK, one, written = FX_OK;
    fx_arguments(&argc, &argv);
    file_count = fx_start(&tool, argc, argv);
    if (file_count == 0) {
        fx_usage(&tool, "no file is given (- is standard input)", "");
    }
    workers = workers > 0 ? workers : fx_cores(8);
    printf("#file\trecords\tbases\tmin\tmean\tmax\tgc\tn\n");
    for (file = 0; file < file_count; ++file) {
        one = count(argv[file], workers);
        status = one != FX_OK ? one : status;
        if (!fx_flush(PROGRAM, &written)) {
            return written;
        }
    }
    return status;
}
