/*
 * test_store_loader.c - loaders over stores: epochs of settings at random with the digests that the oracle gives, and
 * the same batches as of the text that a store was made of.
 */
#include "../biostream.h"

#include "test.h"

#include "loader_oracle.h"

#include "store_loader.h"

TEST(store_loader, epochs_of_the_oracle) {
    uint64_t random = test_seed() + 31;
    uint32_t i, e;
    stores_begin();
    for (i = 0; i < STORE_CASES; ++i) {
        biost_group groups[4];
        biost_loader_desc desc = store_desc_of(&store_cases[i], groups);
        for (e = 0; e < 3; ++e) {
            uint32_t world = 1 + (i + e) % 4;
            store_epoch got;
            test_note("case %u, epoch %u, world %u", (unsigned)i, (unsigned)e, (unsigned)world);
            got = store_run(&desc, store_epochs[e], world, &random);
            store_check(&got, &store_cases[i].epochs[e]);
        }
    }
    stores_end();
}
