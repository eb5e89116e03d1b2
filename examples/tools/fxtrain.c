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
 * - A fifth of the rows is held out, by a hash of (record id, piece): the same rows in every epoch,
 *   whatever the seed; the model never learns from them.
 * - Both files give equally many rows, to learning and to testing: of the larger file those with
 *   the smallest hashes are taken. So guessing scores exactly 0.5.
 *
 * One of the files may be "-", standard input. It is kept in memory as it comes (compressed, if it
 * is), because each epoch reads it again.
 *
 * Memory: 8 bytes per row of the two files, besides the loaders'. The output is the same in every
 * run but for the rates, for any number of workers.
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../../biostream.h"
#include "fx.h"
#include <math.h>

#define PROGRAM "fxtrain"

enum { LEARN = 0, TEST = 1 };

/* Step of the first epoch; the n-th takes an n-th of it. 0.003, 0.03 and 0.1 did worse. */
static const double learning_rate = 0.01;

/* One of the two files: its loader, the batch under way, the hashes of its rows by purpose. */
typedef struct source {
    const char *path;
    biost_memory input; /* standard input, if this is it                              */
    biost_loader *loader;
    biost_batch batch;
    uint32_t row; /* next row of the batch                                      */
    int holds_batch;
    biost_result result; /* what the loader said last                                  */
    uint64_t *hashes[2];
    size_t count[2], capacity[2];
    uint64_t limit[2]; /* a row is taken if its hash is at most this                 */
    uint64_t streamed; /* rows seen since the program began                          */
} source;

typedef struct model {
    double *weights; /* [4^k]                                                      */
    double bias, rate;
    uint32_t kmer, row_bases;
    uint32_t *words; /* [row_bases] the words of the row under way                 */
} model;

typedef struct settings {
    uint64_t epochs, seed;
    uint32_t rows, bases, kmer, workers;
} settings;

/* ---- rows --------------------------------------------------------------- */

/* The output step of the SplitMix64 generator: a bijection that mixes all 64 bits. */
static uint64_t mix(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static int purpose(uint64_t hash) {
    return hash % 5 == 0 ? TEST : LEARN;
}

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
static uint32_t next_row(source *s, model *m, uint64_t *out_hash) {
    for (;;) {
        while (s->holds_batch && s->row < s->batch.valid_rows) {
            uint32_t row = s->row++, count;
            const uint8_t *tokens = (const uint8_t *)s->batch.x.data + (size_t)row * m->row_bases;
            const biost_row *origin = &s->batch.origins[row];
            count = s->batch.lengths[row] == (int32_t)m->row_bases ? list_words(m, tokens) : 0;
            if (count > 0) {
                *out_hash = mix(mix((uint64_t)origin->id) + origin->piece);
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

/* The next row taken for this purpose. */
static uint32_t next_taken(source *s, model *m, int wanted) {
    uint64_t hash = 0;
    uint32_t count;
    do {
        count = next_row(s, m, &hash);
    } while (count > 0 && (purpose(hash) != wanted || hash > s->limit[wanted]));
    return count;
}

/* ---- equal counts ------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Keep the hash of every row of the file. Returns 0 when memory ran out. */
static int collect(source *s, model *m) {
    uint64_t hash;
    while (next_row(s, m, &hash) > 0) {
        int p = purpose(hash);
        if (s->count[p] == s->capacity[p]) {
            size_t capacity = s->capacity[p] * 2 + 4096;
            uint64_t *grown = (uint64_t *)realloc(s->hashes[p], capacity * sizeof *grown);
            if (grown == NULL) {
                return 0;
            }
            s->hashes[p] = grown;
            s->capacity[p] = capacity;
        }
        s->hashes[p][s->count[p]++] = hash;
    }
    return 1;
}

/* Take the `rows` rows with the smallest hashes. */
static void limit_to(source *s, int p, size_t rows) {
    qsort(s->hashes[p], s->count[p], sizeof *s->hashes[p], by_value);
    s->limit[p] = s->hashes[p][rows - 1];
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

/* ---- the program -------------------------------------------------------- */

static int begin_both(source *files, uint64_t pass) {
    int f;
    for (f = 0; f < 2; ++f) {
        files[f].result = biost_loader_begin(files[f].loader, pass);
        if (files[f].result != BIOST_OK) {
            return 0;
        }
    }
    return 1;
}

/*
 * One pass over both files, a row of each in turn, to learn (loss) or to test (share of right
 * answers). Returns the mean over the rows; a loader's error is left in `result`.
 */
static double pass_over(source *files, model *m, uint64_t pass, int wanted) {
    double sum = 0;
    uint64_t rows = 0;
    uint32_t count;
    int label, open = begin_both(files, pass) ? 3 : 0;
    while (open != 0) {
        for (label = 0; label < 2; ++label) {
            count = (open >> label) & 1 ? next_taken(&files[label], m, wanted) : 0;
            if (count == 0) {
                open &= ~(1 << label);
                continue;
            }
            sum += wanted == LEARN ? learn(m, count, label) : ((score(m, count) > 0) == label);
            ++rows;
        }
    }
    return rows > 0 ? sum / (double)rows : 0;
}

/* The first error of the two loaders, as an exit code. */
static int check_both(const source *files) {
    int f;
    for (f = 0; f < 2; ++f) {
        if (files[f].result < 0) {
            return fx_fail(PROGRAM, files[f].result, biost_loader_error(files[f].loader));
        }
    }
    return FX_OK;
}

/* Count the rows and choose equally many of both files. Returns an exit code. */
static int choose(source *files, model *m) {
    int f, p, status;
    char sentence[512];
    if (begin_both(files, 0) && !(collect(&files[0], m) && collect(&files[1], m))) {
        fx_complain(PROGRAM, "out of memory");
        return FX_BAD_DATA;
    }
    if ((status = check_both(files)) != FX_OK) {
        return status;
    }
    for (p = 0; p < 2; ++p) {
        size_t rows = files[0].count[p] < files[1].count[p] ? files[0].count[p] : files[1].count[p];
        for (f = 0; f < 2 && rows > 0; ++f) {
            limit_to(&files[f], p, rows);
        }
        if (rows == 0) {
            f = files[0].count[p] > 0;
            snprintf(sentence, sizeof sentence, "%s has too few rows of %" PRIu32 " bases", files[f].path,
                     m->row_bases);
            fx_complain(PROGRAM, sentence);
            return FX_BAD_DATA;
        }
        printf("%s\t%zu rows of each file\n", p == LEARN ? "learn from" : "held out", rows);
    }
    return FX_OK;
}

static int train(source *files, model *m, const settings *set) {
    uint64_t epoch;
    int f, status = FX_OK;
    for (f = 0; f < 2; ++f) {
        printf("%c\t%s\n", 'A' + f, files[f].path);
    }
    status = choose(files, m);
    if (status != FX_OK) {
        return status;
    }
    printf("chance level\t0.5000\n");
    for (epoch = 0; epoch < set->epochs; ++epoch) {
        uint64_t streamed = files[0].streamed + files[1].streamed;
        double start = fx_seconds(), loss, right = 0, seconds;
        m->rate = learning_rate / (1 + (double)epoch);
        loss = pass_over(files, m, 2 * epoch + 1, LEARN);
        status = check_both(files);
        if (status == FX_OK) {
            right = pass_over(files, m, 2 * epoch + 2, TEST);
            status = check_both(files);
        }
        if (status != FX_OK) {
            return status;
        }
        seconds = fx_seconds() - start;
        streamed = files[0].streamed + files[1].streamed - streamed;
        printf("epoch %" PRIu64 "\tloss %.4f\theld-out accuracy %.4f\trows/s %.0f\n", epoch, loss, right,
               (double)streamed / seconds);
        if (!fx_flush(PROGRAM, &status)) {
            return status;
        }
    }
    return FX_OK;
}

static int open_source(source *s, const settings *set) {
    biost_loader_desc desc;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    if (fx_is_input(s->path)) {
        void *bytes = fx_read_all_input(PROGRAM, &s->input.bytes);
        if (bytes == NULL) {
            return FX_BAD_DATA;
        }
        s->input.data = bytes;
        s->input.name = "standard input";
        desc.memories = &s->input;
        desc.memory_count = 1;
    } else {
        desc.paths = &s->path;
        desc.path_count = 1;
    }
    desc.batch_rows = set->rows;
    desc.row_bases = set->bases;
    desc.long_records = BIOST_LONG_SPLIT;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.shuffle_rows = 65536;
    desc.seed = set->seed;
    desc.workers = set->workers;
    desc.epochs = 2 * set->epochs + 1; /* one to choose rows, then to learn and to test in turn */
    s->result = biost_loader_open(&desc, &s->loader, &error);
    return s->result == BIOST_OK ? FX_OK : fx_fail(PROGRAM, s->result, &error);
}

static void read_flags(int argc, char **argv, settings *set, source *files) {
    const fx_flag flags[] = {
        {0, "epochs", "N", FX_U64, &set->epochs, 1, 1000000, "passes to learn from (5)"},
        {0, "kmer", "K", FX_U32, &set->kmer, 1, 10, "bases per word (5)"},
        {0, "rows", "N", FX_U32, &set->rows, 1, 1048576, "rows per batch (256)"},
        {0, "bases", "N", FX_U32, &set->bases, 1, 65536, "bases per row (150)"},
        {0, "workers", "N", FX_U32, &set->workers, 0, 256, "threads for each file (0: one per core)"},
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
    source files[2];
    model m;
    int f, status;
    memset(&set, 0, sizeof set);
    memset(files, 0, sizeof files);
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
        status = open_source(&files[f], &set);
    }
    if (status == FX_OK) {
        status = train(files, &m, &set);
    }
    for (f = 0; f < 2; ++f) {
        biost_loader_close(files[f].loader);
        free(files[f].hashes[LEARN]);
        free(files[f].hashes[TEST]);
        free((void *)(uintptr_t)files[f].input.data);
    }
    free(m.weights);
    free(m.words);
    return status;
}
