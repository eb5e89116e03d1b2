/*
 * loader.c - a loader by the text of a desc over inputs in memory: one worker against several, and a state against
 * going on.
 *
 * Input: the text of a desc, a NUL, one byte of ways, one of the state's batch, two bytes each for the sizes of the
 * first inputs, then the inputs. The first epoch by one worker must come again by several, in other pages and orders,
 * and, from a state taken after some batch, its rest by a loader of its own.
 */
#include "run_loader.h"

enum { LOADER_INPUTS = 3 };

/* The text up to its NUL; 0: there is none, or it is too long. */
static int loader_take_text(fuzz_input *in, char *text, size_t room) {
    const uint8_t *end = in->bytes > 0 ? (const uint8_t *)memchr(in->at, 0, in->bytes) : NULL;
    if (end == NULL || (size_t)(end - in->at) >= room) {
        return 0;
    }
    size_t used = (size_t)(end - in->at) + 1;
    memcpy(text, in->at, used);
    in->at += used;
    in->bytes -= used;
    return 1;
}

/* Large numbers take time and show nothing new; and what cannot be in memory is left out. */
static void loader_bound(biost_loader_desc *desc) {
    desc->slots = desc->slots > 8 ? 3 : desc->slots;
    desc->max_row_bases = desc->max_row_bases > 3000 ? 3000 : desc->max_row_bases;
    desc->row_bases = desc->row_bases > 3000 ? 3000 : desc->row_bases;
    desc->batch_rows = desc->batch_rows > 300 ? 300 : desc->batch_rows;
    desc->epoch_rows = desc->epoch_rows > 9000 ? 9000 : desc->epoch_rows;
    desc->has_fd = 0;
    desc->fd = 0;
    desc->path_count = 0;
    desc->state = NULL;
    desc->state_bytes = 0;
    desc->epochs = 1;
    desc->workers = 1;
    memset(&desc->test, 0, sizeof desc->test);
}

/* Each input in memory of its own. */
static uint32_t loader_take_inputs(fuzz_input *in, uint32_t ways, biost_memory memories[LOADER_INPUTS]) {
    uint32_t count = 1 + ways % LOADER_INPUTS;
    size_t sizes[LOADER_INPUTS];
    for (uint32_t i = 0; i + 1 < count; i++) {
        sizes[i] = (size_t)fuzz_number(in, 2);
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t size = i + 1 == count || sizes[i] > in->bytes ? in->bytes : sizes[i];
        memories[i].data = fuzz_copy(in->at, size);
        memories[i].bytes = size;
        memories[i].name = NULL;
        in->at += size;
        in->bytes -= size;
    }
    return count;
}

static void loader_compare_ways(const biost_loader_desc *desc, uint32_t ways, uint32_t pick) {
    static run_loader one, several, resumed;
    biost_loader_desc other = *desc;
    run_loader_desc(*desc, pick % 16, &one);
    if (!one.opened) {
        return;
    }
    other.workers = 2 + ways / 3 % 3;
    other.slots = 1 + pick % 5;
    other.test.order_seed = pick;
    other.test.page_bytes = ways & 64 ? 16 + pick : 0;
    other.test.chunk_bytes = ways & 32 ? 1 + pick : 0;
    other.test.parallel_gzip = ways & 16 ? BIOST_PARALLEL_GZIP_ALWAYS : BIOST_PARALLEL_GZIP_AUTO;
    other.test.cpu_hidden = ways & 128 ? UINT32_MAX : 0;
    run_loader_desc(other, UINT32_MAX, &several);
    if (!several.opened && several.end != BIOST_ERR_NOMEM) {
        FUZZ_FAULT("with workers it does not open: %s", several.sentence);
    }
    run_compare(&one, &several, 0, "workers");
    FUZZ_CHECK(one.end != BIOST_END || several.end != BIOST_END ||
               (one.skipped == several.skipped && one.filtered == several.filtered));
    if (one.state_bytes > 0) {
        biost_loader_desc rest = ways & 8 ? other : *desc;
        rest.state = one.state;
        rest.state_bytes = one.state_bytes;
        run_loader_desc(rest, UINT32_MAX, &resumed);
        if (!resumed.opened && resumed.end != BIOST_ERR_NOMEM) {
            FUZZ_FAULT("its own state is refused: %s", resumed.sentence);
        }
        run_compare(&one, &resumed, one.state_at + 1, "resumed");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    static biost_desc_memory desc_memory;
    char text[2048];
    fuzz_input in = {data, bytes};
    biost_loader_desc desc;
    biost_memory memories[LOADER_INPUTS];
    biost_error error;
    if (!loader_take_text(&in, text, sizeof text)) {
        return 0;
    }
    memset(&desc, 0, sizeof desc);
    biost_result result = biost_loader_desc_read(&desc, text, &desc_memory, &error);
    if (result != BIOST_OK) {
        fuzz_check_error(result, &error, "biost_loader_desc_read");
        return 0;
    }
    uint32_t ways = fuzz_byte(&in), pick = fuzz_byte(&in);
    uint32_t count = loader_take_inputs(&in, ways, memories);
    loader_bound(&desc);
    desc.memories = memories;
    desc.memory_count = count;
    desc.test.page_bytes = pick & 64 ? 0 : 16384; /* as they come they are larger, and take longer to get */
    desc.test.cpu_hidden = fuzz_hidden(bytes);
    loader_compare_ways(&desc, ways, pick);
    for (uint32_t i = 0; i < count; i++) {
        free((void *)(uintptr_t)memories[i].data);
    }
    return 0;
}
