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
 *   ./fxbatch --bases 150 --shuffle 65536 --label group --group human:3:0 h1.fastq.gz h2.fastq.gz --group mouse:1:1 m.fastq.gz
 *
 * Standard output, separated by tabs: a line for each tensor (name, shape on this rank, type, layout, kind, which for
 * an x with more channels is as onehot+phred+mask), the line of the rank, `batches per epoch N` if that is known before
 * the first batch, as with stores, and a line `desc NAME VALUE` for each field of the desc that is not 0, as the loader
 * obeys it; a file with these lines can be given to --desc. Then for each epoch
 *   epoch E  batches B  rows N  digest 16_HEX_DIGITS  MB/s X  padding P %
 * N counts the valid rows of this rank, X is 10^6 bytes of text per second of wall time; of stores alone, where no text
 * is read, `rows/s X` stands there. Of all columns of this rank's rows, P in a hundred are no bases. An epoch that was entered in the middle has `from B` at the end: the number of its
 * first batch here.
 * Where there are groups a line for each follows, over all ranks:
 *   group NAME  passes P  rows R  share 0.DDDD
 * P passes over its files were begun, R of its rows have a place in a batch, and these are that share of the rows of
 * all groups.
 *
 * --group NAME[:WEIGHT[:LABEL]] makes a group of the files after it. Its share of the rows is WEIGHT (1 if it is not
 * given) of the sum of all weights. --label group labels its rows LABEL (0 if it is not given), --label input labels
 * the rows of a file with the file's number, or with that in --label-values. Numbers count the files of text first,
 * then those that stores were made of. --label title takes the label out of each row's title: what follows `KEY=` there,
 * or a field of the name; with --label-classes it is a word, whose place among these is the label:
 *
 *   ./fxbatch --label title --label-key ch --label-dtype i32 reads.fastq.gz
 *   ./fxbatch --label title --label-field 3 --label-classes liver,lung reads.bst
 *
 * FILE may be a store, which fxstore makes (OUT.bst): alone, or in a --group of its own (others may be text). Its records are
 * rows, in the order of --order; or regions of it are, of --bases or the grid's length:
 *
 *   ./fxbatch --grid 1000:500 --strands both --order exact --max-region-n 0.1 genome.bst
 *   ./fxbatch --regions peaks.bed --fit center --bases 500 --jitter 50 --label region --label-column 5 genome.bst
 *   ./fxbatch --regions peaks.narrowPeak --fit summit --bases 500 genome.bst
 *   ./fxbatch --grid 21384 --strands both --order helixer --channels CATG --n helixer --dtype f16 --minus-pad end \
 *       --segments DIR genome.bst
 *
 *   ./fxbatch --records fold1.txt --order exact --bases 150 reads.bst
 *
 * --batch-tokens N makes batches of rows of about one length, each with as many as N columns have room for. Their widths are
 * --widths, or made by --growth; see biost_shape:
 *
 *   ./fxbatch --batch-tokens 65536 --growth 1.125 --order exact --encode tokens reads.bst
 *
 * --store-in DIR does that by itself: files of text become stores in DIR, once, with qualities if these flags ask for
 * them, and are built again where a file has changed. So flags of stores can be given with any files:
 *
 *   ./fxbatch --store-in build --order exact --bases 150 reads.fastq.gz
 *
 * The names in BED, and in the files of --sequences and --records, are the first words of titles. GROUP=BED is for one group. What
 * --segments DIR writes is described in segments.h: X.npy, start_ends.npy and seqids.npy, as fasta2h5 has them.
 *
 * --npy DIR writes each array of each batch as DIR/epoch0_batch000000_NAME.npy (format 1.0): x,
 * quality, mask, labels, weights, lengths [rows], and ids [rows][3]: id, piece and start_base of biost_row. start_base is where the
 * row's first column lies, in a padded region perhaps below 0: the row's bases begin at max(start_base, 0), and there
 * are `lengths` of them. Names go to ..._names.txt, a line per row. Padding rows are in them too, with id -1. bf16 is
 * written as <u2: numpy has no such type. A file has its name once it is whole. A folder that already has files of the
 * batches to come, or of later ones, is refused, so that what lies there is of one run, or of a run and
 * those that resumed it; --overwrite removes them first. Each rank wants a folder of its own.
 *
 * --frames - writes every batch to standard output, for programs that cannot call a library; what is printed
 * goes to standard error then. examples/read_frames.py reads it. It is one line of JSON, then frames, each of
 * which starts with unsigned numbers of 8 bytes, in the byte order that the line says:
 *   {"biostream_frames": 1, "byte_order": "little" or "big",
 *    "numbers": ["kind", "epoch", "index", "rows", "valid_rows", "columns", "flags", "digest", "bytes",
 *                "lengths_at", "x_at", ...],
 *    "arrays": [{"name": "x", "role": "input", "dtype": "f16", "layout": "NLC", "shape": ["rows", "columns", 4]},
 *               ...]}
 * "numbers" names those numbers, in their order. After them come `bytes` bytes. By its kind a frame is
 *   1  a batch; flags are those of biost_batch. The array NAME begins at byte NAME_at of the bytes; the words in
 *      its shape are numbers of the frame. bf16 is the upper half of an f32. ids are as those of --npy. The text
 *      names, with --names, is `rows` texts with a zero byte after each, from names_at to the end.
 *   2  the verified end of an epoch; index is the number of its batches here, valid_rows that of their rows, digest the
 *      sum of their digests
 *   3  an error: the bytes are the sentence; nothing follows
 *   4  the end of the stream; nothing follows
 * So a stream that ends without a frame of kind 3 or 4 was cut off.
 *
 * --index F, once for each FILE in their order, names the index of that file: it is loaded if it is
 * there, and else made while the epoch is read. With one --resume enters gzip near where it stopped
 * instead of inflating it from the start. --save-index writes them at the end, as far as was read.
 *
 * --plot FILE.svg draws the batches of the run: see fx_plot.h.
 *
 * FILE may be "-", standard input, as in `zstd -dc reads.fastq.zst | fxbatch -`: for one epoch,
 * because a pipe cannot be read twice, without resume states, and as the only file.
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../../biostream.h"

/* Short names of fields: the flag, and the field it sets. Every other field is a flag by its own name. */
#define FX_DESC   "biost_loader_desc"
#define FX_OTHERS 1
#define FX_FLAGS                                                                                             \
    {"rows", "batch_rows"}, {"bases", "row_bases"}, {"max-bases", "max_row_bases"},                          \
        {"pad-multiple", "pad_multiple"}, {"long", "long_records"}, {"stride", "split_stride"},              \
        {"encode", "encoding.kind"}, {"dtype", "encoding.dtype"}, {"layout", "encoding.layout"},             \
        {"channels", "encoding.channels"}, {"n", "encoding.ambiguous"}, {"lower", "encoding.lower_case"},    \
        {"tokens", "encoding.tokens"}, {"pad-side", "encoding.pad_side"},                                    \
        {"pad-value", "encoding.pad_value"}, {"quality", "quality.kind"}, {"quality-in-x", "quality.in_x"},  \
        {"mask-dtype", "mask_dtype"}, {"mask-in-x", "mask_in_x"}, {"min-length", "filter.min_length"},       \
        {"max-length", "filter.max_length"}, {"min-quality", "filter.min_mean_quality"},                     \
        {"max-error", "filter.max_error_rate"}, {"min-base-quality", "filter.min_base_quality"},             \
        {"first", "filter.first_records"}, {"every", "filter.every_record"}, {"split-strip", "split.strip"}, \
        {"allow-no-rows", "allow_no_rows"}, {"crop", "augment.crop_bases"},                                  \
        {"rc", "augment.reverse_complement"}, {"mutate", "augment.substitute"},                              \
        {"inject-n", "augment.inject_n"}, {"shuffle", "shuffle_rows"}, {"max-record", "max_record_bytes"},   \
        {"skip-bad", "text.skip_bad"}, {"label-dtype", "labels.dtype"}, {"label-key", "labels.key"},         \
        {"label-field", "labels.field"}, {"label-separator", "labels.separator"},                            \
        {"label-classes", "labels.classes"}, {"label-values", "labels.of_inputs"},                           \
        {"epoch-end", "epoch_end"}, {"epoch-rows", "epoch_rows"}, {"allow-unseen", "allow_unseen"},          \
        {"shuffle-files", "shuffle_files"}, {"open-files", "open_files"}, {"strands", "regions.strands"},    \
        {"fit", "regions.fit"}, {"edge", "regions.edge"}, {"minus-pad", "regions.minus_pad"},                \
        {"jitter", "regions.jitter"}, {"batch-tokens", "shape.batch_tokens"},                                \
        {"rows-multiple", "shape.rows_multiple"}, {"kmer-letters", "encoding.kmers.letters"},                \
        {"pack-samples", "shape.pack_samples"}, {"segment", "shape.segments"},                               \
        {"position", "shape.positions"}, {"offsets", "shape.offsets"},

/* What the library says of several fields, or of one that several flags set. */
#define FX_SAYS                                                                                            \
    {"desc.shape needs the lengths of all records, which a store knows and text does not: build one with " \
     "biost_store_build",                                                                                  \
     "--batch-tokens and --pack need the lengths of all records, which a store knows and text does not: "  \
     "make one with fxstore, or give --store-in"},                                                         \
        {"desc.shape has fields set and no desc.shape.kind",                                               \
         "what is said of widths and of rows needs --batch-tokens, and of records in a row --pack"},       \
        {"desc.shape.kind is BIOST_SHAPE_PACKED, whose rows have desc.row_bases columns, and that is 0",   \
         "--pack needs --bases, the columns of its rows"},                                                 \
        {"desc.shape.kind is BIOST_SHAPE_PACKED, where", "--pack is given, where"},                        \
        {"desc.shape.kind to be BIOST_SHAPE_PACKED", "--pack"},                                            \
        {"desc.shape.kind is BIOST_SHAPE_BUCKETS, where desc.shape.batch_tokens says",                     \
         "--batch-tokens says"},                                                                           \
        {"desc.shape.rows_multiple (of which 0 means 1)", "--rows-multiple (1)"},                          \
        {"desc.shape.growth", "--growth"}, {"desc.shape.widths", "--widths"},                              \
        {"desc.regions.intervals and fit need desc.regions.kind to be BIOST_REGIONS_INTERVALS",            \
         "--fit needs --regions"},                                                                         \
        {"desc.regions.kind is BIOST_REGIONS_RECORDS, whose records are not cut, and desc.long_records "   \
         "is BIOST_LONG_SPLIT",                                                                            \
         "records of --records are not cut, as --long split does"},                                        \
        {"desc.regions has fields set of a grid or of intervals, and desc.regions.kind is "                \
         "BIOST_REGIONS_RECORDS",                                                                          \
         "what is said of regions needs --grid or --regions, not --records"},                              \
        {"desc.regions.stride needs desc.regions.kind to be BIOST_REGIONS_GRID", "a stride needs --grid"}, \
        {"desc.max_record_bytes", "--max-record"},                                                         \
        {"desc.fd is read once and in order: it takes neither several desc.groups, desc.shuffle_files, "   \
         "desc.open_files over 1 nor desc.epoch_rows",                                                     \
         "standard input is read once and in order: it takes neither several groups, --shuffle-files, "    \
         "--open-files over 1 nor --epoch-rows"},                                                          \
        {"desc.regions.kind has to be BIOST_REGIONS_GRID, and strands BIOST_STRANDS_BOTH",                 \
         "it needs --grid, and --strands both"},                                                           \
        {"desc.regions.kind to be BIOST_REGIONS_GRID, and strands BIOST_STRANDS_BOTH",                     \
         "--grid, and --strands both"},                                                                    \
        {"needs desc.regions.kind to be BIOST_REGIONS_INTERVALS, of a store",                              \
         "needs --regions, of a store"},                                                                   \
        {"desc.state was made with other values in the desc's data fields",                                \
         "the state of --resume was made with other flags that say what rows are"},                        \
        {"need desc.regions.kind to be BIOST_REGIONS_INTERVALS", "need --regions"},                        \
        {"desc.regions are of stores", "--grid, --regions and --records are of stores"},                   \
        {"desc.regions has fields set and no desc.regions.kind",                                           \
         "what is said of regions needs --grid or --regions"},                                             \
        {"desc.labels.of_inputs and desc.labels.of_input_count", "--label-values"},                        \
        {"need desc.regions.kind to be BIOST_REGIONS_GRID", "need --grid"},                                \
        {"desc.regions.max_lower_fraction or forbid_lower", "--max-lower"},                                \
        {"desc.regions.max_other_fraction or forbid_other", "--max-other"},                                \
        {"desc.split has fields set and no desc.split.by", "what is said of a split needs --split"},       \
        {"desc.filter.subsample_from and subsample_below", "--subsample"},                                 \
        {"needs desc.groups, and desc.group_count is 0", "needs --group"},                                 \
        {"desc.labels.of_input_count is neither 0 nor", "the count of --label-values is not"},             \
        {"desc.filter.max_n_fraction or forbid_n", "--max-n or --max-region-n"},                           \
        {"desc.filter.min_length and max_length", "--min-length and --max-length"},                        \
        {"desc.regions.intervals and fit", "--fit"},                                                       \
        {"desc.text.high_bytes and mixed", "--text.high_bytes and --text.mixed"},                          \
        {"build it with desc.qualities", "build it with fxstore --qualities"},                             \
        {"desc.filter.max_n_fraction", "--max-n"},                                                         \
        {"build it with desc.names", "build it with fxstore --names all"},                                 \
        {"desc.names is 2, which are whole titles, and the store has none: build it with titles",          \
         "--names title needs titles, and the store has none: build it with fxstore --names all"},         \
        {"desc.mates is of stores: pairs of text are for biost_pairs, or build a store of them with "      \
         "biost_store_build",                                                                              \
         "--mates is of stores: make one of R1 and R2 with fxstore --mates, or with --store-in"},          \
        {"desc.mates is 2, and the store has no mates: build it with desc.mates",                          \
         "--mates needs pairs, and the store has none: build it with fxstore --mates"},                    \
        {"desc.mates is 2", "--mates is given"}, {"desc.regions.sequences", "--sequences"},                \
        {"desc.regions.stride", "the stride of --grid"},                                                   \
        {"build it with names", "build it with fxstore --names all"}, {"BIOST_SPLIT_FIELD", "field"},      \
        {"desc.labels.kind is BIOST_LABEL_TITLE, which needs desc.labels.key or desc.labels.field",        \
         "--label title needs --label-key or --label-field"},                                              \
        {"desc.labels.key, field, separator and classes need", "what is said of labels in titles needs"},  \
        {"desc.labels.key needs titles, and the store has none: build it with titles",                     \
         "--label-key needs titles, and the store has none: build it with fxstore --names all"},           \
        {"which desc.labels asks for", "which --label title asks for"},                                    \
        {"desc.filter asks", "a filter asks"}, {"desc.labels.kind", "--label"},                            \
        {"desc.encoding.kmers.stride is neither 1 nor desc.encoding.kmers.k",                              \
         "the stride of --kmer is neither 1 nor its K"},                                                   \
        {"desc.encoding.kmers, first_id to first_id + 4^k - 1 and unknown_id",                             \
         "--kmer: FIRST to FIRST + 4^K - 1, and OTHER"},                                                   \
        {"desc.encoding.kmers has fields set, and desc.encoding.kmers.k is 0",                             \
         "--kmer-letters and --kmer-ids need --kmer"},                                                     \
        {"desc.encoding.kmers.letters", "--kmer-letters"}, {"desc.encoding.kmers.k", "--kmer"},            \
        {"desc.encoding.kmers need", "--kmer needs"}, {"desc.encoding.kmers", "--kmer"},                   \
        {"desc.encoding.has_begin and has_end need", "--begin-token and --end-token need"},                \
        {"desc.row_bases or max_row_bases", "--bases or --max-bases"},                                     \
        {"desc.encoding.begin_token or end_token", "--begin-token or --end-token"},                        \
        {"desc.encoding.begin_token", "--begin-token"}, {"desc.encoding.end_token", "--end-token"},        \
        {"desc.regions", "--grid and --regions"}, {"desc.split", "--split"},                               \
        {"desc.state", "the state of --resume"}, {"desc.store", "the store"},

#include "fx.h"
#include "fx_bed.h"
#include "fx_npy.h"
#include "fx_plot.h"
#include "fx_stores.h"
#include "segments.h"

#define PROGRAM "fxbatch"

/* What the flags say beyond the desc, and the last resume state. */
typedef struct options {
    uint64_t epochs, stop_after;
    const char *state_file, *resume_file, *npy, *frames, *subsample, *split, *grid, *segments, *store_in,
        *plot_file, *growth, *widths_text, *kmer, *kmer_ids, *begin, *end;
    uint32_t widths[256];  /* of --widths                                                  */
    FILE *frames_file;     /* of --frames, once it is open                               */
    uint32_t frame_arrays; /* of which a frame says where they begin                     */
    int frames_closed;     /* nobody reads them any more                                 */
    fx_texts index_names;  /* of --index                                                 */
    fx_groups groups;      /* of --group                                                 */
    int label;             /* which word of --label; -1: it is not given                 */
    biost_index **indexes; /* [desc.path_count] one for each name, then NULL; or NULL    */
    fx_places places;      /* of --regions, --sequences, --records and --label-column    */
    fx_stores stores;      /* of the files, and of the groups                            */
    struct segments files; /* of --segments                                              */
    float max_n_fraction;  /* below 0: not given; and of regions:                        */
    float max_region_n, max_lower, max_other;
    biost_desc_memory memory; /* what fields given by flags point to                      */
    fx_plot plot;             /* of --plot                                                */
    biost_encoding encoding;  /* that of the desc                                         */
    int digest, no_digest, stats, save_index, overwrite, mates, pack;
    int made_npy, made_segments; /* their folders were not there before                   */
    unsigned char *state;        /* [state_capacity] */
    size_t state_bytes, state_capacity;
} options;

/* What one epoch delivered in this run, and how it ended. */
typedef struct totals {
    uint64_t batches, rows, digest;
    uint64_t columns, padding; /* of all rows, and of these columns those that are padding    */
    double seconds;
    int resumed;         /* entered with a resume state                                       */
    biost_result result; /* OK: --stop-after                                           */
    int status;          /* FX_OK, or why the tool cannot go on; it was said           */
} totals;

static const char *const about =
    "Stream FASTQ or FASTA files (plain, gzip, BGZF) into batches; print the shapes, the desc as\n"
    "it is obeyed, then a line per epoch: batches and rows delivered, their digest, and MB of\n"
    "text a second, or of stores alone rows. FILE may be -, standard input: alone, for one epoch,\n"
    "without resume states. Epoch, batch and row of each row are in its digest, so another order has\n"
    "another one.\n"
    "A FILE of fxstore's is a store: alone, or all of a --group. Its records are rows, or regions of\n"
    "it: of a --grid, or of --regions, lines of BED (GROUP=BED: of one group).\n"
    "Of --npy files bf16 is <u2, because numpy has no bf16; ids are [rows][3]: id, piece, start. With\n"
    "--mates lengths are [rows][2], ids [rows][2][3], and x_2, labels_2 and so on are of second mates.\n"
    "--frames - writes a line of JSON and then each batch as a frame: numbers of 8 bytes, whose names\n"
    "the line has, then as many bytes as the number `bytes` says, in which the array NAME begins at\n"
    "byte NAME_at. kind is 1 for a batch, 2 at the end of an epoch, 3 for an error, whose sentence the\n"
    "bytes are, and 4 at the end: without 3 or 4 a stream was cut off.\n";

/* ---- flags ---------------------------------------------------------------- */

/* Standard input instead of files, and what cannot be done with it. */
static void take_input(const fx_tool *tool, uint32_t file_count, biost_loader_desc *desc, options *opt) {
    if (file_count > 1) {
        fx_usage(tool, "- (standard input) must be the only file", "");
    }
    if (desc->epochs > 1) {
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

/* Files, of which some may be stores. */
static void take_files(const fx_tool *tool, uint32_t file_count, char **files, biost_loader_desc *desc,
                       options *opt) {
    desc->path_count = fx_stores_plan(tool, &opt->stores, desc, files, file_count);
    desc->paths = desc->path_count > 0 ? (const char *const *)files : NULL;
    if (opt->stores.count > 0 && opt->index_names.count > 0) {
        fx_usage(tool, "a store has no index, and needs none: --index ", opt->index_names.texts[0]);
    }
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

/* A number up to one of the bytes `ends`, or 0 where there is none; *inout_text moves past it. */
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

/* The words "a|b|c" of a field of the desc. */
static const char *words_of(const char *name) {
    uint32_t count, at;
    const biost_field *fields = biost_desc_fields("biost_loader_desc", &count);
    for (at = 0; at + 1 < count && strcmp(fields[at].name, name) != 0; ++at) {
    }
    return fields[at].words;
}

/* What stands after "by=": a word, and with field and block a number, with field a separator. */
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
    by = fx_parse_choice(words_of("split.by"), word);
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
static void take_split(const fx_tool *tool, const char *text, biost_split *split) {
    static const char wants[] =
        "--split wants SALT:FROM:BELOW[:by=name|sequence|field,N[,C]|block,N|content], not ";
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
}

/* Set a field of the desc by a flag of another name, or end the program with the library's sentence. */
static void take_field(const fx_tool *tool, biost_loader_desc *desc, options *opt, const char *flag_name,
                       const char *name, const char *value) {
    fx_flag flag = {0, NULL, NULL, FX_FIELD, NULL, 0, 0, NULL};
    fx_field field = {NULL, NULL, NULL};
    flag.name = flag_name;
    field.desc = desc;
    field.memory = &opt->memory;
    field.name = name;
    flag.out = &field;
    fx_store_field(tool, &flag, value);
}

/* The two parts of "A:B" or "A,B", in out [2][16]. Returns 0 if there are more, or one is too long. */
static int take_parts(const char *text, const char *separator, char out[2][16]) {
    const size_t first = strcspn(text, separator);
    const char *rest = text + first + (text[first] != '\0');
    out[0][0] = out[1][0] = '\0';
    if (first >= 16 || strlen(rest) >= 16 || strchr(rest, separator[0]) != NULL) {
        return 0;
    }
    memcpy(out[0], text, first);
    out[0][first] = '\0';
    strcpy(out[1], rest);
    return 1;
}

/* --kmer, --kmer-ids, --begin-token and --end-token. */
static void take_tokens(const fx_tool *tool, biost_loader_desc *desc, options *opt) {
    char parts[2][16];
    if (opt->kmer != NULL) {
        if (!take_parts(opt->kmer, ":", parts)) {
            fx_usage(tool, "--kmer wants K or K:STRIDE, not ", opt->kmer);
        }
        take_field(tool, desc, opt, "kmer", "encoding.kmers.k", parts[0]);
        take_field(tool, desc, opt, "kmer", "encoding.kmers.stride", parts[1][0] != '\0' ? parts[1] : "0");
    }
    if (opt->kmer_ids != NULL) {
        if (!take_parts(opt->kmer_ids, ",", parts) || parts[1][0] == '\0') {
            fx_usage(tool, "--kmer-ids wants FIRST,OTHER, not ", opt->kmer_ids);
        }
        desc->encoding.kmers.has_ids = 1;
        take_field(tool, desc, opt, "kmer-ids", "encoding.kmers.first_id", parts[0]);
        take_field(tool, desc, opt, "kmer-ids", "encoding.kmers.unknown_id", parts[1]);
    }
    if (opt->begin != NULL) {
        desc->encoding.has_begin = 1;
        take_field(tool, desc, opt, "begin-token", "encoding.begin_token", opt->begin);
    }
    if (opt->end != NULL) {
        desc->encoding.has_end = 1;
        take_field(tool, desc, opt, "end-token", "encoding.end_token", opt->end);
    }
}

/* --grid L[:STRIDE]. */
static void take_grid(const fx_tool *tool, const char *text, biost_loader_desc *desc) {
    static const char wants[] = "--grid wants L or L:STRIDE, whole numbers from 1 to 268435456, not ";
    const uint64_t most = 268435456;
    const char *at = text;
    uint64_t length = 0, stride = 1;
    int has_stride = strchr(text, ':') != NULL;
    if (!take_number(&at, ":", &length) || (has_stride && !take_number(&at, "", &stride)) || length == 0 ||
        stride == 0 || length > most || stride > most) {
        fx_usage(tool, wants, text);
    }
    if (desc->row_bases > 0 && desc->row_bases != length) {
        fx_usage(tool, "--grid says the bases of a row, and --bases others: --grid ", text);
    }
    desc->row_bases = (uint32_t)length;
    desc->regions.kind = BIOST_REGIONS_GRID;
    desc->regions.stride = has_stride ? (uint32_t)stride : desc->regions.stride;
}

/* --growth G, a number such as 1.125, of which the desc has the millionths. */
static void take_growth(const fx_tool *tool, const char *text, biost_shape *shape) {
    double growth;
    if (!fx_parse_fraction(text, &growth) || growth < 1.000001 || growth > 4000) {
        fx_usage(tool, "--growth wants a number from 1.000001 to 4000, not ", text);
    }
    shape->growth = (uint32_t)(growth * 1000000 + 0.5);
}

/* --widths A,B,C. */
static void take_widths(const fx_tool *tool, const char *text, uint32_t widths[256], biost_shape *shape) {
    const char *at = text;
    do {
        uint64_t width;
        if (shape->width_count == 256 || !take_number(&at, ",", &width) || width > UINT32_MAX) {
            fx_usage(tool, "--widths wants up to 256 whole numbers with commas between, not ", text);
        }
        widths[shape->width_count++] = (uint32_t)width;
    } while (at[0] != '\0');
    shape->widths = widths;
}

/* The most of something that a region may have; below 0: not given, 0: none of it. */
static void take_limit(float share, float *out_fraction, int *out_forbid) {
    if (share >= 0) {
        *out_fraction = share;
        *out_forbid = share == 0;
    }
}

/* Whether rows are regions of stores. */
static int shows_places(const biost_loader_desc *desc) {
    return desc->regions.kind == BIOST_REGIONS_GRID || desc->regions.kind == BIOST_REGIONS_INTERVALS;
}

/* What flags mean for the regions of stores. */
static void take_regions(const fx_tool *tool, biost_loader_desc *desc, options *opt) {
    const int has_limit = opt->max_region_n >= 0 || opt->max_lower >= 0 || opt->max_other >= 0;
    if (opt->grid != NULL && opt->places.beds.count > 0) {
        fx_usage(tool, "--grid and --regions cannot both be: ", opt->places.beds.texts[0]);
    }
    if (opt->places.records.count > 0) {
        if (opt->grid != NULL || opt->places.beds.count > 0) {
            fx_usage(tool,
                     "--records stands beside neither --grid nor --regions: ", opt->places.records.texts[0]);
        }
        desc->regions.kind = BIOST_REGIONS_RECORDS;
    }
    if (opt->grid != NULL) {
        take_grid(tool, opt->grid, desc);
    }
    if (opt->places.beds.count > 0) {
        desc->regions.kind = BIOST_REGIONS_INTERVALS;
    }
    if (opt->places.lists.count > 0 && desc->regions.kind != BIOST_REGIONS_GRID) {
        fx_usage(tool, "--sequences is of a --grid: ", opt->places.lists.texts[0]);
    }
    if (has_limit && !shows_places(desc)) {
        fx_usage(tool, "--max-region-n, --max-lower and --max-other are of regions: give --grid or --regions",
                 "");
    }
    if (opt->max_region_n >= 0 && opt->max_n_fraction >= 0) {
        fx_usage(tool, "--max-n and --max-region-n are one limit: give one of them", "");
    }
    take_limit(opt->max_region_n, &desc->filter.max_n_fraction, &desc->filter.forbid_n);
    take_limit(opt->max_lower, &desc->regions.max_lower_fraction, &desc->regions.forbid_lower);
    take_limit(opt->max_other, &desc->regions.max_other_fraction, &desc->regions.forbid_other);
}

/* What --segments wants of the desc. */
static void take_segments(const fx_tool *tool, biost_loader_desc *desc, const options *opt) {
    if (!shows_places(desc)) {
        fx_usage(tool, "--segments writes regions of a store: give --grid or --regions", "");
    }
    if (desc->epochs > 1 || opt->resume_file != NULL) {
        fx_usage(tool, "--segments writes one whole epoch: neither --epochs nor --resume", "");
    }
    desc->names = 1;
}

/* The kinds that --label names. */
static const biost_label_kind label_kinds[] = {BIOST_LABEL_GROUP, BIOST_LABEL_INPUT, BIOST_LABEL_REGION,
                                               BIOST_LABEL_TITLE};

/* What flags that are no single field mean for the desc. */
static void fill_desc(const fx_tool *tool, biost_loader_desc *desc, options *opt) {
    if (desc->quality.kind == BIOST_QUALITY_ERROR && !desc->quality.in_x) {
        desc->quality.dtype = BIOST_DTYPE_F32;
    }
    if (opt->subsample != NULL) {
        take_subsample(tool, opt->subsample, &desc->filter);
    }
    if (opt->split != NULL) {
        take_split(tool, opt->split, &desc->split);
    }
    take_tokens(tool, desc, opt);
    if (opt->max_n_fraction >= 0) {
        desc->filter.forbid_n = opt->max_n_fraction == 0;
        desc->filter.max_n_fraction = opt->max_n_fraction;
    }
    desc->epochs += desc->epochs == 0;
    opt->epochs = desc->epochs;
    desc->digest = !opt->no_digest;
    desc->mates = opt->mates ? 2 : desc->mates;
    if (opt->frames != NULL && desc->mates == 2) {
        fx_usage(tool, "--frames writes arrays of single records, and --mates shows pairs", "");
    }
    if (opt->label >= 0) {
        desc->labels.kind = label_kinds[opt->label];
    }
    if ((desc->labels.kind == BIOST_LABEL_REGION) != (opt->places.label_column > 0)) {
        fx_usage(tool, "--label region and --label-column, that of BED which has it, need one another", "");
    }
    opt->encoding = desc->encoding;
    desc->shape.kind = opt->pack ? BIOST_SHAPE_PACKED : desc->shape.kind;
    take_regions(tool, desc, opt);
    if (opt->growth != NULL) {
        take_growth(tool, opt->growth, &desc->shape);
    }
    if (opt->widths_text != NULL) {
        take_widths(tool, opt->widths_text, opt->widths, &desc->shape);
    }
    if (desc->shape.kind == BIOST_SHAPE_NONE && desc->shape.batch_tokens > 0) {
        desc->shape.kind = BIOST_SHAPE_BUCKETS;
    }
    if (opt->segments != NULL) {
        take_segments(tool, desc, opt);
    }
    if (opt->digest && opt->no_digest) {
        fx_usage(tool, "--digest and --no-digest cannot both be", "");
    }
}

/* What a field's value is called in the help. */
static const char *meta_of(const biost_field *field) {
    switch (field->kind) {
    case BIOST_FIELD_FLAG: return "";
    case BIOST_FIELD_WORD: return field->words;
    case BIOST_FIELD_F32: return field->most == 1 ? "P" : "Q";
    case BIOST_FIELD_TEXT:
        return strcmp(field->name, "labels.key") == 0       ? "KEY"
               : strcmp(field->name, "labels.classes") == 0 ? "WORD,WORD..."
                                                            : "LETTERS";
    case BIOST_FIELD_TOKENS:
    case BIOST_FIELD_WEIGHTS:
    case BIOST_FIELD_NUMBERS: return "LIST";
    case BIOST_FIELD_BYTE: return "BYTE";
    case BIOST_FIELD_CHARS: return "BYTES";
    default: return "N";
    }
}

/* What a field is for, with its default where that is a number or a word, in out [capacity]. */
static void describe(const biost_field *field, char *out, size_t capacity) {
    if (field->kind == BIOST_FIELD_WORD) {
        snprintf(out, capacity, "%s (%.*s)", field->about, (int)strcspn(field->words, "|"), field->words);
    } else if (field->fallback > 0) {
        snprintf(out, capacity, "%s (%" PRIu64 ")", field->about, field->fallback);
    } else {
        snprintf(out, capacity, "%s", field->about);
    }
}

/* Whether a field of the table is a flag: not the inputs, nor labels of functions, nor what other flags do. */
static int is_flag(const biost_field *field) {
    return field->kind != BIOST_FIELD_HOOK && field->kind != BIOST_FIELD_STATE &&
           field->kind != BIOST_FIELD_GROUPS && field->mark != BIOST_MARK_MUST &&
           strcmp(field->name, "digest") != 0 && strcmp(field->name, "labels.kind") != 0 &&
           strcmp(field->name, "labels.width") != 0 && strcmp(field->name, "mates") != 0;
}

/* The flags of a field, at most 2: its short name, and its own name, which the help leaves out. Returns how many. */
static int make_flags(const biost_field *field, const fx_field *target, biost_loader_desc *desc, char *help,
                      fx_flag *out) {
    const char *name = fx_flag_of(field->name);
    fx_flag flag = {0, NULL, NULL, FX_FIELD, NULL, 0, 0, NULL};
    flag.name = name;
    flag.meta = meta_of(field);
    flag.help = help;
    flag.out = (void *)target;
    if (strcmp(field->name, "names") == 0) {
        flag.meta = "name|title";
    }
    if (field->kind == BIOST_FIELD_FLAG || strcmp(field->name, "names") == 0) {
        flag.kind = FX_SWITCH;
        flag.out = (char *)desc + field->offset;
    }
    out[0] = flag;
    if (name == field->name) {
        return 1;
    }
    out[1] = flag;
    out[1].name = field->name;
    out[1].help = NULL;
    return 2;
}

enum { MOST_FIELDS = 192, HELP_BYTES = 160 };

/* The flags of the tool: those of the fields, then `own`, to an entry without a name. */
typedef struct flag_table {
    fx_flag flags[2 * MOST_FIELDS + 32];
    fx_field targets[MOST_FIELDS];
    char help[MOST_FIELDS][HELP_BYTES];
} flag_table;

static void make_table(flag_table *table, const fx_flag *own, biost_loader_desc *desc,
                       biost_desc_memory *memory) {
    uint32_t count, at;
    const biost_field *fields = biost_desc_fields("biost_loader_desc", &count);
    fx_flag *next = table->flags;
    if (count > MOST_FIELDS) {
        fx_complain("fxbatch", "the library has more fields than this program has room for (MOST_FIELDS)");
        exit(FX_USAGE);
    }
    for (at = 0; at < count; ++at) {
        fx_field *target = &table->targets[at];
        target->desc = desc;
        target->memory = memory;
        target->name = fields[at].name;
        if (is_flag(&fields[at])) {
            describe(&fields[at], table->help[at], HELP_BYTES);
            next += make_flags(&fields[at], target, desc, table->help[at], next);
        }
    }
    do {
        *next++ = *own;
    } while ((own++)->name != NULL);
}

static void read_flags(int argc, char **argv, biost_loader_desc *desc, options *opt) {
    static flag_table table;
    static fx_field file;
    const fx_flag own[] = {
        {0, "desc", "FILE", FX_FIELD, &file, 0, 0,
         "take fields from a file: names and values, as the lines `desc` of this tool; later flags win"},
        {0, "max-n", "P", FX_FRACTION, &opt->max_n_fraction, 0, 1,
         "keep records with at most this share of N (0: no N at all)"},
        {0, "subsample", "P|FROM:BELOW", FX_TEXT, &opt->subsample, 0, 0,
         "this share of the records, at random by seed (no split: see --split)"},
        {0, "split", "SALT:FROM:BELOW[:by=...]", FX_TEXT, &opt->split, 0, 0,
         "this part of the data by a hash of names: by=name (default), sequence, field,N[,C] or block,N; or "
         "of bases, on either strand: by=content"},
        {0, "kmer", "K[:STRIDE]", FX_TEXT, &opt->kmer, 0, 0,
         "a token for each K bases, one every STRIDE bases, 1 or K (K)"},
        {0, "kmer-ids", "FIRST,OTHER", FX_TEXT, &opt->kmer_ids, 0, 0,
         "token of AA...A (1), and of K bases with a letter other than A C G T U (4^K + 1)"},
        {0, "begin-token", "N", FX_TEXT, &opt->begin, 0, 0, "this token before the bases of each row"},
        {0, "end-token", "N", FX_TEXT, &opt->end, 0, 0, "this token after them"},
        {0, "group", "NAME[:WEIGHT[:LABEL]]", FX_TEXTS, &opt->groups.given, 0, 0,
         "the files after it are a group, of which WEIGHT (1) rows come for those of the other groups"},
        {0, "label", "group|input|region|title", FX_CHOICE, &opt->label, 0, 0,
         "labels of the rows: LABEL (0) of their group, the number of their file, of their line of BED, or "
         "in "
         "their title"},
        {0, "label-column", "N", FX_U32, &opt->places.label_column, 1, UINT32_MAX,
         "label region: the column of BED that has it, from 1"},
        {0, "grid", "L[:STRIDE]", FX_TEXT, &opt->grid, 0, 0,
         "rows are regions of a store: L bases, one every STRIDE (L) bases"},
        {0, "sequences", "FILE", FX_TEXTS, &opt->places.lists, 0, 0,
         "the sequences a grid goes over: a name a line (all)"},
        {0, "regions", "BED", FX_TEXTS, &opt->places.beds, 0, 0,
         "rows are regions of a store: where the lines of BED say, which may be compressed"},
        {0, "store-in", "DIR", FX_TEXT, &opt->store_in, 0, 0,
         "make a store of the files in DIR, once, and read that: see fxstore"},
        {0, "records", "FILE", FX_TEXTS, &opt->places.records, 0, 0,
         "rows are these records of a store, in the order of --order: a number from 0 or a name a line"},
        {0, "growth", "G", FX_TEXT, &opt->growth, 0, 0,
         "batch-tokens: from one width of rows to the next (1.125)"},
        {0, "widths", "A,B,C", FX_TEXT, &opt->widths_text, 0, 0, "batch-tokens: these widths instead"},
        {0, "mates", "", FX_SWITCH, &opt->mates, 0, 0,
         "rows are the pairs of a store that has mates: see fxstore --mates"},
        {0, "pack", "", FX_SWITCH, &opt->pack, 0, 0,
         "rows of --bases show several records of a store each, as many as there is room for"},
        {0, "max-region-n", "P", FX_FRACTION, &opt->max_region_n, 0, 1,
         "keep regions with at most this share of N (0: no N at all)"},
        {0, "max-lower", "P", FX_FRACTION, &opt->max_lower, 0, 1, "of lower case (0: none at all)"},
        {0, "max-other", "P", FX_FRACTION, &opt->max_other, 0, 1,
         "of letters other than A C G T (0: none at all)"},
        {0, "stop-after", "N", FX_U64, &opt->stop_after, 1, UINT64_MAX, "end after N batches in all"},
        {0, "state-file", "F", FX_TEXT, &opt->state_file, 0, 0, "leave the last batch's resume state in F"},
        {0, "resume", "F", FX_TEXT, &opt->resume_file, 0, 0, "go on after the resume state in F"},
        {0, "index", "F", FX_TEXTS, &opt->index_names, 0, 0,
         "index of the first FILE, and so on; see fxindex"},
        {0, "save-index", "", FX_SWITCH, &opt->save_index, 0, 0, "write these at the end"},
        {0, "npy", "DIR", FX_TEXT, &opt->npy, 0, 0, "write every array of every batch as .npy"},
        {0, "segments", "DIR", FX_TEXT, &opt->segments, 0, 0,
         "write the regions of an epoch as X.npy, start_ends.npy and seqids.npy"},
        {0, "frames", "-", FX_TEXT, &opt->frames, 0, 0,
         "write every batch to standard output, and print on standard error"},
        {0, "plot", "FILE.svg", FX_TEXT, &opt->plot_file, 0, 0,
         "draw lengths, padding, groups and where time went, for a browser"},
        {0, "overwrite", "", FX_SWITCH, &opt->overwrite, 0, 0,
         "remove such files of another run from there first"},
        {0, "digest", "", FX_SWITCH, &opt->digest, 0, 0, "compute digests, as is done anyway"},
        {0, "no-digest", "", FX_SWITCH, &opt->no_digest, 0, 0, "do not compute digests (prints 0)"},
        {0, "stats", "", FX_SWITCH, &opt->stats, 0, 0,
         "print counts, times and the bottleneck on standard error"},
        {0, NULL, NULL, FX_SWITCH, NULL, 0, 0, NULL}};
    const fx_tool tool = {PROGRAM, "FILE...", about, table.flags};
    uint32_t file_count;
    file.desc = desc;
    file.memory = &opt->memory;
    make_table(&table, own, desc, &opt->memory);
    file_count = fx_start(&tool, argc, argv);
    if (file_count == 0) {
        fx_usage(&tool, "no file is given", "");
    }
    if (opt->groups.given.count > 0) {
        fx_take_groups(&tool, &opt->groups, argv, file_count);
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
    if (opt->frames != NULL && strcmp(opt->frames, "-") != 0) {
        fx_usage(&tool, "--frames wants -, standard output, not ", opt->frames);
    }
    if (opt->frames != NULL && opt->pack) {
        fx_usage(&tool, "--frames has rows of one record each, and --pack makes rows of several: use --npy",
                 "");
    }
    if (opt->frames != NULL && fx_is_terminal(stdout)) {
        fx_usage(&tool, "--frames writes bytes: send standard output to a program or a file", "");
    }
    if (fx_count_inputs(argv, file_count) > 0) {
        take_input(&tool, file_count, desc, opt);
    } else {
        take_files(&tool, file_count, argv, desc, opt);
    }
    if (opt->store_in != NULL && (desc->has_fd || opt->index_names.count > 0)) {
        fx_usage(&tool, "--store-in wants files without an --index, which are read once: ", opt->store_in);
    }
    fill_desc(&tool, desc, opt);
}

/* ---- the desc --------------------------------------------------------------- */

/* The fields of the desc that are not 0, as the loader obeys them, a line each, and what it may hold. */
static int print_desc(const biost_loader_desc *desc, uint64_t memory_bytes) {
    size_t bytes = biost_loader_desc_text(desc, NULL, 0);
    char *text = (char *)malloc(bytes + 1), *line, *end;
    if (text == NULL) {
        fx_complain(PROGRAM, "out of memory");
        return FX_BAD_DATA;
    }
    (void)biost_loader_desc_text(desc, text, bytes + 1);
    for (line = text; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        printf("desc\t%.*s\n", (int)(end - line), line);
    }
    printf("desc\t# memory_bytes %" PRIu64 "\n", memory_bytes);
    free(text);
    return FX_OK;
}

/* The word number `index` of "a|b|c", up to the next '|'. */
static const char *find_word(const char *words, int index) {
    while (index > 0 && *words != '\0') {
        index -= *words++ == '|';
    }
    return words;
}

static void print_word(const char *words, int index) {
    const char *word = find_word(words, index);
    printf("\t%.*s", (int)strcspn(word, "|"), word);
}

/* The first axis of a tensor of this rank. */
static void print_rows(const biost_loader_desc *desc) {
    if (desc->shape.kind == BIOST_SHAPE_BUCKETS) {
        printf("[rows]");
    } else {
        printf("[%" PRIu32 "]", desc->batch_rows / desc->world);
    }
}

/* A tensor of this rank: "x  [256][150][4]  u8  NLC  onehot". `channels` 0: no such axis. */
static void print_tensor(const char *name, const biost_loader_desc *desc, uint32_t channels,
                         biost_dtype dtype, const char *kind) {
    const char *layout = channels == 0 ? "NL" : "NLC";
    char columns[32] = "longest row", across[16] = "";
    if (desc->shape.kind == BIOST_SHAPE_BUCKETS) {
        snprintf(columns, sizeof columns, "width");
    } else if (desc->row_bases > 0) {
        uint32_t unit = desc->pad_multiple > 0 ? desc->pad_multiple : 1;
        snprintf(columns, sizeof columns, "%" PRIu32, (desc->row_bases + unit - 1) / unit * unit);
    }
    if (channels > 0) {
        snprintf(across, sizeof across, "[%" PRIu32 "]", channels);
    }
    printf("%s\t", name);
    print_rows(desc);
    if (channels > 0 && desc->encoding.layout == BIOST_LAYOUT_NCL) {
        printf("%s[%s]", across, columns);
        layout = "NCL";
    } else {
        printf("[%s]%s", columns, across);
    }
    print_word(words_of("encoding.dtype"), (int)dtype);
    printf("\t%s\t%s\n", layout, kind);
}

/* The channels of x; 0: it is tokens. */
static uint32_t count_channels(const biost_loader_desc *desc) {
    uint32_t channels = 0;
    if (desc->encoding.kind != BIOST_ENCODE_TOKENS) {
        channels = (uint32_t)strlen(desc->encoding.channels);
        channels += desc->encoding.lower_case == BIOST_LOWER_CASE_CHANNEL;
        channels += (uint32_t)(desc->quality.in_x != 0) + (uint32_t)(desc->mask_in_x != 0);
    }
    return channels;
}

static int has_labels(const biost_loader_desc *desc) {
    return desc->labels.kind == BIOST_LABEL_GROUP || desc->labels.kind == BIOST_LABEL_INPUT ||
           desc->labels.kind == BIOST_LABEL_REGION || desc->labels.kind == BIOST_LABEL_TITLE;
}

/* The tensors as they will be: no batch is needed to know them. */
static void print_shapes(const biost_loader_desc *desc) {
    const biost_encoding *encoding = &desc->encoding;
    const char *quality = desc->quality.kind == BIOST_QUALITY_PHRED ? "phred" : "error";
    uint32_t channels = count_channels(desc);
    char kind[32] = "tokens";
    if (encoding->kind != BIOST_ENCODE_TOKENS) {
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
    if (has_labels(desc)) {
        printf("labels\t");
        if (desc->shape.kind == BIOST_SHAPE_PACKED) {
            printf("[records]");
        } else {
            print_rows(desc);
        }
        print_word(words_of("encoding.dtype"), (int)desc->labels.dtype);
        printf(desc->shape.kind == BIOST_SHAPE_PACKED ? "\tS" : "\tN");
        print_word(words_of("labels.kind"), (int)desc->labels.kind);
        putchar('\n');
    }
    if (desc->weights != NULL) {
        print_tensor("weights", desc, 0, BIOST_DTYPE_F32, "weight");
    }
    if (desc->shape.offsets) {
        printf("offsets\t[starts]\ti32\tO\toffsets\n");
    }
    if (desc->shape.segments) {
        print_tensor("segment", desc, 0, BIOST_DTYPE_I32, "segment");
    }
    if (desc->shape.positions) {
        print_tensor("position", desc, 0, BIOST_DTYPE_I32, "position");
    }
    printf("rank\t%" PRIu32 " of %" PRIu32, desc->rank, desc->world);
    if (desc->shape.kind == BIOST_SHAPE_BUCKETS) {
        printf("\tglobal batch %" PRIu64 " columns\n", desc->shape.batch_tokens);
    } else {
        printf("\tglobal batch %" PRIu32 " rows\n", desc->batch_rows);
    }
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
    if (fx_remove(path)) {
        older->status = FX_OK;
    } else {
        fx_complain_of(PROGRAM, path, "cannot be removed", strerror(errno));
    }
    free(path);
    return older->status == FX_OK;
}

/* Make the folder of --npy, or see that nothing of another run is in the one there is. Returns an exit code. */
static int make_folder(options *opt, const biost_loader *loader) {
    older_files older = {NULL, 0, 0, 0, FX_OK};
    int made = opt->made_npy = fx_make_folder(opt->npy);
    if (!made && errno != EEXIST) {
        fprintf(stderr, "%s: the folder ", PROGRAM);
        fx_print_name(stderr, opt->npy);
        fprintf(stderr, " cannot be made: %s\n", strerror(errno));
        return FX_BAD_DATA;
    }
    older.folder = opt->npy;
    older.epoch = biost_loader_first_epoch(loader);
    older.batch = biost_loader_first_batch(loader);
    older.overwrite = opt->overwrite;
    if (!made && !fx_each_name(opt->npy, judge_older, &older)) {
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
    char *path = begin_file(&save, folder, batch, a->name, ".npy"), header[FX_NPY_HEADER];
    int64_t row;
    if (path == NULL) {
        return FX_BAD_DATA;
    }
    fx_save_put(&save, header, fx_npy_header(fx_npy_type(a->dtype), a->shape, a->ndim, 0, header));
    for (row = 0; row < a->shape[0]; ++row) {
        fx_save_put(&save, (const char *)a->data + (size_t)row * a->stride_bytes, a->row_bytes);
    }
    return end_file(&save, path);
}

static int write_tensor(const char *folder, const biost_batch *batch, const biost_tensor *tensor) {
    static const char *const names[2][9] = {
        {"x", "", "quality", "mask", "labels", "weights", "offsets", "segment", "position"},
        {"x_2", "", "quality_2", "mask_2", "labels_2", "weights_2", "", "", ""}};
    array a;
    uint32_t at;
    a.name = names[tensor->mate][tensor->role];
    a.data = tensor->data;
    a.dtype = tensor->dtype;
    a.ndim = tensor->ndim;
    a.row_bytes = fx_npy_size(tensor->dtype);
    a.stride_bytes = (size_t)tensor->strides[0] * fx_npy_size(tensor->dtype);
    for (at = 0; at < tensor->ndim; ++at) {
        a.shape[at] = tensor->shape[at];
        a.row_bytes *= at > 0 ? (size_t)tensor->shape[at] : 1;
    }
    return write_array(folder, batch, &a);
}

static int write_lengths(const char *folder, const biost_batch *batch) {
    array a = {"lengths", NULL, sizeof(int32_t), sizeof(int32_t), {0, 0, 0, 0}, 1, BIOST_DTYPE_I32};
    a.data = batch->lengths;
    a.shape[0] = batch->samples;
    if (batch->mates > 1) {
        a.shape[a.ndim++] = batch->mates;
        a.row_bytes = a.stride_bytes = batch->mates * sizeof(int32_t);
    }
    return write_array(folder, batch, &a);
}

/* The first sample of each packed row, and their number. */
static int write_row_samples(const char *folder, const biost_batch *batch) {
    array a = {"row_samples", NULL, sizeof(int32_t), sizeof(int32_t), {0, 0, 0, 0}, 1, BIOST_DTYPE_I32};
    a.data = batch->row_samples;
    a.shape[0] = (int64_t)batch->rows + 1;
    return write_array(folder, batch, &a);
}

/* Where rows, or samples of packed ones, came from: id, piece, start_base; from malloc, or NULL after a sentence. */
static int64_t *make_ids(const biost_batch *batch) {
    int64_t *ids = (int64_t *)malloc(((size_t)batch->samples * batch->mates + 1) * 24);
    uint32_t row;
    if (ids == NULL) {
        fx_complain(PROGRAM, "out of memory");
        return NULL;
    }
    for (row = 0; row < batch->samples * batch->mates; ++row) {
        ids[3 * row] = batch->origins[row].id;
        ids[3 * row + 1] = (int64_t)batch->origins[row].piece;
        ids[3 * row + 2] = batch->origins[row].start_base;
    }
    return ids;
}

static int write_ids(const char *folder, const biost_batch *batch) {
    array a = {"ids", NULL, 24, 24, {0, 3, 0, 0}, 2, BIOST_DTYPE_I64};
    int64_t *ids = make_ids(batch);
    int status;
    if (ids == NULL) {
        return FX_BAD_DATA;
    }
    a.data = ids;
    a.shape[0] = batch->samples;
    if (batch->mates > 1) {
        a.shape[1] = batch->mates;
        a.shape[a.ndim++] = 3;
        a.row_bytes = a.stride_bytes = 24 * (size_t)batch->mates;
    }
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
    for (row = 0; row < batch->samples * batch->mates; ++row) {
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
    status = status == FX_OK && batch->row_samples != NULL ? write_row_samples(folder, batch) : status;
    status = status == FX_OK ? write_ids(folder, batch) : status;
    return status == FX_OK && batch->names != NULL ? write_names(folder, batch) : status;
}

/* ---- frames -------------------------------------------------------------------- */

enum { FRAME_BATCH = 1, FRAME_EPOCH = 2, FRAME_ERROR = 3, FRAME_END = 4 };

/* The numbers that a frame starts with; after them where each array begins, as the header line lists them. */
typedef struct frame {
    uint64_t kind, epoch, index, rows, valid_rows, columns, flags, digest, bytes;
    uint64_t at[8]; /* of lengths, up to five tensors, ids, names                       */
} frame;

static const char *const frame_numbers =
    "\"kind\", \"epoch\", \"index\", \"rows\", \"valid_rows\", \"columns\", "
    "\"flags\", \"digest\", \"bytes\"";

/* From here on standard output takes frames, and what is printed goes to standard error. Returns an exit code. */
static int open_frames(options *opt) {
    int copy;
    fflush(stdout);
#ifdef _WIN32
    copy = _dup(_fileno(stdout));
    if (copy >= 0 && _dup2(_fileno(stderr), _fileno(stdout)) == 0 && _setmode(copy, _O_BINARY) != -1) {
        opt->frames_file = _fdopen(copy, "wb");
    }
#else
    copy = dup(fileno(stdout));
    if (copy >= 0 && dup2(fileno(stderr), fileno(stdout)) >= 0) {
        opt->frames_file = fdopen(copy, "wb");
    }
#endif
    if (opt->frames_file == NULL) {
        fprintf(stderr, "%s: standard output and standard error must both be open for --frames: %s\n",
                PROGRAM, strerror(errno));
        return FX_BAD_DATA;
    }
    return FX_OK;
}

/* Send what was written. Where nobody reads any more, that is no failure and frames_closed is set. */
static int flush_frames(options *opt) {
    int status = FX_OK, failed = ferror(opt->frames_file), reason = errno;
    if (fflush(opt->frames_file) != 0) {
        failed = 1;
        reason = errno;
    }
    if (failed && !opt->frames_closed) {
        opt->frames_closed = 1;
        fx_output_failed(PROGRAM, reason, &status);
    }
    return status;
}

/* An array in the header line. */
static void put_array(FILE *to, const char *before, const char *name, const char *role, biost_dtype dtype,
                      const char *layout, const char *shape) {
    const char *word = find_word(words_of("encoding.dtype"), (int)dtype);
    fprintf(to, "%s{\"name\": \"%s\", \"role\": \"%s\", \"dtype\": \"%.*s\"", before, name, role,
            (int)strcspn(word, "|"), word);
    fprintf(to, ", \"layout\": \"%s\", \"shape\": [%s]}", layout, shape);
}

static void put_x(FILE *to, const biost_loader_desc *desc) {
    uint32_t channels = count_channels(desc);
    const char *layout = channels == 0 ? "NL" : desc->encoding.layout == BIOST_LAYOUT_NCL ? "NCL" : "NLC";
    char shape[64] = "\"rows\", \"columns\"";
    if (strcmp(layout, "NLC") == 0) {
        snprintf(shape, sizeof shape, "\"rows\", \"columns\", %" PRIu32, channels);
    } else if (strcmp(layout, "NCL") == 0) {
        snprintf(shape, sizeof shape, "\"rows\", %" PRIu32 ", \"columns\"", channels);
    }
    put_array(to, ", ", "x", "input", desc->encoding.dtype, layout, shape);
}

/* The header line: see the comment at the top. Returns an exit code. */
static int put_header(options *opt, const biost_loader_desc *desc) {
    const uint16_t one = 1;
    int has_quality = desc->quality.kind != BIOST_QUALITY_NONE && !desc->quality.in_x;
    int has_mask = desc->mask && !desc->mask_in_x;
    int labels = has_labels(desc);
    FILE *to = opt->frames_file;
    opt->frame_arrays = 3 + (uint32_t)(has_quality + has_mask + labels + (desc->weights != NULL) +
                                       (desc->names != 0));
    fprintf(to,
            "{\"biostream_frames\": 1, \"byte_order\": \"%s\", \"numbers\": [%s, \"lengths_at\", \"x_at\"",
            *(const unsigned char *)&one == 1 ? "little" : "big", frame_numbers);
    fprintf(to, "%s%s%s%s, \"ids_at\"%s], \"arrays\": [", has_quality ? ", \"quality_at\"" : "",
            has_mask ? ", \"mask_at\"" : "", labels ? ", \"labels_at\"" : "",
            desc->weights != NULL ? ", \"weights_at\"" : "", desc->names ? ", \"names_at\"" : "");
    put_array(to, "", "lengths", "length", BIOST_DTYPE_I32, "N", "\"rows\"");
    put_x(to, desc);
    if (has_quality) {
        put_array(to, ", ", "quality", "quality", desc->quality.dtype, "NL", "\"rows\", \"columns\"");
    }
    if (has_mask) {
        put_array(to, ", ", "mask", "mask", desc->mask_dtype, "NL", "\"rows\", \"columns\"");
    }
    if (labels) {
        put_array(to, ", ", "labels", "label", desc->labels.dtype, "N", "\"rows\"");
    }
    if (desc->weights != NULL) {
        put_array(to, ", ", "weights", "weight", BIOST_DTYPE_F32, "NL", "\"rows\", \"columns\"");
    }
    put_array(to, ", ", "ids", "id", BIOST_DTYPE_I64, "NC", "\"rows\", 3");
    fprintf(to, "]}\n");
    return flush_frames(opt);
}

/* A frame without arrays. Returns an exit code. */
static int put_frame(options *opt, frame *numbers, const char *text) {
    if (opt->frames_file == NULL || opt->frames_closed) {
        return FX_OK;
    }
    numbers->bytes = strlen(text);
    fwrite(numbers, sizeof(uint64_t), 9 + opt->frame_arrays, opt->frames_file);
    fwrite(text, 1, strlen(text), opt->frames_file);
    return flush_frames(opt);
}

/* What stands where in the bytes of a batch's frame. */
static void place_arrays(const options *opt, const biost_batch *batch, frame *numbers) {
    uint64_t *at = numbers->at;
    uint32_t i, row;
    *at++ = (uint64_t)((const char *)batch->lengths - (const char *)batch->slab);
    for (i = 0; i < batch->tensor_count; ++i) {
        *at++ = (uint64_t)((const char *)batch->tensors[i].data - (const char *)batch->slab);
    }
    *at++ = (batch->slab_bytes + 7) / 8 * 8;
    numbers->bytes = at[-1] + (uint64_t)batch->rows * 24;
    if (opt->frame_arrays > batch->tensor_count + 2) {
        *at = numbers->bytes;
        for (row = 0; row < batch->rows; ++row) {
            numbers->bytes += strlen(batch->names + batch->name_offsets[row]) + 1;
        }
    }
}

/* A batch. Returns an exit code. */
static int put_batch(options *opt, const biost_batch *batch) {
    static const char zeros[8] = {0};
    frame numbers;
    int64_t *ids = make_ids(batch);
    uint32_t row;
    if (ids == NULL) {
        return FX_BAD_DATA;
    }
    memset(&numbers, 0, sizeof numbers);
    numbers.kind = FRAME_BATCH;
    numbers.epoch = batch->epoch;
    numbers.index = batch->index;
    numbers.rows = batch->rows;
    numbers.valid_rows = batch->valid_rows;
    numbers.columns = (uint64_t)batch->x.shape[strcmp(batch->x.layout, "NCL") == 0 ? 2 : 1];
    numbers.flags = batch->flags;
    numbers.digest = batch->digest;
    place_arrays(opt, batch, &numbers);
    fwrite(&numbers, sizeof(uint64_t), 9 + opt->frame_arrays, opt->frames_file);
    fwrite(batch->slab, 1, batch->slab_bytes, opt->frames_file);
    fwrite(zeros, 1, (8 - batch->slab_bytes % 8) % 8, opt->frames_file);
    fwrite(ids, 24, batch->rows, opt->frames_file);
    for (row = 0; opt->frame_arrays > batch->tensor_count + 2 && row < batch->rows; ++row) {
        const char *name = batch->names + batch->name_offsets[row];
        fwrite(name, 1, strlen(name) + 1, opt->frames_file);
    }
    free(ids);
    return flush_frames(opt);
}

/* ---- statistics --------------------------------------------------------------- */

/* A word for each biost_drop_reason; the array of one or no element sees that there is one for each. */
static const char *const drop_words[] = {
    "first_records",  "every_record", "subsample", "length", "split", "min_mean_quality",
    "max_error_rate", "base quality", "N",         "user",   "label", "edge",
    "lower case",     "other letters"};
typedef char drop_words_are_all[sizeof drop_words / sizeof *drop_words == BIOST_DROP_COUNT ? 1 : -1];

static void print_dropped(const biost_progress *at) {
    int drop;
    for (drop = 0; drop < BIOST_DROP_COUNT; ++drop) {
        if (at->dropped[drop] > 0) {
            fprintf(stderr, "stats\tdropped by %s %" PRIu64 "\n", drop_words[drop], at->dropped[drop]);
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
            at->record_count,
            at->record_count > at->filtered_count ? at->record_count - at->filtered_count
                                                  : 0); /* pieces count */
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
    const double per_second = sum->seconds > 0 ? 1 / sum->seconds : 0;
    printf("epoch %" PRIu64 "\tbatches %" PRIu64 "\trows %" PRIu64, epoch, sum->batches, sum->rows);
    printf("\tdigest %016" PRIx64, sum->digest);
    if (text_bytes == 0 && sum->rows > 0) { /* rows of stores */
        printf("\trows/s %.0f", (double)sum->rows * per_second);
    } else {
        printf("\tMB/s %.1f", (double)text_bytes / 1e6 * per_second);
    }
    printf("\tpadding %.2f %%", sum->columns > 0 ? 100.0 * (double)sum->padding / (double)sum->columns : 0.0);
}

/* Count the columns of a batch, and those that are padding. */
static void count_columns(const biost_batch *batch, const biost_encoding *encoding, totals *sum) {
    const int axis = batch->x.layout[1] == 'L' ? 1 : 2;
    const uint64_t columns = (uint64_t)batch->x.shape[axis] * batch->rows * batch->mates;
    uint32_t row;
    sum->columns += columns;
    sum->padding += columns;
    for (row = 0; row < batch->samples * batch->mates; ++row) {
        if (batch->origins[row].id >= 0) { /* a row of padding has neither begin nor end */
            sum->padding -= fx_plot_columns(encoding, (uint64_t)batch->lengths[row]);
        }
    }
}

/* A line for each group: passes begun, rows with a place in a batch, and their share to four digits. */
static void print_groups(biost_loader *loader) {
    biost_loader_desc desc;
    biost_progress at;
    uint64_t all = 0, share;
    uint32_t group;
    memset(&desc, 0, sizeof desc);
    biost_loader_get_desc(loader, &desc);
    for (group = 0; group < desc.group_count; ++group) {
        all += biost_loader_group_progress(loader, group, &at) == BIOST_OK ? at.row_count : 0;
    }
    for (group = 0; group < desc.group_count; ++group) {
        (void)biost_loader_group_progress(loader, group, &at);
        share = all > 0 ? (at.row_count * 10000 + all / 2) / all : 0;
        printf("group ");
        if (desc.groups[group].name != NULL) {
            fx_print_name(stdout, desc.groups[group].name);
        } else {
            printf("%" PRIu32, group);
        }
        printf("\tpasses %" PRIu64 "\trows %" PRIu64, at.pass_count, at.row_count);
        printf("\tshare %" PRIu64 ".%04" PRIu64 "\n", share / 10000, share % 10000);
    }
}

/* Keep the resume state of the point after a batch. Returns an exit code. */
static int take_state(biost_loader *loader, const biost_batch *batch, options *opt) {
    biost_result result = biost_loader_state(loader, batch, opt->state, opt->state_capacity,
                                             &opt->state_bytes);
    char words[FX_SENTENCE];
    if (result != BIOST_OK) {
        fx_speak(biost_loader_error(loader)->text, words, sizeof words);
        fflush(stdout);
        fprintf(stderr, "%s: no resume state for batch %" PRIu64 ": %s\n", PROGRAM, batch->index, words);
    }
    return result == BIOST_OK ? FX_OK : FX_BAD_DATA;
}

/* Take what is asked of a batch that is held. Returns an exit code. */
static int use_batch(biost_loader *loader, const biost_batch *batch, options *opt, totals *sum) {
    int status = FX_OK;
    if (opt->npy != NULL) {
        status = write_batch(opt->npy, batch);
    }
    if (opt->frames_file != NULL && status == FX_OK) {
        status = put_batch(opt, batch);
    }
    if (opt->segments != NULL && status == FX_OK) {
        status = segments_put(&opt->files, batch);
    }
    if (opt->state_file != NULL && status == FX_OK) {
        status = take_state(loader, batch, opt);
    }
    if (opt->plot_file != NULL) {
        fx_plot_batch(&opt->plot, batch);
    }
    count_columns(batch, &opt->encoding, sum);
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
    fx_bar_begin(&bar, name, 0);
    while (result == BIOST_OK && sum->status == FX_OK && !opt->frames_closed &&
           (opt->stop_after == 0 || sum->batches < opt->stop_after)) {
        result = biost_loader_next(loader, &batch);
        if (result != BIOST_OK) {
            break;
        }
        sum->status = use_batch(loader, &batch, opt, sum);
        biost_loader_release(loader, &batch);
        fx_bar_loader(&bar, loader);
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
    print_groups(loader);
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

/* The frame of an epoch's end, or of the error that ended it. Returns an exit code. */
static int end_frames(options *opt, const totals *sum, uint64_t epoch, const char *error) {
    frame numbers;
    memset(&numbers, 0, sizeof numbers);
    numbers.kind = error != NULL ? FRAME_ERROR : FRAME_EPOCH;
    numbers.epoch = epoch;
    numbers.index = sum->batches;
    numbers.valid_rows = sum->rows;
    numbers.digest = sum->digest;
    return put_frame(opt, &numbers, error != NULL ? error : "");
}

/* All epochs, a line each, also for one that was cut short. Returns the exit code. */
static int run(biost_loader *loader, options *opt) {
    uint64_t first = biost_loader_first_epoch(loader), epoch;
    char words[FX_SENTENCE];
    frame last;
    for (epoch = first; epoch < opt->epochs; ++epoch) {
        totals sum = {0, 0, 0, 0, 0, 0, 0, BIOST_OK, FX_OK};
        int status = FX_OK;
        sum.resumed = opt->resume_file != NULL && epoch == first;
        run_epoch(loader, epoch, opt, &sum);
        if (opt->plot_file != NULL) {
            fx_plot_epoch(&opt->plot, loader, epoch, sum.seconds, sum.rows);
        }
        if (!report(loader, epoch, opt, &sum, &status)) {
            return status;
        }
        if (sum.result < 0) {
            fx_speak(biost_loader_error(loader)->text, words, sizeof words);
            (void)end_frames(opt, &sum, epoch, words);
            return fx_fail(PROGRAM, sum.result, biost_loader_error(loader));
        }
        if (sum.status != FX_OK) {
            (void)end_frames(opt, &sum, epoch, "fxbatch stopped: its standard error says why");
            return sum.status;
        }
        status = sum.result == BIOST_END ? end_frames(opt, &sum, epoch, NULL) : FX_OK;
        if (status != FX_OK || opt->frames_closed) {
            return status;
        }
        if (opt->stop_after != 0 && (opt->stop_after -= sum.batches) == 0) {
            break;
        }
    }
    memset(&last, 0, sizeof last);
    last.kind = FRAME_END;
    last.epoch = epoch;
    return put_frame(opt, &last, "");
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
        biost_result result = fx_is_there(name) ? biost_index_load(name, NULL, &opt->indexes[at], &error)
                                                : biost_index_open(NULL, &opt->indexes[at], &error);
        if (fx_is_gzi(name)) {
            fx_complain_of(PROGRAM, name, "is bgzip's index, which knows no records",
                           "take one that fxindex makes");
            return FX_USAGE;
        }
        if (result != BIOST_OK) {
            return fx_fail(PROGRAM, result, &error);
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
        biost_result result;
        fx_before_save(PROGRAM, opt->index_names.texts[at]);
        result = biost_index_save(opt->indexes[at], opt->index_names.texts[at], &error);
        if (result != BIOST_OK) {
            status = fx_fail(PROGRAM, result, &error);
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

/* Make room for resume states, and read that of --resume, if it is given. Returns an exit code. */
static int read_state(biost_loader_desc *desc, options *opt) {
    int status = FX_OK;
    opt->state_capacity = biost_loader_state_bytes(desc);
    opt->state = (unsigned char *)malloc(opt->state_capacity);
    if (opt->state == NULL) {
        fx_complain(PROGRAM, "out of memory");
        return FX_BAD_DATA;
    }
    if (opt->resume_file == NULL) {
        return FX_OK;
    }
    status = fx_read_file(PROGRAM, opt->resume_file, opt->state, opt->state_capacity, &opt->state_bytes);
    if (status == FX_OK && opt->state_bytes == 0) {
        fx_complain_of(PROGRAM, opt->resume_file, "is empty and no resume state", NULL);
        status = FX_BAD_DATA;
    }
    desc->state = opt->state;
    desc->state_bytes = opt->state_bytes;
    return status;
}

/* ---- segments ---------------------------------------------------------------------- */

/* The longest name that is written whole: if nothing else is said, the longest of the stores. */
static size_t segment_name_bytes(const biost_loader_desc *desc, const options *opt) {
    size_t bytes = desc->name_bytes > 0 ? desc->name_bytes : fx_stores_longest_name(&opt->stores);
    return bytes < 1 ? 1 : bytes < 65535 ? bytes : 65535;
}

/* Make the folder of --segments if it is not there, and begin. Returns an exit code. */
static int begin_segments(biost_loader_desc *desc, options *opt) {
    size_t bytes = segment_name_bytes(desc, opt);
    opt->made_segments = fx_make_folder(opt->segments);
    if (!opt->made_segments && errno != EEXIST) {
        fx_complain_of(PROGRAM, opt->segments, "cannot be made a folder", strerror(errno));
        return FX_BAD_DATA;
    }
    desc->name_bytes = (uint32_t)bytes + 1; /* the loader cuts names: one that is longer has to show */
    segments_begin(&opt->files, PROGRAM, opt->segments, bytes);
    return FX_OK;
}

/* ---- the whole -------------------------------------------------------------------- */

/* Open, print, deliver, close. Returns an exit code. */
static int stream_batches(biost_loader_desc *desc, options *opt) {
    biost_loader *loader;
    biost_error error;
    biost_result result = biost_loader_open(desc, &loader, &error);
    uint64_t memory_bytes, batches;
    int status = FX_OK;
    if (result != BIOST_OK) {
        return fx_stores_fail(PROGRAM, &opt->stores, desc, result, &error);
    }
    memory_bytes = biost_loader_memory(desc);
    biost_loader_get_desc(loader, desc);
    if (opt->frames != NULL && open_frames(opt) != FX_OK) {
        biost_loader_close(loader);
        return FX_BAD_DATA;
    }
    fx_plot_begin(&opt->plot, loader);
    print_shapes(desc);
    if (biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK) {
        printf("batches per epoch %" PRIu64 "\n", batches);
    }
    status = print_desc(desc, memory_bytes);
    if (status == FX_OK && fx_flush(PROGRAM, &status)) {
        status = opt->npy != NULL ? make_folder(opt, loader) : FX_OK;
        status = status == FX_OK && opt->frames_file != NULL ? put_header(opt, desc) : status;
        status = status == FX_OK ? run(loader, opt) : status;
    }
    if (opt->stats) {
        fx_print_warnings(PROGRAM, "the input", biost_loader_warnings(loader));
    }
    if (opt->plot_file != NULL) {
        int written = fx_plot_save(&opt->plot, PROGRAM, opt->plot_file);
        status = status == FX_OK ? written : status;
    }
    biost_loader_close(loader);
    if (opt->segments != NULL) {
        status = segments_end(&opt->files, status == FX_OK);
    }
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

/* See that an output goes over no file of a list of FILE or GROUP=FILE. Returns an exit code. */
static int check_texts(const fx_texts *list, const char *output) {
    int status = FX_OK;
    uint32_t i;
    for (i = 0; i < list->count && status == FX_OK; ++i) {
        const char *text = list->texts[i], *after = strchr(text, '=');
        status = fx_check_output(PROGRAM, output, text);
        status = status == FX_OK && after != NULL ? fx_check_output(PROGRAM, output, after + 1) : status;
    }
    return status;
}

/* See that an output, if it is asked for, goes over no input. Returns an exit code. */
static int check_output(const biost_loader_desc *desc, const options *opt, const char *output) {
    int status = FX_OK;
    uint32_t i;
    if (output == NULL) {
        return FX_OK;
    }
    status = check_texts(&opt->places.beds, output);
    status = status == FX_OK ? check_texts(&opt->places.lists, output) : status;
    status = status == FX_OK ? check_texts(&opt->places.records, output) : status;
    for (i = 0; i < desc->path_count && status == FX_OK; ++i) {
        status = fx_check_output(PROGRAM, output, desc->paths[i]);
    }
    for (i = 0; i < opt->stores.count && status == FX_OK; ++i) {
        const char *path = opt->stores.of_group[i].path;
        status = path != NULL ? fx_check_output(PROGRAM, output, path) : FX_OK;
    }
    return status;
}

/* Whether two outputs are one file, also one that is not there yet. */
static int is_same_output(const char *one, const char *other) {
    return one != NULL && other != NULL && (strcmp(one, other) == 0 || fx_is_same_file(one, other));
}

/* See that the picture, if it is asked for, can be written, and goes over nothing else. Returns an exit code. */
static int check_picture(const biost_loader_desc *desc, const options *opt) {
    const char *plot = opt->plot_file;
    int is_other = is_same_output(plot, opt->state_file) || is_same_output(plot, opt->resume_file);
    uint32_t i;
    for (i = 0; i < opt->index_names.count; ++i) {
        is_other |= is_same_output(plot, opt->index_names.texts[i]);
    }
    if (plot != NULL &&
        (is_other || *plot == '\0' || strcmp(plot, "-") == 0 || fx_look(plot, NULL) == FX_FOLDER)) {
        fx_complain_of(PROGRAM, plot,
                       is_other ? "is the file of another flag, and --plot would write over it"
                                : "is no file that --plot could write",
                       NULL);
        return FX_USAGE;
    }
    return check_output(desc, opt, plot);
}

/* Room for the values of flags that may be given again, at most `count` each. Returns 0 without memory. */
static int make_lists(options *opt, size_t count) {
    const char **texts = (const char **)calloc(4 * count, sizeof *texts);
    opt->index_names.texts = texts;
    opt->places.beds.texts = texts + count;
    opt->places.lists.texts = texts + 2 * count;
    opt->places.records.texts = texts + 3 * count;
    return texts != NULL;
}

/* After a failure leave no empty folder that was not there before. */
static void drop_folders(const options *opt, int status) {
    if (status != FX_OK && opt->made_npy) {
        fx_drop_folder(opt->npy);
    }
    if (status != FX_OK && opt->made_segments) {
        fx_drop_folder(opt->segments);
    }
}

int main(int argc, char **argv) {
    static options opt; /* large */
    biost_loader_desc desc;
    int status;
    memset(&desc, 0, sizeof desc);
    opt.max_n_fraction = opt.max_region_n = opt.max_lower = opt.max_other = -1;
    opt.label = -1;
    fx_arguments(&argc, &argv);
    fx_groups_begin(PROGRAM, &opt.groups, argc, argv, &desc, &opt.memory);
    if (!make_lists(&opt, (size_t)argc + 1)) {
        fx_complain(PROGRAM, "out of memory");
        return FX_BAD_DATA;
    }
    read_flags(argc, argv, &desc, &opt);
    status = check_output(&desc, &opt, opt.state_file);
    status = status == FX_OK ? check_picture(&desc, &opt) : status;
    if (status == FX_OK && opt.store_in != NULL) {
        status = fx_stores_keep(PROGRAM, opt.store_in, &opt.stores, &desc);
    }
    status = status == FX_OK ? fx_stores_load(PROGRAM, &opt.stores, &desc) : status;
    status = status == FX_OK ? fx_stores_place(PROGRAM, &opt.stores, &opt.places, &desc) : status;
    status = status == FX_OK && opt.segments != NULL ? begin_segments(&desc, &opt) : status;
    status = status == FX_OK ? read_state(&desc, &opt) : status;
    status = status == FX_OK ? open_indexes(&desc, &opt) : status;
    status = status == FX_OK ? stream_batches(&desc, &opt) : status;
    drop_folders(&opt, status);
    close_indexes(&opt);
    fx_stores_close(&opt.stores);
    free(opt.state);
    free((void *)opt.index_names.texts);
    free((void *)opt.groups.arguments);
    return status;
}
