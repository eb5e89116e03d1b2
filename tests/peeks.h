/*
 * peeks.h - what tests of the API look at inside of the library's objects, and calls of private functions that
 * no input of sensible size leads to. The program is linked with implementation.c, which has them.
 */
#ifndef PEEKS_H
#define PEEKS_H

#include "../biostream.h"

/* Points kept by the loader's pipe; *out_entered: chunks entered at one so far. */
uint32_t peek_loader_points(biost_loader *loader, uint64_t *out_entered);
/* Flip a bit of the history that belongs to the first of these points. No epoch may be under way. */
void peek_loader_break_point(biost_loader *loader);

/* 1 while the owner of the stream sleeps in a call. */
int peek_stream_sleeps(biost_stream *stream);

/* Two numbers of a resume state: the sample it continues with, and that of its anchor. 0: it is damaged. */
int peek_state(const void *state, size_t bytes, uint64_t *out_sample, uint64_t *out_anchor_sample);

/* The stream that the reader opened for itself. */
biost_stream *peek_reader_stream(biost_reader *reader);

/* The error over names of records that belong together: that of mate `mate` is another than the first's. */
biost_result peek_pairs_raise_name(biost_pairs *pairs, const biost_record *records, uint32_t mate,
                                   biost_error *out_error);
/* Copy what a record borrows into the memory that pairs keep for their first mate. 0: there is none left. */
int peek_pairs_keep(biost_pairs *pairs, biost_record *record);

#endif /* PEEKS_H */
