/*
 * test_loader_identity.c - the same batches, byte for byte, from any machine: 4 KiB pages and 2 slots, 1, 2,
 * 3 and 8 workers, own threads, a host's jobs or none, plain text, gzip, members and BGZF; over 1, 2, 4 and
 * 8 ranks; and of a file that was cut in two. With every stage in use.
 *
 * rooms: loader rows batches pipe
 * needs: loader threads library orders
 */
#include "../biostream.h"

#include <pthread.h>

#include "test.h"

#include "deflate_maker.h"

#include "job_host.h"
#include "loader_oracle.h" /* after it: `bytes` is a type there, and a name in the other */

/* ---- inputs and descs ---- */

enum { PLAIN, GZIP, MEMBERS, BGZF, PACKINGS };

#define TEXTS 2u

typedef struct packed {
    bytes texts[TEXTS], files[PACKINGS][TEXTS];
} packed;

static void pack(bytes *out, const bytes *text, int packing) {
    maker m;
    size_t at;
    memset(&m, 0, sizeof m);
    maker_begin(&m);
    if (packing == BGZF) {
        maker_bgzf(&m, text->data, text->count, 5000, 6);
        bytes_add(out, m.file.data, m.file.count);
    } else if (packing == PLAIN) {
        bytes_add(out, text->data, text->count);
    } else {
        gzip_make(out, text, packing == GZIP ? text->count : text->count / 7 + 1, 20000, 0);
    }
    at = out->count;
    CHECK(at > 0);
    maker_free(&m);
}

static void packed_make(packed *p, int fasta) {
    uint64_t random = test_seed() + 71;
    text_shape shape = {500, 0, 120, 0, 33, 0, 0, 1};
    uint32_t i, k;
    memset(p, 0, sizeof *p);
    shape.fasta = fasta;
    text_make(&p->texts[0], &shape, &random);
    shape.records = 130;
    shape.crlf = 1;
    text_make(&p->texts[1], &shape, &random);
    for (k = 0; k < PACKINGS; ++k) {
        for (i = 0; i < TEXTS; ++i) {
            pack(&p->files[k][i], &p->texts[i], (int)k);
        }
    }
}

static void packed_free(packed *p) {
    uint32_t i, k;
    for (i = 0; i < TEXTS; ++i) {
        bytes_free(&p->texts[i]);
        for (k = 0; k < PACKINGS; ++k) {
            bytes_free(&p->files[k][i]);
        }
    }
}

/* Four descs that use every stage between them. */
static void full_desc(biost_loader_desc *desc, uint32_t number, int fasta) {
    static user_labels made = {12, 1};
    static uint32_t one_in = 9;
    memset(desc, 0, sizeof *desc);
    desc->batch_rows = 40;
    desc->row_bases = number == 2 ? 0 : 48;
    desc->max_row_bases = 100;
    desc->pad_multiple = 7;
    desc->long_records = number == 0   ? BIOST_LONG_SPLIT
                         : number == 1 ? BIOST_LONG_CROP
                         : number == 2 ? BIOST_LONG_CENTER
                                       : BIOST_LONG_TAIL;
    desc->split_stride = number == 0 ? 29 : 0;
    desc->tail = (biost_tail_mode)(number % 3);
    desc->encoding.dtype = number == 0 ? BIOST_DTYPE_F32 : number == 1 ? BIOST_DTYPE_BF16 : BIOST_DTYPE_U8;
    desc->encoding.layout = (biost_layout_kind)(number % 2);
    desc->encoding.channels = number == 1 ? "CATG" : NULL;
    desc->encoding.ambiguous = number < 2 ? BIOST_AMBIGUOUS_IUPAC : BIOST_AMBIGUOUS_ZERO;
    desc->encoding.lower_case = number == 0 ? BIOST_LOWER_CASE_CHANNEL : BIOST_LOWER_CASE_FOLD;
    desc->encoding.pad_side = number == 3 ? BIOST_PAD_LEFT : BIOST_PAD_RIGHT;
    desc->quality.kind = fasta ? BIOST_QUALITY_NONE : (biost_quality_kind)(1 + number % 2);
    desc->quality.dtype = number % 2 == 0 ? BIOST_DTYPE_U8 : BIOST_DTYPE_F32;
    desc->mask = 1;
    desc->names = 1;
    desc->name_bytes = 7;
    desc->labels.make = user_make;
    desc->labels.user_data = &made;
    desc->labels.dtype = BIOST_DTYPE_F32;
    desc->labels.width = 3;
    desc->filter.min_length = 3;
    desc->filter.max_error_rate = fasta ? 0 : 0.5f;
    desc->filter.max_n_fraction = 0.3f;
    desc->filter.subsample_from = 0.1f;
    desc->filter.every_record = number == 3 ? 2 : 0;
    desc->filter.keep = user_keep;
    desc->filter.user_data = &one_in;
    desc->augment.reverse_complement = 0.5f;
    desc->augment.substitute = 0.05f;
    desc->augment.inject_n = 0.02f;
    desc->augment.change = number % 2 == 0 ? user_change : NULL;
    desc->shuffle_rows = number == 3 ? 0 : 150;
    desc->seed = 42 + number;
    desc->digest = 1;
}

/* ---- tests ---- */

TEST(identity, machines_and_packings) {
    static const uint32_t workers[] = {1, 2, 3, 8};
    static host h;
    uint32_t fasta, number, packing, w, kind;
    THREADS_KEPT;
    host_begin(&h, 3);
    for (fasta = 0; fasta < 2; ++fasta) {
        packed p;
        packed_make(&p, (int)fasta);
        for (number = 0; number < 4; ++number) {
            biost_loader_desc desc;
            oracle o;
            full_desc(&desc, number, (int)fasta);
            oracle_make(&o, &desc, p.texts, TEXTS, 5, ORACLE_ENDS_WELL);
            CHECK(o.batch_count > 5 && o.filtered > 50);
            for (packing = 0; packing < PACKINGS; ++packing) {
                for (w = 0; w < 4; ++w) {
                    for (kind = 0; kind < 3; ++kind) { /* own threads, jobs, tasks in another order */
                        biost_memory memories[TEXTS];
                        biost_loader *loader;
                        full_desc(&desc, number, (int)fasta);
                        oracle_inputs(&desc, memories, p.files[packing], TEXTS);
                        desc.workers = workers[w];
                        desc.slots = 2;
                        desc.test.page_bytes = 4096;
                        desc.test.order_seed = kind == 2 ? w + packing * 4 + 1 : 0;
                        if (kind == 1) {
                            desc.jobs.submit = host_submit;
                            desc.jobs.user_data = &h;
                        }
                        test_note("format %u, desc %u, packing %u, workers %u, kind %u", (unsigned)fasta,
                                  (unsigned)number, (unsigned)packing, (unsigned)workers[w], (unsigned)kind);
                        loader = oracle_open(&desc);
                        REQUIRE(loader != NULL && biost_loader_begin(loader, 5) == BIOST_OK);
                        oracle_drain(&o, loader, 0);
                        oracle_check_progress(&o, loader);
                        biost_loader_close(loader);
                    }
                }
            }
            oracle_free(&o);
        }
        packed_free(&p);
    }
    host_end(&h);
}

/* The union of the ranks' rows is that of one: by id, piece and place, batch by batch; counts and
   flags are equal; digests add up. All tails, and inputs around whole batches. */
TEST(identity, ranks) {
    static const uint32_t worlds[] = {1, 2, 4, 8}, records[] = {0, 1, 7, 8, 9, 15, 16, 33, 100};
    uint32_t r, tail, number, w;
    for (r = 0; r < 9; ++r) {
        for (tail = 0; tail < 3; ++tail) {
            for (number = 0; number < 4; number += 1 + r % 2) {
                text_shape shape = {0, 3, 60, 0, 0, 0, 0, 1};
                one_text one;
                bytes text;
                oracle all;
                shape.records = records[r];
                one_text_shape(&one, &shape, 31 + r);
                text = one.text;
                full_desc(&one.desc, number, 0);
                memset(&one.desc.filter, 0, sizeof one.desc.filter);
                one.desc.labels.make = NULL;
                one.desc.batch_rows = 8;
                one.desc.tail = (biost_tail_mode)tail;
                oracle_make(&all, &one.desc, &text, 1, 2, ORACLE_ENDS_WELL);
                for (w = 0; w < 4; ++w) {
                    uint64_t digest = 0, rows = 0;
                    uint32_t rank, world = worlds[w];
                    for (rank = 0; rank < world; ++rank) {
                        biost_loader *loader;
                        biost_batch batch;
                        size_t index = 0;
                        oracle_inputs(&one.desc, &one.memory, &text, 1);
                        one.desc.world = world;
                        one.desc.rank = rank;
                        one.desc.workers = 1 + w;
                        test_note("%u records, tail %u, desc %u, rank %u of %u", (unsigned)records[r],
                                  (unsigned)tail, (unsigned)number, (unsigned)rank, (unsigned)world);
                        loader = oracle_open(&one.desc);
                        REQUIRE(loader != NULL && biost_loader_begin(loader, 2) == BIOST_OK);
                        while (biost_loader_next(loader, &batch) == BIOST_OK) {
                            if (!CHECK(index < all.batch_count)) {
                                break;
                            }
                            {
                                const oracle_batch *whole = &all.batches[index];
                                const biost_row *origins = (const biost_row *)(const void *)
                                                               whole->origins.data;
                                uint32_t m = whole->valid_rows, first = rank * m / world, i;
                                uint32_t end = (rank + 1) * m / world;
                                CHECK_EQ_U64(batch.valid_rows, end - first);
                                CHECK_EQ_U64(batch.flags & BIOST_BATCH_LAST, whole->flags & BIOST_BATCH_LAST);
                                for (i = 0; i < batch.valid_rows && i < end - first; ++i) {
                                    CHECK(memcmp(&batch.origins[i], &origins[first + i], sizeof(biost_row)) ==
                                          0);
                                }
                                for (; i < batch.rows; ++i) {
                                    CHECK_EQ_I64(batch.origins[i].id, -1);
                                }
                                CHECK_EQ_I64(batch.x.shape[1 + (number % 2)], whole->columns);
                            }
                            digest += batch.digest;
                            rows += batch.valid_rows;
                            ++index;
                            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
                        }
                        CHECK_EQ_U64(index, all.batch_count);
                        biost_loader_close(loader);
                    }
                    CHECK_EQ_U64(digest, all.digest);
                    CHECK_EQ_U64(rows, all.sample_count - all.dropped_rows);
                }
                oracle_free(&all);
                bytes_free(&text);
            }
        }
    }
}

/* A file that was cut at a record border into two or five inputs gives the same rows in the same
   order; only ids tell the files apart. Random stages and the shuffle go by id, so they are off. */
TEST(identity, a_file_cut_at_record_borders) {
    uint32_t fasta, cuts, run;
    for (fasta = 0; fasta < 2; ++fasta) {
        text_shape shape = {90, 1, 60, 0, 13, 0, 0, 1};
        one_text one;
        bytes text;
        shape.fasta = (int)fasta;
        one_text_shape(&one, &shape, 9);
        text = one.text;
        for (cuts = 1; cuts < 5; cuts += 3) {
            for (run = 0; run < 12; ++run) {
                biost_loader_desc desc, whole_desc;
                biost_memory memories[5], memory;
                bytes parts[5];
                biost_loader *whole, *cut;
                biost_result result = BIOST_OK;
                uint64_t first_of[5], records = 0;
                size_t at = 0, i;
                uint32_t part = 0;
                memset(parts, 0, sizeof parts);
                first_of[0] = 0;
                for (i = 0; i < text.count; ++i) { /* a record starts where the oracle's line rule says so */
                    int starts = i == at && (fasta ? text.data[i] == '>' : 1);
                    if (starts && records == (part + 1) * 90 / (cuts + 1) && part < cuts) {
                        first_of[++part] = records;
                    }
                    if (starts) {
                        size_t line, k;
                        ++records;
                        at = oracle_line(&text, i, &line);
                        for (k = 0; k < 3 && !fasta; ++k) {
                            at = oracle_line(&text, at, &line);
                        }
                        while (fasta && at < text.count && text.data[at] != '>') {
                            at = oracle_line(&text, at, &line);
                        }
                    }
                    bytes_byte(&parts[part], text.data[i]);
                }
                CHECK_EQ_U64(records, 90);
                CHECK_EQ_U64(part, cuts);
                full_desc(&desc, run % 4, (int)fasta);
                memset(&desc.augment, 0, sizeof desc.augment);
                desc.filter.keep = NULL;
                desc.filter.subsample_from = 0;
                desc.labels.make = NULL;
                desc.shuffle_rows = 0;
                desc.long_records = run % 4 == 1 ? BIOST_LONG_HEAD : desc.long_records;
                desc.test.page_bytes = run / 4 == 0 ? 0 : run / 4 == 1 ? 64 : 4096;
                desc.workers = 1 + run % 3;
                whole_desc = desc;
                oracle_inputs(&desc, memories, parts, cuts + 1);
                oracle_inputs(&whole_desc, &memory, &text, 1);
                whole = oracle_open(&whole_desc);
                cut = oracle_open(&desc);
                test_note("format %u, cuts %u, run %u", (unsigned)fasta, (unsigned)cuts, (unsigned)run);
                REQUIRE(whole != NULL && cut != NULL);
                CHECK(biost_loader_begin(whole, 0) == BIOST_OK && biost_loader_begin(cut, 0) == BIOST_OK);
                while (result == BIOST_OK) {
                    biost_batch a, b;
                    uint32_t t, row;
                    result = biost_loader_next(whole, &a);
                    CHECK(biost_loader_next(cut, &b) == result);
                    if (result != BIOST_OK) {
                        break;
                    }
                    REQUIRE(a.tensor_count == b.tensor_count && a.rows == b.rows &&
                            a.valid_rows == b.valid_rows);
                    for (t = 0; t < a.tensor_count; ++t) {
                        REQUIRE(CHECK_EQ_U64(a.tensors[t].bytes, b.tensors[t].bytes));
                        CHECK_MEM(b.tensors[t].data, a.tensors[t].data, (size_t)a.tensors[t].bytes);
                    }
                    CHECK_MEM(b.lengths, a.lengths, a.rows * sizeof(int32_t));
                    for (row = 0; row < a.valid_rows; ++row) {
                        int64_t path = b.origins[row].id >> 40,
                                number = b.origins[row].id & (((int64_t)1 << 40) - 1);
                        CHECK(path <= (int64_t)cuts);
                        CHECK_EQ_I64((int64_t)first_of[path % 5] + number, a.origins[row].id);
                        CHECK_STR(b.names + b.name_offsets[row], a.names + a.name_offsets[row]);
                    }
                    biost_loader_release(whole, &a);
                    biost_loader_release(cut, &b);
                }
                CHECK(result == BIOST_END);
                biost_loader_close(whole);
                biost_loader_close(cut);
                for (i = 0; i < 5; ++i) {
                    bytes_free(&parts[i]);
                }
            }
        }
        bytes_free(&text);
    }
}

/* Every kernel gives the same digest: with processor features hidden one by one, and all. */
TEST(identity, every_kernel) {
    static const uint32_t hidden[] = {
        0, BIOST_CPU_BMI2, BIOST_CPU_PCLMUL, BIOST_CPU_AVX2, BIOST_CPU_AVX2 | BIOST_CPU_SSE2, UINT32_MAX};
    uint32_t fasta, number, i;
    for (fasta = 0; fasta < 2; ++fasta) {
        packed p;
        packed_make(&p, (int)fasta);
        for (number = 0; number < 4; ++number) {
            for (i = 0; i < 6; ++i) {
                biost_loader_desc desc;
                biost_memory memories[TEXTS];
                full_desc(&desc, number, (int)fasta);
                oracle_inputs(&desc, memories, p.files[i % PACKINGS], TEXTS);
                desc.workers = 2;
                desc.test.cpu_hidden = hidden[i];
                test_note("format %u, desc %u, hidden %u", (unsigned)fasta, (unsigned)number, (unsigned)i);
                oracle_run(&desc, p.texts, TEXTS, 1, ORACLE_ENDS_WELL);
            }
        }
        packed_free(&p);
    }
}
