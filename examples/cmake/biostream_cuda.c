/* The implementation of biostream_cuda.h, which calls that of biostream.h. */
#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "../../biostream_cuda.h"
