/*
 * inputs.h - what tests of the reader and of the loader feed them: bytes that grow, a generator of small FASTQ and
 * FASTA texts, a writer of gzip files with stored blocks, files, and an allocator that counts.
 *
 * Include it after biostream.h and test.h.
 */
#ifndef INPUTS_H
#define INPUTS_H

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

/* Titles of every shape: a name alone, blanks and tabs, a mate's number, a long name, none at all. */
static void text_title(char title[256], uint32_t number, int odd, uint64_t *random) {
    static const char *const shapes[] = {"r%u of a test",    "r%u",    "r%u\tx  y",
                                         "r%u/1 1:N:0:ACGT", " r%u b", ""};
    uint32_t shape = odd ? random_below(random, 7) : 0;
    if (shape == 6) {
        memset(title, 'n', 200);
        snprintf(title + 100 + number % 60, 90, "%u long name", (unsigned)number);
    } else {
        snprintf(title, 256, shapes[shape], (unsigned)number);
    }
}

/* One record. Qualities may start with '@' or '+'; every third '+' line repeats the title. */
static void text_record(bytes *text, const text_shape *shape, uint32_t number, uint64_t *random) {
    char title[256];
    uint32_t bases = shape->min_bases + random_below(random, shape->max_bases - shape->min_bases + 1), i;
    text_title(title, number, shape->odd_bases, random);
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
    i = shape->crlf ? 2 : 1;
    if (shape->no_last_feed && shape->records > 0 && text->data[text->count - i - 1] != '\n') {
        text->count -= i; /* the last line is not an empty one */
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

/* 1: an allocation has failed. Workers that still run may note that, under the lock. */
TEST_MAYBE_UNUSED static int counted_refused(counted *count) {
    int refused;
    pthread_mutex_lock(&count->lock);
    refused = count->refused;
    pthread_mutex_unlock(&count->lock);
    return refused;
}

TEST_MAYBE_UNUSED static biost_allocator counted_allocator(counted *count) {
    biost_allocator allocator;
    counted_begin(count);
    allocator.alloc = counted_alloc;
    allocator.free = counted_free;
    allocator.user_data = count;
    return allocator;
}

#endif /* INPUTS_H */
