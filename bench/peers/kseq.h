/*
 * kseq.h - both kseq.h over a source: htslib's under its own names (kseq_t, kseq_init, kseq_read,
 * kseq_destroy) where HAVE_HTSLIB_KSEQ gets defined, klib's as klib_seq_t, klib_init, klib_read,
 * klib_destroy with -DKLIB_KSEQ='"/path/to/kseq.h"'.
 *
 * The speed of its inner loops depends on where the linker happens to put them: moving one by 16
 * or 32 bytes took a quarter to a half of it on plain text, so that a change in our header changed
 * the peer. So include it, and write the loops that use it, where functions and loops are aligned,
 * which keeps peers at their best; ours are not:
 *
 *     #pragma GCC push_options
 *     #pragma GCC optimize("align-functions=64,align-loops=32")
 *     ...
 *     #pragma GCC pop_options
 */
#ifndef PEERS_KSEQ_H
#define PEERS_KSEQ_H

#include "source.h"

/* kseq.h is code in macros: its conversions would be warned about as if they stood here. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

#ifdef __has_include
#if __has_include(<htslib/kseq.h>)
#define HAVE_HTSLIB_KSEQ 1
#endif
#endif

#ifdef HAVE_HTSLIB_KSEQ
#include <htslib/kseq.h>
KSEQ_INIT(source *, source_read)
#endif

#ifdef KLIB_KSEQ
/* The other one under other names. */
#undef AC_KSEQ_H
#undef KS_SEP_SPACE
#undef KS_SEP_TAB
#undef KS_SEP_LINE
#undef KS_SEP_MAX
#undef __KS_TYPE
#undef ks_err
#undef ks_eof
#undef ks_rewind
#undef __KS_BASIC
#undef __KS_GETC
#undef __KS_INLINED
#undef __KS_GETUNTIL
#undef KSTREAM_INIT
#undef KSTREAM_INIT2
#undef KSTREAM_DECLARE
#undef kseq_rewind
#undef __KSEQ_BASIC
#undef __KSEQ_READ
#undef __KSEQ_TYPE
#undef KSEQ_INIT2
#undef KSEQ_INIT
#undef KSEQ_DECLARE
#define __kstream_t  klib_stream
#define kstream_t    klib_stream_t
#define ks_init      klib_stream_init
#define ks_destroy   klib_stream_destroy
#define ks_getc      klib_getc
#define ks_getuntil  klib_getuntil
#define ks_getuntil2 klib_getuntil2
#define kseq_t       klib_seq_t
#define kseq_init    klib_init
#define kseq_destroy klib_destroy
#define kseq_read    klib_read
#include KLIB_KSEQ
KSEQ_INIT(source *, source_read)
#undef __kstream_t
#undef kstream_t
#undef ks_init
#undef ks_destroy
#undef ks_getc
#undef ks_getuntil
#undef ks_getuntil2
#undef kseq_t
#undef kseq_init
#undef kseq_destroy
#undef kseq_read
#endif

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

/* A line for each peer: there, or how to get it. */
static void kseq_print_peers(void) {
#ifdef HAVE_HTSLIB_KSEQ
    printf("peer       kseq.h of htslib\n");
#else
    printf("skipped: kseq.h of htslib (Debian: libhts-dev)\n");
#endif
#ifdef KLIB_KSEQ
    printf("peer       kseq.h of klib\n");
#else
    printf("skipped: kseq.h of klib (build with KLIB_KSEQ=/path/to/klib/kseq.h)\n");
#endif
#ifdef HAVE_ZLIB
    printf("peer       zlib %s\n", zlibVersion());
#else
    printf("skipped: zlib (Debian: zlib1g-dev)\n");
#endif
#ifdef HAVE_ISAL
    printf("peer       ISA-L %d.%d.%d\n", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
#else
    printf("skipped: ISA-L (Debian: libisal-dev)\n");
#endif
}

#endif /* PEERS_KSEQ_H */
