/*
 * test_loader_memory.c - biost_loader_memory is the most a loader holds at once: reached, and not far
 * above what is reached; and after the first epoch nothing is allocated any more.
 *
 * rooms: plan rows memory
 * needs: loader threads library data orders
 */
#include "../biostream.h"

#include "test.h"

#include "deflate_maker.h"

#include "loader_oracle.h" /* after it: `bytes` is a type there, and a name in the other */

/* A text that reaches every cap: short records, one of exactly max_record_bytes, short ones again. in_title: of FASTA
   that is cut as it comes, whose sequences are not held, but titles are. */
static void caps_text(bytes *text, uint64_t max_record_bytes, int fasta, int in_title) {
    uint64_t random = test_seed();
    text_shape shape = {200, 20, 40, 0, 60, 0, 0, 0};
    size_t start, bases;
    shape.fasta = fasta;
    text_make(text, &shape, &random);
    start = text->count;
    bytes_words(text, fasta ? ">long\n" : "@long\n");
    bases = fasta ? (size_t)max_record_bytes - 6 : ((size_t)max_record_bytes - 9) / 2;
    text->count -= (size_t)in_title;
    while (bases-- > 0) {
        bytes_byte(text, (uint8_t) "ACGT"[bases % 4]);
    }
    if (in_title) {
        bytes_words(text, "\nACGT");
    }
    if (!fasta) { /* 6 + bases + 3 + bases: caps of FASTQ are odd */
        size_t line = text->count;
        bases = line - start - 6;
        bytes_words(text, "\n+\n");
        while (bases-- > 0) {
            bytes_byte(text, 'I');
        }
    }
    bytes_words(text, "\n");
    text_make(text, &shape, &random);
}

/* Hold all slots, ask for one more, release, drain; twice. Returns allocation calls made after the
   first epoch. */
static uint64_t caps_run(const biost_loader_desc *desc, counted *count) {
    biost_loader *loader = oracle_open(desc);
    biost_batch held[16];
    biost_result result = BIOST_OK;
    uint64_t epoch, warm = 0;
    uint32_t slots = desc->slots > 0 ? desc->slots : 4, lent, i;
    for (epoch = 0; loader != NULL && epoch < 4; ++epoch) {
        lent = 0;
        CHECK(biost_loader_begin(loader, epoch) == BIOST_OK);
        while (lent < slots && (result = biost_loader_next(loader, &held[lent])) == BIOST_OK) {
            ++lent;
        }
        CHECK_EQ_U64(lent, slots);
        if (epoch == 3) {
            break; /* closed with all of them held */
        }
        CHECK(biost_loader_next(loader, &held[15]) == BIOST_ERR_SLOTS);
        for (i = 0; i < lent; ++i) {
            CHECK(biost_loader_release(loader, &held[i]) == BIOST_OK);
        }
        while ((result = biost_loader_next(loader, &held[0])) == BIOST_OK) {
            CHECK(biost_loader_release(loader, &held[0]) == BIOST_OK);
        }
        if (!CHECK(result == BIOST_END)) {
            printf("    sentence: %s\n", error_of(loader)->text);
        }
        warm = epoch == 0 ? count->calls : warm;
    }
    epoch = count->calls - warm;
    biost_loader_close(loader);
    CHECK_EQ_U64(count->blocks, 0);
    return epoch;
}

/* One desc, by number: encodings, shuffle, cells, pieces, ranks and caps differ. */
static void caps_desc(biost_loader_desc *desc, uint32_t number) {
    static const uint64_t caps[] = {1u << 20, 40001, 65537, 1000001, 200001, 524289, 150001, 33001};
    memset(desc, 0, sizeof *desc);
    desc->max_record_bytes = caps[number] - (number == 0);
    desc->batch_rows = number % 2 == 0 ? 16 : 64;
    desc->row_bases = number % 3 == 0 ? 100 : number % 3 == 1 ? 0 : 1000;
    desc->max_row_bases = number == 4 ? 777 : 0;
    desc->long_records = desc->row_bases > 0 ? BIOST_LONG_SPLIT : BIOST_LONG_FAIL;
    desc->filter.max_length = desc->row_bases > 0 ? 0 : 500;
    desc->encoding.dtype = (biost_dtype)(number % 3);
    desc->encoding.kind = number % 3 == 0 && number > 0 ? BIOST_ENCODE_TOKENS : BIOST_ENCODE_ONEHOT;
    desc->shuffle_rows = number < 3 ? 0 : 50u << number;
    desc->world = number == 5 ? 4 : 0;
    desc->rank = number == 5 ? 2 : 0;
    desc->slots = number % 4 == 3 ? 2 : 0;
    desc->workers = 1 + number % 4;
}

/* The same with every tensor that there is, names, labels, filters and stages of the test's own. */
static void caps_everything(biost_loader_desc *desc, uint32_t number, int fasta) {
    static const biost_dtype dtypes[] = {BIOST_DTYPE_F32, BIOST_DTYPE_I64, BIOST_DTYPE_BF16, BIOST_DTYPE_I32};
    static user_labels made[8];
    static uint32_t one_in;
    biost_encoding *encoding = &desc->encoding;
    memset(encoding, 0, sizeof *encoding);
    encoding->dtype = dtypes[number % 4];
    encoding->kind = number % 2 == 1 ? BIOST_ENCODE_TOKENS : BIOST_ENCODE_ONEHOT;
    if (number % 2 == 0) {
        encoding->layout = BIOST_LAYOUT_NCL;
        encoding->lower_case = BIOST_LOWER_CASE_CHANNEL;
        encoding->channels = number % 4 == 0 ? "ACDEFGHIKLMNPQRSTVWY" : "CATG";
    }
    encoding->pad_side = (biost_pad_side)(number / 2 % 2);
    desc->pad_multiple = number % 3 == 0 ? 64 : 0;
    desc->quality.kind = fasta ? BIOST_QUALITY_NONE : BIOST_QUALITY_ERROR;
    desc->quality.dtype = BIOST_DTYPE_F32;
    desc->mask = 1;
    desc->mask_dtype = number % 2 == 0 ? BIOST_DTYPE_F32 : BIOST_DTYPE_U8;
    if (encoding->dtype == BIOST_DTYPE_F32) { /* all in x; of the other half of one-hot descs nothing */
        desc->quality.in_x = !fasta;
        desc->mask_in_x = 1;
    }
    desc->names = 1;
    desc->name_bytes = number % 2 == 0 ? 0 : 1 + number * 100;
    desc->labels.make = user_make;
    desc->labels.width = number * 4;
    desc->labels.dtype = BIOST_DTYPE_I64;
    made[number].bytes = 8 * (desc->labels.width > 0 ? desc->labels.width : 1);
    made[number].drops = 0;
    desc->labels.user_data = &made[number];
    desc->filter.keep = user_keep; /* all */
    desc->filter.user_data = &one_in;
    desc->augment.reverse_complement = 0.5f;
    random_not_turned(desc);
    desc->augment.substitute = 0.01f;
    desc->augment.inject_n = 0.01f;
    desc->augment.change = user_change;
    if (desc->long_records == BIOST_LONG_FAIL) {
        desc->filter.max_length = 0;
        desc->long_records = BIOST_LONG_CROP;
    } else if (number % 2 == 1) {
        desc->split_stride = desc->row_bases / 2;
    }
    desc->text.skip_bad = 5;
    desc->digest = 1;
}

/* One member of blocks of 20000 literals each, by codes of 8 bits (two of 9) that each block sends. */
static void caps_gzip(bytes *out, const bytes *text) {
    static maker m;
    maker_code litlen, distance;
    uint64_t random = test_seed();
    size_t at;
    unsigned i;
    maker_code_clear(&litlen, 257);
    maker_code_clear(&distance, 2);
    for (i = 0; i < 257; ++i) {
        litlen.lengths[i] = i < 255 ? 8 : 9; /* 255 / 256 + 2 / 512 = 1: complete */
    }
    distance.lengths[0] = distance.lengths[1] = 1;
    maker_code_number(&litlen);
    maker_code_number(&distance);
    maker_begin(&m);
    maker_member(&m, NULL);
    for (at = 0; at < text->count; ++at) {
        if (at % 20000 == 0) {
            if (at > 0) {
                maker_symbol(&m, &litlen, 256);
            }
            maker_dynamic(&m, text->count - at <= 20000, &litlen, &distance, &random);
        }
        maker_literal(&m, &litlen, text->data[at]);
    }
    maker_symbol(&m, &litlen, 256);
    maker_member_end(&m);
    bytes_add(out, m.file.data, m.file.count);
    maker_free(&m);
}

enum { FASTQ_MEMORY, FASTA_MEMORY, FASTA_FILE, FASTQ_GZIP_FILE, FORMS };

/* What decodes gzip ahead of its turn takes its memory where there is gzip, and is in the bound always. */
static void bound_is_close(biost_loader_desc *desc, uint32_t form) {
    static const char *const names[] = {"caps"};
    const char *path = file_path(names[0]);
    biost_memory memory;
    bytes text = {NULL, 0, 0};
    counted count;
    uint64_t bound;
    int in_file = form >= FASTA_FILE, fasta = form == FASTA_MEMORY || form == FASTA_FILE;
    caps_text(&text, desc->max_record_bytes, fasta,
              fasta && desc->long_records == BIOST_LONG_SPLIT && desc->labels.make == NULL);
    oracle_inputs(desc, &memory, &text, 1);
    desc->test.parallel_gzip = BIOST_PARALLEL_GZIP_NEVER;
    if (form == FASTQ_GZIP_FILE) {
        bytes packed = {NULL, 0, 0};
        caps_gzip(&packed, &text);
        bytes_free(&text);
        text = packed;
        desc->test.parallel_gzip = BIOST_PARALLEL_GZIP_ALWAYS;
        desc->test.chunk_bytes = 4000; /* of the shortest text there are more than are read at once */
    }
    if (in_file) {
        file_write(path, text.data, text.count);
        desc->memory_count = 0;
        desc->memories = NULL;
        desc->paths = &path;
        desc->path_count = 1;
    }
    bound = biost_loader_memory(desc);
    desc->allocator = counted_allocator(&count);
    CHECK_EQ_U64(biost_loader_memory(desc), bound);
    CHECK_EQ_U64(caps_run(desc, &count), 0); /* nothing after warm-up */
    CHECK(count.peak_bytes <= bound);
    if (!CHECK(bound <= count.peak_bytes + count.peak_bytes / 2 + (1u << 20))) {
        printf("    bound %llu, peak %llu\n", (unsigned long long)bound,
               (unsigned long long)count.peak_bytes);
    }
    file_clean(names, in_file);
    bytes_free(&text);
}

TEST(memory, bound_holds_and_is_close) {
    uint32_t number, form, everything;
    THREADS_KEPT;
    for (number = 0; number < 8; ++number) {
        for (form = 0; form < FORMS; ++form) {
            for (everything = 0; everything < 2; ++everything) {
                biost_loader_desc desc;
                caps_desc(&desc, number);
                if (everything == 1) {
                    caps_everything(&desc, number, form == FASTA_MEMORY || form == FASTA_FILE);
                }
                test_note("desc %u, form %u, everything %u", (unsigned)number, (unsigned)form,
                          (unsigned)everything);
                bound_is_close(&desc, form);
            }
        }
    }
}

/* With everything on, each allocation fails in its turn: NOMEM at open and nothing left, or, of the
   buffer for long records, after the rows before it. */
TEST(memory, each_allocation_fails) {
    uint32_t number;
    THREADS_KEPT;
    for (number = 0; number < 8; number += 3) {
        bytes text = {NULL, 0, 0};
        int reached = 1;
        uint64_t n;
        biost_memory memory;
        biost_loader_desc desc;
        caps_desc(&desc, number);
        caps_everything(&desc, number, 0);
        caps_text(&text, desc.max_record_bytes, 0, 0);
        oracle_inputs(&desc, &memory, &text, 1);
        for (n = 1; reached; ++n) {
            counted count;
            biost_loader *loader = NULL;
            biost_error error;
            biost_result result;
            desc.allocator = counted_allocator(&count);
            count.fail_at = n;
            count.fail_on = (int)(n % 2);
            test_note("desc %u, allocation %u", (unsigned)number, (unsigned)n);
            result = biost_loader_open(&desc, &loader, &error);
            if (result == BIOST_OK) {
                CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
                digest_drain(loader, &result);
                CHECK(result == (counted_refused(&count) ? BIOST_ERR_NOMEM : BIOST_END));
            } else {
                CHECK(result == BIOST_ERR_NOMEM && error.fault == BIOST_FAULT_MEMORY && loader == NULL);
            }
            biost_loader_close(loader);
            CHECK_EQ_U64(count.blocks, 0);
            CHECK_EQ_U64(count.now_bytes, 0);
            reached = count.refused;
        }
        CHECK(n > 6);
        bytes_free(&text);
    }
}

/* More workers than at open find no more memory: the bound is of the desc, whatever set_workers says. */
TEST(memory, set_workers_allocates_nothing) {
    text_shape shape = {400, 20, 40, 0, 0, 0, 0, 0};
    static const uint32_t workers[] = {8, 1, 16, 2};
    uint32_t i;
    counted count;
    uint64_t calls;
    one_text one;
    biost_loader *loader;
    THREADS_KEPT;
    one_text_shape(&one, &shape, 3);
    one.desc.batch_rows = 8;
    one.desc.workers = 2;
    one.desc.allocator = counted_allocator(&count);
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL);
    CHECK(count.peak_bytes <= biost_loader_memory(&one.desc));
    calls = count.calls;
    for (i = 0; i < 4; ++i) {
        CHECK(biost_loader_begin(loader, i) == BIOST_OK);
        CHECK(biost_loader_set_workers(loader, workers[i]) == BIOST_OK);
        digest_drain(loader, NULL);
    }
    CHECK_EQ_U64(count.calls, calls);
    biost_loader_close(loader);
    CHECK_EQ_U64(count.blocks, 0);
    bytes_free(&one.text);
}

/* Default caps and ordinary input. */
TEST(memory, bound_holds_with_default_caps) {
    static const char *const paths[] = {"examples/data/illumina_hiseqx_150bp.fastq.gz",
                                        "examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz"};
    uint32_t i;
    THREADS_KEPT;
    for (i = 0; i < 4; ++i) {
        biost_loader_desc desc;
        counted count;
        uint64_t bound;
        memset(&desc, 0, sizeof desc);
        desc.paths = &paths[i / 2];
        desc.path_count = 1;
        desc.row_bases = i / 2 == 0 ? 0 : 200;
        desc.long_records = i / 2 == 0 ? BIOST_LONG_FAIL : BIOST_LONG_SPLIT;
        desc.shuffle_rows = i % 2 * 2000;
        desc.workers = 1 + i % 3;
        bound = biost_loader_memory(&desc);
        CHECK(bound < UINT64_MAX);
        desc.allocator = counted_allocator(&count);
        test_note("run %u", (unsigned)i);
        CHECK_EQ_U64(caps_run(&desc, &count), 0);
        CHECK(count.peak_bytes <= bound);
    }
}

/*
 * The bound is known from the desc alone: no input needs to exist. Each worker adds a page of 256
 * KiB with its decoder and row table, half a chunk of 256 KiB, and three decoders of 35 KiB for ways. To
 * decode gzip ahead it has four more decoders, and four chunks with a MiB of ops each.
 */
TEST(memory, bound_needs_no_input) {
    static const char *const paths[] = {"there/is/nothing", "nor/here"};
    biost_loader_desc desc;
    uint64_t bound;
    memset(&desc, 0, sizeof desc);
    desc.paths = paths;
    desc.path_count = 2;
    bound = biost_loader_memory(&desc);
    CHECK(bound > 4u * 256 * 1024 * 4 && bound < (uint64_t)1 << 28);
    desc.workers = 2;
    bound = biost_loader_memory(&desc);
    desc.workers = 202;
    CHECK(biost_loader_memory(&desc) > bound + 200u * (256 + 128 + 104) * 1024);
    CHECK(biost_loader_memory(&desc) < bound + 200u * (676 + 105 + 4 * (1025 + 257)) * 1024);
    desc.test.parallel_gzip = BIOST_PARALLEL_GZIP_NEVER;
    CHECK(biost_loader_memory(&desc) > bound + 199u * (256 + 128 + 104) * 1024 - (16u << 20));
    CHECK(biost_loader_memory(&desc) < bound + 200u * 676 * 1024);
    desc.test.parallel_gzip = BIOST_PARALLEL_GZIP_AUTO;
    bound = biost_loader_memory(&desc);
    desc.batch_rows = 512;
    CHECK(biost_loader_memory(&desc) > bound + 4u * 256 * 1024 * 4 - 4096);
    desc.batch_rows = 1048576; /* sizes beyond memory are numbers, not accidents */
    desc.row_bases = 1u << 28;
    desc.encoding.dtype = BIOST_DTYPE_F32;
    desc.shuffle_rows = 1u << 31;
    desc.slots = 1024;
    CHECK(biost_loader_memory(&desc) > (uint64_t)1 << 60);
    {
        biost_loader *loader = NULL;
        counted count;
        desc.allocator = counted_allocator(&count);
        CHECK(biost_loader_open(&desc, &loader, NULL) == BIOST_ERR_NOMEM);
        CHECK(loader == NULL);
        CHECK_EQ_U64(count.blocks, 0);
    }
}

/* Memory of the process that is in use now; 0 where the system does not say it in this way. */
static uint64_t resident_bytes(void) {
    unsigned long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) {
        return 0;
    }
    if (fscanf(file, "%lu %lu", &all, &resident) != 2) {
        resident = 0;
    }
    fclose(file);
    return (uint64_t)resident * 4096;
}

/*
 * 600 short records in a shuffle buffer of 512 cells of a MiB and more: what is written are the heads of cells, at
 * most two pages each, and little else. Large pages would make it all of 512 MiB.
 */
TEST(memory, wide_cells_stay_untouched) {
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_batch batch;
    biost_memory memory;
    uint64_t before, most = 0, rows = 0;
    unsigned i;
    for (i = 0; i < 600; ++i) {
        bytes_words(&text, "@r\nACGTACGTACGTACGT\n+\nIIIIIIIIIIIIIIII\n");
    }
    memset(&desc, 0, sizeof desc);
    memset(&memory, 0, sizeof memory);
    memory.data = text.data;
    memory.bytes = text.count;
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.max_row_bases = 1u << 20;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.shuffle_rows = 512;
    desc.batch_rows = 16;
    desc.workers = 1;
    before = resident_bytes();
    REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
    REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK);
    while (biost_loader_next(loader, &batch) == BIOST_OK) {
        uint64_t now = resident_bytes();
        most = now > most ? now : most;
        rows += batch.valid_rows;
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK_EQ_U64(rows, 600);
    CHECK(most <= before + (64u << 20));
    biost_loader_close(loader);
    bytes_free(&text);
}

/* ---- what was refused ---- */

static uint64_t wanted_bytes; /* of the last request */

static void *refuse_all(size_t count, size_t align, void *user_data) {
    (void)align;
    (void)user_data;
    wanted_bytes = count;
    return NULL;
}

static void free_none(void *memory, size_t count, void *user_data) {
    (void)memory;
    (void)count;
    (void)user_data;
}

/* The sentence about memory names the two fields that make most of it, where these do. */
TEST(memory, a_refusal_names_the_fields_that_make_it) {
    static const char *const widths[] = {"row_bases", "max_row_bases"};
    static const struct {
        uint32_t shuffle_rows, row_bases, max_row_bases, name_bytes; /* 0: none */
        int width;                                                   /* of widths, or -1: a plain sentence */
    } cases[] = {
        {1000000, 0, 100000, 0, 1}, {1000000, 100000, 0, 0, 0}, {100000, 200, 0, 0, 0},
        {0, 0, 1000000, 0, -1},     {100000, 20, 0, 200, -1}, /* names are most */
        {16, 100, 0, 0, -1},                                  /* pages of text are */
    };
    uint32_t i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char expected[256];
        biost_loader *loader = NULL;
        biost_loader_desc desc;
        biost_memory memory;
        biost_error error;
        int length;
        memset(&desc, 0, sizeof desc);
        memset(&memory, 0, sizeof memory);
        memory.data = "@a\nACGT\n+\nIIII\n";
        memory.bytes = 15;
        desc.memories = &memory;
        desc.memory_count = 1;
        desc.workers = 1;
        desc.shuffle_rows = cases[i].shuffle_rows;
        desc.row_bases = cases[i].row_bases;
        desc.max_row_bases = cases[i].max_row_bases;
        desc.names = cases[i].name_bytes > 0;
        desc.name_bytes = cases[i].name_bytes;
        desc.allocator.alloc = refuse_all;
        desc.allocator.free = free_none;
        wanted_bytes = 0;
        test_note("case %u", (unsigned)i);
        CHECK_EQ_I64(biost_loader_open(&desc, &loader, &error), BIOST_ERR_NOMEM);
        CHECK(error.fault == BIOST_FAULT_MEMORY);
        if (wanted_bytes == 0) { /* more than there are addresses: nobody is asked */
            CHECK(sizeof(size_t) < 8);
            wanted_bytes = strtoull(error.text + strlen("out of memory: "), NULL, 10);
            CHECK(wanted_bytes > SIZE_MAX);
        }
        length = snprintf(expected, sizeof expected, "out of memory: %llu bytes were refused",
                          (unsigned long long)wanted_bytes);
        if (cases[i].width >= 0) {
            snprintf(expected + length, sizeof expected - (size_t)length,
                     ", mostly for desc.shuffle_rows rows of desc.%s: lower one of the two, or make a store, "
                     "which keeps no rows",
                     widths[cases[i].width]);
        }
        CHECK_STR(error.text, expected);
    }
}
