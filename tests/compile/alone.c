/* The header by itself in a C file that includes nothing else: all that it needs it includes. */
#include "../../biostream.h"

struct alone {
    biost_reader_desc desc;
    biost_error error;
    biost_batch batch;
};

/* All types of the header are complete. */
typedef char alone_complete[sizeof(struct alone) > 0 ? 1 : -1];
