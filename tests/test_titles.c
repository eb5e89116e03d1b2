/*
 * test_titles.c - what rows take from titles and from the bytes of the input, of text and of stores: names and whole
 * titles, labels in titles, weights by byte; all against what is written down by hand.
 *
 * rooms: labels rows textscan storefeed
 * needs: loader stores threads library
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"
#include "store_loader.h"

/* ---- ways in which the same records come to rows ---- */

enum { WAY_DIRECT, WAY_SHUFFLED, WAY_MIXED, WAY_RUNS, WAY_STORE, WAY_EXACT, WAYS };

/* An input, and a desc that reads it in one of these ways. */
typedef struct titles_input {
    biost_memory memory;
    biost_store *store;
    biost_group group;
} titles_input;

/* Records of `text`; those of WAY_RUNS are FASTA, cut as they come. */
static void titles_begin(titles_input *input, const char *text, int way, biost_loader_desc *io_desc) {
    memset(input, 0, sizeof *input);
    input->memory.data = text;
    input->memory.bytes = strlen(text);
    input->memory.name = "t";
    if (way >= WAY_STORE) {
        input->store = store_of(&input->memory, 1, text[0] == '@', 1);
        io_desc->store = input->store;
        io_desc->order = way == WAY_EXACT ? BIOST_ORDER_EXACT : BIOST_ORDER_FILE;
    } else {
        io_desc->memories = &input->memory;
        io_desc->memory_count = 1;
    }
    io_desc->batch_rows = 4;
    io_desc->row_bases = 8;
    io_desc->shuffle_rows = way == WAY_SHUFFLED ? 3 : 0;
    if (way == WAY_MIXED) { /* rows of one group come by turns where an epoch ends after a number of them */
        input->group.input_count = 1;
        input->group.weight = 1;
        io_desc->groups = &input->group;
        io_desc->group_count = 1;
        io_desc->epoch_end = BIOST_EPOCH_END_ROWS;
        io_desc->epoch_rows = 5;
    }
    if (way == WAY_RUNS) {
        io_desc->long_records = BIOST_LONG_SPLIT;
        io_desc->test.page_bytes = 16;
    }
}

static void titles_end(const titles_input *input) {
    if (input->store != NULL) {
        CHECK(biost_store_close(input->store, NULL) == BIOST_OK);
    }
}

/* ---- names ---- */

static const char titles_fastq[] =
    "@first read\nAC\n+\nII\n@ lead\tof all  \nA\n+\nI\n@third\nACG\n+\nIII\n@\nAC\n+\nII\n@x  y\nA\n+\nI\n";
static const char titles_fasta[] = ">first read\nACGTACGT\nACGTACGT\n> lead\tof all  "
                                   "\nA\n>third\nACG\n>\nAC\n>x  y\nACGTACGTACGTACGTACGTACGT\n";

/* Names of all rows are those of their records; of a cut one, `most` bytes and the flag. */
static void titles_names_are(const biost_loader_desc *desc, const char *const *want, uint32_t most) {
    biost_loader *loader = oracle_open(desc);
    uint32_t seen = 0, i;
    biost_batch batch;
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    while (biost_loader_next(loader, &batch) == BIOST_OK) {
        for (i = 0; i < batch.valid_rows; ++i) {
            const char *name = want[batch.origins[i].id];
            const size_t length = strlen(name) < most ? strlen(name) : most;
            char cut[64];
            memcpy(cut, name, length);
            cut[length] = '\0';
            CHECK_STR(batch.names + batch.name_offsets[i], cut);
            CHECK_EQ_I64((batch.origins[i].flags & (uint32_t)BIOST_ROW_NAME_CUT) != 0, strlen(name) > most);
            seen |= 1u << batch.origins[i].id;
        }
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK_EQ_U64(seen, 31);
    biost_loader_close(loader);
}

TEST(titles, names_are_first_words_or_whole_titles) {
    static const char *const want[2][5] = {{"first", "lead", "third", "", "x"},
                                           {"first read", " lead\tof all  ", "third", "", "x  y"}};
    uint32_t i;
    int way;
    for (way = 0; way < WAYS; ++way) {
        for (i = 0; i < 4; ++i) {
            titles_input input;
            biost_loader_desc desc;
            memset(&desc, 0, sizeof desc);
            titles_begin(&input, way == WAY_RUNS ? titles_fasta : titles_fastq, way, &desc);
            desc.names = 1 + (int)(i % 2);
            desc.name_bytes = i < 2 ? 0 : 6;
            test_note("way %d, names %d, name_bytes %u", way, desc.names, (unsigned)desc.name_bytes);
            titles_names_are(&desc, want[i % 2], i < 2 ? 128 : 6);
            titles_end(&input);
        }
    }
}

/* ---- labels ---- */

/* A title, the wish, and the label, or what the sentence says of the title. By hand, as tests/oracle_shapes.py has it. */
typedef struct titles_case {
    const char *title;
    biost_labels wish; /* its kind and type are set where they are 0 */
    double label;
    const char *wrong;
} titles_case;

#define KEY(word) \
    { .key = word }
#define KEY_OF(word, type) \
    { .key = word, .dtype = type }
#define KEY_AMONG(word, list) \
    { .key = word, .classes = list }
#define FIELD_OF(n, mark) \
    { .field = n, .separator = mark }

/* clang-format off */
static const titles_case titles_cases[] = {
    {"r1 runid=5 ch=100 x", KEY("ch"), 100, NULL},
    {"r1\tch=-7", KEY("ch"), -7, NULL},
    {"ch=1 ch=2 ch=3", KEY("ch"), 2, NULL}, /* the name is not looked at */
    {" ch=1 ch=2", KEY("ch"), 2, NULL},
    {"r1 xch=4 ch=5", KEY("ch"), 5, NULL},
    {"r1 ch=0007  ", KEY_OF("ch", BIOST_DTYPE_U8), 7, NULL},
    {"r1 a=b=9", KEY("a=b"), 9, NULL},
    {"r1 ch=3.5", KEY_OF("ch", BIOST_DTYPE_F32), 3.5, NULL},
    {"r1 ch=-.5", KEY_OF("ch", BIOST_DTYPE_F32), -0.5, NULL},
    {"r1 ch=3.", KEY_OF("ch", BIOST_DTYPE_F32), 3, NULL},
    /* 1/2 and half a float more, by less than a double tells; between two floats beyond 2^24 */
    {"r1 ch=0.500000029802322388", KEY_OF("ch", BIOST_DTYPE_F32), 0.500000059604644775390625, NULL},
    {"r1 ch=16777217.5", KEY_OF("ch", BIOST_DTYPE_F32), 16777218, NULL},
    {"r1 ch=16777217.0", KEY_OF("ch", BIOST_DTYPE_F32), 16777216, NULL},
    {"r1 ch=9007199254740992", KEY_OF("ch", BIOST_DTYPE_I64), 9007199254740992.0, NULL},
    {"r ch=b", KEY_AMONG("ch", "a,b"), 1, NULL},
    {"r ch=", KEY_AMONG("x", "a,b"), 0, "the title 'r ch=' has no x=, which desc.labels asks for"},
    {"x:12:y z", FIELD_OF(2, 0), 12, NULL},
    {"3 9", FIELD_OF(1, 0), 3, NULL},
    {"a_-3", FIELD_OF(2, '_'), -3, NULL},
    {"r1", KEY("ch"), 0, "the title 'r1' has no ch=, which desc.labels asks for"},
    {"r1 xch=4", KEY("ch"), 0, "the title 'r1 xch=4' has no ch=, which desc.labels asks for"},
    {"", KEY("ch"), 0, "the title '' has no ch=, which desc.labels asks for"},
    {"r1 ch=", KEY("ch"), 0,
     "the title 'r1 ch=' has ch=, which is not written as a whole number of -2147483648..2147483647"},
    {"r1 ch=1e3", KEY_OF("ch", BIOST_DTYPE_F32), 0,
     "the title 'r1 ch=1e3' has ch=1e3, which is not written as a number of up to 18 digits, as -0.25"},
    {"r1 ch=.", KEY_OF("ch", BIOST_DTYPE_F32), 0,
     "the title 'r1 ch=.' has ch=., which is not written as a number of up to 18 digits, as -0.25"},
    {"r1 ch=0.5000000298023223880", KEY_OF("ch", BIOST_DTYPE_F32), 0, "as a number of up to 18 digits"},
    {"r1 ch=3.0", KEY_OF("ch", BIOST_DTYPE_U8), 0,
     "the title 'r1 ch=3.0' has ch=3.0, which is not written as a whole number of 0..255"},
    {"r1 ch=256", KEY_OF("ch", BIOST_DTYPE_U8), 0,
     "the title 'r1 ch=256' has ch=256, which is not written as a whole number of 0..255"},
    {"r1 ch=9007199254740993", KEY_OF("ch", BIOST_DTYPE_I64), 0, "not written as a whole number of -2^53..2^53"},
    {"r ch=c", KEY_AMONG("ch", "a,b"), 0, "the title 'r ch=c' has ch=c, which is none of desc.labels.classes"},
    {"r ch=a,b", KEY_AMONG("ch", "a,b"), 0, "the title 'r ch=a,b' has ch=a,b, which is none of desc.labels.classes"},
    {"x:12", FIELD_OF(3, 0), 0,
     "the title 'x:12' has no field 3, which desc.labels asks for"},
    {"a_3/1 9", FIELD_OF(2, '_'), 0,
     "the title 'a_3/1 9' has 3/1 as field 2, which is not written as a whole number of "
     "-2147483648..2147483647"},
};
/* clang-format on */

/* A label of a batch as a double. */
static double titles_label(const biost_tensor *labels, uint32_t row) {
    const uint8_t *at = (const uint8_t *)labels->data + row * (labels->bytes / (uint64_t)labels->shape[0]);
    int32_t number32;
    int64_t number64;
    float number;
    switch (labels->dtype) {
    case BIOST_DTYPE_U8: return at[0];
    case BIOST_DTYPE_I32: memcpy(&number32, at, 4); return number32;
    case BIOST_DTYPE_I64: memcpy(&number64, at, 8); return (double)number64;
    default: memcpy(&number, at, 4); return (double)number;
    }
}

/*
 * Two records, of which the second has the title of a case: all rows have the labels of their records, or the first
 * one's come and then the sentence; of a store it is said at open.
 */
static void titles_labels_are(const titles_case *c, int way) {
    char text[400], first[100];
    titles_input input;
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_error error;
    biost_batch batch;
    uint32_t rows = 0, i;
    snprintf(first, sizeof first, "1 ch=%s x=a a=b=1", c->wish.classes != NULL ? "a" : "1");
    snprintf(text, sizeof text, ">%s\nACGTACGTACGTACGTACGT\n>%s\nACGTACGTACGTACGTAC\n",
             c->wish.field == 0         ? first
             : c->wish.separator == '_' ? "1_2"
                                        : "1:2:4",
             c->title);
    memset(&desc, 0, sizeof desc);
    titles_begin(&input, text, way, &desc);
    desc.long_records = way == WAY_RUNS || way == WAY_SHUFFLED ? BIOST_LONG_SPLIT : BIOST_LONG_HEAD;
    desc.names = 1; /* which shortens titles */
    desc.labels = c->wish;
    desc.labels.kind = BIOST_LABEL_TITLE;
    desc.labels.dtype = c->wish.dtype == BIOST_DTYPE_U8 &&
                                strstr(c->wrong != NULL ? c->wrong : "", "255") == NULL &&
                                c->wish.classes == NULL
                            ? BIOST_DTYPE_I32
                            : c->wish.dtype;
    if (c->wrong != NULL && way >= WAY_STORE) {
        CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_TEXT);
    } else {
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            const biost_tensor *labels = biost_batch_tensor(&batch, BIOST_ROLE_LABEL);
            REQUIRE(CHECK(labels != NULL) && CHECK(labels->dtype == desc.labels.dtype));
            for (i = 0; i < batch.rows; ++i) {
                const double one = c->wish.classes != NULL ? 0
                                   : c->wish.field > 1     ? 2 * (c->wish.field - 1)
                                                           : 1;
                const double want = i >= batch.valid_rows ? 0 : batch.origins[i].id == 0 ? one : c->label;
                CHECK(titles_label(labels, i) == want);
                rows += i < batch.valid_rows;
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        memset(&error, 0, sizeof error);
        if (biost_loader_error(loader) != NULL) {
            error = *biost_loader_error(loader);
        }
        CHECK_EQ_I64(error.code != BIOST_OK, c->wrong != NULL);
    }
    if (c->wrong != NULL) {
        test_note("way %d: %s", way, error.text);
        CHECK(error.code == BIOST_ERR_TEXT && error.fault == BIOST_FAULT_LABEL);
        CHECK_EQ_U64(error.record, 1);
        CHECK(strstr(error.text, c->wrong) != NULL);
        CHECK(strstr(error.text, way >= WAY_STORE ? "store: input 1, record 2: the title '"
                                                  : "t: record 2 (line 3, ") != NULL);
    }
    CHECK(rows >= (c->wrong == NULL ? 2u : way >= WAY_STORE ? 0u : 1u)); /* nothing before it is lost */
    biost_loader_close(loader);
    titles_end(&input);
}

TEST(titles, labels_by_hand) {
    uint32_t i;
    int way;
    for (i = 0; i < sizeof titles_cases / sizeof titles_cases[0]; ++i) {
        for (way = 0; way < WAYS; ++way) {
            test_note("way %d, title '%s'", way, titles_cases[i].title);
            titles_labels_are(&titles_cases[i], way);
        }
    }
}

/* A filter that leaves out what has no label leaves nothing to complain of; nor do titles of what no list names. */
TEST(titles, only_what_passes_needs_a_label) {
    static const char text[] = ">a ch=3\nACGT\n>b\nAC\n>c ch=5\nACGTA\n";
    static const uint64_t list[] = {2, 0};
    uint32_t i;
    for (i = 0; i < 2u * WAYS; ++i) {
        titles_input input;
        biost_loader_desc desc;
        biost_loader *loader;
        biost_batch batch;
        double sum = 0;
        uint32_t row;
        memset(&desc, 0, sizeof desc);
        titles_begin(&input, text, (int)i % WAYS, &desc);
        desc.epoch_rows = desc.epoch_rows > 0 ? 2 : 0;
        desc.labels.kind = BIOST_LABEL_TITLE;
        desc.labels.key = "ch";
        desc.labels.dtype = BIOST_DTYPE_F32;
        if (i / WAYS == 0 || i % WAYS < WAY_STORE) {
            desc.filter.min_length = 3;
        } else {
            desc.regions.kind = BIOST_REGIONS_RECORDS;
            desc.regions.sequences = list;
            desc.regions.sequence_count = 2;
        }
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            for (row = 0; row < batch.valid_rows; ++row) {
                sum += titles_label(biost_batch_tensor(&batch, BIOST_ROLE_LABEL), row);
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        test_note("case %u", (unsigned)i);
        CHECK(biost_loader_error(loader) == NULL);
        CHECK(sum == 8);
        biost_loader_close(loader);
        titles_end(&input);
    }
}

/* Key, classes and field are of the desc's data, and its own: what they point to may go after open. */
TEST(titles, what_labels_are_found_by_is_copied_and_hashed) {
    static const char text[] = "@a:1 ch=b d=c\nAC\n+\nII\n@b:2 ch=c d=b\nAC\n+\nII\n";
    static const char *const keys[] = {"ch", "d", "ch", "ch"}, *const lists[] = {"a,b,c", "a,b,c", "c,b",
                                                                                 "c,b,a"};
    uint8_t states[4][512];
    size_t sizes[4] = {0, 0, 0, 0};
    uint32_t i, k;
    for (i = 0; i < 4; ++i) {
        char key[8], list[8];
        titles_input input;
        biost_loader_desc desc, got;
        biost_loader *loader;
        biost_batch batch;
        biost_error error;
        strcpy(key, keys[i]);
        strcpy(list, lists[i]);
        memset(&desc, 0, sizeof desc);
        titles_begin(&input, text, i % 2 == 0 ? WAY_DIRECT : WAY_SHUFFLED, &desc);
        desc.batch_rows = 1;
        desc.shuffle_rows = 0;
        desc.labels.kind = BIOST_LABEL_TITLE;
        desc.labels.key = key;
        desc.labels.classes = list;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL);
        memset(key, 'x', sizeof key - 1);
        memset(list, 'x', sizeof list - 1);
        biost_loader_get_desc(loader, &got);
        CHECK_STR(got.labels.key, keys[i]);
        CHECK_STR(got.labels.classes, lists[i]);
        REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK && biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK_EQ_U64(*(const uint8_t *)batch.tensors[1].data, i == 0 ? 1 : i == 1 ? 2 : i == 2 ? 1 : 1);
        CHECK(biost_loader_state(loader, &batch, states[i], sizeof states[i], &sizes[i]) == BIOST_OK);
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        biost_loader_close(loader);
        strcpy(key, keys[i]);
        strcpy(list, lists[i]);
        for (k = 0; k <= i; ++k) {
            desc.state = states[k];
            desc.state_bytes = sizes[k];
            loader = NULL;
            CHECK((biost_loader_open(&desc, &loader, &error) == BIOST_OK) == (k == i));
            CHECK(k == i || error.fault == BIOST_FAULT_STATE_DESC);
            biost_loader_close(loader);
        }
        titles_end(&input);
    }
}

/* ---- weights ---- */

static float weights_by_hand[256];

static void weights_set(void) {
    weights_by_hand['A'] = 2;
    weights_by_hand['a'] = 0.25f;
    weights_by_hand['C'] = 0.5f;
    weights_by_hand['g'] = 0.125f;
    weights_by_hand['T'] = 3;
    weights_by_hand['N'] = 7;
    weights_by_hand['U'] = -1;
}

/* A change that drops all bases but the first three. */
static void weights_cut(biost_sample *sample, biost_random *random, void *user_data) {
    (void)random;
    (void)user_data;
    sample->bases = sample->bases < 3 ? sample->bases : 3;
    memset(sample->seq, 'A', sample->bases);
}

/* Weights of every row of an epoch: `want` [8] of the plus strand of record 0, `bases` of them, in any setting. */
static void weights_are(const biost_loader_desc *desc, const float *want, uint32_t bases) {
    biost_loader *loader = oracle_open(desc);
    const uint32_t shown = desc->augment.change != NULL && bases > 3 ? 3 : bases;
    const int left = desc->encoding.pad_side == BIOST_PAD_LEFT;
    biost_batch batch;
    uint32_t rows = 0, i, k;
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    while (biost_loader_next(loader, &batch) == BIOST_OK) {
        const biost_tensor *t = biost_batch_tensor(&batch, BIOST_ROLE_WEIGHT);
        REQUIRE(CHECK(t != NULL) && CHECK(t->dtype == BIOST_DTYPE_F32) && CHECK_EQ_I64(t->shape[1], 8));
        CHECK_STR(t->layout, "NL");
        CHECK(t == &batch.tensors[batch.tensor_count - 1]);
        for (i = 0; i < batch.rows; ++i) {
            const float *row = (const float *)t->data + 8 * i;
            const int is_row = i < batch.valid_rows, turned = is_row && batch.origins[i].strand;
            for (k = 0; k < 8; ++k) {
                const uint32_t first = left ? 8 - shown : 0, at = k - first;
                const float one = !is_row || at >= shown ? 0 : want[turned ? bases - 1 - at : at];
                CHECK(row[k] == one);
            }
            rows += (uint32_t)is_row;
        }
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK(rows > 0 && biost_loader_error(loader) == NULL);
    biost_loader_close(loader);
}

TEST(titles, weights_are_of_the_bytes_of_the_input) {
    static const float want[8] = {2, 0.5f, 0.125f, 3, 7, -1};
    uint32_t i;
    int way;
    weights_set();
    for (way = 0; way < WAYS; ++way) {
        for (i = 0; i < 32; ++i) {
            titles_input input;
            biost_loader_desc desc;
            memset(&desc, 0, sizeof desc);
            titles_begin(&input, way == WAY_RUNS ? ">r\nACgT\nNU\n" : "@r\nACgTNU\n+\nIIIIII\n", way, &desc);
            desc.weights = weights_by_hand;
            desc.digest = 1;
            desc.augment.reverse_complement = i & 1 ? 1.0f : 0.0f;
            desc.augment.substitute = i & 2 ? 1.0f : 0.0f;
            desc.encoding.pad_side = i & 4 ? BIOST_PAD_LEFT : BIOST_PAD_RIGHT;
            desc.augment.change = i & 8 ? weights_cut : NULL;
            desc.encoding.kind = i & 16 ? BIOST_ENCODE_TOKENS : BIOST_ENCODE_ONEHOT;
            desc.mask = (int)(i & 1);
            test_note("way %d, case %u", way, (unsigned)i);
            weights_are(&desc, want, 6);
            titles_end(&input);
        }
    }
}

/* A region that reaches past its sequence on both sides: its weights lie where its bases do, on either strand. */
TEST(titles, weights_of_regions) {
    static const float want[2][8] = {{0, 0, 2, 0.5f, 0.125f, 3, 7, 0}, {0, 7, 3, 0.125f, 0.5f, 2, 0, 0}};
    biost_interval interval;
    uint32_t i;
    weights_set();
    for (i = 0; i < 4; ++i) {
        titles_input input;
        biost_loader_desc desc;
        biost_loader *loader;
        biost_batch batch;
        memset(&desc, 0, sizeof desc);
        memset(&interval, 0, sizeof interval);
        interval.start = -2;
        interval.end = 6;
        interval.strand = i % 2;
        titles_begin(&input, ">r\nACgTN\n", WAY_STORE, &desc);
        desc.weights = weights_by_hand;
        desc.regions.kind = BIOST_REGIONS_INTERVALS;
        desc.regions.intervals = &interval;
        desc.regions.interval_count = 1;
        desc.augment.reverse_complement = i < 2 ? 0.0f : 1.0f;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
        test_note("case %u", (unsigned)i);
        CHECK_MEM(biost_batch_tensor(&batch, BIOST_ROLE_WEIGHT)->data, want[(i % 2) ^ (i / 2)],
                  sizeof want[0]);
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        biost_loader_close(loader);
        titles_end(&input);
    }
}

/* Weights are of the digest and of the desc's data, and the desc's own. */
TEST(titles, weights_are_copied_hashed_and_digested) {
    uint8_t state[512];
    size_t size = 0;
    uint64_t digests[2];
    uint32_t i;
    weights_set();
    for (i = 0; i < 2; ++i) {
        float weights[256];
        titles_input input;
        biost_loader_desc desc, got;
        biost_loader *loader;
        biost_batch batch;
        biost_error error;
        memset(&desc, 0, sizeof desc);
        titles_begin(&input, "@r\nACgT\n+\nIIII\n@s\nAC\n+\nII\n", WAY_DIRECT, &desc);
        memcpy(weights, weights_by_hand, sizeof weights);
        weights['g'] += (float)i;
        desc.batch_rows = 1;
        desc.digest = 1;
        desc.weights = weights;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL);
        memset(weights, 0, sizeof weights);
        biost_loader_get_desc(loader, &got);
        CHECK(got.weights['g'] == 0.125f + (float)i);
        REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK && biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK(((const float *)biost_batch_tensor(&batch, BIOST_ROLE_WEIGHT)->data)[2] == 0.125f + (float)i);
        digests[i] = batch.digest;
        if (i == 0) {
            CHECK(biost_loader_state(loader, &batch, state, sizeof state, &size) == BIOST_OK);
        }
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        biost_loader_close(loader);
        memcpy(weights, weights_by_hand, sizeof weights);
        weights['g'] += (float)i;
        desc.state = state;
        desc.state_bytes = size;
        loader = NULL;
        CHECK((biost_loader_open(&desc, &loader, &error) == BIOST_OK) == (i == 0));
        CHECK(i == 0 || error.fault == BIOST_FAULT_STATE_DESC);
        biost_loader_close(loader);
        titles_end(&input);
    }
    CHECK(digests[0] != digests[1]);
}
