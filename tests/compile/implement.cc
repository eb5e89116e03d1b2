/* The implementation in one C++ file: the whole of it, with external linkage. */
#define BIOSTREAM_IMPLEMENTATION
#include "../../biostream.h"
