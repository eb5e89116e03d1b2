/*
 * test_records_agree.c - three readers of the same text must agree: the fast path, the general parser alone
 * (desc.test.general) and the reference parser of records_oracle.h. The texts are small files that were
 * damaged at random and texts made for the purpose; options, pages, chunks, workers and input are drawn
 * too. Each text is read by biost_reader_next, next_run, next_page, by all three in turn, and by the general
 * parser in one of these ways; every field of every record, the error, warnings, counts, statistics and log
 * lines are compared with the reference.
 *
 * TEST_RECORDS=100000 tries so many texts, a few thousand otherwise. Text n of a seed is always the same:
 * TEST_SEED=s TEST_RECORDS_AT=n tries that one. A text that fails is made smaller before it is shown.
 *
 * rooms: scan records
 * needs: threads library data
 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <unistd.h>

#include "../biostream.h"
#include "test.h"

#include "deflate_maker.h"
#include "patience.h"

#include "records_oracle.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define AGREE_SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define AGREE_SLOW 1
#endif
#endif
#ifndef AGREE_SLOW
#define AGREE_SLOW 0
#endif

static unsigned long records_wanted(void) {
    const char *text = getenv("TEST_RECORDS");
    return text != NULL ? strtoul(text, NULL, 0) : AGREE_SLOW ? 500 : test_effort(1000, 3000);
}

/* ---- random numbers ---- */

static uint32_t below(uint64_t *random, uint32_t bound) {
    return (uint32_t)((test_random(random) >> 33) % bound);
}

static int chance(uint64_t *random, uint32_t percent) {
    return below(random, 100) < percent;
}

/* ---- texts ---- */

static void add_bytes(ref_bytes *text, const void *from, size_t count) {
    size_t i;
    for (i = 0; i < count; ++i) {
        ref_add(text, ((const uint8_t *)from)[i]);
    }
}

static void add_words(ref_bytes *text, const char *words) {
    add_bytes(text, words, strlen(words));
}

#define SEEDS 128

static ref_bytes seeds[SEEDS];
static uint32_t seed_count;

static void seed_add(const void *data, size_t count) {
    if (CHECK(seed_count < SEEDS)) {
        add_bytes(&seeds[seed_count++], data, count);
    }
}

/* The first lines of a file, whatever it is packed with. */
static void seed_head(const char *path, unsigned lines) {
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    biost_page page;
    size_t bytes = 0;
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    test_note("%s", path);
    if (!CHECK(biost_stream_open(&desc, &stream, NULL) == BIOST_OK)) {
        return;
    }
    if (CHECK(biost_stream_next_page(stream, &page) == BIOST_OK)) {
        for (; bytes < page.text_bytes && lines > 0; ++bytes) {
            lines -= page.text[bytes] == '\n';
        }
        seed_add(page.text, bytes);
    }
    biost_stream_close(stream);
}

/* The hard cases of tests/data, the heads of real files, and texts with much in little. */
static int seeds_load(void) {
    static const char *const texts[] = {
        "@a x\nACGT\n+\nIIII\n@b\nGG\n+b\nJ!\n@c\nA\n+\n@\n",
        "@a\r\nAC\r\n+\r\nII\r\n\r\n@b\r\n\r\n+\r\n\r\n@c\r\nG\r\n+c\r\n+\r\n",
        "@a\nAC\nGT\n+\nII\n@I\n@b y\nG\nG\nG\n+b y\nI\n+\nI\n\n@c\nG\n+\n@\n",
        "@a\nACGT\n+\nII\n@b\n@b\nGG\n+\nI\nI\n    \n@c\nGA\n+\nI\nI",
        "\xEF\xBB\xBF>a x\nACGT\nAC\n\n>b\nG G\tT\n>c\n>d\nAAAAAAAAAAAAAAAAAAAA\nCCCC\n",
        ">a\r\nACGT\r\nAC\r\n>b\r\n  1 acgt acgt\r\n>c;@+\r\nA*-.\r\n",
        "@ n m\nACGTACGTACGTACGTACGT\nACG\n+n\n!~IIIIIIIIIIIIIIIIII\nIII\n@o\nA\n+\nI\n",
        "\n \t\n@a\n\n+\n\n@b\n\n+b\n\n@\nA\n+\nI\n@c\nA\n+\nI",
        "# one\n;two\n@a\nACGT  \n+\nIIII\n@b\nAC \t\r\n+\r\nII\r\n",
        ";#\n>a\nAC\n; x\nGT>C\n>b\n;\nA C \n",
        "@a\nA\n+\nI\n@b\nAC\n+\nI\n@c\nACG\n+\nIII\n@d\nA\n+\nI\n@e\nx\n@f\nAC\n+\nIJ\n",
        ">a\nAC\n@\nGT\n>b\nAC\n>c\nA\xC3\n>d\nGGG\n",
        "@a\nACGTRYSWKMBDHVUN\n+\nIIIIIIIIIIIIIIII\n@b\nEFILPQ*-.acgtn\n+\nhhhhhhhhhhhhh\n",
    };
    size_t bytes, i;
    uint8_t *table = test_read_file(TEST_DATA "/semantics/EXPECTED.tsv", &bytes);
    if (table == NULL) {
        return 0;
    }
    for (i = 0; i < bytes; ++i) {
        if ((i == 0 || table[i - 1] == '\n') && bytes - i > 6 && memcmp(table + i, "fastx/", 6) == 0) {
            const char *end = (const char *)memchr(table + i, '\t', bytes - i);
            char path[256];
            uint8_t *data;
            size_t count;
            snprintf(path, sizeof path, "%s/semantics/%.*s", TEST_DATA,
                     end == NULL ? 0 : (int)(end - (const char *)table - (ptrdiff_t)i),
                     (const char *)table + i);
            data = test_read_file(path, &count);
            if (data != NULL) {
                seed_add(data, count);
                free(data);
            }
        }
    }
    free(table);
    for (i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        seed_add(texts[i], strlen(texts[i]));
    }
    seed_head("examples/data/illumina_hiseqx_150bp.fastq.gz", 12);
    seed_head("examples/data/illumina_hiseqx_150bp.bgzf.fastq.gz", 4);
    seed_head("examples/data/tenx_v2_R1_barcode_umi.fastq", 24);
    seed_head("examples/data/tenx_v2_R2_cdna.fastq.gz", 12);
    seed_head("examples/data/ecoli_536_genome.fasta.gz", 12);
    seed_head("examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz", 15);
    return test_state.failures == 0;
}

/* How a made text looks. */
typedef struct shape {
    uint32_t records, max_bases, line_bases; /* line_bases: of sequence and quality; 0: one line each */
    int fasta, phred64, crlf;                /* crlf 2: some lines                                   */
    uint32_t odd_percent;                    /* letters that are no A C G T                          */
    uint32_t blank_percent;                  /* blank lines where they may be                        */
} shape;

static void make_end(ref_bytes *text, const shape *s, uint64_t *random) {
    add_words(text, s->crlf == 1 || (s->crlf == 2 && chance(random, 50)) ? "\r\n" : "\n");
}

static void make_bases(ref_bytes *text, const shape *s, uint32_t bases, uint64_t *random) {
    static const char odd[] = "acgtNnNnUuRYKMSWBDHVXEFILPQZJO*-.0~!";
    uint32_t i;
    for (i = 0; i < bases; ++i) {
        if (s->line_bases > 0 && i > 0 && i % s->line_bases == 0) {
            make_end(text, s, random);
        }
        ref_add(text, (uint8_t)(chance(random, s->odd_percent) ? odd[below(random, sizeof odd - 1)]
                                                               : "ACGT"[below(random, 4)]));
    }
}

static void make_quality(ref_bytes *text, const shape *s, uint32_t bases, uint64_t *random) {
    uint32_t lowest = s->phred64 ? 64 : 33, i;
    uint32_t kinds = chance(random, 50) ? 127 - lowest : 42;
    for (i = 0; i < bases; ++i) {
        if (s->line_bases > 0 && i > 0 && i % s->line_bases == 0) {
            make_end(text, s, random);
        }
        ref_add(text, (uint8_t)(lowest + below(random, kinds)));
    }
}

static void make_record(ref_bytes *text, const shape *s, uint32_t number, uint64_t *random) {
    static const char *const titles[] = {"r%u",  "r%u of a test",      "r%u\tBC:Z:AC x",
                                         " r%u", "%u:1:N:0:A+T 1:N:0", ""};
    char title[64];
    uint32_t bases = chance(random, 8)   ? 0
                     : chance(random, 2) ? below(random, 3000)
                                         : below(random, s->max_bases + 1);
    snprintf(title, sizeof title, titles[chance(random, 60) ? 1 : below(random, 6)], (unsigned)number);
    ref_add(text, s->fasta ? '>' : '@');
    add_words(text, title);
    make_end(text, s, random);
    make_bases(text, s, bases, random);
    if (bases > 0 || !s->fasta || chance(random, 20)) {
        make_end(text, s, random);
    }
    if (!s->fasta) {
        add_words(text, "+");
        if (chance(random, 20)) {
            add_words(text, title);
        }
        make_end(text, s, random);
        make_quality(text, s, bases, random);
        make_end(text, s, random);
    }
    if (chance(random, s->blank_percent)) {
        add_words(text, chance(random, 30) ? " \t" : "");
        make_end(text, s, random);
    }
}

static void make_text(ref_bytes *text, int phred64, uint64_t *random) {
    shape s;
    uint32_t i;
    memset(&s, 0, sizeof s);
    s.fasta = chance(random, 40);
    s.phred64 = phred64 && chance(random, 90);
    s.crlf = chance(random, 60) ? 0 : chance(random, 70) ? 1 : 2;
    s.records = 1 + below(random, chance(random, 20) ? 60 : 9);
    s.max_bases = s.records > 9 ? 3 : chance(random, 70) ? 12 : 150;
    s.line_bases = s.fasta              ? (chance(random, 60) ? 1 + below(random, 20) : 0)
                   : chance(random, 25) ? 1 + below(random, 8)
                                        : 0;
    s.odd_percent = chance(random, 60) ? 0 : 3;
    s.blank_percent = chance(random, 80) ? 0 : 20;
    for (i = 0; i < s.records; ++i) {
        make_record(text, &s, i, random);
    }
}

/* ---- damage ---- */

/* Replace `old` bytes at `at` by `count` others, which must not lie in the text. */
static void splice(ref_bytes *text, size_t at, size_t old, const void *from, size_t count) {
    ref_bytes out;
    memset(&out, 0, sizeof out);
    ref_add(&out, 0);
    out.count = 0;
    add_bytes(&out, text->data, at);
    add_bytes(&out, from, count);
    add_bytes(&out, text->data + at + old, text->count - at - old);
    free(text->data);
    *text = out;
}

/* The line that holds byte `at`: its start and its bytes with the LF. */
static size_t line_of(const ref_bytes *text, size_t at, size_t *out_bytes) {
    size_t end = at;
    while (at > 0 && text->data[at - 1] != '\n') {
        --at;
    }
    while (end < text->count && text->data[end] != '\n') {
        ++end;
    }
    *out_bytes = end - at + (end < text->count);
    return at;
}

/* All LF to CR LF, or all CR LF to LF. */
static void turn_ends(ref_bytes *text) {
    int dos = 0;
    size_t i;
    ref_bytes out;
    memset(&out, 0, sizeof out);
    ref_add(&out, 0);
    out.count = 0;
    for (i = 1; i < text->count; ++i) {
        dos |= text->data[i] == '\n' && text->data[i - 1] == '\r';
    }
    for (i = 0; i < text->count; ++i) {
        if (dos && text->data[i] == '\r' && i + 1 < text->count && text->data[i + 1] == '\n') {
            continue;
        }
        if (!dos && text->data[i] == '\n') {
            ref_add(&out, '\r');
        }
        ref_add(&out, text->data[i]);
    }
    free(text->data);
    *text = out;
}

static void damage(ref_bytes *text, uint64_t *random) {
    static const uint8_t special[] = {'\n', '\n', '\r', 0,    ' ',  '\t', '@', '+',  '>',
                                      ';',  '#',  0x7F, 0x80, 0xFF, 'A',  'I', '\v', 'R'};
    uint8_t byte = special[below(random, sizeof special)];
    size_t at, line, bytes, to;
    uint8_t *copy;
    if (text->count == 0) {
        ref_add(text, byte);
        return;
    }
    at = below(random, (uint32_t)text->count);
    line = line_of(text, at, &bytes);
    copy = test_copy(text->data + line, bytes);
    switch (below(random, 16)) {
    case 0:
    case 1: splice(text, at, 0, &byte, 1); break;
    case 2:
    case 3: splice(text, at, 1, &byte, 1); break;
    case 4:
    case 5: splice(text, at, 1, NULL, 0); break;
    case 6: text->data[at] ^= (uint8_t)(1u << below(random, 8)); break;
    case 7:
        splice(text, at, 0, text->data[at] == byte ? "\n" : "\r\n", text->data[at] == byte ? 1 : 2);
        break;
    case 8: splice(text, line, bytes, NULL, 0); break;
    case 9: splice(text, line, 0, copy, bytes); break;
    case 10: /* a line goes elsewhere, or is found twice */
        if (chance(random, 50)) {
            splice(text, line, bytes, NULL, 0);
        }
        to = text->count == 0 ? 0 : line_of(text, below(random, (uint32_t)text->count), &to);
        splice(text, to, 0, copy, bytes);
        break;
    case 11: text->count = at; break;
    case 12: splice(text, 0, at, NULL, 0); break;
    case 13: splice(text, line, 0, &byte, 1); break; /* at the start of a line */
    case 14:
        splice(text, line + bytes - (bytes > 0 && copy[bytes - 1] == '\n'), 0, &byte, 1);
        break; /* its end */
    default: turn_ends(text); break;
    }
    free(copy);
}

static void any_text(ref_bytes *text, int phred64, uint64_t *random) {
    if (chance(random, 50)) {
        const ref_bytes *seed = &seeds[below(random, seed_count)];
        add_bytes(text, seed->data, seed->count);
    } else {
        make_text(text, phred64, random);
    }
}

/* ---- what to do with a text ---- */

enum { BY_NEXT, BY_RUN, BY_PAGE, BY_ALL, STYLES };
static const char *const style_names[STYLES] = {"next", "next_run", "next_page", "all three"};

enum { FROM_MEMORY, FROM_BGZF, FROM_CALLBACK, FROM_STREAM };

/* How one reader is set up. */
typedef struct machine {
    int style, from;
    uint32_t page_bytes, chunk_bytes, row_count, cpu_hidden, workers, page_count;
    int general, stats, terminate;
    int peeks; /* look before some calls */
    uint64_t order_seed;
    uint64_t random; /* of pieces, calls and pages held */
} machine;

/* One input: what the reader and the reference are given. */
typedef struct input {
    ref_bytes text;
    biost_text_rules options;
    uint64_t max; /* 0: the default */
} input;

static void draw_options(biost_text_rules *o, uint64_t *random) {
    static const uint64_t skips[] = {0, 0, 1, 2, 3, 7, UINT64_MAX, UINT64_MAX};
    memset(o, 0, sizeof *o);
    if (chance(random, 55)) {
        return;
    }
    o->pedantic = chance(random, 15);
    o->four_lines = chance(random, 20);
    o->require_record = chance(random, 20);
    o->skip_comments = chance(random, 35);
    o->strip_blanks = chance(random, 30);
    o->keep_gt = chance(random, 30);
    o->ignore_plus = chance(random, 30);
    o->phred64 = chance(random, 15);
    o->letters = (biost_letters_kind)(chance(random, 30) ? 1 + below(random, 4) : 0);
    o->replace_letters = o->letters != BIOST_LETTERS_ANY && chance(random, 60);
    o->skip_junk = chance(random, 25);
    o->high_bytes = chance(random, 20);
    o->mixed = chance(random, 20);
    o->skip_bad = o->mixed ? 0 : skips[below(random, 8)];
}

/* Whether the first byte says that this is no text at all. */
static int is_binary(const ref_bytes *text) {
    return text->count > 0 && text->data[0] < ' ' &&
           (text->data[0] == 0 || strchr("\t\n\r", text->data[0]) == NULL);
}

static void draw_input(input *in, uint64_t *random) {
    unsigned edits = chance(random, 25) ? 0 : 1 + below(random, chance(random, 70) ? 2 : 8);
    memset(in, 0, sizeof *in);
    ref_add(&in->text, 0); /* never NULL */
    in->text.count = 0;
    draw_options(&in->options, random);
    any_text(&in->text, in->options.phred64, random);
    if (chance(random, in->options.mixed ? 70 : 8)) { /* the start of one, the end of another */
        ref_bytes other;
        size_t cut;
        memset(&other, 0, sizeof other);
        any_text(&other, in->options.phred64, random);
        in->text.count = in->text.count == 0 ? 0 : below(random, (uint32_t)in->text.count + 1);
        cut = other.count == 0 ? 0 : below(random, (uint32_t)other.count);
        add_bytes(&in->text, other.data == NULL ? NULL : other.data + cut, other.count - cut);
        free(other.data);
    }
    while (edits-- > 0) {
        damage(&in->text, random);
    }
    if (chance(random, 2)) {
        splice(&in->text, 0, 0, chance(random, 80) ? "\xEF\xBB\xBF" : "\xFF\xFE", chance(random, 80) ? 3 : 2);
    }
    if (is_binary(&in->text)) {
        in->text.data[0] = '\n';
    }
    in->max = chance(random, 85) ? 0 : 1 + below(random, chance(random, 50) ? 60 : 600);
}

static void draw_machine(machine *m, int style, int general, uint64_t *random) {
    static const uint32_t pages[] = {16, 16, 17, 31, 64, 100, 256, 1000, 4096, 8192};
    static const uint32_t chunks[] = {1, 2, 3, 7, 16, 100, 4095, 0, 0, 0};
    memset(m, 0, sizeof *m);
    m->style = style;
    m->general = general;
    m->from = chance(random, 70) ? FROM_MEMORY : FROM_BGZF + (int)below(random, 3);
    m->page_bytes = chance(random, 70)   ? pages[below(random, 10)]
                    : chance(random, 90) ? 16 + below(random, 300)
                                         : 0;
    m->chunk_bytes = chunks[below(random, 10)];
    m->row_count = chance(random, 60) ? 0 : 1 + below(random, 5);
    m->cpu_hidden = chance(random, 40) ? 0 : chance(random, 50) ? UINT32_MAX : (uint32_t)BIOST_CPU_AVX2;
    m->workers = chance(random, 95) ? below(random, 2) : 2 + below(random, 2);
    m->page_count = chance(random, 50) ? 0 : 1 + below(random, 6);
    m->stats = chance(random, 50);
    m->terminate = chance(random, 35);
    m->peeks = (style == BY_NEXT || style == BY_ALL) && chance(random, 35);
    m->order_seed = m->workers > 1 ? test_random(random) : 0;
    m->random = test_random(random);
}

/* ---- reading it, and comparing as it comes ---- */

#define HELD_MOST 8

typedef struct reading {
    const input *in;
    const machine *m;
    const ref *r;
    biost_reader *reader;
    biost_stream *stream; /* below it, of FROM_STREAM               */
    uint64_t random;
    size_t next_record;       /* of r.records                            */
    size_t lines;             /* of the log                              */
    size_t callback_at;       /* bytes the callback gave                 */
    uint64_t source_bytes;    /* of the input as it lies there         */
    uint64_t callback_random; /* its own: it may run on another thread */
    /* the record of which a run came, but not the last */
    int inside;
    uint64_t inside_id, inside_bases;
    /* pages held */
    biost_record_page pages[HELD_MOST];
    uint64_t sums[HELD_MOST];
    uint32_t held;
    char why[400]; /* "": all is well */
} reading;

/* Remember the first thing that is wrong. Returns 0. */
__attribute__((format(printf, 2, 3))) static int wrong(reading *g, const char *format, ...) {
    va_list arguments;
    if (g->why[0] == '\0') {
        va_start(arguments, format);
        vsnprintf(g->why, sizeof g->why, format, arguments);
        va_end(arguments);
    }
    return 0;
}

static int is_number(reading *g, const char *what, uint64_t actual, uint64_t expected) {
    return actual == expected || wrong(g, "%s is %llu, expected %llu", what, (unsigned long long)actual,
                                       (unsigned long long)expected);
}

static int is_bytes(reading *g, const char *what, const char *actual, size_t actual_bytes,
                    const uint8_t *expected, size_t bytes) {
    if (!is_number(g, what, actual_bytes, bytes)) {
        return 0;
    }
    if (actual == NULL) {
        return wrong(g, "%s is NULL", what);
    }
    return bytes == 0 || memcmp(actual, expected, bytes) == 0 ||
           wrong(g, "%s is %.*s, expected %.*s", what, (int)(bytes < 60 ? bytes : 60), actual,
                 (int)(bytes < 60 ? bytes : 60), (const char *)expected);
}

/* The record with this number as the reference has it: good, or that part of a bad one that may come in runs. */
static int find_record(const reading *g, uint64_t id, ref_record *out, int *out_good) {
    const ref_fault *bad = g->r->bad.fault != BIOST_FAULT_NONE && g->r->bad.record == id ? &g->r->bad : NULL;
    size_t i;
    *out_good = g->next_record < g->r->record_count && g->r->records[g->next_record].id == id;
    if (*out_good) {
        *out = g->r->records[g->next_record];
        return 1;
    }
    for (i = 0; i < g->r->skip_count; ++i) {
        bad = g->r->skips[i].record == id ? &g->r->skips[i] : bad;
    }
    if (bad == NULL || g->r->format != BIOST_FORMAT_FASTA || bad->line == bad->start + 1) {
        return 0; /* nothing comes of a bad title */
    }
    memset(out, 0, sizeof *out);
    ref_title_of(g->r, bad->start, out);
    out->seq = bad->seq;
    out->bases = bad->partial_bases + bad->partial_more;
    out->id = id;
    out->line = bad->start + 1;
    out->text_offset = g->r->lines[bad->start].at;
    return 1;
}

static int is_stats(reading *g, const biost_run *run) {
    biost_stats expected;
    const biost_stats *actual = run->record.stats;
    if (!g->m->stats) {
        return actual == NULL || wrong(g, "stats that were not asked for");
    }
    if (actual == NULL) {
        return wrong(g, "stats is NULL");
    }
    ref_stats((const uint8_t *)run->record.seq, (const uint8_t *)run->record.qual, run->record.seq_bases,
              &expected);
    return is_number(g, "qual_sum", actual->qual_sum, expected.qual_sum) &&
           is_number(g, "error_sum", actual->error_sum, expected.error_sum) &&
           is_number(g, "acgt_count", actual->acgt_count, expected.acgt_count) &&
           is_number(g, "gc_count", actual->gc_count, expected.gc_count) &&
           is_number(g, "n_count", actual->n_count, expected.n_count) &&
           is_number(g, "qual_min", actual->qual_min, expected.qual_min) &&
           is_number(g, "qual_max", actual->qual_max, expected.qual_max);
}

static int is_title(reading *g, const biost_record *record, const ref_record *expected) {
    const uint8_t *text = g->r->text;
    size_t title_bytes = g->m->terminate ? 0 : expected->title_bytes; /* it was cut in two */
    return is_bytes(g, "title", record->title, record->title_bytes, text + expected->title, title_bytes) &&
           is_bytes(g, "name", record->name, record->name_bytes, text + expected->name,
                    expected->name_bytes) &&
           is_bytes(g, "comment", record->comment, record->comment_bytes, text + expected->comment,
                    expected->comment_bytes);
}

/* desc.terminate: a NUL after each text. */
static int is_terminated(reading *g, const biost_record *record) {
    return !g->m->terminate ||
           (record->name[record->name_bytes] == '\0' && record->comment[record->comment_bytes] == '\0' &&
            record->seq[record->seq_bases] == '\0' &&
            (record->qual == NULL || record->qual[record->seq_bases] == '\0')) ||
           wrong(g, "record %llu is not terminated", (unsigned long long)record->id);
}

/* And each may be written to: nothing else is in it. */
static void scribble(const reading *g, const biost_record *record) {
    const char *texts[4] = {record->name, record->comment, record->seq, record->qual};
    const size_t bytes[4] = {record->name_bytes, record->comment_bytes, record->seq_bases,
                             record->qual == NULL ? 0 : record->seq_bases};
    int i;
    for (i = 0; i < 4 && g->m->terminate; ++i) {
        if (bytes[i] > 0) {
            memset((char *)(uintptr_t)texts[i], 1 + i, bytes[i]); /* bytes that no good text has */
        }
    }
}

/* A run, or a whole record as one. Returns 0 if it is not what the reference says comes next. */
static int take_run(reading *g, const biost_run *run) {
    const biost_record *record = &run->record;
    ref_record expected;
    uint64_t end = run->start_base + record->seq_bases;
    int good, fastq;
    if (run->is_first) {
        if (g->inside && find_record(g, g->inside_id, &expected, &good) && good) {
            return wrong(g, "the rest of record %llu did not come", (unsigned long long)g->inside_id);
        }
        g->inside = 0;
        g->inside_bases = 0;
    } else if (!g->inside || record->id != g->inside_id) {
        return wrong(g, "a run of record %llu inside another", (unsigned long long)record->id);
    }
    if (!find_record(g, record->id, &expected, &good)) {
        return wrong(g, "record %llu, which the reference has not there", (unsigned long long)record->id);
    }
    fastq = good ? expected.fastq : g->r->format == BIOST_FORMAT_FASTQ;
    if (!good && (g->m->style == BY_NEXT || run->is_last)) {
        return wrong(g, "the bad record %llu", (unsigned long long)record->id);
    }
    if (!is_number(g, "line", record->line, expected.line) ||
        !is_number(g, "text_offset", record->text_offset, expected.text_offset) ||
        !is_number(g, "start_base", run->start_base, g->inside_bases)) {
        return 0;
    }
    if (g->inside) { /* title, name and comment came with the first */
        if (record->title_bytes + record->name_bytes + record->comment_bytes > 0) {
            return wrong(g, "a title in a run that is not the first");
        }
    } else if (!is_title(g, record, &expected)) {
        return 0;
    }
    if (end > expected.bases || (run->is_last && end != expected.bases)) {
        return wrong(g, "run to base %llu of %llu", (unsigned long long)end,
                     (unsigned long long)expected.bases);
    }
    if ((record->qual != NULL) != fastq || (fastq && !run->is_last)) {
        return wrong(g, "qual or is_last is not of this format");
    }
    if (!is_bytes(g, "seq", record->seq, record->seq_bases, g->r->seqs.data + expected.seq + run->start_base,
                  record->seq_bases) ||
        (fastq && !is_bytes(g, "qual", record->qual, record->seq_bases, g->r->quals.data + expected.qual,
                            record->seq_bases)) ||
        !is_stats(g, run) || !is_terminated(g, record)) {
        return 0;
    }
    g->inside = !run->is_last;
    g->inside_id = record->id;
    g->inside_bases = run->is_last ? 0 : end;
    g->next_record += run->is_last ? 1 : 0;
    return 1;
}

/* ---- pages ---- */

static uint64_t sum_bytes(uint64_t sum, const void *from, size_t count) {
    const uint8_t *at = (const uint8_t *)from;
    for (; count > 0; --count, ++at) {
        sum = (sum ^ *at) * 0x100000001B3u;
    }
    return sum;
}

static uint64_t sum_page(const biost_record_page *page) {
    uint64_t sum = 0xCBF29CE484222325u;
    uint32_t i;
    for (i = 0; i < page->row_count; ++i) {
        biost_run run;
        biost_record_page_get(page, i, &run);
        sum = sum_bytes(sum, run.record.title, run.record.title_bytes);
        sum = sum_bytes(sum, run.record.seq, run.record.seq_bases);
        sum = sum_bytes(sum, run.record.qual, run.record.qual == NULL ? 0 : run.record.seq_bases);
        sum = sum_bytes(sum, &run.record.id, sizeof run.record.id);
        if (run.record.stats != NULL) {
            sum = sum_bytes(sum, &run.record.stats->acgt_count, sizeof run.record.stats->acgt_count);
        }
    }
    return sum;
}

/* Give one back, which must still hold what it held. */
static int release_one(reading *g) {
    uint32_t which = below(&g->random, g->held);
    biost_record_page page = g->pages[which];
    if (sum_page(&page) != g->sums[which]) {
        return wrong(g, "a page changed while it was held");
    }
    if (biost_reader_release_page(g->reader, &page) != BIOST_OK) {
        return wrong(g, "a page cannot be released");
    }
    if (chance(&g->random, 10) && biost_reader_release_page(g->reader, &page) != BIOST_ERR_ARG) {
        return wrong(g, "a page can be released twice");
    }
    --g->held;
    g->pages[which] = g->pages[g->held];
    g->sums[which] = g->sums[g->held];
    return 1;
}

static int take_page(reading *g, const biost_record_page *page) {
    uint32_t i;
    if (page->row_count == 0 || (g->m->row_count > 0 && page->row_count > g->m->row_count)) {
        return wrong(g, "a page of %u rows", (unsigned)page->row_count);
    }
    if ((page->format != g->r->format && !g->in->options.mixed) ||
        (page->stats != NULL) != (g->m->stats != 0)) {
        return wrong(g, "format or stats of a page");
    }
    for (i = 0; i < page->row_count; ++i) {
        const biost_record_row *row = &page->rows[i];
        biost_run run;
        biost_record_page_get(page, i, &run);
        if (!is_number(g, "id in its page", run.record.id, page->id + i) ||
            !is_number(g, "line in its page", run.record.line, page->line + row->line) ||
            !is_number(g, "text_offset in its page", run.record.text_offset,
                       page->text_offset + row->text_offset) ||
            !is_number(g, "start_base in its page", run.start_base, i == 0 ? page->start_base : 0) ||
            !is_number(g, "is_first in its page", (uint64_t)run.is_first,
                       (row->flags & (uint32_t)BIOST_RUN_STARTED) == 0) ||
            !is_number(g, "bases in its page", run.record.seq_bases, row->bases) ||
            !is_number(g, "GOES_ON in its page", (row->flags & (uint32_t)BIOST_RUN_GOES_ON) != 0,
                       !run.is_last) ||
            !is_number(g, "STARTED in its page", (row->flags & (uint32_t)BIOST_RUN_STARTED) != 0,
                       (uint64_t)(g->inside && g->inside_id == run.record.id))) {
            return 0;
        }
        if ((!run.is_last && i + 1 < page->row_count) || (run.record.qual == NULL) != (row->qual == 0) ||
            run.record.seq != page->text + row->seq) {
            return wrong(g, "row %u of a page", (unsigned)i);
        }
        if (!take_run(g, &run)) {
            return 0;
        }
    }
    return 1;
}

static uint32_t pages_allowed(const machine *m) {
    uint32_t wanted = m->page_count == 0 ? 2 : m->page_count;
    uint32_t there = m->from != FROM_STREAM ? wanted : m->workers > 1 ? m->workers + 2 : 1;
    return wanted < there ? wanted : there;
}

/* One call of next_page. Returns what it returned. */
static biost_result call_page(reading *g) {
    biost_record_page page;
    biost_result result;
    while (g->held > 0 && (chance(&g->random, 40) || g->held == HELD_MOST)) {
        if (!release_one(g)) {
            return BIOST_ERR_ARG;
        }
    }
    result = biost_reader_next_page(g->reader, &page);
    if (g->held == pages_allowed(g->m) && result == BIOST_ERR_SLOTS) { /* nothing happened */
        const biost_error *error = biost_reader_error(g->reader);
        if (error == NULL || error->code != BIOST_ERR_SLOTS) {
            wrong(g, "ERR_SLOTS has no sentence");
        }
        if (!release_one(g)) {
            return BIOST_ERR_ARG;
        }
        result = biost_reader_next_page(g->reader, &page);
    }
    if (result == BIOST_OK && g->held == pages_allowed(g->m)) {
        wrong(g, "more pages than page_count");
    }
    if (result == BIOST_OK && take_page(g, &page)) {
        uint32_t i;
        for (i = 0; i < page.row_count; ++i) {
            biost_run run;
            biost_record_page_get(&page, i, &run);
            scribble(g, &run.record);
        }
        g->pages[g->held] = page;
        g->sums[g->held++] = sum_page(&page);
    }
    return result;
}

/* ---- one reader from open to close ---- */

/* What is left of a record whose runs came is left out. */
static void pass_rest(reading *g) {
    if (g->inside) {
        ref_record expected;
        int good = 0;
        find_record(g, g->inside_id, &expected, &good);
        g->next_record += good ? 1 : 0;
        g->inside = 0;
        g->inside_bases = 0;
    }
}

/* biost_reader_next, perhaps with runs of a record taken before, whose rest it leaves out. */
static biost_result call_next(reading *g) {
    biost_run run;
    biost_result result;
    memset(&run, 0, sizeof run);
    pass_rest(g);
    run.is_first = 1;
    run.is_last = 1;
    result = biost_reader_next(g->reader, &run.record);
    if (result == BIOST_OK && take_run(g, &run)) {
        scribble(g, &run.record);
    }
    return result;
}

static biost_result call_run(reading *g) {
    biost_run run;
    biost_result result = biost_reader_next_run(g->reader, &run);
    if (result == BIOST_OK && take_run(g, &run)) {
        scribble(g, &run.record);
    }
    return result;
}

/* Look at what comes; twice, it is the same. Then the next call, of any style, gives it. */
static biost_result call_peek(reading *g, int style) {
    biost_record record, again;
    biost_result result, then;
    uint64_t id_before = g->next_record;
    pass_rest(g);
    id_before = g->next_record;
    result = biost_reader_peek(g->reader, &record);
    then = biost_reader_peek(g->reader, &again);
    if (then != result || memcmp(&record, &again, sizeof record) != 0) {
        wrong(g, "a second peek gives %s, expected %s", biost_result_name(then), biost_result_name(result));
        return then;
    }
    then = style == BY_NEXT ? call_next(g) : style == BY_RUN ? call_run(g) : call_page(g);
    if (then != result) {
        wrong(g, "%s after a peek of %s", biost_result_name(then), biost_result_name(result));
    } else if (result == BIOST_OK &&
               (g->inside || g->next_record == id_before || g->r->records[id_before].id != record.id ||
                g->r->records[id_before].bases != record.seq_bases)) {
        wrong(g, "another record than the one peeked, %llu", (unsigned long long)record.id);
    }
    return then;
}

static biost_result call_any(reading *g, int style) {
    int turn = style == BY_ALL ? (int)below(&g->random, 3) : style;
    if (g->m->peeks && chance(&g->random, 30)) {
        return call_peek(g, turn);
    }
    return turn == BY_NEXT ? call_next(g) : turn == BY_RUN ? call_run(g) : call_page(g);
}

/* "record 3 (line 9, byte 17 of the text): " */
static void place_words(const ref_fault *bad, char *out, size_t bytes) {
    snprintf(out, bytes,
             "record %llu (line %llu, byte %llu of the text): ", (unsigned long long)bad->record + 1,
             (unsigned long long)bad->line, (unsigned long long)bad->text_offset);
}

/* The sentence names place, byte and numbers. */
static int is_sentence(reading *g, const char *text, const ref_fault *bad) {
    char words[160];
    place_words(bad, words, sizeof words);
    if (bad->line > 0 && strstr(text, words) == NULL) {
        return wrong(g, "\"%s\" does not say \"%s\"", text, words);
    }
    words[0] = '\0';
    if ((bad->record == 0 && bad->fault == BIOST_FAULT_BAD_START) ||
        (bad->fault == BIOST_FAULT_BAD_SEQ_BYTE && (bad->byte == ' ' || bad->byte == '\t'))) {
        if (strstr(text, ", which is not read; FASTA and FASTQ are") != NULL) {
            return 1; /* the text has a name, in the byte's place: tests of sentences know which */
        }
    }
    if (bad->fault == BIOST_FAULT_LENGTH) {
        snprintf(words, sizeof words, "quality has %llu characters, sequence has %llu",
                 (unsigned long long)bad->a, (unsigned long long)bad->b);
    } else if (bad->fault == BIOST_FAULT_RECORD_TOO_LONG) {
        snprintf(words, sizeof words, "max_record_bytes, %llu bytes", (unsigned long long)bad->a);
    } else if (bad->fault == BIOST_FAULT_BAD_START || bad->fault == BIOST_FAULT_BAD_SEQ_BYTE ||
               bad->fault == BIOST_FAULT_BAD_QUAL_BYTE || bad->fault == BIOST_FAULT_FASTQ_IN_FASTA ||
               bad->fault == BIOST_FAULT_BAD_LETTER) {
        snprintf(words, sizeof words, bad->byte >= 32 && bad->byte <= 126 ? "'%c'" : "'\\x%02x'", bad->byte);
    }
    return strstr(text, words) != NULL || wrong(g, "\"%s\" does not say \"%s\"", text, words);
}

/* The log gets each fault that was left out, then the error. */
static void log_line(biost_result level, const char *sentence, void *user_data) {
    reading *g = (reading *)user_data;
    size_t i;
    if (level == BIOST_ERR_SLOTS || level == BIOST_ERR_ARG) {
        return; /* a call that was refused; no text gives these */
    }
    i = g->lines++;
    const ref_fault *bad = i < g->r->skip_count ? &g->r->skips[i] : &g->r->bad;
    if (i > g->r->skip_count || bad->fault == BIOST_FAULT_NONE) {
        wrong(g, "one log line too many: %s", sentence);
    } else if (level >= 0) {
        wrong(g, "level %d of: %s", (int)level, sentence);
    } else {
        is_sentence(g, sentence, bad);
    }
}

static int64_t callback_read(void *to, size_t bytes, void *user_data) {
    reading *g = (reading *)user_data;
    size_t left = g->in->text.count - g->callback_at, take = 1 + below(&g->callback_random, 40);
    take = take < bytes ? take : bytes;
    take = take < left ? take : left;
    if (take > 0) {
        memcpy(to, g->in->text.data + g->callback_at, take);
    }
    g->callback_at += take;
    return (int64_t)take;
}

/* The stream under a reader of FROM_STREAM. */
static biost_stream *open_stream(reading *g, const uint8_t *text) {
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = g->in->text.count;
    desc.workers = g->m->workers;
    desc.test.page_bytes = g->m->page_bytes;
    desc.test.chunk_bytes = g->m->chunk_bytes;
    desc.test.order_seed = g->m->order_seed;
    if (biost_stream_open(&desc, &stream, NULL) != BIOST_OK) {
        wrong(g, "the stream does not open");
    }
    return stream;
}

static maker packed; /* the text in blocks, of FROM_BGZF */

static int open_reader(reading *g, const uint8_t *text) {
    const machine *m = g->m;
    biost_reader_desc desc;
    biost_error error;
    biost_result result;
    memset(&desc, 0, sizeof desc);
    desc.text = g->in->options;
    desc.max_record_bytes = g->in->max;
    desc.stats = m->stats;
    desc.terminate = m->terminate;
    desc.page_count = m->page_count;
    desc.log.line = log_line;
    desc.log.user_data = g;
    desc.test.row_count = m->row_count;
    desc.test.cpu_hidden = m->cpu_hidden;
    desc.test.general = m->general;
    if (m->from == FROM_STREAM) {
        g->stream = open_stream(g, text);
        desc.stream = g->stream;
    } else {
        desc.workers = m->workers;
        desc.test.page_bytes = m->page_bytes;
        desc.test.chunk_bytes = m->chunk_bytes;
        desc.test.order_seed = m->order_seed;
    }
    if (m->from == FROM_MEMORY) {
        desc.memory.data = text;
        desc.memory.bytes = g->in->text.count;
    } else if (m->from == FROM_BGZF) {
        maker_begin(&packed);
        maker_bgzf(&packed, text, g->in->text.count,
                   1 + below(&g->random, chance(&g->random, 50) ? 30 : 2000), -2);
        desc.memory.data = packed.file.data;
        desc.memory.bytes = packed.file.count;
        g->source_bytes = packed.file.count;
    } else if (m->from == FROM_CALLBACK) {
        desc.callback.read = callback_read;
        desc.callback.user_data = g;
    }
    result = biost_reader_open(&desc, &g->reader, &error);
    return result == BIOST_OK || wrong(g, "open: %s", error.text);
}

/* What is left to say when the records are over. */
static int is_end(reading *g, biost_result result) {
    const ref *r = g->r;
    const biost_error *error = biost_reader_error(g->reader);
    biost_record_progress progress;
    uint32_t warnings = biost_reader_warnings(g->reader),
             allowed = g->m->style == BY_NEXT ? 0 : r->part_warnings;
    if (g->next_record < r->record_count) {
        return wrong(g, "ended with %s after %u of %u records: %s", biost_result_name(result),
                     (unsigned)g->next_record, (unsigned)r->record_count, error == NULL ? "" : error->text);
    }
    if (r->bad.fault == BIOST_FAULT_NONE) {
        if (result != BIOST_END || error != NULL) {
            return wrong(g, "ended with %s: %s", biost_result_name(result), error == NULL ? "" : error->text);
        }
    } else {
        if (result >= 0 || error == NULL) {
            return wrong(g, "ended with %s, expected the fault %s", biost_result_name(result),
                         biost_fault_name(r->bad.fault));
        }
        if (error->fault != r->bad.fault) {
            return wrong(g, "fault %s, expected %s: %s", biost_fault_name(error->fault),
                         biost_fault_name(r->bad.fault), error->text);
        }
        if (!is_number(g, "record of the error", error->record, r->bad.record) ||
            !is_number(g, "line of the error", error->line, r->bad.line) ||
            !is_number(g, "text_offset of the error", error->text_offset, r->bad.text_offset) ||
            !is_number(g, "path_index of the error", error->path_index, 0) ||
            !is_number(g, "os_error of the error", (uint64_t)error->os_error, 0) ||
            !is_sentence(g, error->text, &r->bad)) {
            return 0;
        }
        if (error->code != result ||
            result != (r->bad.fault == BIOST_FAULT_RECORD_TOO_LONG ? BIOST_ERR_TOO_LONG : BIOST_ERR_TEXT)) {
            return wrong(g, "code %s", biost_result_name(result));
        }
    }
    biost_reader_progress(g->reader, &progress);
    return is_number(g, "record_count", progress.record_count, r->record_count) &&
           is_number(g, "skipped_count", progress.skipped_count, r->skip_records) &&
           is_number(g, "skipped_lines", progress.skipped_lines, r->skip_lines) &&
           is_number(g, "skipped_gaps", progress.skipped_gaps, r->skip_count) &&
           is_number(g, "warnings", warnings & ~(allowed & ~r->warnings), r->warnings) &&
           is_number(g, "blank_count", progress.blank_count, r->blank_count) &&
           is_number(g, "log lines", g->lines, r->skip_count + (result < 0)) &&
           (result != BIOST_END || (is_number(g, "text_bytes", progress.text_bytes, g->in->text.count) &&
                                    is_number(g, "source_bytes", progress.source_bytes, g->source_bytes)));
}

static void read_all(reading *g) {
    biost_result result;
    int i;
    /* Of a callback nothing is read before the first call. */
    if (!is_number(g, "format after open", (uint64_t)biost_reader_format(g->reader),
                   (uint64_t)(g->m->from == FROM_CALLBACK ? BIOST_FORMAT_EMPTY : g->r->first_format))) {
        return;
    }
    do {
        result = call_any(g, g->m->style);
    } while (result == BIOST_OK && g->why[0] == '\0');
    if (g->why[0] != '\0' || !is_end(g, result)) {
        return;
    }
    for (i = 0; i < 3; ++i) { /* it stays */
        biost_result again = call_any(g, BY_ALL);
        if (again != result) {
            wrong(g, "ended with %s, then %s", biost_result_name(result), biost_result_name(again));
        }
    }
    while (g->held > 0 && chance(&g->random, 90) && release_one(g)) {
        /* close takes the others back */
    }
    if (g->lines != g->r->skip_count + (result < 0)) {
        wrong(g, "the error was told twice");
    }
}

/* Read an input with one machine. Returns what is wrong, "" if nothing is. */
static const char *disagreement(const input *in, const ref *r, const machine *m) {
    static reading g;
    uint8_t *text = test_copy(in->text.data, in->text.count);
    memset(&g, 0, sizeof g);
    g.in = in;
    g.m = m;
    g.r = r;
    g.random = m->random;
    g.callback_random = m->random;
    g.source_bytes = in->text.count;
    if (open_reader(&g, text)) {
        read_all(&g);
    }
    biost_reader_close(g.reader);
    biost_stream_close(g.stream);
    free(text);
    return g.why;
}

/* ---- all machines over one input ---- */

static void parse(const input *in, ref *r, int by_runs) {
    ref_parse(r, in->text.data, in->text.count, in->max == 0 ? (uint64_t)64 << 20 : in->max, &in->options,
              by_runs);
}

/* May next and next_run be mixed? Not where a FASTA record is too long for one of them only. */
static int same_verdict(const ref *a, const ref *b) {
    return a->record_count == b->record_count && a->skip_count == b->skip_count &&
           memcmp(&a->bad, &b->bad, sizeof a->bad) == 0 &&
           (a->skip_count == 0 || memcmp(a->skips, b->skips, a->skip_count * sizeof *a->skips) == 0);
}

/* As disagreement, with a reference of its own. */
static const char *try_machine(const input *in, const machine *m) {
    ref whole, runs;
    const char *why = "";
    parse(in, &whole, 0);
    parse(in, &runs, 1);
    if (m->style != BY_ALL || same_verdict(&whole, &runs)) {
        why = disagreement(in, m->style == BY_NEXT ? &whole : &runs, m);
    }
    ref_free(&whole);
    ref_free(&runs);
    return why;
}

/* Leave out what is not needed for the disagreement. */
static void make_smaller(input *in, const machine *m) {
    size_t piece, at;
    size_t smallest = in->text.count / 2000; /* not for ever */
    for (piece = in->text.count / 2 + 1; piece > smallest; piece = piece == 1 ? 0 : (piece + 1) / 2) {
        for (at = 0; at < in->text.count;) {
            size_t take = in->text.count - at < piece ? in->text.count - at : piece;
            input less = *in;
            memset(&less.text, 0, sizeof less.text);
            ref_add(&less.text, 0);
            less.text.count = 0;
            add_bytes(&less.text, in->text.data, at);
            add_bytes(&less.text, in->text.data + at + take, in->text.count - at - take);
            if (!is_binary(&less.text) && try_machine(&less, m)[0] != '\0') {
                free(in->text.data);
                in->text = less.text;
            } else {
                free(less.text.data);
                at += take;
            }
        }
    }
}

static void print_text(const ref_bytes *text) {
    size_t i;
    printf("    \"");
    for (i = 0; i < text->count && i < 1500; ++i) {
        uint8_t byte = text->data[i];
        if (byte == '\n') {
            printf("\\n");
        } else if (byte == '\r' || byte == '\t') {
            printf("\\%c", byte == '\r' ? 'r' : 't');
        } else if (byte < 32 || byte > 126 || byte == '"' || byte == '\\') {
            printf("\\%03o", byte);
        } else {
            printf("%c", byte);
        }
    }
    printf(i < text->count ? "\"...\n" : "\"\n");
}

static void print_input(const input *in, const machine *m) {
    const biost_text_rules *o = &in->options;
    print_text(&in->text);
    printf(
        "    %u bytes, max %llu, pedantic %d four_lines %d require_record %d skip_comments %d "
        "strip_blanks %d "
        "keep_gt %d ignore_plus %d phred64 %d letters %d replace %d junk %d high %d mixed %d skip_bad %llu\n",
        (unsigned)in->text.count, (unsigned long long)in->max, o->pedantic, o->four_lines, o->require_record,
        o->skip_comments, o->strip_blanks, o->keep_gt, o->ignore_plus, o->phred64, (int)o->letters,
        o->replace_letters, o->skip_junk, o->high_bytes, o->mixed, (unsigned long long)o->skip_bad);
    printf("    %s, general %d, from %d, page %u, chunk %u, rows %u, hidden %x, workers %u, pages %u, stats "
           "%d, terminate %d, peeks %d\n",
           style_names[m->style], m->general, m->from, (unsigned)m->page_bytes, (unsigned)m->chunk_bytes,
           (unsigned)m->row_count, (unsigned)m->cpu_hidden, (unsigned)m->workers, (unsigned)m->page_count,
           m->stats, m->terminate, m->peeks);
}

/* A machine that disagrees, made plainer where it does so still. */
static void show(input *in, machine *m, unsigned long number) {
    machine plainer = *m;
    char why[400];
    plainer.workers = 0;
    plainer.from = FROM_MEMORY;
    plainer.chunk_bytes = 0;
    plainer.stats = 0;
    plainer.terminate = 0;
    plainer.peeks = 0;
    if (try_machine(in, &plainer)[0] != '\0') {
        *m = plainer;
    }
    make_smaller(in, m);
    plainer = *m;
    plainer.row_count = 0;
    plainer.page_count = 0;
    plainer.cpu_hidden = 0;
    if (try_machine(in, &plainer)[0] != '\0') {
        *m = plainer;
    }
    plainer = *m;
    plainer.page_bytes = 0;
    if (try_machine(in, &plainer)[0] != '\0') {
        *m = plainer;
    }
    snprintf(why, sizeof why, "%s", try_machine(in, m));
    printf("TEST_SEED=%llu TEST_RECORDS_AT=%lu: %s\n", (unsigned long long)test_seed(), number, why);
    print_input(in, m);
}

/* What the texts were: so that a test that tries nothing cannot pass. */
static struct { unsigned good, records, skips, replaced, removed, faults[BIOST_FAULT_COUNT]; } seen;

static void see(const ref *r) {
    seen.good += r->bad.fault == BIOST_FAULT_NONE;
    seen.records += (unsigned)r->record_count;
    seen.skips += (unsigned)r->skip_count;
    seen.replaced += (r->warnings & (uint32_t)BIOST_WARN_REPLACED_LETTERS) != 0;
    seen.removed += r->blank_count > 0;
    ++seen.faults[r->bad.fault];
}

/* A text that takes so long will never end: say which it was. */
#define TEXT_SECONDS 60

static unsigned long number_now;
static unsigned seconds_now; /* TEXT_SECONDS as long as they are here */

static void give_up(int signal_number) {
    (void)signal_number;
    printf("TEST_SEED=%llu TEST_RECORDS_AT=%lu: no end after %d seconds\n", (unsigned long long)test_seed(),
           number_now, (int)seconds_now);
    fflush(stdout);
    _exit(1);
}

static void be_patient(unsigned long number) {
    number_now = number;
    signal(SIGALRM, give_up);
    if (number % 1000 == 0 || seconds_now == 0) {
        seconds_now = (unsigned)(TEXT_SECONDS * patience_factor());
    }
    alarm(seconds_now);
}

/* Text number `number` of this seed. Returns 0 if it failed. */
static int try_text(unsigned long number) {
    uint64_t random = test_seed() * 0x9E3779B97F4A7C15u + number;
    input in;
    ref whole, runs;
    int turn, good = 1;
    be_patient(number);
    test_random(&random);
    draw_input(&in, &random);
    parse(&in, &whole, 0);
    parse(&in, &runs, 1);
    see(&whole);
    for (turn = 0; turn <= STYLES && good; ++turn) { /* last the general parser, in one of the styles */
        machine m;
        int general = turn == STYLES;
        draw_machine(&m, general ? (int)(number % STYLES) : turn, general, &random);
        m.stats = m.stats && !in.options.high_bytes; /* the two are refused together */
        if (m.style == BY_ALL && !same_verdict(&whole, &runs)) {
            continue;
        }
        if (getenv("TEST_RECORDS_AT") != NULL) {
            print_input(&in, &m);
        }
        if (disagreement(&in, m.style == BY_NEXT ? &whole : &runs, &m)[0] != '\0') {
            show(&in, &m, number);
            good = 0;
        }
    }
    ref_free(&whole);
    ref_free(&runs);
    free(in.text.data);
    return good;
}

static void seeds_free(void) {
    maker_free(&packed);
    for (; seed_count > 0; --seed_count) {
        free(seeds[seed_count - 1].data);
        memset(&seeds[seed_count - 1], 0, sizeof seeds[0]);
    }
}

/* Every fault, warning and option must have been met, in a run long enough for it. */
static void check_seen(unsigned long count) {
    static const biost_fault faults[] = {
        BIOST_FAULT_TRUNCATED,      BIOST_FAULT_BAD_START,     BIOST_FAULT_NUL,
        BIOST_FAULT_CR_IN_LINE,     BIOST_FAULT_BAD_SEQ,       BIOST_FAULT_BAD_SEQ_BYTE,
        BIOST_FAULT_BAD_SEP,        BIOST_FAULT_PLUS_MISMATCH, BIOST_FAULT_BAD_QUAL_BYTE,
        BIOST_FAULT_LENGTH,         BIOST_FAULT_GT_IN_SEQ,     BIOST_FAULT_FASTQ_IN_FASTA,
        BIOST_FAULT_COMMENT_LINE,   BIOST_FAULT_BLANK_LINE,    BIOST_FAULT_NO_NAME,
        BIOST_FAULT_NO_RECORD,      BIOST_FAULT_BAD_LETTER,    BIOST_FAULT_UTF16,
        BIOST_FAULT_RECORD_TOO_LONG};
    size_t i;
    for (i = 0; i < sizeof faults / sizeof faults[0] && count >= 2000; ++i) {
        test_note("fault %s, seen %u times", biost_fault_name(faults[i]), seen.faults[faults[i]]);
        CHECK(seen.faults[faults[i]] > 0);
    }
    test_note("good %u, records %u", seen.good, seen.records);
    CHECK(seen.good > count / 10 && seen.records > count);
    CHECK(seen.skips > count / 20 && seen.replaced > 0 && seen.removed > 0);
}

TEST(records_agree, texts_at_random) {
    const char *at = getenv("TEST_RECORDS_AT");
    unsigned long count = records_wanted(), number, failed = 0;
    memset(&seen, 0, sizeof seen);
    REQUIRE(seeds_load());
    test_note("%s", "texts at random");
    if (at != NULL) {
        CHECK(try_text(strtoul(at, NULL, 0)));
        alarm(0);
        seeds_free();
        return;
    }
    for (number = 0; number < count && failed < 3; ++number) {
        failed += !try_text(number);
    }
    alarm(0);
    CHECK_EQ_U64(failed, 0);
    if (failed == 0) {
        check_seen(count);
    }
    seeds_free();
}

/* ---- many short FASTA records ---- */

/*
 * One record of 0 to 18 lines of any width. Some hold what a short record must not be taken with: a blank, a
 * mark at the start of a line, '>' inside, an empty line.
 */
static void make_short(ref_bytes *text, const shape *s, uint32_t number, uint64_t *random) {
    static const char *const odd[] = {" ", "\t", ">", "@", "+", ";", "\r", "n", "*", "\x7F", "\x80", "\n"};
    shape line = *s;
    char title[40];
    uint32_t lines = chance(random, 70) ? 1 : below(random, 19);
    snprintf(title, sizeof title,
             chance(random, 80)   ? ">g%u"
             : chance(random, 80) ? ">g%u of a test"
                                  : ">",
             (unsigned)number);
    add_words(text, title);
    make_end(text, s, random);
    while (lines-- > 0) {
        uint32_t bases = chance(random, 4) ? below(random, 400) : 1 + below(random, s->max_bases);
        uint32_t before = below(random, bases + 1);
        line.line_bases = 0;
        before = chance(random, 50) ? 0 : before;
        make_bases(text, &line, before, random);
        if (chance(random, s->blank_percent)) {
            add_words(text, odd[below(random, sizeof odd / sizeof odd[0])]);
        }
        make_bases(text, &line, bases - before, random);
        make_end(text, s, random);
    }
}

/* Texts of more than one stretch of >>scan, cut by pages of any size, under any rules. */
static void draw_short(input *in, uint64_t *random) {
    shape s;
    uint32_t i;
    unsigned edits = chance(random, 50) ? 0 : 1 + below(random, 3);
    memset(in, 0, sizeof *in);
    memset(&s, 0, sizeof s);
    draw_options(&in->options, random);
    in->options.phred64 = 0;
    s.fasta = 1;
    s.crlf = chance(random, 60) ? 0 : chance(random, 50) ? 1 : 2;
    s.records = 1 + below(random, chance(random, 50) ? 40 : 1200);
    s.max_bases = chance(random, 50) ? 40 : 100;
    s.odd_percent = chance(random, 70) ? 0 : 1;
    s.blank_percent = chance(random, 60) ? 0 : 2;
    for (i = 0; i < s.records; ++i) {
        make_short(&in->text, &s, i, random);
    }
    while (edits-- > 0) {
        damage(&in->text, random);
    }
    in->max = chance(random, 80) ? 0 : 20 + below(random, 600);
}

TEST(records_agree, short_fasta) {
    unsigned long count = records_wanted() / 40 + test_effort(40, 400), number, failed = 0, good = 0;
    for (number = 0; number < count && failed < 3; ++number) {
        uint64_t random = test_seed() * 31 + number;
        input in;
        ref whole, runs;
        int turn, agrees = 1;
        be_patient(number);
        draw_short(&in, &random);
        parse(&in, &whole, 0);
        parse(&in, &runs, 1);
        good += whole.record_count;
        for (turn = 0; turn <= STYLES && agrees; ++turn) {
            machine m;
            draw_machine(&m, turn % STYLES, turn == STYLES, &random);
            m.page_bytes = chance(&random, 50) ? 0 : m.page_bytes;
            m.chunk_bytes = m.page_bytes == 0 ? 0 : m.chunk_bytes;
            m.stats = m.stats && !in.options.high_bytes;
            if (m.style == BY_ALL && !same_verdict(&whole, &runs)) {
                continue;
            }
            if (disagreement(&in, m.style == BY_NEXT ? &whole : &runs, &m)[0] != '\0') {
                test_note("short FASTA %lu", number);
                show(&in, &m, number);
                ++failed;
                agrees = 0;
            }
        }
        ref_free(&whole);
        ref_free(&runs);
        free(in.text.data);
    }
    alarm(0);
    CHECK_EQ_U64(failed, 0);
    CHECK(good > 50 * count);
}

/* ---- texts that are not small ---- */

/* Records that cross many pages, and pages that hold many records. */
static void make_large(ref_bytes *text, unsigned kind, uint64_t *random) {
    shape s;
    uint32_t i;
    memset(&s, 0, sizeof s);
    s.fasta = kind % 2 == 0;
    s.crlf = kind % 5 == 0;
    s.max_bases = kind % 3 == 0 ? 40000 : kind % 3 == 1 ? 300 : 4;
    s.records = kind % 3 == 0 ? 6 : kind % 3 == 1 ? 300 : 4000;
    s.line_bases = s.fasta ? (kind % 4 == 0 ? 60 : 0) : kind % 7 == 1 ? 100 : 0;
    s.odd_percent = kind % 3 == 2 ? 1 : 0;
    for (i = 0; i < s.records; ++i) {
        make_record(text, &s, i, random);
    }
}

TEST(records_agree, large_texts) {
    unsigned long count = records_wanted() / 100 + test_effort(2, 12), number, failed = 0;
    for (number = 0; number < count && failed < 3; ++number) {
        uint64_t random = test_seed() + number * 77;
        input in;
        ref r;
        int k;
        be_patient(number);
        memset(&in, 0, sizeof in);
        draw_options(&in.options, &random);
        in.options.phred64 = 0;
        make_large(&in.text, (unsigned)number, &random);
        if (number % 3 == 2) {
            damage(&in.text, &random);
        }
        parse(&in, &r, 0);
        for (k = 0; k < 3; ++k) {
            machine m;
            draw_machine(&m, (int)((number + (unsigned)k) % STYLES), k == 2, &random);
            m.page_bytes = k == 0 ? 0 : 2000 + below(&random, 20000);
            m.chunk_bytes = k == 0 ? 0 : 5000;
            m.from = m.from == FROM_CALLBACK ? FROM_MEMORY : m.from;
            m.stats = m.stats && !in.options.high_bytes;
            if (disagreement(&in, &r, &m)[0] != '\0') {
                test_note("large text %lu", number);
                show(&in, &m, number);
                ++failed;
                break;
            }
        }
        ref_free(&r);
        free(in.text.data);
    }
    alarm(0);
    CHECK_EQ_U64(failed, 0);
}
