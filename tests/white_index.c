/*
 * white_index.c - tests of the files of indexes, in one program: its calls of the system are those of failing_files.h.
 */
#include "failing_files.h"
#include "white_rooms.h"

#include "test_index_file.c"
