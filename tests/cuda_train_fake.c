/*
 * cuda_train_fake.c - examples/cuda_train.c over CUDA's driver as tests/fake_libcuda.c plays it, in place of the dummy:
 * the same calls that a GPU gets, with streams and events, over host memory, so that the loops in place of kernels can
 * read it. Prints what the example prints; says on stderr, and ends with 1, if a call was one that CUDA would refuse,
 * or something is still open at the end. Built with FAKE_LIBCUDA, the folder of the fake libraries, by tests/cuda.sh.
 */
struct biost_cuda_provider;
static const struct biost_cuda_provider *train_provider(void);
#define TRAIN_PROVIDER train_provider
#define main           train_main
#include "../examples/cuda_train.cu"
#undef main

#include "fake_libcuda.h"

static const biost_cuda_provider *train_provider(void) {
    return biost_cuda_driver();
}

int main(int argc, char **argv) {
    void *library;
    const fake_libcuda_control *control = fake_libcuda_fresh(&library);
    int result;
    if (control == NULL) {
        fprintf(stderr, "the fake driver is not found\n");
        return 1;
    }
    result = train_main(argc, argv);
    if (control->live != 0 || control->misuse != 0) {
        fprintf(stderr, "%ld objects are open, %u calls were misuse\n", control->live, control->misuse);
        return 1;
    }
    return result;
}
