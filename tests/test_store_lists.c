/*
 * test_store_lists.c - loaders over a list of a store's records: 60 settings at random with the digests that
 * tests/oracle_shapes.py gives, the order of rows and their pieces, copies of one record, and resume states.
 *
 * rooms: storefeed picks
 * needs: loader stores threads library
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

#include "store_loader.h"

/* A list for a desc, with what the oracle says of two epochs. */
typedef struct list_case {
    biost_loader_desc desc; /* what is not 0 */
    int is_bytes;
    uint32_t store; /* STORE_* */
    uint64_t listed[160], count;
    store_epoch epochs[2];
} list_case;

#include "list_vectors.h"

#define LIST_CASES (sizeof list_cases / sizeof list_cases[0])

TEST(store_lists, epochs_of_the_oracle) {
    static const uint64_t epochs[] = {0, STORE_FAR_EPOCH};
    uint64_t random = test_seed() + 91;
    uint32_t i, e;
    stores_begin();
    for (i = 0; i < LIST_CASES; ++i) {
        const list_case *c = &list_cases[i];
        biost_loader_desc desc = c->desc;
        desc.store = stores_open[c->is_bytes][c->store];
        desc.regions.kind = BIOST_REGIONS_RECORDS;
        desc.regions.sequences = c->listed;
        desc.regions.sequence_count = c->count;
        desc.digest = 1;
        for (e = 0; e < 2; ++e) {
            uint32_t world = 1 + (i + e) % 4;
            store_epoch got;
            test_note("case %u, epoch %u, world %u", (unsigned)i, (unsigned)e, (unsigned)world);
            got = store_run(&desc, epochs[e], world, &random);
            store_check(&got, &c->epochs[e]);
        }
    }
    stores_end();
}

/* ---- by hand ---- */

static const char list_text[] = ">a x\nACGTACGTAC\n>b\nGGG\n>c\nTTTTT\n>d\nA\n";
static const uint64_t list_by_hand[] = {2, 0, 2, 3, 2, 1};

enum { LIST_BY_HAND = 6 };

static biost_store *list_store(void) {
    const biost_memory text = {list_text, sizeof list_text - 1, "list"};
    return store_of(&text, 1, 0, 0);
}

static biost_loader_desc list_desc(biost_store *store) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.store = store;
    desc.batch_rows = 4;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.names = 1;
    desc.digest = 1;
    desc.workers = 1;
    desc.regions.kind = BIOST_REGIONS_RECORDS;
    desc.regions.sequences = list_by_hand;
    desc.regions.sequence_count = LIST_BY_HAND;
    return desc;
}

/* A row of a list by hand: record, place in the list, name. */
static void list_row(const biost_batch *batch, uint32_t row, uint64_t place) {
    const uint64_t record = list_by_hand[place];
    const char name[2] = {(char)('a' + record), '\0'};
    CHECK_EQ_U64((uint64_t)batch->origins[row].id, record);
    CHECK_EQ_U64(batch->origins[row].piece, place);
    CHECK_EQ_I64(batch->origins[row].start_base, 0);
    CHECK_EQ_U64((uint64_t)batch->lengths[row], record == 0 ? 10 : record == 1 ? 3 : record == 2 ? 5 : 1);
    CHECK_STR(batch->names + batch->name_offsets[row], name);
}

/* FILE is the list's order, piece the place in it; EXACT has each place once. */
TEST(store_lists, rows_by_hand) {
    biost_store *store = list_store();
    biost_loader_desc desc = list_desc(store);
    uint32_t order, seen = 0, moved = 0;
    for (order = BIOST_ORDER_FILE; order <= BIOST_ORDER_EXACT; ++order) {
        biost_loader *loader;
        biost_batch batch;
        uint64_t rows = 0;
        uint32_t row;
        desc.order = (biost_order)order;
        loader = oracle_open(&desc);
        if (loader == NULL || !CHECK(biost_loader_begin(loader, 3) == BIOST_OK)) {
            break;
        }
        for (seen = 0; biost_loader_next(loader, &batch) == BIOST_OK;) {
            for (row = 0; row < batch.valid_rows; ++row, ++rows) {
                const uint32_t place = batch.origins[row].piece;
                if (!CHECK(place < LIST_BY_HAND)) {
                    break;
                }
                list_row(&batch, row, order == BIOST_ORDER_FILE ? rows : place);
                moved += place != rows;
                seen |= 1u << place;
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        CHECK_EQ_U64(rows, LIST_BY_HAND);
        CHECK_EQ_U64(seen, (1u << LIST_BY_HAND) - 1);
        CHECK((moved > 0) == (order == BIOST_ORDER_EXACT));
        biost_loader_close(loader);
    }
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* The list is lent: the desc that the loader obeys has the caller's, and so a loader by it gives the same. */
TEST(store_lists, a_desc_keeps_its_list) {
    uint64_t random = test_seed() + 92;
    biost_store *store = list_store();
    biost_loader_desc desc = list_desc(store), whole;
    biost_loader *loader = oracle_open(&desc);
    store_epoch want, got;
    if (loader != NULL) {
        biost_loader_get_desc(loader, &whole);
        CHECK(whole.regions.kind == BIOST_REGIONS_RECORDS && whole.regions.sequences == list_by_hand);
        CHECK_EQ_U64(whole.regions.sequence_count, LIST_BY_HAND);
        biost_loader_close(loader);
        whole.store = store;
        want = store_run(&desc, 0, 1, &random);
        got = store_run(&whole, 0, 2, &random);
        CHECK_EQ_U64(want.rows, LIST_BY_HAND);
        store_check(&got, &want);
    }
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* Copies of a record are cropped and turned each on its own; a filter by turn counts places of the list. */
TEST(store_lists, copies_are_drawn_for_one_by_one) {
    static const uint64_t zeros[200] = {0};
    biost_store *store = list_store();
    biost_loader_desc desc = list_desc(store);
    biost_loader *loader;
    biost_batch batch;
    uint32_t starts[8] = {0}, strands[2] = {0}, row, i;
    desc.batch_rows = 256;
    desc.regions.sequences = zeros;
    desc.regions.sequence_count = 200;
    desc.row_bases = 3;
    desc.long_records = BIOST_LONG_CROP;
    desc.augment.reverse_complement = 0.5f;
    desc.filter.first_records = 150;
    desc.filter.every_record = 2;
    loader = oracle_open(&desc);
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK) &&
        CHECK(biost_loader_next(loader, &batch) == BIOST_OK)) {
        CHECK_EQ_U64(batch.valid_rows, 75);
        for (row = 0; row < batch.valid_rows; ++row) {
            CHECK_EQ_U64(batch.origins[row].piece, 2 * row);
            if (CHECK(batch.origins[row].start_base < 8)) {
                ++starts[batch.origins[row].start_base];
            }
            ++strands[batch.origins[row].strand];
        }
        for (i = 0; i < 8; ++i) {
            CHECK(starts[i] > 0);
        }
        CHECK(strands[0] > 20 && strands[1] > 20);
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    biost_loader_close(loader);
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

/* After each batch an epoch goes on from its state; over another list the state is refused. */
TEST(store_lists, resume) {
    static const uint64_t others[] = {2, 0, 2, 3, 1, 1};
    uint64_t random = test_seed() + 93;
    biost_store *store = list_store();
    biost_loader_desc desc = list_desc(store), later;
    uint8_t state[STORE_MOST_STATE];
    biost_error error;
    biost_loader *refused = NULL;
    store_epoch whole;
    desc.batch_rows = 2;
    desc.order = BIOST_ORDER_EXACT;
    whole = store_run(&desc, 0, 1, &random);
    CHECK_EQ_U64(whole.batches, 3);
    store_check_stops(&desc, 0, &whole, &random, state, &later);
    later.regions.sequences = others;
    CHECK(biost_loader_open(&later, &refused, &error) < 0 && error.fault == BIOST_FAULT_STATE_DESC);
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}

static int list_label(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    *(uint8_t *)out_label = (uint8_t)(10 * record->seq_bases + (uint64_t)id);
    return user_data == NULL;
}

/* A list is a group, too, beside text, and labels.make sees its records. */
TEST(store_lists, a_group_beside_text) {
    static const char text[] = ">t\nCCCCCCC\n";
    const biost_memory memory = {text, sizeof text - 1, "text"};
    biost_store *store = list_store();
    biost_loader_desc desc = list_desc(store);
    biost_regions regions = desc.regions;
    biost_group groups[2];
    biost_loader *loader;
    biost_batch batch;
    uint64_t rows = 0;
    uint32_t row;
    memset(groups, 0, sizeof groups);
    memset(&desc.regions, 0, sizeof desc.regions);
    desc.store = NULL;
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.labels.make = list_label;
    groups[0].store = store;
    groups[0].regions = &regions;
    groups[0].weight = groups[1].weight = 1;
    groups[1].input_count = 1;
    desc.groups = groups;
    desc.group_count = 2;
    loader = oracle_open(&desc);
    if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            for (row = 0; row < batch.valid_rows; ++row) {
                if (batch.origins[row].group == 0 && batch.origins[row].pass == 0) {
                    list_row(&batch, row, rows++);
                    CHECK_EQ_U64(((const uint8_t *)batch.tensors[1].data)[row],
                                 10 * (uint64_t)batch.lengths[row] + (uint64_t)batch.origins[row].id);
                }
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        CHECK_EQ_U64(rows, LIST_BY_HAND);
    }
    biost_loader_close(loader);
    CHECK(biost_store_close(store, NULL) == BIOST_OK);
}
