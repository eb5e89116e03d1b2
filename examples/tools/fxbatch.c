/*
 * fxbatch - stream FASTQ and FASTA files through a loader and print one line per epoch.
 *
 * What it is for: see how fast files become batches here, and prove that two ways of doing it give
 * the same batches. The digest of an epoch is a sum over its rows of everything a model would see,
 * so it is the same for any number of workers, and the digests of all ranks, or of a run and the
 * run that resumed it, add up (modulo 2^64) to that of one plain run.
 *
 *   cc -O2 examples/tools/fxbatch.c -o fxbatch -ldeflate -pthread
 *   ./fxbatch --bases 150 --shuffle 65536 --epochs 3 reads.fastq.gz
 *
 * Standard output: two lines of shapes, then, separated by tabs,
 *   epoch E  batches B  rows N  digest 16_HEX_DIGITS  MB/s X
 * N counts the valid rows of this rank, X is 10^6 bytes of text per second of wall time. An epoch
 * that was entered in the middle has `from B` at the end: the number of its first batch here.
 *
 * FILE may be "-", standard input, as in `zstd -dc reads.fastq.zst | fxbatch -`: for one epoch,
 * because a pipe cannot be read twice, without tokens, and as the only file.
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../../biostream.h"
#include "fx.h"

#define PROGRAM "fxbatch"

/* What the flags say beyond the desc, and the last token. */
typedef struct options {
    uint64_t epochs, stop_after;
    const char *token_file, *resume_file;
    biost_callback input;       /* standard input                                             */
    int long_records, tail, encoding, dtype, no_digest;
    unsigned char token[512];
    size_t token_bytes;
} options;

/* What one epoch delivered in this run. */
typedef struct totals {
    uint64_t batches, rows, digest;
} totals;

static const char *const about =
    "Stream FASTQ or FASTA files (plain, gzip, BGZF) into batches; print the shapes, then a line\n"
    "per epoch: batches and rows delivered, their digest, and MB of text a second. FILE may be -,\n"
    "standard input: alone, for one epoch, without tokens.\n";

/* Standard input instead of files, and what cannot be done with it. */
static void take_input(const fx_tool *tool, uint32_t file_count, biost_loader_desc *desc,
                       options *opt) {
    if (file_count > 1) {
        fx_usage(tool, "- (standard input) must be the only file", "");
    }
    if (opt->epochs > 1) {
        fx_usage(tool, "- (standard input) can be read once only: --epochs must be 1", "");
    }
    if (opt->token_file != NULL || opt->resume_file != NULL) {
        fx_usage(tool, "- (standard input) gives no tokens and takes none", "");
    }
    opt->input = fx_input();
    desc->callbacks = &opt->input;
    desc->callback_count = 1;
}

static void read_flags(int argc, char **argv, biost_loader_desc *desc, options *opt) {
    const fx_flag flags[] = {
        {0, "rows", "N", FX_U32, &desc->batch_rows, 1, 1048576, "rows of the global batch (256)"},
        {0, "bases", "N", FX_U32, &desc->row_bases, 0, 268435456,
         "bases per row (0: the longest row of a batch)"},
        {0, "long", "fail|split", FX_CHOICE, &opt->long_records, 0, 0,
         "a record longer than a row is an error, or cut into pieces"},
        {0, "encode", "onehot|tokens", FX_CHOICE, &opt->encoding, 0, 0,
         "what a base becomes (onehot)"},
        {0, "dtype", "u8|f16|f32", FX_CHOICE, &opt->dtype, 0, 0, "number type (u8)"},
        {0, "workers", "N", FX_U32, &desc->workers, 0, 256, "threads at work (0: one per core)"},
        {0, "seed", "N", FX_U64, &desc->seed, 0, UINT64_MAX, "of shuffle and augmentation (0)"},
        {0, "epochs", "N", FX_U64, &opt->epochs, 1, UINT64_MAX, "run epochs 0 to N-1 (1)"},
        {0, "shuffle", "N", FX_U32, &desc->shuffle_rows, 0, UINT32_MAX,
         "shuffle window in rows (0: none)"},
        {0, "rank", "N", FX_U32, &desc->rank, 0, UINT32_MAX, "this process among --world (0)"},
        {0, "world", "N", FX_U32, &desc->world, 1, UINT32_MAX,
         "processes that share each batch (1)"},
        {0, "tail", "pad|short|drop", FX_CHOICE, &opt->tail, 0, 0,
         "rows that fill no whole batch (pad)"},
        {0, "rc", "P", FX_FRACTION, &desc->augment.reverse_complement, 0, 1,
         "share of rows turned to the other strand (0)"},
        {0, "mutate", "P", FX_FRACTION, &desc->augment.substitute, 0, 1,
         "share of bases replaced (0)"},
        {0, "min-length", "N", FX_U64, &desc->filter.min_length, 0, UINT64_MAX,
         "keep records of at least N bases"},
        {0, "min-quality", "Q", FX_FRACTION, &desc->filter.min_mean_quality, 0, 93,
         "keep records of at least this mean Phred quality"},
        {0, "stop-after", "N", FX_U64, &opt->stop_after, 1, UINT64_MAX,
         "end after N batches in all"},
        {0, "token-file", "F", FX_TEXT, &opt->token_file, 0, 0,
         "leave the last batch's token in F"},
        {0, "resume", "F", FX_TEXT, &opt->resume_file, 0, 0, "go on behind the token in F"},
        {0, "no-digest", "", FX_SWITCH, &opt->no_digest, 0, 0, "do not compute digests (prints 0)"},
        {0, NULL, NULL, FX_SWITCH, NULL, 0, 0, NULL}};
    const fx_tool tool = {PROGRAM, "FILE...", about, flags};
    uint32_t file_count = fx_start(&tool, argc, argv);
    if (file_count == 0) {
        fx_usage(&tool, "no file is given", "");
    }
    if (fx_count_inputs(argv, file_count) > 0) {
        take_input(&tool, file_count, desc, opt);
    } else {
        desc->paths = (const char *const *)argv;
        desc->path_count = file_count;
    }
    desc->long_records = (biost_long_records)opt->long_records;
    desc->tail = (biost_tail)opt->tail;
    desc->encoding.kind = (biost_encode)opt->encoding;
    desc->encoding.dtype = (biost_dtype)opt->dtype;
    desc->digest = !opt->no_digest;
}

/* As they will be, from the desc: no batch is needed to know them. */
static void print_shapes(const biost_loader_desc *desc) {
    static const char *const dtypes[] = {"u8", "f16", "f32"};
    int onehot = desc->encoding.kind == BIOST_ENCODE_ONEHOT;
    char bases[32] = "longest row";
    if (desc->row_bases > 0) {
        snprintf(bases, sizeof bases, "%" PRIu32, desc->row_bases);
    }
    printf("x\t[%" PRIu32 "][%s]%s\t%s\t%s\t%s\n", desc->batch_rows / desc->world, bases,
           onehot ? "[4]" : "", dtypes[desc->encoding.dtype], onehot ? "NLC" : "NL",
           onehot ? "onehot" : "tokens");
    printf("rank\t%" PRIu32 " of %" PRIu32 "\tglobal batch %" PRIu32 " rows\n", desc->rank,
           desc->world, desc->batch_rows);
}

static void print_epoch(uint64_t epoch, const totals *sum, uint64_t text_bytes, double seconds) {
    double rate = seconds > 0 ? (double)text_bytes / 1e6 / seconds : 0;
    printf("epoch %" PRIu64 "\tbatches %" PRIu64 "\trows %" PRIu64, epoch, sum->batches, sum->rows);
    printf("\tdigest %016" PRIx64 "\tMB/s %.1f", sum->digest, rate);
}

/* Take batches until the epoch or the allowance of --stop-after ends. Returns what ended it. */
static biost_result run_epoch(biost_loader *loader, uint64_t epoch, options *opt, totals *sum) {
    biost_batch batch;
    biost_result result = biost_loader_begin(loader, epoch);
    char name[32];
    fx_bar bar;
    snprintf(name, sizeof name, "epoch %" PRIu64, epoch);
    fx_bar_begin(&bar, name);
    while (result == BIOST_OK && (opt->stop_after == 0 || sum->batches < opt->stop_after)) {
        result = biost_loader_next(loader, &batch);
        if (result != BIOST_OK) {
            break;
        }
        if (opt->token_file != NULL) {
            result = biost_loader_token(loader, &batch, opt->token, sizeof opt->token,
                                        &opt->token_bytes);
        }
        sum->batches += 1;
        sum->rows += batch.valid_rows;
        sum->digest += batch.digest;
        biost_loader_release(loader, &batch);
        if (fx_bar_due(&bar)) {
            biost_progress at;
            biost_loader_progress(loader, &at);
            fx_bar_draw(&bar, at.source_bytes, at.source_total_bytes, at.text_bytes);
        }
    }
    fx_bar_end(&bar);
    return result;
}

/* All epochs, a line each, also for one that was cut short. Returns the exit code. */
static int run(biost_loader *loader, options *opt) {
    int resumed = opt->resume_file != NULL, status = FX_OK;
    uint64_t epoch;
    for (epoch = biost_loader_first_epoch(loader); epoch < opt->epochs; ++epoch) {
        totals sum = {0, 0, 0};
        biost_progress progress;
        double start = fx_seconds();
        biost_result result = run_epoch(loader, epoch, opt, &sum);
        double seconds = fx_seconds() - start;
        memset(&progress, 0, sizeof progress);
        biost_loader_progress(loader, &progress);
        print_epoch(epoch, &sum, progress.text_bytes, seconds);
        if (resumed) {
            printf("\tfrom %" PRIu64, biost_loader_first_batch(loader));
        }
        resumed = 0;
        putchar('\n');
        if (!fx_flush(PROGRAM, &status)) {
            return status;
        }
        if (result < 0) {
            return fx_fail(PROGRAM, result, biost_loader_error(loader));
        }
        if (opt->stop_after != 0 && (opt->stop_after -= sum.batches) == 0) {
            break;
        }
    }
    return FX_OK;
}

int main(int argc, char **argv) {
    biost_loader_desc desc;
    biost_loader *loader;
    biost_error error;
    biost_result result;
    options opt;
    int status = FX_OK;
    memset(&desc, 0, sizeof desc);
    memset(&opt, 0, sizeof opt);
    desc.batch_rows = 256;
    desc.world = 1;
    opt.epochs = 1;
    read_flags(argc, argv, &desc, &opt);
    if (opt.resume_file != NULL) {
        status = fx_read_file(PROGRAM, opt.resume_file, opt.token, sizeof opt.token,
                              &opt.token_bytes);
        if (status == FX_OK && opt.token_bytes == 0) {
            fprintf(stderr, "%s: %s is empty and no token\n", PROGRAM, opt.resume_file);
            status = FX_BAD_DATA;
        }
        if (status != FX_OK) {
            return status;
        }
        desc.token = opt.token;
        desc.token_bytes = opt.token_bytes;
    }
    result = biost_loader_open(&desc, &loader, &error);
    if (result != BIOST_OK) {
        return fx_fail(PROGRAM, result, &error);
    }
    print_shapes(&desc);
    status = run(loader, &opt);
    biost_loader_close(loader);
    if (opt.token_file != NULL && opt.token_bytes > 0) {
        int written = fx_write_file(PROGRAM, opt.token_file, opt.token, opt.token_bytes);
        status = status == FX_OK ? written : status;
    }
    return status;
}
