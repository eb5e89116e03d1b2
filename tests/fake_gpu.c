/*
 * fake_gpu.c - fake_libcuda.c with one device, which obeys two of CUDA's variables: CUDA_VISIBLE_DEVICES where it is empty,
 * and CUDA_DISABLE_PTX_JIT=1. With it in the driver's place, found by LD_LIBRARY_PATH, tests/test_gpu_scripts.sh runs what
 * needs a GPU without one.
 */
#include "fake_libcuda.c"

__attribute__((constructor)) static void fake_gpu_begin(void) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES"), *no_jit = getenv("CUDA_DISABLE_PTX_JIT");
    fake_libcuda.device_count = 1;
    if (visible != NULL && *visible == '\0') {
        fake_libcuda.fail_name = "cuInit";
        fake_libcuda.fail_number = 100; /* CUDA_ERROR_NO_DEVICE */
    } else if (no_jit != NULL && strcmp(no_jit, "1") == 0) {
        fake_libcuda.fail_name = "cuModuleLoadData";
        fake_libcuda.fail_number = 223; /* CUDA_ERROR_JIT_COMPILATION_DISABLED */
    }
}
