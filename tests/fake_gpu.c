/*
 * fake_gpu.c - fake_libcuda.c for whole programs: a libcuda.so.1 that they find by LD_LIBRARY_PATH, whose kernels are
 * loops, and that obeys the two variables of CUDA's by which tests/gpu_check.sh sees other drivers. With it the scripts
 * that need a GPU can be run without one; their figures say nothing. See tests/test_gpu_scripts.sh.
 *
 *   cc -O1 -shared -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -Wl,--gc-sections \
 *      -Wl,-soname,libcuda.so.1 tests/fake_gpu.c -o DIR/libcuda.so.1
 */
#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "fake_libcuda.c"

static void expand(const biost_cuda_expansion *expansion) {
    (void)biost_cuda_expand_host(expansion);
}

__attribute__((constructor)) static void fake_gpu_begin(void) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES"), *no_jit = getenv("CUDA_DISABLE_PTX_JIT");
    fake_libcuda.expand = expand;
    fake_libcuda.device_count = 1;
    if (visible != NULL && *visible == '\0') {
        fake_libcuda.fail_name = "cuInit";
        fake_libcuda.fail_number = 100; /* CUDA_ERROR_NO_DEVICE */
    } else if (no_jit != NULL && strcmp(no_jit, "1") == 0) {
        fake_libcuda.fail_name = "cuModuleLoadData";
        fake_libcuda.fail_number = 223; /* CUDA_ERROR_JIT_COMPILATION_DISABLED */
    }
}
