/*
 * white_cuda.h - both implementations inside the test's own file, as white.h has that of biostream.h.
 */
#ifndef WHITE_CUDA_H
#define WHITE_CUDA_H

#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "white.h"
#ifdef BIOSTREAM_CUDA_HEADER /* another file in its place */
#include BIOSTREAM_CUDA_HEADER
#else
#include "../biostream_cuda.h"
#endif

#endif /* WHITE_CUDA_H */
