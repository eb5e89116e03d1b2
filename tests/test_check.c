/*
 * test_check.c - every kernel of >>check against plain byte loops written here: all byte values at all
 * places, all lengths and alignments, hostile bytes around the text, and unreadable pages after and
 * before it.
 *
 * rooms: check
 * needs: nothing
 */
#include "white.h"
#include "test.h"
#include <sys/mman.h>
#include <unistd.h>

/* ---- kernels and memory ---- */

typedef struct kernel_set {
    const char *name;
    uint32_t cpu;
    size_t slack; /* bytes it may read after those named */
    bsi_check_kernels call;
} kernel_set;

#define MOST_SETS 5

/* All kernels that this processor can run, the portable ones first. */
static size_t kernel_sets(kernel_set *sets) {
    static const kernel_set known[MOST_SETS] = {
        {"scalar", 0, 0, {0, 0, 0, 0, 0, 0, 0, 0}},
        {"SSE2", BIOST_CPU_SSE2, 63, {0, 0, 0, 0, 0, 0, 0, 0}},
        {"AVX2", BIOST_CPU_SSE2 | BIOST_CPU_AVX2, 63, {0, 0, 0, 0, 0, 0, 0, 0}},
        {"AVX-512 VBMI",
         BIOST_CPU_SSE2 | BIOST_CPU_AVX2 | BIOST_CPU_AVX512_VBMI,
         63,
         {0, 0, 0, 0, 0, 0, 0, 0}},
        {"NEON", BIOST_CPU_NEON, 63, {0, 0, 0, 0, 0, 0, 0, 0}}};
    uint32_t features = bsi_cpu_features();
    size_t count = 0;
    for (size_t i = 0; i < MOST_SETS; i++) {
        if ((known[i].cpu & ~features) == 0) {
            sets[count] = known[i];
            bsi_kernels_check(&sets[count++].call, known[i].cpu);
        }
    }
    return count;
}

/* Memory between two pages that may be neither read nor written. */
typedef struct arena {
    uint8_t *from, *end;
    uint8_t *map;
    size_t map_bytes;
} arena;

static arena arena_open(size_t bytes) {
    arena a;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (bytes + page - 1) / page * page;
    void *map = mmap(NULL, inside + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map, page, PROT_NONE) != 0 ||
        mprotect((uint8_t *)map + page + inside, page, PROT_NONE) != 0) {
        printf("no memory\n");
        exit(1);
    }
    a.map = (uint8_t *)map;
    a.map_bytes = inside + 2 * page;
    a.from = a.map + page;
    a.end = a.from + inside;
    return a;
}

static void arena_close(arena *a) {
    munmap(a->map, a->map_bytes);
}

static const uint8_t hostile[] = {'\n', '\r', 0, 255, ' ', 127, '>', 'G', 'N', '!', 126};

static uint8_t hostile_byte(uint64_t *random) {
    return hostile[test_random(random) % sizeof hostile];
}

static void fill_hostile(uint8_t *to, size_t bytes, uint64_t *random) {
    memset(to, hostile_byte(random), bytes);
}

static size_t below(uint64_t *random, size_t limit) {
    return (size_t)(test_random(random) % limit);
}

/* ---- lines ---- */

static size_t plain_lines(const uint8_t *text, size_t begin, size_t end, uint32_t *positions) {
    size_t count = 0;
    for (size_t i = begin; i < end; i++) {
        if (text[i] == '\n') {
            positions[count++] = (uint32_t)i;
        }
    }
    return count;
}

/* The text's range through one kernel. Entries after the last stay as they were. */
static void check_lines(const kernel_set *set, const uint8_t *text, size_t begin, size_t end) {
    static uint32_t expected[70000], actual[70000];
    size_t count = plain_lines(text, begin, end, expected), found;
    memset(actual, 0x5A, (end - begin + 1) * sizeof actual[0]);
    found = set->call.lines(text, begin, end, actual);
    if (CHECK_EQ_U64(found, count)) {
        CHECK_MEM((const uint8_t *)actual, (const uint8_t *)expected, count * sizeof actual[0]);
    }
    CHECK_EQ_U64(actual[count], 0x5A5A5A5Au);
}

/* Text as it comes: `rare` bytes between two line ends on average, now and then CR or NUL. */
static void fill_text(uint8_t *to, size_t bytes, size_t rare, uint64_t *random) {
    int has_odd = below(random, 3) == 0;
    for (size_t i = 0; i < bytes; i++) {
        size_t draw = below(random, rare);
        to[i] = draw == 0 ? '\n' : (uint8_t)(14 + below(random, 242));
        if (has_odd && below(random, bytes) == 0) {
            to[i] = draw % 2 == 0 ? '\r' : 0;
        }
    }
}

TEST(check, lines_lengths_and_alignments) {
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets);
    arena a = arena_open(1024);
    uint64_t random = test_seed();
    for (size_t bytes = 0; bytes <= 300; bytes++) {
        for (size_t shift = 0; shift < 64; shift++) {
            static const size_t rares[] = {1, 2, 8, 70, 1000};
            fill_hostile(a.from, 1024, &random);
            fill_text(a.from + 64 + shift, bytes, rares[below(&random, 5)], &random);
            for (size_t k = 0; k < count; k++) {
                size_t begin = below(&random, 65);
                test_note("%s: %u bytes at %u", sets[k].name, (unsigned)bytes, (unsigned)shift);
                check_lines(&sets[k], a.from + 64 + shift - begin, begin, begin + bytes);
            }
        }
    }
    arena_close(&a);
}

/* Each byte value alone at each place, with LF or the letter A in all others. */
TEST(check, lines_every_byte) {
    static uint8_t text[64 + 150 + 64];
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets);
    for (size_t byte = 0; byte < 256; byte++) {
        for (size_t at = 0; at < 150; at++) {
            for (size_t k = 0; k < count; k++) {
                memset(text, at % 3 == 0 ? '\n' : 'A', sizeof text);
                text[64 + at] = (uint8_t)byte;
                test_note("%s: byte %u at %u", sets[k].name, (unsigned)byte, (unsigned)at);
                check_lines(&sets[k], text, 64, 64 + 150);
            }
        }
    }
}

/* Every byte of the padding and in front is hostile, or may not be read at all. */
TEST(check, lines_borders) {
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets);
    arena a = arena_open(4096);
    uint64_t random = test_seed();
    for (size_t bytes = 0; bytes <= 300; bytes++) {
        for (size_t k = 0; k < count; k++) {
            uint8_t *text = a.end - sets[k].slack - bytes;
            test_note("%s: %u bytes", sets[k].name, (unsigned)bytes);
            fill_hostile(a.end - 512, 512, &random);
            fill_text(text, bytes, 70, &random);
            check_lines(&sets[k], text, 0, bytes);
            fill_hostile(a.from, 512, &random);
            fill_text(a.from, bytes, 70, &random);
            check_lines(&sets[k], a.from, 0, bytes);
        }
    }
    arena_close(&a);
}

TEST(check, lines_long) {
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets), bytes = 65536;
    uint64_t random = test_seed();
    uint8_t *text = test_copy(NULL, bytes + 64);
    for (size_t rare = 1; rare < 4000; rare = rare * 3 + 1) {
        fill_text(text, bytes, rare, &random);
        fill_hostile(text + bytes, 64, &random);
        for (size_t k = 0; k < count; k++) {
            size_t begin = below(&random, 100), end = bytes - below(&random, 100);
            test_note("%s: a line end in %u", sets[k].name, (unsigned)rare);
            check_lines(&sets[k], text, begin, end);
        }
    }
    free(text);
}

/* ---- title ---- */

static size_t plain_title(const uint8_t *from, size_t bytes) {
    size_t word = bytes;
    for (size_t i = bytes; i-- > 0;) {
        if (from[i] == '\r' || from[i] == 0) {
            return SIZE_MAX;
        }
        if (from[i] == ' ' || from[i] == '\t') {
            word = i;
        }
    }
    return word;
}

/* Titles of every length at the end and at the start of memory, few bytes in them that matter. */
TEST(check, title_lengths_and_borders) {
    static const uint8_t special[] = {' ', '\t', '\r', 0, '\n', 0x0B, 0x0C, 0x0E, 0x20 | 0x80, 0x89};
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets);
    arena a = arena_open(4096);
    uint64_t random = test_seed();
    for (size_t bytes = 0; bytes <= 300; bytes++) {
        for (size_t turn = 0; turn < 12; turn++) {
            fill_hostile(a.from, 4096, &random);
            for (size_t k = 0; k < count; k++) {
                uint8_t *ends = a.end - sets[k].slack - bytes;
                memset(a.from, 'r', bytes);
                for (size_t i = 0; bytes > 0 && i < turn / 2; i++) {
                    a.from[below(&random, bytes)] = special[below(&random, sizeof special)];
                }
                test_note("%s: %u bytes", sets[k].name, (unsigned)bytes);
                CHECK_EQ_U64(sets[k].call.title(a.from, bytes), plain_title(a.from, bytes));
                memcpy(ends, a.from, bytes);
                CHECK_EQ_U64(sets[k].call.title(ends, bytes), plain_title(ends, bytes));
            }
        }
    }
    arena_close(&a);
}

/* Each byte value alone at each place of a title. */
TEST(check, title_every_byte) {
    static uint8_t text[150 + 64];
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets);
    for (size_t byte = 0; byte < 256; byte++) {
        for (size_t at = 0; at < 150; at++) {
            size_t expected = byte == 0 || byte == '\r' ? SIZE_MAX : byte == ' ' || byte == '\t' ? at : 150;
            memset(text, 'x', 150);
            text[at] = (uint8_t)byte;
            for (size_t k = 0; k < count; k++) {
                test_note("%s: byte %u at %u", sets[k].name, (unsigned)byte, (unsigned)at);
                CHECK_EQ_U64(sets[k].call.title(text, 150), expected);
            }
        }
    }
}

/* ---- span, spans, spans_stats ---- */

static int plain_span(const uint8_t *from, size_t bytes, uint8_t low) {
    for (size_t i = 0; i < bytes; i++) {
        if (from[i] < low || from[i] > 126) {
            return 0;
        }
    }
    return 1;
}

static void plain_count(const uint8_t *seq, size_t bytes, biost_stats *stats) {
    for (size_t i = 0; i < bytes; i++) {
        const char *letters = "ACGTacgt", *gc = "GCgc", *n = "Nn";
        stats->acgt_count += seq[i] != 0 && strchr(letters, seq[i]) != NULL;
        stats->gc_count += seq[i] != 0 && strchr(gc, seq[i]) != NULL;
        stats->n_count += seq[i] != 0 && strchr(n, seq[i]) != NULL;
    }
}

/*
 * 10^(-q/10) * 2^31, rounded: q times a factor of 10^(-1/10). Its 20 digits and the products' 64 bits
 * leave an error below 1e-8, and no value is nearer than 0.0029 to a half.
 */
static uint64_t plain_error(unsigned score) {
    long double value = 2147483648.0L;
    for (unsigned q = 0; q < score; q++) {
        value *= 0.79432823472428150207L;
    }
    return (uint64_t)(value + 0.5L);
}

static biost_stats plain_stats(const uint8_t *seq, const uint8_t *qual, size_t bytes, uint8_t zero) {
    static uint64_t errors[94];
    biost_stats stats;
    memset(&stats, 0, sizeof stats);
    for (unsigned q = 0; errors[0] == 0 && q < 94; q++) {
        errors[93 - q] = plain_error(93 - q);
    }
    plain_count(seq, bytes, &stats);
    for (size_t i = 0; i < bytes; i++) {
        uint32_t score = (uint32_t)qual[i] - zero;
        stats.qual_sum += score;
        stats.error_sum += errors[score];
        stats.qual_min = i == 0 || score < stats.qual_min ? score : stats.qual_min;
        stats.qual_max = score > stats.qual_max ? score : stats.qual_max;
    }
    return stats;
}

static void check_stats(const biost_stats *actual, const biost_stats *expected) {
    CHECK_EQ_U64(actual->qual_sum, expected->qual_sum);
    CHECK_EQ_U64(actual->error_sum, expected->error_sum);
    CHECK_EQ_U64(actual->acgt_count, expected->acgt_count);
    CHECK_EQ_U64(actual->gc_count, expected->gc_count);
    CHECK_EQ_U64(actual->n_count, expected->n_count);
    CHECK_EQ_U64(actual->qual_min, expected->qual_min);
    CHECK_EQ_U64(actual->qual_max, expected->qual_max);
}

/* All kernels that look at a read, over one. */
static void check_read(const kernel_set *set, const uint8_t *seq, const uint8_t *qual, size_t bytes,
                       uint8_t low) {
    int seq_good = plain_span(seq, bytes, 33), qual_good = plain_span(qual, bytes, low);
    biost_stats stats, expected, counts;
    CHECK_EQ_I64(set->call.span(seq, bytes, 33, 0), seq_good);
    CHECK_EQ_I64(set->call.span(qual, bytes, low, 0), qual_good);
    CHECK_EQ_I64(set->call.span(seq, bytes, 33, 'N'), seq_good && memchr(seq, 'N', bytes) == NULL);
    CHECK_EQ_I64(set->call.span(qual, bytes, low, '~'), qual_good && memchr(qual, '~', bytes) == NULL);
    CHECK_EQ_I64(set->call.spans(seq, qual, bytes, low), seq_good && qual_good);
    memset(&stats, 0xEE, sizeof stats);
    CHECK_EQ_I64(set->call.spans_stats(seq, qual, bytes, low, &stats), seq_good && qual_good);
    if (seq_good && qual_good) {
        expected = plain_stats(seq, qual, bytes, low);
        check_stats(&stats, &expected);
    }
    memset(&counts, 0x11, sizeof counts);
    expected = counts;
    plain_count(seq, bytes, &expected);
    set->call.count(seq, bytes, &counts);
    check_stats(&counts, &expected);
}

/* Legal bytes, many of them letters, and in one of three reads one byte of any value. */
static void fill_read(uint8_t *to, size_t bytes, uint8_t low, uint64_t *random) {
    static const char letters[] = "ACGTNacgtnUuBSx";
    size_t mix = below(random, 3);
    for (size_t i = 0; i < bytes; i++) {
        to[i] = (uint8_t)(low + below(random, 127u - low));
        if (low == 33 && mix > 0) {
            to[i] = (uint8_t)letters[below(random, mix == 1 ? 5 : sizeof letters - 1)];
        }
    }
    if (bytes > 0 && below(random, 3) == 0) {
        to[below(random, bytes)] = (uint8_t)test_random(random);
    }
}

TEST(check, spans_lengths_and_alignments) {
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets);
    arena a = arena_open(2048);
    uint64_t random = test_seed();
    for (size_t bytes = 0; bytes <= 300; bytes++) {
        for (size_t shift = 0; shift < 64; shift++) {
            uint8_t low = below(&random, 2) == 0 ? 33 : 64;
            uint8_t *seq = a.from + 64 + shift, *qual = a.from + 1024 + below(&random, 64);
            fill_hostile(a.from, 1024, &random);
            fill_hostile(a.from + 1024, 1024, &random);
            fill_read(seq, bytes, 33, &random);
            fill_read(qual, bytes, low, &random);
            for (size_t k = 0; k < count; k++) {
                test_note("%s: %u bytes at %u, low %u", sets[k].name, (unsigned)bytes, (unsigned)shift, low);
                check_read(&sets[k], seq, qual, bytes, low);
            }
        }
    }
    arena_close(&a);
}

/* Each byte value at each place of reads of some lengths, in the sequence and in the quality. */
TEST(check, spans_every_byte) {
    static const size_t lengths[] = {1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 151};
    static uint8_t seq[300], qual[300];
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets);
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        for (size_t at = 0; at < lengths[l] * 256; at += test_effort(5, 1)) {
            uint8_t low = at % 2 == 0 ? 33 : 64, byte = (uint8_t)(at & 255);
            memset(seq, 'A' + at % 7, sizeof seq);
            memset(qual, 64 + at % 63, sizeof qual);
            for (size_t k = 0; k < count; k++) {
                test_note("%s: byte %u at %u of %u", sets[k].name, byte, (unsigned)(at >> 8),
                          (unsigned)lengths[l]);
                seq[at >> 8] = byte;
                check_read(&sets[k], seq, qual, lengths[l], low);
                check_read(&sets[k], seq, qual, lengths[l], (uint8_t)(97 - low));
                seq[at >> 8] = 'A';
                qual[at >> 8] = byte;
                check_read(&sets[k], seq, qual, lengths[l], low);
                check_read(&sets[k], seq, qual, lengths[l], (uint8_t)(97 - low));
                qual[at >> 8] = 64;
            }
        }
    }
}

TEST(check, spans_borders) {
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets);
    arena a = arena_open(4096), b = arena_open(4096);
    uint64_t random = test_seed();
    for (size_t bytes = 0; bytes <= 300; bytes++) {
        for (size_t k = 0; k < 4 * count; k++) {
            const kernel_set *set = &sets[k / 4];
            uint8_t *seq = k % 2 == 0 ? a.from : a.end - set->slack - bytes;
            uint8_t *qual = k / 2 % 2 == 0 ? b.from : b.end - set->slack - bytes;
            test_note("%s: %u bytes", set->name, (unsigned)bytes);
            fill_hostile(a.from, (size_t)(a.end - a.from), &random);
            fill_hostile(b.from, (size_t)(b.end - b.from), &random);
            fill_read(seq, bytes, 33, &random);
            fill_read(qual, bytes, 33, &random);
            check_read(set, seq, qual, bytes, 33);
        }
    }
    arena_close(&a);
    arena_close(&b);
}

/* Long enough for counters of one byte to run over, were they not emptied. */
TEST(check, spans_long) {
    static const char letters[] = "ACGTNgcnX";
    static uint8_t seq[20064], qual[20064];
    static const size_t lengths[] = {255 * 16, 255 * 16 + 1, 255 * 32 - 1, 255 * 32, 255 * 32 + 1, 20000};
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets);
    for (size_t i = 0; i < 6 * (sizeof letters - 1); i++) {
        memset(seq, letters[i / 6], sizeof seq);
        memset(qual, 64 + (int)i, sizeof qual);
        for (size_t k = 0; k < count; k++) {
            test_note("%s: %u times %c", sets[k].name, (unsigned)lengths[i % 6], letters[i / 6]);
            check_read(&sets[k], seq, qual, lengths[i % 6], 33);
            check_read(&sets[k], seq, qual, lengths[i % 6], 64);
        }
    }
    memset(qual, 126, sizeof qual);
    for (size_t k = 0; k < count; k++) {
        check_read(&sets[k], seq, qual, 20000, 33);
    }
}

/* Known reads: 'A' of score 0 is wrong for certain, 'C' of 10 once in ten, 'n' of 20 in a hundred. */
TEST(check, stats_by_hand) {
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets);
    uint8_t seq[128], qual[128];
    memset(seq, '>', sizeof seq);
    memset(qual, 0, sizeof qual);
    memcpy(seq, "ACnU", 4);
    memcpy(qual, "!+5I", 4);
    for (size_t k = 0; k < count; k++) {
        biost_stats stats;
        test_note("%s", sets[k].name);
        memset(&stats, 0xEE, sizeof stats);
        CHECK_EQ_I64(sets[k].call.spans_stats(seq, qual, 4, 33, &stats), 1);
        CHECK_EQ_U64(stats.qual_sum, 0 + 10 + 20 + 40);
        CHECK_EQ_U64(stats.error_sum, 2147483648u + 214748365u + 21474836u + 214748u);
        CHECK_EQ_U64(stats.acgt_count, 2);
        CHECK_EQ_U64(stats.gc_count, 1);
        CHECK_EQ_U64(stats.n_count, 1);
        CHECK_EQ_U64(stats.qual_min, 0);
        CHECK_EQ_U64(stats.qual_max, 40);
        memset(&stats, 0xEE, sizeof stats);
        CHECK_EQ_I64(sets[k].call.spans_stats(seq, qual, 0, 33, &stats), 1);
        CHECK_EQ_U64(stats.qual_sum | stats.error_sum | stats.acgt_count | stats.gc_count, 0);
        CHECK_EQ_U64(stats.n_count | stats.qual_min | stats.qual_max, 0);
    }
}

/* One base of each score, from both zeros. */
TEST(check, error_table) {
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets);
    uint8_t seq[128], qual[128];
    memset(seq, 'A', sizeof seq);
    memset(qual, 'I', sizeof qual);
    for (unsigned score = 0; score < 94; score++) {
        CHECK_EQ_U64(bsi_check_errors[64 + score], plain_error(score));
        for (size_t k = 0; k < 2 * count; k++) {
            unsigned zero = k % 2 == 0 ? 33 : 64;
            biost_stats stats;
            qual[0] = (uint8_t)(zero + score);
            test_note("%s: score %u from %u", sets[k / 2].name, score, zero);
            if (zero + score <= 126) {
                CHECK_EQ_I64(sets[k / 2].call.spans_stats(seq, qual, 1, (uint8_t)zero, &stats), 1);
                CHECK_EQ_U64(stats.error_sum, plain_error(score));
            }
        }
    }
}

/* ---- join ---- */

typedef struct layout {
    size_t to, from, end; /* offsets in one buffer, or in two */
    size_t width, feed_bytes;
    int keep_gt;
} layout;

static size_t plain_join(uint8_t *to, const uint8_t *from, const uint8_t *end, const layout *l) {
    size_t lines = 0;
    for (;; lines++) {
        const uint8_t *line = from + lines * (l->width + l->feed_bytes);
        int good = (size_t)(end - line) >= l->width + l->feed_bytes;
        for (size_t i = 0; good && i < l->width; i++) {
            good = line[i] >= 33 && line[i] <= 126 && (l->keep_gt || line[i] != '>');
        }
        if (!good || strchr(">;@+", line[0]) != NULL || line[l->width + l->feed_bytes - 1] != '\n' ||
            (l->feed_bytes == 2 && line[l->width] != '\r')) {
            return lines;
        }
        for (size_t i = 0; i < l->width; i++) {
            to[lines * l->width + i] = line[i];
        }
    }
}

/* Join within one buffer, in place or backwards; all of it must look as the plain loop leaves it. */
static size_t check_join_inside(const kernel_set *set, const uint8_t *text, size_t bytes, const layout *l) {
    static uint8_t expected[20000], actual[20000];
    size_t lines;
    memcpy(expected, text, bytes);
    memcpy(actual, text, bytes);
    lines = plain_join(expected + l->to, expected + l->from, expected + l->end, l);
    CHECK_EQ_U64(set->call.join(actual + l->to, actual + l->from, actual + l->end, l->width, l->feed_bytes,
                                l->keep_gt),
                 lines);
    CHECK_MEM(actual, expected, bytes);
    return lines;
}

/* Lines of legal bytes, without '>' and with no mark in front. */
static size_t fill_lines(uint8_t *to, size_t lines, const layout *l, uint64_t *random) {
    uint8_t *at = to;
    for (size_t line = 0; line < lines; line++) {
        for (size_t i = 0; i < l->width; i++) {
            *at = (uint8_t)(33 + below(random, 94));
            *at = *at == '>' || (i == 0 && strchr(";@+", *at) != NULL) ? 'A' : *at;
            at++;
        }
        if (l->feed_bytes == 2) {
            *at++ = '\r';
        }
        *at++ = '\n';
    }
    return (size_t)(at - to);
}

#define FLAWS 9

/* Spoil the line at `at`, or the end of the text. */
static void spoil(uint8_t *text, size_t at, size_t flaw, layout *l, uint64_t *random) {
    uint8_t *line = text + at;
    size_t place = below(random, l->width);
    switch (flaw) {
    case 0: break;
    case 1: l->end -= 1; break;
    case 2: line[place] = hostile_byte(random); break;
    case 3: line[place] = '>'; break;
    case 4: line[0] = (uint8_t) ">;@+"[below(random, 4)]; break;
    case 5: line[place] = '\n'; break;
    case 6: line[l->width + l->feed_bytes - 1] = 'A'; break;
    case 7: line[l->width] = l->feed_bytes == 2 ? 'A' : '\r'; break;
    default: line[place] = (uint8_t)test_random(random); break;
    }
}

/* All widths to 200, each reason to stop, over gaps that shorten and lengthen the overlap. */
TEST(check, join_inside) {
    static const size_t gaps[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 95, 200, 1000};
    static uint8_t text[20000];
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets), longest = 0;
    uint64_t random = test_seed();
    for (size_t i = 0; i < 200 * FLAWS * 15; i++) {
        layout l;
        size_t flaw = i % FLAWS, lines = below(&random, 8), bytes;
        l.width = 1 + i / FLAWS % 200;
        l.feed_bytes = 1 + below(&random, 2);
        l.keep_gt = (int)below(&random, 2);
        l.to = below(&random, 64);
        l.from = l.to + gaps[i / FLAWS / 200];
        fill_hostile(text, sizeof text, &random);
        l.end = l.from + fill_lines(text + l.from, lines + 1, &l, &random);
        bytes = l.end + 64;
        spoil(text, l.from + lines * (l.width + l.feed_bytes), flaw, &l, &random);
        for (size_t k = 0; k < count; k++) {
            size_t joined;
            test_note("%s: width %u, line end %u, gap %u, flaw %u in line %u, keep_gt %d", sets[k].name,
                      (unsigned)l.width, (unsigned)l.feed_bytes, (unsigned)(l.from - l.to), (unsigned)flaw,
                      (unsigned)lines, l.keep_gt);
            joined = check_join_inside(&sets[k], text, bytes, &l);
            longest = BSI_MAX(longest, joined);
            if (flaw == 1 || flaw == 4 || flaw == 5 || (flaw == 3 && !l.keep_gt)) {
                CHECK_EQ_U64(joined, lines);
            } else if (flaw == 0) {
                CHECK_EQ_U64(joined, lines + 1);
            }
        }
    }
    CHECK_EQ_U64(longest, 8);
}

/* Each byte value at each place of the second of three lines, with '>' as a base and without. */
TEST(check, join_every_byte) {
    static const size_t widths[] = {1, 2, 15, 16, 17, 31, 32, 33, 60, 64, 65, 80, 96, 97, 130};
    static uint8_t text[1000];
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets);
    uint64_t random = test_seed();
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        for (size_t i = 0; i < widths[w] * 512; i += test_effort(5, 1)) {
            layout l = {0, 10, 0, 0, 1, 0};
            l.width = widths[w];
            l.keep_gt = (int)(i & 1);
            memset(text, 0, sizeof text);
            l.end = l.from + fill_lines(text + l.from, 3, &l, &random);
            text[l.from + l.width + 1 + (i >> 9)] = (uint8_t)(i >> 1 & 255);
            for (size_t k = 0; k < count; k++) {
                test_note("%s: width %u, byte %u at %u", sets[k].name, (unsigned)l.width,
                          (unsigned)(i >> 1 & 255), (unsigned)(i >> 9));
                check_join_inside(&sets[k], text, l.end + 64, &l);
            }
        }
    }
}

/* From one arena into another: the text ends before an unreadable page, the room after `to` too. */
TEST(check, join_borders) {
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets);
    arena a = arena_open(4096), b = arena_open(4096);
    uint64_t random = test_seed();
    for (size_t i = 0; i < 2 * 2 * 200 * count; i++) {
        const kernel_set *set = &sets[i % count];
        layout l = {0, 0, 0, 1, 1, 0};
        size_t lines, bytes;
        uint8_t *from, *to;
        l.width = 1 + i / count % 200;
        l.feed_bytes = 1 + i / count / 200 % 2;
        lines = below(&random, 12);
        bytes = lines * (l.width + l.feed_bytes);
        from = i / count / 400 == 0 ? a.from : a.end - set->slack - bytes;
        to = b.end - lines * l.width;
        fill_hostile(a.from, (size_t)(a.end - a.from), &random);
        memset(b.from, 0x5A, (size_t)(b.end - b.from));
        fill_lines(from, lines, &l, &random);
        test_note("%s: %u lines of %u", set->name, (unsigned)lines, (unsigned)l.width);
        CHECK_EQ_U64(set->call.join(to, from, from + bytes, l.width, l.feed_bytes, 0), lines);
        for (size_t line = 0; line < lines; line++) {
            CHECK_MEM(to + line * l.width, from + line * (l.width + l.feed_bytes), l.width);
        }
        CHECK_EQ_U64(to[-1], 0x5A);
    }
    arena_close(&a);
    arena_close(&b);
}

/* ---- FASTA records ---- */

/* What the kernel gives, found line by line: of the text before `bytes` the ends of lines are known. */
typedef struct plain_rows {
    uint32_t used, count;
    biost_record_row rows[64];
    uint32_t words[64];
} plain_rows;

/* Whether a line is bases; `allowed` is a string, or NULL. */
static int plain_bases(const uint8_t *line, size_t bytes, int hole, const char *allowed) {
    int good = bytes > 0 && strchr(">;@+", line[0]) == NULL;
    for (size_t i = 0; good && i < bytes; i++) {
        good = line[i] >= 33 && line[i] <= 126 && line[i] != hole &&
               (allowed == NULL || strchr(allowed, line[i]) != NULL);
    }
    return good;
}

/* The record at `at`: its lines, or 0. The bases are moved together only if it is one. */
static uint32_t plain_record(uint8_t *text, size_t bytes, size_t at, const bsi_check_fasta *f,
                             const char *allowed, plain_rows *out) {
    biost_record_row *row = &out->rows[out->count];
    size_t starts[20], ends[20], next = at, last = at;
    uint32_t lines = 0, i;
    while (lines == 0 || text[next] != '>') {
        const uint8_t *feed = (const uint8_t *)memchr(text + next, '\n', bytes - next);
        if (feed == NULL || lines == BSI_CHECK_FASTA_LINES) {
            return 0;
        }
        last = (size_t)(feed - text);
        starts[lines] = next;
        ends[lines] = last - (last > next && text[last - 1] == '\r');
        next = last + 1;
        ++lines;
    }
    memset(row, 0, sizeof *row);
    row->start = (uint32_t)at;
    row->title_bytes = (uint32_t)(ends[0] - at - 1);
    row->seq = (uint32_t)starts[lines > 1];
    out->words[out->count] = 0;
    while (out->words[out->count] < row->title_bytes &&
           strchr(" \t", text[at + 1 + out->words[out->count]]) == NULL) {
        ++out->words[out->count];
    }
    for (i = 1; i < lines &&
                plain_bases(text + starts[i], ends[i] - starts[i], f->rules->keep_gt ? 0 : '>', allowed);
         ++i) {
        row->bases += (uint32_t)(ends[i] - starts[i]);
    }
    if (text[at] != '>' || memchr(text + at, 0, ends[0] - at) != NULL ||
        memchr(text + at, '\r', ends[0] - at) != NULL ||
        (f->rules->pedantic && out->words[out->count] == 0) || lines < 2 || i < lines ||
        last - at > f->most) {
        return 0;
    }
    for (i = 1, next = starts[1]; i < lines; ++i) {
        for (last = starts[i]; last < ends[i]; ++last) {
            text[next++] = text[last];
        }
    }
    return lines;
}

/* Titles, lines of bases of any width, and at times a byte that does not belong there. */
static size_t fill_fasta(uint8_t *text, size_t records, uint64_t *random) {
    static const char *const titles[] = {"r1", "sp|P1|A_B of a test, longer than a vector of bytes", " r", "",
                                         "r\tx"};
    size_t at = 0, hostile = below(random, 3);
    for (size_t record = 0; record < records; record++) {
        const char *title = titles[below(random, 8) < 4 ? 0 : below(random, 5)];
        size_t lines = below(random, 3) > 0 ? 1 : below(random, 18);
        at += (size_t)sprintf((char *)text + at, ">%s%s", title, below(random, 4) == 0 ? "\r\n" : "\n");
        for (size_t line = 0; line < lines; line++) {
            size_t width = below(random, 5) == 0 ? below(random, 130) : 1 + below(random, 40);
            for (size_t i = 0; i < width; i++) {
                text[at++] = (uint8_t) "ACGTNacgtn"[below(random, 10)];
            }
            if (hostile > 0 && width > 0 && below(random, 60) == 0) {
                text[at - 1 - below(random, width)] = hostile == 1 ? (uint8_t) ">;@+ \r*U"[below(random, 8)]
                                                                   : hostile_byte(random);
            }
            if (below(random, 4) == 0) {
                text[at++] = '\r';
            }
            text[at++] = '\n';
        }
    }
    return at;
}

static void check_fasta(const kernel_set *set, const uint8_t *from, size_t bytes, size_t known,
                        const bsi_check_fasta *settings, const char *allowed) {
    static uint8_t expected[64000], actual[64000];
    static uint32_t feeds[8000];
    biost_record_row rows[64];
    uint32_t words[64], lines;
    static plain_rows plain;
    bsi_check_fasta f = *settings;
    size_t at = 0;
    memcpy(expected, from, bytes);
    memcpy(actual, from, bytes);
    memset(&plain, 0, sizeof plain);
    while (plain.count < f.row_count && at < known &&
           (lines = plain_record(expected, known, at, &f, allowed, &plain)) > 0) {
        plain.rows[plain.count].line = 7 + plain.used;
        plain.rows[plain.count].text_offset = 1000 + (uint32_t)at;
        plain.used += lines;
        for (; lines > 0; --lines) {
            at = (size_t)((uint8_t *)memchr(from + at, '\n', bytes - at) - from) + 1;
        }
        ++plain.count;
    }
    f.text = actual;
    f.feeds = feeds;
    f.feed_count = (uint32_t)bsi_check_lines_scalar(actual, 0, known, feeds);
    f.rows = rows;
    f.words = f.words == NULL ? NULL : words;
    f.line = 7;
    f.text_offset = 1000;
    CHECK_EQ_U64(set->call.fasta(&set->call, &f), plain.used);
    CHECK_EQ_U64(f.row, plain.count);
    CHECK_EQ_U64(f.start, at);
    CHECK_EQ_U64(f.text_offset, 1000 + at);
    CHECK_EQ_U64(f.line, 7 + plain.used);
    CHECK_MEM(rows, plain.rows, f.row * sizeof rows[0]);
    if (f.words != NULL) {
        CHECK_MEM(words, plain.words, f.row * sizeof words[0]);
    }
    for (uint32_t i = 0; i < f.row;
         i++) { /* what lies between a sequence and the next record means nothing */
        CHECK_MEM(actual + rows[i].start, expected + rows[i].start,
                  rows[i].seq + rows[i].bases - rows[i].start);
    }
    CHECK_MEM(actual + at, expected + at, bytes - at);
}

/* Records as they come, cut anywhere, under each rule: rows, words and text as the plain loops leave them. */
TEST(check, fasta) {
    static uint8_t text[64000];
    kernel_set sets[MOST_SETS];
    size_t count = kernel_sets(sets);
    uint64_t random = test_seed();
    uint8_t table[256];
    memset(table, 0, sizeof table);
    for (const char *letter = "ACGTNacgtn"; *letter != '\0'; letter++) {
        table[(uint8_t)*letter] = 1;
    }
    for (size_t i = 0; i < test_effort(3000, 20000); i++) {
        bsi_check_fasta settings;
        biost_text_rules rules;
        size_t bytes = fill_fasta(text, 1 + below(&random, 20), &random), known;
        memset(&settings, 0, sizeof settings);
        memset(&rules, 0, sizeof rules);
        text[bytes] = '>';
        known = below(&random, 2) == 0 ? bytes : below(&random, bytes);
        settings.row_count = 1 + (uint32_t)below(&random, 30);
        settings.most = below(&random, 4) > 0 ? UINT32_MAX : (uint32_t)below(&random, 200);
        rules.keep_gt = below(&random, 2) == 0;
        rules.pedantic = below(&random, 4) == 0;
        settings.rules = &rules;
        settings.allowed = below(&random, 4) == 0 ? table : NULL;
        settings.words = below(&random, 2) == 0 ? &settings.row_count : NULL; /* wanted or not */
        for (size_t k = 0; k < count; k++) {
            test_note("%s: text %u, %u of %u bytes known", sets[k].name, (unsigned)i, (unsigned)known,
                      (unsigned)bytes);
            check_fasta(&sets[k], text, bytes + 64, known, &settings, settings.allowed ? "ACGTNacgtn" : NULL);
        }
    }
}

/* ---- picking ---- */

TEST(check, kernels_picked) {
    bsi_check_kernels kernels;
    bsi_kernels_check(&kernels, bsi_cpu_features());
    bsi_kernels_check(&kernels, 0);
    CHECK(kernels.lines == bsi_check_lines_scalar && kernels.join == bsi_check_join_scalar);
    CHECK(kernels.span == bsi_check_span_scalar && kernels.spans == bsi_check_spans_scalar);
    CHECK(kernels.spans_stats == bsi_check_spans_stats_scalar);
    CHECK(kernels.count == bsi_check_count_scalar);
#if BSI_CPU_X86
    bsi_kernels_check(&kernels, BIOST_CPU_SSE2);
    CHECK(kernels.lines == bsi_check_lines_16 && kernels.join == bsi_check_join_16);
    bsi_kernels_check(&kernels, BIOST_CPU_NEON);
    CHECK(kernels.lines == bsi_check_lines_scalar);
#endif
#if BSI_CPU_X86_AVX2
    bsi_kernels_check(&kernels, BIOST_CPU_AVX2);
    CHECK(kernels.lines == bsi_check_lines_avx2 && kernels.join == bsi_check_join_avx2);
    bsi_kernels_check(&kernels, BIOST_CPU_AVX2 | BIOST_CPU_SSE2);
    CHECK(kernels.spans == bsi_check_spans_avx2);
    CHECK(kernels.spans_stats == bsi_check_spans_stats_avx2);
    bsi_kernels_check(&kernels, BIOST_CPU_AVX2 | BIOST_CPU_AVX512_VBMI);
    CHECK(kernels.spans == bsi_check_spans_avx2 && kernels.lines == bsi_check_lines_vbmi);
    CHECK(kernels.spans_stats == bsi_check_spans_stats_vbmi);
    bsi_kernels_check(&kernels, BIOST_CPU_AVX512_VBMI);
    CHECK(kernels.spans_stats == bsi_check_spans_stats_scalar);
#endif
#if BSI_CPU_ARM_NEON
    CHECK(bsi_cpu_features() & BIOST_CPU_NEON);
    bsi_kernels_check(&kernels, BIOST_CPU_NEON);
    CHECK(kernels.lines == bsi_check_lines_16 && kernels.join == bsi_check_join_16);
    bsi_kernels_check(&kernels, BIOST_CPU_SSE2 | BIOST_CPU_AVX2);
    CHECK(kernels.lines == bsi_check_lines_scalar);
#endif
}
