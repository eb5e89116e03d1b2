/*
 * The second of three translation units: it has the implementation of biostream_cuda.h, and the first one,
 * two_units_a.c, that of biostream.h.
 */
#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "../../biostream_cuda.h"
