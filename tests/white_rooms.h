/*
 * white_rooms.h - for a file white_NAME.c, which is several test files in one program, so that the implementation is
 * compiled once for all of them. Names of file scope start with the test file's name where two of them would be
 * the same; a name of file scope may be a local one's in the next file.
 */
#ifndef WHITE_ROOMS_H
#define WHITE_ROOMS_H

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic ignored "-Wshadow"
#endif

#endif /* WHITE_ROOMS_H */
