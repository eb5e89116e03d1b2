/*
 * test_reader_cuts.c - where a text is cut changes nothing: every cut position of small texts in two pieces,
 * pages of every small size, pieces of 1, 2, 3, 7, 4095 and 4097 bytes of large ones, lines of every width;
 * and the input failing at every byte. test_reader.c has every prefix, and pages and chunks of gzip.
 *
 * rooms: carry source scan
 * needs: library data
 */
#include "../biostream.h"
#include "test.h"

#include "records_oracle.h"

#include "reader_collect.h"

/* ---- texts ---- */

static void add_words(ref_bytes *text, const char *words) {
    collect_bytes(text, words, strlen(words));
}

/* The same with CR LF for each LF. */
static void add_dos(ref_bytes *text, const ref_bytes *from) {
    size_t i;
    for (i = 0; i < from->count; ++i) {
        if (from->data[i] == '\n') {
            ref_add(text, '\r');
        }
        ref_add(text, from->data[i]);
    }
}

static const char *const small_texts[] = {
    "@a x\nACGT\n+\nIIII\n@b\nGG\n+b\nJ!\n@c\nA\n+\n@\n@d\n\n+\n\n@e\nT\n+e\n+\n",
    "\n \t\n@a\nACGT\nAC\n+\n@III\n+I\n\n@b\nA\n+\nI\n  \n",
    "\xEF\xBB\xBF>a x\nACGT\nAC\n\n>b\nG G\tT\n>c\n>d\nAAAAAAAAAA\nCCCC\nG",
    ">a\n \t \nAC  \n  GT\n\n\n>b c d\n\n",
    ">title of a\nAC\n \t \t       GT\n>b\nAC\n            \n>c\nGT\n",
    "@a\nACGT\n+\nII\n@b\nAC\n+\nII\n",
    "@a\nAC\n+\nI\nJ\n    \n@b\nA\n+\nI\n",
    "@a\nA\x80\n+\nII\n@b\nAC\n+\nII\n@c\nA\n+\nI\n",
    ">a\nAC\nG>T\n>b\nAC\n",
    ">a\nAC\rGT\n>b\nAC\n",
    "@a\nAC\n+\n!~\r\r\n",
    "# one\n;two\n@a\nACGT  \n+\nIIII\n@b\nAC \t\n+\nhh\n",
    ";#\n>a\nAC\n; x\nGT>C\n>b\n;\nA C \n;",
    "@a\nACGTRYSWKM\n+\n@@@@@hhhhh\n@b\nacgtn\n+\nhhhhh\n",
    /* PIR, and what only looks like it; then what is neither FASTA nor FASTQ, which the sentence names */
    ">P1;A\n CYTOCHROME B5\n MDIT IH*\n>F1;B\nx\nAC G\n>F1;B\nx\ty\nAC\n",
    ">P1;size=3\nACGT\nAC GT\n>P1\nAC GT\n",
    "  5 42\nTurkey    AAGCT\n",
    "r1\tACGT\tIIII\nr2\tACGT\tIIII\n",
    "ACGTACGTAC\nACGTACGTAC\n",
    "\n\n<html><head>\n",
    "\xEF\xBB\xBF{\"a\": 1}\n",
    "@HD\tVN:1.6\n@SQ\tSN:c\tLN:9\nr\t0\tc\n",
};

/* Options that matter for some of them; each text is read with each. */
static void options_make(biost_text_rules *o, unsigned which) {
    memset(o, 0, sizeof *o);
    o->skip_comments = which == 1 || which == 3;
    o->strip_blanks = which == 1;
    o->keep_gt = which == 1;
    o->letters = which == 1 ? BIOST_LETTERS_DNA : BIOST_LETTERS_ANY;
    o->replace_letters = which == 1;
    o->phred64 = which == 2;
    o->ignore_plus = which == 2;
    o->skip_bad = which == 2 || which == 3 ? UINT64_MAX : 0;
    o->pedantic = which >= 3;
    o->four_lines = which == 3;
    o->skip_junk = which == 1;
    o->high_bytes = which == 1;
    o->mixed = which == 1;
}

/* ---- an input in pieces ---- */

typedef struct pieces {
    const uint8_t *data;
    size_t count, at;
    size_t cut;   /* not 0: a read ends here  */
    size_t most;  /* not 0: bytes of a read   */
    size_t fails; /* not SIZE_MAX: at this byte reading fails */
} pieces;

static int64_t pieces_read(void *to, size_t bytes, void *user_data) {
    pieces *p = (pieces *)user_data;
    size_t left = p->count - p->at;
    if (p->fails != SIZE_MAX) {
        if (p->at == p->fails) {
            return -1;
        }
        left = p->fails - p->at;
    }
    bytes = bytes < left ? bytes : left;
    bytes = p->at < p->cut && p->cut - p->at < bytes ? p->cut - p->at : bytes;
    bytes = p->most > 0 && p->most < bytes ? p->most : bytes;
    if (bytes > 0) {
        memcpy(to, p->data + p->at, bytes);
    }
    p->at += bytes;
    return (int64_t)bytes;
}

static void pieces_make(pieces *p, biost_reader_desc *desc, const ref_bytes *text) {
    memset(p, 0, sizeof *p);
    memset(desc, 0, sizeof *desc);
    p->data = text->data;
    p->count = text->count;
    p->fails = SIZE_MAX;
    desc->callback.read = pieces_read;
    desc->callback.user_data = p;
    desc->callback.name = "memory";
}

static void same(const collected *a, const collected *b) {
    CHECK(a->result == b->result && a->error.fault == b->error.fault);
    CHECK_STR(a->error.text, b->error.text);
    CHECK(a->format == b->format && a->records == b->records && a->bases == b->bases);
    CHECK_EQ_U64(a->warnings, b->warnings);
    CHECK_EQ_U64(a->progress.skipped_count, b->progress.skipped_count);
    CHECK_EQ_U64(a->progress.blank_count, b->progress.blank_count);
    if (CHECK_EQ_U64(a->text.count, b->text.count) && a->text.count > 0) {
        CHECK_MEM(a->text.data, b->text.data, a->text.count);
    }
}

/* ---- small texts ---- */

/* All cuts in two pieces, then all sizes of pages: by each call in turn, fast path and general parser. */
static void every_cut(const ref_bytes *text, const biost_text_rules *options) {
    biost_reader_desc desc;
    pieces p;
    collected whole, cut;
    uint32_t i;
    pieces_make(&p, &desc, text);
    desc.text = *options;
    collect(&whole, &desc, COLLECT_NEXT);
    for (i = 1; i < text->count; ++i) {
        pieces_make(&p, &desc, text);
        desc.text = *options;
        desc.test.general = i / 3 % 2 == 1;
        p.cut = i;
        collect(&cut, &desc, (collect_style)(i % 3));
        same(&cut, &whole);
        collected_free(&cut);
    }
    for (i = 16; i < text->count + 2; ++i) {
        unsigned k;
        for (k = 0; k < 3; ++k) {
            pieces_make(&p, &desc, text);
            desc.text = *options;
            desc.test.general = (i + k) % 2 == 1;
            desc.test.page_bytes = i;
            collect(&cut, &desc, (collect_style)k);
            same(&cut, &whole);
            collected_free(&cut);
        }
    }
    collected_free(&whole);
}

TEST(reader_cuts, two_pieces_and_pages_of_small_texts) {
    unsigned i, which, dos;
    for (i = 0; i < sizeof small_texts / sizeof small_texts[0]; ++i) {
        for (which = 0; which < 5; ++which) {
            for (dos = 0; dos < 2; ++dos) {
                ref_bytes unix_text, text;
                biost_text_rules options;
                memset(&unix_text, 0, sizeof unix_text);
                memset(&text, 0, sizeof text);
                add_words(&unix_text, small_texts[i]);
                if (dos) {
                    add_dos(&text, &unix_text);
                } else {
                    collect_bytes(&text, unix_text.data, unix_text.count);
                }
                options_make(&options, which);
                test_note("text %u, options %u%s", i, which, dos ? ", CRLF" : "");
                every_cut(&text, &options);
                free(unix_text.data);
                free(text.data);
            }
        }
    }
}

/* The hard cases of tests/data in two pieces. */
TEST(reader_cuts, two_pieces_of_the_hard_cases) {
    size_t bytes, i;
    uint8_t *table = test_read_file(TEST_DATA "/semantics/EXPECTED.tsv", &bytes);
    unsigned cases = 0;
    REQUIRE(table != NULL);
    for (i = 0; i + 6 < bytes; ++i) {
        if ((i == 0 || table[i - 1] == '\n') && memcmp(table + i, "fastx/", 6) == 0) {
            char path[256];
            size_t k = i, count;
            uint8_t *data;
            ref_bytes text;
            biost_text_rules options;
            while (k < bytes && table[k] != '\t') {
                ++k;
            }
            snprintf(path, sizeof path, "%s/semantics/%.*s", TEST_DATA, (int)(k - i),
                     (const char *)table + i);
            data = test_read_file(path, &count);
            REQUIRE(data != NULL);
            memset(&text, 0, sizeof text);
            collect_bytes(&text, data, count);
            options_make(&options, 0);
            test_note("%s", path);
            every_cut(&text, &options);
            options_make(&options, 1 + cases % 3);
            every_cut(&text, &options);
            free(text.data);
            free(data);
            ++cases;
        }
    }
    CHECK_EQ_U64(cases, 100);
    free(table);
}

/* ---- large texts ---- */

/* Records of up to `most` bases; lines: bases a line, 0 = one line. */
static void add_records(ref_bytes *text, int fasta, unsigned count, uint32_t most, uint32_t lines,
                        uint64_t *random) {
    unsigned i;
    for (i = 0; i < count; ++i) {
        uint32_t bases = (uint32_t)(test_random(random) % (most + 1)), k;
        int part;
        char title[40];
        snprintf(title, sizeof title, "%cr%u x\n", fasta ? '>' : '@', i);
        add_words(text, title);
        for (part = 0; part < (fasta ? 1 : 2); ++part) {
            for (k = 0; k < bases; ++k) {
                ref_add(text, part == 0 ? (uint8_t) "ACGT"[test_random(random) % 4]
                                        : (uint8_t)(33 + test_random(random) % 94));
                if (lines > 0 && k % lines == lines - 1 && k + 1 < bases) {
                    ref_add(text, '\n');
                }
            }
            if (bases > 0 || !fasta) {
                ref_add(text, '\n');
            }
            if (!fasta && part == 0) {
                add_words(text, "+\n");
            }
        }
    }
}

TEST(reader_cuts, pieces_of_large_texts) {
    static const size_t sizes[] = {1, 2, 3, 7, 4095, 4097};
    static const uint32_t pages[] = {16, 4096, 4097, 5000, 0};
    uint64_t random = test_seed();
    unsigned form, i, k;
    for (form = 0; form < 10; ++form) {
        ref_bytes made, text;
        biost_reader_desc desc;
        pieces p;
        collected whole, cut;
        memset(&made, 0, sizeof made);
        memset(&text, 0, sizeof text);
        add_records(&made, form % 2, form < 4 ? 60 : 4, form < 4 ? 200 : 9000, form % 4 < 2 ? 0 : 60,
                    &random);
        if (form >= 8) {
            add_dos(&text, &made);
        } else {
            collect_bytes(&text, made.data, made.count);
        }
        pieces_make(&p, &desc, &text);
        collect(&whole, &desc, COLLECT_NEXT);
        CHECK(whole.result == BIOST_END);
        CHECK_EQ_U64(whole.records, form < 4 ? 60 : 4);
        if (form % 4 < 2 && form < 8) { /* it comes out as it went in, but for lines of empty FASTA records */
            CHECK(whole.text.count >= made.count && whole.text.count < made.count + 10);
        }
        for (i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
            for (k = 0; k < sizeof pages / sizeof pages[0]; ++k) {
                pieces_make(&p, &desc, &text);
                p.most = sizes[i];
                desc.test.page_bytes = pages[k];
                desc.test.general = (i + k) % 3 == 2;
                desc.test.row_count = k == 1 ? 3 : 0;
                test_note("form %u, pieces of %u, pages of %u", form, (unsigned)sizes[i], (unsigned)pages[k]);
                collect(&cut, &desc, (collect_style)((i + k + form) % 3));
                same(&cut, &whole);
                collected_free(&cut);
            }
        }
        collected_free(&whole);
        free(made.data);
        free(text.data);
    }
}

/* FASTA in lines of 1 to 100 bases, LF and CRLF, with a line that is shorter or longer here and there. */
TEST(reader_cuts, lines_of_every_width) {
    static const uint32_t pages[] = {16, 100, 4096, 0};
    uint32_t width, k;
    for (width = 1; width <= 100; ++width) {
        for (k = 0; k < 8; ++k) {
            ref_bytes text, expected;
            biost_reader_desc desc;
            pieces p;
            collected c;
            uint32_t base = 0, line = 0, bases = width * 30 + width / 2;
            memset(&text, 0, sizeof text);
            memset(&expected, 0, sizeof expected);
            add_words(&text, k % 2 == 0 ? ">r\n" : ">r\r\n");
            add_words(&expected, ">r\n");
            while (base < bases) {
                uint32_t take = line % 11 == 10 ? width + 1 : line % 13 == 12 ? (width + 1) / 2 : width;
                for (; take > 0 && base < bases; --take, ++base) {
                    uint8_t letter = (uint8_t)(33 + (base * 7 + width) % 94);
                    letter = letter == '>' || letter == '@' || letter == ';' || letter == '+' ? 'A' : letter;
                    ref_add(&text, letter);
                    ref_add(&expected, letter);
                }
                add_words(&text, k % 2 == 0 ? "\n" : "\r\n");
                ++line;
            }
            add_words(&text, ">s\nAC\n");
            add_words(&expected, "\n>s\nAC\n");
            pieces_make(&p, &desc, &text);
            desc.test.page_bytes = pages[k / 2];
            test_note("lines of %u, pages of %u%s", (unsigned)width, (unsigned)pages[k / 2],
                      k % 2 == 0 ? "" : ", CRLF");
            collect(&c, &desc, (collect_style)((width + k / 2) % 3));
            CHECK(c.result == BIOST_END);
            if (CHECK_EQ_U64(c.text.count, expected.count)) {
                CHECK_MEM(c.text.data, expected.data, expected.count);
            }
            collected_free(&c);
            free(text.data);
            free(expected.data);
        }
    }
}

/* ---- an input that fails ---- */

/* At byte k reading fails: every record whose end was seen comes first, then ERR_IO. */
TEST(reader_cuts, reading_fails_at_every_byte) {
    static const char *const texts[] = {
        "@a x\nACGT\n+\nIIII\n@b\nGG\n+b\nJ!\n@c\n\n+\n\n@d\nT\n+d\n+\n",
        ">a x\nACGT\nAC\n>b\nGG\n>c\n>d\nT\n",
        "@a\nAC\nGT\n+\nII\nII\n@b\nA\n+\nI\n@c\nA\nC\n+\nII\n",
    };
    unsigned i, k;
    for (i = 0; i < 3; ++i) {
        ref_bytes text;
        ref r;
        size_t at;
        memset(&text, 0, sizeof text);
        add_words(&text, texts[i]);
        ref_parse(&r, text.data, text.count, UINT64_MAX, NULL, 0);
        for (at = 0; at <= text.count; ++at) {
            for (k = 0; k < 6; ++k) {
                biost_reader_desc desc;
                pieces p;
                collected c;
                size_t least = 0, most = 0, n;
                for (n = 0; n < r.record_count;
                     ++n) { /* known to be whole: at its end, or with the byte after it */
                    size_t end = (size_t)r.records[n].text_offset + r.records[n].text_bytes;
                    least += end < at;
                    most += end <= at;
                }
                pieces_make(&p, &desc, &text);
                p.fails = at;
                p.most = k / 3 == 1 ? 1 : 0;
                desc.test.page_bytes = k / 3 == 1 ? 16 : 0;
                test_note("text %u, byte %u, %s", i, (unsigned)at, collect_names[k % 3]);
                collect(&c, &desc, (collect_style)(k % 3));
                CHECK(c.result == BIOST_ERR_IO && c.error.fault == BIOST_FAULT_READ);
                CHECK_EQ_U64(c.error.source_offset, at);
                CHECK(c.records >= least && c.records <= most);
                CHECK(i > 0 || c.records == most); /* four lines: nothing after them is looked at */
                collected_free(&c);
            }
        }
        ref_free(&r);
        free(text.data);
    }
}
