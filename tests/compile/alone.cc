/* The header by itself in a C++ file that includes nothing else: all that it needs it includes. */
#include "../../biostream.h"

namespace {

struct alone {
    biost_reader_desc desc;
    biost_error error;
    biost_batch batch;
};

} // namespace

static_assert(sizeof(alone) > 0, "all types of the header are complete");

/* Names of macros would be nobody else's any more, in any namespace; these are functions. */
#if defined(BIOST_ID_PATH) || defined(BIOST_ID_RECORD)
#error "in C++ these are no macros"
#endif
