/*
 * desc_range.h - for tests of a room whose wishes come from a loader's desc: what open finds wrong before the room
 * sees them, and the defaults they get. Include it after white.h.
 */
#ifndef DESC_RANGE_H
#define DESC_RANGE_H

/*
 * The sentence for what is wrong with a desc, its inputs aside, until the next call, or NULL. *io_desc gets its
 * defaults.
 */
static const char *desc_refusal(biost_loader_desc *io_desc) {
    static char words[BSI_FIELDS_WORDS_BYTES];
    bsi_plan plan;
    const char *wrong = bsi_plan_make(io_desc, &plan, words);
    *io_desc = plan.desc;
    return wrong;
}

#endif /* DESC_RANGE_H */
