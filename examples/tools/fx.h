/*
 * fx.h - what the tools share: flags, exit codes, the error printer, a clock, files written whole.
 *
 * A tool is one C file. It starts with
 *
 *     #define BIOSTREAM_IMPLEMENTATION
 *     #include "../../biostream.h"
 *     #include "fx.h"
 *
 * in this order: biostream.h asks the system for 64-bit files and POSIX clocks before any other
 * header comes in.
 *
 * Exit codes of all tools: 0 fine, 1 the data or the machine failed (one sentence on standard
 * error), 2 wrong usage.
 */
#ifndef FX_H
#define FX_H

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FX_OK = 0, FX_BAD_DATA = 1, FX_USAGE = 2 };

/* ---- messages ----------------------------------------------------------- */

static inline void fx_complain(const char *program, const char *sentence) {
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", program, sentence);
}

/*
 * Print the library's sentence and say how the program should end: a call that can never work is
 * wrong usage, everything else is the data's or the machine's fault. `error` may be NULL.
 */
static inline int fx_fail(const char *program, biost_result result, const biost_error *error) {
    fx_complain(program, error != NULL ? error->text : biost_result_name(result));
    if (error != NULL && error->fault == BIOST_FAULT_TOKEN_DAMAGED) {
        return FX_BAD_DATA;
    }
    return result == BIOST_ERR_ARG ? FX_USAGE : FX_BAD_DATA;
}

/* ---- flags --------------------------------------------------------------
 *
 * A tool describes its flags in a table that ends with a NULL name. `--name value` and
 * `--name=value` are the same; `--` ends the flags; what is not a flag is a file. -h, --help and
 * --version are always there.
 */
typedef enum fx_kind {
    FX_U32,         /* out: uint32_t *, least <= value <= most                             */
    FX_U64,         /* out: uint64_t *, likewise                                           */
    FX_FRACTION,    /* out: float *, a decimal number, likewise                            */
    FX_TEXT,        /* out: const char **                                                  */
    FX_CHOICE,      /* out: int *, which of `meta`'s words, as in "drop|pad|short"         */
    FX_SWITCH       /* out: int *, takes no value, sets 1                                  */
} fx_kind;

typedef struct fx_flag {
    const char *name;       /* without the dashes                                          */
    const char *meta;       /* what the value is called in the help                        */
    fx_kind kind;
    void *out;              /* holds the default before                                    */
    uint64_t least, most;   /* for numbers                                                 */
    const char *help;
} fx_flag;

typedef struct fx_tool {
    const char *name;
    const char *usage;      /* "FILE..." */
    const char *about;      /* a few lines for the help, with line ends                    */
    const fx_flag *flags;
} fx_tool;

static inline void fx_help(const fx_tool *tool, FILE *out) {
    const fx_flag *flag;
    char left[64];
    fprintf(out, "usage: %s [flags] %s\n\n%s\n", tool->name, tool->usage, tool->about);
    for (flag = tool->flags; flag->name != NULL; ++flag) {
        snprintf(left, sizeof left, "--%s %s", flag->name, flag->meta);
        fprintf(out, "  %-27s %s\n", left, flag->help);
    }
    fprintf(out, "  %-27s %s\n", "--version", "print the version of biostream and end");
    fprintf(out, "  %-27s %s\n\n", "-h, --help", "print this and end");
    fprintf(out, "exit codes: 0 fine, 1 bad data (a sentence on standard error), 2 wrong usage\n");
}

/* One sentence and where the help is. Ends the program. */
static inline void fx_usage(const fx_tool *tool, const char *sentence, const char *what) {
    fprintf(stderr, "%s: %s%s\n", tool->name, sentence, what);
    fprintf(stderr, "usage: %s [flags] %s\n", tool->name, tool->usage);
    fprintf(stderr, "%s --help tells all\n", tool->name);
    exit(FX_USAGE);
}

/* "--name wants a whole number from 1 to 9, not 'value'". Ends the program. */
static inline void fx_refuse(const fx_tool *tool, const fx_flag *flag, const char *value) {
    char sentence[256];
    int used = snprintf(sentence, sizeof sentence, "--%s wants ", flag->name);
    char *rest = sentence + used;
    size_t space = sizeof sentence - (size_t)used;
    if (flag->kind == FX_CHOICE) {
        snprintf(rest, space, "one of %s, not ", flag->meta);
    } else {
        snprintf(rest, space, "a %snumber from %" PRIu64 " to %" PRIu64 ", not ",
                 flag->kind == FX_FRACTION ? "" : "whole ", flag->least, flag->most);
    }
    fx_usage(tool, sentence, value[0] == '\0' ? "an empty text" : value);
}

/* Digits and nothing else: no sign, no blank, no unit, nothing that wraps around. */
static inline int fx_parse_u64(const char *text, uint64_t *out_value) {
    uint64_t value = 0;
    size_t at;
    for (at = 0; text[at] != '\0'; ++at) {
        unsigned digit = (unsigned)(unsigned char)text[at] - '0';
        if (digit > 9 || value > (UINT64_MAX - digit) / 10) {
            return 0;
        }
        value = value * 10 + digit;
    }
    *out_value = value;
    return at > 0;
}

/* Digits with at most one point, as 0.25: the same in every locale, and never NaN or infinite. */
static inline int fx_parse_fraction(const char *text, double *out_value) {
    double value = 0, unit = 1;
    int digits = 0, points = 0;
    for (; *text != '\0'; ++text) {
        if (*text == '.' && points == 0) {
            points = 1;
        } else if (*text >= '0' && *text <= '9' && digits < 18) {
            value = value * 10 + (*text - '0');
            unit = points ? unit * 10 : unit;
            ++digits;
        } else {
            return 0;
        }
    }
    *out_value = value / unit;
    return digits > 0;
}

/* Which of the words in "a|b|c" `text` is, from 0; -1: none. */
static inline int fx_parse_choice(const char *words, const char *text) {
    size_t text_bytes = strlen(text), word_bytes;
    int index;
    for (index = 0;; ++index) {
        word_bytes = strcspn(words, "|");
        if (word_bytes == text_bytes && memcmp(words, text, text_bytes) == 0) {
            return index;
        }
        if (words[word_bytes] == '\0') {
            return -1;
        }
        words += word_bytes + 1;
    }
}

/* Store a flag's value, or end the program with the reason. */
static inline void fx_store(const fx_tool *tool, const fx_flag *flag, const char *value) {
    uint64_t whole = 0;
    double fraction = 0;
    int good = 1;
    switch (flag->kind) {
    case FX_U32:
    case FX_U64:
        good = fx_parse_u64(value, &whole) && whole >= flag->least && whole <= flag->most;
        if (flag->kind == FX_U32) {
            *(uint32_t *)flag->out = (uint32_t)whole;
        } else {
            *(uint64_t *)flag->out = whole;
        }
        break;
    case FX_FRACTION:
        good = fx_parse_fraction(value, &fraction) && fraction >= (double)flag->least &&
               fraction <= (double)flag->most;
        *(float *)flag->out = (float)fraction;
        break;
    case FX_CHOICE:
        *(int *)flag->out = fx_parse_choice(flag->meta, value);
        good = *(int *)flag->out >= 0;
        break;
    case FX_TEXT:
        *(const char **)flag->out = value;
        break;
    case FX_SWITCH:
        *(int *)flag->out = 1;
        break;
    }
    if (!good) {
        fx_refuse(tool, flag, value);
    }
}

/* The flag that `argument` names, and its value behind '=' or NULL. Ends the program if unknown. */
static inline const fx_flag *fx_find(const fx_tool *tool, const char *argument,
                                     const char **out_value) {
    const char *equals = strchr(argument, '=');
    size_t name_bytes = strcspn(argument, "=") - 2;
    const fx_flag *flag;
    *out_value = equals != NULL ? equals + 1 : NULL;
    for (flag = tool->flags; flag->name != NULL; ++flag) {
        if (strlen(flag->name) == name_bytes && memcmp(flag->name, argument + 2, name_bytes) == 0) {
            return flag;
        }
    }
    fx_usage(tool, "unknown flag ", argument);
    return NULL;
}

/*
 * Read the command line: flags go where the table says, files to the front of argv. Ends the
 * program on --help, --version and on wrong usage. Also makes a closed pipe an ordinary write
 * error; see fx_flush.
 *
 * Returns: the number of files, which lie in argv[0..].
 */
static inline uint32_t fx_start(const fx_tool *tool, int argc, char **argv) {
    uint32_t file_count = 0;
    int at, only_files = 0;
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_IGN);
#endif
    for (at = 1; at < argc; ++at) {
        const char *value;
        const fx_flag *flag;
        if (only_files || argv[at][0] != '-') {
            argv[file_count++] = argv[at];
        } else if (strcmp(argv[at], "--") == 0) {
            only_files = 1;
        } else if (strcmp(argv[at], "-h") == 0 || strcmp(argv[at], "--help") == 0) {
            fx_help(tool, stdout);
            exit(FX_OK);
        } else if (strcmp(argv[at], "--version") == 0) {
            printf("%s %d.%d.%d\n", tool->name, BIOST_VERSION_MAJOR, BIOST_VERSION_MINOR,
                   BIOST_VERSION_PATCH);
            exit(FX_OK);
        } else if (argv[at][1] != '-') {
            fx_usage(tool, "unknown flag ", argv[at]);
        } else {
            flag = fx_find(tool, argv[at], &value);
            if (flag->kind == FX_SWITCH && value != NULL) {
                fx_usage(tool, "this flag takes no value: ", argv[at]);
            }
            if (flag->kind != FX_SWITCH && value == NULL) {
                if (at + 1 == argc) {
                    fx_usage(tool, "a value must follow ", argv[at]);
                }
                value = argv[++at];
            }
            fx_store(tool, flag, value);
        }
    }
    return file_count;
}

/* ---- output, files, time ------------------------------------------------ */

/*
 * Send what was printed. Where nobody reads any more (`fxbatch ... | head -1`) the tool stops
 * without a word and without an error; where the disk is full it says so.
 *
 * Returns: 1 to go on, 0 to stop with *out_exit.
 */
static inline int fx_flush(const char *program, int *out_exit) {
    int failed = fflush(stdout) != 0, reason = errno;
    if (!failed && !ferror(stdout)) {
        return 1;
    }
    *out_exit = FX_OK;
    if (failed && reason != EPIPE) {
        fprintf(stderr, "%s: standard output cannot be written: %s\n", program, strerror(reason));
        *out_exit = FX_BAD_DATA;
    }
    return 0;
}

/* Write a small file whole or not at all: as PATH.part, then renamed. Returns an exit code. */
static inline int fx_write_file(const char *program, const char *path, const void *bytes,
                                size_t count) {
    size_t path_bytes = strlen(path);
    char *part = (char *)malloc(path_bytes + sizeof ".part");
    FILE *file = NULL;
    int good = 0, reason = ENOMEM;
    if (part != NULL) {
        memcpy(part, path, path_bytes);
        memcpy(part + path_bytes, ".part", sizeof ".part");
        errno = 0;
        file = fopen(part, "wb");
        good = file != NULL && fwrite(bytes, 1, count, file) == count;
        good = file != NULL && fclose(file) == 0 && good;
#ifdef _WIN32
        good = good && (remove(path) == 0 || errno == ENOENT);
#endif
        good = good && rename(part, path) == 0;
        reason = errno;
        free(part);
    }
    if (!good) {
        fflush(stdout);
        fprintf(stderr, "%s: %s cannot be written: %s\n", program, path, strerror(reason));
    }
    return good ? FX_OK : FX_BAD_DATA;
}

/* Read a small file whole. Returns an exit code; one over `capacity` bytes is none of ours. */
static inline int fx_read_file(const char *program, const char *path, void *bytes,
                               size_t capacity, size_t *out_count) {
    FILE *file = fopen(path, "rb");
    const char *reason = strerror(errno);
    *out_count = 0;
    if (file != NULL) {
        *out_count = fread(bytes, 1, capacity, file);
        reason = ferror(file) ? strerror(errno) : getc(file) != EOF ? "it is too long" : NULL;
        fclose(file);
    }
    if (reason != NULL) {
        fprintf(stderr, "%s: %s cannot be read: %s\n", program, path, reason);
    }
    return reason == NULL ? FX_OK : FX_BAD_DATA;
}

/* Seconds since some moment; only differences mean something. */
static inline double fx_seconds(void) {
#if defined(CLOCK_MONOTONIC) && !defined(_WIN32) /* clock() is wall time there */
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#else
    return (double)clock() / CLOCKS_PER_SEC;
#endif
}

#endif /* FX_H */
