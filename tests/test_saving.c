/*
 * test_saving.c - files that are saved, from outside: many savers of one file at once, what else lies beside it, links,
 * pipes, devices and permissions.
 *
 * rooms: platform
 * needs: loader stores threads library data
 */
#include "../biostream.h"
#include "test.h"
#include "patience.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define READS  "examples/data/illumina_hiseqx_150bp.fastq.gz"
#define FOLDER "build/test_saving.files"
#define PATH   FOLDER "/a.bsx"

/* An empty folder. */
static void folder_begin(void) {
    CHECK(system("rm -rf " FOLDER) == 0);
    CHECK(mkdir(FOLDER, 0777) == 0);
}

/* How many names there are in the folder. */
static int folder_count(void) {
    DIR *folder = opendir(FOLDER);
    struct dirent *entry;
    int count = 0;
    if (CHECK(folder != NULL)) {
        while ((entry = readdir(folder)) != NULL) {
            count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
        }
        closedir(folder);
    }
    return count;
}

/* The folder has so many names, and goes. */
static void folder_end(int count) {
    CHECK_EQ_I64(folder_count(), count);
    CHECK(system("rm -rf " FOLDER) == 0);
}

/* The whole index of a gzip file: tens of KB. */
static biost_index *index_of_reads(void) {
    biost_reader_desc desc;
    biost_record_page page;
    biost_reader *reader = NULL;
    biost_index *index = NULL;
    memset(&desc, 0, sizeof desc);
    desc.path = READS;
    CHECK(biost_index_open(NULL, &index, NULL) == BIOST_OK);
    desc.index = index;
    if (!CHECK(biost_reader_open(&desc, &reader, NULL) == BIOST_OK)) {
        exit(1);
    }
    while (biost_reader_next_page(reader, &page) == BIOST_OK) {
        biost_reader_release_page(reader, &page);
    }
    biost_reader_close(reader);
    return index;
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    int good = file != NULL && fputs(text, file) >= 0;
    good = file != NULL && fclose(file) == 0 && good;
    CHECK(good);
}

static int holds_text(const char *path, const char *text) {
    size_t count = 0;
    uint8_t *bytes = test_read_file(path, &count);
    int same = bytes != NULL && count == strlen(text) && memcmp(bytes, text, count) == 0;
    free(bytes);
    return same;
}

static int kind_of(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 ? (int)(info.st_mode & S_IFMT) : 0;
}

static int permissions_of(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 ? (int)(info.st_mode & 07777) : -1;
}

/* The file is an index, and the one that was saved. */
static int is_saved(const char *path, const biost_index *index) {
    biost_index_info saved, loaded;
    biost_index *other = NULL;
    int good = biost_index_load(path, NULL, &other, NULL) == BIOST_OK;
    if (good) {
        biost_index_get_info(index, &saved);
        biost_index_get_info(other, &loaded);
        good = saved.point_count == loaded.point_count && saved.record_count == loaded.record_count;
    }
    biost_index_close(other);
    return good;
}

/* ---- several at once ---- */

enum { PROCESSES = 6, ROUNDS = 20 };

/* A process that saves again and again. It ends with the number of saves that failed. */
static pid_t save_by_process(const biost_index *index) {
    pid_t child = fork();
    int round, failed = 0;
    biost_error error;
    if (child != 0) {
        return child;
    }
    patience_alarm(120);
    for (round = 0; round < ROUNDS; ++round) {
        if (biost_index_save(index, PATH, &error) != BIOST_OK) {
            fprintf(stderr, "%s\n", error.text);
            ++failed;
        }
    }
    _exit(failed);
}

/* Several processes save one file, while this one loads it, which is never cut off. */
TEST(saving, by_processes) {
    biost_index *index = index_of_reads();
    pid_t children[PROCESSES];
    int i, status, running = PROCESSES;
    folder_begin();
    CHECK_EQ_I64(biost_index_save(index, PATH, NULL), BIOST_OK);
    for (i = 0; i < PROCESSES; ++i) {
        children[i] = save_by_process(index);
        REQUIRE(children[i] > 0);
    }
    while (running > 0) {
        biost_error error;
        biost_index *loaded = NULL;
        biost_result result = biost_index_load(PATH, NULL, &loaded, &error);
        test_note("%s", result == BIOST_OK ? "" : error.text);
        CHECK_EQ_I64(result, BIOST_OK);
        biost_index_close(loaded);
        running = 0;
        for (i = 0; i < PROCESSES; ++i) {
            if (children[i] > 0 && waitpid(children[i], &status, WNOHANG) == children[i]) {
                CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
                children[i] = 0;
            }
            running += children[i] > 0;
        }
    }
    biost_index_close(index);
    folder_end(1);
}

typedef struct saver {
    const biost_index *index;
    int failed;
} saver;

static void *save_by_thread(void *argument) {
    saver *s = (saver *)argument;
    int round;
    for (round = 0; round < 100; ++round) {
        s->failed += biost_index_save(s->index, PATH, NULL) != BIOST_OK;
    }
    return NULL;
}

/* Two threads save one index under one name, which its declaration allows. */
TEST(saving, by_threads) {
    biost_index *index = index_of_reads();
    saver savers[2];
    pthread_t threads[2];
    int i;
    folder_begin();
    for (i = 0; i < 2; ++i) {
        savers[i].index = index;
        savers[i].failed = 0;
        REQUIRE(pthread_create(&threads[i], NULL, save_by_thread, &savers[i]) == 0);
    }
    for (i = 0; i < 2; ++i) {
        pthread_join(threads[i], NULL);
        CHECK_EQ_I64(savers[i].failed, 0);
    }
    CHECK(is_saved(PATH, index));
    biost_index_close(index);
    folder_end(1);
}

/* ---- what lies beside it ---- */

/* Files of others stay as they are, whatever they are called, where a save ends well and where it fails. */
TEST(saving, files_of_others) {
    static const char *const names[] = {PATH ".part", PATH ".tmp", PATH "~", PATH ".0"};
    biost_index *index = index_of_reads();
    size_t i;
    folder_begin();
    for (i = 0; i < 4; ++i) {
        write_text(names[i], "somebody's");
    }
    CHECK_EQ_I64(biost_index_save(index, PATH, NULL), BIOST_OK);
    for (i = 0; i < 4; ++i) {
        CHECK(holds_text(names[i], "somebody's"));
    }
    biost_index_close(index);
    folder_end(5);
}

/* A process that may write 8 KiB of a file: the old file stays, and nothing lies beside it. */
TEST(saving, no_space) {
    biost_index *index = index_of_reads();
    pid_t child;
    int status = -1;
    folder_begin();
    write_text(PATH, "the old one");
    child = fork();
    if (child == 0) {
        struct rlimit limit = {8192, 8192};
        biost_error error;
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || biost_index_save(index, PATH, &error) != BIOST_ERR_IO) {
            _exit(1);
        }
        _exit(strcmp(error.text, PATH ": cannot be written: writing failed: files may not be that long") !=
              0);
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(holds_text(PATH, "the old one"));
    biost_index_close(index);
    folder_end(1);
}

/* The longest names there are can be saved: 255 bytes. */
TEST(saving, long_names) {
    char path[300] = FOLDER "/";
    biost_index *index = index_of_reads();
    size_t used = strlen(path), i;
    folder_begin();
    for (i = 0; i < 85; ++i) { /* U+2192, three bytes each */
        memcpy(path + used + 3 * i, "\xE2\x86\x92", 4);
    }
    CHECK_EQ_I64(biost_index_save(index, path, NULL), BIOST_OK);
    CHECK(is_saved(path, index));
    biost_index_close(index);
    folder_end(1);
}

/* ---- permissions ---- */

TEST(saving, permissions) {
    static const int modes[] = {0600, 0640, 0666, 0400, 0755};
    biost_index *index = index_of_reads();
    mode_t before = umask(022);
    size_t i;
    folder_begin();
    CHECK_EQ_I64(biost_index_save(index, PATH, NULL), BIOST_OK);
    CHECK_EQ_I64(permissions_of(PATH), 0644);
    for (i = 0; i < 5; ++i) {
        test_note("%o", (unsigned)modes[i]);
        CHECK(chmod(PATH, (mode_t)modes[i]) == 0);
        CHECK_EQ_I64(biost_index_save(index, PATH, NULL), BIOST_OK);
        CHECK_EQ_I64(permissions_of(PATH), modes[i]);
    }
    umask(077);
    CHECK_EQ_I64(biost_index_save(index, FOLDER "/b.bsx", NULL), BIOST_OK);
    CHECK_EQ_I64(permissions_of(FOLDER "/b.bsx"), 0600);
    umask(before);
    biost_index_close(index);
    folder_end(2);
}

/* ---- links ---- */

/* The link stays and the file it points to is replaced, which keeps its permissions. */
static void check_link(const biost_index *index, const char *target, const char *link, const char *file) {
    test_note("%s", target);
    CHECK(symlink(target, link) == 0);
    CHECK_EQ_I64(biost_index_save(index, link, NULL), BIOST_OK);
    CHECK_EQ_I64(kind_of(link), S_IFLNK);
    CHECK_EQ_I64(kind_of(file), S_IFREG);
    CHECK(is_saved(file, index));
    CHECK(unlink(link) == 0);
    write_text(file, "something else");
    CHECK(chmod(file, 0600) == 0);
}

TEST(saving, links) {
    biost_index *index = index_of_reads();
    char whole[2200], here[2048];
    biost_error error;
    folder_begin();
    REQUIRE(getcwd(here, sizeof here) != NULL);
    snprintf(whole, sizeof whole, "%s/" FOLDER "/sub/file", here);
    CHECK(mkdir(FOLDER "/sub", 0777) == 0);
    check_link(index, "file", FOLDER "/sub/link", FOLDER "/sub/file"); /* that is not there yet */
    CHECK_EQ_I64(permissions_of(FOLDER "/sub/file"), 0600);
    check_link(index, "file", FOLDER "/sub/link", FOLDER "/sub/file");
    CHECK_EQ_I64(permissions_of(FOLDER "/sub/file"), 0600);
    check_link(index, "sub/../sub/file", FOLDER "/link", FOLDER "/sub/file");
    check_link(index, whole, FOLDER "/link", FOLDER "/sub/file");
    CHECK(symlink("../sub/file", FOLDER "/sub/inner") == 0);
    check_link(index, "sub/inner", FOLDER "/link", FOLDER "/sub/file");
    CHECK_EQ_I64(kind_of(FOLDER "/sub/inner"), S_IFLNK);
    CHECK(symlink("sub", FOLDER "/folder") == 0); /* to a folder: others lead through it */
    check_link(index, "folder/inner", FOLDER "/link", FOLDER "/sub/file");
    CHECK(symlink("loop", FOLDER "/loop") == 0);
    CHECK_EQ_I64(biost_index_save(index, FOLDER "/loop", &error), BIOST_ERR_IO);
    CHECK_EQ_I64(kind_of(FOLDER "/loop"), S_IFLNK);
    CHECK_EQ_I64(biost_index_save(index, FOLDER "/folder", &error), BIOST_ERR_IO);
    CHECK_STR(error.text, FOLDER "/folder: cannot be written: a directory has that name");
    CHECK_EQ_I64(kind_of(FOLDER "/folder"), S_IFLNK);
    CHECK_EQ_I64(unlink(FOLDER "/sub/inner") + unlink(FOLDER "/sub/file") + rmdir(FOLDER "/sub"), 0);
    biost_index_close(index);
    folder_end(2);
}

/* ---- pipes and devices ---- */

typedef struct pipe_reader {
    const char *path;
    uint8_t bytes[1 << 20];
    size_t count;
} pipe_reader;

static void *read_pipe(void *argument) {
    pipe_reader *r = (pipe_reader *)argument;
    FILE *file = fopen(r->path, "rb");
    if (file != NULL) {
        r->count = fread(r->bytes, 1, sizeof r->bytes, file);
        fclose(file);
    }
    return NULL;
}

/* Whoever reads a pipe gets the bytes that a file would have, and it stays a pipe. */
static void check_pipe(const biost_index *index) {
    static pipe_reader reader;
    pthread_t thread;
    size_t count = 0;
    uint8_t *bytes;
    reader.path = FOLDER "/pipe";
    reader.count = 0;
    CHECK_EQ_I64(biost_index_save(index, PATH, NULL), BIOST_OK);
    REQUIRE(mkfifo(reader.path, 0600) == 0);
    REQUIRE(pthread_create(&thread, NULL, read_pipe, &reader) == 0);
    patience_alarm(60); /* a pipe that nobody opens to write is waited for without end */
    CHECK_EQ_I64(biost_index_save(index, reader.path, NULL), BIOST_OK);
    if (CHECK_EQ_I64(kind_of(reader.path), S_IFIFO)) {
        pthread_join(thread, NULL);
        bytes = test_read_file(PATH, &count);
        if (CHECK(bytes != NULL) && CHECK_EQ_U64(reader.count, count)) {
            CHECK_MEM(reader.bytes, bytes, count);
        }
        free(bytes);
    }
    alarm(0);
    CHECK(unlink(reader.path) == 0);
}

TEST(saving, pipes) {
    biost_index *index = index_of_reads();
    folder_begin();
    check_pipe(index);
    biost_index_close(index);
    folder_end(1);
}

/* A store is a file: a pipe is refused without waiting for its reader. */
TEST(saving, stores_are_no_pipes) {
    const char *const paths[] = {READS};
    const char *const sentence = FOLDER "/pipe: is a pipe or device, and a store is a file";
    biost_store_desc desc;
    biost_store *store = NULL;
    biost_error error;
    folder_begin();
    memset(&desc, 0, sizeof desc);
    desc.paths = paths;
    desc.path_count = 1;
    desc.letters = BIOST_STORE_BYTES;
    REQUIRE(mkfifo(FOLDER "/pipe", 0600) == 0);
    REQUIRE(biost_store_build(&desc, &store, NULL) == BIOST_OK);
    patience_alarm(60);
    CHECK_EQ_I64(biost_store_save(store, FOLDER "/pipe", &error), BIOST_ERR_UNSUPPORTED);
    CHECK_STR(error.text, sentence);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    desc.save_path = FOLDER "/pipe";
    CHECK_EQ_I64(biost_store_build(&desc, &store, &error), BIOST_ERR_UNSUPPORTED);
    CHECK_STR(error.text, sentence);
    alarm(0);
    folder_end(1);
}

/* Whether another process may lock the one part that is in the folder. */
static int is_part_free(void) {
    struct flock lock;
    glob_t found;
    int status = 0;
    pid_t child;
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    if (!CHECK(glob(FOLDER "/*.part", 0, NULL, &found) == 0 && found.gl_pathc == 1)) {
        return 1;
    }
    child = fork();
    if (child == 0) {
        int file = open(found.gl_pathv[0], O_WRONLY);
        _exit(file >= 0 && fcntl(file, F_SETLK, &lock) == 0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    globfree(&found);
    return WEXITSTATUS(status);
}

/* biost_store_desc.progress: the part of the build under way is there, and locked. */
static int look_at_part(uint64_t record_count, uint64_t base_count, void *user_data) {
    (void)record_count;
    (void)base_count;
    *(int *)user_data += is_part_free() ? 1000 : 1;
    return 1;
}

TEST(saving, parts_are_locked) {
    const char *const paths[] = {READS};
    biost_store_desc desc;
    biost_store *store = NULL;
    int looks = 0;
    folder_begin();
    memset(&desc, 0, sizeof desc);
    desc.paths = paths;
    desc.path_count = 1;
    desc.letters = BIOST_STORE_BYTES;
    desc.save_path = FOLDER "/a.bst";
    desc.progress = look_at_part;
    desc.user_data = &looks;
    REQUIRE(biost_store_build(&desc, &store, NULL) == BIOST_OK);
    CHECK(looks > 0 && looks < 1000);
    CHECK_EQ_I64(biost_store_close(store, NULL), BIOST_OK);
    folder_end(1);
}

/* By links, so that no device is lost where this fails. */
TEST(saving, devices) {
    biost_index *index = index_of_reads();
    biost_error error;
    folder_begin();
    CHECK(symlink("/dev/null", FOLDER "/null") == 0);
    CHECK_EQ_I64(biost_index_save(index, FOLDER "/null", NULL), BIOST_OK);
    CHECK_EQ_I64(kind_of(FOLDER "/null"), S_IFLNK);
    CHECK_EQ_I64(kind_of("/dev/null"), S_IFCHR);
    if (access("/dev/full", W_OK) == 0) {
        CHECK(symlink("/dev/full", FOLDER "/full") == 0);
        CHECK_EQ_I64(biost_index_save(index, FOLDER "/full", &error), BIOST_ERR_IO);
        CHECK_STR(error.text, FOLDER "/full: cannot be written: writing failed: there is no space left");
        CHECK_EQ_I64(error.os_error, ENOSPC);
        CHECK_EQ_I64(kind_of(FOLDER "/full"), S_IFLNK);
    }
    biost_index_close(index);
    CHECK_EQ_I64(kind_of("/dev/null"), S_IFCHR);
    unlink(FOLDER "/full");
    folder_end(1);
}
