/*
 * loader_oracle.h - what a loader must deliver, worked out the slow and obvious way, for the tests of
 * the loader.
 *
 * The oracle holds all text in memory, splits it by lines, makes the list of all samples, sorts it once
 * by (key, tie, number), cuts it into batches and slices, and encodes and hashes one row after another
 * with loops of its own. Of the header it uses only the Philox block function, which has published
 * vectors as its test. Here are also: a generator of small FASTQ and FASTA texts, a writer of gzip
 * files with stored blocks, and an allocator that counts.
 *
 * Include it after white.h and test.h.
 */
#ifndef LOADER_ORACLE_H
#define LOADER_ORACLE_H

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- bytes that grow ---- */

typedef struct bytes {
    uint8_t *data;
    size_t count, capacity;
} bytes;

static void bytes_add(bytes *to, const void *from, size_t count) {
    if (to->count + count > to->capacity || to->data == NULL) {
        to->capacity = (to->count + count) * 2 + 64;
        to->data = (uint8_t *)realloc(to->data, to->capacity);
        if (to->data == NULL) {
            printf("no memory\n");
            exit(1);
        }
    }
    if (count > 0) {
        memcpy(to->data + to->count, from, count);
    }
    to->count += count;
}

static void bytes_byte(bytes *to, unsigned byte) {
    uint8_t one = (uint8_t)byte;
    bytes_add(to, &one, 1);
}

static void bytes_words(bytes *to, const char *words) {
    bytes_add(to, words, strlen(words));
}

/* The `count` low bytes of a number, lowest first. */
static void bytes_number(bytes *to, uint64_t number, unsigned count) {
    for (; count > 0; --count, number >>= 8) {
        bytes_byte(to, (unsigned)(number & 255));
    }
}

static void bytes_free(bytes *to) {
    free(to->data);
    memset(to, 0, sizeof *to);
}

static uint32_t random_below(uint64_t *random, uint32_t bound) {
    return (uint32_t)((test_random(random) >> 33) % bound);
}

/* One of the numbers listed. */
#define RANDOM_OF(random, table) \
    ((table)[random_below((random), (uint32_t)(sizeof(table) / sizeof(table)[0]))])

/* ---- texts ---- */

typedef struct text_shape {
    uint32_t records, min_bases, max_bases;
    int fasta;
    uint32_t line_bases; /* of FASTA; 0: one line                                           */
    int crlf, no_last_feed, odd_bases;
} text_shape;

static void text_line_end(bytes *text, const text_shape *shape) {
    bytes_words(text, shape->crlf ? "\r\n" : "\n");
}

static void text_bases(bytes *text, const text_shape *shape, uint32_t bases, uint64_t *random) {
    static const char plain[] = "ACGT", odd[] = "ACGTacgtNnUuRYKMSWBDHVxz*-.";
    uint32_t i;
    for (i = 0; i < bases; ++i) {
        const char *from = shape->odd_bases && random_below(random, 4) == 0 ? odd : plain;
        bytes_byte(text, (uint8_t)from[random_below(random, from == odd ? 27 : 4)]);
        if (shape->fasta && shape->line_bases > 0 && (i + 1) % shape->line_bases == 0 && i + 1 < bases) {
            text_line_end(text, shape);
        }
    }
}

/* One record. Qualities may start with '@' or '+'; every third '+' line repeats the title. */
static void text_record(bytes *text, const text_shape *shape, uint32_t number, uint64_t *random) {
    char title[64];
    uint32_t bases = shape->min_bases + random_below(random, shape->max_bases - shape->min_bases + 1), i;
    snprintf(title, sizeof title, "r%u of a test", (unsigned)number);
    bytes_byte(text, shape->fasta ? '>' : '@');
    bytes_words(text, title);
    text_line_end(text, shape);
    text_bases(text, shape, bases, random);
    if (!shape->fasta || bases > 0) {
        text_line_end(text, shape);
    }
    if (!shape->fasta) {
        bytes_words(text, "+");
        bytes_words(text, random_below(random, 3) == 0 ? title : "");
        text_line_end(text, shape);
        for (i = 0; i < bases; ++i) {
            bytes_byte(text, 33 + random_below(random, 42));
        }
        text_line_end(text, shape);
    }
}

TEST_MAYBE_UNUSED static void text_make(bytes *text, const text_shape *shape, uint64_t *random) {
    uint32_t i;
    for (i = 0; i < shape->records; ++i) {
        text_record(text, shape, i, random);
    }
    if (shape->no_last_feed && shape->records > 0) {
        text->count -= shape->crlf ? 2 : 1;
    }
}

/* ---- gzip with stored blocks ---- */

/* CRC-32 bit by bit: the polynomial 0x04C11DB7, reflected. */
static uint32_t gzip_crc(const uint8_t *data, size_t count) {
    uint32_t crc = 0xFFFFFFFFu;
    int bit;
    for (; count > 0; --count, ++data) {
        crc ^= *data;
        for (bit = 0; bit < 8; ++bit) {
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        }
    }
    return ~crc;
}

/* Append a member whose text lies in stored blocks of at most `block_bytes`. */
static void gzip_member(bytes *out, const uint8_t *text, size_t count, size_t block_bytes) {
    size_t at = 0;
    bytes_add(out, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    do {
        size_t part = count - at < block_bytes ? count - at : block_bytes;
        bytes_byte(out, at + part == count); /* BFINAL, BTYPE 00 */
        bytes_number(out, part, 2);
        bytes_number(out, ~(uint64_t)part, 2);
        bytes_add(out, text + at, part);
        at += part;
    } while (at < count);
    bytes_number(out, gzip_crc(text, count), 4);
    bytes_number(out, count, 4);
}

/* Members of `member_bytes` of text each, with BGZF's extra field and end block if asked. */
TEST_MAYBE_UNUSED static void gzip_make(bytes *out, const bytes *text, size_t member_bytes,
                                        size_t block_bytes, int bgzf) {
    size_t at = 0, start;
    do {
        size_t part = text->count - at < member_bytes ? text->count - at : member_bytes;
        bytes member = {NULL, 0, 0};
        gzip_member(&member, text->data == NULL ? (const uint8_t *)"" : text->data + at, part, block_bytes);
        start = out->count;
        if (bgzf) {
            bytes_add(out, "\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0", 16);
            bytes_number(out, member.count + 8 - 1, 2);
            bytes_add(out, member.data + 10, member.count - 10);
            CHECK_EQ_U64(out->count - start, member.count + 8);
        } else {
            bytes_add(out, member.data, member.count);
        }
        bytes_free(&member);
        at += part;
    } while (at < text->count);
    if (bgzf) {
        bytes_add(out, "\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0", 28);
    }
}

/* ---- files ---- */

static char file_directory[64]; /* "": none was made yet */

/* A file of this test, in a directory made when the first one is asked for. Sixteen names stay valid. */
TEST_MAYBE_UNUSED static const char *file_path(const char *name) {
    static char paths[16][128];
    static unsigned turn;
    char *path = paths[turn++ % 16];
    if (file_directory[0] == '\0') {
        strcpy(file_directory, "/tmp/biostream_test_XXXXXX");
        if (mkdtemp(file_directory) == NULL) {
            printf("no directory for test files\n");
            exit(1);
        }
    }
    snprintf(path, 128, "%s/%s", file_directory, name);
    return path;
}

TEST_MAYBE_UNUSED static void file_write(const char *path, const void *data, size_t count) {
    FILE *file = fopen(path, "wb");
    if (!CHECK(file != NULL)) {
        exit(1);
    }
    CHECK_EQ_U64(fwrite(data, 1, count, file), count);
    CHECK(fclose(file) == 0);
}

/* Remove the files and their directory at the end of a test. */
TEST_MAYBE_UNUSED static void file_clean(const char *const *names, int count) {
    int i;
    for (i = 0; i < count; ++i) {
        remove(file_path(names[i]));
    }
    CHECK(rmdir(file_directory) == 0);
    file_directory[0] = '\0';
}

/* ---- an allocator that counts, and fails when told ---- */

typedef struct counted {
    pthread_mutex_t lock;
    uint64_t now_bytes, peak_bytes;
    uint64_t calls, blocks;
    uint64_t fail_at; /* the call with this number fails, counted from 1; 0: none        */
    int fail_on;      /* and all after it                                                */
    int refused;
} counted;

static void counted_begin(counted *count) {
    memset(count, 0, sizeof *count);
    pthread_mutex_init(&count->lock, NULL);
}

static void *counted_alloc(size_t wanted, size_t align, void *user_data) {
    counted *count = (counted *)user_data;
    void *memory = NULL;
    int refuse;
    pthread_mutex_lock(&count->lock);
    ++count->calls;
    refuse = count->fail_at != 0 &&
             (count->calls == count->fail_at || (count->fail_on && count->calls > count->fail_at));
    refuse |= wanted > (size_t)1 << 30; /* more than a test can mean */
    count->refused |= refuse;
    if (!refuse && posix_memalign(&memory, align, wanted) == 0) {
        memset(memory, 0xA5, wanted); /* nothing may count on zeros */
        ++count->blocks;
        count->now_bytes += wanted;
        count->peak_bytes = count->now_bytes > count->peak_bytes ? count->now_bytes : count->peak_bytes;
    }
    pthread_mutex_unlock(&count->lock);
    return memory;
}

static void counted_free(void *memory, size_t given, void *user_data) {
    counted *count = (counted *)user_data;
    pthread_mutex_lock(&count->lock);
    --count->blocks;
    count->now_bytes -= given;
    pthread_mutex_unlock(&count->lock);
    free(memory);
}

TEST_MAYBE_UNUSED static biost_allocator counted_allocator(counted *count) {
    biost_allocator allocator;
    counted_begin(count);
    allocator.alloc = counted_alloc;
    allocator.free = counted_free;
    allocator.user_data = count;
    return allocator;
}

/* ---- the oracle ---- */

typedef struct oracle_sample {
    int64_t id, start_base;
    uint32_t piece, bases, tie;
    size_t seq_at; /* in the pool                                                     */
    uint64_t number, key;
} oracle_sample;

typedef struct oracle_batch {
    uint32_t rows, valid_rows, flags, row_bases;
    bytes lengths, origins, x; /* int32_t, biost_row, elements                                    */
    uint64_t digest;
} oracle_batch;

typedef enum oracle_end {
    ORACLE_ENDS_WELL,
    ORACLE_FAILS,        /* a fault follows the last record                                 */
    ORACLE_FAILS_PARTIAL /* the last record is what stood on good lines before a fault      */
} oracle_end;

typedef struct oracle {
    biost_loader_desc desc;
    uint64_t epoch;
    bytes pool; /* sequences of all records                                        */
    oracle_sample *samples;
    size_t sample_count, sample_capacity;
    oracle_batch *batches;
    size_t batch_count;
    uint64_t digest, filtered, records, dropped_rows;
    int failed, too_long; /* too_long: the fault is a record that fits no row                */
    uint64_t too_long_record, too_long_path;
} oracle;

/* XXH64 over bytes that lie in one piece, as the specification goes through them. */
static uint64_t oracle_rotate(uint64_t value, int bits) {
    return value << bits | value >> (64 - bits);
}

static uint64_t oracle_read(const uint8_t *from, int count) {
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
                lanes[i] = oracle_rotate(lanes[i] + oracle_read(at + 8 * i, 8) * p2, 31) * p1;
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
        hash = oracle_rotate(hash ^ oracle_rotate(oracle_read(at, 8) * p2, 31) * p1, 27) * p1 + p4;
    }
    if (end - at >= 4) {
        hash = oracle_rotate(hash ^ oracle_read(at, 4) * p1, 23) * p2 + p3;
        at += 4;
    }
    for (; at < end; ++at) {
        hash = oracle_rotate(hash ^ *at * p5, 11) * p1;
    }
    hash = (hash ^ hash >> 33) * p2;
    hash = (hash ^ hash >> 29) * p3;
    return hash ^ hash >> 32;
}

/* Word `word` of a stage for (id, piece): block word / 4 of the counter {block, piece, id low, id
   high}. */
static uint32_t oracle_word(const oracle *o, uint32_t stage, int64_t id, uint32_t piece, uint32_t word) {
    uint32_t counter[4], words[4];
    bsi_rng_key key;
    counter[0] = (uint32_t)o->epoch;
    counter[1] = (uint32_t)(o->epoch >> 32);
    counter[2] = stage;
    counter[3] = 0x42494F53u;
    key.word[0] = (uint32_t)o->desc.seed;
    key.word[1] = (uint32_t)(o->desc.seed >> 32);
    bsi_rng_philox(counter, key, words);
    key.word[0] = words[0];
    key.word[1] = words[1];
    counter[0] = word / 4;
    counter[1] = piece;
    counter[2] = (uint32_t)(uint64_t)id;
    counter[3] = (uint32_t)((uint64_t)id >> 32);
    bsi_rng_philox(counter, key, words);
    return words[word % 4];
}

/* Delay in 0..window-1: word x window / 2^32; words whose low half is below 2^32 mod window are passed
   over, and so is word 3 of the first block, which is the tie. */
static void oracle_draw(const oracle *o, oracle_sample *sample, uint32_t window) {
    uint32_t word;
    sample->tie = oracle_word(o, 4, sample->id, sample->piece, 3);
    for (word = 0;; ++word) {
        uint64_t product = (uint64_t)oracle_word(o, 4, sample->id, sample->piece, word) * window;
        if (word != 3 && (product & 0xFFFFFFFFu) >= ((uint64_t)1 << 32) % window) {
            sample->key = sample->number + (product >> 32);
            break;
        }
    }
    sample->key = sample->key > window - 1 ? sample->key : window - 1;
}

static void oracle_add(oracle *o, int64_t id, uint32_t piece, int64_t start_base, size_t seq_at,
                       uint32_t bases) {
    oracle_sample *sample;
    if (o->sample_count == o->sample_capacity) {
        o->sample_capacity = o->sample_capacity * 2 + 64;
        o->samples = (oracle_sample *)realloc(o->samples, o->sample_capacity * sizeof(oracle_sample));
        if (o->samples == NULL) {
            exit(1);
        }
    }
    sample = &o->samples[o->sample_count];
    memset(sample, 0, sizeof *sample);
    sample->id = id;
    sample->piece = piece;
    sample->start_base = start_base;
    sample->seq_at = seq_at + (size_t)start_base;
    sample->bases = bases;
    sample->number = o->sample_count++;
}

/* A whole record: filter it, cut it. Returns 0 where it ends the samples. */
static int oracle_record(oracle *o, int64_t id, size_t seq_at, size_t bases, const uint8_t *qual,
                         int partial) {
    const biost_loader_desc *desc = &o->desc;
    uint32_t limit = desc->row_bases > 0       ? desc->row_bases
                     : desc->max_row_bases > 0 ? desc->max_row_bases
                                               : 1024;
    int split = desc->long_records == BIOST_LONG_SPLIT;
    size_t i, start = 0;
    uint32_t piece = 0;
    if (partial) {
        for (;
             split && desc->filter.min_length == 0 && desc->filter.max_length == 0 && bases - start >= limit;
             start += limit) {
            oracle_add(o, id, piece++, (int64_t)start, seq_at, limit);
        }
        return 0;
    }
    ++o->records;
    if (bases < desc->filter.min_length ||
        (desc->filter.max_length != 0 && bases > desc->filter.max_length)) {
        ++o->filtered;
        return 1;
    }
    if (desc->filter.min_mean_quality > 0) {
        uint64_t sum = 0, wanted = (uint64_t)((double)desc->filter.min_mean_quality * 1000 + 0.5);
        for (i = 0; i < bases; ++i) {
            sum += (uint64_t)(qual[i] - 33);
        }
        if (bases == 0 || 1000 * sum < wanted * bases) {
            ++o->filtered;
            return 1;
        }
    }
    if (!split && bases > limit) {
        o->too_long = 1;
        o->failed = 1;
        o->too_long_record = (uint64_t)id & (((uint64_t)1 << 40) - 1);
        o->too_long_path = (uint64_t)id >> 40;
        return 0;
    }
    do {
        size_t part = bases - start < limit ? bases - start : limit;
        oracle_add(o, id, piece++, (int64_t)start, seq_at, (uint32_t)part);
        start += part;
    } while (start < bases);
    return 1;
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

/* The records of one text: four lines each, or a title line and lines up to the next '>'. */
static int oracle_text(oracle *o, const bytes *text, uint32_t path, int partial) {
    size_t at = 0, count, next;
    int64_t id = (int64_t)path << 40;
    int goes_on = 1;
    while (at < text->count && goes_on) {
        size_t seq_at = o->pool.count, bases = 0;
        const uint8_t *qual = NULL;
        if (text->data[at] == '@') {
            at = oracle_line(text, at, &count);
            next = oracle_line(text, at, &bases);
            bytes_add(&o->pool, text->data + at, bases);
            at = oracle_line(text, next, &count);
            qual = text->data + at;
            at = oracle_line(text, at, &count);
            CHECK_EQ_U64(count, bases);
        } else {
            at = oracle_line(text, at, &count);
            while (at < text->count && text->data[at] != '>') {
                next = oracle_line(text, at, &count);
                bytes_add(&o->pool, text->data + at, count);
                bases += count;
                at = next;
            }
        }
        goes_on = oracle_record(o, id, seq_at, bases, qual, partial && at == text->count);
        ++id;
    }
    return goes_on;
}

static int oracle_before(const void *a, const void *b) {
    const oracle_sample *x = (const oracle_sample *)a, *y = (const oracle_sample *)b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    if (x->tie != y->tie) {
        return x->tie < y->tie ? -1 : 1;
    }
    return x->number < y->number ? -1 : 1;
}

static void oracle_reverse(uint8_t *seq, uint32_t bases) {
    static const char from[] = "ACGTURYKMBVDHacgturykmbvdh", to[] = "TGCAAYRMKVBHDtgcaayrmkvbhd";
    uint8_t turned[4096];
    uint32_t i, k;
    for (i = 0; i < bases; ++i) {
        turned[i] = seq[bases - 1 - i];
        for (k = 0; from[k] != '\0'; ++k) {
            if (turned[i] == (uint8_t)from[k]) {
                turned[i] = (uint8_t)to[k];
                break;
            }
        }
    }
    memcpy(seq, turned, bases);
}

static int oracle_code(uint8_t base) {
    static const char codes[] = "ACGTacgt";
    const char *found = base == 0 ? NULL : strchr(codes, base);
    return base == 'U' || base == 'u' ? 3 : found == NULL ? -1 : (int)((found - codes) % 4);
}

static void oracle_substitute(const oracle *o, const oracle_sample *sample, uint8_t *seq,
                              uint64_t threshold) {
    uint64_t survival[257], at = 0;
    uint32_t word = 0, gap;
    survival[0] = (uint64_t)1 << 32;
    for (gap = 0; gap < 256; ++gap) {
        survival[gap + 1] = (survival[gap] * (((uint64_t)1 << 32) - threshold)) >> 32;
    }
    for (;;) {
        uint32_t u = oracle_word(o, 20, sample->id, sample->piece, word++);
        for (gap = 0; gap < 256 && u < survival[gap + 1]; ++gap) {
        }
        at += gap;
        if (at >= sample->bases) {
            return;
        }
        if (gap < 256) {
            uint32_t draw = oracle_word(o, 20, sample->id, sample->piece, word++);
            int code = oracle_code(seq[at]);
            if (code >= 0) {
                seq[at] = (uint8_t)(("ACGT"[(unsigned)(code + 1 + (int)(draw % 3)) % 4]) | (seq[at] & 32));
            }
            ++at;
            if (at >= sample->bases) {
                return;
            }
        }
    }
}

static uint32_t oracle_element_bytes(const oracle *o) {
    return o->desc.encoding.dtype == BIOST_DTYPE_F32 ? 4 : o->desc.encoding.dtype == BIOST_DTYPE_F16 ? 2 : 1;
}

/* One element, in the machine's byte order, and for the digest as little-endian bits. */
static void oracle_element(const oracle *o, unsigned value, bytes *x, bytes *hashed) {
    uint32_t bits32 = value == 1 ? 0x3F800000u : 0;
    uint16_t bits16 = value == 1 ? 0x3C00u : 0;
    if (o->desc.encoding.dtype == BIOST_DTYPE_F32) {
        bytes_add(x, &bits32, 4);
        bytes_number(hashed, bits32, 4);
    } else if (o->desc.encoding.dtype == BIOST_DTYPE_F16) {
        bytes_add(x, &bits16, 2);
        bytes_number(hashed, bits16, 2);
    } else {
        bytes_byte(x, value);
        bytes_byte(hashed, value);
    }
}

/* One row into the batch. */
static void oracle_row(const oracle *o, oracle_batch *batch, uint64_t batch_index, uint64_t global_row,
                       const oracle_sample *sample) {
    uint8_t seq[4096];
    uint64_t reverse = (uint64_t)((double)o->desc.augment.reverse_complement * 4294967296.0);
    uint64_t substitute = (uint64_t)((double)o->desc.augment.substitute * 4294967296.0);
    bytes hashed = {NULL, 0, 0}, place = {NULL, 0, 0};
    biost_row origin;
    int32_t length = (int32_t)sample->bases;
    uint32_t i;
    int channel;
    memset(&origin, 0, sizeof origin);
    origin.id = sample->id;
    origin.start_base = sample->start_base;
    origin.piece = sample->piece;
    if (sample->bases > 0) {
        memcpy(seq, o->pool.data + sample->seq_at, sample->bases);
    }
    if (reverse > 0 && oracle_word(o, 19, sample->id, sample->piece, 0) < reverse) {
        oracle_reverse(seq, sample->bases);
        origin.flags = BIOST_ROW_REVERSED;
    }
    if (substitute > 0) {
        oracle_substitute(o, sample, seq, substitute);
    }
    for (i = 0; i < batch->row_bases; ++i) {
        int code = i < sample->bases ? oracle_code(seq[i]) : -1;
        if (o->desc.encoding.kind == BIOST_ENCODE_TOKENS) {
            oracle_element(o, i >= sample->bases ? 0 : code < 0 ? 5 : (unsigned)code + 1, &batch->x, &hashed);
        } else {
            for (channel = 0; channel < 4; ++channel) {
                oracle_element(o, code == channel, &batch->x, &hashed);
            }
        }
    }
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

/* Global batch `index` of `m` samples from `first` on: this rank's slice of it. */
static void oracle_cut(oracle *o, size_t index, size_t first, uint32_t m, uint32_t batch_rows) {
    oracle_batch *batch = &o->batches[index];
    uint32_t world = o->desc.world > 0 ? o->desc.world : 1, rank_rows = batch_rows / world, longest = 0, row;
    uint32_t from = (uint32_t)((uint64_t)o->desc.rank * m / world),
             to = (uint32_t)((uint64_t)(o->desc.rank + 1) * m / world);
    int last = first + m == o->sample_count;
    biost_row padding;
    memset(&padding, 0, sizeof padding);
    padding.id = -1;
    memset(batch, 0, sizeof *batch);
    for (row = 0; row < m; ++row) {
        longest = o->samples[first + row].bases > longest ? o->samples[first + row].bases : longest;
    }
    batch->row_bases = o->desc.row_bases > 0 ? o->desc.row_bases : (longest + 7) / 8 * 8;
    batch->valid_rows = to - from;
    batch->rows = m < batch_rows && o->desc.tail == BIOST_TAIL_SHORT ? to - from : rank_rows;
    batch->flags =
        last ? (uint32_t)BIOST_BATCH_LAST | (o->failed ? (uint32_t)BIOST_BATCH_BEFORE_ERROR : 0u) : 0;
    batch->flags |= batch->rows < rank_rows ? (uint32_t)BIOST_BATCH_SHORT : 0;
    for (row = from; row < to; ++row) {
        oracle_row(o, batch, index, row, &o->samples[first + row]);
    }
    for (row = to - from; row < batch->rows; ++row) {
        int32_t zero = 0;
        uint32_t i, elements = batch->row_bases * (o->desc.encoding.kind == BIOST_ENCODE_TOKENS ? 1 : 4);
        bytes_add(&batch->lengths, &zero, sizeof zero);
        bytes_add(&batch->origins, &padding, sizeof padding);
        for (i = 0; i < elements * oracle_element_bytes(o); ++i) {
            bytes_byte(&batch->x, 0);
        }
    }
    o->digest += batch->digest;
}

/* What a loader with `desc` over these texts delivers in `epoch`. The inputs named in the desc are not
   looked at. */
TEST_MAYBE_UNUSED static void oracle_make(oracle *o, const biost_loader_desc *desc, const bytes *texts,
                                          uint32_t text_count, uint64_t epoch, oracle_end end) {
    uint32_t batch_rows = desc->batch_rows > 0 ? desc->batch_rows : 256, window, i;
    size_t n, at;
    int goes_on = 1;
    memset(o, 0, sizeof *o);
    o->desc = *desc;
    o->epoch = epoch;
    window = desc->shuffle_rows > 1 ? desc->shuffle_rows : 1;
    for (i = 0; i < text_count && goes_on; ++i) {
        goes_on = oracle_text(o, &texts[i], i, end == ORACLE_FAILS_PARTIAL && i + 1 == text_count);
    }
    o->failed |= end != ORACLE_ENDS_WELL;
    n = o->sample_count;
    for (at = 0; at < n; ++at) {
        oracle_draw(o, &o->samples[at], window);
        o->samples[at].key = o->samples[at].key < n ? o->samples[at].key : n;
    }
    if (n > 0) {
        qsort(o->samples, n, sizeof(oracle_sample), oracle_before);
    }
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
    }
    free(o->batches);
    free(o->samples);
    bytes_free(&o->pool);
    memset(o, 0, sizeof *o);
}

/* ---- a loader against the oracle ---- */

static void oracle_check_tensor(const oracle *o, const oracle_batch *want, const biost_batch *batch) {
    const biost_tensor *x = &batch->x;
    int tokens = o->desc.encoding.kind == BIOST_ENCODE_TOKENS;
    CHECK_EQ_U64(batch->tensor_count, 1);
    CHECK(batch->tensors != NULL && memcmp(&batch->tensors[0], x, sizeof *x) == 0);
    CHECK_EQ_U64(x->ndim, tokens ? 2 : 3);
    CHECK_EQ_I64(x->shape[0], want->rows);
    CHECK_EQ_I64(x->shape[1], want->row_bases);
    CHECK_EQ_I64(x->shape[2], tokens ? 0 : 4);
    CHECK_EQ_I64(x->shape[3], 0);
    CHECK_EQ_I64(x->strides[0], (int64_t)want->row_bases * (tokens ? 1 : 4));
    CHECK_EQ_I64(x->strides[1], tokens ? 1 : 4);
    CHECK_EQ_I64(x->strides[2], tokens ? 0 : 1);
    CHECK(x->dtype == o->desc.encoding.dtype && x->role == BIOST_ROLE_INPUT && x->device == -1);
    CHECK(memcmp(x->layout, tokens ? "NL\0" : "NLC", 4) == 0);
    CHECK_EQ_U64((uintptr_t)x->data % 256, 0);
    if (CHECK_EQ_U64(x->bytes, want->x.count) && want->x.count > 0) {
        CHECK_MEM(x->data, want->x.data, want->x.count);
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
    oracle_check_tensor(o, want, batch);
    if (want->rows > 0) {
        CHECK_MEM(batch->lengths, want->lengths.data, want->lengths.count);
        CHECK_MEM(batch->origins, want->origins.data, want->origins.count);
    }
    CHECK_EQ_U64(batch->digest, o->desc.digest ? want->digest : 0);
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

static void random_data(biost_loader_desc *desc, uint64_t *random) {
    static const uint32_t rows[] = {1, 2, 4, 5, 8, 16, 24, 40, 256}, bases[] = {0, 1, 7, 12, 40, 60, 64},
                          windows[] = {0, 1, 2, 3, 10, 32, 100, 1000};
    static const float chances[] = {0.0f, 0.0f, 0.5f, 1.0f, 0.01f};
    desc->batch_rows = RANDOM_OF(random, rows);
    desc->row_bases = RANDOM_OF(random, bases);
    desc->max_row_bases = random_below(random, 2) == 0 ? 100 : 0;
    desc->long_records =
        desc->row_bases > 0 && random_below(random, 4) > 0 ? BIOST_LONG_SPLIT : BIOST_LONG_FAIL;
    desc->tail = (biost_tail)random_below(random, 3);
    desc->encoding.kind = random_below(random, 3) == 0 ? BIOST_ENCODE_TOKENS : BIOST_ENCODE_ONEHOT;
    desc->encoding.dtype =
        desc->encoding.kind == BIOST_ENCODE_TOKENS ? BIOST_DTYPE_U8 : (biost_dtype)random_below(random, 3);
    desc->augment.reverse_complement = RANDOM_OF(random, chances);
    desc->augment.substitute = RANDOM_OF(random, chances);
    desc->shuffle_rows = RANDOM_OF(random, windows);
    desc->seed = test_random(random) >> random_below(random, 64);
    desc->digest = random_below(random, 8) > 0;
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

/* Behind the good text of the last one read stands something bad; inputs behind it are never reached. */
static void random_fault(random_case *c, int fasta, uint64_t *random) {
    uint32_t at = random_below(random, c->input_count);
    c->text_count = at + 1;
    if (c->texts[at].count > 0 && c->texts[at].data[c->texts[at].count - 1] != '\n') {
        bytes_words(&c->texts[at], "\n");
    }
    bytes_add(&c->inputs[at], c->texts[at].data, c->texts[at].count);
    if (fasta) {
        c->end = ORACLE_FAILS_PARTIAL;
        bytes_words(&c->texts[at], ">bad\nACGTACGTAC\nACGTA\n");
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

#endif /* LOADER_ORACLE_H */
