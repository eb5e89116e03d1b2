/*
 * bench_kernels - rows of 150 bases through every kernel this processor has, beside its scalar twin and
 * the memory's own speed.
 *
 *   build/bench/bench_kernels [--tsv] [TEXT]      only cases whose name contains TEXT
 *
 * 64 rows, written to the same memory again and again, so that all lies in the second-level cache, as the
 * pages and batches of a loader should. The limit where there is one is memset, by the C library, of the
 * bytes that a kernel writes, all rows in one call. Contenders take turns; of many short rounds the
 * fastest counts. Outputs are compared with the scalar twin's before anything is timed.
 *
 * --tsv prints stage, case, contender, value, unit, ratio, to, target, tab-separated, after a header line.
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"
#include "bench.h"

#define NO_TOKENS {0, 0, "", 0, 0, 0}, 0, 0, 0, 0 /* encoding.kmers, begin and end */

enum { ROWS = 64, BASES = 150, ROOM_BYTES = ROWS * BASES * 16, SETS_MOST = 6, ROUNDS = 3000 };

/* What a case works on and with. */
typedef struct work {
    uint8_t seq[ROWS * BASES + 64], qual[ROWS * BASES + 64]; /* letters with 1 N in 500; Phred 2..40 */
    uint8_t other[ROOM_BYTES];                               /* a second input or output             */
    uint8_t out[ROOM_BYTES] __attribute__((aligned(64)));    /* as the rows of a batch are           */
    size_t out_bytes;
    biost_encoding encoding;
    biost_encoder encoder;
    bsi_augment augment;
    bsi_augment_keys keys;
    bsi_check_kernels check;
    bsi_pack_kernels pack;
    biost_kmers kmers;
    uint32_t cpu;
    int64_t next_id; /* of a row to be changed at random */
    uint64_t sum;
} work;

typedef void (*any_call)(void);

/* A case: `make` readies it for a mask and returns the kernel picked; `run` does all rows once. */
typedef struct bench_case {
    const char *name;
    any_call (*make)(work *w, uint32_t cpu);
    void (*run)(work *w);
    biost_encoding encoding; /* of rows of numbers */
    const char *to;          /* what the target is a multiple of: "scalar" or "memset" */
    double target;
} bench_case;

/* ---- the cases ---- */

static any_call make_rows(work *w, uint32_t cpu) {
    w->encoding.channels = w->encoding.kind == BIOST_ENCODE_ONEHOT ? "ACGT" : NULL;
    bsi_encode_begin(&w->encoder, &w->encoding);
    bsi_kernels_encode(&w->encoder, cpu);
    w->out_bytes = (size_t)biost_encoder_row_bytes(&w->encoder, BASES) * ROWS;
    return (any_call)w->encoder.row;
}

static void run_rows(work *w) {
    size_t row_bytes = w->out_bytes / ROWS;
    for (size_t i = 0; i < ROWS; i++) {
        bsi_encode_row(&w->encoder, w->seq + i * BASES, BASES, w->out + i * row_bytes, BASES);
    }
}

static any_call make_augment(work *w, uint32_t cpu) {
    biost_augment wish;
    memset(&wish, 0, sizeof wish);
    wish.substitute = 0.01f;
    bsi_augment_begin(&w->augment, &wish);
    bsi_augment_make_keys(&w->keys, 1, 0, 0);
    bsi_kernels_augment(&w->augment, cpu);
    memcpy(w->out, w->seq, sizeof w->seq);
    w->out_bytes = ROWS * BASES;
    return (any_call)w->augment.reverse;
}

static void run_reverse(work *w) {
    for (size_t i = 0; i < ROWS; i++) {
        w->augment.reverse(w->out + i * BASES, NULL, BASES);
    }
}

/*
 * Substitution at 1 %: the same words whatever the mask; the twin draws once for each base. Each row has a
 * number of its own: of few rows over and over the processor would learn the branches by heart.
 */
static any_call make_substitute(work *w, uint32_t cpu) {
    (void)make_augment(w, cpu);
    w->cpu = cpu;
    return cpu == 0 ? (any_call)bsi_rng_next : (any_call)bsi_augment_substitute;
}

static void run_substitute(work *w) {
    bsi_rng rng;
    for (size_t i = 0; i < ROWS; i++) {
        uint8_t *row = w->out + i * BASES;
        bsi_rng_begin(&rng, w->keys.substitute, w->next_id++, 0);
        if (w->cpu != 0) {
            bsi_augment_substitute(&w->augment.substitute, &rng, row, BASES);
            continue;
        }
        for (size_t k = 0; k < BASES; k++) {
            if (bsi_rng_next(&rng) < w->augment.substitute.threshold) {
                row[k] = bsi_augment_other_base(row[k], bsi_rng_next(&rng));
            }
        }
    }
}

static any_call make_pack(work *w, uint32_t cpu) {
    bsi_kernels_pack(&w->pack, cpu);
    w->out_bytes = ROWS * 64;
    return (any_call)w->pack.pack;
}

static void run_pack(work *w) {
    for (size_t i = 0; i < ROWS; i++) {
        w->pack.pack(w->seq + i * BASES, BASES, w->out + i * 64, NULL);
    }
}

static void run_pack_mask(work *w) {
    for (size_t i = 0; i < ROWS; i++) {
        w->pack.pack(w->seq + i * BASES, BASES, w->out + i * 64, w->out + i * 64 + 40);
    }
}

static any_call make_unpack(work *w, uint32_t cpu) {
    bsi_kernels_pack(&w->pack, 0);
    for (size_t i = 0; i < ROWS; i++) {
        w->pack.pack(w->seq + i * BASES, BASES, w->other + i * 64, w->other + i * 64 + 40);
    }
    bsi_kernels_pack(&w->pack, cpu);
    w->out_bytes = ROWS * BASES;
    return (any_call)w->pack.unpack;
}

static void run_unpack(work *w) {
    for (size_t i = 0; i < ROWS; i++) {
        w->pack.unpack(w->other + i * 64, w->other + i * 64 + 40, BASES, w->out + i * BASES);
    }
}

static any_call make_kmers(work *w, uint32_t cpu, uint32_t k, biost_dtype dtype) {
    memset(&w->kmers, 0, sizeof w->kmers);
    w->kmers.k = k;
    w->kmers.stride = 1;
    w->kmers.dtype = dtype;
    w->kmers.first_id = 1;
    bsi_kernels_pack(&w->pack, cpu);
    w->out_bytes = ROWS * BASES * (dtype == BIOST_DTYPE_U16 ? 2 : 4);
    return (any_call)w->pack.kmers;
}

static any_call make_kmers_6(work *w, uint32_t cpu) {
    return make_kmers(w, cpu, 6, BIOST_DTYPE_U16);
}

static any_call make_kmers_12(work *w, uint32_t cpu) {
    return make_kmers(w, cpu, 12, BIOST_DTYPE_I32);
}

static void run_kmers(work *w) {
    for (size_t i = 0; i < ROWS; i++) {
        w->pack.kmers(&w->kmers, bsi_lines_codes, w->seq + i * BASES, BASES,
                      w->out + i * (w->out_bytes / ROWS));
    }
}

static any_call make_stats(work *w, uint32_t cpu) {
    bsi_kernels_check(&w->check, cpu);
    w->out_bytes = ROWS * sizeof(biost_stats);
    return (any_call)w->check.spans_stats;
}

static void run_stats(work *w) {
    biost_stats *out = (biost_stats *)(void *)w->out;
    for (size_t i = 0; i < ROWS; i++) {
        w->sum += (uint64_t)w->check.spans_stats(w->seq + i * BASES, w->qual + i * BASES, BASES, 33, out + i);
    }
}

#define ONE_HOT(dtype, layout)                                                                       \
    {                                                                                                \
        BIOST_ENCODE_ONEHOT, BIOST_DTYPE_##dtype, BIOST_LAYOUT_##layout, NULL, BIOST_AMBIGUOUS_ZERO, \
            BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS                               \
    }
#define TOKENS(dtype)                                                                           \
    {                                                                                           \
        BIOST_ENCODE_TOKENS, BIOST_DTYPE_##dtype, BIOST_LAYOUT_NLC, NULL, BIOST_AMBIGUOUS_ZERO, \
            BIOST_LOWER_CASE_FOLD, NULL, 0, BIOST_PAD_RIGHT, NO_TOKENS                          \
    }
#define NO_ENCODING ONE_HOT(U8, NLC)

static const bench_case cases[] = {
    {"one-hot f32", make_rows, run_rows, ONE_HOT(F32, NLC), "memset", 0.85},
    {"one-hot bf16", make_rows, run_rows, ONE_HOT(BF16, NLC), "memset", 0.85},
    {"one-hot f16", make_rows, run_rows, ONE_HOT(F16, NLC), "memset", 0.85},
    {"one-hot u8", make_rows, run_rows, ONE_HOT(U8, NLC), "scalar", 2},
    {"one-hot u8 NCL", make_rows, run_rows, ONE_HOT(U8, NCL), "scalar", 2},
    {"one-hot f32 NCL", make_rows, run_rows, ONE_HOT(F32, NCL), "scalar", 2},
    {"tokens u8", make_rows, run_rows, TOKENS(U8), "scalar", 4},
    {"tokens i32", make_rows, run_rows, TOKENS(I32), "scalar", 0},
    {"tokens i64", make_rows, run_rows, TOKENS(I64), "scalar", 0},
    {"reverse complement", make_augment, run_reverse, NO_ENCODING, "scalar", 5},
    {"2-bit pack", make_pack, run_pack, NO_ENCODING, "scalar", 8},
    {"2-bit pack and mask", make_pack, run_pack_mask, NO_ENCODING, "scalar", 0},
    {"2-bit unpack", make_unpack, run_unpack, NO_ENCODING, "scalar", 0},
    {"6-mers u16", make_kmers_6, run_kmers, NO_ENCODING, "scalar", 3},
    {"12-mers i32", make_kmers_12, run_kmers, NO_ENCODING, "scalar", 0},
    {"substitution 1 %", make_substitute, run_substitute, NO_ENCODING, "a draw a base", 8},
    {"statistics of records", make_stats, run_stats, NO_ENCODING, "scalar", 2.5},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* ---- contenders ---- */

/* A set of kernels: those of a mask. */
typedef struct kernel_set {
    const char *name;
    uint32_t cpu;
} kernel_set;

static const kernel_set known[] = {
    {"scalar", 0},
    {"SSE2", BIOST_CPU_SSE2},
    {"AVX2", BIOST_CPU_SSE2 | BIOST_CPU_BMI2 | BIOST_CPU_AVX2},
    {"AVX-512", BIOST_CPU_SSE2 | BIOST_CPU_BMI2 | BIOST_CPU_AVX2 | BIOST_CPU_AVX512 | BIOST_CPU_AVX512_VBMI},
    {"NEON", BIOST_CPU_NEON},
};

/* Of a case: the sets that pick different kernels, and their fastest round, in seconds. */
typedef struct contest {
    const char *names[SETS_MOST];
    uint32_t cpus[SETS_MOST];
    double best[SETS_MOST], memset_best;
    size_t count, written;
} contest;

static int add_contenders(const bench_case *c, work *w, contest *found) {
    uint32_t features = biost_cpu();
    uint64_t expected = 0;
    any_call last = NULL;
    memset(found, 0, sizeof *found);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        any_call call;
        uint64_t hash;
        if ((known[i].cpu & ~features) != 0) {
            continue;
        }
        memset(w->out, 0xA5, sizeof w->out);
        call = c->make(w, known[i].cpu);
        if (call == last) {
            continue;
        }
        last = call;
        c->run(w);
        hash = bench_hash(0, w->out, w->out_bytes);
        if (found->count == 0) {
            expected = hash;
        } else if (hash != expected && c->run != run_substitute) {
            fprintf(stderr, "%s: %s differs from scalar\n", c->name, known[i].name);
            return 0;
        }
        found->names[found->count] = known[i].name;
        found->cpus[found->count] = known[i].cpu;
        found->best[found->count++] = 1e9;
    }
    found->memset_best = 1e9;
    found->written = w->out_bytes;
    return 1;
}

static void *(*volatile set_memory)(void *, int, size_t) = memset;

static double smaller(double a, double b) {
    return a < b ? a : b;
}

/* One round of all contenders, each a few passes over all rows. */
static void run_round(const bench_case *c, work *w, contest *found) {
    enum { PASSES = 3 };
    bench_time start;
    for (size_t k = 0; k < found->count; k++) {
        (void)c->make(w, found->cpus[k]);
        c->run(w);
        start = bench_now();
        for (int pass = 0; pass < PASSES; pass++) {
            c->run(w);
        }
        found->best[k] = smaller(found->best[k], bench_since(start).wall / PASSES);
    }
    set_memory(w->out, 1, found->written);
    start = bench_now();
    for (int pass = 0; pass < PASSES; pass++) {
        set_memory(w->out, pass, found->written);
    }
    found->memset_best = smaller(found->memset_best, bench_since(start).wall / PASSES);
}

/* ---- printing ---- */

static double speed(double seconds) {
    return 1e-9 * ROWS * BASES / seconds;
}

static void print_line(const bench_case *c, const char *name, double value, double ratio, const char *to,
                       double target, int is_tsv) {
    char wanted[32] = "";
    if (target > 0) {
        snprintf(wanted, sizeof wanted, "%.2f", target);
    }
    printf(is_tsv ? "kernels\t%s\t%s\t%.3f\tGbase/s\t%.3f\t%s\t%s\n"
                  : "%-22s %-14s %8.2f Gbase/s %7.2f of %-14s %s\n",
           c->name, name, value, ratio, to, wanted);
}

static void print_contest(const bench_case *c, const contest *found, int is_tsv) {
    const char *twin = c->run == run_substitute ? "a draw a base" : "scalar";
    for (size_t k = 0; k < found->count; k++) {
        int is_twin = k == 0;
        const char *name = is_twin ? twin : c->run == run_substitute ? "gaps" : found->names[k];
        double by_memset = found->memset_best / found->best[k];
        int is_last = k + 1 == found->count;
        if (strcmp(c->to, "memset") == 0) {
            print_line(c, name, speed(found->best[k]), by_memset, "memset", is_last ? c->target : 0, is_tsv);
        } else {
            print_line(c, name, speed(found->best[k]), found->best[0] / found->best[k], twin,
                       is_twin ? 0 : c->target, is_tsv);
        }
    }
    if (c->make == make_rows) {
        print_line(c, "memset", speed(found->memset_best), 1, "memset", 0, is_tsv);
    }
}

static void fill(work *w) {
    uint64_t state = 7;
    for (size_t i = 0; i < ROWS * BASES; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        w->seq[i] = (uint8_t)(state >> 33) % 500 == 0 ? 'N' : (uint8_t) "ACGT"[state >> 60 & 3];
        w->qual[i] = (uint8_t)(35 + (state >> 50) % 39);
    }
}

int main(int argc, char **argv) {
    static work w;
    int is_tsv = argc > 1 && strcmp(argv[1], "--tsv") == 0;
    const char *wanted = argc > 1 + is_tsv ? argv[1 + is_tsv] : "";
    fill(&w);
    if (is_tsv) {
        printf("stage\tcase\tcontender\tvalue\tunit\tratio\tto\ttarget\n");
    } else {
        bench_conditions();
        printf("%d rows of %d bases; the fastest of %d rounds\n\n", ROWS, BASES, ROUNDS);
    }
    for (size_t i = 0; i < CASES; i++) {
        contest found;
        if (strstr(cases[i].name, wanted) == NULL) {
            continue;
        }
        w.encoding = cases[i].encoding;
        if (!add_contenders(&cases[i], &w, &found)) {
            return 1;
        }
        for (int round = 0; round < ROUNDS; round++) {
            run_round(&cases[i], &w, &found);
        }
        print_contest(&cases[i], &found, is_tsv);
    }
    return 0;
}
