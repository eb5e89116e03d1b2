/* The implementation after a system header, which has hidden by then what it needs: one error says so, where it does. */
#include <stdio.h>

#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "../../biostream_cuda.h"

int main(void) {
    return puts(biost_result_name(BIOST_OK)) < 0;
}
