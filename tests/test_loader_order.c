/*
 * test_loader_order.c - every batch of the loader against the one-sort oracle of loader_oracle.h:
 * order, shuffle, pieces, tails, ranks, encodings, digests; and that nothing a machine decides changes
 * any of it.
 *
 * rooms: order sequencer batches
 * needs: loader threads library data orders
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

/* ---- order ---- */

/* Two epochs of one rank against the oracle, with what the loader counted. */
static uint64_t run_rank(const biost_loader_desc *desc, const bytes *texts, uint32_t text_count,
                         oracle_end end) {
    biost_loader *loader = oracle_open(desc);
    biost_progress progress;
    uint64_t epoch, digest = 0;
    for (epoch = 0; loader != NULL && epoch < 2; ++epoch) {
        oracle o;
        oracle_make(&o, desc, texts, text_count, epoch, end);
        if (CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
            oracle_drain(&o, loader, 0);
            biost_loader_progress(loader, &progress);
            CHECK_EQ_U64(progress.sample_count, o.sample_count);
            CHECK_EQ_U64(progress.filtered_count, o.filtered);
            CHECK_EQ_U64(progress.tail_dropped_rows, o.dropped_rows);
            if (!o.failed) {
                CHECK_EQ_U64(progress.record_count, o.records);
            }
        }
        digest += o.digest;
        if (o.failed) {
            epoch = 2;
        }
        oracle_free(&o);
    }
    biost_loader_close(loader);
    return digest;
}

TEST(order, random_cases_equal_the_oracle) {
    uint64_t random = test_seed();
    uint32_t i;
    for (i = 0; i < test_effort(100, 300); ++i) {
        uint64_t digest = 0;
        random_case c;
        random_case_make(&c, &random, 0);
        random_machine(&c.desc, &random);
        c.desc.world = random_world(c.desc.batch_rows, &random);
        test_note("case %u", (unsigned)i);
        for (c.desc.rank = 0; c.desc.rank < c.desc.world; ++c.desc.rank) {
            digest += run_rank(&c.desc, c.texts, c.text_count, c.end);
        }
        if (digest != 0 && c.desc.digest) { /* the ranks' digests add up to world 1's */
            c.desc.rank = 0;
            c.desc.world = 1;
            CHECK_EQ_U64(run_rank(&c.desc, c.texts, c.text_count, c.end), digest);
        }
        random_case_free(&c);
    }
}

TEST(order, large_cases_equal_the_oracle) {
    uint64_t random = test_seed() + 1;
    uint32_t i;
    for (i = 0; i < 12; ++i) {
        random_case c;
        random_case_make(&c, &random, 1);
        random_machine(&c.desc, &random);
        c.desc.test.page_bytes = i % 2 == 0 ? 0 : 4096;
        c.desc.test.chunk_bytes = 0;
        test_note("large case %u", (unsigned)i);
        run_rank(&c.desc, c.texts, c.text_count, c.end);
        random_case_free(&c);
    }
}

/* Records longer than a page and the room in front of it go through a buffer of their own, one after
   another. */
TEST(order, long_records_equal_the_oracle) {
    static const uint32_t pages[] = {1000, 20000, 0};
    uint64_t random = test_seed() + 6;
    uint32_t i, k;
    for (i = 0; i < 24; i += test_effort(7, 1)) {
        text_shape shape = {0, 5, 90, 0, 70, 0, 0, 1};
        bytes texts[2], packed[2];
        biost_loader_desc desc;
        biost_memory memories[2];
        memset(texts, 0, sizeof texts);
        memset(packed, 0, sizeof packed);
        memset(&desc, 0, sizeof desc);
        shape.fasta = (int)(i % 2);
        shape.line_bases = i % 4 < 2 ? 70 : 0;
        for (k = 0; k < 12; ++k) {
            int is_long = k % 3 != 0;
            shape.records = is_long ? 1 + random_below(&random, 2) : random_below(&random, 30);
            shape.min_bases = is_long ? 33000 : 5;
            shape.max_bases = is_long ? 60000 : 90;
            text_make(&texts[k / 6], &shape, &random);
        }
        for (k = 0; k < 2; ++k) {
            gzip_make(&packed[k], &texts[k], 100000, 30000, 0);
        }
        random_machine(&desc, &random);
        oracle_inputs(&desc, memories, i % 3 == 0 ? packed : texts, 2);
        desc.test.page_bytes = pages[i % 3];
        desc.test.chunk_bytes = 0;
        desc.batch_rows = 64;
        desc.row_bases = 250;
        desc.long_records = BIOST_LONG_SPLIT;
        desc.encoding.kind = BIOST_ENCODE_TOKENS;
        desc.augment.reverse_complement = 0.5f;
        if (i >= 10) { /* with everything that is kept of a record */
            random_others(&desc, shape.fasta, &random);
            random_shape(&desc, &random);
            random_more_filters(&desc, shape.fasta, &random);
            desc.names = 1;
            desc.max_row_bases = 0;
            desc.row_bases = i % 4 == 0 && desc.long_records != BIOST_LONG_SPLIT ? 0 : 250;
            desc.augment.change = i % 3 == 0 ? user_change : NULL;
        }
        desc.filter.min_length = i % 5 == 0 ? 40 : 0;
        desc.shuffle_rows = i / 2 % 2 * 300;
        desc.digest = 1;
        test_note("long case %u", (unsigned)i);
        run_rank(&desc, texts, 2, ORACLE_ENDS_WELL);
        for (k = 0; k < 2; ++k) {
            bytes_free(&texts[k]);
            bytes_free(&packed[k]);
        }
    }
}

/* Records of two to six bytes: as many as a page can have; rows of no bases, batches of no columns. */
TEST(order, smallest_records_equal_the_oracle) {
    static const char *const words[] = {">\n", ">\nA\n", "@\n\n+\n\n", "@\nA\n+\nI\n", ">\n>a b\nAC\n"};
    static user_labels made = {24, 1};
    uint32_t i, k;
    for (i = 0; i < 20; i += test_effort(3, 1)) {
        bytes text = {NULL, 0, 0};
        biost_loader_desc desc;
        biost_memory memory;
        for (k = 0; k < 45000; ++k) {
            bytes_words(&text, words[i % 5]);
        }
        memset(&desc, 0, sizeof desc);
        oracle_inputs(&desc, &memory, &text, 1);
        desc.batch_rows = 5000;
        desc.row_bases = i % 2 * 2;
        desc.slots = 2;
        desc.workers = 1 + i % 3;
        desc.shuffle_rows = i / 10 * 7000;
        if (i / 5 % 2 == 1) {
            desc.names = 1;
            desc.mask = 1;
            desc.labels.make = user_make;
            desc.labels.user_data = &made;
            desc.labels.dtype = BIOST_DTYPE_I64;
            desc.labels.width = 3;
            desc.augment.inject_n = 0.5f;
            desc.augment.reverse_complement = 0.5f;
            desc.quality.kind = i % 5 == 2 || i % 5 == 3 ? BIOST_QUALITY_PHRED : BIOST_QUALITY_NONE;
        }
        desc.test.page_bytes = i % 3 == 0 ? 4096 : 0;
        test_note("small case %u", (unsigned)i);
        oracle_run(&desc, &text, 1, 0, ORACLE_ENDS_WELL);
        bytes_free(&text);
    }
}

/* A buffer with 2^32 mod W near W: a word in 86581 gives no cell, and one of a later draw is taken. */
TEST(order, refused_words_are_drawn_again) {
    uint64_t random = test_seed() + 7;
    text_shape shape = {160000, 1, 1, 1, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    oracle o;
    biost_loader *loader;
    uint32_t i;
    size_t refused = 0;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 5000;
    desc.row_bases = 1;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.seed = 5;
    desc.shuffle_rows = 49938;
    desc.slots = 1;
    oracle_make(&o, &desc, &text, 1, 0, ORACLE_ENDS_WELL);
    for (i = 0; i < 160000 - desc.shuffle_rows; ++i) {
        uint64_t product = (uint64_t)oracle_word(&o, 4, i, 0, 0) * desc.shuffle_rows;
        refused += (product & 0xFFFFFFFFu) < ((uint64_t)1 << 32) % desc.shuffle_rows;
    }
    CHECK(refused > 0);
    loader = oracle_open(&desc);
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        oracle_drain(&o, loader, 0);
    }
    biost_loader_close(loader);
    oracle_free(&o);
    bytes_free(&text);
}

/* Every count around the borders of one, two and three batches, with windows around the count, and
   each tail. */
TEST(order, counts_around_whole_batches) {
    static const uint32_t batch_rows[] = {1, 2, 5, 16};
    uint64_t random = test_seed() + 2;
    uint32_t g, n, w, tail;
    for (g = 0; g < 4; ++g) {
        for (n = 0; n <= 2 * batch_rows[g] + 2; ++n) {
            text_shape shape = {0, 3, 9, 0, 0, 0, 0, 0};
            bytes text = {NULL, 0, 0};
            shape.records = n;
            text_make(&text, &shape, &random);
            for (w = 0; w < 6; ++w) {
                const uint32_t windows[] = {0, 1, n > 0 ? n - 1 : 2, n, n + 1, 3 * n + 1};
                tail = w % 3;
                for (; tail < 3; tail += 2) {
                    biost_loader_desc desc;
                    biost_memory memory;
                    memset(&desc, 0, sizeof desc);
                    oracle_inputs(&desc, &memory, &text, 1);
                    desc.batch_rows = batch_rows[g];
                    desc.row_bases = 9;
                    desc.tail = (biost_tail_mode)tail;
                    desc.shuffle_rows = windows[w];
                    desc.digest = 1;
                    desc.workers = 1;
                    desc.test.page_bytes = 64;
                    test_note("batch_rows %u, n %u, window %u, tail %u", (unsigned)desc.batch_rows,
                              (unsigned)n, (unsigned)desc.shuffle_rows, (unsigned)tail);
                    run_rank(&desc, &text, 1, ORACLE_ENDS_WELL);
                }
            }
            bytes_free(&text);
        }
    }
}

/* The zero desc: one-hot u8, 256 rows, as long as the longest of the batch rounded up to 8, padded, in
   order. */
TEST(order, zero_desc) {
    uint64_t random = test_seed() + 3;
    text_shape shape = {300, 20, 77, 0, 0, 0, 0, 1};
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    biost_loader *loader;
    biost_batch batch;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    run_rank(&desc, &text, 1, ORACLE_ENDS_WELL);
    loader = oracle_open(&desc);
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK) &&
        CHECK(biost_loader_next(loader, &batch) == BIOST_OK)) {
        CHECK_EQ_U64(batch.rows, 256);
        CHECK_EQ_U64(batch.valid_rows, 256);
        CHECK_EQ_U64(batch.flags, 0);
        CHECK_EQ_I64(batch.x.shape[1], 80);
        CHECK_EQ_U64(batch.digest, 0);
        CHECK_EQ_I64(batch.origins[255].id, 255);
    }
    biost_loader_close(loader);
    bytes_free(&text);
}

/* ---- identity ---- */

/* Texts and a desc that use every stage: two inputs, shuffle, pieces, filter, both augmentations, a
   tail. */
static void identity_make(bytes texts[2], biost_loader_desc *desc, int fasta) {
    uint64_t random = test_seed() + 4;
    text_shape shape = {260, 0, 90, 0, 20, 0, 0, 1};
    shape.fasta = fasta;
    memset(texts, 0, 2 * sizeof texts[0]);
    text_make(&texts[0], &shape, &random);
    shape.records = 31;
    shape.crlf = 1;
    shape.no_last_feed = 1;
    text_make(&texts[1], &shape, &random);
    memset(desc, 0, sizeof *desc);
    desc->batch_rows = 24;
    desc->row_bases = 32;
    desc->long_records = BIOST_LONG_SPLIT;
    desc->encoding.dtype = BIOST_DTYPE_F16;
    desc->filter.min_length = 5;
    desc->augment.reverse_complement = 0.5f;
    desc->augment.substitute = 0.05f;
    desc->shuffle_rows = 150;
    desc->seed = 42;
    desc->digest = 1;
}

/* An epoch with this desc equals the oracle made before. */
static void identity_run(const oracle *o, const biost_loader_desc *desc) {
    biost_loader *loader = oracle_open(desc);
    if (loader != NULL && CHECK(biost_loader_begin(loader, o->epoch) == BIOST_OK)) {
        oracle_drain(o, loader, 0);
    }
    biost_loader_close(loader);
}

TEST(identity, workers_slots_pages_and_chunks) {
    static const uint32_t workers[] = {1, 2, 3, 8}, slots[] = {1, 2, 0}, pages[] = {16, 4096, 0},
                          chunks[] = {1, 7, 4096, 0};
    static const char *const names[] = {"identity_0", "identity_1"};
    const char *paths[2];
    uint32_t i, k;
    for (k = 0; k < 2; ++k) {
        biost_loader_desc desc;
        biost_memory memories[2];
        bytes texts[2];
        oracle o;
        identity_make(texts, &desc, (int)k);
        oracle_make(&o, &desc, texts, 2, 7, ORACLE_ENDS_WELL);
        oracle_inputs(&desc, memories, texts, 2);
        for (i = 0; i < 2; ++i) {
            paths[i] = file_path(names[i]);
            file_write(paths[i], texts[i].data, texts[i].count);
        }
        for (i = 0; i < 4 * 3 * 3 * 4; i += test_effort(7, 1)) {
            desc.workers = workers[i % 4];
            desc.slots = slots[i / 4 % 3];
            desc.test.page_bytes = pages[i / 12 % 3];
            desc.test.chunk_bytes = chunks[i / 36];
            desc.test.page_count = i % 2 == 0 ? 2 : 0;
            test_note("format %u, machine %u", (unsigned)k, (unsigned)i);
            if (i % 5 != 0) {
                oracle_inputs(&desc, memories, texts, 2);
            } else {
                desc.memory_count = 0;
                desc.memories = NULL;
                desc.paths = paths;
                desc.path_count = 2;
            }
            identity_run(&o, &desc);
        }
        oracle_free(&o);
        bytes_free(&texts[0]);
        bytes_free(&texts[1]);
    }
    file_clean(names, 2);
}

TEST(identity, permuted_task_order) {
    uint32_t i;
    biost_loader_desc desc;
    biost_memory memories[2];
    bytes texts[2];
    oracle stowed, direct;
    identity_make(texts, &desc, 1);
    oracle_inputs(&desc, memories, texts, 2);
    oracle_make(&stowed, &desc, texts, 2, 1, ORACLE_ENDS_WELL);
    desc.shuffle_rows = 0;
    oracle_make(&direct, &desc, texts, 2, 1, ORACLE_ENDS_WELL);
    for (i = 0; i < 160; ++i) {
        desc.shuffle_rows = i % 2 == 0 ? 150 : 0;
        desc.test.order_seed = 1000 + i / 4;
        desc.workers = 1 + i / 2 % 2;
        desc.test.page_bytes = i / 4 % 3 == 0 ? 64 : i / 4 % 3 == 1 ? 333 : 4096;
        desc.test.page_count = 2 + i / 4 % 4;
        desc.slots = 1 + i / 4 % 3;
        test_note("order seed %u, workers %u", (unsigned)desc.test.order_seed, (unsigned)desc.workers);
        identity_run(i % 2 == 0 ? &stowed : &direct, &desc);
    }
    oracle_free(&stowed);
    oracle_free(&direct);
    bytes_free(&texts[0]);
    bytes_free(&texts[1]);
}

#ifdef HAVE_ZLIB
#include <zlib.h>

/* Deflated gzip members of `member_bytes` of text each. */
static void identity_deflate(bytes *out, const bytes *text, size_t member_bytes, int level) {
    size_t at = 0;
    while (at < text->count) {
        size_t part = text->count - at < member_bytes ? text->count - at : member_bytes;
        uLong most;
        z_stream stream;
        memset(&stream, 0, sizeof stream);
        CHECK(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
        most = deflateBound(&stream, (uLong)part) + 32;
        stream.next_in = text->data + at;
        stream.avail_in = (uInt)part;
        stream.next_out = test_copy(NULL, most);
        stream.avail_out = (uInt)most;
        CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
        bytes_add(out, stream.next_out - stream.total_out, stream.total_out);
        free(stream.next_out - stream.total_out);
        deflateEnd(&stream);
        at += part;
    }
}

TEST(identity, deflated_text) {
    uint32_t i;
    biost_loader_desc desc;
    biost_memory memories[2];
    bytes texts[2], packed[2];
    oracle o;
    identity_make(texts, &desc, 0);
    oracle_make(&o, &desc, texts, 2, 3, ORACLE_ENDS_WELL);
    for (i = 0; i < 24; ++i) {
        memset(packed, 0, sizeof packed);
        identity_deflate(&packed[0], &texts[0], i % 3 == 0 ? SIZE_MAX / 4 : 100 + 900 * (i % 4),
                         (int)(i % 10));
        identity_deflate(&packed[1], &texts[1], SIZE_MAX / 4, 6);
        oracle_inputs(&desc, memories, packed, 2);
        desc.workers = 1 + i % 3;
        desc.test.page_bytes = i / 3 % 2 == 0 ? 4096 : 0;
        desc.test.chunk_bytes = i / 6 % 2 == 0 ? 7 : 0;
        test_note("packing %u", (unsigned)i);
        identity_run(&o, &desc);
        bytes_free(&packed[0]);
        bytes_free(&packed[1]);
    }
    oracle_free(&o);
    bytes_free(&texts[0]);
    bytes_free(&texts[1]);
}
#endif

/* The records of a real file as four-line text, through the reader, which has tests of its own. */
static void identity_read(bytes *text, const char *path) {
    biost_reader_desc desc;
    biost_reader *reader;
    biost_record record;
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    while (biost_reader_next(reader, &record) == BIOST_OK) {
        bytes_words(text, "@");
        bytes_add(text, record.title, record.title_bytes);
        bytes_words(text, "\n");
        bytes_add(text, record.seq, record.seq_bases);
        bytes_words(text, "\n+\n");
        bytes_add(text, record.qual, record.seq_bases);
        bytes_words(text, "\n");
    }
    biost_reader_close(reader);
}

/* Real reads as gzip, BGZF, members, plain file and memory: one digest, which the oracle knows. */
TEST(identity, real_reads_in_every_packing) {
    static const char *const names[] = {"real_plain", "real_members"};
    static const char gzip[] = "examples/data/illumina_hiseqx_150bp.fastq.gz",
                      bgzf[] = "examples/data/illumina_hiseqx_150bp.bgzf.fastq.gz";
    const char *paths[4];
    bytes text = {NULL, 0, 0}, members = {NULL, 0, 0};
    biost_loader_desc desc;
    oracle o;
    uint32_t i;
    identity_read(&text, gzip);
    gzip_make(&members, &text, text.count / 10 + 1, 65535, 0);
    paths[0] = gzip;
    paths[1] = bgzf;
    paths[2] = file_path(names[0]);
    paths[3] = file_path(names[1]);
    file_write(paths[2], text.data, text.count);
    file_write(paths[3], members.data, members.count);
    memset(&desc, 0, sizeof desc);
    desc.path_count = 1;
    desc.batch_rows = 1000;
    desc.row_bases = 100;
    desc.long_records = BIOST_LONG_SPLIT;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.filter.min_mean_quality = 30.0f;
    desc.shuffle_rows = 3000;
    desc.digest = 1;
    oracle_make(&o, &desc, &text, 1, 0, ORACLE_ENDS_WELL);
    CHECK_EQ_U64(o.records, 10000);
    for (i = 0; i < 8; ++i) {
        desc.paths = &paths[i % 4];
        desc.workers = i < 4 ? 1 : 3;
        test_note("%s", paths[i % 4]);
        identity_run(&o, &desc);
    }
    oracle_free(&o);
    file_clean(names, 2);
    bytes_free(&text);
    bytes_free(&members);
}

/* ---- digest ---- */

static uint64_t digest_of(const biost_loader_desc *desc) {
    biost_loader *loader = oracle_open(desc);
    biost_batch batch;
    uint64_t digest = 0;
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            digest += batch.digest;
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
    }
    biost_loader_close(loader);
    return digest;
}

TEST(digest, one_other_base_is_another_digest) {
    uint64_t random = test_seed() + 5, digest;
    text_shape shape = {9, 3, 9, 1, 5, 0, 0, 0};
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    size_t at;
    unsigned flipped = 0;
    int in_title = 0;
    text_make(&text, &shape, &random);
    memset(&desc, 0, sizeof desc);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 4;
    desc.shuffle_rows = 4;
    desc.digest = 1;
    desc.workers = 1;
    desc.test.page_bytes = 64;
    digest = digest_of(&desc);
    CHECK(digest != 0);
    CHECK_EQ_U64(digest_of(&desc), digest);
    for (at = 0; at < text.count; ++at) {
        uint8_t base = text.data[at];
        in_title = base == '>' || (in_title && base != '\n');
        if (!in_title && base != '\n') {
            text.data[at] = base == 'A' ? 'C' : 'A';
            test_note("byte %u", (unsigned)at);
            CHECK(digest_of(&desc) != digest);
            text.data[at] = base;
            ++flipped;
        }
    }
    CHECK(flipped > 9);
    desc.seed = 1;
    CHECK(digest_of(&desc) != digest);
    bytes_free(&text);
}
