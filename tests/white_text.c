/*
 * white_text.c - tests of the rooms that scan text, in one program.
 */
#include "white.h"
#include "white_rooms.h"

#include "test_check.c"
#include "test_records.c"
#include "test_carry.c"
