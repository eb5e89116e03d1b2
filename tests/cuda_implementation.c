/* The implementation of biostream_cuda.h, as an object of its own beside that of biostream.h. */
#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "../biostream_cuda.h"
