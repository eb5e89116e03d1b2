/*
 * test_rules.c - rules between the fields of a desc: for each row of >>rules a desc that breaks it and no other, and the
 * whole sentence that refuses it. `make lint` compares the rows with what stands here, so that none is without a case.
 *
 * rooms: rules
 * needs: loader threads library
 */
#include "../biostream.h"

#include <math.h>

#include "test.h"

static const char rules_reads[] = "@a\nACGT\n+\nIIII\n";
static const biost_memory rules_text = {rules_reads, sizeof rules_reads - 1, "reads"};
static const biost_memory rules_texts[2] = {{rules_reads, sizeof rules_reads - 1, "reads"},
                                            {rules_reads, sizeof rules_reads - 1, "more"}};
static const biost_memory rules_lacking = {NULL, 3, "none"};
static const char *const rules_paths[1] = {"x.fq"};
static const char *const rules_no_path[1] = {NULL};
static const biost_callback rules_no_read[1] = {{NULL, NULL, NULL, NULL}};

static int64_t rules_read(void *to, size_t bytes, void *user_data) {
    (void)to;
    (void)bytes;
    (void)user_data;
    return 0;
}

static int rules_rewind(void *user_data) {
    (void)user_data;
    return 0;
}

static void *rules_alloc(size_t bytes, size_t alignment, void *user_data) {
    (void)bytes;
    (void)alignment;
    (void)user_data;
    return NULL;
}

static int64_t rules_size(void *file, void *user_data) {
    (void)file;
    (void)user_data;
    return 0;
}

static int rules_keep(const biost_record *record, int64_t id, void *user_data) {
    (void)record;
    (void)id;
    (void)user_data;
    return 1;
}

static int rules_label(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)record;
    (void)id;
    (void)out_label;
    (void)user_data;
    return 1;
}

/* The call refused, and this is the whole sentence. */
static void rules_refused(biost_result result, const biost_error *error, const char *sentence) {
    test_note("%s", sentence);
    CHECK_EQ_I64(result, BIOST_ERR_ARG);
    CHECK_EQ_I64(error->fault, BIOST_FAULT_ARGUMENT);
    CHECK_STR(error->text, sentence);
}

#define RULES_COUNT(cases) (sizeof(cases) / sizeof((cases)[0]))

#define READS .memory = {rules_reads, sizeof rules_reads - 1, "reads"}

/* clang-format off */

/* ---- streams, readers, pairs, indexes, builds ---- */

TEST(rules, streams) {
    static const struct {
        biost_stream_desc desc;
        const char *sentence;
    } cases[] = {
        {{.memory = {NULL, 3, "none"}}, "desc.memory.data is NULL"},
        {{READS, .fd = 3}, "desc.fd is given, and desc.has_fd is 0"},
        {{.has_fd = 1, .path = "x"}, "desc.has_fd and desc.path both name an input: give one of them"},
        {{.has_fd = 1, READS}, "desc.has_fd and desc.memory both name an input: give one of them"},
        {{.has_fd = 1, .callback = {rules_read, NULL, NULL, NULL}},
         "desc.has_fd and desc.callback both name an input: give one of them"},
        {{.max_line_bytes = 0}, "name the input by one of desc.path, desc.memory, desc.callback and desc.has_fd"},
        {{READS, .path = "x"}, "name the input by one of desc.path, desc.memory, desc.callback and desc.has_fd"},
        {{READS, .allocator = {rules_alloc, NULL, NULL}}, "desc.allocator needs both alloc and free, or neither"},
        {{READS, .files = {.size = rules_size}}, "desc.files needs open, read_at, size and close, or none of them"}};
    biost_stream *stream = NULL;
    biost_error error;
    for (size_t i = 0; i < RULES_COUNT(cases); ++i) {
        rules_refused(biost_stream_open(&cases[i].desc, &stream, &error), &error, cases[i].sentence);
        CHECK(stream == NULL);
    }
}

static biost_stream *rules_stream(void) {
    const biost_stream_desc desc = {READS};
    biost_stream *stream = NULL;
    CHECK(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
    return stream;
}

TEST(rules, readers) {
    static const struct {
        biost_reader_desc desc;
        int on_stream;
        const char *sentence;
    } cases[] = {
        {{.memory = {NULL, 3, "none"}}, 0, "desc.memory.data is NULL"},
        {{READS, .fd = 3}, 0, "desc.fd is given, and desc.has_fd is 0"},
        {{.has_fd = 1, READS}, 0, "desc.has_fd and desc.memory both name an input: give one of them"},
        {{.has_fd = 1}, 1, "desc.has_fd and desc.stream both name an input: give one of them"},
        {{.path = NULL}, 0,
         "name the input by one of desc.path, desc.memory, desc.callback, desc.has_fd and desc.stream"},
        {{READS}, 1, "name the input by one of desc.path, desc.memory, desc.callback, desc.has_fd and desc.stream"},
        {{.gzip.require = 1}, 1,
         "desc.gzip, workers, jobs, index, files, map, test.page_bytes, chunk_bytes and order_seed are those of "
         "desc.stream: leave them 0"},
        {{.workers = 1}, 1,
         "desc.gzip, workers, jobs, index, files, map, test.page_bytes, chunk_bytes and order_seed are those of "
         "desc.stream: leave them 0"},
        {{READS, .terminate = 1, .map = 1}, 0,
         "desc.terminate writes into the text, and desc.map lends it as it is in the file: leave one of them 0"},
        {{READS, .stats = 1, .text.high_bytes = 1}, 0,
         "desc.stats needs Phred up to 93: leave it or desc.text.high_bytes 0"},
        {{READS, .text.loose = 1}, 0,
         "desc.text.loose goes with BIOST_TEXT_AS_KSEQ, require_record and skip_bad alone"},
        {{READS, .text = {.mixed = 1, .skip_bad = 1}}, 0,
         "desc.text.skip_bad needs one format: leave it or desc.text.mixed 0, or set desc.text.loose"},
        {{READS, .text.replace_letters = 1}, 0, "desc.text.replace_letters needs desc.text.letters"},
        {{READS, .allocator = {rules_alloc, NULL, NULL}}, 0, "desc.allocator needs both alloc and free, or neither"},
        {{READS, .files = {.size = rules_size}}, 0,
         "desc.files needs open, read_at, size and close, or none of them"}};
    for (size_t i = 0; i < RULES_COUNT(cases); ++i) {
        biost_reader_desc desc = cases[i].desc;
        biost_reader *reader = NULL;
        biost_error error;
        desc.stream = cases[i].on_stream ? rules_stream() : NULL;
        rules_refused(biost_reader_open(&desc, &reader, &error), &error, cases[i].sentence);
        CHECK(reader == NULL);
        biost_stream_close(desc.stream);
    }
}

TEST(rules, pairs_and_indexes) {
    biost_reader_desc of_reads = {READS};
    biost_reader *readers[2] = {NULL, NULL};
    biost_index_desc of_index = {.allocator = {rules_alloc, NULL, NULL}};
    biost_index *index = NULL;
    biost_pairs *pairs = NULL;
    biost_pairs_desc desc;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    desc.reader_count = 2;
    rules_refused(biost_pairs_open(&desc, &pairs, &error), &error, "desc.readers is NULL");
    desc.readers = readers;
    REQUIRE(biost_reader_open(&of_reads, &readers[0], NULL) == BIOST_OK);
    rules_refused(biost_pairs_open(&desc, &pairs, &error), &error, "desc.readers holds NULL, or a reader twice");
    readers[1] = readers[0];
    rules_refused(biost_pairs_open(&desc, &pairs, &error), &error, "desc.readers holds NULL, or a reader twice");
    readers[1] = NULL;
    REQUIRE(biost_reader_open(&of_reads, &readers[1], NULL) == BIOST_OK);
    desc.mates = 3;
    rules_refused(biost_pairs_open(&desc, &pairs, &error), &error, "desc.mates is neither 0 nor desc.reader_count");
    desc.mates = 2;
    desc.allocator.alloc = rules_alloc;
    rules_refused(biost_pairs_open(&desc, &pairs, &error), &error,
                  "desc.allocator needs both alloc and free, or neither");
    rules_refused(biost_index_open(&of_index, &index, &error), &error,
                  "desc.allocator needs both alloc and free, or neither");
    rules_refused(biost_pairs_open(NULL, &pairs, &error), &error, "desc is NULL");
    CHECK(pairs == NULL && index == NULL);
    biost_reader_close(readers[0]);
    biost_reader_close(readers[1]);
}

#if BIOST_HAS_STORES

TEST(rules, builds) {
    static const struct {
        biost_store_desc desc;
        const char *sentence;
    } cases[] = {
        {{.qualities = 1}, "name the inputs by one of desc.paths and desc.memories"},
        {{.paths = rules_paths, .path_count = 1, .memories = &rules_text, .memory_count = 1},
         "name the inputs by one of desc.paths and desc.memories"},
        {{.path_count = 1}, "desc.paths or desc.memories is NULL, and their number is not 0"},
        {{.memory_count = 1}, "desc.paths or desc.memories is NULL, and their number is not 0"},
        {{.paths = rules_no_path, .path_count = 1}, "one of desc.paths is NULL"},
        {{.memories = &rules_lacking, .memory_count = 1}, "the data of one of desc.memories is NULL"},
        {{.memories = &rules_text, .memory_count = 1, .qualities = 1, .text.high_bytes = 1},
         "desc.qualities needs Phred up to 93: leave it or desc.text.high_bytes 0"},
        {{.memories = &rules_text, .memory_count = 1, .interleaved = 1},
         "desc.interleaved says where mates are, and desc.mates is not 2"},
        {{.memories = &rules_text, .memory_count = 1, .mates = 2},
         "desc.mates is 2, which takes inputs two by two, and their number is odd"},
        {{.memories = &rules_text, .memory_count = 1, .mates = 2, .interleaved = 1, .text.skip_bad = 1},
         "desc.mates takes records two by two, and desc.text.skip_bad leaves out one of two"},
        {{.memories = &rules_text, .memory_count = 1, .allocator = {rules_alloc, NULL, NULL}},
         "desc.allocator needs both alloc and free, or neither"},
        {{.memories = &rules_text, .memory_count = 1, .text.replace_letters = 1},
         "desc.text.replace_letters needs desc.text.letters"}};
    biost_store *store = NULL;
    biost_error error;
    for (size_t i = 0; i < RULES_COUNT(cases); ++i) {
        rules_refused(biost_store_build(&cases[i].desc, &store, &error), &error, cases[i].sentence);
        CHECK(store == NULL);
    }
}

#else

/* What is no store here is refused before anything is read of it, where a loader has one and where a group has. */
TEST(rules, no_stores) {
    static const char sentence[] = "desc.store, or that of a group, needs stores, and this library was compiled with "
                                   "BIOSTREAM_NO_STORES";
    static char byte;
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_group groups[2];
    biost_error error;
    memset(&desc, 0, sizeof desc);
    memset(groups, 0, sizeof groups);
    desc.store = (biost_store *)(void *)&byte;
    rules_refused(biost_loader_open(&desc, &loader, &error), &error, sentence);
    CHECK_EQ_U64(biost_loader_memory(&desc), UINT64_MAX);
    desc.store = NULL;
    desc.memories = &rules_text;
    desc.memory_count = 1;
    desc.groups = groups;
    desc.group_count = 2;
    groups[0].input_count = 1;
    groups[0].weight = groups[1].weight = 1;
    groups[1].store = (biost_store *)(void *)&byte;
    rules_refused(biost_loader_open(&desc, &loader, &error), &error, sentence);
    CHECK(loader == NULL);
}

#endif

/* ---- loaders ---- */

/* What a case's desc gets besides. */
enum { TEXT, TEXTS, STORE, BARE, PROTEIN, NAMES, NOTHING };

typedef struct rules_case {
    biost_loader_desc desc;
    const char *sentence;
    int input;
} rules_case;

static biost_store *rules_stores[4]; /* with titles and qualities; with neither; of proteins; with names alone */

static const int32_t rules_tokens[256] = {0, 256};
static const biost_interval rules_minus[2] = {{0, 0, 4, 0.0, 0, 0}, {0, 0, 4, 0.0, 1, 0}};
static const uint64_t rules_list[1] = {0};
static const biost_interval rules_half[2] = {{0, 0, 4, 1.0, 0, 0}, {0, 0, 4, 1.5, 0, 0}};
static const double rules_labels[3] = {0, 300, 1};
static float rules_weights[3][256];
static char rules_long[5000], rules_many[2048]; /* 4,999 letters; 257 words */
static const biost_regions rules_grid = {.kind = BIOST_REGIONS_GRID};
static const char rules_long_name[] = "a name of sixty-four bytes, which is one more than groups may have";

#define GROUPS(...) .groups = (const biost_group[]){__VA_ARGS__}, \
                    .group_count = sizeof((const biost_group[]){__VA_ARGS__}) / sizeof(biost_group)
#define ONE   {.input_count = 1, .weight = 1}
#define OTHER {.first_input = 1, .input_count = 1, .weight = 1}
#define GRID  .regions.kind = BIOST_REGIONS_GRID, .row_bases = 4
#define LIST  .regions.kind = BIOST_REGIONS_RECORDS, .regions.sequences = rules_list, .regions.sequence_count = 1
#define SPLIT .long_records = BIOST_LONG_SPLIT, .row_bases = 8
#define TOKENS .encoding.kind = BIOST_ENCODE_TOKENS
#define HALF_READER {rules_read, rules_rewind, NULL, NULL}

static const biost_callback rules_callback[1] = {HALF_READER};

static const rules_case rules_of_rows[] = {
    {{.world = 3}, "desc.world does not divide desc.batch_rows, which counts the rows of all ranks", TEXT},
    {{.rank = 1}, "desc.rank is not below desc.world", TEXT},
    {{.long_records = BIOST_LONG_SPLIT},
     "desc.long_records is BIOST_LONG_SPLIT, which needs desc.row_bases, and desc.row_bases is 0", TEXT},
    {{.row_bases = 8, .split_stride = 4}, "desc.split_stride needs desc.long_records to be BIOST_LONG_SPLIT", TEXT},
    {{SPLIT, .split_stride = 9},
     "desc.split_stride is over desc.row_bases: bases between two pieces would be lost", TEXT},
    {{SPLIT, .augment.crop_bases = 4},
     "desc.augment.crop_bases and desc.long_records BIOST_LONG_SPLIT exclude one another", TEXT},
    {{.row_bases = 8, .augment.crop_bases = 9}, "desc.augment.crop_bases is over desc.row_bases", TEXT},
    {{.augment.crop_bases = 1025}, "desc.augment.crop_bases is over desc.max_row_bases", TEXT},
    {{TOKENS, .row_bases = 2, .encoding.has_begin = 1, .encoding.has_end = 1},
     "desc.row_bases or max_row_bases counts columns, and begin and end token leave none for bases", TEXT},
    {{TOKENS, .max_row_bases = 1, .encoding.has_end = 1},
     "desc.row_bases or max_row_bases counts columns, and begin and end token leave none for bases", TEXT},
    {{TOKENS, .row_bases = 1 << 25, .encoding.kmers.k = 9, .encoding.dtype = BIOST_DTYPE_I32},
     "desc.row_bases or max_row_bases counts columns, and those of desc.encoding.kmers show over 2^28 bases", TEXT},
    /* 4 columns are 12 bases, or 6 where they overlap */
    {{TOKENS, .row_bases = 4, .encoding.kmers.k = 3, .augment.crop_bases = 13},
     "desc.augment.crop_bases is over desc.row_bases", TEXT},
    {{TOKENS, .row_bases = 4, .encoding.kmers = {.k = 3, .stride = 1}, .long_records = BIOST_LONG_SPLIT,
      .split_stride = 7},
     "desc.split_stride is over desc.row_bases: bases between two pieces would be lost", TEXT},
    {{.names = 1, .name_bytes = 4096, .batch_rows = 1048576},
     "desc.batch_rows times desc.name_bytes is over 2^32: offsets of names have 32 bits", TEXT},
    /* encodings */
    {{TOKENS, .encoding.dtype = BIOST_DTYPE_F32},
     "desc.encoding.kind is BIOST_ENCODE_TOKENS, and desc.encoding.dtype is none of BIOST_DTYPE_U8, "
     "BIOST_DTYPE_I32 and BIOST_DTYPE_I64", TEXT},
    {{TOKENS, .encoding.layout = BIOST_LAYOUT_NCL},
     "desc.encoding.kind is BIOST_ENCODE_TOKENS, and desc.encoding.layout is not 0", TEXT},
    {{TOKENS, .encoding.channels = "ACGT"},
     "desc.encoding.kind is BIOST_ENCODE_TOKENS, and desc.encoding.channels is not NULL", TEXT},
    {{TOKENS, .encoding.ambiguous = BIOST_AMBIGUOUS_N},
     "desc.encoding.kind is BIOST_ENCODE_TOKENS, and desc.encoding.ambiguous is not 0", TEXT},
    {{TOKENS, .encoding.lower_case = BIOST_LOWER_CASE_N},
     "desc.encoding.kind is BIOST_ENCODE_TOKENS, and desc.encoding.lower_case is not 0", TEXT},
    {{TOKENS, .encoding.tokens = rules_tokens},
     "desc.encoding.dtype is BIOST_DTYPE_U8, and a number in desc.encoding.tokens is not in 0..255", TEXT},
    {{.encoding.dtype = BIOST_DTYPE_I32},
     "desc.encoding.kind is BIOST_ENCODE_ONEHOT, and desc.encoding.dtype is none of BIOST_DTYPE_U8, "
     "BIOST_DTYPE_F16, BIOST_DTYPE_BF16 and BIOST_DTYPE_F32", TEXT},
    {{.encoding.tokens = rules_tokens},
     "desc.encoding.kind is BIOST_ENCODE_ONEHOT, and desc.encoding.tokens is not NULL", TEXT},
    {{.encoding.channels = "ACGt"}, "desc.encoding.channels has a character that is no upper-case letter", TEXT},
    {{.encoding.channels = "ACGA"}, "desc.encoding.channels names a letter twice", TEXT},
    {{.encoding.channels = ""}, "desc.encoding.channels names no letter", TEXT},
    {{.encoding.ambiguous = BIOST_AMBIGUOUS_N},
     "desc.encoding.ambiguous asks for fractions, and desc.encoding.dtype is BIOST_DTYPE_U8", TEXT},
    {{.encoding = {.ambiguous = BIOST_AMBIGUOUS_N, .dtype = BIOST_DTYPE_F32, .channels = "ACGTN"}},
     "desc.encoding.ambiguous asks for fractions, and desc.encoding.channels is not A, C, G and one of T and U", TEXT},
    {{.encoding.pad_value = 256},
     "desc.encoding.dtype is BIOST_DTYPE_U8, and desc.encoding.pad_value is not in 0..255", TEXT},
    {{.encoding = {.dtype = BIOST_DTYPE_F16, .pad_value = 2049}},
     "desc.encoding.dtype is BIOST_DTYPE_F16, and desc.encoding.pad_value is not in -2048..2048", TEXT},
    {{.encoding = {.dtype = BIOST_DTYPE_BF16, .pad_value = -257}},
     "desc.encoding.dtype is BIOST_DTYPE_BF16, and desc.encoding.pad_value is not in -256..256", TEXT},
    {{.encoding = {.dtype = BIOST_DTYPE_F32, .pad_value = 16777217}},
     "desc.encoding.dtype is BIOST_DTYPE_F32, and desc.encoding.pad_value is not in -16777216..16777216", TEXT},
    /* columns that are not bases */
    {{.encoding.has_begin = 1},
     "desc.encoding.has_begin and has_end need desc.encoding.kind to be BIOST_ENCODE_TOKENS", TEXT},
    {{.encoding.has_end = 1},
     "desc.encoding.has_begin and has_end need desc.encoding.kind to be BIOST_ENCODE_TOKENS", TEXT},
    {{.encoding.kmers.k = 3}, "desc.encoding.kmers need desc.encoding.kind to be BIOST_ENCODE_TOKENS", TEXT},
    {{TOKENS, .encoding.begin_token = 1},
     "desc.encoding.begin_token needs desc.encoding.has_begin, and end_token has_end", TEXT},
    {{TOKENS, .encoding.end_token = 1},
     "desc.encoding.begin_token needs desc.encoding.has_begin, and end_token has_end", TEXT},
    {{TOKENS, .encoding.has_begin = 1, .encoding.begin_token = 256},
     "desc.encoding.dtype is BIOST_DTYPE_U8, and desc.encoding.begin_token or end_token is not in 0..255", TEXT},
    {{TOKENS, .encoding.has_end = 1, .encoding.end_token = -1},
     "desc.encoding.dtype is BIOST_DTYPE_U8, and desc.encoding.begin_token or end_token is not in 0..255", TEXT},
    {{TOKENS, .encoding.kmers.stride = 1},
     "desc.encoding.kmers has fields set, and desc.encoding.kmers.k is 0", TEXT},
    {{TOKENS, .encoding.kmers = {.k = 3, .stride = 2}},
     "desc.encoding.kmers.stride is neither 1 nor desc.encoding.kmers.k", TEXT},
    {{TOKENS, .encoding.kmers = {.k = 3, .letters = "ACGU"}},
     "desc.encoding.kmers.letters has to be A, C, G and T, each once, in any order", TEXT},
    {{TOKENS, .encoding.kmers = {.k = 3, .letters = "ACGTN"}},
     "desc.encoding.kmers.letters has to be A, C, G and T, each once, in any order", TEXT},
    {{TOKENS, .encoding.kmers = {.k = 3, .first_id = 6}},
     "desc.encoding.kmers.first_id and unknown_id need desc.encoding.kmers.has_ids", TEXT},
    {{.encoding = {.kind = BIOST_ENCODE_TOKENS, .dtype = BIOST_DTYPE_I32, .kmers.k = 3, .tokens = rules_tokens}},
     "desc.encoding.kmers has numbers of windows, and desc.encoding.tokens of bases: only one can be given", TEXT},
    {{TOKENS, .encoding.kmers.k = 3, .quality.kind = BIOST_QUALITY_PHRED},
     "desc.quality.kind has a number for each base, and desc.encoding.kmers a column for several", TEXT},
    {{TOKENS, .encoding.kmers.k = 4},
     "desc.encoding.dtype does not hold all numbers of desc.encoding.kmers, first_id to first_id + 4^k - 1 and "
     "unknown_id", TEXT},
    {{TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .encoding.kmers = {.k = 12, .has_ids = 1, .first_id = 2147483647}},
     "desc.encoding.dtype does not hold all numbers of desc.encoding.kmers, first_id to first_id + 4^k - 1 and "
     "unknown_id", TEXT},
    /* qualities and masks */
    {{.quality = {.kind = BIOST_QUALITY_PHRED, .dtype = BIOST_DTYPE_F16}},
     "desc.quality.kind is BIOST_QUALITY_PHRED, and desc.quality.dtype is none of BIOST_DTYPE_U8 and "
     "BIOST_DTYPE_F32", TEXT},
    {{.quality = {.kind = BIOST_QUALITY_ERROR}},
     "desc.quality.kind is BIOST_QUALITY_ERROR, and desc.quality.dtype is not BIOST_DTYPE_F32", TEXT},
    {{.quality.in_x = 1}, "desc.quality.in_x needs desc.quality.kind, which is BIOST_QUALITY_NONE", TEXT},
    {{.quality = {.kind = BIOST_QUALITY_PHRED, .in_x = 1}, TOKENS},
     "desc.quality.in_x needs channels, and desc.encoding.kind is BIOST_ENCODE_TOKENS", TEXT},
    {{.quality = {.kind = BIOST_QUALITY_ERROR, .in_x = 1}},
     "desc.quality.in_x with desc.quality.kind BIOST_QUALITY_ERROR asks for fractions, and desc.encoding.dtype is "
     "BIOST_DTYPE_U8", TEXT},
    {{.quality = {.kind = BIOST_QUALITY_PHRED, .in_x = 1, .dtype = BIOST_DTYPE_F16}},
     "desc.quality.in_x needs desc.quality.dtype to be 0 or desc.encoding.dtype", TEXT},
    {{.mask_in_x = 1}, "desc.mask_in_x needs desc.mask, which is 0", TEXT},
    {{.mask = 1, .mask_in_x = 1, TOKENS},
     "desc.mask_in_x needs channels, and desc.encoding.kind is BIOST_ENCODE_TOKENS", TEXT},
    {{.mask = 1, .mask_in_x = 1, .mask_dtype = BIOST_DTYPE_F16},
     "desc.mask_in_x needs desc.mask_dtype to be 0 or desc.encoding.dtype", TEXT},
    {{.mask = 1, .mask_dtype = BIOST_DTYPE_F16}, "desc.mask_dtype is none of BIOST_DTYPE_U8 and BIOST_DTYPE_F32", TEXT},
    /* filters and splits */
    {{.filter = {.forbid_n = 1, .max_n_fraction = 0.5f}},
     "desc.filter.forbid_n allows no N, desc.filter.max_n_fraction some: only one can be given", TEXT},
    {{.filter = {.min_length = 6, .max_length = 5}}, "desc.filter.min_length is over desc.filter.max_length", TEXT},
    {{.filter = {.subsample_from = 1}},
     "desc.filter.subsample_from is not below desc.filter.subsample_below (of which 0 means 1)", TEXT},
    {{.split = {.salt = 1}}, "desc.split has fields set and no desc.split.by", TEXT},
    {{.split = {.by = BIOST_SPLIT_NAME, .from = 1}},
     "desc.split.from is not below desc.split.below (of which 0 means 1)", TEXT},
    {{.split = {.by = BIOST_SPLIT_NAME, .strip = "/1"}},
     "desc.split.strip has a digit: it lists what stands before a mate's number", TEXT},
    {{.split = {.by = BIOST_SPLIT_NAME, .strip = {'/', '/', '/', '/', '/', '/', '/'}}},
     "desc.split.strip has no NUL at its end", TEXT},
    {{.split = {.by = BIOST_SPLIT_FIELD}},
     "desc.split.field counts from 1 where desc.split.by is BIOST_SPLIT_FIELD, and is 0 elsewhere", TEXT},
    {{.split = {.by = BIOST_SPLIT_NAME, .separator = '|'}},
     "desc.split.separator needs desc.split.by to be BIOST_SPLIT_FIELD", TEXT},
    {{.split = {.by = BIOST_SPLIT_SEQUENCE, .strip = "/"}},
     "desc.split.strip needs desc.split.by to be BIOST_SPLIT_NAME or BIOST_SPLIT_FIELD", TEXT},
    {{.split = {.by = BIOST_SPLIT_NAME, .block_bases = 100}},
     "desc.split.block_bases needs desc.split.by to be BIOST_SPLIT_BLOCK", TEXT},
    {{.row_bases = 8, .split = {.by = BIOST_SPLIT_BLOCK, .block_bases = 100}},
     "desc.split.by BIOST_SPLIT_BLOCK needs desc.long_records to be BIOST_LONG_SPLIT", TEXT},
    {{SPLIT, .split = {.by = BIOST_SPLIT_BLOCK, .block_bases = 7}},
     "desc.split.block_bases is below desc.row_bases", TEXT},
    /* text, strands, hooks */
    {{.text.mixed = 1}, "desc.text.high_bytes and mixed are for readers alone", TEXT},
    {{.text.replace_letters = 1}, "desc.text.replace_letters needs desc.text.letters", TEXT},
    {{.text.letters = BIOST_LETTERS_PROTEIN, .augment.reverse_complement = 0.5f},
     "desc.augment.reverse_complement needs nucleotides, and desc.text.letters is BIOST_LETTERS_PROTEIN", TEXT},
    {{.encoding.channels = "ACGTE", .augment.reverse_complement = 0.5f},
     "desc.augment.reverse_complement needs nucleotides, and desc.encoding.channels names a letter without a "
     "complement (E F I J L O P Q Z)", TEXT},
    {{.text.letters = BIOST_LETTERS_PROTEIN, .filter.forbid_n = 1},
     "desc.filter.max_n_fraction or forbid_n needs nucleotides, and desc.text.letters is BIOST_LETTERS_PROTEIN", TEXT},
    {{.encoding.channels = "ACDEFGHIKLMNPQRSTVWY", .filter.max_n_fraction = 0.5f},
     "desc.filter.max_n_fraction or forbid_n needs nucleotides, and desc.encoding.channels names a letter without a "
     "complement (E F I J L O P Q Z)", TEXT},
    {{.state = rules_reads}, "desc.state and desc.state_bytes must both be given, or neither", TEXT},
    {{.allocator = {rules_alloc, NULL, NULL}}, "desc.allocator needs both alloc and free, or neither", TEXT},
    {{.files = {.size = rules_size}}, "desc.files needs open, read_at, size and close, or none of them", TEXT},
    {{.slot_allocator = {rules_alloc, NULL, NULL}}, "desc.slot_allocator needs both alloc and free, or neither", TEXT},
};

static const rules_case rules_of_groups[] = {
    {{.group_count = 2}, "desc.groups is NULL, and desc.group_count is 2", TEXTS},
    {{GROUPS({.input_count = 1, .weight = 1, .name = rules_long_name}, OTHER)},
     "desc.groups[0].name is longer than 63 bytes", TEXTS},
    {{GROUPS(ONE, {.first_input = 1, .input_count = 1})}, "desc.groups[1]: weight is 0, and has to be at least 1", TEXTS},
    {{GROUPS(ONE, {.first_input = 1, .weight = 1, .name = "b"})},
     "desc.groups[1] (b): input_count is 0, and has to be at least 1", TEXTS},
    {{GROUPS({.input_count = 1, .weight = 1, .regions = &rules_grid})},
     "desc.groups[0]: regions are of a store, and it has none", TEXT},
    {{GROUPS({.input_count = 1, .weight = 2})},
     "desc.groups[0]: weight is over 1, and there is no other group to weigh against", TEXT},
    {{GROUPS({.input_count = 1, .weight = 1048576}, OTHER)},
     "the weights of desc.groups, divided by their greatest common divisor, sum to 1048577; the most is 1048576", TEXTS},
    /* where an epoch ends */
    {{.epoch_rows = 1}, "desc.epoch_rows needs desc.epoch_end to be BIOST_EPOCH_END_ROWS", TEXT},
    {{.epoch_end = BIOST_EPOCH_END_ROWS},
     "desc.epoch_end is BIOST_EPOCH_END_ROWS, which needs desc.epoch_rows, and desc.epoch_rows is 0", TEXT},
    {{GROUPS(ONE, OTHER), .epoch_end = BIOST_EPOCH_END_FIRST},
     "desc.epoch_end may end each epoch before the same part of desc.groups, which then is never seen: give "
     "desc.shuffle_files, or desc.allow_unseen", TEXTS},
    {{.has_fd = 1, .shuffle_files = 1},
     "desc.fd is read once and in order: it takes neither several desc.groups, desc.shuffle_files, desc.open_files "
     "over 1 nor desc.epoch_rows", NOTHING},
    {{.callbacks = rules_callback, .callback_count = 1, .open_files = 2},
     "desc.callbacks are read once and in order: they take neither several desc.groups, desc.shuffle_files, "
     "desc.open_files over 1 nor desc.epoch_rows", NOTHING},
    /* labels */
    {{.weights = rules_weights[0]}, "a number in desc.weights is infinite, or none", TEXT},
    {{.weights = rules_weights[1]}, "a number in desc.weights is infinite, or none", TEXT},
    {{.weights = rules_weights[2], .encoding = {.kind = BIOST_ENCODE_TOKENS, .dtype = BIOST_DTYPE_I32, .kmers.k = 3}},
     "desc.weights has a number for each base, and desc.encoding.kmers a column for several", TEXT},
    {{.labels.kind = BIOST_LABEL_FUNCTION},
     "desc.labels.kind is BIOST_LABEL_FUNCTION, which needs desc.labels.make", TEXT},
    {{.labels = {.kind = BIOST_LABEL_INPUT, .make = rules_label}},
     "desc.labels.make needs desc.labels.kind to be BIOST_LABEL_FUNCTION, or BIOST_LABEL_NONE", TEXT},
    {{.labels.kind = BIOST_LABEL_GROUP},
     "desc.labels.kind is BIOST_LABEL_GROUP, which needs desc.groups, and desc.group_count is 0", TEXT},
    {{.labels = {.kind = BIOST_LABEL_INPUT, .width = 1}},
     "desc.labels.width has to be 0 unless desc.labels.make makes the labels", TEXT},
    {{.labels = {.kind = BIOST_LABEL_INPUT, .dtype = BIOST_DTYPE_F16}},
     "desc.labels.dtype is none of BIOST_DTYPE_U8, BIOST_DTYPE_I32, BIOST_DTYPE_I64 and BIOST_DTYPE_F32", TEXT},
    {{.labels = {.of_inputs = rules_labels, .of_input_count = 1}},
     "desc.labels.of_inputs and desc.labels.of_input_count need desc.labels.kind to be BIOST_LABEL_INPUT", TEXT},
    {{.labels = {.kind = BIOST_LABEL_INPUT, .of_input_count = 1}},
     "desc.labels.of_inputs and desc.labels.of_input_count must both be given, or neither", TEXT},
    {{.labels = {.kind = BIOST_LABEL_INPUT, .of_inputs = rules_labels, .of_input_count = 2}},
     "desc.labels.of_inputs[1] does not fit desc.labels.dtype: it has to be a whole number of 0..255", TEXTS},
    {{GROUPS(ONE, {.first_input = 1, .input_count = 1, .weight = 1, .label = 3e9}),
      .labels = {.kind = BIOST_LABEL_GROUP, .dtype = BIOST_DTYPE_I32}},
     "desc.groups[1]: label does not fit desc.labels.dtype: it has to be a whole number of "
     "-2147483648..2147483647", TEXTS},
    {{GROUPS(ONE, {.first_input = 1, .input_count = 1, .weight = 1, .label = 1e16}),
      .labels = {.kind = BIOST_LABEL_GROUP, .dtype = BIOST_DTYPE_I64}},
     "desc.groups[1]: label does not fit desc.labels.dtype: it has to be a whole number of -2^53..2^53", TEXTS},
    {{GROUPS(ONE, {.first_input = 1, .input_count = 1, .weight = 1, .label = 1e39}),
      .labels = {.kind = BIOST_LABEL_GROUP, .dtype = BIOST_DTYPE_F32}},
     "desc.groups[1]: label does not fit desc.labels.dtype: it has to be a finite number in the range of floats", TEXTS},
    {{.labels.kind = BIOST_LABEL_TITLE},
     "desc.labels.kind is BIOST_LABEL_TITLE, which needs desc.labels.key or desc.labels.field", TEXT},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .key = "ch", .field = 1}},
     "desc.labels.key and desc.labels.field both say where a title has its label: give one of them", TEXT},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .key = "ch", .separator = '_'}},
     "desc.labels.separator is of desc.labels.field", TEXT},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .key = ""}},
     "desc.labels.key is empty, or has a blank or tab: it is what stands before '=' in a word", TEXT},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .key = "a\tb"}},
     "desc.labels.key is empty, or has a blank or tab: it is what stands before '=' in a word", TEXT},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .key = rules_long}}, "desc.labels.key is longer than 63 bytes", TEXT},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .field = 1, .classes = ""}}, "desc.labels.classes has an empty word", TEXT},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .field = 1, .classes = "a,b,"}},
     "desc.labels.classes has an empty word", TEXT},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .field = 1, .classes = "a,ab,b,ab"}},
     "desc.labels.classes has a word twice", TEXT},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .field = 1, .classes = "a, b"}},
     "desc.labels.classes has a blank or tab, and no word of a title has one", TEXT},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .field = 1, .classes = rules_many}},
     "desc.labels.dtype is BIOST_DTYPE_U8, and desc.labels.classes has more than 256 words", TEXT},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .field = 1, .classes = rules_long}},
     "desc.labels.classes is longer than 4095 bytes", TEXT},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .key = "ch", .width = 1}},
     "desc.labels.width has to be 0 unless desc.labels.make makes the labels", TEXT},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .key = "ch", .dtype = BIOST_DTYPE_F16}},
     "desc.labels.dtype is none of BIOST_DTYPE_U8, BIOST_DTYPE_I32, BIOST_DTYPE_I64 and BIOST_DTYPE_F32", TEXT},
    {{.labels = {.kind = BIOST_LABEL_INPUT, .classes = "a"}},
     "desc.labels.key, field, separator and classes need desc.labels.kind to be BIOST_LABEL_TITLE", TEXT},
    {{.labels = {.kind = BIOST_LABEL_INPUT, .of_inputs = rules_labels, .of_input_count = 1}},
     "desc.labels.of_input_count is neither 0 nor the number of inputs, 2", TEXTS},
    /* which inputs groups have */
    {{GROUPS(ONE, {.first_input = 1, .input_count = 2, .weight = 1})},
     "desc.groups[1]: first_input 1 and input_count 2 go past the last of 2 inputs", TEXTS},
    {{GROUPS({.input_count = 2, .weight = 1}, {.first_input = 1, .input_count = 1, .weight = 1, .name = "b"})},
     "input 1 is in desc.groups[0] and in desc.groups[1] (b)", TEXTS},
    {{GROUPS(ONE)}, "input 1 is in none of desc.groups, which have to cover every input", TEXTS},
    {{.open_files = 3}, "desc.open_files is over the files of the largest group, of which there are 2", TEXTS},
    {{.shuffle_files = 1}, "desc.shuffle_files has nothing to shuffle: no group has two files", TEXT},
};

#define SHAPE(...) .shape = {.kind = BIOST_SHAPE_BUCKETS, .batch_tokens = 64, __VA_ARGS__}

#define PACKED(...) .row_bases = 64, .shape = {.kind = BIOST_SHAPE_PACKED, __VA_ARGS__}

static const uint32_t rules_widths[4] = {8, 16, 24, 268435464}, rules_even[4] = {8, 16, 16, 0};

static const rules_case rules_of_shapes[] = {
    {{.shape = {.growth = 1500000}}, "desc.shape has fields set and no desc.shape.kind", STORE},
    {{.shape = {.widths = rules_widths, .width_count = 1}}, "desc.shape has fields set and no desc.shape.kind", STORE},
    {{.shape = {.offsets = 1}}, "desc.shape has fields set and no desc.shape.kind", TEXT},
    {{SHAPE(0)},
     "desc.shape needs the lengths of all records, which a store knows and text does not: build one with "
     "biost_store_build", TEXT},
    {{GRID, SHAPE(0)},
     "desc.shape is of records, and desc.regions.kind is BIOST_REGIONS_GRID or BIOST_REGIONS_INTERVALS, whose rows "
     "have one length", STORE},
    {{SHAPE(0), .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 9},
     "desc.shape shows each record once an epoch, and desc.epoch_end is not BIOST_EPOCH_END_ALL", STORE},
    {{SHAPE(0), .epoch_end = BIOST_EPOCH_END_FIRST},
     "desc.shape shows each record once an epoch, and desc.epoch_end is not BIOST_EPOCH_END_ALL", STORE},
    {{PACKED(.growth = 1500000)},
     "desc.shape.batch_tokens, growth, rows_multiple and widths need desc.shape.kind to be BIOST_SHAPE_BUCKETS", STORE},
    {{.shape.kind = BIOST_SHAPE_PACKED},
     "desc.shape.kind is BIOST_SHAPE_PACKED, whose rows have desc.row_bases columns, and that is 0", STORE},
    {{PACKED(0), .encoding.layout = BIOST_LAYOUT_NCL},
     "desc.shape.kind is BIOST_SHAPE_PACKED, where a record's columns lie beside one another, and "
     "desc.encoding.layout is BIOST_LAYOUT_NCL", STORE},
    {{PACKED(0), .encoding.pad_side = BIOST_PAD_LEFT},
     "desc.shape.kind is BIOST_SHAPE_PACKED, where padding is after each record, and desc.encoding.pad_side is "
     "BIOST_PAD_LEFT", STORE},
    {{PACKED(.pack_samples = 65536), .batch_rows = 32768},
     "desc.batch_rows times desc.shape.pack_samples is over 2^31: a batch has no room for so many records", STORE},
    {{PACKED(.pack_samples = 65536), .batch_rows = 256, .names = 1},
     "desc.batch_rows times desc.shape.pack_samples times desc.name_bytes is over 2^31: offsets of names have 32 bits",
     STORE},
    {{PACKED(.offsets = 1), .batch_rows = 1048576, .pad_multiple = 2048},
     "desc.shape.offsets have 32 bits, and desc.batch_rows times desc.row_bases is over 2^31", STORE},
    {{PACKED(0), .regions = {.kind = BIOST_REGIONS_INTERVALS, .intervals = rules_minus, .interval_count = 1},
      .labels = {.kind = BIOST_LABEL_REGION, .dtype = BIOST_DTYPE_F32}},
     "desc.shape is of records, and desc.labels.kind is BIOST_LABEL_REGION, a label for each region", STORE},
    {{SHAPE(.segments = 1)},
     "desc.shape.pack_samples, segments, positions and offsets need desc.shape.kind to be BIOST_SHAPE_PACKED", STORE},
    {{SHAPE(0), .batch_rows = 256},
     "desc.shape.kind is BIOST_SHAPE_BUCKETS, where desc.shape.batch_tokens says how many rows a batch has: leave "
     "desc.batch_rows 0", STORE},
    {{.shape.kind = BIOST_SHAPE_BUCKETS},
     "desc.shape.kind is BIOST_SHAPE_BUCKETS, which needs desc.shape.batch_tokens, and that is 0", STORE},
    {{SHAPE(.rows_multiple = 3), .world = 2},
     "desc.world does not divide desc.shape.rows_multiple (of which 0 means 1), so that ranks would have different "
     "numbers of rows", STORE},
    {{SHAPE(0), .world = 2},
     "desc.world does not divide desc.shape.rows_multiple (of which 0 means 1), so that ranks would have different "
     "numbers of rows", STORE},
    {{SHAPE(.width_count = 2)}, "desc.shape.widths and desc.shape.width_count must both be given, or neither", STORE},
    {{SHAPE(.widths = rules_widths)},
     "desc.shape.widths and desc.shape.width_count must both be given, or neither", STORE},
    {{SHAPE(.widths = rules_widths, .width_count = 2, .growth = 1500000)},
     "desc.shape.widths are given and desc.shape.growth makes some: only one can be given", STORE},
    {{.shape = {.kind = BIOST_SHAPE_BUCKETS, .batch_tokens = 1048576}, .names = 1, .name_bytes = 4096},
     "desc.shape.batch_tokens times desc.name_bytes is over 2^32: offsets of names have 32 bits", STORE},
    {{SHAPE(.widths = rules_widths + 1, .width_count = 2), .pad_multiple = 16},
     "desc.shape.widths[1] is 24, which is no multiple of desc.pad_multiple", STORE},
    {{SHAPE(.widths = rules_even, .width_count = 3)}, "desc.shape.widths[2] is 16, and widths rise, from 1 on", STORE},
    {{SHAPE(.widths = rules_even + 3, .width_count = 1)},
     "desc.shape.widths[0] is 0, and widths rise, from 1 on", STORE},
    {{SHAPE(.widths = rules_widths, .width_count = 3), .row_bases = 16},
     "desc.row_bases is neither 0 nor the last of desc.shape.widths", STORE},
    {{SHAPE(.widths = rules_widths, .width_count = 4)}, "the last of desc.shape.widths is over 2^28", STORE},
};

static const rules_case rules_of_stores[] = {
    {{GROUPS(ONE)}, "desc.store is all there is to read: with desc.groups give each store to its group", STORE},
    {{GROUPS(ONE, OTHER), .labels.kind = BIOST_LABEL_REGION},
     "desc.groups[0]: it shows no intervals of a store, and desc.labels.kind is BIOST_LABEL_REGION", TEXTS},
    {{.labels.kind = BIOST_LABEL_REGION},
     "desc.labels.kind is BIOST_LABEL_REGION, which needs desc.regions.kind to be BIOST_REGIONS_INTERVALS, of a "
     "store", STORE},
    {{.order = BIOST_ORDER_EXACT}, "desc.order is of stores, and there is none: desc.shuffle_rows shuffles text", TEXT},
    {{GRID}, "desc.regions are of stores, and there is none", TEXT},
    {{.shuffle_rows = 2},
     "desc.shuffle_rows is of text, and there is none: desc.order BIOST_ORDER_EXACT shuffles stores", STORE},
    /* regions */
    {{.regions.stride = 3}, "desc.regions.stride needs desc.regions.kind to be BIOST_REGIONS_GRID", STORE},
    {{.regions = {.sequences = rules_list, .sequence_count = 1}},
     "desc.regions.sequences need desc.regions.kind to be BIOST_REGIONS_GRID or BIOST_REGIONS_RECORDS", STORE},
    {{.regions.kind = BIOST_REGIONS_RECORDS},
     "desc.regions.kind is BIOST_REGIONS_RECORDS, and desc.regions.sequences lists none", STORE},
    {{LIST, .row_bases = 4, .long_records = BIOST_LONG_SPLIT},
     "desc.regions.kind is BIOST_REGIONS_RECORDS, whose records are not cut, and desc.long_records is "
     "BIOST_LONG_SPLIT", STORE},
    {{LIST, .regions.jitter = 1},
     "desc.regions has fields set of a grid or of intervals, and desc.regions.kind is BIOST_REGIONS_RECORDS", STORE},
    {{LIST, .order = BIOST_ORDER_HELIXER},
     "desc.order is BIOST_ORDER_HELIXER, which is of a grid: desc.regions.kind has to be BIOST_REGIONS_GRID, and "
     "strands BIOST_STRANDS_BOTH", STORE},
    {{LIST}, "desc.regions are of stores, and there is none", TEXT},
    {{LIST, .row_bases = 4, .split = {.by = BIOST_SPLIT_BLOCK, .block_bases = 5}},
     "desc.split.by BIOST_SPLIT_BLOCK needs desc.long_records to be BIOST_LONG_SPLIT", STORE},
    {{.regions.fit = BIOST_FIT_START},
     "desc.regions.intervals and fit need desc.regions.kind to be BIOST_REGIONS_INTERVALS", STORE},
    {{GRID, .regions.sequence_count = 1}, "desc.regions.sequence_count has no desc.regions.sequences", STORE},
    {{.row_bases = 4, .regions = {.kind = BIOST_REGIONS_INTERVALS, .interval_count = 1}},
     "desc.regions.interval_count has no desc.regions.intervals", STORE},
    {{.regions.jitter = 1}, "desc.regions has fields set and no desc.regions.kind", STORE},
    {{GRID, .regions.strands = BIOST_STRANDS_BOTH, .augment.reverse_complement = 0.5f},
     "desc.regions.strands BIOST_STRANDS_BOTH shows each strand, and desc.augment.reverse_complement a random "
     "one", STORE},
    {{GRID, .labels.make = rules_label},
     "desc.labels.make is of records, and desc.regions.kind is BIOST_REGIONS_GRID or BIOST_REGIONS_INTERVALS", STORE},
    {{.row_bases = 4, .regions = {.kind = BIOST_REGIONS_GRID, .forbid_lower = 1, .max_lower_fraction = 0.5f}},
     "desc.regions.forbid_lower allows no lower case, max_lower_fraction some: only one can be given", STORE},
    {{.row_bases = 4, .regions = {.kind = BIOST_REGIONS_GRID, .forbid_other = 1, .max_other_fraction = 0.5f}},
     "desc.regions.forbid_other allows no other letters, max_other_fraction some: only one can be given", STORE},
    {{.regions.kind = BIOST_REGIONS_GRID}, "desc.regions need desc.row_bases, which is their length", STORE},
    {{GRID, .augment.crop_bases = 3}, "desc.regions and desc.augment.crop_bases: only one can be given", STORE},
    {{GRID, .long_records = BIOST_LONG_SPLIT, .split_stride = 3},
     "desc.regions and desc.split_stride: only one can be given", STORE},
    {{.row_bases = 4, .regions = {.kind = BIOST_REGIONS_GRID, .stride = 5}},
     "desc.regions.stride is over desc.row_bases", STORE},
    {{.row_bases = 4, .regions = {.kind = BIOST_REGIONS_GRID, .jitter = 1},
      .split = {.by = BIOST_SPLIT_BLOCK, .block_bases = 5}},
     "desc.split.block_bases is below desc.row_bases and twice desc.regions.jitter", STORE},
    /* what the store has */
    {{.order = BIOST_ORDER_HELIXER},
     "desc.order is BIOST_ORDER_HELIXER, which is of a grid: desc.regions.kind has to be BIOST_REGIONS_GRID, and "
     "strands BIOST_STRANDS_BOTH", STORE},
    {{.split.by = BIOST_SPLIT_NAME}, "desc.split needs names, and the store has none: build it with names", BARE},
    {{.filter.min_base_quality = 1},
     "desc.filter asks for qualities, and the store has none: build it with desc.qualities", BARE},
    {{.filter.keep = rules_keep},
     "desc.filter.keep is asked while text is read: of a store all rows are known at open", STORE},
    {{.quality.kind = BIOST_QUALITY_PHRED},
     "desc.quality.kind needs qualities, and the store has none: build it with desc.qualities", BARE},
    {{.names = 1}, "desc.names needs names, and the store has none: build it with desc.names", BARE},
    {{.names = 3}, "desc.names is 3, not a whole number of 0..2", TEXT},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .key = "ch"}},
     "desc.labels.key needs titles, and the store has none: build it with titles", NAMES},
    {{.labels = {.kind = BIOST_LABEL_TITLE, .field = 1}},
     "desc.labels.field needs names, and the store has none: build it with names", BARE},
    {{.names = 2}, "desc.names is 2, which are whole titles, and the store has none: build it with titles", NAMES},
    /* mates */
    {{.mates = 2}, "desc.mates is of stores: pairs of text are for biost_pairs, or build a store of them with "
     "biost_store_build", TEXT},
    {{.mates = 2}, "desc.mates is 2, and the store has no mates: build it with desc.mates", STORE},
    {{GRID, .mates = 2}, "desc.mates is 2, whose rows are pairs, and desc.regions.kind is BIOST_REGIONS_GRID or "
     "BIOST_REGIONS_INTERVALS", STORE},
    {{.mates = 2, .shape = {.kind = BIOST_SHAPE_PACKED}, .row_bases = 8},
     "desc.mates is 2, and desc.shape is of single records", STORE},
    {{SPLIT, .mates = 2}, "desc.mates is 2, whose rows are pairs, and desc.long_records is BIOST_LONG_SPLIT", STORE},
    {{.mates = 2, .labels.make = rules_label}, "desc.labels.make is of records, and desc.mates is 2", STORE},
    {{GRID, .regions.strands = BIOST_STRANDS_BOTH},
     "desc.regions.strands BIOST_STRANDS_BOTH needs nucleotides, and desc.text.letters of the store is "
     "BIOST_LETTERS_PROTEIN", PROTEIN},
    {{GRID, .filter.max_n_fraction = 0.5f},
     "desc.filter.max_n_fraction or forbid_n needs nucleotides, and desc.text.letters of the store is "
     "BIOST_LETTERS_PROTEIN", PROTEIN},
    {{.row_bases = 4,
      .regions = {.kind = BIOST_REGIONS_INTERVALS, .intervals = rules_minus, .interval_count = 2}},
     "desc.regions.intervals[1], which is on the minus strand, needs nucleotides, and desc.text.letters of the "
     "store is BIOST_LETTERS_PROTEIN", PROTEIN},
    {{.row_bases = 4, .labels.kind = BIOST_LABEL_REGION,
      .regions = {.kind = BIOST_REGIONS_INTERVALS, .intervals = rules_half, .interval_count = 2}},
     "desc.regions.intervals[1] does not fit desc.labels.dtype: it has to be a whole number of 0..255", STORE},
};

static const rules_case rules_of_inputs[] = {
    {{.fd = 3}, "desc.fd is given, and desc.has_fd is 0", TEXT},
    {{.has_fd = 1}, "desc.has_fd and desc.memory both name an input: give one of them", TEXT},
    {{.has_fd = 1, .paths = rules_paths, .path_count = 1},
     "desc.has_fd and desc.path both name an input: give one of them", NOTHING},
    {{.has_fd = 1, .callbacks = rules_callback, .callback_count = 1},
     "desc.has_fd and desc.callback both name an input: give one of them", NOTHING},
    {{.paths = rules_paths, .path_count = 1},
     "desc names inputs, and no group is text: it reads stores alone", STORE},
    {{.rank = 0},
     "desc names no inputs, or inputs of two kinds: give desc.paths and desc.path_count, or desc.memories and "
     "desc.memory_count, desc.callbacks and desc.callback_count, desc.has_fd, or desc.store", NOTHING},
    {{.paths = rules_paths, .path_count = 1},
     "desc names no inputs, or inputs of two kinds: give desc.paths and desc.path_count, or desc.memories and "
     "desc.memory_count, desc.callbacks and desc.callback_count, desc.has_fd, or desc.store", TEXT},
    {{.path_count = 1}, "desc.paths, desc.memories or desc.callbacks is NULL while its count is not 0", NOTHING},
    {{.memory_count = 1}, "desc.paths, desc.memories or desc.callbacks is NULL while its count is not 0", NOTHING},
    {{.callback_count = 1}, "desc.paths, desc.memories or desc.callbacks is NULL while its count is not 0", NOTHING},
    {{.paths = rules_no_path, .path_count = 1}, "an entry of desc.paths is NULL", NOTHING},
    {{.memories = &rules_lacking, .memory_count = 1}, "an entry of desc.memories has bytes but no data", NOTHING},
    {{.callbacks = rules_no_read, .callback_count = 1}, "an entry of desc.callbacks has no read", NOTHING},
    {{.has_fd = 1, .state = rules_reads, .state_bytes = 1},
     "desc.state needs inputs that can be entered anywhere; desc.fd cannot", NOTHING},
    {{.callbacks = rules_callback, .callback_count = 1, .state = rules_reads, .state_bytes = 1},
     "desc.state needs inputs that can be entered anywhere; desc.callbacks cannot", NOTHING},
};

/* clang-format on */

#if BIOST_HAS_STORES
static const char rules_fasta[] = ">a\nACGTACGT\n";

static biost_store *rules_store(const char *text, int has_parts, biost_letters_kind letters,
                                biost_store_names names) {
    biost_memory memory = {NULL, 0, "store"};
    biost_store_desc desc;
    biost_store *store = NULL;
    memset(&desc, 0, sizeof desc);
    memory.data = text;
    memory.bytes = strlen(text);
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.letters = BIOST_STORE_BYTES;
    desc.names = names;
    desc.qualities = has_parts;
    desc.text.letters = letters;
    CHECK(biost_store_build(&desc, &store, NULL) == BIOST_OK);
    return store;
}
#endif

/* The desc of a case with its inputs. */
static biost_loader_desc rules_desc(const rules_case *c) {
    biost_loader_desc desc = c->desc;
    if (c->input == TEXT || c->input == TEXTS) {
        desc.memories = rules_texts;
        desc.memory_count = c->input == TEXTS ? 2 : 1;
    } else if (c->input != NOTHING) {
        desc.store = rules_stores[c->input - STORE];
    }
    return desc;
}

static void rules_check(const rules_case *cases, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        biost_loader_desc desc = rules_desc(&cases[i]);
        biost_loader *loader = NULL;
        biost_error error;
        if (desc.store == NULL && cases[i].input >= STORE && cases[i].input != NOTHING) {
            continue; /* there are no stores */
        }
        rules_refused(biost_loader_open(&desc, &loader, &error), &error, cases[i].sentence);
        CHECK(loader == NULL);
    }
}

TEST(rules, loaders) {
    uint32_t word;
#if BIOST_HAS_STORES
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_group group;
    biost_error error;
    rules_stores[0] = rules_store(rules_reads, 1, BIOST_LETTERS_ANY, BIOST_STORE_TITLES);
    rules_stores[1] = rules_store(rules_fasta, 0, BIOST_LETTERS_ANY, BIOST_STORE_NO_NAMES);
    rules_stores[2] = rules_store(rules_fasta, 0, BIOST_LETTERS_PROTEIN, BIOST_STORE_NO_NAMES);
    rules_stores[3] = rules_store(rules_fasta, 0, BIOST_LETTERS_ANY, BIOST_STORE_NAMES);
#endif
    memset(rules_long, 'k', sizeof rules_long - 1);
    rules_weights[0][255] = -INFINITY;
    rules_weights[1][0] = NAN;
    for (word = 0; word < 257; ++word) {
        snprintf(rules_many + strlen(rules_many), 8, "%s%u", word > 0 ? "," : "", (unsigned)word);
    }
    rules_check(rules_of_rows, RULES_COUNT(rules_of_rows));
    rules_check(rules_of_groups, RULES_COUNT(rules_of_groups));
    rules_check(rules_of_stores, RULES_COUNT(rules_of_stores));
    rules_check(rules_of_shapes, RULES_COUNT(rules_of_shapes));
    rules_check(rules_of_inputs, RULES_COUNT(rules_of_inputs));
#if BIOST_HAS_STORES
    memset(&desc, 0, sizeof desc);
    memset(&group, 0, sizeof group);
    desc.groups = &group;
    desc.group_count = 1;
    group.store = rules_stores[0];
    group.weight = 1;
    group.input_count = 1;
    rules_refused(biost_loader_open(&desc, &loader, &error), &error,
                  "desc.groups[0]: it has a store, and first_input or input_count");
    group.input_count = 0;
    desc.shape.kind = BIOST_SHAPE_BUCKETS;
    desc.shape.batch_tokens = 64;
    rules_refused(biost_loader_open(&desc, &loader, &error), &error,
                  "desc.shape is of one store, desc.store, and there are desc.groups");
    for (size_t i = 0; i < RULES_COUNT(rules_stores); ++i) {
        CHECK(biost_store_close(rules_stores[i], NULL) == BIOST_OK); /* none is lent */
    }
#endif
}

/* Many files: two groups that may have 64 open together have 65, and 257 inputs have no numbers of a byte. */
TEST(rules, encoders) {
    static const biost_encoding encodings[] = {{.kind = BIOST_ENCODE_TOKENS, .has_begin = 1},
                                               {.kind = BIOST_ENCODE_TOKENS, .has_end = 1},
                                               {.kind = BIOST_ENCODE_TOKENS, .kmers.k = 2}};
    biost_encoder encoder;
    biost_error error;
    for (size_t i = 0; i < RULES_COUNT(encodings); ++i) {
        rules_refused(biost_encoder_init(&encodings[i], 0, &encoder, &error), &error,
                      "desc.encoding.has_begin, has_end and kmers are of rows of loaders");
    }
}

TEST(rules, of_many_inputs) {
    static biost_memory texts[257];
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_group groups[2];
    biost_error error;
    for (size_t i = 0; i < RULES_COUNT(texts); ++i) {
        texts[i] = rules_text;
    }
    memset(&desc, 0, sizeof desc);
    memset(groups, 0, sizeof groups);
    desc.memories = texts;
    desc.memory_count = 257;
    desc.labels.kind = BIOST_LABEL_INPUT;
    rules_refused(biost_loader_open(&desc, &loader, &error), &error,
                  "desc.labels.dtype is BIOST_DTYPE_U8, and there are 257 inputs to number: take "
                  "BIOST_DTYPE_I32, or give desc.labels.of_inputs");
    desc.labels.kind = BIOST_LABEL_NONE;
    desc.memory_count = 65;
    desc.groups = groups;
    desc.group_count = 2;
    desc.open_files = 64;
    groups[0].input_count = 64;
    groups[1].first_input = 64;
    groups[1].input_count = 1;
    groups[0].weight = groups[1].weight = 1;
    rules_refused(biost_loader_open(&desc, &loader, &error), &error,
                  "desc.open_files, or all files of a smaller group, come to 65 over all of desc.groups; the "
                  "most is 64");
    CHECK(loader == NULL);
}

/* A rule sees the defaults: what is left 0 is judged as what it becomes. */
TEST(rules, of_defaults) {
    static const struct {
        biost_loader_desc desc;
        int opens;
    } cases[] = {
        {{.world = 256}, 1},
        {{.world = 512}, 0}, /* of 256 rows */
        {{.augment.crop_bases = 1024}, 1},
        {{.quality = {.kind = BIOST_QUALITY_PHRED, .in_x = 1}, .encoding.dtype = BIOST_DTYPE_F16}, 1},
        {{.mask = 1, .mask_in_x = 1, .encoding.dtype = BIOST_DTYPE_F16}, 1},
        {{SPLIT, .split_stride = 0}, 1},
        {{.split = {.by = BIOST_SPLIT_FIELD, .field = 1}}, 1},
        {{.filter = {.subsample_from = 0.5f}}, 1}};
    for (size_t i = 0; i < RULES_COUNT(cases); ++i) {
        biost_loader_desc desc = cases[i].desc;
        biost_loader *loader = NULL;
        desc.memories = &rules_text;
        desc.memory_count = 1;
        test_note("case %u", (unsigned)i);
        CHECK((biost_loader_open(&desc, &loader, NULL) == BIOST_OK) == cases[i].opens);
        biost_loader_close(loader);
    }
}
