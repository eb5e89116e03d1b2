/* The first of two translation units: it has the implementation, and uses it. */
#define BIOSTREAM_IMPLEMENTATION
#include "../../biostream.h"

#include "two_units.h"

uint64_t two_units_a_bases(void) {
    return two_units_bases();
}
