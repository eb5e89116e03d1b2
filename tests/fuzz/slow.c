/*
 * slow.c - inputs that cost more than their bytes should. A hill climber: it changes an input of each kind at random,
 * keeps what takes longer for its bytes, and says at the end how many times the usual of its kind that is. And the names
 * of a store whose XXH64 are one, which must not be chained in quadratic time.
 *
 *   cc -O2 tests/fuzz/slow.c -DBIOSTREAM_IMPLEMENTATION -o build/fuzz/slow -pthread
 *   build/fuzz/slow [SECONDS]        of each kind, 20 by default; the last line is `N passed, N failed`
 *
 * Time is that of the thread, the least of several tries. A kind passes if its slowest input takes at most ten times the
 * nanoseconds a byte of its usual one. Bytes are those of the text, or of the archive where they are more; and a line of
 * text counts as SLOW_LINE bytes more, because each may be a record, which has its own cost however short it is. Run it
 * in the repository's root.
 */
#include "../../biostream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLOW_BYTES = 1 << 18, SLOW_TIMES = 10, SLOW_LINE = 40 };

typedef struct slow_input {
    uint8_t *bytes;
    size_t count;
} slow_input;

static uint64_t slow_state = 1;

static uint64_t slow_random(void) {
    uint64_t z = (slow_state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static double slow_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- kinds: each reads an input and returns how many bytes it was ---- */

static size_t slow_lines(const slow_input *input) {
    size_t lines = 0;
    for (size_t i = 0; i < input->count; i++) {
        lines += input->bytes[i] == '\n';
    }
    return lines;
}

static size_t slow_read(const slow_input *input, biost_text_rules rules) {
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_record record;
    size_t bytes = input->count;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = input->bytes;
    desc.memory.bytes = input->count;
    desc.text = rules;
    desc.stats = 1;
    if (biost_reader_open(&desc, &reader, NULL) == BIOST_OK) {
        biost_record_progress progress;
        while (biost_reader_next(reader, &record) == BIOST_OK) {
        }
        biost_reader_progress(reader, &progress);
        bytes = progress.text_bytes > bytes ? (size_t)progress.text_bytes : bytes;
        biost_reader_close(reader);
    }
    return bytes + SLOW_LINE * slow_lines(input);
}

static size_t slow_strict(const slow_input *input) {
    static const biost_text_rules rules;
    return slow_read(input, rules);
}

static size_t slow_skip_bad(const slow_input *input) {
    biost_text_rules rules;
    memset(&rules, 0, sizeof rules);
    rules.skip_bad = UINT64_MAX;
    rules.skip_junk = 1;
    rules.ignore_plus = 1;
    return slow_read(input, rules);
}

static size_t slow_inflate(const slow_input *input) {
    static uint8_t text[64 * SLOW_BYTES];
    size_t count = 0;
    biost_result result = biost_inflate(input->bytes, input->count, text, sizeof text, &count, NULL);
    (void)result;
    return count > input->count ? count : input->count;
}

static size_t slow_store(const slow_input *input) {
    biost_memory memory;
    biost_store_desc desc;
    biost_store *store = NULL;
    memset(&desc, 0, sizeof desc);
    memset(&memory, 0, sizeof memory);
    memory.data = input->bytes;
    memory.bytes = input->count;
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.duplicate_names = 1;
    if (biost_store_build(&desc, &store, NULL) == BIOST_OK) {
        biost_store_close(store, NULL);
    }
    return input->count + SLOW_LINE * slow_lines(input);
}

typedef size_t (*slow_kind)(const slow_input *input);

/* The least of some tries, in nanoseconds a byte. */
static double slow_cost(slow_kind kind, const slow_input *input, int tries) {
    double least = 1e9;
    for (int i = 0; i < tries; i++) {
        double start = slow_seconds();
        size_t bytes = kind(input);
        double cost = (slow_seconds() - start) * 1e9 / (double)(bytes > 0 ? bytes : 1);
        least = cost < least ? cost : least;
    }
    return least;
}

/* ---- inputs ---- */

static void slow_text(slow_input *input, int fastq, unsigned most) {
    size_t used = 0;
    for (unsigned number = 0; used + 2 * most + 64 < SLOW_BYTES; number++) {
        unsigned bases = 1 + (unsigned)(slow_random() % most);
        used += (size_t)sprintf((char *)input->bytes + used, "%cr%u x\n", fastq ? '@' : '>', number);
        for (unsigned i = 0; i < bases; i++) {
            input->bytes[used + i] = (uint8_t) "ACGT"[slow_random() & 3];
            input->bytes[used + bases + 3 + i] = 'I';
        }
        used += bases;
        if (fastq) {
            memcpy(input->bytes + used, "\n+\n", 3);
            used += bases + 3;
        }
        input->bytes[used++] = '\n';
    }
    input->count = used;
}

/* The front of an archive of reads, so that its deflate is as usual. Returns 0 where it is not there. */
static int slow_archive(slow_input *input) {
    FILE *file = fopen("examples/data/illumina_hiseqx_150bp.fastq.gz", "rb");
    if (file == NULL) {
        return 0;
    }
    input->count = fread(input->bytes, 1, SLOW_BYTES, file);
    fclose(file);
    return input->count == SLOW_BYTES;
}

/* One change: a byte, a stretch moved or doubled over another, one byte all along a stretch. */
static void slow_change(slow_input *input) {
    static const uint8_t special[] = {'\n', '\r', '@', '>', '+', ';', ' ', '\t', 'A', 'N', 'I', 0, 255};
    size_t at = (size_t)(slow_random() % input->count), from = (size_t)(slow_random() % input->count);
    size_t size = (size_t)1 << slow_random() % 17, rest = input->count - (at > from ? at : from);
    size = size < rest ? size : rest;
    switch (slow_random() % 5) {
    case 0: input->bytes[at] = (uint8_t)slow_random(); break;
    case 1: input->bytes[at] = special[slow_random() % sizeof special]; break;
    case 2: memmove(input->bytes + at, input->bytes + from, size); break;
    case 3: memset(input->bytes + at, special[slow_random() % sizeof special], size); break;
    default:
        for (size_t i = 0, step = 1 + (size_t)(slow_random() % 60); i < size; i += step) {
            input->bytes[at + i] = special[slow_random() % 7];
        }
    }
}

/* Climb for some seconds. Returns whether the top is low enough. */
static int slow_climb(const char *name, slow_kind kind, slow_input *best, double seconds) {
    slow_input next = {(uint8_t *)malloc(SLOW_BYTES), 0};
    double usual = slow_cost(kind, best, 9), most = usual, start = slow_seconds();
    unsigned tries = 0;
    while (next.bytes != NULL && slow_seconds() - start < seconds) {
        memcpy(next.bytes, best->bytes, best->count);
        next.count = best->count;
        for (uint64_t i = 0; i <= slow_random() % 4; i++) {
            slow_change(&next);
        }
        double cost = slow_cost(kind, &next, 1);
        if (cost > most && (cost = slow_cost(kind, &next, 5)) > most) {
            uint8_t *other = best->bytes;
            best->bytes = next.bytes;
            next.bytes = other;
            most = cost;
        }
        tries++;
    }
    printf("%s: usual %.2f ns a byte, slowest %.2f of %u tries: %.1f times%s\n", name, usual, most, tries,
           most / usual, most <= SLOW_TIMES * usual ? "" : " FAILED");
    free(next.bytes);
    return most <= SLOW_TIMES * usual;
}

/* ---- names of one XXH64 ---- */

/* The primes of its specification, the first two and those that undo them, modulo 2^64. */
static const uint64_t slow_prime1 = 11400714785074694791u, slow_prime2 = 14029467366897019727u;

static uint64_t slow_inverse(uint64_t odd) {
    uint64_t inverse = odd;
    for (int i = 0; i < 6; i++) {
        inverse *= 2 - odd * inverse;
    }
    return inverse;
}

static uint64_t slow_turn(uint64_t value, int bits) {
    return value << bits | value >> (64 - bits);
}

/*
 * A name of 16 bytes: the first lane is drawn, and the second undoes what it did to the hash, so that all names have one
 * hash. It is drawn again until no byte is a blank or one of control.
 */
static void slow_name(uint8_t name[16]) {
    uint64_t undo1 = slow_inverse(slow_prime1), undo2 = slow_inverse(slow_prime2);
    int good = 0;
    while (!good) {
        uint64_t lanes[2], drawn = slow_random(), hash = 2870177450012600261u + 16;
        for (int i = 0; i < 8; i++) {
            name[i] = (uint8_t)(33 + (drawn >> 8 * i & 63));
        }
        memcpy(&lanes[0], name, 8);
        hash ^= slow_turn(lanes[0] * slow_prime2, 31) * slow_prime1;
        hash = slow_turn(hash, 27) * slow_prime1 + 9650029242287828579u;
        lanes[1] = slow_turn((hash ^ 12345) * undo1, 33) *
                   undo2; /* 12345: what is left before the last steps */
        memcpy(name + 8, &lanes[1], 8);
        good = 1;
        for (int i = 8; i < 16; i++) {
            good = good && name[i] > 32 && name[i] < 127;
        }
    }
}

/* Names of one hash, or as many drawn ones: seconds to build a store of them. */
static double slow_build_names(unsigned count, int same) {
    char *text = (char *)malloc((size_t)count * 24);
    size_t used = 0;
    for (unsigned i = 0; text != NULL && i < count; i++) {
        uint8_t name[17] = "";
        slow_name(name);
        name[15] = same ? name[15] : (uint8_t)(33 + slow_random() % 90);
        used += (size_t)sprintf(text + used, ">%.16s\nA\n", (const char *)name);
    }
    slow_input input = {(uint8_t *)text, used};
    double start = slow_seconds();
    slow_store(&input);
    start = slow_seconds() - start;
    free(text);
    return start;
}

static int slow_names(void) {
    double usual = slow_build_names(20000, 0), same = slow_build_names(20000, 1);
    int good = same <= SLOW_TIMES * usual;
    printf("20000 names: %.3f s; of one hash: %.3f s: %.1f times%s\n", usual, same, same / usual,
           good ? "" : " FAILED");
    return good;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        slow_kind kind;
        int fastq; /* -1: an archive */
        unsigned bases;
    } kinds[] = {{"FASTQ, strict", slow_strict, 1, 150},
                 {"FASTA, strict", slow_strict, 0, 400},
                 {"FASTA of short records", slow_strict, 0, 30},
                 {"FASTQ, bad records left out", slow_skip_bad, 1, 150},
                 {"inflate", slow_inflate, -1, 0},
                 {"store of FASTA", slow_store, 0, 200}};
    double seconds = argc > 1 ? atof(argv[1]) : 20;
    unsigned passed = 0, count = sizeof kinds / sizeof kinds[0];
    for (unsigned i = 0; i < count; i++) {
        slow_input input = {(uint8_t *)malloc(SLOW_BYTES), 0};
        if (input.bytes == NULL) {
            return 1;
        }
        if (kinds[i].fastq < 0) {
            if (!slow_archive(&input)) {
                printf("there is no archive to begin with: run it in the repository's root\n");
                return 1;
            }
        } else {
            slow_text(&input, kinds[i].fastq, kinds[i].bases);
        }
        passed += (unsigned)slow_climb(kinds[i].name, kinds[i].kind, &input, seconds);
        free(input.bytes);
    }
    passed += (unsigned)slow_names();
    printf("%u passed, %u failed\n", passed, count + 1 - passed);
    return passed != count + 1;
}
