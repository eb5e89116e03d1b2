/*
 * white_bytes.c - tests of the rooms that know nothing of text or gzip, in one program.
 */
#include "white.h"
#include "white_rooms.h"

#include "test_cpu.c"
#include "test_crc.c"
#include "test_memory.c"
#include "test_fault.c"
