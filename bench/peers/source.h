/*
 * source.h - where the peers read from, glued as their users do it: read(2), bytes in memory, gzip
 * through zlib's gzread or through ISA-L.
 */
#ifndef PEERS_SOURCE_H
#define PEERS_SOURCE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ISAL
#include <isa-l.h>
#endif

enum { SOURCE_GZIP_BYTES = 1 << 17 };

typedef enum decoder { DECODER_NONE, DECODER_ZLIB, DECODER_ISAL } decoder;

/* A path, or bytes in memory. */
typedef struct input {
    const char *path;
    const unsigned char *memory;
    size_t bytes;
} input;

typedef struct source {
    const input *in;
    size_t at; /* of memory                                                   */
    decoder with;
    int fd;
#ifdef HAVE_ZLIB
    gzFile gz;
#endif
#ifdef HAVE_ISAL
    struct inflate_state *state;
    unsigned char *packed; /* [SOURCE_GZIP_BYTES]                                         */
#endif
} source;

/* Whether this program was built with it. */
static inline int source_has(decoder with) {
#ifdef HAVE_ZLIB
    if (with == DECODER_ZLIB) {
        return 1;
    }
#endif
#ifdef HAVE_ISAL
    if (with == DECODER_ISAL) {
        return 1;
    }
#endif
    return with == DECODER_NONE;
}

#ifdef HAVE_ISAL
/* The next compressed bytes, if none are left. Returns 0 at the end of the file. */
static inline int isal_refill(source *from) {
    ssize_t got;
    if (from->state->avail_in > 0) {
        return 1;
    }
    got = read(from->fd, from->packed, SOURCE_GZIP_BYTES);
    from->state->next_in = from->packed;
    from->state->avail_in = got > 0 ? (uint32_t)got : 0;
    return got > 0;
}

static inline int isal_read(source *from, void *to, int bytes) {
    struct inflate_state *state = from->state;
    state->next_out = (uint8_t *)to;
    state->avail_out = (uint32_t)bytes;
    while (state->avail_out > 0) {
        if (state->block_state == ISAL_BLOCK_FINISH) {
            if (!isal_refill(from)) {
                break;
            }
            isal_inflate_reset(state); /* another member */
        } else {
            isal_refill(from);
        }
        if (isal_inflate(state) != ISAL_DECOMP_OK) {
            return -1;
        }
        if (state->avail_in == 0 && state->avail_out > 0 && !isal_refill(from)) {
            break;
        }
    }
    return bytes - (int)state->avail_out;
}
#endif

static inline int source_read(source *from, void *to, int bytes) {
    const input *in = from->in;
    if (from->with == DECODER_NONE && in->memory == NULL) {
        return (int)read(from->fd, to, (size_t)bytes);
    }
    if (from->with == DECODER_NONE) {
        size_t left = in->bytes - from->at;
        bytes = left < (size_t)bytes ? (int)left : bytes;
        memcpy(to, in->memory + from->at, (size_t)bytes);
        from->at += (size_t)bytes;
        return bytes;
    }
#ifdef HAVE_ZLIB
    if (from->with == DECODER_ZLIB) {
        return gzread(from->gz, to, (unsigned)bytes);
    }
#endif
#ifdef HAVE_ISAL
    if (from->with == DECODER_ISAL) {
        return isal_read(from, to, bytes);
    }
#endif
    return -1;
}

/* Returns 0 where the file cannot be opened; source_close is due all the same. */
static inline int source_open(source *from, decoder with, const input *in) {
    int good = 1;
    memset(from, 0, sizeof *from);
    from->in = in;
    from->with = with;
    from->fd = in->memory != NULL ? -1 : open(in->path, O_RDONLY);
    good = in->memory != NULL || from->fd >= 0;
#ifdef HAVE_ZLIB
    if (good && with == DECODER_ZLIB) {
        from->gz = gzdopen(from->fd, "rb");
        good = from->gz != NULL && gzbuffer(from->gz, SOURCE_GZIP_BYTES) == 0;
    }
#endif
#ifdef HAVE_ISAL
    if (good && with == DECODER_ISAL) {
        from->state = (struct inflate_state *)malloc(sizeof *from->state);
        from->packed = (unsigned char *)malloc(SOURCE_GZIP_BYTES);
        good = from->state != NULL && from->packed != NULL;
        if (good) {
            isal_inflate_init(from->state);
            from->state->crc_flag = ISAL_GZIP; /* read the header, compare the checksum */
        }
    }
#endif
    return good;
}

static inline void source_close(source *from) {
#ifdef HAVE_ISAL
    free(from->state);
    free(from->packed);
#endif
#ifdef HAVE_ZLIB
    if (from->gz != NULL) {
        gzclose(from->gz);
        return;
    }
#endif
    if (from->fd >= 0) {
        close(from->fd);
    }
}

#endif /* PEERS_SOURCE_H */
