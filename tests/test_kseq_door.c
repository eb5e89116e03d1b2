/*
 * test_kseq_door.c - what examples/kseq_over_biostream.h and gz_over_biostream.h give a program that was written for
 * kseq.h, against htslib's kseq.h and zlib: records, return codes, tables by word, rewinding, the 171 hard cases, the
 * rules of BIOST_TEXT_AS_KSEQ, texts at random.
 *
 * rooms: examples reader
 * needs: loader threads library data
 */
#include "../biostream.h"
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

/* ---- ours, under names of its own: as it is, and strict by a switch ---- */

static int is_strict;
static uint32_t door_page_bytes;
static char door_told[256]; /* what KSEQ_ON_ERROR got last */
static unsigned door_told_count;

#define KSEQ_SET_DESC(desc)                             \
    if (is_strict) {                                    \
        memset(&(desc)->text, 0, sizeof((desc)->text)); \
        (desc)->max_record_bytes = 0;                   \
    }                                                   \
    (desc)->test.page_bytes = door_page_bytes;
#define KSEQ_ON_ERROR(text)                              \
    snprintf(door_told, sizeof door_told, "%s", (text)); \
    ++door_told_count;
#define kstream_t    door_stream_t
#define ks_init      door_ks_init
#define ks_destroy   door_ks_destroy
#define ks_getc      door_getc
#define ks_getuntil  door_getuntil
#define ks_getuntil2 door_getuntil2
#define kseq_t       door_seq_t
#define kseq_init    door_init
#define kseq_destroy door_destroy
#define kseq_read    door_read
#include "../examples/kseq_over_biostream.h"

/* Where both read from: bytes in memory, a few at a time, perhaps failing after some of them. */
typedef struct door_source {
    const uint8_t *data;
    size_t count, at, fails_at;
    unsigned step;
} door_source;

static int source_read(door_source *source, void *to, unsigned bytes) {
    size_t left = source->count - source->at;
    bytes = source->step > 0 && source->step < bytes ? source->step : bytes;
    bytes = bytes < left ? bytes : (unsigned)left;
    if (source->fails_at > 0 && source->at >= source->fails_at) {
        return -1;
    }
    if (bytes > 0) {
        memcpy(to, source->data + source->at, bytes);
    }
    source->at += bytes;
    return (int)bytes;
}

KSEQ_INIT(door_source *, source_read)

static void door_rewind(door_seq_t *seq) {
    kseq_rewind(seq);
}
static const char *door_error(door_seq_t *seq) {
    return kseq_error(seq);
}
static int door_at_eof(door_stream_t *stream) {
    return ks_eof(stream) != 0;
}

#undef kstream_t
#undef ks_init
#undef ks_destroy
#undef ks_getc
#undef ks_getuntil
#undef ks_getuntil2
#undef kseq_t
#undef kseq_init
#undef kseq_destroy
#undef kseq_read

static door_source source_of(const void *text, size_t bytes) {
    door_source source;
    memset(&source, 0, sizeof source);
    source.data = (const uint8_t *)text;
    source.count = bytes;
    return source;
}

static void strict(int on) {
    is_strict = on;
    door_page_bytes = 0;
    door_told_count = 0;
    door_told[0] = '\0';
}

TEST(kseq_door, codes) {
    static const struct {
        const char *text;
        int records, code;
    } texts[] = {
        {"@a\nAC\n+\nII\n", 1, -1},
        {"", 0, -1},
        {"@a\nAC\n+\nII\n@b\nAC\n+\nI", 1, -2},
        {"@a\nAC\n+\nII\n@b\nAC\n+\n", 1, -2},
        {">a\nAC\n\xE9\n", 0, -2},
        {"junk", 0, -2},
    };
    size_t i;
    strict(1);
    for (i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        door_source source = source_of(texts[i].text, strlen(texts[i].text));
        door_seq_t *seq = door_init(&source);
        int records = 0, again;
        test_note("text %u", (unsigned)i);
        while (door_read(seq) >= 0) {
            ++records;
            CHECK(door_error(seq) == NULL);
        }
        CHECK_EQ_I64(records, texts[i].records);
        for (again = 0; again < 3; ++again) { /* it stays */
            CHECK_EQ_I64(door_read(seq), texts[i].code);
        }
        CHECK((door_error(seq) == NULL) == (texts[i].code == -1));
        CHECK_EQ_I64(door_told_count, i < 2 ? 0 : i - 1); /* once each */
        door_destroy(seq);
    }
    door_destroy(NULL);
}

/* As most programs have it: a loop that never looks at the code. One '+' line in the middle says something else. */
TEST(kseq_door, a_host_that_looks_at_no_code) {
    enum { RECORDS = 2054 };
    char *text = (char *)malloc(RECORDS * 64);
    size_t bytes = 0;
    int i, records = 0;
    int64_t l, bases = 0;
    door_source source;
    door_seq_t *ks;
    REQUIRE(text != NULL);
    for (i = 0; i < RECORDS; ++i) {
        bytes += (size_t)sprintf(text + bytes, "@r%d\nACGTACGT\n+%s\nIIIIIIII\n", i,
                                 i == 500 ? "2019 run" : "");
    }
    strict(0);
    source = source_of(text, bytes);
    ks = door_init(&source);
    while ((l = door_read(ks)) >= 0) {
        ++records;
        bases += l;
    }
    CHECK_EQ_I64(records, RECORDS);
    CHECK_EQ_I64(bases, RECORDS * 8);
    CHECK_EQ_I64(l, -1);
    CHECK_EQ_I64(door_told_count, 0);
    door_destroy(ks);
    free(text);
}

/* A record with as many qualities as it should not have: -2, a line once, and the next call goes on. */
TEST(kseq_door, bad_lengths_are_told) {
    static const char text[] =
        "@a\nAC\n+\nII\n@b\nACG\n+\nIIII\n@c\nA\n+\nII\n@d\nA\n+\nI\n@e\nA\n+\nIII\n>f\nAC\n@g\nAC\n+\n";
    static const int codes[] = {2, -2, -2, 1, -2, 2, -2, -1, -1};
    static const char *const lines[] = {NULL, "line 8,",  "line 12,", NULL, "line 20,",
                                        NULL, "line 25,", NULL,       NULL};
    size_t i;
    uint32_t page;
    for (page = 0; page < 64; page += 16) {
        door_source source = source_of(text, sizeof text - 1);
        door_seq_t *seq;
        strict(0);
        door_page_bytes = page;
        seq = door_init(&source);
        for (i = 0; i < sizeof codes / sizeof codes[0]; ++i) {
            test_note("page %u, call %u", page, (unsigned)i);
            CHECK_EQ_I64(door_read(seq), codes[i]);
            CHECK((door_error(seq) == NULL) == (lines[i] == NULL));
            CHECK(lines[i] == NULL || strstr(door_error(seq), lines[i]) != NULL);
        }
        CHECK_EQ_I64(door_told_count, 1);
        CHECK(strstr(door_told, "record 2 (line 8,") != NULL);
        door_destroy(seq);
    }
}

/* Many bad records on end: each is told by a code and named by its number. */
TEST(kseq_door, many_bad_records) {
    char text[1000] = "";
    door_source source;
    door_seq_t *seq;
    int i;
    for (i = 0; i < 20; ++i) {
        sprintf(text + strlen(text), "@r%d\nAC\n+\nIII\n", i);
    }
    strcat(text, "@z\nAC\n+\nII\n");
    strict(0);
    source = source_of(text, strlen(text));
    seq = door_init(&source);
    for (i = 0; i < 20; ++i) {
        char name[32];
        sprintf(name, "record %d%s", i + 1, i < 16 ? ":" : " (");
        CHECK_EQ_I64(door_read(seq), -2);
        test_note("record %d: %s", i, door_error(seq));
        CHECK(strstr(door_error(seq), name) != NULL);
    }
    CHECK_EQ_I64(door_read(seq), 2);
    CHECK_EQ_I64(door_read(seq), -1);
    CHECK_EQ_I64(door_told_count, 1);
    door_destroy(seq);
}

TEST(kseq_door, a_read_that_fails) {
    static const char text[] = "@a\nAC\n+\nII\n@b\nACGT\n+\nIIII\n";
    door_source source = source_of(text, sizeof text - 1);
    door_seq_t *seq = door_init(&source);
    strict(1);
    source.step = 1;
    source.fails_at = 20;
    CHECK_EQ_I64(door_read(seq), 2);
    CHECK_STR(seq->name.s, "a");
    CHECK_EQ_I64(door_read(seq), -3);
    CHECK_EQ_I64(door_read(seq), -3);
    CHECK(door_error(seq) != NULL && strstr(door_error(seq), "cannot be read") != NULL);
    CHECK_STR(seq->name.s, "a"); /* what a program may still look at */
    source.fails_at = 0;
    source.at = 0;
    door_rewind(seq);
    CHECK_EQ_I64(door_read(seq), 2);
    CHECK_EQ_I64(door_read(seq), 4);
    CHECK_EQ_I64(door_read(seq), -1);
    CHECK(door_at_eof(seq->f));
    door_destroy(seq);
}

/* A program may write to the texts, make them larger, and keep them. */
TEST(kseq_door, texts_are_the_programs) {
    static const char text[] = ">a x\nAC\n@b\tw v\nACGT\n+\nIIII\n>c\nGG\n";
    door_source source = source_of(text, sizeof text - 1);
    door_seq_t *seq = door_init(&source);
    char *kept;
    strict(0);
    CHECK_EQ_I64(door_read(seq), 2);
    CHECK_STR(seq->comment.s, "x");
    CHECK(seq->is_fastq == 0 && seq->qual.l == 0);
    kept = seq->seq.s;
    seq->seq.s = NULL; /* taken away */
    seq->seq.l = seq->seq.m = 0;
    CHECK_EQ_I64(door_read(seq), 4);
    CHECK_STR(kept, "AC");
    CHECK_STR(seq->comment.s, "w v");
    CHECK_STR(seq->qual.s, "IIII");
    CHECK(seq->is_fastq == 1);
    seq->name.s = (char *)realloc(seq->name.s, 1000);
    REQUIRE(seq->name.s != NULL);
    seq->name.m = 1000;
    memset(seq->name.s, 'x', 999);
    CHECK_EQ_I64(door_read(seq), 2);
    CHECK_STR(seq->name.s, "c");
    CHECK_STR(seq->comment.s, "");
    CHECK(seq->is_fastq == 0 && seq->qual.l == 0);
    CHECK_EQ_I64(door_read(seq), -1);
    free(kept);
    door_destroy(seq);
}

TEST(kseq_door, rules_that_are_refused) {
    static const uint8_t text[] = "@a\nAC\n+\nII\n";
    static const biost_text_rules as_kseq = BIOST_TEXT_AS_KSEQ;
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = sizeof text - 1;
    desc.text = as_kseq;
    desc.text.ignore_plus = 0;
    CHECK(biost_reader_open(&desc, &reader, &error) == BIOST_ERR_ARG && reader == NULL);
    CHECK(strstr(error.text, "desc.text.loose goes with") != NULL);
    desc.text = as_kseq;
    desc.text.loose = 0;
    desc.text.skip_bad = 1;
    CHECK(biost_reader_open(&desc, &reader, &error) == BIOST_ERR_ARG && reader == NULL);
    CHECK(strstr(error.text, "desc.text.mixed") != NULL);
    desc.text.mixed = 0;
    desc.stats = 1;
    CHECK(biost_reader_open(&desc, &reader, &error) == BIOST_ERR_ARG && reader == NULL);
    CHECK(strstr(error.text, "desc.text.high_bytes") != NULL);
    CHECK(as_kseq.keep_gt == 1 && as_kseq.ignore_plus == 1 && as_kseq.skip_junk == 1 &&
          as_kseq.high_bytes == 1 && as_kseq.mixed == 1 && as_kseq.loose == 1);
    CHECK(as_kseq.pedantic == 0 && as_kseq.four_lines == 0 && as_kseq.letters == BIOST_LETTERS_ANY &&
          as_kseq.skip_bad == 0);
#if BIOST_HAS_LOADER
    {
        biost_loader_desc loader_desc;
        biost_loader *loader = NULL;
        int rule;
        for (rule = 0; rule < 2; ++rule) {
            memset(&loader_desc, 0, sizeof loader_desc);
            loader_desc.memories = &desc.memory;
            loader_desc.memory_count = 1;
            loader_desc.row_bases = 4;
            loader_desc.text.high_bytes = rule == 0;
            loader_desc.text.mixed = rule == 1;
            CHECK(biost_loader_open(&loader_desc, &loader, &error) == BIOST_ERR_ARG && loader == NULL);
            CHECK(strstr(error.text, "high_bytes and mixed are for readers") != NULL);
        }
    }
#endif
}

/* The example of Helixer's docs/h5_data.md, 13 bases in pieces of 5, P for padding: both strands of fasta2h5. */
TEST(kseq_door, pieces_of_fasta2h5) {
#if BIOST_HAS_LOADER
    static const char text[] = ">s\nAATGACATNCGTT\n";
    static const char *const expected[2][3] = {{"AATGA", "CATNC", "GTTPP"}, {"TCATT", "GNATG", "AACPP"}};
    int strand;
    for (strand = 0; strand < 2; ++strand) {
        biost_loader_desc desc;
        biost_loader *loader = NULL;
        biost_memory memory = {text, sizeof text - 1, NULL};
        biost_batch batch;
        uint32_t row, at, channel;
        memset(&desc, 0, sizeof desc);
        desc.memories = &memory;
        desc.memory_count = 1;
        desc.batch_rows = 3;
        desc.row_bases = 5;
        desc.long_records = BIOST_LONG_SPLIT;
        desc.encoding.dtype = BIOST_DTYPE_F16;
        desc.encoding.channels = "CATG";
        desc.encoding.ambiguous = BIOST_AMBIGUOUS_HELIXER;
        desc.augment.reverse_complement = strand ? 1.0f : 0.0f;
        REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
        CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
        REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK && batch.valid_rows == 3);
        for (row = 0; row < 3; ++row) {
            char letters[6] = "PPPPP";
            for (at = 0; at < 5; ++at) {
                const uint16_t *base = (const uint16_t *)batch.x.data + (row * 5 + at) * 4;
                for (channel = 0; channel < 4; ++channel) { /* 1 and 1/4 as 16-bit floats */
                    letters[at] = base[channel] == 0x3C00   ? "CATG"[channel]
                                  : base[channel] == 0x3400 ? 'N'
                                                            : letters[at];
                }
            }
            CHECK_STR(letters, expected[strand][row]);
        }
        biost_loader_release(loader, &batch);
        biost_loader_close(loader);
    }
#else
    TEST_SKIP("the loader");
#endif
}

#ifdef HAVE_KSEQ
/* ---- htslib's ---- */

#undef AC_KSEQ_H
#undef KS_SEP_SPACE
#undef KS_SEP_TAB
#undef KS_SEP_LINE
#undef KS_SEP_MAX
#undef ks_eof
#undef ks_err
#undef ks_rewind
#undef kseq_rewind
#undef KSTREAM_INIT
#undef KSTREAM_INIT2
#undef KSEQ_INIT
#undef KSEQ_INIT2
#undef KSEQ_DECLARE
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
#ifndef PEER_KSEQ /* or another copy, as klib's or seqtk's: -DPEER_KSEQ='"/path/to/kseq.h"' */
#define PEER_KSEQ <htslib/kseq.h>
#endif
#include PEER_KSEQ
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

/* What its kseq reads: bytes in memory, or a file through zlib, or through ours. */
typedef struct peer_source {
    door_source memory;
    void *zlib, *ours;
    int failed;
} peer_source;

static int peer_zlib_read(void *file, void *to, unsigned bytes) {
#ifdef HAVE_ZLIB
    return gzread((gzFile)file, to, bytes);
#else
    (void)file, (void)to, (void)bytes;
    return -1;
#endif
}
#ifdef HAVE_ZLIB
static gzFile peer_open(const char *path) {
    return gzopen(path, "rb");
}
static void peer_close(gzFile file) {
    gzclose(file);
}
static long peer_tell(gzFile file) {
    return (long)gztell(file);
}
static long peer_seek(gzFile file, long offset, int whence) {
    return (long)gzseek(file, offset, whence);
}
static char *peer_gets(gzFile file, char *to, int bytes) {
    return gzgets(file, to, bytes);
}
static size_t peer_fread(void *to, size_t bytes, size_t count, gzFile file) {
    return gzfread(to, bytes, count, file);
}
static int peer_getc(gzFile file) {
    return gzgetc(file);
}
static int peer_eof(gzFile file) {
    return gzeof(file);
}
typedef gzFile peer_file;
#endif
#endif /* HAVE_KSEQ */

static char gz_told[256]; /* what GZ_ON_ERROR got last */
static unsigned gz_told_count;

#define GZ_SET_DESC(desc) (desc)->workers = 2;
#define GZ_ON_ERROR(text)                          \
    snprintf(gz_told, sizeof gz_told, "%s", text); \
    ++gz_told_count;
#include "../examples/gz_over_biostream.h"

#ifdef HAVE_KSEQ
static int peer_read(peer_source *source, void *to, int bytes) {
    int got = source->zlib != NULL   ? peer_zlib_read(source->zlib, to, (unsigned)bytes)
              : source->ours != NULL ? gzread((gzFile)source->ours, to, (unsigned)bytes)
                                     : source_read(&source->memory, to, (unsigned)bytes);
    source->failed |= got < 0;
    return got < 0 ? 0 : got; /* it would never end otherwise */
}

KSEQ_INIT(peer_source *, peer_read)

static int is_text(const kstring_t *theirs, const kstring_t *ours) {
    return theirs->l == ours->l &&
           (ours->l == 0 || (memcmp(theirs->s, ours->s, ours->l) == 0 && ours->s[ours->l] == '\0'));
}

static int is_record(const kseq_t *theirs, const door_seq_t *ours) {
    return is_text(&theirs->name, &ours->name) && is_text(&theirs->comment, &ours->comment) &&
           is_text(&theirs->seq, &ours->seq) && is_text(&theirs->qual, &ours->qual);
}

/*
 * Read both to the end. Returns '=' where all is equal; 'e' where the records are, and we end with an error; '<' where
 * theirs has more records after ours, '>' where ours has; 'w' where a record differs.
 */
static char kind_of(kseq_t *theirs, door_seq_t *ours) {
    for (;;) {
        int64_t they = kseq_read(theirs), we = door_read(ours);
        if (they == -2 && we == -2 && !is_strict) {
            continue; /* both go on */
        }
        if (they < 0 || we < 0) {
            return they >= 0 ? '<' : we >= 0 ? '>' : we == -1 && they == -1 ? '=' : we < -1 ? 'e' : 'w';
        }
        if (they != we || !is_record(theirs, ours)) {
            return 'w';
        }
    }
}

/*
 * Cases with any other kind than '=', by strict rules and by those that are the default. examples/FROM.md says why, in
 * sentences that belong to these cases. By default:
 *   truncated gzip, and bytes after a member      b06 b07 b20 g08 to g11 g15 t01 t02 t04 to t09
 *   damaged gzip without any good text            b11 b12 d03 d04 d08 h05 h08 h09 h10
 *   we stop earlier: a BGZF block is checked      b05 b08 b09 b10; bytes between members g12 g13; zero bytes before
 *     before its text comes out                   the first h15; the last part of a truncated text t03
 *   zlib drops good text before a fault           b21 c01 c02 c03 g14
 *   '>' or '@' alone at the end                   a15 q59
 *   a CR alone in its line                        q15
 * What kseq.h accepts, an error by strict rules:
 *   a FASTQ record that is cut off, or lacks '+'  q27 to q30 q55 q56
 *   FASTA lines with '@' or '+'                   a17 a18 a35 a37
 *   NUL, lone CR, blanks, bytes above 126         a04 a27 a28 q06 q34 to q40 q42
 *   '>' inside a sequence line                    a16 a34
 *   text before or between records                a19 a20 a21 q52 q53; after '+' q24; FASTA in FASTQ q54
 *   a sequence that starts with '@'               q61
 * Other words by strict rules: an empty name a14 q46; blanks in FASTA sequences a22 a23 a24. Errors of ours alone: text
 * without any record q52 q59 b17 d06; bad FASTQ that kseq.h refuses as well q16 q25 q26 q31 q32 q33 q41.
 * Fields of biost_text_rules, and the cases that each makes equal, by itself or after those above it:
 *   skip_junk    a20 a21 q52 q53 b17 d06
 *   high_bytes   a28 q35 q36 q42
 *   mixed        a35 q54
 *   keep_gt      a16
 *   ignore_plus  q24
 *   loose        a04 a17 to a19 a22 to a24 a27 a34 a37 q06 q16 q25 to q34 q37 to q41 q55 q56 q61
 */
static const struct {
    const char *name, *kinds;
} others[] = {
    {"a04_cr_only.fa", "<="},
    {"a14_space_name.fa", "w="},
    {"a15_gt_alone.fa", ">>"},
    {"a16_inner_gt.fa", "<="},
    {"a17_at_line.fa", "<="},
    {"a18_plus_line.fa", "<="},
    {"a19_semicolon.fa", "<="},
    {"a20_hash.fa", "<="},
    {"a21_junk_first.fa", "<="},
    {"a22_space_seq.fa", "w="},
    {"a23_trail_space.fa", "w="},
    {"a24_tab_digits_genbank.fa", "w="},
    {"a27_nul.fa", "<="},
    {"a28_hi.fa", "<="},
    {"a34_space_before_gt.fa", "<="},
    {"a35_mixed_fq.fa", "<="},
    {"a37_fq_with_gt.fa", "<="},
    {"b05_trunc_block.gz", "<<"},
    {"b06_trunc_eof.gz", "ee"},
    {"b07_trunc_hdr.gz", "ee"},
    {"b08_bsize_small.gz", "<<"},
    {"b09_bsize_large.gz", "<<"},
    {"b10_bsize0.gz", "<<"},
    {"b11_bad_isize.gz", "ee"},
    {"b12_bad_crc.gz", "ee"},
    {"b17_isize_gt64k.gz", "e="},
    {"b20_tgarb.gz", "ee"},
    {"b21_bad_isize_mid.gz", ">>"},
    {"c01_badcrc.gz", ">>"},
    {"c02_badisize.gz", ">>"},
    {"c03_badcrc_m1of2.gz", ">>"},
    {"d03_stored_badlen.gz", "ee"},
    {"d04_type3.gz", "ee"},
    {"d06_fixed.gz", "e="},
    {"d08_badcrc_fixed.gz", "ee"},
    {"g08_tgarb.gz", "ee"},
    {"g09_t1f.gz", "ee"},
    {"g10_t1f8b.gz", "ee"},
    {"g11_tparthdr.gz", "ee"},
    {"g12_garb_member.gz", "<<"},
    {"g13_zeros_member.gz", "<<"},
    {"g14_t1f8b_cm9.gz", ">>"},
    {"g15_t1f_garb.gz", "ee"},
    {"h05_fhcrc_bad.gz", "ee"},
    {"h08_res20.gz", "ee"},
    {"h09_res80.gz", "ee"},
    {"h10_cm7.gz", "ee"},
    {"h15_lead_zero.gz", "<<"},
    {"q06_cr_only.fq", "<="},
    {"q15_empty_seq_crlf.fq", "ww"},
    {"q16_empty_noline.fq", "e="},
    {"q24_plus_diff.fq", "<="},
    {"q25_short_qual.fq", "e="},
    {"q26_long_qual.fq", "e="},
    {"q27_trunc_title.fq", "<="},
    {"q28_trunc_after_title.fq", "<="},
    {"q29_trunc_seq.fq", "<="},
    {"q30_trunc_after_seq.fq", "<="},
    {"q31_trunc_plus.fq", "e="},
    {"q32_trunc_after_plus.fq", "e="},
    {"q33_trunc_qual.fq", "e="},
    {"q34_qual_space.fq", "<="},
    {"q35_qual_del.fq", "<="},
    {"q36_qual_hi.fq", "<="},
    {"q37_qual_nul.fq", "<="},
    {"q38_seq_nul.fq", "<="},
    {"q39_name_nul.fq", "<="},
    {"q40_seq_space.fq", "<="},
    {"q41_seq_trailspace.fq", "e="},
    {"q42_seq_hi.fq", "<="},
    {"q46_space_name.fq", "w="},
    {"q52_junk.fq", "e="},
    {"q53_junk_mid.fq", "<="},
    {"q54_mixed_fa.fq", "<="},
    {"q55_noplus.fq", "<="},
    {"q56_space_plus.fq", "<="},
    {"q59_at_alone_eof.fq", "e>"},
    {"q61_seq_at_start.fq", "<="},
    {"t01_hdr5.gz", "ee"},
    {"t02_hdr10.gz", "ee"},
    {"t03_mid.gz", "<<"},
    {"t04_nocrc.gz", "ee"},
    {"t05_crc_only.gz", "ee"},
    {"t06_minus1.gz", "ee"},
    {"t07_1byte.gz", "ee"},
    {"t08_2bytes.gz", "ee"},
    {"t09_second_trunc.gz", "ee"},
};

static const char *kinds_of(const char *name) {
    size_t i;
    for (i = 0; i < sizeof others / sizeof others[0]; ++i) {
        if (strcmp(others[i].name, name) == 0) {
            return others[i].kinds;
        }
    }
    return "==";
}
#endif /* HAVE_KSEQ */

TEST(kseq_door, hard_cases) {
#if defined(HAVE_KSEQ) && defined(HAVE_ZLIB)
    size_t count = 0;
    char *table = (char *)test_read_file(TEST_DATA "/semantics/EXPECTED.tsv", &count), *line;
    unsigned cases = 0, counts[2][128];
    REQUIRE(table != NULL && count > 0);
    memset(counts, 0, sizeof counts);
    table[count - 1] = '\0'; /* the last line end */
    for (line = strchr(table, '\n'); line != NULL; line = strchr(line, '\n')) {
        char name[128], path[256];
        size_t bytes = 0;
        uint8_t *text;
        int way;
        REQUIRE(sscanf(++line, "%127[^\t]", name) == 1);
        snprintf(path, sizeof path, TEST_DATA "/semantics/%s", name);
        text = test_read_file(path, &bytes);
        ++cases;
        for (way = 0; way < 4; ++way) { /* strict, as it is, and both in small pages */
            char expected = kinds_of(strchr(name, '/') + 1)[way & 1], kind;
            door_source source = source_of(text, bytes);
            peer_source peer;
            kseq_t *theirs;
            door_seq_t *ours;
            strict(!(way & 1));
            door_page_bytes = way < 2 ? 0 : 16;
            memset(&peer, 0, sizeof peer);
            peer.zlib = peer_open(path);
            REQUIRE(peer.zlib != NULL);
            theirs = kseq_init(&peer);
            ours = door_init(&source);
            kind = kind_of(theirs, ours);
            counts[way & 1][(unsigned char)kind & 127] += 1;
            test_note("%s, way %d: kind %c, and %c was expected", name, way, kind, expected);
            CHECK(kind == expected);
            kseq_destroy(theirs);
            door_destroy(ours);
            peer_close((peer_file)peer.zlib);
        }
        free(text);
    }
    test_note("all cases");
    CHECK_EQ_U64(cases, 171);
    CHECK_EQ_U64(counts[0]['='], 2 * 84); /* the figures of examples/FROM.md */
    CHECK_EQ_U64(counts[1]['='], 2 * 130);
    free(table);
#else
    TEST_SKIP("htslib's kseq.h and zlib");
#endif
}

#ifdef HAVE_KSEQ
/*
 * A text in which everything goes, as far as kseq.h takes it as we do: a CR follows what is no blank, line end, '>' or
 * '@', these two do not end the text, and it does not begin as a file of something else.
 */
static size_t draw_text(uint64_t *random, char *text, size_t most) {
    static const char bytes[] = ">>@@++\n\n\n\n\n\nACGTIII#; \t\v\r\r\xE9\x7F\x01";
    static const char *const starts[] = {"\n@a b\nACG\n+\nIII\n", "\n>c\nAC\n+\nII\n", "\n@d\nA", "\n+\n",
                                         "\nAC\n+x\n@@\n"};
    size_t wanted = test_random(random) % most,
           count = (size_t)sprintf(text, "%s", starts[test_random(random) % 5]);
    while (count < wanted) {
        const char *start = starts[test_random(random) % 5];
        char byte = bytes[test_random(random) % sizeof bytes]; /* the NUL that ends them, too */
        if (test_random(random) % 8 == 0 && count + strlen(start) < most) {
            count += (size_t)sprintf(text + count, "%s", start);
        } else if (byte != '\r' || (count > 0 && strchr(" \t\v\r\n>@", text[count - 1]) == NULL)) {
            text[count++] = byte;
        }
    }
    while (count > 0 && (text[count - 1] == '>' || text[count - 1] == '@')) {
        --count;
    }
    return count;
}
#endif

/* Records, codes and what stays, of texts at random in pages and reads of any size. */
TEST(kseq_door, any_text_as_kseq) {
#ifdef HAVE_KSEQ
    uint64_t random = test_seed();
    unsigned round, records = 0, bad = 0;
    for (round = 0; round < 20000 && test_state.failures == 0; ++round) {
        char text[400];
        size_t count = draw_text(&random, text, round % 2 == 0 ? 40 : sizeof text);
        door_source source = source_of(text, count);
        peer_source peer;
        kseq_t *theirs;
        door_seq_t *ours;
        int64_t they, we;
        strict(0);
        source.step = (unsigned)(test_random(&random) % 9);
        door_page_bytes = (uint32_t)(test_random(&random) % 3 == 0 ? 16 + test_random(&random) % 64 : 0);
        memset(&peer, 0, sizeof peer);
        peer.memory = source;
        theirs = kseq_init(&peer);
        ours = door_init(&source);
        test_note("round %u", round);
        do {
            they = kseq_read(theirs);
            we = door_read(ours);
            test_note("round %u: %s", round, door_told);
            CHECK_EQ_I64(we, they);
            CHECK(they < 0 || is_record(theirs, ours));
            CHECK(they < 0 ||
                  ours->is_fastq == (theirs->qual.l > 0 || (theirs->seq.l == 0 && ours->is_fastq)));
            records += they >= 0;
            bad += they == -2;
        } while ((they >= 0 || they == -2) && test_state.failures == 0);
        CHECK_EQ_I64(door_told_count, ours->f->over.bad > 0);
        kseq_destroy(theirs);
        door_destroy(ours);
    }
    CHECK(test_state.failures > 0 || (records > 20000 && bad > 5000));
#else
    TEST_SKIP("htslib's kseq.h");
#endif
}

/* What stays otherwise: a CR that nothing is before in its line, and a '>' or '@' that ends the text. */
TEST(kseq_door, what_kseq_makes_otherwise) {
#ifdef HAVE_KSEQ
    static const struct {
        const char *text, *theirs, *ours; /* name/comment/seq/qual of each record */
    } texts[] = {
        {">a\n\r\nAC\n", "a//\rAC/ ", "a//AC/ "},
        {">a \r\nAC\n", "a/\r/AC/ ", "a//AC/ "},
        {"@a\r\n\r\n+\r\n\r\n", "a//\r/\r ", "a/// "},
        {">a\nAC\n>", "a//AC/ ", "a//AC/ /// "},
    };
    size_t i;
    strict(0);
    for (i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        char they[100] = "", we[100] = "";
        door_source source = source_of(texts[i].text, strlen(texts[i].text));
        peer_source peer;
        kseq_t *theirs;
        door_seq_t *ours;
        memset(&peer, 0, sizeof peer);
        peer.memory = source;
        theirs = kseq_init(&peer);
        ours = door_init(&source);
        while (kseq_read(theirs) >= 0) {
            sprintf(they + strlen(they), "%s/%s/%s/%s ", theirs->name.s,
                    theirs->comment.l > 0 ? theirs->comment.s : "", theirs->seq.s,
                    theirs->qual.l > 0 ? theirs->qual.s : "");
        }
        while (door_read(ours) >= 0) {
            sprintf(we + strlen(we), "%s/%s/%s/%s ", ours->name.s, ours->comment.s, ours->seq.s,
                    ours->qual.s);
        }
        CHECK_STR(they, texts[i].theirs);
        CHECK_STR(we, texts[i].ours);
        kseq_destroy(theirs);
        door_destroy(ours);
    }
#else
    TEST_SKIP("htslib's kseq.h");
#endif
}

/* htslib's kseq.h over our gzread, and over zlib's: where zlib has no fault to report, the same. */
TEST(kseq_door, own_kseq_over_our_stream) {
#if defined(HAVE_KSEQ) && defined(HAVE_ZLIB)
    static const char *const more[] = {"examples/data/illumina_hiseqx_150bp.fastq.gz",
                                       "examples/data/illumina_hiseqx_150bp.bgzf.fastq.gz",
                                       "examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz",
                                       "examples/data/tenx_v2_R1_barcode_umi.fastq"};
    size_t count = 0, i = 0;
    char *table = (char *)test_read_file(TEST_DATA "/semantics/EXPECTED.tsv", &count), *line;
    unsigned compared = 0;
    REQUIRE(table != NULL && count > 0);
    table[count - 1] = '\0';
    for (line = strchr(table, '\n'); line != NULL || i < 4;) {
        char name[128], verdict[32] = "valid", path[256];
        peer_source zlib, ours;
        kseq_t *a, *b;
        int64_t they, we;
        int code = 0;
        if (line != NULL) {
            REQUIRE(sscanf(++line, "%127[^\t]\t%*[^\t]\t%31[^\t]", name, verdict) == 2);
            snprintf(path, sizeof path, TEST_DATA "/semantics/%s", name);
            line = strchr(line, '\n');
        } else {
            snprintf(path, sizeof path, "%s", more[i++]);
        }
        if (strstr(path, "/gzip/") != NULL && strcmp(verdict, "valid") != 0) {
            continue;
        }
        test_note("%s", path);
        memset(&zlib, 0, sizeof zlib);
        memset(&ours, 0, sizeof ours);
        zlib.zlib = peer_open(path);
        ours.ours = gzopen(path, "r");
        REQUIRE(zlib.zlib != NULL && ours.ours != NULL);
        a = kseq_init(&zlib);
        b = kseq_init(&ours);
        do {
            they = kseq_read(a);
            we = kseq_read(b);
            CHECK_EQ_I64(we, they);
            CHECK(they < 0 || (is_text(&a->name, &b->name) && is_text(&a->comment, &b->comment) &&
                               is_text(&a->seq, &b->seq) && is_text(&a->qual, &b->qual)));
        } while (they >= 0 && we >= 0 && test_state.failures == 0);
        CHECK_EQ_I64(ours.failed, strstr(path, "h15_lead_zero") != NULL);
        gzerror((gzFile)ours.ours, &code);
        CHECK_EQ_I64(code, Z_OK);
        CHECK_EQ_I64(gzclose((gzFile)ours.ours), Z_OK);
        peer_close((peer_file)zlib.zlib);
        kseq_destroy(a);
        kseq_destroy(b);
        ++compared;
    }
    CHECK(compared > 130);
    free(table);
#else
    TEST_SKIP("htslib's kseq.h and zlib");
#endif
}

/* Tables by word and by line, as programs read them with the same calls. */
TEST(kseq_door, tables) {
#ifdef HAVE_KSEQ
    static const char bytes[] = "ab \t\n\r\n\vx>@,";
    uint64_t random = test_seed();
    unsigned round;
    strict(1);
    for (round = 0; round < 2000 && test_state.failures == 0; ++round) {
        char text[64];
        size_t count = test_random(&random) % sizeof text, i;
        door_source source;
        peer_source peer;
        kstream_t *theirs;
        door_stream_t *ours;
        kstring_t a = {0, 0, NULL}, b = {0, 0, NULL};
        int64_t they, we;
        for (i = 0; i < count; ++i) {
            text[i] = bytes[test_random(&random) % (sizeof bytes - 1)];
        }
        memset(&peer, 0, sizeof peer);
        source = source_of(text, count);
        source.step = (unsigned)(test_random(&random) % 4);
        peer.memory = source;
        theirs = ks_init(&peer);
        ours = door_ks_init(&source);
        test_note("round %u", round);
        for (i = 0; i < 200; ++i) {
            static const int delimiters[] = {KS_SEP_SPACE, KS_SEP_TAB, KS_SEP_LINE, ','};
            int delimiter = delimiters[test_random(&random) % 4], append = test_random(&random) % 4 == 0;
            int da = -7, db = -7;
            if (test_random(&random) % 4 == 0) {
                CHECK_EQ_I64(door_getc(ours), ks_getc(theirs));
                continue;
            }
            they = ks_getuntil2(theirs, delimiter, &a, &da, append);
            we = door_getuntil2(ours, delimiter, &b, &db, append);
            CHECK_EQ_I64(we, they);
            CHECK_EQ_I64(db, da);
            CHECK(they < 0 || is_text(&a, &b));
            if (they < 0) {
                break;
            }
        }
        free(a.s);
        free(b.s);
        ks_destroy(theirs);
        door_ks_destroy(ours);
    }
#else
    TEST_SKIP("htslib's kseq.h");
#endif
}

#if defined(HAVE_KSEQ) && defined(HAVE_ZLIB)
/* The other calls, in an order at random, against zlib's; by_fd: of a descriptor that the program opened. */
static void check_calls(int by_fd) {
    static const char path[] = "examples/data/tenx_v2_R2_cdna.fastq.gz";
    uint64_t random = test_seed();
    peer_file theirs = peer_open(path);
    gzFile ours = by_fd ? gzdopen(open(path, O_RDONLY), "rb") : gzopen(path, "rb");
    int i;
    REQUIRE(theirs != NULL && ours != NULL);
    for (i = 0; i < 3000 && test_state.failures == 0; ++i) {
        char a[400], b[400];
        unsigned bytes = (unsigned)(test_random(&random) % sizeof a);
        long offset = (long)(test_random(&random) %
                             (i % 50 == 7 ? 9000000 : 4000)); /* at times past the end */
        test_note("by fd %d, call %d", by_fd, i);
        memset(a, 0, sizeof a);
        memset(b, 0, sizeof b);
        switch (test_random(&random) % 7) {
        case 5: {
            size_t item = (size_t)(test_random(&random) % 9), count = bytes / 9;
            CHECK_EQ_U64(gzfread(b, item, count, ours), peer_fread(a, item, count, theirs));
            break;
        }
        case 0: CHECK_EQ_I64(gzread(ours, b, bytes), peer_zlib_read(theirs, a, bytes)); break;
        case 1:
            CHECK((gzgets(ours, b, (int)bytes + 2) == NULL) ==
                  (peer_gets(theirs, a, (int)bytes + 2) == NULL));
            break;
        case 2: CHECK_EQ_I64(gzgetc(ours), peer_getc(theirs)); break;
        case 3: CHECK_EQ_I64(gzseek(ours, offset, SEEK_SET), peer_seek(theirs, offset, SEEK_SET)); break;
        case 4: CHECK_EQ_I64(gzrewind(ours), peer_seek(theirs, 0, SEEK_SET)); break;
        default: /* after a seek past the end zlib's goes back to the end with the next read */
            CHECK(gztell(ours) == peer_tell(theirs) || gzgetc(ours) < 0);
            break;
        }
        CHECK_MEM(b, a, sizeof a);
    }
    while (gzgetc(ours) >= 0 && peer_getc(theirs) >= 0) {
    }
    CHECK_EQ_I64(peer_getc(theirs), -1);
    CHECK(gzeof(ours) != 0 && peer_eof(theirs) != 0);
    CHECK_EQ_I64(gzclose(ours), Z_OK);
    peer_close(theirs);
}
#endif

TEST(kseq_door, calls_of_zlib) {
#if defined(HAVE_KSEQ) && defined(HAVE_ZLIB)
    check_calls(0);
    check_calls(1);
#else
    TEST_SKIP("htslib's kseq.h and zlib");
#endif
}

/* A pipe goes nowhere back; that this was asked is no error of its text. */
TEST(kseq_door, a_pipe_is_not_rewound) {
    int ends[2];
    char text[8];
    gzFile file;
    REQUIRE(pipe(ends) == 0 && write(ends[1], ">a\nAC\n", 6) == 6 && close(ends[1]) == 0);
    file = gzdopen(ends[0], "r");
    REQUIRE(file != NULL);
    CHECK_EQ_I64(gzread(file, text, 3), 3);
    CHECK_EQ_I64(gzrewind(file), -1);
    CHECK_EQ_I64(gzread(file, text, 8), 3);
    CHECK_MEM(text, "AC\n", 3);
    CHECK_EQ_I64(gzclose(file), Z_OK);
}

TEST(kseq_door, what_zlib_does_not_say) {
    char text[64];
    int fd, code = 0;
    unsigned told = gz_told_count;
    gzFile file = gzopen(TEST_DATA "/semantics/gzip/t06_minus1.gz", "r");
    REQUIRE(file != NULL);
    while (gzread(file, text, sizeof text) > 0) {
    }
    CHECK_EQ_I64(gzread(file, text, sizeof text), -1); /* cut off: to zlib an end */
    CHECK_EQ_I64(gzread_or_end(file, text, sizeof text), 0);
    CHECK(strstr(gzerror(file, &code), "t06_minus1.gz") != NULL);
    CHECK_STR(gz_told, gzerror(file, &code)); /* for a program that does not ask, and once */
    CHECK_EQ_U64(gz_told_count - told, 1);
    CHECK_EQ_I64(code, Z_DATA_ERROR);
    code = gzclose(file); /* as bwa's and other programs' ends of files have it */
    CHECK_EQ_I64(code, Z_DATA_ERROR);
    CHECK(strstr(zError(code), "damaged") != NULL && strcmp(zError(Z_ERRNO), zError(Z_MEM_ERROR)) != 0);
    CHECK(gzopen("build/there_is_none", "r") == NULL && errno == ENOENT);
    CHECK(gzopen(TEST_DATA "/semantics/gzip/g01_single.gz", "w") == NULL && errno == EINVAL);
    CHECK(gzopen(NULL, "r") == NULL && gzread(NULL, text, 1) == -1 && gzclose(NULL) == Z_STREAM_ERROR);
    fd = open(TEST_DATA "/semantics/fastx/a01_plain.fa", O_RDONLY);
    REQUIRE(fd >= 0);
    file = gzdopen(fd, "r");
    REQUIRE(file != NULL);
    CHECK(gzgets(file, text, sizeof text) == text && text[0] == '>');
    CHECK_EQ_I64(gzclose(file), Z_OK);
    CHECK(fcntl(fd, F_GETFD) == -1); /* it was the file's to close */
}
