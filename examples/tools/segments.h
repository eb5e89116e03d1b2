/*
 * segments.h - the rows of a genome's regions as three .npy files in a folder, with the same numbers as the
 *              data of Helixer's fasta2h5:
 *
 *   X.npy           [n][L][4]  the bases, as the loader encoded them (for fasta2h5: order C A T G, f16, and on
 *                              the minus strand padding after the bases: BIOST_MINUS_PAD_END)
 *   start_ends.npy  [n][2]     int64; plus strand: [start, end); minus strand: (end, start), because its row
 *                              begins at the end. |start - end| < L where a row is padded
 *   seqids.npy      [n]        names of the sequences, |Sn: texts of n bytes, ended early by a 0
 *
 * A name longer than n bytes is an error, and not cut: two that are cut may be the same.
 *
 * Include it after biostream.h, fx.h and fx_npy.h. In order of use: segments_begin, segments_put with each
 * batch (with names, without pairs), segments_end.
 */
#ifndef FX_SEGMENTS_H
#define FX_SEGMENTS_H

enum { SEGMENTS_FILES = 3, SEGMENTS_X = 0, SEGMENTS_PLACES = 1, SEGMENTS_NAMES = 2 };

typedef struct segments {
    const char *program;
    const char *folder;
    fx_npy files[SEGMENTS_FILES];
    char *paths[SEGMENTS_FILES];
    char *name;        /* [name_bytes] of one row                                     */
    size_t name_bytes; /* n of |Sn                                                    */
    int has_begun;     /* the files are open: with the first batch                    */
} segments;

/* The folder must be there. `name_bytes`: 1 or more; what the loader cuts names at is enough. */
static inline void segments_begin(segments *out, const char *program, const char *folder, size_t name_bytes) {
    memset(out, 0, sizeof *out);
    out->program = program;
    out->folder = folder;
    out->name_bytes = name_bytes > 0 ? name_bytes : 1;
}

/* Places of a row as start_ends has them. */
static inline void segments_place(const biost_row *row, int32_t bases, int64_t out_place[2]) {
    uint64_t start, end;
    int is_minus = row->strand != 0;
    biost_row_span(row, bases, &start, &end);
    out_place[is_minus] = (int64_t)start;
    out_place[!is_minus] = (int64_t)end;
}

/* "FOLDER/NAME", from malloc; NULL after a sentence. */
static inline char *segments_path(const segments *of, const char *name) {
    size_t space = strlen(of->folder) + strlen(name) + 2;
    char *path = (char *)malloc(space);
    if (path == NULL) {
        fx_complain(of->program, "out of memory");
        return NULL;
    }
    snprintf(path, space, "%s/%s", of->folder, name);
    return path;
}

/* Open the files; the shape of X is the first batch's. Returns an exit code. */
static inline int segments_open(segments *of, const biost_tensor *x) {
    static const char *const names[SEGMENTS_FILES] = {"X.npy", "start_ends.npy", "seqids.npy"};
    const int64_t places[2] = {0, 2}, one[1] = {0};
    char text_type[24];
    int at;
    of->name = (char *)malloc(of->name_bytes);
    for (at = 0; at < SEGMENTS_FILES; ++at) {
        of->paths[at] = segments_path(of, names[at]);
        if (of->paths[at] == NULL || of->name == NULL) {
            return FX_BAD_DATA;
        }
    }
    snprintf(text_type, sizeof text_type, "|S%" PRIu64, (uint64_t)of->name_bytes);
    fx_npy_begin(&of->files[SEGMENTS_X], of->paths[SEGMENTS_X], fx_npy_type(x->dtype), fx_npy_size(x->dtype),
                 x->shape, x->ndim);
    fx_npy_begin(&of->files[SEGMENTS_PLACES], of->paths[SEGMENTS_PLACES], fx_npy_type(BIOST_DTYPE_I64), 8,
                 places, 2);
    fx_npy_begin(&of->files[SEGMENTS_NAMES], of->paths[SEGMENTS_NAMES], text_type, of->name_bytes, one, 1);
    of->has_begun = 1;
    return FX_OK;
}

/* Whether a batch has the shape of those before. */
static inline int segments_fits(const segments *of, const biost_tensor *x) {
    const fx_npy *first = &of->files[SEGMENTS_X];
    uint32_t at;
    int fits = x->ndim == first->ndim && strcmp(fx_npy_type(x->dtype), first->type) == 0;
    for (at = 1; at < x->ndim && fits; ++at) {
        fits = x->shape[at] == first->shape[at];
    }
    return fits;
}

/* Whether all files could be written so far. */
static inline int segments_are_good(const segments *of) {
    int at, good = 1;
    for (at = 0; at < SEGMENTS_FILES; ++at) {
        good = good && of->files[at].save.failed == NULL;
    }
    return good;
}

/*
 * Add the rows of a batch, not those of its padding. Returns an exit code. What is wrong with the batch is said
 * here; which file cannot be written is said by segments_end.
 */
static inline int segments_put(segments *of, const biost_batch *batch) {
    const biost_tensor *x = &batch->x;
    uint32_t row;
    if (!of->has_begun && segments_open(of, x) != FX_OK) {
        return FX_BAD_DATA;
    }
    if (!segments_fits(of, x) || batch->names == NULL || batch->mates != 1 || batch->row_samples != NULL) {
        fx_complain(of->program, "segments need rows of one length, names, and one region a row");
        return FX_BAD_DATA;
    }
    fx_npy_put(&of->files[SEGMENTS_X], x->data, batch->valid_rows,
               (size_t)x->strides[0] * fx_npy_size(x->dtype));
    for (row = 0; row < batch->valid_rows; ++row) {
        const char *name = batch->names + batch->name_offsets[row];
        size_t bytes = strlen(name);
        int64_t place[2];
        if (bytes > of->name_bytes) {
            fx_complain_of(of->program, name, "is longer than the names in seqids.npy can be",
                           "it would be cut");
            return FX_BAD_DATA;
        }
        memset(of->name, 0, of->name_bytes);
        memcpy(of->name, name, bytes);
        segments_place(&batch->origins[row], batch->lengths[row], place);
        fx_npy_put(&of->files[SEGMENTS_PLACES], place, 1, sizeof place);
        fx_npy_put(&of->files[SEGMENTS_NAMES], of->name, 1, of->name_bytes);
    }
    return segments_are_good(of) ? FX_OK : FX_BAD_DATA;
}

/*
 * End the files if all went well, with `good`; else leave them out. Without a batch there are none. Returns
 * an exit code.
 */
static inline int segments_end(segments *of, int good) {
    int status = good ? FX_OK : FX_BAD_DATA, said = 0, at;
    for (at = 0; at < SEGMENTS_FILES; ++at) {
        if (of->has_begun && (status == FX_OK || (of->files[at].save.failed != NULL && !said))) {
            status = fx_npy_end(&of->files[at], of->program);
            said = status != FX_OK;
        } else if (of->has_begun) {
            fx_npy_drop(&of->files[at]);
        }
        free(of->paths[at]);
    }
    free(of->name);
    return status;
}

#endif /* FX_SEGMENTS_H */
