/*
 * fx_gzi.h - FILE.gzi, htslib's index of a BGZF file: written with the same bytes as `bgzip -r` has, and read, to
 *            begin with the block that a byte of the text is in.
 *
 * Little-endian: the number of entries, 8 bytes; then for each entry the bytes of the file and of its text
 * before a block, 8 and 8. Every block with text has an entry except the first; blocks without text have none,
 * wherever they are. For a file without text `bgzip -r` wrote the number 2^64 - 1 until 2026, then 0 (htslib's
 * pull request 1988); 0 is written here, and both are read.
 *
 * A .gzi does not say whose it is, and has no checksum. So what is read is compared with the blocks of the
 * file: 64 entries, the first and last among them, and the one that is used.
 *
 * Include it after biostream.h and fx.h. In order of use: fx_gzi_begin; fx_gzi_make and fx_gzi_save, or
 * fx_gzi_load, fx_gzi_find and fx_gzi_give; fx_gzi_end. What returns 0 has failed, and fx_gzi_fail says why.
 */
#ifndef FX_GZI_H
#define FX_GZI_H

enum {
    FX_GZI_BUFFER = 1 << 17, /* bytes of the file that are read at a time, at least those of a header */
    FX_GZI_LOOK = 4096,      /* the same where blocks here and there are looked at                    */
    FX_GZI_LOOKS = 64,       /* entries compared with the file                                        */
    FX_GZI_TEXT = 65536,     /* most text of a block                                                  */
    FX_GZI_LEAST = 26        /* least bytes of a block                                                */
};

/* What is wrong. */
typedef enum fx_gzi_fault {
    FX_GZI_GOOD,
    FX_GZI_SYSTEM,  /* no memory; a file cannot be opened or read                       */
    FX_GZI_CHANGED, /* the file, while it was read                                      */
    FX_GZI_NO_BGZF, /* the file is none                                                 */
    FX_GZI_BLOCK,   /* a block of it is bad, or cut off                                 */
    FX_GZI_DAMAGED, /* no file can have such a .gzi                                     */
    FX_GZI_STALE    /* this file has not                                                */
} fx_gzi_fault;

/* Bytes of the file and of the text before a block. */
typedef struct fx_gzi_entry {
    uint64_t offset, text_offset;
} fx_gzi_entry;

typedef struct fx_gzi {
    const char *path; /* of the BGZF file                                                */
    const char *name; /* of its .gzi                                                     */
    FILE *file;
    uint64_t file_bytes;
    uint64_t buffer_offset; /* of the file                                                     */
    size_t buffer_bytes, read_bytes;
    fx_gzi_entry at;       /* the block at hand                                               */
    uint32_t text_bytes;   /* of the block passed last                                        */
    fx_gzi_entry *entries; /* [capacity]; all of them are held, as bgzip holds them           */
    size_t count, capacity;
    fx_gzi_fault fault;
    const char *about; /* the file with the fault; NULL: none                             */
    char words[160];   /* what is wrong with it                                           */
    uint8_t buffer[FX_GZI_BUFFER];
} fx_gzi;

static inline void fx_gzi_begin(fx_gzi *gzi, const char *path, const char *name) {
    memset(gzi, 0, offsetof(fx_gzi, buffer));
    gzi->path = path;
    gzi->name = name;
}

static inline void fx_gzi_end(fx_gzi *gzi) {
    if (gzi->file != NULL) {
        fclose(gzi->file);
    }
    free(gzi->entries);
}

/* Note what is wrong. Returns 0. */
static inline int fx_gzi_wrong(fx_gzi *gzi, fx_gzi_fault fault, const char *about, const char *words,
                               const char *reason) {
    gzi->fault = fault;
    gzi->about = about;
    snprintf(gzi->words, sizeof gzi->words, "%s%s%s", words, reason[0] != '\0' ? ": " : "", reason);
    return 0;
}

/* Note what is wrong at byte `offset` of the file. Returns 0. */
static inline int fx_gzi_wrong_at(fx_gzi *gzi, fx_gzi_fault fault, uint64_t offset, const char *words) {
    char place[48];
    snprintf(place, sizeof place, "byte %" PRIu64 " of the file", offset);
    return fx_gzi_wrong(gzi, fault, gzi->path, place, words);
}

static inline int fx_gzi_stale(fx_gzi *gzi) {
    return fx_gzi_wrong(gzi, FX_GZI_STALE, gzi->path,
                        "the index given is of another input, or this one changed since", "make it again");
}

static inline int fx_gzi_damaged(fx_gzi *gzi, const char *words) {
    char whole[120];
    snprintf(whole, sizeof whole, "%s; make it again", words);
    return fx_gzi_wrong(gzi, FX_GZI_DAMAGED, gzi->name, "cannot be used as an index", whole);
}

/* Print the fault. Returns the exit code. */
static inline int fx_gzi_fail(const fx_gzi *gzi, const char *program) {
    fflush(stdout);
    fprintf(stderr, "%s: ", program);
    if (gzi->about != NULL) {
        fx_print_name(stderr, gzi->about);
        fprintf(stderr, ": ");
    }
    fprintf(stderr, "%s\n", gzi->words);
    return FX_BAD_DATA;
}

static inline uint64_t fx_gzi_number(const uint8_t *from, int bytes) {
    uint64_t number = 0;
    while (bytes-- > 0) {
        number = number << 8 | from[bytes];
    }
    return number;
}

/* Open a file, to be read at any place. Returns NULL with the fault. */
static inline FILE *fx_gzi_open(fx_gzi *gzi, const char *path, const char *special, uint64_t *out_bytes) {
    fx_node node = fx_look(path, NULL);
    FILE *file = NULL;
    if (node == FX_FOLDER || node == FX_SPECIAL) {
        (void)fx_gzi_wrong(gzi, FX_GZI_SYSTEM, path,
                           node == FX_FOLDER ? "is a directory, not a file" : special, "");
        return NULL;
    }
    file = (FILE *)fx_files_open(path, NULL);
    if (file == NULL || !fx_measure(file, out_bytes)) {
        (void)fx_gzi_wrong(gzi, FX_GZI_SYSTEM, path, "cannot be opened", strerror(errno));
        if (file != NULL) {
            fclose(file);
        }
        return NULL;
    }
    return file;
}

/* Open the BGZF file. Returns 0 with the fault. */
static inline int fx_gzi_open_file(fx_gzi *gzi, size_t read_bytes) {
    gzi->read_bytes = read_bytes;
    gzi->file = fx_gzi_open(gzi, gzi->path, "is a pipe or device, and a .gzi is of a file", &gzi->file_bytes);
    return gzi->file != NULL;
}

/* Room for so many entries. Returns 0 with the fault. */
static inline int fx_gzi_reserve(fx_gzi *gzi, uint64_t capacity) {
    fx_gzi_entry *entries = NULL;
    if (capacity <= SIZE_MAX / sizeof *entries) {
        entries = (fx_gzi_entry *)realloc(gzi->entries, (size_t)capacity * sizeof *entries);
    }
    if (entries == NULL) {
        return fx_gzi_wrong(gzi, FX_GZI_SYSTEM, NULL, "out of memory", "");
    }
    gzi->entries = entries;
    gzi->capacity = (size_t)capacity;
    return 1;
}

/* ---- from block to block: by BSIZE and ISIZE, nothing is inflated ---- */

/*
 * Look at *count bytes of the file from `offset` on, which is not past its end; *count becomes less where the file ends.
 * Returns the bytes, good until the next call, or NULL with the fault.
 */
static inline const uint8_t *fx_gzi_look(fx_gzi *gzi, uint64_t offset, size_t *count) {
    uint64_t left = gzi->file_bytes - offset;
    size_t wanted;
    *count = left < *count ? (size_t)left : *count;
    if (offset >= gzi->buffer_offset && offset + *count <= gzi->buffer_offset + gzi->buffer_bytes) {
        return gzi->buffer + (size_t)(offset - gzi->buffer_offset);
    }
    wanted = *count > gzi->read_bytes ? *count : gzi->read_bytes;
    wanted = left < wanted ? (size_t)left : wanted;
    gzi->buffer_offset = offset;
    gzi->buffer_bytes = fx_seek(gzi->file, offset) ? fread(gzi->buffer, 1, wanted, gzi->file) : 0;
    if (gzi->buffer_bytes < wanted) {
        char words[48];
        snprintf(words, sizeof words, "cannot be read at byte %" PRIu64, offset);
        (void)(feof(gzi->file)
                   ? fx_gzi_wrong(gzi, FX_GZI_CHANGED, gzi->path, "became shorter while it was read", "")
                   : fx_gzi_wrong(gzi, FX_GZI_SYSTEM, gzi->path, words, strerror(errno)));
        return NULL;
    }
    return gzi->buffer;
}

/* No block is at hand, but these bytes, at least one. Returns 0. */
static inline int fx_gzi_no_block(fx_gzi *gzi, const uint8_t *bytes, size_t count) {
    const int is_member = count > 1 && bytes[0] == 0x1F && bytes[1] == 0x8B;
    char words[64];
    if (gzi->at.offset > 0) {
        return fx_gzi_wrong_at(gzi, FX_GZI_BLOCK, gzi->at.offset,
                               is_member ? "damaged BGZF block: this is another gzip member"
                                         : "damaged BGZF block: none starts here");
    }
    snprintf(words, sizeof words,
             bytes[0] > 32 && bytes[0] < 127 ? "this is not BGZF: it starts with '%c'"
                                             : "this is not BGZF: it starts with '\\x%02x'",
             bytes[0]);
    return fx_gzi_wrong_at(gzi, FX_GZI_NO_BGZF, 0,
                           is_member ? "this is plain gzip, not BGZF, which alone has a .gzi" : words);
}

/* The bytes of a block, as the first BC of its header says; 0: it has none. */
static inline uint32_t fx_gzi_block_bytes(const uint8_t *head, size_t count) {
    size_t at, bytes;
    for (at = 12; at + 4 <= count; at += 4 + bytes) {
        bytes = (size_t)fx_gzi_number(head + at + 2, 2);
        if (at + 4 + bytes > count) {
            return 0;
        }
        if (head[at] == 'B' && head[at + 1] == 'C' && bytes == 2) {
            return (uint32_t)fx_gzi_number(head + at + 4, 2) + 1;
        }
    }
    return 0;
}

/* The bytes of the block at hand, which must be whole. Returns 0 with the fault. */
static inline uint32_t fx_gzi_head(fx_gzi *gzi) {
    static const uint8_t magic[3] = {0x1F, 0x8B, 8};
    size_t count = 18, wanted = 12; /* 18, as nearly all have; then what this one has */
    const uint8_t *head = fx_gzi_look(gzi, gzi->at.offset, &count);
    uint32_t bytes;
    if (head == NULL) {
        return 0;
    }
    if (memcmp(head, magic, count < 3 ? count : 3) != 0 || (count > 3 && (head[3] & 0xE4) != 4)) {
        return (uint32_t)fx_gzi_no_block(gzi, head, count);
    }
    if (count >= wanted) {
        count = wanted += (size_t)fx_gzi_number(head + 10, 2);
        head = fx_gzi_look(gzi, gzi->at.offset, &count);
        if (head == NULL) {
            return 0;
        }
    }
    bytes = count < wanted ? 0 : fx_gzi_block_bytes(head, count);
    if (count < wanted || bytes > gzi->file_bytes - gzi->at.offset) {
        return (uint32_t)fx_gzi_wrong_at(gzi, FX_GZI_BLOCK, gzi->file_bytes,
                                         "the file ends inside a BGZF block");
    }
    if (bytes == 0) {
        return (uint32_t)fx_gzi_no_block(gzi, head, count);
    }
    if (bytes < wanted + 8) {
        return (uint32_t)fx_gzi_wrong_at(gzi, FX_GZI_BLOCK, gzi->at.offset,
                                         "damaged BGZF block: its BSIZE is smaller than its header");
    }
    return bytes;
}

/* Pass over the block at hand. Returns 0 with the fault. */
static inline int fx_gzi_step(fx_gzi *gzi) {
    const uint32_t bytes = fx_gzi_head(gzi);
    size_t count = 4;
    const uint8_t *end = bytes > 0 ? fx_gzi_look(gzi, gzi->at.offset + bytes - 4, &count) : NULL;
    if (end == NULL) {
        return 0;
    }
    gzi->text_bytes = (uint32_t)fx_gzi_number(end, 4);
    if (gzi->text_bytes > FX_GZI_TEXT) {
        return fx_gzi_wrong_at(gzi, FX_GZI_BLOCK, gzi->at.offset,
                               "damaged BGZF block: its text is longer than 64 KiB");
    }
    gzi->at.offset += bytes;
    gzi->at.text_offset += gzi->text_bytes;
    return 1;
}

/* All that was wanted of the file was read: check that it is as long as before. Returns 0 with the fault. */
static inline int fx_gzi_check_same(fx_gzi *gzi) {
    uint64_t bytes;
    if (fx_measure(gzi->file, &bytes) && bytes == gzi->file_bytes) {
        return 1;
    }
    return fx_gzi_wrong(gzi, FX_GZI_CHANGED, gzi->path, "changed while it was read", "");
}

/* ---- writing ---- */

/* List the blocks of the file. Returns 0 with the fault. */
static inline int fx_gzi_make(fx_gzi *gzi) {
    if (!fx_gzi_open_file(gzi, FX_GZI_BUFFER)) {
        return 0;
    }
    do {
        const fx_gzi_entry before = gzi->at;
        if (!fx_gzi_step(gzi)) {
            return 0;
        }
        if (gzi->text_bytes > 0 && before.text_offset > 0) {
            if (gzi->count == gzi->capacity && !fx_gzi_reserve(gzi, 2 * (uint64_t)gzi->capacity + 1024)) {
                return 0;
            }
            gzi->entries[gzi->count++] = before;
        }
    } while (gzi->at.offset < gzi->file_bytes);
    return fx_gzi_check_same(gzi);
}

static inline void fx_gzi_put(fx_save *save, uint64_t number) {
    uint8_t bytes[8];
    int at;
    for (at = 0; at < 8; ++at) {
        bytes[at] = (uint8_t)(number >> 8 * at);
    }
    fx_save_put(save, bytes, sizeof bytes);
}

/* Write the .gzi. Returns an exit code, after a sentence where that failed. */
static inline int fx_gzi_save(const fx_gzi *gzi, const char *program) {
    fx_save save;
    size_t at;
    fx_before_save(program, gzi->name);
    fx_save_begin(&save, gzi->name);
    fx_gzi_put(&save, gzi->count);
    for (at = 0; at < gzi->count; ++at) {
        fx_gzi_put(&save, gzi->entries[at].offset);
        fx_gzi_put(&save, gzi->entries[at].text_offset);
    }
    return fx_save_end(&save, program);
}

/* ---- reading ---- */

/* The next bytes of the .gzi. Returns 0 with the fault. */
static inline int fx_gzi_read(fx_gzi *gzi, FILE *file, uint8_t *to, size_t bytes) {
    if (fread(to, 1, bytes, file) == bytes) {
        return 1;
    }
    return ferror(file) ? fx_gzi_wrong(gzi, FX_GZI_SYSTEM, gzi->name, "cannot be read", strerror(errno))
                        : fx_gzi_damaged(gzi, "it was cut off");
}

/* Read the entries of a .gzi of so many bytes. Returns 0 with the fault. */
static inline int fx_gzi_read_entries(fx_gzi *gzi, FILE *file, uint64_t bytes) {
    uint8_t buffer[256 * 16];
    uint64_t said, count;
    if (!fx_gzi_read(gzi, file, buffer, 8)) {
        return 0;
    }
    said = fx_gzi_number(buffer, 8);
    count = (bytes - 8) / 16;
    if (bytes % 16 != 8 || (said != count && !(said == UINT64_MAX && count == 0))) {
        return fx_gzi_damaged(gzi, "it has not the size of a .gzi with so many points");
    }
    if (!fx_gzi_reserve(gzi, count + 1)) {
        return 0;
    }
    while (gzi->count < count) {
        size_t some = count - gzi->count < 256 ? (size_t)count - gzi->count : 256, at;
        if (!fx_gzi_read(gzi, file, buffer, 16 * some)) {
            return 0;
        }
        for (at = 0; at < some; ++at) {
            gzi->entries[gzi->count].offset = fx_gzi_number(buffer + 16 * at, 8);
            gzi->entries[gzi->count++].text_offset = fx_gzi_number(buffer + 16 * at + 8, 8);
        }
    }
    return 1;
}

/* The entry before number `at`; of the first, the start of the file. */
static inline fx_gzi_entry fx_gzi_before(const fx_gzi *gzi, size_t at) {
    static const fx_gzi_entry start = {0, 0};
    return at > 0 ? gzi->entries[at - 1] : start;
}

/* Check that an entry can follow the one before it, in any file. Returns 0 with the fault. */
static inline int fx_gzi_check(fx_gzi *gzi, size_t at) {
    const fx_gzi_entry before = fx_gzi_before(gzi, at), entry = gzi->entries[at];
    if (entry.offset < before.offset || entry.offset - before.offset < FX_GZI_LEAST) {
        return fx_gzi_damaged(gzi, "its points are not in the order of the input");
    }
    if (entry.text_offset < before.text_offset) {
        return fx_gzi_damaged(gzi, "its points are not in the order of the text");
    }
    if (entry.text_offset - before.text_offset > FX_GZI_TEXT) {
        return fx_gzi_damaged(gzi, "there is more text between two points than in a block");
    }
    return entry.offset < gzi->file_bytes || fx_gzi_stale(gzi);
}

/* Check that the blocks from the entry before lead to this one, at a block. Returns 0 with the fault. */
static inline int fx_gzi_compare(fx_gzi *gzi, size_t at) {
    const fx_gzi_entry entry = gzi->entries[at];
    gzi->at = fx_gzi_before(gzi, at);
    do {
        if (!fx_gzi_step(gzi)) {
            return 0;
        }
    } while (gzi->at.offset < entry.offset && gzi->at.text_offset <= entry.text_offset);
    if (gzi->at.offset != entry.offset || gzi->at.text_offset != entry.text_offset) {
        return fx_gzi_stale(gzi);
    }
    return fx_gzi_head(gzi) > 0;
}

/* After the last entry: check that at most one block has text. Returns 0 with the fault. */
static inline int fx_gzi_compare_end(fx_gzi *gzi) {
    int texts = 0;
    gzi->at = fx_gzi_before(gzi, gzi->count);
    do {
        if (!fx_gzi_step(gzi)) {
            return 0;
        }
        texts += gzi->text_bytes > 0;
    } while (gzi->at.offset < gzi->file_bytes && texts < 2);
    return texts < 2 ? fx_gzi_check_same(gzi) : fx_gzi_stale(gzi);
}

/* Check the entries, and compare some of them with the file. Returns 0 with the fault. */
static inline int fx_gzi_check_all(fx_gzi *gzi) {
    const size_t look = gzi->count / (FX_GZI_LOOKS - 1) + 1;
    size_t at;
    for (at = 0; at < gzi->count; ++at) {
        const int looks = at % look == 0 || at + 1 == gzi->count;
        if (!fx_gzi_check(gzi, at) || (looks && !fx_gzi_compare(gzi, at))) {
            return 0;
        }
    }
    return fx_gzi_compare_end(gzi);
}

/* Where the .gzi has a block, the file has none: it is not this file's. Returns `good`. */
static inline int fx_gzi_judge(fx_gzi *gzi, int good) {
    if (gzi->fault == FX_GZI_NO_BGZF || gzi->fault == FX_GZI_BLOCK) {
        (void)fx_gzi_stale(gzi);
    }
    return good;
}

/* Read the .gzi, and hold it against the file. Returns 0 with the fault. */
static inline int fx_gzi_load(fx_gzi *gzi) {
    uint64_t bytes;
    FILE *file = fx_gzi_open(gzi, gzi->name, "is a pipe or device, and an index is a file", &bytes);
    int good = file != NULL && fx_gzi_open_file(gzi, FX_GZI_LOOK) && fx_gzi_read_entries(gzi, file, bytes);
    if (file != NULL) {
        fclose(file);
    }
    return fx_gzi_judge(gzi, good && fx_gzi_check_all(gzi));
}

/*
 * Find the last block that begins at or before a byte of the text, and check that it does. It is gzi->at then, and
 * *out_blocks have text before it. Returns 0 with the fault.
 */
static inline int fx_gzi_find(fx_gzi *gzi, uint64_t text_offset, uint64_t *out_blocks) {
    size_t first = 0, last = gzi->count;
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        if (gzi->entries[middle].text_offset <= text_offset) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    *out_blocks = first;
    if (first == 0) {
        gzi->at = fx_gzi_before(gzi, 0);
        return 1;
    }
    return fx_gzi_judge(gzi, fx_gzi_compare(gzi, first - 1));
}

/* ---- the file from a block on, as a file of its own ---- */

static inline int64_t fx_gzi_files_read_at(void *file, uint64_t offset, void *to, size_t bytes,
                                           void *user_data) {
    const fx_gzi *gzi = (const fx_gzi *)user_data;
    return fx_files_read_at((FILE *)file, gzi->at.offset + offset, to, bytes);
}

static inline int64_t fx_gzi_files_size(void *file, void *user_data) {
    const fx_gzi *gzi = (const fx_gzi *)user_data;
    uint64_t bytes = 0;
    return fx_measure((FILE *)file, &bytes) && bytes >= gzi->at.offset ? (int64_t)(bytes - gzi->at.offset)
                                                                       : -1;
}

/* Give the file from gzi->at on; `gzi` stays as it is until it is closed. */
static inline void fx_gzi_give(fx_gzi *gzi, biost_files *files) {
    files->open = fx_files_open;
    files->read_at = fx_gzi_files_read_at;
    files->size = fx_gzi_files_size;
    files->close = fx_files_close;
    files->user_data = gzi;
}

/* An error of the file from a block on: its sentence and numbers as of the whole file. */
static inline void fx_gzi_move(const fx_gzi *gzi, biost_error *error) {
    static const char *const around[][2] = {
        {": byte ", " of the file: "}, {" at byte ", ": "}, {" when it had ", " bytes"}};
    const uint64_t was = error->source_offset, is = was + gzi->at.offset;
    char number[64], sentence[sizeof error->text];
    size_t at;
    for (at = 0; at < sizeof around / sizeof around[0]; ++at) {
        const char *found;
        snprintf(number, sizeof number, "%s%" PRIu64 "%s", around[at][0], was, around[at][1]);
        found = strstr(error->text, number);
        if (found != NULL) {
            snprintf(sentence, sizeof sentence, "%.*s%s%" PRIu64 "%s", (int)(found - error->text),
                     error->text, around[at][0], is, found + strlen(number) - strlen(around[at][1]));
            memcpy(error->text, sentence, sizeof sentence);
            break;
        }
    }
    error->source_offset = is;
    error->text_offset += gzi->at.text_offset;
}

#endif /* FX_GZI_H */
