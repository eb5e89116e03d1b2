/*
 * A C++ exception thrown by a function that a loader calls, on the thread of its owner: it passes through the
 * implementation, which two_units_a.c has, to whoever catches it; the next call says so, and close gives all memory
 * back. Linked and run.
 */
#include "../../biostream.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

size_t allocated = 0;

void *count_alloc(size_t bytes, size_t align, void *) {
    char *block = static_cast<char *>(std::malloc(bytes + align + sizeof block)), *at = block + sizeof block;
    at += align - reinterpret_cast<uintptr_t>(at) % align;
    std::memcpy(at - sizeof block, &block, sizeof block);
    allocated += bytes;
    return at;
}

void count_free(void *memory, size_t bytes, void *) {
    char *block;
    std::memcpy(&block, static_cast<char *>(memory) - sizeof block, sizeof block);
    allocated -= bytes;
    std::free(block);
}

int throwing_keep(const biost_record *record, int64_t, void *) {
    if (record->seq_bases == 7) {
        throw 7;
    }
    return 1;
}

/* NULL, or what went wrong. */
const char *run() {
    static const char text[] = "@one\nACGT\n+\nIIII\n@two\nGATTACA\n+\n!!!!!!!\n";
    biost_memory memory = {};
    biost_loader_desc desc = {};
    biost_loader *loader;
    biost_batch batch;
    int caught = 0;
    memory.data = text;
    memory.bytes = sizeof text - 1;
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.batch_rows = 1;
    desc.workers = 1;
    desc.filter.keep = throwing_keep;
    desc.allocator.alloc = count_alloc;
    desc.allocator.free = count_free;
    if (biost_loader_open(&desc, &loader, NULL) != BIOST_OK || biost_loader_begin(loader, 0) != BIOST_OK) {
        return "the loader did not open";
    }
    try {
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            biost_loader_release(loader, &batch);
        }
    } catch (int number) {
        caught = number;
    }
    if (caught != 7) {
        return "the exception was not caught";
    }
    if (biost_loader_next(loader, &batch) != BIOST_ERR_ARG ||
        biost_loader_error(loader)->fault != BIOST_FAULT_LEFT) {
        return "the call after the exception did not say so";
    }
    biost_loader_close(loader);
    return allocated == 0 ? NULL : "memory was not given back";
}

/* Macros in C, functions here. */
bool ids_are_right() {
    const int64_t one = (int64_t(3) << 40) + 7, last = INT64_MAX;
    return BIOST_ID_PATH(one) == 3 && BIOST_ID_RECORD(one) == 7 && BIOST_ID_PATH(last) == 8388607 &&
           BIOST_ID_RECORD(last) == 1099511627775u;
}

} // namespace

int main() {
    const char *wrong = ids_are_right() ? run() : "the parts of an id are wrong";
    if (wrong != NULL) {
        std::printf("%s\n", wrong);
    }
    return wrong != NULL;
}
