/* Both implementations in one C file: the whole of them, with external linkage. */
#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "../../biostream_cuda.h"
