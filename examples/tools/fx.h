/*
 * fx.h - what the tools share: flags, groups, exit codes, the error printer, standard input and output,
 *        readers, indexes, files read and saved whole, names in tables, a clock, a progress bar.
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
 * error), 2 wrong usage. A file named "-" is standard input.
 *
 * Names of files are UTF-8 on Windows too, as the library takes them, with either separator; main starts with
 * fx_arguments, which gets them that way.
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

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h> /* goes before shellapi.h */

#include <direct.h>
#include <io.h>
#include <shellapi.h>
#include <wchar.h>
#ifdef _MSC_VER
#pragma comment(lib, "shell32.lib") /* CommandLineToArgvW; MinGW links it in any case */
#endif
#else
#include <dirent.h>
#include <unistd.h>
#endif

/* While a file is saved its name has this after it, with the number of the process and of the try. */
#define FX_PART "%.*s.%08lx%04x.part"
enum { FX_PART_BYTES = 18, FX_PART_NAME = 200 }; /* bytes of what follows; most bytes of the name */

enum { FX_OK = 0, FX_BAD_DATA = 1, FX_USAGE = 2 };

/* ---- the system ---------------------------------------------------------
 *
 * Calls that take names of files. Where one fails, errno says why.
 */

/* What a name leads to. */
typedef enum fx_node {
    FX_NONE,    /* nothing that can be looked at                                      */
    FX_FILE,    /* a regular file                                                     */
    FX_FOLDER,  /* a directory                                                        */
    FX_SPECIAL, /* a pipe or device: bytes in order, and opening it may wait          */
} fx_node;

#ifdef _WIN32
enum { FX_WIDE = 4096 }; /* characters of a path, with the NUL */

/* errno for the error of a call of the system. Returns 0. */
static inline int fx_system_failed(void) {
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME: errno = ENOENT; break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: errno = EEXIST; break;
    case ERROR_DISK_FULL: errno = ENOSPC; break;
    case ERROR_INSUFFICIENT_BUFFER:
    case ERROR_FILENAME_EXCED_RANGE: errno = ENAMETOOLONG; break;
    case ERROR_NO_UNICODE_TRANSLATION: errno = EILSEQ; break;
    default: errno = EACCES; break;
    }
    return 0;
}

/* A path as calls of the system want it: a long one whole, with a prefix. Returns 0 if that cannot be. */
static inline int fx_widen(const char *path, wchar_t wide[FX_WIDE]) {
    wchar_t whole[FX_WIDE];
    DWORD count;
    int is_share;
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, FX_WIDE) == 0) {
        return fx_system_failed();
    }
    count = GetFullPathNameW(wide, FX_WIDE - 8, whole, NULL);
    if (count < 248 || wcsncmp(wide, L"\\\\?\\", 4) == 0) {
        return 1;
    }
    if (count >= FX_WIDE - 8) {
        errno = ENAMETOOLONG;
        return 0;
    }
    is_share = wcsncmp(whole, L"\\\\", 2) == 0;
    wcscpy(wide, is_share ? L"\\\\?\\UNC" : L"\\\\?\\");
    wcscat(wide, is_share ? whole + 1 : whole);
    return 1;
}

/* As fopen. */
static inline FILE *fx_open(const char *path, const char *mode) {
    wchar_t wide[FX_WIDE], wide_mode[8];
    size_t at;
    for (at = 0; mode[at] != '\0' && at < 7; ++at) {
        wide_mode[at] = (wchar_t)mode[at];
    }
    wide_mode[at] = L'\0';
    return fx_widen(path, wide) ? _wfopen(wide, wide_mode) : NULL;
}

/* Make a file that is not there yet, to be written; `mode` are permissions, which this system has not. */
static inline FILE *fx_create(const char *path, unsigned mode) {
    wchar_t wide[FX_WIDE];
    int file;
    (void)mode;
    file = fx_widen(path, wide)
               ? _wopen(wide, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY, _S_IREAD | _S_IWRITE)
               : -1;
    return file >= 0 ? _fdopen(file, "wb") : NULL;
}

/* Returns 0 if it failed; so do the three after it. */
static inline int fx_remove(const char *path) {
    wchar_t wide[FX_WIDE];
    return fx_widen(path, wide) && _wremove(wide) == 0;
}

static inline int fx_make_folder(const char *path) {
    wchar_t wide[FX_WIDE];
    return fx_widen(path, wide) && _wmkdir(wide) == 0;
}

/* Remove a folder that is empty; one that is not stays. */
static inline void fx_drop_folder(const char *path) {
    wchar_t wide[FX_WIDE];
    (void)(fx_widen(path, wide) && _wrmdir(wide) == 0);
}

/* Rename a file over one that may be there; tried again for a moment, as it is refused while others do the same. */
static inline int fx_rename(const char *from, const char *to) {
    wchar_t wide_from[FX_WIDE], wide_to[FX_WIDE];
    int tries, done = 0;
    if (!fx_widen(from, wide_from) || !fx_widen(to, wide_to)) {
        return 0;
    }
    for (tries = 0; !done && tries < 1000; ++tries) {
        Sleep(tries > 0 ? 1 : 0);
        done = MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING) != 0;
        if (!done && GetLastError() != ERROR_ACCESS_DENIED && GetLastError() != ERROR_SHARING_VIOLATION) {
            break;
        }
    }
    return done || fx_system_failed();
}

/* Open what a name leads to, links followed, to be asked about it; INVALID_HANDLE_VALUE if there is nothing. */
static inline HANDLE fx_look_at(const char *path) {
    const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    wchar_t wide[FX_WIDE];
    HANDLE handle = INVALID_HANDLE_VALUE;
    if (fx_widen(path, wide)) {
        handle = CreateFileW(wide, 0, share, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
        (void)(handle == INVALID_HANDLE_VALUE && fx_system_failed());
    }
    return handle;
}

/* When a file was written last, in ns from a time that is the same for all files; INT64_MIN: nobody knows. */
static inline int64_t fx_written_at(const char *path) {
    BY_HANDLE_FILE_INFORMATION info;
    HANDLE handle = fx_look_at(path);
    int64_t at = INT64_MIN;
    if (handle != INVALID_HANDLE_VALUE && GetFileInformationByHandle(handle, &info)) {
        at = ((int64_t)info.ftLastWriteTime.dwHighDateTime << 32 | info.ftLastWriteTime.dwLowDateTime) * 100;
    }
    if (handle != INVALID_HANDLE_VALUE) {
        CloseHandle(handle);
    }
    return at;
}

/* *out_mode: permissions, which this system has not; may be NULL. */
static inline fx_node fx_look(const char *path, unsigned *out_mode) {
    BY_HANDLE_FILE_INFORMATION info;
    HANDLE handle = fx_look_at(path);
    fx_node node = FX_SPECIAL;
    if (out_mode != NULL) {
        *out_mode = 0666;
    }
    if (handle == INVALID_HANDLE_VALUE) {
        return FX_NONE;
    }
    if (GetFileType(handle) == FILE_TYPE_DISK && GetFileInformationByHandle(handle, &info)) {
        node = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? FX_FOLDER : FX_FILE;
    }
    CloseHandle(handle);
    return node;
}

/* Volume and number of a file. Returns 0 if there is none. */
static inline int fx_identity(const char *path, BY_HANDLE_FILE_INFORMATION *out_info) {
    HANDLE handle = fx_look_at(path);
    int is_known = handle != INVALID_HANDLE_VALUE && GetFileType(handle) == FILE_TYPE_DISK &&
                   GetFileInformationByHandle(handle, out_info);
    if (handle != INVALID_HANDLE_VALUE) {
        CloseHandle(handle);
    }
    return is_known;
}

/* Whether two names, perhaps by links, lead to one file that is there. */
static inline int fx_is_same_file(const char *one, const char *other) {
    BY_HANDLE_FILE_INFORMATION info[2];
    return fx_identity(one, &info[0]) && fx_identity(other, &info[1]) &&
           info[0].dwVolumeSerialNumber == info[1].dwVolumeSerialNumber &&
           info[0].nFileIndexHigh == info[1].nFileIndexHigh && info[0].nFileIndexLow == info[1].nFileIndexLow;
}

/* Put the name of the file that a path leads to in its place, all links followed. Returns 0 if that failed. */
static inline int fx_follow(char path[4096]) {
    wchar_t wide[FX_WIDE];
    HANDLE handle = fx_look_at(path);
    DWORD count;
    if (handle == INVALID_HANDLE_VALUE) {
        return 1; /* there is none yet; what else may be wrong, creating it says */
    }
    count = GetFinalPathNameByHandleW(handle, wide, FX_WIDE, FILE_NAME_NORMALIZED);
    (void)(count > 0 || fx_system_failed());
    CloseHandle(handle);
    if (count >= FX_WIDE) {
        errno = ENAMETOOLONG;
    }
    return count > 0 && count < FX_WIDE &&
           WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, 4096, NULL, NULL) != 0;
}

/* Whether a part may be removed: whoever writes it has it open, and lets nobody else write. */
static inline int fx_is_left(const char *path, unsigned long process) {
    FILE *file = fx_open(path, "r+b");
    (void)process;
    return file != NULL && fclose(file) == 0;
}

/* Named pipes are no files here. */
static inline void fx_await_reader(const char *program, const char *path) {
    (void)program;
    (void)path;
}

/* Call `each` for the names in a folder, in no order, until it returns 0. Returns 0 if it cannot be read. */
static inline int fx_each_name(const char *folder, int (*each)(const char *name, void *user_data),
                               void *user_data) {
    struct _wfinddata_t found;
    wchar_t wide[FX_WIDE];
    char pattern[4096], name[1024];
    intptr_t search;
    snprintf(pattern, sizeof pattern, "%s/*", folder);
    search = fx_widen(pattern, wide) ? _wfindfirst(wide, &found) : -1;
    if (search == -1) {
        return 0;
    }
    do {
        if (WideCharToMultiByte(CP_UTF8, 0, found.name, -1, name, sizeof name, NULL, NULL) == 0) {
            name[0] = '\0';
        }
    } while (each(name, user_data) && _wfindnext(search, &found) == 0);
    _findclose(search);
    return 1;
}

/* Arguments of a command line. */
typedef struct fx_words {
    char **words; /* [count], then NULL */
    size_t count, capacity;
} fx_words;

/* Add an argument: `folder_count` characters of `path`, then `name`. Ends the program without memory. */
static inline void fx_words_add(fx_words *words, const wchar_t *path, size_t folder_count,
                                const wchar_t *name) {
    size_t name_count = wcslen(name), count = folder_count + name_count;
    size_t bytes = 3 * count + 1; /* no character takes more, two of one take 4 */
    wchar_t *whole = (wchar_t *)malloc((count + 1) * sizeof *whole);
    char *word = (char *)malloc(bytes), **grown = words->words;
    if (words->count + 1 >= words->capacity) {
        words->capacity = 2 * words->capacity + 16;
        grown = (char **)realloc((void *)words->words, words->capacity * sizeof *grown);
    }
    if (whole == NULL || word == NULL || grown == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(FX_BAD_DATA);
    }
    memcpy(whole, path, folder_count * sizeof *whole);
    memcpy(whole + folder_count, name, (name_count + 1) * sizeof *whole);
    WideCharToMultiByte(CP_UTF8, 0, whole, -1, word, (int)bytes, NULL, NULL);
    free(whole);
    words->words = grown;
    words->words[words->count++] = word;
    words->words[words->count] = NULL;
}

static inline int fx_words_order(const void *one, const void *other) {
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Add an argument; one with * or ?, which no name can have, as the files that it stands for, if there are any. */
static inline void fx_words_take(fx_words *words, const wchar_t *argument) {
    struct _wfinddata_t found;
    size_t folder_count = wcslen(argument), first = words->count;
    intptr_t search = wcspbrk(argument, L"*?") != NULL ? _wfindfirst(argument, &found) : -1;
    while (folder_count > 0 && wcschr(L"/\\:", argument[folder_count - 1]) == NULL) {
        --folder_count;
    }
    if (search != -1) {
        do {
            if (!(found.attrib & _A_SUBDIR)) {
                fx_words_add(words, argument, folder_count, found.name);
            }
        } while (_wfindnext(search, &found) == 0);
        _findclose(search);
        qsort((void *)(words->words + first), words->count - first, sizeof *words->words, fx_words_order);
    }
    if (words->count == first) {
        fx_words_add(words, argument, 0, argument);
    }
}

/*
 * The first call of main: the arguments in UTF-8, and patterns as the files they stand for, which shells of this
 * system leave to programs. They stay until the program ends. What is printed goes out as it is from here on: no line
 * ends changed.
 */
static inline void fx_arguments(int *argc, char ***argv) {
    fx_words words = {NULL, 0, 0};
    int count = 0, at;
    wchar_t **given = CommandLineToArgvW(GetCommandLineW(), &count);
    for (at = 0; given != NULL && at < count; ++at) {
        fx_words_take(&words, given[at]);
    }
    if (words.count > 0) {
        *argc = (int)words.count;
        *argv = words.words;
    }
    LocalFree((HLOCAL)given);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
}
#else
/* As fopen. */
static inline FILE *fx_open(const char *path, const char *mode) {
    return fopen(path, mode);
}

/* Lock a file for as long as it is open. Returns 0 where another process has, or the file system has no locks. */
static inline int fx_lock(int file) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return fcntl(file, F_SETLK, &lock) != -1;
}

/* Make a file that is not there yet, to be written, with permissions `mode`. It is locked, as biost_index_save's is. */
static inline FILE *fx_create(const char *path, unsigned mode) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, (mode_t)mode);
    if (file >= 0) {
        (void)fx_lock(file);
    }
    return file >= 0 ? fdopen(file, "wb") : NULL;
}

/*
 * Whether a part may be removed: its process is gone, and nobody has it locked. A process of another machine, whose
 * numbers are others, would have it locked.
 */
static inline int fx_is_left(const char *path, unsigned long process) {
    int is_left = 0, file;
    if (process == 0 || process > INT32_MAX || kill((pid_t)process, 0) == 0 || errno != ESRCH) {
        return 0;
    }
    file = open(path, O_WRONLY | O_NONBLOCK);
    if (file >= 0) {
        is_left = fx_lock(file);
        close(file);
    }
    return is_left;
}

/*
 * If nobody reads a pipe for a second, say that writing to it waits. If somebody does, this end stays open until the
 * program ends: closing it would tell the reader that all was written before anything was.
 */
static inline void fx_await_reader(const char *program, const char *path) {
    const struct timespec pause = {0, 50000000};
    struct stat info;
    int tries = stat(path, &info) == 0 && S_ISFIFO(info.st_mode) ? 20 : 0;
    for (; tries > 0 && open(path, O_WRONLY | O_NONBLOCK) < 0 && errno == ENXIO; --tries) {
        if (tries == 1) {
            fprintf(stderr, "%s: %s: this is a pipe, and waits until somebody reads it\n", program, path);
        } else {
            nanosleep(&pause, NULL);
        }
    }
}

/* Returns 0 if it failed; so do the three after it. */
static inline int fx_remove(const char *path) {
    return remove(path) == 0;
}

static inline int fx_make_folder(const char *path) {
    return mkdir(path, 0777) == 0;
}

/* Remove a folder that is empty; one that is not stays. */
static inline void fx_drop_folder(const char *path) {
    (void)rmdir(path);
}

/* Rename a file over one that may be there. */
static inline int fx_rename(const char *from, const char *to) {
    return rename(from, to) == 0;
}

/* Links are followed. *out_mode: its permissions; may be NULL. */
static inline fx_node fx_look(const char *path, unsigned *out_mode) {
    struct stat info;
    int there = stat(path, &info) == 0;
    unsigned mode = there ? (unsigned)info.st_mode : 0;
    if (out_mode != NULL) {
        *out_mode = mode & 0777u;
    }
    return !there                  ? FX_NONE
           : S_ISREG(info.st_mode) ? FX_FILE
           : S_ISDIR(info.st_mode) ? FX_FOLDER
                                   : FX_SPECIAL;
}

/* When a file was written last, in ns from a time that is the same for all files; INT64_MIN: nobody knows. */
static inline int64_t fx_written_at(const char *path) {
    struct stat info;
    int64_t part = 0;
    if (stat(path, &info) != 0) {
        return INT64_MIN;
    }
#ifdef __linux__
    part = (int64_t)info.st_mtim.tv_nsec;
#endif
    return (int64_t)info.st_mtime * 1000000000 + part;
}

/* Whether two names, perhaps by links, lead to one file that is there. */
static inline int fx_is_same_file(const char *one, const char *other) {
    struct stat info[2];
    return stat(one, &info[0]) == 0 && stat(other, &info[1]) == 0 && info[0].st_dev == info[1].st_dev &&
           info[0].st_ino == info[1].st_ino && S_ISREG(info[0].st_mode);
}

/* Call `each` for the names in a folder, in no order, until it returns 0. Returns 0 if it cannot be read. */
static inline int fx_each_name(const char *folder, int (*each)(const char *name, void *user_data),
                               void *user_data) {
    struct dirent *entry;
    DIR *names = opendir(folder);
    if (names == NULL) {
        return 0;
    }
    while ((entry = readdir(names)) != NULL && each(entry->d_name, user_data)) {
    }
    closedir(names);
    return 1;
}

/* The first call of main: on Windows the arguments need work. */
static inline void fx_arguments(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
}
#endif

/* ---- sentences of the library ---------------------------------------------
 *
 * They name fields of a desc, as desc.row_bases, and values, as BIOST_ENCODE_TOKENS; a tool has flags. It may say
 * before it includes this header:
 *   FX_DESC   the desc whose fields they are, in quotes
 *   FX_FLAGS  rows {"flag", "field"},
 *   FX_OTHERS 1: a field without a row is the flag of its own name, as in fxbatch
 *   FX_SAYS   rows {"words of the library", "what is said instead"},
 */
#ifndef FX_DESC
#define FX_DESC "biost_reader_desc"
#endif
#ifndef FX_FLAGS
#define FX_FLAGS
#endif
#ifndef FX_OTHERS
#define FX_OTHERS 0
#endif
#ifndef FX_SAYS
#define FX_SAYS
#endif

static const char *const fx_flag_rows[][2] = {FX_FLAGS{NULL, NULL}};

/* What is said instead of words, the longer ones first. */
static const char *const fx_says[][2] = {
    FX_SAYS{"desc.max_record_bytes", "the most that is taken"},
    {"desc.max_line_bytes", "the most that is taken"},
    {"desc.text.loose goes with BIOST_TEXT_AS_KSEQ, require_record and skip_bad alone",
     "--text.loose goes with --text.mixed, --text.high_bytes, --text.skip_junk and "
     "--text.ignore_plus, all of them, and --text.require_record and --skip-bad alone"},
    {"desc.memories", "the files"},
    {"desc.paths", "the files"},
    {"desc.index", "--index"},
    {"desc.fd", "standard input"},
    {"desc.groups", "the groups"},
    {"the desc", "this"},
    {NULL, NULL}};

typedef struct fx_speech {
    const char *at; /* what is left of the sentence                                   */
    char *out;      /* [capacity] */
    size_t used, capacity;
    int is_named; /* a field or a value was just named                              */
} fx_speech;

static inline void fx_speech_put(fx_speech *speech, const char *words, size_t bytes) {
    for (; bytes > 0 && speech->used + 1 < speech->capacity; --bytes) {
        speech->out[speech->used++] = *words++;
    }
    speech->out[speech->used] = '\0';
}

static inline int fx_is_word(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_';
}

/* If words of a table stand here, whole, say the others instead. Returns 0 if none do. */
static inline int fx_speech_take(fx_speech *speech, const char *given, const char *words) {
    size_t bytes = strlen(given);
    const char *rest = speech->at + bytes;
    if (strncmp(speech->at, given, bytes) != 0 ||
        (fx_is_word(given[bytes - 1]) && (fx_is_word(rest[0]) || (rest[0] == '.' && fx_is_word(rest[1]))))) {
        return 0;
    }
    fx_speech_put(speech, words, strlen(words));
    speech->at += bytes;
    return 1;
}

/* The flag of a field, without its dashes; NULL: it has none. */
static inline const char *fx_flag_of(const char *field) {
    size_t at;
    for (at = 0; at + 1 < sizeof fx_flag_rows / sizeof fx_flag_rows[0]; ++at) {
        if (strcmp(fx_flag_rows[at][1], field) == 0) {
            return fx_flag_rows[at][0];
        }
    }
    return FX_OTHERS ? field : NULL;
}

/* Name a field by its flag: the longest name that stands after "desc.". */
static inline void fx_speech_take_field(fx_speech *speech) {
    const char *name = speech->at + strlen("desc."), *flag;
    uint32_t count, at;
    const biost_field *fields = biost_desc_fields(FX_DESC, &count), *best = NULL;
    for (at = 0; at < count; ++at) {
        size_t bytes = strlen(fields[at].name);
        if (strncmp(fields[at].name, name, bytes) == 0 && !fx_is_word(name[bytes]) &&
            (best == NULL || bytes > strlen(best->name))) {
            best = &fields[at];
        }
    }
    speech->at = name;
    flag = best != NULL ? fx_flag_of(best->name) : NULL;
    if (flag != NULL) {
        fx_speech_put(speech, "--", 2);
        fx_speech_put(speech, flag, strlen(flag));
        speech->at += strlen(best->name);
    }
}

/* How many bytes at the end of `name` are the word in upper case, as TOKENS is of tokens. */
static inline size_t fx_same_word(const char *name, size_t bytes, const char *word, size_t word_bytes) {
    size_t at;
    for (at = 0; at < word_bytes && word_bytes < bytes; ++at) {
        char letter = name[bytes - word_bytes + at];
        letter = letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter == '_' ? '-' : letter;
        if (letter != word[at]) {
            return 0;
        }
    }
    return word_bytes < bytes && name[bytes - word_bytes - 1] == '_' ? word_bytes : 0;
}

/* Name a value by the word that flags take for it: the longest word of any field that fits. */
static inline void fx_speech_take_value(fx_speech *speech) {
    size_t bytes = 0, word_bytes, best_bytes = 0;
    const char *word, *best = "";
    uint32_t count, at;
    const biost_field *fields = biost_desc_fields(FX_DESC, &count);
    while (fx_is_word(speech->at[bytes])) {
        ++bytes;
    }
    for (at = 0; at < count; ++at) {
        for (word = fields[at].words; word != NULL && *word != '\0';
             word += word_bytes + (word[word_bytes] == '|')) {
            word_bytes = strcspn(word, "|");
            if (fx_same_word(speech->at, bytes, word, word_bytes) > best_bytes) {
                best = word;
                best_bytes = word_bytes;
            }
        }
    }
    fx_speech_put(speech, best_bytes > 0 ? best : speech->at, best_bytes > 0 ? best_bytes : bytes);
    speech->at += bytes;
}

/* Take what stands at the place of the sentence. */
static inline void fx_speech_step(fx_speech *speech) {
    static const char *const after[][2] = {{" is not 0", " is given"},
                                           {" is not NULL", " is given"},
                                           {" is 0", " is not given"},
                                           {", which is 0", ", which is not given"},
                                           {" is NULL", " is not given"}};
    const int was_named = speech->is_named;
    size_t at;
    speech->is_named = 0;
    for (at = 0; was_named && at < sizeof after / sizeof after[0]; ++at) {
        if (fx_speech_take(speech, after[at][0], after[at][1])) {
            return;
        }
    }
    if (strncmp(speech->at, "desc.groups[", 12) == 0) {
        fx_speech_put(speech, "group ", 6);
        fx_speech_put(speech, speech->at + 12, strcspn(speech->at + 12, "]"));
        speech->at += strcspn(speech->at, "]") + (strchr(speech->at, ']') != NULL);
        return;
    }
    for (at = 0; fx_says[at][0] != NULL; ++at) {
        if (fx_speech_take(speech, fx_says[at][0], fx_says[at][1])) {
            speech->is_named = 1;
            return;
        }
    }
    if (strncmp(speech->at, "desc.", 5) == 0) {
        fx_speech_take_field(speech);
        speech->is_named = 1;
    } else if (strncmp(speech->at, "BIOST_", 6) == 0) {
        fx_speech_take_value(speech);
        speech->is_named = 1;
    } else {
        fx_speech_put(speech, speech->at++, 1);
    }
}

/* Say a sentence of the library in flags, in out [capacity]. Only whole words change, so no part of a path. */
static inline void fx_speak(const char *text, char *out, size_t capacity) {
    fx_speech speech = {NULL, NULL, 0, 0, 0};
    speech.at = text;
    speech.out = out;
    speech.capacity = capacity;
    out[0] = '\0';
    while (*speech.at != '\0') {
        const char before = speech.at > text ? speech.at[-1] : ' ';
        if (!speech.is_named && (fx_is_word(before) || strchr("/\\.-", before) != NULL)) {
            fx_speech_put(&speech, speech.at++, 1);
        } else {
            fx_speech_step(&speech);
        }
    }
}

enum { FX_SENTENCE = 1024 }; /* bytes of a sentence in flags, with the NUL                 */

/* ---- messages ----------------------------------------------------------- */

/* Say a sentence, which may be the library's. */
static inline void fx_complain(const char *program, const char *sentence) {
    char words[FX_SENTENCE];
    fx_speak(sentence, words, sizeof words);
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", program, words);
}

/*
 * Print the name of a file as a table or a terminal can take it: bytes outside 32..126, and the backslash, as
 * \xHH, which is how the library's sentences have the former.
 */
static inline void fx_print_name(FILE *to, const char *name) {
    for (; *name != '\0'; ++name) {
        unsigned char byte = (unsigned char)*name;
        if (byte < 32 || byte > 126 || byte == '\\') {
            fprintf(to, "\\x%02x", byte);
        } else {
            fputc(byte, to);
        }
    }
}

/* "PROGRAM: NAME WORDS: REASON", or without the reason where that is NULL. */
static inline void fx_complain_of(const char *program, const char *name, const char *words,
                                  const char *reason) {
    fflush(stdout);
    fprintf(stderr, "%s: ", program);
    fx_print_name(stderr, name);
    fprintf(stderr, " %s%s%s\n", words, reason != NULL ? ": " : "", reason != NULL ? reason : "");
}

/*
 * Print the library's sentence and say how the program should end: a call that can never work is
 * wrong usage, everything else is the data's or the machine's fault. `error` may be NULL.
 */
static inline int fx_fail(const char *program, biost_result result, const biost_error *error) {
    fx_complain(program, error != NULL ? error->text : biost_result_name(result));
    if (error != NULL &&
        (error->fault == BIOST_FAULT_STATE_DAMAGED || error->fault == BIOST_FAULT_STATE_VERSION ||
         error->fault == BIOST_FAULT_INDEX_DAMAGED || error->fault == BIOST_FAULT_NO_ROW ||
         error->fault == BIOST_FAULT_NO_GROUP_ROW || error->fault == BIOST_FAULT_EMPTY_GROUP)) {
        return FX_BAD_DATA;
    }
    return result == BIOST_ERR_ARG ? FX_USAGE : FX_BAD_DATA;
}

/* ---- standard output ----------------------------------------------------
 *
 * Where nobody reads any more (`fxbatch ... | head -1`) a tool stops without a word and without an
 * error; where the disk is full it says so. Both calls return 1 to go on, 0 to stop with *out_exit.
 */

static inline int fx_output_failed(const char *program, int reason, int *out_exit) {
    *out_exit = FX_OK;
#ifdef _WIN32
    /* The error differs; but writing to a pipe fails only where its reader has gone. */
    if (GetFileType((HANDLE)_get_osfhandle(_fileno(stdout))) == FILE_TYPE_PIPE) {
        reason = EPIPE;
    }
#endif
    if (reason != EPIPE) {
        fprintf(stderr, "%s: standard output cannot be written: %s\n", program, strerror(reason));
        *out_exit = FX_BAD_DATA;
    }
    return 0;
}

/* Send what was printed. */
static inline int fx_flush(const char *program, int *out_exit) {
    int failed = ferror(stdout), reason = errno; /* of a write that printing made by itself */
    if (fflush(stdout) != 0) {
        failed = 1;
        reason = errno;
    }
    return failed ? fx_output_failed(program, reason, out_exit) : 1;
}

/* Send bytes; fx_raw_output goes before. */
static inline int fx_write(const char *program, const void *bytes, size_t count, int *out_exit) {
    if (fwrite(bytes, 1, count, stdout) == count) {
        return 1;
    }
    return fx_output_failed(program, errno, out_exit);
}

/* Standard output takes large pieces from here on: no buffer. */
static inline void fx_raw_output(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
}

/* ---- flags --------------------------------------------------------------
 *
 * A tool describes its flags in a table that ends with a NULL name. `--name value` and
 * `--name=value` are the same, and where the flag has a letter, `-n value` and `-nvalue` too;
 * letters without values may stand together, as in `-vn value`. `--` ends the flags; what is not a
 * flag is a file, "-" too. -h, --help and --version are always there.
 */
typedef enum fx_kind {
    FX_U32,      /* out: uint32_t *, least <= value <= most                             */
    FX_U64,      /* out: uint64_t *, likewise                                           */
    FX_FRACTION, /* out: float *, a decimal number, likewise                            */
    FX_TEXT,     /* out: const char **                                                  */
    FX_TEXTS,    /* out: fx_texts *; the flag may be given again                        */
    FX_CHOICE,   /* out: int *, which of `meta`'s words, as in "drop|pad|short"         */
    FX_SWITCH,   /* out: int *, takes no value, sets 1; where `meta` has words, the place  */
                 /* from 1 of the one that comes after it, if one of them does           */
    FX_FIELD     /* out: fx_field *, a field of a loader's desc, as the library takes it */
} fx_kind;

/* A field of a loader's desc for FX_FIELD. `memory` is for values that the desc points to. */
typedef struct fx_field {
    biost_loader_desc *desc;
    biost_desc_memory *memory;
    const char *name; /* of the field; NULL: the value is a file of fields, see biost_loader_desc_read */
} fx_field;

/* The values of a flag that may be given again, in their order. */
typedef struct fx_texts {
    const char **texts; /* [argc] of main's at least, from the tool                    */
    uint32_t count;
} fx_texts;

typedef struct fx_flag {
    char letter;      /* the short form; 0: none                                     */
    const char *name; /* the long form, without the dashes                           */
    const char *meta; /* what the value is called in the help                        */
    fx_kind kind;
    void *out;            /* holds the default before                                    */
    uint64_t least, most; /* for numbers                                                 */
    const char *help;     /* NULL: the help leaves the flag out                              */
} fx_flag;

typedef struct fx_tool {
    const char *name;
    const char *usage; /* "FILE..." */
    const char *about; /* a few lines for the help, with line ends                    */
    const fx_flag *flags;
} fx_tool;

static inline void fx_help(const fx_tool *tool) {
    const fx_flag *flag;
    char left[64];
    int used;
    printf("usage: %s [flags] %s\n\n%s\n", tool->name, tool->usage, tool->about);
    for (flag = tool->flags; flag->name != NULL; ++flag) {
        if (flag->help == NULL) {
            continue;
        }
        used = flag->letter != 0 ? snprintf(left, sizeof left, "-%c, ", flag->letter) : 0;
        snprintf(left + used, sizeof left - (size_t)used, "--%s %s", flag->name, flag->meta);
        printf("  %-27s%s%s\n", left, strlen(left) > 27 ? "\n                              " : " ",
               flag->help);
    }
    printf("  %-27s %s\n", "--version", "print the version of biostream and end");
    printf("  %-27s %s\n\n", "-h, --help", "print this and end");
    printf("exit codes: 0 fine, 1 bad data (a sentence on standard error), 2 wrong usage\n");
}

/* What every tool answers, then the end of the program. */
static inline void fx_help_and_end(const fx_tool *tool) {
    int status = FX_OK;
    fx_help(tool);
    fx_flush(tool->name, &status);
    exit(status);
}

static inline void fx_version_and_end(const fx_tool *tool) {
    int status = FX_OK;
    printf("%s %d.%d.%d\n", tool->name, BIOST_VERSION_MAJOR, BIOST_VERSION_MINOR, BIOST_VERSION_PATCH);
    fx_flush(tool->name, &status);
    exit(status);
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
    if (flag->kind == FX_CHOICE || flag->kind == FX_SWITCH) {
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

static inline int fx_read_file(const char *program, const char *path, void *bytes, size_t capacity,
                               size_t *out_count);

/*
 * Write `name "value"` as biost_loader_desc_read takes it; a value of any bytes needs up to 4 times its size.
 */
static inline void fx_quote(char *out, const char *name, const char *value) {
    out += sprintf(out, "%s \"", name);
    for (; *value != '\0'; ++value) {
        out += sprintf(out, "\\x%02x", (unsigned)(unsigned char)*value);
    }
    sprintf(out, "\"");
}

/* Set a field, or all fields of a file, or end the program with the library's sentence. */
static inline void fx_store_field(const fx_tool *tool, const fx_flag *flag, const char *value) {
    const fx_field *field = (const fx_field *)flag->out;
    size_t space = field->name != NULL ? strlen(field->name) + 4 * strlen(value) + 4 : 65536, bytes = 0;
    char *text = (char *)malloc(space);
    biost_error error;
    char start[64], words[FX_SENTENCE];
    biost_result result;
    if (text == NULL) {
        fx_complain(tool->name, "out of memory");
        exit(FX_BAD_DATA);
    }
    if (field->name != NULL) {
        fx_quote(text, field->name, value);
    } else if (fx_read_file(tool->name, value, text, space - 1, &bytes) == FX_OK) {
        text[bytes] = '\0';
    } else {
        exit(FX_BAD_DATA);
    }
#if BIOST_HAS_LOADER
    result = biost_loader_desc_read(field->desc, text, field->memory, &error);
#else /* and no tool has such a flag */
    memset(&error, 0, sizeof error);
    result = BIOST_ERR_UNSUPPORTED;
#endif
    free(text);
    if (result != BIOST_OK) {
        snprintf(start, sizeof start, "--%s: ", flag->name);
        fx_speak(field->name != NULL ? error.text + strlen("line 1: ") : error.text, words, sizeof words);
        if (strncmp(words, start, strlen(start) - 2) == 0 && words[strlen(start) - 2] == ' ') {
            start[0] = '\0'; /* the sentence begins with the flag by itself */
        }
        fx_usage(tool, start, words);
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
    case FX_TEXT: *(const char **)flag->out = value; break;
    case FX_TEXTS: {
        fx_texts *list = (fx_texts *)flag->out;
        list->texts[list->count++] = value;
        break;
    }
    case FX_SWITCH:
        *(int *)flag->out = value == NULL || value[0] == '\0' ? 1 : 1 + fx_parse_choice(flag->meta, value);
        good = *(int *)flag->out > 0;
        break;
    case FX_FIELD: fx_store_field(tool, flag, value); break;
    }
    if (!good) {
        fx_refuse(tool, flag, value);
    }
}

/* The flag that `argument` names, and its value after '=' or NULL. Ends the program if unknown. */
static inline const fx_flag *fx_find(const fx_tool *tool, const char *argument, const char **out_value) {
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
 * Store the flag at argv[at] with the value attached to it, or, where none is and the flag wants
 * one, with the next argument. Returns the last argument used.
 */
static inline int fx_take(const fx_tool *tool, const fx_flag *flag, const char *value, int argc, char **argv,
                          int at) {
    const int is_choice = flag->kind == FX_SWITCH && flag->meta[0] != '\0';
    if (flag->kind == FX_SWITCH && value != NULL && !is_choice) {
        fx_usage(tool, "this flag takes no value: ", argv[at]);
    }
    if (is_choice && value == NULL && at + 1 < argc && fx_parse_choice(flag->meta, argv[at + 1]) >= 0) {
        value = argv[++at];
    }
    if (flag->kind != FX_SWITCH && value == NULL) {
        if (at + 1 == argc) {
            fx_usage(tool, "a value must follow ", argv[at]);
        }
        value = argv[++at];
    }
    fx_store(tool, flag, value);
    return at;
}

/* `--name`, `--name value` or `--name=value`. Returns the last argument used. */
static inline int fx_take_name(const fx_tool *tool, int argc, char **argv, int at) {
    const char *value;
    const fx_flag *flag;
    if (strcmp(argv[at], "--help") == 0) {
        fx_help_and_end(tool);
    }
    if (strcmp(argv[at], "--version") == 0) {
        fx_version_and_end(tool);
    }
    flag = fx_find(tool, argv[at], &value);
    return fx_take(tool, flag, value, argc, argv, at);
}

/* `-n`, `-n value`, `-nvalue` or several letters. Returns the last argument used. */
static inline int fx_take_letters(const fx_tool *tool, int argc, char **argv, int at) {
    const char *letter;
    for (letter = argv[at] + 1; *letter != '\0'; ++letter) {
        const fx_flag *flag = tool->flags;
        if (*letter == 'h') {
            fx_help_and_end(tool);
        }
        while (flag->name != NULL && flag->letter != *letter) {
            ++flag;
        }
        if (flag->name == NULL) {
            fx_usage(tool, "unknown flag ", argv[at]);
        }
        if (flag->kind != FX_SWITCH) {
            return fx_take(tool, flag, letter[1] != '\0' ? letter + 1 : NULL, argc, argv, at);
        }
        fx_store(tool, flag, "");
    }
    return at;
}

/*
 * Read the command line: flags go where the table says, files to the front of argv. Ends the
 * program on --help, --version and on wrong usage. Also makes a closed pipe, and a file that is to be larger than
 * the shell allows, an ordinary write error; see fx_flush.
 *
 * Returns: the number of files, which lie in argv[0..].
 */
static inline uint32_t fx_start(const fx_tool *tool, int argc, char **argv) {
    uint32_t file_count = 0, is = biost_version();
    int at, only_files = 0;
    if (!BIOST_VERSION_FITS(is)) {
        fprintf(stderr, "%s: compiled with biostream.h %d.%d.%d, and biostream %u.%u.%u is linked\n",
                tool->name, BIOST_VERSION_MAJOR, BIOST_VERSION_MINOR, BIOST_VERSION_PATCH, is / 10000,
                is / 100 % 100, is % 100);
        exit(1);
    }
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_IGN);
#endif
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN);
#endif
    for (at = 1; at < argc; ++at) {
        if (only_files || argv[at][0] != '-' || argv[at][1] == '\0') {
            argv[file_count++] = argv[at];
        } else if (strcmp(argv[at], "--") == 0) {
            only_files = 1;
        } else if (argv[at][1] == '-') {
            at = fx_take_name(tool, argc, argv, at);
        } else {
            at = fx_take_letters(tool, argc, argv, at);
        }
    }
    return file_count;
}

/* ---- groups ---------------------------------------------------------------
 *
 * --group NAME[:WEIGHT[:LABEL]] makes a group of the files after it, up to the next one.
 */
typedef struct fx_groups {
    fx_texts given;         /* of the flag, an FX_TEXTS                                   */
    const char **arguments; /* [argument_count] main's, as they were before fx_start         */
    uint32_t argument_count;
    biost_loader_desc *desc;   /* gets the groups                                            */
    biost_desc_memory *memory; /* where they lie                                             */
} fx_groups;

/*
 * Before fx_start, which moves the arguments of main: groups for `desc`, in `memory`. groups->arguments is the
 * caller's to free.
 */
static inline void fx_groups_begin(const char *program, fx_groups *groups, int argc, char **argv,
                                   biost_loader_desc *desc, biost_desc_memory *memory) {
    size_t count = (size_t)argc, at;
    groups->arguments = (const char **)malloc(2 * (count + 1) * sizeof *groups->arguments);
    if (groups->arguments == NULL) {
        fx_complain(program, "out of memory");
        exit(FX_BAD_DATA);
    }
    for (at = 0; at < count; ++at) {
        groups->arguments[at] = argv[at];
    }
    groups->argument_count = (uint32_t)argc;
    groups->given.texts = groups->arguments + count;
    groups->given.count = 0;
    groups->desc = desc;
    groups->memory = memory;
}

/* Set a field of group number `group`, or end the program with the library's sentence. */
static inline void fx_set_group(const fx_tool *tool, const fx_groups *groups, uint32_t group,
                                const char *name, const char *value) {
    fx_flag flag = {0, "group", NULL, FX_FIELD, NULL, 0, 0, NULL};
    fx_field field = {NULL, NULL, NULL};
    char whole[48];
    snprintf(whole, sizeof whole, "group.%" PRIu32 ".%s", group, name);
    field.desc = groups->desc;
    field.memory = groups->memory;
    field.name = whole;
    flag.out = &field;
    fx_store_field(tool, &flag, value);
}

static inline void fx_set_group_number(const fx_tool *tool, const fx_groups *groups, uint32_t group,
                                       const char *name, uint32_t number) {
    char digits[16];
    snprintf(digits, sizeof digits, "%" PRIu32, number);
    fx_set_group(tool, groups, group, name, digits);
}

/* NAME[:WEIGHT[:LABEL]] of group number `group`, whose files are [first, end). */
static inline void fx_take_group(const fx_tool *tool, const fx_groups *groups, uint32_t group, uint32_t first,
                                 uint32_t end) {
    const char *text = groups->given.texts[group];
    char *copy = (char *)malloc(strlen(text) + 1), *weight, *label;
    if (copy == NULL) {
        fx_complain(tool->name, "out of memory");
        exit(FX_BAD_DATA);
    }
    if (first == end) {
        fx_usage(tool, "no file follows --group ", text);
    }
    strcpy(copy, text);
    weight = strchr(copy, ':');
    label = weight != NULL ? strchr(weight + 1, ':') : NULL;
    if (weight != NULL) {
        *weight++ = '\0';
    }
    if (label != NULL) {
        *label++ = '\0';
    }
    fx_set_group(tool, groups, group, "name", copy);
    fx_set_group_number(tool, groups, group, "first_input", first);
    fx_set_group_number(tool, groups, group, "input_count", end - first);
    fx_set_group(tool, groups, group, "weight", weight != NULL ? weight : "1");
    fx_set_group(tool, groups, group, "label", label != NULL ? label : "0");
    free(copy);
}

/* Whether an argument is, or has after its '=', this value of a flag. */
static inline int fx_has_value(const char *argument, const char *value) {
    const char *equals = strchr(argument, '=');
    return argument == value || (equals != NULL && equals + 1 == value);
}

/* Give the desc the groups of --group, at least one, in the place of others. Ends the program on wrong usage. */
static inline void fx_take_groups(const fx_tool *tool, const fx_groups *groups, char **files,
                                  uint32_t file_count) {
    const fx_texts *given = &groups->given;
    uint32_t at, file = 0, first = 0, begun = 0;
    groups->desc->groups = NULL; /* those of --desc are others */
    groups->desc->group_count = 0;
    for (at = 1; at < groups->argument_count; ++at) {
        if (begun < given->count && fx_has_value(groups->arguments[at], given->texts[begun])) {
            if (begun > 0) {
                fx_take_group(tool, groups, begun - 1, first, file);
            }
            first = file;
            ++begun;
        } else if (file < file_count && files[file] == groups->arguments[at]) {
            if (begun == 0) {
                fx_usage(tool, "a file stands before the first --group: ", files[file]);
            }
            ++file;
        }
    }
    fx_take_group(tool, groups, begun - 1, first, file);
}

/* ---- standard input ----------------------------------------------------- */

/* Whether a file on the command line stands for standard input. */
static inline int fx_is_input(const char *path) {
    return strcmp(path, "-") == 0;
}

/* How many of the files stand for standard input. */
static inline uint32_t fx_count_inputs(char **paths, uint32_t count) {
    uint32_t at, inputs = 0;
    for (at = 0; at < count; ++at) {
        inputs += fx_is_input(paths[at]) ? 1 : 0;
    }
    return inputs;
}

/* Standard input for desc.fd, with desc.has_fd: from where it is, once. */
static inline int fx_input(void) {
#ifdef _WIN32
    _setmode(0, _O_BINARY);
#endif
    return 0;
}

/* What a file on the command line is called in sentences and tables. */
static inline const char *fx_name(const char *path) {
    return fx_is_input(path) ? "standard input" : path;
}

/*
 * All of a file, "-" too, which can be read once only. Returns memory from malloc, also where there is
 * nothing to read; NULL, with a sentence on standard error, where that or reading failed.
 */
static inline void *fx_read_all(const char *program, const char *path, size_t *out_count) {
    FILE *file = fx_is_input(path) ? stdin : fx_open(path, "rb");
    size_t capacity = 0, count = 0;
    const char *reason = file == NULL ? strerror(errno) : NULL;
    char *bytes = NULL, *grown;
    (void)fx_input();
    while (reason == NULL && count == capacity) {
        capacity = capacity == 0 ? 1u << 16 : 2 * capacity;
        grown = capacity > count ? (char *)realloc(bytes, capacity) : NULL;
        bytes = grown != NULL ? grown : bytes;
        count += grown != NULL ? fread(bytes + count, 1, capacity - count, file) : 0;
        reason = grown == NULL ? "out of memory" : ferror(file) ? strerror(errno) : NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    if (reason != NULL) {
        fx_complain_of(program, fx_name(path), "cannot be read", reason);
        free(bytes);
        return NULL;
    }
    *out_count = count;
    return bytes;
}

/* ---- files, time -------------------------------------------------------- */

/* Refuse to write where an input is. Returns an exit code. */
static inline int fx_check_output(const char *program, const char *output, const char *input) {
    if (!fx_is_same_file(output, input)) {
        return FX_OK;
    }
    fflush(stdout);
    fprintf(stderr, "%s: ", program);
    fx_print_name(stderr, output);
    fprintf(stderr, ": this is an input, and would be lost if it were written\n");
    return FX_USAGE;
}

/* Refuse a file of which there can be no index, before it is opened, which could wait. Returns an exit code. */
static inline int fx_check_indexable(const char *program, const char *path) {
    if (fx_look(path, NULL) != FX_SPECIAL) {
        return FX_OK;
    }
    fflush(stdout);
    fprintf(stderr, "%s: ", program);
    fx_print_name(stderr, path);
    fprintf(stderr, ": an index needs a file, which can be read at any place: this is a pipe or device\n");
    return FX_USAGE;
}

/*
 * A file that is saved whole or not at all: fx_save_begin, fx_save_put as often as it takes, fx_save_end, which
 * says what failed, if anything did. The bytes go to a file beside it, with a name of its own, so that others may save the
 * same at the same time; it is flushed to the disk, then renamed, and removed if any of that fails. A link stays,
 * and the file it leads to is replaced; a file that is replaced keeps its permissions; a pipe or device is written
 * as it is. As biost_index_save does.
 */
typedef struct fx_save {
    FILE *file;
    const char *name;   /* as it was given                                            */
    const char *failed; /* the step that failed first, in words, or NULL              */
    int reason;         /* errno of it                                                */
    int in_place;       /* a pipe or device                                           */
    int replaces;       /* a file, whose permissions are `mode`                       */
    unsigned mode;
    char path[4096]; /* after all links are followed                                           */
    char temporary[4096 + 64];
} fx_save;

static inline void fx_save_fail(fx_save *save, const char *step) {
    if (save->failed == NULL) {
        save->failed = step;
        save->reason = errno;
    }
}

/* Bytes of a path up to the name at its end. */
static inline size_t fx_folder_bytes(const char *path) {
#ifdef _WIN32
    const char *separators = "/\\:";
#else
    const char *separators = "/";
#endif
    size_t bytes = strlen(path);
    while (bytes > 0 && strchr(separators, path[bytes - 1]) == NULL) {
        --bytes;
    }
    return bytes;
}

/* Go where links lead, also to a file that is not there yet. */
static inline void fx_save_follow(fx_save *save) {
#ifdef _WIN32
    if (!fx_follow(save->path)) {
        fx_save_fail(save, "following links");
    }
#else
    int links;
    for (links = 0; links < 40; ++links) {
        char link[4096];
        ssize_t bytes = readlink(save->path, link, sizeof link);
        size_t folder_bytes = bytes > 0 && link[0] != '/' ? fx_folder_bytes(save->path) : 0;
        if (bytes <= 0) {
            return; /* no link; what else may be wrong, creating a file says */
        }
        if (folder_bytes + (size_t)bytes >= sizeof save->path) {
            break;
        }
        memcpy(save->path + folder_bytes, link, (size_t)bytes);
        save->path[folder_bytes + (size_t)bytes] = '\0';
    }
    errno = links == 40 ? ELOOP : ENAMETOOLONG;
    fx_save_fail(save, "following links");
#endif
}

/* Bytes of a path, whole characters, that the names of its parts begin with: systems refuse names over 255 bytes. */
static inline size_t fx_part_bytes(const char *path) {
    size_t start = fx_folder_bytes(path), bytes = strlen(path);
    if (bytes - start > FX_PART_NAME) {
        bytes = start + FX_PART_NAME;
        while (bytes > start && ((unsigned char)path[bytes] & 0xC0) == 0x80) {
            --bytes;
        }
    }
    return bytes;
}

/* Make the file beside it: the number of the process and of the try are in its name. */
static inline void fx_save_create(fx_save *save) {
    size_t bytes = fx_part_bytes(save->path);
    unsigned number = 0;
    do {
#ifdef _WIN32
        const unsigned long process = GetCurrentProcessId();
#else
        const unsigned long process = (unsigned long)getpid();
#endif
        snprintf(save->temporary, sizeof save->temporary, FX_PART, (int)bytes, save->path, process, number);
        save->file = fx_create(save->temporary, save->replaces ? save->mode | 0200u : 0666u);
    } while (save->file == NULL && errno == EEXIST && ++number < 10000);
    if (save->file == NULL) {
        fx_save_fail(save, "creating a file beside it");
    }
}

static inline void fx_save_begin(fx_save *save, const char *path) {
    fx_node node = fx_look(path, &save->mode);
    save->file = NULL;
    save->name = path;
    save->failed = NULL;
    save->reason = 0;
    save->in_place = node == FX_SPECIAL;
    save->replaces = node == FX_FILE;
    save->temporary[0] = '\0';
    errno = node == FX_FOLDER ? EISDIR : ENAMETOOLONG;
    if (node == FX_FOLDER || strlen(path) >= sizeof save->path) {
        fx_save_fail(save, "opening it");
        return;
    }
    strcpy(save->path, path);
    if (!save->in_place) {
        fx_save_follow(save);
        /* a file without a name, as an open one that was removed, is in no folder where another could replace it */
        save->in_place = save->failed == NULL && save->replaces && !fx_is_same_file(path, save->path);
    }
    if (save->in_place) {
        save->file = fx_open(path, "wb");
        if (save->file == NULL) {
            fx_save_fail(save, "opening it");
        }
    } else if (save->failed == NULL) {
        fx_save_create(save);
    }
}

/* fx_each_name: remove the part of a saver that was killed. */
static inline int fx_drop_part(const char *name, void *user_data) {
    fx_save *save = (fx_save *)user_data;
    size_t bytes = fx_part_bytes(save->path), start = fx_folder_bytes(save->path), of = bytes - start;
    unsigned long process = 0;
    unsigned number = 0;
    if (strlen(name) != of + FX_PART_BYTES || memcmp(name, save->path + start, of) != 0 ||
        sscanf(name + of, ".%8lx%4x", &process, &number) != 2) {
        return 1;
    }
    snprintf(save->temporary, sizeof save->temporary, FX_PART, (int)bytes, save->path, process, number);
    if (strcmp(save->temporary + start, name) == 0 && fx_is_left(save->temporary, process)) {
        (void)fx_remove(save->temporary);
    }
    return 1;
}

/*
 * Before a file is saved, by the library or here: remove the parts that killed savers of it left; and say so if it is
 * a pipe that nobody reads.
 */
static inline void fx_before_save(const char *program, const char *path) {
    fx_save save;
    fx_node node = fx_look(path, NULL);
    char folder[4096];
    save.failed = NULL;
    if (node == FX_SPECIAL) {
        fx_await_reader(program, path);
    }
    if ((node != FX_FILE && node != FX_NONE) || strlen(path) >= sizeof save.path) {
        return;
    }
    strcpy(save.path, path);
    fx_save_follow(&save);
    if (save.failed == NULL) {
        snprintf(folder, sizeof folder, "%.*s", (int)fx_folder_bytes(save.path), save.path);
        (void)fx_each_name(folder[0] != '\0' ? folder : ".", fx_drop_part, &save);
    }
}

/* After a failure nothing is done. */
static inline void fx_save_put(fx_save *save, const void *bytes, size_t count) {
    if (save->failed == NULL && fwrite(bytes, 1, count, save->file) != count) {
        fx_save_fail(save, "writing");
    }
}

/* Send what is held back to the disk; pipes and devices have none. */
static inline void fx_save_flush(fx_save *save) {
    if (fflush(save->file) != 0) {
        fx_save_fail(save, "writing");
    }
#ifdef _WIN32
    if (!save->in_place && _commit(_fileno(save->file)) != 0) {
        fx_save_fail(save, "flushing it to the disk");
    }
#else
    if (save->replaces) {
        (void)fchmod(fileno(save->file), (mode_t)save->mode); /* some file systems have no permissions */
    }
    if (!save->in_place && fsync(fileno(save->file)) != 0 && errno != EINVAL) {
        fx_save_fail(save, "flushing it to the disk");
    }
#endif
}

/* Returns an exit code, after a sentence where something failed. */
static inline int fx_save_end(fx_save *save, const char *program) {
    char words[80];
    if (save->file != NULL) {
        fx_save_flush(save);
        if (fclose(save->file) != 0) {
            fx_save_fail(save, "writing");
        }
        if (save->failed == NULL && !save->in_place && !fx_rename(save->temporary, save->path)) {
            fx_save_fail(save, "renaming the finished file");
        }
        if (save->failed != NULL && !save->in_place) {
            (void)fx_remove(save->temporary);
        }
    }
    if (save->failed != NULL) {
        snprintf(words, sizeof words, "cannot be written: %s failed", save->failed);
        fx_complain_of(program, save->name, words, strerror(save->reason));
    }
    return save->failed == NULL ? FX_OK : FX_BAD_DATA;
}

/* Save a small file. Returns an exit code. */
static inline int fx_write_file(const char *program, const char *path, const void *bytes, size_t count) {
    fx_save save;
    fx_before_save(program, path);
    fx_save_begin(&save, path);
    fx_save_put(&save, bytes, count);
    return fx_save_end(&save, program);
}

/* Read a small file whole. Returns an exit code; a file over `capacity` bytes is none of ours, and refused. */
static inline int fx_read_file(const char *program, const char *path, void *bytes, size_t capacity,
                               size_t *out_count) {
    FILE *file = fx_open(path, "rb");
    const char *reason = strerror(errno);
    *out_count = 0;
    if (file != NULL) {
        *out_count = fread(bytes, 1, capacity, file);
        reason = ferror(file) ? strerror(errno) : getc(file) != EOF ? "it is too long" : NULL;
        fclose(file);
    }
    if (reason != NULL) {
        fx_complain_of(program, path, "cannot be read", reason);
    }
    return reason == NULL ? FX_OK : FX_BAD_DATA;
}

/* Whether there is a file of this name, though it may be one that cannot be read. */
static inline int fx_is_there(const char *path) {
    return fx_look(path, NULL) != FX_NONE || errno != ENOENT;
}

/* Go to a byte of an open file. Returns 0 if that failed. */
static inline int fx_seek(FILE *file, uint64_t offset) {
#ifdef _WIN32
    return _fseeki64(file, (int64_t)offset, SEEK_SET) == 0;
#else
    return fseeko(file, (off_t)offset, SEEK_SET) == 0;
#endif
}

/* Bytes of an open file, which is at its start then. Returns 0 if that failed. */
static inline int fx_measure(FILE *file, uint64_t *out_bytes) {
#ifdef _WIN32
    const int64_t bytes = _fseeki64(file, 0, SEEK_END) == 0 ? _ftelli64(file) : -1;
#else
    const int64_t bytes = fseeko(file, 0, SEEK_END) == 0 ? (int64_t)ftello(file) : -1;
#endif
    *out_bytes = (uint64_t)bytes;
    return bytes >= 0 && fx_seek(file, 0);
}

/*
 * For a desc's files where a tool reads them itself: open and close, and read_at, of which the tool's own knows more.
 * What is read comes from the system as it is asked for.
 */
static inline void *fx_files_open(const char *path, void *user_data) {
    FILE *file = fx_open(path, "rb");
    (void)user_data;
    if (file != NULL) {
        setvbuf(file, NULL, _IONBF, 0);
    }
    return file;
}

static inline int64_t fx_files_read_at(FILE *file, uint64_t offset, void *to, size_t bytes) {
    size_t got = 0;
    if (fx_seek(file, offset)) {
        got = fread(to, 1, bytes, file);
        return ferror(file) ? -1 : (int64_t)got;
    }
    return -1;
}

static inline void fx_files_close(void *file, void *user_data) {
    (void)user_data;
    fclose((FILE *)file);
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

/* Usable cores, from 1 to `most`. */
static inline uint32_t fx_cores(uint32_t most) {
    long cores = 1;
#ifdef _WIN32
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    cores = (long)info.dwNumberOfProcessors;
#elif defined(_SC_NPROCESSORS_ONLN)
    cores = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return cores < 1 ? 1 : cores < (long)most ? (uint32_t)cores : most;
}

/* ---- progress bar -------------------------------------------------------
 *
 *   reads.fastq.gz  [==>     ]  37%  1204.5 MB  3.9M records  812 MB/s  0:02 left
 *
 * on standard error: MB of text, or Mb of bases, and records, and where the size of the source is
 * known, the share of it that was read. Nothing is drawn in the first second, where standard error
 * is no terminal, or where standard output is one that is written meanwhile: its lines would be cut.
 */
enum { FX_BAR_COLUMNS = 79, FX_BAR_NAME = 16, FX_BAR_WIDTH = 8 };

typedef struct fx_bar {
    char name[FX_BAR_NAME + 1];
    const char *unit;    /* MB                                                          */
    double start, drawn; /* seconds, as fx_seconds                                      */
    int wanted;
    int visible; /* there is a line to clean                                    */
} fx_bar;

static inline int fx_is_terminal(FILE *file) {
#ifdef _WIN32
    return _isatty(_fileno(file));
#else
    return isatty(fileno(file));
#endif
}

/*
 * Start the clock. The bar shows the last part of a path, or the end of that part. `writes`: standard output
 * is written as long as it is there.
 */
static inline void fx_bar_begin(fx_bar *bar, const char *path, int writes) {
    const char *name = path + fx_folder_bytes(path);
    size_t bytes = strlen(name), at;
    name += bytes > FX_BAR_NAME ? bytes - FX_BAR_NAME : 0;
    while (((unsigned char)*name & 0xC0) == 0x80) { /* never start inside a UTF-8 character */
        ++name;
    }
    for (at = 0; name[at] != '\0'; ++at) {
        unsigned char byte = (unsigned char)name[at];
        bar->name[at] = byte < 32 || byte == 127 ? '?' : name[at];
    }
    bar->name[at] = '\0';
    bar->start = fx_seconds();
    bar->drawn = bar->start;
    bar->visible = 0;
    bar->unit = "MB";
    bar->wanted = fx_is_terminal(stderr) && !(writes && fx_is_terminal(stdout));
}

/* "[====>   ]  37%" of `share`, which is 0..1. */
static inline void fx_bar_share(char *out, size_t capacity, double share) {
    char cells[FX_BAR_WIDTH + 1];
    int at, filled = (int)(share * FX_BAR_WIDTH);
    for (at = 0; at < FX_BAR_WIDTH; ++at) {
        cells[at] = at < filled ? '=' : at == filled ? '>' : ' ';
    }
    cells[at] = '\0';
    snprintf(out, capacity, "[%s] %3d%%  ", cells, (int)(share * 100));
}

/* "1:02:03 left" */
static inline void fx_bar_left(char *out, size_t capacity, double seconds) {
    unsigned whole = seconds < 359999 ? (unsigned)(seconds + 0.5) : 359999;
    if (whole >= 3600) {
        snprintf(out, capacity, "  %u:%02u:%02u left", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        snprintf(out, capacity, "  %u:%02u left", whole / 60, whole % 60);
    }
}

/* Whether it is time to draw: after a second, then at most ten times a second. */
static inline int fx_bar_due(const fx_bar *bar) {
    return bar->wanted && fx_seconds() - bar->drawn >= (bar->visible ? 0.1 : 1);
}

/* "  123k records"; nothing of none. */
static inline void fx_bar_records(char *out, size_t capacity, uint64_t count) {
    if (count >= 1000000) {
        snprintf(out, capacity, "  %" PRIu64 ".%uM records", count / 1000000,
                 (unsigned)(count / 100000 % 10));
    } else if (count >= 10000) {
        snprintf(out, capacity, "  %" PRIu64 "k records", count / 1000);
    } else if (count > 0) {
        snprintf(out, capacity, "  %" PRIu64 " record%s", count, count == 1 ? "" : "s");
    }
}

/* Draw the line again; source_total 0: not known; records 0: not counted. */
static inline void fx_bar_draw(fx_bar *bar, uint64_t source_bytes, uint64_t source_total, uint64_t text_bytes,
                               uint64_t records) {
    char line[256], share[64] = "", counted[48] = "", left[32] = "";
    double now = fx_seconds(), seconds = now - bar->start;
    if (source_total > 0 && source_bytes > 0 && source_bytes <= source_total) {
        double part = (double)source_bytes / (double)source_total;
        fx_bar_share(share, sizeof share, part);
        fx_bar_left(left, sizeof left, seconds / part - seconds);
    }
    fx_bar_records(counted, sizeof counted, records);
    snprintf(line, sizeof line, "%s  %s%" PRIu64 ".%u %s%s  %" PRIu64 " %s/s%s", bar->name, share,
             text_bytes / 1000000, (unsigned)(text_bytes / 100000 % 10), bar->unit, counted,
             (uint64_t)((double)text_bytes / 1e6 / seconds), bar->unit, left);
    fprintf(stderr, "\r%-*.*s", FX_BAR_COLUMNS, FX_BAR_COLUMNS, line);
    fflush(stderr);
    bar->drawn = now;
    bar->visible = 1;
}

/* Clean the line; anything else may be printed then. */
static inline void fx_bar_end(fx_bar *bar) {
    if (bar->visible) {
        fprintf(stderr, "\r%*s\r", FX_BAR_COLUMNS, "");
        bar->visible = 0;
    }
}

/* ---- readers, indexes, warnings -------------------------------------------- */

/* Open a file of the command line, "-" too; `desc` says all but where the bytes come from. */
static inline biost_result fx_open_reader(const char *path, biost_reader_desc desc, biost_reader **out_reader,
                                          biost_error *out_error) {
    if (fx_is_input(path)) {
        desc.has_fd = 1;
        desc.fd = fx_input();
    } else {
        desc.path = path;
    }
    return biost_reader_open(&desc, out_reader, out_error);
}

/* Whether an index is bgzip's, as its name tells: see fx_gzi.h. The library has another. */
static inline int fx_is_gzi(const char *name) {
    size_t bytes = strlen(name);
    return bytes >= 4 && strcmp(name + bytes - 4, ".gzi") == 0;
}

/* Draw the bar of a reader, if it is time. */
static inline void fx_bar_reader(fx_bar *bar, biost_reader *reader) {
    biost_record_progress at;
    if (fx_bar_due(bar)) {
        biost_reader_progress(reader, &at);
        fx_bar_draw(bar, at.source_bytes, at.source_total_bytes, at.text_bytes, at.record_count);
    }
}

/* Of a stream. */
static inline void fx_bar_stream(fx_bar *bar, biost_stream *stream) {
    biost_text_progress at;
    if (fx_bar_due(bar)) {
        biost_stream_progress(stream, &at);
        fx_bar_draw(bar, at.source_bytes, at.source_total_bytes, at.text_bytes, 0);
    }
}

#if BIOST_HAS_LOADER
/* Of a loader's epoch. */
static inline void fx_bar_loader(fx_bar *bar, biost_loader *loader) {
    biost_progress at;
    if (fx_bar_due(bar)) {
        biost_loader_progress(loader, &at);
        fx_bar_draw(bar, at.source_bytes, at.source_total_bytes, at.text_bytes, at.record_count);
    }
}
#endif

/* "9 bad records were left out (36 lines, in 1 gap)", and the line's end. */
static inline void fx_print_skipped(uint64_t count, uint64_t lines, uint64_t gaps) {
    fprintf(stderr, "%" PRIu64 " bad record%s left out (%" PRIu64 " line%s, in %" PRIu64 " gap%s)\n", count,
            count == 1 ? " was" : "s were", lines, lines == 1 ? "" : "s", gaps, gaps == 1 ? "" : "s");
}

/* A line on standard error for each BIOST_WARN_* in `warnings`. */
static inline void fx_print_warnings(const char *program, const char *name, uint32_t warnings) {
    static const struct {
        uint32_t bit;
        const char *words;
    } rows[] = {
        {BIOST_WARN_BOM, "a UTF-8 byte order mark was skipped"},
        {BIOST_WARN_BLANK_LINES, "blank lines stand before, between or inside records"},
        {BIOST_WARN_BLANKS_REMOVED, "blanks or tabs in sequence lines were left out"},
        {BIOST_WARN_ZERO_PADDING, "zero bytes stand after the last gzip member"},
        {BIOST_WARN_NO_EOF_BLOCK, "BGZF without its empty last block: perhaps cut off there"},
        {BIOST_WARN_IGNORED_BYTES, "bytes after the last gzip member were left out"},
        {BIOST_WARN_SKIPPED_RECORDS, "bad records were left out"},
        {BIOST_WARN_SKIPPED_COMMENTS, "comment lines, or junk before records, were left out"},
        {BIOST_WARN_REPLACED_LETTERS, "letters outside the alphabet were replaced"},
        {BIOST_WARN_SAME_READ, "mates of a pair both call themselves read 1, or both read 2"},
        {BIOST_WARN_NOT_PASSED,
         "an epoch ended before a pass over a group did: not all was verified to its end"},
        {BIOST_WARN_SMALL_SHUFFLE, "a group has fewer than 64 rows of the shuffle buffer"},
        {BIOST_WARN_MATE_NAMES, "neighbours have names of their own that differ in one digit: if they are "
                                "mates, the split parts them; "
                                "give what stands before it as split.strip, or take split.by FIELD"},
    };
    size_t at;
    for (at = 0; at < sizeof rows / sizeof rows[0]; ++at) {
        if (warnings & rows[at].bit) {
            fprintf(stderr, "%s: %s: warning: %s\n", program, name, rows[at].words);
        }
    }
}

#endif /* FX_H */
