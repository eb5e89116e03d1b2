/*
 * kseq_over_biostream.h - kseq.h's types and calls over biost_reader: a program includes this in its place.
 *
 *     #include <zlib.h>
 *     #include "kseq_over_biostream.h"            // was: "kseq.h"
 *     KSEQ_INIT(gzFile, gzread)                   // and all that follows stays
 *
 * One file of the program, or a file of its own, has the implementation of biostream.h; compile with -pthread.
 * The text comes from the program's own read function; compressed text, as from KSEQ_INIT(int, read), is
 * inflated and checked. With gz_over_biostream.h in the place of zlib.h several threads inflate.
 *
 * What there is: KSEQ_INIT, KSEQ_INIT2, KSEQ_DECLARE; kseq_init, kseq_read, kseq_rewind, kseq_destroy; kseq_t
 * with name, comment, seq, qual, is_fastq, last_char (always 0) and f; kstring_t; and for other tables
 * KSTREAM_INIT, KSTREAM_DECLARE, ks_init, ks_getc, ks_getuntil, ks_getuntil2, ks_eof, ks_err, ks_rewind, ks_destroy.
 * The four texts are the program's own memory from malloc, as with kseq.h: it may write to them, or make them larger.
 * A kseq_t or kstream_t is used by one thread at a time.
 *
 * kseq_read returns, and until kseq_rewind returns again:
 *   >= 0  the number of bases
 *   -1    the end; verified, unless read_function hides what is wrong, as zlib's gzread does with a file that
 *         was cut off. With gz_over_biostream.h, or KSEQ_INIT(int, read), it does not
 *   -2    a record has fewer qualities than bases, or more. As in kseq.h the next call goes on after it
 *   -3    the program's read function failed, the bytes are damaged, or memory is short
 * -1 and -3 stay until kseq_rewind. kseq_error(seq) is the sentence of -2 or -3, else NULL. A program that ends its
 * loop at any of the three, as most do, checks the code after the loop; for those that do not, the first -2 and
 * a -3 put their sentence on stderr.
 *
 * Define before this is included, if you like:
 *
 *   KSEQ_ON_ERROR(text)  a statement in the place of the line on stderr; text is the sentence, a const char *
 *   KSEQ_STRICT          the rules of biostream.h, WHAT IS ACCEPTED, in the place of kseq.h's. -2: the text is bad
 *                        by them; it stays
 *   KSEQ_SET_DESC(desc)  statements that set fields of the biost_reader_desc before reading begins, as in
 *                        #define KSEQ_SET_DESC(desc) (desc)->max_record_bytes = 1 << 20;
 *
 * What differs from kseq.h: examples/FROM.md.
 */
#ifndef KSEQ_OVER_BIOSTREAM_H
#define KSEQ_OVER_BIOSTREAM_H

/* kseq.h's own guard: only one of the two can be had. */
#ifdef AC_KSEQ_H
#error "include kseq_over_biostream.h in the place of kseq.h, not beside it"
#endif
#define AC_KSEQ_H

#ifndef BIOSTREAM_H
#include "biostream.h"
#endif

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef KSEQ_SET_DESC
#define KSEQ_SET_DESC(desc)
#endif

#ifndef KSEQ_ON_ERROR
#define KSEQ_ON_ERROR(text) fprintf(stderr, "%s\n", text);
#endif

#ifndef KSTRING_T
#define KSTRING_T kstring_t
typedef struct kstring_t {
    size_t l, m;
    char *s;
} kstring_t;
#endif

#ifndef kroundup32
#define kroundup32(x) \
    (--(x), (x) |= (x) >> 1, (x) |= (x) >> 2, (x) |= (x) >> 4, (x) |= (x) >> 8, (x) |= (x) >> 16, ++(x))
#endif
#ifndef kroundup64
#define kroundup64(x)                                                                             \
    (--(x), (x) |= (x) >> 1, (x) |= (x) >> 2, (x) |= (x) >> 4, (x) |= (x) >> 8, (x) |= (x) >> 16, \
     (x) |= (x) >> 32, ++(x))
#endif

#define KS_SEP_SPACE 0 /* any blank of isspace() */
#define KS_SEP_TAB   1 /* any but ' ' */
#define KS_SEP_LINE  2 /* LF, and a CR before it */
#define KS_SEP_MAX   2

/* What a kstream_t is apart from the type of its file. */
typedef struct kseq_over {
    int64_t (*read)(void *to, size_t bytes, void *user_data);
    void *user_data;
    unsigned char *bytes; /* [capacity] what ks_getc and ks_getuntil have read, from `begin` to `end` */
    size_t capacity;
    int64_t begin, end;
    int is_eof;
    biost_reader *reader; /* once kseq_read was called */
    int is_loose;         /* a record without as many qualities as bases is told by -2 */
    int has_next;         /* `result` and `record` are of a record that was read and not given yet */
    biost_result result;
    biost_record record;
    uint64_t given;    /* records that kseq_read has given or told, and so the number of the next */
    uint64_t bad;      /* records it has told */
    uint64_t bad_seen; /* and those that the reader has met */
    int code;          /* what kseq_read goes on to return; 0: it may go on */
    char seen[4][256]; /* sentences of the last four that the reader has met */
    char error[256];   /* the sentence of the code that was returned last; empty: of a record, or the end */
} kseq_over;

/* ---- strings ---------------------------------------------------------------- */

/* Make room for `bytes` more and a NUL. Returns 0 without memory. */
static BIOST_MAYBE_UNUSED int kseq_over_reserve(kstring_t *string, size_t bytes) {
    size_t size = string->m < 64 ? 64 : string->m;
    char *grown;
    if (bytes >= SIZE_MAX / 2 - string->l) {
        return 0;
    }
    if (string->s != NULL && string->m > string->l + bytes) {
        return 1;
    }
    while (size <= string->l + bytes) {
        size *= 2;
    }
    grown = (char *)realloc(string->s, size);
    if (grown == NULL) {
        return 0;
    }
    string->s = grown;
    string->m = size;
    return 1;
}

static BIOST_MAYBE_UNUSED int kseq_over_append(kstring_t *string, const void *from, size_t bytes) {
    if (!kseq_over_reserve(string, bytes)) {
        return 0;
    }
    if (bytes > 0) {
        memcpy(string->s + string->l, from, bytes);
    }
    string->l += bytes;
    string->s[string->l] = '\0';
    return 1;
}

static BIOST_MAYBE_UNUSED int kseq_over_assign(kstring_t *string, const char *from, size_t bytes) {
    string->l = 0;
    return kseq_over_append(string, from, bytes);
}

/* ---- tables, read by byte and by word --------------------------------------- */

/* Returns 1 if there are bytes, 0 at the end, -3 after an error. */
static BIOST_MAYBE_UNUSED int kseq_over_fill(kseq_over *over) {
    if (over->begin < over->end) {
        return 1;
    }
    if (over->is_eof) {
        return over->end < 0 ? -3 : 0;
    }
    if (over->bytes == NULL && (over->bytes = (unsigned char *)malloc(over->capacity)) == NULL) {
        over->is_eof = 1;
        over->end = -1;
        return -3;
    }
    over->begin = 0;
    over->end = over->read(over->bytes, over->capacity, over->user_data);
    over->is_eof = over->end <= 0;
    return over->end > 0 ? 1 : over->end < 0 ? -3 : 0;
}

/* Returns the byte, -1 at the end, -3 after an error. */
static BIOST_MAYBE_UNUSED int kseq_over_getc(kseq_over *over) {
    int filled = kseq_over_fill(over);
    return filled > 0 ? over->bytes[over->begin++] : filled == 0 ? -1 : filled;
}

static BIOST_MAYBE_UNUSED int kseq_over_separates(int byte, int delimiter) {
    switch (delimiter) {
    case KS_SEP_SPACE: return isspace(byte) != 0;
    case KS_SEP_TAB: return isspace(byte) != 0 && byte != ' ';
    case KS_SEP_LINE: return byte == '\n';
    default: return byte == delimiter;
    }
}

/*
 * Read up to a delimiter, which is taken and not kept. Returns the length, -1 if only the end was left, -3 after
 * an error.
 */
static BIOST_MAYBE_UNUSED int64_t kseq_over_getuntil(kseq_over *over, int delimiter, kstring_t *string,
                                                     int *out_delimiter, int append) {
    int filled, found = 0, any = 0;
    if (out_delimiter != NULL) {
        *out_delimiter = 0;
    }
    string->l = append ? string->l : 0;
    while (!found && (filled = kseq_over_fill(over)) != 0) {
        int64_t at = over->begin;
        if (filled < 0) {
            return -3;
        }
        while (at < over->end && !kseq_over_separates(over->bytes[at], delimiter)) {
            ++at;
        }
        any = 1;
        found = at < over->end;
        if (!kseq_over_append(string, over->bytes + over->begin, (size_t)(at - over->begin))) {
            return -3;
        }
        if (found && out_delimiter != NULL) {
            *out_delimiter = over->bytes[at];
        }
        over->begin = at + found;
    }
    if (!any) {
        return -1;
    }
    if (delimiter == KS_SEP_LINE && string->l > 1 && string->s[string->l - 1] == '\r') {
        string->s[--string->l] = '\0';
    }
    return (int64_t)string->l;
}

/* ---- records ---------------------------------------------------------------- */

/* Forget what was read ahead: the program has moved its file. */
static BIOST_MAYBE_UNUSED void kseq_over_rewind(kseq_over *over) {
    biost_reader_close(over->reader);
    over->reader = NULL;
    over->begin = over->end = 0;
    over->is_eof = over->code = over->has_next = 0;
    over->given = over->bad = over->bad_seen = 0;
    over->error[0] = '\0';
}

/* desc.log: a record was left out, perhaps while records before it are still to be given. */
static BIOST_MAYBE_UNUSED void kseq_over_log(biost_result code, const char *sentence, void *user_data) {
    kseq_over *over = (kseq_over *)user_data;
    if (code == BIOST_ERR_TEXT) {
        snprintf(over->seen[over->bad_seen++ & 3], sizeof over->seen[0], "%s", sentence);
    }
}

static BIOST_MAYBE_UNUSED biost_result kseq_over_open(kseq_over *over) {
    biost_reader_desc desc;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    desc.callback.read = over->read;
    desc.callback.user_data = over->user_data;
    desc.callback.name = "kseq_t";
    desc.log.line = kseq_over_log;
    desc.log.user_data = over;
#ifndef KSEQ_STRICT
    {
        static const biost_text_rules as_kseq = BIOST_TEXT_AS_KSEQ;
        desc.text = as_kseq;
        desc.text.skip_bad = UINT64_MAX;
        desc.max_record_bytes = INT32_MAX;
    }
#endif
    if (!BIOST_VERSION_FITS(biost_version())) {
        snprintf(
            over->error, sizeof over->error,
            "kseq_t: this program was compiled with biostream.h %d.%d.%d, and biostream %u.%u.%u is linked",
            BIOST_VERSION_MAJOR, BIOST_VERSION_MINOR, BIOST_VERSION_PATCH, biost_version() / 10000,
            biost_version() / 100 % 100, biost_version() % 100);
        return BIOST_ERR_UNSUPPORTED;
    }
    KSEQ_SET_DESC(&desc)
    over->is_loose = desc.text.loose;
    if (biost_reader_open(&desc, &over->reader, &error) != BIOST_OK) {
        snprintf(over->error, sizeof over->error, "%s", error.text);
        return error.code;
    }
    return BIOST_OK;
}

/* The end, or an error: it stays. */
static BIOST_MAYBE_UNUSED int kseq_over_stop(kseq_over *over, biost_result result) {
    const biost_error *error = over->reader != NULL && result < 0 ? biost_reader_error(over->reader) : NULL;
    over->is_eof = 1;
    over->code = result == BIOST_END                                        ? -1
                 : result == BIOST_ERR_TEXT || result == BIOST_ERR_TOO_LONG ? -2
                                                                            : -3;
    if (error != NULL && error->code < 0) {
        snprintf(over->error, sizeof over->error, "%s", error->text);
    } else if (over->code < -1 && over->error[0] == '\0') {
        snprintf(over->error, sizeof over->error, "%s", biost_result_text(result));
    }
    if (over->code < -1) {
        KSEQ_ON_ERROR(over->error)
    }
    return over->code;
}

/* Look at the next record. Returns whether one without as many qualities as bases is before it. */
static BIOST_MAYBE_UNUSED int kseq_over_is_bad(kseq_over *over) {
    uint64_t next = over->record.id;
    biost_record_progress progress;
    if (!over->has_next) {
        over->result = biost_reader_next(over->reader, &over->record);
        over->has_next = 1;
        next = over->record.id;
    }
    if (over->result != BIOST_OK) {
        biost_reader_progress(over->reader, &progress);
        next = progress.record_count + progress.skipped_gaps;
    }
    return over->is_loose && over->given < next;
}

/* Tell a record that was left out. Its sentence is not there any more where many follow one another. */
static BIOST_MAYBE_UNUSED int kseq_over_tell_bad(kseq_over *over) {
    snprintf(over->error, sizeof over->error, "kseq_t: record %llu: not as many qualities as bases",
             (unsigned long long)++over->given);
    if (over->bad_seen - over->bad <= 4 && over->bad_seen > over->bad) {
        snprintf(over->error, sizeof over->error, "%s", over->seen[over->bad & 3]);
    }
    if (over->bad++ == 0) {
        KSEQ_ON_ERROR(over->error)
    }
    return -2;
}

/* The name ends where isspace() says so, and may be empty; the reader's word ends at a blank or a tab alone. */
static BIOST_MAYBE_UNUSED int kseq_over_words(const kseq_over *over, kstring_t *name, kstring_t *comment) {
    const biost_record *record = &over->record;
    size_t end = 0;
    if (!over->is_loose) {
        return kseq_over_assign(name, record->name, record->name_bytes) &&
               kseq_over_assign(comment, record->comment, record->comment_bytes);
    }
    while (end < record->title_bytes && !isspace((unsigned char)record->title[end])) {
        ++end;
    }
    if (!kseq_over_assign(name, record->title, end)) {
        return 0;
    }
    end += end < record->title_bytes;
    return kseq_over_assign(comment, record->title + end, record->title_bytes - end);
}

static BIOST_MAYBE_UNUSED int64_t kseq_over_read(kseq_over *over, kstring_t *name, kstring_t *comment,
                                                 kstring_t *seq, kstring_t *qual, int *out_is_fastq) {
    const biost_record *record = &over->record;
    biost_result result = BIOST_OK;
    comment->l = seq->l = qual->l = 0;
    if (over->code < 0) {
        return over->code;
    }
    over->error[0] = '\0';
    if (over->reader == NULL && (result = kseq_over_open(over)) != BIOST_OK) {
        return kseq_over_stop(over, result);
    }
    if (kseq_over_is_bad(over)) {
        return kseq_over_tell_bad(over);
    }
    if (over->result != BIOST_OK) {
        return kseq_over_stop(over, over->result);
    }
    over->has_next = 0;
    over->given += 1;
    *out_is_fastq = record->qual != NULL;
    if (!kseq_over_words(over, name, comment) || !kseq_over_assign(seq, record->seq, record->seq_bases) ||
        !kseq_over_assign(qual, record->qual, record->qual == NULL ? 0 : record->seq_bases)) {
        return kseq_over_stop(over, BIOST_ERR_NOMEM);
    }
    return (int64_t)record->seq_bases;
}

static BIOST_MAYBE_UNUSED const char *kseq_over_error(const kseq_over *over) {
    return over->error[0] == '\0' ? NULL : over->error;
}

/* ---- what has a type -------------------------------------------------------- */

#define ks_eof(ks)      ((ks)->over.is_eof && (ks)->over.begin >= (ks)->over.end)
#define ks_err(ks)      ((ks)->over.end < 0)
#define ks_rewind(ks)   kseq_over_rewind(&(ks)->over)
#define kseq_rewind(ks) kseq_over_rewind(&(ks)->f->over)
#define kseq_error(ks)  kseq_over_error(&(ks)->f->over)

#define KSEQ_OVER_STREAM_TYPE(type_t) \
    typedef struct kstream_t {        \
        kseq_over over;               \
        type_t f;                     \
    } kstream_t;

#define KSEQ_OVER_STREAM(SCOPE, type_t, read_function, buffer_bytes)                     \
    static int64_t kseq_over_bring(void *to, size_t bytes, void *user_data) {            \
        return (int64_t)read_function(((kstream_t *)user_data)->f, to, (unsigned)bytes); \
    }                                                                                    \
    SCOPE BIOST_MAYBE_UNUSED kstream_t *ks_init(type_t f) {                              \
        kstream_t *ks = (kstream_t *)calloc(1, sizeof *ks);                              \
        if (ks != NULL) {                                                                \
            ks->f = f;                                                                   \
            ks->over.read = kseq_over_bring;                                             \
            ks->over.user_data = ks;                                                     \
            ks->over.capacity = (buffer_bytes);                                          \
        }                                                                                \
        return ks;                                                                       \
    }                                                                                    \
    SCOPE BIOST_MAYBE_UNUSED void ks_destroy(kstream_t *ks) {                            \
        if (ks != NULL) {                                                                \
            biost_reader_close(ks->over.reader);                                         \
            free(ks->over.bytes);                                                        \
            free(ks);                                                                    \
        }                                                                                \
    }

#define KSEQ_OVER_STREAM_CALLS                                                                               \
    static BIOST_MAYBE_UNUSED int ks_getc(kstream_t *ks) {                                                   \
        return kseq_over_getc(&ks->over);                                                                    \
    }                                                                                                        \
    static BIOST_MAYBE_UNUSED int64_t ks_getuntil2(kstream_t *ks, int delimiter, kstring_t *str, int *dret,  \
                                                   int append) {                                             \
        return kseq_over_getuntil(&ks->over, delimiter, str, dret, append);                                  \
    }                                                                                                        \
    static BIOST_MAYBE_UNUSED int64_t ks_getuntil(kstream_t *ks, int delimiter, kstring_t *str, int *dret) { \
        return kseq_over_getuntil(&ks->over, delimiter, str, dret, 0);                                       \
    }

#define KSTREAM_INIT2(SCOPE, type_t, read_function, buffer_bytes) \
    KSEQ_OVER_STREAM_TYPE(type_t)                                 \
    KSEQ_OVER_STREAM(SCOPE, type_t, read_function, buffer_bytes)  \
    KSEQ_OVER_STREAM_CALLS

#define KSTREAM_INIT(type_t, read_function, buffer_bytes) \
    KSTREAM_INIT2(static, type_t, read_function, buffer_bytes)

#define KSEQ_OVER_TYPE                      \
    typedef struct kseq_t {                 \
        kstring_t name, comment, seq, qual; \
        int last_char, is_fastq;            \
        kstream_t *f;                       \
    } kseq_t;

#define KSEQ_OVER_CALLS(SCOPE, type_t)                                                         \
    SCOPE BIOST_MAYBE_UNUSED kseq_t *kseq_init(type_t fd) {                                    \
        kseq_t *seq = (kseq_t *)calloc(1, sizeof *seq);                                        \
        if (seq != NULL && (seq->f = ks_init(fd)) == NULL) {                                   \
            free(seq);                                                                         \
            seq = NULL;                                                                        \
        }                                                                                      \
        return seq;                                                                            \
    }                                                                                          \
    SCOPE BIOST_MAYBE_UNUSED void kseq_destroy(kseq_t *seq) {                                  \
        if (seq != NULL) {                                                                     \
            free(seq->name.s);                                                                 \
            free(seq->comment.s);                                                              \
            free(seq->seq.s);                                                                  \
            free(seq->qual.s);                                                                 \
            ks_destroy(seq->f);                                                                \
            free(seq);                                                                         \
        }                                                                                      \
    }                                                                                          \
    SCOPE BIOST_MAYBE_UNUSED int64_t kseq_read(kseq_t *seq) {                                  \
        return kseq_over_read(&seq->f->over, &seq->name, &seq->comment, &seq->seq, &seq->qual, \
                              &seq->is_fastq);                                                 \
    }

#define KSEQ_INIT2(SCOPE, type_t, read_function)       \
    KSTREAM_INIT2(SCOPE, type_t, read_function, 16384) \
    KSEQ_OVER_TYPE                                     \
    KSEQ_OVER_CALLS(SCOPE, type_t)

#define KSEQ_INIT(type_t, read_function) KSEQ_INIT2(static, type_t, read_function)

/* In the other files of a program where one has KSEQ_INIT2(, type_t, read_function): tables, or records too. */
#define KSTREAM_DECLARE(type_t, read_function) \
    KSEQ_OVER_STREAM_TYPE(type_t)              \
    extern kstream_t *ks_init(type_t f);       \
    extern void ks_destroy(kstream_t *ks);     \
    KSEQ_OVER_STREAM_CALLS

#define KSEQ_DECLARE(type_t)               \
    KSTREAM_DECLARE(type_t, )              \
    KSEQ_OVER_TYPE                         \
    extern kseq_t *kseq_init(type_t fd);   \
    extern void kseq_destroy(kseq_t *seq); \
    extern int64_t kseq_read(kseq_t *seq);

#endif /* KSEQ_OVER_BIOSTREAM_H */
