/* The implementation with CUDA's runtime compiled in, by a C compiler: kernels from their PTX. */
#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_CUDA_IMPLEMENTATION
#define BIOSTREAM_CUDA_RUNTIME 1
#include "../../biostream_cuda.h"
