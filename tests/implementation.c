/*
 * implementation.c - the one object of the implementation that programs of tests and examples are linked with, and
 * the peeks of peeks.h.
 */
#define BIOSTREAM_IMPLEMENTATION
extern unsigned test_more_workers;
#define BSI_SCHED_MORE_WORKERS test_more_workers
#include "peeks.h"

/* As users have it; in a program with the harness this is test.h's, and the shell's tests of tools set it. */
__attribute__((weak)) unsigned test_more_workers = 2;

__attribute__((constructor)) static void set_more_workers(void) {
    if (getenv("TEST_MORE_WORKERS") != NULL) {
        test_more_workers = 256;
    }
}

int peek_stream_sleeps(biost_stream *stream) {
    int sleeps;
    bsi_platform_lock(&stream->sched.lock);
    sleeps = stream->sched.caller_sleeps;
    bsi_platform_unlock(&stream->sched.lock);
    return sleeps;
}

biost_stream *peek_reader_stream(biost_reader *reader) {
    return reader->stream;
}

biost_result peek_pairs_raise_name(biost_pairs *pairs, const biost_record *records, uint32_t mate,
                                   biost_error *out_error) {
    biost_result result = bsi_pairs_raise_name(pairs, records, mate);
    *out_error = pairs->error;
    return result;
}

int peek_pairs_keep(biost_pairs *pairs, biost_record *record) {
    return bsi_pairs_keep(pairs, &pairs->copies[0], record);
}

#if BIOST_HAS_LOADER

uint32_t peek_loader_points(biost_loader *loader, uint64_t *out_entered) {
    uint32_t count;
    bsi_platform_lock(&loader->sched.lock);
    count = loader->texts[0].pipe.points.own.count;
    *out_entered = loader->texts[0].pipe.ahead.shared.counters.entered_count;
    bsi_platform_unlock(&loader->sched.lock);
    return count;
}

void peek_loader_break_point(biost_loader *loader) {
    uint64_t at = loader->texts[0].pipe.points.own.points[0].packed_at +
                  loader->texts[0].pipe.points.own.points[0].packed_bytes - 1;
    loader->texts[0].pipe.points.own.packed[at] ^= 1u;
}

int peek_state(const void *bytes, size_t count, uint64_t *out_sample, uint64_t *out_anchor_sample) {
    bsi_hash_crc_tables tables;
    bsi_state_group group;
    bsi_state_file file;
    bsi_state state;
    bsi_hash_crc_init(&tables);
    state.groups = &group;
    state.files = &file;
    if (bsi_state_version(&tables, (const uint8_t *)bytes, count) != BSI_STATE_VERSION) {
        return 0;
    }
    bsi_state_read_head((const uint8_t *)bytes, &state);
    if (!bsi_state_read((const uint8_t *)bytes, count, 1, 1, &state)) {
        return 0;
    }
    *out_sample = group.sample;
    *out_anchor_sample = group.anchor.sample;
    return 1;
}

#endif
