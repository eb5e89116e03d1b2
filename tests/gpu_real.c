/*
 * gpu_real - biostream_cuda.h on a real GPU; what `make gpu-check` runs, with CUDA's driver and, linked with an
 * implementation that has it, with CUDA's runtime. `make test` runs it over tests/fake_libcuda.c, which beside
 * that counts what a driver would refuse or crash in, and what is left open. Run by tests/gpu_each.sh.
 *
 * Without a device every test is skipped. What a batch must be comes from a plain loader with the same desc;
 * what an expansion must be, from the kernels' twin in C, which test_cuda_expand.c compares with the encoders.
 */
#include "../biostream_cuda.h"
#include "test.h"
#include "fake_libcuda.h"
#include "patience.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

#define NO_TOKENS {0, 0, "", 0, 0, 0}, 0, 0, 0, 0 /* encoding.kmers, begin and end */

enum { TENSORS_MOST = 4, BATCHES_MOST = 48, RECORDS = 700 };

/* Why there is no GPU; empty: there is one. */
static const char *no_gpu(void) {
    static char sentence[300];
    static int was_asked;
    biost_error error;
    if (!was_asked && biost_cuda_look(NULL, NULL, &error) != BIOST_OK) {
        snprintf(sentence, sizeof sentence, "no GPU: %s", error.text);
    }
    was_asked = 1;
    return sentence;
}

/* Nothing was misused, and nothing is left open, unless the device broke: then memory that it may still use is. */
static void check_fake(void) {
    fake_libcuda_control *fake = fake_libcuda_find();
    if (fake != NULL && !CHECK_EQ_U64(fake->misuse, 0)) {
        printf("    the first: %s\n", fake->misuse_text);
    }
    if (fake != NULL && !fake->is_broken) {
        CHECK_EQ_I64(fake->live, 0);
    }
}

/* A test of a device. */
#define GPU_TEST(room, name)               \
    static void run_##name(void);          \
    TEST(room, name) {                     \
        if (*no_gpu()) {                   \
            TEST_SKIP(no_gpu());           \
        }                                  \
        if (fake_libcuda_find() != NULL) { \
            fake_libcuda_reset();          \
        }                                  \
        run_##name();                      \
        check_fake();                      \
    }                                      \
    static void run_##name(void)

GPU_TEST(gpu, look) {
    int count = 0;
    CHECK_EQ_I64(biost_cuda_look(NULL, &count, NULL), BIOST_OK);
    CHECK(count >= 1);
    printf("device: %d of provider %s\n", count,
           biost_cuda_runtime() != NULL ? biost_cuda_runtime()->name : biost_cuda_driver()->name);
}

/* ---- the driver's own calls ------------------------------------------------------------------------------ */

/* Of a program that uses the device beside biostream; handles of the runtime are the driver's. */
typedef struct driver_calls {
    int (*current)(void **out_context);
    int (*stream_create)(biost_cuda_stream *out, unsigned flags);
    int (*event_create)(void **out, unsigned flags);
    int (*event_destroy)(void *event);
    int (*event_record)(void *event, biost_cuda_stream stream);
    int (*event_query)(void *event);
    int (*stream_wait)(biost_cuda_stream stream, void *event, unsigned flags);
    int (*stream_finish)(biost_cuda_stream stream);
    int (*copy)(uint64_t to, uint64_t from, size_t bytes, biost_cuda_stream stream);
    /* CUDA 11.4 has all of these */
    int (*exchange_mode)(int *mode);
    int (*is_capturing)(biost_cuda_stream stream, int *out_status);
    int (*begin)(biost_cuda_stream stream, int mode);
    int (*end)(biost_cuda_stream stream, void **out_graph);
    int (*nodes)(void *graph, void **nodes, size_t *count);
    int (*instantiate)(void **out_executable, void *graph, unsigned long long flags);
    int (*launch)(void *executable, biost_cuda_stream stream);
    int (*graph_destroy)(void *graph);
    int (*executable_destroy)(void *executable);
} driver_calls;

enum { MODE_GLOBAL, MODE_THREAD_LOCAL, MODE_RELAXED }; /* of captures, and of threads */
enum { CALLS_OF_ALL = 9 };                             /* those that every driver has */

/* NULL where one is missing: the whole list with needs_graphs, else those that every driver has. */
static const driver_calls *driver(int needs_graphs) {
    static const char *const names[] = {"cuCtxGetCurrent",
                                        "cuStreamCreate",
                                        "cuEventCreate",
                                        "cuEventDestroy_v2",
                                        "cuEventRecord",
                                        "cuEventQuery",
                                        "cuStreamWaitEvent",
                                        "cuStreamSynchronize",
                                        "cuMemcpyDtoDAsync_v2",
                                        "cuThreadExchangeStreamCaptureMode",
                                        "cuStreamIsCapturing",
                                        "cuStreamBeginCapture_v2",
                                        "cuStreamEndCapture",
                                        "cuGraphGetNodes",
                                        "cuGraphInstantiateWithFlags",
                                        "cuGraphLaunch",
                                        "cuGraphDestroy",
                                        "cuGraphExecDestroy"};
    static driver_calls calls;
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    size_t i, count = needs_graphs ? sizeof names / sizeof names[0] : CALLS_OF_ALL;
    for (i = 0; i < count; ++i) {
        void *symbol = library != NULL ? dlsym(library, names[i]) : NULL;
        if (symbol == NULL) {
            return NULL;
        }
        memcpy((uint8_t *)&calls + i * sizeof symbol, &symbol, sizeof symbol);
    }
    return &calls;
}

#define NEEDS_GRAPHS(calls)                                    \
    const driver_calls *calls = driver(1);                     \
    do {                                                       \
        if ((calls) == NULL) {                                 \
            TEST_SKIP("a driver that captures graphs (11.4)"); \
        }                                                      \
    } while (0)

/* ---- what is loaded ----------------------------------------------------------------------------------- */

typedef struct input {
    char *text;
    biost_memory memory;
} input;

/* RECORDS of 1 to 64 bases, some of them of no ACGT, all qualities. */
static void make_input(input *in, uint64_t seed) {
    static const char letters[] = "ACGTACGTACGTACGTACGTNacgtnRYKMU";
    size_t at = 0, i, record;
    in->text = (char *)malloc(RECORDS * 200);
    for (record = 0; record < RECORDS; ++record) {
        size_t bases = 1 + record % 64;
        at += (size_t)sprintf(in->text + at, "@read%u\n", (unsigned)record);
        for (i = 0; i < bases; ++i) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            in->text[at++] = letters[(seed >> 33) % (sizeof letters - 1)];
        }
        at += (size_t)sprintf(in->text + at, "\n+\n");
        for (i = 0; i < bases; ++i) {
            in->text[at++] = (char)(33 + (record + i) % 94);
        }
        in->text[at++] = '\n';
    }
    memset(&in->memory, 0, sizeof in->memory);
    in->memory.data = in->text;
    in->memory.bytes = at;
}

static biost_loader_desc base_desc(const input *in) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.memories = &in->memory;
    desc.memory_count = 1;
    desc.batch_rows = 24;
    desc.row_bases = 64;
    desc.workers = 3;
    desc.seed = 5;
    return desc;
}

/* The n-th encoding of a list; 0 after its end. */
static int encoding_at(size_t n, biost_encoding *out, const char **out_name) {
    static const struct {
        const char *name;
        biost_encoding encoding;
    } list[] = {
#define ONEHOT(dtype, layout, channels, ambiguous, pad, side)   \
    {BIOST_ENCODE_ONEHOT,   dtype, layout, channels, ambiguous, \
     BIOST_LOWER_CASE_FOLD, NULL,  pad,    side,     NO_TOKENS}
#define TOKENS(dtype, pad, side)                                                                         \
    {                                                                                                    \
        BIOST_ENCODE_TOKENS, dtype, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO, BIOST_LOWER_CASE_FOLD, \
            NULL, pad, side, NO_TOKENS                                                                   \
    }
        {"u8", ONEHOT(BIOST_DTYPE_U8, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO, 0, BIOST_PAD_RIGHT)},
        {"u8 NCL", ONEHOT(BIOST_DTYPE_U8, BIOST_LAYOUT_NCL, NULL, BIOST_AMBIGUOUS_ZERO, 0, BIOST_PAD_RIGHT)},
        {"f16 of 5",
         ONEHOT(BIOST_DTYPE_F16, BIOST_LAYOUT_NLC, "ACGTN", BIOST_AMBIGUOUS_ZERO, 1, BIOST_PAD_LEFT)},
        {"bf16", ONEHOT(BIOST_DTYPE_BF16, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO, 0, BIOST_PAD_RIGHT)},
        {"bf16 NCL",
         ONEHOT(BIOST_DTYPE_BF16, BIOST_LAYOUT_NCL, "CATG", BIOST_AMBIGUOUS_HELIXER, -3, BIOST_PAD_LEFT)},
        {"f32", ONEHOT(BIOST_DTYPE_F32, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_IUPAC, 0, BIOST_PAD_RIGHT)},
        {"f32 NCL",
         ONEHOT(BIOST_DTYPE_F32, BIOST_LAYOUT_NCL, NULL, BIOST_AMBIGUOUS_IUPAC, 0, BIOST_PAD_RIGHT)},
        {"f32 of 26", ONEHOT(BIOST_DTYPE_F32, BIOST_LAYOUT_NLC, "ABCDEFGHIJKLMNOPQRSTVWXYZ",
                             BIOST_AMBIGUOUS_ZERO, 7, BIOST_PAD_RIGHT)},
        {"tokens u8", TOKENS(BIOST_DTYPE_U8, 0, BIOST_PAD_LEFT)},
        {"tokens i32", TOKENS(BIOST_DTYPE_I32, -100, BIOST_PAD_RIGHT)},
        {"tokens i64", TOKENS(BIOST_DTYPE_I64, 9, BIOST_PAD_LEFT)},
    };
    if (n >= sizeof list / sizeof list[0]) {
        return 0;
    }
    *out = list[n].encoding;
    *out_name = list[n].name;
    return 1;
}

/* ---- batches against those of a plain loader ----------------------------------------------------------- */

/* A batch that came back from the device: its tensors, one after the other, then lengths. */
typedef struct returned {
    biost_cuda_batch batch;
    biost_tensor tensors[TENSORS_MOST];
    uint8_t *bytes; /* page-locked, [room] */
} returned;

enum { NON_BLOCKING = 1 };

typedef struct rig {
    input in;
    biost_loader_desc loader;
    biost_cuda_desc desc;
    biost_cuda *cuda;
    const biost_cuda_provider *calls;
    void *state, *before;
    biost_cuda_stream stream;
    uint8_t *host; /* page-locked, [BATCHES_MOST][room] */
    size_t room;
} rig;

static void rig_make(rig *r) {
    memset(r, 0, sizeof *r);
    make_input(&r->in, 11);
    r->loader = base_desc(&r->in);
    r->desc.loader = &r->loader;
    r->room = 24 * 64 * (27 * 4 + 4 + 1) + 4096;
}

/* Open, and begin epoch 0. */
static int rig_open(rig *r) {
    biost_error error;
    void *host = NULL;
    if (!CHECK(biost_cuda_open(&r->desc, &r->cuda, &error) == BIOST_OK)) {
        printf("%s\n", error.text);
        return 0;
    }
    r->calls = biost_cuda_calls(r->cuda, &r->state);
    if (!CHECK(r->calls->enter(r->state, biost_cuda_device(r->cuda, 0), &r->before) == 0) ||
        !CHECK(driver(0) != NULL && driver(0)->stream_create(&r->stream, NON_BLOCKING) == 0) ||
        !CHECK(r->calls->host_alloc(r->state, BATCHES_MOST * r->room, 0, &host) == 0)) {
        return 0;
    }
    r->host = (uint8_t *)host;
    return CHECK(biost_cuda_begin(r->cuda, 0) == BIOST_OK);
}

static void rig_end(rig *r) {
    if (r->cuda != NULL) {
        (void)r->calls->stream_finish(r->state, r->stream);
        (void)r->calls->host_free(r->state, r->host);
        (void)r->calls->stream_close(r->state, r->stream);
        r->calls->leave(r->state, r->before);
        biost_cuda_close(r->cuda);
    }
    free(r->in.text);
}

/* Ask for a batch's copies back to the host. */
static void bring_back(rig *r, const biost_cuda_batch *batch, returned *out, uint32_t number) {
    size_t at = 0;
    uint32_t i;
    void *before = NULL;
    CHECK_EQ_I64(r->calls->enter(r->state, batch->device, &before), 0);
    out->batch = *batch;
    out->bytes = r->host + number * r->room;
    for (i = 0; i < batch->tensor_count && CHECK(at + batch->tensors[i].bytes <= r->room - 4096); ++i) {
        out->tensors[i] = batch->tensors[i];
        CHECK_EQ_I64(r->calls->copy_out(r->state, out->bytes + at, batch->tensors[i].data,
                                        (size_t)batch->tensors[i].bytes, r->stream),
                     0);
        at += (size_t)batch->tensors[i].bytes;
    }
    CHECK_EQ_I64(r->calls->copy_out(r->state, out->bytes + r->room - 4096, batch->lengths,
                                    batch->rows * sizeof(int32_t), r->stream),
                 0);
    r->calls->leave(r->state, before);
}

static void compare(const rig *r, const returned *got, const biost_batch *want) {
    const uint8_t *at = got->bytes;
    uint32_t i;
    CHECK_EQ_U64(got->batch.epoch, want->epoch);
    CHECK_EQ_U64(got->batch.index, want->index);
    CHECK_EQ_U64(got->batch.rows, want->rows);
    CHECK_EQ_U64(got->batch.valid_rows, want->valid_rows);
    CHECK_EQ_U64(got->batch.tensor_count, want->tensor_count);
    CHECK_EQ_U64(got->batch.samples, want->samples);
    CHECK_EQ_U64(got->batch.mates, want->mates);
    CHECK(got->batch.row_samples == NULL && want->row_samples == NULL);
    for (i = 0; i < want->tensor_count && i < got->batch.tensor_count; ++i) {
        const biost_tensor *a = &got->tensors[i], *b = &want->tensors[i];
        CHECK(a->dtype == b->dtype && a->role == b->role && a->ndim == b->ndim && a->bytes == b->bytes);
        CHECK_MEM(a->shape, b->shape, sizeof a->shape);
        CHECK_MEM(a->strides, b->strides, sizeof a->strides);
        CHECK_MEM(a->layout, b->layout, sizeof a->layout);
        CHECK_EQ_I64(a->device, got->batch.device);
        if (a->bytes == b->bytes) {
            CHECK_MEM(at, b->data, (size_t)b->bytes);
        }
        at += a->bytes;
    }
    CHECK_MEM(got->bytes + r->room - 4096, want->lengths, want->rows * sizeof(int32_t));
}

static returned came_back[BATCHES_MOST];

/* All batches that are left of an epoch, without waiting for the device; how many. After the `count` there are. */
static uint32_t drain(rig *r, uint32_t held_most, uint32_t count) {
    biost_cuda_batch held[4];
    biost_result result = BIOST_OK;
    void *before = NULL;
    uint32_t first = count;
    while (count < BATCHES_MOST && result == BIOST_OK) {
        if (count - first == held_most) {
            CHECK_EQ_I64(biost_cuda_release(r->cuda, &held[first++ % 4], r->stream), BIOST_OK);
        }
        result = biost_cuda_next(r->cuda, &r->stream, &held[count % 4]);
        if (result == BIOST_OK) {
            bring_back(r, &held[count % 4], &came_back[count], count);
            ++count;
        }
    }
    CHECK_EQ_I64(result, BIOST_END);
    for (; first < count; ++first) {
        CHECK_EQ_I64(biost_cuda_release(r->cuda, &held[first % 4], r->stream), BIOST_OK);
    }
    CHECK_EQ_I64(r->calls->enter(r->state, biost_cuda_device(r->cuda, 0), &before), 0);
    CHECK_EQ_I64(r->calls->stream_finish(r->state, r->stream), 0);
    r->calls->leave(r->state, before);
    return count;
}

/* What came back is the plain loader's epoch 0. */
static void compare_all(const rig *r, uint32_t count) {
    biost_loader *plain = NULL;
    biost_batch want;
    biost_error error;
    uint32_t i;
    REQUIRE(biost_loader_open(&r->loader, &plain, &error) == BIOST_OK);
    CHECK_EQ_I64(biost_loader_begin(plain, 0), BIOST_OK);
    for (i = 0; biost_loader_next(plain, &want) == BIOST_OK; ++i) {
        if (CHECK(i < count)) {
            compare(r, &came_back[i], &want);
        }
        biost_loader_release(plain, &want);
    }
    CHECK_EQ_U64(i, count);
    biost_loader_close(plain);
}

/* An epoch through the ring against one of a plain loader. */
static void run_epoch(rig *r, uint32_t held_most) {
    if (rig_open(r)) {
        compare_all(r, drain(r, held_most, 0));
    }
}

GPU_TEST(gpu, ring_equals_the_loader) {
    biost_encoding encoding;
    const char *name;
    size_t i;
    for (i = 0; encoding_at(i, &encoding, &name); ++i) {
        int k;
        for (k = 0; k < 4; ++k) {
            rig r;
            rig_make(&r);
            test_note("%s, way %d", name, k);
            r.loader.encoding = encoding;
            r.loader.quality.kind = k % 2 ? BIOST_QUALITY_ERROR : BIOST_QUALITY_NONE;
            r.loader.quality.dtype = BIOST_DTYPE_F32;
            r.loader.mask = k > 1;
            r.loader.shuffle_rows = 50;
            r.loader.augment.reverse_complement = strcmp(name, "f32 of 26") == 0 ? 0.0f
                                                                                 : 0.5f; /* no nucleotides */
            r.loader.row_bases = k == 3 ? 0 : 64;
            r.loader.max_row_bases = 64;
            r.desc.no_expand = k == 2;
            r.desc.copy_streams = 1 + (uint32_t)k;
            r.desc.device_slots = 2 + (uint32_t)k;
            r.desc.write_combined = k == 1;
            run_epoch(&r, 1 + (uint32_t)k % 2);
            rig_end(&r);
        }
    }
}

/* Whole pages of memory of the caller's, which are page-locked at open. */
static void *pages_alloc(size_t bytes, size_t align, void *user_data) {
    void *memory = NULL;
    (void)align;
    (void)user_data;
    return posix_memalign(&memory, 65536, (bytes + 65535) / 65536 * 65536) == 0 ? memory : NULL;
}

static void pages_free(void *memory, size_t bytes, void *user_data) {
    (void)bytes;
    (void)user_data;
    free(memory);
}

GPU_TEST(gpu, ring_in_memory_of_yours) {
    rig r;
    rig_make(&r);
    r.loader.encoding.dtype = BIOST_DTYPE_F32;
    r.desc.host.alloc = pages_alloc;
    r.desc.host.free = pages_free;
    run_epoch(&r, 1);
    rig_end(&r);
}

/* ---- expansions against their twin ---------------------------------------------------------------------- */

enum { ROWS = 67, COLUMNS_MOST = 1001, OUT_BYTES = ROWS * COLUMNS_MOST * 27 * 4 + 256 };
/* clang-format off */
enum { CODES_AT = 0, LENGTHS_AT = 128 * 1024, COMPLEMENT_AT = LENGTHS_AT + 4096, TABLE_AT = COMPLEMENT_AT + 4096,
       OUT_AT = TABLE_AT + 64 * 1024 };
/* clang-format on */

/* One expansion on the device and on the host, over the same bytes; what is around the output stays. */
static void expand_both(rig *r, biost_cuda_expansion e, uint8_t *from, uint8_t *want, uint8_t *device,
                        uint8_t *back, size_t out_bytes) {
    biost_cuda_expansion host = e;
    host.codes = from + CODES_AT;
    host.table = from + TABLE_AT;
    host.lengths = e.lengths != NULL ? (const int32_t *)(const void *)(from + LENGTHS_AT) : NULL;
    host.complement = e.complement != NULL ? from + COMPLEMENT_AT : NULL;
    host.out = want;
    memset(want, 0xA5, out_bytes + 64);
    memset(from + OUT_AT, 0xA5, out_bytes + 64);
    CHECK_EQ_I64(biost_cuda_expand_host(&host), BIOST_OK);
    CHECK_EQ_I64(r->calls->copy_in(r->state, device, from, OUT_AT + out_bytes + 64, r->stream), 0);
    CHECK_EQ_I64(biost_cuda_expand(r->cuda, 0, &e, r->stream), BIOST_OK);
    CHECK_EQ_I64(r->calls->copy_out(r->state, back, device + OUT_AT, out_bytes + 64, r->stream), 0);
    CHECK_EQ_I64(r->calls->stream_finish(r->state, r->stream), 0);
    CHECK_MEM(back, want, out_bytes + 64);
}

static void expand_all(rig *r, const biost_cuda_table *table, const biost_encoding *encoding,
                       const char *name, uint8_t *from, uint8_t *want, uint8_t *device, uint8_t *back) {
    static const uint32_t columns[] = {1, 3, 7, 64, 150, 151, 1000, COLUMNS_MOST};
    int32_t lengths[ROWS];
    size_t c, i;
    int way;
    memcpy(from + TABLE_AT, table->elements, (size_t)256 * table->channels * table->element_bytes);
    memcpy(from + COMPLEMENT_AT, table->complement, 256);
    for (c = 0; c < sizeof columns / sizeof columns[0]; ++c) {
        for (i = 0; i < (size_t)ROWS * columns[c]; ++i) {
            from[CODES_AT + i] = (uint8_t)((i * 2654435761u >> 7) % table->code_count);
        }
        for (i = 0; i < ROWS; ++i) {
            lengths[i] = (int32_t)(i * 31 % (columns[c] + 1));
        }
        memcpy(from + LENGTHS_AT, lengths, sizeof lengths);
        for (way = 0; way < 4; ++way) { /* plain, lengths, reverse complement, padding in front */
            biost_cuda_expansion e;
            test_note("%s, %u columns, way %d", name, (unsigned)columns[c], way);
            memset(&e, 0, sizeof e);
            e.codes = device + CODES_AT;
            e.table = device + TABLE_AT;
            e.out = device + OUT_AT;
            e.lengths = way > 0 ? (const int32_t *)(const void *)(device + LENGTHS_AT) : NULL;
            e.complement = way > 1 ? device + COMPLEMENT_AT : NULL;
            e.pad_left = way == 3;
            e.pad_code = way > 0 ? table->pad_code : 0;
            e.rows = ROWS;
            e.columns = columns[c];
            e.channels = table->channels;
            e.element_bytes = table->element_bytes;
            e.is_ncl = encoding->layout == BIOST_LAYOUT_NCL;
            expand_both(r, e, from, want, device, back,
                        (size_t)ROWS * columns[c] * e.channels * e.element_bytes);
        }
    }
}

GPU_TEST(gpu, expansions_equal_their_twin) {
    static biost_cuda_table table;
    biost_encoding encoding;
    const char *name;
    void *from = NULL, *back = NULL, *device = NULL;
    uint8_t *want;
    rig r;
    size_t i;
    want = (uint8_t *)malloc(OUT_BYTES);
    rig_make(&r);
    REQUIRE(rig_open(&r));
    REQUIRE(r.calls->host_alloc(r.state, OUT_AT + OUT_BYTES, 0, &from) == 0);
    REQUIRE(r.calls->host_alloc(r.state, OUT_BYTES, 0, &back) == 0);
    REQUIRE(r.calls->device_alloc(r.state, OUT_AT + OUT_BYTES, &device) == 0);
    memset(from, 0, OUT_AT + OUT_BYTES);
    for (i = 0; encoding_at(i, &encoding, &name); ++i) {
        if (CHECK(biost_cuda_table_make(&encoding, &table, NULL) == BIOST_OK)) {
            expand_all(&r, &table, &encoding, name, (uint8_t *)from, want, (uint8_t *)device,
                       (uint8_t *)back);
        }
    }
    CHECK_EQ_I64(r.calls->device_free(r.state, device), 0);
    CHECK_EQ_I64(r.calls->host_free(r.state, from), 0);
    CHECK_EQ_I64(r.calls->host_free(r.state, back), 0);
    free(want);
    rig_end(&r);
}

/* ---- contexts ------------------------------------------------------------------------------------------- */

/* The thread's current context, by the driver itself. */
static void *current_context(void) {
    void *context = NULL;
    CHECK(driver(0) != NULL && driver(0)->current(&context) == 0);
    return context;
}

/* Two of them at once, on two devices where there are; no call changes the current context. */
static void go_through(int32_t device) {
    void *context = current_context();
    input in;
    biost_loader_desc loader;
    biost_cuda_desc desc;
    biost_cuda *cuda = NULL;
    biost_cuda_batch batch;
    biost_result result;
    make_input(&in, 3);
    loader = base_desc(&in);
    memset(&desc, 0, sizeof desc);
    desc.loader = &loader;
    desc.devices = &device;
    desc.device_count = 1;
    REQUIRE(biost_cuda_open(&desc, &cuda, NULL) == BIOST_OK);
    CHECK(current_context() == context);
    CHECK_EQ_I64(biost_cuda_device(cuda, 0), device);
    result = biost_cuda_begin(cuda, 0);
    CHECK(current_context() == context);
    while (result == BIOST_OK && (result = biost_cuda_next(cuda, NULL, &batch)) == BIOST_OK) {
        CHECK(current_context() == context);
        CHECK_EQ_I64(batch.device, device);
        CHECK_EQ_I64(biost_cuda_release(cuda, &batch, NULL), BIOST_OK);
        CHECK(current_context() == context);
    }
    CHECK_EQ_I64(result, BIOST_END);
    biost_cuda_close(cuda);
    CHECK(current_context() == context);
    free(in.text);
}

static void *go_through_alone(void *nothing) {
    go_through(0); /* a thread without any context */
    return nothing;
}

GPU_TEST(gpu, current_device_is_restored) {
    int count = 0;
    pthread_t thread;
    rig r;
    rig_make(&r);
    REQUIRE(rig_open(&r)); /* its primary context is current from here on */
    CHECK_EQ_I64(biost_cuda_look(NULL, &count, NULL), BIOST_OK);
    go_through(0);
    if (count > 1) {
        go_through(1);
    }
    REQUIRE(pthread_create(&thread, NULL, go_through_alone, NULL) == 0);
    pthread_join(thread, NULL);
    rig_end(&r);
}

/* ---- exports, times ------------------------------------------------------------------------------------- */

/* DLManagedTensor, legacy: data, device, ndim, dtype, shape, strides, byte_offset, context, deleter. */
static void delete_export(void *managed) {
    void (*deleter)(void *);
    memcpy(&deleter, (uint8_t *)managed + 56, sizeof deleter);
    deleter(managed);
}

GPU_TEST(gpu, exports) {
    biost_cuda_batch batch;
    void *managed[2] = {NULL, NULL}, *data;
    int32_t place[2];
    rig r;
    int i;
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers");
    }
    rig_make(&r);
    r.loader.mask = 1;
    r.desc.device_slots = 2;
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
    for (i = 0; i < 2; ++i) {
        /* the second lives longer than our stream, as CUDA's default stream does */
        REQUIRE(biost_cuda_export(r.cuda, &batch, (uint32_t)i, 0, i == 0 ? r.stream : NULL, &managed[i]) ==
                BIOST_OK);
        memcpy(&data, managed[i], sizeof data);
        memcpy(place, (uint8_t *)managed[i] + 8, sizeof place);
        CHECK(data == batch.tensors[i].data);
        CHECK_EQ_I64(place[0], 2); /* kDLCUDA */
        CHECK_EQ_I64(place[1], batch.device);
    }
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    delete_export(managed[0]);
    for (i = 0; i < 4; ++i) { /* the slot of the other export is not used */
        biost_cuda_batch other;
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &other), BIOST_OK);
        CHECK(other.slot != batch.slot);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &other, r.stream), BIOST_OK);
    }
    rig_end(&r);
    delete_export(managed[1]); /* after close */
}

GPU_TEST(gpu, times_go_on) {
    biost_cuda_span spans[64];
    biost_cuda_batch batch;
    uint32_t count = 0, i;
    rig r;
    rig_make(&r);
    r.loader.encoding.dtype = BIOST_DTYPE_F32;
    r.desc.timeline_count = 64;
    REQUIRE(rig_open(&r));
    while (biost_cuda_next(r.cuda, &r.stream, &batch) == BIOST_OK) {
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    }
    CHECK_EQ_I64(r.calls->stream_finish(r.state, r.stream), 0);
    CHECK_EQ_I64(biost_cuda_timeline(r.cuda, 0, spans, 64, &count), BIOST_OK);
    CHECK_EQ_U64(count, (RECORDS + 23) / 24);
    for (i = 0; i < count; ++i) {
        CHECK_EQ_U64(spans[i].index, i);
        CHECK(spans[i].copy_start_us > BIOST_CUDA_NO_TIME && spans[i].copy_end_us >= spans[i].copy_start_us);
        CHECK(spans[i].expand_end_us >= spans[i].copy_end_us);
        CHECK(spans[i].use_start_us >= spans[i].expand_end_us - 1); /* events have 0.5 us */
        CHECK(spans[i].use_end_us >= spans[i].use_start_us);
        CHECK(i == 0 || spans[i].use_start_us >= spans[i - 1].use_start_us);
    }
    rig_end(&r);
}

/* ---- CUDA graphs ---------------------------------------------------------------------------------------- */

/* Make the rig's device current; for leave. */
static void *enter_rig(rig *r) {
    void *before = NULL;
    CHECK_EQ_I64(r->calls->enter(r->state, biost_cuda_device(r->cuda, 0), &before), 0);
    return before;
}

/* Leave what rig_open entered, so that the ring is called as from a thread that knows nothing of devices. */
static int rig_open_and_leave(rig *r) {
    int is_open = rig_open(r);
    if (is_open) {
        r->calls->leave(r->state, r->before);
    }
    return is_open;
}

static void rig_enter_and_end(rig *r) {
    r->before = enter_rig(r);
    rig_end(r);
}

/* The thread's own mode, which no call of biostream changes. */
static int mode_of_thread(const driver_calls *d) {
    int mode = MODE_RELAXED, same;
    CHECK_EQ_I64(d->exchange_mode(&mode), 0);
    same = mode;
    CHECK_EQ_I64(d->exchange_mode(&same), 0);
    return mode;
}

/* End a capture: it is whole, and has that many nodes. Returns the graph. */
static void *end_capture(const driver_calls *d, biost_cuda_stream stream, size_t nodes) {
    void *graph = NULL;
    size_t count = ~(size_t)0;
    CHECK_EQ_I64(d->end(stream, &graph), 0);
    if (CHECK(graph != NULL)) {
        CHECK_EQ_I64(d->nodes(graph, NULL, &count), 0);
        CHECK_EQ_U64(count, nodes);
    }
    return graph;
}

static void end_empty_capture(const driver_calls *d, biost_cuda_stream stream) {
    void *graph = end_capture(d, stream, 0);
    if (graph != NULL) {
        CHECK_EQ_I64(d->graph_destroy(graph), 0);
    }
}

enum { COPIED = 4096 };

/* A thread that captures a copy of COPIED bytes while others do something, then launches what it has. */
typedef struct capturer {
    rig *r;
    const driver_calls *driver;
    int mode;
    pthread_t thread;
    pthread_barrier_t begun, done;
    void *memory, *host; /* 2 * COPIED of the device, COPIED page-locked */
} capturer;

static void *capture_beside(void *argument) {
    capturer *c = (capturer *)argument;
    const driver_calls *d = c->driver;
    uint64_t from = (uintptr_t)c->memory;
    biost_cuda_stream stream = NULL;
    void *graph, *executable = NULL, *before = enter_rig(c->r);
    CHECK_EQ_I64(d->stream_create(&stream, NON_BLOCKING), 0);
    CHECK_EQ_I64(d->begin(stream, c->mode), 0);
    CHECK_EQ_I64(d->copy(from + COPIED, from, COPIED, stream), 0);
    pthread_barrier_wait(&c->begun);
    pthread_barrier_wait(&c->done);
    graph = end_capture(d, stream, 1);
    if (graph != NULL && CHECK(d->instantiate(&executable, graph, 0) == 0)) {
        CHECK_EQ_I64(d->launch(executable, stream), 0);
        CHECK_EQ_I64(
            c->r->calls->copy_out(c->r->state, c->host, (uint8_t *)c->memory + COPIED, COPIED, stream), 0);
        CHECK_EQ_I64(d->stream_finish(stream), 0);
        CHECK_EQ_I64(d->executable_destroy(executable), 0);
    }
    if (graph != NULL) {
        CHECK_EQ_I64(d->graph_destroy(graph), 0);
    }
    CHECK_EQ_I64(c->r->calls->stream_close(c->r->state, stream), 0);
    c->r->calls->leave(c->r->state, before);
    return NULL;
}

/* It captures from here to capturer_ends; the calling thread has left its device. */
static int capturer_begins(capturer *c, rig *r, const driver_calls *d, int mode) {
    void *before = enter_rig(r);
    int i, is_ready;
    memset(c, 0, sizeof *c);
    c->r = r;
    c->driver = d;
    c->mode = mode;
    is_ready = CHECK(r->calls->host_alloc(r->state, COPIED, 0, &c->host) == 0) &&
               CHECK(r->calls->device_alloc(r->state, 2 * COPIED, &c->memory) == 0);
    for (i = 0; is_ready && i < COPIED; ++i) {
        ((uint8_t *)c->host)[i] = (uint8_t)(i % 251);
    }
    is_ready = is_ready && CHECK(r->calls->copy_in(r->state, c->memory, c->host, COPIED, r->stream) == 0) &&
               CHECK(r->calls->stream_finish(r->state, r->stream) == 0) &&
               CHECK(pthread_barrier_init(&c->begun, NULL, 2) == 0) &&
               CHECK(pthread_barrier_init(&c->done, NULL, 2) == 0) &&
               CHECK(pthread_create(&c->thread, NULL, capture_beside, c) == 0);
    r->calls->leave(r->state, before);
    if (is_ready) {
        memset(c->host, 0, COPIED);
        pthread_barrier_wait(&c->begun);
    }
    return is_ready;
}

/* What it captured was whole, and is done by a launch. */
static void capturer_ends(capturer *c) {
    void *before;
    int i, wrong = 0;
    pthread_barrier_wait(&c->done);
    pthread_join(c->thread, NULL);
    pthread_barrier_destroy(&c->begun);
    pthread_barrier_destroy(&c->done);
    for (i = 0; i < COPIED; ++i) {
        wrong += ((uint8_t *)c->host)[i] != i % 251;
    }
    CHECK_EQ_I64(wrong, 0);
    before = enter_rig(c->r);
    CHECK_EQ_I64(c->r->calls->device_free(c->r->state, c->memory), 0);
    CHECK_EQ_I64(c->r->calls->host_free(c->r->state, c->host), 0);
    c->r->calls->leave(c->r->state, before);
}

/* The ring runs while another thread captures, in a mode that refuses this thread's calls or in one that does not. */
GPU_TEST(gpu, captures_of_another_thread) {
    NEEDS_GRAPHS(d);
    int mode;
    for (mode = MODE_GLOBAL; mode <= MODE_RELAXED; ++mode) {
        biost_cuda_batch batch;
        void *managed = NULL;
        uint32_t count = 0;
        capturer beside;
        rig r;
        test_note("mode %d", mode);
        rig_make(&r);
        r.loader.encoding.dtype = BIOST_DTYPE_F32;
        REQUIRE(rig_open_and_leave(&r));
        REQUIRE(capturer_begins(&beside, &r, d, mode));
        CHECK_EQ_I64(mode_of_thread(d), MODE_GLOBAL);
        if (CHECK(biost_cuda_next(r.cuda, &r.stream, &batch) == BIOST_OK)) {
            CHECK_EQ_I64(mode_of_thread(d), MODE_GLOBAL);
            bring_back(&r, &batch, &came_back[count], count);
            ++count;
            CHECK_EQ_I64(biost_cuda_export(r.cuda, &batch, 0, 0, r.stream, &managed), BIOST_OK);
            CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
            CHECK_EQ_I64(mode_of_thread(d), MODE_GLOBAL);
        }
        if (managed != NULL) {
            delete_export(managed);
            CHECK_EQ_I64(mode_of_thread(d), MODE_GLOBAL);
        }
        count = drain(&r, 1, count);
        CHECK_EQ_I64(mode_of_thread(d), MODE_GLOBAL);
        capturer_ends(&beside);
        compare_all(&r, count);
        rig_enter_and_end(&r);
        CHECK_EQ_I64(mode_of_thread(d), MODE_GLOBAL);
    }
}

/* All calls of one that is opened and closed meanwhile, too: memory, kernels, streams, events. */
GPU_TEST(gpu, opens_and_closes_while_another_captures) {
    NEEDS_GRAPHS(d);
    biost_cuda_span spans[8];
    biost_cuda_batch batch;
    biost_cuda *cuda = NULL;
    biost_error error;
    capturer beside;
    uint32_t count = 0;
    rig r;
    rig_make(&r);
    r.loader.encoding.dtype = BIOST_DTYPE_F32;
    r.desc.timeline_count = 8;
    REQUIRE(rig_open_and_leave(&r));
    REQUIRE(capturer_begins(&beside, &r, d, MODE_GLOBAL));
    CHECK_EQ_I64(biost_cuda_look(NULL, NULL, NULL), BIOST_OK);
    if (CHECK(biost_cuda_open(&r.desc, &cuda, &error) == BIOST_OK)) {
        CHECK_EQ_I64(biost_cuda_begin(cuda, 0), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_next(cuda, &r.stream, &batch), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_release(cuda, &batch, r.stream), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_begin(cuda, 1), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_next(cuda, &r.stream, &batch), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_release(cuda, &batch, r.stream), BIOST_OK);
        CHECK_EQ_I64(biost_cuda_timeline(cuda, 0, spans, 8, &count), BIOST_OK);
        biost_cuda_close(cuda);
    } else {
        printf("%s\n", error.text);
    }
    CHECK_EQ_I64(mode_of_thread(d), MODE_GLOBAL);
    capturer_ends(&beside);
    rig_enter_and_end(&r);
}

/* A consumer that captures is refused by next, try_next, export and release. Nothing ends by that, nothing is lost. */
GPU_TEST(gpu, a_capturing_consumer_is_refused) {
    NEEDS_GRAPHS(d);
    biost_cuda_stream capturing = NULL;
    void *before;
    uint32_t count = 0;
    int mode;
    rig r;
    rig_make(&r);
    REQUIRE(rig_open_and_leave(&r));
    before = enter_rig(&r);
    CHECK_EQ_I64(d->stream_create(&capturing, NON_BLOCKING), 0);
    r.calls->leave(r.state, before);
    for (mode = MODE_GLOBAL; mode <= MODE_RELAXED; ++mode) {
        biost_cuda_batch batch;
        void *managed = &r;
        test_note("mode %d", mode);
        before = enter_rig(&r);
        CHECK_EQ_I64(d->begin(capturing, mode), 0);
        r.calls->leave(r.state, before);
        CHECK_EQ_I64(biost_cuda_next(r.cuda, &capturing, &batch), BIOST_ERR_ARG);
        CHECK_EQ_I64(biost_cuda_try_next(r.cuda, &capturing, &batch), BIOST_ERR_ARG);
        REQUIRE(biost_cuda_next(r.cuda, &r.stream, &batch) == BIOST_OK);
        bring_back(&r, &batch, &came_back[count], count);
        ++count;
        CHECK_EQ_I64(biost_cuda_export(r.cuda, &batch, 0, 0, capturing, &managed), BIOST_ERR_ARG);
        CHECK(managed == NULL);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, capturing), BIOST_ERR_ARG);
        before = enter_rig(&r);
        end_empty_capture(d, capturing);
        r.calls->leave(r.state, before);
        CHECK_EQ_I64(biost_cuda_export(r.cuda, &batch, 0, 0, r.stream, &managed), BIOST_OK);
        if (managed != NULL) {
            delete_export(managed);
        }
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
    }
    compare_all(&r, drain(&r, 1, count));
    before = enter_rig(&r);
    CHECK_EQ_I64(r.calls->stream_close(r.state, capturing), 0);
    r.calls->leave(r.state, before);
    rig_enter_and_end(&r);
}

/* CUDA's default stream cannot be used while a stream captures that waits for it: it is refused as well. */
GPU_TEST(gpu, the_default_stream_is_refused_while_it_cannot_be_used) {
    NEEDS_GRAPHS(d);
    biost_cuda_stream blocking = NULL;
    biost_cuda_batch batch;
    void *managed = &batch, *before;
    rig r;
    rig_make(&r);
    REQUIRE(rig_open_and_leave(&r));
    before = enter_rig(&r);
    CHECK_EQ_I64(d->stream_create(&blocking, 0), 0);
    CHECK_EQ_I64(d->begin(blocking, MODE_GLOBAL), 0);
    r.calls->leave(r.state, before);
    CHECK_EQ_I64(biost_cuda_next(r.cuda, NULL, &batch), BIOST_ERR_ARG);
    REQUIRE(biost_cuda_next(r.cuda, &r.stream, &batch) == BIOST_OK);
    bring_back(&r, &batch, &came_back[0], 0);
    CHECK_EQ_I64(biost_cuda_export(r.cuda, &batch, 0, 0, NULL, &managed), BIOST_ERR_ARG);
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, NULL), BIOST_ERR_ARG);
    before = enter_rig(&r);
    end_empty_capture(d, blocking);
    CHECK_EQ_I64(r.calls->stream_close(r.state, blocking), 0);
    r.calls->leave(r.state, before);
    CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, NULL), BIOST_OK);
    compare_all(&r, drain(&r, 1, 1));
    rig_enter_and_end(&r);
}

/* A stream to be had before anything is open, for desc.streams. */
typedef struct own_stream {
    const biost_cuda_provider *calls;
    void *state, *before;
    biost_cuda_stream stream;
} own_stream;

static int own_stream_make(const driver_calls *d, unsigned flags, own_stream *o) {
    int number = 0;
    memset(o, 0, sizeof *o);
    o->calls = biost_cuda_driver();
    return CHECK_EQ_I64(o->calls->open(o->calls->user_data, &o->state), 0) &&
           CHECK_EQ_I64(o->calls->device_open(o->state, 0, &number), 0) &&
           CHECK_EQ_I64(o->calls->enter(o->state, 0, &o->before), 0) &&
           CHECK_EQ_I64(d->stream_create(&o->stream, flags), 0);
}

static void own_stream_end(const own_stream *o) {
    CHECK_EQ_I64(o->calls->stream_close(o->state, o->stream), 0);
    o->calls->leave(o->state, o->before);
    o->calls->device_close(o->state, 0);
    o->calls->close(o->state);
}

/*
 * A copy stream of the caller's that captures, or is the default one while a blocking stream captures: refused by
 * open and next, and nothing is lost; close leaves the capture alone.
 */
GPU_TEST(gpu, copy_streams_of_yours_that_capture_are_refused) {
    NEEDS_GRAPHS(d);
    int is_default, is_consumer;
    for (is_default = 0; is_default < 2; ++is_default) {
        for (is_consumer = 0; is_consumer < 2; ++is_consumer) {
            biost_cuda_stream none = NULL, consumer;
            biost_cuda_batch batch;
            biost_cuda *other = NULL;
            biost_error error;
            own_stream o;
            rig r;
            test_note("default %d, consumer %d", is_default, is_consumer);
            REQUIRE(own_stream_make(d, is_default ? 0 : NON_BLOCKING, &o));
            rig_make(&r);
            r.loader.encoding.dtype = BIOST_DTYPE_F32;
            r.desc.streams = is_default ? &none : &o.stream;
            r.desc.copy_streams = 1;
            REQUIRE(rig_open(&r));
            consumer = is_consumer ? r.desc.streams[0] : r.stream;
            CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
            bring_back(&r, &batch, &came_back[0], 0);
            CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
            CHECK_EQ_I64(r.calls->stream_finish(r.state, r.stream), 0);
            CHECK_EQ_I64(d->begin(o.stream, MODE_RELAXED), 0);
            CHECK_EQ_I64(biost_cuda_next(r.cuda, &consumer, &batch), BIOST_ERR_ARG);
            CHECK(strstr(biost_cuda_error(r.cuda)->text, "desc.streams captures") != NULL);
            CHECK_EQ_I64(biost_cuda_open(&r.desc, &other, &error), BIOST_ERR_ARG);
            CHECK(strstr(error.text, "desc.streams captures") != NULL);
            end_empty_capture(d, o.stream);
            compare_all(&r, drain(&r, 1, 1));
            CHECK_EQ_I64(d->begin(o.stream, MODE_RELAXED), 0);
            rig_end(&r);
            end_empty_capture(d, o.stream);
            own_stream_end(&o);
        }
    }
}

/* Nor does an expansion on the default stream spoil what a stream captures that the default one waits for. */
GPU_TEST(gpu, expansions_on_the_default_stream_leave_captures_alone) {
    NEEDS_GRAPHS(d);
    biost_cuda_expansion e;
    void *device = NULL;
    own_stream o;
    rig r;
    REQUIRE(own_stream_make(d, 0, &o));
    rig_make(&r);
    REQUIRE(rig_open(&r));
    REQUIRE(r.calls->device_alloc(r.state, 65536, &device) == 0);
    memset(&e, 0, sizeof e);
    e.codes = (const uint8_t *)device;
    e.table = (const uint8_t *)device + 8192;
    e.out = (uint8_t *)device + 32768;
    e.rows = 1;
    e.columns = 16;
    e.channels = 4;
    e.element_bytes = 4;
    CHECK_EQ_I64(d->begin(o.stream, MODE_RELAXED), 0);
    CHECK_EQ_I64(biost_cuda_expand(r.cuda, 0, &e, NULL), BIOST_ERR_ARG);
    CHECK(strstr(biost_cuda_error(r.cuda)->text, "expand on a stream of yours") != NULL);
    end_empty_capture(d, o.stream);
    CHECK_EQ_I64(biost_cuda_expand(r.cuda, 0, &e, NULL), BIOST_OK);
    CHECK_EQ_I64(r.calls->stream_finish(r.state, NULL), 0);
    CHECK_EQ_I64(r.calls->device_free(r.state, device), 0);
    rig_end(&r);
    own_stream_end(&o);
}

/*
 * Deleters run while their consumer captures, as in a program with a collector: the graph has nothing of it, and
 * the slot comes back by a next after the capture (way 0, 1), or with close (way 2).
 */
GPU_TEST(gpu, a_deleter_during_a_capture) {
    NEEDS_GRAPHS(d);
    int way;
    for (way = 0; way < 3; ++way) {
        biost_cuda_stream consumer = NULL;
        biost_cuda_batch batch, other;
        void *managed = NULL, *before;
        uint32_t count = 0, i, came_again = 0;
        rig r, keeper; /* the second keeps the context, and so the consumer, beyond the first */
        test_note("way %d", way);
        rig_make(&keeper);
        REQUIRE(rig_open_and_leave(&keeper));
        rig_make(&r);
        r.desc.device_slots = 2;
        REQUIRE(rig_open_and_leave(&r));
        before = enter_rig(&r);
        CHECK_EQ_I64(d->stream_create(&consumer, NON_BLOCKING), 0);
        r.calls->leave(r.state, before);
        REQUIRE(biost_cuda_next(r.cuda, &r.stream, &batch) == BIOST_OK);
        bring_back(&r, &batch, &came_back[count], count);
        ++count;
        REQUIRE(biost_cuda_export(r.cuda, &batch, 0, 0, consumer, &managed) == BIOST_OK);
        CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
        before = enter_rig(&r);
        CHECK_EQ_I64(d->begin(consumer, way), 0); /* in each of the modes */
        r.calls->leave(r.state, before);
        delete_export(managed);
        for (i = 0; i < 4; ++i) {
            if (CHECK(biost_cuda_next(r.cuda, &r.stream, &other) == BIOST_OK)) {
                CHECK(other.slot != batch.slot);
                bring_back(&r, &other, &came_back[count], count);
                ++count;
                CHECK_EQ_I64(biost_cuda_release(r.cuda, &other, r.stream), BIOST_OK);
            }
        }
        before = enter_rig(&r);
        end_empty_capture(d, consumer);
        r.calls->leave(r.state, before);
        if (way < 2) {
            uint32_t last = drain(&r, 1, count);
            for (i = count; i < last; ++i) {
                came_again += came_back[i].batch.slot == batch.slot;
            }
            CHECK(came_again > 0);
            compare_all(&r, last);
        }
        rig_enter_and_end(&r);
        keeper.before = enter_rig(&keeper);
        CHECK_EQ_I64(keeper.calls->stream_close(keeper.state, consumer), 0);
        rig_end(&keeper);
    }
}

/* An expansion may be captured: each launch expands the codes that stand there then. */
GPU_TEST(gpu, an_expansion_in_a_graph) {
    NEEDS_GRAPHS(d);
    static biost_cuda_table table;
    enum { BASES = 150, AT_TABLE = 256, AT_OUT = 8192, ALL = AT_OUT + BASES * 4 * 4 };
    biost_encoding encoding;
    biost_cuda_expansion e, host;
    biost_cuda_stream capturing = NULL;
    void *from = NULL, *device = NULL, *graph, *executable = NULL;
    uint8_t *bytes, want[BASES * 4 * 4 + 16], *aligned = want + (16 - (uintptr_t)want % 16) % 16;
    const char *name;
    size_t i;
    int launch;
    rig r;
    rig_make(&r);
    REQUIRE(rig_open(&r));
    REQUIRE(encoding_at(5, &encoding, &name) && strcmp(name, "f32") == 0);
    REQUIRE(biost_cuda_table_make(&encoding, &table, NULL) == BIOST_OK);
    REQUIRE(r.calls->host_alloc(r.state, ALL, 0, &from) == 0);
    REQUIRE(r.calls->device_alloc(r.state, ALL, &device) == 0);
    REQUIRE(d->stream_create(&capturing, NON_BLOCKING) == 0);
    bytes = (uint8_t *)from;
    memset(bytes, 0, ALL);
    memcpy(bytes + AT_TABLE, table.elements, 256 * 4 * 4);
    memset(&e, 0, sizeof e);
    e.codes = (const uint8_t *)device;
    e.table = (const uint8_t *)device + AT_TABLE;
    e.out = (uint8_t *)device + AT_OUT;
    e.rows = 1;
    e.columns = BASES;
    e.channels = 4;
    e.element_bytes = 4;
    host = e;
    host.codes = bytes;
    host.table = bytes + AT_TABLE;
    host.out = aligned;
    CHECK_EQ_I64(d->begin(capturing, MODE_GLOBAL), 0);
    CHECK_EQ_I64(biost_cuda_expand(r.cuda, 0, &e, capturing), BIOST_OK);
    graph = end_capture(d, capturing, 1);
    REQUIRE(graph != NULL && d->instantiate(&executable, graph, 0) == 0);
    for (launch = 0; launch < 2; ++launch) {
        for (i = 0; i < BASES; ++i) {
            bytes[i] = (uint8_t)((i * 7 + (size_t)launch) % table.code_count);
        }
        CHECK_EQ_I64(biost_cuda_expand_host(&host), BIOST_OK);
        CHECK_EQ_I64(r.calls->copy_in(r.state, device, from, AT_OUT, capturing), 0);
        CHECK_EQ_I64(d->launch(executable, capturing), 0);
        CHECK_EQ_I64(r.calls->copy_out(r.state, bytes + AT_OUT, e.out, ALL - AT_OUT, capturing), 0);
        CHECK_EQ_I64(r.calls->stream_finish(r.state, capturing), 0);
        CHECK_MEM(bytes + AT_OUT, aligned, ALL - AT_OUT);
    }
    CHECK_EQ_I64(d->executable_destroy(executable), 0);
    CHECK_EQ_I64(d->graph_destroy(graph), 0);
    CHECK_EQ_I64(r.calls->stream_close(r.state, capturing), 0);
    CHECK_EQ_I64(r.calls->device_free(r.state, device), 0);
    CHECK_EQ_I64(r.calls->host_free(r.state, from), 0);
    rig_end(&r);
}

/* ---- captures, as CUDA documents them ------------------------------------------------------------------- */

/* What tests/fake_libcuda.c takes from CUDA's documents, asked of the driver that is there. */
typedef struct capture_rules {
    rig *r;
    const driver_calls *driver;
    biost_cuda_stream one, two, blocking;
    void *inside, *outside; /* events; the second recorded on no stream that captures */
} capture_rules;

/* End a capture with that error, and no graph unless it is 0. */
static void ends_with(const driver_calls *d, biost_cuda_stream stream, int error) {
    void *graph = NULL;
    CHECK_EQ_I64(d->end(stream, &graph), error);
    CHECK((graph != NULL) == (error == 0));
    if (graph != NULL) {
        CHECK_EQ_I64(d->graph_destroy(graph), 0);
    }
}

typedef struct query {
    capture_rules *rules;
    int mode, error;
} query;

/* Ask for an event that passed, in a thread mode. */
static void *ask(void *argument) {
    query *q = (query *)argument;
    void *before = enter_rig(q->rules->r);
    int mode = q->mode;
    CHECK_EQ_I64(q->rules->driver->exchange_mode(&mode), 0);
    q->error = q->rules->driver->event_query(q->rules->outside);
    CHECK_EQ_I64(q->rules->driver->exchange_mode(&mode), 0);
    q->rules->r->calls->leave(q->rules->r->state, before);
    return NULL;
}

/* cuThreadExchangeStreamCaptureMode: which captures, by their mode, refuse a thread of which mode. */
static void rules_of_modes(capture_rules *rules) {
    static const char refused[2][3][4] = {{"xx-", "xx-", "---"}, {"x--", "---", "---"}}; /* own, another's */
    const driver_calls *d = rules->driver;
    int other, capture, mode;
    for (other = 0; other < 2; ++other) {
        for (capture = MODE_GLOBAL; capture <= MODE_RELAXED; ++capture) {
            for (mode = MODE_GLOBAL; mode <= MODE_RELAXED; ++mode) {
                int is_refused = refused[other][capture][mode] == 'x';
                query q;
                pthread_t thread;
                test_note("capture %d, thread mode %d, %s", capture, mode, other ? "another thread" : "own");
                memset(&q, 0, sizeof q);
                q.rules = rules;
                q.mode = mode;
                CHECK_EQ_I64(d->begin(rules->one, capture), 0);
                if (!other) {
                    ask(&q);
                } else if (CHECK(pthread_create(&thread, NULL, ask, &q) == 0)) {
                    pthread_join(thread, NULL);
                }
                CHECK_EQ_I64(q.error, is_refused ? 900 : 0);
                ends_with(d, rules->one, is_refused ? 901 : 0);
            }
        }
    }
}

/* CUDA_ERROR_CAPTURED_EVENT, STREAM_CAPTURE_ISOLATION, _MERGE, _UNSUPPORTED, _INVALIDATED: in the most relaxed mode. */
static void rules_of_streams(capture_rules *rules) {
    const driver_calls *d = rules->driver;
    int status = -1;
    test_note("asking for a captured event");
    CHECK_EQ_I64(d->begin(rules->one, MODE_RELAXED), 0);
    CHECK_EQ_I64(d->event_record(rules->inside, rules->one), 0);
    CHECK_EQ_I64(d->event_query(rules->inside), 907);
    CHECK_EQ_I64(d->is_capturing(rules->one, &status), 0);
    CHECK_EQ_I64(status, 2); /* CU_STREAM_CAPTURE_STATUS_INVALIDATED */
    ends_with(d, rules->one, 901);
    test_note("waiting for an event from outside");
    CHECK_EQ_I64(d->begin(rules->one, MODE_RELAXED), 0);
    CHECK_EQ_I64(d->stream_wait(rules->one, rules->outside, 0), 905);
    ends_with(d, rules->one, 901);
    test_note("finishing a stream that captures");
    CHECK_EQ_I64(d->begin(rules->one, MODE_RELAXED), 0);
    CHECK_EQ_I64(d->stream_finish(rules->one), 900);
    ends_with(d, rules->one, 901);
    test_note("two captures");
    CHECK_EQ_I64(d->begin(rules->one, MODE_RELAXED), 0);
    CHECK_EQ_I64(d->begin(rules->two, MODE_RELAXED), 0);
    CHECK_EQ_I64(d->event_record(rules->inside, rules->one), 0);
    CHECK_EQ_I64(d->stream_wait(rules->two, rules->inside, 0), 902);
    ends_with(d, rules->two, 901);
    ends_with(d, rules->one, 901);
}

/* A stream that waits for a captured event joins the capture, and must be joined to its first stream again. */
static void rules_of_forks(capture_rules *rules, uint64_t memory) {
    const driver_calls *d = rules->driver;
    int status = -1, joins;
    for (joins = 0; joins < 2; ++joins) {
        test_note("a fork, joined %d", joins);
        CHECK_EQ_I64(d->begin(rules->one, MODE_GLOBAL), 0);
        CHECK_EQ_I64(d->event_record(rules->inside, rules->one), 0);
        CHECK_EQ_I64(d->stream_wait(rules->two, rules->inside, 0), 0);
        CHECK_EQ_I64(d->is_capturing(rules->two, &status), 0);
        CHECK_EQ_I64(status, 1); /* CU_STREAM_CAPTURE_STATUS_ACTIVE */
        CHECK_EQ_I64(d->copy(memory + COPIED, memory, COPIED, rules->two), 0);
        if (joins) {
            CHECK_EQ_I64(d->event_record(rules->inside, rules->two), 0);
            CHECK_EQ_I64(d->stream_wait(rules->one, rules->inside, 0), 0);
        }
        ends_with(d, rules->one, joins ? 0 : 904);
        CHECK_EQ_I64(d->is_capturing(rules->two, &status), 0);
        CHECK_EQ_I64(status, 0);
    }
}

/* The legacy stream, while a stream captures that it would wait for: asking for its status harms nothing. */
static void rules_of_the_legacy_stream(capture_rules *rules) {
    const driver_calls *d = rules->driver;
    int status = -1;
    test_note("a blocking stream");
    CHECK_EQ_I64(d->begin(rules->blocking, MODE_GLOBAL), 0);
    CHECK_EQ_I64(d->is_capturing(NULL, &status), 906);
    ends_with(d, rules->blocking, 0);
    CHECK_EQ_I64(d->begin(rules->blocking, MODE_GLOBAL), 0);
    CHECK_EQ_I64(d->event_record(rules->outside, NULL), 906);
    ends_with(d, rules->blocking, 901);
    test_note("a stream that does not block");
    CHECK_EQ_I64(d->begin(rules->one, MODE_GLOBAL), 0);
    CHECK_EQ_I64(d->is_capturing(NULL, &status), 0);
    CHECK_EQ_I64(status, 0);
    CHECK_EQ_I64(d->event_record(rules->outside, NULL), 0);
    ends_with(d, rules->one, 0);
}

GPU_TEST(gpu, captures_are_as_documented) {
    NEEDS_GRAPHS(d);
    capture_rules rules;
    void *memory = NULL;
    rig r;
    memset(&rules, 0, sizeof rules);
    rules.r = &r;
    rules.driver = d;
    rig_make(&r);
    REQUIRE(rig_open(&r));
    REQUIRE(r.calls->device_alloc(r.state, 2 * COPIED, &memory) == 0);
    REQUIRE(d->stream_create(&rules.one, NON_BLOCKING) == 0 &&
            d->stream_create(&rules.two, NON_BLOCKING) == 0);
    REQUIRE(d->stream_create(&rules.blocking, 0) == 0);
    REQUIRE(d->event_create(&rules.inside, 0) == 0 && d->event_create(&rules.outside, 0) == 0);
    CHECK_EQ_I64(d->event_record(rules.outside, r.stream), 0);
    CHECK_EQ_I64(d->stream_finish(r.stream), 0);
    rules_of_modes(&rules);
    rules_of_streams(&rules);
    rules_of_forks(&rules, (uintptr_t)memory);
    rules_of_the_legacy_stream(&rules);
    CHECK_EQ_I64(d->event_destroy(rules.inside), 0);
    CHECK_EQ_I64(d->event_destroy(rules.outside), 0);
    CHECK_EQ_I64(r.calls->stream_close(r.state, rules.one), 0);
    CHECK_EQ_I64(r.calls->stream_close(r.state, rules.two), 0);
    CHECK_EQ_I64(r.calls->stream_close(r.state, rules.blocking), 0);
    CHECK_EQ_I64(r.calls->device_free(r.state, memory), 0);
    rig_end(&r);
}

/* ---- ends ----------------------------------------------------------------------------------------------- */

static void *cancel_soon(void *cuda) {
    usleep(300);
    biost_cuda_cancel((biost_cuda *)cuda);
    return NULL;
}

GPU_TEST(gpu, cancel_and_close) {
    int way, i;
    for (way = 0; way < 24; ++way) {
        biost_cuda_batch batch;
        biost_result result = BIOST_OK;
        pthread_t thread;
        rig r;
        test_note("way %d", way);
        rig_make(&r);
        REQUIRE(rig_open(&r));
        for (i = 0; i < way % 6 && result == BIOST_OK; ++i) { /* one batch stays with the caller */
            result = biost_cuda_next(r.cuda, &r.stream, &batch);
            if (result == BIOST_OK && i > 0) {
                CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
            }
        }
        CHECK_EQ_I64(result, BIOST_OK);
        if (way >= 6 && way < 12) {
            CHECK_EQ_I64(biost_cuda_begin(r.cuda, 1), BIOST_OK);
        } else if (way >= 12) {
            REQUIRE(pthread_create(&thread, NULL, cancel_soon, r.cuda) == 0);
            for (i = 0; i < 4000 && result == BIOST_OK; ++i) {
                result = biost_cuda_next(r.cuda, &r.stream, &batch);
                if (result == BIOST_OK) {
                    CHECK_EQ_I64(biost_cuda_release(r.cuda, &batch, r.stream), BIOST_OK);
                }
            }
            CHECK(result == BIOST_CANCELLED || result == BIOST_END);
            pthread_join(thread, NULL);
        }
        rig_end(&r);
    }
}

/* In a process of its own, as it leaves the device's context broken: a kernel reads where nothing is. */
GPU_TEST(child, illegal_address) {
    biost_cuda_expansion e;
    biost_cuda_batch batch;
    biost_result result = BIOST_OK;
    rig r;
    int i;
    if (getenv("GPU_REAL_CHILD") == NULL) {
        return;
    }
    patience_alarm(60);
    rig_make(&r);
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
    memset(&e, 0, sizeof e);
    e.codes = (const uint8_t *)(uintptr_t)4096;
    e.table = batch.x.data;
    e.out = batch.x.data;
    e.rows = 1;
    e.columns = 64;
    e.channels = 1;
    e.element_bytes = 1;
    CHECK_EQ_I64(biost_cuda_expand(r.cuda, 0, &e, r.stream), BIOST_OK);
    CHECK(r.calls->stream_finish(r.state, r.stream) != 0);
    (void)biost_cuda_release(r.cuda, &batch, r.stream);
    for (i = 0; i < 10 && result == BIOST_OK; ++i) {
        result = biost_cuda_next(r.cuda, &r.stream, &batch);
    }
    CHECK_EQ_I64(result, BIOST_ERR_DEVICE);
    if (CHECK(biost_cuda_error(r.cuda) != NULL)) {
        printf("%s\n", biost_cuda_error(r.cuda)->text);
        CHECK(strstr(biost_cuda_error(r.cuda)->text, "ILLEGAL_ADDRESS") != NULL ||
              strstr(biost_cuda_error(r.cuda)->text, "IllegalAddress") != NULL);
    }
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_ERR_DEVICE);
    rig_end(&r); /* and it ends */
}

GPU_TEST(gpu, a_broken_device_ends_in_order) {
    char command[600], path[512];
    ssize_t length;
    length = readlink("/proc/self/exe", path, sizeof path - 1);
    REQUIRE(length > 0);
    path[length] = '\0';
    snprintf(command, sizeof command, "GPU_REAL_CHILD=1 '%s' child_", path);
    CHECK_EQ_I64(system(command), 0);
}
