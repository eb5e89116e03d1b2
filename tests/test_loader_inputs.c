/*
 * test_loader_inputs.c - the loader over every kind of input and executor: BGZF inflated in parallel,
 * callbacks, file hooks, a host's job system, the gzip rules. Batches come from the oracle of
 * loader_oracle.h, which sees the plain texts only.
 *
 * rooms: textfeed source
 * needs: loader threads library orders
 */
#include "../biostream.h"

#include <pthread.h>

#include "test.h"

#include "deflate_maker.h"

#include "job_host.h"
#include "loader_oracle.h" /* after it: `bytes` is a type there, and a name in the other */

/* ---- texts and their packings ---- */

#define INPUTS 2u

/* Two FASTQ texts, the same as BGZF, and what a loader with `desc` makes of them. */
typedef struct packed {
    bytes texts[INPUTS], bgzf[INPUTS];
    biost_loader_desc desc;
    oracle shuffled, in_order;
} packed;

static void pack_bgzf(bytes *out, const bytes *text, size_t block_bytes) {
    maker m;
    memset(&m, 0, sizeof m);
    maker_begin(&m);
    maker_bgzf(&m, text->data, text->count, block_bytes, 6);
    bytes_add(out, m.file.data, m.file.count);
    maker_free(&m);
}

static void packed_make(packed *p, size_t block_bytes, uint64_t epoch) {
    uint64_t random = test_seed() + 11;
    text_shape shape = {300, 0, 90, 0, 20, 0, 0, 1};
    uint32_t i;
    memset(p, 0, sizeof *p);
    text_make(&p->texts[0], &shape, &random);
    shape.records = 120;
    shape.crlf = 1;
    text_make(&p->texts[1], &shape, &random);
    for (i = 0; i < INPUTS; ++i) {
        pack_bgzf(&p->bgzf[i], &p->texts[i], block_bytes);
    }
    p->desc.batch_rows = 32;
    p->desc.row_bases = 40;
    p->desc.long_records = BIOST_LONG_SPLIT;
    p->desc.augment.reverse_complement = 0.5f;
    p->desc.augment.substitute = 0.05f;
    p->desc.seed = 7;
    p->desc.digest = 1;
    oracle_make(&p->in_order, &p->desc, p->texts, INPUTS, epoch, ORACLE_ENDS_WELL);
    p->desc.shuffle_rows = 200;
    oracle_make(&p->shuffled, &p->desc, p->texts, INPUTS, epoch, ORACLE_ENDS_WELL);
}

static void packed_free(packed *p) {
    uint32_t i;
    for (i = 0; i < INPUTS; ++i) {
        bytes_free(&p->texts[i]);
        bytes_free(&p->bgzf[i]);
    }
    oracle_free(&p->in_order);
    oracle_free(&p->shuffled);
}

/* An epoch with this desc equals the oracle's. */
static void run_epoch(const oracle *o, const biost_loader_desc *desc) {
    biost_loader *loader = oracle_open(desc);
    if (loader != NULL && CHECK(biost_loader_begin(loader, o->epoch) == BIOST_OK)) {
        oracle_drain(o, loader, 0);
        CHECK_EQ_U64(biost_loader_warnings(loader) & BIOST_WARN_NO_EOF_BLOCK, 0);
    }
    biost_loader_close(loader);
}

/* ---- BGZF ---- */

TEST(inputs, bgzf_for_any_workers_pages_and_chunks) {
    static const uint32_t workers[] = {1, 2, 5}, pages[] = {4096, 64, 0}, chunks[] = {0, 700, 65536};
    static const size_t blocks[] = {300, 5000, 65280};
    static const char *const names[] = {"inputs_0", "inputs_1"};
    uint32_t i, b, k;
    for (b = 0; b < 3; ++b) {
        biost_memory memories[INPUTS];
        const char *paths[INPUTS];
        packed p;
        packed_make(&p, blocks[b], 3);
        for (k = 0; k < INPUTS; ++k) {
            paths[k] = file_path(names[k]);
            file_write(paths[k], p.bgzf[k].data, p.bgzf[k].count);
        }
        for (i = 0; i < 54; ++i) {
            biost_loader_desc desc = p.desc;
            test_note("blocks of %u, machine %u", (unsigned)blocks[b], (unsigned)i);
            desc.workers = workers[i % 3];
            desc.test.page_bytes = pages[i / 3 % 3];
            desc.test.chunk_bytes = chunks[i / 9 % 3];
            desc.test.page_count = i % 4 == 0 ? 2 : 0;
            desc.test.order_seed = i % 5 == 0 ? 99 + i : 0;
            desc.shuffle_rows = i / 27 == 0 ? 0 : 200;
            if (i % 2 == 0) {
                oracle_inputs(&desc, memories, p.bgzf, INPUTS);
            } else {
                desc.paths = paths;
                desc.path_count = INPUTS;
            }
            run_epoch(i / 27 == 0 ? &p.in_order : &p.shuffled, &desc);
        }
        file_clean(names, INPUTS);
        packed_free(&p);
    }
}

/* A resume state taken after any batch of BGZF leads to the next one, with other workers and pages too. */
TEST(inputs, bgzf_resumes_after_every_batch) {
    biost_memory memories[INPUTS];
    packed p;
    size_t stop;
    packed_make(&p, 900, 2);
    for (stop = 0; stop < p.shuffled.batch_count; ++stop) {
        biost_loader_desc desc = p.desc;
        unsigned char state[512];
        size_t state_bytes = 0, index = 0;
        biost_loader *loader;
        biost_batch batch;
        test_note("after batch %u", (unsigned)stop);
        oracle_inputs(&desc, memories, p.bgzf, INPUTS);
        desc.workers = 1 + (uint32_t)stop % 3;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 2) == BIOST_OK);
        for (index = 0; index <= stop; ++index) {
            REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
            if (index == stop) {
                CHECK(biost_loader_state(loader, &batch, state, sizeof state, &state_bytes) == BIOST_OK);
            }
            biost_loader_release(loader, &batch);
        }
        biost_loader_close(loader);
        desc.workers = 1 + (uint32_t)(stop + 1) % 3;
        desc.test.page_bytes = stop % 2 == 0 ? 128 : 0;
        desc.state = state;
        desc.state_bytes = state_bytes;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 2) == BIOST_OK);
        oracle_drain(&p.shuffled, loader, stop + 1);
        biost_loader_close(loader);
    }
    packed_free(&p);
}

/*
 * A block with a flipped CRC: every record that ends before the block is delivered, none of it, for
 * any number of workers, and the sentence names the first record that is missing.
 */
TEST(inputs, bgzf_damage_ends_like_the_end_of_good_text) {
    biost_memory memory;
    uint32_t damaged, workers;
    for (damaged = 0; damaged < 6; ++damaged) {
        packed p;
        bytes good = {NULL, 0, 0}, bad = {NULL, 0, 0};
        oracle o;
        size_t at = 0, block_bytes = 0, text_at = (size_t)damaged * 1500;
        uint32_t i, records = 0, lines = 0;
        packed_make(&p, 1500, 0);
        for (i = 0; i <= damaged; ++i) { /* BSIZE stands at byte 16 of a block made like this */
            at += block_bytes;
            block_bytes = p.bgzf[0].data[at + 16] + 256u * p.bgzf[0].data[at + 17] + 1u;
        }
        bytes_add(&bad, p.bgzf[0].data, p.bgzf[0].count);
        bad.data[at + block_bytes - 8] ^= 1;
        for (i = 0; i < text_at; ++i) { /* whole records of four lines */
            lines += p.texts[0].data[i] == '\n';
            if (p.texts[0].data[i] == '\n' && lines % 4 == 0) {
                records = lines / 4;
                good.count = i + 1;
            }
        }
        at = good.count;
        good.count = 0;
        bytes_add(&good, p.texts[0].data, at);
        p.desc.shuffle_rows = 0;
        oracle_make(&o, &p.desc, &good, 1, 0, ORACLE_FAILS);
        for (workers = 1; workers < 5; ++workers) {
            biost_loader_desc desc = p.desc;
            biost_loader *loader;
            test_note("block %u, workers %u", (unsigned)damaged, (unsigned)workers);
            desc.workers = workers;
            desc.test.page_bytes = workers % 2 == 0 ? 2048 : 0;
            oracle_inputs(&desc, &memory, &bad, 1);
            loader = oracle_open(&desc);
            REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
            CHECK(oracle_drain(&o, loader, 0) == BIOST_ERR_GZIP);
            CHECK_STR(biost_fault_name(error_of(loader)->fault), "BAD_CRC");
            CHECK_EQ_U64(error_of(loader)->record, records);
            CHECK(strstr(error_of(loader)->text, "unverified") == NULL);
            biost_loader_close(loader);
        }
        oracle_free(&o);
        bytes_free(&good);
        bytes_free(&bad);
        packed_free(&p);
    }
}

/* ---- callbacks ---- */

typedef struct reel {
    const bytes *source;
    size_t at;
    uint64_t random;
    unsigned rewinds;
} reel;

static int64_t reel_read(void *to, size_t count, void *user_data) {
    reel *r = (reel *)user_data;
    size_t left = r->source->count - r->at;
    size_t take = 1 + (size_t)(test_random(&r->random) % 600);
    take = take < count ? take : count;
    take = take < left ? take : left;
    if (take > 0) {
        memcpy(to, r->source->data + r->at, take);
    }
    r->at += take;
    return (int64_t)take;
}

static int reel_rewind(void *user_data) {
    reel *r = (reel *)user_data;
    r->at = 0;
    ++r->rewinds;
    return 1;
}

static int reel_cannot_rewind(void *user_data) {
    (void)user_data;
    return 0;
}

static void reels_make(reel *reels, biost_callback *callbacks, const bytes *sources, uint32_t count,
                       biost_loader_desc *desc) {
    uint32_t i;
    memset(reels, 0, count * sizeof *reels);
    memset(callbacks, 0, count * sizeof *callbacks);
    for (i = 0; i < count; ++i) {
        reels[i].source = &sources[i];
        reels[i].random = i;
        callbacks[i].read = reel_read;
        callbacks[i].user_data = &reels[i];
    }
    desc->callbacks = callbacks;
    desc->callback_count = count;
}

TEST(inputs, callbacks_give_the_same_batches) {
    packed p;
    uint32_t i;
    packed_make(&p, 2000, 0);
    for (i = 0; i < 24; ++i) {
        biost_loader_desc desc = p.desc;
        biost_callback callbacks[INPUTS];
        reel reels[INPUTS];
        test_note("case %u", (unsigned)i);
        reels_make(reels, callbacks, i % 2 == 0 ? p.texts : p.bgzf, INPUTS, &desc);
        desc.workers = 1 + i / 2 % 4;
        desc.test.page_bytes = i % 3 == 0 ? 512 : 0;
        desc.test.chunk_bytes = i % 5 == 0 ? 33 : 0;
        desc.test.order_seed = i % 7 == 0 ? i + 1 : 0;
        run_epoch(&p.shuffled, &desc);
    }
    packed_free(&p);
}

/* A second epoch needs rewind; without it, or where it fails, the sentence says so and names it. */
TEST(inputs, callbacks_rewind_for_another_epoch) {
    packed p;
    uint32_t kind;
    packed_make(&p, 2000, 0);
    for (kind = 0; kind < 3; ++kind) {
        biost_loader_desc desc = p.desc;
        biost_callback callbacks[INPUTS];
        reel reels[INPUTS];
        biost_loader *loader;
        biost_batch batch;
        unsigned char state[512];
        size_t state_bytes;
        reels_make(reels, callbacks, p.texts, INPUTS, &desc);
        callbacks[0].name = "the first reel";
        callbacks[0].rewind = kind == 0 ? NULL : kind == 1 ? reel_cannot_rewind : reel_rewind;
        callbacks[1].rewind = reel_rewind;
        desc.workers = 2;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL);
        callbacks[0].name = NULL; /* was copied */
        REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK);
        REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK); /* and the rest is abandoned */
        CHECK(biost_loader_state(loader, &batch, state, sizeof state, &state_bytes) == BIOST_ERR_UNSUPPORTED);
        biost_loader_release(loader, &batch);
        REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK);
        if (kind == 2) {
            oracle_drain(&p.shuffled, loader, 0);
            CHECK_EQ_U64(reels[0].rewinds, 1);
        } else {
            CHECK(biost_loader_next(loader, &batch) == (kind == 0 ? BIOST_ERR_UNSUPPORTED : BIOST_ERR_IO));
            CHECK(strstr(error_of(loader)->text, "the first reel") != NULL);
            CHECK(strstr(error_of(loader)->text, "rewind") != NULL);
        }
        biost_loader_close(loader);
    }
    packed_free(&p);
}

/* A descriptor gives the batches of its file, once, from where it is; no resume states, and it stays the caller's. */
TEST(inputs, descriptor) {
    packed p;
    uint32_t i;
    packed_make(&p, 2000, 0);
    for (i = 0; i < 6; ++i) {
        biost_loader_desc desc = p.desc, resolved;
        biost_loader *loader = NULL;
        biost_batch batch;
        biost_error error;
        FILE *file = tmpfile();
        const bytes *input = i % 2 == 0 ? &p.texts[0] : &p.bgzf[0];
        biost_memory memory = {"", 0, NULL};
        unsigned char state[512];
        size_t state_bytes;
        oracle o;
        test_note("case %u", (unsigned)i);
        REQUIRE(file != NULL && fwrite("mine", 1, 4, file) == 4);
        REQUIRE(fwrite(input->data, 1, input->count, file) == input->count && fflush(file) == 0);
        desc.has_fd = 1;
        desc.fd = fileno(file);
        REQUIRE(lseek(desc.fd, 4, SEEK_SET) == 4);
        desc.memories = &memory;
        desc.memory_count = 1;
        CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_ARG && loader == NULL);
        CHECK_STR(error.text, "desc.has_fd and desc.memory both name an input: give one of them");
        desc.memories = NULL;
        desc.memory_count = 0;
        desc.workers = 1 + i / 2;
        oracle_make(&o, &desc, p.texts, 1, 0, ORACLE_ENDS_WELL);
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        biost_loader_get_desc(loader, &resolved);
        CHECK(!resolved.has_fd && resolved.fd == 0);
        oracle_drain(&o, loader, 0);
        CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
        CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_UNSUPPORTED);
        CHECK(strstr(error_of(loader)->text, "comes from a file descriptor, which can be read only once") !=
              NULL);
        biost_loader_close(loader);
        CHECK(lseek(desc.fd, 0, SEEK_CUR) == (off_t)(4 + input->count));
        oracle_free(&o);
        REQUIRE(lseek(desc.fd, 4, SEEK_SET) == 4);
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        REQUIRE(biost_loader_next(loader, &batch) == BIOST_OK);
        CHECK(biost_loader_state(loader, &batch, state, sizeof state, &state_bytes) == BIOST_ERR_UNSUPPORTED);
        CHECK_STR(error_of(loader)->text, "desc.fd can be read in order only: it gives no resume states");
        biost_loader_close(loader);
        desc.state = state;
        desc.state_bytes = 10;
        CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_ARG && loader == NULL);
        CHECK_STR(error.text, "desc.state needs inputs that can be entered anywhere; desc.fd cannot");
        fclose(file);
    }
    packed_free(&p);
}

/* Callbacks are looked at when they are reached: another format is a fault there. */
TEST(inputs, callbacks_of_another_format) {
    packed p;
    biost_loader_desc desc;
    biost_callback callbacks[INPUTS];
    reel reels[INPUTS];
    biost_loader *loader;
    oracle o;
    packed_make(&p, 2000, 0);
    p.texts[1].count = 0;
    bytes_words(&p.texts[1], ">a\nACGT\n");
    desc = p.desc;
    desc.shuffle_rows = 0;
    oracle_make(&o, &desc, p.texts, 1, 0, ORACLE_FAILS);
    reels_make(reels, callbacks, p.texts, INPUTS, &desc);
    loader = oracle_open(&desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(oracle_drain(&o, loader, 0) == BIOST_ERR_TEXT);
    CHECK_STR(biost_fault_name(error_of(loader)->fault), "FORMAT");
    CHECK_EQ_U64(error_of(loader)->path_index, 1);
    biost_loader_close(loader);
    oracle_free(&o);
    packed_free(&p);
}

/* ---- file hooks ---- */

/* Files that lie in memory, called "0" and "1". */
typedef struct shelf {
    const bytes *files;
    int open_count; /* opened and not closed */
    uint64_t grown; /* added to the size that is told, from the second open on */
    int opens;
} shelf;

typedef struct shelf_file {
    shelf *owner;
    const bytes *file;
    int number;
} shelf_file;

static void *shelf_open(const char *path, void *user_data) {
    shelf *s = (shelf *)user_data;
    shelf_file *f;
    if (path[0] < '0' || path[0] > '1') {
        return NULL;
    }
    f = (shelf_file *)(void *)test_copy(NULL, sizeof *f);
    f->owner = s;
    f->file = &s->files[path[0] - '0'];
    f->number = s->opens++;
    ++s->open_count;
    return f;
}

static int64_t shelf_read_at(void *file, uint64_t offset, void *to, size_t count, void *user_data) {
    const bytes *b = ((shelf_file *)file)->file;
    size_t left = offset < b->count ? b->count - (size_t)offset : 0;
    (void)user_data;
    count = count < left ? count : left;
    count = count < 1000 ? count : 1000;
    if (count > 0) {
        memcpy(to, b->data + offset, count);
    }
    return (int64_t)count;
}

static int64_t shelf_size(void *file, void *user_data) {
    shelf_file *f = (shelf_file *)file;
    (void)user_data;
    return (int64_t)(f->file->count + (f->number >= (int)INPUTS ? f->owner->grown : 0));
}

static void shelf_close(void *file, void *user_data) {
    --((shelf *)user_data)->open_count;
    free(file);
}

TEST(inputs, file_hooks_give_the_same_batches) {
    static const char *const paths[] = {"0", "1"};
    packed p;
    uint32_t i;
    packed_make(&p, 2000, 4);
    for (i = 0; i < 16; ++i) {
        biost_loader_desc desc = p.desc;
        shelf s = {NULL, 0, 0, 0};
        biost_loader *loader = NULL;
        biost_error error;
        test_note("case %u", (unsigned)i);
        s.files = i % 2 == 0 ? p.texts : p.bgzf;
        desc.files.open = shelf_open;
        desc.files.read_at = shelf_read_at;
        desc.files.size = shelf_size;
        desc.files.close = shelf_close;
        desc.files.user_data = &s;
        desc.paths = paths;
        desc.path_count = INPUTS;
        desc.workers = 1 + i / 2 % 4;
        desc.test.page_bytes = i % 3 == 0 ? 512 : 0;
        run_epoch(&p.shuffled, &desc);
        CHECK_EQ_I64(s.open_count, 0);
        s.grown = 5; /* seen when the first file is opened again */
        s.opens = 0;
        loader = oracle_open(&desc);
        REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
        {
            biost_batch batch;
            CHECK(biost_loader_next(loader, &batch) == BIOST_ERR_STALE);
            CHECK_STR(biost_fault_name(error_of(loader)->fault), "CHANGED");
        }
        biost_loader_close(loader);
        CHECK_EQ_I64(s.open_count, 0);
        desc.files.size = NULL;
        CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_ARG);
        CHECK(strstr(error.text, "desc.files") != NULL);
    }
    packed_free(&p);
}

/* ---- a host's job system ---- */

TEST(inputs, jobs_give_the_same_batches) {
    packed p;
    uint32_t threads, i;
    THREADS_KEPT;
    packed_make(&p, 2000, 1);
    for (threads = 1; threads <= 3; threads += 2) {
        static host h;
        host_begin(&h, threads);
        for (i = 0; i < 20; ++i) {
            biost_loader_desc desc = p.desc;
            biost_memory memories[INPUTS];
            test_note("%u threads, case %u", (unsigned)threads, (unsigned)i);
            oracle_inputs(&desc, memories, i % 2 == 0 ? p.texts : p.bgzf, INPUTS);
            desc.workers = 1 + i % 5;
            desc.jobs.submit = host_submit;
            desc.jobs.user_data = &h;
            desc.test.page_bytes = i % 3 == 0 ? 300 : 0;
            h.most_waiting = h.submitted = 0;
            run_epoch(&p.shuffled, &desc);
            CHECK(h.most_waiting <= desc.workers - 1);
            CHECK(desc.workers > 1 || h.submitted == 0);
        }
        host_end(&h);
    }
    packed_free(&p);
}

/* ---- gzip rules ---- */

/* Bytes after the last member: an error after all batches, or by the rule a warning. */
TEST(inputs, gzip_rules_are_data) {
    biost_memory memory;
    biost_loader_desc desc;
    biost_loader *loader;
    biost_batch batch;
    biost_error error;
    unsigned char state[512];
    size_t state_bytes = 0;
    oracle o;
    packed p;
    packed_make(&p, 2000, 0);
    bytes_words(&p.bgzf[0], "no member");
    desc = p.desc;
    desc.shuffle_rows = 0;
    oracle_inputs(&desc, &memory, p.bgzf, 1);
    oracle_make(&o, &desc, p.texts, 1, 0, ORACLE_FAILS);
    loader = oracle_open(&desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(oracle_drain(&o, loader, 0) == BIOST_ERR_GZIP);
    CHECK_STR(biost_fault_name(error_of(loader)->fault), "TRAILING_GARBAGE");
    biost_loader_close(loader);
    oracle_free(&o);
    desc.gzip.ignore_garbage = 1;
    oracle_make(&o, &desc, p.texts, 1, 0, ORACLE_ENDS_WELL);
    loader = oracle_open(&desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    oracle_drain(&o, loader, 0);
    CHECK((biost_loader_warnings(loader) & BIOST_WARN_IGNORED_BYTES) != 0);
    REQUIRE(biost_loader_begin(loader, 0) == BIOST_OK && biost_loader_next(loader, &batch) == BIOST_OK);
    CHECK(biost_loader_state(loader, &batch, state, sizeof state, &state_bytes) == BIOST_OK);
    biost_loader_close(loader);
    desc.gzip.ignore_garbage = 0; /* another text: a resume state of the first is not taken */
    desc.state = state;
    desc.state_bytes = state_bytes;
    CHECK(biost_loader_open(&desc, &loader, &error) == BIOST_ERR_ARG);
    CHECK_STR(biost_fault_name(error.fault), "STATE_DESC");
    oracle_free(&o);
    packed_free(&p);
}
