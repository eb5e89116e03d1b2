/*
 * fx_npy.h - files of NumPy's format .npy, version 1.0: one array each, rows of one shape.
 *
 * A file is a header in ASCII, which names type and shape and whose bytes are a multiple of 64, then the
 * array, the last axis fastest. Numbers are in the byte order of the machine, which the type's name tells.
 *
 * Include it after biostream.h and fx.h. fx_npy_header makes the header of an array whose shape is known.
 * Where the rows are counted as they come: fx_npy_begin, fx_npy_put, fx_npy_end.
 */
#ifndef FX_NPY_H
#define FX_NPY_H

enum {
    FX_NPY_HEADER = 256, /* most bytes of a header                              */
    FX_NPY_MAGIC = 10    /* bytes before the words: magic, version, length      */
};

/* NumPy's name of a type: byte order, kind, bytes. bf16 is <u2, because NumPy has none. */
static inline const char *fx_npy_type(biost_dtype dtype) {
    static const char *const types[2][6] = {{"|u1", "<f2", "<f4", "<u2", "<i4", "<i8"},
                                            {"|u1", ">f2", ">f4", ">u2", ">i4", ">i8"}};
    const uint16_t one = 1;
    return types[*(const unsigned char *)&one == 0][dtype];
}

/* Bytes of one number. */
static inline size_t fx_npy_size(biost_dtype dtype) {
    static const size_t sizes[] = {1, 2, 4, 2, 4, 8};
    return sizes[dtype];
}

/*
 * Make the header: `type` as fx_npy_type, or |Sn for texts of n bytes; 1 to 4 axes. It is as long as one of
 * `least_bytes` at least. Returns its bytes.
 */
static inline size_t fx_npy_header(const char *type, const int64_t *shape, uint32_t ndim, size_t least_bytes,
                                   char out[FX_NPY_HEADER]) {
    size_t used = FX_NPY_MAGIC, total;
    uint32_t at;
    used += (size_t)snprintf(out + used, FX_NPY_HEADER - used,
                             "{'descr': '%.24s', 'fortran_order': False, 'shape': (", type);
    for (at = 0; at < ndim; ++at) {
        used += (size_t)snprintf(out + used, FX_NPY_HEADER - used, "%s%" PRId64, at > 0 ? ", " : "",
                                 shape[at]);
    }
    used += (size_t)snprintf(out + used, FX_NPY_HEADER - used, "%s), }", ndim == 1 ? "," : "");
    total = (used + 1 + 63) / 64 * 64;
    total = total < least_bytes ? least_bytes : total;
    memset(out + used, ' ', total - used);
    out[total - 1] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)((total - FX_NPY_MAGIC) & 255);
    out[9] = (char)((total - FX_NPY_MAGIC) >> 8);
    return total;
}

/* A file to which rows are added; how many they are is written at the end. */
typedef struct fx_npy {
    fx_save save;
    char type[24];
    int64_t shape[4]; /* shape[0]: rows so far                                         */
    uint32_t ndim;
    size_t row_bytes;    /* of the array, without what may lie between rows               */
    size_t header_bytes; /* with room for any number of rows                              */
} fx_npy;

/* `shape` [ndim]; the first is not looked at. `element_bytes`: of one number, or text. `path` must stay. */
static inline void fx_npy_begin(fx_npy *npy, const char *path, const char *type, size_t element_bytes,
                                const int64_t *shape, uint32_t ndim) {
    char header[FX_NPY_HEADER];
    uint32_t at;
    memset(npy, 0, sizeof *npy);
    snprintf(npy->type, sizeof npy->type, "%s", type);
    npy->ndim = ndim;
    npy->row_bytes = element_bytes;
    for (at = 1; at < ndim; ++at) {
        npy->shape[at] = shape[at];
        npy->row_bytes *= (size_t)shape[at];
    }
    npy->shape[0] = INT64_MAX; /* the longest header, for its room */
    npy->header_bytes = fx_npy_header(npy->type, npy->shape, ndim, 0, header);
    npy->shape[0] = 0;
    fx_npy_header(npy->type, npy->shape, ndim, npy->header_bytes, header);
    fx_save_begin(&npy->save, path);
    if (npy->save.in_place) {
        errno = ESPIPE; /* the rows are counted last and stand first */
        fx_save_fail(&npy->save, "going back to its begin");
    }
    fx_save_put(&npy->save, header, npy->header_bytes);
}

/* Add rows, `stride_bytes` from one to the next. */
static inline void fx_npy_put(fx_npy *npy, const void *rows, uint64_t count, size_t stride_bytes) {
    uint64_t row;
    if (stride_bytes == npy->row_bytes && count <= SIZE_MAX / (npy->row_bytes + 1)) {
        fx_save_put(&npy->save, rows, (size_t)count * npy->row_bytes);
    } else {
        for (row = 0; row < count; ++row) {
            fx_save_put(&npy->save, (const char *)rows + (size_t)row * stride_bytes, npy->row_bytes);
        }
    }
    npy->shape[0] += (int64_t)count;
}

/*
 * Write how many rows there are, and end the file. Returns an exit code, after a sentence if anything
 * failed.
 */
static inline int fx_npy_end(fx_npy *npy, const char *program) {
    char header[FX_NPY_HEADER];
    fx_npy_header(npy->type, npy->shape, npy->ndim, npy->header_bytes, header);
    if (npy->save.failed == NULL && fseek(npy->save.file, 0, SEEK_SET) != 0) {
        fx_save_fail(&npy->save, "going back to its begin");
    }
    fx_save_put(&npy->save, header, npy->header_bytes);
    return fx_save_end(&npy->save, program);
}

/* Leave the file out: what was there before stays. */
static inline void fx_npy_drop(fx_npy *npy) {
    if (npy->save.file != NULL) {
        fclose(npy->save.file);
        if (!npy->save.in_place) {
            (void)fx_remove(npy->save.temporary);
        }
        npy->save.file = NULL;
    }
}

#endif /* FX_NPY_H */
