/* The implementation of biostream.h, for the library in CMakeLists.txt. */
#define BIOSTREAM_IMPLEMENTATION
#include "../../biostream.h"
