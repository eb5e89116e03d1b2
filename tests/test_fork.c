/*
 * After fork the child has the loader's memory and none of its threads: it may close the loader, and
 * nothing else. What used to go wrong elsewhere: joining threads that do not exist, or waiting for a
 * lock that one of them held at the moment of the fork.
 */
#include "../biostream.h"
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

/* Reads enough to keep the workers busy while the process forks. */
static size_t make_reads(char *text, size_t capacity) {
    size_t at = 0, i;
    while (at + 240 < capacity) {
        at += (size_t)sprintf(text + at, "@read%zu\n", at);
        for (i = 0; i < 100; ++i) {
            text[at] = "ACGT"[(at * 2654435761u >> 7) % 4];
            ++at;
        }
        at += (size_t)sprintf(text + at, "\n+\n");
        memset(text + at, 'I', 100);
        at += 100;
        text[at++] = '\n';
    }
    return at;
}

TEST(fork, child_closes) {
    size_t capacity = 4 << 20;
    char *text = (char *)malloc(capacity);
    biost_memory memory;
    biost_loader_desc desc;
    biost_loader *loader = NULL;
    biost_batch batch;
    int i;
    REQUIRE(text != NULL);
    memory.data = text;
    memory.bytes = make_reads(text, capacity);
    memory.name = NULL;
    memset(&desc, 0, sizeof desc);
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.row_bases = 100;
    desc.workers = 4;
    REQUIRE(biost_loader_open(&desc, &loader, NULL) == BIOST_OK);
    REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK);
    for (i = 0; i < 40; ++i) {
        pid_t child;
        int status = -1;
        CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
        child = fork();
        if (child == 0) {
            alarm(20); /* a child that hangs dies, and the check below fails */
            biost_loader_close(loader);
            _exit(7);
        }
        REQUIRE(child > 0);
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    }
    biost_loader_close(loader);
    free(text);
}
