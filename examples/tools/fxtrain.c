/*
 * fxtrain - train a small classifier to tell sequences of two or more classes apart.
 *
 *   cc -O2 examples/tools/fxtrain.c -o fxtrain -lm -pthread
 *   ./fxtrain ecoli.fasta.gz human.fasta.gz
 *   ./fxtrain --group ecoli ecoli.fasta.gz --group human:2 chr20.fasta.gz chr21.fasta.gz --group yeast yeast.fasta.gz
 *
 * The model is a softmax regression on k-mer counts: every word of k bases has a weight for each class, a
 * row's score for a class is the sum of the weights of its words plus a bias, and the probability that the row
 * is of the class goes with exp(score). Learning is stochastic gradient descent, one row at a time.
 *
 * Each class is a group of a loader, and its number the label of its rows. The loader mixes them by their
 * weights, equally many rows of each if no weight is given. An epoch ends when every row was seen: smaller
 * classes start over until then.
 *
 * What keeps it honest:
 * - Rows are pieces of --bases bases that do not overlap; a shorter last piece is left out, so
 *   length tells nothing. Lower and upper case are one (the loader folds them), words with an N or
 *   another letter are skipped, a row without any word is left out.
 * - A fifth is held out by desc.split: blocks of 20 rows of a sequence, by a hash of its name and the block's
 *   number. They are the same in every epoch, whatever the seed, and share no base with what is learned.
 * - Each held-out row is tested once, and the accuracy is the mean of the classes' shares of right answers,
 *   whatever their sizes. So guessing scores 1 / classes.
 *
 * One of the files may be "-", standard input. All files are kept in memory then (compressed, if they
 * are), because each epoch reads them again.
 *
 * Memory: that of two loaders and the weights. The output is the same in every run but for the rates, for any
 * number of workers.
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../../biostream.h"

#define FX_DESC "biost_loader_desc"
#define FX_FLAGS                                                                              \
    {"rows", "batch_rows"}, {"bases", "row_bases"}, {"workers", "workers"}, {"seed", "seed"}, \
        {"epochs", "epochs"}, {"max-record", "max_record_bytes"},
#define FX_SAYS {"desc.max_record_bytes", "--max-record"},

#include "fx.h"
#include <math.h>

#define PROGRAM "fxtrain"

enum { LEARN = 0, TEST = 1 };
enum { MOST_CLASSES = 64 }; /* as many as a loader takes groups */

/* Step of the first epoch; the n-th takes an n-th of it. */
static const double learning_rate = 0.005;

/* Shares of the split: [0, 0.8) is learned from, the rest is held out. Its salt is any number. */
static const float part_from[2] = {0.0f, 0.8f}, part_below[2] = {0.8f, 1.0f};
enum { SPLIT_SALT = 1, BLOCK_ROWS = 20 };

typedef struct model {
    double *weights; /* [4^kmer][classes]                                          */
    double bias[MOST_CLASSES], rate;
    double logs[MOST_CLASSES]; /* of the classes' probabilities, of the row under way        */
    uint32_t classes, kmer, row_bases;
    uint32_t *words; /* [row_bases] the words of the row under way                 */
} model;

typedef struct settings {
    biost_loader_desc desc; /* of both parts, but for what tells them apart               */
    biost_desc_memory memory;
    biost_memory *files; /* [file_count] where one of them is standard input, else NULL */
    uint32_t file_count, kmer;
} settings;

/* What a pass over a part came to, by class. */
typedef struct totals {
    uint64_t rows[MOST_CLASSES], right[MOST_CLASSES];
    uint64_t all_rows; /* of all classes                                             */
    double loss;       /* the sum over all rows                                      */
} totals;

/* ---- the model ---------------------------------------------------------- */

/* List the words of a row as numbers in base 4. Tokens: A 1, C 2, G 3, T 4, anything else 5. */
static uint32_t list_words(model *m, const uint8_t *tokens) {
    uint32_t mask = ((uint32_t)1 << (2 * m->kmer)) - 1, word = 0, run = 0, count = 0, at;
    for (at = 0; at < m->row_bases; ++at) {
        uint32_t base = (uint32_t)tokens[at] - 1;
        run = base < 4 ? run + 1 : 0;
        word = ((word << 2) | (base & 3)) & mask;
        if (run >= m->kmer) {
            m->words[count++] = word;
        }
    }
    return count;
}

/* The logarithms of the classes' probabilities. Returns the most probable class. */
static uint32_t guess(model *m, uint32_t count) {
    double *logs = m->logs, most, sum = 0;
    uint32_t best = 0, at, c;
    memcpy(logs, m->bias, m->classes * sizeof *logs);
    for (at = 0; at < count; ++at) {
        const double *weights = m->weights + (size_t)m->words[at] * m->classes;
        for (c = 0; c < m->classes; ++c) {
            logs[c] += weights[c];
        }
    }
    for (c = 1; c < m->classes; ++c) {
        best = logs[c] > logs[best] ? c : best;
    }
    most = logs[best];
    for (c = 0; c < m->classes; ++c) {
        sum += exp(logs[c] - most);
    }
    for (c = 0; c < m->classes; ++c) {
        logs[c] -= most + log(sum);
    }
    return best;
}

/* After guess: one step down the gradient of the row's loss, -logs[label]. */
static void learn(model *m, uint32_t count, uint32_t label) {
    double steps[MOST_CLASSES];
    uint32_t at, c;
    for (c = 0; c < m->classes; ++c) {
        steps[c] = m->rate * ((c == label) - exp(m->logs[c]));
        m->bias[c] += steps[c];
    }
    for (at = 0; at < count; ++at) {
        double *weights = m->weights + (size_t)m->words[at] * m->classes;
        for (c = 0; c < m->classes; ++c) {
            weights[c] += steps[c];
        }
    }
}

/* ---- parts of the files -------------------------------------------------- */

/* Learn from the rows of a batch, or test them: rows of a class that started over are not tested again. */
static void take_batch(model *m, const biost_batch *batch, int part, totals *out) {
    const int32_t *labels = (const int32_t *)biost_batch_tensor(batch, BIOST_ROLE_LABEL)->data;
    uint32_t row;
    for (row = 0; row < batch->valid_rows; ++row) {
        const uint8_t *tokens = (const uint8_t *)batch->x.data + (size_t)row * m->row_bases;
        int seen = part == TEST && batch->origins[row].pass > 0;
        int full = batch->lengths[row] == (int32_t)m->row_bases;
        uint32_t label = (uint32_t)labels[row], count = full && !seen ? list_words(m, tokens) : 0;
        if (count > 0) {
            out->right[label] += guess(m, count) == label;
            out->loss -= m->logs[label];
            out->rows[label] += 1;
            out->all_rows += 1;
            if (part == LEARN) {
                learn(m, count, label);
            }
        }
    }
}

/* An epoch of a part. Returns an exit code. */
static int pass_over(biost_loader *loader, model *m, const settings *set, int part, uint64_t epoch,
                     totals *out) {
    biost_result result = biost_loader_begin(loader, epoch);
    biost_batch batch;
    char words[64];
    fx_bar bar;
    uint32_t c;
    memset(out, 0, sizeof *out);
    snprintf(words, sizeof words, "%s %" PRIu64, part == LEARN ? "epoch" : "held out", epoch);
    fx_bar_begin(&bar, words, 0);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        take_batch(m, &batch, part, out);
        biost_loader_release(loader, &batch);
        fx_bar_loader(&bar, loader);
    }
    fx_bar_end(&bar);
    if (result < 0) {
        return fx_fail(PROGRAM, result, biost_loader_error(loader));
    }
    for (c = 0; c < m->classes; ++c) {
        if (out->rows[c] == 0) {
            snprintf(words, sizeof words, "has too few rows of %" PRIu32 " bases", m->row_bases);
            fx_complain_of(PROGRAM, set->desc.groups[c].name, words, NULL);
            return FX_BAD_DATA;
        }
    }
    return FX_OK;
}

/* The mean of the classes' shares of right answers. */
static double accuracy(const model *m, const totals *tested) {
    double sum = 0;
    uint32_t c;
    for (c = 0; c < m->classes; ++c) {
        sum += (double)tested->right[c] / (double)tested->rows[c];
    }
    return sum / m->classes;
}

static int train(biost_loader *loaders[2], model *m, const settings *set) {
    totals learned, tested;
    uint64_t epoch;
    uint32_t c;
    int status = FX_OK;
    printf("split\tblocks of %" PRIu64 " bases: 0.8 to learn from, 0.2 held out\nchance level\t%.4f\n",
           set->desc.split.block_bases, 1.0 / m->classes);
    for (epoch = 0; epoch < set->desc.epochs; ++epoch) {
        double start = fx_seconds();
        m->rate = learning_rate / (1 + (double)epoch);
        status = pass_over(loaders[LEARN], m, set, LEARN, epoch, &learned);
        status = status == FX_OK ? pass_over(loaders[TEST], m, set, TEST, epoch, &tested) : status;
        if (status != FX_OK) {
            return status;
        }
        printf("epoch %" PRIu64 "\tloss %.4f\theld-out accuracy %.4f\trows %" PRIu64 " and %" PRIu64
               "\trows/s %.0f\n",
               epoch, learned.loss / (double)learned.all_rows, accuracy(m, &tested), learned.all_rows,
               tested.all_rows, (double)(learned.all_rows + tested.all_rows) / (fx_seconds() - start));
        if (!fx_flush(PROGRAM, &status)) {
            return status;
        }
    }
    for (c = 0; c < m->classes; ++c) {
        printf("class %" PRIu32 "\t", c);
        fx_print_name(stdout, set->desc.groups[c].name);
        printf("\t%" PRIu64 " of %" PRIu64 " held-out rows right\n", tested.right[c], tested.rows[c]);
    }
    fx_flush(PROGRAM, &status);
    return status;
}

/* Open the loaders of both parts. Returns an exit code. */
static int open_parts(settings *set, biost_loader *out_loaders[2]) {
    biost_loader_desc desc = set->desc;
    biost_error error;
    biost_result result = BIOST_OK;
    int part;
    for (part = LEARN; part <= TEST && result == BIOST_OK; ++part) {
        desc.split.from = part_from[part];
        desc.split.below = part_below[part];
        desc.shuffle_rows = part == LEARN ? 65536 : 0;
        result = biost_loader_open(&desc, &out_loaders[part], &error);
    }
    return result == BIOST_OK ? FX_OK : fx_fail(PROGRAM, result, &error);
}

/* ---- the program -------------------------------------------------------- */

/* The files as they are or, where standard input is one, in memory. Returns an exit code. */
static int take_files(settings *set, char **files) {
    uint32_t i;
    if (fx_count_inputs(files, set->file_count) == 0) {
        set->desc.paths = (const char *const *)files;
        set->desc.path_count = set->file_count;
        return FX_OK;
    }
    set->files = (biost_memory *)calloc(set->file_count, sizeof *set->files);
    for (i = 0; i < set->file_count && set->files != NULL; ++i) {
        set->files[i].name = fx_name(files[i]);
        set->files[i].data = fx_read_all(PROGRAM, files[i], &set->files[i].bytes);
        if (set->files[i].data == NULL) {
            return FX_BAD_DATA;
        }
    }
    set->desc.memories = set->files;
    set->desc.memory_count = set->file_count;
    return FX_OK;
}

/* A class for each --group or, without, for each file; a file's is named by the end of its path. */
static void take_classes(const fx_tool *tool, settings *set, fx_groups *groups, char **files) {
    uint32_t c, classes = groups->given.count > 0 ? groups->given.count : set->file_count;
    biost_group *group = set->memory.groups;
    if (classes < 2 || classes > MOST_CLASSES) {
        fx_usage(tool, "two classes are needed, and at most 64 can be: files, or groups of them", "");
    }
    for (c = 0; c < groups->given.count; ++c) {
        const char *weight = strchr(groups->given.texts[c], ':');
        if (weight != NULL && strchr(weight + 1, ':') != NULL) {
            fx_usage(tool, "--group wants NAME[:WEIGHT], not ", groups->given.texts[c]);
        }
    }
    if (groups->given.count > 0) {
        fx_take_groups(tool, groups, files, set->file_count);
    }
    for (c = 0; c < classes; ++c, ++group) {
        if (groups->given.count == 0) {
            const char *name = fx_name(files[c]);
            size_t bytes = strlen(name), most = sizeof set->memory.group_names[c] - 1;
            group->name = name + (bytes > most ? bytes - most : 0);
            group->first_input = c;
            group->input_count = 1;
            group->weight = 1;
        }
        group->label = c;
    }
    set->desc.groups = set->memory.groups;
    set->desc.group_count = classes;
}

static void read_flags(int argc, char **argv, settings *set, fx_groups *groups) {
    biost_loader_desc *desc = &set->desc;
    const fx_flag flags[] = {
        {0, "group", "NAME[:WEIGHT]", FX_TEXTS, &groups->given, 0, 0,
         "the files after it are a class, of which WEIGHT (1) rows come for those of the others"},
        {0, "epochs", "N", FX_U64, &desc->epochs, 1, 1000000, "passes to learn from (5)"},
        {0, "kmer", "K", FX_U32, &set->kmer, 1, 10, "bases per word (5)"},
        {0, "rows", "N", FX_U32, &desc->batch_rows, 1, 1048576, "rows per batch (256)"},
        {0, "bases", "N", FX_U32, &desc->row_bases, 1, 65536, "bases per row (150)"},
        {0, "workers", "N", FX_U32, &desc->workers, 0, 256, "threads for each part (0: one per core)"},
        {0, "max-record", "N", FX_U64, &desc->max_record_bytes, 1, INT32_MAX,
         "longest record in bytes of text (64 MiB)"},
        {0, "seed", "N", FX_U64, &desc->seed, 0, UINT64_MAX, "of the order of rows (0)"},
        {0, NULL, NULL, FX_SWITCH, NULL, 0, 0, NULL}};
    const fx_tool tool = {
        PROGRAM, "FILE... | --group NAME[:WEIGHT] FILE...",
        "Train a softmax regression on k-mer counts to tell the sequences of 2 to 64 classes apart,\n"
        "each a FILE, or the files of a --group; print loss, accuracy on held-out rows and speed per\n"
        "epoch, then each class's right answers. FASTQ or FASTA, plain, gzip, BGZF. One of the files\n"
        "may be -, standard input: all are kept in memory then.\n",
        flags};
    set->file_count = fx_start(&tool, argc, argv);
    if (fx_count_inputs(argv, set->file_count) > 1) {
        fx_usage(&tool, "only one of the files can be - (standard input)", "");
    }
    if (set->kmer > desc->row_bases) {
        fx_usage(&tool, "--kmer is larger than --bases", "");
    }
    take_classes(&tool, set, groups, argv);
    desc->split.block_bases = (uint64_t)BLOCK_ROWS * desc->row_bases;
}

/* What flags change, and what they do not. */
static void set_defaults(settings *set) {
    biost_loader_desc *desc = &set->desc;
    set->kmer = 5;
    desc->epochs = 5;
    desc->batch_rows = 256;
    desc->row_bases = 150;
    desc->long_records = BIOST_LONG_SPLIT;
    desc->encoding.kind = BIOST_ENCODE_TOKENS;
    desc->labels.kind = BIOST_LABEL_GROUP;
    desc->labels.dtype = BIOST_DTYPE_I32;
    desc->epoch_end = BIOST_EPOCH_END_ALL;
    desc->split.by = BIOST_SPLIT_BLOCK;
    desc->split.salt = SPLIT_SALT;
}

/* Returns an exit code; the model's memory is the caller's to free. */
static int make_model(const settings *set, model *out) {
    out->kmer = set->kmer;
    out->row_bases = set->desc.row_bases;
    out->classes = set->desc.group_count;
    out->weights = (double *)calloc(((size_t)1 << (2 * out->kmer)) * out->classes, sizeof *out->weights);
    out->words = (uint32_t *)calloc(out->row_bases, sizeof *out->words);
    if (out->weights == NULL || out->words == NULL) {
        fx_complain(PROGRAM, "out of memory");
        return FX_BAD_DATA;
    }
    return FX_OK;
}

int main(int argc, char **argv) {
    static settings set;
    static model m;
    fx_groups groups;
    biost_loader *loaders[2] = {NULL, NULL};
    uint32_t i;
    int status;
    fx_arguments(&argc, &argv);
    fx_groups_begin(PROGRAM, &groups, argc, argv, &set.desc, &set.memory);
    set_defaults(&set);
    read_flags(argc, argv, &set, &groups);
    status = take_files(&set, argv);
    status = status == FX_OK ? make_model(&set, &m) : status;
    status = status == FX_OK ? open_parts(&set, loaders) : status;
    status = status == FX_OK ? train(loaders, &m, &set) : status;
    biost_loader_close(loaders[LEARN]);
    biost_loader_close(loaders[TEST]);
    for (i = 0; i < set.file_count && set.files != NULL; ++i) {
        free((void *)(uintptr_t)set.files[i].data);
    }
    free(set.files);
    free(m.weights);
    free(m.words);
    free((void *)groups.arguments);
    return status;
}
