/*
 * cuda_rig.h - what tests of the ring on the fake provider have in common: the batches that must arrive, kernels that
 * compare them, inputs, and one open object. Include it after biostream_cuda.h, test.h and fake_cuda.h.
 */
#ifndef CUDA_RIG_H
#define CUDA_RIG_H

#include <time.h>

enum { BATCHES_MOST = 64, DEVICES_MOST = 4, TENSORS_MOST = 5 };

static void pause_us(long microseconds) {
    struct timespec delay;
    delay.tv_sec = 0;
    delay.tv_nsec = microseconds * 1000;
    nanosleep(&delay, NULL);
}

/* ---- what must arrive ------------------------------------------------------------------------------- */

typedef struct expected_batch {
    biost_batch batch;
    uint8_t *bytes[TENSORS_MOST]; /* copies of its tensors */
    int64_t shape[TENSORS_MOST][4];
    biost_tensor tensors[TENSORS_MOST];
    int32_t *lengths;
    biost_row *origins;
    char names[256][24]; /* of the first rows */
} expected_batch;

typedef struct expected_run {
    expected_batch batches[DEVICES_MOST][BATCHES_MOST];
    uint32_t count, devices;
    biost_result result; /* what came after them */
    char sentence[256];
} expected_run;

static void *copy_of(const void *from, size_t bytes) {
    void *to = malloc(bytes + 1);
    if (to == NULL) {
        abort();
    }
    memcpy(to, from, bytes);
    return to;
}

static void expect_batch(expected_batch *out, const biost_batch *batch) {
    uint32_t i;
    out->batch = *batch;
    for (i = 0; i < batch->tensor_count; ++i) {
        out->tensors[i] = batch->tensors[i];
        out->bytes[i] = (uint8_t *)copy_of(batch->tensors[i].data, (size_t)batch->tensors[i].bytes);
    }
    out->lengths = (int32_t *)copy_of(batch->lengths, batch->rows * sizeof(int32_t));
    out->origins = (biost_row *)copy_of(batch->origins, batch->rows * sizeof(biost_row));
    for (i = 0; i < batch->rows && i < 256 && batch->names != NULL; ++i) {
        snprintf(out->names[i], sizeof out->names[i], "%s", batch->names + batch->name_offsets[i]);
    }
}

/* Run plain loaders over one epoch, one for each device, as so many ranks. */
static expected_run *expect(const biost_loader_desc *wish, uint32_t devices, uint64_t epoch) {
    expected_run *run = (expected_run *)calloc(1, sizeof *run);
    uint32_t d;
    run->devices = devices;
    for (d = 0; d < devices; ++d) {
        biost_loader_desc desc = *wish;
        biost_loader *loader = NULL;
        biost_batch batch;
        biost_error error;
        uint32_t world = desc.world > 0 ? desc.world : 1;
        desc.rank = desc.rank * devices + d;
        desc.world = world * devices;
        run->count = 0;
        if (!CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_OK)) {
            return run;
        }
        run->result = biost_loader_begin(loader, epoch);
        while (run->result == BIOST_OK && run->count < BATCHES_MOST &&
               (run->result = biost_loader_next(loader, &batch)) == BIOST_OK) {
            expect_batch(&run->batches[d][run->count++], &batch);
            biost_loader_release(loader, &batch);
        }
        if (run->result < 0) {
            snprintf(run->sentence, sizeof run->sentence, "%s", biost_loader_error(loader)->text);
        }
        biost_loader_close(loader);
    }
    return run;
}

static void expected_free(expected_run *run) {
    uint32_t d, b, i;
    for (d = 0; d < run->devices; ++d) {
        for (b = 0; b < run->count; ++b) {
            for (i = 0; i < TENSORS_MOST; ++i) {
                free(run->batches[d][b].bytes[i]);
            }
            free(run->batches[d][b].lengths);
            free(run->batches[d][b].origins);
        }
    }
    free(run);
}

/* ---- the consumer ----------------------------------------------------------------------------------- */

/* What a kernel compares. */
typedef struct consumer {
    fake_cuda *fake;
    biost_cuda_batch batch;
    biost_tensor tensors[TENSORS_MOST];
    const expected_batch *expected;
    int is_done, is_bad;
} consumer;

static int same_tensor(const biost_tensor *a, const biost_tensor *b) {
    return a->bytes == b->bytes && a->ndim == b->ndim && a->dtype == b->dtype && a->role == b->role &&
           memcmp(a->shape, b->shape, sizeof a->shape) == 0 &&
           memcmp(a->strides, b->strides, sizeof a->strides) == 0 && a->mate == b->mate &&
           memcmp(a->layout, b->layout, sizeof a->layout) == 0;
}

/* On the stream: is the batch there as it shall be? Then spoil its slot, where asked. */
static void compare(consumer *c, int spoils) {
    const biost_cuda_batch *batch = &c->batch;
    uint32_t i;
    for (i = 0; i < batch->tensor_count; ++i) {
        size_t bytes = (size_t)c->tensors[i].bytes;
        uint8_t *at = bytes == 0 ? NULL : fake_cuda_at(c->fake, c->tensors[i].data, bytes);
        if (bytes > 0 && (at == NULL || memcmp(at, c->expected->bytes[i], bytes) != 0)) {
            c->is_bad = 1;
        }
        if (at != NULL && spoils) {
            memset(at, 0xA5, bytes);
        }
    }
    if (batch->rows > 0) {
        size_t bytes = batch->rows * sizeof(int32_t);
        uint8_t *at = fake_cuda_at(c->fake, batch->lengths, bytes);
        if (at == NULL || memcmp(at, c->expected->lengths, bytes) != 0) {
            c->is_bad = 1;
        }
    }
    c->is_done = 1;
}

/* The kernel: on the stream, compare and then spoil. */
static void consume(void *data) {
    compare((consumer *)data, 1);
}

/* What the host sees of a batch at once. */
static void check_host_side(const biost_cuda_batch *batch, const expected_batch *expected) {
    uint32_t i;
    CHECK_EQ_U64(batch->epoch, expected->batch.epoch);
    CHECK_EQ_U64(batch->index, expected->batch.index);
    CHECK_EQ_U64(batch->rows, expected->batch.rows);
    CHECK_EQ_U64(batch->valid_rows, expected->batch.valid_rows);
    CHECK_EQ_U64(batch->flags, expected->batch.flags);
    CHECK_EQ_U64(batch->tensor_count, expected->batch.tensor_count);
    CHECK(batch->x.data == batch->tensors[0].data);
    CHECK_EQ_U64(batch->samples, batch->rows);
    CHECK_EQ_U64(batch->mates, 1);
    CHECK(batch->row_samples == NULL);
    for (i = 0; i < batch->tensor_count; ++i) {
        CHECK(same_tensor(&batch->tensors[i], &expected->tensors[i]));
        CHECK((uintptr_t)batch->tensors[i].data % 256 == 0);
        CHECK_EQ_U64((uint64_t)batch->tensors[i].device, (uint64_t)batch->device);
    }
    CHECK(memcmp(batch->host_lengths, expected->lengths, batch->rows * sizeof(int32_t)) == 0);
    CHECK(memcmp(batch->origins, expected->origins, batch->rows * sizeof(biost_row)) == 0);
    for (i = 0; i < batch->rows && i < 256 && batch->names != NULL; ++i) {
        const char *name = batch->names + batch->name_offsets[i];
        CHECK(strncmp(name, expected->names[i], sizeof expected->names[i] - 1) == 0);
    }
}

/* ---- batches for kernels ------------------------------------------------------------------------------ */

static const int32_t device_numbers[DEVICES_MOST] = {0, 1, 2, 3};

/* Hand a batch of each device to its kernel. */
static void use_batches(fake_cuda *fake, const biost_cuda_batch *batches, consumer *consumers,
                        const biost_cuda_stream *streams, const expected_run *run, uint32_t b,
                        uint32_t devices, int checks) {
    uint32_t d, i;
    for (d = 0; d < devices; ++d) {
        consumer *c = &consumers[d];
        c->fake = fake;
        c->batch = batches[d];
        c->expected = &run->batches[d][b];
        if (checks) {
            check_host_side(&batches[d], c->expected);
        }
        for (i = 0; i < batches[d].tensor_count; ++i) {
            c->tensors[i] = batches[d].tensors[i];
        }
        fake_cuda_launch(fake, batches[d].device, streams[d], consume, c);
    }
}

/* ---- inputs ----------------------------------------------------------------------------------------- */

/* A FASTQ text of `records` reads of 20..59 bases with lower case, N and other codes, and all qualities. */
static char *make_reads(uint32_t records, size_t *out_bytes) {
    static const char letters[] = "ACGTACGTACGTacgtNnRYKMUu";
    char *text = (char *)malloc((size_t)records * 160), *at = text;
    uint64_t seed = 12345;
    uint32_t r, i;
    for (r = 0; r < records; ++r) {
        uint32_t bases = 20 + r * 7 % 40;
        at += sprintf(at, "@read_%u comment\n", (unsigned)r);
        for (i = 0; i < bases; ++i) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            *at++ = letters[(seed >> 33) % (sizeof letters - 1)];
        }
        at += sprintf(at, "\n+\n");
        for (i = 0; i < bases; ++i) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            *at++ = (char)(33 + (seed >> 33) % 94);
        }
        *at++ = '\n';
    }
    *out_bytes = (size_t)(at - text);
    return text;
}

typedef struct input {
    char *text;
    biost_memory memory;
} input;

static void input_make(input *in, uint32_t records) {
    in->text = make_reads(records, &in->memory.bytes);
    in->memory.data = in->text;
    in->memory.name = "reads";
}

static biost_loader_desc base_desc(const input *in) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.memories = &in->memory;
    desc.memory_count = 1;
    desc.batch_rows = 24;
    desc.row_bases = 64;
    desc.workers = 2;
    desc.seed = 7;
    return desc;
}

static int make_label(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    float *label = (float *)out_label;
    (void)user_data;
    label[0] = (float)record->seq_bases;
    label[1] = (float)(id & 1023);
    return 1;
}

/* ---- one open object --------------------------------------------------------------------------------- */

typedef struct rig {
    input in;
    biost_loader_desc loader;
    biost_cuda_desc desc;
    fake_cuda *fake;
    biost_cuda_stream stream;
    biost_cuda *cuda;
    biost_error error;
} rig;

static void rig_make(rig *r, uint32_t records, const fake_cuda_options *options) {
    memset(r, 0, sizeof *r);
    input_make(&r->in, records);
    r->loader = base_desc(&r->in);
    r->loader.encoding.dtype = BIOST_DTYPE_F16;
    r->fake = fake_cuda_new(options);
    r->stream = fake_cuda_stream(r->fake, 0);
    r->desc.loader = &r->loader;
    r->desc.provider = fake_cuda_provider(r->fake);
    fake_cuda_set_current(r->fake, 0);
}

static int rig_open(rig *r) {
    biost_result result = biost_cuda_open(&r->desc, &r->cuda, &r->error);
    if (!CHECK(result == BIOST_OK)) {
        printf("  %s\n", r->error.text);
    }
    return result == BIOST_OK;
}

static void rig_end(rig *r) {
    biost_cuda_close(r->cuda);
    CHECK_STR(fake_cuda_check(r->fake), NULL);
    fake_cuda_delete(r->fake);
    free(r->in.text);
}

/* ---- exports ---------------------------------------------------------------------------------------- */

/* Fields of DLManagedTensor that a consumer uses, by their places in dlpack.h (LP64). */
static void delete_export(void *managed) {
    void (*deleter)(void *);
    memcpy(&deleter, (uint8_t *)managed + 56, sizeof deleter);
    deleter(managed);
}

#endif /* CUDA_RIG_H */
