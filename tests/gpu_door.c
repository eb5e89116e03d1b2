/*
 * gpu_door.c - batches on a device behind plain functions, as a shared library for tests/gpu_dlpack.py: a provider by
 * its name, tensors as DLPack capsules, and beside them the same batches of a plain loader. Python needs to know no
 * struct of ours or of DLPack's.
 *
 *     cc -O2 -shared -fPIC tests/gpu_door.c -o gpu_door.so -ldl -lm -pthread
 *
 * With FAKE_LIBCUDA, the folder of tests/fake_libcuda.c's libraries, the provider "fake" is CUDA's driver over that;
 * with BIOSTREAM_CUDA_RUNTIME=1 and -lcudart there is "runtime".
 */
#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "../biostream_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FAKE_LIBCUDA
#include "fake_libcuda.h"
#endif

typedef struct door {
    biost_cuda *cuda;
    biost_loader *plain;
    biost_batch want; /* of the plain loader, while is_held */
    int is_held, is_host;
    biost_loader_desc loader;
    const char *paths[1];
    const char *end; /* why there is no further batch; empty at the end of the data */
} door;

typedef struct door_batch {
    door *of;
    biost_cuda_batch batch;
} door_batch;

enum { DOOR_ROLE, DOOR_DTYPE, DOOR_DEVICE, DOOR_BYTES, DOOR_NDIM, DOOR_SHAPE, DOOR_STRIDES = DOOR_SHAPE + 4 };

/* For Python; the prototypes are for compilers that ask for them. Streams are CUDA's addresses, as Python has them. */
door *door_open(const char *provider, const char *path, int kind, int dtype, int layout, uint32_t slots,
                char *out_error, size_t error_bytes);
void door_close(door *d);
int door_device_type(const door *d);
int door_device(const door *d);
door_batch *door_next(door *d, size_t stream);
const char *door_end(const door *d);
int door_release(door_batch *held, size_t stream);
int door_tensor(const door_batch *held, uint32_t index, int64_t *out_numbers);
size_t door_address(const door_batch *held, uint32_t index);
int door_read(const door_batch *held, uint32_t index, size_t stream, void *out_bytes);
int door_export(const door_batch *held, uint32_t index, int versioned, size_t stream, void **out_managed);
void *door_capsule(void *managed, int versioned);
int door_want_next(door *d);
const void *door_want(const door *d, uint32_t index, uint64_t *out_bytes);
size_t door_stream_open(door *d);
int door_stream_close(door *d, size_t stream);
int door_capture(door *d, size_t stream, int start);
long door_fake_live(void);
long door_fake_misuse(void);

/* ---- providers ---------------------------------------------------------------------------------------------- */

#ifdef FAKE_LIBCUDA
static fake_libcuda_control *door_control;

static const biost_cuda_provider *door_fake(void) {
    void *library;
    if (door_control == NULL) {
        door_control = fake_libcuda_fresh(&library);
    }
    return door_control != NULL ? biost_cuda_driver() : NULL;
}

/* Objects of the fake driver that are open, and calls of it that the real one would refuse or crash in. */
long door_fake_live(void) {
    return door_control != NULL ? door_control->live : 0;
}

long door_fake_misuse(void) {
    return door_control != NULL ? (long)door_control->misuse : 0;
}
#else
static const biost_cuda_provider *door_fake(void) {
    return NULL;
}

long door_fake_live(void) {
    return 0;
}

long door_fake_misuse(void) {
    return 0;
}
#endif

/* NULL: it is not compiled in. */
static const biost_cuda_provider *door_provider(const char *name) {
    return strcmp(name, "driver") == 0    ? biost_cuda_driver()
           : strcmp(name, "runtime") == 0 ? biost_cuda_runtime()
           : strcmp(name, "fake") == 0    ? door_fake()
           : strcmp(name, "dummy") == 0   ? biost_cuda_dummy()
                                          : NULL;
}

/* ---- opening ------------------------------------------------------------------------------------------------ */

/* Two numbers: the record's bases, and its number in the file. */
static int door_label(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)user_data;
    ((int64_t *)out_label)[0] = (int64_t)record->seq_bases;
    ((int64_t *)out_label)[1] = (int64_t)BIOST_ID_RECORD(id);
    return 1;
}

/*
 * One shuffled epoch of batches of 64 rows with tensors of all roles, on the device and from a plain loader. Reads of
 * 150 bases in 150 columns.
 */
door *door_open(const char *provider, const char *path, int kind, int dtype, int layout, uint32_t slots,
                char *out_error, size_t error_bytes) {
    door *d = (door *)calloc(1, sizeof *d);
    biost_cuda_desc desc;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    memset(&error, 0, sizeof error);
    if (d == NULL) {
        return NULL;
    }
    d->end = "";
    d->paths[0] = path; /* the caller keeps the text until door_close */
    d->loader.paths = d->paths;
    d->loader.path_count = 1;
    d->loader.batch_rows = 64;
    d->loader.row_bases = 150;
    d->loader.long_records = BIOST_LONG_HEAD;
    d->loader.encoding.kind = (biost_encode_kind)kind;
    d->loader.encoding.dtype = (biost_dtype)dtype;
    d->loader.encoding.layout = (biost_layout_kind)layout;
    d->loader.quality.kind = BIOST_QUALITY_PHRED;
    d->loader.quality.dtype = BIOST_DTYPE_F32;
    d->loader.mask = 1;
    d->loader.labels.make = door_label;
    d->loader.labels.dtype = BIOST_DTYPE_I64;
    d->loader.labels.width = 2;
    d->loader.shuffle_rows = 512;
    d->loader.epochs = 1;
    desc.loader = &d->loader;
    desc.device_slots = slots;
    desc.provider = door_provider(provider);
    if (desc.provider == NULL) {
        snprintf(out_error, error_bytes, "the provider %s is not compiled in", provider);
    } else if (biost_cuda_open(&desc, &d->cuda, &error) != BIOST_OK ||
               biost_loader_open(&d->loader, &d->plain, &error) != BIOST_OK ||
               biost_cuda_begin(d->cuda, 0) != BIOST_OK || biost_loader_begin(d->plain, 0) != BIOST_OK) {
        snprintf(out_error, error_bytes, "%s", error.text);
    } else {
        d->is_host = desc.provider->is_host;
        return d;
    }
    door_close(d);
    return NULL;
}

void door_close(door *d) {
    biost_cuda_close(d->cuda);
    biost_loader_close(d->plain);
    free(d);
}

/* kDLCPU or kDLCUDA, and the number of the device. */
int door_device_type(const door *d) {
    return d->is_host ? 1 : 2;
}

int door_device(const door *d) {
    return d->is_host ? 0 : biost_cuda_device(d->cuda, 0);
}

/* ---- batches ------------------------------------------------------------------------------------------------ */

/* The next batch, for work on `stream`. NULL: none, see door_end. */
door_batch *door_next(door *d, size_t stream) {
    door_batch *held = (door_batch *)calloc(1, sizeof *held);
    biost_cuda_stream consumer = (biost_cuda_stream)stream;
    biost_result result;
    if (held == NULL) {
        d->end = "no memory";
        return NULL;
    }
    result = biost_cuda_next(d->cuda, &consumer, &held->batch);
    held->of = d;
    if (result != BIOST_OK) {
        const biost_error *error = biost_cuda_error(d->cuda);
        d->end = result == BIOST_END ? "" : error != NULL ? error->text : biost_result_name(result);
        free(held);
        return NULL;
    }
    return held;
}

const char *door_end(const door *d) {
    return d->end;
}

/* Give it back; `held` is freed if that worked. */
int door_release(door_batch *held, size_t stream) {
    biost_result result = biost_cuda_release(held->of->cuda, &held->batch, (biost_cuda_stream)stream);
    if (result == BIOST_OK) {
        free(held);
    }
    return result;
}

/* What the tensor is, in the order of the enum above. Returns 0 if there is none of this index. */
int door_tensor(const door_batch *held, uint32_t index, int64_t *out_numbers) {
    const biost_tensor *tensor = &held->batch.tensors[index];
    int i;
    if (index >= held->batch.tensor_count) {
        return 0;
    }
    out_numbers[DOOR_ROLE] = (int64_t)tensor->role;
    out_numbers[DOOR_DTYPE] = (int64_t)tensor->dtype;
    out_numbers[DOOR_DEVICE] = tensor->device;
    out_numbers[DOOR_BYTES] = (int64_t)tensor->bytes;
    out_numbers[DOOR_NDIM] = tensor->ndim;
    for (i = 0; i < 4; ++i) {
        out_numbers[DOOR_SHAPE + i] = tensor->shape[i];
        out_numbers[DOOR_STRIDES + i] = tensor->strides[i];
    }
    return 1;
}

size_t door_address(const door_batch *held, uint32_t index) {
    return (size_t)held->batch.tensors[index].data;
}

/* Copy a tensor's bytes to host memory, on `stream`, which waits for the batch already. Returns the device's error. */
int door_read(const door_batch *held, uint32_t index, size_t stream, void *out_bytes) {
    const biost_tensor *tensor = &held->batch.tensors[index];
    biost_cuda_stream on = (biost_cuda_stream)stream;
    void *state, *before;
    const biost_cuda_provider *calls = biost_cuda_calls(held->of->cuda, &state);
    int error = calls->enter(state, biost_cuda_device(held->of->cuda, 0), &before);
    if (error == 0) {
        error = calls->copy_out(state, out_bytes, tensor->data, (size_t)tensor->bytes, on);
        error = error != 0 ? error : calls->stream_finish(state, on);
        calls->leave(state, before);
    }
    return error;
}

/* ---- DLPack ------------------------------------------------------------------------------------------------- */

/* Lend a tensor for work on `stream`. */
int door_export(const door_batch *held, uint32_t index, int versioned, size_t stream, void **out_managed) {
    return biost_cuda_export(held->of->cuda, &held->batch, index, versioned, (biost_cuda_stream)stream,
                             out_managed);
}

static void door_delete(void *managed, int versioned) {
    if (versioned) {
        ((bsi_export_versioned *)managed)->deleter((bsi_export_versioned *)managed);
    } else {
        ((bsi_export_managed *)managed)->deleter((bsi_export_managed *)managed);
    }
}

/* Python's functions for capsules, found in the process that loaded this library: no header of Python is needed. */
static void door_python(const char *name, void *out_function) {
    void *process = dlopen(NULL, RTLD_NOW);
    void *symbol = process != NULL ? dlsym(process, name) : NULL;
    memcpy(out_function, &symbol, sizeof symbol);
    if (process != NULL) {
        dlclose(process);
    }
}

static const char *const door_capsule_names[2] = {"dltensor", "dltensor_versioned"};

/* Whoever takes the tensor renames its capsule; one that still has its first name was taken by nobody. */
static void door_capsule_end(void *capsule) {
    int (*is_valid)(void *, const char *);
    void *(*get_pointer)(void *, const char *);
    int i;
    door_python("PyCapsule_IsValid", &is_valid);
    door_python("PyCapsule_GetPointer", &get_pointer);
    for (i = 0; i < 2; ++i) {
        if (is_valid(capsule, door_capsule_names[i])) {
            door_delete(get_pointer(capsule, door_capsule_names[i]), i);
            return;
        }
    }
}

/* A capsule around an export, as PyObject. To be called with Python's lock held (ctypes.PyDLL). */
void *door_capsule(void *managed, int versioned) {
    void *(*new_capsule)(void *, const char *, void (*)(void *));
    void *capsule;
    door_python("PyCapsule_New", &new_capsule);
    capsule = new_capsule(managed, door_capsule_names[versioned != 0], door_capsule_end);
    if (capsule == NULL) {
        door_delete(managed, versioned);
    }
    return capsule;
}

/* ---- what the batch must be ----------------------------------------------------------------------------------- */

/* Go on to the plain loader's next batch. Returns 0 where it has none. */
int door_want_next(door *d) {
    if (d->is_held) {
        biost_loader_release(d->plain, &d->want);
    }
    d->is_held = biost_loader_next(d->plain, &d->want) == BIOST_OK;
    return d->is_held;
}

/* A tensor of it; NULL: there is none of this index. */
const void *door_want(const door *d, uint32_t index, uint64_t *out_bytes) {
    if (!d->is_held || index >= d->want.tensor_count) {
        *out_bytes = 0;
        return NULL;
    }
    *out_bytes = d->want.tensors[index].bytes;
    return d->want.tensors[index].data;
}

/* ---- streams -------------------------------------------------------------------------------------------------- */

/* A stream of the device, until its door_stream_close; 0: that failed. */
size_t door_stream_open(door *d) {
    biost_cuda_stream stream = NULL;
    void *state, *before;
    const biost_cuda_provider *calls = biost_cuda_calls(d->cuda, &state);
    if (calls->enter(state, biost_cuda_device(d->cuda, 0), &before) == 0) {
        stream = calls->stream_open(state, 0, &stream) == 0 ? stream : NULL;
        calls->leave(state, before);
    }
    return (size_t)stream;
}

int door_stream_close(door *d, size_t stream) {
    void *state, *before;
    const biost_cuda_provider *calls = biost_cuda_calls(d->cuda, &state);
    int error = calls->enter(state, biost_cuda_device(d->cuda, 0), &before);
    if (error == 0) {
        error = calls->stream_close(state, (biost_cuda_stream)stream);
        calls->leave(state, before);
    }
    return error;
}

/*
 * Begin or end the capture of a CUDA graph, which is thrown away, on a stream of the device; in the mode "global", as
 * frameworks do by default, so on one thread. Returns the driver's error; -1: it has no captures.
 */
int door_capture(door *d, size_t stream, int start) {
    int(BSI_CUDA_DRIVER_CALL * begin)(biost_cuda_stream stream, int mode);
    int(BSI_CUDA_DRIVER_CALL * end)(biost_cuda_stream stream, void **out_graph);
    int(BSI_CUDA_DRIVER_CALL * destroy)(void *graph);
    void *library = bsi_cuda_driver_load(), *graph = NULL, *state, *before;
    const biost_cuda_provider *calls = biost_cuda_calls(d->cuda, &state);
    int error;
    if (library == NULL || !bsi_cuda_driver_symbol(library, "cuStreamBeginCapture_v2", &begin) ||
        !bsi_cuda_driver_symbol(library, "cuStreamEndCapture", &end) ||
        !bsi_cuda_driver_symbol(library, "cuGraphDestroy", &destroy)) {
        return -1;
    }
    error = calls->enter(state, biost_cuda_device(d->cuda, 0), &before);
    if (error == 0) {
        error = start ? begin((biost_cuda_stream)stream, 0) : end((biost_cuda_stream)stream, &graph);
        error = error == 0 && graph != NULL ? destroy(graph) : error;
        calls->leave(state, before);
    }
    bsi_cuda_driver_unload(library); /* one that was loaded before stays */
    return error;
}
