/*
 * test_anchors.c - the anchors that a group keeps for a resume: each has the places of its own lanes' files, also where
 * the array is full and every second one leaves.
 *
 * rooms: groups
 * needs: loader
 */
#include "white.h"
#include "test.h"

enum { ANCHORS_LANES = 3, ANCHORS_FILES = BSI_GROUPS_ANCHORS * ANCHORS_LANES };

/*
 * A group between two others, as the loader lends them: the lane after its last one is another group's, and so is the
 * place after its last anchor's last file.
 */
typedef struct anchored {
    bsi_groups_group group;
    bsi_groups_lane lanes[ANCHORS_LANES + 1];
    bsi_state_file files[ANCHORS_FILES + 1];
} anchored;

static anchored anchors_made;

/* Anchor k is of sample 10 k and of records that are k further in each lane. */
static void anchors_note(uint64_t k) {
    anchors_made.group.sample = 10 * k;
    for (uint32_t i = 0; i < ANCHORS_LANES; ++i) {
        anchors_made.lanes[i].visit.place.text_offset = 100 * k + i;
    }
    bsi_groups_note_turn(&anchors_made.group);
}

/* With a buffer of one cell, whose sample 0 is still needed, no anchor leaves before the array is full. */
static void anchors_note_all(uint64_t last) {
    memset(&anchors_made, 0, sizeof anchors_made);
    anchors_made.group.lanes = anchors_made.lanes;
    anchors_made.group.lane_count = ANCHORS_LANES;
    anchors_made.group.anchor_files = anchors_made.files;
    anchors_made.group.order.cell_count = 1;
    anchors_made.group.anchor_count = 1; /* of the pass's start, as bsi_groups_begin_pass leaves it */
    anchors_made.files[ANCHORS_FILES].id = 77;
    for (uint32_t i = 0; i <= ANCHORS_LANES; ++i) {
        anchors_made.lanes[i].is_open = i != 1;
        anchors_made.lanes[i].visit.place.id = 1000 + i;
    }
    for (uint64_t k = 1; k <= last; ++k) {
        anchors_note(k);
    }
}

static void anchors_check(uint32_t at, uint64_t k) {
    test_note("anchor %u", (unsigned)at);
    CHECK_EQ_U64(anchors_made.group.anchors[at].sample, 10 * k);
    for (uint32_t i = 0; i < ANCHORS_LANES; ++i) {
        const bsi_state_file *file = &anchors_made.files[at * ANCHORS_LANES + i];
        CHECK_EQ_U64(file->id, i == 1 ? BSI_STATE_NO_FILE : 1000 + i);
        CHECK_EQ_U64(file->text_offset, 100 * k + i);
    }
}

TEST(anchors, fill_the_array_and_no_more) {
    anchors_note_all(BSI_GROUPS_ANCHORS - 1);
    CHECK_EQ_U64(anchors_made.group.anchor_count, BSI_GROUPS_ANCHORS);
    for (uint32_t k = 1; k < BSI_GROUPS_ANCHORS; ++k) {
        anchors_check(k, k);
    }
    CHECK_EQ_U64(anchors_made.files[ANCHORS_FILES].id, 77);
}

TEST(anchors, every_second_one_leaves_a_full_array) {
    anchors_note_all(BSI_GROUPS_ANCHORS);
    CHECK_EQ_U64(anchors_made.group.anchor_count, BSI_GROUPS_ANCHORS / 2 + 1);
    for (uint32_t k = 1; k < BSI_GROUPS_ANCHORS / 2; ++k) {
        anchors_check(k, 2 * k);
    }
    anchors_check(BSI_GROUPS_ANCHORS / 2, BSI_GROUPS_ANCHORS);
}
