/*
 * fx_bed.h - intervals as lines of BED, and sequences as a plain list of their names, of a store that knows
 * them.
 *
 * A line of BED: sequence, start, end (0-based, the end is not in it), name, score, strand; the last three
 * may be missing, more may follow, and any one column may hold a label. Where the summit is asked for it is
 * column 10, as in narrowPeak. Start and end may lie past both ends of the sequence, as after bedtools
 * slop or where a peak is at an end; a line that has no base of its sequence is refused, unless such are to be
 * left out. Tabs part the columns, or blanks in a line without a tab. Empty lines count as none, and so do
 * those that begin with '#', or with the words track or browser and no interval. A strand in another column is
 * refused. Line ends are LF or CR LF. Files may be compressed.
 *
 * A line of a list: a name, up to the first blank or tab. Empty lines and those that begin with '#' count as
 * none. In a list of records it may be a number instead, counted from 0, unless that is the name of another one.
 *
 * Names are asked of the store through fx_bed_names. What is wrong is one sentence with the line's number; for an
 * unknown name the sentence has the name most like it, if there is one. A name that two sequences have is refused,
 * with the numbers of both.
 *
 * Include it after biostream.h and fx.h.
 */
#ifndef FX_BED_H
#define FX_BED_H

enum {
    FX_BED_LINE_BYTES = 1 << 20, /* longest line                                        */
    FX_BED_SHOWN = 60,           /* bytes of a field that a sentence shows              */
    FX_BED_LIKE_BYTES = 64,      /* longest name that is compared with others           */
    FX_BED_LIKE_NAMES = 1 << 16  /* names of the store that are looked at               */
};

/* The names of a store. */
typedef struct fx_bed_names {
    /* Returns 0 if there is no such name. */
    int (*find)(const char *name, size_t bytes, uint64_t *out_number, void *user_data);
    /* The next sequence that has the name of one that was found. Returns 0 if there is none. NULL: none has. */
    int (*again)(uint64_t number, uint64_t *out_number, void *user_data);
    /* The name of a sequence; NULL behind the last. */
    const char *(*name_of)(uint64_t number, size_t *out_bytes, void *user_data);
    /* The bases of a sequence that was found. NULL: whether a line has one of them is not looked at. */
    uint64_t (*bases_of)(uint64_t number, void *user_data);
    void *user_data;
} fx_bed_names;

/* What is read of a line. */
typedef struct fx_bed_wish {
    fx_bed_names names;
    uint32_t label_column;   /* from 1; 0: no label; 6: the strand is not read              */
    biost_dtype label_dtype; /* U8, I32, I64 (at most 2^53, which a double holds) or F32    */
    biost_edge edge;         /* with DROP lines without a base are not refused              */
    biost_fit fit;           /* with SUMMIT column 10 is read                               */
} fx_bed_wish;

/* What was read; begin with all 0, end with fx_bed_free. */
typedef struct fx_bed {
    biost_interval *intervals; /* of BED: [count]                                             */
    uint64_t *lines;           /* and the line of each                                        */
    uint64_t *numbers;         /* of a list: [count]                                          */
    uint64_t count, capacity;
    uint64_t line;   /* from 1: the one that is being read                          */
    uint64_t once;   /* 1 + the sequence found last, if its name is its own         */
    char error[512]; /* what is wrong, with the line but without the file           */
} fx_bed;

/* Bytes of a line. */
typedef struct fx_bed_text {
    const char *text;
    size_t bytes;
} fx_bed_text;

static inline void fx_bed_free(fx_bed *bed) {
    free(bed->intervals);
    free(bed->lines);
    free(bed->numbers);
    memset(bed, 0, sizeof *bed);
}

/* ---- sentences ---- */

/* Add text to the sentence: bytes outside 32..126 as \xHH, a long one cut. */
static inline void fx_bed_show(fx_bed *bed, fx_bed_text shown) {
    size_t used = strlen(bed->error), at;
    for (at = 0; at < shown.bytes && at < FX_BED_SHOWN; ++at) {
        unsigned char byte = (unsigned char)shown.text[at];
        const char *form = byte < 32 || byte > 126 ? "\\x%02x" : "%c";
        int bytes = snprintf(bed->error + used, sizeof bed->error - used, form, byte);
        used += bytes > 0 ? (size_t)bytes : 0;
    }
    if (at < shown.bytes) {
        snprintf(bed->error + used, sizeof bed->error - used, "...");
    }
}

static inline void fx_bed_add_words(fx_bed *bed, const char *words) {
    size_t used = strlen(bed->error);
    snprintf(bed->error + used, sizeof bed->error - used, "%s", words);
}

/* "line N: BEFORE FIELD AFTER". Returns 0. */
static inline int fx_bed_refuse(fx_bed *bed, const char *before, fx_bed_text field, const char *after) {
    snprintf(bed->error, sizeof bed->error, "line %" PRIu64 ": %s", bed->line, before);
    fx_bed_show(bed, field);
    fx_bed_add_words(bed, after);
    return 0;
}

static inline int fx_bed_refuse_line(fx_bed *bed, const char *words) {
    fx_bed_text none = {"", 0};
    return fx_bed_refuse(bed, words, none, "");
}

/* ---- names ---- */

static inline int fx_bed_upper(char letter) {
    return letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter;
}

/*
 * Letters that have to be put in, left out or changed to make the one the other, upper or lower case alike.
 */
static inline unsigned fx_bed_edits(fx_bed_text one, fx_bed_text other) {
    unsigned row[FX_BED_LIKE_BYTES + 1];
    size_t at, column;
    for (column = 0; column <= other.bytes; ++column) {
        row[column] = (unsigned)column;
    }
    for (at = 0; at < one.bytes; ++at) {
        unsigned corner = row[0];
        row[0] = (unsigned)at + 1;
        for (column = 0; column < other.bytes; ++column) {
            int differs = fx_bed_upper(one.text[at]) != fx_bed_upper(other.text[column]);
            unsigned changed = corner + (differs ? 1 : 0),
                     least = row[column] < row[column + 1] ? row[column] : row[column + 1];
            corner = row[column + 1];
            row[column + 1] = changed < least + 1 ? changed : least + 1;
        }
    }
    return row[other.bytes];
}

/* Whether one name is the other with chr before it, the commonest difference between names of a genome. */
static inline int fx_bed_is_chr_of(fx_bed_text longer, fx_bed_text name) {
    fx_bed_text rest;
    if (longer.bytes != name.bytes + 3 || longer.bytes > FX_BED_LIKE_BYTES ||
        fx_bed_upper(longer.text[0]) != 'C' || fx_bed_upper(longer.text[1]) != 'H' ||
        fx_bed_upper(longer.text[2]) != 'R') {
        return 0;
    }
    rest.text = longer.text + 3;
    rest.bytes = name.bytes;
    return fx_bed_edits(rest, name) == 0;
}

/* The first of the names most like this one, among the first FX_BED_LIKE_NAMES of the store; empty: there is none. */
static inline fx_bed_text fx_bed_nearest(const fx_bed_names *names, fx_bed_text name) {
    fx_bed_text best = {"", 0}, other;
    unsigned least = name.bytes < 8 ? 2 : 4; /* more edits than these are another name */
    uint64_t number;
    for (number = 0; number < FX_BED_LIKE_NAMES && name.bytes <= FX_BED_LIKE_BYTES && least > 0; ++number) {
        unsigned edits = least;
        other.text = names->name_of(number, &other.bytes, names->user_data);
        if (other.text == NULL) {
            break;
        }
        if (fx_bed_is_chr_of(other, name) || fx_bed_is_chr_of(name, other)) {
            edits = 0;
        } else if (other.bytes > 0 && other.bytes < name.bytes + least && name.bytes < other.bytes + least &&
                   other.bytes <= FX_BED_LIKE_BYTES) {
            edits = fx_bed_edits(name, other);
        }
        if (edits < least && edits < name.bytes) {
            least = edits;
            best = other;
        }
    }
    return best;
}

/* See that a name that was found is of one sequence alone. Returns 0 with the sentence. */
static inline int fx_bed_is_once(fx_bed *bed, const fx_bed_names *names, fx_bed_text name, uint64_t number) {
    char words[96];
    uint64_t other;
    if (names->again != NULL && bed->once != number + 1 && names->again(number, &other, names->user_data)) {
        snprintf(words, sizeof words, ": numbers %" PRIu64 " and %" PRIu64 ", counted from 0", number, other);
        return fx_bed_refuse(bed, "two sequences are named ", name, words);
    }
    bed->once = number + 1;
    return 1;
}

/* Returns 0 with the sentence. */
static inline int fx_bed_find(fx_bed *bed, const fx_bed_names *names, fx_bed_text name,
                              uint64_t *out_number) {
    fx_bed_text nearest;
    if (names->find(name.text, name.bytes, out_number, names->user_data)) {
        return fx_bed_is_once(bed, names, name, *out_number);
    }
    fx_bed_refuse(bed, "no sequence is named ", name, "");
    nearest = fx_bed_nearest(names, name);
    if (nearest.bytes > 0) {
        fx_bed_add_words(bed, "; the nearest name is ");
        fx_bed_show(bed, nearest);
    }
    return 0;
}

/* ---- columns ---- */

static inline int fx_bed_is_blank(char byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r' && byte != '\n');
}

static inline fx_bed_text fx_bed_strip(fx_bed_text line) {
    while (line.bytes > 0 && fx_bed_is_blank(line.text[0])) {
        ++line.text;
        --line.bytes;
    }
    while (line.bytes > 0 && fx_bed_is_blank(line.text[line.bytes - 1])) {
        --line.bytes;
    }
    return line;
}

/* Whether a line begins with this word, as a word of its own. */
static inline int fx_bed_has_word(fx_bed_text line, const char *word) {
    size_t bytes = strlen(word);
    return line.bytes >= bytes && memcmp(line.text, word, bytes) == 0 &&
           (line.bytes == bytes || fx_bed_is_blank(line.text[bytes]));
}

/*
 * A column of a line, from 1; where no tab is in it, blanks around it are stripped already. Returns 0: it
 * has fewer.
 */
static inline int fx_bed_column(fx_bed_text line, uint32_t column, fx_bed_text *out) {
    int has_tab = line.bytes > 0 && memchr(line.text, '\t', line.bytes) != NULL;
    size_t at = 0, start = 0;
    uint32_t number;
    for (number = 1;; ++number) {
        start = at;
        while (at < line.bytes && !(has_tab ? line.text[at] == '\t' : fx_bed_is_blank(line.text[at]))) {
            ++at;
        }
        if (number == column || at == line.bytes) {
            break;
        }
        ++at;
        while (!has_tab && fx_bed_is_blank(line.text[at])) {
            ++at; /* a column follows: the line is stripped */
        }
    }
    out->text = line.text + start;
    out->bytes = at - start;
    return number == column;
}

/* One to 18 digits, which 64 bits always hold, perhaps after a '-'. */
static inline int fx_bed_number(fx_bed_text field, int64_t *out_value) {
    size_t first = field.bytes > 0 && field.text[0] == '-' ? 1 : 0, at;
    int64_t value = 0;
    for (at = first; at < field.bytes && at < first + 18; ++at) {
        if (field.text[at] < '0' || field.text[at] > '9') {
            return 0;
        }
        value = value * 10 + (field.text[at] - '0');
    }
    *out_value = first > 0 ? -value : value;
    return at > first && at == field.bytes;
}

/* A line whose second and third columns are numbers. */
static inline int fx_bed_has_numbers(fx_bed_text line) {
    fx_bed_text field;
    int64_t value;
    if (memchr(line.text, '\t', line.bytes) == NULL) {
        line = fx_bed_strip(line);
    }
    return fx_bed_column(line, 2, &field) && fx_bed_number(field, &value) && fx_bed_column(line, 3, &field) &&
           fx_bed_number(field, &value);
}

/* A line that says nothing of an interval. A sequence may be named track: then numbers follow. */
static inline int fx_bed_is_none(fx_bed_text line) {
    return fx_bed_strip(line).bytes == 0 || line.text[0] == '#' ||
           ((fx_bed_has_word(line, "track") || fx_bed_has_word(line, "browser")) &&
            !fx_bed_has_numbers(line));
}

/* Whole numbers of at most `most`, which is below 2^60, and no less than `least`. Returns 0: it is none. */
static inline int fx_bed_integer(fx_bed_text field, int64_t least, int64_t most, double *out_value) {
    int is_minus = field.bytes > 0 && field.text[0] == '-';
    size_t first = is_minus || (field.bytes > 0 && field.text[0] == '+') ? 1 : 0, at;
    int64_t value = 0;
    for (at = first; at < field.bytes; ++at) {
        if (field.text[at] < '0' || field.text[at] > '9' || value > INT64_C(1) << 59) {
            return 0;
        }
        value = value * 10 + (field.text[at] - '0');
    }
    value = is_minus ? -value : value;
    *out_value = (double)value;
    return at > first && value >= least && value <= most;
}

static inline size_t fx_bed_digits(fx_bed_text field, size_t at) {
    while (at < field.bytes && field.text[at] >= '0' && field.text[at] <= '9') {
        ++at;
    }
    return at;
}

static inline size_t fx_bed_sign(fx_bed_text field, size_t at) {
    return at < field.bytes && (field.text[at] == '+' || field.text[at] == '-') ? at + 1 : at;
}

/* Whether it is written as 1, -0.5, .5, 5. or 1e-7 are. */
static inline int fx_bed_is_real(fx_bed_text field) {
    size_t first = fx_bed_sign(field, 0), at = fx_bed_digits(field, first), digits = at - first;
    if (at < field.bytes && field.text[at] == '.') {
        size_t point = at;
        at = fx_bed_digits(field, point + 1);
        digits += at - point - 1;
    }
    if (digits > 0 && at < field.bytes && (field.text[at] == 'e' || field.text[at] == 'E')) {
        size_t exponent = fx_bed_sign(field, at + 1);
        at = fx_bed_digits(field, exponent);
        digits = at > exponent ? digits : 0;
    }
    return digits > 0 && at == field.bytes;
}

/* A number that an F32 holds, once rounded to it. Returns 0: it is none. */
static inline int fx_bed_real(fx_bed_text field, double *out_value) {
    const double most = 340282356779733661637539395458142568448.0; /* from here on it rounds to 2^128 */
    char *copy = fx_bed_is_real(field) ? (char *)malloc(field.bytes + 1) : NULL;
    if (copy == NULL) {
        return 0;
    }
    memcpy(copy, field.text, field.bytes);
    copy[field.bytes] = '\0';
    *out_value = strtod(copy, NULL);
    free(copy);
    return *out_value > -most && *out_value < most;
}

/* The label, from its column. Returns 0 with the sentence. */
static inline int fx_bed_take_label(fx_bed *bed, const fx_bed_wish *wish, fx_bed_text line,
                                    double *out_value) {
    const int64_t whole = INT64_C(1) << 53;
    fx_bed_text field;
    const char *words = "";
    char column[64];
    int good = 0;
    if (!fx_bed_column(line, wish->label_column, &field)) {
        snprintf(column, sizeof column, "no column %" PRIu32 " for the label", wish->label_column);
        return fx_bed_refuse_line(bed, column);
    }
    switch (wish->label_dtype) {
    case BIOST_DTYPE_U8:
        good = fx_bed_integer(field, 0, 255, out_value);
        words = " is no u8";
        break;
    case BIOST_DTYPE_I32:
        good = fx_bed_integer(field, INT32_MIN, INT32_MAX, out_value);
        words = " is no i32";
        break;
    case BIOST_DTYPE_I64:
        good = fx_bed_integer(field, -whole, whole, out_value);
        words = " is no i64";
        break;
    default:
        good = fx_bed_real(field, out_value);
        words = " is no f32";
        break;
    }
    return good || fx_bed_refuse(bed, "the label ", field, words);
}

/* The last word of a field, without quotes around it. */
static inline fx_bed_text fx_bed_last_word(fx_bed_text field) {
    size_t first;
    field = fx_bed_strip(field);
    for (first = field.bytes; first > 0 && !fx_bed_is_blank(field.text[first - 1]); --first) {
    }
    field.text += first;
    field.bytes -= first;
    if (field.bytes > 2 && strchr("\"'", field.text[0]) != NULL &&
        field.text[field.bytes - 1] == field.text[0]) {
        field.text += 1;
        field.bytes -= 2;
    }
    return field;
}

/* Whether a field is what people write for a strand: + and - anywhere, words where a score stands. */
static inline int fx_bed_is_strand(fx_bed_text field, uint32_t column) {
    static const char *const words[] = {"+",     "-",   "f",   "r",       "plus",
                                        "minus", "fwd", "rev", "forward", "reverse"};
    const size_t count = column == 5 ? sizeof words / sizeof words[0] : 2;
    fx_bed_text word = fx_bed_last_word(field), one;
    size_t at;
    for (at = 0; at < count; ++at) {
        one.text = words[at];
        one.bytes = strlen(words[at]);
        if (one.bytes == word.bytes && fx_bed_edits(one, word) == 0) {
            return 1;
        }
    }
    return 0;
}

/*
 * See that a line without a strand in column 6 has none in the name's or the score's column, where it would be
 * overlooked and the row be plus. Returns 0 with the sentence.
 */
static inline int fx_bed_has_no_other_strand(fx_bed *bed, const fx_bed_wish *wish, fx_bed_text line) {
    fx_bed_text field;
    char words[32];
    uint32_t column;
    for (column = 4; column <= 5 && fx_bed_column(line, column, &field); ++column) {
        if (column != wish->label_column && fx_bed_is_strand(field, column)) {
            snprintf(words, sizeof words, "column %" PRIu32 " is ", column);
            return fx_bed_refuse(bed, words, field,
                                 ", a strand, which BED has in column 6: sequence, start, end, name, score, "
                                 "strand");
        }
    }
    return 1;
}

/* Start, end and strand. Returns 0 with the sentence. */
static inline int fx_bed_take_place(fx_bed *bed, const fx_bed_wish *wish, fx_bed_text line,
                                    biost_interval *out) {
    fx_bed_text field;
    if (!fx_bed_column(line, 3, &field)) {
        return fx_bed_refuse_line(bed, fx_bed_column(line, 2, &field) ? "2 columns, not at least 3"
                                                                      : "1 columns, not at least 3");
    }
    (void)fx_bed_column(line, 2, &field);
    if (!fx_bed_number(field, &out->start)) {
        return fx_bed_refuse(bed, "the start ", field, " is no number");
    }
    (void)fx_bed_column(line, 3, &field);
    if (!fx_bed_number(field, &out->end)) {
        return fx_bed_refuse(bed, "the end ", field, " is no number");
    }
    if (out->start > out->end) {
        return fx_bed_refuse_line(bed, "it ends before it starts");
    }
    if (out->start == out->end && wish->edge != BIOST_EDGE_DROP) {
        return fx_bed_refuse_line(bed, "it has no base");
    }
    if (wish->label_column != 6 && fx_bed_column(line, 6, &field)) {
        if (field.bytes != 1 || strchr("+-.", field.text[0]) == NULL || field.text[0] == '\0') {
            return fx_bed_refuse(bed, "the strand ", field, " is none of + - .");
        }
        out->strand = field.text[0] == '-';
        if (field.text[0] != '.') {
            return 1;
        }
    }
    return fx_bed_has_no_other_strand(bed, wish, line);
}

/* The summit of a peak that has its place. Returns 0 with the sentence. */
static inline int fx_bed_take_summit(fx_bed *bed, fx_bed_text line, biost_interval *out) {
    char words[96];
    uint32_t columns = 3;
    fx_bed_text field;
    int64_t summit;
    while (columns < 10 && fx_bed_column(line, columns + 1, &field)) {
        ++columns;
    }
    if (columns < 10) {
        snprintf(words, sizeof words, "%" PRIu32 " columns, and the summit is column 10 (narrowPeak)",
                 columns);
        return fx_bed_refuse_line(bed, words);
    }
    if (field.bytes == 2 && memcmp(field.text, "-1", 2) == 0) {
        return fx_bed_refuse_line(bed, "the summit -1 is narrowPeak's for a peak that has none");
    }
    if (!fx_bed_number(field, &summit) || field.text[0] == '-') {
        return fx_bed_refuse(bed, "the summit ", field, " is no number");
    }
    if (summit >= out->end - out->start + (out->end == out->start) || summit > UINT32_MAX) {
        snprintf(words, sizeof words, " is not inside: it counts from the start of %" PRId64 " bases",
                 out->end - out->start);
        return fx_bed_refuse(bed, "the summit ", field, words);
    }
    out->summit = (uint32_t)summit;
    return 1;
}

/* ---- files ---- */

/*
 * Make room for one more element, of `bytes` bytes. Returns the array, or NULL with the sentence; `array` is then
 * still the caller's to free.
 */
static inline void *fx_bed_room(fx_bed *bed, void *array, size_t bytes) {
    uint64_t capacity = bed->capacity < 64 ? 64 : bed->capacity * 2;
    void *grown = array;
    if (bed->count == bed->capacity) {
        grown = capacity <= SIZE_MAX / bytes ? realloc(array, (size_t)capacity * bytes) : NULL;
    }
    if (grown == NULL) {
        fx_bed_refuse_line(bed, "out of memory");
    }
    return grown;
}

/* One more is in every array: count it. */
static inline void fx_bed_add(fx_bed *bed) {
    if (bed->count++ == bed->capacity) {
        bed->capacity = bed->capacity < 64 ? 64 : bed->capacity * 2;
    }
}

/* See that the interval has a base of its sequence, if it has to. Returns 0 with the sentence. */
static inline int fx_bed_has_base(fx_bed *bed, const fx_bed_wish *wish, const biost_interval *interval,
                                  fx_bed_text name) {
    const fx_bed_names *names = &wish->names;
    char words[192];
    uint64_t bases;
    if (names->bases_of == NULL || wish->edge == BIOST_EDGE_DROP) {
        return 1;
    }
    bases = names->bases_of(interval->sequence, names->user_data);
    if (interval->end > 0 && (interval->start < 0 || (uint64_t)interval->start < bases) && bases > 0) {
        return 1;
    }
    snprintf(words, sizeof words,
             " has %" PRIu64 " bases, and none of them is in %" PRId64 " to %" PRId64
             " (--edge drop leaves such lines out)",
             bases, interval->start, interval->end);
    return fx_bed_refuse(bed, "", name, words);
}

/* Take a line of BED. Returns 0 with the sentence. */
static inline int fx_bed_take(fx_bed *bed, const fx_bed_wish *wish, fx_bed_text line) {
    biost_interval interval, *grown;
    uint64_t *lines;
    fx_bed_text name;
    if (fx_bed_is_none(line)) {
        return 1;
    }
    if (memchr(line.text, '\t', line.bytes) == NULL) {
        line = fx_bed_strip(line);
    }
    memset(&interval, 0, sizeof interval);
    if (!fx_bed_take_place(bed, wish, line, &interval) ||
        (wish->label_column > 0 && !fx_bed_take_label(bed, wish, line, &interval.label)) ||
        (wish->fit == BIOST_FIT_SUMMIT && !fx_bed_take_summit(bed, line, &interval))) {
        return 0;
    }
    (void)fx_bed_column(line, 1, &name);
    if (!fx_bed_find(bed, &wish->names, name, &interval.sequence) ||
        !fx_bed_has_base(bed, wish, &interval, name)) {
        return 0;
    }
    grown = (biost_interval *)fx_bed_room(bed, bed->intervals, sizeof interval);
    if (grown == NULL) {
        return 0;
    }
    bed->intervals = grown;
    lines = (uint64_t *)fx_bed_room(bed, bed->lines, sizeof *lines);
    if (lines == NULL) {
        return 0;
    }
    bed->lines = lines;
    bed->intervals[bed->count] = interval;
    bed->lines[bed->count] = bed->line;
    fx_bed_add(bed);
    return 1;
}

/* Add the number of a sequence to a list. Returns 0 with the sentence. */
static inline int fx_bed_add_number(fx_bed *bed, uint64_t number) {
    uint64_t *grown = (uint64_t *)fx_bed_room(bed, bed->numbers, sizeof number);
    if (grown == NULL) {
        return 0;
    }
    bed->numbers = grown;
    bed->numbers[bed->count] = number;
    fx_bed_add(bed);
    return 1;
}

/* Take a line of a list. Returns 0 with the sentence. */
static inline int fx_bed_take_name(fx_bed *bed, const fx_bed_wish *wish, fx_bed_text line) {
    fx_bed_text stripped = fx_bed_strip(line), name = {stripped.text, 0};
    uint64_t number;
    if (stripped.bytes == 0 || line.text[0] == '#') {
        return 1;
    }
    while (name.bytes < stripped.bytes && !fx_bed_is_blank(name.text[name.bytes])) {
        ++name.bytes;
    }
    if (!fx_bed_find(bed, &wish->names, name, &number)) {
        return 0;
    }
    return fx_bed_add_number(bed, number);
}

/* Take a line of a list of records. Returns 0 with the sentence. */
static inline int fx_bed_take_record(fx_bed *bed, const fx_bed_wish *wish, fx_bed_text line) {
    const fx_bed_names *names = &wish->names;
    fx_bed_text word = fx_bed_strip(line), rest = word;
    uint64_t number, named = 0;
    int64_t value;
    size_t bytes;
    for (word.bytes = 0; word.bytes < rest.bytes && !fx_bed_is_blank(rest.text[word.bytes]); ++word.bytes) {
    }
    if (!fx_bed_number(word, &value) || value < 0) {
        return fx_bed_take_name(bed, wish, line);
    }
    number = (uint64_t)value;
    if (names->name_of(number, &bytes, names->user_data) == NULL) {
        return fx_bed_refuse(bed, "the store has no sequence ", word, ", counted from 0");
    }
    if (names->find(word.text, word.bytes, &named, names->user_data) && named != number) {
        return fx_bed_refuse(bed, "", word, " is the number of one sequence and the name of another one");
    }
    return fx_bed_add_number(bed, number);
}

typedef int (*fx_bed_take_line)(fx_bed *bed, const fx_bed_wish *wish, fx_bed_text line);

/*
 * Read lines. Returns 1; or 0, and bed->error has what is wrong with a line, or is the library's sentence,
 * which names the file.
 */
static inline int fx_bed_lines(const biost_stream_desc *input, const fx_bed_wish *wish, fx_bed_take_line take,
                               fx_bed *bed) {
    biost_stream_desc desc = *input;
    biost_stream *stream = NULL;
    biost_line line;
    biost_error error;
    biost_result result;
    int good = 1;
    memset(&error, 0, sizeof error);
    desc.max_line_bytes = FX_BED_LINE_BYTES;
    result = biost_stream_open(&desc, &stream, &error);
    while (good && result == BIOST_OK && (result = biost_stream_next_line(stream, &line)) == BIOST_OK) {
        fx_bed_text text;
        text.text = line.text;
        text.bytes = line.text_bytes;
        ++bed->line;
        good = take(bed, wish, text);
    }
    if (good && result != BIOST_END) {
        const biost_error *of = stream != NULL ? biost_stream_error(stream) : &error;
        snprintf(bed->error, sizeof bed->error, "%s", of != NULL ? of->text : "it cannot be read");
        good = 0;
    }
    if (stream != NULL) {
        biost_stream_close(stream);
    }
    return good;
}

/* Read intervals: `input` says where the text comes from. As fx_bed_lines. */
static inline int fx_bed_read(const biost_stream_desc *input, const fx_bed_wish *wish, fx_bed *bed) {
    return fx_bed_lines(input, wish, fx_bed_take, bed);
}

/* Read a list of names. As fx_bed_lines. */
static inline int fx_bed_read_list(const biost_stream_desc *input, const fx_bed_wish *wish, fx_bed *bed) {
    return fx_bed_lines(input, wish, fx_bed_take_name, bed);
}

#endif /* FX_BED_H */
