/*
 * glob.h - whether a file has a name that begins like this: names with one * at the end, and nothing but the count.
 */
#ifndef TESTS_WINDOWS_GLOB_H
#define TESTS_WINDOWS_GLOB_H

#include <io.h>
#include <stddef.h>

enum { GLOB_NOMATCH = 3 };

typedef struct glob_t {
    size_t gl_pathc;
} glob_t;

static inline int glob(const char *pattern, int flags, void *failed, glob_t *out) {
    struct _finddata_t found;
    intptr_t search = _findfirst(pattern, &found);
    (void)flags;
    (void)failed;
    out->gl_pathc = 0;
    if (search == -1) {
        return GLOB_NOMATCH;
    }
    do {
        ++out->gl_pathc;
    } while (_findnext(search, &found) == 0);
    _findclose(search);
    return 0;
}

static inline void globfree(glob_t *given) {
    given->gl_pathc = 0;
}

#endif /* TESTS_WINDOWS_GLOB_H */
