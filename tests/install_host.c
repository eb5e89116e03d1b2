/*
 * install_host.c - a program of somebody else's for tests/install.sh: count the records of a file. It is C and C++, has
 * the implementation inside where HOST_IMPLEMENTS is defined, and else is linked with the library.
 */
#ifdef HOST_IMPLEMENTS
#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_CUDA_IMPLEMENTATION
#endif
#include <biostream_cuda.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    biost_reader_desc desc;
    biost_reader *reader;
    biost_record record;
    biost_error error;
    biost_result result;
    unsigned long count = 0;
    memset(&desc, 0, sizeof desc);
    desc.path = argc > 1 ? argv[1] : "";
    if (biost_reader_open(&desc, &reader, &error) != BIOST_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    while ((result = biost_reader_next(reader, &record)) == BIOST_OK) {
        ++count;
    }
    if (result < 0) {
        fprintf(stderr, "%s\n", biost_reader_error(reader)->text);
    }
    biost_reader_close(reader);
    /* The other header's code is there too; the dummy needs no GPU. */
    if (biost_cuda_dummy() == NULL) {
        return 1;
    }
    printf("%lu\n", count);
    return result < 0;
}
