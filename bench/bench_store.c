/*
 * bench_store - stores against reading text, and against what the machine allows.
 *
 *   build/bench/bench_store [--tsv FILE] GENOME.fa READS.fastq READS.fastq.gz FOLDER
 *
 * The genome is taken twice over, in one store; READS.fastq.gz has the records of READS.fastq. FOLDER is where the files
 * of the stores are written, which are mapped for all but the first part; they are removed at the end.
 *
 *   build    biost_store_build, from a warm file to memory, with and without names and qualities, against
 *            biost_reader_next_page over the same file with as many workers, 1 and 2: both texts, READS.fastq.gz, and
 *            GENOME.fa.gz where it is. Of READS.fastq.gz once more in warm memory: large blocks are those of the round
 *            before, so that the system has no page to find and to clear
 *   size     bytes a base of the whole file: letters, lists, qualities, names, tables
 *   fetch    random stretches of 131,072 bases by biost_store_fetch, one thread, GB of letters a second
 *   rows     loaders with one worker. Of the genome: regions of 131,072 and of 512 bases, EXACT, reverse complement 0.5,
 *            tokens u8 and one-hot f32; the limit is a memset of as many bytes, of as many slots that are warm. Regions
 *            of 131,072 once more as bench/peers/regions.py makes them: one-hot u8, the plus strand. Of the
 *            reads: 150 bases, one-hot u8, EXACT, against the loader of READS.fastq.gz with a shuffle of 65,536 rows;
 *            and of a store with qualities, one-hot u8 and f32, without and with reverse complement 0.5, qualities (u8)
 *            and mask as tensors
 *   tokens   the same reads as tokens i32, of one base each and of 6, from READS.fastq and from the store
 *   ranks    processor time of a loader of rank 0 of 1, 2, 4 and 8, as a share of that of one rank, its opening inside:
 *            the store, with and without a split by name, and the text beside it
 *   resume   from opening a loader with a state to its first batch, in the middle of an epoch
 *
 * Before anything is timed the outputs are compared. A fetch gives what the reader gave, each region of a batch is
 * encoded once more from a fetch, byte by byte, with the strand and the place that its origin tells, as are reads with
 * more tensors, these too, and the rows of other reads are those of the text in whatever order, by the sum of a hash of
 * each, which is that of u8 for f32. Opening and closing of loaders is inside
 * their time, that of stores is not.
 *
 *   BENCH_ROUNDS=N       rounds, 5 to 99; without it 7
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"
#include "bench.h"

enum {
    READ_BASES = 150,
    READ_ROWS = 256,
    WINDOW = 6,
    LONG_BASES = 131072,
    SHORT_BASES = 512,
    SLOTS = 4,
    SHUFFLE = 65536
};
enum { CASES_MOST = 8, FETCHES = 1000, MARK = 16 };

/* What a pass gave. */
typedef struct outcome {
    uint64_t rows, bases;
    uint64_t hash; /* the sum over rows, when outputs are compared; else 0 */
    int failed;
} outcome;

/* What is measured. */
typedef struct contender {
    const char *name;
    outcome (*run)(const struct contender *of, int compare);
    const char *path;    /* text, or NULL */
    biost_store *store;  /* or a store */
    uint32_t row_bases;  /* of regions; 0: records */
    uint32_t rank_world; /* 0 or 1: one rank */
    uint32_t workers;
    uint32_t k; /* reads as tokens of k bases; 0: as one-hot */
    int is_f32, is_plus, qualities, no_names, splits, tensors, plain;
    int is_warm;   /* a store is built in memory that was used before */
    double figure; /* what a pass is worth, in thousands or millions of the unit; see `report` */
    double wall[BENCH_ROUNDS_MOST], cpu[BENCH_ROUNDS_MOST];
} contender;

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile unsigned char sink;

static const char *bench_folder;

static outcome failed_outcome(const char *text) {
    outcome out;
    memset(&out, 0, sizeof out);
    fprintf(stderr, "bench_store: %s\n", text);
    out.failed = 1;
    return out;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* ---- memory that was used before ----------------------------------------------------- */

enum { WARM_BLOCKS = 64, WARM_BYTES = 1 << 20 };

/* Blocks of WARM_BYTES and more, which go back to the system at the end of a part. */
static struct {
    pthread_mutex_t lock;
    int count;
    struct {
        void *memory;
        size_t bytes; /* of it */
        int is_lent;
    } blocks[WARM_BLOCKS];
} warm = {PTHREAD_MUTEX_INITIALIZER, 0, {{NULL, 0, 0}}};

/* A block that fits: not an eighth larger than what is wanted, since sizes move a little from round to round. */
static void *warm_find(size_t bytes) {
    int i;
    for (i = 0; i < warm.count; ++i) {
        if (!warm.blocks[i].is_lent && warm.blocks[i].bytes >= bytes &&
            warm.blocks[i].bytes - bytes <= bytes / 8) {
            warm.blocks[i].is_lent = 1;
            return warm.blocks[i].memory;
        }
    }
    return NULL;
}

static void *warm_alloc(size_t bytes, size_t align, void *user_data) {
    void *memory = NULL;
    size_t more = bytes + (bytes >= WARM_BYTES ? bytes / 16 : 0);
    (void)user_data;
    pthread_mutex_lock(&warm.lock);
    memory = bytes >= WARM_BYTES ? warm_find(bytes) : NULL;
    if (memory == NULL && posix_memalign(&memory, BSI_MAX(align, 4096), more) == 0 && bytes >= WARM_BYTES &&
        warm.count < WARM_BLOCKS) {
        memset(memory, 0, more);
        warm.blocks[warm.count].memory = memory;
        warm.blocks[warm.count].bytes = more;
        warm.blocks[warm.count++].is_lent = 1;
    }
    pthread_mutex_unlock(&warm.lock);
    return memory;
}

static void warm_free(void *memory, size_t bytes, void *user_data) {
    int i, is_kept = 0;
    (void)bytes;
    (void)user_data;
    pthread_mutex_lock(&warm.lock);
    for (i = 0; i < warm.count; ++i) {
        if (warm.blocks[i].memory == memory) {
            warm.blocks[i].is_lent = 0;
            is_kept = 1;
        }
    }
    pthread_mutex_unlock(&warm.lock);
    if (!is_kept) {
        free(memory);
    }
}

static void warm_end(void) {
    while (warm.count > 0) {
        free(warm.blocks[--warm.count].memory);
    }
}

/* ---- stores ------------------------------------------------------------------------ */

/* Build a store, in memory or as file NAME.bst in the folder. The same path may be taken twice. */
static biost_store *build_store(const char *path, uint32_t times, const contender *of, const char *name) {
    const char *paths[2];
    char save_path[1024];
    biost_store_desc desc;
    biost_store *store;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    paths[0] = paths[1] = path;
    desc.paths = paths;
    desc.path_count = times;
    desc.duplicate_names = 1;
    desc.qualities = of != NULL && of->qualities;
    desc.names = of != NULL && of->no_names ? BIOST_STORE_NO_NAMES : BIOST_STORE_TITLES;
    desc.memory_bytes = UINT64_C(1) << 33;
    desc.workers = of != NULL ? of->workers : 1;
    if (of != NULL && of->is_warm) {
        desc.allocator.alloc = warm_alloc;
        desc.allocator.free = warm_free;
    }
    if (name != NULL) {
        snprintf(save_path, sizeof save_path, "%s/%s.bst", bench_folder, name);
        desc.save_path = save_path;
    }
    if (biost_store_build(&desc, &store, &error) != BIOST_OK) {
        fprintf(stderr, "bench_store: %s\n", error.text);
        return NULL;
    }
    return store;
}

static void close_store(biost_store *store, const char *name) {
    char save_path[1024];
    (void)biost_store_close(store, NULL);
    snprintf(save_path, sizeof save_path, "%s/%s.bst", bench_folder, name);
    remove(save_path);
}

static outcome run_build(const contender *of, int compare) {
    outcome out;
    biost_store_info info;
    biost_store *store = build_store(of->path, 1, of, NULL);
    (void)compare;
    if (store == NULL) {
        return failed_outcome("no store");
    }
    biost_store_info_of(store, &info);
    memset(&out, 0, sizeof out);
    out.rows = info.sequence_count;
    out.bases = info.base_count;
    (void)biost_store_close(store, NULL);
    return out;
}

static outcome run_pages(const contender *of, int compare) {
    outcome out;
    biost_reader_desc desc;
    biost_reader *reader;
    biost_error error;
    biost_record_page page;
    biost_result result;
    uint32_t i;
    (void)compare;
    memset(&out, 0, sizeof out);
    memset(&desc, 0, sizeof desc);
    desc.path = of->path;
    desc.workers = of->workers;
    if (biost_reader_open(&desc, &reader, &error) != BIOST_OK) {
        return failed_outcome(error.text);
    }
    while ((result = biost_reader_next_page(reader, &page)) == BIOST_OK) {
        for (i = 0; i < page.row_count; ++i) {
            out.bases += page.rows[i].bases;
            out.rows += (page.rows[i].flags & (uint32_t)BIOST_RUN_GOES_ON) == 0;
        }
        biost_reader_release_page(reader, &page);
    }
    if (result < 0) {
        out = failed_outcome(biost_reader_error(reader)->text);
    }
    biost_reader_close(reader);
    return out;
}

/* ---- fetch -------------------------------------------------------------------------- */

/* A generator for places: good enough for that. */
static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static outcome run_fetch(const contender *of, int compare) {
    static char letters[LONG_BASES];
    outcome out;
    biost_store_info info;
    biost_store_sequence sequence;
    uint64_t state = 88172645463325252u;
    int i;
    (void)compare;
    memset(&out, 0, sizeof out);
    biost_store_info_of(of->store, &info);
    for (i = 0; i < FETCHES; ++i) {
        uint64_t number = next_random(&state) % info.sequence_count, start;
        biost_store_get(of->store, number, &sequence);
        if (sequence.bases <= LONG_BASES) {
            continue;
        }
        start = next_random(&state) % (sequence.bases - LONG_BASES);
        if (biost_store_fetch(of->store, number, start, start + LONG_BASES, letters, NULL) != BIOST_OK) {
            return failed_outcome("a fetch failed");
        }
        sink = (unsigned char)letters[i % LONG_BASES];
        out.rows += 1;
        out.bases += LONG_BASES;
    }
    return out;
}

/* Whether each sequence is what a reader gives of the text. */
static int is_text(biost_store *store, const char *path) {
    biost_reader_desc desc;
    biost_reader *reader;
    biost_error error;
    biost_record record;
    biost_result result = BIOST_OK;
    uint64_t number = 0;
    char *letters = NULL;
    int good = 1;
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    if (biost_reader_open(&desc, &reader, &error) != BIOST_OK) {
        return 0;
    }
    while (good && (result = biost_reader_next(reader, &record)) == BIOST_OK) {
        letters = (char *)realloc(letters, record.seq_bases + 1);
        good = letters != NULL &&
               biost_store_fetch(store, number, 0, record.seq_bases, letters, NULL) == BIOST_OK &&
               memcmp(letters, record.seq, record.seq_bases) == 0;
        ++number;
    }
    good = good && result >= 0 && number > 0;
    free(letters);
    biost_reader_close(reader);
    return good;
}

/* ---- loaders ------------------------------------------------------------------------- */

static biost_loader_desc make_desc(const contender *of) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.workers = 1;
    desc.slots = SLOTS;
    desc.epochs = 1; /* do not begin another ahead */
    desc.batch_rows = READ_ROWS;
    desc.row_bases = READ_BASES;
    desc.seed = 1;
    if (of->store == NULL) {
        desc.paths = &of->path;
        desc.path_count = 1;
        desc.shuffle_rows = SHUFFLE;
    } else {
        desc.store = of->store;
        desc.order = BIOST_ORDER_EXACT;
    }
    if (of->row_bases > 0) {
        desc.regions.kind = BIOST_REGIONS_GRID;
        desc.row_bases = of->row_bases;
        desc.batch_rows = (of->is_f32 || of->is_plus ? 16u : 32u) * (LONG_BASES / of->row_bases);
        desc.augment.reverse_complement = of->is_plus ? 0.0f : 0.5f;
        desc.regions.minus_pad = BIOST_MINUS_PAD_END; /* as is_store_row takes it */
        desc.encoding.kind = of->is_f32 || of->is_plus ? BIOST_ENCODE_ONEHOT : BIOST_ENCODE_TOKENS;
    }
    desc.encoding.dtype = of->is_f32 ? BIOST_DTYPE_F32 : BIOST_DTYPE_U8;
    if (of->k > 0) {
        desc.shuffle_rows = 0;
        desc.row_bases = READ_BASES / of->k;
        desc.long_records = BIOST_LONG_HEAD;
        desc.encoding.kind = BIOST_ENCODE_TOKENS;
        desc.encoding.dtype = BIOST_DTYPE_I32;
        desc.encoding.kmers.k = of->k > 1 ? of->k : 0;
    }
    if (of->tensors) {
        desc.augment.reverse_complement = 0.5f;
        desc.quality.kind = BIOST_QUALITY_PHRED;
        desc.mask = 1;
    }
    if (of->rank_world > 1) {
        desc.world = of->rank_world;
    }
    if (of->splits) {
        desc.split.by = BIOST_SPLIT_NAME;
        desc.split.below = 0.9f;
    }
    return desc;
}

/* The complement of a letter, case kept, in a genome. */
static char complement(char letter) {
    static const char pairs[] = "ACGTacgtMKmkRYryBVbvDHdh";
    const char *at = strchr(pairs, letter);
    size_t i;
    if (at == NULL || letter == '\0') {
        return letter; /* N, S and W are their own */
    }
    i = (size_t)(at - pairs);
    return pairs[i < 8 ? (i & 4) + 3 - (i & 3) : i < 16 && i % 4 < 2 ? i + 1 - 2 * (i & 1) : i ^ 1];
}

/* Whether the further tensors of a row of `bases` are its qualities, on the strand that it shows, and its mask. */
static int are_tensors(const biost_batch *batch, uint32_t row, const char *qualities, uint32_t bases,
                       int reversed) {
    const biost_tensor *quality = biost_batch_tensor(batch, BIOST_ROLE_QUALITY);
    const biost_tensor *mask = biost_batch_tensor(batch, BIOST_ROLE_MASK);
    uint32_t i;
    for (i = 0; i < READ_BASES && quality != NULL && mask != NULL; ++i) {
        size_t at = (size_t)row * READ_BASES + i;
        int score = i >= bases ? 0 : qualities[reversed ? bases - 1 - i : i] - 33;
        if (((const uint8_t *)quality->data)[at] != score ||
            ((const uint8_t *)mask->data)[at] != (i < bases)) {
            return 0;
        }
    }
    return quality != NULL && mask != NULL;
}

/* Whether a row of a store is what its origin tells, encoded here. */
static int is_store_row(const contender *of, const biost_batch *batch, uint32_t row) {
    static char letters[LONG_BASES], qualities[LONG_BASES];
    const biost_row *origin = &batch->origins[row];
    uint64_t number = BIOST_ID_RECORD(origin->id), start, end;
    uint32_t bases = (uint32_t)batch->lengths[row],
             columns = of->row_bases > 0 ? of->row_bases : (uint32_t)READ_BASES, i, c;
    int reversed = (origin->flags & (uint32_t)BIOST_ROW_REVERSED) != 0;
    int is_onehot = of->is_f32 || of->is_plus || of->row_bases == 0;
    biost_store_info info;
    biost_row_span(origin, batch->lengths[row], &start, &end);
    biost_store_info_of(of->store, &info);
    number += BIOST_ID_PATH(origin->id) * (info.sequence_count / info.input_count);
    if (biost_store_fetch(of->store, number, start, end, letters, of->tensors ? qualities : NULL) !=
        BIOST_OK) {
        return 0;
    }
    for (i = 0; i < columns; ++i) {
        char letter = i >= bases ? '\0' : reversed ? complement(letters[bases - 1 - i]) : letters[i];
        int upper = letter >= 'a' && letter <= 'z' ? letter - 32 : letter;
        int token = upper == 'A' ? 1 : upper == 'C' ? 2 : upper == 'G' ? 3 : upper == 'T' ? 4 : upper ? 5 : 0;
        size_t at = (size_t)row * columns + i;
        if (!is_onehot && ((const uint8_t *)batch->x.data)[at] != token) {
            return 0;
        }
        for (c = 0; is_onehot && c < 4; ++c) {
            int got = of->is_f32 ? ((const float *)batch->x.data)[4 * at + c] > 0
                                 : ((const uint8_t *)batch->x.data)[4 * at + c];
            if (got != (token == (int)c + 1)) {
                return 0;
            }
        }
    }
    return !of->tensors || are_tensors(batch, row, qualities, bases, reversed);
}

/* A hash of a row of reads, the same for u8 and f32. */
static uint64_t hash_read(const contender *of, const unsigned char *x, int32_t bases) {
    unsigned char numbers[4 * READ_BASES];
    size_t i;
    for (i = 0; i < sizeof numbers && of->is_f32; ++i) {
        float number;
        memcpy(&number, x + i * sizeof number, sizeof number);
        numbers[i] = number > 0;
    }
    return bench_hash((uint64_t)bases, of->is_f32 ? numbers : x, sizeof numbers);
}

/* A hash of a row of tokens, of which those of one base each are numbered by windows here. */
static uint64_t hash_tokens(const contender *of, const unsigned char *x, int32_t bases) {
    int32_t windows[READ_BASES / WINDOW];
    int i, k;
    memset(windows, 0, sizeof windows);
    for (i = 0; i < bases / WINDOW; ++i) {
        int32_t number = 0, token;
        for (k = 0; k < WINDOW && of->k == 1; ++k) {
            memcpy(&token, x + sizeof token * (size_t)(i * WINDOW + k), sizeof token);
            number = token > 4 || number < 0 ? -1 : 4 * number + token - 1;
        }
        windows[i] = number < 0 ? 1 + (1 << 2 * WINDOW) : number + 1;
    }
    return bench_hash((uint64_t)bases, of->k == 1 ? (const unsigned char *)windows : x, sizeof windows);
}

/* Use a batch: all of it when outputs are compared, else one byte of it. Returns whether it is right. */
static int use_batch(const contender *of, outcome *out, const biost_batch *batch, int compare) {
    const unsigned char *x = (const unsigned char *)batch->x.data;
    size_t row_bytes = batch->rows > 0 ? (size_t)(batch->x.bytes / batch->rows) : 0;
    uint32_t i;
    sink = *x;
    out->rows += batch->valid_rows;
    for (i = 0; i < batch->valid_rows; ++i) {
        out->bases += (uint64_t)batch->lengths[i];
        if (compare && of->k > 0) {
            out->hash += hash_tokens(of, x + row_bytes * i, batch->lengths[i]);
        } else if (compare && of->row_bases == 0 && !of->tensors) {
            out->hash += hash_read(of, x + row_bytes * i, batch->lengths[i]);
        } else if (compare && batch->index % 8 == 0 && !is_store_row(of, batch, i)) {
            return 0;
        }
    }
    return 1;
}

static outcome run_loader(const contender *of, int compare) {
    outcome out;
    biost_loader_desc desc = make_desc(of);
    biost_loader *loader;
    biost_error error;
    biost_batch batch;
    biost_result result;
    int good = 1;
    memset(&out, 0, sizeof out);
    if (biost_loader_open(&desc, &loader, &error) != BIOST_OK) {
        return failed_outcome(error.text);
    }
    result = biost_loader_begin(loader, 0);
    while (good && result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        good = use_batch(of, &out, &batch, compare);
        biost_loader_release(loader, &batch);
    }
    if (result < 0 || !good) {
        out = failed_outcome(good ? biost_loader_error(loader)->text : "a row is not what its origin tells");
    }
    biost_loader_close(loader);
    return out;
}

/* Write as many bytes as the loader of the same case, into as many slots. */
static outcome run_memset(const contender *of, int compare) {
    static unsigned char *slots;
    static size_t slot_bytes;
    outcome out;
    uint64_t left = 0, written = 0;
    biost_loader_desc desc = make_desc(of);
    biost_store_info info;
    size_t bytes = (size_t)desc.batch_rows * desc.row_bases * (of->is_f32 ? 16 : 1);
    memset(&out, 0, sizeof out);
    (void)compare;
    if (slot_bytes != bytes) {
        free(slots);
        slots = (unsigned char *)calloc(SLOTS, bytes);
        slot_bytes = bytes;
    }
    if (slots == NULL) {
        return failed_outcome("no memory");
    }
    biost_store_info_of(of->store, &info);
    out.bases = info.base_count;
    for (left = out.bases * (of->is_f32 ? 16 : 1); left > bytes; left -= bytes) {
        memset(slots + written % SLOTS * bytes, (int)(written & 1), bytes);
        sink = slots[written++ % SLOTS * bytes];
    }
    memset(slots, 1, (size_t)left);
    sink = slots[0];
    return out;
}

/* The state after a batch in the middle of an epoch, kept in `state`. */
static uint8_t state[512];
static size_t state_bytes;

static int take_state(const contender *of) {
    biost_loader_desc desc = make_desc(of);
    biost_loader *loader;
    biost_batch batch;
    int i, good;
    if (biost_loader_open(&desc, &loader, NULL) != BIOST_OK) {
        return 0;
    }
    good = biost_loader_begin(loader, 0) == BIOST_OK;
    for (i = 0; i < MARK && good; ++i) {
        good = biost_loader_next(loader, &batch) == BIOST_OK;
        good = good && (i + 1 < MARK ||
                        biost_loader_state(loader, &batch, state, sizeof state, &state_bytes) == BIOST_OK);
        biost_loader_release(loader, &batch);
    }
    biost_loader_close(loader);
    return good;
}

static outcome run_resume(const contender *of, int compare) {
    outcome out;
    biost_loader_desc desc = make_desc(of);
    biost_loader *loader;
    biost_batch batch;
    biost_error error;
    (void)compare;
    memset(&out, 0, sizeof out);
    desc.state = state;
    desc.state_bytes = state_bytes;
    if (biost_loader_open(&desc, &loader, &error) != BIOST_OK) {
        return failed_outcome(error.text);
    }
    if (biost_loader_begin(loader, 0) != BIOST_OK || biost_loader_next(loader, &batch) != BIOST_OK) {
        out = failed_outcome(biost_loader_error(loader)->text);
    } else {
        out.failed = batch.index != MARK;
        out.rows = batch.valid_rows;
        biost_loader_release(loader, &batch);
    }
    biost_loader_close(loader);
    return out;
}

/* ---- measuring ------------------------------------------------------------------------- */

/* Contenders take turns within each round, after one that compares and warms. Medians stand in [0] at the end. */
static int measure(contender *all, int count) {
    outcome first;
    int round, i, rounds = bench_rounds();
    memset(&first, 0, sizeof first);
    for (i = 0; i < count; ++i) {
        outcome out = all[i].run(&all[i], 1);
        first = i == 0 ? out : first;
        if (out.failed || (out.hash > 0 && first.hash > 0 && all[i].rank_world < 2 && !all[i].splits &&
                           (out.hash != first.hash || out.rows != first.rows))) {
            fprintf(stderr, "%s: failed, or gives other rows than %s; nothing is timed\n", all[i].name,
                    all[0].name);
            return 0;
        }
    }
    for (round = 0; round < rounds; ++round) {
        for (i = 0; i < count; ++i) {
            bench_time start = bench_now(), time;
            if (all[i].run(&all[i], 0).failed) {
                return 0;
            }
            time = bench_since(start);
            all[i].wall[round] = time.wall;
            all[i].cpu[round] = time.cpu;
        }
    }
    for (i = 0; i < count; ++i) {
        all[i].wall[0] = bench_median_of(all[i].wall, rounds);
        all[i].cpu[0] = bench_median_of(all[i].cpu, rounds);
    }
    return 1;
}

/* A figure: `figure` of the contender a second. */
static void report(const char *stage, const char *file, const contender *all, int count, const char *unit) {
    int i;
    printf("%s, %s\n", stage, file);
    for (i = 0; i < count; ++i) {
        bench_time time;
        time.wall = all[i].wall[0];
        time.cpu = all[i].cpu[0];
        printf("  %-34s %10.2f %-8s %9.4f s wall %9.4f s CPU\n", all[i].name, all[i].figure / time.wall, unit,
               time.wall, time.cpu);
        bench_tsv_row(stage, file, all[i].name, all[i].figure / time.wall, unit, 1, time);
    }
    printf("\n");
    fflush(stdout);
}

static void add(contender *all, int *count, const char *name,
                outcome (*run)(const contender *of, int compare), const char *path, biost_store *store) {
    contender *c = &all[(*count)++];
    memset(c, 0, sizeof *c);
    c->name = name;
    c->run = run;
    c->path = path;
    c->store = store;
    c->figure = 1;
}

/* ---- parts -------------------------------------------------------------------------------- */

/* `text` is the file's text, of whose bytes speed is told: `path` itself where that is not packed. */
static int bench_build(const char *path, const char *text, int is_reads, uint32_t workers) {
    static contender all[CASES_MOST];
    char file[256];
    size_t bytes = 0;
    int count = 0, i;
    free(bench_read_file(text, &bytes));
    add(all, &count, "next_page", run_pages, path, NULL);
    add(all, &count, "build, no names", run_build, path, NULL);
    all[1].no_names = 1;
    add(all, &count, "build", run_build, path, NULL);
    if (is_reads) {
        add(all, &count, "build, qualities", run_build, path, NULL);
        all[3].qualities = 1;
    }
    if (is_reads && path != text) {
        add(all, &count, "build, warm memory", run_build, path, NULL);
        add(all, &count, "build, qualities, warm memory", run_build, path, NULL);
        all[4].is_warm = all[5].is_warm = all[5].qualities = 1;
    }
    for (i = 0; i < count; ++i) {
        all[i].figure = (double)bytes / 1e6;
        all[i].workers = workers;
    }
    if (!measure(all, count)) {
        return 0;
    }
    warm_end();
    snprintf(file, sizeof file, "%s, workers %u", base_name(path), (unsigned)workers);
    report("store-build", file, all, count, "MB/s");
    for (i = 1; i < count; ++i) {
        printf("  %-34s %10.3f of next_page\n", all[i].name, all[0].wall[0] / all[i].wall[0]);
    }
    printf("\n");
    return 1;
}

/* All files, with one worker and with two. */
static int bench_builds(char **argv) {
    char genome_gz[1024];
    uint32_t workers;
    int good = 1;
    FILE *file;
    snprintf(genome_gz, sizeof genome_gz, "%s.gz", argv[1]);
    file = fopen(genome_gz, "rb");
    for (workers = 1; workers <= 2 && good; ++workers) {
        good = bench_build(argv[1], argv[1], 0, workers) && bench_build(argv[2], argv[2], 1, workers) &&
               bench_build(argv[3], argv[2], 1, workers) &&
               (file == NULL || bench_build(genome_gz, argv[1], 0, workers));
    }
    if (file != NULL) {
        fclose(file);
    }
    return good;
}

static void bench_size(const char *file, const char *name, const biost_store *store) {
    const bench_time none = {0, 0};
    biost_store_info info;
    biost_store_info_of(store, &info);
    printf("store-size, %s, %s: %.4f bytes a base; letters %.4f, lists %.4f, qualities %.4f, names %.4f, "
           "tables %.4f\n\n",
           file, name, (double)info.file_bytes / (double)info.base_count,
           (double)info.base_bytes / (double)info.base_count,
           (double)info.list_bytes / (double)info.base_count,
           (double)info.quality_bytes / (double)info.base_count,
           (double)info.name_bytes / (double)info.base_count,
           (double)info.table_bytes / (double)info.base_count);
    bench_tsv_row("store-size", file, name, (double)info.file_bytes / (double)info.base_count, "bytes/base",
                  0, none);
}

static int bench_fetch(const char *path, biost_store *store) {
    static contender all[CASES_MOST];
    int count = 0;
    if (!is_text(store, path)) {
        fprintf(stderr, "the store is not the text; nothing is timed\n");
        return 0;
    }
    add(all, &count, "fetch, 131072 bases", run_fetch, NULL, store);
    all[0].figure = (double)run_fetch(&all[0], 0).bases / 1e9;
    if (!measure(all, count)) {
        return 0;
    }
    report("store-fetch", base_name(path), all, count, "GB/s");
    return 1;
}

static int bench_regions(const char *path, biost_store *store) {
    static contender all[CASES_MOST];
    biost_store_info info;
    int count = 0, i;
    add(all, &count, "memset, u8", run_memset, NULL, store);
    add(all, &count, "regions of 131072, u8 tokens", run_loader, NULL, store);
    add(all, &count, "regions of 512, u8 tokens", run_loader, NULL, store);
    add(all, &count, "memset, f32", run_memset, NULL, store);
    add(all, &count, "regions of 131072, f32 one-hot", run_loader, NULL, store);
    biost_store_info_of(store, &info);
    for (i = 0; i < count; ++i) {
        all[i].row_bases = i == 2 ? SHORT_BASES : LONG_BASES;
        all[i].is_f32 = i > 2;
        all[i].figure = (double)info.base_count / 1e6;
    }
    if (!measure(all, count)) {
        return 0;
    }
    report("store-rows", base_name(path), all, count, "Mbase/s");
    return 1;
}

/* What bench/peers/regions.py makes, which runs this part alone. */
static int bench_onehot(const char *path, biost_store *store) {
    static contender all[CASES_MOST];
    biost_store_info info;
    int count = 0;
    biost_store_info_of(store, &info);
    add(all, &count, "regions of 131072, u8 one-hot, plus", run_loader, NULL, store);
    all[0].row_bases = LONG_BASES;
    all[0].is_plus = 1;
    all[0].figure = (double)info.base_count / 1e6;
    if (!measure(all, count)) {
        return 0;
    }
    report("store-rows", base_name(path), all, count, "Mbase/s");
    return 1;
}

static int bench_reads(const char *path, const char *gz_path, biost_store *store, biost_store *full) {
    static contender all[CASES_MOST];
    biost_store_info info;
    int count = 0, i;
    add(all, &count, "reads, store", run_loader, NULL, store);
    add(all, &count, "reads, gzip, shuffle 65536", run_loader, gz_path, NULL);
    add(all, &count, "reads, text, shuffle 65536", run_loader, path, NULL);
    add(all, &count, "reads, store with qualities", run_loader, NULL, full);
    add(all, &count, "the same, rc, quality, mask", run_loader, NULL, full);
    add(all, &count, "reads, store with qualities, f32", run_loader, NULL, full);
    add(all, &count, "the same, f32, rc, quality, mask", run_loader, NULL, full);
    all[4].tensors = all[6].tensors = 1;
    all[5].is_f32 = all[6].is_f32 = 1;
    biost_store_info_of(store, &info);
    for (i = 0; i < count; ++i) {
        all[i].figure = (double)info.base_count / 1e6;
    }
    if (!measure(all, count)) {
        return 0;
    }
    report("store-rows", base_name(path), all, count, "Mbase/s");
    return 1;
}

/* Tokens of 6 bases against those of one, of the same reads. */
static int bench_tokens(const char *path, biost_store *store) {
    static contender all[CASES_MOST];
    biost_store_info info;
    int count = 0, i;
    add(all, &count, "text, tokens i32", run_loader, path, NULL);
    add(all, &count, "text, 6-mers i32", run_loader, path, NULL);
    add(all, &count, "store, tokens i32", run_loader, NULL, store);
    add(all, &count, "store, 6-mers i32", run_loader, NULL, store);
    biost_store_info_of(store, &info);
    for (i = 0; i < count; ++i) {
        all[i].k = i % 2 ? WINDOW : 1;
        all[i].figure = (double)info.base_count / 1e6;
    }
    if (!measure(all, count)) {
        return 0;
    }
    report("store-tokens", base_name(path), all, count, "Mbase/s");
    for (i = 0; i < count; i += 2) {
        printf("  %-34s %10.3f of tokens\n", all[i + 1].name, all[i].wall[0] / all[i + 1].wall[0]);
    }
    printf("\n");
    return 1;
}

/* Shares of processor time, of one kind of loader. */
static int bench_ranks(const char *name, const char *path, biost_store *store, int splits) {
    static const char *const worlds[] = {"1 rank", "1 of 2", "1 of 4", "1 of 8"};
    static contender all[CASES_MOST];
    char words[80];
    int count = 0, i;
    for (i = 0; i < 4; ++i) {
        add(all, &count, worlds[i], run_loader, path, store);
        all[i].rank_world = 1u << i;
        all[i].splits = splits;
    }
    if (!measure(all, count)) {
        return 0;
    }
    printf("store-ranks, %s\n", name);
    for (i = 0; i < count; ++i) {
        bench_time time;
        time.wall = all[i].wall[0];
        time.cpu = all[i].cpu[0];
        snprintf(words, sizeof words, "%s, %s", name, all[i].name);
        printf("  %-34s %10.3f of 1 rank %9.4f s CPU\n", words, time.cpu / all[0].cpu[0], time.cpu);
        bench_tsv_row("store-ranks", "reads", words, time.cpu / all[0].cpu[0], "of 1 rank", 1, time);
    }
    printf("\n");
    return 1;
}

static int bench_resume(const char *file, biost_store *store, uint32_t row_bases) {
    static contender all[CASES_MOST];
    bench_time time;
    int count = 0;
    add(all, &count, "first batch after a resume", run_resume, NULL, store);
    all[0].row_bases = row_bases;
    if (!take_state(&all[0]) || !measure(all, count)) {
        return 0;
    }
    time.wall = all[0].wall[0];
    time.cpu = all[0].cpu[0];
    printf("store-resume, %s: %.2f ms\n\n", file, 1e3 * time.wall);
    bench_tsv_row("store-resume", file, all[0].name, 1e3 * time.wall, "ms", 1, time);
    return 1;
}

static void print_conditions(void) {
    bench_conditions();
    printf("ours       %s\n", biost_features().text);
    printf("loaders    1 worker, %d slots, digest off; regions in batches of 4 MB (u8) and 32 MB (f32), "
           "reads in "
           "rows of %d x 4\n",
           SLOTS, READ_BASES);
    printf("timing     medians of %d alternating rounds, page cache warm, CPU of all threads\n\n",
           bench_rounds());
    fflush(stdout);
}

/* BENCH_STORE_PART: build, fetch, regions, onehot, reads, tokens, ranks or resume alone; without it all. */
static int has_part(const char *part) {
    const char *wish = getenv("BENCH_STORE_PART");
    return wish == NULL || *wish == '\0' || strstr(wish, part) != NULL;
}

int main(int argc, char **argv) {
    biost_store *genome, *reads, *full;
    contender keeps; /* qualities, too */
    int good = bench_tsv_open(&argc, argv);
    memset(&keeps, 0, sizeof keeps);
    keeps.qualities = 1;
    keeps.workers = 1;
    if (argc != 5) {
        fprintf(stderr, "usage: bench_store [--tsv FILE] GENOME.fa READS.fastq READS.fastq.gz FOLDER\n");
        return 2;
    }
    bench_folder = argv[4];
    print_conditions();
    good = good && (!has_part("build") || bench_builds(argv));
    genome = build_store(argv[1], 2, NULL, "genome");
    if (genome != NULL && good && has_part("onehot")) {
        good = bench_onehot(argv[1], genome);
    }
    if (good && has_part("onehot") && !has_part("reads")) { /* alone: no reads are needed */
        close_store(genome, "genome");
        return 0;
    }
    reads = build_store(argv[2], 1, NULL, "reads");
    full = build_store(argv[2], 1, &keeps, "full");
    if (genome != NULL && reads != NULL && full != NULL && good) {
        bench_size(base_name(argv[1]), "bases and names", genome);
        bench_size(base_name(argv[2]), "bases and names", reads);
        good = (!has_part("fetch") || bench_fetch(argv[1], genome)) &&
               (!has_part("regions") || bench_regions(argv[1], genome)) &&
               (!has_part("reads") || bench_reads(argv[2], argv[3], reads, full)) &&
               (!has_part("tokens") || bench_tokens(argv[2], reads)) &&
               (!has_part("ranks") || (bench_ranks("store", NULL, reads, 0) &&
                                       bench_ranks("store, split by name", NULL, reads, 1) &&
                                       bench_ranks("gzip", argv[3], NULL, 0))) &&
               (!has_part("resume") || (bench_resume(base_name(argv[1]), genome, SHORT_BASES) &&
                                        bench_resume(base_name(argv[2]), reads, 0)));
    }
    good = good && genome != NULL && reads != NULL && full != NULL;
    close_store(genome, "genome");
    close_store(reads, "reads");
    close_store(full, "full");
    return good ? 0 : 1;
}
