/*
 * fake_libcuda.h - what a test sets and reads of fake_libcuda.c: its variable `fake_libcuda`. A test that is
 * built with FAKE_LIBCUDA, the folder of the two libraries, loads it here; include white_cuda.h first.
 */
#ifndef FAKE_LIBCUDA_H
#define FAKE_LIBCUDA_H

typedef struct fake_libcuda_control {
    const char *fail_name; /* the call that fails, with fail_number; NULL: none */
    int fail_number;
    int device_count;
    void (*expand)(const biost_cuda_expansion *expansion); /* what kernels do */
    long live;       /* objects opened and not closed, pushed contexts included */
    unsigned misuse; /* calls that the real driver would refuse or crash in */
    char last_kernel[64];
    unsigned last_grid;
    unsigned last_host_flags, last_stream_flags, last_event_flags;
} fake_libcuda_control;

#ifdef FAKE_LIBCUDA
#include <dlfcn.h>

/* The library, so that dlopen of its soname finds it from now on; NULL where that does not work. */
static fake_libcuda_control *fake_libcuda_load(const char *path, void **out_library) {
    void *found;
    *out_library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*out_library == NULL) {
        return NULL;
    }
    found = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (found != NULL) {
        dlclose(found);
    }
    return found == *out_library ? (fake_libcuda_control *)dlsym(*out_library, "fake_libcuda") : NULL;
}

/* The library, as new; NULL where there is none. It stays loaded once the driver has started it. */
static fake_libcuda_control *fake_libcuda_fresh(void **out_library) {
    fake_libcuda_control *control = fake_libcuda_load(FAKE_LIBCUDA "/libcuda_fake.so", out_library);
    if (control != NULL) {
        memset(control, 0, sizeof *control);
        control->device_count = 2;
        control->expand = bsi_cuda_expand_host;
    }
    return control;
}
#endif

#endif /* FAKE_LIBCUDA_H */
