/*
 * test_kseq_default.c - examples/kseq_over_biostream.h with nothing defined before it: what a program that never looks at
 * a code sees on stderr.
 *
 * rooms: examples
 * needs: library data
 */
#include "../biostream.h"
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

#include "../examples/kseq_over_biostream.h"

KSEQ_INIT(int, read)

/* Read a file to the end as most programs do, with stderr in another file. Returns the records; *out_code the last code. */
static int read_all(const char *path, char said[1000], int *out_code) {
    static const char to[] = "build/test_kseq_default.err";
    int fd = open(path, O_RDONLY), kept = dup(2), records = 0;
    int other = open(to, O_RDWR | O_CREAT | O_TRUNC, 0600);
    kseq_t *seq = kseq_init(fd);
    int64_t l, bytes;
    fflush(stderr);
    dup2(other, 2);
    while ((l = kseq_read(seq)) >= 0) {
        ++records;
    }
    *out_code = (int)l;
    if (l == -2) { /* others go on */
        while ((l = kseq_read(seq)) >= 0 || l == -2) {
            records += l >= 0;
        }
    }
    fflush(stderr);
    dup2(kept, 2);
    lseek(other, 0, SEEK_SET);
    bytes = read(other, said, 999);
    said[bytes > 0 ? bytes : 0] = '\0';
    close(other);
    close(kept);
    close(fd);
    kseq_destroy(seq);
    return records;
}

static int lines_of(const char *text) {
    int lines = 0;
    for (; *text != '\0'; ++text) {
        lines += *text == '\n';
    }
    return lines;
}

/* A '+' line that says something else, text before the first record, a cut-off record: kseq.h says nothing of them. */
TEST(kseq_default, what_kseq_takes_is_not_told) {
    static const char *const files[] = {"fastx/q24_plus_diff.fq", "fastx/a20_hash.fa",
                                        "fastx/q29_trunc_seq.fq", "fastx/q38_seq_nul.fq",
                                        "fastx/a35_mixed_fq.fa"};
    size_t i;
    for (i = 0; i < sizeof files / sizeof files[0]; ++i) {
        char path[200], said[1000];
        int code;
        snprintf(path, sizeof path, TEST_DATA "/semantics/%s", files[i]);
        test_note("%s", path);
        CHECK(read_all(path, said, &code) > 0 && code == -1);
        CHECK_STR(said, "");
    }
}

TEST(kseq_default, what_ends_the_loop_is_told) {
    static const struct {
        const char *file;
        int code;
        const char *words;
    } files[] = {
        {"fastx/q25_short_qual.fq", -2, "kseq_t: record "},
        {"fastx/q33_trunc_qual.fq", -2, "kseq_t: record 2 "},
        {"gzip/t06_minus1.gz", -3, "kseq_t: "},
        {"gzip/c01_badcrc.gz", -3, "kseq_t: "},
    };
    size_t i;
    for (i = 0; i < sizeof files / sizeof files[0]; ++i) {
        char path[200], said[1000];
        int code;
        snprintf(path, sizeof path, TEST_DATA "/semantics/%s", files[i].file);
        (void)read_all(path, said, &code);
        test_note("%s: %s", path, said);
        CHECK_EQ_I64(code, files[i].code);
        CHECK(lines_of(said) == 1 && strncmp(said, files[i].words, strlen(files[i].words)) == 0);
    }
}
