/*
 * gzip_kseq.h - kseq.h over zlib's gzread, as its users have it: htslib's, or klib's with -DKLIB_KSEQ='"/path/to/kseq.h"'.
 */
#ifndef PEERS_GZIP_KSEQ_H
#define PEERS_GZIP_KSEQ_H

#include <zlib.h>

/* kseq.h is code in macros: its conversions would be warned about as if they stood here. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#ifdef KLIB_KSEQ
#include KLIB_KSEQ
#else
#include <htslib/kseq.h>
#endif
KSEQ_INIT(gzFile, gzread)
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#endif /* PEERS_GZIP_KSEQ_H */
