/*
 * mixed.h - loaders of stores and text together, for their tests: the groups and settings of mixed_vectors.h.
 *
 * Include it after store_loader.h.
 */
#ifndef MIXED_H
#define MIXED_H

#define MIXED_GROUPS 4u
#define MIXED_TEXTS  16u

/* A group: a store, or files. */
typedef struct mixed_group {
    uint32_t text_count; /* 0: it is the store names[0] */
    uint32_t names[4];   /* STORE_* or MIXED_TEXT_* */
    uint32_t weight;
    uint32_t regions; /* 1 + which of mixed_regions; 0: none */
} mixed_group;

typedef struct mixed_case {
    biost_loader_desc desc; /* what is not 0 */
    int is_bytes;           /* how its stores keep letters */
    uint32_t group_count;
    mixed_group groups[MIXED_GROUPS];
    store_epoch epochs[3];
} mixed_case;

#include "mixed_vectors.h"

#define MIXED_CASES (sizeof mixed_cases / sizeof mixed_cases[0])

/* What the desc of a case points to. */
typedef struct mixed_parts {
    biost_group groups[MIXED_GROUPS];
    biost_memory memories[MIXED_TEXTS];
} mixed_parts;

static biost_loader_desc mixed_desc(const mixed_case *c, mixed_parts *parts) {
    static const biost_memory texts[] = {{store_text_g, sizeof store_text_g - 1, "g"},
                                         {store_text_h, sizeof store_text_h - 1, "h"},
                                         {store_text_q, sizeof store_text_q - 1, "q"},
                                         {store_text_r, sizeof store_text_r - 1, "r"},
                                         {"", 0, "e"}};
    biost_loader_desc desc = c->desc;
    uint32_t i, k;
    memset(parts, 0, sizeof *parts);
    for (i = 0; i < c->group_count; ++i) {
        const mixed_group *from = &c->groups[i];
        biost_group *group = &parts->groups[i];
        group->weight = from->weight;
        group->label = 3.0 * i + 1;
        group->regions = from->regions > 0 ? &mixed_regions[from->regions - 1] : NULL;
        if (from->text_count == 0) {
            group->store = stores_open[c->is_bytes][from->names[0]];
            continue;
        }
        group->first_input = desc.memory_count;
        group->input_count = from->text_count;
        for (k = 0; k < from->text_count; ++k) {
            parts->memories[desc.memory_count++] = texts[from->names[k]];
        }
    }
    desc.memories = parts->memories;
    desc.groups = parts->groups;
    desc.group_count = c->group_count;
    desc.allow_unseen = 1;
    desc.digest = 1;
    return desc;
}

/* As store_machine, and pages and chunks of text. */
static void mixed_machine(biost_loader_desc *desc, uint64_t *random) {
    static const uint32_t pages[] = {16, 64, 333, 4096, 0}, chunks[] = {7, 100, 4096, 0};
    store_machine(desc, random);
    desc->test.page_bytes = RANDOM_OF(random, pages);
    desc->test.chunk_bytes = RANDOM_OF(random, chunks);
}

/* Open, begin and drain an epoch on each rank of a world; the sum. */
TEST_MAYBE_UNUSED static store_epoch mixed_run(const biost_loader_desc *desc, uint64_t epoch, uint32_t world,
                                               uint64_t *random) {
    store_epoch sum = {0, 0, 0};
    biost_loader_desc of = *desc;
    of.world = world;
    for (of.rank = 0; of.rank < world; ++of.rank) {
        biost_loader *loader;
        uint64_t batches = 0;
        mixed_machine(&of, random);
        loader = oracle_open(&of);
        if (loader == NULL) {
            break;
        }
        if (CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
            store_epoch got = store_drain(loader, 0);
            CHECK(biost_loader_batches_per_epoch(loader, &batches) == BIOST_OK);
            CHECK(batches == got.batches || desc->epoch_end != BIOST_EPOCH_END_ROWS);
            sum.batches = got.batches;
            sum.rows += got.rows;
            sum.digest += got.digest;
        }
        biost_loader_close(loader);
    }
    return sum;
}

#endif /* MIXED_H */
