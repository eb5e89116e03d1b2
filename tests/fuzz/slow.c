/*
 * slow.c - inputs that cost more than their bytes should. A hill climber: it tries texts that are made to be slow,
 * changes the input of each kind that costs most for its bytes at random, and says at the end how many times the usual
 * of its kind that is. And the names of a store whose XXH64 are one, which must not be chained in quadratic time.
 *
 *   cc -O2 tests/fuzz/slow.c LIBRARY -o build/fuzz/slow -pthread        the library of `make lib`
 *   build/fuzz/slow [SECONDS]        by time: of each kind, 20 by default; the last line is `N passed, N failed`
 *   sh tests/fuzz/run.sh slow [TRIES]        by instructions: so many changes of each kind, under callgrind
 *
 * Time is that of the thread, the least of several tries. Instructions, which a busy machine does not change, are counted
 * where SLOW_CALLGRIND is defined: the program reads the files that callgrind leaves (PARTS.1, PARTS.2, ...).
 *
 * A kind passes if its slowest input takes at most ten times its usual cost a byte, less in both what an input of one
 * record costs. Bytes are those of the text, or of the archive where they are more; and a line of text counts as
 * SLOW_LINE bytes more, because each may be a record, which has its own cost however short it is. A run of
 * letters that are no base, which a store keeps apart, counts as SLOW_RUN more. Run it in the repository's root.
 */
#include "../../biostream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef SLOW_CALLGRIND
#include <valgrind/callgrind.h>
#endif

#ifdef SLOW_CALLGRIND
enum {
    slow_is_counted = 1,
    SLOW_BYTES = 1 << 16,
    SLOW_NAMES = 1000
}; /* 50 times slower, and the same each time */
#else
enum { slow_is_counted = 0, SLOW_BYTES = 1 << 18, SLOW_NAMES = 20000 };
#endif
enum {
    SLOW_TIMES = 10,
    SLOW_LINE = 40,
    SLOW_RUN = 10,
    SLOW_WIDE = SLOW_BYTES / 4 - 2 /* so many of three bytes and two */
};

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

#ifdef SLOW_CALLGRIND
static const char *const slow_unit = "instructions";
static const char *slow_parts; /* what callgrind's files are called, without their number */

static void slow_start(void) {
    CALLGRIND_ZERO_STATS;
}

/* Instructions since the start, by the next file of callgrind, which is read and removed. */
static double slow_stop(void) {
    static unsigned part;
    char path[512], line[512];
    double count = 0;
    CALLGRIND_DUMP_STATS;
    snprintf(path, sizeof path, "%s.%u", slow_parts, ++part);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL &&
           sscanf(line, "summary: %lf", &count) != 1) {
    }
    if (file == NULL || count <= 0) {
        printf("%s says no count: run it under callgrind\n", path);
        exit(1);
    }
    fclose(file);
    remove(path);
    return count;
}

static int slow_is_left(double most, double start, unsigned tries) {
    (void)start;
    return tries < most;
}
#else
static const char *const slow_unit = "ns";
static double slow_started;

static void slow_start(void) {
    slow_started = slow_seconds();
}

static double slow_stop(void) {
    return (slow_seconds() - slow_started) * 1e9;
}

static int slow_is_left(double seconds, double start, unsigned tries) {
    (void)tries;
    return slow_seconds() - start < seconds;
}
#endif

/* ---- kinds: each reads an input and returns how many bytes it was ---- */

static size_t slow_lines(const slow_input *input) {
    size_t lines = 0;
    for (size_t i = 0; i < input->count; i++) {
        lines += input->bytes[i] == '\n';
    }
    return lines;
}

/* Runs of letters that are no base, in lines that are no title. */
static size_t slow_runs(const slow_input *input) {
    size_t runs = 0;
    int before = '\n', in_title = 0;
    for (size_t i = 0; i < input->count; i++) {
        int byte = input->bytes[i], is_base = byte == 'A' || byte == 'C' || byte == 'G' || byte == 'T';
        in_title = before == '\n' ? byte == '>' : in_title;
        runs += !in_title && !is_base && byte > ' ' && byte != before;
        before = byte;
    }
    return runs;
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
    return bytes;
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
    return input->count;
}

typedef struct slow_kind {
    const char *name;
    size_t (*run)(const slow_input *input);
    int fastq; /* -1: an archive */
    unsigned bases;
    int patterns; /* begin with those, too */
} slow_kind;

/* Where a climb is. */
typedef struct slow_top {
    const slow_kind *kind;
    double open;           /* what an input of one record costs */
    double cost;           /* of `best`, a byte */
    slow_input best, next; /* next is tried */
} slow_top;

/* The least of some tries, of a byte. */
static double slow_cost(const slow_top *top, const slow_input *input, int tries) {
    size_t more = top->kind->fastq >= 0 ? SLOW_LINE * slow_lines(input) : 0;
    double least = 1e18;
    more += top->kind->run == slow_store ? SLOW_RUN * slow_runs(input) : 0;
    for (int i = 0; i < (slow_is_counted ? 1 : tries); i++) {
        slow_start();
        size_t bytes = top->kind->run(input);
        double cost = (slow_stop() - top->open) / (double)(bytes + more + 1);
        least = cost < least ? cost : least;
    }
    return least;
}

/* What an input of one record costs. */
static double slow_open_cost(const slow_kind *kind) {
    char text[] = "@a\nA\n+\nI\n";
    slow_input input = {(uint8_t *)text, 10};
    double least = 1e18;
    kind->run(&input); /* so that what is made once is made */
    for (int i = 0; i < (slow_is_counted ? 1 : 9); i++) {
        slow_start();
        kind->run(&input);
        double cost = slow_stop();
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

/*
 * Texts that are made to be slow: what they begin with, whether a wide line follows, and what they are of from there on. A
 * line of bases as wide as the one before is taken at once; lines with blanks are not, however wide that one was.
 */
static const struct slow_pattern {
    const char *front;
    int wide;
    const char *unit;
} slow_patterns[] = {
    {">a\n", 1, "\n"},
    {">a\n", 1, "A \n"},
    {">a\n", 0, "A "},
    {">a\nA", 0, " "},
    {">a\nA", 0, "+;@"},
    {">a\n", 0, "ACGTACGTAC ACGTACGTAC ACGTACGTAC\n"},
    {">a\n", 0, "A\n"},
    {"", 0, ">\n"},
    {"", 0, ">a\nAC\n\n"},
    {"", 0, "@\nA\n+\nI\n"},
    {"", 0, "@a\nAC\nGT\n+\nI\nI\n@\n"},
    {"@a\nA\n+\nI\n", 0, "@\n"},
    {"@a\nA\n+\nI\n", 1, "@a\nA\n+\n"},
    {"@a\nA\n+\nI\n", 0, "@@A"},
};

static void slow_fill(slow_input *input, const struct slow_pattern *pattern) {
    size_t used = strlen(pattern->front), unit = strlen(pattern->unit);
    memcpy(input->bytes, pattern->front, used);
    if (pattern->wide) {
        memset(input->bytes + used, 'A', SLOW_WIDE);
        used += SLOW_WIDE;
        input->bytes[used++] = '\n';
    }
    for (; used + unit <= SLOW_BYTES; used += unit) {
        memcpy(input->bytes + used, pattern->unit, unit);
    }
    input->count = used;
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

/* Go on from the next input if it costs more. */
static void slow_try(slow_top *top) {
    double cost = slow_cost(top, &top->next, 1);
    if (cost > top->cost && (slow_is_counted || (cost = slow_cost(top, &top->next, 5)) > top->cost)) {
        slow_input other = top->best;
        top->best = top->next;
        top->next = other;
        top->cost = cost;
    }
}

/* Climb for some seconds, or so many tries. Returns whether the top is low enough. */
static int slow_climb(slow_top *top, double budget) {
    size_t patterns = top->kind->patterns ? sizeof slow_patterns / sizeof slow_patterns[0] : 0;
    double usual;
    unsigned tries = 0;
    top->open = slow_open_cost(top->kind);
    top->cost = usual = slow_cost(top, &top->best, 9);
    for (size_t i = 0; i < patterns; i++) {
        slow_fill(&top->next, &slow_patterns[i]);
        slow_try(top);
    }
    for (double start = slow_seconds(); slow_is_left(budget, start, tries); tries++) {
        memcpy(top->next.bytes, top->best.bytes, top->best.count);
        top->next.count = top->best.count;
        for (uint64_t i = 0; i <= slow_random() % 4; i++) {
            slow_change(&top->next);
        }
        slow_try(top);
    }
    printf("%s: usual %.2f %s a byte, slowest %.2f of %u tries: %.1f times%s\n", top->kind->name, usual,
           slow_unit, top->cost, tries, top->cost / usual, top->cost <= SLOW_TIMES * usual ? "" : " FAILED");
    return top->cost <= SLOW_TIMES * usual;
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

/* Names of one hash, or as many drawn ones: the cost of building a store of them. */
static double slow_build_names(unsigned count, int same) {
    char *text = (char *)malloc((size_t)count * 24);
    size_t used = 0;
    double cost;
    for (unsigned i = 0; text != NULL && i < count; i++) {
        uint8_t name[17] = "";
        slow_name(name);
        name[15] = same ? name[15] : (uint8_t)(33 + slow_random() % 90);
        used += (size_t)sprintf(text + used, ">%.16s\nA\n", (const char *)name);
    }
    slow_input input = {(uint8_t *)text, used};
    slow_start();
    slow_store(&input);
    cost = slow_stop();
    free(text);
    return cost;
}

static int slow_names(void) {
    double usual = slow_build_names(SLOW_NAMES, 0), same = slow_build_names(SLOW_NAMES, 1);
    int good = same <= SLOW_TIMES * usual;
    printf("%d names: %.0f %s; of one hash: %.0f: %.1f times%s\n", SLOW_NAMES, usual, slow_unit, same,
           same / usual, good ? "" : " FAILED");
    return good;
}

/* An input of the kind, and one to be changed. Returns 0 where there is no archive. */
static int slow_begin(slow_top *top) {
    top->best.bytes = (uint8_t *)malloc(SLOW_BYTES + 64);
    top->next.bytes = (uint8_t *)malloc(SLOW_BYTES + 64);
    if (top->best.bytes == NULL || top->next.bytes == NULL) {
        return 0;
    }
    if (top->kind->fastq < 0) {
        return slow_archive(&top->best);
    }
    slow_text(&top->best, top->kind->fastq, top->kind->bases);
    return 1;
}

int main(int argc, char **argv) {
    static const slow_kind kinds[] = {{"FASTQ, strict", slow_strict, 1, 150, 0},
                                      {"FASTA, strict", slow_strict, 0, 400, 1},
                                      {"FASTA of short records", slow_strict, 0, 30, 0},
                                      {"FASTQ, bad records left out", slow_skip_bad, 1, 150, 1},
                                      {"inflate", slow_inflate, -1, 0, 0},
                                      {"store of FASTA", slow_store, 0, 200, 1}};
    double budget = argc > 1 ? atof(argv[1]) : 20;
    unsigned passed = 0, count = sizeof kinds / sizeof kinds[0];
#ifdef SLOW_CALLGRIND
    slow_parts = argc > 2 ? argv[2] : "callgrind.out";
#endif
    for (unsigned i = 0; i < count; i++) {
        slow_top top;
        memset(&top, 0, sizeof top);
        top.kind = &kinds[i];
        if (!slow_begin(&top)) {
            printf("there is no archive to begin with, or no memory: run it in the repository's root\n");
            return 1;
        }
        passed += (unsigned)slow_climb(&top, budget);
        free(top.best.bytes);
        free(top.next.bytes);
    }
    passed += (unsigned)slow_names();
    printf("%u passed, %u failed\n", passed, count + 1 - passed);
    return passed != count + 1;
}
