/*
 * test_loader_rules.c - desc.text in a loader: bad records left out under one quota over all inputs, other
 * qualities, letters; and faults at every byte. Batches, counts, sentences and resume states are the same for any
 * workers, pages and packing.
 *
 * rooms: textscan textfeed
 * needs: loader threads library orders
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

/* ---- bad records left out ---- */

#define INPUTS 3u

/* Texts with bad records between good ones; in the oracle's a line '!' stands for each of them. */
typedef struct patched {
    bytes texts[INPUTS], inputs[INPUTS];
    uint32_t bad; /* in all                                                          */
} patched;

static const char *const bad_fastq[] = {"@bad\nACGT\n+\nIII\x80\n", "@bad\nAC\x01T\n+\nIIII\n",
                                        "what is this\n",           "@bad\nACGT\n+other\nIIII\n",
                                        "@bad\nACGT\n+\nIIIII\n",   "junk\nand more\n\nof it\n"};
static const char *const bad_fasta[] = {">bad\nACGT\x01\nACGT\n", ">bad\nACGT\n;comment\nACGT\n",
                                        ">bad\nAC\x7f\nACGT\n\nAC\n"};

static void patched_record(bytes *text, bytes *input, int fasta, uint64_t *random) {
    text_shape shape = {1, 1, 40, 0, 11, 0, 0, 0};
    size_t from = text->count;
    shape.fasta = fasta;
    text_make(text, &shape, random);
    bytes_add(input, text->data + from, text->count - from);
}

/* Good records are first and last in each input. */
static void patched_make(patched *p, int fasta, uint32_t records, uint64_t random) {
    uint32_t i, k;
    memset(p, 0, sizeof *p);
    for (i = 0; i < INPUTS; ++i) {
        patched_record(&p->texts[i], &p->inputs[i], fasta, &random);
        for (k = 0; k < records; ++k) {
            if (random_below(&random, 4) == 0) {
                bytes_words(&p->texts[i], "!\n");
                bytes_words(&p->inputs[i], fasta ? bad_fasta[random_below(&random, 3)]
                                                 : bad_fastq[random_below(&random, 6)]);
                ++p->bad;
            }
            patched_record(&p->texts[i], &p->inputs[i], fasta, &random);
        }
    }
}

static void patched_free(patched *p) {
    uint32_t i;
    for (i = 0; i < INPUTS; ++i) {
        bytes_free(&p->texts[i]);
        bytes_free(&p->inputs[i]);
    }
}

static void patched_desc(biost_loader_desc *desc, uint32_t number) {
    static const uint32_t pages[] = {16, 100, 1000, 0}, workers[] = {1, 2, 3, 8};
    memset(desc, 0, sizeof *desc);
    desc->batch_rows = 8;
    desc->row_bases = 16;
    desc->long_records = number % 2 == 0 ? BIOST_LONG_SPLIT : BIOST_LONG_HEAD;
    desc->shuffle_rows = number / 2 % 2 * 11;
    desc->filter.every_record = 1 + number % 3;
    desc->digest = 1;
    desc->text.skip_bad = UINT64_MAX;
    desc->workers = workers[number % 4];
    desc->test.page_bytes = pages[number / 4 % 4];
}

/* What the log was told. */
typedef struct told {
    pthread_mutex_t lock;
    uint32_t lines, of_text;
    char last[256];
} told;

static void told_line(biost_result level, const char *sentence, void *user_data) {
    told *t = (told *)user_data;
    pthread_mutex_lock(&t->lock);
    ++t->lines;
    t->of_text += level == BIOST_ERR_TEXT;
    snprintf(t->last, sizeof t->last, "%s", sentence);
    pthread_mutex_unlock(&t->lock);
}

TEST(skip_bad, all_of_them) {
    uint32_t fasta, number, packing;
    for (fasta = 0; fasta < 2; ++fasta) {
        patched p;
        patched_make(&p, (int)fasta, 30, 70 + fasta);
        CHECK(p.bad > 10);
        for (packing = 0; packing < 3; ++packing) {
            bytes packed[INPUTS];
            uint32_t i;
            memset(packed, 0, sizeof packed);
            for (i = 0; i < INPUTS; ++i) {
                gzip_make(&packed[i], &p.inputs[i], packing == 2 ? 700 : 300, 250, packing == 2);
            }
            for (number = 0; number < 16; ++number) {
                biost_loader_desc desc;
                biost_memory memories[INPUTS];
                biost_loader *loader;
                oracle o;
                told t;
                uint64_t epoch;
                patched_desc(&desc, number);
                memset(&t, 0, sizeof t);
                pthread_mutex_init(&t.lock, NULL);
                desc.log.line = told_line;
                desc.log.user_data = &t;
                desc.epochs = 2;
                oracle_inputs(&desc, memories, packing == 0 ? p.inputs : packed, INPUTS);
                test_note("format %u, packing %u, run %u", (unsigned)fasta, (unsigned)packing,
                          (unsigned)number);
                loader = oracle_open(&desc);
                REQUIRE(loader != NULL);
                for (epoch = 0; epoch < 2; ++epoch) {
                    oracle_make(&o, &desc, p.texts, INPUTS, epoch, ORACLE_ENDS_WELL);
                    CHECK_EQ_U64(o.skipped, p.bad);
                    CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
                    oracle_drain(&o, loader, 0);
                    oracle_check_progress(&o, loader);
                    oracle_free(&o);
                }
                CHECK((biost_loader_warnings(loader) & BIOST_WARN_SKIPPED_RECORDS) != 0);
                biost_loader_close(loader);
                CHECK_EQ_U64(t.lines, 2 * p.bad);
                CHECK_EQ_U64(t.of_text, 2 * p.bad);
            }
            for (i = 0; i < INPUTS; ++i) {
                bytes_free(&packed[i]);
            }
        }
        patched_free(&p);
    }
}

/* The quota is over all inputs of an epoch, and begins anew with each. */
TEST(skip_bad, quota_over_all_inputs) {
    static const uint64_t quotas[] = {0, 1, 2, 5, 1000};
    uint32_t fasta, q, number;
    for (fasta = 0; fasta < 2; ++fasta) {
        patched p;
        patched_make(&p, (int)fasta, 12, 3 + fasta);
        CHECK(p.bad > 5 && p.bad < 1000);
        for (q = 0; q < 6; ++q) {
            uint64_t quota = q < 5 ? quotas[q] : p.bad - 1;
            bytes texts[INPUTS];
            uint32_t count = 0, i, seen = 0, path = 0;
            uint64_t record = 0;
            char sentence[256] = "";
            size_t at;
            memset(texts, 0, sizeof texts);
            for (i = 0; i < INPUTS && seen <= quota; ++i) { /* what stands before the bad one too many */
                bytes_words(&texts[i], "");
                count = i + 1;
                record = 0;
                path = i;
                for (at = 0; at < p.texts[i].count && seen <= quota;) {
                    size_t start = at, length;
                    int starts = p.texts[i].data[at] == '!' || p.texts[i].data[at] == '>' ||
                                 p.texts[i].data[at] == '@';
                    seen += p.texts[i].data[at] == '!';
                    if (seen > quota) {
                        break;
                    }
                    record += (uint64_t)starts;
                    for (length = p.texts[i].data[at] == '@' ? 4 : 1; length > 0; --length) {
                        size_t line;
                        at = oracle_line(&p.texts[i], at, &line);
                    }
                    bytes_add(&texts[i], p.texts[i].data + start, at - start);
                }
            }
            for (number = 0; number < 16; ++number) {
                biost_loader_desc desc;
                biost_memory memories[INPUTS];
                biost_loader *loader;
                oracle o;
                patched_desc(&desc, number);
                desc.long_records = BIOST_LONG_HEAD; /* pieces of a bad record are another test's */
                desc.text.skip_bad = quota;
                oracle_inputs(&desc, memories, p.inputs, INPUTS);
                test_note("format %u, quota %u, run %u", (unsigned)fasta, (unsigned)quota, (unsigned)number);
                oracle_make(&o, &desc, texts, count, 1, seen > quota ? ORACLE_FAILS : ORACLE_ENDS_WELL);
                loader = oracle_open(&desc);
                REQUIRE(loader != NULL && biost_loader_begin(loader, 1) == BIOST_OK);
                if (oracle_drain(&o, loader, 0) < 0) {
                    CHECK_EQ_U64(error_of(loader)->path_index, path);
                    CHECK_EQ_U64(error_of(loader)->record, record);
                    CHECK_STR(error_of(loader)->text,
                              sentence[0] == '\0' ? error_of(loader)->text : sentence);
                    strcpy(sentence, error_of(loader)->text);
                } else {
                    CHECK(biost_loader_begin(loader, 2) == BIOST_OK); /* the whole quota again */
                    digest_drain(loader, NULL);
                }
                biost_loader_close(loader);
                oracle_free(&o);
            }
            CHECK((seen > quota) == (sentence[0] != '\0'));
            for (i = 0; i < INPUTS; ++i) {
                bytes_free(&texts[i]);
            }
        }
        patched_free(&p);
    }
}

/* A resume goes on counting where the resume state was taken: places of filters, ids, and what the quota
   has left. */
TEST(skip_bad, resume_after_every_batch) {
    uint32_t fasta, number, short_by;
    for (fasta = 0; fasta < 2; ++fasta) {
        patched p;
        patched_make(&p, (int)fasta, 12, 11 + fasta);
        for (number = 0; number < 16; ++number) {
            for (short_by = 0; short_by < 2; ++short_by) {
                biost_loader_desc desc;
                biost_memory memories[INPUTS];
                size_t stop, count;
                oracle o;
                char sentence[256] = "";
                patched_desc(&desc, number);
                desc.batch_rows = 4;
                desc.long_records = BIOST_LONG_HEAD;
                desc.text.skip_bad = p.bad -
                                     short_by; /* exactly enough, or one too few: the last is too many */
                oracle_inputs(&desc, memories, p.inputs, INPUTS);
                oracle_make(&o, &desc, p.texts, INPUTS, 0, ORACLE_ENDS_WELL);
                count = short_by == 0 ? o.batch_count : o.batch_count / 2;
                for (stop = 0; stop < count; ++stop) {
                    uint8_t state[512];
                    size_t state_bytes = 0, k;
                    biost_loader *loader = oracle_open(&desc);
                    biost_batch batch;
                    biost_result result = BIOST_OK;
                    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
                    test_note("format %u, run %u, short by %u, after %u", (unsigned)fasta, (unsigned)number,
                              (unsigned)short_by, (unsigned)stop);
                    for (k = 0; k <= stop && result == BIOST_OK; ++k) {
                        result = biost_loader_next(loader, &batch);
                        if (result == BIOST_OK && k == stop) {
                            CHECK(biost_loader_state(loader, &batch, state, 512, &state_bytes) == BIOST_OK);
                        }
                        biost_loader_release(loader, &batch);
                    }
                    while (short_by == 1 && biost_loader_next(loader, &batch) == BIOST_OK) {
                        biost_loader_release(loader, &batch);
                    }
                    if (short_by == 1 && CHECK(biost_loader_error(loader) != NULL)) {
                        strcpy(sentence, biost_loader_error(loader)->text);
                    }
                    biost_loader_close(loader);
                    if (state_bytes == 0) {
                        CHECK(short_by == 1);
                        continue;
                    }
                    desc.state = state;
                    desc.state_bytes = state_bytes;
                    desc.workers = 1 + (uint32_t)stop % 3;
                    loader = oracle_open(&desc);
                    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
                    if (short_by == 0) {
                        biost_progress progress;
                        oracle_drain(&o, loader, stop + 1);
                        biost_loader_progress(loader, &progress);
                        CHECK(progress.skipped_count <= p.bad);
                        CHECK(biost_loader_begin(loader, 1) == BIOST_OK); /* with the whole quota */
                        digest_drain(loader, NULL);
                    } else {
                        digest_drain(loader, &result);
                        CHECK_STR(error_of(loader)->text, sentence);
                    }
                    biost_loader_close(loader);
                    desc.state = NULL;
                    desc.state_bytes = 0;
                }
                oracle_free(&o);
            }
        }
        patched_free(&p);
    }
}

/*
 * Bad records in a row are one gap, which counts as its lines make, four a record: 3 bad ones in the first
 * input, 9 in the second. Each quota is of all inputs; the error is that of the first record of the gap that is
 * over it.
 */
TEST(skip_bad, gaps_count_as_their_lines_make) {
    static const struct {
        uint64_t quota;
        uint32_t path, rows, records, lines, gaps;
    } rows[] = {{2, 0, 1, 0, 0, 0},
                {3, 1, 3, 3, 12, 1},
                {11, 1, 3, 3, 12, 1},
                {12, 9, 4, 12, 48, 2},
                {UINT64_MAX, 9, 4, 12, 48, 2}};
    bytes texts[2];
    uint32_t i, k;
    memset(texts, 0, sizeof texts);
    for (i = 0; i < 2; ++i) {
        bytes_words(&texts[i], "@a\nACGT\n+\nIIII\n");
        for (k = 0; k < (i == 0 ? 3u : 9u); ++k) {
            bytes_words(&texts[i], "@bad\nACGT\n+\nIII\n");
        }
        bytes_words(&texts[i], "@z\nACGT\n+\nIIII\n");
    }
    for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        for (k = 0; k < 8; ++k) {
            biost_loader_desc desc;
            biost_memory memories[2];
            biost_progress progress;
            biost_result result;
            biost_loader *loader;
            biost_batch batch;
            uint32_t valid = 0;
            patched_desc(&desc, 4 * (k % 4) + k / 4);
            desc.filter.every_record = 1;
            desc.shuffle_rows = 0;
            desc.long_records = BIOST_LONG_HEAD;
            desc.text.skip_bad = rows[i].quota;
            oracle_inputs(&desc, memories, texts, 2);
            test_note("row %u, run %u", i, k);
            loader = oracle_open(&desc);
            REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
            while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
                valid += batch.valid_rows;
                biost_loader_release(loader, &batch);
            }
            CHECK_EQ_U64(valid, rows[i].rows);
            if (rows[i].path < 2) {
                CHECK(result == BIOST_ERR_TEXT);
                CHECK_EQ_U64(error_of(loader)->path_index, rows[i].path);
                CHECK_EQ_U64(error_of(loader)->record, 1);
                CHECK_EQ_U64(error_of(loader)->line, 9);
            } else {
                CHECK(result == BIOST_END);
            }
            biost_loader_progress(loader, &progress);
            CHECK_EQ_U64(progress.skipped_count, rows[i].records);
            CHECK_EQ_U64(progress.skipped_lines, rows[i].lines);
            CHECK_EQ_U64(progress.skipped_gaps, rows[i].gaps);
            biost_loader_close(loader);
        }
    }
    bytes_free(&texts[0]);
    bytes_free(&texts[1]);
}

/* A cut-off end and what stands before the first record are errors, however many may be left out. */
TEST(skip_bad, never_the_ends) {
    static const char *const words[] = {"@a\nAC\n+\nII\n@b\nACGT\n+\nII", "junk\n@a\nAC\n+\nII\n"};
    uint32_t i, w;
    for (i = 0; i < 2; ++i) {
        for (w = 1; w < 4; ++w) {
            biost_loader *loader = NULL;
            biost_batch batch;
            biost_result result;
            one_text one;
            one_text_make(&one, words[i]);
            one.desc.text.skip_bad = UINT64_MAX;
            one.desc.workers = w;
            result = biost_loader_open(&one.desc, &loader, NULL);
            if (result == BIOST_OK) {
                CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
                while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
                    CHECK_EQ_U64(batch.valid_rows, 1);
                    CHECK_EQ_U64(batch.flags, BIOST_BATCH_LAST | BIOST_BATCH_BEFORE_ERROR);
                    biost_loader_release(loader, &batch);
                }
            }
            CHECK_STR(biost_result_name(result), "ERR_TEXT");
            biost_loader_close(loader);
            bytes_free(&one.text);
        }
    }
}

/* ---- qualities and letters ---- */

/* Phred + 64 in the file is as if it were Phred + 33: filters, tensors and digest; below 64 is a fault. */
TEST(rules, phred64) {
    text_shape shape = {60, 0, 30, 0, 0, 0, 0, 0};
    uint32_t w;
    one_text one;
    bytes shifted = {NULL, 0, 0};
    size_t i, line = 0;
    one_text_shape(&one, &shape, 5);
    bytes_add(&shifted, one.text.data, one.text.count);
    for (i = 0; i < shifted.count; ++i) {
        if (shifted.data[i] == '\n') {
            ++line;
        } else if (line % 4 == 3) {
            shifted.data[i] = (uint8_t)(shifted.data[i] + 31);
        }
    }
    oracle_inputs(&one.desc, &one.memory, &shifted, 1);
    one.desc.text.phred64 = 1;
    one.desc.batch_rows = 8;
    one.desc.quality.kind = BIOST_QUALITY_PHRED;
    one.desc.filter.min_mean_quality = 19.5f;
    one.desc.filter.max_error_rate = 0.25f;
    for (w = 0; w < 8; ++w) {
        one.desc.workers = 1 + w % 4;
        one.desc.shuffle_rows = w / 4 * 9;
        one.desc.test.page_bytes = w % 2 * 64;
        one.desc.augment.reverse_complement = 0.5f;
        oracle_run(&one.desc, &one.text, 1, 0, ORACLE_ENDS_WELL);
    }
    bytes_free(&shifted);
    bytes_free(&one.text);
    one_text_make(&one, "@a\nAC\n+\nh@\n@b\nA\n+\n?\n");
    one.desc.text.phred64 = 1;
    {
        biost_loader *loader = oracle_open(&one.desc);
        biost_batch batch;
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK &&
                biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK_EQ_U64(batch.valid_rows, 1);
        CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_TEXT);
        CHECK_STR(biost_fault_name(error_of(loader)->fault), "BAD_QUAL_BYTE");
        CHECK_EQ_U64(error_of(loader)->record, 1);
        biost_loader_close(loader);
    }
    bytes_free(&one.text);
}

TEST(rules, letters) {
    one_text one;
    bytes replaced = {NULL, 0, 0};
    uint32_t w;
    for (w = 0; w < 4; ++w) {
        biost_loader *loader;
        biost_batch batch;
        one_text_make(&one, ">a\nACGTNacgtn\n>b\nACGRT\nAxC\n>c\nACGT\n");
        one.desc.text.letters = BIOST_LETTERS_DNA;
        one.desc.workers = 1 + w;
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK &&
                biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK_EQ_U64(batch.valid_rows, 1);
        CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_TEXT);
        CHECK_STR(biost_fault_name(error_of(loader)->fault), "BAD_LETTER");
        CHECK_EQ_U64(error_of(loader)->line, 4);
        biost_loader_close(loader);
        one.desc.text.replace_letters = 1;
        one.desc.filter.max_n_fraction = 0.375f; /* of 8 bases of b two become N: they are counted as such */
        one.desc.encoding.dtype = BIOST_DTYPE_F32;
        one.desc.encoding.ambiguous = BIOST_AMBIGUOUS_IUPAC;
        replaced.count = 0;
        bytes_words(&replaced, ">a\nACGTNacgtn\n>b\nACGNT\nANC\n>c\nACGT\n");
        oracle_run(&one.desc, &replaced, 1, 0, ORACLE_ENDS_WELL);
        one.desc.filter.max_n_fraction = 0.2421875f;
        oracle_run(&one.desc, &replaced, 1, 0, ORACLE_ENDS_WELL);
        bytes_free(&one.text);
    }
    bytes_free(&replaced);
}

/* ---- a fault at every byte ---- */

/* How many records of four lines lie wholly before byte `at` of the text. */
static uint64_t whole_before(const bytes *text, size_t at) {
    uint64_t lines = 0;
    size_t i;
    for (i = 0; i < at && i < text->count; ++i) {
        lines += text->data[i] == '\n';
    }
    return lines / 4;
}

/*
 * One byte of the text becomes 0x01, which no line may have. For every byte: rows before it are
 * delivered, the last batch is flagged, and the sentence is the same for 1, 2 and 3 workers, small
 * pages, shuffle and gzip.
 */
TEST(rules, a_bad_byte_at_every_offset) {
    text_shape shape = {9, 1, 12, 0, 0, 0, 0, 0};
    one_text one;
    size_t at;
    one_text_shape(&one, &shape, 5);
    for (at = 1; at < one.text.count; ++at) { /* byte 0 tells the format, too */
        uint8_t old = one.text.data[at];
        char sentence[256] = "";
        bytes packed = {NULL, 0, 0};
        uint64_t rows_wanted = 0;
        uint32_t run;
        one.text.data[at] = 1;
        gzip_make(&packed, &one.text, 64, 30, 1);
        for (run = 0; run < 6; ++run) {
            biost_loader *loader = NULL;
            biost_batch batch;
            biost_error error;
            biost_result result;
            uint64_t rows = 0;
            uint32_t flags = 0;
            oracle_inputs(&one.desc, &one.memory, run % 3 == 2 ? &packed : &one.text, 1);
            one.desc.batch_rows = 2;
            one.desc.workers = 1 + run % 3;
            one.desc.shuffle_rows = run / 3 * 3;
            one.desc.test.page_bytes = run % 2 * 16;
            one.memory.name = "it";
            test_note("byte %u, run %u", (unsigned)at, (unsigned)run);
            result = biost_loader_open(&one.desc, &loader, &error);
            if (result == BIOST_OK) {
                CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
                while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
                    CHECK_EQ_U64(flags, 0);
                    flags = batch.flags;
                    rows += batch.valid_rows;
                    CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
                }
            }
            if (result < 0) {
                const char *text = loader != NULL ? error_of(loader)->text : error.text;
                CHECK(rows == 0 || flags == (BIOST_BATCH_LAST | BIOST_BATCH_BEFORE_ERROR));
                CHECK_STR(text, sentence[0] == '\0' ? text : sentence);
                strcpy(sentence, text);
                CHECK(rows <= whole_before(&one.text, at) + 1);
                CHECK(rows + 1 >= whole_before(&one.text, at));
            } else { /* a title may have it */
                CHECK_EQ_U64(rows, 9);
                CHECK(sentence[0] == '\0');
            }
            CHECK(run == 0 || rows == rows_wanted);
            rows_wanted = rows;
            biost_loader_close(loader);
        }
        one.text.data[at] = old;
        bytes_free(&packed);
    }
    bytes_free(&one.text);
}

/* The text ends at every byte: as if the rest were not there, and the cut record is told by every
   run alike. */
TEST(rules, cut_off_at_every_offset) {
    text_shape shape = {7, 1, 12, 0, 0, 1, 0, 0};
    one_text one;
    size_t at, whole;
    one_text_shape(&one, &shape, 5);
    whole = one.text.count;
    for (at = 0; at <= whole; ++at) {
        char sentence[256] = "";
        uint32_t run;
        uint64_t rows_wanted = 0;
        for (run = 0; run < 4; ++run) {
            biost_loader *loader;
            biost_batch batch;
            biost_result result;
            uint64_t rows = 0;
            one.text.count = at;
            oracle_inputs(&one.desc, &one.memory, &one.text, 1);
            one.desc.batch_rows = 2;
            one.desc.workers = 1 + run % 3;
            one.desc.shuffle_rows = run / 2 * 3;
            one.desc.test.page_bytes = run % 2 * 16;
            test_note("cut at %u, run %u", (unsigned)at, (unsigned)run);
            loader = oracle_open(&one.desc);
            REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
            while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
                rows += batch.valid_rows;
                CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
            }
            if (result < 0) {
                CHECK_STR(error_of(loader)->text, sentence[0] == '\0' ? error_of(loader)->text : sentence);
                strcpy(sentence, error_of(loader)->text);
            }
            CHECK(run == 0 || rows == rows_wanted);
            CHECK((result < 0) == (sentence[0] != '\0'));
            CHECK(rows <= whole_before(&one.text, at) + 1 && rows >= whole_before(&one.text, at));
            rows_wanted = rows;
            biost_loader_close(loader);
        }
    }
    one.text.count = whole;
    bytes_free(&one.text);
}
