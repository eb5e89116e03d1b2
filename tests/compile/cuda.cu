/* The implementation for nvcc: kernels as they stand, CUDA's runtime compiled in. */
#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "../../biostream_cuda.h"
