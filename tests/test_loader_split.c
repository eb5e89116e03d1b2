/*
 * test_loader_split.c - splits in a loader: parts of one salt share no record, mate, sequence or base, whatever the
 * seed, the order of the files and the files beside them; what an epoch without a row says; and that filters of N
 * judge pieces where records are cut. Random cases against the oracle have splits too (test_loader_order.c).
 *
 * rooms: filter textscan
 * needs: loader stores threads library orders
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

enum { NAMES = 4000 };

/* Which names of the form "r<number>..." the rows of an epoch have; a row more than once is fine. */
static uint64_t names_of(const biost_loader_desc *desc, uint64_t epoch, uint8_t seen[NAMES]) {
    biost_loader *loader = oracle_open(desc);
    biost_batch batch;
    uint64_t rows = 0;
    memset(seen, 0, NAMES);
    if (loader == NULL || !CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
        biost_loader_close(loader);
        return 0;
    }
    while (biost_loader_next(loader, &batch) == BIOST_OK) {
        uint32_t i;
        for (i = 0; i < batch.valid_rows; ++i) {
            const char *name = batch.names + batch.name_offsets[i], *digits = strchr(name, 'r');
            unsigned long number = digits != NULL ? strtoul(digits + 1, NULL, 10) : NAMES;
            if (CHECK(number < NAMES)) {
                seen[number] = 1;
            }
            ++rows;
        }
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    CHECK(biost_loader_next(loader, &batch) == BIOST_END);
    biost_loader_close(loader);
    return rows;
}

/* Reads r<from>..r<to>, as mate `mate`, in this manner: "/1", "_1" or in the comment. */
static void reads_make(bytes *text, uint32_t from, uint32_t to, uint32_t mate, const char *manner) {
    uint32_t i;
    for (i = from; i < to; ++i) {
        char record[128];
        snprintf(record, sizeof record, "@x:r%u%s%c%s\nACGTACGTAC\n+\nIIIIIIIIII\n", (unsigned)i, manner,
                 (char)('0' + mate), manner[0] == ' ' ? ":N:0" : " c");
        bytes_words(text, record);
    }
}

/*
 * What is learned from one day, with this seed and these files, shares no name with what is tested another day,
 * with another seed, the files in another order, and a file in front that was not there before.
 */
TEST(split, parts_share_nothing_whatever_else_changes) {
    static const char *const manners[] = {"/", "_", " ", ".", ":", "-"};
    static uint8_t learned[NAMES], tested[NAMES];
    uint32_t m, salt;
    for (m = 0; m < 6; ++m) {
        bytes texts[4], turned[4];
        biost_memory memories[4];
        biost_loader_desc desc;
        memset(texts, 0, sizeof texts);
        reads_make(&texts[0], 0, 1500, 1, manners[m]);
        reads_make(&texts[1], 0, 1500, 2, manners[m]);
        reads_make(&texts[2], 1500, 3000, 1, manners[m]);
        reads_make(&texts[3], 3000, 4000, 1, manners[m]);
        turned[0] = texts[3];
        turned[1] = texts[2];
        turned[2] = texts[1];
        turned[3] = texts[0];
        for (salt = 0; salt < 3; ++salt) {
            uint64_t rows, i, shared = 0, all = 0;
            memset(&desc, 0, sizeof desc);
            oracle_inputs(&desc, memories, texts, 3);
            desc.batch_rows = 64;
            desc.row_bases = 10;
            desc.names = 1;
            desc.shuffle_rows = 500;
            desc.seed = salt;
            desc.split.by = BIOST_SPLIT_NAME;
            desc.split.salt = salt;
            desc.split.below = 0.9f;
            strcpy(desc.split.strip, m == 1 ? "_" : m == 5 ? "-" : "");
            rows = names_of(&desc, salt, learned);
            CHECK(rows > 4500 * 0.9 - 101 &&
                  rows < 4500 * 0.9 + 101); /* 5 sigma of 20; mates go together: x sqrt 2 */
            oracle_inputs(&desc, memories, turned, 4);
            desc.seed = 1000 - salt;
            desc.split.from = 0.9f;
            desc.split.below = 0;
            rows = names_of(&desc, 77, tested);
            CHECK(rows > 5500 * 0.1 - 112 && rows < 5500 * 0.1 + 112);
            for (i = 0; i < NAMES; ++i) {
                shared += learned[i] && tested[i];
                all += learned[i] || tested[i];
            }
            test_note("manner '%s', salt %u", manners[m], (unsigned)salt);
            CHECK_EQ_U64(shared, 0);
            for (i = 0; i < 3000; ++i) {
                CHECK(learned[i] || tested[i]); /* and nothing is lost */
            }
            CHECK(all < NAMES); /* what was added belongs to either part */
        }
        for (salt = 0; salt < 4; ++salt) {
            bytes_free(&texts[salt]);
        }
    }
}

/* ---- mates whose names no rule knows ---- */

enum { MATES = 400 };

/* Lines of a log that speak of names, and the last of them. */
typedef struct mates_log {
    int lines;
    biost_result code;
    char sentence[256];
} mates_log;

static void mates_line(biost_result code, const char *sentence, void *user_data) {
    mates_log *log = (mates_log *)user_data;
    log->lines += 1;
    log->code = code;
    snprintf(log->sentence, sizeof log->sentence, "%s", sentence);
}

/* Reads whose mates alternate, named by `format`; 1,500 reads of one base if `others`. */
static void mates_make(bytes *text, const char *format, int fasta, int others) {
    uint32_t i;
    bytes_words(text, "");
    for (i = 0; i < (others ? 1500u : 2u * MATES); ++i) {
        char name[64], record[128];
        snprintf(name, sizeof name, format, (unsigned)(others ? i : i / 2), (unsigned)(1 + i % 2));
        snprintf(record, sizeof record, fasta ? ">%s\nACGT\n" : "@%s\nACGT\n+\nIIII\n", name);
        bytes_words(text, record);
    }
}

/* Mates of one text, or of a store of it, in both parts: returns how many pairs are in both, of all that came. */
static uint32_t mates_apart(biost_loader_desc *desc, mates_log *log, uint32_t *out_warnings) {
    static uint8_t parts[2][MATES];
    uint32_t part, i, apart = 0, rows = 0;
    memset(parts, 0, sizeof parts);
    memset(log, 0, sizeof *log);
    *out_warnings = 0;
    for (part = 0; part < 2; ++part) {
        biost_loader *loader;
        biost_batch batch;
        desc->split.from = part == 0 ? 0 : 0.5f;
        desc->split.below = part == 0 ? 0.5f : 0;
        loader = oracle_open(desc);
        if (loader == NULL || !CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
            return MATES;
        }
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            for (i = 0; i < batch.valid_rows; ++i, ++rows) {
                parts[part][((uint64_t)batch.origins[i].id & 0xffffffffu) / 2 % MATES] = 1;
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        *out_warnings |= biost_loader_warnings(loader);
        biost_loader_close(loader);
    }
    for (i = 0; i < MATES; ++i) {
        apart += parts[0][i] & parts[1][i];
    }
    CHECK(rows == 2 * MATES || rows == 1500);
    return apart;
}

/* How a loader comes to the records: as text, or from a store with qualities, or without. */
static biost_store *mates_store(const bytes *text, int way) {
    biost_memory memory;
    biost_store_desc desc;
    biost_store *store = NULL;
    if (way == 0) {
        return NULL;
    }
    memset(&memory, 0, sizeof memory);
    memset(&desc, 0, sizeof desc);
    memory.data = text->data;
    memory.bytes = text->count;
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.qualities = way == 1;
    CHECK(biost_store_build(&desc, &store, NULL) == BIOST_OK);
    return store;
}

/* fastq-dump -I, and others: mates go together where pairs would take them, else a warning says that they may not. */
TEST(split, mates_by_names) {
    static const struct {
        const char *format, *strip;
        int fasta, others, together, warns;
    } cases[] = {{"SRR9.%u.%u length=4", "", 0, 0, 1, 0},
                 {"M:1:%u#CGAT/%u", "", 0, 0, 1, 0},
                 {"x:%u:%u", "", 0, 0, 1, 0},
                 {"A_%u_%u", "", 0, 0, 1, 0},
                 {"SRR9.%u.%u length=4", "/", 0, 0, 0, 1},
                 {"SRR9.%u.%u", "", 1, 0, 0, 1},
                 {"SRR9.%u.%u", ".", 1, 0, 1, 0},
                 {"c%u/%u", "", 1, 0, 1, 0},
                 {"r%u-%u", "", 0, 0, 0, 1},
                 {"r%u-%u", "-", 0, 0, 1, 0},
                 {"SRR9.%u n=%u", "", 0, 1, 0, 0}};
    uint32_t i, w;
    int way;
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        bytes text = {NULL, 0, 0};
        mates_make(&text, cases[i].format, cases[i].fasta, cases[i].others);
        for (way = 0; way < 3; ++way) {
            for (w = 1; w < 3; ++w) {
                biost_memory memory;
                biost_loader_desc desc;
                mates_log log;
                uint32_t apart, warnings;
                biost_store *store = cases[i].fasta && way == 1 ? NULL : mates_store(&text, way);
                memset(&desc, 0, sizeof desc);
                if (store == NULL) {
                    oracle_inputs(&desc, &memory, &text, 1);
                }
                desc.store = store;
                desc.row_bases = 4;
                desc.workers = w;
                desc.test.page_bytes = w == 1 ? 0 : 4096;
                desc.split.by = BIOST_SPLIT_NAME;
                strcpy(desc.split.strip, cases[i].strip);
                desc.log.line = mates_line;
                desc.log.user_data = &log;
                apart = mates_apart(&desc, &log, &warnings);
                test_note("%s, strip '%s', way %d, %u workers", cases[i].format, cases[i].strip, way,
                          (unsigned)w);
                CHECK(cases[i].others || (apart == 0) == cases[i].together);
                CHECK_EQ_U64(warnings, cases[i].warns ? BIOST_WARN_MATE_NAMES : 0);
                CHECK_EQ_I64(log.lines, cases[i].warns ? 2 : 0); /* one a loader */
                if (cases[i].warns) {
                    CHECK(log.code == BIOST_OK);
                    CHECK(strstr(log.sentence, "desc.split.strip") != NULL);
                    CHECK(strstr(log.sentence, "desc.split.by FIELD") != NULL);
                    CHECK(strncmp(log.sentence, store != NULL ? "store: " : "even: ", 6) == 0);
                }
                CHECK(biost_store_close(store, NULL) == BIOST_OK);
            }
        }
        bytes_free(&text);
    }
}

/* The random subsample, which is no split, shares most of it: what the test above would show of it. */
TEST(split, a_subsample_by_seed_is_none) {
    static uint8_t learned[NAMES], tested[NAMES];
    bytes text = {NULL, 0, 0};
    biost_memory memory;
    biost_loader_desc desc;
    uint64_t i, shared = 0, held_out = 0;
    reads_make(&text, 0, 3000, 1, "/");
    memset(&desc, 0, sizeof desc);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 64;
    desc.row_bases = 10;
    desc.names = 1;
    desc.filter.subsample_below = 0.9f;
    (void)names_of(&desc, 0, learned);
    desc.seed = 1;
    desc.filter.subsample_from = 0.9f;
    desc.filter.subsample_below = 0;
    (void)names_of(&desc, 0, tested);
    for (i = 0; i < 3000; ++i) {
        shared += learned[i] && tested[i];
        held_out += tested[i];
    }
    CHECK(shared * 10 > held_out * 8); /* 90 % */
    bytes_free(&text);
}

/* A genome of one record and one of three: blocks of 700 bases, pieces of 100 every 60. No base is in both parts. */
TEST(split, parts_of_a_genome_share_no_base) {
    static uint8_t parts[2][4][40000];
    static const uint32_t bases[4] = {33333, 700, 699, 12345};
    uint64_t random = test_seed();
    uint32_t part, i, k;
    bytes texts[2];
    biost_memory memories[2];
    biost_loader_desc desc;
    uint64_t rows[2] = {0, 0}, border = 0, dropped = 0;
    memset(texts, 0, sizeof texts);
    memset(parts, 0, sizeof parts);
    for (i = 0; i < 4; ++i) {
        char title[32];
        bytes *text = &texts[i > 0];
        snprintf(title, sizeof title, ">chr%u of it\n", (unsigned)i);
        bytes_words(text, title);
        for (k = 0; k < bases[i]; ++k) {
            bytes_byte(text, (uint8_t) "ACGT"[random_below(&random, 4)]);
            if (k % 61 == 60) {
                bytes_byte(text, '\n');
            }
        }
        bytes_byte(text, '\n');
    }
    for (part = 0; part < 2; ++part) {
        biost_loader *loader;
        biost_batch batch;
        biost_progress progress;
        memset(&desc, 0, sizeof desc);
        oracle_inputs(&desc, memories, texts, 2);
        desc.batch_rows = 32;
        desc.row_bases = 100;
        desc.long_records = BIOST_LONG_SPLIT;
        desc.split_stride = 60;
        desc.shuffle_rows = 50 * part;
        desc.seed = part;
        desc.split.by = BIOST_SPLIT_BLOCK;
        desc.split.block_bases = 700;
        desc.split.from = part == 0 ? 0 : 0.75f;
        desc.split.below = part == 0 ? 0.75f : 0;
        desc.test.page_bytes = part == 0 ? 0 : 500;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            for (i = 0; i < batch.valid_rows; ++i) {
                const biost_row *row = &batch.origins[i];
                uint32_t chr = (uint32_t)(BIOST_ID_PATH(row->id) + BIOST_ID_RECORD(row->id));
                REQUIRE(CHECK(chr < 4 && row->start_base + batch.lengths[i] <= (int64_t)bases[chr]));
                CHECK_EQ_I64(row->start_base / 700,
                             (row->start_base + (batch.lengths[i] > 0 ? batch.lengths[i] - 1 : 0)) / 700);
                memset(&parts[part][chr][row->start_base], 1, (size_t)batch.lengths[i]);
            }
            rows[part] += batch.valid_rows;
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        biost_loader_progress(loader, &progress);
        CHECK_EQ_U64(progress.sample_count, rows[part]);
        CHECK(part == 0 || progress.border_count == border); /* the same in each part */
        border = progress.border_count;
        dropped += progress.dropped[BIOST_DROP_SPLIT];
        biost_loader_close(loader);
    }
    CHECK(rows[0] > 2 * rows[1] && rows[1] > 50);
    CHECK_EQ_U64(dropped, rows[0] + rows[1]); /* what one part leaves out is the other's */
    for (i = 0; i < 4; ++i) {
        for (k = 0; k < bases[i]; ++k) {
            CHECK(!parts[0][i][k] || !parts[1][i][k]);
        }
    }
    bytes_free(&texts[0]);
    bytes_free(&texts[1]);
}

/* What --keep 0:0.8 of a genome of one record gave: nothing, and no word of it. By sequence that is an error. */
/* ---- by content ---- */

enum { CONTENT_KINDS = 4 };

/*
 * Sequences of 1 to 90 bases, four records each: as it is, in lower case, its reverse complement, and that in lower case
 * with u for t. Names are r0, r1, ...; FASTA on lines of 20.
 */
static void content_make(bytes *text, int is_fastq, uint32_t sequences, uint64_t random) {
    uint32_t i, kind, n, bases, at;
    for (i = 0; i < sequences; ++i) {
        char seq[96], line[224], qual[96] = {0};
        bases = 1 + random_below(&random, 90);
        for (n = 0; n < bases; ++n) {
            seq[n] = (char)('0' + random_below(&random, 4));
            qual[n] = 'I';
        }
        for (kind = 0; kind < CONTENT_KINDS; ++kind) {
            snprintf(line, sizeof line, "%cr%u\n", is_fastq ? '@' : '>',
                     (unsigned)(CONTENT_KINDS * i + kind));
            bytes_words(text, line);
            for (at = 0; at < bases; ++at) {
                const int code = seq[kind < 2 ? at : bases - 1 - at] - '0';
                char letter[3] = {(kind == 0   ? "ACGT"
                                   : kind == 1 ? "acgt"
                                   : kind == 2 ? "TGCA"
                                               : "ugca")[code],
                                  0, 0};
                letter[1] = !is_fastq && at % 20 == 19 ? '\n' : '\0';
                bytes_words(text, letter);
            }
            snprintf(line, sizeof line, is_fastq ? "\n+\n%s\n" : "\n", qual);
            bytes_words(text, line);
        }
    }
}

/* The same of a store of the desc's input. */
static uint64_t names_of_store(const biost_loader_desc *desc, uint64_t epoch, uint8_t seen[NAMES]) {
    biost_loader_desc own = *desc;
    biost_store_desc build;
    uint64_t rows;
    memset(&build, 0, sizeof build);
    build.memories = desc->memories;
    build.memory_count = 1;
    CHECK(biost_store_build(&build, &own.store, NULL) == BIOST_OK);
    own.memories = NULL;
    own.memory_count = 0;
    rows = names_of(&own, epoch, seen);
    CHECK(biost_store_close(own.store, NULL) == BIOST_OK);
    return rows;
}

/* Parts hold a sequence under all its names, on both strands, in either case, the same of text and of a store. */
TEST(split, parts_by_content) {
    static uint8_t parts[2][NAMES], of_store[NAMES];
    int is_fastq;
    for (is_fastq = 0; is_fastq < 2; ++is_fastq) {
        bytes text;
        biost_memory memory;
        biost_loader_desc desc;
        uint64_t rows[2], i, together = 0;
        uint32_t p;
        memset(&text, 0, sizeof text);
        content_make(&text, is_fastq, NAMES / CONTENT_KINDS, test_seed());
        memset(&desc, 0, sizeof desc);
        oracle_inputs(&desc, &memory, &text, 1);
        desc.names = 1;
        desc.max_row_bases = 20;
        desc.long_records = is_fastq ? BIOST_LONG_CROP : BIOST_LONG_TAIL;
        desc.split.by = BIOST_SPLIT_CONTENT;
        desc.split.salt = 3;
        for (p = 0; p < 2; ++p) {
            desc.split.from = p == 0 ? 0 : 0.6f;
            desc.split.below = p == 0 ? 0.6f : 0;
            rows[p] = names_of(&desc, p, parts[p]);
            CHECK_EQ_U64(names_of_store(&desc, p, of_store), rows[p]);
            CHECK(memcmp(of_store, parts[p], NAMES) == 0);
        }
        CHECK_EQ_U64(rows[0] + rows[1], NAMES);
        CHECK(rows[0] > NAMES / 2 && rows[0] < NAMES * 7 / 10);
        for (i = 0; i < NAMES; ++i) {
            CHECK(parts[0][i] + parts[1][i] == 1);
            together += parts[0][i] == parts[0][i / CONTENT_KINDS * CONTENT_KINDS];
        }
        CHECK_EQ_U64(together, NAMES);
        /* FASTQ is held whole also where it is cut; FASTA is not, and says so. */
        desc.row_bases = 20;
        desc.max_row_bases = 0;
        desc.long_records = BIOST_LONG_SPLIT;
        if (is_fastq) {
            CHECK(names_of(&desc, 0, of_store) > rows[1]);
            CHECK(memcmp(of_store, parts[1], NAMES) == 0);
        } else {
            biost_loader *loader = NULL;
            biost_error error;
            CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_ARG && loader == NULL);
            CHECK(strstr(error.text, "desc.split.by is BIOST_SPLIT_CONTENT, which needs whole records, and "
                                     "BIOST_LONG_SPLIT cuts FASTA as it comes: build a store") != NULL);
        }
        bytes_free(&text);
    }
}

/* A chromosome of 20,000 bases, fetched in stretches, its other strand, and another one; no name is asked for. */
TEST(split, long_sequences_by_content) {
    static char text[3 * 20010];
    const biost_memory memory = {text, sizeof text, "three"};
    uint64_t random = test_seed(), i, rows[3] = {0, 0, 0};
    biost_store_desc build;
    biost_loader_desc desc;
    biost_batch batch;
    uint32_t salt, mixed = 0;
    memset(text, '\n', sizeof text);
    for (i = 0; i < 20000; ++i) {
        const uint32_t code = random_below(&random, 4), other = random_below(&random, 4);
        text[9 + i] = "ACGT"[code];
        text[20010 + 9 + 19999 - i] = "tgca"[code];
        text[40020 + 9 + i] = "ACGT"[other];
    }
    for (i = 0; i < 3; ++i) {
        memcpy(text + 20010 * i, ">s of it", 8);
        text[20010 * i + 2] = (char)('0' + i);
    }
    memset(&build, 0, sizeof build);
    build.memories = &memory;
    build.memory_count = 1;
    build.names = BIOST_STORE_NO_NAMES;
    build.duplicate_names = 1;
    memset(&desc, 0, sizeof desc);
    CHECK(biost_store_build(&build, &desc.store, NULL) == BIOST_OK);
    desc.row_bases = 1000;
    desc.regions.kind = BIOST_REGIONS_GRID;
    desc.split.by = BIOST_SPLIT_CONTENT;
    desc.split.below = 0.5f;
    desc.allow_no_rows = 1;
    for (salt = 0; salt < 24; ++salt) {
        biost_loader *loader;
        desc.split.salt = salt;
        loader = oracle_open(&desc);
        memset(rows, 0, sizeof rows);
        if (loader == NULL || !CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
            break;
        }
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            for (i = 0; i < batch.valid_rows; ++i) {
                ++rows[batch.origins[i].id];
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        biost_loader_close(loader);
        CHECK(rows[0] == rows[1] && rows[0] % 20 == 0 && rows[2] % 20 == 0);
        mixed += rows[0] != rows[2];
    }
    CHECK(mixed > 4);
    CHECK(biost_store_close(desc.store, NULL) == BIOST_OK);
}

TEST(split, a_part_without_a_row_is_an_error) {
    static const float parts[][2] = {{0, 0.5f}, {0.5f, 1}};
    uint32_t part, failed = 0, rows = 0;
    for (part = 0; part < 4; ++part) {
        one_text one;
        biost_loader *loader;
        biost_batch batch;
        biost_result result;
        one_text_make(&one, ">genome\nACGTACGTACGTACGT\n");
        one.desc.row_bases = 4;
        one.desc.batch_rows = 4;
        one.desc.long_records = BIOST_LONG_SPLIT;
        one.desc.split.by = BIOST_SPLIT_SEQUENCE;
        one.desc.split.from = parts[part % 2][0];
        one.desc.split.below = parts[part % 2][1];
        one.desc.allow_no_rows = part >= 2;
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        result = biost_loader_next(loader, &batch);
        if (result == BIOST_OK) {
            rows += batch.valid_rows;
        } else if (part < 2) {
            ++failed;
            CHECK(result == BIOST_ERR_ARG);
            CHECK_STR(
                error_of(loader)->text,
                "no row is left: of 1 records or pieces desc.split left out 1; desc.allow_no_rows would "
                "take that as an end");
        } else {
            CHECK(result == BIOST_END);
        }
        biost_loader_close(loader);
        bytes_free(&one.text);
    }
    CHECK_EQ_U64(failed, 1);
    CHECK_EQ_U64(rows, 8); /* 4 with and 4 without allow_no_rows */
}

/* A name without the field: what came before is delivered, then the record and line are told. */
TEST(split, a_name_without_the_field) {
    one_text one;
    uint32_t w;
    one_text_make(&one,
                  "@a:x\nACGT\n+\nIIII\n@b:5\nACGT\n+\nIIII\n@c:1\nACGT\n+\nIIII\n@d:4\nACGT\n+\nIIII\n");
    one.desc.row_bases = 4;
    one.desc.split.by = BIOST_SPLIT_FIELD;
    one.desc.split.field = 2;
    for (w = 1; w < 4; ++w) {
        biost_loader *loader;
        biost_batch batch;
        one.desc.workers = w;
        one.desc.shuffle_rows = w * 2;
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK_EQ_U64(batch.valid_rows, 2);
        CHECK((batch.flags & BIOST_BATCH_BEFORE_ERROR) != 0);
        CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_TEXT);
        CHECK_STR(error_of(loader)->text,
                  "even: record 3 (line 9, byte 34 of the text): the name has no field 2 with "
                  "':' between fields, which desc.split asks for; a mate's number at its end, as "
                  "desc.split.strip says, is none");
        CHECK_EQ_U64(error_of(loader)->record, 2);
        CHECK_EQ_U64(error_of(loader)->line, 9);
        biost_loader_close(loader);
    }
    bytes_free(&one.text);
}

/* Rows of N alone came from a genome, because its share of N was judged as a whole. */
TEST(split, n_is_judged_by_the_piece) {
    static const int64_t at[] = {0, 8, 12}, all_but_n[] = {0, 4, 8, 12};
    int32_t forbid_n;
    for (forbid_n = 0; forbid_n < 2; ++forbid_n) {
        const int64_t *want = forbid_n ? at : all_but_n;
        size_t count = forbid_n ? 3 : 4, rows = 0;
        one_text one;
        biost_loader *loader;
        biost_batch batch;
        biost_progress progress;
        one_text_make(&one, ">genome\nACGTNCGTACGTacgtNNNNnnnnNNNN\n");
        one.desc.row_bases = 4;
        one.desc.batch_rows = 2;
        one.desc.long_records = BIOST_LONG_SPLIT;
        one.desc.filter.forbid_n = forbid_n;
        one.desc.filter.max_n_fraction = forbid_n ? 0 : 0.25f;
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            uint32_t i;
            for (i = 0; i < batch.valid_rows && CHECK(rows < count); ++i) {
                CHECK_EQ_I64(batch.origins[i].start_base, want[rows++]);
            }
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        CHECK_EQ_U64(rows, count);
        biost_loader_progress(loader, &progress);
        CHECK_EQ_U64(progress.dropped[BIOST_DROP_N], 7 - count);
        biost_loader_close(loader);
        bytes_free(&one.text);
    }
}

/* Wrong wishes fail at open, naming the fields; each is told in resolved as it is obeyed. */
TEST(split, at_open) {
    one_text one;
    biost_loader *loader = NULL;
    biost_loader_desc got;
    biost_error error;
    one_text_make(&one, "@a\nACGT\n+\nIIII\n");
    one.desc.split.by = BIOST_SPLIT_BLOCK;
    one.desc.split.block_bases = 100;
    one.desc.row_bases = 50;
    CHECK(biost_loader_open(&one.desc, &loader, &error) == BIOST_ERR_ARG);
    CHECK(strstr(error.text, "desc.split.by") != NULL && strstr(error.text, "desc.long_records") != NULL);
    one.desc.split.block_bases = 0;
    one.desc.split.by = BIOST_SPLIT_FIELD;
    CHECK(biost_loader_open(&one.desc, &loader, &error) == BIOST_ERR_ARG);
    CHECK(strstr(error.text, "desc.split.field") != NULL);
    one.desc.split.field = 1;
    loader = oracle_open(&one.desc);
    REQUIRE(loader != NULL);
    biost_loader_get_desc(loader, &got);
    CHECK(got.split.below == 1.0f && got.split.separator == ':' && got.split.field == 1);
    biost_loader_close(loader);
    bytes_free(&one.text);
}

/*
 * A FASTA record that is bad after its title: whether a run of it ends at the blank before the bad byte depends on
 * the page, what is told does not. By hand: line 3 is the title without a second field, byte 14.
 */
TEST(split, a_bad_record_without_the_field_in_any_page) {
    uint32_t page;
    for (page = 16; page < 60; ++page) {
        one_text one;
        biost_loader *loader;
        biost_batch batch;
        one_text_make(&one, ">c:1\nACGTACGT\n>d\n \x01\nACGT\n");
        one.desc.row_bases = 2;
        one.desc.batch_rows = 4;
        one.desc.long_records = BIOST_LONG_SPLIT;
        one.desc.split.by = BIOST_SPLIT_FIELD;
        one.desc.split.field = 2;
        one.desc.test.page_bytes = page;
        test_note("pages of %u", (unsigned)page);
        loader = oracle_open(&one.desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK_EQ_U64(batch.valid_rows, 4);
        CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_TEXT);
        CHECK(error_of(loader)->fault == BIOST_FAULT_SPLIT_FIELD);
        CHECK_EQ_U64(error_of(loader)->record, 1);
        CHECK_EQ_U64(error_of(loader)->line, 3);
        CHECK_EQ_U64(error_of(loader)->text_offset, 14);
        biost_loader_close(loader);
        bytes_free(&one.text);
    }
}
