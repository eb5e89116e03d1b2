/*
 * All functions static, for a library that lives inside one file: the object exports main and nothing else. The
 * host calls few of the functions, and is not warned about the others.
 */
#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_STATIC
#include "../../biostream.h"

int main(void) {
    return biost_result_name(BIOST_OK) == NULL;
}
