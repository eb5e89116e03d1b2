/*
 * biostream.h - FASTQ and FASTA files, plain or gzipped, into machine-learning batches
 *
 * Version 0.1.0. MIT, or public domain as the alternative: see LICENSE.
 *
 * Do this in exactly ONE C or C++ file, before any other include:
 *
 *     #define BIOSTREAM_IMPLEMENTATION
 *     #include "biostream.h"
 *
 * and include biostream.h without the define everywhere else. Compile that file with -pthread, and
 * link libdeflate (-ldeflate), or also define BIOSTREAM_NO_LIBDEFLATE and link nothing.
 *
 * Contents; search for the tags:
 *
 *   >>manual    what it does, how to use it, what it promises
 *   >>options   build switches
 *   >>declare   version, language glue
 *   >>types     result codes, faults, errors, records, tensors, batches
 *   >>descs     what to open
 *   >>api       the calls, by layer
 *
 * The implementation, bottom-up: each room calls only rooms above it, those its banner names.
 *
 *   >>config    compiler attributes, derived switches, shared private structs
 *   >>bytes     unaligned loads and stores, checked sizes, byte search
 *   >>cpu       what the processor can do
 *   >>crc       CRC-32
 *   >>hash      XXH64
 *   >>huff      Huffman decode tables from code lengths
 *   >>inflate   decode DEFLATE blocks into a page
 *   >>guess     where in the middle of a DEFLATE stream a block may start
 *   >>tokens    decode DEFLATE blocks without their history, copy later
 *   >>texts     decode DEFLATE blocks from a border whose history is known
 *   >>history   the 32 KiB before a point of a stream, as far as they are needed
 *   >>frame     gzip members around DEFLATE streams
 *   >>check     line ends, ranges and counts of bytes, many at a time
 *   >>records   the FASTQ and FASTA grammar
 *   >>scan      four-line FASTQ records, many at a time
 *   >>rng       Philox4x32-10 random words
 *   >>order     the window shuffle
 *   >>token     a point of an epoch in at most 512 bytes
 *   >>alphabet  what each byte of a sequence means
 *   >>encode    rows of bases into rows of numbers
 *   >>pack      two bits a base, and k-mers as numbers
 *   >>filter    which records become samples
 *   >>augment   random changes of a row
 *   >>kernels   which kernel does the work on this processor
 *   ---- the OS line: above it no allocation, no thread, no file ----
 *   >>platform  threads, locks, files, cores, a clock
 *   >>memory    the user's allocator, or malloc
 *   >>fault     from what is wrong to a sentence
 *   >>sched     run-to-completion tasks over a few threads
 *   >>source    the bytes of one input
 *   >>stream    source bytes into pages of text
 *   >>reader    pages of text into records
 *   >>pairs     records that belong together, from several readers
 *   >>loader    records into shuffled, augmented, encoded batches
 *   >>export    tensors lent to other libraries, as DLPack has them
 *   >>public    the doors
 */

/* ==========================================================================
 * >>manual   what it does, how to use it, what it promises
 * ==========================================================================
 *
 * Four objects, and calls over your own memory:
 *
 *     biost_loader    batches of many files: shuffled, augmented, encoded by all cores, and the same
 *                     for any number of them
 *     biost_reader    records of one file, in order: one at a time, a page of them, or runs of a
 *                     sequence of any length; no thread unless asked
 *     biost_pairs     records that belong together, of several readers or one interleaved file
 *     biost_stream    the decompressed text of one file, gzip and BGZF, by as many cores as wished
 *     biost_inflate   a gzip file in memory to its text in memory
 *     biost_encode_*  bases, qualities and masks into numbers, a row at a time, as a loader does
 *
 * READ RECORDS
 *
 *     //: program records
 *     #define BIOSTREAM_IMPLEMENTATION
 *     #include "biostream.h"
 *     #include <stdio.h>
 *     #include <string.h>
 *
 *     int main(int argc, char **argv) {
 *         biost_reader_desc desc;
 *         biost_reader *reader;
 *         biost_record record;
 *         biost_error error;
 *         biost_result result;
 *         memset(&desc, 0, sizeof desc);
 *         desc.path = argc > 1 ? argv[1] : "reads.fastq.gz";
 *         if (biost_reader_open(&desc, &reader, &error) != BIOST_OK) {
 *             return fprintf(stderr, "%s\n", error.text), 1;
 *         }
 *         while ((result = biost_reader_next(reader, &record)) == BIOST_OK) {
 *             printf("%.*s %zu bases\n", (int)record.name_bytes, record.name, record.seq_bases);
 *         }
 *         if (result < 0) {
 *             fprintf(stderr, "%s\n", biost_reader_error(reader)->text);
 *         }
 *         biost_reader_close(reader);
 *         return result < 0;
 *     }
 *     //: end
 *
 * READ PAIRS
 *
 * Two files in step; with reader_count 1 the records of one file, two by two.
 *
 *     //: program pairs
 *     #define BIOSTREAM_IMPLEMENTATION
 *     #include "biostream.h"
 *     #include <stdio.h>
 *     #include <string.h>
 *
 *     int main(int argc, char **argv) {
 *         biost_reader_desc desc;
 *         biost_reader *readers[2] = {NULL, NULL};
 *         biost_pairs_desc pairs_desc;
 *         biost_pairs *pairs = NULL;
 *         biost_record mates[2];
 *         biost_error error;
 *         biost_result result = BIOST_OK;
 *         int i;
 *         memset(&desc, 0, sizeof desc);
 *         for (i = 0; i < 2 && result == BIOST_OK; ++i) {
 *             desc.path = argc > 2 ? argv[1 + i] : i == 0 ? "R1.fastq.gz" : "R2.fastq.gz";
 *             result = biost_reader_open(&desc, &readers[i], &error);
 *         }
 *         memset(&pairs_desc, 0, sizeof pairs_desc);
 *         pairs_desc.readers = readers;
 *         pairs_desc.reader_count = 2;
 *         if (result == BIOST_OK) {
 *             result = biost_pairs_open(&pairs_desc, &pairs, &error);
 *         }
 *         while (result == BIOST_OK && (result = biost_pairs_next(pairs, mates)) == BIOST_OK) {
 *             printf("%.*s %zu and %zu bases\n", (int)mates[0].name_bytes, mates[0].name,
 *                    mates[0].seq_bases, mates[1].seq_bases);
 *         }
 *         if (result < 0) {
 *             fprintf(stderr, "%s\n", pairs != NULL ? biost_pairs_error(pairs)->text : error.text);
 *         }
 *         biost_pairs_close(pairs);
 *         biost_reader_close(readers[0]);
 *         biost_reader_close(readers[1]);
 *         return result < 0;
 *     }
 *     //: end
 *
 * TRAIN ON BATCHES
 *
 *     //: program batches
 *     #define BIOSTREAM_IMPLEMENTATION
 *     #include "biostream.h"
 *     #include <stdio.h>
 *     #include <string.h>
 *
 *     int main(int argc, char **argv) {
 *         const char *files[1];
 *         biost_loader_desc desc;
 *         biost_loader *loader;
 *         biost_batch batch;
 *         biost_error error;
 *         biost_result result;
 *         uint64_t epoch;
 *         files[0] = argc > 1 ? argv[1] : "reads.fastq.gz";
 *         memset(&desc, 0, sizeof desc);
 *         desc.paths = files;
 *         desc.path_count = 1;
 *         desc.batch_rows = 256;
 *         desc.row_bases = 150;
 *         desc.encoding.dtype = BIOST_DTYPE_F32;
 *         desc.augment.reverse_complement = 0.5f;
 *         desc.shuffle_rows = 65536;
 *         desc.epochs = 3;
 *         if ((result = biost_loader_open(&desc, &loader, &error)) != BIOST_OK) {
 *             return fprintf(stderr, "%s\n", error.text), 1;
 *         }
 *         for (epoch = 0; epoch < 3 && result >= 0; ++epoch) {
 *             if ((result = biost_loader_begin(loader, epoch)) != BIOST_OK) {
 *                 break;
 *             }
 *             while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
 *                 const float *x = (const float *)batch.x.data;
 *                 printf("%u rows, x[0] = %g\n", (unsigned)batch.valid_rows, (double)x[0]);
 *                 biost_loader_release(loader, &batch);
 *             }
 *         }
 *         if (result < 0) {
 *             fprintf(stderr, "%s\n", biost_loader_error(loader)->text);
 *         }
 *         biost_loader_close(loader);
 *         return result < 0;
 *     }
 *     //: end
 *
 * READ DECOMPRESSED TEXT
 *
 *     //: program text
 *     #define BIOSTREAM_IMPLEMENTATION
 *     #include "biostream.h"
 *     #include <stdio.h>
 *     #include <string.h>
 *
 *     int main(int argc, char **argv) {
 *         biost_stream_desc desc;
 *         biost_stream *stream;
 *         biost_page page;
 *         biost_error error;
 *         biost_result result;
 *         memset(&desc, 0, sizeof desc);
 *         desc.path = argc > 1 ? argv[1] : "reads.fastq.gz";
 *         desc.workers = 2;
 *         if (biost_stream_open(&desc, &stream, &error) != BIOST_OK) {
 *             return fprintf(stderr, "%s\n", error.text), 1;
 *         }
 *         while ((result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
 *             fwrite(page.text, 1, page.text_bytes, stdout);
 *         }
 *         if (result < 0) {
 *             fprintf(stderr, "%s\n", biost_stream_error(stream)->text);
 *         }
 *         biost_stream_close(stream);
 *         return result < 0;
 *     }
 *     //: end
 *
 * THE PIPE
 *
 *     files -> source -> stream -> records -> filter -> pieces -> shuffle -> cut -> augment, encode
 *              bytes     text                 label    cut,       window     batches  parallel
 *                                             parallel split
 *     stage:   READ      DECODE    SCAN       CHECK    SEQUENCE                       ENCODE
 *                        INFLATE
 *
 *     x, one-hot   [rows][columns][channels]  "NLC"  u8 f16 bf16 f32   desc.encoding; NCL on request
 *     x, tokens    [rows][columns]            "NL"   u8 i32 i64        desc.encoding.tokens
 *     quality      [rows][columns]            "NL"   u8 f32            desc.quality
 *     mask         [rows][columns]            "NL"   u8                desc.mask
 *     labels       [rows] or [rows][width]    "N" "NC"                 desc.labels
 *     lengths      [rows]                            i32               bases before padding, N included
 *     origins      [rows]                            biost_row         file, record, piece, first base
 *     names        [rows]                            char *            desc.names
 *
 * batch.x and the tensors behind it in batch.tensors are contiguous and 256-byte aligned. columns is
 * row_bases, or the longest row of the global batch, rounded up to pad_multiple. Each tensor of a batch
 * lies in its slot: a row is written once, by the worker that encodes it. batch.slab is one range with
 * lengths and all tensors, for a single copy; desc.slot_allocator says what memory it is.
 *
 * A row shows a record, or a piece of it: one longer than row_bases is an error, or split, or shows its
 * first, last, middle or randomly placed bases (desc.long_records). Then it may be turned to the other
 * strand, bases be replaced or made N, and a function of yours change it (desc.augment). Random choices
 * are drawn from (seed, epoch, record, piece), so they never depend on the order in which rows are made.
 *
 * LIFETIMES
 *
 *     what                          valid until
 *     pointers of a biost_record    the next call of next, next_run or next_page on its reader, or of
 *       or biost_run                  next on its pairs
 *     a biost_record_page           biost_reader_release_page of it, or biost_reader_close
 *     a biost_page's pointer        the next read or next_page on its stream
 *     a batch and all in it         biost_loader_release of it, or biost_loader_close
 *     an exported tensor            its deleter is called: any time, also behind both of these
 *     biost_*_error's pointer       close; of a loader's call that was refused, its owner's next call
 *     desc, paths, token            copied: may go away when open returns
 *     bytes of inputs in memory,    borrowed until close
 *       hooks' user_data
 *     a reader's stream, the        borrowed until biost_reader_close, biost_pairs_close
 *       readers of pairs
 *
 * THREADS
 *
 *     call                          from
 *     biost_reader_*                one thread at a time, but for
 *       release_page                  any thread, any time before close
 *     biost_record_page_get         any thread
 *     biost_pairs_*                 one thread at a time, with all their readers
 *     biost_stream_read next_page   one thread at a time
 *       error close
 *     biost_stream_cancel           any thread, any time before close
 *       warnings progress
 *     biost_loader_begin next       the owner: one thread at a time
 *       try_next token error close
 *       set_workers resolved
 *       batches_per_epoch export
 *     biost_loader_release          any thread, one at a time for one batch
 *     biost_tensor_export           any thread
 *     an exported tensor's deleter  any thread, any time, once
 *     biost_loader_cancel           any thread, any time before close
 *       warnings progress
 *       counters hint
 *     biost_encode_* and other      any thread
 *       calls over your memory
 *     allocator, log, file hooks,   run on the caller's thread or a worker's, those of one input
 *       input callbacks               one at a time
 *     jobs.submit                   called in any call on the object and inside run(), several at
 *                                     once
 *     filter.keep, labels.make,     run on the caller's thread and all workers at once; they may call
 *       augment.change                biost_random_* and biost_encode_*, nothing of their loader
 *
 * A caller that waits helps: it runs the library's tasks, so all works with own threads, with the
 * host's job system (desc.jobs) and with no thread at all, and gives the same bytes.
 *
 * Different objects share nothing. Workers inherit the signal mask of the thread that opens their
 * object. In C on Linux their default number follows the affinity mask only with _GNU_SOURCE. After
 * fork the child may only close.
 *
 * ERRORS
 *
 * Every call that can fail returns a biost_result: 0 fine, positive a status, negative an error.
 * biost_error.text is a whole sentence with file, record, line and byte. A bad record ends the
 * samples as the end of input would: everything before it is delivered first, the last batch
 * flagged BIOST_BATCH_BEFORE_ERROR; then next returns the error, and again until close. Text of a
 * gzip member is provisional until its checksum was read: a gzip error behind it says from which
 * record on. A record that is bad is told as such, though damage of its member may be the cause.
 * BIOST_END is returned only when every input was read and verified to its end.
 *
 * WHAT IS ACCEPTED
 *
 * FASTQ of four lines a record or more (read by length), FASTA of any line length; LF and CRLF, a
 * UTF-8 byte order mark, blank lines between records, blanks in FASTA sequence (left out), a missing
 * last line end; text without any record. Refused with the line: unequal lengths of sequence and
 * quality, bytes outside 33..126 in either, a '+' line that is not the title, a file that was cut
 * off, NUL bytes, lone carriage returns, '>' inside FASTA sequence, FASTA in FASTQ and the reverse. A
 * file's name never matters, its first bytes do. desc.text makes each of these stricter or
 * more lenient; with text.skip_bad it goes on behind bad records. FASTA that was cut off cannot be
 * told from FASTA that ends there.
 *
 * Plain text, gzip of any number of members, empty ones too, and BGZF, mixed as they come. Every
 * CRC-32, length and header is checked; DEFLATE is judged exactly as zlib judges it. A BGZF block is
 * checked before any of it is handed on. Zero bytes at the end, and BGZF without its empty last
 * block, are warnings; other bytes there, and a file that was cut off, are errors behind all good
 * text. desc.gzip makes each of these stricter or more lenient. zstd, bzip2, xz and zip are named in
 * the error.
 *
 * DETERMINISM
 *
 * A batch depends on the bytes of the input and their order, the fields marked [data], seed, epoch,
 * batch number, rank and world; never on workers, slots, memory, timing, compression, or the
 * machine. The ranks' slices make up the same global batch for any world. Turn desc.digest on to
 * prove it: digests of batches add up, over batches and over ranks, to one number of 64 bits for
 * the epoch. Of filter.keep, labels.make and augment.change it takes your word: each must be a function
 * of its arguments.
 *
 * MEMORY
 *
 * biost_loader_memory(&desc) is the most a loader holds at once, for any input. All of it is
 * allocated at open, but for one buffer for records longer than a page: it grows by doubling, or
 * with malloc in one step of address space, used as far as records reach, up to max_record_bytes and a
 * page, and exists twice while it grows. With the default of 64 MiB that is 104
 * MiB of the bound, and nothing in fact while records are short. A stream allocates all it needs at
 * open: about 1.5 MiB, or with W > 1 workers 2 MiB and 500 KiB for each. A reader takes some more,
 * see biost_reader_open, and has such a buffer too, of its own for each page that is held.
 *
 * OTHER LIBRARIES
 *
 * biost_loader_export lends a tensor of a batch, without a copy, to whatever takes DLPack: NumPy,
 * PyTorch, JAX, CuPy. It makes a DLManagedTensor or, versioned, a DLManagedTensorVersioned 1.0; in
 * Python a capsule named "dltensor" or "dltensor_versioned" around it goes to from_dlpack, as in
 * examples/numpy_batches.py. The slot counts as held until the batch was released and every deleter
 * has run, in any order; behind biost_loader_close the last deleter frees its memory.
 * biost_tensor_export does so for memory of your own.
 *
 * RESUME
 *
 * biost_loader_token writes the point behind a batch into at most 512 bytes. A loader opened with
 * it, over the same input and [data] fields, goes on with the next batch, with any workers and any
 * world that divides batch_rows. It enters plain text at once; gzip is inflated again from its
 * start, without parsing. Of your callbacks a token knows only whether they are there.
 *
 * LIMITS
 *
 * biost_reader_next holds a record whole, up to max_record_bytes; next_run and next_page hold only
 * what a page has of a FASTA sequence. The loader holds each record whole, up to max_record_bytes,
 * which must be below 2 GiB. Blank lines behind a FASTA record count as part of it. Of plain gzip
 * below 1 MiB, where blocks carry no codes of their own, and, with two workers, of text that is nearly all
 * literals, one worker inflates at a time. Paths of a loader must be regular files; readers and
 * streams also read pipes, and wait for their writer. A loader's callbacks need rewind for a second epoch
 * and give no tokens. In a child after fork deleters of exports give nothing back.
 * Not there: BAM, VCF, pairs in a loader, duplicate removal, adapter trimming. For a GPU: biostream_cuda.h.
 * ========================================================================== */

#ifndef BIOSTREAM_H
#define BIOSTREAM_H

/*
 * System headers hide 64-bit and positional file calls unless asked before the first of them. Where
 * nothing is asked for, as in gnu11, they show everything: asking would take that from the host.
 */
#ifdef BIOSTREAM_IMPLEMENTATION
#if !defined(_POSIX_C_SOURCE) && (defined(__STRICT_ANSI__) || defined(_POSIX_SOURCE) ||             \
                                  defined(_XOPEN_SOURCE) || defined(_ISOC99_SOURCE))
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#if defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE 1
#endif
#endif

#include <stddef.h>
#include <stdint.h>

/* ==========================================================================
 * >>options   build switches: define before including, each 0 or 1
 *
 * BIOSTREAM_IMPLEMENTATION   emit the code here; in exactly one C or C++ file, which includes this
 *                            header first
 * BIOSTREAM_STATIC           all functions static, for a library inside one file; wherever the
 *                            header is included
 * BIOSTREAM_NO_LIBDEFLATE    link nothing: CRC-32 comes from our own kernels, slower than libdeflate's
 *                            without PCLMULQDQ; where BIOSTREAM_IMPLEMENTATION is defined
 * ========================================================================== */

/* Empty, as in "#define BIOSTREAM_STATIC", counts as 1. */
#ifdef BIOSTREAM_STATIC
#if (1 - BIOSTREAM_STATIC - 1) == 2 || (BIOSTREAM_STATIC + 0)
#define BIOST_API static
#endif
#endif
#ifndef BIOST_API
#define BIOST_API extern
#endif

/* ==========================================================================
 * >>declare   version, language glue
 * ========================================================================== */

#define BIOST_VERSION_MAJOR 0
#define BIOST_VERSION_MINOR 1
#define BIOST_VERSION_PATCH 0

#if defined(__GNUC__) || defined(__clang__)
#define BIOST_MUST_USE __attribute__((warn_unused_result))
#else
#define BIOST_MUST_USE
#endif

/* ==========================================================================
 * >>types   result codes, faults, errors, records, tensors, batches
 * ========================================================================== */

/*
 * What the caller does about it. 0 is success, positive values are statuses, negative ones errors.
 */
typedef enum biost_result {
    BIOST_OK = 0,
    BIOST_END = 1,              /* verified end of all input (of the epoch, for a loader) */
    BIOST_PENDING = 2,          /* not ready or not known yet: ask again */
    BIOST_CANCELLED = 3,        /* biost_loader_cancel or biost_stream_cancel was called; stays until close */
    BIOST_ERR_ARG = -1,         /* the call or the desc is wrong; the sentence names the fields */
    BIOST_ERR_NOMEM = -2,       /* an allocation failed */
    BIOST_ERR_IO = -3,          /* the system could not open or read; see os_error */
    BIOST_ERR_UNSUPPORTED = -4, /* well understood, but not there: another codec, a missing feature */
    BIOST_ERR_GZIP = -5,        /* the compressed bytes are damaged */
    BIOST_ERR_TEXT = -6,        /* the text is not FASTQ or FASTA where the sentence says */
    BIOST_ERR_TOO_LONG = -7,    /* a record is over a cap; the sentence names the field to raise */
    BIOST_ERR_SLOTS = -8,       /* all slots or pages are held by the caller: release one first */
    BIOST_ERR_STALE = -9,       /* an input changed since open, or a token is for other input */
    BIOST_ERR_THREAD = -10,     /* the system could not make a thread or a lock */
    BIOST_ERR_DEVICE = -11      /* no GPU, no driver, or a call to it failed; see os_error */
} biost_result;

/* What exactly is wrong, for programs; people read biost_error.text. The names are stable. */
typedef enum biost_fault {
    BIOST_FAULT_NONE = 0,
    /* the call */
    BIOST_FAULT_ARGUMENT,
    BIOST_FAULT_MEMORY,
    BIOST_FAULT_THREAD,
    BIOST_FAULT_UNSUPPORTED,
    BIOST_FAULT_SLOTS,
    BIOST_FAULT_STATE,          /* the right call at the wrong time, as a second release */
    /* the source */
    BIOST_FAULT_OPEN,
    BIOST_FAULT_READ,
    BIOST_FAULT_DIRECTORY,
    BIOST_FAULT_CHANGED,        /* size or time differ from those at open */
    BIOST_FAULT_CODEC,          /* zstd, bzip2, xz or zip */
    /* gzip */
    BIOST_FAULT_NOT_GZIP,
    BIOST_FAULT_BAD_HEADER,
    BIOST_FAULT_BAD_DEFLATE,
    BIOST_FAULT_BAD_CRC,
    BIOST_FAULT_BAD_ISIZE,
    BIOST_FAULT_BAD_BGZF,
    BIOST_FAULT_TRAILING_GARBAGE,
    BIOST_FAULT_TRUNCATED,      /* the file ends inside a member, or the text inside a record */
    /* the text */
    BIOST_FAULT_BAD_START,      /* neither '>' nor '@' where a record must start */
    BIOST_FAULT_UTF16,
    BIOST_FAULT_NUL,
    BIOST_FAULT_CR_IN_LINE,
    BIOST_FAULT_BAD_SEQ,        /* a line that cannot be sequence where sequence must be */
    BIOST_FAULT_BAD_SEQ_BYTE,
    BIOST_FAULT_BAD_SEP,        /* no '+' line where it must be */
    BIOST_FAULT_PLUS_MISMATCH,
    BIOST_FAULT_BAD_QUAL_BYTE,
    BIOST_FAULT_LENGTH,         /* sequence and quality differ in length */
    BIOST_FAULT_GT_IN_SEQ,
    BIOST_FAULT_FASTQ_IN_FASTA,
    BIOST_FAULT_COMMENT_LINE,
    BIOST_FAULT_BLANK_LINE,     /* text.pedantic */
    BIOST_FAULT_NO_NAME,        /* text.pedantic */
    BIOST_FAULT_NO_RECORD,      /* text.require_record */
    BIOST_FAULT_BAD_LETTER,     /* text.letters */
    BIOST_FAULT_FORMAT,         /* FASTA where the other inputs are FASTQ, or the reverse */
    BIOST_FAULT_PAIR_NAME,      /* records that belong together have other names */
    BIOST_FAULT_PAIR_COUNT,     /* inputs that belong together have other numbers of records */
    BIOST_FAULT_RECORD_TOO_LONG,/* over max_record_bytes */
    BIOST_FAULT_ROW_TOO_LONG,   /* more bases than a row holds */
    BIOST_FAULT_TOO_MANY,       /* more paths or records than an id can number */
    BIOST_FAULT_NO_QUALITY,     /* qualities asked of FASTA */
    /* the token */
    BIOST_FAULT_TOKEN_DAMAGED,
    BIOST_FAULT_TOKEN_DESC,     /* made under another desc */
    BIOST_FAULT_TOKEN_INPUT,    /* made over other input */
    /* the device */
    BIOST_FAULT_DEVICE,         /* a call to it failed */
    BIOST_FAULT_NO_DEVICE,      /* there is none, or no driver */
    BIOST_FAULT_COUNT
} biost_fault;

/* Warnings are bits: something was unusual and nothing was lost. */
enum {
    BIOST_WARN_BOM = 1u << 0,            /* a UTF-8 byte order mark was skipped */
    BIOST_WARN_BLANK_LINES = 1u << 1,    /* blank lines before, between or inside records */
    BIOST_WARN_BLANKS_REMOVED = 1u << 2, /* blanks or tabs inside FASTA sequence lines were left out */
    BIOST_WARN_ZERO_PADDING = 1u << 3,   /* zero bytes stand after the last gzip member */
    BIOST_WARN_NO_EOF_BLOCK = 1u << 4,   /* BGZF without its empty last block: perhaps cut off there */
    BIOST_WARN_IGNORED_BYTES = 1u << 5,  /* gzip.ignore_garbage: bytes after the last member were left out */
    BIOST_WARN_SKIPPED_RECORDS = 1u << 6, /* text.skip_bad: bad records were left out */
    BIOST_WARN_SKIPPED_COMMENTS = 1u << 7, /* text.skip_comments: lines were left out */
    BIOST_WARN_REPLACED_LETTERS = 1u << 8, /* text.replace_letters: some letters became N, or X */
    BIOST_WARN_SAME_READ = 1u << 9       /* pairs: the comments of all mates say the same read, as "1:N:0" */
};

typedef enum biost_format {
    BIOST_FORMAT_EMPTY = 0,     /* no record seen (yet) */
    BIOST_FORMAT_FASTA = 1,
    BIOST_FORMAT_FASTQ = 2
} biost_format;

/*
 * The first thing that went wrong, filled once and kept until close. `text` is the whole sentence,
 * with file, record and line counted from 1 and bytes outside 32..126 escaped; print it as it is.
 */
typedef struct biost_error {
    biost_result code;
    biost_fault fault;
    uint32_t path_index;        /* which input */
    int32_t os_error;           /* errno or GetLastError, else 0 */
    uint64_t record;            /* 0-based record in its file */
    uint64_t line;              /* 1-based line where the fault shows; 0: none */
    uint64_t text_offset;       /* byte of the decompressed text */
    uint64_t source_offset;     /* byte of the file as it lies there */
    char text[256];
} biost_error;

/* What filters ask of a sequence and its quality, counted while they are checked. */
typedef struct biost_stats {
    uint64_t qual_sum;          /* of Phred scores; all four of quality are 0 for FASTA */
    uint64_t error_sum;         /* expected wrong bases, the sum of 10^(-Q/10), times 2^31 */
    uint64_t acgt_count;        /* A C G T, both cases; U is none of them */
    uint64_t gc_count;          /* G C, both cases */
    uint64_t n_count;           /* N, both cases */
    uint32_t qual_min, qual_max; /* lowest and highest Phred score; of no bases 0 */
} biost_stats;

/*
 * One record, borrowed: the pointers are valid until the next call on the reader. Nothing is
 * NUL-terminated.
 */
typedef struct biost_record {
    const char *title;          /* [title_bytes]   the title line as it stood, from behind '@' or '>' */
    const char *name;           /* [name_bytes]    first word of the title */
    const char *comment;        /* [comment_bytes] what follows the one blank or tab behind the name */
    const char *seq;            /* [seq_bases]     sequence lines joined, case kept */
    const char *qual;           /* [seq_bases]     quality characters, Phred + 33; NULL for FASTA */
    size_t title_bytes, name_bytes, comment_bytes;
    size_t seq_bases;
    uint64_t id;                /* 0-based number of the record in its file */
    uint64_t line;              /* 1-based line of its title */
    uint64_t text_offset;       /* byte of the decompressed text where the record starts */
    const biost_stats *stats;   /* NULL unless desc.stats */
} biost_record;

/*
 * A run of consecutive bases of one record. A FASTQ record is one run. A FASTA sequence that ends in
 * another page of text than it starts in comes as several, each with as much as stood in its page;
 * one of them may have no bases.
 */
typedef struct biost_run {
    biost_record record;        /* seq, qual and stats are the run's; title, name and comment have
                                   0 bytes but in the first */
    uint64_t start_base;        /* of the run, in the record */
    int is_first, is_last;      /* nonzero: the record starts, or ends, with this run */
} biost_run;

enum {                          /* biost_record_row.flags */
    BIOST_RUN_STARTED = 1u << 0, /* the record started in an earlier page: no title here */
    BIOST_RUN_GOES_ON = 1u << 1 /* and ends in a later one */
};

/* A record, or a run of one, in a page's table; offsets count from biost_record_page.text. */
typedef struct biost_record_row {
    uint32_t start;             /* byte of '@' or '>', the title follows it; of no use with RUN_STARTED */
    uint32_t title_bytes;
    uint32_t seq;               /* byte of the first base */
    uint32_t bases;
    uint32_t qual;              /* byte of the first quality character; 0: FASTA */
    uint32_t line;              /* lines behind biost_record_page.line */
    uint32_t text_offset;       /* bytes of the decompressed text behind biost_record_page.text_offset */
    uint32_t flags;             /* BIOST_RUN_* */
} biost_record_row;

/*
 * A page of text and the table of its records, lent from biost_reader_next_page to
 * biost_reader_release_page. Rows follow one another in the file: row i is record id + i. Sequences
 * are joined, qualities too; any thread may read all of it.
 */
typedef struct biost_record_page {
    const char *text;           /* bytes that no row names mean nothing */
    const biost_record_row *rows; /* [row_count] */
    const biost_stats *stats;   /* [row_count], or NULL unless desc.stats */
    uint32_t row_count;         /* > 0 */
    biost_format format;
    uint64_t id;                /* of row 0, as in biost_record */
    uint64_t line, text_offset; /* what those of the rows count from */
    uint64_t start_base;        /* of row 0, in its record; other rows start at 0 */
    uint32_t slot, generation;  /* say which loan this is; biost_reader_release_page checks them */
} biost_record_page;

/* Numbers may be added to these, never changed: they are in tokens and digests. */
typedef enum biost_dtype {
    BIOST_DTYPE_U8 = 0,
    BIOST_DTYPE_F16 = 1,        /* IEEE 754 binary16; 1.0 is 0x3C00 */
    BIOST_DTYPE_F32 = 2,
    BIOST_DTYPE_BF16 = 3,       /* the upper half of an F32, rounded to the nearest, ties to even */
    BIOST_DTYPE_I32 = 4,
    BIOST_DTYPE_I64 = 5,
    BIOST_DTYPE_U16 = 6         /* of biost_encode_kmers only */
} biost_dtype;

typedef enum biost_role {        /* 1 is not used */
    BIOST_ROLE_INPUT = 0,       /* what the model sees: encoded bases */
    BIOST_ROLE_QUALITY = 2,     /* a number per base, from its quality character */
    BIOST_ROLE_MASK = 3,        /* 1 where a base stands, 0 in padding */
    BIOST_ROLE_LABEL = 4        /* what desc.labels made of the record */
} biost_role;

/* A view of one array in a batch; owned by the batch's slot, valid until the batch is released. */
typedef struct biost_tensor {
    void *data;                 /* 256-byte aligned */
    uint64_t bytes;             /* of the whole array, padding rows included */
    int64_t shape[4];           /* outermost first; entries past ndim are 0 */
    int64_t strides[4];         /* in elements */
    uint32_t ndim;
    biost_dtype dtype;
    biost_role role;
    int32_t device;             /* -1: host memory */
    char layout[4];             /* N row, L base, C channel: "NLC", "NCL", "NL", "NC", "N" */
} biost_tensor;

enum {                          /* biost_row.flags */
    BIOST_ROW_REVERSED = 1u << 0, /* the row shows the reverse complement */
    BIOST_ROW_TRUNCATED = 1u << 1, /* a crop of the record: other bases of it were left out */
    BIOST_ROW_NAME_CUT = 1u << 2 /* the name is longer than desc.name_bytes */
};

/* The parts of a row's id: the index of its path, and the 0-based number of its record in that file. */
#define BIOST_ID_PATH(id) ((uint32_t)((uint64_t)(id) >> 40))
#define BIOST_ID_RECORD(id) ((uint64_t)(id) & (((uint64_t)1 << 40) - 1))

/* Where a row came from. */
typedef struct biost_row {
    int64_t id;                 /* path index << 40 | record number; -1: padding. See BIOST_ID_PATH */
    int64_t start_base;         /* lowest base of the row, 0-based, in the record as it stands in the
                                   file; of a REVERSED row that is its last */
    uint32_t piece;             /* number of the piece of that record */
    uint32_t flags;             /* BIOST_ROW_* */
} biost_row;

enum {                          /* biost_batch.flags */
    BIOST_BATCH_LAST = 1u << 0,         /* no row of this epoch follows; where BIOST_TAIL_DROP leaves rows out
                                           no batch has it */
    BIOST_BATCH_SHORT = 1u << 1,        /* fewer rows than batch_rows / world */
    BIOST_BATCH_BEFORE_ERROR = 1u << 2  /* the next call of biost_loader_next returns an error */
};

/* One batch, lent from biost_loader_next to biost_loader_release. */
typedef struct biost_batch {
    uint64_t epoch, index;      /* batch number within the epoch, equal on all ranks */
    uint32_t rows, valid_rows;  /* rows in the tensors; rows [valid_rows, rows) are padding */
    uint32_t flags;             /* BIOST_BATCH_* */
    uint32_t tensor_count;
    biost_tensor x;             /* the model's input; also tensors[0] */
    const biost_tensor *tensors; /* [tensor_count] in the order of biost_role, those asked for */
    const int32_t *lengths;     /* [rows] bases in each row before padding; 0 for padding rows */
    void *slab;                 /* [slab_bytes] one range that holds lengths and all tensors, in this order,
                                   each at a multiple of 256 bytes, for a single copy to a device; what
                                   lies between them is 0 */
    uint64_t slab_bytes;
    const biost_row *origins;   /* [rows] */
    const char *names;          /* with desc.names: the name of row i, NUL-terminated, empty for padding
                                   rows, is at names + name_offsets[i]; else NULL */
    const uint32_t *name_offsets; /* [rows], or NULL */
    uint64_t digest;            /* sum of the digests of the valid rows; 0 unless desc.digest */
    uint32_t slot, generation;  /* say which loan this is; biost_loader_release checks them */
} biost_batch;

/* How far a stream is. It may read ahead of the caller; at BIOST_END all counts are exact. */
typedef struct biost_text_progress {
    uint64_t source_bytes;      /* read from the input */
    uint64_t source_total_bytes; /* its size; 0 if that is not known, as of a pipe */
    uint64_t text_bytes;        /* decompressed and handed to the caller */
    uint64_t member_count;      /* gzip members verified, BGZF blocks among them */
    uint64_t block_count;       /* BGZF blocks among those */
} biost_text_progress;

/*
 * Plain gzip decoded ahead of its turn, from where a block may start. A start that was wrong costs time; what
 * the text is depends on none of these.
 */
typedef struct biost_ahead_counters {
    uint64_t ahead_count;       /* chunks looked at ahead of their turn */
    uint64_t entered_count;     /* of these, where an earlier epoch had kept a block's start */
    uint64_t guessed_count;     /* of the others, with what may be the start of a block */
    uint64_t accepted_count;    /* of all, where a block does start: their text was taken as decoded */
    uint64_t redecoded_count;   /* chunks looked at in vain, and decoded again in their turn */
} biost_ahead_counters;

/* How far a reader is. At BIOST_END all counts are exact. */
typedef struct biost_record_progress {
    uint64_t source_bytes;      /* read from the input; may run ahead */
    uint64_t source_total_bytes; /* its size; 0 if that is not known, as of a pipe */
    uint64_t text_bytes;        /* decompressed and taken for records */
    uint64_t record_count;      /* good records found, perhaps not all handed out yet */
    uint64_t skipped_count;     /* bad records left out; see biost_text.skip_bad */
    uint64_t blank_count;       /* blanks and tabs left out of sequence lines */
} biost_record_progress;

/* Decompressed text, borrowed: valid until the next read or next_page on the stream, or close. */
typedef struct biost_page {
    const char *text;           /* [text_bytes], not NUL-terminated */
    size_t text_bytes;          /* > 0 */
    uint64_t text_offset;       /* byte of the whole text it starts at */
} biost_page;

/* What this copy of the library is; see biost_features. */
typedef struct biost_feature_set {
    uint32_t version;           /* major << 16 | minor << 8 | patch */
    uint32_t has_libdeflate;    /* 1: CRC-32 comes from libdeflate where no kernel here is faster */
    uint32_t cpu;               /* BIOST_CPU_*: what this processor has and the library knows */
    const char *text;           /* for people, as "biostream 0.1.0, without libdeflate"; static */
} biost_feature_set;

typedef enum biost_drop {       /* which filter left a record out: the first of these that does */
    BIOST_DROP_FIRST_N = 0,
    BIOST_DROP_EVERY_NTH = 1,
    BIOST_DROP_KEEP = 2,        /* filter.keep_from, filter.keep_below */
    BIOST_DROP_LENGTH = 3,
    BIOST_DROP_MEAN_QUALITY = 4,
    BIOST_DROP_ERROR_RATE = 5,
    BIOST_DROP_BASE_QUALITY = 6,
    BIOST_DROP_N = 7,
    BIOST_DROP_USER = 8,        /* filter.keep */
    BIOST_DROP_LABEL = 9,       /* labels.make */
    BIOST_DROP_COUNT = 10
} biost_drop;

/*
 * How far a loader is. All counts are of the epoch begun last, from where it was entered, and exact at its
 * end.
 */
typedef struct biost_progress {
    uint64_t source_bytes;      /* read from the inputs */
    uint64_t source_total_bytes; /* size of all inputs; 0 if that is not known, as of callbacks */
    uint64_t text_bytes;        /* decompressed */
    uint64_t record_count;      /* records seen, before filters */
    uint64_t sample_count;      /* rows-to-be that passed, over all ranks */
    uint64_t filtered_count;    /* records a filter dropped */
    uint64_t dropped[BIOST_DROP_COUNT]; /* those, by the filter */
    uint64_t skipped_count;     /* bad records left out; see biost_text.skip_bad */
    uint64_t tail_dropped_rows; /* samples BIOST_TAIL_DROP left out, over all ranks; known at the end */
} biost_progress;

typedef enum biost_stage {      /* the parts of the pipe; see THE PIPE */
    BIOST_STAGE_READ = 0,       /* bytes of the inputs; one at a time */
    BIOST_STAGE_DECODE = 1,     /* bytes into pages of text, plain gzip in order; one at a time */
    BIOST_STAGE_INFLATE = 2,    /* BGZF blocks, and plain gzip ahead of its turn */
    BIOST_STAGE_SCAN = 3,       /* text into records; one at a time */
    BIOST_STAGE_CHECK = 4,      /* filters and labels */
    BIOST_STAGE_SEQUENCE = 5,   /* every row's place, and copying where rows wait; one at a time */
    BIOST_STAGE_ENCODE = 6,     /* augmenting and encoding */
    BIOST_STAGE_CALLER = 7,     /* the owner of the loader: busy outside biost_loader_next, waiting, or
                                   helping, in it */
    BIOST_STAGE_COUNT = 8
} biost_stage;

/* What one part of the pipe has done since open. */
typedef struct biost_stage_counters {
    uint64_t busy_ns;           /* at work, all workers added up */
    uint64_t waiting_ns;        /* work was ready and no worker free, added up over all pieces of work */
    uint64_t unit_count;        /* pieces of work; of CALLER batches */
    uint64_t bytes;             /* of READ source, of DECODE, INFLATE and SCAN text, of ENCODE and CALLER
                                   tensors; else 0 */
    uint64_t record_count;      /* records of SCAN and CHECK, samples of SEQUENCE, rows of ENCODE and CALLER,
                                   padding not; else 0 */
} biost_stage_counters;

/* Where a loader's time went, since open. */
typedef struct biost_counters {
    biost_stage_counters stages[BIOST_STAGE_COUNT];
    uint64_t elapsed_ns;        /* since the first biost_loader_begin */
    uint64_t slots_full_ns;     /* all batches there is memory for were ready or held by the caller */
    uint32_t workers;           /* threads at work, as set last */
} biost_counters;

/*
 * Memory for the library. Both functions or neither; they are called from the thread that opens or
 * closes an object, and, while a record outgrows its buffer, from whichever thread scans it; for
 * exported tensors from those that export and delete them, which may be after close.
 */
typedef struct biost_allocator {
    void *(*alloc)(size_t bytes, size_t align, void *user_data); /* align: a power of two <= 256 */
    void (*free)(void *memory, size_t bytes, void *user_data);   /* bytes as given to alloc */
    void *user_data;
} biost_allocator;

/*
 * Receives what is worth a line in a log: one complete sentence, no line end: the error that ended an
 * object, a call of a loader that was refused, each bad record that was left out, with their codes.
 * Called by the thread that finds it, of a loader by several at once, with no lock held.
 */
typedef struct biost_log {
    void (*line)(biost_result code, const char *sentence, void *user_data);
    void *user_data;
} biost_log;

/*
 * A host's job system instead of own threads. submit() must arrange that run(argument) is called
 * exactly once, soon, on any thread but never inside submit() itself, also after a cancel: close
 * waits for every call that was asked for. At most workers - 1 calls are asked for at a time, as
 * desc.workers or biost_loader_set_workers says (one that is about to return counts no more): with 1
 * worker (for a stream also 0) none. The caller of next or read helps as always, so work goes on even
 * while the host is busy.
 *
 * submit() is called by any thread that is in a call on the object or in run(), perhaps by several at
 * once, with no lock held. A host with one thread cancels, runs what it was asked for, and closes then.
 */
typedef struct biost_jobs {
    void (*submit)(void (*run)(void *argument), void *argument, void *user_data);
    void *user_data;
} biost_jobs;

/*
 * Files of your own: an archive, an object store. All four functions or none. They replace the
 * system's for desc.path and desc.paths, and run on whichever thread reads, one at a time for one
 * open file. A loader's first token opens each path once more, while it may be read.
 */
typedef struct biost_files {
    void *(*open)(const char *path, void *user_data);        /* NULL: it cannot be opened */
    int64_t (*read_at)(void *file, uint64_t offset, void *to, size_t bytes, void *user_data);
                                /* bytes read, at most `bytes`; 0 at the end; negative: it failed */
    int64_t (*size)(void *file, void *user_data);            /* bytes; negative: it failed */
    void (*close)(void *file, void *user_data);
    void *user_data;
} biost_files;

/*
 * An input that comes piece by piece, as from a pipe or a network. Called on whichever thread
 * reads, one call at a time; it may block, and close waits for it. Text is handed on when 32 KiB have
 * come or the input has ended: biost_reader_open waits for that too.
 */
typedef struct biost_callback {
    int64_t (*read)(void *to, size_t bytes, void *user_data); /* as biost_files.read_at */
    int (*rewind)(void *user_data); /* back to the first byte: 1, or 0 if that failed; may be NULL */
    void *user_data;
    const char *name;           /* for error sentences; NULL = "callback"; copied */
} biost_callback;

/*
 * How strictly gzip is read. All zero is right for most: every member is read and verified, BGZF
 * blocks before anything of them is handed on; zero bytes at the end are accepted with a warning,
 * any other bytes there are an error behind all text.
 */
typedef struct biost_gzip {
    int require;                /* plain text is an error (NOT_GZIP) */
    int no_crc;                 /* do not check CRC-32; lengths are checked still */
    int ignore_bc;              /* read BGZF blocks as plain members, whatever block size they claim */
    int require_eof_block;      /* BGZF without its empty last block is an error (TRUNCATED); no
                                   effect with ignore_bc */
    int refuse_padding;         /* zero bytes after the last member are an error (TRAILING_GARBAGE) */
    int read_past_zeros;        /* a member after zero bytes is read, as Python's gzip does */
    int ignore_garbage;         /* other bytes after a member, or the cut-off start of another's header,
                                   end the text with a warning */
} biost_gzip;

typedef enum biost_letters {    /* which letters a sequence may have, in both cases */
    BIOST_LETTERS_ANY = 0,      /* every byte in 33..126 */
    BIOST_LETTERS_DNA = 1,      /* A C G T N */
    BIOST_LETTERS_DNA_IUPAC = 2, /* and R Y S W K M B D H V */
    BIOST_LETTERS_RNA = 3,      /* A C G U N */
    BIOST_LETTERS_PROTEIN = 4   /* A to Z and '*' */
} biost_letters;

/*
 * How strictly text is read. All zero is right for most: what has one reading only is accepted, as a
 * blank line between records, CRLF or a missing last line end; where it has two, an error tells the
 * line. See WHAT IS ACCEPTED.
 */
typedef struct biost_text {
    int pedantic;               /* blank lines, blanks in FASTA sequences and records without a name are
                                   errors (BLANK_LINE, BAD_SEQ_BYTE, NO_NAME) */
    int four_lines;             /* a FASTQ record of more lines is an error: at its third line, which is not
                                   '+' (BAD_SEP), or at the fourth, which is too short (LENGTH) */
    int require_record;         /* text without any record is an error (NO_RECORD) */
    int skip_comments;          /* leave out lines that start with '#' or ';' before the first record, and
                                   with ';' inside FASTA */
    int strip_blanks;           /* leave out blanks and tabs at the end of FASTQ sequence lines */
    int keep_gt;                /* '>' behind a base of a FASTA sequence line is a base too */
    int ignore_plus;            /* what stands behind '+' may be anything but NUL and CR */
    int phred64;                /* qualities are Phred + 64 in the file; they are handed out as Phred + 33,
                                   and bytes below 64 are an error (BAD_QUAL_BYTE) */
    int replace_letters;        /* letters outside `letters` become N, for proteins X, and are no error */
    biost_letters letters;      /* others are an error (BAD_LETTER); 0 = any */
    uint64_t skip_bad;          /* leave out this many bad records before one is an error; UINT64_MAX =
                                   all. What lies between two good records counts as one. Reading goes
                                   on at the next line that starts a record: '>', or for FASTQ '@' where
                                   four lines of equal lengths and '+' stand. Each
                                   is told to desc.log. A cut-off end stays an error, and so does what
                                   stands before the first record. A loader counts over all its inputs,
                                   anew in each epoch */
} biost_text;

/* An input that already lies in memory; borrowed until close. */
typedef struct biost_memory {
    const void *data;           /* [bytes]; not NULL for a stream or reader, even of no bytes */
    size_t bytes;
    const char *name;           /* for error sentences; NULL = "memory"; copied */
} biost_memory;

typedef enum biost_encode {
    BIOST_ENCODE_ONEHOT = 0,    /* a channel for each letter: 1 in that of the base, else 0 */
    BIOST_ENCODE_TOKENS = 1     /* a number for each base */
} biost_encode;

typedef enum biost_layout {
    BIOST_LAYOUT_NLC = 0,       /* one-hot [rows][bases][channels] */
    BIOST_LAYOUT_NCL = 1        /* one-hot [rows][channels][bases] */
} biost_layout;

/* What one-hot makes of a code of bases that has no channel. Bytes that are no code are 0 under each. */
typedef enum biost_ambiguous {
    BIOST_AMBIGUOUS_ZERO = 0,   /* all channels 0 */
    BIOST_AMBIGUOUS_N = 1,      /* N is 1/4 in each; the other codes of two or three bases are 0 */
    BIOST_AMBIGUOUS_IUPAC = 2,  /* and the codes of two or three bases are 1/2, or 1/3, in each of theirs */
    BIOST_AMBIGUOUS_HELIXER = 3 /* the same with 0.33 for 1/3, as Helixer's models were trained */
} biost_ambiguous;

typedef enum biost_lower_case { /* what one-hot makes of lower case, which marks soft-masked bases */
    BIOST_LOWER_CASE_FOLD = 0,  /* the same as upper case */
    BIOST_LOWER_CASE_CHANNEL = 1, /* the same, and 1 in one more channel behind the others */
    BIOST_LOWER_CASE_N = 2      /* the same as N */
} biost_lower_case;

typedef enum biost_pad_side {
    BIOST_PAD_RIGHT = 0,        /* padding behind the bases */
    BIOST_PAD_LEFT = 1          /* padding in front of them */
} biost_pad_side;

/* How bases become numbers. All zero: one-hot u8, [rows][bases][4], A C G T, all else and padding 0. */
typedef struct biost_encoding {
    biost_encode kind;          /* 0 = BIOST_ENCODE_ONEHOT */
    biost_dtype dtype;          /* one-hot U8, F16, BF16 or F32; tokens U8, I32 or I64 */
    biost_layout layout;        /* of one-hot; 0 = BIOST_LAYOUT_NLC */
    const char *channels;       /* of one-hot: the letter of each channel, A to Z, each at most once;
                                   NULL = "ACGT"; copied. Where one of T and U is named, the other counts
                                   as it */
    biost_ambiguous ambiguous;  /* of one-hot; other than 0: floats, and channels of A C G and T or U only */
    biost_lower_case lower_case; /* of one-hot */
    const int32_t *tokens;      /* [256] the token of each byte of a sequence; NULL = A 1, C 2, G 3, T and U
                                   4, all else 5; copied */
    int32_t pad_value;          /* padding, in all channels; of U8 0..255, of BF16 -256..256, of F16
                                   -2048..2048, of F32 -2^24..2^24 */
    biost_pad_side pad_side;    /* 0 = BIOST_PAD_RIGHT; of qualities and mask too */
} biost_encoding;

typedef enum biost_quality {    /* what a quality character becomes; padding is 0 */
    BIOST_QUALITY_NONE = 0,
    BIOST_QUALITY_PHRED = 1,    /* Q, 0..93; U8 or F32 */
    BIOST_QUALITY_ERROR = 2     /* 10^(-Q/10), the chance that the base is wrong; F32 */
} biost_quality;

/* Random words of one row: the same whenever, and on whichever thread, they are drawn. */
typedef struct biost_random {
    uint32_t key[2], counter[4], words[4], left; /* the library's */
} biost_random;

/* A row on its way to the encoder, for augment.change, which may change what it points to. */
typedef struct biost_sample {
    char *seq;                  /* [bases] */
    char *qual;                 /* [bases] quality characters, Phred + 33; NULL: FASTA */
    uint32_t bases;             /* may be made smaller */
    uint32_t piece, flags;      /* as in biost_row */
    int64_t id, start_base;     /* likewise */
} biost_sample;

/*
 * Which records become samples: those that pass all of these, judged as they stand in the file and in
 * the order of biost_drop. 0 = no such filter.
 */
typedef struct biost_filter {
    uint64_t min_length;        /* bases, inclusive */
    uint64_t max_length;        /* bases, inclusive */
                                /* each of the next three leaves out records without bases */
    float min_mean_quality;     /* arithmetic mean of Phred values, in steps of 1/1000; 0..93 */
    float max_error_rate;       /* mean of 10^(-Q/10), the chance of a wrong base, in steps of 2^-31; 0..1;
                                   0.01 is Q20 */
    uint32_t min_base_quality;  /* lowest Phred value; 0..93 */
    float max_n;                /* N and n per base, in steps of 1/1000000; 0..1 */
    int no_n;                   /* no N at all; not with max_n */
    float keep_from, keep_below; /* by a hash of (seed, id) in [0, 1), the same in every epoch: from <= hash
                                   < below; keep_below 0 = 1, and it must be over keep_from. So 0, 0.9 and
                                   0.9, 1 are a split without overlap, given the same seed and inputs */
    uint64_t first_n;           /* only the first so many records, counted over all inputs; the others are
                                   read and verified all the same */
    uint64_t every_nth;         /* records 0, n, 2n, ..., likewise; 0 and 1 = all */
    int (*keep)(const biost_record *record, int64_t id, void *user_data);
                                /* a function of its arguments: 1 keeps the record, 0 drops it. Called for
                                   each record that passed the filters above, in each epoch and on every
                                   rank, on any threads at once; after a resume perhaps for records before
                                   it. id as in biost_row; *record, with stats, is borrowed for the call */
    void *user_data;
} biost_filter;

/* Random changes of each row, in the order of the fields. Drawn from (seed, epoch, id, piece). */
typedef struct biost_augment {
    uint32_t crop_bases;        /* a longer record shows so many bases of it, from a random one on; at most
                                   row_bases, or max_row_bases; not with BIOST_LONG_SPLIT */
    float reverse_complement;   /* probability per row, 0..1 */
    float substitute;           /* probability per base of another of A C G T, case kept, 0..1; N and other
                                   codes are left alone */
    float inject_n;             /* probability per base of N, case kept, 0..1; qualities stay */
    void (*change)(biost_sample *sample, biost_random *random, void *user_data);
                                /* a stage of your own, last: a function of the sample and the random words.
                                   Called on any threads at once */
    void *user_data;
} biost_augment;

/* A number, or several, for each row, made of its record. */
typedef struct biost_labels {
    int (*make)(const biost_record *record, int64_t id, void *out_label, void *user_data);
                                /* NULL = no labels. Fills out_label, [width] of dtype, one where width is 0,
                                   zero before and aligned to dtype; 1 keeps the record, 0 drops it. Called
                                   as filter.keep, for records that passed all filters; pieces of a record
                                   share its label */
    void *user_data;
    biost_dtype dtype;
    uint32_t width;             /* 0 = one number, a tensor [rows]; else [rows][width]; at most 65536 */
} biost_labels;

/* ==========================================================================
 * >>descs   what to open; zero means the default named beside the field
 *
 * [data] decides what the batches hold; part of a token. [machine] never changes a byte of a batch.
 * [place] says which slice of each batch this process takes. [must] has no default. Fields without a
 * mark add something to a batch or say where to begin.
 * ========================================================================== */

/*
 * Whether workers decode plain gzip ahead of its turn: from where a block may start, which counts only if
 * decoding in order arrives there. So text, errors and their places are the same in any case. It takes 1.3
 * MiB for each of 4 (workers + 1) pieces of source, allocated where such an input is met.
 */
typedef enum biost_ahead {
    BIOST_AHEAD_AUTO = 0,       /* of 1 MiB and more; with one worker only in a loader, with two or fewer not
                                   of text that is nearly all literals */
    BIOST_AHEAD_NEVER = 1,
    BIOST_AHEAD_ALWAYS = 2      /* with one worker and of short inputs too */
} biost_ahead;

/* The objects; only the library looks inside. */
typedef struct biost_stream biost_stream;
typedef struct biost_reader biost_reader;
typedef struct biost_pairs biost_pairs;
typedef struct biost_loader biost_loader;

/* A stream: the decompressed text of one input, in order. */
typedef struct biost_stream_desc {
    const char *path;           /* [must, or memory or callback] file: plain, gzip or BGZF; UTF-8 */
    biost_memory memory;        /* bytes to read instead of a path */
    biost_callback callback;    /* or a function that brings them */
    biost_gzip gzip;            /* [data] 0 = strict */
    uint32_t workers;           /* [machine] threads at work, the helping caller included; 0 or 1 = none
                                   is made; at most 256. They inflate BGZF by the block, and plain gzip
                                   ahead of its turn; see biost_ahead */
    biost_jobs jobs;            /* [machine] 0 = own threads; used with workers >= 2 */
    biost_files files;          /* [machine] 0 = the system's */
    int map;                    /* [machine] map plain FASTQ files into memory instead of reading them;
                                   whatever else, or cannot be mapped, is read. A mapped file that
                                   shrinks, or a device that fails, kills the process; what was read
                                   of it counts as the process's memory. 0 = read */
    biost_allocator allocator;  /* [machine] 0 = malloc and free */
    biost_log log;              /* [machine] 0 = silent */
    struct {                    /* [machine] for tests; 0 = the real values */
        uint32_t page_bytes;    /* text decoded at a time; >= 16 */
        uint32_t chunk_bytes;   /* source read at a time; >= 1 */
        uint32_t page_count;    /* pages in flight; >= 2 */
        uint32_t cpu_hidden;    /* BIOST_CPU_* not to be used */
        biost_ahead ahead;      /* whether plain gzip is decoded ahead of its turn */
        uint64_t order_seed;    /* run ready tasks in an order drawn from this seed */
    } test;
} biost_stream_desc;

/* A reader: records of one input, in order, through straight calls in the caller. */
typedef struct biost_reader_desc {
    const char *path;           /* [must, or memory, callback, stream] file: plain, gzip or BGZF; UTF-8 */
    biost_memory memory;        /* bytes to read instead of a path */
    biost_callback callback;    /* or a function that brings them */
    biost_stream *stream;       /* or what is left of an open stream; records and lines count from there. It
                                   belongs to the reader until that is closed, then to you again, to
                                   close, without the pages the reader took. The fields marked [own] are
                                   the stream's, and must be 0 here */
    biost_gzip gzip;            /* [own] 0 = strict */
    biost_text text;            /* 0 = strict */
    int stats;                  /* count biost_stats for each record */
    uint64_t max_record_bytes;  /* longest record, in bytes of text; 0 = 64 MiB. It does not bound the
                                   sequence of FASTA read by next_page or next_run */
    uint32_t page_count;        /* pages that may be held at a time; 0 = 2; at most 1024. A stream given
                                   allows 1, or with W > 1 workers W + 2 */
    uint32_t workers;           /* [own] threads at work, the caller included; 0 or 1 = none is made; at
                                   most 256. They read ahead and inflate */
    biost_jobs jobs;            /* [own] 0 = own threads; used with workers >= 2 */
    biost_files files;          /* [own] 0 = the system's */
    int map;                    /* [own] map plain FASTQ files into memory; see biost_stream_desc. 0 = read */
    biost_allocator allocator;  /* 0 = malloc and free */
    biost_log log;              /* 0 = silent */
    struct {                    /* for tests; 0 = the real values */
        uint32_t page_bytes;    /* [own] text decoded at a time; >= 16 */
        uint32_t chunk_bytes;   /* [own] source read at a time; >= 1 */
        uint32_t row_count;     /* rows of a table; >= 1 */
        uint32_t cpu_hidden;    /* BIOST_CPU_* not to be used */
        biost_ahead ahead;      /* [own] whether plain gzip is decoded ahead of its turn */
        uint64_t order_seed;    /* [own] run ready tasks in an order drawn from this seed */
        int general;            /* the general parser alone, without the fast path */
    } test;
} biost_reader_desc;

/* Pairs: records that belong together, from several readers in step or one where they alternate. */
typedef struct biost_pairs_desc {
    biost_reader *const *readers; /* [must] [reader_count] open, of one format; borrowed until close,
                                   and nobody else's till then; closed after the pairs */
    uint32_t reader_count;      /* [must] 1..16; 1: an interleaved file */
    uint32_t mates;             /* records that belong together, where reader_count is 1; 2..16, 0 = 2;
                                   else 0 or reader_count */
    int ignore_names;           /* do not compare names */
    biost_allocator allocator;  /* 0 = malloc and free */
    biost_log log;              /* 0 = silent */
} biost_pairs_desc;

/* What becomes of a record with more bases than a row: than row_bases, or max_row_bases where that is 0. */
typedef enum biost_long_records {
    BIOST_LONG_FAIL = 0,        /* an error that names the field */
    BIOST_LONG_SPLIT = 1,       /* pieces of row_bases, which must be given, one every split_stride; the last
                                   may be shorter */
    BIOST_LONG_HEAD = 2,        /* its first bases, as many as fit */
    BIOST_LONG_TAIL = 3,        /* its last */
    BIOST_LONG_CENTER = 4,      /* those in the middle, from base (bases - row_bases) / 2 on, rounded down */
    BIOST_LONG_CROP = 5         /* from a random base on, as augment.crop_bases does */
} biost_long_records;

typedef enum biost_tail {       /* what becomes of the rows that fill no whole batch */
    BIOST_TAIL_PAD = 0,         /* delivered, padded with empty rows; valid_rows tells */
    BIOST_TAIL_SHORT = 1,       /* delivered with fewer rows, perhaps none on some rank */
    BIOST_TAIL_DROP = 2         /* left out and counted; but before an error padded and delivered */
} biost_tail;

/* A loader: batches of many inputs, shuffled, augmented and encoded by a pool of threads. */
typedef struct biost_loader_desc {
    const char *const *paths;   /* [must, or memories or callbacks] [path_count] files, read in this order;
                                   copied */
    uint32_t path_count;        /* 1..8388607 */
    uint32_t memory_count;      /* inputs in memory instead of paths */
    const biost_memory *memories; /* [memory_count] */
    uint32_t callback_count;    /* inputs brought by functions instead; they give no tokens */
    const biost_callback *callbacks; /* [callback_count] copied */

    uint32_t batch_rows; /* [data] rows of the global batch, over all ranks; 1..1048576; 0 = 256 */
    uint32_t row_bases;         /* [data] most bases of a row, up to 2^28; 0 = longest of the global batch */
    uint32_t max_row_bases;     /* [data] cap where row_bases is 0, up to 2^28; 0 = 1024 */
    uint32_t pad_multiple;      /* [data] columns are bases rounded up to a multiple of this; up to 4096;
                                   0 = 1, and 8 where row_bases is 0 */
    biost_long_records long_records; /* [data] longer records; 0 = BIOST_LONG_FAIL */
    uint32_t split_stride;      /* [data] from one piece's start to the next's, with BIOST_LONG_SPLIT; at most
                                   row_bases; 0 = that */
    biost_tail tail;            /* [data] 0 = BIOST_TAIL_PAD */
    biost_encoding encoding;    /* [data] of batch.x; 0 = one-hot u8 */
    struct {                    /* a tensor [rows][columns] of qualities, which FASTA has none of */
        biost_quality kind;     /* [data] 0 = no such tensor */
        biost_dtype dtype;      /* [data] U8 or F32 */
    } quality;
    int mask;                   /* [data] a tensor u8 [rows][columns]: 1 for bases, 0 for padding */
    biost_labels labels;        /* [data] a tensor of labels; 0 = none */
    int names;                  /* make biost_batch.names */
    uint32_t name_bytes;        /* most bytes of a name, a longer one is cut; 1..65536; 0 = 128 */
    biost_filter filter;        /* [data] 0 = every record */
    biost_augment augment;      /* [data] 0 = no change */
    uint32_t shuffle_rows;      /* [data] window of the shuffle, in rows; 0 or 1 = stream order */
    uint64_t seed;              /* [data] of shuffle, augmentation and filter.keep_from */
    uint64_t max_record_bytes;  /* [data] longest record, in bytes of text; 0 = 64 MiB; < 2 GiB */

    uint32_t rank;              /* [place] 0..world-1 */
    uint32_t world;             /* [place] number of ranks; divides batch_rows; 0 = 1 */
    const void *token;          /* continue where this token was taken; copied */
    size_t token_bytes;         /* 0 = start at epoch 0 */
    int digest;                 /* make biost_batch.digest */
    biost_gzip gzip;            /* [data] 0 = strict */
    biost_text text;            /* [data] 0 = strict */

    uint32_t workers;           /* [machine] threads at work, the helping caller included; 1 = none is
                                   made; 0 = usable cores, at least 2; at most 256 */
    uint32_t slots; /* [machine] batches in flight or held by the caller; 1..1024; 0 = 4 */
    uint64_t epochs;            /* [machine] how many there will be: none from this number on is begun ahead;
                                   0 = not known. See biost_loader_begin */
    biost_jobs jobs;            /* [machine] 0 = own threads; used with workers >= 2 */
    uint64_t checkpoint_bytes;  /* [machine] most memory for points of plain gzip from which later epochs
                                   decode, 4 to 6 kB each; 0 = 16 MiB; below 33040 none are kept */
    biost_files files;          /* [machine] 0 = the system's */
    int map;                    /* [machine] map plain FASTQ files into memory; see biost_stream_desc.
                                   0 = read */
    biost_allocator allocator;  /* [machine] 0 = malloc and free */
    biost_allocator slot_allocator; /* [machine] memory of the batches' tensors, one block a slot, as of a
                                   GPU's host; write-combined is fine without `digest`, which reads
                                   them; 0 = allocator */
    biost_log log;              /* [machine] 0 = silent */
    struct {                    /* [machine] for tests; 0 = the real values */
        uint32_t page_bytes;    /* text decoded at a time; >= 16 */
        uint32_t chunk_bytes;   /* source read at a time; >= 1 */
        uint32_t page_count;    /* pages in flight; >= 2 */
        uint32_t cpu_hidden;    /* BIOST_CPU_* not to be used */
        biost_ahead ahead;      /* whether plain gzip is decoded ahead of its turn */
        uint64_t order_seed;    /* run ready tasks in an order drawn from this seed */
    } test;
} biost_loader_desc;

/* ==========================================================================
 * >>api   the calls, by layer
 * ========================================================================== */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- loader: batches ---------------------------------------------------- */

/*
 * Open inputs and start the workers.
 *
 *   desc        in    may go away after the call, except memories' bytes
 *   out_loader  out   the loader; NULL unless BIOST_OK
 *   out_error   out   what is wrong, in a sentence; may be NULL
 *
 * Looks at every path once: it must exist, and its first bytes tell FASTA from FASTQ. Reading
 * begins at the first biost_loader_begin.
 *
 * Returns: BIOST_OK; ERR_ARG (the sentence names the fields), ERR_IO, ERR_NOMEM, ERR_THREAD,
 *          ERR_UNSUPPORTED (another codec, a pipe), ERR_TEXT (inputs of different format),
 *          ERR_STALE (the token is for other input). ERR_ARG is also a token that is damaged or of
 *          another desc, and qualities asked of FASTA.
 * Owner:   the caller; ends with biost_loader_close.
 * Threads: makes workers - 1, none with desc.jobs.
 */
BIOST_API BIOST_MUST_USE biost_result biost_loader_open(const biost_loader_desc *desc,
                                                        biost_loader **out_loader,
                                                        biost_error *out_error);

/* The epoch to begin first: 0, or the one the token was taken in. Threads: any. */
BIOST_API uint64_t biost_loader_first_epoch(const biost_loader *loader);

/* The batch that epoch starts with: 0, or the one behind the token's. Threads: any. */
BIOST_API uint64_t biost_loader_first_batch(const biost_loader *loader);

/*
 * Begin an epoch. What is left of the one under way is abandoned; batches the caller holds stay
 * valid. After open with a token the first call must name biost_loader_first_epoch and continues
 * behind the token's batch.
 *
 * When all rows of epoch e are encoded, the workers go on with those of e + 1, while batches of e are
 * still taken: begin(e + 1) then finds batches ready, any other begin abandons them. So inputs may be
 * read behind the last epoch you want, unless desc.epochs names it; callbacks are never read ahead.
 *
 * Returns: BIOST_OK; the loader's error, once there is one; ERR_ARG (another epoch than the
 *          token's); CANCELLED.
 * Threads: owner only.
 */
BIOST_API BIOST_MUST_USE biost_result biost_loader_begin(biost_loader *loader, uint64_t epoch);

/*
 * Lend the next batch. While it is not ready the caller helps: it runs the pipe's work like any
 * worker.
 *
 * Returns: BIOST_OK; BIOST_END at the verified end of the epoch; the error that ended the input,
 *          after the last batch before it; ERR_SLOTS with all slots held by the caller (release
 *          one, then go on); ERR_ARG before the first biost_loader_begin; CANCELLED. Unless BIOST_OK,
 *          *out_batch is zero.
 * Valid until: biost_loader_release of this batch, or biost_loader_close.
 * Threads: owner only.
 */
BIOST_API BIOST_MUST_USE biost_result biost_loader_next(biost_loader *loader,
                                                        biost_batch *out_batch);

/*
 * As biost_loader_next without waiting, for hosts that must not: BIOST_PENDING while the batch is not
 * ready. It helps only where nobody else would do the work, with 1 worker: then each call runs one piece
 * of it, at most about 1 MiB of text or tensor.
 */
BIOST_API BIOST_MUST_USE biost_result biost_loader_try_next(biost_loader *loader,
                                                            biost_batch *out_batch);

/*
 * Give a batch back. A second release of the same loan is ERR_ARG and changes nothing.
 * Threads: any; batches may be released in any order.
 */
BIOST_API biost_result biost_loader_release(biost_loader *loader, const biost_batch *batch);

/*
 * Write the token of the point behind `batch`, which the caller still holds.
 *
 *   out_token  out   [capacity] bytes; 512 are always enough
 *   out_bytes  out   bytes written
 *
 * Behind a batch flagged BIOST_BATCH_BEFORE_ERROR it leads to the same error; should the input have
 * been mended meanwhile, to the next row, so that none is lost or seen twice.
 *
 * Returns: BIOST_OK; ERR_ARG (not held, or capacity too small); ERR_UNSUPPORTED (inputs by callbacks);
 *          ERR_IO or ERR_STALE when an input cannot be read for its hash. None of these ends anything.
 * Threads: owner only.
 */
BIOST_API biost_result biost_loader_token(biost_loader *loader, const biost_batch *batch,
                                          void *out_token, size_t capacity, size_t *out_bytes);

/*
 * Change how many threads are at work, the helping caller included, from now on; the batches stay the
 * same. 0 = usable cores, at least 2; at most 256. Memory stays as it was at open, so far more workers
 * than desc.workers find less to do at a time. Threads above the number sleep until more are wanted. With
 * desc.jobs it is how many calls are asked for at a time.
 *
 * Returns: BIOST_OK; ERR_ARG; ERR_THREAD: the system made fewer, which are at work.
 * Threads: owner only.
 */
BIOST_API biost_result biost_loader_set_workers(biost_loader *loader, uint32_t workers);

/*
 * Batches of an epoch, on every rank: BIOST_OK once all records were seen in one, and BIOST_PENDING before,
 * with 0. Every epoch has as many. Threads: owner only.
 */
BIOST_API biost_result biost_loader_batches_per_epoch(biost_loader *loader, uint64_t *out_batches);

/*
 * The desc as open obeyed it: every default filled in, inputs, token and encoding.tokens left out;
 * encoding.channels is valid until close. Threads: any.
 */
BIOST_API void biost_loader_resolved(const biost_loader *loader, biost_loader_desc *out_desc);

/* Where the time went so far. Threads: any. */
BIOST_API void biost_loader_counters(biost_loader *loader, biost_counters *out_counters);

/*
 * The bottleneck so far, in a sentence for people, as "finding records in the text: at work 81 % of the
 * time; one worker does it at a time: several loaders over parts of the input would share it".
 *
 *   out_text  out  [capacity] NUL-terminated; 256 bytes are always enough
 *
 * Threads: any.
 */
BIOST_API void biost_loader_hint(biost_loader *loader, char *out_text, size_t capacity);

/*
 * The error that ended the input; else why the last call of begin, next, try_next, token, set_workers or
 * export was refused, as with ERR_SLOTS; else NULL. So whenever one of them returned an error, its
 * sentence is here. Valid until the next of these calls, or close. Threads: owner only.
 */
BIOST_API const biost_error *biost_loader_error(const biost_loader *loader);

/* Warnings of all inputs read so far, BIOST_WARN_*. Threads: any. */
BIOST_API uint32_t biost_loader_warnings(biost_loader *loader);

/*
 * How far the epoch is. The pipe runs ahead of the caller, so text, records and warnings may be of
 * more than was delivered; at BIOST_END they are exact. Threads: any.
 */
BIOST_API void biost_loader_progress(biost_loader *loader, biost_progress *out_progress);

/*
 * Stop soon: next and begin return CANCELLED from now on (or the error, if there was one before),
 * workers go idle after the unit they run.
 *
 * Threads: any.
 */
BIOST_API void biost_loader_cancel(biost_loader *loader);

/*
 * Stop the workers and free everything, batches held included, but for what is exported. NULL is fine.
 * Threads: owner, no other call running.
 */
BIOST_API void biost_loader_close(biost_loader *loader);

/*
 * The most bytes a loader with this desc ever holds from its allocators at once, whatever the size
 * of the input. A desc that names no inputs yet is fine: a little for their names comes on top.
 *
 * It grows with the workers; with desc.workers 0 those of this machine.
 *
 * Returns: bytes; UINT64_MAX for a desc that biost_loader_open refuses for its values. Threads: any.
 */
BIOST_API uint64_t biost_loader_memory(const biost_loader_desc *desc);

/*
 * Lend a tensor to another library, by the structs of DLPack.
 *
 *   tensor       in   of anybody; its data is not copied, the struct is
 *   versioned    in   0: a DLManagedTensor; else a DLManagedTensorVersioned, of version 1.0
 *   release      in   called by the deleter, once, when all else is done; may be NULL
 *   user_data    in   for release
 *   allocator    in   for what is made, at most 512 bytes; copied; NULL = malloc and free
 *   out_managed  out  the struct, to be ended by a call of its deleter; NULL unless BIOST_OK
 *
 * device -1 becomes DLPack's CPU, others its CUDA device of that number; byte_offset is 0.
 *
 * Returns: BIOST_OK; ERR_ARG; ERR_NOMEM.
 * Owner:   whoever has the struct; data must stay until release is called.
 * Threads: any; the deleter too.
 */
BIOST_API BIOST_MUST_USE biost_result biost_tensor_export(const biost_tensor *tensor, int versioned,
                                                          void (*release)(void *user_data),
                                                          void *user_data,
                                                          const biost_allocator *allocator,
                                                          void **out_managed);

/*
 * The same of batch->tensors[index] of a batch that is held, as often as wished. Its slot is kept, and
 * counts as held, until the batch was released and every deleter has run, in any order. Slots still kept
 * at biost_loader_close outlive it: their last deleter gives the memory back to desc.slot_allocator, and
 * the rest of the loader to desc.allocator; the functions of both must work so long.
 *
 * Returns: BIOST_OK; ERR_ARG (not held, or no such tensor); ERR_NOMEM: an export takes up to 512 bytes
 *          of desc.allocator, beyond biost_loader_memory.
 * Threads: owner only; the deleter any, also while the loader works or is closed.
 */
BIOST_API BIOST_MUST_USE biost_result biost_loader_export(biost_loader *loader, const biost_batch *batch,
                                                          uint32_t index, int versioned,
                                                          void **out_managed);

/* ---- reader: records ---------------------------------------------------- */

/*
 * Open one input and look at its start, so that biost_reader_format can tell. Parameters as
 * biost_loader_open. A fault in the text, or in the bytes it comes from, is left for the first next.
 *
 * Returns: BIOST_OK; ERR_ARG (the sentence names the fields), ERR_IO, ERR_NOMEM, ERR_THREAD.
 * Owner:   the caller; ends with biost_reader_close.
 * Memory:  about 2 MiB, with stats 2.2; with W > 1 workers 0.5 MiB and 500 KiB for each more; for
 *          each page beyond two 330 KiB, with stats 380; later a buffer for records longer than a
 *          page, which exists twice while it grows.
 * Threads: makes workers - 1, none with desc.jobs.
 */
BIOST_API BIOST_MUST_USE biost_result biost_reader_open(const biost_reader_desc *desc,
                                                        biost_reader **out_reader,
                                                        biost_error *out_error);

/*
 * Read the next record, whole. After biost_reader_next_run or next_page stopped inside a record this
 * is the one behind it.
 *
 * Returns: BIOST_OK; BIOST_END at the verified end of the input; else the error, after every good
 *          record before it was returned; CANCELLED. Each of these stays: later calls return the same.
 *          Unless BIOST_OK, *out_record is zero.
 * Memory:  a buffer grows to the longest record, at most max_record_bytes and a page.
 * Valid until: the next call of next, next_run or next_page.
 * Threads: one at a time.
 */
BIOST_API BIOST_MUST_USE biost_result biost_reader_next(biost_reader *reader,
                                                        biost_record *out_record);

/*
 * Read the next run of bases: a FASTQ record, or as much of a FASTA record as its page of text holds.
 * So a sequence of any length passes through constant memory. A bad byte is an error when its run is
 * reached: runs of the record may have been handed out before, and with text.skip_bad the run that
 * follows is the first of another record.
 *
 * Returns, valid until, threads: as biost_reader_next.
 */
BIOST_API BIOST_MUST_USE biost_result biost_reader_next_run(biost_reader *reader,
                                                            biost_run *out_run);

/*
 * Lend the next page of text with the table of its records, less those that next and next_run gave:
 * the fast way, and the way to use your own threads: each takes a page, under a lock of yours, and
 * works on it without.
 *
 * Returns: as biost_reader_next; and ERR_SLOTS with desc.page_count pages held by the caller
 *          (release one, then go on); ERR_UNSUPPORTED at a record of 4 GiB or more, which next reads.
 * Memory:  pages held keep a buffer for a long record each.
 * Valid until: biost_reader_release_page of this page, or biost_reader_close.
 * Threads: one at a time.
 */
BIOST_API BIOST_MUST_USE biost_result biost_reader_next_page(biost_reader *reader,
                                                             biost_record_page *out_page);

/*
 * Give a page back. A second release of the same loan is ERR_ARG and changes nothing.
 * Threads: any, also while another is in biost_reader_next_page; pages in any order.
 */
BIOST_API biost_result biost_reader_release_page(biost_reader *reader,
                                                 const biost_record_page *page);

/*
 * A row of a page as the run it is, with its name and comment. index < page->row_count.
 * Valid until: the page is released. Threads: any.
 */
BIOST_API void biost_record_page_get(const biost_record_page *page, uint32_t index,
                                     biost_run *out_run);

/* FASTA or FASTQ, known from open on; EMPTY: there is no record, or a fault stands before it. */
BIOST_API biost_format biost_reader_format(const biost_reader *reader);

/* BIOST_WARN_* seen so far; complete after BIOST_END. */
BIOST_API uint32_t biost_reader_warnings(const biost_reader *reader);

/* How far it is. Threads: any one not in a call on the reader but release_page. */
BIOST_API void biost_reader_progress(biost_reader *reader, biost_record_progress *out_progress);

/*
 * The error that ended reading, or NULL; ERR_SLOTS, ERR_UNSUPPORTED and ERR_ARG of a call end nothing.
 * Valid until close.
 */
BIOST_API const biost_error *biost_reader_error(const biost_reader *reader);

/* Stop the workers and free everything, pages held included. NULL is fine. */
BIOST_API void biost_reader_close(biost_reader *reader);

/* ---- pairs: records that belong together --------------------------------- */

/*
 * Read several readers in step, or one where mates alternate.
 *
 * Records belong together if their names are equal, or differ only in a last character 1, 2 or 3
 * behind '/', '.', '_' or ':'. The readers must be of one format; an empty one fits any.
 *
 * Returns: BIOST_OK; ERR_ARG (the sentence names the fields); ERR_TEXT (formats differ); ERR_NOMEM.
 * Owner:   the caller; ends with biost_pairs_close, before the readers are closed.
 */
BIOST_API BIOST_MUST_USE biost_result biost_pairs_open(const biost_pairs_desc *desc,
                                                       biost_pairs **out_pairs,
                                                       biost_error *out_error);

/*
 * Read the next pair.
 *
 *   out_records  out  [mates] in the order of the readers; zero unless BIOST_OK
 *
 * Returns: BIOST_OK; BIOST_END when all readers are at their verified end; a reader's error, with
 *          path_index its number; ERR_TEXT where names differ (PAIR_NAME), or one reader has more
 *          records than another (PAIR_COUNT, found by reading all to their ends and counted from
 *          where the pairs began): in each case after
 *          all pairs before it. Each of these stays.
 * Memory:  of an interleaved file a copy of every record but the last of each pair.
 * Valid until: the next call on these pairs.
 * Threads: one at a time.
 */
BIOST_API BIOST_MUST_USE biost_result biost_pairs_next(biost_pairs *pairs,
                                                       biost_record *out_records);

/* BIOST_WARN_* of the pairs and all their readers. */
BIOST_API uint32_t biost_pairs_warnings(const biost_pairs *pairs);

/* The error that ended the pairs, or NULL. Valid until close. */
BIOST_API const biost_error *biost_pairs_error(const biost_pairs *pairs);

/* Free the pairs, not the readers. NULL is fine. */
BIOST_API void biost_pairs_close(biost_pairs *pairs);

/* ---- stream: decompressed text ------------------------------------------ */

/*
 * Open one input for its decompressed text.
 *
 *   desc        in    may go away after the call, except memory's bytes
 *   out_stream  out   the stream; NULL unless BIOST_OK
 *   out_error   out   what is wrong, in a sentence; may be NULL
 *
 * Plain text comes out as it is, gzip and BGZF decompressed; first bytes decide, never the name, and
 * are looked at by the first read or next_page. Of plain gzip, text comes out before its member's
 * checksum was read; BGZF blocks are checked first.
 *
 * Returns: BIOST_OK; ERR_ARG (the sentence names the fields), ERR_IO, ERR_NOMEM, ERR_THREAD.
 * Owner:   the caller; ends with biost_stream_close.
 * Memory:  allocated here; later once more, by the thread that reads, where plain gzip of 1 MiB or more is
 *          decoded by several workers: 1.3 MiB for each of 4 (workers + 1) chunks decoded ahead. If there
 *          is no such memory the text is decoded without it.
 * Threads: makes workers - 1, none with desc.jobs.
 */
BIOST_API BIOST_MUST_USE biost_result biost_stream_open(const biost_stream_desc *desc,
                                                        biost_stream **out_stream,
                                                        biost_error *out_error);

/*
 * Copy the next text: all of `bytes`, unless the text ends, fails or is cancelled first. With bytes 0
 * it waits for text too.
 *
 *   to         out   [bytes]
 *   out_bytes  out   how many were written: 1..bytes with BIOST_OK (0 of 0), else 0
 *
 * Returns: BIOST_OK; BIOST_END at the verified end; else the error, after all text before it; or
 *          CANCELLED. Each of these stays: later calls return the same.
 * Threads: one at a time.
 */
BIOST_API BIOST_MUST_USE biost_result biost_stream_read(biost_stream *stream, void *to,
                                                        size_t bytes, size_t *out_bytes);

/*
 * Lend the next text where it lies, without a copy: what biost_stream_read has left of a page, else
 * the next page of up to 192 KiB. Results as biost_stream_read; unless BIOST_OK, *out_page is zero.
 * Valid until: the next call of read or next_page on this stream, or close.
 */
BIOST_API BIOST_MUST_USE biost_result biost_stream_next_page(biost_stream *stream,
                                                             biost_page *out_page);

/* The error that ended the text, or NULL. Valid until close. Threads: one at a time. */
BIOST_API const biost_error *biost_stream_error(const biost_stream *stream);

/* BIOST_WARN_* seen so far; complete after BIOST_END. Threads: any. */
BIOST_API uint32_t biost_stream_warnings(biost_stream *stream);

/* How far it is. Threads: any. */
BIOST_API void biost_stream_progress(biost_stream *stream, biost_text_progress *out_progress);

/* How guesses ahead went, since open. Threads: any. */
BIOST_API void biost_stream_counters(biost_stream *stream, biost_ahead_counters *out_counters);

/*
 * How long each thread was at work for this stream, since open, reading included.
 *
 *   out_busy_ns  out  [capacity] the caller's, then each of the threads made; of the host's jobs the time of
 *                     all in [1]; NULL with capacity 0
 *
 * Returns: how many threads there are; of more than capacity the first are told. Threads: any.
 */
BIOST_API uint32_t biost_stream_busy(biost_stream *stream, uint64_t *out_busy_ns, uint32_t capacity);

/*
 * Stop soon: a sleeping read or next_page returns at once, a helping one after the piece of work it
 * runs: CANCELLED, or OK for bytes that read had copied by then. All later calls return CANCELLED, or
 * the END or error that came before. Threads: any.
 */
BIOST_API void biost_stream_cancel(biost_stream *stream);

/* Stop the workers and free everything. NULL is fine. Threads: no other call running. */
BIOST_API void biost_stream_close(biost_stream *stream);

/* ---- bytes: over caller memory ------------------------------------------ */

/*
 * Decompress a whole gzip file, or BGZF, from memory to memory.
 *
 *   source     in    [source_bytes]  any number of members, read as strictly as a stream reads them
 *   out_text   out   [capacity]
 *   out_bytes  out   text written, good or provisional; 0 with NULL arguments; of a bad BGZF block
 *                    nothing
 *   out_error  out   what is wrong, in a sentence; may be NULL
 *
 * Safe on any bytes. 8 GB of text from 8 MB of source is legal: the capacity is the limit.
 *
 * Returns: BIOST_OK, for a source of no bytes too; ERR_GZIP; ERR_UNSUPPORTED (another codec);
 *          ERR_ARG (NULL, or the text does not fit).
 * Memory:  allocates nothing; at most 80 KiB of stack.
 * Threads: any.
 */
BIOST_API BIOST_MUST_USE biost_result biost_inflate(const void *source, size_t source_bytes,
                                                    void *out_text, size_t capacity,
                                                    size_t *out_bytes, biost_error *out_error);

/* An encoding made ready: about 7 KiB of plain data, to be copied and used by any threads at once. */
typedef struct biost_encoder {  /* all fields are the library's */
    uint8_t elements[256][16];  /* is_wide: [byte][base_bytes] */
    uint8_t hits[256][11];      /* [byte] its channels that are not 0: how many, then of each its number
                                   and that of its element in numbers */
    uint8_t numbers[5][4];      /* elements of 0, 1, 1/2, 1/3 and 1/4, in the machine's byte order */
    uint8_t match[32], give[32], place[32]; /* is_plain: vectors of kernels; see >>encode */
    uint8_t pad[8];             /* an element of padding, likewise */
    char names[36];             /* of the channels, as given, NUL-terminated; "" for tokens */
    uint32_t kind, channels, base_bytes, element_bytes, is_ncl, pad_left;
    uint32_t is_wide;           /* a base's elements lie side by side and fit into 16 bytes */
    uint32_t is_plain;          /* one of the encodings that kernels can do */
    void (*row)(const struct biost_encoder *encoder, const uint8_t *seq, uint32_t bases, uint8_t *out,
                uint32_t columns);
} biost_encoder;

/*
 * Make an encoder.
 *
 *   cpu          in    BIOST_CPU_* that may be used: biost_cpu(), or less
 *   out_encoder  out   zero unless BIOST_OK
 *   out_error    out   what is wrong, naming the fields as those of desc.encoding; may be NULL
 *
 * Returns: BIOST_OK; ERR_ARG. Threads: any.
 */
BIOST_API BIOST_MUST_USE biost_result biost_encoder_make(const biost_encoding *encoding, uint32_t cpu,
                                                         biost_encoder *out_encoder,
                                                         biost_error *out_error);

/* Bytes of a row of `columns` columns: columns times channels times those of the dtype. */
BIOST_API uint64_t biost_encoder_row_bytes(const biost_encoder *encoder, uint32_t columns);

/*
 * Encode one row as a loader does.
 *
 *   seq  in   [bases]  any bytes
 *   out  out  [columns][channels], NCL [channels][columns], of tokens [columns]; any alignment
 *
 * bases <= columns, else nothing is written; the other columns are padding. Threads: any.
 */
BIOST_API void biost_encode_row(const biost_encoder *encoder, const char *seq, uint32_t bases, void *out,
                                uint32_t columns);

/*
 * Encode one row of qualities; kind and dtype as in desc.quality, others write nothing.
 *
 *   qual  in   [bases]    Phred + 33; bytes below 33 count as 33, over 126 as 126
 *   out   out  [columns]  of dtype, aligned to it; padding is 0
 *
 * bases <= columns, else nothing is written. Threads: any.
 */
BIOST_API void biost_encode_quality(biost_quality kind, biost_dtype dtype, biost_pad_side pad_side,
                                    const char *qual, uint32_t bases, void *out, uint32_t columns);

/* Write one row of a mask: [columns], 1 for bases, 0 for padding; bases <= columns. Threads: any. */
BIOST_API void biost_encode_mask(biost_pad_side pad_side, uint32_t bases, uint8_t *out,
                                 uint32_t columns);

/*
 * Turn a sequence into its reverse complement, in place: IUPAC codes, case kept, U becomes A, other bytes
 * stay; and its qualities (qual may be NULL) backwards. Both [bases].
 */
BIOST_API void biost_reverse_complement(char *seq, char *qual, size_t bases);

/*
 * Pack bases, two bits each: A 0, C 1, G 2, T and U 3, in either case.
 *
 *   cpu         in   what biost_cpu() gave, asked once, or some of its bits; 0: portable code
 *   seq         in   [bases]            any bytes
 *   out_packed  out  [(bases + 3) / 4]  four bases a byte, the first in its lowest bits; may be NULL
 *   out_mask    out  [(bases + 7) / 8]  a bit a base, the first in the lowest, 1: it was none of A C G
 *                                       T U, and is packed as 0; may be NULL
 *
 * Bits behind the last base are 0. A NULL seq writes nothing. Cost: see bench/README.md.
 *
 * Memory: allocates nothing; outputs overlap neither seq nor each other. Threads: any.
 */
BIOST_API void biost_pack_bases(uint32_t cpu, const char *seq, size_t bases, uint8_t *out_packed,
                                uint8_t *out_mask);

/*
 * Unpack bases: letters A C G T, and N where the mask has a 1.
 *
 *   cpu, packed, mask  in   as of biost_pack_bases; mask may be NULL: no N
 *   out_seq            out  [bases]; no NUL is added
 *
 * A NULL packed or out_seq writes nothing.
 *
 * Memory: allocates nothing; out_seq overlaps neither input. Threads: any.
 */
BIOST_API void biost_unpack_bases(uint32_t cpu, const uint8_t *packed, const uint8_t *mask,
                                  size_t bases, char *out_seq);

/* Which numbers windows of k bases get. */
typedef struct biost_kmers {
    uint32_t k;                 /* bases of a window, 1..15; required */
    uint32_t stride;            /* bases from one window's start to the next; 0 = 1 */
    biost_dtype dtype;          /* U16, I32 or I64, which holds all numbers; required */
    int32_t first_id;           /* number of the window AA...A */
    int32_t unknown_id;         /* of each window with a byte that is none of A C G T U */
} biost_kmers;

/*
 * Number the k-mers of a sequence: first_id and a number of base 4, the first base its most significant
 * digit, A 0, C 1, G 2, T and U 3, in either case.
 *
 *   cpu          in   what biost_cpu() gave, asked once, or some of its bits; 0: portable code
 *   seq          in   [bases]  any bytes
 *   out_ids      out  [windows] of dtype, aligned to it; NULL: only count
 *   out_windows  out  (bases - k) / stride + 1, or 0 of fewer than k bases; may be NULL
 *
 * Returns: BIOST_OK; ERR_ARG (kmers or seq NULL, k or dtype not as above, an id that the dtype, or 31
 *          bits and a sign, cannot hold).
 * Memory:  allocates nothing; out_ids must not overlap seq.
 * Threads: any.
 */
BIOST_API BIOST_MUST_USE biost_result biost_encode_kmers(const biost_kmers *kmers, uint32_t cpu,
                                                         const char *seq, size_t bases,
                                                         void *out_ids, size_t *out_windows);

/*
 * Begin the random words that a loader's augment.change gets for a row; then take them one by one, evenly
 * from all 32-bit numbers, or from [0, bound); of bound 0 it is 0.
 */
BIOST_API void biost_random_begin(biost_random *random, uint64_t seed, uint64_t epoch, int64_t id,
                                  uint32_t piece);
BIOST_API uint32_t biost_random_next(biost_random *random);
BIOST_API uint32_t biost_random_below(biost_random *random, uint32_t bound);

/* ---- words -------------------------------------------------------------- */

enum {                          /* biost_feature_set.cpu, desc.test.cpu_hidden */
    BIOST_CPU_BMI2 = 1u << 0,
    BIOST_CPU_PCLMUL = 1u << 1, /* with SSE4.1 */
    BIOST_CPU_AVX2 = 1u << 2,
    BIOST_CPU_ARM_CRC32 = 1u << 3,
    BIOST_CPU_SSE2 = 1u << 4,
    BIOST_CPU_NEON = 1u << 5,
    BIOST_CPU_AVX512 = 1u << 6, /* F, BW, DQ and VL */
    BIOST_CPU_AVX512_VBMI = 1u << 7,
    BIOST_CPU_VPCLMUL = 1u << 8 /* with AVX2 and PCLMUL */
};

/* BIOST_CPU_* this processor has and the library knows. Threads: any. */
BIOST_API uint32_t biost_cpu(void);

/* Version, build switches and the processor's features. Threads: any. */
BIOST_API biost_feature_set biost_features(void);

/*
 * The name of a code without its prefix: "OK", "ERR_TEXT"; "BAD_CRC", "LENGTH". Static; never NULL.
 */
BIOST_API const char *biost_result_name(biost_result result);
BIOST_API const char *biost_fault_name(biost_fault fault);

#ifdef __cplusplus
}
#endif

#endif /* BIOSTREAM_H */

/* Stop here if you only want the API. */

#if defined(BIOSTREAM_IMPLEMENTATION) && !defined(BIOSTREAM_IMPLEMENTED)
#define BIOSTREAM_IMPLEMENTED

#include <string.h>

#if defined(BIOSTREAM_NO_LIBDEFLATE)
#if (1 - BIOSTREAM_NO_LIBDEFLATE - 1) == 2 || (BIOSTREAM_NO_LIBDEFLATE + 0)
#define BSI_HAS_LIBDEFLATE 0
#endif
#endif
#ifndef BSI_HAS_LIBDEFLATE
#define BSI_HAS_LIBDEFLATE 1
#ifdef __has_include
#if !__has_include(<libdeflate.h>)
#error "biostream: no libdeflate.h found: install libdeflate or define BIOSTREAM_NO_LIBDEFLATE"
#endif
#endif
#include <libdeflate.h>
#endif

/* ==========================================================================
 * >>config   compiler attributes, derived switches, shared private structs
 *   uses: -                        allocates: no   threads: no   I/O: no
 * ========================================================================== */

#if defined(__GNUC__) || defined(__clang__)
#define BSI_INLINE static inline __attribute__((always_inline))
#define BSI_NOINLINE __attribute__((noinline))
#define BSI_COLD __attribute__((noinline, cold))
#define BSI_MAYBE_UNUSED __attribute__((unused))
#define BSI_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define BSI_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define BSI_PREFETCH(address) __builtin_prefetch(address)
#elif defined(_MSC_VER)
#define BSI_INLINE static __forceinline
#define BSI_NOINLINE __declspec(noinline)
#define BSI_COLD __declspec(noinline)
#define BSI_MAYBE_UNUSED
#define BSI_LIKELY(condition) (condition)
#define BSI_UNLIKELY(condition) (condition)
#define BSI_PREFETCH(address) ((void)(address))
#else
#define BSI_INLINE static inline
#define BSI_NOINLINE
#define BSI_COLD
#define BSI_MAYBE_UNUSED
#define BSI_LIKELY(condition) (condition)
#define BSI_UNLIKELY(condition) (condition)
#define BSI_PREFETCH(address) ((void)(address))
#endif

/*
 * One function compiled for instructions that the rest of the file does without. GNU compilers want
 * the names said at the function, and hand out CPUID in a header of theirs; Microsoft's compiles
 * every intrinsic anywhere. Elsewhere there are portable kernels only.
 */
#if defined(__GNUC__) || defined(__clang__)
#define BSI_HAS_GNU_TARGETS 1
#define BSI_HAS_MSC_INTRINSICS 0
#define BSI_TARGET(instructions) __attribute__((target(instructions)))
#elif defined(_MSC_VER)
#define BSI_HAS_GNU_TARGETS 0
#define BSI_HAS_MSC_INTRINSICS 1
#define BSI_TARGET(instructions)
#else
#define BSI_HAS_GNU_TARGETS 0
#define BSI_HAS_MSC_INTRINSICS 0
#define BSI_TARGET(instructions)
#endif

/*
 * BSI_ALIGNED_64 in front of a table: it starts at a multiple of 64 bytes, where the compiler can be told
 * so. BSI_LOADED in the type behind a pointer to a table: gcc loads it, and does not build it from pieces.
 */
#if BSI_HAS_GNU_TARGETS
#define BSI_ALIGNED_64 __attribute__((aligned(64)))
#define BSI_LOADED volatile
#elif BSI_HAS_MSC_INTRINSICS
#define BSI_ALIGNED_64 __declspec(align(64))
#define BSI_LOADED
#else
#define BSI_ALIGNED_64
#define BSI_LOADED
#endif

/* Compilers of about 2019 know the products of >>crc on registers of 32 and 64 bytes. */
#if defined(__clang__)
#define BSI_HAS_VPCLMUL_INTRINSICS (__clang_major__ >= 10)
#elif defined(__GNUC__)
#define BSI_HAS_VPCLMUL_INTRINSICS (__GNUC__ >= 10)
#elif defined(_MSC_VER)
#define BSI_HAS_VPCLMUL_INTRINSICS (_MSC_VER >= 1920)
#else
#define BSI_HAS_VPCLMUL_INTRINSICS 0
#endif

/* A compile-time check in any scope: the array has size -1 where it fails. */
#define BSI_STATIC_ASSERT(condition, name)                                                         \
    typedef char bsi_static_assert_##name[(condition) ? 1 : -1]

#define BSI_QUOTE_(text) #text
#define BSI_QUOTE(text) BSI_QUOTE_(text)
#define BSI_VERSION_TEXT                                                                           \
    BSI_QUOTE(BIOST_VERSION_MAJOR) "." BSI_QUOTE(BIOST_VERSION_MINOR) "." BSI_QUOTE(BIOST_VERSION_PATCH)
#if BSI_HAS_LIBDEFLATE
#define BSI_FEATURES_TEXT                                                                          \
    "biostream " BSI_VERSION_TEXT ", with libdeflate " LIBDEFLATE_VERSION_STRING
#else
#define BSI_FEATURES_TEXT "biostream " BSI_VERSION_TEXT ", without libdeflate"
#endif

#define BSI_KIB(n) ((size_t)(n) << 10)
#define BSI_MIB(n) ((size_t)(n) << 20)

/*
 * Bytes that may be read, not written, behind every buffer the pipe hands on: vector loads need no
 * tail case.
 */
#define BSI_PADDING_BYTES 64u

BSI_STATIC_ASSERT(sizeof(int) >= 4, int_has_32_bits);
BSI_STATIC_ASSERT(sizeof(size_t) >= 4, size_t_has_32_bits);

/*
 * What the core rooms say about bad input. Pure data: the fault room turns it into a biost_error
 * and a sentence. Which of a, b and byte mean something depends on the fault; see the table in
 * >>fault.
 */
typedef struct bsi_bad {
    biost_fault fault;      /* BIOST_FAULT_NONE: nothing is wrong */
    uint8_t byte;           /* the offending byte, where one byte is to blame */
    uint64_t record;        /* 0-based record in its file */
    uint64_t line;          /* 1-based line where the fault shows; 0: not known */
    uint64_t text_offset;   /* byte of the decompressed text; first byte is 0 */
    uint64_t source_offset; /* byte of the source as it lies in the file; first is 0 */
    uint64_t a, b;          /* two numbers for the sentence */
    const char *detail;     /* static words for the sentence, or NULL */
} bsi_bad;

/* ==========================================================================
 * >>bytes   unaligned loads and stores, checked sizes, byte search
 *   uses: config                   allocates: no   threads: no   I/O: no
 * ========================================================================== */

#define BSI_MIN(a, b) ((a) < (b) ? (a) : (b))
#define BSI_MAX(a, b) ((a) > (b) ? (a) : (b))

/*
 * Little-endian loads and stores at any address, on any byte order; compilers make one instruction
 * of each.
 */
BSI_INLINE uint32_t bsi_bytes_load16(const uint8_t *from) {
    return (uint32_t)from[0] | (uint32_t)from[1] << 8;
}

BSI_INLINE uint32_t bsi_bytes_load32(const uint8_t *from) {
    return bsi_bytes_load16(from) | bsi_bytes_load16(from + 2) << 16;
}

BSI_INLINE uint64_t bsi_bytes_load64(const uint8_t *from) {
    return (uint64_t)bsi_bytes_load32(from) | (uint64_t)bsi_bytes_load32(from + 4) << 32;
}

BSI_INLINE void bsi_bytes_store16(uint8_t *to, uint32_t value) {
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

BSI_INLINE void bsi_bytes_store32(uint8_t *to, uint32_t value) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, &value, 4);
#else
    bsi_bytes_store16(to, value);
    bsi_bytes_store16(to + 2, value >> 16);
#endif
}

BSI_INLINE void bsi_bytes_store64(uint8_t *to, uint64_t value) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, &value, 8);
#else
    bsi_bytes_store32(to, (uint32_t)value);
    bsi_bytes_store32(to + 4, (uint32_t)(value >> 32));
#endif
}

/*
 * Sizes are counted in 64 bits; a value that would wrap becomes UINT64_MAX, which no allocation
 * grants.
 */
BSI_INLINE uint64_t bsi_bytes_add(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

BSI_INLINE uint64_t bsi_bytes_mul(uint64_t a, uint64_t b) {
    return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

/* Round up to a multiple; sticky at UINT64_MAX. multiple > 0. */
BSI_INLINE uint64_t bsi_bytes_round_up(uint64_t value, uint64_t multiple) {
    uint64_t raised = bsi_bytes_add(value, multiple - 1);
    return raised == UINT64_MAX ? UINT64_MAX : raised - raised % multiple;
}

/* First `byte` in [from, end), or end. */
BSI_INLINE const uint8_t *bsi_bytes_find(const uint8_t *from, const uint8_t *end, uint8_t byte) {
    const void *found = from == end ? NULL : memchr(from, byte, (size_t)(end - from));
    return found == NULL ? end : (const uint8_t *)found;
}

/* ==========================================================================
 * >>cpu   what the processor can do
 *   uses: config                   allocates: no   threads: no   I/O: no
 * ========================================================================== */

/*
 * For which processors there are kernels here, each 0 or 1. The rooms with kernels ask these, so
 * that names of compilers and processors stand in one place.
 */
#if (defined(__x86_64__) || defined(__i386__)) && BSI_HAS_GNU_TARGETS
#define BSI_CPU_X86 1
#elif (defined(_M_X64) || defined(_M_IX86)) && BSI_HAS_MSC_INTRINSICS
#define BSI_CPU_X86 1
#else
#define BSI_CPU_X86 0
#endif

/* The same C for BMI2 again: worth it where registers have 64 bits, possible with GNU targets. */
#if defined(__x86_64__) && BSI_HAS_GNU_TARGETS
#define BSI_CPU_X86_BMI2 1
#else
#define BSI_CPU_X86_BMI2 0
#endif

/* Masks of 64 bits and what counts their zeros: AVX2 kernels are for 64-bit programs. */
#if defined(__x86_64__) && BSI_HAS_GNU_TARGETS
#define BSI_CPU_X86_AVX2 1
#elif defined(_M_X64) && BSI_HAS_MSC_INTRINSICS
#define BSI_CPU_X86_AVX2 1
#else
#define BSI_CPU_X86_AVX2 0
#endif

/* VPCLMULQDQ on registers of 32 and 64 bytes. */
#if BSI_CPU_X86_AVX2 && BSI_HAS_VPCLMUL_INTRINSICS
#define BSI_CPU_X86_VPCLMUL 1
#else
#define BSI_CPU_X86_VPCLMUL 0
#endif

/* Every 64-bit ARM processor has NEON; big-endian ones number its lanes in another way. */
#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
#define BSI_CPU_ARM_NEON 1
#include <arm_neon.h>
#else
#define BSI_CPU_ARM_NEON 0
#endif

/* Asking a running ARM processor takes the OS: what the compiler was told is what counts. */
#if defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#define BSI_CPU_ARM_CRC32 1
#include <arm_acle.h>
#else
#define BSI_CPU_ARM_CRC32 0
#endif

#if BSI_CPU_X86

#include <immintrin.h>
#if BSI_HAS_GNU_TARGETS
#include <cpuid.h>
#else
#include <intrin.h>
#endif

/* Registers EAX, EBX, ECX, EDX after CPUID, in this order. */
typedef struct bsi_cpu_id {
    uint32_t eax, ebx, ecx, edx;
} bsi_cpu_id;

/* The highest leaf there is; 0: none, or no CPUID at all. */
static uint32_t bsi_cpu_leaves(void) {
#if BSI_HAS_GNU_TARGETS
    return (uint32_t)__get_cpuid_max(0, NULL);
#else
    int registers[4];
    __cpuid(registers, 0);
    return (uint32_t)registers[0];
#endif
}

/* CPUID of a leaf that is there, subleaf 0. In a virtual machine it takes 10 to 100 microseconds. */
static bsi_cpu_id bsi_cpu_ask(uint32_t leaf) {
    bsi_cpu_id id;
#if BSI_HAS_GNU_TARGETS
    __cpuid_count(leaf, 0, id.eax, id.ebx, id.ecx, id.edx);
#else
    int registers[4];
    __cpuidex(registers, (int)leaf, 0);
    id.eax = (uint32_t)registers[0];
    id.ebx = (uint32_t)registers[1];
    id.ecx = (uint32_t)registers[2];
    id.edx = (uint32_t)registers[3];
#endif
    return id;
}

/* XCR0: which registers the OS saves when it switches threads. Only where CPUID says OSXSAVE. */
static uint32_t bsi_cpu_saved_registers(void) {
#if BSI_HAS_GNU_TARGETS
    uint32_t low;
    __asm__ volatile("xgetbv" : "=a"(low) : "c"(0) : "edx");
    return low;
#else
    return (uint32_t)_xgetbv(0);
#endif
}

/*
 * BIOST_CPU_*: what this processor has, of what some kernel may use. Bits from Intel's manual,
 * volume 2A, CPUID: leaf 1 ECX has PCLMULQDQ 1, SSE4.1 19, POPCNT 23, OSXSAVE 27, AVX 28, EDX SSE2 26;
 * leaf 7 EBX has BMI1 3, AVX2 5, BMI2 8, AVX512F 16, DQ 17, BW 30, VL 31, ECX AVX512_VBMI 1. The OS
 * saves the halves of a YMM register by bits 1 and 2 of XCR0, what AVX-512 adds by bits 5, 6 and 7.
 * AVX2 is told together with BMI1 and POPCNT, which all processors with it have. VPCLMULQDQ is bit 10 of
 * leaf 7 ECX.
 */
static uint32_t bsi_cpu_features(void) {
    const bsi_cpu_id none = {0, 0, 0, 0};
    uint32_t leaves = bsi_cpu_leaves(), saved = 0, features = 0;
    bsi_cpu_id one = leaves >= 1 ? bsi_cpu_ask(1) : none, seven = leaves >= 7 ? bsi_cpu_ask(7) : none;
    uint32_t ecx = one.ecx, ebx = seven.ebx;
    if (ecx >> 27 & 1u) {
        saved = bsi_cpu_saved_registers();
    }
    if (one.edx >> 26 & 1u) {
        features |= BIOST_CPU_SSE2;
    }
    if ((ecx >> 1 & 1u) && (ecx >> 19 & 1u)) {
        features |= BIOST_CPU_PCLMUL;
    }
    if ((ecx >> 23 & 1u) && (ecx >> 28 & 1u) && (ebx >> 3 & 1u) && (ebx >> 5 & 1u) &&
        (saved & 0x06u) == 0x06u) {
        features |= BIOST_CPU_AVX2;
    }
    if (ebx >> 8 & 1u) {
        features |= BIOST_CPU_BMI2;
    }
    if ((ebx & 0xC0030000u) == 0xC0030000u && (saved & 0xE6u) == 0xE6u) {
        features |= BIOST_CPU_AVX512;
        features |= seven.ecx >> 1 & 1u ? (uint32_t)BIOST_CPU_AVX512_VBMI : 0u;
    }
    if ((seven.ecx >> 10 & 1u) && (features & BIOST_CPU_AVX2) && (features & BIOST_CPU_PCLMUL)) {
        features |= BIOST_CPU_VPCLMUL;
    }
    return features;
}

#else

/* BIOST_CPU_*: what this processor has, of what some kernel may use. */
static uint32_t bsi_cpu_features(void) {
    return (BSI_CPU_ARM_CRC32 ? (uint32_t)BIOST_CPU_ARM_CRC32 : 0u) |
           (BSI_CPU_ARM_NEON ? (uint32_t)BIOST_CPU_NEON : 0u);
}

#endif

/* The number of the lowest 1 of a word that is not 0, and of the highest. */
#if BSI_HAS_GNU_TARGETS
BSI_INLINE unsigned bsi_cpu_lowest_one(uint64_t word) {
    return (unsigned)__builtin_ctzll(word);
}

BSI_INLINE unsigned bsi_cpu_highest_one(uint32_t word) {
    return 31u - (unsigned)__builtin_clz(word);
}
#elif BSI_CPU_X86_AVX2
BSI_INLINE unsigned bsi_cpu_lowest_one(uint64_t word) {
    unsigned long at;
    _BitScanForward64(&at, word);
    return (unsigned)at;
}
#else
BSI_INLINE unsigned bsi_cpu_lowest_one(uint64_t word) {
    unsigned at = 0;
    while (!(word >> at & 1u)) {
        at++;
    }
    return at;
}
#endif

#if !BSI_HAS_GNU_TARGETS
BSI_INLINE unsigned bsi_cpu_highest_one(uint32_t word) {
    unsigned at = 31;
    while (!(word >> at)) {
        at--;
    }
    return at;
}
#endif

/* ==========================================================================
 * >>crc   CRC-32 of RFC 1952, as gzip trailers carry it
 *   uses: config bytes cpu         allocates: no   threads: no   I/O: no
 * ========================================================================== */

/*
 * The message is read as one long polynomial over GF(2), bit 0 of each byte first, and the CRC is
 * its remainder on division by x^32 + x^26 + x^23 + ... + 1. With the lowest bit standing for the
 * highest power the divisor reads 0xEDB88320, and one step of the division is: shift right, and if
 * a 1 fell out, XOR the divisor.
 *
 * RFC 1952 inverts the remainder before and after; "before" of a later piece undoes "after" of the
 * earlier one, so a CRC may be carried from piece to piece as it stands. Start with 0.
 *
 * slice[k][b] is the remainder of byte b followed by k zero bytes. Division is linear: the
 * remainder of eight bytes is the XOR of eight remainders, one for each byte with the zeros that
 * follow it in the group. The eight look-ups do not wait for one another, where the byte-wise loop
 * waits for a load at every byte. 8 KiB, filled once per object, because written out they would be
 * 2,048 numbers nobody can check by eye.
 *
 * `update` is the kernel; see >>kernels. Where libdeflate is linked it does the work instead, unless
 * the kernel is one of those that are faster.
 */
typedef struct bsi_crc_tables {
    uint32_t (*update)(const struct bsi_crc_tables *tables, uint32_t crc, const uint8_t *bytes,
                       size_t count);
    uint32_t beats_libdeflate; /* 1: `update` is called also where libdeflate is linked */
    uint32_t slice[8][256];
} bsi_crc_tables;

#define BSI_CRC_DIVISOR 0xEDB88320u

/*
 * The portable kernel: eight bytes a step, the rest one by one. The old CRC meets the first four
 * bytes of a group, since its 32 bits are what is still to be divided there. Needs filled tables;
 * reads [bytes, bytes + count).
 */
static uint32_t bsi_crc_update_scalar(const bsi_crc_tables *tables, uint32_t crc,
                                      const uint8_t *bytes, size_t count) {
    const uint32_t (*slice)[256] = tables->slice;
    crc = ~crc;
    for (; count >= 8; count -= 8, bytes += 8) {
        uint32_t low = bsi_bytes_load32(bytes) ^ crc;
        uint32_t high = bsi_bytes_load32(bytes + 4);
        crc = slice[7][low & 0xFF] ^ slice[6][low >> 8 & 0xFF] ^ slice[5][low >> 16 & 0xFF] ^
              slice[4][low >> 24] ^ slice[3][high & 0xFF] ^ slice[2][high >> 8 & 0xFF] ^
              slice[1][high >> 16 & 0xFF] ^ slice[0][high >> 24];
    }
    for (; count > 0; count--, bytes++) {
        crc = crc >> 8 ^ slice[0][(crc ^ *bytes) & 0xFF];
    }
    return ~crc;
}

/*
 * Fill the tables and take the portable kernel. slice[0] by division; slice[k] is slice[k - 1] with
 * one more zero byte divided in.
 */
static void bsi_crc_init(bsi_crc_tables *tables) {
    tables->update = bsi_crc_update_scalar;
    tables->beats_libdeflate = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (BSI_CRC_DIVISOR & (0u - (crc & 1u)));
        }
        tables->slice[0][byte] = crc;
    }
    for (unsigned k = 1; k < 8; k++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            uint32_t crc = tables->slice[k - 1][byte];
            tables->slice[k][byte] = crc >> 8 ^ tables->slice[0][crc & 0xFF];
        }
    }
}

#if BSI_CPU_X86

/*
 * Folding with carry-less products. Sixteen bytes are a polynomial A = H x^64 + L, the eight bytes
 * that come first being H. Moved n bits to the front of the message they weigh A x^n, and
 *
 *     A x^n = H x^(n + 64) + L x^n,  whose remainder is that of
 *     H (x^(n + 64) mod P) + L (x^n mod P),
 *
 * a polynomial of 63 + 31 = 94 at most: sixteen bytes again, XORed onto those n bits further on. So
 * four registers of sixteen bytes walk through the message 64 bytes at a time, are folded into one,
 * and that one takes the sixteen-byte groups left over. What it holds at the end has the remainder
 * of all of them; the scalar kernel divides it as it would any sixteen bytes, from a CRC of zeros.
 *
 * Bit 0 stands for the highest power, so in a 64-bit factor of 32 bits these lie in the upper half.
 * The product of two factors so mirrored comes out one place low (bits 0..126 of 128), that is,
 * multiplied by x; hence x^(n + 63) and x^(n - 1) below. Mirrored in 32 bits, x^0 is 0x80000000.
 */
#define BSI_CRC_X_575 0x653D9822u /* x^575 mod P: n = 512, first half  */
#define BSI_CRC_X_511 0xCAD38E8Fu /* x^511 mod P: n = 512, second half */
#define BSI_CRC_X_191 0x65673B46u /* x^191 mod P: n = 128, first half  */
#define BSI_CRC_X_127 0x9BA54C6Fu /* x^127 mod P: n = 128, second half */

BSI_TARGET("pclmul,sse4.1")
static inline __m128i bsi_crc_fold(__m128i front, __m128i behind, __m128i powers) {
    __m128i first = _mm_clmulepi64_si128(front, powers, 0x00);
    __m128i second = _mm_clmulepi64_si128(front, powers, 0x11);
    return _mm_xor_si128(_mm_xor_si128(first, second), behind);
}

BSI_TARGET("pclmul,sse4.1")
static inline __m128i bsi_crc_load(const uint8_t *bytes) {
    return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

/* Divide: what one register holds, moved past the groups of sixteen bytes left, and the bytes after. */
BSI_TARGET("pclmul,sse4.1")
static inline uint32_t bsi_crc_finish(const bsi_crc_tables *tables, __m128i front,
                                      const uint8_t *bytes, size_t count) {
    const __m128i by_128 = _mm_set_epi32((int)BSI_CRC_X_127, 0, (int)BSI_CRC_X_191, 0);
    uint8_t last[16];
    uint32_t crc;
    for (; count >= 16; bytes += 16, count -= 16) {
        front = bsi_crc_fold(front, bsi_crc_load(bytes), by_128);
    }
    _mm_storeu_si128((__m128i *)(void *)last, front);
    crc = bsi_crc_update_scalar(tables, 0xFFFFFFFFu, last, 16); /* inverted: from zeros */
    return bsi_crc_update_scalar(tables, crc, bytes, count);
}

/* The kernel for BIOST_CPU_PCLMUL. */
BSI_TARGET("pclmul,sse4.1")
static uint32_t bsi_crc_update_pclmul(const bsi_crc_tables *tables, uint32_t crc,
                                      const uint8_t *bytes, size_t count) {
    const __m128i by_512 =
        _mm_set_epi32((int)BSI_CRC_X_511, 0, (int)BSI_CRC_X_575, 0);
    const __m128i by_128 =
        _mm_set_epi32((int)BSI_CRC_X_127, 0, (int)BSI_CRC_X_191, 0);
    __m128i a, b, c, d;
    if (count < 64) {
        return bsi_crc_update_scalar(tables, crc, bytes, count);
    }
    a = _mm_xor_si128(bsi_crc_load(bytes), _mm_cvtsi32_si128((int)~crc));
    b = bsi_crc_load(bytes + 16);
    c = bsi_crc_load(bytes + 32);
    d = bsi_crc_load(bytes + 48);
    for (bytes += 64, count -= 64; count >= 64; bytes += 64, count -= 64) {
        a = bsi_crc_fold(a, bsi_crc_load(bytes), by_512);
        b = bsi_crc_fold(b, bsi_crc_load(bytes + 16), by_512);
        c = bsi_crc_fold(c, bsi_crc_load(bytes + 32), by_512);
        d = bsi_crc_fold(d, bsi_crc_load(bytes + 48), by_512);
    }
    a = bsi_crc_fold(bsi_crc_fold(bsi_crc_fold(a, b, by_128), c, by_128), d, by_128);
    return bsi_crc_finish(tables, a, bytes, count);
}

#endif

#if BSI_CPU_X86_VPCLMUL

/*
 * VPCLMULQDQ makes the products of two or four lanes of sixteen bytes at once. Four registers again,
 * each lane moved past as many bytes as the four hold; they are folded into one, which takes what is
 * left in groups of its size (n = 512 of above for 64 bytes); its lanes are folded into the last of
 * them, and that one finishes as above. Constants as above: x^(n + 63) mod P for the half that comes
 * first, x^(n - 1) mod P for the other.
 */
#define BSI_CRC_X_2111 0x7CC8E1E7u /* n = 2048: past four registers of 64 bytes */
#define BSI_CRC_X_2047 0x03F9F863u
#define BSI_CRC_X_1087 0x7D657A10u /* n = 1024: past four registers of 32 bytes */
#define BSI_CRC_X_1023 0x7406FA95u
#define BSI_CRC_X_319 0x9570D495u /* n = 256: past one register of 32 bytes */
#define BSI_CRC_X_255 0x01B5FD1Du

BSI_TARGET("avx2,pclmul,vpclmulqdq")
static inline __m256i bsi_crc_fold_32(__m256i front, __m256i behind, __m256i powers) {
    __m256i first = _mm256_clmulepi64_epi128(front, powers, 0x00);
    __m256i second = _mm256_clmulepi64_epi128(front, powers, 0x11);
    return _mm256_xor_si256(_mm256_xor_si256(first, second), behind);
}

BSI_TARGET("avx2,pclmul,vpclmulqdq")
static inline __m256i bsi_crc_load_32(const uint8_t *bytes) {
    return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

/* The kernel for BIOST_CPU_VPCLMUL. */
BSI_TARGET("avx2,pclmul,vpclmulqdq")
static uint32_t bsi_crc_update_vpclmul(const bsi_crc_tables *tables, uint32_t crc,
                                       const uint8_t *bytes, size_t count) {
    const __m256i by_1024 = _mm256_broadcastsi128_si256(
        _mm_set_epi32((int)BSI_CRC_X_1023, 0, (int)BSI_CRC_X_1087, 0));
    const __m256i by_256 = _mm256_broadcastsi128_si256(
        _mm_set_epi32((int)BSI_CRC_X_255, 0, (int)BSI_CRC_X_319, 0));
    const __m128i by_128 = _mm_set_epi32((int)BSI_CRC_X_127, 0, (int)BSI_CRC_X_191, 0);
    __m256i a, b, c, d;
    if (count < 128) {
        return bsi_crc_update_pclmul(tables, crc, bytes, count);
    }
    a = _mm256_xor_si256(bsi_crc_load_32(bytes), _mm256_set_epi32(0, 0, 0, 0, 0, 0, 0, (int)~crc));
    b = bsi_crc_load_32(bytes + 32);
    c = bsi_crc_load_32(bytes + 64);
    d = bsi_crc_load_32(bytes + 96);
    for (bytes += 128, count -= 128; count >= 128; bytes += 128, count -= 128) {
        a = bsi_crc_fold_32(a, bsi_crc_load_32(bytes), by_1024);
        b = bsi_crc_fold_32(b, bsi_crc_load_32(bytes + 32), by_1024);
        c = bsi_crc_fold_32(c, bsi_crc_load_32(bytes + 64), by_1024);
        d = bsi_crc_fold_32(d, bsi_crc_load_32(bytes + 96), by_1024);
    }
    a = bsi_crc_fold_32(bsi_crc_fold_32(bsi_crc_fold_32(a, b, by_256), c, by_256), d, by_256);
    for (; count >= 32; bytes += 32, count -= 32) {
        a = bsi_crc_fold_32(a, bsi_crc_load_32(bytes), by_256);
    }
    return bsi_crc_finish(tables,
                          bsi_crc_fold(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1), by_128),
                          bytes, count);
}

/* The products of `front` with `powers`, and `behind`; 0x96 is the truth table of x ^ y ^ z. */
BSI_TARGET("avx512f,pclmul,vpclmulqdq")
static inline __m512i bsi_crc_fold_64(__m512i front, __m512i behind, __m512i powers) {
    __m512i first = _mm512_clmulepi64_epi128(front, powers, 0x00);
    __m512i second = _mm512_clmulepi64_epi128(front, powers, 0x11);
    return _mm512_ternarylogic_epi64(first, second, behind, 0x96);
}

BSI_TARGET("avx512f,pclmul,vpclmulqdq")
static inline __m512i bsi_crc_load_64(const uint8_t *bytes) {
    return _mm512_loadu_si512((const void *)bytes);
}

/* The kernel for BIOST_CPU_VPCLMUL with BIOST_CPU_AVX512. */
BSI_TARGET("avx512f,pclmul,vpclmulqdq")
static uint32_t bsi_crc_update_avx512(const bsi_crc_tables *tables, uint32_t crc,
                                      const uint8_t *bytes, size_t count) {
    const __m512i by_2048 = _mm512_maskz_broadcast_i32x4(0xFFFF,
        _mm_set_epi32((int)BSI_CRC_X_2047, 0, (int)BSI_CRC_X_2111, 0));
    const __m512i by_512 = _mm512_maskz_broadcast_i32x4(0xFFFF,
        _mm_set_epi32((int)BSI_CRC_X_511, 0, (int)BSI_CRC_X_575, 0));
    const __m128i by_128 = _mm_set_epi32((int)BSI_CRC_X_127, 0, (int)BSI_CRC_X_191, 0);
    __m512i a, b, c, d;
    __m128i x;
    if (count < 256) {
        return bsi_crc_update_vpclmul(tables, crc, bytes, count);
    }
    a = _mm512_xor_si512(bsi_crc_load_64(bytes), _mm512_maskz_set1_epi32(1, (int)~crc));
    b = bsi_crc_load_64(bytes + 64);
    c = bsi_crc_load_64(bytes + 128);
    d = bsi_crc_load_64(bytes + 192);
    for (bytes += 256, count -= 256; count >= 256; bytes += 256, count -= 256) {
        a = bsi_crc_fold_64(a, bsi_crc_load_64(bytes), by_2048);
        b = bsi_crc_fold_64(b, bsi_crc_load_64(bytes + 64), by_2048);
        c = bsi_crc_fold_64(c, bsi_crc_load_64(bytes + 128), by_2048);
        d = bsi_crc_fold_64(d, bsi_crc_load_64(bytes + 192), by_2048);
    }
    a = bsi_crc_fold_64(bsi_crc_fold_64(bsi_crc_fold_64(a, b, by_512), c, by_512), d, by_512);
    for (; count >= 64; bytes += 64, count -= 64) {
        a = bsi_crc_fold_64(a, bsi_crc_load_64(bytes), by_512);
    }
    x = bsi_crc_fold(_mm512_maskz_extracti32x4_epi32(0xF, a, 0),
                     _mm512_maskz_extracti32x4_epi32(0xF, a, 1), by_128);
    x = bsi_crc_fold(x, _mm512_maskz_extracti32x4_epi32(0xF, a, 2), by_128);
    x = bsi_crc_fold(x, _mm512_maskz_extracti32x4_epi32(0xF, a, 3), by_128);
    return bsi_crc_finish(tables, x, bytes, count);
}

#endif

#if BSI_CPU_ARM_CRC32

/* The kernel for BIOST_CPU_ARM_CRC32: the processor divides by this very P, eight bytes a step. */
static uint32_t bsi_crc_update_arm(const bsi_crc_tables *tables, uint32_t crc,
                                   const uint8_t *bytes, size_t count) {
    (void)tables;
    crc = ~crc;
    for (; count >= 8; bytes += 8, count -= 8) {
        crc = __crc32d(crc, bsi_bytes_load64(bytes));
    }
    for (; count > 0; bytes++, count--) {
        crc = __crc32b(crc, *bytes);
    }
    return ~crc;
}

#endif

/*
 * Carry `crc` over `count` more bytes; 0 starts. libdeflate 1.14 folds 16 bytes an instruction and has a
 * half to a third of the speed of the kernels with VPCLMULQDQ; it is called where these cannot run.
 */
BSI_INLINE uint32_t bsi_crc_update(const bsi_crc_tables *tables, uint32_t crc, const uint8_t *bytes,
                                   size_t count) {
#if BSI_HAS_LIBDEFLATE
    if (!tables->beats_libdeflate) {
        return count == 0 ? crc : (uint32_t)libdeflate_crc32(crc, bytes, count);
    }
#endif
    return tables->update(tables, crc, bytes, count);
}

/* ==========================================================================
 * >>hash   XXH64, in pieces                                 (xxHash specification 0.1.1)
 *   uses: config bytes cpu         allocates: no   threads: no   I/O: no
 * ========================================================================== */

/* The five primes of the specification, section "XXH64 algorithm description". */
#define BSI_HASH_PRIME_1 0x9E3779B185EBCA87ull
#define BSI_HASH_PRIME_2 0xC2B2AE3D27D4EB4Full
#define BSI_HASH_PRIME_3 0x165667B19E3779F9ull
#define BSI_HASH_PRIME_4 0x85EBCA77C2B2AE63ull
#define BSI_HASH_PRIME_5 0x27D4EB2F165667C5ull

/*
 * A hash under way. The input is read as stripes of 32 bytes, eight to each of four lanes, which do
 * not depend on one another; `held` keeps what is no whole stripe yet, so input may come in pieces
 * of any size. The end joins the lanes, eats the rest in steps of 8, 4 and 1 bytes, and mixes.
 *
 * It proves that two runs made the same batches. It is no protection against someone who wants two
 * different batches to look the same.
 */
typedef struct bsi_hash {
    uint64_t lane[4];
    uint64_t seed, total_bytes; /* eaten, those held included */
    uint8_t held[32];           /* [held_bytes] */
    uint32_t held_bytes;        /* below 32 */
} bsi_hash;

BSI_INLINE uint64_t bsi_hash_rotate(uint64_t value, uint32_t bits) {
    return value << bits | value >> (64 - bits);
}

BSI_INLINE uint64_t bsi_hash_round(uint64_t lane, uint64_t input) {
    return bsi_hash_rotate(lane + input * BSI_HASH_PRIME_2, 31) * BSI_HASH_PRIME_1;
}

static void bsi_hash_begin(bsi_hash *hash, uint64_t seed) {
    hash->lane[0] = seed + BSI_HASH_PRIME_1 + BSI_HASH_PRIME_2;
    hash->lane[1] = seed + BSI_HASH_PRIME_2;
    hash->lane[2] = seed;
    hash->lane[3] = seed - BSI_HASH_PRIME_1;
    hash->seed = seed;
    hash->total_bytes = 0;
    hash->held_bytes = 0;
}

/* Eat `stripes` times 32 bytes. */
static void bsi_hash_stripes(bsi_hash *hash, const uint8_t *bytes, size_t stripes) {
    uint64_t a = hash->lane[0], b = hash->lane[1], c = hash->lane[2], d = hash->lane[3];
    for (; stripes > 0; --stripes, bytes += 32) {
        a = bsi_hash_round(a, bsi_bytes_load64(bytes));
        b = bsi_hash_round(b, bsi_bytes_load64(bytes + 8));
        c = bsi_hash_round(c, bsi_bytes_load64(bytes + 16));
        d = bsi_hash_round(d, bsi_bytes_load64(bytes + 24));
    }
    hash->lane[0] = a;
    hash->lane[1] = b;
    hash->lane[2] = c;
    hash->lane[3] = d;
}

static void bsi_hash_update(bsi_hash *hash, const void *data, size_t count) {
    const uint8_t *bytes = (const uint8_t *)data;
    hash->total_bytes += count;
    if (count == 0) {
        return; /* data may be NULL */
    }
    if (hash->held_bytes > 0) {
        size_t wanted = 32 - hash->held_bytes, taken = BSI_MIN(wanted, count);
        memcpy(hash->held + hash->held_bytes, bytes, taken);
        hash->held_bytes += (uint32_t)taken;
        bytes += taken;
        count -= taken;
        if (hash->held_bytes < 32) {
            return;
        }
        bsi_hash_stripes(hash, hash->held, 1);
        hash->held_bytes = 0;
    }
    bsi_hash_stripes(hash, bytes, count / 32);
    hash->held_bytes = (uint32_t)(count % 32);
    if (hash->held_bytes > 0) {
        memcpy(hash->held, bytes + (count - hash->held_bytes), hash->held_bytes);
    }
}

/* Join the lanes where there was at least one stripe. */
static uint64_t bsi_hash_converge(const bsi_hash *hash) {
    uint64_t value = bsi_hash_rotate(hash->lane[0], 1) + bsi_hash_rotate(hash->lane[1], 7) +
                     bsi_hash_rotate(hash->lane[2], 12) + bsi_hash_rotate(hash->lane[3], 18);
    int i;
    for (i = 0; i < 4; ++i) {
        value = (value ^ bsi_hash_round(0, hash->lane[i])) * BSI_HASH_PRIME_1 + BSI_HASH_PRIME_4;
    }
    return value;
}

/* What all stripes so far come to, with the number of bytes. */
BSI_INLINE uint64_t bsi_hash_join(const bsi_hash *hash) {
    return hash->total_bytes + (hash->total_bytes >= 32 ? bsi_hash_converge(hash)
                                                        : hash->seed + BSI_HASH_PRIME_5);
}

/* Eat 8 bytes behind the last stripe. */
BSI_INLINE uint64_t bsi_hash_eat(uint64_t value, uint64_t word) {
    return bsi_hash_rotate(value ^ bsi_hash_round(0, word), 27) * BSI_HASH_PRIME_1 + BSI_HASH_PRIME_4;
}

BSI_INLINE uint64_t bsi_hash_mix(uint64_t value) {
    value = (value ^ value >> 33) * BSI_HASH_PRIME_2;
    value = (value ^ value >> 29) * BSI_HASH_PRIME_3;
    return value ^ value >> 32;
}

static uint64_t bsi_hash_end(const bsi_hash *hash) {
    uint64_t value = bsi_hash_join(hash);
    const uint8_t *at = hash->held, *end = hash->held + hash->held_bytes;
    for (; end - at >= 8; at += 8) {
        value = bsi_hash_eat(value, bsi_bytes_load64(at));
    }
    if (end - at >= 4) {
        value ^= bsi_bytes_load32(at) * BSI_HASH_PRIME_1;
        value = bsi_hash_rotate(value, 23) * BSI_HASH_PRIME_2 + BSI_HASH_PRIME_3;
        at += 4;
    }
    for (; at < end; ++at) {
        value ^= *at * BSI_HASH_PRIME_5;
        value = bsi_hash_rotate(value, 11) * BSI_HASH_PRIME_1;
    }
    return bsi_hash_mix(value);
}

/*
 * The end of a hash that holds part of no stripe, behind `count` more words of 8 bytes, fewer than 8.
 * They need not have been in memory: a load that spans several stores just made waits until they are in
 * the cache.
 */
static uint64_t bsi_hash_end_words(bsi_hash *hash, const uint64_t *words, uint32_t count) {
    uint64_t value;
    uint32_t i = 0;
    hash->total_bytes += 8 * (uint64_t)count;
    if (count >= 4) {
        for (; i < 4; ++i) {
            hash->lane[i] = bsi_hash_round(hash->lane[i], words[i]);
        }
    }
    value = bsi_hash_join(hash);
    for (; i < count; ++i) {
        value = bsi_hash_eat(value, words[i]);
    }
    return bsi_hash_mix(value);
}

/* ---- eight at a time ---- */

#define BSI_HASH_MANY 8u        /* hashes that a kernel feeds side by side */

/* Kernels; see >>kernels. */
typedef struct bsi_hash_kernels {
    /* Hash i is seeded by that of the words {place[0], place[1], place[2] + i} and eats `stripes` times
     * 32 bytes from bytes + i x step on. */
    void (*many)(bsi_hash *hashes, const uint64_t place[3], const uint8_t *bytes, size_t step,
                 size_t stripes);
    /* The ends of those, each behind `count` words more, fewer than 8; 32 bytes or more in all. Word k of
     * hash i is words[8 k + i]. */
    void (*end)(bsi_hash *hashes, const uint64_t *words, uint32_t count,
                uint64_t out_values[BSI_HASH_MANY]);
} bsi_hash_kernels;

static void bsi_hash_many_scalar(bsi_hash *hashes, const uint64_t place[3], const uint8_t *bytes,
                                 size_t step, size_t stripes) {
    for (uint32_t i = 0; i < BSI_HASH_MANY; ++i) {
        bsi_hash *hash = &hashes[i];
        const uint64_t words[3] = {place[0], place[1], place[2] + i};
        bsi_hash_begin(hash, 0);
        bsi_hash_begin(hash, bsi_hash_end_words(hash, words, 3));
        bsi_hash_stripes(hash, bytes + i * step, stripes);
        hash->total_bytes = 32 * (uint64_t)stripes;
    }
}

static void bsi_hash_end_scalar(bsi_hash *hashes, const uint64_t *words, uint32_t count,
                                uint64_t out_values[BSI_HASH_MANY]) {
    for (uint32_t i = 0; i < BSI_HASH_MANY; ++i) {
        uint64_t column[8];
        for (uint32_t k = 0; k < count; ++k) {
            column[k] = words[BSI_HASH_MANY * k + i];
        }
        out_values[i] = bsi_hash_end_words(&hashes[i], column, count);
    }
}

#if BSI_CPU_X86_AVX2

/*
 * Eight words in a register: of eight hashes, or the lanes of two. Of the intrinsics here those with a
 * mask, of all elements, make the same instructions: of the others GCC 12 says that their own variables
 * are not set.
 */
#define BSI_HASH_TARGET BSI_TARGET("avx512f,avx512dq") BSI_INLINE

BSI_HASH_TARGET __m512i bsi_hash_all(uint64_t word) {
    return _mm512_set1_epi64((long long)word);
}

BSI_HASH_TARGET __m512i bsi_hash_times(__m512i a, uint64_t factor) {
    return _mm512_mullo_epi64(a, bsi_hash_all(factor));
}

BSI_HASH_TARGET __m512i bsi_hash_round_many(__m512i lanes, __m512i input) {
    lanes = _mm512_add_epi64(lanes, bsi_hash_times(input, BSI_HASH_PRIME_2));
    return bsi_hash_times(_mm512_maskz_rol_epi64(0xFF, lanes, 31), BSI_HASH_PRIME_1);
}

BSI_HASH_TARGET __m512i bsi_hash_eat_many(__m512i values, __m512i words) {
    values = _mm512_xor_si512(values, bsi_hash_round_many(_mm512_setzero_si512(), words));
    values = bsi_hash_times(_mm512_maskz_rol_epi64(0xFF, values, 27), BSI_HASH_PRIME_1);
    return _mm512_add_epi64(values, bsi_hash_all(BSI_HASH_PRIME_4));
}

BSI_HASH_TARGET __m512i bsi_hash_mix_many(__m512i a) {
    a = bsi_hash_times(_mm512_xor_si512(a, _mm512_maskz_srli_epi64(0xFF, a, 33)), BSI_HASH_PRIME_2);
    a = bsi_hash_times(_mm512_xor_si512(a, _mm512_maskz_srli_epi64(0xFF, a, 29)), BSI_HASH_PRIME_3);
    return _mm512_xor_si512(a, _mm512_maskz_srli_epi64(0xFF, a, 32));
}

/* 32 bytes from each of two places. */
BSI_HASH_TARGET __m512i bsi_hash_load_two(const void *first, const void *second) {
    __m512i low = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)first));
    return _mm512_maskz_inserti64x4(0xFF, low, _mm256_loadu_si256((const __m256i *)second), 1);
}

BSI_HASH_TARGET void bsi_hash_store_two(bsi_hash *hashes, __m512i lanes) {
    _mm256_storeu_si256((__m256i *)(void *)hashes[0].lane,
                        _mm512_maskz_extracti64x4_epi64(0xF, lanes, 0));
    _mm256_storeu_si256((__m256i *)(void *)hashes[1].lane,
                        _mm512_maskz_extracti64x4_epi64(0xF, lanes, 1));
}

/* The lanes of two hashes with seeds[at] and seeds[at + 1]. */
BSI_HASH_TARGET __m512i bsi_hash_begin_two(__m512i seeds, int64_t at) {
    const int64_t a = (int64_t)(BSI_HASH_PRIME_1 + BSI_HASH_PRIME_2), b = (int64_t)BSI_HASH_PRIME_2;
    const int64_t d = (int64_t)(0 - BSI_HASH_PRIME_1);
    const __m512i which = _mm512_setr_epi64(at, at, at, at, at + 1, at + 1, at + 1, at + 1);
    return _mm512_add_epi64(_mm512_setr_epi64(a, b, 0, d, a, b, 0, d),
                            _mm512_maskz_permutexvar_epi64(0xFF, which, seeds));
}

BSI_HASH_TARGET __m512i bsi_hash_seeds(const uint64_t place[3]) {
    uint64_t value = bsi_hash_eat(bsi_hash_eat(BSI_HASH_PRIME_5 + 24, place[0]), place[1]);
    __m512i last = _mm512_add_epi64(bsi_hash_all(place[2]), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    return bsi_hash_mix_many(bsi_hash_eat_many(bsi_hash_all(value), last));
}

/* Lanes of two hashes in a register; four registers, because a product is ready 15 cycles later. */
BSI_TARGET("avx512f,avx512dq")
static void bsi_hash_many_avx512(bsi_hash *hashes, const uint64_t place[3], const uint8_t *bytes,
                                 size_t step, size_t stripes) {
    const __m512i all = bsi_hash_seeds(place);
    __m512i a = bsi_hash_begin_two(all, 0), b = bsi_hash_begin_two(all, 2);
    __m512i c = bsi_hash_begin_two(all, 4), d = bsi_hash_begin_two(all, 6);
    const uint8_t *at = bytes, *end = bytes + 32 * stripes;
    uint64_t seeds[BSI_HASH_MANY];
    for (; at < end; at += 32) {
        a = bsi_hash_round_many(a, bsi_hash_load_two(at, at + step));
        b = bsi_hash_round_many(b, bsi_hash_load_two(at + 2 * step, at + 3 * step));
        c = bsi_hash_round_many(c, bsi_hash_load_two(at + 4 * step, at + 5 * step));
        d = bsi_hash_round_many(d, bsi_hash_load_two(at + 6 * step, at + 7 * step));
    }
    bsi_hash_store_two(&hashes[0], a);
    bsi_hash_store_two(&hashes[2], b);
    bsi_hash_store_two(&hashes[4], c);
    bsi_hash_store_two(&hashes[6], d);
    _mm512_storeu_si512(seeds, all);
    for (uint32_t i = 0; i < BSI_HASH_MANY; ++i) {
        hashes[i].seed = seeds[i];
        hashes[i].total_bytes = 32 * (uint64_t)stripes;
        hashes[i].held_bytes = 0;
    }
}

/* Lane `from` of four hashes, then lane from + 1 of them. */
BSI_HASH_TARGET __m512i bsi_hash_turn_four(__m512i a, __m512i b, int64_t from) {
    const __m512i which = _mm512_setr_epi64(from, from + 4, from + 8, from + 12, from + 1, from + 5,
                                            from + 9, from + 13);
    return _mm512_permutex2var_epi64(a, which, b);
}

/* Lanes `from` and from + 1 of the eight. */
BSI_HASH_TARGET void bsi_hash_turn(const bsi_hash *hashes, int64_t from, __m512i out_lanes[2]) {
    __m512i a = bsi_hash_turn_four(bsi_hash_load_two(hashes[0].lane, hashes[1].lane),
                                   bsi_hash_load_two(hashes[2].lane, hashes[3].lane), from);
    __m512i b = bsi_hash_turn_four(bsi_hash_load_two(hashes[4].lane, hashes[5].lane),
                                   bsi_hash_load_two(hashes[6].lane, hashes[7].lane), from);
    out_lanes[0] = _mm512_maskz_shuffle_i64x2(0xFF, a, b, 0x44);
    out_lanes[1] = _mm512_maskz_shuffle_i64x2(0xFF, a, b, 0xEE);
}

BSI_HASH_TARGET __m512i bsi_hash_converge_many(const __m512i lanes[4]) {
    __m512i values = _mm512_add_epi64(
        _mm512_add_epi64(_mm512_maskz_rol_epi64(0xFF, lanes[0], 1),
                         _mm512_maskz_rol_epi64(0xFF, lanes[1], 7)),
        _mm512_add_epi64(_mm512_maskz_rol_epi64(0xFF, lanes[2], 12),
                         _mm512_maskz_rol_epi64(0xFF, lanes[3], 18)));
    for (uint32_t i = 0; i < 4; ++i) {
        values = _mm512_xor_si512(values, bsi_hash_round_many(_mm512_setzero_si512(), lanes[i]));
        values = _mm512_add_epi64(bsi_hash_times(values, BSI_HASH_PRIME_1),
                                  bsi_hash_all(BSI_HASH_PRIME_4));
    }
    return values;
}

BSI_TARGET("avx512f,avx512dq")
static void bsi_hash_end_avx512(bsi_hash *hashes, const uint64_t *words, uint32_t count,
                                uint64_t out_values[BSI_HASH_MANY]) {
    __m512i lanes[4], values;
    uint32_t i = 0;
    bsi_hash_turn(hashes, 0, lanes);
    bsi_hash_turn(hashes, 2, lanes + 2);
    if (count >= 4) {
        for (; i < 4; ++i) {
            lanes[i] = bsi_hash_round_many(lanes[i], _mm512_loadu_si512(words + BSI_HASH_MANY * i));
        }
    }
    values = _mm512_add_epi64(bsi_hash_converge_many(lanes),
                              bsi_hash_all(hashes[0].total_bytes + 8 * (uint64_t)count));
    for (; i < count; ++i) {
        values = bsi_hash_eat_many(values, _mm512_loadu_si512(words + BSI_HASH_MANY * i));
    }
    _mm512_storeu_si512(out_values, bsi_hash_mix_many(values));
}

#undef BSI_HASH_TARGET

#endif

/* ==========================================================================
 * >>huff   build decode tables from code lengths            (RFC 1951, 3.2.2)
 *   uses: config bytes cpu         allocates: no   threads: no   I/O: no
 * ========================================================================== */

/*
 * Format notes. A prefix code is sent as one length per symbol, 0 for a symbol without code. Codes
 * of one length are consecutive numbers in symbol order; the first code of a length is the number
 * after the last of the length before, with a 0 bit appended. Codes are packed first bit first into
 * a stream whose bits are numbered from the low end of each byte, so the front of a bit word holds
 * the *mirrored* code: all numbers called `code` here are mirrored.
 *
 * A table is looked up with the next `root` bits of the stream. A code shorter than that has an
 * entry for every value of the bits behind it; longer codes share an entry that links to a
 * subtable, looked up with the bits after the root.
 *
 *   entry    31  30          16  15  14  13  12  11       8  7 6  5         0
 *          +----+--------------+---+---+---+---+-----------+-----+-----------+
 *          |RARE|    value     |LIT| 0 |SUB|END| code bits | 0 0 | all bits  |
 *          +----+--------------+---+---+---+---+-----------+-----+-----------+
 *   literal      value = the byte, LIT set, all bits = code bits
 *   length       value = least length 3..258 in bits 16-24, mask of the extra bits in 26-30,
 *                all bits = code bits + extra bits
 *   distance     value = 1..24577, all bits = code bits + extra bits
 *   end of block RARE and END set
 *   link         RARE and SUB set, value = where the subtable starts, code bits = root,
 *                all bits = bits of the index into it
 *   no code      RARE alone: a pattern no symbol has, or symbol 286, 287 (length), 30, 31 (distance)
 *   In the code-length code value is the symbol, 0..18, and no flag is set.
 * Code bits count from the start of the code also in a subtable. They are at least 1, so no entry
 * is 0.
 */
#define BSI_HUFF_LITERAL 0x8000u
#define BSI_HUFF_RARE 0x80000000u
#define BSI_HUFF_SUBTABLE 0x2000u
#define BSI_HUFF_END 0x1000u
#define BSI_HUFF_LINK (BSI_HUFF_RARE | BSI_HUFF_SUBTABLE)

#define BSI_HUFF_MAX_BITS 15u           /* longest code of DEFLATE                          */
#define BSI_HUFF_MAX_SYMBOLS 288u       /* the fixed literal/length code has the most       */
#define BSI_HUFF_END_OF_BLOCK 256u

/* Root bits: 4 KiB and 1 KiB stay in the first-level cache beside the text being written. */
#define BSI_HUFF_LITLEN_BITS 10u
#define BSI_HUFF_DISTANCE_BITS 8u
#define BSI_HUFF_CODELEN_BITS 7u

/*
 * Table sizes, all inputs considered. Subtables exist in complete codes only. One of b index bits
 * holds a code with b bits behind the root, and a complete binary tree of depth b has at least b +
 * 1 leaves: at most 2^b / (b + 1) entries a symbol, which grows with b. Literal/length: b <= 15 -
 * 10 = 5, 32 / 6 entries for each of 286 symbols is below 1526. Distance: b <= 15 - 8 = 7, 128 / 8
 * = 16 entries for each of 30 symbols is 480. The fixed codes (288 and 32 symbols, at most 9 and 5
 * bits) have no subtables.
 */
#define BSI_HUFF_LITLEN_ENTRIES (1024u + 1526u)
#define BSI_HUFF_DISTANCE_ENTRIES (256u + 480u)
#define BSI_HUFF_CODELEN_ENTRIES 128u

/*
 * A wide table is a root once more, of as many bits or fewer, for a loop that takes whole matches and
 * runs of literals in one step, without asking what comes first: symbols whose codes, extra bits
 * included, all lie within the bits of the look-up; a length is the last of them.
 *
 *    63                   32 31  30    19 18   16 15     9   8   7 6 5         0
 *   +-----------------------+----+--------+-------+--------+-----+---+-----------+
 *   |     the literals,     |RARE|   0    | their | length |MATCH|0 0| all bits  |
 *   |   the first lowest    |    |        | number| 0,3..64|     |   |           |
 *   +-----------------------+----+--------+-------+--------+-----+---+-----------+
 *   RARE alone   what the step cannot do: the end of a block, a link, no code, and in front of all
 *                literals a length that is longer than COPY or whose extra bits are not in sight
 *
 * A step takes a distance in any case. Behind literals alone it is one of the entries in front of
 * the distance table proper, chosen by MATCH: 0 bits, and a distance at which nothing was written
 * just now, since the step copies all the same and would wait for those stores.
 */
#define BSI_HUFF_WIDE_BITS 10u          /* of one stream by itself */
#define BSI_HUFF_LANE_BITS 9u           /* of several at once, which share the first-level cache */
#define BSI_HUFF_WIDE_ENTRIES 1024u
#define BSI_HUFF_WIDE_COPY 64u          /* longest match of a wide entry */
#define BSI_HUFF_WIDE_LITERALS 4u       /* most literals of one */
#define BSI_HUFF_WIDE_LITERAL 0x10000u  /* one more of them */
#define BSI_HUFF_MATCH 256u             /* flag, and index of the distance table proper */
#define BSI_HUFF_NO_MATCH ((uint32_t)256 << 16) /* 0 bits, a distance of 256 bytes */

BSI_STATIC_ASSERT(BSI_HUFF_WIDE_ENTRIES == 1u << BSI_HUFF_WIDE_BITS, wide_entries_are_all);
BSI_STATIC_ASSERT(BSI_HUFF_WIDE_BITS <= BSI_HUFF_LITLEN_BITS, wide_comes_from_the_root);
BSI_STATIC_ASSERT(BSI_HUFF_LANE_BITS + 1 == BSI_HUFF_WIDE_BITS, a_lanes_table_is_there_twice);
BSI_STATIC_ASSERT(BSI_HUFF_MATCH == 1u << BSI_HUFF_DISTANCE_BITS, the_flag_is_the_index);

typedef enum bsi_huff_kind {
    BSI_HUFF_KIND_LITLEN,
    BSI_HUFF_KIND_DISTANCE,
    BSI_HUFF_KIND_CODELEN
} bsi_huff_kind;

/* Symbols in the order of their codes, and how many codes of each length there are. */
typedef struct bsi_huff_plan {
    unsigned count[BSI_HUFF_MAX_BITS + 1];
    uint16_t symbols[BSI_HUFF_MAX_SYMBOLS];
} bsi_huff_plan;

BSI_INLINE unsigned bsi_huff_root_bits(bsi_huff_kind kind) {
    return kind == BSI_HUFF_KIND_LITLEN     ? BSI_HUFF_LITLEN_BITS
           : kind == BSI_HUFF_KIND_DISTANCE ? BSI_HUFF_DISTANCE_BITS
                                            : BSI_HUFF_CODELEN_BITS;
}

/* What a decoder takes from an entry. Masked with 63 a shift by all bits costs no instruction. */
BSI_INLINE unsigned bsi_huff_all_bits(uint32_t entry) {
    return entry & 63u;
}

BSI_INLINE unsigned bsi_huff_code_bits(uint32_t entry) {
    return entry >> 8 & 15u;
}

/*
 * What stands in `word` above the code, its low bits being the extra ones. For all entries that are
 * not rare: as their SUB and END are 0, the code bits may be masked with 63, and then cost nothing
 * either.
 */
BSI_INLINE uint32_t bsi_huff_behind(uint32_t entry, uint64_t word) {
    return (uint32_t)(word >> (entry >> 8 & 63u));
}

BSI_INLINE uint32_t bsi_huff_length(uint32_t entry, uint64_t word) {
    return (entry >> 16 & 511u) + (bsi_huff_behind(entry, word) & entry >> 26);
}

/* The extra bits end where all bits end. */
BSI_INLINE uint32_t bsi_huff_extra(uint32_t entry, uint64_t word) {
    return bsi_huff_behind(entry, word & (((uint64_t)1 << bsi_huff_all_bits(entry)) - 1));
}

BSI_INLINE uint32_t bsi_huff_distance(uint32_t entry, uint64_t word) {
    return (entry >> 16) + bsi_huff_extra(entry, word);
}

/* What a step takes from a wide entry, which is not rare. */
BSI_INLINE uint32_t bsi_huff_wide_literals(uint64_t entry) {
    return (uint32_t)(entry >> 32);
}

BSI_INLINE uint32_t bsi_huff_wide_count(uint64_t entry) {
    return (uint32_t)entry >> 16;
}

BSI_INLINE uint32_t bsi_huff_wide_length(uint64_t entry) {
    return (uint16_t)entry >> 9;
}

/*
 * The entry a link leads to. `word` starts with the code; `link` is an entry of `table` with SUB
 * set.
 */
BSI_INLINE uint32_t bsi_huff_follow(const uint32_t *table, uint32_t link, uint64_t word) {
    uint32_t mask = ((uint32_t)1 << bsi_huff_all_bits(link)) - 1;
    return table[(link >> 16 & 0x7FFFu) + ((uint32_t)(word >> bsi_huff_code_bits(link)) & mask)];
}

/*
 * RFC 1951, 3.2.5: the least length of each symbol from 257 on and its extra bits. 285 is 258 without
 * any, although 284 with all of them set says 258 as well.
 */
#define BSI_HUFF_LENGTH(least, extra_bits)                                                          \
    ((((uint32_t)1 << (extra_bits)) - 1) << 26 | (uint32_t)(least) << 16 | (extra_bits))

/* Literals, the end of a block, lengths: without a branch, as nobody can guess which is next. */
BSI_INLINE uint32_t bsi_huff_litlen_meaning(unsigned symbol) {
    static const uint32_t meanings[33] = {
        BSI_HUFF_LITERAL,        BSI_HUFF_RARE | BSI_HUFF_END,
        BSI_HUFF_LENGTH(3, 0),   BSI_HUFF_LENGTH(4, 0),   BSI_HUFF_LENGTH(5, 0),   BSI_HUFF_LENGTH(6, 0),
        BSI_HUFF_LENGTH(7, 0),   BSI_HUFF_LENGTH(8, 0),   BSI_HUFF_LENGTH(9, 0),   BSI_HUFF_LENGTH(10, 0),
        BSI_HUFF_LENGTH(11, 1),  BSI_HUFF_LENGTH(13, 1),  BSI_HUFF_LENGTH(15, 1),  BSI_HUFF_LENGTH(17, 1),
        BSI_HUFF_LENGTH(19, 2),  BSI_HUFF_LENGTH(23, 2),  BSI_HUFF_LENGTH(27, 2),  BSI_HUFF_LENGTH(31, 2),
        BSI_HUFF_LENGTH(35, 3),  BSI_HUFF_LENGTH(43, 3),  BSI_HUFF_LENGTH(51, 3),  BSI_HUFF_LENGTH(59, 3),
        BSI_HUFF_LENGTH(67, 4),  BSI_HUFF_LENGTH(83, 4),  BSI_HUFF_LENGTH(99, 4),  BSI_HUFF_LENGTH(115, 4),
        BSI_HUFF_LENGTH(131, 5), BSI_HUFF_LENGTH(163, 5), BSI_HUFF_LENGTH(195, 5), BSI_HUFF_LENGTH(227, 5),
        BSI_HUFF_LENGTH(258, 0), BSI_HUFF_RARE,           BSI_HUFF_RARE};
    uint32_t literal = 0 - (uint32_t)(symbol < 256); /* all ones, or 0 */
    return meanings[(symbol - 255) & ~literal] + (symbol << 16 & literal);
}

/*
 * Distances: 0..3 are 1..4; then two symbols share e = 1..13 extra bits and start at 2 or 3 times
 * 2^e, plus 1.
 */
static uint32_t bsi_huff_distance_meaning(unsigned symbol) {
    if (symbol < 4) {
        return (uint32_t)(symbol + 1) << 16;
    }
    if (symbol < 30) {
        unsigned extra_bits = symbol / 2 - 1;
        return (uint32_t)(((2 + symbol % 2) << extra_bits) + 1) << 16 | extra_bits;
    }
    return BSI_HUFF_RARE;
}

/*
 * Code lengths (3.2.7): 0..15 as they are; 16, 17 and 18 are repeats with 2, 3 and 7 extra bits for
 * the count.
 */
static uint32_t bsi_huff_codelen_meaning(unsigned symbol) {
    unsigned extra_bits = symbol < 16 ? 0 : symbol == 18 ? 7 : symbol - 14;
    return (uint32_t)symbol << 16 | extra_bits;
}

/* The entry of a symbol, still without the bits of its code. */
static uint32_t bsi_huff_meaning(bsi_huff_kind kind, unsigned symbol) {
    return kind == BSI_HUFF_KIND_LITLEN     ? bsi_huff_litlen_meaning(symbol)
           : kind == BSI_HUFF_KIND_DISTANCE ? bsi_huff_distance_meaning(symbol)
                                            : bsi_huff_codelen_meaning(symbol);
}

/*
 * The code after `code` among codes of `bits` bits: add one to the mirrored number, the carry runs
 * downwards.
 */
BSI_INLINE uint32_t bsi_huff_next(uint32_t code, unsigned bits) {
    uint32_t zeros = ~code & (((uint32_t)1 << bits) - 1), bit;
    if (BSI_UNLIKELY(zeros == 0)) {
        return 0;
    }
    bit = (uint32_t)1 << bsi_cpu_highest_one(zeros);
    return (code & (bit - 1)) | bit;
}

/*
 * Count and sort by length, symbols of equal length in ascending order. Lengths <= 15, symbols <=
 * 288. Symbols with a code are listed first: most have none, eight of these at a time are passed over,
 * and which of the others do cannot be guessed. Two rows of counts: adding to the number just stored
 * would wait for it.
 */
static void bsi_huff_sort(bsi_huff_plan *plan, const uint8_t *lengths, unsigned symbols) {
    unsigned start[BSI_HUFF_MAX_BITS + 2], odd[BSI_HUFF_MAX_BITS + 1];
    uint16_t used[BSI_HUFF_MAX_SYMBOLS + 1];
    unsigned count = 0, symbol = 0;
    while (symbol < symbols) {
        unsigned end = BSI_MIN(symbol + 8, symbols);
        if (end == symbol + 8 && bsi_bytes_load64(lengths + symbol) == 0) {
            symbol = end;
        }
        for (; symbol < end; symbol++) {
            used[count] = (uint16_t)symbol;
            count += lengths[symbol] != 0;
        }
    }
    memset(plan->count, 0, sizeof plan->count);
    memset(odd, 0, sizeof odd);
    used[count] = 0; /* read beside the last of an odd number, and not counted */
    for (unsigned i = 0; i < count; i += 2) {
        plan->count[lengths[used[i]]]++;
        odd[lengths[used[i + 1]]] += i + 1 < count;
    }
    start[1] = 0;
    for (unsigned bits = 1; bits <= BSI_HUFF_MAX_BITS; bits++) {
        plan->count[bits] += odd[bits];
        start[bits + 1] = start[bits] + plan->count[bits];
    }
    for (unsigned i = 0; i < count; i++) {
        plan->symbols[start[lengths[used[i]]]++] = used[i];
    }
}

/*
 * May DEFLATE use this set of lengths? `space` counts the codes of the current length that are
 * still free; a code of length n uses up two of length n + 1. More codes than space:
 * over-subscribed, never allowed. Space left at the end: incomplete, allowed only as RFC 1951 has
 * it, for one code of one bit, and for no code at all. The code-length code has no such exception
 * for one code. These are zlib's rules to the letter.
 */
static int bsi_huff_is_allowed(const bsi_huff_plan *plan, bsi_huff_kind kind) {
    int32_t space = 1;
    unsigned used = 0;
    for (unsigned bits = 1; bits <= BSI_HUFF_MAX_BITS; bits++) {
        space = space * 2 - (int32_t)plan->count[bits];
        if (space < 0) {
            return 0;
        }
        used += plan->count[bits];
    }
    if (space == 0 || used == 0) {
        return 1;
    }
    return used == 1 && plan->count[1] == 1 && kind != BSI_HUFF_KIND_CODELEN;
}

/*
 * Fill the root, shortest codes first. With codes of up to n bits placed, the first 2^n entries are
 * right for n bits of look-up; appending a copy of them makes the table for n + 1 bits. At n = 0
 * there is one entry, "no code", which shows through wherever no code is placed. Returns the first
 * code that is longer than the root.
 */
static uint32_t bsi_huff_fill_root(uint32_t *table, bsi_huff_kind kind, const bsi_huff_plan *plan) {
    const uint16_t *symbol = plan->symbols;
    uint32_t code = 0;
    /*
     * An empty code-length code reads every bit as the length 0: zlib does, and faults only at the
     * missing end.
     */
    table[0] = (kind == BSI_HUFF_KIND_CODELEN ? 0 : BSI_HUFF_RARE) | 0x101u;
    for (unsigned bits = 1; bits <= bsi_huff_root_bits(kind); bits++) {
        size_t half = (size_t)1 << (bits - 1);
        memcpy(table + half, table, half * sizeof *table);
        for (unsigned left = plan->count[bits]; left > 0; left--) {
            table[code] = bsi_huff_meaning(kind, *symbol++) + bits * 0x101u;
            code = bsi_huff_next(code, bits);
        }
    }
    return code;
}

/*
 * Index bits for a subtable whose first code has `bits` bits, with count[] holding what is still to
 * be placed. Codes come in ascending length and fill the subtable without a gap, so it is as deep
 * as the length at which the codes yet to come have used up its space. In a complete code that is
 * at 15 bits at the latest.
 */
static unsigned bsi_huff_subtable_bits(const bsi_huff_plan *plan, unsigned bits, unsigned root) {
    unsigned index_bits = bits - root;
    int32_t space = ((int32_t)1 << index_bits) - (int32_t)plan->count[bits];
    while (space > 0 && root + index_bits < BSI_HUFF_MAX_BITS) {
        index_bits++;
        space = space * 2 - (int32_t)plan->count[root + index_bits];
    }
    return index_bits;
}

/*
 * Place the codes longer than the root, from `code` on. Uses up count[]. The bounds above keep it
 * in the table.
 */
static void bsi_huff_fill_subtables(uint32_t *table, bsi_huff_kind kind, bsi_huff_plan *plan,
                                    uint32_t code) {
    unsigned root = bsi_huff_root_bits(kind);
    uint32_t root_mask = ((uint32_t)1 << root) - 1;
    uint32_t start = 0, end = (uint32_t)1 << root, prefix = root_mask + 1; /* no subtable is open */
    const uint16_t *symbol = plan->symbols;
    for (unsigned bits = 1; bits <= root; bits++) {
        symbol += plan->count[bits];
    }
    for (unsigned bits = root + 1; bits <= BSI_HUFF_MAX_BITS; bits++) {
        for (; plan->count[bits] > 0; plan->count[bits]--) {
            if ((code & root_mask) != prefix) {
                unsigned index_bits = bsi_huff_subtable_bits(plan, bits, root);
                prefix = code & root_mask;
                start = end;
                end = start + ((uint32_t)1 << index_bits);
                table[prefix] = start << 16 | BSI_HUFF_LINK | root << 8 | index_bits;
            }
            uint32_t entry = bsi_huff_meaning(kind, *symbol++) + bits * 0x101u;
            uint32_t step = (uint32_t)1 << (bits - root);
            for (uint32_t at = start + (code >> root); at < end; at += step) {
                table[at] = entry;
            }
            code = bsi_huff_next(code, bits);
        }
    }
}

/*
 * Build the table of a code; 0 if DEFLATE does not allow its lengths, and then the table is as it
 * was. `table` has BSI_HUFF_<KIND>_ENTRIES; lengths are 0..15 (code-length code: 0..7); symbols <=
 * 286, 30, 19, or the fixed 288, 32. The plan keeps its symbols, and the counts of codes within the
 * root.
 */
static int bsi_huff_build(bsi_huff_plan *plan, uint32_t *table, bsi_huff_kind kind,
                          const uint8_t *lengths, unsigned symbols) {
    bsi_huff_sort(plan, lengths, symbols);
    if (!bsi_huff_is_allowed(plan, kind)) {
        return 0;
    }
    bsi_huff_fill_subtables(table, kind, plan, bsi_huff_fill_root(table, kind, plan));
    return 1;
}

/*
 * How much of the text comes from matches? In one written by this code as it is meant, a code of n bits
 * comes once in 2^n symbols; so the code space of the length codes, 32768 being all, tells how many
 * symbols are matches.
 */
static uint32_t bsi_huff_match_space(const uint8_t *lengths, unsigned symbols) {
    uint32_t space = 0;
    for (unsigned symbol = BSI_HUFF_END_OF_BLOCK + 1; symbol < symbols; symbol++) {
        space += (32768u >> lengths[symbol]) & 0x7FFFu;
    }
    return space;
}

/*
 * The wide entry of the one symbol that `pattern`, the `wide_bits` bits of the look-up, starts with;
 * `entry` is what the root has for it.
 */
static uint64_t bsi_huff_wide_one(uint32_t entry, uint32_t pattern, uint32_t wide_bits) {
    uint32_t length;
    if ((entry & BSI_HUFF_RARE) || bsi_huff_all_bits(entry) > wide_bits) {
        return BSI_HUFF_RARE;
    }
    if (entry & BSI_HUFF_LITERAL) {
        return (uint64_t)(entry >> 16 & 255u) << 32 | BSI_HUFF_WIDE_LITERAL | bsi_huff_all_bits(entry);
    }
    length = bsi_huff_length(entry, pattern);
    if (length > BSI_HUFF_WIDE_COPY) {
        return BSI_HUFF_RARE;
    }
    return length << 9 | BSI_HUFF_MATCH | bsi_huff_all_bits(entry);
}

/*
 * What may follow a literal has fewer bits than the look-up. So there are levels, one for each number
 * of bits from 0 on: small wide tables, that of b bits from 2^b on. With a one put in front of the bits
 * behind a literal of n bits, of b, an index shifted by n is that of what follows it. As no code of a
 * literal is shorter than `least`, an entry of at most 4 least - 1 bits has three literals or fewer.
 */
#define BSI_HUFF_LEVEL_ENTRIES 256u

typedef struct bsi_huff_levels {
    uint32_t most;              /* bits of the largest */
    uint64_t entries[BSI_HUFF_LEVEL_ENTRIES];
} bsi_huff_levels;

/* The codes of one or two bits begin one of the first four patterns. */
static uint32_t bsi_huff_most_behind(const uint32_t *table, uint32_t wide_bits) {
    uint32_t least = 3;
    for (uint32_t pattern = 0; pattern < 4; pattern++) {
        if (table[pattern] & BSI_HUFF_LITERAL) {
            least = BSI_MIN(least, bsi_huff_code_bits(table[pattern]));
        }
    }
    return BSI_MIN(wide_bits - least, 4 * least - 1);
}

BSI_STATIC_ASSERT(BSI_HUFF_LEVEL_ENTRIES == 2u << (4 * 2 - 1), levels_of_least_2);
BSI_STATIC_ASSERT(BSI_HUFF_LEVEL_ENTRIES == 2u << (BSI_HUFF_WIDE_BITS - 3), levels_of_least_3);

/* The entry for a pattern of `bits` bits. Without a branch on what follows, which cannot be guessed. */
static uint64_t bsi_huff_wide_entry(const bsi_huff_levels *levels, const uint32_t *table,
                                    uint32_t pattern, uint32_t bits) {
    uint64_t one = bsi_huff_wide_one(table[pattern], pattern, bits), next, keep;
    uint32_t at = (((uint32_t)1 << bits) | pattern) >> bsi_huff_code_bits(table[pattern]);
    uint32_t top = (uint32_t)1 << levels->most;
    next = levels->entries[at >= top ? top | (at & (top - 1)) : at];
    keep = 0 - (uint64_t)((next & BSI_HUFF_RARE) != 0 || !(one & BSI_HUFF_WIDE_LITERAL));
    return one + (((next >> 32 << 40) + (next & UINT32_MAX)) & ~keep);
}

/* Make the levels' entries in front of `end`, from 1 on. */
static void bsi_huff_fill_levels(bsi_huff_levels *levels, const uint32_t *table, uint32_t end) {
    levels->entries[0] = BSI_HUFF_RARE;
    for (uint32_t at = 1; at < end; at++) {
        uint32_t bits = bsi_cpu_highest_one(at);
        levels->entries[at] = bsi_huff_wide_entry(levels, table, at - ((uint32_t)1 << bits), bits);
    }
}

/* Make the wide table of a literal/length code from its root. */
static void bsi_huff_widen_portable(uint64_t *wide, const uint32_t *table, uint32_t wide_bits) {
    bsi_huff_levels levels;
    levels.most = bsi_huff_most_behind(table, wide_bits);
    bsi_huff_fill_levels(&levels, table, (uint32_t)2 << levels.most);
    for (uint32_t pattern = 0; pattern >> wide_bits == 0; pattern++) {
        wide[pattern] = bsi_huff_wide_entry(&levels, table, pattern, wide_bits);
    }
}

#if BSI_CPU_X86_AVX2

/*
 * Put what follows into four entries of one symbol; `from` is where in the levels. Four loads: on
 * processors with the remedy against Downfall a gather takes many times as long.
 */
BSI_TARGET("avx2")
static inline __m256i bsi_huff_wide_four(__m256i one, const bsi_huff_levels *levels,
                                         const uint32_t *from) {
    const uint64_t *entries = levels->entries;
    __m256i next = _mm256_set_epi64x((int64_t)entries[from[3]], (int64_t)entries[from[2]],
                                     (int64_t)entries[from[1]], (int64_t)entries[from[0]]);
    __m256i high = _mm256_slli_epi64(_mm256_srli_epi64(next, 32), 40);
    __m256i rare = _mm256_slli_epi64(next, 32); /* in the sign */
    __m256i none = _mm256_slli_epi64(_mm256_andnot_si256(one, _mm256_set1_epi64x(1 << 16)), 63 - 16);
    __m256i both = _mm256_add_epi64(one, _mm256_blend_epi32(next, high, 0xAA));
    return _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(both), _mm256_castsi256_pd(one),
                                                _mm256_castsi256_pd(_mm256_or_si256(rare, none))));
}

/* Make the entries for eight patterns of `bits` bits, from `pattern` on. */
BSI_TARGET("avx2")
static inline void bsi_huff_wide_eight(uint64_t *to, const bsi_huff_levels *levels,
                                       const uint32_t *table, uint32_t pattern, uint32_t bits) {
    const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i top = _mm256_set1_epi32(1 << levels->most);
    uint32_t from[8];
    __m256i entry = _mm256_loadu_si256((const __m256i *)(const void *)(table + pattern));
    __m256i patterns = _mm256_add_epi32(_mm256_set1_epi32((int)(pattern | (uint32_t)1 << bits)), numbers);
    __m256i all = _mm256_and_si256(entry, _mm256_set1_epi32(63));
    __m256i code = _mm256_and_si256(_mm256_srli_epi32(entry, 8), _mm256_set1_epi32(15));
    __m256i behind = _mm256_srlv_epi32(patterns, code);
    __m256i value = _mm256_and_si256(_mm256_srli_epi32(entry, 16), _mm256_set1_epi32(511));
    __m256i length = _mm256_add_epi32(value, _mm256_and_si256(behind, _mm256_srli_epi32(entry, 26)));
    __m256i literal = _mm256_srai_epi32(_mm256_slli_epi32(entry, 16), 31);
    __m256i too_long = _mm256_cmpgt_epi32(length, _mm256_set1_epi32((int)BSI_HUFF_WIDE_COPY));
    __m256i rare = _mm256_or_si256(_mm256_srai_epi32(entry, 31),
                                   _mm256_cmpgt_epi32(all, _mm256_set1_epi32((int)bits)));
    __m256i low = _mm256_or_si256(_mm256_slli_epi32(length, 9), _mm256_set1_epi32((int)BSI_HUFF_MATCH));
    __m256i high = _mm256_and_si256(value, literal), even, odd;
    __m256i within = _mm256_and_si256(behind, _mm256_sub_epi32(top, _mm256_set1_epi32(1)));
    behind = _mm256_min_epu32(behind, _mm256_or_si256(within, top));
    _mm256_storeu_si256((__m256i *)(void *)from, behind);
    rare = _mm256_or_si256(rare, _mm256_andnot_si256(literal, too_long));
    low = _mm256_blendv_epi8(low, _mm256_set1_epi32((int)BSI_HUFF_WIDE_LITERAL), literal);
    low = _mm256_or_si256(low, all);
    low = _mm256_blendv_epi8(low, _mm256_set1_epi32((int)BSI_HUFF_RARE), rare);
    high = _mm256_andnot_si256(rare, high);
    even = _mm256_unpacklo_epi32(low, high); /* 0 1 4 5 */
    odd = _mm256_unpackhi_epi32(low, high);  /* 2 3 6 7 */
    _mm256_storeu_si256((__m256i *)(void *)to,
                        bsi_huff_wide_four(_mm256_permute2x128_si256(even, odd, 0x20), levels, from));
    _mm256_storeu_si256((__m256i *)(void *)(to + 4),
                        bsi_huff_wide_four(_mm256_permute2x128_si256(even, odd, 0x31), levels, from + 4));
}

/* The kernel for BIOST_CPU_AVX2. */
BSI_TARGET("avx2")
static void bsi_huff_widen_avx2(uint64_t *wide, const uint32_t *table, uint32_t wide_bits) {
    bsi_huff_levels levels;
    levels.most = bsi_huff_most_behind(table, wide_bits);
    bsi_huff_fill_levels(&levels, table, 8);
    for (uint32_t bits = 3; bits <= levels.most; bits++) {
        for (uint32_t pattern = 0; pattern >> bits == 0; pattern += 8) {
            uint64_t *to = levels.entries + ((size_t)1 << bits) + pattern;
            bsi_huff_wide_eight(to, &levels, table, pattern, bits);
        }
    }
    for (uint32_t pattern = 0; pattern >> wide_bits == 0; pattern += 8) {
        bsi_huff_wide_eight(wide + pattern, &levels, table, pattern, wide_bits);
    }
}

#endif

/* ==========================================================================
 * >>inflate   decode DEFLATE blocks into a page             (RFC 1951)
 *   uses: config bytes cpu huff    allocates: no   threads: no   I/O: no
 * ========================================================================== */

/*
 * Two decoders over one state. The exact path takes one input byte at a time, never more than it
 * needs, and can stop between any two bits of input and any two bytes of output. The fast loop runs
 * where so much input and output is left that one symbol needs no limit test; it knows literals and
 * matches only and leaves everything else, the end of a block and every fault included, untouched
 * to the exact path. So verdicts have one source. There are two fast loops: one for blocks of
 * matches, one for blocks of literals.
 *
 *   state      waits for                                  then
 *   HEAD       3 bits: last-block flag, block type        STORED_SIZE, COUNTS, SYMBOL, DONE *
 *   STORED_SIZE  32 bits from the next whole byte: LEN NLEN STORED
 *   STORED     input, output: LEN bytes as they are       HEAD
 *   COUNTS     14 bits: HLIT, HDIST, HCLEN                CODELENS
 *   CODELENS   3 bits for each code-length code length    LENGTHS
 *   LENGTHS    code-length symbols with their extra bits  SYMBOL
 *   SYMBOL     a literal/length code with its extra bits  LITERAL, DISTANCE, HEAD (end of block)
 *   LITERAL    output: one byte                           SYMBOL
 *   DISTANCE   a distance code with its extra bits        MATCH
 *   MATCH      output: the bytes of the match             SYMBOL
 *   DONE, BAD  stay until begin          * after the block whose last-block flag was set
 *
 * Bit buffer: the next bit of the stream is bit 0 of `word`, `bit_count` bits are valid, the bits
 * above are 0. A state pulls a byte only while the bits it has do not decide, so that on leaving a
 * state at most 7 bits are held and none of a byte after the stream's last. That is what lets DONE
 * say where the stream ended.
 */
typedef enum bsi_inflate_status {
    BSI_INFLATE_GO_ON,          /* between private steps only, never from bsi_inflate_run */
    BSI_INFLATE_NEED_INPUT,     /* all input is used up */
    BSI_INFLATE_NEED_OUTPUT,    /* a byte is ready and has no place */
    BSI_INFLATE_BORDER,         /* between two blocks, where `stops` asked for it */
    BSI_INFLATE_DONE,           /* the last block has ended */
    BSI_INFLATE_BAD             /* not DEFLATE; `detail` says why */
} bsi_inflate_status;

typedef enum bsi_inflate_state {
    BSI_INFLATE_STATE_HEAD,
    BSI_INFLATE_STATE_STORED_SIZE,
    BSI_INFLATE_STATE_STORED,
    BSI_INFLATE_STATE_COUNTS,
    BSI_INFLATE_STATE_CODELENS,
    BSI_INFLATE_STATE_LENGTHS,
    BSI_INFLATE_STATE_SYMBOL,
    BSI_INFLATE_STATE_LITERAL,
    BSI_INFLATE_STATE_DISTANCE,
    BSI_INFLATE_STATE_MATCH,
    BSI_INFLATE_STATE_DONE,
    BSI_INFLATE_STATE_BAD
} bsi_inflate_state;

#define BSI_INFLATE_HISTORY_BYTES 32768u
#define BSI_INFLATE_MAX_MATCH 258u

struct bsi_inflate_cursor;

/*
 * About 23 KiB, nearly all tables. No pointers into itself: it may be copied and moved between
 * calls.
 */
typedef struct bsi_inflate {
    bsi_inflate_state state;
    int is_last;                /* the block being read has the last-block flag */
    uint32_t match_space;       /* of this block: code space of matches, of 32768 */
    uint64_t word;              /* bit buffer */
    uint32_t bit_count;
    uint32_t history_bytes;     /* min(32768, bytes written since begin) */
    uint32_t stored_bytes;      /* left of a stored block */
    uint32_t match_bytes;       /* left of a match */
    uint32_t distance;          /* of that match */
    uint8_t literal;            /* waits for output */
    uint32_t litlen_count;      /* HLIT + 257 */
    uint32_t distance_count;    /* HDIST + 1 */
    uint32_t codelen_count;     /* HCLEN + 4 */
    uint32_t filled_count;      /* how many of lengths[] are known */
    const char *detail;         /* NULL, or what is wrong: a fragment of a sentence */
    int at_border;              /* run has stopped at the border in front */
    int holds_fixed;            /* the tables are those of the fixed codes; it and what follows stay */
    int stops;                  /* run stops at each border between two blocks, once */
    void (*fast)(struct bsi_inflate *inflate, struct bsi_inflate_cursor *cursor); /* the kernels */
    void (*widen)(uint64_t *wide, const uint32_t *table, uint32_t wide_bits);
    uint32_t wide_bits;         /* WIDE_BITS or LANE_BITS */
    uint32_t narrow_symbols;    /* after so many more the wide table is made; 0: it is */
    uint8_t lengths[BSI_HUFF_MAX_SYMBOLS + 32];
    uint32_t litlen[BSI_HUFF_LITLEN_ENTRIES];
    uint32_t distances[BSI_HUFF_MATCH + BSI_HUFF_DISTANCE_ENTRIES]; /* NO_MATCH, then the code's */
    uint32_t codelens[BSI_HUFF_CODELEN_ENTRIES];
    uint64_t wide[BSI_HUFF_WIDE_ENTRIES];
} bsi_inflate;

/* Where one call to run stands in the caller's memory. */
typedef struct bsi_inflate_cursor {
    const uint8_t *in, *in_end;
    uint8_t *out, *out_end;
    uint8_t *oldest;            /* first byte of the history; a match may start here, not before */
} bsi_inflate_cursor;

/* Enter BAD for good. `detail` is a literal, so it outlives everything. */
BSI_COLD static bsi_inflate_status bsi_inflate_bad(bsi_inflate *inflate, const char *detail) {
    inflate->state = BSI_INFLATE_STATE_BAD;
    inflate->detail = detail;
    return BSI_INFLATE_BAD;
}

/*
 * Pull one byte; 0 if there is none. bit_count <= 56, which holds as no state waits for more than
 * 32 bits.
 */
BSI_INLINE int bsi_inflate_pull(bsi_inflate *inflate, bsi_inflate_cursor *cursor) {
    if (cursor->in == cursor->in_end) {
        return 0;
    }
    inflate->word |= (uint64_t)*cursor->in++ << inflate->bit_count;
    inflate->bit_count += 8;
    return 1;
}

/* Pull until `bits` <= 32 bits are there; 0 if the input ends first, and then what came is kept. */
static int bsi_inflate_need(bsi_inflate *inflate, bsi_inflate_cursor *cursor, unsigned bits) {
    while (inflate->bit_count < bits) {
        if (!bsi_inflate_pull(inflate, cursor)) {
            return 0;
        }
    }
    return 1;
}

/* Take `bits` <= 32 bits off the front. They are there. */
BSI_INLINE uint32_t bsi_inflate_take(bsi_inflate *inflate, unsigned bits) {
    uint32_t value = (uint32_t)(inflate->word & (((uint64_t)1 << bits) - 1));
    inflate->word >>= bits;
    inflate->bit_count -= bits;
    return value;
}

/*
 * The entry of the code in front, with its extra bits pulled but nothing taken; 0 if the input ends
 * first. An entry found with fewer valid bits than its code has was found through the zeros above
 * them: it decides nothing yet. Once the code is within the valid bits it is the right one, because
 * no code is the beginning of another.
 */
static uint32_t bsi_inflate_peek(bsi_inflate *inflate, bsi_inflate_cursor *cursor,
                                 const uint32_t *table, unsigned root_bits) {
    uint64_t root_mask = ((uint64_t)1 << root_bits) - 1;
    for (;;) {
        uint32_t entry = table[inflate->word & root_mask];
        if ((entry & BSI_HUFF_SUBTABLE) && bsi_huff_code_bits(entry) <= inflate->bit_count) {
            entry = bsi_huff_follow(table, entry, inflate->word);
        }
        if (!(entry & BSI_HUFF_SUBTABLE) && bsi_huff_code_bits(entry) <= inflate->bit_count) {
            return bsi_inflate_need(inflate, cursor, bsi_huff_all_bits(entry)) ? entry : 0;
        }
        if (!bsi_inflate_pull(inflate, cursor)) {
            return 0;
        }
    }
}

/* ---- the bit buffer in registers ---- */

/*
 * What a fast loop keeps in registers. Of `count` the low 6 bits count, 0..63; above them is what
 * subtracting whole entries leaves.
 *
 * A refill reads 8 bytes at `in`, ORs them in above the valid bits and advances by as many whole
 * bytes as fit: 56..63 bits are then valid, and the bits above them are already the stream's, so
 * that ORing them in again changes nothing and all 64 bits may be looked at.
 *
 * A fast loop begins with at most 7 bits held. So the whole bytes in the buffer at its end were
 * read by it and can be given back, and again at most 7 bits are held. A symbol cut by the end of
 * an earlier input holds more; it goes the exact way first.
 */
typedef struct bsi_inflate_bits {
    const uint8_t *in;
    uint64_t word;
    uint32_t count;
} bsi_inflate_bits;

/* 8 bytes at in are readable. 7 - count / 8 bytes fit; count grows by 8 times that: 56..63. */
BSI_INLINE void bsi_inflate_refill(bsi_inflate_bits *bits) {
    bits->word |= bsi_bytes_load64(bits->in) << (bits->count & 63u);
    bits->in += 7u - (bits->count >> 3 & 7u);
    bits->count |= 56u;
}

/* All bits stand in the lowest 6 of an entry, with two zeros above them. */
BSI_INLINE void bsi_inflate_drop(bsi_inflate_bits *bits, uint32_t entry) {
    bits->word >>= bsi_huff_all_bits(entry);
    bits->count -= entry;
}

/* At most 7 bits are held, 8 bytes readable. */
BSI_INLINE bsi_inflate_bits bsi_inflate_bits_begin(const bsi_inflate *inflate,
                                                   const bsi_inflate_cursor *cursor) {
    bsi_inflate_bits bits;
    bits.in = cursor->in;
    bits.word = inflate->word;
    bits.count = inflate->bit_count;
    bsi_inflate_refill(&bits);
    return bits;
}

/* Give back the whole bytes that are left. */
BSI_INLINE void bsi_inflate_bits_end(bsi_inflate *inflate, bsi_inflate_cursor *cursor,
                                     const bsi_inflate_bits *bits) {
    uint32_t count = bits->count & 63u;
    cursor->in = bits->in - (count >> 3);
    inflate->bit_count = count & 7u;
    inflate->word = bits->word & (((uint64_t)1 << inflate->bit_count) - 1);
}

/* ---- blocks ---- */

/*
 * Code space of the length codes, of 32768, from which on a block counts as one of matches: below it
 * literals come in long runs, for which asking is faster; in lanes, where a step costs less, in longer
 * ones only.
 */
#define BSI_INFLATE_MATCH_SPACE (32768u / 4)
#define BSI_INFLATE_ASK_SPACE (32768u / 16)

/* So many symbols a block must have before it gets a wide table: empty ones in rows cost enough. */
#define BSI_INFLATE_NARROW_SYMBOLS 2u

/*
 * Widen the root. A table of fewer bits is there twice, so that it may also be asked with all bits.
 */
static void bsi_inflate_widen(bsi_inflate *inflate) {
    inflate->widen(inflate->wide, inflate->litlen, inflate->wide_bits);
    if (inflate->wide_bits < BSI_HUFF_WIDE_BITS) {
        memcpy(inflate->wide + BSI_HUFF_WIDE_ENTRIES / 2, inflate->wide, sizeof inflate->wide / 2);
    }
}

/* RFC 1951, 3.2.6: 144 codes of 8 bits, 112 of 9, 24 of 7, 8 of 8; 32 distance codes of 5 bits. */
static void bsi_inflate_load_fixed(bsi_inflate *inflate) {
    uint8_t *lengths = inflate->lengths;
    bsi_huff_plan plan;
    inflate->match_space = BSI_INFLATE_MATCH_SPACE; /* whatever it is, most of them are */
    if (!inflate->holds_fixed) {
        memset(lengths, 8, 144);
        memset(lengths + 144, 9, 112);
        memset(lengths + 256, 7, 24);
        memset(lengths + 280, 8, 8);
        memset(lengths + 288, 5, 32);
        (void)bsi_huff_build(&plan, inflate->litlen, BSI_HUFF_KIND_LITLEN, lengths, 288);
        (void)bsi_huff_build(&plan, inflate->distances + BSI_HUFF_MATCH, BSI_HUFF_KIND_DISTANCE,
                             lengths + 288, 32);
        inflate->narrow_symbols = BSI_INFLATE_NARROW_SYMBOLS;
        inflate->holds_fixed = 1;
    }
}

/*
 * A block begins, or the last one has ended. The tables of a fixed block are kept for the next one.
 * Type 0 starts on a byte border: what is left of the byte is dropped, and at most 7 bits are held,
 * so the bit buffer is then empty.
 */
static bsi_inflate_status bsi_inflate_head(bsi_inflate *inflate, bsi_inflate_cursor *cursor) {
    if (inflate->is_last) {
        inflate->state = BSI_INFLATE_STATE_DONE;
        return BSI_INFLATE_DONE;
    }
    if (inflate->stops && !inflate->at_border) {
        inflate->at_border = 1;
        return BSI_INFLATE_BORDER;
    }
    if (!bsi_inflate_need(inflate, cursor, 3)) {
        return BSI_INFLATE_NEED_INPUT;
    }
    inflate->at_border = 0;
    inflate->is_last = (int)bsi_inflate_take(inflate, 1);
    switch (bsi_inflate_take(inflate, 2)) {
        case 0:
            (void)bsi_inflate_take(inflate, inflate->bit_count & 7u); /* padding, any bits */
            inflate->state = BSI_INFLATE_STATE_STORED_SIZE;
            return BSI_INFLATE_GO_ON;
        case 1:
            bsi_inflate_load_fixed(inflate);
            inflate->state = BSI_INFLATE_STATE_SYMBOL;
            return BSI_INFLATE_GO_ON;
        case 2:
            inflate->state = BSI_INFLATE_STATE_COUNTS;
            return BSI_INFLATE_GO_ON;
        default:
            return bsi_inflate_bad(inflate, "invalid block type");
    }
}

/* LEN counts the bytes; NLEN is its complement, the only check that DEFLATE itself carries. */
static bsi_inflate_status bsi_inflate_stored_size(bsi_inflate *inflate,
                                                  bsi_inflate_cursor *cursor) {
    uint32_t size, check;
    if (!bsi_inflate_need(inflate, cursor, 32)) {
        return BSI_INFLATE_NEED_INPUT;
    }
    size = bsi_inflate_take(inflate, 16);
    check = bsi_inflate_take(inflate, 16);
    if (size != (check ^ 0xFFFFu)) {
        return bsi_inflate_bad(inflate, "invalid stored block lengths");
    }
    inflate->stored_bytes = size;
    inflate->state = BSI_INFLATE_STATE_STORED;
    return BSI_INFLATE_GO_ON;
}

/* The bit buffer is empty here: the sizes ended on a byte border. */
static bsi_inflate_status bsi_inflate_stored(bsi_inflate *inflate, bsi_inflate_cursor *cursor) {
    size_t in_bytes = (size_t)(cursor->in_end - cursor->in);
    size_t out_bytes = (size_t)(cursor->out_end - cursor->out);
    size_t bytes = BSI_MIN(BSI_MIN(in_bytes, out_bytes), inflate->stored_bytes);
    if (bytes > 0) {
        memcpy(cursor->out, cursor->in, bytes);
        cursor->in += bytes;
        cursor->out += bytes;
        inflate->stored_bytes -= (uint32_t)bytes;
    }
    if (inflate->stored_bytes == 0) {
        inflate->state = BSI_INFLATE_STATE_HEAD;
        return BSI_INFLATE_GO_ON;
    }
    return bytes == in_bytes ? BSI_INFLATE_NEED_INPUT : BSI_INFLATE_NEED_OUTPUT;
}

/*
 * HLIT up to 31 and HDIST up to 31 can be written, but there are only 286 and 30 symbols to give a
 * length to.
 */
static bsi_inflate_status bsi_inflate_counts(bsi_inflate *inflate, bsi_inflate_cursor *cursor) {
    if (!bsi_inflate_need(inflate, cursor, 14)) {
        return BSI_INFLATE_NEED_INPUT;
    }
    inflate->litlen_count = bsi_inflate_take(inflate, 5) + 257;
    inflate->distance_count = bsi_inflate_take(inflate, 5) + 1;
    inflate->codelen_count = bsi_inflate_take(inflate, 4) + 4;
    if (inflate->litlen_count > 286) {
        return bsi_inflate_bad(inflate, "too many literal/length codes");
    }
    if (inflate->distance_count > 30) {
        return bsi_inflate_bad(inflate, "too many distance codes");
    }
    memset(inflate->lengths, 0, 19);
    inflate->filled_count = 0;
    inflate->holds_fixed = 0;
    inflate->state = BSI_INFLATE_STATE_CODELENS;
    return BSI_INFLATE_GO_ON;
}

/* The lengths of the code-length code come in this order, likely ones first; those not sent are 0. */
static const uint8_t bsi_inflate_codelen_order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                      11, 4,  12, 3, 13, 2, 14, 1, 15};

/* The lengths of the code-length code, and its table. */
static bsi_inflate_status bsi_inflate_codelens(bsi_inflate *inflate, bsi_inflate_cursor *cursor) {
    bsi_huff_plan plan;
    while (inflate->filled_count < inflate->codelen_count) {
        if (!bsi_inflate_need(inflate, cursor, 3)) {
            return BSI_INFLATE_NEED_INPUT;
        }
        inflate->lengths[bsi_inflate_codelen_order[inflate->filled_count]] =
            (uint8_t)bsi_inflate_take(inflate, 3);
        inflate->filled_count++;
    }
    if (!bsi_huff_build(&plan, inflate->codelens, BSI_HUFF_KIND_CODELEN, inflate->lengths, 19)) {
        return bsi_inflate_bad(inflate, "invalid code-length code");
    }
    inflate->filled_count = 0;
    inflate->state = BSI_INFLATE_STATE_LENGTHS;
    return BSI_INFLATE_GO_ON;
}

/* All lengths are known: build both tables and the wide one. */
static bsi_inflate_status bsi_inflate_build(bsi_inflate *inflate) {
    const uint8_t *litlen = inflate->lengths, *distance = litlen + inflate->litlen_count;
    bsi_huff_plan plan, distance_plan;
    if (litlen[BSI_HUFF_END_OF_BLOCK] == 0) {
        return bsi_inflate_bad(inflate, "no end-of-block code");
    }
    if (!bsi_huff_build(&plan, inflate->litlen, BSI_HUFF_KIND_LITLEN, litlen,
                        inflate->litlen_count)) {
        return bsi_inflate_bad(inflate, "invalid set of literal/length code lengths");
    }
    if (!bsi_huff_build(&distance_plan, inflate->distances + BSI_HUFF_MATCH, BSI_HUFF_KIND_DISTANCE, distance,
                        inflate->distance_count)) {
        return bsi_inflate_bad(inflate, "invalid set of distance code lengths");
    }
    inflate->match_space = bsi_huff_match_space(litlen, inflate->litlen_count);
    inflate->narrow_symbols = BSI_INFLATE_NARROW_SYMBOLS;
    inflate->state = BSI_INFLATE_STATE_SYMBOL;
    return BSI_INFLATE_GO_ON;
}

/*
 * What a code-length symbol says, without its extra bits: 16 repeats the length before 3..6 times,
 * 17 is 3..10 zeros, 18 is 11..138 zeros, all others are one length. 16 needs a length before.
 */
BSI_INLINE uint32_t bsi_inflate_least_repeat(uint32_t symbol) {
    return symbol < 16 ? 1 : symbol == 18 ? 11 : 3;
}

BSI_INLINE uint8_t bsi_inflate_repeated(const bsi_inflate *inflate, uint32_t symbol) {
    return symbol < 16    ? (uint8_t)symbol
           : symbol == 16 ? inflate->lengths[inflate->filled_count - 1]
                          : (uint8_t)0;
}

/*
 * Code lengths while 8 bytes of input are there: a refill and at most 7 + 7 bits for each symbol.
 * Stops in front of what is not right and leaves it to bsi_inflate_lengths. bit_count < 8.
 */
static void bsi_inflate_fast_lengths(bsi_inflate *inflate, bsi_inflate_cursor *cursor) {
    uint32_t wanted = inflate->litlen_count + inflate->distance_count;
    bsi_inflate_bits bits = bsi_inflate_bits_begin(inflate, cursor);
    while (inflate->filled_count < wanted && cursor->in_end - bits.in >= 8) {
        uint32_t entry, symbol, repeat;
        bsi_inflate_refill(&bits);
        entry = inflate->codelens[bits.word & ((1u << BSI_HUFF_CODELEN_BITS) - 1)];
        symbol = entry >> 16;
        repeat = bsi_inflate_least_repeat(symbol) + bsi_huff_extra(entry, bits.word);
        if (repeat > wanted - inflate->filled_count ||
            (symbol == 16 && inflate->filled_count == 0)) {
            break;
        }
        memset(inflate->lengths + inflate->filled_count, bsi_inflate_repeated(inflate, symbol),
               repeat);
        inflate->filled_count += repeat;
        bsi_inflate_drop(&bits, entry);
    }
    bsi_inflate_bits_end(inflate, cursor, &bits);
}

/*
 * The lengths of both codes in one row; a repeat may cross from the first to the second.
 */
static bsi_inflate_status bsi_inflate_lengths(bsi_inflate *inflate, bsi_inflate_cursor *cursor) {
    uint32_t wanted = inflate->litlen_count + inflate->distance_count;
    if (inflate->bit_count < 8 && cursor->in_end - cursor->in >= 8) {
        bsi_inflate_fast_lengths(inflate, cursor);
    }
    while (inflate->filled_count < wanted) {
        uint32_t entry =
            bsi_inflate_peek(inflate, cursor, inflate->codelens, BSI_HUFF_CODELEN_BITS);
        uint32_t extra_bits = bsi_huff_all_bits(entry) - bsi_huff_code_bits(entry);
        uint32_t symbol = entry >> 16, repeat;
        if (entry == 0) {
            return BSI_INFLATE_NEED_INPUT;
        }
        (void)bsi_inflate_take(inflate, bsi_huff_code_bits(entry));
        repeat = bsi_inflate_least_repeat(symbol) + bsi_inflate_take(inflate, extra_bits);
        if (symbol == 16 && inflate->filled_count == 0) {
            return bsi_inflate_bad(inflate, "repeat of a code length with none before");
        }
        if (repeat > wanted - inflate->filled_count) {
            return bsi_inflate_bad(inflate, "too many code lengths");
        }
        memset(inflate->lengths + inflate->filled_count, bsi_inflate_repeated(inflate, symbol),
               repeat);
        inflate->filled_count += repeat;
    }
    return bsi_inflate_build(inflate);
}

/* ---- the exact path through the symbols ---- */

/*
 * One literal/length code. A literal only waits for its place here, so that a stream may end, or
 * prove bad, with the page exactly full. `peek` has pulled all bits that are taken.
 */
static bsi_inflate_status bsi_inflate_symbol(bsi_inflate *inflate, bsi_inflate_cursor *cursor) {
    uint32_t entry = bsi_inflate_peek(inflate, cursor, inflate->litlen, BSI_HUFF_LITLEN_BITS);
    if (entry == 0) {
        return BSI_INFLATE_NEED_INPUT;
    }
    if (inflate->narrow_symbols > 0 && --inflate->narrow_symbols == 0) {
        bsi_inflate_widen(inflate);
    }
    if (entry & BSI_HUFF_LITERAL) {
        inflate->literal = (uint8_t)(entry >> 16);
        inflate->state = BSI_INFLATE_STATE_LITERAL;
    } else if (entry & BSI_HUFF_END) {
        inflate->state = BSI_INFLATE_STATE_HEAD;
    } else if (entry & BSI_HUFF_RARE) {
        return bsi_inflate_bad(inflate, "invalid literal/length code");
    } else {
        inflate->match_bytes = bsi_huff_length(entry, inflate->word);
        inflate->state = BSI_INFLATE_STATE_DISTANCE;
    }
    (void)bsi_inflate_take(inflate, bsi_huff_all_bits(entry));
    return BSI_INFLATE_GO_ON;
}

/* The literal that waits; without a place for it nothing moves. */
static bsi_inflate_status bsi_inflate_literal(bsi_inflate *inflate, bsi_inflate_cursor *cursor) {
    if (cursor->out == cursor->out_end) {
        return BSI_INFLATE_NEED_OUTPUT;
    }
    *cursor->out++ = inflate->literal;
    inflate->state = BSI_INFLATE_STATE_SYMBOL;
    return BSI_INFLATE_GO_ON;
}

/*
 * The distance of the match whose length is known. It may reach back to `oldest`, the first byte of
 * this stream or of its last 32 KiB, and never before: this is the check that keeps reads inside.
 */
static bsi_inflate_status bsi_inflate_distance(bsi_inflate *inflate, bsi_inflate_cursor *cursor) {
    const uint32_t *distances = inflate->distances + BSI_HUFF_MATCH;
    uint32_t entry = bsi_inflate_peek(inflate, cursor, distances, BSI_HUFF_DISTANCE_BITS);
    if (entry == 0) {
        return BSI_INFLATE_NEED_INPUT;
    }
    if (entry & BSI_HUFF_RARE) {
        return bsi_inflate_bad(inflate, "invalid distance code");
    }
    inflate->distance = bsi_huff_distance(entry, inflate->word);
    (void)bsi_inflate_take(inflate, bsi_huff_all_bits(entry));
    if (inflate->distance > (size_t)(cursor->out - cursor->oldest)) {
        return bsi_inflate_bad(inflate, "distance too far back");
    }
    inflate->state = BSI_INFLATE_STATE_MATCH;
    return BSI_INFLATE_GO_ON;
}

/*
 * Byte by byte, so a match may read what it has just written. The distance was checked against the
 * history.
 */
static bsi_inflate_status bsi_inflate_match(bsi_inflate *inflate, bsi_inflate_cursor *cursor) {
    const uint8_t *from = cursor->out - inflate->distance;
    size_t space = (size_t)(cursor->out_end - cursor->out);
    uint32_t bytes = (uint32_t)BSI_MIN(space, inflate->match_bytes);
    for (uint32_t i = 0; i < bytes; i++) {
        cursor->out[i] = from[i];
    }
    cursor->out += bytes;
    inflate->match_bytes -= bytes;
    if (inflate->match_bytes > 0) {
        return BSI_INFLATE_NEED_OUTPUT;
    }
    inflate->state = BSI_INFLATE_STATE_SYMBOL;
    return BSI_INFLATE_GO_ON;
}

/* ---- steps ---- */

/*
 * Invariants of a step. The fast loops are rows of steps; how many there is room for is known before.
 *
 * Bits. After a refill 56..63 are valid and all 64 may be looked at. A step takes what a wide entry
 * tells, 10 bits, and a distance from its root, 8 + 13 bits: 31. What it leaves to bsi_inflate_one
 * takes a length of at most 15 + 5 bits and a distance of at most 15 + 13: 48. At least 64 - 48 = 16
 * bits are then left to look at, and the next entry is looked up with 10 of them before the match is
 * copied, so that its load is under way meanwhile.
 *
 * Input. A refill a step reads in[0..7] and advances by at most 7: k steps read fewer than 8 k bytes.
 *
 * Output. A step writes four literals, advances by them and at most 64 more, and a copy in its order
 * writes up to 31 bytes behind these.
 */
#define BSI_INFLATE_STEP_IN_BYTES 8
#define BSI_INFLATE_STEP_OUT_BYTES ((int)(BSI_HUFF_WIDE_LITERALS + BSI_HUFF_WIDE_COPY))
#define BSI_INFLATE_COPY_BEHIND_BYTES 31
#define BSI_INFLATE_STEP_ROOM_BYTES (BSI_INFLATE_STEP_OUT_BYTES + BSI_INFLATE_COPY_BEHIND_BYTES)

/* A chain: where a fast loop stands in one stream. */
typedef struct bsi_inflate_chain {
    bsi_inflate_bits bits;
    uint64_t entry;             /* of the wide table: the one in front */
    uint8_t *out;
} bsi_inflate_chain;

BSI_INLINE uint64_t bsi_inflate_wide_entry(const bsi_inflate *inflate, uint64_t word) {
    return inflate->wide[word & (BSI_HUFF_WIDE_ENTRIES - 1)];
}

BSI_INLINE uint64_t bsi_inflate_lane_entry(const bsi_inflate *inflate, uint64_t word) {
    return inflate->wide[word & ((1u << BSI_HUFF_LANE_BITS) - 1)];
}

/* At most 7 bits are held, 8 bytes readable. */
BSI_INLINE bsi_inflate_chain bsi_inflate_chain_begin(const bsi_inflate *inflate,
                                                     const bsi_inflate_cursor *cursor) {
    bsi_inflate_chain chain;
    chain.bits = bsi_inflate_bits_begin(inflate, cursor);
    chain.entry = bsi_inflate_wide_entry(inflate, chain.bits.word);
    chain.out = cursor->out;
    return chain;
}

BSI_INLINE void bsi_inflate_chain_end(bsi_inflate *inflate, bsi_inflate_cursor *cursor,
                                      const bsi_inflate_chain *chain) {
    cursor->out = chain->out;
    bsi_inflate_bits_end(inflate, cursor, &chain->bits);
}

BSI_INLINE void bsi_inflate_copy16(uint8_t *to, const uint8_t *from) {
    uint8_t both[16];
    memcpy(both, from, 16);
    memcpy(to, both, 16);
}

/* A source closer than 8 is a pattern of `distance` bytes: 8 bytes of it at a time, whole patterns. */
BSI_INLINE void bsi_inflate_copy_pattern(uint8_t *out, uint32_t distance, const uint8_t *end) {
    static const uint64_t repeat[8] = {0,
                                       0x0101010101010101u,
                                       0x0001000100010001u,
                                       0x0001000001000001u,
                                       0x0000000100000001u,
                                       0x0000010000000001u,
                                       0x0001000000000001u,
                                       0x0100000000000001u};
    static const uint8_t whole_bytes[8] = {0, 8, 8, 6, 8, 5, 6, 7};
    uint64_t pattern = bsi_bytes_load64(out - distance) & (((uint64_t)1 << 8 * distance) - 1);
    pattern *= repeat[distance];
    do {
        bsi_bytes_store64(out, pattern);
        out += whole_bytes[distance];
    } while (out < end);
}

/*
 * Copy a match in its order. From closer than 16, 16 bytes copied from the start of the pattern are
 * right as far as the pattern was there, which is `distance` bytes; behind these alone the distance is
 * twice as large.
 *
 * Then steps of 32, in two halves since the second may read what the first has written. The first
 * begins at most 15 bytes in; every later one begins before `end`, so behind it at most
 * BSI_INFLATE_COPY_BEHIND_BYTES are written, or 47 in all of a match shorter than that.
 */
BSI_INLINE void bsi_inflate_copy(uint8_t *out, uint32_t distance, uint32_t length) {
    const uint8_t *from = out - distance;
    const uint8_t *end = out + length;
    if (distance < 8) {
        bsi_inflate_copy_pattern(out, distance, end);
        return;
    }
    if (BSI_UNLIKELY(distance < 16)) {
        bsi_inflate_copy16(out, from);
        out += distance;
    }
    for (;;) {
        bsi_inflate_copy16(out, from);
        bsi_inflate_copy16(out + 16, from + 16);
        out += 32;
        from += 32;
        if (BSI_LIKELY(out >= end)) {
            return;
        }
    }
}

/*
 * One literal or one match by the tables of the exact path, where a step cannot do it. `word` has the
 * stream's next 48 bits or more. Advances *out and returns how many bits that took; 0, with all as it
 * was, if it is neither, is faulty, or has no room: the exact path meets it again.
 */
BSI_INLINE uint32_t bsi_inflate_one(const bsi_inflate *inflate, uint64_t word, uint8_t **out,
                                    const bsi_inflate_cursor *limits) {
    const uint32_t *distances = inflate->distances + BSI_HUFF_MATCH;
    uint32_t first = inflate->litlen[word & ((1u << BSI_HUFF_LITLEN_BITS) - 1)], second, length, distance;
    if (limits->out_end - *out < (int)BSI_INFLATE_MAX_MATCH + BSI_INFLATE_COPY_BEHIND_BYTES) {
        return 0;
    }
    if (first & BSI_HUFF_SUBTABLE) {
        first = bsi_huff_follow(inflate->litlen, first, word);
    }
    if (first & BSI_HUFF_RARE) {
        return 0;
    }
    if (first & BSI_HUFF_LITERAL) {
        *(*out)++ = (uint8_t)(first >> 16);
        return bsi_huff_all_bits(first);
    }
    length = bsi_huff_length(first, word);
    word >>= bsi_huff_all_bits(first);
    second = distances[word & (BSI_HUFF_MATCH - 1)];
    if (second & BSI_HUFF_SUBTABLE) {
        second = bsi_huff_follow(distances, second, word);
    }
    distance = bsi_huff_distance(second, word);
    if ((second & BSI_HUFF_RARE) || distance > (size_t)(*out - limits->oldest)) {
        return 0;
    }
    bsi_inflate_copy(*out, distance, length);
    *out += length;
    return bsi_huff_all_bits(first) + bsi_huff_all_bits(second);
}

/*
 * Kernels. They differ in how a step copies and takes extra bits, and in that all it calls is compiled
 * alike: beside 32-byte registers in use, code for older processors would crawl.
 */
enum { BSI_INFLATE_PORTABLE = 0, BSI_INFLATE_AVX2 = 1 };

BSI_NOINLINE static uint32_t bsi_inflate_rare_portable(const bsi_inflate *inflate, uint64_t word,
                                                       uint8_t **out,
                                                       const bsi_inflate_cursor *limits) {
    return bsi_inflate_one(inflate, word, out, limits);
}

BSI_NOINLINE static void bsi_inflate_near_portable(uint8_t *out, uint32_t distance, uint32_t length) {
    bsi_inflate_copy(out, distance, length);
}

/* Both loads in front of both stores: a load of what was stored just now would wait for it. */
BSI_INLINE void bsi_inflate_copy32_portable(uint8_t *to, const uint8_t *from) {
    uint8_t a[16], b[16];
    memcpy(a, from, 16);
    memcpy(b, from + 16, 16);
    memcpy(to, a, 16);
    memcpy(to + 16, b, 16);
}

#if BSI_CPU_X86_BMI2

#define BSI_INFLATE_TARGET BSI_TARGET("bmi,bmi2,avx2")

BSI_INFLATE_TARGET
BSI_NOINLINE static uint32_t bsi_inflate_rare_avx2(const bsi_inflate *inflate, uint64_t word,
                                                   uint8_t **out, const bsi_inflate_cursor *limits) {
    return bsi_inflate_one(inflate, word, out, limits);
}

BSI_INFLATE_TARGET
BSI_NOINLINE static void bsi_inflate_near_avx2(uint8_t *out, uint32_t distance, uint32_t length) {
    bsi_inflate_copy(out, distance, length);
}

BSI_INFLATE_TARGET
static inline void bsi_inflate_copy32_avx2(uint8_t *to, const uint8_t *from) {
    __m256i both = _mm256_loadu_si256((const __m256i *)(const void *)from);
    _mm256_storeu_si256((__m256i *)(void *)to, both);
}

/* bsi_huff_wide_length in other words: a 16-bit move costs these loops a percent, a mask the others 4. */
BSI_INFLATE_TARGET
static inline uint32_t bsi_inflate_length_avx2(uint64_t entry) {
    return (uint32_t)entry >> 9 & 127u;
}

/* The extra bits end where all bits end: cut off what is above, then shift the code out. */
BSI_INFLATE_TARGET
static inline uint32_t bsi_inflate_distance_avx2(uint32_t entry, uint64_t word) {
    return (entry >> 16) + (uint32_t)(_bzhi_u64(word, entry) >> (entry >> 8 & 63u));
}

#define BSI_INFLATE_BY(kernel, portable, avx2, arguments) \
    ((kernel) == BSI_INFLATE_AVX2 ? avx2 arguments : portable arguments)
#else
#define BSI_INFLATE_BY(kernel, portable, avx2, arguments) ((void)(kernel), portable arguments)
#endif

/*
 * Copy 32 bytes, or 64 for a longer match, and advance *out by its length. They are right for a match no
 * longer than its distance: none of the bytes it reads has this step written. Others are copied again,
 * in their order.
 */
BSI_INLINE void bsi_inflate_copy_step(uint8_t **out, uint32_t distance, uint32_t length, int kernel) {
    uint8_t *to = *out;
    const uint8_t *from = to - distance;
    BSI_INFLATE_BY(kernel, bsi_inflate_copy32_portable, bsi_inflate_copy32_avx2, (to, from));
    if (BSI_UNLIKELY(length > 32)) {
        BSI_INFLATE_BY(kernel, bsi_inflate_copy32_portable, bsi_inflate_copy32_avx2, (to + 32, from + 32));
    }
    *out = to + length;
    if (BSI_UNLIKELY(length > distance)) {
        BSI_INFLATE_BY(kernel, bsi_inflate_near_portable, bsi_inflate_near_avx2, (to, distance, length));
    }
}

/*
 * One step, without a branch but for what is rare: a wide entry's literals are stored, there or not,
 * and a copy is made, wanted or not. A branch between literal and match would be guessed wrong about as
 * often as one comes after the other.
 *
 * 0, with all as it was, in front of entries that are rare, or of a distance that reaches before
 * `oldest`; that of "no match" does so in the first 256 bytes.
 */
BSI_INLINE int bsi_inflate_take_step(const bsi_inflate *inflate, bsi_inflate_chain *chain,
                                     const uint8_t *oldest, int kernel) {
    uint64_t entry = chain->entry;
    uint64_t word = chain->bits.word >> (entry & 63u);
    const uint32_t *distances = inflate->distances + (entry & BSI_HUFF_MATCH);
    uint32_t second = distances[word & (BSI_HUFF_MATCH - 1)];
    uint32_t length = BSI_INFLATE_BY(kernel, bsi_huff_wide_length, bsi_inflate_length_avx2, (entry));
    uint32_t distance = BSI_INFLATE_BY(kernel, bsi_huff_distance, bsi_inflate_distance_avx2, (second, word));
    uint8_t *out = chain->out + bsi_huff_wide_count(entry);
    bsi_bytes_store32(chain->out, bsi_huff_wide_literals(entry));
    if (BSI_UNLIKELY(((uint32_t)entry | second) & BSI_HUFF_RARE) ||
        BSI_UNLIKELY(distance > (size_t)(out - oldest))) {
        return 0;
    }
    chain->bits.word = word >> (second & 63u);
    chain->bits.count -= (uint32_t)entry;
    chain->bits.count -= second;
    chain->entry = bsi_inflate_wide_entry(inflate, chain->bits.word);
    bsi_inflate_refill(&chain->bits);
    bsi_inflate_copy_step(&out, distance, length, kernel);
    chain->out = out;
    return 1;
}

/*
 * A step, or what is done instead of one. The rare way gets the place in the output as a copy, so that
 * the chain itself may stay in registers. 0: the exact path must go on.
 */
BSI_INLINE int bsi_inflate_advance(const bsi_inflate *inflate, bsi_inflate_chain *chain,
                                   const bsi_inflate_cursor *limits, int kernel) {
    uint8_t *out;
    uint32_t bits;
    if (BSI_LIKELY(bsi_inflate_take_step(inflate, chain, limits->oldest, kernel))) {
        return 1;
    }
    out = chain->out;
    bits = BSI_INFLATE_BY(kernel, bsi_inflate_rare_portable, bsi_inflate_rare_avx2,
                          (inflate, chain->bits.word, &out, limits));
    chain->out = out;
    bsi_inflate_drop(&chain->bits, bits);
    chain->entry = bsi_inflate_wide_entry(inflate, chain->bits.word);
    bsi_inflate_refill(&chain->bits);
    return bits != 0;
}

/* Take the literals in front, if nothing else is in the entry; 0: something is. */
BSI_INLINE int bsi_inflate_take_literals(const bsi_inflate *inflate, bsi_inflate_chain *chain) {
    uint64_t entry = chain->entry;
    if (entry & (BSI_HUFF_RARE | BSI_HUFF_MATCH)) {
        return 0;
    }
    bsi_bytes_store32(chain->out, bsi_huff_wide_literals(entry));
    chain->out += bsi_huff_wide_count(entry);
    bsi_inflate_drop(&chain->bits, (uint32_t)entry);
    chain->entry = bsi_inflate_wide_entry(inflate, chain->bits.word);
    return 1;
}

/* ---- the fast loops ---- */

/*
 * For blocks of matches. Precondition of all loops: state SYMBOL, bit_count < 8, STEP_IN bytes of input
 * and STEP_ROOM of output are there. They stop in front of the first thing they do not know, in the
 * same state, with bit_count < 8.
 */
BSI_INLINE void bsi_inflate_fast_matches(bsi_inflate *inflate, bsi_inflate_cursor *cursor, int kernel) {
    const uint8_t *in_last = cursor->in_end - BSI_INFLATE_STEP_IN_BYTES;
    const uint8_t *out_last = cursor->out_end - BSI_INFLATE_STEP_ROOM_BYTES;
    const bsi_inflate_cursor limits = *cursor;
    bsi_inflate_chain chain = bsi_inflate_chain_begin(inflate, cursor);
    while (chain.bits.in <= in_last && chain.out <= out_last &&
           bsi_inflate_advance(inflate, &chain, &limits, kernel)) {
    }
    bsi_inflate_chain_end(inflate, cursor, &chain);
}

/*
 * For blocks of literals: asks at every entry whether it has nothing else, and guesses yes. Four of
 * them take at most 40 bits and are followed by a refill, and so is the step behind fewer: two refills
 * in all.
 */
BSI_INLINE void bsi_inflate_fast_literals(bsi_inflate *inflate, bsi_inflate_cursor *cursor, int kernel) {
    const uint8_t *in_last, *out_last;
    const bsi_inflate_cursor limits = *cursor;
    bsi_inflate_chain chain;
    if (cursor->in_end - cursor->in < 2 * BSI_INFLATE_STEP_IN_BYTES ||
        cursor->out_end - cursor->out < BSI_INFLATE_STEP_ROOM_BYTES + 4 * (int)BSI_HUFF_WIDE_LITERALS) {
        return;
    }
    in_last = cursor->in_end - 2 * BSI_INFLATE_STEP_IN_BYTES;
    out_last = cursor->out_end - BSI_INFLATE_STEP_ROOM_BYTES - 4 * (int)BSI_HUFF_WIDE_LITERALS;
    chain = bsi_inflate_chain_begin(inflate, cursor);
    while (chain.bits.in <= in_last && chain.out <= out_last) {
        if (bsi_inflate_take_literals(inflate, &chain)) {
            int all = bsi_inflate_take_literals(inflate, &chain) &&
                      bsi_inflate_take_literals(inflate, &chain) &&
                      bsi_inflate_take_literals(inflate, &chain);
            bsi_inflate_refill(&chain.bits);
            if (all) {
                continue;
            }
        }
        if (!bsi_inflate_advance(inflate, &chain, &limits, kernel)) {
            break;
        }
    }
    bsi_inflate_chain_end(inflate, cursor, &chain);
}

/* Which loop is the block's. Compiled once for each kernel. */
BSI_INLINE void bsi_inflate_fast(bsi_inflate *inflate, bsi_inflate_cursor *cursor, int kernel) {
    if (inflate->match_space >= BSI_INFLATE_MATCH_SPACE) {
        bsi_inflate_fast_matches(inflate, cursor, kernel);
    } else {
        bsi_inflate_fast_literals(inflate, cursor, kernel);
    }
}

/*
 * Lanes: several streams that share nothing, decoded in one loop. A step of one waits 15 cycles and
 * more for its two look-ups; meanwhile the others take theirs.
 */
#define BSI_INFLATE_LANES 3u

typedef struct bsi_inflate_lane {
    bsi_inflate inflate;
    bsi_inflate_cursor cursor;
    bsi_inflate_status status;  /* GO_ON: under way */
} bsi_inflate_lane;

typedef struct bsi_inflate_lanes {
    uint32_t (*fast)(bsi_inflate_lane *lanes); /* the kernel */
    bsi_inflate_lane lanes[BSI_INFLATE_LANES];
} bsi_inflate_lanes;

/*
 * Where a lane stands: the bit, counted from address 0, so that one number tells. All else is loaded
 * anew for each step, which makes a step's chain longer and its work less; here work is what counts.
 */
typedef struct bsi_inflate_place {
    uint64_t bit;
    uint8_t *out;
} bsi_inflate_place;

/* The byte with the next bit. */
BSI_INLINE const uint8_t *bsi_inflate_place_in(const bsi_inflate_place *place) {
    return (const uint8_t *)(uintptr_t)(place->bit >> 3);
}

BSI_INLINE bsi_inflate_place bsi_inflate_place_begin(const bsi_inflate_lane *lane) {
    bsi_inflate_place place;
    place.bit = ((uint64_t)(uintptr_t)lane->cursor.in << 3) - lane->inflate.bit_count;
    place.out = lane->cursor.out;
    return place;
}

/* Bits that are held are the upper ones of the byte. */
BSI_INLINE void bsi_inflate_place_end(bsi_inflate_lane *lane, const bsi_inflate_place *place) {
    uint32_t taken = (uint32_t)place->bit & 7u;
    lane->cursor.in = bsi_inflate_place_in(place) + (taken > 0);
    lane->cursor.out = place->out;
    lane->inflate.bit_count = (8 - taken) & 7u;
    lane->inflate.word = taken > 0 ? (uint64_t)lane->cursor.in[-1] >> taken : 0;
}

/* By less than 64 bits, which stand in the lowest 6 of `bits`. */
BSI_INLINE void bsi_inflate_place_move(bsi_inflate_place *place, uint32_t bits) {
    place->bit += bits & 63u;
}

/* The next 57 bits and more; 8 bytes are readable. */
BSI_INLINE uint64_t bsi_inflate_place_word(const bsi_inflate_place *place) {
    return bsi_bytes_load64(bsi_inflate_place_in(place)) >> (place->bit & 7u);
}

/* How many steps there is room for. */
BSI_INLINE size_t bsi_inflate_room(const bsi_inflate_cursor *limits, const bsi_inflate_place *place) {
    size_t in = (size_t)(limits->in_end - bsi_inflate_place_in(place)) / BSI_INFLATE_STEP_IN_BYTES;
    ptrdiff_t out = limits->out_end - place->out - BSI_INFLATE_COPY_BEHIND_BYTES;
    return out < 0 ? 0 : BSI_MIN(in, (size_t)out / BSI_INFLATE_STEP_OUT_BYTES);
}

/*
 * bsi_inflate_take_step for a lane; "no match" may copy from before its text. With `asks` literals
 * alone are guessed and go without the rest of the step.
 */
BSI_INLINE int bsi_inflate_lane_take(const bsi_inflate *inflate, bsi_inflate_place *place,
                                     const uint8_t *oldest, int asks, int kernel) {
    uint64_t word = bsi_inflate_place_word(place);
    uint64_t entry = bsi_inflate_lane_entry(inflate, word);
    const uint32_t *distances = inflate->distances + (entry & BSI_HUFF_MATCH);
    uint32_t length = BSI_INFLATE_BY(kernel, bsi_huff_wide_length, bsi_inflate_length_avx2, (entry));
    uint32_t second, distance;
    uint8_t *out = place->out + bsi_huff_wide_count(entry);
    if (asks && BSI_LIKELY(!(entry & (BSI_HUFF_RARE | BSI_HUFF_MATCH)))) {
        bsi_bytes_store32(place->out, bsi_huff_wide_literals(entry));
        place->out = out;
        bsi_inflate_place_move(place, (uint32_t)entry);
        return 1;
    }
    word >>= entry & 63u;
    second = distances[word & (BSI_HUFF_MATCH - 1)];
    distance = BSI_INFLATE_BY(kernel, bsi_huff_distance, bsi_inflate_distance_avx2, (second, word));
    bsi_bytes_store32(place->out, bsi_huff_wide_literals(entry));
    if (BSI_UNLIKELY(((uint32_t)entry | second) & BSI_HUFF_RARE)) {
        return 0;
    }
    if (BSI_UNLIKELY(distance > (size_t)(out - oldest)) && length > 0) {
        return 0;
    }
    bsi_inflate_copy_step(&out, distance, length, kernel);
    place->out = out;
    bsi_inflate_place_move(place, (uint32_t)entry + second);
    return 1;
}

/*
 * A step, or what is done instead of one, which may take the room of five. 0: the exact path must go on.
 */
BSI_INLINE int bsi_inflate_lane_advance(bsi_inflate_lane *lane, bsi_inflate_place *place, size_t *steps,
                                        int asks, int kernel) {
    const uint8_t *oldest = lane->cursor.oldest;
    uint8_t *out;
    uint32_t bits;
    if (BSI_LIKELY(bsi_inflate_lane_take(&lane->inflate, place, oldest, asks, kernel))) {
        return 1;
    }
    out = place->out;
    bits = BSI_INFLATE_BY(kernel, bsi_inflate_rare_portable, bsi_inflate_rare_avx2,
                          (&lane->inflate, bsi_inflate_place_word(place), &out, &lane->cursor));
    place->out = out;
    bsi_inflate_place_move(place, bits);
    *steps = *steps > 5 ? *steps - 4 : 1;
    return bits != 0;
}

BSI_STATIC_ASSERT(5 * BSI_INFLATE_STEP_OUT_BYTES >= (int)BSI_INFLATE_MAX_MATCH, rare_has_room_of_five);

/*
 * Steps of all lanes in turn. Returns the lane that the exact path must help on: the first without room,
 * or the one that stopped in front of something.
 */
BSI_INLINE uint32_t bsi_inflate_lanes_loop(bsi_inflate_lane *lanes, int asks, int kernel) {
    bsi_inflate_place a = bsi_inflate_place_begin(&lanes[0]), b = bsi_inflate_place_begin(&lanes[1]);
    bsi_inflate_place c = bsi_inflate_place_begin(&lanes[2]);
    uint32_t stopped = BSI_INFLATE_LANES;
    while (stopped == BSI_INFLATE_LANES) {
        size_t a_steps = bsi_inflate_room(&lanes[0].cursor, &a);
        size_t b_steps = bsi_inflate_room(&lanes[1].cursor, &b);
        size_t c_steps = bsi_inflate_room(&lanes[2].cursor, &c);
        size_t steps = BSI_MIN(BSI_MIN(a_steps, b_steps), c_steps);
        if (steps == 0) {
            stopped = a_steps == 0 ? 0 : b_steps == 0 ? 1 : 2;
        }
        for (; steps > 0 && stopped == BSI_INFLATE_LANES; --steps) {
            stopped = !bsi_inflate_lane_advance(&lanes[0], &a, &steps, asks, kernel)   ? 0
                      : !bsi_inflate_lane_advance(&lanes[1], &b, &steps, asks, kernel) ? 1
                      : !bsi_inflate_lane_advance(&lanes[2], &c, &steps, asks, kernel) ? 2
                                                                                       : BSI_INFLATE_LANES;
        }
    }
    bsi_inflate_place_end(&lanes[0], &a);
    bsi_inflate_place_end(&lanes[1], &b);
    bsi_inflate_place_end(&lanes[2], &c);
    return stopped;
}

/* Which loop is that of the lanes' blocks. Compiled once for each kernel. */
BSI_INLINE uint32_t bsi_inflate_fast_lanes(bsi_inflate_lane *lanes, int kernel) {
    uint32_t space = lanes[0].inflate.match_space + lanes[1].inflate.match_space +
                     lanes[2].inflate.match_space;
    return space >= 3 * BSI_INFLATE_ASK_SPACE ? bsi_inflate_lanes_loop(lanes, 0, kernel)
                                              : bsi_inflate_lanes_loop(lanes, 1, kernel);
}

/* The portable kernels, the oracles of the others. */
BSI_NOINLINE static void bsi_inflate_fast_portable(bsi_inflate *inflate,
                                                   bsi_inflate_cursor *cursor) {
    bsi_inflate_fast(inflate, cursor, BSI_INFLATE_PORTABLE);
}

BSI_NOINLINE static uint32_t bsi_inflate_lanes_portable(bsi_inflate_lane *lanes) {
    return bsi_inflate_fast_lanes(lanes, BSI_INFLATE_PORTABLE);
}

#if BSI_CPU_X86_BMI2

/* The kernels for BIOST_CPU_BMI2 with BIOST_CPU_AVX2. */
BSI_INFLATE_TARGET
BSI_NOINLINE static void bsi_inflate_fast_avx2(bsi_inflate *inflate, bsi_inflate_cursor *cursor) {
    bsi_inflate_fast(inflate, cursor, BSI_INFLATE_AVX2);
}

BSI_INFLATE_TARGET
BSI_NOINLINE static uint32_t bsi_inflate_lanes_avx2(bsi_inflate_lane *lanes) {
    return bsi_inflate_fast_lanes(lanes, BSI_INFLATE_AVX2);
}

#endif

/* ---- the machine ---- */

/*
 * Start a DEFLATE stream and forget the one before. The tables are filled before they are read. The
 * kernel is the portable one; see >>kernels for others.
 */
static void bsi_inflate_begin(bsi_inflate *inflate) {
    memset(inflate, 0, offsetof(bsi_inflate, lengths));
    inflate->fast = bsi_inflate_fast_portable;
    inflate->widen = bsi_huff_widen_portable;
    inflate->wide_bits = BSI_HUFF_WIDE_BITS;
    inflate->state = BSI_INFLATE_STATE_HEAD;
    inflate->detail = NULL;
    for (unsigned i = 0; i < BSI_HUFF_MATCH; i++) {
        inflate->distances[i] = BSI_HUFF_NO_MATCH;
    }
}

/* Start the next stream with the same object: the kernel and tables of the fixed codes are kept. */
static void bsi_inflate_again(bsi_inflate *inflate) {
    memset(inflate, 0, offsetof(bsi_inflate, holds_fixed));
    inflate->state = BSI_INFLATE_STATE_HEAD;
    inflate->detail = NULL;
}

/* May a fast loop begin? */
BSI_INLINE int bsi_inflate_is_roomy(const bsi_inflate *inflate, const bsi_inflate_cursor *cursor) {
    return inflate->state == BSI_INFLATE_STATE_SYMBOL && inflate->narrow_symbols == 0 &&
           inflate->bit_count < 8 &&
           cursor->in_end - cursor->in >= BSI_INFLATE_STEP_IN_BYTES &&
           cursor->out_end - cursor->out >= BSI_INFLATE_STEP_ROOM_BYTES;
}

/*
 * At a symbol: the fast loop if there is room for it, then one symbol exactly, which is what it may
 * have stopped at.
 */
static bsi_inflate_status bsi_inflate_symbols(bsi_inflate *inflate, bsi_inflate_cursor *cursor) {
    if (bsi_inflate_is_roomy(inflate, cursor)) {
        inflate->fast(inflate, cursor);
    }
    return bsi_inflate_symbol(inflate, cursor);
}

/* One step of the state that is on. States that move on without a verdict return GO_ON. */
static bsi_inflate_status bsi_inflate_step(bsi_inflate *inflate, bsi_inflate_cursor *cursor) {
    switch (inflate->state) {
        case BSI_INFLATE_STATE_HEAD: return bsi_inflate_head(inflate, cursor);
        case BSI_INFLATE_STATE_STORED_SIZE: return bsi_inflate_stored_size(inflate, cursor);
        case BSI_INFLATE_STATE_STORED: return bsi_inflate_stored(inflate, cursor);
        case BSI_INFLATE_STATE_COUNTS: return bsi_inflate_counts(inflate, cursor);
        case BSI_INFLATE_STATE_CODELENS: return bsi_inflate_codelens(inflate, cursor);
        case BSI_INFLATE_STATE_LENGTHS: return bsi_inflate_lengths(inflate, cursor);
        case BSI_INFLATE_STATE_SYMBOL: return bsi_inflate_symbols(inflate, cursor);
        case BSI_INFLATE_STATE_LITERAL: return bsi_inflate_literal(inflate, cursor);
        case BSI_INFLATE_STATE_DISTANCE: return bsi_inflate_distance(inflate, cursor);
        case BSI_INFLATE_STATE_MATCH: return bsi_inflate_match(inflate, cursor);
        case BSI_INFLATE_STATE_DONE: return BSI_INFLATE_DONE;
        case BSI_INFLATE_STATE_BAD: break;
    }
    return BSI_INFLATE_BAD;
}

/*
 * Decode until input or output is used up or the stream ends, advancing *in and *out. The bytes
 * before *out are the history: `inflate->history_bytes` of them, the last of this stream's output,
 * must be readable there; a caller that goes on in another page copies them in front of it first.
 * All that lies in [*out, out_end) may be overwritten, also behind the text; nothing else is, and
 * nothing outside the history and [*in, in_end) is read. Each call ends: a step takes at least a
 * bit, writes a byte, or moves on to a state that does.
 */
static bsi_inflate_status bsi_inflate_run(bsi_inflate *inflate, const uint8_t **in,
                                          const uint8_t *in_end, uint8_t **out,
                                          uint8_t *out_end) {
    bsi_inflate_cursor cursor;
    bsi_inflate_status status;
    size_t history;
    cursor.in = *in;
    cursor.in_end = in_end;
    cursor.out = *out;
    cursor.out_end = out_end;
    cursor.oldest = *out - inflate->history_bytes;
    do {
        status = bsi_inflate_step(inflate, &cursor);
    } while (status == BSI_INFLATE_GO_ON);
    history = (size_t)(cursor.out - cursor.oldest);
    inflate->history_bytes = (uint32_t)BSI_MIN(history, BSI_INFLATE_HISTORY_BYTES);
    *in = cursor.in;
    *out = cursor.out;
    return status;
}

/* ---- lanes ---- */

/* Start a stream in a lane: all of it, with nothing before `out`. */
static void bsi_inflate_lane_begin(bsi_inflate_lane *lane, const uint8_t *in, const uint8_t *in_end,
                                   uint8_t *out, uint8_t *out_end) {
    bsi_inflate_again(&lane->inflate);
    lane->cursor.in = in;
    lane->cursor.in_end = in_end;
    lane->cursor.out = lane->cursor.oldest = out;
    lane->cursor.out_end = out_end;
    lane->status = BSI_INFLATE_GO_ON;
}

/* The exact path's step, which at a symbol takes no more than that. */
static void bsi_inflate_lane_step(bsi_inflate_lane *lane) {
    lane->status = lane->inflate.state == BSI_INFLATE_STATE_SYMBOL
                       ? bsi_inflate_symbol(&lane->inflate, &lane->cursor)
                       : bsi_inflate_step(&lane->inflate, &lane->cursor);
}

/* Decode all lanes, each of them under way, until one is not any more. */
static void bsi_inflate_lanes_run(bsi_inflate_lanes *lanes) {
    uint32_t i = 0;
    while (i < BSI_INFLATE_LANES) {
        bsi_inflate_lane *lane = &lanes->lanes[i];
        if (lane->status != BSI_INFLATE_GO_ON) {
            return;
        }
        if (!bsi_inflate_is_roomy(&lane->inflate, &lane->cursor)) {
            bsi_inflate_lane_step(lane);
        } else if (++i == BSI_INFLATE_LANES) {
            i = lanes->fast(lanes->lanes);
            bsi_inflate_lane_step(&lanes->lanes[i]);
            i = 0;
        }
    }
}

/* Decode one lane to its end. */
static void bsi_inflate_lane_finish(bsi_inflate_lane *lane) {
    while (lane->status == BSI_INFLATE_GO_ON) {
        lane->status = bsi_inflate_step(&lane->inflate, &lane->cursor);
    }
}

/* ==========================================================================
 * >>guess   where in the middle of a DEFLATE stream a block may start (RFC 1951, 3.2.7)
 *   uses: config bytes cpu huff inflate  allocates: no   threads: no   I/O: no
 * ========================================================================== */

/*
 * A start is a guess that somebody who decodes all of the stream confirms or not: a false one, like a
 * true one that is passed over, costs time and nothing else. Sought are dynamic blocks that are not the
 * last of their stream:
 *
 *   bit   0  1..2   3..7   8..12   13..16   from 17 on
 *       +---+-----+------+-------+-------+---------------------------+--------------------------+
 *       | 0 |  2  | HLIT | HDIST | HCLEN | 3 bits for each length of | the lengths of both codes|
 *       |   |     | 0-29 | 0-29  |       | the code-length code      |                          |
 *       +---+-----+------+-------+-------+---------------------------+--------------------------+
 *
 * in three sieves: bits 0..12, for all positions of a word at once; the code space of the code-length
 * code, which must be used up; and the whole header, down to the last length. DEFLATE allows more than
 * the last sieve lets through. Both codes must be complete: a distance code of a single code or of none
 * is passed over, for zlib writes two codes where a block needs fewer. And the end of a block must have
 * company: the fewer the codes, the shorter a header, and the likelier chance writes one.
 *
 * A word is 64 bits of the stream and holds bits 0..12 of its first 52 positions; 48 of them are looked
 * at, so that each word starts at a byte.
 */
#define BSI_GUESS_WORD_BITS 48u
#define BSI_GUESS_SCAN_WORDS 96u        /* looked at by one call of a kernel                       */
#define BSI_GUESS_SCAN_BYTES (BSI_GUESS_SCAN_WORDS * BSI_GUESS_WORD_BITS / 8)
#define BSI_GUESS_READ_BYTES (BSI_GUESS_SCAN_BYTES + 16u) /* read by it, at most                   */
#define BSI_GUESS_COUNT_BITS 17u        /* in front of the code-length code                        */
#define BSI_GUESS_LITERALS 4u           /* least literal/length codes beside the end of the block  */
#define BSI_GUESS_FULL 32768u           /* code space of a complete code, in codes of 15 bits      */

/*
 * The longest header starts at bit 7 of a byte. A length takes 7 bits at most: a symbol with extra bits has
 * 14 bits at most for 11 lengths, or 10 for 3. So 7 + 17 + 19 * 3 + 316 * 7 = 2293 bits are 287 bytes; and a
 * load of 8 bytes starts in any of them.
 */
#define BSI_GUESS_HEADER_BYTES 296u

/* Starts are at least 3 bits apart, as their bits 0..2 are 0, 0, 1: 16 in a word. One more is written. */
#define BSI_GUESS_STARTS (BSI_GUESS_SCAN_WORDS * (BSI_GUESS_WORD_BITS / 3) + 1)

BSI_STATIC_ASSERT(BSI_GUESS_SCAN_WORDS % 8 == 0, half_a_scan_is_whole_vectors);
BSI_STATIC_ASSERT(BSI_GUESS_SCAN_WORDS <= 128, half_a_scan_has_a_bit_for_each_word);
BSI_STATIC_ASSERT(BSI_GUESS_SCAN_BYTES * 8 <= 65536, a_start_has_16_bits);

/* Numbers of 5 bits that differ in their lowest bits only. Each is all ones or 0 in 64 positions at once. */
typedef struct bsi_guess_group {
    uint64_t bit[5];            /* what bit i of the number is      */
    uint64_t any[5];            /* all ones: bit i may be anything  */
} bsi_guess_group;

/* Which values of HDIST count. No value is in two groups. */
typedef struct bsi_guess_filter {
    uint32_t group_count;
    uint64_t outside;           /* all ones: values in no group count; 0: values in a group */
    bsi_guess_group groups[16];
} bsi_guess_filter;

/* Bytes of the source that lie together; the pieces of a row follow one another in the source. */
typedef struct bsi_guess_piece {
    const uint8_t *bytes;
    size_t count;
} bsi_guess_piece;

typedef struct bsi_guess {
    uint32_t distance_counts;   /* bit d: blocks with d + 1 distance codes count (HDIST is d); 0: any */
    /*
     * The kernel; see >>kernels. The starts in BSI_GUESS_SCAN_BYTES bytes that pass the first two sieves,
     * ascending, in bits from the first byte; BSI_GUESS_READ_BYTES can be read, BSI_GUESS_STARTS written.
     * Returns how many there are.
     */
    uint32_t (*scan)(const bsi_guess_filter *filter, const uint8_t *bytes, uint16_t *out_starts);
} bsi_guess;

/* ---- which distance counts ---- */

/* Cut a set of the numbers 0..31 into groups: runs of 2^n numbers from a multiple of 2^n on. */
static uint32_t bsi_guess_cut(uint32_t set, bsi_guess_group *groups) {
    uint32_t at = 0, count = 0;
    while (at < 32) {
        uint32_t size = 1;
        if (!(set >> at & 1u)) {
            at++;
            continue;
        }
        while (size < 16 && at % (2 * size) == 0 &&
               (~set >> at & ((((uint32_t)1 << size) - 1) << size)) == 0) {
            size *= 2;
        }
        for (uint32_t i = 0; i < 5; i++) {
            groups[count].bit[i] = 0 - (uint64_t)(at >> i & 1u);
            groups[count].any[i] = 0 - (uint64_t)(size >> i > 1);
        }
        count++;
        at += size;
    }
    return count;
}

/* The set, or what is not in it, whichever takes fewer groups. Without a choice that is 30 and 31. */
static void bsi_guess_filter_begin(bsi_guess_filter *filter, uint32_t distance_counts) {
    uint32_t allowed = 0x3FFFFFFFu, set = distance_counts == 0 ? allowed : distance_counts & allowed;
    uint32_t inside = bsi_guess_cut(set, filter->groups), beyond = bsi_guess_cut(~set, filter->groups);
    filter->outside = beyond < inside ? UINT64_MAX : 0;
    filter->group_count = bsi_guess_cut(beyond < inside ? ~set : set, filter->groups);
}

/* ---- the first sieve: 48 positions in a word ---- */

/* Bit i: HDIST of a header at bit i of the word is in the group. */
BSI_INLINE uint64_t bsi_guess_in_group(const bsi_guess_group *group, uint64_t word) {
    uint64_t off = ((word >> 8) ^ group->bit[0]) & ~group->any[0];
    off |= ((word >> 9) ^ group->bit[1]) & ~group->any[1];
    off |= ((word >> 10) ^ group->bit[2]) & ~group->any[2];
    off |= ((word >> 11) ^ group->bit[3]) & ~group->any[3];
    return ~(off | (((word >> 12) ^ group->bit[4]) & ~group->any[4]));
}

/*
 * Bit i: bits 0..12 at bit i of the word are those of a header. HLIT is 30 or 31 where its four high bits
 * are 1.
 */
BSI_INLINE uint64_t bsi_guess_mask(const bsi_guess_filter *filter, uint64_t word) {
    uint64_t two = word & word >> 1, four = two & two >> 2, inside = filter->outside;
    for (uint32_t i = 0; i < filter->group_count; i++) {
        inside ^= bsi_guess_in_group(&filter->groups[i], word); /* of at most one */
    }
    return ~(word | word >> 1) & word >> 2 & ~(four >> 4) & inside &
           (((uint64_t)1 << BSI_GUESS_WORD_BITS) - 1);
}

/*
 * Add the ones of a mask to a list. Few masks have more than two, and which have two cannot be guessed:
 * the second is written in any case, and counts if it is there. The mask is not 0. Bit 63 is none of it.
 */
BSI_INLINE uint32_t bsi_guess_list(uint64_t mask, uint32_t base, uint16_t *list, uint32_t count) {
    do {
        list[count++] = (uint16_t)(base + bsi_cpu_lowest_one(mask));
        mask &= mask - 1;
        list[count] = (uint16_t)(base + bsi_cpu_lowest_one(mask | (uint64_t)1 << 63));
        count += mask != 0;
        mask &= mask - 1;
    } while (BSI_UNLIKELY(mask != 0));
    return count;
}

/* ---- the second sieve: is the code-length code complete? ---- */

/*
 * Code space, in codes of 7 bits, of three lengths of 3 bits in a row: a length of n bits takes
 * 128 / 2^n, 0 takes none. The first length is the lowest 3 bits of the index.
 */
#define BSI_GUESS_SPACE_1(more) \
    (more), (more) + 64, (more) + 32, (more) + 16, (more) + 8, (more) + 4, (more) + 2, (more) + 1
#define BSI_GUESS_SPACE_2(more)                                                                 \
    BSI_GUESS_SPACE_1(more), BSI_GUESS_SPACE_1((more) + 64), BSI_GUESS_SPACE_1((more) + 32),    \
        BSI_GUESS_SPACE_1((more) + 16), BSI_GUESS_SPACE_1((more) + 8),                          \
        BSI_GUESS_SPACE_1((more) + 4), BSI_GUESS_SPACE_1((more) + 2), BSI_GUESS_SPACE_1((more) + 1)

static const uint8_t bsi_guess_spaces[512] = {
    BSI_GUESS_SPACE_2(0),  BSI_GUESS_SPACE_2(64), BSI_GUESS_SPACE_2(32), BSI_GUESS_SPACE_2(16),
    BSI_GUESS_SPACE_2(8),  BSI_GUESS_SPACE_2(4),  BSI_GUESS_SPACE_2(2),  BSI_GUESS_SPACE_2(1)};

/*
 * The lengths of the code-length code of a header at a bit, 3 bits each, 0 for those not sent: 57 bits. Up
 * to 10 bytes behind that of its first bit are read.
 */
BSI_INLINE uint64_t bsi_guess_codelen_word(const uint8_t *bytes, uint32_t bit) {
    uint32_t at = bit + 13, behind = bit + BSI_GUESS_COUNT_BITS;
    uint32_t codelen_count = (bsi_bytes_load16(bytes + at / 8) >> at % 8 & 15u) + 4;
    uint64_t word = bsi_bytes_load64(bytes + behind / 8) >> behind % 8;
    return word & (((uint64_t)1 << 3 * codelen_count) - 1);
}

/* 1: such lengths use up the code space. */
BSI_INLINE uint32_t bsi_guess_is_complete(uint64_t word) {
    const uint8_t *spaces = bsi_guess_spaces;
    return (uint32_t)spaces[word & 511u] + spaces[word >> 9 & 511u] + spaces[word >> 18 & 511u] +
               spaces[word >> 27 & 511u] + spaces[word >> 36 & 511u] + spaces[word >> 45 & 511u] +
               spaces[word >> 54] ==
           128;
}

/* ---- kernels ---- */

/* Keep those of a list that pass the second sieve. */
static uint32_t bsi_guess_keep_portable(const uint8_t *bytes, uint16_t *list, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint16_t bit = list[i];
        list[kept] = bit;
        kept += bsi_guess_is_complete(bsi_guess_codelen_word(bytes, bit));
    }
    return kept;
}

/* All three steps: masks, a list of their ones, and those that pass the second sieve. */
static uint32_t bsi_guess_scan_portable(const bsi_guess_filter *filter, const uint8_t *bytes,
                                        uint16_t *out_starts) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < BSI_GUESS_SCAN_WORDS; i++) {
        uint64_t mask = bsi_guess_mask(filter, bsi_bytes_load64(bytes + i * (BSI_GUESS_WORD_BITS / 8)));
        if (mask != 0) {
            count = bsi_guess_list(mask, i * BSI_GUESS_WORD_BITS, out_starts, count);
        }
    }
    return bsi_guess_keep_portable(bytes, out_starts, count);
}

#if BSI_CPU_X86_AVX2

#define BSI_GUESS_TARGET BSI_TARGET("avx2,bmi,bmi2")

/* One bit of HDIST in four words: as it should be, or of no matter. `number` is of the bit, so a constant. */
BSI_GUESS_TARGET
BSI_INLINE __m256i bsi_guess_bit_avx2(const bsi_guess_group *group, uint32_t number, __m256i shifted) {
    __m256i differs = _mm256_xor_si256(shifted, _mm256_set1_epi64x((long long)group->bit[number]));
    return _mm256_andnot_si256(_mm256_set1_epi64x((long long)group->any[number]), differs);
}

/* bsi_guess_in_group of four words, less the last step: all bits but those in the group. */
BSI_GUESS_TARGET
BSI_INLINE __m256i bsi_guess_off_group_avx2(const bsi_guess_group *group, __m256i words) {
    __m256i a = bsi_guess_bit_avx2(group, 0, _mm256_srli_epi64(words, 8));
    __m256i b = bsi_guess_bit_avx2(group, 1, _mm256_srli_epi64(words, 9));
    __m256i c = bsi_guess_bit_avx2(group, 2, _mm256_srli_epi64(words, 10));
    __m256i d = bsi_guess_bit_avx2(group, 3, _mm256_srli_epi64(words, 11));
    __m256i e = bsi_guess_bit_avx2(group, 4, _mm256_srli_epi64(words, 12));
    return _mm256_or_si256(_mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d)), e);
}

/* bsi_guess_mask of four words. */
BSI_GUESS_TARGET
BSI_INLINE __m256i bsi_guess_mask_avx2(const bsi_guess_filter *filter, __m256i words) {
    __m256i next = _mm256_srli_epi64(words, 1), two = _mm256_and_si256(words, next);
    __m256i four = _mm256_and_si256(two, _mm256_srli_epi64(two, 2));
    __m256i bad = _mm256_or_si256(_mm256_or_si256(words, next), _mm256_srli_epi64(four, 4));
    __m256i mask = _mm256_andnot_si256(bad, _mm256_srli_epi64(words, 2));
    __m256i off = _mm256_set1_epi64x((long long)~filter->outside);
    for (uint32_t i = 0; i < filter->group_count; i++) {
        __m256i off_group = bsi_guess_off_group_avx2(&filter->groups[i], words);
        off = _mm256_xor_si256(off, _mm256_andnot_si256(off_group, _mm256_set1_epi64x(-1)));
    }
    mask = _mm256_andnot_si256(off, mask);
    return _mm256_and_si256(mask, _mm256_set1_epi64x(((long long)1 << BSI_GUESS_WORD_BITS) - 1));
}

/* Four words at 0, 6, 12 and 18; 28 bytes are read. */
BSI_GUESS_TARGET
BSI_INLINE __m256i bsi_guess_words_avx2(const uint8_t *bytes) {
    const __m256i places = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 6, 7, 8, 9, 10, 11, 12, 13,
                                            0, 1, 2, 3, 4, 5, 6, 7, 6, 7, 8, 9, 10, 11, 12, 13);
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)bytes);
    __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 12));
    return _mm256_shuffle_epi8(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1), places);
}

/* Which of four words are not 0: a bit for each. */
BSI_GUESS_TARGET
BSI_INLINE uint32_t bsi_guess_not_zero_avx2(__m256i words) {
    __m256i zero = _mm256_cmpeq_epi64(words, _mm256_setzero_si256());
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(zero)) ^ 15u;
}

/* Masks of half of the words, then the starts in those that are not 0: the others are no work. */
BSI_GUESS_TARGET
BSI_INLINE uint32_t bsi_guess_half_avx2(const bsi_guess_filter *filter, const uint8_t *bytes, uint32_t first,
                                        uint16_t *list, uint32_t count) {
    uint64_t masks[BSI_GUESS_SCAN_WORDS / 2], full = 0;
    for (uint32_t i = 0; i < BSI_GUESS_SCAN_WORDS / 2; i += 4) {
        __m256i words = bsi_guess_words_avx2(bytes + (first + i) * (BSI_GUESS_WORD_BITS / 8));
        __m256i mask = bsi_guess_mask_avx2(filter, words);
        _mm256_storeu_si256((__m256i *)(void *)(masks + i), mask);
        full |= (uint64_t)bsi_guess_not_zero_avx2(mask) << i;
    }
    for (; full != 0; full &= full - 1) {
        uint32_t i = bsi_cpu_lowest_one(full);
        count = bsi_guess_list(masks[i], (first + i) * BSI_GUESS_WORD_BITS, list, count);
    }
    return count;
}

/*
 * bsi_guess_is_complete by eight copies of the word, shifted by 0 to 7 bits: length number i stands at bit
 * 3 * i, so in the copy shifted by 3 * i % 8 it is the low end of a byte.
 */
BSI_GUESS_TARGET
BSI_INLINE uint32_t bsi_guess_is_complete_avx2(uint64_t word) {
    const __m256i spaces = _mm256_setr_epi8(0, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0,
                                            0, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0);
    const long long by_0 = 0x0007000007000007, by_1 = 0x0000000700000700, by_2 = 0x0000070000070000;
    __m256i words = _mm256_set1_epi64x((long long)word);
    __m256i low = _mm256_srlv_epi64(words, _mm256_setr_epi64x(0, 1, 2, 3));
    __m256i high = _mm256_srlv_epi64(words, _mm256_setr_epi64x(4, 5, 6, 7));
    low = _mm256_and_si256(low, _mm256_setr_epi64x(by_0, by_1, by_2, by_0));
    high = _mm256_and_si256(high, _mm256_setr_epi64x(by_1, by_2, by_0, by_1));
    low = _mm256_add_epi8(_mm256_shuffle_epi8(spaces, low), _mm256_shuffle_epi8(spaces, high));
    low = _mm256_sad_epu8(low, _mm256_setzero_si256());
    __m128i sums = _mm_add_epi64(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
    sums = _mm_add_epi64(sums, _mm_unpackhi_epi64(sums, sums));
    return _mm_cvtsi128_si32(sums) == 128;
}

/* bsi_guess_keep_portable. */
BSI_GUESS_TARGET
BSI_INLINE uint32_t bsi_guess_keep_avx2(const uint8_t *bytes, uint16_t *list, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint16_t bit = list[i];
        list[kept] = bit;
        kept += bsi_guess_is_complete_avx2(bsi_guess_codelen_word(bytes, bit));
    }
    return kept;
}

/* bsi_guess_scan_portable, in two halves. */
BSI_GUESS_TARGET
static uint32_t bsi_guess_scan_avx2(const bsi_guess_filter *filter, const uint8_t *bytes,
                                    uint16_t *out_starts) {
    uint32_t count = bsi_guess_half_avx2(filter, bytes, 0, out_starts, 0);
    count = bsi_guess_half_avx2(filter, bytes, BSI_GUESS_SCAN_WORDS / 2, out_starts, count);
    return bsi_guess_keep_avx2(bytes, out_starts, count);
}

#endif

/* ---- the third sieve: the whole header ---- */

/* Bytes of a row of pieces from `byte` of the first on, zeros behind its end. Returns how many are of it. */
static uint32_t bsi_guess_join(const bsi_guess_piece *pieces, uint32_t piece_count, uint64_t byte,
                               uint8_t *to, uint32_t bytes) {
    uint32_t filled = 0;
    size_t skip = (size_t)byte;
    for (uint32_t i = 0; i < piece_count && filled < bytes; i++) {
        size_t take = BSI_MIN(pieces[i].count - skip, (size_t)(bytes - filled));
        if (take > 0) {
            memcpy(to + filled, pieces[i].bytes + skip, take);
        }
        filled += (uint32_t)take;
        skip = 0;
    }
    memset(to + filled, 0, bytes - filled);
    return filled;
}

/* The table of the code-length code whose lengths start at bit `at`; 0: DEFLATE does not allow them. */
static int bsi_guess_codelens(const uint8_t *bytes, uint32_t at, uint32_t codelen_count, uint32_t *codelens) {
    uint64_t word = bsi_bytes_load64(bytes + at / 8) >> at % 8; /* 57 bits: all lengths */
    uint8_t lengths[19];
    bsi_huff_plan plan;
    memset(lengths, 0, sizeof lengths);
    for (uint32_t i = 0; i < codelen_count; i++) {
        lengths[bsi_inflate_codelen_order[i]] = (uint8_t)(word >> 3 * i & 7u);
    }
    return bsi_huff_build(&plan, codelens, BSI_HUFF_KIND_CODELEN, lengths, 19);
}

/* Code space of a length, in codes of 15 bits; 0: the symbol has no code. */
BSI_INLINE uint32_t bsi_guess_space(uint32_t length) {
    return (BSI_GUESS_FULL >> length) & (BSI_GUESS_FULL - 1);
}

/* A complete code with an end of the block, and enough beside it. */
static int bsi_guess_is_litlen(const uint8_t *lengths, uint32_t litlen_count) {
    uint32_t space = 0, used = 0;
    for (uint32_t i = 0; i < litlen_count; i++) {
        space += bsi_guess_space(lengths[i]);
        used += lengths[i] != 0;
    }
    return space == BSI_GUESS_FULL && lengths[BSI_HUFF_END_OF_BLOCK] != 0 && used > BSI_GUESS_LITERALS;
}

/* Of the lengths of both codes, those read so far. They themselves lie apart: so this stays in registers. */
typedef struct bsi_guess_row {
    uint32_t filled, wanted, litlen_count;
    uint32_t length;            /* the last one                         */
    uint32_t space;             /* of all, in codes of 15 bits          */
} bsi_guess_row;

/*
 * Add what one symbol says; 0: it cannot be. A repeat goes on with at most 6 lengths that are not 0: 8 at
 * a time are written, and what was written behind the last is written over by the next.
 */
BSI_INLINE int bsi_guess_add(bsi_guess_row *row, uint8_t *lengths, uint32_t symbol, uint32_t extra) {
    uint32_t repeat = bsi_inflate_least_repeat(symbol) + extra;
    if (repeat > row->wanted - row->filled || (symbol == 16 && row->filled == 0)) {
        return 0;
    }
    row->length = symbol < 16 ? symbol : symbol == 16 ? row->length : 0;
    bsi_bytes_store64(lengths + row->filled, row->length * UINT64_C(0x0101010101010101));
    row->filled += repeat;
    row->space += repeat * bsi_guess_space(row->length);
    return row->space <= (row->filled <= row->litlen_count ? BSI_GUESS_FULL : 2 * BSI_GUESS_FULL);
}

/*
 * Are the lengths that start at bit `at` those of two complete codes? Returns where they end, 0 if they
 * are not. 57 bits at a time hold four symbols of 14 bits at most.
 */
static uint32_t bsi_guess_lengths(const uint8_t *bytes, uint32_t at, const uint32_t *codelens,
                                  uint32_t litlen_count, uint32_t distance_count) {
    uint8_t lengths[BSI_HUFF_MAX_SYMBOLS + 32 + 8];
    bsi_guess_row row = {0, 0, 0, 0, 0};
    memset(lengths, 0, sizeof lengths);
    row.wanted = litlen_count + distance_count;
    row.litlen_count = litlen_count;
    while (row.filled < row.wanted) {
        uint64_t word = bsi_bytes_load64(bytes + at / 8) >> at % 8;
        for (uint32_t i = 0; i < 4 && row.filled < row.wanted; i++) {
            uint32_t entry = codelens[word & (BSI_HUFF_CODELEN_ENTRIES - 1)];
            if (!bsi_guess_add(&row, lengths, entry >> 16, bsi_huff_extra(entry, word))) {
                return 0;
            }
            word >>= bsi_huff_all_bits(entry);
            at += bsi_huff_all_bits(entry);
        }
    }
    return row.space == 2 * BSI_GUESS_FULL && bsi_guess_is_litlen(lengths, litlen_count) ? at : 0;
}

/* Is the header at a bit, of which the first sieve is certain, whole and sound? */
static int bsi_guess_is_header(const bsi_guess_piece *pieces, uint32_t piece_count, uint64_t bit) {
    uint8_t bytes[BSI_GUESS_HEADER_BYTES];
    uint32_t codelens[BSI_HUFF_CODELEN_ENTRIES];
    uint32_t there = bsi_guess_join(pieces, piece_count, bit / 8, bytes, BSI_GUESS_HEADER_BYTES);
    uint32_t at = (uint32_t)(bit % 8), counts = bsi_bytes_load32(bytes) >> at;
    uint32_t codelen_count = (counts >> 13 & 15u) + 4;
    at += BSI_GUESS_COUNT_BITS;
    if (!bsi_guess_codelens(bytes, at, codelen_count, codelens)) {
        return 0;
    }
    at = bsi_guess_lengths(bytes, at + 3 * codelen_count, codelens, (counts >> 3 & 31u) + 257,
                           (counts >> 8 & 31u) + 1);
    return at != 0 && at <= 8 * there;
}

/* ---- the search ---- */

/*
 * The first bit in [from, to) where a dynamic block that is not the last of its stream may start;
 * UINT64_MAX: none. Bits are counted from bit 0 of the first piece; to <= 8 * pieces[0].count, that is, the
 * start lies in the first piece. Its header may go on in the next ones, and lies in them whole.
 */
static uint64_t bsi_guess_find(const bsi_guess *guess, const bsi_guess_piece *pieces,
                                                uint32_t piece_count, uint64_t from, uint64_t to) {
    bsi_guess_filter filter;
    uint8_t joined[BSI_GUESS_READ_BYTES];
    uint16_t starts[BSI_GUESS_STARTS];
    bsi_guess_filter_begin(&filter, guess->distance_counts);
    for (uint64_t byte = from / 8; byte < to / 8 + (to % 8 != 0); byte += BSI_GUESS_SCAN_BYTES) {
        const uint8_t *bytes = joined;
        if (pieces[0].count - byte >= BSI_GUESS_READ_BYTES) {
            bytes = pieces[0].bytes + byte;
        } else {
            bsi_guess_join(pieces, piece_count, byte, joined, BSI_GUESS_READ_BYTES);
        }
        uint32_t count = guess->scan(&filter, bytes, starts);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t bit = 8 * byte + starts[i];
            if (bit >= to) {
                return UINT64_MAX;
            }
            if (bit >= from && bsi_guess_is_header(pieces, piece_count, bit)) {
                return bit;
            }
        }
    }
    return UINT64_MAX;
}

/* ==========================================================================
 * >>tokens   decode DEFLATE blocks without their history, copy later (RFC 1951)
 *   uses: config bytes huff inflate guess  allocates: no   threads: no   I/O: no
 * ========================================================================== */

/*
 * Codes can be read without the text before them; only copying needs it. So a stretch of a stream from
 * one block's border to another's, a segment, is decoded in two phases. Lanes turn segments into tokens,
 * several at a time and in any order. The tokens of one segment after the other are then replayed:
 * literals are stored and matches copied, behind the text of the segment before.
 *
 *    63            48      41   39 38       32 31                     0
 *   +----------------+----+-------+-----------+------------------------+
 *   |    distance    | any| their |  length   |     the literals,      |
 *   |    1..32768    |    |number | 0, 1..64  |    the first lowest    |
 *   +----------------+----+-------+-----------+------------------------+
 *   First the literals, 0 to 4 of them, then the match. A longer match is several tokens of the same
 *   distance. Without a match, length 0, the distance is 256 or more: a copy is made all the same, and
 *   would wait for bytes stored just now.
 *
 * A border is a bit with a block's header or, behind the last block, with what follows the stream. Bits
 * are counted from bit 0 of the first piece's first byte.
 */

#define BSI_TOKENS_LENGTH_SHIFT 32
#define BSI_TOKENS_LENGTH_MASK 127u
#define BSI_TOKENS_COUNT_SHIFT 39
#define BSI_TOKENS_COUNT_MASK 7u
#define BSI_TOKENS_DISTANCE_SHIFT 48
#define BSI_TOKENS_LITERALS 4u          /* most of a token */
#define BSI_TOKENS_COPY 64u             /* longest match of a token */
#define BSI_TOKENS_NO_MATCH ((uint64_t)256 << BSI_TOKENS_DISTANCE_SHIFT)
#define BSI_TOKENS_LEAST_CAPACITY 8192u /* a segment's tokens have room for so many, or more */

/* A match of 258 bytes, the longest, is so many tokens. */
#define BSI_TOKENS_OF_MATCH ((BSI_INFLATE_MAX_MATCH + BSI_TOKENS_COPY - 1) / BSI_TOKENS_COPY)

/*
 * Where replay stops: a token begins in front of the limit, advances by 4 + 64 bytes at most, and a copy
 * in its order writes up to 31 more.
 */
#define BSI_TOKENS_BEHIND_BYTES (BSI_INFLATE_STEP_ROOM_BYTES - 1)

BSI_STATIC_ASSERT(BSI_TOKENS_LITERALS == BSI_HUFF_WIDE_LITERALS, a_token_has_an_entrys_literals);
BSI_STATIC_ASSERT(BSI_TOKENS_COPY == BSI_HUFF_WIDE_COPY, a_token_has_an_entrys_length);

/* What is in a token. Bytes of `literals` behind the first `count` mean nothing. */
BSI_INLINE uint32_t bsi_tokens_literals(uint64_t token) {
    return (uint32_t)token;
}

BSI_INLINE uint32_t bsi_tokens_count(uint64_t token) {
    return (uint32_t)(token >> BSI_TOKENS_COUNT_SHIFT) & BSI_TOKENS_COUNT_MASK;
}

BSI_INLINE uint32_t bsi_tokens_length(uint64_t token) {
    return (uint32_t)(token >> BSI_TOKENS_LENGTH_SHIFT) & BSI_TOKENS_LENGTH_MASK;
}

BSI_INLINE uint32_t bsi_tokens_distance(uint64_t token) {
    return (uint32_t)(token >> BSI_TOKENS_DISTANCE_SHIFT);
}

/* The token of `count` literals, 1..4, without a match. */
BSI_INLINE uint64_t bsi_tokens_of_literals(uint32_t literals, uint32_t count) {
    return literals | (uint64_t)count << BSI_TOKENS_COUNT_SHIFT | BSI_TOKENS_NO_MATCH;
}

/* The tokens of a match; returns what is behind them. There is room for them. */
BSI_INLINE uint64_t *bsi_tokens_put_match(uint64_t *at, uint32_t length, uint32_t distance) {
    uint64_t back = (uint64_t)distance << BSI_TOKENS_DISTANCE_SHIFT;
    for (; length > BSI_TOKENS_COPY; length -= BSI_TOKENS_COPY) {
        *at++ = back | (uint64_t)BSI_TOKENS_COPY << BSI_TOKENS_LENGTH_SHIFT;
    }
    *at = back | (uint64_t)length << BSI_TOKENS_LENGTH_SHIFT;
    return at + 1;
}

/* ---- a lane ---- */

typedef enum bsi_tokens_status {
    BSI_TOKENS_IDLE,            /* nothing to do */
    BSI_TOKENS_UNDER_WAY,
    BSI_TOKENS_ENDED            /* the result is there */
} bsi_tokens_status;

#define BSI_TOKENS_LANES 4u

/*
 * A lane has tables of its own, of the wide ones, made for a step that only writes a token:
 *
 *    63   61 60     54 53               22 21      10 9      8 7 6 5         0
 *   +-------+---------+-------------------+----------+--------+---+-----------+
 *   | their | length  |   the literals,   |     0    | region |0 0| all bits  |
 *   |number |0, 3..64 |  the first lowest |          |        |   |           |
 *   +-------+---------+-------------------+----------+--------+---+-----------+
 *   region 0 a match, 1 literals alone, 2 what the step cannot do
 *
 * Turned by 22 bits it is a token, and the distance has to be added. All bits are then in bits that the
 * token does not use, and region 1 is 4 bytes of distance. The region is also that of the distance table:
 * the root, 256 times NO_DISTANCE, 256 times RARE; so one test finds all that is rare.
 */
#define BSI_TOKENS_BITS BSI_HUFF_WIDE_BITS
#define BSI_TOKENS_ENTRIES (1u << BSI_TOKENS_BITS)
#define BSI_TOKENS_TURN 22
#define BSI_TOKENS_REGION BSI_HUFF_MATCH /* entries of one, and the lowest bit of its number */
#define BSI_TOKENS_REGIONS 3u
#define BSI_TOKENS_REGION_MASK (3u * BSI_TOKENS_REGION)
#define BSI_TOKENS_NO_DISTANCE (256u - 4u) /* 0 bits, and with region 1 the distance of NO_MATCH */

BSI_STATIC_ASSERT(BSI_TOKENS_LENGTH_SHIFT + BSI_TOKENS_TURN == 54, an_entry_is_a_token_turned);

/*
 * A segment being decoded. What comes in blocks is in the result when its block is complete. The cursor
 * is in one piece. Its `out` stands still, 32 KiB behind `oldest`: for the exact path every distance is
 * near enough. A lane of >>texts has no tokens; there the cursor's `out` is that of the text.
 */
typedef struct bsi_tokens_lane {
    bsi_inflate inflate;
    bsi_inflate_cursor cursor;
    bsi_tokens_status status;
    const bsi_guess_piece *piece; /* the cursor's */
    uint32_t pieces_left;       /* behind it */
    uint64_t piece_bit;         /* where it starts */
    uint64_t stop;              /* from here on a border is the segment's end */
    uint8_t *text;              /* NULL, or the text goes there, without tokens */
    uint64_t *tokens, *tokens_end, *at;
    uint32_t counts_seen;       /* distance_counts, the block under way included */
    uint64_t entries[BSI_TOKENS_ENTRIES];
    uint32_t distances[BSI_TOKENS_REGIONS * BSI_TOKENS_REGION];
    /* the result */
    size_t token_count;
    size_t text_bytes;          /* of >>texts */
    uint64_t end;               /* bit of the last border; where it started: nothing was decoded */
    uint32_t bit_count;         /* held at that border, in bsi_inflate's form: 0..7 */
    uint64_t word;              /* these bits; the byte behind them is the one of bit end + bit_count */
    int is_last;                /* that border is behind the stream's last block */
    uint32_t distance_counts;   /* bit d: a dynamic block with HDIST d was in the segment */
} bsi_tokens_lane;

/* Kernels; see >>kernels. */
typedef uint32_t (*bsi_tokens_fast_call)(bsi_tokens_lane *const *lanes, uint32_t count, size_t *budget);

typedef struct bsi_tokens_kernels {
    bsi_tokens_fast_call fast;
    const uint64_t *(*replay)(const uint64_t *at, const uint64_t *end, uint8_t **out,
                              const uint8_t *limit);
} bsi_tokens_kernels;

/* About 120 KiB, nearly all tables. */
typedef struct bsi_tokens_lanes {
    bsi_tokens_kernels kernels;
    bsi_tokens_lane lanes[BSI_TOKENS_LANES];
} bsi_tokens_lanes;

/* Start a segment, but for where its output goes; see bsi_tokens_lane_begin. */
static void bsi_tokens_segment_begin(bsi_tokens_lane *lane, const bsi_guess_piece *pieces,
                                     uint32_t piece_count, uint64_t start, uint64_t stop) {
    uint32_t taken = (uint32_t)start & 7u;
    bsi_inflate_again(&lane->inflate);
    lane->cursor.in = pieces->bytes + (size_t)(start >> 3);
    lane->cursor.in_end = pieces->bytes + pieces->count;
    if (taken > 0) {
        lane->inflate.word = (uint64_t)*lane->cursor.in++ >> taken;
        lane->inflate.bit_count = 8 - taken;
    }
    lane->status = BSI_TOKENS_UNDER_WAY;
    lane->piece = pieces;
    lane->pieces_left = piece_count - 1;
    lane->piece_bit = 0;
    lane->stop = stop;
    lane->text = NULL;
    lane->tokens = lane->tokens_end = lane->at = NULL;
    lane->counts_seen = 0;
    lane->token_count = lane->text_bytes = 0;
    lane->end = start;
    lane->bit_count = lane->inflate.bit_count;
    lane->word = lane->inflate.word;
    lane->is_last = 0;
    lane->distance_counts = 0;
    for (uint32_t i = BSI_TOKENS_REGION; i < 2 * BSI_TOKENS_REGION; i++) {
        lane->distances[i] = BSI_TOKENS_NO_DISTANCE << 16;
        lane->distances[i + BSI_TOKENS_REGION] = BSI_HUFF_RARE;
    }
}

/*
 * Start a segment. `start` lies in pieces[0] and is a border; the pieces stay until the lane has ended.
 * It ends at the first border from `stop` on, or behind the stream's last block, or where it cannot go
 * on: the input or the room for tokens is used up, or something is not DEFLATE. What it has read of a
 * block that is not complete is then no part of the result. capacity >= BSI_TOKENS_LEAST_CAPACITY.
 */
static void bsi_tokens_lane_begin(bsi_tokens_lane *lane, const bsi_guess_piece *pieces,
                                  uint32_t piece_count, uint64_t start, uint64_t stop, uint64_t *tokens,
                                  size_t capacity) {
    bsi_tokens_segment_begin(lane, pieces, piece_count, start, stop);
    lane->cursor.oldest = (uint8_t *)tokens;
    lane->cursor.out = lane->cursor.out_end = lane->cursor.oldest + BSI_INFLATE_HISTORY_BYTES;
    lane->tokens = lane->at = tokens;
    lane->tokens_end = tokens + capacity;
}

BSI_STATIC_ASSERT(BSI_TOKENS_LEAST_CAPACITY * sizeof(uint64_t) >= BSI_INFLATE_HISTORY_BYTES,
                  out_is_within_the_tokens);

/* ---- the exact path ---- */

/* Note the border in front, and go on behind it if the segment does. */
static bsi_inflate_status bsi_tokens_head(bsi_tokens_lane *lane) {
    const bsi_inflate *inflate = &lane->inflate;
    uint64_t bytes = (uint64_t)(lane->cursor.in - lane->piece->bytes);
    if (lane->text != NULL) {
        lane->text_bytes = (size_t)(lane->cursor.out - lane->text);
    } else {
        lane->token_count = (size_t)(lane->at - lane->tokens);
    }
    lane->end = lane->piece_bit + bytes * 8 - inflate->bit_count;
    lane->bit_count = inflate->bit_count;
    lane->word = inflate->word;
    lane->is_last = inflate->is_last;
    lane->distance_counts = lane->counts_seen;
    if (lane->end >= lane->stop) {
        return BSI_INFLATE_DONE;
    }
    return bsi_inflate_head(&lane->inflate, &lane->cursor);
}

static bsi_inflate_status bsi_tokens_counts(bsi_tokens_lane *lane) {
    bsi_inflate_status status = bsi_inflate_counts(&lane->inflate, &lane->cursor);
    if (status == BSI_INFLATE_GO_ON) {
        lane->counts_seen |= (uint32_t)1 << (lane->inflate.distance_count - 1);
    }
    return status;
}

/* Stored bytes are literals, four a token where as many are there. */
static bsi_inflate_status bsi_tokens_stored(bsi_tokens_lane *lane) {
    bsi_inflate *inflate = &lane->inflate;
    bsi_inflate_cursor *cursor = &lane->cursor;
    while (inflate->stored_bytes > 0) {
        size_t there = (size_t)(cursor->in_end - cursor->in);
        uint32_t count = BSI_MIN(inflate->stored_bytes, BSI_TOKENS_LITERALS), literals = 0;
        count = (uint32_t)BSI_MIN(there, count);
        if (count == 0) {
            return BSI_INFLATE_NEED_INPUT;
        }
        if (lane->at == lane->tokens_end) {
            return BSI_INFLATE_NEED_OUTPUT;
        }
        if (count == BSI_TOKENS_LITERALS) {
            literals = bsi_bytes_load32(cursor->in);
        } else {
            for (uint32_t i = 0; i < count; i++) {
                literals |= (uint32_t)cursor->in[i] << 8 * i;
            }
        }
        *lane->at++ = bsi_tokens_of_literals(literals, count);
        cursor->in += count;
        inflate->stored_bytes -= count;
    }
    inflate->state = BSI_INFLATE_STATE_HEAD;
    return BSI_INFLATE_GO_ON;
}

/* Make the lane's tables of the wide one. A rare wide entry has no MATCH either: 1 and 1 is region 2. */
static void bsi_tokens_make_tables(bsi_tokens_lane *lane) {
    const bsi_inflate *inflate = &lane->inflate;
    for (uint32_t i = 0; i < BSI_TOKENS_ENTRIES; i++) {
        uint64_t wide = inflate->wide[i];
        uint64_t region = ((wide & BSI_HUFF_MATCH) ^ BSI_HUFF_MATCH) + (wide >> 23 & BSI_TOKENS_REGION);
        lane->entries[i] = (wide & 0x7FE00u) << 45 | wide >> 32 << BSI_TOKENS_TURN | region | (wide & 63u);
    }
    memcpy(lane->distances, inflate->distances + BSI_HUFF_MATCH, BSI_TOKENS_REGION * sizeof(uint32_t));
}

/* One symbol; the first few of a block also make the wide table. */
static bsi_inflate_status bsi_tokens_symbol(bsi_tokens_lane *lane) {
    uint32_t narrow_symbols = lane->inflate.narrow_symbols;
    bsi_inflate_status status = bsi_inflate_symbol(&lane->inflate, &lane->cursor);
    if (narrow_symbols > 0 && lane->inflate.narrow_symbols == 0) {
        bsi_tokens_make_tables(lane);
    }
    return status;
}

static bsi_inflate_status bsi_tokens_literal(bsi_tokens_lane *lane) {
    if (lane->at == lane->tokens_end) {
        return BSI_INFLATE_NEED_OUTPUT;
    }
    *lane->at++ = bsi_tokens_of_literals(lane->inflate.literal, 1);
    lane->inflate.state = BSI_INFLATE_STATE_SYMBOL;
    return BSI_INFLATE_GO_ON;
}

static bsi_inflate_status bsi_tokens_match(bsi_tokens_lane *lane) {
    uint32_t length = lane->inflate.match_bytes;
    size_t count = (length + BSI_TOKENS_COPY - 1) / BSI_TOKENS_COPY;
    if ((size_t)(lane->tokens_end - lane->at) < count) {
        return BSI_INFLATE_NEED_OUTPUT;
    }
    lane->at = bsi_tokens_put_match(lane->at, length, lane->inflate.distance);
    lane->inflate.state = BSI_INFLATE_STATE_SYMBOL;
    return BSI_INFLATE_GO_ON;
}

/* Go on in the next piece that is not empty; 0 if there is none. */
static int bsi_tokens_next_piece(bsi_tokens_lane *lane) {
    while (lane->pieces_left > 0) {
        lane->piece_bit += (uint64_t)lane->piece->count * 8;
        lane->piece++;
        lane->pieces_left--;
        if (lane->piece->count > 0) {
            lane->cursor.in = lane->piece->bytes;
            lane->cursor.in_end = lane->piece->bytes + lane->piece->count;
            return 1;
        }
    }
    return 0;
}

/* One step of the exact path: >>inflate's, where no token is written and nothing is noted. */
static bsi_inflate_status bsi_tokens_advance_exactly(bsi_tokens_lane *lane) {
    int makes_tokens = lane->text == NULL;
    switch (lane->inflate.state) {
        case BSI_INFLATE_STATE_HEAD: return bsi_tokens_head(lane);
        case BSI_INFLATE_STATE_COUNTS: return bsi_tokens_counts(lane);
        case BSI_INFLATE_STATE_SYMBOL: return bsi_tokens_symbol(lane);
        case BSI_INFLATE_STATE_STORED:
            if (makes_tokens) {
                return bsi_tokens_stored(lane);
            }
            break;
        case BSI_INFLATE_STATE_LITERAL:
            if (makes_tokens) {
                return bsi_tokens_literal(lane);
            }
            break;
        case BSI_INFLATE_STATE_MATCH:
            if (makes_tokens) {
                return bsi_tokens_match(lane);
            }
            break;
        default: break;
    }
    return bsi_inflate_step(&lane->inflate, &lane->cursor);
}

/* A step of a lane under way, into the next piece if it needs that; or the lane ends. */
static void bsi_tokens_lane_step(bsi_tokens_lane *lane) {
    bsi_inflate_status status = bsi_tokens_advance_exactly(lane);
    if (status != BSI_INFLATE_GO_ON && (status != BSI_INFLATE_NEED_INPUT || !bsi_tokens_next_piece(lane))) {
        lane->status = BSI_TOKENS_ENDED;
    }
}

/* ---- the fast loops ---- */

/*
 * Steps are those of bsi_inflate_lane_take, with its invariants of bits: at least 57 are in sight, a step
 * takes 10 + 21 at most and the rare way 48. k steps move by less than 8 k bytes of input, and behind them
 * 8 more are read once an entry is looked up ahead. A step writes a token, and the rare way at most those
 * of a match.
 *
 * Ahead: an entry can be looked up by what the step before left of its word, while the next word is on its
 * way. That makes the chain of a lane shorter by a load, but takes a register of each.
 */
typedef struct bsi_tokens_place {
    bsi_inflate_place source;   /* its `out` is of >>texts */
    uint64_t entry;             /* the one in front, where it is looked up ahead */
    uint64_t *at;
} bsi_tokens_place;

BSI_INLINE uint64_t bsi_tokens_entry(const bsi_tokens_lane *lane, uint64_t word) {
    return lane->entries[word & (BSI_TOKENS_ENTRIES - 1)];
}

/* The piece has the byte of the bits that are held: see bsi_tokens_is_roomy. */
BSI_INLINE bsi_tokens_place bsi_tokens_place_begin(const bsi_tokens_lane *lane) {
    bsi_tokens_place place;
    place.source.bit = ((uint64_t)(uintptr_t)lane->cursor.in << 3) - lane->inflate.bit_count;
    place.source.out = NULL;
    place.entry = bsi_tokens_entry(lane, bsi_inflate_place_word(&place.source));
    place.at = lane->at;
    return place;
}

/* Bits that are held are the upper ones of the byte. */
BSI_INLINE void bsi_tokens_place_end(bsi_tokens_lane *lane, const bsi_tokens_place *place) {
    uint32_t taken = (uint32_t)place->source.bit & 7u;
    lane->cursor.in = bsi_inflate_place_in(&place->source) + (taken > 0);
    lane->at = place->at;
    lane->inflate.bit_count = (8 - taken) & 7u;
    lane->inflate.word = taken > 0 ? (uint64_t)lane->cursor.in[-1] >> taken : 0;
}

/* How many steps there is room for, `most` at most, with 8 bytes of input behind them. */
BSI_INLINE size_t bsi_tokens_room(const bsi_tokens_lane *lane, const bsi_tokens_place *place, size_t most) {
    size_t in = (size_t)(lane->cursor.in_end - bsi_inflate_place_in(&place->source));
    size_t out = (size_t)(lane->tokens_end - place->at);
    size_t in_steps = in / BSI_INFLATE_STEP_IN_BYTES;
    return BSI_MIN(BSI_MIN(in_steps - (in_steps > 0), out), most);
}

/*
 * One literal or one match by the tables of the exact path, where a step cannot do it. `word` has the
 * stream's next 48 bits or more. Advances *at, which has room of BSI_TOKENS_OF_MATCH or nothing is done,
 * and returns how many bits that took; 0, with all as it was: the exact path must go on.
 */
BSI_INLINE uint32_t bsi_tokens_one(const bsi_inflate *inflate, uint64_t word, uint64_t **at,
                                   const uint64_t *end) {
    const uint32_t *distances = inflate->distances + BSI_HUFF_MATCH;
    uint32_t first = inflate->litlen[word & ((1u << BSI_HUFF_LITLEN_BITS) - 1)], second, length;
    if (end - *at < (int)BSI_TOKENS_OF_MATCH) {
        return 0;
    }
    if (first & BSI_HUFF_SUBTABLE) {
        first = bsi_huff_follow(inflate->litlen, first, word);
    }
    if (first & BSI_HUFF_RARE) {
        return 0;
    }
    if (first & BSI_HUFF_LITERAL) {
        *(*at)++ = bsi_tokens_of_literals(first >> 16 & 255u, 1);
        return bsi_huff_all_bits(first);
    }
    length = bsi_huff_length(first, word);
    word >>= bsi_huff_all_bits(first);
    second = distances[word & (BSI_HUFF_MATCH - 1)];
    if (second & BSI_HUFF_SUBTABLE) {
        second = bsi_huff_follow(distances, second, word);
    }
    if (second & BSI_HUFF_RARE) {
        return 0;
    }
    *at = bsi_tokens_put_match(*at, length, bsi_huff_distance(second, word));
    return bsi_huff_all_bits(first) + bsi_huff_all_bits(second);
}

BSI_NOINLINE static uint32_t bsi_tokens_rare_portable(const bsi_inflate *inflate, uint64_t word,
                                                      uint64_t **at, const uint64_t *end) {
    return bsi_tokens_one(inflate, word, at, end);
}

/* A distance, which lies in the uppermost 16 bits: those of a token. The entry is not rare. */
BSI_INLINE uint64_t bsi_tokens_back_portable(uint32_t entry, uint64_t word) {
    return (uint64_t)bsi_huff_distance(entry, word) << BSI_TOKENS_DISTANCE_SHIFT;
}

#if BSI_CPU_X86_BMI2

/*
 * The same with turns in place of shifts, which leave the entry where it is. What a turn brings in above is
 * not looked at by the shift, which takes 6 bits of its number, and is shifted out behind the sum.
 */
BSI_INFLATE_TARGET
static inline uint64_t bsi_tokens_back_avx2(uint32_t entry, uint64_t word) {
    uint64_t extra = _bzhi_u64(word, entry) >> ((entry >> 8 | entry << 24) & 63u);
    return (extra + (entry >> 16 | entry << 16)) << BSI_TOKENS_DISTANCE_SHIFT;
}

BSI_INFLATE_TARGET
BSI_NOINLINE static uint32_t bsi_tokens_rare_avx2(const bsi_inflate *inflate, uint64_t word, uint64_t **at,
                                                  const uint64_t *end) {
    return bsi_tokens_one(inflate, word, at, end);
}

#endif

/*
 * One step: a token. With `asks` literals alone are guessed and go without the rest of the step. 0, with
 * all as it was, in front of entries that are rare.
 */
BSI_INLINE int bsi_tokens_take(const bsi_tokens_lane *lane, bsi_tokens_place *place, int asks, int ahead,
                               int kernel) {
    uint64_t word = bsi_inflate_place_word(&place->source);
    uint64_t entry = ahead ? place->entry : bsi_tokens_entry(lane, word);
    uint64_t token = entry >> BSI_TOKENS_TURN | entry << (64 - BSI_TOKENS_TURN);
    uint64_t back;
    uint32_t second;
    if (asks && BSI_LIKELY((entry & BSI_TOKENS_REGION_MASK) == BSI_TOKENS_REGION)) {
        *place->at++ = token + ((uint64_t)BSI_TOKENS_NO_DISTANCE << BSI_TOKENS_DISTANCE_SHIFT);
        place->entry = ahead ? bsi_tokens_entry(lane, word >> (entry & 63u)) : 0;
        bsi_inflate_place_move(&place->source, (uint32_t)entry);
        return 1;
    }
    word >>= entry & 63u;
    second = lane->distances[(word & (BSI_TOKENS_REGION - 1)) + (entry & BSI_TOKENS_REGION_MASK)];
    if (BSI_UNLIKELY(second & BSI_HUFF_RARE)) {
        return 0;
    }
    place->entry = ahead ? bsi_tokens_entry(lane, word >> (second & 63u)) : 0;
    back = BSI_INFLATE_BY(kernel, bsi_tokens_back_portable, bsi_tokens_back_avx2, (second, word));
    *place->at++ = token + back;
    bsi_inflate_place_move(&place->source, (uint32_t)entry + second);
    return 1;
}

/* A step, or what is done instead of one, which may take the room of five. 0: the exact path must go on. */
BSI_INLINE int bsi_tokens_advance(const bsi_tokens_lane *lane, bsi_tokens_place *place, size_t *steps,
                                  int asks, int ahead, int kernel) {
    uint64_t *at;
    uint32_t bits;
    if (BSI_LIKELY(bsi_tokens_take(lane, place, asks, ahead, kernel))) {
        return 1;
    }
    at = place->at;
    bits = BSI_INFLATE_BY(kernel, bsi_tokens_rare_portable, bsi_tokens_rare_avx2,
                          (&lane->inflate, bsi_inflate_place_word(&place->source), &at, lane->tokens_end));
    place->at = at;
    bsi_inflate_place_move(&place->source, bits);
    place->entry = ahead ? bsi_tokens_entry(lane, bsi_inflate_place_word(&place->source)) : 0;
    *steps = *steps > 5 ? *steps - 4 : 1;
    return bits != 0;
}

BSI_STATIC_ASSERT(BSI_TOKENS_OF_MATCH <= 5, rare_has_room_of_five_tokens);

/*
 * Steps of `count` lanes in turn, a constant; four are those of a row, so that one base serves all. Until
 * the budget is used up, and returns count then, or else the lane that the exact path must help on: the
 * first without room, or the one that stopped in front of something. The budget is that of one lane. Four
 * lanes leave no registers to look ahead, and need it least.
 */
BSI_INLINE uint32_t bsi_tokens_loop(bsi_tokens_lane *const *lanes, size_t *budget, uint32_t count, int asks,
                                    int kernel) {
    bsi_tokens_lane *lane = lanes[0];
    bsi_tokens_lane *lane_b = count == 4 ? lane + 1 : lanes[count > 1 ? 1 : 0];
    bsi_tokens_lane *lane_c = count == 4 ? lane + 2 : lanes[count > 2 ? 2 : 0];
    bsi_tokens_lane *lane_d = count == 4 ? lane + 3 : lane;
    bsi_tokens_place a = bsi_tokens_place_begin(lane), b = bsi_tokens_place_begin(lane_b);
    bsi_tokens_place c = bsi_tokens_place_begin(lane_c), d = bsi_tokens_place_begin(lane_d);
    const int ahead = count < 4;
    uint32_t stopped = count;
    while (stopped == count && *budget > 0) {
        size_t a_steps = bsi_tokens_room(lane, &a, *budget);
        size_t b_steps = count > 1 ? bsi_tokens_room(lane_b, &b, a_steps) : a_steps;
        size_t c_steps = count > 2 ? bsi_tokens_room(lane_c, &c, b_steps) : b_steps;
        size_t steps = count > 3 ? bsi_tokens_room(lane_d, &d, c_steps) : c_steps;
        *budget -= steps;
        if (steps == 0) {
            stopped = a_steps == 0 ? 0 : b_steps == 0 ? 1 : c_steps == 0 ? 2 : 3;
        }
        for (; steps > 0 && stopped == count; --steps) {
            stopped = !bsi_tokens_advance(lane, &a, &steps, asks, ahead, kernel)                  ? 0
                      : count > 1 && !bsi_tokens_advance(lane_b, &b, &steps, asks, ahead, kernel) ? 1
                      : count > 2 && !bsi_tokens_advance(lane_c, &c, &steps, asks, ahead, kernel) ? 2
                      : count > 3 && !bsi_tokens_advance(lane_d, &d, &steps, asks, ahead, kernel) ? 3
                                                                                                  : count;
        }
    }
    bsi_tokens_place_end(lane, &a);
    if (count > 1) {
        bsi_tokens_place_end(lane_b, &b);
    }
    if (count > 2) {
        bsi_tokens_place_end(lane_c, &c);
    }
    if (count > 3) {
        bsi_tokens_place_end(lane_d, &d);
    }
    return stopped;
}

/* Which loop is that of the lanes' blocks. Compiled once for each kernel. */
BSI_INLINE uint32_t bsi_tokens_fast(bsi_tokens_lane *const *lanes, uint32_t count, size_t *budget,
                                    int kernel) {
    uint32_t space = 0;
    for (uint32_t i = 0; i < count; i++) {
        space += lanes[i]->inflate.match_space;
    }
    if (space >= count * BSI_INFLATE_ASK_SPACE) {
        switch (count) {
            case 4: return bsi_tokens_loop(lanes, budget, 4, 0, kernel);
            case 3: return bsi_tokens_loop(lanes, budget, 3, 0, kernel);
            case 2: return bsi_tokens_loop(lanes, budget, 2, 0, kernel);
            default: return bsi_tokens_loop(lanes, budget, 1, 0, kernel);
        }
    }
    switch (count) {
        case 4: return bsi_tokens_loop(lanes, budget, 4, 1, kernel);
        case 3: return bsi_tokens_loop(lanes, budget, 3, 1, kernel);
        case 2: return bsi_tokens_loop(lanes, budget, 2, 1, kernel);
        default: return bsi_tokens_loop(lanes, budget, 1, 1, kernel);
    }
}

/* ---- replay ---- */

/* Replay one token; all its bytes are written even where they are not wanted. */
BSI_INLINE void bsi_tokens_copy(uint64_t token, uint8_t **out, int kernel) {
    bsi_bytes_store32(*out, bsi_tokens_literals(token));
    *out += bsi_tokens_count(token);
    bsi_inflate_copy_step(out, bsi_tokens_distance(token), bsi_tokens_length(token), kernel);
}

/*
 * Replay `at` to `end`, of which the loops inside take as many at a time as surely begin in front of the
 * limit, two in a turn and then one if that is left.
 */
BSI_INLINE const uint64_t *bsi_tokens_copy_all(const uint64_t *at, const uint64_t *end, uint8_t **out,
                                               const uint8_t *limit, int kernel) {
    uint8_t *to = *out;
    while (to < limit && at < end) {
        size_t steps = (size_t)(limit - to - 1) / (size_t)BSI_INFLATE_STEP_OUT_BYTES + 1;
        const uint64_t *stop = at + BSI_MIN(steps, (size_t)(end - at));
        for (; stop - at > 1; at += 2) {
            bsi_tokens_copy(at[0], &to, kernel);
            bsi_tokens_copy(at[1], &to, kernel);
        }
        if (at < stop) {
            bsi_tokens_copy(*at++, &to, kernel);
        }
    }
    *out = to;
    return at;
}

/* The portable kernels, the oracles of the others. */
BSI_NOINLINE static uint32_t bsi_tokens_fast_portable(bsi_tokens_lane *const *lanes, uint32_t count,
                                                      size_t *budget) {
    return bsi_tokens_fast(lanes, count, budget, BSI_INFLATE_PORTABLE);
}

BSI_NOINLINE static const uint64_t *bsi_tokens_replay_portable(const uint64_t *at, const uint64_t *end,
                                                               uint8_t **out, const uint8_t *limit) {
    return bsi_tokens_copy_all(at, end, out, limit, BSI_INFLATE_PORTABLE);
}

#if BSI_CPU_X86_BMI2

/* The kernels for BIOST_CPU_BMI2 with BIOST_CPU_AVX2. */
BSI_INFLATE_TARGET
BSI_NOINLINE static uint32_t bsi_tokens_fast_avx2(bsi_tokens_lane *const *lanes, uint32_t count,
                                                  size_t *budget) {
    return bsi_tokens_fast(lanes, count, budget, BSI_INFLATE_AVX2);
}

BSI_INFLATE_TARGET
BSI_NOINLINE static const uint64_t *bsi_tokens_replay_avx2(const uint64_t *at, const uint64_t *end,
                                                           uint8_t **out, const uint8_t *limit) {
    return bsi_tokens_copy_all(at, end, out, limit, BSI_INFLATE_AVX2);
}

#endif

/* ---- all lanes ---- */

/*
 * May a fast loop begin? A step reads the byte of the bits held once more: in a new piece it is there
 * only when one was pulled of it. Input for a step, and for the entry behind it.
 */
BSI_INLINE int bsi_tokens_is_roomy(const bsi_tokens_lane *lane) {
    const bsi_inflate *inflate = &lane->inflate;
    const bsi_inflate_cursor *cursor = &lane->cursor;
    return inflate->state == BSI_INFLATE_STATE_SYMBOL && inflate->narrow_symbols == 0 &&
           inflate->bit_count < 8 && (inflate->bit_count == 0 || cursor->in > lane->piece->bytes) &&
           cursor->in_end - cursor->in >= 2 * BSI_INFLATE_STEP_IN_BYTES &&
           (lane->text != NULL ? cursor->out_end - cursor->out >= BSI_INFLATE_STEP_ROOM_BYTES
                               : lane->at < lane->tokens_end);
}

/*
 * Decode all lanes that are under way, until one of them ends or each has taken about `budget` steps,
 * each a token or a state of the exact path. Returns how many are still under way. A step of one lane by
 * itself, where the others wait, counts for all.
 */
static int bsi_tokens_run_by(bsi_tokens_lane *lanes, size_t budget, bsi_tokens_fast_call fast) {
    bsi_tokens_lane *under_way[BSI_TOKENS_LANES];
    uint32_t count = 0, i = 0;
    for (uint32_t k = 0; k < BSI_TOKENS_LANES; k++) {
        if (lanes[k].status == BSI_TOKENS_UNDER_WAY) {
            under_way[count++] = &lanes[k];
        }
    }
    while (i < count && budget > 0) {
        if (bsi_tokens_is_roomy(under_way[i])) {
            if (++i < count) {
                continue;
            }
            i = fast(under_way, count, &budget);
            if (i == count) {
                break;
            }
        } else {
            budget--;
        }
        bsi_tokens_lane_step(under_way[i]);
        if (under_way[i]->status == BSI_TOKENS_ENDED) {
            return (int)count - 1;
        }
        i = 0;
    }
    return (int)count;
}

static int bsi_tokens_run(bsi_tokens_lanes *lanes, size_t budget) {
    return bsi_tokens_run_by(lanes->lanes, budget, lanes->kernels.fast);
}

/*
 * Replay tokens behind the text in front of *out, until *out is at `limit` or behind it, or they end;
 * advances *out and returns the first that was not replayed. 32 KiB in front of *out are readable and
 * initialised, and every distance is known to be allowed: as much text came before, or
 * bsi_tokens_reach said so. Writes at most BSI_TOKENS_BEHIND_BYTES from `limit` on.
 */
static const uint64_t *bsi_tokens_replay(const bsi_tokens_kernels *kernels, const uint64_t *at,
                                         const uint64_t *end, uint8_t **out, const uint8_t *limit) {
    return kernels->replay(at, end, out, limit);
}

/*
 * Do all matches start in the text, `history_bytes` of which came before these tokens? From 32 KiB on
 * every match does.
 */
static int bsi_tokens_reach(const uint64_t *at, const uint64_t *end, uint32_t history_bytes) {
    uint32_t text = history_bytes;
    for (; at < end && text < BSI_INFLATE_HISTORY_BYTES; at++) {
        text += bsi_tokens_count(*at);
        if (bsi_tokens_length(*at) > 0 && bsi_tokens_distance(*at) > text) {
            return 0;
        }
        text += bsi_tokens_length(*at);
    }
    return 1;
}

/* ==========================================================================
 * >>texts   decode DEFLATE blocks from a border whose history is known (RFC 1951)
 *   uses: config bytes huff inflate guess tokens  allocates: no   threads: no   I/O: no
 * ========================================================================== */

/*
 * Where the text before a segment is known, lanes need no tokens: they write text. Segments, borders,
 * lanes and their tables are those of >>tokens; a step makes a token and copies it at once.
 */
#define BSI_TEXTS_LANES BSI_TOKENS_LANES

typedef bsi_tokens_lane bsi_texts_lane;

typedef struct bsi_texts_lanes {
    bsi_tokens_fast_call fast;  /* the kernel */
    bsi_texts_lane lanes[BSI_TEXTS_LANES];
} bsi_texts_lanes;

/*
 * Where a lane's text goes: text[0..capacity), all of which may be overwritten. `history_bytes` <= 32768
 * of what comes before it lie in front. The 256 bytes in front of these are readable: a step that has no
 * match copies from there.
 */
typedef struct bsi_texts_page {
    uint8_t *text;
    size_t capacity;
    uint32_t history_bytes;
} bsi_texts_page;

/*
 * Start a segment, as bsi_tokens_lane_begin does, but for its text. A match that starts before the history
 * is a fault, and ends the lane at its last border; so does text without room. The result has text_bytes
 * in place of token_count.
 */
static void bsi_texts_lane_begin(bsi_texts_lane *lane, const bsi_guess_piece *pieces, uint32_t piece_count,
                                 uint64_t start, uint64_t stop, const bsi_texts_page *page) {
    bsi_tokens_segment_begin(lane, pieces, piece_count, start, stop);
    lane->text = lane->cursor.out = page->text;
    lane->cursor.out_end = page->text + page->capacity;
    lane->cursor.oldest = page->text - page->history_bytes;
}

/* ---- the fast loops ---- */

/* Steps are those of >>tokens, with its invariants of input, and of bsi_inflate_lane_take of output. */
BSI_INLINE bsi_tokens_place bsi_texts_place_begin(const bsi_texts_lane *lane) {
    bsi_tokens_place place = bsi_tokens_place_begin(lane);
    place.source.out = lane->cursor.out;
    return place;
}

BSI_INLINE void bsi_texts_place_end(bsi_texts_lane *lane, const bsi_tokens_place *place) {
    bsi_tokens_place_end(lane, place);
    lane->cursor.out = place->source.out;
}

/* How many steps there is room for, `most` at most, with 8 bytes of input behind them. */
BSI_INLINE size_t bsi_texts_room(const bsi_texts_lane *lane, const bsi_tokens_place *place, size_t most) {
    size_t steps = bsi_inflate_room(&lane->cursor, &place->source);
    return BSI_MIN(steps - (steps > 0), most);
}

/* What a step takes from an entry of >>tokens. */
BSI_INLINE uint32_t bsi_texts_literals(uint64_t entry) {
    return (uint32_t)(entry >> BSI_TOKENS_TURN);
}

BSI_INLINE uint32_t bsi_texts_count(uint64_t entry) {
    return (uint32_t)(entry >> (BSI_TOKENS_COUNT_SHIFT + BSI_TOKENS_TURN));
}

BSI_INLINE uint32_t bsi_texts_length(uint64_t entry) {
    return (uint32_t)(entry >> (BSI_TOKENS_LENGTH_SHIFT + BSI_TOKENS_TURN)) & BSI_TOKENS_LENGTH_MASK;
}

/*
 * How a loop goes. ASKS: literals alone are guessed and go without the rest of the step. CHECKS: a
 * distance may reach before the history. It cannot once 32 KiB of text are there.
 */
enum { BSI_TEXTS_ASKS = 1, BSI_TEXTS_CHECKS = 2 };

/*
 * One step: literals, and a match. 0, with all as it was, in front of entries that are rare, or of a match
 * that starts before the history.
 */
BSI_INLINE int bsi_texts_take(const bsi_texts_lane *lane, bsi_tokens_place *place, int how, int kernel) {
    uint64_t word = bsi_inflate_place_word(&place->source);
    uint64_t entry = place->entry;
    uint32_t second, distance, length = bsi_texts_length(entry);
    uint8_t *out = place->source.out;
    bsi_bytes_store32(out, bsi_texts_literals(entry));
    word >>= entry & 63u;
    if ((how & BSI_TEXTS_ASKS) && BSI_LIKELY((entry & BSI_TOKENS_REGION_MASK) == BSI_TOKENS_REGION)) {
        place->entry = bsi_tokens_entry(lane, word);
        place->source.out = out + bsi_texts_count(entry);
        bsi_inflate_place_move(&place->source, (uint32_t)entry);
        return 1;
    }
    second = lane->distances[(word & (BSI_TOKENS_REGION - 1)) + (entry & BSI_TOKENS_REGION_MASK)];
    if (BSI_UNLIKELY(second & BSI_HUFF_RARE)) {
        return 0;
    }
    distance = BSI_INFLATE_BY(kernel, bsi_huff_distance, bsi_inflate_distance_avx2, (second, word));
    out += bsi_texts_count(entry);
    if ((how & BSI_TEXTS_CHECKS) && BSI_UNLIKELY(distance > (size_t)(out - lane->cursor.oldest)) &&
        length > 0) {
        return 0;
    }
    place->entry = bsi_tokens_entry(lane, word >> (second & 63u));
    bsi_inflate_copy_step(&out, distance, length, kernel);
    place->source.out = out;
    bsi_inflate_place_move(&place->source, (uint32_t)entry + second);
    return 1;
}

/* A step, or what is done instead of one, which may take the room of five. 0: the exact path must go on. */
BSI_INLINE int bsi_texts_advance(const bsi_texts_lane *lane, bsi_tokens_place *place, size_t *steps, int how,
                                 int kernel) {
    uint8_t *out;
    uint32_t bits;
    if (BSI_LIKELY(bsi_texts_take(lane, place, how, kernel))) {
        return 1;
    }
    out = place->source.out;
    bits = BSI_INFLATE_BY(kernel, bsi_inflate_rare_portable, bsi_inflate_rare_avx2,
                          (&lane->inflate, bsi_inflate_place_word(&place->source), &out, &lane->cursor));
    place->source.out = out;
    bsi_inflate_place_move(&place->source, bits);
    place->entry = bsi_tokens_entry(lane, bsi_inflate_place_word(&place->source));
    *steps = *steps > 5 ? *steps - 4 : 1;
    return bits != 0;
}

/* bsi_tokens_loop for text; with an entry ahead also four lanes are faster here. */
BSI_INLINE uint32_t bsi_texts_loop(bsi_texts_lane *const *lanes, size_t *budget, uint32_t count, int how,
                                   int kernel) {
    bsi_texts_lane *lane = lanes[0];
    bsi_texts_lane *lane_b = count == 4 ? lane + 1 : lanes[count > 1 ? 1 : 0];
    bsi_texts_lane *lane_c = count == 4 ? lane + 2 : lanes[count > 2 ? 2 : 0];
    bsi_texts_lane *lane_d = count == 4 ? lane + 3 : lane;
    bsi_tokens_place a = bsi_texts_place_begin(lane), b = bsi_texts_place_begin(lane_b);
    bsi_tokens_place c = bsi_texts_place_begin(lane_c), d = bsi_texts_place_begin(lane_d);
    uint32_t stopped = count;
    while (stopped == count && *budget > 0) {
        size_t a_steps = bsi_texts_room(lane, &a, *budget);
        size_t b_steps = count > 1 ? bsi_texts_room(lane_b, &b, a_steps) : a_steps;
        size_t c_steps = count > 2 ? bsi_texts_room(lane_c, &c, b_steps) : b_steps;
        size_t steps = count > 3 ? bsi_texts_room(lane_d, &d, c_steps) : c_steps;
        *budget -= steps;
        if (steps == 0) {
            stopped = a_steps == 0 ? 0 : b_steps == 0 ? 1 : c_steps == 0 ? 2 : 3;
        }
        for (; steps > 0 && stopped == count; --steps) {
            stopped = !bsi_texts_advance(lane, &a, &steps, how, kernel)                  ? 0
                      : count > 1 && !bsi_texts_advance(lane_b, &b, &steps, how, kernel) ? 1
                      : count > 2 && !bsi_texts_advance(lane_c, &c, &steps, how, kernel) ? 2
                      : count > 3 && !bsi_texts_advance(lane_d, &d, &steps, how, kernel) ? 3
                                                                                         : count;
        }
    }
    bsi_texts_place_end(lane, &a);
    if (count > 1) {
        bsi_texts_place_end(lane_b, &b);
    }
    if (count > 2) {
        bsi_texts_place_end(lane_c, &c);
    }
    if (count > 3) {
        bsi_texts_place_end(lane_d, &d);
    }
    return stopped;
}

BSI_INLINE uint32_t bsi_texts_loop_of(bsi_texts_lane *const *lanes, uint32_t count, size_t *budget, int how,
                                      int kernel) {
    switch (count) {
        case 4: return bsi_texts_loop(lanes, budget, 4, how, kernel);
        case 3: return bsi_texts_loop(lanes, budget, 3, how, kernel);
        case 2: return bsi_texts_loop(lanes, budget, 2, how, kernel);
        default: return bsi_texts_loop(lanes, budget, 1, how, kernel);
    }
}

/* Which loop is that of the lanes' blocks. Compiled once for each kernel. */
BSI_INLINE uint32_t bsi_texts_fast(bsi_texts_lane *const *lanes, uint32_t count, size_t *budget, int kernel) {
    uint32_t space = 0;
    int checks = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bsi_inflate_cursor *cursor = &lanes[i]->cursor;
        space += lanes[i]->inflate.match_space;
        checks |= (size_t)(cursor->out - cursor->oldest) < BSI_INFLATE_HISTORY_BYTES;
    }
    if (space < count * BSI_INFLATE_ASK_SPACE) {
        return bsi_texts_loop_of(lanes, count, budget, BSI_TEXTS_ASKS | BSI_TEXTS_CHECKS, kernel);
    }
    return checks ? bsi_texts_loop_of(lanes, count, budget, BSI_TEXTS_CHECKS, kernel)
                  : bsi_texts_loop_of(lanes, count, budget, 0, kernel);
}

/* The portable kernel, the oracle of the other. */
BSI_NOINLINE static uint32_t bsi_texts_fast_portable(bsi_texts_lane *const *lanes, uint32_t count,
                                                     size_t *budget) {
    return bsi_texts_fast(lanes, count, budget, BSI_INFLATE_PORTABLE);
}

#if BSI_CPU_X86_BMI2

/* The kernel for BIOST_CPU_BMI2 with BIOST_CPU_AVX2. */
BSI_INFLATE_TARGET
BSI_NOINLINE static uint32_t bsi_texts_fast_avx2(bsi_texts_lane *const *lanes, uint32_t count,
                                                 size_t *budget) {
    return bsi_texts_fast(lanes, count, budget, BSI_INFLATE_AVX2);
}

#endif

/* As bsi_tokens_run. */
static int bsi_texts_run(bsi_texts_lanes *lanes, size_t budget) {
    return bsi_tokens_run_by(lanes->lanes, budget, lanes->fast);
}

/* ==========================================================================
 * >>history   the 32 KiB before a point of a stream, as far as they are needed
 *   uses: config bytes cpu hash inflate tokens  allocates: no   threads: no   I/O: no
 * ========================================================================== */

/*
 * Who goes on at a border in the middle of a stream needs the text before it, its history, but of that
 * only the bytes that matches behind the border copy: in FASTQ about one in five. Those are marked, and
 * packed:
 *
 *   bytes    what                                               numbers are little-endian
 *   4        check: the low half of XXH64, seed 0, of all that follows
 *   2        H, bytes of history
 *   2        R, number of runs
 *   2        K, number of bytes kept
 *   2        E, number of escapes; 65535: the bytes are plain
 *   R x 2    runs, the oldest first: bytes left out in front of it, bytes kept; both 0..255
 *   then plain:  K   the bytes kept
 *   or coded:    15  the bytes of codes 0..14
 *                (K + 1) / 2  codes, two a byte, the first in the low half; 15 is an escape
 *                E   the bytes that codes 15 stand for
 *
 * What is left out behind the last run has no run. A wider gap or a longer run is several. Gaps of
 * BSI_HISTORY_JOIN bytes and fewer are kept: coded they take less than the run that they save. The check
 * finds accidents; bytes that were made to pass it are harmless, but say what they say.
 */

#define BSI_HISTORY_BYTES BSI_INFLATE_HISTORY_BYTES
#define BSI_HISTORY_HEAD_BYTES 12u      /* in front of the runs */
#define BSI_HISTORY_CODES 15u           /* bytes that have a code */
#define BSI_HISTORY_ESCAPE 15u
#define BSI_HISTORY_PLAIN 65535u        /* in place of the number of escapes */
#define BSI_HISTORY_RUN_MOST 255u
#define BSI_HISTORY_JOIN 3u
#define BSI_HISTORY_CHUNK 512u          /* kept bytes that are coded at a time: a multiple of 8 */
#define BSI_HISTORY_WIDE 48u            /* bytes of a copy that may be too long */

/*
 * Most bytes of a packed history. A run and the gap in front of it, which is wider than two bytes except
 * for the first, come to no more bytes than they span, but for 2 every 255 that are kept; the first may
 * need 2 more. Coded is never longer than plain.
 */
#define BSI_HISTORY_PACKED_MOST                                                                    \
    (BSI_HISTORY_HEAD_BYTES + BSI_HISTORY_BYTES + 2 * (BSI_HISTORY_BYTES / BSI_HISTORY_RUN_MOST + 2))

BSI_STATIC_ASSERT(BSI_HISTORY_JOIN >= 2, a_run_is_no_longer_than_its_gap);
BSI_STATIC_ASSERT(BSI_HISTORY_BYTES < BSI_HISTORY_PLAIN, all_numbers_of_a_history_have_16_bits);

/*
 * A bit for each byte, the oldest first: bit i, which is bit i % 8 of byte i / 8, is the byte at
 * end - 32768 + i. Bits from 32768 on are those of the text behind the point; they are set with the
 * others, so that no token needs a branch, and never asked. There a token begins in front of bit 65536,
 * has 4 literals at most, and what it sets is written with 8 bytes, or twice 8 with 4 between.
 */
typedef struct bsi_history_marks {
    uint8_t bits[2 * BSI_HISTORY_BYTES / 8 + 16];
} bsi_history_marks;

static void bsi_history_mark_all(bsi_history_marks *marks) {
    memset(marks->bits, 0xFF, BSI_HISTORY_BYTES / 8);
}

/* Set `count` <= 56 bits. A sum, as compilers then make one load of eight bytes, not of parts. */
BSI_INLINE void bsi_history_set(bsi_history_marks *marks, uint32_t from, uint32_t count) {
    uint8_t *at = marks->bits + from / 8;
    uint64_t bits = bsi_bytes_load64(at), mask = (((uint64_t)1 << count) - 1) << from % 8;
    bsi_bytes_store64(at, bits + (mask & ~bits));
}

/*
 * Mark the bytes before a point that the tokens `at` to `end`, the first of them right behind it, copy;
 * no others are marked then. 1: that is all that any text behind the point can copy; 0: the tokens are
 * fewer than 32 KiB of text, and what follows them may copy more. Tokens without a match set no bit,
 * each in another place of the upper half: in the same they would wait for one another.
 */
static int bsi_history_mark(bsi_history_marks *marks, const uint64_t *at, const uint64_t *end) {
    uint32_t text = BSI_HISTORY_BYTES, nowhere = 0;
    memset(marks->bits, 0, sizeof marks->bits);
    for (; at < end && text < 2 * BSI_HISTORY_BYTES; at++) {
        uint64_t token = *at;
        uint32_t length = bsi_tokens_length(token), none = 0 - (uint32_t)(length == 0), from;
        text += bsi_tokens_count(token);
        nowhere = (nowhere + 64) % BSI_HISTORY_BYTES;
        from = ((text - bsi_tokens_distance(token)) & ~none) | ((BSI_HISTORY_BYTES + nowhere) & none);
        text += length;
        if (BSI_UNLIKELY(length > 56)) {
            bsi_history_set(marks, from, 32);
            from += 32;
            length -= 32;
        }
        bsi_history_set(marks, from, length);
    }
    return text >= 2 * BSI_HISTORY_BYTES;
}

BSI_STATIC_ASSERT(BSI_TOKENS_COPY <= 32 + 56, a_match_is_set_in_two);

/* ---- packing ---- */

/* A history being packed. Its bytes are counted from 0, the oldest. */
typedef struct bsi_history_packer {
    const uint8_t *text;        /* [bytes] */
    uint32_t bytes;
    uint32_t last_end;          /* of the run before */
    uint32_t kept;
    uint8_t *at;                /* behind the runs */
    uint16_t counts[256];       /* of some of the bytes kept, which tell what is frequent */
} bsi_history_packer;

/* Put a run that is not empty, and count 4 of its bytes, in the middle of its quarters. */
BSI_INLINE void bsi_history_put_run(bsi_history_packer *packer, const uint8_t *text, uint32_t gap,
                                    uint32_t count) {
    packer->counts[text[count / 8]]++;
    packer->counts[text[count * 3 / 8]]++;
    packer->counts[text[count * 5 / 8]]++;
    packer->counts[text[count * 7 / 8]]++;
    bsi_bytes_store16(packer->at, gap | count << 8);
    packer->at += 2;
}

/* Put the bytes from..end, which are not none, as runs. */
BSI_INLINE void bsi_history_put(bsi_history_packer *packer, uint32_t from, uint32_t end) {
    const uint8_t *text = packer->text + from;
    uint32_t gap = from - packer->last_end, count = end - from;
    packer->kept += count;
    packer->last_end = end;
    for (; gap > BSI_HISTORY_RUN_MOST; gap -= BSI_HISTORY_RUN_MOST) {
        bsi_bytes_store16(packer->at, BSI_HISTORY_RUN_MOST);
        packer->at += 2;
    }
    for (; count > BSI_HISTORY_RUN_MOST; count -= BSI_HISTORY_RUN_MOST, text += BSI_HISTORY_RUN_MOST) {
        bsi_history_put_run(packer, text, gap, BSI_HISTORY_RUN_MOST);
        gap = 0;
    }
    bsi_history_put_run(packer, text, gap, count);
}

/* Put all runs of the marks. */
static void bsi_history_put_runs(bsi_history_packer *packer, const bsi_history_marks *marks) {
    uint32_t skip = BSI_HISTORY_BYTES - packer->bytes, from = 0, end = 0;
    uint64_t inside = 0, readable = UINT64_MAX << (skip & 63u);
    for (uint32_t i = skip / 64; i < BSI_HISTORY_BYTES / 64; i++) {
        uint64_t word = bsi_bytes_load64(marks->bits + 8 * i) & readable;
        uint64_t flips = word ^ (word << 1 | inside);
        readable = UINT64_MAX;
        for (; flips != 0; flips &= flips - 1) {
            uint32_t at = i * 64 + bsi_cpu_lowest_one(flips) - skip;
            inside ^= 1;
            if (!inside) {
                end = at;
            } else if (end == 0) {
                from = at;
            } else if (at - end > BSI_HISTORY_JOIN) {
                bsi_history_put(packer, from, end);
                from = at;
            }
        }
    }
    end = inside ? packer->bytes : end;
    if (end > 0) {
        bsi_history_put(packer, from, end);
    }
}

/* The 15 bytes most often counted, or fewer and then any, and the code of each byte. */
static void bsi_history_choose(const bsi_history_packer *packer, uint8_t *symbols, uint8_t *codes) {
    uint32_t found[256], count = 0;
    memset(codes, BSI_HISTORY_ESCAPE, 256);
    for (uint32_t byte = 0; byte < 256; byte++) {
        found[count] = (uint32_t)packer->counts[byte] << 8 | byte;
        count += packer->counts[byte] > 0;
    }
    for (uint32_t code = 0; code < BSI_HISTORY_CODES; code++) {
        uint32_t best = 0;
        symbols[code] = 0;
        if (code < count) {
            for (uint32_t i = 1; i < count - code; i++) {
                best = found[i] > found[best] ? i : best;
            }
            symbols[code] = (uint8_t)found[best];
            codes[symbols[code]] = (uint8_t)code;
            found[best] = found[count - code - 1];
        }
    }
}

/* Copy `count` bytes, 0..255; both sides may have BSI_HISTORY_WIDE bytes more if it is roomy. */
BSI_INLINE void bsi_history_copy(uint8_t *to, const uint8_t *from, uint32_t count, int is_roomy) {
    if (BSI_LIKELY(is_roomy && count <= BSI_HISTORY_WIDE)) {
        memcpy(to, from, BSI_HISTORY_WIDE);
    } else {
        memcpy(to, from, count);
    }
}

/* The codes of 8 bytes, the first in the lowest bits. */
BSI_INLINE uint32_t bsi_history_encode_8(const uint8_t *bytes, const uint8_t *codes) {
    uint32_t low = (uint32_t)codes[bytes[0]] | (uint32_t)codes[bytes[1]] << 4 |
                   (uint32_t)codes[bytes[2]] << 8 | (uint32_t)codes[bytes[3]] << 12;
    uint32_t high = (uint32_t)codes[bytes[4]] | (uint32_t)codes[bytes[5]] << 4 |
                    (uint32_t)codes[bytes[6]] << 8 | (uint32_t)codes[bytes[7]] << 12;
    return low | high << 16;
}

/* Bit 4 i: code i of 8 is an escape. */
BSI_INLINE uint32_t bsi_history_escapes(uint32_t codes) {
    codes &= codes >> 1;
    return codes & codes >> 2 & 0x11111111u;
}

/* Where coded bytes go. */
typedef struct bsi_history_coder {
    uint8_t *at;                /* the next codes */
    uint8_t *escape, *escapes_end;
    uint8_t codes[256];         /* of each byte */
} bsi_history_coder;

/*
 * Code `count` bytes, a multiple of 8 but for the last ones, behind which are 7 more. 0: there are too
 * many escapes. Most have none or one, for which there is no branch; 8 are written behind escapes_end at
 * most.
 */
static int bsi_history_encode(bsi_history_coder *coder, const uint8_t *bytes, uint32_t count) {
    uint8_t *escape = coder->escape;
    for (uint32_t i = 0; i < count; i += 8, coder->at += 4) {
        uint32_t codes = bsi_history_encode_8(bytes + i, coder->codes), escapes;
        if (BSI_UNLIKELY(count - i < 8)) {
            codes &= ((uint32_t)1 << 4 * (count - i)) - 1;
        }
        escapes = bsi_history_escapes(codes);
        *escape = bytes[i + bsi_cpu_lowest_one(escapes | (uint64_t)1 << 28) / 4];
        escape += escapes != 0;
        for (escapes &= escapes - 1; BSI_UNLIKELY(escapes != 0); escapes &= escapes - 1) {
            *escape++ = bytes[i + bsi_cpu_lowest_one(escapes) / 4];
        }
        if (BSI_UNLIKELY(escape > coder->escapes_end)) {
            return 0;
        }
        if (BSI_LIKELY(count - i >= 8)) {
            bsi_bytes_store32(coder->at, codes);
        } else {
            for (uint32_t k = 0; 2 * k < count - i; k++, codes >>= 8) {
                coder->at[k] = (uint8_t)codes;
            }
        }
    }
    coder->escape = escape;
    return 1;
}

/* Code all that the runs keep, behind them. Returns the number of escapes, or that it is better plain. */
static uint32_t bsi_history_put_coded(bsi_history_packer *packer, const uint8_t *run) {
    const uint8_t *runs_end = packer->at, *text = packer->text, *text_end = text + packer->bytes;
    uint8_t bytes[BSI_HISTORY_CHUNK + BSI_HISTORY_RUN_MOST + BSI_HISTORY_WIDE];
    bsi_history_coder coder;
    uint32_t used = BSI_HISTORY_CODES + (packer->kept + 1) / 2, count = 0;
    uint8_t *escapes = packer->at + used;
    if (used + 8 >= packer->kept) {
        return BSI_HISTORY_PLAIN;
    }
    bsi_history_choose(packer, packer->at, coder.codes);
    coder.at = packer->at + BSI_HISTORY_CODES;
    coder.escape = escapes;
    coder.escapes_end = escapes + (packer->kept - used - 8);
    for (; run < runs_end; run += 2) {
        text += run[0];
        bsi_history_copy(bytes + count, text, run[1], text_end - text >= (int)BSI_HISTORY_WIDE);
        text += run[1];
        count += run[1];
        if (count >= BSI_HISTORY_CHUNK) {
            if (!bsi_history_encode(&coder, bytes, BSI_HISTORY_CHUNK)) {
                return BSI_HISTORY_PLAIN;
            }
            count -= BSI_HISTORY_CHUNK;
            memcpy(bytes, bytes + BSI_HISTORY_CHUNK, BSI_HISTORY_RUN_MOST);
        }
    }
    memset(bytes + count, 0, 8);
    if (!bsi_history_encode(&coder, bytes, count)) {
        return BSI_HISTORY_PLAIN;
    }
    packer->at = coder.escape;
    return (uint32_t)(coder.escape - escapes);
}

/* Put all that the runs keep, as it is. */
static void bsi_history_put_plain(bsi_history_packer *packer, const uint8_t *run) {
    const uint8_t *runs_end = packer->at, *text = packer->text;
    for (; run < runs_end; run += 2) {
        text += run[0];
        memcpy(packer->at, text, run[1]);
        packer->at += run[1];
        text += run[1];
    }
}

/* The check of a packed history: 4 bytes or more. */
static uint32_t bsi_history_check(const uint8_t *packed, uint32_t packed_bytes) {
    bsi_hash hash;
    bsi_hash_begin(&hash, 0);
    bsi_hash_update(&hash, packed + 4, packed_bytes - 4);
    return (uint32_t)bsi_hash_end(&hash);
}

/*
 * Pack those of the `history_bytes` <= 32768 bytes in front of `end` that are marked, and the small gaps
 * between them, to `to`, which has room for BSI_HISTORY_PACKED_MOST bytes, of which all may be written.
 * Marks of bytes before them are passed over. Returns how many bytes that takes.
 */
static uint32_t bsi_history_pack(const bsi_history_marks *marks, const uint8_t *end, uint32_t history_bytes,
                                 uint8_t *to) {
    bsi_history_packer packer;
    uint8_t *runs = to + BSI_HISTORY_HEAD_BYTES;
    uint32_t run_bytes, escapes, packed_bytes;
    packer.text = end - history_bytes;
    packer.bytes = history_bytes;
    packer.last_end = packer.kept = 0;
    packer.at = runs;
    memset(packer.counts, 0, sizeof packer.counts);
    bsi_history_put_runs(&packer, marks);
    run_bytes = (uint32_t)(packer.at - runs);
    escapes = bsi_history_put_coded(&packer, runs);
    if (escapes == BSI_HISTORY_PLAIN) {
        bsi_history_put_plain(&packer, runs);
    }
    packed_bytes = (uint32_t)(packer.at - to);
    bsi_bytes_store16(to + 4, history_bytes);
    bsi_bytes_store16(to + 6, run_bytes / 2);
    bsi_bytes_store16(to + 8, packer.kept);
    bsi_bytes_store16(to + 10, escapes);
    bsi_bytes_store32(to, bsi_history_check(to, packed_bytes));
    return packed_bytes;
}

/* ---- unpacking ---- */

/* A packed history being read: the runs one after the other, and what they keep in chunks. */
typedef struct bsi_history_reader {
    const uint8_t *run, *runs_end;
    uint32_t is_plain;
    const uint8_t *codes;       /* or the plain bytes */
    const uint8_t *escape, *escapes_end;
    uint32_t left;              /* bytes kept that are not in `bytes` */
    uint32_t at, count;         /* bytes[at..count) come next */
    uint16_t pairs[256];        /* what two codes stand for */
    uint8_t bytes[BSI_HISTORY_CHUNK + BSI_HISTORY_RUN_MOST + BSI_HISTORY_WIDE];
} bsi_history_reader;

/* The bytes of each two codes. An escape's is put in later. */
static void bsi_history_pairs(uint16_t *pairs, const uint8_t *symbols) {
    for (uint32_t high = 0; high < 16; high++) {
        uint32_t second = high < BSI_HISTORY_CODES ? (uint32_t)symbols[high] << 8 : 0;
        for (uint32_t low = 0; low < BSI_HISTORY_CODES; low++) {
            pairs[high << 4 | low] = (uint16_t)(second | symbols[low]);
        }
        pairs[high << 4 | BSI_HISTORY_ESCAPE] = (uint16_t)second;
    }
}

/*
 * Do the runs keep `kept` bytes of a history of history_bytes? They may leave some bytes over behind
 * the last. 65535 runs of 510 bytes have a sum of 32 bits.
 */
static int bsi_history_runs_fit(const uint8_t *run, const uint8_t *end, uint32_t kept,
                                uint32_t history_bytes) {
    uint32_t gaps = 0, bytes = 0;
    for (; run < end; run += 2) {
        gaps += run[0];
        bytes += run[1];
    }
    return bytes == kept && gaps + bytes <= history_bytes;
}

/* Begin to read; 0: it is damaged or of another number of history_bytes. */
static int bsi_history_read(bsi_history_reader *reader, const uint8_t *packed, uint32_t packed_bytes,
                            uint32_t history_bytes) {
    uint32_t run_bytes, kept, escapes, rest;
    if (packed_bytes < BSI_HISTORY_HEAD_BYTES || packed_bytes > BSI_HISTORY_PACKED_MOST ||
        bsi_bytes_load32(packed) != bsi_history_check(packed, packed_bytes) ||
        bsi_bytes_load16(packed + 4) != history_bytes) {
        return 0;
    }
    run_bytes = bsi_bytes_load16(packed + 6) * 2;
    kept = bsi_bytes_load16(packed + 8);
    escapes = bsi_bytes_load16(packed + 10);
    reader->is_plain = escapes == BSI_HISTORY_PLAIN;
    rest = reader->is_plain ? kept : BSI_HISTORY_CODES + (kept + 1) / 2 + escapes;
    if (packed_bytes != BSI_HISTORY_HEAD_BYTES + run_bytes + rest) {
        return 0;
    }
    reader->run = packed + BSI_HISTORY_HEAD_BYTES;
    reader->runs_end = reader->codes = reader->run + run_bytes;
    reader->escape = reader->escapes_end = packed + packed_bytes;
    reader->left = kept;
    reader->at = reader->count = 0;
    if (!reader->is_plain) {
        bsi_history_pairs(reader->pairs, reader->codes);
        reader->codes += BSI_HISTORY_CODES;
        reader->escape -= escapes;
    }
    return bsi_history_runs_fit(reader->run, reader->runs_end, kept, history_bytes);
}

/*
 * Decode 8 codes to `to`, where a ninth byte may be written; 0: they have more escapes than there are.
 * Most have none or one, for which there is no branch.
 */
BSI_INLINE int bsi_history_decode_8(bsi_history_reader *reader, uint32_t codes, uint8_t *to) {
    const uint16_t *pairs = reader->pairs;
    uint32_t escapes = bsi_history_escapes(codes);
    bsi_bytes_store64(to, (uint64_t)pairs[codes & 255u] | (uint64_t)pairs[codes >> 8 & 255u] << 16 |
                              (uint64_t)pairs[codes >> 16 & 255u] << 32 |
                              (uint64_t)pairs[codes >> 24] << 48);
    if (BSI_LIKELY(reader->escape < reader->escapes_end)) {
        to[bsi_cpu_lowest_one(escapes | (uint64_t)1 << 32) / 4] = *reader->escape;
        reader->escape += escapes != 0;
        escapes &= escapes - 1;
    }
    for (; BSI_UNLIKELY(escapes != 0); escapes &= escapes - 1) {
        if (reader->escape == reader->escapes_end) {
            return 0;
        }
        to[bsi_cpu_lowest_one(escapes) / 4] = *reader->escape++;
    }
    return 1;
}

/* Decode `count` bytes to `to`, where there is room for 8 more. */
static int bsi_history_decode(bsi_history_reader *reader, uint8_t *to, uint32_t count) {
    for (; count >= 8; count -= 8, to += 8, reader->codes += 4) {
        if (!bsi_history_decode_8(reader, bsi_bytes_load32(reader->codes), to)) {
            return 0;
        }
    }
    if (count > 0) {
        uint32_t codes = 0;
        for (uint32_t i = 0; i < count; i += 2) {
            codes |= (uint32_t)*reader->codes++ << 4 * i;
        }
        return bsi_history_decode_8(reader, codes & (((uint32_t)1 << 4 * count) - 1), to);
    }
    return 1;
}

/* Have the next chunk behind what there is, less than a run. 0: the history is damaged. */
static int bsi_history_fill(bsi_history_reader *reader) {
    uint32_t there = reader->count - reader->at, more = BSI_MIN(reader->left, BSI_HISTORY_CHUNK);
    uint8_t *to = reader->bytes + there;
    memmove(reader->bytes, reader->bytes + reader->at, there);
    reader->at = 0;
    reader->count = there + more;
    reader->left -= more;
    if (reader->is_plain) {
        memcpy(to, reader->codes, more);
        reader->codes += more;
        return 1;
    }
    return bsi_history_decode(reader, to, more);
}

/* The next bytes of the run in front; there are enough, as bsi_history_runs_fit said. NULL: damaged. */
BSI_INLINE const uint8_t *bsi_history_take(bsi_history_reader *reader) {
    uint32_t count = reader->run[1];
    const uint8_t *bytes;
    if (BSI_UNLIKELY(reader->count - reader->at < count) && !bsi_history_fill(reader)) {
        return NULL;
    }
    bytes = reader->bytes + reader->at;
    reader->at += count;
    return bytes;
}

/*
 * Write the history that was packed in front of `end`, all `history_bytes` of it; bytes that were not
 * kept are 0. 0: it is damaged, or of another number of bytes. Any bytes may be unpacked, and nothing
 * outside [end - history_bytes, end) is written.
 */
static int bsi_history_unpack(const uint8_t *packed, uint32_t packed_bytes, uint8_t *end,
                              uint32_t history_bytes) {
    uint8_t *to = end - history_bytes;
    bsi_history_reader reader;
    if (!bsi_history_read(&reader, packed, packed_bytes, history_bytes)) {
        return 0;
    }
    memset(to, 0, history_bytes);
    for (; reader.run < reader.runs_end; reader.run += 2) {
        uint32_t count = reader.run[1];
        const uint8_t *from = bsi_history_take(&reader);
        if (from == NULL) {
            return 0;
        }
        to += reader.run[0];
        if (BSI_LIKELY(count <= BSI_HISTORY_WIDE && end - to >= 2 * (int)BSI_HISTORY_WIDE)) {
            memcpy(to, from, BSI_HISTORY_WIDE);
            memset(to + count, 0, BSI_HISTORY_WIDE);
        } else {
            memcpy(to, from, count);
        }
        to += count;
    }
    return reader.escape == reader.escapes_end;
}

/*
 * Has the text in front of `end` exactly the bytes that were kept, and was as much of it packed? 0 also
 * if the history is damaged.
 */
static int bsi_history_matches(const uint8_t *packed, uint32_t packed_bytes, const uint8_t *end,
                               uint32_t history_bytes) {
    const uint8_t *text = end - history_bytes;
    bsi_history_reader reader;
    if (!bsi_history_read(&reader, packed, packed_bytes, history_bytes)) {
        return 0;
    }
    for (; reader.run < reader.runs_end; reader.run += 2) {
        uint32_t count = reader.run[1];
        const uint8_t *bytes = bsi_history_take(&reader);
        text += reader.run[0];
        if (bytes == NULL || memcmp(bytes, text, count) != 0) {
            return 0;
        }
        text += count;
    }
    return reader.escape == reader.escapes_end;
}

/* ==========================================================================
 * >>frame   gzip members one after another, format sniffing (RFC 1952)
 *   uses: config bytes crc inflate allocates: no   threads: no   I/O: no
 * ========================================================================== */

/*
 * A gzip file is a row of members, any number of them, each with text of its own:
 *
 *   +--+--+--+---+-----------+---+--+===================+=======+=====+========+-----+-----+
 *   |1f|8b|CM|FLG|   MTIME   |XFL|OS| extra name comment| (CRC16)| DEFLATE ... |CRC32|ISIZE|
 *   +--+--+--+---+-----------+---+--+===================+=======+=====+========+-----+-----+
 *    0  1  2  3   4           8   9   those FLG announces                        little-endian
 *
 *   FLG  bit 0 FTEXT (a hint, ignored), 1 FHCRC, 2 FEXTRA, 3 FNAME, 4 FCOMMENT; 5..7 must be 0
 *   extra   16-bit size, then that many bytes: subfields of two letters, a 16-bit size and data. A
 *           BGZF block is a member with a subfield "BC" of two bytes, BSIZE, the size of the whole
 *           member less one (SAM specification, 4.1)
 *   name, comment   bytes up to and with a 0
 *   CRC16   the low half of the CRC-32 of the header bytes before it
 *   ISIZE   length of the text modulo 2^32
 *
 *   state      waits for                                     then
 *   MAGIC      1f; or the end of the source                  MAGIC_2 | PADDING (00) | END
 *   MAGIC_2    8b                                            FIXED
 *   FIXED      8 bytes: CM FLG MTIME XFL OS                  EXTRA_SIZE
 *   EXTRA_SIZE 2 bytes, if FEXTRA                            EXTRA
 *   EXTRA      as many bytes                                 NAME
 *   NAME       bytes up to a 0, if FNAME                     COMMENT
 *   COMMENT    bytes up to a 0, if FCOMMENT                  HEADER_CRC
 *   HEADER_CRC 2 bytes, if FHCRC                             TEXT
 *   TEXT       what the inflater waits for                   CRC
 *   CRC        4 bytes                                       SIZE
 *   SIZE       4 bytes                                       MAGIC, the member is verified
 *   PADDING    zero bytes to the end of the source           END | MAGIC (1f, read_past_zeros)
 *   IGNORED    the end of the source                         END
 *   END, BAD   stay
 * No header field is stored; each is passed over as it comes, so none can be too long.
 *
 * BGZF. Who reads a source asks bsi_frame_peek at the start of each member. A block of at most 64
 * KiB of text goes through bsi_frame_block, whole, and nothing of it comes out before all of it was
 * checked; anything else is read as a plain member, but ends where its BSIZE says. Checks of a block
 * in order: header, DEFLATE, BSIZE, then: text longer than ISIZE says, CRC-32, ISIZE. So a verdict
 * needs no more room than ISIZE promised.
 */
typedef enum bsi_frame_status {
    BSI_FRAME_GO_ON,            /* between private steps only                               */
    BSI_FRAME_NEED_INPUT,
    BSI_FRAME_NEED_OUTPUT,
    BSI_FRAME_BORDER,           /* between two DEFLATE blocks, where frame->inflate.stops asked for it */
    BSI_FRAME_MEMBER,           /* between two members: one is verified, or zeros passed    */
    BSI_FRAME_END,              /* the source has ended and every member is verified        */
    BSI_FRAME_BAD               /* see frame->bad; the text before it has been delivered    */
} bsi_frame_status;

typedef enum bsi_frame_state {
    BSI_FRAME_STATE_MAGIC,
    BSI_FRAME_STATE_MAGIC_2,
    BSI_FRAME_STATE_FIXED,
    BSI_FRAME_STATE_EXTRA_SIZE,
    BSI_FRAME_STATE_EXTRA,
    BSI_FRAME_STATE_NAME,
    BSI_FRAME_STATE_COMMENT,
    BSI_FRAME_STATE_HEADER_CRC,
    BSI_FRAME_STATE_TEXT,
    BSI_FRAME_STATE_CRC,
    BSI_FRAME_STATE_SIZE,
    BSI_FRAME_STATE_PADDING,
    BSI_FRAME_STATE_IGNORED,
    BSI_FRAME_STATE_END,
    BSI_FRAME_STATE_BAD
} bsi_frame_state;

#define BSI_FRAME_FHCRC 0x02u
#define BSI_FRAME_FEXTRA 0x04u
#define BSI_FRAME_FNAME 0x08u
#define BSI_FRAME_FCOMMENT 0x10u
#define BSI_FRAME_RESERVED 0xE0u

#define BSI_FRAME_BLOCK_TEXT 65536u     /* most text of a BGZF block */
#define BSI_FRAME_BLOCK_LEAST 26u       /* header with BC, and trailer */
#define BSI_FRAME_PEEK_MOST (12u + 65535u) /* so many bytes always tell a block */
#define BSI_FRAME_TRAILER_BYTES 8u

/* 23 KiB, nearly all tables. No pointers into itself. */
typedef struct bsi_frame {
    bsi_frame_state state;
    biost_gzip rules;           /* how strictly; set by the owner                               */
    uint32_t warnings;          /* BIOST_WARN_*                                                 */
    uint32_t flags;             /* FLG of this member                                           */
    uint32_t header_crc;        /* CRC-32 of its header so far                                  */
    uint32_t text_crc;          /* CRC-32 of its text so far                                    */
    uint32_t text_size;         /* bytes of its text so far, modulo 2^32                        */
    uint32_t field_count;       /* bytes read of the field being read                           */
    uint32_t field;             /* their little-endian value; the bytes left of an extra field  */
    uint32_t text_limit;        /* bytes a block's text may have: its ISIZE                     */
    int is_cut;                 /* the source ends inside the block under way                   */
    int eof_block_missing;      /* the last member was a BGZF block with text                   */
    uint64_t block_end;         /* source byte behind the block under way; 0: a plain member    */
    uint64_t members_done;      /* verified                                                     */
    uint64_t blocks_done;       /* BGZF blocks among them                                       */
    uint64_t source_offset;     /* source bytes consumed                                        */
    uint64_t text_offset;       /* text bytes delivered, of all members                         */
    uint64_t member_offset;     /* of them, those of verified members                           */
    bsi_bad bad;                /* fault NONE until a call says BAD                             */
    const bsi_crc_tables *crc_tables;
    bsi_inflate inflate;
} bsi_frame;

/* Where one call to bsi_frame_member stands. */
typedef struct bsi_frame_cursor {
    const uint8_t *in, *in_end;
    uint8_t *out, *out_end;
} bsi_frame_cursor;

/* Start a source, strictly. `crc_tables` are borrowed. */
static void bsi_frame_begin(bsi_frame *frame, const bsi_crc_tables *crc_tables) {
    memset(frame, 0, offsetof(bsi_frame, inflate));
    frame->state = BSI_FRAME_STATE_MAGIC;
    frame->bad.fault = BIOST_FAULT_NONE;
    frame->text_limit = UINT32_MAX;
    frame->crc_tables = crc_tables;
    bsi_inflate_begin(&frame->inflate);
}

/*
 * Set the fault, `back` bytes before where the source has been read to. Members before it stay
 * counted.
 */
BSI_COLD static bsi_frame_status bsi_frame_bad(bsi_frame *frame, biost_fault fault, uint64_t back,
                                               const char *detail) {
    frame->state = BSI_FRAME_STATE_BAD;
    frame->bad.fault = fault;
    frame->bad.source_offset = frame->source_offset - back;
    frame->bad.text_offset = frame->text_offset;
    frame->bad.detail = detail;
    return BSI_FRAME_BAD;
}

/* Leave out what is left of the source, if the rules allow it: a member came before. */
static int bsi_frame_may_ignore(bsi_frame *frame) {
    if (!frame->rules.ignore_garbage || frame->members_done == 0) {
        return 0;
    }
    frame->warnings |= BIOST_WARN_IGNORED_BYTES;
    frame->state = BSI_FRAME_STATE_IGNORED;
    return 1;
}

/*
 * `byte`, `back` bytes before here, begins no member. After a member that is garbage; at the start
 * of the source nothing vouches for gzip, so there it is simply another format.
 */
BSI_COLD static bsi_frame_status bsi_frame_no_member(bsi_frame *frame, uint8_t byte,
                                                     uint64_t back) {
    biost_fault fault = BIOST_FAULT_NOT_GZIP;
    if (bsi_frame_may_ignore(frame)) {
        return BSI_FRAME_GO_ON;
    }
    if (frame->members_done > 0) {
        fault = BIOST_FAULT_TRAILING_GARBAGE;
    }
    frame->bad.byte = byte;
    return bsi_frame_bad(frame, fault, back, fault == BIOST_FAULT_NOT_GZIP ? "not gzip" : NULL);
}

/* ---- header and trailer ---- */

/* Enter the next state with an empty field. */
BSI_INLINE bsi_frame_status bsi_frame_go(bsi_frame *frame, bsi_frame_state state) {
    frame->state = state;
    frame->field_count = 0;
    frame->field = 0;
    return BSI_FRAME_GO_ON;
}

/* Consume `count` bytes that are there; those of a header enter its CRC. */
static void bsi_frame_consume(bsi_frame *frame, bsi_frame_cursor *cursor, size_t count) {
    if (frame->state < BSI_FRAME_STATE_HEADER_CRC) {
        frame->header_crc = bsi_crc_update(frame->crc_tables, frame->header_crc, cursor->in, count);
    }
    cursor->in += count;
    frame->source_offset += count;
}

/* Read a little-endian field of `bytes` <= 4 bytes, byte by byte; 0 if the input ends first. */
static int bsi_frame_read(bsi_frame *frame, bsi_frame_cursor *cursor, uint32_t bytes) {
    for (; frame->field_count < bytes; frame->field_count++) {
        if (cursor->in == cursor->in_end) {
            return 0;
        }
        frame->field |= (uint32_t)*cursor->in << (8 * frame->field_count);
        bsi_frame_consume(frame, cursor, 1);
    }
    return 1;
}

/*
 * A member begins, or nothing does. After a member 00 begins padding and anything but 1f is
 * garbage. The first member has nothing before it that could vouch for the format, so there it is
 * simply no gzip.
 */
static bsi_frame_status bsi_frame_magic(bsi_frame *frame, bsi_frame_cursor *cursor) {
    uint8_t byte;
    if (cursor->in == cursor->in_end) {
        return BSI_FRAME_NEED_INPUT;
    }
    byte = *cursor->in;
    if (byte == 0x00 && frame->members_done > 0) {
        return bsi_frame_go(frame, BSI_FRAME_STATE_PADDING);
    }
    if (byte != 0x1F) {
        return bsi_frame_no_member(frame, byte, 0);
    }
    frame->header_crc = 0;
    bsi_frame_consume(frame, cursor, 1);
    return bsi_frame_go(frame, BSI_FRAME_STATE_MAGIC_2);
}

/*
 * The other half of the magic. Without it the 1f before was no member, and is where the fault lies.
 */
static bsi_frame_status bsi_frame_magic_2(bsi_frame *frame, bsi_frame_cursor *cursor) {
    if (cursor->in == cursor->in_end) {
        return BSI_FRAME_NEED_INPUT;
    }
    if (*cursor->in != 0x8B) {
        return bsi_frame_no_member(frame, 0x1F, 1);
    }
    bsi_frame_consume(frame, cursor, 1);
    return bsi_frame_go(frame, BSI_FRAME_STATE_FIXED);
}

/* Byte 0 of the eight is CM, byte 1 is FLG; MTIME, XFL and OS say nothing about the text. */
static bsi_frame_status bsi_frame_fixed(bsi_frame *frame, bsi_frame_cursor *cursor) {
    for (; frame->field_count < 8; frame->field_count++) {
        uint8_t byte;
        if (cursor->in == cursor->in_end) {
            return BSI_FRAME_NEED_INPUT;
        }
        byte = *cursor->in;
        if (frame->field_count == 0 && byte != 8) {
            frame->bad.byte = byte;
            return bsi_frame_bad(frame, BIOST_FAULT_BAD_HEADER, 0, "unknown compression method");
        }
        if (frame->field_count == 1) {
            frame->flags = byte;
        }
        if (frame->field_count == 1 && (byte & BSI_FRAME_RESERVED)) {
            frame->bad.byte = byte;
            return bsi_frame_bad(frame, BIOST_FAULT_BAD_HEADER, 0, "reserved flag bits are set");
        }
        bsi_frame_consume(frame, cursor, 1);
    }
    return bsi_frame_go(frame, BSI_FRAME_STATE_EXTRA_SIZE);
}

/* XLEN moves from the field just read to the count of bytes still to pass over. */
static bsi_frame_status bsi_frame_extra_size(bsi_frame *frame, bsi_frame_cursor *cursor) {
    uint32_t size;
    if (!(frame->flags & BSI_FRAME_FEXTRA)) {
        return bsi_frame_go(frame, BSI_FRAME_STATE_NAME);
    }
    if (!bsi_frame_read(frame, cursor, 2)) {
        return BSI_FRAME_NEED_INPUT;
    }
    size = frame->field;
    (void)bsi_frame_go(frame, BSI_FRAME_STATE_EXTRA);
    frame->field = size;
    return BSI_FRAME_GO_ON;
}

/* Pass over the extra field, whatever is in it. */
static bsi_frame_status bsi_frame_extra(bsi_frame *frame, bsi_frame_cursor *cursor) {
    size_t there = (size_t)(cursor->in_end - cursor->in);
    size_t bytes = BSI_MIN(there, frame->field);
    bsi_frame_consume(frame, cursor, bytes);
    frame->field -= (uint32_t)bytes;
    return frame->field > 0 ? BSI_FRAME_NEED_INPUT : bsi_frame_go(frame, BSI_FRAME_STATE_NAME);
}

/* Pass over the bytes up to and with a 0 if `flag` announces them, then enter `next`. */
static bsi_frame_status bsi_frame_string(bsi_frame *frame, bsi_frame_cursor *cursor, uint32_t flag,
                                         bsi_frame_state next) {
    const uint8_t *zero;
    if (!(frame->flags & flag)) {
        return bsi_frame_go(frame, next);
    }
    zero = bsi_bytes_find(cursor->in, cursor->in_end, 0);
    if (zero == cursor->in_end) {
        bsi_frame_consume(frame, cursor, (size_t)(zero - cursor->in));
        return BSI_FRAME_NEED_INPUT;
    }
    bsi_frame_consume(frame, cursor, (size_t)(zero - cursor->in) + 1);
    return bsi_frame_go(frame, next);
}

/*
 * The header is complete. From here on bytes no longer enter its CRC. A new DEFLATE stream starts,
 * with no history: a match never reaches into the text of the member before.
 */
static bsi_frame_status bsi_frame_header_crc(bsi_frame *frame, bsi_frame_cursor *cursor) {
    if (frame->flags & BSI_FRAME_FHCRC) {
        if (!bsi_frame_read(frame, cursor, 2)) {
            return BSI_FRAME_NEED_INPUT;
        }
        if (frame->field != (frame->header_crc & 0xFFFFu)) {
            frame->bad.a = frame->field;
            frame->bad.b = frame->header_crc & 0xFFFFu;
            return bsi_frame_bad(frame, BIOST_FAULT_BAD_HEADER, 2, "wrong header checksum");
        }
    }
    if (frame->block_end != 0 && frame->source_offset + BSI_FRAME_TRAILER_BYTES > frame->block_end) {
        return bsi_frame_bad(frame, BIOST_FAULT_BAD_BGZF, 0, "its BSIZE is smaller than its header");
    }
    frame->text_crc = 0;
    frame->text_size = 0;
    bsi_inflate_again(&frame->inflate);
    return bsi_frame_go(frame, BSI_FRAME_STATE_TEXT);
}

/*
 * CRC-32 first, as it stands first: a plain member whose text is damaged is so named even if ISIZE is
 * cut off. For a block see bsi_frame_block.
 */
static bsi_frame_status bsi_frame_crc(bsi_frame *frame, bsi_frame_cursor *cursor) {
    if (!bsi_frame_read(frame, cursor, 4)) {
        return BSI_FRAME_NEED_INPUT;
    }
    if (frame->text_size > frame->text_limit) {
        frame->bad.a = frame->text_limit;
        frame->bad.b = frame->text_size;
        return bsi_frame_bad(frame, BIOST_FAULT_BAD_ISIZE, 0, NULL);
    }
    if (frame->field != frame->text_crc && !frame->rules.no_crc && !frame->is_cut) {
        frame->bad.a = frame->field;
        frame->bad.b = frame->text_crc;
        return bsi_frame_bad(frame, BIOST_FAULT_BAD_CRC, 4, NULL);
    }
    return bsi_frame_go(frame, BSI_FRAME_STATE_SIZE);
}

/* The last field. Only now does the member count, and its text with it. */
static bsi_frame_status bsi_frame_size(bsi_frame *frame, bsi_frame_cursor *cursor) {
    if (!bsi_frame_read(frame, cursor, 4)) {
        return BSI_FRAME_NEED_INPUT;
    }
    if (frame->field != frame->text_size) {
        frame->bad.a = frame->field;
        frame->bad.b = frame->text_size;
        return bsi_frame_bad(frame, BIOST_FAULT_BAD_ISIZE, 4, NULL);
    }
    frame->members_done++;
    frame->blocks_done += frame->block_end != 0;
    frame->eof_block_missing = frame->block_end != 0 && frame->text_size > 0;
    frame->block_end = 0;
    frame->member_offset = frame->text_offset;
    (void)bsi_frame_go(frame, BSI_FRAME_STATE_MAGIC);
    return BSI_FRAME_MEMBER;
}

/*
 * Zero bytes fill a tape or disk block. A member behind them would be lost to readers that stop:
 * garbage, unless the rules read past zeros.
 */
static bsi_frame_status bsi_frame_padding(bsi_frame *frame, bsi_frame_cursor *cursor) {
    while (cursor->in < cursor->in_end) {
        if (*cursor->in == 0x1F && frame->rules.read_past_zeros) {
            frame->warnings |= BIOST_WARN_ZERO_PADDING;
            (void)bsi_frame_go(frame, BSI_FRAME_STATE_MAGIC);
            return BSI_FRAME_MEMBER; /* the one before: again between two members */
        }
        if (*cursor->in != 0) {
            if (bsi_frame_may_ignore(frame)) {
                return BSI_FRAME_GO_ON;
            }
            frame->bad.byte = *cursor->in;
            return bsi_frame_bad(frame, BIOST_FAULT_TRAILING_GARBAGE, 0, "after zero bytes");
        }
        cursor->in++;
        frame->source_offset++;
    }
    return BSI_FRAME_NEED_INPUT;
}

/* ---- text ---- */

/* The end of the DEFLATE data in the input at hand: a block's stop in front of its trailer. */
static const uint8_t *bsi_frame_data_end(const bsi_frame *frame, const bsi_frame_cursor *cursor) {
    uint64_t there = (uint64_t)(cursor->in_end - cursor->in);
    if (frame->block_end != 0) {
        there = BSI_MIN(there, frame->block_end - BSI_FRAME_TRAILER_BYTES - frame->source_offset);
    }
    return cursor->in + (size_t)there;
}

/* The DEFLATE data have ended, or ask for more than there is: compare with the block's BSIZE. */
static bsi_frame_status bsi_frame_text_end(bsi_frame *frame, bsi_inflate_status status) {
    int at_end = frame->source_offset + BSI_FRAME_TRAILER_BYTES == frame->block_end;
    if (status == BSI_INFLATE_DONE && (frame->block_end == 0 || at_end)) {
        return bsi_frame_go(frame, BSI_FRAME_STATE_CRC);
    }
    if (status == BSI_INFLATE_DONE) {
        return bsi_frame_bad(frame, BIOST_FAULT_BAD_BGZF, 0, "its BSIZE is larger than the block");
    }
    if (at_end) {
        return bsi_frame_bad(frame, BIOST_FAULT_BAD_BGZF, 0, "its BSIZE is smaller than the block");
    }
    return BSI_FRAME_NEED_INPUT;
}

/* Account for text of the member that was written at `text`. */
static void bsi_frame_add_text(bsi_frame *frame, const uint8_t *text, size_t text_bytes) {
    frame->text_offset += text_bytes;
    frame->text_size += (uint32_t)text_bytes;
    if (!frame->rules.no_crc) {
        frame->text_crc = bsi_crc_update(frame->crc_tables, frame->text_crc, text, text_bytes);
    }
}

/* Inflate what there is and account for it. */
static bsi_frame_status bsi_frame_text(bsi_frame *frame, bsi_frame_cursor *cursor) {
    const uint8_t *in = cursor->in;
    uint8_t *out = cursor->out;
    bsi_inflate_status status =
        bsi_inflate_run(&frame->inflate, &cursor->in, bsi_frame_data_end(frame, cursor),
                        &cursor->out, cursor->out_end);
    frame->source_offset += (size_t)(cursor->in - in);
    bsi_frame_add_text(frame, out, (size_t)(cursor->out - out));
    if (status == BSI_INFLATE_BORDER) {
        return BSI_FRAME_BORDER;
    }
    if (status == BSI_INFLATE_DONE || status == BSI_INFLATE_NEED_INPUT) {
        return bsi_frame_text_end(frame, status);
    }
    if (status == BSI_INFLATE_NEED_OUTPUT) {
        return BSI_FRAME_NEED_OUTPUT;
    }
    return bsi_frame_bad(frame, BIOST_FAULT_BAD_DEFLATE, 0, frame->inflate.detail);
}

/* ---- the machine ---- */

/* Pass over bytes that the rules leave out. */
static bsi_frame_status bsi_frame_ignore(bsi_frame *frame, bsi_frame_cursor *cursor) {
    frame->source_offset += (uint64_t)(cursor->in_end - cursor->in);
    cursor->in = cursor->in_end;
    return BSI_FRAME_NEED_INPUT;
}

/* One step of the state that is on; GO_ON while bytes and room are left. */
static bsi_frame_status bsi_frame_step(bsi_frame *frame, bsi_frame_cursor *cursor) {
    switch (frame->state) {
        case BSI_FRAME_STATE_MAGIC: return bsi_frame_magic(frame, cursor);
        case BSI_FRAME_STATE_MAGIC_2: return bsi_frame_magic_2(frame, cursor);
        case BSI_FRAME_STATE_FIXED: return bsi_frame_fixed(frame, cursor);
        case BSI_FRAME_STATE_EXTRA_SIZE: return bsi_frame_extra_size(frame, cursor);
        case BSI_FRAME_STATE_EXTRA: return bsi_frame_extra(frame, cursor);
        case BSI_FRAME_STATE_NAME:
            return bsi_frame_string(frame, cursor, BSI_FRAME_FNAME, BSI_FRAME_STATE_COMMENT);
        case BSI_FRAME_STATE_COMMENT:
            return bsi_frame_string(frame, cursor, BSI_FRAME_FCOMMENT, BSI_FRAME_STATE_HEADER_CRC);
        case BSI_FRAME_STATE_HEADER_CRC: return bsi_frame_header_crc(frame, cursor);
        case BSI_FRAME_STATE_TEXT: return bsi_frame_text(frame, cursor);
        case BSI_FRAME_STATE_CRC: return bsi_frame_crc(frame, cursor);
        case BSI_FRAME_STATE_SIZE: return bsi_frame_size(frame, cursor);
        case BSI_FRAME_STATE_PADDING: return bsi_frame_padding(frame, cursor);
        case BSI_FRAME_STATE_IGNORED: return bsi_frame_ignore(frame, cursor);
        case BSI_FRAME_STATE_END: return BSI_FRAME_END;
        case BSI_FRAME_STATE_BAD: break;
    }
    return BSI_FRAME_BAD;
}

/* The source ends inside a member. */
BSI_COLD static bsi_frame_status bsi_frame_cut_off(bsi_frame *frame) {
    const char *detail =
        frame->state < BSI_FRAME_STATE_TEXT
            ? "the file ends inside a gzip member: its header is cut off"
        : frame->state == BSI_FRAME_STATE_TEXT
            ? "the file ends inside a gzip member: its compressed data are cut off"
            : "the file ends inside a gzip member: its checksum and length are cut off";
    return bsi_frame_bad(frame, BIOST_FAULT_TRUNCATED, 0, detail);
}

/*
 * The source has ended and all of it is consumed: fine between members, behind padding, or if there
 * was nothing. Only here is padding known to be all padding, wherever the pieces were cut.
 */
static bsi_frame_status bsi_frame_close(bsi_frame *frame) {
    int between = frame->state == BSI_FRAME_STATE_MAGIC || frame->state == BSI_FRAME_STATE_PADDING ||
                  frame->state == BSI_FRAME_STATE_IGNORED;
    int in_header = !between && frame->state < BSI_FRAME_STATE_TEXT && frame->block_end == 0;
    if (!between && !(in_header && bsi_frame_may_ignore(frame))) {
        return bsi_frame_cut_off(frame);
    }
    if (frame->state == BSI_FRAME_STATE_PADDING) {
        frame->warnings |= BIOST_WARN_ZERO_PADDING;
        if (frame->rules.refuse_padding) {
            return bsi_frame_bad(frame, BIOST_FAULT_TRAILING_GARBAGE, 0, "zero bytes");
        }
    }
    if (frame->eof_block_missing) {
        frame->warnings |= BIOST_WARN_NO_EOF_BLOCK;
        if (frame->rules.require_eof_block) {
            return bsi_frame_bad(frame, BIOST_FAULT_TRUNCATED, 0,
                                 "the empty block that must end a BGZF file is missing");
        }
    }
    frame->state = BSI_FRAME_STATE_END;
    return BSI_FRAME_END;
}

/*
 * Read on in a member until it is verified or input or output is used up, advancing *in and *out.
 * `source_ended`: nothing follows in_end. For *out the contract of bsi_inflate_run holds, with
 * frame->inflate.history_bytes bytes kept in front of it. Text comes out before its CRC is known: it
 * is provisional until its member counts in members_done.
 */
static bsi_frame_status bsi_frame_member(bsi_frame *frame, const uint8_t **in,
                                         const uint8_t *in_end, int source_ended, uint8_t **out,
                                         uint8_t *out_end) {
    bsi_frame_cursor cursor;
    bsi_frame_status status;
    cursor.in = *in;
    cursor.in_end = in_end;
    cursor.out = *out;
    cursor.out_end = out_end;
    do {
        status = bsi_frame_step(frame, &cursor);
    } while (status == BSI_FRAME_GO_ON);
    if (status == BSI_FRAME_NEED_INPUT && source_ended) {
        status = bsi_frame_close(frame);
    }
    *in = cursor.in;
    *out = cursor.out;
    return status;
}

/* ---- BGZF blocks ---- */

typedef enum bsi_frame_peeked {
    BSI_FRAME_PEEK_PLAIN,       /* no BGZF block starts here; perhaps no member at all */
    BSI_FRAME_PEEK_BLOCK,
    BSI_FRAME_PEEK_MORE         /* `count` bytes do not tell */
} bsi_frame_peeked;

/*
 * Does a BGZF block start here, and of how many bytes is it, by its BSIZE? Says MORE only below
 * BSI_FRAME_PEEK_MOST bytes. A subfield that leaves the extra field makes it a plain member.
 */
static bsi_frame_peeked bsi_frame_peek(const uint8_t *bytes, size_t count,
                                       uint32_t *out_block_bytes) {
    static const uint8_t magic[3] = {0x1F, 0x8B, 8};
    size_t at = 12, end;
    if (count == 0) { /* and perhaps no address either */
        return BSI_FRAME_PEEK_MORE;
    }
    if (memcmp(bytes, magic, BSI_MIN(count, (size_t)3)) != 0 ||
        (count > 3 && (bytes[3] & (BSI_FRAME_RESERVED | BSI_FRAME_FEXTRA)) != BSI_FRAME_FEXTRA)) {
        return BSI_FRAME_PEEK_PLAIN;
    }
    if (count < at) {
        return BSI_FRAME_PEEK_MORE;
    }
    end = at + bsi_bytes_load16(bytes + 10);
    while (at + 4 <= end) {
        size_t size;
        if (count < at + 4) {
            return BSI_FRAME_PEEK_MORE;
        }
        size = bsi_bytes_load16(bytes + at + 2);
        if (at + 4 + size > end) {
            return BSI_FRAME_PEEK_PLAIN;
        }
        if (bytes[at] == 'B' && bytes[at + 1] == 'C' && size == 2) {
            if (count < at + 6) {
                return BSI_FRAME_PEEK_MORE;
            }
            *out_block_bytes = bsi_bytes_load16(bytes + at + 4) + 1;
            return BSI_FRAME_PEEK_BLOCK;
        }
        at += 4 + size;
    }
    return BSI_FRAME_PEEK_PLAIN;
}

/* The text a whole block says it has, modulo 2^32: its last four bytes. */
static uint32_t bsi_frame_block_text(const uint8_t *block, uint32_t block_bytes) {
    return block_bytes < BSI_FRAME_BLOCK_LEAST ? 0 : bsi_bytes_load32(block + block_bytes - 4);
}

/*
 * Check a whole BGZF block and write its text.
 *
 *   block, count  in   the block; fewer than block_bytes: the source ends there
 *   block_bytes   in   by its BSIZE
 *   *out          i/o  where the text goes; as many bytes as ISIZE says are there before out_end
 *   spare         in   [64] writable, its 32 KiB before readable; NULL: none
 *
 * The frame stands between two members. MEMBER: the text is written and verified. BAD: nothing is,
 * and *out is as it was. What lies between *out and out_end may be overwritten.
 *
 * A text longer than ISIZE is judged on with its bytes going to `spare`, over and over: the verdict
 * depends on how many they are, not on what they are. Without one the answer is NEED_OUTPUT, and the
 * frame is left inside the block. Of a block that is cut off the CRC, should it still be there, is not
 * compared: what it is over may have had no room.
 */
static bsi_frame_status bsi_frame_block(bsi_frame *frame, const uint8_t *block, size_t count,
                                        uint32_t block_bytes, uint8_t **out, uint8_t *out_end,
                                        uint8_t *spare) {
    const uint8_t *in = block, *in_end = block + BSI_MIN(count, (size_t)block_bytes);
    int cut = count < block_bytes;
    uint8_t *start = *out;
    bsi_frame_status status;
    frame->block_end = frame->source_offset + block_bytes;
    frame->text_limit = cut ? UINT32_MAX : bsi_frame_block_text(block, block_bytes);
    frame->is_cut = cut;
    status = bsi_frame_member(frame, &in, in_end, cut, out, out_end);
    while (status == BSI_FRAME_NEED_OUTPUT && spare != NULL) {
        *out = spare;
        status = bsi_frame_member(frame, &in, in_end, cut, out, spare + BSI_PADDING_BYTES);
    }
    if (status == BSI_FRAME_NEED_INPUT) {
        status = bsi_frame_bad(frame, BIOST_FAULT_BAD_BGZF, 0, "its BSIZE is smaller than its header");
    }
    if (status != BSI_FRAME_MEMBER) {
        *out = start;
        frame->text_offset = frame->member_offset;
        frame->bad.text_offset = frame->member_offset;
    }
    frame->block_end = 0;
    frame->text_limit = UINT32_MAX;
    frame->is_cut = 0;
    return status;
}

/* A whole BGZF block with the plainest header. */
typedef struct bsi_frame_plain {
    const uint8_t *data, *data_end; /* DEFLATE, 8 bytes of trailer follow; NULL: none */
    uint32_t text_bytes;            /* by its ISIZE */
} bsi_frame_plain;

/* Is the block in front of `count` bytes whole and plain? Returns its bytes, else 0. */
static uint32_t bsi_frame_plain_block(const uint8_t *block, size_t count, bsi_frame_plain *out_plain) {
    uint32_t bytes = 0, header;
    if (bsi_frame_peek(block, count, &bytes) != BSI_FRAME_PEEK_BLOCK || bytes > count ||
        block[3] != BSI_FRAME_FEXTRA) {
        return 0;
    }
    header = 12 + bsi_bytes_load16(block + 10);
    if (header + BSI_FRAME_TRAILER_BYTES > bytes) {
        return 0;
    }
    out_plain->data = block + header;
    out_plain->data_end = block + bytes - BSI_FRAME_TRAILER_BYTES;
    out_plain->text_bytes = bsi_frame_block_text(block, bytes);
    return bytes;
}

/* Is the lane's block all that it says? */
static int bsi_frame_is_good(const bsi_frame *frame, const bsi_inflate_lane *lane,
                             const bsi_frame_plain *plain) {
    const uint8_t *text = lane->cursor.out - plain->text_bytes;
    return lane->status == BSI_INFLATE_DONE && lane->cursor.in == plain->data_end &&
           lane->cursor.out == lane->cursor.out_end &&
           (frame->rules.no_crc || bsi_bytes_load32(plain->data_end) ==
                                       bsi_crc_update(frame->crc_tables, 0, text, plain->text_bytes));
}

/* Blocks of a page on their way through lanes. */
typedef struct bsi_frame_row {
    const uint8_t *at, *end;    /* blocks to come */
    uint8_t *out, *out_end;     /* where their text goes */
    uint32_t active;            /* lanes under way */
    bsi_frame_plain plain[BSI_INFLATE_LANES]; /* what each of them decodes */
    uint64_t block_count;
    uint32_t last_text_bytes;   /* of the last block */
} bsi_frame_row;

/*
 * If the lane is idle or has ended, judge what it did and start the next block in it. 0: the block was
 * not good; or the next one is not plain, or has no room.
 */
static int bsi_frame_row_next(const bsi_frame *frame, bsi_frame_row *row, bsi_inflate_lane *lane,
                              bsi_frame_plain *plain) {
    uint32_t bytes;
    if (plain->data != NULL) {
        if (lane->status == BSI_INFLATE_GO_ON) {
            return 1;
        }
        if (!bsi_frame_is_good(frame, lane, plain)) {
            return 0;
        }
        plain->data = NULL;
        --row->active;
    }
    if (row->at == row->end) {
        return 1;
    }
    bytes = bsi_frame_plain_block(row->at, (size_t)(row->end - row->at), plain);
    if (bytes == 0 || plain->text_bytes > (size_t)(row->out_end - row->out)) {
        return 0;
    }
    bsi_inflate_lane_begin(lane, plain->data, plain->data_end + BSI_FRAME_TRAILER_BYTES, row->out,
                           row->out + plain->text_bytes);
    row->at += bytes;
    row->out += plain->text_bytes;
    row->last_text_bytes = plain->text_bytes;
    ++row->block_count;
    ++row->active;
    return 1;
}

/*
 * Check whole BGZF blocks and write their text, several at a time. All are good and plain, and are
 * accounted for as bsi_frame_block does: 1. Else 0, and only what lies between *out and out_end may
 * have changed: bsi_frame_block must look at them, one by one. 256 bytes in front of *out are readable.
 */
static int bsi_frame_blocks(bsi_frame *frame, bsi_inflate_lanes *lanes, const uint8_t *blocks,
                            size_t bytes, uint8_t **out, uint8_t *out_end) {
    bsi_frame_row row;
    uint64_t text_bytes;
    memset(&row, 0, sizeof row);
    row.at = blocks;
    row.end = blocks + bytes;
    row.out = *out;
    row.out_end = out_end;
    do {
        for (uint32_t i = 0; i < BSI_INFLATE_LANES; i++) {
            if (!bsi_frame_row_next(frame, &row, &lanes->lanes[i], &row.plain[i])) {
                return 0;
            }
        }
        if (row.active == BSI_INFLATE_LANES) {
            bsi_inflate_lanes_run(lanes);
        } else {
            for (uint32_t i = 0; i < BSI_INFLATE_LANES; i++) {
                if (row.plain[i].data != NULL) {
                    bsi_inflate_lane_finish(&lanes->lanes[i]);
                }
            }
        }
    } while (row.active > 0);
    text_bytes = (uint64_t)(row.out - *out);
    *out = row.out;
    frame->source_offset += bytes;
    frame->text_offset += text_bytes;
    frame->member_offset = frame->text_offset;
    frame->members_done += row.block_count;
    frame->blocks_done += row.block_count;
    frame->eof_block_missing = row.last_text_bytes > 0;
    return 1;
}

/* ---- sniffing ---- */

typedef enum bsi_frame_kind {
    BSI_FRAME_KIND_TEXT,        /* not compressed as far as one can see */
    BSI_FRAME_KIND_GZIP,
    BSI_FRAME_KIND_CODEC,       /* compressed by something else, which is named */
    BSI_FRAME_KIND_NOT_TEXT,    /* no known magic, and no text begins like this */
    BSI_FRAME_KIND_TRUNCATED,   /* the one byte 1f */
    BSI_FRAME_KIND_EMPTY
} bsi_frame_kind;

#define BSI_FRAME_SNIFF_BYTES 16u

/* Does the source begin with these bytes? A head shorter than the magic does not. */
BSI_INLINE int bsi_frame_starts(const uint8_t *head, size_t head_bytes, const char *magic,
                                size_t magic_bytes) {
    return head_bytes >= magic_bytes && memcmp(head, magic, magic_bytes) == 0;
}

/*
 * The codec with this magic, or NULL. bzip2's magic is text, "BZh" and a digit, so the number that
 * opens its first block (pi) or its end (the root of pi) must follow. Zstandard's skippable frames
 * 184D2A50..5F count as zstd.
 */
static const char *bsi_frame_codec(const uint8_t *head, size_t head_bytes) {
    if (bsi_frame_starts(head, head_bytes, "\x28\xB5\x2F\xFD", 4) ||
        (head_bytes >= 4 && head[0] >> 4 == 5 && memcmp(head + 1, "\x2A\x4D\x18", 3) == 0)) {
        return "zstd";
    }
    if (head_bytes >= 10 && memcmp(head, "BZh", 3) == 0 && head[3] >= '1' && head[3] <= '9' &&
        (memcmp(head + 4, "\x31\x41\x59\x26\x53\x59", 6) == 0 ||
         memcmp(head + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0)) {
        return "bzip2";
    }
    if (bsi_frame_starts(head, head_bytes, "\xFD" "7zXZ\0", 6)) {
        return "xz";
    }
    if (bsi_frame_starts(head, head_bytes, "PK\3\4", 4) ||
        bsi_frame_starts(head, head_bytes, "PK\5\6", 4)) {
        return "zip";
    }
    return NULL;
}

/*
 * What a source is, from its first 16 bytes (fewer: it ends there). *out_codec: the codec's name,
 * else NULL. Text may begin with 20 and above, TAB, LF or CR; the byte order marks EF BB BF, FE FF
 * and FF FE are among these.
 */
static bsi_frame_kind bsi_frame_sniff(const uint8_t *head, size_t head_bytes,
                                      const char **out_codec) {
    *out_codec = NULL;
    if (head_bytes == 0) {
        return BSI_FRAME_KIND_EMPTY;
    }
    if (head[0] == 0x1F && head_bytes == 1) {
        return BSI_FRAME_KIND_TRUNCATED;
    }
    if (head[0] == 0x1F && head[1] == 0x8B) {
        return BSI_FRAME_KIND_GZIP;
    }
    *out_codec = bsi_frame_codec(head, head_bytes);
    if (*out_codec != NULL) {
        return BSI_FRAME_KIND_CODEC;
    }
    if (head[0] >= 0x20 || head[0] == '\t' || head[0] == '\n' || head[0] == '\r') {
        return BSI_FRAME_KIND_TEXT;
    }
    return BSI_FRAME_KIND_NOT_TEXT;
}

/* ==========================================================================
 * >>check   bytes of lines, 32 at a time: line ends, ranges, counts, joining
 *   uses: config bytes cpu         allocates: no   threads: no   I/O: no
 * ========================================================================== */

/*
 * Pure functions over the caller's memory, each in up to four versions with the same results:
 *
 *   _scalar   any processor, eight bytes a step where that is easy; the oracle of the others; reads
 *             nothing but the bytes named
 *   _16       SSE2 or NEON, over the few operations of >>check that differ between the two
 *   _avx2     32 bytes a step
 *   _vbmi     64 bytes a step, where that is faster
 *
 * The vector versions read up to 63 bytes behind the bytes named, and nothing before them. What
 * stands there does not matter. No address need be aligned.
 */
typedef struct bsi_check_kernels {
    /*
     * Write the offset from `text` of every LF in text[begin, end), ascending; returns their number,
     * for which out_positions has room.
     */
    size_t (*lines)(const uint8_t *text, size_t begin, size_t end, uint32_t *out_positions);
    /* Bytes of a title before its first blank or tab; SIZE_MAX if CR or NUL stands anywhere in it. */
    size_t (*title)(const uint8_t *from, size_t bytes);
    /* Are all bytes in low..126? low is 33 or 64. */
    int (*span)(const uint8_t *from, size_t bytes, uint8_t low);
    /* Are all of seq in 33..126 and all of qual in low..126? [bytes] each. */
    int (*spans)(const uint8_t *seq, const uint8_t *qual, size_t bytes, uint8_t low);
    /* As spans with low = zero, the byte of Phred score 0; if so, *out_stats is filled. */
    int (*spans_stats)(const uint8_t *seq, const uint8_t *qual, size_t bytes, uint8_t zero,
                       biost_stats *out_stats);
    /* Add the letters of a sequence to acgt_count, gc_count and n_count of *stats. */
    void (*count)(const uint8_t *seq, size_t bytes, biost_stats *stats);
    /*
     * Move plain FASTA lines from [from, end) together at `to`, which is `from` or stands before it;
     * returns how many. It goes on while a line is `width` bytes and a line end of `feed_bytes` (1:
     * LF, 2: CR LF), all of it before `end`, all bytes in 33..126, none of them '>' (with keep_gt:
     * but the first may not be) and the first none of ; @ + either. Nothing is written but the lines
     * joined. 0 < width < 2^31.
     */
    size_t (*join)(uint8_t *to, const uint8_t *from, const uint8_t *end, size_t width,
                   size_t feed_bytes, int keep_gt);
} bsi_check_kernels;

/* ---- scalar ---- */

/* A byte in all eight places of a word. */
#define BSI_CHECK_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Nonzero where a byte is 0; bytes behind such a one may show a borrow, others none. */
BSI_INLINE uint64_t bsi_check_zeros(uint64_t word) {
    return (word - BSI_CHECK_EACH(1)) & ~word & BSI_CHECK_EACH(0x80);
}

static size_t bsi_check_lines_scalar(const uint8_t *text, size_t begin, size_t end,
                                     uint32_t *out_positions) {
    size_t count = 0;
    while (begin < end) {
        if (end - begin >= 8 &&
            bsi_check_zeros(bsi_bytes_load64(text + begin) ^ BSI_CHECK_EACH('\n')) == 0) {
            begin += 8;
            continue;
        }
        if (text[begin] == '\n') {
            out_positions[count++] = (uint32_t)begin;
        }
        begin++;
    }
    return count;
}

/* First blank or tab in [from, end), or end. Most names are longer than a word of eight bytes. */
static const uint8_t *bsi_check_blank(const uint8_t *from, const uint8_t *end) {
    for (; end - from >= 8; from += 8) {
        uint64_t word = bsi_bytes_load64(from);
        uint64_t found = bsi_check_zeros(word ^ BSI_CHECK_EACH(' ')) |
                         bsi_check_zeros(word ^ BSI_CHECK_EACH('\t'));
        if (found != 0) {
            return from + bsi_cpu_lowest_one(found) / 8;
        }
    }
    while (from < end && *from != ' ' && *from != '\t') {
        from++;
    }
    return from;
}

static size_t bsi_check_title_scalar(const uint8_t *from, size_t bytes) {
    const uint8_t *end = from + bytes;
    if (bsi_bytes_find(from, end, '\r') != end || bsi_bytes_find(from, end, 0) != end) {
        return SIZE_MAX;
    }
    return (size_t)(bsi_check_blank(from, end) - from);
}

/*
 * In each byte of the two words bit 7 says: not above 126, read from a carry into it; not below
 * `low`, read from a borrow that bit 7, set before, absorbs. A carry leaves a byte only if that is
 * 255, and then it is above 126 anyway.
 */
static int bsi_check_span_scalar(const uint8_t *from, size_t bytes, uint8_t low) {
    for (; bytes >= 8; bytes -= 8, from += 8) {
        uint64_t word = bsi_bytes_load64(from);
        uint64_t above = word | (word + BSI_CHECK_EACH(1));
        uint64_t below = ~((word | BSI_CHECK_EACH(0x80)) - BSI_CHECK_EACH(low));
        if (((above | below) & BSI_CHECK_EACH(0x80)) != 0) {
            return 0;
        }
    }
    for (; bytes > 0; bytes--, from++) {
        if (*from < low || *from > 126) {
            return 0;
        }
    }
    return 1;
}

static int bsi_check_spans_scalar(const uint8_t *seq, const uint8_t *qual, size_t bytes,
                                  uint8_t low) {
    return bsi_check_span_scalar(seq, bytes, 33) && bsi_check_span_scalar(qual, bytes, low);
}

/*
 * Bit 5 tells upper case from lower; without it N is one value. Without bit 2 as well C and G, 0x43
 * and 0x47, are one, which no other letter is.
 */
static void bsi_check_count_scalar(const uint8_t *seq, size_t bytes, biost_stats *stats) {
    size_t gc = 0, at = 0, n = 0;
    for (size_t i = 0; i < bytes; i++) {
        uint8_t upper = seq[i] & 0xDF;
        gc += (upper & 0xDB) == 0x43;
        at += upper == 'A' || upper == 'T';
        n += upper == 'N';
    }
    stats->acgt_count += gc + at;
    stats->gc_count += gc;
    stats->n_count += n;
}

/*
 * Chance that a base of Phred score q is wrong, times 2^31: 10^(-q / 10) * 2^31, to the nearest, for
 * q of 0..93 and 0 twice, in groups of 16; each within e().
 */
#define BSI_CHECK_ERRORS_0(e) \
    e(2147483648u), e(1705806895u), e(1354970580u), e(1076291389u), e(854928639u), e(679093957u), \
    e(539423504u), e(428479319u), e(340353221u), e(270352174u), e(214748365u), e(170580690u), \
    e(135497058u), e(107629139u), e(85492864u), e(67909396u)
#define BSI_CHECK_ERRORS_1(e) \
    e(53942350u), e(42847932u), e(34035322u), e(27035217u), e(21474836u), e(17058069u), \
    e(13549706u), e(10762914u), e(8549286u), e(6790940u), e(5394235u), e(4284793u), e(3403532u), \
    e(2703522u), e(2147484u), e(1705807u)
#define BSI_CHECK_ERRORS_2(e) \
    e(1354971u), e(1076291u), e(854929u), e(679094u), e(539424u), e(428479u), e(340353u), \
    e(270352u), e(214748u), e(170581u), e(135497u), e(107629u), e(85493u), e(67909u), e(53942u), \
    e(42848u)
#define BSI_CHECK_ERRORS_3(e) \
    e(34035u), e(27035u), e(21475u), e(17058u), e(13550u), e(10763u), e(8549u), e(6791u), \
    e(5394u), e(4285u), e(3404u), e(2704u), e(2147u), e(1706u), e(1355u), e(1076u)
#define BSI_CHECK_ERRORS_4(e) \
    e(855u), e(679u), e(539u), e(428u), e(340u), e(270u), e(215u), e(171u), e(135u), e(108u), \
    e(85u), e(68u), e(54u), e(43u), e(34u), e(27u)
#define BSI_CHECK_ERRORS_5(e) \
    e(21u), e(17u), e(14u), e(11u), e(9u), e(7u), e(5u), e(4u), e(3u), e(3u), e(2u), e(2u), \
    e(1u), e(1u), \
    e(0u), e(0u)
#define BSI_CHECK_ERRORS(e) \
    BSI_CHECK_ERRORS_0(e), BSI_CHECK_ERRORS_1(e), BSI_CHECK_ERRORS_2(e), BSI_CHECK_ERRORS_3(e), \
    BSI_CHECK_ERRORS_4(e), BSI_CHECK_ERRORS_5(e)

/* At 64 + q, so that bsi_check_errors + (64 - zero) is indexed by quality bytes as they stand. */
#define BSI_CHECK_ERROR(error) error
static const uint64_t bsi_check_errors[64 + 96] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    BSI_CHECK_ERRORS(BSI_CHECK_ERROR)};

/* Sum of the errors of qual, all of it in zero..126. */
static uint64_t bsi_check_errors_scalar(const uint8_t *qual, size_t bytes, uint8_t zero) {
    const uint64_t *errors = bsi_check_errors + (64 - zero);
    uint64_t sum = 0;
    for (; bytes >= 4; bytes -= 4, qual += 4) {
        sum += (errors[qual[0]] + errors[qual[1]]) + (errors[qual[2]] + errors[qual[3]]);
    }
    for (; bytes > 0; bytes--, qual++) {
        sum += errors[*qual];
    }
    return sum;
}

static int bsi_check_spans_stats_scalar(const uint8_t *seq, const uint8_t *qual, size_t bytes,
                                        uint8_t zero, biost_stats *out_stats) {
    if (!bsi_check_spans_scalar(seq, qual, bytes, zero)) {
        return 0;
    }
    memset(out_stats, 0, sizeof *out_stats);
    out_stats->qual_min = bytes == 0 ? 0 : UINT32_MAX;
    for (size_t i = 0; i < bytes; i++) {
        uint32_t score = (uint32_t)qual[i] - zero;
        out_stats->qual_sum += score;
        out_stats->qual_min = BSI_MIN(out_stats->qual_min, score);
        out_stats->qual_max = BSI_MAX(out_stats->qual_max, score);
    }
    out_stats->error_sum = bsi_check_errors_scalar(qual, bytes, zero);
    bsi_check_count_scalar(seq, bytes, out_stats);
    return 1;
}

/* May a line of bases not start with this? */
BSI_INLINE int bsi_check_is_mark(uint8_t byte) {
    return byte == '>' || byte == ';' || byte == '@' || byte == '+';
}

/* Does a line end of `feed_bytes` stand here? */
BSI_INLINE int bsi_check_is_feed(const uint8_t *at, size_t feed_bytes) {
    return feed_bytes == 1 ? at[0] == '\n' : at[0] == '\r' && at[1] == '\n';
}

/* The kernel `join` by a kernel `span`. */
BSI_INLINE size_t bsi_check_join_by(int (*span)(const uint8_t *, size_t, uint8_t), uint8_t *to,
                                    const uint8_t *from, const uint8_t *end, size_t width,
                                    size_t feed_bytes, int keep_gt) {
    size_t lines = 0, step = width + feed_bytes;
    for (; (size_t)(end - from) >= step; from += step, to += width, lines++) {
        if (!bsi_check_is_feed(from + width, feed_bytes) || bsi_check_is_mark(from[0]) ||
            !span(from, width, 33) || (!keep_gt && memchr(from, '>', width) != NULL)) {
            break;
        }
        memmove(to, from, width);
    }
    return lines;
}

static size_t bsi_check_join_scalar(uint8_t *to, const uint8_t *from, const uint8_t *end,
                                    size_t width, size_t feed_bytes, int keep_gt) {
    return bsi_check_join_by(bsi_check_span_scalar, to, from, end, width, feed_bytes, keep_gt);
}

/* ---- what vector versions share ---- */

#if BSI_CPU_X86 || BSI_CPU_ARM_NEON

/* From byte 32 - n on: n bytes of ones, then zeros, which cut a vector to its first n bytes. */
static const uint8_t bsi_check_cuts[64] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

/* Write where the ones of a word stand, bit 0 being at `from`, behind `count` others. */
BSI_INLINE size_t bsi_check_take(uint64_t ones, size_t from, uint32_t *out_positions,
                                 size_t count) {
    for (; ones != 0; ones &= ones - 1) {
        out_positions[count++] = (uint32_t)(from + bsi_cpu_lowest_one(ones));
    }
    return count;
}

#endif

/* ---- SSE2 and NEON: what differs ---- */

/*
 * Operations on 16 unsigned bytes. EQUAL: 255 where the bytes are equal, else 0. OVER: how much a
 * byte is larger, at least 0. Then the sum of all, the least, and a bit for each of 64 that are all
 * 0 or 255.
 */
#if BSI_CPU_X86

#define BSI_CHECK_TARGET_16 BSI_TARGET("sse2")
#define BSI_CHECK_LOAD(from) _mm_loadu_si128((const __m128i *)(const void *)(from))
#define BSI_CHECK_FILL(byte) _mm_set1_epi8((char)(byte))
#define BSI_CHECK_SUB(a, b) _mm_sub_epi8(a, b)
#define BSI_CHECK_OVER(a, b) _mm_subs_epu8(a, b)
#define BSI_CHECK_MIN(a, b) _mm_min_epu8(a, b)
#define BSI_CHECK_MAX(a, b) _mm_max_epu8(a, b)
#define BSI_CHECK_AND(a, b) _mm_and_si128(a, b)
#define BSI_CHECK_OR(a, b) _mm_or_si128(a, b)
#define BSI_CHECK_EQUAL(a, b) _mm_cmpeq_epi8(a, b)

typedef __m128i bsi_check_16;

BSI_CHECK_TARGET_16 BSI_INLINE uint32_t bsi_check_sum(bsi_check_16 a) {
    __m128i sums = _mm_sad_epu8(a, _mm_setzero_si128());
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_srli_si128(sums, 8)));
}

BSI_CHECK_TARGET_16 BSI_INLINE uint32_t bsi_check_least(bsi_check_16 a) {
    a = _mm_min_epu8(a, _mm_srli_si128(a, 8));
    a = _mm_min_epu8(a, _mm_srli_si128(a, 4));
    a = _mm_min_epu8(a, _mm_srli_si128(a, 2));
    a = _mm_min_epu8(a, _mm_srli_si128(a, 1));
    return (uint32_t)_mm_cvtsi128_si32(a) & 255u;
}

BSI_CHECK_TARGET_16 BSI_INLINE uint64_t bsi_check_bits(bsi_check_16 a, bsi_check_16 b,
                                                       bsi_check_16 c, bsi_check_16 d) {
    uint32_t low = (uint32_t)_mm_movemask_epi8(a) | (uint32_t)_mm_movemask_epi8(b) << 16;
    uint32_t high = (uint32_t)_mm_movemask_epi8(c) | (uint32_t)_mm_movemask_epi8(d) << 16;
    return low | (uint64_t)high << 32;
}

#elif BSI_CPU_ARM_NEON

#define BSI_CHECK_TARGET_16
#define BSI_CHECK_LOAD(from) vld1q_u8(from)
#define BSI_CHECK_FILL(byte) vdupq_n_u8((uint8_t)(byte))
#define BSI_CHECK_SUB(a, b) vsubq_u8(a, b)
#define BSI_CHECK_OVER(a, b) vqsubq_u8(a, b)
#define BSI_CHECK_MIN(a, b) vminq_u8(a, b)
#define BSI_CHECK_MAX(a, b) vmaxq_u8(a, b)
#define BSI_CHECK_AND(a, b) vandq_u8(a, b)
#define BSI_CHECK_OR(a, b) vorrq_u8(a, b)
#define BSI_CHECK_EQUAL(a, b) vceqq_u8(a, b)

typedef uint8x16_t bsi_check_16;

BSI_INLINE uint32_t bsi_check_sum(bsi_check_16 a) {
    return vaddlvq_u8(a);
}

BSI_INLINE uint32_t bsi_check_least(bsi_check_16 a) {
    return vminvq_u8(a);
}

/* Each byte keeps the bit of its place in a group of eight; pairwise sums gather the groups. */
BSI_INLINE uint64_t bsi_check_bits(bsi_check_16 a, bsi_check_16 b, bsi_check_16 c,
                                   bsi_check_16 d) {
    const uint8x16_t places = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
    uint8x16_t low = vpaddq_u8(vandq_u8(a, places), vandq_u8(b, places));
    uint8x16_t high = vpaddq_u8(vandq_u8(c, places), vandq_u8(d, places));
    low = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(low, low)), 0);
}

#endif

/* ---- SSE2 and NEON: what is the same ---- */

#if BSI_CPU_X86 || BSI_CPU_ARM_NEON

/* Ones for the first `bytes` bytes, all for more than 16. */
BSI_CHECK_TARGET_16 BSI_INLINE bsi_check_16 bsi_check_cut(size_t bytes) {
    return BSI_CHECK_LOAD(bsi_check_cuts + 32 - BSI_MIN(bytes, 16));
}

/* A bit for each of 64 bytes: is it `byte`? */
BSI_CHECK_TARGET_16 BSI_INLINE uint64_t bsi_check_find(const uint8_t *at, uint8_t byte) {
    const bsi_check_16 all = BSI_CHECK_FILL(byte);
    return bsi_check_bits(BSI_CHECK_EQUAL(BSI_CHECK_LOAD(at), all),
                          BSI_CHECK_EQUAL(BSI_CHECK_LOAD(at + 16), all),
                          BSI_CHECK_EQUAL(BSI_CHECK_LOAD(at + 32), all),
                          BSI_CHECK_EQUAL(BSI_CHECK_LOAD(at + 48), all));
}

/* Ones for the first `bytes` of 64 places. */
BSI_INLINE uint64_t bsi_check_inside(size_t bytes) {
    return bytes >= 64 ? UINT64_MAX : ((uint64_t)1 << bytes) - 1;
}

BSI_CHECK_TARGET_16
static size_t bsi_check_lines_16(const uint8_t *text, size_t begin, size_t end,
                                 uint32_t *out_positions) {
    size_t count = 0;
    for (; begin < end; begin += 64) {
        uint64_t feeds = bsi_check_find(text + begin, '\n') & bsi_check_inside(end - begin);
        count = bsi_check_take(feeds, begin, out_positions, count);
        if (end - begin <= 64) {
            break;
        }
    }
    return count;
}

BSI_CHECK_TARGET_16
static size_t bsi_check_title_16(const uint8_t *from, size_t bytes) {
    size_t word = bytes;
    for (size_t i = 0; i < bytes; i += 64) {
        uint64_t inside = bsi_check_inside(bytes - i);
        uint64_t odd = bsi_check_find(from + i, '\r') | bsi_check_find(from + i, 0);
        uint64_t blanks = bsi_check_find(from + i, ' ') | bsi_check_find(from + i, '\t');
        if ((odd & inside) != 0) {
            return SIZE_MAX;
        }
        if (word == bytes && (blanks & inside) != 0) {
            word = i + bsi_cpu_lowest_one(blanks & inside);
        }
    }
    return word;
}

BSI_CHECK_TARGET_16
static int bsi_check_span_16(const uint8_t *from, size_t bytes, uint8_t low) {
    const bsi_check_16 lows = BSI_CHECK_FILL(low), top = BSI_CHECK_FILL(126 - low);
    bsi_check_16 most = BSI_CHECK_FILL(0), last;
    for (; bytes >= 16; bytes -= 16, from += 16) {
        most = BSI_CHECK_MAX(most, BSI_CHECK_SUB(BSI_CHECK_LOAD(from), lows));
    }
    last = BSI_CHECK_AND(BSI_CHECK_SUB(BSI_CHECK_LOAD(from), lows), bsi_check_cut(bytes));
    return bsi_check_sum(BSI_CHECK_OVER(BSI_CHECK_MAX(most, last), top)) == 0;
}

BSI_CHECK_TARGET_16
static int bsi_check_spans_16(const uint8_t *seq, const uint8_t *qual, size_t bytes, uint8_t low) {
    return bsi_check_span_16(seq, bytes, 33) && bsi_check_span_16(qual, bytes, low);
}

/* Each letter adds 255, the sum of a byte of ones. */
BSI_CHECK_TARGET_16
static void bsi_check_count_16(const uint8_t *seq, size_t bytes, biost_stats *stats) {
    uint64_t gc = 0, at = 0, n = 0;
    for (size_t i = 0; i < bytes; i += 16) {
        bsi_check_16 a = BSI_CHECK_AND(BSI_CHECK_LOAD(seq + i), bsi_check_cut(bytes - i));
        bsi_check_16 upper = BSI_CHECK_AND(a, BSI_CHECK_FILL(0xDF));
        a = BSI_CHECK_AND(a, BSI_CHECK_FILL(0xDB));
        gc += bsi_check_sum(BSI_CHECK_EQUAL(a, BSI_CHECK_FILL(0x43)));
        at += bsi_check_sum(BSI_CHECK_OR(BSI_CHECK_EQUAL(upper, BSI_CHECK_FILL('A')),
                                         BSI_CHECK_EQUAL(upper, BSI_CHECK_FILL('T'))));
        n += bsi_check_sum(BSI_CHECK_EQUAL(upper, BSI_CHECK_FILL('N')));
    }
    stats->acgt_count += (gc + at) / 255;
    stats->gc_count += gc / 255;
    stats->n_count += n / 255;
}

/* The quality fields of *out_stats, the others 0. All bytes are in zero..126. */
BSI_CHECK_TARGET_16
static void bsi_check_quality_16(const uint8_t *qual, size_t bytes, uint8_t zero,
                                 biost_stats *out_stats) {
    const bsi_check_16 zeros = BSI_CHECK_FILL(zero), ones = BSI_CHECK_FILL(255);
    bsi_check_16 least = ones, least_left = ones; /* left: from 255 down to a score */
    uint64_t sum = 0;
    memset(out_stats, 0, sizeof *out_stats);
    for (size_t i = 0; i < bytes; i += 16) {
        bsi_check_16 cut = bsi_check_cut(bytes - i);
        bsi_check_16 a = BSI_CHECK_AND(BSI_CHECK_SUB(BSI_CHECK_LOAD(qual + i), zeros), cut);
        sum += bsi_check_sum(a);
        least = BSI_CHECK_MIN(least, BSI_CHECK_OR(a, BSI_CHECK_SUB(ones, cut)));
        least_left = BSI_CHECK_MIN(least_left, BSI_CHECK_SUB(ones, a));
    }
    out_stats->qual_sum = sum;
    out_stats->qual_min = bytes == 0 ? 0 : bsi_check_least(least);
    out_stats->qual_max = 255 - bsi_check_least(least_left);
    out_stats->error_sum = bsi_check_errors_scalar(qual, bytes, zero);
}

BSI_CHECK_TARGET_16
static int bsi_check_spans_stats_16(const uint8_t *seq, const uint8_t *qual, size_t bytes,
                                    uint8_t zero, biost_stats *out_stats) {
    if (!bsi_check_spans_16(seq, qual, bytes, zero)) {
        return 0;
    }
    bsi_check_quality_16(qual, bytes, zero, out_stats);
    bsi_check_count_16(seq, bytes, out_stats);
    return 1;
}

static size_t bsi_check_join_16(uint8_t *to, const uint8_t *from, const uint8_t *end,
                                size_t width, size_t feed_bytes, int keep_gt) {
    return bsi_check_join_by(bsi_check_span_16, to, from, end, width, feed_bytes, keep_gt);
}

#endif

/* ---- AVX2 ---- */

#if BSI_CPU_X86_AVX2

BSI_TARGET("avx2") BSI_INLINE __m256i bsi_check_load_32(const uint8_t *from) {
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

/* Ask memory for what comes 1 KiB later. An address for a hint, not to be read through. */
BSI_INLINE void bsi_check_ask(const uint8_t *at) {
    _mm_prefetch((const char *)((uintptr_t)at + 1024), _MM_HINT_T0);
}

/* A bit for each of 32 bytes: is it `byte`? */
BSI_TARGET("avx2") BSI_INLINE uint32_t bsi_check_find_32(__m256i a, int byte) {
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, _mm256_set1_epi8((char)byte)));
}

BSI_TARGET("avx2,bmi")
static size_t bsi_check_lines_avx2(const uint8_t *text, size_t begin, size_t end,
                                   uint32_t *out_positions) {
    size_t count = 0;
    uint64_t feeds;
    for (; end - begin >= 64; begin += 64) {
        bsi_check_ask(text + begin);
        feeds = bsi_check_find_32(bsi_check_load_32(text + begin), '\n') |
                (uint64_t)bsi_check_find_32(bsi_check_load_32(text + begin + 32), '\n') << 32;
        count = bsi_check_take(feeds, begin, out_positions, count);
    }
    feeds = begin < end ? bsi_check_find(text + begin, '\n') & bsi_check_inside(end - begin) : 0;
    return bsi_check_take(feeds, begin, out_positions, count);
}

/* CR and NUL are where the lesser of a byte and its distance from CR is 0. */
BSI_TARGET("avx2,bmi")
static size_t bsi_check_title_avx2(const uint8_t *from, size_t bytes) {
    const __m256i cr = _mm256_set1_epi8('\r');
    size_t word = bytes;
    for (size_t i = 0; i < bytes; i += 32) {
        uint32_t inside = (uint32_t)bsi_check_inside(bytes - i);
        __m256i a = bsi_check_load_32(from + i);
        uint32_t odd = bsi_check_find_32(_mm256_min_epu8(a, _mm256_sub_epi8(a, cr)), 0);
        uint32_t blanks = bsi_check_find_32(a, ' ') | bsi_check_find_32(a, '\t');
        if ((odd & inside) != 0) {
            return SIZE_MAX;
        }
        if (word == bytes && (blanks & inside) != 0) {
            word = i + bsi_cpu_lowest_one(blanks & inside);
        }
    }
    return word;
}

/* Ones for the first `bytes` bytes, all for more than 32. */
BSI_TARGET("avx2") BSI_INLINE __m256i bsi_check_cut_32(size_t bytes) {
    return bsi_check_load_32(bsi_check_cuts + 32 - BSI_MIN(bytes, 32));
}

/* The larger of `most` and the distances of 32 bytes from `low`, where `cut` has ones. */
BSI_TARGET("avx2")
BSI_INLINE __m256i bsi_check_most(__m256i most, const uint8_t *from, __m256i low, __m256i cut) {
    __m256i above = _mm256_sub_epi8(bsi_check_load_32(from), low);
    return _mm256_max_epu8(most, _mm256_and_si256(above, cut));
}

BSI_TARGET("avx2")
static int bsi_check_spans_avx2(const uint8_t *seq, const uint8_t *qual, size_t bytes,
                                uint8_t low) {
    const __m256i bang = _mm256_set1_epi8(33), lows = _mm256_set1_epi8((char)low);
    const __m256i ones = _mm256_set1_epi8(-1);
    const __m256i cut = bsi_check_cut_32(bytes); /* of the last vector, which ends with the bytes */
    __m256i most = _mm256_setzero_si256(), most_qual = most;
    size_t i = 0, last = bytes < 32 ? 0 : bytes - 32;
    for (; i < last; i += 32) {
        most = bsi_check_most(most, seq + i, bang, ones);
        most_qual = bsi_check_most(most_qual, qual + i, lows, ones);
    }
    most = bsi_check_most(most, seq + last, bang, cut);
    most_qual = bsi_check_most(most_qual, qual + last, lows, cut);
    most = _mm256_subs_epu8(most, _mm256_set1_epi8(126 - 33));
    most_qual = _mm256_subs_epu8(most_qual, _mm256_set1_epi8((char)(126 - low)));
    most = _mm256_or_si256(most, most_qual);
    return _mm256_testz_si256(most, most);
}

static int bsi_check_span_avx2(const uint8_t *from, size_t bytes, uint8_t low) {
    return bsi_check_spans_avx2(from, from, bytes, low);
}

/* The sum of eight bytes each, in four words, added to *sums. */
BSI_TARGET("avx2") BSI_INLINE void bsi_check_add_32(__m256i *sums, __m256i bytes) {
    *sums = _mm256_add_epi64(*sums, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
}

BSI_TARGET("avx2") BSI_INLINE uint64_t bsi_check_total_32(__m256i sums) {
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half)));
}

/* 16 bytes, in both halves of a vector. */
BSI_TARGET("avx2") BSI_INLINE __m256i bsi_check_table(const uint8_t *from) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)from));
}

/* Letters seen: in each byte how many, of up to 255 vectors. */
typedef struct bsi_check_letters {
    __m256i acgt, gc, n;
} bsi_check_letters;

#define BSI_CHECK_LETTERS_BLOCK (255u * 32u)

/* A, C, G and T by their low four bits, where they differ; 1 and 0 stand for none. */
static const uint8_t bsi_check_acgt[16] = {1, 'A', 0, 'C', 'T', 0, 0, 'G', 0, 0, 0, 0, 0, 0, 0, 0};

BSI_TARGET("avx2") BSI_INLINE void bsi_check_see(bsi_check_letters *seen, __m256i a) {
    __m256i upper = _mm256_and_si256(a, _mm256_set1_epi8((char)0xDF));
    __m256i one = _mm256_and_si256(a, _mm256_set1_epi8((char)0xDB)); /* of C and G */
    __m256i acgt = _mm256_shuffle_epi8(bsi_check_table(bsi_check_acgt), a);
    seen->acgt = _mm256_sub_epi8(seen->acgt, _mm256_cmpeq_epi8(acgt, upper));
    seen->gc = _mm256_sub_epi8(seen->gc, _mm256_cmpeq_epi8(one, _mm256_set1_epi8(0x43)));
    seen->n = _mm256_sub_epi8(seen->n, _mm256_cmpeq_epi8(upper, _mm256_set1_epi8('N')));
}

BSI_TARGET("avx2")
BSI_INLINE void bsi_check_add_letters(const bsi_check_letters *seen, biost_stats *stats) {
    const __m256i zero = _mm256_setzero_si256();
    stats->acgt_count += bsi_check_total_32(_mm256_sad_epu8(seen->acgt, zero));
    stats->gc_count += bsi_check_total_32(_mm256_sad_epu8(seen->gc, zero));
    stats->n_count += bsi_check_total_32(_mm256_sad_epu8(seen->n, zero));
}

BSI_TARGET("avx2")
static void bsi_check_count_avx2(const uint8_t *seq, size_t bytes, biost_stats *stats) {
    const uint8_t *end = seq + bytes;
    while (seq < end) {
        const uint8_t *stop = seq + BSI_MIN((size_t)(end - seq), BSI_CHECK_LETTERS_BLOCK);
        bsi_check_letters seen;
        memset(&seen, 0, sizeof seen);
        for (; stop - seq >= 32; seq += 32) {
            bsi_check_see(&seen, bsi_check_load_32(seq));
        }
        bsi_check_see(&seen, _mm256_and_si256(bsi_check_load_32(seq),
                                              bsi_check_cut_32((size_t)(stop - seq))));
        bsi_check_add_letters(&seen, stats);
        seq = stop;
    }
}

/*
 * Sums of errors by tables of bytes: four planes hold a byte of each error, and a vector looks many of
 * them up at once.
 */
#define BSI_CHECK_BYTE_0(error) (uint8_t)((error) & 255u)
#define BSI_CHECK_BYTE_1(error) (uint8_t)((error) >> 8 & 255u)
#define BSI_CHECK_BYTE_2(error) (uint8_t)((error) >> 16 & 255u)
#define BSI_CHECK_BYTE_3(error) (uint8_t)((error) >> 24)
/* Each group twice: for both halves of a vector. */
#define BSI_CHECK_TWICE(group, byte) {group(byte), group(byte)}
#define BSI_CHECK_PLANE(byte) \
    {BSI_CHECK_TWICE(BSI_CHECK_ERRORS_0, byte), BSI_CHECK_TWICE(BSI_CHECK_ERRORS_1, byte), \
     BSI_CHECK_TWICE(BSI_CHECK_ERRORS_2, byte), BSI_CHECK_TWICE(BSI_CHECK_ERRORS_3, byte), \
     BSI_CHECK_TWICE(BSI_CHECK_ERRORS_4, byte), BSI_CHECK_TWICE(BSI_CHECK_ERRORS_5, byte)}
BSI_ALIGNED_64 static const uint8_t bsi_check_planes[4][6][32] = {
    BSI_CHECK_PLANE(BSI_CHECK_BYTE_0), BSI_CHECK_PLANE(BSI_CHECK_BYTE_1),
    BSI_CHECK_PLANE(BSI_CHECK_BYTE_2), BSI_CHECK_PLANE(BSI_CHECK_BYTE_3)};

/* Load a table: built from constants it takes longer. */
BSI_TARGET("avx2") BSI_INLINE __m256i bsi_check_twice(const uint8_t *table) {
    return *(const BSI_LOADED __m256i *)(const void *)table;
}

/* Bytes of three groups at the places below 16 of three vectors, each 16 less than the one before. */
BSI_TARGET("avx2") BSI_INLINE __m256i bsi_check_look_up(const uint8_t groups[][32], __m256i a,
                                                        __m256i b, __m256i c) {
    a = _mm256_shuffle_epi8(bsi_check_twice(groups[0]), a);
    b = _mm256_shuffle_epi8(bsi_check_twice(groups[1]), b);
    c = _mm256_shuffle_epi8(bsi_check_twice(groups[2]), c);
    return _mm256_or_si256(_mm256_or_si256(a, b), c);
}

/*
 * Sum of the errors of 48 scores from 16 * group on; the others give nothing. A shuffle gives 0 where
 * bit 7 of a place is set: adding 0x70, at most to 255, sets it for all places but 0..15.
 *   planes  in  how many bytes the errors of these scores have
 */
BSI_TARGET("avx2")
BSI_INLINE uint64_t bsi_check_errors_48(const uint8_t *qual, size_t bytes, uint8_t zero,
                                        unsigned group, int planes) {
    const __m256i base = _mm256_set1_epi8((char)(zero + 16 * group)), ones = _mm256_set1_epi8(-1);
    const __m256i away = _mm256_set1_epi8(0x70), step = _mm256_set1_epi8(16);
    __m256i sums_0 = _mm256_setzero_si256(), sums_1 = sums_0, sums_2 = sums_0, sums_3 = sums_0;
    for (size_t i = 0; i < bytes; i += 32) {
        __m256i outside = _mm256_xor_si256(bsi_check_cut_32(bytes - i), ones);
        __m256i a = _mm256_or_si256(_mm256_sub_epi8(bsi_check_load_32(qual + i), base), outside);
        __m256i b = _mm256_sub_epi8(a, step), c = _mm256_sub_epi8(b, step);
        a = _mm256_adds_epu8(a, away);
        b = _mm256_adds_epu8(b, away);
        c = _mm256_adds_epu8(c, away);
        bsi_check_add_32(&sums_0, bsi_check_look_up(bsi_check_planes[0] + group, a, b, c));
        bsi_check_add_32(&sums_1, bsi_check_look_up(bsi_check_planes[1] + group, a, b, c));
        if (planes == 4) {
            bsi_check_add_32(&sums_2, bsi_check_look_up(bsi_check_planes[2] + group, a, b, c));
            bsi_check_add_32(&sums_3, bsi_check_look_up(bsi_check_planes[3] + group, a, b, c));
        }
    }
    sums_0 = _mm256_add_epi64(sums_0, _mm256_slli_epi64(sums_1, 8));
    sums_2 = _mm256_add_epi64(sums_2, _mm256_slli_epi64(sums_3, 8));
    return bsi_check_total_32(_mm256_add_epi64(sums_0, _mm256_slli_epi64(sums_2, 16)));
}

/* Sum of the errors of qual, all of it in zero..most. */
BSI_TARGET("avx2")
static uint64_t bsi_check_errors_avx2(const uint8_t *qual, size_t bytes, uint8_t zero, uint8_t most) {
    uint64_t sum = bsi_check_errors_48(qual, bytes, zero, 0, 4);
    if (most - zero >= 48) {
        sum += bsi_check_errors_48(qual, bytes, zero, 3, 2);
    }
    return sum;
}

/* The least byte of a vector. */
BSI_TARGET("avx2") BSI_INLINE uint32_t bsi_check_least_32(__m256i a) {
    __m128i half = _mm_min_epu8(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    half = _mm_minpos_epu16(_mm_min_epu8(half, _mm_srli_epi16(half, 8)));
    return (uint32_t)_mm_cvtsi128_si32(half) & 255u;
}

/* What vectors of a read gave; left: from 255 down to a quality byte. */
typedef struct bsi_check_read {
    bsi_check_letters letters;
    __m256i most_base, least, least_left, sums;
} bsi_check_read;

/* A vector of bases and one of qualities, cut to where the read goes on. */
BSI_TARGET("avx2")
BSI_INLINE void bsi_check_see_read(bsi_check_read *read, const uint8_t *seq, const uint8_t *qual,
                                   __m256i cut) {
    const __m256i ones = _mm256_set1_epi8(-1);
    __m256i a = bsi_check_load_32(seq), b = _mm256_and_si256(bsi_check_load_32(qual), cut);
    bsi_check_see(&read->letters, _mm256_and_si256(a, cut));
    a = _mm256_and_si256(_mm256_sub_epi8(a, _mm256_set1_epi8(33)), cut);
    read->most_base = _mm256_max_epu8(read->most_base, a);
    read->least = _mm256_min_epu8(read->least, _mm256_or_si256(b, _mm256_xor_si256(cut, ones)));
    read->least_left = _mm256_min_epu8(read->least_left, _mm256_xor_si256(b, ones));
    bsi_check_add_32(&read->sums, b);
}

/* Add what a piece of a read, 1 to BSI_CHECK_LETTERS_BLOCK bases, has; the least score goes down. */
BSI_TARGET("avx2")
static int bsi_check_piece_avx2(const uint8_t *seq, const uint8_t *qual, size_t bytes, uint8_t zero,
                                biost_stats *stats) {
    const __m256i ones = _mm256_set1_epi8(-1);
    bsi_check_read read;
    uint32_t least, most;
    size_t i = 0;
    memset(&read, 0, sizeof read);
    read.least = read.least_left = ones;
    for (; bytes - i >= 32; i += 32) {
        bsi_check_see_read(&read, seq + i, qual + i, ones);
    }
    bsi_check_see_read(&read, seq + i, qual + i, bsi_check_cut_32(bytes - i));
    least = bsi_check_least_32(read.least);
    most = 255 - bsi_check_least_32(read.least_left);
    read.most_base = _mm256_subs_epu8(read.most_base, _mm256_set1_epi8(126 - 33));
    if (least < zero || most > 126 || !_mm256_testz_si256(read.most_base, read.most_base)) {
        return 0;
    }
    stats->qual_sum += bsi_check_total_32(read.sums) - (uint64_t)zero * bytes;
    stats->qual_min = BSI_MIN(stats->qual_min, least - zero);
    stats->qual_max = BSI_MAX(stats->qual_max, most - zero);
    stats->error_sum += bsi_check_errors_avx2(qual, bytes, zero, (uint8_t)most);
    bsi_check_add_letters(&read.letters, stats);
    return 1;
}

static int bsi_check_spans_stats_avx2(const uint8_t *seq, const uint8_t *qual, size_t bytes,
                                      uint8_t zero, biost_stats *out_stats) {
    size_t piece;
    memset(out_stats, 0, sizeof *out_stats);
    out_stats->qual_min = bytes == 0 ? 0 : UINT32_MAX;
    for (; bytes > 0; bytes -= piece, seq += piece, qual += piece) {
        piece = BSI_MIN(bytes, (size_t)BSI_CHECK_LETTERS_BLOCK);
        if (!bsi_check_piece_avx2(seq, qual, piece, zero, out_stats)) {
            return 0;
        }
    }
    return 1;
}

/* Lines of 32 to 96 bytes are three vectors that may overlap, all read before one is written. */
BSI_TARGET("avx2")
static size_t bsi_check_join_avx2(uint8_t *to, const uint8_t *from, const uint8_t *end,
                                  size_t width, size_t feed_bytes, int keep_gt) {
    const __m256i bang = _mm256_set1_epi8(33), top = _mm256_set1_epi8(126 - 33);
    const __m256i hole = _mm256_set1_epi8((char)(keep_gt ? 0 : '>'));
    const __m256i ones = _mm256_set1_epi8(-1);
    size_t lines = 0, step = width + feed_bytes, second, third;
    if (width < 32 || width > 96) {
        return bsi_check_join_by(bsi_check_span_avx2, to, from, end, width, feed_bytes, keep_gt);
    }
    third = width - 32;
    second = BSI_MIN(third, 32);
    for (; (size_t)(end - from) >= step; from += step, to += width, lines++) {
        __m256i a = bsi_check_load_32(from), b = bsi_check_load_32(from + second);
        __m256i c = bsi_check_load_32(from + third), bad, holes;
        bsi_check_ask(from);
        bad = bsi_check_most(_mm256_sub_epi8(a, bang), from + second, bang, ones);
        bad = _mm256_subs_epu8(bsi_check_most(bad, from + third, bang, ones), top);
        holes = _mm256_or_si256(_mm256_cmpeq_epi8(a, hole), _mm256_cmpeq_epi8(b, hole));
        bad = _mm256_or_si256(bad, _mm256_or_si256(holes, _mm256_cmpeq_epi8(c, hole)));
        if (!bsi_check_is_feed(from + width, feed_bytes) || bsi_check_is_mark(from[0]) ||
            !_mm256_testz_si256(bad, bad)) {
            break;
        }
        _mm256_storeu_si256((__m256i *)(void *)to, a);
        _mm256_storeu_si256((__m256i *)(void *)(to + second), b);
        _mm256_storeu_si256((__m256i *)(void *)(to + third), c);
    }
    return lines;
}

#endif

/*
 * ---- AVX-512 with VBMI: 64 bytes a step, no byte read that is not named; a table of 128 bytes is
 * looked up at 64 places at once. Processors without VBMI run slower with vectors that wide. ----
 */

#if BSI_CPU_X86_AVX2

#define BSI_CHECK_TARGET_64 BSI_TARGET("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,bmi,popcnt")

/* The first `bytes` bytes, at most 64, then zeros. */
BSI_CHECK_TARGET_64 BSI_INLINE __m512i bsi_check_load_64(const uint8_t *from, size_t bytes) {
    return _mm512_maskz_loadu_epi8(bsi_check_inside(bytes), from);
}

/* A bit for each of 64 bytes: is it `byte`? */
BSI_CHECK_TARGET_64 BSI_INLINE uint64_t bsi_check_find_64(__m512i a, int byte) {
    return _mm512_cmpeq_epi8_mask(a, _mm512_set1_epi8((char)byte));
}

BSI_CHECK_TARGET_64
static size_t bsi_check_lines_vbmi(const uint8_t *text, size_t begin, size_t end,
                                   uint32_t *out_positions) {
    size_t count = 0;
    uint64_t feeds;
    for (; end - begin >= 64; begin += 64) {
        bsi_check_ask(text + begin);
        feeds = bsi_check_find_64(_mm512_loadu_si512(text + begin), '\n');
        count = bsi_check_take(feeds, begin, out_positions, count);
    }
    feeds = bsi_check_find_64(bsi_check_load_64(text + begin, end - begin), '\n');
    return bsi_check_take(feeds, begin, out_positions, count);
}

BSI_CHECK_TARGET_64
static size_t bsi_check_title_vbmi(const uint8_t *from, size_t bytes) {
    const __m512i cr = _mm512_set1_epi8('\r');
    size_t word = bytes;
    for (size_t i = 0; i < bytes; i += 64) {
        uint64_t inside = bsi_check_inside(bytes - i), odd, blanks;
        __m512i a = _mm512_mask_loadu_epi8(_mm512_set1_epi8('x'), inside, from + i);
        odd = bsi_check_find_64(_mm512_min_epu8(a, _mm512_xor_si512(a, cr)), 0);
        blanks = bsi_check_find_64(a, ' ') | bsi_check_find_64(a, '\t');
        if (odd != 0) {
            return SIZE_MAX;
        }
        if (word == bytes && blanks != 0) {
            word = i + bsi_cpu_lowest_one(blanks);
        }
    }
    return word;
}

/* Of scores 0..63 the four bytes of each error. */
#define BSI_CHECK_LOW_PLANE(byte) \
    {BSI_CHECK_ERRORS_0(byte), BSI_CHECK_ERRORS_1(byte), BSI_CHECK_ERRORS_2(byte), \
     BSI_CHECK_ERRORS_3(byte)}
BSI_ALIGNED_64 static const uint8_t bsi_check_low_planes[4][64] = {
    BSI_CHECK_LOW_PLANE(BSI_CHECK_BYTE_0), BSI_CHECK_LOW_PLANE(BSI_CHECK_BYTE_1),
    BSI_CHECK_LOW_PLANE(BSI_CHECK_BYTE_2), BSI_CHECK_LOW_PLANE(BSI_CHECK_BYTE_3)};

/* Look 64 scores up, by their low six bits, and add what is found to sums of eight bytes each. */
BSI_CHECK_TARGET_64
BSI_INLINE void bsi_check_add_64(__m512i *sums, uint64_t inside, __m512i scores, __m512i table) {
    __m512i found = _mm512_maskz_permutexvar_epi8(inside, scores, table);
    *sums = _mm512_add_epi64(*sums, _mm512_sad_epu8(found, _mm512_setzero_si512()));
}

/* How many bytes are n or N? */
BSI_CHECK_TARGET_64 static uint64_t bsi_check_n_64(const uint8_t *seq, size_t bytes) {
    uint64_t n = 0;
    for (size_t i = 0; i < bytes; i += 64) {
        __m512i a = bsi_check_load_64(seq + i, bytes - i);
        a = _mm512_and_si512(a, _mm512_set1_epi8((char)0xDF));
        n += (uint64_t)_mm_popcnt_u64(bsi_check_find_64(a, 'N'));
    }
    return n;
}

/* Intrinsics with a mask of all elements: of the others GCC 12 warns that they use what is not set. */
BSI_CHECK_TARGET_64 BSI_INLINE uint32_t bsi_check_least_64(__m512i a) {
    __m256i half = _mm256_min_epu8(_mm512_maskz_extracti64x4_epi64(0xF, a, 0),
                                    _mm512_maskz_extracti64x4_epi64(0xF, a, 1));
    return bsi_check_least_32(half);
}

/* Two sums of eight words each. */
BSI_CHECK_TARGET_64
BSI_INLINE void bsi_check_total_64(__m512i a, __m512i b, uint64_t *out_a, uint64_t *out_b) {
    __m512i both = _mm512_add_epi64(_mm512_maskz_unpacklo_epi64(0xFF, a, b),
                                    _mm512_maskz_unpackhi_epi64(0xFF, a, b));
    __m256i four = _mm256_add_epi64(_mm512_maskz_extracti64x4_epi64(0xF, both, 0),
                                    _mm512_maskz_extracti64x4_epi64(0xF, both, 1));
    __m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
    *out_a = (uint64_t)_mm_cvtsi128_si64(two);
    *out_b = (uint64_t)_mm_extract_epi64(two, 1);
}

/* Two tests for N are spared where all is A, C, G and T, and a look at scores over 63. */
BSI_CHECK_TARGET_64
static int bsi_check_spans_stats_vbmi(const uint8_t *seq, const uint8_t *qual, size_t bytes,
                                      uint8_t zero, biost_stats *out_stats) {
    const __m512i plane_0 = _mm512_loadu_si512(bsi_check_low_planes[0]);
    const __m512i plane_1 = _mm512_loadu_si512(bsi_check_low_planes[1]);
    const __m512i plane_2 = _mm512_loadu_si512(bsi_check_low_planes[2]);
    const __m512i plane_3 = _mm512_loadu_si512(bsi_check_low_planes[3]);
    const __m512i acgt_table = _mm512_maskz_broadcast_i32x4(0xFFFF,
        _mm_loadu_si128((const __m128i *)(const void *)bsi_check_acgt));
    const __m512i none = _mm512_setzero_si512();
    __m512i sums = none, sums_0 = none, sums_1 = none, sums_2 = none, sums_3 = none;
    __m512i least = _mm512_set1_epi8(-1), most = none, most_base = none;
    uint64_t acgt = 0, gc = 0;
    uint32_t lowest, highest;
    for (size_t i = 0; i < bytes; i += 64) {
        uint64_t inside = bsi_check_inside(bytes - i);
        __m512i a = _mm512_maskz_loadu_epi8(inside, seq + i);
        __m512i b = _mm512_maskz_loadu_epi8(inside, qual + i);
        __m512i upper = _mm512_and_si512(a, _mm512_set1_epi8((char)0xDF));
        __m512i scores = _mm512_sub_epi8(b, _mm512_set1_epi8((char)zero));
        acgt += (uint64_t)_mm_popcnt_u64(
            _mm512_cmpeq_epi8_mask(upper, _mm512_shuffle_epi8(acgt_table, a)));
        gc += (uint64_t)_mm_popcnt_u64(
            bsi_check_find_64(_mm512_and_si512(a, _mm512_set1_epi8((char)0xDB)), 0x43));
        a = _mm512_sub_epi8(a, _mm512_set1_epi8(33));
        most_base = _mm512_mask_max_epu8(most_base, inside, most_base, a);
        sums = _mm512_add_epi64(sums, _mm512_sad_epu8(b, none));
        least = _mm512_mask_min_epu8(least, inside, least, b);
        most = _mm512_max_epu8(most, b);
        bsi_check_add_64(&sums_0, inside, scores, plane_0);
        bsi_check_add_64(&sums_1, inside, scores, plane_1);
        bsi_check_add_64(&sums_2, inside, scores, plane_2);
        bsi_check_add_64(&sums_3, inside, scores, plane_3);
    }
    lowest = bsi_check_least_64(least);
    highest = 255 - bsi_check_least_64(_mm512_xor_si512(most, _mm512_set1_epi8(-1)));
    if (_mm512_cmpgt_epu8_mask(most_base, _mm512_set1_epi8(126 - 33)) != 0 || lowest < zero ||
        highest > 126) {
        return 0;
    }
    sums_0 = _mm512_add_epi64(sums_0, _mm512_maskz_slli_epi64(0xFF, sums_1, 8));
    sums_2 = _mm512_add_epi64(sums_2, _mm512_maskz_slli_epi64(0xFF, sums_3, 8));
    sums_0 = _mm512_add_epi64(sums_0, _mm512_maskz_slli_epi64(0xFF, sums_2, 16));
    bsi_check_total_64(sums, sums_0, &out_stats->qual_sum, &out_stats->error_sum);
    out_stats->qual_sum -= (uint64_t)zero * bytes;
    out_stats->acgt_count = acgt;
    out_stats->gc_count = gc;
    out_stats->n_count = acgt == bytes ? 0 : bsi_check_n_64(seq, bytes);
    out_stats->qual_min = bytes == 0 ? 0 : lowest - zero;
    out_stats->qual_max = bytes == 0 ? 0 : highest - zero;
    if (highest >= zero + 64u) {
        out_stats->error_sum = bsi_check_errors_avx2(qual, bytes, zero, (uint8_t)highest);
    }
    return 1;
}

#endif

/* ==========================================================================
 * >>records  the FASTQ and FASTA grammar, complete
 *   uses: config bytes check       allocates: no   threads: no   I/O: no
 * ========================================================================== */

/*
 * A machine that takes text in pieces of any size and hands out one record at a time. It decides
 * line by line: a line is judged when its end is known, and only from bytes that stand before that
 * end (LOOK alone goes further). So no verdict, number or warning depends on where the text was
 * cut.
 *
 *   line      the bytes up to LF or the end of the text; one CR before that end is not content
 *   blank     a line of nothing but blanks and tabs, or of nothing at all
 *   border    where a record may start: the start of the text, and behind each record
 *
 * What each phase waits for, and where it goes. "end" is the end of all text.
 *
 *   START      three bytes or end    UTF-8 mark: skip it, warn       -> BORDER
 *                                    UTF-16 mark                     -> fault UTF16
 *   BORDER     a byte past blanks    blank line: skip it, warn       -> BORDER
 *                                    '>' or '@' that opens a line    -> TITLE
 *                                    end                             -> ENDED
 *                                    else                            -> fault BAD_START
 *   TITLE      a line                '>'                             -> BASES
 *                                    '@'                             -> SEQ
 *
 *   BASES      a byte                '>' opens a line, or end        -> COMPLETE
 *    (FASTA)   else the line         blank: skip it, warn            -> BASES
 *                                    bases: join                     -> BASES
 *
 *   SEQ        a line                empty                           -> SEQ_EMPTY
 *    (FASTQ)                         the first bases                 -> SEQ_MORE
 *   SEQ_EMPTY  a line                '+' line                        -> QUAL
 *                                    else, at the empty line         -> fault BAD_SEQ
 *   SEQ_MORE   a line                '+' line                        -> QUAL
 *                                    bases: join                     -> SEQ_MORE
 *   QUAL       a line                fewer than the bases so far     -> QUAL
 *                                    as many, all on one line        -> COMPLETE
 *                                    as many, on several lines       -> LOOK
 *                                    more                            -> fault LENGTH
 *   LOOK       the next line's       '@', a blank line, or end       -> COMPLETE
 *              start                 else, at the last quality line  -> fault LENGTH
 *
 *   COMPLETE   nothing               hand the record out             -> BORDER
 *   SKIP       a line                one that may start a record     -> BORDER
 *              (FASTQ: four)         else leave it out               -> SKIP
 *   ENDED, STOPPED                   stay: END, or BAD with `bad`; while rules.skip_bad lasts a
 *                                    fault goes on to SKIP instead
 *
 * End of text in TITLE, SEQ, SEQ_EMPTY, SEQ_MORE or QUAL is TRUNCATED, but for a read of no bases
 * in QUAL: its quality line has nothing to say and may be missing. Why LOOK: a quality that is one
 * title too short eats that title when the sum comes out right. Then a sequence line follows, so
 * the record is wrong, not the next one.
 *
 * In memory, before and after the lines of one record are joined (. is a line end, ~ bytes that
 * mean nothing any more; one-line sequence and quality are not moved):
 *
 *   >name.ACGT.AC GT.A.         >name.ACGTACGTA~~~~      text_bytes 19, seq_bases 9
 *   @name.ACGT.AC.+.IIII.II.    @name.ACGTAC~~+.IIIIII~~ text_bytes 24, seq_bases 6
 *
 * FASTA is joined line by line, FASTQ when the record is complete: a bad one is searched again, from
 * its second line on, for the start of the next.
 *
 * Runs. With `runs` set a FASTA record that the text cuts off is handed out as far as it goes, the
 * line under way included; its text is then let go, and `dropped` says how much of it. A run's bytes
 * are judged as they come, in the order of the line, so the first fault is that of the whole line.
 */
typedef enum bsi_records_phase {
    BSI_RECORDS_START = 0,
    BSI_RECORDS_BORDER,
    BSI_RECORDS_TITLE,
    BSI_RECORDS_BASES,
    BSI_RECORDS_SEQ,
    BSI_RECORDS_SEQ_EMPTY,
    BSI_RECORDS_SEQ_MORE,
    BSI_RECORDS_QUAL,
    BSI_RECORDS_LOOK,
    BSI_RECORDS_COMPLETE,
    BSI_RECORDS_SKIP,
    BSI_RECORDS_ENDED,
    BSI_RECORDS_STOPPED
} bsi_records_phase;

typedef enum bsi_records_status {
    BSI_RECORDS_RECORD,     /* *out_view is filled */
    BSI_RECORDS_RUN,        /* with the start or a middle part of a record */
    BSI_RECORDS_SKIPPED,    /* a bad record was left out; records->skipped_bad says why */
    BSI_RECORDS_NEED_TEXT,  /* nothing more can be said about the text given */
    BSI_RECORDS_END,        /* all text was read and all of it was good */
    BSI_RECORDS_BAD         /* records->bad says what is wrong; stays */
} bsi_records_status;

/*
 * One record, or a run of one. Offsets count from its first byte, text[start]: '>' or '@', but
 * behind the first run, where there is no title, a base.
 */
typedef struct bsi_records_view {
    size_t start;           /* offset in the caller's text */
    size_t text_bytes;      /* it takes here, with its last line end; FASTA: blank lines behind it too */
    size_t title_offset;    /* 1: the title follows the '>' or '@' */
    size_t title_bytes;
    size_t seq_offset;
    size_t seq_bases;
    size_t qual_offset;     /* as many bytes as bases; 0 for FASTA */
    uint64_t record;        /* 0-based number in the file */
    uint64_t line;          /* 1-based line of the title */
    uint64_t text_offset;   /* of its first byte, in the text of the file */
    uint64_t start_base;    /* of the run, in the record */
    int goes_on;            /* the record goes on in another run */
} bsi_records_view;

/*
 * The machine. To read: format, warnings, bad, partial_bases and seq_offset; and after RECORD the
 * numbers of the border behind it, record, line and text_offset. The rest is its own.
 */
typedef struct bsi_records {
    biost_format format;    /* EMPTY until the first record */
    uint32_t warnings;      /* BIOST_WARN_ bits */
    uint64_t max_record_bytes;
    biost_text rules;
    int runs;               /* set by the caller before any call: FASTA sequences are 0 whole and capped,
                               1 whole, 2 cut into runs where the text ends */
    uint64_t good_count, skipped_count, blank_count; /* as in biost_record_progress */
    bsi_bad bad;
    bsi_bad skipped_bad;    /* on SKIPPED, and while skipping */
    size_t partial_bases;   /* on BAD in FASTA: bases joined at seq_offset from good, whole lines */

    bsi_records_phase phase;
    uint64_t record;        /* number of the record under way, or the next one */
    uint64_t line;          /* number of the line under way */
    uint64_t text_offset;   /* of the record's first byte, or of the border */
    uint64_t title_line;
    uint64_t border_blanks; /* blanks and tabs passed on the border line under way */

    /* Offsets from the record's first byte, so that the caller may move the text between calls. */
    size_t line_offset;     /* the line under way */
    size_t searched_offset; /* its end is not before this */
    size_t title_bytes;
    size_t seq_offset;
    size_t seq_bases;
    size_t qual_offset;
    size_t qual_bytes;
    int many_lines;         /* sequence or quality has more than one */
    size_t last_offset;     /* the last quality line */
    size_t last_before;     /* quality characters before that line */

    /* The FASTA line under way, as far as runs have taken it. */
    uint64_t dropped;       /* bytes of the record let go: runs, and line ends squeezed out */
    int title_is_out;       /* a run of the record was handed out */
    size_t title_end;       /* offset behind the title line; 0 once it is out */
    uint64_t run_base;      /* bases let go */
    int line_begun, line_is_comment;
    uint64_t line_bases, line_blanks;
    uint64_t line_start, first_blank; /* bytes of the text of the file */
    uint8_t first_blank_byte;
    size_t line_width;      /* bases of the last plain line; 0: it had no end yet */
    size_t feed_bytes;      /* of its line end */
    /* >>check's; the portable one if the caller sets no other */
    int (*span)(const uint8_t *from, size_t bytes, uint8_t low);
    /* >>check's; set by the caller; NULL: every line is taken by the grammar */
    size_t (*join)(uint8_t *to, const uint8_t *from, const uint8_t *end, size_t width,
                   size_t feed_bytes, int keep_gt);

    /* SKIP */
    int dropping;           /* the rest of a line that starts no record */
    uint32_t end_count;     /* ends found of the lines that may be a record */
    size_t ends[4];

    uint8_t is_letter[256]; /* rules.letters as a set */
} bsi_records;

/* The text of one call, from the record's first byte or the border on. */
typedef struct bsi_records_text {
    uint8_t *from;
    size_t bytes;
    int ended;              /* nonzero: no text follows */
} bsi_records_text;

/* A line whose end is known. */
typedef struct bsi_records_line {
    uint8_t *text;          /* the record's first byte */
    size_t offset;          /* of the line, from there */
    size_t bytes;           /* content, without LF and one CR before it */
    int has_feed;           /* 0: it ends with the text */
    int is_part;            /* its end is not known yet; of FASTA in runs */
    uint64_t number;
} bsi_records_line;

/* A sample id keeps 40 bits for the record's number in its file. */
#define BSI_RECORDS_LAST (((uint64_t)1 << 40) - 1)

BSI_INLINE int bsi_records_is_blank(uint8_t byte) {
    return byte == ' ' || byte == '\t';
}

BSI_INLINE int bsi_records_is_printable(uint8_t byte) {
    return byte >= 33 && byte <= 126;
}

/* The name of a title: its first word, behind blanks and tabs; none: 0 bytes, start at the end. */
static void bsi_records_name(const uint8_t *title, size_t title_bytes, size_t *out_start,
                             size_t *out_bytes) {
    size_t start = 0;
    while (start < title_bytes && bsi_records_is_blank(title[start])) {
        ++start;
    }
    *out_start = start;
    *out_bytes = (size_t)(bsi_check_blank(title + start, title + title_bytes) - title) - start;
}

/*
 * Where the comment of a title starts: all that stands behind its name, which ends at `name_end`,
 * and one blank or tab; none: at the end.
 */
BSI_INLINE size_t bsi_records_comment(size_t title_bytes, size_t name_end) {
    return name_end + (name_end < title_bytes);
}

/*
 * Set the machine to a record border inside a file. record, line and text_offset are those another
 * machine held there. No byte order mark is looked for. format is the file's; EMPTY lets the first
 * record decide. Rules are the strict ones.
 */
static void bsi_records_resume(bsi_records *records, uint64_t max_record_bytes, uint64_t record,
                               uint64_t line, uint64_t text_offset, biost_format format) {
    memset(records, 0, sizeof *records);
    records->format = format;
    records->max_record_bytes = max_record_bytes;
    records->phase = BSI_RECORDS_BORDER;
    records->span = bsi_check_span_scalar;
    records->record = record;
    records->line = line;
    records->text_offset = text_offset;
}

/* Set the machine to the start of a file. max_record_bytes: UINT64_MAX for no cap. */
static void bsi_records_begin(bsi_records *records, uint64_t max_record_bytes) {
    bsi_records_resume(records, max_record_bytes, 0, 1, 0, BIOST_FORMAT_EMPTY);
    records->phase = BSI_RECORDS_START;
}

/* Take the caller's rules, right after begin or resume. */
static void bsi_records_set_rules(bsi_records *records, const biost_text *rules) {
    static const char *const sets[] = {"", "ACGTN", "ACGTNRYSWKMBDHV", "ACGUN",
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ*"};
    const char *letter = sets[rules->letters];
    records->rules = *rules;
    for (; *letter != '\0'; ++letter) {
        records->is_letter[(uint8_t)*letter] = 1;
        records->is_letter[(uint8_t)*letter | 0x20u] = 1; /* '*' has that bit already */
    }
}

/*
 * Stop at a fault `offset` bytes behind the record's first byte. The caller adds byte, a and b
 * where they say more.
 */
BSI_COLD static void bsi_records_fail(bsi_records *records, biost_fault fault, uint64_t line,
                                      size_t offset) {
    memset(&records->bad, 0, sizeof records->bad);
    records->bad.fault = fault;
    records->bad.record = records->record;
    records->bad.line = line;
    records->bad.text_offset = records->text_offset + records->dropped + offset;
    records->partial_bases = records->format == BIOST_FORMAT_FASTA ? records->seq_bases : 0;
    records->phase = BSI_RECORDS_STOPPED;
}

/* Stop at one byte: NUL and CR have faults of their own, any other byte is `otherwise`. */
BSI_COLD static void bsi_records_fail_byte(bsi_records *records, const bsi_records_line *line,
                                           size_t offset, biost_fault otherwise) {
    uint8_t byte = line->text[offset];
    biost_fault fault = byte == 0      ? BIOST_FAULT_NUL
                        : byte == '\r' ? BIOST_FAULT_CR_IN_LINE
                                       : otherwise;
    bsi_records_fail(records, fault, line->number, offset);
    records->bad.byte = byte;
}

/* Stop because the quality has a characters and the sequence its bases. */
BSI_COLD static void bsi_records_fail_length(bsi_records *records, uint64_t line, size_t offset,
                                             size_t a) {
    bsi_records_fail(records, BIOST_FAULT_LENGTH, line, offset);
    records->bad.a = a;
    records->bad.b = records->seq_bases;
}

/*
 * START: see whether a byte order mark stands in front, and move the border behind it. 0: more text
 * is needed. Three bytes settle it; fewer that end the text are no mark of UTF-8.
 */
static int bsi_records_see_mark(bsi_records *records, const bsi_records_text *text,
                                size_t *out_advance) {
    const uint8_t *from = text->from;
    if (text->bytes < 3 && !text->ended) {
        return 0;
    }
    records->phase = BSI_RECORDS_BORDER;
    if (text->bytes >= 3 && from[0] == 0xEF && from[1] == 0xBB && from[2] == 0xBF) {
        records->warnings |= (uint32_t)BIOST_WARN_BOM;
        *out_advance = 3;
    } else if (text->bytes >= 2 &&
               ((from[0] == 0xFE && from[1] == 0xFF) || (from[0] == 0xFF && from[1] == 0xFE))) {
        bsi_records_fail(records, BIOST_FAULT_UTF16, 1, 0);
        records->bad.byte = from[0];
    }
    return 1;
}

/*
 * How many bytes of line end stand at `at`, which is inside the text: 1 for LF, 2 for CR LF, 1 for
 * a CR that ends the text. 0: no line end. -1: a CR whose next byte is still to come.
 */
static int bsi_records_line_end(const bsi_records_text *text, size_t at) {
    if (text->from[at] != '\r') {
        return text->from[at] == '\n';
    }
    if (at + 1 == text->bytes) {
        return text->ended ? 1 : -1;
    }
    return text->from[at + 1] == '\n' ? 2 : 0;
}

/*
 * BORDER, on a byte that is no blank line's: a record opens here, or the file is not what it should
 * be.
 */
static void bsi_records_open(bsi_records *records, uint8_t byte) {
    biost_format format = byte == '>'   ? BIOST_FORMAT_FASTA
                          : byte == '@' ? BIOST_FORMAT_FASTQ
                                        : BIOST_FORMAT_EMPTY;
    int fits = records->format == BIOST_FORMAT_EMPTY || records->format == format;
    if (format == BIOST_FORMAT_EMPTY || !fits || records->border_blanks > 0 ||
        records->line_is_comment) {
        bsi_records_fail(records,
                         !records->line_is_comment ? BIOST_FAULT_BAD_START
                         : byte == 0               ? BIOST_FAULT_NUL
                                                   : BIOST_FAULT_CR_IN_LINE,
                         records->line, 0);
        records->bad.byte = byte;
        records->bad.a = records->border_blanks;
        return;
    }
    records->format = format;
    records->title_line = records->line;
    records->line_offset = 0;
    records->searched_offset = 0;
    records->phase = BSI_RECORDS_TITLE;
    if (records->record > BSI_RECORDS_LAST) {
        bsi_records_fail(records, BIOST_FAULT_TOO_MANY, records->line, 0);
    }
}

/* BORDER: whether a byte that ends no line belongs to a comment to be left out. */
static int bsi_records_in_comment(bsi_records *records, uint8_t byte) {
    if (records->line_is_comment) {
        return byte != 0 && byte != '\r';
    }
    records->line_is_comment = records->rules.skip_comments && (byte == '#' || byte == ';') &&
                               records->border_blanks == 0 &&
                               records->format == BIOST_FORMAT_EMPTY;
    return records->line_is_comment;
}

/* BORDER: a line without a record is over: a blank one, or a comment. 0: stopped. */
static int bsi_records_end_border_line(bsi_records *records) {
    if (records->line_is_comment) {
        records->warnings |= (uint32_t)BIOST_WARN_SKIPPED_COMMENTS;
    } else if (records->rules.pedantic) {
        bsi_records_fail(records, BIOST_FAULT_BLANK_LINE, records->line, 0);
        records->bad.text_offset -= records->border_blanks;
        return 0;
    } else {
        records->warnings |= (uint32_t)BIOST_WARN_BLANK_LINES;
    }
    records->line_is_comment = 0;
    records->border_blanks = 0;
    records->line += 1;
    return 1;
}

/* BORDER: all text is over. */
static void bsi_records_end_text(bsi_records *records) {
    if ((records->border_blanks > 0 || records->line_is_comment) &&
        !bsi_records_end_border_line(records)) {
        return;
    }
    records->phase = BSI_RECORDS_ENDED;
    if (records->rules.require_record && records->good_count == 0) {
        bsi_records_fail(records, BIOST_FAULT_NO_RECORD, 0, 0);
        records->bad.record = 0;
        records->bad.text_offset = 0;
    }
}

/*
 * BORDER: skip blank lines up to the first byte of a record. 0: more text is needed. Blanks are let
 * go as they come, so that no length of them needs memory; border_blanks remembers that the line
 * under way began with some.
 */
static int bsi_records_cross_border(bsi_records *records, const bsi_records_text *text,
                                    size_t *out_advance) {
    size_t at = 0;
    int end_bytes = 0, goes_on = 1;
    while (at < text->bytes && goes_on) {
        if (bsi_records_is_blank(text->from[at]) && !records->line_is_comment) {
            records->border_blanks += 1;
            at += 1;
            continue;
        }
        end_bytes = bsi_records_line_end(text, at);
        if (end_bytes > 0) {
            records->text_offset += at; /* where a fault of this line counts from */
            goes_on = bsi_records_end_border_line(records);
            records->text_offset -= at;
            at += goes_on ? (size_t)end_bytes : 0;
        } else if (end_bytes < 0 || !bsi_records_in_comment(records, text->from[at])) {
            break;
        } else {
            at += 1;
        }
    }
    records->text_offset += at;
    *out_advance = at;
    if (goes_on && at < text->bytes && end_bytes == 0) {
        bsi_records_open(records, text->from[at]);
    } else if (goes_on && at == text->bytes && text->ended) {
        bsi_records_end_text(records);
    } else {
        return !goes_on;
    }
    return 1;
}

/*
 * BASES, of a line whose end is still to come: take what there is of it. Its last byte waits if it
 * may belong to the line end. 0: nothing to take.
 */
static int bsi_records_take_part(bsi_records *records, const bsi_records_text *text,
                                 bsi_records_line *out_line) {
    size_t content_end = text->bytes - (text->from[text->bytes - 1] == '\r');
    out_line->text = text->from;
    out_line->offset = records->line_offset;
    out_line->bytes = content_end - records->line_offset;
    out_line->has_feed = 0;
    out_line->is_part = 1;
    out_line->number = records->line;
    records->line_offset = content_end;
    records->searched_offset = content_end;
    return out_line->bytes > 0;
}

/*
 * Find the end of the line under way and step over it. 0: it is still to come, or the record is too
 * long. The search goes on where it stopped. Of a line without an end only the last byte may turn
 * out to be no content, a CR: so with max + 2 bytes the content is known to be over the cap, and
 * the verdict is that of the whole line.
 */
static int bsi_records_take_line(bsi_records *records, const bsi_records_text *text,
                                 bsi_records_line *out_line) {
    const uint8_t *end = text->from + text->bytes;
    const uint8_t *feed = bsi_bytes_find(text->from + records->searched_offset, end, '\n');
    size_t stop = (size_t)(feed - text->from);
    size_t content_end;
    int in_run = records->runs > 0 && records->phase == BSI_RECORDS_BASES;
    records->searched_offset = stop;
    if (feed == end && !text->ended && records->runs == 2 && in_run) {
        return bsi_records_take_part(records, text, out_line);
    }
    if (feed == end && !text->ended &&
        (in_run || stop + records->dropped - 1 <= records->max_record_bytes)) {
        return 0;
    }
    content_end = stop - (stop > records->line_offset && text->from[stop - 1] == '\r');
    if (BSI_UNLIKELY(content_end + records->dropped > records->max_record_bytes && !in_run)) {
        bsi_records_fail(records, BIOST_FAULT_RECORD_TOO_LONG, records->line,
                         (size_t)(records->max_record_bytes - records->dropped));
        records->bad.a = records->max_record_bytes;
        return 0;
    }
    out_line->text = text->from;
    out_line->offset = records->line_offset;
    out_line->bytes = content_end - records->line_offset;
    out_line->has_feed = feed != end;
    out_line->is_part = 0;
    out_line->number = records->line;
    records->line += 1;
    records->line_offset = stop + (feed != end);
    records->searched_offset = records->line_offset;
    return 1;
}

/*
 * Move a line's content left to where it goes on; both places lie in the record, and `to` is not
 * behind the line.
 */
BSI_INLINE void bsi_records_join(const bsi_records_line *line, size_t to) {
    if (to != line->offset) {
        memmove(line->text + to, line->text + line->offset, line->bytes);
    }
}

/* Titles and '+' lines may hold any byte but NUL and CR. 0: stopped at the first of them. */
static int bsi_records_check_title(bsi_records *records, const bsi_records_line *line) {
    const uint8_t *from = line->text + line->offset;
    const uint8_t *end = from + line->bytes;
    const uint8_t *nul = bsi_bytes_find(from, end, 0);
    const uint8_t *first = bsi_bytes_find(from, nul, '\r');
    if (BSI_UNLIKELY(first != end)) {
        bsi_records_fail_byte(records, line, (size_t)(first - line->text), BIOST_FAULT_NUL);
        return 0;
    }
    return 1;
}

/*
 * FASTQ sequence and quality take `low`..126: 33, or in Phred + 64 qualities 64. 0: stopped at the
 * first other byte.
 */
static int bsi_records_check_bytes(bsi_records *records, const bsi_records_line *line, uint8_t low,
                                   biost_fault fault) {
    size_t at = line->offset, end = at + line->bytes;
    if (BSI_LIKELY(records->span(line->text + at, line->bytes, low))) {
        return 1;
    }
    while (at < end && line->text[at] >= low && line->text[at] <= 126) {
        ++at;
    }
    if (at < end) {
        bsi_records_fail_byte(records, line, at, fault);
    }
    return at == end;
}

/* TITLE: the line from '>' or '@' on. */
static void bsi_records_title_line(bsi_records *records, const bsi_records_line *line) {
    size_t name, name_bytes;
    if (!bsi_records_check_title(records, line)) {
        return;
    }
    records->title_bytes = line->bytes - 1;
    records->title_end = records->line_offset;
    records->seq_offset = records->line_offset;
    records->phase = records->format == BIOST_FORMAT_FASTA ? BSI_RECORDS_BASES : BSI_RECORDS_SEQ;
    bsi_records_name(line->text + 1, records->title_bytes, &name, &name_bytes);
    if (records->rules.pedantic && name_bytes == 0) {
        bsi_records_fail(records, BIOST_FAULT_NO_NAME, line->number, 0);
    }
}

/*
 * What is wrong with one byte of a FASTA sequence line, blanks and tabs apart; NONE: it is a base.
 *   opens_line  in  nothing but blanks stands before it: once they are left out it could open a line
 */
static biost_fault bsi_records_base_fault(const bsi_records *records, uint8_t byte,
                                          int opens_line) {
    const biost_text *rules = &records->rules;
    if (opens_line && byte == ';') {
        return BIOST_FAULT_COMMENT_LINE;
    }
    if (opens_line && (byte == '@' || byte == '+')) {
        return BIOST_FAULT_FASTQ_IN_FASTA;
    }
    if (byte == '>' && (opens_line || !rules->keep_gt)) {
        return BIOST_FAULT_GT_IN_SEQ;
    }
    if (!bsi_records_is_printable(byte)) {
        return BIOST_FAULT_BAD_SEQ_BYTE;
    }
    return rules->letters != BIOST_LETTERS_ANY && !rules->replace_letters &&
                   !records->is_letter[byte]
               ? BIOST_FAULT_BAD_LETTER
               : BIOST_FAULT_NONE;
}

/* Whether every byte is one of rules.letters. */
static int bsi_records_all_letters(const bsi_records *records, const uint8_t *from, size_t bytes) {
    uint8_t all = 1;
    size_t at;
    for (at = 0; at < bytes && records->rules.letters != BIOST_LETTERS_ANY; ++at) {
        all &= records->is_letter[from[at]];
    }
    return all;
}

/* The letter itself, or what it is replaced by. */
static uint8_t bsi_records_letter(bsi_records *records, uint8_t byte) {
    if (records->rules.letters == BIOST_LETTERS_ANY || records->is_letter[byte]) {
        return byte;
    }
    records->warnings |= (uint32_t)BIOST_WARN_REPLACED_LETTERS;
    return records->rules.letters == BIOST_LETTERS_PROTEIN ? 'X' : 'N';
}

/*
 * BASES: look for the first fault of a line that is not plain. Under pedantic rules a blank is one
 * as soon as the line has anything else. 0: stopped.
 */
static int bsi_records_check_bases(bsi_records *records, const bsi_records_line *line) {
    uint64_t here = records->text_offset + records->dropped;
    size_t start = line->offset, end = start + line->bytes, at;
    for (at = start; at < end; ++at) {
        uint8_t byte = line->text[at];
        int is_blank = bsi_records_is_blank(byte);
        biost_fault fault = bsi_records_base_fault(records, byte, records->line_bases == 0);
        if (is_blank && records->line_blanks == 0) {
            records->first_blank = here + at;
            records->first_blank_byte = byte;
        }
        records->line_blanks += (uint64_t)is_blank;
        records->line_bases += (uint64_t)!is_blank;
        if (records->rules.pedantic && records->line_blanks > 0 && records->line_bases > 0) {
            bsi_records_fail(records, BIOST_FAULT_BAD_SEQ_BYTE, line->number, 0);
            records->bad.text_offset = records->first_blank;
            records->bad.byte = records->first_blank_byte;
            return 0;
        }
        if (fault != BIOST_FAULT_NONE && !is_blank) {
            bsi_records_fail_byte(records, line, at, fault);
            return 0;
        }
    }
    return 1;
}

/*
 * BASES, a line that is not plain: find its first fault, or take its blanks out. Two passes, so
 * that a line with a fault stays as it was and partial_bases counts good lines only. Writing never
 * overtakes reading: `to` starts at or before the line and moves at most as fast.
 */
static void bsi_records_blanked_line(bsi_records *records, const bsi_records_line *line) {
    size_t end = line->offset + line->bytes;
    size_t to = records->seq_offset + records->seq_bases;
    size_t at;
    if (!bsi_records_check_bases(records, line)) {
        return;
    }
    for (at = line->offset; at < end; ++at) {
        uint8_t byte = line->text[at];
        if (!bsi_records_is_blank(byte)) {
            line->text[to++] = bsi_records_letter(records, byte);
        }
    }
    records->seq_bases = to - records->seq_offset;
}

/* BASES: the end of a line, all of it taken. */
static void bsi_records_end_bases(bsi_records *records, const bsi_records_line *line) {
    records->line_begun = 0;
    if (records->line_is_comment) {
        records->warnings |= (uint32_t)BIOST_WARN_SKIPPED_COMMENTS;
        records->line_is_comment = 0;
    } else if (records->line_bases == 0 && records->rules.pedantic) {
        bsi_records_fail(records, BIOST_FAULT_BLANK_LINE, line->number, 0);
        records->bad.text_offset = records->line_start;
    } else if (records->line_bases == 0) {
        records->warnings |= (uint32_t)BIOST_WARN_BLANK_LINES;
    } else if (records->line_blanks > 0) {
        records->warnings |= (uint32_t)BIOST_WARN_BLANKS_REMOVED;
        records->blank_count += records->line_blanks;
    }
}

/* BASES: whether a line, or a part of one, is bases that need no second look. */
static int bsi_records_is_plain(const bsi_records *records, const uint8_t *from, size_t bytes) {
    return bytes > 0 && bsi_records_base_fault(records, *from, 1) == BIOST_FAULT_NONE &&
           records->span(from, bytes, 33) &&
           (records->rules.keep_gt || bsi_bytes_find(from, from + bytes, '>') == from + bytes) &&
           bsi_records_all_letters(records, from, bytes) &&
           !(records->rules.pedantic && records->line_blanks > 0);
}

/* BASES: a line of a FASTA sequence, blank or not. The first bases stay where they are. */
static void bsi_records_bases_line(bsi_records *records, const bsi_records_line *line) {
    const uint8_t *from = line->text + line->offset;
    if (!records->line_begun) {
        records->line_begun = 1;
        records->line_is_comment =
            records->rules.skip_comments && line->bytes > 0 && *from == ';';
        records->line_start = records->text_offset + records->dropped + line->offset;
        records->line_bases = 0;
        records->line_blanks = 0;
    }
    if (records->seq_bases == 0 && line->bytes > 0) {
        records->seq_offset = line->offset;
    }
    if (records->line_is_comment) {
        (void)bsi_records_check_title(records, line);
    } else if (bsi_records_is_plain(records, from, line->bytes)) {
        bsi_records_join(line, records->seq_offset + records->seq_bases);
        records->seq_bases += line->bytes;
        records->line_bases += line->bytes;
        records->line_width = line->has_feed ? line->bytes : 0;
        records->feed_bytes = records->line_offset - (line->offset + line->bytes);
    } else {
        bsi_records_blanked_line(records, line);
    }
    if (!line->is_part && records->phase == BSI_RECORDS_BASES) {
        bsi_records_end_bases(records, line);
    }
}

/*
 * BASES, at the start of a line: take lines at [from, end) as wide as the one before, as long as they
 * are plain. They go behind the bases; line_offset is left to the caller. Returns how many.
 */
static size_t bsi_records_join_lines(bsi_records *records, uint8_t *to, const uint8_t *from,
                                     const uint8_t *end) {
    size_t width = records->line_width, feed_bytes = records->feed_bytes, count;
    uint64_t start = records->dropped + records->line_offset, last;
    if (records->join == NULL || records->line_begun || width == 0 || records->seq_bases == 0 ||
        records->rules.letters != BIOST_LETTERS_ANY) {
        return 0;
    }
    last = bsi_bytes_add(records->max_record_bytes, feed_bytes); /* no line ends behind the cap */
    last = last > start ? last - start : 0;
    if (records->runs == 0 && (uint64_t)(end - from) > last) {
        end = from + last;
    }
    count = records->join(to, from, end, width, feed_bytes, records->rules.keep_gt);
    records->seq_bases += count * width;
    records->line += count;
    return count;
}

/* The same in the text at hand. */
static void bsi_records_join_plain(bsi_records *records, const bsi_records_text *text) {
    size_t step = records->line_width + records->feed_bytes;
    records->line_offset +=
        step * bsi_records_join_lines(records,
                                      text->from + records->seq_offset + records->seq_bases,
                                      text->from + records->line_offset, text->from + text->bytes);
    records->searched_offset = BSI_MAX(records->searched_offset, records->line_offset);
}

/*
 * BASES, all text used up to the end of a line: the next lines, which the caller has elsewhere at
 * [from, end), are joined behind the bases, without the way through the text at hand.
 *
 *   text  in/out  the record's first byte; with room for the lines
 *
 * Returns the bytes taken from there; *out_bytes is then how much of the record the text holds.
 */
static size_t bsi_records_join_from(bsi_records *records, uint8_t *text, const uint8_t *from,
                                    const uint8_t *end, size_t *out_bytes) {
    size_t seq_end = records->seq_offset + records->seq_bases, count;
    records->dropped += records->line_offset - seq_end; /* line ends that nobody needs */
    records->line_offset = seq_end;
    count = bsi_records_join_lines(records, text + seq_end, from, end);
    records->line_offset += count * records->line_width;
    records->searched_offset = records->line_offset;
    records->dropped += count * records->feed_bytes;
    *out_bytes = records->line_offset;
    return count * (records->line_width + records->feed_bytes);
}

/* SEQ, SEQ_MORE: a line of bases follows those before. */
static void bsi_records_add_bases(bsi_records *records, const bsi_records_line *line) {
    if (bsi_records_check_bytes(records, line, 33, BIOST_FAULT_BAD_SEQ_BYTE)) {
        records->many_lines |= records->seq_bases > 0;
        records->seq_bases += line->bytes;
        records->phase = BSI_RECORDS_SEQ_MORE;
    }
}

/* SEQ, SEQ_MORE: leave out the blanks at the end of a line, if the rules allow; says how many. */
static size_t bsi_records_strip(const bsi_records *records, bsi_records_line *line) {
    const uint8_t *from = line->text + line->offset;
    size_t before = line->bytes;
    if (!records->rules.strip_blanks || before == 0 || *from == '+') {
        return 0;
    }
    while (line->bytes > 0 && bsi_records_is_blank(from[line->bytes - 1])) {
        line->bytes -= 1;
    }
    return before - line->bytes;
}

/*
 * Whether the text of a '+' line, the '+' left out, is the title as it stood or its name. A line
 * cut off by the end of the text passes if it was on the way there: the fault is then that the
 * text ends.
 */
static int bsi_records_plus_fits(const uint8_t *plus, size_t bytes, const bsi_records *records,
                                 const uint8_t *title, int is_cut) {
    size_t start;
    size_t name_bytes;
    bsi_records_name(title, records->title_bytes, &start, &name_bytes);
    if (bytes == records->title_bytes || (is_cut && bytes < records->title_bytes)) {
        if (memcmp(plus, title, bytes) == 0) {
            return 1;
        }
    }
    return (bytes == name_bytes || (is_cut && bytes < name_bytes)) &&
           memcmp(plus, title + start, bytes) == 0;
}

/* SEQ_EMPTY, SEQ_MORE: the '+' line. */
static void bsi_records_plus_line(bsi_records *records, const bsi_records_line *line) {
    const uint8_t *plus = line->text + line->offset + 1;
    int is_cut = !line->has_feed && records->seq_bases > 0;
    records->phase = BSI_RECORDS_QUAL;
    records->qual_offset = records->line_offset;
    if (line->bytes == 1 || !bsi_records_check_title(records, line)) {
        return;
    }
    if (!records->rules.ignore_plus &&
        !bsi_records_plus_fits(plus, line->bytes - 1, records, line->text + 1, is_cut)) {
        bsi_records_fail(records, BIOST_FAULT_PLUS_MISMATCH, line->number, line->offset);
    }
}

/*
 * SEQ, SEQ_EMPTY, SEQ_MORE: a line between the title and the quality. A lone CR that ends the text
 * is no empty line: the text was cut off in it, and TRUNCATED follows.
 */
static void bsi_records_seq_line(bsi_records *records, bsi_records_line *line) {
    size_t blanks = bsi_records_strip(records, line);
    uint8_t first = line->bytes == 0 ? (uint8_t)'\n' : line->text[line->offset];
    int is_first = records->phase == BSI_RECORDS_SEQ;
    if (records->rules.four_lines && !is_first && first != '+' &&
        (line->has_feed || line->bytes > 0)) {
        bsi_records_fail(records, BIOST_FAULT_BAD_SEP, line->number, line->offset);
    } else if (first == '\n' && (is_first || !line->has_feed)) {
        records->phase = BSI_RECORDS_SEQ_EMPTY;
    } else if (first == '+' && !is_first) {
        bsi_records_plus_line(records, line);
    } else if (records->phase == BSI_RECORDS_SEQ_EMPTY) {
        bsi_records_fail(records, BIOST_FAULT_BAD_SEQ, line->number - 1, records->seq_offset);
    } else if (first == '\n' || first == '+') {
        bsi_records_fail(records, BIOST_FAULT_BAD_SEQ, line->number, line->offset);
    } else if (first == '@' || first == '>') {
        bsi_records_fail_byte(records, line, line->offset,
                              is_first ? BIOST_FAULT_BAD_SEQ_BYTE : BIOST_FAULT_BAD_SEP);
    } else {
        bsi_records_add_bases(records, line);
    }
    if (blanks > 0 && records->phase != BSI_RECORDS_STOPPED) {
        records->warnings |= (uint32_t)BIOST_WARN_BLANKS_REMOVED;
        records->blank_count += blanks;
    }
}

/*
 * QUAL: a line of quality joins those before. It is known by its place and counted; its first byte
 * may be any.
 */
static void bsi_records_qual_line(bsi_records *records, const bsi_records_line *line) {
    size_t missing = records->seq_bases - records->qual_bytes;
    int is_first = records->qual_bytes == 0;
    uint8_t low = records->rules.phred64 ? 64 : 33;
    int is_short = records->rules.four_lines && line->bytes < missing && line->has_feed;
    if (is_short || line->bytes > missing || (line->bytes == 0 && missing > 0 && line->has_feed)) {
        size_t counted = is_first ? line->bytes : records->qual_bytes;
        bsi_records_fail_length(records, line->number, line->offset, counted);
        return;
    }
    if (!bsi_records_check_bytes(records, line, low, BIOST_FAULT_BAD_QUAL_BYTE)) {
        return;
    }
    records->many_lines |= !is_first;
    records->last_offset = line->offset;
    records->last_before = records->qual_bytes;
    records->qual_bytes += line->bytes;
    if (line->bytes == missing) {
        records->phase = is_first ? BSI_RECORDS_COMPLETE : BSI_RECORDS_LOOK;
    }
}

/*
 * LOOK: a quality of several lines is believed if a record, a blank line or the end follows. 0:
 * more text is needed. Blanks that reach past max + 2 count as a blank line, so that max + 4
 * bytes of text settle every record: the content ended at max or before, so its line at max + 2
 * or before, and what lies beyond are blanks. `at` is behind a whole record and cannot be below
 * 2.
 */
static int bsi_records_look(bsi_records *records, const bsi_records_text *text) {
    size_t at = records->searched_offset;
    int end_bytes = 1;
    while (at < text->bytes && bsi_records_is_blank(text->from[at])) {
        ++at;
    }
    records->searched_offset = at;
    if (at - 2 > records->max_record_bytes) {
        end_bytes = 1;
    } else if (at == text->bytes) {
        end_bytes = text->ended ? 1 : -1;
    } else if (text->from[at] != '@' || at != records->line_offset) {
        end_bytes = bsi_records_line_end(text, at);
    }
    if (end_bytes == 0) {
        bsi_records_fail_length(records, records->line - 1, records->last_offset,
                                records->last_before);
    } else if (end_bytes > 0) {
        records->phase = BSI_RECORDS_COMPLETE;
    }
    return end_bytes >= 0;
}

/* The text is over and its last line was taken: complete, or cut off inside a record. */
static void bsi_records_run_out(bsi_records *records) {
    int no_bases = records->phase == BSI_RECORDS_QUAL && records->seq_bases == 0;
    if (records->phase == BSI_RECORDS_BASES && records->line_begun) {
        bsi_records_line line; /* its end is that of the text */
        memset(&line, 0, sizeof line);
        line.number = records->line++;
        bsi_records_end_bases(records, &line);
    }
    if (records->phase == BSI_RECORDS_BASES || no_bases) {
        records->phase = BSI_RECORDS_COMPLETE;
    } else if (records->phase != BSI_RECORDS_STOPPED) {
        bsi_records_fail(records, BIOST_FAULT_TRUNCATED, records->line - 1, records->line_offset);
    }
}

/*
 * One step inside a record. 0: more text is needed. Every step that returns 1 took a line or
 * changed the phase.
 */
static int bsi_records_step(bsi_records *records, const bsi_records_text *text) {
    bsi_records_line line;
    if (records->phase == BSI_RECORDS_LOOK) {
        return bsi_records_look(records, text);
    }
    if (records->phase == BSI_RECORDS_BASES) {
        bsi_records_join_plain(records, text);
    }
    if (records->line_offset == text->bytes) {
        if (text->ended) {
            bsi_records_run_out(records);
        }
        return text->ended;
    }
    if (records->phase == BSI_RECORDS_BASES && !records->line_begun &&
        text->from[records->line_offset] == '>') {
        records->phase = BSI_RECORDS_COMPLETE;
        return 1;
    }
    if (!bsi_records_take_line(records, text, &line)) {
        return records->phase == BSI_RECORDS_STOPPED;
    }
    if (records->phase == BSI_RECORDS_TITLE) {
        bsi_records_title_line(records, &line);
    } else if (records->phase == BSI_RECORDS_BASES) {
        bsi_records_bases_line(records, &line);
    } else if (records->phase == BSI_RECORDS_QUAL) {
        bsi_records_qual_line(records, &line);
    } else {
        bsi_records_seq_line(records, &line);
    }
    return 1;
}

/*
 * COMPLETE, FASTQ with a set of letters: look at those of the sequence, as it lies in its lines, and
 * replace the others. 0: stopped.
 */
static int bsi_records_check_letters(bsi_records *records, uint8_t *text) {
    uint64_t line = records->title_line + 1;
    size_t at = records->seq_offset, seen;
    for (seen = 0; seen < records->seq_bases; ++at) {
        uint8_t byte = text[at];
        line += byte == '\n';
        if (!bsi_records_is_printable(byte)) {
            continue;
        }
        if (!records->rules.replace_letters && !records->is_letter[byte]) {
            bsi_records_fail(records, BIOST_FAULT_BAD_LETTER, line, at);
            records->bad.byte = byte;
            return 0;
        }
        text[at] = bsi_records_letter(records, byte);
        ++seen;
    }
    return 1;
}

/* Close the gaps that line ends, and blanks before them, leave between `bytes` printable ones. */
static void bsi_records_close_up(uint8_t *text, size_t offset, size_t bytes) {
    size_t at = offset, end = offset + bytes;
    for (; offset < end; ++at) {
        if (bsi_records_is_printable(text[at])) {
            text[offset++] = text[at];
        }
    }
}

/* COMPLETE: give a FASTQ record the form it is handed out in. 0: stopped. */
static int bsi_records_finish(bsi_records *records, uint8_t *text) {
    size_t at;
    if (records->format != BIOST_FORMAT_FASTQ) {
        return 1;
    }
    if (records->rules.letters != BIOST_LETTERS_ANY && !bsi_records_check_letters(records, text)) {
        return 0;
    }
    if (records->many_lines) {
        bsi_records_close_up(text, records->seq_offset, records->seq_bases);
        bsi_records_close_up(text, records->qual_offset, records->seq_bases);
    }
    for (at = 0; at < records->seq_bases && records->rules.phred64; ++at) {
        text[records->qual_offset + at] = (uint8_t)(text[records->qual_offset + at] - 31);
    }
    return 1;
}

/* Describe the record that starts at `start`, or the run of one under way. */
static void bsi_records_fill_view(const bsi_records *records, size_t start,
                                  bsi_records_view *out_view) {
    int has_title = !records->title_is_out;
    out_view->start = start;
    out_view->text_bytes = records->line_offset;
    out_view->title_offset = has_title ? 1 : 0;
    out_view->title_bytes = has_title ? records->title_bytes : 0;
    out_view->seq_offset = records->seq_offset;
    out_view->seq_bases = records->seq_bases;
    out_view->qual_offset = records->qual_offset;
    out_view->record = records->record;
    out_view->line = records->title_line;
    out_view->text_offset = records->text_offset;
    out_view->start_base = records->run_base;
    out_view->goes_on = 0;
}

/* Forget the lines of the record under way, or of its run. */
static void bsi_records_clear_lines(bsi_records *records) {
    records->line_offset = 0;
    records->searched_offset = 0;
    records->seq_offset = 0;
    records->seq_bases = 0;
    records->qual_offset = 0;
    records->qual_bytes = 0;
    records->many_lines = 0;
}

/* Forget the record under way; what follows is a border. */
static void bsi_records_clear_record(bsi_records *records) {
    bsi_records_clear_lines(records);
    records->text_offset += records->dropped;
    records->dropped = 0;
    records->title_is_out = 0;
    records->run_base = 0;
    records->border_blanks = 0;
    records->title_bytes = 0;
    records->line_begun = 0;
    records->line_is_comment = 0;
    records->line_width = 0;
}

/* COMPLETE: go to the border behind the record. */
static void bsi_records_leave(bsi_records *records) {
    records->record += 1;
    records->good_count += 1;
    records->text_offset += records->line_offset;
    bsi_records_clear_record(records);
    records->phase = BSI_RECORDS_BORDER;
}

/*
 * BASES, at the end of the text: whether what there is of the record is to be let go: its bases, or
 * lines without any, which would fill the memory.
 */
static int bsi_records_has_run(const bsi_records *records) {
    return records->runs == 2 && records->phase == BSI_RECORDS_BASES &&
           (records->seq_bases > 0 || records->line_offset > records->title_end);
}

/* BASES: let go what a run has of the record under way. */
static void bsi_records_drop(bsi_records *records) {
    records->title_is_out = 1;
    records->title_end = 0;
    records->dropped += records->line_offset;
    records->run_base += records->seq_bases;
    bsi_records_clear_lines(records);
}

/* ---- behind a bad record ---------------------------------------------------- */

/* Whether the fault is a record's own, in a file of known format, and the rules let it pass. */
static int bsi_records_may_skip(const bsi_records *records) {
    biost_fault fault = records->bad.fault;
    return records->skipped_count < records->rules.skip_bad &&
           records->format != BIOST_FORMAT_EMPTY && fault != BIOST_FAULT_TOO_MANY &&
           fault != BIOST_FAULT_UTF16 && fault != BIOST_FAULT_NO_RECORD;
}

/*
 * STOPPED: begin to search. A bad FASTQ record may have eaten the next ones, so the search begins
 * in its own second line; in FASTA behind the line at fault.
 */
static void bsi_records_begin_skip(bsi_records *records, size_t *out_advance) {
    const bsi_bad *bad = &records->bad;
    uint64_t here = records->text_offset + records->dropped;
    int at_border = bad->fault == BIOST_FAULT_BAD_START || bad->fault == BIOST_FAULT_BLANK_LINE;
    if (records->format == BIOST_FORMAT_FASTA) {
        *out_advance = bad->text_offset > here ? (size_t)(bad->text_offset - here) : 0;
        if (bad->fault == BIOST_FAULT_RECORD_TOO_LONG) { /* told at the cap, of this line */
            *out_advance = BSI_MAX(*out_advance, records->line_offset);
        }
        records->line = bad->line;
    } else if (!at_border) {
        records->line = records->title_line;
    }
    bsi_records_clear_record(records);
    records->text_offset += *out_advance;
    records->skipped_bad = records->bad;
    memset(&records->bad, 0, sizeof records->bad);
    records->dropping = 1;
    records->end_count = 0;
    records->phase = BSI_RECORDS_SKIP;
}

/* SKIP is over: at a record, or at the end of all text, where a record that was cut off stays bad. */
static void bsi_records_end_skip(bsi_records *records, int found) {
    if (!found && records->skipped_bad.fault == BIOST_FAULT_TRUNCATED) {
        records->bad = records->skipped_bad;
        records->rules.skip_bad = 0;
        records->phase = BSI_RECORDS_STOPPED;
        return;
    }
    records->record += 1;
    records->skipped_count += 1;
    records->warnings |= (uint32_t)BIOST_WARN_SKIPPED_RECORDS;
    bsi_records_clear_record(records);
    records->phase = BSI_RECORDS_BORDER;
}

/* Bytes of line k of the four found, without LF and one CR before it. */
static size_t bsi_records_skip_content(const bsi_records *records, const uint8_t *text,
                                       uint32_t k) {
    size_t start = k == 0 ? 0 : records->ends[k - 1] + 1, end = records->ends[k];
    return end - start - (end > start && text[end - 1] == '\r');
}

/*
 * SKIP, FASTQ, at '@': whether four lines that may be a record start here. 1: yes, 0: no, -1: more
 * text is needed.
 */
static int bsi_records_is_four_lines(bsi_records *records, const bsi_records_text *text) {
    const uint8_t *end = text->from + text->bytes;
    while (records->end_count < 4) {
        size_t start = records->end_count == 0 ? 0 : records->ends[records->end_count - 1] + 1;
        const uint8_t *feed;
        if (start == text->bytes) {
            return text->ended ? 0 : -1;
        }
        if (records->end_count == 2 && text->from[start] != '+') {
            return 0;
        }
        feed = bsi_bytes_find(text->from + BSI_MAX(start, records->searched_offset), end, '\n');
        records->searched_offset = (size_t)(feed - text->from);
        if (records->searched_offset > records->max_record_bytes &&
            records->searched_offset - 1 > records->max_record_bytes) {
            return 0;
        }
        if (feed == end && (!text->ended || records->end_count < 3)) {
            return text->ended ? 0 : -1;
        }
        records->ends[records->end_count++] = records->searched_offset;
    }
    return bsi_records_skip_content(records, text->from, 1) ==
               bsi_records_skip_content(records, text->from, 3) &&
           records->ends[2] + 1 + bsi_records_skip_content(records, text->from, 3) <=
               records->max_record_bytes;
}

/* SKIP: leave out a line, or find that it starts a record. 0: more text is needed. */
static int bsi_records_skip(bsi_records *records, const bsi_records_text *text,
                            size_t *out_advance) {
    int starts = 0;
    if (records->dropping) {
        const uint8_t *end = text->from + text->bytes;
        const uint8_t *feed = bsi_bytes_find(text->from, end, '\n');
        records->dropping = feed == end;
        records->line += feed != end;
        *out_advance = (size_t)(feed - text->from) + (feed != end);
        records->text_offset += *out_advance;
        records->end_count = 0;
        records->searched_offset = 0;
        if (feed != end || !text->ended) {
            return feed != end;
        }
    } else if (text->bytes > 0) {
        if (text->from[0] == '>' && records->format == BIOST_FORMAT_FASTA) {
            starts = 1;
        } else if (text->from[0] == '@' && records->format == BIOST_FORMAT_FASTQ) {
            starts = bsi_records_is_four_lines(records, text);
        }
        records->dropping = starts == 0;
        if (starts <= 0) {
            return starts == 0;
        }
    } else if (!text->ended) {
        return 0;
    }
    bsi_records_end_skip(records, starts);
    return 1;
}

/*
 * Go on in a text that arrives in pieces while the machine is before a record: so that its format is
 * known. As bsi_records_next, without a record: 0 means that more text is needed.
 */
static int bsi_records_settle(bsi_records *records, const bsi_records_text *text,
                              size_t *in_out_position) {
    int goes_on = 1;
    while (goes_on && records->phase <= BSI_RECORDS_BORDER) {
        size_t advance = 0;
        bsi_records_text rest;
        rest.from = text->from + *in_out_position;
        rest.bytes = text->bytes - *in_out_position;
        rest.ended = text->ended;
        if (records->phase == BSI_RECORDS_BORDER) {
            goes_on = bsi_records_cross_border(records, &rest, &advance);
        } else {
            goes_on = bsi_records_see_mark(records, &rest, &advance);
            records->text_offset += advance;
        }
        *in_out_position += advance;
    }
    return goes_on;
}

/*
 * Give the next record of a text that arrives in pieces.
 *
 *   text             in/out  [text_bytes]; not NULL. Lines are joined inside it: only bytes of the
 *                            record under way are written, none before or behind it
 *   text_ended       in      nonzero: this is all there is
 *   in_out_position  in/out  in: where the text not yet consumed begins, 0 for fresh text
 *     out, RECORD, RUN  behind the record or run, which starts at out_view->start; call again at
 *                     once
 *          SKIPPED    behind a bad record; call again at once
 *          NEED_TEXT  text before it is not needed any more; move the bytes from here on,
 *                     put more behind them, or set text_ended, and call again
 *          END        text_bytes
 *          BAD        the first byte of the record at fault, or the border
 *
 * Unless `runs` is 1, max_record_bytes + 4 bytes from the position on are always enough to get
 * something other than NEED_TEXT, or a later position. On BAD in FASTA, without runs, partial_bases
 * bases stand at text + *in_out_position + records->seq_offset: those of the whole lines before the
 * faulty one.
 *
 * Safe for any bytes. Cost: O(new bytes), however the text is cut.
 */
static bsi_records_status bsi_records_next(bsi_records *records, uint8_t *text, size_t text_bytes,
                                           int text_ended, size_t *in_out_position,
                                           bsi_records_view *out_view) {
    bsi_records_text whole;
    int goes_on;
    whole.from = text;
    whole.bytes = text_bytes;
    whole.ended = text_ended;
    goes_on = bsi_records_settle(records, &whole, in_out_position);
    while (goes_on) {
        size_t advance = 0;
        bsi_records_text rest = whole;
        rest.from += *in_out_position;
        rest.bytes -= *in_out_position;
        switch (records->phase) {
        case BSI_RECORDS_COMPLETE:
            if (!bsi_records_finish(records, rest.from)) {
                break;
            }
            bsi_records_fill_view(records, *in_out_position, out_view);
            *in_out_position += records->line_offset;
            bsi_records_leave(records);
            return BSI_RECORDS_RECORD;
        case BSI_RECORDS_ENDED:
            return BSI_RECORDS_END;
        case BSI_RECORDS_STOPPED:
            if (!bsi_records_may_skip(records)) {
                return BSI_RECORDS_BAD;
            }
            bsi_records_begin_skip(records, &advance);
            break;
        case BSI_RECORDS_SKIP:
            goes_on = bsi_records_skip(records, &rest, &advance);
            break;
        default:
            goes_on = bsi_records_step(records, &rest);
            break;
        }
        *in_out_position += advance;
        if (records->phase == BSI_RECORDS_BORDER) {
            return BSI_RECORDS_SKIPPED;
        }
    }
    if (bsi_records_has_run(records)) {
        int is_run = records->seq_bases > 0 || !records->title_is_out;
        bsi_records_fill_view(records, *in_out_position, out_view);
        out_view->goes_on = 1;
        *in_out_position += records->line_offset;
        bsi_records_drop(records);
        return is_run ? BSI_RECORDS_RUN : BSI_RECORDS_NEED_TEXT;
    }
    return BSI_RECORDS_NEED_TEXT;
}

/* ==========================================================================
 * >>scan     four-line FASTQ records, many at a time
 *   uses: config bytes check records   allocates: no   threads: no   I/O: no
 * ========================================================================== */

/*
 * The fast path. It looks for line ends in blocks, takes four at a time, and accepts what is plainly
 * a record: '@', '+', equal lengths, all bytes in range, '+' line empty or the title, line ends
 * alike. Whatever else stands there it leaves to >>records, which alone finds faults.
 *
 *     text:   @r1.ACGT.+.IIII.@r2.AC.+.II.@r3.A          . is a line end
 *     feeds:     3    8 10   15  19 22 24 27  31         four a record; what is left waits
 *
 * The blocks are small so that the second look at a line, for its bytes, finds it in the first
 * cache.
 */
#define BSI_SCAN_BLOCK 16384u

typedef struct bsi_scan {
    bsi_check_kernels kernels;
    int general_only;       /* for tests */
    size_t searched;        /* text before it was searched for line ends */
    uint32_t feed_at, feed_count;
    uint32_t feeds[BSI_SCAN_BLOCK + 4]; /* offsets of line ends not used up */
} bsi_scan;

/* A table of records, or runs, under way. */
typedef struct bsi_scan_table {
    biost_record_row *rows; /* [capacity] */
    biost_stats *stats;     /* [capacity], or NULL */
    uint32_t *words;        /* [capacity] bytes of each title before its first blank, or NULL */
    uint32_t capacity, count;
    uint8_t *text;          /* what offsets in rows count from */
    uint64_t record, line, text_offset, start_base; /* of row 0 */
} bsi_scan_table;

/* Forget the text: another one follows. */
static void bsi_scan_clear(bsi_scan *scan) {
    scan->searched = 0;
    scan->feed_at = 0;
    scan->feed_count = 0;
}

/* Search one more block, behind the fewer than four line ends that are left. */
static void bsi_scan_search(bsi_scan *scan, const uint8_t *text, size_t text_bytes) {
    size_t end = BSI_MIN(text_bytes, scan->searched + BSI_SCAN_BLOCK);
    uint32_t left = scan->feed_count - scan->feed_at, i;
    for (i = 0; i < left; ++i) {
        scan->feeds[i] = scan->feeds[scan->feed_at + i];
    }
    scan->feed_at = 0;
    scan->feed_count =
        left + (uint32_t)scan->kernels.lines(text, scan->searched, end, scan->feeds + left);
    scan->searched = end;
}

/* Forget line ends before `position`, which others have used. */
static void bsi_scan_catch_up(bsi_scan *scan, size_t position) {
    while (scan->feed_at < scan->feed_count && scan->feeds[scan->feed_at] < position) {
        ++scan->feed_at;
    }
    scan->searched = BSI_MAX(scan->searched, position);
}

/* Make the next four line ends known. 0: the text has fewer. */
BSI_INLINE int bsi_scan_four(bsi_scan *scan, const uint8_t *text, size_t text_bytes) {
    while (scan->feed_count - scan->feed_at < 4) {
        if (scan->searched == text_bytes) {
            return 0;
        }
        bsi_scan_search(scan, text, text_bytes);
    }
    return 1;
}

/*
 * Whether a '+' line with text repeats the title of row `row` or its name.
 *   plus_bytes  in  of the line, without the '+'
 */
static int bsi_scan_plus_fits(const bsi_scan *scan, const bsi_records *records,
                              const uint8_t *text, const biost_record_row *row,
                              const uint8_t *plus, size_t plus_bytes) {
    const uint8_t *title = text + row->start + 1;
    size_t name, name_bytes;
    if (plus_bytes == row->title_bytes && memcmp(plus, title, plus_bytes) == 0) {
        return 1;
    }
    if (records->rules.ignore_plus) {
        return scan->kernels.title(plus, plus_bytes) != SIZE_MAX;
    }
    bsi_records_name(title, row->title_bytes, &name, &name_bytes);
    return plus_bytes == name_bytes && memcmp(plus, title + name, plus_bytes) == 0;
}

/*
 * Rules that look at, or change, what is already known to be a record. 0: not accepted.
 *   stats  in/out  its statistics, or NULL
 */
static int bsi_scan_apply_rules(const bsi_scan *scan, bsi_records *records, uint8_t *text,
                                const biost_record_row *row, biost_stats *stats) {
    uint8_t *seq = text + row->seq, *qual = text + row->qual;
    size_t bases = row->bases, name, name_bytes, at;
    bsi_records_name(text + row->start + 1, row->title_bytes, &name, &name_bytes);
    if (records->rules.pedantic && name_bytes == 0) {
        return 0;
    }
    if (!bsi_records_all_letters(records, seq, bases)) {
        if (!records->rules.replace_letters) {
            return 0;
        }
        for (at = 0; at < bases; ++at) {
            seq[at] = bsi_records_letter(records, seq[at]);
        }
        if (stats != NULL) {
            stats->acgt_count = stats->gc_count = stats->n_count = 0;
            scan->kernels.count(seq, bases, stats);
        }
    }
    for (at = 0; at < bases && records->rules.phred64; ++at) {
        qual[at] = (uint8_t)(qual[at] - 31);
    }
    return 1;
}

/*
 * Whether the four lines that end at `feeds`, the first at row->start, are plainly a record: fills the
 * row but for line and text_offset, the statistics unless stats is NULL, and *out_word: the bytes of
 * the title before its first blank.
 */
BSI_INLINE int bsi_scan_row(const bsi_scan *scan, const bsi_records *records, const uint8_t *text,
                            const uint32_t *feeds, biost_record_row *row, biost_stats *stats,
                            size_t *out_word) {
    const uint8_t *seq = text + feeds[0] + 1, *qual = text + feeds[2] + 1;
    uint8_t zero = records->rules.phred64 ? 64 : 33;
    size_t word;
    uint32_t returns;
    if (text[row->start] != '@' || text[feeds[1] + (size_t)1] != '+' ||
        feeds[1] - feeds[0] != feeds[3] - feeds[2] ||
        (*seq <= '@' && (*seq == '+' || *seq == '@' || *seq == '>'))) {
        return 0;
    }
    returns = text[feeds[0] - 1] == '\r';
    if (returns && (text[feeds[1] - 1] != '\r' || text[feeds[2] - 1] != '\r' ||
                    text[feeds[3] - 1] != '\r')) {
        return 0;
    }
    row->title_bytes = feeds[0] - row->start - 1 - returns;
    row->seq = feeds[0] + 1;
    row->bases = feeds[1] - feeds[0] - 1 - returns;
    row->qual = feeds[2] + 1;
    row->flags = 0;
    word = scan->kernels.title(text + row->start + 1, row->title_bytes);
    *out_word = word;
    if (word == SIZE_MAX || (feeds[2] - feeds[1] > 2 + returns &&
                             !bsi_scan_plus_fits(scan, records, text, row, text + feeds[1] + 2,
                                                 feeds[2] - feeds[1] - 2 - returns))) {
        return 0;
    }
    return stats == NULL ? scan->kernels.spans(seq, qual, row->bases, zero)
                         : scan->kernels.spans_stats(seq, qual, row->bases, zero, stats);
}

/*
 * Records at a border of FASTQ text into the table, until one is not plain, or the text or the table
 * ends. The machine is moved behind them.
 */
static void bsi_scan_rows(bsi_scan *scan, bsi_records *records, size_t text_bytes,
                          size_t *in_out_position, bsi_scan_table *table) {
    const biost_text *rules = &records->rules;
    int has_rules = rules->pedantic || rules->phred64 || rules->letters != BIOST_LETTERS_ANY;
    uint8_t *text = table->text;
    uint64_t most = BSI_MIN(records->max_record_bytes, UINT32_MAX);
    size_t position = *in_out_position, word;
    uint32_t first = table->count;
    uint32_t line = (uint32_t)(records->line - table->line);
    uint32_t text_before = (uint32_t)(records->text_offset - table->text_offset - position);
    bsi_scan_catch_up(scan, position);
    while (table->count < table->capacity && bsi_scan_four(scan, text, text_bytes)) {
        const uint32_t *feeds = scan->feeds + scan->feed_at;
        biost_record_row *row = &table->rows[table->count];
        biost_stats *stats = table->stats == NULL ? NULL : &table->stats[table->count];
        row->start = (uint32_t)position;
        row->line = line + 4 * (table->count - first);
        row->text_offset = text_before + (uint32_t)position;
        if (feeds[3] - position > most ||
            !bsi_scan_row(scan, records, text, feeds, row, stats, &word) ||
            (has_rules && !bsi_scan_apply_rules(scan, records, text, row, stats))) {
            break;
        }
        if (table->words != NULL) {
            table->words[table->count] = (uint32_t)word;
        }
        position = feeds[3] + (size_t)1;
        scan->feed_at += 4;
        table->count += 1;
    }
    records->record += table->count - first;
    records->good_count += table->count - first;
    records->line += 4 * (uint64_t)(table->count - first);
    records->text_offset += position - *in_out_position;
    *in_out_position = position;
}

/* Whether the machine stands where the fast path may go on. */
static int bsi_scan_can_start(const bsi_scan *scan, const bsi_records *records) {
    return !scan->general_only && records->phase == BSI_RECORDS_BORDER &&
           records->format == BIOST_FORMAT_FASTQ && records->border_blanks == 0 &&
           records->record < BSI_RECORDS_LAST - UINT32_MAX;
}

/* ==========================================================================
 * >>rng   Philox4x32-10 random words, keyed by place, never by time
 *   uses: config                   allocates: no   threads: no   I/O: no
 *
 * A word is a pure function of (seed, epoch, stage, id, piece, draw), so any worker may make it at
 * any time. Source: Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3",
 * section 5.2 and table 2.
 * ========================================================================== */

/* Public numbers of the stages, frozen: they are part of every draw. */
enum {
    BSI_RNG_KEEP = 3,           /* keyed with epoch 0: the same in every epoch */
    BSI_RNG_SHUFFLE = 4,
    BSI_RNG_CROP = 16,
    BSI_RNG_REVERSE_COMPLEMENT = 19,
    BSI_RNG_SUBSTITUTE = 20,
    BSI_RNG_INJECT_N = 21,
    BSI_RNG_USER = 23
};

#define BSI_RNG_STAGE_TAG 0x42494F53u /* "BIOS": sets key making apart from drawing */

typedef struct bsi_rng_key {
    uint32_t word[2];
} bsi_rng_key;

/*
 * Words of one (stage, id, piece), handed out one after another; four are made at a time. counter
 * is {draw, piece, id low, id high} of the next block, left the words not yet handed out, 0..4.
 */
typedef biost_random bsi_rng;

/*
 * Ten rounds over the counter; multipliers and key steps (golden ratio, sqrt(3) - 1) from the
 * paper.
 */
static void bsi_rng_philox(const uint32_t counter[4], bsi_rng_key key, uint32_t out_words[4]) {
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    int round;
    for (round = 0; round < 10; ++round) {
        uint64_t product_0 = (uint64_t)0xD2511F53u * c0, product_1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(product_1 >> 32) ^ c1 ^ key.word[0];
        c1 = (uint32_t)product_1;
        c2 = (uint32_t)(product_0 >> 32) ^ c3 ^ key.word[1];
        c3 = (uint32_t)product_0;
        key.word[0] += 0x9E3779B9u;
        key.word[1] += 0xBB67AE85u;
    }
    out_words[0] = c0;
    out_words[1] = c1;
    out_words[2] = c2;
    out_words[3] = c3;
}

/* The key of a stage in an epoch. */
static bsi_rng_key bsi_rng_stage_key(uint64_t seed, uint64_t epoch, uint32_t stage) {
    uint32_t counter[4], words[4];
    bsi_rng_key key;
    key.word[0] = (uint32_t)seed;
    key.word[1] = (uint32_t)(seed >> 32);
    counter[0] = (uint32_t)epoch;
    counter[1] = (uint32_t)(epoch >> 32);
    counter[2] = stage;
    counter[3] = BSI_RNG_STAGE_TAG;
    bsi_rng_philox(counter, key, words);
    key.word[0] = words[0];
    key.word[1] = words[1];
    return key;
}

static void bsi_rng_begin(bsi_rng *rng, bsi_rng_key key, int64_t id, uint32_t piece) {
    rng->key[0] = key.word[0];
    rng->key[1] = key.word[1];
    rng->counter[0] = 0;
    rng->counter[1] = piece;
    rng->counter[2] = (uint32_t)(uint64_t)id;
    rng->counter[3] = (uint32_t)((uint64_t)id >> 32);
    rng->left = 0;
}

static uint32_t bsi_rng_next(bsi_rng *rng) {
    if (rng->left == 0) {
        bsi_rng_key key;
        key.word[0] = rng->key[0];
        key.word[1] = rng->key[1];
        bsi_rng_philox(rng->counter, key, rng->words);
        ++rng->counter[0];
        rng->left = 4;
    }
    return rng->words[4 - rng->left--];
}

/*
 * Take one word as a number in [0, bound) by multiply and shift. A word whose product falls into
 * the short last interval, low < 2^32 mod bound, would favour some numbers and is refused: the
 * caller draws again.
 */
BSI_INLINE int bsi_rng_accept(uint32_t word, uint32_t bound, uint32_t *out_number) {
    uint64_t product = (uint64_t)word * bound;
    uint32_t low = (uint32_t)product;
    *out_number = (uint32_t)(product >> 32);
    return low >= bound || low >= (0u - bound) % bound;
}

/*
 * A number in [0, bound) from the next word that is not refused; bound > 0. (Of bound 0 it takes a
 * word and gives 0.)
 */
static uint32_t bsi_rng_below(bsi_rng *rng, uint32_t bound) {
    uint32_t number;
    while (!bsi_rng_accept(bsi_rng_next(rng), bound, &number)) {
        /* each try fails with probability below 1/2 */
    }
    return number;
}

/*
 * The two draws of the window shuffle: a delay in [0, window) and a tie-breaker. Words 0..2 of draw
 * 0 serve the delay, word 3 the tie; should all three be refused, draws 1, 2, ... follow.
 */
static void bsi_rng_shuffle(bsi_rng_key key, int64_t id, uint32_t piece, uint32_t window,
                            uint32_t out_delay_tie[2]) {
    bsi_rng rng;
    uint32_t i;
    bsi_rng_begin(&rng, key, id, piece);
    bsi_rng_philox(rng.counter, key, rng.words);
    out_delay_tie[1] = rng.words[3];
    for (i = 0; i < 3; ++i) {
        if (bsi_rng_accept(rng.words[i], window, &out_delay_tie[0])) {
            return;
        }
    }
    rng.counter[0] = 1;
    out_delay_tie[0] = bsi_rng_below(&rng, window);
}

/*
 * floor(probability x 2^32), 0..2^32; an event happens iff word < threshold. probability must lie
 * in 0..1.
 */
static uint64_t bsi_rng_threshold(float probability) {
    return (uint64_t)((double)probability * 4294967296.0);
}

/* ==========================================================================
 * >>order   the window shuffle: when a sample's turn comes
 *   uses: config bytes             allocates: no   threads: no   I/O: no
 *
 * Sample s (0, 1, 2, ... in stream order) draws a delay d in [0, W) and a tie-breaker u. Its turn
 * is the tick
 *     key(s) = min(max(s + d, W - 1), n)          n = number of samples, known at the end only
 * and the shuffled order is the ascending order of (key, u, s). In a stream that is a calendar of W
 * lists, one per tick modulo W: once sample s is entered, tick s is complete, because every later
 * sample has a larger key.
 *
 *     entered:  0 1 2 ... W-2   W-1        W        W+1 ...        end
 *     handed:   nothing         tick W-1   tick W   tick W+1       all that is left, as tick n
 *
 * At most W samples pend. The max fills the window before anything leaves it, so the start is mixed
 * like the middle.
 * ========================================================================== */

#define BSI_ORDER_NONE 0xFFFFFFFFu
#define BSI_ORDER_FEW 24u       /* so many cells are sorted by insertion */
#define BSI_ORDER_MANY 1024u    /* more are dealt out first */
#define BSI_ORDER_DEAL_BITS 12u /* by so many upper bits of their ties: 16 KiB of the stack */

/* A sample that waits, small so that sorting stays in the cache: the caller keeps all else elsewhere. */
typedef struct bsi_order_cell {
    uint64_t sample;
    uint32_t tie;
    uint32_t next;              /* next cell of the same list, or BSI_ORDER_NONE */
} bsi_order_cell;

typedef struct bsi_order {
    bsi_order_cell *cells;      /* [cell_count], the caller's */
    uint32_t *lists;            /* [window] first cell of each tick's list, the caller's */
    uint32_t window;            /* W >= 1 */
} bsi_order;

static void bsi_order_begin(bsi_order *order) {
    uint32_t i;
    for (i = 0; i < order->window; ++i) {
        order->lists[i] = BSI_ORDER_NONE;
    }
}

/* The tick of a sample, as far as it is known before the end. */
BSI_INLINE uint64_t bsi_order_key(const bsi_order *order, uint64_t sample, uint32_t delay) {
    return BSI_MAX(sample + delay, (uint64_t)order->window - 1);
}

/*
 * Enter cell `cell`, whose sample and tie are set. key - sample < W, so no two ticks share a list.
 */
static void bsi_order_enter(bsi_order *order, uint32_t cell, uint64_t key) {
    uint32_t *list = &order->lists[key % order->window];
    order->cells[cell].next = *list;
    *list = cell;
}

/* Does cell a come before cell b within a tick? */
BSI_INLINE int bsi_order_before(const bsi_order *order, uint32_t a, uint32_t b) {
    const bsi_order_cell *left = &order->cells[a], *right = &order->cells[b];
    return left->tie != right->tie ? left->tie < right->tie : left->sample < right->sample;
}

/* Merge two sorted lists. */
static uint32_t bsi_order_merge(bsi_order *order, uint32_t a, uint32_t b) {
    uint32_t first = BSI_ORDER_NONE, *link = &first;
    while (a != BSI_ORDER_NONE && b != BSI_ORDER_NONE) {
        uint32_t *from = bsi_order_before(order, b, a) ? &b : &a;
        *link = *from;
        link = &order->cells[*from].next;
        *from = *link;
    }
    *link = a != BSI_ORDER_NONE ? a : b;
    return first;
}

/* Sort a list of at most BSI_ORDER_FEW cells. */
static uint32_t bsi_order_sort_few(bsi_order *order, uint32_t list) {
    uint32_t sorted[BSI_ORDER_FEW], count = 0, at;
    for (; list != BSI_ORDER_NONE; list = order->cells[list].next) {
        for (at = count++; at > 0 && bsi_order_before(order, list, sorted[at - 1]); --at) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = list;
    }
    while (count > 0) {
        order->cells[sorted[--count]].next = list;
        list = sorted[count];
    }
    return list;
}

/*
 * Sort a list by (tie, sample). run[i] holds a sorted run of 2^i cells or nothing, as a binary
 * counter counts.
 */
static uint32_t bsi_order_sort(bsi_order *order, uint32_t list) {
    uint32_t run[32], sorted = BSI_ORDER_NONE;
    int i;
    for (i = 0; i < 32; ++i) {
        run[i] = BSI_ORDER_NONE;
    }
    while (list != BSI_ORDER_NONE) {
        uint32_t merged = list;
        list = order->cells[list].next;
        order->cells[merged].next = BSI_ORDER_NONE;
        for (i = 0; i < 31 && run[i] != BSI_ORDER_NONE; ++i) {
            merged = bsi_order_merge(order, run[i], merged);
            run[i] = BSI_ORDER_NONE;
        }
        run[i] = run[i] == BSI_ORDER_NONE ? merged : bsi_order_merge(order, run[i], merged);
    }
    for (i = 0; i < 32; ++i) {
        sorted = bsi_order_merge(order, run[i], sorted);
    }
    return sorted;
}

/* Sort a list that may be long. */
static uint32_t bsi_order_sort_some(bsi_order *order, uint32_t list) {
    uint32_t count = 0, at;
    for (at = list; at != BSI_ORDER_NONE && count <= BSI_ORDER_FEW; at = order->cells[at].next) {
        ++count;
    }
    return count > BSI_ORDER_FEW ? bsi_order_sort(order, list) : bsi_order_sort_few(order, list);
}

/*
 * Many cells, dealt out by the upper bits of their ties. Those are random: the parts are about equal, and
 * small enough to stay in the cache while each is sorted.
 */
typedef struct bsi_order_deal {
    uint32_t parts[1u << BSI_ORDER_DEAL_BITS];
} bsi_order_deal;

static void bsi_order_deal_begin(bsi_order_deal *deal) {
    uint32_t i;
    for (i = 0; i < 1u << BSI_ORDER_DEAL_BITS; ++i) {
        deal->parts[i] = BSI_ORDER_NONE;
    }
}

static void bsi_order_deal_out(bsi_order *order, bsi_order_deal *deal, uint32_t list) {
    while (list != BSI_ORDER_NONE) {
        bsi_order_cell *cell = &order->cells[list];
        uint32_t *part = &deal->parts[cell->tie >> (32 - BSI_ORDER_DEAL_BITS)], next = cell->next;
        cell->next = *part;
        *part = list;
        list = next;
    }
}

static uint32_t bsi_order_deal_end(bsi_order *order, const bsi_order_deal *deal) {
    uint32_t sorted = BSI_ORDER_NONE, *link = &sorted, i;
    for (i = 0; i < 1u << BSI_ORDER_DEAL_BITS; ++i) {
        *link = bsi_order_sort_some(order, deal->parts[i]);
        while (*link != BSI_ORDER_NONE) {
            link = &order->cells[*link].next;
        }
    }
    return sorted;
}

/* Take the complete list of a tick, in order. The first tick may have W cells, all others few. */
static uint32_t bsi_order_take(bsi_order *order, uint64_t tick) {
    uint32_t *list = &order->lists[tick % order->window], taken = *list;
    *list = BSI_ORDER_NONE;
    if (tick == order->window - 1 && order->window > BSI_ORDER_MANY) {
        bsi_order_deal deal;
        bsi_order_deal_begin(&deal);
        bsi_order_deal_out(order, &deal, taken);
        return bsi_order_deal_end(order, &deal);
    }
    if (taken == BSI_ORDER_NONE || order->cells[taken].next == BSI_ORDER_NONE) {
        return taken;
    }
    return bsi_order_sort_some(order, taken);
}

/* At the end every sample left has key n: take them all, in order. */
static uint32_t bsi_order_take_rest(bsi_order *order) {
    bsi_order_deal deal;
    uint32_t i;
    bsi_order_deal_begin(&deal);
    for (i = 0; i < order->window; ++i) {
        bsi_order_deal_out(order, &deal, order->lists[i]);
        order->lists[i] = BSI_ORDER_NONE;
    }
    return bsi_order_deal_end(order, &deal);
}

/*
 * First row of rank `rank` of `world` in a global batch of `rows` rows: floor(rank x rows / world).
 */
BSI_INLINE uint32_t bsi_order_slice(uint32_t rows, uint32_t rank, uint32_t world) {
    return (uint32_t)((uint64_t)rank * rows / world);
}

/*
 * Pieces of a record of `bases` bases: one of row_bases bases every `stride`, until the end is
 * shown; piece k starts at k x stride, the last may be shorter. 0 < stride <= row_bases.
 */
BSI_INLINE uint64_t bsi_order_pieces(uint64_t bases, uint32_t row_bases, uint32_t stride) {
    return bases <= row_bases ? 1 : 1 + (bases - row_bases + stride - 1) / stride;
}

/* Of a record that breaks off behind good_bases bases: the pieces that are whole till there. */
BSI_INLINE uint64_t bsi_order_partial_pieces(uint64_t good_bases, uint32_t row_bases,
                                             uint32_t stride) {
    return good_bases < row_bases ? 0 : 1 + (good_bases - row_bases) / stride;
}

/* ==========================================================================
 * >>token   a point of an epoch in at most 512 bytes
 *   uses: config bytes crc         allocates: no   threads: no   I/O: no
 *
 * Little-endian, no padding:
 *
 *     byte  0  "BIOSTOK" and the version, 2        8
 *           8  hash of the desc's data fields      8
 *          16  fingerprint of the input            8
 *          24  epoch                               8
 *          32  next batch                          8
 *          40  tick, rows of it handed out         8 + 8
 *          56  span number, batches of it done     8 + 4     (0)
 *          68  tail flag, lane count               1 + 1
 *          70  bad records left out up to the anchor        8
 *          78  bytes of the token in all           2
 *          80  record the member under way at the anchor starts in    8
 *          88  anchor: sample, piece, base offset, turn, next unopened file       8 + 4 + 8 + 1 + 4
 *         113  per lane: record id, line, text offset, compressed offset, bit, state     4 x 8 + 1 + 1
 *           .  records visited up to the anchor, which first_n and every_nth count     8
 *           .  CRC-32 of all before                4
 * ========================================================================== */

#define BSI_TOKEN_HEAD_BYTES 88u
#define BSI_TOKEN_ANCHOR_BYTES 25u
#define BSI_TOKEN_LANE_BYTES 34u
#define BSI_TOKEN_BYTES (BSI_TOKEN_HEAD_BYTES + BSI_TOKEN_ANCHOR_BYTES + BSI_TOKEN_LANE_BYTES + 12u)

/* A place in the visit order where reading can start again: the border before a record. */
typedef struct bsi_token_anchor {
    uint64_t sample;            /* number of the next sample */
    uint64_t id;                /* path index << 40 | record number of the next record */
    uint64_t line;              /* 1-based line the next record's text starts on */
    uint64_t text_offset;       /* byte of the file's text */
    uint64_t member_record;     /* record the gzip member under way there starts in */
    uint64_t visited;           /* good records before it, over all inputs */
    uint64_t skipped;           /* bad records left out before it, likewise */
} bsi_token_anchor;

typedef struct bsi_token {
    uint64_t desc_hash, input_hash;
    uint64_t epoch, next_batch;
    uint64_t tick, tick_rows;   /* tick under way and rows of it handed out */
    uint8_t tail;               /* 1: no batch follows in this epoch */
    bsi_token_anchor anchor;
} bsi_token;

static void bsi_token_write(const bsi_crc_tables *tables, const bsi_token *token,
                            uint8_t out[BSI_TOKEN_BYTES]) {
    uint8_t *anchor = out + BSI_TOKEN_HEAD_BYTES, *lane = anchor + BSI_TOKEN_ANCHOR_BYTES;
    memset(out, 0, BSI_TOKEN_BYTES);
    memcpy(out, "BIOSTOK\002", 8);
    bsi_bytes_store64(out + 8, token->desc_hash);
    bsi_bytes_store64(out + 16, token->input_hash);
    bsi_bytes_store64(out + 24, token->epoch);
    bsi_bytes_store64(out + 32, token->next_batch);
    bsi_bytes_store64(out + 40, token->tick);
    bsi_bytes_store64(out + 48, token->tick_rows);
    out[68] = token->tail;
    out[69] = 1;
    bsi_bytes_store64(out + 70, token->anchor.skipped);
    bsi_bytes_store16(out + 78, BSI_TOKEN_BYTES);
    bsi_bytes_store64(out + 80, token->anchor.member_record);
    bsi_bytes_store64(anchor, token->anchor.sample);
    bsi_bytes_store32(anchor + 21, (uint32_t)(token->anchor.id >> 40) + 1);
    bsi_bytes_store64(lane, token->anchor.id);
    bsi_bytes_store64(lane + 8, token->anchor.line);
    bsi_bytes_store64(lane + 16, token->anchor.text_offset);
    bsi_bytes_store64(lane + BSI_TOKEN_LANE_BYTES, token->anchor.visited);
    bsi_bytes_store32(out + BSI_TOKEN_BYTES - 4,
                      bsi_crc_update(tables, 0, out, BSI_TOKEN_BYTES - 4));
}

/* Returns 1 if the bytes are a whole, undamaged token of this version. Safe on any bytes. */
static int bsi_token_read(const bsi_crc_tables *tables, const uint8_t *bytes, size_t count,
                          bsi_token *out_token) {
    const uint8_t *anchor, *lane;
    if (count != BSI_TOKEN_BYTES || memcmp(bytes, "BIOSTOK\002", 8) != 0 ||
        bsi_bytes_load32(bytes + count - 4) != bsi_crc_update(tables, 0, bytes, count - 4)) {
        return 0;
    }
    anchor = bytes + BSI_TOKEN_HEAD_BYTES;
    lane = anchor + BSI_TOKEN_ANCHOR_BYTES;
    out_token->desc_hash = bsi_bytes_load64(bytes + 8);
    out_token->input_hash = bsi_bytes_load64(bytes + 16);
    out_token->epoch = bsi_bytes_load64(bytes + 24);
    out_token->next_batch = bsi_bytes_load64(bytes + 32);
    out_token->tick = bsi_bytes_load64(bytes + 40);
    out_token->tick_rows = bsi_bytes_load64(bytes + 48);
    out_token->tail = bytes[68];
    out_token->anchor.member_record = bsi_bytes_load64(bytes + 80);
    out_token->anchor.sample = bsi_bytes_load64(anchor);
    out_token->anchor.id = bsi_bytes_load64(lane);
    out_token->anchor.line = bsi_bytes_load64(lane + 8);
    out_token->anchor.text_offset = bsi_bytes_load64(lane + 16);
    out_token->anchor.visited = bsi_bytes_load64(lane + BSI_TOKEN_LANE_BYTES);
    out_token->anchor.skipped = bsi_bytes_load64(bytes + 70);
    return 1;
}

/* ==========================================================================
 * >>alphabet   what each byte of a sequence means
 *   uses: config                   allocates: no   threads: no   I/O: no
 * ========================================================================== */

/* Codes of bases: A 0, C 1, G 2, T and U 3, in either case. */
#define BSI_ALPHABET_OTHER 4u

static const uint8_t bsi_alphabet_codes[256] = {
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 0, 4, 1, 4, 4, 4, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 0, 4, 1, 4, 4, 4, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};

/* The code of one byte; a byte that is no A C G T U is OTHER. */
BSI_INLINE uint32_t bsi_alphabet_code(uint8_t byte) {
    return bsi_alphabet_codes[byte];
}

/* A letter in upper case, 0 for a byte that is none. */
static uint8_t bsi_alphabet_letter(uint8_t byte) {
    uint8_t upper = (uint8_t)(byte & 0xDF);
    return upper >= 'A' && upper <= 'Z' ? upper : 0;
}

/*
 * The bases that an upper-case letter stands for, a bit each: A 1, C 2, G 4, T and U 8; 0 where it
 * stands for none. IUPAC-IUB codes (1984, NAR 13:3021, table 1).
 */
static uint32_t bsi_alphabet_bases(uint8_t letter) {
    static const char codes[] = "ACMGRSVTWYHKDBN"; /* of the bits 1, 2, 3, ... 15 */
    const char *found = letter == 0 ? NULL : strchr(codes, letter == 'U' ? 'T' : letter);
    return found == NULL ? 0 : (uint32_t)(found - codes) + 1;
}

/*
 * The complement of each byte, case kept, over the IUPAC-IUB codes (1984, NAR 13:3021, table 1):
 * A-T, C-G, R-Y, K-M, B-V, D-H; U becomes A; S, W, N and every other byte stand for themselves.
 */
static const uint8_t bsi_alphabet_complements[256] = {
      0,   1,   2,   3,   4,   5,   6,   7,   8,   9,  10,  11,  12,  13,  14,  15,
     16,  17,  18,  19,  20,  21,  22,  23,  24,  25,  26,  27,  28,  29,  30,  31,
     32,  33,  34,  35,  36,  37,  38,  39,  40,  41,  42,  43,  44,  45,  46,  47,
     48,  49,  50,  51,  52,  53,  54,  55,  56,  57,  58,  59,  60,  61,  62,  63,
     64, 'T', 'V', 'G', 'H', 'E', 'F', 'C', 'D', 'I', 'J', 'M', 'L', 'K', 'N', 'O',
    'P', 'Q', 'Y', 'S', 'A', 'A', 'B', 'W', 'X', 'R', 'Z',  91,  92,  93,  94,  95,
     96, 't', 'v', 'g', 'h', 'e', 'f', 'c', 'd', 'i', 'j', 'm', 'l', 'k', 'n', 'o',
    'p', 'q', 'y', 's', 'a', 'a', 'b', 'w', 'x', 'r', 'z', 123, 124, 125, 126, 127,
    128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143,
    144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159,
    160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175,
    176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191,
    192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207,
    208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223,
    224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239,
    240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255
};

/* ==========================================================================
 * >>encode   rows of bases into rows of numbers
 *   uses: config bytes cpu alphabet hash   allocates: no   threads: no   I/O: no
 *
 * An encoder is tables, made once. Where all elements of a base lie side by side in at most 16 bytes
 * (is_wide), a base is one copy of elements[byte]. Else, in NCL or with many channels, the row is zeroed
 * and hits[byte], the few elements of a base that are not 0, are written. The AVX2 rows make the plainest
 * encodings by comparing letters.
 * ========================================================================== */

/* Bytes of an element; 0 for what is no dtype. */
static uint32_t bsi_encode_dtype_bytes(biost_dtype dtype) {
    static const uint8_t bytes[6] = {1, 2, 4, 2, 4, 8};
    return (uint32_t)dtype < 6 ? bytes[dtype] : 0;
}

/* ---- what is wrong with an encoding ---- */

/* A rule, and the sentence where it is broken. */
typedef struct bsi_encode_rule {
    int is_broken;
    const char *sentence;
} bsi_encode_rule;

/* The sentence of the first rule that is broken, or NULL. */
static const char *bsi_encode_broken(const bsi_encode_rule *rules, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (rules[i].is_broken) {
            return rules[i].sentence;
        }
    }
    return NULL;
}

static const char *bsi_encode_check_values(const biost_encoding *encoding) {
    const bsi_encode_rule rules[] = {
        {(uint32_t)encoding->kind > BIOST_ENCODE_TOKENS, "desc.encoding.kind is no biost_encode"},
        {bsi_encode_dtype_bytes(encoding->dtype) == 0, "desc.encoding.dtype is no biost_dtype"},
        {(uint32_t)encoding->layout > BIOST_LAYOUT_NCL, "desc.encoding.layout is no biost_layout"},
        {(uint32_t)encoding->ambiguous > BIOST_AMBIGUOUS_HELIXER,
         "desc.encoding.ambiguous is no biost_ambiguous"},
        {(uint32_t)encoding->lower_case > BIOST_LOWER_CASE_N,
         "desc.encoding.lower_case is no biost_lower_case"},
        {(uint32_t)encoding->pad_side > BIOST_PAD_LEFT, "desc.encoding.pad_side is no biost_pad_side"}};
    return bsi_encode_broken(rules, sizeof rules / sizeof rules[0]);
}

static int bsi_encode_are_u8(const int32_t *tokens) {
    uint32_t all = 0;
    for (uint32_t i = 0; i < 256 && tokens != NULL; i++) {
        all |= (uint32_t)tokens[i];
    }
    return all <= 255;
}

static const char *bsi_encode_check_tokens(const biost_encoding *encoding) {
    int is_u8 = encoding->dtype == BIOST_DTYPE_U8;
    const bsi_encode_rule rules[] = {
        {!is_u8 && encoding->dtype != BIOST_DTYPE_I32 && encoding->dtype != BIOST_DTYPE_I64,
         "desc.encoding.kind is BIOST_ENCODE_TOKENS, and desc.encoding.dtype is none of "
         "BIOST_DTYPE_U8, BIOST_DTYPE_I32 and BIOST_DTYPE_I64"},
        {encoding->layout != BIOST_LAYOUT_NLC,
         "desc.encoding.kind is BIOST_ENCODE_TOKENS, and desc.encoding.layout is not 0"},
        {encoding->channels != NULL,
         "desc.encoding.kind is BIOST_ENCODE_TOKENS, and desc.encoding.channels is not NULL"},
        {encoding->ambiguous != BIOST_AMBIGUOUS_ZERO,
         "desc.encoding.kind is BIOST_ENCODE_TOKENS, and desc.encoding.ambiguous is not 0"},
        {encoding->lower_case != BIOST_LOWER_CASE_FOLD,
         "desc.encoding.kind is BIOST_ENCODE_TOKENS, and desc.encoding.lower_case is not 0"},
        {is_u8 && !bsi_encode_are_u8(encoding->tokens),
         "desc.encoding.dtype is BIOST_DTYPE_U8, and a number in desc.encoding.tokens is not in "
         "0..255"}};
    return bsi_encode_broken(rules, sizeof rules / sizeof rules[0]);
}

static const char *bsi_encode_check_channels(const char *channels) {
    uint32_t seen = 0, count = 0;
    for (; channels[count] != '\0'; count++) {
        if (channels[count] < 'A' || channels[count] > 'Z') {
            return "desc.encoding.channels has a character that is no upper-case letter";
        }
        if (seen >> (channels[count] - 'A') & 1u) {
            return "desc.encoding.channels names a letter twice";
        }
        seen |= 1u << (channels[count] - 'A');
    }
    return count == 0 ? "desc.encoding.channels names no letter" : NULL;
}

/* Are these A, C, G and one of T and U, in any order? No letter comes twice. */
static int bsi_encode_is_acgt(const char *channels) {
    uint32_t bases = 0;
    if (strlen(channels) != 4) {
        return 0;
    }
    for (uint32_t i = 0; i < 4; i++) {
        if (strchr("ACGTU", channels[i]) == NULL) {
            return 0;
        }
        bases |= bsi_alphabet_bases((uint8_t)channels[i]);
    }
    return bases == 15;
}

static const char *bsi_encode_check_onehot(const biost_encoding *encoding) {
    const char *channels = encoding->channels != NULL ? encoding->channels : "ACGT";
    int is_shared = encoding->ambiguous != BIOST_AMBIGUOUS_ZERO;
    const char *bad_channels = bsi_encode_check_channels(channels);
    const bsi_encode_rule rules[] = {
        {encoding->dtype > BIOST_DTYPE_BF16,
         "desc.encoding.kind is BIOST_ENCODE_ONEHOT, and desc.encoding.dtype is none of "
         "BIOST_DTYPE_U8, BIOST_DTYPE_F16, BIOST_DTYPE_BF16 and BIOST_DTYPE_F32"},
        {encoding->tokens != NULL,
         "desc.encoding.kind is BIOST_ENCODE_ONEHOT, and desc.encoding.tokens is not NULL"},
        {bad_channels != NULL, bad_channels},
        {is_shared && encoding->dtype == BIOST_DTYPE_U8,
         "desc.encoding.ambiguous asks for fractions, and desc.encoding.dtype is BIOST_DTYPE_U8"},
        {is_shared && !bsi_encode_is_acgt(channels),
         "desc.encoding.ambiguous asks for fractions, and desc.encoding.channels is not A, C, G and "
         "one of T and U"}};
    return bsi_encode_broken(rules, sizeof rules / sizeof rules[0]);
}

/* Whole numbers that the dtype holds exactly. */
static const char *bsi_encode_check_padding(biost_dtype dtype, int32_t value) {
    const bsi_encode_rule rules[] = {
        {dtype == BIOST_DTYPE_U8 && (value < 0 || value > 255),
         "desc.encoding.dtype is BIOST_DTYPE_U8, and desc.encoding.pad_value is not in 0..255"},
        {dtype == BIOST_DTYPE_F16 && (value < -2048 || value > 2048),
         "desc.encoding.dtype is BIOST_DTYPE_F16, and desc.encoding.pad_value is not in -2048..2048"},
        {dtype == BIOST_DTYPE_BF16 && (value < -256 || value > 256),
         "desc.encoding.dtype is BIOST_DTYPE_BF16, and desc.encoding.pad_value is not in -256..256"},
        {dtype == BIOST_DTYPE_F32 && (value < -16777216 || value > 16777216),
         "desc.encoding.dtype is BIOST_DTYPE_F32, and desc.encoding.pad_value is not in "
         "-16777216..16777216"}};
    return bsi_encode_broken(rules, sizeof rules / sizeof rules[0]);
}

/* What is wrong with an encoding, naming the fields, or NULL. */
static const char *bsi_encode_check(const biost_encoding *encoding) {
    const char *bad = bsi_encode_check_values(encoding);
    if (bad == NULL) {
        bad = encoding->kind == BIOST_ENCODE_TOKENS ? bsi_encode_check_tokens(encoding)
                                                    : bsi_encode_check_onehot(encoding);
    }
    return bad != NULL ? bad : bsi_encode_check_padding(encoding->dtype, encoding->pad_value);
}

/* ---- elements and tables ---- */

/*
 * [dtype] the bits of 0, 1, 1/2, 1/3 and 1/4, each to the nearest, and of 0.33: what each base of a
 * code of 1, 2, 3 or 4 bases gets. F16 has 10 bits of fraction and exponents from 15, BF16 7 and F32
 * 23 and both from 127.
 */
static const uint32_t bsi_encode_shares[4][6] = {
    {0, 1, 0, 0, 0, 0},                                                   /* U8 */
    {0, 0x3C00, 0x3800, 0x3555, 0x3400, 0x3548},                          /* F16 */
    {0, 0x3F800000, 0x3F000000, 0x3EAAAAAB, 0x3E800000, 0x3EA8F5C3},      /* F32 */
    {0, 0x3F80, 0x3F00, 0x3EAB, 0x3E80, 0x3EA9}};                         /* BF16 */

/* The bits of a whole number that the dtype holds exactly. */
static uint64_t bsi_encode_bits(biost_dtype dtype, int32_t value) {
    float real = (float)value;
    uint32_t bits;
    memcpy(&bits, &real, 4);
    switch (dtype) {
    case BIOST_DTYPE_F32:
        return bits;
    case BIOST_DTYPE_BF16:
        return bits >> 16;
    case BIOST_DTYPE_F16: /* an F32's exponent is greater by 127 - 15, its fraction longer by 13 bits */
        return value == 0 ? 0
                          : (bits >> 16 & 0x8000u) |
                                (((bits & 0x7FFFFFFFu) >> 13) - ((127u - 15u) << 10));
    default:
        return (uint64_t)(int64_t)value;
    }
}

/* Write the lowest `bytes` bytes of a number, in the machine's byte order. */
static void bsi_encode_put(uint8_t *out, uint64_t bits, uint32_t bytes) {
    const uint8_t u8 = (uint8_t)bits;
    const uint16_t u16 = (uint16_t)bits;
    const uint32_t u32 = (uint32_t)bits;
    const void *from = bytes == 1   ? (const void *)&u8
                       : bytes == 2 ? (const void *)&u16
                       : bytes == 4 ? (const void *)&u32
                                    : (const void *)&bits;
    memcpy(out, from, bytes);
}

/* A base that is `byte` has numbers[number] in channel `channel`. */
static void bsi_encode_hit(biost_encoder *encoder, uint8_t byte, uint32_t channel, uint32_t number) {
    uint8_t *hits = encoder->hits[byte];
    hits[1 + 2 * hits[0]] = (uint8_t)channel;
    hits[2 + 2 * hits[0]] = (uint8_t)number;
    hits[0]++;
    if (encoder->is_wide) {
        memcpy(&encoder->elements[byte][channel * encoder->element_bytes], encoder->numbers[number],
               encoder->element_bytes);
    }
}

/* Where a letter stands among the channels' names, or NULL; T and U are one unless both are named. */
static const char *bsi_encode_channel(const char *names, uint8_t letter) {
    const char *found = letter == 0 ? NULL : strchr(names, letter);
    if (found == NULL && (letter == 'T' || letter == 'U')) {
        found = strchr(names, letter == 'T' ? 'U' : 'T');
    }
    return found;
}

static void bsi_encode_onehot_byte(biost_encoder *encoder, const biost_encoding *encoding,
                                   uint8_t byte) {
    int is_lower = byte >= 'a' && byte <= 'z';
    uint8_t letter = is_lower && encoding->lower_case == BIOST_LOWER_CASE_N
                         ? (uint8_t)'N'
                         : bsi_alphabet_letter(byte);
    const char *names = encoder->names, *found = bsi_encode_channel(names, letter);
    uint32_t bases = bsi_alphabet_bases(letter);
    uint32_t count = (bases & 1) + (bases >> 1 & 1) + (bases >> 2 & 1) + (bases >> 3 & 1);
    int is_shared = encoding->ambiguous == BIOST_AMBIGUOUS_N ? count == 4
                                                             : encoding->ambiguous != 0;
    if (found != NULL) {
        bsi_encode_hit(encoder, byte, (uint32_t)(found - names), 1);
    }
    for (uint32_t i = 0; found == NULL && is_shared && names[i] != '\0'; i++) {
        if (bsi_alphabet_bases((uint8_t)names[i]) & bases) {
            bsi_encode_hit(encoder, byte, i, count);
        }
    }
    if (is_lower && encoding->lower_case == BIOST_LOWER_CASE_CHANNEL) {
        bsi_encode_hit(encoder, byte, encoder->channels - 1, 1);
    }
}

static void bsi_encode_begin_onehot(biost_encoder *encoder, const biost_encoding *encoding) {
    const char *channels = encoding->channels != NULL ? encoding->channels : "ACGT";
    const uint32_t *shares = bsi_encode_shares[encoding->dtype];
    size_t count = strlen(channels);
    memcpy(encoder->names, channels, count);
    encoder->channels = (uint32_t)count + (encoding->lower_case == BIOST_LOWER_CASE_CHANNEL);
    encoder->base_bytes = encoder->channels * encoder->element_bytes;
    encoder->is_ncl = encoding->layout == BIOST_LAYOUT_NCL;
    encoder->is_wide = encoder->base_bytes <= 16 && (!encoder->is_ncl || encoder->channels == 1);
    for (uint32_t i = 0; i < 5; i++) {
        int is_033 = i == 3 && encoding->ambiguous == BIOST_AMBIGUOUS_HELIXER;
        bsi_encode_put(encoder->numbers[i], shares[is_033 ? 5 : i], encoder->element_bytes);
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        bsi_encode_onehot_byte(encoder, encoding, (uint8_t)byte);
    }
}

/* The token of a byte, as a whole number. */
static uint64_t bsi_encode_token(const biost_encoding *encoding, uint8_t byte) {
    return (uint64_t)(int64_t)(encoding->tokens != NULL ? encoding->tokens[byte]
                                                        : (int32_t)bsi_alphabet_code(byte) + 1);
}

static void bsi_encode_begin_tokens(biost_encoder *encoder, const biost_encoding *encoding) {
    encoder->channels = 1;
    encoder->base_bytes = encoder->element_bytes;
    encoder->is_wide = 1;
    for (uint32_t byte = 0; byte < 256; byte++) {
        bsi_encode_put(encoder->elements[byte], bsi_encode_token(encoding, (uint8_t)byte),
                       encoder->element_bytes);
    }
}

/* ---- rows: scalar ---- */

/*
 * Copy the elements of each base, `bytes` of them: a constant, so that compilers make one load and one
 * store of a copy. Four at a time, or the speed of so short a loop hangs on where in memory its code
 * happens to lie (16 bytes: one at a time 1.4 or 2.1 Gbase/s, four 2.5; gcc 12 -O2, a Xeon of 2023).
 */
BSI_INLINE void bsi_encode_copy(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                                uint8_t *out, const size_t bytes) {
    for (; bases >= 4; bases -= 4, seq += 4, out += 4 * bytes) {
        memcpy(out, encoder->elements[seq[0]], bytes);
        memcpy(out + bytes, encoder->elements[seq[1]], bytes);
        memcpy(out + 2 * bytes, encoder->elements[seq[2]], bytes);
        memcpy(out + 3 * bytes, encoder->elements[seq[3]], bytes);
    }
    for (; bases > 0; bases--, seq++, out += bytes) {
        memcpy(out, encoder->elements[*seq], bytes);
    }
}

/* As above for any number of bytes. 16 are copied while there is room; the next base mends the rest. */
static void bsi_encode_copy_odd(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                                uint8_t *out) {
    size_t bytes = encoder->base_bytes, left = bases * bytes;
    for (; left >= 16; left -= bytes, out += bytes) {
        memcpy(out, encoder->elements[*seq++], 16);
    }
    for (; left > 0; left -= bytes, out += bytes) {
        memcpy(out, encoder->elements[*seq++], bytes);
    }
}

/* [bases][base_bytes] by one look-up per base. */
static void bsi_encode_wide(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                            uint8_t *out) {
    switch (encoder->base_bytes) {
    case 1:
        bsi_encode_copy(encoder, seq, bases, out, 1);
        break;
    case 4:
        bsi_encode_copy(encoder, seq, bases, out, 4);
        break;
    case 8:
        bsi_encode_copy(encoder, seq, bases, out, 8);
        break;
    case 16:
        bsi_encode_copy(encoder, seq, bases, out, 16);
        break;
    default:
        bsi_encode_copy_odd(encoder, seq, bases, out);
        break;
    }
}

/*
 * Write the elements that are not 0, each base's at `base_step` bytes from the last one's. A base without
 * hits has its channel 0 written, as 0.
 */
BSI_INLINE void bsi_encode_scatter(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                                   uint8_t *out, size_t base_step, size_t channel_step,
                                   size_t element_bytes) {
    for (uint32_t i = 0; i < bases; i++, out += base_step) {
        const uint8_t *hits = encoder->hits[seq[i]];
        memcpy(out + hits[1] * channel_step, encoder->numbers[hits[2]], element_bytes);
        for (uint32_t k = 1; k < hits[0]; k++) {
            memcpy(out + hits[1 + 2 * k] * channel_step, encoder->numbers[hits[2 + 2 * k]],
                   element_bytes);
        }
    }
}

/* Channels by themselves, or many: zeros, then the few elements of each base that are not 0. */
static void bsi_encode_narrow(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                              uint8_t *out, uint32_t columns) {
    size_t element_bytes = encoder->element_bytes, channel_step = element_bytes;
    size_t base_step = encoder->base_bytes;
    if (encoder->is_ncl) {
        channel_step = columns * element_bytes;
        base_step = element_bytes;
        for (uint32_t i = 0; i < encoder->channels; i++) {
            memset(out + i * channel_step, 0, bases * element_bytes);
        }
    } else {
        memset(out, 0, bases * base_step);
    }
    if (element_bytes == 1) {
        bsi_encode_scatter(encoder, seq, bases, out, base_step, channel_step, 1);
    } else if (element_bytes == 2) {
        bsi_encode_scatter(encoder, seq, bases, out, base_step, channel_step, 2);
    } else {
        bsi_encode_scatter(encoder, seq, bases, out, base_step, channel_step, 4);
    }
}

/*
 * The bases of a row, without padding; the oracle of other kernels. They read nothing but seq[bases]
 * and write nothing but the columns of these bases.
 *
 *   out  out  [bases][channels]; NCL [channels][bases], each channel `columns` elements from the last
 */
static void bsi_encode_row_scalar(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                                  uint8_t *out, uint32_t columns) {
    if (encoder->is_wide) {
        bsi_encode_wide(encoder, seq, bases, out);
    } else {
        bsi_encode_narrow(encoder, seq, bases, out, columns);
    }
}

/* ---- rows: AVX2 ---- */

#if BSI_CPU_X86_AVX2

BSI_TARGET("avx2") BSI_INLINE __m256i bsi_encode_load(const uint8_t *from) {
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

BSI_TARGET("avx2") BSI_INLINE void bsi_encode_store(uint8_t *to, __m256i a) {
    _mm256_storeu_si256((__m256i *)(void *)to, a);
}

/* Vectors of an encoder, in registers. */
typedef struct bsi_encode_vectors {
    __m256i match, give, place, other;
} bsi_encode_vectors;

BSI_TARGET("avx2")
BSI_INLINE bsi_encode_vectors bsi_encode_vectors_of(const biost_encoder *encoder) {
    bsi_encode_vectors v;
    v.match = bsi_encode_load(encoder->match);
    v.give = bsi_encode_load(encoder->give);
    v.place = bsi_encode_load(encoder->place);
    v.other = _mm256_set1_epi8((char)encoder->place[0]);
    return v;
}

/* 32 bytes of elements: bases by their place among those of `a`, compared with their letters. */
BSI_TARGET("avx2")
BSI_INLINE void bsi_encode_onehot_32(bsi_encode_vectors v, __m256i a, int first, uint8_t *out) {
    __m256i place = _mm256_add_epi8(v.place, _mm256_set1_epi8((char)first));
    __m256i hot = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(a, place), v.match);
    bsi_encode_store(out, _mm256_and_si256(hot, v.give));
}

/*
 * Ask for the line that is to be written 768 bytes later, so that its old bytes are near by then: rows of
 * 64 times 2400 bytes go to the second-level cache at 0.97 of the speed of memset, without at 0.86, of
 * 1200 bytes at 0.95 and 0.77 (512 to 1024 are alike; machine as above). An address for a hint, not to
 * be written through.
 */
BSI_INLINE void bsi_encode_ask(const uint8_t *out) {
    BSI_PREFETCH((const void *)((uintptr_t)out + 768));
}

/* Letters made lower case and U to T. Bit 0x20 makes a lower-case letter of nothing but a letter. */
BSI_TARGET("avx2") BSI_INLINE __m256i bsi_encode_fold(__m256i a) {
    a = _mm256_or_si256(a, _mm256_set1_epi8(0x20));
    return _mm256_add_epi8(a, _mm256_cmpeq_epi8(a, _mm256_set1_epi8('u')));
}

/* One line of the cache: 64 bytes of elements, from the base at `first` of `a` on. */
BSI_TARGET("avx2")
BSI_INLINE void bsi_encode_onehot_64(bsi_encode_vectors v, __m256i a, int first, uint8_t *out,
                                     const uint32_t element_bytes) {
    bsi_encode_ask(out);
    bsi_encode_onehot_32(v, a, first, out);
    bsi_encode_onehot_32(v, a, first + 8 / (int)element_bytes, out + 32);
}

BSI_TARGET("avx2")
BSI_INLINE void bsi_encode_onehot_16(bsi_encode_vectors v, const uint8_t *seq, uint8_t *out,
                                     const uint32_t element_bytes) {
    __m128i some = _mm_loadu_si128((const __m128i *)(const void *)seq);
    __m256i a = bsi_encode_fold(_mm256_broadcastsi128_si256(some));
    bsi_encode_onehot_64(v, a, 0, out, element_bytes);
    if (element_bytes > 1) {
        bsi_encode_onehot_64(v, a, 16 / (int)element_bytes, out + 64, element_bytes);
    }
    if (element_bytes > 2) {
        bsi_encode_onehot_64(v, a, 8, out + 128, element_bytes);
        bsi_encode_onehot_64(v, a, 12, out + 192, element_bytes);
    }
}

/* [bases][4], 16 bases or more. The last step ends with the row and may overlap the one before. */
BSI_TARGET("avx2")
BSI_INLINE void bsi_encode_onehot_row(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                                      uint8_t *out, const uint32_t element_bytes) {
    const bsi_encode_vectors v = bsi_encode_vectors_of(encoder);
    size_t last = (size_t)bases - 16;
    for (size_t i = 0; i < last; i += 16) {
        bsi_encode_onehot_16(v, seq + i, out + i * 4 * element_bytes, element_bytes);
    }
    bsi_encode_onehot_16(v, seq + last, out + last * 4 * element_bytes, element_bytes);
}

BSI_TARGET("avx2")
static void bsi_encode_onehot_avx2(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                                   uint8_t *out, uint32_t columns) {
    (void)columns;
    if (bases < 16) {
        bsi_encode_wide(encoder, seq, bases, out);
    } else if (encoder->element_bytes == 1) {
        bsi_encode_onehot_row(encoder, seq, bases, out, 1);
    } else if (encoder->element_bytes == 2) {
        bsi_encode_onehot_row(encoder, seq, bases, out, 2);
    } else {
        bsi_encode_onehot_row(encoder, seq, bases, out, 4);
    }
}

/* 32 bytes of 0 and 255 as elements: 0 or, in each byte, `give`. */
BSI_TARGET("avx2")
BSI_INLINE void bsi_encode_plane_32(__m256i hot, __m256i give, uint8_t *out,
                                    const uint32_t element_bytes) {
    __m128i low = _mm256_castsi256_si128(hot), high = _mm256_extracti128_si256(hot, 1);
    bsi_encode_ask(out);
    if (element_bytes == 1) {
        bsi_encode_store(out, _mm256_and_si256(hot, give));
    } else if (element_bytes == 2) {
        bsi_encode_store(out, _mm256_and_si256(_mm256_cvtepi8_epi16(low), give));
        bsi_encode_store(out + 32, _mm256_and_si256(_mm256_cvtepi8_epi16(high), give));
    } else {
        __m256i second = _mm256_cvtepi8_epi32(_mm_srli_si128(low, 8));
        __m256i fourth = _mm256_cvtepi8_epi32(_mm_srli_si128(high, 8));
        bsi_encode_ask(out + 64);
        bsi_encode_store(out, _mm256_and_si256(_mm256_cvtepi8_epi32(low), give));
        bsi_encode_store(out + 32, _mm256_and_si256(second, give));
        bsi_encode_store(out + 64, _mm256_and_si256(_mm256_cvtepi8_epi32(high), give));
        bsi_encode_store(out + 96, _mm256_and_si256(fourth, give));
    }
}

/* NCL, 32 bases or more: 32 at a time into each of the four channels. */
BSI_TARGET("avx2")
BSI_INLINE void bsi_encode_planes_row(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                                      uint8_t *out, uint32_t columns, const uint32_t element_bytes) {
    const bsi_encode_vectors v = bsi_encode_vectors_of(encoder);
    size_t channel_bytes = (size_t)columns * element_bytes;
    for (size_t i = 0; i < bases; i += 32) {
        __m256i a;
        i = BSI_MIN(i, (size_t)bases - 32); /* the last step may overlap the one before */
        a = bsi_encode_fold(bsi_encode_load(seq + i));
        for (uint32_t k = 0; k < 4; k++) {
            __m256i letter = _mm256_set1_epi8((char)encoder->match[k * element_bytes]);
            bsi_encode_plane_32(_mm256_cmpeq_epi8(a, letter), v.give,
                                out + k * channel_bytes + i * element_bytes, element_bytes);
        }
    }
}

BSI_TARGET("avx2")
static void bsi_encode_planes_avx2(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                                   uint8_t *out, uint32_t columns) {
    if (bases < 32) {
        bsi_encode_narrow(encoder, seq, bases, out, columns);
    } else if (encoder->element_bytes == 1) {
        bsi_encode_planes_row(encoder, seq, bases, out, columns, 1);
    } else if (encoder->element_bytes == 2) {
        bsi_encode_planes_row(encoder, seq, bases, out, columns, 2);
    } else {
        bsi_encode_planes_row(encoder, seq, bases, out, columns, 4);
    }
}

/*
 * Tokens U8 of 32 bases: the low four bits of a letter, different for A, C, G, T and U, say which of
 * them it may be and which token that has; other bytes have that of byte 0.
 */
BSI_TARGET("avx2")
BSI_INLINE void bsi_encode_tokens_32(bsi_encode_vectors v, const uint8_t *seq, uint8_t *out) {
    __m256i a = _mm256_or_si256(bsi_encode_load(seq), _mm256_set1_epi8(0x20));
    __m256i same = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(v.match, a), a);
    bsi_encode_store(out, _mm256_blendv_epi8(v.other, _mm256_shuffle_epi8(v.give, a), same));
}

/* Tokens I32 or I64 of 8 bases, likewise: the low three bits of those five letters differ, too. */
BSI_TARGET("avx2")
BSI_INLINE void bsi_encode_tokens_8(bsi_encode_vectors v, const uint8_t *seq, uint8_t *out,
                                    const uint32_t element_bytes) {
    __m256i a = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)seq)), same;
    a = _mm256_or_si256(a, _mm256_set1_epi32(0x20));
    same = _mm256_cmpeq_epi32(_mm256_permutevar8x32_epi32(v.match, a), a);
    a = _mm256_blendv_epi8(v.other, _mm256_permutevar8x32_epi32(v.give, a), same);
    if (element_bytes == 4) {
        bsi_encode_store(out, a);
    } else {
        bsi_encode_ask(out);
        bsi_encode_store(out, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(a)));
        bsi_encode_store(out + 32, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(a, 1)));
    }
}

BSI_TARGET("avx2")
BSI_INLINE void bsi_encode_tokens_step(bsi_encode_vectors v, const uint8_t *seq, uint8_t *out,
                                       const uint32_t element_bytes) {
    if (element_bytes == 1) {
        bsi_encode_tokens_32(v, seq, out);
    } else {
        bsi_encode_tokens_8(v, seq, out, element_bytes);
    }
}

/* As many bases as a step takes, or more. The last step may overlap the one before. */
BSI_TARGET("avx2")
BSI_INLINE void bsi_encode_tokens_row(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                                      uint8_t *out, const uint32_t element_bytes) {
    const uint32_t step = element_bytes == 1 ? 32 : 8;
    bsi_encode_vectors v = bsi_encode_vectors_of(encoder);
    size_t last = (size_t)bases - step;
    int32_t other;
    memcpy(&other, encoder->place, 4);
    v.other = element_bytes == 1 ? v.other : _mm256_set1_epi32(other);
    for (size_t i = 0; i < last; i += step) {
        bsi_encode_tokens_step(v, seq + i, out + i * element_bytes, element_bytes);
    }
    bsi_encode_tokens_step(v, seq + last, out + last * element_bytes, element_bytes);
}

BSI_TARGET("avx2")
static void bsi_encode_tokens_avx2(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                                   uint8_t *out, uint32_t columns) {
    (void)columns;
    if (bases < 8 || (encoder->element_bytes == 1 && bases < 32)) {
        bsi_encode_wide(encoder, seq, bases, out);
    } else if (encoder->element_bytes == 1) {
        bsi_encode_tokens_row(encoder, seq, bases, out, 1);
    } else if (encoder->element_bytes == 4) {
        bsi_encode_tokens_row(encoder, seq, bases, out, 4);
    } else {
        bsi_encode_tokens_row(encoder, seq, bases, out, 8);
    }
}

#endif

/* ---- rows: NEON ---- */

#if BSI_CPU_ARM_NEON

/* As the AVX2 rows, 16 bases and 16 bytes of elements a step. */
BSI_INLINE void bsi_encode_onehot_row(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                                      uint8_t *out, const uint32_t element_bytes) {
    const uint8x16_t match = vld1q_u8(encoder->match), give = vld1q_u8(encoder->give);
    for (size_t i = 0; i < bases; i += 16) {
        uint8x16_t a, place = vld1q_u8(encoder->place);
        uint8_t *to;
        i = BSI_MIN(i, (size_t)bases - 16); /* the last step may overlap the one before */
        to = out + i * 4 * element_bytes;
        a = vorrq_u8(vld1q_u8(seq + i), vdupq_n_u8(0x20));
        a = vaddq_u8(a, vceqq_u8(a, vdupq_n_u8('u')));
        for (uint32_t k = 0; k < 4 * element_bytes; k++, to += 16) {
            vst1q_u8(to, vandq_u8(vceqq_u8(vqtbl1q_u8(a, place), match), give));
            place = vaddq_u8(place, vdupq_n_u8((uint8_t)(4 / element_bytes)));
        }
    }
}

static void bsi_encode_onehot_neon(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                                   uint8_t *out, uint32_t columns) {
    (void)columns;
    if (bases < 16) {
        bsi_encode_wide(encoder, seq, bases, out);
    } else if (encoder->element_bytes == 1) {
        bsi_encode_onehot_row(encoder, seq, bases, out, 1);
    } else if (encoder->element_bytes == 2) {
        bsi_encode_onehot_row(encoder, seq, bases, out, 2);
    } else {
        bsi_encode_onehot_row(encoder, seq, bases, out, 4);
    }
}

/* Tokens U8. */
static void bsi_encode_tokens_neon(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                                   uint8_t *out, uint32_t columns) {
    const uint8x16_t match = vld1q_u8(encoder->match), give = vld1q_u8(encoder->give);
    const uint8x16_t other = vdupq_n_u8(encoder->place[0]);
    (void)columns;
    if (bases < 16) {
        bsi_encode_wide(encoder, seq, bases, out);
        return;
    }
    for (size_t i = 0; i < bases; i += 16) {
        uint8x16_t a, at, same;
        i = BSI_MIN(i, (size_t)bases - 16); /* the last step may overlap the one before */
        a = vorrq_u8(vld1q_u8(seq + i), vdupq_n_u8(0x20));
        at = vandq_u8(a, vdupq_n_u8(15));
        same = vceqq_u8(vqtbl1q_u8(match, at), a);
        vst1q_u8(out + i, vbslq_u8(same, vqtbl1q_u8(give, at), other));
    }
}

#endif

/* ---- whole rows ---- */

/* One-hot of ACGT, each by itself or side by side: see bsi_encode_onehot_32. */
static void bsi_encode_plain_onehot(biost_encoder *encoder) {
    uint32_t element_bytes = encoder->element_bytes;
    encoder->is_plain = 1;
    for (uint32_t i = 0; i < 32; i++) {
        char name = encoder->names[i / element_bytes % 4];
        encoder->match[i] = (uint8_t)((name == 'U' ? 'T' : name) | 0x20);
        encoder->give[i] = encoder->numbers[1][i % element_bytes];
        encoder->place[i] = (uint8_t)(i / element_bytes / 4);
    }
}

/* Tokens that depend on the code of a base only: see bsi_encode_tokens_32 and _8. */
static void bsi_encode_plain_tokens(biost_encoder *encoder, const biost_encoding *encoding) {
    static const uint8_t letters[6] = "acgtu";
    uint32_t bytes = encoder->element_bytes == 1 ? 1 : 4;
    encoder->is_plain = 1;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t code = bsi_alphabet_code((uint8_t)i);
        uint8_t same = code == BSI_ALPHABET_OTHER ? (uint8_t)0 : letters[code];
        encoder->is_plain &= memcmp(encoder->elements[i], encoder->elements[same], 8) == 0;
    }
    for (uint32_t i = 0; i < 10; i++) {
        uint8_t letter = letters[i % 5];
        uint32_t at = bytes == 1 ? (letter & 15u) + i / 5 * 16 : (letter & 7u) * 4;
        bsi_encode_put(encoder->match + at, letter, bytes);
        bsi_encode_put(encoder->give + at, bsi_encode_token(encoding, letter), bytes);
    }
    bsi_encode_put(encoder->place, bsi_encode_token(encoding, 0), bytes);
}

/* Fill what kernels use, where the encoding is one they can do. */
static void bsi_encode_plain(biost_encoder *encoder, const biost_encoding *encoding) {
    if (encoding->kind == BIOST_ENCODE_TOKENS) {
        bsi_encode_plain_tokens(encoder, encoding);
    } else if (encoding->ambiguous == BIOST_AMBIGUOUS_ZERO &&
               encoding->lower_case == BIOST_LOWER_CASE_FOLD && bsi_encode_is_acgt(encoder->names)) {
        bsi_encode_plain_onehot(encoder);
    }
}

/* Make an encoder with the scalar row function. The encoding has passed bsi_encode_check. */
static void bsi_encode_begin(biost_encoder *encoder, const biost_encoding *encoding) {
    memset(encoder, 0, sizeof *encoder);
    encoder->kind = (uint32_t)encoding->kind;
    encoder->element_bytes = bsi_encode_dtype_bytes(encoding->dtype);
    encoder->pad_left = encoding->pad_side == BIOST_PAD_LEFT;
    bsi_encode_put(encoder->pad, bsi_encode_bits(encoding->dtype, encoding->pad_value),
                   encoder->element_bytes);
    if (encoding->kind == BIOST_ENCODE_TOKENS) {
        bsi_encode_begin_tokens(encoder, encoding);
    } else {
        bsi_encode_begin_onehot(encoder, encoding);
    }
    bsi_encode_plain(encoder, encoding);
    encoder->row = bsi_encode_row_scalar;
}

/* Fill `bytes` bytes, one element or more, with padding: one element, then what is there doubled. */
static void bsi_encode_pad(const biost_encoder *encoder, uint8_t *out, size_t bytes) {
    static const uint8_t zeros[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    size_t done = encoder->element_bytes;
    if (done == 1 || memcmp(encoder->pad, zeros, sizeof zeros) == 0) {
        memset(out, encoder->pad[0], bytes);
        return;
    }
    for (memcpy(out, encoder->pad, done); done < bytes; done += BSI_MIN(done, bytes - done)) {
        memcpy(out + done, out, BSI_MIN(done, bytes - done));
    }
}

/*
 * Encode one row.
 *
 *   seq  in   [bases]  any bytes; bases 0 makes a row of padding
 *   out  out  [columns][channels], NCL [channels][columns]; any alignment; bases <= columns
 */
static void bsi_encode_row(const biost_encoder *encoder, const uint8_t *seq, uint32_t bases,
                           uint8_t *out, uint32_t columns) {
    uint32_t planes = encoder->is_ncl ? encoder->channels : 1;
    size_t column_bytes = encoder->is_ncl ? encoder->element_bytes : encoder->base_bytes;
    size_t pad_bytes = (columns - bases) * column_bytes;
    size_t bases_at = encoder->pad_left ? pad_bytes : 0;
    size_t pad_at = encoder->pad_left ? 0 : bases * column_bytes;
    for (uint32_t i = 0; pad_bytes > 0 && i < planes; i++) {
        bsi_encode_pad(encoder, out + (size_t)i * columns * column_bytes + pad_at, pad_bytes);
    }
    if (bases > 0) {
        encoder->row(encoder, seq, bases, out + bases_at, columns);
    }
}

/* What is wrong with a tensor of qualities, naming the fields, or NULL. */
static const char *bsi_encode_check_quality(biost_quality kind, biost_dtype dtype) {
    const bsi_encode_rule rules[] = {
        {(uint32_t)kind > BIOST_QUALITY_ERROR, "desc.quality.kind is no biost_quality"},
        {kind == BIOST_QUALITY_PHRED && dtype != BIOST_DTYPE_U8 && dtype != BIOST_DTYPE_F32,
         "desc.quality.kind is BIOST_QUALITY_PHRED, and desc.quality.dtype is none of BIOST_DTYPE_U8 "
         "and BIOST_DTYPE_F32"},
        {kind == BIOST_QUALITY_ERROR && dtype != BIOST_DTYPE_F32,
         "desc.quality.kind is BIOST_QUALITY_ERROR, and desc.quality.dtype is not BIOST_DTYPE_F32"}};
    return bsi_encode_broken(rules, sizeof rules / sizeof rules[0]);
}

/* 10^(-Q/10) to the nearest, for Q 0..93. A test checks each from its tenth power. */
static const float bsi_encode_errors[94] = {
    1.0f, 0.7943282f, 0.63095737f, 0.5011872f, 0.39810717f, 0.31622776f, 0.25118864f,
    0.19952624f, 0.15848932f, 0.12589253f, 0.1f, 0.07943282f, 0.06309573f, 0.050118722f,
    0.039810717f, 0.031622775f, 0.025118865f, 0.019952623f, 0.015848933f, 0.012589254f, 0.01f,
    0.007943282f, 0.0063095735f, 0.0050118724f, 0.0039810715f, 0.0031622776f, 0.0025118864f,
    0.0019952622f, 0.0015848932f, 0.0012589254f, 0.001f, 0.0007943282f, 0.00063095737f,
    0.0005011872f, 0.00039810716f, 0.00031622776f, 0.00025118864f, 0.00019952623f,
    0.00015848932f, 0.00012589255f, 0.0001f, 7.943282e-5f, 6.309574e-5f, 5.0118724e-5f,
    3.981072e-5f, 3.1622778e-5f, 2.5118865e-5f, 1.9952624e-5f, 1.5848931e-5f, 1.2589254e-5f,
    1e-5f, 7.943282e-6f, 6.3095736e-6f, 5.0118724e-6f, 3.9810716e-6f, 3.1622776e-6f,
    2.5118864e-6f, 1.9952622e-6f, 1.5848932e-6f, 1.2589254e-6f, 1e-6f, 7.9432823e-7f,
    6.3095735e-7f, 5.0118723e-7f, 3.9810718e-7f, 3.1622776e-7f, 2.5118865e-7f, 1.9952623e-7f,
    1.5848931e-7f, 1.2589254e-7f, 1e-7f, 7.943282e-8f, 6.309573e-8f, 5.011872e-8f, 3.981072e-8f,
    3.1622776e-8f, 2.5118863e-8f, 1.9952623e-8f, 1.5848931e-8f, 1.2589254e-8f, 1e-8f,
    7.9432825e-9f, 6.3095733e-9f, 5.0118723e-9f, 3.981072e-9f, 3.1622776e-9f, 2.5118865e-9f,
    1.9952624e-9f, 1.5848932e-9f, 1.2589254e-9f, 1e-9f, 7.943282e-10f, 6.3095734e-10f,
    5.0118726e-10f};

/* The Phred score of a quality character, 0..93. */
BSI_INLINE uint32_t bsi_encode_phred(uint8_t character) {
    uint32_t score = character - 33u;
    if (BSI_UNLIKELY(score > 93)) {
        score = character < 33 ? 0 : 93;
    }
    return score;
}

/*
 * Scores of [bases] characters. Of eight at a time, none has bit 7, none gets it by adding 1, and all
 * keep it set beside them when 33 is taken away: then they are in 33..126, and no byte borrows.
 */
static void bsi_encode_scores(const uint8_t *qual, uint32_t bases, uint8_t *out) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones * 0x80;
    uint64_t word;
    uint32_t i = 0;
    for (; bases - i >= 8; i += 8) {
        memcpy(&word, qual + i, 8);
        if (((word | (word + ones)) & tops) != 0 || (((word | tops) - 33 * ones) & tops) != tops) {
            for (uint32_t k = i; k < i + 8; k++) {
                out[k] = (uint8_t)bsi_encode_phred(qual[k]);
            }
            continue;
        }
        word -= 33 * ones;
        memcpy(out + i, &word, 8);
    }
    for (; i < bases; i++) {
        out[i] = (uint8_t)bsi_encode_phred(qual[i]);
    }
}

/* Encode one row of qualities; kind is not NONE, and both have passed bsi_encode_check_quality. */
static void bsi_encode_quality(biost_quality kind, biost_dtype dtype, int pad_left,
                               const uint8_t *qual, uint32_t bases, uint8_t *out, uint32_t columns) {
    size_t bytes = bsi_encode_dtype_bytes(dtype), pad_bytes = (columns - bases) * bytes;
    memset(out + (pad_left ? 0 : bases * bytes), 0, pad_bytes);
    out += pad_left ? pad_bytes : 0;
    if (dtype == BIOST_DTYPE_U8) {
        bsi_encode_scores(qual, bases, out);
        return;
    }
    for (uint32_t i = 0; i < bases; i++) {
        uint32_t score = bsi_encode_phred(qual[i]);
        float value = kind == BIOST_QUALITY_ERROR ? bsi_encode_errors[score] : (float)score;
        memcpy(out + (size_t)i * 4, &value, 4);
    }
}

static void bsi_encode_mask(int pad_left, uint32_t bases, uint8_t *out, uint32_t columns) {
    uint32_t padding = columns - bases;
    memset(out + (pad_left ? 0 : bases), 0, padding);
    memset(out + (pad_left ? padding : 0), 1, bases);
}

/* ---- digests ---- */

/* A row of one tensor. */
typedef struct bsi_encode_part {
    const uint8_t *row;         /* [bytes] elements in the machine's byte order */
    size_t bytes;
    uint32_t element_bytes;     /* 1, 2, 4 or 8; divides bytes */
} bsi_encode_part;

/* Whether elements lie in memory as they are hashed. */
static int bsi_encode_is_hashed_as_is(const bsi_encode_part *part) {
    static const uint16_t probe = 1;
    uint8_t first;
    memcpy(&first, &probe, 1);
    return first == 1 || part->element_bytes == 1;
}

/* Hash elements as little-endian bit patterns, whatever the machine's byte order. */
static void bsi_encode_hash(bsi_hash *hash, const bsi_encode_part *part) {
    uint8_t turned[8];
    if (bsi_encode_is_hashed_as_is(part)) {
        bsi_hash_update(hash, part->row, part->bytes);
        return;
    }
    for (size_t i = 0; i < part->bytes; i += part->element_bytes) {
        for (uint32_t k = 0; k < part->element_bytes; k++) {
            turned[k] = part->row[i + part->element_bytes - 1 - k];
        }
        bsi_hash_update(hash, turned, part->element_bytes);
    }
}

/*
 * The digest of one row: XXH64 over its elements in each tensor, padding columns included, then
 * length i32, id i64, piece u32 and start_base i64; the seed is XXH64 of {epoch, batch, row number
 * in the global batch}, three u64.
 */
static void bsi_encode_digest_begin(bsi_hash *hash, const uint64_t epoch_batch_row[3]) {
    bsi_hash_begin(hash, 0);
    bsi_hash_begin(hash, bsi_hash_end_words(hash, epoch_batch_row, 3));
}

/* Length, id, piece and start_base as three words. */
BSI_INLINE void bsi_encode_digest_tail(int32_t length, const biost_row *origin, uint64_t out_words[3]) {
    const uint64_t id = (uint64_t)origin->id;
    out_words[0] = (uint32_t)length | id << 32;
    out_words[1] = id >> 32 | (uint64_t)origin->piece << 32;
    out_words[2] = (uint64_t)origin->start_base;
}

static uint64_t bsi_encode_digest_end(bsi_hash *hash, const bsi_encode_part *parts, uint32_t part_count,
                                      int32_t length, const biost_row *origin) {
    uint64_t tail[3];
    uint8_t bytes[24];
    for (uint32_t i = 0; i < part_count; i++) {
        bsi_encode_hash(hash, &parts[i]);
    }
    bsi_encode_digest_tail(length, origin, tail);
    for (uint32_t i = 0; i < 3; i++) {
        bsi_bytes_store64(bytes + 8 * i, tail[i]);
    }
    bsi_hash_update(hash, bytes, sizeof bytes);
    return bsi_hash_end(hash);
}

static uint64_t bsi_encode_digest(const bsi_encode_part *parts, uint32_t part_count, int32_t length,
                                  const biost_row *origin, const uint64_t epoch_batch_row[3]) {
    bsi_hash hash;
    bsi_encode_digest_begin(&hash, epoch_batch_row);
    return bsi_encode_digest_end(&hash, parts, part_count, length, origin);
}

/* The ends of hashes that lack the last words of one tensor's rows, fewer than 4 each, and the tails. */
static uint64_t bsi_encode_digest_words(const bsi_hash_kernels *kernels, bsi_hash *hashes,
                                        const bsi_encode_part *part, const int32_t *lengths,
                                        const biost_row *origins) {
    uint64_t words[6 * BSI_HASH_MANY], values[BSI_HASH_MANY], sum = 0;
    uint32_t rest = (uint32_t)(part->bytes % 32 / 8);
    for (uint32_t i = 0; i < BSI_HASH_MANY; i++) {
        const uint8_t *end = part->row + (i + 1) * part->bytes;
        uint64_t *to = words + i, tail[3];
        for (uint32_t left = rest; left > 0; left--, to += BSI_HASH_MANY) {
            *to = bsi_bytes_load64(end - 8 * left);
        }
        bsi_encode_digest_tail(lengths[i], &origins[i], tail);
        for (uint32_t k = 0; k < 3; k++, to += BSI_HASH_MANY) {
            *to = tail[k];
        }
    }
    kernels->end(hashes, words, rest + 3, values);
    for (uint32_t i = 0; i < BSI_HASH_MANY; i++) {
        sum += values[i];
    }
    return sum;
}

/*
 * The sum of the digests of BSI_HASH_MANY rows that follow one another in each tensor: the stripes of the
 * first are hashed side by side; where there is no other, and its rows are whole words, so is the rest.
 * Parts, lengths, origins and place are those of the first row.
 */
static uint64_t bsi_encode_digest_many(const bsi_hash_kernels *kernels, const bsi_encode_part *parts,
                                       uint32_t part_count, const int32_t *lengths,
                                       const biost_row *origins, const uint64_t epoch_batch_row[3]) {
    const bsi_encode_part none = {(const uint8_t *)"", 0, 1}, *first = part_count > 0 ? parts : &none;
    int is_as_is = bsi_encode_is_hashed_as_is(first);
    size_t stripes = is_as_is ? first->bytes / 32 : 0;
    bsi_hash hashes[BSI_HASH_MANY];
    uint64_t sum = 0;
    kernels->many(hashes, epoch_batch_row, first->row, first->bytes, stripes);
    if (part_count == 1 && is_as_is && first->bytes % 8 == 0) {
        return bsi_encode_digest_words(kernels, hashes, first, lengths, origins);
    }
    for (uint32_t i = 0; i < BSI_HASH_MANY; i++) {
        bsi_encode_part rest[4];
        for (uint32_t k = 0; k < part_count; k++) {
            rest[k] = parts[k];
            rest[k].row += i * parts[k].bytes + (k == 0 ? 32 * stripes : 0);
            rest[k].bytes -= k == 0 ? 32 * stripes : 0;
        }
        sum += bsi_encode_digest_end(&hashes[i], rest, part_count, lengths[i], &origins[i]);
    }
    return sum;
}

/* ==========================================================================
 * >>pack   two bits a base, and k-mers as numbers
 *   uses: config bytes cpu alphabet   allocates: no   threads: no   I/O: no
 *
 * Vector versions read and write nothing but what the scalar ones do.
 * ========================================================================== */

typedef struct bsi_pack_kernels {
    /* As biost_pack_bases; either output may be NULL. */
    void (*pack)(const uint8_t *seq, size_t bases, uint8_t *out_packed, uint8_t *out_mask);
    /* As biost_unpack_bases; mask may be NULL. */
    void (*unpack)(const uint8_t *packed, const uint8_t *mask, size_t bases, uint8_t *out_seq);
    /* As biost_encode_kmers; the wish has passed bsi_pack_is_wish, its stride is not 0. */
    void (*kmers)(const biost_kmers *wish, const uint8_t *seq, size_t bases, uint8_t *out_ids);
} bsi_pack_kernels;

/* ---- scalar ---- */

/* Codes of four bases, a byte each. */
BSI_INLINE uint32_t bsi_pack_4(const uint8_t *seq) {
    return bsi_alphabet_code(seq[0]) | bsi_alphabet_code(seq[1]) << 8 |
           bsi_alphabet_code(seq[2]) << 16 | bsi_alphabet_code(seq[3]) << 24;
}

/* Eight bases: two bits of each, the upper ones moved down in three steps; and bit 2 of each. */
BSI_INLINE uint32_t bsi_pack_8(const uint8_t *seq, uint32_t *out_others) {
    uint64_t codes = bsi_pack_4(seq) | (uint64_t)bsi_pack_4(seq + 4) << 32;
    uint64_t others = codes >> 2 & UINT64_C(0x0101010101010101);
    *out_others = (uint32_t)(others * UINT64_C(0x0102040810204080) >> 56);
    codes &= UINT64_C(0x0303030303030303);
    codes = (codes | codes >> 6) & UINT64_C(0x000F000F000F000F);
    codes = (codes | codes >> 12) & UINT64_C(0x000000FF000000FF);
    return (uint32_t)(codes | codes >> 24) & 0xFFFFu;
}

/* The last bases stand before A, which is 0. */
static void bsi_pack_scalar(const uint8_t *seq, size_t bases, uint8_t *out_packed,
                            uint8_t *out_mask) {
    for (size_t i = 0; i < bases; i += 8) {
        uint8_t last[8] = {'A', 'A', 'A', 'A', 'A', 'A', 'A', 'A'};
        size_t count = BSI_MIN(bases - i, 8);
        uint32_t word, others;
        if (count < 8) {
            memcpy(last, seq + i, count);
        }
        word = bsi_pack_8(count < 8 ? last : seq + i, &others);
        if (out_packed != NULL) {
            out_packed[i / 4] = (uint8_t)word;
        }
        if (out_packed != NULL && count > 4) {
            out_packed[i / 4 + 1] = (uint8_t)(word >> 8);
        }
        if (out_mask != NULL) {
            out_mask[i / 8] = (uint8_t)others;
        }
    }
}

static void bsi_pack_unpack_scalar(const uint8_t *packed, const uint8_t *mask, size_t bases,
                                   uint8_t *out_seq) {
    static const uint8_t letters[8] = {'A', 'C', 'G', 'T', 'N', 'N', 'N', 'N'};
    for (size_t i = 0; i < bases; i += 4) {
        size_t count = BSI_MIN(bases - i, 4);
        uint32_t codes = packed[i / 4], others = mask != NULL ? (uint32_t)mask[i / 8] >> i % 8 : 0;
        for (size_t k = 0; k < count; k++, codes >>= 2, others >>= 1) {
            out_seq[i + k] = letters[(codes & 3u) | (others & 1u) << 2];
        }
    }
}

/* Can it be, and does the dtype hold every id? */
static int bsi_pack_is_wish(const biost_kmers *wish) {
    int is_u16 = wish->dtype == BIOST_DTYPE_U16;
    int64_t least = is_u16 ? 0 : INT32_MIN, most = is_u16 ? 65535 : INT32_MAX;
    return wish->k >= 1 && wish->k <= 15 &&
           (is_u16 || wish->dtype == BIOST_DTYPE_I32 || wish->dtype == BIOST_DTYPE_I64) &&
           wish->first_id >= least && wish->first_id + ((int64_t)1 << 2 * wish->k) - 1 <= most &&
           wish->unknown_id >= least && wish->unknown_id <= most;
}

/* Write an id of `bytes` bytes, in the machine's byte order; returns the place behind it. */
BSI_INLINE uint8_t *bsi_pack_put(uint8_t *to, int32_t id, const uint32_t bytes) {
    const uint16_t u16 = (uint16_t)id;
    const int64_t i64 = id;
    memcpy(to, bytes == 2 ? (const void *)&u16 : bytes == 4 ? (const void *)&id : (const void *)&i64,
           bytes);
    return to + bytes;
}

/* A bit of `others` for each byte that is no base; `wait` counts the bases before a window ends. */
BSI_INLINE void bsi_pack_roll(const biost_kmers *wish, const uint8_t *seq, size_t bases, uint8_t *out,
                              const uint32_t bytes) {
    const uint32_t ids = ((uint32_t)1 << 2 * wish->k) - 1, window = ((uint32_t)1 << wish->k) - 1;
    const uint32_t stride = wish->stride;
    const int32_t first = wish->first_id, unknown = wish->unknown_id;
    uint32_t word = 0, others = 0, wait = wish->k;
    for (size_t i = 0; i < bases; i++) {
        uint32_t code = bsi_alphabet_code(seq[i]);
        word = word << 2 | (code & 3u);
        others = others << 1 | code >> 2;
        if (--wait == 0) {
            int32_t id = (int32_t)(word & ids) + first;
            out = bsi_pack_put(out, (others & window) == 0 ? id : unknown, bytes);
            wait = stride;
        }
    }
}

static void bsi_pack_kmers_scalar(const biost_kmers *wish, const uint8_t *seq, size_t bases,
                                  uint8_t *out) {
    if (wish->dtype == BIOST_DTYPE_U16) {
        bsi_pack_roll(wish, seq, bases, out, 2);
    } else if (wish->dtype == BIOST_DTYPE_I32) {
        bsi_pack_roll(wish, seq, bases, out, 4);
    } else {
        bsi_pack_roll(wish, seq, bases, out, 8);
    }
}

/* ---- AVX2 ---- */

#if BSI_CPU_X86_AVX2

/*
 * Codes of 32 bytes, 0 for others, which have 0 in *out_known, bases 255. The low four bits of a letter
 * say which base it may be.
 */
BSI_TARGET("avx2") BSI_INLINE __m256i bsi_pack_codes(__m256i a, __m256i *out_known) {
    const __m256i letters = _mm256_setr_epi8(0, 'a', 0, 'c', 't', 'u', 0, 'g', 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                             'a', 0, 'c', 't', 'u', 0, 'g', 0, 0, 0, 0, 0, 0, 0, 0);
    const __m256i codes = _mm256_setr_epi8(0, 0, 0, 1, 3, 3, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3,
                                           3, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0);
    a = _mm256_or_si256(a, _mm256_set1_epi8(0x20));
    *out_known = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(letters, a), a);
    return _mm256_and_si256(_mm256_shuffle_epi8(codes, a), *out_known);
}

BSI_TARGET("avx2") BSI_INLINE __m256i bsi_pack_load(const uint8_t *from) {
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

/* 32 bases as 64 bits: pairs of codes make four bits, of those pairs a byte. *out_known: 255 for each. */
BSI_TARGET("avx2") BSI_INLINE __m128i bsi_pack_32(const uint8_t *seq, __m256i *out_known) {
    const __m256i firsts = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                            -1, -1, -1, -1, 0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1);
    __m256i a = bsi_pack_codes(bsi_pack_load(seq), out_known);
    a = _mm256_maddubs_epi16(a, _mm256_set1_epi16(0x0401));
    a = _mm256_shuffle_epi8(_mm256_madd_epi16(a, _mm256_set1_epi32(0x00100001)), firsts);
    return _mm_or_si128(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
}

/*
 * The rest as the end of the last 32 bases, shifted so that the words end with the outputs; they write
 * what is there once more.
 */
BSI_TARGET("avx2")
BSI_INLINE void bsi_pack_row(const uint8_t *seq, size_t bases, uint8_t *out_packed, uint8_t *out_mask) {
    __m256i known;
    __m128i word;
    size_t i = 0, packed_skip, mask_skip;
    if (bases < 32) {
        bsi_pack_scalar(seq, bases, out_packed, out_mask);
        return;
    }
    for (; bases - i >= 32; i += 32) {
        word = bsi_pack_32(seq + i, &known);
        if (out_packed != NULL) {
            _mm_storel_epi64((__m128i *)(void *)(out_packed + i / 4), word);
        }
        if (out_mask != NULL) {
            bsi_bytes_store32(out_mask + i / 8, ~(uint32_t)_mm256_movemask_epi8(known));
        }
    }
    if (i == bases) {
        return;
    }
    i = bases - 32;
    packed_skip = (0 - i) % 4; /* bases before the first whole byte of the output */
    mask_skip = (0 - i) % 8;
    word = bsi_pack_32(seq + i, &known);
    if (out_packed != NULL) {
        word = _mm_srl_epi64(word, _mm_cvtsi32_si128((int)(2 * packed_skip)));
        _mm_storel_epi64((__m128i *)(void *)(out_packed + (i + packed_skip) / 4), word);
    }
    if (out_mask != NULL) {
        uint32_t others = ~(uint32_t)_mm256_movemask_epi8(known) >> mask_skip;
        bsi_bytes_store32(out_mask + (i + mask_skip) / 8, others);
    }
}

/* Without a mask, as most want it, nothing asks for one in the loop. */
BSI_TARGET("avx2")
static void bsi_pack_avx2(const uint8_t *seq, size_t bases, uint8_t *out_packed, uint8_t *out_mask) {
    if (out_mask == NULL) {
        bsi_pack_row(seq, bases, out_packed, NULL);
    } else {
        bsi_pack_row(seq, bases, out_packed, out_mask);
    }
}

/* 255 in byte i where bit i of `bits` is 1, else 0: four bytes spread over 32. */
BSI_TARGET("avx2") BSI_INLINE __m256i bsi_pack_spread(uint32_t bits) {
    const __m256i place = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2,
                                           2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m256i bit = _mm256_set1_epi64x((int64_t)UINT64_C(0x8040201008040201));
    __m256i a = _mm256_shuffle_epi8(_mm256_set1_epi32((int32_t)bits), place);
    return _mm256_cmpeq_epi8(_mm256_and_si256(a, bit), bit);
}

/*
 * Letters of 32 bases. Each byte goes to four places, of which each keeps its two bits: in the lower half
 * at bits 0 or 2, so that 0, 1, 2, 3 or 0, 4, 8, 12 looks the letter up.
 */
BSI_TARGET("avx2") BSI_INLINE __m256i bsi_pack_letters(uint64_t word) {
    const __m256i place = _mm256_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5,
                                           5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7);
    const __m256i letters =
        _mm256_setr_epi8('A', 'C', 'G', 'T', 'C', 0, 0, 0, 'G', 0, 0, 0, 'T', 0, 0, 0, 'A', 'C', 'G',
                         'T', 'C', 0, 0, 0, 'G', 0, 0, 0, 'T', 0, 0, 0);
    __m256i a = _mm256_shuffle_epi8(_mm256_set1_epi64x((int64_t)word), place);
    a = _mm256_blend_epi16(a, _mm256_srli_epi16(a, 4), 0xAA);
    return _mm256_shuffle_epi8(letters, _mm256_and_si256(a, _mm256_set1_epi16(0x0C03)));
}

BSI_TARGET("avx2")
static void bsi_pack_unpack_avx2(const uint8_t *packed, const uint8_t *mask, size_t bases,
                                 uint8_t *out_seq) {
    size_t i = 0, last = bases < 32 ? 0 : (bases - 32) / 8 * 8; /* the last 32 that are whole bytes */
    size_t end = bases < 32 ? 0 : last + 32;
    for (; i < end; i += 32) {
        __m256i a;
        i = BSI_MIN(i, last);
        a = bsi_pack_letters(bsi_bytes_load64(packed + i / 4));
        if (mask != NULL) {
            a = _mm256_blendv_epi8(a, _mm256_set1_epi8('N'),
                                   bsi_pack_spread(bsi_bytes_load32(mask + i / 8)));
        }
        _mm256_storeu_si256((__m256i *)(void *)(out_seq + i), a);
    }
    bsi_pack_unpack_scalar(packed + i / 4, mask == NULL ? NULL : mask + i / 8, bases - i, out_seq + i);
}

/* 0, 1, 2, ... 15 and `from` more, in each half. */
BSI_TARGET("avx2") BSI_INLINE __m256i bsi_pack_count(uint32_t from) {
    const __m128i count = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm256_broadcastsi128_si256(_mm_add_epi8(count, _mm_set1_epi8((char)from)));
}

/*
 * The 8-mers that begin at 16 bases, 16 bits each: of codes pairs, of those fours, of those eights. A half
 * of the vector has 16 bases and makes 8 numbers. Reads 24 bases, from `skip` before the first on.
 * *out_known: 255 for each base.
 */
BSI_TARGET("avx2")
BSI_INLINE __m256i bsi_pack_eights(const uint8_t *seq, uint32_t skip, __m256i *out_known) {
    const __m128i *from = (const __m128i *)(const void *)(seq - skip);
    const __m128i *next = (const __m128i *)(const void *)(seq - skip + 8);
    __m256i a = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(from)),
                                        _mm_loadu_si128(next), 1);
    if (skip > 0) {
        a = _mm256_shuffle_epi8(a, bsi_pack_count(skip));
    }
    a = bsi_pack_codes(a, out_known);
    a = _mm256_or_si256(_mm256_slli_epi16(a, 2), _mm256_srli_si256(a, 1));
    a = _mm256_or_si256(_mm256_slli_epi16(a, 4), _mm256_srli_si256(a, 2));
    return _mm256_unpacklo_epi8(_mm256_srli_si256(a, 4), a);
}

/* 16 bits of ones for each of those 16 windows, of up to 8 bases, that has a byte which is no base. */
BSI_TARGET("avx2") BSI_INLINE __m256i bsi_pack_unknown(__m256i known, uint32_t bases) {
    __m256i a = _mm256_xor_si256(known, _mm256_set1_epi8(-1));
    uint32_t have = bases >= 4 ? 4 : bases >= 2 ? 2 : 1; /* bases that a byte speaks for */
    if (have >= 2) {
        a = _mm256_or_si256(a, _mm256_srli_si256(a, 1));
    }
    if (have >= 4) {
        a = _mm256_or_si256(a, _mm256_srli_si256(a, 2));
    }
    a = _mm256_or_si256(a, _mm256_shuffle_epi8(a, bsi_pack_count(bases - have)));
    return _mm256_unpacklo_epi8(a, a);
}

/* 16 numbers of 32 bits. */
typedef struct bsi_pack_ids {
    __m256i low, high;
} bsi_pack_ids;

BSI_TARGET("avx2") BSI_INLINE bsi_pack_ids bsi_pack_widen(__m256i a) {
    bsi_pack_ids ids;
    ids.low = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(a));
    ids.high = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(a, 1));
    return ids;
}

/* Each number of `a`, and behind it the lowest `bits` bits of that of `b`. */
BSI_TARGET("avx2") BSI_INLINE bsi_pack_ids bsi_pack_append(__m256i a, __m256i b, uint32_t bits) {
    const __m128i rest = _mm_cvtsi32_si128((int)(16 - bits));
    bsi_pack_ids ids;
    b = _mm256_sll_epi16(b, rest);
    ids.low = _mm256_srl_epi32(_mm256_unpacklo_epi16(b, a), rest); /* 0 to 3 and 8 to 11 */
    b = _mm256_srl_epi32(_mm256_unpackhi_epi16(b, a), rest);
    ids.high = _mm256_permute2x128_si256(ids.low, b, 0x31);
    ids.low = _mm256_permute2x128_si256(ids.low, b, 0x20);
    return ids;
}

/* Write 16 ids, of 32 or 64 bits: numbers and `first`, but `other` where `unknown` has ones. */
BSI_TARGET("avx2")
BSI_INLINE void bsi_pack_put_16(const biost_kmers *wish, bsi_pack_ids ids, __m256i unknown,
                                uint8_t *out, const uint32_t bytes) {
    const __m256i first = _mm256_set1_epi32(wish->first_id);
    const __m256i other = _mm256_set1_epi32(wish->unknown_id);
    __m256i low = _mm256_cvtepi16_epi32(_mm256_castsi256_si128(unknown));
    __m256i high = _mm256_cvtepi16_epi32(_mm256_extracti128_si256(unknown, 1));
    __m256i *at = (__m256i *)(void *)out;
    low = _mm256_blendv_epi8(_mm256_add_epi32(ids.low, first), other, low);
    high = _mm256_blendv_epi8(_mm256_add_epi32(ids.high, first), other, high);
    if (bytes == 4) {
        _mm256_storeu_si256(at, low);
        _mm256_storeu_si256(at + 1, high);
    } else {
        _mm256_storeu_si256(at, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(low)));
        _mm256_storeu_si256(at + 1, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(low, 1)));
        _mm256_storeu_si256(at + 2, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(high)));
        _mm256_storeu_si256(at + 3, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(high, 1)));
    }
}

/*
 * Ids of 16 windows. Up to 8 bases are the upper bits of an 8-mer; more are one and the lower bits of the
 * one that ends with the window.
 */
BSI_TARGET("avx2")
BSI_INLINE void bsi_pack_windows_16(const biost_kmers *wish, const uint8_t *seq, uint32_t skip,
                                    uint8_t *out, const uint32_t bytes) {
    const uint32_t head = BSI_MIN(wish->k, 8), tail = wish->k - head;
    const uint32_t needed = (((uint32_t)1 << (head + 7)) - 1) * 0x10001u;
    __m256i known, ends_known, a = bsi_pack_eights(seq, skip, &known), ends, all;
    __m256i unknown = _mm256_setzero_si256();
    a = _mm256_srl_epi16(a, _mm_cvtsi32_si128((int)(16 - 2 * head)));
    ends = a;
    ends_known = known;
    if (tail > 0) {
        ends = bsi_pack_eights(seq + tail, skip, &ends_known);
    }
    all = _mm256_and_si256(known, ends_known);
    if (BSI_UNLIKELY((~(uint32_t)_mm256_movemask_epi8(all) & needed) != 0)) {
        unknown = _mm256_or_si256(bsi_pack_unknown(known, head), bsi_pack_unknown(ends_known, head));
    }
    if (bytes == 2) {
        a = _mm256_add_epi16(a, _mm256_set1_epi16((short)wish->first_id));
        a = _mm256_blendv_epi8(a, _mm256_set1_epi16((short)wish->unknown_id), unknown);
        _mm256_storeu_si256((__m256i *)(void *)out, a);
    } else if (tail > 0) {
        bsi_pack_put_16(wish, bsi_pack_append(a, ends, 2 * tail), unknown, out, bytes);
    } else {
        bsi_pack_put_16(wish, bsi_pack_widen(a), unknown, out, bytes);
    }
}

/* The last steps skip what they must read in front of their windows to end with seq or before. */
BSI_TARGET("avx2")
BSI_INLINE void bsi_pack_slide(const biost_kmers *wish, const uint8_t *seq, size_t bases, uint8_t *out,
                               const uint32_t bytes) {
    const biost_kmers own = *wish; /* which no byte written can change */
    size_t windows = bases - own.k + 1, reach = 16 + BSI_MAX(own.k, 8), i = 0;
    for (; i + reach <= bases; i += 16) {
        bsi_pack_windows_16(&own, seq + i, 0, out + i * bytes, bytes);
    }
    for (; i < windows; i += 16) {
        i = BSI_MIN(i, windows - 16);
        bsi_pack_windows_16(&own, seq + i, 9 - BSI_MIN(own.k, 8), out + i * bytes, bytes);
    }
}

/* Windows side by side; with another stride, or fewer than 32 windows, one after another. */
BSI_TARGET("avx2")
static void bsi_pack_kmers_avx2(const biost_kmers *wish, const uint8_t *seq, size_t bases,
                                uint8_t *out) {
    if (wish->stride != 1 || bases < wish->k + 31) {
        bsi_pack_kmers_scalar(wish, seq, bases, out);
    } else if (wish->dtype == BIOST_DTYPE_U16) {
        bsi_pack_slide(wish, seq, bases, out, 2);
    } else if (wish->dtype == BIOST_DTYPE_I32) {
        bsi_pack_slide(wish, seq, bases, out, 4);
    } else {
        bsi_pack_slide(wish, seq, bases, out, 8);
    }
}

#endif

/* ---- NEON ---- */

#if BSI_CPU_ARM_NEON

/* 16 bases as 32 bits, and the others among them. Codes go two, then four to the lowest byte of a word. */
BSI_INLINE uint32_t bsi_pack_16(const uint8_t *seq, uint32_t *out_others) {
    static const uint8_t tables[2][16] = {{0, 'a', 0, 'c', 't', 'u', 0, 'g', 0, 0, 0, 0, 0, 0, 0, 0},
                                          {0, 0, 0, 1, 3, 3, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0}};
    const uint8x16_t bits = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
    uint8x16_t a = vorrq_u8(vld1q_u8(seq), vdupq_n_u8(0x20)), at = vandq_u8(a, vdupq_n_u8(15)), known;
    uint8x16_t others;
    uint16x8_t pairs;
    uint32x4_t fours;
    known = vceqq_u8(vqtbl1q_u8(vld1q_u8(tables[0]), at), a);
    pairs = vreinterpretq_u16_u8(vandq_u8(vqtbl1q_u8(vld1q_u8(tables[1]), at), known));
    fours = vreinterpretq_u32_u16(vorrq_u16(pairs, vshrq_n_u16(pairs, 6)));
    fours = vandq_u32(vorrq_u32(fours, vshrq_n_u32(fours, 12)), vdupq_n_u32(255));
    others = vbicq_u8(bits, known);
    *out_others = vaddv_u8(vget_low_u8(others)) | (uint32_t)vaddv_u8(vget_high_u8(others)) << 8;
    return vgetq_lane_u32(fours, 0) | vgetq_lane_u32(fours, 1) << 8 |
           vgetq_lane_u32(fours, 2) << 16 | vgetq_lane_u32(fours, 3) << 24;
}

/* As bsi_pack_avx2. */
static void bsi_pack_neon(const uint8_t *seq, size_t bases, uint8_t *out_packed, uint8_t *out_mask) {
    if (bases < 16) {
        bsi_pack_scalar(seq, bases, out_packed, out_mask);
        return;
    }
    for (size_t i = 0; i < bases; i += 16) {
        uint32_t word, others;
        i = BSI_MIN(i, bases - 16);
        word = bsi_pack_16(seq + i, &others);
        if (out_packed != NULL) {
            bsi_bytes_store32(out_packed + (i + 3) / 4, word >> 2 * (3 - (i + 3) % 4));
        }
        if (out_mask != NULL) {
            bsi_bytes_store16(out_mask + (i + 7) / 8, others >> (7 - (i + 7) % 8));
        }
    }
}

#endif

/* ---- the call ---- */

/* biost_encode_kmers, with all arguments given but out_ids. */
static biost_result bsi_pack_number(const bsi_pack_kernels *kernels, const biost_kmers *kmers,
                                    const uint8_t *seq, size_t bases, uint8_t *out_ids,
                                    size_t *out_windows) {
    biost_kmers wish = *kmers;
    wish.stride = kmers->stride != 0 ? kmers->stride : 1;
    if (!bsi_pack_is_wish(&wish) || (seq == NULL && bases > 0)) {
        return BIOST_ERR_ARG;
    }
    *out_windows = bases < wish.k ? 0 : (bases - wish.k) / wish.stride + 1;
    if (*out_windows > 0 && out_ids != NULL) {
        kernels->kmers(&wish, seq, bases, out_ids);
    }
    return BIOST_OK;
}

/* ==========================================================================
 * >>filter   which records become samples
 *   uses: config rng               allocates: no   threads: no   I/O: no
 *
 * What biost_filter says in floats becomes integers once, in bsi_filter_begin, and is compared
 * without dividing. No product of a comparison overflows: a record has n < 2^31 bases, so
 *     1000 x sum of Phred values  <= 93000 x n      < 2^48
 *     sum of errors, unit 2^-31   <= 2^31 x n       < 2^62
 *     1000000 x number of N       <= 1000000 x n    < 2^51
 * and the right-hand sides, threshold x n, have the same bounds. Callbacks are not called here.
 * ========================================================================== */

typedef struct bsi_filter {
    uint32_t wanted;            /* bit biost_drop: that filter is asked for; the others' fields are 0 */
    uint32_t min_base_quality;
    uint64_t first_n, every_nth;
    uint64_t keep_from, keep_below; /* thresholds of words, 0..2^32 */
    uint64_t min_bases, max_bases; /* inclusive; max: UINT64_MAX is no limit */
    uint64_t min_mean_quality;  /* Phred, in 1/1000 */
    uint64_t max_error;         /* chance of a wrong base, in 2^-31 */
    uint64_t max_n;             /* N per base, in 1/1000000; 0 also for no_n */
    bsi_rng_key keep_key;
} bsi_filter;

enum {                          /* bits of wanted: what asks for qualities, for biost_stats */
    BSI_FILTER_OF_QUALITY = 1 << BIOST_DROP_MEAN_QUALITY | 1 << BIOST_DROP_ERROR_RATE |
                            1 << BIOST_DROP_BASE_QUALITY,
    BSI_FILTER_OF_STATS = BSI_FILTER_OF_QUALITY | 1 << BIOST_DROP_N | 1 << BIOST_DROP_USER,
    BSI_FILTER_OF_RECORD = BSI_FILTER_OF_STATS | 1 << BIOST_DROP_LENGTH
};

/* Is filter `drop` asked for? */
BSI_INLINE int bsi_filter_wants(const bsi_filter *filter, biost_drop drop) {
    return (filter->wanted >> drop & 1u) != 0;
}

/* Is it in 0..most? NaN is not. */
static int bsi_filter_is_in(float value, float most) {
    return value >= 0.0f && value <= most;
}

/* filter.keep_below as it is meant: 0 is 1. */
static uint64_t bsi_filter_keep_below(const biost_filter *wish) {
    return bsi_rng_threshold(wish->keep_below == 0.0f ? 1.0f : wish->keep_below);
}

/* What is wrong with the ranges of records, or NULL. */
static const char *bsi_filter_check_keep(const biost_filter *wish) {
    if (wish->max_length != 0 && wish->min_length > wish->max_length) {
        return "desc.filter.min_length is over desc.filter.max_length";
    }
    if (!bsi_filter_is_in(wish->keep_from, 1.0f)) {
        return "desc.filter.keep_from is not in 0..1";
    }
    if (!bsi_filter_is_in(wish->keep_below, 1.0f)) {
        return "desc.filter.keep_below is not in 0..1";
    }
    if (bsi_rng_threshold(wish->keep_from) >= bsi_filter_keep_below(wish)) {
        return "desc.filter.keep_from is not below desc.filter.keep_below (of which 0 means 1)";
    }
    return NULL;
}

/* What is wrong with the wish, a static sentence that names the fields, or NULL. */
static const char *bsi_filter_check(const biost_filter *wish) {
    if (!bsi_filter_is_in(wish->min_mean_quality, 93.0f)) {
        return "desc.filter.min_mean_quality is not in 0..93";
    }
    if (!bsi_filter_is_in(wish->max_error_rate, 1.0f)) {
        return "desc.filter.max_error_rate is not in 0..1";
    }
    if (wish->min_base_quality > 93) {
        return "desc.filter.min_base_quality is not in 0..93";
    }
    if (!bsi_filter_is_in(wish->max_n, 1.0f)) {
        return "desc.filter.max_n is not in 0..1";
    }
    if (wish->no_n && wish->max_n != 0.0f) {
        return "desc.filter.no_n allows no N, desc.filter.max_n some: only one can be given";
    }
    return bsi_filter_check_keep(wish);
}

/*
 * value x scale to the nearest integer, so that 0.7f, which is 0.69999998..., means 700000 in a
 * million. value >= 0, and the product below 2^32; it is exact, 24 bits times at most 20.
 */
static uint64_t bsi_filter_scale(float value, double scale) {
    return (uint64_t)((double)value * scale + 0.5);
}

/* Which filters are asked for, as bits: also those whose threshold rounds to 0. */
static uint32_t bsi_filter_wishes(const biost_filter *wish) {
    return (uint32_t)(wish->first_n != 0) << BIOST_DROP_FIRST_N |
           (uint32_t)(wish->every_nth > 1) << BIOST_DROP_EVERY_NTH |
           (uint32_t)(wish->keep_from > 0.0f || (wish->keep_below > 0.0f && wish->keep_below < 1.0f))
               << BIOST_DROP_KEEP |
           (uint32_t)(wish->min_length != 0 || wish->max_length != 0) << BIOST_DROP_LENGTH |
           (uint32_t)(wish->min_mean_quality != 0.0f) << BIOST_DROP_MEAN_QUALITY |
           (uint32_t)(wish->max_error_rate != 0.0f) << BIOST_DROP_ERROR_RATE |
           (uint32_t)(wish->min_base_quality != 0) << BIOST_DROP_BASE_QUALITY |
           (uint32_t)(wish->no_n || wish->max_n != 0.0f) << BIOST_DROP_N |
           (uint32_t)(wish->keep != NULL) << BIOST_DROP_USER;
}

/* The wish must have passed bsi_filter_check. */
static void bsi_filter_begin(bsi_filter *filter, const biost_filter *wish, uint64_t seed) {
    memset(filter, 0, sizeof *filter);
    filter->wanted = bsi_filter_wishes(wish);
    filter->min_base_quality = wish->min_base_quality;
    filter->first_n = wish->first_n;
    filter->every_nth = wish->every_nth > 1 ? wish->every_nth : 0;
    if (bsi_filter_wants(filter, BIOST_DROP_KEEP)) {
        filter->keep_from = bsi_rng_threshold(wish->keep_from);
        filter->keep_below = bsi_filter_keep_below(wish);
    }
    if (bsi_filter_wants(filter, BIOST_DROP_LENGTH)) {
        filter->min_bases = wish->min_length;
        filter->max_bases = wish->max_length != 0 ? wish->max_length : UINT64_MAX;
    }
    filter->min_mean_quality = bsi_filter_scale(wish->min_mean_quality, 1000.0);
    filter->max_error = bsi_filter_scale(wish->max_error_rate, 2147483648.0);
    filter->max_n = bsi_filter_scale(wish->max_n, 1000000.0);
    filter->keep_key = bsi_rng_stage_key(seed, 0, BSI_RNG_KEEP);
}

/* The field that asks for qualities, for a sentence; NULL: none does. */
static const char *bsi_filter_quality_field(const bsi_filter *filter) {
    return bsi_filter_wants(filter, BIOST_DROP_MEAN_QUALITY)   ? "desc.filter.min_mean_quality"
           : bsi_filter_wants(filter, BIOST_DROP_ERROR_RATE)   ? "desc.filter.max_error_rate"
           : bsi_filter_wants(filter, BIOST_DROP_BASE_QUALITY) ? "desc.filter.min_base_quality"
                                                               : NULL;
}

/* Does some filter, perhaps the user's, read biost_stats? */
static int bsi_filter_needs_stats(const bsi_filter *filter) {
    return (filter->wanted & BSI_FILTER_OF_STATS) != 0;
}

/* Does some filter, perhaps the user's, have to see a record's end? */
static int bsi_filter_needs_record(const bsi_filter *filter) {
    return (filter->wanted & BSI_FILTER_OF_RECORD) != 0;
}

/*
 * The hash of (seed, id) is word 0 of draw 0, piece 0. Two parts with a common border have one
 * threshold for it, so no record is in both or in none.
 */
static int bsi_filter_is_kept(const bsi_filter *filter, int64_t id) {
    bsi_rng rng;
    uint32_t word;
    bsi_rng_begin(&rng, filter->keep_key, id, 0);
    word = bsi_rng_next(&rng);
    return word >= filter->keep_from && word < filter->keep_below;
}

/*
 * The first of FIRST_N, EVERY_NTH, KEEP and LENGTH that drops a record, or BIOST_DROP_COUNT.
 *
 *   visited  number of the record in visit order over all inputs, 0-based
 *   bases    of no interest without a filter by length
 */
static uint32_t bsi_filter_judge_place(const bsi_filter *filter, int64_t id, uint64_t visited,
                                       uint64_t bases) {
    if (bsi_filter_wants(filter, BIOST_DROP_FIRST_N) && visited >= filter->first_n) {
        return BIOST_DROP_FIRST_N;
    }
    if (bsi_filter_wants(filter, BIOST_DROP_EVERY_NTH) && visited % filter->every_nth != 0) {
        return BIOST_DROP_EVERY_NTH;
    }
    if (bsi_filter_wants(filter, BIOST_DROP_KEEP) && !bsi_filter_is_kept(filter, id)) {
        return BIOST_DROP_KEEP;
    }
    if (bsi_filter_wants(filter, BIOST_DROP_LENGTH) &&
        (bases < filter->min_bases || bases > filter->max_bases)) {
        return BIOST_DROP_LENGTH;
    }
    return BIOST_DROP_COUNT;
}

/*
 * The first of MEAN_QUALITY, ERROR_RATE, BASE_QUALITY and N that drops a record, or
 * BIOST_DROP_COUNT. A record of no bases has the worst quality there is, and no N. bases < 2^31.
 */
static uint32_t bsi_filter_judge_stats(const bsi_filter *filter, uint64_t bases,
                                       const biost_stats *stats) {
    if (bsi_filter_wants(filter, BIOST_DROP_MEAN_QUALITY) &&
        (bases == 0 || 1000 * stats->qual_sum < filter->min_mean_quality * bases)) {
        return BIOST_DROP_MEAN_QUALITY;
    }
    if (bsi_filter_wants(filter, BIOST_DROP_ERROR_RATE) &&
        (bases == 0 || stats->error_sum > filter->max_error * bases)) {
        return BIOST_DROP_ERROR_RATE;
    }
    if (bsi_filter_wants(filter, BIOST_DROP_BASE_QUALITY) &&
        (bases == 0 || stats->qual_min < filter->min_base_quality)) {
        return BIOST_DROP_BASE_QUALITY;
    }
    if (bsi_filter_wants(filter, BIOST_DROP_N) && 1000000 * stats->n_count > filter->max_n * bases) {
        return BIOST_DROP_N;
    }
    return BIOST_DROP_COUNT;
}

/* What decides beside the seed, for the desc's hash; [11]. Returns how many. */
static uint32_t bsi_filter_values(const bsi_filter *filter, uint64_t *out_values) {
    out_values[0] = filter->wanted;
    out_values[1] = filter->first_n;
    out_values[2] = filter->every_nth;
    out_values[3] = filter->keep_from;
    out_values[4] = filter->keep_below;
    out_values[5] = filter->min_bases;
    out_values[6] = filter->max_bases;
    out_values[7] = filter->min_mean_quality;
    out_values[8] = filter->max_error;
    out_values[9] = filter->min_base_quality;
    out_values[10] = filter->max_n;
    return 11;
}

/* ==========================================================================
 * >>augment   random changes of a row, in place
 *   uses: config bytes cpu rng alphabet  allocates: no   threads: no   I/O: no
 *
 * The crop is a start, drawn when a record becomes a sample. The other stages change the sample's
 * bases and qualities where they lie, in the frozen order: reverse complement, substitute, inject N,
 * the user's. Each draws from words of its own, (seed, epoch, stage) and (id, piece).
 * ========================================================================== */

#define BSI_AUGMENT_GAPS 256u

/* A stage that hits each base with one probability. */
typedef struct bsi_augment_sites {
    uint64_t threshold;                     /* probability x 2^32; 0: the stage is off */
    uint64_t survival[BSI_AUGMENT_GAPS + 1]; /* see bsi_augment_sites_begin */
    uint8_t least[256];                     /* the least gap of all words with this upper byte */
    bsi_rng_key key;                        /* of the epoch under way, as all keys here */
} bsi_augment_sites;

/* The stages of one loader. */
typedef struct bsi_augment {
    uint32_t crop_bases;                    /* as the user asked, for the hash */
    bsi_rng_key crop_key, reverse_key, user_key;
    uint64_t reverse_threshold;             /* probability x 2^32 */
    bsi_augment_sites substitute, inject_n;
    /* The kernel: reverse and complement seq, reverse qual, [bases] each; qual may be NULL. */
    void (*reverse)(uint8_t *seq, uint8_t *qual, size_t bases);
    void (*change)(biost_sample *sample, biost_random *random, void *user_data);
    void *user_data;
} bsi_augment;

/* ---- reverse complement ---- */

/* Turn bytes round and each into map[byte]; where two meet in the middle, that one too. */
static void bsi_augment_turn_mapped(uint8_t *row, size_t bases, const uint8_t map[256]) {
    size_t left = 0, right = bases;
    while (left < right) {
        uint8_t swapped = map[row[left]];
        --right;
        row[left] = map[row[right]];
        row[right] = swapped;
        ++left;
    }
}

static void bsi_augment_turn(uint8_t *row, size_t bases) {
    size_t left = 0, right = bases;
    while (left < right) {
        uint8_t swapped = row[left];
        --right;
        row[left] = row[right];
        row[right] = swapped;
        ++left;
    }
}

/* Either may lie anywhere; nothing but the bytes named is read. */
static void bsi_augment_reverse_scalar(uint8_t *seq, uint8_t *qual, size_t bases) {
    bsi_augment_turn_mapped(seq, bases, bsi_alphabet_complements);
    if (qual != NULL) {
        bsi_augment_turn(qual, bases);
    }
}

#if BSI_CPU_X86_AVX2 || BSI_CPU_ARM_NEON

/*
 * Vectors of the two steps below, from memory: gcc 12 makes them anew in each branch otherwise, at a
 * quarter of the time of a row of 150.
 *
 *   TURN    16 bytes, the last first
 *   HIGH    what turns each of P to _ into its complement by exclusive or: T and A differ in 0x15. Case
 *           is bit 5
 *   BOTH    that of @ to O, exclusive or HIGH
 *   NUMBERS eight bytes of each number to be spread over a vector
 */
enum { BSI_AUGMENT_TURN, BSI_AUGMENT_BOTH, BSI_AUGMENT_HIGH, BSI_AUGMENT_NUMBERS };

static const uint8_t bsi_augment_vectors[4][32] = {
    {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0,
     15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
    {0, 0x15, 0x1F, 0x04, 0x19, 0x14, 0x14, 0x04, 0x0C, 0x0B, 0, 0x06, 0, 0x06, 0, 0,
     0, 0x15, 0x1F, 0x04, 0x19, 0x14, 0x14, 0x04, 0x0C, 0x0B, 0, 0x06, 0, 0x06, 0, 0},
    {0, 0, 0x0B, 0, 0x15, 0x14, 0x14, 0, 0, 0x0B, 0, 0, 0, 0, 0, 0,
     0, 0, 0x0B, 0, 0x15, 0x14, 0x14, 0, 0, 0x0B, 0, 0, 0, 0, 0, 0},
    {0xDF, 0xDF, 0xDF, 0xDF, 0xDF, 0xDF, 0xDF, 0xDF, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40,
     0x70, 0x70, 0x70, 0x70, 0x70, 0x70, 0x70, 0x70, 0x60, 0x60, 0x60, 0x60, 0x60, 0x60, 0x60, 0x60}};

#endif

#if BSI_CPU_X86_AVX2

/* All of these in registers. */
typedef struct bsi_augment_masks {
    __m256i turn, both, high, letter, from, above_15, above_31;
} bsi_augment_masks;

BSI_TARGET("avx2") BSI_INLINE __m256i bsi_augment_spread(const uint8_t *eight) {
    return _mm256_set1_epi64x((int64_t)bsi_bytes_load64(eight));
}

BSI_TARGET("avx2") BSI_INLINE bsi_augment_masks bsi_augment_load(void) {
    const uint8_t(*BSI_LOADED loaded)[32] = bsi_augment_vectors;
    const uint8_t(*from)[32] = loaded;
    bsi_augment_masks masks;
    masks.turn = _mm256_loadu_si256((const __m256i *)(const void *)from[BSI_AUGMENT_TURN]);
    masks.both = _mm256_loadu_si256((const __m256i *)(const void *)from[BSI_AUGMENT_BOTH]);
    masks.high = _mm256_loadu_si256((const __m256i *)(const void *)from[BSI_AUGMENT_HIGH]);
    masks.letter = bsi_augment_spread(from[BSI_AUGMENT_NUMBERS]);
    masks.from = bsi_augment_spread(from[BSI_AUGMENT_NUMBERS] + 8);
    masks.above_15 = bsi_augment_spread(from[BSI_AUGMENT_NUMBERS] + 16);
    masks.above_31 = bsi_augment_spread(from[BSI_AUGMENT_NUMBERS] + 24);
    return masks;
}

/*
 * Complements of 32 bytes. A shuffle looks a byte up by its low four bits and gives 0 where bit 7 is
 * set. Less case and 0x40 the letters and their neighbours are 0..31; adding 0x60 sets bit 7 of all
 * others, adding 0x70 that of 16..31, too. So 16..31 get HIGH, and 0..15 BOTH and HIGH, which is theirs.
 */
BSI_TARGET("avx2")
BSI_INLINE __m256i bsi_augment_complement_32(const bsi_augment_masks *masks, __m256i a) {
    __m256i place = _mm256_xor_si256(_mm256_and_si256(a, masks->letter), masks->from);
    a = _mm256_xor_si256(
        a, _mm256_shuffle_epi8(masks->both, _mm256_adds_epu8(place, masks->above_15)));
    return _mm256_xor_si256(
        a, _mm256_shuffle_epi8(masks->high, _mm256_adds_epu8(place, masks->above_31)));
}

/* 32 bytes, the last first: in each half by a shuffle, then the halves. */
BSI_TARGET("avx2")
BSI_INLINE __m256i bsi_augment_turn_32(const bsi_augment_masks *masks, __m256i a, int complement) {
    a = _mm256_shuffle_epi8(a, masks->turn);
    a = _mm256_permute4x64_epi64(a, 0x4E);
    return complement ? bsi_augment_complement_32(masks, a) : a;
}

/*
 * Fewer than 32 bytes: the first and the last 16 or 8 change places. Both are loaded before one is stored,
 * and where they overlap both stores write the same. Returns how many bytes are left, all if there are
 * fewer than 8.
 */
BSI_TARGET("avx2")
BSI_INLINE size_t bsi_augment_turn_middle(const bsi_augment_masks *masks, uint8_t *row, size_t bases,
                                          int complement) {
    uint8_t *last = row + bases;
    if (bases >= 16) {
        __m128i *left = (__m128i *)(void *)row, *right = (__m128i *)(void *)(last - 16);
        __m256i both = _mm256_castsi128_si256(_mm_loadu_si128(left));
        both = _mm256_inserti128_si256(both, _mm_loadu_si128(right), 1);
        both = bsi_augment_turn_32(masks, both, complement);
        _mm_storeu_si128(left, _mm256_castsi256_si128(both));
        _mm_storeu_si128(right, _mm256_extracti128_si256(both, 1));
        return 0;
    }
    if (bases >= 8) {
        __m128i *left = (__m128i *)(void *)row, *right = (__m128i *)(void *)(last - 8);
        __m128i both = _mm_unpacklo_epi64(_mm_loadl_epi64(left), _mm_loadl_epi64(right));
        both = _mm256_extracti128_si256(
            bsi_augment_turn_32(masks, _mm256_castsi128_si256(both), complement), 1);
        _mm_storel_epi64(left, both);
        _mm_storel_epi64(right, _mm_unpackhi_epi64(both, both));
        return 0;
    }
    return bases;
}

/* From both ends 32 bytes at a time, of 32 to 63 both of them overlapping, then the middle. */
BSI_TARGET("avx2")
BSI_INLINE void bsi_augment_turn_avx2(uint8_t *row, size_t bases, int complement) {
    const bsi_augment_masks masks = bsi_augment_load();
    for (; bases >= 32; row += 32, bases = bases < 64 ? 0 : bases - 64) {
        __m256i *left = (__m256i *)(void *)row, *right = (__m256i *)(void *)(row + bases - 32);
        __m256i a = _mm256_loadu_si256(left), b = _mm256_loadu_si256(right);
        _mm256_storeu_si256(left, bsi_augment_turn_32(&masks, b, complement));
        _mm256_storeu_si256(right, bsi_augment_turn_32(&masks, a, complement));
    }
    bases = bsi_augment_turn_middle(&masks, row, bases, complement);
    if (complement) {
        bsi_augment_turn_mapped(row, bases, bsi_alphabet_complements);
    } else {
        bsi_augment_turn(row, bases);
    }
}

BSI_TARGET("avx2")
static void bsi_augment_reverse_avx2(uint8_t *seq, uint8_t *qual, size_t bases) {
    bsi_augment_turn_avx2(seq, bases, 1);
    if (qual != NULL) {
        bsi_augment_turn_avx2(qual, bases, 0);
    }
}

#endif

#if BSI_CPU_ARM_NEON

/* 16 bytes, the last first; a letter, less case and 0x40, looks up its mask among 32. */
BSI_INLINE uint8x16_t bsi_augment_turn_16(uint8x16_t a, int complement) {
    a = vrev64q_u8(a);
    a = vextq_u8(a, a, 8);
    if (complement) {
        uint8x16x2_t masks;
        masks.val[1] = vld1q_u8(bsi_augment_vectors[BSI_AUGMENT_HIGH]);
        masks.val[0] = veorq_u8(vld1q_u8(bsi_augment_vectors[BSI_AUGMENT_BOTH]), masks.val[1]);
        a = veorq_u8(a, vqtbl2q_u8(masks, veorq_u8(vandq_u8(a, vdupq_n_u8(0xDF)), vdupq_n_u8(0x40))));
    }
    return a;
}

/* As bsi_augment_turn_avx2, 16 bytes at a time: down to 16 bytes both may overlap, then 8 and 8. */
BSI_INLINE void bsi_augment_turn_neon(uint8_t *row, size_t bases, int complement) {
    for (; bases >= 16; row += 16, bases = bases < 32 ? 0 : bases - 32) {
        uint8_t *right = row + bases - 16;
        uint8x16_t a = vld1q_u8(row), b = vld1q_u8(right);
        vst1q_u8(row, bsi_augment_turn_16(b, complement));
        vst1q_u8(right, bsi_augment_turn_16(a, complement));
    }
    if (bases >= 8) {
        uint8x16_t both = vcombine_u8(vld1_u8(row), vld1_u8(row + bases - 8));
        both = bsi_augment_turn_16(both, complement);
        vst1_u8(row, vget_low_u8(both));
        vst1_u8(row + bases - 8, vget_high_u8(both));
    } else if (complement) {
        bsi_augment_turn_mapped(row, bases, bsi_alphabet_complements);
    } else {
        bsi_augment_turn(row, bases);
    }
}

static void bsi_augment_reverse_neon(uint8_t *seq, uint8_t *qual, size_t bases) {
    bsi_augment_turn_neon(seq, bases, 1);
    if (qual != NULL) {
        bsi_augment_turn_neon(qual, bases, 0);
    }
}

#endif

/* ---- sites: substitution and N ---- */

/*
 * The largest g in [0, BSI_AUGMENT_GAPS) with word < survival[g], searched from `least` on: as there
 * are as many gaps as upper bytes, one or two steps on average, whatever the probability. The first
 * is no branch, which nobody could guess.
 */
static uint32_t bsi_augment_gap(const bsi_augment_sites *sites, uint32_t word) {
    uint64_t most = BSI_MAX(word, sites->survival[BSI_AUGMENT_GAPS]); /* which ends the search */
    uint32_t gap = sites->least[word >> 24];
    gap += most < sites->survival[gap + 1];
    while (most < sites->survival[gap + 1]) {
        ++gap;
    }
    return gap;
}

/*
 * survival[g] is the chance, x 2^32, that g bases in a row are spared: S[0] = 2^32, S[g+1] = S[g]
 * (2^32 - p) >> 32. A word u then gives the gap before the next hit as the largest g with u < S[g].
 * The product stays below 2^64: only S[0] x (2^32 - 0) could reach it, and with p = 0 no table is
 * used. survival never rises, so of all words with one upper byte the last has the least gap.
 */
static void bsi_augment_sites_begin(bsi_augment_sites *sites, float probability) {
    uint32_t i;
    memset(sites, 0, sizeof *sites);
    sites->threshold = bsi_rng_threshold(probability);
    sites->survival[0] = (uint64_t)1 << 32;
    for (i = 0; i < BSI_AUGMENT_GAPS && sites->threshold > 0; ++i) {
        sites->survival[i + 1] =
            (sites->survival[i] * (((uint64_t)1 << 32) - sites->threshold)) >> 32;
    }
    for (i = 0; i < 256; ++i) {
        sites->least[i] = (uint8_t)bsi_augment_gap(sites, i << 24 | 0xFFFFFFu);
    }
}

/*
 * The next hit at or behind base `at`; `bases` or more: there is none. A word below survival[256]
 * spares 256 bases and another is drawn.
 */
static uint64_t bsi_augment_next_site(const bsi_augment_sites *sites, bsi_rng *rng, uint64_t at,
                                      uint32_t bases) {
    while (at < bases) {
        uint32_t word = bsi_rng_next(rng);
        if (word >= sites->survival[BSI_AUGMENT_GAPS]) {
            return at + bsi_augment_gap(sites, word);
        }
        at += BSI_AUGMENT_GAPS;
    }
    return at;
}

/*
 * Replace a base by another of A C G T, case kept; what is none of them is left alone (U counts as
 * T).
 */
static uint8_t bsi_augment_other_base(uint8_t base, uint32_t word) {
    uint32_t code = bsi_alphabet_code(base);
    if (code == BSI_ALPHABET_OTHER) {
        return base;
    }
    return (uint8_t)((uint8_t)"ACGT"[(code + 1 + word % 3) % 4] | (base & 0x20));
}

/* Words are used in the order gap, base, gap, base, ...; an N that is hit uses its word, too. */
static void bsi_augment_substitute(const bsi_augment_sites *sites, bsi_rng *rng, uint8_t *seq,
                                   uint32_t bases) {
    uint64_t at = bsi_augment_next_site(sites, rng, 0, bases);
    while (at < bases) {
        seq[at] = bsi_augment_other_base(seq[at], bsi_rng_next(rng));
        at = bsi_augment_next_site(sites, rng, at + 1, bases);
    }
}

/* A hit makes N of whatever stands there, n of a lower-case letter. All words are gaps. */
static void bsi_augment_inject_n(const bsi_augment_sites *sites, bsi_rng *rng, uint8_t *seq,
                                 uint32_t bases) {
    uint64_t at = bsi_augment_next_site(sites, rng, 0, bases);
    while (at < bases) {
        seq[at] = seq[at] >= 'a' && seq[at] <= 'z' ? 'n' : 'N';
        at = bsi_augment_next_site(sites, rng, at + 1, bases);
    }
}

/* ---- all stages ---- */

/* Is it in 0..1? NaN is not. */
static int bsi_augment_is_probability(float value) {
    return value >= 0.0f && value <= 1.0f;
}

/* What is wrong with the wish by itself, a static sentence that names the field, or NULL. */
static const char *bsi_augment_check(const biost_augment *wish) {
    return !bsi_augment_is_probability(wish->reverse_complement)
               ? "desc.augment.reverse_complement is not in 0..1"
           : !bsi_augment_is_probability(wish->substitute) ? "desc.augment.substitute is not in 0..1"
           : !bsi_augment_is_probability(wish->inject_n)   ? "desc.augment.inject_n is not in 0..1"
                                                           : NULL;
}

/* The wish must have passed bsi_augment_check. The kernel is the portable one; see >>kernels. */
static void bsi_augment_begin(bsi_augment *augment, const biost_augment *wish) {
    memset(augment, 0, sizeof *augment);
    augment->crop_bases = wish->crop_bases;
    augment->reverse_threshold = bsi_rng_threshold(wish->reverse_complement);
    bsi_augment_sites_begin(&augment->substitute, wish->substitute);
    bsi_augment_sites_begin(&augment->inject_n, wish->inject_n);
    augment->reverse = bsi_augment_reverse_scalar;
    augment->change = wish->change;
    augment->user_data = wish->user_data;
}

static void bsi_augment_epoch(bsi_augment *augment, uint64_t seed, uint64_t epoch) {
    augment->crop_key = bsi_rng_stage_key(seed, epoch, BSI_RNG_CROP);
    augment->reverse_key = bsi_rng_stage_key(seed, epoch, BSI_RNG_REVERSE_COMPLEMENT);
    augment->substitute.key = bsi_rng_stage_key(seed, epoch, BSI_RNG_SUBSTITUTE);
    augment->inject_n.key = bsi_rng_stage_key(seed, epoch, BSI_RNG_INJECT_N);
    augment->user_key = bsi_rng_stage_key(seed, epoch, BSI_RNG_USER);
}

/* The base a record's random window of `window` bases starts at; bases > window. */
static uint32_t bsi_augment_crop_start(const bsi_augment *augment, int64_t id, uint32_t bases,
                                       uint32_t window) {
    bsi_rng rng;
    bsi_rng_begin(&rng, augment->crop_key, id, 0);
    return bsi_rng_below(&rng, bases - window + 1);
}

/* The user's stage gets a copy: what it may change is what that points to, and to fewer bases. */
static void bsi_augment_change(const bsi_augment *augment, biost_sample *sample) {
    biost_sample lent = *sample;
    bsi_rng rng;
    bsi_rng_begin(&rng, augment->user_key, sample->id, sample->piece);
    augment->change(&lent, &rng, augment->user_data);
    if (lent.bases < sample->bases) {
        sample->bases = lent.bases;
    }
}

/* All stages behind the crop. Sets BIOST_ROW_REVERSED in the flags, and lowers bases by the user's. */
static void bsi_augment_row(const bsi_augment *augment, biost_sample *sample) {
    uint8_t *seq = (uint8_t *)sample->seq;
    bsi_rng rng;
    if (augment->reverse_threshold > 0) {
        bsi_rng_begin(&rng, augment->reverse_key, sample->id, sample->piece);
        if (bsi_rng_next(&rng) < augment->reverse_threshold) {
            augment->reverse(seq, (uint8_t *)sample->qual, sample->bases);
            sample->flags |= BIOST_ROW_REVERSED;
        }
    }
    if (augment->substitute.threshold > 0) {
        bsi_rng_begin(&rng, augment->substitute.key, sample->id, sample->piece);
        bsi_augment_substitute(&augment->substitute, &rng, seq, sample->bases);
    }
    if (augment->inject_n.threshold > 0) {
        bsi_rng_begin(&rng, augment->inject_n.key, sample->id, sample->piece);
        bsi_augment_inject_n(&augment->inject_n, &rng, seq, sample->bases);
    }
    if (augment->change != NULL) {
        bsi_augment_change(augment, sample);
    }
}

/* What decides beside the seed, for the desc's hash; [5]. Returns how many. */
static uint32_t bsi_augment_values(const bsi_augment *augment, uint64_t *out_values) {
    out_values[0] = augment->crop_bases;
    out_values[1] = augment->reverse_threshold;
    out_values[2] = augment->substitute.threshold;
    out_values[3] = augment->inject_n.threshold;
    out_values[4] = augment->change != NULL;
    return 5;
}

/* ==========================================================================
 * >>kernels   which kernel does the work on this processor
 *   uses: config cpu crc hash huff inflate guess tokens texts check encode augment pack
 *   allocates: no   threads: no   I/O: no
 * ========================================================================== */

/*
 * Here and nowhere else a kernel is picked. `cpu` is bsi_cpu_features() less what the caller hides;
 * 0 gives the portable kernels. The pick lies in the object and lives as long: call again after
 * bsi_crc_init and bsi_inflate_begin, not after bsi_inflate_again. Results never depend on it.
 */
static void bsi_kernels_crc(bsi_crc_tables *tables, uint32_t cpu) {
    tables->update = bsi_crc_update_scalar;
    tables->beats_libdeflate = 0;
#if BSI_CPU_X86
    if (cpu & BIOST_CPU_PCLMUL) {
        tables->update = bsi_crc_update_pclmul;
    }
#if BSI_CPU_X86_VPCLMUL
    if (cpu & BIOST_CPU_VPCLMUL) {
        tables->update = cpu & BIOST_CPU_AVX512 ? bsi_crc_update_avx512 : bsi_crc_update_vpclmul;
        tables->beats_libdeflate = 1;
    }
#endif
#elif BSI_CPU_ARM_CRC32
    if (cpu & BIOST_CPU_ARM_CRC32) {
        tables->update = bsi_crc_update_arm;
    }
#else
    (void)cpu;
#endif
}

static void bsi_kernels_hash(bsi_hash_kernels *kernels, uint32_t cpu) {
    kernels->many = bsi_hash_many_scalar;
    kernels->end = bsi_hash_end_scalar;
#if BSI_CPU_X86_AVX2
    if (cpu & BIOST_CPU_AVX512) {
        kernels->many = bsi_hash_many_avx512;
        kernels->end = bsi_hash_end_avx512;
    }
#endif
    (void)cpu;
}

static void bsi_kernels_inflate(bsi_inflate *inflate, uint32_t cpu) {
    inflate->fast = bsi_inflate_fast_portable;
    inflate->widen = bsi_huff_widen_portable;
#if BSI_CPU_X86_BMI2
    if ((cpu & BIOST_CPU_BMI2) && (cpu & BIOST_CPU_AVX2)) {
        inflate->fast = bsi_inflate_fast_avx2;
        inflate->widen = bsi_huff_widen_avx2;
    }
#else
    (void)cpu;
#endif
}

/* Also begins the lanes' decoders; what they decode is bsi_inflate_lane_begin's to say. */
static void bsi_kernels_lanes(bsi_inflate_lanes *lanes, uint32_t cpu) {
    lanes->fast = bsi_inflate_lanes_portable;
#if BSI_CPU_X86_BMI2
    if ((cpu & BIOST_CPU_BMI2) && (cpu & BIOST_CPU_AVX2)) {
        lanes->fast = bsi_inflate_lanes_avx2;
    }
#endif
    for (uint32_t i = 0; i < BSI_INFLATE_LANES; i++) {
        bsi_inflate_begin(&lanes->lanes[i].inflate);
        bsi_kernels_inflate(&lanes->lanes[i].inflate, cpu);
        lanes->lanes[i].inflate.wide_bits = BSI_HUFF_LANE_BITS;
    }
}

static void bsi_kernels_guess(bsi_guess *guess, uint32_t cpu) {
    guess->scan = bsi_guess_scan_portable;
#if BSI_CPU_X86_AVX2
    if ((cpu & BIOST_CPU_BMI2) && (cpu & BIOST_CPU_AVX2)) {
        guess->scan = bsi_guess_scan_avx2;
    }
#endif
    (void)cpu;
}

static void bsi_kernels_tokens(bsi_tokens_kernels *kernels, uint32_t cpu) {
    kernels->fast = bsi_tokens_fast_portable;
    kernels->replay = bsi_tokens_replay_portable;
#if BSI_CPU_X86_BMI2
    if ((cpu & BIOST_CPU_BMI2) && (cpu & BIOST_CPU_AVX2)) {
        kernels->fast = bsi_tokens_fast_avx2;
        kernels->replay = bsi_tokens_replay_avx2;
    }
#else
    (void)cpu;
#endif
}

/* Begin the decoders of a row of lanes, none of them under way. */
static void bsi_kernels_tokens_row(bsi_tokens_lane *lanes, uint32_t cpu) {
    for (uint32_t i = 0; i < BSI_TOKENS_LANES; i++) {
        bsi_inflate_begin(&lanes[i].inflate);
        bsi_kernels_inflate(&lanes[i].inflate, cpu);
        lanes[i].inflate.wide_bits = BSI_TOKENS_BITS;
        lanes[i].status = BSI_TOKENS_IDLE;
    }
}

/* Also begins the lanes' decoders. */
static void bsi_kernels_tokens_lanes(bsi_tokens_lanes *lanes, uint32_t cpu) {
    bsi_kernels_tokens(&lanes->kernels, cpu);
    bsi_kernels_tokens_row(lanes->lanes, cpu);
}

/* Also begins the lanes' decoders, none of them under way. */
static void bsi_kernels_texts_lanes(bsi_texts_lanes *lanes, uint32_t cpu) {
    lanes->fast = bsi_texts_fast_portable;
#if BSI_CPU_X86_BMI2
    if ((cpu & BIOST_CPU_BMI2) && (cpu & BIOST_CPU_AVX2)) {
        lanes->fast = bsi_texts_fast_avx2;
    }
#endif
    bsi_kernels_tokens_row(lanes->lanes, cpu);
}

static void bsi_kernels_encode(biost_encoder *encoder, uint32_t cpu) {
    encoder->row = bsi_encode_row_scalar;
#if BSI_CPU_X86_AVX2
    if ((cpu & BIOST_CPU_AVX2) && encoder->is_plain) {
        encoder->row = encoder->kind == BIOST_ENCODE_TOKENS ? bsi_encode_tokens_avx2
                       : encoder->is_ncl                    ? bsi_encode_planes_avx2
                                                            : bsi_encode_onehot_avx2;
    }
#elif BSI_CPU_ARM_NEON
    if ((cpu & BIOST_CPU_NEON) && encoder->is_plain && !encoder->is_ncl) {
        encoder->row = encoder->kind != BIOST_ENCODE_TOKENS ? bsi_encode_onehot_neon
                       : encoder->element_bytes == 1        ? bsi_encode_tokens_neon
                                                            : bsi_encode_row_scalar;
    }
#endif
    (void)cpu;
}

static void bsi_kernels_check(bsi_check_kernels *kernels, uint32_t cpu) {
    const bsi_check_kernels scalar = {
        bsi_check_lines_scalar, bsi_check_title_scalar, bsi_check_span_scalar, bsi_check_spans_scalar,
        bsi_check_spans_stats_scalar, bsi_check_count_scalar, bsi_check_join_scalar};
    *kernels = scalar;
#if BSI_CPU_X86 || BSI_CPU_ARM_NEON
    if (cpu & (BSI_CPU_X86 ? (uint32_t)BIOST_CPU_SSE2 : (uint32_t)BIOST_CPU_NEON)) {
        const bsi_check_kernels by_16 = {
            bsi_check_lines_16, bsi_check_title_16, bsi_check_span_16, bsi_check_spans_16,
            bsi_check_spans_stats_16, bsi_check_count_16, bsi_check_join_16};
        *kernels = by_16;
    }
#endif
#if BSI_CPU_X86_AVX2
    if (cpu & BIOST_CPU_AVX2) {
        const bsi_check_kernels by_32 = {
            bsi_check_lines_avx2, bsi_check_title_avx2, bsi_check_span_avx2, bsi_check_spans_avx2,
            bsi_check_spans_stats_avx2, bsi_check_count_avx2, bsi_check_join_avx2};
        *kernels = by_32;
    }
    if ((cpu & BIOST_CPU_AVX2) && (cpu & BIOST_CPU_AVX512_VBMI)) {
        kernels->lines = bsi_check_lines_vbmi;
        kernels->title = bsi_check_title_vbmi;
        kernels->spans_stats = bsi_check_spans_stats_vbmi;
    }
#endif
    (void)cpu;
}

static void bsi_kernels_pack(bsi_pack_kernels *kernels, uint32_t cpu) {
    kernels->pack = bsi_pack_scalar;
    kernels->unpack = bsi_pack_unpack_scalar;
    kernels->kmers = bsi_pack_kmers_scalar;
#if BSI_CPU_X86_AVX2
    if (cpu & BIOST_CPU_AVX2) {
        kernels->pack = bsi_pack_avx2;
        kernels->unpack = bsi_pack_unpack_avx2;
        kernels->kmers = bsi_pack_kmers_avx2;
    }
#elif BSI_CPU_ARM_NEON
    if (cpu & BIOST_CPU_NEON) {
        kernels->pack = bsi_pack_neon;
    }
#endif
    (void)cpu;
}

/* After bsi_augment_begin. */
static void bsi_kernels_augment(bsi_augment *augment, uint32_t cpu) {
    augment->reverse = bsi_augment_reverse_scalar;
#if BSI_CPU_X86_AVX2
    if (cpu & BIOST_CPU_AVX2) {
        augment->reverse = bsi_augment_reverse_avx2;
    }
#elif BSI_CPU_ARM_NEON
    if (cpu & BIOST_CPU_NEON) {
        augment->reverse = bsi_augment_reverse_neon;
    }
#endif
    (void)cpu;
}

/* ==========================================================================
 * ---- the OS line: everything above decides what bytes mean and touches no machine ----
 *
 * >>platform   threads, locks, files, cores, a clock
 *   uses: config                   allocates: no   threads: makes   I/O: reads files
 * ========================================================================== */

#include <stdlib.h>

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#include <process.h>
#if defined(_WIN32_WINNT) && _WIN32_WINNT < 0x0600
#error "biostream: needs Windows Vista: define _WIN32_WINNT as 0x0600 or more, or not at all"
#endif

typedef CRITICAL_SECTION bsi_platform_mutex;
typedef CONDITION_VARIABLE bsi_platform_condition;
typedef HANDLE bsi_platform_thread;
typedef HANDLE bsi_platform_handle;
#else
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#endif
#ifndef O_CLOEXEC
#error "biostream: include it before any system header, or use -D_POSIX_C_SOURCE=200809L"
#endif

typedef pthread_mutex_t bsi_platform_mutex;
typedef pthread_cond_t bsi_platform_condition;
typedef pthread_t bsi_platform_thread;
typedef int bsi_platform_handle;

BSI_STATIC_ASSERT(sizeof(off_t) >= 8, include_biostream_h_before_any_other_header);
#endif

/* What open found out about a file. */
typedef struct bsi_platform_file {
    bsi_platform_handle handle;
    uint64_t size_bytes;        /* regular files */
    int64_t modified;           /* in the system's own unit; compared only */
    int regular;                /* 0: a pipe or device, read in order only */
    int directory;
} bsi_platform_file;

/* What a thread runs, and its argument; kept by the maker until the join. */
typedef struct bsi_platform_start {
    void (*run)(void *argument);
    void *argument;
} bsi_platform_start;

#if defined(_WIN32)

static int bsi_platform_mutex_open(bsi_platform_mutex *mutex) {
    InitializeCriticalSection(mutex);
    return 1;
}

static void bsi_platform_mutex_close(bsi_platform_mutex *mutex) {
    DeleteCriticalSection(mutex);
}

static void bsi_platform_lock(bsi_platform_mutex *mutex) {
    EnterCriticalSection(mutex);
}

static void bsi_platform_unlock(bsi_platform_mutex *mutex) {
    LeaveCriticalSection(mutex);
}

static int bsi_platform_condition_open(bsi_platform_condition *condition) {
    InitializeConditionVariable(condition);
    return 1;
}

static void bsi_platform_condition_close(bsi_platform_condition *condition) {
    (void)condition;
}

static void bsi_platform_wait(bsi_platform_condition *condition, bsi_platform_mutex *mutex) {
    SleepConditionVariableCS(condition, mutex, INFINITE);
}

static void bsi_platform_signal(bsi_platform_condition *condition) {
    WakeConditionVariable(condition);
}

static void bsi_platform_broadcast(bsi_platform_condition *condition) {
    WakeAllConditionVariable(condition);
}

static unsigned __stdcall bsi_platform_thread_main(void *argument) {
    const bsi_platform_start *start = (const bsi_platform_start *)argument;
    start->run(start->argument);
    return 0;
}

static int bsi_platform_thread_open(bsi_platform_thread *thread, bsi_platform_start *start) {
    uintptr_t handle = _beginthreadex(NULL, 0, bsi_platform_thread_main, start, 0, NULL);
    *thread = (HANDLE)handle;
    return handle != 0;
}

static void bsi_platform_thread_join(bsi_platform_thread thread) {
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}

static uint64_t bsi_platform_process(void) {
    return GetCurrentProcessId();
}

/* Nanoseconds since some moment, never going back: for counters only. */
static uint64_t bsi_platform_now_ns(void) {
    LARGE_INTEGER ticks, per_second;
    uint64_t whole, rest;
    QueryPerformanceFrequency(&per_second);
    QueryPerformanceCounter(&ticks);
    whole = (uint64_t)ticks.QuadPart / (uint64_t)per_second.QuadPart;
    rest = (uint64_t)ticks.QuadPart % (uint64_t)per_second.QuadPart;
    return whole * 1000000000u + rest * 1000000000u / (uint64_t)per_second.QuadPart;
}

static uint32_t bsi_platform_cores(void) {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? (uint32_t)info.dwNumberOfProcessors : 1;
}

/* Note size, time and kind of an open file. Returns 0 if the system does not tell. */
static int bsi_platform_file_look(bsi_platform_file *file) {
    BY_HANDLE_FILE_INFORMATION info;
    file->regular = GetFileType(file->handle) == FILE_TYPE_DISK;
    if (file->regular) {
        if (!GetFileInformationByHandle(file->handle, &info)) {
            return 0;
        }
        file->directory = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
        file->size_bytes = (uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow;
        file->modified = (int64_t)((uint64_t)info.ftLastWriteTime.dwHighDateTime << 32 |
                                   info.ftLastWriteTime.dwLowDateTime);
    }
    return 1;
}

/* Returns 1, or 0 with *out_os_error set. */
static int bsi_platform_file_open(bsi_platform_file *file, const char *path, int no_pipe,
                                  int32_t *out_os_error) {
    wchar_t wide[4096];
    (void)no_pipe;
    *out_os_error = 0;
    memset(file, 0, sizeof *file);
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, 4096) == 0) {
        *out_os_error = (int32_t)GetLastError();
        return 0;
    }
    file->handle = CreateFileW(wide, GENERIC_READ,
                               FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                               OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file->handle == INVALID_HANDLE_VALUE) {
        *out_os_error = (int32_t)GetLastError();
        return 0;
    }
    return bsi_platform_file_look(file);
}

static void bsi_platform_file_close(bsi_platform_file *file) {
    CloseHandle(file->handle);
}

/* Words for the errors people meet; the number is in biost_error.os_error. */
static const char *bsi_platform_error_words(int32_t os_error) {
    switch (os_error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
        return "there is no such file";
    case ERROR_ACCESS_DENIED:
        return "permission was denied";
    case ERROR_TOO_MANY_OPEN_FILES:
        return "too many files are open";
    default:
        return "the system refused; its error number is in os_error";
    }
}

/*
 * Read up to `count` bytes at `offset` (ignored for pipes). Returns bytes, 0 at the end, -1 with
 * *out_os_error.
 */
static int64_t bsi_platform_file_read(const bsi_platform_file *file, uint64_t offset, uint8_t *out,
                                      size_t count, int32_t *out_os_error) {
    OVERLAPPED at;
    DWORD got = 0, wanted = count > 0x40000000u ? 0x40000000u : (DWORD)count;
    memset(&at, 0, sizeof at);
    at.Offset = (DWORD)offset;
    at.OffsetHigh = (DWORD)(offset >> 32);
    if (!ReadFile(file->handle, out, wanted, &got, file->regular ? &at : NULL)) {
        DWORD error = GetLastError();
        if (error == ERROR_HANDLE_EOF || error == ERROR_BROKEN_PIPE) {
            return 0;
        }
        *out_os_error = (int32_t)error;
        return -1;
    }
    return (int64_t)got;
}

/* Files are read here. */
static uint8_t *bsi_platform_map(const bsi_platform_file *file, uint64_t bytes) {
    (void)file;
    (void)bytes;
    return NULL;
}

static void bsi_platform_unmap(uint8_t *memory, uint64_t bytes) {
    (void)memory;
    (void)bytes;
}

static void bsi_platform_map_in(uint8_t *from, size_t bytes) {
    (void)from;
    (void)bytes;
}

#else

static int bsi_platform_mutex_open(bsi_platform_mutex *mutex) {
    return pthread_mutex_init(mutex, NULL) == 0;
}

static void bsi_platform_mutex_close(bsi_platform_mutex *mutex) {
    pthread_mutex_destroy(mutex);
}

static void bsi_platform_lock(bsi_platform_mutex *mutex) {
    pthread_mutex_lock(mutex);
}

static void bsi_platform_unlock(bsi_platform_mutex *mutex) {
    pthread_mutex_unlock(mutex);
}

static int bsi_platform_condition_open(bsi_platform_condition *condition) {
    return pthread_cond_init(condition, NULL) == 0;
}

static void bsi_platform_condition_close(bsi_platform_condition *condition) {
    pthread_cond_destroy(condition);
}

static void bsi_platform_wait(bsi_platform_condition *condition, bsi_platform_mutex *mutex) {
    pthread_cond_wait(condition, mutex);
}

static void bsi_platform_signal(bsi_platform_condition *condition) {
    pthread_cond_signal(condition);
}

static void bsi_platform_broadcast(bsi_platform_condition *condition) {
    pthread_cond_broadcast(condition);
}

static void *bsi_platform_thread_main(void *argument) {
    const bsi_platform_start *start = (const bsi_platform_start *)argument;
    start->run(start->argument);
    return NULL;
}

static int bsi_platform_thread_open(bsi_platform_thread *thread, bsi_platform_start *start) {
    return pthread_create(thread, NULL, bsi_platform_thread_main, start) == 0;
}

static void bsi_platform_thread_join(bsi_platform_thread thread) {
    pthread_join(thread, NULL);
}

/* Tells a process from one forked off it. */
static uint64_t bsi_platform_process(void) {
    return (uint64_t)getpid();
}

/* Nanoseconds since some moment, never going back: for counters only. */
static uint64_t bsi_platform_now_ns(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return 0;
    }
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Cores this process may use: the affinity mask where the compiler shows it (in C on Linux that
 * takes _GNU_SOURCE), else the cores online.
 */
static uint32_t bsi_platform_cores(void) {
    long online = 1;
#if defined(__linux__) && defined(CPU_COUNT)
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) == 0 && CPU_COUNT(&usable) > 0) {
        return (uint32_t)CPU_COUNT(&usable);
    }
#endif
#ifdef _SC_NPROCESSORS_ONLN /* POSIX has no such question; the BSDs hide it in strict modes */
    online = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return online > 0 ? (uint32_t)online : 1;
}

/* Note size, time and kind of an open file. Returns 0 if the system does not tell. */
static int bsi_platform_file_look(bsi_platform_file *file) {
    struct stat info;
    if (fstat(file->handle, &info) != 0) {
        return 0;
    }
    file->regular = S_ISREG(info.st_mode) ? 1 : 0;
    file->directory = S_ISDIR(info.st_mode) ? 1 : 0;
    file->size_bytes = info.st_size > 0 ? (uint64_t)info.st_size : 0;
#if defined(__APPLE__)
    file->modified = (int64_t)info.st_mtimespec.tv_sec * 1000000000 + info.st_mtimespec.tv_nsec;
#else
    file->modified = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
#endif
    return 1;
}

/* Returns 1, or 0 with *out_os_error set. Opening a pipe waits for its writer, unless no_pipe. */
static int bsi_platform_file_open(bsi_platform_file *file, const char *path, int no_pipe,
                                  int32_t *out_os_error) {
    int tries = 0;
    memset(file, 0, sizeof *file);
    *out_os_error = 0;
    do {
        file->handle = open(path, O_RDONLY | O_CLOEXEC | (no_pipe ? O_NONBLOCK : 0));
    } while (file->handle < 0 && errno == EINTR && ++tries < 1000);
    if (file->handle < 0 || !bsi_platform_file_look(file)) {
        *out_os_error = errno;
        if (file->handle >= 0) {
            close(file->handle);
        }
        return 0;
    }
    return 1;
}

static void bsi_platform_file_close(bsi_platform_file *file) {
    close(file->handle);
}

/* Words for the errors people meet; the number is in biost_error.os_error. */
static const char *bsi_platform_error_words(int32_t os_error) {
    switch (os_error) {
    case ENOENT:
    case ENOTDIR:
        return "there is no such file";
    case EACCES:
    case EPERM:
        return "permission was denied";
    case EMFILE:
    case ENFILE:
        return "too many files are open";
    case ENAMETOOLONG:
        return "the path is too long";
    case EIO:
        return "the device failed";
    default:
        return "the system refused; its error number is in os_error";
    }
}

/*
 * Read up to `count` bytes at `offset` (ignored for pipes). Returns bytes, 0 at the end, -1 with
 * *out_os_error.
 */
static int64_t bsi_platform_file_read(const bsi_platform_file *file, uint64_t offset, uint8_t *out,
                                      size_t count, int32_t *out_os_error) {
    ssize_t got;
    count = count > (size_t)1 << 30 ? (size_t)1 << 30 : count; /* some systems refuse more */
    do {
        got = file->regular ? pread(file->handle, out, count, (off_t)offset)
                            : read(file->handle, out, count);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        *out_os_error = errno;
    }
    return (int64_t)got;
}

/*
 * Map a regular file, of `bytes` > 0 bytes, into memory that may be written without changing the file.
 * NULL: it cannot be mapped. It may be closed at once.
 */
static uint8_t *bsi_platform_map(const bsi_platform_file *file, uint64_t bytes) {
    void *memory = MAP_FAILED;
    if (bytes <= SIZE_MAX / 2) {
        memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file->handle, 0);
    }
    return memory == MAP_FAILED ? NULL : (uint8_t *)memory;
}

static void bsi_platform_unmap(uint8_t *memory, uint64_t bytes) {
    munmap(memory, (size_t)bytes);
}

/* Bring bytes of a mapping in at once, where that can be asked for: else they come one page at a time. */
static void bsi_platform_map_in(uint8_t *from, size_t bytes) {
#if defined(__linux__) && defined(MADV_POPULATE_READ)
    size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)from % page;
    (void)madvise(from - before, before + bytes, MADV_POPULATE_READ);
#else
    (void)from;
    (void)bytes;
#endif
}

#endif

/*
 * Ask for pages of 2 MiB where whole ones fit: memory used at random then takes fewer faults and fewer
 * walks of page tables.
 */
static void bsi_platform_large_pages(uint8_t *from, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    uintptr_t rest = ((uintptr_t)2 << 20) - 1, start = ((uintptr_t)from + rest) & ~rest;
    uintptr_t end = ((uintptr_t)from + bytes) & ~rest;
    if (start < end) {
        (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
    }
#else
    (void)from;
    (void)bytes;
#endif
}

/* ==========================================================================
 * >>memory   the user's allocator, or malloc
 *   uses: config bytes platform    allocates: yes  threads: no   I/O: no
 * ========================================================================== */

#define BSI_MEMORY_ALIGN 256u   /* of every block: what the strictest consumer, a GPU, asks of a tensor */
#define BSI_MEMORY_LARGE BSI_MIB(4) /* bytes of a block that gets large pages; below, the end would be most */
#define BSI_MEMORY_LARGE_PAGE BSI_MIB(2)

/*
 * malloc aligns to 16 at most: ask for more, and keep the start of the block in front of what is
 * handed out.
 */
static uint8_t *bsi_memory_align(uint8_t *block, size_t align) {
    return (uint8_t *)(((uintptr_t)block + sizeof(void *) + align - 1) & ~(uintptr_t)(align - 1));
}

static void *bsi_memory_default_alloc(size_t bytes, size_t align, void *user_data) {
    uint8_t *block, *at;
    (void)user_data;
    if (bytes > SIZE_MAX - align - sizeof(void *)) {
        return NULL;
    }
    block = (uint8_t *)malloc(bytes + align + sizeof(void *));
    if (block == NULL) {
        return NULL;
    }
    at = bsi_memory_align(block, align);
    if (bytes >= BSI_MEMORY_LARGE) {
        bsi_platform_large_pages(at, bytes);
    }
    memcpy(at - sizeof(void *), &block, sizeof(void *));
    return at;
}

static void bsi_memory_default_free(void *memory, size_t bytes, void *user_data) {
    void *block;
    (void)bytes;
    (void)user_data;
    memcpy(&block, (uint8_t *)memory - sizeof(void *), sizeof(void *));
    free(block);
}

/* The allocator to use: the user's, or malloc where none is given. */
static biost_allocator bsi_memory_allocator(const biost_allocator *wish) {
    biost_allocator allocator = *wish;
    if (allocator.alloc == NULL) {
        allocator.alloc = bsi_memory_default_alloc;
        allocator.free = bsi_memory_default_free;
        allocator.user_data = NULL;
    }
    return allocator;
}

/* NULL when out of memory or when the size fits no size_t. Never called with 0 bytes. */
static void *bsi_memory_alloc(const biost_allocator *allocator, uint64_t bytes) {
    if (bytes > SIZE_MAX / 2) {
        return NULL;
    }
    return allocator->alloc((size_t)bytes, BSI_MEMORY_ALIGN, allocator->user_data);
}

static void bsi_memory_free(const biost_allocator *allocator, void *memory, uint64_t bytes) {
    if (memory != NULL) {
        allocator->free(memory, (size_t)bytes, allocator->user_data);
    }
}

/* Is memory for free as long as nobody writes to it? */
static int bsi_memory_is_lazy(const biost_allocator *allocator) {
    return allocator->alloc == bsi_memory_default_alloc;
}

/* As bsi_memory_alloc, where that is lazy: a block that is written to from its start on, in large pages. */
static void *bsi_memory_alloc_lazy(uint64_t bytes) {
    return bytes > SIZE_MAX / 2 ? NULL
                                : bsi_memory_default_alloc((size_t)bytes, BSI_MEMORY_LARGE_PAGE, NULL);
}

/*
 * A layout of several arrays in one block: reserve() is called for each array in the same order
 * twice, first with base NULL to learn the size, then with the block to get the addresses. So a
 * size can never disagree with its use.
 */
typedef struct bsi_memory_layout {
    uint8_t *base;
    uint64_t bytes;             /* reserved so far; sticky at UINT64_MAX */
} bsi_memory_layout;

static void *bsi_memory_reserve(bsi_memory_layout *layout, uint64_t count, uint64_t element_bytes) {
    uint64_t start = layout->bytes;
    layout->bytes = bsi_bytes_round_up(bsi_bytes_add(start, bsi_bytes_mul(count, element_bytes)),
                                       BSI_MEMORY_ALIGN);
    return layout->base == NULL ? NULL : layout->base + start;
}

/* ==========================================================================
 * >>fault   from what is wrong to a sentence
 *   uses: config                   allocates: no   threads: no   I/O: no
 * ========================================================================== */

/*
 * One row per fault: its name, what the caller does about it, and the words of the sentence. In the
 * words
 *   $a $b  the two numbers of bsi_bad      $c  the byte at fault      $d  bsi_bad.detail.
 */
typedef struct bsi_fault_row {
    biost_fault fault;
    biost_result code;
    const char *name;
    const char *words;
} bsi_fault_row;

static const bsi_fault_row bsi_fault_rows[] = {
    {BIOST_FAULT_NONE, BIOST_OK, "NONE", "nothing is wrong"},
    {BIOST_FAULT_ARGUMENT, BIOST_ERR_ARG, "ARGUMENT", "$d"},
    {BIOST_FAULT_MEMORY, BIOST_ERR_NOMEM, "MEMORY", "out of memory: $a bytes were refused"},
    {BIOST_FAULT_THREAD, BIOST_ERR_THREAD, "THREAD",
     "the system made no lock or thread ($a threads were asked for)"},
    {BIOST_FAULT_UNSUPPORTED, BIOST_ERR_UNSUPPORTED, "UNSUPPORTED", "$d"},
    {BIOST_FAULT_SLOTS, BIOST_ERR_SLOTS, "SLOTS",
     "all $a slots are held by the caller: release a batch, or raise desc.slots"},
    {BIOST_FAULT_STATE, BIOST_ERR_ARG, "STATE", "$d"},
    {BIOST_FAULT_OPEN, BIOST_ERR_IO, "OPEN", "cannot be opened: $d"},
    {BIOST_FAULT_READ, BIOST_ERR_IO, "READ", "cannot be read at byte $a: $d"},
    {BIOST_FAULT_DIRECTORY, BIOST_ERR_IO, "DIRECTORY", "is a directory, not a file"},
    {BIOST_FAULT_CHANGED, BIOST_ERR_STALE, "CHANGED",
     "changed since it was opened, when it had $a bytes"},
    {BIOST_FAULT_CODEC, BIOST_ERR_UNSUPPORTED, "CODEC",
     "is compressed with $d, which is not read; gzip and BGZF are"},
    {BIOST_FAULT_NOT_GZIP, BIOST_ERR_GZIP, "NOT_GZIP",
     "this is $d: it starts with $c"},
    {BIOST_FAULT_BAD_HEADER, BIOST_ERR_GZIP, "BAD_HEADER", "damaged gzip header: $d"},
    {BIOST_FAULT_BAD_DEFLATE, BIOST_ERR_GZIP, "BAD_DEFLATE", "damaged compressed data: $d"},
    {BIOST_FAULT_BAD_CRC, BIOST_ERR_GZIP, "BAD_CRC",
     "the checksum (CRC-32) of a gzip member is wrong: its bytes changed"},
    {BIOST_FAULT_BAD_ISIZE, BIOST_ERR_GZIP, "BAD_ISIZE",
     "the length stored behind a gzip member is wrong"},
    {BIOST_FAULT_BAD_BGZF, BIOST_ERR_GZIP, "BAD_BGZF", "damaged BGZF block: $d"},
    {BIOST_FAULT_TRAILING_GARBAGE, BIOST_ERR_GZIP, "TRAILING_GARBAGE",
     "bytes that are no gzip member follow the last one; all text before them was delivered"},
    {BIOST_FAULT_TRUNCATED, BIOST_ERR_TEXT, "TRUNCATED",
     "the text ends inside a record: the file was cut off"},
    {BIOST_FAULT_BAD_START, BIOST_ERR_TEXT, "BAD_START",
     "a record must start with '>' or '@', here is $c"},
    {BIOST_FAULT_UTF16, BIOST_ERR_TEXT, "UTF16",
     "the text is UTF-16; save it as plain ASCII or UTF-8"},
    {BIOST_FAULT_NUL, BIOST_ERR_TEXT, "NUL", "a NUL byte stands in the text"},
    {BIOST_FAULT_CR_IN_LINE, BIOST_ERR_TEXT, "CR_IN_LINE",
     "a carriage return inside a line: classic Mac line ends, or a damaged file"},
    {BIOST_FAULT_BAD_SEQ, BIOST_ERR_TEXT, "BAD_SEQ",
     "this line cannot be sequence, and sequence must stand here"},
    {BIOST_FAULT_BAD_SEQ_BYTE, BIOST_ERR_TEXT, "BAD_SEQ_BYTE",
     "byte $c cannot stand in a sequence"},
    {BIOST_FAULT_BAD_SEP, BIOST_ERR_TEXT, "BAD_SEP",
     "the '+' line that must follow the sequence is missing"},
    {BIOST_FAULT_PLUS_MISMATCH, BIOST_ERR_TEXT, "PLUS_MISMATCH",
     "the '+' line does not repeat the title"},
    {BIOST_FAULT_BAD_QUAL_BYTE, BIOST_ERR_TEXT, "BAD_QUAL_BYTE",
     "byte $c cannot stand in a quality"},
    {BIOST_FAULT_LENGTH, BIOST_ERR_TEXT, "LENGTH", "quality has $a characters, sequence has $b"},
    {BIOST_FAULT_GT_IN_SEQ, BIOST_ERR_TEXT, "GT_IN_SEQ",
     "'>' inside a sequence line: were two files joined without a line end between them?"},
    {BIOST_FAULT_FASTQ_IN_FASTA, BIOST_ERR_TEXT, "FASTQ_IN_FASTA",
     "a line of FASTA sequence starts with $c, as FASTQ lines do"},
    {BIOST_FAULT_COMMENT_LINE, BIOST_ERR_TEXT, "COMMENT_LINE",
     "a line that starts with ';' is no sequence"},
    {BIOST_FAULT_BLANK_LINE, BIOST_ERR_TEXT, "BLANK_LINE",
     "a blank line, which desc.text.pedantic refuses"},
    {BIOST_FAULT_NO_NAME, BIOST_ERR_TEXT, "NO_NAME",
     "the title has no name, which desc.text.pedantic asks for"},
    {BIOST_FAULT_NO_RECORD, BIOST_ERR_TEXT, "NO_RECORD",
     "there is no record, which desc.text.require_record asks for"},
    {BIOST_FAULT_BAD_LETTER, BIOST_ERR_TEXT, "BAD_LETTER",
     "$c is none of the letters that desc.text.letters allows"},
    {BIOST_FAULT_FORMAT, BIOST_ERR_TEXT, "FORMAT",
     "is $d; all inputs of a loader must be of one format"},
    {BIOST_FAULT_PAIR_NAME, BIOST_ERR_TEXT, "PAIR_NAME", "its name $d"},
    {BIOST_FAULT_PAIR_COUNT, BIOST_ERR_TEXT, "PAIR_COUNT",
     "records that belong together are missing"},
    {BIOST_FAULT_RECORD_TOO_LONG, BIOST_ERR_TOO_LONG, "RECORD_TOO_LONG",
     "the record is longer than desc.max_record_bytes, $a bytes"},
    {BIOST_FAULT_ROW_TOO_LONG, BIOST_ERR_TOO_LONG, "ROW_TOO_LONG",
     "the record has $a bases, $d is $b: raise it, or let desc.long_records split or cut"},
    {BIOST_FAULT_TOO_MANY, BIOST_ERR_TOO_LONG, "TOO_MANY",
     "more records in one file than an id can number (2^40)"},
    {BIOST_FAULT_NO_QUALITY, BIOST_ERR_ARG, "NO_QUALITY",
     "$d needs qualities, and this input is FASTA"},
    {BIOST_FAULT_TOKEN_DAMAGED, BIOST_ERR_ARG, "TOKEN_DAMAGED",
     "desc.token is no token of this version, or was damaged"},
    {BIOST_FAULT_TOKEN_DESC, BIOST_ERR_ARG, "TOKEN_DESC",
     "desc.token was made with other values in the desc's data fields"},
    {BIOST_FAULT_TOKEN_INPUT, BIOST_ERR_STALE, "TOKEN_INPUT",
     "desc.token was made over other input"},
    {BIOST_FAULT_DEVICE, BIOST_ERR_DEVICE, "DEVICE", "$d"},
    {BIOST_FAULT_NO_DEVICE, BIOST_ERR_DEVICE, "NO_DEVICE", "$d"},
};
BSI_STATIC_ASSERT(sizeof bsi_fault_rows / sizeof bsi_fault_rows[0] == BIOST_FAULT_COUNT,
                  each_fault_has_a_row);

/* A sentence under way in error->text; what does not fit is cut, the NUL always fits. */
typedef struct bsi_fault_writer {
    char *at, *end;             /* end: the last byte, kept for the NUL */
} bsi_fault_writer;

static void bsi_fault_put(bsi_fault_writer *writer, char byte) {
    if (writer->at < writer->end) {
        *writer->at++ = byte;
    }
}

static void bsi_fault_put_words(bsi_fault_writer *writer, const char *words) {
    while (*words != '\0') {
        bsi_fault_put(writer, *words++);
    }
}

static void bsi_fault_put_number(bsi_fault_writer *writer, uint64_t number) {
    char digits[20];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0) {
        bsi_fault_put(writer, digits[--count]);
    }
}

/* A byte as people write it: itself, or \xHH outside 32..126. */
static void bsi_fault_put_escaped(bsi_fault_writer *writer, uint8_t byte) {
    static const char digits[] = "0123456789abcdef";
    if (byte >= 32 && byte <= 126) {
        bsi_fault_put(writer, (char)byte);
    } else {
        bsi_fault_put_words(writer, "\\x");
        bsi_fault_put(writer, digits[byte >> 4]);
        bsi_fault_put(writer, digits[byte & 15]);
    }
}

/*
 * A name may be longer than a sentence: keep its end, which tells names apart, at most `most`
 * characters as they will be written and three dots in front.
 */
static void bsi_fault_put_end(bsi_fault_writer *writer, const char *name, size_t bytes,
                              size_t most) {
    size_t at = bytes, width = 0;
    while (at > 0 && width <= most) {
        --at;
        width += name[at] >= 32 && name[at] <= 126 ? 1 : 4; /* \xHH */
    }
    if (width > most) {
        bsi_fault_put_words(writer, "...");
        ++at;
    }
    for (; at < bytes; ++at) {
        bsi_fault_put_escaped(writer, (uint8_t)name[at]);
    }
}

/* What an input is called, in a sentence about it alone. */
static void bsi_fault_put_name(bsi_fault_writer *writer, const char *name) {
    bsi_fault_put_end(writer, name, strlen(name), 80);
}

/* The row of a fault; a number that is none gets the first. */
static const bsi_fault_row *bsi_fault_row_of(biost_fault fault) {
    return &bsi_fault_rows[(uint32_t)fault < (uint32_t)BIOST_FAULT_COUNT ? (uint32_t)fault : 0];
}

/* The row's words with the numbers of `bad` in their places. */
static void bsi_fault_put_row(bsi_fault_writer *writer, const bsi_bad *bad) {
    const char *words = bsi_fault_row_of(bad->fault)->words;
    for (; *words != '\0'; ++words) {
        if (*words != '$') {
            bsi_fault_put(writer, *words);
            continue;
        }
        switch (*++words) {
        case 'a':
            bsi_fault_put_number(writer, bad->a);
            break;
        case 'b':
            bsi_fault_put_number(writer, bad->b);
            break;
        case 'c':
            bsi_fault_put(writer, '\'');
            bsi_fault_put_escaped(writer, bad->byte);
            bsi_fault_put(writer, '\'');
            break;
        default:
            bsi_fault_put_words(writer, bad->detail == NULL ? "" : bad->detail);
            break;
        }
    }
}

/* Whether the place in the text or the place in the file says where a fault is. */
static int bsi_fault_is_of_source(const bsi_bad *bad) {
    biost_result code = bsi_fault_row_of(bad->fault)->code;
    return code == BIOST_ERR_GZIP || (bad->fault == BIOST_FAULT_TRUNCATED && bad->detail != NULL);
}

/*
 * The words in front of a gzip fault: where in the file, and from which record on nothing is
 * vouched for. A gzip member is known to be good only at its end, so records since its start are
 * provisional when it turns out bad.
 */
static void bsi_fault_put_source(bsi_fault_writer *writer, const bsi_bad *bad) {
    bsi_fault_put_words(writer, ": byte ");
    bsi_fault_put_number(writer, bad->source_offset);
    bsi_fault_put_words(writer, " of the file: ");
    if (bad->fault == BIOST_FAULT_TRUNCATED) {
        bsi_fault_put_words(writer, bad->detail);
    } else {
        bsi_fault_put_row(writer, bad);
    }
    if (bad->line == 0 && bad->record == 0) {
        return; /* no text came out */
    }
    bsi_fault_put_words(writer, bad->line > 0 ? " (in record " : " (behind record ");
    bsi_fault_put_number(writer, bad->record + (bad->line > 0));
    if (bad->line > 0) {
        bsi_fault_put_words(writer, ", line ");
        bsi_fault_put_number(writer, bad->line);
    }
    if (bad->b > 0) {
        bsi_fault_put_words(writer, "; records from ");
        bsi_fault_put_number(writer, bad->b);
        bsi_fault_put_words(writer, " on are unverified");
    }
    bsi_fault_put(writer, ')');
}

/* The words in front of a fault of the text: which record, line and byte. */
static void bsi_fault_put_text(bsi_fault_writer *writer, const bsi_bad *bad) {
    if (bad->line > 0) {
        bsi_fault_put_words(writer, ": record ");
        bsi_fault_put_number(writer, bad->record + 1);
        bsi_fault_put_words(writer, " (line ");
        bsi_fault_put_number(writer, bad->line);
        bsi_fault_put_words(writer, ", byte ");
        bsi_fault_put_number(writer, bad->text_offset);
        bsi_fault_put_words(writer, " of the text)");
    }
    bsi_fault_put_words(writer, ": ");
    bsi_fault_put_row(writer, bad);
}

/* Fill an error but for its sentence, which the writer returned begins. */
static bsi_fault_writer bsi_fault_begin(biost_error *error, const bsi_bad *bad,
                                        uint32_t path_index, int32_t os_error) {
    bsi_fault_writer writer;
    error->code = bsi_fault_row_of(bad->fault)->code;
    if (bsi_fault_is_of_source(bad)) {
        error->code = BIOST_ERR_GZIP;
    }
    error->fault = bad->fault;
    error->path_index = path_index;
    error->os_error = os_error;
    error->record = bad->record;
    error->line = bad->line;
    error->text_offset = bad->text_offset;
    error->source_offset = bad->source_offset;
    writer.at = error->text;
    writer.end = error->text + sizeof error->text - 1;
    return writer;
}

/*
 * Fill an error, once: a filled one keeps what it has.
 *   name  in  what the input is called, or NULL where the fault is of no input
 */
static void bsi_fault_raise(biost_error *error, const bsi_bad *bad, const char *name,
                            uint32_t path_index, int32_t os_error) {
    bsi_fault_writer writer;
    if (error->code != BIOST_OK) {
        return;
    }
    writer = bsi_fault_begin(error, bad, path_index, os_error);
    if (name == NULL) {
        bsi_fault_put_row(&writer, bad);
    } else {
        bsi_fault_put_name(&writer, name);
        if (bsi_fault_is_of_source(bad)) {
            bsi_fault_put_source(&writer, bad);
        } else {
            bsi_fault_put_text(&writer, bad);
        }
    }
    *writer.at = '\0';
}

/* Faults that are no place in a file: the call, memory, threads. */
static void bsi_fault_raise_plain(biost_error *error, biost_fault fault, const char *detail,
                                  uint64_t a) {
    bsi_bad bad;
    memset(&bad, 0, sizeof bad);
    bad.fault = fault;
    bad.detail = detail;
    bad.a = a;
    bsi_fault_raise(error, &bad, NULL, 0, 0);
}

/* ==========================================================================
 * >>sched   run-to-completion tasks over a few threads
 *   uses: config platform          allocates: no   threads: makes   I/O: no
 *
 * A task is two calls: work(), without the lock, and finish(), with it, which records what was done
 * and makes other tasks ready. Tasks never wait for one another. The deepest stage runs first,
 * within a stage the oldest task, so what was just decoded is scanned and encoded while it is in
 * that core's cache, and little text is in flight; but a task that stays goes on with its thread, see
 * bsi_sched_take.
 *
 *     idle --push--> ready --take--> running --finish--> idle
 *
 * The caller helps: while what it wants is not ready it runs ready tasks like any worker, and
 * sleeps only when all that is left is running elsewhere. So own threads, the host's job system, one
 * thread and no thread at all are one rule, and none of them can deadlock. A thread waits in two
 * places only: a worker without work (bsi_sched_worker, and bsi_sched_park where it is one too many) and
 * the caller (bsi_sched_wait).
 *
 * The host's job system gets tickets: calls that run one ready task, if there still is one. They are
 * asked for when the lock is let go, never under it.
 *
 * How many threads are at work may change: those above the number are parked, until more are wanted or
 * all is closed. Each stage's time is counted.
 * ========================================================================== */

#define BSI_SCHED_STAGES 8u
#define BSI_SCHED_MAX_WORKERS 256u

typedef struct bsi_sched_task {
    struct bsi_sched_task *next;
    void (*work)(void *owner, struct bsi_sched_task *task);   /* without the lock */
    void (*finish)(void *owner, struct bsi_sched_task *task); /* under the lock, right after work */
    uint32_t stage;             /* 0..BSI_SCHED_STAGES-1; higher runs first */
    uint32_t busy;              /* under lock: ready or running */
    uint64_t ready_ns;          /* when it was pushed */
    int stays;                  /* goes on with its thread while it can; see bsi_sched_take */
    uint32_t *home;             /* under lock: the thread with what it writes in its cache; NULL: none */
} bsi_sched_task;

/* What the tasks of one stage took, added up. */
typedef struct bsi_sched_times {
    uint64_t busy_ns;           /* in work */
    uint64_t waiting_ns;        /* ready, before they were taken */
    uint64_t task_count;
} bsi_sched_times;

typedef struct bsi_sched {
    /* set at open */
    void *owner;
    uint64_t process;           /* that opened it; one forked off it has another number */
    uint64_t order_seed;        /* not 0: take ready tasks in an order drawn from it */
    biost_jobs jobs;            /* submit NULL: own threads */
    void (*ticket)(void *sched); /* what the host is to call */
    /* shared, under lock */
    bsi_platform_mutex lock;
    bsi_platform_condition work_ready;  /* workers sleep here */
    bsi_platform_condition caller_wake; /* the caller sleeps here */
    bsi_platform_condition parked;      /* workers above the limit sleep here */
    uint32_t helper_limit;      /* threads at work beside the caller, or calls asked of the host at a time */
    uint32_t active_count;      /* threads not parked */
    bsi_sched_times times[BSI_SCHED_STAGES];
    uint64_t busy_ns[BSI_SCHED_MAX_WORKERS + 1]; /* in work, by the thread's number */
    bsi_sched_task *first[BSI_SCHED_STAGES], *last[BSI_SCHED_STAGES];
    uint32_t ready_count, running_count; /* tasks */
    uint32_t sleeping_count;    /* workers */
    uint32_t numbered_count;    /* workers that have their number; see bsi_sched_thread */
    uint32_t ticket_count;      /* calls asked of the host that have not ended */
    int caller_sleeps, paused, stopping;
    /* owner */
    bsi_platform_thread threads[BSI_SCHED_MAX_WORKERS];
    bsi_platform_start start;   /* what its threads run */
    uint32_t thread_count;      /* threads made */
} bsi_sched;

/* Under lock. Wake someone for a ready task: a sleeping worker, else the sleeping caller. */
static void bsi_sched_wake_one(bsi_sched *sched) {
    if (sched->ready_count == 0 || sched->paused) {
        return;
    }
    if (sched->sleeping_count > 0) {
        bsi_platform_signal(&sched->work_ready);
    } else if (sched->caller_sleeps) {
        bsi_platform_signal(&sched->caller_wake);
    }
}

/* Under lock. Make an idle task ready. */
static void bsi_sched_push(bsi_sched *sched, bsi_sched_task *task) {
    task->next = NULL;
    task->busy = 1;
    task->ready_ns = bsi_platform_now_ns();
    if (sched->first[task->stage] == NULL) {
        sched->first[task->stage] = task;
    } else {
        sched->last[task->stage]->next = task;
    }
    sched->last[task->stage] = task;
    ++sched->ready_count;
}

/* Under lock. Unlink the task behind `before` (NULL: the first) of a stage. */
static bsi_sched_task *bsi_sched_unlink(bsi_sched *sched, uint32_t stage, bsi_sched_task *before) {
    bsi_sched_task *task = before == NULL ? sched->first[stage] : before->next;
    if (before == NULL) {
        sched->first[stage] = task->next;
    } else {
        before->next = task->next;
    }
    if (sched->last[stage] == task) {
        sched->last[stage] = before;
    }
    --sched->ready_count;
    return task;
}

/* Under lock, for tests. Take the task at a random place among all ready ones (xorshift64). */
static bsi_sched_task *bsi_sched_take_random(bsi_sched *sched) {
    uint32_t stage = 0, place;
    bsi_sched_task *before = NULL, *at;
    sched->order_seed ^= sched->order_seed << 13;
    sched->order_seed ^= sched->order_seed >> 7;
    sched->order_seed ^= sched->order_seed << 17;
    place = (uint32_t)(sched->order_seed % sched->ready_count);
    for (at = sched->first[0]; place > 0 || at == NULL;) {
        if (at == NULL) {
            at = sched->first[++stage];
            before = NULL;
        } else {
            before = at;
            at = at->next;
            --place;
        }
    }
    return bsi_sched_unlink(sched, stage, before);
}

/* A thread's number, for bsi_sched_task.home. Workers have those behind. */
enum bsi_sched_thread {
    BSI_SCHED_ANY = 0,          /* one of the host's, which cannot be told apart; or no home */
    BSI_SCHED_CALLER = 1
};

/* Under lock. Take the oldest ready task of a stage that is not at home with another thread, or NULL. */
static bsi_sched_task *bsi_sched_take_home(bsi_sched *sched, uint32_t stage, uint32_t thread) {
    bsi_sched_task *before = NULL, *at;
    for (at = sched->first[stage]; at != NULL; at = at->next) {
        if (at->home == NULL || *at->home == BSI_SCHED_ANY || *at->home == thread) {
            return bsi_sched_unlink(sched, stage, before);
        }
        before = at;
    }
    return NULL;
}

/*
 * Under lock. The next task to run, or NULL. `last` is what this thread ran just before, or NULL.
 *
 * The slowest serial stage decides how fast the pipe is. Where there are threads to take what it
 * makes ready, it stays where it runs: waking another thread for it would cost more than a page.
 * What is at home with another thread is taken when there is nothing else: memory that two cores write
 * by turns costs both more than the wait.
 */
static bsi_sched_task *bsi_sched_take_by(bsi_sched *sched, const bsi_sched_task *last,
                                         uint32_t thread) {
    bsi_sched_task *task = NULL;
    uint32_t stage;
    if (sched->ready_count == 0 || sched->paused) {
        return NULL;
    }
    if (sched->order_seed != 0) {
        return bsi_sched_take_random(sched);
    }
    if (last != NULL && last->stays && sched->active_count > 0 && sched->first[last->stage] == last) {
        return bsi_sched_unlink(sched, last->stage, NULL);
    }
    for (stage = BSI_SCHED_STAGES; stage > 0 && task == NULL && thread != BSI_SCHED_ANY; --stage) {
        task = bsi_sched_take_home(sched, stage - 1, thread);
    }
    for (stage = BSI_SCHED_STAGES; stage > 0 && task == NULL; --stage) {
        if (sched->first[stage - 1] != NULL) {
            task = bsi_sched_unlink(sched, stage - 1, NULL);
        }
    }
    if (task->home != NULL) {
        *task->home = thread;
    }
    return task;
}

/* The same for any thread. */
static bsi_sched_task *bsi_sched_take(bsi_sched *sched, const bsi_sched_task *last) {
    return bsi_sched_take_by(sched, last, BSI_SCHED_ANY);
}

/*
 * Let the lock go, and ask the host for as many calls as there are tasks ready. Nothing of `sched`
 * is read once it may be gone: a call asked for keeps it, until that call has ended.
 */
static void bsi_sched_unlock(bsi_sched *sched) {
    biost_jobs jobs = sched->jobs;
    void (*ticket)(void *) = sched->ticket;
    uint32_t wanted = 0;
    if (jobs.submit != NULL && !sched->paused) {
        uint32_t most = BSI_MIN(sched->ready_count, sched->helper_limit);
        wanted = most > sched->ticket_count ? most - sched->ticket_count : 0;
        sched->ticket_count += wanted;
    }
    bsi_platform_unlock(&sched->lock);
    for (; wanted > 0; --wanted) {
        jobs.submit(ticket, sched, jobs.user_data);
    }
}

/* Under lock, which it lets go meanwhile. Run a taken task to its end, as thread number `thread`. */
static void bsi_sched_run_by(bsi_sched *sched, bsi_sched_task *task, uint32_t thread) {
    bsi_sched_times *times = &sched->times[task->stage];
    uint64_t taken_ns = bsi_platform_now_ns(), busy_ns;
    times->waiting_ns += taken_ns - task->ready_ns;
    ++sched->running_count;
    bsi_sched_wake_one(sched);
    bsi_sched_unlock(sched);
    task->work(sched->owner, task);
    bsi_platform_lock(&sched->lock);
    --sched->running_count;
    task->busy = 0;
    busy_ns = bsi_platform_now_ns() - taken_ns;
    times->busy_ns += busy_ns;
    sched->busy_ns[thread] += busy_ns;
    ++times->task_count;
    task->finish(sched->owner, task);
    if (sched->running_count == 0 && sched->caller_sleeps) {
        bsi_platform_signal(&sched->caller_wake); /* it pauses, or must learn that all is stuck */
    }
}

/* The same by any thread. */
static void bsi_sched_run(bsi_sched *sched, bsi_sched_task *task) {
    bsi_sched_run_by(sched, task, BSI_SCHED_ANY);
}

/* One call by the host: run a ready task, if there is one. */
static void bsi_sched_ticket(void *argument) {
    bsi_sched *sched = (bsi_sched *)argument;
    bsi_sched_task *task;
    bsi_platform_lock(&sched->lock);
    task = bsi_sched_take(sched, NULL);
    if (task != NULL) {
        bsi_sched_run(sched, task);
    }
    --sched->ticket_count;
    if (sched->stopping && sched->caller_sleeps) {
        bsi_platform_signal(&sched->caller_wake); /* close waits for the last one */
    }
    bsi_sched_unlock(sched);
}

/* Under lock. A worker that is one too many sleeps until it is wanted again, or all is closed. */
static void bsi_sched_park(bsi_sched *sched) {
    --sched->active_count;
    bsi_sched_wake_one(sched); /* what woke this one is for another */
    while (!sched->stopping && sched->active_count >= sched->helper_limit) {
        bsi_platform_wait(&sched->parked, &sched->lock);
    }
    ++sched->active_count;
}

/* A worker's life. */
static void bsi_sched_worker(void *argument) {
    bsi_sched *sched = (bsi_sched *)argument;
    bsi_sched_task *task = NULL;
    uint32_t thread;
    bsi_platform_lock(&sched->lock);
    thread = BSI_SCHED_CALLER + ++sched->numbered_count;
    while (!sched->stopping) {
        if (sched->active_count > sched->helper_limit) {
            bsi_sched_park(sched);
            task = NULL;
            continue;
        }
        task = bsi_sched_take_by(sched, task, thread);
        if (task != NULL) {
            bsi_sched_run_by(sched, task, thread);
        } else {
            ++sched->sleeping_count;
            bsi_platform_wait(&sched->work_ready, &sched->lock);
            --sched->sleeping_count;
        }
    }
    bsi_platform_unlock(&sched->lock);
}

/* Under lock: the caller sleeps until something may have changed. */
static void bsi_sched_wait(bsi_sched *sched) {
    sched->caller_sleeps = 1;
    bsi_platform_wait(&sched->caller_wake, &sched->lock);
    sched->caller_sleeps = 0;
}

/* Under lock. Something the caller may be waiting for has happened. */
static void bsi_sched_wake_caller(bsi_sched *sched) {
    if (sched->caller_sleeps) {
        bsi_platform_signal(&sched->caller_wake);
    }
}

/* Under lock. Let running tasks end and forget the ready ones; until resume no task starts. */
static void bsi_sched_pause(bsi_sched *sched) {
    uint32_t stage;
    sched->paused = 1;
    while (sched->running_count > 0) {
        bsi_sched_wait(sched);
    }
    for (stage = 0; stage < BSI_SCHED_STAGES; ++stage) {
        while (sched->first[stage] != NULL) {
            bsi_sched_unlink(sched, stage, NULL)->busy = 0;
        }
    }
}

static void bsi_sched_resume(bsi_sched *sched) {
    sched->paused = 0;
}

/*
 * Stop and join the threads, wait for the calls asked of the host, drop the locks. No other call may
 * be running.
 */
static void bsi_sched_close(bsi_sched *sched) {
    uint32_t i;
    if (sched->process != bsi_platform_process()) {
        return; /* forked: the threads were left behind, and the locks may be held by them */
    }
    bsi_platform_lock(&sched->lock);
    sched->stopping = 1;
    sched->paused = 1;
    bsi_platform_broadcast(&sched->work_ready);
    bsi_platform_broadcast(&sched->parked);
    while (sched->ticket_count > 0) {
        bsi_sched_wait(sched);
    }
    bsi_platform_unlock(&sched->lock);
    for (i = 0; i < sched->thread_count; ++i) {
        bsi_platform_thread_join(sched->threads[i]);
    }
    bsi_platform_condition_close(&sched->parked);
    bsi_platform_condition_close(&sched->caller_wake);
    bsi_platform_condition_close(&sched->work_ready);
    bsi_platform_mutex_close(&sched->lock);
}

/*
 * Let `helpers` threads work beside the caller from now on, or ask the host for so many calls at a time.
 * Returns 0 if the system makes fewer threads: those are at work. Owner only.
 */
static int bsi_sched_set_helpers(bsi_sched *sched, uint32_t helpers) {
    int good = 1;
    bsi_platform_lock(&sched->lock);
    sched->helper_limit = helpers;
    while (good && sched->jobs.submit == NULL && sched->thread_count < helpers) {
        good = bsi_platform_thread_open(&sched->threads[sched->thread_count], &sched->start);
        sched->thread_count += good ? 1u : 0u;
        sched->active_count += good ? 1u : 0u;
    }
    if (!good) {
        sched->helper_limit = sched->thread_count;
    }
    bsi_platform_broadcast(&sched->parked);
    bsi_platform_broadcast(&sched->work_ready); /* those too many park */
    bsi_sched_unlock(sched);
    return good;
}

/* How long each thread was at work, the caller first; all of the host's count as one. Returns how many. */
static uint32_t bsi_sched_busy(bsi_sched *sched, uint64_t *out_busy_ns, uint32_t capacity) {
    uint32_t count;
    bsi_platform_lock(&sched->lock);
    count = sched->jobs.submit != NULL ? 2 : sched->thread_count + 1;
    for (uint32_t i = 0; i < BSI_MIN(count, capacity); i++) {
        int of_host = i > 0 && sched->jobs.submit != NULL;
        out_busy_ns[i] = sched->busy_ns[of_host ? (uint32_t)BSI_SCHED_ANY : BSI_SCHED_CALLER + i];
    }
    bsi_platform_unlock(&sched->lock);
    return count;
}

/* Make the lock and what threads sleep on. Returns 0, with nothing left behind, if the system refuses. */
static int bsi_sched_open_locks(bsi_sched *sched) {
    bsi_platform_condition *const conditions[] = {&sched->work_ready, &sched->caller_wake,
                                                  &sched->parked};
    uint32_t made = 0;
    if (!bsi_platform_mutex_open(&sched->lock)) {
        return 0;
    }
    while (made < 3 && bsi_platform_condition_open(conditions[made])) {
        ++made;
    }
    if (made == 3) {
        return 1;
    }
    while (made > 0) {
        bsi_platform_condition_close(conditions[--made]);
    }
    bsi_platform_mutex_close(&sched->lock);
    return 0;
}

/*
 * Make the locks and `helpers` threads, or ask the host's job system for at most so many calls at a
 * time; returns 0, with nothing left behind, if the system refuses. `sched` is zeroed by the caller
 * and must not move afterwards.
 */
static int bsi_sched_open(bsi_sched *sched, void *owner, uint32_t helpers, const biost_jobs *jobs,
                          uint64_t order_seed) {
    sched->owner = owner;
    sched->jobs = *jobs;
    sched->ticket = bsi_sched_ticket;
    sched->process = bsi_platform_process();
    sched->order_seed = order_seed;
    sched->start.run = bsi_sched_worker;
    sched->start.argument = sched;
    if (!bsi_sched_open_locks(sched)) {
        return 0;
    }
    if (!bsi_sched_set_helpers(sched, helpers)) {
        bsi_sched_close(sched);
        return 0;
    }
    return 1;
}

/* ==========================================================================
 * >>source   the bytes of one input, in order
 *   uses: config bytes platform    allocates: no   threads: no   I/O: reads files
 * ========================================================================== */

/* What stays the same about an input from open to close, but for callback_used and mapped. */
typedef struct bsi_source_input {
    const char *name;           /* the path, or the input's name; NUL-terminated */
    const uint8_t *memory;      /* NULL: no input in memory */
    biost_callback callback;    /* read NULL: no callback */
    int callback_used;          /* it gave bytes: it must be rewound before it is read again */
    const biost_files *files;   /* how paths are opened; NULL: the system's way */
    uint64_t size_bytes;        /* as found at open */
    int64_t modified;           /* likewise; in the system's own unit, compared only */
    int regular;                /* 0: a pipe, device or callback: no size, in order only */
    int no_pipe;                /* never wait for a pipe's writer: a pipe is of no use here */
    int is_gzip;                /* noted by who looked inside */
    int map;                    /* map it, if it is plain FASTQ */
    uint32_t first_point, point_count; /* kept by the pipe; see bsi_stream_point */
    uint8_t *mapped;            /* [size_bytes] kept here by the pipe as long as pages lie in it; or NULL */
} bsi_source_input;

/* One pass over it. */
typedef struct bsi_source {
    bsi_source_input *input;
    bsi_platform_file file;
    void *hook_file;            /* of input->files */
    uint64_t offset;            /* next byte to read */
    uint8_t *mapped;            /* the file in memory; not unmapped here. NULL: it is read */
    int is_open;                /* the file is to be closed */
    int32_t os_error;           /* errno or GetLastError of what failed, else 0 */
    bsi_bad failed;             /* a fault met behind bytes that were handed out; told next time */
} bsi_source;

/*
 * A piece of the source: bytes of memory inputs and mapped files where they lie, of others in the
 * buffer they were read into.
 */
typedef struct bsi_source_piece {
    const uint8_t *bytes;
    size_t count;
    int ended;                  /* nothing follows */
} bsi_source_piece;

/* Fill a fault. `a`: a number for its sentence, and its byte of the source. */
static void bsi_source_fail(bsi_bad *bad, biost_fault fault, uint64_t a, const char *detail) {
    memset(bad, 0, sizeof *bad);
    bad->fault = fault;
    bad->a = a;
    bad->source_offset = a;
    bad->detail = detail;
}

/* Hooks are called in parentheses: a system may have made open, read or close macros. */
static void bsi_source_close(bsi_source *source) {
    if (source->is_open && source->input->files != NULL) {
        (source->input->files->close)(source->hook_file, source->input->files->user_data);
    } else if (source->is_open) {
        bsi_platform_file_close(&source->file);
    }
    source->is_open = 0;
}

/* Ask the file what it is now. Returns 0 if it does not tell. */
static int bsi_source_look(bsi_source *source) {
    const biost_files *files = source->input->files;
    int64_t size;
    if (files == NULL) {
        return bsi_platform_file_look(&source->file);
    }
    size = (files->size)(source->hook_file, files->user_data);
    memset(&source->file, 0, sizeof source->file);
    source->file.size_bytes = size > 0 ? (uint64_t)size : 0;
    source->file.regular = 1;
    return size >= 0;
}

/* Open by the user's hooks. Returns 1, or 0 with *out_bad filled. */
static int bsi_source_open_hook(bsi_source *source, bsi_bad *out_bad) {
    const biost_files *files = source->input->files;
    source->hook_file = (files->open)(source->input->name, files->user_data);
    if (source->hook_file == NULL) {
        bsi_source_fail(out_bad, BIOST_FAULT_OPEN, 0, "desc.files.open refused it");
        return 0;
    }
    source->is_open = 1;
    if (!bsi_source_look(source)) {
        bsi_source_fail(out_bad, BIOST_FAULT_OPEN, 0, "desc.files.size failed");
        bsi_source_close(source);
        return 0;
    }
    return 1;
}

/* Open by the system. Returns 1, or 0 with *out_bad filled. */
static int bsi_source_open_file(bsi_source *source, bsi_bad *out_bad) {
    const bsi_source_input *input = source->input;
    if (!bsi_platform_file_open(&source->file, input->name, input->no_pipe, &source->os_error)) {
        bsi_source_fail(out_bad, BIOST_FAULT_OPEN, 0, bsi_platform_error_words(source->os_error));
        return 0;
    }
    source->is_open = 1;
    if (source->file.directory) {
        bsi_source_fail(out_bad, BIOST_FAULT_DIRECTORY, 0, NULL);
        bsi_source_close(source);
        return 0;
    }
    return 1;
}

/* A callback stands where it stands: before a second pass it goes back to its first byte. */
static int bsi_source_open_callback(bsi_source *source, bsi_bad *out_bad) {
    bsi_source_input *input = source->input;
    if (input->callback_used && input->callback.rewind == NULL) {
        bsi_source_fail(out_bad, BIOST_FAULT_UNSUPPORTED, 0,
                        "comes from a callback without rewind, which can be read only once");
        return 0;
    }
    if (input->callback_used && !(input->callback.rewind)(input->callback.user_data)) {
        bsi_source_fail(out_bad, BIOST_FAULT_READ, 0, "its rewind callback failed");
        return 0;
    }
    input->callback_used = 0;
    return 1;
}

/* Open at byte `offset`. Returns 1, or 0 with *out_bad filled. `source` is zeroed or closed. */
static int bsi_source_open(bsi_source *source, bsi_source_input *input, uint64_t offset,
                           bsi_bad *out_bad) {
    source->input = input;
    source->offset = offset;
    source->mapped = NULL;
    source->os_error = 0;
    source->failed.fault = BIOST_FAULT_NONE;
    if (input->memory != NULL) {
        return 1;
    }
    if (input->callback.read != NULL) {
        return bsi_source_open_callback(source, out_bad);
    }
    return input->files != NULL ? bsi_source_open_hook(source, out_bad)
                                : bsi_source_open_file(source, out_bad);
}

/*
 * Note what must not change of an input opened for the first time. A file whose size is told as 0 may
 * have bytes all the same, as those of /proc have: it is read in order, like a pipe.
 */
static void bsi_source_note(bsi_source *source) {
    bsi_source_input *input = source->input;
    if (input->memory == NULL && input->callback.read == NULL) {
        input->size_bytes = source->file.size_bytes;
        input->modified = source->file.modified;
        input->regular = source->file.regular && (source->file.size_bytes > 0 || input->no_pipe);
    }
}

/* Whether a regular file is still as long, and last written, as it was at open. */
static int bsi_source_same(const bsi_source *source) {
    const bsi_source_input *input = source->input;
    return source->file.size_bytes == input->size_bytes && source->file.modified == input->modified;
}

/* Open again what was opened before: another size or time is a fault. */
static int bsi_source_reopen(bsi_source *source, bsi_source_input *input, uint64_t offset,
                             bsi_bad *out_bad) {
    if (!bsi_source_open(source, input, offset, out_bad)) {
        return 0;
    }
    if (input->memory == NULL && input->regular && !bsi_source_same(source)) {
        bsi_source_fail(out_bad, BIOST_FAULT_CHANGED, input->size_bytes, NULL);
        bsi_source_close(source);
        return 0;
    }
    return 1;
}

/* One call to whoever has the bytes: bytes, 0 at the end, -1 with *out_bad filled. */
static int64_t bsi_source_call(bsi_source *source, uint8_t *buffer, size_t capacity,
                               bsi_bad *out_bad) {
    bsi_source_input *input = source->input;
    const char *detail = "desc.files.read_at failed";
    int64_t got;
    if (input->callback.read != NULL) {
        input->callback_used = 1;
        got = (input->callback.read)(buffer, capacity, input->callback.user_data);
        detail = "its read callback failed";
    } else if (input->files != NULL) {
        got = (input->files->read_at)(source->hook_file, source->offset, buffer, capacity,
                                    input->files->user_data);
    } else {
        got = bsi_platform_file_read(&source->file, source->offset, buffer, capacity,
                                     &source->os_error);
        detail = got < 0 ? bsi_platform_error_words(source->os_error) : NULL;
    }
    if (got < 0 || (uint64_t)got > capacity) {
        bsi_source_fail(out_bad, BIOST_FAULT_READ, source->offset, detail);
        return -1;
    }
    return got;
}

/*
 * At the end a regular file must still be what it was at open, else two versions may be mixed. Returns
 * 0, or -1 with *out_bad filled.
 */
static int64_t bsi_source_check_end(bsi_source *source, bsi_bad *out_bad) {
    const bsi_source_input *input = source->input;
    if (input->regular && (source->offset != input->size_bytes || !bsi_source_look(source) ||
                           !bsi_source_same(source))) {
        bsi_source_fail(out_bad, BIOST_FAULT_CHANGED, input->size_bytes, NULL);
        return -1;
    }
    return 0;
}

/* The next bytes of a file, hook or callback, or its end, checked; as bsi_source_call. */
static int64_t bsi_source_next(bsi_source *source, uint8_t *buffer, size_t capacity,
                               bsi_bad *out_bad) {
    int64_t got = 0;
    uint64_t left = UINT64_MAX;
    if (source->input->regular && source->input->size_bytes > 0) {
        left = source->input->size_bytes - source->offset; /* no byte behind the size is asked for */
    }
    if (left > 0) {
        got = bsi_source_call(source, buffer, (size_t)BSI_MIN((uint64_t)capacity, left), out_bad);
    }
    if (got > 0 && source->input->regular && source->input->size_bytes == 0) {
        bsi_source_fail(out_bad, BIOST_FAULT_CHANGED, 0, NULL);
        return -1;
    }
    if (got == 0) {
        return bsi_source_check_end(source, out_bad);
    }
    source->offset += got > 0 ? (uint64_t)got : 0;
    return got;
}

/*
 * Map what was opened, if that is wanted and possible, the file is what it was, and the text will not be
 * changed where it lies: lines of FASTA are joined, so copies are cheaper. Compressed files do not start
 * with '@' either.
 */
static void bsi_source_map(bsi_source *source) {
    bsi_source_input *input = source->input;
    if (input->map && source->is_open && input->files == NULL && input->regular &&
        input->size_bytes > 0 && bsi_source_look(source) && bsi_source_same(source)) {
        source->mapped = bsi_platform_map(&source->file, input->size_bytes);
    }
    if (source->mapped != NULL && source->mapped[0] != '@') {
        bsi_platform_unmap(source->mapped, input->size_bytes);
        source->mapped = NULL;
    }
}

/* The next piece of a mapped file, of which `left` bytes are left. As bsi_source_read. */
static int bsi_source_lend(bsi_source *source, size_t capacity, uint64_t left,
                           bsi_source_piece *out_piece, bsi_bad *out_bad) {
    uint8_t *from = source->mapped + source->offset;
    out_piece->bytes = from;
    out_piece->count = (size_t)BSI_MIN((uint64_t)capacity, left);
    if (out_piece->count > 0) {
        bsi_platform_map_in(from, out_piece->count);
    }
    source->offset += out_piece->count;
    out_piece->ended = out_piece->count == left && source->failed.fault == BIOST_FAULT_NONE &&
                       bsi_source_check_end(source, &source->failed) == 0;
    if (source->failed.fault != BIOST_FAULT_NONE && out_piece->count == 0) {
        *out_bad = source->failed;
        return 0;
    }
    return 1;
}

/*
 * The next piece, at most `capacity` bytes: of a regular file fewer only at the end or in front of a
 * fault, of others what one call brings. A fault behind some bytes is told by the next call. Returns
 * 1, or 0 with *out_bad filled. May block in the system or the user's function.
 */
static int bsi_source_read(bsi_source *source, uint8_t *buffer, size_t capacity,
                           bsi_source_piece *out_piece, bsi_bad *out_bad) {
    const bsi_source_input *input = source->input;
    int64_t got = 1;
    if (input->memory != NULL) {
        out_piece->bytes = input->memory + source->offset;
        out_piece->count = (size_t)BSI_MIN((uint64_t)capacity, input->size_bytes - source->offset);
        source->offset += out_piece->count;
        out_piece->ended = source->offset == input->size_bytes;
        return 1;
    }
    if (source->mapped != NULL) {
        return bsi_source_lend(source, capacity, input->size_bytes - source->offset, out_piece,
                               out_bad);
    }
    out_piece->bytes = buffer;
    out_piece->count = 0;
    while (source->failed.fault == BIOST_FAULT_NONE && got > 0 && out_piece->count < capacity &&
           (out_piece->count == 0 || input->regular)) {
        got = bsi_source_next(source, buffer + out_piece->count, capacity - out_piece->count,
                              &source->failed);
        out_piece->count += got > 0 ? (size_t)got : 0;
    }
    out_piece->ended = got == 0;
    if (source->failed.fault != BIOST_FAULT_NONE && out_piece->count == 0) {
        *out_bad = source->failed;
        return 0;
    }
    return 1;
}

/* ==========================================================================
 * >>stream   source bytes -> pages of text
 *   uses: config bytes cpu crc inflate guess tokens texts history frame kernels platform memory fault
 *         sched source
 *   allocates: yes  threads: no   I/O: reads files
 *
 * Four tasks turn sources into pages of text. They run on the scheduler of whoever owns the pipe, a
 * loader or a stream of its own:
 *
 *     read      source -> chunk of source bytes             serial
 *     route     chunk -> pages, in the order of the text    serial
 *     inflate   BGZF blocks of a page -> its text           parallel
 *     ahead     chunk of plain gzip -> segment              parallel, several chunks in each
 *
 * Route knows where it stands in the source. Plain text and plain gzip members it turns into text
 * itself, byte after byte, since each depends on the one before. Of a long member the chunks behind are
 * decoded ahead meanwhile, from where a block may start: to tokens, for the history is not known yet, or,
 * where an earlier epoch has kept a point, to text. When route arrives at exactly such a start it takes
 * the segment instead of decoding, and goes on at its end; in all other cases it decodes. So it alone
 * judges, and a segment may end, or be wrong, anywhere. BGZF blocks carry their size and share nothing:
 * route only walks over their headers, gives each page the next blocks whose text fills it, and goes on;
 * the pages are inflated by whoever is free, and are handed out in order.
 *
 *     chunk:  free -> being filled -> filled -> routed, some pages or segments still need it -> free
 *     page:   FREE -> FILLING (by route) ------------> READY -> LENT to the owner -> FREE
 *                          `-> INFLATING (its task) ----^
 *     segment: FREE -> DECODING (ahead) -> READY -> taken or passed by route -> FREE
 *                                                   `-> LENT, its text in pages ----^
 *
 * How a page and a chunk lie in memory, each in a buffer of one size:
 *
 *     | room: 64 KiB (in memory 32)  | text                        | padding: 64 |
 *       ...............[ history ]     [ decoded now ...     ->
 *     | room: 64 KiB                 | source bytes                | padding: 64 |
 *       .......[ block cut off at the end of the chunk before ][ ... ->
 *
 * Plain text is not copied: a chunk full of it and an empty page change buffers. Of a mapped file the
 * pages lie side by side in the mapping, so that the cut-off start of a record stands in front of the
 * next page already; only the last bytes, which have no padding behind them, are copied. The mapping
 * goes when no page lies in it any more. A segment's text is lent to pages in the same way, if it is FASTQ:
 *
 *     | 256 bytes | history: 32 KiB | text of page, page, ...         | padding: 64 |
 *
 * While a plain member is decoded, the last 32 KiB of the text before it stand in the page's room: a
 * match may reach into them. When the page is full the lane saves its own last 32 KiB; from then on
 * nobody needs the page's room, and a scanner puts the cut-off start of a record there. A chunk's
 * room makes every BGZF block contiguous.
 * ========================================================================== */

#define BSI_STREAM_ROOM_BYTES 32768u
#define BSI_STREAM_CHUNK_ROOM (BSI_FRAME_PEEK_MOST + 245u) /* 65792: a multiple of 256, for cache lines */
#define BSI_STREAM_HEAD_BYTES BSI_FRAME_SNIFF_BYTES
#define BSI_STREAM_PAGE_BYTES BSI_KIB(128)
#define BSI_STREAM_CHUNK_BYTES BSI_KIB(128)
#define BSI_STREAM_MEMORY_CHUNK BSI_MIB(1) /* of an input in memory or mapped: nothing is copied */
#define BSI_STREAM_SERIAL_PAGES 5u
#define BSI_STREAM_NO_LANES UINT32_MAX
#define BSI_STREAM_AHEAD_LEAST BSI_MIB(1) /* shorter inputs are not decoded ahead */

/* Stages of the scheduler, below those of the owner. Read stands above route: it is short. */
enum {
    BSI_STREAM_AHEAD = 0,
    BSI_STREAM_ROUTE = 1,
    BSI_STREAM_READ = 2,
    BSI_STREAM_INFLATE = 3,
    BSI_STREAM_STAGES = 4
};

/* Sizes, and what is the same for all inputs. */
typedef struct bsi_stream_plan {
    uint32_t page_count, chunk_count, workers;
    uint32_t page_bytes;        /* text after which a page is cut where text comes serially */
    uint32_t page_capacity;     /* bytes of text a page has room for: a BGZF block for each lane, or one */
    uint32_t lanes_count;       /* sets of lanes: one for each worker */
    uint32_t chunk_bytes;
    uint32_t serial_pages;      /* most in flight where text comes serially: more only leave the cache */
    uint32_t buffer_count;      /* chunks that may be in flight at a time while none is decoded ahead */
    uint32_t segment_count;     /* chunks decoded ahead at a time; 0: never */
    uint32_t ahead_count;       /* tasks that decode ahead: one for each worker */
    uint64_t ahead_least;       /* bytes of source from which on an input is decoded ahead */
    uint64_t token_count;       /* most of a segment */
    uint64_t points_bytes;      /* of memory for points; 0: none are kept */
    int reads_files;            /* chunks have memory of their own */
    uint32_t cpu;               /* BIOST_CPU_* to be used */
    biost_gzip rules;
} bsi_stream_plan;

typedef enum bsi_stream_phase { /* what stands at the lane's place in the source */
    BSI_STREAM_PHASE_HEAD,      /* its first bytes, not looked at yet */
    BSI_STREAM_PHASE_TEXT,      /* plain text */
    BSI_STREAM_PHASE_BORDER,    /* the end of a gzip member, perhaps the start of another */
    BSI_STREAM_PHASE_MEMBER,    /* the inside of a member, or what follows the last one */
    BSI_STREAM_PHASE_ENDED
} bsi_stream_phase;

/* Where route stands in the input under way. */
typedef struct bsi_stream_lane {
    bsi_stream_phase phase;
    bsi_frame_kind kind;
    uint64_t text_bytes;        /* of plain text so far, from where it was entered */
    int is_fastq;               /* its text starts with '@': changed within its page, if at all */
    uint32_t history_bytes;
    uint8_t history[BSI_STREAM_ROOM_BYTES];
    bsi_bad bad;
    bsi_frame frame;            /* its counts include the blocks that were routed */
} bsi_stream_lane;

typedef struct bsi_stream_chunk {
    uint8_t *memory;            /* a buffer, behind its room; NULL: of inputs in memory, or not in flight */
    bsi_source_piece piece;     /* route takes from its front */
    bsi_guess_piece whole;      /* all of it, as it was read */
    uint64_t offset;            /* byte of the source it starts at */
    uint32_t path_index;
    int first_of_input;
    bsi_bad bad;                /* no bytes: the source failed */
    int32_t os_error;
    /* shared, under lock */
    int filled, routed;
    uint32_t outstanding;       /* pages that inflate from it, and 1 for a block cut off at its end */
} bsi_stream_chunk;

typedef enum bsi_stream_page_state {
    BSI_STREAM_PAGE_FREE = 0,
    BSI_STREAM_PAGE_FILLING,
    BSI_STREAM_PAGE_INFLATING,
    BSI_STREAM_PAGE_READY,
    BSI_STREAM_PAGE_LENT
} bsi_stream_page_state;

typedef enum bsi_stream_segment_state {
    BSI_STREAM_SEGMENT_FREE = 0,
    BSI_STREAM_SEGMENT_DECODING,
    BSI_STREAM_SEGMENT_READY,
    BSI_STREAM_SEGMENT_LENT     /* done with, but for pages that lie in it */
} bsi_stream_segment_state;

struct bsi_stream_segment;

struct bsi_stream_pipe;

typedef struct bsi_stream_task {
    bsi_sched_task task;              /* first: a task pointer is a pointer to this */
    struct bsi_stream_pipe *pipe;
} bsi_stream_task;

/* Text of a page, and what its reader needs to know of it. */
typedef struct bsi_stream_page {
    bsi_stream_task inflate;    /* first: a task pointer is a page pointer */
    uint8_t *memory;            /* a buffer, behind its room */
    uint8_t *text;              /* [text_bytes] */
    size_t text_bytes;
    uint64_t member_start;      /* byte of the text where the member under way at its end starts */
    uint64_t text_end;          /* byte of the text behind this page */
    uint64_t members_done, blocks_done; /* verified up to here */
    uint32_t path_index;
    uint32_t warnings;          /* of the input, complete at its end */
    int ends_input;             /* no text of this input follows */
    int ends_all;               /* nor of any other */
    bsi_bad bad;                /* a fault of source or gzip right behind this page's text */
    int32_t os_error;
    struct bsi_stream_segment *segment; /* the text lies in; NULL: in the page's own memory, or mapped */
    /* blocks to inflate */
    bsi_stream_chunk *chunk;    /* where they lie; NULL: route fills this page itself */
    const uint8_t *blocks;
    size_t block_bytes;
    uint32_t block_count;
    uint32_t lanes;             /* the set of lanes its task took, or NO_LANES */
    bsi_frame frame;
    /* shared, under lock */
    bsi_stream_page_state state;
} bsi_stream_page;

/*
 * A point: a border of blocks that an earlier pass over the input has met, with the bytes of the text before
 * it that matches behind it refer to. An input has at most one for the bytes of a chunk, the first there;
 * where memory ends, every second is given up, again and again. Input i has points
 * [first_point, first_point + point_count), in the order of their bits.
 */
typedef struct bsi_stream_point {
    uint64_t bit;               /* of the source */
    uint64_t packed_at;         /* byte of pipe.packed where its history is, */
    uint32_t packed_bytes;      /* as bsi_history_pack makes it */
    uint32_t history_bytes;
    uint32_t path;              /* of the input */
} bsi_stream_point;

/*
 * A segment: plain gzip from where a block may start in a chunk, or from a point there, to the first border
 * of blocks behind the chunk: as tokens, or of a point as text. It is what the text is if decoding in order
 * gets to the same start, with what the point has as history.
 */
typedef struct bsi_stream_segment {
    uint64_t *tokens;           /* [plan.token_count]; of a point its history and text instead */
    size_t token_count;
    uint8_t *text;              /* [text_bytes] behind the history; NULL: they are tokens */
    size_t text_bytes;
    int has_point;              /* it starts at one: */
    bsi_stream_point point;
    bsi_history_marks marks;    /* what its tokens refer to, */
    int is_marked;              /* if that is all that can be referred to */
    uint64_t start, end;        /* bits of the source; the same: nothing was decoded */
    uint64_t word;              /* the bits held at the end, */
    uint32_t bit_count;         /* and how many: below 8 */
    int is_last;                /* the DEFLATE stream ends there */
    int guessed;                /* a start was found */
    uint32_t distance_counts;   /* as in bsi_guess, of its blocks */
    uint64_t ticket;            /* of the chunk it starts in */
    /* shared, under lock */
    bsi_stream_segment_state state;
    uint32_t lent_count;        /* pages that lie in it */
} bsi_stream_segment;

#define BSI_STREAM_AHEAD_PIECES 8u      /* chunks a segment may reach over */
#define BSI_STREAM_AHEAD_STEPS 16384u   /* a task takes before it looks whether something else is ready */

/* A segment on its way through a lane. */
typedef struct bsi_stream_job {
    bsi_stream_segment *segment; /* NULL: the lanes of this number are idle */
    int is_new, has_ended;      /* not begun; its result is there */
    int marks;                  /* points are kept: what its tokens refer to is wanted */
    uint64_t offset;            /* byte of the source where its pieces start */
    uint32_t piece_count;
    bsi_guess_piece pieces[BSI_STREAM_AHEAD_PIECES];
} bsi_stream_job;

/* A task that decodes segments, several at a time; it comes again until all have ended. */
typedef struct bsi_stream_ahead {
    bsi_stream_task run;        /* first: a task pointer is a pointer to this */
    uint32_t home;              /* the thread that has its lanes in its cache; see bsi_sched_task */
    int is_ready;               /* kernels are chosen */
    bsi_guess guess;
    bsi_stream_job jobs[BSI_TOKENS_LANES]; /* in the lane of the same number, of one kind or the other */
    bsi_tokens_lanes lanes;
    bsi_texts_lanes texts;
} bsi_stream_ahead;

BSI_STATIC_ASSERT(BSI_TEXTS_LANES == BSI_TOKENS_LANES, a_job_has_a_lane_of_each_kind);

typedef struct bsi_stream_pipe {
    /* set at open */
    bsi_stream_plan plan;
    const biost_allocator *allocator; /* the owner's */
    bsi_sched *sched;
    void (*changed)(void *owner); /* under lock: one of the tasks here has finished */
    bsi_source_input *inputs;   /* [input_count] */
    uint32_t input_count;
    bsi_stream_chunk *chunks;   /* [chunk_count] */
    bsi_stream_page *pages;     /* [page_count] */
    bsi_crc_tables crc_tables;
    /* read */
    bsi_stream_task read;
    bsi_source source;
    uint32_t read_path;
    uint64_t read_offset;       /* where the first input is entered */
    uint64_t read_ticket;       /* number of the chunk it fills */
    uint32_t unmap_path;        /* inputs before it are not mapped */
    int unmap_next;             /* nor used any more is that one */
    int read_open, read_fresh, read_done; /* fresh: no chunk of the input under way was begun */
    int chunk_full;             /* the run just made filled it */
    uint64_t read_bytes;        /* by the run just made */
    /* route */
    bsi_stream_task route;
    bsi_stream_lane lane;
    uint64_t route_ticket;      /* number of the page it fills next */
    uint64_t chunk_ticket;      /* of the chunk it takes from */
    bsi_stream_page *filling;   /* NULL: none */
    uint8_t *out;               /* next byte of its text; NULL: not entered yet */
    bsi_stream_chunk *cut_chunk; /* ends in the start of a block; NULL: none */
    bsi_stream_chunk *joined_chunk; /* was that one until the run just made */
    int chunk_used, page_closed, route_done; /* what the run just made did */
    bsi_stream_segment *segment; /* of the chunk at hand, if decoding may still get to its start */
    const uint64_t *token;      /* the next one to replay; NULL: none is */
    const uint8_t *text;        /* the next of the segment's text to be taken; NULL: none is */
    int keeps_points;           /* of the input at hand points are kept, */
    uint64_t point_behind;      /* the next one behind this bit */
    bsi_stream_point new_point; /* by the run just made; its history stands behind packed_used */
    int has_new_point, points_full;
    int was_accepted;           /* the run just made began to replay the chunk's segment */
    bsi_tokens_kernels tokens;
    /* shared, under lock */
    uint32_t *queue;            /* [page_count] page of ticket t at [t mod page_count] */
    uint32_t *free_pages;       /* [page_count] a stack: the one used last is in the cache */
    uint32_t free_count;
    bsi_inflate_lanes *lanes;   /* [lanes_count] made ready when first used: 70 KiB each */
    uint32_t *free_lanes;       /* [lanes_count] a stack likewise */
    uint32_t free_lanes_count;
    uint8_t **free_buffers;     /* [chunk_count] a stack likewise, of memory for chunks */
    uint32_t free_buffers_count;
    uint32_t filled_count;      /* chunks in flight */
    /* decoding ahead: made when it is first wanted */
    void *ahead_memory;         /* NULL: there is none yet */
    int ahead_due;              /* the read task is to get it, */
    void *ahead_made;           /* and has got it, or NULL: no memory; then it is never due again */
    int ahead_refused;
    bsi_stream_ahead *aheads;   /* [plan.ahead_count] */
    bsi_stream_segment *segments; /* [plan.segment_count] */
    int wants_ahead;            /* route is in a plain member that is better decoded ahead */
    uint64_t ahead_ticket;      /* of the next chunk to be decoded ahead */
    uint32_t missed_count;      /* segments in vain, one after the other */
    uint32_t missed_pause;      /* chunks left out after some of them */
    uint32_t distance_counts;   /* as in bsi_guess, of segments accepted */
    bsi_stream_point *points;   /* [points_most] of all inputs, in the order in which they were kept */
    uint8_t *packed;            /* [packed_most] their histories, in the same order */
    uint32_t point_count, points_most;
    uint64_t packed_used, packed_most;
    uint64_t point_stride;      /* points are kept of chunks whose number it divides */
    uint32_t points_path;       /* the input whose points are the last */
    biost_ahead_counters counters;
    uint64_t take_ticket;       /* number of the page the owner takes next */
    int stopped;                /* a page turned out bad: nothing behind it is wanted */
    uint64_t source_bytes;      /* read */
} bsi_stream_pipe;

/* ---- plan and memory ------------------------------------------------------ */

/* Sizes from the desc's; zeros are defaults. */
static void bsi_stream_make_plan(bsi_stream_plan *plan, uint32_t workers, uint32_t page_bytes,
                                 uint32_t chunk_bytes, uint32_t page_count, uint32_t cpu_hidden,
                                 biost_ahead ahead) {
    memset(plan, 0, sizeof *plan);
    plan->cpu = bsi_cpu_features() & ~cpu_hidden;
    plan->workers = workers;
    plan->page_bytes = page_bytes > 0 ? page_bytes : (uint32_t)BSI_STREAM_PAGE_BYTES;
    plan->page_capacity = BSI_MAX(plan->page_bytes, BSI_FRAME_BLOCK_TEXT);
    if (page_bytes == 0) {
        plan->page_capacity = BSI_INFLATE_LANES * BSI_FRAME_BLOCK_TEXT;
    }
    plan->lanes_count = workers;
    plan->chunk_bytes = chunk_bytes > 0 ? chunk_bytes : (uint32_t)BSI_STREAM_CHUNK_BYTES;
    plan->page_count = page_count > 0 ? page_count
                       : workers > 1  ? workers + 4
                                      : 3;
    plan->buffer_count = plan->chunk_count = workers > 1 ? 3 + workers / 2 : 2;
    plan->serial_pages = BSI_STREAM_SERIAL_PAGES;
    if (ahead == BIOST_AHEAD_ALWAYS || (ahead == BIOST_AHEAD_AUTO && workers > 1)) {
        plan->ahead_count = workers;
        plan->segment_count = BSI_TOKENS_LANES * (workers + 1);
        plan->chunk_count = plan->segment_count + 3;
        plan->token_count = BSI_MAX(plan->chunk_bytes, BSI_TOKENS_LEAST_CAPACITY);
        plan->ahead_least = ahead == BIOST_AHEAD_ALWAYS ? 0 : BSI_STREAM_AHEAD_LEAST;
    }
}

/* What decoding ahead takes beside: a block of its own, made when it is first wanted. */
typedef struct bsi_stream_ahead_arrays {
    bsi_stream_ahead *aheads;
    bsi_stream_segment *segments;
    uint64_t *tokens;
    bsi_stream_point *points;
    uint8_t *packed;
    uint8_t *chunk_memory;
} bsi_stream_ahead_arrays;

/* A history of common text takes about 10 KiB: so many points there may be for the memory there is. */
#define BSI_STREAM_POINT_BYTES 4096u

/* Where the arrays of a pipe lie. */
typedef struct bsi_stream_arrays {
    bsi_stream_chunk *chunks;
    bsi_stream_page *pages;
    uint8_t *chunk_memory, *page_memory;
    uint8_t **free_buffers;
    uint32_t *queue, *free_pages, *free_lanes;
    bsi_inflate_lanes *lanes;
} bsi_stream_arrays;

BSI_STATIC_ASSERT(BSI_STREAM_CHUNK_ROOM >= BSI_STREAM_ROOM_BYTES && BSI_STREAM_CHUNK_ROOM % 256 == 0,
                  a_chunk_may_become_a_page);

/* In front of a buffer: history or the start of a record, and of chunks the start of a block. */
static size_t bsi_stream_room(const bsi_stream_plan *plan) {
    return plan->reads_files ? BSI_STREAM_CHUNK_ROOM : BSI_STREAM_ROOM_BYTES;
}

/* A buffer, its room and padding included. */
static uint64_t bsi_stream_buffer_bytes(const bsi_stream_plan *plan) {
    uint64_t bytes = plan->page_capacity;
    if (plan->reads_files) {
        bytes = BSI_MAX(bytes, plan->chunk_bytes);
    }
    return bsi_bytes_round_up(bsi_stream_room(plan) + bytes + BSI_PADDING_BYTES, BSI_MEMORY_ALIGN);
}

static void bsi_stream_place(const bsi_stream_plan *plan, bsi_memory_layout *layout,
                             bsi_stream_arrays *blocks) {
    uint64_t buffer = bsi_stream_buffer_bytes(plan);
    blocks->chunks = (bsi_stream_chunk *)bsi_memory_reserve(layout, plan->chunk_count,
                                                            sizeof(bsi_stream_chunk));
    blocks->pages = (bsi_stream_page *)bsi_memory_reserve(layout, plan->page_count,
                                                          sizeof(bsi_stream_page));
    blocks->queue = (uint32_t *)bsi_memory_reserve(layout, plan->page_count, sizeof(uint32_t));
    blocks->free_pages = (uint32_t *)bsi_memory_reserve(layout, plan->page_count, sizeof(uint32_t));
    blocks->free_lanes = (uint32_t *)bsi_memory_reserve(layout, plan->lanes_count, sizeof(uint32_t));
    blocks->lanes = (bsi_inflate_lanes *)bsi_memory_reserve(layout, plan->lanes_count,
                                                            sizeof(bsi_inflate_lanes));
    blocks->free_buffers = (uint8_t **)bsi_memory_reserve(layout, plan->chunk_count, sizeof(uint8_t *));
    blocks->chunk_memory = (uint8_t *)bsi_memory_reserve(layout, plan->buffer_count,
                                                         plan->reads_files ? buffer : 0);
    blocks->page_memory = (uint8_t *)bsi_memory_reserve(layout, plan->page_count, buffer);
}

static void bsi_stream_place_ahead(const bsi_stream_plan *plan, bsi_memory_layout *layout,
                                   bsi_stream_ahead_arrays *blocks) {
    uint64_t buffer = plan->reads_files ? bsi_stream_buffer_bytes(plan) : 0;
    uint64_t buffers = plan->chunk_count - plan->buffer_count;
    blocks->aheads = (bsi_stream_ahead *)bsi_memory_reserve(layout, plan->ahead_count,
                                                            sizeof(bsi_stream_ahead));
    blocks->segments = (bsi_stream_segment *)bsi_memory_reserve(layout, plan->segment_count,
                                                                sizeof(bsi_stream_segment));
    blocks->tokens = (uint64_t *)bsi_memory_reserve(layout, plan->segment_count,
                                                    plan->token_count * sizeof(uint64_t));
    blocks->points = (bsi_stream_point *)bsi_memory_reserve(
        layout, plan->points_bytes / BSI_STREAM_POINT_BYTES, sizeof(bsi_stream_point));
    blocks->packed = (uint8_t *)bsi_memory_reserve(layout, plan->points_bytes, 1);
    blocks->chunk_memory = (uint8_t *)bsi_memory_reserve(layout, buffers, buffer);
}

/* Bytes of that block; 0: nothing is decoded ahead. */
static uint64_t bsi_stream_ahead_bytes(const bsi_stream_plan *plan) {
    bsi_memory_layout layout = {NULL, 0};
    bsi_stream_ahead_arrays blocks;
    if (plan->ahead_count == 0) {
        return 0;
    }
    bsi_stream_place_ahead(plan, &layout, &blocks);
    return layout.bytes;
}

/* ---- read ----------------------------------------------------------------- */

BSI_INLINE bsi_stream_chunk *bsi_stream_chunk_at(bsi_stream_pipe *pipe, uint64_t ticket) {
    return &pipe->chunks[ticket % pipe->plan.chunk_count];
}

/*
 * A chunk of a sequential source is gathered from several reads, so that a source of tiny pieces
 * costs little; a task run makes one, so that a stop need not wait for more.
 */
static int bsi_stream_has_enough(const bsi_stream_pipe *pipe, const bsi_stream_chunk *chunk) {
    return chunk->piece.ended || chunk->bad.fault != BIOST_FAULT_NONE ||
           pipe->source.input->regular || chunk->piece.count >= (pipe->plan.chunk_bytes + 3) / 4;
}

/* Open the input under way for a new chunk, where that is needed. */
static void bsi_stream_read_begin(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    bsi_source_input *input = &pipe->inputs[pipe->read_path];
    memset(&chunk->bad, 0, sizeof chunk->bad);
    memset(&chunk->piece, 0, sizeof chunk->piece);
    chunk->piece.bytes = chunk->memory;
    chunk->whole.count = 0;
    chunk->os_error = 0;
    chunk->path_index = pipe->read_path;
    chunk->first_of_input = pipe->read_fresh;
    pipe->read_fresh = 0;
    if (!pipe->read_open) {
        pipe->read_open = 1;
        (void)bsi_source_reopen(&pipe->source, input, pipe->read_offset, &chunk->bad);
        pipe->read_offset = 0;
    }
    if (chunk->first_of_input && chunk->bad.fault == BIOST_FAULT_NONE) {
        bsi_source_map(&pipe->source);
        input->mapped = pipe->source.mapped;
    }
    chunk->offset = pipe->source.offset;
}

/* Unmap the first input that may be mapped: no page or chunk lies in it. */
static void bsi_stream_unmap(bsi_stream_pipe *pipe) {
    bsi_source_input *input = &pipe->inputs[pipe->unmap_path];
    if (input->mapped != NULL) {
        bsi_platform_unmap(input->mapped, input->size_bytes);
        input->mapped = NULL;
    }
    ++pipe->unmap_path;
}

/* work: read one piece of the input under way into a chunk. */
static void bsi_stream_read(void *owner, bsi_sched_task *task) {
    bsi_stream_pipe *pipe = ((bsi_stream_task *)task)->pipe;
    bsi_stream_chunk *chunk = bsi_stream_chunk_at(pipe, pipe->read_ticket);
    size_t have, capacity;
    uint8_t *to;
    bsi_source_piece piece = {NULL, 0, 0};
    (void)owner;
    if (pipe->unmap_next) {
        bsi_stream_unmap(pipe);
        pipe->unmap_next = 0;
    }
    if (pipe->ahead_due) {
        pipe->ahead_made = bsi_memory_alloc(pipe->allocator, bsi_stream_ahead_bytes(&pipe->plan));
        if (pipe->ahead_made == NULL && pipe->plan.points_bytes > 0) {
            pipe->plan.points_bytes = 0; /* nobody looks at it before there is that memory */
            pipe->ahead_made = bsi_memory_alloc(pipe->allocator, bsi_stream_ahead_bytes(&pipe->plan));
        }
    }
    if (pipe->chunk_full) {
        bsi_stream_read_begin(pipe, chunk);
    }
    have = chunk->piece.count;
    capacity = pipe->source.mapped != NULL ||
                       (pipe->source.input->memory != NULL && pipe->plan.ahead_count == 0)
                   ? BSI_STREAM_MEMORY_CHUNK
                   : pipe->plan.chunk_bytes - have;
    to = have > 0 ? chunk->memory + have : chunk->memory;
    if (chunk->bad.fault == BIOST_FAULT_NONE &&
        bsi_source_read(&pipe->source, to, capacity, &piece, &chunk->bad)) {
        chunk->piece.bytes = have > 0 ? chunk->piece.bytes : piece.bytes;
        chunk->piece.count += piece.count;
        chunk->piece.ended = piece.ended;
        chunk->whole.bytes = chunk->piece.bytes;
        chunk->whole.count = chunk->piece.count;
    }
    pipe->read_bytes = piece.count;
    if (chunk->bad.fault != BIOST_FAULT_NONE && have > 0) {
        memset(&chunk->bad, 0, sizeof chunk->bad); /* the source tells it again, behind these bytes */
        pipe->chunk_full = 1;
        return;
    }
    chunk->os_error = chunk->bad.fault != BIOST_FAULT_NONE ? pipe->source.os_error : 0;
    pipe->chunk_full = bsi_stream_has_enough(pipe, chunk);
    if (chunk->bad.fault != BIOST_FAULT_NONE || chunk->piece.ended) {
        bsi_source_close(&pipe->source);
        pipe->read_open = 0;
        pipe->read_fresh = 1;
        ++pipe->read_path;
        pipe->read_done = chunk->bad.fault != BIOST_FAULT_NONE ||
                          pipe->read_path == pipe->input_count;
    }
}

/* ---- route ---------------------------------------------------------------- */

/* A frame for the next source bytes: by the pipe's rules, with its kernels. */
static void bsi_stream_begin_frame(const bsi_stream_pipe *pipe, bsi_frame *frame) {
    bsi_frame_begin(frame, &pipe->crc_tables);
    bsi_kernels_inflate(&frame->inflate, pipe->plan.cpu);
    frame->rules = pipe->plan.rules;
}

static void bsi_stream_lane_begin(bsi_stream_pipe *pipe) {
    bsi_stream_lane *lane = &pipe->lane;
    lane->phase = BSI_STREAM_PHASE_HEAD;
    lane->kind = BSI_FRAME_KIND_EMPTY;
    lane->text_bytes = 0;
    lane->is_fastq = 0;
    lane->history_bytes = 0;
    memset(&lane->bad, 0, sizeof lane->bad);
    bsi_stream_begin_frame(pipe, &lane->frame);
}

/* The first serial text of a page: what the lane may still need of the text before goes in front. */
static void bsi_stream_enter_page(bsi_stream_pipe *pipe) {
    const bsi_stream_lane *lane = &pipe->lane;
    if (pipe->out == NULL) {
        pipe->out = pipe->filling->text;
        memcpy(pipe->out - lane->history_bytes, lane->history, lane->history_bytes);
    }
}

/* Save what the lane may still need before the page is handed on: the end of what it had and of the page. */
static void bsi_stream_save_history(bsi_stream_lane *lane, const uint8_t *out, size_t text_bytes) {
    size_t taken = BSI_MIN(text_bytes, (size_t)BSI_STREAM_ROOM_BYTES);
    size_t kept = BSI_MIN((size_t)lane->history_bytes, BSI_STREAM_ROOM_BYTES - taken);
    if (lane->kind == BSI_FRAME_KIND_GZIP) {
        memmove(lane->history, lane->history + (lane->history_bytes - kept), kept);
        memcpy(lane->history + kept, out - taken, taken);
        lane->history_bytes = (uint32_t)(kept + taken);
    }
}

/* The page at hand is done, its text complete; `ends_input`: with it the input is. */
static void bsi_stream_close_page(bsi_stream_pipe *pipe, int ends_input, const bsi_bad *bad) {
    bsi_stream_lane *lane = &pipe->lane;
    bsi_stream_page *page = pipe->filling;
    int is_gzip = lane->kind == BSI_FRAME_KIND_GZIP;
    page->text_bytes = pipe->out == NULL ? 0 : (size_t)(pipe->out - page->text);
    if (page->text == page->memory) {
        memset(page->text + page->text_bytes, 0, BSI_PADDING_BYTES);
    }
    page->member_start = is_gzip ? lane->frame.member_offset : 0;
    page->text_end = is_gzip ? lane->frame.text_offset : lane->text_bytes;
    page->members_done = lane->frame.members_done;
    page->blocks_done = lane->frame.blocks_done;
    page->warnings = lane->frame.warnings;
    page->ends_input = ends_input;
    if (bad != NULL) {
        page->bad = *bad;
    }
    page->ends_all = ends_input && (bad != NULL || page->path_index + 1 == pipe->input_count);
    if (is_gzip && page->text_end == page->text_bytes && page->text_bytes > 0) {
        lane->is_fastq = page->text[0] == '@';
    }
    if (pipe->out != NULL) {
        bsi_stream_save_history(lane, pipe->out, page->text_bytes);
    }
    if (ends_input) {
        lane->phase = BSI_STREAM_PHASE_ENDED;
    }
    pipe->page_closed = 1;
}

/* The input is not what it should be, or not what is wanted. */
static void bsi_stream_refuse(bsi_stream_pipe *pipe, biost_fault fault, const char *detail,
                              uint64_t source_offset, uint8_t byte) {
    bsi_bad *bad = &pipe->lane.bad;
    bad->fault = fault;
    bad->detail = detail;
    bad->source_offset = source_offset;
    bad->byte = byte;
    bsi_stream_close_page(pipe, 1, bad);
}

/* The chunk is used up but for the bytes in its piece, which the next one must have in front. */
static void bsi_stream_leave_chunk(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    pipe->chunk_used = 1;
    pipe->cut_chunk = chunk->piece.count > 0 ? chunk : NULL;
}

/* Put what the chunk before left over in front of this one. In memory it is there already. */
static void bsi_stream_join(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    const bsi_source_piece *left = &pipe->cut_chunk->piece;
    const bsi_source_input *input = &pipe->inputs[chunk->path_index];
    if (input->memory != NULL || input->mapped != NULL) {
        chunk->piece.bytes -= left->count;
    } else {
        uint8_t *front = chunk->memory - left->count;
        memcpy(front, left->bytes, left->count);
        chunk->piece.bytes = front;
    }
    chunk->piece.count += left->count;
}

/* HEAD: what is it? Waits for enough bytes to tell. */
static void bsi_stream_sniff(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    bsi_stream_lane *lane = &pipe->lane;
    const bsi_source_piece *piece = &chunk->piece;
    size_t head = BSI_MIN(piece->count, (size_t)BSI_STREAM_HEAD_BYTES);
    const char *codec = NULL;
    if (head < BSI_STREAM_HEAD_BYTES && !piece->ended) {
        bsi_stream_leave_chunk(pipe, chunk);
        return;
    }
    lane->kind = bsi_frame_sniff(piece->bytes, head, &codec);
    pipe->inputs[chunk->path_index].is_gzip = lane->kind == BSI_FRAME_KIND_GZIP;
    lane->phase = lane->kind == BSI_FRAME_KIND_GZIP ? BSI_STREAM_PHASE_BORDER
                                                    : BSI_STREAM_PHASE_TEXT;
    if (lane->kind == BSI_FRAME_KIND_CODEC) {
        bsi_stream_refuse(pipe, BIOST_FAULT_CODEC, codec, 0, 0);
    } else if (lane->kind == BSI_FRAME_KIND_NOT_TEXT ||
               (lane->kind == BSI_FRAME_KIND_TEXT && pipe->plan.rules.require)) {
        bsi_stream_refuse(pipe, BIOST_FAULT_NOT_GZIP,
                          lane->kind == BSI_FRAME_KIND_TEXT
                              ? "plain text, and desc.gzip.require asks for gzip"
                              : "neither gzip nor text",
                          0, piece->bytes[0]);
    } else if (lane->kind == BSI_FRAME_KIND_TRUNCATED) {
        bsi_stream_refuse(pipe, BIOST_FAULT_TRUNCATED,
                          "the file ends inside a gzip member: its header is cut off", 1, 0);
    }
}

/*
 * TEXT: give an empty page the buffer of a chunk that nothing was taken from, and close it. Small
 * pieces are better gathered. 0: not so.
 */
static int bsi_stream_swap_text(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    bsi_source_piece *piece = &chunk->piece;
    bsi_stream_page *page = pipe->filling;
    uint8_t *memory = chunk->memory;
    if (pipe->out != NULL || memory == NULL || piece->bytes != memory || piece->count == 0 ||
        piece->count > pipe->plan.page_bytes ||
        (piece->count < pipe->plan.page_bytes / 4 && !piece->ended)) {
        return 0;
    }
    chunk->memory = page->memory;
    page->memory = memory;
    page->text = memory;
    pipe->out = memory + piece->count;
    pipe->lane.text_bytes += piece->count;
    piece->count = 0;
    bsi_stream_close_page(pipe, piece->ended, NULL);
    if (!piece->ended) {
        bsi_stream_leave_chunk(pipe, chunk);
    }
    return 1;
}

/* TEXT: lend an empty page bytes of a mapped file, and close it. 0: not mapped, or at its very end. */
static int bsi_stream_lend_text(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    bsi_source_piece *piece = &chunk->piece;
    const bsi_source_input *input = &pipe->inputs[chunk->path_index];
    size_t count = BSI_MIN(piece->count, (size_t)pipe->plan.page_bytes), start;
    if (input->mapped == NULL || pipe->out != NULL || count == 0) {
        return 0;
    }
    start = (size_t)(piece->bytes - input->mapped);
    if (input->size_bytes - start - count < BSI_PADDING_BYTES) {
        return 0;
    }
    pipe->filling->text = input->mapped + start;
    pipe->out = pipe->filling->text + count;
    pipe->lane.text_bytes += count;
    piece->bytes += count;
    piece->count -= count;
    bsi_stream_close_page(pipe, 0, NULL);
    if (piece->count == 0) {
        bsi_stream_leave_chunk(pipe, chunk);
    }
    return 1;
}

/* TEXT: hand it on, where it lies, by change of buffers or as a copy. */
static void bsi_stream_copy_text(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    bsi_source_piece *piece = &chunk->piece;
    size_t space, count;
    if (bsi_stream_lend_text(pipe, chunk) || bsi_stream_swap_text(pipe, chunk)) {
        return;
    }
    bsi_stream_enter_page(pipe);
    space = pipe->plan.page_bytes - (size_t)(pipe->out - pipe->filling->text);
    count = BSI_MIN(piece->count, space);
    if (count > 0) {
        memcpy(pipe->out, piece->bytes, count);
        piece->bytes += count;
        piece->count -= count;
        pipe->out += count;
        pipe->lane.text_bytes += count;
    }
    if (piece->count == 0 && piece->ended) {
        bsi_stream_close_page(pipe, 1, NULL);
    } else if (piece->count == 0) {
        bsi_stream_leave_chunk(pipe, chunk);
    } else {
        bsi_stream_close_page(pipe, 0, NULL);
    }
}

/* Whether decoding in order stands between two blocks. */
static int bsi_stream_is_between(const bsi_stream_lane *lane) {
    return lane->phase == BSI_STREAM_PHASE_MEMBER && lane->frame.state == BSI_FRAME_STATE_TEXT &&
           lane->frame.inflate.state == BSI_INFLATE_STATE_HEAD;
}

/* A segment was replayed to its end: take the bytes of this chunk that it has decoded. */
static void bsi_stream_skip(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    bsi_source_piece *piece = &chunk->piece;
    uint64_t here = chunk->offset + chunk->whole.count - piece->count;
    uint64_t there = pipe->lane.frame.source_offset;
    if (pipe->lane.phase == BSI_STREAM_PHASE_MEMBER && there > here) {
        size_t count = (size_t)BSI_MIN(there - here, (uint64_t)piece->count);
        piece->bytes += count;
        piece->count -= count;
    }
}

/* The bit of the source in front of decoding in order. */
BSI_INLINE uint64_t bsi_stream_bit(const bsi_stream_lane *lane) {
    return 8 * lane->frame.source_offset - lane->frame.inflate.bit_count;
}

/* Is the history before decoding in order such that the segment is what follows? Then the text is its. */
static int bsi_stream_is_right(const bsi_stream_pipe *pipe, const bsi_stream_segment *segment) {
    const bsi_stream_point *point = &segment->point;
    uint32_t history_bytes = pipe->lane.frame.inflate.history_bytes;
    if (segment->text == NULL) {
        return bsi_tokens_reach(segment->tokens, segment->tokens + segment->token_count, history_bytes);
    }
    return bsi_history_matches(pipe->packed + point->packed_at, point->packed_bytes, pipe->out,
                               history_bytes);
}

/*
 * Keep a point here, if the bytes of this chunk have none: at a border, with the history in front of the next
 * byte of text. How much of it is wanted the segment says, if it starts here.
 */
static void bsi_stream_keep_point(bsi_stream_pipe *pipe) {
    uint64_t here = bsi_stream_bit(&pipe->lane), chunk_bits = 8 * (uint64_t)pipe->plan.chunk_bytes;
    const bsi_stream_segment *segment = pipe->segment;
    bsi_stream_point *point = &pipe->new_point;
    bsi_history_marks marks;
    if (!pipe->keeps_points || pipe->has_new_point || here / chunk_bits <= pipe->point_behind / chunk_bits ||
        here / chunk_bits % pipe->point_stride != 0) {
        return;
    }
    if (pipe->point_count == pipe->points_most ||
        pipe->packed_most - pipe->packed_used < BSI_HISTORY_PACKED_MOST) {
        pipe->points_full = 1;
        return;
    }
    if (segment == NULL || segment->start != here || !segment->is_marked) {
        bsi_history_mark_all(&marks);
        segment = NULL;
    }
    point->bit = here;
    point->path = pipe->filling->path_index;
    point->history_bytes = pipe->lane.frame.inflate.history_bytes;
    point->packed_at = pipe->packed_used;
    point->packed_bytes = bsi_history_pack(segment != NULL ? &segment->marks : &marks, pipe->out,
                                           point->history_bytes, pipe->packed + pipe->packed_used);
    pipe->has_new_point = 1;
}

/* Decoding in order stands between two blocks. Does the chunk's segment start here? Then it is taken. */
static void bsi_stream_meet(bsi_stream_pipe *pipe) {
    const bsi_stream_segment *segment = pipe->segment;
    uint64_t here = bsi_stream_bit(&pipe->lane);
    bsi_stream_keep_point(pipe);
    if (segment != NULL && here > segment->start) {
        pipe->segment = NULL;
    } else if (segment != NULL && here == segment->start && bsi_stream_is_right(pipe, segment)) {
        pipe->token = segment->text == NULL ? segment->tokens : NULL;
        pipe->text = segment->text;
        pipe->was_accepted = 1;
    }
}

/* The segment is the text, to its end: the decoder stands there. */
static void bsi_stream_leave_segment(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    bsi_frame *frame = &pipe->lane.frame;
    const bsi_stream_segment *segment = pipe->segment;
    frame->source_offset = (segment->end + 7) / 8;
    frame->inflate.word = segment->word;
    frame->inflate.bit_count = segment->bit_count;
    frame->inflate.is_last = segment->is_last;
    frame->inflate.at_border = 0;
    pipe->token = NULL;
    pipe->text = NULL;
    pipe->segment = NULL;
    bsi_stream_skip(pipe, chunk);
}

/* Text that did not come from the decoder stands in front of pipe->out. */
static void bsi_stream_add_text(bsi_stream_pipe *pipe, size_t text_bytes) {
    bsi_inflate *inflate = &pipe->lane.frame.inflate;
    uint64_t history = (uint64_t)inflate->history_bytes + text_bytes;
    bsi_frame_add_text(&pipe->lane.frame, pipe->out - text_bytes, text_bytes);
    inflate->history_bytes = (uint32_t)BSI_MIN(history, (uint64_t)BSI_INFLATE_HISTORY_BYTES);
}

/* MEMBER: replay the segment's tokens until the page is full or there are no more. */
static void bsi_stream_replay(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    const uint64_t *end = pipe->segment->tokens + pipe->segment->token_count;
    const uint8_t *text = pipe->out;
    uint32_t most = BSI_MIN(pipe->plan.page_bytes, pipe->plan.page_capacity - BSI_TOKENS_BEHIND_BYTES);
    const uint8_t *limit = pipe->filling->text + most;
    pipe->token = bsi_tokens_replay(&pipe->tokens, pipe->token, end, &pipe->out, limit);
    bsi_stream_add_text(pipe, (size_t)(pipe->out - text));
    if (pipe->token == end) {
        bsi_stream_leave_segment(pipe, chunk);
    }
    if (pipe->out >= limit) {
        bsi_stream_close_page(pipe, 0, NULL);
    }
}

/*
 * MEMBER: take the segment's text. Of FASTQ an empty page is lent the text where it lies, and closed; so is
 * one that is not empty, to begin with. Of others it is copied, since lines of FASTA are joined.
 */
static void bsi_stream_take_text(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    bsi_stream_page *page = pipe->filling;
    bsi_stream_segment *segment = pipe->segment;
    size_t left = (size_t)(segment->text + segment->text_bytes - pipe->text), count;
    int lends = pipe->lane.is_fastq && left > 0, is_empty = pipe->out == NULL || pipe->out == page->text;
    count = BSI_MIN(left, pipe->plan.page_bytes);
    if (lends && is_empty) {
        page->segment = segment;
        page->text = segment->text + segment->text_bytes - left;
        pipe->out = page->text + count;
    } else if (lends) {
        bsi_stream_close_page(pipe, 0, NULL);
        return;
    } else {
        bsi_stream_enter_page(pipe);
        count = BSI_MIN(count, pipe->plan.page_bytes - (size_t)(pipe->out - page->text));
        memcpy(pipe->out, pipe->text, count);
        pipe->out += count;
    }
    pipe->text += count;
    bsi_stream_add_text(pipe, count);
    if (count == left) {
        bsi_stream_leave_segment(pipe, chunk);
    }
    if (lends || pipe->out == page->text + pipe->plan.page_bytes) {
        bsi_stream_close_page(pipe, 0, NULL);
    }
}

/* MEMBER: decode on. */
static void bsi_stream_decode(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    bsi_stream_lane *lane = &pipe->lane;
    bsi_source_piece *piece = &chunk->piece;
    const uint8_t *in = piece->bytes, *in_end = piece->bytes + piece->count;
    bsi_frame_status status;
    if (pipe->text != NULL) {
        bsi_stream_take_text(pipe, chunk);
        return;
    }
    if (pipe->token == NULL && piece->count == 0 && !piece->ended && bsi_stream_is_between(lane)) {
        lane->frame.inflate.at_border = 0; /* the next chunk may have a segment that starts here */
        bsi_stream_leave_chunk(pipe, chunk);
        return;
    }
    bsi_stream_enter_page(pipe);
    if (pipe->token != NULL) {
        bsi_stream_replay(pipe, chunk);
        return;
    }
    lane->frame.inflate.stops = /* a member with a BSIZE ends there, whatever a segment says */
        lane->frame.block_end == 0 && (pipe->segment != NULL || pipe->keeps_points);
    status = bsi_frame_member(&lane->frame, &in, in_end, piece->ended, &pipe->out,
                              pipe->filling->text + pipe->plan.page_bytes);
    piece->bytes = in;
    piece->count = (size_t)(in_end - in);
    switch (status) {
        case BSI_FRAME_MEMBER: lane->phase = BSI_STREAM_PHASE_BORDER; break;
        case BSI_FRAME_BORDER: bsi_stream_meet(pipe); break;
        case BSI_FRAME_NEED_INPUT: bsi_stream_leave_chunk(pipe, chunk); break;
        case BSI_FRAME_NEED_OUTPUT: bsi_stream_close_page(pipe, 0, NULL); break;
        case BSI_FRAME_END: bsi_stream_close_page(pipe, 1, NULL); break;
        default: bsi_stream_close_page(pipe, 1, &lane->frame.bad); break;
    }
}

/*
 * Blocks from the front of the piece that fit the page, as many as lie in it whole; `first_bytes`
 * and `first_text` are of the first: it fits, or claims more
 * than blocks may have and is bad. The lane goes on behind them, as if they were good:
 * should one be bad, nothing behind it is used.
 */
static void bsi_stream_give_blocks(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk,
                                   uint32_t first_bytes, uint32_t first_text) {
    bsi_frame *frame = &pipe->lane.frame;
    bsi_stream_page *page = pipe->filling;
    bsi_source_piece *piece = &chunk->piece;
    uint32_t bytes = first_bytes, text = first_text;
    page->chunk = chunk;
    page->blocks = piece->bytes;
    page->block_bytes = 0;
    page->block_count = 0;
    page->os_error = 0; /* a fault of the source comes behind them */
    bsi_stream_begin_frame(pipe, &page->frame);
    page->frame.source_offset = frame->source_offset;
    page->frame.text_offset = page->frame.member_offset = frame->text_offset;
    page->frame.members_done = frame->members_done;
    page->frame.blocks_done = frame->blocks_done;
    do {
        size_t count = BSI_MIN(piece->count, (size_t)bytes); /* fewer: the source ends inside */
        piece->bytes += count;
        piece->count -= count;
        page->block_bytes += count;
        ++page->block_count;
        frame->source_offset += count;
        frame->text_offset += text;
        frame->member_offset = frame->text_offset;
        ++frame->members_done;
        ++frame->blocks_done;
        frame->eof_block_missing = text > 0;
    } while (bytes >= BSI_FRAME_BLOCK_LEAST && text <= BSI_FRAME_BLOCK_TEXT && /* else it is bad */
             bsi_frame_peek(piece->bytes, piece->count, &bytes) == BSI_FRAME_PEEK_BLOCK &&
             piece->count >= bytes &&
             (text = bsi_frame_block_text(piece->bytes, bytes)) <= BSI_FRAME_BLOCK_TEXT &&
             text <= pipe->plan.page_capacity - (frame->text_offset - page->frame.text_offset));
    pipe->page_closed = 1;
}

/*
 * Are there fewer blocks than lanes in the piece, where the next chunk brings more? Then they wait for
 * those, unless somebody sends the bytes who may be waiting for what these say.
 */
static int bsi_stream_is_short_row(const bsi_stream_pipe *pipe, const bsi_stream_chunk *chunk) {
    const bsi_source_input *input = &pipe->inputs[chunk->path_index];
    const bsi_source_piece *piece = &chunk->piece;
    const uint8_t *at = piece->bytes, *end = at + piece->count;
    size_t most = BSI_MIN(pipe->plan.chunk_bytes / 2, 2 * BSI_STREAM_ROOM_BYTES);
    uint64_t text_bytes = 0;
    uint32_t bytes = 0, text, count;
    if (piece->ended || piece->count > most || (!input->regular && input->memory == NULL) ||
        chunk->bad.fault != BIOST_FAULT_NONE) {
        return 0;
    }
    for (count = 0; count < BSI_INFLATE_LANES; ++count) {
        bsi_frame_peeked peeked = bsi_frame_peek(at, (size_t)(end - at), &bytes);
        if (peeked != BSI_FRAME_PEEK_BLOCK || bytes > (size_t)(end - at)) {
            return peeked != BSI_FRAME_PEEK_PLAIN;
        }
        text = bsi_frame_block_text(at, bytes);
        text_bytes += text;
        if (bytes < BSI_FRAME_BLOCK_LEAST || text > BSI_FRAME_BLOCK_TEXT ||
            text_bytes > pipe->plan.page_capacity) {
            return 0; /* bad, or as much as a page holds */
        }
        at += bytes;
    }
    return 0;
}

/*
 * Whether a block that claims more text than blocks may have really has it: then it is a member that
 * happens to carry a BC. Else it is a damaged block, and nothing of it may come out.
 */
BSI_COLD static int bsi_stream_is_oversize(bsi_stream_pipe *pipe, const uint8_t *block,
                                           uint32_t block_bytes) {
    bsi_stream_page *page = pipe->filling;
    const uint8_t *in = block;
    uint8_t *out = page->text;
    bsi_stream_begin_frame(pipe, &page->frame);
    page->frame.block_end = block_bytes;
    return bsi_frame_member(&page->frame, &in, block + block_bytes, 0, &out,
                            page->text + BSI_FRAME_BLOCK_TEXT) == BSI_FRAME_NEED_OUTPUT;
}

/*
 * BORDER: what follows the member? A block that lies here whole, or is cut off by the end of the
 * source, is given to a page; one cut off by the end of the chunk waits for the next; one with more
 * text than blocks may have is read as the plain member it also is.
 */
static void bsi_stream_look(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    bsi_stream_lane *lane = &pipe->lane;
    const bsi_source_piece *piece = &chunk->piece;
    uint32_t bytes = 0, text = 0;
    bsi_frame_peeked peeked = BSI_FRAME_PEEK_PLAIN;
    if (!pipe->plan.rules.ignore_bc) {
        peeked = bsi_frame_peek(piece->bytes, piece->count, &bytes);
    }
    if (!piece->ended &&
        (peeked == BSI_FRAME_PEEK_MORE || (peeked == BSI_FRAME_PEEK_BLOCK && piece->count < bytes) ||
         (peeked == BSI_FRAME_PEEK_BLOCK && bsi_stream_is_short_row(pipe, chunk)))) {
        bsi_stream_leave_chunk(pipe, chunk);
        return;
    }
    if (peeked == BSI_FRAME_PEEK_MORE) {
        peeked = BSI_FRAME_PEEK_PLAIN; /* the source ends: whatever it is, it is no block */
    }
    if (peeked == BSI_FRAME_PEEK_BLOCK && piece->count >= bytes) {
        text = bsi_frame_block_text(piece->bytes, bytes);
    }
    if (peeked == BSI_FRAME_PEEK_PLAIN) {
        lane->phase = BSI_STREAM_PHASE_MEMBER;
    } else if (pipe->out != NULL && pipe->out > pipe->filling->text) {
        bsi_stream_close_page(pipe, 0, NULL);
    } else if (text > BSI_FRAME_BLOCK_TEXT && bsi_stream_is_oversize(pipe, piece->bytes, bytes)) {
        lane->frame.block_end = lane->frame.source_offset + bytes;
        lane->phase = BSI_STREAM_PHASE_MEMBER;
    } else {
        bsi_stream_give_blocks(pipe, chunk, bytes, text);
    }
}

/*
 * The source failed before it was known what it is. If its bytes so far, fewer than 16, look like
 * text, they are text in front of the fault.
 */
static void bsi_stream_flush_head(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    const bsi_source_piece *piece = &chunk->piece;
    const char *codec;
    if (pipe->lane.phase == BSI_STREAM_PHASE_HEAD && !pipe->plan.rules.require &&
        bsi_frame_sniff(piece->bytes, piece->count, &codec) == BSI_FRAME_KIND_TEXT) {
        pipe->lane.kind = BSI_FRAME_KIND_TEXT;
        bsi_stream_copy_text(pipe, chunk);
    }
}

/* Whole blocks that waited for more, in front of a fault of the source: they come first. */
static int bsi_stream_has_block(const bsi_stream_pipe *pipe, const bsi_stream_chunk *chunk) {
    uint32_t bytes = 0;
    return pipe->lane.phase == BSI_STREAM_PHASE_BORDER && !pipe->plan.rules.ignore_bc &&
           bsi_frame_peek(chunk->piece.bytes, chunk->piece.count, &bytes) == BSI_FRAME_PEEK_BLOCK &&
           chunk->piece.count >= bytes &&
           bsi_frame_block_text(chunk->piece.bytes, bytes) <= BSI_FRAME_BLOCK_TEXT;
}

static void bsi_stream_begin_page(bsi_stream_page *page, const bsi_stream_chunk *chunk) {
    page->text = page->memory;
    page->text_bytes = 0;
    page->path_index = chunk->path_index;
    page->warnings = 0;
    page->ends_input = 0;
    page->ends_all = 0;
    page->chunk = NULL;
    page->segment = NULL;
    page->os_error = chunk->os_error;
    memset(&page->bad, 0, sizeof page->bad);
}

/*
 * work: go on with the chunk at hand until it is used up or the page at hand is closed. A chunk
 * without bytes, whose source failed, closes the page with its fault: text before it is kept.
 */
static void bsi_stream_route(void *owner, bsi_sched_task *task) {
    bsi_stream_pipe *pipe = ((bsi_stream_task *)task)->pipe;
    bsi_stream_chunk *chunk = bsi_stream_chunk_at(pipe, pipe->chunk_ticket);
    (void)owner;
    if (pipe->cut_chunk != NULL) {
        bsi_stream_join(pipe, chunk);
        pipe->joined_chunk = pipe->cut_chunk;
        pipe->cut_chunk = NULL;
    }
    if (chunk->first_of_input) {
        bsi_stream_lane_begin(pipe);
        chunk->first_of_input = 0;
    }
    bsi_stream_skip(pipe, chunk);
    if (pipe->out == NULL) {
        bsi_stream_begin_page(pipe->filling, chunk);
    }
    if (chunk->bad.fault != BIOST_FAULT_NONE && !bsi_stream_has_block(pipe, chunk)) {
        bsi_stream_flush_head(pipe, chunk);
        pipe->filling->os_error = chunk->os_error;
        bsi_stream_close_page(pipe, 1, &chunk->bad);
    }
    while (!pipe->chunk_used && !pipe->page_closed) {
        switch (pipe->lane.phase) {
            case BSI_STREAM_PHASE_HEAD: bsi_stream_sniff(pipe, chunk); break;
            case BSI_STREAM_PHASE_TEXT: bsi_stream_copy_text(pipe, chunk); break;
            case BSI_STREAM_PHASE_BORDER: bsi_stream_look(pipe, chunk); break;
            default: bsi_stream_decode(pipe, chunk); break;
        }
    }
    pipe->chunk_used |= pipe->lane.phase == BSI_STREAM_PHASE_ENDED;
}

/* ---- inflate -------------------------------------------------------------- */

/* A set of lanes for this task alone; NULL: more threads are at work than was planned. */
static bsi_inflate_lanes *bsi_stream_take_lanes(bsi_stream_pipe *pipe, bsi_stream_page *page) {
    bsi_inflate_lanes *lanes;
    bsi_platform_lock(&pipe->sched->lock);
    page->lanes = pipe->free_lanes_count > 0 ? pipe->free_lanes[--pipe->free_lanes_count]
                                             : BSI_STREAM_NO_LANES;
    bsi_platform_unlock(&pipe->sched->lock);
    if (page->lanes == BSI_STREAM_NO_LANES) {
        return NULL;
    }
    lanes = &pipe->lanes[page->lanes];
    if (lanes->fast == NULL) {
        bsi_kernels_lanes(lanes, pipe->plan.cpu);
    }
    return lanes;
}

/* Check and write the blocks of a page one by one, up to the first bad one. */
static bsi_frame_status bsi_stream_each_block(const bsi_stream_pipe *pipe, bsi_stream_page *page,
                                              uint8_t **out) {
    const uint8_t *at = page->blocks, *end = at + page->block_bytes;
    uint8_t *out_end = page->text + pipe->plan.page_capacity;
    bsi_frame_status status = BSI_FRAME_MEMBER;
    while (at < end && status == BSI_FRAME_MEMBER) {
        uint32_t bytes = 0;
        size_t left = (size_t)(end - at);
        if (bsi_frame_peek(at, left, &bytes) != BSI_FRAME_PEEK_BLOCK) {
            bytes = (uint32_t)left; /* by its BSIZE smaller than its header */
        }
        status = bsi_frame_block(&page->frame, at, left, bytes, out, out_end, out_end);
        at += BSI_MIN(left, (size_t)bytes);
    }
    return status;
}

/* work: check and write the blocks of a page, in lanes if these are enough and all good. */
static void bsi_stream_inflate(void *owner, bsi_sched_task *task) {
    bsi_stream_page *page = (bsi_stream_page *)task;
    bsi_stream_pipe *pipe = page->inflate.pipe;
    uint8_t *out = page->text, *out_end = page->text + pipe->plan.page_capacity;
    bsi_inflate_lanes *lanes = NULL;
    bsi_frame_status status = BSI_FRAME_MEMBER;
    (void)owner;
    page->lanes = BSI_STREAM_NO_LANES;
    if (page->block_count >= BSI_INFLATE_LANES) {
        lanes = bsi_stream_take_lanes(pipe, page);
    }
    if (lanes == NULL ||
        !bsi_frame_blocks(&page->frame, lanes, page->blocks, page->block_bytes, &out, out_end)) {
        status = bsi_stream_each_block(pipe, page, &out);
    }
    page->text_bytes = (size_t)(out - page->text);
    memset(out, 0, BSI_PADDING_BYTES);
    page->text_end = page->frame.text_offset;
    page->member_start = page->text_end;
    page->members_done = page->frame.members_done;
    page->blocks_done = page->frame.blocks_done;
    if (status != BSI_FRAME_MEMBER) {
        page->bad = page->frame.bad;
        page->ends_input = 1;
        page->ends_all = 1;
    }
}

/* ---- ahead ---------------------------------------------------------------- */

/* In front of a segment's text: the history, and what a step may read before it. */
#define BSI_STREAM_TEXT_ROOM (BSI_HISTORY_BYTES + 256u)

/* Begin a segment in a lane, from where a block may start. None does: it has ended. */
static void bsi_stream_begin_tokens(bsi_stream_ahead *ahead, uint32_t i, const bsi_stream_plan *plan) {
    bsi_stream_job *job = &ahead->jobs[i];
    bsi_stream_segment *segment = job->segment;
    uint64_t bits = 8 * (uint64_t)job->pieces[0].count;
    uint64_t start = bsi_guess_find(&ahead->guess, job->pieces, job->piece_count, 0, bits);
    segment->text = NULL;
    segment->guessed = start != UINT64_MAX;
    segment->start = segment->end = 0;
    segment->token_count = 0;
    segment->is_marked = 0;
    job->has_ended = !segment->guessed;
    if (segment->guessed) {
        segment->start = 8 * job->offset + start;
        bsi_tokens_lane_begin(&ahead->lanes.lanes[i], job->pieces, job->piece_count, start, bits,
                              segment->tokens, (size_t)plan->token_count);
    }
}

/* Begin a segment in a lane, from its point. The history's unmarked bytes are zeros. */
static void bsi_stream_begin_text(bsi_stream_ahead *ahead, uint32_t i) {
    bsi_stream_job *job = &ahead->jobs[i];
    bsi_stream_segment *segment = job->segment;
    const bsi_stream_pipe *pipe = ahead->run.pipe;
    const bsi_stream_point *point = &segment->point;
    size_t capacity = (size_t)pipe->plan.token_count * sizeof(uint64_t);
    uint8_t *memory = (uint8_t *)segment->tokens;
    segment->text = memory + BSI_STREAM_TEXT_ROOM;
    segment->text_bytes = 0;
    segment->is_marked = 0;
    segment->guessed = 0;
    segment->start = segment->end = point->bit;
    memset(memory, 0, BSI_STREAM_TEXT_ROOM - point->history_bytes);
    job->has_ended = !bsi_history_unpack(pipe->packed + point->packed_at, point->packed_bytes, segment->text,
                                         point->history_bytes);
    if (!job->has_ended) {
        bsi_texts_page page;
        page.text = segment->text;
        page.capacity = capacity - BSI_STREAM_TEXT_ROOM - BSI_PADDING_BYTES;
        page.history_bytes = point->history_bytes;
        bsi_texts_lane_begin(&ahead->texts.lanes[i], job->pieces, job->piece_count,
                             point->bit - 8 * job->offset, 8 * (uint64_t)job->pieces[0].count, &page);
    }
}

/* A lane of either kind has ended: what it found goes to its segment. */
static void bsi_stream_end_segment(bsi_stream_job *job, bsi_tokens_lane *lane) {
    bsi_stream_segment *segment = job->segment;
    segment->token_count = lane->token_count;
    segment->text_bytes = lane->text_bytes;
    segment->end = 8 * job->offset + lane->end;
    segment->word = lane->word;
    segment->bit_count = lane->bit_count;
    segment->is_last = lane->is_last;
    segment->distance_counts = lane->distance_counts;
    lane->status = BSI_TOKENS_IDLE;
    job->has_ended = 1;
    if (segment->text != NULL) {
        memset(segment->text + segment->text_bytes, 0, BSI_PADDING_BYTES);
    } else if (job->marks) {
        segment->is_marked = bsi_history_mark(&segment->marks, segment->tokens,
                                              segment->tokens + segment->token_count);
    }
}

/* work: decode segments, several at a time, until one has ended or it is time to look around. */
static void bsi_stream_decode_ahead(void *owner, bsi_sched_task *task) {
    bsi_stream_ahead *ahead = (bsi_stream_ahead *)task;
    const bsi_stream_plan *plan = &ahead->run.pipe->plan;
    (void)owner;
    if (!ahead->is_ready) {
        bsi_kernels_tokens_lanes(&ahead->lanes, plan->cpu);
        bsi_kernels_texts_lanes(&ahead->texts, plan->cpu);
        bsi_kernels_guess(&ahead->guess, plan->cpu);
        ahead->is_ready = 1;
    }
    for (uint32_t i = 0; i < BSI_TOKENS_LANES; ++i) {
        bsi_stream_job *job = &ahead->jobs[i];
        if (job->segment != NULL && job->is_new && job->segment->has_point) {
            bsi_stream_begin_text(ahead, i);
        } else if (job->segment != NULL && job->is_new) {
            bsi_stream_begin_tokens(ahead, i, plan);
        }
        job->is_new = 0;
    }
    (void)bsi_tokens_run(&ahead->lanes, BSI_STREAM_AHEAD_STEPS);
    (void)bsi_texts_run(&ahead->texts, BSI_STREAM_AHEAD_STEPS);
    for (uint32_t i = 0; i < BSI_TOKENS_LANES; ++i) {
        if (ahead->lanes.lanes[i].status == BSI_TOKENS_ENDED) {
            bsi_stream_end_segment(&ahead->jobs[i], &ahead->lanes.lanes[i]);
        }
        if (ahead->texts.lanes[i].status == BSI_TOKENS_ENDED) {
            bsi_stream_end_segment(&ahead->jobs[i], &ahead->texts.lanes[i]);
        }
    }
}

/* ---- under lock: who may go on -------------------------------------------- */

static void bsi_stream_settle_chunk(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    if (chunk->routed && chunk->outstanding == 0) {
        chunk->filled = 0;
        --pipe->filled_count;
        if (chunk->memory != NULL) {
            pipe->free_buffers[pipe->free_buffers_count++] = chunk->memory;
            chunk->memory = NULL;
        }
    }
}

static void bsi_stream_release_chunk(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    --chunk->outstanding;
    bsi_stream_settle_chunk(pipe, chunk);
}

/* The segment of a chunk, decoding or ready; else NULL. */
static bsi_stream_segment *bsi_stream_segment_at(const bsi_stream_pipe *pipe, uint64_t ticket) {
    for (uint32_t i = 0; pipe->ahead_memory != NULL && i < pipe->plan.segment_count; ++i) {
        bsi_stream_segment *segment = &pipe->segments[i];
        if ((segment->state == BSI_STREAM_SEGMENT_DECODING || segment->state == BSI_STREAM_SEGMENT_READY) &&
            segment->ticket == ticket) {
            return segment;
        }
    }
    return NULL;
}

/* A free one, the same ones again and again: they are in a cache. NULL: none is. */
static bsi_stream_segment *bsi_stream_free_segment(const bsi_stream_pipe *pipe) {
    for (uint32_t i = 0; i < pipe->plan.segment_count; ++i) {
        if (pipe->segments[i].state == BSI_STREAM_SEGMENT_FREE) {
            return &pipe->segments[i];
        }
    }
    return NULL;
}

/* Where guesses keep being wrong, most of the input is left to route, more and more of it. */
#define BSI_STREAM_PAUSE_LEAST 8u       /* chunks */
#define BSI_STREAM_PAUSE_MOST 1024u

/* A segment is done with, and was the text or was not. */
static void bsi_stream_judge(bsi_stream_pipe *pipe, bsi_stream_segment *segment, int accepted) {
    segment->state = segment->lent_count > 0 ? BSI_STREAM_SEGMENT_LENT : BSI_STREAM_SEGMENT_FREE;
    pipe->counters.entered_count += segment->text != NULL;
    pipe->counters.guessed_count += segment->guessed != 0;
    pipe->counters.accepted_count += accepted != 0;
    pipe->counters.redecoded_count += !accepted;
    if (accepted) {
        pipe->distance_counts |= segment->distance_counts;
        pipe->missed_count = 0;
        pipe->missed_pause = BSI_STREAM_PAUSE_LEAST;
    } else if (++pipe->missed_count == BSI_TOKENS_LANES) {
        pipe->distance_counts = 0; /* route's next one counts */
        pipe->ahead_ticket = BSI_MAX(pipe->ahead_ticket, pipe->chunk_ticket + 1) + pipe->missed_pause;
        pipe->missed_count = 0;
        pipe->missed_pause = BSI_MIN(2 * pipe->missed_pause, BSI_STREAM_PAUSE_MOST);
    }
}

/* The point of an input in so many bytes from `offset` on, or NULL. */
static const bsi_stream_point *bsi_stream_point_in(const bsi_stream_pipe *pipe, uint32_t path,
                                                   uint64_t offset, size_t bytes) {
    const bsi_source_input *input = &pipe->inputs[path];
    uint32_t first = input->first_point, last = first + input->point_count;
    while (first < last) {
        uint32_t middle = first + (last - first) / 2;
        if (pipe->points[middle].bit < 8 * offset) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return first < input->first_point + input->point_count && pipe->points[first].bit < 8 * (offset + bytes)
               ? &pipe->points[first]
               : NULL;
}

/*
 * Give an idle lane the next chunk, with those behind it that are there, at least one; nothing if route may
 * be there first, or no segment is free. Returns whether it got one.
 */
static int bsi_stream_give_job(bsi_stream_pipe *pipe, bsi_stream_job *job) {
    uint64_t ticket = BSI_MAX(pipe->ahead_ticket, pipe->chunk_ticket + 1);
    uint32_t path = bsi_stream_chunk_at(pipe, pipe->chunk_ticket)->path_index;
    bsi_stream_segment *segment = bsi_stream_free_segment(pipe);
    const bsi_stream_chunk *first = bsi_stream_chunk_at(pipe, ticket);
    const bsi_stream_point *point;
    job->piece_count = 0;
    while (job->piece_count < BSI_STREAM_AHEAD_PIECES && ticket + job->piece_count < pipe->read_ticket) {
        const bsi_stream_chunk *chunk = bsi_stream_chunk_at(pipe, ticket + job->piece_count);
        if (chunk->path_index != path || chunk->whole.count == 0) {
            break;
        }
        job->pieces[job->piece_count++] = chunk->whole;
    }
    if (segment == NULL || job->piece_count == 0 || (job->piece_count == 1 && !first->piece.ended)) {
        return 0;
    }
    for (uint32_t i = 0; i < job->piece_count; ++i) {
        ++bsi_stream_chunk_at(pipe, ticket + i)->outstanding;
    }
    point = bsi_stream_point_in(pipe, path, first->offset, first->whole.count);
    job->segment = segment;
    job->is_new = 1;
    job->has_ended = 0;
    segment->has_point = point != NULL;
    job->marks = pipe->plan.points_bytes > 0;
    job->offset = first->offset;
    if (point != NULL) {
        segment->point = *point;
    }
    segment->ticket = ticket;
    segment->state = BSI_STREAM_SEGMENT_DECODING;
    ++pipe->counters.ahead_count;
    pipe->ahead_ticket = ticket + 1;
    return 1;
}

/* Give idle lanes something to do, and make their tasks ready. */
static void bsi_stream_advance_ahead(bsi_stream_pipe *pipe) {
    for (uint32_t i = 0; pipe->ahead_memory != NULL && i < pipe->plan.ahead_count; ++i) {
        bsi_stream_ahead *ahead = &pipe->aheads[i];
        int under_way = 0, more = pipe->wants_ahead && pipe->chunk_ticket < pipe->read_ticket;
        for (uint32_t k = 0; k < BSI_TOKENS_LANES && !ahead->run.task.busy; ++k) {
            if (ahead->jobs[k].segment == NULL && more) {
                more = bsi_stream_give_job(pipe, &ahead->jobs[k]);
            }
            under_way |= ahead->jobs[k].segment != NULL;
        }
        if (under_way) {
            ahead->guess.distance_counts = pipe->distance_counts;
            bsi_sched_push(pipe->sched, &ahead->run.task);
        }
    }
}

static void bsi_stream_ahead_finish(void *owner, bsi_sched_task *task) {
    bsi_stream_ahead *ahead = (bsi_stream_ahead *)task;
    bsi_stream_pipe *pipe = ahead->run.pipe;
    for (uint32_t i = 0; i < BSI_TOKENS_LANES; ++i) {
        bsi_stream_job *job = &ahead->jobs[i];
        bsi_stream_segment *segment = job->segment;
        if (segment == NULL || !job->has_ended) {
            continue;
        }
        for (uint32_t k = 0; k < job->piece_count; ++k) {
            bsi_stream_release_chunk(pipe, bsi_stream_chunk_at(pipe, segment->ticket + k));
        }
        job->segment = NULL;
        segment->state = BSI_STREAM_SEGMENT_READY; /* route waits where it is being decoded: not passed */
    }
    pipe->changed(owner);
}

static void bsi_stream_wire_task(bsi_stream_pipe *pipe, bsi_stream_task *task, uint32_t stage,
                                 void (*work)(void *, bsi_sched_task *),
                                 void (*finish)(void *, bsi_sched_task *)) {
    task->pipe = pipe;
    memset(&task->task, 0, sizeof task->task);
    task->task.work = work;
    task->task.finish = finish;
    task->task.stage = stage;
    task->task.stays = stage == BSI_STREAM_ROUTE;
}

/* Nothing is decoded ahead, and nothing was. */
static void bsi_stream_reset_ahead(bsi_stream_pipe *pipe) {
    for (uint32_t i = 0; pipe->ahead_memory != NULL && i < pipe->plan.ahead_count; ++i) {
        for (uint32_t k = 0; k < BSI_TOKENS_LANES; ++k) {
            pipe->aheads[i].jobs[k].segment = NULL;
            pipe->aheads[i].lanes.lanes[k].status = BSI_TOKENS_IDLE;
            pipe->aheads[i].texts.lanes[k].status = BSI_TOKENS_IDLE;
        }
    }
    for (uint32_t i = 0; pipe->ahead_memory != NULL && i < pipe->plan.segment_count; ++i) {
        pipe->segments[i].state = BSI_STREAM_SEGMENT_FREE;
        pipe->segments[i].lent_count = 0;
    }
    for (uint32_t i = 0; i < pipe->plan.page_count; ++i) {
        pipe->pages[i].segment = NULL;
    }
    pipe->segment = NULL;
    pipe->token = NULL;
    pipe->text = NULL;
    pipe->has_new_point = 0;
    pipe->points_full = 0;
    pipe->was_accepted = 0;
    pipe->wants_ahead = 0;
    pipe->ahead_ticket = 0;
    pipe->missed_count = 0;
    pipe->missed_pause = BSI_STREAM_PAUSE_LEAST;
    pipe->distance_counts = 0;
}

/* The read task has got memory to decode ahead, or not. */
static void bsi_stream_take_ahead(bsi_stream_pipe *pipe) {
    const bsi_stream_plan *plan = &pipe->plan;
    bsi_memory_layout layout = {NULL, 0};
    bsi_stream_ahead_arrays blocks;
    uint64_t buffer = bsi_stream_buffer_bytes(plan);
    pipe->ahead_due = 0;
    pipe->ahead_refused = pipe->ahead_made == NULL;
    if (pipe->ahead_refused) {
        return;
    }
    layout.base = (uint8_t *)pipe->ahead_made;
    bsi_stream_place_ahead(plan, &layout, &blocks);
    pipe->ahead_memory = pipe->ahead_made;
    pipe->aheads = blocks.aheads;
    pipe->segments = blocks.segments;
    for (uint32_t i = 0; i < plan->ahead_count; ++i) {
        bsi_stream_ahead *ahead = &pipe->aheads[i];
        memset(ahead, 0, offsetof(bsi_stream_ahead, lanes));
        bsi_stream_wire_task(pipe, &ahead->run, BSI_STREAM_AHEAD, bsi_stream_decode_ahead,
                             bsi_stream_ahead_finish);
        ahead->run.task.home = &ahead->home;
        for (uint32_t k = 0; k < BSI_TOKENS_LANES; ++k) {
            ahead->lanes.lanes[k].status = BSI_TOKENS_IDLE;
            ahead->texts.lanes[k].status = BSI_TOKENS_IDLE;
        }
    }
    pipe->points = blocks.points;
    pipe->points_most = (uint32_t)BSI_MIN(plan->points_bytes / BSI_STREAM_POINT_BYTES, (uint64_t)UINT32_MAX);
    if (plan->points_bytes < BSI_HISTORY_PACKED_MOST) {
        pipe->points_most = 0;
    }
    pipe->packed = blocks.packed;
    pipe->packed_most = plan->points_bytes;
    pipe->point_stride = 1;
    for (uint32_t i = 0; i < plan->segment_count; ++i) {
        memset(&pipe->segments[i], 0, sizeof pipe->segments[i]);
        pipe->segments[i].tokens = blocks.tokens + plan->token_count * i;
    }
    for (uint32_t i = plan->buffer_count; i < plan->chunk_count && plan->reads_files; ++i) {
        uint64_t at = buffer * (i - plan->buffer_count) + bsi_stream_room(plan);
        pipe->free_buffers[pipe->free_buffers_count++] = blocks.chunk_memory + at;
    }
}

/* Give route a page to fill, if it needs one and may have it. Returns whether it has one. */
static int bsi_stream_has_page(bsi_stream_pipe *pipe) {
    uint32_t in_flight = pipe->plan.page_count - pipe->free_count;
    uint32_t index;
    int serial = pipe->lane.phase == BSI_STREAM_PHASE_TEXT ||
                 pipe->lane.phase == BSI_STREAM_PHASE_MEMBER;
    if (pipe->filling != NULL) {
        return 1;
    }
    if (pipe->free_count == 0 || (serial && in_flight >= pipe->plan.serial_pages)) {
        return 0;
    }
    index = pipe->free_pages[--pipe->free_count];
    pipe->queue[pipe->route_ticket % pipe->plan.page_count] = index;
    pipe->filling = &pipe->pages[index];
    pipe->filling->state = BSI_STREAM_PAGE_FILLING;
    return 1;
}

/*
 * May the read task fill a chunk? Few are in flight if nothing is decoded ahead: more only leave the cache.
 * One worker alone does not even read ahead: what was read last is still in the cache.
 */
static int bsi_stream_has_chunk(bsi_stream_pipe *pipe) {
    int looks_ahead = pipe->wants_ahead && pipe->ahead_memory != NULL;
    bsi_stream_chunk *chunk = bsi_stream_chunk_at(pipe, pipe->read_ticket);
    if (chunk->filled ||
        pipe->filled_count >= (looks_ahead ? pipe->plan.chunk_count : pipe->plan.buffer_count) ||
        (pipe->plan.workers == 1 && !looks_ahead && pipe->chunk_ticket < pipe->read_ticket)) {
        return 0;
    }
    if (pipe->plan.reads_files && chunk->memory == NULL) {
        chunk->memory = pipe->free_buffers[--pipe->free_buffers_count];
    }
    pipe->ahead_due = pipe->wants_ahead && pipe->ahead_memory == NULL && !pipe->ahead_refused;
    return 1;
}

/*
 * Whether route is to keep points of the input at hand, and from where on: if they come behind all others,
 * so that those of an input stay together. Not of a callback, which may bring other bytes the next time:
 * a point has of the text before it only what the bytes behind it then referred to.
 */
static void bsi_stream_expect_point(bsi_stream_pipe *pipe, const bsi_source_input *input) {
    uint32_t path = (uint32_t)(input - pipe->inputs), last = input->first_point + input->point_count;
    pipe->keeps_points = pipe->points_most > 0 && input->callback.read == NULL &&
                         (input->point_count == 0 || path == pipe->points_path);
    pipe->point_behind = input->point_count > 0 ? pipe->points[last - 1].bit : 0;
}

/* Add what route has kept. */
static void bsi_stream_add_point(bsi_stream_pipe *pipe) {
    bsi_source_input *input = &pipe->inputs[pipe->new_point.path];
    if (input->point_count == 0) {
        input->first_point = pipe->point_count;
    }
    pipe->points[pipe->point_count++] = pipe->new_point;
    pipe->packed_used += pipe->new_point.packed_bytes;
    pipe->points_path = pipe->new_point.path;
    ++input->point_count;
    pipe->has_new_point = 0;
}

/*
 * Memory for points has ended: give up about every second. Not while somebody reads one; then the next time
 * that one has no room.
 */
static void bsi_stream_thin_points(bsi_stream_pipe *pipe) {
    uint64_t chunk_bits = 8 * (uint64_t)pipe->plan.chunk_bytes;
    uint32_t all = pipe->point_count;
    pipe->points_full = 0;
    for (uint32_t i = 0; i < pipe->plan.segment_count; ++i) {
        if (pipe->segments[i].state != BSI_STREAM_SEGMENT_FREE && pipe->segments[i].has_point) {
            return;
        }
    }
    for (uint32_t path = 0; path < pipe->input_count; ++path) {
        pipe->inputs[path].point_count = 0;
    }
    pipe->point_stride *= 2;
    pipe->point_count = 0;
    pipe->packed_used = 0;
    for (uint32_t i = 0; i < all; ++i) {
        pipe->new_point = pipe->points[i];
        if (pipe->new_point.bit / chunk_bits % pipe->point_stride == 0) {
            memmove(pipe->packed + pipe->packed_used, pipe->packed + pipe->new_point.packed_at,
                    pipe->new_point.packed_bytes);
            pipe->new_point.packed_at = pipe->packed_used;
            bsi_stream_add_point(pipe);
        }
    }
}

/* Whether route may go on with the chunk at hand, which has been read: not while it is decoded ahead. */
static int bsi_stream_has_segment(bsi_stream_pipe *pipe) {
    bsi_stream_segment *segment = bsi_stream_segment_at(pipe, pipe->chunk_ticket);
    if (segment != NULL && segment->state == BSI_STREAM_SEGMENT_DECODING) {
        return 0;
    }
    pipe->segment = NULL;
    if (segment != NULL && segment->end > segment->start) {
        pipe->segment = segment;
    }
    bsi_stream_expect_point(pipe, &pipe->inputs[bsi_stream_chunk_at(pipe, pipe->chunk_ticket)->path_index]);
    return 1;
}

/*
 * Make the tasks ready that have what they need. The owner calls it whenever anything changed.
 */
static void bsi_stream_advance(bsi_stream_pipe *pipe) {
    if (pipe->stopped) {
        return;
    }
    if (!pipe->read.task.busy && !pipe->read_done && bsi_stream_has_chunk(pipe)) {
        bsi_sched_push(pipe->sched, &pipe->read.task);
    }
    bsi_stream_advance_ahead(pipe);
    if (!pipe->route.task.busy && !pipe->route_done && pipe->chunk_ticket < pipe->read_ticket &&
        bsi_stream_has_segment(pipe) && bsi_stream_has_page(pipe)) {
        bsi_sched_push(pipe->sched, &pipe->route.task);
    }
}

/* Whether a page or chunk may lie in an input. What route fills now lies in a chunk. */
static int bsi_stream_uses(const bsi_stream_pipe *pipe, uint32_t path) {
    uint32_t i;
    for (i = 0; i < pipe->plan.chunk_count; ++i) {
        if (pipe->chunks[i].filled && pipe->chunks[i].path_index == path) {
            return 1;
        }
    }
    for (i = 0; i < pipe->plan.page_count; ++i) {
        if (pipe->pages[i].state > BSI_STREAM_PAGE_FILLING && pipe->pages[i].path_index == path) {
            return 1;
        }
    }
    return 0;
}

static void bsi_stream_read_finish(void *owner, bsi_sched_task *task) {
    bsi_stream_pipe *pipe = ((bsi_stream_task *)task)->pipe;
    pipe->source_bytes += pipe->read_bytes;
    if (pipe->ahead_due) {
        bsi_stream_take_ahead(pipe);
    }
    if (pipe->chunk_full) {
        bsi_stream_chunk *chunk = bsi_stream_chunk_at(pipe, pipe->read_ticket);
        chunk->filled = 1;
        chunk->routed = 0;
        ++pipe->filled_count;
        ++pipe->read_ticket;
    }
    pipe->unmap_next = pipe->unmap_path < pipe->read_path &&
                       !bsi_stream_uses(pipe, pipe->unmap_path);
    pipe->changed(owner);
}

/* Route has closed a page: its blocks go to whoever is free, or its text to the owner. */
static void bsi_stream_hand_on(bsi_stream_pipe *pipe) {
    bsi_stream_page *page = pipe->filling;
    page->state = BSI_STREAM_PAGE_READY;
    if (page->segment != NULL) {
        ++page->segment->lent_count;
    }
    if (page->chunk != NULL) {
        page->state = BSI_STREAM_PAGE_INFLATING;
        ++page->chunk->outstanding;
        bsi_sched_push(pipe->sched, &page->inflate.task);
    }
    pipe->route_done = page->ends_all;
    pipe->stopped |= page->bad.fault != BIOST_FAULT_NONE;
    pipe->filling = NULL;
    pipe->out = NULL;
    pipe->page_closed = 0;
    ++pipe->route_ticket;
}

/* Route is done with the chunk at hand, but perhaps for bytes that the next one must have in front. */
static void bsi_stream_next_chunk(bsi_stream_pipe *pipe, bsi_stream_chunk *chunk) {
    bsi_stream_segment *segment = bsi_stream_segment_at(pipe, pipe->chunk_ticket);
    if (segment != NULL) {
        bsi_stream_judge(pipe, segment, pipe->was_accepted);
    }
    pipe->was_accepted = 0;
    chunk->routed = 1;
    chunk->outstanding += pipe->cut_chunk != NULL;
    bsi_stream_settle_chunk(pipe, chunk);
    pipe->chunk_used = 0;
    ++pipe->chunk_ticket;
}

/*
 * Whether route stands in a plain member that is better decoded ahead: the input is long enough, the last
 * codes that route has met were sent with their block, for only such blocks can be guessed, and not nearly
 * all of the text are literals, for which tokens cost up to half as much again as decoding in order: that
 * takes more than two workers to pay.
 */
static int bsi_stream_is_for_ahead(const bsi_stream_pipe *pipe, const bsi_stream_chunk *chunk) {
    const bsi_source_input *input = &pipe->inputs[chunk->path_index];
    const bsi_inflate *inflate = &pipe->lane.frame.inflate;
    uint64_t bytes = input->regular ? input->size_bytes : pipe->source_bytes;
    return pipe->plan.ahead_count > 0 && pipe->lane.phase == BSI_STREAM_PHASE_MEMBER &&
           bytes >= pipe->plan.ahead_least && inflate->distance_count > 0 && !inflate->holds_fixed &&
           (pipe->plan.workers > 2 || pipe->plan.ahead_least == 0 ||
            inflate->match_space >= BSI_INFLATE_MATCH_SPACE);
}

static void bsi_stream_route_finish(void *owner, bsi_sched_task *task) {
    bsi_stream_pipe *pipe = ((bsi_stream_task *)task)->pipe;
    bsi_stream_chunk *chunk = bsi_stream_chunk_at(pipe, pipe->chunk_ticket);
    pipe->wants_ahead = bsi_stream_is_for_ahead(pipe, chunk);
    if (pipe->wants_ahead) {
        pipe->distance_counts |= (uint32_t)1 << (pipe->lane.frame.inflate.distance_count - 1);
    }
    if (pipe->has_new_point) {
        bsi_stream_add_point(pipe);
    }
    if (pipe->points_full) {
        bsi_stream_thin_points(pipe);
    }
    if (pipe->page_closed) {
        bsi_stream_hand_on(pipe);
    }
    if (pipe->joined_chunk != NULL) {
        bsi_stream_release_chunk(pipe, pipe->joined_chunk);
        pipe->joined_chunk = NULL;
    }
    if (pipe->chunk_used) {
        bsi_stream_next_chunk(pipe, chunk);
    }
    pipe->changed(owner);
}

static void bsi_stream_inflate_finish(void *owner, bsi_sched_task *task) {
    bsi_stream_page *page = (bsi_stream_page *)task;
    bsi_stream_pipe *pipe = page->inflate.pipe;
    page->state = BSI_STREAM_PAGE_READY;
    if (page->lanes != BSI_STREAM_NO_LANES) {
        pipe->free_lanes[pipe->free_lanes_count++] = page->lanes;
    }
    pipe->stopped |= page->bad.fault != BIOST_FAULT_NONE;
    bsi_stream_release_chunk(pipe, page->chunk);
    pipe->changed(owner);
}

/* ---- under lock: the owner's side ----------------------------------------- */

BSI_INLINE bsi_stream_page *bsi_stream_page_at(bsi_stream_pipe *pipe, uint64_t ticket) {
    return &pipe->pages[pipe->queue[ticket % pipe->plan.page_count]];
}

/* The page whose turn it is, or NULL while it is not ready. */
static bsi_stream_page *bsi_stream_front(bsi_stream_pipe *pipe) {
    bsi_stream_page *page;
    if (pipe->take_ticket == pipe->route_ticket) {
        return NULL;
    }
    page = bsi_stream_page_at(pipe, pipe->take_ticket);
    return page->state == BSI_STREAM_PAGE_READY ? page : NULL;
}

/* Lend the page at the front. */
static void bsi_stream_take(bsi_stream_pipe *pipe, bsi_stream_page *page) {
    page->state = BSI_STREAM_PAGE_LENT;
    ++pipe->take_ticket;
}

/* It comes back, in any order. */
static void bsi_stream_give_back(bsi_stream_pipe *pipe, bsi_stream_page *page) {
    bsi_stream_segment *segment = page->segment;
    page->segment = NULL;
    if (segment != NULL && --segment->lent_count == 0 && segment->state == BSI_STREAM_SEGMENT_LENT) {
        segment->state = BSI_STREAM_SEGMENT_FREE;
    }
    page->state = BSI_STREAM_PAGE_FREE;
    pipe->free_pages[pipe->free_count++] = (uint32_t)(page - pipe->pages);
}

/* Close what is open. Nothing runs, and no page is used any more. */
static void bsi_stream_stop(bsi_stream_pipe *pipe) {
    bsi_source_close(&pipe->source);
    while (pipe->unmap_path < pipe->input_count && pipe->unmap_path <= pipe->read_path) {
        bsi_stream_unmap(pipe);
    }
}

/* Close what is open, and give back what was allocated beside the owner's block. */
static void bsi_stream_shut(bsi_stream_pipe *pipe) {
    bsi_stream_stop(pipe);
    bsi_memory_free(pipe->allocator, pipe->ahead_memory, bsi_stream_ahead_bytes(&pipe->plan));
    pipe->ahead_memory = NULL;
}

/* To the start of input `path`, entered at byte `offset` if it is plain text. Nothing runs. */
static void bsi_stream_reset(bsi_stream_pipe *pipe, uint32_t path, uint64_t offset) {
    uint32_t i;
    bsi_stream_stop(pipe);
    for (i = 0; i < pipe->plan.chunk_count; ++i) {
        pipe->chunks[i].filled = 0;
        pipe->chunks[i].routed = 0;
        pipe->chunks[i].outstanding = 0;
        if (pipe->chunks[i].memory != NULL) {
            pipe->free_buffers[pipe->free_buffers_count++] = pipe->chunks[i].memory;
            pipe->chunks[i].memory = NULL;
        }
    }
    pipe->filled_count = 0;
    bsi_stream_reset_ahead(pipe);
    pipe->free_count = 0;
    for (i = pipe->plan.page_count; i > 0; --i) {
        bsi_stream_give_back(pipe, &pipe->pages[i - 1]);
    }
    pipe->read_path = path;
    pipe->read_offset = offset;
    pipe->unmap_path = path;
    pipe->unmap_next = 0;
    pipe->read_ticket = 0;
    pipe->read_open = 0;
    pipe->read_fresh = 1;
    pipe->read_done = 0;
    pipe->chunk_full = 1;
    pipe->route_ticket = 0;
    pipe->chunk_ticket = 0;
    pipe->filling = NULL;
    pipe->out = NULL;
    pipe->cut_chunk = NULL;
    pipe->joined_chunk = NULL;
    pipe->chunk_used = 0;
    pipe->page_closed = 0;
    pipe->route_done = 0;
    pipe->take_ticket = 0;
    pipe->stopped = 0;
    pipe->source_bytes = 0;
    pipe->lane.phase = BSI_STREAM_PHASE_HEAD;
}

/* Set up a pipe over its memory; `pipe` is zeroed, its plan, allocator, inputs, sched and changed are set. */
static void bsi_stream_wire(bsi_stream_pipe *pipe, const bsi_stream_arrays *blocks) {
    const bsi_stream_plan *plan = &pipe->plan;
    uint64_t buffer = bsi_stream_buffer_bytes(plan);
    size_t room = bsi_stream_room(plan);
    uint32_t i;
    pipe->chunks = blocks->chunks;
    pipe->pages = blocks->pages;
    pipe->queue = blocks->queue;
    pipe->free_pages = blocks->free_pages;
    pipe->lanes = blocks->lanes;
    pipe->free_lanes = blocks->free_lanes;
    for (i = 0; i < plan->lanes_count; ++i) {
        pipe->lanes[i].fast = NULL;
        pipe->free_lanes[pipe->free_lanes_count++] = i;
    }
    memset(pipe->chunks, 0, plan->chunk_count * sizeof pipe->chunks[0]);
    memset(pipe->pages, 0, plan->page_count * sizeof pipe->pages[0]);
    pipe->free_buffers = blocks->free_buffers;
    for (i = 0; i < plan->buffer_count && plan->reads_files; ++i) {
        pipe->free_buffers[pipe->free_buffers_count++] = blocks->chunk_memory + buffer * i + room;
    }
    for (i = 0; i < plan->page_count; ++i) {
        pipe->pages[i].memory = blocks->page_memory + buffer * i + room;
        bsi_stream_wire_task(pipe, &pipe->pages[i].inflate, BSI_STREAM_INFLATE, bsi_stream_inflate,
                             bsi_stream_inflate_finish);
    }
    bsi_stream_wire_task(pipe, &pipe->read, BSI_STREAM_READ, bsi_stream_read,
                         bsi_stream_read_finish);
    bsi_stream_wire_task(pipe, &pipe->route, BSI_STREAM_ROUTE, bsi_stream_route,
                         bsi_stream_route_finish);
    bsi_crc_init(&pipe->crc_tables);
    bsi_kernels_crc(&pipe->crc_tables, plan->cpu);
    bsi_kernels_tokens(&pipe->tokens, plan->cpu);
    pipe->unmap_path = pipe->input_count; /* none is mapped */
    bsi_stream_reset(pipe, 0, 0);
}

/* ---- a whole gzip file from memory to memory ------------------------------- */

typedef struct bsi_stream_whole {
    bsi_frame frame;
    bsi_crc_tables crc_tables;
    const uint8_t *in, *in_end;
    uint8_t *out, *out_end;
} bsi_stream_whole;

/*
 * The BGZF block at hand has more text than ISIZE says, or is cut off and has more than there is room
 * for: say which fault it is. Nothing of it is kept.
 */
BSI_COLD static bsi_frame_status bsi_stream_whole_judge(bsi_stream_whole *whole, uint32_t bytes,
                                                        size_t space) {
    uint8_t scratch[BSI_STREAM_ROOM_BYTES + BSI_PADDING_BYTES];
    memset(scratch, 0, sizeof scratch);
    return bsi_frame_block(&whole->frame, whole->in, (size_t)(whole->in_end - whole->in), bytes,
                           &whole->out, whole->out + space, scratch + BSI_STREAM_ROOM_BYTES);
}

/*
 * The BGZF block at hand, of `bytes` bytes by its BSIZE. NEED_OUTPUT: its text does not fit, or it
 * has more than a block may have; the frame is then as it was in front of it.
 */
static bsi_frame_status bsi_stream_whole_block(bsi_stream_whole *whole, uint32_t bytes) {
    bsi_frame *frame = &whole->frame;
    size_t there = (size_t)(whole->in_end - whole->in);
    size_t space = BSI_MIN((size_t)(whole->out_end - whole->out), (size_t)BSI_FRAME_BLOCK_TEXT);
    uint32_t text = there < bytes ? 0 : bsi_frame_block_text(whole->in, bytes);
    uint8_t before[offsetof(bsi_frame, inflate)];
    bsi_frame_status status;
    memcpy(before, frame, sizeof before);
    status = bsi_frame_block(frame, whole->in, there, bytes, &whole->out, whole->out + space, NULL);
    if (status == BSI_FRAME_MEMBER) {
        whole->in += bytes;
    }
    if (status == BSI_FRAME_NEED_OUTPUT) {
        memcpy(frame, before, sizeof before);
        status = text > space ? status : bsi_stream_whole_judge(whole, bytes, space);
    }
    return status;
}

/* One member. NEED_OUTPUT: the text does not fit. */
static bsi_frame_status bsi_stream_whole_member(bsi_stream_whole *whole) {
    size_t there = (size_t)(whole->in_end - whole->in);
    bsi_frame *frame = &whole->frame;
    uint32_t bytes = 0;
    if (bsi_frame_peek(whole->in, there, &bytes) == BSI_FRAME_PEEK_BLOCK) {
        bsi_frame_status status = bsi_stream_whole_block(whole, bytes);
        if (status != BSI_FRAME_NEED_OUTPUT ||
            bsi_frame_block_text(whole->in, bytes) <= BSI_FRAME_BLOCK_TEXT) {
            return status;
        }
        frame->block_end = frame->source_offset + bytes; /* more than a block may have */
    }
    return bsi_frame_member(frame, &whole->in, whole->in_end, 1, &whole->out, whole->out_end);
}

/* See biost_inflate. */
static void bsi_stream_inflate_whole(const uint8_t *source, size_t source_bytes, uint8_t *text,
                                     size_t capacity, size_t *out_bytes, biost_error *error) {
    bsi_stream_whole whole;
    uint32_t cpu = bsi_cpu_features();
    bsi_frame_status status = BSI_FRAME_MEMBER;
    bsi_frame_kind kind;
    const char *codec;
    uint8_t none = 0;           /* an address for what has no bytes */
    if (out_bytes != NULL) {
        *out_bytes = 0;
    }
    if ((source == NULL && source_bytes > 0) || (text == NULL && capacity > 0) ||
        out_bytes == NULL) {
        bsi_fault_raise_plain(error, BIOST_FAULT_ARGUMENT, "an argument is NULL", 0);
        return;
    }
    source = source == NULL ? &none : source;
    text = text == NULL ? &none : text;
    kind = bsi_frame_sniff(source, BSI_MIN(source_bytes, (size_t)BSI_FRAME_SNIFF_BYTES), &codec);
    bsi_crc_init(&whole.crc_tables);
    bsi_kernels_crc(&whole.crc_tables, cpu);
    bsi_frame_begin(&whole.frame, &whole.crc_tables);
    bsi_kernels_inflate(&whole.frame.inflate, cpu);
    whole.in = source;
    whole.in_end = source + source_bytes;
    whole.out = text;
    whole.out_end = text + capacity;
    if (kind == BSI_FRAME_KIND_CODEC) {
        status = bsi_frame_bad(&whole.frame, BIOST_FAULT_CODEC, 0, codec);
    }
    while (status == BSI_FRAME_MEMBER && kind != BSI_FRAME_KIND_EMPTY) {
        status = bsi_stream_whole_member(&whole);
    }
    *out_bytes = (size_t)(whole.out - text);
    if (status == BSI_FRAME_NEED_OUTPUT) {
        bsi_fault_raise_plain(error, BIOST_FAULT_ARGUMENT,
                              "the text is longer than the capacity given", 0);
    } else if (status == BSI_FRAME_BAD) {
        bsi_fault_raise(error, &whole.frame.bad, "memory", 0, 0);
    }
}

/* ---- the stream object: one input, pages lent to the caller ---------------- */

struct biost_stream {
    biost_allocator allocator;
    biost_log log;
    uint64_t own_bytes;         /* size of this block, arrays and name included */
    bsi_source_input input;
    biost_files files;
    bsi_sched sched;
    int sched_is_open;
    bsi_stream_pipe pipe;
    /* caller */
    bsi_sched_task *helped;     /* what it ran last */
    bsi_stream_page *page;      /* lent; NULL: none yet */
    size_t position;            /* bytes of it that were read */
    biost_result ended;         /* END, CANCELLED or the error's code; OK: it goes on */
    biost_error error;
    /* shared, under lock */
    int cancelled;
    uint32_t warnings;
    biost_text_progress progress;
};

/* Under lock. */
static void bsi_stream_changed(void *owner) {
    biost_stream *stream = (biost_stream *)owner;
    bsi_stream_advance(&stream->pipe);
    if (bsi_stream_front(&stream->pipe) != NULL) {
        bsi_sched_wake_caller(&stream->sched);
    }
}

/* Note what a page, now the caller's, adds to the counts. */
static void bsi_stream_count_page(biost_stream *stream, const bsi_stream_page *page) {
    stream->warnings |= page->warnings;
    stream->progress.member_count = page->members_done;
    stream->progress.block_count = page->blocks_done;
}

/*
 * The next page, helping until it is ready; pages taken before must be given back in time: with all
 * of them lent there would be nothing to wait for. Returns OK or CANCELLED.
 */
static biost_result bsi_stream_next(biost_stream *stream, bsi_stream_page **out_page) {
    bsi_sched *sched = &stream->sched;
    biost_result result = BIOST_PENDING;
    bsi_platform_lock(&sched->lock);
    bsi_stream_advance(&stream->pipe);
    while (result == BIOST_PENDING) {
        bsi_stream_page *page = bsi_stream_front(&stream->pipe);
        if (stream->cancelled) {
            result = BIOST_CANCELLED;
        } else if (page != NULL) {
            bsi_stream_take(&stream->pipe, page);
            bsi_stream_count_page(stream, page);
            *out_page = page;
            result = BIOST_OK;
        } else if ((stream->helped = bsi_sched_take_by(sched, stream->helped, BSI_SCHED_CALLER)) !=
                   NULL) {
            bsi_sched_run_by(sched, stream->helped, BSI_SCHED_CALLER);
        } else {
            bsi_sched_wait(sched);
        }
    }
    bsi_sched_wake_one(sched); /* what is ready does not wait for the caller to come back */
    bsi_sched_unlock(sched);
    return result;
}

/* The caller is done with a page. */
static void bsi_stream_return(biost_stream *stream, bsi_stream_page *page) {
    bsi_platform_lock(&stream->sched.lock);
    bsi_stream_give_back(&stream->pipe, page);
    bsi_stream_advance(&stream->pipe);
    bsi_sched_wake_one(&stream->sched);
    bsi_sched_unlock(&stream->sched);
}

/* Behind the last page: the verified end, or the error, told to the log. */
static biost_result bsi_stream_finish(biost_stream *stream, const bsi_stream_page *page) {
    if (page->bad.fault == BIOST_FAULT_NONE) {
        return BIOST_END;
    }
    bsi_fault_raise(&stream->error, &page->bad, stream->input.name, 0, page->os_error);
    if (stream->log.line != NULL) {
        stream->log.line(stream->error.code, stream->error.text, stream->log.user_data);
    }
    return stream->error.code;
}

/* Make text lie at the position, if any is left. Returns OK, or what stream->ended became. */
static biost_result bsi_stream_fill(biost_stream *stream) {
    bsi_platform_lock(&stream->sched.lock);
    if (stream->cancelled && stream->ended == BIOST_OK) {
        stream->ended = BIOST_CANCELLED;
    }
    bsi_platform_unlock(&stream->sched.lock);
    while (stream->ended == BIOST_OK &&
           (stream->page == NULL || stream->position == stream->page->text_bytes)) {
        bsi_stream_page *page = stream->page;
        if (page != NULL && page->ends_input) {
            stream->ended = bsi_stream_finish(stream, page);
            break;
        }
        if (page != NULL) {
            bsi_stream_return(stream, page);
        }
        stream->page = NULL;
        stream->position = 0;
        stream->ended = bsi_stream_next(stream, &stream->page);
    }
    return stream->ended;
}

/* Count text handed out. */
static void bsi_stream_count_text(biost_stream *stream, size_t bytes) {
    bsi_platform_lock(&stream->sched.lock);
    stream->progress.text_bytes += bytes;
    bsi_platform_unlock(&stream->sched.lock);
}

/* See biost_stream_next_page. */
static biost_result bsi_stream_lend(biost_stream *stream, biost_page *out_page) {
    biost_result result = bsi_stream_fill(stream);
    const bsi_stream_page *page = stream->page;
    memset(out_page, 0, sizeof *out_page);
    if (result == BIOST_OK) {
        out_page->text = (const char *)page->text + stream->position;
        out_page->text_bytes = page->text_bytes - stream->position;
        out_page->text_offset = page->text_end - out_page->text_bytes;
        stream->position = page->text_bytes;
        bsi_stream_count_text(stream, out_page->text_bytes);
    }
    return result;
}

/* See biost_stream_read. */
static biost_result bsi_stream_copy(biost_stream *stream, uint8_t *to, size_t bytes,
                                    size_t *out_bytes) {
    biost_result result = bytes == 0 ? bsi_stream_fill(stream) : BIOST_OK;
    size_t done = 0;
    while (done < bytes && (result = bsi_stream_fill(stream)) == BIOST_OK) {
        const bsi_stream_page *page = stream->page;
        size_t count = BSI_MIN(bytes - done, page->text_bytes - stream->position);
        memcpy(to + done, page->text + stream->position, count);
        stream->position += count;
        done += count;
    }
    bsi_stream_count_text(stream, done);
    *out_bytes = done;
    return done > 0 ? BIOST_OK : result;
}

/* See biost_stream_cancel. */
static void bsi_stream_cancel(biost_stream *stream) {
    bsi_platform_lock(&stream->sched.lock);
    stream->cancelled = 1;
    stream->sched.paused = 1;
    bsi_sched_wake_caller(&stream->sched);
    bsi_platform_unlock(&stream->sched.lock);
}

/* See biost_stream_busy. */
static uint32_t bsi_stream_busy(biost_stream *stream, uint64_t *out_busy_ns, uint32_t capacity) {
    return bsi_sched_busy(&stream->sched, out_busy_ns, capacity);
}

static void bsi_stream_close(biost_stream *stream) {
    biost_allocator allocator = stream->allocator;
    if (stream->sched_is_open) {
        bsi_sched_close(&stream->sched);
    }
    bsi_stream_shut(&stream->pipe);
    bsi_memory_free(&allocator, stream, stream->own_bytes);
}

/* What is wrong with the hooks of a desc, or NULL. */
static const char *bsi_stream_check_hooks(const biost_allocator *allocator,
                                          const biost_files *files) {
    int given = (files->open != NULL) + (files->read_at != NULL) + (files->size != NULL) +
                (files->close != NULL);
    if ((allocator->alloc == NULL) != (allocator->free == NULL)) {
        return "desc.allocator needs both alloc and free, or neither";
    }
    if (given != 0 && given != 4) {
        return "desc.files needs open, read_at, size and close, or none of them";
    }
    return NULL;
}

/* What is wrong with a desc, naming the fields, or NULL. */
static const char *bsi_stream_check(const biost_stream_desc *desc) {
    if (desc == NULL) {
        return "desc is NULL";
    }
    if (desc->memory.data == NULL && desc->memory.bytes > 0) {
        return "desc.memory.data is NULL";
    }
    if ((desc->path != NULL) + (desc->memory.data != NULL) + (desc->callback.read != NULL) != 1) {
        return "name the input by one of desc.path, desc.memory and desc.callback";
    }
    if (desc->workers > BSI_SCHED_MAX_WORKERS) {
        return "desc.workers is over 256";
    }
    if ((desc->test.page_bytes > 0 && desc->test.page_bytes < 16) || desc->test.page_count == 1) {
        return "desc.test.page_bytes is below 16 or desc.test.page_count below 2";
    }
    return bsi_stream_check_hooks(&desc->allocator, &desc->files);
}

/* What an input is called in sentences. */
static const char *bsi_stream_name(const char *path, const biost_memory *memory,
                                   const biost_callback *callback) {
    if (path != NULL) {
        return path;
    }
    if (callback->read != NULL) {
        return callback->name != NULL ? callback->name : "callback";
    }
    return memory->name != NULL ? memory->name : "memory";
}

/* Fill an input; `name` and `files` must outlive it. `files` without functions: the system's. */
static void bsi_stream_fill_input(bsi_source_input *input, const char *name, const char *path,
                                  const biost_memory *memory, const biost_callback *callback,
                                  const biost_files *files, int map) {
    memset(input, 0, sizeof *input);
    input->name = name;
    if (path != NULL) {
        input->files = files->open != NULL ? files : NULL;
        input->map = map;
    } else if (callback->read != NULL) {
        input->callback = *callback;
        input->callback.name = NULL;
    } else {
        input->memory = memory->bytes > 0 ? (const uint8_t *)memory->data : (const uint8_t *)"";
        input->size_bytes = memory->bytes;
        input->regular = 1;
    }
}

/* The stream, its pages and chunks and its copy of the name lie in one block. */
static biost_stream *bsi_stream_reserve(const bsi_stream_plan *plan, const char *name,
                                        bsi_memory_layout *layout, bsi_stream_arrays *blocks,
                                        char **out_name) {
    biost_stream *stream = (biost_stream *)bsi_memory_reserve(layout, 1, sizeof(biost_stream));
    bsi_stream_place(plan, layout, blocks);
    *out_name = (char *)bsi_memory_reserve(layout, strlen(name) + 1, 1);
    return stream;
}

/* Open the source for the first time, and the threads. Returns 0 with the error raised. */
static int bsi_stream_start(biost_stream *stream, const biost_stream_desc *desc,
                            biost_error *error) {
    uint32_t workers = stream->pipe.plan.workers;
    bsi_bad bad;
    if (!bsi_source_open(&stream->pipe.source, &stream->input, 0, &bad)) {
        bsi_fault_raise(error, &bad, stream->input.name, 0, stream->pipe.source.os_error);
        return 0;
    }
    bsi_source_note(&stream->pipe.source);
    stream->pipe.read_open = 1;
    stream->progress.source_total_bytes = stream->input.regular ? stream->input.size_bytes : 0;
    if (!bsi_sched_open(&stream->sched, stream, workers - 1, &desc->jobs, desc->test.order_seed)) {
        bsi_fault_raise_plain(error, BIOST_FAULT_THREAD, NULL, workers - 1);
        return 0;
    }
    stream->sched_is_open = 1;
    return 1;
}

/* See biost_stream_open. Returns NULL with the error raised. */
static biost_stream *bsi_stream_open(const biost_stream_desc *desc, biost_error *error) {
    const char *wrong = bsi_stream_check(desc), *name;
    bsi_memory_layout layout = {NULL, 0};
    bsi_stream_arrays blocks;
    bsi_stream_plan plan;
    biost_allocator allocator;
    biost_stream *stream;
    char *kept_name;
    if (wrong != NULL) {
        bsi_fault_raise_plain(error, BIOST_FAULT_ARGUMENT, wrong, 0);
        return NULL;
    }
    allocator = bsi_memory_allocator(&desc->allocator);
    name = bsi_stream_name(desc->path, &desc->memory, &desc->callback);
    bsi_stream_make_plan(&plan, BSI_MAX(desc->workers, 1), desc->test.page_bytes,
                         desc->test.chunk_bytes, desc->test.page_count, desc->test.cpu_hidden,
                         desc->test.ahead);
    plan.reads_files = desc->memory.data == NULL;
    plan.rules = desc->gzip;
    (void)bsi_stream_reserve(&plan, name, &layout, &blocks, &kept_name);
    layout.base = (uint8_t *)bsi_memory_alloc(&allocator, layout.bytes);
    if (layout.base == NULL) {
        bsi_fault_raise_plain(error, BIOST_FAULT_MEMORY, NULL, layout.bytes);
        return NULL;
    }
    layout.bytes = 0;
    stream = bsi_stream_reserve(&plan, name, &layout, &blocks, &kept_name);
    memset(stream, 0, sizeof *stream);
    memcpy(kept_name, name, strlen(name) + 1);
    stream->allocator = allocator;
    stream->log = desc->log;
    stream->own_bytes = layout.bytes;
    stream->files = desc->files;
    stream->pipe.plan = plan;
    stream->pipe.allocator = &stream->allocator;
    stream->pipe.sched = &stream->sched;
    stream->pipe.changed = bsi_stream_changed;
    stream->pipe.inputs = &stream->input;
    stream->pipe.input_count = 1;
    bsi_stream_fill_input(&stream->input, kept_name, desc->path, &desc->memory, &desc->callback,
                          &stream->files, desc->map);
    bsi_stream_wire(&stream->pipe, &blocks);
    if (!bsi_stream_start(stream, desc, error)) {
        bsi_stream_close(stream);
        return NULL;
    }
    return stream;
}

/* ==========================================================================
 * >>reader   pages of text -> records
 *   uses: config bytes check records scan kernels platform memory fault sched stream
 *   allocates: yes  threads: no   I/O: no
 * ========================================================================== */

#define BSI_READER_MAX_RECORD_BYTES ((uint64_t)64 << 20)

/*
 * Scanning: pages in, records out, each contiguous. A record that a page cuts off is carried to the
 * next one: into the room in front of it, or, when it is longer than that, into a buffer of its
 * own, where it stays until it is complete.
 *
 *     page 1:  ....@r7 AAC|      page 2:  room [@r7 AAC|GT..+..IIIII.@r8 ...     (moved in front)
 *     long:    [@r9 ........ page 3 ........ page 4 ..|.. ]  then on in page 5 behind the record's end
 */
typedef struct bsi_reader_scan {
    bsi_records records;
    bsi_scan fast;
    biost_allocator allocator;
    /* where records come from now: [at, end) of the page, or of the long buffer */
    uint8_t *text;
    size_t text_bytes, position;
    int in_long;
    size_t page_at;             /* bytes of the page that `text` holds, or has taken in */
    /* the text carried over, in the page before or in the long buffer */
    const uint8_t *carry;
    size_t carry_bytes;
    /* the long buffer */
    uint8_t *long_text;
    uint64_t long_capacity, long_most;
    /* which record the member under way starts in */
    uint64_t member_start, member_record;
    int member_known;
} bsi_reader_scan;

/* Longest the long buffer can get: a whole record and the page that was appended to complete it. */
static uint64_t bsi_reader_long_most(uint64_t max_record_bytes, uint64_t page_bytes) {
    return bsi_bytes_round_up(bsi_bytes_add(max_record_bytes, page_bytes + BSI_PADDING_BYTES + 16),
                              BSI_MEMORY_ALIGN);
}

static uint64_t bsi_reader_long_first(uint64_t most, uint64_t page_bytes) {
    return BSI_MIN(most,
                   bsi_bytes_round_up(2 * (BSI_STREAM_ROOM_BYTES + page_bytes), BSI_MEMORY_ALIGN));
}

/* The next size, from `size` on, that holds `wanted` bytes, or the most. */
static uint64_t bsi_reader_long_up(uint64_t size, uint64_t wanted, uint64_t most) {
    while (size < wanted && size < most) {
        size = size >= most / 2 ? most : 2 * size;
    }
    return size;
}

/*
 * The most the long buffer and, while it grows, the one before it hold: sizes double from the first
 * to the most.
 */
static uint64_t bsi_reader_long_peak(uint64_t max_record_bytes, uint64_t page_bytes) {
    uint64_t most = bsi_reader_long_most(max_record_bytes, page_bytes);
    uint64_t size = bsi_reader_long_first(most, page_bytes);
    if (size == most) {
        return most;
    }
    while (size < most / 2) {
        size *= 2;
    }
    return bsi_bytes_add(most, BSI_MIN(size, most));
}

static void bsi_reader_scan_open(bsi_reader_scan *scan, const biost_allocator *allocator,
                                 uint64_t max_record_bytes, uint64_t page_bytes, uint32_t cpu) {
    memset(scan, 0, sizeof *scan);
    scan->allocator = *allocator;
    scan->long_most = bsi_reader_long_most(max_record_bytes, page_bytes);
    bsi_kernels_check(&scan->fast.kernels, cpu);
}

/* Begin a text: set the machine with bsi_records_begin or resume, then come here. */
static void bsi_reader_scan_arm(bsi_reader_scan *scan) {
    if (!scan->fast.general_only) {
        scan->records.span = scan->fast.kernels.span;
        scan->records.join = scan->fast.kernels.join;
    }
}

static void bsi_reader_scan_close(bsi_reader_scan *scan) {
    bsi_memory_free(&scan->allocator, scan->long_text, scan->long_capacity);
    scan->long_text = NULL;
    scan->long_capacity = 0;
}

/* Forget the text, for another input; the long buffer stays. */
static void bsi_reader_scan_clear(bsi_reader_scan *scan) {
    scan->text_bytes = 0;
    scan->position = 0;
    scan->in_long = 0;
    scan->carry = NULL;
    scan->carry_bytes = 0;
    scan->member_start = 0;
    scan->member_known = 0;
}

/* Whether the next page needs the long buffer. */
static int bsi_reader_scan_needs_long(const bsi_reader_scan *scan) {
    return scan->carry_bytes > BSI_STREAM_ROOM_BYTES;
}

/*
 * Make the long buffer hold `wanted` bytes, the carry first. Returns 0 with *out_refused set when
 * out of memory; then nothing has changed.
 */
static int bsi_reader_scan_grow(bsi_reader_scan *scan, uint64_t wanted, size_t page_bytes,
                                uint64_t *out_refused) {
    uint64_t size = scan->long_capacity;
    uint8_t *grown = NULL;
    if (size == 0) {
        size = bsi_reader_long_first(scan->long_most, page_bytes);
    }
    size = bsi_reader_long_up(size, wanted, scan->long_most);
    if (size < wanted) { /* no record the rules let through needs that */
        *out_refused = wanted;
        return 0;
    }
    if (size == scan->long_capacity) {
        if (scan->carry != scan->long_text) { /* not every memmove sees that there is nothing to do */
            memmove(scan->long_text, scan->carry, scan->carry_bytes);
        }
        return 1;
    }
    if (bsi_memory_is_lazy(&scan->allocator) && size >= BSI_MEMORY_LARGE_PAGE / 4) {
        uint64_t roomy = bsi_reader_long_up(size, BSI_READER_MAX_RECORD_BYTES, scan->long_most);
        grown = (uint8_t *)bsi_memory_alloc_lazy(roomy);
        size = grown != NULL ? roomy : size;
    }
    if (grown == NULL) {
        grown = (uint8_t *)bsi_memory_alloc(&scan->allocator, size);
    }
    if (grown == NULL) {
        *out_refused = size;
        return 0;
    }
    memcpy(grown, scan->carry, scan->carry_bytes);
    bsi_memory_free(&scan->allocator, scan->long_text, scan->long_capacity);
    scan->carry = grown;
    scan->long_text = grown;
    scan->long_capacity = size;
    return 1;
}

/*
 * Go on to a page. The page before must still hold the carry; afterwards it is needed no more. The
 * long buffer is large enough: the records machine stops a record at max_record_bytes, so at most
 * that, one page and a few bytes are ever in it. Returns 0 with *out_refused set when out of
 * memory; then nothing has changed.
 */
static int bsi_reader_scan_enter(bsi_reader_scan *scan, const bsi_stream_page *page,
                                 size_t page_bytes, uint64_t *out_refused) {
    size_t carried = scan->carry_bytes;
    scan->in_long = 0;
    if (bsi_reader_scan_needs_long(scan)) {
        uint64_t wanted = (uint64_t)carried + page->text_bytes + BSI_PADDING_BYTES;
        if (!bsi_reader_scan_grow(scan, wanted, page_bytes, out_refused)) {
            return 0;
        }
        scan->page_at = scan->records.phase == BSI_RECORDS_BASES ? 0 : page->text_bytes;
        memcpy(scan->long_text + carried, page->text, scan->page_at);
        scan->text = scan->long_text;
        scan->in_long = 1;
    } else {
        scan->page_at = page->text_bytes;
        scan->text = page->text - carried;
        if (carried > 0 && scan->text != scan->carry) { /* where it stands in a mapped file */
            memmove(scan->text, scan->carry, carried);
        }
    }
    bsi_scan_clear(&scan->fast);
    scan->text_bytes = carried + scan->page_at;
    scan->position = 0;
    scan->carry = NULL;
    scan->carry_bytes = 0;
    if (page->member_start != scan->member_start) {
        scan->member_start = page->member_start;
        scan->member_known = 0;
    }
    return 1;
}

/*
 * A record was taken from the long buffer. When all that was carried into it is used up, the rest is
 * scanned in the page, where it stands too; blank lines may have been carried behind the record.
 */
static void bsi_reader_scan_leave_long(bsi_reader_scan *scan, const bsi_stream_page *page) {
    size_t left = scan->text_bytes - scan->position;
    if (left <= scan->page_at) {
        bsi_scan_clear(&scan->fast);
        scan->text = page->text + (scan->page_at - left);
        scan->text_bytes = page->text_bytes - (scan->page_at - left);
        scan->page_at = page->text_bytes;
        scan->position = 0;
        scan->in_long = 0;
    }
}

/*
 * In the long buffer, a FASTA record that the text at hand does not end: take more of the page in.
 * Plain lines are joined right behind the bases; what else there is comes as it is, a line at a time,
 * for the machine to judge. 0: the page is used up.
 */
static int bsi_reader_scan_feed(bsi_reader_scan *scan, const bsi_stream_page *page) {
    bsi_records *records = &scan->records;
    const uint8_t *end = page->text + page->text_bytes, *from = page->text + scan->page_at, *feed;
    size_t bytes;
    if (from == end) {
        return 0;
    }
    if (records->phase == BSI_RECORDS_BASES && records->seq_bases > 0 && records->runs == 0 &&
        scan->position + records->line_offset == scan->text_bytes) {
        from += bsi_records_join_from(records, scan->text + scan->position, from, end, &bytes);
        scan->text_bytes = scan->position + bytes;
    }
    feed = records->phase == BSI_RECORDS_BASES ? bsi_bytes_find(from, end, '\n') : end;
    bytes = (size_t)(feed - from) + (feed != end);
    memcpy(scan->text + scan->text_bytes, from, bytes);
    scan->text_bytes += bytes;
    scan->page_at = (size_t)(from + bytes - page->text);
    return 1;
}

/* What is left at the end of a page is carried to the next. */
static void bsi_reader_scan_carry(bsi_reader_scan *scan) {
    scan->carry = scan->text + scan->position;
    scan->carry_bytes = scan->text_bytes - scan->position;
}

/* A record, or run, that reaches behind the start of the member under way: it starts in this one. */
static void bsi_reader_note_member(bsi_reader_scan *scan, uint64_t record, uint64_t text_end) {
    if (!scan->member_known && text_end > scan->member_start) {
        scan->member_record = record;
        scan->member_known = 1;
    }
}

/*
 * The next record, or run, of the page entered, by the general parser. *out_first is its first byte;
 * offsets in the view count from there. It stays valid until the page, or the long buffer if
 * scan->in_long was set before the call, is used again. NEED_TEXT: the page is used up, and what it
 * cuts off is noted for the next one.
 */
static bsi_records_status bsi_reader_scan_next(bsi_reader_scan *scan, const bsi_stream_page *page,
                                               bsi_records_view *out_view, uint8_t **out_first) {
    int ended = page->ends_input && page->bad.fault == BIOST_FAULT_NONE;
    bsi_records_status status;
    do {
        status = bsi_records_next(&scan->records, scan->text, scan->text_bytes,
                                  ended && scan->page_at == page->text_bytes, &scan->position,
                                  out_view);
    } while (status == BSI_RECORDS_NEED_TEXT && bsi_reader_scan_feed(scan, page));
    if (status == BSI_RECORDS_NEED_TEXT) {
        bsi_reader_scan_carry(scan);
    } else if (status == BSI_RECORDS_RECORD || status == BSI_RECORDS_RUN) {
        *out_first = scan->text + out_view->start;
        bsi_reader_note_member(scan, out_view->record,
                               scan->records.text_offset + scan->records.dropped);
        if (scan->in_long) {
            bsi_reader_scan_leave_long(scan, page);
        }
    }
    return status;
}

/* Count the statistics of a record; qual NULL: FASTA. */
static void bsi_reader_count(const bsi_scan *scan, const uint8_t *seq, const uint8_t *qual,
                             size_t bases, biost_stats *out_stats) {
    memset(out_stats, 0, sizeof *out_stats);
    if (qual == NULL) {
        scan->kernels.count(seq, bases, out_stats);
    } else {
        (void)scan->kernels.spans_stats(seq, qual, bases, 33, out_stats);
    }
}

/* Enter a record that the general parser gave; offsets count from table->text. */
static void bsi_reader_add_row(bsi_scan_table *table, const bsi_scan *scan, const uint8_t *first,
                               const bsi_records_view *view) {
    biost_record_row *row = &table->rows[table->count];
    size_t start = (size_t)(first - table->text);
    if (table->count == 0) {
        table->record = view->record;
        table->line = view->line;
        table->text_offset = view->text_offset;
        table->start_base = view->start_base;
    }
    row->start = (uint32_t)start;
    row->title_bytes = (uint32_t)view->title_bytes;
    row->seq = (uint32_t)(start + view->seq_offset);
    row->bases = (uint32_t)view->seq_bases;
    row->qual = view->qual_offset == 0 ? 0 : (uint32_t)(start + view->qual_offset);
    row->line = (uint32_t)(view->line - table->line);
    row->text_offset = (uint32_t)(view->text_offset - table->text_offset);
    row->flags = (view->title_offset == 0 ? (uint32_t)BIOST_RUN_STARTED : 0u) |
                 (view->goes_on ? (uint32_t)BIOST_RUN_GOES_ON : 0u);
    if (table->words != NULL) {
        const uint8_t *title = first + view->title_offset;
        table->words[table->count] =
            (uint32_t)(bsi_check_blank(title, title + view->title_bytes) - title);
    }
    if (table->stats != NULL) {
        bsi_reader_count(scan, first + view->seq_offset,
                         view->qual_offset == 0 ? NULL : first + view->qual_offset, view->seq_bases,
                         &table->stats[table->count]);
    }
    table->count += 1;
}

/* What plainly are records, from a border on. */
static void bsi_reader_add_plain(bsi_reader_scan *scan, bsi_scan_table *table) {
    const bsi_records *records = &scan->records;
    uint32_t i = table->count;
    if (table->count == 0) {
        table->record = records->record;
        table->line = records->line;
        table->text_offset = records->text_offset;
        table->start_base = 0;
    }
    bsi_scan_rows(&scan->fast, &scan->records, scan->text_bytes, &scan->position, table);
    for (; i < table->count && !scan->member_known; ++i) {
        uint64_t text_end = i + 1 < table->count ? table->text_offset + table->rows[i + 1].text_offset
                                                 : records->text_offset;
        bsi_reader_note_member(scan, table->record + i, text_end);
    }
}

/* How a FASTA record that a page cuts off is given. */
enum {
    BSI_READER_WHOLE = 0,       /* when all of it is there */
    BSI_READER_RUNS = 1,        /* as runs, the last of a page in a table of its own */
    BSI_READER_REST = 2         /* whole, but what is left of one begun as runs */
};

/*
 * Records of the page entered into an empty table; rows, stats and capacity are the caller's. Row i is
 * record table->record + i.
 *
 *   runs      in   how a FASTA record that the page cuts off is given
 *   out_view  out  of a row that lies in the long buffer, which is then the only one; *out_first is
 *                  its first byte. Else *out_first is NULL
 *
 * Returns: RECORD when the table is full or its only row is long, or a run that is not a record's
 *          first; else what follows the rows: NEED_TEXT, SKIPPED, END or BAD. All of these but
 *          SKIPPED come again.
 */
static bsi_records_status bsi_reader_scan_rows(bsi_reader_scan *scan, const bsi_stream_page *page,
                                               int runs, bsi_scan_table *table,
                                               bsi_records_view *out_view, uint8_t **out_first) {
    table->count = 0;
    table->text = scan->text;
    *out_first = NULL;
    while (table->count < table->capacity) {
        bsi_records_view view;
        bsi_records_status status;
        uint8_t *first = NULL;
        int from_long = scan->in_long;
        if (!from_long && bsi_scan_can_start(&scan->fast, &scan->records)) {
            bsi_reader_add_plain(scan, table);
            if (table->count == table->capacity) {
                break;
            }
        }
        scan->records.runs = runs == BSI_READER_RUNS ? (table->count > 0 ? 1 : 2)
                             : runs == BSI_READER_REST && scan->records.title_is_out ? 2
                                                                                    : 0;
        status = bsi_reader_scan_next(scan, page, &view, &first);
        if (status != BSI_RECORDS_RECORD && status != BSI_RECORDS_RUN) {
            return status;
        }
        if (from_long) {
            *out_view = view;
            *out_first = first;
            table->text = first;
        }
        bsi_reader_add_row(table, &scan->fast, first, &view);
        if (from_long || view.title_offset == 0) {
            break; /* what follows may be 4 GiB behind the start of this record */
        }
    }
    return BSI_RECORDS_RECORD;
}

/*
 * The fault that ends the records: the text's own, or the stream's with the place in the text where
 * it struck.
 */
static void bsi_reader_scan_fault(const bsi_reader_scan *scan, const bsi_stream_page *page,
                                  bsi_bad *out_bad) {
    const bsi_records *records = &scan->records;
    int inside;
    if (records->bad.fault != BIOST_FAULT_NONE) {
        *out_bad = records->bad;
        return;
    }
    *out_bad = page->bad;
    inside = records->phase > BSI_RECORDS_BORDER; /* else the text ended between two records */
    out_bad->record = records->record;
    out_bad->line = inside ? records->line : 0;
    out_bad->text_offset = page->text_end;
    if (out_bad->fault != BIOST_FAULT_CHANGED && out_bad->fault != BIOST_FAULT_READ) {
        out_bad->b = scan->member_known ? scan->member_record + 1
                     : inside           ? records->record + 1
                                        : 0;
        if (page->member_start == page->text_end) {
            out_bad->b = 0; /* nothing of the member at fault came out */
        }
    }
}

/*
 * Bases of a FASTA record cut off by a fault that stand on whole good lines before it, at
 * records.seq_offset behind its first byte.
 */
static size_t bsi_reader_scan_partial(const bsi_reader_scan *scan, uint8_t **out_first) {
    const bsi_records *records = &scan->records;
    if (records->format != BIOST_FORMAT_FASTA) {
        return 0;
    }
    *out_first = scan->text + scan->position;
    return records->bad.fault != BIOST_FAULT_NONE ? records->partial_bases : records->seq_bases;
}

/* ---- the reader object -------------------------------------------------------- */

/*
 * Tables of records lie in slots. One slot is that of the calls that give one record at a time; the
 * others are lent as pages. A page of text is given back to the stream when neither the scan nor a
 * slot holds it any more:
 *
 *     scan ------------------> text page 7      holds 2
 *     slot 0, being read ----> text page 7
 *     slot 1, lent ----------> text page 6      holds 2
 *     slot 2, lent ----------> text page 6
 *
 * A record longer than a page lies in the scan's long buffer; its slot takes that buffer over.
 */
#define BSI_READER_ROWS 1024u
#define BSI_READER_FEW_ROWS 64u /* for calls that give one at a time: their text stays in the first cache */
#define BSI_READER_PAGES 2u
#define BSI_READER_MAX_PAGES 1024u

typedef struct bsi_reader_slot {
    bsi_scan_table table;
    uint32_t at;                /* first row not handed out */
    bsi_stream_page *page;      /* held; NULL: none */
    uint8_t *long_text;         /* [long_capacity] */
    uint64_t long_capacity;
    bsi_records_view view;      /* of the only row, where is_long */
    int is_long;
    /* shared, under the stream's lock */
    uint32_t generation;
    int lent;
} bsi_reader_slot;

struct biost_reader {
    biost_allocator allocator;
    biost_log log;
    biost_stream *stream;
    int owns_stream;
    uint64_t own_bytes;         /* of the block this lies in */
    bsi_reader_scan scan;
    bsi_stream_page *page;      /* scanned now; NULL: none yet */
    uint32_t row_capacity;      /* of each table */
    bsi_reader_slot *slots;     /* [slot_count] one more than may be lent */
    uint32_t slot_count;
    bsi_reader_slot *now;       /* read row by row; NULL: none */
    int in_record;              /* the run handed out last goes on */
    uint64_t text_bytes;
    biost_result ended;         /* END or the error's code; OK: it goes on */
    biost_error error;
    /* shared, under the stream's lock */
    uint32_t *holds;            /* [pages of the stream] */
    uint32_t lent_count;
};

static uint32_t *bsi_reader_holds(biost_reader *reader, const bsi_stream_page *page) {
    return &reader->holds[page - reader->stream->pipe.pages];
}

static void bsi_reader_hold(biost_reader *reader, const bsi_stream_page *page) {
    bsi_platform_lock(&reader->stream->sched.lock);
    *bsi_reader_holds(reader, page) += 1;
    bsi_platform_unlock(&reader->stream->sched.lock);
}

/* Under lock: hold a page no more. */
static void bsi_reader_drop(biost_reader *reader, bsi_stream_page *page) {
    biost_stream *stream = reader->stream;
    *bsi_reader_holds(reader, page) -= 1;
    if (*bsi_reader_holds(reader, page) == 0) {
        bsi_stream_give_back(&stream->pipe, page);
        bsi_stream_advance(&stream->pipe);
        bsi_sched_wake_one(&stream->sched);
    }
}

static void bsi_reader_let_go(biost_reader *reader, bsi_stream_page *page) {
    bsi_platform_lock(&reader->stream->sched.lock);
    bsi_reader_drop(reader, page);
    bsi_sched_unlock(&reader->stream->sched);
}

/* The next page of text: of a stream that was read before, what is left of its page first. */
static biost_result bsi_reader_take_page(biost_reader *reader, bsi_stream_page **out_page) {
    biost_stream *stream = reader->stream;
    if (stream->page != NULL) {
        *out_page = stream->page;
        stream->page->text += stream->position;
        stream->page->text_bytes -= stream->position;
        stream->page = NULL;
        stream->position = 0;
        return BIOST_OK;
    }
    return stream->ended != BIOST_OK ? stream->ended : bsi_stream_next(stream, out_page);
}

static void bsi_reader_raise(biost_reader *reader, const bsi_bad *bad, int32_t os_error) {
    bsi_fault_raise(&reader->error, bad, reader->stream->input.name, 0, os_error);
    reader->ended = reader->error.code;
}

static void bsi_reader_raise_memory(biost_reader *reader, uint64_t refused) {
    bsi_fault_raise_plain(&reader->error, BIOST_FAULT_MEMORY, NULL, refused);
    reader->ended = reader->error.code;
}

/* The page scanned is used up: take the next one, enter it, and let the one before go. */
static void bsi_reader_turn_page(biost_reader *reader) {
    bsi_stream_page *before = reader->page, *page = NULL;
    uint64_t refused = 0;
    reader->ended = bsi_reader_take_page(reader, &page);
    if (reader->ended < 0) { /* of a stream given that failed before */
        reader->error = reader->stream->error;
    }
    if (reader->ended != BIOST_OK) {
        return;
    }
    bsi_reader_hold(reader, page);
    if (before == NULL) {
        reader->scan.records.text_offset = page->text_end - page->text_bytes;
    }
    if (!bsi_reader_scan_enter(&reader->scan, page, reader->stream->pipe.plan.page_capacity,
                               &refused)) {
        bsi_reader_raise_memory(reader, refused);
    }
    reader->text_bytes += page->text_bytes;
    reader->page = page;
    if (before != NULL) {
        bsi_reader_let_go(reader, before);
    }
}

/*
 * A row lies in the long buffer. The slot takes that over; or, should more records lie in it, a copy.
 * Returns 0 with the error raised.
 */
static int bsi_reader_keep_long(biost_reader *reader, bsi_reader_slot *slot) {
    bsi_reader_scan *scan = &reader->scan;
    uint64_t bytes = bsi_bytes_round_up((uint64_t)slot->view.text_bytes + BSI_PADDING_BYTES,
                                        BSI_MEMORY_ALIGN);
    if (!scan->in_long) {
        uint8_t *text = slot->long_text;
        uint64_t capacity = slot->long_capacity;
        slot->long_text = scan->long_text;
        slot->long_capacity = scan->long_capacity;
        scan->long_text = text;
        scan->long_capacity = capacity;
        return 1;
    }
    if (slot->long_capacity < bytes) {
        bsi_memory_free(&reader->allocator, slot->long_text, slot->long_capacity);
        slot->long_capacity = 0;
        slot->long_text = (uint8_t *)bsi_memory_alloc(&reader->allocator, bytes);
        if (slot->long_text == NULL) {
            bsi_reader_raise_memory(reader, bytes);
            return 0;
        }
        slot->long_capacity = bytes;
    }
    memcpy(slot->long_text, slot->table.text, slot->view.text_bytes);
    slot->table.text = slot->long_text;
    return 1;
}

/* A slot that is not lent, empty: the one read row by row, if there is one. */
static bsi_reader_slot *bsi_reader_free_slot(biost_reader *reader) {
    bsi_reader_slot *slot = reader->now;
    uint32_t i;
    bsi_platform_lock(&reader->stream->sched.lock);
    for (i = 0; slot == NULL; ++i) {
        slot = reader->slots[i].lent ? NULL : &reader->slots[i];
    }
    if (slot->page != NULL) {
        bsi_reader_drop(reader, slot->page);
        slot->page = NULL;
    }
    bsi_sched_unlock(&reader->stream->sched);
    slot->table.count = 0;
    slot->at = 0;
    slot->is_long = 0;
    if (reader->scan.long_text == NULL) {
        reader->scan.long_text = slot->long_text;
        reader->scan.long_capacity = slot->long_capacity;
        slot->long_text = NULL;
        slot->long_capacity = 0;
    }
    return slot;
}

/* A bad record was left out: say so. */
static void bsi_reader_tell_skip(const biost_reader *reader) {
    biost_error error;
    if (reader->log.line != NULL) {
        memset(&error, 0, sizeof error);
        bsi_fault_raise(&error, &reader->scan.records.skipped_bad, reader->stream->input.name, 0, 0);
        reader->log.line(error.code, error.text, reader->log.user_data);
    }
}

/* Rows of the page entered into the slot; where there are none, go on one step. */
static void bsi_reader_step(biost_reader *reader, bsi_reader_slot *slot, int runs) {
    const bsi_stream_page *page = reader->page;
    bsi_records_status status = BSI_RECORDS_NEED_TEXT;
    uint8_t *first = NULL;
    if (page != NULL) {
        status = bsi_reader_scan_rows(&reader->scan, page, runs, &slot->table, &slot->view, &first);
    }
    if (status == BSI_RECORDS_SKIPPED) {
        bsi_reader_tell_skip(reader);
    }
    if (slot->table.count > 0) {
        slot->is_long = first != NULL;
        if (slot->is_long && !bsi_reader_keep_long(reader, slot)) {
            slot->table.count = 0;
        } else if (!slot->is_long) {
            slot->page = reader->page;
            bsi_reader_hold(reader, slot->page);
        }
    } else if (status == BSI_RECORDS_END) {
        reader->ended = BIOST_END;
    } else if (status == BSI_RECORDS_BAD ||
               (status == BSI_RECORDS_NEED_TEXT && page != NULL &&
                page->bad.fault != BIOST_FAULT_NONE)) {
        bsi_bad bad;
        bsi_reader_scan_fault(&reader->scan, page, &bad);
        bsi_reader_raise(reader, &bad, page->os_error);
    } else if (status == BSI_RECORDS_NEED_TEXT) {
        bsi_reader_turn_page(reader);
    }
}

/*
 * The slot whose row `at` is next, with at least one row left and `most` at most; NULL:
 * reader->ended says why. An error is told to the log once, by the call that finds it.
 */
static bsi_reader_slot *bsi_reader_rows(biost_reader *reader, int runs, uint32_t most) {
    bsi_reader_slot *slot = reader->now;
    if (slot != NULL && slot->at < slot->table.count) {
        return slot;
    }
    if (reader->ended != BIOST_OK) {
        return NULL;
    }
    slot = bsi_reader_free_slot(reader);
    slot->table.capacity = BSI_MIN(most, reader->row_capacity);
    reader->now = slot;
    while (slot->table.count == 0 && reader->ended == BIOST_OK) {
        bsi_reader_step(reader, slot, runs);
    }
    if (reader->ended < 0 && reader->log.line != NULL) {
        reader->log.line(reader->ended, reader->error.text, reader->log.user_data);
    }
    return slot->table.count > 0 ? slot : NULL;
}

/* The comment of a title whose name is known. */
BSI_INLINE void bsi_reader_fill_comment(biost_record *out_record, size_t name) {
    size_t comment = bsi_records_comment(out_record->title_bytes, name + out_record->name_bytes);
    out_record->name = out_record->title + name;
    out_record->comment = out_record->title + comment;
    out_record->comment_bytes = out_record->title_bytes - comment;
}

/* A title's words, looked for. */
BSI_NOINLINE static void bsi_reader_find_words(biost_record *out_record) {
    size_t name;
    bsi_records_name((const uint8_t *)out_record->title, out_record->title_bytes, &name,
                     &out_record->name_bytes);
    bsi_reader_fill_comment(out_record, name);
}

/*
 * A title's words. title and title_bytes are set.
 *   word  in  its bytes before the first blank; 0: not known, or it starts with one
 */
BSI_INLINE void bsi_reader_fill_words(biost_record *out_record, size_t word) {
    if (BSI_UNLIKELY(word == 0)) {
        bsi_reader_find_words(out_record);
        return;
    }
    out_record->name_bytes = word;
    bsi_reader_fill_comment(out_record, 0);
}

/* Row `index` of a page as a record, or a run of one; words are not filled. */
BSI_INLINE void bsi_reader_fill_row(biost_record *out_record, const char *text,
                                    const biost_record_row *row) {
    out_record->title = text + row->start + !(row->flags & (uint32_t)BIOST_RUN_STARTED);
    out_record->title_bytes = row->title_bytes;
    out_record->seq = text + row->seq;
    out_record->seq_bases = row->bases;
    out_record->qual = row->qual == 0 ? NULL : text + row->qual;
}

/* The next row of a slot, and step over it; its words are not filled. */
BSI_INLINE void bsi_reader_take_row(biost_reader *reader, bsi_reader_slot *slot,
                                    biost_record *out_record) {
    const bsi_scan_table *table = &slot->table;
    uint32_t at = slot->at;
    const biost_record_row *row = &table->rows[at];
    bsi_reader_fill_row(out_record, (const char *)table->text, row);
    out_record->id = table->record + at;
    out_record->line = table->line + row->line;
    out_record->text_offset = table->text_offset + row->text_offset;
    out_record->stats = table->stats == NULL ? NULL : &table->stats[at];
    reader->in_record = (row->flags & (uint32_t)BIOST_RUN_GOES_ON) != 0;
    slot->at = at + 1;
}

/* The next row of a slot, which may lie in the long buffer, and step over it. */
static void bsi_reader_hand_out(biost_reader *reader, bsi_reader_slot *slot,
                                biost_record *out_record) {
    const char *text = (const char *)slot->table.text;
    bsi_reader_take_row(reader, slot, out_record);
    if (slot->is_long) { /* it may be longer than a row can say */
        const bsi_records_view *view = &slot->view;
        out_record->title_bytes = view->title_bytes;
        out_record->seq = text + view->seq_offset;
        out_record->seq_bases = view->seq_bases;
        out_record->qual = view->qual_offset == 0 ? NULL : text + view->qual_offset;
    }
    bsi_reader_fill_words(out_record, 0);
}

/* Step over what is left of a record begun by next_run or next_page. */
static bsi_reader_slot *bsi_reader_whole_rows(biost_reader *reader) {
    int runs = reader->in_record ? BSI_READER_REST : BSI_READER_WHOLE;
    bsi_reader_slot *slot = bsi_reader_rows(reader, runs, BSI_READER_FEW_ROWS);
    while (slot != NULL && reader->in_record) {
        const biost_record_row *row = &slot->table.rows[slot->at];
        if (!(row->flags & (uint32_t)BIOST_RUN_STARTED)) {
            reader->in_record = 0; /* the rest of that record was bad, and left out */
            break;
        }
        reader->in_record = (row->flags & (uint32_t)BIOST_RUN_GOES_ON) != 0;
        slot->at += 1;
        slot = bsi_reader_rows(reader, runs, BSI_READER_FEW_ROWS);
    }
    return slot;
}

/* See biost_reader_next: at the end of a slot, in one that is long, or inside a record. */
BSI_NOINLINE static biost_result bsi_reader_next_slot(biost_reader *reader,
                                                      biost_record *out_record) {
    bsi_reader_slot *slot = reader->now;
    if (slot == NULL || slot->at == slot->table.count || reader->in_record) {
        slot = bsi_reader_whole_rows(reader);
        if (slot == NULL) {
            memset(out_record, 0, sizeof *out_record);
            return reader->ended;
        }
    }
    bsi_reader_hand_out(reader, slot, out_record);
    return BIOST_OK;
}

/* See biost_reader_next. Most calls find a row and the length of its name. */
static biost_result bsi_reader_next(biost_reader *reader, biost_record *out_record) {
    bsi_reader_slot *slot = reader->now;
    uint32_t word;
    if (BSI_UNLIKELY(slot == NULL || slot->at == slot->table.count || reader->in_record ||
                     slot->is_long)) {
        return bsi_reader_next_slot(reader, out_record);
    }
    word = slot->table.words[slot->at];
    bsi_reader_take_row(reader, slot, out_record);
    bsi_reader_fill_words(out_record, word);
    return BIOST_OK;
}

/* See biost_reader_next_run. */
static biost_result bsi_reader_next_run(biost_reader *reader, biost_run *out_run) {
    bsi_reader_slot *slot = bsi_reader_rows(reader, BSI_READER_RUNS, BSI_READER_FEW_ROWS);
    int starts_inside;
    if (slot == NULL) {
        memset(out_run, 0, sizeof *out_run);
        return reader->ended;
    }
    out_run->start_base = slot->at == 0 ? slot->table.start_base : 0;
    starts_inside = (slot->table.rows[slot->at].flags & (uint32_t)BIOST_RUN_STARTED) != 0;
    bsi_reader_hand_out(reader, slot, &out_run->record);
    out_run->is_first = !starts_inside;
    out_run->is_last = !reader->in_record;
    return BIOST_OK;
}

/* See biost_reader_next_page. */
static biost_result bsi_reader_next_page(biost_reader *reader, biost_record_page *out_page) {
    biost_stream *stream = reader->stream;
    bsi_reader_slot *slot;
    bsi_scan_table *table;
    uint32_t lent_count;
    bsi_platform_lock(&stream->sched.lock);
    lent_count = reader->lent_count;
    bsi_platform_unlock(&stream->sched.lock);
    slot = reader->now;
    if (reader->ended != BIOST_OK && (slot == NULL || slot->at == slot->table.count)) {
        return reader->ended;
    }
    if (lent_count + 1 == reader->slot_count) {
        return BIOST_ERR_SLOTS;
    }
    slot = bsi_reader_rows(reader, BSI_READER_RUNS, UINT32_MAX);
    if (slot == NULL) {
        return reader->ended;
    }
    if (slot->is_long && slot->view.text_bytes > UINT32_MAX) {
        return BIOST_ERR_UNSUPPORTED;
    }
    table = &slot->table;
    out_page->text = (const char *)table->text;
    out_page->rows = table->rows + slot->at;
    out_page->stats = table->stats == NULL ? NULL : table->stats + slot->at;
    out_page->row_count = table->count - slot->at;
    out_page->format = reader->scan.records.format;
    out_page->id = table->record + slot->at;
    out_page->line = table->line;
    out_page->text_offset = table->text_offset;
    out_page->start_base = slot->at == 0 ? table->start_base : 0;
    out_page->slot = (uint32_t)(slot - reader->slots);
    reader->in_record = (table->rows[table->count - 1].flags & (uint32_t)BIOST_RUN_GOES_ON) != 0;
    reader->now = NULL;
    bsi_platform_lock(&stream->sched.lock);
    out_page->generation = ++slot->generation;
    slot->lent = 1;
    reader->lent_count += 1;
    bsi_platform_unlock(&stream->sched.lock);
    return BIOST_OK;
}

/* See biost_reader_release_page. */
static biost_result bsi_reader_release_page(biost_reader *reader, const biost_record_page *page) {
    biost_result result = BIOST_ERR_ARG;
    bsi_reader_slot *slot = page->slot < reader->slot_count ? &reader->slots[page->slot] : NULL;
    bsi_platform_lock(&reader->stream->sched.lock);
    if (slot != NULL && slot->lent && slot->generation == page->generation &&
        page->text == (const char *)slot->table.text) {
        slot->lent = 0;
        reader->lent_count -= 1;
        if (slot->page != NULL) {
            bsi_reader_drop(reader, slot->page);
            slot->page = NULL;
        }
        result = BIOST_OK;
    }
    bsi_sched_unlock(&reader->stream->sched);
    return result;
}

/* See biost_record_page_get. */
static void bsi_reader_page_get(const biost_record_page *page, uint32_t index, biost_run *out_run) {
    const biost_record_row *row = &page->rows[index];
    biost_record *record = &out_run->record;
    bsi_reader_fill_row(record, page->text, row);
    bsi_reader_fill_words(record, 0);
    record->id = page->id + index;
    record->line = page->line + row->line;
    record->text_offset = page->text_offset + row->text_offset;
    record->stats = page->stats == NULL ? NULL : &page->stats[index];
    out_run->start_base = index == 0 ? page->start_base : 0;
    out_run->is_first = !(row->flags & (uint32_t)BIOST_RUN_STARTED);
    out_run->is_last = !(row->flags & (uint32_t)BIOST_RUN_GOES_ON);
}

/* See biost_reader_progress. */
static void bsi_reader_progress(biost_reader *reader, biost_record_progress *out_progress) {
    biost_stream *stream = reader->stream;
    out_progress->text_bytes = reader->text_bytes;
    out_progress->record_count = reader->scan.records.good_count;
    out_progress->skipped_count = reader->scan.records.skipped_count;
    out_progress->blank_count = reader->scan.records.blank_count;
    bsi_platform_lock(&stream->sched.lock);
    out_progress->source_bytes = stream->pipe.source_bytes;
    out_progress->source_total_bytes = stream->progress.source_total_bytes;
    bsi_platform_unlock(&stream->sched.lock);
}

/* Pages held go back to a stream that stays open, and it learns that its last one was taken. */
static void bsi_reader_return_pages(biost_reader *reader) {
    biost_stream *stream = reader->stream;
    uint32_t i;
    if (reader->page != NULL && reader->page->ends_input && stream->ended == BIOST_OK) {
        stream->ended = bsi_stream_finish(stream, reader->page);
    }
    bsi_platform_lock(&stream->sched.lock);
    for (i = 0; i < stream->pipe.plan.page_count; ++i) {
        if (reader->holds[i] > 0) {
            bsi_stream_give_back(&stream->pipe, &stream->pipe.pages[i]);
        }
    }
    bsi_stream_advance(&stream->pipe);
    bsi_sched_unlock(&stream->sched);
}

static void bsi_reader_close(biost_reader *reader) {
    biost_allocator allocator = reader->allocator;
    uint32_t i;
    if (reader->owns_stream) {
        bsi_stream_close(reader->stream);
    } else {
        bsi_reader_return_pages(reader);
    }
    for (i = 0; i < reader->slot_count; ++i) {
        bsi_memory_free(&allocator, reader->slots[i].long_text, reader->slots[i].long_capacity);
    }
    bsi_reader_scan_close(&reader->scan);
    bsi_memory_free(&allocator, reader, reader->own_bytes);
}

/* Whether any byte of a struct, zeroed before it was filled, is set. */
static int bsi_reader_is_set(const void *fields, size_t bytes) {
    const uint8_t *at = (const uint8_t *)fields;
    while (bytes > 0 && *at == 0) {
        ++at;
        --bytes;
    }
    return bytes > 0;
}

/* What is wrong with rules of text, or NULL. */
static const char *bsi_reader_check_text(const biost_text *text) {
    if ((uint32_t)text->letters > (uint32_t)BIOST_LETTERS_PROTEIN) {
        return "desc.text.letters is none of BIOST_LETTERS_*";
    }
    if (text->replace_letters && text->letters == BIOST_LETTERS_ANY) {
        return "desc.text.replace_letters needs desc.text.letters";
    }
    return NULL;
}

/* What is wrong with a desc, naming the fields, or NULL; what a stream checks is left to it. */
static const char *bsi_reader_check(const biost_reader_desc *desc) {
    if (desc == NULL) {
        return "desc is NULL";
    }
    if (desc->memory.data == NULL && desc->memory.bytes > 0) {
        return "desc.memory.data is NULL";
    }
    if ((desc->path != NULL) + (desc->memory.data != NULL) + (desc->callback.read != NULL) +
            (desc->stream != NULL) != 1) {
        return "name the input by one of desc.path, desc.memory, desc.callback and desc.stream";
    }
    if (desc->test.page_bytes > 0 && desc->test.page_bytes < 16) {
        return "desc.test.page_bytes is below 16";
    }
    if (desc->stream != NULL) {
        if (bsi_reader_is_set(&desc->gzip, sizeof desc->gzip) || desc->workers > 0 ||
            desc->jobs.submit != NULL || desc->files.open != NULL || desc->map ||
            desc->test.page_bytes > 0 || desc->test.chunk_bytes > 0 || desc->test.order_seed > 0 ||
            desc->test.ahead != BIOST_AHEAD_AUTO) {
            return "desc.gzip, workers, jobs, files, map, test.page_bytes, chunk_bytes and order_seed "
                   "are those of desc.stream: leave them 0";
        }
    }
    if (desc->page_count > BSI_READER_MAX_PAGES) {
        return "desc.page_count is over 1024";
    }
    return bsi_reader_check_text(&desc->text);
}

/* Open the stream a reader of its own reads. What that finds wrong the reader tells. */
static biost_stream *bsi_reader_open_stream(const biost_reader_desc *desc, biost_error *error) {
    uint32_t more = BSI_MAX(desc->page_count, BSI_READER_PAGES) - BSI_READER_PAGES;
    uint32_t workers = BSI_MIN(desc->workers, BSI_SCHED_MAX_WORKERS + 1);
    biost_stream_desc own;
    memset(&own, 0, sizeof own);
    own.path = desc->path;
    own.memory = desc->memory;
    own.callback = desc->callback;
    own.gzip = desc->gzip;
    own.workers = desc->workers;
    own.jobs = desc->jobs;
    own.files = desc->files;
    own.map = desc->map;
    own.allocator = desc->allocator;
    own.test.page_bytes = desc->test.page_bytes;
    own.test.chunk_bytes = desc->test.chunk_bytes;
    own.test.page_count = BSI_READER_PAGES + 2 + (workers > 1 ? workers : 0) + more;
    own.test.cpu_hidden = desc->test.cpu_hidden;
    own.test.ahead = desc->test.ahead;
    own.test.order_seed = desc->test.order_seed;
    return bsi_stream_open(&own, error);
}

/* The reader, its slots and their tables lie in one block. */
static biost_reader *bsi_reader_reserve(const biost_reader_desc *desc, uint32_t stream_pages,
                                        bsi_memory_layout *layout, bsi_reader_slot **out_slots,
                                        uint32_t *out_slot_count, uint32_t **out_holds) {
    uint32_t rows = desc->test.row_count > 0 ? desc->test.row_count : BSI_READER_ROWS, i;
    uint32_t lent = desc->page_count > 0 ? desc->page_count : BSI_READER_PAGES;
    biost_reader *reader = (biost_reader *)bsi_memory_reserve(layout, 1, sizeof(biost_reader));
    *out_slot_count = BSI_MIN(lent, BSI_MAX(stream_pages, 3) - 2) + 1; /* two pages are the scan's */
    *out_slots = (bsi_reader_slot *)bsi_memory_reserve(layout, *out_slot_count,
                                                       sizeof(bsi_reader_slot));
    *out_holds = (uint32_t *)bsi_memory_reserve(layout, stream_pages, sizeof(uint32_t));
    for (i = 0; i < *out_slot_count; ++i) {
        bsi_scan_table table;
        memset(&table, 0, sizeof table);
        table.rows = (biost_record_row *)bsi_memory_reserve(layout, rows, sizeof(biost_record_row));
        table.words = (uint32_t *)bsi_memory_reserve(layout, rows, sizeof(uint32_t));
        if (desc->stats) {
            table.stats = (biost_stats *)bsi_memory_reserve(layout, rows, sizeof(biost_stats));
        }
        if (layout->base != NULL) {
            memset(&(*out_slots)[i], 0, sizeof(bsi_reader_slot));
            (*out_slots)[i].table = table;
        }
    }
    return reader;
}

/* Pages held by the caller must not count as those that serial text may have in flight. */
static void bsi_reader_allow_pages(biost_reader *reader) {
    bsi_stream_pipe *pipe = &reader->stream->pipe;
    bsi_platform_lock(&reader->stream->sched.lock);
    pipe->plan.serial_pages = BSI_MAX(pipe->plan.serial_pages, reader->slot_count + 2);
    bsi_platform_unlock(&reader->stream->sched.lock);
}

/* Look at the text until its format is known, or it cannot be. */
static void bsi_reader_settle(biost_reader *reader) {
    bsi_reader_scan *scan = &reader->scan;
    while (reader->ended == BIOST_OK) {
        const bsi_stream_page *page = reader->page;
        if (page != NULL) {
            bsi_records_text text;
            text.from = scan->text;
            text.bytes = scan->text_bytes;
            text.ended = page->ends_input && page->bad.fault == BIOST_FAULT_NONE;
            if (bsi_records_settle(&scan->records, &text, &scan->position) || page->ends_input) {
                return;
            }
            bsi_reader_scan_carry(scan);
        }
        bsi_reader_turn_page(reader);
    }
}

/* See biost_reader_open. Returns NULL with the error raised. */
static biost_reader *bsi_reader_open(const biost_reader_desc *desc, biost_error *error) {
    const char *wrong = bsi_reader_check(desc);
    bsi_memory_layout layout = {NULL, 0};
    bsi_reader_slot *slots;
    biost_allocator allocator;
    biost_stream *stream;
    biost_reader *reader;
    uint32_t slot_count, *holds, pages;
    uint64_t max_record_bytes;
    wrong = wrong == NULL ? bsi_stream_check_hooks(&desc->allocator, &desc->files) : wrong;
    if (wrong != NULL) {
        bsi_fault_raise_plain(error, BIOST_FAULT_ARGUMENT, wrong, 0);
        return NULL;
    }
    stream = desc->stream != NULL ? desc->stream : bsi_reader_open_stream(desc, error);
    if (stream == NULL) {
        return NULL;
    }
    allocator = bsi_memory_allocator(&desc->allocator);
    pages = stream->pipe.plan.page_count;
    (void)bsi_reader_reserve(desc, pages, &layout, &slots, &slot_count, &holds);
    layout.base = (uint8_t *)bsi_memory_alloc(&allocator, layout.bytes);
    if (layout.base == NULL) {
        bsi_fault_raise_plain(error, BIOST_FAULT_MEMORY, NULL, layout.bytes);
        if (desc->stream == NULL) {
            bsi_stream_close(stream);
        }
        return NULL;
    }
    layout.bytes = 0;
    reader = bsi_reader_reserve(desc, pages, &layout, &slots, &slot_count, &holds);
    memset(reader, 0, sizeof *reader);
    memset(holds, 0, pages * sizeof *holds);
    reader->allocator = allocator;
    reader->log = desc->log;
    reader->stream = stream;
    reader->owns_stream = desc->stream == NULL;
    reader->own_bytes = layout.bytes;
    reader->slots = slots;
    reader->slot_count = slot_count;
    reader->row_capacity = desc->test.row_count > 0 ? desc->test.row_count : BSI_READER_ROWS;
    reader->holds = holds;
    max_record_bytes =
        desc->max_record_bytes > 0 ? desc->max_record_bytes : BSI_READER_MAX_RECORD_BYTES;
    bsi_reader_scan_open(&reader->scan, &allocator, max_record_bytes,
                         stream->pipe.plan.page_capacity,
                         stream->pipe.plan.cpu & ~desc->test.cpu_hidden);
    reader->scan.fast.general_only = desc->test.general;
    bsi_reader_allow_pages(reader);
    bsi_records_begin(&reader->scan.records, max_record_bytes);
    bsi_records_set_rules(&reader->scan.records, &desc->text);
    bsi_reader_scan_arm(&reader->scan);
    bsi_reader_settle(reader);
    if (reader->ended == BIOST_ERR_NOMEM) {
        *error = reader->error;
        bsi_reader_close(reader);
        return NULL;
    }
    return reader;
}

/* ==========================================================================
 * >>pairs   records that belong together, from several readers
 *   uses: config bytes memory fault reader
 *   allocates: yes  threads: no   I/O: no
 *
 * In step: one record of each reader, whose views stay valid until its own next call, so nothing is
 * copied. Alternating: the mates come from one reader, and all but the last are copied before the
 * next one is read.
 * ========================================================================== */

#define BSI_PAIRS_MOST 16u          /* readers, or mates of one */

/* A record kept while its mates are read. */
typedef struct bsi_pairs_copy {
    uint8_t *text;              /* title, sequence, quality */
    uint64_t capacity;
    biost_stats stats;
} bsi_pairs_copy;

struct biost_pairs {
    biost_allocator allocator;
    biost_log log;
    biost_reader *readers[BSI_PAIRS_MOST];
    uint64_t counts[BSI_PAIRS_MOST]; /* records that each reader gave */
    uint32_t reader_count;      /* 1: mates alternate in it */
    uint32_t mates;
    int ignore_names;
    uint32_t warnings;
    biost_result ended;         /* END, CANCELLED or the error's code; OK: it goes on */
    biost_error error;
    bsi_pairs_copy copies[BSI_PAIRS_MOST]; /* of each mate but the last, where they alternate */
};

static const char *bsi_pairs_input(const biost_reader *reader) {
    return reader->stream->input.name;
}

/* An input's name in a sentence about two: at most 60 characters and three dots. */
static void bsi_pairs_put_input(bsi_fault_writer *writer, const biost_reader *reader) {
    const char *name = bsi_pairs_input(reader);
    bsi_fault_put_end(writer, name, strlen(name), 60);
}

/* ---- names ---- */

/* Whether names are equal, or differ only in a last character 1, 2 or 3 behind one of / . _ : */
static int bsi_pairs_names_belong(const biost_record *a, const biost_record *b) {
    size_t last = a->name_bytes - 1;
    if (a->name_bytes != b->name_bytes) {
        return 0;
    }
    if (a->name_bytes == 0 || memcmp(a->name, b->name, a->name_bytes) == 0) {
        return 1;
    }
    return last > 0 && memcmp(a->name, b->name, last) == 0 &&
           memchr("/._:", a->name[last - 1], 4) != NULL && memchr("123", a->name[last], 3) != NULL &&
           memchr("123", b->name[last], 3) != NULL;
}

/* The read number that starts a comment, as in "1:N:0:ATCACG"; 0: there is none. */
static char bsi_pairs_read_number(const biost_record *record) {
    const char *comment = record->comment;
    return record->comment_bytes >= 2 && comment[0] >= '0' && comment[0] <= '9' && comment[1] == ':'
               ? comment[0]
               : '\0';
}

/* Raise PAIR_NAME; the four names in the sentence are cut as far as it needs. */
static biost_result bsi_pairs_raise_name(biost_pairs *pairs, const biost_record *records,
                                         uint32_t mate) {
    const biost_record *record = &records[mate];
    uint32_t index = pairs->reader_count == 1 ? 0 : mate;
    const char *first = bsi_pairs_input(pairs->readers[0]);
    const char *second = bsi_pairs_input(pairs->readers[index]);
    bsi_bad bad = {BIOST_FAULT_PAIR_NAME, 0, record->id, record->line, record->text_offset,
                   0, 0, 0, NULL};
    bsi_fault_writer writer;
    size_t most = 80;
    do {
        writer = bsi_fault_begin(&pairs->error, &bad, index, 0);
        bsi_fault_put_end(&writer, second, strlen(second), most);
        bsi_fault_put_text(&writer, &bad);
        bsi_fault_put(&writer, '\'');
        bsi_fault_put_end(&writer, record->name, record->name_bytes, most);
        bsi_fault_put_words(&writer, "' does not belong to '");
        bsi_fault_put_end(&writer, records[0].name, records[0].name_bytes, most);
        bsi_fault_put(&writer, '\'');
        if (strcmp(first, second) != 0) {
            bsi_fault_put_words(&writer, " of ");
            bsi_fault_put_end(&writer, first, strlen(first), most);
        }
    } while (writer.at == writer.end && --most > 0);
    *writer.at = '\0';
    return pairs->error.code;
}

/*
 * Hold each mate against the first. Where all comments say the same read, one file was given for
 * all; of three and more some may agree, as index reads are numbered from 1 too.
 */
static biost_result bsi_pairs_compare(biost_pairs *pairs, const biost_record *records) {
    char number = bsi_pairs_read_number(&records[0]);
    uint32_t i;
    for (i = 1; i < pairs->mates; ++i) {
        if (!pairs->ignore_names && !bsi_pairs_names_belong(&records[0], &records[i])) {
            return bsi_pairs_raise_name(pairs, records, i);
        }
        if (bsi_pairs_read_number(&records[i]) != number) {
            number = '\0';
        }
    }
    if (number != '\0') {
        pairs->warnings |= BIOST_WARN_SAME_READ;
    }
    return BIOST_OK;
}

/* ---- counts ---- */

/* "NAME has 12", or "more than 12" where the reader failed behind those. */
static void bsi_pairs_put_count(bsi_fault_writer *writer, const biost_pairs *pairs,
                                uint32_t index) {
    int failed = pairs->readers[index]->error.code != BIOST_OK;
    bsi_pairs_put_input(writer, pairs->readers[index]);
    bsi_fault_put_words(writer, failed ? " has more than " : " has ");
    bsi_fault_put_number(writer, pairs->counts[index]);
}

/* Raise PAIR_COUNT: a rest of alternating mates, or the first reader against another. */
static biost_result bsi_pairs_raise_count(biost_pairs *pairs, uint32_t shortest, uint32_t other) {
    bsi_bad bad = {BIOST_FAULT_PAIR_COUNT, 0, pairs->counts[shortest], 0, 0, 0, 0, 0, NULL};
    bsi_fault_writer writer = bsi_fault_begin(&pairs->error, &bad, shortest, 0);
    bsi_pairs_put_count(&writer, pairs, 0);
    bsi_fault_put_words(&writer, pairs->counts[0] == 1 ? " record, " : " records, ");
    if (pairs->reader_count == 1) {
        bsi_fault_put_words(&writer, "which is no multiple of ");
        bsi_fault_put_number(&writer, pairs->mates);
    } else {
        bsi_pairs_put_count(&writer, pairs, other);
        bsi_fault_put_words(&writer, ": ");
        bsi_fault_put_row(&writer, &bad);
    }
    *writer.at = '\0';
    return pairs->error.code;
}

/*
 * Some ended and some did not: read all to their ends, then name the first reader and the shortest,
 * or, if that is the first, the first that is longer. One that gave a record where another ended
 * has more, so two differ.
 */
static biost_result bsi_pairs_count_rest(biost_pairs *pairs) {
    uint32_t shortest = 0, other, i;
    for (i = 0; i < pairs->reader_count; ++i) {
        biost_record record;
        biost_result result;
        while ((result = bsi_reader_next(pairs->readers[i], &record)) == BIOST_OK) {
            ++pairs->counts[i];
        }
        if (result == BIOST_CANCELLED) {
            return result;
        }
        if (pairs->counts[i] < pairs->counts[shortest]) {
            shortest = i;
        }
    }
    other = shortest;
    while (pairs->reader_count > 1 && pairs->counts[other] == pairs->counts[0]) {
        ++other;
    }
    return bsi_pairs_raise_count(pairs, shortest, other);
}

/* ---- reading ---- */

/* Hold `wanted` bytes; what was there may be lost. Returns 0 with MEMORY raised. */
static int bsi_pairs_grow(biost_pairs *pairs, bsi_pairs_copy *copy, uint64_t wanted) {
    uint64_t size = bsi_bytes_round_up(BSI_MAX(wanted, 2 * copy->capacity), 1024);
    if (wanted <= copy->capacity) {
        return 1;
    }
    bsi_memory_free(&pairs->allocator, copy->text, copy->capacity);
    copy->text = (uint8_t *)bsi_memory_alloc(&pairs->allocator, size);
    copy->capacity = copy->text != NULL ? size : 0;
    if (copy->text == NULL) {
        bsi_fault_raise_plain(&pairs->error, BIOST_FAULT_MEMORY, NULL, size);
    }
    return copy->text != NULL;
}

/* Make a record's views outlive the reader's next call. Returns 0 with MEMORY raised. */
static int bsi_pairs_keep(biost_pairs *pairs, bsi_pairs_copy *copy, biost_record *record) {
    const char *title = record->title;
    size_t qual_bytes = record->qual != NULL ? record->seq_bases : 0;
    uint64_t wanted = (uint64_t)record->title_bytes + record->seq_bases + qual_bytes;
    char *to;
    if (!bsi_pairs_grow(pairs, copy, wanted + BSI_PADDING_BYTES)) {
        return 0;
    }
    to = (char *)copy->text;
    memcpy(to, title, record->title_bytes);
    record->title = to;
    record->name = to + (record->name - title);
    record->comment = to + (record->comment - title);
    to += record->title_bytes;
    memcpy(to, record->seq, record->seq_bases);
    record->seq = to;
    if (record->qual != NULL) {
        record->qual = (const char *)memcpy(to + record->seq_bases, record->qual, qual_bytes);
    }
    if (record->stats != NULL) {
        copy->stats = *record->stats;
        record->stats = &copy->stats;
    }
    return 1;
}

/* A record of each reader, or the next ones of the only reader. */
static biost_result bsi_pairs_read(biost_pairs *pairs, biost_record *out_records) {
    uint32_t ended = 0, i;
    for (i = 0; i < pairs->mates; ++i) {
        uint32_t index = pairs->reader_count == 1 ? 0 : i;
        biost_result result = bsi_reader_next(pairs->readers[index], &out_records[i]);
        if (result < 0) {
            pairs->error = pairs->readers[index]->error;
            pairs->error.path_index = index;
        }
        if (result != BIOST_OK && result != BIOST_END) {
            return result;
        }
        ended += result == BIOST_END;
        pairs->counts[index] += result == BIOST_OK;
        if (result == BIOST_OK && pairs->reader_count == 1 && i + 1 < pairs->mates &&
            !bsi_pairs_keep(pairs, &pairs->copies[i], &out_records[i])) {
            return pairs->error.code;
        }
    }
    if (ended > 0) {
        return ended == pairs->mates ? BIOST_END : bsi_pairs_count_rest(pairs);
    }
    return bsi_pairs_compare(pairs, out_records);
}

/* See biost_pairs_next. */
static biost_result bsi_pairs_next(biost_pairs *pairs, biost_record *out_records) {
    if (pairs->ended == BIOST_OK) {
        pairs->ended = bsi_pairs_read(pairs, out_records);
        if (pairs->ended < 0 && pairs->log.line != NULL) {
            pairs->log.line(pairs->ended, pairs->error.text, pairs->log.user_data);
        }
    }
    if (pairs->ended != BIOST_OK) {
        memset(out_records, 0, pairs->mates * sizeof *out_records);
    }
    return pairs->ended;
}

static void bsi_pairs_close(biost_pairs *pairs) {
    biost_allocator allocator = pairs->allocator;
    uint32_t i;
    for (i = 0; i < BSI_PAIRS_MOST; ++i) {
        bsi_memory_free(&allocator, pairs->copies[i].text, pairs->copies[i].capacity);
    }
    bsi_memory_free(&allocator, pairs, sizeof *pairs);
}

/* ---- opening ---- */

/* What is wrong with a desc but for its readers' formats, naming the fields, or NULL. */
static const char *bsi_pairs_check(const biost_pairs_desc *desc) {
    uint32_t i, k;
    if (desc == NULL || desc->readers == NULL) {
        return desc == NULL ? "desc is NULL" : "desc.readers is NULL";
    }
    if (desc->reader_count == 0 || desc->reader_count > BSI_PAIRS_MOST) {
        return "desc.reader_count is not in 1..16";
    }
    if (desc->reader_count == 1 && (desc->mates == 1 || desc->mates > BSI_PAIRS_MOST)) {
        return "desc.mates is not in 2..16, and desc.reader_count is 1";
    }
    if (desc->reader_count > 1 && desc->mates != 0 && desc->mates != desc->reader_count) {
        return "desc.mates is neither 0 nor desc.reader_count";
    }
    for (i = 0; i < desc->reader_count; ++i) {
        for (k = 0; k < i && desc->readers[k] != desc->readers[i]; ++k) {
        }
        if (k < i || desc->readers[i] == NULL) {
            return "desc.readers holds NULL, or a reader twice";
        }
    }
    if ((desc->allocator.alloc == NULL) != (desc->allocator.free == NULL)) {
        return "desc.allocator needs both alloc and free, or neither";
    }
    return NULL;
}

/* Raise FORMAT if two readers are of different formats; one without records fits any. */
static void bsi_pairs_check_formats(const biost_pairs_desc *desc, biost_error *error) {
    bsi_bad bad = {BIOST_FAULT_FORMAT, 0, 0, 0, 0, 0, 0, 0, NULL};
    const biost_reader *first = desc->readers[0];
    uint32_t i;
    for (i = 1; i < desc->reader_count && error->code == BIOST_OK; ++i) {
        const biost_reader *reader = desc->readers[i];
        biost_format format = first->scan.records.format, other = reader->scan.records.format;
        if (format == BIOST_FORMAT_EMPTY) {
            first = reader;
        } else if (other != BIOST_FORMAT_EMPTY && other != format) {
            int is_fasta = format == BIOST_FORMAT_FASTA;
            bsi_fault_writer writer = bsi_fault_begin(error, &bad, i, 0);
            bsi_pairs_put_input(&writer, first);
            bsi_fault_put_words(&writer, is_fasta ? " is FASTA, " : " is FASTQ, ");
            bsi_pairs_put_input(&writer, reader);
            bsi_fault_put_words(&writer, is_fasta ? " is FASTQ" : " is FASTA");
            bsi_fault_put_words(&writer, ": inputs that belong together must be of one format");
            *writer.at = '\0';
        }
    }
}

/* See biost_pairs_open. Returns NULL with the error raised. */
static biost_pairs *bsi_pairs_open(const biost_pairs_desc *desc, biost_error *error) {
    const char *wrong = bsi_pairs_check(desc);
    biost_allocator allocator;
    biost_pairs *pairs;
    if (wrong != NULL) {
        bsi_fault_raise_plain(error, BIOST_FAULT_ARGUMENT, wrong, 0);
    } else {
        bsi_pairs_check_formats(desc, error);
    }
    if (error->code != BIOST_OK) {
        return NULL;
    }
    allocator = bsi_memory_allocator(&desc->allocator);
    pairs = (biost_pairs *)bsi_memory_alloc(&allocator, sizeof *pairs);
    if (pairs == NULL) {
        bsi_fault_raise_plain(error, BIOST_FAULT_MEMORY, NULL, sizeof *pairs);
        return NULL;
    }
    memset(pairs, 0, sizeof *pairs);
    pairs->allocator = allocator;
    pairs->log = desc->log;
    memcpy(pairs->readers, desc->readers, desc->reader_count * sizeof pairs->readers[0]);
    pairs->reader_count = desc->reader_count;
    pairs->mates = desc->reader_count > 1 ? desc->reader_count : BSI_MAX(desc->mates, 2);
    pairs->ignore_names = desc->ignore_names;
    return pairs;
}

/* ==========================================================================
 * >>loader   records -> shuffled, augmented, encoded batches in slots
 *   uses: config bytes hash frame records scan rng order token encode filter augment kernels
 *         platform memory fault sched source stream reader
 *   allocates: yes  threads: no   I/O: reads files
 *
 * The pipe of >>stream brings pages of text in order; two serial stages hand them on, and two
 * parallel ones work on them. Each serial stage has a ticket, the number of the page it takes next.
 *
 *     scan      page -> rows                 serial     needs a page that is ready
 *     check     rows -> pieces of each row   parallel   needs a scanned page
 *     sequence  pieces -> places in batches  serial     needs a checked page, slots, units (and cells)
 *     encode    rows -> tensors              parallel   a unit: rows of one page, or of one batch's cells
 *
 *     page:  FREE -> TAKEN -> SCANNED -> CHECKED -> DRAINING -> FREE, and back to the pipe
 *                      ^-------- its row table was too small: once more --'
 *     slot:  free -> filling -> closed, units outstanding -> ready -> held by the caller -> free
 *                                         released while exported: kept until the last deleter --^
 *
 * Which fields belong to whom: a serial stage owns its own state while its task runs; what finish()
 * shares is read and written under the lock. The sequencer works on slots, units and cells that it
 * owns, and gets used ones back under the lock before it is started (bsi_loader_advance). Nothing
 * is allocated after open but the buffer of long records.
 *
 * Two epochs may be under way. `drain` is the one whose batches the caller takes, `fill` the one whose
 * records are read: the same, until all of its rows are encoded and no task is left. Then the pipe is set
 * to its start, for the next epoch, while batches of the last one wait in their slots.
 * ========================================================================== */

#define BSI_LOADER_ANCHORS 96u         /* kept at a time; see bsi_loader_add_anchor */
#define BSI_LOADER_UNIT_BYTES (512u * 1024u) /* of tensor an encode unit writes, about */
#define BSI_LOADER_DIRECT_UNITS 96u    /* encode units where rows come straight from pages */
#define BSI_LOADER_ROW_TEXT_BYTES 64u  /* a row table fits records of this much text each */
#define BSI_LOADER_SCAN_ROWS 64u       /* taken from the scan at a time */
#define BSI_LOADER_LABEL_BYTES (1024u * 1024u) /* of a page's labels, about */
#define BSI_LOADER_TENSORS 4u          /* most in a batch: one of each biost_role */
#define BSI_LOADER_AHEAD 6u            /* cells asked for before their turn */
#define BSI_LOADER_DRAWS 16u           /* samples whose turns are drawn at a time */
#define BSI_LOADER_POINTS_BYTES BSI_MIB(16) /* checkpoint_bytes by default */
#define BSI_LOADER_HAS_QUAL (1u << 31) /* of a cell's flags, private: it holds qualities */

/* Stages of the scheduler, above those of the pipe; the deepest runs first. */
enum {
    BSI_LOADER_SCAN = BSI_STREAM_STAGES,
    BSI_LOADER_CHECK,
    BSI_LOADER_SEQUENCE,
    BSI_LOADER_ENCODE
};

/* The desc with every default filled in, and what follows from it. */
typedef struct bsi_loader_plan {
    biost_loader_desc desc;     /* pointers to inputs and token are NULL */
    uint32_t input_count, rank_rows;
    int in_memory;              /* the inputs lie in memory */
    uint32_t row_limit;         /* most bases of a row */
    uint32_t columns;           /* of a row; 0: known when a batch is closed */
    uint32_t column_room;       /* columns a slot has room for in a row */
    uint32_t crop;              /* longer records show a random crop of so many bases; 0: none do */
    bsi_stream_plan stream;
    uint32_t row_table;         /* rows a page's table holds */
    uint32_t rows_per_unit;     /* most rows an encode unit writes */
    uint32_t units, units_per_slot; /* in all; a slot's own, where samples are stowed */
    uint32_t cells;             /* samples that may wait; 0 unless stowed */
    int stowed;                 /* samples wait in cells, not in pages */
    bsi_filter filter;
    int filters_whole;          /* a filter or label needs the whole record */
    int counts_stats;           /* a filter, or a callback, needs biost_stats */
    int keeps_all;              /* there is no filter and no label */
    int keeps_quality;          /* rows carry their qualities */
    int bare;                   /* rows are bases alone, whole records as they stand */
    const char *quality_field;  /* what needs qualities; NULL: nothing does */
    uint32_t quality_bytes;     /* of one base in the tensor of qualities; 0: there is none */
    uint32_t label_bytes;       /* of one row's label; 0: there is none */
    uint32_t name_bytes;        /* most bytes of a name; 0: there are none */
    uint32_t cell_label, cell_seq, cell_qual, cell_name, cell_bytes; /* a cell: its head, then these */
    uint64_t desc_hash;
    biost_encoder encoder;
} bsi_loader_plan;

/* One record in a page's table. */
typedef struct bsi_loader_row {
    uint8_t *seq;               /* [bases], in the page or in the long buffer */
    uint8_t *qual;              /* [bases]; NULL: FASTA */
    const uint8_t *title;       /* [title_bytes]; where names are wanted, from check on the name alone */
    uint32_t title_bytes;
    uint32_t bases;
    uint32_t pieces;            /* samples of it; 0: a filter dropped it */
    uint32_t drop;              /* which, where pieces is 0 */
    uint32_t line;              /* 1-based line of its title, behind that of the page's first row */
    uint32_t text;              /* its first byte, likewise */
} bsi_loader_row;

/* The head of a cell, a sample that waits for its row: label, seq, qual and name lie behind it. */
typedef struct bsi_loader_cell {
    int64_t id, start_base;
    uint32_t piece, bases;
    uint32_t flags;             /* BIOST_ROW_*, BSI_LOADER_HAS_QUAL */
    uint32_t name_bytes;
} bsi_loader_cell;

typedef enum bsi_loader_page_state {
    BSI_LOADER_PAGE_FREE = 0,
    BSI_LOADER_PAGE_TAKEN,
    BSI_LOADER_PAGE_SCANNED,
    BSI_LOADER_PAGE_CHECKED,
    BSI_LOADER_PAGE_DRAINING
} bsi_loader_page_state;

typedef struct bsi_loader_page {
    bsi_sched_task check;             /* first: a task pointer is a page pointer */
    /* set when it is taken */
    bsi_stream_page *text;
    int first_of_input, ends_epoch;
    /* set by scan and check */
    bsi_loader_row *rows;       /* [plan.row_table] */
    uint8_t *labels;            /* [plan.row_table][plan.label_bytes] */
    uint32_t row_count;
    uint32_t skipped;           /* bad records left out while it was scanned */
    uint32_t stop_row;          /* first row too long for a batch; row_count: none */
    uint32_t longest;           /* bases of the longest row */
    int all_single;             /* each row is one sample */
    bsi_token_anchor anchor;    /* the first row's record; sample not yet set */
    int scanned_before;         /* not for the first time */
    int more_text;              /* its table was full: it is scanned again */
    int holds_long;             /* a row lies in the long buffer */
    int partial_row;            /* the last row is the good start of a bad record */
    int has_bad;
    bsi_bad bad;                /* behind the last row */
    uint32_t warnings;
    /* shared, under lock */
    bsi_loader_page_state state;
    uint32_t outstanding;       /* units that still read it */
    int carry_wanted;           /* the next page's scan will copy its end */
} bsi_loader_page;

typedef enum bsi_loader_held {
    BSI_LOADER_LENT = 1,        /* by the caller; exported, perhaps */
    BSI_LOADER_KEPT = 2         /* by exports alone: the caller released it */
} bsi_loader_held;

typedef struct bsi_loader_slot {
    struct bsi_loader_slot *next; /* in the sequencer's lists */
    /* what a consumer of tensors needs: one block, never read back but for digests */
    uint8_t *memory;            /* its start */
    int32_t *lengths;           /* [rank_rows] */
    uint8_t *x;                 /* [rank_rows] rows of `columns` columns */
    uint8_t *quality;           /* likewise, [rank_rows][columns][quality_bytes] */
    uint8_t *mask;              /* [rank_rows][columns] */
    uint8_t *labels;            /* [rank_rows][label_bytes] */
    uint64_t slab_bytes;        /* of it, to the end of the last tensor */
    /* in the loader's block */
    biost_row *origins;         /* [rank_rows] */
    char *names;                /* [rank_rows][name_bytes + 1] */
    uint32_t *name_offsets;     /* [rank_rows] the same of every slot */
    uint32_t *cells;            /* [batch_rows] of the global batch, when stowed */
    struct bsi_loader_unit *units; /* [units_per_slot], when stowed */
    biost_tensor tensors[BSI_LOADER_TENSORS];
    uint32_t tensor_count;
    /* sequencer, while it fills the batch; constant from closing on */
    uint64_t epoch, batch;
    uint32_t global_rows;       /* rows of the global batch placed so far */
    uint32_t longest;           /* bases of its longest row */
    uint32_t first_row;         /* this rank's slice starts there in the global batch */
    uint32_t rows, valid_rows, flags;
    uint32_t columns;           /* of its rows */
    uint64_t tick, tick_rows;   /* behind its last row */
    bsi_token_anchor anchor;    /* to resume behind it */
    /* shared, under lock */
    uint32_t generation, outstanding;
    uint32_t home;              /* the thread that wrote its last rows; see bsi_sched_task */
    int closed;
    int held;                   /* 0, or bsi_loader_held */
    uint64_t digest;
} bsi_loader_slot;

/* Rows to encode: of a page, from (page_row, piece) on, or of the slot's cells. */
typedef struct bsi_loader_unit {
    bsi_sched_task task;              /* first: a task pointer is a unit pointer */
    struct bsi_loader_unit *next;
    bsi_loader_slot *slot;
    bsi_loader_page *page;      /* NULL: the rows are in cells */
    uint32_t first_row, row_count; /* in the slot */
    uint32_t page_row, piece;
    uint64_t digest;            /* sum over its rows */
} bsi_loader_unit;

typedef enum bsi_loader_block { /* what the sequencer waits for */
    BSI_LOADER_BLOCK_PAGE = 0,
    BSI_LOADER_BLOCK_SLOT,
    BSI_LOADER_BLOCK_UNIT
} bsi_loader_block;

typedef struct bsi_loader_sequencer {
    bsi_sched_task task;
    uint64_t ticket;            /* page under way */
    uint32_t row, piece;        /* next sample in it */
    int page_entered, page_done;
    uint64_t sample;            /* number of the next sample */
    uint64_t batch;             /* number of the batch under way, or the next */
    bsi_loader_slot *open;      /* batch under way */
    bsi_rng_key shuffle_key;
    bsi_order order;
    uint32_t pending;           /* cells whose turn has come, in order */
    uint64_t tick, tick_rows;   /* tick under way, rows of it handed out */
    uint64_t skip_tick, skip_rows; /* after a resume: what was handed out before the token */
    uint64_t skip_samples;      /* and behind a last batch all samples up to this */
    int resuming;               /* the epoch was entered by a token */
    int rest_taken, ended;      /* all samples have their turn; all batches are closed */
    bsi_loader_block blocked;
    uint32_t anchor_count;
    bsi_token_anchor anchors[BSI_LOADER_ANCHORS]; /* oldest first */
    /* what it may use */
    bsi_loader_slot *free_slots;
    bsi_loader_unit *free_units;
    uint32_t *free_cells;       /* [plan.cells], a stack */
    uint32_t free_cell_count;
    /* what this run made, for finish() */
    bsi_loader_unit *made_units, **made_units_end;
    bsi_loader_slot *closed_slots;
    uint64_t made_samples, made_dropped[BIOST_DROP_COUNT], tail_dropped;
    biost_error error;          /* the fault that ended the samples */
} bsi_loader_sequencer;

/* What a slot's exports share. */
typedef struct bsi_loader_kept {
    struct bsi_loader_keeper *keeper;
    uint64_t export_count;      /* under the keeper's lock */
    uint8_t *memory;            /* likewise; the slot's, once the loader was closed before them */
} bsi_loader_kept;

/*
 * The part of a loader that lives as long as its last export, whose deleter may be called by any thread at
 * any time. Lock order: the keeper's, then the scheduler's. A deleter takes the second under the first, so
 * close, which takes both, comes before or behind it; see bsi_sched_unlock for calls asked of a host.
 */
typedef struct bsi_loader_keeper {
    bsi_platform_mutex lock;
    uint64_t process;           /* as bsi_sched.process */
    biost_allocator allocator, slot_allocator;
    uint64_t own_bytes, slot_bytes;
    bsi_loader_kept *slots;     /* [plan.slots], behind this struct */
    /* under lock */
    struct biost_loader *loader; /* NULL: it is being closed */
    uint64_t reference_count;   /* the loader, and each export */
} bsi_loader_keeper;

/* An epoch as its batches are known. */
typedef struct bsi_loader_epoch {
    uint64_t number;
    int ended;                  /* its last batch is known */
    uint64_t batch_count;       /* then: number of the last batch, and 1 */
    biost_error error;          /* then: behind the last batch */
    biost_progress progress;
} bsi_loader_epoch;

struct biost_loader {
    bsi_loader_plan plan;
    biost_allocator allocator, slot_allocator;
    biost_log log;
    uint64_t own_bytes, slot_bytes;
    biost_format format;
    bsi_source_input *inputs;   /* [plan.input_count] */
    biost_files files;
    uint64_t input_hash;
    int has_input_hash;
    bsi_token resume;           /* the token given at open */
    int has_resume;             /* it still waits for the first begin */
    int sched_is_open;
    bsi_sched sched;
    bsi_augment augment;        /* keys of the epoch that fills */
    bsi_hash_kernels hash;
    bsi_stream_pipe pipe;
    uint64_t skip_text_bytes;   /* of the first input, after a resume */
    /* scan */
    bsi_sched_task scan_task;
    bsi_reader_scan scan;
    uint64_t scan_ticket;
    int scan_done, resume_scan;
    int scan_fresh;             /* the next page is the first of its input */
    biost_format scan_format;   /* of the records so far */
    bsi_token_anchor scan_anchor;
    uint64_t scan_visited;      /* records so far */
    uint64_t scan_skipped;      /* bad records left out so far */
    bsi_loader_page *pages;     /* [plan.stream.page_count] one for each of the pipe's */
    bsi_loader_sequencer sequencer;
    uint8_t *cells;             /* [plan.cells][plan.cell_bytes] */
    bsi_loader_slot *slots;     /* [plan.slots] */
    bsi_loader_unit *units;     /* [plan.units] */
    bsi_loader_keeper *keeper;  /* a block of its own */
    /* owner */
    uint64_t begun_ns;          /* time of the first begin */
    /* shared, under lock */
    bsi_sched_task *helped;     /* what the caller ran last */
    bsi_loader_page *carry_page; /* its end is wanted by the next scan; NULL: none */
    int long_held, cancelled, begun;
    bsi_loader_epoch epochs[2];
    bsi_loader_epoch *drain;    /* whose batches the caller takes */
    bsi_loader_epoch *fill;     /* whose records are read: the same one, or the next */
    uint64_t next_batch;        /* of drain */
    uint64_t batches_per_epoch; /* UINT64_MAX: not known yet */
    bsi_loader_slot *used_slots;
    bsi_loader_unit *used_units;
    uint32_t *used_cells;       /* [plan.cells] */
    uint32_t used_cell_count;
    uint32_t warnings;
    uint64_t source_total_bytes;
    int has_gzip;               /* an input is; set at open */
    biost_counters counters;    /* but for what the scheduler counts */
    uint64_t full_ns;           /* since when all slots wait for the caller; 0: they do not */
    biost_error error;          /* returned to the caller, and again and again */
    biost_error refusal;        /* of the owner's last call that was refused */
};

/* ---- plan: check the desc, fill in defaults ------------------------------- */

/* What is wrong with the inputs named, or NULL. */
static const char *bsi_loader_check_inputs(const biost_loader_desc *desc) {
    uint32_t i;
    if (desc == NULL) {
        return "desc is NULL";
    }
    if ((desc->path_count > 0) + (desc->memory_count > 0) + (desc->callback_count > 0) != 1) {
        return "desc names no inputs, or inputs of two kinds: give desc.paths and desc.path_count, or "
               "desc.memories and desc.memory_count, or desc.callbacks and desc.callback_count";
    }
    if (desc->path_count >= 1u << 23 || desc->memory_count >= 1u << 23 ||
        desc->callback_count >= 1u << 23) {
        return "desc.path_count, desc.memory_count or desc.callback_count is over 8388607";
    }
    if ((desc->path_count > 0 && desc->paths == NULL) ||
        (desc->memory_count > 0 && desc->memories == NULL) ||
        (desc->callback_count > 0 && desc->callbacks == NULL)) {
        return "desc.paths, desc.memories or desc.callbacks is NULL while its count is not 0";
    }
    for (i = 0; i < desc->path_count; ++i) {
        if (desc->paths[i] == NULL) {
            return "an entry of desc.paths is NULL";
        }
    }
    for (i = 0; i < desc->memory_count; ++i) {
        if (desc->memories[i].data == NULL && desc->memories[i].bytes > 0) {
            return "an entry of desc.memories has bytes but no data";
        }
    }
    for (i = 0; i < desc->callback_count; ++i) {
        if (desc->callbacks[i].read == NULL) {
            return "an entry of desc.callbacks has no read";
        }
    }
    if (desc->callback_count > 0 && desc->token != NULL) {
        return "desc.token needs inputs that can be entered anywhere; desc.callbacks cannot";
    }
    return NULL;
}

/* The most bases a row of this desc has. */
static uint32_t bsi_loader_row_limit(const biost_loader_desc *desc) {
    return desc->row_bases > 0       ? desc->row_bases
           : desc->max_row_bases > 0 ? desc->max_row_bases
                                     : 1024;
}

/* What is wrong with the fields that shape a batch, or NULL. */
static const char *bsi_loader_check_shape(const biost_loader_desc *desc) {
    uint32_t world = desc->world > 0 ? desc->world : 1;
    uint32_t batch_rows = desc->batch_rows > 0 ? desc->batch_rows : 256;
    if (batch_rows > 1048576) {
        return "desc.batch_rows is over 1048576";
    }
    if (desc->row_bases > 1u << 28 || desc->max_row_bases > 1u << 28) {
        return "desc.row_bases or desc.max_row_bases is over 268435456";
    }
    if (batch_rows % world != 0) {
        return "desc.world does not divide desc.batch_rows, which counts the rows of all ranks";
    }
    if (desc->rank >= world) {
        return "desc.rank is not below desc.world";
    }
    if ((uint32_t)desc->long_records > BIOST_LONG_CROP) {
        return "desc.long_records is no biost_long_records";
    }
    if ((uint32_t)desc->tail > BIOST_TAIL_DROP) {
        return "desc.tail is no biost_tail";
    }
    return desc->pad_multiple > 4096 ? "desc.pad_multiple is over 4096" : NULL;
}

/* What is wrong with the fields that say which bases of a record a row shows, or NULL. */
static const char *bsi_loader_check_pieces(const biost_loader_desc *desc) {
    uint32_t limit = bsi_loader_row_limit(desc);
    if (desc->long_records == BIOST_LONG_SPLIT && desc->row_bases == 0) {
        return "desc.long_records is BIOST_LONG_SPLIT, which needs desc.row_bases, and "
               "desc.row_bases is 0";
    }
    if (desc->split_stride > 0 && desc->long_records != BIOST_LONG_SPLIT) {
        return "desc.split_stride needs desc.long_records to be BIOST_LONG_SPLIT";
    }
    if (desc->split_stride > desc->row_bases) {
        return "desc.split_stride is over desc.row_bases: bases between two pieces would be lost";
    }
    if (desc->augment.crop_bases > 0 && desc->long_records == BIOST_LONG_SPLIT) {
        return "desc.augment.crop_bases and desc.long_records BIOST_LONG_SPLIT exclude one another";
    }
    if (desc->augment.crop_bases > limit) {
        return desc->row_bases > 0 ? "desc.augment.crop_bases is over desc.row_bases"
                                   : "desc.augment.crop_bases is over desc.max_row_bases";
    }
    return NULL;
}

/* What is wrong with the fields that say what tensors there are, or NULL. */
static const char *bsi_loader_check_tensors(const biost_loader_desc *desc) {
    const char *wrong = bsi_encode_check(&desc->encoding);
    if (wrong == NULL) {
        wrong = bsi_encode_check_quality(desc->quality.kind, desc->quality.dtype);
    }
    if (wrong != NULL) {
        return wrong;
    }
    if ((uint32_t)desc->labels.dtype > BIOST_DTYPE_I64) {
        return "desc.labels.dtype is no biost_dtype";
    }
    if (desc->labels.width > 65536) {
        return "desc.labels.width is over 65536";
    }
    if (desc->name_bytes > 65536) {
        return "desc.name_bytes is over 65536";
    }
    return desc->names && (uint64_t)desc->batch_rows * (desc->name_bytes + 1u) > UINT32_MAX
               ? "desc.batch_rows times desc.name_bytes is over 2^32: offsets of names have 32 bits"
               : NULL;
}

/* What is wrong with the other fields, or NULL. */
static const char *bsi_loader_check_rest(const biost_loader_desc *desc) {
    const char *wrong = bsi_filter_check(&desc->filter);
    if (wrong == NULL) {
        wrong = bsi_augment_check(&desc->augment);
    }
    if (wrong == NULL) {
        wrong = bsi_reader_check_text(&desc->text);
    }
    if (wrong != NULL) {
        return wrong;
    }
    if (desc->augment.reverse_complement > 0 && desc->text.letters == BIOST_LETTERS_PROTEIN) {
        return "desc.augment.reverse_complement needs nucleotides, and desc.text.letters is "
               "BIOST_LETTERS_PROTEIN";
    }
    if (desc->max_record_bytes >= (uint64_t)1 << 31) {
        return "desc.max_record_bytes is not below 2147483648";
    }
    if (desc->workers > BSI_SCHED_MAX_WORKERS || desc->slots > 1024) {
        return "desc.workers is over 256 or desc.slots over 1024";
    }
    if ((desc->token == NULL) != (desc->token_bytes == 0)) {
        return "desc.token and desc.token_bytes must both be given, or neither";
    }
    if ((desc->test.page_bytes > 0 && desc->test.page_bytes < 16) || desc->test.page_count == 1) {
        return "desc.test.page_bytes is below 16 or desc.test.page_count below 2";
    }
    if ((desc->slot_allocator.alloc == NULL) != (desc->slot_allocator.free == NULL)) {
        return "desc.slot_allocator needs both alloc and free, or neither";
    }
    return bsi_stream_check_hooks(&desc->allocator, &desc->files);
}

/* Add numbers to a hash. */
static void bsi_loader_hash_numbers(bsi_hash *hash, const uint64_t *numbers, uint32_t count) {
    uint8_t bytes[8];
    uint32_t i;
    for (i = 0; i < count; ++i) {
        bsi_bytes_store64(bytes, numbers[i]);
        bsi_hash_update(hash, bytes, sizeof bytes);
    }
}

/* The rules of gzip and text: they decide what records there are. */
static void bsi_loader_hash_rules(bsi_hash *hash, const biost_gzip *gzip, const biost_text *text) {
    const uint64_t numbers[] = {
        gzip->require != 0,         gzip->no_crc != 0,         gzip->ignore_bc != 0,
        gzip->require_eof_block != 0, gzip->refuse_padding != 0, gzip->read_past_zeros != 0,
        gzip->ignore_garbage != 0,  text->pedantic != 0,       text->four_lines != 0,
        text->require_record != 0,  text->skip_comments != 0,  text->strip_blanks != 0,
        text->keep_gt != 0,         text->ignore_plus != 0,    text->phred64 != 0,
        text->replace_letters != 0, (uint64_t)text->letters,   text->skip_bad};
    bsi_loader_hash_numbers(hash, numbers, sizeof numbers / sizeof numbers[0]);
}

/*
 * A hash of everything that decides what batches hold, but for the inputs, rank and world. Of callbacks
 * it knows only that they are there.
 */
static uint64_t bsi_loader_desc_hash(const bsi_loader_plan *plan) {
    const biost_loader_desc *desc = &plan->desc;
    const biost_encoding *encoding = &desc->encoding;
    const uint64_t numbers[] = {
        2, /* version of this list */
        desc->batch_rows,
        desc->row_bases,
        plan->row_limit,
        desc->pad_multiple,
        (uint64_t)desc->long_records,
        desc->split_stride,
        (uint64_t)desc->tail,
        (uint64_t)encoding->kind,
        (uint64_t)encoding->dtype,
        (uint64_t)encoding->layout,
        (uint64_t)encoding->ambiguous,
        (uint64_t)encoding->lower_case,
        (uint64_t)encoding->pad_side,
        (uint64_t)(int64_t)encoding->pad_value,
        (uint64_t)desc->quality.kind,
        (uint64_t)desc->quality.dtype,
        desc->mask != 0,
        desc->labels.make != NULL,
        plan->label_bytes > 0 ? (uint64_t)desc->labels.dtype : 0,
        plan->label_bytes > 0 ? desc->labels.width : 0,
        desc->filter.keep != NULL,
        desc->augment.crop_bases,
        desc->shuffle_rows,
        desc->seed,
        desc->max_record_bytes};
    uint64_t values[16];
    bsi_augment augment;
    uint32_t i;
    bsi_hash hash;
    bsi_hash_begin(&hash, 0);
    bsi_loader_hash_numbers(&hash, numbers, sizeof numbers / sizeof numbers[0]);
    bsi_loader_hash_numbers(&hash, values, bsi_filter_values(&plan->filter, values));
    bsi_augment_begin(&augment, &desc->augment);
    bsi_loader_hash_numbers(&hash, values, bsi_augment_values(&augment, values));
    bsi_loader_hash_rules(&hash, &desc->gzip, &desc->text);
    for (i = 0; i < 256 && encoding->tokens != NULL; ++i) {
        uint64_t token = (uint64_t)(int64_t)encoding->tokens[i];
        bsi_loader_hash_numbers(&hash, &token, 1);
    }
    if (encoding->channels != NULL) {
        bsi_hash_update(&hash, (const uint8_t *)encoding->channels, strlen(encoding->channels));
    }
    return bsi_hash_end(&hash);
}

/* Threads at work for a wish of 0, usable cores, or another. */
static uint32_t bsi_loader_workers(uint32_t wish) {
    return wish > 0 ? wish : BSI_MIN(BSI_MAX(bsi_platform_cores(), 2), BSI_SCHED_MAX_WORKERS);
}

/* Fill in the defaults of a desc whose values were checked. */
static void bsi_loader_resolve(biost_loader_desc *desc) {
    desc->batch_rows = desc->batch_rows > 0 ? desc->batch_rows : 256;
    desc->max_row_bases = desc->max_row_bases > 0 ? desc->max_row_bases : 1024;
    desc->pad_multiple = desc->pad_multiple > 0 ? desc->pad_multiple
                         : desc->row_bases > 0  ? 1
                                                : 8;
    if (desc->long_records == BIOST_LONG_SPLIT && desc->split_stride == 0) {
        desc->split_stride = desc->row_bases;
    }
    if (desc->encoding.kind == BIOST_ENCODE_ONEHOT && desc->encoding.channels == NULL) {
        desc->encoding.channels = "ACGT";
    }
    desc->name_bytes = !desc->names ? 0 : desc->name_bytes > 0 ? desc->name_bytes : 128;
    desc->filter.keep_below = desc->filter.keep_below > 0 ? desc->filter.keep_below : 1.0f;
    desc->filter.every_nth = desc->filter.every_nth > 0 ? desc->filter.every_nth : 1;
    desc->shuffle_rows = BSI_MAX(desc->shuffle_rows, 1);
    desc->max_record_bytes = desc->max_record_bytes > 0 ? desc->max_record_bytes
                                                        : BSI_READER_MAX_RECORD_BYTES;
    desc->world = desc->world > 0 ? desc->world : 1;
    desc->slots = desc->slots > 0 ? desc->slots : 4;
    desc->workers = bsi_loader_workers(desc->workers);
    desc->slot_allocator = desc->slot_allocator.alloc != NULL ? desc->slot_allocator : desc->allocator;
    desc->paths = NULL;
    desc->path_count = 0;
    desc->memories = NULL;
    desc->memory_count = 0;
    desc->callbacks = NULL;
    desc->callback_count = 0;
    desc->token = NULL;
    desc->token_bytes = 0;
}

/* What a record must carry along to become a row. */
static void bsi_loader_plan_rows(bsi_loader_plan *plan) {
    const biost_loader_desc *desc = &plan->desc;
    int has_calls = desc->filter.keep != NULL || desc->labels.make != NULL;
    plan->row_limit = bsi_loader_row_limit(desc);
    plan->columns = desc->row_bases == 0
                        ? 0
                        : (uint32_t)bsi_bytes_round_up(desc->row_bases, desc->pad_multiple);
    plan->column_room = (uint32_t)bsi_bytes_round_up(plan->row_limit, desc->pad_multiple);
    plan->crop = desc->augment.crop_bases > 0                ? desc->augment.crop_bases
                 : desc->long_records == BIOST_LONG_CROP ? plan->row_limit
                                                             : 0;
    plan->filters_whole = bsi_filter_needs_record(&plan->filter) || has_calls;
    plan->counts_stats = bsi_filter_needs_stats(&plan->filter) || has_calls;
    plan->keeps_all = plan->filter.wanted == 0 && !has_calls;
    plan->keeps_quality = desc->quality.kind != BIOST_QUALITY_NONE || desc->augment.change != NULL;
    plan->quality_field = desc->quality.kind != BIOST_QUALITY_NONE
                              ? "desc.quality.kind"
                              : bsi_filter_quality_field(&plan->filter);
    plan->quality_bytes = desc->quality.kind == BIOST_QUALITY_NONE
                              ? 0
                              : bsi_encode_dtype_bytes(desc->quality.dtype);
    plan->label_bytes = desc->labels.make == NULL ? 0
                                                  : BSI_MAX(desc->labels.width, 1) *
                                                        bsi_encode_dtype_bytes(desc->labels.dtype);
    plan->name_bytes = desc->name_bytes;
    plan->bare = plan->crop == 0 && !plan->keeps_quality && !desc->mask && plan->label_bytes == 0 &&
                 plan->name_bytes == 0 && desc->augment.reverse_complement <= 0 &&
                 desc->augment.substitute <= 0 && desc->augment.inject_n <= 0;
}

/* Sizes of the pipe's parts; machine fields and what follows from the data fields. */
static void bsi_loader_plan_sizes(bsi_loader_plan *plan) {
    const biost_loader_desc *desc = &plan->desc;
    uint64_t row_bytes = (uint64_t)plan->row_limit * plan->encoder.base_bytes, cells, cell_bytes;
    biost_ahead ahead = desc->test.ahead;
    if (ahead == BIOST_AHEAD_AUTO && desc->workers == 1) {
        ahead = BIOST_AHEAD_ALWAYS; /* pieces in one loop are faster, and cost little beside batches */
    }
    bsi_stream_make_plan(&plan->stream, desc->workers, desc->test.page_bytes,
                         desc->test.chunk_bytes, desc->test.page_count, desc->test.cpu_hidden, ahead);
    plan->stream.reads_files = !plan->in_memory;
    plan->stream.rules = desc->gzip;
    if (desc->test.ahead == BIOST_AHEAD_AUTO) {
        plan->stream.ahead_least = BSI_STREAM_AHEAD_LEAST;
    }
    if (plan->stream.ahead_count > 0 && desc->epochs != 1) {
        plan->stream.points_bytes =
            desc->checkpoint_bytes > 0 ? desc->checkpoint_bytes : (uint64_t)BSI_LOADER_POINTS_BYTES;
    }
    plan->row_table = plan->stream.page_bytes / BSI_LOADER_ROW_TEXT_BYTES + 8;
    if (plan->label_bytes > 0) {
        plan->row_table = BSI_MIN(plan->row_table, 2 + BSI_LOADER_LABEL_BYTES / plan->label_bytes);
    }
    plan->stowed = desc->shuffle_rows > 1 || desc->row_bases == 0 || desc->world > 1 ||
                   (desc->long_records == BIOST_LONG_SPLIT && desc->split_stride < desc->row_bases);
    plan->rows_per_unit = (uint32_t)BSI_MAX(BSI_LOADER_UNIT_BYTES / row_bytes, 1);
    plan->units_per_slot = plan->stowed ? (plan->rank_rows - 1) / plan->rows_per_unit + 1 : 0;
    plan->units = plan->stowed ? plan->units_per_slot * desc->slots : BSI_LOADER_DIRECT_UNITS;
    cells = plan->stowed
                ? (uint64_t)desc->shuffle_rows + (uint64_t)desc->slots * desc->batch_rows
                : 0;
    plan->cells = cells < BSI_ORDER_NONE ? (uint32_t)cells : BSI_ORDER_NONE;
    plan->cell_label = (uint32_t)sizeof(bsi_loader_cell);
    plan->cell_seq = plan->cell_label + plan->label_bytes;
    plan->cell_qual = plan->cell_seq + plan->row_limit;
    plan->cell_name = plan->cell_qual + (plan->keeps_quality ? plan->row_limit : 0);
    cell_bytes = bsi_bytes_round_up((uint64_t)plan->cell_name + plan->name_bytes, 64); /* whole lines */
    plan->cell_bytes = (uint32_t)cell_bytes;
}

/* Check all of a desc but its inputs, and work out the plan. NULL, or what is wrong, naming the fields. */
static const char *bsi_loader_make_plan(const biost_loader_desc *desc, bsi_loader_plan *plan) {
    const char *wrong = bsi_loader_check_shape(desc);
    memset(plan, 0, sizeof *plan);
    if (wrong == NULL) {
        wrong = bsi_loader_check_pieces(desc);
    }
    if (wrong == NULL) {
        wrong = bsi_loader_check_tensors(desc);
    }
    if (wrong == NULL) {
        wrong = bsi_loader_check_rest(desc);
    }
    if (wrong != NULL) {
        return wrong;
    }
    plan->desc = *desc;
    bsi_loader_resolve(&plan->desc);
    plan->input_count = desc->path_count + desc->memory_count + desc->callback_count;
    plan->in_memory = desc->memory_count > 0;
    plan->rank_rows = plan->desc.batch_rows / plan->desc.world;
    bsi_filter_begin(&plan->filter, &plan->desc.filter, desc->seed);
    bsi_encode_begin(&plan->encoder, &plan->desc.encoding);
    bsi_loader_plan_rows(plan);
    plan->desc_hash = bsi_loader_desc_hash(plan);
    bsi_loader_plan_sizes(plan);
    bsi_kernels_encode(&plan->encoder, plan->stream.cpu);
    plan->desc.encoding.tokens = NULL;
    return plan->cells == BSI_ORDER_NONE
               ? "desc.shuffle_rows plus desc.slots times desc.batch_rows is over 2^32"
               : NULL;
}

/* ---- scan and check: pages -> rows ---------------------------------------- */

BSI_INLINE bsi_loader_page *bsi_loader_page_at(biost_loader *loader, uint64_t ticket) {
    return &loader->pages[loader->pipe.queue[ticket % loader->plan.stream.page_count]];
}

/*
 * The first page of an input: set the records machine to its start, or to where a token enters it.
 */
static void bsi_loader_scan_input(biost_loader *loader, const bsi_loader_page *page) {
    const bsi_token_anchor *anchor = &loader->scan_anchor;
    uint64_t record = anchor->id & BSI_RECORDS_LAST;
    bsi_reader_scan_clear(&loader->scan);
    if (loader->resume_scan && record + anchor->text_offset > 0) {
        bsi_records_resume(&loader->scan.records, loader->plan.desc.max_record_bytes, record,
                           anchor->line, anchor->text_offset, loader->format);
        loader->scan.member_start = page->text->member_start;
        loader->scan.member_record = anchor->member_record;
        loader->scan.member_known = page->text->member_start <= anchor->text_offset;
    } else {
        bsi_records_begin(&loader->scan.records, loader->plan.desc.max_record_bytes);
    }
    bsi_records_set_rules(&loader->scan.records, &loader->plan.desc.text);
    loader->scan.records.skipped_count = loader->scan_skipped;
    bsi_reader_scan_arm(&loader->scan);
    loader->resume_scan = 0;
}

/*
 * Enter records in the page's table.
 *   known  in  whether it was known before which record the member under way starts in
 */
static void bsi_loader_add_rows(biost_loader *loader, bsi_loader_page *page,
                                const bsi_scan_table *table, int known) {
    uint64_t line, text_offset;
    uint32_t i;
    if (page->row_count == 0) {
        page->longest = 0;
    }
    if (page->row_count == 0 && table->count > 0) {
        page->anchor.member_record = known ? loader->scan.member_record : table->record;
        page->anchor.id = (uint64_t)page->text->path_index << 40 | table->record;
        page->anchor.line = table->line;
        page->anchor.text_offset = table->text_offset;
        page->anchor.visited = loader->scan_visited;
        page->anchor.skipped = loader->scan_skipped;
    }
    line = table->line - page->anchor.line;
    text_offset = table->text_offset - page->anchor.text_offset;
    for (i = 0; i < table->count; ++i) {
        const biost_record_row *from = &table->rows[i];
        bsi_loader_row *row = &page->rows[page->row_count + i];
        row->seq = table->text + from->seq;
        row->qual = from->qual == 0 ? NULL : table->text + from->qual;
        row->title = table->text + from->start + 1;
        row->title_bytes = from->title_bytes;
        row->bases = from->bases;
        row->pieces = 1;
        page->longest = BSI_MAX(page->longest, from->bases);
        row->line = (uint32_t)line + from->line;
        row->text = (uint32_t)text_offset + from->text_offset;
    }
    page->row_count += table->count;
    loader->scan_visited += table->count;
}

/*
 * A split record that turns out bad still gives the pieces that stand wholly on good lines before
 * the fault, unless a filter would have had to see all of it.
 */
static void bsi_loader_add_partial(biost_loader *loader, bsi_loader_page *page) {
    const bsi_records *records = &loader->scan.records;
    biost_record_row row;
    bsi_scan_table table;
    uint8_t *first = NULL;
    size_t bases = bsi_reader_scan_partial(&loader->scan, &first);
    if (loader->plan.desc.long_records != BIOST_LONG_SPLIT || loader->plan.filters_whole ||
        bases < loader->plan.desc.row_bases) {
        return;
    }
    memset(&row, 0, sizeof row);
    memset(&table, 0, sizeof table);
    row.title_bytes = (uint32_t)records->title_bytes;
    row.seq = (uint32_t)records->seq_offset;
    row.bases = (uint32_t)bases;
    table.rows = &row;
    table.count = 1;
    table.text = first;
    table.record = records->record;
    table.line = records->title_line;
    table.text_offset = records->text_offset;
    page->holds_long |= loader->scan.in_long;
    bsi_loader_add_rows(loader, page, &table, loader->scan.member_known);
    page->partial_row = 1;
}

/* A fault ends the records of this epoch. */
static void bsi_loader_scan_bad(bsi_loader_page *page, const bsi_bad *bad) {
    page->bad = *bad;
    page->has_bad = 1;
    page->ends_epoch = 1;
    page->more_text = 0;
}

/*
 * Text of this format may join the others, whose format is *io_known, or EMPTY until one is known; and it has
 * the qualities that are asked for. Else *out_bad gets the fault.
 */
static void bsi_loader_judge_format(const biost_loader *loader, biost_format format,
                                    biost_format *io_known, bsi_bad *out_bad) {
    if (*io_known == BIOST_FORMAT_EMPTY) {
        *io_known = format;
    }
    if (format != BIOST_FORMAT_EMPTY && format != *io_known) {
        out_bad->fault = BIOST_FAULT_FORMAT;
        out_bad->detail = format == BIOST_FORMAT_FASTA ? "FASTA, others are FASTQ"
                                                       : "FASTQ, others are FASTA";
    } else if (format == BIOST_FORMAT_FASTA && loader->plan.quality_field != NULL) {
        out_bad->fault = BIOST_FAULT_NO_QUALITY;
        out_bad->detail = loader->plan.quality_field;
    }
}

/* Tell the log of an error. */
static biost_result bsi_loader_tell(const biost_loader *loader, const biost_error *error) {
    if (loader->log.line != NULL) {
        loader->log.line(error->code, error->text, loader->log.user_data);
    }
    return error->code;
}

/* A bad record was left out: the log is told. */
static void bsi_loader_tell_skip(biost_loader *loader, bsi_loader_page *page) {
    const bsi_records *records = &loader->scan.records;
    uint32_t path_index = page->text->path_index;
    page->skipped += (uint32_t)(records->skipped_count - loader->scan_skipped);
    loader->scan_skipped = records->skipped_count;
    if (loader->log.line != NULL) {
        biost_error error;
        memset(&error, 0, sizeof error);
        bsi_fault_raise(&error, &records->skipped_bad, loader->inputs[path_index].name, path_index, 0);
        (void)bsi_loader_tell(loader, &error);
    }
}

/*
 * Records of the page into its table, until the page, the table or the good text ends. Rows of one
 * table follow one another in the file: behind a bad record that was left out begins another.
 *
 * A table sized for the worst page, of records of six bytes, would be larger than the page. Ours
 * fits ordinary records; a page of tiny ones goes round again (more_text) when what it held so far
 * is encoded.
 */
static void bsi_loader_scan_rows(biost_loader *loader, bsi_loader_page *page) {
    biost_record_row rows[BSI_LOADER_SCAN_ROWS];
    bsi_scan_table table;
    bsi_records_view view;
    uint8_t *first = NULL;
    bsi_bad bad;
    memset(&table, 0, sizeof table);
    table.rows = rows;
    while (page->row_count + 1 < loader->plan.row_table) { /* one row is kept for a partial record */
        int known = loader->scan.member_known;
        bsi_records_status status;
        table.capacity = BSI_MIN(BSI_LOADER_SCAN_ROWS, loader->plan.row_table - 1 - page->row_count);
        status = bsi_reader_scan_rows(&loader->scan, page->text, BSI_READER_WHOLE, &table,
                                      &view, &first);
        page->holds_long |= first != NULL;
        if (table.count > 0) {
            memset(&bad, 0, sizeof bad);
            bad.record = table.record;
            bad.line = table.line;
            bad.text_offset = table.text_offset;
            bsi_loader_judge_format(loader, loader->scan.records.format, &loader->scan_format, &bad);
            if (bad.fault != BIOST_FAULT_NONE) {
                bsi_loader_scan_bad(page, &bad);
                return;
            }
        }
        bsi_loader_add_rows(loader, page, &table, known);
        if (status == BSI_RECORDS_SKIPPED) {
            bsi_loader_tell_skip(loader, page);
            if (page->row_count > 0) {
                break;
            }
            continue;
        }
        if (status == BSI_RECORDS_RECORD) {
            continue;
        }
        if (status == BSI_RECORDS_BAD || page->text->bad.fault != BIOST_FAULT_NONE) {
            bsi_reader_scan_fault(&loader->scan, page->text, &bad);
            bsi_loader_add_partial(loader, page);
            bsi_loader_scan_bad(page, &bad);
        }
        return;
    }
    page->more_text = 1;
}

/* work: scan a page, or go on in one whose table was too small for its records. */
static void bsi_loader_scan(void *owner, bsi_sched_task *task) {
    biost_loader *loader = (biost_loader *)owner;
    bsi_loader_page *page = bsi_loader_page_at(loader, loader->scan_ticket);
    uint64_t refused = 0;
    (void)task;
    page->row_count = 0;
    page->skipped = 0;
    page->partial_row = 0;
    page->has_bad = 0;
    page->more_text = 0;
    page->holds_long = 0;
    if (!page->scanned_before) {
        if (page->first_of_input) {
            bsi_loader_scan_input(loader, page);
        }
        if (!bsi_reader_scan_enter(&loader->scan, page->text, loader->plan.stream.page_capacity,
                                   &refused)) {
            bsi_bad bad;
            memset(&bad, 0, sizeof bad);
            bad.fault = BIOST_FAULT_MEMORY;
            bad.a = refused;
            bsi_loader_scan_bad(page, &bad);
            return;
        }
    }
    page->scanned_before = 1;
    bsi_loader_scan_rows(loader, page);
    page->warnings |= loader->scan.records.warnings;
}

/* A row of a page as callbacks see it. */
static void bsi_loader_fill_record(const bsi_loader_page *page, uint32_t index,
                                   const biost_stats *stats, biost_record *out_record) {
    const bsi_loader_row *row = &page->rows[index];
    memset(out_record, 0, sizeof *out_record);
    out_record->title = (const char *)row->title;
    out_record->title_bytes = row->title_bytes;
    bsi_reader_fill_words(out_record, 0);
    out_record->seq = (const char *)row->seq;
    out_record->qual = (const char *)row->qual;
    out_record->seq_bases = row->bases;
    out_record->id = (page->anchor.id & BSI_RECORDS_LAST) + index;
    out_record->line = page->anchor.line + row->line;
    out_record->text_offset = page->anchor.text_offset + row->text;
    out_record->stats = stats;
}

/* Which filter leaves a row of a page out, or BIOST_DROP_COUNT; makes its label. */
static uint32_t bsi_loader_judge(const biost_loader *loader, const bsi_loader_page *page,
                                 uint32_t index) {
    const bsi_loader_plan *plan = &loader->plan;
    const biost_loader_desc *desc = &plan->desc;
    const bsi_loader_row *row = &page->rows[index];
    int64_t id = (int64_t)(page->anchor.id + index);
    uint32_t drop = bsi_filter_judge_place(&plan->filter, id, page->anchor.visited + index, row->bases);
    biost_stats stats;
    biost_record record;
    if (drop != BIOST_DROP_COUNT || !plan->counts_stats) {
        return drop;
    }
    bsi_reader_count(&loader->scan.fast, row->seq, row->qual, row->bases, &stats);
    drop = bsi_filter_judge_stats(&plan->filter, row->bases, &stats);
    if (drop != BIOST_DROP_COUNT || (desc->filter.keep == NULL && desc->labels.make == NULL)) {
        return drop;
    }
    bsi_loader_fill_record(page, index, &stats, &record);
    if (desc->filter.keep != NULL && !desc->filter.keep(&record, id, desc->filter.user_data)) {
        return BIOST_DROP_USER;
    }
    if (desc->labels.make != NULL) {
        uint8_t *label = page->labels + (size_t)index * plan->label_bytes;
        memset(label, 0, plan->label_bytes);
        if (!desc->labels.make(&record, id, label, desc->labels.user_data)) {
            return BIOST_DROP_LABEL;
        }
    }
    return BIOST_DROP_COUNT;
}

/* Shorten a row's title to the name in it: its pieces then need not look for it one by one. */
static void bsi_loader_keep_name(bsi_loader_row *row) {
    size_t start = 0, bytes = 0;
    bsi_records_name(row->title, row->title_bytes, &start, &bytes);
    row->title += start;
    row->title_bytes = (uint32_t)bytes;
}

/* work: filter the rows of a page and count their pieces. */
static void bsi_loader_check(void *owner, bsi_sched_task *task) {
    const biost_loader *loader = (const biost_loader *)owner;
    const biost_loader_desc *desc = &loader->plan.desc;
    bsi_loader_page *page = (bsi_loader_page *)task;
    uint32_t i, whole = page->row_count - (uint32_t)page->partial_row;
    int fails = desc->long_records == BIOST_LONG_FAIL && loader->plan.crop == 0;
    page->stop_row = page->row_count;
    page->all_single = loader->plan.keeps_all && desc->long_records != BIOST_LONG_SPLIT &&
                       page->longest <= loader->plan.row_limit;
    for (i = 0; i < page->row_count && page->all_single && loader->plan.name_bytes > 0; ++i) {
        bsi_loader_keep_name(&page->rows[i]);
    }
    if (page->all_single) {
        return;
    }
    for (i = 0; i < page->row_count; ++i) {
        bsi_loader_row *row = &page->rows[i];
        row->drop = bsi_loader_judge(loader, page, i);
        if (loader->plan.name_bytes > 0) {
            bsi_loader_keep_name(row);
        }
        if (row->drop != BIOST_DROP_COUNT) {
            row->pieces = 0;
        } else if (desc->long_records == BIOST_LONG_SPLIT) {
            row->pieces = (uint32_t)(i < whole ? bsi_order_pieces(row->bases, desc->row_bases,
                                                                  desc->split_stride)
                                               : bsi_order_partial_pieces(row->bases, desc->row_bases,
                                                                          desc->split_stride));
        } else {
            row->pieces = 1;
            if (fails && row->bases > loader->plan.row_limit) {
                page->stop_row = i;
                return;
            }
        }
    }
}

/* Bases of piece `piece` of a row. */
static uint32_t bsi_loader_piece_bases(const biost_loader *loader, const bsi_loader_row *row,
                                       uint32_t piece) {
    const bsi_loader_plan *plan = &loader->plan;
    if (plan->desc.long_records == BIOST_LONG_SPLIT) {
        uint64_t left = row->bases - (uint64_t)piece * plan->desc.split_stride;
        return (uint32_t)BSI_MIN(left, plan->desc.row_bases);
    }
    return BSI_MIN(row->bases, plan->crop > 0 ? plan->crop : plan->row_limit);
}

/* The first base of a piece, in its record. */
static uint32_t bsi_loader_piece_start(const biost_loader *loader, const bsi_loader_row *row,
                                       int64_t id, uint32_t piece) {
    const bsi_loader_plan *plan = &loader->plan;
    uint32_t bases = bsi_loader_piece_bases(loader, row, piece);
    if (plan->desc.long_records == BIOST_LONG_SPLIT) {
        return piece * plan->desc.split_stride;
    }
    if (bases == row->bases) {
        return 0;
    }
    if (plan->crop > 0) {
        return bsi_augment_crop_start(&loader->augment, id, row->bases, bases);
    }
    switch (plan->desc.long_records) {
    case BIOST_LONG_TAIL:
        return row->bases - bases;
    case BIOST_LONG_CENTER:
        return (row->bases - bases) / 2;
    default:
        return 0;
    }
}

/* ---- encode: rows -> tensors ---------------------------------------------- */

/* A sample on its way into a row. */
typedef struct bsi_loader_sample {
    biost_sample view;          /* augmented in place */
    const uint8_t *name;        /* [name_bytes], cut already */
    uint32_t name_bytes;
    const uint8_t *label;       /* [plan.label_bytes] */
} bsi_loader_sample;

/* Sample `piece` of row `index` of a page, where it lies. */
static void bsi_loader_fill_sample(const biost_loader *loader, const bsi_loader_page *page,
                                   uint32_t index, uint32_t piece, bsi_loader_sample *out_sample) {
    const bsi_loader_row *row = &page->rows[index];
    biost_sample *view = &out_sample->view;
    uint32_t start;
    view->id = (int64_t)(page->anchor.id + index);
    view->piece = piece;
    view->bases = bsi_loader_piece_bases(loader, row, piece);
    start = bsi_loader_piece_start(loader, row, view->id, piece);
    view->start_base = start;
    view->seq = (char *)row->seq + start;
    view->qual = row->qual == NULL ? NULL : (char *)row->qual + start;
    view->flags = 0;
    out_sample->name = row->title;
    out_sample->name_bytes = BSI_MIN(row->title_bytes, loader->plan.name_bytes);
    if (loader->plan.name_bytes > 0 && row->title_bytes > loader->plan.name_bytes) {
        view->flags |= (uint32_t)BIOST_ROW_NAME_CUT;
    }
    if (loader->plan.desc.long_records != BIOST_LONG_SPLIT && view->bases < row->bases) {
        view->flags |= (uint32_t)BIOST_ROW_TRUNCATED;
    }
    out_sample->label = page->labels == NULL
                            ? NULL
                            : page->labels + (size_t)index * loader->plan.label_bytes;
}

/* One row of a tensor: `bytes` bytes of elements of `dtype`. Returns the number of parts. */
static uint32_t bsi_loader_add_part(bsi_encode_part *parts, uint32_t count, const uint8_t *tensor,
                                    uint32_t row, size_t bytes, biost_dtype dtype) {
    if (bytes > 0) {
        parts[count].row = tensor + row * bytes;
        parts[count].bytes = bytes;
        parts[count].element_bytes = bsi_encode_dtype_bytes(dtype);
        ++count;
    }
    return count;
}

/* The parts of a row that its digest covers: the tensors in their order. Returns their number. */
static uint32_t bsi_loader_fill_parts(const biost_loader *loader, const bsi_loader_slot *slot,
                                      uint32_t row, bsi_encode_part parts[BSI_LOADER_TENSORS]) {
    const bsi_loader_plan *plan = &loader->plan;
    const biost_loader_desc *desc = &plan->desc;
    size_t columns = slot->columns;
    uint32_t count = 0;
    count = bsi_loader_add_part(parts, count, slot->x, row, columns * plan->encoder.base_bytes,
                                desc->encoding.dtype);
    count = bsi_loader_add_part(parts, count, slot->quality, row, columns * plan->quality_bytes,
                                desc->quality.dtype);
    count = bsi_loader_add_part(parts, count, slot->mask, row, desc->mask ? columns : 0,
                                BIOST_DTYPE_U8);
    return bsi_loader_add_part(parts, count, slot->labels, row, plan->label_bytes, desc->labels.dtype);
}

/* Where a row stands. */
static void bsi_loader_fill_place(const bsi_loader_slot *slot, uint32_t row, uint64_t place[3]) {
    place[0] = slot->epoch;
    place[1] = slot->batch;
    place[2] = (uint64_t)slot->first_row + row;
}

/* The digest of a row that was just encoded. */
static uint64_t bsi_loader_digest_row(const biost_loader *loader, const bsi_loader_slot *slot,
                                      uint32_t row) {
    bsi_encode_part parts[BSI_LOADER_TENSORS];
    uint32_t count = bsi_loader_fill_parts(loader, slot, row, parts);
    uint64_t place[3];
    bsi_loader_fill_place(slot, row, place);
    return bsi_encode_digest(parts, count, slot->lengths[row], &slot->origins[row], place);
}

/* The sum of the digests of BSI_HASH_MANY rows. */
static uint64_t bsi_loader_digest_many(const biost_loader *loader, const bsi_loader_slot *slot,
                                       uint32_t row) {
    bsi_encode_part parts[BSI_LOADER_TENSORS];
    uint32_t count = bsi_loader_fill_parts(loader, slot, row, parts);
    uint64_t place[3];
    bsi_loader_fill_place(slot, row, place);
    return bsi_encode_digest_many(&loader->hash, parts, count, slot->lengths + row, slot->origins + row,
                                  place);
}

/* `done` rows of a unit are encoded: add the digests of the last of them, when they are many or all. */
static void bsi_loader_digest_unit(const biost_loader *loader, bsi_loader_unit *unit, uint32_t done) {
    uint32_t row = unit->first_row + done, count = done % BSI_HASH_MANY;
    if (loader->plan.desc.digest && count == 0) {
        unit->digest += bsi_loader_digest_many(loader, unit->slot, row - BSI_HASH_MANY);
    } else if (loader->plan.desc.digest && done == unit->row_count) {
        for (; count > 0; --count) {
            unit->digest += bsi_loader_digest_row(loader, unit->slot, row - count);
        }
    }
}

/* Write one row of every tensor, its length and its name. view.bases are those after augmenting. */
static void bsi_loader_write_row(const biost_loader *loader, bsi_loader_slot *slot, uint32_t row,
                                 const bsi_loader_sample *sample) {
    const bsi_loader_plan *plan = &loader->plan;
    const biost_loader_desc *desc = &plan->desc;
    const biost_sample *view = &sample->view;
    uint32_t columns = slot->columns;
    int left = desc->encoding.pad_side == BIOST_PAD_LEFT;
    size_t row_bytes = (size_t)columns * plan->encoder.base_bytes;
    bsi_encode_row(&plan->encoder, (const uint8_t *)view->seq, view->bases, slot->x + row * row_bytes,
                   columns);
    if (plan->quality_bytes > 0) {
        bsi_encode_quality(desc->quality.kind, desc->quality.dtype, left, (const uint8_t *)view->qual,
                           view->bases, slot->quality + (size_t)row * columns * plan->quality_bytes,
                           columns);
    }
    if (desc->mask) {
        bsi_encode_mask(left, view->bases, slot->mask + (size_t)row * columns, columns);
    }
    if (plan->label_bytes > 0 && sample->label != NULL) {
        memcpy(slot->labels + (size_t)row * plan->label_bytes, sample->label, plan->label_bytes);
    } else if (plan->label_bytes > 0) {
        memset(slot->labels + (size_t)row * plan->label_bytes, 0, plan->label_bytes);
    }
    if (plan->name_bytes > 0) {
        char *name = slot->names + slot->name_offsets[row];
        memcpy(name, sample->name, sample->name_bytes);
        name[sample->name_bytes] = '\0';
    }
    slot->lengths[row] = (int32_t)view->bases;
}

/* Augment and encode one sample into row `row` of its slot. */
static void bsi_loader_encode_row(const biost_loader *loader, bsi_loader_slot *slot, uint32_t row,
                                  bsi_loader_sample *sample) {
    biost_row *origin = &slot->origins[row];
    bsi_augment_row(&loader->augment, &sample->view);
    origin->id = sample->view.id;
    origin->start_base = sample->view.start_base;
    origin->piece = sample->view.piece;
    origin->flags = sample->view.flags;
    bsi_loader_write_row(loader, slot, row, sample);
}

/*
 * Rows straight from a page where a batch has bases alone and each record is one sample, or none: what
 * bsi_loader_encode_row does, without what it would find not to be wanted.
 */
static void bsi_loader_encode_bare(const biost_loader *loader, bsi_loader_unit *unit) {
    const bsi_loader_page *page = unit->page;
    const bsi_loader_slot *slot = unit->slot;
    const biost_encoder *encoder = &loader->plan.encoder;
    int digests = loader->plan.desc.digest;
    uint32_t r = unit->page_row, at = unit->first_row, end = at + unit->row_count;
    uint32_t columns = slot->columns;
    size_t row_bytes = (size_t)columns * encoder->base_bytes;
    for (; at < end; ++r) {
        const bsi_loader_row *row = &page->rows[r];
        biost_row *origin = &slot->origins[at];
        if (row->pieces == 0) {
            continue;
        }
        bsi_encode_row(encoder, row->seq, row->bases, slot->x + at * row_bytes, columns);
        slot->lengths[at] = (int32_t)row->bases;
        origin->id = (int64_t)(page->anchor.id + r);
        origin->start_base = 0;
        origin->piece = 0;
        origin->flags = 0;
        ++at;
        if (digests) {
            bsi_loader_digest_unit(loader, unit, at - unit->first_row);
        }
    }
}

/*
 * Rows straight from a page: the samples from (page_row, piece) on, dropped records passed over.
 * Augmenting changes the page's text in place: every base belongs to one sample only, and nobody
 * reads it again. The stream saved its history before, the carry of a cut-off record lies behind.
 */
static void bsi_loader_encode_page(const biost_loader *loader, bsi_loader_unit *unit) {
    bsi_loader_page *page = unit->page;
    uint32_t r = unit->page_row, piece = unit->piece, done = 0;
    if (loader->plan.bare && page->longest <= loader->plan.row_limit) {
        bsi_loader_encode_bare(loader, unit);
        return;
    }
    while (done < unit->row_count) {
        bsi_loader_sample sample;
        if (piece >= page->rows[r].pieces) {
            ++r;
            piece = 0;
            continue;
        }
        bsi_loader_fill_sample(loader, page, r, piece, &sample);
        bsi_loader_encode_row(loader, unit->slot, unit->first_row + done, &sample);
        ++piece;
        bsi_loader_digest_unit(loader, unit, ++done);
    }
}

/* A cell's memory; its head comes first. */
BSI_INLINE uint8_t *bsi_loader_cell_at(const biost_loader *loader, uint32_t index) {
    return loader->cells + (size_t)index * loader->plan.cell_bytes;
}

/* Ask for a cell, which is soon needed and was last touched long ago. */
BSI_INLINE void bsi_loader_prefetch_cell(const biost_loader *loader, uint32_t index) {
    const uint8_t *memory = bsi_loader_cell_at(loader, index);
    size_t most = BSI_MIN(loader->plan.cell_bytes, 512u), at;
    for (at = 0; at < most; at += 64) {
        BSI_PREFETCH(memory + at);
    }
}

/* Rows from cells. */
static void bsi_loader_encode_cells(const biost_loader *loader, bsi_loader_unit *unit) {
    const bsi_loader_plan *plan = &loader->plan;
    bsi_loader_slot *slot = unit->slot;
    uint32_t i;
    for (i = 0; i < unit->row_count; ++i) {
        uint32_t row = unit->first_row + i, index = slot->cells[slot->first_row + row];
        uint8_t *memory = bsi_loader_cell_at(loader, index);
        const bsi_loader_cell *cell = (const bsi_loader_cell *)(const void *)memory;
        bsi_loader_sample sample;
        if (i + BSI_LOADER_AHEAD < unit->row_count) {
            bsi_loader_prefetch_cell(loader, slot->cells[slot->first_row + row + BSI_LOADER_AHEAD]);
        }
        sample.view.id = cell->id;
        sample.view.piece = cell->piece;
        sample.view.start_base = cell->start_base;
        sample.view.bases = cell->bases;
        sample.view.flags = cell->flags & ~BSI_LOADER_HAS_QUAL;
        sample.view.seq = (char *)memory + plan->cell_seq;
        sample.view.qual = cell->flags & BSI_LOADER_HAS_QUAL ? (char *)memory + plan->cell_qual : NULL;
        sample.name = memory + plan->cell_name;
        sample.name_bytes = cell->name_bytes;
        sample.label = memory + plan->cell_label;
        bsi_loader_encode_row(loader, slot, row, &sample);
        bsi_loader_digest_unit(loader, unit, i + 1);
    }
}

/* work: encode a unit. */
static void bsi_loader_encode(void *owner, bsi_sched_task *task) {
    const biost_loader *loader = (const biost_loader *)owner;
    bsi_loader_unit *unit = (bsi_loader_unit *)task;
    unit->digest = 0;
    if (unit->page != NULL) {
        bsi_loader_encode_page(loader, unit);
    } else {
        bsi_loader_encode_cells(loader, unit);
    }
}

/* ---- sequence: every row's place ------------------------------------------ */

/*
 * Sequencing is the only step that must see every sample in order, so it does as little as
 * possible: it numbers samples, draws their turn, and says which row of which batch each will be.
 *
 *     direct   no shuffle, one rank, fixed row_bases: sample s is row s. A unit names a run of
 *              samples of one page, and the page stays until all its units are encoded.
 *     stowed   samples are copied into cells and the page is let go. When a tick is complete its
 *              cells are handed out in order; a closed batch is cut into units over its cells.
 *              With several ranks a batch is always stowed: which rows are this rank's is known
 *              only when the batch is closed, because a tail is spread over the ranks.
 *
 * A batch is closed when a row behind it exists or the samples have ended, never because of time;
 * so its flags are exact. A step that needs a slot or a unit that is not there notes what it waits
 * for in `blocked`, returns, and is run again from the same cursor when one came back. The cursor
 * is (row, piece) in the page at hand; `pending` lists the cells whose turn has come.
 *
 * After a resume the samples from the anchor on are numbered and their keys drawn as before; those
 * with a turn before the token's tick, and the first rows of that tick, were delivered already.
 */

/*
 * The newest anchor from which the samples needed behind a row of `tick` can be read again. A sample
 * is delayed by less than W, so none with a turn at `tick` or later has a number below tick - W + 1.
 */
static uint32_t bsi_loader_find_anchor(const bsi_loader_sequencer *sequencer, uint64_t tick) {
    uint64_t reach = sequencer->order.window - 1, needed = tick > reach ? tick - reach : 0;
    uint32_t i = sequencer->anchor_count - 1;
    while (i > 0 && sequencer->anchors[i].sample > needed) {
        --i;
    }
    return i;
}

static void bsi_loader_remove_anchors(bsi_loader_sequencer *sequencer, uint32_t from,
                                      uint32_t count) {
    sequencer->anchor_count -= count;
    memmove(&sequencer->anchors[from], &sequencer->anchors[from + count],
            (sequencer->anchor_count - from) * sizeof sequencer->anchors[0]);
}

/*
 * Note the start of a page. Old anchors that no token will need go, and of three neighbours the
 * middle one where the outer two are at most W/32 samples apart: then every three span more, and
 * about 2 x 32 + 4 cover the window. Should the array be full all the same, the second oldest goes,
 * which makes a resume longer, never wrong.
 */
static void bsi_loader_add_anchor(bsi_loader_sequencer *sequencer, const bsi_token_anchor *anchor) {
    uint64_t tick = sequencer->open != NULL ? BSI_MIN(sequencer->open->tick, sequencer->tick)
                                            : sequencer->tick;
    uint32_t count;
    bsi_loader_remove_anchors(sequencer, 0, bsi_loader_find_anchor(sequencer, tick));
    count = sequencer->anchor_count;
    if (count >= 2 &&
        sequencer->sample - sequencer->anchors[count - 2].sample <= sequencer->order.window / 32) {
        bsi_loader_remove_anchors(sequencer, count - 1, 1);
    }
    if (sequencer->anchor_count == BSI_LOADER_ANCHORS) {
        bsi_loader_remove_anchors(sequencer, 1, 1);
    }
    sequencer->anchors[sequencer->anchor_count] = *anchor;
    sequencer->anchors[sequencer->anchor_count].sample = sequencer->sample;
    ++sequencer->anchor_count;
}

/* Write the slot's rows [valid_rows, rows) as padding: length 0, id -1. */
static void bsi_loader_pad_rows(const biost_loader *loader, bsi_loader_slot *slot) {
    bsi_loader_sample nothing;
    uint32_t row;
    memset(&nothing, 0, sizeof nothing);
    nothing.name = (const uint8_t *)"";
    for (row = slot->valid_rows; row < slot->rows; ++row) {
        bsi_loader_write_row(loader, slot, row, &nothing);
        memset(&slot->origins[row], 0, sizeof slot->origins[row]);
        slot->origins[row].id = -1;
    }
}

/* Describe one more tensor of a slot: [rows][shape_1][shape_2], as many of them as the layout has letters. */
static void bsi_loader_add_tensor(bsi_loader_slot *slot, biost_role role, biost_dtype dtype, void *data,
                                  const char *layout, uint32_t shape_1, uint32_t shape_2) {
    const int64_t shape[3] = {slot->rows, shape_1, shape_2};
    biost_tensor *tensor = &slot->tensors[slot->tensor_count++];
    int64_t stride = 1;
    uint32_t i;
    memset(tensor, 0, sizeof *tensor);
    tensor->data = data;
    tensor->dtype = dtype;
    tensor->role = role;
    tensor->device = -1;
    tensor->ndim = (uint32_t)strlen(layout);
    for (i = tensor->ndim; i-- > 0; stride *= shape[i]) {
        tensor->shape[i] = shape[i];
        tensor->strides[i] = stride;
    }
    tensor->bytes = (uint64_t)stride * bsi_encode_dtype_bytes(dtype);
    memcpy(tensor->layout, layout, strlen(layout) + 1);
}

/*
 * Where a slot's arrays lie in its block, one close behind the other, when its rows have so many columns.
 * Where the first two lie does not depend on it. Returns the bytes of all.
 */
static uint64_t bsi_loader_place_arrays(const bsi_loader_plan *plan, uint32_t columns, uint8_t *base,
                                        bsi_loader_slot *slot) {
    bsi_memory_layout layout = {NULL, 0};
    uint64_t rows = plan->rank_rows, places = rows * columns;
    layout.base = base;
    slot->lengths = (int32_t *)bsi_memory_reserve(&layout, rows, sizeof(int32_t));
    slot->x = (uint8_t *)bsi_memory_reserve(&layout, places, plan->encoder.base_bytes);
    slot->quality = (uint8_t *)bsi_memory_reserve(&layout, places, plan->quality_bytes);
    slot->mask = (uint8_t *)bsi_memory_reserve(&layout, places, plan->desc.mask ? 1 : 0);
    slot->labels = (uint8_t *)bsi_memory_reserve(&layout, rows, plan->label_bytes);
    return layout.bytes;
}

/* What lies between a batch's arrays is copied with them, though it means nothing: it is 0. */
static void bsi_loader_clear_gaps(bsi_loader_slot *slot) {
    uint8_t *end = (uint8_t *)(slot->lengths + slot->rows);
    uint32_t i;
    for (i = 0; i < slot->tensor_count; ++i) {
        uint8_t *start = (uint8_t *)slot->tensors[i].data;
        memset(end, 0, (size_t)(start - end));
        end = start + slot->tensors[i].bytes;
    }
    slot->slab_bytes = (uint64_t)(end - slot->memory);
}

/* The batch's shape is known: describe its tensors. */
static void bsi_loader_shape(const biost_loader *loader, bsi_loader_slot *slot) {
    const biost_loader_desc *desc = &loader->plan.desc;
    uint32_t columns = slot->columns, channels = loader->plan.encoder.channels;
    if (loader->plan.columns == 0) { /* no row was encoded yet */
        bsi_loader_place_arrays(&loader->plan, columns, slot->memory, slot);
    }
    slot->tensor_count = 0;
    if (desc->encoding.kind == BIOST_ENCODE_TOKENS) {
        bsi_loader_add_tensor(slot, BIOST_ROLE_INPUT, desc->encoding.dtype, slot->x, "NL", columns, 0);
    } else if (desc->encoding.layout == BIOST_LAYOUT_NCL) {
        bsi_loader_add_tensor(slot, BIOST_ROLE_INPUT, desc->encoding.dtype, slot->x, "NCL", channels,
                              columns);
    } else {
        bsi_loader_add_tensor(slot, BIOST_ROLE_INPUT, desc->encoding.dtype, slot->x, "NLC", columns,
                              channels);
    }
    if (loader->plan.quality_bytes > 0) {
        bsi_loader_add_tensor(slot, BIOST_ROLE_QUALITY, desc->quality.dtype, slot->quality, "NL",
                              columns, 0);
    }
    if (desc->mask) {
        bsi_loader_add_tensor(slot, BIOST_ROLE_MASK, BIOST_DTYPE_U8, slot->mask, "NL", columns, 0);
    }
    if (loader->plan.label_bytes > 0) {
        bsi_loader_add_tensor(slot, BIOST_ROLE_LABEL, desc->labels.dtype, slot->labels,
                              desc->labels.width > 0 ? "NC" : "N", desc->labels.width, 0);
    }
    bsi_loader_clear_gaps(slot);
}

/* Give back the cells of rows [from, to) of the global batch. */
static void bsi_loader_free_cells(bsi_loader_sequencer *sequencer, const bsi_loader_slot *slot,
                                  uint32_t from, uint32_t to) {
    while (from < to) {
        sequencer->free_cells[sequencer->free_cell_count++] = slot->cells[from++];
    }
}

/* Hand a unit to finish(). */
static void bsi_loader_make_unit(bsi_loader_sequencer *sequencer, bsi_loader_unit *unit) {
    unit->next = NULL;
    *sequencer->made_units_end = unit;
    sequencer->made_units_end = &unit->next;
}

/*
 * A stowed batch is closed: cut its rows of this rank into units, free the cells of the other
 * ranks' rows.
 */
static void bsi_loader_cut_units(const biost_loader *loader, bsi_loader_sequencer *sequencer,
                                 bsi_loader_slot *slot) {
    uint32_t row, index = 0;
    bsi_loader_free_cells(sequencer, slot, 0, slot->first_row);
    bsi_loader_free_cells(sequencer, slot, slot->first_row + slot->valid_rows, slot->global_rows);
    for (row = 0; row < slot->valid_rows; row += loader->plan.rows_per_unit) {
        bsi_loader_unit *unit = &slot->units[index++];
        unit->slot = slot;
        unit->page = NULL;
        unit->first_row = row;
        unit->row_count = BSI_MIN(loader->plan.rows_per_unit, slot->valid_rows - row);
        bsi_loader_make_unit(sequencer, unit);
    }
}

/*
 * No row will be added to the batch under way: a row after it exists, or the samples have ended
 * (last).
 */
static void bsi_loader_close_batch(biost_loader *loader, bsi_loader_sequencer *sequencer,
                                   int last) {
    const bsi_loader_plan *plan = &loader->plan;
    bsi_loader_slot *slot = sequencer->open;
    int error = sequencer->error.code != BIOST_OK;
    uint32_t m = slot->global_rows, first = bsi_order_slice(m, plan->desc.rank, plan->desc.world);
    sequencer->open = NULL;
    if (plan->stowed) { /* else it is 0, and units of the batch are reading it */
        slot->first_row = first;
    }
    slot->valid_rows = bsi_order_slice(m, plan->desc.rank + 1, plan->desc.world) - first;
    if (last) { /* all samples so far were handed out, whatever turn they would have in a longer epoch */
        slot->tick = sequencer->sample;
        slot->tick_rows = 0;
    }
    slot->rows = plan->rank_rows;
    slot->flags = (last ? (uint32_t)BIOST_BATCH_LAST : 0u) |
                  (last && error ? (uint32_t)BIOST_BATCH_BEFORE_ERROR : 0u);
    if (m < plan->desc.batch_rows && !error && plan->desc.tail == BIOST_TAIL_DROP) {
        sequencer->tail_dropped = m;
        bsi_loader_free_cells(sequencer, slot, 0, plan->stowed ? m : 0);
        slot->next = sequencer->free_slots;
        sequencer->free_slots = slot;
        return;
    }
    if (m < plan->desc.batch_rows && plan->desc.tail == BIOST_TAIL_SHORT) {
        slot->rows = slot->valid_rows;
        slot->flags |= slot->rows < plan->rank_rows ? (uint32_t)BIOST_BATCH_SHORT : 0u;
    }
    if (plan->columns == 0) {
        slot->columns = (uint32_t)bsi_bytes_round_up(slot->longest, plan->desc.pad_multiple);
    }
    slot->anchor = sequencer->anchors[bsi_loader_find_anchor(sequencer, slot->tick)];
    bsi_loader_shape(loader, slot);
    bsi_loader_pad_rows(loader, slot);
    if (plan->stowed) {
        bsi_loader_cut_units(loader, sequencer, slot);
    }
    ++sequencer->batch;
    slot->next = sequencer->closed_slots;
    sequencer->closed_slots = slot;
}

/*
 * Make sure there is a batch with room for one more row. Returns 0 when that needs a slot and none
 * is free.
 */
static int bsi_loader_open_batch(biost_loader *loader, bsi_loader_sequencer *sequencer) {
    bsi_loader_slot *slot = sequencer->open;
    if (slot != NULL && slot->global_rows == loader->plan.desc.batch_rows) {
        bsi_loader_close_batch(loader, sequencer, 0);
        slot = NULL;
    }
    if (slot != NULL) {
        return 1;
    }
    slot = sequencer->free_slots;
    if (slot == NULL) {
        sequencer->blocked = BSI_LOADER_BLOCK_SLOT;
        return 0;
    }
    sequencer->free_slots = slot->next;
    sequencer->open = slot;
    slot->epoch = loader->fill->number;
    slot->batch = sequencer->batch;
    slot->global_rows = 0;
    slot->longest = 0;
    slot->first_row = 0;
    slot->columns = loader->plan.columns;
    return 1;
}

/* A row of the batch under way was placed; note how to resume behind it. */
static void bsi_loader_row_placed(bsi_loader_sequencer *sequencer, uint32_t bases) {
    bsi_loader_slot *slot = sequencer->open;
    ++slot->global_rows;
    slot->longest = BSI_MAX(slot->longest, bases);
    slot->tick = sequencer->tick;
    slot->tick_rows = ++sequencer->tick_rows;
}

/* Whether the row whose turn it is was handed out before the token this epoch was resumed with. */
static int bsi_loader_skip_row(bsi_loader_sequencer *sequencer) {
    return sequencer->resuming && (sequencer->tick < sequencer->skip_tick ||
                                   (sequencer->tick == sequencer->skip_tick &&
                                    sequencer->tick_rows < sequencer->skip_rows));
}

/* Bases of a stowed sample, where the batch's width depends on them. */
static uint32_t bsi_loader_cell_bases(const biost_loader *loader, uint32_t index) {
    const void *memory = bsi_loader_cell_at(loader, index);
    return loader->plan.columns > 0 ? 0 : ((const bsi_loader_cell *)memory)->bases;
}

/* Hand out the cells whose turn has come. Returns 0 when blocked. */
static int bsi_loader_hand_out(biost_loader *loader, bsi_loader_sequencer *sequencer) {
    while (sequencer->pending != BSI_ORDER_NONE) {
        uint32_t cell = sequencer->pending;
        if (bsi_loader_skip_row(sequencer)) {
            ++sequencer->tick_rows;
            sequencer->free_cells[sequencer->free_cell_count++] = cell;
        } else {
            if (!bsi_loader_open_batch(loader, sequencer)) {
                return 0;
            }
            sequencer->open->cells[sequencer->open->global_rows] = cell;
            bsi_loader_row_placed(sequencer, bsi_loader_cell_bases(loader, cell));
        }
        sequencer->pending = sequencer->order.cells[cell].next;
    }
    return 1;
}

/* The turn of tick `tick` has come. */
static void bsi_loader_begin_tick(bsi_loader_sequencer *sequencer, uint64_t tick) {
    sequencer->tick = tick;
    sequencer->tick_rows = 0;
}

/* Copy what a row will need of a sample into a cell. */
static void bsi_loader_fill_cell(biost_loader *loader, const bsi_loader_page *page, uint32_t row,
                                 uint32_t piece, uint32_t index) {
    const bsi_loader_plan *plan = &loader->plan;
    uint8_t *memory = bsi_loader_cell_at(loader, index);
    bsi_loader_cell *cell = (bsi_loader_cell *)(void *)memory;
    bsi_loader_sample sample;
    bsi_loader_fill_sample(loader, page, row, piece, &sample);
    cell->id = sample.view.id;
    cell->piece = piece;
    cell->start_base = sample.view.start_base;
    cell->bases = sample.view.bases;
    cell->flags = sample.view.flags;
    cell->name_bytes = sample.name_bytes;
    memcpy(memory + plan->cell_seq, sample.view.seq, cell->bases);
    if (plan->keeps_quality && sample.view.qual != NULL) {
        memcpy(memory + plan->cell_qual, sample.view.qual, cell->bases);
        cell->flags |= BSI_LOADER_HAS_QUAL;
    }
    if (plan->name_bytes > 0) {
        memcpy(memory + plan->cell_name, sample.name, cell->name_bytes);
    }
    if (plan->label_bytes > 0) {
        memcpy(memory + plan->cell_label, sample.label, plan->label_bytes);
    }
}

/* Turns drawn for samples to come: of piece 0 of a page's rows from `row` on. */
typedef struct bsi_loader_draws {
    uint32_t row, count;
    uint32_t delay_tie[BSI_LOADER_DRAWS][2];
} bsi_loader_draws;

/*
 * Draw turns for the next rows of a page, most of which are one sample, and ask for the memory that
 * stowing these and handing out as many others will touch.
 */
static void bsi_loader_draw(const biost_loader *loader, const bsi_loader_sequencer *sequencer,
                            const bsi_loader_page *page, bsi_loader_draws *draws) {
    const bsi_order *order = &sequencer->order;
    int64_t id = (int64_t)(page->anchor.id + sequencer->row);
    uint64_t tick = sequencer->sample % order->window; /* its list */
    uint32_t i;
    draws->row = sequencer->row;
    draws->count = BSI_MIN(page->stop_row - sequencer->row, BSI_LOADER_DRAWS);
    for (i = 0; i < draws->count; ++i) {
        uint32_t due = order->lists[tick];
        uint64_t turn;
        bsi_rng_shuffle(sequencer->shuffle_key, id + i, 0, order->window, draws->delay_tie[i]);
        turn = tick + draws->delay_tie[i][0];
        BSI_PREFETCH(&order->lists[turn < order->window ? turn : turn - order->window]);
        tick = tick + 1 < order->window ? tick + 1 : 0;
        if (due != BSI_ORDER_NONE) {
            BSI_PREFETCH(&order->cells[due]);
        }
        if (i < sequencer->free_cell_count) {
            uint32_t index = sequencer->free_cells[sequencer->free_cell_count - 1 - i];
            BSI_PREFETCH(&order->cells[index]);
            bsi_loader_prefetch_cell(loader, index);
        }
    }
}

/* Stow the next sample of the page: number it, give it its turn, copy what is wanted of it into a cell. */
static void bsi_loader_stow(biost_loader *loader, bsi_loader_sequencer *sequencer,
                            const bsi_loader_page *page, const uint32_t delay_tie[2]) {
    uint64_t sample = sequencer->sample++, key = bsi_order_key(&sequencer->order, sample, delay_tie[0]);
    if (!sequencer->resuming || (key >= sequencer->skip_tick && sample >= sequencer->skip_samples)) {
        uint32_t index = sequencer->free_cells[--sequencer->free_cell_count];
        sequencer->order.cells[index].sample = sample;
        sequencer->order.cells[index].tie = delay_tie[1];
        bsi_loader_fill_cell(loader, page, sequencer->row, sequencer->piece, index);
        bsi_order_enter(&sequencer->order, index, key);
    }
    bsi_loader_begin_tick(sequencer, sample);
    sequencer->pending = bsi_order_take(&sequencer->order, sample);
}

/* The same, with a turn drawn before or now. */
static void bsi_loader_stow_next(biost_loader *loader, bsi_loader_sequencer *sequencer,
                                 const bsi_loader_page *page, bsi_loader_draws *draws) {
    uint32_t delay_tie[2];
    if (sequencer->piece > 0) {
        bsi_rng_shuffle(sequencer->shuffle_key, (int64_t)(page->anchor.id + sequencer->row),
                        sequencer->piece, sequencer->order.window, delay_tie);
        bsi_loader_stow(loader, sequencer, page, delay_tie);
        return;
    }
    if (sequencer->row - draws->row >= draws->count) {
        bsi_loader_draw(loader, sequencer, page, draws);
    }
    bsi_loader_stow(loader, sequencer, page, draws->delay_tie[sequencer->row - draws->row]);
}

/* Give the next sample of the page its row at once. Returns 0 when blocked. */
static int bsi_loader_place_direct(biost_loader *loader, bsi_loader_sequencer *sequencer,
                                   bsi_loader_page *page, bsi_loader_unit **unit) {
    bsi_loader_begin_tick(sequencer, sequencer->sample);
    if (bsi_loader_skip_row(sequencer)) {
        ++sequencer->sample;
        *unit = NULL;
        return 1;
    }
    if (!bsi_loader_open_batch(loader, sequencer)) {
        return 0;
    }
    if (*unit == NULL || (*unit)->slot != sequencer->open ||
        (*unit)->row_count == loader->plan.rows_per_unit) {
        *unit = sequencer->free_units;
        if (*unit == NULL) {
            sequencer->blocked = BSI_LOADER_BLOCK_UNIT;
            return 0;
        }
        sequencer->free_units = (*unit)->next;
        (*unit)->slot = sequencer->open;
        (*unit)->page = page;
        (*unit)->first_row = sequencer->open->global_rows;
        (*unit)->row_count = 0;
        (*unit)->page_row = sequencer->row;
        (*unit)->piece = sequencer->piece;
        bsi_loader_make_unit(sequencer, *unit);
    }
    ++(*unit)->row_count;
    ++sequencer->sample;
    bsi_loader_row_placed(sequencer, 0);
    return 1;
}

/* The fault behind the rows of a page, or at its stop row. */
static void bsi_loader_raise(biost_loader *loader, bsi_loader_sequencer *sequencer,
                             const bsi_loader_page *page) {
    bsi_bad bad = page->bad;
    if (page->stop_row < page->row_count) {
        const bsi_loader_row *row = &page->rows[page->stop_row];
        memset(&bad, 0, sizeof bad);
        bad.fault = BIOST_FAULT_ROW_TOO_LONG;
        bad.record = (page->anchor.id & BSI_RECORDS_LAST) + page->stop_row;
        bad.line = page->anchor.line + row->line;
        bad.text_offset = page->anchor.text_offset + row->text;
        bad.a = row->bases;
        bad.b = loader->plan.row_limit;
        bad.detail = loader->plan.columns > 0 ? "desc.row_bases" : "desc.max_row_bases";
    }
    bsi_fault_raise(&sequencer->error, &bad, loader->inputs[page->text->path_index].name,
                    page->text->path_index, page->text->os_error);
}

/*
 * Behind a row just placed directly: place as many more as its batch and unit have room for. On a page where
 * each row is one sample.
 */
static void bsi_loader_place_run(biost_loader *loader, bsi_loader_sequencer *sequencer,
                                 const bsi_loader_page *page, bsi_loader_unit *unit) {
    bsi_loader_slot *slot = sequencer->open;
    uint32_t rows = page->stop_row - sequencer->row - 1;
    rows = BSI_MIN(rows, loader->plan.desc.batch_rows - slot->global_rows);
    rows = BSI_MIN(rows, loader->plan.rows_per_unit - unit->row_count);
    if (rows > 0) {
        unit->row_count += rows;
        slot->global_rows += rows;
        sequencer->sample += rows;
        sequencer->made_samples += rows;
        sequencer->row += rows;
        sequencer->tick = sequencer->sample - 1;
        slot->tick = sequencer->tick;
    }
}

/* Place the rows of a page from the cursor on. Returns 0 when blocked. */
static int bsi_loader_place_page(biost_loader *loader, bsi_loader_sequencer *sequencer,
                                 bsi_loader_page *page) {
    bsi_loader_unit *unit = NULL;
    bsi_loader_draws draws;
    draws.row = 0;
    draws.count = 0;
    while (sequencer->row < page->stop_row) {
        const bsi_loader_row *row = &page->rows[sequencer->row];
        if (sequencer->piece >= row->pieces) {
            int is_whole = !page->partial_row || sequencer->row + 1 < page->row_count;
            if (row->pieces == 0 && is_whole) {
                ++sequencer->made_dropped[row->drop];
            }
            ++sequencer->row;
            sequencer->piece = 0;
            continue;
        }
        if (loader->plan.stowed) {
            bsi_loader_stow_next(loader, sequencer, page, &draws);
        } else if (!bsi_loader_place_direct(loader, sequencer, page, &unit)) {
            return 0;
        } else if (page->all_single && unit != NULL) {
            bsi_loader_place_run(loader, sequencer, page, unit);
        }
        ++sequencer->piece;
        ++sequencer->made_samples;
        if (loader->plan.stowed && !bsi_loader_hand_out(loader, sequencer)) {
            return 0;
        }
    }
    return 1;
}

/* The samples have ended: what pends has key n. Returns 0 when blocked. */
static int bsi_loader_place_rest(biost_loader *loader, bsi_loader_sequencer *sequencer) {
    if (!sequencer->rest_taken && loader->plan.stowed) {
        bsi_loader_begin_tick(sequencer, sequencer->sample);
        sequencer->pending = bsi_order_take_rest(&sequencer->order);
    }
    sequencer->rest_taken = 1;
    if (loader->plan.stowed && !bsi_loader_hand_out(loader, sequencer)) {
        return 0;
    }
    if (sequencer->open != NULL) {
        bsi_loader_close_batch(loader, sequencer, 1);
    }
    sequencer->ended = 1;
    return 1;
}

/*
 * work: sequence the page at hand, as far as slots and units reach. Runs again when blocked and
 * unblocked.
 */
static void bsi_loader_sequence(void *owner, bsi_sched_task *task) {
    biost_loader *loader = (biost_loader *)owner;
    bsi_loader_sequencer *sequencer = &loader->sequencer;
    bsi_loader_page *page = bsi_loader_page_at(loader, sequencer->ticket);
    (void)task;
    sequencer->blocked = BSI_LOADER_BLOCK_PAGE;
    sequencer->made_units = NULL;
    sequencer->made_units_end = &sequencer->made_units;
    sequencer->closed_slots = NULL;
    sequencer->made_samples = 0;
    memset(sequencer->made_dropped, 0, sizeof sequencer->made_dropped);
    sequencer->page_done = 0;
    if (!sequencer->page_entered && page->row_count > 0) {
        bsi_loader_add_anchor(sequencer, &page->anchor);
    }
    sequencer->page_entered = 1;
    if (!bsi_loader_hand_out(loader, sequencer) ||
        !bsi_loader_place_page(loader, sequencer, page)) {
        return;
    }
    if (page->has_bad || page->stop_row < page->row_count) {
        bsi_loader_raise(loader, sequencer, page);
    }
    if (sequencer->error.code != BIOST_OK || (page->ends_epoch && !page->more_text)) {
        if (!bsi_loader_place_rest(loader, sequencer)) {
            return;
        }
    }
    sequencer->page_done = 1;
}

/* ---- under the lock: what each task leaves behind, and what becomes ready --- */

/*
 * Every finish() below runs under the scheduler's lock right after its task's work. It publishes
 * what the work left in fields the task owned, and ends with bsi_loader_advance, which looks at
 * every serial stage and makes those ready that have what they need. The conditions are looked at
 * afresh after every change, so no event can be missed; a task that is ready or running is `busy`,
 * so none is pushed twice.
 */

/* A page is used up when it is sequenced, encoded, and its cut-off end was carried on. */
static void bsi_loader_settle_page(biost_loader *loader, bsi_loader_page *page) {
    if (page->state != BSI_LOADER_PAGE_DRAINING || page->outstanding > 0) {
        return;
    }
    if (page->holds_long) {
        page->holds_long = 0;
        loader->long_held = 0;
    }
    if (page->more_text) {
        page->state = BSI_LOADER_PAGE_TAKEN;
    } else if (!page->carry_wanted) {
        page->state = BSI_LOADER_PAGE_FREE;
        bsi_stream_give_back(&loader->pipe, page->text);
    }
}

static int bsi_loader_slot_ready(const bsi_loader_slot *slot) {
    return slot->closed && slot->outstanding == 0;
}

/* Whether this is the batch the caller takes next. */
static int bsi_loader_slot_is_next(const biost_loader *loader, const bsi_loader_slot *slot) {
    return bsi_loader_slot_ready(slot) && !slot->held && slot->batch == loader->next_batch &&
           slot->epoch == loader->drain->number;
}

static void bsi_loader_settle_slot(biost_loader *loader, const bsi_loader_slot *slot) {
    if (bsi_loader_slot_is_next(loader, slot)) {
        bsi_sched_wake_caller(&loader->sched);
    }
}

/* Give the sequencer what came back since its last run. It is idle. */
static void bsi_loader_supply_sequencer(biost_loader *loader) {
    bsi_loader_sequencer *sequencer = &loader->sequencer;
    bsi_loader_slot **end = &loader->used_slots; /* the one released last goes first: it is in the cache */
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = sequencer->free_slots;
    sequencer->free_slots = loader->used_slots;
    loader->used_slots = NULL;
    while (loader->used_units != NULL) {
        bsi_loader_unit *unit = loader->used_units;
        loader->used_units = unit->next;
        unit->next = sequencer->free_units;
        sequencer->free_units = unit;
    }
    if (loader->used_cell_count > 0) {
        memcpy(sequencer->free_cells + sequencer->free_cell_count, loader->used_cells,
               loader->used_cell_count * sizeof loader->used_cells[0]);
        sequencer->free_cell_count += loader->used_cell_count;
        loader->used_cell_count = 0;
    }
}

/* After a resume: leave out the text before the anchor, whole pages and then the start of one. */
static void bsi_loader_skip_text(biost_loader *loader) {
    bsi_stream_page *text = bsi_stream_front(&loader->pipe);
    while (text != NULL && loader->skip_text_bytes > 0) {
        uint64_t skipped = BSI_MIN(loader->skip_text_bytes, (uint64_t)text->text_bytes);
        loader->skip_text_bytes -= skipped;
        loader->fill->progress.text_bytes += skipped;
        text->text += skipped;
        text->text_bytes -= (size_t)skipped;
        if (loader->skip_text_bytes == 0 || text->ends_input) {
            loader->skip_text_bytes = 0;
            return;
        }
        bsi_stream_take(&loader->pipe, text);
        bsi_stream_give_back(&loader->pipe, text);
        ++loader->scan_ticket;
        ++loader->sequencer.ticket;
        text = bsi_stream_front(&loader->pipe);
    }
}

/* Take the next page of text from the pipe, if there is none half scanned. */
static void bsi_loader_take_page(biost_loader *loader) {
    bsi_stream_page *text = bsi_stream_front(&loader->pipe);
    bsi_loader_page *page;
    if (text == NULL || loader->scan_done || loader->scan_ticket < loader->pipe.take_ticket) {
        return;
    }
    bsi_stream_take(&loader->pipe, text);
    page = bsi_loader_page_at(loader, loader->scan_ticket);
    page->state = BSI_LOADER_PAGE_TAKEN;
    page->text = text;
    page->first_of_input = loader->scan_fresh;
    page->scanned_before = 0;
    page->ends_epoch = text->ends_all;
    page->warnings = text->warnings;
    loader->scan_fresh = text->ends_input;
    loader->fill->progress.text_bytes += text->text_bytes;
    loader->counters.stages[BIOST_STAGE_SCAN].bytes += text->text_bytes;
    loader->counters.stages[text->chunk != NULL ? BIOST_STAGE_INFLATE : BIOST_STAGE_DECODE].bytes +=
        text->text_bytes;
}

static int bsi_loader_can_scan(biost_loader *loader) {
    const bsi_loader_page *page;
    if (loader->scan_done || loader->scan_ticket == loader->pipe.take_ticket) {
        return 0;
    }
    page = bsi_loader_page_at(loader, loader->scan_ticket);
    return page->state == BSI_LOADER_PAGE_TAKEN &&
           (page->scanned_before || !loader->long_held ||
            !bsi_reader_scan_needs_long(&loader->scan));
}

/* Whether no row can be placed until the caller takes or releases a batch: each slot has one, encoded. */
static int bsi_loader_is_full(const biost_loader *loader) {
    uint32_t i;
    if (loader->sequencer.task.busy || loader->sequencer.blocked != BSI_LOADER_BLOCK_SLOT ||
        loader->used_slots != NULL) {
        return 0;
    }
    for (i = 0; i < loader->plan.desc.slots; ++i) {
        if (loader->slots[i].outstanding > 0) {
            return 0;
        }
    }
    return 1;
}

/* Count the time in which that is so. */
static void bsi_loader_count_full(biost_loader *loader) {
    int is_full = bsi_loader_is_full(loader);
    if (is_full && loader->full_ns == 0) {
        loader->full_ns = bsi_platform_now_ns();
    } else if (!is_full && loader->full_ns != 0) {
        loader->counters.slots_full_ns += bsi_platform_now_ns() - loader->full_ns;
        loader->full_ns = 0;
    }
}

static int bsi_loader_can_sequence(biost_loader *loader) {
    const bsi_loader_sequencer *sequencer = &loader->sequencer;
    if (sequencer->ended) {
        return 0;
    }
    if (sequencer->blocked == BSI_LOADER_BLOCK_SLOT) {
        return loader->used_slots != NULL;
    }
    if (sequencer->blocked == BSI_LOADER_BLOCK_UNIT) {
        return loader->used_units != NULL;
    }
    return sequencer->ticket < loader->pipe.take_ticket &&
           bsi_loader_page_at(loader, sequencer->ticket)->state == BSI_LOADER_PAGE_CHECKED;
}

/*
 * Everything free and at the start, but for slots the caller holds and, where another epoch drains, those
 * with its batches.
 */
static void bsi_loader_reset_pools(biost_loader *loader) {
    bsi_loader_sequencer *sequencer = &loader->sequencer;
    uint32_t i;
    loader->used_slots = NULL;
    loader->used_units = NULL;
    loader->used_cell_count = 0;
    sequencer->free_slots = NULL;
    sequencer->free_units = NULL;
    for (i = loader->plan.desc.slots; i > 0; --i) {
        bsi_loader_slot *slot = &loader->slots[i - 1];
        int waits = slot->closed && loader->fill != loader->drain &&
                    slot->epoch == loader->drain->number;
        if (!slot->held && !waits) {
            slot->closed = 0;
            slot->outstanding = 0;
            slot->digest = 0;
            slot->next = sequencer->free_slots;
            sequencer->free_slots = slot;
        }
    }
    for (i = loader->plan.stowed ? 0 : loader->plan.units; i > 0; --i) {
        loader->units[i - 1].next = sequencer->free_units;
        sequencer->free_units = &loader->units[i - 1];
    }
    for (i = 0; i < loader->plan.cells; ++i) {
        sequencer->free_cells[i] = i;
    }
    sequencer->free_cell_count = loader->plan.cells;
    for (i = 0; i < loader->plan.stream.page_count; ++i) {
        bsi_loader_page *page = &loader->pages[i];
        page->state = BSI_LOADER_PAGE_FREE;
        page->outstanding = 0;
        page->carry_wanted = 0;
        page->holds_long = 0;
    }
}

static void bsi_loader_reset_sequencer(biost_loader *loader, const bsi_token *from) {
    bsi_loader_sequencer *sequencer = &loader->sequencer;
    sequencer->ticket = 0;
    sequencer->row = 0;
    sequencer->piece = 0;
    sequencer->page_entered = 0;
    sequencer->sample = from->anchor.sample;
    sequencer->batch = from->next_batch;
    sequencer->open = NULL;
    sequencer->shuffle_key = bsi_rng_stage_key(loader->plan.desc.seed, from->epoch, BSI_RNG_SHUFFLE);
    sequencer->pending = BSI_ORDER_NONE;
    sequencer->tick = from->tick;
    sequencer->tick_rows = 0;
    sequencer->skip_tick = from->tick;
    sequencer->skip_rows = from->tick_rows;
    sequencer->skip_samples = from->tail ? from->tick : 0;
    sequencer->resuming = from->next_batch > 0;
    sequencer->rest_taken = 0;
    sequencer->ended = 0;
    sequencer->blocked = BSI_LOADER_BLOCK_PAGE;
    sequencer->tail_dropped = 0;
    sequencer->anchors[0] = from->anchor;
    sequencer->anchor_count = 1;
    sequencer->made_units = NULL;
    sequencer->closed_slots = NULL;
    memset(&sequencer->error, 0, sizeof sequencer->error);
    if (loader->plan.stowed) {
        bsi_order_begin(&sequencer->order);
    }
}

/* Under lock, nothing running. Let `fill`, which is set, begin at the point `from`. */
static void bsi_loader_reset(biost_loader *loader, const bsi_token *from) {
    uint32_t path = (uint32_t)(from->anchor.id >> 40);
    int is_gzip = loader->inputs[path].is_gzip;
    memset(loader->fill, 0, sizeof *loader->fill);
    loader->fill->number = from->epoch;
    loader->counters.stages[BIOST_STAGE_READ].bytes += loader->pipe.source_bytes;
    bsi_stream_reset(&loader->pipe, path, is_gzip ? 0 : from->anchor.text_offset);
    bsi_loader_reset_pools(loader);
    bsi_loader_reset_sequencer(loader, from);
    bsi_augment_epoch(&loader->augment, loader->plan.desc.seed, from->epoch);
    bsi_reader_scan_clear(&loader->scan);
    loader->skip_text_bytes = is_gzip ? from->anchor.text_offset : 0;
    loader->scan_fresh = 1;
    loader->carry_page = NULL;
    loader->scan_ticket = 0;
    loader->scan_done = 0;
    loader->resume_scan = 1;
    loader->scan_format = loader->format;
    loader->scan_anchor = from->anchor;
    loader->scan_visited = from->anchor.visited;
    loader->scan_skipped = from->anchor.skipped;
    loader->long_held = 0;
    loader->full_ns = 0;
}

/*
 * Whether the next epoch may begin to fill: all rows of this one are encoded, none of the pipe's tasks is
 * ready or running, and the caller may want it.
 */
static int bsi_loader_may_go_ahead(const biost_loader *loader) {
    const bsi_loader_epoch *drain = loader->drain;
    uint64_t epochs = loader->plan.desc.epochs;
    return loader->fill == drain && drain->error.code == BIOST_OK && !loader->cancelled &&
           loader->sched.running_count == 0 && loader->sched.ready_count == 0 &&
           !loader->sched.paused && loader->inputs[0].callback.read == NULL &&
           drain->number < UINT64_MAX && (epochs == 0 || drain->number + 1 < epochs);
}

/* Under lock. The next epoch begins to fill while batches of this one are still taken. */
static void bsi_loader_go_ahead(biost_loader *loader) {
    bsi_token start;
    memset(&start, 0, sizeof start);
    start.epoch = loader->drain->number + 1;
    start.anchor.line = 1;
    loader->fill = loader->drain == &loader->epochs[0] ? &loader->epochs[1] : &loader->epochs[0];
    bsi_loader_reset(loader, &start);
}

/* Make every serial stage ready that has what it needs. Called whenever anything changed. */
static void bsi_loader_advance(biost_loader *loader) {
    bsi_sched *sched = &loader->sched;
    if (!loader->begun) {
        return;
    }
    if (loader->fill->ended) {
        if (!bsi_loader_may_go_ahead(loader)) {
            return;
        }
        bsi_loader_go_ahead(loader);
    }
    bsi_loader_skip_text(loader);
    if (!loader->scan_task.busy) {
        bsi_loader_take_page(loader);
    }
    if (!loader->sequencer.task.busy && bsi_loader_can_sequence(loader)) {
        bsi_loader_supply_sequencer(loader);
        bsi_sched_push(sched, &loader->sequencer.task);
    }
    if (!loader->scan_task.busy && bsi_loader_can_scan(loader)) {
        bsi_sched_push(sched, &loader->scan_task);
    }
    bsi_loader_count_full(loader);
    bsi_stream_advance(&loader->pipe);
}

/* One of the pipe's tasks has finished. */
static void bsi_loader_changed(void *owner) {
    bsi_loader_advance((biost_loader *)owner);
}

static void bsi_loader_scan_finish(void *owner, bsi_sched_task *task) {
    biost_loader *loader = (biost_loader *)owner;
    bsi_loader_page *page = bsi_loader_page_at(loader, loader->scan_ticket);
    bsi_loader_page *before = loader->carry_page;
    (void)task;
    page->state = BSI_LOADER_PAGE_SCANNED;
    page->carry_wanted = loader->scan.carry_bytes > 0 && !page->ends_epoch &&
                         !page->text->ends_input;
    loader->long_held |= page->holds_long;
    loader->warnings |= page->warnings;
    loader->fill->progress.record_count += page->row_count - (uint32_t)page->partial_row;
    loader->fill->progress.skipped_count += page->skipped;
    loader->counters.stages[BIOST_STAGE_SCAN].record_count += page->row_count;
    loader->counters.stages[BIOST_STAGE_CHECK].record_count += page->row_count;
    if (before != NULL && before != page) { /* it was copied from by now */
        before->carry_wanted = 0;
        bsi_loader_settle_page(loader, before);
    }
    loader->carry_page = page->carry_wanted ? page : NULL;
    bsi_sched_push(&loader->sched, &page->check);
    if (!page->more_text) {
        loader->scan_done = page->ends_epoch;
        ++loader->scan_ticket;
    }
    bsi_loader_advance(loader);
}

static void bsi_loader_check_finish(void *owner, bsi_sched_task *task) {
    bsi_loader_page *page = (bsi_loader_page *)task;
    page->state = BSI_LOADER_PAGE_CHECKED;
    bsi_loader_advance((biost_loader *)owner);
}

/* Pass on the units made. The lists were the sequencer's own until here. */
static void bsi_loader_push_units(biost_loader *loader) {
    bsi_loader_unit *unit = loader->sequencer.made_units;
    while (unit != NULL) {
        bsi_loader_unit *next = unit->next;
        ++unit->slot->outstanding;
        unit->task.home = &unit->slot->home;
        if (unit->page != NULL) {
            ++unit->page->outstanding;
        }
        bsi_sched_push(&loader->sched, &unit->task);
        unit = next;
    }
    loader->sequencer.made_units = NULL;
    loader->sequencer.made_units_end = &loader->sequencer.made_units;
}

/* The epoch's last batch is known, and with a whole one how many each has. */
static void bsi_loader_end_epoch(biost_loader *loader) {
    const bsi_loader_sequencer *sequencer = &loader->sequencer;
    const biost_loader_desc *desc = &loader->plan.desc;
    bsi_loader_epoch *fill = loader->fill;
    fill->ended = 1;
    fill->batch_count = sequencer->batch;
    fill->error = sequencer->error;
    fill->progress.tail_dropped_rows = sequencer->tail_dropped;
    fill->progress.source_bytes = loader->pipe.source_bytes;
    if (fill->error.code == BIOST_OK) {
        uint64_t whole = sequencer->sample / desc->batch_rows;
        loader->batches_per_epoch = whole + (sequencer->sample % desc->batch_rows > 0 &&
                                             desc->tail != BIOST_TAIL_DROP);
    }
    bsi_sched_wake_caller(&loader->sched);
}

/* Bytes of all tensors of a batch. */
static uint64_t bsi_loader_slot_bytes(const bsi_loader_slot *slot) {
    uint64_t bytes = 0;
    uint32_t i;
    for (i = 0; i < slot->tensor_count; ++i) {
        bytes += slot->tensors[i].bytes;
    }
    return bytes;
}

/* What the sequencer's run placed and left out. */
static void bsi_loader_count_samples(biost_loader *loader) {
    const bsi_loader_sequencer *sequencer = &loader->sequencer;
    biost_progress *progress = &loader->fill->progress;
    uint32_t i;
    progress->sample_count += sequencer->made_samples;
    for (i = 0; i < BIOST_DROP_COUNT; ++i) {
        progress->dropped[i] += sequencer->made_dropped[i];
        progress->filtered_count += sequencer->made_dropped[i];
    }
    loader->counters.stages[BIOST_STAGE_SEQUENCE].record_count += sequencer->made_samples;
}

static void bsi_loader_sequence_finish(void *owner, bsi_sched_task *task) {
    biost_loader *loader = (biost_loader *)owner;
    bsi_loader_sequencer *sequencer = &loader->sequencer;
    bsi_loader_page *page = bsi_loader_page_at(loader, sequencer->ticket);
    (void)task;
    bsi_loader_push_units(loader);
    while (sequencer->closed_slots != NULL) {
        bsi_loader_slot *slot = sequencer->closed_slots;
        sequencer->closed_slots = slot->next;
        slot->closed = 1;
        loader->counters.stages[BIOST_STAGE_ENCODE].bytes += bsi_loader_slot_bytes(slot);
        bsi_loader_settle_slot(loader, slot);
    }
    bsi_loader_count_samples(loader);
    if (sequencer->page_done) {
        page->state = BSI_LOADER_PAGE_DRAINING;
        sequencer->ticket += !page->more_text;
        sequencer->row = 0;
        sequencer->piece = 0;
        sequencer->page_entered = 0;
        bsi_loader_settle_page(loader, page);
    }
    if (sequencer->ended) {
        bsi_loader_end_epoch(loader);
    }
    bsi_loader_advance(loader);
}

static void bsi_loader_encode_finish(void *owner, bsi_sched_task *task) {
    biost_loader *loader = (biost_loader *)owner;
    bsi_loader_unit *unit = (bsi_loader_unit *)task;
    bsi_loader_slot *slot = unit->slot;
    --slot->outstanding;
    slot->digest += unit->digest;
    loader->counters.stages[BIOST_STAGE_ENCODE].record_count += unit->row_count;
    if (unit->page != NULL) {
        --unit->page->outstanding;
        bsi_loader_settle_page(loader, unit->page);
        unit->next = loader->used_units;
        loader->used_units = unit;
    } else {
        memcpy(loader->used_cells + loader->used_cell_count,
               slot->cells + slot->first_row + unit->first_row,
               unit->row_count * sizeof slot->cells[0]);
        loader->used_cell_count += unit->row_count;
    }
    bsi_loader_settle_slot(loader, slot);
    bsi_loader_advance(loader);
}

/* ---- open: memory, inputs, token ------------------------------------------ */

/* The callback that is input i of a desc; one without read where inputs are of another kind. */
static const biost_callback *bsi_loader_callback(const biost_loader_desc *desc, uint32_t i) {
    static const biost_callback none = {NULL, NULL, NULL, NULL};
    return desc->callback_count > 0 ? &desc->callbacks[i] : &none;
}

/* What input i of a desc is called. */
static const char *bsi_loader_name(const biost_loader_desc *desc, uint32_t i) {
    return bsi_stream_name(desc->path_count > 0 ? desc->paths[i] : NULL,
                           desc->memory_count > 0 ? &desc->memories[i] : NULL,
                           bsi_loader_callback(desc, i));
}

/* The bytes of the inputs' names, NULs included. */
static uint64_t bsi_loader_name_bytes(const biost_loader_desc *desc) {
    uint32_t i, count = desc->path_count + desc->memory_count + desc->callback_count;
    uint64_t bytes = 0;
    for (i = 0; i < count; ++i) {
        bytes = bsi_bytes_add(bytes, strlen(bsi_loader_name(desc, i)) + 1);
    }
    return bytes;
}

/* All blocks of the loader's life but the slots' arrays and the long buffer, in one layout. */
typedef struct bsi_loader_blocks {
    biost_loader *loader;
    bsi_source_input *inputs;
    char *names;
    uint8_t *cells;
    bsi_stream_arrays stream;
    bsi_loader_page *pages;
    bsi_loader_row *rows;
    uint8_t *labels;
    bsi_loader_slot *slots;
    biost_row *origins;
    char *row_names;
    uint32_t *name_offsets, *slot_cells;
    bsi_loader_unit *units;
    bsi_order_cell *order_cells;
    uint32_t *free_cells, *used_cells, *lists;
} bsi_loader_blocks;

static void bsi_loader_place(const biost_loader_desc *desc, const bsi_loader_plan *plan,
                             bsi_memory_layout *layout, bsi_loader_blocks *blocks) {
    uint64_t lists = plan->stowed ? plan->desc.shuffle_rows : 0, slots = plan->desc.slots;
    uint32_t name_bytes = plan->name_bytes > 0 ? plan->name_bytes + 1 : 0;
    uint32_t page_count = plan->stream.page_count;
    blocks->loader = (biost_loader *)bsi_memory_reserve(layout, 1, sizeof(biost_loader));
    blocks->inputs = (bsi_source_input *)bsi_memory_reserve(layout, plan->input_count,
                                                            sizeof(bsi_source_input));
    blocks->names = (char *)bsi_memory_reserve(layout, bsi_loader_name_bytes(desc), 1);
    bsi_stream_place(&plan->stream, layout, &blocks->stream);
    blocks->pages = (bsi_loader_page *)bsi_memory_reserve(layout, page_count,
                                                          sizeof(bsi_loader_page));
    blocks->rows = (bsi_loader_row *)bsi_memory_reserve(
        layout, (uint64_t)page_count * plan->row_table, sizeof(bsi_loader_row));
    blocks->labels = (uint8_t *)bsi_memory_reserve(layout, (uint64_t)page_count * plan->row_table,
                                                   plan->label_bytes);
    blocks->slots = (bsi_loader_slot *)bsi_memory_reserve(layout, slots, sizeof(bsi_loader_slot));
    blocks->origins = (biost_row *)bsi_memory_reserve(layout, slots * plan->rank_rows,
                                                      sizeof(biost_row));
    blocks->row_names = (char *)bsi_memory_reserve(layout, slots * plan->rank_rows, name_bytes);
    blocks->name_offsets = (uint32_t *)bsi_memory_reserve(layout, name_bytes > 0 ? plan->rank_rows : 0,
                                                          sizeof(uint32_t));
    blocks->slot_cells = (uint32_t *)bsi_memory_reserve(
        layout, plan->stowed ? slots * plan->desc.batch_rows : 0, sizeof(uint32_t));
    blocks->units = (bsi_loader_unit *)bsi_memory_reserve(layout, plan->units,
                                                          sizeof(bsi_loader_unit));
    blocks->order_cells = (bsi_order_cell *)bsi_memory_reserve(layout, plan->cells,
                                                               sizeof(bsi_order_cell));
    blocks->cells = (uint8_t *)bsi_memory_reserve(layout, plan->cells, plan->cell_bytes);
    blocks->free_cells = (uint32_t *)bsi_memory_reserve(layout, plan->cells, sizeof(uint32_t));
    blocks->used_cells = (uint32_t *)bsi_memory_reserve(layout, plan->cells, sizeof(uint32_t));
    blocks->lists = (uint32_t *)bsi_memory_reserve(layout, lists, sizeof(uint32_t));
}

/* A keeper and its slots, one block. */
static uint64_t bsi_loader_keeper_bytes(const bsi_loader_plan *plan) {
    return sizeof(bsi_loader_keeper) + (uint64_t)plan->desc.slots * sizeof(bsi_loader_kept);
}

/* See biost_loader_memory. */
static uint64_t bsi_loader_memory(const biost_loader_desc *desc) {
    bsi_loader_plan plan;
    bsi_memory_layout layout = {NULL, 0};
    bsi_loader_blocks blocks;
    bsi_loader_slot slot;
    uint64_t slots;
    int has_inputs = desc->path_count > 0 || desc->memory_count > 0 || desc->callback_count > 0;
    if ((has_inputs && bsi_loader_check_inputs(desc) != NULL) ||
        bsi_loader_make_plan(desc, &plan) != NULL) {
        return UINT64_MAX;
    }
    bsi_loader_place(desc, &plan, &layout, &blocks);
    slots = bsi_bytes_mul(plan.desc.slots,
                          bsi_loader_place_arrays(&plan, plan.column_room, NULL, &slot));
    layout.bytes = bsi_bytes_add(layout.bytes, bsi_loader_keeper_bytes(&plan));
    layout.bytes = bsi_bytes_add(layout.bytes, bsi_stream_ahead_bytes(&plan.stream));
    return bsi_bytes_add(bsi_bytes_add(layout.bytes, slots),
                         bsi_reader_long_peak(plan.desc.max_record_bytes, plan.stream.page_capacity));
}

static void bsi_loader_task(bsi_sched_task *task, uint32_t stage, void (*work)(void *, bsi_sched_task *),
                            void (*finish)(void *, bsi_sched_task *)) {
    task->next = NULL;
    task->work = work;
    task->finish = finish;
    task->stage = stage;
    task->busy = 0;
    task->stays = 0;
    task->home = NULL;
}

/* Point the slots at what is theirs in the loader's block. */
static void bsi_loader_wire_slots(biost_loader *loader, const bsi_loader_blocks *blocks) {
    const bsi_loader_plan *plan = &loader->plan;
    size_t rows = plan->rank_rows, i;
    memset(blocks->slots, 0, plan->desc.slots * sizeof(bsi_loader_slot));
    loader->slots = blocks->slots;
    for (i = 0; i < plan->desc.slots; ++i) {
        bsi_loader_slot *slot = &loader->slots[i];
        slot->origins = blocks->origins + i * rows;
        slot->names = plan->name_bytes > 0 ? blocks->row_names + i * rows * (plan->name_bytes + 1)
                                           : NULL;
        slot->name_offsets = blocks->name_offsets;
        slot->cells = plan->stowed ? blocks->slot_cells + i * plan->desc.batch_rows : NULL;
        slot->units = loader->units + i * plan->units_per_slot;
    }
    for (i = 0; i < rows && plan->name_bytes > 0; ++i) {
        blocks->name_offsets[i] = (uint32_t)i * (plan->name_bytes + 1);
    }
}

/* Point the loader's arrays at their blocks and set up the tasks. */
static void bsi_loader_wire(biost_loader *loader, const bsi_loader_blocks *blocks) {
    const bsi_loader_plan *plan = &loader->plan;
    uint32_t i;
    loader->inputs = blocks->inputs;
    loader->pages = blocks->pages;
    loader->units = blocks->units;
    loader->cells = blocks->cells;
    loader->used_cells = blocks->used_cells;
    loader->sequencer.free_cells = blocks->free_cells;
    loader->sequencer.order.cells = blocks->order_cells;
    loader->sequencer.order.lists = blocks->lists;
    loader->sequencer.order.window = plan->desc.shuffle_rows;
    bsi_loader_wire_slots(loader, blocks);
    loader->pipe.plan = plan->stream;
    loader->pipe.allocator = &loader->allocator;
    loader->pipe.sched = &loader->sched;
    loader->pipe.changed = bsi_loader_changed;
    loader->pipe.inputs = loader->inputs;
    loader->pipe.input_count = plan->input_count;
    bsi_stream_wire(&loader->pipe, &blocks->stream);
    memset(blocks->pages, 0, plan->stream.page_count * sizeof(bsi_loader_page));
    for (i = 0; i < plan->stream.page_count; ++i) {
        loader->pages[i].rows = blocks->rows + (size_t)plan->row_table * i;
        loader->pages[i].labels = plan->label_bytes == 0
                                      ? NULL
                                      : blocks->labels + (size_t)plan->row_table * plan->label_bytes * i;
        bsi_loader_task(&loader->pages[i].check, BSI_LOADER_CHECK, bsi_loader_check,
                        bsi_loader_check_finish);
    }
    memset(blocks->units, 0, plan->units * sizeof(bsi_loader_unit));
    for (i = 0; i < plan->units; ++i) {
        bsi_loader_task(&loader->units[i].task, BSI_LOADER_ENCODE, bsi_loader_encode,
                        bsi_loader_encode_finish);
    }
    bsi_loader_task(&loader->scan_task, BSI_LOADER_SCAN, bsi_loader_scan, bsi_loader_scan_finish);
    bsi_loader_task(&loader->sequencer.task, BSI_LOADER_SEQUENCE, bsi_loader_sequence,
                    bsi_loader_sequence_finish);
}

/* Copy the inputs and their names out of the desc. */
static void bsi_loader_name_inputs(biost_loader *loader, const biost_loader_desc *desc,
                                   char *names) {
    uint32_t i;
    for (i = 0; i < loader->plan.input_count; ++i) {
        const char *name = bsi_loader_name(desc, i);
        size_t bytes = strlen(name) + 1;
        memcpy(names, name, bytes);
        bsi_stream_fill_input(&loader->inputs[i], names,
                              desc->path_count > 0 ? desc->paths[i] : NULL,
                              desc->memory_count > 0 ? &desc->memories[i] : NULL,
                              bsi_loader_callback(desc, i), &loader->files, desc->map);
        loader->inputs[i].no_pipe = 1;
        names += bytes;
    }
}

/*
 * What the first bytes of a text say; EMPTY where they say nothing, or nothing yet (*out_decided 0).
 * Blank lines come first, and at the very start of the text (from_start) a byte order mark.
 */
static biost_format bsi_loader_sniff_format(const uint8_t *text, size_t bytes, int from_start,
                                            int *out_decided) {
    static const uint8_t mark[3] = {0xEF, 0xBB, 0xBF};
    size_t i = 0;
    if (from_start && bytes > 0 && memcmp(text, mark, BSI_MIN(bytes, (size_t)3)) == 0) {
        i = BSI_MIN(bytes, (size_t)3);
    }
    while (i < bytes &&
           (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n')) {
        ++i;
    }
    *out_decided = i < bytes;
    if (i == bytes) {
        return BIOST_FORMAT_EMPTY;
    }
    return text[i] == '@'   ? BIOST_FORMAT_FASTQ
           : text[i] == '>' ? BIOST_FORMAT_FASTA
                            : BIOST_FORMAT_EMPTY;
}

/*
 * A piece of an opened input that says what its text is, plain, if it says anything. *io_from_start:
 * nothing came before it.
 */
static int bsi_loader_look_at_text(const bsi_source_piece *piece, int *io_from_start,
                                   biost_format *out_format) {
    int decided = 0;
    *out_format = bsi_loader_sniff_format(piece->bytes, piece->count, *io_from_start, &decided);
    *io_from_start = 0;
    return decided || piece->ended;
}

/*
 * The same, compressed: decode until it says something, or ends, or turns out damaged, which is no
 * error here. A page of blank lines makes way for the next, but for the history.
 */
static int bsi_loader_look_at_gzip(biost_loader *loader, const bsi_source_piece *piece,
                                   uint8_t **io_out, int *io_from_start,
                                   biost_format *out_format) {
    uint8_t *text = loader->pipe.pages[0].memory;
    uint8_t *end = text + loader->plan.stream.page_capacity;
    const uint8_t *in = piece->bytes, *in_end = piece->bytes + piece->count;
    bsi_frame_status status;
    int decided = 0;
    do {
        if (*io_out == end) {
            memcpy(text - BSI_STREAM_ROOM_BYTES, end - BSI_STREAM_ROOM_BYTES,
                   BSI_STREAM_ROOM_BYTES);
            *io_out = text;
            *io_from_start = 0;
        }
        status = bsi_frame_member(&loader->pipe.lane.frame, &in, in_end, piece->ended, io_out, end);
        *out_format = bsi_loader_sniff_format(text, (size_t)(*io_out - text), *io_from_start,
                                              &decided);
    } while (!decided && (status == BSI_FRAME_MEMBER || status == BSI_FRAME_NEED_OUTPUT));
    return decided || status != BSI_FRAME_NEED_INPUT;
}

/*
 * Read the start of an opened input as far as needed to know its format. Damage is no error here: it
 * is one when reading gets there, after everything before it was delivered. A read that fails is:
 * what the input is stays unknown. Returns 0 with *out_bad filled.
 */
static int bsi_loader_look_inside(biost_loader *loader, bsi_source_input *input,
                                  biost_format *out_format, bsi_bad *out_bad) {
    uint8_t *out = loader->pipe.pages[0].memory;
    uint8_t *buffer = loader->plan.in_memory ? NULL : loader->pipe.free_buffers[0];
    const char *codec = NULL;
    bsi_source_piece piece;
    bsi_frame_kind kind = BSI_FRAME_KIND_EMPTY;
    int done = 0, fresh = 1, from_start = 1;
    bsi_stream_begin_frame(&loader->pipe, &loader->pipe.lane.frame);
    while (!done) {
        size_t capacity = BSI_STREAM_CHUNK_ROOM; /* the room of a chunk lies in front of it */
        if (!bsi_source_read(&loader->pipe.source, buffer == NULL ? NULL : buffer - capacity,
                             capacity, &piece, out_bad)) {
            return 0;
        }
        if (fresh) {
            kind = bsi_frame_sniff(piece.bytes, BSI_MIN(piece.count, (size_t)BSI_FRAME_SNIFF_BYTES),
                                   &codec);
            input->is_gzip = kind == BSI_FRAME_KIND_GZIP;
        }
        fresh = 0;
        if (kind == BSI_FRAME_KIND_GZIP) {
            done = bsi_loader_look_at_gzip(loader, &piece, &out, &from_start, out_format);
        } else if (kind == BSI_FRAME_KIND_TEXT) {
            done = bsi_loader_look_at_text(&piece, &from_start, out_format);
        } else {
            done = 1;
        }
    }
    if (kind == BSI_FRAME_KIND_CODEC) {
        out_bad->fault = BIOST_FAULT_CODEC;
        out_bad->detail = codec;
    }
    return 1;
}

/*
 * Look at one input: it must exist and be a file of a codec we read, and its format must be that of
 * the others. Returns 0 with the error raised.
 */
static int bsi_loader_look_at(biost_loader *loader, uint32_t index, biost_error *error) {
    bsi_source_input *input = &loader->inputs[index];
    bsi_source *source = &loader->pipe.source;
    biost_format format = BIOST_FORMAT_EMPTY;
    bsi_bad bad;
    memset(&bad, 0, sizeof bad);
    if (input->callback.read != NULL) {
        return 1; /* it is seen when it is reached */
    }
    if (bsi_source_open(source, input, 0, &bad)) {
        bsi_source_note(source);
        if (!input->regular) {
            bad.fault = BIOST_FAULT_UNSUPPORTED;
            bad.detail = "is a pipe or device, which cannot be read once for each epoch";
        } else if (bsi_loader_look_inside(loader, input, &format, &bad)) {
            if (bad.fault == BIOST_FAULT_NONE) {
                bsi_loader_judge_format(loader, format, &loader->format, &bad);
            }
        }
        bsi_source_close(source);
    }
    if (bad.fault != BIOST_FAULT_NONE) {
        bsi_fault_raise(error, &bad, input->name, index, source->os_error);
        return 0;
    }
    loader->source_total_bytes += input->size_bytes;
    loader->has_gzip |= input->is_gzip;
    return 1;
}

/* Hash up to 64 KiB of an opened source from `offset` on. Returns 0 with *out_bad filled. */
static int bsi_loader_hash_part(bsi_source *source, bsi_hash *hash, uint64_t offset,
                                bsi_bad *out_bad) {
    uint8_t buffer[4096];
    bsi_source_piece piece;
    uint64_t end = BSI_MIN(offset + BSI_KIB(64), source->input->size_bytes);
    source->offset = offset;
    while (source->offset < end) {
        size_t wanted = (size_t)BSI_MIN(end - source->offset, (uint64_t)sizeof buffer);
        if (!bsi_source_read(source, buffer, wanted, &piece, out_bad)) {
            return 0;
        }
        bsi_hash_update(hash, piece.bytes, piece.count);
        if (piece.count == 0) {
            break;
        }
    }
    return 1;
}

/* The fingerprint of the input: count, sizes, first and last 64 KiB of every input. Made once. */
static int bsi_loader_fingerprint(biost_loader *loader, biost_error *error) {
    bsi_hash all;
    uint8_t number[8];
    uint32_t i;
    if (loader->has_input_hash) {
        return 1;
    }
    bsi_hash_begin(&all, loader->plan.input_count);
    for (i = 0; i < loader->plan.input_count; ++i) {
        bsi_source_input *input = &loader->inputs[i];
        uint64_t tail = input->size_bytes > BSI_KIB(64) ? input->size_bytes - BSI_KIB(64) : 0;
        bsi_source source;
        bsi_bad bad;
        int good;
        memset(&source, 0, sizeof source);
        bsi_bytes_store64(number, input->size_bytes);
        bsi_hash_update(&all, number, sizeof number);
        good = bsi_source_reopen(&source, input, 0, &bad) &&
               bsi_loader_hash_part(&source, &all, 0, &bad) &&
               bsi_loader_hash_part(&source, &all, tail, &bad);
        bsi_source_close(&source);
        if (!good) {
            bsi_fault_raise(error, &bad, input->name, i, source.os_error);
            return 0;
        }
    }
    loader->input_hash = bsi_hash_end(&all);
    loader->has_input_hash = 1;
    return 1;
}

/* Whether the numbers of a token can have been written by us: its CRC keeps out chance, not intent. */
static int bsi_loader_token_makes_sense(const biost_loader *loader) {
    const uint64_t most = (uint64_t)1 << 62;
    const bsi_token *token = &loader->resume;
    uint64_t reach = loader->plan.desc.shuffle_rows - 1, path = token->anchor.id >> 40;
    const bsi_source_input *input;
    if (path >= loader->plan.input_count || token->tick > most || token->next_batch > most ||
        token->anchor.sample > (token->tick > reach ? token->tick - reach : 0)) {
        return 0;
    }
    input = &loader->inputs[path];
    return token->anchor.visited <= most && token->anchor.skipped <= most && token->next_batch > 0 &&
           token->anchor.line > 0 && token->anchor.line <= most &&
           token->anchor.text_offset <= (input->is_gzip ? most : input->size_bytes);
}

/* Check the token given and keep it for the first begin. */
static int bsi_loader_accept_token(biost_loader *loader, const biost_loader_desc *desc,
                                   biost_error *error) {
    biost_fault fault = BIOST_FAULT_NONE;
    if (desc->token == NULL) {
        return 1;
    }
    if (!bsi_token_read(&loader->pipe.crc_tables, (const uint8_t *)desc->token, desc->token_bytes,
                        &loader->resume)) {
        fault = BIOST_FAULT_TOKEN_DAMAGED;
    } else if (loader->resume.desc_hash != loader->plan.desc_hash) {
        fault = BIOST_FAULT_TOKEN_DESC;
    } else if (!bsi_loader_fingerprint(loader, error)) {
        return 0;
    } else if (loader->resume.input_hash != loader->input_hash) {
        fault = BIOST_FAULT_TOKEN_INPUT;
    } else if (!bsi_loader_token_makes_sense(loader)) {
        fault = BIOST_FAULT_TOKEN_DAMAGED;
    }
    if (fault != BIOST_FAULT_NONE) {
        bsi_fault_raise_plain(error, fault, NULL, 0);
        return 0;
    }
    loader->has_resume = 1;
    return 1;
}

/* Make what outlives the loader. Returns 0 with the error raised. */
static int bsi_loader_open_keeper(biost_loader *loader, biost_error *error) {
    uint64_t bytes = bsi_loader_keeper_bytes(&loader->plan);
    bsi_loader_keeper *keeper = (bsi_loader_keeper *)bsi_memory_alloc(&loader->allocator, bytes);
    uint32_t i;
    if (keeper == NULL) {
        bsi_fault_raise_plain(error, BIOST_FAULT_MEMORY, NULL, bytes);
        return 0;
    }
    memset(keeper, 0, (size_t)bytes);
    if (!bsi_platform_mutex_open(&keeper->lock)) {
        bsi_memory_free(&loader->allocator, keeper, bytes);
        bsi_fault_raise_plain(error, BIOST_FAULT_THREAD, NULL, loader->plan.desc.workers - 1);
        return 0;
    }
    keeper->process = bsi_platform_process();
    keeper->allocator = loader->allocator;
    keeper->slot_allocator = loader->slot_allocator;
    keeper->own_bytes = bytes;
    keeper->slot_bytes = loader->slot_bytes;
    keeper->slots = (bsi_loader_kept *)(keeper + 1);
    for (i = 0; i < loader->plan.desc.slots; ++i) {
        keeper->slots[i].keeper = keeper;
    }
    keeper->loader = loader;
    keeper->reference_count = 1;
    loader->keeper = keeper;
    return 1;
}

/*
 * Lock the keeper, unless this is a child after fork: there nobody else is, and a thread that was left
 * behind may hold the lock. Returns whether it did.
 */
static int bsi_loader_lock_keeper(bsi_loader_keeper *keeper) {
    if (keeper->process != bsi_platform_process()) {
        return 0;
    }
    bsi_platform_lock(&keeper->lock);
    return 1;
}

/* From here on no deleter comes into the loader, and memory that is exported is theirs. */
static void bsi_loader_shut_keeper(biost_loader *loader) {
    bsi_loader_keeper *keeper = loader->keeper;
    int is_shared = bsi_loader_lock_keeper(keeper);
    uint32_t i;
    keeper->loader = NULL;
    for (i = 0; i < loader->plan.desc.slots; ++i) {
        if (keeper->slots[i].export_count > 0) {
            keeper->slots[i].memory = loader->slots[i].memory;
            loader->slots[i].memory = NULL;
        }
    }
    if (is_shared) {
        bsi_platform_unlock(&keeper->lock);
    }
}

/* One that held the keeper, the loader or an export, is gone; the last one frees it. */
static void bsi_loader_leave_keeper(bsi_loader_keeper *keeper) {
    biost_allocator allocator = keeper->allocator;
    int is_shared = bsi_loader_lock_keeper(keeper);
    int is_last = --keeper->reference_count == 0;
    if (is_shared) {
        bsi_platform_unlock(&keeper->lock);
    }
    if (is_last && is_shared) {
        bsi_platform_mutex_close(&keeper->lock);
    }
    if (is_last) {
        bsi_memory_free(&allocator, keeper, keeper->own_bytes);
    }
}

static void bsi_loader_close(biost_loader *loader) {
    biost_allocator allocator = loader->allocator;
    biost_allocator slot_allocator = loader->slot_allocator;
    bsi_loader_keeper *keeper = loader->keeper;
    uint32_t i;
    if (keeper != NULL) {
        bsi_loader_shut_keeper(loader);
    }
    if (loader->sched_is_open) {
        bsi_sched_close(&loader->sched);
    }
    bsi_stream_shut(&loader->pipe);
    bsi_reader_scan_close(&loader->scan);
    for (i = 0; i < loader->plan.desc.slots; ++i) {
        bsi_memory_free(&slot_allocator, loader->slots[i].memory, loader->slot_bytes);
    }
    bsi_memory_free(&allocator, loader, loader->own_bytes);
    if (keeper != NULL) {
        bsi_loader_leave_keeper(keeper);
    }
}

/* Allocate the slots. Returns 0 with the error raised. */
static int bsi_loader_open_slots(biost_loader *loader, biost_error *error) {
    const bsi_loader_plan *plan = &loader->plan;
    uint32_t i;
    for (i = 0; i < plan->desc.slots; ++i) {
        bsi_loader_slot *slot = &loader->slots[i];
        slot->memory = (uint8_t *)bsi_memory_alloc(&loader->slot_allocator, loader->slot_bytes);
        if (slot->memory == NULL) {
            bsi_fault_raise_plain(error, BIOST_FAULT_MEMORY, NULL, loader->slot_bytes);
            return 0;
        }
        bsi_loader_place_arrays(plan, plan->column_room, slot->memory, slot);
    }
    return 1;
}

/* Look at all inputs, take the token, make locks and threads. Returns 0 with the error raised. */
static int bsi_loader_start(biost_loader *loader, const biost_loader_desc *desc,
                            biost_error *error) {
    uint32_t i;
    for (i = 0; i < loader->plan.input_count; ++i) {
        if (!bsi_loader_look_at(loader, i, error)) {
            return 0;
        }
    }
    if (!bsi_loader_accept_token(loader, desc, error)) {
        return 0;
    }
    loader->sched_is_open = bsi_sched_open(&loader->sched, loader, loader->plan.desc.workers - 1,
                                           &desc->jobs, desc->test.order_seed);
    if (!loader->sched_is_open) {
        bsi_fault_raise_plain(error, BIOST_FAULT_THREAD, NULL, loader->plan.desc.workers - 1);
    }
    return loader->sched_is_open;
}

/* What the plan borrowed from the caller's desc must not outlive open. */
static void bsi_loader_own_pointers(biost_loader *loader) {
    bsi_loader_plan *plan = &loader->plan;
    plan->desc.encoding.channels = plan->desc.encoding.kind == BIOST_ENCODE_ONEHOT
                                       ? plan->encoder.names
                                       : NULL;
}

/* See biost_loader_open. Returns NULL with the error raised. */
static biost_loader *bsi_loader_open(const biost_loader_desc *desc, biost_error *error) {
    biost_allocator allocator;
    bsi_memory_layout layout = {NULL, 0};
    bsi_loader_blocks blocks;
    bsi_loader_plan plan;
    bsi_loader_slot sizes;
    biost_loader *loader;
    const char *wrong = bsi_loader_check_inputs(desc);
    uint64_t own_bytes;
    if (wrong == NULL) {
        wrong = bsi_loader_make_plan(desc, &plan);
    }
    if (wrong != NULL) {
        bsi_fault_raise_plain(error, BIOST_FAULT_ARGUMENT, wrong, 0);
        return NULL;
    }
    allocator = bsi_memory_allocator(&desc->allocator);
    bsi_loader_place(desc, &plan, &layout, &blocks);
    own_bytes = layout.bytes;
    layout.base = (uint8_t *)bsi_memory_alloc(&allocator, own_bytes);
    layout.bytes = 0;
    if (layout.base == NULL) {
        bsi_fault_raise_plain(error, BIOST_FAULT_MEMORY, NULL, own_bytes);
        return NULL;
    }
    bsi_loader_place(desc, &plan, &layout, &blocks);
    loader = blocks.loader;
    memset(loader, 0, sizeof *loader);
    loader->plan = plan;
    bsi_loader_own_pointers(loader);
    loader->allocator = allocator;
    loader->slot_allocator = bsi_memory_allocator(&plan.desc.slot_allocator);
    loader->log = desc->log;
    loader->own_bytes = own_bytes;
    loader->slot_bytes = bsi_loader_place_arrays(&plan, plan.column_room, NULL, &sizes);
    loader->files = desc->files;
    loader->drain = &loader->epochs[0];
    loader->fill = loader->drain;
    loader->batches_per_epoch = UINT64_MAX;
    bsi_augment_begin(&loader->augment, &desc->augment);
    bsi_kernels_augment(&loader->augment, plan.stream.cpu);
    bsi_kernels_hash(&loader->hash, plan.stream.cpu);
    bsi_loader_wire(loader, &blocks);
    bsi_reader_scan_open(&loader->scan, &allocator, plan.desc.max_record_bytes,
                         plan.stream.page_capacity, plan.stream.cpu);
    bsi_loader_name_inputs(loader, desc, blocks.names);
    if (!bsi_loader_open_keeper(loader, error) || !bsi_loader_open_slots(loader, error) ||
        !bsi_loader_start(loader, desc, error)) {
        bsi_loader_close(loader);
        return NULL;
    }
    return loader;
}

/* ---- the owner's calls ---------------------------------------------------- */

/* Under lock. A slot whose batch is done with goes back to the sequencer. */
static void bsi_loader_reuse_slot(biost_loader *loader, bsi_loader_slot *slot) {
    slot->held = 0;
    slot->closed = 0;
    slot->digest = 0;
    slot->next = loader->used_slots;
    loader->used_slots = slot;
}

/* A call of the owner's is refused, and *out_error says why; the loader stays as it is. */
static biost_result bsi_loader_refuse_into(const biost_loader *loader, biost_fault fault,
                                           const char *detail, biost_error *out_error) {
    memset(out_error, 0, sizeof *out_error);
    bsi_fault_raise_plain(out_error, fault, detail, loader->plan.desc.slots);
    return bsi_loader_tell(loader, out_error);
}

static biost_result bsi_loader_refuse(biost_loader *loader, biost_fault fault, const char *detail) {
    return bsi_loader_refuse_into(loader, fault, detail, &loader->refusal);
}

/* Under lock. Batches of the epoch that drains are wanted no more: the one that fills takes its place. */
static void bsi_loader_leave_epoch(biost_loader *loader) {
    uint32_t i;
    for (i = 0; i < loader->plan.desc.slots; ++i) {
        bsi_loader_slot *slot = &loader->slots[i];
        if (slot->closed && !slot->held && slot->epoch == loader->drain->number) {
            bsi_loader_reuse_slot(loader, slot);
        }
    }
    loader->drain = loader->fill;
}

/* See biost_loader_begin. */
static biost_result bsi_loader_begin(biost_loader *loader, uint64_t epoch) {
    biost_result result = BIOST_CANCELLED;
    bsi_token start;
    loader->refusal.code = BIOST_OK;
    if (loader->error.code != BIOST_OK) {
        return loader->error.code;
    }
    if (loader->has_resume && epoch != loader->resume.epoch) {
        return bsi_loader_refuse(
            loader, BIOST_FAULT_ARGUMENT,
            "the first epoch to begin after desc.token is biost_loader_first_epoch's");
    }
    memset(&start, 0, sizeof start);
    start.epoch = epoch;
    start.anchor.line = 1;
    if (loader->has_resume) {
        start = loader->resume;
        loader->has_resume = 0;
    }
    bsi_platform_lock(&loader->sched.lock);
    if (loader->fill == loader->drain || loader->fill->number != epoch) {
        bsi_sched_pause(&loader->sched);
        loader->drain = loader->fill;
        bsi_loader_reset(loader, &start);
    } else {
        bsi_loader_leave_epoch(loader);
    }
    loader->next_batch = start.next_batch;
    if (!loader->cancelled) {
        result = BIOST_OK;
        if (!loader->begun) {
            loader->begun = 1;
            loader->begun_ns = bsi_platform_now_ns();
        }
        bsi_sched_resume(&loader->sched);
        bsi_loader_advance(loader);
        bsi_sched_wake_one(&loader->sched);
    }
    bsi_sched_unlock(&loader->sched);
    return result;
}

/* Under lock. The slot of the next batch if that is ready, else NULL. */
static bsi_loader_slot *bsi_loader_find_ready(biost_loader *loader) {
    uint32_t i;
    for (i = 0; i < loader->plan.desc.slots; ++i) {
        if (bsi_loader_slot_is_next(loader, &loader->slots[i])) {
            return &loader->slots[i];
        }
    }
    return NULL;
}

/* Lend a ready slot. */
static void bsi_loader_lend(biost_loader *loader, bsi_loader_slot *slot, biost_batch *out_batch) {
    biost_stage_counters *caller = &loader->counters.stages[BIOST_STAGE_CALLER];
    slot->held = BSI_LOADER_LENT;
    ++slot->generation;
    ++loader->next_batch;
    out_batch->epoch = slot->epoch;
    out_batch->index = slot->batch;
    out_batch->rows = slot->rows;
    out_batch->valid_rows = slot->valid_rows;
    out_batch->flags = slot->flags;
    out_batch->tensor_count = slot->tensor_count;
    out_batch->x = slot->tensors[0];
    out_batch->tensors = slot->tensors;
    out_batch->lengths = slot->lengths;
    out_batch->slab = slot->memory;
    out_batch->slab_bytes = slot->slab_bytes;
    out_batch->origins = slot->origins;
    out_batch->names = loader->plan.name_bytes > 0 ? slot->names : NULL;
    out_batch->name_offsets = loader->plan.name_bytes > 0 ? slot->name_offsets : NULL;
    out_batch->digest = slot->digest;
    out_batch->slot = (uint32_t)(slot - loader->slots);
    out_batch->generation = slot->generation;
    caller->unit_count += 1;
    caller->record_count += slot->valid_rows;
    caller->bytes += bsi_loader_slot_bytes(slot);
}

/* All batches were delivered: the end, or the error behind them. */
static biost_result bsi_loader_finish_epoch(biost_loader *loader) {
    if (loader->drain->error.code == BIOST_OK) {
        return BIOST_END;
    }
    loader->error = loader->drain->error;
    return loader->error.code;
}

/* Under lock. What the caller gets now, or BIOST_PENDING. */
static biost_result bsi_loader_poll(biost_loader *loader, biost_batch *out_batch) {
    bsi_loader_slot *slot = bsi_loader_find_ready(loader);
    if (loader->cancelled) {
        return BIOST_CANCELLED;
    }
    if (slot != NULL) {
        bsi_loader_lend(loader, slot, out_batch);
        return BIOST_OK;
    }
    if (loader->drain->ended && loader->next_batch == loader->drain->batch_count) {
        return bsi_loader_finish_epoch(loader);
    }
    return loader->sched.ready_count == 0 && loader->sched.running_count == 0 ? BIOST_ERR_SLOTS
                                                                             : BIOST_PENDING;
}

/*
 * Under lock. While there is nothing to give: help, or sleep; without waiting, help once and only where
 * nobody else would.
 */
static biost_result bsi_loader_await(biost_loader *loader, biost_batch *out_batch, int waits) {
    bsi_sched *sched = &loader->sched;
    biost_result result = bsi_loader_poll(loader, out_batch);
    int goes_on = waits || sched->helper_limit == 0;
    while (result == BIOST_PENDING && goes_on) {
        goes_on = waits;
        loader->helped = bsi_sched_take_by(sched, loader->helped, BSI_SCHED_CALLER);
        if (loader->helped != NULL) {
            bsi_sched_run_by(sched, loader->helped, BSI_SCHED_CALLER);
        } else if (waits) {
            bsi_sched_wait(sched);
        }
        result = bsi_loader_poll(loader, out_batch);
    }
    return result;
}

/* See biost_loader_next and, where it must not wait, biost_loader_try_next. */
static biost_result bsi_loader_next(biost_loader *loader, biost_batch *out_batch, int waits) {
    bsi_sched *sched = &loader->sched;
    uint64_t called_ns = bsi_platform_now_ns();
    biost_result result;
    memset(out_batch, 0, sizeof *out_batch);
    loader->refusal.code = BIOST_OK;
    if (loader->error.code != BIOST_OK) {
        return loader->error.code;
    }
    bsi_platform_lock(&sched->lock);
    if (!loader->begun && !loader->cancelled) {
        bsi_platform_unlock(&sched->lock);
        return bsi_loader_refuse(loader, BIOST_FAULT_STATE,
                                 "biost_loader_begin comes before biost_loader_next");
    }
    result = bsi_loader_await(loader, out_batch, waits);
    loader->counters.stages[BIOST_STAGE_CALLER].waiting_ns += bsi_platform_now_ns() - called_ns;
    bsi_sched_wake_one(sched); /* tasks made ready while helping do not wait for the caller */
    bsi_sched_unlock(sched);
    if (result == BIOST_ERR_SLOTS) {
        return bsi_loader_refuse(loader, BIOST_FAULT_SLOTS, NULL);
    }
    return result < 0 ? bsi_loader_tell(loader, &loader->error) : result;
}

/* The slot a batch is a loan of, or NULL if it is not lent (any more). */
static bsi_loader_slot *bsi_loader_slot_of(biost_loader *loader, const biost_batch *batch) {
    if (batch->slot >= loader->plan.desc.slots ||
        loader->slots[batch->slot].held != BSI_LOADER_LENT ||
        loader->slots[batch->slot].generation != batch->generation) {
        return NULL;
    }
    return &loader->slots[batch->slot];
}

/* Under both locks. Nobody holds the slot any more. */
static void bsi_loader_take_back(biost_loader *loader, bsi_loader_slot *slot) {
    bsi_loader_reuse_slot(loader, slot);
    bsi_loader_advance(loader);
    bsi_sched_wake_one(&loader->sched);
}

/* See biost_loader_release. */
static biost_result bsi_loader_release(biost_loader *loader, const biost_batch *batch) {
    bsi_loader_keeper *keeper = loader->keeper;
    bsi_loader_slot *slot;
    biost_error refusal;
    bsi_platform_lock(&keeper->lock);
    bsi_platform_lock(&loader->sched.lock);
    slot = bsi_loader_slot_of(loader, batch);
    if (slot != NULL && keeper->slots[batch->slot].export_count > 0) {
        slot->held = BSI_LOADER_KEPT;
    } else if (slot != NULL) {
        bsi_loader_take_back(loader, slot);
    }
    bsi_platform_unlock(&keeper->lock);
    bsi_sched_unlock(&loader->sched);
    if (slot == NULL) { /* not the owner's thread, perhaps */
        return bsi_loader_refuse_into(loader, BIOST_FAULT_STATE,
                                      "this batch is not held: it was released before", &refusal);
    }
    return BIOST_OK;
}

/*
 * Keep the slot of a batch that is held for one more export of a tensor. NULL: it is not held, or has no
 * such tensor.
 */
static bsi_loader_kept *bsi_loader_keep(biost_loader *loader, const biost_batch *batch, uint32_t index,
                                        biost_tensor *out_tensor) {
    bsi_loader_keeper *keeper = loader->keeper;
    bsi_loader_kept *kept = NULL;
    bsi_loader_slot *slot;
    bsi_platform_lock(&keeper->lock);
    bsi_platform_lock(&loader->sched.lock);
    slot = bsi_loader_slot_of(loader, batch);
    bsi_platform_unlock(&loader->sched.lock);
    if (slot != NULL && index < slot->tensor_count) {
        *out_tensor = slot->tensors[index];
        kept = &keeper->slots[batch->slot];
        ++kept->export_count;
        ++keeper->reference_count;
    }
    bsi_platform_unlock(&keeper->lock);
    return kept;
}

/*
 * An export is gone: with a slot's last one the loader takes the slot back, unless the caller holds it still;
 * where the loader is closed its memory is freed. Any thread. In a child after fork nothing is given back.
 */
static void bsi_loader_let_go(void *user_data) {
    bsi_loader_kept *kept = (bsi_loader_kept *)user_data;
    bsi_loader_keeper *keeper = kept->keeper;
    biost_loader *loader;
    uint8_t *memory = NULL;
    int is_last;
    if (!bsi_loader_lock_keeper(keeper)) {
        return;
    }
    is_last = --kept->export_count == 0;
    loader = is_last ? keeper->loader : NULL;
    if (loader != NULL) {
        bsi_loader_slot *slot = &loader->slots[kept - keeper->slots];
        bsi_platform_lock(&loader->sched.lock);
        if (slot->held == BSI_LOADER_KEPT) {
            bsi_loader_take_back(loader, slot);
        }
    } else if (is_last) {
        memory = kept->memory;
    }
    bsi_platform_unlock(&keeper->lock);
    if (loader != NULL) {
        bsi_sched_unlock(&loader->sched);
    }
    bsi_memory_free(&keeper->slot_allocator, memory, keeper->slot_bytes);
    bsi_loader_leave_keeper(keeper);
}

/* See biost_loader_token. */
static biost_result bsi_loader_token(biost_loader *loader, const biost_batch *batch,
                                     uint8_t *out_token, size_t capacity, size_t *out_bytes) {
    bsi_loader_slot *slot;
    bsi_token token;
    loader->refusal.code = BIOST_OK;
    bsi_platform_lock(&loader->sched.lock);
    slot = bsi_loader_slot_of(loader, batch);
    bsi_platform_unlock(&loader->sched.lock);
    if (slot == NULL) {
        return bsi_loader_refuse(loader, BIOST_FAULT_STATE,
                                 "a token is taken while its batch is held");
    }
    if (loader->inputs[0].callback.read != NULL) {
        return bsi_loader_refuse(loader, BIOST_FAULT_UNSUPPORTED,
                                 "desc.callbacks can be read in order only: they give no tokens");
    }
    if (capacity < BSI_TOKEN_BYTES) {
        return bsi_loader_refuse(loader, BIOST_FAULT_ARGUMENT,
                                 "the buffer for a token is too small; 512 are enough");
    }
    memset(&loader->refusal, 0, sizeof loader->refusal);
    if (!bsi_loader_fingerprint(loader, &loader->refusal)) {
        return bsi_loader_tell(loader, &loader->refusal);
    }
    memset(&token, 0, sizeof token);
    token.desc_hash = loader->plan.desc_hash;
    token.input_hash = loader->input_hash;
    token.epoch = slot->epoch;
    token.next_batch = slot->batch + 1;
    token.tick = slot->tick;
    token.tick_rows = slot->tick_rows;
    token.tail = (slot->flags & BIOST_BATCH_LAST) != 0;
    token.anchor = slot->anchor;
    bsi_token_write(&loader->pipe.crc_tables, &token, out_token);
    *out_bytes = BSI_TOKEN_BYTES;
    return BIOST_OK;
}

/* See biost_loader_cancel. */
static void bsi_loader_cancel(biost_loader *loader) {
    bsi_platform_lock(&loader->sched.lock);
    loader->cancelled = 1;
    loader->sched.paused = 1;
    bsi_sched_wake_caller(&loader->sched);
    bsi_sched_unlock(&loader->sched);
}

/* See biost_loader_set_workers. */
static biost_result bsi_loader_set_workers(biost_loader *loader, uint32_t wish) {
    uint32_t workers = bsi_loader_workers(wish);
    loader->refusal.code = BIOST_OK;
    if (workers > BSI_SCHED_MAX_WORKERS) {
        return bsi_loader_refuse(loader, BIOST_FAULT_ARGUMENT, "workers is over 256");
    }
    if (!bsi_sched_set_helpers(&loader->sched, workers - 1)) {
        return bsi_loader_refuse(loader, BIOST_FAULT_THREAD, NULL);
    }
    bsi_platform_lock(&loader->sched.lock);
    loader->pipe.plan.workers = workers; /* one alone does not read ahead */
    bsi_platform_unlock(&loader->sched.lock);
    return BIOST_OK;
}

/* See biost_loader_batches_per_epoch. */
static biost_result bsi_loader_batches_per_epoch(biost_loader *loader, uint64_t *out_batches) {
    uint64_t batches;
    bsi_platform_lock(&loader->sched.lock);
    batches = loader->batches_per_epoch;
    bsi_platform_unlock(&loader->sched.lock);
    *out_batches = batches == UINT64_MAX ? 0 : batches;
    return batches == UINT64_MAX ? BIOST_PENDING : BIOST_OK;
}

/* See biost_loader_progress. */
static void bsi_loader_progress(biost_loader *loader, biost_progress *out_progress) {
    bsi_platform_lock(&loader->sched.lock);
    *out_progress = loader->drain->progress;
    if (!loader->drain->ended) {
        out_progress->source_bytes = loader->pipe.source_bytes;
    }
    bsi_platform_unlock(&loader->sched.lock);
    out_progress->source_total_bytes = loader->source_total_bytes;
}

/* See biost_loader_counters. */
static void bsi_loader_counters(biost_loader *loader, biost_counters *out_counters) {
    static const uint32_t stages[] = {BSI_STREAM_READ,  BSI_STREAM_ROUTE,    BSI_STREAM_INFLATE,
                                      BSI_LOADER_SCAN,  BSI_LOADER_CHECK,    BSI_LOADER_SEQUENCE,
                                      BSI_LOADER_ENCODE};
    biost_stage_counters *caller = &out_counters->stages[BIOST_STAGE_CALLER];
    uint32_t i;
    bsi_platform_lock(&loader->sched.lock);
    *out_counters = loader->counters;
    out_counters->stages[BIOST_STAGE_READ].bytes += loader->pipe.source_bytes;
    for (i = 0; i < BIOST_STAGE_CALLER; ++i) {
        const bsi_sched_times *times = &loader->sched.times[stages[i]];
        out_counters->stages[i].busy_ns = times->busy_ns;
        out_counters->stages[i].waiting_ns = times->waiting_ns;
        out_counters->stages[i].unit_count = times->task_count;
    }
    out_counters->stages[BIOST_STAGE_INFLATE].busy_ns += loader->sched.times[BSI_STREAM_AHEAD].busy_ns;
    out_counters->stages[BIOST_STAGE_INFLATE].waiting_ns += loader->sched.times[BSI_STREAM_AHEAD].waiting_ns;
    out_counters->stages[BIOST_STAGE_INFLATE].unit_count += loader->sched.times[BSI_STREAM_AHEAD].task_count;
    out_counters->workers = loader->sched.helper_limit + 1;
    if (loader->begun) {
        uint64_t now_ns = bsi_platform_now_ns();
        out_counters->elapsed_ns = now_ns - loader->begun_ns;
        out_counters->slots_full_ns += loader->full_ns > 0 ? now_ns - loader->full_ns : 0;
    }
    bsi_platform_unlock(&loader->sched.lock);
    if (out_counters->elapsed_ns > caller->waiting_ns) {
        caller->busy_ns = out_counters->elapsed_ns - caller->waiting_ns;
    }
}

/* The stage that was busy longest of those a mask names. */
static uint32_t bsi_loader_busiest(const biost_counters *counters, uint32_t mask) {
    uint32_t i, best = BIOST_STAGE_COUNT;
    for (i = 0; i < BIOST_STAGE_CALLER; ++i) {
        if ((mask >> i & 1u) && (best == BIOST_STAGE_COUNT || counters->stages[i].busy_ns >
                                                                  counters->stages[best].busy_ns)) {
            best = i;
        }
    }
    return best;
}

/* What each stage is called in a hint, and what to do where it is the bottleneck and runs on one worker. */
typedef struct bsi_loader_stage_words {
    const char *work, *advice;
} bsi_loader_stage_words;

/* Text in order is what DECODE brings: where inputs are gzip, by inflating. */
static const bsi_loader_stage_words *bsi_loader_words_of(uint32_t stage, int is_gzip) {
    static const bsi_loader_stage_words gzip = {"inflating plain gzip in order",
                                                "BGZF would be inflated by all workers"};
    static const bsi_loader_stage_words words[BIOST_STAGE_CALLER] = {
        {"reading the input", "the disk or the callback is the limit"},
        {"bringing plain text in order", "memory is the limit"},
        {"inflating", ""},
        {"finding records in the text", "several loaders over parts of the input would share it"},
        {"filtering", ""},
        {"giving rows their places", "without shuffle, ranks or row_bases 0 rows are not copied"},
        {"augmenting and encoding", ""}};
    return stage == BIOST_STAGE_DECODE && is_gzip ? &gzip : &words[stage];
}

/* "WORK: at work P % of the time" */
static void bsi_loader_write_share(bsi_fault_writer *writer, const char *work, uint64_t percent) {
    bsi_fault_put_words(writer, work);
    bsi_fault_put_words(writer, ": at work ");
    bsi_fault_put_number(writer, BSI_MIN(percent, 100));
    bsi_fault_put_words(writer, " % of the time");
}

/*
 * The bottleneck. A stage that runs on one worker at a time is one when it runs nearly always; the
 * caller, when the pipe often waits for it; the workers, when all of them work nearly always.
 */
static void bsi_loader_write_hint(const biost_counters *counters, int is_gzip,
                                  bsi_fault_writer *writer) {
    uint64_t percent_ns = BSI_MAX(counters->elapsed_ns / 100, 1), all_ns = 0;
    uint32_t i, busiest = bsi_loader_busiest(counters, 0x7Fu);
    uint32_t one = bsi_loader_busiest(counters, 1u << BIOST_STAGE_READ | 1u << BIOST_STAGE_DECODE |
                                                    1u << BIOST_STAGE_SCAN |
                                                    1u << BIOST_STAGE_SEQUENCE);
    const bsi_loader_stage_words *words = bsi_loader_words_of(one, is_gzip);
    const char *most_work = bsi_loader_words_of(busiest, is_gzip)->work;
    for (i = 0; i < BIOST_STAGE_CALLER; ++i) {
        all_ns += counters->stages[i].busy_ns;
    }
    if (counters->stages[BIOST_STAGE_CALLER].unit_count == 0) {
        bsi_fault_put_words(writer, "no batch was taken yet: there is nothing to say");
    } else if (counters->slots_full_ns / percent_ns >= 50) {
        bsi_fault_put_words(writer, "the caller: all slots were full ");
        bsi_fault_put_number(writer, BSI_MIN(counters->slots_full_ns / percent_ns, 100));
        bsi_fault_put_words(writer, " % of the time, so the loader waited for it");
    } else if (counters->workers > 1 && counters->stages[one].busy_ns / percent_ns >= 75) {
        bsi_loader_write_share(writer, words->work, counters->stages[one].busy_ns / percent_ns);
        bsi_fault_put_words(writer, "; one worker does it at a time: ");
        bsi_fault_put_words(writer, words->advice);
    } else if (all_ns / percent_ns / counters->workers >= 75) {
        bsi_loader_write_share(writer, "the workers", all_ns / percent_ns / counters->workers);
        bsi_fault_put_words(writer, ", all ");
        bsi_fault_put_number(writer, counters->workers);
        bsi_fault_put_words(writer, " of them, longest ");
        bsi_fault_put_words(writer, most_work);
        bsi_fault_put_words(writer, "; more would help, if the machine has more cores");
    } else {
        bsi_fault_put_words(writer, "nothing stands out; most time goes into ");
        bsi_fault_put_words(writer, most_work);
        bsi_fault_put_words(writer, ", and loader and caller wait for one another in turn");
    }
}

/* See biost_loader_hint. */
static void bsi_loader_hint(biost_loader *loader, char *out_text, size_t capacity) {
    biost_counters counters;
    bsi_fault_writer writer;
    bsi_loader_counters(loader, &counters);
    writer.at = out_text;
    writer.end = out_text + capacity - 1;
    bsi_loader_write_hint(&counters, loader->has_gzip, &writer);
    *writer.at = '\0';
}

/* ==========================================================================
 * >>export   tensors lent to other libraries                (DLPack 1.0)
 *   uses: config memory fault loader   allocates: yes  threads: no   I/O: no
 *
 * DLPack is three structs and no function. Ours have its layout and names of their own, because a host may
 * have its header. What is made is one block: the struct with shape and strides behind it.
 * ========================================================================== */

enum {                          /* numbers of DLPack */
    BSI_EXPORT_CPU = 1,
    BSI_EXPORT_CUDA = 2,
    BSI_EXPORT_INT = 0,
    BSI_EXPORT_UINT = 1,
    BSI_EXPORT_FLOAT = 2,
    BSI_EXPORT_BFLOAT = 4
};

typedef struct bsi_export_tensor { /* DLTensor */
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits;         /* of an element */
    uint16_t lanes;
    int64_t *shape, *strides;   /* [ndim] in elements; never NULL: some readers cannot do without strides */
    uint64_t byte_offset;       /* 0: some readers pass over it */
} bsi_export_tensor;

typedef struct bsi_export_managed { /* DLManagedTensor */
    bsi_export_tensor tensor;
    void *context;              /* the block it lies in */
    void (*deleter)(struct bsi_export_managed *self);
} bsi_export_managed;

typedef struct bsi_export_versioned { /* DLManagedTensorVersioned */
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct bsi_export_versioned *self);
    uint64_t flags;
    bsi_export_tensor tensor;
} bsi_export_versioned;

/* Where pointers have 8 bytes. */
BSI_STATIC_ASSERT(sizeof(void *) != 8 ||
                      (sizeof(bsi_export_tensor) == 48 && offsetof(bsi_export_tensor, ndim) == 16 &&
                       offsetof(bsi_export_tensor, code) == 20 && offsetof(bsi_export_tensor, lanes) == 22 &&
                       offsetof(bsi_export_tensor, shape) == 24 &&
                       offsetof(bsi_export_tensor, byte_offset) == 40),
                  export_tensor_is_laid_out_as_dlpack_has_it);
BSI_STATIC_ASSERT(sizeof(void *) != 8 || (sizeof(bsi_export_managed) == 64 &&
                                          offsetof(bsi_export_managed, deleter) == 56),
                  export_managed_is_laid_out_as_dlpack_has_it);
BSI_STATIC_ASSERT(sizeof(void *) != 8 || (sizeof(bsi_export_versioned) == 80 &&
                                          offsetof(bsi_export_versioned, deleter) == 16 &&
                                          offsetof(bsi_export_versioned, tensor) == 32),
                  export_versioned_is_laid_out_as_dlpack_has_it);

typedef struct bsi_export_block {
    union {
        bsi_export_managed managed;
        bsi_export_versioned versioned;
    } head;
    int64_t shape[4], strides[4];
    void (*release)(void *user_data); /* may be NULL */
    void *user_data;
    biost_allocator allocator;
} bsi_export_block;
BSI_STATIC_ASSERT(sizeof(bsi_export_block) <= 512, an_export_takes_at_most_512_bytes);

static void bsi_export_delete(bsi_export_block *block) {
    void (*release)(void *) = block->release;
    void *user_data = block->user_data;
    biost_allocator allocator = block->allocator;
    bsi_memory_free(&allocator, block, sizeof *block);
    if (release != NULL) {
        release(user_data);
    }
}

static void bsi_export_delete_managed(bsi_export_managed *self) {
    bsi_export_delete((bsi_export_block *)self->context);
}

static void bsi_export_delete_versioned(bsi_export_versioned *self) {
    bsi_export_delete((bsi_export_block *)self->context);
}

/* Fill the inner struct; shape and strides go into the block. */
static void bsi_export_fill(const biost_tensor *tensor, bsi_export_block *block,
                            bsi_export_tensor *out) {
    static const uint8_t types[][2] = {{BSI_EXPORT_UINT, 8},    {BSI_EXPORT_FLOAT, 16},
                                       {BSI_EXPORT_FLOAT, 32},  {BSI_EXPORT_BFLOAT, 16},
                                       {BSI_EXPORT_INT, 32},    {BSI_EXPORT_INT, 64},
                                       {BSI_EXPORT_UINT, 16}}; /* in the order of biost_dtype */
    uint32_t i;
    out->data = tensor->data;
    for (i = 0; i < tensor->ndim; ++i) {
        block->shape[i] = tensor->shape[i];
        block->strides[i] = tensor->shape[i] == 1 ? 1 : tensor->strides[i];
        if (tensor->shape[i] == 0) {
            out->data = NULL;
        }
    }
    out->device_type = tensor->device < 0 ? BSI_EXPORT_CPU : BSI_EXPORT_CUDA;
    out->device_id = tensor->device < 0 ? 0 : tensor->device;
    out->ndim = (int32_t)tensor->ndim;
    out->code = types[tensor->dtype][0];
    out->bits = types[tensor->dtype][1];
    out->lanes = 1;
    out->shape = block->shape;
    out->strides = block->strides;
    out->byte_offset = 0;
}

/* Whether a tensor can be lent: memory where its shape says there is some, and no odd numbers. */
static int bsi_export_is_sound(const biost_tensor *tensor) {
    int is_empty = 0;
    uint32_t i;
    if (tensor->ndim > 4 || (uint32_t)tensor->dtype > BIOST_DTYPE_U16 || tensor->device < -1) {
        return 0;
    }
    for (i = 0; i < tensor->ndim; ++i) {
        if (tensor->shape[i] < 0) {
            return 0;
        }
        is_empty |= tensor->shape[i] == 0;
    }
    return is_empty || tensor->data != NULL;
}

/* See biost_tensor_export. */
static biost_result bsi_export_tensor_of(const biost_tensor *tensor, int versioned,
                                         void (*release)(void *user_data), void *user_data,
                                         const biost_allocator *wish, void **out_managed) {
    biost_allocator allocator = bsi_memory_allocator(wish);
    bsi_export_block *block;
    if ((wish->alloc == NULL) != (wish->free == NULL) || !bsi_export_is_sound(tensor)) {
        return BIOST_ERR_ARG;
    }
    block = (bsi_export_block *)bsi_memory_alloc(&allocator, sizeof *block);
    if (block == NULL) {
        return BIOST_ERR_NOMEM;
    }
    memset(block, 0, sizeof *block);
    block->release = release;
    block->user_data = user_data;
    block->allocator = allocator;
    if (versioned) {
        block->head.versioned.major = 1;
        block->head.versioned.context = block;
        block->head.versioned.deleter = bsi_export_delete_versioned;
        bsi_export_fill(tensor, block, &block->head.versioned.tensor);
    } else {
        block->head.managed.context = block;
        block->head.managed.deleter = bsi_export_delete_managed;
        bsi_export_fill(tensor, block, &block->head.managed.tensor);
    }
    *out_managed = block;
    return BIOST_OK;
}

/* See biost_loader_export. */
static biost_result bsi_export_batch(biost_loader *loader, const biost_batch *batch, uint32_t index,
                                     int versioned, void **out_managed) {
    biost_tensor tensor;
    bsi_loader_kept *kept = bsi_loader_keep(loader, batch, index, &tensor);
    loader->refusal.code = BIOST_OK;
    if (kept == NULL) {
        return bsi_loader_refuse(loader, BIOST_FAULT_STATE,
                                 "a tensor is exported while its batch is held, and by its number there");
    }
    if (bsi_export_tensor_of(&tensor, versioned, bsi_loader_let_go, kept, &loader->allocator,
                             out_managed) == BIOST_OK) {
        return BIOST_OK;
    }
    bsi_loader_let_go(kept);
    memset(&loader->refusal, 0, sizeof loader->refusal);
    bsi_fault_raise_plain(&loader->refusal, BIOST_FAULT_MEMORY, NULL, sizeof(bsi_export_block));
    return bsi_loader_tell(loader, &loader->refusal);
}

/* ==========================================================================
 * >>public   the doors: check arguments, call one room
 *   uses: config cpu rng encode pack augment kernels platform fault stream reader pairs loader export
 *   allocates: yes  threads: makes   I/O: reads files
 * ========================================================================== */

BIOST_API biost_result biost_loader_open(const biost_loader_desc *desc, biost_loader **out_loader,
                                         biost_error *out_error) {
    biost_error error;
    memset(&error, 0, sizeof error);
    if (out_loader == NULL) {
        bsi_fault_raise_plain(&error, BIOST_FAULT_ARGUMENT, "out_loader is NULL", 0);
    } else {
        *out_loader = bsi_loader_open(desc, &error);
    }
    if (out_error != NULL) {
        *out_error = error;
    }
    return error.code;
}

BIOST_API uint64_t biost_loader_first_epoch(const biost_loader *loader) {
    return loader != NULL ? loader->resume.epoch : 0;
}

BIOST_API uint64_t biost_loader_first_batch(const biost_loader *loader) {
    return loader != NULL ? loader->resume.next_batch : 0;
}

BIOST_API biost_result biost_loader_begin(biost_loader *loader, uint64_t epoch) {
    return loader != NULL ? bsi_loader_begin(loader, epoch) : BIOST_ERR_ARG;
}

BIOST_API biost_result biost_loader_next(biost_loader *loader, biost_batch *out_batch) {
    return loader != NULL && out_batch != NULL ? bsi_loader_next(loader, out_batch, 1) : BIOST_ERR_ARG;
}

BIOST_API biost_result biost_loader_try_next(biost_loader *loader, biost_batch *out_batch) {
    return loader != NULL && out_batch != NULL ? bsi_loader_next(loader, out_batch, 0) : BIOST_ERR_ARG;
}

BIOST_API biost_result biost_loader_set_workers(biost_loader *loader, uint32_t workers) {
    return loader != NULL ? bsi_loader_set_workers(loader, workers) : BIOST_ERR_ARG;
}

BIOST_API biost_result biost_loader_batches_per_epoch(biost_loader *loader, uint64_t *out_batches) {
    return loader != NULL && out_batches != NULL ? bsi_loader_batches_per_epoch(loader, out_batches)
                                                 : BIOST_ERR_ARG;
}

BIOST_API void biost_loader_resolved(const biost_loader *loader, biost_loader_desc *out_desc) {
    if (loader != NULL && out_desc != NULL) {
        *out_desc = loader->plan.desc;
    }
}

BIOST_API void biost_loader_counters(biost_loader *loader, biost_counters *out_counters) {
    if (out_counters != NULL) {
        memset(out_counters, 0, sizeof *out_counters);
    }
    if (loader != NULL && out_counters != NULL) {
        bsi_loader_counters(loader, out_counters);
    }
}

BIOST_API void biost_loader_hint(biost_loader *loader, char *out_text, size_t capacity) {
    if (out_text != NULL && capacity > 0) {
        out_text[0] = '\0';
    }
    if (loader != NULL && out_text != NULL && capacity > 0) {
        bsi_loader_hint(loader, out_text, capacity);
    }
}

BIOST_API biost_result biost_loader_release(biost_loader *loader, const biost_batch *batch) {
    return loader != NULL && batch != NULL ? bsi_loader_release(loader, batch) : BIOST_ERR_ARG;
}

BIOST_API biost_result biost_loader_token(biost_loader *loader, const biost_batch *batch,
                                          void *out_token, size_t capacity, size_t *out_bytes) {
    if (loader == NULL || batch == NULL || out_token == NULL || out_bytes == NULL) {
        return BIOST_ERR_ARG;
    }
    return bsi_loader_token(loader, batch, (uint8_t *)out_token, capacity, out_bytes);
}

BIOST_API const biost_error *biost_loader_error(const biost_loader *loader) {
    if (loader == NULL || (loader->error.code == BIOST_OK && loader->refusal.code == BIOST_OK)) {
        return NULL;
    }
    return loader->error.code != BIOST_OK ? &loader->error : &loader->refusal;
}

BIOST_API uint32_t biost_loader_warnings(biost_loader *loader) {
    uint32_t warnings = 0;
    if (loader != NULL) {
        bsi_platform_lock(&loader->sched.lock);
        warnings = loader->warnings;
        bsi_platform_unlock(&loader->sched.lock);
    }
    return warnings;
}

BIOST_API void biost_loader_progress(biost_loader *loader, biost_progress *out_progress) {
    if (out_progress != NULL) {
        memset(out_progress, 0, sizeof *out_progress);
    }
    if (loader != NULL && out_progress != NULL) {
        bsi_loader_progress(loader, out_progress);
    }
}

BIOST_API void biost_loader_cancel(biost_loader *loader) {
    if (loader != NULL) {
        bsi_loader_cancel(loader);
    }
}

BIOST_API void biost_loader_close(biost_loader *loader) {
    if (loader != NULL) {
        bsi_loader_close(loader);
    }
}

BIOST_API uint64_t biost_loader_memory(const biost_loader_desc *desc) {
    return desc != NULL ? bsi_loader_memory(desc) : UINT64_MAX;
}

BIOST_API biost_result biost_tensor_export(const biost_tensor *tensor, int versioned,
                                           void (*release)(void *user_data), void *user_data,
                                           const biost_allocator *allocator, void **out_managed) {
    static const biost_allocator none = {NULL, NULL, NULL};
    if (out_managed != NULL) {
        *out_managed = NULL;
    }
    return tensor != NULL && out_managed != NULL
               ? bsi_export_tensor_of(tensor, versioned, release, user_data,
                                      allocator != NULL ? allocator : &none, out_managed)
               : BIOST_ERR_ARG;
}

BIOST_API biost_result biost_loader_export(biost_loader *loader, const biost_batch *batch,
                                           uint32_t index, int versioned, void **out_managed) {
    if (out_managed != NULL) {
        *out_managed = NULL;
    }
    return loader != NULL && batch != NULL && out_managed != NULL
               ? bsi_export_batch(loader, batch, index, versioned, out_managed)
               : BIOST_ERR_ARG;
}

BIOST_API biost_result biost_reader_open(const biost_reader_desc *desc, biost_reader **out_reader,
                                         biost_error *out_error) {
    biost_error error;
    memset(&error, 0, sizeof error);
    if (out_reader == NULL) {
        bsi_fault_raise_plain(&error, BIOST_FAULT_ARGUMENT, "out_reader is NULL", 0);
    } else {
        *out_reader = bsi_reader_open(desc, &error);
    }
    if (out_error != NULL) {
        *out_error = error;
    }
    return error.code;
}

BIOST_API biost_result biost_reader_next(biost_reader *reader, biost_record *out_record) {
    return reader != NULL && out_record != NULL ? bsi_reader_next(reader, out_record)
                                                : BIOST_ERR_ARG;
}

BIOST_API biost_result biost_reader_next_run(biost_reader *reader, biost_run *out_run) {
    return reader != NULL && out_run != NULL ? bsi_reader_next_run(reader, out_run) : BIOST_ERR_ARG;
}

BIOST_API biost_result biost_reader_next_page(biost_reader *reader, biost_record_page *out_page) {
    if (reader == NULL || out_page == NULL) {
        return BIOST_ERR_ARG;
    }
    memset(out_page, 0, sizeof *out_page);
    return bsi_reader_next_page(reader, out_page);
}

BIOST_API biost_result biost_reader_release_page(biost_reader *reader,
                                                 const biost_record_page *page) {
    return reader != NULL && page != NULL ? bsi_reader_release_page(reader, page) : BIOST_ERR_ARG;
}

BIOST_API void biost_record_page_get(const biost_record_page *page, uint32_t index,
                                     biost_run *out_run) {
    if (page != NULL && out_run != NULL && index < page->row_count) {
        bsi_reader_page_get(page, index, out_run);
    }
}

BIOST_API biost_format biost_reader_format(const biost_reader *reader) {
    return reader != NULL ? reader->scan.records.format : BIOST_FORMAT_EMPTY;
}

BIOST_API uint32_t biost_reader_warnings(const biost_reader *reader) {
    return reader != NULL ? reader->scan.records.warnings | reader->stream->warnings : 0;
}

BIOST_API void biost_reader_progress(biost_reader *reader, biost_record_progress *out_progress) {
    if (out_progress != NULL) {
        memset(out_progress, 0, sizeof *out_progress);
    }
    if (reader != NULL && out_progress != NULL) {
        bsi_reader_progress(reader, out_progress);
    }
}

BIOST_API const biost_error *biost_reader_error(const biost_reader *reader) {
    return reader != NULL && reader->error.code != BIOST_OK ? &reader->error : NULL;
}

BIOST_API void biost_reader_close(biost_reader *reader) {
    if (reader != NULL) {
        bsi_reader_close(reader);
    }
}

BIOST_API biost_result biost_pairs_open(const biost_pairs_desc *desc, biost_pairs **out_pairs,
                                        biost_error *out_error) {
    biost_error error;
    memset(&error, 0, sizeof error);
    if (out_pairs == NULL) {
        bsi_fault_raise_plain(&error, BIOST_FAULT_ARGUMENT, "out_pairs is NULL", 0);
    } else {
        *out_pairs = bsi_pairs_open(desc, &error);
    }
    if (out_error != NULL) {
        *out_error = error;
    }
    return error.code;
}

BIOST_API biost_result biost_pairs_next(biost_pairs *pairs, biost_record *out_records) {
    return pairs != NULL && out_records != NULL ? bsi_pairs_next(pairs, out_records)
                                                : BIOST_ERR_ARG;
}

BIOST_API uint32_t biost_pairs_warnings(const biost_pairs *pairs) {
    uint32_t warnings = pairs != NULL ? pairs->warnings : 0, i;
    for (i = 0; pairs != NULL && i < pairs->reader_count; ++i) {
        warnings |= biost_reader_warnings(pairs->readers[i]);
    }
    return warnings;
}

BIOST_API const biost_error *biost_pairs_error(const biost_pairs *pairs) {
    return pairs != NULL && pairs->error.code != BIOST_OK ? &pairs->error : NULL;
}

BIOST_API void biost_pairs_close(biost_pairs *pairs) {
    if (pairs != NULL) {
        bsi_pairs_close(pairs);
    }
}

BIOST_API biost_result biost_stream_open(const biost_stream_desc *desc, biost_stream **out_stream,
                                         biost_error *out_error) {
    biost_error error;
    memset(&error, 0, sizeof error);
    if (out_stream == NULL) {
        bsi_fault_raise_plain(&error, BIOST_FAULT_ARGUMENT, "out_stream is NULL", 0);
    } else {
        *out_stream = bsi_stream_open(desc, &error);
    }
    if (out_error != NULL) {
        *out_error = error;
    }
    return error.code;
}

BIOST_API biost_result biost_stream_read(biost_stream *stream, void *to, size_t bytes,
                                         size_t *out_bytes) {
    if (out_bytes != NULL) {
        *out_bytes = 0;
    }
    if (stream == NULL || out_bytes == NULL || (to == NULL && bytes > 0)) {
        return BIOST_ERR_ARG;
    }
    return bsi_stream_copy(stream, (uint8_t *)to, bytes, out_bytes);
}

BIOST_API biost_result biost_stream_next_page(biost_stream *stream, biost_page *out_page) {
    return stream != NULL && out_page != NULL ? bsi_stream_lend(stream, out_page) : BIOST_ERR_ARG;
}

BIOST_API const biost_error *biost_stream_error(const biost_stream *stream) {
    return stream != NULL && stream->error.code != BIOST_OK ? &stream->error : NULL;
}

BIOST_API uint32_t biost_stream_warnings(biost_stream *stream) {
    uint32_t warnings = 0;
    if (stream != NULL) {
        bsi_platform_lock(&stream->sched.lock);
        warnings = stream->warnings;
        bsi_platform_unlock(&stream->sched.lock);
    }
    return warnings;
}

BIOST_API void biost_stream_progress(biost_stream *stream, biost_text_progress *out_progress) {
    if (out_progress != NULL) {
        memset(out_progress, 0, sizeof *out_progress);
    }
    if (stream != NULL && out_progress != NULL) {
        bsi_platform_lock(&stream->sched.lock);
        *out_progress = stream->progress;
        out_progress->source_bytes = stream->pipe.source_bytes;
        bsi_platform_unlock(&stream->sched.lock);
    }
}

BIOST_API void biost_stream_counters(biost_stream *stream, biost_ahead_counters *out_counters) {
    if (out_counters != NULL) {
        memset(out_counters, 0, sizeof *out_counters);
    }
    if (stream != NULL && out_counters != NULL) {
        bsi_platform_lock(&stream->sched.lock);
        *out_counters = stream->pipe.counters;
        bsi_platform_unlock(&stream->sched.lock);
    }
}

BIOST_API uint32_t biost_stream_busy(biost_stream *stream, uint64_t *out_busy_ns, uint32_t capacity) {
    return stream != NULL && (out_busy_ns != NULL || capacity == 0)
               ? bsi_stream_busy(stream, out_busy_ns, capacity)
               : 0;
}

BIOST_API void biost_stream_cancel(biost_stream *stream) {
    if (stream != NULL) {
        bsi_stream_cancel(stream);
    }
}

BIOST_API void biost_stream_close(biost_stream *stream) {
    if (stream != NULL) {
        bsi_stream_close(stream);
    }
}

BIOST_API biost_result biost_inflate(const void *source, size_t source_bytes, void *out_text,
                                     size_t capacity, size_t *out_bytes, biost_error *out_error) {
    biost_error error;
    memset(&error, 0, sizeof error);
    bsi_stream_inflate_whole((const uint8_t *)source, source_bytes, (uint8_t *)out_text, capacity,
                             out_bytes, &error);
    if (out_error != NULL) {
        *out_error = error;
    }
    return error.code;
}

/* Make an encoder that uses what both the caller and the processor allow; or say what is wrong. */
static const char *bsi_public_make_encoder(const biost_encoding *encoding, uint32_t cpu,
                                           biost_encoder *encoder) {
    const char *bad = encoding == NULL ? "encoding is NULL" : bsi_encode_check(encoding);
    memset(encoder, 0, sizeof *encoder);
    if (bad == NULL) {
        bsi_encode_begin(encoder, encoding);
        bsi_kernels_encode(encoder, cpu & bsi_cpu_features());
    }
    return bad;
}

BIOST_API biost_result biost_encoder_make(const biost_encoding *encoding, uint32_t cpu,
                                          biost_encoder *out_encoder, biost_error *out_error) {
    const char *bad = out_encoder == NULL ? "out_encoder is NULL"
                                          : bsi_public_make_encoder(encoding, cpu, out_encoder);
    if (out_error != NULL) {
        memset(out_error, 0, sizeof *out_error);
    }
    if (bad != NULL && out_error != NULL) {
        bsi_fault_raise_plain(out_error, BIOST_FAULT_ARGUMENT, bad, 0);
    }
    return bad == NULL ? BIOST_OK : BIOST_ERR_ARG;
}

BIOST_API uint64_t biost_encoder_row_bytes(const biost_encoder *encoder, uint32_t columns) {
    return encoder != NULL ? (uint64_t)columns * encoder->base_bytes : 0;
}

BIOST_API void biost_encode_row(const biost_encoder *encoder, const char *seq, uint32_t bases, void *out,
                                uint32_t columns) {
    if (encoder != NULL && encoder->row != NULL && out != NULL && (seq != NULL || bases == 0) &&
        bases <= columns) {
        bsi_encode_row(encoder, (const uint8_t *)seq, bases, (uint8_t *)out, columns);
    }
}

BIOST_API void biost_encode_quality(biost_quality kind, biost_dtype dtype, biost_pad_side pad_side,
                                    const char *qual, uint32_t bases, void *out, uint32_t columns) {
    if (kind != BIOST_QUALITY_NONE && bsi_encode_check_quality(kind, dtype) == NULL && out != NULL &&
        (qual != NULL || bases == 0) && bases <= columns) {
        bsi_encode_quality(kind, dtype, pad_side == BIOST_PAD_LEFT, (const uint8_t *)qual, bases,
                           (uint8_t *)out, columns);
    }
}

BIOST_API void biost_encode_mask(biost_pad_side pad_side, uint32_t bases, uint8_t *out,
                                 uint32_t columns) {
    if (out != NULL && bases <= columns) {
        bsi_encode_mask(pad_side == BIOST_PAD_LEFT, bases, out, columns);
    }
}

BIOST_API uint32_t biost_cpu(void) {
    return bsi_cpu_features();
}

BIOST_API void biost_reverse_complement(char *seq, char *qual, size_t bases) {
    if (seq != NULL) {
        bsi_augment_reverse_scalar((uint8_t *)seq, (uint8_t *)qual, bases);
    }
}

BIOST_API void biost_pack_bases(uint32_t cpu, const char *seq, size_t bases, uint8_t *out_packed,
                                uint8_t *out_mask) {
    bsi_pack_kernels kernels;
    bsi_kernels_pack(&kernels, cpu);
    if (seq != NULL) {
        kernels.pack((const uint8_t *)seq, bases, out_packed, out_mask);
    }
}

BIOST_API void biost_unpack_bases(uint32_t cpu, const uint8_t *packed, const uint8_t *mask,
                                  size_t bases, char *out_seq) {
    bsi_pack_kernels kernels;
    bsi_kernels_pack(&kernels, cpu);
    if (packed != NULL && out_seq != NULL) {
        kernels.unpack(packed, mask, bases, (uint8_t *)out_seq);
    }
}

BIOST_API biost_result biost_encode_kmers(const biost_kmers *kmers, uint32_t cpu, const char *seq,
                                          size_t bases, void *out_ids, size_t *out_windows) {
    bsi_pack_kernels kernels;
    size_t windows = 0;
    biost_result result = BIOST_ERR_ARG;
    bsi_kernels_pack(&kernels, cpu);
    if (kmers != NULL) {
        result = bsi_pack_number(&kernels, kmers, (const uint8_t *)seq, bases, (uint8_t *)out_ids,
                                 &windows);
    }
    if (out_windows != NULL) {
        *out_windows = windows;
    }
    return result;
}

BIOST_API void biost_random_begin(biost_random *random, uint64_t seed, uint64_t epoch, int64_t id,
                                  uint32_t piece) {
    if (random != NULL) {
        bsi_rng_begin(random, bsi_rng_stage_key(seed, epoch, BSI_RNG_USER), id, piece);
    }
}

BIOST_API uint32_t biost_random_next(biost_random *random) {
    return random != NULL ? bsi_rng_next(random) : 0;
}

BIOST_API uint32_t biost_random_below(biost_random *random, uint32_t bound) {
    return random != NULL && bound > 0 ? bsi_rng_below(random, bound) : 0;
}

BIOST_API biost_feature_set biost_features(void) {
    biost_feature_set features;
    features.version = BIOST_VERSION_MAJOR << 16 | BIOST_VERSION_MINOR << 8 | BIOST_VERSION_PATCH;
    features.has_libdeflate = BSI_HAS_LIBDEFLATE;
    features.cpu = bsi_cpu_features();
    features.text = BSI_FEATURES_TEXT;
    return features;
}

BIOST_API const char *biost_result_name(biost_result result) {
    static const char *const errors[] = {
        "OK",       "ERR_ARG",      "ERR_NOMEM", "ERR_IO",    "ERR_UNSUPPORTED", "ERR_GZIP",
        "ERR_TEXT", "ERR_TOO_LONG", "ERR_SLOTS", "ERR_STALE", "ERR_THREAD",      "ERR_DEVICE"};
    static const char *const statuses[] = {"OK", "END", "PENDING", "CANCELLED"};
    if (result > 0) {
        return result <= BIOST_CANCELLED ? statuses[result] : "UNKNOWN";
    }
    return result >= BIOST_ERR_DEVICE ? errors[-(int)result] : "UNKNOWN";
}

BIOST_API const char *biost_fault_name(biost_fault fault) {
    return (uint32_t)fault < (uint32_t)BIOST_FAULT_COUNT ? bsi_fault_rows[fault].name : "UNKNOWN";
}

#endif /* BIOSTREAM_IMPLEMENTATION */
