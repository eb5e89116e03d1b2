/*
 * bench_loader - from a FASTQ file to one-hot batches: biost_loader against hand-written loops over
 * kseq.h, and against what the machine allows.
 *
 *   build/bench/bench_loader [--tsv FILE] [FILE... [--ahead FILE...] [--memory FILE...]]
 *
 * of plain, gzip or BGZF FASTQ; after --ahead of gzip FASTQ or FASTA.
 *
 * Batches have 256 rows of 150 bases, one-hot u8, bf16 and f32, padded with zeros.
 *
 *   limits    of plain text read(2) into 256 KiB again and again; of gzip and BGZF the text alone
 *             by biost_stream, zlib and ISA-L; and memset of as many bytes as the tensors have,
 *             over four buffers of a batch, as the loader has four slots
 *   ours      biost_loader, 1 and 2 workers, digest off, without shuffle; then also with shuffle
 *             and reverse complement, with digest, and with tensors of qualities and mask
 *   peers     what one writes by hand, in one thread: kseq_read (htslib's, klib's) over read(2),
 *             zlib or ISA-L, then a table with the numbers of each letter, copied row by row
 *
 * With a shuffle nothing leaves while its buffer fills and nothing is inflated while what is left in it
 * is encoded; of these files the buffer holds a third. So gzip is also read as 8 inputs in a row, the
 * same file each time: what a row costs in between. Rows of that are called "f32 of 8 files".
 *
 * Plain gzip to u8 is also read by 2 workers in order, which else decode it ahead of its turn, and in
 * two epochs of one loader: "first epoch" and "second epoch" are each from biost_loader_begin to the
 * end of that epoch; the second is begun, as the loader does, while the last batches of the first are
 * taken. Files after --ahead may have records longer than a row, which are split; of these only such
 * rows, ours alike and the text alone are measured.
 *
 * Opening and closing are inside the time, but for those epochs. Before anything is timed the outputs
 * are compared by a hash over all rows and lengths, of ours with one another and with each peer;
 * qualities and mask likewise.
 *
 * Peak memory is that of a child that runs two epochs, over that of one that does nothing, of every
 * file and of those after --memory, whose records may be longer than a row: with the zero desc the
 * first bases of such are taken, else they are split.
 *
 *   BENCH_ROUNDS=N       rounds, 5 to 99; without it 7
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"
#include "bench.h"

#ifndef _WIN32

#include <inttypes.h>

#include "peers/child.h"
#include "peers/source.h"

enum { ROWS = 256, BASES = 150, CHANNELS = 4, SLOTS = 4, PIECE_BYTES = 1 << 18, ROWS_MOST = 48, INPUTS = 8 };

enum { PLAIN = 1, GZIP = 2, BGZF = 4, PACKED = GZIP | BGZF, ANY = PLAIN | PACKED }; /* files */

typedef enum engine {
    ENGINE_READ,    /* read(2)                                                     */
    ENGINE_STREAM,  /* biost_stream                                                */
    ENGINE_INFLATE, /* a peer's decoder                                            */
    ENGINE_MEMSET,
    ENGINE_LOADER,
    ENGINE_HTSLIB,
    ENGINE_KLIB
} engine;

/* What ours does besides. */
enum { MORE_NOTHING, MORE_ORDER, MORE_SHUFFLE, MORE_DIGEST, MORE_TENSORS, MORE_BOTH };

typedef struct contender {
    const char *name;
    engine by;
    decoder with;              /* of a peer                                                   */
    uint32_t workers;          /* of ours                                                     */
    int files;                 /* which it takes                                              */
    int column;                /* ratios to this one stand in column 1, 2 or 3; 0: none       */
    biost_parallel_gzip ahead; /* of ours                                                     */
    int epoch;                 /* of two epochs that one is timed, from 1 on; 0: all of one   */
} contender;

/* What takes text only, once for each file. */
static const contender limits[] = {
    {"read(2)", ENGINE_READ, DECODER_NONE, 1, PLAIN, 1, BIOST_PARALLEL_GZIP_AUTO, 0},
    {"biost_stream, 1 worker", ENGINE_STREAM, DECODER_NONE, 1, PACKED, 1, BIOST_PARALLEL_GZIP_AUTO, 0},
    {"biost_stream, 2 workers", ENGINE_STREAM, DECODER_NONE, 2, BGZF, 0, BIOST_PARALLEL_GZIP_AUTO, 0},
    {"zlib", ENGINE_INFLATE, DECODER_ZLIB, 1, PACKED, 0, BIOST_PARALLEL_GZIP_AUTO, 0},
    {"ISA-L", ENGINE_INFLATE, DECODER_ISAL, 1, PACKED, 0, BIOST_PARALLEL_GZIP_AUTO, 0},
};

/* What fills batches, once for each type of number. The last in a column counts, so klib's. */
static const contender fillers[] = {
    {"memset of the tensors", ENGINE_MEMSET, DECODER_NONE, 1, ANY, 0, BIOST_PARALLEL_GZIP_AUTO, 0},
    {"ours, 1 worker", ENGINE_LOADER, DECODER_NONE, 1, ANY, 0, BIOST_PARALLEL_GZIP_AUTO, 0},
    {"ours, 2 workers", ENGINE_LOADER, DECODER_NONE, 2, ANY, 0, BIOST_PARALLEL_GZIP_AUTO, 0},
    {"kseq.h htslib", ENGINE_HTSLIB, DECODER_NONE, 1, PLAIN, 2, BIOST_PARALLEL_GZIP_AUTO, 0},
    {"kseq.h klib", ENGINE_KLIB, DECODER_NONE, 1, PLAIN, 3, BIOST_PARALLEL_GZIP_AUTO, 0},
    {"kseq.h htslib, zlib", ENGINE_HTSLIB, DECODER_ZLIB, 1, PACKED, 2, BIOST_PARALLEL_GZIP_AUTO, 0},
    {"kseq.h klib, zlib", ENGINE_KLIB, DECODER_ZLIB, 1, PACKED, 2, BIOST_PARALLEL_GZIP_AUTO, 0},
    {"kseq.h htslib, ISA-L", ENGINE_HTSLIB, DECODER_ISAL, 1, PACKED, 3, BIOST_PARALLEL_GZIP_AUTO, 0},
    {"kseq.h klib, ISA-L", ENGINE_KLIB, DECODER_ISAL, 1, PACKED, 3, BIOST_PARALLEL_GZIP_AUTO, 0},
};

/* What takes gzip, u8 alone. */
static const contender aheads[] = {
    {"ours, 2 workers, in order", ENGINE_LOADER, DECODER_NONE, 2, GZIP, 0, BIOST_PARALLEL_GZIP_NEVER, 0},
    {"ours, 1 worker, first epoch", ENGINE_LOADER, DECODER_NONE, 1, GZIP, 0, BIOST_PARALLEL_GZIP_AUTO, 1},
    {"ours, 1 worker, second epoch", ENGINE_LOADER, DECODER_NONE, 1, GZIP, 0, BIOST_PARALLEL_GZIP_AUTO, 2},
    {"ours, 2 workers, first epoch", ENGINE_LOADER, DECODER_NONE, 2, GZIP, 0, BIOST_PARALLEL_GZIP_AUTO, 1},
    {"ours, 2 workers, second epoch", ENGINE_LOADER, DECODER_NONE, 2, GZIP, 0, BIOST_PARALLEL_GZIP_AUTO, 2},
};

static const biost_dtype dtypes[] = {BIOST_DTYPE_U8, BIOST_DTYPE_BF16, BIOST_DTYPE_F32};

/* Indexed by MORE_*. */
static const char *const more_names[] = {"",       "shuffle 65536",  "shuffle 65536 + rc 0.5",
                                         "digest", "quality + mask", "shuffle, rc, quality, mask"};

enum {
    LIMITS = sizeof limits / sizeof limits[0],
    FILLERS = sizeof fillers / sizeof fillers[0],
    AHEADS = sizeof aheads / sizeof aheads[0],
    DTYPES = sizeof dtypes / sizeof dtypes[0],
    MORES = sizeof more_names / sizeof more_names[0]
};

/* A row of a table: one thing to time. */
typedef struct row {
    const contender *c;
    biost_dtype dtype;
    int more;   /* MORE_*                                                      */
    int inputs; /* the file is read so many times in a row                     */
    int splits; /* records longer than a row                                   */
    double wall[BENCH_ROUNDS_MOST], cpu[BENCH_ROUNDS_MOST];
} row;

/* What a pass over a file gave. */
typedef struct outcome {
    uint64_t records, bases, text_bytes;
    uint64_t hash;   /* of rows and lengths, when outputs are compared; else 0      */
    uint64_t extra;  /* of qualities and mask, likewise                             */
    bench_time time; /* of one epoch of two; 0: all of the pass counts              */
    int failed;
} outcome;

/* Everything about one file. */
typedef struct table {
    const char *path, *name;
    int kind; /* PLAIN, GZIP or BGZF                                         */
    uint64_t file_bytes;
    int splits; /* it stands after --ahead                                    */
    row rows[ROWS_MOST];
    int count;
    outcome first; /* of ours, u8, 1 worker                                       */
} table;

/* Keeps the compiler from leaving out work whose result nobody uses. */
static volatile unsigned char sink;

static outcome fail(const char *sentence) {
    outcome out;
    memset(&out, 0, sizeof out);
    fprintf(stderr, "bench_loader: %s\n", sentence);
    out.failed = 1;
    return out;
}

static size_t element_bytes(biost_dtype dtype) {
    return dtype == BIOST_DTYPE_F32 ? 4 : dtype == BIOST_DTYPE_U8 ? 1 : 2;
}

static const char *dtype_name(biost_dtype dtype) {
    return dtype == BIOST_DTYPE_F32 ? "f32" : dtype == BIOST_DTYPE_U8 ? "u8" : "bf16";
}

static size_t row_bytes(biost_dtype dtype) {
    return (size_t)BASES * CHANNELS * element_bytes(dtype);
}

/* Use a batch: all of it when outputs are compared, else one byte. */
static void use_batch(outcome *out, const void *x, size_t one_row, const int32_t *lengths, uint32_t rows,
                      int compare) {
    uint32_t i;
    sink = *(const unsigned char *)x;
    for (i = 0; i < rows; ++i) {
        out->bases += (uint64_t)lengths[i];
    }
    out->records += rows;
    if (compare) {
        out->hash = bench_hash(out->hash, x, one_row * rows);
        out->hash = bench_hash(out->hash, lengths, sizeof *lengths * rows);
    }
}

static void use_extra(outcome *out, const void *quality, const void *mask, uint32_t rows) {
    out->extra = bench_hash(out->extra, quality, (size_t)BASES * rows);
    out->extra = bench_hash(out->extra, mask, (size_t)BASES * rows);
}

/* ---- limits ------------------------------------------------------------------- */

static outcome run_decoder(const contender *c, const char *path) {
    outcome out;
    input in = {NULL, NULL, 0};
    source from;
    unsigned char *piece = (unsigned char *)malloc(PIECE_BYTES);
    int got = -1;
    memset(&out, 0, sizeof out);
    in.path = path;
    if (piece == NULL || !source_open(&from, c->with, &in)) {
        free(piece);
        return fail("the file cannot be read");
    }
    while ((got = source_read(&from, piece, PIECE_BYTES)) > 0) {
        sink = piece[got - 1];
        out.text_bytes += (uint64_t)got;
    }
    source_close(&from);
    free(piece);
    return got == 0 ? out : fail("the file cannot be decoded");
}

static outcome run_stream(const contender *c, const char *path) {
    outcome out;
    biost_stream_desc desc;
    biost_stream *stream;
    biost_error error;
    biost_page page;
    biost_result result;
    memset(&out, 0, sizeof out);
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    desc.workers = c->workers;
    if (biost_stream_open(&desc, &stream, &error) != BIOST_OK) {
        return fail(error.text);
    }
    while ((result = biost_stream_next_page(stream, &page)) == BIOST_OK) {
        sink = (unsigned char)page.text[page.text_bytes - 1];
        out.text_bytes += page.text_bytes;
    }
    if (result < 0) {
        out = fail(biost_stream_error(stream)->text);
    }
    biost_stream_close(stream);
    return out;
}

/* As many bytes as the tensors of all records have, a batch at a time. */
static outcome run_memset(biost_dtype dtype, uint64_t records) {
    outcome out;
    size_t batch_bytes = row_bytes(dtype) * ROWS;
    unsigned char *slots = (unsigned char *)malloc(batch_bytes * SLOTS), *slot;
    uint64_t batch;
    memset(&out, 0, sizeof out);
    if (slots == NULL) {
        return fail("no memory");
    }
    for (batch = 0; batch * ROWS < records; ++batch) {
        slot = slots + batch % SLOTS * batch_bytes;
        memset(slot, (int)(batch & 1), batch_bytes);
        sink = slot[batch % batch_bytes];
    }
    free(slots);
    return out;
}

/* ---- ours --------------------------------------------------------------------- */

static int is_shuffled(const row *what) {
    return what->more == MORE_ORDER || what->more == MORE_SHUFFLE || what->more == MORE_BOTH;
}

static int is_reversed(const row *what) {
    return what->more == MORE_SHUFFLE || what->more == MORE_BOTH;
}

static biost_loader_desc our_desc(const char *const *paths, const row *what) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.paths = paths;
    desc.path_count = (uint32_t)what->inputs;
    desc.batch_rows = ROWS;
    desc.row_bases = BASES;
    desc.encoding.dtype = what->dtype;
    desc.workers = what->c->workers;
    desc.slots = SLOTS;
    desc.epochs = what->c->epoch > 0 ? 2 : 1; /* do not begin another ahead */
    desc.long_records = what->splits ? BIOST_LONG_SPLIT : BIOST_LONG_FAIL;
    desc.test.parallel_gzip = what->c->ahead;
    desc.shuffle_rows = is_shuffled(what) ? 65536 : 0;
    desc.augment.reverse_complement = is_reversed(what) ? 0.5f : 0;
    desc.digest = what->more == MORE_DIGEST;
    if (what->more == MORE_TENSORS || what->more == MORE_BOTH) {
        desc.quality.kind = BIOST_QUALITY_PHRED;
        desc.mask = 1;
    }
    return desc;
}

static void use_tensors(outcome *out, const biost_batch *batch) {
    const biost_tensor *quality = biost_batch_tensor(batch, BIOST_ROLE_QUALITY);
    const biost_tensor *mask = biost_batch_tensor(batch, BIOST_ROLE_MASK);
    if (quality != NULL && mask != NULL) {
        use_extra(out, quality->data, mask->data, batch->valid_rows);
    }
}

/* Take an epoch, to its end. Returns BIOST_END, or what went wrong. */
static biost_result take_epoch(biost_loader *loader, uint64_t epoch, const row *what, int compare,
                               outcome *out) {
    bench_time start = bench_now();
    biost_batch batch;
    biost_result result = biost_loader_begin(loader, epoch);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        use_batch(out, batch.x.data, row_bytes(what->dtype), batch.lengths, batch.valid_rows, compare);
        if (compare) {
            use_tensors(out, &batch);
        }
        biost_loader_release(loader, &batch);
    }
    out->time = bench_since(start);
    return result;
}

static outcome run_loader(const row *what, const char *path, int compare) {
    outcome out, other;
    const char *paths[INPUTS];
    biost_loader_desc desc;
    biost_loader *loader;
    biost_error error;
    biost_progress progress;
    biost_result result;
    int i;
    memset(&out, 0, sizeof out);
    memset(&other, 0, sizeof other);
    memset(&progress, 0, sizeof progress);
    for (i = 0; i < INPUTS; ++i) {
        paths[i] = path;
    }
    desc = our_desc(paths, what);
    if (biost_loader_open(&desc, &loader, &error) != BIOST_OK) {
        return fail(error.text);
    }
    result = take_epoch(loader, 0, what, compare, what->c->epoch == 2 ? &other : &out);
    if (what->c->epoch > 0 && result == BIOST_END) {
        result = take_epoch(loader, 1, what, compare, what->c->epoch == 1 ? &other : &out);
    }
    if (what->c->epoch == 0) {
        memset(&out.time, 0, sizeof out.time);
    }
    biost_loader_progress(loader, &progress);
    out.text_bytes = progress.text_bytes;
    if (result < 0) {
        out = fail(biost_loader_error(loader)->text);
    }
    biost_loader_close(loader);
    return out;
}

/* ---- peers: kseq.h and a table --------------------------------------------------- */

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("align-functions=64,align-loops=32")
#endif
#include "peers/kseq.h"

#if defined(HAVE_HTSLIB_KSEQ) || defined(KLIB_KSEQ)

/* A batch being filled. */
typedef struct filler {
    outcome out;
    biost_dtype dtype;
    int compare;
    size_t one_row;          /* bytes                                                       */
    uint8_t *x;              /* [ROWS][BASES][CHANNELS]                                     */
    uint8_t *quality, *mask; /* [ROWS][BASES], only to be compared                          */
    int32_t lengths[ROWS];
    uint32_t rows;
} filler;

/* The four numbers of each letter as they lie in the tensor. */
typedef struct tables {
    uint8_t u8[256][CHANNELS];
    uint16_t bf16[256][CHANNELS];
    float f32[256][CHANNELS];
} tables;

static tables peer_tables;

static void make_tables(tables *to) {
    static const char letters[] = "AaCcGgTtUu";
    static const int channels[] = {0, 0, 1, 1, 2, 2, 3, 3, 3, 3};
    int i;
    memset(to, 0, sizeof *to);
    for (i = 0; letters[i] != '\0'; ++i) {
        to->u8[(unsigned char)letters[i]][channels[i]] = 1;
        to->bf16[(unsigned char)letters[i]][channels[i]] = 0x3F80;
        to->f32[(unsigned char)letters[i]][channels[i]] = 1;
    }
}

/* One loop for each type, with a copy of fixed size inside: compilers make it one store. */
static void fill_u8(const char *seq, size_t bases, uint8_t *to) {
    size_t i;
    for (i = 0; i < bases; ++i) {
        memcpy(to + 4 * i, peer_tables.u8[(unsigned char)seq[i]], 4);
    }
    memset(to + 4 * bases, 0, 4 * (BASES - bases));
}

static void fill_bf16(const char *seq, size_t bases, uint8_t *to) {
    size_t i;
    for (i = 0; i < bases; ++i) {
        memcpy(to + 8 * i, peer_tables.bf16[(unsigned char)seq[i]], 8);
    }
    memset(to + 8 * bases, 0, 8 * (BASES - bases));
}

static void fill_f32(const char *seq, size_t bases, uint8_t *to) {
    size_t i;
    for (i = 0; i < bases; ++i) {
        memcpy(to + 16 * i, peer_tables.f32[(unsigned char)seq[i]], 16);
    }
    memset(to + 16 * bases, 0, 16 * (BASES - bases));
}

/* What ours must give with tensors of qualities and mask; never timed. */
static void fill_extra(filler *f, const char *qual, size_t bases) {
    uint8_t *quality = f->quality + (size_t)BASES * f->rows;
    uint8_t *mask = f->mask + (size_t)BASES * f->rows;
    size_t i;
    for (i = 0; i < BASES; ++i) {
        quality[i] = i < bases ? (uint8_t)(qual[i] - 33) : 0;
        mask[i] = i < bases;
    }
}

static void end_batch(filler *f) {
    use_batch(&f->out, f->x, f->one_row, f->lengths, f->rows, f->compare);
    if (f->compare) {
        use_extra(&f->out, f->quality, f->mask, f->rows);
    }
    f->rows = 0;
}

/* Take a record. Returns 0 where it is no FASTQ, or too long for a row. */
static int fill_row(filler *f, const char *seq, const char *qual, size_t bases) {
    uint8_t *to = f->x + f->one_row * f->rows;
    if (bases > BASES || qual == NULL) {
        return 0;
    }
    if (f->dtype == BIOST_DTYPE_U8) {
        fill_u8(seq, bases, to);
    } else if (f->dtype == BIOST_DTYPE_F32) {
        fill_f32(seq, bases, to);
    } else {
        fill_bf16(seq, bases, to);
    }
    if (f->compare) {
        fill_extra(f, qual, bases);
    }
    f->lengths[f->rows] = (int32_t)bases;
    if (++f->rows == ROWS) {
        end_batch(f);
    }
    return 1;
}

static int begin_filler(filler *f, biost_dtype dtype, int compare) {
    memset(f, 0, sizeof *f);
    f->dtype = dtype;
    f->compare = compare;
    f->one_row = row_bytes(dtype);
    f->x = (uint8_t *)malloc(f->one_row * ROWS);
    f->quality = compare ? (uint8_t *)malloc((size_t)BASES * ROWS) : NULL;
    f->mask = compare ? (uint8_t *)malloc((size_t)BASES * ROWS) : NULL;
    make_tables(&peer_tables);
    return f->x != NULL && (!compare || (f->quality != NULL && f->mask != NULL));
}

/* `status` is what kseq_read returned last: -1 at the end, 0 or more where a row was refused. */
static outcome end_filler(filler *f, int status) {
    if (f->rows > 0) {
        end_batch(f);
    }
    free(f->x);
    free(f->quality);
    free(f->mask);
    return status == -1 ? f->out : fail("kseq.h failed, or a read is longer than a row");
}

#ifdef HAVE_HTSLIB_KSEQ
static int run_htslib(source *from, filler *f) {
    kseq_t *seq = kseq_init(from);
    int status;
    while ((status = (int)kseq_read(seq)) >= 0 && fill_row(f, seq->seq.s, seq->qual.s, seq->seq.l)) {
    }
    kseq_destroy(seq);
    return status;
}
#endif

#ifdef KLIB_KSEQ
static int run_klib(source *from, filler *f) {
    klib_seq_t *seq = klib_init(from);
    int status;
    while ((status = (int)klib_read(seq)) >= 0 && fill_row(f, seq->seq.s, seq->qual.s, seq->seq.l)) {
    }
    klib_destroy(seq);
    return status;
}
#endif

#endif /* HAVE_HTSLIB_KSEQ || KLIB_KSEQ */

static outcome run_peer(const row *what, const char *path, int compare) {
#if defined(HAVE_HTSLIB_KSEQ) || defined(KLIB_KSEQ)
    filler f;
    input in = {NULL, NULL, 0};
    source from;
    int status = -2;
    in.path = path;
    if (begin_filler(&f, what->dtype, compare) && source_open(&from, what->c->with, &in)) {
#ifdef HAVE_HTSLIB_KSEQ
        status = what->c->by == ENGINE_HTSLIB ? run_htslib(&from, &f) : status;
#endif
#ifdef KLIB_KSEQ
        status = what->c->by == ENGINE_KLIB ? run_klib(&from, &f) : status;
#endif
        source_close(&from);
    }
    return end_filler(&f, status);
#else
    (void)what, (void)path, (void)compare;
    return fail("built without kseq.h");
#endif
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- one pass -------------------------------------------------------------------- */

static int is_there(const contender *c, int kind) {
#ifndef HAVE_HTSLIB_KSEQ
    if (c->by == ENGINE_HTSLIB) {
        return 0;
    }
#endif
#ifndef KLIB_KSEQ
    if (c->by == ENGINE_KLIB) {
        return 0;
    }
#endif
    return (c->files & kind) != 0 && source_has(c->with);
}

static outcome run(const table *of, const row *what, int compare) {
    switch (what->c->by) {
    case ENGINE_READ:
    case ENGINE_INFLATE: return run_decoder(what->c, of->path);
    case ENGINE_STREAM: return run_stream(what->c, of->path);
    case ENGINE_MEMSET: return run_memset(what->dtype, of->first.records);
    case ENGINE_LOADER: return run_loader(what, of->path, compare);
    default: return run_peer(what, of->path, compare);
    }
}

/* ---- comparing ------------------------------------------------------------------- */

static void row_name(const row *what, char *to, size_t capacity) {
    char inputs[32] = "";
    if (what->inputs > 1) {
        snprintf(inputs, sizeof inputs, " of %d files", what->inputs);
    }
    snprintf(to, capacity, "%s%s%s%s%s%s", what->c->name, what->c->by >= ENGINE_MEMSET ? ", " : "",
             what->c->by >= ENGINE_MEMSET ? dtype_name(what->dtype) : "", inputs,
             what->more != MORE_NOTHING ? ", " : "", more_names[what->more]);
}

/* The hash of batches must be that of all others with as many numbers in the same order. */
static int agree(const row *a, const outcome *x, const row *b, const outcome *y) {
    int same = a->inputs == b->inputs && is_shuffled(a) == is_shuffled(b) && is_reversed(a) == is_reversed(b);
    if (x->records * (uint64_t)b->inputs != y->records * (uint64_t)a->inputs ||
        x->bases * (uint64_t)b->inputs != y->bases * (uint64_t)a->inputs) {
        return 0;
    }
    if (a->dtype == b->dtype && same && x->hash != y->hash) {
        return 0;
    }
    return !same || x->extra == 0 || y->extra == 0 || x->extra == y->extra;
}

/* One pass of each, compared with each other; this also warms the page cache. */
static int verify(table *of) {
    outcome outs[ROWS_MOST];
    char name[2][128];
    int i, j;
    for (i = 0; i < of->count; ++i) {
        const row *a = &of->rows[i];
        outs[i] = run(of, a, 1);
        row_name(a, name[0], sizeof name[0]);
        if (outs[i].failed || (a->more >= MORE_TENSORS && outs[i].extra == 0)) {
            fprintf(stderr, "%s: %s failed, nothing is timed\n", of->path, name[0]);
            return 0;
        }
        if (a->c->by == ENGINE_LOADER && of->first.records == 0) {
            of->first = outs[i];
        }
        for (j = 0; j < i; ++j) {
            const row *b = &of->rows[j];
            if (a->c->by >= ENGINE_LOADER && b->c->by >= ENGINE_LOADER && !agree(a, &outs[i], b, &outs[j])) {
                row_name(b, name[1], sizeof name[1]);
                fprintf(stderr, "%s: %s and %s differ, nothing is timed\n", of->path, name[0], name[1]);
                return 0;
            }
        }
    }
    for (i = 0; i < of->count; ++i) {
        if (of->rows[i].c->by <= ENGINE_INFLATE && outs[i].text_bytes != of->first.text_bytes) {
            fprintf(stderr, "%s: %s gave another text, nothing is timed\n", of->path, of->rows[i].c->name);
            return 0;
        }
    }
    return 1;
}

/* Contenders take turns within each round. */
static int measure(table *of) {
    int round, i, count = bench_rounds();
    for (round = 0; round < count; ++round) {
        for (i = 0; i < of->count; ++i) {
            bench_time start = bench_now(), time;
            outcome out = run(of, &of->rows[i], 0);
            time = out.time.wall > 0 ? out.time : bench_since(start);
            if (out.failed) {
                return 0;
            }
            of->rows[i].wall[round] = time.wall;
            of->rows[i].cpu[round] = time.cpu;
        }
    }
    for (i = 0; i < of->count; ++i) { /* from here on the medians stand in [0] */
        of->rows[i].wall[0] = bench_median_of(of->rows[i].wall, count);
        of->rows[i].cpu[0] = bench_median_of(of->rows[i].cpu, count);
    }
    return 1;
}

/* ---- printing -------------------------------------------------------------------- */

/* The wall time of ours, 0 where there is none. */
static double wall_of(const table *of, uint32_t workers, biost_dtype dtype, int more, int inputs) {
    int i;
    for (i = 0; i < of->count; ++i) {
        const row *at = &of->rows[i];
        if (at->c->by == ENGINE_LOADER && at->c->workers == workers && at->dtype == dtype &&
            at->more == more && at->inputs == inputs) {
            return at->wall[0];
        }
    }
    return 0;
}

/* The wall time that column 1, 2 or 3 compares with. */
static double base_of(const table *of, int column, biost_dtype dtype) {
    double base = 0;
    int i;
    for (i = 0; i < of->count; ++i) {
        const row *at = &of->rows[i];
        if (at->c->column == column && (column == 1 || at->dtype == dtype)) {
            base = at->wall[0];
        }
    }
    return base;
}

static void print_ratio(double base, double wall) {
    if (base > 0) {
        printf(" %8.2f", base / wall);
    } else {
        printf(" %8s", "-");
    }
}

static void print_limits(const table *of) {
    int i;
    printf("  %-60s %8s %17s %9s %9s\n", "the text alone", "MB/s", "", "wall s", "CPU s");
    for (i = 0; i < of->count; ++i) {
        const row *at = &of->rows[i];
        if (at->c->by < ENGINE_MEMSET) {
            printf("  %-60s %8.0f %17s %9.4f %9.4f\n", at->c->name,
                   (double)of->first.text_bytes / 1e6 / at->wall[0], "", at->wall[0], at->cpu[0]);
        }
    }
}

/* Of text, that a row works on. */
static double megabytes(const table *of, const row *at) {
    return at->inputs * (double)of->first.text_bytes / 1e6;
}

static void print_row(const table *of, const row *at) {
    char name[128];
    row_name(at, name, sizeof name);
    printf("  %-60s %8.0f %8.0f", name, megabytes(of, at) / at->wall[0],
           at->inputs * (double)of->first.records / 1e3 / at->wall[0]);
}

static void print_fillers(const table *of) {
    int i, column;
    printf("  %-60s %8s %8s %8s %8s %8s %9s %9s\n", "batches", "MB/s", "krec/s", "/limit",
           of->kind == PLAIN ? "/htslib" : "/zlib", of->kind == PLAIN ? "/klib" : "/ISA-L", "wall s",
           "CPU s");
    for (i = 0; i < of->count; ++i) {
        const row *at = &of->rows[i];
        if (at->c->by < ENGINE_MEMSET || at->more != MORE_NOTHING || at->inputs > 1) {
            continue;
        }
        print_row(of, at);
        for (column = 1; column <= 3; ++column) {
            print_ratio(base_of(of, column, at->dtype), at->wall[0]);
        }
        printf(" %9.4f %9.4f\n", at->wall[0], at->cpu[0]);
    }
}

static void print_mores(const table *of) {
    int i;
    printf("  %-60s %8s %8s %8s %9s %9s\n", "batches with more", "MB/s", "krec/s", "/without", "wall s",
           "CPU s");
    for (i = 0; i < of->count; ++i) {
        const row *at = &of->rows[i];
        if (at->more == MORE_NOTHING && at->inputs == 1) {
            continue;
        }
        print_row(of, at);
        print_ratio(wall_of(of, at->c->workers, at->dtype, MORE_NOTHING, at->inputs), at->wall[0]);
        printf(" %9.4f %9.4f\n", at->wall[0], at->cpu[0]);
    }
}

/* The promises that are checked by people. */
static void print_floors(const table *of) {
    double limit = base_of(of, 1, BIOST_DTYPE_U8);
    if (of->kind == PLAIN) {
        printf("  floor: u8, 1 worker / read(2) %.2f, wanted 0.55\n",
               limit / wall_of(of, 1, BIOST_DTYPE_U8, MORE_NOTHING, 1));
    }
    if (of->kind == GZIP) {
        printf("  floor: f32, 2 workers / biost_stream with 1 %.2f, wanted 0.92\n",
               limit / wall_of(of, 2, BIOST_DTYPE_F32, MORE_NOTHING, 1));
    }
}

/* The table's rows for the file of results. */
static void write_rows(const table *of) {
    char name[128];
    int i;
    bench_tsv_file(of->name, of->first.records, of->first.bases, of->first.text_bytes);
    for (i = 0; i < of->count; ++i) {
        const row *at = &of->rows[i];
        bench_time time = {at->wall[0], at->cpu[0]};
        row_name(at, name, sizeof name);
        bench_tsv_row("pipe", of->name, name, megabytes(of, at) / at->wall[0], "MB/s", (int)at->c->workers,
                      time);
    }
}

static void print_table(const table *of) {
    static const char *const kinds[] = {"", "plain", "gzip", "", "BGZF"};
    printf("%s: %s, %.1f MB, %" PRIu64 " records, mean length %.1f, %.1f MB of text\n", of->name,
           kinds[of->kind], (double)of->file_bytes / 1e6, of->first.records,
           (double)of->first.bases / (double)of->first.records, (double)of->first.text_bytes / 1e6);
    print_limits(of);
    print_fillers(of);
    if (!of->splits) {
        print_mores(of);
        print_floors(of);
    }
    write_rows(of);
    printf("\n");
    fflush(stdout);
}

/* ---- memory ---------------------------------------------------------------------- */

static const char *program;

/* What a child tells. */
typedef struct peak {
    uint64_t kib, bound; /* of the process; of the loader, as biost_loader_memory says  */
    int failed;
} peak;

static const char *const memory_names[] = {"an empty program", "the zero desc",
                                           "the desc of f16, reverse complement"};
enum { MEMORIES = sizeof memory_names / sizeof memory_names[0] };

static biost_loader_desc memory_desc(int which, const char *const *path, int long_records) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.paths = path;
    desc.path_count = 1;
    if (long_records) {
        desc.long_records = which == 1 ? BIOST_LONG_HEAD : BIOST_LONG_SPLIT;
    }
    if (which == 2) {
        desc.batch_rows = ROWS;
        desc.row_bases = BASES;
        desc.encoding.dtype = BIOST_DTYPE_F16;
        desc.augment.reverse_complement = 0.5f;
        desc.seed = 42;
    }
    return desc;
}

/* Two epochs, so that the second begins while the first is taken. */
static int run_epochs(const biost_loader_desc *desc) {
    biost_loader *loader;
    biost_error error;
    biost_batch batch;
    biost_result result = BIOST_OK;
    uint64_t epoch;
    if (biost_loader_open(desc, &loader, &error) != BIOST_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 0;
    }
    for (epoch = 0; epoch < 2 && result >= 0; ++epoch) {
        result = biost_loader_begin(loader, epoch);
        while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
            sink = *(const unsigned char *)batch.x.data;
            biost_loader_release(loader, &batch);
        }
    }
    if (result < 0) {
        fprintf(stderr, "%s\n", biost_loader_error(loader)->text);
    }
    biost_loader_close(loader);
    return result >= 0;
}

/* The child's side: what was asked for, then its peak, in binary on standard output. */
static int be_child(const char *index, const char *path, const char *long_records) {
    int which = atoi(index);
    peak out;
    memset(&out, 0, sizeof out);
    if (which > 0) {
        biost_loader_desc desc = memory_desc(which, &path, long_records[0] == '1');
        out.bound = biost_loader_memory(&desc);
        out.failed = !run_epochs(&desc);
    }
    out.kib = child_own_peak_kib();
    return write(STDOUT_FILENO, &out, sizeof out) == (ssize_t)sizeof out ? 0 : 1;
}

static int measure_memory(const char *path, int long_records) {
    const char *arguments[] = {program, "--child", NULL, path, long_records ? "1" : "0", NULL};
    const char *slash = strrchr(path, '/');
    char index[16];
    double empty = 0, mib;
    bench_time time;
    peak got;
    int which;
    for (which = 0; which < MEMORIES; ++which) {
        snprintf(index, sizeof index, "%d", which);
        arguments[2] = index;
        memset(&got, 0, sizeof got);
        if (!child_run(arguments, &got, sizeof got, &time, &mib) || got.failed) {
            fprintf(stderr, "%s: %s failed\n", path, memory_names[which]);
            return 0;
        }
        mib = got.kib > 0 ? (double)got.kib / 1024 : mib;
        if (which == 0) {
            empty = mib;
            continue;
        }
        printf("  %-30s %-40s %9.1f %9.1f%s\n", slash != NULL ? slash + 1 : path, memory_names[which],
               mib - empty, (double)got.bound / 1048576, mib - empty < 64 ? "" : "  over the floor");
        time.wall = 0;
        bench_tsv_row("pipe-peak", slash != NULL ? slash + 1 : path, memory_names[which], mib - empty, "MiB",
                      0, time);
        bench_tsv_row("pipe-bound", slash != NULL ? slash + 1 : path, memory_names[which],
                      (double)got.bound / 1048576, "MiB", 0, time);
        fflush(stdout);
    }
    return 1;
}

/* ---- tables ---------------------------------------------------------------------- */

/* By the first bytes: gzip's magic number, and BGZF's extra field "BC". */
static int kind_of(const char *path, uint64_t *out_bytes) {
    unsigned char head[18] = {0};
    FILE *file = fopen(path, "rb");
    size_t got = file != NULL ? fread(head, 1, sizeof head, file) : 0;
    *out_bytes = 0;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        *out_bytes = (uint64_t)ftell(file);
    }
    if (file != NULL) {
        fclose(file);
    }
    if (got < 2 || head[0] != 0x1F || head[1] != 0x8B) {
        return PLAIN;
    }
    return (head[3] & 4) && head[12] == 'B' && head[13] == 'C' ? BGZF : GZIP;
}

static void add_row(table *of, const contender *c, biost_dtype dtype, int more, int inputs) {
    row *to = &of->rows[of->count];
    if (of->count < ROWS_MOST && is_there(c, of->kind)) {
        to->c = c;
        to->dtype = dtype;
        to->more = more;
        to->inputs = inputs;
        to->splits = of->splits;
        of->count += 1;
    }
}

/* A few rows of ours, u8, where the file is gzip. */
static void add_aheads(table *of) {
    int i;
    for (i = 0; i < AHEADS; ++i) {
        add_row(of, &aheads[i], BIOST_DTYPE_U8, MORE_NOTHING, 1);
    }
}

static void begin_table(table *of, const char *path, int splits) {
    const char *slash = strrchr(path, '/');
    int i, d;
    memset(of, 0, sizeof *of);
    of->path = path;
    of->name = slash != NULL ? slash + 1 : path;
    of->kind = kind_of(path, &of->file_bytes);
    of->splits = splits;
    for (i = 0; i < LIMITS; ++i) {
        add_row(of, &limits[i], BIOST_DTYPE_U8, MORE_NOTHING, 1);
    }
    if (splits) {
        add_row(of, &fillers[1], BIOST_DTYPE_U8, MORE_NOTHING, 1);
        add_row(of, &fillers[2], BIOST_DTYPE_U8, MORE_NOTHING, 1);
        add_aheads(of);
        return;
    }
    for (d = 0; d < DTYPES; ++d) {
        for (i = 0; i < FILLERS; ++i) {
            add_row(of, &fillers[i], dtypes[d], MORE_NOTHING, 1);
        }
    }
    for (i = MORE_NOTHING + 1; i < MORES; ++i) {
        add_row(of, &fillers[1], BIOST_DTYPE_U8, i, 1);
        add_row(of, &fillers[2], BIOST_DTYPE_F32, i, 1);
    }
    for (i = MORE_NOTHING; i < MORES && of->kind == GZIP; ++i) {
        add_row(of, &fillers[2], BIOST_DTYPE_F32, i, INPUTS);
    }
    add_aheads(of);
}

static int measure_file(const char *path, int splits) {
    static table of;
    begin_table(&of, path, splits);
    if (!verify(&of) || !measure(&of)) {
        return 0;
    }
    print_table(&of);
    return 1;
}

static void print_conditions(void) {
    bench_conditions();
    printf("ours       %s\n", biost_features().text);
    kseq_print_peers();
    printf("batches    %d rows x %d bases x %d, one-hot NLC, padding 0, digest off, %d slots\n", ROWS, BASES,
           CHANNELS, SLOTS);
    printf("timing     open to close, median of %d alternating rounds, page cache warm, CPU of all"
           " threads;\n           1 MB is 10^6 bytes of text; limit is read(2), or biost_stream"
           " with 1 worker\n\n",
           bench_rounds());
    fflush(stdout);
}

int main(int argc, char **argv) {
    int i, splits = 0, long_records = 0, good = bench_tsv_open(&argc, argv);
    program = argv[0];
    if (argc == 5 && strcmp(argv[1], "--child") == 0) {
        return be_child(argv[2], argv[3], argv[4]);
    }
    if (argc < 2) {
        fprintf(stderr, "usage: bench_loader [--tsv FILE] [FILE... [--ahead FILE...] [--memory FILE...]]\n");
        return 2;
    }
    print_conditions();
    for (i = 1; i < argc && good && strcmp(argv[i], "--memory") != 0; ++i) {
        if (strcmp(argv[i], "--ahead") == 0) {
            splits = 1;
        } else {
            good = measure_file(argv[i], splits);
        }
    }
    printf("peak memory of a process over an empty one, workers by default, two epochs;"
           " floor: under 64 MiB\n");
    printf("  %-30s %-40s %9s %9s\n", "", "", "MiB", "bound MiB");
    for (i = 1; i < argc && good; ++i) {
        if (strcmp(argv[i], "--memory") == 0) {
            long_records = 1;
        } else if (strcmp(argv[i], "--ahead") == 0) {
            while (i + 1 < argc && strcmp(argv[i + 1], "--memory") != 0) {
                ++i; /* their memory is not measured */
            }
        } else {
            good = measure_memory(argv[i], long_records);
        }
    }
    return good ? 0 : 1;
}

#else

int main(void) {
    printf("skipped: bench_loader (needs POSIX)\n");
    return 0;
}

#endif
