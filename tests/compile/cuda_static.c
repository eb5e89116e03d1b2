/*
 * All functions of both headers static, for a library that lives inside one file: the object exports main and nothing
 * else. The host calls few of the functions, and is not warned about the others.
 */
#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_CUDA_IMPLEMENTATION
#define BIOSTREAM_STATIC
#include "../../biostream_cuda.h"

int main(void) {
    return biost_cuda_dummy() == NULL || biost_result_name(BIOST_OK) == NULL;
}
