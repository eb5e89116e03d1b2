/*
 * fxindex - make an index of a FASTQ or FASTA file, and take records out of it by their numbers.
 *
 * What it is for: a compressed file can be read from its start only, unless somebody notes points
 * where reading may begin, and what has to be known there. An index has one for each 128 KiB of the
 * file or so, for gzip, BGZF and plain files alike, and the record that starts there.
 *
 *   cc -O2 examples/tools/fxindex.c -o fxindex -pthread
 *   ./fxindex reads.fastq.gz                     writes reads.fastq.gz.bsx
 *   ./fxindex reads.fastq.gz 30000000 2          records 30000000 and 30000001, counted from 0
 *   ./fxindex --gzi reads.bgzf.fastq.gz          writes reads.bgzf.fastq.gz.gzi, as bgzip -r does
 *   ./fxindex --fai genome.fasta                 writes genome.fasta.fai, as samtools faidx does
 *
 * The first prints a line, separated by tabs:
 *   FILE  points N  spacing BYTES  records N  text BYTES  index BYTES
 * points are at least `spacing` bytes of the file apart; text is what the file holds, index what was
 * written. Records come out as fxcat writes them: FASTQ in four lines, FASTA in two.
 *
 * An index belongs to the file as it was: the index of another file, or of one that changed since, is
 * refused, and so is a damaged one. The same file can be used by fxunzip and fxbatch.
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../../biostream.h"

#define FX_DESC  "biost_index_desc"
#define FX_FLAGS {"budget", "budget_bytes"},
#define FX_SAYS  {"desc.index", "the index"},

#include "fx.h"
#include "fx_fai.h"
#include "fx_gzi.h"

#define PROGRAM "fxindex"

typedef struct options {
    const char *path;
    const char *index;      /* -o; NULL: beside the file                                   */
    uint64_t record, count; /* count 0: the index is to be made                            */
    uint64_t budget_bytes;
    uint32_t workers;
    int gzi, fai, stats;
} options;

/* How much of the file was read, with --stats. */
typedef struct counted {
    uint64_t read_bytes;
} counted;

static const char *const about =
    "Read FILE (plain, gzip, BGZF) once and write FILE.bsx, an index with which reading may begin\n"
    "anywhere in it; print the number of its points, the bytes of FILE from one to the next at\n"
    "least, and records, bytes of text and bytes of the index.\n"
    "\n"
    "With RECORD, counted from 0: write this record, or COUNT from it on, as FASTQ of four lines or\n"
    "FASTA of two. FILE.bsx is used if it is there, else FILE.gzi, which knows points but no\n"
    "records; else, or if it knows none near enough, what is before the record is read.\n"
    "\n"
    "With --fai: write FILE.fai of each FILE, plain FASTA or FASTQ, or BGZF, of which FILE.gzi is\n"
    "written too: where each sequence lies in the text, the bytes that samtools faidx writes.\n"
    "\n"
    "FILE cannot be standard input, which has no points.\n";

/* ---- names ----------------------------------------------------------------- */

/* The name of what lies beside a file, from malloc; NULL after a sentence. */
static char *name_beside(const char *path, const char *ending) {
    size_t path_bytes = strlen(path), ending_bytes = strlen(ending) + 1;
    char *name = (char *)malloc(path_bytes + ending_bytes);
    if (name == NULL) {
        fx_complain(PROGRAM, "out of memory");
        return NULL;
    }
    memcpy(name, path, path_bytes);
    memcpy(name + path_bytes, ending, ending_bytes);
    return name;
}

/* What -o says, or else the name beside the file; from malloc; NULL after a sentence. */
static char *name_index(const options *opt, const char *ending) {
    return opt->index != NULL ? name_beside(opt->index, "") : name_beside(opt->path, ending);
}

/*
 * The index that is to be used, from malloc. Returns 0 after a sentence, 1 with *out_name NULL where
 * there is none.
 */
static int find_index(const options *opt, char **out_name) {
    static const char *const endings[] = {".bsx", ".gzi"};
    size_t i;
    for (i = 0; i < sizeof endings / sizeof endings[0]; ++i) {
        *out_name = name_index(opt, endings[i]);
        if (*out_name == NULL) {
            return 0;
        }
        if (opt->index != NULL || fx_is_there(*out_name)) {
            return 1;
        }
        free(*out_name);
    }
    *out_name = NULL;
    return 1;
}

/* How an index that is no good is made again. */
static void say_again(const options *opt, const char *name) {
    fprintf(stderr, "%s: %s is made again by: %s%s", PROGRAM, name, PROGRAM, fx_is_gzi(name) ? " --gzi" : "");
    if (opt->index != NULL) {
        fprintf(stderr, " -o %s", opt->index);
    }
    fprintf(stderr, " %s\n", opt->path);
}

/* Print the error, and for an index that is no good how to make it again. Returns the exit code. */
static int fail(const options *opt, const char *name, biost_result result, const biost_error *error) {
    int status = fx_fail(PROGRAM, result, error);
    if (name != NULL && error != NULL &&
        (error->fault == BIOST_FAULT_INDEX_STALE || error->fault == BIOST_FAULT_INDEX_DAMAGED ||
         error->fault == BIOST_FAULT_INDEX_RULES)) {
        say_again(opt, name);
    }
    return status;
}

/* ---- making ------------------------------------------------------------------ */

/* Read the file to its verified end, which fills the index. */
static biost_result read_all(const options *opt, biost_index *index, biost_error *out_error) {
    biost_reader_desc desc;
    biost_reader *reader;
    biost_record_page page;
    biost_result result;
    fx_bar bar;
    memset(&desc, 0, sizeof desc);
    desc.path = opt->path;
    desc.workers = opt->workers > 0 ? opt->workers : fx_cores(8);
    desc.index = index;
    result = biost_reader_open(&desc, &reader, out_error);
    if (result != BIOST_OK) {
        return result;
    }
    fx_bar_begin(&bar, opt->path, 0);
    while ((result = biost_reader_next_page(reader, &page)) == BIOST_OK) {
        biost_reader_release_page(reader, &page);
        fx_bar_reader(&bar, reader);
    }
    fx_bar_end(&bar);
    if (biost_reader_error(reader) != NULL) {
        *out_error = *biost_reader_error(reader);
    }
    biost_reader_close(reader);
    return result == BIOST_END ? BIOST_OK : result;
}

/* Bytes of a file that was just written; 0: it cannot be read, or is a pipe or device. */
static uint64_t file_bytes(const char *path) {
    FILE *file = fx_look(path, NULL) == FX_FILE ? fx_open(path, "rb") : NULL;
    uint64_t bytes = 0;
    if (file != NULL) {
        bytes = fx_measure(file, &bytes) ? bytes : 0;
        fclose(file);
    }
    return bytes;
}

static int print_made(const options *opt, const biost_index *index, const char *name) {
    biost_index_info info;
    int status = FX_OK;
    biost_index_get_info(index, &info);
    fx_print_name(stdout, opt->path);
    printf("\tpoints %" PRIu64 "\tspacing %" PRIu64 "\trecords %" PRIu64, info.point_count,
           info.spacing_bytes, info.record_count);
    printf("\ttext %" PRIu64 "\tindex %" PRIu64 "\n", info.text_bytes, file_bytes(name));
    fx_flush(PROGRAM, &status);
    return status;
}

/* Make and write the index; a bad file gets none. Returns an exit code. */
static int make_index(const options *opt) {
    char *name = name_index(opt, ".bsx");
    biost_index_desc desc;
    biost_index *index = NULL;
    biost_error error;
    biost_result result;
    int status = FX_BAD_DATA;
    if (name == NULL) {
        return FX_BAD_DATA;
    }
    if (fx_check_indexable(PROGRAM, opt->path) != FX_OK ||
        fx_check_output(PROGRAM, name, opt->path) != FX_OK) {
        free(name);
        return FX_USAGE;
    }
    memset(&desc, 0, sizeof desc);
    memset(&error, 0, sizeof error);
    desc.budget_bytes = opt->budget_bytes;
    result = biost_index_open(&desc, &index, &error);
    if (result == BIOST_OK) {
        result = read_all(opt, index, &error);
    }
    if (result == BIOST_OK) {
        fx_before_save(PROGRAM, name);
        result = biost_index_save(index, name, &error);
    }
    status = result == BIOST_OK ? print_made(opt, index, name)
                                : fx_fail(PROGRAM, result, error.text[0] != '\0' ? &error : NULL);
    biost_index_close(index);
    free(name);
    return status;
}

/* Write the .gzi of a BGZF file as `name`. Returns an exit code. */
static int write_gzi(const char *path, const char *name) {
    fx_gzi gzi;
    int code = fx_check_output(PROGRAM, name, path);
    if (code != FX_OK) {
        return code;
    }
    fx_gzi_begin(&gzi, path, name);
    code = fx_gzi_make(&gzi) ? fx_gzi_save(&gzi, PROGRAM) : fx_gzi_fail(&gzi, PROGRAM);
    if (gzi.fault == FX_GZI_NO_BGZF) {
        fprintf(stderr, "%s: an index of another kind is made by: %s %s\n", PROGRAM, PROGRAM, path);
    }
    fx_gzi_end(&gzi);
    return code;
}

/* Make the .gzi that is asked for. Returns an exit code. */
static int make_gzi(const options *opt) {
    char *name = name_index(opt, ".gzi");
    int code = name != NULL ? write_gzi(opt->path, name) : FX_BAD_DATA;
    free(name);
    return code;
}

/* Whether a file begins as gzip does, and as BGZF, whose first extra field is BC. */
static void look_at_gzip(const char *path, int *out_is_gzip, int *out_is_bgzf) {
    FILE *file = fx_open(path, "rb");
    unsigned char head[14] = {0};
    size_t bytes = 0;
    if (file != NULL) {
        bytes = fread(head, 1, sizeof head, file);
        fclose(file);
    }
    *out_is_gzip = bytes >= 2 && head[0] == 0x1F && head[1] == 0x8B;
    *out_is_bgzf = *out_is_gzip && bytes == sizeof head && (head[3] & 4) != 0 && head[12] == 'B' &&
                   head[13] == 'C';
}

/* Give the text of the file to the index. Returns an exit code. */
static int fill_fai(const options *opt, const char *path, fx_fai *fai) {
    biost_stream_desc desc;
    biost_stream *stream;
    biost_page page;
    biost_error error;
    biost_result result;
    fx_bar bar;
    int good = 1;
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    desc.workers = opt->workers > 0 ? opt->workers : fx_cores(8);
    result = biost_stream_open(&desc, &stream, &error);
    if (result != BIOST_OK) {
        return fx_fail(PROGRAM, result, &error);
    }
    fx_bar_begin(&bar, path, 0);
    while (good && (result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
        good = fx_fai_take(fai, page.text, page.text_bytes);
        fx_bar_stream(&bar, stream);
    }
    fx_bar_end(&bar);
    if (good && result != BIOST_END) {
        good = fx_fail(PROGRAM, result, biost_stream_error(stream)) == FX_OK;
    } else if (good) {
        good = fx_fai_finish(fai);
    }
    biost_stream_close(stream);
    return good ? FX_OK : FX_BAD_DATA;
}

/* Write the .gzi beside a BGZF file: without it the .fai of such a file is of no use. Returns an exit code. */
static int write_gzi_beside(const char *path) {
    char *name = name_beside(path, ".gzi");
    int code = name != NULL ? write_gzi(path, name) : FX_BAD_DATA;
    free(name);
    return code;
}

/* Make and write the .fai of a file; a bad file gets none. Returns an exit code. */
static int make_fai(const options *opt, const char *path) {
    char *name = opt->index != NULL ? name_beside(opt->index, "") : name_beside(path, ".fai");
    int is_gzip, is_bgzf, status = FX_BAD_DATA;
    fx_fai fai;
    if (name == NULL) {
        return FX_BAD_DATA;
    }
    if (fx_check_indexable(PROGRAM, path) != FX_OK || fx_check_output(PROGRAM, name, path) != FX_OK) {
        free(name);
        return FX_USAGE;
    }
    look_at_gzip(path, &is_gzip, &is_bgzf);
    fx_fai_begin(&fai, PROGRAM, path);
    if (is_gzip && !is_bgzf) {
        fx_complain_of(PROGRAM, path, "is gzip, of which no part can be fetched",
                       "compress it with bgzip, or leave it plain");
    } else {
        status = fill_fai(opt, path, &fai);
        if (status == FX_OK && is_bgzf) {
            status = write_gzi_beside(path);
        }
        if (status == FX_OK) {
            status = fx_fai_save(&fai, name);
        }
    }
    fx_fai_end(&fai);
    free(name);
    return status;
}

/* The .fai of each file, also after one that is bad. Returns an exit code. */
static int make_fais(const options *opt, uint32_t count, char **paths) {
    uint32_t at;
    int status = FX_OK;
    for (at = 0; at < count; ++at) {
        int one = make_fai(opt, paths[at]);
        status = status == FX_OK ? one : status;
    }
    return status;
}

/* ---- a file whose bytes are counted --------------------------------------------- */

/* biost_files.read_at */
static int64_t counted_read_at(void *file, uint64_t offset, void *to, size_t bytes, void *user_data) {
    counted *sum = (counted *)user_data;
    const int64_t got = fx_files_read_at((FILE *)file, offset, to, bytes);
    sum->read_bytes += got > 0 ? (uint64_t)got : 0;
    return got;
}

/* biost_files.size */
static int64_t counted_size(void *file, void *user_data) {
    uint64_t bytes;
    (void)user_data;
    return fx_measure((FILE *)file, &bytes) ? (int64_t)bytes : -1;
}

/* ---- records by their numbers --------------------------------------------------- */

/* A run: its title if it is the first, its line end if it is the last. Returns 0 where writing failed. */
static int put_run(const biost_run *run) {
    const biost_record *record = &run->record;
    int good = 1;
    if (run->is_first) {
        good = putchar(record->qual != NULL ? '@' : '>') != EOF &&
               fwrite(record->title, 1, record->title_bytes, stdout) == record->title_bytes &&
               putchar('\n') != EOF;
    }
    good = good && fwrite(record->seq, 1, record->seq_bases, stdout) == record->seq_bases;
    if (good && run->is_last) {
        good = putchar('\n') != EOF;
    }
    if (good && record->qual != NULL) { /* a run of FASTQ is a record */
        good = fputs("+\n", stdout) != EOF &&
               fwrite(record->qual, 1, record->seq_bases, stdout) == record->seq_bases &&
               putchar('\n') != EOF;
    }
    return good;
}

/*
 * Write up to `count` records from where the reader is. Returns what ended it: OK where it was enough, or
 * standard output takes no more, with *out_exit; END before the first; else an error.
 */
static biost_result put_records(biost_reader *reader, uint64_t count, int *out_exit) {
    biost_result result = BIOST_OK;
    biost_run run;
    uint64_t done = 0;
    while (done < count && (result = biost_reader_next_run(reader, &run)) == BIOST_OK) {
        if (!put_run(&run)) {
            fx_output_failed(PROGRAM, errno, out_exit);
            return BIOST_OK;
        }
        done += run.is_last ? 1 : 0;
    }
    if (!fx_flush(PROGRAM, out_exit) || (result == BIOST_END && done > 0)) {
        return BIOST_OK;
    }
    return result;
}

/* The file ends before the record. Returns the exit code. */
static int say_no_record(const options *opt, biost_reader *reader, const biost_index *index) {
    biost_record_progress at;
    biost_index_info info;
    biost_reader_progress(reader, &at);
    if (index != NULL) {
        biost_index_get_info(index, &info);
        at.record_count = info.has_records ? info.record_count : at.record_count;
    }
    fprintf(stderr, "%s: ", PROGRAM);
    fx_print_name(stderr, opt->path);
    fprintf(stderr, ": there is no record %" PRIu64 ": the file has %" PRIu64 ", counted from 0\n",
            opt->record, at.record_count);
    return FX_BAD_DATA;
}

/* Seek and write. Returns an exit code. */
static int give_from(const options *opt, biost_reader *reader, const biost_index *index, const char *name) {
    int status = FX_OK;
    biost_result result = biost_reader_seek(reader, opt->record);
    if (result == BIOST_OK) {
        result = put_records(reader, opt->count, &status);
    }
    if (result == BIOST_END) {
        return say_no_record(opt, reader, index);
    }
    return result < 0 ? fail(opt, name, result, biost_reader_error(reader)) : status;
}

/* Several threads help where much is to be read, and cost time where little is. */
static uint32_t threads(const options *opt, const biost_index *index) {
    biost_index_info info;
    memset(&info, 0, sizeof info);
    if (index != NULL) {
        biost_index_get_info(index, &info);
    }
    return opt->workers > 0 ? opt->workers : info.has_records ? 1 : fx_cores(8);
}

static void print_stats(const char *name, double seconds, const counted *sum) {
    fprintf(stderr, "stats\tseconds %.6f\tsource %" PRIu64 " bytes\tindex %s\n", seconds, sum->read_bytes,
            name != NULL ? name : "none");
}

/* The records, by an index that is open, or NULL. Returns an exit code. */
static int give_by(const options *opt, biost_index *index, const char *name, counted *sum) {
    biost_reader_desc desc;
    biost_reader *reader;
    biost_error error;
    biost_result result;
    int status;
    memset(&desc, 0, sizeof desc);
    desc.path = opt->path;
    desc.workers = threads(opt, index);
    desc.index = index;
    if (opt->stats) {
        desc.files.open = fx_files_open;
        desc.files.read_at = counted_read_at;
        desc.files.size = counted_size;
        desc.files.close = fx_files_close;
        desc.files.user_data = sum;
    }
    result = biost_reader_open(&desc, &reader, &error);
    if (result != BIOST_OK) {
        return fail(opt, name, result, &error);
    }
    status = give_from(opt, reader, index, name);
    biost_reader_close(reader);
    return status;
}

/* Check a .gzi that is there; of no use for records, it must still be the file's. Returns an exit code. */
static int check_gzi(const options *opt, const char *name) {
    fx_gzi gzi;
    int status;
    fx_gzi_begin(&gzi, opt->path, name);
    status = fx_gzi_load(&gzi) ? FX_OK : fx_gzi_fail(&gzi, PROGRAM);
    if (gzi.fault == FX_GZI_DAMAGED || gzi.fault == FX_GZI_STALE) {
        say_again(opt, name);
    }
    fx_gzi_end(&gzi);
    return status;
}

/* Open the index, if it has a name; a .gzi gives none. Returns an exit code. */
static int load_index(const options *opt, const char *name, biost_index **out_index) {
    biost_error error;
    biost_result result;
    if (name == NULL) {
        return FX_OK;
    }
    if (fx_is_gzi(name)) {
        return check_gzi(opt, name);
    }
    result = biost_index_load(name, NULL, out_index, &error);
    return result == BIOST_OK ? FX_OK : fail(opt, name, result, &error);
}

/* Write the records that are asked for. Returns an exit code. */
static int give_records(const options *opt) {
    double start = fx_seconds();
    counted sum = {0};
    biost_index *index = NULL;
    char *name;
    int status;
    if (!find_index(opt, &name)) {
        return FX_BAD_DATA;
    }
    if (name != NULL && fx_check_indexable(PROGRAM, opt->path) != FX_OK) {
        free(name);
        return FX_USAGE;
    }
    status = load_index(opt, name, &index);
    if (status == FX_OK) {
        status = give_by(opt, index, name, &sum);
        if (opt->stats) {
            print_stats(name, fx_seconds() - start, &sum);
        }
    }
    biost_index_close(index);
    free(name);
    return status;
}

/* ---- flags --------------------------------------------------------------------- */

static void take_number(const fx_tool *tool, const char *what, const char *text, uint64_t *out_value) {
    if (!fx_parse_u64(text, out_value)) {
        fx_usage(tool, what, text[0] != '\0' ? text : "an empty text");
    }
}

/* FILE, or FILE... */
static void take_files(const fx_tool *tool, uint32_t count, char **files, const options *opt) {
    uint32_t at;
    if (count == 0) {
        fx_usage(tool, "no file is given", "");
    }
    if (opt->gzi) {
        fx_usage(tool, "--fai writes the .gzi of a BGZF file too: leave out --gzi", "");
    }
    if (count > 1 && opt->index != NULL) {
        fx_usage(tool, "-o names one index, and these are several files: ", files[1]);
    }
    for (at = 0; at < count; ++at) {
        if (fx_is_input(files[at])) {
            fx_usage(tool, "- (standard input) has no index: it can be read once only", "");
        }
    }
}

/* FILE, or FILE RECORD [COUNT]. */
static void take_arguments(const fx_tool *tool, uint32_t count, char **arguments, options *opt) {
    if (count == 0) {
        fx_usage(tool, "no file is given", "");
    }
    if (fx_is_input(arguments[0])) {
        fx_usage(tool, "- (standard input) has no index: it can be read once only", "");
    }
    if (count > 3) {
        fx_usage(tool, "one file at a time; this is too much: ", arguments[3]);
    }
    opt->path = arguments[0];
    if (count > 1 && opt->gzi) {
        fx_usage(tool, "--gzi wants a file and no record", "");
    }
    opt->count = count > 1 ? 1 : 0;
    if (count > 1) {
        take_number(tool, "RECORD is a whole number, counted from 0, not ", arguments[1], &opt->record);
    }
    if (count > 2) {
        take_number(tool, "COUNT is a whole number from 1 on, not ", arguments[2], &opt->count);
        if (opt->count == 0) {
            fx_usage(tool, "COUNT is a whole number from 1 on, not 0", "");
        }
    }
}

int main(int argc, char **argv) {
    options opt;
    const fx_flag flags[] = {
        {'o', "output", "INDEX", FX_TEXT, &opt.index, 0, 0,
         "the index that is written, or used (FILE.bsx, FILE.gzi)"},
        {'t', "workers", "N", FX_U32, &opt.workers, 0, 256,
         "threads that inflate (0: one per core, at most 8; with an index 1)"},
        {0, "gzi", "", FX_SWITCH, &opt.gzi, 0, 0,
         "write FILE.gzi of a BGZF file, as bgzip -r does, by the heads of blocks alone"},
        {0, "fai", "", FX_SWITCH, &opt.fai, 0, 0, "write FILE.fai of each FILE, as samtools faidx does"},
        {0, "budget", "BYTES", FX_U64, &opt.budget_bytes, 65536, UINT64_MAX,
         "most memory of the points; less makes fewer (16777216)"},
        {0, "stats", "", FX_SWITCH, &opt.stats, 0, 0,
         "with RECORD: print seconds, bytes of FILE read and the index used"},
        {0, NULL, NULL, FX_SWITCH, NULL, 0, 0, NULL}};
    const fx_tool tool = {PROGRAM, "FILE [RECORD [COUNT]] | --fai FILE...", about, flags};
    uint32_t count;
    memset(&opt, 0, sizeof opt);
    fx_arguments(&argc, &argv);
    count = fx_start(&tool, argc, argv);
    if (opt.fai) {
        take_files(&tool, count, argv, &opt);
        return make_fais(&opt, count, argv);
    }
    take_arguments(&tool, count, argv, &opt);
    if (opt.gzi) {
        return make_gzi(&opt);
    }
    return opt.count > 0 ? give_records(&opt) : make_index(&opt);
}
