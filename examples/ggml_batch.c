/*
 * ggml_batch - a batch as a tensor of ggml, over the same memory.
 *
 * Shows: what ggml calls ne and nb, sizes and strides in bytes, innermost first, are a biost_tensor's shape and strides,
 * outermost first. Batches are F32, F16, BF16, I32 or I64, for which ggml has types. Data stays valid until the release.
 *
 *   cc -O2 examples/ggml_batch.c -o ggml_batch -pthread
 *   cc -O2 -DWITH_GGML -Iggml/include examples/ggml_batch.c -o ggml_batch -lggml-base -pthread
 *
 *   $ build/examples/ggml_batch examples/data/tenx_v2_R2_cdna.fastq.gz
 *   x: ne 4 104 20 1, nb 4 16 1664 33280
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <inttypes.h>
#include <stdio.h>
#ifdef WITH_GGML
#include <ggml.h>
#else /* of ggml's tensor what is set here */
enum ggml_type {
    GGML_TYPE_F32 = 0,
    GGML_TYPE_F16 = 1,
    GGML_TYPE_I32 = 26,
    GGML_TYPE_I64 = 27,
    GGML_TYPE_BF16 = 30
};
struct ggml_tensor {
    enum ggml_type type;
    int64_t ne[4];
    size_t nb[4];
    void *data;
};
#endif

/* Fill in what ggml_new_tensor would, and where the batch has it. U8, for which ggml has no type, is refused with 0. */
static int lend(const biost_tensor *from, struct ggml_tensor *to) {
    static const enum ggml_type types[] = {GGML_TYPE_F32,  GGML_TYPE_F16, GGML_TYPE_F32,
                                           GGML_TYPE_BF16, GGML_TYPE_I32, GGML_TYPE_I64};
    static const size_t sizes[] = {1, 2, 4, 2, 4, 8}; /* by biost_dtype */
    uint32_t i;
    to->type = types[from->dtype];
    to->data = from->data;
    for (i = 0; i < 4; ++i) {
        to->ne[i] = i < from->ndim ? from->shape[from->ndim - 1 - i] : 1;
        to->nb[i] = i < from->ndim ? (size_t)from->strides[from->ndim - 1 - i] * sizes[from->dtype]
                                   : to->nb[i - 1] * (size_t)to->ne[i - 1];
    }
    return from->dtype != BIOST_DTYPE_U8;
}

int main(int argc, char **argv) {
    biost_loader *loader = NULL;
    biost_batch batch;
    biost_error error;
    struct ggml_tensor x = {0};
    biost_result result = biost_loader_open_text("encoding.dtype f32 tail short",
                                                 (const char *const *)argv + 1, (uint32_t)(argc - 1), &loader,
                                                 &error);
    result = result == BIOST_OK ? biost_loader_begin(loader, 0) : result;
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        if (lend(&batch.x, &x)) { /* here a graph would be computed over x */
            printf("x: ne %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 ", nb %u %u %u %u\n", x.ne[0],
                   x.ne[1], x.ne[2], x.ne[3], (unsigned)x.nb[0], (unsigned)x.nb[1], (unsigned)x.nb[2],
                   (unsigned)x.nb[3]);
        }
        biost_loader_release(loader, &batch);
    }
    if (result < 0) {
        fprintf(stderr, "%s\n", loader != NULL ? biost_loader_error(loader)->text : error.text);
    }
    biost_loader_close(loader);
    return result != BIOST_END;
}
