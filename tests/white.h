/*
 * white.h - the whole implementation inside the test's own file, so that a test reaches the private
 * bsi_ names of a room. Include it first. API functions are static here, and a test uses few of them.
 */
#ifndef WHITE_H
#define WHITE_H

#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_STATIC       1
#define BSI_SCHED_MORE_WORKERS 256u
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#ifdef BIOSTREAM_HEADER /* another file in its place, for trying parts: -DBIOSTREAM_HEADER='"x.h"' */
#include BIOSTREAM_HEADER
#else
#include "../biostream.h"
#endif

#endif /* WHITE_H */
