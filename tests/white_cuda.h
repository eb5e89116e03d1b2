/*
 * white_cuda.h - the implementation of biostream_cuda.h inside the test's own file, so that a test reaches its
 * private bsi_cuda_ names; that of biostream.h is linked. Include it first. API functions are static here, and a
 * test uses few of them.
 */
#ifndef WHITE_CUDA_H
#define WHITE_CUDA_H

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#ifdef BIOSTREAM_HEADER /* another file in its place, for trying parts: -DBIOSTREAM_HEADER='"x.h"' */
#include BIOSTREAM_HEADER
#else
#include "../biostream.h"
#endif
#define BIOSTREAM_CUDA_IMPLEMENTATION
#ifdef BIOSTREAM_CUDA_HEADER /* another file in its place */
#include BIOSTREAM_CUDA_HEADER
#else
#include "../biostream_cuda.h"
#endif

#endif /* WHITE_CUDA_H */
