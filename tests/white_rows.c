/*
 * white_rows.c - tests of the rooms that only a loader uses: what becomes a row, when, and of which numbers; in one
 * program.
 */
#include "white.h"
#include "white_rooms.h"

#include "test_hash.c"
#include "test_rng.c"
#include "test_order.c"
#include "test_mix.c"
#include "test_anchors.c"
#include "test_idle.c"
#include "test_groups_hash.c"
#include "test_cut.c"
#include "test_state.c"
#include "test_filter.c"
#include "test_split.c"
#include "test_augment.c"
#include "test_encode.c"
#include "test_pack.c"
#include "test_region.c"
#include "test_picks.c"
#include "test_tables.c"
#include "test_textscan.c"
#include "test_report.c"
