/*
 * fxbatch - stream FASTQ and FASTA files through a loader and print one line per epoch.
 *
 * What it is for: see what batches a desc makes of some files and how fast, prove that two ways of
 * making them give the same, and write them out for other programs. The digest of an epoch is a sum
 * over its rows of everything a model would see, so it is the same for any number of workers, and
 * the digests of all ranks, or of a run and the run that resumed it, add up (modulo 2^64) to that
 * of one plain run.
 *
 *   cc -O2 examples/tools/fxbatch.c -o fxbatch -pthread
 *   ./fxbatch --bases 150 --shuffle 65536 --epochs 3 reads.fastq.gz
 *   ./fxbatch --bases 150 --dtype f32 --npy batches reads.fastq.gz
 *
 * Standard output, separated by tabs: a line for each tensor (name, shape on this rank, type,
 * layout, kind: of x with more channels as onehot+phred+mask), the line of the rank, lines that start with `desc` and hold the fields of the desc
 * as the loader obeys them, by their names in biost_loader_desc; then for each epoch
 *   epoch E  batches B  rows N  digest 16_HEX_DIGITS  MB/s X
 * N counts the valid rows of this rank, X is 10^6 bytes of text per second of wall time. An epoch
 * that was entered in the middle has `from B` at the end: the number of its first batch here.
 *
 * --npy DIR writes each array of each batch as DIR/epoch0_batch000000_NAME.npy (format 1.0): x,
 * quality, mask, lengths [rows], and ids [rows][3]: id, piece, start_base of biost_row; names go to
 * ..._names.txt, a line per row. Padding rows are in them too, with id -1. bf16 is written as <u2:
 * numpy has no such type. A file has its name once it is whole. A folder that already has files of the
 * batches to come, or of later ones, is refused, so that what lies there is of one run, or of a run and
 * those that resumed it; --overwrite removes them first. Each rank wants a folder of its own.
 *
 * --index F, once for each FILE in their order, names the index of that file: it is loaded if it is
 * there, and else made while the epoch is read. With one --resume enters gzip near where it stopped
 * instead of inflating it from the start. --save-index writes them at the end, as far as was read.
 *
 * FILE may be "-", standard input, as in `zstd -dc reads.fastq.zst | fxbatch -`: for one epoch,
 * because a pipe cannot be read twice, without resume states, and as the only file.
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../../biostream.h"
#include "fx.h"

#ifdef _WIN32
#include <direct.h>
#else
#include <sys/stat.h>
#endif

#define PROGRAM "fxbatch"

/* The words of the flags, in the order of the enums. */
#define LONG_WORDS    "fail|split|head|tail|center|crop"
#define TAIL_WORDS    "pad|short|drop"
#define ENCODE_WORDS  "onehot|tokens"
#define DTYPE_WORDS   "u8|f16|f32|bf16|i32|i64"
#define LAYOUT_WORDS  "nlc|ncl"
#define N_WORDS       "zero|n|iupac|helixer"
#define LOWER_WORDS   "fold|channel|n"
#define SIDE_WORDS    "right|left"
#define QUALITY_WORDS "none|phred|error"
#define SPLIT_WORDS   "none|name|field|sequence|block"
#define MASK_WORDS    "u8|f32"

/* What the flags say beyond the desc, and the last resume state. */
typedef struct options {
    uint64_t epochs, stop_after;
    const char *state_file, *resume_file, *npy, *subsample, *split, *split_strip;
    fx_texts index_names;  /* of --index                                                 */
    biost_index **indexes; /* [desc.path_count] one for each name, then NULL; or NULL    */
    float max_n_fraction;  /* below 0: not given                                         */
    int long_records, tail, encoding, dtype, layout, ambiguous, lower_case, pad_side, quality, mask_dtype;
    int digest, no_digest, stats, save_index, overwrite;
    unsigned char state[512];
    size_t state_bytes;
} options;

/* What one epoch delivered in this run, and how it ended. */
typedef struct totals {
    uint64_t batches, rows, digest;
    double seconds;
    int resumed;         /* entered with a resume state                                       */
    biost_result result; /* OK: --stop-after                                           */
    int status;          /* FX_OK, or why the tool cannot go on; it was said           */
} totals;

static const char *const about =
    "Stream FASTQ or FASTA files (plain, gzip, BGZF) into batches; print the shapes, the desc as\n"
    "it is obeyed, then a line per epoch: batches and rows delivered, their digest, and MB of\n"
    "text a second. FILE may be -, standard input: alone, for one epoch, without resume states.\n"
    "Of --npy files bf16 is <u2, because numpy has no bf16; ids are [rows][3]: id, piece, start.\n";

/* ---- flags ---------------------------------------------------------------- */

/* Standard input instead of files, and what cannot be done with it. */
static void take_input(const fx_tool *tool, uint32_t file_count, biost_loader_desc *desc, options *opt) {
    if (file_count > 1) {
        fx_usage(tool, "- (standard input) must be the only file", "");
    }
    if (opt->epochs > 1) {
        fx_usage(tool, "- (standard input) can be read once only: --epochs must be 1", "");
    }
    if (opt->state_file != NULL || opt->resume_file != NULL) {
        fx_usage(tool, "- (standard input) gives no resume states and takes none", "");
    }
    if (opt->index_names.count > 0) {
        fx_usage(tool, "- (standard input) has no index", "");
    }
    desc->has_fd = 1;
    desc->fd = fx_input();
}

/* One number of --subsample or --split, of 0..1; `flag` says what that wants. */
static float take_share(const fx_tool *tool, const char *flag, const char *text, size_t bytes) {
    char part[32];
    double value = 2;
    if (bytes < sizeof part) {
        memcpy(part, text, bytes);
        part[bytes] = '\0';
        value = fx_parse_fraction(part, &value) ? value : 2;
    }
    if (value > 1) {
        fx_usage(tool, flag, text);
    }
    return (float)value;
}

/* --subsample P, or FROM:BELOW. */
static void take_subsample(const fx_tool *tool, const char *text, biost_filter *filter) {
    static const char wants[] = "--subsample wants P or FROM:BELOW, numbers from 0 to 1, not ";
    size_t first = strcspn(text, ":");
    const char *below = text;
    if (text[first] == ':') {
        filter->subsample_from = take_share(tool, wants, text, first);
        below = text + first + 1;
    }
    filter->subsample_below = take_share(tool, wants, below, strlen(below));
    if (filter->subsample_from >= filter->subsample_below) {
        fx_usage(tool, "no record is kept by --subsample ", text);
    }
}

/* A number up to one of the bytes `ends`, or 0 where there is none; *inout_text moves behind it. */
static int take_number(const char **inout_text, const char *ends, uint64_t *out_number) {
    char part[24];
    size_t bytes = strcspn(*inout_text, ends);
    if (bytes >= sizeof part) {
        return 0;
    }
    memcpy(part, *inout_text, bytes);
    part[bytes] = '\0';
    *inout_text += bytes + ((*inout_text)[bytes] != '\0');
    return fx_parse_u64(part, out_number);
}

/* What stands behind "by=": a word, and with field and block a number, with field a separator. */
static int take_split_by(const char *text, biost_split *split) {
    char word[16];
    size_t bytes = strcspn(text, ",");
    int has_number, by;
    uint64_t number = 0;
    if (bytes >= sizeof word) {
        return 0;
    }
    memcpy(word, text, bytes);
    word[bytes] = '\0';
    by = fx_parse_choice(SPLIT_WORDS, word);
    split->by = (biost_split_by)by;
    has_number = by == BIOST_SPLIT_FIELD || by == BIOST_SPLIT_BLOCK;
    text += bytes;
    if (by < BIOST_SPLIT_NAME || (text[0] == ',') != has_number) {
        return 0;
    }
    text += has_number;
    if (has_number && (!take_number(&text, ",", &number) || number == 0)) {
        return 0;
    }
    split->block_bases = by == BIOST_SPLIT_BLOCK ? number : 0;
    split->field = by == BIOST_SPLIT_FIELD ? (uint32_t)(number <= UINT32_MAX ? number : UINT32_MAX) : 0;
    if (by == BIOST_SPLIT_FIELD && text[0] != '\0') {
        split->separator = *text++;
    }
    return text[0] == '\0';
}

/* --split SALT:FROM:BELOW[:by=...]. */
static void take_split(const fx_tool *tool, const char *text, const char *strip, biost_split *split) {
    static const char wants[] = "--split wants SALT:FROM:BELOW[:by=name|sequence|field,N[,C]|block,N], not ";
    const char *at = text;
    size_t first;
    int good = take_number(&at, ":", &split->salt);
    split->by = BIOST_SPLIT_NAME;
    first = strcspn(at, ":");
    if (!good || at[first] != ':') {
        fx_usage(tool, wants, text);
    }
    split->from = take_share(tool, wants, at, first);
    at += first + 1;
    first = strcspn(at, ":");
    split->below = take_share(tool, wants, at, first);
    at += first;
    if (at[0] != '\0' && (strncmp(at, ":by=", 4) != 0 || !take_split_by(at + 4, split))) {
        fx_usage(tool, wants, text);
    }
    if (split->from >= split->below) {
        fx_usage(tool, "no record is in the part --split ", text);
    }
    if (strip != NULL && strlen(strip) >= sizeof split->strip) {
        fx_usage(tool, "--split-strip takes 6 bytes at most, not ", strip);
    }
    strcpy(split->strip, strip != NULL ? strip : "");
}

/* What the flags' words and texts mean for the desc. */
static void fill_desc(const fx_tool *tool, biost_loader_desc *desc, const options *opt) {
    desc->long_records = (biost_long_records_mode)opt->long_records;
    desc->tail = (biost_tail_mode)opt->tail;
    desc->encoding.kind = (biost_encode_kind)opt->encoding;
    desc->encoding.dtype = (biost_dtype)opt->dtype;
    desc->encoding.layout = (biost_layout_kind)opt->layout;
    desc->encoding.ambiguous = (biost_ambiguous_mode)opt->ambiguous;
    desc->encoding.lower_case = (biost_lower_case_mode)opt->lower_case;
    desc->encoding.pad_side = (biost_pad_side)opt->pad_side;
    desc->quality.kind = (biost_quality_kind)opt->quality;
    if (desc->quality.kind == BIOST_QUALITY_ERROR && !desc->quality.in_x) {
        desc->quality.dtype = BIOST_DTYPE_F32;
    }
    desc->mask_dtype = opt->mask_dtype == 0 ? BIOST_DTYPE_U8 : BIOST_DTYPE_F32;
    if (opt->subsample != NULL) {
        take_subsample(tool, opt->subsample, &desc->filter);
    }
    if (opt->split != NULL) {
        take_split(tool, opt->split, opt->split_strip, &desc->split);
    } else if (opt->split_strip != NULL) {
        fx_usage(tool, "--split-strip needs --split", "");
    }
    desc->filter.forbid_n = opt->max_n_fraction == 0;
    desc->filter.max_n_fraction = opt->max_n_fraction > 0 ? opt->max_n_fraction : 0;
    desc->epochs = opt->epochs;
    desc->digest = !opt->no_digest;
    if (opt->digest && opt->no_digest) {
        fx_usage(tool, "--digest and --no-digest cannot both be", "");
    }
}

static void read_flags(int argc, char **argv, biost_loader_desc *desc, options *opt) {
    biost_encoding *encoding = &desc->encoding;
    biost_filter *filter = &desc->filter;
    biost_augment *augment = &desc->augment;
    const fx_flag flags[] = {
        {0, "rows", "N", FX_U32, &desc->batch_rows, 1, 1048576, "rows of the global batch (256)"},
        {0, "bases", "N", FX_U32, &desc->row_bases, 0, 268435456,
         "bases per row (0: the longest row of a batch)"},
        {0, "max-bases", "N", FX_U32, &desc->max_row_bases, 0, 268435456,
         "most bases of a row with --bases 0 (0: 1024)"},
        {0, "pad-multiple", "N", FX_U32, &desc->pad_multiple, 0, 4096,
         "columns are a multiple of N (0: 1, with --bases 0: 8)"},
        {0, "long", LONG_WORDS, FX_CHOICE, &opt->long_records, 0, 0, "a record longer than a row (fail)"},
        {0, "stride", "N", FX_U32, &desc->split_stride, 0, 268435456,
         "--long split: bases from piece to piece (0: a row)"},
        {0, "tail", TAIL_WORDS, FX_CHOICE, &opt->tail, 0, 0, "rows that fill no whole batch (pad)"},
        {0, "encode", ENCODE_WORDS, FX_CHOICE, &opt->encoding, 0, 0, "what a base becomes (onehot)"},
        {0, "dtype", DTYPE_WORDS, FX_CHOICE, &opt->dtype, 0, 0, "number type (u8)"},
        {0, "layout", LAYOUT_WORDS, FX_CHOICE, &opt->layout, 0, 0, "order of the axes (nlc)"},
        {0, "order", "LETTERS", FX_TEXT, &encoding->channels, 0, 0, "one-hot channels (ACGT)"},
        {0, "n", N_WORDS, FX_CHOICE, &opt->ambiguous, 0, 0,
         "one-hot of N and of codes for several bases (zero)"},
        {0, "lower", LOWER_WORDS, FX_CHOICE, &opt->lower_case, 0, 0, "lower case (fold)"},
        {0, "pad-value", "N", FX_I32, &encoding->pad_value, 0, 0, "number in padding (0)"},
        {0, "pad-side", SIDE_WORDS, FX_CHOICE, &opt->pad_side, 0, 0, "where padding lies (right)"},
        {0, "quality", QUALITY_WORDS, FX_CHOICE, &opt->quality, 0, 0,
         "a tensor of qualities: Phred u8, or 10^(-Q/10) f32 (none)"},
        {0, "quality-in-x", "", FX_SWITCH, &desc->quality.in_x, 0, 0,
         "these as a channel of one-hot x instead, in its number type"},
        {0, "mask", "", FX_SWITCH, &desc->mask, 0, 0, "a tensor with 1 for bases, 0 for padding"},
        {0, "mask-dtype", MASK_WORDS, FX_CHOICE, &opt->mask_dtype, 0, 0, "its number type (u8)"},
        {0, "mask-in-x", "", FX_SWITCH, &desc->mask_in_x, 0, 0, "this as the last channel of x instead"},
        {0, "names", "", FX_SWITCH, &desc->names, 0, 0, "names of the rows, for --npy"},
        {0, "min-length", "N", FX_U64, &filter->min_length, 0, UINT64_MAX,
         "keep records of at least N bases"},
        {0, "max-length", "N", FX_U64, &filter->max_length, 0, UINT64_MAX, "of at most N bases (0: any)"},
        {0, "min-quality", "Q", FX_FRACTION, &filter->min_mean_quality, 0, 93,
         "of at least this mean Phred quality"},
        {0, "max-error", "P", FX_FRACTION, &filter->max_error_rate, 0, 1,
         "of at most this mean error probability (0: any)"},
        {0, "min-base-quality", "Q", FX_U32, &filter->min_base_quality, 0, 93,
         "where each base has at least this quality"},
        {0, "max-n", "P", FX_FRACTION, &opt->max_n_fraction, 0, 1,
         "with at most this share of N (0: no N at all)"},
        {0, "subsample", "P|FROM:BELOW", FX_TEXT, &opt->subsample, 0, 0,
         "this share of the records, at random by seed (no split: see --split)"},
        {0, "split", "SALT:FROM:BELOW[:by=...]", FX_TEXT, &opt->split, 0, 0,
         "this part of the data by a hash of names, of which other parts share nothing: "
         "by=name (default), sequence, field,N[,C] or block,N"},
        {0, "split-strip", "BYTES", FX_TEXT, &opt->split_strip, 0, 0,
         "bytes that with a digit behind are a mate's number at a name's end, beside /"},
        {0, "allow-no-rows", "", FX_SWITCH, &desc->allow_no_rows, 0, 0,
         "filters may leave nothing (else an error)"},
        {0, "first", "N", FX_U64, &filter->first_records, 1, UINT64_MAX, "of the first N records"},
        {0, "every", "N", FX_U64, &filter->every_record, 1, UINT64_MAX, "of every Nth record"},
        {0, "max-record", "N", FX_U64, &desc->max_record_bytes, 1, INT32_MAX,
         "longest record in bytes of text (64 MiB)"},
        {0, "skip-bad", "N", FX_U64, &desc->text.skip_bad, 0, UINT64_MAX,
         "leave out up to N bad records of an epoch (FASTQ: 4 bad lines, or fewer, count as one)"},
        {0, "crop", "N", FX_U32, &augment->crop_bases, 0, 268435456,
         "a random piece of N bases of longer records"},
        {0, "rc", "P", FX_FRACTION, &augment->reverse_complement, 0, 1,
         "share of rows turned to the other strand (0)"},
        {0, "mutate", "P", FX_FRACTION, &augment->substitute, 0, 1, "share of bases replaced (0)"},
        {0, "inject-n", "P", FX_FRACTION, &augment->inject_n, 0, 1, "share of bases that become N (0)"},
        {0, "shuffle", "N", FX_U32, &desc->shuffle_rows, 0, UINT32_MAX,
         "rows of the shuffle buffer (0: none)"},
        {0, "seed", "N", FX_U64, &desc->seed, 0, UINT64_MAX, "of everything random (0)"},
        {0, "epochs", "N", FX_U64, &opt->epochs, 1, UINT64_MAX, "run epochs 0 to N-1 (1)"},
        {0, "rank", "N", FX_U32, &desc->rank, 0, UINT32_MAX, "this process among --world (0)"},
        {0, "world", "N", FX_U32, &desc->world, 1, UINT32_MAX, "processes that share each batch (1)"},
        {0, "workers", "N", FX_U32, &desc->workers, 0, 256, "threads at work (0: one per core)"},
        {0, "slots", "N", FX_U32, &desc->slots, 0, 1024, "batches in flight (0: 4)"},
        {0, "map", "", FX_SWITCH, &desc->map, 0, 0, "map plain files into memory instead of reading them"},
        {0, "stop-after", "N", FX_U64, &opt->stop_after, 1, UINT64_MAX, "end after N batches in all"},
        {0, "state-file", "F", FX_TEXT, &opt->state_file, 0, 0, "leave the last batch's resume state in F"},
        {0, "resume", "F", FX_TEXT, &opt->resume_file, 0, 0, "go on behind the resume state in F"},
        {0, "index", "F", FX_TEXTS, &opt->index_names, 0, 0,
         "index of the first FILE, and so on; see fxindex"},
        {0, "save-index", "", FX_SWITCH, &opt->save_index, 0, 0, "write these at the end"},
        {0, "npy", "DIR", FX_TEXT, &opt->npy, 0, 0, "write every array of every batch as .npy"},
        {0, "overwrite", "", FX_SWITCH, &opt->overwrite, 0, 0,
         "remove such files of another run from there first"},
        {0, "digest", "", FX_SWITCH, &opt->digest, 0, 0, "compute digests, as is done anyway"},
        {0, "no-digest", "", FX_SWITCH, &opt->no_digest, 0, 0, "do not compute digests (prints 0)"},
        {0, "stats", "", FX_SWITCH, &opt->stats, 0, 0,
         "print counts, times and the bottleneck on standard error"},
        {0, NULL, NULL, FX_SWITCH, NULL, 0, 0, NULL}};
    const fx_tool tool = {PROGRAM, "FILE...", about, flags};
    uint32_t file_count = fx_start(&tool, argc, argv);
    if (file_count == 0) {
        fx_usage(&tool, "no file is given", "");
    }
    if (opt->index_names.count > file_count) {
        fx_usage(&tool, "there are more indexes than files: --index ", opt->index_names.texts[file_count]);
    }
    for (uint32_t at = 0; at < opt->index_names.count; ++at) {
        if (opt->save_index && fx_is_same_file(opt->index_names.texts[at], argv[at])) {
            fx_usage(&tool, "the index would be written over its FILE: --index ", argv[at]);
        }
    }
    if (opt->save_index && opt->index_names.count == 0) {
        fx_usage(&tool, "--save-index needs --index: where to?", "");
    }
    if (opt->overwrite && opt->npy == NULL) {
        fx_usage(&tool, "--overwrite is of the files of --npy: where are they?", "");
    }
    if (fx_count_inputs(argv, file_count) > 0) {
        take_input(&tool, file_count, desc, opt);
    } else {
        desc->paths = (const char *const *)argv;
        desc->path_count = file_count;
    }
    fill_desc(&tool, desc, opt);
}

/* ---- the desc --------------------------------------------------------------- */

/* The word number `index` of "a|b|c" behind the name of its field, which may be "". */
static void put_choice(const char *field, const char *words, int index) {
    while (index > 0 && *words != '\0') {
        index -= *words++ == '|';
    }
    printf("\t%s%s%.*s", field, field[0] != '\0' ? " " : "", (int)strcspn(words, "|"), words);
}

static void put_number(const char *field, uint64_t value) {
    printf("\t%s %" PRIu64, field, value);
}

/* Only what is set; `*inout_count` counts that. */
static void put_set(const char *field, uint64_t value, int *inout_count) {
    if (value != 0) {
        put_number(field, value);
        *inout_count += 1;
    }
}

static void put_set_share(const char *field, float value, int *inout_count) {
    if (value > 0) {
        printf("\t%s %.6g", field, (double)value);
        *inout_count += 1;
    }
}

static void print_filter(const biost_filter *filter) {
    int count = 0;
    printf("desc");
    put_set("filter.min_length", filter->min_length, &count);
    put_set("filter.max_length", filter->max_length, &count);
    put_set_share("filter.min_mean_quality", filter->min_mean_quality, &count);
    put_set_share("filter.max_error_rate", filter->max_error_rate, &count);
    put_set("filter.min_base_quality", filter->min_base_quality, &count);
    put_set_share("filter.max_n_fraction", filter->max_n_fraction, &count);
    put_set("filter.forbid_n", filter->forbid_n != 0, &count);
    put_set_share("filter.subsample_from", filter->subsample_from, &count);
    put_set_share("filter.subsample_below", filter->subsample_below < 1 ? filter->subsample_below : 0,
                  &count);
    put_set("filter.first_records", filter->first_records, &count);
    put_set("filter.every_record", filter->every_record > 1 ? filter->every_record : 0, &count);
    printf(count == 0 ? "\tfilter none\n" : "\n");
}

static void print_split(const biost_split *split) {
    if (split->by == BIOST_SPLIT_NONE) {
        return;
    }
    printf("desc");
    put_choice("split.by", SPLIT_WORDS, (int)split->by);
    put_number("split.salt", split->salt);
    printf("\tsplit.from %.6g\tsplit.below %.6g", (double)split->from, (double)split->below);
    if (split->by == BIOST_SPLIT_FIELD) {
        put_number("split.field", split->field);
        printf("\tsplit.separator %c", split->separator);
    }
    if (split->by == BIOST_SPLIT_BLOCK) {
        put_number("split.block_bases", split->block_bases);
    }
    printf("%s%s\n", split->strip[0] != '\0' ? "\tsplit.strip " : "", split->strip);
}

static void print_augment(const biost_augment *augment) {
    int count = 0;
    printf("desc");
    put_set("augment.crop_bases", augment->crop_bases, &count);
    put_set_share("augment.reverse_complement", augment->reverse_complement, &count);
    put_set_share("augment.substitute", augment->substitute, &count);
    put_set_share("augment.inject_n", augment->inject_n, &count);
    printf(count == 0 ? "\taugment none\n" : "\n");
}

static void print_encoding(const biost_encoding *encoding) {
    printf("desc");
    put_choice("encoding.kind", ENCODE_WORDS, (int)encoding->kind);
    put_choice("encoding.dtype", DTYPE_WORDS, (int)encoding->dtype);
    if (encoding->kind == BIOST_ENCODE_ONEHOT) {
        put_choice("encoding.layout", LAYOUT_WORDS, (int)encoding->layout);
        printf("\tencoding.channels %s", encoding->channels);
        put_choice("encoding.ambiguous", N_WORDS, (int)encoding->ambiguous);
        put_choice("encoding.lower_case", LOWER_WORDS, (int)encoding->lower_case);
    }
    printf("\tencoding.pad_value %" PRId32, encoding->pad_value);
    put_choice("encoding.pad_side", SIDE_WORDS, (int)encoding->pad_side);
    putchar('\n');
}

/* The fields of the desc as the loader obeys them, a line for each group, and what it may hold. */
static void print_desc(const biost_loader_desc *desc, uint64_t memory_bytes) {
    printf("desc");
    put_number("batch_rows", desc->batch_rows);
    put_number("row_bases", desc->row_bases);
    if (desc->row_bases == 0) {
        put_number("max_row_bases", desc->max_row_bases);
    }
    put_number("pad_multiple", desc->pad_multiple);
    put_choice("long_records", LONG_WORDS, (int)desc->long_records);
    if (desc->long_records == BIOST_LONG_SPLIT) {
        put_number("split_stride", desc->split_stride);
    }
    put_choice("tail", TAIL_WORDS, (int)desc->tail);
    put_number("max_record_bytes", desc->max_record_bytes);
    putchar('\n');
    print_encoding(&desc->encoding);
    print_filter(&desc->filter);
    print_split(&desc->split);
    print_augment(&desc->augment);
    printf("desc");
    put_number("shuffle_rows", desc->shuffle_rows);
    put_number("seed", desc->seed);
    put_number("skip_bad", desc->text.skip_bad);
    putchar('\n');
    printf("desc");
    put_number("workers", desc->workers);
    put_number("slots", desc->slots);
    put_number("epochs", desc->epochs);
    put_number("memory_bytes", memory_bytes);
    putchar('\n');
}

/* A tensor of this rank: "x  [256][150][4]  u8  NLC  onehot". `channels` 0: no such axis. */
static void print_tensor(const char *name, const biost_loader_desc *desc, uint32_t channels,
                         biost_dtype dtype, const char *kind) {
    const char *layout = channels == 0 ? "NL" : "NLC";
    char columns[32] = "longest row", across[16] = "";
    if (desc->row_bases > 0) {
        uint32_t unit = desc->pad_multiple > 0 ? desc->pad_multiple : 1;
        snprintf(columns, sizeof columns, "%" PRIu32, (desc->row_bases + unit - 1) / unit * unit);
    }
    if (channels > 0) {
        snprintf(across, sizeof across, "[%" PRIu32 "]", channels);
    }
    printf("%s\t[%" PRIu32 "]", name, desc->batch_rows / desc->world);
    if (channels > 0 && desc->encoding.layout == BIOST_LAYOUT_NCL) {
        printf("%s[%s]", across, columns);
        layout = "NCL";
    } else {
        printf("[%s]%s", columns, across);
    }
    put_choice("", DTYPE_WORDS, (int)dtype);
    printf("\t%s\t%s\n", layout, kind);
}

/* As they will be: no batch is needed to know them. */
static void print_shapes(const biost_loader_desc *desc) {
    const biost_encoding *encoding = &desc->encoding;
    const char *quality = desc->quality.kind == BIOST_QUALITY_PHRED ? "phred" : "error";
    uint32_t channels = 0;
    char kind[32] = "tokens";
    if (encoding->kind == BIOST_ENCODE_ONEHOT) {
        channels = (uint32_t)strlen(encoding->channels);
        channels += encoding->lower_case == BIOST_LOWER_CASE_CHANNEL;
        channels += (uint32_t)(desc->quality.in_x != 0) + (uint32_t)(desc->mask_in_x != 0);
        snprintf(kind, sizeof kind, "onehot%s%s%s", desc->quality.in_x ? "+" : "",
                 desc->quality.in_x ? quality : "", desc->mask_in_x ? "+mask" : "");
    }
    print_tensor("x", desc, channels, encoding->dtype, kind);
    if (desc->quality.kind != BIOST_QUALITY_NONE && !desc->quality.in_x) {
        print_tensor("quality", desc, 0, desc->quality.dtype, quality);
    }
    if (desc->mask && !desc->mask_in_x) {
        print_tensor("mask", desc, 0, desc->mask_dtype, "mask");
    }
    printf("rank\t%" PRIu32 " of %" PRIu32 "\tglobal batch %" PRIu32 " rows\n", desc->rank, desc->world,
           desc->batch_rows);
}

/* ---- .npy -------------------------------------------------------------------- */

/* What lies in the folder of --npy before this run writes there. */
typedef struct older_files {
    const char *folder;
    uint64_t epoch, batch; /* where this run begins                                      */
    int overwrite, status;
} older_files;

/* Digits, then `word`. Returns what follows, NULL: it is not so. */
static const char *take_digits(const char *text, const char *word, uint64_t *out_value) {
    char digits[24];
    size_t count = strspn(text, "0123456789"), word_bytes = strlen(word);
    if (count >= sizeof digits || strncmp(text + count, word, word_bytes) != 0) {
        return NULL;
    }
    memcpy(digits, text, count);
    digits[count] = '\0';
    return fx_parse_u64(digits, out_value) ? text + count + word_bytes : NULL;
}

/* Whether this is a file of --npy, perhaps one that was being written, of which batch. */
static int is_npy_name(const char *name, uint64_t *out_epoch, uint64_t *out_batch) {
    const char *rest = strncmp(name, "epoch", 5) == 0 ? take_digits(name + 5, "_batch", out_epoch) : NULL;
    const char *ending;
    rest = rest != NULL ? take_digits(rest, "_", out_batch) : NULL;
    ending = rest != NULL ? strrchr(rest, '.') : NULL;
    return ending != NULL &&
           (strcmp(ending, ".npy") == 0 || strcmp(ending, ".part") == 0 || strcmp(rest, "names.txt") == 0);
}

/* fx_each_name: a file of this run's batches, or later ones, is refused or removed. */
static int judge_older(const char *name, void *user_data) {
    older_files *older = (older_files *)user_data;
    size_t space = strlen(older->folder) + strlen(name) + 2;
    uint64_t epoch, batch;
    char *path;
    if (!is_npy_name(name, &epoch, &batch) || epoch < older->epoch ||
        (epoch == older->epoch && batch < older->batch)) {
        return 1;
    }
    older->status = FX_BAD_DATA;
    if (!older->overwrite) {
        fflush(stdout);
        fprintf(stderr, "%s: the folder ", PROGRAM);
        fx_print_name(stderr, older->folder);
        fprintf(stderr,
                " has %s of another run: take another folder, or remove such files with --overwrite\n", name);
        return 0;
    }
    path = (char *)malloc(space);
    if (path == NULL) {
        fx_complain(PROGRAM, "out of memory");
        return 0;
    }
    snprintf(path, space, "%s/%s", older->folder, name);
    if (remove(path) == 0) {
        older->status = FX_OK;
    } else {
        fx_complain_of(PROGRAM, path, "cannot be removed", strerror(errno));
    }
    free(path);
    return older->status == FX_OK;
}

/* Make the folder of --npy, or see that nothing of another run is in the one there is. Returns an exit code. */
static int make_folder(const options *opt, const biost_loader *loader) {
    older_files older = {NULL, 0, 0, 0, FX_OK};
#ifdef _WIN32
    int made = _mkdir(opt->npy);
#else
    int made = mkdir(opt->npy, 0777);
#endif
    if (made != 0 && errno != EEXIST) {
        fprintf(stderr, "%s: the folder ", PROGRAM);
        fx_print_name(stderr, opt->npy);
        fprintf(stderr, " cannot be made: %s\n", strerror(errno));
        return FX_BAD_DATA;
    }
    older.folder = opt->npy;
    older.epoch = biost_loader_first_epoch(loader);
    older.batch = biost_loader_first_batch(loader);
    older.overwrite = opt->overwrite;
    if (made != 0 && !fx_each_name(opt->npy, judge_older, &older)) {
        fx_complain_of(PROGRAM, opt->npy, "cannot be written", strerror(errno));
        return FX_BAD_DATA;
    }
    return older.status;
}

/* An array on its way to a file. */
typedef struct array {
    const char *name;
    const void *data;
    size_t row_bytes, stride_bytes; /* of a row, and from one to the next                     */
    int64_t shape[4];
    uint32_t ndim;
    biost_dtype dtype;
} array;

/* numpy's name of the type: byte order, kind, bytes. */
static const char *npy_type(biost_dtype dtype) {
    static const char *const types[2][6] = {{"|u1", "<f2", "<f4", "<u2", "<i4", "<i8"},
                                            {"|u1", ">f2", ">f4", ">u2", ">i4", ">i8"}};
    const uint16_t one = 1;
    return types[*(const unsigned char *)&one == 0][dtype];
}

/* Bytes 0..9 are magic, version and the header's length; all of it is a multiple of 64 bytes. */
static size_t npy_header(const array *a, char out[256]) {
    size_t used, total;
    uint32_t at;
    used = 10;
    used += (size_t)snprintf(out + used, 256 - used, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                             npy_type(a->dtype));
    for (at = 0; at < a->ndim; ++at) {
        used += (size_t)snprintf(out + used, 256 - used, "%s%" PRId64, at > 0 ? ", " : "", a->shape[at]);
    }
    used += (size_t)snprintf(out + used, 256 - used, "%s), }", a->ndim == 1 ? "," : "");
    total = (used + 1 + 63) / 64 * 64;
    memset(out + used, ' ', total - used);
    out[total - 1] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)((total - 10) & 255);
    out[9] = (char)((total - 10) >> 8);
    return total;
}

/* "DIR/epoch0_batch000000_x.npy", from malloc, or NULL. */
static char *npy_path(const char *folder, const biost_batch *batch, const char *name, const char *ending) {
    size_t space = strlen(folder) + strlen(name) + 80;
    char *path = (char *)malloc(space);
    if (path != NULL) {
        snprintf(path, space, "%s/epoch%" PRIu64 "_batch%06" PRIu64 "_%s%s", folder, batch->epoch,
                 batch->index, name, ending);
    }
    return path;
}

/* Begin a file of a batch. Returns its path, for end_file; NULL after a sentence. */
static char *begin_file(fx_save *save, const char *folder, const biost_batch *batch, const char *name,
                        const char *ending) {
    char *path = npy_path(folder, batch, name, ending);
    if (path != NULL) {
        fx_save_begin(save, path);
    } else {
        fx_complain(PROGRAM, "out of memory");
    }
    return path;
}

static int end_file(fx_save *save, char *path) {
    int status = fx_save_end(save, PROGRAM);
    free(path);
    return status;
}

static int write_array(const char *folder, const biost_batch *batch, const array *a) {
    fx_save save;
    char *path = begin_file(&save, folder, batch, a->name, ".npy"), header[256];
    int64_t row;
    if (path == NULL) {
        return FX_BAD_DATA;
    }
    fx_save_put(&save, header, npy_header(a, header));
    for (row = 0; row < a->shape[0]; ++row) {
        fx_save_put(&save, (const char *)a->data + (size_t)row * a->stride_bytes, a->row_bytes);
    }
    return end_file(&save, path);
}

static int write_tensor(const char *folder, const biost_batch *batch, const biost_tensor *tensor) {
    static const size_t sizes[] = {1, 2, 4, 2, 4, 8};
    static const char *const names[] = {"x", "", "quality", "mask", "labels"};
    array a;
    uint32_t at;
    a.name = names[tensor->role];
    a.data = tensor->data;
    a.dtype = tensor->dtype;
    a.ndim = tensor->ndim;
    a.row_bytes = sizes[tensor->dtype];
    a.stride_bytes = (size_t)tensor->strides[0] * sizes[tensor->dtype];
    for (at = 0; at < tensor->ndim; ++at) {
        a.shape[at] = tensor->shape[at];
        a.row_bytes *= at > 0 ? (size_t)tensor->shape[at] : 1;
    }
    return write_array(folder, batch, &a);
}

static int write_lengths(const char *folder, const biost_batch *batch) {
    array a = {"lengths", NULL, sizeof(int32_t), sizeof(int32_t), {0, 0, 0, 0}, 1, BIOST_DTYPE_I32};
    a.data = batch->lengths;
    a.shape[0] = batch->rows;
    return write_array(folder, batch, &a);
}

/* Where the rows came from: id, piece, start_base. */
static int write_ids(const char *folder, const biost_batch *batch) {
    array a = {"ids", NULL, 24, 24, {0, 3, 0, 0}, 2, BIOST_DTYPE_I64};
    int64_t *ids = (int64_t *)malloc(((size_t)batch->rows + 1) * 24);
    uint32_t row;
    int status;
    if (ids == NULL) {
        fx_complain(PROGRAM, "out of memory");
        return FX_BAD_DATA;
    }
    for (row = 0; row < batch->rows; ++row) {
        ids[3 * row] = batch->origins[row].id;
        ids[3 * row + 1] = (int64_t)batch->origins[row].piece;
        ids[3 * row + 2] = batch->origins[row].start_base;
    }
    a.data = ids;
    a.shape[0] = batch->rows;
    status = write_array(folder, batch, &a);
    free(ids);
    return status;
}

static int write_names(const char *folder, const biost_batch *batch) {
    fx_save save;
    char *path = begin_file(&save, folder, batch, "names", ".txt");
    uint32_t row;
    if (path == NULL) {
        return FX_BAD_DATA;
    }
    for (row = 0; row < batch->rows; ++row) {
        const char *name = batch->names + batch->name_offsets[row];
        fx_save_put(&save, name, strlen(name));
        fx_save_put(&save, "\n", 1);
    }
    return end_file(&save, path);
}

/* Every array of a batch, a file for each. Returns an exit code. */
static int write_batch(const char *folder, const biost_batch *batch) {
    uint32_t at;
    int status = FX_OK;
    for (at = 0; at < batch->tensor_count && status == FX_OK; ++at) {
        status = write_tensor(folder, batch, &batch->tensors[at]);
    }
    status = status == FX_OK ? write_lengths(folder, batch) : status;
    status = status == FX_OK ? write_ids(folder, batch) : status;
    return status == FX_OK && batch->names != NULL ? write_names(folder, batch) : status;
}

/* ---- statistics --------------------------------------------------------------- */

static void print_dropped(const biost_progress *at) {
    static const char *const filters[BIOST_DROP_COUNT] = {
        "first_records",  "every_record", "subsample", "length", "split", "min_mean_quality",
        "max_error_rate", "base quality", "N",         "user",   "label"};
    int drop;
    for (drop = 0; drop < BIOST_DROP_COUNT; ++drop) {
        if (at->dropped[drop] > 0) {
            fprintf(stderr, "stats\tdropped by %s %" PRIu64 "\n", filters[drop], at->dropped[drop]);
        }
    }
    if (at->border_count > 0) {
        fprintf(stderr, "stats\tpieces in two blocks of the split %" PRIu64 "\n", at->border_count);
    }
}

/* What became of the records of the epoch begun last, over all ranks. */
static void print_progress(uint64_t epoch, const biost_progress *at) {
    fprintf(stderr, "stats\tepoch %" PRIu64 "\tsource %" PRIu64 " of %" PRIu64 " bytes", epoch,
            at->source_bytes, at->source_total_bytes);
    fprintf(stderr, "\ttext %" PRIu64 " bytes\trecords %" PRIu64 "\tkept %" PRIu64, at->text_bytes,
            at->record_count, at->record_count - at->filtered_count);
    fprintf(stderr, "\tdropped %" PRIu64 "\tskipped %" PRIu64 "\trows %" PRIu64, at->filtered_count,
            at->skipped_count, at->sample_count);
    fprintf(stderr, "\trows left out by --tail %" PRIu64 "\n", at->tail_dropped_rows);
    print_dropped(at);
}

/* Where the time went since the loader was opened. */
static void print_counters(biost_loader *loader) {
    static const char *const stages[BIOST_STAGE_COUNT] = {"read",  "decode",   "inflate", "scan",
                                                          "check", "sequence", "encode",  "caller"};
    biost_counters counters;
    char hint[256];
    int stage;
    biost_loader_counters(loader, &counters);
    for (stage = 0; stage < BIOST_STAGE_COUNT; ++stage) {
        const biost_stage_counters *c = &counters.stages[stage];
        fprintf(stderr, "stats\tstage %s\tbusy %.1f ms\twaiting %.1f ms", stages[stage],
                (double)c->busy_ns / 1e6, (double)c->waiting_ns / 1e6);
        fprintf(stderr, "\tunits %" PRIu64 "\tbytes %" PRIu64 "\trecords %" PRIu64 "\n", c->unit_count,
                c->bytes, c->record_count);
    }
    fprintf(stderr, "stats\telapsed %.1f ms\tslots full %.1f ms\tworkers %" PRIu32 "\n",
            (double)counters.elapsed_ns / 1e6, (double)counters.slots_full_ns / 1e6, counters.workers);
    biost_loader_hint(loader, hint, sizeof hint);
    fprintf(stderr, "stats\thint\t%s\n", hint);
}

/* ---- the program --------------------------------------------------------------- */

static void print_epoch(uint64_t epoch, const totals *sum, uint64_t text_bytes) {
    double rate = sum->seconds > 0 ? (double)text_bytes / 1e6 / sum->seconds : 0;
    printf("epoch %" PRIu64 "\tbatches %" PRIu64 "\trows %" PRIu64, epoch, sum->batches, sum->rows);
    printf("\tdigest %016" PRIx64 "\tMB/s %.1f", sum->digest, rate);
}

/* Keep the resume state of the point behind a batch. Returns an exit code. */
static int take_state(biost_loader *loader, const biost_batch *batch, options *opt) {
    biost_result result = biost_loader_state(loader, batch, opt->state, sizeof opt->state, &opt->state_bytes);
    if (result != BIOST_OK) {
        fflush(stdout);
        fprintf(stderr, "%s: no resume state for batch %" PRIu64 ": %s\n", PROGRAM, batch->index,
                biost_loader_error(loader)->text);
    }
    return result == BIOST_OK ? FX_OK : FX_BAD_DATA;
}

/* Take what is asked of a batch that is held. Returns an exit code. */
static int use_batch(biost_loader *loader, const biost_batch *batch, options *opt, totals *sum) {
    int status = FX_OK;
    if (opt->npy != NULL) {
        status = write_batch(opt->npy, batch);
    }
    if (opt->state_file != NULL && status == FX_OK) {
        status = take_state(loader, batch, opt);
    }
    sum->batches += 1;
    sum->rows += batch->valid_rows;
    sum->digest += batch->digest;
    return status;
}

/* Take batches until the epoch or the allowance of --stop-after ends. */
static void run_epoch(biost_loader *loader, uint64_t epoch, options *opt, totals *sum) {
    double start = fx_seconds();
    biost_batch batch;
    biost_result result = biost_loader_begin(loader, epoch);
    char name[32];
    fx_bar bar;
    snprintf(name, sizeof name, "epoch %" PRIu64, epoch);
    fx_bar_begin(&bar, name);
    while (result == BIOST_OK && sum->status == FX_OK &&
           (opt->stop_after == 0 || sum->batches < opt->stop_after)) {
        result = biost_loader_next(loader, &batch);
        if (result != BIOST_OK) {
            break;
        }
        sum->status = use_batch(loader, &batch, opt, sum);
        biost_loader_release(loader, &batch);
        if (fx_bar_due(&bar)) {
            biost_progress at;
            biost_loader_progress(loader, &at);
            fx_bar_draw(&bar, at.source_bytes, at.source_total_bytes, at.text_bytes);
        }
    }
    fx_bar_end(&bar);
    sum->result = result;
    sum->seconds = fx_seconds() - start;
}

/*
 * The line of an epoch, and what else is asked for. Returns 1 to go on, 0 to stop with *out_exit.
 */
static int report(biost_loader *loader, uint64_t epoch, const options *opt, const totals *sum,
                  int *out_exit) {
    biost_progress progress;
    int good;
    memset(&progress, 0, sizeof progress);
    biost_loader_progress(loader, &progress);
    print_epoch(epoch, sum, progress.text_bytes);
    if (sum->resumed) {
        printf("\tfrom %" PRIu64, biost_loader_first_batch(loader));
    }
    putchar('\n');
    good = fx_flush(PROGRAM, out_exit);
    if (progress.skipped_count > 0) { /* exact at the end; before, the loader reads ahead */
        fprintf(stderr, "%s: epoch %" PRIu64 ": %s", PROGRAM, epoch,
                sum->result == BIOST_END ? "" : "up to ");
        fx_print_skipped(progress.skipped_count, progress.skipped_lines, progress.skipped_gaps);
    }
    if (opt->stats) {
        print_progress(epoch, &progress);
        print_counters(loader);
    }
    return good;
}

/* All epochs, a line each, also for one that was cut short. Returns the exit code. */
static int run(biost_loader *loader, options *opt) {
    uint64_t first = biost_loader_first_epoch(loader), epoch;
    for (epoch = first; epoch < opt->epochs; ++epoch) {
        totals sum = {0, 0, 0, 0, 0, BIOST_OK, FX_OK};
        int status = FX_OK;
        sum.resumed = opt->resume_file != NULL && epoch == first;
        run_epoch(loader, epoch, opt, &sum);
        if (!report(loader, epoch, opt, &sum, &status)) {
            return status;
        }
        if (sum.result < 0) {
            return fx_fail_loader(PROGRAM, sum.result, biost_loader_error(loader));
        }
        if (sum.status != FX_OK) {
            return sum.status;
        }
        if (opt->stop_after != 0 && (opt->stop_after -= sum.batches) == 0) {
            break;
        }
    }
    return FX_OK;
}

/* ---- indexes and resume states from files ---------------------------------------------- */

/* Load the indexes that are there, begin the others. Returns an exit code; close_indexes in any case. */
static int open_indexes(biost_loader_desc *desc, options *opt) {
    uint32_t at;
    if (opt->index_names.count == 0) {
        return FX_OK;
    }
    opt->indexes = (biost_index **)calloc(desc->path_count, sizeof *opt->indexes);
    if (opt->indexes == NULL) {
        fx_complain(PROGRAM, "out of memory");
        return FX_BAD_DATA;
    }
    for (at = 0; at < opt->index_names.count; ++at) {
        const char *name = opt->index_names.texts[at];
        biost_error error;
        biost_result result = fx_is_there(name)
                                  ? fx_load_index(name, desc->paths[at], &opt->indexes[at], &error)
                                  : biost_index_open(NULL, &opt->indexes[at], &error);
        if (result != BIOST_OK) {
            return fx_fail_loader(PROGRAM, result, &error);
        }
    }
    desc->indexes = opt->indexes;
    return FX_OK;
}

/* Write what the indexes have. Returns an exit code. */
static int save_indexes(const options *opt) {
    int status = FX_OK;
    uint32_t at;
    for (at = 0; at < opt->index_names.count && status == FX_OK; ++at) {
        biost_error error;
        biost_result result = biost_index_save(opt->indexes[at], opt->index_names.texts[at], &error);
        if (result != BIOST_OK) {
            status = fx_fail_loader(PROGRAM, result, &error);
        }
    }
    return status;
}

static void close_indexes(options *opt) {
    uint32_t at;
    for (at = 0; opt->indexes != NULL && at < opt->index_names.count; ++at) {
        biost_index_close(opt->indexes[at]);
    }
    free(opt->indexes);
    opt->indexes = NULL;
}

/* Read the resume state of --resume, if it is given. Returns an exit code. */
static int read_state(biost_loader_desc *desc, options *opt) {
    int status = FX_OK;
    if (opt->resume_file == NULL) {
        return FX_OK;
    }
    status = fx_read_file(PROGRAM, opt->resume_file, opt->state, sizeof opt->state, &opt->state_bytes);
    if (status == FX_OK && opt->state_bytes == 0) {
        fx_complain_of(PROGRAM, opt->resume_file, "is empty and no resume state", NULL);
        status = FX_BAD_DATA;
    }
    desc->state = opt->state;
    desc->state_bytes = opt->state_bytes;
    return status;
}

/* ---- the whole -------------------------------------------------------------------- */

/* Open, print, deliver, close. Returns an exit code. */
static int stream_batches(biost_loader_desc *desc, options *opt) {
    biost_loader *loader;
    biost_error error;
    biost_result result = biost_loader_open(desc, &loader, &error);
    uint64_t memory_bytes;
    int status = FX_OK;
    if (result != BIOST_OK) {
        return fx_fail_loader(PROGRAM, result, &error);
    }
    memory_bytes = biost_loader_memory(desc);
    biost_loader_get_desc(loader, desc);
    print_shapes(desc);
    print_desc(desc, memory_bytes);
    if (fx_flush(PROGRAM, &status)) {
        status = opt->npy != NULL ? make_folder(opt, loader) : FX_OK;
        status = status == FX_OK ? run(loader, opt) : status;
    }
    if (opt->stats) {
        fx_print_warnings(PROGRAM, "the input", biost_loader_warnings(loader));
    }
    biost_loader_close(loader);
    if (opt->state_file != NULL && opt->state_bytes > 0) {
        int written = fx_write_file(PROGRAM, opt->state_file, opt->state, opt->state_bytes);
        status = status == FX_OK ? written : status;
    }
    if (opt->save_index) {
        int written = save_indexes(opt);
        status = status == FX_OK ? written : status;
    }
    return status;
}

/* The resume state is written over no input. Returns an exit code. */
static int check_outputs(const biost_loader_desc *desc, const options *opt) {
    int status = FX_OK;
    uint32_t i;
    for (i = 0; i < desc->path_count && opt->state_file != NULL && status == FX_OK; ++i) {
        status = fx_check_output(PROGRAM, opt->state_file, desc->paths[i]);
    }
    return status;
}

int main(int argc, char **argv) {
    biost_loader_desc desc;
    options opt;
    int status;
    memset(&desc, 0, sizeof desc);
    memset(&opt, 0, sizeof opt);
    desc.batch_rows = 256;
    desc.world = 1;
    opt.epochs = 1;
    opt.max_n_fraction = -1;
    opt.index_names.texts = (const char **)malloc((size_t)argc * sizeof(char *) + 1);
    if (opt.index_names.texts == NULL) {
        fx_complain(PROGRAM, "out of memory");
        return FX_BAD_DATA;
    }
    read_flags(argc, argv, &desc, &opt);
    status = check_outputs(&desc, &opt);
    status = status == FX_OK ? read_state(&desc, &opt) : status;
    status = status == FX_OK ? open_indexes(&desc, &opt) : status;
    status = status == FX_OK ? stream_batches(&desc, &opt) : status;
    close_indexes(&opt);
    free(opt.index_names.texts);
    return status;
}
