/*
 * test_reader_kseq.c - records as kseq.h of htslib reads them, where it is right: FASTQ of four lines or
 * more, FASTA without blanks, LF, and CRLF without empty reads; made at random, and the real files.
 *
 * rooms: reader records
 * needs: library data
 */
#include "../biostream.h"
#include "test.h"

#ifdef HAVE_KSEQ
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
#include <htslib/kseq.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "records_oracle.h"

#include "reader_collect.h"

/* Where kseq reads from: memory, or a file through zlib. */
typedef struct kseq_source {
    const uint8_t *data;
    size_t count, at;
    void *file; /* a gzFile, or NULL */
} kseq_source;

static int kseq_source_read(kseq_source *source, void *to, size_t bytes) {
    size_t left = source->count - source->at;
#ifdef HAVE_ZLIB
    if (source->file != NULL) {
        return gzread((gzFile)source->file, to, (unsigned)bytes);
    }
#endif
    bytes = bytes < left ? bytes : left;
    if (bytes > 0) {
        memcpy(to, source->data + source->at, bytes);
    }
    source->at += bytes;
    return (int)bytes;
}

KSEQ_INIT(kseq_source *, kseq_source_read)

static int is_same(const kstring_t *theirs, const char *ours, size_t bytes) {
    return theirs->l == bytes && (bytes == 0 || memcmp(theirs->s, ours, bytes) == 0);
}

/* Record by record; returns how many there were. */
static uint64_t compare(kseq_source *source, const biost_reader_desc *desc) {
    biost_reader *reader = NULL;
    biost_record record;
    biost_result result = BIOST_OK;
    uint64_t count = 0;
    kseq_t *seq = kseq_init(source);
    if (!CHECK(biost_reader_open(desc, &reader, NULL) == BIOST_OK)) {
        return 0;
    }
    while ((result = biost_reader_next(reader, &record)) == BIOST_OK && test_state.failures == 0) {
        if (!CHECK(kseq_read(seq) >= 0)) {
            break;
        }
        CHECK(is_same(&seq->name, record.name, record.name_bytes));
        CHECK(is_same(&seq->comment, record.comment, record.comment_bytes));
        CHECK(is_same(&seq->seq, record.seq, record.seq_bases));
        CHECK(is_same(&seq->qual, record.qual, record.qual == NULL ? 0 : record.seq_bases));
        ++count;
    }
    if (test_state.failures == 0) {
        CHECK(result == BIOST_END && kseq_read(seq) == -1);
    }
    biost_reader_close(reader);
    kseq_destroy(seq);
    return count;
}

/* ---- texts at random ---- */

typedef struct shape {
    int fasta, crlf;
    uint32_t records, most, line; /* most bases; bases a line, 0: one line */
} shape;

static void add_end(ref_bytes *text, const shape *s) {
    collect_bytes(text, s->crlf ? "\r\n" : "\n", s->crlf ? 2 : 1);
}

static void add_line(ref_bytes *text, const shape *s, uint32_t bases, int is_quality, uint64_t *random) {
    uint32_t i;
    for (i = 0; i < bases; ++i) {
        if (s->line > 0 && i > 0 && i % s->line == 0) {
            add_end(text, s);
        }
        ref_add(text, is_quality ? (uint8_t)(33 + test_random(random) % 94)
                                 : (uint8_t) "ACGTNacgtnRYKM*-."[test_random(random) % 17]);
    }
    add_end(text, s);
}

static void add_record(ref_bytes *text, const shape *s, uint32_t number, uint64_t *random) {
    static const char *const titles[] = {"r%u", "r%u some words", "r%u\tBC:Z:ACGT", "r%u/1 length=7 @>+"};
    uint32_t bases = 1 + (uint32_t)(test_random(random) % s->most);
    char title[64];
    bases -= !s->crlf && test_random(random) % 8 == 0 ? bases : 0;
    snprintf(title, sizeof title, titles[test_random(random) % 4], (unsigned)number);
    ref_add(text, s->fasta ? '>' : '@');
    collect_bytes(text, title, strlen(title));
    add_end(text, s);
    if (bases > 0 || !s->fasta) {
        add_line(text, s, bases, 0, random);
    }
    if (!s->fasta) {
        ref_add(text, '+');
        collect_bytes(text, title, test_random(random) % 4 == 0 ? strlen(title) : 0);
        add_end(text, s);
        add_line(text, s, bases, 1, random);
    }
}
#endif /* HAVE_KSEQ */

TEST(reader_kseq, texts_at_random) {
#ifdef HAVE_KSEQ
    uint64_t random = test_seed();
    unsigned round;
    for (round = 0; round < 400 && test_state.failures == 0; ++round) {
        shape s;
        ref_bytes text;
        biost_reader_desc desc;
        kseq_source source;
        uint32_t i;
        memset(&s, 0, sizeof s);
        memset(&text, 0, sizeof text);
        memset(&source, 0, sizeof source);
        s.fasta = round % 2 == 1;
        s.crlf = round % 5 == 4;
        s.records = 1 + (uint32_t)(test_random(&random) % 200);
        s.most = round % 3 == 0 ? 5 : round % 3 == 1 ? 200 : 5000;
        s.records = s.most == 5000 ? s.records / 10 + 1 : s.records;
        s.line = round % 7 < 3 ? 0 : 1 + (uint32_t)(test_random(&random) % 90);
        for (i = 0; i < s.records; ++i) {
            add_record(&text, &s, i, &random);
        }
        memset(&desc, 0, sizeof desc);
        desc.memory.data = text.data;
        desc.memory.bytes = text.count;
        desc.test.page_bytes = round % 4 == 0 ? 0 : 100 + (uint32_t)(test_random(&random) % 9000);
        source.data = text.data;
        source.count = text.count;
        test_note("round %u", round);
        CHECK_EQ_U64(compare(&source, &desc), s.records);
        free(text.data);
    }
#else
    TEST_SKIP("htslib's kseq.h");
#endif
}

TEST(reader_kseq, real_files) {
#if defined(HAVE_KSEQ) && defined(HAVE_ZLIB)
    static const struct {
        const char *path;
        uint64_t records;
    } files[] = {
        {"examples/data/illumina_hiseqx_150bp.fastq.gz", 10000},
        {"examples/data/illumina_hiseqx_150bp.bgzf.fastq.gz", 10000},
        {"examples/data/ecoli_536_genome.fasta.gz", 1},
        {"examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz", 2},
        {"examples/data/tenx_v2_R1_barcode_umi.fastq", 20},
        {"examples/data/tenx_v2_R2_cdna.fastq.gz", 20},
    };
    size_t i;
    for (i = 0; i < sizeof files / sizeof files[0]; ++i) {
        biost_reader_desc desc;
        kseq_source source;
        memset(&desc, 0, sizeof desc);
        memset(&source, 0, sizeof source);
        desc.path = files[i].path;
        test_note("%s", desc.path);
        source.file = gzopen(desc.path, "rb");
        REQUIRE(source.file != NULL);
        CHECK_EQ_U64(compare(&source, &desc), files[i].records);
        gzclose((gzFile)source.file);
    }
#elif defined(HAVE_KSEQ)
    TEST_SKIP("zlib");
#else
    TEST_SKIP("htslib's kseq.h");
#endif
}
