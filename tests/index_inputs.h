/*
 * index_inputs.h - inputs for the tests of indexes: texts whose records are known as they are made, and files
 * of many kinds that hold them, with many points where reading may begin, or none.
 *
 * Include it after white.h, test.h, deflate_maker.h and loader_oracle.h.
 */
#ifndef INDEX_INPUTS_H
#define INDEX_INPUTS_H

/* ---- texts ---- */

/* A record, as it was made; its bytes stand in the pool: title, sequence, qualities. */
typedef struct known {
    uint64_t id, line, text_offset;
    size_t title, title_bytes, seq, bases;
    int has_qual;
} known;

typedef struct known_text {
    bytes text, pool;
    known *records; /* [count] the good ones */
    size_t count, capacity;
    uint64_t lines, ids; /* so far, of bad ones too */
} known_text;

typedef enum text_kind {
    TEXT_FASTQ,
    TEXT_FASTQ_CRLF,
    TEXT_FASTA,      /* short records in short lines */
    TEXT_FASTA_LONG, /* sequences of several pages */
    TEXT_KINDS
} text_kind;

TEST_MAYBE_UNUSED static const char *const text_names[TEXT_KINDS] = {"FASTQ", "FASTQ with CRLF", "FASTA",
                                                                     "long FASTA"};

TEST_MAYBE_UNUSED static void known_free(known_text *k) {
    bytes_free(&k->text);
    bytes_free(&k->pool);
    free(k->records);
    memset(k, 0, sizeof *k);
}

static void known_line(known_text *k, text_kind kind, const void *line, size_t count) {
    bytes_add(&k->text, line, count);
    bytes_words(&k->text, kind == TEXT_FASTQ_CRLF ? "\r\n" : "\n");
    ++k->lines;
}

/* A record, and what is to be known of it. */
TEST_MAYBE_UNUSED static void known_add(known_text *k, text_kind kind, size_t bases, uint64_t *random) {
    int fasta = kind >= TEXT_FASTA;
    size_t i, width = kind == TEXT_FASTA ? 31 : 70;
    char title[64];
    known *r;
    if (k->count == k->capacity) {
        k->capacity = k->capacity * 2 + 64;
        k->records = (known *)realloc(k->records, k->capacity * sizeof *k->records);
        REQUIRE(k->records != NULL);
    }
    r = &k->records[k->count++];
    r->id = k->ids++;
    r->line = k->lines + 1;
    r->text_offset = k->text.count;
    r->bases = bases;
    r->has_qual = !fasta;
    snprintf(title, sizeof title, "%cread%u comment %u", fasta ? '>' : '@', (unsigned)r->id,
             (unsigned)maker_below(random, 1000));
    r->title = k->pool.count;
    r->title_bytes = strlen(title) - 1;
    bytes_add(&k->pool, title + 1, r->title_bytes);
    r->seq = k->pool.count;
    for (i = 0; i < bases; ++i) {
        bytes_byte(&k->pool, (uint8_t) "ACGTN"[maker_below(random, maker_chance(random, 3) ? 5 : 4)]);
    }
    for (i = 0; i < bases && !fasta; ++i) {
        bytes_byte(&k->pool, (uint8_t) "FFFFFF:,#"[maker_below(random, 9)]);
    }
    known_line(k, kind, title, r->title_bytes + 1);
    if (!fasta) {
        known_line(k, kind, k->pool.data + r->seq, bases);
        known_line(k, kind, "+", 1);
        known_line(k, kind, k->pool.data + r->seq + bases, bases);
    }
    for (i = 0; i < bases && fasta; i += width) {
        known_line(k, kind, k->pool.data + r->seq + i, bases - i < width ? bases - i : width);
    }
}

/* A record of FASTQ that is bad in its second line. It has a number, but is not among those known. */
TEST_MAYBE_UNUSED static void known_bad(known_text *k) {
    static const char bad[] = "@bad\nAC\x80T\n+\nIIII\n";
    bytes_add(&k->text, bad, sizeof bad - 1);
    k->lines += 4;
    ++k->ids;
}

/* Whole records, until there are so many bytes of text. Free it first if it was used. */
TEST_MAYBE_UNUSED static void known_make(known_text *k, text_kind kind, size_t text_bytes, uint64_t *random) {
    while (k->text.count < text_bytes) {
        size_t bases = kind == TEXT_FASTA_LONG ? 1 + maker_below(random, (uint32_t)(text_bytes / 3))
                                               : 20 + maker_below(random, 100);
        known_add(k, kind, bases, random);
    }
}

/* ---- files ---- */

/*
 * One member by zlib. `memory` 1 makes blocks of 127 codes, 2 of 255, 9 of 32767, so that points are near one
 * another. Without zlib: stored blocks.
 */
TEST_MAYBE_UNUSED static void member_zlib(maker *m, const uint8_t *text, size_t count, int level, int memory,
                                          int strategy) {
#ifdef HAVE_ZLIB
    uint8_t piece[4096];
    z_stream z;
    int status;
    maker_member(m, NULL);
    memset(&z, 0, sizeof z);
    CHECK(deflateInit2(&z, level, Z_DEFLATED, -15, memory, strategy) == Z_OK);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)count;
    do {
        z.next_out = piece;
        z.avail_out = (uInt)sizeof piece;
        status = deflate(&z, Z_FINISH);
        maker_raw(m, piece, sizeof piece - z.avail_out, 0);
    } while (status == Z_OK);
    CHECK(status == Z_STREAM_END);
    deflateEnd(&z);
    maker_text(m, text, count);
    maker_member_end(m);
#else
    size_t at, take;
    (void)level;
    (void)memory;
    (void)strategy;
    maker_member(m, NULL);
    for (at = 0; at < count; at += take) {
        take = count - at < 500 ? count - at : 500;
        maker_stored(m, at + take == count, 0, text + at, take);
    }
    maker_member_end(m);
#endif
}

static void file_members(maker *m, const bytes *text, size_t member_bytes, size_t zeros) {
    size_t at, take;
    for (at = 0; at < text->count; at += take) {
        take = text->count - at < member_bytes ? text->count - at : member_bytes;
        member_zlib(m, text->data + at, take, 6, 1, 0);
        maker_raw(m, NULL, zeros, 0);
    }
}

/* BGZF blocks without the last one, and after every `often`th of them a few that are empty. */
static void file_blocks(maker *m, const uint8_t *text, size_t count, size_t block_bytes, unsigned often) {
    maker_header h;
    size_t at, take;
    unsigned number = 0, i;
    memset(&h, 0, sizeof h);
    h.os = 255;
    h.block = 1;
    for (at = 0; at < count; at += take) {
        take = count - at < block_bytes ? count - at : block_bytes;
        maker_pack(m, &h, text + at, take, 6);
        for (i = 0; often > 0 && ++number % often == 0 && i < 3; ++i) {
            maker_eof_block(m);
        }
    }
}

typedef enum file_kind {
    FILE_PLAIN,
    FILE_LEVEL_1,
    FILE_LEVEL_6,
    FILE_LEVEL_9,
    FILE_HUFFMAN,
    FILE_STORED,
    FILE_FIXED,
    FILE_MEMBERS,
    FILE_MEMBERS_AND_ZEROS,
    FILE_ZEROS_AFTER,
    FILE_ONE_BLOCK,
    FILE_LARGE_BLOCKS,
    FILE_BGZF,
    FILE_BGZF_EMPTY_BLOCKS,
    FILE_MIXED,
    FILE_KINDS
} file_kind;

/* clang-format off */
TEST_MAYBE_UNUSED static const char *const file_names[FILE_KINDS] = {
    "plain text",  "level 1",      "level 6",       "level 9",   "Huffman only",
    "stored",      "fixed",        "small members", "members and zeros between", "zeros after",
    "one block",   "large blocks", "BGZF",          "BGZF with empty blocks",    "BGZF and a plain member"};
/* clang-format on */

/* The text as a file of a kind; *out_rules is what it needs to be read. */
TEST_MAYBE_UNUSED static void file_make(maker *m, file_kind kind, const bytes *text,
                                        biost_gzip_rules *out_rules) {
    size_t third = text->count / 3;
    maker_begin(m);
    memset(out_rules, 0, sizeof *out_rules);
    switch (kind) {
    case FILE_PLAIN: maker_raw(m, text->data, text->count, 0); break;
    case FILE_LEVEL_1: member_zlib(m, text->data, text->count, 1, 1, 0); break;
    case FILE_LEVEL_6: member_zlib(m, text->data, text->count, 6, 2, 0); break;
    case FILE_LEVEL_9: member_zlib(m, text->data, text->count, 9, 3, 0); break;
    case FILE_HUFFMAN: member_zlib(m, text->data, text->count, 6, 1, 2); break;
    case FILE_STORED: member_zlib(m, text->data, text->count, 0, 1, 0); break;
    case FILE_FIXED: member_zlib(m, text->data, text->count, 6, 1, 4); break;
    case FILE_MEMBERS: file_members(m, text, 900, 0); break;
    case FILE_MEMBERS_AND_ZEROS:
        file_members(m, text, 2000, 300);
        out_rules->read_past_zeros = 1;
        break;
    case FILE_ZEROS_AFTER:
        file_members(m, text, 20000, 0);
        maker_raw(m, NULL, 5000, 0);
        break;
    case FILE_ONE_BLOCK: maker_pack(m, NULL, text->data, text->count, -1); break;
    case FILE_LARGE_BLOCKS: member_zlib(m, text->data, text->count, 6, 9, 0); break;
    case FILE_BGZF: maker_bgzf(m, text->data, text->count, 1500, 6); break;
    case FILE_BGZF_EMPTY_BLOCKS:
        file_blocks(m, text->data, text->count, 1100, 4);
        maker_eof_block(m);
        break;
    default: /* FILE_MIXED */
        file_blocks(m, text->data, third, 800, 0);
        member_zlib(m, text->data + third, third, 6, 1, 0);
        maker_eof_block(m);
        maker_bgzf(m, text->data + 2 * third, text->count - 2 * third, 3000, 6);
        break;
    }
}

/* Whether a file of this kind has many points where reading may begin. */
TEST_MAYBE_UNUSED static int file_has_points(file_kind kind) {
    return kind != FILE_ONE_BLOCK && kind != FILE_LARGE_BLOCKS;
}

#endif /* INDEX_INPUTS_H */
