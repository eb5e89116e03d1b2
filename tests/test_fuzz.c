/*
 * test_fuzz.c - the fuzz targets of tests/fuzz over the library's own rooms, with the inputs that are kept: seeds, and
 * what a fuzzer once found. A target that is not content stops the process (FUZZ_FAULT), with a line that says why.
 *
 * rooms: inflate stream reader loader state index store desctext
 * needs: loader stores threads library data
 */
#include "../biostream.h"
#include "test.h"

#include "fuzz/kept.h"

#ifdef HAVE_ZLIB
#define LLVMFuzzerTestOneInput fuzz_inflate
#include "fuzz/inflate.c"
#undef LLVMFuzzerTestOneInput

TEST(fuzz, inflate) {
    kept_run("inflate", fuzz_inflate);
}

#define LLVMFuzzerTestOneInput fuzz_stream
#include "fuzz/stream.c"
#undef LLVMFuzzerTestOneInput

TEST(fuzz, stream) {
    kept_run("stream", fuzz_stream);
}
#else
TEST(fuzz, inflate_and_stream) {
    TEST_SKIP("zlib");
}
#endif

#define LLVMFuzzerTestOneInput fuzz_reader
#include "fuzz/reader.c"
#undef LLVMFuzzerTestOneInput

TEST(fuzz, reader) {
    kept_run("reader", fuzz_reader);
}

#define LLVMFuzzerTestOneInput fuzz_loader
#include "fuzz/loader.c"
#undef LLVMFuzzerTestOneInput

TEST(fuzz, loader) {
    kept_run("loader", fuzz_loader);
}

#define LLVMFuzzerTestOneInput fuzz_state
#include "fuzz/state.c"
#undef LLVMFuzzerTestOneInput

TEST(fuzz, state) {
    kept_run("state", fuzz_state);
}

#define LLVMFuzzerTestOneInput fuzz_index
#include "fuzz/index.c"
#undef LLVMFuzzerTestOneInput

TEST(fuzz, index) {
    kept_run("index", fuzz_index);
}

#define LLVMFuzzerTestOneInput fuzz_store
#include "fuzz/store.c"
#undef LLVMFuzzerTestOneInput

TEST(fuzz, store) {
    kept_run("store", fuzz_store);
}

#define LLVMFuzzerTestOneInput fuzz_desc
#include "fuzz/desc.c"
#undef LLVMFuzzerTestOneInput

TEST(fuzz, desc) {
    kept_run("desc", fuzz_desc);
}
