/*
 * test_workers.c - no more workers are made than can run at a time: those of the affinity mask, as far as quotas of
 * control groups go. Files that the system would have are made up; how many threads are made is counted.
 *
 * rooms: platform sched
 * needs: loader stores threads hooks
 */
#if defined(__linux__)
#define _GNU_SOURCE 1 /* sched_setaffinity */
#endif
#include "hooks.h"

#include "../biostream.h"

#include "test.h"

#if defined(__linux__)

/* What the system's files say; those that are not here are not there. */
typedef struct note {
    const char *path, *text;
} note;

static const note *notes; /* NULL: the system's own */
static uint32_t created;

static int open_note(const char *path, int flags) {
    FILE *file;
    int copy, i;
    if (notes == NULL || (strncmp(path, "/sys/", 5) != 0 && strncmp(path, "/proc/", 6) != 0)) {
        return open(path, flags);
    }
    for (i = 0; notes[i].path != NULL && strcmp(notes[i].path, path) != 0; ++i) {
    }
    if (notes[i].path == NULL) {
        errno = ENOENT;
        return -1;
    }
    file = tmpfile();
    if (!CHECK(file != NULL)) {
        return -1;
    }
    fputs(notes[i].text, file);
    fflush(file);
    copy = dup(fileno(file));
    fclose(file);
    return copy;
}

static int create_counted(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument) {
    ++created;
    return pthread_create(thread, attributes, run, argument);
}

HOOKS_SET {
    os_open = open_note;
    os_create = create_counted;
}

static const char reads[] = "@a\nACGTACGT\n+\nIIIIIIII\n@b\nTTTTGGGG\n+\nIIIIIIII\n";

static biost_memory memory_of(const char *text) {
    biost_memory memory;
    memset(&memory, 0, sizeof memory);
    memory.data = text;
    memory.bytes = strlen(text);
    memory.name = "reads";
    return memory;
}

/* The workers that a stream asked for `wish` has: its caller, and the threads made. */
static uint32_t stream_workers(uint32_t wish) {
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    memset(&desc, 0, sizeof desc);
    desc.memory = memory_of(reads);
    desc.workers = wish;
    created = 0;
    CHECK_EQ_I64(biost_stream_open(&desc, &stream, NULL), BIOST_OK);
    biost_stream_close(stream);
    return created + 1;
}

static void loader_desc(biost_loader_desc *desc, biost_memory *memory) {
    memset(desc, 0, sizeof *desc);
    *memory = memory_of(reads);
    desc->memories = memory;
    desc->memory_count = 1;
    desc->batch_rows = 2;
    desc->digest = 1;
}

/* The same of a loader; all that says a number has to say that one. */
static uint32_t loader_workers(const biost_loader_desc *desc, uint32_t later) {
    biost_loader *loader = NULL;
    biost_loader_desc got;
    biost_counters counters;
    uint32_t at_open;
    created = 0;
    CHECK_EQ_I64(biost_loader_open(desc, &loader, NULL), BIOST_OK);
    at_open = created + 1;
    biost_loader_get_desc(loader, &got);
    biost_loader_counters(loader, &counters);
    CHECK_EQ_U64(counters.workers, got.workers);
    CHECK(desc->jobs.submit != NULL || got.workers == at_open);
    if (later > 0) {
        CHECK_EQ_I64(biost_loader_set_workers(loader, later), BIOST_OK);
        CHECK_EQ_U64(created + 1, at_open);
    }
    biost_loader_close(loader);
    return got.workers;
}

/* ---- quotas and masks that are made up ---- */

#define STATUS(cpus) \
    { "/proc/thread-self/status", "Name:\tx\nSeccomp:\t0\nCpus_allowed:\t" cpus "\nMems_allowed:\t1\n" }

/* Of 64 cores, or of those the mask names, as many as the least quota gives; and the caller. */
TEST(workers, as_many_as_masks_and_quotas_leave) {
    static const struct {
        const char *what;
        uint32_t cores;
        note notes[6];
    } cases[] = {
        {"no quota", 64, {STATUS("ffffffff,ffffffff"), {"/proc/self/cgroup", "0::/\n"}}},
        {"a mask", 9, {STATUS("00000000,80000000,0000f00f")}},
        {"one core", 1, {STATUS("4")}},
        {"no mask is said, and less than a core",
         1,
         {{"/proc/thread-self/status", "Name:\tx\n"},
          {"/proc/self/cgroup", "0::/\n"},
          {"/sys/fs/cgroup/cpu.max", "1000 100000\n"}}},
        {"version 2, a container's root",
         4,
         {STATUS("ffffffff,ffffffff"),
          {"/proc/self/cgroup", "0::/\n"},
          {"/sys/fs/cgroup/cpu.max", "400000 100000\n"}}},
        {"a part of a core is one",
         3,
         {STATUS("ff"), {"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "200001 100000\n"}}},
        {"less than a core",
         1,
         {STATUS("ff"), {"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "1000 100000\n"}}},
        {"the inner group",
         2,
         {STATUS("ff"),
          {"/proc/self/cgroup", "0::/a.slice/b\n"},
          {"/sys/fs/cgroup/a.slice/b/cpu.max", "200000 100000\n"},
          {"/sys/fs/cgroup/a.slice/cpu.max", "300000 100000\n"}}},
        {"the outer group",
         3,
         {STATUS("ff"),
          {"/proc/self/cgroup", "0::/a.slice/b\n"},
          {"/sys/fs/cgroup/a.slice/b/cpu.max", "max 100000\n"},
          {"/sys/fs/cgroup/a.slice/cpu.max", "150000 50000\n"}}},
        {"the mask is less",
         2,
         {STATUS("3"), {"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "400000 100000\n"}}},
        {"version 1",
         5,
         {STATUS("ff"),
          {"/proc/self/cgroup", "4:cpuset:/x\n1:cpu,cpuacct:/x\n0::/x\n"},
          {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "500000\n"},
          {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}},
        {"version 1 without a quota",
         8,
         {STATUS("ff"),
          {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
          {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}},
        {"a quota that says nothing",
         8,
         {STATUS("ff"), {"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "200000\n"}}},
        {"an empty quota", 8, {STATUS("ff"), {"/proc/self/cgroup", ""}, {"/sys/fs/cgroup/cpu.max", ""}}},
    };
    size_t i;
    test_more_workers = 2;
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const uint32_t most = cases[i].cores + 1;
        test_note("%s", cases[i].what);
        notes = cases[i].notes;
        CHECK_EQ_U64(stream_workers(256), most);
        CHECK_EQ_U64(stream_workers(most), most);
        CHECK_EQ_U64(stream_workers(2), 2);
        CHECK_EQ_U64(stream_workers(0), 1);
    }
    notes = NULL;
    test_more_workers = 256;
}

/* A path of a group that is longer than what is read of it ends nothing: its outer groups are asked. */
TEST(workers, of_groups_with_long_names) {
    static char groups[4096];
    const note long_ones[] = {STATUS("ff"),
                              {"/proc/self/cgroup", groups},
                              {"/sys/fs/cgroup/a/cpu.max", "300000 100000"},
                              {NULL, NULL}};
    size_t bytes = strlen(strcpy(groups, "0::/a/"));
    memset(groups + bytes, 'b', sizeof groups - bytes - 1);
    test_more_workers = 2;
    notes = long_ones;
    CHECK_EQ_U64(stream_workers(256), 4);
    notes = NULL;
    test_more_workers = 256;
}

/* ---- what the number decides ---- */

static void no_submit(void (*run)(void *argument), void *argument, void *user_data) {
    (void)run;
    (void)argument;
    (void)user_data;
    CHECK(0); /* nothing is begun */
}

static void *file_open(const char *path, void *user_data) {
    (void)path;
    return user_data;
}

static int64_t file_read_at(void *file, uint64_t offset, void *to, size_t bytes, void *user_data) {
    size_t left = offset < sizeof reads - 1 ? sizeof reads - 1 - (size_t)offset : 0,
           got = left < bytes ? left : bytes;
    (void)file;
    (void)user_data;
    memcpy(to, reads + (sizeof reads - 1 - left), got);
    return (int64_t)got;
}

static int64_t file_size(void *file, void *user_data) {
    (void)file;
    (void)user_data;
    return (int64_t)sizeof reads - 1;
}

static void file_close(void *file, void *user_data) {
    (void)file;
    (void)user_data;
}

static const note three_cores[] = {STATUS("7"), {NULL, NULL}};

/* A loader has them, its memory is for them, and a host that runs the work, or brings the files, has the last word. */
TEST(workers, of_loaders) {
    const char *path = "anything";
    int any;
    biost_loader_desc desc;
    biost_memory memory;
    uint64_t bytes;
    loader_desc(&desc, &memory);
    test_more_workers = 2;
    notes = three_cores;
    CHECK_EQ_U64(loader_workers(&desc, 0), 3);
    desc.workers = 4;
    bytes = biost_loader_memory(&desc);
    CHECK_EQ_U64(loader_workers(&desc, 64), 4);
    desc.workers = 64;
    CHECK_EQ_U64(loader_workers(&desc, 256), 4);
    CHECK_EQ_U64(biost_loader_memory(&desc), bytes);
    desc.jobs.submit = no_submit;
    CHECK_EQ_U64(loader_workers(&desc, 0), 64);
    CHECK(biost_loader_memory(&desc) > bytes);
    desc.jobs.submit = NULL;
    desc.memory_count = 0;
    desc.memories = NULL;
    desc.paths = &path;
    desc.path_count = 1;
    desc.files.open = file_open;
    desc.files.read_at = file_read_at;
    desc.files.size = file_size;
    desc.files.close = file_close;
    desc.files.user_data = &any;
    CHECK_EQ_U64(loader_workers(&desc, 0), 64);
    desc.workers = 257;
    CHECK_EQ_U64(biost_loader_memory(&desc), UINT64_MAX);
    notes = NULL;
    test_more_workers = 256;
}

/* Stores and readers, too. */
TEST(workers, of_stores_and_readers) {
    biost_store_desc build;
    biost_store *store = NULL;
    biost_reader_desc desc;
    biost_reader *reader = NULL;
    biost_memory memory = memory_of(reads);
    test_more_workers = 2;
    notes = three_cores;
    memset(&build, 0, sizeof build);
    build.memories = &memory;
    build.memory_count = 1;
    build.workers = 64;
    created = 0;
    CHECK_EQ_I64(biost_store_build(&build, &store, NULL), BIOST_OK);
    CHECK_EQ_U64(created, 3);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    memset(&desc, 0, sizeof desc);
    desc.memory = memory;
    desc.workers = 64;
    created = 0;
    CHECK_EQ_I64(biost_reader_open(&desc, &reader, NULL), BIOST_OK);
    CHECK_EQ_U64(created, 3);
    biost_reader_close(reader);
    notes = NULL;
    test_more_workers = 256;
}

/* The pages that a reader of a stream may hold are those of the workers asked for: no program finds fewer on less. */
TEST(workers, pages_are_those_of_the_workers_asked_for) {
    static const uint32_t asked[] = {3, 8};
    uint32_t k, held;
    char text[4096];
    size_t bytes = 0;
    test_more_workers = 2;
    notes = three_cores;
    while (bytes + sizeof reads < sizeof text) {
        bytes += strlen(strcpy(text + bytes, reads));
    }
    for (k = 0; k < 2; ++k) {
        biost_stream_desc below;
        biost_reader_desc desc;
        biost_stream *stream = NULL;
        biost_reader *reader = NULL;
        biost_record_page pages[16];
        memset(&below, 0, sizeof below);
        below.memory = memory_of(text);
        below.workers = asked[k];
        below.test.page_bytes = 64;
        REQUIRE(biost_stream_open(&below, &stream, NULL) == BIOST_OK);
        memset(&desc, 0, sizeof desc);
        desc.stream = stream;
        desc.page_count = 16;
        REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
        for (held = 0; held < 16 && biost_reader_next_page(reader, &pages[held]) == BIOST_OK; ++held) {
        }
        CHECK_EQ_U64(held, asked[k] + 2);
        biost_reader_close(reader);
        biost_stream_close(stream);
    }
    notes = NULL;
    test_more_workers = 256;
}

/* ---- the system's own ---- */

/* A thread that may use one core, or two, gets as many beside it; so the mask is that of the thread that opens. */
TEST(workers, of_the_affinity_mask) {
    cpu_set_t all, some;
    uint32_t made[2] = {0, 0}, cpu, i = 0;
    CPU_ZERO(&some);
    REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
    test_more_workers = 2;
    for (cpu = 0; cpu < CPU_SETSIZE && i < 2; ++cpu) {
        if (CPU_ISSET(cpu, &all)) {
            CPU_SET(cpu, &some);
            CHECK(sched_setaffinity(0, sizeof some, &some) == 0);
            made[i++] = stream_workers(64);
        }
    }
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
    CHECK_EQ_U64(made[0], 2);
    CHECK(i < 2 || made[1] == 3 || stream_workers(64) == 2); /* or a quota is less */
    test_more_workers = 256;
}

#else

TEST(workers, as_many_as_can_run) {
    TEST_SKIP("Linux, whose files say how many cores there are");
}

#endif
