/*
 * white_text.c - tests of the rooms that scan, judge, change and encode text, in one program.
 */
#include "white.h"
#include "white_rooms.h"

#include "test_check.c"
#include "test_records.c"
#include "test_filter.c"
#include "test_split.c"
#include "test_augment.c"
#include "test_encode.c"
#include "test_pack.c"
