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
