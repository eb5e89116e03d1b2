/*
 * fx_fai.h - the .fai of a FASTA or FASTQ file: where each sequence lies in the text, for tools that fetch
 *            parts of it. The same bytes as `samtools faidx` 1.16 writes, and what it refuses is refused,
 *            with a sentence.
 *
 * A line of FASTA: name, bases, byte of the text where its first base is, bases of a line, bytes of a line
 * with its end, with one tab between them; one of FASTQ has a sixth column, the byte where its first quality
 * is.
 *
 * All lines of a sequence but its last must be equally long, or such a line could not tell where a base is.
 * Bases are the bytes 33 to 126. Blank lines may stand where a sequence has ended. A sequence without a line
 * is left out, and so is one whose name came before; both are told.
 *
 * Include it after biostream.h and fx.h. In order of use: fx_fai_begin, fx_fai_take as the text comes,
 * fx_fai_finish, fx_fai_save, fx_fai_end.
 */
#ifndef FX_FAI_H
#define FX_FAI_H

/* What may come next. */
typedef enum fx_fai_state {
    FX_FAI_OUTSIDE,  /* a name, or blank lines                                         */
    FX_FAI_SEQUENCE, /* another line of the sequence, or what follows it               */
    FX_FAI_PLUS,     /* the sequence has had its short last line: only '+' may follow  */
    FX_FAI_QUALITY   /* a line of qualities, or what follows them                      */
} fx_fai_state;

/* What the line is that is being read. */
typedef enum fx_fai_kind {
    FX_FAI_NO_LINE,
    FX_FAI_NAME_LINE,
    FX_FAI_BASES_LINE,
    FX_FAI_PLUS_LINE,
    FX_FAI_QUALITY_LINE,
    FX_FAI_CR_LINE /* blank, if a line end follows the CR at once                    */
} fx_fai_kind;

/* All in bytes of the text; a line's with its end. */
typedef struct fx_fai_entry {
    uint64_t name_at; /* in `names`, ends with a NUL                                    */
    uint64_t bases, offset, line_bases, line_bytes, quality_offset;
    uint64_t line; /* of its name, from 1                                            */
    int is_again;  /* its name came before                                           */
} fx_fai_entry;

typedef struct fx_fai {
    const char *program, *path;
    fx_fai_state state;
    fx_fai_kind kind;
    char mark;              /* '>' or '@', which the first name begins with; 0: none came */
    int is_whole;           /* `now` has all it needs                                     */
    int had_whole;          /* likewise the sequence before, when this name began         */
    int name_state;         /* 0 before the name, 1 in it, 2 behind it                    */
    uint64_t line;          /* of the text, from 1                                        */
    uint64_t offset;        /* of the text, in bytes: where the next piece begins         */
    uint64_t bytes, graphs; /* of the line, without its LF; graphs: 33 to 126             */
    uint64_t qualities;     /* of `now`                                                   */
    fx_fai_entry now;
    fx_fai_entry *entries; /* [entry_capacity] */
    size_t entry_count, entry_capacity;
    char *names; /* [name_capacity] */
    size_t name_bytes, name_capacity;
} fx_fai;

static inline void fx_fai_begin(fx_fai *fai, const char *program, const char *path) {
    memset(fai, 0, sizeof *fai);
    fai->program = program;
    fai->path = path;
    fai->line = 1;
}

static inline void fx_fai_end(fx_fai *fai) {
    free(fai->entries);
    free(fai->names);
}

/* "PROGRAM: FILE: sequence 'NAME' (line N): WORDS"; without a name before the first. Returns 0. */
static inline int fx_fai_say(const fx_fai *fai, const fx_fai_entry *of, uint64_t line, const char *words) {
    fflush(stdout);
    fprintf(stderr, "%s: ", fai->program);
    fx_print_name(stderr, fai->path);
    if (of != NULL) {
        fprintf(stderr, ": sequence '");
        fx_print_name(stderr, fai->names + of->name_at);
        fprintf(stderr, "' (line %" PRIu64 "): %s\n", line, words);
    } else {
        fprintf(stderr, ": line %" PRIu64 ": %s\n", line, words);
    }
    return 0;
}

/* Refuse the file at its present line. Returns 0. */
static inline int fx_fai_refuse(const fx_fai *fai, const char *words) {
    int has_name = fai->mark != '\0' && fai->kind != FX_FAI_NAME_LINE;
    return fx_fai_say(fai, has_name ? &fai->now : NULL, fai->line, words);
}

/* Add a byte to the names. Returns 0 after a sentence. */
static inline int fx_fai_add_letter(fx_fai *fai, char letter) {
    if (fai->name_bytes == fai->name_capacity) {
        size_t capacity = fai->name_capacity < 4096 ? 4096 : fai->name_capacity * 2;
        char *names = capacity > fai->name_capacity ? (char *)realloc(fai->names, capacity) : NULL;
        if (names == NULL) {
            fx_complain(fai->program, "out of memory");
            return 0;
        }
        fai->names = names;
        fai->name_capacity = capacity;
    }
    fai->names[fai->name_bytes++] = letter;
    return 1;
}

/* Keep the sequence that has ended, if it is whole, else leave it out. Returns 0 after a sentence. */
static inline int fx_fai_keep(fx_fai *fai) {
    if (!fai->is_whole) {
        if (fai->now.line > 0) {
            fx_fai_say(fai, &fai->now, fai->now.line, "warning: it is empty, and left out");
        }
        fai->name_bytes = (size_t)fai->now.name_at;
        return 1;
    }
    if (fai->entry_count == fai->entry_capacity) {
        size_t capacity = fai->entry_capacity < 64 ? 64 : fai->entry_capacity * 2;
        fx_fai_entry *entries = NULL;
        if (capacity <= SIZE_MAX / sizeof *entries) {
            entries = (fx_fai_entry *)realloc(fai->entries, capacity * sizeof *entries);
        }
        if (entries == NULL) {
            fx_complain(fai->program, "out of memory");
            return 0;
        }
        fai->entries = entries;
        fai->entry_capacity = capacity;
    }
    fai->entries[fai->entry_count++] = fai->now;
    return 1;
}

/* ---- lines ---- */

/* A line that begins with the mark of names. Returns 0 after a sentence. */
static inline int fx_fai_begin_name(fx_fai *fai, char mark) {
    if (fai->mark != '\0' && fai->mark != mark) {
        return fx_fai_refuse(fai, mark == '@' ? "a record of FASTQ follows, in a file of FASTA"
                                              : "a record of FASTA follows, in a file of FASTQ");
    }
    if (!fx_fai_keep(fai)) {
        return 0;
    }
    memset(&fai->now, 0, sizeof fai->now);
    fai->now.name_at = fai->name_bytes;
    fai->now.line = fai->line;
    fai->mark = mark;
    fai->had_whole = fai->is_whole;
    fai->is_whole = 0;
    fai->name_state = 0;
    fai->qualities = 0;
    fai->kind = FX_FAI_NAME_LINE;
    return 1;
}

/* A line where no sequence is: a name, or blank. Returns 0 after a sentence. */
static inline int fx_fai_begin_outside(fx_fai *fai, char first) {
    if (first == '>' || first == '@') {
        return fx_fai_begin_name(fai, first);
    }
    if (first == '\r') {
        fai->kind = FX_FAI_CR_LINE;
        return 1;
    }
    return fx_fai_refuse(
        fai, fai->mark == '\0'  ? "text before the first name: a file of FASTA begins with '>', one of "
                                  "FASTQ with '@'"
             : fai->mark == '@' ? "text that is no record follows its qualities"
                                : "its line before is blank or shorter than others: only the last of a "
                                  "sequence may be");
}

/* A line of a sequence or of qualities, or what follows it. Returns 0 after a sentence. */
static inline int fx_fai_begin_inside(fx_fai *fai, char first) {
    int is_sequence = fai->state == FX_FAI_SEQUENCE;
    if (is_sequence && fai->mark == '>' && first == '>') {
        return fx_fai_begin_name(fai, first);
    }
    if (fai->state == FX_FAI_QUALITY && first == '@' && fai->is_whole) {
        return fx_fai_begin_name(fai, first);
    }
    if (fai->mark == '@' && first == '+' && fai->state != FX_FAI_QUALITY) {
        fai->kind = FX_FAI_PLUS_LINE;
        return 1;
    }
    if (fai->state == FX_FAI_PLUS) {
        return fx_fai_refuse(fai,
                             "its line before is shorter than others: only the last of a sequence may be, "
                             "and a line of '+' comes next");
    }
    fai->kind = is_sequence ? FX_FAI_BASES_LINE : FX_FAI_QUALITY_LINE;
    return 1;
}

/* A line that is a line end alone. Returns 0 after a sentence. */
static inline int fx_fai_take_blank(fx_fai *fai) {
    if (fai->state == FX_FAI_PLUS || (fai->state == FX_FAI_SEQUENCE && fai->mark == '@')) {
        return fx_fai_refuse(fai, "a blank line in a sequence of FASTQ");
    }
    if (fai->state == FX_FAI_QUALITY && !fai->is_whole) {
        return fx_fai_refuse(fai, "a blank line in qualities");
    }
    fai->state = FX_FAI_OUTSIDE;
    ++fai->line;
    ++fai->offset;
    return 1;
}

/* Count the bytes that are 33 to 126, eight at a time: each such byte sets its high bit. */
static inline uint64_t fx_fai_graphs(const char *text, size_t bytes) {
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones * 0x80;
    uint64_t sum = 0, word, low;
    size_t at;
    for (at = 0; at + 8 <= bytes; at += 8) {
        memcpy(&word, text + at, 8);
        low = word & ~high;
        sum += (((((low + ones * 0x5F) & ~(low + ones)) & ~word & high) >> 7) * ones) >> 56;
    }
    for (; at < bytes; ++at) {
        sum += text[at] > 32 && text[at] < 127;
    }
    return sum;
}

/* Bytes of a line of a name, whose first is its mark. Returns 0 after a sentence. */
static inline int fx_fai_take_name(fx_fai *fai, const char *text, size_t bytes) {
    size_t at;
    for (at = fai->bytes == 0 ? 1 : 0; at < bytes && fai->name_state < 2; ++at) {
        int is_blank = text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r');
        if (is_blank && fai->name_state == 1) {
            fai->name_state = 2;
        }
        if (!is_blank) {
            fai->name_state = 1;
            if (!fx_fai_add_letter(fai, text[at])) {
                return 0;
            }
        }
    }
    return 1;
}

/* A line of bases has ended. Returns 0 after a sentence. */
static inline int fx_fai_end_bases(fx_fai *fai) {
    fx_fai_entry *now = &fai->now;
    uint64_t line_bytes = fai->bytes + 1;
    now->bases += fai->graphs;
    fai->is_whole = fai->mark == '>';
    if (now->line_bytes == 0) {
        now->line_bytes = line_bytes;
        now->line_bases = fai->graphs;
    } else if (line_bytes > now->line_bytes) {
        return fx_fai_refuse(
            fai, "this line is longer than those before it: all but the last of a sequence must be "
                 "equally long");
    } else if (line_bytes < now->line_bytes) {
        fai->state = fai->mark == '>' ? FX_FAI_OUTSIDE : FX_FAI_PLUS;
    }
    return 1;
}

/* A line of qualities has ended. Returns 0 after a sentence. */
static inline int fx_fai_end_quality(fx_fai *fai) {
    uint64_t line_bytes = fai->bytes + 1;
    fai->qualities += fai->graphs;
    if (line_bytes > fai->now.line_bytes) {
        return fx_fai_refuse(fai, "this line of qualities is longer than the lines of its sequence");
    }
    if (fai->qualities > fai->now.bases) {
        return fx_fai_refuse(fai, "more qualities than bases");
    }
    if (fai->qualities == fai->now.bases) {
        fai->is_whole = 1;
    } else if (line_bytes < fai->now.line_bytes) {
        return fx_fai_refuse(fai, "this line of qualities is shorter than the lines of its sequence");
    }
    return 1;
}

/* The line has ended, before byte `next` of the text. Returns 0 after a sentence. */
static inline int fx_fai_end_line(fx_fai *fai, uint64_t next) {
    int good = 1;
    switch (fai->kind) {
    case FX_FAI_NAME_LINE:
        good = fx_fai_add_letter(fai, '\0');
        fai->now.offset = next;
        fai->state = FX_FAI_SEQUENCE;
        break;
    case FX_FAI_BASES_LINE: good = fx_fai_end_bases(fai); break;
    case FX_FAI_PLUS_LINE:
        fai->now.quality_offset = next;
        fai->state = FX_FAI_QUALITY;
        break;
    case FX_FAI_QUALITY_LINE: good = fx_fai_end_quality(fai); break;
    case FX_FAI_CR_LINE:
        good = fai->bytes == 1 || fx_fai_refuse(fai, "a carriage return without a line feed");
        break;
    case FX_FAI_NO_LINE: break;
    }
    ++fai->line;
    fai->kind = FX_FAI_NO_LINE;
    fai->bytes = 0;
    fai->graphs = 0;
    return good;
}

/* Take what there is of a line. Returns 0 after a sentence. */
static inline int fx_fai_take_line(fx_fai *fai, const char *text, size_t bytes) {
    if (fai->kind == FX_FAI_NAME_LINE && !fx_fai_take_name(fai, text, bytes)) {
        return 0;
    }
    if (fai->kind == FX_FAI_BASES_LINE || fai->kind == FX_FAI_QUALITY_LINE) {
        fai->graphs += fx_fai_graphs(text, bytes);
    }
    fai->bytes += bytes;
    fai->offset += bytes;
    return 1;
}

/* Take the next text, cut anywhere. Returns 0 after a sentence. */
static inline int fx_fai_take(fx_fai *fai, const char *text, size_t bytes) {
    const char *end = text + bytes;
    while (text < end) {
        const char *feed;
        size_t count;
        int good = 1;
        if (fai->kind == FX_FAI_NO_LINE && *text == '\n') {
            if (!fx_fai_take_blank(fai)) {
                return 0;
            }
            ++text;
            continue;
        }
        if (fai->kind == FX_FAI_NO_LINE) {
            good = fai->state == FX_FAI_OUTSIDE ? fx_fai_begin_outside(fai, *text)
                                                : fx_fai_begin_inside(fai, *text);
        }
        feed = (const char *)memchr(text, '\n', (size_t)(end - text));
        count = (size_t)((feed != NULL ? feed : end) - text);
        good = good && fx_fai_take_line(fai, text, count);
        if (good && feed != NULL) {
            good = fx_fai_end_line(fai, ++fai->offset);
        }
        if (!good) {
            return 0;
        }
        text += count + (feed != NULL);
    }
    return 1;
}

/* ---- names that came before ---- */

static inline int fx_fai_order(const fx_fai *fai, size_t one, size_t other) {
    int order = strcmp(fai->names + fai->entries[one].name_at, fai->names + fai->entries[other].name_at);
    return order != 0 ? order : one < other ? -1 : 1;
}

/* Merge [0, left) and [left, count) of `from` into `to`. */
static inline void fx_fai_merge(const fx_fai *fai, const size_t *from, size_t left, size_t count,
                                size_t *to) {
    size_t one = 0, other = left, at;
    for (at = 0; at < count; ++at) {
        int takes_one = one < left && (other == count || fx_fai_order(fai, from[one], from[other]) < 0);
        to[at] = takes_one ? from[one++] : from[other++];
    }
}

/*
 * Mark entries whose name came before. They are sorted by runs that double: no names, however they were
 * chosen, take longer, as they could with a hash. Returns 0 after a sentence.
 */
static inline int fx_fai_mark_again(fx_fai *fai) {
    size_t count = fai->entry_count, run, at;
    size_t *memory = count < SIZE_MAX / sizeof *memory / 2
                         ? (size_t *)malloc((2 * count + 1) * sizeof *memory)
                         : NULL;
    size_t *from = memory, *to;
    if (memory == NULL) {
        fx_complain(fai->program, "out of memory");
        return 0;
    }
    to = memory + count;
    for (at = 0; at < count; ++at) {
        from[at] = at;
    }
    for (run = 1; run < count; run *= 2) {
        size_t *swap = from;
        for (at = 0; at < count; at += 2 * run) {
            size_t both = count - at < 2 * run ? count - at : 2 * run;
            fx_fai_merge(fai, from + at, both < run ? both : run, both, to + at);
        }
        from = to;
        to = swap;
    }
    for (at = 1; at < count; ++at) {
        const char *name = fai->names + fai->entries[from[at]].name_at;
        fai->entries[from[at]].is_again = strcmp(name, fai->names + fai->entries[from[at - 1]].name_at) == 0;
    }
    free(memory);
    return 1;
}

/* The text has ended. Returns 0 after a sentence. */
static inline int fx_fai_finish(fx_fai *fai) {
    if (fai->kind == FX_FAI_NAME_LINE && fai->bytes == 1 && fai->had_whole) {
        return fx_fai_mark_again(fai); /* a mark alone, which is no sequence yet */
    }
    if (fai->kind == FX_FAI_CR_LINE) {
        return fx_fai_refuse(fai, "a carriage return without a line feed");
    }
    if (fai->kind != FX_FAI_NO_LINE && !fx_fai_end_line(fai, fai->offset)) {
        return 0;
    }
    if (fai->mark == '\0') {
        return fx_fai_say(fai, NULL, fai->line, "there is no sequence in it");
    }
    if (!fai->is_whole) {
        return fx_fai_say(fai, &fai->now, fai->now.line,
                          fai->mark == '@' && fai->now.bases > 0 ? "the text ends before its last quality"
                                                                 : "the last sequence is empty");
    }
    return fx_fai_keep(fai) && fx_fai_mark_again(fai);
}

/* ---- the file ---- */

static inline void fx_fai_put(const fx_fai *fai, const fx_fai_entry *entry, fx_save *save) {
    const char *name = fai->names + entry->name_at;
    char numbers[160];
    int bytes = snprintf(numbers, sizeof numbers, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
                         entry->bases, entry->offset, entry->line_bases, entry->line_bytes);
    if (fai->mark == '@') {
        bytes += snprintf(numbers + bytes, sizeof numbers - (size_t)bytes, "\t%" PRIu64,
                          entry->quality_offset);
    }
    numbers[bytes] = '\n';
    fx_save_put(save, name, strlen(name));
    fx_save_put(save, numbers, (size_t)bytes + 1);
}

/* Write the .fai. Returns an exit code. */
static inline int fx_fai_save(const fx_fai *fai, const char *name) {
    fx_save save;
    size_t at;
    fx_before_save(fai->program, name);
    fx_save_begin(&save, name);
    for (at = 0; at < fai->entry_count; ++at) {
        const fx_fai_entry *entry = &fai->entries[at];
        if (entry->is_again) {
            fx_fai_say(fai, entry, entry->line, "warning: its name came before, and it is left out");
        } else {
            fx_fai_put(fai, entry, &save);
        }
    }
    return fx_save_end(&save, fai->program);
}

#endif /* FX_FAI_H */
