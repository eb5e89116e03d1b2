/*
 * bench_shapes - several records of a store in a row: how much of a batch is padding, and what packing takes.
 *
 *   build/bench/bench_shapes [--tsv FILE] [READS.fastq[.gz]]...
 *
 * Each file is a store, and so are 20,000 proteins of 30 to 35,000 letters, whose lengths are log-normal, mu 5.75 and sigma
 * 0.75. Rows are cropped where records are longer.
 *
 *   padding  of the columns of all batches of an epoch, in rows of 4,096 and 8,192, 8 a batch; and without the last batch
 *   tokens   bases a second with one worker, tokens u8, 8,192 columns (proteins 4,096), packed, against rows as wide as the
 *            longest of their batch; the store is read over and over up to 10^8 bases, opening and closing inside
 *   resume   from opening a loader of 10^7 made records of 20 to 60 bases with a state, in the middle of an epoch, to its
 *            first batch, 2 workers
 *
 *   BENCH_ROUNDS=N       rounds, 5 to 99; without it 7
 *   BENCH_SHAPES_RECORDS=N   records of the part `resume`, if not 10^7
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"
#include "bench.h"

#include <math.h>

enum { ROWS = 8, TOKENS = 100000000, PROTEINS = 20000, STATE_BYTES = 512 };

static volatile unsigned char sink;

/* What an epoch had. */
typedef struct outcome {
    uint64_t batches, columns, bases, last_columns, last_bases;
    int failed;
} outcome;

static outcome complain(const char *text) {
    outcome out;
    memset(&out, 0, sizeof out);
    fprintf(stderr, "bench_shapes: %s\n", text);
    out.failed = 1;
    return out;
}

static biost_loader_desc make_desc(biost_store *store, uint32_t columns, int packs) {
    biost_loader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.store = store;
    desc.order = BIOST_ORDER_EXACT;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.long_records = BIOST_LONG_CROP;
    desc.batch_rows = ROWS;
    desc.workers = 1;
    if (packs) {
        desc.shape.kind = BIOST_SHAPE_PACKED;
        desc.row_bases = columns;
    } else {
        desc.max_row_bases = columns;
    }
    return desc;
}

/* All batches of some epochs. */
static outcome run(const biost_loader_desc *desc, uint64_t epochs) {
    biost_loader *loader;
    biost_batch batch;
    biost_error error;
    outcome out;
    uint64_t epoch;
    uint32_t i;
    memset(&out, 0, sizeof out);
    if (biost_loader_open(desc, &loader, &error) != BIOST_OK) {
        return complain(error.text);
    }
    for (epoch = 0; epoch < epochs; ++epoch) {
        if (biost_loader_begin(loader, epoch) != BIOST_OK) {
            out = complain(biost_loader_error(loader)->text);
        }
        while (!out.failed && biost_loader_next(loader, &batch) == BIOST_OK) {
            out.last_columns = (uint64_t)(batch.x.shape[0] * batch.x.shape[1]);
            out.last_bases = 0;
            for (i = 0; i < batch.samples; ++i) {
                out.last_bases += (uint64_t)batch.lengths[i];
            }
            out.columns += out.last_columns;
            out.bases += out.last_bases;
            out.batches += 1;
            sink = *(const unsigned char *)batch.x.data;
            biost_loader_release(loader, &batch);
        }
    }
    biost_loader_close(loader);
    return out;
}

static double padding(uint64_t columns, uint64_t bases) {
    return columns > 0 ? 100.0 * (double)(columns - bases) / (double)columns : 0;
}

static int bench_padding(const char *file, biost_store *store) {
    const uint32_t widths[2] = {4096, 8192};
    bench_time none = {0, 0};
    char name[64];
    size_t i;
    for (i = 0; i < 2; ++i) {
        const biost_loader_desc desc = make_desc(store, widths[i], 1);
        const outcome out = run(&desc, 1);
        if (out.failed) {
            return 0;
        }
        snprintf(name, sizeof name, "packed %u x %d", (unsigned)widths[i], ROWS);
        printf("%-28s %-24s %8.2f %% padding, %8.2f %% without the last batch of %llu\n", file, name,
               padding(out.columns, out.bases),
               padding(out.columns - out.last_columns, out.bases - out.last_bases),
               (unsigned long long)out.batches);
        bench_tsv_row("shapes-padding", file, name, padding(out.columns, out.bases), "%", 1, none);
    }
    return 1;
}

static int bench_tokens(const char *file, biost_store *store, uint32_t columns) {
    static double wall[2][BENCH_ROUNDS_MOST], cpu[2][BENCH_ROUNDS_MOST];
    const char *const names[2] = {"as wide as the longest", "packed"};
    const int rounds = bench_rounds();
    biost_loader_desc descs[2];
    outcome once;
    int round, packs;
    descs[0] = make_desc(store, columns, 0);
    descs[1] = make_desc(store, columns, 1);
    once = run(&descs[1], 1);
    if (once.failed || once.bases == 0 || run(&descs[0], 1).bases != once.bases) {
        fprintf(stderr, "bench_shapes: the two give other bases; nothing is timed\n");
        return 0;
    }
    for (round = 0; round < rounds; ++round) {
        for (packs = 0; packs < 2; ++packs) {
            bench_time start = bench_now(), time;
            if (run(&descs[packs], TOKENS / once.bases + 1).failed) {
                return 0;
            }
            time = bench_since(start);
            wall[packs][round] = time.wall;
            cpu[packs][round] = time.cpu;
        }
    }
    for (packs = 0; packs < 2; ++packs) {
        const double bases = (double)(once.bases * (TOKENS / once.bases + 1));
        bench_time time;
        time.wall = bench_median_of(wall[packs], rounds);
        time.cpu = bench_median_of(cpu[packs], rounds);
        printf("%-28s %-24s %8.1f million bases/s, %8.1f of processor time\n", file, names[packs],
               bases / time.wall / 1e6, bases / time.cpu / 1e6);
        bench_tsv_row("shapes-tokens", file, names[packs], bases / time.wall / 1e6, "Mbase/s", 1, time);
    }
    return 1;
}

static double random_unit(uint64_t *random) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return ((double)(*random >> 11) + 0.5) / 9007199254740992.0;
}

/* A store of `count` made records, of FASTA text that is freed before this returns. */
static biost_store *made_store(uint64_t count, int is_protein) {
    const char *letters = is_protein ? "ACDEFGHIKLMNPQRSTVWY" : "ACGT";
    const size_t kinds = strlen(letters);
    uint64_t random = 88172645463325252u, i, bases;
    size_t bytes = 0, room = 64 * 1024;
    char *text = (char *)malloc(room);
    biost_store_desc desc;
    biost_memory memory;
    biost_store *store = NULL;
    biost_error error;
    for (i = 0; i < count && text != NULL; ++i) {
        double length = 20 + 41 * random_unit(&random);
        if (is_protein) {
            length = sqrt(-2 * log(random_unit(&random)));
            length = exp(5.75 + 0.75 * length * cos(6.283185307179586 * random_unit(&random)));
            length = i + 1 == count || length > 35000 ? 35000 : length < 30 ? 30 : length;
        }
        if (room - bytes < 40000) {
            char *larger = (char *)realloc(text, room *= 2);
            text = larger != NULL ? larger : text;
            if (larger == NULL) {
                break;
            }
        }
        memcpy(text + bytes, ">\n", 2);
        for (bytes += 2, bases = (uint64_t)length; bases > 0; --bases) {
            text[bytes++] = letters[(size_t)(random_unit(&random) * (double)kinds)];
        }
        text[bytes++] = '\n';
    }
    memset(&desc, 0, sizeof desc);
    memory.data = text;
    memory.bytes = bytes;
    memory.name = "made";
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.names = BIOST_STORE_NO_NAMES;
    desc.letters = is_protein ? BIOST_STORE_BYTES : BIOST_STORE_DNA;
    if (biost_store_build(&desc, &store, &error) != BIOST_OK) {
        (void)complain(error.text);
    }
    free(text);
    return store;
}

static int bench_resume(void) {
    static double wall[BENCH_ROUNDS_MOST], cpu[BENCH_ROUNDS_MOST];
    static uint8_t state[STATE_BYTES];
    const char *wish = getenv("BENCH_SHAPES_RECORDS");
    const uint64_t records = wish != NULL ? (uint64_t)strtoull(wish, NULL, 10) : 10000000;
    biost_store *store = made_store(records, 0);
    biost_loader_desc desc = make_desc(store, 8192, 1);
    uint64_t batches = 0, i;
    int round, good = store != NULL, rounds = bench_rounds();
    biost_error error;
    bench_time time;
    desc.workers = 2;
    for (round = -1; good && round < rounds; ++round) { /* the first one takes the state */
        bench_time start = bench_now();
        biost_loader *loader = NULL;
        biost_batch batch;
        good = biost_loader_open(&desc, &loader, &error) == BIOST_OK &&
               biost_loader_begin(loader, 0) == BIOST_OK &&
               biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK;
        for (i = 0; good && i < (round < 0 ? batches / 2 : 1); ++i) {
            good = biost_loader_next(loader, &batch) == BIOST_OK;
            if (good && round < 0 && i + 1 == batches / 2) {
                good = biost_loader_state(loader, &batch, state, sizeof state, &desc.state_bytes) == BIOST_OK;
                desc.state = state;
            }
            biost_loader_release(loader, &batch);
        }
        time = bench_since(start);
        if (round >= 0) {
            wall[round] = time.wall;
            cpu[round] = time.cpu;
        }
        biost_loader_close(loader);
    }
    (void)biost_store_close(store, NULL);
    if (good) {
        time.wall = bench_median_of(wall, rounds);
        time.cpu = bench_median_of(cpu, rounds);
        printf("first batch after a resume, %llu packed records: %.0f ms, %.0f ms of processor time\n",
               (unsigned long long)records, 1e3 * time.wall, 1e3 * time.cpu);
        bench_tsv_row("shapes-resume", "made", "packed", 1e3 * time.wall, "ms", 2, time);
    }
    return good;
}

static int bench_store_of(const char *file, biost_store *store, uint32_t columns) {
    const int good = store != NULL && bench_padding(file, store) && bench_tokens(file, store, columns);
    return biost_store_close(store, NULL) == BIOST_OK && good;
}

int main(int argc, char **argv) {
    int good = bench_tsv_open(&argc, argv), i;
    bench_conditions();
    for (i = 1; i < argc && good; ++i) {
        const char *name = strrchr(argv[i], '/') != NULL ? strrchr(argv[i], '/') + 1 : argv[i];
        const char *const paths[1] = {argv[i]};
        biost_store_desc desc;
        biost_store *store = NULL;
        biost_error error;
        memset(&desc, 0, sizeof desc);
        desc.paths = paths;
        desc.path_count = 1;
        desc.duplicate_names = 1;
        if (biost_store_build(&desc, &store, &error) != BIOST_OK) {
            (void)complain(error.text);
            return 1;
        }
        good = bench_store_of(name, store, 8192);
    }
    return good && bench_store_of("proteins", made_store(PROTEINS, 1), 4096) && bench_resume() ? 0 : 1;
}
