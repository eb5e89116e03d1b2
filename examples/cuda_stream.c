/*
 * cuda_stream - batches on a GPU while the previous ones are used, and when each was where.
 *
 * Shows: biost_cuda_open over a loader; next, which makes the consumer's stream wait; release; and the times of
 * desc.timeline_count. The consumer copies each batch back, on a stream of its own, by the provider's calls: no CUDA
 * toolkit is needed. Without a GPU it says why, and runs in host memory, where nothing overlaps.
 *
 *   cc -O2 examples/cuda_stream.c -o cuda_stream -pthread        (-ldl too with an older libc)
 *
 *   $ build/examples/cuda_stream examples/data/illumina_hiseqx_150bp.fastq.gz build/examples/timeline.svg
 *   ...
 *   batch   0  copied ... ..  ... ms  expanded ...  used ... ..  ...  |...
 *   ...
 *   batch  23  copied ... ..  ... ms  expanded ...  used ... ..  ...  |...
 *   drawn
 */
#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "../biostream_cuda.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
enum { BATCHES = 24, ROWS = 256, BASES = 150, WIDTH = 60 };

/* One batch's part of a line of text: c while it is copied, e expanded, = used. Times are in us. */
static void draw_text(const biost_cuda_span *s, double from, double us_a_character) {
    for (int i = 0; i < WIDTH; ++i) {
        double at = from + (i + 0.5) * us_a_character;
        int is_copy = at >= s->copy_start_us && at < s->copy_end_us;
        int is_expand = at >= s->copy_end_us && at < s->expand_end_us;
        int is_use = at >= s->use_start_us && at < s->use_end_us;
        putchar(is_copy ? 'c' : is_expand ? 'e' : is_use ? '=' : ' ');
    }
    printf("|\n");
}

/* The same of a picture; x in pixels. */
static void draw_bar(FILE *svg, uint32_t row, double from, double to, const char *colour) {
    fprintf(svg, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"10\" fill=\"%s\"/>\n", 10 + from,
            (unsigned)(20 + 14 * row), to - from > 0.5 ? to - from : 0.5, colour);
}

static void draw(const biost_cuda_span *spans, uint32_t count, FILE *svg) {
    double from = spans[0].copy_start_us, to = from, k;
    uint32_t i, height = 30 + 14 * count;
    for (i = 0; i < count; ++i) {
        to = spans[i].use_end_us > to ? spans[i].use_end_us : to;
    }
    k = to > from ? 700 / (to - from) : 1;
    fprintf(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"%" PRIu32 "\">\n", height);
    fprintf(svg, "<text x=\"8\" y=\"14\">%.3f ms: copy blue, expansion orange, use green</text>\n",
            (to - from) / 1000);
    for (i = 0; i < count; ++i) {
        const biost_cuda_span *s = &spans[i];
        double copy = s->copy_start_us - from, ready = s->copy_end_us - from, full = s->expand_end_us - from;
        double use = s->use_start_us - from, end = s->use_end_us - from;
        printf("batch %3" PRIu64 "  copied %9.3f .. %9.3f ms  expanded %9.3f  used %9.3f .. %9.3f  |",
               s->index, copy / 1000, ready / 1000, full / 1000, use / 1000, end / 1000);
        draw_text(s, from, (to - from) / WIDTH);
        draw_bar(svg, i, copy * k, ready * k, "#4477aa");
        draw_bar(svg, i, ready * k, full * k, "#ee7733");
        draw_bar(svg, i, use * k, end * k, "#228833");
    }
    fprintf(svg, "</svg>\n");
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "reads.fastq.gz";
    const biost_cuda_provider *calls;
    biost_loader_desc loader;
    biost_cuda_desc desc;
    biost_cuda_stream stream = NULL; /* the one the model would run on */
    biost_cuda_batch batch;
    biost_cuda_span spans[BATCHES];
    biost_cuda *cuda;
    biost_error error;
    biost_result result;
    FILE *svg = fopen(argc > 2 ? argv[2] : "timeline.svg", "w");
    void *state, *before, *host = NULL;
    uint32_t count = 0;
    int failed;
    memset(&loader, 0, sizeof loader);
    memset(&desc, 0, sizeof desc);
    loader.paths = &path;
    loader.path_count = 1;
    loader.row_bases = BASES; /* and batches of ROWS, the default */
    loader.long_records = BIOST_LONG_HEAD;
    loader.encoding.dtype = BIOST_DTYPE_F32;
    desc.loader = &loader;
    desc.timeline_count = BATCHES + 8; /* those on their way at the end, too */
    if (biost_cuda_look(NULL, NULL, &error) != BIOST_OK) {
        printf("%s; going on in host memory\n", error.text);
        desc.provider = biost_cuda_dummy();
    }
    if (svg == NULL || biost_cuda_open(&desc, &cuda, &error) != BIOST_OK) {
        return fprintf(stderr, "%s\n", svg == NULL ? "the picture cannot be written" : error.text), 1;
    }
    calls = biost_cuda_calls(cuda, &state);
    failed = calls->enter(state, biost_cuda_device(cuda, 0), &before) ||
             calls->stream_open(state, 0, &stream) ||
             calls->host_alloc(state, ROWS * BASES * 4 * sizeof(float), 0, &host);
    result = failed ? BIOST_ERR_DEVICE : biost_cuda_begin(cuda, 0);
    while (result == BIOST_OK && count < BATCHES && !failed &&
           (result = biost_cuda_next(cuda, &stream, &batch)) == BIOST_OK) {
        failed = calls->copy_out(state, host, batch.x.data, (size_t)batch.x.bytes, stream);
        failed = biost_cuda_release(cuda, &batch, stream) != BIOST_OK || failed;
        count += !failed;
    }
    failed = calls->stream_finish(state, stream) || failed || result < 0 ||
             biost_cuda_timeline(cuda, 0, spans, BATCHES, &count) != BIOST_OK || count == 0;
    if (!failed) {
        draw(spans, count, svg);
    }
    printf("%s\n", !failed ? "drawn" : biost_cuda_error(cuda) ? biost_cuda_error(cuda)->text : "it failed");
    (void)(calls->host_free(state, host) + calls->stream_close(state, stream));
    calls->leave(state, before);
    biost_cuda_close(cuda);
    return fclose(svg) != 0 || failed;
}
