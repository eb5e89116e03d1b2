/*
 * biostream_cuda.h - the batches of biostream.h on a GPU, while the previous ones are used
 *
 * Version 0.1.0, for biostream.h of the same version. MIT, or public domain as the alternative: see
 * LICENSE.
 *
 * Do this in exactly ONE C, C++ or .cu file, before any other include:
 *
 *     #define BIOSTREAM_IMPLEMENTATION
 *     #define BIOSTREAM_CUDA_IMPLEMENTATION
 *     #include "biostream_cuda.h"
 *
 * and include it without the defines everywhere else; the two implementations may also be in two
 * files. It includes biostream.h. No CUDA toolkit is needed: NVIDIA's driver is loaded when a program
 * opens a device, and where there is none open says so. Link what biostream.h asks for, and -ldl where
 * the C library wants it.
 *
 * Contents; search for the tags:
 *
 *   >>manual    what it does, how to use it, what it promises
 *   >>options   build switches
 *   >>types     streams, batches on a device, expansions, times
 *   >>provider  the calls a device must know: CUDA's driver, its runtime, none at all, your own
 *   >>descs     what to open
 *   >>api       the calls
 *
 * The implementation, bottom-up: each room calls only rooms above it, those its banner names, and
 * public calls of biostream.h.
 *
 *   >>config    compiler attributes, derived switches, atomic words
 *   >>words     sentences of errors
 *   >>table     what each byte of a sequence becomes, as codes and elements
 *   >>expand    codes into elements: one function per thread of a device, and its twin in C
 *   >>kernels   the same for nvcc, and as PTX text for everybody else
 *   >>dummy     a provider without a GPU
 *   >>driver    CUDA's driver, loaded at run time
 *   >>runtime   CUDA's runtime, where it is compiled in
 *   >>device    one device: its streams, slots and events
 *   >>ring      host batches to device slots, in order
 *   >>open      planning, opening, closing, exports, times
 *   >>public    the doors
 */

/* ==========================================================================
 * >>manual   what it does, how to use it, what it promises
 * ==========================================================================
 *
 * A biost_cuda opens a loader of its own, whose workers encode straight into page-locked memory, one
 * byte a base; one copy brings a batch to the device, where it is expanded to what the desc asked
 * for, bit by bit what the loader would have made; and the consumer's stream waits for it, not the
 * host.
 *
 * `stream` is the one the model runs on; batch.x.data is device memory, bf16 [rows][150][4].
 *
 *     //: program stream
 *     #define BIOSTREAM_IMPLEMENTATION
 *     #define BIOSTREAM_CUDA_IMPLEMENTATION
 *     #include "biostream_cuda.h"
 *     #include <stdio.h>
 *     #include <string.h>
 *
 *     int main(int argc, char **argv) {
 *         const char *files[1];
 *         biost_loader_desc loader;
 *         biost_cuda_desc desc;
 *         biost_cuda_stream stream = NULL;
 *         biost_cuda_batch batch;
 *         biost_cuda *cuda;
 *         biost_error error;
 *         biost_result result;
 *         files[0] = argc > 1 ? argv[1] : "reads.fastq.gz";
 *         memset(&loader, 0, sizeof loader);
 *         loader.paths = files;
 *         loader.path_count = 1;
 *         loader.batch_rows = 256;
 *         loader.row_bases = 150;
 *         loader.encoding.dtype = BIOST_DTYPE_BF16;
 *         loader.shuffle_rows = 65536;
 *         memset(&desc, 0, sizeof desc);
 *         desc.loader = &loader;
 *         if (biost_cuda_look(NULL, NULL, &error) != BIOST_OK) {
 *             fprintf(stderr, "%s; going on without\n", error.text);
 *             desc.provider = biost_cuda_dummy();
 *         }
 *         if ((result = biost_cuda_open(&desc, &cuda, &error)) != BIOST_OK) {
 *             return fprintf(stderr, "%s\n", error.text), 1;
 *         }
 *         result = biost_cuda_begin(cuda, 0);
 *         while (result == BIOST_OK && (result = biost_cuda_next(cuda, &stream, &batch)) == BIOST_OK) {
 *             printf("%u rows at %p\n", (unsigned)batch.valid_rows, batch.x.data);
 *             biost_cuda_release(cuda, &batch, stream);
 *         }
 *         if (result < 0) {
 *             fprintf(stderr, "%s\n", biost_cuda_error(cuda)->text);
 *         }
 *         biost_cuda_close(cuda);
 *         return result < 0;
 *     }
 *     //: end
 *
 * THE RINGS
 *
 *     host slot     FREE -> FILLING -> READY -> COPYING -> FREE
 *     owned by      loader  loader     loader   copy       loader, once the copy's event has passed
 *                                               stream
 *
 *     device slot   FREE -> COPYING -> READY -> HELD ------> RELEASED -> FREE
 *     owned by      ring    copy       ring     caller,      consumer's  ring, once the event recorded
 *                           stream              its stream   stream      at release has passed
 *
 * Copy and expansion of a slot go to one copy stream, which first waits for the event of the slot's last
 * release; then an event is recorded. biost_cuda_next makes the consumer's stream wait for that event;
 * biost_cuda_release records one on the consumer's stream. All of it on the device: the host waits
 * only for a free host slot, when all of them are still being copied.
 *
 * LIFETIMES
 *
 *     what                          valid until
 *     a batch, and all in it        biost_cuda_release of it, or biost_cuda_close
 *     an export                     its deleter, also behind release and close
 *     addresses of a slot           close: batch.slot tells which of desc.device_slots it is; but with
 *                                     row_bases 0 only those of x and lengths stay
 *     desc and what it points to    biost_cuda_open returns, but for what biost_loader_open borrows,
 *                                     desc.provider, and streams and hooks of yours
 *
 * THREADS
 *
 *     call                          from
 *     open, look, memory_bytes,     any thread
 *       table_make, expand_host
 *     begin next try_next export    the owner: one thread at a time
 *       expand error count
 *       timeline close
 *     release                       any thread
 *     cancel                        any thread, any time before close
 *     deleters of exports           any thread, any time
 *
 * No call changes which device is current in its thread. Devices are used through their primary contexts,
 * which CUDA's runtime, PyTorch and JAX use too.
 *
 * STREAMS
 *
 * A consumer's stream is of the primary context of the batch's device: NULL or cudaStreamLegacy, one of
 * yours, or cudaStreamPerThread where next, release and all uses are one thread's. Own copy streams wait for
 * no default stream. What is asked of the consumer's stream behind biost_cuda_next sees the batch; what is
 * asked of it before biost_cuda_release is done before the slot is used again. If other streams read the
 * batch too, make the consumer's stream wait for them first: an allocator that only counts references, as a
 * framework's, cannot know of them.
 *
 * Own copy streams have the greatest priority, so that copies and expansions do not wait behind a model's
 * kernels that wait themselves. On CUDA's legacy default stream each wait and record of a consumer joins all
 * streams of the process that were not made non-blocking: a stream of your own is the better consumer.
 *
 * CUDA GRAPHS
 *
 * What is captured on any thread, in any mode, is left alone by all calls here, and they work meanwhile.
 * Only a stream that captures itself is refused: as consumer of next, release and export, by ERR_ARG, and
 * nothing changes. biost_cuda_expand may be captured. Deleters of exports may run at any time; where the
 * export's consumer captures just then, the slot is held until a later biost_cuda_next or biost_cuda_close
 * comes for it, and the consumer must exist until then. Of an export deleted like that behind or during
 * close, the memory is left to the end of the process: a graph may use it for ever.
 *
 * A graph reads the addresses that it was captured with. Those of a slot stay, so capture one for each slot,
 * before the first batch or between release and next, and launch that of batch.slot on the consumer between
 * next and release: examples/cuda_graph.c does. It shall read nothing else of the batch.
 *
 * WHAT CROSSES THE BUS
 *
 * One-hot rows and wide tokens cross it as one byte a base, F32 qualities as one byte, labels, masks and
 * lengths as they are: an f32 one-hot batch is a sixteenth of what the model sees. Each code is then
 * looked up in a table on the device. One-hot rows that hold qualities or the mask (quality.in_x, mask_in_x)
 * cross as they are: what they hold of a base depends on more than its byte. biost_batch.digest, and tokens
 * to resume at, are those of a loader that encodes such codes: a token taken here is for a biost_cuda_open
 * with the same encoding, quality and no_expand, not for a biost_loader_open. With several devices each array
 * is copied by itself.
 *
 * WHEN IT HELPS
 *
 * Where the model needs more bases a second than pageable copies bring, or the copies would stand between
 * its steps. Computed, not measured: of f32 one-hot, 16 bytes a base, a bus of 25 GB/s carries 1.6 Gbase/s,
 * of codes 25. A loader that inflates one plain gzip file gives less than 1 Gbase/s; then the GPU waits
 * for the loader, not for the bus, and this header saves its users the writing of rings. It does not help
 * a model that runs on the CPU.
 *
 * ERRORS
 *
 * As of a loader; a call to a device that fails is ERR_DEVICE, with CUDA's name and words for it, and
 * ends it: batches handed out before stay valid as far as the device allows, next returns the error
 * from then on, close works and waits for nothing that will not come.
 *
 * LIMITS
 *
 * CUDA does not outlive fork: a child may use nothing of this header once its parent called look or open.
 * NVIDIA's driver must be of CUDA 11.0 or later, the process of 64 bits.
 * Host memory must be able to be page-locked: biost_cuda_memory_bytes says how much. The CPU must be
 * little-endian, as all are that CUDA runs on. Peer copies, GPUDirect Storage and inflating on the GPU
 * are not there: text is parsed by the CPU.
 * ========================================================================== */

#ifndef BIOSTREAM_CUDA_H
#define BIOSTREAM_CUDA_H

#include "biostream.h"

/* ==========================================================================
 * >>options   build switches: define before including, each 0 or 1
 *
 * BIOSTREAM_CUDA_IMPLEMENTATION   emit the code here; in exactly one C, C++ or .cu file
 * BIOSTREAM_CUDA_RUNTIME          compile the provider over CUDA's runtime in (cuda_runtime_api.h; link
 *                                 -lcudart), and take it by default; 1 in a .cu file, else 0
 * BIOSTREAM_STATIC                as in biostream.h, for this header too
 * ========================================================================== */

/* ==========================================================================
 * >>types   streams, batches on a device, expansions, times
 * ========================================================================== */

struct CUstream_st;
typedef struct CUstream_st *biost_cuda_stream; /* the type of cudaStream_t and CUstream; NULL is CUDA's
                                                  legacy default stream */

/* A loader whose batches arrive on one or several devices. */
typedef struct biost_cuda biost_cuda;

/*
 * One batch on one device, lent from biost_cuda_next to biost_cuda_release. Of several devices each
 * has its rows of the loader's batch, as so many ranks would.
 */
typedef struct biost_cuda_batch {
    uint64_t epoch, index;     /* of the loader's batch */
    uint32_t rows, valid_rows; /* of this device; rows [valid_rows, rows) are padding */
    uint32_t flags;            /* BIOST_BATCH_* */
    uint32_t tensor_count;
    biost_tensor x;               /* device memory; also tensors[0] */
    const biost_tensor *tensors;  /* [tensor_count] device memory, the roles and order of biost_batch;
                                     x and a F32 quality as the loader's desc asked for them */
    const int32_t *lengths;       /* device memory [rows] */
    const int32_t *host_lengths;  /* [rows] the same, in host memory, to be read at once */
    const biost_row *origins;     /* [rows] host memory */
    const char *names;            /* host memory, as in biost_batch; NULL without desc.names */
    const uint32_t *name_offsets; /* [rows] host memory, or NULL */
    const void *token;            /* host memory [token_bytes]: the loader's token behind this batch; with
                                     desc.tokens, else NULL; NULL too where an input could not be read
                                     for it */
    size_t token_bytes;
    uint64_t digest;           /* the loader's, of the codes as they crossed the bus; 0 without
                                  desc.digest, and on all devices but the first */
    int32_t device;            /* CUDA's number of it */
    uint32_t device_index;     /* which of desc.devices */
    uint32_t slot, generation; /* say which loan this is; addresses of a slot never change */
} biost_cuda_batch;

/*
 * Codes, a byte a base, into elements: out of each code its row of the table. All pointers are device
 * memory of one device (or host memory for biost_cuda_expand_host), and outputs overlap no input.
 */
typedef struct biost_cuda_expansion {
    const uint8_t *codes;      /* [rows][columns], padding a code like any other; 4-byte aligned */
    const void *table;         /* [256][channels] elements; 16-byte aligned */
    void *out;                 /* NLC [rows][columns][channels] or NCL [rows][channels][columns]; 16-byte
                                  aligned */
    const int32_t *lengths;    /* [rows] bases of each row, what is not one is pad_code whatever stands
                                  there; NULL: codes as they stand */
    const uint8_t *complement; /* [256] code of the other strand's base: each row shows its reverse
                                  complement, padding in its place; with lengths. NULL: rows as they
                                  stand */
    uint32_t rows, columns;    /* rows up to 2^20, columns up to 2^28; 0 of either: nothing is done */
    uint32_t channels;         /* 1..27; 1 for tokens and qualities */
    uint32_t element_bytes;    /* 1, 2, 4 or 8 */
    uint32_t is_ncl;           /* 1: [rows][channels][columns] */
    uint32_t pad_left;         /* 1: padding stands in front of the bases; with lengths */
    uint32_t pad_code;         /* with lengths */
} biost_cuda_expansion;

/* What happened, since open. */
typedef struct biost_cuda_counters {
    uint64_t batch_count; /* of the loader handed out: one for all devices */
    uint64_t copy_count;  /* copies to devices asked for */
    uint64_t copied_bytes;
    uint64_t expand_count;    /* kernels launched */
    uint64_t host_wait_count; /* how often the host waited for a copy, because no host slot was free */
} biost_cuda_counters;

#define BIOST_CUDA_NO_TIME (-1e30) /* not known yet */

/*
 * When one batch was where, in microseconds of the device's clock since the copy of the oldest batch asked
 * for began. With desc.timeline_count.
 */
typedef struct biost_cuda_span {
    uint64_t number; /* batches sent to the device before it, since open */
    uint64_t epoch, index;
    uint32_t slot, stream;             /* device slot, and which of the copy streams */
    double copy_start_us, copy_end_us; /* the copy to the device */
    double expand_end_us;              /* its expansion, which starts at copy_end_us */
    double use_start_us, use_end_us;   /* on the consumer's stream: from next to release */
} biost_cuda_span;

/* ==========================================================================
 * >>provider   the calls a device must know: CUDA's driver, its runtime, none at all, your own
 *
 * Every call returns 0, or an error number of the provider, which error_name and error_text explain;
 * those of CUDA's driver and runtime are CUDA's. `state` is what open made; where it fails, NULL. Calls
 * come from any thread, several at once, between enter and leave of the device they are for, except
 * open, close, device_count, enter, leave and error_*, and device_open and device_close, which are made
 * one at a time. What frees or closes has done so even where it returns an error.
 * ========================================================================== */

/* numbers all providers share */
enum {
    BIOST_CUDA_NOT_READY = 600, /* of event_query: not yet */
    BIOST_CUDA_CAPTURES = 900,  /* of event_query and event_wait: refused, while a CUDA graph is captured */
    BIOST_CUDA_NO_LIBRARY = -1, /* of open: there is no driver to load */
    BIOST_CUDA_NO_SYMBOL = -2,  /* of open: the driver is too old, it lacks a call */
    BIOST_CUDA_NO_MEMORY = -3   /* of open: no host memory */
};

/* flags of host_alloc, stream_open, event_open */
enum { BIOST_CUDA_WRITE_COMBINED = 1u << 0, BIOST_CUDA_FIRST = 1u << 0, BIOST_CUDA_TIMING = 1u << 0 };

typedef struct biost_cuda_provider {
    const char *name; /* "driver", "runtime", "dummy" */
    void *user_data;  /* yours; handed to open */
    int (*open)(void *user_data, void **out_state);
    void (*close)(void *state);
    int (*device_count)(void *state, int *out_count);
    /*
     * Make one that is open the thread's current one, and leave the CUDA graphs that are being captured
     * alone: the thread's calls up to leave neither end a capture nor are refused for one. out_before: for
     * leave.
     */
    int (*enter)(void *state, int device, void **out_before);
    /* All is as before enter. */
    void (*leave)(void *state, void *before);
    /* Keep it in use until device_close. -1 is the calling thread's current one, or 0; out_device is its
     * number. */
    int (*device_open)(void *state, int device, int *out_device);
    void (*device_close)(void *state, int device);
    /* Page-locked for all devices; BIOST_CUDA_WRITE_COMBINED. */
    int (*host_alloc)(void *state, size_t bytes, unsigned flags, void **out);
    int (*host_free)(void *state, void *memory);
    int (*host_lock)(void *state, void *memory, size_t bytes); /* page-lock memory of the caller's */
    int (*host_unlock)(void *state, void *memory);
    int (*device_alloc)(void *state, size_t bytes, void **out); /* 256-byte aligned */
    int (*device_free)(void *state, void *memory);
    /* Waits for no default stream. BIOST_CUDA_FIRST: its work goes before that of all others that waits. */
    int (*stream_open)(void *state, unsigned flags, biost_cuda_stream *out);
    int (*stream_close)(void *state, biost_cuda_stream stream); /* what it was asked for is done still */
    /* 1: what the stream is asked for goes into a CUDA graph, or, of the legacy default stream, is refused as
     * a stream that it waits for captures one. */
    int (*stream_captures)(void *state, biost_cuda_stream stream, int *out_captures);
    int (*stream_wait)(void *state, biost_cuda_stream stream, void *event); /* nothing, of an event never
                                                                               recorded */
    int (*stream_finish)(void *state, biost_cuda_stream stream);            /* the host waits */
    int (*event_open)(void *state, unsigned flags, void **out);             /* BIOST_CUDA_TIMING */
    int (*event_close)(void *state, void *event);
    int (*event_record)(void *state, void *event, biost_cuda_stream stream);
    int (*event_query)(void *state, void *event);                           /* 0: passed, or never recorded */
    int (*event_wait)(void *state, void *event);                            /* the host waits, asleep */
    int (*event_elapsed)(void *state, void *from, void *to, float *out_ms); /* both with TIMING */
    int (*copy_in)(void *state, void *to, const void *from, size_t bytes, biost_cuda_stream stream);
    int (*copy_out)(void *state, void *to, const void *from, size_t bytes, biost_cuda_stream stream);
    int (*expand)(void *state, int device, const biost_cuda_expansion *expansion, biost_cuda_stream stream);
    const char *(*error_name)(void *state, int error); /* "CUDA_ERROR_ILLEGAL_ADDRESS"; never NULL. state
                                                          may be NULL */
    const char *(*error_text)(void *state, int error); /* CUDA's words for it; likewise */
    int is_host; /* 1: device memory is host memory, and tensors say device -1 */
} biost_cuda_provider;

/* ==========================================================================
 * >>descs   what to open; zero means the default named beside the field
 * ========================================================================== */

/* Device memory from elsewhere, as a framework's pool. Both functions or neither. */
typedef struct biost_cuda_memory {
    /* 256-byte aligned; NULL: none left. The device is current, and uses of the memory before must be
     * over. */
    void *(*alloc)(size_t bytes, int device, void *user_data);
    void (*free)(void *memory, size_t bytes, int device, void *user_data);
    void *user_data;
} biost_cuda_memory;

typedef struct biost_cuda_desc {
    const biost_loader_desc *loader; /* [must] what to load. slots 0 = 4 and one for each device slot
                                        beyond 3; slot_allocator must be 0: see host */
    const int32_t *devices; /* [device_count] CUDA's numbers; NULL = the calling thread's current one */
    uint32_t device_count;  /* 1..16; divides the rows of this rank's batch; 0 = 1 */
    uint32_t device_slots;  /* batches on each device, in flight or held by the caller; 2..64; 0 = 3.
                               Each has its own memory, allocated at open */
    uint32_t copy_streams;  /* of each device, taken in turn; 1..8; 0 = 2 */
    const biost_cuda_stream *streams; /* [device_count][copy_streams] yours instead, for as long as the
                                         biost_cuda is open; NULL = own ones */
    int no_expand;                    /* copy tensors as the loader encodes them, instead of a byte a base and
                                         their expansion on the device */
    int write_combined;               /* host slots in write-combined memory, which the processor should only
                                         write: not with loader.digest; lengths, 4 bytes a row, are read back
                                         slowly. Faster over PCIe on some machines */
    biost_allocator host;     /* memory for host slots, as of the device's NUMA node, which is page-locked
                                 at open and unlocked at close; 0 = the provider's. Not with
                                 write_combined. Asked for in multiples of 64 KiB, aligned so: of whole
                                 pages */
    biost_cuda_memory memory; /* device memory; 0 = the provider's */
    int tokens;               /* make biost_cuda_batch.token */
    uint32_t timeline_count;  /* keep the times of so many last batches of each device; up to 65536; 0 =
                                 none. Batches on their way are among them. Events with times cost a
                                 little more */
    const biost_cuda_provider *provider; /* NULL = biost_cuda_runtime where it is compiled in, else
                                            biost_cuda_driver; borrowed until close, and until the last export
                                            is deleted */
} biost_cuda_desc;

/* ==========================================================================
 * >>api   the calls
 * ========================================================================== */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- providers ------------------------------------------------------------ */

/* CUDA's driver, loaded at open; its primary contexts, which frameworks share. Static. */
BIOST_API const biost_cuda_provider *biost_cuda_driver(void);

/* CUDA's runtime; NULL where BIOSTREAM_CUDA_RUNTIME is not 1. Static. */
BIOST_API const biost_cuda_provider *biost_cuda_runtime(void);

/*
 * No GPU at all: one device in host memory, where every call is done when it returns. So a program for
 * a GPU runs, and is tested, without one. Static.
 */
BIOST_API const biost_cuda_provider *biost_cuda_dummy(void);

/*
 * Is there a device to open? provider NULL = the default one.
 *
 *   out_count  out  devices; 0 unless BIOST_OK; may be NULL
 *   out_error  out  why not, in a sentence; may be NULL
 *
 * Returns: BIOST_OK; ERR_DEVICE, with the fault NO_DEVICE; ERR_NOMEM.
 */
BIOST_API BIOST_MUST_USE biost_result biost_cuda_look(const biost_cuda_provider *provider, int *out_count,
                                                      biost_error *out_error);

/* ---- batches -------------------------------------------------------------- */

/*
 * Open devices, allocate both rings, and open the loader.
 *
 *   desc       in    may go away after the call, as what it points to, except desc->provider and what
 *                    biost_loader_open borrows
 *   out_cuda   out   NULL unless BIOST_OK
 *   out_error  out   what is wrong, in a sentence; may be NULL
 *
 * Page-locking takes about half a second a GiB, once.
 *
 * Returns: what biost_loader_open returns; ERR_DEVICE: no driver, no GPU (NO_DEVICE), or a call failed
 *          (DEVICE; the sentence has CUDA's name and words, os_error its number).
 * Owner:   the caller; ends with biost_cuda_close.
 * Memory:  see biost_cuda_memory_bytes; all of it here. On the device nothing is allocated later.
 * Threads: as biost_loader_open; makes none of its own.
 */
BIOST_API BIOST_MUST_USE biost_result biost_cuda_open(const biost_cuda_desc *desc, biost_cuda **out_cuda,
                                                      biost_error *out_error);

/* The loader, for calls of it that any thread may make: progress, counters, hint, warnings, first_epoch,
 * first_batch, resolved. Borrowed until close; next, begin and release are the biost_cuda's alone. */
BIOST_API biost_loader *biost_cuda_loader(biost_cuda *cuda);

/*
 * The provider it runs on, and the state to call it with: for streams, memory and copies of your own
 * without a CUDA toolkit. Between enter and leave; see biost_cuda_provider. Valid until close.
 */
BIOST_API const biost_cuda_provider *biost_cuda_calls(biost_cuda *cuda, void **out_state);

/* CUDA's number of a device: of index 0..device_count - 1; else -1. Threads: any. */
BIOST_API int biost_cuda_device(const biost_cuda *cuda, uint32_t device_index);

/*
 * Begin an epoch, as biost_loader_begin. Batches the caller holds stay valid; batches on their way are
 * dropped when the copies they are in have passed.
 *
 * Returns: as biost_loader_begin; ERR_DEVICE. Threads: owner only.
 */
BIOST_API BIOST_MUST_USE biost_result biost_cuda_begin(biost_cuda *cuda, uint64_t epoch);

/*
 * Lend the next batch on every device.
 *
 *   consumers    in    [device_count] of each device the stream that will use its batch; each is made to
 *                      wait for it; NULL = CUDA's default stream of each
 *   out_batches  out   [device_count]; zero unless BIOST_OK
 *
 * A consumer is a stream of its device's primary context, or cudaStreamPerThread if release is called by the
 * same thread; it captures no CUDA graph. The call asks for the copies of all further batches that are ready,
 * then returns: the host waits for no device, unless all host slots are still being copied. While the loader
 * has nothing ready the call helps it, as biost_loader_next does.
 *
 * Returns: BIOST_OK; BIOST_END; the loader's error, after all batches before it; ERR_SLOTS with all
 *          device slots of a device held by the caller; ERR_ARG before the first begin, or where a consumer
 *          captures; ERR_DEVICE: a call to a device failed, and so will all later ones; CANCELLED.
 * Valid until: biost_cuda_release, or biost_cuda_close.
 * Threads: owner only.
 */
BIOST_API BIOST_MUST_USE biost_result biost_cuda_next(biost_cuda *cuda, const biost_cuda_stream *consumers,
                                                      biost_cuda_batch *out_batches);

/* As biost_cuda_next without waiting, for the loader or a copy: BIOST_PENDING instead; as
 * biost_loader_try_next. */
BIOST_API BIOST_MUST_USE biost_result biost_cuda_try_next(biost_cuda *cuda,
                                                          const biost_cuda_stream *consumers,
                                                          biost_cuda_batch *out_batches);

/*
 * Give a batch of one device back. Its slot is used again when all has passed that was asked of
 * `consumer` before this call. Work on other streams must be joined to it first. Where the batch was exported
 * and an export deleted, `consumer` is made to wait for the stream of that.
 *
 * Returns: BIOST_OK; ERR_ARG (not held, a second release, or `consumer` captures a CUDA graph: nothing
 *          changes); ERR_DEVICE: the event could not be recorded, as on a stream of another device or
 *          context, and the batch is held still.
 * Threads: any; the batches of one slot one at a time.
 */
BIOST_API biost_result biost_cuda_release(biost_cuda *cuda, const biost_cuda_batch *batch,
                                          biost_cuda_stream consumer);

/*
 * Export a tensor of a batch that the caller holds, without a copy, as DLPack; see biost_tensor_export.
 * `consumer` is made to wait for the batch. It is NULL, cudaStreamLegacy or a stream of yours, which exists
 * until the deleter ran; not cudaStreamPerThread (2), nor what Python's __dlpack__ says for no stream at
 * all (-1).
 *
 * The slot is used again when the batch was released and every export of it deleted; each deleter
 * records an event on its `consumer`, behind those of the others, so work that uses the export must be
 * joined to that stream. Deleters may run after biost_cuda_close: the last one waits for what was
 * recorded, and frees what is left, by desc.memory, the loader's allocator and the provider, on its
 * thread. An event that a deleter cannot record ends the biost_cuda: ERR_DEVICE from next.
 *
 * Returns: BIOST_OK; ERR_ARG; ERR_NOMEM; ERR_DEVICE: `consumer` could not be made to wait.
 * Threads: owner only; deleters on any.
 */
BIOST_API BIOST_MUST_USE biost_result biost_cuda_export(biost_cuda *cuda, const biost_cuda_batch *batch,
                                                        uint32_t index, int versioned,
                                                        biost_cuda_stream consumer, void **out_managed);

/* Why the owner's last call of begin, next, try_next, expand or timeline failed, in a sentence; NULL where
 * it did not. Valid until the next of these. Threads: owner only. */
BIOST_API const biost_error *biost_cuda_error(const biost_cuda *cuda);

/* What happened so far. Threads: owner only. */
BIOST_API void biost_cuda_count(const biost_cuda *cuda, biost_cuda_counters *out_counters);

/*
 * Times of the last batches of one device, oldest first; see desc.timeline_count. Those that have
 * passed on the device are filled in; it waits for none.
 *
 *   out_spans  out  [capacity]
 *   out_count  out  how many were written
 *
 * Returns: BIOST_OK; ERR_ARG; ERR_DEVICE. Threads: owner only.
 */
BIOST_API biost_result biost_cuda_timeline(biost_cuda *cuda, uint32_t device_index,
                                           biost_cuda_span *out_spans, uint32_t capacity,
                                           uint32_t *out_count);

/* Stop soon; as biost_loader_cancel. Threads: any, any time before close. */
BIOST_API void biost_cuda_cancel(biost_cuda *cuda);

/*
 * Stop, wait for copies on their way and for consumers of batches released, free everything, batches held
 * included, but not exports. Memory of a batch still held must not be freed under its consumer, nor kernels
 * under biost_cuda_expand: finish these streams first. After a device error it waits for nothing. NULL is
 * fine.
 * Threads: owner, no other call running but deleters.
 */
BIOST_API void biost_cuda_close(biost_cuda *cuda);

/*
 * The most bytes that open allocates: page-locked host memory, beside the loader's own (see
 * biost_loader_memory), and memory of each device.
 *
 * Returns: BIOST_OK; ERR_ARG for a desc that open refuses for its values, with both 0. Threads: any.
 */
BIOST_API biost_result biost_cuda_memory_bytes(const biost_cuda_desc *desc, uint64_t *out_locked_bytes,
                                               uint64_t *out_device_bytes);

/* ---- expansion over memory of yours --------------------------------------- */

/* What an encoding makes of bases, for biost_cuda_expansion; about 28 KiB of plain data. */
typedef struct biost_cuda_table {
    uint8_t code[256];                   /* of each byte of a sequence */
    uint8_t complement[256];             /* of each code, that of the other strand's base */
    uint32_t pad_code;                   /* of padding */
    uint32_t code_count;                 /* codes are 0..code_count - 1, padding's among them; at most 256 */
    uint32_t channels, element_bytes;    /* of the encoding; tokens have 1 channel */
    uint64_t elements[256 * 27 * 4 / 8]; /* [256][channels] elements, side by side */
} biost_cuda_table;

/*
 * Codes and elements of an encoding: bytes that it makes the same share a code, if their complements do.
 *
 * Returns: BIOST_OK; ERR_ARG as biost_encoder_make, or more than 256 codes would be needed.
 */
BIOST_API BIOST_MUST_USE biost_result biost_cuda_table_make(const biost_encoding *encoding,
                                                            biost_cuda_table *out_table,
                                                            biost_error *out_error);

/*
 * Expand on a stream of the biost_cuda's device; one that captures a CUDA graph gets it into that. Finish the
 * stream before close.
 *
 * Returns: BIOST_OK; ERR_ARG; ERR_DEVICE, which ends the biost_cuda unless it is an error of the capture.
 * Threads: owner only.
 */
BIOST_API BIOST_MUST_USE biost_result biost_cuda_expand(biost_cuda *cuda, uint32_t device_index,
                                                        const biost_cuda_expansion *expansion,
                                                        biost_cuda_stream stream);

/* The same in host memory, by the kernels' twin in C. Returns: BIOST_OK; ERR_ARG. Threads: any. */
BIOST_API biost_result biost_cuda_expand_host(const biost_cuda_expansion *expansion);

#ifdef __cplusplus
}
#endif

#endif /* BIOSTREAM_CUDA_H */

/* Stop here if you only want the API. */

/*
 * One error, not hundreds. Where the implementation of biostream.h is asked for too, that has said so, and
 * this one counts as there.
 */
#if defined(BIOSTREAM_CUDA_IMPLEMENTATION) && !defined(BIOSTREAM_CUDA_IMPLEMENTED) && defined(__STDC__) && \
    (defined(__cplusplus) ? __cplusplus < 201103L                                                          \
                          : !defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#define BIOSTREAM_CUDA_IMPLEMENTED
#error "biostream: the implementation needs C99 or C++11: use -std=c99, -std=c++11 or later"
#endif

#if defined(BIOSTREAM_CUDA_IMPLEMENTATION) && !defined(BIOSTREAM_CUDA_IMPLEMENTED)
#define BIOSTREAM_CUDA_IMPLEMENTED

#include <stdlib.h>
#include <string.h>

/* ==========================================================================
 * >>config   compiler attributes, derived switches, atomic words
 *   uses: -                        allocates: no   threads: no   I/O: no
 * ========================================================================== */

#if defined(BIOSTREAM_CUDA_RUNTIME)
#if (1 - BIOSTREAM_CUDA_RUNTIME - 1) == 2 || (BIOSTREAM_CUDA_RUNTIME + 0)
#define BSI_CUDA_HAS_RUNTIME 1
#endif
#elif defined(__CUDACC__)
#define BSI_CUDA_HAS_RUNTIME 1
#endif
#ifndef BSI_CUDA_HAS_RUNTIME
#define BSI_CUDA_HAS_RUNTIME 0
#endif

/* 1 where a compiler of CUDA reads this file: it compiles the kernels, and the runtime launches those. */
#if defined(__CUDACC__)
#define BSI_CUDA_IS_CUDA_FILE 1
#else
#define BSI_CUDA_IS_CUDA_FILE 0
#endif

/* A compile-time check in any scope: the array has size -1 where it fails. */
#define BSI_CUDA_STATIC_ASSERT(condition, name) \
    typedef char bsi_cuda_static_assert_##name[(condition) ? 1 : -1]

#define BSI_CUDA_ALIGN 256u /* of every array on a device */

/* In front of literals of more than 4095 bytes, which is what C99 promises. */
#if defined(__GNUC__)
#define BSI_CUDA_LONG_TEXT __extension__
#else
#define BSI_CUDA_LONG_TEXT
#endif

BSI_CUDA_STATIC_ASSERT(sizeof(void *) == sizeof(size_t), addresses_are_sizes);

/*
 * Words that several threads change. load sees all that a thread did before the store, add or exchange
 * whose result it reads.
 */
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
static uint32_t bsi_cuda_load(const uint32_t *word) {
    return (uint32_t)_InterlockedOr((volatile long *)(uintptr_t)word, 0);
}

static void bsi_cuda_store(uint32_t *word, uint32_t value) {
    (void)_InterlockedExchange((volatile long *)word, (long)value);
}

/* Returns the sum. */
static uint32_t bsi_cuda_add(uint32_t *word, uint32_t value) {
    return (uint32_t)_InterlockedExchangeAdd((volatile long *)word, (long)value) + value;
}

/* Returns 1 where the word was `before` and is `after` now. */
static int bsi_cuda_exchange(uint32_t *word, uint32_t before, uint32_t after) {
    return _InterlockedCompareExchange((volatile long *)word, (long)after, (long)before) == (long)before;
}
#else
static uint32_t bsi_cuda_load(const uint32_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void bsi_cuda_store(uint32_t *word, uint32_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Returns the sum. */
static uint32_t bsi_cuda_add(uint32_t *word, uint32_t value) {
    return __atomic_add_fetch(word, value, __ATOMIC_ACQ_REL);
}

/* Returns 1 where the word was `before` and is `after` now. */
static int bsi_cuda_exchange(uint32_t *word, uint32_t before, uint32_t after) {
    return __atomic_compare_exchange_n(word, &before, after, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
#endif

/* bytes rounded up so that the next array starts aligned. */
static uint64_t bsi_cuda_round_up(uint64_t bytes) {
    return (bytes + (BSI_CUDA_ALIGN - 1)) / BSI_CUDA_ALIGN * BSI_CUDA_ALIGN;
}

/* ==========================================================================
 * >>words   sentences of errors
 *   uses: config                   allocates: no   threads: no   I/O: no
 * ========================================================================== */

/* Add text to a sentence, as much as fits. */
static void bsi_cuda_words_say(biost_error *error, const char *text) {
    size_t used = strlen(error->text), room = sizeof error->text - 1 - used, bytes = strlen(text);
    bytes = bytes < room ? bytes : room;
    memcpy(error->text + used, text, bytes);
    error->text[used + bytes] = '\0';
}

/* Add a number in decimal digits. */
static void bsi_cuda_words_say_number(biost_error *error, int64_t number) {
    char digits[24];
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0) {
        digits[--at] = '-';
    }
    bsi_cuda_words_say(error, digits + at);
}

/* Begin an error, with the first words of its sentence. */
static void bsi_cuda_words_begin_error(biost_error *error, biost_result code, biost_fault fault,
                                       const char *text) {
    memset(error, 0, sizeof *error);
    error->code = code;
    error->fault = fault;
    bsi_cuda_words_say(error, text);
}

/* A call of the provider's failed: `number` is its error, `what` says what for, as "copying a batch". */
static void bsi_cuda_words_device_error(biost_error *error, const biost_cuda_provider *provider, void *state,
                                        int number, const char *what) {
    /* No library or call of it; one that is for linking only, one too old, no GPU: CUDA's 34, 35, 100. */
    int is_absent = number < 0 || number == 34 || number == 35 || number == 100;
    biost_fault fault = is_absent ? BIOST_FAULT_NO_DEVICE : BIOST_FAULT_DEVICE;
    bsi_cuda_words_begin_error(error, BIOST_ERR_DEVICE, fault, "CUDA ");
    bsi_cuda_words_say(error, provider->name);
    bsi_cuda_words_say(error, ": ");
    bsi_cuda_words_say(error, what);
    bsi_cuda_words_say(error, ": ");
    bsi_cuda_words_say(error, provider->error_name(state, number));
    bsi_cuda_words_say(error, " (");
    bsi_cuda_words_say_number(error, number);
    bsi_cuda_words_say(error, "): ");
    bsi_cuda_words_say(error, provider->error_text(state, number));
    error->os_error = number;
}

/* ==========================================================================
 * >>table   what each byte of a sequence becomes, as codes and elements
 *   uses: config words             allocates: no   threads: no   I/O: no
 *
 * A code is a byte that stands for all bytes of a sequence that an encoding makes the same, of which the
 * other strand's bases are made the same too; so a device can turn a row round without knowing the
 * bytes. Padding is a code as well. The other strand's base of U is A, and of A it is T: what follows
 * must agree for that T as well, or the code of A would depend on which byte was asked first.
 * ========================================================================== */

#define BSI_CUDA_TABLE_BASE_BYTES 108u /* the most that a base becomes: 27 channels of 4 bytes */
#define BSI_CUDA_TABLE_PADDING    256u /* the symbol behind the 256 bytes */

BSI_CUDA_STATIC_ASSERT(sizeof((biost_cuda_table *)0)->elements == 256 * BSI_CUDA_TABLE_BASE_BYTES,
                       table_has_room_for_all_codes);

/* What each symbol becomes: a byte of a sequence, or padding. */
typedef struct bsi_cuda_table_symbols {
    uint8_t elements[257][BSI_CUDA_TABLE_BASE_BYTES]; /* [symbol][base_bytes] */
    uint16_t complement[257];                         /* [symbol] the other strand's */
    uint32_t base_bytes;
} bsi_cuda_table_symbols;

static uint32_t bsi_cuda_table_element_bytes(biost_dtype dtype) {
    switch (dtype) {
    case BIOST_DTYPE_U8: return 1;
    case BIOST_DTYPE_F16:
    case BIOST_DTYPE_BF16:
    case BIOST_DTYPE_U16: return 2;
    case BIOST_DTYPE_I64: return 8;
    default: return 4;
    }
}

/* Encode every byte as a row of one base, and padding as a row of none. */
static void bsi_cuda_table_encode(const biost_encoder *encoder, bsi_cuda_table_symbols *out_symbols) {
    out_symbols->base_bytes = (uint32_t)biost_encoder_row_bytes(encoder, 1);
    for (uint32_t symbol = 0; symbol < 256; symbol++) {
        char base = (char)(uint8_t)symbol;
        biost_encode_row(encoder, &base, 1, out_symbols->elements[symbol], 1);
        biost_reverse_complement(&base, NULL, 1);
        out_symbols->complement[symbol] = (uint8_t)base;
    }
    biost_encode_row(encoder, NULL, 0, out_symbols->elements[BSI_CUDA_TABLE_PADDING], 1);
    out_symbols->complement[BSI_CUDA_TABLE_PADDING] = BSI_CUDA_TABLE_PADDING;
}

/* May two symbols have one code? */
static int bsi_cuda_table_same(const bsi_cuda_table_symbols *symbols, uint32_t a, uint32_t b) {
    for (uint32_t strand = 0; strand < 3; strand++) {
        if (memcmp(symbols->elements[a], symbols->elements[b], symbols->base_bytes) != 0) {
            return 0;
        }
        a = symbols->complement[a];
        b = symbols->complement[b];
    }
    return 1;
}

/* Give each symbol its code, the lowest first. Returns 0 where 256 codes are too few. */
static int bsi_cuda_table_number(const bsi_cuda_table_symbols *symbols, biost_cuda_table *out_table) {
    uint16_t firsts[256]; /* [code] the first symbol that has it */
    uint32_t count = 0, code;
    for (uint32_t symbol = 0; symbol <= BSI_CUDA_TABLE_PADDING; symbol++) {
        for (code = 0; code < count && !bsi_cuda_table_same(symbols, firsts[code], symbol); code++) {
        }
        if (code == 256) {
            return 0;
        }
        if (code == count) {
            memcpy((uint8_t *)out_table->elements + (size_t)code * symbols->base_bytes,
                   symbols->elements[symbol], symbols->base_bytes);
            firsts[count++] = (uint16_t)symbol;
        }
        if (symbol < 256) {
            out_table->code[symbol] = (uint8_t)code;
        } else {
            out_table->pad_code = code;
        }
    }
    for (code = 0; code < count; code++) {
        uint32_t other = symbols->complement[firsts[code]];
        out_table->complement[code] = other < 256 ? out_table->code[other] : (uint8_t)out_table->pad_code;
    }
    out_table->code_count = count;
    return 1;
}

/* As biost_cuda_table_make; out_table is not NULL, and zero unless BIOST_OK. */
static biost_result bsi_cuda_table_make(const biost_encoding *encoding, biost_cuda_table *out_table,
                                        biost_error *out_error) {
    bsi_cuda_table_symbols symbols;
    biost_encoder encoder;
    biost_error error;
    biost_result result = biost_encoder_make(encoding, 0, &encoder, &error);
    memset(out_table, 0, sizeof *out_table);
    if (result == BIOST_OK) {
        bsi_cuda_table_encode(&encoder, &symbols);
        out_table->element_bytes = bsi_cuda_table_element_bytes(encoding->dtype);
        out_table->channels = symbols.base_bytes / out_table->element_bytes;
        if (!bsi_cuda_table_number(&symbols, out_table)) {
            memset(out_table, 0, sizeof *out_table);
            bsi_cuda_words_begin_error(&error, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                                       "the encoding makes 257 different things of bytes and padding, and a "
                                       "table holds 256 codes");
            result = BIOST_ERR_ARG;
        }
    }
    if (out_error != NULL) {
        *out_error = error;
    }
    return result;
}

/*
 * The table of qualities: of codes 0..93, which are Phred scores, the F32 element that kind makes of
 * them; of all others, padding's 255 among them, 0. kind is not NONE.
 */
static void bsi_cuda_table_quality(biost_quality kind, float out_elements[256]) {
    char characters[94];
    memset(out_elements, 0, 256 * sizeof out_elements[0]);
    for (uint32_t score = 0; score < sizeof characters; score++) {
        characters[score] = (char)(33 + score);
    }
    biost_encode_quality(kind, BIOST_DTYPE_F32, BIOST_PAD_RIGHT, characters, sizeof characters, out_elements,
                         sizeof characters);
}

/* ==========================================================================
 * >>expand   codes into elements: one function per thread of a device, and its twin in C
 *   uses: config                   allocates: no   threads: no   I/O: no
 *
 * Three kernels; each has a function here that is all that thread i of it does, for nvcc, for the maker
 * of the PTX and for the twin, which calls it for one i after another.
 *
 *     whole    bases that are 1, 2, 4, 8 or 16 bytes, side by side: NLC, tokens, qualities.
 *              Thread i writes bytes [16 i, 16 i + 16) of out, the last one maybe fewer.
 *     planes   NCL with columns * element_bytes a multiple of 16: likewise, and these bytes are columns
 *              of one (row, channel).
 *     any      all else: likewise, and a thread divides once for the first of its elements and walks to
 *              the others, over the ends of planes and rows.
 *
 * Neighbours write side by side. `whole` and `planes` read their codes as words, which are aligned; with
 * lengths, and in `any`, codes are looked for one by one, and a row's length is read once for each row
 * that a thread comes to. Elements come from the table by way of the read-only
 * cache: the rows of a few codes are one or two of its lines.
 * ========================================================================== */

#if defined(__CUDACC__)
#define BSI_CUDA_ANY __host__ __device__ __forceinline__
#else
#define BSI_CUDA_ANY
#endif

/*
 * BSI_CUDA_LOAD(type, to, from)    to, a variable of the type, from memory aligned for it
 * BSI_CUDA_LOAD_2(to, from)        a number out of 2 bytes aligned to so many, the first one lowest;
 * BSI_CUDA_LOAD_4(to, from)        likewise of 4
 * BSI_CUDA_LOAD_8(words, from)     likewise two numbers of 4 bytes each
 * BSI_CUDA_LOAD_16(words, from)    and four
 * BSI_CUDA_STORE_16(to, words)     the reverse of BSI_CUDA_LOAD_16
 * BSI_CUDA_UNROLL, BSI_CUDA_ROLL   in front of a loop: as many copies of it as rounds, or one
 *
 * On a device each is one access. Elsewhere the numbers are put together from bytes, so that they are the
 * same on machines with another byte order.
 */
#if defined(__CUDA_ARCH__)
#define BSI_CUDA_UNROLL               _Pragma("unroll")
#define BSI_CUDA_ROLL                 _Pragma("unroll 1")
#define BSI_CUDA_LOAD(type, to, from) ((to) = __ldg((const type *)(from)))
#define BSI_CUDA_LOAD_2(to, from)     BSI_CUDA_LOAD(uint16_t, to, from)
#define BSI_CUDA_LOAD_4(to, from)     BSI_CUDA_LOAD(uint32_t, to, from)
#define BSI_CUDA_LOAD_8(words, from)  bsi_cuda_expand_load_8(words, from)
#define BSI_CUDA_LOAD_16(words, from) bsi_cuda_expand_load_16(words, from)
#define BSI_CUDA_STORE_16(to, words)  bsi_cuda_expand_store_16(to, words)

__device__ __forceinline__ static void bsi_cuda_expand_load_8(uint32_t *words, const void *from) {
    const uint64_t loaded = __ldg((const uint64_t *)from);
    words[0] = (uint32_t)loaded;
    words[1] = (uint32_t)(loaded >> 32);
}

__device__ __forceinline__ static void bsi_cuda_expand_load_16(uint32_t *words, const void *from) {
    const uint4 loaded = __ldg((const uint4 *)from);
    words[0] = loaded.x;
    words[1] = loaded.y;
    words[2] = loaded.z;
    words[3] = loaded.w;
}

__device__ __forceinline__ static void bsi_cuda_expand_store_16(void *to, const uint32_t *words) {
    uint4 stored;
    stored.x = words[0];
    stored.y = words[1];
    stored.z = words[2];
    stored.w = words[3];
    *(uint4 *)to = stored;
}
#else
#define BSI_CUDA_UNROLL
#define BSI_CUDA_ROLL
#define BSI_CUDA_LOAD(type, to, from) ((void)memcpy(&(to), (from), sizeof(type)))
#define BSI_CUDA_LOAD_2(to, from)     ((to) = bsi_cuda_expand_get(from, 2))
#define BSI_CUDA_LOAD_4(to, from)     ((to) = bsi_cuda_expand_get(from, 4))
#define BSI_CUDA_LOAD_8(words, from) \
    ((words)[0] = bsi_cuda_expand_get(from, 4), (words)[1] = bsi_cuda_expand_get((from) + 4, 4))
#define BSI_CUDA_LOAD_16(words, from)                                                            \
    ((words)[0] = bsi_cuda_expand_get(from, 4), (words)[1] = bsi_cuda_expand_get((from) + 4, 4), \
     (words)[2] = bsi_cuda_expand_get((from) + 8, 4), (words)[3] = bsi_cuda_expand_get((from) + 12, 4))
#define BSI_CUDA_STORE_16(to, words)                                                 \
    (bsi_cuda_expand_put(to, (words)[0]), bsi_cuda_expand_put((to) + 4, (words)[1]), \
     bsi_cuda_expand_put((to) + 8, (words)[2]), bsi_cuda_expand_put((to) + 12, (words)[3]))

static uint32_t bsi_cuda_expand_get(const uint8_t *from, uint32_t bytes) {
    uint32_t number = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        number |= (uint32_t)from[i] << 8 * i;
    }
    return number;
}

static void bsi_cuda_expand_put(uint8_t *to, uint32_t word) {
    for (uint32_t i = 0; i < 4; i++) {
        to[i] = (uint8_t)(word >> 8 * i);
    }
}
#endif

/* kernels, as bsi_cuda_kernels_names has them */
enum {
    BSI_CUDA_EXPAND_WHOLE = 0,
    BSI_CUDA_EXPAND_PLANES = 1,
    BSI_CUDA_EXPAND_ANY = 2,
    BSI_CUDA_EXPAND_KERNELS = 3
};

/* Up to 16 codes as they follow one another, the first one lowest. */
typedef struct bsi_cuda_expand_codes {
    uint64_t low, high;
} bsi_cuda_expand_codes;

/* The 16 bytes that a thread writes, as four numbers of four bytes each, the first one lowest. */
typedef struct bsi_cuda_expand_quad {
    uint32_t words[4];
} bsi_cuda_expand_quad;

/* ---- what to launch ---- */

/* What is wrong with an expansion, in a sentence, or NULL. */
static const char *bsi_cuda_expand_check(const biost_cuda_expansion *expansion) {
    const biost_cuda_expansion *e = expansion;
    int has_work = e->rows > 0 && e->columns > 0;
    const struct {
        int is_broken;
        const char *sentence;
    } rules[] = {
        {e->rows > 1u << 20, "expansion.rows is more than 2^20"},
        {e->columns > 1u << 28, "expansion.columns is more than 2^28"},
        {e->channels < 1 || e->channels > 27, "expansion.channels is not in 1..27"},
        {e->element_bytes != 1 && e->element_bytes != 2 && e->element_bytes != 4 && e->element_bytes != 8,
         "expansion.element_bytes is none of 1, 2, 4 and 8"},
        {e->is_ncl > 1, "expansion.is_ncl is not 0 or 1"},
        {e->pad_left > 1, "expansion.pad_left is not 0 or 1"},
        {e->lengths != NULL && e->pad_code > 255, "expansion.pad_code is not in 0..255"},
        {e->lengths == NULL && e->complement != NULL,
         "expansion.complement is not NULL, and expansion.lengths is"},
        {e->lengths == NULL && e->pad_left, "expansion.pad_left is 1, and expansion.lengths is NULL"},
        {has_work && e->codes == NULL, "expansion.codes is NULL"},
        {has_work && e->table == NULL, "expansion.table is NULL"},
        {has_work && e->out == NULL, "expansion.out is NULL"},
        {(uintptr_t)e->codes % 4 != 0, "expansion.codes is not 4-byte aligned"},
        {(uintptr_t)e->table % 16 != 0, "expansion.table is not 16-byte aligned"},
        {(uintptr_t)e->out % 16 != 0, "expansion.out is not 16-byte aligned"},
        {(uintptr_t)e->lengths % 4 != 0, "expansion.lengths is not 4-byte aligned"}};
    size_t count = sizeof rules / sizeof rules[0], i = 0;
    while (i < count && !rules[i].is_broken) {
        i++;
    }
    return i < count ? rules[i].sentence : NULL;
}

/* How often 1 is doubled to be `bytes`, one of 1, 2, 4, 8 and 16. */
BSI_CUDA_ANY static uint32_t bsi_cuda_expand_log2(uint32_t bytes) {
    return (uint32_t)(bytes > 1) + (bytes > 2) + (bytes > 4) + (bytes > 8);
}

/* Threads that write 16 bytes of out each, the last one maybe fewer. */
BSI_CUDA_ANY static uint64_t bsi_cuda_expand_threads(const biost_cuda_expansion *expansion) {
    uint32_t base_bytes = expansion->channels * expansion->element_bytes;
    return ((uint64_t)expansion->rows * expansion->columns * base_bytes + 15) >> 4;
}

/* Which kernel does it, and with how many threads; 0 threads: nothing is to be done. */
static void bsi_cuda_expand_plan(const biost_cuda_expansion *expansion, uint32_t *out_kernel,
                                 uint64_t *out_threads) {
    uint32_t base_bytes = expansion->channels * expansion->element_bytes;
    int is_planes = expansion->is_ncl && expansion->channels > 1;
    if (!is_planes && base_bytes <= 16 && (base_bytes & (base_bytes - 1)) == 0) {
        *out_kernel = BSI_CUDA_EXPAND_WHOLE;
    } else if (is_planes && (expansion->columns * expansion->element_bytes & 15) == 0) {
        *out_kernel = BSI_CUDA_EXPAND_PLANES;
    } else {
        *out_kernel = BSI_CUDA_EXPAND_ANY;
    }
    *out_threads = bsi_cuda_expand_threads(expansion);
}

/* ---- codes ---- */

/*
 * Where a thread is in out, and what it knows of the row. Out has `rows` rows of groups, which are the
 * channels of NCL and the columns of NLC; a group has columns or channels.
 */
typedef struct bsi_cuda_expand_walk {
    const uint8_t *codes; /* of the row */
    uint32_t row, group, at;
    uint32_t first, bases; /* columns [first, first + bases) show bases, the others padding */
} bsi_cuda_expand_walk;

/*
 * It came to a row; behind the last one it is at row 0 again, whose elements nobody stores. Lengths are
 * clamped where they are read, so that none that is wrong reaches beyond its row.
 */
BSI_CUDA_ANY static void bsi_cuda_expand_enter(const biost_cuda_expansion *expansion,
                                               bsi_cuda_expand_walk *walk) {
    walk->row = walk->row < expansion->rows ? walk->row : 0;
    walk->codes = expansion->codes + (uint64_t)walk->row * expansion->columns;
    walk->first = 0;
    walk->bases = expansion->columns;
    if (expansion->lengths != NULL) {
        int32_t length;
        uint32_t bases;
        BSI_CUDA_LOAD(int32_t, length, expansion->lengths + walk->row);
        bases = length < 0 ? 0 : (uint32_t)length;
        walk->bases = bases < expansion->columns ? bases : expansion->columns;
        walk->first = expansion->pad_left ? expansion->columns - walk->bases : 0;
    }
}

/* The code that a column of its row shows. */
BSI_CUDA_ANY static uint32_t bsi_cuda_expand_code(const biost_cuda_expansion *expansion,
                                                  const bsi_cuda_expand_walk *walk, uint32_t column) {
    uint32_t base = column - walk->first; /* beyond all numbers in front of the first */
    uint8_t code;
    if (base >= walk->bases) {
        return expansion->pad_code;
    }
    if (expansion->complement != NULL) {
        BSI_CUDA_LOAD(uint8_t, code, walk->codes + (walk->first + (walk->bases - 1 - base)));
        BSI_CUDA_LOAD(uint8_t, code, expansion->complement + code);
        return code;
    }
    BSI_CUDA_LOAD(uint8_t, code, walk->codes + column);
    return code;
}

/* On by one element of out; groups have `inner` of them, and rows `middle` groups. */
BSI_CUDA_ANY static void bsi_cuda_expand_next(const biost_cuda_expansion *expansion,
                                              bsi_cuda_expand_walk *walk, uint32_t inner, uint32_t middle) {
    if (++walk->at == inner) {
        walk->at = 0;
        if (++walk->group == middle) {
            walk->group = 0;
            walk->row++;
            bsi_cuda_expand_enter(expansion, walk);
        }
    }
}

/* `count` codes, 1 to 16, that base `at` of all rows and those behind it show. */
BSI_CUDA_ANY static bsi_cuda_expand_codes bsi_cuda_expand_search(const biost_cuda_expansion *expansion,
                                                                 uint64_t at, uint32_t count) {
    bsi_cuda_expand_codes codes = {0, 0};
    bsi_cuda_expand_walk walk;
    walk.row = (uint32_t)(at / expansion->columns);
    walk.group = 0;
    walk.at = (uint32_t)(at - (uint64_t)walk.row * expansion->columns);
    bsi_cuda_expand_enter(expansion, &walk);
    BSI_CUDA_ROLL for (uint32_t k = 0; k < count; k++) {
        uint64_t code = bsi_cuda_expand_code(expansion, &walk, walk.at);
        codes.low |= k < 8 ? code << 8 * k : 0;
        codes.high |= k < 8 ? 0 : code << 8 * (k - 8);
        bsi_cuda_expand_next(expansion, &walk, expansion->columns, 1);
    }
    return codes;
}

/* The same without lengths: `count` is 1, 2, 4, 8 or 16, and `at` a multiple of it. */
BSI_CUDA_ANY static bsi_cuda_expand_codes bsi_cuda_expand_read(const biost_cuda_expansion *expansion,
                                                               uint64_t at, uint32_t count) {
    const uint8_t *from = expansion->codes + at;
    bsi_cuda_expand_codes codes = {0, 0};
    uint32_t word;
    if (count == 1) {
        uint8_t code;
        BSI_CUDA_LOAD(uint8_t, code, from);
        codes.low = code;
        return codes;
    }
    if (count == 2) {
        BSI_CUDA_LOAD_2(word, from);
        codes.low = word;
        return codes;
    }
    BSI_CUDA_LOAD_4(word, from);
    codes.low = word;
    if (count > 4) {
        BSI_CUDA_LOAD_4(word, from + 4);
        codes.low |= (uint64_t)word << 32;
    }
    if (count > 8) {
        BSI_CUDA_LOAD_4(word, from + 8);
        codes.high = word;
        BSI_CUDA_LOAD_4(word, from + 12);
        codes.high |= (uint64_t)word << 32;
    }
    return codes;
}

BSI_CUDA_ANY static uint32_t bsi_cuda_expand_pick(bsi_cuda_expand_codes codes, uint32_t k) {
    return (uint32_t)(k < 8 ? codes.low >> 8 * k : codes.high >> 8 * (k - 8)) & 255u;
}

/* ---- elements ---- */

/* Of each code `unit` bytes, 1, 2, 4, 8 or 16, that lie `stride` bytes apart from those of the next. */
BSI_CUDA_ANY static bsi_cuda_expand_quad
bsi_cuda_expand_look(bsi_cuda_expand_codes codes, const uint8_t *table, uint32_t stride, uint32_t unit) {
    bsi_cuda_expand_quad quad;
    uint32_t element;
    if (unit == 16) {
        BSI_CUDA_LOAD_16(quad.words, table + bsi_cuda_expand_pick(codes, 0) * stride);
        return quad;
    }
    if (unit == 8) {
        BSI_CUDA_LOAD_8(quad.words, table + bsi_cuda_expand_pick(codes, 0) * stride);
        BSI_CUDA_LOAD_8(quad.words + 2, table + bsi_cuda_expand_pick(codes, 1) * stride);
        return quad;
    }
    BSI_CUDA_UNROLL for (uint32_t k = 0; k < 4; k++) {
        quad.words[k] = 0;
    }
    if (unit == 4) {
        BSI_CUDA_UNROLL for (uint32_t k = 0; k < 4; k++) {
            BSI_CUDA_LOAD_4(quad.words[k], table + bsi_cuda_expand_pick(codes, k) * stride);
        }
    } else if (unit == 2) {
        BSI_CUDA_UNROLL for (uint32_t k = 0; k < 8; k++) {
            BSI_CUDA_LOAD_2(element, table + bsi_cuda_expand_pick(codes, k) * stride);
            quad.words[k / 2] |= element << 16 * (k % 2);
        }
    } else {
        BSI_CUDA_UNROLL for (uint32_t k = 0; k < 16; k++) {
            uint8_t byte;
            BSI_CUDA_LOAD(uint8_t, byte, table + bsi_cuda_expand_pick(codes, k) * stride);
            quad.words[k / 4] |= (uint32_t)byte << 8 * (k % 4);
        }
    }
    return quad;
}

/* The same byte by byte, for fewer than 16 bytes: `count` codes with `unit` bytes each, side by side. */
BSI_CUDA_ANY static void bsi_cuda_expand_rest(bsi_cuda_expand_codes codes, uint32_t count,
                                              const uint8_t *table, uint32_t unit, uint8_t *out) {
    BSI_CUDA_ROLL for (uint32_t k = 0; k < count; k++) {
        uint32_t from = bsi_cuda_expand_pick(codes, k) * unit;
        BSI_CUDA_ROLL for (uint32_t i = 0; i < unit; i++) {
            BSI_CUDA_LOAD(uint8_t, out[k * unit + i], table + from + i);
        }
    }
}

/* ---- threads ---- */

BSI_CUDA_ANY static void bsi_cuda_expand_whole(const biost_cuda_expansion *expansion, uint64_t i) {
    const uint8_t *table = (const uint8_t *)expansion->table;
    uint32_t unit = expansion->channels * expansion->element_bytes;
    uint32_t count = 16u >> bsi_cuda_expand_log2(unit);
    uint64_t at = i * count, left = (uint64_t)expansion->rows * expansion->columns - at;
    uint8_t *out = (uint8_t *)expansion->out + 16 * i;
    uint32_t here = left < count ? (uint32_t)left : count;
    bsi_cuda_expand_codes codes = here < count || expansion->lengths != NULL
                                      ? bsi_cuda_expand_search(expansion, at, here)
                                      : bsi_cuda_expand_read(expansion, at, count);
    if (here < count) {
        bsi_cuda_expand_rest(codes, here, table, unit, out);
    } else {
        bsi_cuda_expand_quad quad = bsi_cuda_expand_look(codes, table, unit, unit);
        BSI_CUDA_STORE_16(out, quad.words);
    }
}

BSI_CUDA_ANY static void bsi_cuda_expand_planes(const biost_cuda_expansion *expansion, uint64_t i) {
    uint32_t unit = expansion->element_bytes, channels = expansion->channels;
    uint32_t log2 = 4 - bsi_cuda_expand_log2(unit), count = 1u << log2;
    uint32_t groups = expansion->columns >> log2; /* threads of one (row, channel) */
    uint64_t plane = i / groups, row = plane / channels;
    uint32_t channel = (uint32_t)(plane - row * channels);
    uint64_t at = row * expansion->columns + (i - plane * groups) * count;
    const uint8_t *table = (const uint8_t *)expansion->table + channel * unit;
    bsi_cuda_expand_codes codes = expansion->lengths != NULL ? bsi_cuda_expand_search(expansion, at, count)
                                                             : bsi_cuda_expand_read(expansion, at, count);
    bsi_cuda_expand_quad quad = bsi_cuda_expand_look(codes, table, channels * unit, unit);
    BSI_CUDA_STORE_16((uint8_t *)expansion->out + 16 * i, quad.words);
}

/* To element `first` of out. */
BSI_CUDA_ANY static bsi_cuda_expand_walk bsi_cuda_expand_begin(const biost_cuda_expansion *expansion,
                                                               uint64_t first) {
    uint32_t inner = expansion->is_ncl ? expansion->columns : expansion->channels;
    uint32_t middle = expansion->is_ncl ? expansion->channels : expansion->columns;
    uint64_t outer = first / inner;
    bsi_cuda_expand_walk walk;
    walk.at = (uint32_t)(first - outer * inner);
    walk.row = (uint32_t)(outer / middle);
    walk.group = (uint32_t)(outer - (uint64_t)walk.row * middle);
    bsi_cuda_expand_enter(expansion, &walk);
    return walk;
}

/* Where in the table the element is that it is at, of `unit` bytes; and on by one. */
BSI_CUDA_ANY static const uint8_t *bsi_cuda_expand_pass(const biost_cuda_expansion *expansion,
                                                        bsi_cuda_expand_walk *walk, uint32_t unit) {
    uint32_t columns = expansion->columns, channels = expansion->channels;
    uint32_t column = expansion->is_ncl ? walk->at : walk->group;
    uint32_t channel = expansion->is_ncl ? walk->group : walk->at;
    uint32_t place = bsi_cuda_expand_code(expansion, walk, column) * channels + channel;
    bsi_cuda_expand_next(expansion, walk, expansion->is_ncl ? columns : channels,
                         expansion->is_ncl ? channels : columns);
    return (const uint8_t *)expansion->table + place * unit;
}

/* The next 4 bytes of out, of elements of 1, 2 or 4. */
BSI_CUDA_ANY static uint32_t bsi_cuda_expand_word(const biost_cuda_expansion *expansion,
                                                  bsi_cuda_expand_walk *walk, uint32_t unit) {
    uint32_t word = 0, element;
    if (unit == 4) {
        const uint8_t *from = bsi_cuda_expand_pass(expansion, walk, 4);
        BSI_CUDA_LOAD_4(word, from);
    } else if (unit == 2) {
        BSI_CUDA_ROLL for (uint32_t k = 0; k < 2; k++) {
            const uint8_t *from = bsi_cuda_expand_pass(expansion, walk, 2);
            BSI_CUDA_LOAD_2(element, from);
            word |= element << 16 * k;
        }
    } else {
        BSI_CUDA_ROLL for (uint32_t k = 0; k < 4; k++) {
            const uint8_t *from = bsi_cuda_expand_pass(expansion, walk, 1);
            uint8_t byte;
            BSI_CUDA_LOAD(uint8_t, byte, from);
            word |= (uint32_t)byte << 8 * k;
        }
    }
    return word;
}

/* The next 16 bytes of out, of elements of `unit` bytes: 1, 2, 4 or 8. */
BSI_CUDA_ANY static bsi_cuda_expand_quad bsi_cuda_expand_go(const biost_cuda_expansion *expansion,
                                                            bsi_cuda_expand_walk *walk, uint32_t unit) {
    bsi_cuda_expand_quad quad = {{0, 0, 0, 0}};
    BSI_CUDA_ROLL for (uint32_t k = 0; k < (unit == 8 ? 2u : 4u); k++) { /* they come in at the top */
        quad.words[0] = quad.words[unit == 8 ? 2 : 1];
        quad.words[1] = quad.words[unit == 8 ? 3 : 2];
        if (unit == 8) {
            const uint8_t *from = bsi_cuda_expand_pass(expansion, walk, 8);
            BSI_CUDA_LOAD_8(quad.words + 2, from);
        } else {
            quad.words[2] = quad.words[3];
            quad.words[3] = bsi_cuda_expand_word(expansion, walk, unit);
        }
    }
    return quad;
}

BSI_CUDA_ANY static void bsi_cuda_expand_any(const biost_cuda_expansion *expansion, uint64_t i) {
    uint32_t unit = expansion->element_bytes, log2 = 4 - bsi_cuda_expand_log2(unit);
    uint64_t first = i << log2;
    uint64_t left = (uint64_t)expansion->rows * expansion->columns * expansion->channels - first;
    uint8_t *out = (uint8_t *)expansion->out + 16 * i;
    bsi_cuda_expand_walk walk = bsi_cuda_expand_begin(expansion, first);
    bsi_cuda_expand_quad quad = unit == 4   ? bsi_cuda_expand_go(expansion, &walk, 4)
                                : unit == 2 ? bsi_cuda_expand_go(expansion, &walk, 2)
                                : unit == 1 ? bsi_cuda_expand_go(expansion, &walk, 1)
                                            : bsi_cuda_expand_go(expansion, &walk, 8);
    if (left >> log2 > 0) {
        BSI_CUDA_STORE_16(out, quad.words);
    } else {
        bsi_cuda_expand_codes bytes;
        bytes.low = quad.words[0] | (uint64_t)quad.words[1] << 32;
        bytes.high = quad.words[2] | (uint64_t)quad.words[3] << 32;
        BSI_CUDA_ROLL for (uint32_t k = 0; k < (uint32_t)left * unit; k++) {
            out[k] = (uint8_t)bsi_cuda_expand_pick(bytes, k);
        }
    }
}

/* All threads, one after another, in host memory. It has passed bsi_cuda_expand_check. */
static void bsi_cuda_expand_host(const biost_cuda_expansion *expansion) {
    uint32_t kernel;
    uint64_t threads;
    bsi_cuda_expand_plan(expansion, &kernel, &threads);
    for (uint64_t i = 0; i < threads; i++) {
        if (kernel == BSI_CUDA_EXPAND_WHOLE) {
            bsi_cuda_expand_whole(expansion, i);
        } else if (kernel == BSI_CUDA_EXPAND_PLANES) {
            bsi_cuda_expand_planes(expansion, i);
        } else {
            bsi_cuda_expand_any(expansion, i);
        }
    }
}

/* ==========================================================================
 * >>kernels   the same for nvcc, and as PTX text for everybody else
 *   uses: config expand            allocates: no   threads: no   I/O: no
 *
 * A launch: bsi_cuda_expand_plan says which kernel and how many threads. With 0 threads nothing is
 * launched. Else the grid is bsi_cuda_kernels_blocks(threads) x 1 x 1 blocks of
 * BSI_CUDA_BLOCK_THREADS x 1 x 1, without shared memory, and the only argument is the
 * biost_cuda_expansion itself, by value. A grid of any size does all of it: threads go on with the
 * index that lies a grid behind theirs.
 * ========================================================================== */

#define BSI_CUDA_BLOCK_THREADS 256u

/* The argument as the PTX takes it. */
#if UINTPTR_MAX == UINT64_MAX
BSI_CUDA_STATIC_ASSERT(sizeof(biost_cuda_expansion) == 72, expansion_bytes);
BSI_CUDA_STATIC_ASSERT(offsetof(biost_cuda_expansion, complement) == 32, expansion_complement);
BSI_CUDA_STATIC_ASSERT(offsetof(biost_cuda_expansion, rows) == 40, expansion_rows);
BSI_CUDA_STATIC_ASSERT(offsetof(biost_cuda_expansion, pad_code) == 64, expansion_pad_code);
#endif

static const char *const bsi_cuda_kernels_names[BSI_CUDA_EXPAND_KERNELS] = {
    "bsi_cuda_kernels_whole", "bsi_cuda_kernels_planes", "bsi_cuda_kernels_any"};

/*
 * Blocks that do `threads` threads, 0 for none. Beyond 16384 of them, which is several rounds of the
 * greatest GPUs, each thread does up to 8: what it works out once is three times what it does for
 * 16 bytes. At most as many as a grid may have.
 */
static uint32_t bsi_cuda_kernels_blocks(uint64_t threads) {
    uint64_t blocks = (threads + (BSI_CUDA_BLOCK_THREADS - 1)) / BSI_CUDA_BLOCK_THREADS;
    if (blocks > 16384) {
        blocks = (blocks + 7) / 8 > 16384 ? (blocks + 7) / 8 : 16384;
    }
    return blocks < 0x7FFFFFFFu ? (uint32_t)blocks : 0x7FFFFFFFu;
}

/* tests/make_ptx.sh defines BSI_CUDA_KERNEL, for names that a module can be asked for. */
#if defined(__CUDACC__) && (BSI_CUDA_HAS_RUNTIME || defined(BSI_CUDA_KERNEL))
#ifndef BSI_CUDA_KERNEL
#define BSI_CUDA_KERNEL static __global__
#endif

__device__ static uint64_t bsi_cuda_kernels_index(void) {
    return (uint64_t)blockIdx.x * BSI_CUDA_BLOCK_THREADS + threadIdx.x;
}

__device__ static uint64_t bsi_cuda_kernels_grid(void) {
    return (uint64_t)gridDim.x * BSI_CUDA_BLOCK_THREADS;
}

BSI_CUDA_KERNEL void __launch_bounds__(BSI_CUDA_BLOCK_THREADS)
    bsi_cuda_kernels_whole(const biost_cuda_expansion expansion) {
    uint64_t threads = bsi_cuda_expand_threads(&expansion);
    for (uint64_t i = bsi_cuda_kernels_index(); i < threads; i += bsi_cuda_kernels_grid()) {
        bsi_cuda_expand_whole(&expansion, i);
    }
}

BSI_CUDA_KERNEL void __launch_bounds__(BSI_CUDA_BLOCK_THREADS)
    bsi_cuda_kernels_planes(const biost_cuda_expansion expansion) {
    uint64_t threads = bsi_cuda_expand_threads(&expansion);
    for (uint64_t i = bsi_cuda_kernels_index(); i < threads; i += bsi_cuda_kernels_grid()) {
        bsi_cuda_expand_planes(&expansion, i);
    }
}

BSI_CUDA_KERNEL void __launch_bounds__(BSI_CUDA_BLOCK_THREADS)
    bsi_cuda_kernels_any(const biost_cuda_expansion expansion) {
    uint64_t threads = bsi_cuda_expand_threads(&expansion);
    for (uint64_t i = bsi_cuda_kernels_index(); i < threads; i += bsi_cuda_kernels_grid()) {
        bsi_cuda_expand_any(&expansion, i);
    }
}
#endif

#if defined(__CUDACC__) && BSI_CUDA_HAS_RUNTIME
/* Launch on the current device; it has passed bsi_cuda_expand_check. Returns a cudaError_t. */
static int bsi_cuda_kernels_launch(const biost_cuda_expansion *expansion, biost_cuda_stream stream) {
    const void *const kernels[BSI_CUDA_EXPAND_KERNELS] = {(const void *)bsi_cuda_kernels_whole,
                                                          (const void *)bsi_cuda_kernels_planes,
                                                          (const void *)bsi_cuda_kernels_any};
    biost_cuda_expansion argument = *expansion;
    void *arguments[1] = {&argument};
    uint32_t kernel;
    uint64_t threads;
    bsi_cuda_expand_plan(expansion, &kernel, &threads);
    return threads == 0 ? 0
                        : (int)cudaLaunchKernel(kernels[kernel], dim3(bsi_cuda_kernels_blocks(threads)),
                                                dim3(BSI_CUDA_BLOCK_THREADS), arguments, 0, stream);
}
#endif

/*
 * The three kernels as PTX, by tests/make_ptx.sh out of this file; it runs on every GPU from compute
 * capability 7.0 on. NUL-terminated.
 */
/* ---- PTX begins: Debian clang version 14.0.6, sm_70 ---- */
static const char *const bsi_cuda_kernels_ptx = BSI_CUDA_LONG_TEXT
    ".version 6.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry bsi_cuda_kernels_whole(\n"
    ".param .align 8 .b8 bsi_cuda_kernels_whole_param_0[72]\n"
    ")\n"
    ".maxntid 256, 1, 1\n"
    "{\n"
    ".reg .pred %p<40>;\n"
    ".reg .b16 %rs<35>;\n"
    ".reg .b32 %r<270>;\n"
    ".reg .b64 %rd<192>;\n"
    "ld.param.v2.u32 {%r66, %r67}, [bsi_cuda_kernels_whole_param_0+48];\n"
    "mul.lo.s32 %r1, %r67, %r66;\n"
    "ld.param.v2.u32 {%r2, %r3}, [bsi_cuda_kernels_whole_param_0+40];\n"
    "cvt.u64.u32 %rd48, %r1;\n"
    "mul.wide.u32 %rd3, %r3, %r2;\n"
    "mul.lo.s64 %rd49, %rd3, %rd48;\n"
    "add.s64 %rd50, %rd49, 15;\n"
    "shr.u64 %rd4, %rd50, 4;\n"
    "mov.u32 %r68, %ctaid.x;\n"
    "mul.wide.u32 %rd51, %r68, 256;\n"
    "mov.u32 %r69, %tid.x;\n"
    "cvt.u64.u32 %rd52, %r69;\n"
    "add.s64 %rd182, %rd51, %rd52;\n"
    "setp.ge.u64 %p1, %rd182, %rd4;\n"
    "@%p1 bra LBB0_45;\n"
    "mov.b64 %rd47, bsi_cuda_kernels_whole_param_0;\n"
    "mov.u64 %rd1, %rd47;\n"
    "cvt.u64.u32 %rd2, %r3;\n"
    "ld.param.u64 %rd6, [%rd1+8];\n"
    "cvta.to.global.u64 %rd7, %rd6;\n"
    "setp.gt.u32 %p2, %r1, 1;\n"
    "selp.u32 %r70, 1, 0, %p2;\n"
    "setp.gt.u32 %p3, %r1, 2;\n"
    "selp.u32 %r71, 1, 0, %p3;\n"
    "add.s32 %r72, %r70, %r71;\n"
    "setp.gt.u32 %p4, %r1, 4;\n"
    "selp.u32 %r73, 1, 0, %p4;\n"
    "add.s32 %r74, %r72, %r73;\n"
    "setp.gt.u32 %p5, %r1, 8;\n"
    "selp.u32 %r75, 1, 0, %p5;\n"
    "add.s32 %r76, %r74, %r75;\n"
    "mov.u32 %r77, 16;\n"
    "shr.u32 %r78, %r77, %r76;\n"
    "cvt.u64.u32 %rd8, %r78;\n"
    "ld.param.u64 %rd53, [%rd1+16];\n"
    "cvta.to.global.u64 %rd9, %rd53;\n"
    "ld.param.u64 %rd10, [%rd1+24];\n"
    "cvta.to.global.u64 %rd11, %rd10;\n"
    "ld.param.u64 %rd54, [%rd1];\n"
    "cvta.to.global.u64 %rd12, %rd54;\n"
    "ld.param.u32 %r4, [%rd1+60];\n"
    "ld.param.u32 %r5, [%rd1+64];\n"
    "ld.param.u64 %rd13, [%rd1+32];\n"
    "cvta.to.global.u64 %rd14, %rd13;\n"
    "add.s32 %r79, %r1, -2;\n"
    "shf.l.wrap.b32 %r6, %r79, %r79, 31;\n"
    "mov.u32 %r80, %nctaid.x;\n"
    "mul.wide.u32 %rd15, %r80, 256;\n"
    "setp.eq.s32 %p34, %r1, 0;\n"
    "setp.gt.s32 %p28, %r6, 2;\n"
    "setp.eq.s32 %p31, %r6, 0;\n"
    "setp.eq.s32 %p32, %r6, 1;\n"
    "bra.uni LBB0_2;\n"
    "LBB0_42:\n"
    "cvt.u32.u64 %r162, %rd189;\n"
    "and.b32 %r163, %r162, 255;\n"
    "mul.lo.s32 %r164, %r163, %r1;\n"
    "cvt.u64.u32 %rd136, %r164;\n"
    "add.s64 %rd137, %rd6, %rd136;\n"
    "ld.global.nc.u8 %rs14, [%rd137];\n"
    "cvt.u32.u16 %r165, %rs14;\n"
    "and.b32 %r166, %r165, 255;\n"
    "bfe.u32 %r167, %r162, 8, 8;\n"
    "mul.lo.s32 %r168, %r167, %r1;\n"
    "cvt.u64.u32 %rd138, %r168;\n"
    "add.s64 %rd139, %rd6, %rd138;\n"
    "ld.global.nc.u8 %rs15, [%rd139];\n"
    "and.b16 %rs16, %rs15, 255;\n"
    "mul.wide.u16 %r169, %rs16, 256;\n"
    "or.b32 %r170, %r169, %r166;\n"
    "bfe.u32 %r171, %r162, 16, 8;\n"
    "mul.lo.s32 %r172, %r171, %r1;\n"
    "cvt.u64.u32 %rd140, %r172;\n"
    "add.s64 %rd141, %rd6, %rd140;\n"
    "ld.global.nc.u8 %rs17, [%rd141];\n"
    "cvt.u32.u16 %r173, %rs17;\n"
    "and.b32 %r174, %r173, 255;\n"
    "shl.b32 %r175, %r174, 16;\n"
    "or.b32 %r176, %r175, %r170;\n"
    "shr.u32 %r177, %r162, 24;\n"
    "mul.lo.s32 %r178, %r177, %r1;\n"
    "cvt.u64.u32 %rd142, %r178;\n"
    "add.s64 %rd143, %rd6, %rd142;\n"
    "ld.global.nc.u8 %rs18, [%rd143];\n"
    "cvt.u32.u16 %r179, %rs18;\n"
    "shl.b32 %r180, %r179, 24;\n"
    "or.b32 %r269, %r180, %r176;\n"
    "shr.u64 %rd144, %rd189, 32;\n"
    "cvt.u32.u64 %r181, %rd144;\n"
    "and.b32 %r182, %r181, 255;\n"
    "mul.lo.s32 %r183, %r182, %r1;\n"
    "cvt.u64.u32 %rd145, %r183;\n"
    "add.s64 %rd146, %rd6, %rd145;\n"
    "ld.global.nc.u8 %rs19, [%rd146];\n"
    "cvt.u32.u16 %r184, %rs19;\n"
    "and.b32 %r185, %r184, 255;\n"
    "shr.u64 %rd147, %rd189, 40;\n"
    "cvt.u32.u64 %r186, %rd147;\n"
    "and.b32 %r187, %r186, 255;\n"
    "mul.lo.s32 %r188, %r187, %r1;\n"
    "cvt.u64.u32 %rd148, %r188;\n"
    "add.s64 %rd149, %rd6, %rd148;\n"
    "ld.global.nc.u8 %rs20, [%rd149];\n"
    "and.b16 %rs21, %rs20, 255;\n"
    "mul.wide.u16 %r189, %rs21, 256;\n"
    "or.b32 %r190, %r189, %r185;\n"
    "shr.u64 %rd150, %rd189, 48;\n"
    "cvt.u32.u64 %r191, %rd150;\n"
    "and.b32 %r192, %r191, 255;\n"
    "mul.lo.s32 %r193, %r192, %r1;\n"
    "cvt.u64.u32 %rd151, %r193;\n"
    "add.s64 %rd152, %rd6, %rd151;\n"
    "ld.global.nc.u8 %rs22, [%rd152];\n"
    "cvt.u32.u16 %r194, %rs22;\n"
    "and.b32 %r195, %r194, 255;\n"
    "shl.b32 %r196, %r195, 16;\n"
    "or.b32 %r197, %r196, %r190;\n"
    "shr.u64 %rd153, %rd189, 56;\n"
    "cvt.u32.u64 %r198, %rd153;\n"
    "mul.lo.s32 %r199, %r1, %r198;\n"
    "cvt.u64.u32 %rd154, %r199;\n"
    "add.s64 %rd155, %rd6, %rd154;\n"
    "ld.global.nc.u8 %rs23, [%rd155];\n"
    "cvt.u32.u16 %r200, %rs23;\n"
    "shl.b32 %r201, %r200, 24;\n"
    "or.b32 %r268, %r201, %r197;\n"
    "cvt.u32.u64 %r202, %rd190;\n"
    "and.b32 %r203, %r202, 255;\n"
    "mul.lo.s32 %r204, %r203, %r1;\n"
    "cvt.u64.u32 %rd156, %r204;\n"
    "add.s64 %rd157, %rd6, %rd156;\n"
    "ld.global.nc.u8 %rs24, [%rd157];\n"
    "cvt.u32.u16 %r205, %rs24;\n"
    "and.b32 %r206, %r205, 255;\n"
    "bfe.u32 %r207, %r202, 8, 8;\n"
    "mul.lo.s32 %r208, %r207, %r1;\n"
    "cvt.u64.u32 %rd158, %r208;\n"
    "add.s64 %rd159, %rd6, %rd158;\n"
    "ld.global.nc.u8 %rs25, [%rd159];\n"
    "and.b16 %rs26, %rs25, 255;\n"
    "mul.wide.u16 %r209, %rs26, 256;\n"
    "or.b32 %r210, %r209, %r206;\n"
    "bfe.u32 %r211, %r202, 16, 8;\n"
    "mul.lo.s32 %r212, %r211, %r1;\n"
    "cvt.u64.u32 %rd160, %r212;\n"
    "add.s64 %rd161, %rd6, %rd160;\n"
    "ld.global.nc.u8 %rs27, [%rd161];\n"
    "cvt.u32.u16 %r213, %rs27;\n"
    "and.b32 %r214, %r213, 255;\n"
    "shl.b32 %r215, %r214, 16;\n"
    "or.b32 %r216, %r215, %r210;\n"
    "shr.u32 %r217, %r202, 24;\n"
    "mul.lo.s32 %r218, %r217, %r1;\n"
    "cvt.u64.u32 %rd162, %r218;\n"
    "add.s64 %rd163, %rd6, %rd162;\n"
    "ld.global.nc.u8 %rs28, [%rd163];\n"
    "cvt.u32.u16 %r219, %rs28;\n"
    "shl.b32 %r220, %r219, 24;\n"
    "or.b32 %r267, %r220, %r216;\n"
    "shr.u64 %rd164, %rd190, 32;\n"
    "cvt.u32.u64 %r221, %rd164;\n"
    "and.b32 %r222, %r221, 255;\n"
    "mul.lo.s32 %r223, %r222, %r1;\n"
    "cvt.u64.u32 %rd165, %r223;\n"
    "add.s64 %rd166, %rd6, %rd165;\n"
    "ld.global.nc.u8 %rs29, [%rd166];\n"
    "cvt.u32.u16 %r224, %rs29;\n"
    "and.b32 %r225, %r224, 255;\n"
    "shr.u64 %rd167, %rd190, 40;\n"
    "cvt.u32.u64 %r226, %rd167;\n"
    "and.b32 %r227, %r226, 255;\n"
    "mul.lo.s32 %r228, %r227, %r1;\n"
    "cvt.u64.u32 %rd168, %r228;\n"
    "add.s64 %rd169, %rd6, %rd168;\n"
    "ld.global.nc.u8 %rs30, [%rd169];\n"
    "and.b16 %rs31, %rs30, 255;\n"
    "mul.wide.u16 %r229, %rs31, 256;\n"
    "or.b32 %r230, %r229, %r225;\n"
    "shr.u64 %rd170, %rd190, 48;\n"
    "cvt.u32.u64 %r231, %rd170;\n"
    "and.b32 %r232, %r231, 255;\n"
    "mul.lo.s32 %r233, %r232, %r1;\n"
    "cvt.u64.u32 %rd171, %r233;\n"
    "add.s64 %rd172, %rd6, %rd171;\n"
    "ld.global.nc.u8 %rs32, [%rd172];\n"
    "cvt.u32.u16 %r234, %rs32;\n"
    "and.b32 %r235, %r234, 255;\n"
    "shl.b32 %r236, %r235, 16;\n"
    "or.b32 %r237, %r236, %r230;\n"
    "shr.u64 %rd173, %rd190, 56;\n"
    "cvt.u32.u64 %r238, %rd173;\n"
    "mul.lo.s32 %r239, %r1, %r238;\n"
    "cvt.u64.u32 %rd174, %r239;\n"
    "add.s64 %rd175, %rd6, %rd174;\n"
    "ld.global.nc.u8 %rs33, [%rd175];\n"
    "cvt.u32.u16 %r240, %rs33;\n"
    "shl.b32 %r241, %r240, 24;\n"
    "or.b32 %r266, %r241, %r237;\n"
    "LBB0_43:\n"
    "st.global.v4.u32 [%rd18], {%r269, %r268, %r267, %r266};\n"
    "LBB0_44:\n"
    "add.s64 %rd182, %rd182, %rd15;\n"
    "setp.lt.u64 %p38, %rd182, %rd4;\n"
    "@%p38 bra LBB0_2;\n"
    "bra.uni LBB0_45;\n"
    "LBB0_2:\n"
    "cvt.u32.u64 %r81, %rd8;\n"
    "mov.u64 %rd190, 0;\n"
    "cvta.to.global.u64 %rd56, %rd190;\n"
    "setp.eq.s64 %p6, %rd11, %rd56;\n"
    "mul.lo.s64 %rd17, %rd182, %rd8;\n"
    "sub.s64 %rd57, %rd3, %rd17;\n"
    "setp.lt.u64 %p7, %rd57, %rd8;\n"
    "cvt.u32.u64 %r82, %rd57;\n"
    "selp.b32 %r7, %r82, %r81, %p7;\n"
    "setp.ge.u32 %p8, %r7, %r81;\n"
    "and.pred %p9, %p8, %p6;\n"
    "@%p9 bra LBB0_18;\n"
    "bra.uni LBB0_3;\n"
    "LBB0_18:\n"
    "add.s64 %rd88, %rd12, %rd17;\n"
    "cvta.global.u64 %rd33, %rd88;\n"
    "setp.eq.s32 %p23, %r81, 2;\n"
    "@%p23 bra LBB0_21;\n"
    "setp.ne.s32 %p24, %r81, 1;\n"
    "@%p24 bra LBB0_22;\n"
    "ld.global.nc.u8 %rs5, [%rd33];\n"
    "cvt.u64.u16 %rd91, %rs5;\n"
    "and.b64 %rd189, %rd91, 255;\n"
    "bra.uni LBB0_26;\n"
    "LBB0_3:\n"
    "and.b64 %rd59, %rd17, -4294967296;\n"
    "setp.ne.s64 %p10, %rd59, 0;\n"
    "@%p10 bra LBB0_5;\n"
    "bra.uni LBB0_4;\n"
    "LBB0_5:\n"
    "div.u64 %rd183, %rd17, %rd2;\n"
    "bra.uni LBB0_6;\n"
    "LBB0_4:\n"
    "cvt.u32.u64 %r83, %rd2;\n"
    "cvt.u32.u64 %r84, %rd17;\n"
    "div.u32 %r85, %r84, %r83;\n"
    "cvt.u64.u32 %rd183, %r85;\n"
    "LBB0_6:\n"
    "cvt.u32.u64 %r87, %rd183;\n"
    "setp.gt.u32 %p12, %r2, %r87;\n"
    "selp.b32 %r261, %r87, 0, %p12;\n"
    "cvt.u64.u32 %rd22, %r261;\n"
    "mov.u32 %r259, 0;\n"
    "setp.eq.s32 %p39, %r4, 0;\n"
    "mov.u32 %r258, %r3;\n"
    "@%p6 bra LBB0_8;\n"
    "shl.b64 %rd65, %rd22, 2;\n"
    "add.s64 %rd66, %rd10, %rd65;\n"
    "ld.global.nc.u32 %r88, [%rd66];\n"
    "max.s32 %r89, %r88, 0;\n"
    "min.u32 %r258, %r89, %r3;\n"
    "sub.s32 %r90, %r3, %r258;\n"
    "selp.b32 %r259, 0, %r90, %p39;\n"
    "LBB0_8:\n"
    "setp.eq.s32 %p14, %r7, 0;\n"
    "mov.u64 %rd189, %rd190;\n"
    "@%p14 bra LBB0_26;\n"
    "mul.lo.s64 %rd62, %rd183, %rd2;\n"
    "sub.s64 %rd63, %rd17, %rd62;\n"
    "cvt.u32.u64 %r260, %rd63;\n"
    "mul.lo.s64 %rd64, %rd22, %rd2;\n"
    "add.s64 %rd187, %rd12, %rd64;\n"
    "mov.u32 %r252, 0;\n"
    "mov.u64 %rd189, 0;\n"
    "mov.u32 %r251, -64;\n"
    "mov.u64 %rd190, %rd189;\n"
    "bra.uni LBB0_10;\n"
    "LBB0_17:\n"
    "setp.lt.u32 %p17, %r252, 8;\n"
    "selp.b64 %rd80, %rd79, 0, %p17;\n"
    "or.b64 %rd189, %rd80, %rd189;\n"
    "shl.b64 %rd81, %rd78, %r251;\n"
    "selp.b64 %rd82, 0, %rd81, %p17;\n"
    "or.b64 %rd190, %rd82, %rd190;\n"
    "add.s32 %r252, %r252, 1;\n"
    "add.s32 %r251, %r251, 8;\n"
    "setp.eq.s32 %p22, %r7, %r252;\n"
    "@%p22 bra LBB0_26;\n"
    "LBB0_10:\n"
    "sub.s32 %r20, %r260, %r259;\n"
    "setp.ge.u32 %p15, %r20, %r258;\n"
    "mov.u32 %r257, %r5;\n"
    "@%p15 bra LBB0_14;\n"
    "cvta.global.u64 %rd27, %rd187;\n"
    "mov.u64 %rd69, 0;\n"
    "cvta.to.global.u64 %rd70, %rd69;\n"
    "setp.eq.s64 %p16, %rd14, %rd70;\n"
    "@%p16 bra LBB0_13;\n"
    "not.b32 %r93, %r20;\n"
    "add.s32 %r94, %r258, %r259;\n"
    "add.s32 %r95, %r94, %r93;\n"
    "cvt.u64.u32 %rd71, %r95;\n"
    "add.s64 %rd72, %rd27, %rd71;\n"
    "ld.global.nc.u8 %rs1, [%rd72];\n"
    "cvt.u64.u16 %rd73, %rs1;\n"
    "and.b64 %rd74, %rd73, 255;\n"
    "add.s64 %rd75, %rd13, %rd74;\n"
    "ld.global.nc.u8 %rs2, [%rd75];\n"
    "cvt.u32.u16 %r96, %rs2;\n"
    "and.b32 %r257, %r96, 255;\n"
    "bra.uni LBB0_14;\n"
    "LBB0_13:\n"
    "cvt.u64.u32 %rd76, %r260;\n"
    "add.s64 %rd77, %rd27, %rd76;\n"
    "ld.global.nc.u8 %rs3, [%rd77];\n"
    "cvt.u32.u16 %r97, %rs3;\n"
    "and.b32 %r257, %r97, 255;\n"
    "LBB0_14:\n"
    "cvt.u64.u32 %rd78, %r257;\n"
    "add.s32 %r98, %r251, 64;\n"
    "shl.b64 %rd79, %rd78, %r98;\n"
    "add.s32 %r260, %r260, 1;\n"
    "setp.ne.s32 %p18, %r260, %r3;\n"
    "@%p18 bra LBB0_17;\n"
    "mov.u64 %rd83, 0;\n"
    "cvta.to.global.u64 %rd84, %rd83;\n"
    "setp.eq.s64 %p19, %rd11, %rd84;\n"
    "add.s32 %r100, %r261, 1;\n"
    "setp.lt.u32 %p20, %r100, %r2;\n"
    "selp.b32 %r261, %r100, 0, %p20;\n"
    "cvt.u64.u32 %rd30, %r261;\n"
    "mul.lo.s64 %rd85, %rd30, %rd2;\n"
    "add.s64 %rd187, %rd12, %rd85;\n"
    "mov.u32 %r260, 0;\n"
    "mov.u32 %r258, %r3;\n"
    "mov.u32 %r259, %r260;\n"
    "@%p19 bra LBB0_17;\n"
    "shl.b64 %rd86, %rd30, 2;\n"
    "add.s64 %rd87, %rd10, %rd86;\n"
    "ld.global.nc.u32 %r102, [%rd87];\n"
    "max.s32 %r103, %r102, 0;\n"
    "min.u32 %r258, %r103, %r3;\n"
    "sub.s32 %r104, %r3, %r258;\n"
    "selp.b32 %r259, 0, %r104, %p39;\n"
    "bra.uni LBB0_17;\n"
    "LBB0_21:\n"
    "ld.global.nc.u16 %rs4, [%rd33];\n"
    "cvt.u64.u16 %rd189, %rs4;\n"
    "bra.uni LBB0_26;\n"
    "LBB0_22:\n"
    "setp.lt.u32 %p25, %r81, 5;\n"
    "ld.global.nc.u32 %r107, [%rd33];\n"
    "cvt.u64.u32 %rd189, %r107;\n"
    "@%p25 bra LBB0_24;\n"
    "add.s64 %rd37, %rd33, 4;\n"
    "ld.global.nc.u32 %r108, [%rd37];\n"
    "cvt.u64.u32 %rd92, %r108;\n"
    "shl.b64 %rd93, %rd92, 32;\n"
    "or.b64 %rd189, %rd93, %rd189;\n"
    "LBB0_24:\n"
    "setp.lt.u32 %p26, %r81, 9;\n"
    "@%p26 bra LBB0_26;\n"
    "ld.global.nc.u32 %r110, [%rd33+8];\n"
    "cvt.u64.u32 %rd95, %r110;\n"
    "ld.global.nc.u32 %r111, [%rd33+12];\n"
    "cvt.u64.u32 %rd96, %r111;\n"
    "shl.b64 %rd97, %rd96, 32;\n"
    "or.b64 %rd190, %rd97, %rd95;\n"
    "LBB0_26:\n"
    "shl.b64 %rd58, %rd182, 4;\n"
    "add.s64 %rd18, %rd9, %rd58;\n"
    "@%p8 bra LBB0_33;\n"
    "setp.eq.s32 %p33, %r7, 0;\n"
    "@%p33 bra LBB0_44;\n"
    "mov.u32 %r262, 0;\n"
    "mov.u32 %r263, %r262;\n"
    "bra.uni LBB0_29;\n"
    "LBB0_32:\n"
    "add.s32 %r263, %r263, 1;\n"
    "add.s32 %r262, %r262, %r1;\n"
    "setp.eq.s32 %p37, %r263, %r7;\n"
    "@%p37 bra LBB0_44;\n"
    "LBB0_29:\n"
    "@%p34 bra LBB0_32;\n"
    "setp.lt.u32 %p35, %r263, 8;\n"
    "selp.b64 %rd176, %rd189, %rd190, %p35;\n"
    "shl.b32 %r243, %r263, 3;\n"
    "add.s32 %r244, %r243, -64;\n"
    "selp.b32 %r245, %r243, %r244, %p35;\n"
    "shr.u64 %rd177, %rd176, %r245;\n"
    "cvt.u32.u64 %r246, %rd177;\n"
    "and.b32 %r247, %r246, 255;\n"
    "mul.lo.s32 %r248, %r247, %r1;\n"
    "cvt.u64.u32 %rd178, %r248;\n"
    "add.s64 %rd179, %rd7, %rd178;\n"
    "cvta.global.u64 %rd191, %rd179;\n"
    "mov.u32 %r264, %r262;\n"
    "mov.u32 %r265, %r1;\n"
    "LBB0_31:\n"
    "ld.global.nc.u8 %rs34, [%rd191];\n"
    "cvt.u64.u32 %rd180, %r264;\n"
    "add.s64 %rd181, %rd18, %rd180;\n"
    "st.global.u8 [%rd181], %rs34;\n"
    "add.s32 %r265, %r265, -1;\n"
    "add.s32 %r264, %r264, 1;\n"
    "add.s64 %rd191, %rd191, 1;\n"
    "setp.eq.s32 %p36, %r265, 0;\n"
    "@%p36 bra LBB0_32;\n"
    "bra.uni LBB0_31;\n"
    "LBB0_33:\n"
    "@%p28 bra LBB0_37;\n"
    "@%p31 bra LBB0_41;\n"
    "@%p32 bra LBB0_36;\n"
    "bra.uni LBB0_42;\n"
    "LBB0_36:\n"
    "cvt.u32.u64 %r145, %rd189;\n"
    "and.b32 %r146, %r145, 255;\n"
    "mul.lo.s32 %r147, %r146, %r1;\n"
    "cvt.u64.u32 %rd118, %r147;\n"
    "add.s64 %rd119, %rd6, %rd118;\n"
    "ld.global.nc.u32 %r269, [%rd119];\n"
    "bfe.u32 %r148, %r145, 8, 8;\n"
    "mul.lo.s32 %r149, %r148, %r1;\n"
    "cvt.u64.u32 %rd120, %r149;\n"
    "add.s64 %rd121, %rd6, %rd120;\n"
    "ld.global.nc.u32 %r268, [%rd121];\n"
    "bfe.u32 %r150, %r145, 16, 8;\n"
    "mul.lo.s32 %r151, %r150, %r1;\n"
    "cvt.u64.u32 %rd122, %r151;\n"
    "add.s64 %rd123, %rd6, %rd122;\n"
    "ld.global.nc.u32 %r267, [%rd123];\n"
    "shr.u32 %r152, %r145, 24;\n"
    "mul.lo.s32 %r153, %r152, %r1;\n"
    "cvt.u64.u32 %rd124, %r153;\n"
    "add.s64 %rd125, %rd6, %rd124;\n"
    "ld.global.nc.u32 %r266, [%rd125];\n"
    "bra.uni LBB0_43;\n"
    "LBB0_37:\n"
    "setp.eq.s32 %p29, %r6, 3;\n"
    "@%p29 bra LBB0_40;\n"
    "setp.ne.s32 %p30, %r6, 7;\n"
    "@%p30 bra LBB0_42;\n"
    "cvt.u32.u64 %r159, %rd189;\n"
    "and.b32 %r160, %r159, 255;\n"
    "mul.lo.s32 %r161, %r160, %r1;\n"
    "cvt.u64.u32 %rd134, %r161;\n"
    "add.s64 %rd135, %rd6, %rd134;\n"
    "ld.global.nc.v4.u32 {%r269, %r268, %r267, %r266}, [%rd135];\n"
    "bra.uni LBB0_43;\n"
    "LBB0_41:\n"
    "cvt.u32.u64 %r113, %rd189;\n"
    "and.b32 %r114, %r113, 255;\n"
    "mul.lo.s32 %r115, %r114, %r1;\n"
    "cvt.u64.u32 %rd98, %r115;\n"
    "add.s64 %rd99, %rd6, %rd98;\n"
    "ld.global.nc.u16 %rs6, [%rd99];\n"
    "cvt.u32.u16 %r116, %rs6;\n"
    "bfe.u32 %r117, %r113, 8, 8;\n"
    "mul.lo.s32 %r118, %r117, %r1;\n"
    "cvt.u64.u32 %rd100, %r118;\n"
    "add.s64 %rd101, %rd6, %rd100;\n"
    "ld.global.nc.u16 %rs7, [%rd101];\n"
    "cvt.u32.u16 %r119, %rs7;\n"
    "shl.b32 %r120, %r119, 16;\n"
    "or.b32 %r269, %r120, %r116;\n"
    "bfe.u32 %r121, %r113, 16, 8;\n"
    "mul.lo.s32 %r122, %r121, %r1;\n"
    "cvt.u64.u32 %rd102, %r122;\n"
    "add.s64 %rd103, %rd6, %rd102;\n"
    "ld.global.nc.u16 %rs8, [%rd103];\n"
    "cvt.u32.u16 %r123, %rs8;\n"
    "shr.u32 %r124, %r113, 24;\n"
    "mul.lo.s32 %r125, %r124, %r1;\n"
    "cvt.u64.u32 %rd104, %r125;\n"
    "add.s64 %rd105, %rd6, %rd104;\n"
    "ld.global.nc.u16 %rs9, [%rd105];\n"
    "cvt.u32.u16 %r126, %rs9;\n"
    "shl.b32 %r127, %r126, 16;\n"
    "or.b32 %r268, %r127, %r123;\n"
    "shr.u64 %rd106, %rd189, 32;\n"
    "cvt.u32.u64 %r128, %rd106;\n"
    "and.b32 %r129, %r128, 255;\n"
    "mul.lo.s32 %r130, %r129, %r1;\n"
    "cvt.u64.u32 %rd107, %r130;\n"
    "add.s64 %rd108, %rd6, %rd107;\n"
    "ld.global.nc.u16 %rs10, [%rd108];\n"
    "cvt.u32.u16 %r131, %rs10;\n"
    "shr.u64 %rd109, %rd189, 40;\n"
    "cvt.u32.u64 %r132, %rd109;\n"
    "and.b32 %r133, %r132, 255;\n"
    "mul.lo.s32 %r134, %r133, %r1;\n"
    "cvt.u64.u32 %rd110, %r134;\n"
    "add.s64 %rd111, %rd6, %rd110;\n"
    "ld.global.nc.u16 %rs11, [%rd111];\n"
    "cvt.u32.u16 %r135, %rs11;\n"
    "shl.b32 %r136, %r135, 16;\n"
    "or.b32 %r267, %r136, %r131;\n"
    "shr.u64 %rd112, %rd189, 48;\n"
    "cvt.u32.u64 %r137, %rd112;\n"
    "and.b32 %r138, %r137, 255;\n"
    "mul.lo.s32 %r139, %r138, %r1;\n"
    "cvt.u64.u32 %rd113, %r139;\n"
    "add.s64 %rd114, %rd6, %rd113;\n"
    "ld.global.nc.u16 %rs12, [%rd114];\n"
    "cvt.u32.u16 %r140, %rs12;\n"
    "shr.u64 %rd115, %rd189, 56;\n"
    "cvt.u32.u64 %r141, %rd115;\n"
    "mul.lo.s32 %r142, %r1, %r141;\n"
    "cvt.u64.u32 %rd116, %r142;\n"
    "add.s64 %rd117, %rd6, %rd116;\n"
    "ld.global.nc.u16 %rs13, [%rd117];\n"
    "cvt.u32.u16 %r143, %rs13;\n"
    "shl.b32 %r144, %r143, 16;\n"
    "or.b32 %r266, %r144, %r140;\n"
    "bra.uni LBB0_43;\n"
    "LBB0_40:\n"
    "cvt.u32.u64 %r154, %rd189;\n"
    "and.b32 %r155, %r154, 255;\n"
    "mul.lo.s32 %r156, %r155, %r1;\n"
    "cvt.u64.u32 %rd126, %r156;\n"
    "add.s64 %rd127, %rd6, %rd126;\n"
    "ld.global.nc.u64 %rd128, [%rd127];\n"
    "cvt.u32.u64 %r269, %rd128;\n"
    "shr.u64 %rd129, %rd128, 32;\n"
    "cvt.u32.u64 %r268, %rd129;\n"
    "bfe.u32 %r157, %r154, 8, 8;\n"
    "mul.lo.s32 %r158, %r157, %r1;\n"
    "cvt.u64.u32 %rd130, %r158;\n"
    "add.s64 %rd131, %rd6, %rd130;\n"
    "ld.global.nc.u64 %rd132, [%rd131];\n"
    "cvt.u32.u64 %r267, %rd132;\n"
    "shr.u64 %rd133, %rd132, 32;\n"
    "cvt.u32.u64 %r266, %rd133;\n"
    "bra.uni LBB0_43;\n"
    "LBB0_45:\n"
    "ret;\n"
    "}\n"
    ".visible .entry bsi_cuda_kernels_planes(\n"
    ".param .align 8 .b8 bsi_cuda_kernels_planes_param_0[72]\n"
    ")\n"
    ".maxntid 256, 1, 1\n"
    "{\n"
    ".reg .pred %p<31>;\n"
    ".reg .b16 %rs<34>;\n"
    ".reg .b32 %r<255>;\n"
    ".reg .b64 %rd<196>;\n"
    "ld.param.v2.u32 {%r1, %r2}, [bsi_cuda_kernels_planes_param_0+48];\n"
    "mul.lo.s32 %r3, %r2, %r1;\n"
    "ld.param.v2.u32 {%r4, %r58}, [bsi_cuda_kernels_planes_param_0+40];\n"
    "cvt.u64.u32 %rd2, %r58;\n"
    "mul.wide.u32 %rd49, %r3, %r4;\n"
    "mul.lo.s64 %rd50, %rd49, %rd2;\n"
    "add.s64 %rd51, %rd50, 15;\n"
    "shr.u64 %rd3, %rd51, 4;\n"
    "mov.u32 %r59, %ctaid.x;\n"
    "mul.wide.u32 %rd52, %r59, 256;\n"
    "mov.u32 %r60, %tid.x;\n"
    "cvt.u64.u32 %rd53, %r60;\n"
    "add.s64 %rd185, %rd52, %rd53;\n"
    "setp.ge.u64 %p1, %rd185, %rd3;\n"
    "@%p1 bra LBB1_39;\n"
    "mov.b64 %rd48, bsi_cuda_kernels_planes_param_0;\n"
    "mov.u64 %rd1, %rd48;\n"
    "cvt.u32.u64 %r61, %rd2;\n"
    "setp.gt.u32 %p2, %r2, 1;\n"
    "selp.s32 %r62, -1, 0, %p2;\n"
    "setp.gt.u32 %p3, %r2, 2;\n"
    "selp.s32 %r63, -1, 0, %p3;\n"
    "add.s32 %r64, %r62, %r63;\n"
    "setp.gt.u32 %p4, %r2, 4;\n"
    "selp.s32 %r65, -1, 0, %p4;\n"
    "add.s32 %r66, %r64, %r65;\n"
    "setp.gt.u32 %p5, %r2, 8;\n"
    "selp.s32 %r67, -1, 0, %p5;\n"
    "add.s32 %r5, %r66, %r67;\n"
    "add.s32 %r6, %r5, 4;\n"
    "mov.u32 %r68, 1;\n"
    "shl.b32 %r69, %r68, %r6;\n"
    "shr.u32 %r70, %r61, %r6;\n"
    "cvt.u64.u32 %rd5, %r70;\n"
    "cvt.u64.u32 %rd6, %r1;\n"
    "cvt.u64.u32 %rd7, %r69;\n"
    "ld.param.u64 %rd54, [%rd1+8];\n"
    "cvta.to.global.u64 %rd8, %rd54;\n"
    "ld.param.u64 %rd9, [%rd1+24];\n"
    "cvta.to.global.u64 %rd10, %rd9;\n"
    "ld.param.u64 %rd55, [%rd1];\n"
    "cvta.to.global.u64 %rd11, %rd55;\n"
    "ld.param.u32 %r7, [%rd1+60];\n"
    "ld.param.u32 %r8, [%rd1+64];\n"
    "ld.param.u64 %rd12, [%rd1+32];\n"
    "cvta.to.global.u64 %rd13, %rd12;\n"
    "add.s32 %r71, %r2, -2;\n"
    "shf.l.wrap.b32 %r9, %r71, %r71, 31;\n"
    "ld.param.u64 %rd56, [%rd1+16];\n"
    "cvta.to.global.u64 %rd14, %rd56;\n"
    "mov.u32 %r72, %nctaid.x;\n"
    "mul.wide.u32 %rd15, %r72, 256;\n"
    "setp.lt.u32 %p23, %r6, 3;\n"
    "setp.gt.u32 %p24, %r5, -5;\n"
    "setp.gt.s32 %p25, %r9, 2;\n"
    "setp.eq.s32 %p28, %r9, 0;\n"
    "bra.uni LBB1_2;\n"
    "LBB1_37:\n"
    "cvt.u32.u64 %r159, %rd194;\n"
    "and.b32 %r160, %r159, 255;\n"
    "mul.lo.s32 %r161, %r160, %r3;\n"
    "cvt.u64.u32 %rd143, %r161;\n"
    "add.s64 %rd144, %rd46, %rd143;\n"
    "ld.global.nc.u8 %rs14, [%rd144];\n"
    "cvt.u32.u16 %r162, %rs14;\n"
    "and.b32 %r163, %r162, 255;\n"
    "bfe.u32 %r164, %r159, 8, 8;\n"
    "mul.lo.s32 %r165, %r164, %r3;\n"
    "cvt.u64.u32 %rd145, %r165;\n"
    "add.s64 %rd146, %rd46, %rd145;\n"
    "ld.global.nc.u8 %rs15, [%rd146];\n"
    "and.b16 %rs16, %rs15, 255;\n"
    "mul.wide.u16 %r166, %rs16, 256;\n"
    "or.b32 %r167, %r166, %r163;\n"
    "bfe.u32 %r168, %r159, 16, 8;\n"
    "mul.lo.s32 %r169, %r168, %r3;\n"
    "cvt.u64.u32 %rd147, %r169;\n"
    "add.s64 %rd148, %rd46, %rd147;\n"
    "ld.global.nc.u8 %rs17, [%rd148];\n"
    "cvt.u32.u16 %r170, %rs17;\n"
    "and.b32 %r171, %r170, 255;\n"
    "shl.b32 %r172, %r171, 16;\n"
    "or.b32 %r173, %r172, %r167;\n"
    "shr.u32 %r174, %r159, 24;\n"
    "mul.lo.s32 %r175, %r174, %r3;\n"
    "cvt.u64.u32 %rd149, %r175;\n"
    "add.s64 %rd150, %rd46, %rd149;\n"
    "ld.global.nc.u8 %rs18, [%rd150];\n"
    "cvt.u32.u16 %r176, %rs18;\n"
    "shl.b32 %r177, %r176, 24;\n"
    "or.b32 %r254, %r177, %r173;\n"
    "shr.u64 %rd151, %rd194, 32;\n"
    "cvt.u32.u64 %r178, %rd151;\n"
    "and.b32 %r179, %r178, 255;\n"
    "mul.lo.s32 %r180, %r179, %r3;\n"
    "cvt.u64.u32 %rd152, %r180;\n"
    "add.s64 %rd153, %rd46, %rd152;\n"
    "ld.global.nc.u8 %rs19, [%rd153];\n"
    "cvt.u32.u16 %r181, %rs19;\n"
    "and.b32 %r182, %r181, 255;\n"
    "shr.u64 %rd154, %rd194, 40;\n"
    "cvt.u32.u64 %r183, %rd154;\n"
    "and.b32 %r184, %r183, 255;\n"
    "mul.lo.s32 %r185, %r184, %r3;\n"
    "cvt.u64.u32 %rd155, %r185;\n"
    "add.s64 %rd156, %rd46, %rd155;\n"
    "ld.global.nc.u8 %rs20, [%rd156];\n"
    "and.b16 %rs21, %rs20, 255;\n"
    "mul.wide.u16 %r186, %rs21, 256;\n"
    "or.b32 %r187, %r186, %r182;\n"
    "shr.u64 %rd157, %rd194, 48;\n"
    "cvt.u32.u64 %r188, %rd157;\n"
    "and.b32 %r189, %r188, 255;\n"
    "mul.lo.s32 %r190, %r189, %r3;\n"
    "cvt.u64.u32 %rd158, %r190;\n"
    "add.s64 %rd159, %rd46, %rd158;\n"
    "ld.global.nc.u8 %rs22, [%rd159];\n"
    "cvt.u32.u16 %r191, %rs22;\n"
    "and.b32 %r192, %r191, 255;\n"
    "shl.b32 %r193, %r192, 16;\n"
    "or.b32 %r194, %r193, %r187;\n"
    "shr.u64 %rd160, %rd194, 56;\n"
    "cvt.u32.u64 %r195, %rd160;\n"
    "mul.lo.s32 %r196, %r3, %r195;\n"
    "cvt.u64.u32 %rd161, %r196;\n"
    "add.s64 %rd162, %rd46, %rd161;\n"
    "ld.global.nc.u8 %rs23, [%rd162];\n"
    "cvt.u32.u16 %r197, %rs23;\n"
    "shl.b32 %r198, %r197, 24;\n"
    "or.b32 %r253, %r198, %r194;\n"
    "cvt.u32.u64 %r199, %rd195;\n"
    "and.b32 %r200, %r199, 255;\n"
    "mul.lo.s32 %r201, %r200, %r3;\n"
    "cvt.u64.u32 %rd163, %r201;\n"
    "add.s64 %rd164, %rd46, %rd163;\n"
    "ld.global.nc.u8 %rs24, [%rd164];\n"
    "cvt.u32.u16 %r202, %rs24;\n"
    "and.b32 %r203, %r202, 255;\n"
    "bfe.u32 %r204, %r199, 8, 8;\n"
    "mul.lo.s32 %r205, %r204, %r3;\n"
    "cvt.u64.u32 %rd165, %r205;\n"
    "add.s64 %rd166, %rd46, %rd165;\n"
    "ld.global.nc.u8 %rs25, [%rd166];\n"
    "and.b16 %rs26, %rs25, 255;\n"
    "mul.wide.u16 %r206, %rs26, 256;\n"
    "or.b32 %r207, %r206, %r203;\n"
    "bfe.u32 %r208, %r199, 16, 8;\n"
    "mul.lo.s32 %r209, %r208, %r3;\n"
    "cvt.u64.u32 %rd167, %r209;\n"
    "add.s64 %rd168, %rd46, %rd167;\n"
    "ld.global.nc.u8 %rs27, [%rd168];\n"
    "cvt.u32.u16 %r210, %rs27;\n"
    "and.b32 %r211, %r210, 255;\n"
    "shl.b32 %r212, %r211, 16;\n"
    "or.b32 %r213, %r212, %r207;\n"
    "shr.u32 %r214, %r199, 24;\n"
    "mul.lo.s32 %r215, %r214, %r3;\n"
    "cvt.u64.u32 %rd169, %r215;\n"
    "add.s64 %rd170, %rd46, %rd169;\n"
    "ld.global.nc.u8 %rs28, [%rd170];\n"
    "cvt.u32.u16 %r216, %rs28;\n"
    "shl.b32 %r217, %r216, 24;\n"
    "or.b32 %r252, %r217, %r213;\n"
    "shr.u64 %rd171, %rd195, 32;\n"
    "cvt.u32.u64 %r218, %rd171;\n"
    "and.b32 %r219, %r218, 255;\n"
    "mul.lo.s32 %r220, %r219, %r3;\n"
    "cvt.u64.u32 %rd172, %r220;\n"
    "add.s64 %rd173, %rd46, %rd172;\n"
    "ld.global.nc.u8 %rs29, [%rd173];\n"
    "cvt.u32.u16 %r221, %rs29;\n"
    "and.b32 %r222, %r221, 255;\n"
    "shr.u64 %rd174, %rd195, 40;\n"
    "cvt.u32.u64 %r223, %rd174;\n"
    "and.b32 %r224, %r223, 255;\n"
    "mul.lo.s32 %r225, %r224, %r3;\n"
    "cvt.u64.u32 %rd175, %r225;\n"
    "add.s64 %rd176, %rd46, %rd175;\n"
    "ld.global.nc.u8 %rs30, [%rd176];\n"
    "and.b16 %rs31, %rs30, 255;\n"
    "mul.wide.u16 %r226, %rs31, 256;\n"
    "or.b32 %r227, %r226, %r222;\n"
    "shr.u64 %rd177, %rd195, 48;\n"
    "cvt.u32.u64 %r228, %rd177;\n"
    "and.b32 %r229, %r228, 255;\n"
    "mul.lo.s32 %r230, %r229, %r3;\n"
    "cvt.u64.u32 %rd178, %r230;\n"
    "add.s64 %rd179, %rd46, %rd178;\n"
    "ld.global.nc.u8 %rs32, [%rd179];\n"
    "cvt.u32.u16 %r231, %rs32;\n"
    "and.b32 %r232, %r231, 255;\n"
    "shl.b32 %r233, %r232, 16;\n"
    "or.b32 %r234, %r233, %r227;\n"
    "shr.u64 %rd180, %rd195, 56;\n"
    "cvt.u32.u64 %r235, %rd180;\n"
    "mul.lo.s32 %r236, %r3, %r235;\n"
    "cvt.u64.u32 %rd181, %r236;\n"
    "add.s64 %rd182, %rd46, %rd181;\n"
    "ld.global.nc.u8 %rs33, [%rd182];\n"
    "cvt.u32.u16 %r237, %rs33;\n"
    "shl.b32 %r238, %r237, 24;\n"
    "or.b32 %r251, %r238, %r234;\n"
    "LBB1_38:\n"
    "shl.b64 %rd183, %rd185, 4;\n"
    "add.s64 %rd184, %rd14, %rd183;\n"
    "st.global.v4.u32 [%rd184], {%r254, %r253, %r252, %r251};\n"
    "add.s64 %rd185, %rd185, %rd15;\n"
    "setp.lt.u64 %p30, %rd185, %rd3;\n"
    "@%p30 bra LBB1_2;\n"
    "bra.uni LBB1_39;\n"
    "LBB1_2:\n"
    "and.b64 %rd57, %rd185, -4294967296;\n"
    "setp.ne.s64 %p6, %rd57, 0;\n"
    "@%p6 bra LBB1_4;\n"
    "bra.uni LBB1_3;\n"
    "LBB1_4:\n"
    "div.u64 %rd186, %rd185, %rd5;\n"
    "bra.uni LBB1_5;\n"
    "LBB1_3:\n"
    "cvt.u32.u64 %r73, %rd5;\n"
    "cvt.u32.u64 %r74, %rd185;\n"
    "div.u32 %r75, %r74, %r73;\n"
    "cvt.u64.u32 %rd186, %r75;\n"
    "LBB1_5:\n"
    "and.b64 %rd58, %rd186, -4294967296;\n"
    "setp.ne.s64 %p7, %rd58, 0;\n"
    "@%p7 bra LBB1_7;\n"
    "bra.uni LBB1_6;\n"
    "LBB1_7:\n"
    "div.u64 %rd187, %rd186, %rd6;\n"
    "bra.uni LBB1_8;\n"
    "LBB1_6:\n"
    "cvt.u32.u64 %r76, %rd6;\n"
    "cvt.u32.u64 %r77, %rd186;\n"
    "div.u32 %r78, %r77, %r76;\n"
    "cvt.u64.u32 %rd187, %r78;\n"
    "LBB1_8:\n"
    "mov.u64 %rd194, 0;\n"
    "cvta.to.global.u64 %rd60, %rd194;\n"
    "setp.eq.s64 %p8, %rd10, %rd60;\n"
    "mul.lo.s64 %rd61, %rd187, %rd2;\n"
    "mul.lo.s64 %rd62, %rd186, %rd5;\n"
    "sub.s64 %rd63, %rd185, %rd62;\n"
    "mul.lo.s64 %rd64, %rd63, %rd7;\n"
    "add.s64 %rd23, %rd64, %rd61;\n"
    "cvt.u32.u64 %r239, %rd7;\n"
    "@%p8 bra LBB1_20;\n"
    "and.b64 %rd65, %rd23, -4294967296;\n"
    "setp.ne.s64 %p9, %rd65, 0;\n"
    "@%p9 bra LBB1_11;\n"
    "bra.uni LBB1_10;\n"
    "LBB1_11:\n"
    "div.u64 %rd188, %rd23, %rd2;\n"
    "bra.uni LBB1_12;\n"
    "LBB1_20:\n"
    "add.s64 %rd91, %rd11, %rd23;\n"
    "cvta.global.u64 %rd36, %rd91;\n"
    "setp.eq.s32 %p21, %r239, 2;\n"
    "@%p21 bra LBB1_23;\n"
    "setp.ne.s32 %p22, %r239, 1;\n"
    "@%p22 bra LBB1_24;\n"
    "ld.global.nc.u8 %rs5, [%rd36];\n"
    "cvt.u64.u16 %rd94, %rs5;\n"
    "and.b64 %rd194, %rd94, 255;\n"
    "mov.u64 %rd195, 0;\n"
    "bra.uni LBB1_28;\n"
    "LBB1_10:\n"
    "cvt.u32.u64 %r80, %rd23;\n"
    "div.u32 %r81, %r80, %r61;\n"
    "cvt.u64.u32 %rd188, %r81;\n"
    "LBB1_12:\n"
    "setp.eq.s32 %p10, %r7, 0;\n"
    "cvt.u32.u64 %r85, %rd188;\n"
    "mul.lo.s64 %rd67, %rd188, %rd2;\n"
    "sub.s64 %rd68, %rd23, %rd67;\n"
    "cvt.u32.u64 %r243, %rd68;\n"
    "setp.gt.u32 %p11, %r4, %r85;\n"
    "selp.b32 %r250, %r85, 0, %p11;\n"
    "cvt.u64.u32 %rd69, %r250;\n"
    "mul.lo.s64 %rd70, %rd69, %rd2;\n"
    "add.s64 %rd192, %rd11, %rd70;\n"
    "mul.wide.u32 %rd71, %r250, 4;\n"
    "add.s64 %rd72, %rd9, %rd71;\n"
    "ld.global.nc.u32 %r86, [%rd72];\n"
    "max.s32 %r87, %r86, 0;\n"
    "setp.lt.u32 %p12, %r87, %r61;\n"
    "selp.b32 %r247, %r87, %r61, %p12;\n"
    "sub.s32 %r88, %r61, %r247;\n"
    "selp.b32 %r248, 0, %r88, %p10;\n"
    "mov.u32 %r241, 0;\n"
    "mov.u32 %r240, -64;\n"
    "mov.u64 %rd195, %rd194;\n"
    "bra.uni LBB1_13;\n"
    "LBB1_19:\n"
    "setp.lt.u32 %p15, %r241, 8;\n"
    "selp.b64 %rd84, %rd83, 0, %p15;\n"
    "or.b64 %rd194, %rd84, %rd194;\n"
    "shl.b64 %rd85, %rd82, %r240;\n"
    "selp.b64 %rd86, 0, %rd85, %p15;\n"
    "or.b64 %rd195, %rd86, %rd195;\n"
    "add.s32 %r241, %r241, 1;\n"
    "add.s32 %r240, %r240, 8;\n"
    "setp.eq.s32 %p20, %r239, %r241;\n"
    "@%p20 bra LBB1_28;\n"
    "LBB1_13:\n"
    "sub.s32 %r20, %r243, %r248;\n"
    "setp.ge.u32 %p13, %r20, %r247;\n"
    "mov.u32 %r246, %r8;\n"
    "@%p13 bra LBB1_17;\n"
    "cvta.global.u64 %rd31, %rd192;\n"
    "mov.u64 %rd73, 0;\n"
    "cvta.to.global.u64 %rd74, %rd73;\n"
    "setp.eq.s64 %p14, %rd13, %rd74;\n"
    "@%p14 bra LBB1_16;\n"
    "not.b32 %r89, %r20;\n"
    "add.s32 %r90, %r247, %r248;\n"
    "add.s32 %r91, %r90, %r89;\n"
    "cvt.u64.u32 %rd75, %r91;\n"
    "add.s64 %rd76, %rd31, %rd75;\n"
    "ld.global.nc.u8 %rs1, [%rd76];\n"
    "cvt.u64.u16 %rd77, %rs1;\n"
    "and.b64 %rd78, %rd77, 255;\n"
    "add.s64 %rd79, %rd12, %rd78;\n"
    "ld.global.nc.u8 %rs2, [%rd79];\n"
    "cvt.u32.u16 %r92, %rs2;\n"
    "and.b32 %r246, %r92, 255;\n"
    "bra.uni LBB1_17;\n"
    "LBB1_16:\n"
    "cvt.u64.u32 %rd80, %r243;\n"
    "add.s64 %rd81, %rd31, %rd80;\n"
    "ld.global.nc.u8 %rs3, [%rd81];\n"
    "cvt.u32.u16 %r93, %rs3;\n"
    "and.b32 %r246, %r93, 255;\n"
    "LBB1_17:\n"
    "cvt.u64.u32 %rd82, %r246;\n"
    "add.s32 %r95, %r240, 64;\n"
    "shl.b64 %rd83, %rd82, %r95;\n"
    "add.s32 %r243, %r243, 1;\n"
    "setp.ne.s32 %p16, %r243, %r61;\n"
    "@%p16 bra LBB1_19;\n"
    "add.s32 %r98, %r250, 1;\n"
    "setp.lt.u32 %p18, %r98, %r4;\n"
    "selp.b32 %r250, %r98, 0, %p18;\n"
    "cvt.u64.u32 %rd87, %r250;\n"
    "mul.lo.s64 %rd88, %rd87, %rd2;\n"
    "add.s64 %rd192, %rd11, %rd88;\n"
    "mul.wide.u32 %rd89, %r250, 4;\n"
    "add.s64 %rd90, %rd9, %rd89;\n"
    "ld.global.nc.u32 %r99, [%rd90];\n"
    "max.s32 %r100, %r99, 0;\n"
    "setp.lt.u32 %p19, %r100, %r61;\n"
    "selp.b32 %r247, %r100, %r61, %p19;\n"
    "sub.s32 %r101, %r61, %r247;\n"
    "selp.b32 %r248, 0, %r101, %p10;\n"
    "mov.u32 %r243, 0;\n"
    "bra.uni LBB1_19;\n"
    "LBB1_23:\n"
    "ld.global.nc.u16 %rs4, [%rd36];\n"
    "cvt.u64.u16 %rd194, %rs4;\n"
    "mov.u64 %rd195, 0;\n"
    "bra.uni LBB1_28;\n"
    "LBB1_24:\n"
    "ld.global.nc.u32 %r104, [%rd36];\n"
    "cvt.u64.u32 %rd194, %r104;\n"
    "@%p23 bra LBB1_26;\n"
    "add.s64 %rd40, %rd36, 4;\n"
    "ld.global.nc.u32 %r105, [%rd40];\n"
    "cvt.u64.u32 %rd95, %r105;\n"
    "shl.b64 %rd96, %rd95, 32;\n"
    "or.b64 %rd194, %rd96, %rd194;\n"
    "LBB1_26:\n"
    "mov.u64 %rd195, 0;\n"
    "@%p24 bra LBB1_28;\n"
    "ld.global.nc.u32 %r106, [%rd36+8];\n"
    "cvt.u64.u32 %rd98, %r106;\n"
    "ld.global.nc.u32 %r107, [%rd36+12];\n"
    "cvt.u64.u32 %rd99, %r107;\n"
    "shl.b64 %rd100, %rd99, 32;\n"
    "or.b64 %rd195, %rd100, %rd98;\n"
    "LBB1_28:\n"
    "mul.lo.s64 %rd101, %rd187, %rd6;\n"
    "sub.s64 %rd102, %rd186, %rd101;\n"
    "cvt.u32.u64 %r108, %rd102;\n"
    "mul.lo.s32 %r109, %r2, %r108;\n"
    "cvt.u64.u32 %rd103, %r109;\n"
    "add.s64 %rd104, %rd8, %rd103;\n"
    "cvta.global.u64 %rd46, %rd104;\n"
    "@%p25 bra LBB1_32;\n"
    "@%p28 bra LBB1_36;\n"
    "setp.eq.s32 %p29, %r9, 1;\n"
    "@%p29 bra LBB1_31;\n"
    "bra.uni LBB1_37;\n"
    "LBB1_31:\n"
    "cvt.u32.u64 %r142, %rd194;\n"
    "and.b32 %r143, %r142, 255;\n"
    "mul.lo.s32 %r144, %r143, %r3;\n"
    "cvt.u64.u32 %rd125, %r144;\n"
    "add.s64 %rd126, %rd46, %rd125;\n"
    "ld.global.nc.u32 %r254, [%rd126];\n"
    "bfe.u32 %r145, %r142, 8, 8;\n"
    "mul.lo.s32 %r146, %r145, %r3;\n"
    "cvt.u64.u32 %rd127, %r146;\n"
    "add.s64 %rd128, %rd46, %rd127;\n"
    "ld.global.nc.u32 %r253, [%rd128];\n"
    "bfe.u32 %r147, %r142, 16, 8;\n"
    "mul.lo.s32 %r148, %r147, %r3;\n"
    "cvt.u64.u32 %rd129, %r148;\n"
    "add.s64 %rd130, %rd46, %rd129;\n"
    "ld.global.nc.u32 %r252, [%rd130];\n"
    "shr.u32 %r149, %r142, 24;\n"
    "mul.lo.s32 %r150, %r149, %r3;\n"
    "cvt.u64.u32 %rd131, %r150;\n"
    "add.s64 %rd132, %rd46, %rd131;\n"
    "ld.global.nc.u32 %r251, [%rd132];\n"
    "bra.uni LBB1_38;\n"
    "LBB1_32:\n"
    "setp.eq.s32 %p26, %r9, 3;\n"
    "@%p26 bra LBB1_35;\n"
    "setp.ne.s32 %p27, %r9, 7;\n"
    "@%p27 bra LBB1_37;\n"
    "cvt.u32.u64 %r156, %rd194;\n"
    "and.b32 %r157, %r156, 255;\n"
    "mul.lo.s32 %r158, %r157, %r3;\n"
    "cvt.u64.u32 %rd141, %r158;\n"
    "add.s64 %rd142, %rd46, %rd141;\n"
    "ld.global.nc.v4.u32 {%r254, %r253, %r252, %r251}, [%rd142];\n"
    "bra.uni LBB1_38;\n"
    "LBB1_36:\n"
    "cvt.u32.u64 %r110, %rd194;\n"
    "and.b32 %r111, %r110, 255;\n"
    "mul.lo.s32 %r112, %r111, %r3;\n"
    "cvt.u64.u32 %rd105, %r112;\n"
    "add.s64 %rd106, %rd46, %rd105;\n"
    "ld.global.nc.u16 %rs6, [%rd106];\n"
    "cvt.u32.u16 %r113, %rs6;\n"
    "bfe.u32 %r114, %r110, 8, 8;\n"
    "mul.lo.s32 %r115, %r114, %r3;\n"
    "cvt.u64.u32 %rd107, %r115;\n"
    "add.s64 %rd108, %rd46, %rd107;\n"
    "ld.global.nc.u16 %rs7, [%rd108];\n"
    "cvt.u32.u16 %r116, %rs7;\n"
    "shl.b32 %r117, %r116, 16;\n"
    "or.b32 %r254, %r117, %r113;\n"
    "bfe.u32 %r118, %r110, 16, 8;\n"
    "mul.lo.s32 %r119, %r118, %r3;\n"
    "cvt.u64.u32 %rd109, %r119;\n"
    "add.s64 %rd110, %rd46, %rd109;\n"
    "ld.global.nc.u16 %rs8, [%rd110];\n"
    "cvt.u32.u16 %r120, %rs8;\n"
    "shr.u32 %r121, %r110, 24;\n"
    "mul.lo.s32 %r122, %r121, %r3;\n"
    "cvt.u64.u32 %rd111, %r122;\n"
    "add.s64 %rd112, %rd46, %rd111;\n"
    "ld.global.nc.u16 %rs9, [%rd112];\n"
    "cvt.u32.u16 %r123, %rs9;\n"
    "shl.b32 %r124, %r123, 16;\n"
    "or.b32 %r253, %r124, %r120;\n"
    "shr.u64 %rd113, %rd194, 32;\n"
    "cvt.u32.u64 %r125, %rd113;\n"
    "and.b32 %r126, %r125, 255;\n"
    "mul.lo.s32 %r127, %r126, %r3;\n"
    "cvt.u64.u32 %rd114, %r127;\n"
    "add.s64 %rd115, %rd46, %rd114;\n"
    "ld.global.nc.u16 %rs10, [%rd115];\n"
    "cvt.u32.u16 %r128, %rs10;\n"
    "shr.u64 %rd116, %rd194, 40;\n"
    "cvt.u32.u64 %r129, %rd116;\n"
    "and.b32 %r130, %r129, 255;\n"
    "mul.lo.s32 %r131, %r130, %r3;\n"
    "cvt.u64.u32 %rd117, %r131;\n"
    "add.s64 %rd118, %rd46, %rd117;\n"
    "ld.global.nc.u16 %rs11, [%rd118];\n"
    "cvt.u32.u16 %r132, %rs11;\n"
    "shl.b32 %r133, %r132, 16;\n"
    "or.b32 %r252, %r133, %r128;\n"
    "shr.u64 %rd119, %rd194, 48;\n"
    "cvt.u32.u64 %r134, %rd119;\n"
    "and.b32 %r135, %r134, 255;\n"
    "mul.lo.s32 %r136, %r135, %r3;\n"
    "cvt.u64.u32 %rd120, %r136;\n"
    "add.s64 %rd121, %rd46, %rd120;\n"
    "ld.global.nc.u16 %rs12, [%rd121];\n"
    "cvt.u32.u16 %r137, %rs12;\n"
    "shr.u64 %rd122, %rd194, 56;\n"
    "cvt.u32.u64 %r138, %rd122;\n"
    "mul.lo.s32 %r139, %r3, %r138;\n"
    "cvt.u64.u32 %rd123, %r139;\n"
    "add.s64 %rd124, %rd46, %rd123;\n"
    "ld.global.nc.u16 %rs13, [%rd124];\n"
    "cvt.u32.u16 %r140, %rs13;\n"
    "shl.b32 %r141, %r140, 16;\n"
    "or.b32 %r251, %r141, %r137;\n"
    "bra.uni LBB1_38;\n"
    "LBB1_35:\n"
    "cvt.u32.u64 %r151, %rd194;\n"
    "and.b32 %r152, %r151, 255;\n"
    "mul.lo.s32 %r153, %r152, %r3;\n"
    "cvt.u64.u32 %rd133, %r153;\n"
    "add.s64 %rd134, %rd46, %rd133;\n"
    "ld.global.nc.u64 %rd135, [%rd134];\n"
    "cvt.u32.u64 %r254, %rd135;\n"
    "shr.u64 %rd136, %rd135, 32;\n"
    "cvt.u32.u64 %r253, %rd136;\n"
    "bfe.u32 %r154, %r151, 8, 8;\n"
    "mul.lo.s32 %r155, %r154, %r3;\n"
    "cvt.u64.u32 %rd137, %r155;\n"
    "add.s64 %rd138, %rd46, %rd137;\n"
    "ld.global.nc.u64 %rd139, [%rd138];\n"
    "cvt.u32.u64 %r252, %rd139;\n"
    "shr.u64 %rd140, %rd139, 32;\n"
    "cvt.u32.u64 %r251, %rd140;\n"
    "bra.uni LBB1_38;\n"
    "LBB1_39:\n"
    "ret;\n"
    "}\n"
    ".visible .entry bsi_cuda_kernels_any(\n"
    ".param .align 8 .b8 bsi_cuda_kernels_any_param_0[72]\n"
    ")\n"
    ".maxntid 256, 1, 1\n"
    "{\n"
    ".reg .pred %p<61>;\n"
    ".reg .b16 %rs<15>;\n"
    ".reg .b32 %r<356>;\n"
    ".reg .b64 %rd<185>;\n"
    "ld.param.v2.u32 {%r1, %r2}, [bsi_cuda_kernels_any_param_0+48];\n"
    "mul.lo.s32 %r152, %r2, %r1;\n"
    "ld.param.v2.u32 {%r153, %r3}, [bsi_cuda_kernels_any_param_0+40];\n"
    "cvt.u64.u32 %rd3, %r3;\n"
    "mul.wide.u32 %rd64, %r152, %r153;\n"
    "mul.lo.s64 %rd65, %rd64, %rd3;\n"
    "add.s64 %rd66, %rd65, 15;\n"
    "shr.u64 %rd4, %rd66, 4;\n"
    "mov.u32 %r154, %ctaid.x;\n"
    "mul.wide.u32 %rd67, %r154, 256;\n"
    "mov.u32 %r155, %tid.x;\n"
    "cvt.u64.u32 %rd6, %r155;\n"
    "add.s64 %rd171, %rd67, %rd6;\n"
    "setp.ge.u64 %p2, %rd171, %rd4;\n"
    "@%p2 bra LBB2_63;\n"
    "mov.b64 %rd63, bsi_cuda_kernels_any_param_0;\n"
    "mov.u64 %rd1, %rd63;\n"
    "cvt.u64.u32 %rd2, %r153;\n"
    "cvt.u64.u32 %rd5, %r154;\n"
    "mov.u32 %r156, %nctaid.x;\n"
    "mul.wide.u32 %rd8, %r156, 256;\n"
    "ld.param.u64 %rd68, [%rd1+16];\n"
    "cvta.to.global.u64 %rd9, %rd68;\n"
    "ld.param.v2.u32 {%r4, %r5}, [%rd1+56];\n"
    "ld.param.u64 %rd69, [%rd1];\n"
    "cvta.to.global.u64 %rd10, %rd69;\n"
    "ld.param.u64 %rd11, [%rd1+24];\n"
    "cvta.to.global.u64 %rd12, %rd11;\n"
    "setp.gt.u32 %p3, %r2, 1;\n"
    "selp.s64 %rd70, -1, 0, %p3;\n"
    "setp.gt.u32 %p4, %r2, 2;\n"
    "setp.gt.u32 %p5, %r2, 4;\n"
    "selp.s64 %rd71, -1, 0, %p5;\n"
    "setp.gt.u32 %p6, %r2, 8;\n"
    "selp.s64 %rd72, -1, 0, %p6;\n"
    "selp.b64 %rd73, 3, 4, %p4;\n"
    "add.s64 %rd74, %rd73, %rd70;\n"
    "add.s64 %rd75, %rd74, %rd71;\n"
    "add.s64 %rd13, %rd75, %rd72;\n"
    "mul.lo.s64 %rd76, %rd3, %rd2;\n"
    "cvt.u64.u32 %rd77, %r1;\n"
    "mul.lo.s64 %rd14, %rd76, %rd77;\n"
    "setp.eq.s32 %p7, %r4, 0;\n"
    "selp.b32 %r157, %r1, %r3, %p7;\n"
    "selp.b32 %r158, %r3, %r1, %p7;\n"
    "cvt.u64.u32 %rd15, %r157;\n"
    "cvt.u64.u32 %rd16, %r158;\n"
    "ld.param.u64 %rd17, [%rd1+8];\n"
    "ld.param.u32 %r6, [%rd1+64];\n"
    "ld.param.u64 %rd18, [%rd1+32];\n"
    "cvta.to.global.u64 %rd19, %rd18;\n"
    "shl.b64 %rd78, %rd5, 12;\n"
    "shl.b64 %rd79, %rd6, 4;\n"
    "add.s64 %rd80, %rd78, %rd79;\n"
    "add.s64 %rd170, %rd9, %rd80;\n"
    "mul.wide.u32 %rd21, %r156, 4096;\n"
    "setp.eq.s32 %p13, %r2, 4;\n"
    "setp.eq.s32 %p44, %r5, 0;\n"
    "setp.eq.s32 %p14, %r2, 2;\n"
    "bra.uni LBB2_2;\n"
    "LBB2_57:\n"
    "sub.s64 %rd25, %rd14, %rd24;\n"
    "shr.u64 %rd159, %rd25, %r159;\n"
    "setp.eq.s64 %p55, %rd159, 0;\n"
    "@%p55 bra LBB2_59;\n"
    "shl.b64 %rd81, %rd171, 4;\n"
    "add.s64 %rd26, %rd9, %rd81;\n"
    "st.global.v4.u32 [%rd26], {%r354, %r353, %r352, %r351};\n"
    "LBB2_62:\n"
    "add.s64 %rd171, %rd171, %rd8;\n"
    "add.s64 %rd170, %rd170, %rd21;\n"
    "setp.lt.u64 %p59, %rd171, %rd4;\n"
    "@%p59 bra LBB2_2;\n"
    "bra.uni LBB2_63;\n"
    "LBB2_2:\n"
    "cvt.u32.u64 %r159, %rd13;\n"
    "shl.b64 %rd24, %rd171, %r159;\n"
    "and.b64 %rd82, %rd24, -4294967296;\n"
    "setp.ne.s64 %p8, %rd82, 0;\n"
    "cvt.u32.u64 %r267, %rd15;\n"
    "@%p8 bra LBB2_4;\n"
    "bra.uni LBB2_3;\n"
    "LBB2_4:\n"
    "div.u64 %rd172, %rd24, %rd15;\n"
    "bra.uni LBB2_5;\n"
    "LBB2_59:\n"
    "cvt.u32.u64 %r254, %rd25;\n"
    "mul.lo.s32 %r149, %r2, %r254;\n"
    "setp.eq.s32 %p56, %r149, 0;\n"
    "@%p56 bra LBB2_62;\n"
    "cvt.u64.u32 %rd160, %r354;\n"
    "cvt.u64.u32 %rd161, %r353;\n"
    "shl.b64 %rd162, %rd161, 32;\n"
    "or.b64 %rd57, %rd162, %rd160;\n"
    "cvt.u64.u32 %rd163, %r352;\n"
    "cvt.u64.u32 %rd164, %r351;\n"
    "shl.b64 %rd165, %rd164, 32;\n"
    "or.b64 %rd58, %rd165, %rd163;\n"
    "mov.u32 %r355, 0;\n"
    "LBB2_61:\n"
    "cvt.u32.u64 %r256, %rd184;\n"
    "setp.lt.u32 %p57, %r256, 8;\n"
    "add.s32 %r257, %r355, -64;\n"
    "selp.b32 %r258, %r355, %r257, %p57;\n"
    "selp.b64 %rd167, %rd57, %rd58, %p57;\n"
    "shr.u64 %rd168, %rd167, %r258;\n"
    "add.s64 %rd169, %rd170, %rd184;\n"
    "st.global.u8 [%rd169], %rd168;\n"
    "add.s64 %rd184, %rd184, 1;\n"
    "cvt.u32.u64 %r259, %rd184;\n"
    "add.s32 %r355, %r355, 8;\n"
    "setp.ne.s32 %p58, %r149, %r259;\n"
    "@%p58 bra LBB2_61;\n"
    "bra.uni LBB2_62;\n"
    "LBB2_3:\n"
    "cvt.u32.u64 %r161, %rd24;\n"
    "div.u32 %r162, %r161, %r267;\n"
    "cvt.u64.u32 %rd172, %r162;\n"
    "LBB2_5:\n"
    "and.b64 %rd83, %rd172, -4294967296;\n"
    "setp.ne.s64 %p9, %rd83, 0;\n"
    "cvt.u32.u64 %r266, %rd16;\n"
    "@%p9 bra LBB2_7;\n"
    "bra.uni LBB2_6;\n"
    "LBB2_7:\n"
    "div.u64 %rd173, %rd172, %rd16;\n"
    "bra.uni LBB2_8;\n"
    "LBB2_6:\n"
    "cvt.u32.u64 %r164, %rd172;\n"
    "div.u32 %r165, %r164, %r266;\n"
    "cvt.u64.u32 %rd173, %r165;\n"
    "LBB2_8:\n"
    "cvt.u32.u64 %r167, %rd2;\n"
    "mov.u64 %rd184, 0;\n"
    "cvta.to.global.u64 %rd85, %rd184;\n"
    "setp.eq.s64 %p10, %rd12, %rd85;\n"
    "cvt.u32.u64 %r168, %rd173;\n"
    "setp.gt.u32 %p11, %r167, %r168;\n"
    "selp.b32 %r334, %r168, 0, %p11;\n"
    "cvt.u64.u32 %rd33, %r334;\n"
    "mov.u32 %r336, 0;\n"
    "mov.u32 %r335, %r3;\n"
    "@%p10 bra LBB2_10;\n"
    "shl.b64 %rd86, %rd33, 2;\n"
    "add.s64 %rd87, %rd11, %rd86;\n"
    "ld.global.nc.u32 %r169, [%rd87];\n"
    "max.s32 %r170, %r169, 0;\n"
    "min.u32 %r335, %r170, %r3;\n"
    "sub.s32 %r171, %r3, %r335;\n"
    "selp.b32 %r336, 0, %r171, %p44;\n"
    "LBB2_10:\n"
    "mul.lo.s64 %rd88, %rd33, %rd3;\n"
    "add.s64 %rd181, %rd10, %rd88;\n"
    "mul.lo.s64 %rd89, %rd173, %rd16;\n"
    "sub.s64 %rd90, %rd172, %rd89;\n"
    "cvt.u32.u64 %r330, %rd90;\n"
    "mul.lo.s64 %rd91, %rd172, %rd15;\n"
    "sub.s64 %rd92, %rd24, %rd91;\n"
    "cvt.u32.u64 %r331, %rd92;\n"
    "@%p13 bra LBB2_18;\n"
    "@%p14 bra LBB2_28;\n"
    "setp.ne.s32 %p15, %r2, 1;\n"
    "@%p15 bra LBB2_47;\n"
    "mov.u32 %r172, 0;\n"
    "mov.u32 %r311, %r172;\n"
    "mov.u32 %r353, %r172;\n"
    "mov.u32 %r351, %r172;\n"
    "mov.u32 %r319, %r172;\n"
    "bra.uni LBB2_14;\n"
    "LBB2_46:\n"
    "add.s32 %r319, %r319, 1;\n"
    "setp.eq.s32 %p25, %r319, 4;\n"
    "mov.u32 %r311, %r352;\n"
    "@%p25 bra LBB2_57;\n"
    "LBB2_14:\n"
    "mov.u32 %r352, %r351;\n"
    "mov.u32 %r354, %r353;\n"
    "mov.u32 %r353, %r311;\n"
    "mov.u32 %r320, %r172;\n"
    "mov.u32 %r351, %r172;\n"
    "bra.uni LBB2_15;\n"
    "LBB2_45:\n"
    "selp.b32 %r98, %r90, %r89, %p7;\n"
    "mad.lo.s32 %r189, %r329, %r1, %r98;\n"
    "cvt.u64.u32 %rd107, %r189;\n"
    "add.s64 %rd108, %rd17, %rd107;\n"
    "ld.global.nc.u8 %rs4, [%rd108];\n"
    "cvt.u32.u16 %r190, %rs4;\n"
    "and.b32 %r191, %r190, 255;\n"
    "shl.b32 %r192, %r191, %r320;\n"
    "or.b32 %r351, %r192, %r351;\n"
    "add.s32 %r320, %r320, 8;\n"
    "setp.ne.s32 %p24, %r320, 32;\n"
    "@%p24 bra LBB2_15;\n"
    "bra.uni LBB2_46;\n"
    "LBB2_15:\n"
    "mov.u32 %r90, %r331;\n"
    "mov.u32 %r89, %r330;\n"
    "selp.b32 %r97, %r89, %r90, %p7;\n"
    "sub.s32 %r99, %r97, %r336;\n"
    "setp.ge.u32 %p17, %r99, %r335;\n"
    "mov.u32 %r329, %r6;\n"
    "@%p17 bra LBB2_41;\n"
    "cvta.global.u64 %rd48, %rd181;\n"
    "setp.eq.s64 %p18, %rd19, %rd85;\n"
    "@%p18 bra LBB2_40;\n"
    "not.b32 %r174, %r99;\n"
    "add.s32 %r175, %r336, %r335;\n"
    "add.s32 %r176, %r175, %r174;\n"
    "cvt.u64.u32 %rd95, %r176;\n"
    "add.s64 %rd96, %rd48, %rd95;\n"
    "ld.global.nc.u8 %rs1, [%rd96];\n"
    "cvt.u64.u16 %rd97, %rs1;\n"
    "and.b64 %rd98, %rd97, 255;\n"
    "add.s64 %rd99, %rd18, %rd98;\n"
    "ld.global.nc.u8 %rs2, [%rd99];\n"
    "cvt.u32.u16 %r177, %rs2;\n"
    "and.b32 %r329, %r177, 255;\n"
    "bra.uni LBB2_41;\n"
    "LBB2_40:\n"
    "cvt.u64.u32 %rd100, %r97;\n"
    "add.s64 %rd101, %rd48, %rd100;\n"
    "ld.global.nc.u8 %rs3, [%rd101];\n"
    "cvt.u32.u16 %r178, %rs3;\n"
    "and.b32 %r329, %r178, 255;\n"
    "LBB2_41:\n"
    "add.s32 %r331, %r90, 1;\n"
    "setp.ne.s32 %p19, %r331, %r267;\n"
    "mov.u32 %r330, %r89;\n"
    "@%p19 bra LBB2_45;\n"
    "add.s32 %r330, %r89, 1;\n"
    "setp.ne.s32 %p20, %r330, %r266;\n"
    "mov.u32 %r331, 0;\n"
    "@%p20 bra LBB2_45;\n"
    "add.s32 %r184, %r334, 1;\n"
    "setp.lt.u32 %p22, %r184, %r167;\n"
    "selp.b32 %r334, %r184, 0, %p22;\n"
    "cvt.u64.u32 %rd49, %r334;\n"
    "mul.lo.s64 %rd104, %rd49, %rd3;\n"
    "add.s64 %rd181, %rd10, %rd104;\n"
    "mov.u32 %r330, 0;\n"
    "mov.u32 %r331, %r330;\n"
    "mov.u32 %r335, %r3;\n"
    "mov.u32 %r336, %r330;\n"
    "@%p10 bra LBB2_45;\n"
    "shl.b64 %rd105, %rd49, 2;\n"
    "add.s64 %rd106, %rd11, %rd105;\n"
    "ld.global.nc.u32 %r186, [%rd106];\n"
    "max.s32 %r187, %r186, 0;\n"
    "min.u32 %r335, %r187, %r3;\n"
    "sub.s32 %r188, %r3, %r335;\n"
    "selp.b32 %r336, 0, %r188, %p44;\n"
    "mov.u32 %r331, %r330;\n"
    "bra.uni LBB2_45;\n"
    "LBB2_28:\n"
    "mov.u32 %r193, 0;\n"
    "mov.u32 %r285, %r193;\n"
    "mov.u32 %r286, %r193;\n"
    "mov.u32 %r351, %r193;\n"
    "mov.u32 %r293, %r193;\n"
    "bra.uni LBB2_29;\n"
    "LBB2_39:\n"
    "add.s32 %r293, %r293, 1;\n"
    "setp.eq.s32 %p36, %r293, 4;\n"
    "mov.u32 %r285, %r353;\n"
    "mov.u32 %r286, %r352;\n"
    "@%p36 bra LBB2_57;\n"
    "LBB2_29:\n"
    "mov.u32 %r352, %r351;\n"
    "mov.u32 %r353, %r286;\n"
    "mov.u32 %r354, %r285;\n"
    "mov.pred %p60, -1;\n"
    "mov.u32 %r351, %r193;\n"
    "mov.u32 %r302, %r193;\n"
    "bra.uni LBB2_30;\n"
    "LBB2_38:\n"
    "selp.b32 %r60, %r51, %r50, %p7;\n"
    "mad.lo.s32 %r211, %r303, %r1, %r60;\n"
    "shl.b32 %r212, %r211, 1;\n"
    "cvt.u64.u32 %rd123, %r212;\n"
    "add.s64 %rd124, %rd17, %rd123;\n"
    "ld.global.nc.u16 %rs8, [%rd124];\n"
    "cvt.u32.u16 %r213, %rs8;\n"
    "shl.b32 %r214, %r213, %r302;\n"
    "or.b32 %r351, %r214, %r351;\n"
    "mov.u32 %r302, 16;\n"
    "mov.pred %p60, 0;\n"
    "@%p1 bra LBB2_30;\n"
    "bra.uni LBB2_39;\n"
    "LBB2_30:\n"
    "mov.pred %p1, %p60;\n"
    "mov.u32 %r51, %r331;\n"
    "mov.u32 %r50, %r330;\n"
    "selp.b32 %r59, %r50, %r51, %p7;\n"
    "sub.s32 %r61, %r59, %r336;\n"
    "setp.ge.u32 %p28, %r61, %r335;\n"
    "mov.u32 %r303, %r6;\n"
    "@%p28 bra LBB2_34;\n"
    "cvta.global.u64 %rd42, %rd181;\n"
    "setp.eq.s64 %p29, %rd19, %rd85;\n"
    "@%p29 bra LBB2_33;\n"
    "not.b32 %r195, %r61;\n"
    "add.s32 %r196, %r336, %r335;\n"
    "add.s32 %r197, %r196, %r195;\n"
    "cvt.u64.u32 %rd111, %r197;\n"
    "add.s64 %rd112, %rd42, %rd111;\n"
    "ld.global.nc.u8 %rs5, [%rd112];\n"
    "cvt.u64.u16 %rd113, %rs5;\n"
    "and.b64 %rd114, %rd113, 255;\n"
    "add.s64 %rd115, %rd18, %rd114;\n"
    "ld.global.nc.u8 %rs6, [%rd115];\n"
    "cvt.u32.u16 %r198, %rs6;\n"
    "and.b32 %r303, %r198, 255;\n"
    "bra.uni LBB2_34;\n"
    "LBB2_33:\n"
    "cvt.u64.u32 %rd116, %r59;\n"
    "add.s64 %rd117, %rd42, %rd116;\n"
    "ld.global.nc.u8 %rs7, [%rd117];\n"
    "cvt.u32.u16 %r199, %rs7;\n"
    "and.b32 %r303, %r199, 255;\n"
    "LBB2_34:\n"
    "add.s32 %r331, %r51, 1;\n"
    "setp.ne.s32 %p30, %r331, %r267;\n"
    "mov.u32 %r330, %r50;\n"
    "@%p30 bra LBB2_38;\n"
    "add.s32 %r330, %r50, 1;\n"
    "setp.ne.s32 %p31, %r330, %r266;\n"
    "mov.u32 %r331, 0;\n"
    "@%p31 bra LBB2_38;\n"
    "add.s32 %r205, %r334, 1;\n"
    "setp.lt.u32 %p33, %r205, %r167;\n"
    "selp.b32 %r334, %r205, 0, %p33;\n"
    "cvt.u64.u32 %rd43, %r334;\n"
    "mul.lo.s64 %rd120, %rd43, %rd3;\n"
    "add.s64 %rd181, %rd10, %rd120;\n"
    "mov.u32 %r330, 0;\n"
    "mov.u32 %r331, %r330;\n"
    "mov.u32 %r335, %r3;\n"
    "mov.u32 %r336, %r330;\n"
    "@%p10 bra LBB2_38;\n"
    "shl.b64 %rd121, %rd43, 2;\n"
    "add.s64 %rd122, %rd11, %rd121;\n"
    "ld.global.nc.u32 %r207, [%rd122];\n"
    "max.s32 %r208, %r207, 0;\n"
    "min.u32 %r335, %r208, %r3;\n"
    "sub.s32 %r209, %r3, %r335;\n"
    "selp.b32 %r336, 0, %r209, %p44;\n"
    "mov.u32 %r331, %r330;\n"
    "bra.uni LBB2_38;\n"
    "LBB2_18:\n"
    "mov.u32 %r271, 0;\n"
    "mov.u32 %r270, 4;\n"
    "mov.u32 %r272, %r271;\n"
    "mov.u32 %r351, %r271;\n"
    "bra.uni LBB2_19;\n"
    "LBB2_27:\n"
    "selp.b32 %r24, %r18, %r17, %p7;\n"
    "mad.lo.s32 %r232, %r279, %r1, %r24;\n"
    "shl.b32 %r233, %r232, 2;\n"
    "cvt.u64.u32 %rd139, %r233;\n"
    "add.s64 %rd140, %rd17, %rd139;\n"
    "ld.global.nc.u32 %r351, [%rd140];\n"
    "add.s32 %r270, %r270, -1;\n"
    "setp.eq.s32 %p45, %r270, 0;\n"
    "mov.u32 %r271, %r353;\n"
    "mov.u32 %r272, %r352;\n"
    "@%p45 bra LBB2_57;\n"
    "LBB2_19:\n"
    "mov.u32 %r352, %r351;\n"
    "mov.u32 %r18, %r331;\n"
    "mov.u32 %r17, %r330;\n"
    "mov.u32 %r353, %r272;\n"
    "mov.u32 %r354, %r271;\n"
    "selp.b32 %r23, %r17, %r18, %p7;\n"
    "sub.s32 %r25, %r23, %r336;\n"
    "setp.ge.u32 %p38, %r25, %r335;\n"
    "mov.u32 %r279, %r6;\n"
    "@%p38 bra LBB2_23;\n"
    "cvta.global.u64 %rd36, %rd181;\n"
    "mov.u64 %rd125, 0;\n"
    "cvta.to.global.u64 %rd126, %rd125;\n"
    "setp.eq.s64 %p39, %rd19, %rd126;\n"
    "@%p39 bra LBB2_22;\n"
    "not.b32 %r217, %r25;\n"
    "add.s32 %r218, %r336, %r335;\n"
    "add.s32 %r219, %r218, %r217;\n"
    "cvt.u64.u32 %rd127, %r219;\n"
    "add.s64 %rd128, %rd36, %rd127;\n"
    "ld.global.nc.u8 %rs9, [%rd128];\n"
    "cvt.u64.u16 %rd129, %rs9;\n"
    "and.b64 %rd130, %rd129, 255;\n"
    "add.s64 %rd131, %rd18, %rd130;\n"
    "ld.global.nc.u8 %rs10, [%rd131];\n"
    "cvt.u32.u16 %r220, %rs10;\n"
    "and.b32 %r279, %r220, 255;\n"
    "bra.uni LBB2_23;\n"
    "LBB2_22:\n"
    "cvt.u64.u32 %rd132, %r23;\n"
    "add.s64 %rd133, %rd36, %rd132;\n"
    "ld.global.nc.u8 %rs11, [%rd133];\n"
    "cvt.u32.u16 %r221, %rs11;\n"
    "and.b32 %r279, %r221, 255;\n"
    "LBB2_23:\n"
    "add.s32 %r331, %r18, 1;\n"
    "setp.ne.s32 %p40, %r331, %r267;\n"
    "mov.u32 %r330, %r17;\n"
    "@%p40 bra LBB2_27;\n"
    "add.s32 %r330, %r17, 1;\n"
    "setp.ne.s32 %p41, %r330, %r266;\n"
    "mov.u32 %r331, 0;\n"
    "@%p41 bra LBB2_27;\n"
    "mov.u64 %rd134, 0;\n"
    "cvta.to.global.u64 %rd135, %rd134;\n"
    "setp.eq.s64 %p42, %rd12, %rd135;\n"
    "add.s32 %r227, %r334, 1;\n"
    "setp.lt.u32 %p43, %r227, %r167;\n"
    "selp.b32 %r334, %r227, 0, %p43;\n"
    "cvt.u64.u32 %rd37, %r334;\n"
    "mul.lo.s64 %rd136, %rd37, %rd3;\n"
    "add.s64 %rd181, %rd10, %rd136;\n"
    "mov.u32 %r330, 0;\n"
    "mov.u32 %r331, %r330;\n"
    "mov.u32 %r335, %r3;\n"
    "mov.u32 %r336, %r330;\n"
    "@%p42 bra LBB2_27;\n"
    "shl.b64 %rd137, %rd37, 2;\n"
    "add.s64 %rd138, %rd11, %rd137;\n"
    "ld.global.nc.u32 %r229, [%rd138];\n"
    "max.s32 %r230, %r229, 0;\n"
    "min.u32 %r335, %r230, %r3;\n"
    "sub.s32 %r231, %r3, %r335;\n"
    "selp.b32 %r336, 0, %r231, %p44;\n"
    "mov.u32 %r331, %r330;\n"
    "bra.uni LBB2_27;\n"
    "LBB2_47:\n"
    "mov.u32 %r351, 0;\n"
    "mov.u32 %r337, 2;\n"
    "mov.u32 %r352, %r351;\n"
    "bra.uni LBB2_48;\n"
    "LBB2_56:\n"
    "selp.b32 %r127, %r120, %r119, %p7;\n"
    "mad.lo.s32 %r251, %r345, %r1, %r127;\n"
    "shl.b32 %r252, %r251, 3;\n"
    "cvt.u64.u32 %rd155, %r252;\n"
    "add.s64 %rd156, %rd17, %rd155;\n"
    "ld.global.nc.u64 %rd157, [%rd156];\n"
    "cvt.u32.u64 %r352, %rd157;\n"
    "shr.u64 %rd158, %rd157, 32;\n"
    "cvt.u32.u64 %r351, %rd158;\n"
    "add.s32 %r337, %r337, -1;\n"
    "setp.ne.s32 %p54, %r337, 0;\n"
    "@%p54 bra LBB2_48;\n"
    "bra.uni LBB2_57;\n"
    "LBB2_48:\n"
    "mov.u32 %r354, %r352;\n"
    "mov.u32 %r353, %r351;\n"
    "mov.u32 %r120, %r331;\n"
    "mov.u32 %r119, %r330;\n"
    "selp.b32 %r126, %r119, %r120, %p7;\n"
    "sub.s32 %r128, %r126, %r336;\n"
    "setp.ge.u32 %p47, %r128, %r335;\n"
    "mov.u32 %r345, %r6;\n"
    "@%p47 bra LBB2_52;\n"
    "cvta.global.u64 %rd53, %rd181;\n"
    "setp.eq.s64 %p48, %rd19, %rd85;\n"
    "@%p48 bra LBB2_51;\n"
    "not.b32 %r236, %r128;\n"
    "add.s32 %r237, %r336, %r335;\n"
    "add.s32 %r238, %r237, %r236;\n"
    "cvt.u64.u32 %rd143, %r238;\n"
    "add.s64 %rd144, %rd53, %rd143;\n"
    "ld.global.nc.u8 %rs12, [%rd144];\n"
    "cvt.u64.u16 %rd145, %rs12;\n"
    "and.b64 %rd146, %rd145, 255;\n"
    "add.s64 %rd147, %rd18, %rd146;\n"
    "ld.global.nc.u8 %rs13, [%rd147];\n"
    "cvt.u32.u16 %r239, %rs13;\n"
    "and.b32 %r345, %r239, 255;\n"
    "bra.uni LBB2_52;\n"
    "LBB2_51:\n"
    "cvt.u64.u32 %rd148, %r126;\n"
    "add.s64 %rd149, %rd53, %rd148;\n"
    "ld.global.nc.u8 %rs14, [%rd149];\n"
    "cvt.u32.u16 %r240, %rs14;\n"
    "and.b32 %r345, %r240, 255;\n"
    "LBB2_52:\n"
    "add.s32 %r331, %r120, 1;\n"
    "setp.ne.s32 %p49, %r331, %r267;\n"
    "mov.u32 %r330, %r119;\n"
    "@%p49 bra LBB2_56;\n"
    "add.s32 %r330, %r119, 1;\n"
    "setp.ne.s32 %p50, %r330, %r266;\n"
    "mov.u32 %r331, 0;\n"
    "@%p50 bra LBB2_56;\n"
    "add.s32 %r246, %r334, 1;\n"
    "setp.lt.u32 %p52, %r246, %r167;\n"
    "selp.b32 %r334, %r246, 0, %p52;\n"
    "cvt.u64.u32 %rd54, %r334;\n"
    "mul.lo.s64 %rd152, %rd54, %rd3;\n"
    "add.s64 %rd181, %rd10, %rd152;\n"
    "mov.u32 %r330, 0;\n"
    "mov.u32 %r331, %r330;\n"
    "mov.u32 %r335, %r3;\n"
    "mov.u32 %r336, %r330;\n"
    "@%p10 bra LBB2_56;\n"
    "shl.b64 %rd153, %rd54, 2;\n"
    "add.s64 %rd154, %rd11, %rd153;\n"
    "ld.global.nc.u32 %r248, [%rd154];\n"
    "max.s32 %r249, %r248, 0;\n"
    "min.u32 %r335, %r249, %r3;\n"
    "sub.s32 %r250, %r3, %r335;\n"
    "selp.b32 %r336, 0, %r250, %p44;\n"
    "mov.u32 %r331, %r330;\n"
    "bra.uni LBB2_56;\n"
    "LBB2_63:\n"
    "ret;\n"
    "}\n";
/* ---- PTX ends ---- */

/* ==========================================================================
 * >>dummy   a provider without a GPU
 *   uses: config expand            allocates: yes  threads: no   I/O: no
 *
 * One device in host memory. Calls do their work before they return, so streams need no memory and
 * events only the time they were recorded at. Numbers of errors are those of CUDA's driver.
 * ========================================================================== */

#include <time.h>

enum {
    BSI_CUDA_BAD_VALUE = 1,     /* CUDA_ERROR_INVALID_VALUE */
    BSI_CUDA_OUT_OF_MEMORY = 2, /* CUDA_ERROR_OUT_OF_MEMORY */
    BSI_CUDA_BAD_DEVICE = 101,  /* CUDA_ERROR_INVALID_DEVICE */
    BSI_CUDA_BAD_HANDLE = 400   /* CUDA_ERROR_INVALID_HANDLE */
};

typedef struct bsi_cuda_dummy_event {
    int has_time; /* opened with BIOST_CUDA_TIMING */
    int is_recorded;
    double time_ms; /* when it was recorded last */
} bsi_cuda_dummy_event;

/* What stands for the provider's state and for streams, which have no memory of their own. */
static const char bsi_cuda_dummy_place[2] = {0, 0};

/* Milliseconds by clock(). On Windows it counts time, elsewhere the processor's time. */
static double bsi_cuda_dummy_clock(void) {
    return (double)clock() * (1e3 / (double)CLOCKS_PER_SEC);
}

/* A clock that goes on, in milliseconds. It is clock() on Windows, where MinGW's other clock needs a library,
 * and with C libraries that show no other. */
#if defined(CLOCK_MONOTONIC) && !defined(_WIN32)
static double bsi_cuda_dummy_now(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) == 0) {
        return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
    }
    return bsi_cuda_dummy_clock();
}
#else
static double bsi_cuda_dummy_now(void) {
    return bsi_cuda_dummy_clock();
}
#endif

/* Memory whose address is a multiple of `align`, a power of 2; in front of it, what malloc gave. */
static int bsi_cuda_dummy_alloc(size_t bytes, size_t align, void **out) {
    uint8_t *memory = NULL;
    *out = NULL;
    if (bytes == 0) {
        return BSI_CUDA_BAD_VALUE;
    }
    if (bytes <= SIZE_MAX - align - sizeof memory) {
        memory = (uint8_t *)malloc(bytes + align + sizeof memory);
    }
    if (memory == NULL) {
        return BSI_CUDA_OUT_OF_MEMORY;
    }
    uint8_t *first = memory + sizeof memory;
    first += (align - (uintptr_t)first % align) % align;
    memcpy(first - sizeof memory, &memory, sizeof memory);
    *out = first;
    return 0;
}

/* Of host_free and device_free. */
static int bsi_cuda_dummy_release(void *state, void *from) {
    uint8_t *memory;
    (void)state;
    if (from == NULL) {
        return BSI_CUDA_BAD_VALUE;
    }
    memcpy(&memory, (uint8_t *)from - sizeof memory, sizeof memory);
    free(memory);
    return 0;
}

/* No state; but not NULL, which would look like a failure. */
static int bsi_cuda_dummy_open(void *user_data, void **out_state) {
    (void)user_data;
    *out_state = (void *)(uintptr_t)&bsi_cuda_dummy_place[0];
    return 0;
}

static void bsi_cuda_dummy_close(void *state) {
    (void)state;
}

static int bsi_cuda_dummy_device_count(void *state, int *out_count) {
    (void)state;
    *out_count = 1;
    return 0;
}

/* Device 0 is always current. */
static int bsi_cuda_dummy_enter(void *state, int device, void **out_before) {
    (void)state;
    *out_before = NULL;
    return device == 0 ? 0 : BSI_CUDA_BAD_DEVICE;
}

static void bsi_cuda_dummy_leave(void *state, void *before) {
    (void)state;
    (void)before;
}

static int bsi_cuda_dummy_device_open(void *state, int device, int *out_device) {
    (void)state;
    *out_device = 0;
    return device == 0 || device == -1 ? 0 : BSI_CUDA_BAD_DEVICE;
}

static void bsi_cuda_dummy_device_close(void *state, int device) {
    (void)state;
    (void)device;
}

/* At the start of a page, as CUDA's is. */
static int bsi_cuda_dummy_host_alloc(void *state, size_t bytes, unsigned flags, void **out) {
    (void)state;
    (void)flags;
    return bsi_cuda_dummy_alloc(bytes, 4096, out);
}

/* Nothing is locked, so there is nothing to undo either. */
static int bsi_cuda_dummy_host_lock(void *state, void *memory, size_t bytes) {
    (void)state;
    return memory == NULL || bytes == 0 ? BSI_CUDA_BAD_VALUE : 0;
}

static int bsi_cuda_dummy_host_unlock(void *state, void *memory) {
    (void)state;
    return memory == NULL ? BSI_CUDA_BAD_VALUE : 0;
}

static int bsi_cuda_dummy_device_alloc(void *state, size_t bytes, void **out) {
    (void)state;
    return bsi_cuda_dummy_alloc(bytes, BSI_CUDA_ALIGN, out);
}

/* All streams are one. */
static int bsi_cuda_dummy_stream_open(void *state, unsigned flags, biost_cuda_stream *out) {
    (void)state;
    (void)flags;
    *out = (biost_cuda_stream)(uintptr_t)&bsi_cuda_dummy_place[1];
    return 0;
}

/* Of stream_close and stream_finish: all was done before. */
static int bsi_cuda_dummy_stream_end(void *state, biost_cuda_stream stream) {
    (void)state;
    (void)stream;
    return 0;
}

/* There are no graphs. */
static int bsi_cuda_dummy_stream_captures(void *state, biost_cuda_stream stream, int *out_captures) {
    (void)state;
    (void)stream;
    *out_captures = 0;
    return 0;
}

/* What the event was recorded behind is done. */
static int bsi_cuda_dummy_stream_wait(void *state, biost_cuda_stream stream, void *event) {
    (void)state;
    (void)stream;
    return event == NULL ? BSI_CUDA_BAD_HANDLE : 0;
}

static int bsi_cuda_dummy_event_open(void *state, unsigned flags, void **out) {
    bsi_cuda_dummy_event *event = (bsi_cuda_dummy_event *)calloc(1, sizeof *event);
    (void)state;
    *out = event;
    if (event == NULL) {
        return BSI_CUDA_OUT_OF_MEMORY;
    }
    event->has_time = (flags & BIOST_CUDA_TIMING) != 0;
    return 0;
}

static int bsi_cuda_dummy_event_close(void *state, void *event) {
    (void)state;
    free(event);
    return event == NULL ? BSI_CUDA_BAD_HANDLE : 0;
}

static int bsi_cuda_dummy_event_record(void *state, void *event, biost_cuda_stream stream) {
    bsi_cuda_dummy_event *recorded = (bsi_cuda_dummy_event *)event;
    (void)state;
    (void)stream;
    if (recorded == NULL) {
        return BSI_CUDA_BAD_HANDLE;
    }
    if (recorded->has_time) { /* the others are never written, so several threads may use them */
        recorded->is_recorded = 1;
        recorded->time_ms = bsi_cuda_dummy_now();
    }
    return 0;
}

/* Of event_query and event_wait. */
static int bsi_cuda_dummy_event_passed(void *state, void *event) {
    (void)state;
    return event == NULL ? BSI_CUDA_BAD_HANDLE : 0;
}

/* Milliseconds of the host's clock between two records. */
static int bsi_cuda_dummy_event_elapsed(void *state, void *from, void *to, float *out_ms) {
    const bsi_cuda_dummy_event *first = (const bsi_cuda_dummy_event *)from;
    const bsi_cuda_dummy_event *last = (const bsi_cuda_dummy_event *)to;
    (void)state;
    *out_ms = 0;
    if (first == NULL || last == NULL || !first->is_recorded || !last->is_recorded) {
        return BSI_CUDA_BAD_HANDLE;
    }
    *out_ms = (float)(last->time_ms - first->time_ms);
    return 0;
}

/* Of copy_in and copy_out. */
static int bsi_cuda_dummy_copy_out(void *state, void *to, const void *from, size_t bytes,
                                   biost_cuda_stream stream) {
    (void)state;
    (void)stream;
    if (bytes > 0 && (to == NULL || from == NULL)) {
        return BSI_CUDA_BAD_VALUE;
    }
    if (bytes > 0) {
        memcpy(to, from, bytes);
    }
    return 0;
}

static int bsi_cuda_dummy_expand(void *state, int device, const biost_cuda_expansion *expansion,
                                 biost_cuda_stream stream) {
    (void)state;
    (void)stream;
    if (device != 0) {
        return BSI_CUDA_BAD_DEVICE;
    }
    if (bsi_cuda_expand_check(expansion) != NULL) {
        return BSI_CUDA_BAD_VALUE;
    }
    bsi_cuda_expand_host(expansion);
    return 0;
}

/* CUDA's names for those numbers. */
static const char *bsi_cuda_dummy_error_name(void *state, int error) {
    (void)state;
    switch (error) {
    case 0: return "CUDA_SUCCESS";
    case BSI_CUDA_BAD_VALUE: return "CUDA_ERROR_INVALID_VALUE";
    case BSI_CUDA_OUT_OF_MEMORY: return "CUDA_ERROR_OUT_OF_MEMORY";
    case BSI_CUDA_BAD_DEVICE: return "CUDA_ERROR_INVALID_DEVICE";
    case BSI_CUDA_BAD_HANDLE: return "CUDA_ERROR_INVALID_HANDLE";
    case BIOST_CUDA_NOT_READY: return "CUDA_ERROR_NOT_READY";
    default: return "CUDA_ERROR_UNKNOWN";
    }
}

static const char *bsi_cuda_dummy_error_text(void *state, int error) {
    (void)state;
    switch (error) {
    case 0: return "no error";
    case BSI_CUDA_BAD_VALUE: return "an argument is not allowed";
    case BSI_CUDA_OUT_OF_MEMORY: return "out of memory";
    case BSI_CUDA_BAD_DEVICE: return "there is no such device";
    case BSI_CUDA_BAD_HANDLE: return "not an event, or it has no time";
    case BIOST_CUDA_NOT_READY: return "not yet";
    default: return "no error of this provider's";
    }
}

static const biost_cuda_provider *bsi_cuda_dummy_provider(void) {
    static const biost_cuda_provider provider = {
        "dummy",
        NULL,
        bsi_cuda_dummy_open,
        bsi_cuda_dummy_close,
        bsi_cuda_dummy_device_count,
        bsi_cuda_dummy_enter,
        bsi_cuda_dummy_leave,
        bsi_cuda_dummy_device_open,
        bsi_cuda_dummy_device_close,
        bsi_cuda_dummy_host_alloc,
        bsi_cuda_dummy_release,
        bsi_cuda_dummy_host_lock,
        bsi_cuda_dummy_host_unlock,
        bsi_cuda_dummy_device_alloc,
        bsi_cuda_dummy_release,
        bsi_cuda_dummy_stream_open,
        bsi_cuda_dummy_stream_end,
        bsi_cuda_dummy_stream_captures,
        bsi_cuda_dummy_stream_wait,
        bsi_cuda_dummy_stream_end,
        bsi_cuda_dummy_event_open,
        bsi_cuda_dummy_event_close,
        bsi_cuda_dummy_event_record,
        bsi_cuda_dummy_event_passed,
        bsi_cuda_dummy_event_passed,
        bsi_cuda_dummy_event_elapsed,
        bsi_cuda_dummy_copy_out,
        bsi_cuda_dummy_copy_out,
        bsi_cuda_dummy_expand,
        bsi_cuda_dummy_error_name,
        bsi_cuda_dummy_error_text,
        1,
    };
    return &provider;
}

/* ==========================================================================
 * >>driver   CUDA's driver, loaded at run time
 *   uses: config expand kernels    allocates: yes  threads: no   I/O: no
 *
 * Calls of CUDA 11.0, by the names under which libcuda.so.1 and nvcuda.dll have them; later drivers have
 * them too. Each device is used through its primary context, which CUDA's runtime and frameworks share.
 * ========================================================================== */

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#define BSI_CUDA_DRIVER_CALL    __stdcall
#define BSI_CUDA_DRIVER_LIBRARY "nvcuda.dll"

/* From the system's folder only (LOAD_LIBRARY_SEARCH_SYSTEM32). NULL where there is none. */
static void *bsi_cuda_driver_load(void) {
    return (void *)LoadLibraryExA(BSI_CUDA_DRIVER_LIBRARY, NULL, 0x800);
}

static void bsi_cuda_driver_unload(void *library) {
    (void)FreeLibrary((HMODULE)library);
}

/* Write the function's address to `out_function`, a pointer to it. Returns 0 where there is none. */
static int bsi_cuda_driver_symbol(void *library, const char *name, void *out_function) {
    FARPROC symbol = GetProcAddress((HMODULE)library, name);
    memcpy(out_function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* Let another thread run. */
static void bsi_cuda_driver_yield(void) {
    (void)SwitchToThread();
}
#else
#include <dlfcn.h>
#include <sched.h>

static void bsi_cuda_driver_yield(void) {
    (void)sched_yield();
}

#define BSI_CUDA_DRIVER_CALL
#define BSI_CUDA_DRIVER_LIBRARY "libcuda.so.1"

/* By the system's search path, or the one that is loaded already. NULL where there is none. */
static void *bsi_cuda_driver_load(void) {
    return dlopen(BSI_CUDA_DRIVER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

static void bsi_cuda_driver_unload(void *library) {
    (void)dlclose(library);
}

/* Write the function's address to `out_function`, a pointer to it. Returns 0 where there is none. */
static int bsi_cuda_driver_symbol(void *library, const char *name, void *out_function) {
    void *symbol = dlsym(library, name);
    memcpy(out_function, &symbol, sizeof symbol);
    return symbol != NULL;
}
#endif

/* flags and errors of CUDA's driver, by the names in cuda.h */
enum {
    BSI_CUDA_DRIVER_PORTABLE = 1,       /* CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTREGISTER_PORTABLE */
    BSI_CUDA_DRIVER_WRITE_COMBINED = 4, /* CU_MEMHOSTALLOC_WRITECOMBINED */
    BSI_CUDA_DRIVER_NON_BLOCKING = 1,   /* CU_STREAM_NON_BLOCKING */
    BSI_CUDA_DRIVER_BLOCKING_SYNC = 1,  /* CU_EVENT_BLOCKING_SYNC */
    BSI_CUDA_DRIVER_NO_TIMING = 2,      /* CU_EVENT_DISABLE_TIMING */
    BSI_CUDA_DRIVER_RELAXED = 2,        /* CU_STREAM_CAPTURE_MODE_RELAXED */
    BSI_CUDA_DRIVER_BAD_VALUE = 1,      /* CUDA_ERROR_INVALID_VALUE */
    BSI_CUDA_DRIVER_UNLOADING = 4,      /* CUDA_ERROR_DEINITIALIZED: the program is at its end */
    BSI_CUDA_DRIVER_NO_DEVICE = 100,    /* CUDA_ERROR_NO_DEVICE */
    BSI_CUDA_DRIVER_BAD_DEVICE = 101,   /* CUDA_ERROR_INVALID_DEVICE */
    BSI_CUDA_DRIVER_BAD_CONTEXT = 201,  /* CUDA_ERROR_INVALID_CONTEXT */
    BSI_CUDA_DRIVER_IMPLICIT = 906      /* CUDA_ERROR_STREAM_CAPTURE_IMPLICIT */
};

/* CUDA's functions, in the order of bsi_cuda_driver_names. Contexts, modules and functions are void *,
 * device memory is uint64_t; the results are CUresult. */
typedef struct bsi_cuda_driver_calls {
    int(BSI_CUDA_DRIVER_CALL *init)(unsigned flags);
    int(BSI_CUDA_DRIVER_CALL *get_error_name)(int error, const char **out_text);
    int(BSI_CUDA_DRIVER_CALL *get_error_string)(int error, const char **out_text);
    int(BSI_CUDA_DRIVER_CALL *device_get_count)(int *out_count);
    int(BSI_CUDA_DRIVER_CALL *device_get)(int *out_device, int ordinal);
    int(BSI_CUDA_DRIVER_CALL *primary_retain)(void **out_context, int device);
    int(BSI_CUDA_DRIVER_CALL *primary_release)(int device);
    int(BSI_CUDA_DRIVER_CALL *context_push)(void *context);
    int(BSI_CUDA_DRIVER_CALL *context_pop)(void **out_context);
    int(BSI_CUDA_DRIVER_CALL *context_current)(void **out_context);
    int(BSI_CUDA_DRIVER_CALL *context_device)(int *out_device);
    int(BSI_CUDA_DRIVER_CALL *priority_range)(int *out_least, int *out_greatest);
    int(BSI_CUDA_DRIVER_CALL *host_alloc)(void **out_memory, size_t bytes, unsigned flags);
    int(BSI_CUDA_DRIVER_CALL *host_free)(void *memory);
    int(BSI_CUDA_DRIVER_CALL *host_lock)(void *memory, size_t bytes, unsigned flags);
    int(BSI_CUDA_DRIVER_CALL *host_unlock)(void *memory);
    int(BSI_CUDA_DRIVER_CALL *device_alloc)(uint64_t *out_memory, size_t bytes);
    int(BSI_CUDA_DRIVER_CALL *device_free)(uint64_t memory);
    int(BSI_CUDA_DRIVER_CALL *stream_create)(biost_cuda_stream *out_stream, unsigned flags, int priority);
    int(BSI_CUDA_DRIVER_CALL *stream_destroy)(biost_cuda_stream stream);
    int(BSI_CUDA_DRIVER_CALL *stream_wait)(biost_cuda_stream stream, void *event, unsigned flags);
    int(BSI_CUDA_DRIVER_CALL *stream_finish)(biost_cuda_stream stream);
    int(BSI_CUDA_DRIVER_CALL *event_create)(void **out_event, unsigned flags);
    int(BSI_CUDA_DRIVER_CALL *event_destroy)(void *event);
    int(BSI_CUDA_DRIVER_CALL *event_record)(void *event, biost_cuda_stream stream);
    int(BSI_CUDA_DRIVER_CALL *event_query)(void *event);
    int(BSI_CUDA_DRIVER_CALL *event_wait)(void *event);
    int(BSI_CUDA_DRIVER_CALL *event_elapsed)(float *out_ms, void *from, void *to);
    int(BSI_CUDA_DRIVER_CALL *copy_in)(uint64_t to, const void *from, size_t bytes, biost_cuda_stream);
    int(BSI_CUDA_DRIVER_CALL *copy_out)(void *to, uint64_t from, size_t bytes, biost_cuda_stream);
    int(BSI_CUDA_DRIVER_CALL *module_load)(void **out_module, const void *image);
    int(BSI_CUDA_DRIVER_CALL *module_unload)(void *module);
    int(BSI_CUDA_DRIVER_CALL *module_function)(void **out_function, void *module, const char *name);
    int(BSI_CUDA_DRIVER_CALL *launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                      unsigned block_x, unsigned block_y, unsigned block_z,
                                      unsigned shared_bytes, biost_cuda_stream stream, void **parameters,
                                      void **extra);
    /* The last BSI_CUDA_DRIVER_OPTIONAL are NULL where the driver has none. */
    int(BSI_CUDA_DRIVER_CALL *exchange_mode)(int *mode);
    int(BSI_CUDA_DRIVER_CALL *stream_is_capturing)(biost_cuda_stream stream, int *out_status);
} bsi_cuda_driver_calls;

/* clang-format off */
static const char *const bsi_cuda_driver_names[] = {
    "cuInit", "cuGetErrorName", "cuGetErrorString", "cuDeviceGetCount", "cuDeviceGet",
    "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2", "cuCtxPushCurrent_v2",
    "cuCtxPopCurrent_v2", "cuCtxGetCurrent", "cuCtxGetDevice", "cuCtxGetStreamPriorityRange",
    "cuMemHostAlloc", "cuMemFreeHost", "cuMemHostRegister_v2", "cuMemHostUnregister", "cuMemAlloc_v2",
    "cuMemFree_v2", "cuStreamCreateWithPriority", "cuStreamDestroy_v2", "cuStreamWaitEvent",
    "cuStreamSynchronize", "cuEventCreate", "cuEventDestroy_v2", "cuEventRecord", "cuEventQuery",
    "cuEventSynchronize", "cuEventElapsedTime", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2",
    "cuModuleLoadData", "cuModuleUnload", "cuModuleGetFunction", "cuLaunchKernel",
    "cuThreadExchangeStreamCaptureMode", "cuStreamIsCapturing"};
/* clang-format on */

enum {
    BSI_CUDA_DRIVER_NAMES = sizeof bsi_cuda_driver_names / sizeof bsi_cuda_driver_names[0],
    BSI_CUDA_DRIVER_OPTIONAL = 2
};
BSI_CUDA_STATIC_ASSERT(sizeof(bsi_cuda_driver_calls) == BSI_CUDA_DRIVER_NAMES * sizeof(void *),
                       a_name_for_each_call);

typedef struct bsi_cuda_driver_device {
    int handle;          /* CUdevice */
    uint32_t open_count; /* device_open less device_close */
    void *context;       /* primary; retained while open_count > 0 */
    void *module;        /* NULL without kernels */
    int module_error;    /* why there are none */
    void *kernels[BSI_CUDA_EXPAND_KERNELS];
} bsi_cuda_driver_device;

typedef struct bsi_cuda_driver {
    bsi_cuda_driver_calls calls;
    int needs_kernels; /* 0: somebody else launches them */
    int device_count;
    bsi_cuda_driver_device *devices; /* [device_count] */
} bsi_cuda_driver;

/* ---- the library ---------------------------------------------------------- */

/*
 * Load the library and find all its functions. It stays loaded from here on, for whoever uses it in this
 * process too: a driver that was started must not go away. A 32-bit library may be there, but device memory
 * has 4 bytes in its calls, and no CUDA of today is behind it.
 */
static int bsi_cuda_driver_find(bsi_cuda_driver_calls *calls) {
    void *library = sizeof(void *) == 8 ? bsi_cuda_driver_load() : NULL;
    int i;
    if (library == NULL) {
        return BIOST_CUDA_NO_LIBRARY;
    }
    for (i = 0; i < (int)BSI_CUDA_DRIVER_NAMES; ++i) {
        uint8_t *call = (uint8_t *)calls + (size_t)i * sizeof(void *);
        if (!bsi_cuda_driver_symbol(library, bsi_cuda_driver_names[i], call) &&
            i < (int)BSI_CUDA_DRIVER_NAMES - (int)BSI_CUDA_DRIVER_OPTIONAL) {
            bsi_cuda_driver_unload(library);
            return BIOST_CUDA_NO_SYMBOL;
        }
    }
    return 0;
}

/* ---- errors --------------------------------------------------------------- */

/* Of what frees or closes: when the driver itself is being unloaded, all is freed. */
static int bsi_cuda_driver_freed(int error) {
    return error == BSI_CUDA_DRIVER_UNLOADING ? 0 : error;
}

/* Names of errors that open can end with, when there is no state to ask. */
static const char *bsi_cuda_driver_open_name(int error) {
    switch (error) {
    case 0: return "CUDA_SUCCESS";
    case BIOST_CUDA_NO_LIBRARY: return "NO_LIBRARY";
    case BIOST_CUDA_NO_SYMBOL: return "NO_SYMBOL";
    case BIOST_CUDA_NO_MEMORY: return "NO_MEMORY";
    case 2: return "CUDA_ERROR_OUT_OF_MEMORY";
    case 3: return "CUDA_ERROR_NOT_INITIALIZED";
    case BSI_CUDA_DRIVER_UNLOADING: return "CUDA_ERROR_DEINITIALIZED";
    case 34: return "CUDA_ERROR_STUB_LIBRARY";
    case 46: return "CUDA_ERROR_DEVICE_UNAVAILABLE";
    case BSI_CUDA_DRIVER_NO_DEVICE: return "CUDA_ERROR_NO_DEVICE";
    case BSI_CUDA_DRIVER_BAD_DEVICE: return "CUDA_ERROR_INVALID_DEVICE";
    case 304: return "CUDA_ERROR_OPERATING_SYSTEM";
    case 802: return "CUDA_ERROR_SYSTEM_NOT_READY";
    case 803: return "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
    case 804: return "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE";
    default: return "CUDA_ERROR_UNKNOWN";
    }
}

/* And words, likewise. */
static const char *bsi_cuda_driver_open_text(int error) {
    switch (error) {
    case 0: return "no error";
    case BIOST_CUDA_NO_LIBRARY:
        return sizeof(void *) == 8 ? BSI_CUDA_DRIVER_LIBRARY " cannot be loaded: NVIDIA's driver is not there"
                                   : "this process has 32-bit addresses, and CUDA needs 64";
    case BIOST_CUDA_NO_SYMBOL: return "NVIDIA's driver lacks a call of CUDA 11.0: it is too old";
    case BIOST_CUDA_NO_MEMORY: return "no host memory";
    case 34: return "the library is the toolkit's for linking, not NVIDIA's driver";
    case 46: return "the device is in use by another process, or cannot be used";
    case BSI_CUDA_DRIVER_NO_DEVICE: return "NVIDIA's driver is there, but no GPU that it may use";
    case 802: return "the system's GPU services do not run yet";
    case 803: return "NVIDIA's driver and its library are of different versions";
    default: return "NVIDIA's driver cannot be started";
    }
}

/* The driver's own name of an error of its; static, as its words below. */
static const char *bsi_cuda_driver_error_name(void *state, int error) {
    const bsi_cuda_driver *driver = (const bsi_cuda_driver *)state;
    const char *name = NULL;
    if (driver == NULL || error < 0 || driver->calls.get_error_name(error, &name) != 0 || name == NULL) {
        return bsi_cuda_driver_open_name(error);
    }
    return name;
}

static const char *bsi_cuda_driver_error_text(void *state, int error) {
    const bsi_cuda_driver *driver = (const bsi_cuda_driver *)state;
    const char *text = NULL;
    if (driver == NULL || error < 0) {
        return bsi_cuda_driver_open_text(error);
    }
    if (driver->calls.get_error_string(error, &text) != 0 || text == NULL) {
        return "an error that the driver has no words for";
    }
    return text;
}

/* ---- open, devices -------------------------------------------------------- */

/* Start the driver, and count its devices. */
static int bsi_cuda_driver_start(bsi_cuda_driver *driver) {
    int error = bsi_cuda_driver_find(&driver->calls);
    if (error == 0) {
        error = driver->calls.init(0);
    }
    if (error == 0) {
        error = driver->calls.device_get_count(&driver->device_count);
    }
    if (error == 0 && driver->device_count <= 0) {
        error = BSI_CUDA_DRIVER_NO_DEVICE;
    }
    if (error == 0) {
        driver->devices = (bsi_cuda_driver_device *)calloc((size_t)driver->device_count,
                                                           sizeof *driver->devices);
        error = driver->devices == NULL ? (int)BIOST_CUDA_NO_MEMORY : 0;
    }
    return error;
}

/* Several may be open in a process, and others may use the driver at the same time. */
static int bsi_cuda_driver_open(void *user_data, void **out_state) {
    bsi_cuda_driver *driver = (bsi_cuda_driver *)calloc(1, sizeof *driver);
    int error = driver == NULL ? (int)BIOST_CUDA_NO_MEMORY : bsi_cuda_driver_start(driver);
    (void)user_data;
    *out_state = NULL;
    if (error != 0) {
        free(driver);
        return error;
    }
    driver->needs_kernels = 1;
    *out_state = driver;
    return 0;
}

/* All devices are closed. */
static void bsi_cuda_driver_close(void *state) {
    bsi_cuda_driver *driver = (bsi_cuda_driver *)state;
    free(driver->devices);
    free(driver);
}

static int bsi_cuda_driver_device_count(void *state, int *out_count) {
    *out_count = ((const bsi_cuda_driver *)state)->device_count;
    return 0;
}

/*
 * The number of the calling thread's current device; 0 where it has none, which is what the runtime would
 * take. CUdevice is a handle: its number is found by asking for each.
 */
static int bsi_cuda_driver_current(const bsi_cuda_driver *driver, int *out_device) {
    void *context = NULL;
    int handle = 0, at = 0, i;
    int error = driver->calls.context_current(&context);
    *out_device = 0;
    if (error != 0 || context == NULL) {
        return error;
    }
    error = driver->calls.context_device(&handle);
    for (i = 0; error == 0 && i < driver->device_count; ++i) {
        error = driver->calls.device_get(&at, i);
        if (error == 0 && at == handle) {
            *out_device = i;
        }
    }
    return error;
}

/*
 * While one thread captures a CUDA graph, an event that another asks for may be refused, and the capture is
 * spoiled, unless the asking thread is in relaxed mode. Ask for a mode; returns the one before, -1 where the
 * driver has no modes.
 */
static int bsi_cuda_driver_exchange(const bsi_cuda_driver_calls *calls, int mode) {
    return calls->exchange_mode != NULL && calls->exchange_mode(&mode) == 0 ? mode : -1;
}

/* And back to what was before. */
static void bsi_cuda_driver_restore(const bsi_cuda_driver_calls *calls, int before) {
    if (before >= 0) {
        (void)calls->exchange_mode(&before);
    }
}

/* In what enter gives to leave: was the context pushed? Below it the mode of captures before, plus 1. */
#define BSI_CUDA_DRIVER_PUSHED ((uintptr_t)4)

/*
 * The thread's contexts are a stack: what was current, if anything was, is so again after leave. Whoever
 * launches work there has the device's context current already; then it is left as it is.
 */
static int bsi_cuda_driver_enter(void *state, int device, void **out_before) {
    bsi_cuda_driver *driver = (bsi_cuda_driver *)state;
    void *current = NULL;
    uintptr_t before = 0;
    int error;
    *out_before = NULL;
    if (device < 0 || device >= driver->device_count) {
        return BSI_CUDA_DRIVER_BAD_DEVICE;
    }
    if (driver->devices[device].open_count == 0) {
        return BSI_CUDA_DRIVER_BAD_CONTEXT;
    }
    error = driver->calls.context_current(&current);
    if (error == 0 && current != driver->devices[device].context) {
        error = driver->calls.context_push(driver->devices[device].context);
        before = BSI_CUDA_DRIVER_PUSHED;
    }
    if (error == 0) {
        before |= (uintptr_t)(bsi_cuda_driver_exchange(&driver->calls, BSI_CUDA_DRIVER_RELAXED) + 1);
        *out_before = (void *)before;
    }
    return error;
}

static void bsi_cuda_driver_leave(void *state, void *before) {
    const bsi_cuda_driver_calls *calls = &((bsi_cuda_driver *)state)->calls;
    void *popped = NULL;
    bsi_cuda_driver_restore(calls, (int)((uintptr_t)before % BSI_CUDA_DRIVER_PUSHED) - 1);
    if ((uintptr_t)before & BSI_CUDA_DRIVER_PUSHED) {
        (void)calls->context_pop(&popped);
    }
}

/* Load the kernels of a device that is current. */
static int bsi_cuda_driver_load_kernels(const bsi_cuda_driver_calls *calls, bsi_cuda_driver_device *device) {
    int error = calls->module_load(&device->module, bsi_cuda_kernels_ptx);
    int i;
    if (error != 0) {
        device->module = NULL;
    }
    for (i = 0; error == 0 && i < (int)BSI_CUDA_EXPAND_KERNELS; ++i) {
        error = calls->module_function(&device->kernels[i], device->module, bsi_cuda_kernels_names[i]);
    }
    return error;
}

/*
 * Make the device's primary context, or share it, and load the kernels. Where a GPU cannot have them, as
 * one older than sm_70, the error is kept for the first expansion: copies need none.
 */
static int bsi_cuda_driver_retain(const bsi_cuda_driver *driver, int number) {
    bsi_cuda_driver_device *device = &driver->devices[number];
    void *popped = NULL;
    int error = driver->calls.device_get(&device->handle, number);
    if (error == 0) {
        error = driver->calls.primary_retain(&device->context, device->handle);
    }
    if (error != 0 || !driver->needs_kernels) {
        return error;
    }
    error = driver->calls.context_push(device->context);
    if (error != 0) {
        (void)driver->calls.primary_release(device->handle);
        return error;
    }
    device->module_error = bsi_cuda_driver_load_kernels(&driver->calls, device);
    (void)driver->calls.context_pop(&popped);
    return 0;
}

/* Kernels are loaded here, all of them once a device, so that expansions need no lock and none is late. */
static int bsi_cuda_driver_device_open(void *state, int device, int *out_device) {
    bsi_cuda_driver *driver = (bsi_cuda_driver *)state;
    int number = device, before = bsi_cuda_driver_exchange(&driver->calls, BSI_CUDA_DRIVER_RELAXED);
    int error = device == -1 ? bsi_cuda_driver_current(driver, &number) : 0;
    *out_device = -1;
    if (error == 0 && (number < 0 || number >= driver->device_count)) {
        error = BSI_CUDA_DRIVER_BAD_DEVICE;
    }
    if (error == 0 && driver->devices[number].open_count == 0) {
        error = bsi_cuda_driver_retain(driver, number);
    }
    if (error == 0) {
        ++driver->devices[number].open_count;
        *out_device = number;
    }
    bsi_cuda_driver_restore(&driver->calls, before);
    return error;
}

/* The primary context lives on where others have retained it. */
static void bsi_cuda_driver_device_close(void *state, int number) {
    bsi_cuda_driver *driver = (bsi_cuda_driver *)state;
    bsi_cuda_driver_device *device = &driver->devices[number];
    void *popped = NULL;
    int before;
    if (--device->open_count > 0) {
        return;
    }
    before = bsi_cuda_driver_exchange(&driver->calls, BSI_CUDA_DRIVER_RELAXED);
    if (device->module != NULL && driver->calls.context_push(device->context) == 0) {
        (void)driver->calls.module_unload(device->module);
        (void)driver->calls.context_pop(&popped);
    }
    (void)driver->calls.primary_release(device->handle);
    bsi_cuda_driver_restore(&driver->calls, before);
    memset(device, 0, sizeof *device);
}

/* ---- memory --------------------------------------------------------------- */

/* Portable: page-locked for the copies of all devices, not only of the current one. */
static int bsi_cuda_driver_host_alloc(void *state, size_t bytes, unsigned flags, void **out) {
    unsigned asked = BSI_CUDA_DRIVER_PORTABLE;
    if (flags & BIOST_CUDA_WRITE_COMBINED) {
        asked |= BSI_CUDA_DRIVER_WRITE_COMBINED;
    }
    *out = NULL;
    return ((bsi_cuda_driver *)state)->calls.host_alloc(out, bytes, asked);
}

static int bsi_cuda_driver_host_free(void *state, void *memory) {
    return bsi_cuda_driver_freed(((bsi_cuda_driver *)state)->calls.host_free(memory));
}

static int bsi_cuda_driver_host_lock(void *state, void *memory, size_t bytes) {
    return ((bsi_cuda_driver *)state)->calls.host_lock(memory, bytes, BSI_CUDA_DRIVER_PORTABLE);
}

static int bsi_cuda_driver_host_unlock(void *state, void *memory) {
    return bsi_cuda_driver_freed(((bsi_cuda_driver *)state)->calls.host_unlock(memory));
}

/* CUDA aligns device memory to 256 bytes at least. */
static int bsi_cuda_driver_device_alloc(void *state, size_t bytes, void **out) {
    uint64_t memory = 0;
    int error = ((bsi_cuda_driver *)state)->calls.device_alloc(&memory, bytes);
    *out = error == 0 ? (void *)(uintptr_t)memory : NULL;
    return error;
}

static int bsi_cuda_driver_device_free(void *state, void *memory) {
    return bsi_cuda_driver_freed(((bsi_cuda_driver *)state)->calls.device_free((uintptr_t)memory));
}

/* ---- streams, events ------------------------------------------------------ */

/* Non-blocking: neither waits for the default stream nor lets it wait. Numbers of priorities are the lower,
 * the greater they are; 0 is that of all streams for which nobody asks. */
static int bsi_cuda_driver_stream_open(void *state, unsigned flags, biost_cuda_stream *out) {
    const bsi_cuda_driver_calls *calls = &((bsi_cuda_driver *)state)->calls;
    int least = 0, greatest = 0;
    int error = flags & BIOST_CUDA_FIRST ? calls->priority_range(&least, &greatest) : 0;
    *out = NULL;
    return error != 0 ? error : calls->stream_create(out, BSI_CUDA_DRIVER_NON_BLOCKING, greatest);
}

/* Returns at once; the driver frees the stream when its work is done. */
static int bsi_cuda_driver_stream_close(void *state, biost_cuda_stream stream) {
    return bsi_cuda_driver_freed(((bsi_cuda_driver *)state)->calls.stream_destroy(stream));
}

static int bsi_cuda_driver_stream_captures(void *state, biost_cuda_stream stream, int *out_captures) {
    const bsi_cuda_driver_calls *calls = &((bsi_cuda_driver *)state)->calls;
    int status = 0;
    int error = calls->stream_is_capturing != NULL ? calls->stream_is_capturing(stream, &status) : 0;
    *out_captures = status != 0 || error == BSI_CUDA_DRIVER_IMPLICIT;
    return error == BSI_CUDA_DRIVER_IMPLICIT ? 0 : error;
}

static int bsi_cuda_driver_stream_wait(void *state, biost_cuda_stream stream, void *event) {
    return ((bsi_cuda_driver *)state)->calls.stream_wait(stream, event, 0);
}

static int bsi_cuda_driver_stream_finish(void *state, biost_cuda_stream stream) {
    return ((bsi_cuda_driver *)state)->calls.stream_finish(stream);
}

/* Whoever waits sleeps (BLOCKING_SYNC) instead of spinning; without times events cost least. */
static int bsi_cuda_driver_event_open(void *state, unsigned flags, void **out) {
    unsigned asked = BSI_CUDA_DRIVER_BLOCKING_SYNC;
    if (!(flags & BIOST_CUDA_TIMING)) {
        asked |= BSI_CUDA_DRIVER_NO_TIMING;
    }
    *out = NULL;
    return ((bsi_cuda_driver *)state)->calls.event_create(out, asked);
}

static int bsi_cuda_driver_event_close(void *state, void *event) {
    return bsi_cuda_driver_freed(((bsi_cuda_driver *)state)->calls.event_destroy(event));
}

static int bsi_cuda_driver_event_record(void *state, void *event, biost_cuda_stream stream) {
    return ((bsi_cuda_driver *)state)->calls.event_record(event, stream);
}

/* CUDA_ERROR_NOT_READY is 600, BIOST_CUDA_NOT_READY. */
static int bsi_cuda_driver_event_query(void *state, void *event) {
    return ((bsi_cuda_driver *)state)->calls.event_query(event);
}

static int bsi_cuda_driver_event_wait(void *state, void *event) {
    return ((bsi_cuda_driver *)state)->calls.event_wait(event);
}

static int bsi_cuda_driver_event_elapsed(void *state, void *from, void *to, float *out_ms) {
    *out_ms = 0;
    return ((bsi_cuda_driver *)state)->calls.event_elapsed(out_ms, from, to);
}

/* ---- work ----------------------------------------------------------------- */

/* Asynchronous where `from` is page-locked; else the driver reads it during the call. */
static int bsi_cuda_driver_copy_in(void *state, void *to, const void *from, size_t bytes,
                                   biost_cuda_stream stream) {
    return ((bsi_cuda_driver *)state)->calls.copy_in((uintptr_t)to, from, bytes, stream);
}

static int bsi_cuda_driver_copy_out(void *state, void *to, const void *from, size_t bytes,
                                    biost_cuda_stream stream) {
    return ((bsi_cuda_driver *)state)->calls.copy_out(to, (uintptr_t)from, bytes, stream);
}

/* The device is current, and the stream one of its. */
static int bsi_cuda_driver_expand(void *state, int number, const biost_cuda_expansion *expansion,
                                  biost_cuda_stream stream) {
    const bsi_cuda_driver *driver = (const bsi_cuda_driver *)state;
    const bsi_cuda_driver_device *device = &driver->devices[number];
    biost_cuda_expansion given = *expansion;
    void *parameters[1];
    uint32_t kernel = 0;
    uint64_t threads = 0;
    if (bsi_cuda_expand_check(expansion) != NULL) {
        return BSI_CUDA_DRIVER_BAD_VALUE;
    }
    bsi_cuda_expand_plan(expansion, &kernel, &threads);
    if (threads == 0 || device->module_error != 0) {
        return threads == 0 ? 0 : device->module_error;
    }
    parameters[0] = &given; /* read during the call */
    return driver->calls.launch(device->kernels[kernel], bsi_cuda_kernels_blocks(threads), 1, 1,
                                BSI_CUDA_BLOCK_THREADS, 1, 1, 0, stream, parameters, NULL);
}

static const biost_cuda_provider *bsi_cuda_driver_provider(void) {
    static const biost_cuda_provider provider = {
        "driver",
        NULL,
        bsi_cuda_driver_open,
        bsi_cuda_driver_close,
        bsi_cuda_driver_device_count,
        bsi_cuda_driver_enter,
        bsi_cuda_driver_leave,
        bsi_cuda_driver_device_open,
        bsi_cuda_driver_device_close,
        bsi_cuda_driver_host_alloc,
        bsi_cuda_driver_host_free,
        bsi_cuda_driver_host_lock,
        bsi_cuda_driver_host_unlock,
        bsi_cuda_driver_device_alloc,
        bsi_cuda_driver_device_free,
        bsi_cuda_driver_stream_open,
        bsi_cuda_driver_stream_close,
        bsi_cuda_driver_stream_captures,
        bsi_cuda_driver_stream_wait,
        bsi_cuda_driver_stream_finish,
        bsi_cuda_driver_event_open,
        bsi_cuda_driver_event_close,
        bsi_cuda_driver_event_record,
        bsi_cuda_driver_event_query,
        bsi_cuda_driver_event_wait,
        bsi_cuda_driver_event_elapsed,
        bsi_cuda_driver_copy_in,
        bsi_cuda_driver_copy_out,
        bsi_cuda_driver_expand,
        bsi_cuda_driver_error_name,
        bsi_cuda_driver_error_text,
        0,
    };
    return &provider;
}

/* ==========================================================================
 * >>runtime   CUDA's runtime, where it is compiled in
 *   uses: config expand kernels driver        allocates: no   threads: no   I/O: no
 *
 * Devices are opened and made current by the driver's calls, under the runtime, which takes the context
 * that is current. cudaSetDevice back to a device that the thread had never used would make a context
 * there, some hundred MiB of its memory. Memory, streams, events and copies are the runtime's.
 * ========================================================================== */

#if BSI_CUDA_HAS_RUNTIME
#include <cuda_runtime_api.h>

/* An error is reported here, once: cudaGetLastError of other code shall not find it again. */
static int bsi_cuda_runtime_result(cudaError_t error) {
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
    }
    return (int)error;
}

/* Of what frees or closes: when the runtime itself is being unloaded, all is freed. */
static int bsi_cuda_runtime_freed(cudaError_t error) {
    return bsi_cuda_driver_freed(bsi_cuda_runtime_result(error));
}

/*
 * NULL is the legacy default stream, as everywhere in this header, also in a file that is compiled so that
 * the runtime would take the calling thread's.
 */
static cudaStream_t bsi_cuda_runtime_stream(biost_cuda_stream stream) {
    return stream == NULL ? cudaStreamLegacy : stream;
}

/* The driver's state is the runtime's: who enters a device of it makes it current for the runtime too. */
static int bsi_cuda_runtime_open(void *user_data, void **out_state) {
    int count = 0, error = bsi_cuda_driver_open(user_data, out_state);
    if (error != 0) {
        return error;
    }
    error = bsi_cuda_runtime_result(cudaGetDeviceCount(&count)); /* as where the driver is too old */
    if (error != 0) {
        bsi_cuda_driver_close(*out_state);
        *out_state = NULL;
        return error;
    }
    if (BSI_CUDA_IS_CUDA_FILE) {
        ((bsi_cuda_driver *)*out_state)->needs_kernels = 0;
    }
    return 0;
}

static int bsi_cuda_runtime_host_alloc(void *state, size_t bytes, unsigned flags, void **out) {
    unsigned asked = cudaHostAllocPortable;
    (void)state;
    if (flags & BIOST_CUDA_WRITE_COMBINED) {
        asked |= cudaHostAllocWriteCombined;
    }
    *out = NULL;
    return bsi_cuda_runtime_result(cudaHostAlloc(out, bytes, asked));
}

static int bsi_cuda_runtime_host_free(void *state, void *memory) {
    (void)state;
    return bsi_cuda_runtime_freed(cudaFreeHost(memory));
}

static int bsi_cuda_runtime_host_lock(void *state, void *memory, size_t bytes) {
    (void)state;
    return bsi_cuda_runtime_result(cudaHostRegister(memory, bytes, cudaHostRegisterPortable));
}

static int bsi_cuda_runtime_host_unlock(void *state, void *memory) {
    (void)state;
    return bsi_cuda_runtime_freed(cudaHostUnregister(memory));
}

static int bsi_cuda_runtime_device_alloc(void *state, size_t bytes, void **out) {
    (void)state;
    *out = NULL;
    return bsi_cuda_runtime_result(cudaMalloc(out, bytes));
}

static int bsi_cuda_runtime_device_free(void *state, void *memory) {
    (void)state;
    return bsi_cuda_runtime_freed(cudaFree(memory));
}

static int bsi_cuda_runtime_stream_open(void *state, unsigned flags, biost_cuda_stream *out) {
    int least = 0, greatest = 0, error = 0;
    (void)state;
    *out = NULL;
    if (flags & BIOST_CUDA_FIRST) {
        error = bsi_cuda_runtime_result(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    }
    return error != 0
               ? error
               : bsi_cuda_runtime_result(cudaStreamCreateWithPriority(out, cudaStreamNonBlocking, greatest));
}

static int bsi_cuda_runtime_stream_close(void *state, biost_cuda_stream stream) {
    (void)state;
    return bsi_cuda_runtime_freed(cudaStreamDestroy(stream));
}

static int bsi_cuda_runtime_stream_wait(void *state, biost_cuda_stream stream, void *event) {
    (void)state;
    return bsi_cuda_runtime_result(
        cudaStreamWaitEvent(bsi_cuda_runtime_stream(stream), (cudaEvent_t)event, 0));
}

static int bsi_cuda_runtime_stream_finish(void *state, biost_cuda_stream stream) {
    (void)state;
    return bsi_cuda_runtime_result(cudaStreamSynchronize(bsi_cuda_runtime_stream(stream)));
}

static int bsi_cuda_runtime_event_open(void *state, unsigned flags, void **out) {
    unsigned asked = cudaEventBlockingSync;
    cudaEvent_t event = NULL;
    int error;
    (void)state;
    if (!(flags & BIOST_CUDA_TIMING)) {
        asked |= cudaEventDisableTiming;
    }
    error = bsi_cuda_runtime_result(cudaEventCreateWithFlags(&event, asked));
    *out = error == 0 ? event : NULL;
    return error;
}

static int bsi_cuda_runtime_event_close(void *state, void *event) {
    (void)state;
    return bsi_cuda_runtime_freed(cudaEventDestroy((cudaEvent_t)event));
}

static int bsi_cuda_runtime_event_record(void *state, void *event, biost_cuda_stream stream) {
    (void)state;
    return bsi_cuda_runtime_result(cudaEventRecord((cudaEvent_t)event, bsi_cuda_runtime_stream(stream)));
}

/* cudaErrorNotReady is 600, BIOST_CUDA_NOT_READY; it too would be found by cudaGetLastError. */
static int bsi_cuda_runtime_event_query(void *state, void *event) {
    (void)state;
    return bsi_cuda_runtime_result(cudaEventQuery((cudaEvent_t)event));
}

static int bsi_cuda_runtime_event_wait(void *state, void *event) {
    (void)state;
    return bsi_cuda_runtime_result(cudaEventSynchronize((cudaEvent_t)event));
}

static int bsi_cuda_runtime_event_elapsed(void *state, void *from, void *to, float *out_ms) {
    (void)state;
    *out_ms = 0;
    return bsi_cuda_runtime_result(cudaEventElapsedTime(out_ms, (cudaEvent_t)from, (cudaEvent_t)to));
}

static int bsi_cuda_runtime_copy_in(void *state, void *to, const void *from, size_t bytes,
                                    biost_cuda_stream stream) {
    (void)state;
    return bsi_cuda_runtime_result(
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, bsi_cuda_runtime_stream(stream)));
}

static int bsi_cuda_runtime_copy_out(void *state, void *to, const void *from, size_t bytes,
                                     biost_cuda_stream stream) {
    (void)state;
    return bsi_cuda_runtime_result(
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, bsi_cuda_runtime_stream(stream)));
}

/* In a .cu by the kernels that nvcc compiled, else by those of the PTX. */
#if BSI_CUDA_IS_CUDA_FILE
static int bsi_cuda_runtime_expand(void *state, int number, const biost_cuda_expansion *expansion,
                                   biost_cuda_stream stream) {
    (void)state;
    (void)number;
    if (bsi_cuda_expand_check(expansion) != NULL) {
        return BSI_CUDA_DRIVER_BAD_VALUE;
    }
    return bsi_cuda_runtime_result(
        (cudaError_t)bsi_cuda_kernels_launch(expansion, bsi_cuda_runtime_stream(stream)));
}
#else
static int bsi_cuda_runtime_expand(void *state, int number, const biost_cuda_expansion *expansion,
                                   biost_cuda_stream stream) {
    return bsi_cuda_driver_expand(state, number, expansion, stream);
}
#endif

/* Numbers of the driver's calls, made here for devices, mean the same to the runtime. */
static const char *bsi_cuda_runtime_error_name(void *state, int error) {
    (void)state;
    return error < 0 ? bsi_cuda_driver_open_name(error) : cudaGetErrorName((cudaError_t)error);
}

static const char *bsi_cuda_runtime_error_text(void *state, int error) {
    (void)state;
    return error < 0 ? bsi_cuda_driver_open_text(error) : cudaGetErrorString((cudaError_t)error);
}

static const biost_cuda_provider *bsi_cuda_runtime_provider(void) {
    static const biost_cuda_provider provider = {
        "runtime",
        NULL,
        bsi_cuda_runtime_open,
        bsi_cuda_driver_close,
        bsi_cuda_driver_device_count,
        bsi_cuda_driver_enter,
        bsi_cuda_driver_leave,
        bsi_cuda_driver_device_open,
        bsi_cuda_driver_device_close,
        bsi_cuda_runtime_host_alloc,
        bsi_cuda_runtime_host_free,
        bsi_cuda_runtime_host_lock,
        bsi_cuda_runtime_host_unlock,
        bsi_cuda_runtime_device_alloc,
        bsi_cuda_runtime_device_free,
        bsi_cuda_runtime_stream_open,
        bsi_cuda_runtime_stream_close,
        bsi_cuda_driver_stream_captures,
        bsi_cuda_runtime_stream_wait,
        bsi_cuda_runtime_stream_finish,
        bsi_cuda_runtime_event_open,
        bsi_cuda_runtime_event_close,
        bsi_cuda_runtime_event_record,
        bsi_cuda_runtime_event_query,
        bsi_cuda_runtime_event_wait,
        bsi_cuda_runtime_event_elapsed,
        bsi_cuda_runtime_copy_in,
        bsi_cuda_runtime_copy_out,
        bsi_cuda_runtime_expand,
        bsi_cuda_runtime_error_name,
        bsi_cuda_runtime_error_text,
        0,
    };
    return &provider;
}
#else
static const biost_cuda_provider *bsi_cuda_runtime_provider(void) {
    return NULL;
}
#endif

/* ==========================================================================
 * >>device   one device: its streams, slots and events
 *   uses: config driver            allocates: yes  threads: no   I/O: no
 * ========================================================================== */

#define BSI_CUDA_QUALITY_PAD 255u /* a code that no Phred score is */

enum { BSI_CUDA_DEVICES_MOST = 16, BSI_CUDA_TENSORS_MOST = 4, BSI_CUDA_TOKEN_BYTES = 512 };

/* bsi_cuda_device_slot.state */
enum {
    BSI_CUDA_FREE = 0,  /* the ring may fill it */
    BSI_CUDA_TAKEN = 1, /* a batch is on its way, ready or held */
    BSI_CUDA_LOST = 2   /* when its users are done is not known: not used again */
};

/* Host memory, by the loader's allocator or malloc. */
static void *bsi_cuda_device_host_alloc(const biost_allocator *allocator, size_t bytes) {
    return allocator->alloc != NULL ? allocator->alloc(bytes, 64, allocator->user_data) : malloc(bytes);
}

static void bsi_cuda_device_host_free(const biost_allocator *allocator, void *memory, size_t bytes) {
    if (memory == NULL) {
        return;
    }
    if (allocator->alloc != NULL) {
        allocator->free(memory, bytes, allocator->user_data);
    } else {
        free(memory);
    }
}

/* What all devices and slots have in common; made at open. Sizes are the most there can be. */
typedef struct bsi_cuda_device_plan {
    biost_loader_desc loader;  /* what the loader is opened with */
    biost_encoding x;          /* what the user asked for */
    biost_dtype quality_dtype; /* likewise */
    uint32_t device_count, device_slots, copy_streams, flight_count, timeline_count;
    uint32_t expands_x, expands_quality;    /* 1: crosses the bus as codes */
    uint32_t x_channels, x_element_bytes;   /* of x expanded */
    uint32_t rows;                          /* of a device's batch */
    uint32_t columns;                       /* of a row, padding included */
    uint32_t name_bytes;                    /* of a name and its NUL; 0: no names */
    uint64_t slab_bytes;                    /* of a host slot */
    uint64_t part_bytes;                    /* what of it a device gets, in a slot of its own */
    uint64_t x_at, quality_at;              /* expansions in a device slot, from its first byte on */
    uint64_t slot_bytes;                    /* of a device slot */
    uint64_t table_bytes, quality_table_at; /* of a device's tables: x, then qualities */
} bsi_cuda_device_plan;

/* When a batch was where: events with times, and which of them were recorded for it. */
typedef struct bsi_cuda_device_times {
    void *copy_start, *copy_end, *expand_end, *use_start, *use_end;
    uint64_t number; /* of the batch: how many were sent before it */
    uint64_t epoch, index;
    uint32_t slot, stream;
    uint32_t busy; /* atomic; 1: its batch was not released yet */
    uint32_t has_copy, has_use_start;
    uint32_t has_use_end; /* atomic */
} bsi_cuda_device_times;

struct bsi_cuda_device;
struct bsi_cuda_device_slot;

/* What an export holds. */
typedef struct bsi_cuda_device_lease {
    struct bsi_cuda_device_lease *next; /* of those of its slot that wait for the end of a capture */
    biost_cuda *cuda;
    struct bsi_cuda_device *device;
    struct bsi_cuda_device_slot *slot;
    biost_cuda_stream consumer;
} bsi_cuda_device_lease;

/* A device slot: memory for one batch, and what is known of it in host memory. */
typedef struct bsi_cuda_device_slot {
    uint8_t *memory;                /* device, [plan.slot_bytes] */
    void *expanded;                 /* event: copied and expanded; NULL where nothing is expanded */
    void *used;                     /* event: all releases and deleted exports of its last batch */
    uint64_t number;                /* of its batch: how many were sent before it */
    uint64_t dropped;               /* number + 1 of a batch that begin took back, so nobody waited for it; 0:
                                       none */
    uint32_t state;                 /* atomic; BSI_CUDA_FREE and so on */
    uint32_t loan;                  /* atomic; generation of the batch while the caller holds it, else 0 */
    uint32_t holders;               /* atomic; the caller and exports */
    uint32_t latch;                 /* atomic; 1 while a thread records `used`, or has the leases */
    uint32_t is_used;               /* `used` was recorded in this loan; under latch */
    bsi_cuda_device_lease *waiting; /* deleted while their consumers captured; under latch */
    uint32_t is_closed;             /* nobody comes for those that wait any more; under latch */
    uint32_t is_unsure;             /* atomic; 1: its memory may be in use for ever, and is not freed */
    uint32_t lost_error;            /* atomic; why a deleter could not record it: the provider's, else 0 */
    uint32_t generation;            /* counts loans, never 0 */
    bsi_cuda_device_times *times;   /* of its batch, or NULL */
    biost_cuda_batch batch;         /* as handed out */
    biost_tensor tensors[BSI_CUDA_TENSORS_MOST];
    int32_t *lengths;       /* host, [plan.rows] */
    biost_row *origins;     /* host, [plan.rows] */
    char *names;            /* host, [plan.rows][plan.name_bytes] */
    uint32_t *name_offsets; /* host, [plan.rows] */
    uint8_t token[BSI_CUDA_TOKEN_BYTES];
} bsi_cuda_device_slot;

typedef struct bsi_cuda_device {
    const biost_cuda_provider *provider;
    void *state; /* the provider's */
    int number;  /* CUDA's */
    int is_open;
    int own_streams;
    biost_cuda_stream streams[8];
    bsi_cuda_device_slot *slots;  /* [plan.device_slots] */
    uint32_t next_slot;           /* where to look for a free one first, so that they take turns */
    uint32_t next_stream;         /* likewise */
    void **copied;                /* events, [plan.flight_count]; of batch `number` it is that at the rest */
    uint64_t passed;              /* so many batches, the first ones, have been copied: the host knows */
    bsi_cuda_device_times *times; /* [plan.timeline_count] */
    uint64_t times_taken;         /* where to look for times that no batch in use has */
    uint8_t *memory;              /* device, of all slots */
    uint64_t memory_bytes;
    uint8_t *tables; /* device, [plan.table_bytes] */
} bsi_cuda_device;

/* Open events of a device. Returns the provider's error. */
static int bsi_cuda_device_open_events(const bsi_cuda_device_plan *plan, bsi_cuda_device *device) {
    const biost_cuda_provider *provider = device->provider;
    int error = 0;
    uint32_t i;
    for (i = 0; error == 0 && i < plan->flight_count; ++i) {
        error = provider->event_open(device->state, 0, &device->copied[i]);
    }
    for (i = 0; error == 0 && i < plan->device_slots; ++i) {
        error = provider->event_open(device->state, 0, &device->slots[i].used);
        if (error == 0 && (plan->expands_x || plan->expands_quality)) {
            error = provider->event_open(device->state, 0, &device->slots[i].expanded);
        }
    }
    return error;
}

/* Open the events of times. */
static int bsi_cuda_device_open_times(const bsi_cuda_device_plan *plan, bsi_cuda_device *device) {
    const biost_cuda_provider *provider = device->provider;
    int error = 0;
    uint32_t i, k;
    for (i = 0; error == 0 && i < plan->timeline_count; ++i) {
        bsi_cuda_device_times *times = &device->times[i];
        void **const events[5] = {&times->copy_start, &times->copy_end, &times->expand_end, &times->use_start,
                                  &times->use_end};
        for (k = 0; error == 0 && k < 5; ++k) {
            error = provider->event_open(device->state, BIOST_CUDA_TIMING, events[k]);
        }
    }
    return error;
}

/* Open streams, or take the user's. */
static int bsi_cuda_device_open_streams(const bsi_cuda_device_plan *plan, bsi_cuda_device *device,
                                        const biost_cuda_stream *streams) {
    int error = 0;
    uint32_t i;
    device->own_streams = streams == NULL;
    for (i = 0; error == 0 && i < plan->copy_streams; ++i) {
        if (streams != NULL) {
            device->streams[i] = streams[i];
        } else {
            error = device->provider->stream_open(device->state, BIOST_CUDA_FIRST, &device->streams[i]);
        }
    }
    return error;
}

/*
 * Wait for all a stream was asked for. CUDA may report what failed before in another place, so it is asked
 * once more: of a device that is lost the answer comes at once. Returns the provider's error.
 */
static int bsi_cuda_device_finish(const bsi_cuda_device *device, biost_cuda_stream stream) {
    int error = device->provider->stream_finish(device->state, stream);
    return error == 0 ? 0 : device->provider->stream_finish(device->state, stream);
}

static void bsi_cuda_device_event_close(const bsi_cuda_device *device, void *event) {
    if (event != NULL) {
        (void)device->provider->event_close(device->state, event);
    }
}

/* Close events and own streams; those that were not opened are NULL. */
static void bsi_cuda_device_close_handles(const bsi_cuda_device_plan *plan, bsi_cuda_device *device) {
    uint32_t i;
    for (i = 0; i < plan->flight_count; ++i) {
        bsi_cuda_device_event_close(device, device->copied[i]);
    }
    for (i = 0; i < plan->device_slots; ++i) {
        bsi_cuda_device_event_close(device, device->slots[i].expanded);
        bsi_cuda_device_event_close(device, device->slots[i].used);
    }
    for (i = 0; i < plan->timeline_count; ++i) {
        bsi_cuda_device_event_close(device, device->times[i].copy_start);
        bsi_cuda_device_event_close(device, device->times[i].copy_end);
        bsi_cuda_device_event_close(device, device->times[i].expand_end);
        bsi_cuda_device_event_close(device, device->times[i].use_start);
        bsi_cuda_device_event_close(device, device->times[i].use_end);
    }
    for (i = 0; i < plan->copy_streams && device->own_streams; ++i) {
        if (device->streams[i] != NULL) {
            (void)device->provider->stream_close(device->state, device->streams[i]);
        }
    }
}

/* Device memory, by the user's functions or the provider's. NULL with *out_error the provider's, or 0. */
static uint8_t *bsi_cuda_device_alloc(const bsi_cuda_device *device, const biost_cuda_memory *memory,
                                      uint64_t bytes, int *out_error) {
    void *out = NULL;
    *out_error = 0;
    if (bytes > SIZE_MAX) {
        return NULL;
    }
    if (memory->alloc != NULL) {
        return (uint8_t *)memory->alloc((size_t)bytes, device->number, memory->user_data);
    }
    *out_error = device->provider->device_alloc(device->state, (size_t)bytes, &out);
    return *out_error == 0 ? (uint8_t *)out : NULL;
}

static void bsi_cuda_device_free(const bsi_cuda_device *device, const biost_cuda_memory *memory,
                                 uint8_t *from, uint64_t bytes) {
    if (from == NULL) {
        return;
    }
    if (memory->free != NULL) {
        memory->free(from, (size_t)bytes, device->number, memory->user_data);
    } else {
        (void)device->provider->device_free(device->state, from);
    }
}

/*
 * Does the stream capture? Then nothing is to be recorded on it. Returns BIOST_CUDA_CAPTURES, or another
 * error.
 */
static int bsi_cuda_device_check_stream(const bsi_cuda_device *device, biost_cuda_stream stream) {
    int captures = 0;
    int error = device->provider->stream_captures(device->state, stream, &captures);
    return error == 0 && captures ? (int)BIOST_CUDA_CAPTURES : error;
}

/*
 * Make a stream, which does not capture, wait for the batch with this number in a slot. Where nothing is
 * expanded the event is that of its copy, which is another batch's as soon as the host knows that the copy
 * has passed: then there is nothing to wait for. Owner only. Returns the provider's error.
 */
static int bsi_cuda_device_await(const bsi_cuda_device_plan *plan, const bsi_cuda_device *device,
                                 const bsi_cuda_device_slot *slot, uint64_t number,
                                 biost_cuda_stream stream) {
    void *copied = device->copied[number % plan->flight_count];
    if (slot->expanded == NULL && number < device->passed) {
        return 0;
    }
    return device->provider->stream_wait(device->state, stream,
                                         slot->expanded != NULL ? slot->expanded : copied);
}

/* Keep other threads off a slot's record and leases: for a few calls. */
static void bsi_cuda_device_latch(bsi_cuda_device_slot *slot) {
    while (!bsi_cuda_exchange(&slot->latch, 0, 1)) {
        bsi_cuda_driver_yield();
    }
}

/*
 * Record that a user of the slot's batch is done once `stream` gets here, behind all who were done
 * before. Any thread; the device is current. Returns the provider's error, or BIOST_CUDA_CAPTURES where the
 * stream captures; then nothing is recorded.
 */
static int bsi_cuda_device_slot_record(const bsi_cuda_device *device, bsi_cuda_device_slot *slot,
                                       biost_cuda_stream stream) {
    const biost_cuda_provider *provider = device->provider;
    int error = bsi_cuda_device_check_stream(device, stream);
    if (error != 0) {
        return error;
    }
    bsi_cuda_device_latch(slot);
    if (slot->is_used) {
        error = provider->stream_wait(device->state, stream, slot->used);
    }
    if (error == 0 && slot->times != NULL) {
        error = provider->event_record(device->state, slot->times->use_end, stream);
        bsi_cuda_store(&slot->times->has_use_end, error == 0);
    }
    if (error == 0) {
        error = provider->event_record(device->state, slot->used, stream);
    }
    slot->is_used |= error == 0;
    bsi_cuda_store(&slot->latch, 0);
    return error;
}

/* The same with another device current, or none. */
static int bsi_cuda_device_slot_used(const bsi_cuda_device *device, bsi_cuda_device_slot *slot,
                                     biost_cuda_stream stream) {
    void *before = NULL;
    int error = device->provider->enter(device->state, device->number, &before);
    if (error == 0) {
        error = bsi_cuda_device_slot_record(device, slot, stream);
        device->provider->leave(device->state, before);
    }
    return error;
}

/*
 * The lease of a deleted export whose consumer captures waits for somebody to come for it, and its slot with
 * it. Returns 0 where nobody will.
 */
static int bsi_cuda_device_slot_defer(bsi_cuda_device_slot *slot, bsi_cuda_device_lease *lease) {
    int can;
    bsi_cuda_device_latch(slot);
    can = !slot->is_closed;
    if (can) {
        lease->next = slot->waiting;
        slot->waiting = lease;
    }
    bsi_cuda_store(&slot->latch, 0);
    return can;
}

/* The leases that wait; with `closes` none will again. */
static bsi_cuda_device_lease *bsi_cuda_device_slot_collect(bsi_cuda_device_slot *slot, int closes) {
    bsi_cuda_device_lease *waiting;
    bsi_cuda_device_latch(slot);
    waiting = slot->waiting;
    slot->waiting = NULL;
    slot->is_closed |= closes != 0;
    bsi_cuda_store(&slot->latch, 0);
    return waiting;
}

/* One holder of the slot's batch less; the last one gives it to the ring. Any thread. */
static void bsi_cuda_device_slot_drop(bsi_cuda_device_slot *slot) {
    if (bsi_cuda_add(&slot->holders, UINT32_MAX) == 0) {
        bsi_cuda_device_times *times = slot->times;
        uint32_t state = bsi_cuda_load(&slot->lost_error) != 0 ? BSI_CUDA_LOST : BSI_CUDA_FREE;
        slot->times = NULL;
        if (times != NULL) {
            bsi_cuda_store(&times->busy, 0);
        }
        bsi_cuda_store(&slot->state, state);
    }
}

/* A free slot, taken; NULL: there is none. Slots take turns, so that copy streams do. */
static bsi_cuda_device_slot *bsi_cuda_device_take(const bsi_cuda_device_plan *plan, bsi_cuda_device *device) {
    uint32_t i;
    for (i = 0; i < plan->device_slots; ++i) {
        uint32_t at = (device->next_slot + i) % plan->device_slots;
        if (bsi_cuda_load(&device->slots[at].state) == BSI_CUDA_FREE) {
            device->next_slot = (at + 1) % plan->device_slots;
            bsi_cuda_store(&device->slots[at].state, BSI_CUDA_TAKEN);
            return &device->slots[at];
        }
    }
    return NULL;
}

/* Is there one? */
static int bsi_cuda_device_has_free(const bsi_cuda_device_plan *plan, const bsi_cuda_device *device) {
    uint32_t i;
    for (i = 0; i < plan->device_slots; ++i) {
        if (bsi_cuda_load(&device->slots[i].state) == BSI_CUDA_FREE) {
            return 1;
        }
    }
    return 0;
}

/* Times for a batch that is on its way: the next that no batch in use has; NULL: none. */
static bsi_cuda_device_times *bsi_cuda_device_take_times(const bsi_cuda_device_plan *plan,
                                                         bsi_cuda_device *device) {
    uint32_t i;
    for (i = 0; i < plan->timeline_count; ++i) {
        bsi_cuda_device_times *times = &device->times[device->times_taken % plan->timeline_count];
        ++device->times_taken;
        if (!bsi_cuda_load(&times->busy)) {
            times->has_copy = 0;
            times->has_use_start = 0;
            bsi_cuda_store(&times->has_use_end, 0);
            bsi_cuda_store(&times->busy, 1);
            return times;
        }
    }
    return NULL;
}

/* ==========================================================================
 * >>ring   host batches to device slots, in order
 *   uses: config words expand device           allocates: yes  threads: no   I/O: no
 * ========================================================================== */

/* A host slot's memory, from the loader's asking for it to its giving back. */
typedef struct bsi_cuda_ring_locked {
    void *memory;
    size_t bytes;
} bsi_cuda_ring_locked;

struct biost_cuda {
    const biost_cuda_provider *provider;
    void *state;
    int provider_is_open;
    biost_loader *loader;
    bsi_cuda_device_plan plan;
    biost_allocator allocator; /* the loader's */
    biost_allocator host;      /* the user's for host slots; alloc NULL: the provider's */
    biost_cuda_memory memory;
    int write_combined, tokens;
    uint64_t own_bytes;
    bsi_cuda_device *devices; /* [plan.device_count] */
    biost_batch *flights;     /* [plan.flight_count] the loader's batches on their way: the one with `number`
                                 lies at number % plan.flight_count */
    uint64_t taken, sent,
        given_back;               /* so many batches, the first ones, were taken from the loader, asked of all
                                         devices, and given back as the copies of all devices have passed */
    bsi_cuda_device_slot **queue; /* [plan.device_slots][plan.device_count] batches not handed out yet */
    uint32_t queue_first, queue_count;
    biost_batch spare; /* has_spare: of the loader's, no device slot was free for it */
    int has_spare;
    uint32_t refs;         /* atomic; the owner and exports */
    uint32_t waiting;      /* atomic; leases that wait for the end of a capture */
    uint32_t is_cancelled; /* atomic */
    biost_result last;     /* what the owner's last call returned */
    int leaks_host;        /* desc.host's memory must not be freed: a device may still read it */
    biost_cuda_counters counters;
    int begun;
    biost_error error;      /* ended it: a device's */
    biost_error refusal;    /* of the owner's last call */
    biost_error lock_error; /* why host memory was not to be had; see bsi_cuda_ring_lock */
};

/* ---- host slots ----------------------------------------------------------- */

#define BSI_CUDA_RING_PAGE ((size_t)65536) /* a multiple of the pages of all systems */

/* Whole pages for so many bytes: memory is locked by pages. */
static uint64_t bsi_cuda_ring_pages(uint64_t bytes) {
    return (bytes + BSI_CUDA_RING_PAGE - 1) / BSI_CUDA_RING_PAGE * BSI_CUDA_RING_PAGE;
}

/* The loader's slot_allocator: page-locked memory. In open, by the thread that opens. */
static void *bsi_cuda_ring_lock(size_t bytes, size_t align, void *user_data) {
    biost_cuda *cuda = (biost_cuda *)user_data;
    const bsi_cuda_device *device = &cuda->devices[0];
    unsigned flags = cuda->write_combined ? (unsigned)BIOST_CUDA_WRITE_COMBINED : 0u;
    void *memory = NULL, *before = NULL;
    int error = cuda->provider->enter(cuda->state, device->number, &before);
    int entered = error == 0;
    (void)align; /* what is locked starts with a page */
    if (error == 0 && cuda->host.alloc != NULL) {
        bytes = (size_t)bsi_cuda_ring_pages(bytes);
        memory = cuda->host.alloc(bytes, BSI_CUDA_RING_PAGE, cuda->host.user_data);
        error = memory == NULL ? 0 : cuda->provider->host_lock(cuda->state, memory, bytes);
        if (error != 0) {
            cuda->host.free(memory, bytes, cuda->host.user_data);
            memory = NULL;
        }
    } else if (error == 0) {
        error = cuda->provider->host_alloc(cuda->state, bytes, flags, &memory);
    }
    if (entered) {
        cuda->provider->leave(cuda->state, before);
    }
    if (error != 0) {
        bsi_cuda_words_device_error(&cuda->lock_error, cuda->provider, cuda->state, error,
                                    "page-locking memory for batches");
        return NULL;
    }
    return memory;
}

/* Its other half: in biost_loader_close. What a device may still read is left to the end of the process. */
static void bsi_cuda_ring_unlock(void *memory, size_t bytes, void *user_data) {
    biost_cuda *cuda = (biost_cuda *)user_data;
    void *before = NULL;
    int entered = cuda->provider->enter(cuda->state, cuda->devices[0].number, &before) == 0;
    if (cuda->host.alloc == NULL) {
        (void)(cuda->leaks_host ? 0 : cuda->provider->host_free(cuda->state, memory));
    } else if (cuda->provider->host_unlock(cuda->state, memory) == 0 && !cuda->leaks_host) {
        cuda->host.free(memory, (size_t)bsi_cuda_ring_pages(bytes), cuda->host.user_data);
    }
    if (entered) {
        cuda->provider->leave(cuda->state, before);
    }
}

/* ---- errors --------------------------------------------------------------- */

/* A call to a device failed: everything ends here. Returns ERR_DEVICE. */
static biost_result bsi_cuda_ring_fail(biost_cuda *cuda, int error, const char *what) {
    if (cuda->error.code == BIOST_OK) {
        bsi_cuda_words_device_error(&cuda->error, cuda->provider, cuda->state, error, what);
        if (cuda->loader != NULL) {
            biost_loader_cancel(cuda->loader);
        }
    }
    return cuda->error.code;
}

/* A call of the owner's is refused; nothing ends. */
static biost_result bsi_cuda_ring_refuse(biost_cuda *cuda, biost_result code, biost_fault fault,
                                         const char *text) {
    bsi_cuda_words_begin_error(&cuda->refusal, code, fault, text);
    return code;
}

/* What a call of the owner's returns, kept for biost_cuda_error. */
static biost_result bsi_cuda_ring_told(biost_cuda *cuda, biost_result result) {
    cuda->last = result;
    return result;
}

/* ---- from a host batch to a device's -------------------------------------- */

/* Rows of a batch that a device gets, as a rank would: `valid` from row `from` on, then `padding`. */
typedef struct bsi_cuda_ring_share {
    uint32_t from, valid, padding_from, padding;
} bsi_cuda_ring_share;

static bsi_cuda_ring_share bsi_cuda_ring_share_of(const biost_batch *batch, uint32_t device,
                                                  uint32_t devices) {
    uint64_t valid = batch->valid_rows, before = valid * device / devices;
    uint64_t places = (uint64_t)batch->rows / devices;
    bsi_cuda_ring_share share;
    share.from = (uint32_t)before;
    share.valid = (uint32_t)(valid * (device + 1) / devices - before);
    share.padding = batch->flags & BIOST_BATCH_SHORT ? 0 : (uint32_t)(places - share.valid);
    share.padding_from = batch->flags & BIOST_BATCH_SHORT ? 0 : (uint32_t)(valid + places * device - before);
    return share;
}

/* Ask for a copy, of no bytes none, and count it. */
static int bsi_cuda_ring_copy_bytes(biost_cuda *cuda, const bsi_cuda_device *device, uint8_t *to,
                                    const uint8_t *from, uint64_t bytes, biost_cuda_stream stream) {
    if (bytes == 0) {
        return 0;
    }
    ++cuda->counters.copy_count;
    cuda->counters.copied_bytes += bytes;
    return device->provider->copy_in(device->state, to, from, (size_t)bytes, stream);
}

/* Copy a device's share of an array of rows, and say where the next one goes. */
static int bsi_cuda_ring_copy_share(biost_cuda *cuda, const bsi_cuda_device *device, uint8_t **at,
                                    const void *array, uint64_t row_bytes, const bsi_cuda_ring_share *share,
                                    biost_cuda_stream stream) {
    const uint8_t *rows = (const uint8_t *)array;
    uint64_t bytes = row_bytes * share->valid;
    uint8_t *to = *at;
    int error = bsi_cuda_ring_copy_bytes(cuda, device, to, rows + row_bytes * share->from, bytes, stream);
    if (error == 0) {
        error = bsi_cuda_ring_copy_bytes(cuda, device, to + bytes, rows + row_bytes * share->padding_from,
                                         row_bytes * share->padding, stream);
    }
    *at = to + bsi_cuda_round_up(row_bytes * cuda->plan.rows); /* also of fewer: a slot keeps its addresses */
    return error;
}

/* Bytes of a tensor's row; of a tensor without rows 0. */
static uint64_t bsi_cuda_ring_row_bytes(const biost_tensor *tensor) {
    return tensor->shape[0] > 0 ? tensor->bytes / (uint64_t)tensor->shape[0] : 0;
}

/*
 * Ask for the copies of a batch's share into a slot, and note where its arrays lie there: with one device
 * the whole slab at once, else array by array.
 */
static int bsi_cuda_ring_copy(biost_cuda *cuda, const bsi_cuda_device *device, bsi_cuda_device_slot *slot,
                              const biost_batch *batch, const bsi_cuda_ring_share *share,
                              biost_cuda_stream stream) {
    uint8_t *at = slot->memory;
    uint32_t i;
    int error;
    if (cuda->plan.device_count == 1) {
        const uint8_t *slab = (const uint8_t *)batch->slab;
        slot->batch.lengths = (const int32_t *)(const void *)(at + ((const uint8_t *)batch->lengths - slab));
        for (i = 0; i < batch->tensor_count; ++i) {
            slot->tensors[i].data = at + ((const uint8_t *)batch->tensors[i].data - slab);
        }
        return bsi_cuda_ring_copy_bytes(cuda, device, at, slab, batch->slab_bytes, stream);
    }
    slot->batch.lengths = (const int32_t *)(const void *)at;
    error = bsi_cuda_ring_copy_share(cuda, device, &at, batch->lengths, sizeof(int32_t), share, stream);
    for (i = 0; error == 0 && i < batch->tensor_count; ++i) {
        slot->tensors[i].data = at;
        error = bsi_cuda_ring_copy_share(cuda, device, &at, batch->tensors[i].data,
                                         bsi_cuda_ring_row_bytes(&batch->tensors[i]), share, stream);
    }
    return error;
}

/* Make a tensor of codes the tensor of their elements at `out`, with `channels`; 0: it has none. */
static void bsi_cuda_ring_reshape(biost_tensor *tensor, void *out, biost_dtype dtype,
                                  const biost_cuda_expansion *expansion, uint32_t channels) {
    int64_t columns = tensor->shape[1], stride = 1;
    uint32_t i;
    tensor->data = out;
    tensor->dtype = dtype;
    if (channels > 0) {
        tensor->ndim = 3;
        tensor->shape[1] = expansion->is_ncl ? (int64_t)channels : columns;
        tensor->shape[2] = expansion->is_ncl ? columns : (int64_t)channels;
        memcpy(tensor->layout, expansion->is_ncl ? "NCL" : "NLC", 4);
    }
    for (i = tensor->ndim; i-- > 0; stride *= tensor->shape[i]) {
        tensor->strides[i] = stride;
    }
    tensor->bytes = (uint64_t)stride * expansion->element_bytes;
}

/* Expand one tensor of codes of a slot, whose shape is still that of the codes. */
static int bsi_cuda_ring_expand_tensor(biost_cuda *cuda, const bsi_cuda_device *device,
                                       bsi_cuda_device_slot *slot, biost_tensor *tensor,
                                       biost_cuda_stream stream) {
    const bsi_cuda_device_plan *plan = &cuda->plan;
    int is_x = tensor->role == BIOST_ROLE_INPUT;
    biost_cuda_expansion expansion;
    memset(&expansion, 0, sizeof expansion);
    expansion.codes = (const uint8_t *)tensor->data;
    expansion.table = device->tables + (is_x ? 0 : plan->quality_table_at);
    expansion.out = slot->memory + (is_x ? plan->x_at : plan->quality_at);
    expansion.rows = (uint32_t)tensor->shape[0];
    expansion.columns = (uint32_t)tensor->shape[1];
    expansion.channels = is_x ? plan->x_channels : 1;
    expansion.element_bytes = is_x ? plan->x_element_bytes : (uint32_t)sizeof(float);
    expansion.is_ncl = is_x && plan->x.layout == BIOST_LAYOUT_NCL;
    if (!is_x) {
        expansion.lengths = slot->batch.lengths; /* Q 0 and padding are one byte and two numbers */
        expansion.pad_code = BSI_CUDA_QUALITY_PAD;
        expansion.pad_left = plan->x.pad_side == BIOST_PAD_LEFT;
    }
    bsi_cuda_ring_reshape(tensor, expansion.out, is_x ? plan->x.dtype : plan->quality_dtype, &expansion,
                          is_x && plan->x.kind == BIOST_ENCODE_ONEHOT ? plan->x_channels : 0);
    if (expansion.rows == 0 || expansion.columns == 0) {
        return 0;
    }
    ++cuda->counters.expand_count;
    return device->provider->expand(device->state, device->number, &expansion, stream);
}

/* Describe a device's share of a batch as the codes that crossed the bus. */
static void bsi_cuda_ring_describe(biost_cuda *cuda, uint32_t index, bsi_cuda_device_slot *slot,
                                   const biost_batch *batch, const bsi_cuda_ring_share *share) {
    biost_cuda_batch *out = &slot->batch;
    uint32_t i;
    memset(out, 0, sizeof *out);
    out->epoch = batch->epoch;
    out->index = batch->index;
    out->rows = share->valid + share->padding;
    out->valid_rows = share->valid;
    out->flags = out->rows < cuda->plan.rows ? batch->flags : batch->flags & ~(uint32_t)BIOST_BATCH_SHORT;
    out->tensor_count = batch->tensor_count;
    out->tensors = slot->tensors;
    out->host_lengths = slot->lengths;
    out->origins = slot->origins;
    out->names = cuda->plan.name_bytes > 0 ? slot->names : NULL;
    out->name_offsets = cuda->plan.name_bytes > 0 ? slot->name_offsets : NULL;
    out->digest = index == 0 ? batch->digest : 0;
    out->device = cuda->devices[index].number;
    out->device_index = index;
    out->slot = (uint32_t)(slot - cuda->devices[index].slots);
    for (i = 0; i < batch->tensor_count; ++i) {
        slot->tensors[i] = batch->tensors[i];
        slot->tensors[i].bytes = bsi_cuda_ring_row_bytes(&batch->tensors[i]) * out->rows;
        slot->tensors[i].shape[0] = (int64_t)out->rows;
        slot->tensors[i].device = cuda->provider->is_host ? -1 : cuda->devices[index].number;
    }
}

/* Keep in host memory what is read there: the host slot goes back before the batch is used. */
static void bsi_cuda_ring_keep_rows(biost_cuda *cuda, bsi_cuda_device_slot *slot, const biost_batch *batch,
                                    uint32_t to, uint32_t from, uint32_t count) {
    uint32_t i, name_bytes = cuda->plan.name_bytes;
    memcpy(slot->lengths + to, batch->lengths + from, count * sizeof slot->lengths[0]);
    memcpy(slot->origins + to, batch->origins + from, count * sizeof slot->origins[0]);
    for (i = 0; i < count && name_bytes > 0; ++i) {
        char *name = slot->names + (size_t)(to + i) * name_bytes;
        memcpy(name, batch->names + batch->name_offsets[from + i], name_bytes);
    }
}

/*
 * Ask one device, which is current, for its share of a batch: wait for the slot, copy, expand, record.
 */
static int bsi_cuda_ring_send(biost_cuda *cuda, uint32_t index, bsi_cuda_device_slot *slot) {
    const biost_batch *batch = &cuda->flights[slot->number % cuda->plan.flight_count];
    bsi_cuda_device *device = &cuda->devices[index];
    const biost_cuda_provider *provider = device->provider;
    uint32_t i, turn = device->next_stream++ % cuda->plan.copy_streams;
    biost_cuda_stream stream = device->streams[turn];
    bsi_cuda_ring_share share = bsi_cuda_ring_share_of(batch, index, cuda->plan.device_count);
    bsi_cuda_device_times *times = slot->times;
    int error = provider->stream_wait(device->state, stream, slot->used);
    if (error == 0 && slot->dropped > 0) {
        error = bsi_cuda_device_await(&cuda->plan, device, slot, slot->dropped - 1, stream);
        slot->dropped = 0;
    }
    if (error == 0 && times != NULL) {
        times->stream = turn;
        error = provider->event_record(device->state, times->copy_start, stream);
    }
    if (error == 0) {
        error = bsi_cuda_ring_copy(cuda, device, slot, batch, &share, stream);
    }
    if (error == 0) {
        error = provider->event_record(device->state, device->copied[slot->number % cuda->plan.flight_count],
                                       stream);
    }
    if (error == 0 && times != NULL) {
        error = provider->event_record(device->state, times->copy_end, stream);
    }
    for (i = 0; error == 0 && i < slot->batch.tensor_count; ++i) {
        biost_role role = slot->tensors[i].role;
        if ((role == BIOST_ROLE_INPUT && cuda->plan.expands_x) ||
            (role == BIOST_ROLE_QUALITY && cuda->plan.expands_quality)) {
            error = bsi_cuda_ring_expand_tensor(cuda, device, slot, &slot->tensors[i], stream);
        }
    }
    if (error == 0 && times != NULL) {
        error = provider->event_record(device->state, times->expand_end, stream);
        times->has_copy = error == 0;
    }
    if (error == 0 && slot->expanded != NULL) {
        error = provider->event_record(device->state, slot->expanded, stream);
    }
    slot->batch.x = slot->tensors[0];
    return error;
}

/* ---- the queue ------------------------------------------------------------ */

/* The token behind a batch, into the slots that show it. */
static void bsi_cuda_ring_make_token(biost_cuda *cuda, const biost_batch *batch,
                                     bsi_cuda_device_slot **slots) {
    size_t bytes = 0;
    uint32_t i;
    if (!cuda->tokens ||
        biost_loader_token(cuda->loader, batch, slots[0]->token, BSI_CUDA_TOKEN_BYTES, &bytes) != BIOST_OK) {
        return;
    }
    for (i = 0; i < cuda->plan.device_count; ++i) {
        if (i > 0) {
            memcpy(slots[i]->token, slots[0]->token, bytes);
        }
        slots[i]->batch.token = slots[i]->token;
        slots[i]->batch.token_bytes = bytes;
    }
}

/*
 * Queue a batch of the loader's, to be sent: it has a free slot of each device, and what stays in host
 * memory.
 */
static void bsi_cuda_ring_enqueue(biost_cuda *cuda, const biost_batch *batch) {
    const bsi_cuda_device_plan *plan = &cuda->plan;
    uint32_t at = (cuda->queue_first + cuda->queue_count) % plan->device_slots, i;
    bsi_cuda_device_slot **slots = cuda->queue + (size_t)at * plan->device_count;
    cuda->flights[cuda->taken % plan->flight_count] = *batch;
    for (i = 0; i < plan->device_count; ++i) {
        bsi_cuda_device_slot *slot = bsi_cuda_device_take(plan, &cuda->devices[i]);
        bsi_cuda_ring_share share = bsi_cuda_ring_share_of(batch, i, plan->device_count);
        slots[i] = slot;
        slot->number = cuda->taken;
        bsi_cuda_ring_describe(cuda, i, slot, batch, &share);
        bsi_cuda_ring_keep_rows(cuda, slot, batch, 0, share.from, share.valid);
        bsi_cuda_ring_keep_rows(cuda, slot, batch, share.valid, share.padding_from, share.padding);
        slot->times = bsi_cuda_device_take_times(plan, &cuda->devices[i]);
        if (slot->times != NULL) {
            slot->times->number = slot->number;
            slot->times->epoch = batch->epoch;
            slot->times->index = batch->index;
            slot->times->slot = slot->batch.slot;
        }
    }
    ++cuda->taken;
    ++cuda->queue_count;
    bsi_cuda_ring_make_token(cuda, batch, slots);
}

/* The slots of the queued batch with this number. */
static bsi_cuda_device_slot **bsi_cuda_ring_slots_of(const biost_cuda *cuda, uint64_t number) {
    uint32_t behind = cuda->queue_count - (uint32_t)(cuda->taken - number);
    uint32_t at = (cuda->queue_first + behind) % cuda->plan.device_slots;
    return cuda->queue + (size_t)at * cuda->plan.device_count;
}

/* Send what one device, which is current, was not sent yet. Returns the provider's error. */
static int bsi_cuda_ring_send_rest(biost_cuda *cuda, uint32_t index) {
    uint64_t number;
    int error = 0;
    for (number = cuda->sent; error == 0 && number < cuda->taken; ++number) {
        error = bsi_cuda_ring_send(cuda, index, bsi_cuda_ring_slots_of(cuda, number)[index]);
    }
    return error;
}

/*
 * Which copies have passed on a device that is current? They are asked for in order, up to the first that has
 * not: copies on other streams that are behind it are seldom done before it. Returns the provider's error.
 */
static int bsi_cuda_ring_look(const biost_cuda *cuda, bsi_cuda_device *device) {
    int error = 0;
    while (error == 0 && device->passed < cuda->sent) {
        error = device->provider->event_query(device->state,
                                              device->copied[device->passed % cuda->plan.flight_count]);
        device->passed += error == 0;
    }
    return error == BIOST_CUDA_NOT_READY || error == BIOST_CUDA_CAPTURES ? 0 : error;
}

/* Give host slots back whose copies have passed on all devices. Returns how many. */
static uint32_t bsi_cuda_ring_give_back(biost_cuda *cuda) {
    uint64_t passed = cuda->sent;
    uint32_t i, count = 0;
    for (i = 0; i < cuda->plan.device_count; ++i) {
        passed = cuda->devices[i].passed < passed ? cuda->devices[i].passed : passed;
    }
    for (; cuda->given_back < passed; ++cuda->given_back, ++count) {
        (void)biost_loader_release(cuda->loader, &cuda->flights[cuda->given_back % cuda->plan.flight_count]);
    }
    return count;
}

/* The copy of the oldest batch on its way, on one device: wait for it, or only look. */
static int bsi_cuda_ring_pass(biost_cuda *cuda, bsi_cuda_device *device, int waits) {
    void *event = device->copied[cuda->given_back % cuda->plan.flight_count], *before = NULL;
    int error = device->provider->enter(device->state, device->number, &before);
    if (error == 0) {
        error = waits ? device->provider->event_wait(device->state, event) : 0;
        error = error == 0 ? bsi_cuda_ring_look(cuda, device) : error;
        device->provider->leave(device->state, before);
    }
    return error;
}

/* All host slots are being copied: get the first of them back; without `waits`, if it has passed. */
static biost_result bsi_cuda_ring_retire(biost_cuda *cuda, int waits) {
    int error = 0;
    uint32_t i;
    if (cuda->given_back == cuda->sent) {
        return bsi_cuda_ring_refuse(cuda, BIOST_ERR_SLOTS, BIOST_FAULT_SLOTS,
                                    "the loader has no free slot, and none is being copied");
    }
    cuda->counters.host_wait_count += waits != 0;
    for (i = 0; error == 0 && i < cuda->plan.device_count; ++i) {
        error = bsi_cuda_ring_pass(cuda, &cuda->devices[i], waits);
    }
    if (error == BIOST_CUDA_CAPTURES) {
        return bsi_cuda_ring_refuse(
            cuda, BIOST_ERR_ARG, BIOST_FAULT_STATE,
            "all host slots are being copied, and with this driver none can be waited "
            "for while a CUDA graph is captured: end that first");
    }
    if (error != 0) {
        return bsi_cuda_ring_fail(cuda, error, "waiting for a copy");
    }
    return bsi_cuda_ring_give_back(cuda) > 0 || waits ? BIOST_OK : BIOST_PENDING;
}

/* ---- exports deleted during a capture ------------------------------------- */

/* A lease ends: its user is done as `used` says, or, with an error, nobody knows when. */
static void bsi_cuda_ring_end_lease(bsi_cuda_device_lease *lease, int error) {
    biost_cuda *cuda = lease->cuda;
    bsi_cuda_device_slot *slot = lease->slot;
    if (error == BIOST_CUDA_CAPTURES) {
        bsi_cuda_store(&slot->is_unsure, 1);
    } else if (error != 0) {
        bsi_cuda_store(&slot->lost_error, (uint32_t)error);
    }
    bsi_cuda_device_host_free(&cuda->allocator, lease, sizeof *lease);
    bsi_cuda_device_slot_drop(slot);
}

/* Come for the leases of a slot that wait. Its device is current, or could not be entered: `error`. */
static void bsi_cuda_ring_settle_slot(biost_cuda *cuda, bsi_cuda_device *device, bsi_cuda_device_slot *slot,
                                      int error, int closes) {
    bsi_cuda_device_lease *lease = bsi_cuda_device_slot_collect(slot, closes), *next;
    for (; lease != NULL; lease = next) {
        int failed = error != 0 ? error : bsi_cuda_device_slot_record(device, slot, lease->consumer);
        next = lease->next;
        if (failed != BIOST_CUDA_CAPTURES || !bsi_cuda_device_slot_defer(slot, lease)) {
            (void)bsi_cuda_add(&cuda->waiting, UINT32_MAX);
            bsi_cuda_ring_end_lease(lease, failed);
            (void)bsi_cuda_add(&cuda->refs, UINT32_MAX); /* the owner still has his */
        }
    }
}

/* Come for all that wait. With `closes` for the last time. */
static void bsi_cuda_ring_settle(biost_cuda *cuda, int closes) {
    uint32_t i, k;
    for (i = 0; i < cuda->plan.device_count && (closes || bsi_cuda_load(&cuda->waiting) > 0); ++i) {
        bsi_cuda_device *device = &cuda->devices[i];
        void *before = NULL;
        int error = device->is_open ? cuda->provider->enter(cuda->state, device->number, &before) : -1;
        for (k = 0; k < cuda->plan.device_slots; ++k) {
            bsi_cuda_ring_settle_slot(cuda, device, &device->slots[k], error, closes);
        }
        if (error == 0) {
            cuda->provider->leave(cuda->state, before);
        }
    }
}

/* ---- next ----------------------------------------------------------------- */

/* The error that made slots useless, of all devices, or 0: its batch was never said to be done with. */
static int bsi_cuda_ring_lost(const biost_cuda *cuda) {
    uint32_t i, k, error = 0;
    for (i = 0; i < cuda->plan.device_count; ++i) {
        for (k = 0; k < cuda->plan.device_slots && error == 0; ++k) {
            error = bsi_cuda_load(&cuda->devices[i].slots[k].lost_error);
        }
    }
    return (int)error;
}

/* Does every device have a free slot? */
static int bsi_cuda_ring_has_room(const biost_cuda *cuda) {
    uint32_t i;
    for (i = 0; i < cuda->plan.device_count; ++i) {
        if (!bsi_cuda_device_has_free(&cuda->plan, &cuda->devices[i])) {
            return 0;
        }
    }
    return 1;
}

/* Take the loader's next batch, the spare one first. */
static biost_result bsi_cuda_ring_take(biost_cuda *cuda, int waits, biost_batch *out_batch) {
    if (cuda->has_spare) {
        cuda->has_spare = 0;
        *out_batch = cuda->spare;
        return BIOST_OK;
    }
    if (cuda->taken - cuda->given_back == cuda->plan.flight_count) {
        return BIOST_ERR_SLOTS;
    }
    return waits ? biost_loader_next(cuda->loader, out_batch)
                 : biost_loader_try_next(cuda->loader, out_batch);
}

/* Make sure that a batch is queued, or say why there is none. */
static biost_result bsi_cuda_ring_fill(biost_cuda *cuda, int waits) {
    biost_result result = BIOST_OK;
    biost_batch batch;
    while (result == BIOST_OK && cuda->queue_count == 0) {
        result = bsi_cuda_ring_take(cuda, waits, &batch);
        if (result == BIOST_OK && !bsi_cuda_ring_has_room(cuda)) {
            int lost = bsi_cuda_ring_lost(cuda);
            cuda->spare = batch;
            cuda->has_spare = 1;
            return lost != 0
                       ? bsi_cuda_ring_fail(cuda, lost, "recording that an export was deleted")
                       : bsi_cuda_ring_refuse(cuda, BIOST_ERR_SLOTS, BIOST_FAULT_SLOTS,
                                              "all device slots are held: release a batch first, or raise "
                                              "desc.device_slots");
        }
        if (result == BIOST_OK) {
            bsi_cuda_ring_enqueue(cuda, &batch);
        } else if (result == BIOST_ERR_SLOTS) {
            result = bsi_cuda_ring_retire(cuda, waits);
        }
    }
    /* And what is ready beside it; what else the loader says is said again by the next call. */
    while (result == BIOST_OK && bsi_cuda_ring_has_room(cuda) &&
           bsi_cuda_ring_take(cuda, 0, &batch) == BIOST_OK) {
        bsi_cuda_ring_enqueue(cuda, &batch);
    }
    return result;
}

/*
 * Make a consumer wait for the first queued batch's share on a device that is current. Returns the provider's
 * error, or BIOST_CUDA_CAPTURES.
 */
static int bsi_cuda_ring_lend(biost_cuda *cuda, bsi_cuda_device *device, bsi_cuda_device_slot *slot,
                              biost_cuda_stream consumer) {
    int error = bsi_cuda_device_check_stream(device, consumer);
    if (error == 0) {
        error = bsi_cuda_device_await(&cuda->plan, device, slot, slot->number, consumer);
    }
    if (error == 0 && slot->times != NULL) {
        error = cuda->provider->event_record(cuda->state, slot->times->use_start, consumer);
        slot->times->has_use_start = error == 0;
    }
    return error;
}

/*
 * All that a call of next asks of one device, in one visit: which copies have passed, the copies of what is
 * queued, and, where `slot` is not NULL, the consumer's wait. Returns the provider's error, and what failed.
 */
static int bsi_cuda_ring_visit(biost_cuda *cuda, uint32_t index, bsi_cuda_device_slot *slot,
                               biost_cuda_stream consumer, const char **out_what) {
    bsi_cuda_device *device = &cuda->devices[index];
    void *before = NULL;
    int error = cuda->provider->enter(cuda->state, device->number, &before);
    *out_what = "entering a device";
    if (error != 0) {
        return error;
    }
    *out_what = "waiting for a copy, or for what was asked before it";
    error = bsi_cuda_ring_look(cuda, device);
    if (error == 0) {
        *out_what = "sending a batch to the device";
        error = bsi_cuda_ring_send_rest(cuda, index);
    }
    if (error == 0 && slot != NULL) {
        *out_what = "handing a batch to its stream";
        error = bsi_cuda_ring_lend(cuda, device, slot, consumer);
    }
    cuda->provider->leave(cuda->state, before);
    return error;
}

/* Visit all devices; with slots NULL nothing is lent. */
static biost_result bsi_cuda_ring_visit_all(biost_cuda *cuda, bsi_cuda_device_slot **slots,
                                            const biost_cuda_stream *consumers) {
    const char *what = NULL;
    int error = 0, captures = 0;
    uint32_t i;
    for (i = 0; error == 0 && i < cuda->plan.device_count; ++i) {
        error = bsi_cuda_ring_visit(cuda, i, slots != NULL ? slots[i] : NULL,
                                    consumers != NULL ? consumers[i] : NULL, &what);
        if (error == BIOST_CUDA_CAPTURES) {
            captures = 1;
            error = 0;
        }
    }
    if (error != 0) {
        return bsi_cuda_ring_fail(cuda, error, what);
    }
    cuda->sent = cuda->taken;
    (void)bsi_cuda_ring_give_back(cuda);
    return !captures
               ? BIOST_OK
               : bsi_cuda_ring_refuse(cuda, BIOST_ERR_ARG, BIOST_FAULT_STATE,
                                      "a consumer captures a CUDA graph: call biost_cuda_next before the "
                                      "capture or behind it");
}

/* The caller holds a slot's batch from now on. */
static void bsi_cuda_ring_hand_out(bsi_cuda_device_slot *slot, biost_cuda_batch *out_batch) {
    slot->generation = slot->generation == UINT32_MAX ? 1 : slot->generation + 1;
    slot->batch.generation = slot->generation;
    slot->is_used = 0;
    bsi_cuda_store(&slot->holders, 1);
    bsi_cuda_store(&slot->loan, slot->generation);
    *out_batch = slot->batch;
}

/* See biost_cuda_next; waits 0: never for the loader. */
static biost_result bsi_cuda_ring_next(biost_cuda *cuda, const biost_cuda_stream *consumers,
                                       biost_cuda_batch *out_batches, int waits) {
    bsi_cuda_device_slot **slots;
    biost_result result, visited;
    uint32_t i;
    memset(out_batches, 0, cuda->plan.device_count * sizeof *out_batches);
    cuda->refusal.code = BIOST_OK;
    if (cuda->error.code != BIOST_OK) {
        return cuda->error.code;
    }
    if (bsi_cuda_load(&cuda->is_cancelled)) {
        return BIOST_CANCELLED;
    }
    if (!cuda->begun) {
        return bsi_cuda_ring_refuse(cuda, BIOST_ERR_ARG, BIOST_FAULT_STATE,
                                    "biost_cuda_begin comes before biost_cuda_next");
    }
    if (bsi_cuda_load(&cuda->waiting) > 0) {
        bsi_cuda_ring_settle(cuda, 0);
    }
    result = bsi_cuda_ring_fill(cuda, waits);
    if (cuda->error.code != BIOST_OK) {
        return cuda->error.code;
    }
    slots = cuda->queue + (size_t)cuda->queue_first * cuda->plan.device_count;
    visited = bsi_cuda_ring_visit_all(cuda, result == BIOST_OK ? slots : NULL, consumers);
    if (result != BIOST_OK || visited != BIOST_OK) {
        return visited != BIOST_OK ? visited : result;
    }
    for (i = 0; i < cuda->plan.device_count; ++i) {
        bsi_cuda_ring_hand_out(slots[i], &out_batches[i]);
    }
    cuda->queue_first = (cuda->queue_first + 1) % cuda->plan.device_slots;
    --cuda->queue_count;
    ++cuda->counters.batch_count;
    return BIOST_OK;
}

/* Forget queued batches: their slots are free, behind what was asked of their copy streams. */
static void bsi_cuda_ring_drop_queue(biost_cuda *cuda) {
    while (cuda->queue_count > 0) {
        bsi_cuda_device_slot **slots = cuda->queue + (size_t)cuda->queue_first * cuda->plan.device_count;
        uint32_t i;
        for (i = 0; i < cuda->plan.device_count; ++i) {
            slots[i]->dropped = slots[i]->number + 1;
            bsi_cuda_store(&slots[i]->holders, 1);
            bsi_cuda_device_slot_drop(slots[i]);
        }
        cuda->queue_first = (cuda->queue_first + 1) % cuda->plan.device_slots;
        --cuda->queue_count;
    }
}

/* See biost_cuda_begin. */
static biost_result bsi_cuda_ring_begin(biost_cuda *cuda, uint64_t epoch) {
    biost_result result;
    cuda->refusal.code = BIOST_OK;
    if (cuda->error.code != BIOST_OK) {
        return cuda->error.code;
    }
    result = biost_loader_begin(cuda->loader, epoch);
    if (result == BIOST_OK) {
        bsi_cuda_ring_drop_queue(cuda);
        if (cuda->has_spare) {
            cuda->has_spare = 0;
            (void)biost_loader_release(cuda->loader, &cuda->spare);
        }
        cuda->begun = 1;
    }
    return result;
}

/* See biost_cuda_release. */
static biost_result bsi_cuda_ring_release(biost_cuda *cuda, const biost_cuda_batch *batch,
                                          biost_cuda_stream consumer) {
    bsi_cuda_device *device;
    bsi_cuda_device_slot *slot;
    int error;
    if (batch->device_index >= cuda->plan.device_count || batch->slot >= cuda->plan.device_slots) {
        return BIOST_ERR_ARG;
    }
    device = &cuda->devices[batch->device_index];
    slot = &device->slots[batch->slot];
    if (batch->generation == 0 || !bsi_cuda_exchange(&slot->loan, batch->generation, 0)) {
        return BIOST_ERR_ARG;
    }
    error = bsi_cuda_device_slot_used(device, slot, consumer);
    if (error != 0) {
        bsi_cuda_store(&slot->loan, batch->generation);
        return error == BIOST_CUDA_CAPTURES ? BIOST_ERR_ARG : BIOST_ERR_DEVICE;
    }
    bsi_cuda_device_slot_drop(slot);
    return BIOST_OK;
}

/* CUDA's errors of captures, 900 to 909: what has ended then is the capture on the caller's stream. */
static int bsi_cuda_ring_is_of_capture(int error) {
    return error >= BIOST_CUDA_CAPTURES && error < BIOST_CUDA_CAPTURES + 10;
}

/* See biost_cuda_expand. */
static biost_result bsi_cuda_ring_expand_on(biost_cuda *cuda, uint32_t index,
                                            const biost_cuda_expansion *expansion, biost_cuda_stream stream) {
    const char *wrong = bsi_cuda_expand_check(expansion);
    void *before = NULL;
    int error;
    cuda->refusal.code = BIOST_OK;
    if (wrong != NULL) {
        return bsi_cuda_ring_refuse(cuda, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, wrong);
    }
    if (cuda->error.code != BIOST_OK || expansion->rows == 0 || expansion->columns == 0) {
        return cuda->error.code;
    }
    error = cuda->provider->enter(cuda->state, cuda->devices[index].number, &before);
    if (error == 0) {
        error = cuda->provider->expand(cuda->state, cuda->devices[index].number, expansion, stream);
        cuda->provider->leave(cuda->state, before);
    }
    if (bsi_cuda_ring_is_of_capture(error)) {
        bsi_cuda_words_device_error(&cuda->refusal, cuda->provider, cuda->state, error, "expanding codes");
        return BIOST_ERR_DEVICE;
    }
    return error == 0 ? BIOST_OK : bsi_cuda_ring_fail(cuda, error, "expanding codes");
}

/* ==========================================================================
 * >>open   planning, opening, closing, exports, times
 *   uses: config words table driver runtime device ring    allocates: yes  threads: no   I/O: no
 * ========================================================================== */

/* The provider of a desc. */
static const biost_cuda_provider *bsi_cuda_open_provider_of(const biost_cuda_provider *wish) {
    if (wish != NULL) {
        return wish;
    }
    return bsi_cuda_runtime_provider() != NULL ? bsi_cuda_runtime_provider() : bsi_cuda_driver_provider();
}

/* See biost_cuda_look. */
static biost_result bsi_cuda_open_look(const biost_cuda_provider *wish, int *out_count, biost_error *error) {
    const biost_cuda_provider *provider = bsi_cuda_open_provider_of(wish);
    void *state = NULL;
    int number = provider->open(provider->user_data, &state);
    if (number == BIOST_CUDA_NO_MEMORY) {
        bsi_cuda_words_begin_error(error, BIOST_ERR_NOMEM, BIOST_FAULT_MEMORY, "no memory to open CUDA");
        return error->code;
    }
    if (number == 0) {
        number = provider->device_count(state, out_count);
    }
    if (number != 0) {
        bsi_cuda_words_device_error(error, provider, state, number, "looking for a device");
        error->fault = BIOST_FAULT_NO_DEVICE;
    } else if (*out_count <= 0) {
        bsi_cuda_words_begin_error(error, BIOST_ERR_DEVICE, BIOST_FAULT_NO_DEVICE,
                                   "CUDA's driver is there, but no GPU that it can use");
    }
    if (state != NULL) {
        provider->close(state);
    }
    if (error->code != BIOST_OK) {
        *out_count = 0;
    }
    return error->code;
}

/* ---- planning ------------------------------------------------------------- */

/* What is wrong with a desc by itself, naming the fields; NULL: nothing. */
static const char *bsi_cuda_open_check(const biost_cuda_desc *desc) {
    if (desc->loader == NULL) {
        return "desc.loader is required";
    }
    if (desc->loader->slot_allocator.alloc != NULL || desc->loader->slot_allocator.free != NULL) {
        return "desc.loader->slot_allocator must be 0: see desc.host";
    }
    if (desc->device_count > BSI_CUDA_DEVICES_MOST) {
        return "desc.device_count must be at most 16";
    }
    if (desc->devices == NULL && desc->device_count > 1) {
        return "desc.devices must be given for desc.device_count over 1";
    }
    if (desc->device_slots == 1 || desc->device_slots > 64) {
        return "desc.device_slots must be 0 or 2..64";
    }
    if (desc->copy_streams > 8) {
        return "desc.copy_streams must be at most 8";
    }
    if (desc->timeline_count > 65536) {
        return "desc.timeline_count must be at most 65536";
    }
    if ((desc->host.alloc == NULL) != (desc->host.free == NULL)) {
        return "desc.host needs both of alloc and free, or neither";
    }
    if ((desc->memory.alloc == NULL) != (desc->memory.free == NULL)) {
        return "desc.memory needs both of alloc and free, or neither";
    }
    if (desc->write_combined && desc->host.alloc != NULL) {
        return "desc.write_combined and desc.host exclude each other";
    }
    if (desc->write_combined && desc->loader->digest) {
        return "desc.write_combined and desc.loader->digest exclude each other: a digest reads rows back";
    }
    if (desc->tokens && desc->loader->callback_count > 0) {
        return "desc.tokens and desc.loader->callbacks exclude each other: callbacks give no tokens";
    }
    if (desc->tokens && desc->loader->has_fd) {
        return "desc.tokens and desc.loader->has_fd exclude each other: a descriptor gives no tokens";
    }
    return NULL;
}

/* Two of desc.devices that are the same, by sentence; else NULL. */
static const char *bsi_cuda_open_check_devices(const biost_cuda_desc *desc) {
    uint32_t i, k;
    for (i = 0; (i < desc->device_count || i == 0) && desc->devices != NULL; ++i) {
        for (k = 0; k < i; ++k) {
            if (desc->devices[i] == desc->devices[k]) {
                return "desc.devices names a device twice";
            }
        }
        if (desc->devices[i] < 0) {
            return "desc.devices has a negative number";
        }
    }
    return NULL;
}

/* Bytes of a base's quality and mask: in x behind the encoding's channels, or else, in_x 0, in tensors. */
static uint64_t bsi_cuda_open_quality_bytes(const biost_loader_desc *loader, int in_x) {
    biost_dtype dtype = in_x ? loader->encoding.dtype : loader->quality.dtype;
    int is_wanted = loader->quality.kind != BIOST_QUALITY_NONE && (loader->quality.in_x != 0) == in_x;
    return is_wanted ? bsi_cuda_table_element_bytes(dtype) : 0;
}

static uint64_t bsi_cuda_open_mask_bytes(const biost_loader_desc *loader, int in_x) {
    biost_dtype dtype = in_x ? loader->encoding.dtype : loader->mask_dtype;
    return loader->mask && (loader->mask_in_x != 0) == in_x ? bsi_cuda_table_element_bytes(dtype) : 0;
}

/* Whether x crosses as the model sees it: as bytes, or with channels that no table of bases can give. */
static int bsi_cuda_open_keeps_x(const biost_loader_desc *loader) {
    int is_codes = loader->encoding.kind == BIOST_ENCODE_TOKENS && loader->encoding.dtype == BIOST_DTYPE_U8;
    return is_codes || loader->quality.in_x || loader->mask_in_x;
}

/*
 * What crosses the bus: bases as codes wherever that is less than their elements. Changes the loader's
 * encoding. `table` is filled where x is expanded.
 */
static void bsi_cuda_open_plan_codes(bsi_cuda_device_plan *plan, biost_cuda_table *table, int32_t *tokens) {
    biost_loader_desc *loader = &plan->loader;
    biost_error error;
    uint32_t i;
    if (!bsi_cuda_open_keeps_x(loader) && bsi_cuda_table_make(&loader->encoding, table, &error) == BIOST_OK &&
        table->channels * table->element_bytes > 1) {
        plan->expands_x = 1;
        plan->x_channels = table->channels;
        plan->x_element_bytes = table->element_bytes;
        for (i = 0; i < 256; ++i) {
            tokens[i] = table->code[i];
        }
        memset(&loader->encoding, 0, sizeof loader->encoding);
        loader->encoding.kind = BIOST_ENCODE_TOKENS;
        loader->encoding.tokens = tokens;
        loader->encoding.pad_value = (int32_t)table->pad_code;
        loader->encoding.pad_side = plan->x.pad_side;
    }
    if (bsi_cuda_open_quality_bytes(loader, 0) == sizeof(float)) {
        plan->expands_quality = 1;
        loader->quality.kind = BIOST_QUALITY_PHRED;
        loader->quality.dtype = BIOST_DTYPE_U8;
    }
}

/* Bytes of a base as the loader encodes it; of an encoding it refuses 0. */
static uint64_t bsi_cuda_open_base_bytes(const biost_encoding *encoding) {
    biost_encoder encoder;
    biost_error error;
    return biost_encoder_make(encoding, 0, &encoder, &error) == BIOST_OK
               ? biost_encoder_row_bytes(&encoder, 1)
               : 0;
}

/* The most a host slot's slab has: lengths, x, quality, mask, labels, for so many rows. */
static uint64_t bsi_cuda_open_slab_bytes(const bsi_cuda_device_plan *plan, uint64_t rows) {
    const biost_loader_desc *loader = &plan->loader;
    uint64_t places = rows * plan->columns;
    uint64_t labels = loader->labels.make == NULL ? 0
                                                  : (loader->labels.width > 0 ? loader->labels.width : 1) *
                                                        bsi_cuda_table_element_bytes(loader->labels.dtype);
    uint64_t x = bsi_cuda_open_base_bytes(&loader->encoding) + bsi_cuda_open_quality_bytes(loader, 1) +
                 bsi_cuda_open_mask_bytes(loader, 1);
    return bsi_cuda_round_up(rows * sizeof(int32_t)) + bsi_cuda_round_up(places * x) +
           bsi_cuda_round_up(places * bsi_cuda_open_quality_bytes(loader, 0)) +
           bsi_cuda_round_up(places * bsi_cuda_open_mask_bytes(loader, 0)) + bsi_cuda_round_up(rows * labels);
}

/* The sizes that follow from the encoding. */
static void bsi_cuda_open_plan_sizes(bsi_cuda_device_plan *plan, uint64_t rank_rows) {
    uint64_t places = (uint64_t)plan->rows * plan->columns, at;
    plan->slab_bytes = bsi_cuda_open_slab_bytes(plan, rank_rows);
    plan->part_bytes = plan->device_count == 1 ? plan->slab_bytes
                                               : bsi_cuda_open_slab_bytes(plan, plan->rows);
    at = bsi_cuda_round_up(plan->part_bytes);
    plan->x_at = at;
    if (plan->expands_x) {
        at += bsi_cuda_round_up(places * plan->x_channels * plan->x_element_bytes);
        plan->table_bytes = bsi_cuda_round_up(256u * plan->x_channels * plan->x_element_bytes);
    }
    plan->quality_table_at = plan->table_bytes;
    plan->quality_at = at;
    if (plan->expands_quality) {
        at += bsi_cuda_round_up(places * sizeof(float));
        plan->table_bytes += bsi_cuda_round_up(256 * sizeof(float));
    }
    plan->slot_bytes = at > 0 ? at : BSI_CUDA_ALIGN;
}

/*
 * Plan a desc. `table` and `tokens`, [256], are the caller's and must live as long as plan.loader is used.
 * Returns a sentence where it cannot be; one of the loader's desc is left to biost_loader_open, which
 * plan.rows 0 tells.
 */
static const char *bsi_cuda_open_make_plan(const biost_cuda_desc *desc, bsi_cuda_device_plan *plan,
                                           biost_cuda_table *table, int32_t *tokens) {
    const biost_loader_desc *loader = desc->loader;
    const char *wrong = bsi_cuda_open_check(desc);
    uint32_t batch_rows, world, bases, multiple;
    memset(plan, 0, sizeof *plan);
    if (wrong == NULL) {
        wrong = bsi_cuda_open_check_devices(desc);
    }
    if (wrong != NULL) {
        return wrong;
    }
    plan->loader = *loader;
    if (biost_loader_memory(loader) == UINT64_MAX) {
        return NULL;
    }
    plan->x = loader->encoding;
    plan->quality_dtype = loader->quality.dtype;
    plan->device_count = desc->device_count > 0 ? desc->device_count : 1;
    plan->device_slots = desc->device_slots > 0 ? desc->device_slots : 3;
    plan->copy_streams = desc->copy_streams > 0 ? desc->copy_streams : 2;
    plan->timeline_count = desc->timeline_count;
    plan->flight_count = loader->slots > 0 ? loader->slots
                                           : 4 + (plan->device_slots > 3 ? plan->device_slots - 3 : 0);
    plan->loader.slots = plan->flight_count;
    batch_rows = loader->batch_rows > 0 ? loader->batch_rows : 256;
    world = loader->world > 0 ? loader->world : 1;
    bases = loader->row_bases > 0       ? loader->row_bases
            : loader->max_row_bases > 0 ? loader->max_row_bases
                                        : 1024;
    multiple = loader->pad_multiple > 0 ? loader->pad_multiple : loader->row_bases > 0 ? 1 : 8;
    if (batch_rows / world % plan->device_count != 0) {
        return "desc.device_count must divide the rows of a batch of this rank, "
               "desc.loader->batch_rows / world";
    }
    if (((uint64_t)bases + multiple - 1) / multiple * multiple > (uint32_t)1 << 28) {
        return "desc.loader->row_bases, rounded up to pad_multiple, is over 2^28 columns";
    }
    plan->rows = batch_rows / world / plan->device_count;
    plan->columns = (bases + multiple - 1) / multiple * multiple;
    plan->name_bytes = !loader->names ? 0 : (loader->name_bytes > 0 ? loader->name_bytes : 128) + 1;
    if (!desc->no_expand) {
        bsi_cuda_open_plan_codes(plan, table, tokens);
    }
    bsi_cuda_open_plan_sizes(plan, batch_rows / world);
    return NULL;
}

/* ---- closing -------------------------------------------------------------- */

/* Wait for what copy streams were asked for; of a device that failed that returns at once. */
static void bsi_cuda_open_finish_copies(biost_cuda *cuda) {
    uint32_t i, k;
    for (i = 0; i < cuda->plan.device_count; ++i) {
        bsi_cuda_device *device = &cuda->devices[i];
        void *before = NULL;
        if (!device->is_open) {
            continue;
        }
        if (cuda->provider->enter(cuda->state, device->number, &before) != 0) {
            cuda->leaks_host = 1;
            continue;
        }
        for (k = 0; k < cuda->plan.copy_streams; ++k) {
            if (!device->own_streams || device->streams[k] != NULL) {
                cuda->leaks_host |= bsi_cuda_device_finish(device, device->streams[k]) != 0;
            }
        }
        cuda->provider->leave(cuda->state, before);
    }
}

/* Wait for all who said that they are done with a slot when their streams get there. */
static void bsi_cuda_open_await_users(const bsi_cuda_device_plan *plan, const bsi_cuda_device *device) {
    uint32_t i;
    for (i = 0; i < plan->device_slots; ++i) {
        if (device->slots[i].expanded != NULL) {
            (void)device->provider->event_wait(device->state, device->slots[i].expanded);
        }
        if (device->slots[i].used != NULL) {
            (void)device->provider->event_wait(device->state, device->slots[i].used);
        }
    }
}

/* Is there a slot of which nobody knows when its users are done? */
static int bsi_cuda_open_is_unsure(const bsi_cuda_device_plan *plan, const bsi_cuda_device *device) {
    uint32_t i = 0;
    while (i < plan->device_slots && !bsi_cuda_load(&device->slots[i].is_unsure)) {
        ++i;
    }
    return i < plan->device_slots;
}

/* The last one to let go frees all: devices, provider, and the object itself. */
static void bsi_cuda_open_destroy(biost_cuda *cuda) {
    biost_allocator allocator = cuda->allocator;
    uint32_t i;
    for (i = 0; i < cuda->plan.device_count; ++i) {
        bsi_cuda_device *device = &cuda->devices[i];
        void *before = NULL;
        int entered;
        if (!device->is_open) {
            continue;
        }
        entered = cuda->provider->enter(cuda->state, device->number, &before) == 0;
        bsi_cuda_open_await_users(&cuda->plan, device);
        bsi_cuda_device_close_handles(&cuda->plan, device);
        bsi_cuda_device_free(device, &cuda->memory, device->tables, cuda->plan.table_bytes);
        if (!bsi_cuda_open_is_unsure(&cuda->plan, device)) {
            bsi_cuda_device_free(device, &cuda->memory, device->memory, device->memory_bytes);
        }
        if (entered) {
            cuda->provider->leave(cuda->state, before);
        }
        cuda->provider->device_close(cuda->state, device->number);
    }
    if (cuda->provider_is_open) {
        cuda->provider->close(cuda->state);
    }
    bsi_cuda_device_host_free(&allocator, cuda, (size_t)cuda->own_bytes);
}

static void bsi_cuda_open_let_go(biost_cuda *cuda) {
    if (bsi_cuda_add(&cuda->refs, UINT32_MAX) == 0) {
        bsi_cuda_open_destroy(cuda);
    }
}

/* See biost_cuda_close. */
static void bsi_cuda_open_close(biost_cuda *cuda) {
    if (cuda->loader != NULL) {
        biost_loader_cancel(cuda->loader);
    }
    bsi_cuda_open_finish_copies(cuda);
    biost_loader_close(cuda->loader);
    cuda->loader = NULL;
    bsi_cuda_ring_settle(cuda, 1);
    bsi_cuda_open_let_go(cuda);
}

/* ---- opening -------------------------------------------------------------- */

/* Reserve an array of a block; base NULL: only count. */
static void *bsi_cuda_open_reserve(uint8_t *base, uint64_t *at, uint64_t count, uint64_t element_bytes) {
    uint64_t start = *at;
    *at = (start + count * element_bytes + 63) / 64 * 64;
    return base == NULL ? NULL : base + start;
}

/* Lay out the object and all its arrays; called with base NULL for the size, then with the block. */
static uint64_t bsi_cuda_open_place(const bsi_cuda_device_plan *plan, uint8_t *base) {
    uint64_t at = 0;
    biost_cuda *cuda = (biost_cuda *)bsi_cuda_open_reserve(base, &at, 1, sizeof(biost_cuda));
    void *devices = bsi_cuda_open_reserve(base, &at, plan->device_count, sizeof(bsi_cuda_device));
    void *flights = bsi_cuda_open_reserve(base, &at, plan->flight_count, sizeof(biost_batch));
    void *queue = bsi_cuda_open_reserve(base, &at, (uint64_t)plan->device_slots * plan->device_count,
                                        sizeof(bsi_cuda_device_slot *));
    uint32_t i, k;
    if (base != NULL) {
        cuda->devices = (bsi_cuda_device *)devices;
        cuda->flights = (biost_batch *)flights;
        cuda->queue = (bsi_cuda_device_slot **)queue;
    }
    for (i = 0; i < plan->device_count; ++i) {
        void *slots = bsi_cuda_open_reserve(base, &at, plan->device_slots, sizeof(bsi_cuda_device_slot));
        void *copied = bsi_cuda_open_reserve(base, &at, plan->flight_count, sizeof(void *));
        void *times = bsi_cuda_open_reserve(base, &at, plan->timeline_count, sizeof(bsi_cuda_device_times));
        if (base != NULL) {
            cuda->devices[i].slots = (bsi_cuda_device_slot *)slots;
            cuda->devices[i].copied = (void **)copied;
            cuda->devices[i].times = (bsi_cuda_device_times *)times;
        }
        for (k = 0; k < plan->device_slots; ++k) {
            void *lengths = bsi_cuda_open_reserve(base, &at, plan->rows, sizeof(int32_t));
            void *origins = bsi_cuda_open_reserve(base, &at, plan->rows, sizeof(biost_row));
            void *names = bsi_cuda_open_reserve(base, &at, plan->rows, plan->name_bytes);
            void *offsets = bsi_cuda_open_reserve(base, &at, plan->name_bytes > 0 ? plan->rows : 0,
                                                  sizeof(uint32_t));
            if (base != NULL) {
                bsi_cuda_device_slot *slot = &cuda->devices[i].slots[k];
                slot->lengths = (int32_t *)lengths;
                slot->origins = (biost_row *)origins;
                slot->names = (char *)names;
                slot->name_offsets = (uint32_t *)offsets;
            }
        }
    }
    return at;
}

/* Bring the tables to a device, through page-locked memory for a moment. */
static int bsi_cuda_open_send_tables(biost_cuda *cuda, bsi_cuda_device *device, const biost_cuda_table *table,
                                     const float *quality_table) {
    const bsi_cuda_device_plan *plan = &cuda->plan;
    const biost_cuda_provider *provider = cuda->provider;
    uint64_t x_bytes = 256u * (uint64_t)plan->x_channels * plan->x_element_bytes;
    void *staged = NULL;
    int error;
    if (plan->table_bytes == 0) {
        return 0;
    }
    error = provider->host_alloc(cuda->state, (size_t)plan->table_bytes, 0, &staged);
    if (error != 0) {
        return error;
    }
    memset(staged, 0, (size_t)plan->table_bytes);
    if (plan->expands_x) {
        memcpy(staged, table->elements, (size_t)x_bytes);
    }
    if (plan->expands_quality) {
        memcpy((uint8_t *)staged + plan->quality_table_at, quality_table, 256 * sizeof(float));
    }
    error = provider->copy_in(cuda->state, device->tables, staged, (size_t)plan->table_bytes,
                              device->streams[0]);
    if (error == 0) {
        error = bsi_cuda_device_finish(device, device->streams[0]);
    }
    (void)provider->host_free(cuda->state, staged);
    return error;
}

/*
 * Expand something once, tables into a slot: a device for which there are no kernels shall say so in open,
 * and the time to make them ready is taken here. Returns the provider's error.
 */
static int bsi_cuda_open_try_kernels(biost_cuda *cuda, const bsi_cuda_device *device) {
    const bsi_cuda_device_plan *plan = &cuda->plan;
    biost_cuda_expansion expansion;
    int error;
    if (plan->table_bytes == 0) {
        return 0;
    }
    memset(&expansion, 0, sizeof expansion);
    expansion.codes = device->tables;
    expansion.table = device->tables;
    expansion.out = device->memory + (plan->expands_x ? plan->x_at : plan->quality_at);
    expansion.rows = 1;
    expansion.columns = 1;
    expansion.channels = plan->expands_x ? plan->x_channels : 1;
    expansion.element_bytes = plan->expands_x ? plan->x_element_bytes : (uint32_t)sizeof(float);
    error = cuda->provider->expand(cuda->state, device->number, &expansion, device->streams[0]);
    return error == 0 ? bsi_cuda_device_finish(device, device->streams[0]) : error;
}

/* Memory, streams and events of a device that is current. Returns 0 with the error filled in. */
static int bsi_cuda_open_fit_device(biost_cuda *cuda, bsi_cuda_device *device,
                                    const biost_cuda_stream *streams, biost_error *error) {
    const bsi_cuda_device_plan *plan = &cuda->plan;
    int number = bsi_cuda_device_open_streams(plan, device, streams);
    uint32_t i;
    if (number == 0) {
        number = bsi_cuda_device_open_events(plan, device);
    }
    if (number == 0) {
        number = bsi_cuda_device_open_times(plan, device);
    }
    if (number != 0) {
        bsi_cuda_words_device_error(error, cuda->provider, cuda->state, number, "making streams and events");
        return 0;
    }
    device->memory_bytes = plan->slot_bytes * plan->device_slots;
    device->memory = bsi_cuda_device_alloc(device, &cuda->memory, device->memory_bytes, &number);
    if (device->memory != NULL && plan->table_bytes > 0) {
        device->tables = bsi_cuda_device_alloc(device, &cuda->memory, plan->table_bytes, &number);
    }
    if (device->memory != NULL && (device->tables != NULL || plan->table_bytes == 0)) {
        for (i = 0; i < plan->device_slots; ++i) {
            device->slots[i].memory = device->memory + plan->slot_bytes * i;
        }
        return 1;
    }
    if (number != 0) {
        bsi_cuda_words_device_error(error, cuda->provider, cuda->state, number, "allocating device memory");
    } else {
        bsi_cuda_words_begin_error(error, BIOST_ERR_NOMEM, BIOST_FAULT_MEMORY,
                                   "desc.memory.alloc has no memory for the slots of a device");
    }
    return 0;
}

/* What open did when expanding failed there, and what to do. */
static const char *bsi_cuda_open_expand_words(int error) {
    enum { NO_COMPILER = 221, COMPILER_IS_OFF = 223 }; /* CUDA_ERROR_JIT_COMPILER_NOT_FOUND, ..._DISABLED */
    return error == NO_COMPILER || error == COMPILER_IS_OFF
               ? "expanding codes there, for which the driver's PTX compiler is needed, in a container its "
                 "capability `compute` (desc.no_expand does without)"
               : "expanding codes there (desc.no_expand does without)";
}

/* Open one device with all it needs. Returns 0 with the error filled in. */
static int bsi_cuda_open_device(biost_cuda *cuda, uint32_t index, const biost_cuda_desc *desc,
                                const biost_cuda_table *table, const float *quality_table,
                                biost_error *error) {
    bsi_cuda_device *device = &cuda->devices[index];
    const biost_cuda_stream *streams = NULL;
    void *before = NULL;
    int wish = desc->devices != NULL ? desc->devices[index] : -1;
    int number = cuda->provider->device_open(cuda->state, wish, &device->number);
    int ok;
    device->provider = cuda->provider;
    device->state = cuda->state;
    device->is_open = number == 0;
    if (number == 0) {
        number = cuda->provider->enter(cuda->state, device->number, &before);
    }
    if (number != 0) {
        bsi_cuda_words_device_error(error, cuda->provider, cuda->state, number, "opening a device");
        return 0;
    }
    if (desc->streams != NULL) {
        streams = desc->streams + (size_t)index * cuda->plan.copy_streams;
    }
    ok = bsi_cuda_open_fit_device(cuda, device, streams, error);
    if (ok) {
        number = bsi_cuda_open_send_tables(cuda, device, table, quality_table);
        if (number == 0) {
            number = bsi_cuda_open_try_kernels(cuda, device);
        }
        if (number != 0) {
            bsi_cuda_words_device_error(error, cuda->provider, cuda->state, number,
                                        bsi_cuda_open_expand_words(number));
        }
    }
    cuda->provider->leave(cuda->state, before);
    return ok && number == 0;
}

/* Open provider and devices. Returns 0 with the error filled in. */
static int bsi_cuda_open_devices(biost_cuda *cuda, const biost_cuda_desc *desc, const biost_cuda_table *table,
                                 biost_error *error) {
    float quality_table[256];
    int number = cuda->provider->open(cuda->provider->user_data, &cuda->state), count = 0;
    uint32_t i;
    cuda->provider_is_open = number == 0;
    if (number == 0) {
        number = cuda->provider->device_count(cuda->state, &count);
    }
    if (number == 0 && count <= 0) {
        bsi_cuda_words_begin_error(error, BIOST_ERR_DEVICE, BIOST_FAULT_NO_DEVICE,
                                   "CUDA's driver is there, but no GPU that it can use");
        return 0;
    }
    if (number != 0) {
        bsi_cuda_words_device_error(error, cuda->provider, cuda->state, number, "looking for a device");
        error->fault = BIOST_FAULT_NO_DEVICE;
        return 0;
    }
    bsi_cuda_table_quality(desc->loader->quality.kind, quality_table);
    for (i = 0; i < cuda->plan.device_count; ++i) {
        if (!bsi_cuda_open_device(cuda, i, desc, table, quality_table, error)) {
            return 0;
        }
    }
    return 1;
}

/* Names of rows lie side by side in a slot. */
static void bsi_cuda_open_place_names(biost_cuda *cuda) {
    const bsi_cuda_device_plan *plan = &cuda->plan;
    uint32_t i, k, row;
    for (i = 0; i < plan->device_count; ++i) {
        for (k = 0; k < plan->device_slots; ++k) {
            for (row = 0; row < plan->rows && plan->name_bytes > 0; ++row) {
                cuda->devices[i].slots[k].name_offsets[row] = row * plan->name_bytes;
            }
        }
    }
}

/* The block of the object, with what of it needs no device. NULL: no memory. */
static biost_cuda *bsi_cuda_open_make(const biost_cuda_desc *desc, const bsi_cuda_device_plan *plan) {
    uint64_t bytes = bsi_cuda_open_place(plan, NULL);
    const biost_allocator *allocator = &plan->loader.allocator;
    biost_cuda *cuda = bytes > SIZE_MAX ? NULL
                                        : (biost_cuda *)bsi_cuda_device_host_alloc(allocator, (size_t)bytes);
    if (cuda == NULL) {
        return NULL;
    }
    memset(cuda, 0, (size_t)bytes);
    (void)bsi_cuda_open_place(plan, (uint8_t *)cuda);
    cuda->plan = *plan;
    cuda->plan.x.channels = NULL; /* what the plan borrows goes away */
    cuda->plan.x.tokens = NULL;
    memset(&cuda->plan.loader, 0, sizeof cuda->plan.loader);
    cuda->own_bytes = bytes;
    cuda->allocator = *allocator;
    cuda->provider = bsi_cuda_open_provider_of(desc->provider);
    cuda->host = desc->host;
    cuda->memory = desc->memory;
    cuda->write_combined = desc->write_combined;
    cuda->tokens = desc->tokens;
    cuda->refs = 1;
    bsi_cuda_open_place_names(cuda);
    return cuda;
}

/* See biost_cuda_open. Returns NULL with the error filled in. */
static biost_cuda *bsi_cuda_open(const biost_cuda_desc *desc, biost_error *error) {
    biost_cuda_table table;
    int32_t tokens[256];
    bsi_cuda_device_plan plan;
    biost_cuda *cuda;
    const char *wrong = bsi_cuda_open_make_plan(desc, &plan, &table, tokens);
    if (wrong != NULL) {
        bsi_cuda_words_begin_error(error, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, wrong);
        return NULL;
    }
    if (plan.rows == 0) {
        biost_loader *loader = NULL;
        if (biost_loader_open(desc->loader, &loader, error) == BIOST_OK) { /* never: it has no size */
            biost_loader_close(loader);
        }
        return NULL;
    }
    cuda = bsi_cuda_open_make(desc, &plan);
    if (cuda == NULL) {
        bsi_cuda_words_begin_error(error, BIOST_ERR_NOMEM, BIOST_FAULT_MEMORY,
                                   "no memory for what is known of the batches");
        return NULL;
    }
    if (!bsi_cuda_open_devices(cuda, desc, &table, error)) {
        bsi_cuda_open_close(cuda);
        return NULL;
    }
    plan.loader.slot_allocator.alloc = bsi_cuda_ring_lock;
    plan.loader.slot_allocator.free = bsi_cuda_ring_unlock;
    plan.loader.slot_allocator.user_data = cuda;
    if (biost_loader_open(&plan.loader, &cuda->loader, error) != BIOST_OK) {
        if (cuda->lock_error.code != BIOST_OK) {
            *error = cuda->lock_error;
        }
        cuda->loader = NULL;
        bsi_cuda_open_close(cuda);
        return NULL;
    }
    return cuda;
}

/* See biost_cuda_memory_bytes. */
static biost_result bsi_cuda_open_memory_bytes(const biost_cuda_desc *desc, uint64_t *out_locked,
                                               uint64_t *out_device) {
    biost_cuda_table table;
    int32_t tokens[256];
    bsi_cuda_device_plan plan;
    *out_locked = 0;
    *out_device = 0;
    if (bsi_cuda_open_make_plan(desc, &plan, &table, tokens) != NULL || plan.rows == 0) {
        return BIOST_ERR_ARG;
    }
    *out_locked = (desc->host.alloc != NULL ? bsi_cuda_ring_pages(plan.slab_bytes) : plan.slab_bytes) *
                      plan.flight_count +
                  plan.table_bytes;
    *out_device = plan.slot_bytes * plan.device_slots + plan.table_bytes;
    return BIOST_OK;
}

/* ---- exports -------------------------------------------------------------- */

#define BSI_CUDA_OPEN_PER_THREAD 2u /* cudaStreamPerThread: of whichever thread names it, so of a deleter's */

/* Its deleter ran: on any thread, also while a CUDA graph is captured. */
static void bsi_cuda_open_end_lease(void *user_data) {
    bsi_cuda_device_lease *lease = (bsi_cuda_device_lease *)user_data;
    biost_cuda *cuda = lease->cuda;
    int error = bsi_cuda_device_slot_used(lease->device, lease->slot, lease->consumer);
    if (error == BIOST_CUDA_CAPTURES) {
        (void)bsi_cuda_add(&cuda->waiting, 1);
        if (bsi_cuda_device_slot_defer(lease->slot, lease)) {
            return;
        }
        (void)bsi_cuda_add(&cuda->waiting, UINT32_MAX);
    }
    bsi_cuda_ring_end_lease(lease, error);
    bsi_cuda_open_let_go(cuda);
}

/* One holder more of a batch that the caller holds. Returns 0 where he does not. */
static int bsi_cuda_open_hold(bsi_cuda_device_slot *slot, const biost_cuda_batch *batch) {
    uint32_t holders = bsi_cuda_load(&slot->holders);
    while (holders > 0 && !bsi_cuda_exchange(&slot->holders, holders, holders + 1)) {
        holders = bsi_cuda_load(&slot->holders);
    }
    if (holders > 0 && bsi_cuda_load(&slot->loan) != batch->generation) {
        bsi_cuda_device_slot_drop(slot); /* released meanwhile */
        return 0;
    }
    return holders > 0;
}

/* Make a stream wait for a slot's batch. Returns the provider's error, or BIOST_CUDA_CAPTURES. */
static int bsi_cuda_open_await(const biost_cuda *cuda, const bsi_cuda_device *device,
                               const bsi_cuda_device_slot *slot, biost_cuda_stream stream) {
    void *before = NULL;
    int error = device->provider->enter(device->state, device->number, &before);
    if (error == 0) {
        error = bsi_cuda_device_check_stream(device, stream);
        if (error == 0) {
            error = bsi_cuda_device_await(&cuda->plan, device, slot, slot->number, stream);
        }
        device->provider->leave(device->state, before);
    }
    return error;
}

/* See biost_cuda_export. */
static biost_result bsi_cuda_open_export(biost_cuda *cuda, const biost_cuda_batch *batch, uint32_t index,
                                         int versioned, biost_cuda_stream consumer, void **out_managed) {
    bsi_cuda_device_lease *lease;
    bsi_cuda_device *device;
    bsi_cuda_device_slot *slot;
    biost_result result = BIOST_ERR_NOMEM;
    int error;
    if (batch->device_index >= cuda->plan.device_count || batch->slot >= cuda->plan.device_slots ||
        index >= batch->tensor_count || batch->generation == 0 ||
        (uintptr_t)consumer == BSI_CUDA_OPEN_PER_THREAD || (uintptr_t)consumer == UINTPTR_MAX) {
        return BIOST_ERR_ARG;
    }
    device = &cuda->devices[batch->device_index];
    slot = &device->slots[batch->slot];
    if (!bsi_cuda_open_hold(slot, batch)) {
        return BIOST_ERR_ARG;
    }
    lease = (bsi_cuda_device_lease *)bsi_cuda_device_host_alloc(&cuda->allocator, sizeof *lease);
    if (lease != NULL) {
        error = bsi_cuda_open_await(cuda, device, slot, consumer);
        result = error == 0 ? BIOST_OK : error == BIOST_CUDA_CAPTURES ? BIOST_ERR_ARG : BIOST_ERR_DEVICE;
    }
    if (result == BIOST_OK) {
        lease->next = NULL;
        lease->cuda = cuda;
        lease->device = device;
        lease->slot = slot;
        lease->consumer = consumer;
        (void)bsi_cuda_add(&cuda->refs, 1);
        result = biost_tensor_export(&slot->tensors[index], versioned, bsi_cuda_open_end_lease, lease,
                                     &cuda->allocator, out_managed);
        if (result != BIOST_OK) {
            (void)bsi_cuda_add(&cuda->refs, UINT32_MAX);
        }
    }
    if (result != BIOST_OK) {
        bsi_cuda_device_host_free(&cuda->allocator, lease, sizeof *lease);
        bsi_cuda_device_slot_drop(slot);
    }
    return result;
}

/* ---- times ---------------------------------------------------------------- */

/*
 * Microseconds from one event to another; BIOST_CUDA_NO_TIME: not there yet. Returns the provider's
 * error.
 */
static int bsi_cuda_open_time_of(const bsi_cuda_device *device, int is_recorded, void *from, void *to,
                                 double *out_us) {
    float ms = 0;
    int error = is_recorded ? device->provider->event_query(device->state, to) : BIOST_CUDA_NOT_READY;
    *out_us = BIOST_CUDA_NO_TIME;
    if (error == 0) {
        error = device->provider->event_elapsed(device->state, from, to, &ms);
    }
    if (error == 0) {
        *out_us = (double)ms * 1000;
    }
    return error == BIOST_CUDA_NOT_READY || error == BIOST_CUDA_CAPTURES ? 0 : error;
}

/* What is known of one batch's times, from the event `from` on. */
static int bsi_cuda_open_span_of(const bsi_cuda_device *device, const bsi_cuda_device_times *times,
                                 void *from, biost_cuda_span *out) {
    const int known[5] = {1, 1, 1, (int)times->has_use_start, bsi_cuda_load(&times->has_use_end) != 0};
    void *const events[5] = {times->copy_start, times->copy_end, times->expand_end, times->use_start,
                             times->use_end};
    double *const out_us[5] = {&out->copy_start_us, &out->copy_end_us, &out->expand_end_us,
                               &out->use_start_us, &out->use_end_us};
    int error = 0;
    uint32_t i;
    out->number = times->number;
    out->epoch = times->epoch;
    out->index = times->index;
    out->slot = times->slot;
    out->stream = times->stream;
    for (i = 0; error == 0 && i < 5; ++i) {
        error = bsi_cuda_open_time_of(device, known[i], from, events[i], out_us[i]);
    }
    return error;
}

/* The oldest times that are kept, or NULL. */
static const bsi_cuda_device_times *bsi_cuda_open_oldest(const bsi_cuda_device *device, uint32_t total) {
    const bsi_cuda_device_times *oldest = NULL;
    uint32_t i;
    for (i = 0; i < total; ++i) {
        const bsi_cuda_device_times *times = &device->times[i];
        if (times->has_copy && (oldest == NULL || times->number < oldest->number)) {
            oldest = times;
        }
    }
    return oldest;
}

/* Sort by number; they nearly are. */
static void bsi_cuda_open_sort(biost_cuda_span *spans, uint32_t count) {
    uint32_t i, k;
    for (i = 1; i < count; ++i) {
        biost_cuda_span span = spans[i];
        for (k = i; k > 0 && spans[k - 1].number > span.number; --k) {
            spans[k] = spans[k - 1];
        }
        spans[k] = span;
    }
}

/* See biost_cuda_timeline. */
static biost_result bsi_cuda_open_timeline(biost_cuda *cuda, uint32_t device_index,
                                           biost_cuda_span *out_spans, uint32_t capacity,
                                           uint32_t *out_count) {
    uint32_t total = cuda->plan.timeline_count, i;
    const bsi_cuda_device_times *oldest;
    bsi_cuda_device *device;
    void *before = NULL;
    int error;
    *out_count = 0;
    if (device_index >= cuda->plan.device_count) {
        return BIOST_ERR_ARG;
    }
    device = &cuda->devices[device_index];
    oldest = bsi_cuda_open_oldest(device, total);
    if (oldest == NULL || cuda->error.code != BIOST_OK) {
        return cuda->error.code;
    }
    error = cuda->provider->enter(cuda->state, device->number, &before);
    if (error != 0) {
        return bsi_cuda_ring_fail(cuda, error, "reading times");
    }
    for (i = 0; error == 0 && i < total && *out_count < capacity; ++i) {
        const bsi_cuda_device_times *times = &device->times[(device->times_taken + i) % total];
        if (times->has_copy) {
            error = bsi_cuda_open_span_of(device, times, oldest->copy_start, &out_spans[(*out_count)++]);
        }
    }
    cuda->provider->leave(cuda->state, before);
    bsi_cuda_open_sort(out_spans, *out_count);
    return error == 0 ? BIOST_OK : bsi_cuda_ring_fail(cuda, error, "reading times");
}

/* ==========================================================================
 * >>public   the doors
 *   uses: words table expand dummy driver runtime ring open
 *                                  allocates: no   threads: no   I/O: no
 * ========================================================================== */

BIOST_API const biost_cuda_provider *biost_cuda_driver(void) {
    return bsi_cuda_driver_provider();
}

BIOST_API const biost_cuda_provider *biost_cuda_runtime(void) {
    return bsi_cuda_runtime_provider();
}

BIOST_API const biost_cuda_provider *biost_cuda_dummy(void) {
    return bsi_cuda_dummy_provider();
}

BIOST_API biost_result biost_cuda_look(const biost_cuda_provider *provider, int *out_count,
                                       biost_error *out_error) {
    biost_error error;
    int count = 0;
    memset(&error, 0, sizeof error);
    (void)bsi_cuda_open_look(provider, &count, &error);
    if (out_count != NULL) {
        *out_count = count;
    }
    if (out_error != NULL) {
        *out_error = error;
    }
    return error.code;
}

BIOST_API biost_result biost_cuda_open(const biost_cuda_desc *desc, biost_cuda **out_cuda,
                                       biost_error *out_error) {
    biost_error error;
    memset(&error, 0, sizeof error);
    if (desc == NULL || out_cuda == NULL) {
        bsi_cuda_words_begin_error(&error, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                                   "desc and out_cuda are required");
    } else {
        *out_cuda = bsi_cuda_open(desc, &error);
    }
    if (out_error != NULL) {
        *out_error = error;
    }
    return error.code;
}

BIOST_API biost_loader *biost_cuda_loader(biost_cuda *cuda) {
    return cuda == NULL ? NULL : cuda->loader;
}

BIOST_API const biost_cuda_provider *biost_cuda_calls(biost_cuda *cuda, void **out_state) {
    if (cuda == NULL || out_state == NULL) {
        return NULL;
    }
    *out_state = cuda->state;
    return cuda->provider;
}

BIOST_API int biost_cuda_device(const biost_cuda *cuda, uint32_t device_index) {
    return cuda == NULL || device_index >= cuda->plan.device_count ? -1 : cuda->devices[device_index].number;
}

BIOST_API biost_result biost_cuda_begin(biost_cuda *cuda, uint64_t epoch) {
    return cuda == NULL ? BIOST_ERR_ARG : bsi_cuda_ring_told(cuda, bsi_cuda_ring_begin(cuda, epoch));
}

BIOST_API biost_result biost_cuda_next(biost_cuda *cuda, const biost_cuda_stream *consumers,
                                       biost_cuda_batch *out_batches) {
    return cuda == NULL || out_batches == NULL
               ? BIOST_ERR_ARG
               : bsi_cuda_ring_told(cuda, bsi_cuda_ring_next(cuda, consumers, out_batches, 1));
}

BIOST_API biost_result biost_cuda_try_next(biost_cuda *cuda, const biost_cuda_stream *consumers,
                                           biost_cuda_batch *out_batches) {
    return cuda == NULL || out_batches == NULL
               ? BIOST_ERR_ARG
               : bsi_cuda_ring_told(cuda, bsi_cuda_ring_next(cuda, consumers, out_batches, 0));
}

BIOST_API biost_result biost_cuda_release(biost_cuda *cuda, const biost_cuda_batch *batch,
                                          biost_cuda_stream consumer) {
    return cuda == NULL || batch == NULL ? BIOST_ERR_ARG : bsi_cuda_ring_release(cuda, batch, consumer);
}

BIOST_API biost_result biost_cuda_export(biost_cuda *cuda, const biost_cuda_batch *batch, uint32_t index,
                                         int versioned, biost_cuda_stream consumer, void **out_managed) {
    if (out_managed == NULL) {
        return BIOST_ERR_ARG;
    }
    *out_managed = NULL;
    return cuda == NULL || batch == NULL
               ? BIOST_ERR_ARG
               : bsi_cuda_open_export(cuda, batch, index, versioned, consumer, out_managed);
}

BIOST_API const biost_error *biost_cuda_error(const biost_cuda *cuda) {
    if (cuda == NULL || cuda->last >= 0) {
        return NULL;
    }
    if (cuda->error.code != BIOST_OK) {
        return &cuda->error;
    }
    return cuda->refusal.code != BIOST_OK ? &cuda->refusal : biost_loader_error(cuda->loader);
}

BIOST_API void biost_cuda_count(const biost_cuda *cuda, biost_cuda_counters *out_counters) {
    if (cuda != NULL && out_counters != NULL) {
        *out_counters = cuda->counters;
    }
}

BIOST_API biost_result biost_cuda_timeline(biost_cuda *cuda, uint32_t device_index,
                                           biost_cuda_span *out_spans, uint32_t capacity,
                                           uint32_t *out_count) {
    return cuda == NULL || out_count == NULL || (out_spans == NULL && capacity > 0)
               ? BIOST_ERR_ARG
               : bsi_cuda_ring_told(
                     cuda, bsi_cuda_open_timeline(cuda, device_index, out_spans, capacity, out_count));
}

BIOST_API void biost_cuda_cancel(biost_cuda *cuda) {
    if (cuda != NULL) {
        bsi_cuda_store(&cuda->is_cancelled, 1);
        biost_loader_cancel(cuda->loader);
    }
}

BIOST_API void biost_cuda_close(biost_cuda *cuda) {
    if (cuda != NULL) {
        bsi_cuda_open_close(cuda);
    }
}

BIOST_API biost_result biost_cuda_memory_bytes(const biost_cuda_desc *desc, uint64_t *out_locked_bytes,
                                               uint64_t *out_device_bytes) {
    return desc == NULL || out_locked_bytes == NULL || out_device_bytes == NULL
               ? BIOST_ERR_ARG
               : bsi_cuda_open_memory_bytes(desc, out_locked_bytes, out_device_bytes);
}

BIOST_API biost_result biost_cuda_table_make(const biost_encoding *encoding, biost_cuda_table *out_table,
                                             biost_error *out_error) {
    biost_error error;
    memset(&error, 0, sizeof error);
    if (encoding == NULL || out_table == NULL) {
        bsi_cuda_words_begin_error(&error, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT,
                                   "encoding and out_table are required");
    } else {
        (void)bsi_cuda_table_make(encoding, out_table, &error);
    }
    if (out_error != NULL) {
        *out_error = error;
    }
    return error.code;
}

BIOST_API biost_result biost_cuda_expand(biost_cuda *cuda, uint32_t device_index,
                                         const biost_cuda_expansion *expansion, biost_cuda_stream stream) {
    return cuda == NULL || expansion == NULL || device_index >= cuda->plan.device_count
               ? BIOST_ERR_ARG
               : bsi_cuda_ring_told(cuda, bsi_cuda_ring_expand_on(cuda, device_index, expansion, stream));
}

BIOST_API biost_result biost_cuda_expand_host(const biost_cuda_expansion *expansion) {
    if (expansion == NULL || bsi_cuda_expand_check(expansion) != NULL) {
        return BIOST_ERR_ARG;
    }
    bsi_cuda_expand_host(expansion);
    return BIOST_OK;
}

#endif /* BIOSTREAM_CUDA_IMPLEMENTATION */
