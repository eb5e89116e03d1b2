/*
 * groups_model.h - what a loader of several groups must deliver, by the definitions: files in turns, filters, a shuffle
 * buffer for each group, the mix, passes and the end of the epoch, all as loops over arrays. Records are made here, so
 * that nothing is parsed.
 *
 * Include it after loader_oracle.h.
 */
#ifndef GROUPS_MODEL_H
#define GROUPS_MODEL_H

#define MODEL_FILES  64u
#define MODEL_GROUPS 6u
#define MODEL_STATE  8192u /* the most bytes of a state of these tests */

#define MODEL_NO_RECORD 0xFFFFFFFFu /* of a fault that is of no record */

typedef struct model_record {
    size_t at; /* in the file's bases */
    uint32_t bases;
    int bad;
} model_record;

typedef struct model_file {
    bytes bases, text, input; /* of all records; as FASTQ or FASTA; as the loader gets it */
    model_record *records;
    size_t count, capacity;
    int fasta;
    uint32_t line_bases;   /* of FASTA; 0: one line */
    biost_fault end_fault; /* what comes after its records; or NONE */
} model_file;

typedef struct model_case {
    biost_loader_desc desc;
    biost_group groups[MODEL_GROUPS];
    biost_memory memories[MODEL_FILES];
    double labels[MODEL_FILES];
    char names[MODEL_FILES][16];
    model_file files[MODEL_FILES];
    uint32_t file_count;
} model_case;

typedef struct model_row {
    int64_t id, start;
    uint64_t number;
    uint32_t piece, bases, cell, tie, pass, flags;
    uint16_t group;
} model_row;

typedef struct model_pass {
    model_row *rows;
    size_t count, capacity, at;
    uint64_t records, skipped, dropped[BIOST_DROP_COUNT];
    biost_fault fault; /* that ends it; or NONE */
    int64_t bad_id;
} model_pass;

typedef struct model_epoch {
    uint64_t number;
    model_row *rows;
    size_t count, capacity;
    int failed;
    biost_fault fault; /* of a record or of a group without a row */
    uint32_t failed_group;
    int64_t bad_id;
    uint64_t group_rows[MODEL_GROUPS], passes[MODEL_GROUPS];
    model_pass pass[MODEL_GROUPS]; /* the last one of each group */
} model_epoch;

/* ---- records ---- */

static void model_add_record(model_file *file, uint32_t bases, int bad, uint64_t *random) {
    model_record *record;
    uint32_t i;
    file->records = (model_record *)oracle_grow(file->records, file->count, &file->capacity,
                                                sizeof(model_record));
    record = &file->records[file->count++];
    record->at = file->bases.count;
    record->bases = bases;
    record->bad = bad;
    for (i = 0; i < bases; ++i) {
        bytes_byte(&file->bases, (uint8_t) "ACGTACGTACGTACGN"[random_below(random, 16)]);
    }
}

static uint8_t model_quality(size_t record, uint32_t base) {
    return (uint8_t)((record * 7 + base) % 40);
}

static void model_put_record(model_file *file, uint32_t number, size_t index) {
    const model_record *record = &file->records[index];
    const uint8_t *bases = file->bases.data + record->at;
    char title[64];
    uint32_t i, step = file->line_bases > 0 ? file->line_bases : record->bases;
    snprintf(title, sizeof title, "%cf%u_%u of this\n", file->fasta ? '>' : '@', (unsigned)number,
             (unsigned)index);
    bytes_words(&file->text, title);
    if (record->bad && file->fasta) {
        bytes_words(&file->text, "\x01");
    }
    for (i = 0; file->fasta && i < record->bases; i += step) {
        bytes_add(&file->text, bases + i, record->bases - i < step ? record->bases - i : step);
        bytes_words(&file->text, "\n");
    }
    if (file->fasta) {
        bytes_words(&file->text, record->bad && record->bases == 0 ? "\n" : "");
        return;
    }
    bytes_add(&file->text, bases, record->bases);
    bytes_words(&file->text, "\n+\n");
    for (i = 0; i < record->bases; ++i) {
        bytes_byte(&file->text, 33u + model_quality(index, i));
    }
    bytes_words(&file->text, record->bad ? "II\n" : "\n");
}

/* Write the text of a file, and its input: 0 plain, 1 one gzip member, 2 several, 3 BGZF. */
static void model_put_file(model_case *c, uint32_t number, uint32_t packing, uint64_t *random) {
    model_file *file = &c->files[number];
    size_t i;
    bytes_words(&file->text, "");
    bytes_words(&file->bases, "");
    for (i = 0; i < file->count; ++i) {
        model_put_record(file, number, i);
    }
    if (packing == 0) {
        bytes_add(&file->input, file->text.data, file->text.count);
    } else {
        size_t member = packing == 1 ? file->text.count + 1 : 1 + random_below(random, 600);
        gzip_make(&file->input, &file->text, member, 1 + random_below(random, 400), packing == 3);
    }
    snprintf(c->names[number], sizeof c->names[number], "file %u", (unsigned)number);
    c->memories[number].data = file->input.data;
    c->memories[number].bytes = file->input.count;
    c->memories[number].name = c->names[number];
    c->file_count = number >= c->file_count ? number + 1 : c->file_count;
    c->desc.memories = c->memories;
    c->desc.memory_count = c->file_count;
}

static void model_free(model_case *c) {
    uint32_t i;
    for (i = 0; i < MODEL_FILES; ++i) {
        bytes_free(&c->files[i].bases);
        bytes_free(&c->files[i].text);
        bytes_free(&c->files[i].input);
        free(c->files[i].records);
    }
    memset(c, 0, sizeof *c);
}

/* A group of the files from `first` on. */
TEST_MAYBE_UNUSED static void model_group(model_case *c, const char *name, uint32_t first, uint32_t count,
                                          uint32_t weight) {
    biost_group *group = &c->groups[c->desc.group_count++];
    memset(group, 0, sizeof *group);
    group->name = name;
    group->first_input = first;
    group->input_count = count;
    group->weight = weight;
    c->desc.groups = c->groups;
}

/* A file of records of so many bases each, plain. */
TEST_MAYBE_UNUSED static void model_add_file(model_case *c, int fasta, uint32_t records, uint32_t min_bases,
                                             uint32_t max_bases, uint64_t *random) {
    uint32_t i, number = c->file_count;
    c->files[number].fasta = fasta;
    for (i = 0; i < records; ++i) {
        model_add_record(&c->files[number], min_bases + random_below(random, max_bases - min_bases + 1), 0,
                         random);
    }
    model_put_file(c, number, 0, random);
}

static void model_begin(model_case *c) {
    memset(c, 0, sizeof *c);
    c->desc.encoding.kind = BIOST_ENCODE_TOKENS;
    c->desc.row_bases = 20;
    c->desc.batch_rows = 8;
    c->desc.workers = 1;
}

/* ---- random words, permutation, mix ---- */

static void model_key(const model_case *c, uint64_t epoch, uint32_t pass, uint32_t stage, uint32_t key[2]) {
    uint32_t counter[4], seed[2], words[4];
    counter[0] = stage == ORACLE_KEEP ? 0 : (uint32_t)epoch;
    counter[1] = stage == ORACLE_KEEP ? 0 : (uint32_t)(epoch >> 32);
    counter[2] = stage;
    counter[3] = 0x42494F53u + (stage == ORACLE_KEEP ? 0 : pass);
    seed[0] = (uint32_t)c->desc.seed;
    seed[1] = (uint32_t)(c->desc.seed >> 32);
    oracle_philox(counter, seed, words);
    key[0] = words[0];
    key[1] = words[1];
}

static uint32_t model_word(const uint32_t key[2], int64_t id, uint32_t piece, uint32_t word) {
    uint32_t counter[4], words[4];
    counter[0] = word / 4;
    counter[1] = piece;
    counter[2] = (uint32_t)(uint64_t)id;
    counter[3] = (uint32_t)((uint64_t)id >> 32);
    oracle_philox(counter, key, words);
    return words[word % 4];
}

/* A number below `bound`, of words other than `never`. */
static uint32_t model_below(const uint32_t key[2], const model_row *row, uint32_t bound, uint32_t never) {
    uint32_t word;
    for (word = 0;; ++word) {
        uint64_t product = (uint64_t)model_word(key, row->id, row->piece, word) * bound;
        if (word != never && (product & 0xFFFFFFFFu) >= ((uint64_t)1 << 32) % bound) {
            return (uint32_t)(product >> 32);
        }
    }
}

/* P(x) over [0, n), of stage FILES. */
static uint64_t model_permute(const model_case *c, uint64_t epoch, uint32_t pass, uint32_t group, uint64_t n,
                              uint64_t x) {
    uint32_t key[2], bits = 0, low, high, round, rounds = n < 65536 ? 16 : 8;
    uint64_t low_mask, high_mask;
    if (n == 1) {
        return 0;
    }
    while ((n - 1) >> bits != 0) {
        ++bits;
    }
    high = bits / 2;
    low = bits - high;
    low_mask = ((uint64_t)1 << low) - 1;
    high_mask = ((uint64_t)1 << high) - 1;
    model_key(c, epoch, pass, 1, key);
    do {
        for (round = 0; round < rounds; ++round) {
            uint32_t counter[4] = {0, 0, 0, 0}, words[4];
            uint64_t k, z, of = round % 2 == 0 ? x >> low : x & low_mask;
            counter[0] = round / 2;
            counter[1] = group;
            oracle_philox(counter, key, words);
            k = round % 2 == 0 ? (uint64_t)words[1] << 32 | words[0] : (uint64_t)words[3] << 32 | words[2];
            z = (of ^ k) * 0x9E3779B97F4A7C15u;
            z ^= z >> 29;
            z *= 0xBF58476D1CE4E5B9u;
            z >>= 32;
            x ^= round % 2 == 0 ? z & low_mask : (z & high_mask) << low;
        }
    } while (x >= n);
    return x;
}

static uint32_t model_group_count(const model_case *c) {
    return c->desc.group_count > 0 ? c->desc.group_count : 1;
}

static uint64_t model_weight(const model_case *c, uint32_t group) {
    return c->desc.group_count > 0 ? c->desc.groups[group].weight : 1;
}

static uint64_t model_weights(const model_case *c) {
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < model_group_count(c); ++i) {
        sum += model_weight(c, i);
    }
    return sum;
}

static uint64_t model_divisor(uint64_t a, uint64_t b) {
    return b == 0 ? a : model_divisor(b, a % b);
}

/* The group of row n of the mix, and count it. */
static uint32_t model_mix(const model_case *c, uint64_t n, uint64_t taken[MODEL_GROUPS]) {
    uint32_t i, best = UINT32_MAX, count = model_group_count(c);
    uint64_t divisor = 0, sum;
    for (i = 0; i < count; ++i) {
        divisor = model_divisor(divisor, model_weight(c, i));
    }
    sum = model_weights(c) / divisor;
    if (n % sum == 0) {
        memset(taken, 0, count * sizeof taken[0]);
    }
    for (i = 0; i < count; ++i) {
        uint64_t w = model_weight(c, i) / divisor;
        if (taken[i] * sum < (n % sum + 1) * w &&
            (best == UINT32_MAX ||
             (taken[i] + 1) * (model_weight(c, best) / divisor) < (taken[best] + 1) * w)) {
            best = i;
        }
    }
    ++taken[best];
    return best;
}

/* ---- one pass ---- */

static uint32_t model_pieces(const biost_loader_desc *desc, uint32_t bases) {
    uint32_t stride = desc->split_stride > 0 ? desc->split_stride : desc->row_bases;
    return desc->long_records != BIOST_LONG_SPLIT || bases <= desc->row_bases
               ? 1
               : 1 + (bases - desc->row_bases + stride - 1) / stride;
}

static uint32_t model_n_count(const model_file *file, const model_record *record, uint32_t from,
                              uint32_t count) {
    uint32_t n = 0, i;
    for (i = 0; i < count; ++i) {
        n += file->bases.data[record->at + from + i] == 'N';
    }
    return n;
}

static biost_drop_reason model_judge(const model_case *c, int64_t id, uint64_t visited) {
    const biost_filter *filter = &c->desc.filter;
    const model_file *file = &c->files[id >> 40];
    const model_record *record = &file->records[id & 0xFFFFFFFF];
    uint32_t key[2];
    uint64_t hash,
        below = filter->subsample_below > 0 ? oracle_threshold(filter->subsample_below) : (uint64_t)1 << 32;
    if (filter->first_records > 0 && visited >= filter->first_records) {
        return BIOST_DROP_FIRST_RECORDS;
    }
    if (filter->every_record > 1 && visited % filter->every_record != 0) {
        return BIOST_DROP_EVERY_RECORD;
    }
    model_key(c, 0, 0, ORACLE_KEEP, key);
    hash = model_word(key, id, 0, 0);
    if (hash < oracle_threshold(filter->subsample_from) || hash >= below) {
        return BIOST_DROP_SUBSAMPLE;
    }
    if (record->bases < filter->min_length ||
        (filter->max_length > 0 && record->bases > filter->max_length)) {
        return BIOST_DROP_LENGTH;
    }
    return c->desc.long_records != BIOST_LONG_SPLIT &&
                   oracle_drops_n(filter, model_n_count(file, record, 0, record->bases), record->bases)
               ? BIOST_DROP_N
               : BIOST_DROP_COUNT;
}

static void model_add_row(model_row **rows, size_t *count, size_t *capacity, const model_row *row) {
    *rows = (model_row *)oracle_grow(*rows, *count, capacity, sizeof(model_row));
    (*rows)[(*count)++] = *row;
}

/* The turn of a piece of a record which is not left out. */
static void model_take_piece(const model_case *c, model_pass *pass, const uint32_t keys[2], model_row *row) {
    const biost_loader_desc *desc = &c->desc;
    const model_file *file = &c->files[row->id >> 40];
    const model_record *record = &file->records[row->id & 0xFFFFFFFF];
    uint32_t most = desc->row_bases > 0 ? desc->row_bases : desc->max_row_bases, key[2];
    memcpy(key, keys, sizeof key);
    row->start = 0;
    row->bases = record->bases;
    row->flags = 0;
    if (desc->long_records == BIOST_LONG_SPLIT) {
        row->start = (int64_t)row->piece * (desc->split_stride > 0 ? desc->split_stride : most);
        row->bases = record->bases - (uint32_t)row->start;
        row->bases = row->bases < most ? row->bases : most;
        if (oracle_drops_n(&desc->filter, model_n_count(file, record, (uint32_t)row->start, row->bases),
                           row->bases)) {
            ++pass->dropped[BIOST_DROP_N];
            return;
        }
    } else if (record->bases > most) {
        row->bases = most;
        row->flags = BIOST_ROW_TRUNCATED;
        row->start = desc->long_records == BIOST_LONG_TAIL     ? record->bases - most
                     : desc->long_records == BIOST_LONG_CENTER ? (record->bases - most) / 2
                     : desc->long_records == BIOST_LONG_CROP
                         ? model_below(key, row, record->bases - most + 1, UINT32_MAX)
                         : 0;
    }
    row->number = pass->count;
    model_add_row(&pass->rows, &pass->count, &pass->capacity, row);
}

static int model_before(const void *a, const void *b) {
    const model_row *x = (const model_row *)a, *y = (const model_row *)b;
    return x->tie != y->tie ? (x->tie < y->tie ? -1 : 1) : x->number < y->number ? -1 : 1;
}

static void model_shuffle(const model_case *c, model_pass *pass, uint64_t epoch, uint32_t turn,
                          uint64_t window) {
    size_t at, out = 0, held = pass->count < window ? pass->count : (size_t)window;
    model_row *cells = (model_row *)calloc(held + 1, sizeof(model_row));
    uint32_t key[2];
    model_key(c, epoch, turn, ORACLE_SHUFFLE, key);
    for (at = 0; at < pass->count; ++at) {
        model_row row = pass->rows[at];
        row.tie = model_word(key, row.id, row.piece, 3);
        row.cell = model_below(key, &row, (uint32_t)window, 3);
        if (at < window) {
            cells[at] = row;
        } else {
            pass->rows[out++] = cells[row.cell];
            cells[row.cell] = row;
        }
    }
    qsort(cells, held, sizeof(model_row), model_before);
    if (held > 0) {
        memcpy(pass->rows + out, cells, held * sizeof(model_row));
    }
    free(cells);
}

/* The rows of a pass, in their order. */
static void model_make_pass(const model_case *c, model_pass *pass, uint32_t group, uint64_t epoch,
                            uint32_t turn) {
    struct {
        uint32_t file, piece;
        size_t record;
        int open;
        biost_drop_reason drop;
    } lanes[64];
    const biost_loader_desc *desc = &c->desc;
    uint32_t first = desc->group_count > 0 ? desc->groups[group].first_input : 0, i, next = 0, at = 0,
             idle = 0;
    uint32_t count = desc->group_count > 0 ? desc->groups[group].input_count : c->file_count;
    uint32_t lane_count = desc->open_files > 1 ? desc->open_files : 1, key[2];
    uint64_t window = desc->shuffle_rows * model_weight(c, group) / model_weights(c);
    free(pass->rows);
    memset(pass, 0, sizeof *pass);
    lane_count = lane_count < count ? lane_count : count;
    memset(lanes, 0, sizeof lanes);
    model_key(c, epoch, turn, ORACLE_CROP, key);
    for (i = 0; i < lane_count; ++i) {
        lanes[i].file = UINT32_MAX;
        lanes[i].open = 1;
    }
    /* the first files are opened in the order of the lanes */
    for (i = 0; i < lane_count; ++i, ++next) {
        lanes[i].file = first + (uint32_t)(desc->shuffle_files
                                               ? model_permute(c, epoch, turn, group, count, next)
                                               : next);
    }
    while (idle < lane_count) {
        model_row row;
        const model_record *record;
        if (lanes[at].open && lanes[at].record == c->files[lanes[at].file].count &&
            c->files[lanes[at].file].end_fault != BIOST_FAULT_NONE) {
            pass->fault = c->files[lanes[at].file].end_fault;
            pass->bad_id = (int64_t)((uint64_t)lanes[at].file << 40 | MODEL_NO_RECORD);
            break;
        }
        if (lanes[at].open && lanes[at].record == c->files[lanes[at].file].count) {
            lanes[at].open = next < count;
            if (next < count) {
                lanes[at].file = first + (uint32_t)(desc->shuffle_files
                                                        ? model_permute(c, epoch, turn, group, count, next)
                                                        : next);
                lanes[at].record = 0;
                ++next;
            }
            continue;
        }
        if (!lanes[at].open) {
            at = (at + 1) % lane_count;
            ++idle;
            continue;
        }
        idle = 0;
        record = &c->files[lanes[at].file].records[lanes[at].record];
        memset(&row, 0, sizeof row);
        row.id = (int64_t)((uint64_t)lanes[at].file << 40 | lanes[at].record);
        row.group = (uint16_t)group;
        row.pass = turn;
        row.piece = lanes[at].piece;
        if (record->bad) {
            if (pass->skipped++ == desc->text.skip_bad) {
                pass->fault = c->files[lanes[at].file].fasta ? BIOST_FAULT_BAD_SEQ_BYTE : BIOST_FAULT_LENGTH;
                pass->bad_id = row.id;
                break;
            }
            ++lanes[at].record;
            continue;
        }
        if (row.piece == 0) {
            lanes[at].drop = model_judge(c, row.id, pass->records++);
            if (lanes[at].drop < BIOST_DROP_COUNT) {
                ++pass->dropped[lanes[at].drop];
            } else if (desc->long_records == BIOST_LONG_FAIL && record->bases > desc->row_bases) {
                pass->fault = BIOST_FAULT_ROW_TOO_LONG;
                pass->bad_id = row.id;
                break;
            }
        }
        if (lanes[at].drop == BIOST_DROP_COUNT) {
            model_take_piece(c, pass, key, &row);
        }
        if (++lanes[at].piece == model_pieces(desc, record->bases)) {
            lanes[at].piece = 0;
            ++lanes[at].record;
        }
        at = (at + 1) % lane_count;
    }
    model_shuffle(c, pass, epoch, turn, window > 1 ? window : 1);
}

/* ---- one epoch ---- */

static void model_fail(model_epoch *e, uint32_t group, biost_fault fault, int64_t bad_id) {
    e->failed = 1;
    e->failed_group = group;
    e->fault = fault;
    e->bad_id = bad_id;
}

/* A pass without a row. */
static void model_no_row(const model_case *c, model_epoch *e, uint32_t group) {
    const model_pass *pass = &e->pass[group];
    uint64_t left_out = 0;
    uint32_t i;
    for (i = 0; i < BIOST_DROP_COUNT; ++i) {
        left_out += pass->dropped[i];
    }
    if (model_group_count(c) > 1) {
        model_fail(e, group, left_out > 0 ? BIOST_FAULT_NO_GROUP_ROW : BIOST_FAULT_EMPTY_GROUP, -1);
    } else if (left_out > 0 && !c->desc.allow_no_rows) {
        model_fail(e, group, BIOST_FAULT_NO_ROW, -1);
    }
}

/* Whether the group has another row; if not, the epoch ends. */
static int model_next_pass(const model_case *c, model_epoch *e, uint32_t group) {
    model_pass *pass = &e->pass[group];
    while (pass->at == pass->count) {
        if (pass->fault != BIOST_FAULT_NONE) {
            model_fail(e, group, pass->fault, pass->bad_id);
            return 0;
        }
        if (pass->count == 0) {
            model_no_row(c, e, group);
            return 0;
        }
        if (c->desc.epoch_end == BIOST_EPOCH_END_FIRST && e->passes[group] == 1) {
            return 0;
        }
        model_make_pass(c, pass, group, e->number, (uint32_t)e->passes[group]++);
    }
    return 1;
}

static void model_make(const model_case *c, model_epoch *e, uint64_t number) {
    uint64_t taken[MODEL_GROUPS] = {0}, complete = 0;
    uint32_t i, count = model_group_count(c);
    memset(e, 0, sizeof *e);
    e->number = number;
    for (i = 0; i < count; ++i) {
        model_make_pass(c, &e->pass[i], i, number, 0);
        e->passes[i] = 1;
    }
    for (;;) {
        model_pass *pass;
        if ((c->desc.epoch_end == BIOST_EPOCH_END_ROWS && e->count == c->desc.epoch_rows) ||
            (c->desc.epoch_end == BIOST_EPOCH_END_ALL && complete == count)) {
            return;
        }
        i = model_mix(c, e->count, taken);
        if (!model_next_pass(c, e, i)) {
            return;
        }
        pass = &e->pass[i];
        model_add_row(&e->rows, &e->count, &e->capacity, &pass->rows[pass->at++]);
        ++e->group_rows[i];
        complete += pass->at == pass->count && pass->fault == BIOST_FAULT_NONE && e->passes[i] == 1;
    }
}

static void model_epoch_free(model_epoch *e) {
    uint32_t i;
    for (i = 0; i < MODEL_GROUPS; ++i) {
        free(e->pass[i].rows);
    }
    free(e->rows);
    memset(e, 0, sizeof *e);
}

/* ---- a loader against it ---- */

static uint32_t model_batch_rows(const model_case *c) {
    return c->desc.batch_rows;
}

/* Batches of the epoch. */
static size_t model_batches(const model_case *c, const model_epoch *e) {
    size_t size = model_batch_rows(c);
    return e->count / size +
           (e->count % size > 0 && (c->desc.tail != BIOST_TAIL_DROP || e->failed) ? 1u : 0u);
}

static void model_check_label(const model_case *c, const biost_tensor *tensor, uint32_t row,
                              const model_row *want) {
    double value;
    if (!CHECK(tensor != NULL)) {
        return;
    }
    value = want == NULL                               ? 0
            : c->desc.labels.kind == BIOST_LABEL_GROUP ? c->desc.groups[want->group].label
            : c->desc.labels.of_inputs == NULL         ? (double)(want->id >> 40)
                                                       : c->desc.labels.of_inputs[want->id >> 40];
    switch (c->desc.labels.dtype) {
    case BIOST_DTYPE_U8: CHECK_EQ_U64(((const uint8_t *)tensor->data)[row], (uint8_t)value); break;
    case BIOST_DTYPE_I32: CHECK_EQ_I64(((const int32_t *)tensor->data)[row], (int32_t)value); break;
    case BIOST_DTYPE_I64: CHECK_EQ_I64(((const int64_t *)tensor->data)[row], (int64_t)value); break;
    default: {
        float narrow = (float)value;
        CHECK(memcmp((const float *)tensor->data + row, &narrow, sizeof narrow) == 0);
        break;
    }
    }
}

/* The tokens of a row, and its qualities. */
static void model_check_bases(const model_case *c, const biost_batch *batch, uint32_t row,
                              const model_row *want) {
    static uint8_t expected[65536], scores[65536];
    const model_file *file = &c->files[want->id >> 40];
    size_t record = (size_t)(want->id & 0xFFFFFFFF), columns = (size_t)batch->x.shape[1];
    const uint8_t *bases = file->bases.data + file->records[record].at + want->start;
    uint32_t i;
    if (!CHECK(columns <= sizeof expected && want->bases <= columns)) {
        return;
    }
    memset(expected, 0, columns);
    memset(scores, 0, columns);
    for (i = 0; i < want->bases; ++i) {
        expected[i] = (uint8_t)(1 + (strchr("ACGTN", bases[i]) - "ACGTN"));
        scores[i] = model_quality(record, (uint32_t)want->start + i);
    }
    CHECK_MEM((const uint8_t *)batch->x.data + row * columns, expected, columns);
    if (c->desc.quality.kind == BIOST_QUALITY_PHRED) {
        const biost_tensor *quality = biost_batch_tensor(batch, BIOST_ROLE_QUALITY);
        CHECK(quality != NULL);
        CHECK_MEM((const uint8_t *)quality->data + row * columns, scores, columns);
    }
}

/* One row; want is NULL for padding. */
static int model_check_row(const model_case *c, const biost_batch *batch, uint32_t row,
                           const model_row *want) {
    const biost_row *have = &batch->origins[row];
    char name[64] = "";
    int good = 1;
    if (c->desc.labels.kind != BIOST_LABEL_NONE) {
        model_check_label(c, biost_batch_tensor(batch, BIOST_ROLE_LABEL), row, want);
    }
    if (want == NULL) {
        return CHECK_EQ_I64(have->id, -1) && CHECK_EQ_I64(batch->lengths[row], 0) &&
               CHECK(have->pass == 0 && have->group == 0);
    }
    good &= CHECK_EQ_I64(have->id, want->id);
    good &= CHECK_EQ_U64(have->piece, want->piece);
    good &= CHECK_EQ_U64(have->pass, want->pass);
    good &= CHECK_EQ_U64(have->group, want->group);
    good &= CHECK_EQ_I64(have->start_base, want->start);
    good &= CHECK_EQ_U64(have->flags, want->flags);
    good &= CHECK_EQ_I64(batch->lengths[row], want->bases);
    CHECK(have->mate == 0 && have->strand == 0);
    if (good) {
        model_check_bases(c, batch, row, want);
    }
    if (c->desc.names) {
        snprintf(name, sizeof name, "f%u_%u", (unsigned)(want->id >> 40), (unsigned)(want->id & 0xFFFFFFFF));
        CHECK_STR(batch->names + batch->name_offsets[row], name);
    }
    return good;
}

/* Batch `index` of the epoch on this place. Returns 0 after a row that is another. */
static int model_check_batch(const model_case *c, const biost_loader_desc *place, const model_epoch *e,
                             size_t index, const biost_batch *batch) {
    size_t size = model_batch_rows(c), first = index * size, m, row;
    size_t world = place->world > 0 ? place->world : 1, rank_rows = size / world, from, to;
    uint32_t flags = 0;
    if (!CHECK(index < model_batches(c, e))) {
        return 0;
    }
    m = e->count - first < size ? e->count - first : size;
    from = place->rank * m / world;
    to = (place->rank + 1) * m / world;
    if (first + m == e->count) {
        flags |= (uint32_t)BIOST_BATCH_LAST | (e->failed ? (uint32_t)BIOST_BATCH_BEFORE_ERROR : 0u);
    }
    if (m < size && c->desc.tail == BIOST_TAIL_SHORT) {
        rank_rows = to - from;
        flags |= rank_rows < size / world ? (uint32_t)BIOST_BATCH_SHORT : 0u;
    }
    CHECK_EQ_U64(batch->epoch, e->number);
    CHECK_EQ_U64(batch->index, index);
    CHECK_EQ_U64(batch->flags, flags);
    if (!CHECK_EQ_U64(batch->valid_rows, to - from) || !CHECK_EQ_U64(batch->rows, rank_rows)) {
        return 0;
    }
    for (row = 0; row < rank_rows; ++row) {
        if (!model_check_row(c, batch, (uint32_t)row,
                             row < to - from ? &e->rows[first + from + row] : NULL)) {
            return 0;
        }
    }
    return 1;
}

/* How a failed epoch says it. */
static void model_check_error(const model_case *c, const model_epoch *e, biost_loader *loader) {
    const biost_error *error = error_of(loader);
    const char *name = c->desc.group_count > 0 ? c->desc.groups[e->failed_group].name : NULL;
    char number[32];
    CHECK_STR(biost_fault_name(error->fault), biost_fault_name(e->fault));
    if (e->bad_id >= 0) {
        CHECK_EQ_U64(error->path_index, e->bad_id >> 40);
        if ((e->bad_id & 0xFFFFFFFF) != MODEL_NO_RECORD) {
            CHECK_EQ_U64(error->record, e->bad_id & 0xFFFFFFFF);
        }
        name = c->names[e->bad_id >> 40];
    } else if (model_group_count(c) > 1) {
        snprintf(number, sizeof number, "group %u", (unsigned)e->failed_group);
        name = name != NULL ? name : number;
    } else {
        return;
    }
    if (!CHECK(strstr(error->text, name) != NULL)) {
        printf("    sentence: %s\n", error->text);
    }
}

/* The rest of an epoch, from batch `index` on. */
static int model_drain(const model_case *c, const biost_loader_desc *place, const model_epoch *e,
                       biost_loader *loader, size_t index) {
    biost_batch batch;
    biost_result result;
    while ((result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        int good = model_check_batch(c, place, e, index++, &batch);
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        if (!good) {
            return 0;
        }
    }
    CHECK_EQ_U64(index, model_batches(c, e));
    if (e->failed) {
        if (CHECK(result < 0)) {
            model_check_error(c, e, loader);
            CHECK(biost_loader_next(loader, &batch) == result);
        }
    } else if (!CHECK(result == BIOST_END)) {
        printf("    sentence: %s\n", error_of(loader)->text);
    }
    return 1;
}

/* What is counted of a whole epoch, for each group. */
static void model_check_progress(const model_case *c, const model_epoch *e, biost_loader *loader) {
    uint32_t i, k;
    uint64_t rows = 0, passes = 0;
    biost_progress sum, of;
    biost_loader_progress(loader, &sum);
    for (i = 0; i < model_group_count(c); ++i) {
        const model_pass *pass = &e->pass[i];
        CHECK(biost_loader_group_progress(loader, i, &of) == BIOST_OK);
        CHECK_EQ_U64(of.row_count, e->group_rows[i]);
        CHECK_EQ_U64(of.pass_count, e->passes[i]);
        CHECK_EQ_U64(of.tail_dropped_rows, 0);
        CHECK(of.sample_count >= of.row_count);
        if (c->desc.epoch_end == BIOST_EPOCH_END_ALL && !e->failed && e->passes[i] == 1) {
            CHECK_EQ_U64(of.sample_count, pass->count);
            CHECK_EQ_U64(of.record_count, pass->records);
            CHECK_EQ_U64(of.skipped_count, pass->skipped);
            for (k = 0; k < BIOST_DROP_COUNT; ++k) {
                CHECK_EQ_U64(of.dropped[k], pass->dropped[k]);
            }
        }
        rows += of.row_count;
        passes += of.pass_count;
    }
    CHECK_EQ_U64(sum.row_count, rows);
    CHECK_EQ_U64(sum.row_count, e->count);
    CHECK_EQ_U64(sum.pass_count, passes);
    if (c->desc.tail == BIOST_TAIL_DROP && !e->failed) {
        CHECK_EQ_U64(sum.tail_dropped_rows, e->count % model_batch_rows(c));
    }
    CHECK(biost_loader_group_progress(loader, model_group_count(c), &of) == BIOST_ERR_ARG);
    CHECK(of.row_count == 0 && of.record_count == 0);
}

/* Open with the machine and place of `with` and drain `epochs` epochs from `first` on. */
TEST_MAYBE_UNUSED static void model_run(const model_case *c, const biost_loader_desc *with, uint64_t first,
                                        uint32_t epochs) {
    biost_loader *loader = oracle_open(with);
    uint32_t i;
    for (i = 0; i < epochs && loader != NULL; ++i) {
        model_epoch e;
        int good;
        model_make(c, &e, first + i);
        good = CHECK(biost_loader_begin(loader, first + i) == BIOST_OK) &&
               model_drain(c, with, &e, loader, 0);
        if (good) {
            model_check_progress(c, &e, loader);
        }
        good &= !e.failed;
        model_epoch_free(&e);
        if (!good) {
            break;
        }
    }
    biost_loader_close(loader);
}

/* ---- random cases ---- */

static void model_random_filter(model_case *c, uint64_t *random) {
    biost_filter *filter = &c->desc.filter;
    switch (random_below(random, 9)) {
    case 0: filter->first_records = 1 + random_below(random, 60); break;
    case 1: filter->every_record = 1 + random_below(random, 5); break;
    case 2: filter->subsample_below = 0.6f; break;
    case 3: filter->min_length = random_below(random, 30); break;
    case 4: filter->max_length = 10 + random_below(random, 60); break;
    case 5: filter->max_n_fraction = 0.05f; break;
    case 6:
        filter->forbid_n = 1;
        filter->every_record = 2;
        break;
    default: break;
    }
}

static void model_random_labels(model_case *c, uint64_t *random) {
    static const biost_dtype dtypes[] = {BIOST_DTYPE_U8, BIOST_DTYPE_I32, BIOST_DTYPE_I64, BIOST_DTYPE_F32};
    biost_labels *labels = &c->desc.labels;
    uint32_t i;
    labels->kind = random_below(random, 2) == 0                              ? BIOST_LABEL_NONE
                   : c->desc.group_count > 0 && random_below(random, 2) == 0 ? BIOST_LABEL_GROUP
                                                                             : BIOST_LABEL_INPUT;
    labels->dtype = labels->kind == BIOST_LABEL_NONE ? BIOST_DTYPE_U8 : RANDOM_OF(random, dtypes);
    for (i = 0; i < c->file_count; ++i) {
        c->labels[i] = labels->dtype == BIOST_DTYPE_U8    ? random_below(random, 256)
                       : labels->dtype == BIOST_DTYPE_F32 ? random_below(random, 1000) / 7.0 - 30
                                                          : (double)random_below(random, 1000000) - 500000;
        if (i < c->desc.group_count) {
            c->groups[i].label = c->labels[i];
        }
    }
    if (labels->kind == BIOST_LABEL_INPUT && random_below(random, 2) == 0) {
        labels->of_inputs = c->labels;
        labels->of_input_count = c->file_count;
    }
}

static void model_random_shape(model_case *c, uint64_t *random) {
    static const uint32_t shuffles[] = {0, 1, 5, 40, 200, 2000}, batches[] = {1, 4, 12, 24, 60};
    biost_loader_desc *desc = &c->desc;
    desc->batch_rows = RANDOM_OF(random, batches);
    desc->row_bases = 5 + random_below(random, 40);
    desc->long_records = (biost_long_records_mode)(1 + random_below(random, 5));
    if (random_below(random, 3) == 0) {
        desc->long_records = BIOST_LONG_SPLIT;
        desc->split_stride = random_below(random, 2) == 0 ? 1 + random_below(random, desc->row_bases) : 0;
    }
    desc->tail = (biost_tail_mode)random_below(random, 3);
    desc->shuffle_rows = RANDOM_OF(random, shuffles);
    desc->seed = test_random(random);
    desc->names = random_below(random, 4) == 0;
    desc->allow_no_rows = random_below(random, 2) == 0;
}

/* The groups of a case, over the files that are made here, and how its epochs end. */
static void model_random_groups(model_case *c, uint32_t group_count, uint64_t *random) {
    static const char *const names[MODEL_GROUPS] = {"human", NULL, "mouse", "yeast", NULL, "virus"};
    uint32_t i, k, most = 0, lanes, count, top;
    biost_loader_desc *desc = &c->desc;
    int of_qualities = random_below(random, 4) == 0;
    desc->epoch_end = (biost_epoch_end)random_below(random, 3);
    for (i = 0; i < group_count; ++i) {
        int fasta = !of_qualities && random_below(random, 2) == 0;
        count = 1 + random_below(random, 5);
        for (k = 0; k < count; ++k) {
            uint32_t number = c->file_count, records = random_below(random, 4) == 0
                                                           ? random_below(random, 3)
                                                           : random_below(random, 60);
            model_file *file = &c->files[number];
            file->fasta = fasta;
            file->line_bases = random_below(random, 3) == 0 ? 0 : 1 + random_below(random, 30);
            top = random_below(random, 4) == 0 ? 400 : 50;
            for (; records > 0; --records) {
                model_add_record(file, random_below(random, top), 0, random);
            }
            model_put_file(c, number, random_below(random, 4), random);
        }
        model_group(c, names[i], c->file_count - count, count,
                    group_count == 1                          ? 1
                    : desc->epoch_end == BIOST_EPOCH_END_ROWS ? 1 + random_below(random, 1000)
                                                              : 1 + random_below(random, 4));
        most = most > count ? most : count;
    }
    for (lanes = 0; lanes == 0 || lanes > 64;) {
        desc->open_files = random_below(random, most + 1);
        for (lanes = i = 0; i < group_count; ++i) {
            lanes += desc->open_files < c->groups[i].input_count ? desc->open_files + (desc->open_files == 0)
                                                                 : c->groups[i].input_count;
        }
    }
    desc->shuffle_files = most > 1 && random_below(random, 2) == 0;
    desc->epoch_rows = desc->epoch_end == BIOST_EPOCH_END_ROWS ? 1 + random_below(random, 300) : 0;
    desc->allow_unseen = desc->epoch_end != BIOST_EPOCH_END_ALL;
    if (of_qualities) {
        desc->quality.kind = BIOST_QUALITY_PHRED;
    }
    if (group_count == 1 && random_below(random, 2) == 0) {
        desc->group_count = 0;
        desc->groups = NULL;
    }
}

TEST_MAYBE_UNUSED static void model_random(model_case *c, uint64_t *random) {
    model_begin(c);
    model_random_shape(c, random);
    model_random_groups(c, 1 + random_below(random, MODEL_GROUPS), random);
    model_random_filter(c, random);
    model_random_labels(c, random);
}

/* Bad records here and there, and perhaps a record that no row takes. */
TEST_MAYBE_UNUSED static void model_random_damage(model_case *c, uint64_t *random) {
    static const uint64_t quotas[] = {0, 1, 3, 10};
    uint32_t i, rounds = 1 + random_below(random, 6);
    c->desc.text.skip_bad = RANDOM_OF(random, quotas);
    if (random_below(random, 4) == 0) {
        c->desc.long_records = BIOST_LONG_FAIL;
        c->desc.split_stride = 0;
        c->desc.row_bases = 60;
    }
    for (i = 0; i < rounds; ++i) {
        uint32_t number = random_below(random, c->file_count), run = 1 + random_below(random, 3);
        model_file *file = &c->files[number];
        size_t at = file->count > 0 ? random_below(random, (uint32_t)file->count) : 0;
        for (; run > 0 && at < file->count; --run, at += 2) { /* bad neighbours would count as one */
            file->records[at].bad = (at == 0 || !file->records[at - 1].bad) &&
                                    (at + 1 == file->count || !file->records[at + 1].bad);
        }
        file->text.count = file->input.count = 0;
        model_put_file(c, number, random_below(random, 4), random);
    }
}

/* A machine, and a place in a world. */
TEST_MAYBE_UNUSED static biost_loader_desc model_machine(const model_case *c, uint64_t *random) {
    biost_loader_desc desc = c->desc;
    static const uint32_t worlds[] = {1, 2, 4, 3};
    random_machine(&desc, random);
    desc.workers = desc.workers > 4 ? 4 : desc.workers;
    do {
        desc.world = RANDOM_OF(random, worlds);
    } while (desc.batch_rows % desc.world != 0);
    desc.rank = random_below(random, desc.world);
    return desc;
}

#endif /* GROUPS_MODEL_H */
