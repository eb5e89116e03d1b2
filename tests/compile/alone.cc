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
static_assert(BIOST_ID_PATH((int64_t(3) << 40) + 7) == 3 && BIOST_ID_RECORD((int64_t(3) << 40) + 7) == 7,
              "the parts of an id, in constants too");
static_assert(BIOST_ID_PATH((int64_t(8388607) << 40) + ((int64_t(1) << 40) - 1)) == 8388607, "the last path");
static_assert(BIOST_ID_RECORD((int64_t(8388607) << 40) + ((int64_t(1) << 40) - 1)) == 1099511627775u,
              "the last record");
