/*
 * leave_loader.h - a loader that is left in the middle: cancelled, closed, with batches held. Include it after biostream.h,
 * test.h, loader_oracle.h and pthread.h.
 */
#ifndef LEAVE_LOADER_H
#define LEAVE_LOADER_H

static void *host_cancel(void *argument) {
    biost_loader_cancel((biost_loader *)argument);
    return NULL;
}

/* Take some batches, keep some, cancel from this or another thread, ask on, close. */
static void host_leave(const biost_loader_desc *desc, uint32_t take, uint32_t way) {
    biost_loader *loader = oracle_open(desc);
    biost_batch batch;
    biost_result result = BIOST_OK;
    pthread_t thread;
    int has_thread = 0;
    uint32_t i;
    if (loader == NULL) {
        return;
    }
    CHECK(way == 0 || biost_loader_begin(loader, take % 3) == BIOST_OK);
    for (i = 0; way > 0 && i < take && result == BIOST_OK; ++i) {
        result = biost_loader_next(loader, &batch);
        if (result == BIOST_OK && way % 2 == 0) {
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        if (way > 3 && i == take / 2) {
            has_thread = CHECK(pthread_create(&thread, NULL, host_cancel, loader) == 0);
        }
    }
    if (way > 1 && way < 4) {
        biost_loader_cancel(loader);
        result = biost_loader_next(loader, &batch);
        CHECK(result == BIOST_CANCELLED);
        CHECK(biost_loader_begin(loader, 0) == BIOST_CANCELLED);
    }
    if (has_thread) {
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK(biost_loader_next(loader, &batch) != BIOST_OK);
    }
    biost_loader_close(loader);
}

#endif /* LEAVE_LOADER_H */
