/*
 * desc_range.h - for tests of a room whose wishes come from a loader's desc: whether each field by itself is in its
 * range, as open asks before the room does. Include it after white.h.
 */
#ifndef DESC_RANGE_H
#define DESC_RANGE_H

/* The sentence for the first field that is out of its range, until the next call, or NULL. */
static const char *desc_range(const biost_loader_desc *desc) {
    static biost_error error;
    uint32_t count;
    const biost_field *fields = biost_desc_fields("biost_loader_desc", &count);
    return biost_desc_check(fields, count, desc, &error) != BIOST_OK ? error.text : NULL;
}

#endif /* DESC_RANGE_H */
