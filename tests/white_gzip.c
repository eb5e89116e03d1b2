/*
 * white_gzip.c - tests of the rooms that decode gzip, in one program.
 */
#include "white.h"
#include "white_rooms.h"

#include "test_inflate.c"
#include "test_ways.c"
#include "test_frame.c"
#include "test_guess.c"
#include "test_history.c"
#include "test_texts.c"
#include "test_ops.c"
