/*
 * fx_plot.h - what the batches of a run were like, as a picture: lengths of rows, padding, which groups rows are of, and
 * where the time of each epoch went. For --plot of fxbatch.
 *
 *   fx_plot_begin   once, with the loader
 *   fx_plot_batch   for each batch that is held
 *   fx_plot_epoch   at the end of each epoch
 *   fx_plot_save    writes the picture, SVG for any browser, in light or dark as that is
 *
 * It keeps counts alone, in a struct of 150 KiB whatever the run has: lengths by eighths of an octave, batches by up to
 * 256 stripes, of which two become one where they do not suffice, and the last 24 epochs. Each bar says its numbers in
 * words, which browsers show over it.
 */
#ifndef FX_PLOT_H
#define FX_PLOT_H

#include "fx.h"

enum {
    FX_PLOT_STEPS = 8,                 /* bars of an octave of lengths                             */
    FX_PLOT_BARS = 32 * FX_PLOT_STEPS, /* of all lengths                                           */
    FX_PLOT_STRIPES = 256,             /* of batches                                               */
    FX_PLOT_GROUPS = 64,               /* that are told apart                                      */
    FX_PLOT_EPOCHS = 24,               /* that are shown                                           */
    FX_PLOT_LEFT = 72,                 /* pixels, here and below: where bars begin                 */
    FX_PLOT_WIDTH = 768,               /* of all bars, three for a stripe                          */
    FX_PLOT_PAGE = FX_PLOT_LEFT + FX_PLOT_WIDTH + 20,
    FX_PLOT_HEIGHT = 110 /* of the tallest bar                                       */
};

/* Batches in a row. */
typedef struct fx_plot_stripe {
    uint64_t columns;              /* of all their rows                                                */
    uint64_t bases;                /* of these, those that are no padding                              */
    uint64_t rows[FX_PLOT_GROUPS]; /* by group, without padding                                        */
} fx_plot_stripe;

typedef struct fx_plot_time {
    uint64_t epoch, rows, text_bytes;
    uint64_t busy_ns[BIOST_STAGE_COUNT]; /* of all workers                                             */
    uint64_t waiting_ns;                 /* of the caller                                              */
    double seconds;
} fx_plot_time;

typedef struct fx_plot {
    const char *names[FX_PLOT_GROUPS]; /* of the groups; NULL: the number stands for it              */
    uint32_t group_count;              /* 1 where the loader has none                                  */
    uint64_t lengths[FX_PLOT_BARS];    /* rows by length                                               */
    uint64_t empty_rows;               /* without any base                                             */
    uint64_t shortest, longest;        /* bases of a row                                               */
    biost_encoding encoding;           /* of x                                                         */
    fx_plot_stripe stripes[FX_PLOT_STRIPES];
    uint64_t stripe_batches; /* of each stripe but the last                                  */
    uint64_t batches;        /* of all                                                                 */
    fx_plot_time times[FX_PLOT_EPOCHS];
    uint64_t epochs;       /* so far; epoch i is times[i % FX_PLOT_EPOCHS]                           */
    biost_counters before; /* at the end of the epoch before                                         */
    char hint[256];
} fx_plot;

/* The columns of a row of so many bases that are no padding. */
static inline uint64_t fx_plot_columns(const biost_encoding *encoding, uint64_t bases) {
    const biost_kmer_tokens *kmers = &encoding->kmers;
    const uint64_t step = kmers->stride == 1 ? 1 : kmers->k;
    const uint64_t windows = kmers->k == 0 ? bases : bases < kmers->k ? 0 : (bases - kmers->k) / step + 1;
    return windows + (encoding->has_begin != 0) + (encoding->has_end != 0);
}

/* ---- counting ----------------------------------------------------------------- */

static inline void fx_plot_begin(fx_plot *plot, biost_loader *loader) {
    biost_loader_desc desc;
    memset(plot, 0, sizeof *plot);
    memset(&desc, 0, sizeof desc);
    biost_loader_get_desc(loader, &desc);
    plot->shortest = UINT64_MAX;
    plot->encoding = desc.encoding;
    plot->stripe_batches = 1;
    plot->group_count = desc.group_count < 1 ? 1 : desc.group_count;
    for (uint32_t i = 0; i < desc.group_count && i < FX_PLOT_GROUPS; ++i) {
        plot->names[i] = desc.groups[i].name;
    }
}

/* The shortest length of a bar: 2^(bar / FX_PLOT_STEPS), rounded up. Several short bars may have one length. */
static inline uint64_t fx_plot_length(uint32_t bar) {
    static const double roots[FX_PLOT_STEPS] = {1,
                                                1.0905077326652577,
                                                1.1892071150027210,
                                                1.2968395546510096,
                                                1.4142135623730951,
                                                1.5422108254079407,
                                                1.6817928305074290,
                                                1.8340080864093424};
    const double exact = (double)((uint64_t)1 << bar / FX_PLOT_STEPS) * roots[bar % FX_PLOT_STEPS];
    const uint64_t whole = (uint64_t)exact;
    return whole + ((double)whole < exact);
}

/* Which bar a row of one base or more is in: the last one that begins with so many bases or fewer. */
static inline uint32_t fx_plot_bar(uint64_t bases) {
    uint32_t low = 0, high = FX_PLOT_BARS - 1;
    while (low < high) {
        const uint32_t middle = (low + high + 1) / 2;
        if (fx_plot_length(middle) <= bases) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* Where all stripes are full, each two become one. */
static inline fx_plot_stripe *fx_plot_next_stripe(fx_plot *plot) {
    if (plot->batches / plot->stripe_batches == FX_PLOT_STRIPES) {
        for (uint32_t i = 0; i < FX_PLOT_STRIPES / 2; ++i) {
            fx_plot_stripe *to = &plot->stripes[i], *from = &plot->stripes[2 * i];
            const fx_plot_stripe one = from[0], other = from[1];
            to->columns = one.columns + other.columns;
            to->bases = one.bases + other.bases;
            for (uint32_t group = 0; group < FX_PLOT_GROUPS; ++group) {
                to->rows[group] = one.rows[group] + other.rows[group];
            }
        }
        memset(plot->stripes + FX_PLOT_STRIPES / 2, 0, FX_PLOT_STRIPES / 2 * sizeof *plot->stripes);
        plot->stripe_batches *= 2;
    }
    return &plot->stripes[plot->batches++ / plot->stripe_batches];
}

static inline void fx_plot_batch(fx_plot *plot, const biost_batch *batch) {
    fx_plot_stripe *stripe = fx_plot_next_stripe(plot);
    stripe->columns += (uint64_t)batch->rows * batch->mates *
                       (uint64_t)batch->x.shape[strcmp(batch->x.layout, "NCL") == 0 ? 2 : 1];
    const uint32_t lines = batch->row_samples != NULL ? batch->samples : batch->valid_rows * batch->mates;
    for (uint32_t row = 0; row < lines; ++row) {
        const uint64_t bases = (uint64_t)batch->lengths[row];
        stripe->bases += fx_plot_columns(&plot->encoding, bases);
        stripe->rows[batch->origins[row].group % FX_PLOT_GROUPS] += 1;
        plot->shortest = bases < plot->shortest ? bases : plot->shortest;
        plot->longest = bases > plot->longest ? bases : plot->longest;
        if (bases == 0) {
            plot->empty_rows += 1;
        } else {
            plot->lengths[fx_plot_bar(bases)] += 1;
        }
    }
}

/* An epoch has ended, which took so many seconds and delivered so many rows. */
static inline void fx_plot_epoch(fx_plot *plot, biost_loader *loader, uint64_t epoch, double seconds,
                                 uint64_t rows) {
    fx_plot_time *time = &plot->times[plot->epochs++ % FX_PLOT_EPOCHS];
    biost_progress progress;
    biost_counters now;
    biost_loader_progress(loader, &progress);
    biost_loader_counters(loader, &now);
    biost_loader_hint(loader, plot->hint, sizeof plot->hint);
    time->epoch = epoch;
    time->seconds = seconds;
    time->rows = rows;
    time->text_bytes = progress.text_bytes;
    for (int stage = 0; stage < BIOST_STAGE_COUNT; ++stage) {
        time->busy_ns[stage] = now.stages[stage].busy_ns - plot->before.stages[stage].busy_ns;
    }
    time->waiting_ns = now.stages[BIOST_STAGE_CALLER].waiting_ns -
                       plot->before.stages[BIOST_STAGE_CALLER].waiting_ns;
    plot->before = now;
}

/* ---- drawing ------------------------------------------------------------------ */

/* The picture under way: `y` is where the next part begins. */
typedef struct fx_plot_page {
    fx_save save;
    int y;
} fx_plot_page;

static inline void fx_plot_put(fx_plot_page *page, const char *words) {
    fx_save_put(&page->save, words, strlen(words));
}

/* A number in words, also one that is far from 1. */
static inline const char *fx_plot_number(char out[32], double value) {
    snprintf(out, 32,
             value >= 100 || value == (double)(int)value ? "%.0f"
             : value >= 10                               ? "%.1f"
                                                         : "%.2f",
             value);
    return out;
}

/* Bytes that would be part of the picture's own language, or no text, as tables have them. */
static inline void fx_plot_put_name(fx_plot_page *page, const char *name) {
    for (; *name != '\0'; ++name) {
        const unsigned char byte = (unsigned char)*name;
        char words[8] = {*name, '\0'};
        if (byte < 32 || byte > 126 || strchr("&<>\"\\", byte) != NULL) {
            snprintf(words, sizeof words, byte == '\\' || byte < 32 || byte > 126 ? "\\x%02x" : "&#%d;",
                     byte);
        }
        fx_plot_put(page, words);
    }
}

/* "epoch 3" or the like, at a place; `look` is how it is set. */
static inline void fx_plot_text(fx_plot_page *page, double x, double y, const char *look, const char *words) {
    char place[96];
    snprintf(place, sizeof place, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, look);
    fx_plot_put(page, place);
    fx_plot_put_name(page, words);
    fx_plot_put(page, "</text>\n");
}

/* A bar, in colour `colour`, which says `words` in a browser. */
static inline void fx_plot_rect(fx_plot_page *page, double x, double y, double width, double height,
                                uint32_t colour, const char *words) {
    char place[160];
    snprintf(place, sizeof place,
             "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" class=\"c%" PRIu32 "\"><title>", x,
             y, width, height, colour % 10);
    fx_plot_put(page, place);
    fx_plot_put_name(page, words);
    fx_plot_put(page, "</title></rect>\n");
}

/* A part's title and what is said beside it. */
static inline void fx_plot_title(fx_plot_page *page, const char *title, const char *beside) {
    fx_plot_text(page, 16, page->y + 18, "head", title);
    fx_plot_text(page, FX_PLOT_LEFT + FX_PLOT_WIDTH, page->y + 18, "end dim", beside);
    page->y += 30;
}

/* Below bars: words at the left, in the middle and at the right. */
static inline void fx_plot_axis(fx_plot_page *page, const char *left, const char *middle, const char *right) {
    const int y = page->y + FX_PLOT_HEIGHT + 15;
    fx_plot_text(page, FX_PLOT_LEFT, y, "dim", left);
    fx_plot_text(page, FX_PLOT_LEFT + FX_PLOT_WIDTH / 2, y, "middle dim", middle);
    fx_plot_text(page, FX_PLOT_LEFT + FX_PLOT_WIDTH, y, "end dim", right);
    page->y = y + 20;
}

/* Left of bars: what the tallest one is. */
static inline void fx_plot_scale(fx_plot_page *page, const char *most) {
    fx_plot_text(page, FX_PLOT_LEFT - 8, page->y + 11, "end dim", most);
    fx_plot_text(page, FX_PLOT_LEFT - 8, page->y + FX_PLOT_HEIGHT, "end dim", "0");
}

static inline void fx_plot_lengths(const fx_plot *plot, fx_plot_page *page) {
    const uint32_t first = fx_plot_bar(plot->shortest > 0 ? plot->shortest : 1),
                   last = fx_plot_bar(plot->longest);
    const double width = (double)FX_PLOT_WIDTH / (double)(last - first + 1);
    char words[128], number[64];
    uint64_t most = 1;
    for (uint32_t bar = first; bar <= last; ++bar) {
        most = plot->lengths[bar] > most ? plot->lengths[bar] : most;
    }
    snprintf(words, sizeof words, plot->empty_rows > 0 ? "%" PRIu64 " rows have none" : "", plot->empty_rows);
    fx_plot_title(page, "Bases of a row", words);
    fx_plot_scale(page, fx_plot_number(number, (double)most));
    for (uint32_t bar = first; bar <= last; ++bar) {
        const double height = FX_PLOT_HEIGHT * (double)plot->lengths[bar] / (double)most;
        const uint64_t from = fx_plot_length(bar), below = fx_plot_length(bar + 1);
        if (plot->lengths[bar] > 0) {
            if (below - from <= 1) {
                snprintf(number, sizeof number, "%" PRIu64, from);
            } else {
                snprintf(number, sizeof number, "%" PRIu64 " to %" PRIu64, from, below - 1);
            }
            snprintf(words, sizeof words, "%s bases: %" PRIu64 " row%s", number, plot->lengths[bar],
                     plot->lengths[bar] == 1 ? "" : "s");
            fx_plot_rect(page, FX_PLOT_LEFT + (bar - first) * width, page->y + FX_PLOT_HEIGHT - height,
                         width > 4 ? width - 1 : width, height, 0, words);
        }
    }
    snprintf(words, sizeof words, "%" PRIu64, plot->shortest);
    snprintf(number, sizeof number, "%" PRIu64, plot->longest);
    fx_plot_axis(page, words, first == last ? "" : "each bar is 9 % longer than the one before", number);
}

/* How many stripes have batches. */
static inline uint32_t fx_plot_stripes(const fx_plot *plot) {
    return (uint32_t)((plot->batches + plot->stripe_batches - 1) / plot->stripe_batches);
}

/* "batch 7", or "batches 8 to 15". */
static inline void fx_plot_name_stripe(const fx_plot *plot, uint32_t stripe, char *out, size_t capacity) {
    const uint64_t from = stripe * plot->stripe_batches, next = from + plot->stripe_batches;
    const uint64_t below = next < plot->batches ? next : plot->batches;
    if (below - from == 1) {
        snprintf(out, capacity, "batch %" PRIu64, from);
    } else {
        snprintf(out, capacity, "batches %" PRIu64 " to %" PRIu64, from, below - 1);
    }
}

/* Below stripes: the first batch and the last one. */
static inline void fx_plot_stripe_axis(const fx_plot *plot, fx_plot_page *page) {
    char last[32];
    snprintf(last, sizeof last, "batch %" PRIu64, plot->batches - 1);
    fx_plot_axis(page, "batch 0", "in the order in which they came", last);
}

static inline void fx_plot_padding(const fx_plot *plot, fx_plot_page *page) {
    const double width = (double)FX_PLOT_WIDTH / fx_plot_stripes(plot);
    uint64_t columns = 0, bases = 0;
    char words[128], name[64];
    for (uint32_t i = 0; i < fx_plot_stripes(plot); ++i) {
        columns += plot->stripes[i].columns;
        bases += plot->stripes[i].bases;
    }
    snprintf(words, sizeof words, "%.2f %% of all columns",
             columns > 0 ? 100 * (double)(columns - bases) / (double)columns : 0);
    fx_plot_title(page, "Padding of a batch", words);
    fx_plot_scale(page, "100 %");
    for (uint32_t i = 0; i < fx_plot_stripes(plot); ++i) {
        const fx_plot_stripe *stripe = &plot->stripes[i];
        const double share = stripe->columns > 0
                                 ? (double)(stripe->columns - stripe->bases) / (double)stripe->columns
                                 : 0;
        fx_plot_name_stripe(plot, i, name, sizeof name);
        snprintf(words, sizeof words, "%s: %.2f %% padding", name, 100 * share);
        fx_plot_rect(page, FX_PLOT_LEFT + i * width, page->y + FX_PLOT_HEIGHT * (1 - share), width,
                     FX_PLOT_HEIGHT * share, 1, words);
    }
    fx_plot_stripe_axis(plot, page);
}

/* The name of a group, or its number. */
static inline const char *fx_plot_group(const fx_plot *plot, uint32_t group, char number[32]) {
    snprintf(number, 32, "group %" PRIu32, group);
    return plot->names[group] != NULL ? plot->names[group] : number;
}

/* A box of the colour and what it stands for, at x. Returns where the next one may begin. */
static inline double fx_plot_key(fx_plot_page *page, double x, uint32_t colour, const char *name) {
    fx_plot_rect(page, x, page->y - 2, 10, 10, colour, name);
    fx_plot_text(page, x + 15, page->y + 7, "dim", name);
    return x + 31 + 6.6 * (double)strlen(name);
}

static inline void fx_plot_groups(const fx_plot *plot, fx_plot_page *page) {
    const double width = (double)FX_PLOT_WIDTH / fx_plot_stripes(plot);
    const uint32_t groups = plot->group_count < FX_PLOT_GROUPS ? plot->group_count : FX_PLOT_GROUPS;
    char words[256], name[64], number[32];
    double x = FX_PLOT_LEFT;
    fx_plot_title(page, "Groups that the rows of a batch are of", "");
    fx_plot_scale(page, "100 %");
    for (uint32_t i = 0; i < fx_plot_stripes(plot); ++i) {
        const fx_plot_stripe *stripe = &plot->stripes[i];
        double y = page->y;
        uint64_t rows = 0;
        for (uint32_t group = 0; group < groups; ++group) {
            rows += stripe->rows[group];
        }
        fx_plot_name_stripe(plot, i, name, sizeof name);
        for (uint32_t group = 0; group < groups && rows > 0; ++group) {
            const double share = (double)stripe->rows[group] / (double)rows;
            snprintf(words, sizeof words, "%s: %" PRIu64 " of %" PRIu64 " rows of %.100s", name,
                     stripe->rows[group], rows, fx_plot_group(plot, group, number));
            if (stripe->rows[group] > 0) {
                fx_plot_rect(page, FX_PLOT_LEFT + i * width, y, width, FX_PLOT_HEIGHT * share, group, words);
            }
            y += FX_PLOT_HEIGHT * share;
        }
    }
    fx_plot_stripe_axis(plot, page);
    for (uint32_t group = 0; group < groups && x < FX_PLOT_LEFT + FX_PLOT_WIDTH - 60; ++group) {
        x = fx_plot_key(page, x, group, fx_plot_group(plot, group, number));
    }
    page->y += 24;
}

/* A bar for an epoch: what workers did, as wide as the longest epoch of all is long. */
static inline void fx_plot_draw_time(fx_plot_page *page, const fx_plot_time *time, double most_ns) {
    static const char *const stages[] = {"reading",  "decoding",   "inflating", "scanning",
                                         "checking", "sequencing", "encoding"};
    char words[128], name[32], number[32];
    const double second = time->seconds > 0 ? time->seconds : 1;
    double x = FX_PLOT_LEFT;
    snprintf(name, sizeof name, "epoch %" PRIu64, time->epoch);
    fx_plot_text(page, FX_PLOT_LEFT - 8, page->y + 12, "end", name);
    for (uint32_t stage = 0; stage < BIOST_STAGE_CALLER; ++stage) {
        const double width = (FX_PLOT_WIDTH - 190) * (double)time->busy_ns[stage] / most_ns;
        snprintf(words, sizeof words, "%s: %.1f ms %s", name, (double)time->busy_ns[stage] / 1e6,
                 stages[stage]);
        if (time->busy_ns[stage] > 0) {
            fx_plot_rect(page, x, page->y, width, 16, stage, words);
        }
        x += width;
    }
    if (time->text_bytes > 0) {
        snprintf(words, sizeof words, "%s MB/s, caller waits %.0f %%",
                 fx_plot_number(number, (double)time->text_bytes / 1e6 / second),
                 100 * (double)time->waiting_ns / 1e9 / second);
    } else {
        snprintf(words, sizeof words, "%.0f rows/s, caller waits %.0f %%", (double)time->rows / second,
                 100 * (double)time->waiting_ns / 1e9 / second);
    }
    fx_plot_text(page, x + 6, page->y + 12, "dim", words);
    page->y += 22;
}

static inline void fx_plot_times(const fx_plot *plot, fx_plot_page *page) {
    static const char *const stages[] = {"read", "decode", "inflate", "scan", "check", "sequence", "encode"};
    const uint64_t first = plot->epochs > FX_PLOT_EPOCHS ? plot->epochs - FX_PLOT_EPOCHS : 0;
    double most_ns = 1, x = FX_PLOT_LEFT;
    for (uint64_t i = first; i < plot->epochs; ++i) {
        double sum_ns = 0;
        for (int stage = 0; stage < BIOST_STAGE_CALLER; ++stage) {
            sum_ns += (double)plot->times[i % FX_PLOT_EPOCHS].busy_ns[stage];
        }
        most_ns = sum_ns > most_ns ? sum_ns : most_ns;
    }
    fx_plot_title(page, "Time at work, of all workers", first > 0 ? "the last 24 epochs" : "");
    for (uint64_t i = first; i < plot->epochs; ++i) {
        fx_plot_draw_time(page, &plot->times[i % FX_PLOT_EPOCHS], most_ns);
    }
    page->y += 4;
    for (uint32_t stage = 0; stage < BIOST_STAGE_CALLER; ++stage) {
        x = fx_plot_key(page, x, stage, stages[stage]);
    }
    page->y += 26;
    fx_plot_text(page, FX_PLOT_LEFT, page->y, "dim", plot->hint);
    page->y += 12;
}

/* Colours that are told apart in print and by most who see few, in light and in dark. */
static inline void fx_plot_style(fx_plot_page *page, int height) {
    static const char *const colours[10] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee",
                                            "#aa3377", "#ee8866", "#44bb99", "#999933", "#888888"};
    char words[200];
    snprintf(words, sizeof words,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
             FX_PLOT_PAGE, height, FX_PLOT_PAGE, height);
    fx_plot_put(page, words);
    fx_plot_put(
        page,
        "<style>\ntext { font: 12px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #1f2328 }\n"
        ".head { font-size: 14px; font-weight: 600 } .dim { fill: #59636e } .end { text-anchor: end }\n"
        ".middle { text-anchor: middle } rect { shape-rendering: crispEdges } .page { fill: #ffffff }\n");
    for (int i = 0; i < 10; ++i) {
        snprintf(words, sizeof words, ".c%d { fill: %s }%s", i, colours[i], i % 5 == 4 ? "\n" : " ");
        fx_plot_put(page, words);
    }
    fx_plot_put(
        page, "@media (prefers-color-scheme: dark) {\ntext { fill: #f0f6fc } .dim { fill: #9198a1 } "
              ".page { fill: #0d1117 } }\n</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
}

/* How tall the picture is. */
static inline int fx_plot_height(const fx_plot *plot) {
    const int part = 30 + FX_PLOT_HEIGHT + 35,
              epochs = plot->epochs < FX_PLOT_EPOCHS ? (int)plot->epochs : FX_PLOT_EPOCHS;
    const int parts = plot->batches > 0 ? 2 : 0;
    return 8 + parts * part + (plot->group_count > 1 && parts > 0 ? part + 24 : 0) + 30 + epochs * 22 + 42 +
           12;
}

/* Write the picture to a file. Returns an exit code, after a sentence where something failed. */
static inline int fx_plot_save(const fx_plot *plot, const char *program, const char *path) {
    fx_plot_page page;
    fx_before_save(program, path);
    fx_save_begin(&page.save, path);
    page.y = 8;
    fx_plot_style(&page, fx_plot_height(plot));
    if (plot->batches > 0 && plot->longest > 0) {
        fx_plot_lengths(plot, &page);
    }
    if (plot->batches > 0) {
        fx_plot_padding(plot, &page);
    }
    if (plot->batches > 0 && plot->group_count > 1) {
        fx_plot_groups(plot, &page);
    }
    fx_plot_times(plot, &page);
    fx_plot_put(&page, "</svg>\n");
    return fx_save_end(&page.save, program);
}

#endif /* FX_PLOT_H */
