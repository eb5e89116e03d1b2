/*
 * gz_over_biostream.h - the calls of zlib that read a file, over biost_stream: for a program with a kseq.h of its own.
 *
 * Such a program changes one line: it includes this in the place of <zlib.h>. It keeps its kseq.h and its
 * KSEQ_INIT(gzFile, gzread), and gets checked text that several threads inflate. One file of the program, or
 * a file of its own, has the implementation of biostream.h; compile with -pthread.
 *
 * What there is: gzFile, gzopen and gzdopen for reading, gzread, gzfread, gzclose, gzclose_r, gzerror, gzeof, gzrewind,
 * gzseek, gztell, gzbuffer, gzgetc, gzgets, zError, the codes, and the types z_off_t, uInt, uLong, Bytef, voidp. That is
 * all that bwa, minimap2, seqtk and samtools call of gz*, and some more. Not there: writing (gzopen returns NULL),
 * pushing back, and zlib's work in memory, as samtools' crc32. A program that includes zlib.h for these too,
 * includes this after it. htslib calls inflate itself and reads through its own files: this is no way into it.
 *
 * What differs from zlib:
 *   - gzread returns -1 for all that is damaged, also for a file that was cut off or has other bytes after a
 *     member: zlib ends there as at the end of the file, and says so to those alone who ask gzerror or gzclose.
 *     Text before the damage comes out first. For programs that do not look, a line on stderr says what is wrong.
 *   - gzerror gives a sentence with file and byte.
 *   - After a seek past the end gztell stays there, also when a read has come to the end.
 *   - A damaged BGZF block gives none of its text.
 *
 * Two copies of kseq.h are in use. In klib's and seqtk's an error ends kseq_read with -3, or in a quality with
 * -2. In htslib's, up to 1.16 at least, gzread's -1 is no end: kseq_read never returns. There use
 * KSEQ_INIT(gzFile, gzread_or_end), which ends the text at an error, and ask gzerror after the last record. The
 * macro ks_err is defined by the former and not by the latter.
 *
 *   GZ_SET_DESC(desc)   a statement that sets fields of the biost_stream_desc before each open: define it before
 *                       this is included, as in
 *                       #define GZ_SET_DESC(desc) (desc)->workers = 8;
 *   GZ_ON_ERROR(text)   a statement in the place of the line on stderr; text is gzerror's sentence, a const char *
 */
#ifndef GZ_OVER_BIOSTREAM_H
#define GZ_OVER_BIOSTREAM_H

#ifndef BIOSTREAM_H
#include "biostream.h"
#endif

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#ifndef GZ_SET_DESC
#define GZ_SET_DESC(desc)
#endif

#ifndef GZ_ON_ERROR
#define GZ_ON_ERROR(text) fprintf(stderr, "%s\n", text);
#endif

#ifndef Z_OK
#define Z_OK           0
#define Z_STREAM_END   1
#define Z_ERRNO        (-1)
#define Z_STREAM_ERROR (-2)
#define Z_DATA_ERROR   (-3)
#define Z_MEM_ERROR    (-4)
#define Z_BUF_ERROR    (-5)
#endif

#ifndef ZCONF_H /* zlib.h is not there */
typedef unsigned int uInt;
typedef unsigned long uLong;
typedef unsigned char Bytef;
typedef void *voidp;
typedef long z_off_t;
#endif

typedef struct gz_over_file {
    biost_stream_desc desc;
    biost_stream *stream;
    int fd;           /* to close, or -1 */
    int64_t fd_start; /* where its text begins, to go back there; -1: it is a pipe */
    int at_end;
    biost_result ended; /* the error that a read came to; a refused seek is none */
    uint64_t position;
} gz_over_file, *gz_over_handle;

/* zlib's own number for a result. */
static BIOST_MAYBE_UNUSED int gz_over_code(biost_result result) {
    switch (result) {
    case BIOST_ERR_ARG: return Z_STREAM_ERROR;
    case BIOST_ERR_NOMEM: return Z_MEM_ERROR;
    case BIOST_ERR_GZIP:
    case BIOST_ERR_UNSUPPORTED: return Z_DATA_ERROR;
    default: return result < 0 ? Z_ERRNO : Z_OK;
    }
}

static BIOST_MAYBE_UNUSED gz_over_file *gz_over_begin(const char *path, int fd, const char *mode) {
    biost_error error;
    gz_over_file *file = NULL;
    if (mode == NULL || mode[0] != 'r' || strchr(mode, '+') != NULL) {
        errno = EINVAL;
        return NULL;
    }
    if (!BIOST_VERSION_FITS(biost_version())) { /* there is no other way to say it */
        fprintf(
            stderr,
            "gzopen: this program was compiled with biostream.h %d.%d.%d, and biostream %u.%u.%u is linked\n",
            BIOST_VERSION_MAJOR, BIOST_VERSION_MINOR, BIOST_VERSION_PATCH, biost_version() / 10000,
            biost_version() / 100 % 100, biost_version() % 100);
        errno = EINVAL;
        return NULL;
    }
    file = (gz_over_file *)calloc(1, sizeof *file);
    if (file == NULL) {
        return NULL;
    }
    file->desc.path = path;
    file->desc.has_fd = path == NULL;
    file->desc.fd = path == NULL ? fd : 0;
    file->desc.workers = 4;
    GZ_SET_DESC(&file->desc)
    file->fd = file->desc.has_fd ? fd : -1;
    file->fd_start = file->desc.has_fd ? (int64_t)lseek(fd, 0, SEEK_CUR) : -1;
    if (biost_stream_open(&file->desc, &file->stream, &error) != BIOST_OK) {
        free(file);
        errno = error.os_error != 0 ? error.os_error : EIO;
        return NULL;
    }
    return file;
}

static BIOST_MAYBE_UNUSED gz_over_file *gz_over_open(const char *path, const char *mode) {
    return path == NULL ? NULL : gz_over_begin(path, -1, mode);
}

/* The descriptor is the file's from here on, as with zlib. */
static BIOST_MAYBE_UNUSED gz_over_file *gz_over_dopen(int fd, const char *mode) {
    return fd < 0 ? NULL : gz_over_begin(NULL, fd, mode);
}

static BIOST_MAYBE_UNUSED const char *gz_over_error(gz_over_file *file, int *out_code) {
    int has_ended = file != NULL && file->ended < 0;
    const biost_error *error = has_ended ? biost_stream_error(file->stream) : NULL;
    if (out_code != NULL) {
        *out_code = file == NULL ? Z_STREAM_ERROR : has_ended ? gz_over_code(file->ended) : Z_OK;
    }
    return error != NULL ? error->text : has_ended ? biost_result_text(file->ended) : "";
}

static BIOST_MAYBE_UNUSED int gz_over_read(gz_over_file *file, void *to, unsigned bytes) {
    size_t got = 0;
    biost_result result;
    int is_told = file != NULL && file->ended < 0;
    if (file == NULL || bytes > 0x7FFFFFFFu) {
        return -1;
    }
    if (bytes == 0) {
        return 0;
    }
    result = file->stream == NULL ? file->ended : biost_stream_read(file->stream, to, bytes, &got);
    file->ended = result < 0 ? result : BIOST_OK;
    file->position += got;
    file->at_end = result != BIOST_OK || got < bytes;
    if (result < 0 && !is_told) {
        GZ_ON_ERROR(gz_over_error(file, NULL))
    }
    return result == BIOST_OK ? (int)got : result == BIOST_END ? 0 : -1;
}

/* Returns the whole items read; one that the end cuts off is read and not counted. */
static BIOST_MAYBE_UNUSED size_t gz_over_fread(void *to, size_t bytes, size_t count, gz_over_file *file) {
    size_t want = bytes == 0 || count > SIZE_MAX / bytes ? 0 : bytes * count, all = 0;
    int got = 1;
    while (all < want && got > 0) {
        size_t part = want - all < 0x40000000u ? want - all : 0x40000000u;
        got = gz_over_read(file, (char *)to + all, (unsigned)part);
        all += got > 0 ? (size_t)got : 0;
    }
    return bytes == 0 ? 0 : all / bytes;
}

/* As gzread, but an error is the end. */
static BIOST_MAYBE_UNUSED int gz_over_read_or_end(gz_over_file *file, void *to, unsigned bytes) {
    int got = gz_over_read(file, to, bytes);
    return got < 0 ? 0 : got;
}

/* What one of zlib's numbers says: gzerror has the sentence with file and byte. */
static BIOST_MAYBE_UNUSED const char *gz_over_words(int code) {
    switch (code) {
    case Z_OK: return "all is well";
    case Z_STREAM_END: return "the end";
    case Z_ERRNO: return "the file cannot be read, or closed";
    case Z_STREAM_ERROR: return "an argument is wrong";
    case Z_DATA_ERROR: return "the file is damaged, or was cut off";
    case Z_MEM_ERROR: return "there is no memory";
    default: return "an error of another kind";
    }
}

/* Returns 0, or zlib's number of the error that ended the text. */
static BIOST_MAYBE_UNUSED int gz_over_close(gz_over_file *file) {
    int code = Z_OK;
    if (file == NULL) {
        return Z_STREAM_ERROR;
    }
    (void)gz_over_error(file, &code);
    biost_stream_close(file->stream);
    if (file->fd >= 0 && close(file->fd) != 0 && code == Z_OK) {
        code = Z_ERRNO;
    }
    free(file);
    return code;
}

static BIOST_MAYBE_UNUSED int gz_over_eof(gz_over_file *file) {
    return file != NULL && file->at_end;
}

static BIOST_MAYBE_UNUSED int64_t gz_over_tell(gz_over_file *file) {
    return file == NULL ? -1 : (int64_t)file->position;
}

/* A stream goes back in a file that it opened; a descriptor is read anew from where it was. */
static BIOST_MAYBE_UNUSED biost_result gz_over_go(gz_over_file *file, uint64_t offset) {
    biost_error error;
    if (file->fd >= 0 && offset < file->position) {
        if (file->fd_start < 0 || (int64_t)lseek(file->fd, file->fd_start, SEEK_SET) != file->fd_start) {
            return BIOST_ERR_UNSUPPORTED;
        }
        biost_stream_close(file->stream);
        file->stream = NULL;
        file->ended = biost_stream_open(&file->desc, &file->stream, &error);
        if (file->ended != BIOST_OK) {
            return file->ended;
        }
        file->position = 0;
    }
    return offset == file->position ? BIOST_OK : biost_stream_seek(file->stream, offset);
}

/* As zlib's: after a seek past the end there is nothing to read. */
static BIOST_MAYBE_UNUSED int64_t gz_over_seek(gz_over_file *file, int64_t offset, int whence) {
    if (file == NULL || (whence != SEEK_SET && whence != SEEK_CUR)) {
        return -1;
    }
    offset += whence == SEEK_CUR ? (int64_t)file->position : 0;
    if (offset < 0 || file->stream == NULL || gz_over_go(file, (uint64_t)offset) < 0) {
        return -1;
    }
    file->position = (uint64_t)offset;
    file->at_end = 0;
    file->ended = BIOST_OK;
    return offset;
}

static BIOST_MAYBE_UNUSED int gz_over_rewind(gz_over_file *file) {
    return gz_over_seek(file, 0, SEEK_SET) == 0 ? 0 : -1;
}

static BIOST_MAYBE_UNUSED int gz_over_getc(gz_over_file *file) {
    unsigned char byte;
    return gz_over_read(file, &byte, 1) == 1 ? byte : -1;
}

static BIOST_MAYBE_UNUSED char *gz_over_gets(gz_over_file *file, char *to, int bytes) {
    int count = 0, byte = 0;
    while (count + 1 < bytes && byte != '\n' && (byte = gz_over_getc(file)) >= 0) {
        to[count++] = (char)byte;
    }
    if (count == 0) {
        return NULL;
    }
    to[count] = '\0';
    return to;
}

static BIOST_MAYBE_UNUSED int gz_over_buffer(gz_over_file *file, unsigned bytes) {
    (void)bytes; /* the stream's own are as large as it needs */
    return file == NULL ? -1 : 0;
}

/* Some of these are macros in zlib.h. */
#undef gzopen
#undef gzseek
#undef gztell
#undef gzgetc
#undef gzfread
#undef zError
#define gzFile        gz_over_handle
#define gzopen        gz_over_open
#define gzdopen       gz_over_dopen
#define gzread        gz_over_read
#define gzread_or_end gz_over_read_or_end
#define gzclose       gz_over_close
#define gzclose_r     gz_over_close
#define gzerror       gz_over_error
#define gzeof         gz_over_eof
#define gzrewind      gz_over_rewind
#define gzseek        gz_over_seek
#define gztell        gz_over_tell
#define gzbuffer      gz_over_buffer
#define gzgetc        gz_over_getc
#define gzgets        gz_over_gets
#define gzfread       gz_over_fread
#define zError        gz_over_words

#endif /* GZ_OVER_BIOSTREAM_H */
