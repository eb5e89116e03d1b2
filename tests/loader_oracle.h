/*
 * loader_oracle.h - what a loader must deliver, worked out the slow and obvious way, for the tests of
 * the loader.
 *
 * The oracle holds all text in memory, splits it by lines, makes the list of all samples, shuffles it through
 * an array of cells, cuts it into batches and slices, and filters, augments, encodes and hashes one row after
 * another with loops of its own, Philox 4x32-10 among them. Here is also the door through which every loader of these
 * tests is opened: with TEST_EXECUTOR=n in the environment it runs its tasks on one thread, in an order drawn from n.
 *
 * Include it after biostream.h and test.h.
 */
#ifndef LOADER_ORACLE_H
#define LOADER_ORACLE_H

#include "inputs.h"

/* ---- one thread, any order ---- */

static const char *threads_kept; /* the test that said THREADS_KEPT                               */

/* Of a test that is about threads, jobs or what they cost: its loaders are opened as they are. */
#define THREADS_KEPT (threads_kept = test_state.running)

static biost_result test_loader_open(const biost_loader_desc *desc, biost_loader **out_loader,
                                     biost_error *out_error) {
    static uint64_t opens;
    const char *seed = getenv("TEST_EXECUTOR");
    biost_loader_desc with;
    if (seed == NULL || desc == NULL || threads_kept == test_state.running || desc->workers > 256) {
        return biost_loader_open(desc, out_loader, out_error);
    }
    with = *desc;
    with.workers = 1;
    with.test.order_seed = strtoull(seed, NULL, 0) * 0x9E3779B97F4A7C15u + ++opens;
    with.test.order_seed += with.test.order_seed == 0;
    return biost_loader_open(&with, out_loader, out_error);
}
#define biost_loader_open(desc, out_loader, out_error) test_loader_open(desc, out_loader, out_error)

/* ---- the oracle ---- */

/* A record as its text has it. */
typedef struct oracle_read {
    int64_t id;
    size_t title_at, title_bytes; /* in the titles                                           */
    size_t seq_at, bases;         /* in the pool, and of the qualities in theirs             */
    size_t label_at;              /* in the labels                                           */
    int has_qual;
    uint64_t line, text_offset;
} oracle_read;

typedef struct oracle_sample {
    int64_t id, start_base;
    uint32_t piece, bases, cell, tie, flags;
    size_t read; /* which record                                                    */
    uint64_t number;
} oracle_sample;

typedef struct oracle_batch {
    uint32_t rows, valid_rows, flags, columns;
    bytes lengths, origins;         /* int32_t, biost_row                                       */
    bytes x, quality, mask, labels; /* elements                                                 */
    bytes names;                    /* one after another, NUL-terminated                        */
    uint64_t digest;
} oracle_batch;

typedef enum oracle_end {
    ORACLE_ENDS_WELL,
    ORACLE_FAILS,        /* a fault follows the last record                                 */
    ORACLE_FAILS_PARTIAL /* the last record is what stood before the byte at fault      */
} oracle_end;

typedef struct oracle {
    biost_loader_desc desc;
    uint64_t epoch;
    bytes pool, quals, titles, labels; /* of all records                                          */
    oracle_read *reads;
    size_t read_count, read_capacity;
    oracle_sample *samples;
    size_t sample_count, sample_capacity;
    oracle_batch *batches;
    size_t batch_count;
    uint64_t digest, filtered, records, skipped, dropped_rows;
    uint64_t dropped[BIOST_DROP_COUNT], border;
    int no_row, no_field; /* the fault is that no row is left, or a name without a field     */
    int failed, too_long; /* too_long: the fault is a record that fits no row                */
    uint64_t too_long_record, too_long_path;
} oracle;

/* Room for one more element of a growing array. */
static void *oracle_grow(void *array, size_t count, size_t *capacity, size_t element_bytes) {
    if (count == *capacity) {
        *capacity = *capacity * 2 + 64;
        array = realloc(array, *capacity * element_bytes);
        if (array == NULL) {
            exit(1);
        }
    }
    return array;
}

/* XXH64 over bytes that lie in one piece, as the specification goes through them. */
static uint64_t oracle_rotate(uint64_t value, int bits) {
    return value << bits | value >> (64 - bits);
}

static uint64_t oracle_read_number(const uint8_t *from, int count) {
    uint64_t value = 0;
    while (count > 0) {
        value = value << 8 | from[--count];
    }
    return value;
}

static uint64_t oracle_xxh64(const bytes *input, uint64_t seed) {
    const uint64_t p1 = 11400714785074694791u, p2 = 14029467366897019727u, p3 = 1609587929392839161u,
                   p4 = 9650029242287828579u, p5 = 2870177450012600261u;
    const uint8_t *at = input->data, *end = input->data + input->count;
    uint64_t hash = seed + p5, lanes[4];
    int i;
    if (input->count >= 32) {
        lanes[0] = seed + p1 + p2;
        lanes[1] = seed + p2;
        lanes[2] = seed;
        lanes[3] = seed - p1;
        for (; end - at >= 32; at += 32) {
            for (i = 0; i < 4; ++i) {
                lanes[i] = oracle_rotate(lanes[i] + oracle_read_number(at + 8 * i, 8) * p2, 31) * p1;
            }
        }
        hash = oracle_rotate(lanes[0], 1) + oracle_rotate(lanes[1], 7) + oracle_rotate(lanes[2], 12) +
               oracle_rotate(lanes[3], 18);
        for (i = 0; i < 4; ++i) {
            hash = (hash ^ oracle_rotate(lanes[i] * p2, 31) * p1) * p1 + p4;
        }
    }
    hash += input->count;
    for (; end - at >= 8; at += 8) {
        hash = oracle_rotate(hash ^ oracle_rotate(oracle_read_number(at, 8) * p2, 31) * p1, 27) * p1 + p4;
    }
    if (end - at >= 4) {
        hash = oracle_rotate(hash ^ oracle_read_number(at, 4) * p1, 23) * p2 + p3;
        at += 4;
    }
    for (; at < end; ++at) {
        hash = oracle_rotate(hash ^ *at * p5, 11) * p1;
    }
    hash = (hash ^ hash >> 33) * p2;
    hash = (hash ^ hash >> 29) * p3;
    return hash ^ hash >> 32;
}

/* ---- random words ---- */

/* the stages' numbers, which are part of the data */
enum {
    ORACLE_KEEP = 3,
    ORACLE_SHUFFLE = 4,
    ORACLE_CROP = 16,
    ORACLE_REVERSE = 19,
    ORACLE_SUBSTITUTE = 20,
    ORACLE_INJECT_N = 21,
    ORACLE_USER = 23
};

/*
 * Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011): ten rounds in
 * which two words are multiplied and the halves of the products cross over; the key grows by a constant each round.
 */
static void oracle_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out_words[4]) {
    uint32_t round, word[4], k[2];
    memcpy(word, counter, sizeof word);
    memcpy(k, key, sizeof k);
    for (round = 0; round < 10; ++round) {
        uint64_t even = UINT64_C(0xD2511F53) * word[0], odd = UINT64_C(0xCD9E8D57) * word[2];
        word[0] = (uint32_t)(odd >> 32) ^ word[1] ^ k[0];
        word[2] = (uint32_t)(even >> 32) ^ word[3] ^ k[1];
        word[1] = (uint32_t)odd;
        word[3] = (uint32_t)even;
        k[0] += 0x9E3779B9u; /* the golden ratio */
        k[1] += 0xBB67AE85u; /* the root of 3, less 1 */
    }
    memcpy(out_words, word, sizeof word);
}

/* Word `word` of a stage for (id, piece): block word / 4 of the counter {block, piece, id low, id
   high}. */
static uint32_t oracle_word(const oracle *o, uint32_t stage, int64_t id, uint32_t piece, uint32_t word) {
    uint64_t epoch = stage == ORACLE_KEEP ? 0 : o->epoch;
    uint32_t counter[4], key[2], words[4];
    counter[0] = (uint32_t)epoch;
    counter[1] = (uint32_t)(epoch >> 32);
    counter[2] = stage;
    counter[3] = 0x42494F53u;
    key[0] = (uint32_t)o->desc.seed;
    key[1] = (uint32_t)(o->desc.seed >> 32);
    oracle_philox(counter, key, words);
    key[0] = words[0];
    key[1] = words[1];
    counter[0] = word / 4;
    counter[1] = piece;
    counter[2] = (uint32_t)(uint64_t)id;
    counter[3] = (uint32_t)((uint64_t)id >> 32);
    oracle_philox(counter, key, words);
    return words[word % 4];
}

/* A number below `bound` from words number *word on: word x bound / 2^32; words whose low half is below
   2^32 mod bound are passed over, and so is word `never`. */
static uint32_t oracle_below(const oracle *o, uint32_t stage, int64_t id, uint32_t piece, uint32_t bound,
                             uint32_t *word, uint32_t never) {
    for (;; ++*word) {
        uint64_t product = (uint64_t)oracle_word(o, stage, id, piece, *word) * bound;
        if (*word != never && (product & 0xFFFFFFFFu) >= ((uint64_t)1 << 32) % bound) {
            ++*word;
            return (uint32_t)(product >> 32);
        }
    }
}

/* floor(p 2^32) */
static uint64_t oracle_threshold(float p) {
    return (uint64_t)((double)p * 4294967296.0);
}

/* Cell in 0..window-1; word 3 of the first block is the tie. */
static void oracle_draw(const oracle *o, oracle_sample *sample, uint32_t window) {
    uint32_t word = 0;
    sample->tie = oracle_word(o, ORACLE_SHUFFLE, sample->id, sample->piece, 3);
    sample->cell = oracle_below(o, ORACLE_SHUFFLE, sample->id, sample->piece, window, &word, 3);
}

/* The random words of augment.change, for a stage of a test that serves the loader and the oracle: the
   loader hands it a generator, the oracle NULL. */
static struct {
    const oracle *o;
    int64_t id;
    uint32_t piece, word;
} oracle_user;

TEST_MAYBE_UNUSED static uint32_t user_word(biost_random *random) {
    return random != NULL ? biost_random_next(random)
                          : oracle_word(oracle_user.o, ORACLE_USER, oracle_user.id, oracle_user.piece,
                                        oracle_user.word++);
}

TEST_MAYBE_UNUSED static uint32_t user_below(biost_random *random, uint32_t bound) {
    return random != NULL ? biost_random_below(random, bound)
                          : oracle_below(oracle_user.o, ORACLE_USER, oracle_user.id, oracle_user.piece, bound,
                                         &oracle_user.word, UINT32_MAX);
}

/* ---- records into samples ---- */

/* round(10^(-q/10) 2^31): q times a factor of 10^(-1/10). */
static uint64_t oracle_error(unsigned score) {
    long double value = 2147483648.0L;
    for (; score > 0; --score) {
        value *= 0.79432823472428150207L;
    }
    return (uint64_t)(value + 0.5L);
}

static int oracle_is_one_of(uint8_t byte, const char *letters) {
    return byte != 0 && strchr(letters, byte) != NULL;
}

/* Where the first word of a title starts. */
static size_t oracle_name(const uint8_t *title, size_t title_bytes, size_t *out_bytes) {
    size_t start = 0, end;
    while (start < title_bytes && oracle_is_one_of(title[start], " \t")) {
        ++start;
    }
    for (end = start; end < title_bytes && !oracle_is_one_of(title[end], " \t");) {
        ++end;
    }
    *out_bytes = end - start;
    return start;
}

/* The record as filters and labels see it. */
static void oracle_record_of(const oracle *o, const oracle_read *read, biost_record *record,
                             biost_stats *stats) {
    static uint64_t errors[94];
    const uint8_t *seq = o->pool.data + read->seq_at, *qual = o->quals.data + read->seq_at;
    size_t i;
    for (i = 0; errors[0] == 0 && i < 94; ++i) {
        errors[93 - i] = oracle_error((unsigned)(93 - i));
    }
    memset(stats, 0, sizeof *stats);
    memset(record, 0, sizeof *record);
    record->title = (const char *)o->titles.data + read->title_at;
    record->title_bytes = read->title_bytes;
    i = oracle_name((const uint8_t *)record->title, record->title_bytes, &record->name_bytes);
    record->name = record->title + i;
    i += record->name_bytes + (i + record->name_bytes < record->title_bytes);
    record->comment = record->title + i;
    record->comment_bytes = record->title_bytes - i;
    record->seq = (const char *)seq;
    record->qual = read->has_qual ? (const char *)qual : NULL;
    record->seq_bases = read->bases;
    record->id = (uint64_t)read->id & (((uint64_t)1 << 40) - 1);
    record->line = read->line;
    record->text_offset = read->text_offset;
    record->stats = stats;
    for (i = 0; i < read->bases; ++i) {
        stats->acgt_count += (uint64_t)oracle_is_one_of(seq[i], "ACGTacgt");
        stats->gc_count += (uint64_t)oracle_is_one_of(seq[i], "GCgc");
        stats->n_count += (uint64_t)oracle_is_one_of(seq[i], "Nn");
        if (read->has_qual) {
            uint32_t score = qual[i] - 33u;
            stats->qual_sum += score;
            stats->error_sum += errors[score];
            stats->qual_min = i == 0 || score < stats->qual_min ? score : stats->qual_min;
            stats->qual_max = score > stats->qual_max ? score : stats->qual_max;
        }
    }
}

/* The filters that look at the record's place only: the first that drops it, or BIOST_DROP_COUNT. */
static biost_drop_reason oracle_drop_place(const oracle *o, int64_t id) {
    const biost_filter *filter = &o->desc.filter;
    uint64_t below = filter->subsample_below > 0 ? oracle_threshold(filter->subsample_below)
                                                 : (uint64_t)1 << 32,
             hash;
    if (filter->first_records > 0 && o->records >= filter->first_records) {
        return BIOST_DROP_FIRST_RECORDS;
    }
    if (filter->every_record > 1 && o->records % filter->every_record != 0) {
        return BIOST_DROP_EVERY_RECORD;
    }
    hash = oracle_word(o, ORACLE_KEEP, id, 0, 0);
    return hash < oracle_threshold(filter->subsample_from) || hash >= below ? BIOST_DROP_SUBSAMPLE
                                                                            : BIOST_DROP_COUNT;
}

/* Whether so many N are too many. */
static int oracle_drops_n(const biost_filter *filter, uint64_t n_count, uint64_t bases) {
    return (filter->forbid_n && n_count > 0) ||
           (filter->max_n_fraction > 0 &&
            n_count * 1000000 > (uint64_t)((double)filter->max_n_fraction * 1000000 + 0.5) * bases);
}

/* The name in a record's title, as bytes of its own. */
static bytes oracle_name_of(const oracle *o, const oracle_read *read) {
    const uint8_t *title = o->titles.data + read->title_at;
    size_t count, start = oracle_name(title, read->title_bytes, &count);
    bytes name = {NULL, 0, 0};
    bytes_words(&name, "");
    bytes_add(&name, title + start, count);
    return name;
}

/* Whether the part of the split holds this key. */
static int oracle_takes(const biost_split *split, const bytes *key) {
    uint64_t upper = oracle_xxh64(key, split->salt) >> 32;
    return upper >= oracle_threshold(split->from) &&
           upper < (split->below > 0 ? oracle_threshold(split->below) : (uint64_t)1 << 32);
}

/* The field of a name, in its place. Returns 0 where there is none. */
static int oracle_field(bytes *name, const biost_split *split) {
    char separator = split->separator != 0 ? split->separator : ':';
    uint32_t field = 1;
    size_t at, out = 0;
    for (at = 0; at < name->count; ++at) {
        if (name->data[at] == (uint8_t)separator) {
            ++field;
        } else if (field == split->field) {
            name->data[out++] = name->data[at];
        }
    }
    name->count = out;
    return field >= split->field;
}

/* Whether a record is in the part: 1, 0, or -1 where its name lacks the field. */
static int oracle_split_takes(const oracle *o, const oracle_read *read) {
    const biost_split *split = &o->desc.split;
    const char *marks = split->strip[0] != 0 ? split->strip : read->has_qual ? "/._:" : "/";
    bytes key;
    int takes = 1;
    if (split->by == BIOST_SPLIT_NONE || split->by == BIOST_SPLIT_BLOCK) {
        return 1;
    }
    key = oracle_name_of(o, read);
    if (split->by != BIOST_SPLIT_SEQUENCE && key.count > 1) {
        const char *digit = strchr("1234", key.data[key.count - 1]);
        uint8_t before = key.data[key.count - 2];
        if (digit != NULL && before != 0 && strchr(marks, before) != NULL) {
            key.count -= 2;
        }
    }
    if (split->by == BIOST_SPLIT_FIELD && !oracle_field(&key, split)) {
        takes = -1;
    }
    takes = takes > 0 ? oracle_takes(split, &key) : takes;
    bytes_free(&key);
    return takes;
}

/* Whether the filters of pieces leave a sample out, which is then counted. */
static int oracle_drops_piece(oracle *o, const oracle_read *read, size_t start_base, size_t bases) {
    const biost_split *split = &o->desc.split;
    uint64_t n_count = 0;
    size_t i;
    if (split->by == BIOST_SPLIT_BLOCK) {
        uint64_t block = start_base / split->block_bases;
        bytes key = oracle_name_of(o, read);
        int takes;
        bytes_number(&key, 0, 1);
        bytes_number(&key, block, 8);
        takes = oracle_takes(split, &key);
        bytes_free(&key);
        if (bases > 0 && (start_base + bases - 1) / split->block_bases != block) {
            ++o->border;
            return 1;
        }
        if (!takes) {
            ++o->dropped[BIOST_DROP_SPLIT];
            ++o->filtered;
            return 1;
        }
    }
    for (i = 0; i < bases; ++i) {
        uint8_t base = o->pool.data[read->seq_at + start_base + i];
        n_count += base == 'N' || base == 'n';
    }
    if (o->desc.long_records == BIOST_LONG_SPLIT && oracle_drops_n(&o->desc.filter, n_count, bases)) {
        ++o->dropped[BIOST_DROP_N];
        ++o->filtered;
        return 1;
    }
    return 0;
}

/* Those that look at the whole of it. */
static biost_drop_reason oracle_drop_whole(oracle *o, oracle_read *read) {
    const biost_filter *filter = &o->desc.filter;
    biost_record record;
    biost_stats stats;
    uint64_t n = read->bases;
    oracle_record_of(o, read, &record, &stats);
    if (n < filter->min_length || (filter->max_length != 0 && n > filter->max_length)) {
        return BIOST_DROP_LENGTH;
    }
    if (oracle_split_takes(o, read) == 0) {
        return BIOST_DROP_SPLIT;
    }
    if (filter->min_mean_quality > 0 &&
        (n == 0 || 1000 * stats.qual_sum < (uint64_t)((double)filter->min_mean_quality * 1000 + 0.5) * n)) {
        return BIOST_DROP_MEAN_QUALITY;
    }
    if (filter->max_error_rate > 0 &&
        (n == 0 || stats.error_sum > (uint64_t)((double)filter->max_error_rate * 2147483648.0 + 0.5) * n)) {
        return BIOST_DROP_ERROR_RATE;
    }
    if (filter->min_base_quality > 0 && (n == 0 || stats.qual_min < filter->min_base_quality)) {
        return BIOST_DROP_BASE_QUALITY;
    }
    if (o->desc.long_records != BIOST_LONG_SPLIT && oracle_drops_n(filter, stats.n_count, n)) {
        return BIOST_DROP_N;
    }
    if (filter->keep != NULL && !filter->keep(&record, read->id, filter->user_data)) {
        return BIOST_DROP_USER;
    }
    if (o->desc.labels.make != NULL &&
        !o->desc.labels.make(&record, read->id, o->labels.data + read->label_at, o->desc.labels.user_data)) {
        return BIOST_DROP_LABEL;
    }
    return BIOST_DROP_COUNT;
}

static uint32_t oracle_most_bases(const biost_loader_desc *desc) {
    return desc->row_bases > 0 ? desc->row_bases : desc->max_row_bases > 0 ? desc->max_row_bases : 1024;
}

static void oracle_add(oracle *o, size_t read, uint32_t piece, size_t start_base, size_t bases) {
    oracle_sample *sample;
    if (oracle_drops_piece(o, &o->reads[read], start_base, bases)) {
        return;
    }
    o->samples = (oracle_sample *)oracle_grow(o->samples, o->sample_count, &o->sample_capacity,
                                              sizeof(oracle_sample));
    sample = &o->samples[o->sample_count];
    memset(sample, 0, sizeof *sample);
    sample->id = o->reads[read].id;
    sample->piece = piece;
    sample->start_base = (int64_t)start_base;
    sample->bases = (uint32_t)bases;
    sample->read = read;
    sample->flags = o->desc.long_records != BIOST_LONG_SPLIT && bases < o->reads[read].bases
                        ? (uint32_t)BIOST_ROW_TRUNCATED
                        : 0;
    sample->number = o->sample_count++;
}

/* Pieces that end at `bases` at the latest; the last one of a whole record may be shorter. */
static void oracle_split(oracle *o, size_t read, size_t bases, int whole) {
    uint32_t most = o->desc.row_bases, piece = 0;
    size_t stride = o->desc.split_stride > 0 ? o->desc.split_stride : most, start;
    for (start = 0; start + most <= bases; start += stride) {
        oracle_add(o, read, piece++, start, most);
        if (whole && start + most == bases) {
            return; /* all bases are in a piece */
        }
    }
    if (whole) {
        oracle_add(o, read, piece, start, bases - start);
    }
}

/* A record that passed: its pieces. Returns 0 where it ends the samples. */
static int oracle_cut_record(oracle *o, size_t read) {
    const biost_loader_desc *desc = &o->desc;
    int64_t id = o->reads[read].id;
    size_t bases = o->reads[read].bases;
    uint32_t most = desc->augment.crop_bases > 0 ? desc->augment.crop_bases : oracle_most_bases(desc),
             word = 0;
    if (desc->long_records == BIOST_LONG_SPLIT) {
        oracle_split(o, read, bases, 1);
    } else if (bases <= most) {
        oracle_add(o, read, 0, 0, bases);
    } else if (desc->augment.crop_bases > 0 || desc->long_records == BIOST_LONG_CROP) {
        uint32_t start = oracle_below(o, ORACLE_CROP, id, 0, (uint32_t)bases - most + 1, &word, UINT32_MAX);
        oracle_add(o, read, 0, start, most);
    } else if (desc->long_records != BIOST_LONG_FAIL) {
        oracle_add(o, read, 0,
                   desc->long_records == BIOST_LONG_HEAD   ? 0
                   : desc->long_records == BIOST_LONG_TAIL ? bases - most
                                                           : (bases - most) / 2,
                   most);
    } else {
        o->too_long = 1;
        o->failed = 1;
        o->too_long_record = (uint64_t)id & (((uint64_t)1 << 40) - 1);
        o->too_long_path = (uint64_t)id >> 40;
        return 0;
    }
    return 1;
}

static uint32_t oracle_dtype_bytes(biost_dtype dtype) {
    static const uint32_t sizes[] = {1, 2, 4, 2, 4, 8};
    return sizes[dtype];
}

static uint32_t oracle_label_bytes(const oracle *o) {
    const biost_labels *labels = &o->desc.labels;
    return labels->make == NULL ? 0
                                : (labels->width > 0 ? labels->width : 1) * oracle_dtype_bytes(labels->dtype);
}

/* Whether a filter, or a label, needs the whole of a record. */
static int oracle_needs_whole(const biost_loader_desc *desc) {
    const biost_filter *filter = &desc->filter;
    return filter->min_length > 0 || filter->max_length > 0 || filter->min_mean_quality > 0 ||
           filter->max_error_rate > 0 || filter->min_base_quality > 0 || filter->keep != NULL ||
           desc->labels.make != NULL;
}

/* A record of the text: filter it, cut it. Returns 0 where it ends the samples. */
static int oracle_record(oracle *o, size_t number, int partial) {
    oracle_read *read = &o->reads[number];
    biost_drop_reason drop = oracle_drop_place(o, read->id);
    const biost_filter *filter = &o->desc.filter;
    int of_length = read->bases < filter->min_length ||
                    (filter->max_length != 0 && read->bases > filter->max_length);
    uint32_t i;
    if (partial) {
        if (o->desc.long_records == BIOST_LONG_SPLIT && drop == BIOST_DROP_COUNT &&
            !oracle_needs_whole(&o->desc) && oracle_split_takes(o, read) > 0) {
            oracle_split(o, number, read->bases, 0);
        }
        return 0;
    }
    if (drop == BIOST_DROP_COUNT && !of_length && oracle_split_takes(o, read) < 0) {
        o->no_field = 1;
        o->failed = 1;
        return 0;
    }
    read->label_at = o->labels.count;
    for (i = 0; i < oracle_label_bytes(o); ++i) {
        bytes_byte(&o->labels, 0);
    }
    drop = drop == BIOST_DROP_COUNT ? oracle_drop_whole(o, read) : drop;
    ++o->records;
    if (drop != BIOST_DROP_COUNT) {
        ++o->filtered;
        ++o->dropped[drop];
        return 1;
    }
    return oracle_cut_record(o, number);
}

/* One line of a text: its content without line end; returns the next line's place. */
static size_t oracle_line(const bytes *text, size_t at, size_t *out_count) {
    size_t end = at;
    while (end < text->count && text->data[end] != '\n') {
        ++end;
    }
    *out_count = end - at - (end > at && text->data[end - 1] == '\r');
    return end < text->count ? end + 1 : end;
}

/* The sequence and quality of a record whose title line ends before `at`. Returns the place after it. */
static size_t oracle_bases(oracle *o, const bytes *text, size_t at, int has_qual, size_t *out_bases) {
    size_t count, next;
    *out_bases = 0;
    if (has_qual) {
        next = oracle_line(text, at, out_bases);
        bytes_add(&o->pool, text->data + at, *out_bases);
        at = oracle_line(text, next, &count);
        next = oracle_line(text, at, &count);
        CHECK_EQ_U64(count, *out_bases);
        bytes_add(&o->quals, text->data + at, count);
        return next;
    }
    while (at < text->count && text->data[at] != '>' && text->data[at] != '!') {
        next = oracle_line(text, at, &count);
        bytes_add(&o->pool, text->data + at, count);
        bytes_add(&o->quals, text->data + at, count); /* means nothing */
        *out_bases += count;
        at = next;
    }
    return at;
}

/* The records of one text: four lines each, or a title line and lines up to the next '>'. A line that
   starts with '!' stands for a bad record that was left out. */
static int oracle_text(oracle *o, const bytes *text, uint32_t path, int partial) {
    size_t at = 0, count, i, counted_to = 0;
    int64_t id = (int64_t)path << 40;
    uint64_t line = 1;
    int goes_on = 1;
    for (; at < text->count && goes_on; ++id) {
        int has_qual = text->data[at] == '@';
        oracle_read *read;
        for (i = counted_to; i < at; ++i) {
            line += text->data[i] == '\n';
        }
        counted_to = at;
        if (text->data[at] == '!') {
            at = oracle_line(text, at, &count);
            ++o->skipped;
            continue;
        }
        o->reads = (oracle_read *)oracle_grow(o->reads, o->read_count, &o->read_capacity,
                                              sizeof(oracle_read));
        read = &o->reads[o->read_count++];
        memset(read, 0, sizeof *read);
        read->id = id;
        read->has_qual = has_qual;
        read->line = line;
        read->text_offset = at;
        read->title_at = o->titles.count;
        read->seq_at = o->pool.count;
        i = at + 1;
        at = oracle_line(text, at, &count);
        read->title_bytes = count - 1;
        bytes_add(&o->titles, text->data + i, count - 1);
        at = oracle_bases(o, text, at, has_qual, &read->bases);
        goes_on = oracle_record(o, o->read_count - 1, partial && at == text->count);
    }
    return goes_on;
}

static int oracle_before(const void *a, const void *b) {
    const oracle_sample *x = (const oracle_sample *)a, *y = (const oracle_sample *)b;
    if (x->tie != y->tie) {
        return x->tie < y->tie ? -1 : 1;
    }
    return x->number < y->number ? -1 : 1;
}

/* The shuffle buffer: each sample after the first `window` puts out what its cell holds and takes it. */
static void oracle_shuffle(oracle *o, uint32_t window) {
    size_t n = o->sample_count, at, out = 0, held = n < window ? n : window;
    oracle_sample *cells = (oracle_sample *)calloc(held + 1, sizeof(oracle_sample));
    if (cells == NULL) {
        exit(1);
    }
    for (at = 0; at < n; ++at) {
        oracle_sample sample = o->samples[at];
        oracle_draw(o, &sample, window);
        if (at < window) {
            cells[at] = sample;
        } else {
            o->samples[out++] = cells[sample.cell]; /* out <= at - window: a place already read */
            cells[sample.cell] = sample;
        }
    }
    qsort(cells, held, sizeof(oracle_sample), oracle_before);
    for (at = 0; at < held; ++at) {
        o->samples[out++] = cells[at];
    }
    free(cells);
}

/* ---- changes of a row ---- */

#define ORACLE_ROW 65536u

/* A row on its way: two halves of a buffer. */
typedef struct oracle_row_text {
    uint8_t seq[ORACLE_ROW], qual[ORACLE_ROW];
    uint32_t bases;
} oracle_row_text;

static void oracle_reverse(oracle_row_text *row) {
    static const char from[] = "ACGTURYKMBVDHacgturykmbvdh", to[] = "TGCAAYRMKVBHDtgcaayrmkvbhd";
    static oracle_row_text turned;
    uint32_t i, k;
    for (i = 0; i < row->bases; ++i) {
        turned.seq[i] = row->seq[row->bases - 1 - i];
        turned.qual[i] = row->qual[row->bases - 1 - i];
        for (k = 0; from[k] != '\0'; ++k) {
            if (turned.seq[i] == (uint8_t)from[k]) {
                turned.seq[i] = (uint8_t)to[k];
                break;
            }
        }
    }
    memcpy(row->seq, turned.seq, row->bases);
    memcpy(row->qual, turned.qual, row->bases);
}

static int oracle_code(uint8_t base) {
    static const char codes[] = "ACGTacgt";
    const char *found = base == 0 ? NULL : strchr(codes, base);
    return base == 'U' || base == 'u' ? 3 : found == NULL ? -1 : (int)((found - codes) % 4);
}

/* The place a stage's gap leads to from `at` on; *out_hit: there is a site. */
static uint64_t oracle_gap(const oracle *o, uint32_t stage, const oracle_sample *sample, uint64_t threshold,
                           uint64_t at, uint32_t *word, int *out_hit) {
    uint64_t survival = (uint64_t)1 << 32, u = oracle_word(o, stage, sample->id, sample->piece, (*word)++);
    uint32_t gap;
    for (gap = 0; gap < 256; ++gap) {
        survival = (survival * (((uint64_t)1 << 32) - threshold)) >> 32; /* S[gap + 1] */
        if (u >= survival) {
            break;
        }
    }
    *out_hit = gap < 256;
    return at + gap;
}

/* Another of A C G T, case kept, at the sites of SUBSTITUTE; N there, case kept, at those of INJECT_N. */
static void oracle_sites(const oracle *o, uint32_t stage, const oracle_sample *sample, uint64_t threshold,
                         oracle_row_text *row) {
    uint64_t at = 0;
    uint32_t word = 0;
    int hit;
    while (at < row->bases) {
        at = oracle_gap(o, stage, sample, threshold, at, &word, &hit);
        if (at < row->bases && hit) {
            uint8_t old = row->seq[at];
            if (stage == ORACLE_INJECT_N) {
                row->seq[at] = old >= 'a' && old <= 'z' ? 'n' : 'N';
            } else {
                uint32_t draw = oracle_word(o, stage, sample->id, sample->piece, word++);
                if (oracle_code(old) >= 0) {
                    row->seq[at] = (uint8_t)("ACGT"[((uint32_t)oracle_code(old) + 1 + draw % 3) % 4] |
                                             (old & 32));
                }
            }
            ++at;
        }
    }
}

static void oracle_change(const oracle *o, const oracle_sample *sample, uint32_t flags,
                          oracle_row_text *row) {
    biost_sample changing;
    memset(&changing, 0, sizeof changing);
    changing.seq = (char *)row->seq;
    changing.qual = o->reads[sample->read].has_qual ? (char *)row->qual : NULL;
    changing.bases = row->bases;
    changing.piece = sample->piece;
    changing.flags = flags;
    changing.id = sample->id;
    changing.start_base = sample->start_base;
    oracle_user.o = o;
    oracle_user.id = sample->id;
    oracle_user.piece = sample->piece;
    oracle_user.word = 0;
    o->desc.augment.change(&changing, NULL, o->desc.augment.user_data);
    row->bases = changing.bases < row->bases ? changing.bases : row->bases;
}

/* The row as it is encoded, and its flags. */
static uint32_t oracle_augment(const oracle *o, const oracle_sample *sample, oracle_row_text *row) {
    const biost_augment *augment = &o->desc.augment;
    size_t from = o->reads[sample->read].seq_at + (size_t)sample->start_base;
    uint32_t flags = sample->flags;
    row->bases = sample->bases;
    if (row->bases > 0) {
        memcpy(row->seq, o->pool.data + from, row->bases);
        memcpy(row->qual, o->quals.data + from, row->bases);
    }
    if (oracle_word(o, ORACLE_REVERSE, sample->id, sample->piece, 0) <
        oracle_threshold(augment->reverse_complement)) {
        oracle_reverse(row);
        flags |= (uint32_t)BIOST_ROW_REVERSED;
    }
    if (oracle_threshold(augment->substitute) > 0) {
        oracle_sites(o, ORACLE_SUBSTITUTE, sample, oracle_threshold(augment->substitute), row);
    }
    if (oracle_threshold(augment->inject_n) > 0) {
        oracle_sites(o, ORACLE_INJECT_N, sample, oracle_threshold(augment->inject_n), row);
    }
    if (augment->change != NULL) {
        oracle_change(o, sample, flags, row);
    }
    return flags;
}

/* ---- numbers of a row ---- */

/* Bits of a number in a float of so many bits of exponent and mantissa, rounded to the nearest, ties to
   even. Below the format's normal range the lowest exponent stays and the 1 before the mantissa goes. */
static uint32_t oracle_small_float(double value, int exponent_bits, int mantissa_bits) {
    double part = value < 0 ? -value : value, scaled;
    int exponent = (1 << (exponent_bits - 1)) - 1;
    uint32_t mantissa;
    if (part == 0) {
        return 0;
    }
    for (; part >= 2; part /= 2) {
        ++exponent;
    }
    for (; part < 1 && exponent > 1; part *= 2) {
        --exponent;
    }
    exponent -= part < 1;
    scaled = (part < 1 ? part : part - 1) * (1 << mantissa_bits);
    mantissa = (uint32_t)scaled;
    scaled -= mantissa;
    mantissa += scaled > 0.5 || (scaled == 0.5 && mantissa % 2 == 1);
    return (value < 0 ? 1u << (exponent_bits + mantissa_bits) : 0) +
           (((uint32_t)exponent << mantissa_bits) + mantissa);
}

static uint64_t oracle_bits(biost_dtype dtype, double value) {
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    return dtype == BIOST_DTYPE_F32    ? bits
           : dtype == BIOST_DTYPE_F16  ? oracle_small_float(value, 5, 10)
           : dtype == BIOST_DTYPE_BF16 ? oracle_small_float(value, 8, 7)
                                       : (uint64_t)(int64_t)value;
}

/* One element in the machine's byte order, and for the digest as little-endian bits. */
static void oracle_element(biost_dtype dtype, double value, bytes *tensor, bytes *hashed) {
    uint64_t bits = oracle_bits(dtype, value);
    uint32_t bits32 = (uint32_t)bits;
    uint16_t bits16 = (uint16_t)bits;
    uint8_t bits8 = (uint8_t)bits;
    uint32_t count = oracle_dtype_bytes(dtype);
    bytes_add(tensor,
              count == 1   ? (const void *)&bits8
              : count == 2 ? (const void *)&bits16
              : count == 4 ? (const void *)&bits32
                           : (const void *)&bits,
              count);
    bytes_number(hashed, bits, count);
}

static const char *oracle_channels(const oracle *o) {
    return o->desc.encoding.channels != NULL ? o->desc.encoding.channels : "ACGT";
}

/* The bases an IUPAC code of several stands for, or NULL. */
static const char *oracle_code_bases(const oracle *o, uint8_t letter) {
    static const char codes[] = "RYSWKMBDHVN";
    static const char *const of_code[] = {"AG",  "CT",  "CG",  "AT",  "GT",  "AC",
                                          "CGT", "AGT", "ACT", "ACG", "ACGT"};
    const char *found = letter == 0 ? NULL : strchr(codes, letter);
    biost_ambiguous_mode ambiguous = o->desc.encoding.ambiguous;
    if (found == NULL || ambiguous == BIOST_AMBIGUOUS_ZERO ||
        (ambiguous == BIOST_AMBIGUOUS_N && letter != 'N')) {
        return NULL;
    }
    return of_code[found - codes];
}

/* What channel `channel` holds for a byte of a sequence. */
static double oracle_channel(const oracle *o, uint8_t base, uint32_t channel) {
    const char *channels = oracle_channels(o), *of_code;
    int lower = base >= 'a' && base <= 'z';
    int one_of_tu = (strchr(channels, 'T') != NULL) != (strchr(channels, 'U') != NULL);
    uint8_t letter = lower ? (uint8_t)(base - 32) : base, named;
    if (channel == strlen(channels)) {
        return lower;
    }
    named = (uint8_t)channels[channel];
    if (lower && o->desc.encoding.lower_case == BIOST_LOWER_CASE_N) {
        letter = 'N';
    }
    if (letter == named || (one_of_tu && oracle_is_one_of(letter, "TU") && oracle_is_one_of(named, "TU"))) {
        return 1;
    }
    of_code = oracle_code_bases(o, letter);
    if (of_code == NULL || strchr(of_code, named == 'U' ? 'T' : named) == NULL) {
        return 0;
    }
    return strlen(of_code) == 3 && o->desc.encoding.ambiguous == BIOST_AMBIGUOUS_HELIXER
               ? 0.33
               : 1.0 / (double)strlen(of_code);
}

/* Those of the bases. */
static uint32_t oracle_base_channels(const oracle *o) {
    return o->desc.encoding.kind == BIOST_ENCODE_TOKENS
               ? 1
               : (uint32_t)strlen(oracle_channels(o)) +
                     (o->desc.encoding.lower_case == BIOST_LOWER_CASE_CHANNEL);
}

static uint32_t oracle_channel_count(const oracle *o) {
    return oracle_base_channels(o) + (o->desc.quality.in_x != 0) + (o->desc.mask_in_x != 0);
}

/* Element of channel `channel` for a base, or for padding, base -1. */
static double oracle_number(const oracle *o, int base, uint32_t channel) {
    if (base < 0) {
        return o->desc.encoding.pad_value;
    }
    if (o->desc.encoding.kind == BIOST_ENCODE_TOKENS) {
        return o->desc.encoding.tokens != NULL  ? o->desc.encoding.tokens[base]
               : oracle_code((uint8_t)base) < 0 ? 5
                                                : oracle_code((uint8_t)base) + 1;
    }
    return oracle_channel(o, (uint8_t)base, channel);
}

/* The base in column `column` of a row, or -1. */
static int64_t oracle_at(const oracle *o, uint32_t column, uint32_t bases, uint32_t columns) {
    int64_t at = o->desc.encoding.pad_side == BIOST_PAD_LEFT ? (int64_t)column - (columns - bases) : column;
    return at >= 0 && at < bases ? at : -1;
}

static double oracle_quality(const oracle *o, uint8_t character) {
    static double errors[94];
    int score = character < 33 ? 0 : character > 126 ? 93 : character - 33, q;
    for (q = 0; errors[0] == 0 && q < 94; ++q) {
        long double value = 1;
        int k;
        for (k = 0; k < 93 - q; ++k) {
            value *= 0.79432823472428150207L;
        }
        errors[93 - q] = (double)value;
    }
    return o->desc.quality.kind == BIOST_QUALITY_ERROR ? errors[score] : score;
}

static void oracle_row_x(const oracle *o, const oracle_row_text *row, oracle_batch *batch, bytes *hashed) {
    uint32_t channels = oracle_channel_count(o), columns = batch->columns, i;
    int is_ncl = o->desc.encoding.layout == BIOST_LAYOUT_NCL;
    for (i = 0; i < columns * channels; ++i) {
        uint32_t column = is_ncl ? i % columns : i / channels, channel = is_ncl ? i / columns : i % channels;
        int64_t at = oracle_at(o, column, row->bases, columns);
        double value;
        if (channel < oracle_base_channels(o)) {
            value = oracle_number(o, at < 0 ? -1 : row->seq[at], channel);
        } else if (at < 0) {
            value = 0;
        } else if (channel == oracle_base_channels(o) && o->desc.quality.in_x) {
            value = oracle_quality(o, row->qual[at]);
        } else {
            value = 1;
        }
        oracle_element(o->desc.encoding.dtype, value, &batch->x, hashed);
    }
}

/* Quality, mask and label of a row; `read` NULL: of a padding row. */
static void oracle_row_others(const oracle *o, const oracle_row_text *row, const oracle_read *read,
                              oracle_batch *batch, bytes *hashed) {
    uint32_t i, columns = batch->columns, element = oracle_dtype_bytes(o->desc.labels.dtype);
    for (i = 0; i < columns && o->desc.quality.kind != BIOST_QUALITY_NONE && !o->desc.quality.in_x; ++i) {
        int64_t at = oracle_at(o, i, row->bases, columns);
        oracle_element(o->desc.quality.dtype, at < 0 ? 0 : oracle_quality(o, row->qual[at]), &batch->quality,
                       hashed);
    }
    for (i = 0; i < columns && o->desc.mask && !o->desc.mask_in_x; ++i) {
        oracle_element(o->desc.mask_dtype, oracle_at(o, i, row->bases, columns) >= 0, &batch->mask, hashed);
    }
    for (i = 0; i < oracle_label_bytes(o); i += element) {
        const uint8_t *label = read != NULL ? o->labels.data + read->label_at + i
                                            : (const uint8_t *)"\0\0\0\0\0\0\0";
        uint64_t bits = 0;
        uint32_t bits32;
        uint16_t bits16;
        if (element == 8) {
            memcpy(&bits, label, 8);
        } else if (element == 4) {
            memcpy(&bits32, label, 4);
            bits = bits32;
        } else if (element == 2) {
            memcpy(&bits16, label, 2);
            bits = bits16;
        } else {
            bits = *label;
        }
        bytes_add(&batch->labels, label, element);
        bytes_number(hashed, bits, element);
    }
}

/* A row's name; returns NAME_CUT where it is. */
static uint32_t oracle_row_name(const oracle *o, const oracle_read *read, oracle_batch *batch) {
    uint32_t most = o->desc.name_bytes > 0 ? o->desc.name_bytes : 128;
    const uint8_t *title = o->titles.data + read->title_at;
    size_t count, start = oracle_name(title, read->title_bytes, &count);
    bytes_add(&batch->names, title + start, count < most ? count : most);
    bytes_byte(&batch->names, 0);
    return count > most ? (uint32_t)BIOST_ROW_NAME_CUT : 0;
}

/* One row into the batch. */
static void oracle_row(const oracle *o, oracle_batch *batch, uint64_t batch_index, uint64_t global_row,
                       const oracle_sample *sample) {
    static oracle_row_text row;
    bytes hashed = {NULL, 0, 0}, place = {NULL, 0, 0};
    const oracle_read *read = &o->reads[sample->read];
    biost_row origin;
    int32_t length;
    memset(&origin, 0, sizeof origin);
    origin.id = sample->id;
    origin.start_base = sample->start_base;
    origin.piece = sample->piece;
    origin.flags = oracle_augment(o, sample, &row);
    origin.strand = (origin.flags & (uint32_t)BIOST_ROW_REVERSED) != 0;
    length = (int32_t)row.bases;
    if (o->desc.names) {
        origin.flags |= oracle_row_name(o, read, batch);
    }
    oracle_row_x(o, &row, batch, &hashed);
    oracle_row_others(o, &row, read, batch, &hashed);
    bytes_add(&batch->lengths, &length, sizeof length);
    bytes_add(&batch->origins, &origin, sizeof origin);
    bytes_number(&hashed, (uint64_t)length, 4);
    bytes_number(&hashed, (uint64_t)sample->id, 8);
    bytes_number(&hashed, sample->piece, 4);
    bytes_number(&hashed, (uint64_t)sample->start_base, 8);
    bytes_number(&place, o->epoch, 8);
    bytes_number(&place, batch_index, 8);
    bytes_number(&place, global_row, 8);
    batch->digest += oracle_xxh64(&hashed, oracle_xxh64(&place, 0));
    bytes_free(&hashed);
    bytes_free(&place);
}

static void oracle_padding_row(const oracle *o, oracle_batch *batch) {
    static oracle_row_text row; /* of no bases */
    bytes hashed = {NULL, 0, 0};
    biost_row origin;
    int32_t length = 0;
    memset(&origin, 0, sizeof origin);
    origin.id = -1;
    oracle_row_x(o, &row, batch, &hashed);
    oracle_row_others(o, &row, NULL, batch, &hashed);
    bytes_byte(&batch->names, 0);
    bytes_add(&batch->lengths, &length, sizeof length);
    bytes_add(&batch->origins, &origin, sizeof origin);
    bytes_free(&hashed);
}

/* Columns of a row, where the longest of the global batch has so many bases. */
static uint32_t oracle_columns(const biost_loader_desc *desc, uint32_t longest) {
    uint32_t bases = desc->row_bases > 0 ? desc->row_bases : longest;
    uint32_t multiple = desc->pad_multiple > 0 ? desc->pad_multiple : desc->row_bases > 0 ? 1 : 8;
    return (bases + multiple - 1) / multiple * multiple;
}

/* Global batch `index` of `m` samples from `first` on: this rank's slice of it. */
static void oracle_cut(oracle *o, size_t index, size_t first, uint32_t m, uint32_t batch_rows) {
    oracle_batch *batch = &o->batches[index];
    uint32_t world = o->desc.world > 0 ? o->desc.world : 1, rank_rows = batch_rows / world, longest = 0, row;
    uint32_t from = (uint32_t)((uint64_t)o->desc.rank * m / world),
             to = (uint32_t)((uint64_t)(o->desc.rank + 1) * m / world);
    int last = first + m == o->sample_count;
    memset(batch, 0, sizeof *batch);
    for (row = 0; row < m; ++row) {
        longest = o->samples[first + row].bases > longest ? o->samples[first + row].bases : longest;
    }
    batch->columns = oracle_columns(&o->desc, longest);
    batch->valid_rows = to - from;
    batch->rows = m < batch_rows && o->desc.tail == BIOST_TAIL_SHORT ? to - from : rank_rows;
    batch->flags = last ? (uint32_t)BIOST_BATCH_LAST | (o->failed ? (uint32_t)BIOST_BATCH_BEFORE_ERROR : 0u)
                        : 0;
    batch->flags |= batch->rows < rank_rows ? (uint32_t)BIOST_BATCH_SHORT : 0;
    for (row = from; row < to; ++row) {
        oracle_row(o, batch, index, row, &o->samples[first + row]);
    }
    for (row = to - from; row < batch->rows; ++row) {
        oracle_padding_row(o, batch);
    }
    o->digest += batch->digest;
}

/* What a loader with `desc` over these texts delivers in `epoch`. The inputs named in the desc are not
   looked at; its callbacks are called, from here. */
TEST_MAYBE_UNUSED static void oracle_make(oracle *o, const biost_loader_desc *desc, const bytes *texts,
                                          uint32_t text_count, uint64_t epoch, oracle_end end) {
    uint32_t batch_rows = desc->batch_rows > 0 ? desc->batch_rows : 256, window, i;
    size_t n, at;
    int goes_on = 1;
    memset(o, 0, sizeof *o);
    o->desc = *desc;
    o->epoch = epoch;
    window = desc->shuffle_rows > 1 ? desc->shuffle_rows : 1;
    bytes_words(&o->pool, "");
    bytes_words(&o->quals, "");
    bytes_words(&o->titles, "");
    bytes_words(&o->labels, "");
    for (i = 0; i < text_count && goes_on; ++i) {
        goes_on = oracle_text(o, &texts[i], i, end == ORACLE_FAILS_PARTIAL && i + 1 == text_count);
    }
    o->failed |= end != ORACLE_ENDS_WELL;
    n = o->sample_count;
    o->no_row = n == 0 && !o->failed && o->filtered + o->border > 0 && !desc->allow_no_rows;
    o->failed |= o->no_row;
    oracle_shuffle(o, window);
    o->batches = (oracle_batch *)calloc(n / batch_rows + 1, sizeof(oracle_batch));
    if (o->batches == NULL) {
        exit(1);
    }
    for (at = 0; at < n; at += batch_rows) {
        uint32_t m = n - at < batch_rows ? (uint32_t)(n - at) : batch_rows;
        if (m < batch_rows && desc->tail == BIOST_TAIL_DROP && !o->failed) {
            o->dropped_rows = m;
        } else {
            oracle_cut(o, o->batch_count++, at, m, batch_rows);
        }
    }
}

TEST_MAYBE_UNUSED static void oracle_free(oracle *o) {
    size_t i;
    for (i = 0; i < o->batch_count; ++i) {
        bytes_free(&o->batches[i].lengths);
        bytes_free(&o->batches[i].origins);
        bytes_free(&o->batches[i].x);
        bytes_free(&o->batches[i].quality);
        bytes_free(&o->batches[i].mask);
        bytes_free(&o->batches[i].labels);
        bytes_free(&o->batches[i].names);
    }
    free(o->batches);
    free(o->samples);
    free(o->reads);
    bytes_free(&o->pool);
    bytes_free(&o->quals);
    bytes_free(&o->titles);
    bytes_free(&o->labels);
    memset(o, 0, sizeof *o);
}

/* ---- a loader against the oracle ---- */

/* A tensor of these dimensions, dense, of these elements. */
static void oracle_check_tensor(const biost_tensor *tensor, biost_role role, biost_dtype dtype,
                                const char *layout, const uint32_t shape[3], const bytes *want) {
    uint32_t ndim = (uint32_t)strlen(layout), i;
    int64_t stride = 1;
    CHECK(tensor->role == role && tensor->dtype == dtype && tensor->device == -1);
    CHECK(strncmp(tensor->layout, layout, sizeof tensor->layout) == 0); /* zeros after it, too */
    CHECK_EQ_U64(tensor->mate, 0);
    CHECK_EQ_U64(tensor->ndim, ndim);
    for (i = 4; i > 0; --i) {
        CHECK_EQ_I64(tensor->shape[i - 1], i > ndim ? 0 : shape[i - 1]);
        CHECK_EQ_I64(tensor->strides[i - 1], i > ndim ? 0 : stride);
        stride *= i > ndim ? 1 : shape[i - 1];
    }
    CHECK_EQ_U64((uintptr_t)tensor->data % 256, 0);
    if (CHECK_EQ_U64(tensor->bytes, want->count) && want->count > 0) {
        CHECK_MEM(tensor->data, want->data, want->count);
    }
}

static void oracle_check_x(const oracle *o, const oracle_batch *want, const biost_batch *batch) {
    const biost_encoding *encoding = &o->desc.encoding;
    int is_ncl = encoding->layout == BIOST_LAYOUT_NCL;
    uint32_t channels = oracle_channel_count(o), shape[3];
    shape[0] = want->rows;
    shape[1] = is_ncl ? channels : want->columns;
    shape[2] = is_ncl ? want->columns : channels;
    CHECK(memcmp(&batch->tensors[0], &batch->x, sizeof batch->x) == 0);
    oracle_check_tensor(&batch->x, BIOST_ROLE_INPUT, encoding->dtype,
                        encoding->kind == BIOST_ENCODE_TOKENS ? "NL"
                        : is_ncl                              ? "NCL"
                                                              : "NLC",
                        shape, &want->x);
}

static void oracle_check_tensors(const oracle *o, const oracle_batch *want, const biost_batch *batch) {
    const biost_loader_desc *desc = &o->desc;
    int quality = desc->quality.kind != BIOST_QUALITY_NONE && !desc->quality.in_x;
    int mask = desc->mask && !desc->mask_in_x, label = desc->labels.make != NULL;
    const biost_tensor *next = batch->tensors;
    uint32_t shape[3] = {0, 0, 0};
    if (!CHECK_EQ_U64(batch->tensor_count, 1 + quality + mask + label) || !CHECK(next != NULL)) {
        return;
    }
    oracle_check_x(o, want, batch);
    shape[0] = want->rows;
    shape[1] = want->columns;
    if (quality) {
        oracle_check_tensor(++next, BIOST_ROLE_QUALITY, desc->quality.dtype, "NL", shape, &want->quality);
    }
    if (mask) {
        oracle_check_tensor(++next, BIOST_ROLE_MASK, desc->mask_dtype, "NL", shape, &want->mask);
    }
    shape[1] = desc->labels.width;
    if (label) {
        oracle_check_tensor(++next, BIOST_ROLE_LABEL, desc->labels.dtype, shape[1] > 0 ? "NC" : "N", shape,
                            &want->labels);
    }
}

/*
 * The slab: lengths first, then the tensors in their order, each at the next multiple of 256 bytes (in a short
 * batch perhaps further), zeros between them, and the end of the last one is the end.
 */
static void oracle_check_slab(const biost_batch *batch) {
    const uint8_t *slab = (const uint8_t *)batch->slab;
    uint64_t end = (uint64_t)batch->rows * sizeof(int32_t), nonzero = 0;
    uint32_t i;
    CHECK(slab != NULL && (uintptr_t)slab % 256 == 0);
    CHECK((const void *)batch->lengths == batch->slab);
    for (i = 0; i < batch->tensor_count; ++i) {
        uint64_t at = (uint64_t)((uintptr_t)batch->tensors[i].data - (uintptr_t)slab);
        if (batch->flags & BIOST_BATCH_SHORT) {
            CHECK(at >= end && at % 256 == 0);
        } else {
            CHECK_EQ_U64(at, (end + 255) / 256 * 256);
        }
        for (; end < at; ++end) {
            nonzero += slab[end] != 0;
        }
        end = at + batch->tensors[i].bytes;
    }
    CHECK_EQ_U64(nonzero, 0);
    CHECK_EQ_U64(batch->slab_bytes, end);
}

static void oracle_check_names(const oracle *o, const oracle_batch *want, const biost_batch *batch) {
    const char *name = (const char *)want->names.data;
    uint32_t i;
    if (!o->desc.names) {
        CHECK(batch->names == NULL && batch->name_offsets == NULL);
        return;
    }
    for (i = 0; i < want->rows; ++i) {
        CHECK_STR(batch->names + batch->name_offsets[i], name);
        name += strlen(name) + 1;
    }
}

/* Batch `index` of the epoch, field by field. */
static void oracle_check(const oracle *o, size_t index, const biost_batch *batch) {
    const oracle_batch *want = &o->batches[index];
    CHECK_EQ_U64(batch->epoch, o->epoch);
    CHECK_EQ_U64(batch->index, index);
    CHECK_EQ_U64(batch->valid_rows, want->valid_rows);
    CHECK_EQ_U64(batch->flags, want->flags);
    if (!CHECK_EQ_U64(batch->rows, want->rows)) {
        return;
    }
    CHECK_EQ_U64(batch->samples, want->rows);
    CHECK_EQ_U64(batch->mates, 1);
    CHECK(batch->row_samples == NULL);
    oracle_check_tensors(o, want, batch);
    oracle_check_slab(batch);
    if (want->rows > 0) {
        CHECK_MEM(batch->lengths, want->lengths.data, want->lengths.count);
        CHECK_MEM(batch->origins, want->origins.data, want->origins.count);
        oracle_check_names(o, want, batch);
    }
    CHECK_EQ_U64(batch->digest, o->desc.digest ? want->digest : 0);
}

/* What is counted of an epoch, at its end. */
TEST_MAYBE_UNUSED static void oracle_check_progress(const oracle *o, biost_loader *loader) {
    biost_progress progress;
    uint32_t i;
    biost_loader_progress(loader, &progress);
    CHECK_EQ_U64(progress.sample_count, o->sample_count);
    CHECK_EQ_U64(progress.filtered_count, o->filtered);
    CHECK_EQ_U64(progress.border_count, o->border);
    for (i = 0; i < BIOST_DROP_COUNT; ++i) {
        CHECK_EQ_U64(progress.dropped[i], o->dropped[i]);
    }
    CHECK_EQ_U64(progress.tail_dropped_rows, o->dropped_rows);
    if (!o->failed) {
        CHECK_EQ_U64(progress.record_count, o->records);
        CHECK_EQ_U64(progress.skipped_count, o->skipped);
    }
}

/* The rest of the epoch under way, from batch `index` on, and how it ends. Returns the last result. */
TEST_MAYBE_UNUSED static biost_result oracle_drain(const oracle *o, biost_loader *loader, size_t index) {
    biost_batch batch;
    biost_result result;
    while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        if (!CHECK(index < o->batch_count)) {
            return result;
        }
        oracle_check(o, index++, &batch);
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK_EQ_U64(index, o->batch_count);
    CHECK(o->failed ? result < 0 : result == BIOST_END);
    if ((o->no_row || o->no_field) && CHECK(biost_loader_error(loader) != NULL)) {
        CHECK(biost_loader_error(loader)->fault ==
              (o->no_row ? BIOST_FAULT_NO_ROW : BIOST_FAULT_SPLIT_FIELD));
    }
    if (o->too_long && CHECK(biost_loader_error(loader) != NULL)) {
        CHECK(biost_loader_error(loader)->fault == BIOST_FAULT_ROW_TOO_LONG);
        CHECK_EQ_U64(biost_loader_error(loader)->record, o->too_long_record);
        CHECK_EQ_U64(biost_loader_error(loader)->path_index, o->too_long_path);
    }
    return result;
}

/* The loader's error, or one that says nothing where it should have one, so that a failed test goes
   on. */
TEST_MAYBE_UNUSED static const biost_error *error_of(const biost_loader *loader) {
    static const biost_error none = {BIOST_OK, BIOST_FAULT_NONE, 0, 0, 0, 0, 0, 0, ""};
    const biost_error *error = biost_loader_error(loader);
    CHECK(error != NULL);
    return error != NULL ? error : &none;
}

/* Open, or a failed check with the sentence. */
TEST_MAYBE_UNUSED static biost_loader *oracle_open(const biost_loader_desc *desc) {
    biost_loader *loader = NULL;
    biost_error error;
    if (!CHECK(biost_loader_open(desc, &loader, &error) == BIOST_OK)) {
        printf("    sentence: %s\n", error.text);
    }
    return loader;
}

/* Inputs of a desc from bytes in memory. `memories` must live as long as the loader. */
TEST_MAYBE_UNUSED static void oracle_inputs(biost_loader_desc *desc, biost_memory *memories,
                                            const bytes *inputs, uint32_t count) {
    uint32_t i;
    for (i = 0; i < count; ++i) {
        memories[i].data = inputs[i].data;
        memories[i].bytes = inputs[i].count;
        memories[i].name = i % 2 == 0 ? "even" : "odd";
    }
    desc->paths = NULL;
    desc->path_count = 0;
    desc->memories = memories;
    desc->memory_count = count;
}

/* ---- random cases ---- */

#define CASE_INPUTS 4u

/* Inputs, [data] fields and how it ends, drawn at random; small, so that many fit into a second. */
typedef struct random_case {
    biost_loader_desc desc;
    biost_memory memories[CASE_INPUTS];
    bytes inputs[CASE_INPUTS]; /* as the loader gets them, gzip perhaps                           */
    bytes texts[CASE_INPUTS];  /* as the oracle gets them: the good text                          */
    uint32_t input_count, text_count;
    oracle_end end;
} random_case;

/* [machine] fields that change nothing. */
TEST_MAYBE_UNUSED static void random_machine(biost_loader_desc *desc, uint64_t *random) {
    static const uint32_t workers[] = {1, 1, 1, 2, 3, 8}, slots[] = {1, 2, 3, 0},
                          pages[] = {16, 17, 64, 333, 4096, 0}, chunks[] = {1, 7, 100, 4096, 0},
                          counts[] = {2, 3, 0};
    desc->workers = RANDOM_OF(random, workers);
    desc->slots = RANDOM_OF(random, slots);
    desc->test.page_bytes = RANDOM_OF(random, pages);
    desc->test.chunk_bytes = RANDOM_OF(random, chunks);
    desc->test.page_count = RANDOM_OF(random, counts);
    desc->test.order_seed = random_below(random, 2) == 0 ? test_random(random) : 0;
}

/* ---- stages of the test's own ---- */

/* Numbers that tell records apart, of all that a filter or a label may look at. */
static uint64_t user_hash(const biost_record *record, int64_t id) {
    const biost_stats *s = record->stats;
    uint64_t hash = (uint64_t)id * 31 + record->seq_bases, i;
    CHECK(record->id == ((uint64_t)id & (((uint64_t)1 << 40) - 1)) &&
          (record->qual == NULL || s->qual_max >= s->qual_min));
    hash = hash * 31 + s->qual_sum + s->error_sum + s->acgt_count * 3 + s->gc_count * 5 + s->n_count * 7;
    hash = hash * 31 + s->qual_min + s->qual_max * 100;
    hash = hash * 31 + record->line + record->text_offset * 3;
    hash = hash * 31 + record->title_bytes + record->name_bytes * 3 + record->comment_bytes * 5;
    for (i = 0; i < record->seq_bases; ++i) {
        hash = hash * 31 + (uint8_t)record->seq[i] +
               (record->qual != NULL ? (uint8_t)record->qual[i] * 3u : 0u);
    }
    for (i = 0; i < record->title_bytes; ++i) {
        hash = hash * 31 + (uint8_t)record->title[i];
    }
    for (i = 0; i < record->comment_bytes; ++i) {
        hash = hash * 31 + (uint8_t)record->comment[i];
    }
    return hash ^ hash >> 29;
}

/* Keeps all but one record in `*user_data`; 1: none, 0: all. */
TEST_MAYBE_UNUSED static int user_keep(const biost_record *record, int64_t id, void *user_data) {
    uint32_t one_in = *(const uint32_t *)user_data;
    return one_in == 0 || user_hash(record, id) % one_in != 0;
}

/* The label's bytes are counted from a hash; where it ends in 63, the record is dropped. */
typedef struct user_labels {
    uint32_t bytes;
    int drops;
} user_labels;

TEST_MAYBE_UNUSED static int user_make(const biost_record *record, int64_t id, void *out_label,
                                       void *user_data) {
    const user_labels *labels = (const user_labels *)user_data;
    uint64_t hash = user_hash(record, id);
    uint32_t i;
    for (i = 0; i < labels->bytes; ++i) {
        CHECK_EQ_U64(((uint8_t *)out_label)[i], 0); /* "zero before" */
        ((uint8_t *)out_label)[i] = (uint8_t)(hash >> i % 8 * 8) ^ (uint8_t)i;
    }
    return !labels->drops || hash % 64 != 63;
}

/* Some rows lose bases, some bases and qualities are others, some rows stay. */
TEST_MAYBE_UNUSED static void user_change(biost_sample *sample, biost_random *random, void *user_data) {
    uint32_t kind = user_word(random) % 5, i;
    (void)user_data;
    if (kind == 0 && sample->bases > 0) {
        sample->bases -= user_below(random, sample->bases) + 1;
    } else if (kind == 1) {
        sample->bases += 1; /* counts as unchanged */
    } else if (kind == 2) {
        for (i = 0; i < sample->bases; i += 1 + user_below(random, 5)) {
            sample->seq[i] = "ACGTNRacgtn-"[user_below(random, 12)];
            if (sample->qual != NULL) {
                sample->qual[i] = (char)(33 + user_below(random, 94));
            }
        }
    } else if (kind == 3 && sample->bases > 0) {
        sample->seq[(uint64_t)(sample->id + sample->start_base + sample->piece) % sample->bases] =
            (sample->flags & BIOST_ROW_REVERSED) != 0 ? 'R' : 'G';
    }
}

/* ---- random fields ---- */

static void random_data(biost_loader_desc *desc, uint64_t *random) {
    static const uint32_t rows[] = {1, 2, 4, 5, 8, 16, 24, 40, 256}, bases[] = {0, 1, 7, 12, 40, 60, 64},
                          windows[] = {0, 1, 2, 3, 10, 32, 100, 1000};
    static const float chances[] = {0.0f, 0.0f, 0.5f, 1.0f, 0.01f};
    desc->batch_rows = RANDOM_OF(random, rows);
    desc->row_bases = RANDOM_OF(random, bases);
    desc->max_row_bases = random_below(random, 2) == 0 ? 100 : 0;
    desc->long_records = desc->row_bases > 0 && random_below(random, 4) > 0 ? BIOST_LONG_SPLIT
                                                                            : BIOST_LONG_FAIL;
    desc->tail = (biost_tail_mode)random_below(random, 3);
    desc->encoding.kind = random_below(random, 3) == 0 ? BIOST_ENCODE_TOKENS : BIOST_ENCODE_ONEHOT;
    desc->encoding.dtype = desc->encoding.kind == BIOST_ENCODE_TOKENS ? BIOST_DTYPE_U8
                                                                      : (biost_dtype)random_below(random, 3);
    desc->augment.reverse_complement = RANDOM_OF(random, chances);
    desc->augment.substitute = RANDOM_OF(random, chances);
    desc->shuffle_rows = RANDOM_OF(random, windows);
    desc->seed = test_random(random) >> random_below(random, 64);
    desc->digest = random_below(random, 8) > 0;
}

static const int32_t *random_tokens(int32_t lowest, uint32_t range, uint64_t *random) {
    static int32_t tables[16][256]; /* the last sixteen stay */
    static uint32_t turn;
    int32_t *table = tables[turn++ % 16];
    uint32_t i;
    for (i = 0; i < 256; ++i) {
        table[i] = (int32_t)(lowest +
                             (int64_t)(random_below(random, 16) == 0 ? range : random_below(random, range)));
    }
    return table;
}

static void random_onehot(biost_encoding *encoding, uint64_t *random) {
    static const biost_dtype dtypes[] = {BIOST_DTYPE_U8, BIOST_DTYPE_F16, BIOST_DTYPE_BF16, BIOST_DTYPE_F32};
    static const char *const channels[] = {NULL,
                                           "ACGT",
                                           "CATG",
                                           "ACGU",
                                           "TGCA",
                                           "ACGTN",
                                           "A",
                                           "NU",
                                           "ACGTU",
                                           "ACDEFGHIKLMNPQRSTVWY",
                                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ"};
    static const int32_t pads[] = {0, 0, 0, 1, 2, 255}, float_pads[] = {0, 0, -1, 255, -256, 7};
    uint32_t names = random_below(random, 11);
    encoding->dtype = RANDOM_OF(random, dtypes);
    encoding->channels = channels[names];
    encoding->layout = (biost_layout_kind)random_below(random, 2);
    encoding->lower_case = random_below(random, 2) == 0 ? (biost_lower_case_mode)random_below(random, 3)
                                                        : BIOST_LOWER_CASE_FOLD;
    if (encoding->dtype == BIOST_DTYPE_U8) {
        encoding->pad_value = RANDOM_OF(random, pads);
    } else {
        encoding->pad_value = RANDOM_OF(random, float_pads);
        encoding->ambiguous = names < 5 ? (biost_ambiguous_mode)random_below(random, 4)
                                        : BIOST_AMBIGUOUS_ZERO;
    }
}

static void random_encoding(biost_encoding *encoding, uint64_t *random) {
    static const biost_dtype dtypes[] = {BIOST_DTYPE_U8, BIOST_DTYPE_I32, BIOST_DTYPE_I64};
    memset(encoding, 0, sizeof *encoding);
    if (random_below(random, 3) > 0) {
        random_onehot(encoding, random);
    } else {
        encoding->kind = BIOST_ENCODE_TOKENS;
        encoding->dtype = RANDOM_OF(random, dtypes);
        if (random_below(random, 2) == 0) {
            encoding->tokens = encoding->dtype == BIOST_DTYPE_U8 ? random_tokens(0, 255, random)
                                                                 : random_tokens(-1000000, 70000000, random);
        }
        if (random_below(random, 2) == 0) {
            encoding->pad_value = encoding->dtype == BIOST_DTYPE_U8
                                      ? (int32_t)random_below(random, 256)
                                      : (int32_t)random_below(random, 1000) - 500;
        }
    }
    encoding->pad_side = (biost_pad_side)random_below(random, 2);
}

/* Qualities and mask into x, where that can be. */
static void random_in_x(biost_loader_desc *desc, uint64_t *random) {
    const biost_encoding *encoding = &desc->encoding;
    if (encoding->kind == BIOST_ENCODE_TOKENS) {
        return;
    }
    if (desc->quality.kind != BIOST_QUALITY_NONE && random_below(random, 2) == 0 &&
        (desc->quality.kind == BIOST_QUALITY_PHRED || encoding->dtype != BIOST_DTYPE_U8)) {
        desc->quality.in_x = 1;
        desc->quality.dtype = random_below(random, 2) == 0 ? encoding->dtype : BIOST_DTYPE_U8;
    }
    if (desc->mask && random_below(random, 2) == 0) {
        desc->mask_in_x = 1;
        desc->mask_dtype = random_below(random, 2) == 0 ? encoding->dtype : BIOST_DTYPE_U8;
    }
}

/* Tensors beside x, or in it, and names. */
static void random_others(biost_loader_desc *desc, int fasta, uint64_t *random) {
    static user_labels made[16];
    static uint32_t turn;
    static const uint32_t widths[] = {0, 0, 1, 3}, caps[] = {0, 1, 5, 100, 200};
    static const uint32_t sizes[] = {1, 2, 4, 2, 4, 8};
    if (!fasta && random_below(random, 3) == 0) {
        desc->quality.kind = (biost_quality_kind)(1 + random_below(random, 2));
        desc->quality.dtype = desc->quality.kind == BIOST_QUALITY_ERROR || random_below(random, 2) == 0
                                  ? BIOST_DTYPE_F32
                                  : BIOST_DTYPE_U8;
    }
    desc->mask = random_below(random, 3) == 0;
    desc->mask_dtype = random_below(random, 2) == 0 ? BIOST_DTYPE_F32 : BIOST_DTYPE_U8;
    random_in_x(desc, random);
    desc->names = random_below(random, 3) == 0;
    desc->name_bytes = RANDOM_OF(random, caps);
    if (random_below(random, 3) == 0) {
        user_labels *labels = &made[turn++ % 16];
        desc->labels.width = RANDOM_OF(random, widths);
        desc->labels.dtype = (biost_dtype)random_below(random, 6);
        labels->bytes = sizes[desc->labels.dtype] * (desc->labels.width > 0 ? desc->labels.width : 1);
        labels->drops = random_below(random, 2) == 0;
        desc->labels.make = user_make;
        desc->labels.user_data = labels;
    }
}

/* Rows of a width, and what becomes of longer records. */
static void random_shape(biost_loader_desc *desc, uint64_t *random) {
    static const uint32_t multiples[] = {0, 0, 1, 8, 7, 64};
    uint32_t most;
    desc->long_records = (biost_long_records_mode)random_below(random, 6);
    if (desc->row_bases == 0 && desc->long_records == BIOST_LONG_SPLIT) {
        desc->long_records = BIOST_LONG_CENTER;
    }
    desc->max_row_bases = random_below(random, 2) == 0 ? 30 + random_below(random, 80) : 0;
    most = desc->row_bases > 0 ? desc->row_bases : desc->max_row_bases > 0 ? desc->max_row_bases : 1024;
    if (desc->long_records == BIOST_LONG_SPLIT) {
        desc->split_stride = random_below(random, 2) == 0 ? 1 + random_below(random, most) : 0;
    } else if (random_below(random, 3) == 0) {
        desc->augment.crop_bases = 1 + random_below(random, most < 60 ? most : 60);
    }
    desc->pad_multiple = RANDOM_OF(random, multiples);
}

static void random_more_filters(biost_loader_desc *desc, int fasta, uint64_t *random) {
    static uint32_t one_in[] = {2, 5, 20, 1};
    static const float rates[] = {0.5f, 0.3f, 0.05f, 0.1f};
    biost_filter *filter = &desc->filter;
    switch (random_below(random, 12)) {
    case 0: filter->first_records = 1 + random_below(random, 60); break;
    case 1: filter->every_record = 1 + random_below(random, 7); break;
    case 2: filter->subsample_from = 0.25f; break;
    case 3: filter->subsample_below = 0.75f; break;
    case 4: filter->max_n_fraction = RANDOM_OF(random, rates); break;
    case 5: filter->forbid_n = 1; break;
    case 6:
        filter->keep = user_keep;
        filter->user_data = &one_in[random_below(random, 4)];
        break;
    case 7: filter->max_error_rate = fasta ? 0 : RANDOM_OF(random, rates); break;
    case 8: filter->min_base_quality = fasta ? 0 : 1 + random_below(random, 10); break;
    case 9:
        filter->keep = user_keep;
        filter->user_data = &one_in[2];
        filter->every_record = 2;
        filter->max_n_fraction = 0.125f;
        filter->subsample_from = 0.125f;
        filter->subsample_below = 0.9375f;
        break;
    default: break;
    }
}

/* Letters of proteins have no complement, and are not turned; N is one of them, and none is counted. */
TEST_MAYBE_UNUSED static void random_not_turned(biost_loader_desc *desc) {
    const char *channels = desc->encoding.channels;
    if (channels != NULL && strpbrk(channels, "EFIJLOPQZ") != NULL) {
        desc->augment.reverse_complement = desc->filter.max_n_fraction = 0.0f;
        desc->filter.forbid_n = 0;
    }
}

static void random_split(biost_loader_desc *desc, uint64_t *random) {
    static const float parts[][2] = {{0, 0.5f}, {0.5f, 0}, {0.1f, 0.9f}, {0, 0.02f}};
    uint32_t part = random_below(random, 4);
    biost_split *split = &desc->split;
    memset(split, 0, sizeof *split);
    if (random_below(random, 3) > 0) {
        return;
    }
    split->by = (biost_split_by)(1 + random_below(random, 4));
    if (split->by == BIOST_SPLIT_BLOCK && desc->long_records != BIOST_LONG_SPLIT) {
        split->by = BIOST_SPLIT_SEQUENCE;
    }
    split->salt = test_random(random) >> random_below(random, 64);
    split->from = parts[part][0];
    split->below = parts[part][1];
    if (split->by == BIOST_SPLIT_FIELD) {
        split->field = 1 + (random_below(random, 4) == 0);
        split->separator = "\0l:/ "[random_below(random, 5)];
    }
    if (split->by <= BIOST_SPLIT_FIELD && random_below(random, 2) == 0) {
        strcpy(split->strip, random_below(random, 2) == 0 ? "_:." : "r");
    }
    if (split->by == BIOST_SPLIT_BLOCK) {
        split->block_bases = desc->row_bases + random_below(random, 3 * desc->row_bases);
    }
}

static void random_more(biost_loader_desc *desc, int fasta, uint64_t *random) {
    static const float chances[] = {0.0f, 0.0f, 0.02f, 0.3f, 1.0f};
    if (random_below(random, 4) == 0) {
        return;
    }
    random_shape(desc, random);
    random_encoding(&desc->encoding, random);
    random_others(desc, fasta, random);
    random_more_filters(desc, fasta, random);
    random_not_turned(desc);
    random_split(desc, random);
    desc->allow_no_rows = random_below(random, 2) == 0;
    desc->augment.inject_n = RANDOM_OF(random, chances);
    desc->augment.change = random_below(random, 4) == 0 ? user_change : NULL;
}

static void random_filter(biost_loader_desc *desc, int fasta, uint64_t *random) {
    if (random_below(random, 3) == 0) {
        desc->filter.min_length = random_below(random, 20);
        desc->filter.max_length = random_below(random, 2) == 0 ? 20 + random_below(random, 40) : 0;
    }
    if (!fasta && random_below(random, 3) == 0) {
        desc->filter.min_mean_quality = (float)random_below(random, 30) + 0.125f;
    }
}

/* After the good text of the last one read stands something bad; inputs after it are never reached. */
static void random_fault(random_case *c, int fasta, uint64_t *random) {
    uint32_t at = random_below(random, c->input_count);
    c->text_count = at + 1;
    if (c->texts[at].count > 0 && c->texts[at].data[c->texts[at].count - 1] != '\n') {
        bytes_words(&c->texts[at], "\n");
    }
    bytes_add(&c->inputs[at], c->texts[at].data, c->texts[at].count);
    if (fasta) {
        c->end = ORACLE_FAILS_PARTIAL;
        bytes_words(&c->texts[at], ">bad\nACGTACGTAC\nACGTA\nACG\n"); /* up to the byte at fault */
        bytes_words(&c->inputs[at], ">bad\nACGTACGTAC\nACGTA\nACG\x01TACGT\nACGT\n>more\nACGT\n");
    } else {
        c->end = ORACLE_FAILS;
        bytes_words(&c->inputs[at], "@bad\nACGTACGTAC\n+\nIIIIIIII\n@more\nACGT\n+\nIIII\n");
    }
}

/* size: 0 small, 1 over several default pages. */
TEST_MAYBE_UNUSED static void random_case_make(random_case *c, uint64_t *random, int large) {
    text_shape shape;
    uint32_t i;
    int faulty = random_below(random, 4) == 0;
    memset(c, 0, sizeof *c);
    memset(&shape, 0, sizeof shape);
    random_data(&c->desc, random);
    shape.fasta = random_below(random, 2) == 0;
    shape.line_bases = random_below(random, 30);
    shape.odd_bases = random_below(random, 2) == 0;
    random_filter(&c->desc, shape.fasta, random);
#ifndef ORACLE_OLD
    random_more(&c->desc, shape.fasta, random);
#endif
    c->input_count = large ? 2 : 1 + random_below(random, CASE_INPUTS);
    for (i = 0; i < c->input_count; ++i) {
        shape.records = large ? 1500 : random_below(random, 4) == 0 ? 0 : random_below(random, 40);
        shape.min_bases = random_below(random, 3) == 0 ? 0 : 1 + random_below(random, 40);
        shape.max_bases = shape.min_bases + random_below(random, 60);
        shape.crlf = random_below(random, 4) == 0;
        shape.no_last_feed = random_below(random, 4) == 0;
        text_make(&c->texts[i], &shape, random);
    }
    c->text_count = c->input_count;
    if (faulty) {
        random_fault(c, shape.fasta, random);
    }
    for (i = 0; i < c->input_count; ++i) {
        bytes plain = c->inputs[i].count > 0 ? c->inputs[i] : c->texts[i];
        if (random_below(random, 2) == 0) {
            bytes packed = {NULL, 0, 0};
            gzip_make(&packed, &plain, 1 + random_below(random, 5000), 1 + random_below(random, 3000),
                      random_below(random, 2) == 0);
            bytes_free(&c->inputs[i]);
            c->inputs[i] = packed;
        } else if (c->inputs[i].count == 0) {
            bytes_add(&c->inputs[i], plain.data, plain.count);
        }
    }
    oracle_inputs(&c->desc, c->memories, c->inputs, c->input_count);
}

TEST_MAYBE_UNUSED static void random_case_free(random_case *c) {
    uint32_t i;
    for (i = 0; i < CASE_INPUTS; ++i) {
        bytes_free(&c->inputs[i]);
        bytes_free(&c->texts[i]);
    }
}

/* A world that divides batch_rows. */
TEST_MAYBE_UNUSED static uint32_t random_world(uint32_t batch_rows, uint64_t *random) {
    static const uint32_t worlds[] = {1, 2, 4, 8, 5, 3};
    uint32_t world;
    do {
        world = RANDOM_OF(random, worlds);
    } while (batch_rows % world != 0);
    return world;
}

/* ---- whole epochs ---- */

/* An epoch of a fresh loader against the oracle, its counts too. Returns the oracle's digest. */
TEST_MAYBE_UNUSED static uint64_t oracle_run(const biost_loader_desc *desc, const bytes *texts,
                                             uint32_t text_count, uint64_t epoch, oracle_end end) {
    biost_loader *loader = oracle_open(desc);
    uint64_t digest;
    oracle o;
    oracle_make(&o, desc, texts, text_count, epoch, end);
    if (loader != NULL && CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
        oracle_drain(&o, loader, 0);
        oracle_check_progress(&o, loader);
    }
    digest = o.digest;
    oracle_free(&o);
    biost_loader_close(loader);
    return digest;
}

/* The sum of the digests of what is left of the epoch under way. */
TEST_MAYBE_UNUSED static uint64_t digest_drain(biost_loader *loader, biost_result *out_result) {
    biost_batch batch;
    uint64_t digest = 0;
    biost_result result;
    while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        digest += batch.digest;
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    if (out_result != NULL) {
        *out_result = result;
    } else if (!CHECK(result == BIOST_END)) {
        printf("    sentence: %s\n", result < 0 && biost_loader_error(loader) != NULL
                                         ? biost_loader_error(loader)->text
                                         : biost_result_name(result));
    }
    return digest;
}

/* The digest of an epoch of a fresh loader. */
TEST_MAYBE_UNUSED static uint64_t digest_epoch(const biost_loader_desc *desc, uint64_t epoch) {
    biost_loader *loader = oracle_open(desc);
    uint64_t digest = 0;
    if (loader != NULL && CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
        digest = digest_drain(loader, NULL);
    }
    biost_loader_close(loader);
    return digest;
}

/* A text of these words as the only input of a desc that is otherwise zero. */
typedef struct one_text {
    biost_loader_desc desc;
    biost_memory memory;
    bytes text;
} one_text;

TEST_MAYBE_UNUSED static void one_text_make(one_text *one, const char *words) {
    memset(one, 0, sizeof *one);
    bytes_words(&one->text, words);
    oracle_inputs(&one->desc, &one->memory, &one->text, 1);
    one->desc.workers = 1;
    one->desc.digest = 1;
}

/* Or of a generated text. */
TEST_MAYBE_UNUSED static void one_text_shape(one_text *one, const text_shape *shape, uint64_t random) {
    memset(one, 0, sizeof *one);
    bytes_words(&one->text, "");
    text_make(&one->text, shape, &random);
    oracle_inputs(&one->desc, &one->memory, &one->text, 1);
    one->desc.workers = 1;
    one->desc.digest = 1;
}

/* Open fails with this code and fault, and a sentence with both words. */
TEST_MAYBE_UNUSED static void open_refused(const biost_loader_desc *desc, biost_result code,
                                           biost_fault fault, const char *one, const char *other) {
    biost_loader *loader = NULL;
    biost_error error;
    memset(&error, 0, sizeof error);
    test_note("%s, %s", one, other);
    CHECK_STR(biost_result_name(biost_loader_open(desc, &loader, &error)), biost_result_name(code));
    CHECK(loader == NULL);
    CHECK_STR(biost_fault_name(error.fault), biost_fault_name(fault));
    if (!CHECK(strstr(error.text, one) != NULL) || !CHECK(strstr(error.text, other) != NULL)) {
        printf("    sentence: %s\n", error.text);
    }
    biost_loader_close(loader);
    test_note("%s", "");
}

/* biost_loader_shape refuses a desc with the sentence of open. */
TEST_MAYBE_UNUSED static void shape_refused(const biost_loader_desc *desc) {
    biost_batch_shape shape;
    biost_loader *loader = NULL;
    biost_error told, said;
    CHECK_STR(biost_result_name(biost_loader_open(desc, &loader, &told)), "ERR_ARG");
    CHECK_STR(biost_result_name(biost_loader_shape(desc, &shape, &said)), "ERR_ARG");
    CHECK_STR(said.text, told.text);
    biost_loader_close(loader);
}

#endif /* LOADER_ORACLE_H */
