/*
 * test_fuzz_tools.c - the fuzz targets of tests/fuzz over the headers of the tools, with the inputs that are kept, as
 * test_fuzz.c does it.
 *
 * rooms: tools
 * needs: loader stores library data
 */
#include "../biostream.h"
#include "test.h"

#include "fuzz/kept.h"

#define LLVMFuzzerTestOneInput fuzz_bed
#include "fuzz/bed.c"
#undef LLVMFuzzerTestOneInput

TEST(fuzz_tools, bed) {
    kept_run("bed", fuzz_bed);
}

#define LLVMFuzzerTestOneInput fuzz_frames
#include "fuzz/frames.c"
#undef LLVMFuzzerTestOneInput

TEST(fuzz_tools, frames) {
    kept_run("frames", fuzz_frames);
}

#define LLVMFuzzerTestOneInput fuzz_gzi
#include "fuzz/gzi.c"
#undef LLVMFuzzerTestOneInput

TEST(fuzz_tools, gzi) {
    kept_run("gzi", fuzz_gzi);
}
