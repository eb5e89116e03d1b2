/*
 * test_export.c - tensors lent by the structs of DLPack: their bytes against the specification (dmlc/dlpack,
 * include/dlpack/dlpack.h 1.0), and how long an exported slot lives, whoever lets go of it last.
 *
 * rooms: export
 * needs: loader threads library
 */
#include "../biostream.h"

#include "test.h"

#include "job_host.h"
#include "loader_oracle.h"
#include "patience.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the specification ---- */

/* The structs as dlpack.h writes them. */
typedef struct spec_tensor {
    void *data;
    struct {
        int32_t device_type, device_id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} spec_tensor;

typedef struct spec_managed {
    spec_tensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct spec_managed *self);
} spec_managed;

typedef struct spec_versioned {
    struct {
        uint32_t major, minor;
    } version;
    void *manager_ctx;
    void (*deleter)(struct spec_versioned *self);
    uint64_t flags;
    spec_tensor dl_tensor;
} spec_versioned;

/* The tensor in either struct. */
static const spec_tensor *tensor_of(const void *managed, int versioned) {
    return versioned ? &((const spec_versioned *)managed)->dl_tensor
                     : &((const spec_managed *)managed)->dl_tensor;
}

/* Call its deleter, as a reader of either struct does. */
static void delete_of(void *managed, int versioned) {
    if (versioned) {
        ((spec_versioned *)managed)->deleter((spec_versioned *)managed);
    } else {
        ((spec_managed *)managed)->deleter((spec_managed *)managed);
    }
}

/* Counts its calls; with an allocator, what was still allocated then. */
typedef struct released {
    uint32_t calls;
    const counted *count;
    uint64_t blocks;
} released;

static void note_release(void *user_data) {
    released *r = (released *)user_data;
    ++r->calls;
    r->blocks = r->count != NULL ? r->count->blocks : 0;
}

static biost_tensor some_tensor(void *data) {
    biost_tensor tensor;
    memset(&tensor, 0, sizeof tensor);
    tensor.data = data;
    tensor.ndim = 3;
    tensor.shape[0] = 2;
    tensor.shape[1] = 3;
    tensor.shape[2] = 4;
    tensor.strides[0] = 12;
    tensor.strides[1] = 4;
    tensor.strides[2] = 1;
    tensor.dtype = BIOST_DTYPE_F16;
    tensor.device = -1;
    tensor.bytes = 48;
    return tensor;
}

static uint64_t number_at(const void *from, size_t at, size_t count) {
    const uint8_t *place = (const uint8_t *)from + at;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (count) {
    case 1: return *place;
    case 2: memcpy(&two, place, 2); return two;
    case 4: memcpy(&four, place, 4); return four;
    default: memcpy(&eight, place, 8); return eight;
    }
}

/*
 * Byte by byte, where pointers have 8 bytes. DLTensor: data 0, device_type 8, device_id 12, ndim 16, code 20, bits
 * 21, lanes 22, shape 24, strides 32, byte_offset 40. It is at 0 of DLManagedTensor, with manager_ctx 48 and
 * deleter 56, and at 32 of DLManagedTensorVersioned, with major 0, minor 4, manager_ctx 8, deleter 16, flags 24.
 */
TEST(export, bytes_are_those_of_the_specification) {
    int versioned;
    uint16_t data[24];
    if (sizeof(void *) != 8) {
        return; /* other tests use the structs, whatever pointers have */
    }
    for (versioned = 0; versioned < 2; ++versioned) {
        biost_tensor tensor = some_tensor(data);
        size_t at = versioned ? 32 : 0;
        void *managed = NULL;
        const int64_t *shape, *strides;
        tensor.device = 5;
        test_note("versioned %d", versioned);
        REQUIRE(biost_tensor_export(&tensor, versioned, NULL, NULL, NULL, &managed) == BIOST_OK);
        CHECK_EQ_U64(number_at(managed, at, 8), (uintptr_t)data);
        CHECK_EQ_U64(number_at(managed, at + 8, 4), 2);
        CHECK_EQ_U64(number_at(managed, at + 12, 4), 5);
        CHECK_EQ_U64(number_at(managed, at + 16, 4), 3);
        CHECK_EQ_U64(number_at(managed, at + 20, 1), 2);
        CHECK_EQ_U64(number_at(managed, at + 21, 1), 16);
        CHECK_EQ_U64(number_at(managed, at + 22, 2), 1);
        shape = (const int64_t *)(uintptr_t)number_at(managed, at + 24, 8);
        strides = (const int64_t *)(uintptr_t)number_at(managed, at + 32, 8);
        CHECK(shape[0] == 2 && shape[1] == 3 && shape[2] == 4);
        CHECK(strides[0] == 12 && strides[1] == 4 && strides[2] == 1);
        CHECK_EQ_U64(number_at(managed, at + 40, 8), 0);
        if (versioned) {
            CHECK_EQ_U64(number_at(managed, 0, 4), 1);
            CHECK_EQ_U64(number_at(managed, 4, 4), 0);
            CHECK_EQ_U64(number_at(managed, 24, 8), 0);
        }
        CHECK(number_at(managed, versioned ? 8 : 48, 8) != 0);
        CHECK(number_at(managed, versioned ? 16 : 56, 8) != 0);
        CHECK_EQ_U64(offsetof(spec_managed, deleter), 56);
        CHECK_EQ_U64(offsetof(spec_versioned, deleter), 16);
        delete_of(managed, versioned);
    }
}

/* kDLInt 0, kDLUInt 1, kDLFloat 2, kDLBfloat 4; kDLCPU 1, kDLCUDA 2. */
TEST(export, every_dtype_and_device) {
    static const struct {
        biost_dtype dtype;
        uint8_t code, bits;
    } dtypes[] = {{BIOST_DTYPE_U8, 1, 8},   {BIOST_DTYPE_U16, 1, 16}, {BIOST_DTYPE_I32, 0, 32},
                  {BIOST_DTYPE_I64, 0, 64}, {BIOST_DTYPE_F16, 2, 16}, {BIOST_DTYPE_F32, 2, 32},
                  {BIOST_DTYPE_BF16, 4, 16}};
    static const int32_t devices[] = {-1, 0, 1, 7};
    uint32_t i, k;
    int versioned;
    uint8_t data[256];
    for (i = 0; i < 7; ++i) {
        for (k = 0; k < 4; ++k) {
            for (versioned = 0; versioned < 2; ++versioned) {
                biost_tensor tensor = some_tensor(data);
                const spec_tensor *got;
                void *managed = NULL;
                tensor.dtype = dtypes[i].dtype;
                tensor.device = devices[k];
                test_note("dtype %u, device %d, versioned %d", (unsigned)i, (int)devices[k], versioned);
                REQUIRE(biost_tensor_export(&tensor, versioned, NULL, NULL, NULL, &managed) == BIOST_OK);
                got = tensor_of(managed, versioned);
                CHECK(got->dtype.code == dtypes[i].code && got->dtype.bits == dtypes[i].bits &&
                      got->dtype.lanes == 1);
                CHECK_EQ_I64(got->device.device_type, devices[k] < 0 ? 1 : 2);
                CHECK_EQ_I64(got->device.device_id, devices[k] < 0 ? 0 : devices[k]);
                delete_of(managed, versioned);
            }
        }
    }
}

/* No dimension, four of them, some of size 1 or 0. */
TEST(export, every_shape) {
    static const struct {
        uint32_t ndim;
        int64_t shape[4], strides[4], want[4];
        int is_empty;
    } cases[] = {
        {0, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0},  {1, {7, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}, 0},
        {1, {1, 0, 0, 0}, {99, 0, 0, 0}, {1, 0, 0, 0}, 0}, {4, {2, 1, 3, 1}, {3, 77, 1, -5}, {3, 1, 1, 1}, 0},
        {2, {3, 5, 0, 0}, {1, 3, 0, 0}, {1, 3, 0, 0}, 0}, /* not dense: as it is */
        {2, {0, 5, 0, 0}, {5, 1, 0, 0}, {5, 1, 0, 0}, 1},  {3, {4, 0, 4, 0}, {0, 4, 1, 0}, {0, 4, 1, 0}, 1},
    };
    uint32_t i, k;
    int versioned;
    uint8_t data[256];
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (versioned = 0; versioned < 2; ++versioned) {
            biost_tensor tensor = some_tensor(data);
            const spec_tensor *got;
            void *managed = NULL;
            memcpy(tensor.shape, cases[i].shape, sizeof tensor.shape);
            memcpy(tensor.strides, cases[i].strides, sizeof tensor.strides);
            tensor.ndim = cases[i].ndim;
            test_note("case %u, versioned %d", (unsigned)i, versioned);
            REQUIRE(biost_tensor_export(&tensor, versioned, NULL, NULL, NULL, &managed) == BIOST_OK);
            memset(&tensor, 0xEE, sizeof tensor); /* was copied */
            got = tensor_of(managed, versioned);
            CHECK_EQ_I64(got->ndim, cases[i].ndim);
            CHECK(got->shape != NULL && got->strides != NULL && got->byte_offset == 0);
            CHECK(got->data == (cases[i].is_empty ? NULL : (void *)data));
            for (k = 0; k < cases[i].ndim; ++k) {
                CHECK_EQ_I64(got->shape[k], cases[i].shape[k]);
                CHECK_EQ_I64(got->strides[k], cases[i].want[k]);
            }
            delete_of(managed, versioned);
        }
    }
}

/* The deleter frees the struct, then calls release, once; both forms, with an allocator and without. */
TEST(export, deleter_frees_then_releases) {
    uint32_t i;
    uint8_t data[64];
    for (i = 0; i < 4; ++i) {
        biost_tensor tensor = some_tensor(data);
        int versioned = (int)(i % 2);
        counted count;
        released r;
        void *managed = NULL;
        biost_allocator allocator = counted_allocator(&count);
        memset(&r, 0, sizeof r);
        r.count = &count;
        REQUIRE(biost_tensor_export(&tensor, versioned, note_release, &r, i < 2 ? &allocator : NULL,
                                    &managed) == BIOST_OK);
        CHECK_EQ_U64(count.blocks, i < 2 ? 1 : 0);
        CHECK(count.now_bytes <= 512);
        memset(&allocator, 0, sizeof allocator); /* was copied */
        CHECK_EQ_U64(r.calls, 0);
        r.blocks = 99;
        delete_of(managed, versioned);
        CHECK_EQ_U64(r.calls, 1);
        CHECK_EQ_U64(r.blocks, 0);
        CHECK_EQ_U64(count.blocks, 0);
    }
}

TEST(export, what_cannot_be_exported) {
    uint32_t i;
    uint8_t data[64];
    counted count;
    released r = {0, NULL, 0};
    for (i = 0; i < 11; ++i) {
        biost_allocator allocator = counted_allocator(&count);
        biost_tensor tensor = some_tensor(data);
        void *managed = data;
        biost_result want = BIOST_ERR_ARG;
        if (i == 0) {
            tensor.ndim = 5;
        } else if (i == 1) {
            tensor.dtype = (biost_dtype)7;
        } else if (i == 2) {
            tensor.dtype = (biost_dtype)-1;
        } else if (i == 3) {
            tensor.device = -2;
        } else if (i == 4) {
            tensor.shape[2] = -1;
        } else if (i == 5) {
            tensor.data = NULL;
        } else if (i == 6) {
            allocator.free = NULL;
        } else if (i == 7) {
            allocator.alloc = NULL;
        } else if (i == 8) {
            CHECK(biost_tensor_export(NULL, 0, note_release, &r, &allocator, &managed) == BIOST_ERR_ARG);
            continue;
        } else if (i == 9) {
            CHECK(biost_tensor_export(&tensor, 0, note_release, &r, &allocator, NULL) == BIOST_ERR_ARG);
            continue;
        } else {
            count.fail_at = 1;
            want = BIOST_ERR_NOMEM;
        }
        test_note("case %u", (unsigned)i);
        CHECK(biost_tensor_export(&tensor, (int)(i % 2), note_release, &r, &allocator, &managed) == want);
        CHECK(managed == NULL);
        CHECK_EQ_U64(count.blocks, 0);
    }
    CHECK_EQ_U64(r.calls, 0);
}

/* ---- exports of a loader ---- */

/* `records` reads of 20 bases in batches of 4, with every tensor and allocators that count. */
typedef struct lender {
    one_text one;
    counted count, slot_count;
    biost_loader *loader;
} lender;

static int one_label(const biost_record *record, int64_t id, void *out_label, void *user_data) {
    (void)record;
    (void)user_data;
    *(int64_t *)out_label = id;
    return 1;
}

static void lender_desc(lender *l, uint32_t records, uint32_t slots) {
    text_shape shape = {0, 20, 20, 0, 0, 0, 0, 0};
    shape.records = records;
    memset(l, 0, sizeof *l);
    one_text_shape(&l->one, &shape, 7);
    l->one.desc.batch_rows = 4;
    l->one.desc.row_bases = 20;
    l->one.desc.slots = slots;
    l->one.desc.encoding.dtype = BIOST_DTYPE_F32;
    l->one.desc.quality.kind = BIOST_QUALITY_PHRED;
    l->one.desc.quality.dtype = BIOST_DTYPE_U8;
    l->one.desc.mask = 1;
    l->one.desc.labels.make = one_label;
    l->one.desc.labels.dtype = BIOST_DTYPE_I64;
    l->one.desc.allocator = counted_allocator(&l->count);
    l->one.desc.slot_allocator = counted_allocator(&l->slot_count);
}

static int lender_open(lender *l, uint32_t records, uint32_t slots) {
    lender_desc(l, records, slots);
    l->loader = oracle_open(&l->one.desc);
    return l->loader != NULL && CHECK(biost_loader_begin(l->loader, 0) == BIOST_OK);
}

/* Everything was given back. */
static void lender_end(lender *l) {
    CHECK_EQ_U64(l->count.blocks, 0);
    CHECK_EQ_U64(l->count.now_bytes, 0);
    CHECK_EQ_U64(l->slot_count.blocks, 0);
    CHECK_EQ_U64(l->slot_count.now_bytes, 0);
    bytes_free(&l->one.text);
}

/* An export of tensor `index`, checked against it; NULL where that failed. */
static void *lend(lender *l, const biost_batch *batch, uint32_t index, int versioned) {
    const biost_tensor *tensor = &batch->tensors[index];
    const spec_tensor *got;
    void *managed = NULL;
    uint32_t i;
    if (!CHECK(biost_loader_export(l->loader, batch, index, versioned, &managed) == BIOST_OK)) {
        return NULL;
    }
    got = tensor_of(managed, versioned);
    CHECK(got->data == tensor->data); /* no copy */
    CHECK(got->device.device_type == 1 && got->device.device_id == 0);
    CHECK_EQ_I64(got->ndim, tensor->ndim);
    for (i = 0; i < tensor->ndim; ++i) {
        CHECK_EQ_I64(got->shape[i], tensor->shape[i]);
        CHECK_EQ_I64(got->strides[i], tensor->strides[i]);
    }
    return managed;
}

/* Exports of all tensors, in both forms, let go before and after the release, in 8 orders. */
TEST(export, slot_returns_when_the_last_lets_go) {
    uint32_t order, i;
    for (order = 0; order < 8; ++order) {
        lender l;
        biost_batch batch, other;
        void *managed[8];
        uint32_t release_at = order; /* before how many deleters the batch is released */
        REQUIRE(lender_open(&l, 12, 1));
        REQUIRE(biost_loader_next(l.loader, &batch) == BIOST_OK);
        CHECK_EQ_U64(batch.tensor_count, 4);
        test_note("order %u", (unsigned)order);
        for (i = 0; i < 8; ++i) {
            managed[i] = lend(&l, &batch, i % 4, i >= 4);
            REQUIRE(managed[i] != NULL);
        }
        for (i = 0; i < 8; ++i) {
            if (i == release_at) {
                CHECK(biost_loader_release(l.loader, &batch) == BIOST_OK);
                CHECK(biost_loader_release(l.loader, &batch) == BIOST_ERR_ARG);
            }
            CHECK(biost_loader_next(l.loader, &other) == BIOST_ERR_SLOTS); /* the only slot */
            delete_of(managed[(i * 3 + order) % 8], (i * 3 + order) % 8 >= 4);
        }
        CHECK(biost_loader_next(l.loader, &other) == BIOST_OK);
        CHECK_EQ_U64(other.index, 1);
        CHECK_EQ_U64(other.slot, batch.slot);
        CHECK(biost_loader_release(l.loader, &other) == BIOST_OK);
        biost_loader_close(l.loader);
        lender_end(&l);
    }
}

/* Deleters first, the release last; and exports made again after all were gone. */
TEST(export, release_may_come_last) {
    lender l;
    biost_batch batch, other;
    uint32_t i;
    REQUIRE(lender_open(&l, 8, 1));
    REQUIRE(biost_loader_next(l.loader, &batch) == BIOST_OK);
    for (i = 0; i < 6; ++i) {
        void *managed = lend(&l, &batch, i % 4, (int)(i % 2));
        REQUIRE(managed != NULL);
        delete_of(managed, (int)(i % 2));
        CHECK(biost_loader_next(l.loader, &other) == BIOST_ERR_SLOTS);
    }
    CHECK(biost_loader_release(l.loader, &batch) == BIOST_OK);
    CHECK(biost_loader_next(l.loader, &other) == BIOST_OK);
    biost_loader_close(l.loader);
    lender_end(&l);
}

/* What is kept keeps its bytes, while the loader runs through epochs in its other slots, as without exports. */
TEST(export, kept_bytes_stay_and_batches_too) {
    uint32_t workers;
    for (workers = 1; workers <= 3; workers += 2) {
        uint64_t want[3], epoch;
        lender l;
        void *managed[2] = {NULL, NULL};
        uint8_t bytes_of_x[2][4 * 20 * 4 * 4];
        uint32_t kept = 0;
        lender_desc(&l, 50, 4);
        for (epoch = 0; epoch < 3; ++epoch) {
            want[epoch] = digest_epoch(&l.one.desc, epoch);
        }
        CHECK(want[0] != 0 && want[0] != want[1]);
        l.one.desc.workers = workers;
        l.loader = oracle_open(&l.one.desc);
        REQUIRE(l.loader != NULL);
        for (epoch = 0; epoch < 3; ++epoch) {
            uint64_t digest = 0;
            biost_batch batch;
            CHECK(biost_loader_begin(l.loader, epoch) == BIOST_OK);
            while (biost_loader_next(l.loader, &batch) == BIOST_OK) {
                digest += batch.digest;
                if (kept < 2 && batch.index == 2) {
                    REQUIRE(batch.x.bytes == sizeof bytes_of_x[0]);
                    managed[kept] = lend(&l, &batch, 0, (int)kept);
                    memcpy(bytes_of_x[kept++], batch.x.data, sizeof bytes_of_x[0]);
                }
                CHECK(biost_loader_release(l.loader, &batch) == BIOST_OK);
            }
            CHECK_EQ_U64(digest, want[epoch]);
        }
        CHECK_EQ_U64(kept, 2);
        for (kept = 0; kept < 2; ++kept) {
            CHECK_MEM(tensor_of(managed[kept], (int)kept)->data, bytes_of_x[kept], sizeof bytes_of_x[0]);
            delete_of(managed[kept], (int)kept);
        }
        biost_loader_close(l.loader);
        lender_end(&l);
    }
}

/* Close with batches held or released, some exported: their memory stays until the last deleter, all else goes. */
TEST(export, exports_outlive_close) {
    uint32_t order;
    for (order = 0; order < 6; ++order) {
        lender l;
        biost_batch batches[3];
        void *managed[3];
        uint8_t x[2][4 * 20 * 4 * 4];
        uint32_t i;
        REQUIRE(lender_open(&l, 40, 4));
        for (i = 0; i < 3; ++i) {
            REQUIRE(biost_loader_next(l.loader, &batches[i]) == BIOST_OK);
        }
        managed[0] = lend(&l, &batches[0], 0, 1); /* two of one slot, one of another, none of the third */
        managed[1] = lend(&l, &batches[0], 2, 0);
        managed[2] = lend(&l, &batches[2], 0, 0);
        REQUIRE(managed[0] != NULL && managed[1] != NULL && managed[2] != NULL);
        memcpy(x[0], batches[0].x.data, sizeof x[0]);
        memcpy(x[1], batches[2].x.data, sizeof x[1]);
        if (order % 2 == 1) {
            CHECK(biost_loader_release(l.loader, &batches[0]) == BIOST_OK);
        }
        biost_loader_close(l.loader);
        test_note("order %u", (unsigned)order);
        CHECK_EQ_U64(l.slot_count.blocks, 2);
        CHECK_EQ_U64(l.count.blocks, 4); /* three structs, and what they share */
        CHECK_MEM(tensor_of(managed[0], 1)->data, x[0], sizeof x[0]);
        CHECK_MEM(tensor_of(managed[2], 0)->data, x[1], sizeof x[1]);
        for (i = 0; i < 3; ++i) {
            uint32_t k = (i + order / 2) % 3;
            delete_of(managed[k], k == 0);
            CHECK_EQ_U64(l.count.blocks, i < 2 ? 3 - i : 0);
        }
        lender_end(&l);
    }
}

/* Calls that are refused say why, and keep nothing. */
TEST(export, refused) {
    lender l;
    biost_batch batch, other;
    void *managed = NULL, *kept;
    uint8_t state[512];
    size_t count = 0;
    int i;
    REQUIRE(lender_open(&l, 8, 1));
    REQUIRE(biost_loader_next(l.loader, &batch) == BIOST_OK);
    CHECK(biost_loader_export(NULL, &batch, 0, 0, &managed) == BIOST_ERR_ARG);
    CHECK(biost_loader_export(l.loader, NULL, 0, 0, &managed) == BIOST_ERR_ARG);
    CHECK(biost_loader_export(l.loader, &batch, 0, 0, NULL) == BIOST_ERR_ARG);
    CHECK(error_of(l.loader)->fault == BIOST_FAULT_ARGUMENT);
    managed = state;
    CHECK(biost_loader_export(l.loader, &batch, 4, 0, &managed) == BIOST_ERR_ARG);
    CHECK(managed == NULL && error_of(l.loader)->fault == BIOST_FAULT_MISUSE);
    for (i = 0; i < 2; ++i) { /* with its memory refused; the last call of the allocator */
        l.count.fail_at = l.count.calls + 1;
        CHECK(biost_loader_export(l.loader, &batch, 0, i, &managed) == BIOST_ERR_NOMEM);
        CHECK(managed == NULL && error_of(l.loader)->fault == BIOST_FAULT_MEMORY);
        CHECK(strncmp(error_of(l.loader)->text, "out of memory: ", 15) == 0);
    }
    kept = lend(&l, &batch, 0, 0);
    REQUIRE(kept != NULL);
    CHECK(biost_loader_error(l.loader) == NULL);
    CHECK(biost_loader_release(l.loader, &batch) == BIOST_OK);
    /* Kept, but not held any more. */
    CHECK(biost_loader_export(l.loader, &batch, 0, 0, &managed) == BIOST_ERR_ARG);
    CHECK(strstr(error_of(l.loader)->text, "held") != NULL);
    CHECK(biost_loader_state(l.loader, &batch, state, sizeof state, &count) == BIOST_ERR_ARG);
    CHECK(biost_loader_next(l.loader, &other) == BIOST_ERR_SLOTS);
    delete_of(kept, 0);
    CHECK(biost_loader_next(l.loader, &other) == BIOST_OK);
    CHECK(biost_loader_export(l.loader, &batch, 0, 0, &managed) == BIOST_ERR_ARG); /* an older loan */
    CHECK(biost_loader_release(l.loader, &batch) == BIOST_ERR_ARG);
    CHECK(biost_loader_release(l.loader, &other) == BIOST_OK);
    biost_loader_close(l.loader);
    lender_end(&l);
}

/* begin abandons batches, cancel stops the work: what is exported stays, and comes back. */
TEST(export, through_begin_and_cancel) {
    uint32_t i;
    for (i = 0; i < 4; ++i) {
        lender l;
        biost_batch batch, other;
        void *managed;
        REQUIRE(lender_open(&l, 40, 2));
        REQUIRE(biost_loader_next(l.loader, &batch) == BIOST_OK);
        managed = lend(&l, &batch, 1, 0);
        REQUIRE(managed != NULL);
        if (i % 2 == 0) {
            CHECK(biost_loader_release(l.loader, &batch) == BIOST_OK);
        }
        test_note("case %u", (unsigned)i);
        if (i < 2) {
            uint32_t batches = 0;
            biost_result result;
            CHECK(biost_loader_begin(l.loader, 5) == BIOST_OK);
            while ((result = biost_loader_next(l.loader, &other)) == BIOST_OK) { /* in the other slot */
                ++batches;
                CHECK(other.slot != batch.slot || batches > 4);
                CHECK(biost_loader_release(l.loader, &other) == BIOST_OK);
                if (batches == 4) {
                    delete_of(managed, 0);
                    managed = NULL;
                }
            }
            CHECK(result == BIOST_END);
            CHECK_EQ_U64(batches, 10);
        } else {
            biost_loader_cancel(l.loader);
            CHECK(biost_loader_next(l.loader, &other) == BIOST_CANCELLED);
            delete_of(managed, 0);
            managed = NULL;
        }
        CHECK(managed == NULL);
        biost_loader_close(l.loader);
        lender_end(&l);
    }
}

/* Each allocation of open fails in its turn, the keeper's among them: nothing is left. */
TEST(export, open_fails_cleanly) {
    uint64_t n;
    for (n = 1; n <= 8; ++n) {
        lender l;
        biost_error error;
        lender_desc(&l, 8, 3);
        l.count.fail_at = n;
        l.loader = NULL;
        if (biost_loader_open(&l.one.desc, &l.loader, &error) == BIOST_OK) {
            CHECK(n > 2);
            biost_loader_close(l.loader);
        } else {
            CHECK(error.code == BIOST_ERR_NOMEM);
        }
        lender_end(&l);
    }
}

/* ---- threads ---- */

enum { DELETERS = 3, BASKET = 64 };

/* Exports that deleters take, until it is closed. */
typedef struct basket {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void *managed[BASKET];
    int versioned[BASKET];
    uint32_t count;
    uint64_t sum, expected; /* of first bytes, read by deleters and by the owner */
    int closed;
} basket;

static void *basket_deleter(void *argument) {
    basket *b = (basket *)argument;
    pthread_mutex_lock(&b->lock);
    while (!b->closed || b->count > 0) {
        if (b->count == 0) {
            pthread_cond_wait(&b->changed, &b->lock);
        } else {
            void *managed = b->managed[--b->count];
            int versioned = b->versioned[b->count];
            const spec_tensor *tensor = tensor_of(managed, versioned);
            pthread_cond_broadcast(&b->changed);
            pthread_mutex_unlock(&b->lock);
            __atomic_fetch_add(&b->sum, ((const uint8_t *)tensor->data)[3], __ATOMIC_RELAXED);
            delete_of(managed, versioned);
            pthread_mutex_lock(&b->lock);
        }
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

static void basket_put(basket *b, void *managed, int versioned) {
    pthread_mutex_lock(&b->lock);
    while (b->count == BASKET) {
        pthread_cond_wait(&b->changed, &b->lock);
    }
    b->managed[b->count] = managed;
    b->versioned[b->count++] = versioned;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

/* Batches of an epoch, all tensors exported in turn, while other threads delete; with all slots kept, wait. */
static uint64_t basket_epoch(lender *l, basket *b, uint64_t epoch, uint64_t stop_at) {
    uint64_t digest = 0, taken = 0;
    biost_batch batch;
    biost_result result = BIOST_OK;
    CHECK(biost_loader_begin(l->loader, epoch) == BIOST_OK);
    while (taken < stop_at && (result = biost_loader_next(l->loader, &batch)) != BIOST_END) {
        uint32_t i;
        if (result == BIOST_ERR_SLOTS) {
            sched_yield();
            continue;
        }
        if (!CHECK(result == BIOST_OK)) {
            break;
        }
        ++taken;
        digest += batch.digest;
        for (i = 0; i < 1 + batch.index % 5; ++i) {
            void *managed = lend(l, &batch, i % batch.tensor_count, (int)(i % 2));
            if (managed != NULL) {
                b->expected += ((const uint8_t *)batch.tensors[i % batch.tensor_count].data)[3];
                basket_put(b, managed, (int)(i % 2));
            }
        }
        CHECK(biost_loader_release(l->loader, &batch) == BIOST_OK);
    }
    return digest;
}

/*
 * Deleters on three threads race with next, release and close, with own threads and with a host's jobs; in the end
 * close comes while exports are still under way.
 */
TEST(export, deleters_race_with_all_calls) {
    uint32_t kind;
    for (kind = 0; kind < 6; ++kind) {
        lender l;
        basket b;
        host h;
        pthread_t threads[DELETERS];
        uint64_t want[2], epoch;
        uint32_t i;
        lender_desc(&l, 400, 3);
        for (epoch = 0; epoch < 2; ++epoch) {
            want[epoch] = digest_epoch(&l.one.desc, epoch);
        }
        host_begin(&h, 2);
        l.one.desc.workers = 1 + kind % 3;
        if (kind >= 3) {
            l.one.desc.jobs.submit = host_submit;
            l.one.desc.jobs.user_data = &h;
        }
        memset(&b, 0, sizeof b);
        pthread_mutex_init(&b.lock, NULL);
        pthread_cond_init(&b.changed, NULL);
        test_note("kind %u", (unsigned)kind);
        l.loader = oracle_open(&l.one.desc);
        REQUIRE(l.loader != NULL);
        for (i = 0; i < DELETERS; ++i) {
            REQUIRE(pthread_create(&threads[i], NULL, basket_deleter, &b) == 0);
        }
        for (epoch = 0; epoch < 2; ++epoch) {
            CHECK_EQ_U64(basket_epoch(&l, &b, epoch, UINT64_MAX), want[epoch]);
        }
        basket_epoch(&l, &b, 2, 30);
        biost_loader_close(l.loader);
        pthread_mutex_lock(&b.lock);
        b.closed = 1;
        pthread_cond_broadcast(&b.changed);
        pthread_mutex_unlock(&b.lock);
        for (i = 0; i < DELETERS; ++i) {
            pthread_join(threads[i], NULL);
        }
        host_end(&h);
        CHECK_EQ_U64(b.sum, b.expected);
        pthread_cond_destroy(&b.changed);
        pthread_mutex_destroy(&b.lock);
        lender_end(&l);
    }
}

/* What a thread is to delete, once told to. */
typedef struct last_one {
    void *managed;
    int versioned, goes;
} last_one;

static void *delete_when_told(void *argument) {
    last_one *last = (last_one *)argument;
    while (!__atomic_load_n(&last->goes, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    delete_of(last->managed, last->versioned);
    return NULL;
}

/* The only export's deleter and close at the same time, the batch released or held: whoever is first. */
TEST(export, last_deleter_races_with_close) {
    uint32_t round, i;
    for (round = 0; round < 150; ++round) {
        lender l;
        last_one last;
        biost_batch batch;
        pthread_t thread;
        test_note("round %u", (unsigned)round);
        lender_desc(&l, 4, 1);
        l.one.desc.max_record_bytes = 4096;
        l.one.desc.test.page_bytes = 4096;
        l.one.desc.test.chunk_bytes = 4096;
        l.loader = oracle_open(&l.one.desc);
        REQUIRE(l.loader != NULL && biost_loader_begin(l.loader, 0) == BIOST_OK);
        REQUIRE(biost_loader_next(l.loader, &batch) == BIOST_OK);
        last.versioned = (int)(round % 2);
        last.goes = 0;
        last.managed = lend(&l, &batch, 0, last.versioned);
        REQUIRE(last.managed != NULL);
        REQUIRE(pthread_create(&thread, NULL, delete_when_told, &last) == 0);
        if (round % 3 > 0) {
            CHECK(biost_loader_release(l.loader, &batch) == BIOST_OK);
        }
        __atomic_store_n(&last.goes, 1, __ATOMIC_RELEASE);
        for (i = 0; i < round % 50; ++i) { /* give the other more of a start each time */
            biost_loader_warnings(l.loader);
        }
        biost_loader_close(l.loader);
        pthread_join(thread, NULL);
        lender_end(&l);
    }
}

/* The last deleter of the only slot wakes the workers: batches become ready though the owner makes no call. */
TEST(export, last_deleter_lets_work_go_on) {
    lender l;
    biost_batch batch;
    biost_counters counters;
    void *managed;
    lender_desc(&l, 40, 1);
    l.one.desc.workers = 2;
    l.loader = oracle_open(&l.one.desc);
    REQUIRE(l.loader != NULL && biost_loader_begin(l.loader, 0) == BIOST_OK);
    REQUIRE(biost_loader_next(l.loader, &batch) == BIOST_OK);
    managed = lend(&l, &batch, 0, 0);
    REQUIRE(managed != NULL);
    CHECK(biost_loader_release(l.loader, &batch) == BIOST_OK);
    delete_of(managed, 0);
    do { /* hangs where it does not */
        sched_yield();
        biost_loader_counters(l.loader, &counters);
    } while (counters.stages[BIOST_STAGE_ENCODE].record_count < 8);
    CHECK_EQ_U64(counters.stages[BIOST_STAGE_CALLER].unit_count, 1);
    biost_loader_close(l.loader);
    lender_end(&l);
}

/* In a child after fork deleters and close neither hang nor free what the parent's threads may have had at hand. */
TEST(export, child_closes_and_deletes) {
    uint32_t i;
    lender l;
    biost_batch batch;
    lender_desc(&l, 4000, 4);
    l.one.desc.workers = 3;
    l.loader = oracle_open(&l.one.desc);
    REQUIRE(l.loader != NULL && biost_loader_begin(l.loader, 0) == BIOST_OK);
    for (i = 0; i < 8; ++i) {
        void *managed[2];
        pid_t child;
        int status = -1;
        REQUIRE(biost_loader_next(l.loader, &batch) == BIOST_OK);
        managed[0] = lend(&l, &batch, 0, 0);
        managed[1] = lend(&l, &batch, 1, 1);
        REQUIRE(managed[0] != NULL && managed[1] != NULL);
        child = fork();
        if (child == 0) {
            patience_alarm(20); /* a child that hangs dies, and the check below fails */
            delete_of(managed[0], 0);
            biost_loader_close(l.loader);
            delete_of(managed[1], 1);
            _exit(7);
        }
        REQUIRE(child > 0);
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        delete_of(managed[0], 0);
        CHECK(biost_loader_release(l.loader, &batch) == BIOST_OK);
        delete_of(managed[1], 1);
    }
    biost_loader_close(l.loader);
    lender_end(&l);
}
