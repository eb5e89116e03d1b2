/*
 * kept.h - run a target with the inputs of its two files, TARGET.seeds and TARGET.kept (seeds.py says what is in them),
 * without libFuzzer. Include it after test.h.
 */
#ifndef KEPT_H
#define KEPT_H

typedef int (*kept_target)(const uint8_t *data, size_t bytes);

/* Each input in memory of exactly its size. Returns how many there were. */
static unsigned kept_run_file(const char *path, kept_target target) {
    size_t bytes, at = 0;
    unsigned count = 0;
    uint8_t *file = test_read_file(path, &bytes);
    while (file != NULL && at < bytes) {
        size_t size = 0;
        if (!CHECK(bytes - at >= 4)) {
            break;
        }
        for (int i = 3; i >= 0; i--) {
            size = size << 8 | file[at + (size_t)i];
        }
        at += 4;
        if (!CHECK(bytes - at >= size)) {
            break;
        }
        uint8_t *input = test_copy(file + at, size);
        printf("  input %u of %s\n", count,
               path); /* the last one is named where the target stops the process */
        CHECK(target(input, size) == 0);
        free(input);
        at += size;
        count++;
    }
    free(file);
    return count;
}

static void kept_run(const char *name, kept_target target) {
    char path[256];
    snprintf(path, sizeof path, "tests/fuzz/%s.seeds", name);
    CHECK(kept_run_file(path, target) > 10);
    snprintf(path, sizeof path, "tests/fuzz/%s.kept", name);
    CHECK(kept_run_file(path, target) > 0);
}

#endif /* KEPT_H */
