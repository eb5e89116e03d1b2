/* The header by itself in a C file that includes nothing else: all that it needs it includes, biostream.h too. */
#include "../../biostream_cuda.h"

struct cuda_alone {
    biost_cuda_desc desc;
    biost_cuda_batch batch;
    biost_cuda_provider provider;
    biost_cuda_table table;
    biost_cuda_span span;
    biost_error error;
};

/* All types of the header are complete. */
typedef char cuda_alone_complete[sizeof(struct cuda_alone) > 0 ? 1 : -1];
