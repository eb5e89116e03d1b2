/*
 * test_loader_long.c - records longer than a row and random changes of rows: head, tail, center, crop,
 * pieces with a stride, crops of augment, N put in, a stage of the user's own; that sequence and quality
 * stay together through all of it; and that what is drawn at random is even and never repeated.
 *
 * rooms: textscan order augment
 * needs: loader threads library orders
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

/* ---- where a row lies in its record ---- */

/* Record i of `count` has i bases. */
static void stairs_make(one_text *one, uint32_t count, int fasta) {
    uint32_t i;
    uint64_t random = 3;
    memset(one, 0, sizeof *one);
    for (i = 0; i < count; ++i) {
        text_shape shape = {1, 0, 0, 0, 7, 0, 0, 0};
        shape.fasta = fasta;
        shape.min_bases = shape.max_bases = i;
        text_make(&one->text, &shape, &random);
    }
    oracle_inputs(&one->desc, &one->memory, &one->text, 1);
    one->desc.digest = 1;
    one->desc.workers = 2;
}

TEST(long_records, head_tail_center_and_crop) {
    uint32_t kind, most, fasta;
    for (fasta = 0; fasta < 2; ++fasta) {
        one_text one;
        stairs_make(&one, 40, (int)fasta);
        for (kind = BIOST_LONG_HEAD; kind <= BIOST_LONG_CROP; ++kind) {
            for (most = 1; most < 30; most += 4) {
                biost_loader *loader;
                biost_batch batch;
                uint32_t i;
                one.desc.long_records = (biost_long_records_mode)kind;
                one.desc.row_bases = most % 8 == 1 ? most : 0;
                one.desc.max_row_bases = most % 8 == 1 ? 0 : most;
                one.desc.batch_rows = 40;
                one.desc.test.page_bytes = most % 3 == 0 ? 16 : 0;
                test_note("kind %u, most %u", (unsigned)kind, (unsigned)most);
                oracle_run(&one.desc, &one.text, 1, 2, ORACLE_ENDS_WELL);
                loader = oracle_open(&one.desc);
                REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK &&
                        biost_loader_next(loader, &batch) == BIOST_OK);
                for (i = 0; i < 40; ++i) {
                    int64_t over = i > most ? (int64_t)i - most : 0;
                    const biost_row *row = &batch.origins[i];
                    CHECK_EQ_I64(row->id, i);
                    CHECK_EQ_I64(batch.lengths[i], i - over);
                    CHECK_EQ_U64(row->flags, over > 0 ? (unsigned)BIOST_ROW_TRUNCATED : 0u);
                    CHECK_EQ_U64(row->piece, 0);
                    if (kind != BIOST_LONG_CROP) {
                        CHECK_EQ_I64(row->start_base, kind == BIOST_LONG_HEAD   ? 0
                                                      : kind == BIOST_LONG_TAIL ? over
                                                                                : over / 2);
                    } else {
                        CHECK(row->start_base >= 0 && row->start_base <= over);
                    }
                }
                biost_loader_close(loader);
            }
        }
        bytes_free(&one.text);
    }
}

/* Every length, row and stride up to 30, 8 and the row: number, place and length of the pieces. */
TEST(long_records, pieces_with_a_stride) {
    uint32_t most, stride, fasta;
    for (fasta = 0; fasta < 2; ++fasta) {
        one_text one;
        stairs_make(&one, 31, (int)fasta);
        for (most = 1; most <= 8; ++most) {
            for (stride = 1; stride <= most; ++stride) {
                biost_loader *loader;
                biost_batch batch;
                uint32_t i, row = 0, piece;
                one.desc.long_records = BIOST_LONG_SPLIT;
                one.desc.row_bases = most;
                one.desc.split_stride = stride;
                one.desc.batch_rows = 1024;
                one.desc.shuffle_rows = 0;
                one.desc.test.page_bytes = stride % 2 == 0 ? 16 : 0;
                test_note("row %u, stride %u", (unsigned)most, (unsigned)stride);
                loader = oracle_open(&one.desc);
                REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK &&
                        biost_loader_next(loader, &batch) == BIOST_OK);
                for (i = 0; i < 31; ++i) {
                    uint32_t pieces = i <= most ? 1 : 1 + (i - most + stride - 1) / stride;
                    for (piece = 0; piece < pieces && CHECK(row < batch.valid_rows); ++piece, ++row) {
                        uint32_t left = i - piece * stride;
                        CHECK_EQ_I64(batch.origins[row].id, i);
                        CHECK_EQ_U64(batch.origins[row].piece, piece);
                        CHECK_EQ_U64(batch.origins[row].flags, 0);
                        CHECK_EQ_I64(batch.origins[row].start_base, piece * stride);
                        CHECK_EQ_I64(batch.lengths[row], left < most ? left : most);
                    }
                }
                CHECK_EQ_U64(row, batch.valid_rows);
                biost_loader_close(loader);
                one.desc.batch_rows = 7;
                one.desc.shuffle_rows = 9;
                oracle_run(&one.desc, &one.text, 1, 1, ORACLE_ENDS_WELL);
            }
        }
        bytes_free(&one.text);
    }
}

/* A fault in a FASTA record that is split: the pieces that lie before its byte count. Lines of 7 bases. */
TEST(long_records, pieces_before_a_fault) {
    uint32_t most, stride, lines;
    for (lines = 0; lines < 6; ++lines) {
        for (most = 1; most <= 16; most += 3) {
            for (stride = 1; stride <= most; stride += 2) {
                one_text one;
                bytes good = {NULL, 0, 0};
                uint32_t i;
                one_text_make(&one, ">a\nACGTACG\nTTTT\n>b\n");
                for (i = 0; i < lines; ++i) {
                    bytes_words(&one.text, "ACGTTGC\n");
                }
                bytes_add(&good, one.text.data, one.text.count);
                bytes_words(&good, "AC");
                bytes_words(&one.text, "AC\x01T\nACGT\n>c\nACGT\n");
                oracle_inputs(&one.desc, &one.memory, &one.text, 1);
                one.desc.long_records = BIOST_LONG_SPLIT;
                one.desc.row_bases = most;
                one.desc.split_stride = stride;
                one.desc.batch_rows = 3;
                one.desc.shuffle_rows = lines % 2 * 4;
                one.desc.workers = 1 + lines % 3;
                one.desc.test.page_bytes = stride % 4 == 1 ? 16 : 0;
                test_note("row %u, stride %u, lines %u", (unsigned)most, (unsigned)stride, (unsigned)lines);
                oracle_run(&one.desc, &good, 1, 0, ORACLE_FAILS_PARTIAL);
                bytes_free(&good);
                bytes_free(&one.text);
            }
        }
    }
}

/* A text that a function brings: open cannot look into it. */
typedef struct told_text {
    const char *words;
    size_t at;
} told_text;

static int64_t told_read(void *to, size_t wanted, void *user_data) {
    told_text *text = (told_text *)user_data;
    size_t left = strlen(text->words + text->at), count = left < wanted ? left : wanted;
    memcpy(to, text->words + text->at, count);
    text->at += count;
    return (int64_t)count;
}

/* FASTA where FASTQ or qualities are asked for is told as that, also where its first record is bad: no piece of it. */
TEST(long_records, a_bad_record_of_another_format) {
    static const char *const faults[] = {">b\nACGTAAAA\nAC\x01G\n", ">b\n\x01\nACGT\n",
                                         ">b\nACGTACGTACGTACGTACGT\nACGTACGTACGT\x01\n"};
    uint32_t i;
    for (i = 0; i < 3 * 2 * 3; ++i) {
        static const uint32_t pages[] = {16, 23, 0};
        int with_fastq = i / 3 % 2 == 0;
        told_text told[2];
        biost_callback callbacks[2];
        biost_loader_desc desc;
        biost_loader *loader;
        biost_batch batch;
        biost_result result;
        uint32_t rows = 0;
        memset(told, 0, sizeof told);
        memset(callbacks, 0, sizeof callbacks);
        memset(&desc, 0, sizeof desc);
        told[0].words = with_fastq ? "@a\nACGT\n+\nIIII\n" : "";
        told[1].words = faults[i % 3];
        callbacks[0].read = callbacks[1].read = told_read;
        callbacks[0].user_data = &told[0];
        callbacks[1].user_data = &told[1];
        desc.callbacks = callbacks;
        desc.callback_count = 2;
        desc.row_bases = 2;
        desc.batch_rows = 2;
        desc.long_records = BIOST_LONG_SPLIT;
        desc.quality.kind = with_fastq ? BIOST_QUALITY_NONE : BIOST_QUALITY_PHRED;
        desc.workers = 1;
        desc.test.page_bytes = pages[i / 6];
        test_note("fault %u, pages of %u", (unsigned)(i % 3), (unsigned)desc.test.page_bytes);
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
            rows += batch.valid_rows;
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        CHECK_EQ_U64(rows, with_fastq ? 2 : 0);
        CHECK(result < 0);
        CHECK(error_of(loader)->fault == (with_fastq ? BIOST_FAULT_FORMAT : BIOST_FAULT_NO_QUALITY));
        CHECK_EQ_U64(error_of(loader)->line, 1);
        biost_loader_close(loader);
    }
}

/* Genomes that are cut as they come: sequences of many pages, rows longer than a page too, names of several lengths,
   parts of splits, one line or many; with all that goes with a row. max_record_bytes is no limit. */
TEST(long_records, genomes_that_are_never_held) {
    static const uint32_t rows[] = {7, 100, 3000, 20000}, pages[] = {16, 1000, 4096, 0};
    uint64_t random = test_seed() + 12;
    uint32_t i;
    for (i = 0; i < test_effort(24, 96); ++i) {
        text_shape shape = {3, 0, 30000, 1, 0, 0, 0, 1};
        one_text one;
        uint32_t most = rows[i % 4];
        memset(&one, 0, sizeof one);
        shape.line_bases = i % 3 * 61;
        shape.records = 1 + random_below(&random, 4);
        shape.crlf = (int)(i % 5 == 0);
        text_make(&one.text, &shape, &random);
        oracle_inputs(&one.desc, &one.memory, &one.text, 1);
        random_machine(&one.desc, &random);
        one.desc.test.page_bytes = pages[i / 4 % 4];
        one.desc.batch_rows = most > 1000 ? 4 : 64;
        one.desc.row_bases = most;
        one.desc.long_records = BIOST_LONG_SPLIT;
        one.desc.split_stride = i % 2 == 0 ? 0 : 1 + most / 2 + random_below(&random, most / 2);
        one.desc.max_record_bytes = 600;
        one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
        one.desc.shuffle_rows = random_below(&random, 3) * 20;
        one.desc.filter.subsample_below = i % 6 == 5 ? 0.7f : 0;
        one.desc.filter.max_n_fraction = i % 7 == 3 ? 0.01f : 0;
        one.desc.augment.reverse_complement = 0.5f;
        one.desc.names = 1;
        one.desc.name_bytes = 1 + random_below(&random, 200);
        one.desc.mask = 1;
        one.desc.digest = 1;
        random_split(&one.desc, &random);
        one.desc.split.strip[0] = '\0';
        one.desc.allow_no_rows = 1;
        test_note("case %u: rows of %u every %u, pages of %u", (unsigned)i, (unsigned)most,
                  (unsigned)one.desc.split_stride, (unsigned)one.desc.test.page_bytes);
        oracle_run(&one.desc, &one.text, 1, i, ORACLE_ENDS_WELL);
        bytes_free(&one.text);
    }
}

/* Resumed in the middle of such a sequence: the record is read again from its start, and the rest comes. */
TEST(long_records, genomes_resumed) {
    uint64_t random = test_seed() + 13;
    text_shape shape = {2, 20000, 30000, 1, 60, 0, 0, 0};
    uint32_t i;
    one_text one;
    memset(&one, 0, sizeof one);
    text_make(&one.text, &shape, &random);
    oracle_inputs(&one.desc, &one.memory, &one.text, 1);
    one.desc.batch_rows = 16;
    one.desc.row_bases = 100;
    one.desc.long_records = BIOST_LONG_SPLIT;
    one.desc.digest = 1;
    one.desc.test.page_bytes = 1000;
    for (i = 0; i < 2; ++i) {
        uint8_t state[512];
        size_t state_bytes = 0, at;
        biost_loader *loader;
        biost_batch batch;
        oracle o;
        one.desc.shuffle_rows = i * 30;
        oracle_make(&o, &one.desc, &one.text, 1, 0, ORACLE_ENDS_WELL);
        REQUIRE(CHECK(o.batch_count > 20));
        for (at = 0; at + 1 < o.batch_count; at += 5) {
            size_t k;
            one.desc.state = NULL;
            one.desc.state_bytes = 0;
            loader = oracle_open(&one.desc);
            REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
            for (k = 0; k <= at; ++k) {
                REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
                CHECK(biost_loader_state(loader, &batch, state, sizeof state, &state_bytes) == BIOST_OK);
                CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
            }
            biost_loader_close(loader);
            one.desc.state = state;
            one.desc.state_bytes = state_bytes;
            one.desc.workers = 1 + (uint32_t)at % 3;
            loader = oracle_open(&one.desc);
            REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
            test_note("shuffle %u, after batch %u", (unsigned)one.desc.shuffle_rows, (unsigned)at);
            oracle_drain(&o, loader, at + 1);
            biost_loader_close(loader);
        }
        oracle_free(&o);
    }
    bytes_free(&one.text);
}

/* A sequence of 8 MB takes what one of 100 kB takes. */
TEST(long_records, memory_does_not_grow_with_a_sequence) {
    uint64_t peaks[2];
    uint32_t i;
    for (i = 0; i < 2; ++i) {
        uint64_t random = 1;
        text_shape shape = {1, 0, 0, 1, 0, 0, 0, 0};
        biost_batch batch;
        biost_loader *loader;
        counted count;
        one_text one;
        memset(&one, 0, sizeof one);
        shape.min_bases = shape.max_bases = i == 0 ? 100000 : 8000000;
        text_make(&one.text, &shape, &random);
        oracle_inputs(&one.desc, &one.memory, &one.text, 1);
        one.desc.row_bases = 1000;
        one.desc.long_records = BIOST_LONG_SPLIT;
        one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
        one.desc.allocator = counted_allocator(&count);
        one.desc.workers = 1;
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        CHECK(biost_loader_error(loader) == NULL);
        biost_loader_close(loader);
        peaks[i] = count.peak_bytes;
        bytes_free(&one.text);
    }
    CHECK_EQ_U64(peaks[0], peaks[1]);
}

/* ---- sequence and quality together ---- */

/* Base k of a record is letter k % 4 of ACGT, its quality '!' + k: what row shows tells where it
   comes from. */
static void marked_make(one_text *one, uint32_t records) {
    uint32_t i, k;
    memset(one, 0, sizeof *one);
    for (i = 0; i < records; ++i) {
        uint32_t bases = 1 + i * 7 % 90;
        bytes_words(&one->text, "@m\n");
        for (k = 0; k < bases; ++k) {
            bytes_byte(&one->text, (uint8_t) "ACGT"[k % 4]);
        }
        bytes_words(&one->text, "\n+\n");
        for (k = 0; k < bases; ++k) {
            bytes_byte(&one->text, 33 + k);
        }
        bytes_words(&one->text, "\n");
    }
    oracle_inputs(&one->desc, &one->memory, &one->text, 1);
    one->desc.encoding.kind = BIOST_ENCODE_TOKENS;
    one->desc.quality.kind = BIOST_QUALITY_PHRED;
    one->desc.workers = 2;
}

/* Whatever cuts and turns a row does the same to its qualities. */
TEST(augment, qualities_stay_with_their_bases) {
    static const biost_long_records_mode kinds[] = {BIOST_LONG_SPLIT,  BIOST_LONG_HEAD, BIOST_LONG_TAIL,
                                                    BIOST_LONG_CENTER, BIOST_LONG_CROP, BIOST_LONG_FAIL};
    uint32_t kind, turned = 0, cut = 0;
    for (kind = 0; kind < 6; ++kind) {
        one_text one;
        biost_loader *loader;
        biost_batch batch;
        marked_make(&one, 200);
        one.desc.row_bases = 30;
        one.desc.batch_rows = 50;
        one.desc.long_records = kinds[kind];
        one.desc.augment.crop_bases = kinds[kind] == BIOST_LONG_FAIL ? 20 : 0;
        one.desc.augment.reverse_complement = 0.5f;
        one.desc.shuffle_rows = kind % 2 * 40;
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            uint32_t row;
            for (row = 0; row < batch.valid_rows; ++row) {
                const uint8_t *x = (const uint8_t *)batch.x.data + row * 30;
                const uint8_t *q = (const uint8_t *)batch.tensors[1].data + row * 30;
                int reversed = (batch.origins[row].flags & BIOST_ROW_REVERSED) != 0;
                int32_t n = batch.lengths[row], i;
                turned += (uint32_t)reversed;
                cut += batch.origins[row].start_base > 0;
                for (i = 0; i < n; ++i) {
                    int64_t at = batch.origins[row].start_base + (reversed ? n - 1 - i : i);
                    CHECK_EQ_I64(q[i], at);
                    CHECK_EQ_I64(x[i], 1 + (reversed ? 3 - at % 4 : at % 4));
                }
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        biost_loader_close(loader);
        bytes_free(&one.text);
    }
    CHECK(turned > 100 && cut > 100);
}

/* ---- letters ---- */

/* Every base is hit: N where it was upper case or no letter, n where it was lower case; qualities stay. */
TEST(augment, inject_n_everywhere) {
    one_text one;
    biost_loader *loader;
    biost_batch batch;
    int32_t states[256], i;
    for (i = 0; i < 256; ++i) {
        states[i] = i;
    }
    one_text_make(&one, "@a\nACgtNnRr*-.xU@[`{z\n+\n!\"#$%&'()*+,-./012\n");
    one.desc.row_bases = 18;
    one.desc.batch_rows = 1;
    one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
    one.desc.encoding.tokens = states;
    one.desc.quality.kind = BIOST_QUALITY_PHRED;
    one.desc.augment.inject_n = 1.0f;
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK &&
            biost_loader_next(loader, &batch) == BIOST_OK);
    CHECK_MEM(batch.x.data, "NNnnNnNnNNNnNNNNNn", 18);
    for (i = 0; i < 18; ++i) {
        CHECK_EQ_U64(((const uint8_t *)batch.tensors[1].data)[i], i);
    }
    biost_loader_close(loader);
    bytes_free(&one.text);
}

/* The complement of every letter; bytes that are none stay, and so do U's partners: U becomes A, A
   becomes T. */
TEST(augment, reverse_complement_of_every_letter) {
    one_text one;
    biost_loader *loader;
    biost_batch batch;
    int32_t states[256], i;
    for (i = 0; i < 256; ++i) {
        states[i] = i;
    }
    one_text_make(&one,
                  "@a\nACGTURYSWKMBDHVN*acgturyswkmbdhvnXzEq-\n+\nIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII\n");
    one.desc.row_bases = 38;
    one.desc.batch_rows = 1;
    one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
    one.desc.encoding.tokens = states;
    one.desc.augment.reverse_complement = 1.0f;
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK &&
            biost_loader_next(loader, &batch) == BIOST_OK);
    CHECK_MEM(batch.x.data, "-qEzXnbdhvkmwsryaacgt*NBDHVKMWSRYAACGT", 38);
    CHECK_EQ_U64(batch.origins[0].flags, BIOST_ROW_REVERSED);
    biost_loader_close(loader);
    bytes_free(&one.text);
}

/* ---- at random ---- */

TEST(augment, random_changes_equal_the_oracle) {
    uint64_t random = test_seed() + 51;
    static const float chances[] = {0.0f, 0.003f, 0.1f, 0.5f, 1.0f};
    uint32_t i;
    for (i = 0; i < 200; ++i) {
        static const uint32_t rows[] = {0, 5, 40, 500};
        text_shape shape = {0, 0, 700, 0, 60, 0, 0, 1};
        one_text one;
        shape.records = random_below(&random, 12);
        shape.fasta = (int)random_below(&random, 2);
        one_text_shape(&one, &shape, test_random(&random));
        one.desc.batch_rows = 1 + random_below(&random, 5);
        one.desc.row_bases = RANDOM_OF(&random, rows);
        random_shape(&one.desc, &random);
        one.desc.seed = test_random(&random);
        one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
        if (!shape.fasta) {
            one.desc.quality.kind = BIOST_QUALITY_PHRED;
        }
        one.desc.augment.reverse_complement = RANDOM_OF(&random, chances);
        one.desc.augment.substitute = RANDOM_OF(&random, chances);
        one.desc.augment.inject_n = RANDOM_OF(&random, chances);
        one.desc.augment.change = i % 2 == 0 ? user_change : NULL;
        one.desc.shuffle_rows = i % 3 * 4;
        random_machine(&one.desc, &random);
        test_note("case %u", (unsigned)i);
        oracle_run(&one.desc, &one.text, 1, test_random(&random) >> 40, ORACLE_ENDS_WELL);
        bytes_free(&one.text);
    }
}

/* Sum of (counted - expected)^2 / expected. */
static double chi_square(const uint32_t *counts, uint32_t cells, double expected) {
    double sum = 0;
    uint32_t i;
    for (i = 0; i < cells; ++i) {
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    return sum;
}

/* 8000 crops of 5 of 20 bases: 16 starts, 500 times each. Chi-square with 15 degrees of freedom is
   above 60 once in 4 million. Other starts in the next epoch: a record's two agree once in 16. */
TEST(augment, crops_are_even_and_never_repeated) {
    text_shape shape = {8000, 20, 20, 1, 0, 0, 0, 0};
    static uint8_t first[8000];
    uint32_t counts[16] = {0}, same = 0, neighbours = 0, epoch, i;
    one_text one;
    biost_loader *loader;
    one_text_shape(&one, &shape, 8);
    one.desc.augment.crop_bases = 5;
    one.desc.batch_rows = 8000;
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL);
    for (epoch = 0; epoch < 2; ++epoch) {
        biost_batch batch;
        REQUIRE(biost_loader_begin(loader, epoch) == BIOST_OK &&
                biost_loader_next(loader, &batch) == BIOST_OK);
        for (i = 0; i < 8000; ++i) {
            int64_t start = batch.origins[i].start_base;
            CHECK_EQ_I64(batch.lengths[i], 5);
            if (CHECK(start >= 0 && start < 16)) {
                ++counts[start];
            }
            same += epoch == 1 && first[i] == start;
            neighbours += i > 0 && batch.origins[i - 1].start_base == start;
            first[i] = (uint8_t)start;
        }
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK(chi_square(counts, 16, 1000) < 60);
    CHECK(same > 350 && same < 650); /* 500 and 7 sigma */
    CHECK(neighbours > 790 && neighbours < 1210);
    biost_loader_close(loader);
    bytes_free(&one.text);
}

/* Of 2000 rows of 500 A, each base is another with 1/50: the count by column, by new base, and
   pairs of rows that have the same sites. N put in likewise. */
TEST(augment, rates_are_as_asked) {
    uint32_t which;
    for (which = 0; which < 2; ++which) {
        text_shape shape = {0, 0, 0, 1, 0, 0, 0, 0};
        static uint32_t by_column[500];
        uint32_t by_base[6] = {0}, total = 0, i, k, shared = 0;
        one_text one;
        biost_loader *loader;
        biost_batch batch;
        const uint8_t *x;
        one_text_shape(&one, &shape, 1);
        memset(by_column, 0, sizeof by_column);
        for (i = 0; i < 2000; ++i) {
            bytes_words(&one.text, ">a\n");
            for (k = 0; k < 500; ++k) {
                bytes_byte(&one.text, 'A');
            }
            bytes_words(&one.text, "\n");
        }
        oracle_inputs(&one.desc, &one.memory, &one.text, 1);
        one.desc.batch_rows = 2000;
        one.desc.row_bases = 500;
        one.desc.slots = 1;
        one.desc.encoding.kind = BIOST_ENCODE_TOKENS;
        one.desc.augment.substitute = which == 0 ? 0.02f : 0.0f;
        one.desc.augment.inject_n = which == 1 ? 0.02f : 0.0f;
        one.desc.seed = 6;
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK &&
                biost_loader_next(loader, &batch) == BIOST_OK);
        x = (const uint8_t *)batch.x.data;
        for (i = 0; i < 2000; ++i) {
            for (k = 0; k < 500; ++k) {
                uint8_t state = x[i * 500 + k];
                by_column[k] += state != 1;
                ++by_base[state <= 5 ? state : 0];
                total += state != 1;
                shared += i > 0 && state != 1 && x[(i - 1) * 500 + k] != 1;
            }
        }
        CHECK(total > 19300 && total < 20700);                  /* 20000, 5 sigma of 140  */
        CHECK(chi_square(by_column, 500, total / 500.0) < 740); /* 499 and 7 sigma of 32  */
        CHECK(shared > 280 && shared < 520);                    /* 400, 6 sigma of 20     */
        if (which == 0) {
            CHECK(chi_square(by_base + 2, 3, total / 3.0) < 28); /* 2 degrees: 1 in a million */
            CHECK_EQ_U64(by_base[5], 0);
        } else {
            CHECK_EQ_U64(by_base[5], total);
        }
        biost_loader_close(loader);
        bytes_free(&one.text);
    }
}

/* Where each of 16 samples comes to lie over 2000 epochs: 256 cells of 125. 225 degrees of freedom,
   sigma 21. */
TEST(shuffle, every_place_is_as_likely_for_every_sample) {
    static uint32_t cells[256];
    text_shape shape = {16, 1, 1, 1, 0, 0, 0, 0};
    uint64_t epoch;
    uint32_t i, fixed = 0;
    int64_t before[16];
    one_text one;
    biost_loader *loader;
    one_text_shape(&one, &shape, 2);
    one.desc.batch_rows = 16;
    one.desc.shuffle_rows = 17; /* more than there are */
    memset(cells, 0, sizeof cells);
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL);
    for (epoch = 0; epoch < 2000; ++epoch) {
        biost_batch batch;
        REQUIRE(biost_loader_begin(loader, epoch) == BIOST_OK &&
                biost_loader_next(loader, &batch) == BIOST_OK);
        REQUIRE(CHECK_EQ_U64(batch.valid_rows, 16));
        for (i = 0; i < 16; ++i) {
            ++cells[batch.origins[i].id * 16 + i];
            fixed += epoch > 0 && before[i] == batch.origins[i].id;
            before[i] = batch.origins[i].id;
        }
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK(chi_square(cells, 256, 125) < 225 + 6 * 21);
    CHECK(fixed > 1700 && fixed < 2300); /* one in 16 of 32000 stays where it was: 2000, 7 sigma of 43 */
    biost_loader_close(loader);
    bytes_free(&one.text);
}

/*
 * A buffer much smaller than the input: no cell of it is frozen and no sample passes it by. After the filling a
 * sample stays d turns, geometric of 1/32, and goes out d - 32 rows after its own number: mean 0, variance
 * 32 x 31 = 992, over 4 epochs of 2536 samples with an error of 992 x sqrt(8 / 10144) = 28.
 */
TEST(shuffle, a_small_buffer_moves_by_its_size) {
    text_shape shape = {3000, 1, 1, 1, 0, 0, 0, 0};
    uint64_t epoch;
    double moved = 0, squares = 0, count = 0;
    one_text one;
    biost_loader *loader;
    one_text_shape(&one, &shape, 2);
    one.desc.batch_rows = 100;
    one.desc.shuffle_rows = 32;
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL);
    for (epoch = 0; epoch < 4; ++epoch) {
        biost_batch batch;
        uint8_t seen[3000];
        uint32_t at = 0, i;
        memset(seen, 0, sizeof seen);
        REQUIRE(biost_loader_begin(loader, epoch) == BIOST_OK);
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            for (i = 0; i < batch.valid_rows; ++i, ++at) {
                int64_t id = batch.origins[i].id;
                REQUIRE(CHECK(id >= 0 && id < 3000));
                CHECK_EQ_U64(seen[id]++, 0);
                CHECK(id - (int64_t)at < 32); /* before its own number by less than the buffer */
                if (id >= 64 && id < 2600) {
                    double by = (double)((int64_t)at - id);
                    moved += by;
                    squares += by * by;
                    count += 1;
                }
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        CHECK_EQ_U64(at, 3000);
    }
    CHECK_EQ_U64((uint64_t)count, 4 * 2536);
    CHECK(moved / count > -2 && moved / count < 2); /* sqrt(992 / 10144) = 0.31 */
    CHECK(squares / count > 992 - 140 && squares / count < 992 + 140);
    biost_loader_close(loader);
    bytes_free(&one.text);
}
