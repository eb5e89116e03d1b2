/*
 * stream_source.h - for tests that read gzip files made at random: the file that is made and the bytes that
 * are read, random text and rules, and an allocator that counts.
 *
 * Include it after biostream.h and test.h.
 */
#ifndef STREAM_SOURCE_H
#define STREAM_SOURCE_H

#include "deflate_maker.h"

/* ---- what is read ---- */

static maker made;
static maker_bytes source; /* what is read: made.file, perhaps damaged */

TEST_MAYBE_UNUSED static void source_is_made(void) {
    source.count = 0;
    maker_bytes_add(&source, made.file.data, made.file.count);
}

/* The file that was made, undamaged, was read to its end and is what was made. */
TEST_MAYBE_UNUSED static void outcome_is_made(const stream_outcome *out) {
    CHECK(out->result == BIOST_END);
    CHECK_EQ_U64(out->progress.member_count, made.border_count);
    if (CHECK_EQ_U64(out->text.count, made.text.count)) {
        CHECK_MEM(out->text.data, made.text.data, made.text.count);
    }
}

/* ---- random text and rules ---- */

/* Letters of sequence, or of whole records. */
TEST_MAYBE_UNUSED static const char *letters_random(uint64_t *random) {
    return maker_chance(random, 50) ? "ACGT" : "ACGTN\n@+FFFF:,#0123456789";
}

/*
 * Add text for compressors until there are so many bytes: letters, runs, and repeats of what lies at most
 * `far` bytes back; `percent` of them just so far.
 */
TEST_MAYBE_UNUSED static void text_of_letters(maker_bytes *text, size_t bytes, const char *letters,
                                              size_t far, uint32_t percent, uint64_t *random) {
    uint32_t kinds = (uint32_t)strlen(letters);
    while (text->count < bytes) {
        size_t left = bytes - text->count, run = 1 + maker_below(random, 300);
        run = run < left ? run : left;
        if (maker_chance(random, 30) && text->count > run) {
            size_t most = text->count < far ? text->count : far;
            size_t back = run + maker_below(random, (uint32_t)(most - run + 1));
            back = percent > 0 && maker_chance(random, percent) ? most : back;
            maker_bytes_add(text, NULL, run); /* may move the text */
            memcpy(text->data + text->count - run, text->data + text->count - run - back, run);
        } else if (maker_chance(random, 20)) {
            maker_bytes_add(text, NULL, run);
            memset(text->data + text->count - run, letters[maker_below(random, kinds)], run);
        } else {
            for (; run > 0; --run) {
                maker_bytes_add(text, letters + maker_below(random, kinds), 1);
            }
        }
    }
}

/* Mostly strict; else, and 1 is returned, one of the lenient or stricter readings. */
TEST_MAYBE_UNUSED static int rules_random(biost_gzip_rules *rules, uint64_t *random) {
    memset(rules, 0, sizeof *rules);
    switch (maker_below(random, 30)) {
    case 0: rules->require = 1; break;
    case 1: rules->no_crc = 1; break;
    case 2: rules->ignore_bc = 1; break;
    case 3: rules->require_eof_block = 1; break;
    case 4: rules->refuse_padding = 1; break;
    case 5: rules->read_past_zeros = 1; break;
    case 6: rules->ignore_garbage = 1; break;
    default: return 0;
    }
    return 1;
}

/* ---- an allocator that counts, and refuses one call ---- */

typedef struct account {
    size_t held, peak;
    unsigned long calls, refuse; /* number of the call that fails, from 1; 0: none */
} account;

TEST_MAYBE_UNUSED static void *account_alloc(size_t bytes, size_t align, void *user_data) {
    account *a = (account *)user_data;
    void *memory = NULL;
    unsigned long call = __atomic_add_fetch(&a->calls, 1, __ATOMIC_SEQ_CST);
    if (call == a->refuse ||
        posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, bytes) != 0) {
        return NULL;
    }
    bytes = __atomic_add_fetch(&a->held, bytes, __ATOMIC_SEQ_CST);
    if (bytes > __atomic_load_n(&a->peak, __ATOMIC_SEQ_CST)) { /* nearly the peak where threads meet */
        __atomic_store_n(&a->peak, bytes, __ATOMIC_SEQ_CST);
    }
    return memory;
}

TEST_MAYBE_UNUSED static void account_free(void *memory, size_t bytes, void *user_data) {
    __atomic_sub_fetch(&((account *)user_data)->held, bytes, __ATOMIC_SEQ_CST);
    free(memory);
}

/* Use it for all memory of a stream, a reader or a loader. */
TEST_MAYBE_UNUSED static void account_give(account *a, biost_allocator *allocator) {
    memset(a, 0, sizeof *a);
    allocator->alloc = account_alloc;
    allocator->free = account_free;
    allocator->user_data = a;
}

#endif /* STREAM_SOURCE_H */
