/*
 * fxstore - pack FASTA or FASTQ files into a store, and take bases out of it at once.
 *
 * What it is for: a store has all sequences of its files, two bits a base, so that any stretch of any of
 * them can be had without reading what is before it. It is mapped into memory, which programs share.
 *
 *   cc -O2 examples/tools/fxstore.c -o fxstore -pthread
 *   ./fxstore genome.fa.gz -o genome.bst
 *   ./fxstore --fetch chr20:1000001-1000100 genome.bst
 *   ./fxstore --check genome.bst genome.fa.gz          is it still that of its files?
 *   ./fxstore --info genome.bst --list                 its sequences, a line each
 *   ./fxstore --mates R1.fq.gz R2.fq.gz -o pairs.bst   pairs: for `fxbatch --mates pairs.bst`
 *
 * Bases are counted from 1 and the last is part of the stretch, and come out in lines of 60 after the line
 * '>' and what was asked for, as samtools faidx writes them. A name that two sequences have is refused. --info
 * prints lines of a name, a tab and a number; with --list a line for each sequence instead, after a line with
 * the names of its columns: number (from 0), name (empty in a store without), bases, G and C, N, lower case,
 * input and record of it (from 0), with a tab between.
 *
 * --check compares sizes of the files and 64 KiB at both ends of each. --check with --full reads all of them
 * and compares every title, base and quality.
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../../biostream.h"

#define FX_DESC "biost_store_desc"
#define FX_FLAGS                                                                                    \
    {"qualities", "qualities"}, {"names", "names"}, {"letters", "letters"},                         \
        {"duplicate-names", "duplicate_names"}, {"memory", "memory_bytes"}, {"workers", "workers"}, \
        {"output", "save_path"}, {"mates", "mates"}, {"interleaved", "interleaved"},
#define FX_SAYS                                                                     \
    {"desc.letters has to be BIOST_STORE_BYTES", "--letters bytes is needed"},      \
        {"desc.mates is 2, which takes inputs two by two, and their number is odd", \
         "--mates takes FILEs two by two, R1 and R2, and their number is odd"},     \
        {"desc.save_path is one of desc.paths, which would be lost",                \
         "OUT.bst is one of the FILEs, which would be lost"},

#include "fx.h"

#define PROGRAM "fxstore"

enum { COLUMNS = 60, NAME_MOST = 64 };

typedef struct options {
    const char *output, *info, *verify, *check;
    fx_texts regions; /* of --fetch, which may be given again */
    int qualities, duplicates, names, letters, list, full, mates, interleaved;
    uint64_t memory_bytes;
    uint32_t workers;
} options;

static const char *const about =
    "Read all FILEs (plain, gzip, BGZF) and write a store, OUT.bst: their sequences, two bits a base,\n"
    "with what lets any stretch of any of them be taken out at once, byte for byte.\n"
    "\n"
    "--check compares sizes of the FILEs and 64 KiB at both ends of each; with --full all that is in them.\n"
    "--info, --verify, --check and --fetch use a store that is there. REGION is NAME, NAME:START or\n"
    "NAME:START-END, counted from 1; a name with ':' in it is tried whole first. An END past the\n"
    "sequence is its end.\n";

/* A desc of the files, as the flags have it. */
static biost_store_desc describe(const options *opt, char **files, uint32_t count) {
    biost_store_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.paths = (const char *const *)files;
    desc.path_count = count;
    desc.save_path = opt->output;
    desc.letters = opt->letters == 1 ? BIOST_STORE_BYTES : BIOST_STORE_DNA;
    desc.names = opt->names == 2   ? BIOST_STORE_NO_NAMES
                 : opt->names == 1 ? BIOST_STORE_NAMES
                                   : BIOST_STORE_TITLES;
    desc.qualities = opt->qualities;
    desc.duplicate_names = opt->duplicates;
    desc.mates = opt->mates || opt->interleaved ? 2 : 1;
    desc.interleaved = opt->interleaved;
    desc.memory_bytes = opt->memory_bytes;
    desc.workers = opt->workers > 0 ? opt->workers : fx_cores(8);
    return desc;
}

/* ---- what a store has ------------------------------------------------------ */

/* The bytes of a title's name, which ends at the first blank or tab. */
static size_t name_bytes(const char *title, size_t title_bytes) {
    size_t bytes = 0;
    while (bytes < title_bytes && title[bytes] != ' ' && title[bytes] != '\t') {
        ++bytes;
    }
    return bytes;
}

static void print_info(const biost_store *store) {
    static const char *const letters[] = {"dna", "bytes"}, *const names[] = {"all", "names", "none"};
    biost_store_info info;
    biost_store_info_of(store, &info);
    printf("sequences\t%" PRIu64 "\nbases\t%" PRIu64 "\ninputs\t%" PRIu64 "\nlongest\t%" PRIu64 "\n",
           info.sequence_count, info.base_count, info.input_count, info.longest_bases);
    printf("lower case\t%" PRIu64 "\nN\t%" PRIu64 "\nother letters\t%" PRIu64 "\n", info.lower_bases,
           info.n_bases, info.other_bases);
    printf("bytes of tables\t%" PRIu64 "\nbytes of bases\t%" PRIu64 "\nbytes of lists\t%" PRIu64
           "\nbytes of qualities\t%" PRIu64 "\nbytes of names\t%" PRIu64 "\nbytes of the file\t%" PRIu64 "\n",
           info.table_bytes, info.base_bytes, info.list_bytes, info.quality_bytes, info.name_bytes,
           info.file_bytes);
    printf("letters\t%s\nnames\t%s\nRNA\t%d\nqualities\t%d\nmates\t%" PRIu32 "\n", letters[info.letters],
           names[info.names], info.is_rna, info.has_quality, info.mates);
}

/* A line for each sequence, after one with the names of the columns. */
static void print_list(const biost_store *store) {
    biost_store_sequence one;
    biost_store_info info;
    uint64_t number;
    biost_store_info_of(store, &info);
    printf("number\tname\tbases\tgc\tn\tlower\tinput\trecord\n");
    for (number = 0; number < info.sequence_count && !ferror(stdout); ++number) {
        if (biost_store_get(store, number, &one) != BIOST_OK) {
            return;
        }
        printf("%" PRIu64 "\t%.*s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
               "\n",
               number, (int)name_bytes(one.title, one.title_bytes), one.title != NULL ? one.title : "",
               one.bases, one.stats.gc_count, one.stats.n_count, one.lower_count, (uint64_t)one.id >> 40,
               (uint64_t)one.id & (((uint64_t)1 << 40) - 1));
    }
}

/* ---- all of the files, compared ------------------------------------------------ */

/* What in a record differs from the store, or NULL. `room` holds twice the bases. */
static const char *differs(const biost_store *store, const biost_store_info *info, uint64_t number,
                           const biost_record *record, char *room) {
    biost_store_sequence one;
    size_t bases = record->seq_bases;
    char *qual = info->has_quality ? room + bases : NULL;
    if (biost_store_get(store, number, &one) != BIOST_OK) {
        return "is not in the store";
    }
    if (info->names != BIOST_STORE_NO_NAMES) {
        int whole = info->names == BIOST_STORE_TITLES;
        size_t bytes = whole ? record->title_bytes : record->name_bytes;
        if (one.title_bytes != bytes || memcmp(one.title, whole ? record->title : record->name, bytes) != 0) {
            return "has another title in the store";
        }
    }
    if (one.bases != bases || biost_store_fetch(store, number, 0, bases, room, qual) != BIOST_OK ||
        memcmp(room, record->seq, bases) != 0) {
        return "has other bases in the store";
    }
    return qual != NULL && record->qual != NULL && memcmp(qual, record->qual, bases) != 0
               ? "has other qualities in the store"
               : NULL;
}

/* Compare the records of a file with each `step`th sequence from *io_number on. Returns an exit code. */
static int compare_file(const biost_store *store, const char *path, uint64_t *io_number, uint64_t step) {
    biost_reader_desc desc;
    biost_store_info info;
    biost_reader *reader;
    biost_record record;
    biost_error error;
    const char *wrong = NULL;
    char *room = NULL, *grown;
    size_t capacity = 0;
    biost_result result;
    fx_bar bar;
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    biost_store_info_of(store, &info);
    result = biost_reader_open(&desc, &reader, &error);
    if (result != BIOST_OK) {
        return fx_fail(PROGRAM, result, &error);
    }
    fx_bar_begin(&bar, path, 0);
    while (wrong == NULL && (result = biost_reader_next(reader, &record)) == BIOST_OK) {
        fx_bar_reader(&bar, reader);
        if (capacity < 2 * record.seq_bases + 1) {
            capacity = 3 * record.seq_bases + 1;
            grown = (char *)realloc(room, capacity);
            if (grown == NULL) {
                wrong = "needs more memory than there is";
                break;
            }
            room = grown;
        }
        wrong = differs(store, &info, *io_number, &record, room);
        *io_number += wrong == NULL ? step : 0;
    }
    fx_bar_end(&bar);
    if (wrong != NULL) {
        fprintf(stderr, PROGRAM ": ");
        fx_print_name(stderr, path);
        fprintf(stderr, ": record %" PRIu64 " (line %" PRIu64 ") %s\n", record.id + 1, record.line, wrong);
    } else if (result < 0) {
        (void)fx_fail(PROGRAM, result, biost_reader_error(reader));
    }
    free(room);
    biost_reader_close(reader);
    return wrong != NULL || result < 0 ? FX_BAD_DATA : FX_OK;
}

/*
 * Compare all records of all files with the store. With `is_two` those of two files are the sequences in turn.
 * Returns an exit code.
 */
static int compare(const biost_store *store, char **files, uint32_t count, int is_two) {
    biost_store_info info;
    uint64_t number = 0, first = 0;
    uint32_t at;
    int status = FX_OK;
    biost_store_info_of(store, &info);
    for (at = 0; at < count && status == FX_OK; ++at) {
        const int is_second = is_two && at % 2 == 1;
        uint64_t next = is_second ? first + 1 : number;
        first = number;
        status = compare_file(store, files[at], &next, is_two ? 2 : 1);
        number = is_second ? next - 1 : next;
    }
    if (status == FX_OK && number < info.sequence_count) {
        fprintf(stderr, PROGRAM ": the store has %" PRIu64 " sequences, and the files %" PRIu64 "\n",
                info.sequence_count, number);
        status = FX_BAD_DATA;
    }
    return status;
}

/* ---- a stretch --------------------------------------------------------------- */

/* Digits, with commas between them if there are any. Returns 0 if it is no number. */
static int take_number(const char *text, size_t bytes, uint64_t *out_number) {
    char digits[32];
    size_t at, count = 0;
    for (at = 0; at < bytes; ++at) {
        if (text[at] != ',' && count + 1 < sizeof digits) {
            digits[count++] = text[at];
        } else if (text[at] != ',') {
            return 0;
        }
    }
    digits[count] = '\0';
    return count > 0 && fx_parse_u64(digits, out_number);
}

/* Cut ':START' or ':START-END' off a name. Returns the bytes of the name, 0 if that is none. */
static size_t cut_numbers(const char *region, uint64_t *out_start, uint64_t *out_end) {
    const char *colon = strrchr(region, ':'), *dash;
    size_t first;
    if (colon == NULL) {
        return 0;
    }
    dash = strchr(colon, '-');
    first = dash != NULL ? (size_t)(dash - colon) - 1 : strlen(colon + 1);
    *out_end = UINT64_MAX;
    if (!take_number(colon + 1, first, out_start) ||
        (dash != NULL && !take_number(dash + 1, strlen(dash + 1), out_end))) {
        return 0;
    }
    return (size_t)(colon - region);
}

/* How many letters to put in, leave out or change make one name the other; of names up to NAME_MOST bytes. */
static size_t distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes) {
    size_t row[NAME_MOST + 1], i, k;
    for (k = 0; k <= b_bytes; ++k) {
        row[k] = k;
    }
    for (i = 1; i <= a_bytes; ++i) {
        size_t before = row[0];
        row[0] = i;
        for (k = 1; k <= b_bytes; ++k) {
            size_t here = before + (a[i - 1] != b[k - 1] ? 1 : 0);
            before = row[k];
            here = row[k] + 1 < here ? row[k] + 1 : here;
            row[k] = row[k - 1] + 1 < here ? row[k - 1] + 1 : here;
        }
    }
    return row[b_bytes];
}

/* The first word of a title. */
static const char *first_word(const biost_store_sequence *sequence, size_t *out_bytes) {
    size_t start = 0, end;
    while (start < sequence->title_bytes &&
           (sequence->title[start] == ' ' || sequence->title[start] == '\t')) {
        ++start;
    }
    end = start;
    while (end < sequence->title_bytes && sequence->title[end] != ' ' && sequence->title[end] != '\t') {
        ++end;
    }
    *out_bytes = end - start;
    return sequence->title + start;
}

/* Say that there is no such sequence, and which name among the first 100,000 is nearest. Returns the exit code. */
static int say_no_name(const biost_store *store, const char *name, size_t bytes) {
    biost_store_sequence sequence;
    uint64_t i;
    size_t best = bytes, nearest_bytes = 0;
    char nearest[NAME_MOST + 1];
    biost_store_info info;
    biost_store_info_of(store, &info);
    if (info.names == BIOST_STORE_NO_NAMES) {
        fx_complain(PROGRAM, "the store has no names: build it with names");
        return FX_BAD_DATA;
    }
    for (i = 0; i < 100000 && bytes <= NAME_MOST && biost_store_get(store, i, &sequence) == BIOST_OK; ++i) {
        size_t word_bytes;
        const char *word = first_word(&sequence, &word_bytes);
        size_t away = word_bytes > 0 && word_bytes <= NAME_MOST ? distance(name, bytes, word, word_bytes)
                                                                : best;
        if (away < best) {
            best = away;
            nearest_bytes = word_bytes;
            memcpy(nearest, word, word_bytes);
        }
    }
    fprintf(stderr, "%s: no sequence is named ", PROGRAM);
    fx_print_name(stderr, name);
    if (nearest_bytes > 0) {
        nearest[nearest_bytes] = '\0';
        fputs("; the nearest name is ", stderr);
        fx_print_name(stderr, nearest);
    }
    fputc('\n', stderr);
    return FX_BAD_DATA;
}

/* Say that two sequences have a name. Returns the exit code. */
static int say_twice(const char *name, uint64_t number, uint64_t other) {
    char words[96];
    snprintf(words, sizeof words,
             "is the name of two sequences: numbers %" PRIu64 " and %" PRIu64 ", counted from 0", number,
             other);
    fx_complain_of(PROGRAM, name, words, NULL);
    return FX_BAD_DATA;
}

/* Write bases [start, end) in lines. Returns the exit code. */
static int put_bases(const biost_store *store, const char *region, uint64_t number, uint64_t start,
                     uint64_t end) {
    char lines[(COLUMNS + 1) * 1024];
    int status = FX_OK;
    printf(">%s\n", region);
    while (start < end) {
        size_t used = 0;
        while (start < end && used < sizeof lines) {
            uint64_t stop = end - start > COLUMNS ? start + COLUMNS : end;
            (void)biost_store_fetch(store, number, start, stop, lines + used, NULL);
            used += (size_t)(stop - start);
            lines[used++] = '\n';
            start = stop;
        }
        if (!fx_write(PROGRAM, lines, used, &status)) {
            return status;
        }
    }
    fx_flush(PROGRAM, &status);
    return status;
}

/* Write the bases of a region, NAME[:START[-END]]. Returns an exit code. */
static int fetch(const biost_store *store, const char *region) {
    biost_store_sequence sequence;
    uint64_t number, other, start = 1, end = UINT64_MAX;
    size_t bytes = strlen(region);
    int is_found = biost_store_find(store, region, bytes, &number) == BIOST_OK;
    if (!is_found) {
        size_t cut = cut_numbers(region, &start, &end);
        bytes = cut > 0 ? cut : bytes;
        is_found = cut > 0 && biost_store_find(store, region, cut, &number) == BIOST_OK;
    }
    if (!is_found || biost_store_find_again(store, number, &other) == BIOST_OK) {
        char *name = (char *)malloc(bytes + 1);
        int status;
        if (name == NULL) {
            fx_complain(PROGRAM, "out of memory");
            return FX_BAD_DATA;
        }
        memcpy(name, region, bytes);
        name[bytes] = '\0';
        status = is_found ? say_twice(name, number, other) : say_no_name(store, name, bytes);
        free(name);
        return status;
    }
    if (start == 0) {
        fx_complain_of(PROGRAM, region, "begins before the sequence", "START counts from 1");
        return FX_BAD_DATA;
    }
    (void)biost_store_get(store, number, &sequence);
    end = end < sequence.bases ? end : sequence.bases;
    if (start - 1 >= end &&
        (sequence.bases > 0 || start > 1)) { /* a sequence without bases has all of them */
        fprintf(stderr, "%s: %s: there are no such bases: the sequence has %" PRIu64 "\n", PROGRAM, region,
                sequence.bases);
        return FX_BAD_DATA;
    }
    return put_bases(store, region, number, start - 1, end);
}

/* ---- what is asked for ---------------------------------------------------------- */

/* Draw the bar of a store that is being built; it goes on. */
static int draw(uint64_t record_count, uint64_t base_count, void *user_data) {
    fx_bar *bar = (fx_bar *)user_data;
    if (fx_bar_due(bar)) {
        fx_bar_draw(bar, 0, 0, base_count, record_count);
    }
    return 1;
}

static int make(const options *opt, char **files, uint32_t count) {
    biost_store_desc desc = describe(opt, files, count);
    biost_store *store;
    biost_error error;
    biost_result result;
    fx_bar bar;
    uint32_t at;
    for (at = 0; at < count; ++at) {
        if (fx_check_output(PROGRAM, opt->output, files[at]) != FX_OK) {
            return FX_USAGE;
        }
    }
    if (fx_look(opt->output, NULL) != FX_SPECIAL) { /* which is refused: a store is a file */
        fx_before_save(PROGRAM, opt->output);
    }
    fx_bar_begin(&bar, opt->output, 0);
    bar.unit = "Mb";
    desc.progress = draw;
    desc.user_data = &bar;
    result = biost_store_build(&desc, &store, &error);
    fx_bar_end(&bar);
    if (result != BIOST_OK) {
        return fx_fail(PROGRAM, result, &error);
    }
    (void)biost_store_close(store, NULL);
    return FX_OK;
}

/* With a store that is there. Returns an exit code. */
static int use(const options *opt, const char *path, char **files, uint32_t count) {
    biost_store_desc desc = describe(opt, files, count);
    biost_store *store;
    biost_error error;
    biost_result result = biost_store_load(path, NULL, &store, &error);
    int status = FX_OK;
    if (result != BIOST_OK) {
        return fx_fail(PROGRAM, result, &error);
    }
    if (opt->info != NULL) {
        if (opt->list) {
            print_list(store);
        } else {
            print_info(store);
        }
        fx_flush(PROGRAM, &status);
    } else if (opt->full) {
        status = compare(store, files, count, opt->mates && !opt->interleaved);
    } else if (opt->regions.count > 0) {
        uint32_t at;
        for (at = 0; at < opt->regions.count && status == FX_OK; ++at) {
            status = fetch(store, opt->regions.texts[at]);
        }
    } else {
        result = opt->verify != NULL ? biost_store_verify(store, &error)
                                     : biost_store_check(store, &desc, &error);
        status = result != BIOST_OK ? fx_fail(PROGRAM, result, &error) : FX_OK;
    }
    (void)biost_store_close(store, NULL);
    return status;
}

int main(int argc, char **argv) {
    options opt;
    const fx_flag flags[] = {
        {'o', "output", "OUT.bst", FX_TEXT, &opt.output, 0, 0, "the store that is written"},
        {0, "qualities", "", FX_SWITCH, &opt.qualities, 0, 0, "keep qualities, lossless"},
        {0, "names", "all|names|none", FX_CHOICE, &opt.names, 0, 0, "what is kept of titles (all)"},
        {0, "letters", "dna|bytes", FX_CHOICE, &opt.letters, 0, 0,
         "two bits a base, or a byte a letter, as for proteins (dna)"},
        {0, "duplicate-names", "", FX_SWITCH, &opt.duplicates, 0, 0, "two sequences may have one name"},
        {0, "mates", "", FX_SWITCH, &opt.mates, 0, 0,
         "FILEs are R1, R2, R1, R2 and so on: the store has pairs, whose names are compared"},
        {0, "interleaved", "", FX_SWITCH, &opt.interleaved, 0, 0,
         "each FILE has the mates of pairs one after the other"},
        {0, "memory", "BYTES", FX_U64, &opt.memory_bytes, 1, UINT64_MAX,
         "most memory of the tables while the store is written (1073741824)"},
        {'t', "workers", "N", FX_U32, &opt.workers, 0, 256,
         "threads that inflate, pack and hash (0: one per core, at most 8)"},
        {0, "info", "STORE", FX_TEXT, &opt.info, 0, 0, "print what a store has"},
        {0, "list", "", FX_SWITCH, &opt.list, 0, 0, "with --info: a line for each sequence instead"},
        {0, "verify", "STORE", FX_TEXT, &opt.verify, 0, 0, "read all of a store and check it"},
        {0, "check", "STORE", FX_TEXT, &opt.check, 0, 0, "see whether it is still that of the FILEs"},
        {0, "full", "", FX_SWITCH, &opt.full, 0, 0, "with --check: compare all titles, bases and qualities"},
        {0, "fetch", "REGION", FX_TEXTS, &opt.regions, 0, 0,
         "write bases of the store that follows; may be given again"},
        {0, NULL, NULL, FX_SWITCH, NULL, 0, 0, NULL}};
    const fx_tool tool = {PROGRAM, "FILE... -o OUT.bst", about, flags};
    uint32_t count;
    int asked, status;
    memset(&opt, 0, sizeof opt);
    fx_arguments(&argc, &argv);
    opt.regions.texts = (const char **)calloc((size_t)argc + 1, sizeof *opt.regions.texts);
    if (opt.regions.texts == NULL) {
        fx_complain(PROGRAM, "out of memory");
        return FX_BAD_DATA;
    }
    count = fx_start(&tool, argc, argv);
    asked = (opt.output != NULL) + (opt.info != NULL) + (opt.verify != NULL) + (opt.check != NULL) +
            (opt.regions.count > 0);
    if (asked != 1) {
        fx_usage(&tool, "give one of -o, --info, --verify, --check and --fetch", "");
    }
    if ((opt.list && opt.info == NULL) || (opt.full && opt.check == NULL)) {
        fx_usage(&tool, opt.list ? "--list goes with --info" : "--full goes with --check", "");
    }
    if (opt.info != NULL || opt.verify != NULL) {
        if (count > 0) {
            fx_usage(&tool, "this is too much: ", argv[0]);
        }
        status = use(&opt, opt.info != NULL ? opt.info : opt.verify, argv, 0);
        free(opt.regions.texts);
        return status;
    }
    if (count == 0) {
        fx_usage(&tool, "no file is given", "");
    }
    if (opt.regions.count > 0 && count > 1) {
        fx_usage(&tool, "one store at a time; this is too much: ", argv[1]);
    }
    status = opt.regions.count > 0 ? use(&opt, argv[0], argv, 0)
             : opt.check != NULL   ? use(&opt, opt.check, argv, count)
                                   : make(&opt, argv, count);
    free(opt.regions.texts);
    return status;
}
