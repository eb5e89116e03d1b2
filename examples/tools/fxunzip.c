/*
 * fxunzip - write the text of gzip, BGZF and plain files to standard output.
 *
 * What it is for: `gzip -dc` at the speed of this library. Plain gzip and BGZF are decoded by several
 * threads, and nothing is written of a BGZF block whose checksum is wrong; a file that was cut off,
 * damaged or followed by other bytes ends with a sentence that says where.
 *
 *   cc -O2 examples/tools/fxunzip.c -o fxunzip -pthread
 *   ./fxunzip reads.bgzf.fastq.gz | head
 *   ssh host cat reads.fastq.gz | ./fxunzip --stats - > reads.fastq
 *   ./fxunzip --from 5000000000 --index reads.fastq.gz.bsx reads.fastq.gz | head -n 4
 *
 * Files come one after another. The first bad one ends the run, or the next would be joined to a text
 * that was cut off.
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../../biostream.h"
#include "fx.h"
#include "fx_gzi.h"

#define PROGRAM "fxunzip"

typedef struct options {
    uint64_t from;     /* byte of the text to begin with                              */
    const char *index; /* a file, or NULL                                             */
    uint32_t workers;
    int stats, verbose;
} options;

/* What a file is read by. */
typedef struct entry {
    biost_index *index; /* of the library, or NULL                                       */
    fx_gzi gzi;         /* bgzip's: the file is read from the block at gzi.at on, else from its start */
    uint64_t blocks;    /* with text before that                                          */
} entry;

static const char *const about =
    "Write the text of gzip, BGZF and plain files, one after another, to standard output; - is\n"
    "standard input. The first bad file ends it; all good text before was written.\n"
    "\n"
    "--from and --index are for one file. With an index of it, which fxindex makes (or bgzip, as\n"
    "FILE.gzi), what is before the byte is not read; without one it is read and left out.\n"
    "\n"
    "--stats prints to standard error a line of names, then a line per file, separated by tabs:\n"
    "  file  source_bytes  text_bytes  members  bgzf_blocks  workers  seconds  MB/s\n"
    "  chunks_ahead  guessed  accepted  redecoded  busy_seconds\n"
    "members counts the gzip members that were verified, the BGZF blocks among them; MB/s is 10^6\n"
    "bytes of text a second of wall time, from opening the file to having written its text.\n"
    "chunks_ahead counts pieces of plain gzip that were decoded ahead of their turn, guessed those of\n"
    "them where a block seemed to start, accepted those where one did, redecoded those decoded again;\n"
    "busy_seconds has the time each worker was at work, separated by commas.\n";

/* ---- what is said beside the text ---------------------------------------- */

static void print_stats(const char *name, biost_stream *stream, const entry *from, uint32_t workers,
                        double seconds) {
    uint64_t busy_ns[256];
    uint32_t threads = biost_stream_busy_ns(stream, busy_ns, 256), i;
    biost_text_progress at;
    biost_parallel_gzip_counters ahead;
    double rate;
    biost_stream_progress(stream, &at);
    biost_stream_counters(stream, &ahead);
    at.text_bytes += from->gzi.at.text_offset;
    at.member_count += from->blocks;
    at.block_count += from->blocks;
    rate = seconds > 0 ? (double)at.text_bytes / 1e6 / seconds : 0;
    fx_print_name(stderr, name);
    fprintf(stderr, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, at.source_bytes, at.text_bytes,
            at.member_count, at.block_count);
    fprintf(stderr, "\t%" PRIu32 "\t%.6f\t%.1f", workers, seconds, rate);
    fprintf(stderr, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, ahead.ahead_count,
            ahead.guessed_count, ahead.accepted_count, ahead.redecoded_count);
    for (i = 0; i < threads; ++i) {
        fprintf(stderr, "%c%.6f", i == 0 ? '\t' : ',', (double)busy_ns[i] / 1e9);
    }
    fputc('\n', stderr);
}

/* ---- one file ------------------------------------------------------------ */

static biost_result open_file(const char *path, uint32_t workers, entry *from, biost_stream **out_stream,
                              biost_error *out_error) {
    biost_stream_desc desc;
    memset(&desc, 0, sizeof desc);
    if (fx_is_input(path)) {
        desc.has_fd = 1;
        desc.fd = fx_input();
    } else {
        desc.path = path;
    }
    desc.workers = workers;
    desc.index = from->index;
    if (from->gzi.at.offset > 0) {
        fx_gzi_give(&from->gzi, &desc.files);
    }
    return biost_stream_open(&desc, out_stream, out_error);
}

/*
 * Write the text, page by page. Returns what ended it: BIOST_OK where standard output takes no
 * more, with *out_exit; else END or the stream's error.
 */
static biost_result copy(biost_stream *stream, const char *name, int *out_exit) {
    biost_result result;
    biost_page page;
    fx_bar bar;
    fx_bar_begin(&bar, name, 1);
    while ((result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
        fx_bar_stream(&bar, stream);
        if (!fx_write(PROGRAM, page.text, page.text_bytes, out_exit)) {
            break;
        }
    }
    fx_bar_end(&bar);
    return result;
}

/* From --from on, of a text that begins at byte `begin` of the file's. As copy. */
static biost_result copy_from(biost_stream *stream, const char *name, uint64_t from, uint64_t begin,
                              int *out_exit) {
    biost_result result = from > begin ? biost_stream_seek(stream, from - begin) : BIOST_OK;
    if (result == BIOST_END) {
        fprintf(stderr, "%s: ", PROGRAM);
        fx_print_name(stderr, name);
        fprintf(stderr, ": the text ends before byte %" PRIu64 ", where --from begins\n", from);
        *out_exit = FX_BAD_DATA;
        return BIOST_OK;
    }
    return result == BIOST_OK ? copy(stream, name, out_exit) : result;
}

/* Write a file's text. Returns 1 to go on with the next file, 0 to stop with *out_exit. */
static int unzip_by(const char *path, const options *opt, entry *from, int *out_exit) {
    const char *name = fx_name(path);
    double start = fx_seconds();
    biost_stream *stream;
    biost_error error;
    biost_result result = open_file(path, opt->workers, from, &stream, &error);
    if (result != BIOST_OK) {
        fx_gzi_move(&from->gzi, &error);
        *out_exit = fx_fail(PROGRAM, result, &error);
        return 0;
    }
    result = copy_from(stream, name, opt->from, from->gzi.at.text_offset, out_exit);
    if (opt->stats) {
        print_stats(name, stream, from, opt->workers, fx_seconds() - start);
    }
    if (opt->verbose) {
        fx_print_warnings(PROGRAM, name, biost_stream_warnings(stream));
    }
    if (result < 0) {
        error = *biost_stream_error(stream);
        fx_gzi_move(&from->gzi, &error);
        *out_exit = fx_fail(PROGRAM, result, &error);
    }
    biost_stream_close(stream);
    return result == BIOST_END;
}

/* Find out where the file is entered by the index of --index. Returns an exit code. */
static int enter(const options *opt, entry *from) {
    biost_error error;
    biost_result result;
    if (fx_is_gzi(opt->index)) {
        return fx_gzi_load(&from->gzi) && fx_gzi_find(&from->gzi, opt->from, &from->blocks)
                   ? FX_OK
                   : fx_gzi_fail(&from->gzi, PROGRAM);
    }
    result = biost_index_load(opt->index, NULL, &from->index, &error);
    return result == BIOST_OK ? FX_OK : fx_fail(PROGRAM, result, &error);
}

/* The same with the index of --index, if there is one. */
static int unzip(const char *path, const options *opt, int *out_exit) {
    entry from;
    int more = 0;
    if (opt->index != NULL && !fx_is_input(path)) {
        *out_exit = fx_check_indexable(PROGRAM, path);
        if (*out_exit != FX_OK) {
            return 0;
        }
    }
    fx_gzi_begin(&from.gzi, path, opt->index);
    from.index = NULL;
    from.blocks = 0;
    *out_exit = opt->index != NULL ? enter(opt, &from) : *out_exit;
    if (*out_exit == FX_OK) {
        more = unzip_by(path, opt, &from, out_exit);
    }
    biost_index_close(from.index);
    fx_gzi_end(&from.gzi);
    return more;
}

int main(int argc, char **argv) {
    options opt;
    const fx_flag flags[] = {
        {'t', "workers", "N", FX_U32, &opt.workers, 0, 256,
         "threads that inflate (0: one per core, at most 8)"},
        {'v', "verbose", "", FX_SWITCH, &opt.verbose, 0, 0, "print warnings too"},
        {0, "from", "BYTE", FX_U64, &opt.from, 0, UINT64_MAX,
         "begin with this byte of the text, counted from 0"},
        {0, "index", "INDEX", FX_TEXT, &opt.index, 0, 0, "go there by this index of the file"},
        {0, "stats", "", FX_SWITCH, &opt.stats, 0, 0, "print a line of figures per file"},
        {0, NULL, NULL, FX_SWITCH, NULL, 0, 0, NULL}};
    const fx_tool tool = {PROGRAM, "FILE...", about, flags};
    uint32_t file_count, file;
    int status = FX_OK;
    memset(&opt, 0, sizeof opt);
    fx_arguments(&argc, &argv);
    file_count = fx_start(&tool, argc, argv);
    if (file_count == 0) {
        fx_usage(&tool, "no file is given (- is standard input)", "");
    }
    if (file_count > 1 && (opt.from > 0 || opt.index != NULL)) {
        fx_usage(&tool, "--from and --index are for one file", "");
    }
    if (opt.index != NULL && strcmp(argv[0], "-") == 0) {
        fx_usage(&tool, "- (standard input) has no index: it can be read once only", "");
    }
    opt.workers = opt.workers > 0 ? opt.workers : fx_cores(8);
    fx_raw_output();
    if (opt.stats) {
        fprintf(stderr, "file\tsource_bytes\ttext_bytes\tmembers\tbgzf_blocks\tworkers\tseconds\t"
                        "MB/s\tchunks_ahead\tguessed\taccepted\tredecoded\tbusy_seconds\n");
    }
    for (file = 0; file < file_count; ++file) {
        if (!unzip(argv[file], &opt, &status)) {
            break;
        }
    }
    return status;
}
