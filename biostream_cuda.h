/*
 * biostream_cuda.h - the batches of biostream.h on a GPU, while the previous ones are used
 *
 * Version 0.2.0, for biostream.h of the same version. MIT, or public domain as the alternative: see
 * LICENSE.
 *
 * Do this in exactly ONE C, C++ or .cu file, before any other include:
 *
 *     #define BIOSTREAM_IMPLEMENTATION
 *     #define BIOSTREAM_CUDA_IMPLEMENTATION
 *     #include "biostream_cuda.h"
 *
 * and include it without the defines everywhere else; the two implementations may also be in two
 * files. It includes biostream.h. No CUDA toolkit is needed: opening a device loads NVIDIA's driver, and
 * says so where there is none. Link what biostream.h asks for, and -ldl where the C library wants it.
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
 * A biost_cuda opens a loader of its own, whose workers encode straight into page-locked memory, one byte a
 * base. One copy brings a batch to the device; there it is expanded to what the desc asked for, bit for bit
 * what the loader would have made. The consumer's stream waits for the batch; the host does not.
 *
 * In this program `stream` is the one the model runs on; batch.x.data is device memory, bf16 [rows][150][4].
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
 * release; then an event is recorded on it. biost_cuda_next makes the consumer's stream wait for that event;
 * biost_cuda_release records one on the consumer's stream. All these waits are on the device: the host waits
 * only while all host slots are still being copied.
 *
 * LIFETIMES
 *
 *     what                          valid until
 *     a batch, and all in it        biost_cuda_release of it, or biost_cuda_close
 *     an export                     the call of its deleter, also after release and close
 *     addresses of a slot           close: batch.slot says which of desc.device_slots it is; but with
 *                                     row_bases 0 only those of x and lengths stay
 *     desc and what it points to    biost_cuda_open returns, except what biost_loader_open borrows,
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
 * No call changes the current device of its thread. Devices are used through their primary contexts,
 * which CUDA's runtime, PyTorch and JAX use too.
 *
 * STREAMS
 *
 * A consumer's stream belongs to the primary context of the batch's device: NULL or cudaStreamLegacy, one of
 * yours, or cudaStreamPerThread if next, release and all uses happen on one thread. The library's own copy
 * streams wait for no default stream. Work put on the consumer's stream after biost_cuda_next sees the batch;
 * work put on it before biost_cuda_release is done before the slot is used again. If other streams read the
 * batch too, make the consumer's stream wait for them first: an allocator that counts references cannot know
 * of them.
 *
 * The library's own copy streams have the greatest priority, so copies and expansions do not queue after
 * kernels of the model that wait themselves. On CUDA's legacy default stream each wait and record of a
 * consumer joins all streams of the process that were not made non-blocking: a stream of your own is better.
 *
 * CUDA GRAPHS
 *
 * No call disturbs a capture on any thread, in any mode, and all calls work meanwhile. Only a stream that
 * itself captures is refused, with ERR_ARG and without any change: as a consumer by next, release and export,
 * and as one of desc.streams by open and next. CUDA's legacy default stream is refused while a stream that it
 * waits for captures. biost_cuda_expand may be captured; the graph is good as long as the biost_cuda is open.
 *
 * Deleters of exports may run at any time. If the export's consumer captures just then, the slot is held
 * until a later biost_cuda_next or biost_cuda_close takes it, and the consumer must exist until then. If an
 * export is deleted like that after or during close, its memory stays until the process ends: a graph may use
 * it for ever. Begin no capture of an export's consumer while another thread deletes the export or calls
 * next: nothing can keep a capture from beginning between check and record.
 *
 * A graph reads the addresses that it was captured with. A slot's addresses stay, so capture one graph for
 * each slot, before the first batch or between release and next, and launch the graph of batch.slot on the
 * consumer between next and release, as examples/cuda_graph.c does. It must read nothing else of the batch.
 *
 * WHAT CROSSES THE BUS
 *
 * One-hot rows and wide tokens cross it as one byte a base, F32 qualities as one byte, labels, masks,
 * weights and lengths as they are: an f32 one-hot batch is a sixteenth of what the model sees. The device
 * then looks each code up in a table. One-hot rows that hold qualities or the mask (quality.in_x, mask_in_x)
 * cross as they are, because what they hold for a base depends on more than its byte; so do error
 * probabilities of a store's regions, where padding may be on both sides. With several devices each array is
 * copied by itself. biost_loader_shape says how large each array of the loader is; a device slot has room for
 * the largest.
 *
 * biost_batch.digest and resume states come from a loader that encodes such codes: a resume state taken here
 * is for a biost_cuda_open with the same encoding, quality and no_expand, not for a biost_loader_open.
 *
 * WHEN IT HELPS
 *
 * It helps where the model needs more bases a second than pageable copies bring, or where such copies would
 * delay its steps. Computed, not measured: a bus of 25 GB/s carries 1.6 Gbase/s of f32 one-hot (16 bytes a
 * base), and 25 Gbase/s of codes. A loader that inflates one plain gzip file gives less than 1 Gbase/s; then
 * the GPU waits for the loader, not for the bus, and this header only saves its users the writing of rings.
 * It does not help a model that runs on the CPU.
 *
 * ERRORS
 *
 * Errors are as a loader's. A call to a device that fails is ERR_DEVICE, with CUDA's name and words for it,
 * and ends the biost_cuda: batches handed out before stay valid as far as the device allows, next returns the
 * error from then on, close works and waits for nothing that will not come.
 *
 * LIMITS
 *
 * - CUDA does not outlive fork: a child may not use this header once its parent called look or open.
 * - NVIDIA's driver must be of CUDA 11.0 or later, and the process of 64 bits.
 * - It must be possible to page-lock host memory: biost_cuda_memory_bytes says how much.
 * - The CPU must be little-endian, as all CPUs that CUDA runs on are.
 * - Not there: peer copies, GPUDirect Storage, inflating on the GPU (the CPU parses text).
 * ========================================================================== */

#ifndef BIOSTREAM_CUDA_H
#define BIOSTREAM_CUDA_H

#include "biostream.h"

#if !BIOST_HAS_LOADER
#error "biostream_cuda.h moves a loader's batches: do not define BIOSTREAM_NO_LOADER"
#endif

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
 * One batch on one device, lent from biost_cuda_next to biost_cuda_release. With several devices each has
 * its rows of the loader's batch, as if each were a rank.
 */
typedef struct biost_cuda_batch {
    uint64_t epoch, index;     /* as in the loader's batch */
    uint32_t rows, valid_rows; /* of this device; rows [valid_rows, rows) are padding */
    uint32_t flags;            /* BIOST_BATCH_* */
    uint32_t tensor_count;
    biost_tensor x;               /* device memory; also tensors[0] */
    const biost_tensor *tensors;  /* [tensor_count] device memory, the roles and order of biost_batch; x and
                                     an F32 quality as the loader's desc asked for them */
    uint32_t samples, mates;      /* as in biost_batch, of this device's rows */
    const uint32_t *row_samples;  /* host memory, as in biost_batch */
    const int32_t *lengths;       /* device memory [samples][mates] */
    const int32_t *host_lengths;  /* [samples][mates] the same in host memory, which may be read at once */
    const biost_row *origins;     /* [samples][mates] host memory */
    const char *names;            /* host memory, as in biost_batch; NULL without desc.names */
    const uint32_t *name_offsets; /* [rows] host memory, or NULL */
    const void *state; /* host memory [state_bytes]: the loader's resume state after this batch; NULL
                                     without desc.states, or where an input could not be read for it */
    size_t state_bytes;
    uint64_t digest;           /* the loader's, over the codes that crossed the bus; 0 without desc.digest,
                                  and on all devices but the first */
    int32_t device;            /* CUDA's number of the device */
    uint32_t device_index;     /* which of desc.devices */
    uint32_t slot, generation; /* say which loan this is; addresses of a slot never change */
} biost_cuda_batch;

/*
 * Codes, a byte a base, become elements: each code is replaced by its row of the table. All pointers are
 * device memory of one device (host memory for biost_cuda_expand_host); no output overlaps an input.
 */
typedef struct biost_cuda_expansion {
    const uint8_t *codes;      /* [rows][columns], padding a code like any other; 4-byte aligned */
    const void *table;         /* [256][channels] elements; 16-byte aligned */
    void *out;                 /* NLC [rows][columns][channels] or NCL [rows][channels][columns]; 16-byte
                                  aligned */
    const int32_t *lengths;    /* [rows] bases of each row; the other columns count as pad_code, whatever they
                                  hold. NULL: codes as they are */
    const uint8_t *complement; /* [256] code of the other strand's base: each row shows its reverse
                                  complement, with padding kept in place; needs lengths. NULL: rows as they
                                  are */
    uint32_t rows, columns;    /* rows up to 2^20, columns up to 2^28; if either is 0, nothing is done */
    uint32_t channels;         /* 1..27; 1 for tokens and qualities */
    uint32_t element_bytes;    /* 1, 2, 4 or 8 */
    uint32_t is_ncl;           /* 1: [rows][channels][columns] */
    uint32_t pad_left;         /* 1: padding comes before the bases; needs lengths */
    uint32_t pad_code;         /* with lengths */
} biost_cuda_expansion;

/* What happened, since open. */
typedef struct biost_cuda_counters {
    uint64_t batch_count; /* the loader's batches handed out: one for all devices */
    uint64_t copy_count;  /* copies to devices, as they were queued */
    uint64_t copied_bytes;
    uint64_t expand_count;    /* kernels launched */
    uint64_t host_wait_count; /* how often the host waited for a copy, as no host slot was free */
} biost_cuda_counters;

#define BIOST_CUDA_NO_TIME (-1e30) /* not known yet */

/*
 * When one batch was where, in microseconds of the device's clock since the start of the oldest batch's copy.
 * With desc.timeline_count.
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
 * those of CUDA's driver and runtime are CUDA's. `state` is what open made, NULL if open fails. Calls come
 * from any thread, several at once, between enter and leave of the device they are for. The exceptions are
 * open, close, device_count, enter, leave and error_*, and device_open and device_close, which are made one
 * at a time. Calls that free or close always release, even when they return an error.
 * ========================================================================== */

/* numbers all providers share */
enum {
    BIOST_CUDA_NOT_READY = 600, /* event_query: not yet */
    BIOST_CUDA_CAPTURES = 900,  /* event_query and event_wait: refused, while a CUDA graph is captured */
    BIOST_CUDA_NO_LIBRARY = -1, /* open: there is no driver to load */
    BIOST_CUDA_NO_SYMBOL = -2,  /* open: the driver is too old, it lacks a call */
    BIOST_CUDA_NO_MEMORY = -3   /* open: no host memory */
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
     * Make an open device the thread's current one. Calls up to leave neither end a CUDA graph's capture,
     * whichever thread captures, nor are refused for one. out_before: for leave.
     */
    int (*enter)(void *state, int device, void **out_before);
    /* Make all as it was before enter. */
    void (*leave)(void *state, void *before);
    /* Keep a device in use until device_close. -1 is the calling thread's current one, or 0; out_device is
     * the number of the device. */
    int (*device_open)(void *state, int device, int *out_device);
    void (*device_close)(void *state, int device);
    /* Page-locked for all devices; flags: BIOST_CUDA_WRITE_COMBINED. */
    int (*host_alloc)(void *state, size_t bytes, unsigned flags, void **out);
    int (*host_free)(void *state, void *memory);
    int (*host_lock)(void *state, void *memory, size_t bytes); /* page-lock memory of the caller's */
    int (*host_unlock)(void *state, void *memory);
    int (*device_alloc)(void *state, size_t bytes, void **out); /* 256-byte aligned */
    int (*device_free)(void *state, void *memory);
    /* Waits for no default stream. BIOST_CUDA_FIRST: its work goes before all other work that waits. */
    int (*stream_open)(void *state, unsigned flags, biost_cuda_stream *out);
    int (*stream_close)(void *state, biost_cuda_stream stream); /* work asked of the stream is still done */
    /*
     * 1: work asked of the stream goes into a CUDA graph. 2: it is the legacy default stream, and would
     * refuse work, since a stream that it waits for captures. 0: neither.
     */
    int (*stream_captures)(void *state, biost_cuda_stream stream, int *out_captures);
    int (*stream_wait)(void *state, biost_cuda_stream stream, void *event); /* never recorded: no wait */
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
    const char *(*error_text)(void *state, int error); /* CUDA's words for it; like error_name */
    int is_host; /* 1: device memory is host memory, and tensors say device -1 */
} biost_cuda_provider;

/* ==========================================================================
 * >>descs   what to open; zero means the default named beside the field
 * ========================================================================== */

/* Device memory from elsewhere, such as a framework's pool. Give both functions or neither. */
typedef struct biost_cuda_memory {
    /* 256-byte aligned; NULL: none left. The device is current. Earlier uses of the memory must be over. */
    void *(*alloc)(size_t bytes, int device, void *user_data);
    void (*free)(void *memory, size_t bytes, int device, void *user_data);
    void *user_data;
} biost_cuda_memory;

/*
 * What a biost_cuda loads, onto which devices, by which slots and streams. Zero is right for most fields
 * except `loader`.
 */
typedef struct biost_cuda_desc {
    const biost_loader_desc *loader; /* [must] what to load. slots 0 = 4 and one for each device slot
                                        beyond 3; slot_allocator must be 0: see host */
    const int32_t *devices; /* [device_count] CUDA's numbers; NULL = the calling thread's current one */
    uint32_t device_count;  /* 1..16; divides this rank's rows of a batch; 0 = 1 */
    uint32_t device_slots;  /* batches on each device, in flight or held by the caller; 2..64; 0 = 3.
                               Each has its own memory, allocated at open */
    uint32_t copy_streams;  /* copy streams a device, taken in turn; 1..8; 0 = 2 */
    const biost_cuda_stream *streams; /* [device_count][copy_streams] copy streams of yours, which exist
                                         until close; NULL = own ones */
    int no_expand;                    /* copy tensors as the loader encodes them, instead of a byte a base
                                         that the device expands */
    int write_combined;               /* host slots in write-combined memory, which the processor should only
                                         write: not with loader.digest; lengths, 4 bytes a row, are read back
                                         slowly. Faster over PCIe on some machines */
    biost_allocator host;     /* memory for host slots, such as the device's NUMA node's; page-locked at open
                                 and unlocked at close; 0 = the provider's. Not with write_combined. Requests
                                 are whole pages: multiples of 64 KiB, aligned to 64 KiB */
    biost_cuda_memory memory; /* device memory; 0 = the provider's */
    int states;               /* make biost_cuda_batch.state */
    uint32_t timeline_count;  /* keep the times of the last timeline_count batches of each device, those on
                                 their way included; up to 65536; 0 = none. Events with times cost a
                                 little more */
    const biost_cuda_provider *provider; /* NULL = biost_cuda_runtime where it is compiled in, else
                                            biost_cuda_driver; borrowed until close and until the last export
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
 * No GPU at all: one device in host memory, where every call is done when it returns. So a program for a GPU
 * can run and be tested without one. Static.
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

/*
 * The fields of biost_cuda_desc with ranges and defaults, as biost_desc_fields gives those of other descs.
 *
 *   out_count  out  number of fields
 *
 * Returns: [*out_count] static. Threads: any.
 */
BIOST_API const biost_field *biost_cuda_desc_fields(uint32_t *out_count);

/* ---- batches -------------------------------------------------------------- */

/*
 * Open devices, allocate both rings, and open the loader.
 *
 *   desc       in    may go away after the call with what it points to, except desc->provider and what
 *                    biost_loader_open borrows
 *   out_cuda   out   NULL unless BIOST_OK
 *   out_error  out   what is wrong, in a sentence; may be NULL
 *
 * Page-locking takes about half a second a GiB, once.
 *
 * Returns: what biost_loader_open returns; ERR_DEVICE: no driver or no GPU (NO_DEVICE), or a call failed
 *          (DEVICE; the sentence has CUDA's name and words, os_error its number).
 * Owner:   the caller; ends with biost_cuda_close.
 * Memory:  see biost_cuda_memory_bytes; all of it here. On the device nothing is allocated later.
 * Threads: as biost_loader_open; makes none of its own.
 */
BIOST_API BIOST_MUST_USE biost_result biost_cuda_open(const biost_cuda_desc *desc, biost_cuda **out_cuda,
                                                      biost_error *out_error);

/* The loader, for those of its calls that any thread may make: progress, counters, hint, warnings,
 * first_epoch, first_batch, get_desc. Borrowed until close. Only the biost_cuda may call next, begin and
 * release. */
BIOST_API biost_loader *biost_cuda_loader(biost_cuda *cuda);

/*
 * The provider the biost_cuda runs on, and the state to call it with: for streams, memory and copies of your
 * own without a CUDA toolkit, between enter and leave; see biost_cuda_provider. Valid until close.
 */
BIOST_API const biost_cuda_provider *biost_cuda_calls(biost_cuda *cuda, void **out_state);

/* CUDA's number of the device of this index, 0..device_count - 1; else -1. Threads: any. */
BIOST_API int biost_cuda_device(const biost_cuda *cuda, uint32_t device_index);

/*
 * Begin an epoch, as biost_loader_begin. Batches the caller holds stay valid; batches on their way are
 * dropped when their copies have passed.
 *
 * Returns: as biost_loader_begin; ERR_DEVICE. Threads: owner only.
 */
BIOST_API BIOST_MUST_USE biost_result biost_cuda_begin(biost_cuda *cuda, uint64_t epoch);

/*
 * Lend the next batch on every device.
 *
 *   consumers    in    [device_count] for each device the stream that will use its batch, which is made to
 *                      wait for the batch; NULL = each device's default stream
 *   out_batches  out   [device_count]; zero unless BIOST_OK
 *
 * A consumer is a stream of its device's primary context, or cudaStreamPerThread if release is called by the
 * same thread; it captures no CUDA graph. The call asks for the copies of all further batches that are ready,
 * then returns: the host waits for no device, unless all host slots are still being copied. While the loader
 * has nothing ready the call helps it, as biost_loader_next does.
 *
 * Returns: BIOST_OK; BIOST_END; the loader's error, after all batches before it; ERR_SLOTS (the caller holds
 *          all device slots of a device); ERR_ARG (before the first begin, or a consumer or a stream of
 *          desc.streams captures); ERR_DEVICE (a call to a device failed, and so will all later ones);
 *          CANCELLED.
 * Valid until: biost_cuda_release, or biost_cuda_close.
 * Threads: owner only.
 */
BIOST_API BIOST_MUST_USE biost_result biost_cuda_next(biost_cuda *cuda, const biost_cuda_stream *consumers,
                                                      biost_cuda_batch *out_batches);

/* As biost_cuda_next, but returns BIOST_PENDING where that would wait for the loader or a copy; see
 * biost_loader_try_next. */
BIOST_API BIOST_MUST_USE biost_result biost_cuda_try_next(biost_cuda *cuda,
                                                          const biost_cuda_stream *consumers,
                                                          biost_cuda_batch *out_batches);

/*
 * Give a batch of one device back. Its slot is used again when all work that was put on `consumer` before
 * this call has passed. Join work on other streams to it first. If an export of the batch was deleted,
 * `consumer` is made to wait for that export's stream.
 *
 * Returns: BIOST_OK; ERR_ARG (not held, a second release, or `consumer` captures a CUDA graph: nothing
 *          changes); ERR_DEVICE (the event could not be recorded, as on a stream of another device or
 *          context; the batch is still held).
 * Threads: any; the batches of one slot one at a time.
 */
BIOST_API biost_result biost_cuda_release(biost_cuda *cuda, const biost_cuda_batch *batch,
                                          biost_cuda_stream consumer);

/*
 * Export a tensor of a batch that the caller holds, without a copy, as DLPack; see biost_tensor_export.
 * `consumer` is made to wait for the batch. It is NULL, cudaStreamLegacy or a stream of yours, which exists
 * until the deleter ran; not cudaStreamPerThread (2), nor -1, which Python's __dlpack__ has for no stream at
 * all.
 *
 * The slot is used again when the batch was released and every export of it deleted. Each deleter records an
 * event on its `consumer`, after those of earlier deleters, so join work that uses the export to that stream.
 * Deleters may run after biost_cuda_close: the last one waits for what was recorded, and frees the rest, by
 * desc.memory, the loader's allocator and the provider, on its thread. An event that a deleter cannot record
 * ends the biost_cuda: ERR_DEVICE from next.
 *
 * Returns: BIOST_OK; ERR_ARG; ERR_NOMEM; ERR_DEVICE (`consumer` could not be made to wait).
 * Threads: owner only; deleters on any.
 */
BIOST_API BIOST_MUST_USE biost_result biost_cuda_export(biost_cuda *cuda, const biost_cuda_batch *batch,
                                                        uint32_t index, int versioned,
                                                        biost_cuda_stream consumer, void **out_managed);

/* Why the owner's last call of begin, next, try_next, expand or timeline failed, in a sentence; NULL if it
 * did not fail. Valid until the next of these calls. Threads: owner only. */
BIOST_API const biost_error *biost_cuda_error(const biost_cuda *cuda);

/* What happened so far. Threads: owner only. */
BIOST_API void biost_cuda_count(const biost_cuda *cuda, biost_cuda_counters *out_counters);

/*
 * Times of the last batches of one device, oldest first; see desc.timeline_count. Times that have passed on
 * the device are filled in; the call waits for none.
 *
 *   out_spans  out  [capacity]
 *   out_count  out  spans written
 *
 * Returns: BIOST_OK; ERR_ARG; ERR_DEVICE. Threads: owner only.
 */
BIOST_API biost_result biost_cuda_timeline(biost_cuda *cuda, uint32_t device_index,
                                           biost_cuda_span *out_spans, uint32_t capacity,
                                           uint32_t *out_count);

/* Stop soon; as biost_loader_cancel. Threads: any, any time before close. */
BIOST_API void biost_cuda_cancel(biost_cuda *cuda);

/*
 * Stop, wait for copies on their way and for consumers of released batches, and free everything, also batches
 * that are held, but not exports. First finish the consumers of held batches, whose memory goes, and the
 * streams of biost_cuda_expand, whose kernels go; launch no graph with such a kernel later. After a device
 * error close waits for nothing. NULL is fine.
 * Threads: owner, no other call running except deleters.
 */
BIOST_API void biost_cuda_close(biost_cuda *cuda);

/*
 * The most bytes that open allocates: page-locked host memory, in addition to the loader's own (see
 * biost_loader_memory), and memory of each device.
 *
 * Returns: BIOST_OK; ERR_ARG for a desc that open refuses for its values, with both 0. Threads: any.
 */
BIOST_API biost_result biost_cuda_memory_bytes(const biost_cuda_desc *desc, uint64_t *out_locked_bytes,
                                               uint64_t *out_device_bytes);

/* ---- expansion over memory of yours --------------------------------------- */

/* What an encoding makes of bases, for biost_cuda_expansion; about 28 KiB of plain data. */
typedef struct biost_cuda_table {
    uint8_t code[256];                   /* code of each byte of a sequence */
    uint8_t complement[256];             /* for each code, the code of the other strand's base */
    uint32_t pad_code;                   /* code of padding */
    uint32_t code_count;                 /* codes are 0..code_count - 1, pad_code included; at most 256 */
    uint32_t channels, element_bytes;    /* of the encoding; tokens have 1 channel */
    uint64_t elements[256 * 27 * 4 / 8]; /* [256][channels] elements, side by side */
} biost_cuda_table;

/*
 * Make the codes and elements of an encoding. Bytes with the same elements share a code, if their complements
 * do.
 *
 * Returns: BIOST_OK; ERR_ARG as biost_encoder_init, or more than 256 codes would be needed.
 */
BIOST_API BIOST_MUST_USE biost_result biost_cuda_table_make(const biost_encoding *encoding,
                                                            biost_cuda_table *out_table,
                                                            biost_error *out_error);

/*
 * Expand on a stream of the biost_cuda's device; a stream that captures a CUDA graph takes the expansion into
 * the graph. Finish the stream before close.
 *
 * Returns: BIOST_OK; ERR_ARG, also on CUDA's legacy default stream while a stream that it waits for captures;
 *          ERR_DEVICE, which ends the biost_cuda unless it is an error of the capture.
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
 * One error, not hundreds. Where the implementation of biostream.h is asked for too, that header gives the
 * error, and this implementation counts as there.
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

/* 1 if a CUDA compiler reads this file: it compiles the kernels, and the runtime launches them. */
#if defined(__CUDACC__)
#define BSI_CUDA_IS_CUDA_FILE 1
#else
#define BSI_CUDA_IS_CUDA_FILE 0
#endif

/* A compile-time check in any scope: if the condition fails, the array has size -1. */
#define BSI_CUDA_STATIC_ASSERT(condition, name) \
    typedef char bsi_cuda_static_assert_##name[(condition) ? 1 : -1]

#define BSI_CUDA_ALIGN 256u /* of every array on a device */

/* Before literals of more than 4095 bytes, the length that C99 promises. */
#if defined(__GNUC__)
#define BSI_CUDA_LONG_TEXT __extension__
#define BSI_CUDA_RARE      __attribute__((cold)) /* once an open: built for size */
#else
#define BSI_CUDA_LONG_TEXT
#define BSI_CUDA_RARE
#endif

BSI_CUDA_STATIC_ASSERT(sizeof(void *) == sizeof(size_t), addresses_are_sizes);

/*
 * Words that several threads change. A load sees all that a thread did before the store, add or exchange
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

/* Returns 1 if the word was `before`, and is `after` now. */
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

/* Returns 1 if the word was `before`, and is `after` now. */
static int bsi_cuda_exchange(uint32_t *word, uint32_t before, uint32_t after) {
    return __atomic_compare_exchange_n(word, &before, after, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
#endif

/* `bytes` rounded up so that the next array is aligned. */
static uint64_t bsi_cuda_round_up(uint64_t bytes) {
    return (bytes + (BSI_CUDA_ALIGN - 1)) / BSI_CUDA_ALIGN * BSI_CUDA_ALIGN;
}

/* ==========================================================================
 * >>words   sentences of errors
 *   uses: config                   allocates: no   threads: no   I/O: no
 * ========================================================================== */

/* Add as much of a text to a sentence as fits. */
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

/* A call of the provider failed: `number` is its error, `what` says what it was for, as "copying a batch". */
static void bsi_cuda_words_device_error(biost_error *error, const biost_cuda_provider *provider, void *state,
                                        int number, const char *what) {
    /* No library or call; a library for linking only, a driver too old, no GPU: CUDA's 34, 35, 100. */
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
 * A code is a byte that stands for all bytes of a sequence that an encoding treats alike, and whose
 * complements it treats alike; so a device can turn a row round without knowing the bytes. Padding is a code
 * as well. The complement of U is A, and that of A is T: complements of complements must agree as well, or
 * the code of A would depend on which byte came first.
 * ========================================================================== */

#define BSI_CUDA_TABLE_BASE_BYTES 108u /* the most that a base becomes: 27 channels of 4 bytes */
#define BSI_CUDA_TABLE_PADDING    256u /* the symbol after the 256 bytes */
#define BSI_CUDA_TABLE_CODES      256u /* rows of a table */

BSI_CUDA_STATIC_ASSERT(sizeof((biost_cuda_table *)0)->elements == 256 * BSI_CUDA_TABLE_BASE_BYTES,
                       table_has_room_for_all_codes);

/* What each symbol becomes: a byte of a sequence, or padding. */
typedef struct bsi_cuda_table_symbols {
    uint8_t elements[257][BSI_CUDA_TABLE_BASE_BYTES]; /* [symbol][base_bytes] */
    uint16_t complement[257];                         /* [symbol] the other strand's */
    uint32_t base_bytes;
} bsi_cuda_table_symbols;

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

/* Whether two symbols may have one code. */
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

/* Give each symbol its code, the lowest first. Returns 0 if 256 codes are too few. */
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

/* Like biost_cuda_table_make; out_table is not NULL, and zero unless the result is BIOST_OK. */
static biost_result bsi_cuda_table_make(const biost_encoding *encoding, biost_cuda_table *out_table,
                                        biost_error *out_error) {
    bsi_cuda_table_symbols symbols;
    biost_encoder encoder;
    biost_error error;
    biost_result result = biost_encoder_init(encoding, 0, &encoder, &error);
    memset(out_table, 0, sizeof *out_table);
    if (result == BIOST_OK) {
        bsi_cuda_table_encode(&encoder, &symbols);
        out_table->element_bytes = encoder.element_bytes;
        out_table->channels = encoder.channels;
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
 * The table of qualities: codes 0..93, which are Phred scores, have the F32 element that `kind` makes of
 * them; all others, padding's 255 among them, have 0. kind is not NONE.
 */
static void bsi_cuda_table_quality(biost_quality_kind kind, float out_elements[256]) {
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
 * There are five kernels. For each a function here does all that its thread i does: for nvcc, for the maker
 * of the PTX and for the twin, which calls it for one i after another. Thread i writes bytes [16 i, 16 i +
 * 16) of out, the last thread maybe fewer, so neighbours write side by side.
 *
 *     whole    bases of 1, 2, 4, 8 or 16 bytes, side by side: NLC, tokens.
 *     padded   the same of 4 bytes and more, with lengths: qualities. Codes are read as for `whole`; then
 *              those that are no bases become padding, by a mask.
 *     planes   NCL. 16 bytes hold the end of one plane at most, and then two planes' codes are joined.
 *     sides    NLC with bases of other sizes, as with 5 channels: a thread goes from one
 *              channel to the next, and after the last to the next code.
 *     any      all else: with complement, other layouts with lengths, rows of a few columns, more units
 *              than 32 bits count. A thread walks from unit to unit, past the ends of planes and rows.
 *
 * All kernels except `any` read codes as aligned words. Where those would reach past the array, `planes` and
 * `sides` go byte by byte, in a few threads of the first and the last row. A warp is as slow as its slowest
 * thread, and with planes of 150 columns nearly every warp has an end: so ends cost little more than what is
 * between them. What is the same for all threads is worked out once and comes with the argument, the
 * reciprocals for dividing among it. Elements come from the table through the read-only cache: the rows of a
 * few codes are one or two of its lines.
 * ========================================================================== */

#define BSI_CUDA_EXPAND_COLUMNS (1u << 28) /* most columns of a row */

#if defined(__CUDACC__)
#define BSI_CUDA_ANY __host__ __device__ __forceinline__
#else
#define BSI_CUDA_ANY
#endif

/*
 * BSI_CUDA_LOAD(type, to, from)    `to`, a variable of the type, from memory aligned for the type
 * BSI_CUDA_LOAD_2(to, from)        a number of 2 bytes, the first byte lowest, aligned to its size
 * BSI_CUDA_LOAD_4(to, from)        the same of 4 bytes
 * BSI_CUDA_LOAD_8(words, from)     two numbers of 4 bytes each, aligned to 8
 * BSI_CUDA_LOAD_16(words, from)    four of them, aligned to 16
 * BSI_CUDA_STORE_16(to, words)     the reverse of BSI_CUDA_LOAD_16
 * BSI_CUDA_UNROLL, BSI_CUDA_ROLL   before a loop: a copy of it for each round, or one copy
 *
 * On a device each of these is one access. Elsewhere the numbers are put together from bytes, so that they
 * are the same on machines with another byte order.
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

/* kernels, in the order of bsi_cuda_kernels_names */
enum {
    BSI_CUDA_EXPAND_WHOLE = 0,
    BSI_CUDA_EXPAND_PADDED = 1,
    BSI_CUDA_EXPAND_PLANES = 2,
    BSI_CUDA_EXPAND_SIDES = 3,
    BSI_CUDA_EXPAND_ANY = 4,
    BSI_CUDA_EXPAND_KERNELS = 5
};

/* 16 bytes as four numbers of four bytes each, the first one lowest: what a thread writes, or 16 codes. */
typedef struct bsi_cuda_expand_quad {
    uint32_t words[4];
} bsi_cuda_expand_quad;

/*
 * The argument of the kernels: the expansion, which comes first, and what would be the same work for all
 * threads. A unit is what is looked up at once: an element, or in `whole` and `padded` all channels of a
 * base. Units are side by side in groups, and groups in rows: the groups of NCL are planes, else bases.
 */
typedef struct bsi_cuda_expand_job {
    biost_cuda_expansion expansion;
    uint64_t threads;     /* each writes 16 bytes of out, the last one maybe fewer */
    uint64_t full;        /* threads that write all 16 */
    uint64_t per_column;  /* 2^64 / columns, rounded up, so that to divide is to multiply; 0 for 1 */
    uint64_t per_channel; /* the same for channels, and for inner and middle */
    uint64_t per_inner, per_middle;
    uint32_t rest;           /* bytes of the last thread, if it is not full */
    uint32_t windows;        /* the number of places where a window can begin */
    uint32_t unit, channels; /* bytes; units of a code */
    uint32_t count, span;    /* units in 16 bytes; codes in a window: 4, 8 or 16 */
    uint32_t inner, middle;  /* units of a group; groups of a row */
    uint32_t is_bases;       /* groups are bases, else planes */
    uint32_t is_other;       /* rows show the other strand */
    uint32_t is_near;        /* numbers of units have no more than 32 bits */
    uint32_t pad_word;       /* pad_code four times */
} bsi_cuda_expand_job;

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
        {e->columns > BSI_CUDA_EXPAND_COLUMNS, "expansion.columns is more than 2^28"},
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

/*
 * n / divisor, where `per` is 2^64 / divisor, rounded up, and the divisor is not 1. The result is exact if
 * both are below 2^32: the excess of `per`, times n, is below 2^64 / divisor.
 */
BSI_CUDA_ANY static uint32_t bsi_cuda_expand_divide(uint32_t n, uint64_t per) {
    uint64_t low = (uint64_t)n * (uint32_t)per;
    return (uint32_t)(((uint64_t)n * (per >> 32) + (low >> 32)) >> 32);
}

/*
 * Returns the kernel: `any` also for rows shorter than what 16 bytes show, or more units than 32 bits count.
 */
static uint32_t bsi_cuda_expand_kernel(const biost_cuda_expansion *expansion) {
    const biost_cuda_expansion *e = expansion;
    uint32_t base_bytes = e->channels * e->element_bytes;
    uint64_t elements = (uint64_t)e->rows * e->columns * e->channels;
    int is_planes = e->is_ncl && e->channels > 1, is_near = elements >> 32 == 0;
    int is_whole = !is_planes && base_bytes <= 16 && (base_bytes & (base_bytes - 1)) == 0;
    if (is_whole && e->lengths == NULL) {
        return BSI_CUDA_EXPAND_WHOLE;
    }
    if (is_whole && base_bytes >= 4 && e->complement == NULL && is_near && e->columns >= 4) {
        return BSI_CUDA_EXPAND_PADDED;
    }
    if (e->lengths == NULL && is_planes && e->element_bytes <= 4 && is_near &&
        e->columns * e->element_bytes >= 16) {
        return BSI_CUDA_EXPAND_PLANES;
    }
    return e->lengths == NULL && !is_planes && e->element_bytes <= 4 && is_near ? BSI_CUDA_EXPAND_SIDES
                                                                                : BSI_CUDA_EXPAND_ANY;
}

/* The factor that replaces a division; 0 for a divisor of 1, whose reciprocal has 65 bits. */
static uint64_t bsi_cuda_expand_per(uint32_t divisor) {
    return divisor > 1 ? UINT64_MAX / divisor + 1 : 0;
}

/* Make the argument for a kernel that can do the expansion. 0 threads: nothing is to be done. */
static void bsi_cuda_expand_prepare(const biost_cuda_expansion *expansion, uint32_t kernel,
                                    bsi_cuda_expand_job *out_job) {
    const biost_cuda_expansion *e = expansion;
    uint32_t base_bytes = e->channels * e->element_bytes;
    uint64_t bases = (uint64_t)e->rows * e->columns, bytes = bases * base_bytes;
    int is_whole = kernel == BSI_CUDA_EXPAND_WHOLE || kernel == BSI_CUDA_EXPAND_PADDED;
    bsi_cuda_expand_job job;
    memset(&job, 0, sizeof job);
    job.expansion = *e;
    job.threads = (bytes + 15) >> 4;
    job.full = bytes >> 4;
    job.rest = (uint32_t)(bytes & 15);
    job.per_column = bsi_cuda_expand_per(e->columns);
    job.per_channel = bsi_cuda_expand_per(e->channels);
    job.unit = is_whole ? base_bytes : e->element_bytes;
    job.count = 16 / job.unit;
    job.channels = is_whole ? 1 : e->channels;
    job.is_bases = !e->is_ncl || e->channels == 1;
    job.inner = job.is_bases ? job.channels : e->columns;
    job.middle = job.is_bases ? e->columns : job.channels;
    job.per_inner = bsi_cuda_expand_per(job.inner);
    job.per_middle = bsi_cuda_expand_per(job.middle);
    job.is_near = bytes / job.unit >> 32 == 0;
    job.is_other = e->complement != NULL;
    /* In `sides` 16 bytes show parts of 5 or 6 bases only if a base has 3 bytes, else of 4 at most. */
    job.span = kernel != BSI_CUDA_EXPAND_SIDES ? job.count : base_bytes < 5 ? 8 : 4;
    if (bases >= job.span + 4 && bases >> 32 == 0) {
        job.windows = ((uint32_t)(bases - job.span - 4) & ~3u) + 4;
    }
    job.pad_word = (e->pad_code & 255u) * 0x1010101u;
    *out_job = job;
}

/* Choose the kernel and make its argument. Returns the kernel. */
static uint32_t bsi_cuda_expand_plan(const biost_cuda_expansion *expansion, bsi_cuda_expand_job *out_job) {
    uint32_t kernel = bsi_cuda_expand_kernel(expansion);
    bsi_cuda_expand_prepare(expansion, kernel, out_job);
    return kernel;
}

/* ---- rows ---- */

/* What a row shows: bases in columns [first, first + count), padding in the others. */
typedef struct bsi_cuda_expand_bases {
    uint32_t first, count;
} bsi_cuda_expand_bases;

/* Lengths are clamped when they are read, so that no wrong length reaches past its row. */
BSI_CUDA_ANY static bsi_cuda_expand_bases bsi_cuda_expand_row(const biost_cuda_expansion *expansion,
                                                              uint32_t row) {
    bsi_cuda_expand_bases bases;
    bases.first = 0;
    bases.count = expansion->columns;
    if (expansion->lengths != NULL) {
        int32_t length;
        BSI_CUDA_LOAD(int32_t, length, expansion->lengths + row);
        length = length < 0 ? 0 : length;
        bases.count = (uint32_t)length < bases.count ? (uint32_t)length : bases.count;
        bases.first = expansion->pad_left ? expansion->columns - bases.count : 0;
    }
    return bases;
}

/* Which of 4 columns show bases, a bit each. The first is `here`; it is before the row if below 0. */
BSI_CUDA_ANY static uint32_t bsi_cuda_expand_shown(bsi_cuda_expand_bases bases, int32_t here) {
    int32_t from = (int32_t)bases.first - here, to = from + (int32_t)bases.count;
    from = from < 0 ? 0 : from;
    to = to < 0 ? 0 : to;
    return (1u << (to < 4 ? to : 4)) - (1u << (from < 4 ? from : 4)); /* bits [from, to) */
}

/* ---- one by one ---- */

/*
 * All that thread i of another kernel writes, unit by unit and byte by byte: for the few threads whose codes
 * are not all in whole words of the array, and for the last thread.
 */
BSI_CUDA_ANY static void bsi_cuda_expand_slowly(const bsi_cuda_expand_job *job, uint64_t i, uint32_t kernel) {
    const biost_cuda_expansion *e = &job->expansion;
    uint8_t *out = (uint8_t *)e->out + 16 * i;
    uint32_t end = i < job->full ? job->count : job->rest / job->unit;
    BSI_CUDA_ROLL for (uint32_t k = 0; k < end; k++) {
        uint64_t place = i * job->count + k;
        uint32_t at = (uint32_t)place, channel = 0; /* only `whole` can have more than 2^32 places */
        const uint8_t *from = (const uint8_t *)e->table;
        uint8_t code;
        if (kernel == BSI_CUDA_EXPAND_PLANES) {
            uint32_t plane = at / e->columns, row = plane / e->channels;
            channel = plane - row * e->channels;
            place = at - (plane - row) * e->columns;
        } else if (kernel == BSI_CUDA_EXPAND_SIDES) {
            place = at / e->channels;
            channel = at - (uint32_t)place * e->channels;
        }
        BSI_CUDA_LOAD(uint8_t, code, e->codes + place);
        if (kernel == BSI_CUDA_EXPAND_PADDED) {
            uint32_t row = at / e->columns;
            bsi_cuda_expand_bases bases = bsi_cuda_expand_row(e, row);
            code = at - row * e->columns - bases.first < bases.count ? code : (uint8_t)job->pad_word;
        }
        from += (code * job->channels + channel) * job->unit;
        BSI_CUDA_ROLL for (uint32_t byte = 0; byte < job->unit; byte++) {
            BSI_CUDA_LOAD(uint8_t, *out, from + byte);
            out++;
        }
    }
}

/* ---- words of codes ---- */

/* Four bytes out of two words side by side. */
BSI_CUDA_ANY static uint32_t bsi_cuda_expand_funnel(uint32_t low, uint32_t high, uint32_t shift) {
    return (uint32_t)(((uint64_t)high << 32 | low) >> shift);
}

/* `count` codes, 1, 2 or 4, from place `at` in all rows on, which is a multiple of `count`. */
BSI_CUDA_ANY static void bsi_cuda_expand_read_few(const biost_cuda_expansion *expansion, uint64_t at,
                                                  uint32_t count, bsi_cuda_expand_quad *out) {
    const uint8_t *from = expansion->codes + at;
    uint8_t code;
    if (count == 1) {
        BSI_CUDA_LOAD(uint8_t, code, from);
        out->words[0] = code;
    } else if (count == 2) {
        BSI_CUDA_LOAD_2(out->words[0], from);
    } else {
        BSI_CUDA_LOAD_4(out->words[0], from);
    }
}

/* The same, also for a `count` of 8 or 16. */
BSI_CUDA_ANY static void bsi_cuda_expand_read(const biost_cuda_expansion *expansion, uint64_t at,
                                              uint32_t count, bsi_cuda_expand_quad *out) {
    const uint8_t *from = expansion->codes + at;
    bsi_cuda_expand_read_few(expansion, at, count, out);
    if (count > 4) {
        BSI_CUDA_LOAD_4(out->words[1], from + 4);
    }
    if (count > 8) {
        BSI_CUDA_LOAD_4(out->words[2], from + 8);
        BSI_CUDA_LOAD_4(out->words[3], from + 12);
    }
}

/*
 * A window: `words` words of codes from any place on. It reads the aligned words that hold these codes and
 * one more, which is not used if the place is aligned. Returns 0, and reads nothing, if those words are not
 * all inside the array; a place before the array is a number beyond it.
 */
BSI_CUDA_ANY static int bsi_cuda_expand_window(const bsi_cuda_expand_job *job, uint32_t place, uint32_t words,
                                               bsi_cuda_expand_quad *out) {
    uint32_t shift = 8 * (place & 3), word, next;
    const uint8_t *from = job->expansion.codes;
    if (place >= job->windows) {
        return 0;
    }
    from += place & ~3u;
    BSI_CUDA_LOAD_4(word, from);
    BSI_CUDA_UNROLL for (uint32_t w = 0; w < 4; w++) {
        if (w < words) {
            BSI_CUDA_LOAD_4(next, from + 4 * w + 4);
            out->words[w] = bsi_cuda_expand_funnel(word, next, shift);
            word = next;
        }
    }
    return 1;
}

/* The codes that a thread looks up, and in NCL the channel of each. */
typedef struct bsi_cuda_expand_run {
    bsi_cuda_expand_quad codes, channels;
} bsi_cuda_expand_run;

/* Replace the codes from the k-th on, and their channels. */
BSI_CUDA_ANY static void bsi_cuda_expand_join(bsi_cuda_expand_run *run, uint32_t k,
                                              const bsi_cuda_expand_quad *codes, uint32_t channels,
                                              uint32_t words) {
    BSI_CUDA_UNROLL for (uint32_t w = 0; w < 4; w++) {
        if (w < words) {
            uint32_t old = k > 4 * w ? k - 4 * w : 0;
            uint32_t mask = (uint32_t)((uint64_t)0xFFFFFFFFu << 8 * (old < 4 ? old : 4));
            run->codes.words[w] = (run->codes.words[w] & ~mask) | (codes->words[w] & mask);
            run->channels.words[w] = (run->channels.words[w] & ~mask) | (channels & mask);
        }
    }
}

/*
 * The codes of NCL from unit `at` on, by one window, or by two if a plane ends among them. Then the same row
 * comes again, or the next row, whose codes follow anyway. Returns 0 if a window reaches past the array.
 */
BSI_CUDA_ANY static int bsi_cuda_expand_pair(const bsi_cuda_expand_job *job, uint32_t at, uint32_t words,
                                             bsi_cuda_expand_run *run) {
    uint32_t columns = job->expansion.columns, plane = bsi_cuda_expand_divide(at, job->per_column);
    uint32_t row = bsi_cuda_expand_divide(plane, job->per_channel), channel = plane - row * job->channels;
    uint32_t column = at - plane * columns, left = columns - column, place = row * columns + column;
    if (!bsi_cuda_expand_window(job, place, words, &run->codes)) {
        return 0;
    }
    BSI_CUDA_UNROLL for (uint32_t w = 0; w < 4; w++) {
        run->channels.words[w] = channel * 0x1010101u;
    }
    if (left < 4 * words) {
        int is_row = channel + 1 < job->channels;
        bsi_cuda_expand_quad codes = {{0, 0, 0, 0}};
        if (!bsi_cuda_expand_window(job, is_row ? place - columns : place, words, &codes)) {
            return 0;
        }
        bsi_cuda_expand_join(run, left, &codes, is_row ? (channel + 1) * 0x1010101u : 0, words);
    }
    return 1;
}

/* For `padded`: what is no base in the row of base `at`, and in the next row, becomes padding. */
BSI_CUDA_ANY static void bsi_cuda_expand_pad(const bsi_cuda_expand_job *job, uint32_t at,
                                             bsi_cuda_expand_quad *codes) {
    const biost_cuda_expansion *e = &job->expansion;
    uint32_t row = bsi_cuda_expand_divide(at, job->per_column);
    uint32_t column = at - row * e->columns, left = e->columns - column, mask;
    uint32_t shown = bsi_cuda_expand_shown(bsi_cuda_expand_row(e, row), (int32_t)column);
    if (left < job->count) {
        shown |= bsi_cuda_expand_shown(bsi_cuda_expand_row(e, row + 1), -(int32_t)left);
    }
    mask = (shown * 0x204081u & 0x1010101u) * 255u; /* four bits to four bytes */
    codes->words[0] = (codes->words[0] & mask) | (job->pad_word & ~mask);
}

/* ---- elements ---- */

/* Set unit k of the next 4, of 1, 2 or 4 bytes; the words were 0 before. */
BSI_CUDA_ANY static void bsi_cuda_expand_put_unit(bsi_cuda_expand_quad *quad, const uint8_t *from,
                                                  uint32_t unit, uint32_t k) {
    uint32_t element;
    uint8_t byte;
    if (unit == 4) {
        BSI_CUDA_LOAD_4(quad->words[k], from);
    } else if (unit == 2) {
        BSI_CUDA_LOAD_2(element, from);
        quad->words[k / 2] |= element << 16 * (k % 2);
    } else {
        BSI_CUDA_LOAD(uint8_t, byte, from);
        quad->words[0] |= (uint32_t)byte << 8 * k;
    }
}

/* Append 4 units. When there are 16 bytes of them, the first units are lowest. */
BSI_CUDA_ANY static void bsi_cuda_expand_append(bsi_cuda_expand_quad *quad, const bsi_cuda_expand_quad *more,
                                                uint32_t unit) {
    if (unit == 4) {
        *quad = *more;
    } else if (unit == 2) {
        quad->words[0] = quad->words[2];
        quad->words[1] = quad->words[3];
        quad->words[2] = more->words[0];
        quad->words[3] = more->words[1];
    } else {
        quad->words[0] = quad->words[1];
        quad->words[1] = quad->words[2];
        quad->words[2] = quad->words[3];
        quad->words[3] = more->words[0];
    }
}

/* Look up a unit of 1, 2 or 4 bytes for each code: its only one, or that of its channel. */
BSI_CUDA_ANY static bsi_cuda_expand_quad bsi_cuda_expand_look(const bsi_cuda_expand_job *job,
                                                              bsi_cuda_expand_run run, int has_channels,
                                                              uint32_t unit) {
    const uint8_t *table = (const uint8_t *)job->expansion.table;
    bsi_cuda_expand_quad quad = {{0, 0, 0, 0}};
    BSI_CUDA_ROLL for (uint32_t bytes = 0; bytes < 16; bytes += 4 * unit) {
        bsi_cuda_expand_quad more = {{0, 0, 0, 0}};
        BSI_CUDA_UNROLL for (uint32_t k = 0; k < 4; k++) {
            uint32_t place = run.codes.words[0] >> 8 * k & 255u;
            if (has_channels) {
                place = place * job->channels + (run.channels.words[0] >> 8 * k & 255u);
            }
            bsi_cuda_expand_put_unit(&more, table + (uint64_t)place * unit, unit, k);
        }
        bsi_cuda_expand_append(&quad, &more, unit);
        bsi_cuda_expand_append(&run.codes, &run.codes, 1);
        bsi_cuda_expand_append(&run.channels, &run.channels, 1);
    }
    return quad;
}

/* The same for units of 8 or 16 bytes, which have no channels. */
BSI_CUDA_ANY static bsi_cuda_expand_quad
bsi_cuda_expand_look_wide(const bsi_cuda_expand_job *job, const bsi_cuda_expand_quad *codes, uint32_t unit) {
    const uint8_t *table = (const uint8_t *)job->expansion.table;
    uint32_t word = codes->words[0];
    bsi_cuda_expand_quad quad;
    if (unit == 16) {
        BSI_CUDA_LOAD_16(quad.words, table + (uint64_t)(word & 255u) * 16);
    } else {
        BSI_CUDA_LOAD_8(quad.words, table + (uint64_t)(word & 255u) * 8);
        BSI_CUDA_LOAD_8(quad.words + 2, table + (uint64_t)(word >> 8 & 255u) * 8);
    }
    return quad;
}

/* Look up all channels of each code, side by side; of the first code those from `channel` on. */
BSI_CUDA_ANY static bsi_cuda_expand_quad bsi_cuda_expand_follow(const bsi_cuda_expand_job *job,
                                                                const bsi_cuda_expand_quad *codes,
                                                                uint32_t channel, uint32_t unit) {
    const uint8_t *table = (const uint8_t *)job->expansion.table;
    uint32_t channels = job->expansion.channels, low = codes->words[0], high = codes->words[1];
    uint32_t end = channels - channel; /* which of the coming units is the next code's first */
    uint32_t place = (low & 255u) * channels + channel;
    bsi_cuda_expand_quad quad = {{0, 0, 0, 0}};
    BSI_CUDA_ROLL for (uint32_t bytes = 0; bytes < 16; bytes += 4 * unit) {
        bsi_cuda_expand_quad more = {{0, 0, 0, 0}};
        BSI_CUDA_UNROLL for (uint32_t k = 0; k < 4; k++) {
            if (k == end) {
                low = unit == 1 ? bsi_cuda_expand_funnel(low, high, 8) : low >> 8; /* only then a fifth */
                high >>= 8;
                place = (low & 255u) * channels;
                end += channels;
            }
            bsi_cuda_expand_put_unit(&more, table + (uint64_t)place * unit, unit, k);
            place++;
        }
        bsi_cuda_expand_append(&quad, &more, unit);
        end -= 4;
    }
    return quad;
}

/* ---- threads ---- */

BSI_CUDA_ANY static void bsi_cuda_expand_whole(const bsi_cuda_expand_job *job, uint64_t i) {
    uint32_t unit = job->unit;
    bsi_cuda_expand_run run = {{{0, 0, 0, 0}}, {{0, 0, 0, 0}}};
    bsi_cuda_expand_quad quad;
    if (i >= job->full) {
        bsi_cuda_expand_slowly(job, i, BSI_CUDA_EXPAND_WHOLE);
        return;
    }
    bsi_cuda_expand_read(&job->expansion, i * job->count, job->count, &run.codes);
    quad = unit == 16  ? bsi_cuda_expand_look_wide(job, &run.codes, 16)
           : unit == 8 ? bsi_cuda_expand_look_wide(job, &run.codes, 8)
           : unit == 4 ? bsi_cuda_expand_look(job, run, 0, 4)
           : unit == 2 ? bsi_cuda_expand_look(job, run, 0, 2)
                       : bsi_cuda_expand_look(job, run, 0, 1);
    BSI_CUDA_STORE_16((uint8_t *)job->expansion.out + 16 * i, quad.words);
}

BSI_CUDA_ANY static void bsi_cuda_expand_padded(const bsi_cuda_expand_job *job, uint64_t i) {
    uint32_t unit = job->unit, at = (uint32_t)i * job->count;
    bsi_cuda_expand_run run = {{{0, 0, 0, 0}}, {{0, 0, 0, 0}}};
    bsi_cuda_expand_quad quad;
    if (i >= job->full) {
        bsi_cuda_expand_slowly(job, i, BSI_CUDA_EXPAND_PADDED);
        return;
    }
    bsi_cuda_expand_read_few(&job->expansion, at, job->count, &run.codes);
    bsi_cuda_expand_pad(job, at, &run.codes);
    quad = unit == 4    ? bsi_cuda_expand_look(job, run, 0, 4)
           : unit == 16 ? bsi_cuda_expand_look_wide(job, &run.codes, 16)
                        : bsi_cuda_expand_look_wide(job, &run.codes, 8);
    BSI_CUDA_STORE_16((uint8_t *)job->expansion.out + 16 * i, quad.words);
}

/* `planes` for units of a size that the compiler knows. Returns 0 if a window reaches past the array. */
BSI_CUDA_ANY static int bsi_cuda_expand_plane_units(const bsi_cuda_expand_job *job, uint64_t i,
                                                    uint32_t unit) {
    bsi_cuda_expand_run run = {{{0, 0, 0, 0}}, {{0, 0, 0, 0}}};
    bsi_cuda_expand_quad quad;
    if (!bsi_cuda_expand_pair(job, (uint32_t)i * (16 / unit), 4 / unit, &run)) {
        return 0;
    }
    quad = bsi_cuda_expand_look(job, run, 1, unit);
    BSI_CUDA_STORE_16((uint8_t *)job->expansion.out + 16 * i, quad.words);
    return 1;
}

BSI_CUDA_ANY static void bsi_cuda_expand_planes(const bsi_cuda_expand_job *job, uint64_t i) {
    int is_done = 0;
    if (i < job->full) {
        is_done = job->unit == 4   ? bsi_cuda_expand_plane_units(job, i, 4)
                  : job->unit == 2 ? bsi_cuda_expand_plane_units(job, i, 2)
                                   : bsi_cuda_expand_plane_units(job, i, 1);
    }
    if (!is_done) {
        bsi_cuda_expand_slowly(job, i, BSI_CUDA_EXPAND_PLANES);
    }
}

BSI_CUDA_ANY static void bsi_cuda_expand_sides(const bsi_cuda_expand_job *job, uint64_t i) {
    uint32_t unit = job->unit, first = (uint32_t)i * job->count;
    uint32_t base = bsi_cuda_expand_divide(first, job->per_channel);
    uint32_t channel = first - base * job->expansion.channels;
    bsi_cuda_expand_quad codes = {{0, 0, 0, 0}}, quad;
    if (i >= job->full || !bsi_cuda_expand_window(job, base, job->span / 4, &codes)) {
        bsi_cuda_expand_slowly(job, i, BSI_CUDA_EXPAND_SIDES);
        return;
    }
    quad = unit == 4   ? bsi_cuda_expand_follow(job, &codes, channel, 4)
           : unit == 2 ? bsi_cuda_expand_follow(job, &codes, channel, 2)
                       : bsi_cuda_expand_follow(job, &codes, channel, 1);
    BSI_CUDA_STORE_16((uint8_t *)job->expansion.out + 16 * i, quad.words);
}

/* The place where a thread of `any` is. */
typedef struct bsi_cuda_expand_walk {
    const uint8_t *codes; /* of the row */
    bsi_cuda_expand_bases bases;
    uint32_t row, group, at;
    uint32_t origin, step; /* column c shows the code at origin + step * c */
} bsi_cuda_expand_walk;

/* Enter a row. After the last row comes row 0 again, whose units nobody stores. */
BSI_CUDA_ANY static void bsi_cuda_expand_enter(const bsi_cuda_expand_job *job, bsi_cuda_expand_walk *walk) {
    const biost_cuda_expansion *e = &job->expansion;
    walk->row = walk->row < e->rows ? walk->row : 0;
    walk->codes = e->codes + (uint64_t)walk->row * e->columns;
    walk->bases = bsi_cuda_expand_row(e, walk->row);
    walk->step = job->is_other ? UINT32_MAX : 1; /* the last base first: a step of -1 */
    walk->origin = job->is_other ? 2 * walk->bases.first + walk->bases.count - 1 : 0;
}

/* n / divisor, where `per` is 2^64 / divisor, or 0 for a divisor of 1. */
BSI_CUDA_ANY static uint64_t bsi_cuda_expand_quotient(const bsi_cuda_expand_job *job, uint64_t n,
                                                      uint32_t divisor, uint64_t per) {
    if (!job->is_near) {
        return n / divisor;
    }
    return per == 0 ? n : bsi_cuda_expand_divide((uint32_t)n, per);
}

BSI_CUDA_ANY static bsi_cuda_expand_walk bsi_cuda_expand_begin(const bsi_cuda_expand_job *job, uint64_t i) {
    uint64_t first = i * job->count;
    uint64_t group = bsi_cuda_expand_quotient(job, first, job->inner, job->per_inner);
    bsi_cuda_expand_walk walk;
    walk.row = (uint32_t)bsi_cuda_expand_quotient(job, group, job->middle, job->per_middle);
    walk.group = (uint32_t)group - walk.row * job->middle;
    walk.at = (uint32_t)first - (uint32_t)group * job->inner;
    bsi_cuda_expand_enter(job, &walk);
    return walk;
}

/* The code that a column of the walk's row shows. */
BSI_CUDA_ANY static uint32_t bsi_cuda_expand_code(const bsi_cuda_expand_job *job,
                                                  const bsi_cuda_expand_walk *walk, uint32_t column) {
    uint8_t code;
    if (column - walk->bases.first >= walk->bases.count) { /* before the first it is a huge number */
        return job->expansion.pad_code;
    }
    BSI_CUDA_LOAD(uint8_t, code, walk->codes + (walk->origin + walk->step * column));
    if (job->is_other) {
        BSI_CUDA_LOAD(uint8_t, code, job->expansion.complement + code);
    }
    return code;
}

/* Returns the table's unit at the walk's place, and moves on by one unit. */
BSI_CUDA_ANY static const uint8_t *bsi_cuda_expand_pass(const bsi_cuda_expand_job *job,
                                                        bsi_cuda_expand_walk *walk) {
    uint32_t code = bsi_cuda_expand_code(job, walk, job->is_bases ? walk->group : walk->at);
    uint32_t place = code * job->channels + (job->is_bases ? walk->at : walk->group);
    if (++walk->at == job->inner) {
        walk->at = 0;
        if (++walk->group == job->middle) {
            walk->group = 0;
            walk->row++;
            bsi_cuda_expand_enter(job, walk);
        }
    }
    return (const uint8_t *)job->expansion.table + (uint64_t)place * job->unit;
}

/*
 * Everything: a thread divides once and walks on, unit by unit; units come in at the top. Units of 8 bytes,
 * which only tokens have, go to memory byte by byte.
 */
BSI_CUDA_ANY static void bsi_cuda_expand_any(const bsi_cuda_expand_job *job, uint64_t i) {
    bsi_cuda_expand_walk walk = bsi_cuda_expand_begin(job, i);
    bsi_cuda_expand_quad quad = {{0, 0, 0, 0}};
    uint8_t *out = (uint8_t *)job->expansion.out + 16 * i;
    uint32_t unit = job->unit, shift = 8 * unit, end = i < job->full ? 16 : job->rest, element;
    BSI_CUDA_ROLL for (uint32_t at = 0; at < end; at += unit) {
        const uint8_t *from = bsi_cuda_expand_pass(job, &walk);
        if (unit == 1) {
            uint8_t byte;
            BSI_CUDA_LOAD(uint8_t, byte, from);
            element = byte;
        } else if (unit == 2) {
            BSI_CUDA_LOAD_2(element, from);
        } else if (unit == 4) {
            BSI_CUDA_LOAD_4(element, from);
        } else {
            BSI_CUDA_ROLL for (uint32_t k = 0; k < 8; k++) {
                BSI_CUDA_LOAD(uint8_t, out[at + k], from + k);
            }
            continue;
        }
        quad.words[0] = bsi_cuda_expand_funnel(quad.words[0], quad.words[1], shift);
        quad.words[1] = bsi_cuda_expand_funnel(quad.words[1], quad.words[2], shift);
        quad.words[2] = bsi_cuda_expand_funnel(quad.words[2], quad.words[3], shift);
        quad.words[3] = bsi_cuda_expand_funnel(quad.words[3], element, shift);
    }
    if (unit == 8) {
        return;
    }
    if (end == 16) {
        BSI_CUDA_STORE_16(out, quad.words);
        return;
    }
    BSI_CUDA_ROLL for (uint32_t at = end; at-- > 0;) { /* the last byte is at the top */
        out[at] = (uint8_t)(quad.words[3] >> 24);
        quad.words[3] = bsi_cuda_expand_funnel(quad.words[2], quad.words[3], 24);
        quad.words[2] = bsi_cuda_expand_funnel(quad.words[1], quad.words[2], 24);
        quad.words[1] = bsi_cuda_expand_funnel(quad.words[0], quad.words[1], 24);
        quad.words[0] <<= 8;
    }
}

/* All threads, one after another, in host memory. The expansion must have passed bsi_cuda_expand_check. */
static void bsi_cuda_expand_host(const biost_cuda_expansion *expansion) {
    bsi_cuda_expand_job job;
    uint32_t kernel = bsi_cuda_expand_plan(expansion, &job);
    for (uint64_t i = 0; i < job.threads; i++) {
        if (kernel == BSI_CUDA_EXPAND_WHOLE) {
            bsi_cuda_expand_whole(&job, i);
        } else if (kernel == BSI_CUDA_EXPAND_PADDED) {
            bsi_cuda_expand_padded(&job, i);
        } else if (kernel == BSI_CUDA_EXPAND_PLANES) {
            bsi_cuda_expand_planes(&job, i);
        } else if (kernel == BSI_CUDA_EXPAND_SIDES) {
            bsi_cuda_expand_sides(&job, i);
        } else {
            bsi_cuda_expand_any(&job, i);
        }
    }
}

/* ==========================================================================
 * >>kernels   the same for nvcc, and as PTX text for everybody else
 *   uses: config expand            allocates: no   threads: no   I/O: no
 *
 * A launch: bsi_cuda_expand_plan says which kernel and how many threads. With 0 threads
 * nothing is launched. Otherwise the grid is bsi_cuda_kernels_blocks(threads) x 1 x 1
 * blocks of BSI_CUDA_BLOCK_THREADS x 1 x 1, without shared memory, and the only argument is
 * the bsi_cuda_expand_job itself, by value. A grid of any size does all the work: a thread
 * goes on with its index plus the number of the grid's threads.
 * ========================================================================== */

#define BSI_CUDA_BLOCK_THREADS 256u

/*
 * The argument as the PTX takes it, with the paddings that its compiler counted, the same on all 64-bit
 * hosts.
 */
#if UINTPTR_MAX == UINT64_MAX
BSI_CUDA_STATIC_ASSERT(sizeof(biost_cuda_expansion) == 72, expansion_bytes);
BSI_CUDA_STATIC_ASSERT(offsetof(biost_cuda_expansion, complement) == 32, expansion_complement);
BSI_CUDA_STATIC_ASSERT(offsetof(biost_cuda_expansion, rows) == 40, expansion_rows);
BSI_CUDA_STATIC_ASSERT(offsetof(biost_cuda_expansion, pad_code) == 64, expansion_pad_code);
BSI_CUDA_STATIC_ASSERT(sizeof(bsi_cuda_expand_job) == 168, job_bytes);
BSI_CUDA_STATIC_ASSERT(offsetof(bsi_cuda_expand_job, expansion) == 0, job_expansion);
BSI_CUDA_STATIC_ASSERT(offsetof(bsi_cuda_expand_job, threads) == 72, job_threads);
BSI_CUDA_STATIC_ASSERT(offsetof(bsi_cuda_expand_job, rest) == 120, job_rest);
BSI_CUDA_STATIC_ASSERT(offsetof(bsi_cuda_expand_job, pad_word) == 164, job_pad_word);
#endif

/* The names of the kernels in a module of the PTX, in the order of BSI_CUDA_EXPAND_WHOLE and so on. */
static const char *const bsi_cuda_kernels_names[BSI_CUDA_EXPAND_KERNELS] = {
    "bsi_cuda_kernels_whole", "bsi_cuda_kernels_padded", "bsi_cuda_kernels_planes", "bsi_cuda_kernels_sides",
    "bsi_cuda_kernels_any"};

/*
 * The number of blocks for `threads` threads, 0 for none. Beyond 16384 blocks, which are several rounds of
 * the largest GPUs, each thread does the work of up to 8, so that what a thread does once counts less. The
 * number is at most that of the largest grid.
 */
static uint32_t bsi_cuda_kernels_blocks(uint64_t threads) {
    uint64_t blocks = (threads + (BSI_CUDA_BLOCK_THREADS - 1)) / BSI_CUDA_BLOCK_THREADS;
    if (blocks > 16384) {
        blocks = (blocks + 7) / 8 > 16384 ? (blocks + 7) / 8 : 16384;
    }
    return blocks < 0x7FFFFFFFu ? (uint32_t)blocks : 0x7FFFFFFFu;
}

/* tests/make_ptx.sh defines BSI_CUDA_KERNEL, so that a module has these names. */
#if defined(__CUDACC__) && (BSI_CUDA_HAS_RUNTIME || defined(BSI_CUDA_KERNEL))
#ifndef BSI_CUDA_KERNEL
#define BSI_CUDA_KERNEL static __global__
#endif

/* The index of the calling thread in the grid. */
__device__ static uint64_t bsi_cuda_kernels_index(void) {
    return (uint64_t)blockIdx.x * BSI_CUDA_BLOCK_THREADS + threadIdx.x;
}

/* The number of threads of the grid, by which a thread's index grows. */
__device__ static uint64_t bsi_cuda_kernels_grid(void) {
    return (uint64_t)gridDim.x * BSI_CUDA_BLOCK_THREADS;
}

BSI_CUDA_KERNEL void __launch_bounds__(BSI_CUDA_BLOCK_THREADS)
    bsi_cuda_kernels_whole(const bsi_cuda_expand_job job) {
    for (uint64_t i = bsi_cuda_kernels_index(); i < job.threads; i += bsi_cuda_kernels_grid()) {
        bsi_cuda_expand_whole(&job, i);
    }
}

BSI_CUDA_KERNEL void __launch_bounds__(BSI_CUDA_BLOCK_THREADS)
    bsi_cuda_kernels_padded(const bsi_cuda_expand_job job) {
    for (uint64_t i = bsi_cuda_kernels_index(); i < job.threads; i += bsi_cuda_kernels_grid()) {
        bsi_cuda_expand_padded(&job, i);
    }
}

BSI_CUDA_KERNEL void __launch_bounds__(BSI_CUDA_BLOCK_THREADS)
    bsi_cuda_kernels_planes(const bsi_cuda_expand_job job) {
    for (uint64_t i = bsi_cuda_kernels_index(); i < job.threads; i += bsi_cuda_kernels_grid()) {
        bsi_cuda_expand_planes(&job, i);
    }
}

BSI_CUDA_KERNEL void __launch_bounds__(BSI_CUDA_BLOCK_THREADS)
    bsi_cuda_kernels_sides(const bsi_cuda_expand_job job) {
    for (uint64_t i = bsi_cuda_kernels_index(); i < job.threads; i += bsi_cuda_kernels_grid()) {
        bsi_cuda_expand_sides(&job, i);
    }
}

BSI_CUDA_KERNEL void __launch_bounds__(BSI_CUDA_BLOCK_THREADS)
    bsi_cuda_kernels_any(const bsi_cuda_expand_job job) {
    for (uint64_t i = bsi_cuda_kernels_index(); i < job.threads; i += bsi_cuda_kernels_grid()) {
        bsi_cuda_expand_any(&job, i);
    }
}
#endif

#if defined(__CUDACC__) && BSI_CUDA_HAS_RUNTIME
/* A kernel by its number. */
static const void *bsi_cuda_kernels_of(uint32_t kernel) {
    const void *const kernels[BSI_CUDA_EXPAND_KERNELS] = {
        (const void *)bsi_cuda_kernels_whole, (const void *)bsi_cuda_kernels_padded,
        (const void *)bsi_cuda_kernels_planes, (const void *)bsi_cuda_kernels_sides,
        (const void *)bsi_cuda_kernels_any};
    return kernels[kernel];
}

/*
 * Load all kernels on the current device. The runtime would load each at its first launch,
 * when it may wait for all that the device has to do, and must not while a graph is captured.
 * If a device has no kernels, its first expansion reports it.
 */
static void bsi_cuda_kernels_load(void) {
    cudaFuncAttributes attributes;
    for (uint32_t i = 0; i < BSI_CUDA_EXPAND_KERNELS; i++) {
        if (cudaFuncGetAttributes(&attributes, bsi_cuda_kernels_of(i)) != cudaSuccess) {
            (void)cudaGetLastError();
        }
    }
}

/* Launch an expansion that has passed bsi_cuda_expand_check, on the current device. Returns a cudaError_t. */
static int bsi_cuda_kernels_launch(const biost_cuda_expansion *expansion, biost_cuda_stream stream) {
    bsi_cuda_expand_job job;
    void *arguments[1] = {&job};
    uint32_t kernel = bsi_cuda_expand_plan(expansion, &job);
    return job.threads == 0 ? 0
                            : (int)cudaLaunchKernel(bsi_cuda_kernels_of(kernel),
                                                    dim3(bsi_cuda_kernels_blocks(job.threads)),
                                                    dim3(BSI_CUDA_BLOCK_THREADS), arguments, 0, stream);
}
#endif

/*
 * The kernels as PTX, NUL-terminated, which tests/make_ptx.sh made from this file.
 * They run on every GPU from compute capability 7.0 on.
 */
/* ---- PTX begins: Debian clang version 14.0.6, sm_70 ---- */
static const char *const bsi_cuda_kernels_ptx = BSI_CUDA_LONG_TEXT
    ".version 6.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry bsi_cuda_kernels_whole(\n"
    ".param .align 8 .b8 bsi_cuda_kernels_whole_param_0[168]\n"
    ")\n"
    ".maxntid 256, 1, 1\n"
    "{\n"
    ".reg .pred %p<22>;\n"
    ".reg .b16 %rs<14>;\n"
    ".reg .b32 %r<148>;\n"
    ".reg .b64 %rd<95>;\n"
    "mov.u32 %r57, %ctaid.x;\n"
    "mul.wide.u32 %rd24, %r57, 256;\n"
    "mov.u32 %r58, %tid.x;\n"
    "cvt.u64.u32 %rd25, %r58;\n"
    "add.s64 %rd90, %rd24, %rd25;\n"
    "ld.param.u64 %rd94, [bsi_cuda_kernels_whole_param_0+72];\n"
    "setp.ge.u64 %p2, %rd90, %rd94;\n"
    "@%p2 bra LBB0_34;\n"
    "mov.b64 %rd23, bsi_cuda_kernels_whole_param_0;\n"
    "mov.u64 %rd1, %rd23;\n"
    "mov.u32 %r59, %nctaid.x;\n"
    "mul.wide.u32 %rd4, %r59, 256;\n"
    "ld.param.u32 %r123, [%rd1+128];\n"
    "mov.u32 %r70, 0;\n"
    "mov.pred %p17, -1;\n"
    "mov.pred %p18, 0;\n"
    "bra.uni LBB0_2;\n"
    "LBB0_27:\n"
    "ld.param.u64 %rd65, [%rd1+8];\n"
    "shl.b32 %r97, %r15, 3;\n"
    "and.b32 %r98, %r97, 2040;\n"
    "cvt.u64.u32 %rd66, %r98;\n"
    "add.s64 %rd67, %rd65, %rd66;\n"
    "ld.global.nc.u64 %rd68, [%rd67];\n"
    "cvt.u32.u64 %r143, %rd68;\n"
    "shr.u64 %rd69, %rd68, 32;\n"
    "cvt.u32.u64 %r144, %rd69;\n"
    "shr.u32 %r99, %r15, 5;\n"
    "and.b32 %r100, %r99, 2040;\n"
    "cvt.u64.u32 %rd70, %r100;\n"
    "add.s64 %rd71, %rd65, %rd70;\n"
    "ld.global.nc.u64 %rd72, [%rd71];\n"
    "cvt.u32.u64 %r145, %rd72;\n"
    "shr.u64 %rd73, %rd72, 32;\n"
    "cvt.u32.u64 %r146, %rd73;\n"
    "LBB0_32:\n"
    "ld.param.u64 %rd85, [%rd1+16];\n"
    "cvta.to.global.u64 %rd86, %rd85;\n"
    "shl.b64 %rd87, %rd90, 4;\n"
    "add.s64 %rd88, %rd86, %rd87;\n"
    "st.global.v4.u32 [%rd88], {%r143, %r144, %r145, %r146};\n"
    "LBB0_33:\n"
    "add.s64 %rd90, %rd90, %rd4;\n"
    "setp.lt.u64 %p20, %rd90, %rd94;\n"
    "@%p20 bra LBB0_2;\n"
    "bra.uni LBB0_34;\n"
    "LBB0_2:\n"
    "ld.param.u64 %rd26, [%rd1+80];\n"
    "setp.gt.u64 %p3, %rd26, %rd90;\n"
    "@%p3 bra LBB0_11;\n"
    "bra.uni LBB0_3;\n"
    "LBB0_11:\n"
    "ld.param.u32 %r11, [%rd1+136];\n"
    "cvt.u64.u32 %rd43, %r11;\n"
    "mul.lo.s64 %rd44, %rd90, %rd43;\n"
    "ld.param.u64 %rd45, [%rd1];\n"
    "cvta.to.global.u64 %rd46, %rd45;\n"
    "add.s64 %rd47, %rd46, %rd44;\n"
    "cvta.global.u64 %rd14, %rd47;\n"
    "setp.eq.s32 %p8, %r11, 2;\n"
    "@%p8 bra LBB0_14;\n"
    "setp.ne.s32 %p9, %r11, 1;\n"
    "@%p9 bra LBB0_15;\n"
    "ld.global.nc.u8 %rs4, [%rd14];\n"
    "cvt.u32.u16 %r69, %rs4;\n"
    "and.b32 %r15, %r69, 255;\n"
    "bra.uni LBB0_16;\n"
    "LBB0_3:\n"
    "ld.param.u32 %r60, [%rd1+120];\n"
    "setp.gt.u32 %p4, %r123, %r60;\n"
    "@%p4 bra LBB0_33;\n"
    "div.u32 %r3, %r60, %r123;\n"
    "ld.param.u64 %rd27, [%rd1+16];\n"
    "cvta.to.global.u64 %rd28, %rd27;\n"
    "shl.b64 %rd29, %rd90, 4;\n"
    "add.s64 %rd91, %rd28, %rd29;\n"
    "mov.u32 %r61, 0;\n"
    "mov.u32 %r121, %r123;\n"
    "mov.u32 %r122, %r61;\n"
    "bra.uni LBB0_5;\n"
    "LBB0_9:\n"
    "add.s32 %r122, %r122, 1;\n"
    "setp.eq.s32 %p7, %r122, %r3;\n"
    "mov.u32 %r121, %r124;\n"
    "@%p7 bra LBB0_10;\n"
    "LBB0_5:\n"
    "ld.param.u32 %rd30, [%rd1+136];\n"
    "mul.lo.s64 %rd31, %rd90, %rd30;\n"
    "cvt.u64.u32 %rd32, %r122;\n"
    "add.s64 %rd33, %rd31, %rd32;\n"
    "ld.param.u64 %rd36, [%rd1];\n"
    "add.s64 %rd37, %rd36, %rd33;\n"
    "ld.global.nc.u8 %rs1, [%rd37];\n"
    "setp.eq.s32 %p5, %r121, 0;\n"
    "mov.u32 %r124, %r61;\n"
    "@%p5 bra LBB0_9;\n"
    "ld.param.u64 %rd34, [%rd1+8];\n"
    "cvta.to.global.u64 %rd35, %rd34;\n"
    "cvt.u32.u16 %r63, %rs1;\n"
    "and.b32 %r64, %r63, 255;\n"
    "ld.param.u32 %r65, [%rd1+132];\n"
    "mul.lo.s32 %r66, %r121, %r64;\n"
    "mul.lo.s32 %r67, %r66, %r65;\n"
    "cvt.u64.u32 %rd38, %r67;\n"
    "add.s64 %rd39, %rd35, %rd38;\n"
    "cvta.global.u64 %rd9, %rd39;\n"
    "mov.u64 %rd93, 0;\n"
    "LBB0_7:\n"
    "add.s64 %rd41, %rd91, %rd93;\n"
    "add.s64 %rd42, %rd9, %rd93;\n"
    "ld.global.nc.u8 %rs2, [%rd42];\n"
    "st.global.u8 [%rd41], %rs2;\n"
    "ld.param.u32 %r123, [%rd1+128];\n"
    "add.s64 %rd93, %rd93, 1;\n"
    "cvt.u32.u64 %r68, %rd93;\n"
    "setp.lt.u32 %p6, %r68, %r123;\n"
    "@%p6 bra LBB0_7;\n"
    "add.s64 %rd91, %rd91, %rd93;\n"
    "mov.u32 %r124, %r123;\n"
    "bra.uni LBB0_9;\n"
    "LBB0_10:\n"
    "ld.param.u64 %rd94, [%rd1+72];\n"
    "bra.uni LBB0_33;\n"
    "LBB0_14:\n"
    "ld.global.nc.u16 %rs3, [%rd14];\n"
    "cvt.u32.u16 %r15, %rs3;\n"
    "bra.uni LBB0_16;\n"
    "LBB0_15:\n"
    "ld.global.nc.u32 %r15, [%rd14];\n"
    "LBB0_16:\n"
    "setp.lt.u32 %p10, %r11, 5;\n"
    "mov.u32 %r17, %r70;\n"
    "@%p10 bra LBB0_18;\n"
    "add.s64 %rd15, %rd14, 4;\n"
    "ld.global.nc.u32 %r17, [%rd15];\n"
    "LBB0_18:\n"
    "setp.lt.u32 %p11, %r11, 9;\n"
    "mov.u32 %r20, %r70;\n"
    "mov.u32 %r21, %r70;\n"
    "@%p11 bra LBB0_20;\n"
    "add.s64 %rd16, %rd14, 12;\n"
    "add.s64 %rd17, %rd14, 8;\n"
    "ld.global.nc.u32 %r21, [%rd17];\n"
    "ld.global.nc.u32 %r20, [%rd16];\n"
    "LBB0_20:\n"
    "add.s32 %r73, %r123, -2;\n"
    "shf.l.wrap.b32 %r72, %r73, %r73, 31;\n"
    "setp.gt.s32 %p12, %r72, 2;\n"
    "@%p12 bra LBB0_24;\n"
    "setp.eq.s32 %p15, %r72, 0;\n"
    "@%p15 bra LBB0_28;\n"
    "setp.eq.s32 %p16, %r72, 1;\n"
    "@%p16 bra LBB0_23;\n"
    "bra.uni LBB0_30;\n"
    "LBB0_23:\n"
    "ld.param.u64 %rd56, [%rd1+8];\n"
    "shl.b32 %r89, %r15, 2;\n"
    "and.b32 %r90, %r89, 1020;\n"
    "cvt.u64.u32 %rd57, %r90;\n"
    "add.s64 %rd58, %rd56, %rd57;\n"
    "ld.global.nc.u32 %r143, [%rd58];\n"
    "shr.u32 %r91, %r15, 6;\n"
    "and.b32 %r92, %r91, 1020;\n"
    "cvt.u64.u32 %rd59, %r92;\n"
    "add.s64 %rd60, %rd56, %rd59;\n"
    "ld.global.nc.u32 %r144, [%rd60];\n"
    "shr.u32 %r93, %r15, 14;\n"
    "and.b32 %r94, %r93, 1020;\n"
    "cvt.u64.u32 %rd61, %r94;\n"
    "add.s64 %rd62, %rd56, %rd61;\n"
    "ld.global.nc.u32 %r145, [%rd62];\n"
    "shr.u32 %r95, %r15, 22;\n"
    "and.b32 %r96, %r95, 1020;\n"
    "cvt.u64.u32 %rd63, %r96;\n"
    "add.s64 %rd64, %rd56, %rd63;\n"
    "ld.global.nc.u32 %r146, [%rd64];\n"
    "bra.uni LBB0_32;\n"
    "LBB0_24:\n"
    "setp.eq.s32 %p13, %r72, 3;\n"
    "@%p13 bra LBB0_27;\n"
    "setp.ne.s32 %p14, %r72, 7;\n"
    "@%p14 bra LBB0_30;\n"
    "ld.param.u64 %rd74, [%rd1+8];\n"
    "shl.b32 %r101, %r15, 4;\n"
    "and.b32 %r102, %r101, 4080;\n"
    "cvt.u64.u32 %rd75, %r102;\n"
    "add.s64 %rd76, %rd74, %rd75;\n"
    "ld.global.nc.v4.u32 {%r143, %r144, %r145, %r146}, [%rd76];\n"
    "bra.uni LBB0_32;\n"
    "LBB0_28:\n"
    "ld.param.u64 %rd18, [%rd1+8];\n"
    "mov.u32 %r146, 0;\n"
    "mov.pred %p21, %p17;\n"
    "mov.u32 %r145, %r146;\n"
    "LBB0_29:\n"
    "mov.u32 %r37, %r17;\n"
    "mov.u32 %r143, %r145;\n"
    "mov.u32 %r144, %r146;\n"
    "mov.pred %p1, %p21;\n"
    "shl.b32 %r75, %r15, 1;\n"
    "and.b32 %r76, %r75, 510;\n"
    "cvt.u64.u32 %rd48, %r76;\n"
    "add.s64 %rd49, %rd18, %rd48;\n"
    "ld.global.nc.u16 %rs5, [%rd49];\n"
    "cvt.u32.u16 %r77, %rs5;\n"
    "shr.u32 %r78, %r15, 7;\n"
    "and.b32 %r79, %r78, 510;\n"
    "cvt.u64.u32 %rd50, %r79;\n"
    "add.s64 %rd51, %rd18, %rd50;\n"
    "ld.global.nc.u16 %rs6, [%rd51];\n"
    "cvt.u32.u16 %r80, %rs6;\n"
    "shl.b32 %r81, %r80, 16;\n"
    "or.b32 %r145, %r81, %r77;\n"
    "shr.u32 %r82, %r15, 15;\n"
    "and.b32 %r83, %r82, 510;\n"
    "cvt.u64.u32 %rd52, %r83;\n"
    "add.s64 %rd53, %rd18, %rd52;\n"
    "ld.global.nc.u16 %rs7, [%rd53];\n"
    "cvt.u32.u16 %r84, %rs7;\n"
    "shr.u32 %r85, %r15, 23;\n"
    "and.b32 %r86, %r85, 510;\n"
    "cvt.u64.u32 %rd54, %r86;\n"
    "add.s64 %rd55, %rd18, %rd54;\n"
    "ld.global.nc.u16 %rs8, [%rd55];\n"
    "cvt.u32.u16 %r87, %rs8;\n"
    "shl.b32 %r88, %r87, 16;\n"
    "or.b32 %r146, %r88, %r84;\n"
    "mov.pred %p21, %p18;\n"
    "mov.u32 %r15, %r37;\n"
    "mov.u32 %r17, %r21;\n"
    "mov.u32 %r21, %r20;\n"
    "mov.u32 %r20, %r37;\n"
    "@%p1 bra LBB0_29;\n"
    "bra.uni LBB0_32;\n"
    "LBB0_30:\n"
    "ld.param.u64 %rd19, [%rd1+8];\n"
    "mov.u32 %r146, 0;\n"
    "mov.u32 %r135, -4;\n"
    "mov.u32 %r145, %r146;\n"
    "mov.u32 %r144, %r146;\n"
    "LBB0_31:\n"
    "mov.u32 %r47, %r17;\n"
    "mov.u32 %r143, %r144;\n"
    "mov.u32 %r144, %r145;\n"
    "mov.u32 %r145, %r146;\n"
    "and.b32 %r105, %r15, 255;\n"
    "cvt.u64.u32 %rd77, %r105;\n"
    "add.s64 %rd78, %rd19, %rd77;\n"
    "ld.global.nc.u8 %rs9, [%rd78];\n"
    "cvt.u32.u16 %r106, %rs9;\n"
    "and.b32 %r107, %r106, 255;\n"
    "bfe.u32 %r108, %r15, 8, 8;\n"
    "cvt.u64.u32 %rd79, %r108;\n"
    "add.s64 %rd80, %rd19, %rd79;\n"
    "ld.global.nc.u8 %rs10, [%rd80];\n"
    "and.b16 %rs11, %rs10, 255;\n"
    "mul.wide.u16 %r109, %rs11, 256;\n"
    "or.b32 %r110, %r109, %r107;\n"
    "bfe.u32 %r111, %r15, 16, 8;\n"
    "cvt.u64.u32 %rd81, %r111;\n"
    "add.s64 %rd82, %rd19, %rd81;\n"
    "ld.global.nc.u8 %rs12, [%rd82];\n"
    "cvt.u32.u16 %r112, %rs12;\n"
    "and.b32 %r113, %r112, 255;\n"
    "shl.b32 %r114, %r113, 16;\n"
    "or.b32 %r115, %r114, %r110;\n"
    "shr.u32 %r116, %r15, 24;\n"
    "cvt.u64.u32 %rd83, %r116;\n"
    "add.s64 %rd84, %rd19, %rd83;\n"
    "ld.global.nc.u8 %rs13, [%rd84];\n"
    "cvt.u32.u16 %r117, %rs13;\n"
    "shl.b32 %r118, %r117, 24;\n"
    "or.b32 %r146, %r118, %r115;\n"
    "add.s32 %r135, %r135, 4;\n"
    "setp.lt.u32 %p19, %r135, 12;\n"
    "mov.u32 %r15, %r47;\n"
    "mov.u32 %r17, %r21;\n"
    "mov.u32 %r21, %r20;\n"
    "mov.u32 %r20, %r47;\n"
    "@%p19 bra LBB0_31;\n"
    "bra.uni LBB0_32;\n"
    "LBB0_34:\n"
    "ret;\n"
    "}\n"
    ".visible .entry bsi_cuda_kernels_padded(\n"
    ".param .align 8 .b8 bsi_cuda_kernels_padded_param_0[168]\n"
    ")\n"
    ".maxntid 256, 1, 1\n"
    "{\n"
    ".reg .pred %p<20>;\n"
    ".reg .b16 %rs<7>;\n"
    ".reg .b32 %r<154>;\n"
    ".reg .b64 %rd<96>;\n"
    "mov.u32 %r58, %ctaid.x;\n"
    "mul.wide.u32 %rd25, %r58, 256;\n"
    "mov.u32 %r59, %tid.x;\n"
    "cvt.u64.u32 %rd26, %r59;\n"
    "add.s64 %rd91, %rd25, %rd26;\n"
    "ld.param.u64 %rd95, [bsi_cuda_kernels_padded_param_0+72];\n"
    "setp.ge.u64 %p1, %rd91, %rd95;\n"
    "@%p1 bra LBB1_32;\n"
    "mov.b64 %rd24, bsi_cuda_kernels_padded_param_0;\n"
    "mov.u64 %rd1, %rd24;\n"
    "mov.u32 %r60, %nctaid.x;\n"
    "mul.wide.u32 %rd4, %r60, 256;\n"
    "ld.param.u32 %r141, [%rd1+128];\n"
    "mov.u32 %r80, 0;\n"
    "bra.uni LBB1_2;\n"
    "LBB1_28:\n"
    "ld.param.u64 %rd76, [%rd1+8];\n"
    "shl.b32 %r130, %r40, 3;\n"
    "and.b32 %r131, %r130, 2040;\n"
    "cvt.u64.u32 %rd77, %r131;\n"
    "add.s64 %rd78, %rd76, %rd77;\n"
    "ld.global.nc.u64 %rd79, [%rd78];\n"
    "cvt.u32.u64 %r149, %rd79;\n"
    "shr.u64 %rd80, %rd79, 32;\n"
    "cvt.u32.u64 %r150, %rd80;\n"
    "shr.u32 %r132, %r40, 5;\n"
    "and.b32 %r133, %r132, 2040;\n"
    "cvt.u64.u32 %rd81, %r133;\n"
    "add.s64 %rd82, %rd76, %rd81;\n"
    "ld.global.nc.u64 %rd83, [%rd82];\n"
    "cvt.u32.u64 %r151, %rd83;\n"
    "shr.u64 %rd84, %rd83, 32;\n"
    "cvt.u32.u64 %r152, %rd84;\n"
    "LBB1_29:\n"
    "ld.param.u64 %rd85, [%rd1+16];\n"
    "cvta.to.global.u64 %rd86, %rd85;\n"
    "shl.b64 %rd87, %rd91, 4;\n"
    "add.s64 %rd88, %rd86, %rd87;\n"
    "st.global.v4.u32 [%rd88], {%r149, %r150, %r151, %r152};\n"
    "LBB1_31:\n"
    "add.s64 %rd91, %rd91, %rd4;\n"
    "setp.lt.u64 %p19, %rd91, %rd95;\n"
    "@%p19 bra LBB1_2;\n"
    "bra.uni LBB1_32;\n"
    "LBB1_2:\n"
    "ld.param.u32 %r137, [%rd1+136];\n"
    "ld.param.u64 %rd27, [%rd1+80];\n"
    "setp.gt.u64 %p2, %rd27, %rd91;\n"
    "@%p2 bra LBB1_13;\n"
    "bra.uni LBB1_3;\n"
    "LBB1_13:\n"
    "cvt.u32.u64 %r61, %rd91;\n"
    "mul.lo.s32 %r4, %r137, %r61;\n"
    "cvt.u64.u32 %rd16, %r4;\n"
    "ld.param.u64 %rd48, [%rd1];\n"
    "add.s64 %rd17, %rd48, %rd16;\n"
    "setp.eq.s32 %p10, %r137, 2;\n"
    "@%p10 bra LBB1_16;\n"
    "setp.ne.s32 %p11, %r137, 1;\n"
    "@%p11 bra LBB1_17;\n"
    "ld.global.nc.u8 %rs6, [%rd17];\n"
    "cvt.u32.u16 %r79, %rs6;\n"
    "and.b32 %r143, %r79, 255;\n"
    "bra.uni LBB1_18;\n"
    "LBB1_3:\n"
    "ld.param.u32 %r62, [%rd1+120];\n"
    "setp.gt.u32 %p3, %r141, %r62;\n"
    "@%p3 bra LBB1_31;\n"
    "mov.u64 %rd89, 0;\n"
    "div.u32 %r5, %r62, %r141;\n"
    "ld.param.u64 %rd28, [%rd1+16];\n"
    "cvta.to.global.u64 %rd29, %rd28;\n"
    "shl.b64 %rd30, %rd91, 4;\n"
    "add.s64 %rd92, %rd29, %rd30;\n"
    "mov.u32 %r63, 0;\n"
    "mov.u32 %r136, %r141;\n"
    "mov.u32 %r138, %r63;\n"
    "LBB1_5:\n"
    "cvt.u64.u32 %rd31, %r137;\n"
    "mul.lo.s64 %rd32, %rd91, %rd31;\n"
    "cvt.u64.u32 %rd33, %r138;\n"
    "add.s64 %rd34, %rd32, %rd33;\n"
    "cvt.u32.u64 %r10, %rd34;\n"
    "ld.param.u64 %rd36, [%rd1];\n"
    "add.s64 %rd37, %rd36, %rd34;\n"
    "ld.global.nc.u8 %rs1, [%rd37];\n"
    "ld.param.u32 %r11, [%rd1+44];\n"
    "div.u32 %r12, %r10, %r11;\n"
    "ld.param.u64 %rd10, [%rd1+24];\n"
    "cvta.to.global.u64 %rd38, %rd10;\n"
    "cvta.to.global.u64 %rd40, %rd89;\n"
    "setp.eq.s64 %p4, %rd38, %rd40;\n"
    "mov.u32 %r139, %r63;\n"
    "mov.u32 %r140, %r11;\n"
    "@%p4 bra LBB1_7;\n"
    "mul.wide.u32 %rd41, %r12, 4;\n"
    "add.s64 %rd42, %rd10, %rd41;\n"
    "ld.global.nc.u32 %r65, [%rd42];\n"
    "max.s32 %r66, %r65, 0;\n"
    "min.u32 %r140, %r66, %r11;\n"
    "ld.param.u32 %r67, [%rd1+60];\n"
    "setp.eq.s32 %p5, %r67, 0;\n"
    "sub.s32 %r68, %r140, %r11;\n"
    "selp.b32 %r139, 0, %r68, %p5;\n"
    "LBB1_7:\n"
    "setp.eq.s32 %p7, %r136, 0;\n"
    "mov.u32 %r142, %r63;\n"
    "@%p7 bra LBB1_11;\n"
    "ld.param.u64 %rd35, [%rd1+8];\n"
    "cvta.to.global.u64 %rd9, %rd35;\n"
    "mul.lo.s32 %r70, %r12, %r11;\n"
    "sub.s32 %r71, %r10, %r70;\n"
    "add.s32 %r72, %r71, %r139;\n"
    "setp.lt.u32 %p6, %r72, %r140;\n"
    "ld.param.u8 %rs2, [%rd1+164];\n"
    "selp.b16 %rs3, %rs1, %rs2, %p6;\n"
    "cvt.u32.u16 %r73, %rs3;\n"
    "and.b32 %r74, %r73, 255;\n"
    "ld.param.u32 %r75, [%rd1+132];\n"
    "mul.lo.s32 %r76, %r75, %r136;\n"
    "mul.lo.s32 %r77, %r76, %r74;\n"
    "cvt.u64.u32 %rd43, %r77;\n"
    "add.s64 %rd44, %rd9, %rd43;\n"
    "cvta.global.u64 %rd11, %rd44;\n"
    "mov.u64 %rd94, %rd89;\n"
    "LBB1_9:\n"
    "add.s64 %rd46, %rd92, %rd94;\n"
    "add.s64 %rd47, %rd11, %rd94;\n"
    "ld.global.nc.u8 %rs4, [%rd47];\n"
    "st.global.u8 [%rd46], %rs4;\n"
    "ld.param.u32 %r141, [%rd1+128];\n"
    "add.s64 %rd94, %rd94, 1;\n"
    "cvt.u32.u64 %r78, %rd94;\n"
    "setp.lt.u32 %p8, %r78, %r141;\n"
    "@%p8 bra LBB1_9;\n"
    "add.s64 %rd92, %rd92, %rd94;\n"
    "mov.u32 %r142, %r141;\n"
    "LBB1_11:\n"
    "add.s32 %r138, %r138, 1;\n"
    "setp.eq.s32 %p9, %r138, %r5;\n"
    "@%p9 bra LBB1_30;\n"
    "ld.param.u32 %r137, [%rd1+136];\n"
    "mov.u32 %r136, %r142;\n"
    "bra.uni LBB1_5;\n"
    "LBB1_30:\n"
    "ld.param.u64 %rd95, [%rd1+72];\n"
    "bra.uni LBB1_31;\n"
    "LBB1_16:\n"
    "ld.global.nc.u16 %rs5, [%rd17];\n"
    "cvt.u32.u16 %r143, %rs5;\n"
    "bra.uni LBB1_18;\n"
    "LBB1_17:\n"
    "ld.global.nc.u32 %r143, [%rd17];\n"
    "LBB1_18:\n"
    "ld.param.u64 %rd49, [%rd1+88];\n"
    "and.b64 %rd50, %rd49, 4294967295;\n"
    "mul.lo.s64 %rd51, %rd50, %rd16;\n"
    "shr.u64 %rd52, %rd49, 32;\n"
    "mul.lo.s64 %rd53, %rd52, %rd16;\n"
    "shr.u64 %rd54, %rd51, 32;\n"
    "add.s64 %rd55, %rd54, %rd53;\n"
    "shr.u64 %rd18, %rd55, 32;\n"
    "cvt.u32.u64 %r81, %rd18;\n"
    "ld.param.u32 %r147, [%rd1+44];\n"
    "mul.lo.s32 %r82, %r147, %r81;\n"
    "sub.s32 %r27, %r4, %r82;\n"
    "sub.s32 %r28, %r147, %r27;\n"
    "ld.param.u64 %rd19, [%rd1+24];\n"
    "cvta.to.global.u64 %rd20, %rd19;\n"
    "mov.u64 %rd56, 0;\n"
    "cvta.to.global.u64 %rd57, %rd56;\n"
    "setp.eq.s64 %p12, %rd20, %rd57;\n"
    "mov.u32 %r144, %r80;\n"
    "mov.u32 %r145, %r147;\n"
    "@%p12 bra LBB1_20;\n"
    "shl.b64 %rd58, %rd18, 2;\n"
    "add.s64 %rd59, %rd19, %rd58;\n"
    "ld.global.nc.u32 %r83, [%rd59];\n"
    "max.s32 %r84, %r83, 0;\n"
    "min.u32 %r145, %r84, %r147;\n"
    "ld.param.u32 %r85, [%rd1+60];\n"
    "setp.eq.s32 %p13, %r85, 0;\n"
    "sub.s32 %r86, %r147, %r145;\n"
    "selp.b32 %r144, 0, %r86, %p13;\n"
    "LBB1_20:\n"
    "sub.s32 %r87, %r144, %r27;\n"
    "add.s32 %r88, %r87, %r145;\n"
    "max.s32 %r89, %r87, 0;\n"
    "max.s32 %r90, %r88, 0;\n"
    "min.u32 %r91, %r90, 4;\n"
    "mov.u32 %r92, 1;\n"
    "shl.b32 %r93, %r92, %r91;\n"
    "min.u32 %r94, %r89, 4;\n"
    "mov.u32 %r95, -1;\n"
    "shl.b32 %r96, %r95, %r94;\n"
    "add.s32 %r148, %r93, %r96;\n"
    "setp.ge.u32 %p14, %r28, %r137;\n"
    "@%p14 bra LBB1_24;\n"
    "mov.u32 %r146, 0;\n"
    "@%p12 bra LBB1_23;\n"
    "shl.b64 %rd62, %rd18, 2;\n"
    "add.s64 %rd63, %rd19, %rd62;\n"
    "ld.global.nc.u32 %r98, [%rd63+4];\n"
    "max.s32 %r99, %r98, 0;\n"
    "min.u32 %r34, %r99, %r147;\n"
    "ld.param.u32 %r100, [%rd1+60];\n"
    "setp.eq.s32 %p16, %r100, 0;\n"
    "sub.s32 %r101, %r147, %r34;\n"
    "selp.b32 %r146, 0, %r101, %p16;\n"
    "mov.u32 %r147, %r34;\n"
    "LBB1_23:\n"
    "add.s32 %r102, %r146, %r28;\n"
    "add.s32 %r103, %r102, %r147;\n"
    "max.s32 %r104, %r102, 0;\n"
    "max.s32 %r105, %r103, 0;\n"
    "min.u32 %r106, %r105, 4;\n"
    "shl.b32 %r108, %r92, %r106;\n"
    "min.u32 %r109, %r104, 4;\n"
    "shl.b32 %r111, %r95, %r109;\n"
    "add.s32 %r112, %r108, %r111;\n"
    "or.b32 %r148, %r112, %r148;\n"
    "LBB1_24:\n"
    "mul.lo.s32 %r113, %r148, 2113665;\n"
    "and.b32 %r114, %r113, 16843009;\n"
    "mul.lo.s32 %r115, %r114, 255;\n"
    "and.b32 %r116, %r115, %r143;\n"
    "ld.param.u32 %r117, [%rd1+164];\n"
    "not.b32 %r118, %r115;\n"
    "and.b32 %r119, %r117, %r118;\n"
    "or.b32 %r40, %r116, %r119;\n"
    "setp.eq.s32 %p17, %r141, 16;\n"
    "@%p17 bra LBB1_27;\n"
    "setp.ne.s32 %p18, %r141, 4;\n"
    "@%p18 bra LBB1_28;\n"
    "ld.param.u64 %rd67, [%rd1+8];\n"
    "shl.b32 %r122, %r40, 2;\n"
    "and.b32 %r123, %r122, 1020;\n"
    "cvt.u64.u32 %rd68, %r123;\n"
    "add.s64 %rd69, %rd67, %rd68;\n"
    "ld.global.nc.u32 %r149, [%rd69];\n"
    "shr.u32 %r124, %r40, 6;\n"
    "and.b32 %r125, %r124, 1020;\n"
    "cvt.u64.u32 %rd70, %r125;\n"
    "add.s64 %rd71, %rd67, %rd70;\n"
    "ld.global.nc.u32 %r150, [%rd71];\n"
    "shr.u32 %r126, %r40, 14;\n"
    "and.b32 %r127, %r126, 1020;\n"
    "cvt.u64.u32 %rd72, %r127;\n"
    "add.s64 %rd73, %rd67, %rd72;\n"
    "ld.global.nc.u32 %r151, [%rd73];\n"
    "shr.u32 %r128, %r40, 22;\n"
    "and.b32 %r129, %r128, 1020;\n"
    "cvt.u64.u32 %rd74, %r129;\n"
    "add.s64 %rd75, %rd67, %rd74;\n"
    "ld.global.nc.u32 %r152, [%rd75];\n"
    "bra.uni LBB1_29;\n"
    "LBB1_27:\n"
    "ld.param.u64 %rd64, [%rd1+8];\n"
    "shl.b32 %r120, %r40, 4;\n"
    "and.b32 %r121, %r120, 4080;\n"
    "cvt.u64.u32 %rd65, %r121;\n"
    "add.s64 %rd66, %rd64, %rd65;\n"
    "ld.global.nc.v4.u32 {%r149, %r150, %r151, %r152}, [%rd66];\n"
    "bra.uni LBB1_29;\n"
    "LBB1_32:\n"
    "ret;\n"
    "}\n"
    ".visible .entry bsi_cuda_kernels_planes(\n"
    ".param .align 8 .b8 bsi_cuda_kernels_planes_param_0[168]\n"
    ")\n"
    ".maxntid 256, 1, 1\n"
    "{\n"
    ".reg .pred %p<52>;\n"
    ".reg .b16 %rs<12>;\n"
    ".reg .b32 %r<388>;\n"
    ".reg .b64 %rd<235>;\n"
    "mov.u32 %r122, %ctaid.x;\n"
    "mul.wide.u32 %rd24, %r122, 256;\n"
    "mov.u32 %r123, %tid.x;\n"
    "cvt.u64.u32 %rd25, %r123;\n"
    "add.s64 %rd230, %rd24, %rd25;\n"
    "ld.param.u64 %rd234, [bsi_cuda_kernels_planes_param_0+72];\n"
    "setp.ge.u64 %p5, %rd230, %rd234;\n"
    "@%p5 bra LBB2_44;\n"
    "mov.b64 %rd23, bsi_cuda_kernels_planes_param_0;\n"
    "mov.u64 %rd1, %rd23;\n"
    "mov.u32 %r124, %nctaid.x;\n"
    "mul.wide.u32 %rd4, %r124, 256;\n"
    "mov.pred %p9, -1;\n"
    "mov.u32 %r126, 0;\n"
    "mov.pred %p11, 0;\n"
    "bra.uni LBB2_2;\n"
    "LBB2_42:\n"
    "ld.param.u64 %rd234, [%rd1+72];\n"
    "LBB2_43:\n"
    "add.s64 %rd230, %rd230, %rd4;\n"
    "setp.lt.u64 %p47, %rd230, %rd234;\n"
    "@%p47 bra LBB2_2;\n"
    "bra.uni LBB2_44;\n"
    "LBB2_2:\n"
    "ld.param.u64 %rd7, [%rd1+80];\n"
    "setp.le.u64 %p6, %rd7, %rd230;\n"
    "shl.b64 %rd228, %rd230, 4;\n"
    "@%p6 bra LBB2_32;\n"
    "ld.param.u32 %r125, [%rd1+128];\n"
    "setp.eq.s32 %p7, %r125, 2;\n"
    "@%p7 bra LBB2_13;\n"
    "setp.ne.s32 %p8, %r125, 4;\n"
    "@%p8 bra LBB2_23;\n"
    "cvt.u32.u64 %r187, %rd230;\n"
    "shl.b32 %r188, %r187, 2;\n"
    "ld.param.u32 %r1, [%rd1+44];\n"
    "ld.param.u64 %rd83, [%rd1+88];\n"
    "cvt.u64.u32 %rd84, %r188;\n"
    "and.b64 %rd85, %rd83, 4294967295;\n"
    "mul.lo.s64 %rd86, %rd85, %rd84;\n"
    "shr.u64 %rd87, %rd83, 32;\n"
    "mul.lo.s64 %rd88, %rd87, %rd84;\n"
    "shr.u64 %rd89, %rd86, 32;\n"
    "add.s64 %rd90, %rd89, %rd88;\n"
    "shr.u64 %rd91, %rd90, 32;\n"
    "cvt.u32.u64 %r189, %rd91;\n"
    "ld.param.u64 %rd92, [%rd1+96];\n"
    "and.b64 %rd93, %rd92, 4294967295;\n"
    "mul.lo.s64 %rd94, %rd91, %rd93;\n"
    "shr.u64 %rd95, %rd92, 32;\n"
    "mul.lo.s64 %rd96, %rd91, %rd95;\n"
    "shr.u64 %rd97, %rd94, 32;\n"
    "add.s64 %rd98, %rd97, %rd96;\n"
    "shr.u64 %rd99, %rd98, 32;\n"
    "cvt.u32.u64 %r190, %rd99;\n"
    "ld.param.u32 %r2, [%rd1+132];\n"
    "mul.lo.s32 %r192, %r1, %r189;\n"
    "sub.s32 %r193, %r188, %r192;\n"
    "mad.lo.s32 %r5, %r1, %r190, %r193;\n"
    "ld.param.u32 %r6, [%rd1+124];\n"
    "setp.le.u32 %p22, %r6, %r5;\n"
    "mov.u32 %r337, 0;\n"
    "mov.u32 %r338, %r337;\n"
    "mov.pred %p48, %p9;\n"
    "@%p22 bra LBB2_11;\n"
    "mul.lo.s32 %r191, %r2, %r190;\n"
    "sub.s32 %r3, %r189, %r191;\n"
    "sub.s32 %r4, %r1, %r193;\n"
    "shl.b32 %r194, %r5, 3;\n"
    "and.b32 %r195, %r194, 24;\n"
    "ld.param.u64 %rd100, [%rd1];\n"
    "cvta.to.global.u64 %rd8, %rd100;\n"
    "and.b32 %r196, %r5, -4;\n"
    "cvt.u64.u32 %rd101, %r196;\n"
    "add.s64 %rd102, %rd8, %rd101;\n"
    "cvta.global.u64 %rd103, %rd102;\n"
    "ld.global.nc.u32 %r197, [%rd103];\n"
    "ld.global.nc.u32 %r198, [%rd103+4];\n"
    "cvt.u64.u32 %rd104, %r198;\n"
    "shl.b64 %rd105, %rd104, 32;\n"
    "cvt.u64.u32 %rd106, %r197;\n"
    "or.b64 %rd107, %rd105, %rd106;\n"
    "shr.u64 %rd108, %rd107, %r195;\n"
    "cvt.u32.u64 %r338, %rd108;\n"
    "mul.lo.s32 %r337, %r3, 16843009;\n"
    "setp.gt.u32 %p24, %r4, 3;\n"
    "mov.pred %p48, %p11;\n"
    "@%p24 bra LBB2_11;\n"
    "add.s32 %r9, %r3, 1;\n"
    "setp.lt.u32 %p25, %r9, %r2;\n"
    "selp.b32 %r200, %r1, 0, %p25;\n"
    "sub.s32 %r10, %r5, %r200;\n"
    "setp.le.u32 %p26, %r6, %r10;\n"
    "mov.u32 %r336, 0;\n"
    "@%p26 bra LBB2_9;\n"
    "shl.b32 %r201, %r10, 3;\n"
    "and.b32 %r202, %r201, 24;\n"
    "and.b32 %r203, %r10, -4;\n"
    "cvt.u64.u32 %rd109, %r203;\n"
    "add.s64 %rd110, %rd8, %rd109;\n"
    "cvta.global.u64 %rd111, %rd110;\n"
    "ld.global.nc.u32 %r204, [%rd111];\n"
    "ld.global.nc.u32 %r205, [%rd111+4];\n"
    "cvt.u64.u32 %rd112, %r205;\n"
    "shl.b64 %rd113, %rd112, 32;\n"
    "cvt.u64.u32 %rd114, %r204;\n"
    "or.b64 %rd115, %rd113, %rd114;\n"
    "shr.u64 %rd116, %rd115, %r202;\n"
    "cvt.u32.u64 %r336, %rd116;\n"
    "LBB2_9:\n"
    "mov.pred %p48, %p9;\n"
    "@%p26 bra LBB2_11;\n"
    "add.s32 %r206, %r337, 16843009;\n"
    "selp.b32 %r207, %r206, 0, %p25;\n"
    "shl.b32 %r208, %r4, 3;\n"
    "mov.u64 %rd117, 4294967295;\n"
    "shl.b64 %rd118, %rd117, %r208;\n"
    "cvt.u32.u64 %r209, %rd118;\n"
    "not.b32 %r210, %r209;\n"
    "and.b32 %r211, %r338, %r210;\n"
    "and.b32 %r212, %r336, %r209;\n"
    "or.b32 %r338, %r212, %r211;\n"
    "and.b32 %r213, %r337, %r210;\n"
    "and.b32 %r214, %r207, %r209;\n"
    "or.b32 %r337, %r214, %r213;\n"
    "mov.pred %p48, %p11;\n"
    "LBB2_11:\n"
    "@%p48 bra LBB2_32;\n"
    "ld.param.u64 %rd119, [%rd1+8];\n"
    "and.b32 %r215, %r338, 255;\n"
    "and.b32 %r216, %r337, 255;\n"
    "mad.lo.s32 %r217, %r215, %r2, %r216;\n"
    "mul.wide.u32 %rd120, %r217, 4;\n"
    "add.s64 %rd121, %rd119, %rd120;\n"
    "ld.global.nc.u32 %r384, [%rd121];\n"
    "bfe.u32 %r218, %r338, 8, 8;\n"
    "bfe.u32 %r219, %r337, 8, 8;\n"
    "mad.lo.s32 %r220, %r218, %r2, %r219;\n"
    "mul.wide.u32 %rd122, %r220, 4;\n"
    "add.s64 %rd123, %rd119, %rd122;\n"
    "ld.global.nc.u32 %r385, [%rd123];\n"
    "bfe.u32 %r221, %r338, 16, 8;\n"
    "bfe.u32 %r222, %r337, 16, 8;\n"
    "mad.lo.s32 %r223, %r221, %r2, %r222;\n"
    "mul.wide.u32 %rd124, %r223, 4;\n"
    "add.s64 %rd125, %rd119, %rd124;\n"
    "ld.global.nc.u32 %r386, [%rd125];\n"
    "shr.u32 %r224, %r338, 24;\n"
    "shr.u32 %r225, %r337, 24;\n"
    "mad.lo.s32 %r226, %r224, %r2, %r225;\n"
    "mul.wide.u32 %rd126, %r226, 4;\n"
    "add.s64 %rd127, %rd119, %rd126;\n"
    "ld.global.nc.u32 %r387, [%rd127];\n"
    "bra.uni LBB2_22;\n"
    "LBB2_13:\n"
    "cvt.u32.u64 %r127, %rd230;\n"
    "shl.b32 %r128, %r127, 3;\n"
    "ld.param.u32 %r21, [%rd1+44];\n"
    "ld.param.u64 %rd26, [%rd1+88];\n"
    "cvt.u64.u32 %rd27, %r128;\n"
    "and.b64 %rd28, %rd26, 4294967295;\n"
    "mul.lo.s64 %rd29, %rd28, %rd27;\n"
    "shr.u64 %rd30, %rd26, 32;\n"
    "mul.lo.s64 %rd31, %rd30, %rd27;\n"
    "shr.u64 %rd32, %rd29, 32;\n"
    "add.s64 %rd33, %rd32, %rd31;\n"
    "shr.u64 %rd34, %rd33, 32;\n"
    "cvt.u32.u64 %r129, %rd34;\n"
    "ld.param.u64 %rd35, [%rd1+96];\n"
    "and.b64 %rd36, %rd35, 4294967295;\n"
    "mul.lo.s64 %rd37, %rd34, %rd36;\n"
    "shr.u64 %rd38, %rd35, 32;\n"
    "mul.lo.s64 %rd39, %rd34, %rd38;\n"
    "shr.u64 %rd40, %rd37, 32;\n"
    "add.s64 %rd41, %rd40, %rd39;\n"
    "shr.u64 %rd42, %rd41, 32;\n"
    "cvt.u32.u64 %r130, %rd42;\n"
    "ld.param.u32 %r22, [%rd1+132];\n"
    "mul.lo.s32 %r132, %r21, %r129;\n"
    "sub.s32 %r133, %r128, %r132;\n"
    "mad.lo.s32 %r25, %r21, %r130, %r133;\n"
    "ld.param.u32 %r26, [%rd1+124];\n"
    "setp.le.u32 %p10, %r26, %r25;\n"
    "mov.u32 %r341, %r126;\n"
    "mov.u32 %r342, %r126;\n"
    "mov.u32 %r354, %r126;\n"
    "mov.u32 %r344, %r126;\n"
    "mov.u32 %r345, %r126;\n"
    "mov.pred %p49, %p9;\n"
    "@%p10 bra LBB2_19;\n"
    "mul.lo.s32 %r131, %r22, %r130;\n"
    "sub.s32 %r23, %r129, %r131;\n"
    "sub.s32 %r24, %r21, %r133;\n"
    "shl.b32 %r134, %r25, 3;\n"
    "and.b32 %r135, %r134, 24;\n"
    "ld.param.u64 %rd43, [%rd1];\n"
    "cvta.to.global.u64 %rd9, %rd43;\n"
    "and.b32 %r136, %r25, -4;\n"
    "cvt.u64.u32 %rd44, %r136;\n"
    "add.s64 %rd45, %rd9, %rd44;\n"
    "cvta.global.u64 %rd46, %rd45;\n"
    "ld.global.nc.u32 %r137, [%rd46];\n"
    "add.s64 %rd47, %rd45, 4;\n"
    "cvta.global.u64 %rd48, %rd47;\n"
    "ld.global.nc.u32 %r138, [%rd48];\n"
    "cvt.u64.u32 %rd49, %r138;\n"
    "shl.b64 %rd50, %rd49, 32;\n"
    "cvt.u64.u32 %rd51, %r137;\n"
    "or.b64 %rd52, %rd50, %rd51;\n"
    "shr.u64 %rd53, %rd52, %r135;\n"
    "cvt.u32.u64 %r345, %rd53;\n"
    "ld.global.nc.u32 %r139, [%rd48+4];\n"
    "cvt.u64.u32 %rd54, %r139;\n"
    "shl.b64 %rd55, %rd54, 32;\n"
    "or.b64 %rd56, %rd55, %rd49;\n"
    "shr.u64 %rd57, %rd56, %r135;\n"
    "cvt.u32.u64 %r344, %rd57;\n"
    "mul.lo.s32 %r354, %r23, 16843009;\n"
    "setp.gt.u32 %p12, %r24, 7;\n"
    "mov.u32 %r341, %r354;\n"
    "mov.u32 %r342, %r354;\n"
    "mov.pred %p49, %p11;\n"
    "@%p12 bra LBB2_19;\n"
    "add.s32 %r30, %r23, 1;\n"
    "setp.lt.u32 %p13, %r30, %r22;\n"
    "selp.b32 %r141, %r21, 0, %p13;\n"
    "sub.s32 %r31, %r25, %r141;\n"
    "setp.le.u32 %p14, %r26, %r31;\n"
    "mov.u32 %r339, 0;\n"
    "mov.u32 %r340, %r339;\n"
    "@%p14 bra LBB2_17;\n"
    "shl.b32 %r142, %r31, 3;\n"
    "and.b32 %r143, %r142, 24;\n"
    "and.b32 %r144, %r31, -4;\n"
    "cvt.u64.u32 %rd58, %r144;\n"
    "add.s64 %rd59, %rd9, %rd58;\n"
    "cvta.global.u64 %rd60, %rd59;\n"
    "ld.global.nc.u32 %r145, [%rd60];\n"
    "add.s64 %rd61, %rd59, 4;\n"
    "cvta.global.u64 %rd62, %rd61;\n"
    "ld.global.nc.u32 %r146, [%rd62];\n"
    "cvt.u64.u32 %rd63, %r146;\n"
    "shl.b64 %rd64, %rd63, 32;\n"
    "cvt.u64.u32 %rd65, %r145;\n"
    "or.b64 %rd66, %rd64, %rd65;\n"
    "shr.u64 %rd67, %rd66, %r143;\n"
    "cvt.u32.u64 %r339, %rd67;\n"
    "ld.global.nc.u32 %r147, [%rd62+4];\n"
    "cvt.u64.u32 %rd68, %r147;\n"
    "shl.b64 %rd69, %rd68, 32;\n"
    "or.b64 %rd70, %rd69, %rd63;\n"
    "shr.u64 %rd71, %rd70, %r143;\n"
    "cvt.u32.u64 %r340, %rd71;\n"
    "LBB2_17:\n"
    "mov.u32 %r341, %r354;\n"
    "mov.u32 %r342, %r354;\n"
    "mov.pred %p49, %p9;\n"
    "@%p14 bra LBB2_19;\n"
    "add.s32 %r148, %r354, 16843009;\n"
    "selp.b32 %r149, %r148, 0, %p13;\n"
    "min.u32 %r150, %r24, 4;\n"
    "shl.b32 %r151, %r150, 3;\n"
    "mov.u64 %rd72, 4294967295;\n"
    "shl.b64 %rd73, %rd72, %r151;\n"
    "cvt.u32.u64 %r152, %rd73;\n"
    "not.b32 %r153, %r152;\n"
    "and.b32 %r154, %r345, %r153;\n"
    "and.b32 %r155, %r339, %r152;\n"
    "or.b32 %r345, %r155, %r154;\n"
    "and.b32 %r156, %r354, %r153;\n"
    "and.b32 %r157, %r149, %r152;\n"
    "or.b32 %r341, %r156, %r157;\n"
    "max.u32 %r158, %r24, 4;\n"
    "shl.b32 %r159, %r158, 3;\n"
    "add.s32 %r160, %r159, -32;\n"
    "shl.b64 %rd74, %rd72, %r160;\n"
    "cvt.u32.u64 %r161, %rd74;\n"
    "not.b32 %r162, %r161;\n"
    "and.b32 %r163, %r344, %r162;\n"
    "and.b32 %r164, %r340, %r161;\n"
    "or.b32 %r344, %r164, %r163;\n"
    "and.b32 %r165, %r354, %r162;\n"
    "and.b32 %r166, %r149, %r161;\n"
    "or.b32 %r342, %r166, %r165;\n"
    "mov.pred %p49, %p11;\n"
    "LBB2_19:\n"
    "@%p49 bra LBB2_32;\n"
    "ld.param.u64 %rd10, [%rd1+8];\n"
    "mov.u32 %r387, 0;\n"
    "mov.pred %p50, %p9;\n"
    "mov.u32 %r386, %r387;\n"
    "mov.u32 %r351, %r387;\n"
    "mov.u32 %r352, %r387;\n"
    "mov.u32 %r355, %r354;\n"
    "LBB2_21:\n"
    "mov.u32 %r52, %r342;\n"
    "mov.u32 %r49, %r344;\n"
    "mov.u32 %r384, %r386;\n"
    "mov.u32 %r385, %r387;\n"
    "mov.pred %p3, %p50;\n"
    "and.b32 %r168, %r345, 255;\n"
    "and.b32 %r169, %r341, 255;\n"
    "mad.lo.s32 %r170, %r168, %r22, %r169;\n"
    "mul.wide.u32 %rd75, %r170, 2;\n"
    "add.s64 %rd76, %rd10, %rd75;\n"
    "ld.global.nc.u16 %rs1, [%rd76];\n"
    "cvt.u32.u16 %r171, %rs1;\n"
    "bfe.u32 %r172, %r345, 8, 8;\n"
    "bfe.u32 %r173, %r341, 8, 8;\n"
    "mad.lo.s32 %r174, %r172, %r22, %r173;\n"
    "mul.wide.u32 %rd77, %r174, 2;\n"
    "add.s64 %rd78, %rd10, %rd77;\n"
    "ld.global.nc.u16 %rs2, [%rd78];\n"
    "cvt.u32.u16 %r175, %rs2;\n"
    "shl.b32 %r176, %r175, 16;\n"
    "or.b32 %r386, %r176, %r171;\n"
    "bfe.u32 %r177, %r345, 16, 8;\n"
    "bfe.u32 %r178, %r341, 16, 8;\n"
    "mad.lo.s32 %r179, %r177, %r22, %r178;\n"
    "mul.wide.u32 %rd79, %r179, 2;\n"
    "add.s64 %rd80, %rd10, %rd79;\n"
    "ld.global.nc.u16 %rs3, [%rd80];\n"
    "cvt.u32.u16 %r180, %rs3;\n"
    "shr.u32 %r181, %r345, 24;\n"
    "shr.u32 %r182, %r341, 24;\n"
    "mad.lo.s32 %r183, %r181, %r22, %r182;\n"
    "mul.wide.u32 %rd81, %r183, 2;\n"
    "add.s64 %rd82, %rd10, %rd81;\n"
    "ld.global.nc.u16 %rs4, [%rd82];\n"
    "cvt.u32.u16 %r184, %rs4;\n"
    "shl.b32 %r185, %r184, 16;\n"
    "or.b32 %r387, %r185, %r180;\n"
    "mov.pred %p50, %p11;\n"
    "mov.u32 %r345, %r49;\n"
    "mov.u32 %r341, %r52;\n"
    "mov.u32 %r344, %r351;\n"
    "mov.u32 %r351, %r352;\n"
    "mov.u32 %r352, %r49;\n"
    "mov.u32 %r342, %r354;\n"
    "mov.u32 %r354, %r355;\n"
    "mov.u32 %r355, %r52;\n"
    "@%p3 bra LBB2_21;\n"
    "bra.uni LBB2_22;\n"
    "LBB2_23:\n"
    "cvt.u32.u64 %r228, %rd230;\n"
    "shl.b32 %r229, %r228, 4;\n"
    "ld.param.u32 %r57, [%rd1+44];\n"
    "ld.param.u64 %rd128, [%rd1+88];\n"
    "cvt.u64.u32 %rd129, %r229;\n"
    "and.b64 %rd130, %rd128, 4294967295;\n"
    "mul.lo.s64 %rd131, %rd130, %rd129;\n"
    "shr.u64 %rd132, %rd128, 32;\n"
    "mul.lo.s64 %rd133, %rd132, %rd129;\n"
    "shr.u64 %rd134, %rd131, 32;\n"
    "add.s64 %rd135, %rd134, %rd133;\n"
    "shr.u64 %rd136, %rd135, 32;\n"
    "cvt.u32.u64 %r230, %rd136;\n"
    "ld.param.u64 %rd137, [%rd1+96];\n"
    "and.b64 %rd138, %rd137, 4294967295;\n"
    "mul.lo.s64 %rd139, %rd136, %rd138;\n"
    "shr.u64 %rd140, %rd137, 32;\n"
    "mul.lo.s64 %rd141, %rd136, %rd140;\n"
    "shr.u64 %rd142, %rd139, 32;\n"
    "add.s64 %rd143, %rd142, %rd141;\n"
    "shr.u64 %rd144, %rd143, 32;\n"
    "cvt.u32.u64 %r231, %rd144;\n"
    "ld.param.u32 %r58, [%rd1+132];\n"
    "mul.lo.s32 %r233, %r57, %r230;\n"
    "sub.s32 %r234, %r229, %r233;\n"
    "mad.lo.s32 %r61, %r57, %r231, %r234;\n"
    "ld.param.u32 %r62, [%rd1+124];\n"
    "setp.le.u32 %p32, %r62, %r61;\n"
    "mov.u32 %r360, 0;\n"
    "mov.u32 %r361, %r360;\n"
    "mov.u32 %r362, %r360;\n"
    "mov.u32 %r363, %r360;\n"
    "mov.u32 %r364, %r360;\n"
    "mov.u32 %r365, %r360;\n"
    "mov.u32 %r366, %r360;\n"
    "mov.u32 %r367, %r360;\n"
    "mov.pred %p51, %p9;\n"
    "@%p32 bra LBB2_29;\n"
    "mul.lo.s32 %r232, %r58, %r231;\n"
    "sub.s32 %r59, %r230, %r232;\n"
    "sub.s32 %r60, %r57, %r234;\n"
    "shl.b32 %r235, %r61, 3;\n"
    "and.b32 %r236, %r235, 24;\n"
    "ld.param.u64 %rd145, [%rd1];\n"
    "cvta.to.global.u64 %rd11, %rd145;\n"
    "and.b32 %r237, %r61, -4;\n"
    "cvt.u64.u32 %rd146, %r237;\n"
    "add.s64 %rd147, %rd11, %rd146;\n"
    "cvta.global.u64 %rd148, %rd147;\n"
    "ld.global.nc.u32 %r238, [%rd148];\n"
    "add.s64 %rd149, %rd147, 4;\n"
    "cvta.global.u64 %rd150, %rd149;\n"
    "ld.global.nc.u32 %r239, [%rd150];\n"
    "cvt.u64.u32 %rd151, %r239;\n"
    "shl.b64 %rd152, %rd151, 32;\n"
    "cvt.u64.u32 %rd153, %r238;\n"
    "or.b64 %rd154, %rd152, %rd153;\n"
    "shr.u64 %rd155, %rd154, %r236;\n"
    "cvt.u32.u64 %r367, %rd155;\n"
    "ld.global.nc.u32 %r240, [%rd150+4];\n"
    "cvt.u64.u32 %rd156, %r240;\n"
    "shl.b64 %rd157, %rd156, 32;\n"
    "or.b64 %rd158, %rd157, %rd151;\n"
    "shr.u64 %rd159, %rd158, %r236;\n"
    "cvt.u32.u64 %r366, %rd159;\n"
    "add.s64 %rd160, %rd147, 8;\n"
    "cvta.global.u64 %rd161, %rd160;\n"
    "ld.global.nc.u32 %r241, [%rd161+4];\n"
    "cvt.u64.u32 %rd162, %r241;\n"
    "shl.b64 %rd163, %rd162, 32;\n"
    "or.b64 %rd164, %rd163, %rd156;\n"
    "shr.u64 %rd165, %rd164, %r236;\n"
    "cvt.u32.u64 %r365, %rd165;\n"
    "add.s64 %rd166, %rd147, 12;\n"
    "cvta.global.u64 %rd167, %rd166;\n"
    "ld.global.nc.u32 %r242, [%rd167+4];\n"
    "cvt.u64.u32 %rd168, %r242;\n"
    "shl.b64 %rd169, %rd168, 32;\n"
    "or.b64 %rd170, %rd169, %rd162;\n"
    "shr.u64 %rd171, %rd170, %r236;\n"
    "cvt.u32.u64 %r364, %rd171;\n"
    "mul.lo.s32 %r360, %r59, 16843009;\n"
    "setp.gt.u32 %p34, %r60, 15;\n"
    "mov.u32 %r361, %r360;\n"
    "mov.u32 %r362, %r360;\n"
    "mov.u32 %r363, %r360;\n"
    "mov.pred %p51, %p11;\n"
    "@%p34 bra LBB2_29;\n"
    "add.s32 %r68, %r59, 1;\n"
    "setp.lt.u32 %p35, %r68, %r58;\n"
    "selp.b32 %r244, %r57, 0, %p35;\n"
    "sub.s32 %r69, %r61, %r244;\n"
    "setp.le.u32 %p36, %r62, %r69;\n"
    "mov.u32 %r356, 0;\n"
    "mov.u32 %r357, %r356;\n"
    "mov.u32 %r358, %r356;\n"
    "mov.u32 %r359, %r356;\n"
    "@%p36 bra LBB2_27;\n"
    "shl.b32 %r245, %r69, 3;\n"
    "and.b32 %r246, %r245, 24;\n"
    "and.b32 %r247, %r69, -4;\n"
    "cvt.u64.u32 %rd172, %r247;\n"
    "add.s64 %rd173, %rd11, %rd172;\n"
    "cvta.global.u64 %rd174, %rd173;\n"
    "ld.global.nc.u32 %r248, [%rd174];\n"
    "add.s64 %rd175, %rd173, 4;\n"
    "cvta.global.u64 %rd176, %rd175;\n"
    "ld.global.nc.u32 %r249, [%rd176];\n"
    "cvt.u64.u32 %rd177, %r249;\n"
    "shl.b64 %rd178, %rd177, 32;\n"
    "cvt.u64.u32 %rd179, %r248;\n"
    "or.b64 %rd180, %rd178, %rd179;\n"
    "shr.u64 %rd181, %rd180, %r246;\n"
    "cvt.u32.u64 %r356, %rd181;\n"
    "ld.global.nc.u32 %r250, [%rd176+4];\n"
    "cvt.u64.u32 %rd182, %r250;\n"
    "shl.b64 %rd183, %rd182, 32;\n"
    "or.b64 %rd184, %rd183, %rd177;\n"
    "shr.u64 %rd185, %rd184, %r246;\n"
    "cvt.u32.u64 %r357, %rd185;\n"
    "add.s64 %rd186, %rd173, 8;\n"
    "cvta.global.u64 %rd187, %rd186;\n"
    "ld.global.nc.u32 %r251, [%rd187+4];\n"
    "cvt.u64.u32 %rd188, %r251;\n"
    "shl.b64 %rd189, %rd188, 32;\n"
    "or.b64 %rd190, %rd189, %rd182;\n"
    "shr.u64 %rd191, %rd190, %r246;\n"
    "cvt.u32.u64 %r358, %rd191;\n"
    "add.s64 %rd192, %rd173, 12;\n"
    "cvta.global.u64 %rd193, %rd192;\n"
    "ld.global.nc.u32 %r252, [%rd193+4];\n"
    "cvt.u64.u32 %rd194, %r252;\n"
    "shl.b64 %rd195, %rd194, 32;\n"
    "or.b64 %rd196, %rd195, %rd188;\n"
    "shr.u64 %rd197, %rd196, %r246;\n"
    "cvt.u32.u64 %r359, %rd197;\n"
    "LBB2_27:\n"
    "mov.u32 %r361, %r360;\n"
    "mov.u32 %r362, %r360;\n"
    "mov.u32 %r363, %r360;\n"
    "mov.pred %p51, %p9;\n"
    "@%p36 bra LBB2_29;\n"
    "add.s32 %r253, %r360, 16843009;\n"
    "selp.b32 %r254, %r253, 0, %p35;\n"
    "min.u32 %r255, %r60, 4;\n"
    "shl.b32 %r256, %r255, 3;\n"
    "mov.u64 %rd198, 4294967295;\n"
    "shl.b64 %rd199, %rd198, %r256;\n"
    "cvt.u32.u64 %r257, %rd199;\n"
    "not.b32 %r258, %r257;\n"
    "and.b32 %r259, %r367, %r258;\n"
    "and.b32 %r260, %r356, %r257;\n"
    "or.b32 %r367, %r260, %r259;\n"
    "and.b32 %r261, %r360, %r258;\n"
    "and.b32 %r262, %r254, %r257;\n"
    "or.b32 %r79, %r261, %r262;\n"
    "max.u32 %r263, %r60, 4;\n"
    "add.s32 %r264, %r263, -4;\n"
    "min.u32 %r265, %r264, 4;\n"
    "shl.b32 %r266, %r265, 3;\n"
    "shl.b64 %rd200, %rd198, %r266;\n"
    "cvt.u32.u64 %r267, %rd200;\n"
    "not.b32 %r268, %r267;\n"
    "and.b32 %r269, %r366, %r268;\n"
    "and.b32 %r270, %r357, %r267;\n"
    "or.b32 %r366, %r270, %r269;\n"
    "and.b32 %r271, %r360, %r268;\n"
    "and.b32 %r272, %r254, %r267;\n"
    "or.b32 %r361, %r271, %r272;\n"
    "max.u32 %r273, %r60, 8;\n"
    "add.s32 %r274, %r273, -8;\n"
    "min.u32 %r275, %r274, 4;\n"
    "shl.b32 %r276, %r275, 3;\n"
    "shl.b64 %rd201, %rd198, %r276;\n"
    "cvt.u32.u64 %r277, %rd201;\n"
    "not.b32 %r278, %r277;\n"
    "and.b32 %r279, %r365, %r278;\n"
    "and.b32 %r280, %r358, %r277;\n"
    "or.b32 %r365, %r280, %r279;\n"
    "and.b32 %r281, %r360, %r278;\n"
    "and.b32 %r282, %r254, %r277;\n"
    "or.b32 %r362, %r281, %r282;\n"
    "max.u32 %r283, %r60, 12;\n"
    "shl.b32 %r284, %r283, 3;\n"
    "add.s32 %r285, %r284, -96;\n"
    "shl.b64 %rd202, %rd198, %r285;\n"
    "cvt.u32.u64 %r286, %rd202;\n"
    "not.b32 %r287, %r286;\n"
    "and.b32 %r288, %r364, %r287;\n"
    "and.b32 %r289, %r359, %r286;\n"
    "or.b32 %r364, %r289, %r288;\n"
    "and.b32 %r290, %r360, %r287;\n"
    "and.b32 %r291, %r254, %r286;\n"
    "or.b32 %r363, %r291, %r290;\n"
    "mov.u32 %r360, %r79;\n"
    "mov.pred %p51, %p11;\n"
    "LBB2_29:\n"
    "@%p51 bra LBB2_32;\n"
    "bra.uni LBB2_30;\n"
    "LBB2_32:\n"
    "@%p6 bra LBB2_34;\n"
    "ld.param.u32 %r380, [%rd1+136];\n"
    "bra.uni LBB2_35;\n"
    "LBB2_34:\n"
    "ld.param.u32 %r316, [%rd1+120];\n"
    "ld.param.u32 %r317, [%rd1+128];\n"
    "div.u32 %r380, %r316, %r317;\n"
    "LBB2_35:\n"
    "setp.eq.s32 %p43, %r380, 0;\n"
    "@%p43 bra LBB2_43;\n"
    "ld.param.u64 %rd215, [%rd1+16];\n"
    "cvta.to.global.u64 %rd216, %rd215;\n"
    "add.s64 %rd231, %rd216, %rd228;\n"
    "cvt.u32.u64 %r111, %rd230;\n"
    "ld.param.u32 %r381, [%rd1+128];\n"
    "mov.u32 %r318, 0;\n"
    "mov.u32 %r382, %r318;\n"
    "bra.uni LBB2_37;\n"
    "LBB2_41:\n"
    "add.s32 %r382, %r382, 1;\n"
    "setp.eq.s32 %p46, %r382, %r380;\n"
    "mov.u32 %r381, %r383;\n"
    "@%p46 bra LBB2_42;\n"
    "LBB2_37:\n"
    "ld.param.u32 %r320, [%rd1+136];\n"
    "mad.lo.s32 %r321, %r320, %r111, %r382;\n"
    "ld.param.u32 %r322, [%rd1+44];\n"
    "div.u32 %r323, %r321, %r322;\n"
    "ld.param.u32 %r324, [%rd1+48];\n"
    "div.u32 %r325, %r323, %r324;\n"
    "sub.s32 %r328, %r325, %r323;\n"
    "mad.lo.s32 %r329, %r328, %r322, %r321;\n"
    "cvt.u64.u32 %rd220, %r329;\n"
    "ld.param.u64 %rd221, [%rd1];\n"
    "add.s64 %rd222, %rd221, %rd220;\n"
    "ld.global.nc.u8 %rs10, [%rd222];\n"
    "setp.eq.s32 %p44, %r381, 0;\n"
    "mov.u32 %r383, %r318;\n"
    "@%p44 bra LBB2_41;\n"
    "ld.param.u64 %rd218, [%rd1+8];\n"
    "cvta.to.global.u64 %rd219, %rd218;\n"
    "mul.lo.s32 %r326, %r325, %r324;\n"
    "sub.s32 %r327, %r323, %r326;\n"
    "cvt.u32.u16 %r330, %rs10;\n"
    "and.b32 %r331, %r330, 255;\n"
    "ld.param.u32 %r332, [%rd1+132];\n"
    "mad.lo.s32 %r333, %r332, %r331, %r327;\n"
    "mul.lo.s32 %r334, %r333, %r381;\n"
    "cvt.u64.u32 %rd223, %r334;\n"
    "add.s64 %rd224, %rd219, %rd223;\n"
    "cvta.global.u64 %rd15, %rd224;\n"
    "mov.u64 %rd233, 0;\n"
    "LBB2_39:\n"
    "add.s64 %rd226, %rd231, %rd233;\n"
    "add.s64 %rd227, %rd15, %rd233;\n"
    "ld.global.nc.u8 %rs11, [%rd227];\n"
    "st.global.u8 [%rd226], %rs11;\n"
    "ld.param.u32 %r383, [%rd1+128];\n"
    "add.s64 %rd233, %rd233, 1;\n"
    "cvt.u32.u64 %r335, %rd233;\n"
    "setp.lt.u32 %p45, %r335, %r383;\n"
    "@%p45 bra LBB2_39;\n"
    "add.s64 %rd231, %rd231, %rd233;\n"
    "bra.uni LBB2_41;\n"
    "LBB2_30:\n"
    "ld.param.u64 %rd12, [%rd1+8];\n"
    "mov.u32 %r387, 0;\n"
    "mov.u32 %r368, -4;\n"
    "mov.u32 %r386, %r387;\n"
    "mov.u32 %r385, %r387;\n"
    "LBB2_31:\n"
    "mov.u32 %r103, %r361;\n"
    "mov.u32 %r100, %r366;\n"
    "mov.u32 %r384, %r385;\n"
    "mov.u32 %r385, %r386;\n"
    "mov.u32 %r386, %r387;\n"
    "and.b32 %r294, %r367, 255;\n"
    "and.b32 %r295, %r360, 255;\n"
    "mad.lo.s32 %r296, %r294, %r58, %r295;\n"
    "cvt.u64.u32 %rd203, %r296;\n"
    "add.s64 %rd204, %rd12, %rd203;\n"
    "ld.global.nc.u8 %rs5, [%rd204];\n"
    "cvt.u32.u16 %r297, %rs5;\n"
    "and.b32 %r298, %r297, 255;\n"
    "bfe.u32 %r299, %r367, 8, 8;\n"
    "bfe.u32 %r300, %r360, 8, 8;\n"
    "mad.lo.s32 %r301, %r299, %r58, %r300;\n"
    "cvt.u64.u32 %rd205, %r301;\n"
    "add.s64 %rd206, %rd12, %rd205;\n"
    "ld.global.nc.u8 %rs6, [%rd206];\n"
    "and.b16 %rs7, %rs6, 255;\n"
    "mul.wide.u16 %r302, %rs7, 256;\n"
    "or.b32 %r303, %r302, %r298;\n"
    "bfe.u32 %r304, %r367, 16, 8;\n"
    "bfe.u32 %r305, %r360, 16, 8;\n"
    "mad.lo.s32 %r306, %r304, %r58, %r305;\n"
    "cvt.u64.u32 %rd207, %r306;\n"
    "add.s64 %rd208, %rd12, %rd207;\n"
    "ld.global.nc.u8 %rs8, [%rd208];\n"
    "cvt.u32.u16 %r307, %rs8;\n"
    "and.b32 %r308, %r307, 255;\n"
    "shl.b32 %r309, %r308, 16;\n"
    "or.b32 %r310, %r309, %r303;\n"
    "shr.u32 %r311, %r367, 24;\n"
    "shr.u32 %r312, %r360, 24;\n"
    "mad.lo.s32 %r313, %r311, %r58, %r312;\n"
    "cvt.u64.u32 %rd209, %r313;\n"
    "add.s64 %rd210, %rd12, %rd209;\n"
    "ld.global.nc.u8 %rs9, [%rd210];\n"
    "cvt.u32.u16 %r314, %rs9;\n"
    "shl.b32 %r315, %r314, 24;\n"
    "or.b32 %r387, %r315, %r310;\n"
    "add.s32 %r368, %r368, 4;\n"
    "setp.lt.u32 %p41, %r368, 12;\n"
    "mov.u32 %r367, %r100;\n"
    "mov.u32 %r360, %r103;\n"
    "mov.u32 %r366, %r365;\n"
    "mov.u32 %r365, %r364;\n"
    "mov.u32 %r364, %r100;\n"
    "mov.u32 %r361, %r362;\n"
    "mov.u32 %r362, %r363;\n"
    "mov.u32 %r363, %r103;\n"
    "@%p41 bra LBB2_31;\n"
    "LBB2_22:\n"
    "ld.param.u64 %rd211, [%rd1+16];\n"
    "cvta.to.global.u64 %rd212, %rd211;\n"
    "add.s64 %rd214, %rd212, %rd228;\n"
    "st.global.v4.u32 [%rd214], {%r384, %r385, %r386, %r387};\n"
    "bra.uni LBB2_43;\n"
    "LBB2_44:\n"
    "ret;\n"
    "}\n"
    ".visible .entry bsi_cuda_kernels_sides(\n"
    ".param .align 8 .b8 bsi_cuda_kernels_sides_param_0[168]\n"
    ")\n"
    ".maxntid 256, 1, 1\n"
    "{\n"
    ".reg .pred %p<36>;\n"
    ".reg .b16 %rs<12>;\n"
    ".reg .b32 %r<277>;\n"
    ".reg .b64 %rd<119>;\n"
    "mov.u32 %r127, %ctaid.x;\n"
    "mul.wide.u32 %rd25, %r127, 256;\n"
    "mov.u32 %r128, %tid.x;\n"
    "cvt.u64.u32 %rd26, %r128;\n"
    "add.s64 %rd114, %rd25, %rd26;\n"
    "ld.param.u64 %rd118, [bsi_cuda_kernels_sides_param_0+72];\n"
    "setp.ge.u64 %p3, %rd114, %rd118;\n"
    "@%p3 bra LBB3_43;\n"
    "mov.b64 %rd24, bsi_cuda_kernels_sides_param_0;\n"
    "mov.u64 %rd1, %rd24;\n"
    "mov.u32 %r129, %nctaid.x;\n"
    "mul.wide.u32 %rd4, %r129, 256;\n"
    "ld.param.u32 %r229, [%rd1+128];\n"
    "mov.pred %p5, -1;\n"
    "mov.pred %p8, 0;\n"
    "bra.uni LBB3_2;\n"
    "LBB3_41:\n"
    "ld.param.u64 %rd118, [%rd1+72];\n"
    "LBB3_42:\n"
    "add.s64 %rd114, %rd114, %rd4;\n"
    "setp.lt.u64 %p33, %rd114, %rd118;\n"
    "@%p33 bra LBB3_2;\n"
    "bra.uni LBB3_43;\n"
    "LBB3_2:\n"
    "cvt.u32.u64 %r3, %rd114;\n"
    "ld.param.u32 %r227, [%rd1+136];\n"
    "ld.param.u32 %r226, [%rd1+48];\n"
    "ld.param.u64 %rd8, [%rd1+80];\n"
    "setp.le.u64 %p4, %rd8, %rd114;\n"
    "@%p4 bra LBB3_9;\n"
    "mul.lo.s32 %r130, %r227, %r3;\n"
    "ld.param.u64 %rd27, [%rd1+96];\n"
    "cvt.u64.u32 %rd28, %r130;\n"
    "and.b64 %rd29, %rd27, 4294967295;\n"
    "mul.lo.s64 %rd30, %rd29, %rd28;\n"
    "shr.u64 %rd31, %rd27, 32;\n"
    "mul.lo.s64 %rd32, %rd31, %rd28;\n"
    "shr.u64 %rd33, %rd30, 32;\n"
    "add.s64 %rd34, %rd33, %rd32;\n"
    "shr.u64 %rd7, %rd34, 32;\n"
    "cvt.u32.u64 %r5, %rd7;\n"
    "ld.param.u32 %r133, [%rd1+124];\n"
    "setp.le.u32 %p6, %r133, %r5;\n"
    "mov.u32 %r257, 0;\n"
    "mov.u32 %r237, %r257;\n"
    "mov.pred %p34, %p5;\n"
    "@%p6 bra LBB3_8;\n"
    "ld.param.u32 %r8, [%rd1+140];\n"
    "shl.b64 %rd35, %rd7, 3;\n"
    "and.b64 %rd9, %rd35, 24;\n"
    "ld.param.u64 %rd36, [%rd1];\n"
    "cvta.to.global.u64 %rd37, %rd36;\n"
    "and.b64 %rd38, %rd7, 4294967292;\n"
    "add.s64 %rd10, %rd37, %rd38;\n"
    "cvta.global.u64 %rd11, %rd10;\n"
    "ld.global.nc.u32 %r220, [%rd11];\n"
    "setp.lt.u32 %p7, %r8, 4;\n"
    "mov.u32 %r257, 0;\n"
    "mov.u32 %r237, %r257;\n"
    "@%p7 bra LBB3_6;\n"
    "ld.global.nc.u32 %r10, [%rd11+4];\n"
    "cvt.u64.u32 %rd39, %r10;\n"
    "shl.b64 %rd40, %rd39, 32;\n"
    "cvt.u64.u32 %rd41, %r220;\n"
    "or.b64 %rd42, %rd40, %rd41;\n"
    "cvt.u32.u64 %r135, %rd9;\n"
    "shr.u64 %rd43, %rd42, %r135;\n"
    "cvt.u32.u64 %r237, %rd43;\n"
    "mov.u32 %r220, %r10;\n"
    "LBB3_6:\n"
    "setp.lt.u32 %p9, %r8, 8;\n"
    "mov.pred %p34, %p8;\n"
    "@%p9 bra LBB3_8;\n"
    "add.s64 %rd44, %rd10, 4;\n"
    "cvta.global.u64 %rd45, %rd44;\n"
    "ld.global.nc.u32 %r137, [%rd45+4];\n"
    "cvt.u64.u32 %rd46, %r137;\n"
    "shl.b64 %rd47, %rd46, 32;\n"
    "cvt.u64.u32 %rd48, %r220;\n"
    "or.b64 %rd49, %rd47, %rd48;\n"
    "cvt.u32.u64 %r138, %rd9;\n"
    "shr.u64 %rd50, %rd49, %r138;\n"
    "cvt.u32.u64 %r257, %rd50;\n"
    "mov.pred %p34, %p8;\n"
    "LBB3_8:\n"
    "@!%p34 bra LBB3_19;\n"
    "bra.uni LBB3_9;\n"
    "LBB3_9:\n"
    "setp.gt.u64 %p28, %rd8, %rd114;\n"
    "mov.u32 %r223, %r227;\n"
    "@%p28 bra LBB3_11;\n"
    "ld.param.u32 %r197, [%rd1+120];\n"
    "div.u32 %r223, %r197, %r229;\n"
    "LBB3_11:\n"
    "setp.eq.s32 %p29, %r223, 0;\n"
    "@%p29 bra LBB3_42;\n"
    "ld.param.u64 %rd100, [%rd1+16];\n"
    "cvta.to.global.u64 %rd101, %rd100;\n"
    "shl.b64 %rd102, %rd114, 4;\n"
    "add.s64 %rd115, %rd101, %rd102;\n"
    "mov.u32 %r198, 0;\n"
    "mov.u32 %r225, %r229;\n"
    "mov.u32 %r228, %r198;\n"
    "LBB3_13:\n"
    "mad.lo.s32 %r200, %r227, %r3, %r228;\n"
    "div.u32 %r201, %r200, %r226;\n"
    "cvt.u64.u32 %rd105, %r201;\n"
    "ld.param.u64 %rd106, [%rd1];\n"
    "add.s64 %rd107, %rd106, %rd105;\n"
    "ld.global.nc.u8 %rs10, [%rd107];\n"
    "setp.eq.s32 %p30, %r225, 0;\n"
    "mov.u32 %r230, %r198;\n"
    "@%p30 bra LBB3_17;\n"
    "ld.param.u64 %rd103, [%rd1+8];\n"
    "cvta.to.global.u64 %rd104, %rd103;\n"
    "mul.lo.s32 %r202, %r201, %r226;\n"
    "sub.s32 %r203, %r200, %r202;\n"
    "cvt.u32.u16 %r204, %rs10;\n"
    "and.b32 %r205, %r204, 255;\n"
    "ld.param.u32 %r206, [%rd1+132];\n"
    "mad.lo.s32 %r207, %r206, %r205, %r203;\n"
    "mul.lo.s32 %r208, %r207, %r225;\n"
    "cvt.u64.u32 %rd108, %r208;\n"
    "add.s64 %rd109, %rd104, %rd108;\n"
    "cvta.global.u64 %rd14, %rd109;\n"
    "mov.u64 %rd117, 0;\n"
    "LBB3_15:\n"
    "add.s64 %rd111, %rd115, %rd117;\n"
    "add.s64 %rd112, %rd14, %rd117;\n"
    "ld.global.nc.u8 %rs11, [%rd112];\n"
    "st.global.u8 [%rd111], %rs11;\n"
    "ld.param.u32 %r229, [%rd1+128];\n"
    "add.s64 %rd117, %rd117, 1;\n"
    "cvt.u32.u64 %r209, %rd117;\n"
    "setp.lt.u32 %p31, %r209, %r229;\n"
    "@%p31 bra LBB3_15;\n"
    "add.s64 %rd115, %rd115, %rd117;\n"
    "mov.u32 %r230, %r229;\n"
    "LBB3_17:\n"
    "add.s32 %r228, %r228, 1;\n"
    "setp.eq.s32 %p32, %r228, %r223;\n"
    "@%p32 bra LBB3_41;\n"
    "ld.param.u32 %r227, [%rd1+136];\n"
    "ld.param.u32 %r226, [%rd1+48];\n"
    "mov.u32 %r225, %r230;\n"
    "bra.uni LBB3_13;\n"
    "LBB3_19:\n"
    "mul.lo.s32 %r131, %r226, %r5;\n"
    "sub.s32 %r7, %r130, %r131;\n"
    "setp.eq.s32 %p11, %r229, 2;\n"
    "and.b32 %r215, %r237, 255;\n"
    "@%p11 bra LBB3_22;\n"
    "setp.ne.s32 %p12, %r229, 4;\n"
    "@%p12 bra LBB3_30;\n"
    "ld.param.u64 %rd59, [%rd1+8];\n"
    "sub.s32 %r154, %r226, %r7;\n"
    "mad.lo.s32 %r156, %r215, %r226, %r7;\n"
    "add.s32 %r157, %r226, 1;\n"
    "add.s32 %r158, %r226, 2;\n"
    "setp.eq.s32 %p19, %r154, 0;\n"
    "shr.u32 %r159, %r237, 8;\n"
    "bfe.u32 %r160, %r237, 8, 8;\n"
    "mul.lo.s32 %r161, %r160, %r226;\n"
    "selp.b32 %r162, %r159, %r237, %p19;\n"
    "selp.b32 %r163, %r226, %r154, %p19;\n"
    "selp.b32 %r164, %r161, %r156, %p19;\n"
    "mul.wide.u32 %rd60, %r164, 4;\n"
    "add.s64 %rd61, %rd59, %rd60;\n"
    "ld.global.nc.u32 %r272, [%rd61];\n"
    "add.s32 %r165, %r164, 1;\n"
    "setp.eq.s32 %p20, %r163, 1;\n"
    "shr.u32 %r166, %r162, 8;\n"
    "bfe.u32 %r167, %r162, 8, 8;\n"
    "mul.lo.s32 %r168, %r167, %r226;\n"
    "selp.b32 %r169, %r166, %r162, %p20;\n"
    "selp.b32 %r170, %r157, %r163, %p20;\n"
    "selp.b32 %r171, %r168, %r165, %p20;\n"
    "mul.wide.u32 %rd62, %r171, 4;\n"
    "add.s64 %rd63, %rd59, %rd62;\n"
    "ld.global.nc.u32 %r273, [%rd63];\n"
    "add.s32 %r172, %r171, 1;\n"
    "setp.eq.s32 %p21, %r170, 2;\n"
    "shr.u32 %r173, %r169, 8;\n"
    "bfe.u32 %r174, %r169, 8, 8;\n"
    "mul.lo.s32 %r175, %r174, %r226;\n"
    "selp.b32 %r176, %r173, %r169, %p21;\n"
    "selp.b32 %r177, %r158, %r170, %p21;\n"
    "selp.b32 %r178, %r175, %r172, %p21;\n"
    "mul.wide.u32 %rd64, %r178, 4;\n"
    "add.s64 %rd65, %rd59, %rd64;\n"
    "ld.global.nc.u32 %r274, [%rd65];\n"
    "add.s32 %r179, %r178, 1;\n"
    "setp.eq.s32 %p22, %r177, 3;\n"
    "bfe.u32 %r180, %r176, 8, 8;\n"
    "mul.lo.s32 %r181, %r180, %r226;\n"
    "selp.b32 %r182, %r181, %r179, %p22;\n"
    "mul.wide.u32 %rd66, %r182, 4;\n"
    "add.s64 %rd67, %rd59, %rd66;\n"
    "ld.global.nc.u32 %r275, [%rd67];\n"
    "LBB3_40:\n"
    "ld.param.u64 %rd96, [%rd1+16];\n"
    "cvta.to.global.u64 %rd97, %rd96;\n"
    "shl.b64 %rd98, %rd114, 4;\n"
    "add.s64 %rd99, %rd97, %rd98;\n"
    "st.global.v4.u32 [%rd99], {%r272, %r273, %r274, %r275};\n"
    "bra.uni LBB3_42;\n"
    "LBB3_22:\n"
    "ld.param.u64 %rd19, [%rd1+8];\n"
    "sub.s32 %r238, %r226, %r7;\n"
    "mad.lo.s32 %r239, %r215, %r226, %r7;\n"
    "add.s32 %r36, %r226, 1;\n"
    "add.s32 %r37, %r226, 2;\n"
    "add.s32 %r38, %r226, 3;\n"
    "mov.u32 %r275, 0;\n"
    "mov.pred %p35, %p5;\n"
    "mov.u32 %r274, %r275;\n"
    "bra.uni LBB3_23;\n"
    "LBB3_29:\n"
    "cvt.u32.u16 %r51, %rs1;\n"
    "or.b32 %r274, %r144, %r51;\n"
    "mul.wide.u32 %rd55, %r247, 2;\n"
    "add.s64 %rd56, %rd19, %rd55;\n"
    "ld.global.nc.u16 %rs3, [%rd56];\n"
    "cvt.u32.u16 %r146, %rs3;\n"
    "add.s32 %r147, %r247, 1;\n"
    "setp.eq.s32 %p18, %r238, 3;\n"
    "and.b32 %r148, %r244, 255;\n"
    "mul.lo.s32 %r149, %r148, %r226;\n"
    "selp.b32 %r237, %r244, %r237, %p18;\n"
    "selp.b32 %r150, %r38, %r238, %p18;\n"
    "selp.b32 %r151, %r149, %r147, %p18;\n"
    "mul.wide.u32 %rd57, %r151, 2;\n"
    "add.s64 %rd58, %rd19, %rd57;\n"
    "ld.global.nc.u16 %rs4, [%rd58];\n"
    "cvt.u32.u16 %r152, %rs4;\n"
    "shl.b32 %r153, %r152, 16;\n"
    "or.b32 %r275, %r153, %r146;\n"
    "add.s32 %r239, %r151, 1;\n"
    "add.s32 %r238, %r150, -4;\n"
    "mov.pred %p35, %p8;\n"
    "@%p2 bra LBB3_23;\n"
    "bra.uni LBB3_40;\n"
    "LBB3_23:\n"
    "mov.u32 %r272, %r274;\n"
    "mov.u32 %r273, %r275;\n"
    "mov.pred %p2, %p35;\n"
    "setp.ne.s32 %p14, %r238, 0;\n"
    "shr.u32 %r44, %r237, 8;\n"
    "mov.u32 %r236, %r44;\n"
    "@%p14 bra LBB3_25;\n"
    "shr.u32 %r236, %r237, 16;\n"
    "bfe.u32 %r141, %r237, 8, 8;\n"
    "mul.lo.s32 %r239, %r141, %r226;\n"
    "mov.u32 %r237, %r44;\n"
    "mov.u32 %r238, %r226;\n"
    "LBB3_25:\n"
    "mul.wide.u32 %rd51, %r239, 2;\n"
    "add.s64 %rd52, %rd19, %rd51;\n"
    "ld.global.nc.u16 %rs1, [%rd52];\n"
    "add.s32 %r243, %r239, 1;\n"
    "setp.ne.s32 %p15, %r238, 1;\n"
    "mov.u32 %r240, %r236;\n"
    "@%p15 bra LBB3_27;\n"
    "shr.u32 %r240, %r236, 8;\n"
    "and.b32 %r142, %r236, 255;\n"
    "mul.lo.s32 %r243, %r142, %r226;\n"
    "mov.u32 %r237, %r236;\n"
    "mov.u32 %r238, %r36;\n"
    "LBB3_27:\n"
    "mul.wide.u32 %rd53, %r243, 2;\n"
    "add.s64 %rd54, %rd19, %rd53;\n"
    "ld.global.nc.u16 %rs2, [%rd54];\n"
    "cvt.u32.u16 %r143, %rs2;\n"
    "shl.b32 %r144, %r143, 16;\n"
    "add.s32 %r247, %r243, 1;\n"
    "setp.ne.s32 %p16, %r238, 2;\n"
    "mov.u32 %r244, %r240;\n"
    "@%p16 bra LBB3_29;\n"
    "shr.u32 %r244, %r240, 8;\n"
    "and.b32 %r145, %r240, 255;\n"
    "mul.lo.s32 %r247, %r145, %r226;\n"
    "mov.u32 %r237, %r240;\n"
    "mov.u32 %r238, %r37;\n"
    "bra.uni LBB3_29;\n"
    "LBB3_30:\n"
    "sub.s32 %r258, %r226, %r7;\n"
    "add.s32 %r216, %r226, 1;\n"
    "add.s32 %r217, %r226, 2;\n"
    "ld.param.u64 %rd20, [%rd1+8];\n"
    "mad.lo.s32 %r259, %r215, %r226, %r7;\n"
    "add.s32 %r75, %r226, 3;\n"
    "mov.u32 %r275, 0;\n"
    "mov.u32 %r248, -4;\n"
    "mov.u32 %r274, %r275;\n"
    "mov.u32 %r273, %r275;\n"
    "bra.uni LBB3_31;\n"
    "LBB3_39:\n"
    "cvt.u64.u32 %rd94, %r271;\n"
    "add.s64 %rd95, %rd20, %rd94;\n"
    "ld.global.nc.u8 %rs9, [%rd95];\n"
    "cvt.u32.u16 %r195, %rs9;\n"
    "shl.b32 %r196, %r195, 24;\n"
    "or.b32 %r275, %r196, %r109;\n"
    "add.s32 %r259, %r271, 1;\n"
    "add.s32 %r258, %r258, -4;\n"
    "add.s32 %r248, %r248, 4;\n"
    "setp.lt.u32 %p27, %r248, 12;\n"
    "@%p27 bra LBB3_31;\n"
    "bra.uni LBB3_40;\n"
    "LBB3_31:\n"
    "mov.u32 %r272, %r273;\n"
    "mov.u32 %r273, %r274;\n"
    "mov.u32 %r274, %r275;\n"
    "setp.ne.s32 %p23, %r258, 0;\n"
    "@%p23 bra LBB3_33;\n"
    "cvt.u64.u32 %rd68, %r257;\n"
    "shl.b64 %rd69, %rd68, 32;\n"
    "cvt.u64.u32 %rd70, %r237;\n"
    "or.b64 %rd71, %rd69, %rd70;\n"
    "shr.u64 %rd72, %rd71, 8;\n"
    "cvt.u32.u64 %r237, %rd72;\n"
    "shr.u32 %r257, %r257, 8;\n"
    "and.b32 %r186, %r237, 255;\n"
    "mul.lo.s32 %r259, %r186, %r226;\n"
    "mov.u32 %r258, %r226;\n"
    "LBB3_33:\n"
    "cvt.u64.u32 %rd73, %r259;\n"
    "add.s64 %rd74, %rd20, %rd73;\n"
    "ld.global.nc.u8 %rs5, [%rd74];\n"
    "cvt.u32.u16 %r187, %rs5;\n"
    "and.b32 %r91, %r187, 255;\n"
    "add.s32 %r263, %r259, 1;\n"
    "setp.ne.s32 %p24, %r258, 1;\n"
    "@%p24 bra LBB3_35;\n"
    "cvt.u64.u32 %rd75, %r257;\n"
    "shl.b64 %rd76, %rd75, 32;\n"
    "cvt.u64.u32 %rd77, %r237;\n"
    "or.b64 %rd78, %rd76, %rd77;\n"
    "shr.u64 %rd79, %rd78, 8;\n"
    "cvt.u32.u64 %r237, %rd79;\n"
    "shr.u32 %r257, %r257, 8;\n"
    "and.b32 %r188, %r237, 255;\n"
    "mul.lo.s32 %r263, %r188, %r226;\n"
    "mov.u32 %r258, %r216;\n"
    "LBB3_35:\n"
    "cvt.u64.u32 %rd80, %r263;\n"
    "add.s64 %rd81, %rd20, %rd80;\n"
    "ld.global.nc.u8 %rs6, [%rd81];\n"
    "and.b16 %rs7, %rs6, 255;\n"
    "mul.wide.u16 %r189, %rs7, 256;\n"
    "or.b32 %r100, %r189, %r91;\n"
    "add.s32 %r267, %r263, 1;\n"
    "setp.ne.s32 %p25, %r258, 2;\n"
    "@%p25 bra LBB3_37;\n"
    "cvt.u64.u32 %rd82, %r257;\n"
    "shl.b64 %rd83, %rd82, 32;\n"
    "cvt.u64.u32 %rd84, %r237;\n"
    "or.b64 %rd85, %rd83, %rd84;\n"
    "shr.u64 %rd86, %rd85, 8;\n"
    "cvt.u32.u64 %r237, %rd86;\n"
    "shr.u32 %r257, %r257, 8;\n"
    "and.b32 %r190, %r237, 255;\n"
    "mul.lo.s32 %r267, %r190, %r226;\n"
    "mov.u32 %r258, %r217;\n"
    "LBB3_37:\n"
    "cvt.u64.u32 %rd87, %r267;\n"
    "add.s64 %rd88, %rd20, %rd87;\n"
    "ld.global.nc.u8 %rs8, [%rd88];\n"
    "cvt.u32.u16 %r191, %rs8;\n"
    "and.b32 %r192, %r191, 255;\n"
    "shl.b32 %r193, %r192, 16;\n"
    "or.b32 %r109, %r193, %r100;\n"
    "add.s32 %r271, %r267, 1;\n"
    "setp.ne.s32 %p26, %r258, 3;\n"
    "@%p26 bra LBB3_39;\n"
    "cvt.u64.u32 %rd89, %r257;\n"
    "shl.b64 %rd90, %rd89, 32;\n"
    "cvt.u64.u32 %rd91, %r237;\n"
    "or.b64 %rd92, %rd90, %rd91;\n"
    "shr.u64 %rd93, %rd92, 8;\n"
    "cvt.u32.u64 %r237, %rd93;\n"
    "shr.u32 %r257, %r257, 8;\n"
    "and.b32 %r194, %r237, 255;\n"
    "mul.lo.s32 %r271, %r194, %r226;\n"
    "mov.u32 %r258, %r75;\n"
    "bra.uni LBB3_39;\n"
    "LBB3_43:\n"
    "ret;\n"
    "}\n"
    ".visible .entry bsi_cuda_kernels_any(\n"
    ".param .align 8 .b8 bsi_cuda_kernels_any_param_0[168]\n"
    ")\n"
    ".maxntid 256, 1, 1\n"
    "{\n"
    ".reg .pred %p<34>;\n"
    ".reg .b16 %rs<8>;\n"
    ".reg .b32 %r<176>;\n"
    ".reg .b64 %rd<138>;\n"
    "mov.u32 %r82, %ctaid.x;\n"
    "mul.wide.u32 %rd45, %r82, 256;\n"
    "mov.u32 %r83, %tid.x;\n"
    "cvt.u64.u32 %rd3, %r83;\n"
    "add.s64 %rd131, %rd45, %rd3;\n"
    "ld.param.u64 %rd46, [bsi_cuda_kernels_any_param_0+72];\n"
    "setp.ge.u64 %p1, %rd131, %rd46;\n"
    "@%p1 bra LBB4_44;\n"
    "mov.b64 %rd44, bsi_cuda_kernels_any_param_0;\n"
    "mov.u64 %rd1, %rd44;\n"
    "cvt.u64.u32 %rd2, %r82;\n"
    "mov.u32 %r84, %nctaid.x;\n"
    "mul.wide.u32 %rd5, %r84, 256;\n"
    "shl.b64 %rd47, %rd2, 12;\n"
    "shl.b64 %rd48, %rd3, 4;\n"
    "add.s64 %rd130, %rd47, %rd48;\n"
    "mul.wide.u32 %rd7, %r84, 4096;\n"
    "mov.u32 %r91, 0;\n"
    "bra.uni LBB4_2;\n"
    "LBB4_45:\n"
    "st.global.v4.u32 [%rd27], {%r167, %r168, %r169, %r170};\n"
    "LBB4_43:\n"
    "add.s64 %rd131, %rd131, %rd5;\n"
    "ld.param.u64 %rd129, [%rd1+72];\n"
    "add.s64 %rd130, %rd130, %rd7;\n"
    "setp.lt.u64 %p33, %rd131, %rd129;\n"
    "@%p33 bra LBB4_2;\n"
    "bra.uni LBB4_44;\n"
    "LBB4_2:\n"
    "ld.param.u32 %rd49, [%rd1+136];\n"
    "mul.lo.s64 %rd10, %rd131, %rd49;\n"
    "ld.param.u32 %rd11, [%rd1+144];\n"
    "ld.param.u32 %r1, [%rd1+160];\n"
    "setp.ne.s32 %p2, %r1, 0;\n"
    "@%p2 bra LBB4_6;\n"
    "bra.uni LBB4_3;\n"
    "LBB4_6:\n"
    "ld.param.u64 %rd12, [%rd1+104];\n"
    "setp.eq.s64 %p3, %rd12, 0;\n"
    "mov.u64 %rd132, %rd10;\n"
    "@%p3 bra LBB4_8;\n"
    "and.b64 %rd50, %rd10, 4294967295;\n"
    "and.b64 %rd51, %rd12, 4294967295;\n"
    "mul.lo.s64 %rd52, %rd51, %rd50;\n"
    "shr.u64 %rd53, %rd12, 32;\n"
    "mul.lo.s64 %rd54, %rd53, %rd50;\n"
    "shr.u64 %rd55, %rd52, 32;\n"
    "add.s64 %rd56, %rd55, %rd54;\n"
    "shr.u64 %rd132, %rd56, 32;\n"
    "bra.uni LBB4_8;\n"
    "LBB4_3:\n"
    "and.b64 %rd57, %rd10, -4294967296;\n"
    "setp.ne.s64 %p4, %rd57, 0;\n"
    "@%p4 bra LBB4_5;\n"
    "bra.uni LBB4_4;\n"
    "LBB4_5:\n"
    "div.u64 %rd132, %rd10, %rd11;\n"
    "bra.uni LBB4_8;\n"
    "LBB4_4:\n"
    "cvt.u32.u64 %r85, %rd11;\n"
    "cvt.u32.u64 %r86, %rd10;\n"
    "div.u32 %r87, %r86, %r85;\n"
    "cvt.u64.u32 %rd132, %r87;\n"
    "LBB4_8:\n"
    "ld.param.u32 %rd17, [%rd1+148];\n"
    "cvt.u32.u64 %r136, %rd132;\n"
    "@%p2 bra LBB4_12;\n"
    "bra.uni LBB4_9;\n"
    "LBB4_12:\n"
    "ld.param.u64 %rd18, [%rd1+112];\n"
    "setp.eq.s64 %p6, %rd18, 0;\n"
    "@%p6 bra LBB4_14;\n"
    "and.b64 %rd58, %rd132, 4294967295;\n"
    "and.b64 %rd59, %rd18, 4294967295;\n"
    "mul.lo.s64 %rd60, %rd59, %rd58;\n"
    "shr.u64 %rd61, %rd18, 32;\n"
    "mul.lo.s64 %rd62, %rd61, %rd58;\n"
    "shr.u64 %rd63, %rd60, 32;\n"
    "add.s64 %rd64, %rd63, %rd62;\n"
    "shr.u64 %rd132, %rd64, 32;\n"
    "bra.uni LBB4_14;\n"
    "LBB4_9:\n"
    "and.b64 %rd65, %rd132, -4294967296;\n"
    "setp.ne.s64 %p7, %rd65, 0;\n"
    "@%p7 bra LBB4_11;\n"
    "bra.uni LBB4_10;\n"
    "LBB4_11:\n"
    "div.u64 %rd132, %rd132, %rd17;\n"
    "bra.uni LBB4_14;\n"
    "LBB4_10:\n"
    "cvt.u32.u64 %r88, %rd17;\n"
    "div.u32 %r90, %r136, %r88;\n"
    "cvt.u64.u32 %rd132, %r90;\n"
    "LBB4_14:\n"
    "cvt.u32.u64 %r2, %rd132;\n"
    "ld.param.v2.u32 {%r92, %r4}, [%rd1+40];\n"
    "setp.gt.u32 %p8, %r92, %r2;\n"
    "selp.b32 %r162, %r2, 0, %p8;\n"
    "cvt.u64.u32 %rd24, %r162;\n"
    "ld.param.u64 %rd25, [%rd1+24];\n"
    "cvta.to.global.u64 %rd67, %rd25;\n"
    "mov.u64 %rd68, 0;\n"
    "cvta.to.global.u64 %rd69, %rd68;\n"
    "setp.eq.s64 %p9, %rd67, %rd69;\n"
    "mov.u32 %r164, %r91;\n"
    "mov.u32 %r163, %r4;\n"
    "@%p9 bra LBB4_16;\n"
    "shl.b64 %rd70, %rd24, 2;\n"
    "add.s64 %rd71, %rd25, %rd70;\n"
    "ld.global.nc.u32 %r93, [%rd71];\n"
    "max.s32 %r94, %r93, 0;\n"
    "min.u32 %r163, %r94, %r4;\n"
    "ld.param.u32 %r95, [%rd1+60];\n"
    "setp.eq.s32 %p10, %r95, 0;\n"
    "sub.s32 %r96, %r4, %r163;\n"
    "selp.b32 %r164, 0, %r96, %p10;\n"
    "LBB4_16:\n"
    "ld.param.u64 %rd72, [%rd1+16];\n"
    "cvta.to.global.u64 %rd26, %rd72;\n"
    "shl.b64 %rd73, %rd131, 4;\n"
    "add.s64 %rd27, %rd26, %rd73;\n"
    "ld.param.u32 %r11, [%rd1+128];\n"
    "ld.param.u64 %rd74, [%rd1+80];\n"
    "setp.gt.u64 %p11, %rd74, %rd131;\n"
    "ld.param.u32 %r98, [%rd1+120];\n"
    "selp.b32 %r171, 16, %r98, %p11;\n"
    "setp.eq.s32 %p12, %r171, 0;\n"
    "mov.u32 %r167, %r91;\n"
    "mov.u32 %r168, %r91;\n"
    "mov.u32 %r169, %r91;\n"
    "mov.u32 %r170, %r91;\n"
    "@%p12 bra LBB4_38;\n"
    "ld.param.u64 %rd66, [%rd1];\n"
    "cvta.to.global.u64 %rd23, %rd66;\n"
    "ld.param.u32 %r10, [%rd1+156];\n"
    "setp.eq.s32 %p13, %r10, 0;\n"
    "cvt.u32.u64 %r100, %rd17;\n"
    "cvt.u32.u64 %r101, %rd11;\n"
    "shl.b32 %r102, %r11, 3;\n"
    "shl.b32 %r103, %r164, 1;\n"
    "add.s32 %r104, %r163, %r103;\n"
    "add.s32 %r105, %r104, -1;\n"
    "selp.b32 %r161, 0, %r105, %p13;\n"
    "selp.b32 %r160, 1, -1, %p13;\n"
    "mul.lo.s32 %r106, %r100, %r2;\n"
    "sub.s32 %r153, %r136, %r106;\n"
    "cvt.u32.u64 %r107, %rd10;\n"
    "mul.lo.s32 %r108, %r101, %r136;\n"
    "sub.s32 %r154, %r107, %r108;\n"
    "cvt.u64.u32 %rd75, %r4;\n"
    "mul.lo.s64 %rd76, %rd75, %rd24;\n"
    "add.s64 %rd135, %rd23, %rd76;\n"
    "cvt.u64.u32 %rd29, %r102;\n"
    "mov.u32 %r143, 0;\n"
    "mov.u32 %r170, %r143;\n"
    "mov.u32 %r169, %r143;\n"
    "mov.u32 %r168, %r143;\n"
    "mov.u32 %r167, %r143;\n"
    "bra.uni LBB4_18;\n"
    "LBB4_33:\n"
    "ld.global.nc.u16 %rs4, [%rd36];\n"
    "cvt.u32.u16 %r166, %rs4;\n"
    "LBB4_36:\n"
    "cvt.u64.u32 %rd95, %r168;\n"
    "shl.b64 %rd96, %rd95, 32;\n"
    "cvt.u64.u32 %rd97, %r167;\n"
    "or.b64 %rd98, %rd96, %rd97;\n"
    "cvt.u32.u64 %r131, %rd29;\n"
    "shr.u64 %rd99, %rd98, %r131;\n"
    "cvt.u32.u64 %r167, %rd99;\n"
    "cvt.u64.u32 %rd100, %r169;\n"
    "shl.b64 %rd101, %rd100, 32;\n"
    "or.b64 %rd102, %rd101, %rd95;\n"
    "shr.u64 %rd103, %rd102, %r131;\n"
    "cvt.u32.u64 %r168, %rd103;\n"
    "cvt.u64.u32 %rd104, %r170;\n"
    "shl.b64 %rd105, %rd104, 32;\n"
    "or.b64 %rd106, %rd105, %rd100;\n"
    "shr.u64 %rd107, %rd106, %r131;\n"
    "cvt.u32.u64 %r169, %rd107;\n"
    "cvt.u64.u32 %rd108, %r166;\n"
    "shl.b64 %rd109, %rd108, 32;\n"
    "or.b64 %rd110, %rd109, %rd104;\n"
    "shr.u64 %rd111, %rd110, %r131;\n"
    "cvt.u32.u64 %r170, %rd111;\n"
    "LBB4_37:\n"
    "add.s32 %r143, %r143, %r11;\n"
    "setp.lt.u32 %p28, %r143, %r171;\n"
    "mov.u32 %r153, %r159;\n"
    "mov.u32 %r154, %r158;\n"
    "@%p28 bra LBB4_18;\n"
    "bra.uni LBB4_38;\n"
    "LBB4_18:\n"
    "ld.param.u32 %r33, [%rd1+152];\n"
    "setp.eq.s32 %p14, %r33, 0;\n"
    "selp.b32 %r34, %r154, %r153, %p14;\n"
    "sub.s32 %r109, %r34, %r164;\n"
    "setp.lt.u32 %p15, %r109, %r163;\n"
    "@%p15 bra LBB4_20;\n"
    "bra.uni LBB4_19;\n"
    "LBB4_20:\n"
    "cvta.global.u64 %rd31, %rd135;\n"
    "mad.lo.s32 %r110, %r34, %r160, %r161;\n"
    "cvt.u64.u32 %rd77, %r110;\n"
    "add.s64 %rd78, %rd31, %rd77;\n"
    "ld.global.nc.u8 %rs7, [%rd78];\n"
    "ld.param.u32 %r111, [%rd1+156];\n"
    "setp.eq.s32 %p16, %r111, 0;\n"
    "@%p16 bra LBB4_22;\n"
    "cvt.u64.u16 %rd79, %rs7;\n"
    "and.b64 %rd80, %rd79, 255;\n"
    "ld.param.u64 %rd81, [%rd1+32];\n"
    "add.s64 %rd82, %rd81, %rd80;\n"
    "ld.global.nc.u8 %rs7, [%rd82];\n"
    "LBB4_22:\n"
    "cvt.u32.u16 %r112, %rs7;\n"
    "and.b32 %r155, %r112, 255;\n"
    "bra.uni LBB4_23;\n"
    "LBB4_19:\n"
    "ld.param.u32 %r155, [%rd1+64];\n"
    "LBB4_23:\n"
    "add.s32 %r158, %r154, 1;\n"
    "ld.param.u32 %r113, [%rd1+144];\n"
    "setp.ne.s32 %p18, %r158, %r113;\n"
    "mov.u32 %r159, %r153;\n"
    "@%p18 bra LBB4_28;\n"
    "add.s32 %r159, %r153, 1;\n"
    "ld.param.u32 %r115, [%rd1+148];\n"
    "setp.ne.s32 %p19, %r159, %r115;\n"
    "mov.u32 %r158, 0;\n"
    "@%p19 bra LBB4_28;\n"
    "add.s32 %r117, %r162, 1;\n"
    "ld.param.v2.u32 {%r118, %r42}, [%rd1+40];\n"
    "setp.lt.u32 %p20, %r117, %r118;\n"
    "selp.b32 %r162, %r117, 0, %p20;\n"
    "ld.param.u64 %rd34, [%rd1+24];\n"
    "cvta.to.global.u64 %rd86, %rd34;\n"
    "setp.eq.s64 %p21, %rd86, %rd69;\n"
    "mov.u32 %r158, 0;\n"
    "mov.u32 %r164, %r158;\n"
    "mov.u32 %r163, %r42;\n"
    "@%p21 bra LBB4_27;\n"
    "cvt.u64.u32 %rd32, %r162;\n"
    "shl.b64 %rd89, %rd32, 2;\n"
    "add.s64 %rd90, %rd34, %rd89;\n"
    "ld.global.nc.u32 %r119, [%rd90];\n"
    "max.s32 %r120, %r119, 0;\n"
    "min.u32 %r163, %r120, %r42;\n"
    "ld.param.u32 %r121, [%rd1+60];\n"
    "setp.eq.s32 %p22, %r121, 0;\n"
    "sub.s32 %r122, %r42, %r163;\n"
    "selp.b32 %r164, 0, %r122, %p22;\n"
    "LBB4_27:\n"
    "ld.param.u64 %rd83, [%rd1];\n"
    "cvta.to.global.u64 %rd84, %rd83;\n"
    "mul.wide.u32 %rd85, %r42, %r162;\n"
    "add.s64 %rd135, %rd84, %rd85;\n"
    "ld.param.u32 %r124, [%rd1+156];\n"
    "setp.eq.s32 %p23, %r124, 0;\n"
    "selp.b32 %r160, 1, -1, %p23;\n"
    "shl.b32 %r125, %r164, 1;\n"
    "add.s32 %r126, %r163, %r125;\n"
    "add.s32 %r127, %r126, -1;\n"
    "selp.b32 %r161, 0, %r127, %p23;\n"
    "mov.u32 %r159, %r158;\n"
    "LBB4_28:\n"
    "ld.param.u32 %r38, [%rd1+132];\n"
    "selp.b32 %r39, %r153, %r154, %p14;\n"
    "mad.lo.s32 %r128, %r38, %r155, %r39;\n"
    "ld.param.u64 %rd91, [%rd1+8];\n"
    "cvta.to.global.u64 %rd92, %rd91;\n"
    "ld.param.u32 %r129, [%rd1+128];\n"
    "mul.wide.u32 %rd93, %r129, %r128;\n"
    "add.s64 %rd94, %rd92, %rd93;\n"
    "cvta.global.u64 %rd36, %rd94;\n"
    "setp.eq.s32 %p24, %r11, 1;\n"
    "@%p24 bra LBB4_35;\n"
    "setp.eq.s32 %p25, %r11, 2;\n"
    "@%p25 bra LBB4_33;\n"
    "setp.eq.s32 %p26, %r11, 4;\n"
    "@%p26 bra LBB4_34;\n"
    "bra.uni LBB4_31;\n"
    "LBB4_34:\n"
    "ld.global.nc.u32 %r166, [%rd36];\n"
    "bra.uni LBB4_36;\n"
    "LBB4_35:\n"
    "ld.global.nc.u8 %rs5, [%rd36];\n"
    "cvt.u32.u16 %r130, %rs5;\n"
    "and.b32 %r166, %r130, 255;\n"
    "bra.uni LBB4_36;\n"
    "LBB4_31:\n"
    "mov.u32 %r165, 0;\n"
    "LBB4_32:\n"
    "ld.global.nc.u8 %rs6, [%rd36];\n"
    "add.s32 %r133, %r143, %r165;\n"
    "cvt.u64.u32 %rd112, %r133;\n"
    "add.s64 %rd113, %rd27, %rd112;\n"
    "st.global.u8 [%rd113], %rs6;\n"
    "add.s32 %r165, %r165, 1;\n"
    "add.s64 %rd36, %rd36, 1;\n"
    "setp.eq.s32 %p27, %r165, 8;\n"
    "@%p27 bra LBB4_37;\n"
    "bra.uni LBB4_32;\n"
    "LBB4_38:\n"
    "setp.eq.s32 %p29, %r11, 8;\n"
    "@%p29 bra LBB4_43;\n"
    "setp.eq.s32 %p30, %r171, 16;\n"
    "@%p30 bra LBB4_45;\n"
    "@%p12 bra LBB4_43;\n"
    "add.s32 %r134, %r171, -1;\n"
    "cvt.u64.u32 %rd114, %r134;\n"
    "add.s64 %rd115, %rd130, %rd114;\n"
    "add.s64 %rd137, %rd26, %rd115;\n"
    "LBB4_42:\n"
    "add.s32 %r171, %r171, -1;\n"
    "shr.u32 %r135, %r170, 24;\n"
    "st.global.u8 [%rd137], %r135;\n"
    "cvt.u64.u32 %rd116, %r170;\n"
    "shl.b64 %rd117, %rd116, 32;\n"
    "cvt.u64.u32 %rd118, %r169;\n"
    "or.b64 %rd119, %rd117, %rd118;\n"
    "shr.u64 %rd120, %rd119, 24;\n"
    "cvt.u32.u64 %r170, %rd120;\n"
    "shl.b64 %rd121, %rd118, 32;\n"
    "cvt.u64.u32 %rd122, %r168;\n"
    "or.b64 %rd123, %rd121, %rd122;\n"
    "shr.u64 %rd124, %rd123, 24;\n"
    "cvt.u32.u64 %r169, %rd124;\n"
    "shl.b64 %rd125, %rd122, 32;\n"
    "cvt.u64.u32 %rd126, %r167;\n"
    "or.b64 %rd127, %rd125, %rd126;\n"
    "shr.u64 %rd128, %rd127, 24;\n"
    "cvt.u32.u64 %r168, %rd128;\n"
    "shl.b32 %r167, %r167, 8;\n"
    "add.s64 %rd137, %rd137, -1;\n"
    "setp.ne.s32 %p32, %r171, 0;\n"
    "@%p32 bra LBB4_42;\n"
    "bra.uni LBB4_43;\n"
    "LBB4_44:\n"
    "ret;\n"
    "}\n";
/* ---- PTX ends ---- */

/* ==========================================================================
 * >>dummy   a provider without a GPU
 *   uses: config expand            allocates: yes  threads: no   I/O: no
 *
 * There is one device, in host memory. Calls do their work before they return, so streams need no memory and
 * events only the time when they were recorded. Error numbers are those of CUDA's driver.
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
    double time_ms; /* of the last record */
} bsi_cuda_dummy_event;

/* Addresses for the provider's state and for streams, which have no memory of their own. */
static const char bsi_cuda_dummy_place[2] = {0, 0};

/* Milliseconds by clock(), which counts time on Windows, elsewhere the processor's time. */
static double bsi_cuda_dummy_clock(void) {
    return (double)clock() * (1e3 / (double)CLOCKS_PER_SEC);
}

/*
 * A monotonic clock, in milliseconds. It is clock() on Windows, where MinGW's other clock needs a library,
 * and with C libraries that have no other.
 */
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

/* Memory whose address is a multiple of `align`, a power of 2. Before it is the address from malloc. */
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

/* For host_free and device_free. */
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

/* There is no state, but NULL would look like a failure. */
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

/* Aligned to a page, like CUDA's. */
static int bsi_cuda_dummy_host_alloc(void *state, size_t bytes, unsigned flags, void **out) {
    (void)state;
    (void)flags;
    return bsi_cuda_dummy_alloc(bytes, 4096, out);
}

/* Nothing is locked, so there is nothing to undo. */
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

/* For stream_close and stream_finish: all work is done already. */
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

/* All that comes before the event is done already. */
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
    if (recorded->has_time) { /* other events are never written, so several threads may use them */
        recorded->is_recorded = 1;
        recorded->time_ms = bsi_cuda_dummy_now();
    }
    return 0;
}

/* For event_query and event_wait. */
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

/* For copy_in and copy_out. */
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

/* CUDA's names of these errors. */
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
 * The calls are those of CUDA 11.0, by their names in libcuda.so.1 and nvcuda.dll; later drivers have them
 * too. Each device is used through its primary context, which CUDA's runtime and frameworks share.
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

/* Search the system's folder only (LOAD_LIBRARY_SEARCH_SYSTEM32). Returns NULL if there is no library. */
static void *bsi_cuda_driver_load(void) {
    return (void *)LoadLibraryExA(BSI_CUDA_DRIVER_LIBRARY, NULL, 0x800);
}

static void bsi_cuda_driver_unload(void *library) {
    (void)FreeLibrary((HMODULE)library);
}

/* Write the function's address to `out_function`, a pointer to it. Returns 0 if there is none. */
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

/* Use the system's search path, or a library loaded already. Returns NULL if there is none. */
static void *bsi_cuda_driver_load(void) {
    return dlopen(BSI_CUDA_DRIVER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

static void bsi_cuda_driver_unload(void *library) {
    (void)dlclose(library);
}

/* Write the function's address to `out_function`, a pointer to it. Returns 0 if there is none. */
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
    /* The last BSI_CUDA_DRIVER_OPTIONAL calls are NULL if the driver lacks them. */
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
    int module_error;    /* why there are no kernels */
    void *kernels[BSI_CUDA_EXPAND_KERNELS];
} bsi_cuda_driver_device;

typedef struct bsi_cuda_driver {
    bsi_cuda_driver_calls calls;
    int needs_kernels; /* 0: the runtime launches its own */
    int device_count;
    bsi_cuda_driver_device *devices; /* [device_count] */
} bsi_cuda_driver;

/* ---- the library ---------------------------------------------------------- */

/*
 * Load the library and find all its functions. It stays loaded from then on, also for others who use it in
 * this process: a driver that was started must not go away. There may be a 32-bit library, but its calls take
 * device memory as 4 bytes, and CUDA of today has none of 32 bits.
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

/* For calls that free or close: when the driver itself is being unloaded, everything is freed. */
static int bsi_cuda_driver_freed(int error) {
    return error == BSI_CUDA_DRIVER_UNLOADING ? 0 : error;
}

/* The names of the errors that open can return, for which there is no state to ask. */
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

/* The words for the same errors. */
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

/* The driver's own name of one of its errors; static, like its words below. */
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

/* Several states may be open in a process, and others may use the driver at the same time. */
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

/* All devices must be closed. */
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
 * The number of the calling thread's current device, or 0 if it has none, as the runtime would take it.
 * CUdevice is a handle: its number is found by asking for each.
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
 * While one thread captures a CUDA graph, an event that another asks for may be refused, and the capture
 * spoiled, unless the asking thread is in relaxed mode. Ask for a mode. Returns the mode before, or -1 if the
 * driver has no modes.
 */
static int bsi_cuda_driver_exchange(const bsi_cuda_driver_calls *calls, int mode) {
    return calls->exchange_mode != NULL && calls->exchange_mode(&mode) == 0 ? mode : -1;
}

/* Return to the mode before. */
static void bsi_cuda_driver_restore(const bsi_cuda_driver_calls *calls, int before) {
    if (before >= 0) {
        (void)calls->exchange_mode(&before);
    }
}

/*
 * The bit of what enter passes to leave that says: pushed. Below it is the mode of captures before, plus 1.
 */
#define BSI_CUDA_DRIVER_PUSHED ((uintptr_t)4)

/*
 * The thread's contexts are a stack: the context that was current, if any, is so again after leave. A thread
 * that launches work there has the device's context current already; then the stack is left alone.
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
 * Make the device's primary context, or share it, and load the kernels. If a GPU cannot have them, as one
 * older than sm_70, the error is kept for the first expansion: copies need no kernels.
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

/* All kernels are loaded here, once per device, so that expansions need no lock and none is late. */
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

/* The primary context lives on if others have retained it. */
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

/*
 * Non-blocking: the stream neither waits for the default stream nor makes it wait. The greater a priority,
 * the lower its number; 0 is that of all streams for which nobody asks.
 */
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
    *out_captures = error == BSI_CUDA_DRIVER_IMPLICIT ? 2 : status != 0;
    return error == BSI_CUDA_DRIVER_IMPLICIT ? 0 : error;
}

static int bsi_cuda_driver_stream_wait(void *state, biost_cuda_stream stream, void *event) {
    return ((bsi_cuda_driver *)state)->calls.stream_wait(stream, event, 0);
}

static int bsi_cuda_driver_stream_finish(void *state, biost_cuda_stream stream) {
    return ((bsi_cuda_driver *)state)->calls.stream_finish(stream);
}

/* A thread that waits sleeps (BLOCKING_SYNC) instead of spinning; events without times cost least. */
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

/* Asynchronous if `from` is page-locked; otherwise the driver reads it during the call. */
static int bsi_cuda_driver_copy_in(void *state, void *to, const void *from, size_t bytes,
                                   biost_cuda_stream stream) {
    return ((bsi_cuda_driver *)state)->calls.copy_in((uintptr_t)to, from, bytes, stream);
}

static int bsi_cuda_driver_copy_out(void *state, void *to, const void *from, size_t bytes,
                                    biost_cuda_stream stream) {
    return ((bsi_cuda_driver *)state)->calls.copy_out(to, (uintptr_t)from, bytes, stream);
}

/* The device is current, and the stream is one of its streams. */
static int bsi_cuda_driver_expand(void *state, int number, const biost_cuda_expansion *expansion,
                                  biost_cuda_stream stream) {
    const bsi_cuda_driver *driver = (const bsi_cuda_driver *)state;
    const bsi_cuda_driver_device *device = &driver->devices[number];
    bsi_cuda_expand_job job;
    void *parameters[1] = {&job}; /* read during the call */
    uint32_t kernel;
    if (bsi_cuda_expand_check(expansion) != NULL) {
        return BSI_CUDA_DRIVER_BAD_VALUE;
    }
    kernel = bsi_cuda_expand_plan(expansion, &job);
    if (job.threads == 0 || device->module_error != 0) {
        return job.threads == 0 ? 0 : device->module_error;
    }
    return driver->calls.launch(device->kernels[kernel], bsi_cuda_kernels_blocks(job.threads), 1, 1,
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
 * Devices are opened and made current by the driver's calls, under the runtime, which takes the context that
 * is current. cudaSetDevice back to a device that the thread had never used would make a context there, some
 * hundred MiB of its memory. Memory, streams, events and copies are the runtime's.
 * ========================================================================== */

#if BSI_CUDA_HAS_RUNTIME
#include <cuda_runtime_api.h>

/* An error is reported here, once: cudaGetLastError of other code must not find it again. */
static int bsi_cuda_runtime_result(cudaError_t error) {
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
    }
    return (int)error;
}

/* For calls that free or close: when the runtime itself is being unloaded, everything is freed. */
static int bsi_cuda_runtime_freed(cudaError_t error) {
    return bsi_cuda_driver_freed(bsi_cuda_runtime_result(error));
}

/*
 * NULL is the legacy default stream, as everywhere in this header, even in a file compiled so that the
 * runtime would take the calling thread's.
 */
static cudaStream_t bsi_cuda_runtime_stream(biost_cuda_stream stream) {
    return stream == NULL ? cudaStreamLegacy : stream;
}

/* The runtime's state is the driver's: entering a device makes it current for the runtime, too. */
static int bsi_cuda_runtime_open(void *user_data, void **out_state) {
    int count = 0, error = bsi_cuda_driver_open(user_data, out_state);
    if (error != 0) {
        return error;
    }
    error = bsi_cuda_runtime_result(cudaGetDeviceCount(&count)); /* fails if the driver is too old */
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

/* cudaErrorNotReady is 600, BIOST_CUDA_NOT_READY; cudaGetLastError would find it, too. */
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

/* A .cu file uses nvcc's kernels, other files those of the PTX. Both are loaded with the device. */
#if BSI_CUDA_IS_CUDA_FILE
static int bsi_cuda_runtime_device_open(void *state, int device, int *out_device) {
    void *before = NULL;
    int error = bsi_cuda_driver_device_open(state, device, out_device);
    if (error == 0 && bsi_cuda_driver_enter(state, *out_device, &before) == 0) {
        bsi_cuda_kernels_load();
        bsi_cuda_driver_leave(state, before);
    }
    return error;
}

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
static int bsi_cuda_runtime_device_open(void *state, int device, int *out_device) {
    return bsi_cuda_driver_device_open(state, device, out_device);
}

static int bsi_cuda_runtime_expand(void *state, int number, const biost_cuda_expansion *expansion,
                                   biost_cuda_stream stream) {
    return bsi_cuda_driver_expand(state, number, expansion, stream);
}
#endif

/* Error numbers of the driver's calls, made here for devices, mean the same to the runtime. */
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
        bsi_cuda_runtime_device_open,
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
 *
 * A device gets a share of each batch's rows, in a slot. In which order batches use slots is the ring's
 * part; what crosses the bus is planned at open, and constant then. Functions want the device current, unless
 * they enter it. What is atomic any thread may touch, the rest is the owner's.
 * ========================================================================== */

#define BSI_CUDA_QUALITY_PAD 255u /* a code that is no Phred score */

/* bsi_cuda_device_slot.state */
enum {
    BSI_CUDA_FREE = 0,  /* the ring may fill it */
    BSI_CUDA_TAKEN = 1, /* a batch is on its way, ready or held */
    BSI_CUDA_LOST = 2   /* nobody knows when its users are done: not used again */
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

/* What all devices and slots have in common, made at open. Sizes are the most there can be. */
typedef struct bsi_cuda_device_plan {
    biost_loader_desc loader; /* what the loader is opened with */
    biost_tensor x, quality;  /* what the user asked for, of the loader's batch */
    uint32_t device_count, device_slots, copy_streams, flight_count, timeline_count;
    uint32_t expands_x, expands_quality;    /* 1: crosses the bus as codes */
    uint32_t x_channels, x_element_bytes;   /* of x expanded */
    uint32_t pad_left;                      /* 1: padding comes before the bases */
    uint32_t pads_quality;                  /* 1: Q 0 and padding are one code, but two numbers */
    uint32_t rows;                          /* of a device's batch; the most there can be */
    uint64_t batch_tokens;                  /* of buckets, whose batches differ in rows; else 0 */
    uint32_t rows_multiple;                 /* of a global batch of these */
    uint32_t ranks;                         /* devices of all processes */
    uint32_t name_bytes;                    /* of a name and its NUL; 0: no names */
    uint64_t state_bytes;                   /* of a resume state; 0: none are made */
    uint64_t host_bytes;                    /* of a host slot */
    uint64_t x_at, quality_at;              /* expansions in a device slot, from its first byte on */
    uint64_t slot_bytes;                    /* of a device slot */
    uint64_t table_bytes, quality_table_at; /* of a device's tables: x, then qualities */
    biost_cuda_memory memory; /* the user's calls for device memory; alloc NULL: the provider's */
} bsi_cuda_device_plan;

/* bsi_cuda_device_times.events */
enum { BSI_CUDA_COPY_START, BSI_CUDA_COPY_END, BSI_CUDA_EXPAND_END, BSI_CUDA_USE_START, BSI_CUDA_USE_END };

/* The times of one batch: events with times, and which of them were recorded for it. */
typedef struct bsi_cuda_device_times {
    void *events[5];
    uint64_t number; /* of the batch: the number of those sent before it */
    uint64_t epoch, index;
    uint32_t slot, stream;
    uint32_t busy; /* atomic; 1: its batch was not released yet */
    uint32_t has_copy, has_use_start;
    uint32_t has_use_end; /* atomic; all its users are done */
} bsi_cuda_device_times;

struct bsi_cuda_device;
struct bsi_cuda_device_slot;

/* What an export holds. */
typedef struct bsi_cuda_device_lease {
    struct bsi_cuda_device_lease *next; /* the slot's next lease that waits for the end of a capture */
    biost_cuda *cuda;
    struct bsi_cuda_device *device;
    struct bsi_cuda_device_slot *slot;
    biost_cuda_stream consumer;
} bsi_cuda_device_lease;

/* A device slot: memory for one batch, and what is known of it in host memory. */
typedef struct bsi_cuda_device_slot {
    uint8_t *memory;                /* device, [plan.slot_bytes] */
    void *expanded;                 /* event: copied and expanded; NULL if nothing is expanded */
    void *used;                     /* event: all releases and deleted exports of its last batch */
    uint64_t number;                /* of its batch: the number of those sent before it */
    uint64_t dropped;               /* number + 1 of a batch that begin took back, so nobody waited for it; 0:
                                       none */
    uint32_t state;                 /* atomic; BSI_CUDA_FREE and so on */
    uint32_t loan;                  /* atomic; generation of the batch while the caller holds it, else 0 */
    uint32_t holders;               /* atomic; the caller and exports */
    uint32_t latch;                 /* atomic; 1 while a thread records `used`, or has the leases */
    uint32_t is_used;               /* `used` was recorded in this loan; under latch */
    bsi_cuda_device_lease *waiting; /* of exports deleted while their consumers captured; under latch */
    uint32_t is_closed;             /* nobody comes for waiting leases any more; under latch */
    uint32_t is_unsure;             /* atomic; 1: its memory may be in use for ever, and is not freed */
    uint32_t lost_error;            /* atomic; the provider's error if a deleter could not record, else 0 */
    uint32_t generation;            /* counts loans, never 0 */
    bsi_cuda_device_times *times;   /* of its batch, or NULL */
    biost_cuda_batch batch;         /* as handed out */
    biost_tensor tensors[BIOST_SHAPE_TENSORS];
    int32_t *lengths;       /* host, [plan.rows] */
    biost_row *origins;     /* host, [plan.rows] */
    char *names;            /* host, [plan.rows][plan.name_bytes] */
    uint32_t *name_offsets; /* host, [plan.rows] */
    uint8_t *resume_state;  /* host, [plan.state_bytes] */
} bsi_cuda_device_slot;

typedef struct bsi_cuda_device {
    const bsi_cuda_device_plan *plan;
    biost_cuda_counters *counters; /* of all devices */
    uint32_t index;                /* its place among them */
    const biost_cuda_provider *provider;
    void *state; /* the provider's */
    int number;  /* CUDA's */
    int is_open;
    int own_streams;
    biost_cuda_stream streams[8];
    bsi_cuda_device_slot *slots;  /* [plan.device_slots] */
    uint32_t next_slot;           /* where the search for a free slot begins, so that slots take turns */
    uint32_t next_stream;         /* the same for streams */
    void **copied;                /* events, [plan.flight_count]; that of batch n is n % flight_count */
    uint64_t passed;              /* the number of batches that the host knows to be copied */
    bsi_cuda_device_times *times; /* [plan.timeline_count] */
    uint64_t times_taken;         /* where the search for times that no batch uses begins */
    uint8_t *memory;              /* device, of all slots */
    uint64_t memory_bytes;
    uint8_t *tables; /* device, [plan.table_bytes] */
} bsi_cuda_device;

/* Event number i of a device, in the order of opening, and its flags; NULL after the last. */
static void **bsi_cuda_device_event(const bsi_cuda_device *device, uint32_t i, unsigned *out_flags) {
    const bsi_cuda_device_plan *plan = device->plan;
    uint32_t of_slot = plan->expands_x || plan->expands_quality ? 2 : 1;
    *out_flags = 0;
    if (i < plan->flight_count) {
        return &device->copied[i];
    }
    i -= plan->flight_count;
    if (i < plan->device_slots * of_slot) {
        bsi_cuda_device_slot *slot = &device->slots[i / of_slot];
        return i % of_slot == 0 ? &slot->used : &slot->expanded;
    }
    i -= plan->device_slots * of_slot;
    *out_flags = BIOST_CUDA_TIMING;
    return i < 5 * plan->timeline_count ? &device->times[i / 5].events[i % 5] : NULL;
}

/* Open the events of a device. Returns the provider's error. */
static int bsi_cuda_device_open_events(const bsi_cuda_device *device) {
    unsigned flags;
    void **event;
    int error = 0;
    uint32_t i;
    for (i = 0; error == 0 && (event = bsi_cuda_device_event(device, i, &flags)) != NULL; ++i) {
        error = device->provider->event_open(device->state, flags, event);
    }
    return error;
}

/* Open streams, or take the user's. */
static int bsi_cuda_device_open_streams(bsi_cuda_device *device, const biost_cuda_stream *streams) {
    int error = 0;
    uint32_t i;
    device->own_streams = streams == NULL;
    for (i = 0; error == 0 && i < device->plan->copy_streams; ++i) {
        if (streams != NULL) {
            device->streams[i] = streams[i];
        } else {
            error = device->provider->stream_open(device->state, BIOST_CUDA_FIRST, &device->streams[i]);
        }
    }
    return error;
}

/*
 * Wait for all work of a stream. CUDA may report in another call what failed before, so after an error the
 * stream is asked again: if the device is lost, the answer comes at once. Returns the provider's error.
 */
static int bsi_cuda_device_finish(const bsi_cuda_device *device, biost_cuda_stream stream) {
    int error = device->provider->stream_finish(device->state, stream);
    return error == 0 ? 0 : device->provider->stream_finish(device->state, stream);
}

/* Close events and own streams; those that were not opened are NULL. */
static void bsi_cuda_device_close_handles(const bsi_cuda_device *device) {
    unsigned flags;
    void **event;
    uint32_t i;
    for (i = 0; (event = bsi_cuda_device_event(device, i, &flags)) != NULL; ++i) {
        if (*event != NULL) {
            (void)device->provider->event_close(device->state, *event);
        }
    }
    for (i = 0; i < device->plan->copy_streams && device->own_streams; ++i) {
        if (device->streams[i] != NULL) {
            (void)device->provider->stream_close(device->state, device->streams[i]);
        }
    }
}

/* Device memory, from the user's functions or the provider. NULL with *out_error the provider's, or 0. */
static uint8_t *bsi_cuda_device_alloc(const bsi_cuda_device *device, uint64_t bytes, int *out_error) {
    const biost_cuda_memory *memory = &device->plan->memory;
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

static void bsi_cuda_device_free(const bsi_cuda_device *device, uint8_t *from, uint64_t bytes) {
    const biost_cuda_memory *memory = &device->plan->memory;
    if (from == NULL) {
        return;
    }
    if (memory->free != NULL) {
        memory->free(from, (size_t)bytes, device->number, memory->user_data);
    } else {
        (void)device->provider->device_free(device->state, from);
    }
}

/* Check that a stream may be recorded on. Returns BIOST_CUDA_CAPTURES if it captures, or another error. */
static int bsi_cuda_device_check_stream(const bsi_cuda_device *device, biost_cuda_stream stream) {
    int captures = 0;
    int error = device->provider->stream_captures(device->state, stream, &captures);
    return error == 0 && captures ? (int)BIOST_CUDA_CAPTURES : error;
}

/* The same of all copy streams. Own streams do not capture: nobody else has them. */
static int bsi_cuda_device_check_streams(const bsi_cuda_device *device) {
    int error = 0;
    uint32_t i;
    for (i = 0; error == 0 && !device->own_streams && i < device->plan->copy_streams; ++i) {
        error = bsi_cuda_device_check_stream(device, device->streams[i]);
    }
    return error;
}

/* The event that a batch was copied. */
static void *bsi_cuda_device_copied(const bsi_cuda_device *device, uint64_t number) {
    return device->copied[number % device->plan->flight_count];
}

/*
 * Make a stream, which does not capture, wait for the batch with this number in a slot. If nothing is
 * expanded, the event is that of the batch's copy, which is another batch's as soon as the host knows that
 * the copy has passed: then there is nothing to wait for. Owner only. Returns the provider's error.
 */
static int bsi_cuda_device_await(const bsi_cuda_device *device, const bsi_cuda_device_slot *slot,
                                 uint64_t number, biost_cuda_stream stream) {
    void *copied = bsi_cuda_device_copied(device, number);
    if (slot->expanded == NULL && number < device->passed) {
        return 0;
    }
    return device->provider->stream_wait(device->state, stream,
                                         slot->expanded != NULL ? slot->expanded : copied);
}

/* Keep other threads off a slot's record and leases, for a few calls. */
static void bsi_cuda_device_latch(bsi_cuda_device_slot *slot) {
    while (!bsi_cuda_exchange(&slot->latch, 0, 1)) {
        bsi_cuda_driver_yield();
    }
}

/* Record an event of a batch's times, if they are kept. Returns the provider's error. */
static int bsi_cuda_device_mark(const bsi_cuda_device *device, const bsi_cuda_device_slot *slot,
                                uint32_t event, biost_cuda_stream stream) {
    return slot->times == NULL
               ? 0
               : device->provider->event_record(device->state, slot->times->events[event], stream);
}

/*
 * Record that a user of the slot's batch is done once `stream` gets here, after all users who were done
 * before. Any thread; the device is current. Returns the provider's error, or BIOST_CUDA_CAPTURES if the
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
    error = error == 0 ? bsi_cuda_device_mark(device, slot, BSI_CUDA_USE_END, stream) : error;
    error = error == 0 ? provider->event_record(device->state, slot->used, stream) : error;
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
 * Let the lease of a deleted export whose consumer captures, and with it the slot, wait for somebody to come
 * for it. Returns 0 if nobody will.
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

/* Take the waiting leases; with `closes` no lease will wait again. */
static bsi_cuda_device_lease *bsi_cuda_device_slot_collect(bsi_cuda_device_slot *slot, int closes) {
    bsi_cuda_device_lease *waiting;
    bsi_cuda_device_latch(slot);
    waiting = slot->waiting;
    slot->waiting = NULL;
    slot->is_closed |= closes != 0;
    bsi_cuda_store(&slot->latch, 0);
    return waiting;
}

/* Remove a holder of the slot's batch; the last one gives the slot to the ring. Any thread. */
static void bsi_cuda_device_slot_drop(bsi_cuda_device_slot *slot) {
    if (bsi_cuda_add(&slot->holders, UINT32_MAX) == 0) {
        bsi_cuda_device_times *times = slot->times;
        uint32_t state = bsi_cuda_load(&slot->lost_error) != 0 ? BSI_CUDA_LOST : BSI_CUDA_FREE;
        slot->times = NULL;
        if (times != NULL) {
            bsi_cuda_store(&times->has_use_end, slot->is_used);
            bsi_cuda_store(&times->busy, 0);
        }
        bsi_cuda_store(&slot->state, state);
    }
}

/* The next free slot, or NULL; with `takes` it is not free any more. Slots take turns, so that streams do. */
static bsi_cuda_device_slot *bsi_cuda_device_free_slot(bsi_cuda_device *device, int takes) {
    uint32_t i, count = device->plan->device_slots;
    for (i = 0; i < count; ++i) {
        uint32_t at = (device->next_slot + i) % count;
        if (bsi_cuda_load(&device->slots[at].state) == BSI_CUDA_FREE) {
            if (takes) {
                device->next_slot = (at + 1) % count;
                bsi_cuda_store(&device->slots[at].state, BSI_CUDA_TAKEN);
            }
            return &device->slots[at];
        }
    }
    return NULL;
}

/* Times for a batch that is on its way: the next ones that no batch uses, or NULL. */
static bsi_cuda_device_times *bsi_cuda_device_take_times(bsi_cuda_device *device) {
    const uint32_t count = device->plan->timeline_count;
    uint32_t i;
    for (i = 0; i < count; ++i) {
        bsi_cuda_device_times *times = &device->times[device->times_taken % count];
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

/* End a lease: its user is done as `used` says or, with an error, nobody knows when. */
static void bsi_cuda_device_end_lease(bsi_cuda_device_lease *lease, const biost_allocator *allocator,
                                      int error) {
    bsi_cuda_device_slot *slot = lease->slot;
    if (error == BIOST_CUDA_CAPTURES) {
        bsi_cuda_store(&slot->is_unsure, 1);
    } else if (error != 0) {
        bsi_cuda_store(&slot->lost_error, (uint32_t)error);
    }
    bsi_cuda_device_host_free(allocator, lease, sizeof *lease);
    bsi_cuda_device_slot_drop(slot);
}

/* The caller holds a slot's batch from now on. */
static void bsi_cuda_device_slot_hand_out(bsi_cuda_device_slot *slot, biost_cuda_batch *out_batch) {
    slot->generation = slot->generation == UINT32_MAX ? 1 : slot->generation + 1;
    slot->batch.generation = slot->generation;
    slot->is_used = 0;
    bsi_cuda_store(&slot->holders, 1);
    bsi_cuda_store(&slot->loan, slot->generation);
    *out_batch = slot->batch;
}

/* The slot that a batch of this device names, if it can be one that was handed out; else NULL. */
static bsi_cuda_device_slot *bsi_cuda_device_slot_of(const bsi_cuda_device *device,
                                                     const biost_cuda_batch *batch) {
    return batch->slot < device->plan->device_slots && batch->generation != 0 ? &device->slots[batch->slot]
                                                                              : NULL;
}

/* The caller gives a batch back, see biost_cuda_release. */
static biost_result bsi_cuda_device_release(const bsi_cuda_device *device, const biost_cuda_batch *batch,
                                            biost_cuda_stream consumer) {
    bsi_cuda_device_slot *slot = bsi_cuda_device_slot_of(device, batch);
    int error;
    if (slot == NULL || !bsi_cuda_exchange(&slot->loan, batch->generation, 0)) {
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

/* Add a holder to a batch that the caller holds. Returns 0 if the caller does not hold it. */
static int bsi_cuda_device_slot_hold(bsi_cuda_device_slot *slot, const biost_cuda_batch *batch) {
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
static int bsi_cuda_device_slot_await(const bsi_cuda_device *device, const bsi_cuda_device_slot *slot,
                                      biost_cuda_stream stream) {
    void *before = NULL;
    int error = device->provider->enter(device->state, device->number, &before);
    if (error == 0) {
        error = bsi_cuda_device_check_stream(device, stream);
        error = error == 0 ? bsi_cuda_device_await(device, slot, slot->number, stream) : error;
        device->provider->leave(device->state, before);
    }
    return error;
}

/* ---- from a host batch to a device's -------------------------------------- */

/* How rows are shared. Returns NULL, or a sentence if the devices cannot have as many rows each. */
BSI_CUDA_RARE static const char *bsi_cuda_device_plan_rows(bsi_cuda_device_plan *plan, uint32_t rows) {
    const biost_shape *shape = &plan->loader.shape;
    const uint32_t world = plan->loader.world > 0 ? plan->loader.world : 1;
    plan->ranks = world * plan->device_count;
    plan->rows = rows / plan->device_count;
    plan->rows_multiple = shape->rows_multiple > 0 ? shape->rows_multiple : 1;
    plan->batch_tokens = shape->kind == BIOST_SHAPE_BUCKETS ? shape->batch_tokens : 0;
    if (plan->batch_tokens > 0 && plan->rows_multiple % plan->ranks != 0) {
        return "desc.device_count must divide desc.loader->shape.rows_multiple / world";
    }
    return rows % plan->device_count == 0 ? NULL
                                          : "desc.device_count must divide the rows of a batch of this rank, "
                                            "desc.loader->batch_rows / world";
}

/* The rows of a batch that a device gets, as a rank would: `valid` from row `from` on, then `padding`. */
typedef struct bsi_cuda_device_share {
    uint32_t from, valid, padding_from, padding;
    uint32_t most; /* that a batch of such columns has */
} bsi_cuda_device_share;

/* The rows that a device gets of a whole batch; of buckets those that the batch's columns leave room for. */
static uint32_t bsi_cuda_device_most_rows(const bsi_cuda_device_plan *plan, const biost_batch *batch) {
    uint64_t rows;
    if (plan->batch_tokens == 0) {
        return plan->rows;
    }
    rows = plan->batch_tokens / (uint64_t)batch->x.shape[batch->x.layout[1] == 'L' ? 1 : 2];
    rows = rows / plan->rows_multiple * plan->rows_multiple / plan->ranks;
    return rows < plan->rows ? (uint32_t)rows : plan->rows;
}

static bsi_cuda_device_share bsi_cuda_device_share_of(const bsi_cuda_device *device,
                                                      const biost_batch *batch) {
    const uint32_t devices = device->plan->device_count;
    uint64_t valid = batch->valid_rows, before = valid * device->index / devices;
    uint64_t places = (uint64_t)batch->rows / devices;
    int is_short = (batch->flags & BIOST_BATCH_SHORT) != 0;
    bsi_cuda_device_share share;
    share.most = bsi_cuda_device_most_rows(device->plan, batch);
    share.from = (uint32_t)before;
    share.valid = (uint32_t)(valid * (device->index + 1) / devices - before);
    share.padding = is_short ? 0 : (uint32_t)(places - share.valid);
    share.padding_from = is_short ? 0 : (uint32_t)(valid + places * device->index - before);
    return share;
}

/* Queue a copy, nothing for 0 bytes, and count it. */
static int bsi_cuda_device_copy_bytes(const bsi_cuda_device *device, uint8_t *to, const uint8_t *from,
                                      uint64_t bytes, biost_cuda_stream stream) {
    if (bytes == 0) {
        return 0;
    }
    ++device->counters->copy_count;
    device->counters->copied_bytes += bytes;
    return device->provider->copy_in(device->state, to, from, (size_t)bytes, stream);
}

/* Copy a device's share of an array of rows, and move *at to where the next array goes. */
static int bsi_cuda_device_copy_share(const bsi_cuda_device *device, uint8_t **at, const void *array,
                                      uint64_t row_bytes, const bsi_cuda_device_share *share,
                                      biost_cuda_stream stream) {
    const uint8_t *rows = (const uint8_t *)array;
    uint64_t bytes = row_bytes * share->valid;
    uint8_t *to = *at;
    int error = bsi_cuda_device_copy_bytes(device, to, rows + row_bytes * share->from, bytes, stream);
    if (error == 0) {
        error = bsi_cuda_device_copy_bytes(device, to + bytes, rows + row_bytes * share->padding_from,
                                           row_bytes * share->padding, stream);
    }
    *at = to + bsi_cuda_round_up(row_bytes * share->most); /* a slot keeps its addresses for fewer rows */
    return error;
}

/* Bytes of a tensor's row; 0 for a tensor without rows. */
static uint64_t bsi_cuda_device_row_bytes(const biost_tensor *tensor) {
    return tensor->shape[0] > 0 ? tensor->bytes / (uint64_t)tensor->shape[0] : 0;
}

/*
 * Queue the copies of a batch's share into a slot, and note where its arrays are there. With one device the
 * whole slab is one copy, otherwise each array is.
 */
static int bsi_cuda_device_copy(const bsi_cuda_device *device, bsi_cuda_device_slot *slot,
                                const biost_batch *batch, const bsi_cuda_device_share *share,
                                biost_cuda_stream stream) {
    uint8_t *at = slot->memory;
    uint32_t i;
    int error;
    if (device->plan->device_count == 1) {
        const uint8_t *slab = (const uint8_t *)batch->slab;
        slot->batch.lengths = (const int32_t *)(const void *)(at + ((const uint8_t *)batch->lengths - slab));
        for (i = 0; i < batch->tensor_count; ++i) {
            slot->tensors[i].data = at + ((const uint8_t *)batch->tensors[i].data - slab);
        }
        return bsi_cuda_device_copy_bytes(device, at, slab, batch->slab_bytes, stream);
    }
    slot->batch.lengths = (const int32_t *)(const void *)at;
    error = bsi_cuda_device_copy_share(device, &at, batch->lengths, sizeof(int32_t), share, stream);
    for (i = 0; error == 0 && i < batch->tensor_count; ++i) {
        slot->tensors[i].data = at;
        error = bsi_cuda_device_copy_share(device, &at, batch->tensors[i].data,
                                           bsi_cuda_device_row_bytes(&batch->tensors[i]), share, stream);
    }
    return error;
}

/* Turn a tensor of codes into that of their elements at `out`, which is like `wish`, but for its size. */
static void bsi_cuda_device_reshape(biost_tensor *tensor, const biost_tensor *wish, void *out,
                                    const biost_cuda_expansion *expansion) {
    int64_t stride = 1;
    uint32_t i;
    for (i = wish->ndim; i-- > 0; stride *= tensor->shape[i]) {
        tensor->shape[i] = wish->layout[i] == 'N'   ? (int64_t)expansion->rows
                           : wish->layout[i] == 'L' ? (int64_t)expansion->columns
                                                    : wish->shape[i];
        tensor->strides[i] = stride;
    }
    tensor->data = out;
    tensor->dtype = wish->dtype;
    tensor->ndim = wish->ndim;
    memcpy(tensor->layout, wish->layout, sizeof tensor->layout);
    tensor->bytes = (uint64_t)stride * expansion->element_bytes;
}

/* Expand one tensor of a slot's codes; its shape is still that of the codes. */
static int bsi_cuda_device_expand_tensor(const bsi_cuda_device *device, bsi_cuda_device_slot *slot,
                                         biost_tensor *tensor, biost_cuda_stream stream) {
    const bsi_cuda_device_plan *plan = device->plan;
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
    expansion.is_ncl = is_x && plan->x.layout[1] == 'C';
    if (!is_x && plan->pads_quality) {
        expansion.lengths = slot->batch.lengths;
        expansion.pad_code = BSI_CUDA_QUALITY_PAD;
        expansion.pad_left = plan->pad_left;
    }
    bsi_cuda_device_reshape(tensor, is_x ? &plan->x : &plan->quality, expansion.out, &expansion);
    if (expansion.rows == 0 || expansion.columns == 0) {
        return 0;
    }
    ++device->counters->expand_count;
    return device->provider->expand(device->state, device->number, &expansion, stream);
}

/* Describe a device's share of a batch as the codes that crossed the bus. */
static void bsi_cuda_device_describe(const bsi_cuda_device *device, bsi_cuda_device_slot *slot,
                                     const biost_batch *batch, const bsi_cuda_device_share *share) {
    biost_cuda_batch *out = &slot->batch;
    uint32_t i;
    memset(out, 0, sizeof *out);
    out->epoch = batch->epoch;
    out->index = batch->index;
    out->rows = share->valid + share->padding;
    out->valid_rows = share->valid;
    out->flags = out->rows < share->most ? batch->flags : batch->flags & ~(uint32_t)BIOST_BATCH_SHORT;
    out->tensor_count = batch->tensor_count;
    out->tensors = slot->tensors;
    out->samples = out->rows;
    out->mates = batch->mates;
    out->row_samples = NULL;
    out->host_lengths = slot->lengths;
    out->origins = slot->origins;
    out->names = device->plan->name_bytes > 0 ? slot->names : NULL;
    out->name_offsets = device->plan->name_bytes > 0 ? slot->name_offsets : NULL;
    out->digest = device->index == 0 ? batch->digest : 0;
    out->device = device->number;
    out->device_index = device->index;
    out->slot = (uint32_t)(slot - device->slots);
    for (i = 0; i < batch->tensor_count; ++i) {
        slot->tensors[i] = batch->tensors[i];
        slot->tensors[i].bytes = bsi_cuda_device_row_bytes(&batch->tensors[i]) * out->rows;
        slot->tensors[i].shape[0] = (int64_t)out->rows;
        slot->tensors[i].device = device->provider->is_host ? -1 : device->number;
    }
}

/* Keep in host memory what is read there: the host slot goes back before the batch is used. */
static void bsi_cuda_device_keep_rows(const bsi_cuda_device *device, bsi_cuda_device_slot *slot,
                                      const biost_batch *batch, uint32_t to, uint32_t from, uint32_t count) {
    uint32_t i, name_bytes = device->plan->name_bytes;
    memcpy(slot->lengths + to, batch->lengths + from, count * sizeof slot->lengths[0]);
    memcpy(slot->origins + to, batch->origins + from, count * sizeof slot->origins[0]);
    for (i = 0; i < count && name_bytes > 0; ++i) {
        char *name = slot->names + (size_t)(to + i) * name_bytes;
        memcpy(name, batch->names + batch->name_offsets[from + i], name_bytes);
    }
}

/* Queue one device's share of a batch: wait for the slot, copy, expand, record. The device is current. */
static int bsi_cuda_device_send(bsi_cuda_device *device, bsi_cuda_device_slot *slot,
                                const biost_batch *batch) {
    const biost_cuda_provider *provider = device->provider;
    uint32_t i, turn = device->next_stream++ % device->plan->copy_streams;
    biost_cuda_stream stream = device->streams[turn];
    bsi_cuda_device_share share = bsi_cuda_device_share_of(device, batch);
    void *copied = bsi_cuda_device_copied(device, slot->number);
    int error = provider->stream_wait(device->state, stream, slot->used);
    if (error == 0 && slot->dropped > 0) {
        error = bsi_cuda_device_await(device, slot, slot->dropped - 1, stream);
        slot->dropped = 0;
    }
    error = error == 0 ? bsi_cuda_device_mark(device, slot, BSI_CUDA_COPY_START, stream) : error;
    error = error == 0 ? bsi_cuda_device_copy(device, slot, batch, &share, stream) : error;
    error = error == 0 ? bsi_cuda_device_mark(device, slot, BSI_CUDA_COPY_END, stream) : error;
    if (error == 0 && slot->expanded != NULL) {
        error = provider->event_record(device->state, copied, stream);
    }
    for (i = 0; error == 0 && i < slot->batch.tensor_count; ++i) {
        biost_role role = slot->tensors[i].role;
        if ((role == BIOST_ROLE_INPUT && device->plan->expands_x) ||
            (role == BIOST_ROLE_QUALITY && device->plan->expands_quality)) {
            error = bsi_cuda_device_expand_tensor(device, slot, &slot->tensors[i], stream);
        }
    }
    error = error == 0 ? bsi_cuda_device_mark(device, slot, BSI_CUDA_EXPAND_END, stream) : error;
    if (slot->times != NULL) {
        slot->times->stream = turn;
        slot->times->has_copy = error == 0;
    }
    if (error == 0) { /* what the consumer waits for, after all times */
        error = provider->event_record(device->state, slot->expanded != NULL ? slot->expanded : copied,
                                       stream);
    }
    slot->batch.x = slot->tensors[0];
    return error;
}

/*
 * Take a free slot, which there is, for a batch with this number, to be sent. What stays in host memory is
 * kept there.
 */
static bsi_cuda_device_slot *bsi_cuda_device_enqueue(bsi_cuda_device *device, const biost_batch *batch,
                                                     uint64_t number) {
    bsi_cuda_device_slot *slot = bsi_cuda_device_free_slot(device, 1);
    bsi_cuda_device_share share = bsi_cuda_device_share_of(device, batch);
    slot->number = number;
    bsi_cuda_device_describe(device, slot, batch, &share);
    bsi_cuda_device_keep_rows(device, slot, batch, 0, share.from, share.valid);
    bsi_cuda_device_keep_rows(device, slot, batch, share.valid, share.padding_from, share.padding);
    slot->times = bsi_cuda_device_take_times(device);
    if (slot->times != NULL) {
        slot->times->number = number;
        slot->times->epoch = batch->epoch;
        slot->times->index = batch->index;
        slot->times->slot = slot->batch.slot;
    }
    return slot;
}

/* Put the resume state after a batch, if there are any, into the slots [plan.device_count] that show it. */
static void bsi_cuda_device_make_state(const bsi_cuda_device_plan *plan, biost_loader *loader,
                                       const biost_batch *batch, bsi_cuda_device_slot **slots) {
    size_t bytes = 0;
    uint32_t i;
    if (plan->state_bytes == 0 || biost_loader_state(loader, batch, slots[0]->resume_state,
                                                     (size_t)plan->state_bytes, &bytes) != BIOST_OK) {
        return;
    }
    for (i = 0; i < plan->device_count; ++i) {
        if (i > 0) {
            memcpy(slots[i]->resume_state, slots[0]->resume_state, bytes);
        }
        slots[i]->batch.state = slots[i]->resume_state;
        slots[i]->batch.state_bytes = bytes;
    }
}

/*
 * Find out which copies have passed on a device that is current. They are asked for in order, up to the first
 * that has not: later copies on other streams are seldom done before it. Returns the provider's error.
 *   sent  in  the number of batches whose copies were asked for
 */
static int bsi_cuda_device_look(bsi_cuda_device *device, uint64_t sent) {
    int error = 0;
    while (error == 0 && device->passed < sent) {
        error = device->provider->event_query(device->state, bsi_cuda_device_copied(device, device->passed));
        device->passed += error == 0;
    }
    return error == BIOST_CUDA_NOT_READY || error == BIOST_CUDA_CAPTURES ? 0 : error;
}

/*
 * Make a consumer wait for the first queued batch's share on a device that is current. Returns the provider's
 * error, or BIOST_CUDA_CAPTURES.
 */
static int bsi_cuda_device_lend(const bsi_cuda_device *device, bsi_cuda_device_slot *slot,
                                biost_cuda_stream consumer) {
    int error = bsi_cuda_device_check_stream(device, consumer);
    error = error == 0 ? bsi_cuda_device_await(device, slot, slot->number, consumer) : error;
    error = error == 0 ? bsi_cuda_device_mark(device, slot, BSI_CUDA_USE_START, consumer) : error;
    if (slot->times != NULL) {
        slot->times->has_use_start = error == 0;
    }
    return error;
}

/* ---- opening -------------------------------------------------------------- */

/* Reserve an array of a block; with base NULL only count. */
static void *bsi_cuda_device_reserve(uint8_t *base, uint64_t *at, uint64_t count, uint64_t element_bytes) {
    uint64_t start = *at;
    *at = (start + count * element_bytes + 63) / 64 * 64;
    return base == NULL ? NULL : base + start;
}

/* Lay out a device's arrays; with base NULL only count. The names of rows are side by side in a slot. */
static void bsi_cuda_device_place(bsi_cuda_device *device, const bsi_cuda_device_plan *plan, uint8_t *base,
                                  uint64_t *at) {
    uint32_t i, row;
    device->plan = plan;
    device->slots = (bsi_cuda_device_slot *)bsi_cuda_device_reserve(base, at, plan->device_slots,
                                                                    sizeof(bsi_cuda_device_slot));
    device->copied = (void **)bsi_cuda_device_reserve(base, at, plan->flight_count, sizeof(void *));
    device->times = (bsi_cuda_device_times *)bsi_cuda_device_reserve(base, at, plan->timeline_count,
                                                                     sizeof(bsi_cuda_device_times));
    for (i = 0; i < plan->device_slots; ++i) {
        bsi_cuda_device_slot none, *slot = base != NULL ? &device->slots[i] : &none;
        slot->lengths = (int32_t *)bsi_cuda_device_reserve(base, at, plan->rows, sizeof(int32_t));
        slot->origins = (biost_row *)bsi_cuda_device_reserve(base, at, plan->rows, sizeof(biost_row));
        slot->names = (char *)bsi_cuda_device_reserve(base, at, plan->rows, plan->name_bytes);
        slot->name_offsets = (uint32_t *)bsi_cuda_device_reserve(
            base, at, plan->name_bytes > 0 ? plan->rows : 0, sizeof(uint32_t));
        slot->resume_state = (uint8_t *)bsi_cuda_device_reserve(base, at, plan->state_bytes, 1);
        for (row = 0; base != NULL && plan->name_bytes > 0 && row < plan->rows; ++row) {
            slot->name_offsets[row] = row * plan->name_bytes;
        }
    }
}

/* Bring the tables to a device, through memory that is page-locked for a moment. */
static int bsi_cuda_device_send_tables(bsi_cuda_device *device, const biost_cuda_table *table,
                                       const float *quality_table) {
    const bsi_cuda_device_plan *plan = device->plan;
    const biost_cuda_provider *provider = device->provider;
    void *staged = NULL;
    int error;
    if (plan->table_bytes == 0) {
        return 0;
    }
    error = provider->host_alloc(device->state, (size_t)plan->table_bytes, 0, &staged);
    if (error != 0) {
        return error;
    }
    memset(staged, 0, (size_t)plan->table_bytes);
    memcpy(staged, table->elements, (size_t)plan->quality_table_at); /* nothing, if x is not expanded */
    if (plan->expands_quality) {
        memcpy((uint8_t *)staged + plan->quality_table_at, quality_table,
               BSI_CUDA_TABLE_CODES * sizeof(float));
    }
    error = provider->copy_in(device->state, device->tables, staged, (size_t)plan->table_bytes,
                              device->streams[0]);
    if (error == 0) {
        error = bsi_cuda_device_finish(device, device->streams[0]);
    }
    (void)provider->host_free(device->state, staged);
    return error;
}

/*
 * Expand something once, tables into a slot: open must report a device for which there are no kernels, and
 * the time to make them ready is spent here. Returns the provider's error.
 */
static int bsi_cuda_device_try_kernels(const bsi_cuda_device *device) {
    const bsi_cuda_device_plan *plan = device->plan;
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
    error = device->provider->expand(device->state, device->number, &expansion, device->streams[0]);
    return error == 0 ? bsi_cuda_device_finish(device, device->streams[0]) : error;
}

/* Make memory, streams and events for a device that is current. Returns as bsi_cuda_device_open does. */
static int bsi_cuda_device_fit(bsi_cuda_device *device, const biost_cuda_stream *streams,
                               const char **out_what) {
    const bsi_cuda_device_plan *plan = device->plan;
    int error = bsi_cuda_device_open_streams(device, streams);
    uint32_t i;
    *out_what = "making streams and events";
    error = error == 0 ? bsi_cuda_device_open_events(device) : error;
    if (error != 0) {
        return error;
    }
    error = bsi_cuda_device_check_streams(device);
    if (error != 0) {
        *out_what = error == BIOST_CUDA_CAPTURES ? NULL : "asking a stream of yours";
        return error;
    }
    *out_what = "allocating device memory";
    device->memory_bytes = plan->slot_bytes * plan->device_slots;
    device->memory = bsi_cuda_device_alloc(device, device->memory_bytes, &error);
    if (device->memory != NULL && plan->table_bytes > 0) {
        device->tables = bsi_cuda_device_alloc(device, plan->table_bytes, &error);
    }
    if (error == 0 && (device->memory == NULL || (device->tables == NULL && plan->table_bytes > 0))) {
        *out_what = NULL;
        return BIOST_CUDA_NO_MEMORY;
    }
    for (i = 0; error == 0 && i < plan->device_slots; ++i) {
        device->slots[i].memory = device->memory + plan->slot_bytes * i;
    }
    return error;
}

/* What open was doing on a device when expanding failed, and what helps. */
static const char *bsi_cuda_device_expand_words(int error) {
    enum { NO_COMPILER = 221, COMPILER_IS_OFF = 223 }; /* CUDA_ERROR_JIT_COMPILER_NOT_FOUND, ..._DISABLED */
    return error == NO_COMPILER || error == COMPILER_IS_OFF
               ? "expanding codes there, for which the driver's PTX compiler is needed, in a container its "
                 "capability `compute` (desc.no_expand does without)"
               : "expanding codes there (desc.no_expand does without)";
}

/*
 * Open a device with all it needs: by its number `wish`, -1 for the current one, and [plan.copy_streams]
 * streams, or NULL. Its provider is open. Returns the provider's error, and what failed; that is NULL where a
 * stream captures, or the user's functions have no memory, by the error.
 */
static int bsi_cuda_device_open(bsi_cuda_device *device, int wish, const biost_cuda_stream *streams,
                                const biost_cuda_table *table, const float *quality_table,
                                const char **out_what) {
    void *before = NULL;
    int error = device->provider->device_open(device->state, wish, &device->number);
    device->is_open = error == 0;
    *out_what = "opening a device";
    error = error == 0 ? device->provider->enter(device->state, device->number, &before) : error;
    if (error != 0) {
        return error;
    }
    error = bsi_cuda_device_fit(device, streams, out_what);
    if (error == 0) {
        error = bsi_cuda_device_send_tables(device, table, quality_table);
        error = error == 0 ? bsi_cuda_device_try_kernels(device) : error;
        *out_what = bsi_cuda_device_expand_words(error);
    }
    device->provider->leave(device->state, before);
    return error;
}

/* ---- closing -------------------------------------------------------------- */

/*
 * Wait for all work of a copy stream. If it is the caller's and captures, it cannot be waited for by itself:
 * the events of the copies and expansions can, since they are in no graph. For a device that failed this
 * returns at once. Returns the provider's error.
 *   sent  in  the number of batches whose copies were asked for
 */
static int bsi_cuda_device_finish_stream(const bsi_cuda_device *device, uint64_t sent,
                                         biost_cuda_stream stream) {
    int error = device->own_streams ? 0 : bsi_cuda_device_check_stream(device, stream);
    uint64_t number;
    uint32_t i;
    if (error != BIOST_CUDA_CAPTURES) {
        return error != 0 ? error : bsi_cuda_device_finish(device, stream);
    }
    error = 0;
    for (number = device->passed; error == 0 && number < sent; ++number) {
        error = device->provider->event_wait(device->state, bsi_cuda_device_copied(device, number));
    }
    for (i = 0; error == 0 && i < device->plan->device_slots; ++i) {
        if (device->slots[i].expanded != NULL) {
            error = device->provider->event_wait(device->state, device->slots[i].expanded);
        }
    }
    return error;
}

/* Note that nobody can say when a device's slots are no longer in use. */
static void bsi_cuda_device_give_up(bsi_cuda_device *device) {
    uint32_t i;
    for (i = 0; i < device->plan->device_slots; ++i) {
        bsi_cuda_store(&device->slots[i].is_unsure, 1);
    }
}

/* Wait for all work of the copy streams, as above. Returns 0 if the device may still read host memory. */
static int bsi_cuda_device_finish_copies(bsi_cuda_device *device, uint64_t sent) {
    void *before = NULL;
    int good = 1;
    uint32_t i;
    if (!device->is_open) {
        return 1;
    }
    if (device->provider->enter(device->state, device->number, &before) != 0) {
        return 0;
    }
    for (i = 0; i < device->plan->copy_streams; ++i) {
        int error = device->own_streams && device->streams[i] == NULL
                        ? 0
                        : bsi_cuda_device_finish_stream(device, sent, device->streams[i]);
        good &= error == 0;
        if (error == BIOST_CUDA_CAPTURES) {
            bsi_cuda_device_give_up(device);
        }
    }
    device->provider->leave(device->state, before);
    return good;
}

/* Wait until the streams of all users of slots are where the users said that they would be done. */
static void bsi_cuda_device_await_users(bsi_cuda_device *device) {
    uint32_t i;
    int error = 0;
    for (i = 0; i < device->plan->device_slots; ++i) {
        if (device->slots[i].expanded != NULL) {
            error = device->provider->event_wait(device->state, device->slots[i].expanded);
        }
        if (error != BIOST_CUDA_CAPTURES && device->slots[i].used != NULL) {
            error = device->provider->event_wait(device->state, device->slots[i].used);
        }
        if (error == BIOST_CUDA_CAPTURES) {
            bsi_cuda_device_give_up(device); /* a graph is captured: this driver lets nobody wait meanwhile */
            return;
        }
    }
}

/*
 * Free what is on a device once nobody uses it, and close it. If it cannot be entered any more, nobody knows
 * who uses it: all is left to the end of the process.
 */
static void bsi_cuda_device_close(bsi_cuda_device *device) {
    void *before = NULL;
    uint32_t i = 0;
    if (!device->is_open) {
        return;
    }
    if (device->provider->enter(device->state, device->number, &before) == 0) {
        bsi_cuda_device_await_users(device);
        bsi_cuda_device_close_handles(device);
        bsi_cuda_device_free(device, device->tables, device->plan->table_bytes);
        while (i < device->plan->device_slots && !bsi_cuda_load(&device->slots[i].is_unsure)) {
            ++i;
        }
        if (i == device->plan->device_slots) {
            bsi_cuda_device_free(device, device->memory, device->memory_bytes);
        }
        device->provider->leave(device->state, before);
    }
    device->provider->device_close(device->state, device->number);
}

/* ---- times ---------------------------------------------------------------- */

/*
 * Microseconds from one event to another, or BIOST_CUDA_NO_TIME if it has not come yet. Returns the
 * provider's error.
 */
static int bsi_cuda_device_time_of(const bsi_cuda_device *device, int is_recorded, void *from, void *to,
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

/* Fill in what is known of one batch's times, counted from the event `from`. */
static int bsi_cuda_device_span_of(const bsi_cuda_device *device, const bsi_cuda_device_times *times,
                                   void *from, biost_cuda_span *out) {
    const int known[5] = {1, 1, 1, (int)times->has_use_start, bsi_cuda_load(&times->has_use_end) != 0};
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
        error = bsi_cuda_device_time_of(device, known[i], from, times->events[i], out_us[i]);
    }
    return error;
}

/* Returns the oldest times that are kept, or NULL. */
static const bsi_cuda_device_times *bsi_cuda_device_oldest(const bsi_cuda_device *device) {
    const bsi_cuda_device_times *oldest = NULL;
    uint32_t i;
    for (i = 0; i < device->plan->timeline_count; ++i) {
        const bsi_cuda_device_times *times = &device->times[i];
        if (times->has_copy && (oldest == NULL || times->number < oldest->number)) {
            oldest = times;
        }
    }
    return oldest;
}

/* Sort by number; the spans are nearly sorted. */
static void bsi_cuda_device_sort(biost_cuda_span *spans, uint32_t count) {
    uint32_t i, k;
    for (i = 1; i < count; ++i) {
        biost_cuda_span span = spans[i];
        for (k = i; k > 0 && spans[k - 1].number > span.number; --k) {
            spans[k] = spans[k - 1];
        }
        spans[k] = span;
    }
}

/* See biost_cuda_timeline; *out_count is 0. Returns the provider's error. */
static int bsi_cuda_device_timeline(const bsi_cuda_device *device, biost_cuda_span *out_spans,
                                    uint32_t capacity, uint32_t *out_count) {
    const bsi_cuda_device_times *oldest = bsi_cuda_device_oldest(device);
    uint32_t total = device->plan->timeline_count, i;
    void *before = NULL;
    int error = oldest != NULL ? device->provider->enter(device->state, device->number, &before) : 0;
    if (oldest == NULL || error != 0) {
        return error;
    }
    for (i = 0; error == 0 && i < total && *out_count < capacity; ++i) {
        const bsi_cuda_device_times *times = &device->times[(device->times_taken + i) % total];
        if (times->has_copy) {
            error = bsi_cuda_device_span_of(device, times, oldest->events[BSI_CUDA_COPY_START],
                                            &out_spans[(*out_count)++]);
        }
    }
    device->provider->leave(device->state, before);
    bsi_cuda_device_sort(out_spans, *out_count);
    return error;
}

/* ==========================================================================
 * >>ring   host batches to device slots, in order
 *   uses: config words expand device           allocates: yes  threads: no   I/O: no
 * ========================================================================== */

struct biost_cuda {
    const biost_cuda_provider *provider;
    void *state;
    int provider_is_open;
    biost_loader *loader;
    bsi_cuda_device_plan plan;
    biost_allocator allocator; /* the loader's */
    biost_allocator host;      /* the user's for host slots; alloc NULL: the provider's */
    int write_combined;
    uint64_t own_bytes;
    bsi_cuda_device *devices; /* [plan.device_count] */
    biost_batch *flights;     /* [plan.flight_count] the loader's batches on their way: batch `number` is
                                 at number % plan.flight_count */
    uint64_t taken, sent,
        given_back;               /* the numbers of batches taken from the loader, sent to all devices, and
                                     given back because the copies of all devices have passed */
    bsi_cuda_device_slot **queue; /* [plan.device_slots][plan.device_count] batches not handed out yet */
    uint32_t queue_first, queue_count;
    biost_batch spare; /* if has_spare: a loader's batch, for which no device slot was free */
    int has_spare;
    uint32_t refs;         /* atomic; the owner and exports */
    uint32_t waiting;      /* atomic; leases that wait for the end of a capture */
    uint32_t is_cancelled; /* atomic */
    biost_result last;     /* what the owner's last call returned */
    int leaks_host;        /* desc.host's memory must not be freed: a device may still read it */
    biost_cuda_counters counters;
    int begun;
    biost_error error;      /* a device's, which ended it */
    biost_error refusal;    /* of the owner's last call */
    biost_error lock_error; /* why there was no host memory; see bsi_cuda_ring_lock */
};

/* ---- host slots ----------------------------------------------------------- */

#define BSI_CUDA_RING_PAGE ((size_t)65536) /* a multiple of the pages of all systems */

/* Whole pages for `bytes`: memory is locked by pages. */
static uint64_t bsi_cuda_ring_pages(uint64_t bytes) {
    return (bytes + BSI_CUDA_RING_PAGE - 1) / BSI_CUDA_RING_PAGE * BSI_CUDA_RING_PAGE;
}

/* The loader's slot_allocator: page-locked memory. Called in open, by the thread that opens. */
static void *bsi_cuda_ring_lock(size_t bytes, size_t align, void *user_data) {
    biost_cuda *cuda = (biost_cuda *)user_data;
    const bsi_cuda_device *device = &cuda->devices[0];
    unsigned flags = cuda->write_combined ? (unsigned)BIOST_CUDA_WRITE_COMBINED : 0u;
    void *memory = NULL, *before = NULL;
    int error = cuda->provider->enter(cuda->state, device->number, &before);
    int entered = error == 0;
    (void)align; /* locked memory starts with a page */
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

/*
 * The slot_allocator's other half, called in biost_loader_close. What a device may still read is left to the
 * end of the process, and so is what cannot be freed because the device cannot be entered any more.
 */
static void bsi_cuda_ring_unlock(void *memory, size_t bytes, void *user_data) {
    biost_cuda *cuda = (biost_cuda *)user_data;
    void *before = NULL;
    if (cuda->provider->enter(cuda->state, cuda->devices[0].number, &before) != 0) {
        return;
    }
    if (cuda->host.alloc == NULL) {
        (void)(cuda->leaks_host ? 0 : cuda->provider->host_free(cuda->state, memory));
    } else if (cuda->provider->host_unlock(cuda->state, memory) == 0 && !cuda->leaks_host) {
        cuda->host.free(memory, (size_t)bsi_cuda_ring_pages(bytes), cuda->host.user_data);
    }
    cuda->provider->leave(cuda->state, before);
}

/* ---- errors --------------------------------------------------------------- */

/* A call to a device failed: everything ends here. Returns BIOST_ERR_DEVICE. */
static biost_result bsi_cuda_ring_fail(biost_cuda *cuda, int error, const char *what) {
    if (cuda->error.code == BIOST_OK) {
        bsi_cuda_words_device_error(&cuda->error, cuda->provider, cuda->state, error, what);
        if (cuda->loader != NULL) {
            biost_loader_cancel(cuda->loader);
        }
    }
    return cuda->error.code;
}

/* Refuse a call of the owner; nothing ends. */
static biost_result bsi_cuda_ring_refuse(biost_cuda *cuda, biost_result code, biost_fault fault,
                                         const char *text) {
    bsi_cuda_words_begin_error(&cuda->refusal, code, fault, text);
    return code;
}

/* Keep what a call of the owner returns, for biost_cuda_error. */
static biost_result bsi_cuda_ring_told(biost_cuda *cuda, biost_result result) {
    cuda->last = result;
    return result;
}

/* ---- the queue ------------------------------------------------------------ */

/*
 * Queue a batch of the loader, to be sent: it gets a free slot of each device, and what stays in host memory
 * is kept there.
 */
static void bsi_cuda_ring_enqueue(biost_cuda *cuda, const biost_batch *batch) {
    const bsi_cuda_device_plan *plan = &cuda->plan;
    uint32_t at = (cuda->queue_first + cuda->queue_count) % plan->device_slots, i;
    bsi_cuda_device_slot **slots = cuda->queue + (size_t)at * plan->device_count;
    cuda->flights[cuda->taken % plan->flight_count] = *batch;
    for (i = 0; i < plan->device_count; ++i) {
        slots[i] = bsi_cuda_device_enqueue(&cuda->devices[i], batch, cuda->taken);
    }
    ++cuda->taken;
    ++cuda->queue_count;
    bsi_cuda_device_make_state(plan, cuda->loader, batch, slots);
}

/* The slots of the queued batch with this number. */
static bsi_cuda_device_slot **bsi_cuda_ring_slots_of(const biost_cuda *cuda, uint64_t number) {
    uint32_t after = cuda->queue_count - (uint32_t)(cuda->taken - number);
    uint32_t at = (cuda->queue_first + after) % cuda->plan.device_slots;
    return cuda->queue + (size_t)at * cuda->plan.device_count;
}

/* Send a device, which is current, what it was not sent yet. Returns the provider's error. */
static int bsi_cuda_ring_send_rest(biost_cuda *cuda, uint32_t index) {
    uint64_t number;
    int error = 0;
    for (number = cuda->sent; error == 0 && number < cuda->taken; ++number) {
        error = bsi_cuda_device_send(&cuda->devices[index], bsi_cuda_ring_slots_of(cuda, number)[index],
                                     &cuda->flights[number % cuda->plan.flight_count]);
    }
    return error;
}

/* Give back the host slots whose copies have passed on all devices. Returns their number. */
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

/* Look whether the oldest batch on its way is copied on one device; with `waits`, wait for it. */
static int bsi_cuda_ring_pass(biost_cuda *cuda, bsi_cuda_device *device, int waits) {
    void *event = bsi_cuda_device_copied(device, cuda->given_back), *before = NULL;
    int error = device->provider->enter(device->state, device->number, &before);
    if (error == 0) {
        error = waits ? device->provider->event_wait(device->state, event) : 0;
        error = error == 0 ? bsi_cuda_device_look(device, cuda->sent) : error;
        device->provider->leave(device->state, before);
    }
    return error;
}

/* All host slots are being copied: get the first one back; without `waits`, only if it is copied. */
static biost_result bsi_cuda_ring_retire(biost_cuda *cuda, int waits) {
    int error = 0;
    uint32_t i;
    if (cuda->given_back == cuda->sent) {
        return bsi_cuda_ring_refuse(cuda, BIOST_ERR_SLOTS, BIOST_FAULT_SLOTS,
                                    "the loader has no free slot, and none is being copied");
    }
    for (i = 0; error == 0 && i < cuda->plan.device_count; ++i) {
        error = bsi_cuda_ring_pass(cuda, &cuda->devices[i], 0);
    }
    if (error == 0 && bsi_cuda_ring_give_back(cuda) > 0) {
        return BIOST_OK;
    }
    cuda->counters.host_wait_count += waits != 0;
    for (i = 0; waits && error == 0 && i < cuda->plan.device_count; ++i) {
        error = bsi_cuda_ring_pass(cuda, &cuda->devices[i], 1);
    }
    if (error == BIOST_CUDA_CAPTURES) {
        return bsi_cuda_ring_refuse(
            cuda, BIOST_ERR_ARG, BIOST_FAULT_MISUSE,
            "all host slots are being copied, and with this driver none can be waited "
            "for while a CUDA graph is captured: end that first");
    }
    if (error != 0) {
        return bsi_cuda_ring_fail(cuda, error, "waiting for a copy");
    }
    return bsi_cuda_ring_give_back(cuda) > 0 || waits ? BIOST_OK : BIOST_PENDING;
}

/* ---- exports deleted during a capture ------------------------------------- */

/* End the waiting leases of a slot. Its device is current, or could not be entered, with this error. */
static void bsi_cuda_ring_settle_slot(biost_cuda *cuda, bsi_cuda_device *device, bsi_cuda_device_slot *slot,
                                      int error, int closes) {
    bsi_cuda_device_lease *lease = bsi_cuda_device_slot_collect(slot, closes), *next;
    for (; lease != NULL; lease = next) {
        int failed = error != 0 ? error : bsi_cuda_device_slot_record(device, slot, lease->consumer);
        next = lease->next;
        if (failed != BIOST_CUDA_CAPTURES || !bsi_cuda_device_slot_defer(slot, lease)) {
            (void)bsi_cuda_add(&cuda->waiting, UINT32_MAX);
            bsi_cuda_device_end_lease(lease, &cuda->allocator, failed);
            (void)bsi_cuda_add(&cuda->refs, UINT32_MAX); /* the owner still has one */
        }
    }
}

/* End the waiting leases of all slots, with `closes` for the last time. */
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

/* Returns the error by which slots of any device are lost, since no end of their use was recorded, or 0. */
static int bsi_cuda_ring_lost(const biost_cuda *cuda) {
    uint32_t i, k, error = 0;
    for (i = 0; i < cuda->plan.device_count; ++i) {
        for (k = 0; k < cuda->plan.device_slots && error == 0; ++k) {
            error = bsi_cuda_load(&cuda->devices[i].slots[k].lost_error);
        }
    }
    return (int)error;
}

/* Whether every device has a free slot. */
static int bsi_cuda_ring_has_room(const biost_cuda *cuda) {
    uint32_t i;
    for (i = 0; i < cuda->plan.device_count; ++i) {
        if (bsi_cuda_device_free_slot(&cuda->devices[i], 0) == NULL) {
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

/* Make sure that a batch is queued, or return why there is none. */
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
                                              bsi_cuda_load(&cuda->waiting) == 0
                                                  ? "all device slots are held: release a batch first, or "
                                                    "raise desc.device_slots"
                                                  : "all device slots are held, also by exports that were "
                                                    "deleted while their consumer captured a CUDA graph: end "
                                                    "the capture first");
        }
        if (result == BIOST_OK) {
            bsi_cuda_ring_enqueue(cuda, &batch);
        } else if (result == BIOST_ERR_SLOTS) {
            result = bsi_cuda_ring_retire(cuda, waits);
        }
    }
    /* Also queue what else is ready. Any other answer of the loader comes again in the next call. */
    while (result == BIOST_OK && bsi_cuda_ring_has_room(cuda) &&
           bsi_cuda_ring_take(cuda, 0, &batch) == BIOST_OK) {
        bsi_cuda_ring_enqueue(cuda, &batch);
    }
    return result;
}

/*
 * All that a call of next asks of one device, in one visit: which copies have passed, the copies of what is
 * queued and, if `slot` is not NULL, the consumer's wait. Returns the provider's error, and what failed.
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
    error = bsi_cuda_device_look(device, cuda->sent);
    if (error == 0) {
        *out_what = "sending a batch to the device";
        error = bsi_cuda_ring_send_rest(cuda, index);
    }
    if (error == 0 && slot != NULL) {
        *out_what = "handing a batch to its stream";
        error = bsi_cuda_device_lend(device, slot, consumer);
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
    for (i = 0; captures && i < cuda->plan.device_count; ++i) {
        if (slots[i]->times != NULL) {
            slots[i]->times->has_use_start = 0; /* of devices asked before the one that captures */
        }
    }
    return !captures
               ? BIOST_OK
               : bsi_cuda_ring_refuse(cuda, BIOST_ERR_ARG, BIOST_FAULT_MISUSE,
                                      "a consumer captures a CUDA graph: call biost_cuda_next before the "
                                      "capture or after it");
}

/* Check that no copy stream captures. Own streams do not: nobody else has them. */
static biost_result bsi_cuda_ring_check_streams(biost_cuda *cuda) {
    int error = 0;
    uint32_t i;
    for (i = 0; error == 0 && i < cuda->plan.device_count && !cuda->devices[0].own_streams; ++i) {
        void *before = NULL;
        error = cuda->provider->enter(cuda->state, cuda->devices[i].number, &before);
        if (error == 0) {
            error = bsi_cuda_device_check_streams(&cuda->devices[i]);
        }
        if (error == 0 || error == BIOST_CUDA_CAPTURES) {
            cuda->provider->leave(cuda->state, before);
        }
    }
    return error == 0                     ? BIOST_OK
           : error != BIOST_CUDA_CAPTURES ? bsi_cuda_ring_fail(cuda, error, "asking a stream of yours")
                                          : bsi_cuda_ring_refuse(cuda, BIOST_ERR_ARG, BIOST_FAULT_MISUSE,
                                                                 "a stream of desc.streams captures a CUDA "
                                                                 "graph: end the capture first");
}

/* See biost_cuda_next; without `waits` it never waits for the loader. */
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
        return bsi_cuda_ring_refuse(cuda, BIOST_ERR_ARG, BIOST_FAULT_MISUSE,
                                    "biost_cuda_begin comes before biost_cuda_next");
    }
    result = bsi_cuda_ring_check_streams(cuda);
    if (result != BIOST_OK) {
        return result;
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
        bsi_cuda_device_slot_hand_out(slots[i], &out_batches[i]);
    }
    cuda->queue_first = (cuda->queue_first + 1) % cuda->plan.device_slots;
    --cuda->queue_count;
    ++cuda->counters.batch_count;
    return BIOST_OK;
}

/* Forget queued batches: their slots are free after all that was asked of their copy streams. */
static void bsi_cuda_ring_drop_queue(biost_cuda *cuda) {
    while (cuda->queue_count > 0) {
        bsi_cuda_device_slot **slots = cuda->queue + (size_t)cuda->queue_first * cuda->plan.device_count;
        uint32_t i;
        for (i = 0; i < cuda->plan.device_count; ++i) {
            slots[i]->dropped = slots[i]->number + 1;
            slots[i]->is_used = 0; /* used by nobody in this loan */
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
static biost_result bsi_cuda_ring_release(const biost_cuda *cuda, const biost_cuda_batch *batch,
                                          biost_cuda_stream consumer) {
    return batch->device_index < cuda->plan.device_count
               ? bsi_cuda_device_release(&cuda->devices[batch->device_index], batch, consumer)
               : BIOST_ERR_ARG;
}

/* CUDA's errors of captures, 900 to 909: they end the capture on the caller's stream, nothing else. */
static int bsi_cuda_ring_is_of_capture(int error) {
    return error >= BIOST_CUDA_CAPTURES && error < BIOST_CUDA_CAPTURES + 10;
}

/* See biost_cuda_expand. */
static biost_result bsi_cuda_ring_expand_on(biost_cuda *cuda, uint32_t index,
                                            const biost_cuda_expansion *expansion, biost_cuda_stream stream) {
    const char *wrong = bsi_cuda_expand_check(expansion);
    void *before = NULL;
    int error, captures = 0;
    cuda->refusal.code = BIOST_OK;
    if (wrong != NULL) {
        return bsi_cuda_ring_refuse(cuda, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, wrong);
    }
    if (cuda->error.code != BIOST_OK || expansion->rows == 0 || expansion->columns == 0) {
        return cuda->error.code;
    }
    error = cuda->provider->enter(cuda->state, cuda->devices[index].number, &before);
    if (error == 0) {
        error = cuda->provider->stream_captures(cuda->state, stream, &captures);
        if (error == 0 && captures != 2) {
            error = cuda->provider->expand(cuda->state, cuda->devices[index].number, expansion, stream);
        }
        cuda->provider->leave(cuda->state, before);
    }
    if (error == 0 && captures == 2) {
        return bsi_cuda_ring_refuse(
            cuda, BIOST_ERR_ARG, BIOST_FAULT_MISUSE,
            "a stream that CUDA's legacy default stream waits for captures a CUDA graph: "
            "expand on a stream of yours");
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
 *
 * One block has the object, its devices and what is known of their slots. It lives until the owner and the
 * last export let go of it, so a deleter that comes late finds its device open.
 * ========================================================================== */

/* The provider of a desc. */
static const biost_cuda_provider *bsi_cuda_open_provider_of(const biost_cuda_provider *wish) {
    return wish != NULL                          ? wish
           : bsi_cuda_runtime_provider() != NULL ? bsi_cuda_runtime_provider()
                                                 : bsi_cuda_driver_provider();
}

/* Count the devices of a provider, which was opened with this result. Returns 0 with the error filled in. */
static int bsi_cuda_open_count_devices(const biost_cuda_provider *provider, void *state, int number,
                                       int *count, biost_error *error) {
    if (number == 0) {
        number = provider->device_count(state, count);
    }
    if (number != 0) {
        bsi_cuda_words_device_error(error, provider, state, number, "looking for a device");
        error->fault = BIOST_FAULT_NO_DEVICE;
    } else if (*count <= 0) {
        bsi_cuda_words_begin_error(error, BIOST_ERR_DEVICE, BIOST_FAULT_NO_DEVICE,
                                   "CUDA's driver is there, but no GPU that it can use");
    }
    return number == 0 && *count > 0;
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
    if (!bsi_cuda_open_count_devices(provider, state, number, out_count, error)) {
        *out_count = 0;
    }
    if (state != NULL) {
        provider->close(state);
    }
    return error->code;
}

/* ---- planning ------------------------------------------------------------- */

/* clang-format off */
#define BSI_CUDA_OPEN_FIELD(member, kind, mark, least, most, fallback, about) \
    {#member, NULL, about, least, most, fallback, (uint32_t)offsetof(biost_cuda_desc, member), \
     (uint32_t)sizeof(((biost_cuda_desc *)0)->member), BIOST_FIELD_##kind, BIOST_MARK_##mark}
/* clang-format on */

#define BSI_CUDA_OPEN_DEVICES 1u /* defaults */
#define BSI_CUDA_OPEN_SLOTS   3u
#define BSI_CUDA_OPEN_STREAMS 2u

static const biost_field bsi_cuda_open_fields[] = {
    BSI_CUDA_OPEN_FIELD(loader, HOOK, MUST, 0, 0, 0, "what to load"),
    BSI_CUDA_OPEN_FIELD(devices, HOOK, MACHINE, 0, 0, 0, "CUDA's numbers of the devices"),
    BSI_CUDA_OPEN_FIELD(device_count, U32, MACHINE, 1, 16, BSI_CUDA_OPEN_DEVICES, "their number"),
    BSI_CUDA_OPEN_FIELD(device_slots, U32, MACHINE, 2, 64, BSI_CUDA_OPEN_SLOTS, "batches on each device"),
    BSI_CUDA_OPEN_FIELD(copy_streams, U32, MACHINE, 1, 8, BSI_CUDA_OPEN_STREAMS,
                        "copy streams a device, taken in turn"),
    BSI_CUDA_OPEN_FIELD(streams, HOOK, MACHINE, 0, 0, 0, "copy streams of the host"),
    BSI_CUDA_OPEN_FIELD(no_expand, FLAG, MACHINE, 0, 1, 0, "copy tensors as the loader encodes them"),
    BSI_CUDA_OPEN_FIELD(write_combined, FLAG, MACHINE, 0, 1, 0, "host slots in write-combined memory"),
    BSI_CUDA_OPEN_FIELD(host, HOOK, MACHINE, 0, 0, 0, "memory for host slots"),
    BSI_CUDA_OPEN_FIELD(memory, HOOK, MACHINE, 0, 0, 0, "device memory"),
    BSI_CUDA_OPEN_FIELD(states, FLAG, NONE, 0, 1, 0, "make biost_cuda_batch.state"),
    BSI_CUDA_OPEN_FIELD(timeline_count, U32, MACHINE, 0, 65536, 0, "keep the times of so many batches"),
    BSI_CUDA_OPEN_FIELD(provider, HOOK, MACHINE, 0, 0, 0, "the calls that reach the device"),
};

/* Returns what is wrong with a desc by itself, perhaps in *range, or NULL. */
BSI_CUDA_RARE static const char *bsi_cuda_open_check(const biost_cuda_desc *desc, biost_error *range) {
    const uint32_t count = (uint32_t)(sizeof bsi_cuda_open_fields / sizeof bsi_cuda_open_fields[0]);
    if (biost_desc_check(bsi_cuda_open_fields, count, desc, range) != BIOST_OK) {
        return range->text;
    }
    if (desc->loader == NULL) {
        return "desc.loader is required";
    }
    if (desc->loader->slot_allocator.alloc != NULL || desc->loader->slot_allocator.free != NULL) {
        return "desc.loader->slot_allocator must be 0: see desc.host";
    }
    if (desc->loader->shape.kind == BIOST_SHAPE_PACKED) {
        return "desc.loader->shape.kind is BIOST_SHAPE_PACKED, and packed rows do not reach a device in this "
               "version: use biost_loader";
    }
    if (desc->devices == NULL && desc->device_count > 1) {
        return "desc.devices must be given for desc.device_count over 1";
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
    if (desc->states && desc->loader->callback_count > 0) {
        return "desc.states and desc.loader->callbacks exclude each other: callbacks give no resume states";
    }
    if (desc->states && desc->loader->has_fd) {
        return "desc.states and desc.loader->has_fd exclude each other: a descriptor gives no resume states";
    }
    if (desc->loader->mates == 2) {
        return "desc.loader->mates is 2, and pairs do not reach a device in this version: use biost_loader";
    }
    return NULL;
}

/* Returns a sentence if two of desc.devices are the same, or one is negative; else NULL. */
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

/*
 * Decide what crosses the bus: bases are codes if these are less than their elements, and no channel of x
 * needs more than a table of bases can give. Changes the loader's desc. `table` is filled if x is expanded.
 */
static void bsi_cuda_open_plan_codes(bsi_cuda_device_plan *plan, const biost_batch_shape *wish,
                                     biost_cuda_table *table, int32_t *tokens) {
    biost_encoding *encoding = &plan->loader.encoding;
    biost_error error;
    uint32_t i;
    plan->x = wish->tensors[0];
    plan->pad_left = encoding->pad_side == BIOST_PAD_LEFT;
    plan->pads_quality = plan->loader.quality.kind == BIOST_QUALITY_ERROR;
    if (wish->row_bytes[0] > wish->columns && bsi_cuda_table_make(encoding, table, &error) == BIOST_OK &&
        table->channels == wish->channels) {
        plan->expands_x = 1;
        plan->x_channels = table->channels;
        plan->x_element_bytes = table->element_bytes;
        for (i = 0; i < BSI_CUDA_TABLE_CODES; ++i) {
            tokens[i] = table->code[i];
        }
        memset(encoding, 0, sizeof *encoding);
        encoding->kind = BIOST_ENCODE_TOKENS;
        encoding->tokens = tokens;
        encoding->pad_value = (int32_t)table->pad_code;
        encoding->pad_side = plan->pad_left ? BIOST_PAD_LEFT : BIOST_PAD_RIGHT;
    }
    for (i = 1; i < wish->tensor_count; ++i) {
        if (wish->tensors[i].role == BIOST_ROLE_QUALITY && wish->tensors[i].dtype == BIOST_DTYPE_F32 &&
            !(plan->pads_quality && wish->pads_both)) {
            plan->quality = wish->tensors[i];
            plan->expands_quality = 1;
            plan->loader.quality.kind = BIOST_QUALITY_PHRED;
            plan->loader.quality.dtype = BIOST_DTYPE_U8;
        }
    }
}

/* The sizes that follow: a device slot has each array that crosses the bus, then what they expand to. */
static void bsi_cuda_open_plan_sizes(bsi_cuda_device_plan *plan, const biost_batch_shape *shape) {
    uint64_t at = bsi_cuda_round_up(shape->lengths_bytes / plan->device_count);
    uint32_t i;
    for (i = 0; i < shape->tensor_count; ++i) {
        at += bsi_cuda_round_up(shape->tensors[i].bytes / plan->device_count);
    }
    plan->host_bytes = shape->slot_bytes;
    plan->x_at = at;
    if (plan->expands_x) {
        at += bsi_cuda_round_up(plan->x.bytes / plan->device_count);
        plan->table_bytes = (uint64_t)BSI_CUDA_TABLE_CODES * plan->x_channels * plan->x_element_bytes;
    }
    plan->quality_table_at = plan->table_bytes;
    plan->quality_at = at;
    if (plan->expands_quality) {
        at += bsi_cuda_round_up(plan->quality.bytes / plan->device_count);
        plan->table_bytes += bsi_cuda_round_up(BSI_CUDA_TABLE_CODES * sizeof(float));
    }
    plan->slot_bytes = at;
}

/*
 * Plan a desc. `table` and `tokens`, [256], are the caller's and must live as long as plan.loader is used.
 * Returns NULL, or a sentence, perhaps in *error, if the desc or the loader's is wrong.
 */
BSI_CUDA_RARE static const char *bsi_cuda_open_make_plan(const biost_cuda_desc *desc,
                                                         bsi_cuda_device_plan *plan, biost_cuda_table *table,
                                                         int32_t *tokens, biost_error *error) {
    const char *wrong = bsi_cuda_open_check(desc, error);
    biost_batch_shape wish, shape;
    memset(plan, 0, sizeof *plan);
    if (wrong == NULL) {
        wrong = bsi_cuda_open_check_devices(desc);
    }
    if (wrong != NULL) {
        return wrong;
    }
    if (biost_loader_shape(desc->loader, &wish, error) != BIOST_OK) {
        return error->text;
    }
    plan->loader = *desc->loader;
    plan->device_count = desc->device_count > 0 ? desc->device_count : BSI_CUDA_OPEN_DEVICES;
    plan->device_slots = desc->device_slots > 0 ? desc->device_slots : BSI_CUDA_OPEN_SLOTS;
    plan->copy_streams = desc->copy_streams > 0 ? desc->copy_streams : BSI_CUDA_OPEN_STREAMS;
    plan->timeline_count = desc->timeline_count;
    plan->memory = desc->memory;
    plan->flight_count = wish.slots;
    if (plan->loader.slots == 0 && plan->device_slots > BSI_CUDA_OPEN_SLOTS) {
        plan->flight_count += plan->device_slots - BSI_CUDA_OPEN_SLOTS;
    }
    plan->loader.slots = plan->flight_count;
    wrong = bsi_cuda_device_plan_rows(plan, wish.rows);
    if (wrong != NULL) {
        return wrong;
    }
    if (wish.columns > BSI_CUDA_EXPAND_COLUMNS) {
        return "desc.loader->row_bases, rounded up to pad_multiple, is over 2^28 columns";
    }
    plan->name_bytes = wish.name_bytes;
    plan->state_bytes = desc->states ? wish.state_bytes : 0;
    if (!desc->no_expand) {
        bsi_cuda_open_plan_codes(plan, &wish, table, tokens);
    }
    if (biost_loader_shape(&plan->loader, &shape, error) != BIOST_OK) {
        return error->text;
    }
    bsi_cuda_open_plan_sizes(plan, &shape);
    return NULL;
}

/* ---- closing -------------------------------------------------------------- */

/* A holder is done with the object. The last one frees all of it: devices, provider, the object itself. */
static void bsi_cuda_open_let_go(biost_cuda *cuda) {
    biost_allocator allocator = cuda->allocator;
    uint32_t i;
    if (bsi_cuda_add(&cuda->refs, UINT32_MAX) > 0) {
        return;
    }
    for (i = 0; i < cuda->plan.device_count; ++i) {
        bsi_cuda_device_close(&cuda->devices[i]);
    }
    if (cuda->provider_is_open) {
        cuda->provider->close(cuda->state);
    }
    bsi_cuda_device_host_free(&allocator, cuda, (size_t)cuda->own_bytes);
}

/* See biost_cuda_close. */
static void bsi_cuda_open_close(biost_cuda *cuda) {
    uint32_t i;
    if (cuda->loader != NULL) {
        biost_loader_cancel(cuda->loader);
    }
    for (i = 0; i < cuda->plan.device_count; ++i) {
        cuda->leaks_host |= !bsi_cuda_device_finish_copies(&cuda->devices[i], cuda->sent);
    }
    biost_loader_close(cuda->loader);
    cuda->loader = NULL;
    bsi_cuda_ring_settle(cuda, 1);
    bsi_cuda_open_let_go(cuda);
}

/* ---- opening -------------------------------------------------------------- */

/* Lay out the object and all its arrays; called with base NULL for the size, then with the block. */
BSI_CUDA_RARE static uint64_t bsi_cuda_open_place(const bsi_cuda_device_plan *plan, uint8_t *base) {
    uint64_t at = 0;
    biost_cuda none, *cuda = (biost_cuda *)bsi_cuda_device_reserve(base, &at, 1, sizeof(biost_cuda));
    bsi_cuda_device no_device;
    uint32_t i;
    cuda = cuda != NULL ? cuda : &none;
    cuda->devices = (bsi_cuda_device *)bsi_cuda_device_reserve(base, &at, plan->device_count,
                                                               sizeof(bsi_cuda_device));
    cuda->flights = (biost_batch *)bsi_cuda_device_reserve(base, &at, plan->flight_count,
                                                           sizeof(biost_batch));
    cuda->queue = (bsi_cuda_device_slot **)bsi_cuda_device_reserve(
        base, &at, (uint64_t)plan->device_slots * plan->device_count, sizeof(bsi_cuda_device_slot *));
    for (i = 0; i < plan->device_count; ++i) {
        bsi_cuda_device *device = base != NULL ? &cuda->devices[i] : &no_device;
        device->counters = &cuda->counters;
        device->index = i;
        bsi_cuda_device_place(device, plan, base, &at);
    }
    return at;
}

/* Open one device. Returns 0 with the error filled in. */
static int bsi_cuda_open_device(biost_cuda *cuda, uint32_t index, const biost_cuda_desc *desc,
                                const biost_cuda_table *table, const float *quality_table,
                                biost_error *error) {
    bsi_cuda_device *device = &cuda->devices[index];
    const biost_cuda_stream *streams = desc->streams != NULL
                                           ? desc->streams + (size_t)index * cuda->plan.copy_streams
                                           : NULL;
    const char *what;
    int number;
    device->provider = cuda->provider;
    device->state = cuda->state;
    number = bsi_cuda_device_open(device, desc->devices != NULL ? desc->devices[index] : -1, streams, table,
                                  quality_table, &what);
    if (number != 0 && what != NULL) {
        bsi_cuda_words_device_error(error, cuda->provider, cuda->state, number, what);
    } else if (number == BIOST_CUDA_CAPTURES) {
        bsi_cuda_words_begin_error(error, BIOST_ERR_ARG, BIOST_FAULT_MISUSE,
                                   "a stream of desc.streams captures a CUDA graph: end the capture first");
    } else if (number != 0) {
        bsi_cuda_words_begin_error(error, BIOST_ERR_NOMEM, BIOST_FAULT_MEMORY,
                                   "desc.memory.alloc has no memory for the slots of a device");
    }
    return number == 0;
}

/* Open provider and devices. Returns 0 with the error filled in. */
static int bsi_cuda_open_devices(biost_cuda *cuda, const biost_cuda_desc *desc, const biost_cuda_table *table,
                                 biost_error *error) {
    float quality_table[BSI_CUDA_TABLE_CODES];
    int number = cuda->provider->open(cuda->provider->user_data, &cuda->state), count = 0;
    uint32_t i;
    cuda->provider_is_open = number == 0;
    if (!bsi_cuda_open_count_devices(cuda->provider, cuda->state, number, &count, error)) {
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

/* Make the object's block, with all that needs no device. Returns NULL if there is no memory. */
static biost_cuda *bsi_cuda_open_make(const biost_cuda_desc *desc, const bsi_cuda_device_plan *plan) {
    uint64_t bytes = bsi_cuda_open_place(plan, NULL);
    const biost_allocator *allocator = &plan->loader.allocator;
    biost_cuda *cuda = bytes > SIZE_MAX ? NULL
                                        : (biost_cuda *)bsi_cuda_device_host_alloc(allocator, (size_t)bytes);
    if (cuda == NULL) {
        return NULL;
    }
    memset(cuda, 0, (size_t)bytes);
    cuda->plan = *plan;
    memset(&cuda->plan.loader, 0, sizeof cuda->plan.loader); /* what it borrows goes away */
    (void)bsi_cuda_open_place(&cuda->plan, (uint8_t *)cuda);
    cuda->own_bytes = bytes;
    cuda->allocator = *allocator;
    cuda->provider = bsi_cuda_open_provider_of(desc->provider);
    cuda->host = desc->host;
    cuda->write_combined = desc->write_combined;
    cuda->refs = 1;
    return cuda;
}

/* Whether the core that is linked fits; else both versions are told. */
static int bsi_cuda_open_fits(biost_error *error) {
    uint32_t numbers[2], i, part, version = biost_version();
    if (BIOST_VERSION_FITS(version)) {
        return 1;
    }
    numbers[0] = BIOST_VERSION;
    numbers[1] = version;
    bsi_cuda_words_begin_error(error, BIOST_ERR_UNSUPPORTED, BIOST_FAULT_UNSUPPORTED,
                               "compiled with biostream.h ");
    for (i = 0; i < 2; ++i) {
        for (part = 10000; part > 0; part /= 100) {
            bsi_cuda_words_say_number(error, numbers[i] / part % 100);
            bsi_cuda_words_say(error, part > 1 ? "." : i == 0 ? ", and biostream " : " is linked");
        }
    }
    return 0;
}

/* See biost_cuda_open. Returns NULL with the error filled in. */
static biost_cuda *bsi_cuda_open(const biost_cuda_desc *desc, biost_error *error) {
    biost_cuda_table table;
    int32_t tokens[BSI_CUDA_TABLE_CODES];
    bsi_cuda_device_plan plan;
    biost_cuda *cuda;
    biost_error range;
    const char *wrong;
    if (!bsi_cuda_open_fits(error)) {
        return NULL;
    }
    wrong = bsi_cuda_open_make_plan(desc, &plan, &table, tokens, &range);
    if (wrong != NULL) {
        bsi_cuda_words_begin_error(error, BIOST_ERR_ARG, BIOST_FAULT_ARGUMENT, wrong);
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
    int32_t tokens[BSI_CUDA_TABLE_CODES];
    bsi_cuda_device_plan plan;
    biost_error range;
    *out_locked = 0;
    *out_device = 0;
    if (bsi_cuda_open_make_plan(desc, &plan, &table, tokens, &range) != NULL) {
        return BIOST_ERR_ARG;
    }
    *out_locked = (desc->host.alloc != NULL ? bsi_cuda_ring_pages(plan.host_bytes) : plan.host_bytes) *
                      plan.flight_count +
                  plan.table_bytes;
    *out_device = plan.slot_bytes * plan.device_slots + plan.table_bytes;
    return BIOST_OK;
}

/* ---- exports -------------------------------------------------------------- */

#define BSI_CUDA_OPEN_PER_THREAD 2u /* cudaStreamPerThread: of the thread that names it, as of a deleter's */

/* An export's deleter ran: on any thread, even while a CUDA graph is captured. */
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
    bsi_cuda_device_end_lease(lease, &cuda->allocator, error);
    bsi_cuda_open_let_go(cuda);
}

/* See biost_cuda_export. */
static biost_result bsi_cuda_open_export(biost_cuda *cuda, const biost_cuda_batch *batch, uint32_t index,
                                         int versioned, biost_cuda_stream consumer, void **out_managed) {
    bsi_cuda_device_lease *lease;
    bsi_cuda_device *device;
    bsi_cuda_device_slot *slot;
    biost_result result = BIOST_ERR_NOMEM;
    int error;
    if (batch->device_index >= cuda->plan.device_count || index >= batch->tensor_count ||
        (uintptr_t)consumer == BSI_CUDA_OPEN_PER_THREAD || (uintptr_t)consumer == UINTPTR_MAX) {
        return BIOST_ERR_ARG;
    }
    device = &cuda->devices[batch->device_index];
    slot = bsi_cuda_device_slot_of(device, batch);
    if (slot == NULL || !bsi_cuda_device_slot_hold(slot, batch)) {
        return BIOST_ERR_ARG;
    }
    lease = (bsi_cuda_device_lease *)bsi_cuda_device_host_alloc(&cuda->allocator, sizeof *lease);
    if (lease != NULL) {
        error = bsi_cuda_device_slot_await(device, slot, consumer);
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

/* See biost_cuda_timeline. */
static biost_result bsi_cuda_open_timeline(biost_cuda *cuda, uint32_t device_index,
                                           biost_cuda_span *out_spans, uint32_t capacity,
                                           uint32_t *out_count) {
    int error;
    *out_count = 0;
    if (device_index >= cuda->plan.device_count) {
        return BIOST_ERR_ARG;
    }
    if (cuda->error.code != BIOST_OK) {
        return cuda->error.code;
    }
    error = bsi_cuda_device_timeline(&cuda->devices[device_index], out_spans, capacity, out_count);
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

BIOST_API const biost_field *biost_cuda_desc_fields(uint32_t *out_count) {
    if (out_count != NULL) {
        *out_count = (uint32_t)(sizeof bsi_cuda_open_fields / sizeof bsi_cuda_open_fields[0]);
    }
    return bsi_cuda_open_fields;
}

/* Hand an error on to the caller, who may not want it. Returns its code. */
static biost_result bsi_cuda_public_hand_on(const biost_error *error, biost_error *out_error) {
    if (out_error != NULL) {
        *out_error = *error;
    }
    return error->code;
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
    return bsi_cuda_public_hand_on(&error, out_error);
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
    return bsi_cuda_public_hand_on(&error, out_error);
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
    return bsi_cuda_public_hand_on(&error, out_error);
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
