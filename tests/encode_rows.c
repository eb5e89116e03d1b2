/*
 * encode_rows.c - rows on request, for tests/encode_numpy.py: reads a request a line from standard input,
 * writes the row in hexadecimal, or 'refused: ' and the sentence, a line each. Numbers are decimal, byte
 * strings hexadecimal after an x.
 *
 *   row CPU KIND DTYPE LAYOUT CHANNELS|- AMBIGUOUS LOWER PAD SIDE COLUMNS TOKENS|- xSEQ
 *   quality KIND DTYPE SIDE COLUMNS xQUAL
 *   mask DTYPE SIDE BASES COLUMNS
 *   pack CPU xSEQ                            packed bases, then the mask
 *   kmers CPU K STRIDE DTYPE FIRST UNKNOWN xSEQ
 *
 * TOKENS are 256 numbers with commas between them. CPU 1 allows all kernels, 0 none.
 */
#include "../biostream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One request, taken apart as it is read. */
typedef struct request {
    char *at;
    int is_bad;
} request;

static char *word(request *r) {
    char *from = r->at;
    r->is_bad |= *from == '\0';
    r->at += strcspn(from, " \n");
    if (*r->at != '\0') {
        *r->at++ = '\0';
    }
    return from;
}

static long number(request *r) {
    return strtol(word(r), NULL, 10);
}

static int digit(char character) {
    const char *digits = "0123456789abcdef", *found = character ? strchr(digits, character) : NULL;
    return found == NULL ? -1 : (int)(found - digits);
}

/* A byte string, in place; returns its length. */
static uint32_t bytes(request *r, char **out) {
    char *from = word(r);
    uint32_t count = 0;
    r->is_bad |= *from != 'x';
    for (*out = from++; !r->is_bad && *from != '\0'; from += 2) {
        int high = digit(from[0]), low = high < 0 ? -1 : digit(from[1]);
        if (low < 0) {
            r->is_bad = 1;
            return 0;
        }
        (*out)[count++] = (char)(unsigned char)(high * 16 + low);
    }
    return count;
}

static const int32_t *tokens(request *r, int32_t *table) {
    char *from = word(r);
    if (strcmp(from, "-") == 0) {
        return NULL;
    }
    for (int i = 0; i < 256; i++) {
        table[i] = (int32_t)strtol(from, &from, 10);
        r->is_bad |= i < 255 ? *from++ != ',' : *from != '\0';
    }
    return table;
}

static void print(const uint8_t *row, size_t count) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        putchar(digits[row[i] / 16]);
        putchar(digits[row[i] % 16]);
    }
    putchar('\n');
}

static uint8_t row[1u << 20];

static void answer_row(request *r) {
    static int32_t table[256];
    biost_encoding encoding;
    biost_encoder encoder;
    biost_error error;
    uint32_t cpu = number(r) != 0 ? biost_cpu() : 0, bases, columns;
    char *seq;
    memset(&encoding, 0, sizeof encoding);
    encoding.kind = (biost_encode_kind)number(r);
    encoding.dtype = (biost_dtype)number(r);
    encoding.layout = (biost_layout_kind)number(r);
    encoding.channels = word(r);
    if (strcmp(encoding.channels, "-") == 0) {
        encoding.channels = NULL;
    }
    encoding.ambiguous = (biost_ambiguous_mode)number(r);
    encoding.lower_case = (biost_lower_case_mode)number(r);
    encoding.pad_value = (int32_t)number(r);
    encoding.pad_side = (biost_pad_side)number(r);
    columns = (uint32_t)number(r);
    encoding.tokens = tokens(r, table);
    bases = bytes(r, &seq);
    if (r->is_bad) {
        return;
    }
    if (biost_encoder_init(&encoding, cpu, &encoder, &error) != BIOST_OK) {
        printf("refused: %s\n", error.text);
        return;
    }
    if (biost_encoder_row_bytes(&encoder, columns) > sizeof row || bases > columns) {
        r->is_bad = 1;
        return;
    }
    biost_encode_row(&encoder, seq, bases, row, columns);
    print(row, (size_t)biost_encoder_row_bytes(&encoder, columns));
}

static void answer_quality(request *r) {
    biost_quality_kind kind = (biost_quality_kind)number(r);
    biost_dtype dtype = (biost_dtype)number(r);
    biost_pad_side side = (biost_pad_side)number(r);
    uint32_t columns = (uint32_t)number(r), bases;
    char *qual;
    bases = bytes(r, &qual);
    if (columns > sizeof row / 4 || bases > columns) {
        r->is_bad = 1;
        return;
    }
    biost_encode_quality(kind, dtype, side, qual, bases, row, columns);
    print(row, dtype == BIOST_DTYPE_U8 ? columns : (size_t)columns * 4);
}

static void answer_mask(request *r) {
    biost_dtype dtype = (biost_dtype)number(r);
    biost_pad_side side = (biost_pad_side)number(r);
    uint32_t bases = (uint32_t)number(r), columns = (uint32_t)number(r);
    if (columns > sizeof row / 4 || bases > columns) {
        r->is_bad = 1;
        return;
    }
    biost_encode_mask(dtype, side, bases, row, columns);
    print(row, dtype == BIOST_DTYPE_U8 ? columns : (size_t)columns * 4);
}

static void answer_pack(request *r) {
    static uint8_t mask[sizeof row / 8];
    uint32_t cpu = number(r) != 0 ? biost_cpu() : 0, bases;
    char *seq;
    bases = bytes(r, &seq);
    biost_pack_bases(cpu, seq, bases, row, mask);
    memcpy(row + (bases + 3) / 4, mask, (bases + 7) / 8);
    print(row, (size_t)(bases + 3) / 4 + (bases + 7) / 8);
}

static void answer_kmers(request *r) {
    uint32_t cpu = number(r) != 0 ? biost_cpu() : 0, bases;
    biost_kmers kmers;
    size_t windows;
    char *seq;
    kmers.k = (uint32_t)number(r);
    kmers.stride = (uint32_t)number(r);
    kmers.dtype = (biost_dtype)number(r);
    kmers.first_id = (int32_t)number(r);
    kmers.unknown_id = (int32_t)number(r);
    bases = bytes(r, &seq);
    r->is_bad |= bases > sizeof row / 8;
    if (!r->is_bad && biost_encode_kmers(&kmers, cpu, seq, bases, row, &windows) == BIOST_OK) {
        print(row, windows * (kmers.dtype == BIOST_DTYPE_U16 ? 2 : kmers.dtype == BIOST_DTYPE_I32 ? 4 : 8));
    } else {
        r->is_bad = 1;
    }
}

int main(void) {
    static char line[1u << 18];
    while (fgets(line, sizeof line, stdin) != NULL) {
        request r = {line, 0};
        const char *what = word(&r);
        if (strcmp(what, "row") == 0) {
            answer_row(&r);
        } else if (strcmp(what, "quality") == 0) {
            answer_quality(&r);
        } else if (strcmp(what, "mask") == 0) {
            answer_mask(&r);
        } else if (strcmp(what, "pack") == 0) {
            answer_pack(&r);
        } else if (strcmp(what, "kmers") == 0) {
            answer_kmers(&r);
        } else {
            r.is_bad = 1;
        }
        if (r.is_bad) {
            fprintf(stderr, "encode_rows: not understood: %.60s\n", what);
            return 1;
        }
    }
    return 0;
}
