/*
 * test.h - the test harness. A test file:
 *
 *     #include "white.h"                          (first: the implementation, for white-box tests;
 *     #include "test.h"                            or "../biostream.h" for tests of the API)
 *
 *     TEST(crc, check_value) {                    (registers itself; runs in the order of the file)
 *         CHECK_EQ_U64(bsi_hash_crc_update(0, "123456789", 9), 0xCBF43926u);
 *     }
 *
 * There is no main to write: this file brings it, unless TEST_NO_MAIN is defined. An argument selects
 * the tests whose room_name contains it; `--file NAME` before it those of tests/NAME.c, where a program is made
 * of several test files (white_rooms.h); `--only` before it makes it a whole name, `--list` prints names instead
 * of running tests. The last line is `N passed, N failed` (`, N skipped`), the exit status 1 if a test failed. A
 * failed check is printed and its test goes on; CHECK is an expression with the value of its condition, so
 * `if (!CHECK(p != NULL)) { return; }` leaves early, and REQUIRE does that in one word.
 *
 * gcc and clang only, for `__attribute__((constructor))`; the header itself needs neither.
 */
#ifndef TEST_H
#define TEST_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TEST_DATA
#define TEST_DATA "tests/data" /* programs are run in the repository's root */
#endif

#define TEST_MAYBE_UNUSED   __attribute__((unused))
#define TEST_FAILURES_SHOWN 10 /* of one test; the others are only counted */

typedef struct test_entry {
    const char *name; /* "room_name" */
    const char *file; /* that it stands in */
    void (*run)(void);
    struct test_entry *next;
} test_entry;

/* All state of the harness. Checks may come from any thread; tests start and end on the main one. */
static struct {
    test_entry *first, *last;
    const char *running;
    const char *skip_reason; /* of the running test, NULL: it was not skipped */
    unsigned failures;       /* failed checks of the running test             */
    char note[160];          /* what test_note said last                      */
} test_state;

static void test_register(test_entry *entry) {
    if (test_state.last == NULL) {
        test_state.first = entry;
    } else {
        test_state.last->next = entry;
    }
    test_state.last = entry;
}

#define TEST(room, name)                                                                                    \
    static void test_##room##_##name(void);                                                                 \
    static test_entry test_entry_##room##_##name = {#room "_" #name, __FILE__, test_##room##_##name, NULL}; \
    __attribute__((constructor)) static void test_register_##room##_##name(void) {                          \
        test_register(&test_entry_##room##_##name);                                                         \
    }                                                                                                       \
    static void test_##room##_##name(void)

/* Leave the test as skipped. The reason is the name of what is missing: TEST_SKIP("zlib"). */
#define TEST_SKIP(reason)                \
    do {                                 \
        test_state.skip_reason = reason; \
        return;                          \
    } while (0)

/* Which case of a table runs now; shown with failures until the test ends or says otherwise. */
TEST_MAYBE_UNUSED __attribute__((format(printf, 1, 2))) static void test_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(test_state.note, sizeof test_state.note, format, arguments);
    va_end(arguments);
}

/* Count a failure; true if it shall be printed, then its first line is out already. */
static int test_failed(const char *file, int line, const char *what) {
    unsigned before = __atomic_fetch_add(&test_state.failures, 1u, __ATOMIC_RELAXED);
    if (before == TEST_FAILURES_SHOWN) {
        printf("    (more failures of this test are not shown)\n");
    }
    if (before >= TEST_FAILURES_SHOWN) {
        return 0;
    }
    printf("%s:%d: %s: failed: %s\n", file, line, test_state.running, what);
    if (test_state.note[0] != '\0') {
        printf("    case:     %s\n", test_state.note);
    }
    return 1;
}

TEST_MAYBE_UNUSED static int test_check(int ok, const char *file, int line, const char *what) {
    if (!ok) {
        test_failed(file, line, what);
    }
    return ok;
}

TEST_MAYBE_UNUSED static int test_check_u64(uint64_t actual, uint64_t expected, const char *file, int line,
                                            const char *what) {
    if (actual != expected && test_failed(file, line, what)) {
        printf("    actual:   %llu (0x%llx)\n", (unsigned long long)actual, (unsigned long long)actual);
        printf("    expected: %llu (0x%llx)\n", (unsigned long long)expected, (unsigned long long)expected);
    }
    return actual == expected;
}

TEST_MAYBE_UNUSED static int test_check_i64(int64_t actual, int64_t expected, const char *file, int line,
                                            const char *what) {
    if (actual != expected && test_failed(file, line, what)) {
        printf("    actual:   %lld\n    expected: %lld\n", (long long)actual, (long long)expected);
    }
    return actual == expected;
}

TEST_MAYBE_UNUSED static int test_check_str(const char *actual, const char *expected, const char *file,
                                            int line, const char *what) {
    int same = actual == expected || (actual != NULL && expected != NULL && strcmp(actual, expected) == 0);
    if (!same && test_failed(file, line, what)) {
        printf("    actual:   \"%s\"\n", actual == NULL ? "(NULL)" : actual);
        printf("    expected: \"%s\"\n", expected == NULL ? "(NULL)" : expected);
    }
    return same;
}

/* Sixteen bytes of a buffer around the first difference. */
static void test_print_bytes(const char *label, const uint8_t *data, size_t from, size_t bytes) {
    size_t i;
    printf("    %s", label);
    for (i = from; i < bytes && i < from + 16; ++i) {
        printf(" %02x", data[i]);
    }
    printf("\n");
}

TEST_MAYBE_UNUSED static int test_check_mem(const void *actual, const void *expected, size_t bytes,
                                            const char *file, int line, const char *what) {
    const uint8_t *a = (const uint8_t *)actual, *b = (const uint8_t *)expected;
    size_t at = 0;
    while (at < bytes && a[at] == b[at]) {
        ++at;
    }
    if (at < bytes && test_failed(file, line, what)) {
        printf("    first difference at byte %llu of %llu\n", (unsigned long long)at,
               (unsigned long long)bytes);
        test_print_bytes("actual:  ", a, at, bytes);
        test_print_bytes("expected:", b, at, bytes);
    }
    return at == bytes;
}

#define CHECK(condition) test_check((condition) ? 1 : 0, __FILE__, __LINE__, #condition)
#define CHECK_EQ_U64(actual, expected) \
    test_check_u64((uint64_t)(actual), (uint64_t)(expected), __FILE__, __LINE__, #actual " == " #expected)
#define CHECK_EQ_I64(actual, expected) \
    test_check_i64((int64_t)(actual), (int64_t)(expected), __FILE__, __LINE__, #actual " == " #expected)
#define CHECK_STR(actual, expected) \
    test_check_str((actual), (expected), __FILE__, __LINE__, #actual " is " #expected)
#define CHECK_MEM(actual, expected, bytes) \
    test_check_mem((actual), (expected), (bytes), __FILE__, __LINE__, #actual " holds " #expected)

/* CHECK, and leave the test (a void function) where it fails. */
#define REQUIRE(condition)       \
    do {                         \
        if (!CHECK(condition)) { \
            return;              \
        }                        \
    } while (0)

/* The seed of random tests: fixed, so that a failure comes again; TEST_SEED=n tries another. */
TEST_MAYBE_UNUSED static uint64_t test_seed(void) {
    const char *text = getenv("TEST_SEED");
    return text == NULL ? 0x5EEDu : (uint64_t)strtoull(text, NULL, 0);
}

/*
 * How much a test tries: `quick` in `make test`, which is run after every change; `full` where TEST_EFFORT=full, as
 * `make check` and CI say. Both try the same things; full tries more of the random ones and more combinations.
 */
TEST_MAYBE_UNUSED static unsigned test_effort(unsigned quick, unsigned full) {
    const char *text = getenv("TEST_EFFORT");
    return text != NULL && strcmp(text, "full") == 0 ? full : quick;
}

/* The next of a sequence of 64 random bits (splitmix64: a counter in steps of 2^64/phi, then mixed). */
TEST_MAYBE_UNUSED static uint64_t test_random(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Memory of exactly this size, so that ASan sees the first byte beyond; contents copied if from is given.
 * The caller frees. Never NULL: without memory the program ends. */
TEST_MAYBE_UNUSED static uint8_t *test_copy(const void *from, size_t bytes) {
    uint8_t *copy = (uint8_t *)malloc(bytes);
    if (copy == NULL && bytes == 0) {
        copy = (uint8_t *)malloc(1);
    }
    if (copy == NULL) {
        printf("no memory for %llu bytes\n", (unsigned long long)bytes);
        exit(1);
    }
    if (from != NULL && bytes > 0) {
        memcpy(copy, from, bytes);
    }
    return copy;
}

/* The whole file in memory of exactly its size (caller frees), or NULL and a failed check. */
TEST_MAYBE_UNUSED static uint8_t *test_read_file(const char *path, size_t *out_bytes) {
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    long size = -1;
    *out_bytes = 0;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        size = ftell(file);
        rewind(file);
    }
    if (size >= 0) {
        data = test_copy(NULL, (size_t)size);
        if (fread(data, 1, (size_t)size, file) != (size_t)size) {
            free(data);
            data = NULL;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    if (data == NULL) {
        test_failed(__FILE__, __LINE__, "a test file can be read");
        printf("    file:     %s\n", path);
        return NULL;
    }
    *out_bytes = (size_t)size;
    return data;
}

#ifndef TEST_NO_MAIN
/*
 * Tests get as many workers as they ask for, though fewer could run at a time: that is where races are found.
 * implementation.c reads it, so a test that is about those that could run sets it to 2.
 */
extern unsigned test_more_workers;
unsigned test_more_workers = 256;

/* True when no earlier test gave this reason, so that a missing peer makes one line. */
static int test_reason_is_new(const char *reason) {
    static const char *seen[16];
    int i;
    for (i = 0; i < 16 && seen[i] != NULL; ++i) {
        if (strcmp(seen[i], reason) == 0) {
            return 0;
        }
    }
    if (i < 16) {
        seen[i] = reason;
    }
    return 1;
}

/* Is the path that of tests/NAME.c? */
static int test_is_in_file(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    const char *from = slash == NULL ? path : slash + 1;
    size_t length = strlen(name);
    return strncmp(from, name, length) == 0 && strcmp(from + length, ".c") == 0;
}

int main(int argc, char **argv) {
    const char *file = NULL, *filter;
    unsigned passed = 0, failed = 0, skipped = 0;
    int list, only;
    test_entry *entry;
    if (argc > 2 && strcmp(argv[1], "--file") == 0) {
        file = argv[2];
        argv += 2;
        argc -= 2;
    }
    list = argc > 1 && strcmp(argv[1], "--list") == 0;
    only = argc > 2 && strcmp(argv[1], "--only") == 0;
    argv += list || only;
    argc -= list || only;
    filter = argc > 1 ? argv[1] : "";
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a crash loses no line */
    for (entry = test_state.first; entry != NULL; entry = entry->next) {
        if ((only ? strcmp(entry->name, filter) != 0 : strstr(entry->name, filter) == NULL) ||
            (file != NULL && !test_is_in_file(entry->file, file))) {
            continue;
        }
        if (list) {
            printf("%s\n", entry->name);
            continue;
        }
        printf("run %s\n", entry->name);
        test_state.running = entry->name;
        test_state.skip_reason = NULL;
        test_state.failures = 0;
        test_state.note[0] = '\0';
        entry->run();
        if (test_state.failures > 0) {
            ++failed;
            printf("FAILED %s (%u checks, seed %llu)\n", entry->name, test_state.failures,
                   (unsigned long long)test_seed());
        } else if (test_state.skip_reason != NULL) {
            ++skipped;
            if (test_reason_is_new(test_state.skip_reason)) {
                printf("skipped: %s\n", test_state.skip_reason);
            }
        } else {
            ++passed;
        }
    }
    if (list) {
        return 0;
    }
    if (file != NULL && filter[0] == '\0' && passed + failed + skipped == 0) {
        printf("FAILED no test of this program stands in %s.c\n", file);
        ++failed;
    }
    printf(skipped > 0 ? "%u passed, %u failed, %u skipped\n" : "%u passed, %u failed\n", passed, failed,
           skipped);
    return failed > 0 ? 1 : 0;
}
#endif /* TEST_NO_MAIN */

#endif /* TEST_H */
