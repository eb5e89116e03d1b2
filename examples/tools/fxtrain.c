/*
 * fxtrain - train a small classifier to tell the sequence of one file from that of another.
 *
 *   cc -O2 examples/tools/fxtrain.c -o fxtrain -lm -pthread
 *   ./fxtrain ecoli.fasta.gz human.fasta.gz
 *
 * The model is a logistic regression on k-mer counts: every word of k bases has a weight, a row's
 * score is the sum of the weights of its words plus a bias, and the probability that the row is of
 * FILE_B is 1 / (1 + exp(-score)). Learning is stochastic gradient descent, one row at a time.
 *
 * What keeps it honest:
 * - Rows are pieces of --bases bases that do not overlap; a shorter last piece is left out, so
 *   length tells nothing. Lower and upper case are one (the loader folds them), words with an N or
 *   another letter are skipped, a row without any word is left out.
 * - A fifth is held out by desc.split: blocks of 20 rows of a sequence, by a hash of its name and the block's
 *   number. They are the same in every epoch, whatever the seed, and share no base with what is learned.
 * - Both files give equally many rows, to learning and to testing: of the larger one a narrower part of the
 *   split is taken, and a pass ends where one of them ends. So guessing scores exactly 0.5.
 *
 * One of the files may be "-", standard input. It is kept in memory as it comes (compressed, if it
 * is), because each epoch reads it again.
 *
 * Memory: that of four loaders, a file's two parts each. The output is the same in every run but for the rates,
 * for any number of workers.
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../../biostream.h"
#include "fx.h"
#include <math.h>

#define PROGRAM "fxtrain"

enum { LEARN = 0, TEST = 1 };

/* Step of the first epoch; the n-th takes an n-th of it. 0.003, 0.03 and 0.1 did worse. */
static const double learning_rate = 0.01;

/* Shares of the split: [0, 0.8) is learned from, the rest is held out. Its salt is any number. */
static const float part_from[2] = {0.0f, 0.8f}, part_below[2] = {0.8f, 1.0f};
enum { SPLIT_SALT = 1, BLOCK_ROWS = 20 };

/* One of the two files. */
typedef struct input {
    const char *path;
    biost_memory memory; /* standard input, if this is it                              */
} input;

/* A part of a file: its loader and the batch under way. */
typedef struct source {
    const input *from;
    int part; /* LEARN or TEST                                              */
    biost_loader *loader;
    biost_batch batch;
    uint32_t row; /* next row of the batch                                      */
    int holds_batch;
    biost_result result; /* what the loader said last                                  */
    uint64_t rows;       /* in the part, as it is read now                             */
    uint64_t streamed;   /* rows seen since the program began                          */
} source;

typedef struct model {
    double *weights; /* [4^k]                                                      */
    double bias, rate;
    uint32_t kmer, row_bases;
    uint32_t *words; /* [row_bases] the words of the row under way                 */
} model;

typedef struct settings {
    uint64_t epochs, seed;
    uint64_t max_record;
    uint32_t rows, bases, kmer, workers;
} settings;

/* ---- rows --------------------------------------------------------------- */

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

/* The next full row with a word in it; the words go to m->words. Returns how many; 0: no row. */
static uint32_t next_row(source *s, model *m) {
    for (;;) {
        while (s->holds_batch && s->row < s->batch.valid_rows) {
            uint32_t row = s->row++, count;
            const uint8_t *tokens = (const uint8_t *)s->batch.x.data + (size_t)row * m->row_bases;
            count = s->batch.lengths[row] == (int32_t)m->row_bases ? list_words(m, tokens) : 0;
            if (count > 0) {
                return count;
            }
        }
        if (s->holds_batch) {
            s->streamed += s->batch.valid_rows;
            s->holds_batch = 0;
            biost_loader_release(s->loader, &s->batch);
        }
        s->result = biost_loader_next(s->loader, &s->batch);
        if (s->result != BIOST_OK) {
            return 0;
        }
        s->holds_batch = 1;
        s->row = 0;
    }
}

/* ---- the model ---------------------------------------------------------- */

static double score(const model *m, uint32_t count) {
    double sum = m->bias;
    uint32_t at;
    for (at = 0; at < count; ++at) {
        sum += m->weights[m->words[at]];
    }
    return sum;
}

/* One step down the gradient of the row's loss, log(1 + exp(-margin)). Returns that loss. */
static double learn(model *m, uint32_t count, int label) {
    double z = score(m, count), p = 1 / (1 + exp(-z)), margin = label ? z : -z;
    double step = m->rate * (label - p);
    uint32_t at;
    for (at = 0; at < count; ++at) {
        m->weights[m->words[at]] += step;
    }
    m->bias += step;
    return margin > 0 ? log1p(exp(-margin)) : -margin + log1p(exp(margin));
}

/* ---- parts of the files -------------------------------------------------- */

/* Open a part of a file, [from, below) of the split's shares. Returns an exit code. */
static int open_part(source *s, const settings *set, float below) {
    biost_loader_desc desc;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    if (s->from->memory.data != NULL) {
        desc.memories = &s->from->memory;
        desc.memory_count = 1;
    } else {
        desc.paths = &s->from->path;
        desc.path_count = 1;
    }
    desc.batch_rows = set->rows;
    desc.row_bases = set->bases;
    desc.long_records = BIOST_LONG_SPLIT;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.split.by = BIOST_SPLIT_BLOCK;
    desc.split.salt = SPLIT_SALT;
    desc.split.block_bases = (uint64_t)BLOCK_ROWS * set->bases;
    desc.split.from = part_from[s->part];
    desc.split.below = below;
    desc.allow_no_rows = 1; /* said here, with the file's name */
    desc.shuffle_rows = 65536;
    desc.seed = set->seed;
    desc.workers = set->workers;
    desc.max_record_bytes = set->max_record;
    s->result = biost_loader_open(&desc, &s->loader, &error);
    return s->result == BIOST_OK ? FX_OK : fx_fail_loader(PROGRAM, s->result, &error);
}

/* Count the rows of a part. Returns an exit code. */
static int count_rows(source *s, model *m) {
    char sentence[512];
    s->rows = 0;
    s->result = biost_loader_begin(s->loader, 0);
    while (s->result == BIOST_OK && next_row(s, m) > 0) {
        ++s->rows;
    }
    if (s->result < 0) {
        return fx_fail_loader(PROGRAM, s->result, biost_loader_error(s->loader));
    }
    if (s->rows == 0) {
        snprintf(sentence, sizeof sentence, "%s has too few rows of %" PRIu32 " bases", s->from->path,
                 m->row_bases);
        fx_complain(PROGRAM, sentence);
        return FX_BAD_DATA;
    }
    return FX_OK;
}

/* Open this part of both files, the larger one's as much narrower as it is larger. Returns an exit code. */
static int open_both(source *files, model *m, const settings *set) {
    int f, status = FX_OK, part = files[0].part;
    for (f = 0; f < 2 && status == FX_OK; ++f) {
        status = open_part(&files[f], set, part_below[part]);
        status = status == FX_OK ? count_rows(&files[f], m) : status;
    }
    f = files[1].rows > files[0].rows;
    if (status == FX_OK && files[f].rows > files[!f].rows) {
        double share = (double)files[!f].rows / (double)files[f].rows;
        float below = part_from[part] + (float)((double)(part_below[part] - part_from[part]) * share);
        biost_loader_close(files[f].loader);
        files[f].loader = NULL;
        status = below > part_from[part] ? open_part(&files[f], set, below) : FX_OK;
        status = status == FX_OK && files[f].loader != NULL ? count_rows(&files[f], m) : status;
    }
    return status;
}

/* ---- the program -------------------------------------------------------- */

/*
 * One pass over a part of both files, a row of each in turn while both have one, to learn (loss) or to test
 * (share of right answers). Returns the mean over the rows; a loader's error is left in `result`.
 */
static double pass_over(source *files, model *m, uint64_t epoch, uint64_t *out_rows) {
    double sum = 0;
    uint64_t rows = 0, most = files[0].rows < files[1].rows ? files[0].rows : files[1].rows;
    int label;
    for (label = 0; label < 2; ++label) {
        files[label].result = biost_loader_begin(files[label].loader, epoch);
        files[label].holds_batch = 0;
    }
    while (rows < most && files[0].result == BIOST_OK && files[1].result == BIOST_OK) {
        for (label = 0; label < 2; ++label) {
            uint32_t count = next_row(&files[label], m);
            sum += files[0].part == LEARN ? learn(m, count, label) : ((score(m, count) > 0) == label);
        }
        ++rows;
    }
    for (label = 0; label < 2; ++label) { /* what is left of the last batch */
        if (files[label].holds_batch) {
            biost_loader_release(files[label].loader, &files[label].batch);
        }
    }
    *out_rows = rows;
    return rows > 0 ? sum / (2 * (double)rows) : 0;
}

/* The first error of the two loaders, as an exit code. */
static int check_both(const source *files) {
    int f;
    for (f = 0; f < 2; ++f) {
        if (files[f].result < 0) {
            return fx_fail_loader(PROGRAM, files[f].result, biost_loader_error(files[f].loader));
        }
    }
    return FX_OK;
}

/* Rows that all loaders have streamed. */
static uint64_t streamed(source sources[2][2]) {
    return sources[LEARN][0].streamed + sources[LEARN][1].streamed + sources[TEST][0].streamed +
           sources[TEST][1].streamed;
}

static int train(source sources[2][2], model *m, const settings *set) {
    uint64_t epoch;
    int f, status = FX_OK;
    for (f = 0; f < 2; ++f) {
        printf("%c\t", 'A' + f);
        fx_print_name(stdout, sources[LEARN][f].from->path);
        putchar('\n');
    }
    printf("split\tblocks of %" PRIu64 " bases: 0.8 to learn from, 0.2 held out\nchance level\t0.5000\n",
           (uint64_t)BLOCK_ROWS * set->bases);
    for (epoch = 0; epoch < set->epochs; ++epoch) {
        uint64_t before = streamed(sources), learned, tested;
        double start = fx_seconds(), loss, right = 0;
        m->rate = learning_rate / (1 + (double)epoch);
        loss = pass_over(sources[LEARN], m, epoch, &learned);
        status = check_both(sources[LEARN]);
        if (status == FX_OK) {
            right = pass_over(sources[TEST], m, 0, &tested);
            status = check_both(sources[TEST]);
        }
        if (status != FX_OK) {
            return status;
        }
        printf("epoch %" PRIu64 "\tloss %.4f\theld-out accuracy %.4f\trows of each file %" PRIu64
               " and %" PRIu64 "\trows/s %.0f\n",
               epoch, loss, right, learned, tested,
               (double)(streamed(sources) - before) / (fx_seconds() - start));
        if (!fx_flush(PROGRAM, &status)) {
            return status;
        }
    }
    return FX_OK;
}

/* Standard input, if this is it, is kept in memory. Returns an exit code. */
static int take_input(input *in) {
    if (fx_is_input(in->path)) {
        in->memory.data = fx_read_all_input(PROGRAM, &in->memory.bytes);
        in->memory.name = "standard input";
        return in->memory.data != NULL ? FX_OK : FX_BAD_DATA;
    }
    return FX_OK;
}

static void read_flags(int argc, char **argv, settings *set, input *files) {
    const fx_flag flags[] = {
        {0, "epochs", "N", FX_U64, &set->epochs, 1, 1000000, "passes to learn from (5)"},
        {0, "kmer", "K", FX_U32, &set->kmer, 1, 10, "bases per word (5)"},
        {0, "rows", "N", FX_U32, &set->rows, 1, 1048576, "rows per batch (256)"},
        {0, "bases", "N", FX_U32, &set->bases, 1, 65536, "bases per row (150)"},
        {0, "workers", "N", FX_U32, &set->workers, 0, 256, "threads for each file (0: one per core)"},
        {0, "max-record", "N", FX_U64, &set->max_record, 1, INT32_MAX,
         "longest record in bytes of text (64 MiB)"},
        {0, "seed", "N", FX_U64, &set->seed, 0, UINT64_MAX, "of the order of rows (0)"},
        {0, NULL, NULL, FX_SWITCH, NULL, 0, 0, NULL}};
    const fx_tool tool = {
        PROGRAM, "FILE_A FILE_B",
        "Train a logistic regression on k-mer counts to tell the sequence of two files apart;\n"
        "print loss, accuracy on held-out rows and speed per epoch. FASTQ or FASTA, plain, gzip,\n"
        "BGZF. One of the files may be -, standard input, which is kept in memory.\n",
        flags};
    set->epochs = 5;
    set->kmer = 5;
    set->rows = 256;
    set->bases = 150;
    if (fx_start(&tool, argc, argv) != 2) {
        fx_usage(&tool, "two files are needed", "");
    }
    if (fx_count_inputs(argv, 2) == 2) {
        fx_usage(&tool, "only one of the files can be - (standard input)", "");
    }
    if (set->kmer > set->bases) {
        fx_usage(&tool, "--kmer is larger than --bases", "");
    }
    files[0].path = argv[0];
    files[1].path = argv[1];
}

int main(int argc, char **argv) {
    settings set;
    input files[2];
    source sources[2][2]; /* [LEARN or TEST][file] */
    model m;
    int f, part, status;
    memset(&set, 0, sizeof set);
    memset(files, 0, sizeof files);
    memset(sources, 0, sizeof sources);
    memset(&m, 0, sizeof m);
    read_flags(argc, argv, &set, files);
    m.kmer = set.kmer;
    m.row_bases = set.bases;
    m.weights = (double *)calloc((size_t)1 << (2 * set.kmer), sizeof *m.weights);
    m.words = (uint32_t *)calloc(set.bases, sizeof *m.words);
    status = m.weights != NULL && m.words != NULL ? FX_OK : FX_BAD_DATA;
    if (status != FX_OK) {
        fx_complain(PROGRAM, "out of memory");
    }
    for (f = 0; f < 2 && status == FX_OK; ++f) {
        status = take_input(&files[f]);
    }
    for (part = LEARN; part <= TEST && status == FX_OK; ++part) {
        for (f = 0; f < 2; ++f) {
            sources[part][f].from = &files[f];
            sources[part][f].part = part;
        }
        status = open_both(sources[part], &m, &set);
    }
    if (status == FX_OK) {
        status = train(sources, &m, &set);
    }
    for (f = 0; f < 2; ++f) {
        biost_loader_close(sources[LEARN][f].loader);
        biost_loader_close(sources[TEST][f].loader);
        free((void *)(uintptr_t)files[f].memory.data);
    }
    free(m.weights);
    free(m.words);
    return status;
}
