/*
 * The third of three translation units: it uses what the others implement, on a device that is host memory. Compiled
 * as C and as C++, linked and run; ACGT and GATTACA are eleven bases, each of which has one channel that is 1.
 */
#include "../../biostream_cuda.h"
#include <stdio.h>
#include <string.h>

/* The sum of batch.x of a biost_cuda over two small records; 0 after an error, which is printed. */
static uint64_t cuda_units_ones(void) {
    static const char text[] = "@one\nACGT\n+\nIIII\n@two\nGATTACA\n+\n!!!!!!!\n";
    biost_memory memory;
    biost_loader_desc loader;
    biost_cuda_desc desc;
    biost_cuda_batch batch;
    biost_cuda *cuda;
    biost_error error;
    biost_result result;
    uint64_t ones = 0;
    memset(&memory, 0, sizeof memory);
    memory.data = text;
    memory.bytes = sizeof text - 1;
    memset(&loader, 0, sizeof loader);
    loader.memories = &memory;
    loader.memory_count = 1;
    loader.batch_rows = 2;
    loader.row_bases = 8;
    loader.workers = 1;
    memset(&desc, 0, sizeof desc);
    desc.loader = &loader;
    desc.provider = biost_cuda_dummy();
    if (biost_cuda_open(&desc, &cuda, &error) != BIOST_OK) {
        printf("open: %s\n", error.text);
        return 0;
    }
    result = biost_cuda_begin(cuda, 0);
    while (result == BIOST_OK && (result = biost_cuda_next(cuda, NULL, &batch)) == BIOST_OK) {
        const uint8_t *x = (const uint8_t *)batch.x.data;
        uint64_t i;
        for (i = 0; i < batch.x.bytes; ++i) {
            ones += x[i];
        }
        result = biost_cuda_release(cuda, &batch, NULL);
    }
    if (result != BIOST_END) {
        printf("next: %s\n", biost_cuda_error(cuda)->text);
        ones = 0;
    }
    biost_cuda_close(cuda);
    return ones;
}

int main(void) {
    uint64_t ones = cuda_units_ones();
    if (ones != 11) {
        printf("%lu ones\n", (unsigned long)ones);
        return 1;
    }
    return 0;
}
