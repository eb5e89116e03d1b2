/*
 * test_store_refusals.c - what a loader over stores refuses, by its sentence; epochs that end with an error: a label
 * that is missing, a group without a row; and bytes of bases that were damaged.
 *
 * rooms: storefeed plan
 * needs: loader stores library
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

#include "store_loader.h"

#define REFUSED_MOST 0xFFFFFFFFFFFFFFFFu

/* ---- descs ---- */

typedef struct refused_case {
    const char *sentence; /* what it says, from its first word on */
    biost_loader_desc desc;
    int kind; /* of source: 0 genome, 1 reads, 2 genome without names, 3 text, 4 genome beside a group, 5 proteins */
} refused_case;

static int refused_keep(const biost_record *record, int64_t id, void *user_data) {
    return record != NULL && id >= 0 && user_data == NULL;
}

static int refused_make(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)out_label;
    return refused_keep(record, id, user_data);
}

static const biost_interval refused_intervals[] = {
    {0, 0, 9, 0, 0, 0}, {6, 0, 9, 0, 0, 0},  {0, 9, 8, 0, 0, 0},         {0, 400, 409, 0, 0, 0},
    {0, 0, 9, 0, 2, 0}, {0, 0, 10, 0, 0, 9}, {2, 30, INT64_MAX, 0, 0, 0}};
static const biost_interval refused_minus[] = {{0, 0, 9, 0, 0, 0}, {0, 0, 9, 0, 0, 0}, {2, 0, 9, 0, 1, 0}};
static const biost_interval refused_labels[] = {
    {0, 0, 9, 255, 0, 0}, {0, 0, 9, 256, 0, 0}, {0, 0, 9, 1e39, 0, 0}};
static const uint64_t refused_listed[] = {0, 6, REFUSED_MOST}, refused_twice[] = {0, 4, 0};

#define GRID .row_bases = 9, .regions.kind = BIOST_REGIONS_GRID
#define INTERVALS(count) \
    .row_bases = 9, .regions.kind = BIOST_REGIONS_INTERVALS, .regions.interval_count = (count)

#define LIST(count)                                                             \
    .regions.kind = BIOST_REGIONS_RECORDS, .regions.sequences = refused_listed, \
    .regions.sequence_count = (count)

/* clang-format off */
static const refused_case refused_cases[] = {
    {"desc.order is BIOST_ORDER_HELIXER, which is of a grid", {GRID, .order = BIOST_ORDER_HELIXER}, 0},
    {"desc.order is BIOST_ORDER_HELIXER, which is of a grid", {.order = BIOST_ORDER_HELIXER}, 0},
    {"desc.order is BIOST_ORDER_HELIXER, which is of a grid",
     {INTERVALS(1), .regions.intervals = refused_intervals, .regions.strands = BIOST_STRANDS_BOTH,
      .order = BIOST_ORDER_HELIXER}, 0},
    {"desc.regions.strands BIOST_STRANDS_BOTH shows each strand",
     {GRID, .regions.strands = BIOST_STRANDS_BOTH, .augment.reverse_complement = 0.5f}, 0},
    {"desc.labels.make is of records, and desc.regions.kind is BIOST_REGIONS_GRID or", {GRID, .labels.make = refused_make}, 0},
    {"desc.labels.kind is BIOST_LABEL_REGION, which needs desc.regions.kind",
     {GRID, .labels.kind = BIOST_LABEL_REGION, .labels.dtype = BIOST_DTYPE_F32}, 0},
    {"desc.labels.kind is BIOST_LABEL_REGION, which needs desc.regions.kind",
     {.labels.kind = BIOST_LABEL_REGION, .labels.dtype = BIOST_DTYPE_F32}, 0},
    {"desc.regions.intervals[1] does not fit desc.labels.dtype: it has to be a whole number of 0..255",
     {INTERVALS(2), .regions.intervals = refused_labels, .labels.kind = BIOST_LABEL_REGION}, 0},
    {"desc.regions.intervals[2] does not fit desc.labels.dtype: it has to be a finite number",
     {INTERVALS(3), .regions.intervals = refused_labels, .labels.kind = BIOST_LABEL_REGION,
      .labels.dtype = BIOST_DTYPE_F32}, 0},
    {"desc.regions.stride needs", {.row_bases = 9, .regions.stride = 3}, 0},
    {"desc.regions.stride needs", {LIST(1), .regions.stride = 3}, 0},
    {"desc.regions.sequences need",
     {INTERVALS(1), .regions.intervals = refused_intervals, .regions.sequences = refused_listed}, 0},
    {"desc.regions.intervals and fit need", {GRID, .regions.fit = BIOST_FIT_CENTER}, 0},
    {"desc.regions.intervals and fit need", {GRID, .regions.interval_count = 3}, 0},
    {"desc.regions.intervals and fit need", {.row_bases = 9, .regions.intervals = refused_intervals}, 0},
    {"desc.regions.sequence_count has no desc.regions.sequences", {GRID, .regions.sequence_count = 3}, 0},
    {"desc.regions.interval_count has no desc.regions.intervals", {INTERVALS(1)}, 0},
    {"desc.regions has fields set and no desc.regions.kind", {.regions.strands = BIOST_STRANDS_BOTH}, 0},
    {"desc.regions has fields set and no desc.regions.kind", {.regions.edge = BIOST_EDGE_DROP}, 0},
    {"desc.regions has fields set and no desc.regions.kind", {.regions.minus_pad = BIOST_MINUS_PAD_END}, 0},
    {"desc.regions has fields set and no desc.regions.kind", {.regions.jitter = 1}, 0},
    {"desc.regions has fields set and no desc.regions.kind", {.regions.max_lower_fraction = 0.5f}, 0},
    {"desc.regions has fields set and no desc.regions.kind", {.regions.max_other_fraction = 0.5f}, 0},
    {"desc.regions has fields set and no desc.regions.kind", {.regions.forbid_lower = 1}, 0},
    {"desc.regions has fields set and no desc.regions.kind", {.regions.forbid_other = 1}, 0},
    {"desc.regions.forbid_lower allows no lower case",
     {GRID, .regions.forbid_lower = 1, .regions.max_lower_fraction = 0.5f}, 0},
    {"desc.regions.forbid_other allows no other letters",
     {GRID, .regions.forbid_other = 1, .regions.max_other_fraction = 0.5f}, 0},
    {"desc.regions need desc.row_bases, which is their length", {.regions.kind = BIOST_REGIONS_GRID}, 0},
    {"desc.regions and desc.augment.crop_bases: only one can be given", {GRID, .augment.crop_bases = 3}, 0},
    {"desc.regions and desc.split_stride: only one can be given",
     {GRID, .split_stride = 3, .long_records = BIOST_LONG_SPLIT}, 0},
    {"desc.regions.stride is over desc.row_bases", {GRID, .regions.stride = 10}, 0},
    {"desc.split.block_bases is below desc.row_bases and twice desc.regions.jitter",
     {GRID, .regions.jitter = 3, .split.by = BIOST_SPLIT_BLOCK, .split.below = 0.5f, .split.block_bases = 14},
     0},
    {"desc.order is of stores, and there is none", {.order = BIOST_ORDER_EXACT}, 3},
    {"desc.regions are of stores, and there is none", {GRID}, 3},
    {"desc.labels.kind is BIOST_LABEL_REGION, which needs desc.regions.kind",
     {.labels.kind = BIOST_LABEL_REGION, .labels.dtype = BIOST_DTYPE_F32}, 3},
    {"desc.filter.keep is asked while text is read", {.filter.keep = refused_keep}, 0},
    {"desc.quality.kind needs qualities, and the store has none", {.quality.kind = BIOST_QUALITY_PHRED}, 0},
    {"desc.filter asks for qualities, and the store has none", {.filter.min_mean_quality = 3}, 0},
    {"desc.filter asks for qualities, and the store has none", {.filter.max_error_rate = 0.5f}, 0},
    {"desc.filter asks for qualities, and the store has none", {.filter.min_base_quality = 3}, 0},
    {"desc.names needs names, and the store has none", {.names = 1}, 2},
    {"desc.split needs names, and the store has none",
     {.split.by = BIOST_SPLIT_NAME, .split.below = 0.5f}, 2},
    {"desc.store is all there is to read", {.row_bases = 0}, 4},
    {"desc.shuffle_rows is of text, and there is none", {.shuffle_rows = 2}, 0},
    {"desc.shuffle_rows is of text, and there is none", {.shuffle_rows = 100}, 1},
    {"desc.regions has fields set of a grid or of", {LIST(1), .regions.strands = BIOST_STRANDS_BOTH}, 0},
    {"desc.regions has fields set of a grid or of", {LIST(1), .regions.edge = BIOST_EDGE_DROP}, 0},
    {"desc.regions has fields set of a grid or of", {LIST(1), .regions.max_other_fraction = 0.5f}, 0},
    {"desc.regions.intervals and fit need", {LIST(1), .regions.fit = BIOST_FIT_CENTER}, 0},
    {"desc.regions.sequence_count has no desc.regions.sequences",
     {.regions.kind = BIOST_REGIONS_RECORDS, .regions.sequence_count = 3}, 0},
    {"desc.regions.kind is BIOST_REGIONS_RECORDS, and desc.regions.sequences lists none", {LIST(0)}, 0},
    {"desc.labels.kind is BIOST_LABEL_REGION, which needs desc.regions.kind",
     {LIST(1), .labels.kind = BIOST_LABEL_REGION}, 0},
    {"desc.regions.sequences[1] is 6, and the store has 6 sequences, from 0 on", {LIST(2)}, 0},
    {"desc.regions.sequences[0] is 18446744073709551615, and the store has 6 sequences, from 0 on",
     {.regions.kind = BIOST_REGIONS_RECORDS, .regions.sequences = refused_listed + 2, .regions.sequence_count = 1}, 0},
    {"desc.regions.sequences: the store has no sequence 6",
     {GRID, .regions.sequences = refused_listed, .regions.sequence_count = 2}, 0},
    {"desc.regions.sequences: the store has no sequence 18446744073709551615",
     {GRID, .regions.sequences = refused_listed + 2, .regions.sequence_count = 1}, 0},
    {"desc.regions.sequences: sequence 0 is listed twice",
     {GRID, .regions.sequences = refused_twice, .regions.sequence_count = 3}, 0},
    {"desc.regions.intervals[1] is of a sequence that the store does not have",
     {INTERVALS(2), .regions.intervals = refused_intervals}, 0},
    {"desc.regions.intervals[0] ends before it starts",
     {INTERVALS(1), .regions.intervals = refused_intervals + 2}, 0},
    {"desc.regions.intervals[0] has no base of sequence 0, which has 400; desc.regions.edge",
     {INTERVALS(1), .regions.intervals = refused_intervals + 3}, 0},
    {"desc.regions.intervals[0] has no base of sequence 0, which has 400; desc.regions.edge",
     {INTERVALS(1), .regions.intervals = refused_intervals + 3, .regions.edge = BIOST_EDGE_INSIDE}, 0},
    {"desc.regions.intervals[0] is more than 2^61 bases away from its sequence",
     {INTERVALS(1), .regions.intervals = refused_intervals + 6, .regions.fit = BIOST_FIT_START}, 0},
    {"desc.regions.intervals[0].strand is neither 0, plus, nor 1, minus",
     {INTERVALS(1), .regions.intervals = refused_intervals + 4}, 0},
    {"desc.regions.intervals[0] is not as long as desc.row_bases",
     {INTERVALS(1), .regions.intervals = refused_intervals + 5}, 0},
    {"desc.regions.strands BIOST_STRANDS_BOTH needs nucleotides, and desc.encoding.channels names a letter without",
     {GRID, .regions.strands = BIOST_STRANDS_BOTH, .encoding.channels = "ACGTE"}, 0},
    {"desc.regions.intervals[2], which is on the minus strand, needs nucleotides, and desc.encoding.channels names",
     {INTERVALS(3), .regions.intervals = refused_minus, .encoding.channels = "PQ"}, 0},
    {"desc.regions.strands BIOST_STRANDS_BOTH needs nucleotides, and desc.text.letters is BIOST_LETTERS_PROTEIN",
     {GRID, .regions.strands = BIOST_STRANDS_BOTH, .text.letters = BIOST_LETTERS_PROTEIN}, 0},
    {"desc.regions.strands BIOST_STRANDS_BOTH needs nucleotides, and desc.text.letters of the store is",
     {GRID, .regions.strands = BIOST_STRANDS_BOTH}, 5},
    {"desc.regions.intervals[2], which is on the minus strand, needs nucleotides, and desc.text.letters of the store",
     {INTERVALS(3), .regions.intervals = refused_minus}, 5},
    {"desc.augment.reverse_complement needs nucleotides, and desc.text.letters of the store is",
     {.row_bases = 9, .long_records = BIOST_LONG_HEAD, .augment.reverse_complement = 0.5f}, 5},
    {"desc.augment.reverse_complement needs nucleotides, and desc.encoding.channels names a letter without",
     {GRID, .augment.reverse_complement = 0.5f, .encoding.channels = "ACGTE"}, 0}};
/* clang-format on */

static void refused_open(const biost_loader_desc *desc, const char *sentence) {
    biost_loader *loader = NULL;
    biost_error error;
    memset(&error, 0, sizeof error);
    CHECK(biost_loader_open(desc, &loader, &error) == BIOST_ERR_ARG);
    CHECK(loader == NULL);
    if (!CHECK(strncmp(error.text, sentence, strlen(sentence)) == 0)) {
        printf("    sentence: %s\n    expected: %s\n", error.text, sentence);
    }
}

TEST(store_refusals, descs) {
    const biost_memory text = {store_text_q, sizeof store_text_q - 1, "q"};
    const biost_memory genome = {store_text_g, sizeof store_text_g - 1, "g"};
    biost_store_desc other_desc;
    biost_store *nameless, *protein;
    uint32_t i;
    memset(&other_desc, 0, sizeof other_desc);
    other_desc.memories = &genome;
    other_desc.memory_count = 1;
    other_desc.letters = BIOST_STORE_BYTES;
    other_desc.names = BIOST_STORE_NO_NAMES;
    stores_begin();
    nameless = store_build(&other_desc);
    other_desc.text.letters = BIOST_LETTERS_PROTEIN;
    protein = store_build(&other_desc);
    for (i = 0; i < sizeof refused_cases / sizeof refused_cases[0]; ++i) {
        const refused_case *c = &refused_cases[i];
        biost_loader_desc desc = c->desc;
        biost_group group;
        memset(&group, 0, sizeof group);
        test_note("%s", c->sentence);
        desc.store = stores_open[1][c->kind == 1 ? STORE_Q : STORE_G];
        desc.store = c->kind == 2 ? nameless : c->kind == 5 ? protein : desc.store;
        if (c->kind == 3) {
            desc.store = NULL;
            desc.memories = &text;
            desc.memory_count = 1;
        }
        group.store = stores_open[1][STORE_G];
        group.weight = 1;
        desc.groups = c->kind == 4 ? &group : NULL;
        desc.group_count = c->kind == 4;
        refused_open(&desc, c->sentence);
    }
    CHECK(biost_store_close(nameless, NULL) == BIOST_OK);
    CHECK(biost_store_close(protein, NULL) == BIOST_OK);
    stores_end(); /* none of them is lent */
}

/* Letters without a complement are fine where none is asked for, and where tokens say nothing of letters. */
TEST(store_refusals, letters_that_are_not_turned) {
    /* clang-format off */
    static const biost_loader_desc descs[] = {
        {GRID, .encoding.channels = "ACDEFGHIKLMNPQRSTVWY"},
        {GRID, .regions.strands = BIOST_STRANDS_BOTH, .encoding.channels = "ACGTUNRYSWKMBDHVX"},
        {GRID, .regions.strands = BIOST_STRANDS_BOTH, .encoding.kind = BIOST_ENCODE_TOKENS},
        {INTERVALS(2), .regions.intervals = refused_minus, .encoding.channels = "PQ"},
        {INTERVALS(3), .regions.intervals = refused_minus}};
    /* clang-format on */
    uint32_t i;
    stores_begin();
    for (i = 0; i < sizeof descs / sizeof descs[0]; ++i) {
        biost_loader_desc desc = descs[i];
        biost_loader *loader;
        test_note("desc %u", (unsigned)i);
        desc.store = stores_open[1][STORE_G];
        loader = oracle_open(&desc);
        if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
            CHECK(store_drain(loader, 0).rows > 0);
        }
        biost_loader_close(loader);
    }
    stores_end();
}

TEST(store_refusals, groups) {
    const biost_memory text = {store_text_q, sizeof store_text_q - 1, "q"};
    biost_loader_desc desc;
    static const double labels[3] = {1, 2, 3};
    biost_group groups[2];
    biost_regions regions;
    stores_begin();
    memset(&desc, 0, sizeof desc);
    memset(groups, 0, sizeof groups);
    memset(&regions, 0, sizeof regions);
    desc.groups = groups;
    desc.group_count = 2;
    desc.row_bases = 9;
    desc.long_records = BIOST_LONG_HEAD;
    groups[0].store = groups[1].store = stores_open[1][STORE_G];
    groups[0].weight = groups[1].weight = 1;
    groups[1].name = "two";
    desc.labels.kind = BIOST_LABEL_INPUT;
    desc.labels.dtype = BIOST_DTYPE_F32;
    desc.labels.of_inputs = labels;
    desc.labels.of_input_count = 3;
    refused_open(&desc, "desc.labels.of_input_count is neither 0 nor the number of inputs, 2");
    desc.labels.of_inputs = NULL;
    desc.labels.of_input_count = 0;
    desc.labels.kind = BIOST_LABEL_REGION;
    refused_open(&desc, "desc.groups[0]: it shows no intervals of a store, and desc.labels.kind is");
    regions.kind = BIOST_REGIONS_INTERVALS;
    regions.intervals = refused_intervals;
    regions.interval_count = 1;
    groups[0].regions = &regions;
    refused_open(&desc, "desc.groups[1] (two): it shows no intervals of a store, and desc.labels.kind is");
    memset(&regions, 0, sizeof regions);
    groups[0].regions = NULL;
    groups[1].name = NULL;
    desc.labels.kind = BIOST_LABEL_NONE;
    desc.labels.dtype = BIOST_DTYPE_U8;
    regions.kind = BIOST_REGIONS_GRID; /* of a group as of the desc */
    regions.stride = 10;
    groups[1].regions = &regions;
    refused_open(&desc, "desc.regions.stride is over desc.row_bases");
    regions.stride = 0;
    desc.order = BIOST_ORDER_HELIXER;
    refused_open(&desc, "desc.order is BIOST_ORDER_HELIXER, which is of a grid");
    desc.order = BIOST_ORDER_FILE;
    groups[1].regions = NULL;
    desc.open_files = 2; /* a store has none, whatever it was made of: alone, or in groups */
    refused_open(&desc, "desc.open_files is over the files of the largest group, of which there are 0");
    desc.group_count = 0;
    desc.store = stores_open[1][STORE_GH];
    refused_open(&desc, "desc.open_files is over the files of the largest group, of which there are 0");
    desc.open_files = 0;
    desc.shuffle_files = 1;
    refused_open(&desc, "desc.shuffle_files has nothing to shuffle");
    desc.shuffle_files = 0;
    desc.store = NULL;
    desc.group_count = 2;
    desc.memories = &text;
    desc.memory_count = 1;
    refused_open(&desc, "desc names inputs, and no group is text");
    stores_end();
}

/* ---- labels ---- */

typedef struct label_maker {
    int64_t missing; /* the id that has none */
} label_maker;

static int label_make(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    const label_maker *maker = (const label_maker *)user_data;
    int32_t label = (int32_t)record->seq_bases * 1000 + (int32_t)(id % 1000);
    memcpy(out_label, &label, sizeof label);
    return id != maker->missing;
}

/* An epoch up to the record without a label: what came before it, batch by batch, and the error, which stays. */
static void label_run(biost_loader_desc *desc, const int64_t *ids, uint32_t rows, uint32_t missing) {
    biost_loader *loader = oracle_open(desc);
    biost_batch batch;
    biost_result result;
    uint64_t batches = 0;
    uint32_t i;
    if (loader == NULL || !CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        biost_loader_close(loader);
        return;
    }
    while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        for (i = 0; i < batch.valid_rows; ++i) {
            CHECK_EQ_I64(batch.origins[i].id, ids[batches * desc->batch_rows + i]);
            CHECK_EQ_U64(((const uint32_t *)biost_batch_tensor(&batch, BIOST_ROLE_LABEL)->data)[i] % 1000,
                         (uint64_t)batch.origins[i].id % 1000);
        }
        batches++;
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    if (missing < rows) {
        CHECK_EQ_U64(batches, missing / desc->batch_rows);
        CHECK(result == BIOST_ERR_ARG && error_of(loader)->fault == BIOST_FAULT_NO_LABEL);
        CHECK_EQ_U64(error_of(loader)->record, (uint64_t)ids[missing] & (((uint64_t)1 << 40) - 1));
        CHECK_EQ_U64(error_of(loader)->path_index, (uint64_t)ids[missing] >> 40);
        CHECK(strstr(error_of(loader)->text, "desc.labels.make returned 0") != NULL);
        CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_ARG);
        CHECK(biost_loader_begin(loader, 1) == BIOST_ERR_ARG);
    } else {
        CHECK(result == BIOST_END);
    }
    biost_loader_close(loader);
}

TEST(store_refusals, a_missing_label) {
    static int64_t ids[256];
    uint64_t random = test_seed() + 61;
    uint32_t i, rows = 0;
    label_maker maker = {-1};
    biost_loader_desc desc;
    biost_loader *loader;
    biost_batch batch;
    stores_begin();
    memset(&desc, 0, sizeof desc);
    desc.store = stores_open[1][STORE_QR];
    desc.order = BIOST_ORDER_EXACT;
    desc.row_bases = 64;
    desc.batch_rows = 5;
    desc.labels.make = label_make;
    desc.labels.user_data = &maker;
    desc.labels.dtype = BIOST_DTYPE_I32;
    loader = oracle_open(&desc);
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            for (i = 0; i < batch.valid_rows && rows < 256; ++i) {
                ids[rows++] = batch.origins[i].id;
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
    }
    biost_loader_close(loader);
    CHECK_EQ_U64(rows, 83);
    for (i = 0; i < rows; ++i) {
        test_note("row %u", (unsigned)i);
        maker.missing = ids[i];
        store_machine(&desc, &random);
        label_run(&desc, ids, rows, i);
    }
    maker.missing = -1;
    label_run(&desc, ids, rows, rows);
    stores_end();
}

/* ---- no rows ---- */

/* What next says first, and with which fault and words. */
static void empty_run(const biost_loader_desc *desc, biost_result want, biost_fault fault,
                      const char *words) {
    biost_loader *loader = oracle_open(desc);
    biost_batch batch;
    uint64_t batches = 1;
    if (loader != NULL) {
        CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK);
        CHECK_EQ_U64(batches, 0);
        if (CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
            CHECK_STR(biost_result_name(biost_loader_next(loader, &batch)), biost_result_name(want));
        }
        if (want != BIOST_END) {
            CHECK_STR(biost_fault_name(error_of(loader)->fault), biost_fault_name(fault));
            if (!CHECK(strstr(error_of(loader)->text, words) != NULL)) {
                printf("    sentence: %s\n", error_of(loader)->text);
            }
        }
    }
    biost_loader_close(loader);
}

TEST(store_refusals, no_row_is_left) {
    static const biost_interval past[] = {{2, 20, 31, 0, 0, 0}};
    biost_loader_desc desc;
    biost_regions none;
    biost_group groups[2];
    int lists;
    stores_begin();
    memset(&desc, 0, sizeof desc);
    memset(groups, 0, sizeof groups);
    desc.store = stores_open[1][STORE_G];
    desc.row_bases = 500;
    desc.filter.min_length = 500;
    empty_run(&desc, BIOST_ERR_ARG, BIOST_FAULT_NO_ROW, "desc.filter.min_length");
    desc.allow_no_rows = 1;
    empty_run(&desc, BIOST_END, BIOST_FAULT_NONE, "");
    desc.allow_no_rows = 0;
    desc.filter.min_length = 0;
    desc.regions.kind = BIOST_REGIONS_GRID;
    desc.regions.edge = BIOST_EDGE_DROP;
    empty_run(&desc, BIOST_ERR_ARG, BIOST_FAULT_NO_ROW, "desc.regions.edge");
    desc.regions.kind = BIOST_REGIONS_INTERVALS;
    desc.regions.intervals = past;
    desc.regions.interval_count = 1;
    desc.regions.fit = BIOST_FIT_CENTER;
    desc.row_bases = 40;
    empty_run(&desc, BIOST_ERR_ARG, BIOST_FAULT_NO_ROW, "desc.regions.edge");
    for (lists = 0; lists < 3; ++lists) { /* no interval, without and with a list; no sequence of a list */
        memset(&desc.regions, 0, sizeof desc.regions);
        desc.regions.kind = lists < 2 ? BIOST_REGIONS_INTERVALS : BIOST_REGIONS_GRID;
        desc.regions.intervals = lists == 1 ? past : NULL;
        desc.regions.sequences = lists == 2 ? refused_listed : NULL;
        desc.store = stores_open[1][STORE_G];
        empty_run(&desc, BIOST_ERR_ARG, BIOST_FAULT_NO_ROW, "desc.regions, which show none, left out 6");
        desc.allow_no_rows = 1;
        empty_run(&desc, BIOST_END, BIOST_FAULT_NONE, "");
        desc.allow_no_rows = 0;
        desc.store = stores_open[1][STORE_E];
        empty_run(&desc, BIOST_END, BIOST_FAULT_NONE, "");
    }
    memset(&desc.regions, 0, sizeof desc.regions);
    desc.row_bases = 500;
    desc.store = stores_open[1][STORE_E]; /* no record was left out: it just ends */
    empty_run(&desc, BIOST_END, BIOST_FAULT_NONE, "");
    desc.store = NULL;
    desc.groups = groups;
    desc.group_count = 2;
    groups[0].store = stores_open[1][STORE_G];
    groups[1].store = stores_open[1][STORE_E];
    groups[1].name = "nothing";
    groups[0].weight = groups[1].weight = 1;
    empty_run(&desc, BIOST_ERR_ARG, BIOST_FAULT_EMPTY_GROUP, "nothing");
    groups[1].store = stores_open[1][STORE_H];
    desc.filter.min_length = 300;
    desc.allow_no_rows = 1; /* speaks of one group alone */
    empty_run(&desc, BIOST_ERR_ARG, BIOST_FAULT_NO_GROUP_ROW, "nothing");
    desc.filter.min_length = 0;
    desc.row_bases = 40;
    desc.long_records = BIOST_LONG_HEAD;
    memset(&none, 0, sizeof none);
    none.kind = BIOST_REGIONS_INTERVALS;
    groups[1].regions = &none;
    empty_run(&desc, BIOST_ERR_ARG, BIOST_FAULT_NO_GROUP_ROW, "nothing: no row of this group is left: of");
    stores_end();
}

/* A store without records lacks no qualities: it opens as its text does. */
TEST(store_refusals, nothing_has_qualities) {
    const biost_memory text = {"", 0, "e"};
    int filters, of_store;
    for (filters = 0; filters < 2; ++filters) {
        for (of_store = 0; of_store < 2; ++of_store) {
            biost_store *store = store_of(&text, 1, 1, 0);
            biost_loader_desc desc;
            biost_loader *loader;
            memset(&desc, 0, sizeof desc);
            desc.store = of_store ? store : NULL;
            desc.memories = of_store ? NULL : &text;
            desc.memory_count = of_store ? 0 : 1;
            desc.row_bases = 8;
            desc.quality.kind = filters ? BIOST_QUALITY_NONE : BIOST_QUALITY_PHRED;
            desc.filter.min_base_quality = filters ? 2 : 0;
            loader = oracle_open(&desc);
            if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
                CHECK_EQ_U64(store_drain(loader, 0).rows, 0);
            }
            biost_loader_close(loader);
            CHECK(biost_store_close(store, NULL) == BIOST_OK);
        }
    }
}

/* ---- damage ---- */

/* A file of a store with bytes of its bases and qualities changed, which a load does not look at. */
TEST(store_refusals, damaged_bases) {
    static const char path[] = "build/test_store_refusals.bst";
    const biost_memory texts[] = {{store_text_q, sizeof store_text_q - 1, "q"},
                                  {store_text_g, sizeof store_text_g - 1, "g"}};
    uint64_t random = test_seed() + 62;
    uint32_t round;
    for (round = 0; round < test_effort(120, 600); ++round) {
        const int of_reads = round % 2 == 0;
        biost_store *store = store_of(&texts[!of_reads], 1, of_reads, 1);
        biost_loader_desc desc;
        biost_error error;
        size_t count, k, body;
        uint8_t *data;
        FILE *file;
        test_note("round %u", (unsigned)round);
        CHECK(biost_store_save(store, path, &error) == BIOST_OK);
        CHECK(biost_store_close(store, NULL) == BIOST_OK);
        data = test_read_file(path, &count);
        REQUIRE(data != NULL);
        for (body = 0, k = 0; k < 8; ++k) { /* section 0 is the body: its offset and bytes, little-endian */
            body |= (size_t)data[136 + k] << 8 * k;
        }
        for (k = 0; k < 40 + random_below(&random, 4000); ++k) {
            data[body + random_below(&random, data[144] + 256u * data[145])] = (uint8_t)test_random(&random);
        }
        file = fopen(path, "wb");
        REQUIRE(file != NULL);
        CHECK(fwrite(data, 1, count, file) == count);
        CHECK(fclose(file) == 0);
        free(data);
        if (CHECK(biost_store_load(path, NULL, &store, &error) == BIOST_OK)) {
            CHECK(biost_store_verify(store, &error) != BIOST_OK);
            memset(&desc, 0, sizeof desc);
            desc.store = store;
            desc.row_bases = 40;
            desc.long_records = BIOST_LONG_SPLIT;
            desc.order = BIOST_ORDER_EXACT;
            desc.quality.kind = of_reads ? (biost_quality_kind)(round / 2 % 3) : BIOST_QUALITY_NONE;
            desc.quality.dtype = desc.quality.kind == BIOST_QUALITY_ERROR ? BIOST_DTYPE_F32 : BIOST_DTYPE_U8;
            desc.augment.reverse_complement = 0.5f;
            desc.augment.substitute = 0.1f;
            desc.augment.inject_n = 0.1f;
            desc.digest = 1;
            desc.batch_rows = 8;
            (void)store_run(&desc, round, 2, &random);
            CHECK(biost_store_close(store, NULL) == BIOST_OK);
        }
        remove(path);
    }
}
