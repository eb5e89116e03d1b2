/*
 * test_misaligned.c - an allocator that returns memory at other addresses than it was asked for, as one that forgets
 * `align` does: each call that gets such memory gives it back and says so, whichever object makes it.
 *
 * rooms: memory
 * needs: loader threads library
 */
#define _POSIX_C_SOURCE 200809L

#include "../biostream.h"

#include "test.h"

#define LONG_BASES 30000

/* The bad_call-th call returns an address that is `shift` bytes past what was asked for. */
typedef struct crooked {
    uint64_t calls, bad_call, shift;
    uint64_t held; /* bytes */
} crooked;

static void *crooked_alloc(size_t bytes, size_t align, void *user_data) {
    crooked *to = (crooked *)user_data;
    uint64_t shift = ++to->calls == to->bad_call ? to->shift : 0;
    void *memory = NULL;
    CHECK(align <= 256);
    if (posix_memalign(&memory, 256, bytes + 512) != 0) {
        return NULL;
    }
    to->held += bytes;
    memcpy(memory, &shift, sizeof shift);
    memory = (char *)memory + 256 + shift;
    memcpy((char *)memory - sizeof shift, &shift, sizeof shift);
    return memory;
}

static void crooked_free(void *memory, size_t bytes, void *user_data) {
    uint64_t shift;
    memcpy(&shift, (char *)memory - sizeof shift, sizeof shift);
    CHECK(shift <= 255);
    ((crooked *)user_data)->held -= bytes;
    free((char *)memory - 256 - shift);
}

static void crooked_give(crooked *from, biost_allocator *out_allocator) {
    out_allocator->alloc = crooked_alloc;
    out_allocator->free = crooked_free;
    out_allocator->user_data = from;
}

/* Short reads around a long one. */
static char *make_text(size_t *out_bytes) {
    char *text = (char *)malloc(2 * LONG_BASES + 10000);
    size_t at = 0;
    int i;
    for (i = 0; text != NULL && i < 100; ++i) {
        at += (size_t)sprintf(text + at, "@read%d\nACGTACGTAC\n+\nIIIIIIIIII\n", i);
        if (i == 50) {
            at += (size_t)sprintf(text + at, "@long\n");
            memset(text + at, 'A', LONG_BASES);
            at += LONG_BASES;
            at += (size_t)sprintf(text + at, "\n+\n");
            memset(text + at, 'I', LONG_BASES);
            at += LONG_BASES;
            text[at++] = '\n';
        }
    }
    *out_bytes = at;
    return text;
}

/* What is run: from open to close, or the first error, which it leaves in *error. */
typedef void (*script)(crooked *from, const biost_memory *memory, biost_error *error);

static void run_loader_with(crooked *from, crooked *slots, const biost_memory *memory, biost_error *error) {
    biost_loader_desc desc;
    biost_loader *loader;
    biost_batch batch;
    biost_result result;
    void *managed;
    memset(&desc, 0, sizeof desc);
    desc.memories = memory;
    desc.memory_count = 1;
    desc.batch_rows = 10;
    desc.row_bases = 10;
    desc.long_records = BIOST_LONG_HEAD;
    desc.workers = 1;
    desc.slots = 2;
    desc.test.page_bytes = 4096;
    if (from != NULL) {
        crooked_give(from, &desc.allocator);
    }
    if (slots != NULL) {
        crooked_give(slots, &desc.slot_allocator);
    }
    if (biost_loader_open(&desc, &loader, error) != BIOST_OK) {
        CHECK(loader == NULL);
        return;
    }
    result = biost_loader_begin(loader, 0);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        if (batch.index == 0 && (result = biost_loader_export(loader, &batch, 0, 0, &managed)) == BIOST_OK) {
            typedef struct managed_tensor { /* as DLPack has it: the tensor, the context, then the deleter */
                void *data;
                int32_t device[2], ndim;
                uint8_t type[4];
                int64_t *shape, *strides;
                uint64_t byte_offset;
                void *context;
                void (*deleter)(struct managed_tensor *);
            } managed_tensor;
            ((managed_tensor *)managed)->deleter((managed_tensor *)managed);
        }
        if (result == BIOST_OK) {
            result = biost_loader_release(loader, &batch);
        }
    }
    if (result < 0) {
        *error = *biost_loader_error(loader);
    }
    biost_loader_close(loader);
}

static void run_loader(crooked *from, const biost_memory *memory, biost_error *error) {
    run_loader_with(from, NULL, memory, error);
}

static void run_slots(crooked *from, const biost_memory *memory, biost_error *error) {
    run_loader_with(NULL, from, memory, error);
}

static void run_reader(crooked *from, const biost_memory *memory, biost_error *error) {
    biost_reader_desc desc;
    biost_reader *reader;
    biost_record record;
    biost_result result;
    memset(&desc, 0, sizeof desc);
    desc.memory = *memory;
    desc.test.page_bytes = 4096;
    crooked_give(from, &desc.allocator);
    if (biost_reader_open(&desc, &reader, error) != BIOST_OK) {
        CHECK(reader == NULL);
        return;
    }
    while ((result = biost_reader_next(reader, &record)) == BIOST_OK) {
    }
    if (result < 0) {
        *error = *biost_reader_error(reader);
    }
    biost_reader_close(reader);
}

static void run_stream(crooked *from, const biost_memory *memory, biost_error *error) {
    biost_stream_desc desc;
    biost_stream *stream;
    memset(&desc, 0, sizeof desc);
    desc.memory = *memory;
    crooked_give(from, &desc.allocator);
    if (biost_stream_open(&desc, &stream, error) == BIOST_OK) {
        biost_stream_close(stream);
    }
}

static void run_pairs(crooked *from, const biost_memory *memory, biost_error *error) {
    biost_reader_desc desc;
    biost_reader *reader;
    biost_pairs_desc pairs_desc;
    biost_pairs *pairs;
    biost_record mates[2];
    biost_result result;
    memset(&desc, 0, sizeof desc);
    desc.memory = *memory;
    REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
    memset(&pairs_desc, 0, sizeof pairs_desc);
    pairs_desc.readers = &reader;
    pairs_desc.reader_count = 1;
    pairs_desc.ignore_names = 1;
    crooked_give(from, &pairs_desc.allocator);
    if (biost_pairs_open(&pairs_desc, &pairs, error) == BIOST_OK) {
        while ((result = biost_pairs_next(pairs, mates)) == BIOST_OK) {
        }
        if (result == BIOST_ERR_NOMEM) {
            *error = *biost_pairs_error(pairs);
        }
        biost_pairs_close(pairs);
    }
    biost_reader_close(reader);
}

static void run_index(crooked *from, const biost_memory *memory, biost_error *error) {
    biost_index_desc desc;
    biost_index *index;
    (void)memory;
    memset(&desc, 0, sizeof desc);
    crooked_give(from, &desc.allocator);
    if (biost_index_open(&desc, &index, error) == BIOST_OK) {
        biost_result saved = biost_index_save(index, "build/test_misaligned.bsx", error);
        biost_index_close(index);
        if (saved == BIOST_OK &&
            biost_index_load("build/test_misaligned.bsx", &desc, &index, error) == BIOST_OK) {
            biost_index_close(index);
        }
        remove("build/test_misaligned.bsx");
    }
}

/* Each call in turn is the bad one, until there is no such call any more. At least `least` calls there are. */
static void run_each_call(script run, const char *field, uint64_t least) {
    static const uint64_t shifts[] = {16, 64, 128};
    biost_memory memory;
    char *text = make_text(&memory.bytes);
    uint64_t bad_call = 1;
    int i, is_done = 0;
    REQUIRE(text != NULL);
    memory.data = text;
    memory.name = NULL;
    for (; !is_done; ++bad_call) {
        for (i = 0; i < 3; ++i) {
            crooked from;
            biost_error error;
            memset(&from, 0, sizeof from);
            memset(&error, 0, sizeof error);
            from.bad_call = bad_call;
            from.shift = shifts[i];
            run(&from, &memory, &error);
            test_note("call %u, %u bytes past it: \"%s\"", (unsigned)bad_call, (unsigned)shifts[i],
                      error.text);
            CHECK_EQ_U64(from.held, 0);
            is_done = from.calls < bad_call;
            if (is_done) {
                CHECK_EQ_I64(error.code, BIOST_OK);
                break;
            }
            CHECK_EQ_I64(error.code, BIOST_ERR_NOMEM);
            CHECK_EQ_I64(error.fault, BIOST_FAULT_MEMORY);
            CHECK(strstr(error.text, field) != NULL && strstr(error.text, "256") != NULL &&
                  strstr(error.text, "multiple") != NULL);
        }
    }
    CHECK(bad_call > least + 1);
    free(text);
}

TEST(misaligned, loader) {
    run_each_call(run_loader, "desc.allocator",
                  6); /* itself, what outlives it, two slots, a record, an export */
}

TEST(misaligned, slots) {
    run_each_call(run_slots, "desc.slot_allocator", 2);
}

TEST(misaligned, reader) {
    run_each_call(run_reader, "desc.allocator", 3); /* its stream, itself, a record */
}

TEST(misaligned, stream) {
    run_each_call(run_stream, "desc.allocator", 1);
}

TEST(misaligned, pairs) {
    run_each_call(run_pairs, "desc.allocator", 2); /* themselves, a copy */
}

TEST(misaligned, index) {
    run_each_call(run_index, "desc.allocator", 2); /* itself, and itself again: saving allocates nothing */
}

/* An export of one's own tensor has no sentence. */
TEST(misaligned, tensor) {
    float data[4] = {0, 0, 0, 0};
    biost_tensor tensor;
    biost_allocator allocator;
    crooked from;
    void *managed = data;
    memset(&from, 0, sizeof from);
    memset(&tensor, 0, sizeof tensor);
    tensor.data = data;
    tensor.bytes = sizeof data;
    tensor.shape[0] = 4;
    tensor.strides[0] = 1;
    tensor.ndim = 1;
    tensor.dtype = BIOST_DTYPE_F32;
    tensor.device = -1;
    from.bad_call = 1;
    from.shift = 8;
    crooked_give(&from, &allocator);
    CHECK(biost_tensor_export(&tensor, 0, NULL, NULL, &allocator, &managed) == BIOST_ERR_NOMEM);
    CHECK(managed == NULL);
    CHECK_EQ_U64(from.held, 0);
}
