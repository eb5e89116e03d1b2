/*
 * instructions.c - the jobs whose instructions tests/instructions.sh counts, each a function job_NAME: what bytes, records,
 * batches and stores cost on small fixed inputs, by one worker. What comes before a job, as reading and making its input,
 * is not counted.
 *
 *   instructions [JOB]...   run these, or all; a line with each job's name and what it gave
 *   instructions cpu        the processor's features, BIOST_CPU_*, and those that the jobs use
 *
 * Nothing here may depend on the machine: features beyond AVX2 are hidden, no way is chosen by a measured time, and
 * nothing is drawn. It is linked with the library as it is shipped (make lib).
 */
#include "../biostream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    USED = BIOST_CPU_SSE2 | BIOST_CPU_PCLMUL | BIOST_CPU_BMI2 | BIOST_CPU_AVX2,
    HIDDEN = BIOST_CPU_AVX512 | BIOST_CPU_AVX512_VBMI | BIOST_CPU_VPCLMUL,
    SHORT_RECORDS = 6000,
    LONG_BASES = 1000000, /* of a sequence over many lines */
    TEXT_BYTES = 900000,  /* of FASTQ where the whole file would take too long */
    FETCHES = 4000,
    OPENS = 20
};

static const char *const reads_path = "examples/data/illumina_hiseqx_150bp.fastq.gz";
static const char *const reads_bgzf_path = "examples/data/illumina_hiseqx_150bp.bgzf.fastq.gz";
static const char *const genome_path = "examples/data/ecoli_536_genome.fasta.gz";
static const char *const genome_bgzf_path = "examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz";

/* What the running job works on; made by its `make` before it, and given back after it. */
static struct {
    char *source; /* [source_bytes] */
    size_t source_bytes;
    char *text; /* [text_bytes] */
    size_t text_bytes;
    biost_store *store;
} given;

static void fail(const char *what, const char *sentence) {
    fprintf(stderr, "instructions: %s: %s\n", what, sentence);
    exit(1);
}

static void *more(void *from, size_t bytes) {
    void *to = realloc(from, bytes);
    if (to == NULL) {
        fail("memory", "none is left");
    }
    return to;
}

/* -- inputs ---------------------------------------------------------------------------------------- */

static void read_source(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail(path, "cannot be opened; run this in the repository's root");
    }
    given.source = (char *)more(NULL, 4u << 20);
    given.source_bytes = fread(given.source, 1, 4u << 20, file);
    fclose(file);
    given.text_bytes = 6u << 20;
    given.text = (char *)more(NULL, given.text_bytes);
}

static void inflate_source(void) {
    biost_error error;
    if (biost_inflate(given.source, given.source_bytes, given.text, given.text_bytes, &given.text_bytes,
                      &error) != BIOST_OK) {
        fail("inflate", error.text);
    }
}

static void make_reads(void) {
    read_source(reads_path);
}

static void make_reads_bgzf(void) {
    read_source(reads_bgzf_path);
}

static void make_genome(void) {
    read_source(genome_path);
}

static void make_genome_bgzf(void) {
    read_source(genome_bgzf_path);
}

/* Whole records of the reads, TEXT_BYTES at most. */
static void make_fastq(void) {
    size_t at, end = 0, lines = 0;
    read_source(reads_path);
    inflate_source();
    for (at = 0; at < TEXT_BYTES; ++at) {
        lines += given.text[at] == '\n';
        end = given.text[at] == '\n' && lines % 4 == 0 ? at + 1 : end;
    }
    given.text_bytes = end;
}

static void make_fasta(void) {
    read_source(genome_bgzf_path);
    inflate_source();
}

/* The next number of a plain generator: bases and lengths of texts that no file has. */
static uint32_t draw(uint32_t *state, uint32_t below) {
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*state * below >> 32);
}

static char *put_bases(char *to, uint32_t *state, uint32_t bases, uint32_t columns) {
    uint32_t i;
    for (i = 0; i < bases; ++i) {
        *to++ = "ACGT"[draw(state, 4)];
        if ((i + 1) % columns == 0 || i + 1 == bases) {
            *to++ = '\n';
        }
    }
    return to;
}

/* FASTA of many short records, one line each, as reads or primers are kept. */
static void make_short_fasta(void) {
    uint32_t i, state = 1;
    char *to = given.text = (char *)more(NULL, SHORT_RECORDS * 160u);
    for (i = 0; i < SHORT_RECORDS; ++i) {
        to += sprintf(to, ">short_%u of %u\n", (unsigned)i, (unsigned)SHORT_RECORDS);
        to = put_bases(to, &state, 60 + draw(&state, 61), 200);
    }
    given.text_bytes = (size_t)(to - given.text);
}

/* FASTQ whose records take several lines: the general parser's. */
static void make_folded_fastq(void) {
    uint32_t i, line, state = 1;
    char *to = given.text = (char *)more(NULL, 2000u * 400u);
    for (i = 0; i < 2000; ++i) {
        to += sprintf(to, "@folded_%u\n", (unsigned)i);
        to = put_bases(to, &state, 150, 60);
        to += sprintf(to, "+\n");
        for (line = 0; line < 150; line += 60) {
            memset(to, 'F', 60);
            to += line < 120 ? 60 : 30;
            *to++ = '\n';
        }
    }
    given.text_bytes = (size_t)(to - given.text);
}

/* A desc's one input: the text that was made. */
static biost_memory text_memory(void) {
    biost_memory memory = {NULL, 0, "text"};
    memory.data = given.text;
    memory.bytes = given.text_bytes;
    return memory;
}

static biost_store *build(const biost_memory *memory, int qualities) {
    biost_store_desc desc;
    biost_store *store;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    desc.memories = memory;
    desc.memory_count = 1;
    desc.qualities = qualities;
    desc.test.cpu_hidden = HIDDEN;
    if (biost_store_build(&desc, &store, &error) != BIOST_OK) {
        fail("store", error.text);
    }
    return store;
}

static void make_store(void) {
    biost_memory memory;
    make_fasta();
    memory = text_memory();
    given.store = build(&memory, 0);
}

static void make_store_of_reads(void) {
    biost_memory memory;
    make_fastq();
    memory = text_memory();
    given.store = build(&memory, 1);
}

/* -- bytes, streams, records ----------------------------------------------------------------------- */

/* Jobs are functions of their own, and called from outside: by their names their instructions are told apart. */
#define JOB __attribute__((noinline)) static uint64_t

JOB job_inflate_reads(void) {
    inflate_source();
    return given.text_bytes;
}

JOB job_inflate_reads_bgzf(void) {
    inflate_source();
    return given.text_bytes;
}

JOB job_inflate_genome(void) {
    inflate_source();
    return given.text_bytes;
}

JOB job_inflate_genome_bgzf(void) {
    inflate_source();
    return given.text_bytes;
}

static uint64_t run_stream(biost_parallel_gzip parallel_gzip) {
    biost_stream_desc desc;
    biost_stream *stream;
    biost_error error;
    biost_page page;
    uint64_t bytes = 0;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = given.source;
    desc.memory.bytes = given.source_bytes;
    desc.test.cpu_hidden = HIDDEN;
    desc.test.block_ways = 3;
    desc.test.parallel_gzip = parallel_gzip;
    if (biost_stream_open(&desc, &stream, &error) != BIOST_OK) {
        fail("stream", error.text);
    }
    while (biost_stream_next_page(stream, &page) == BIOST_OK) {
        bytes += page.text_bytes;
    }
    biost_stream_close(stream);
    return bytes;
}

JOB job_stream_gzip(void) {
    return run_stream(BIOST_PARALLEL_GZIP_NEVER);
}

JOB job_stream_gzip_ahead(void) {
    return run_stream(BIOST_PARALLEL_GZIP_ALWAYS);
}

JOB job_stream_bgzf(void) {
    return run_stream(BIOST_PARALLEL_GZIP_NEVER);
}

static biost_reader *open_reader(int stats) {
    biost_reader_desc desc;
    biost_reader *reader;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    desc.memory = text_memory();
    desc.stats = stats;
    desc.test.cpu_hidden = HIDDEN;
    if (biost_reader_open(&desc, &reader, &error) != BIOST_OK) {
        fail("reader", error.text);
    }
    return reader;
}

static uint64_t run_reader(int stats) {
    biost_reader *reader = open_reader(stats);
    biost_record record;
    uint64_t bases = 0;
    while (biost_reader_next(reader, &record) == BIOST_OK) {
        bases += record.seq_bases;
    }
    biost_reader_close(reader);
    return bases;
}

JOB job_records_fastq(void) {
    return run_reader(0);
}

JOB job_records_fastq_stats(void) {
    return run_reader(1);
}

JOB job_records_fastq_folded(void) {
    return run_reader(0);
}

JOB job_records_fasta(void) {
    return run_reader(0);
}

JOB job_records_fasta_short(void) {
    return run_reader(0);
}

JOB job_pages_fastq(void) {
    biost_reader *reader = open_reader(0);
    biost_record_page page;
    uint64_t records = 0;
    while (biost_reader_next_page(reader, &page) == BIOST_OK) {
        records += page.row_count;
        (void)biost_reader_release_page(reader, &page);
    }
    biost_reader_close(reader);
    return records;
}

JOB job_pack_bases(void) {
    uint8_t packed[64], mask[32];
    uint64_t sum = 0;
    size_t at;
    for (at = 0; at + 150 <= given.text_bytes; at += 150) {
        biost_pack_bases(USED, given.text + at, 150, packed, mask);
        sum += packed[at % 37] + mask[at % 18];
    }
    return sum;
}

/* -- loaders --------------------------------------------------------------------------------------- */

static biost_loader_desc bare(void) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.workers = 1;
    desc.epochs = 1;
    desc.row_bases = 150;
    desc.test.cpu_hidden = HIDDEN;
    desc.test.block_ways = 3;
    return desc;
}

static biost_loader *open_loader(const biost_loader_desc *desc) {
    biost_loader *loader;
    biost_error error;
    if (biost_loader_open(desc, &loader, &error) != BIOST_OK) {
        fail("loader", error.text);
    }
    return loader;
}

/* One epoch; the sum of its digests, or of its rows where there are none. */
static uint64_t run_loader(const biost_loader_desc *desc) {
    biost_loader *loader = open_loader(desc);
    biost_batch batch;
    uint64_t sum = 0;
    biost_result result = biost_loader_begin(loader, 0);
    while (result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        sum += desc->digest ? batch.digest : batch.valid_rows;
        (void)biost_loader_release(loader, &batch);
    }
    if (result != BIOST_END) {
        fail("loader", biost_loader_error(loader)->text);
    }
    biost_loader_close(loader);
    return sum;
}

static uint64_t run_over_text(biost_loader_desc *desc) {
    biost_memory memory = text_memory();
    desc->memories = &memory;
    desc->memory_count = 1;
    return run_loader(desc);
}

JOB job_loader_bare(void) {
    biost_loader_desc desc = bare();
    return run_over_text(&desc);
}

JOB job_loader_all_on(void) {
    biost_loader_desc desc = bare();
    desc.row_bases = 128;
    desc.encoding.dtype = BIOST_DTYPE_F32;
    desc.quality.kind = BIOST_QUALITY_PHRED;
    desc.quality.dtype = BIOST_DTYPE_F32;
    desc.mask = 1;
    desc.names = 1;
    desc.digest = 1;
    desc.shuffle_rows = 1024;
    desc.seed = 5;
    desc.filter.min_mean_quality = 20;
    desc.filter.max_n_fraction = 0.1f;
    desc.augment.crop_bases = 100;
    desc.augment.reverse_complement = 0.5f;
    desc.augment.substitute = 0.01f;
    desc.augment.inject_n = 0.01f;
    desc.split.by = BIOST_SPLIT_NAME;
    desc.split.below = 0.9f;
    return run_over_text(&desc);
}

JOB job_loader_shuffled(void) {
    biost_loader_desc desc = bare();
    desc.shuffle_rows = 2048;
    desc.seed = 5;
    return run_over_text(&desc);
}

JOB job_loader_tokens(void) {
    biost_loader_desc desc = bare();
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.encoding.dtype = BIOST_DTYPE_I32;
    desc.augment.reverse_complement = 0.5f;
    return run_over_text(&desc);
}

JOB job_loader_bgzf(void) {
    biost_loader_desc desc = bare();
    desc.paths = &reads_bgzf_path;
    desc.path_count = 1;
    return run_loader(&desc);
}

JOB job_loader_gzip(void) {
    biost_loader_desc desc = bare();
    desc.paths = &reads_path;
    desc.path_count = 1;
    return run_loader(&desc);
}

JOB job_loader_fasta_short(void) {
    biost_loader_desc desc = bare();
    return run_over_text(&desc);
}

JOB job_loader_fasta_pieces(void) {
    biost_loader_desc desc = bare();
    desc.row_bases = 1000;
    desc.split_stride = 500;
    desc.long_records = BIOST_LONG_SPLIT;
    return run_over_text(&desc);
}

/* Three groups of unequal weights over one text, each until all of it was seen. */
JOB job_loader_groups(void) {
    biost_loader_desc desc = bare();
    biost_memory memories[3];
    biost_group groups[3];
    uint32_t i;
    memset(groups, 0, sizeof groups);
    for (i = 0; i < 3; ++i) {
        memories[i] = text_memory();
        groups[i].first_input = i;
        groups[i].input_count = 1;
        groups[i].weight = i + 1;
    }
    desc.memories = memories;
    desc.memory_count = 3;
    desc.groups = groups;
    desc.group_count = 3;
    desc.epoch_end = BIOST_EPOCH_END_FIRST;
    desc.allow_unseen = 1;
    desc.shuffle_rows = 512;
    return run_loader(&desc);
}

JOB job_loader_open(void) {
    biost_loader_desc desc = bare();
    uint64_t rows = 0;
    uint32_t i;
    desc.paths = &reads_bgzf_path;
    desc.path_count = 1;
    for (i = 0; i < OPENS; ++i) {
        biost_loader *loader = open_loader(&desc);
        rows += biost_loader_first_epoch(loader) + 1;
        biost_loader_close(loader);
    }
    return rows;
}

/* -- stores ---------------------------------------------------------------------------------------- */

static uint64_t run_build(int qualities) {
    biost_memory memory = text_memory();
    biost_store_info info;
    given.store = build(&memory, qualities);
    biost_store_info_of(given.store, &info);
    return info.base_count;
}

JOB job_store_build_fasta(void) {
    return run_build(0);
}

JOB job_store_build_fastq(void) {
    return run_build(1);
}

JOB job_store_fetch(void) {
    char seq[500];
    uint64_t sum = 0, start;
    uint32_t i, state = 1;
    for (i = 0; i < FETCHES; ++i) {
        start = draw(&state, 900000);
        if (biost_store_fetch(given.store, 1, start, start + sizeof seq, seq, NULL) != BIOST_OK) {
            fail("store", "bases could not be fetched");
        }
        sum += (unsigned char)seq[i % sizeof seq];
    }
    return sum;
}

JOB job_store_rows(void) {
    biost_loader_desc desc = bare();
    desc.store = given.store;
    desc.order = BIOST_ORDER_EXACT;
    desc.quality.kind = BIOST_QUALITY_PHRED;
    return run_loader(&desc);
}

JOB job_store_grid(void) {
    biost_loader_desc desc = bare();
    desc.store = given.store;
    desc.order = BIOST_ORDER_EXACT;
    desc.row_bases = 1000;
    desc.regions.kind = BIOST_REGIONS_GRID;
    desc.regions.stride = 500;
    desc.regions.strands = BIOST_STRANDS_BOTH;
    desc.regions.max_other_fraction = 0.1f;
    return run_loader(&desc);
}

JOB job_store_intervals(void) {
    static biost_interval intervals[FETCHES];
    biost_loader_desc desc = bare();
    uint32_t i, state = 1;
    for (i = 0; i < FETCHES; ++i) {
        intervals[i].sequence = 1;
        intervals[i].start = (int64_t)draw(&state, 900000);
        intervals[i].end = intervals[i].start + 300;
        intervals[i].strand = i % 2;
    }
    desc.store = given.store;
    desc.row_bases = 500;
    desc.regions.kind = BIOST_REGIONS_INTERVALS;
    desc.regions.intervals = intervals;
    desc.regions.interval_count = FETCHES;
    desc.regions.fit = BIOST_FIT_CENTER;
    desc.regions.jitter = 16;
    return run_loader(&desc);
}

/* -- the list -------------------------------------------------------------------------------------- */

static void make_nothing(void) {
}

/* clang-format off */
static const struct {
    const char *name;
    void (*make)(void);
    uint64_t (*run)(void);
} jobs[] = {
    {"inflate_reads", make_reads, job_inflate_reads},
    {"inflate_reads_bgzf", make_reads_bgzf, job_inflate_reads_bgzf},
    {"inflate_genome", make_genome, job_inflate_genome},
    {"inflate_genome_bgzf", make_genome_bgzf, job_inflate_genome_bgzf},
    {"stream_gzip", make_reads, job_stream_gzip},
    {"stream_gzip_ahead", make_reads, job_stream_gzip_ahead},
    {"stream_bgzf", make_reads_bgzf, job_stream_bgzf},
    {"records_fastq", make_fastq, job_records_fastq},
    {"records_fastq_stats", make_fastq, job_records_fastq_stats},
    {"records_fastq_folded", make_folded_fastq, job_records_fastq_folded},
    {"records_fasta", make_fasta, job_records_fasta},
    {"records_fasta_short", make_short_fasta, job_records_fasta_short},
    {"pages_fastq", make_fastq, job_pages_fastq},
    {"pack_bases", make_fasta, job_pack_bases},
    {"loader_bare", make_fastq, job_loader_bare},
    {"loader_all_on", make_fastq, job_loader_all_on},
    {"loader_shuffled", make_fastq, job_loader_shuffled},
    {"loader_tokens", make_fastq, job_loader_tokens},
    {"loader_bgzf", make_nothing, job_loader_bgzf},
    {"loader_gzip", make_nothing, job_loader_gzip},
    {"loader_fasta_short", make_short_fasta, job_loader_fasta_short},
    {"loader_fasta_pieces", make_fasta, job_loader_fasta_pieces},
    {"loader_groups", make_fastq, job_loader_groups},
    {"loader_open", make_nothing, job_loader_open},
    {"store_build_fasta", make_fasta, job_store_build_fasta},
    {"store_build_fastq", make_fastq, job_store_build_fastq},
    {"store_fetch", make_store, job_store_fetch},
    {"store_rows", make_store_of_reads, job_store_rows},
    {"store_grid", make_store, job_store_grid},
    {"store_intervals", make_store, job_store_intervals},
};
/* clang-format on */

/* Nothing; where it is called the counts of the job before it are written out. */
__attribute__((noinline)) static void over(void) {
    __asm__ volatile("");
}

/* Whether argv names the job; no argument names all. */
static int is_named(const char *name, int argc, char **argv) {
    int i, named = argc == 1;
    for (i = 1; i < argc; ++i) {
        named |= strcmp(argv[i], name) == 0;
    }
    return named;
}

int main(int argc, char **argv) {
    size_t i;
    if (argc > 1 && strcmp(argv[1], "cpu") == 0) {
        printf("%u %u\n", (unsigned)biost_cpu(), (unsigned)USED);
        return 0;
    }
    for (i = 0; i < sizeof jobs / sizeof jobs[0]; ++i) {
        if (is_named(jobs[i].name, argc, argv)) {
            memset(&given, 0, sizeof given);
            jobs[i].make();
            printf("%s %llu\n", jobs[i].name, (unsigned long long)jobs[i].run());
            over();
            (void)biost_store_close(given.store, NULL);
            free(given.source);
            free(given.text);
        }
    }
    return 0;
}
