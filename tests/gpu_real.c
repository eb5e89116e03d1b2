/*
 * gpu_real - biostream_cuda.h on a real GPU; what `make gpu-check` runs, with CUDA's driver and, linked with an
 * implementation that has it, with CUDA's runtime.
 *
 * Without a device every test is skipped. What a batch must be comes from a plain loader with the same desc;
 * what an expansion must be, from the kernels' twin in C, which test_cuda_expand.c compares with the encoders.
 */
#include "../biostream_cuda.h"
#include "test.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

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

#define NEEDS_GPU()              \
    do {                         \
        if (*no_gpu()) {         \
            TEST_SKIP(no_gpu()); \
        }                        \
    } while (0)

TEST(gpu, look) {
    int count = 0;
    NEEDS_GPU();
    CHECK_EQ_I64(biost_cuda_look(NULL, &count, NULL), BIOST_OK);
    CHECK(count >= 1);
    printf("device: %d of provider %s\n", count,
           biost_cuda_runtime() != NULL ? biost_cuda_runtime()->name : biost_cuda_driver()->name);
}

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

/* The n-th encoding of a list; 0 behind its end. */
static int encoding_at(size_t n, biost_encoding *out, const char **out_name) {
    static const struct {
        const char *name;
        biost_encoding encoding;
    } list[] = {
#define ONEHOT(dtype, layout, channels, ambiguous, pad, side) \
    {BIOST_ENCODE_ONEHOT, dtype, layout, channels, ambiguous, BIOST_LOWER_CASE_FOLD, NULL, pad, side}
#define TOKENS(dtype, pad, side)                                                                         \
    {                                                                                                    \
        BIOST_ENCODE_TOKENS, dtype, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO, BIOST_LOWER_CASE_FOLD, \
            NULL, pad, side                                                                              \
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

/* A batch that came back from the device: its tensors, one behind the other, then lengths. */
typedef struct returned {
    biost_cuda_batch batch;
    biost_tensor tensors[TENSORS_MOST];
    uint8_t *bytes; /* page-locked, [room] */
} returned;

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
        !CHECK(r->calls->stream_open(r->state, &r->stream) == 0) ||
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
}

static void compare(const rig *r, const returned *got, const biost_batch *want) {
    const uint8_t *at = got->bytes;
    uint32_t i;
    CHECK_EQ_U64(got->batch.epoch, want->epoch);
    CHECK_EQ_U64(got->batch.index, want->index);
    CHECK_EQ_U64(got->batch.rows, want->rows);
    CHECK_EQ_U64(got->batch.valid_rows, want->valid_rows);
    CHECK_EQ_U64(got->batch.tensor_count, want->tensor_count);
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

/* An epoch through the ring, without waiting for the device, against one of a plain loader. */
static void run_epoch(rig *r, uint32_t held_most) {
    static returned got[BATCHES_MOST];
    biost_cuda_batch held[4];
    biost_loader *plain = NULL;
    biost_batch want;
    biost_error error;
    biost_result result = BIOST_OK;
    uint32_t count = 0, first = 0, i;
    if (!rig_open(r)) {
        return;
    }
    while (count < BATCHES_MOST && result == BIOST_OK) {
        if (count - first == held_most) {
            CHECK_EQ_I64(biost_cuda_release(r->cuda, &held[first++ % 4], r->stream), BIOST_OK);
        }
        result = biost_cuda_next(r->cuda, &r->stream, &held[count % 4]);
        if (result == BIOST_OK) {
            bring_back(r, &held[count % 4], &got[count], count);
            ++count;
        }
    }
    CHECK_EQ_I64(result, BIOST_END);
    for (; first < count; ++first) {
        CHECK_EQ_I64(biost_cuda_release(r->cuda, &held[first % 4], r->stream), BIOST_OK);
    }
    CHECK_EQ_I64(r->calls->stream_finish(r->state, r->stream), 0);
    REQUIRE(biost_loader_open(&r->loader, &plain, &error) == BIOST_OK);
    CHECK_EQ_I64(biost_loader_begin(plain, 0), BIOST_OK);
    for (i = 0; biost_loader_next(plain, &want) == BIOST_OK; ++i) {
        if (CHECK(i < count)) {
            compare(r, &got[i], &want);
        }
        biost_loader_release(plain, &want);
    }
    CHECK_EQ_U64(i, count);
    biost_loader_close(plain);
}

TEST(gpu, ring_equals_the_loader) {
    biost_encoding encoding;
    const char *name;
    size_t i;
    NEEDS_GPU();
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
            r.loader.augment.reverse_complement = 0.5f;
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

TEST(gpu, ring_in_memory_of_yours) {
    rig r;
    NEEDS_GPU();
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

TEST(gpu, expansions_equal_their_twin) {
    static biost_cuda_table table;
    biost_encoding encoding;
    const char *name;
    void *from = NULL, *back = NULL, *device = NULL;
    uint8_t *want;
    rig r;
    size_t i;
    NEEDS_GPU();
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
    static int (*get)(void **);
    void *context = NULL, *library, *symbol;
    if (get == NULL) {
        library = dlopen("libcuda.so.1", RTLD_NOW);
        symbol = library != NULL ? dlsym(library, "cuCtxGetCurrent") : NULL;
        memcpy(&get, &symbol, sizeof get);
    }
    CHECK(get != NULL && get(&context) == 0);
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

TEST(gpu, current_device_is_restored) {
    int count = 0;
    pthread_t thread;
    rig r;
    NEEDS_GPU();
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

TEST(gpu, exports) {
    biost_cuda_batch batch;
    void *managed[2] = {NULL, NULL}, *data;
    int32_t place[2];
    rig r;
    int i;
    NEEDS_GPU();
    if (sizeof(void *) != 8) {
        TEST_SKIP("64-bit pointers");
    }
    rig_make(&r);
    r.loader.mask = 1;
    r.desc.device_slots = 2;
    REQUIRE(rig_open(&r));
    CHECK_EQ_I64(biost_cuda_next(r.cuda, &r.stream, &batch), BIOST_OK);
    for (i = 0; i < 2; ++i) {
        REQUIRE(biost_cuda_export(r.cuda, &batch, (uint32_t)i, 0, r.stream, &managed[i]) == BIOST_OK);
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
    delete_export(managed[1]); /* behind close */
}

TEST(gpu, times_go_on) {
    biost_cuda_span spans[64];
    biost_cuda_batch batch;
    uint32_t count = 0, i;
    rig r;
    NEEDS_GPU();
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

/* ---- ends ----------------------------------------------------------------------------------------------- */

static void *cancel_soon(void *cuda) {
    usleep(300);
    biost_cuda_cancel((biost_cuda *)cuda);
    return NULL;
}

TEST(gpu, cancel_and_close) {
    int way, i;
    NEEDS_GPU();
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
TEST(child, illegal_address) {
    biost_cuda_expansion e;
    biost_cuda_batch batch;
    biost_result result = BIOST_OK;
    rig r;
    int i;
    if (getenv("GPU_REAL_CHILD") == NULL) {
        return;
    }
    NEEDS_GPU();
    alarm(60);
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

TEST(gpu, a_broken_device_ends_in_order) {
    char command[600], path[512];
    ssize_t length;
    NEEDS_GPU();
    length = readlink("/proc/self/exe", path, sizeof path - 1);
    REQUIRE(length > 0);
    path[length] = '\0';
    snprintf(command, sizeof command, "GPU_REAL_CHILD=1 '%s' child_", path);
    CHECK_EQ_I64(system(command), 0);
}
