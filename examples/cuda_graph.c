/*
 * cuda_graph - batches for a CUDA graph: one is captured for each slot of the device, and launched with its batches.
 *
 * Shows: a graph reads the addresses that it was captured with; those of a slot never change, and batch.slot says which
 * it is. The graph stands for a model's step: it copies the batch back, where G and C are counted. The calls that no
 * provider has come out of the driver: no CUDA toolkit is needed. Without a GPU it says why, and does it without graphs.
 *
 *   cc -O2 examples/cuda_graph.c -o cuda_graph -pthread        (-ldl too with an older libc)
 *
 *   $ build/examples/cuda_graph examples/data/illumina_hiseqx_150bp.fastq.gz
 *   ...
 *   40 batches, ... graphs: 49.91 % of 1500000 bases are G or C
 */
#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "../biostream_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
enum { ROWS = 256, BASES = 150, SLOTS = 3, THREAD_LOCAL = 1 };

/* The consumer: its stream, where it writes, and the graph of each slot, NULL until its first batch. */
typedef struct step {
    const biost_cuda_provider *calls;
    void *state;
    biost_cuda_stream stream;
    void *host; /* page-locked, [ROWS][BASES] */
    void *graphs[SLOTS];
    int (*begin)(biost_cuda_stream stream, int mode);
    int (*end)(biost_cuda_stream stream, void **out_graph);
    int (*instantiate)(void **out_graph, void *captured, unsigned long long flags);
    int (*launch)(void *graph, biost_cuda_stream stream);
    int (*destroy_captured)(void *captured), (*destroy)(void *graph);
} step;

/* The address of a call, without a library NULL. A pointer to a function is not one to data: hence memcpy. */
static void find(void *library, const char *name, void *out_call) {
    void *symbol = library != NULL ? dlsym(library, name) : NULL;
    memcpy(out_call, &symbol, sizeof symbol);
}

/* Ask the stream for the work on one batch, all of it at the slot's addresses. Not 0: it failed. */
static int ask(const step *s, const biost_cuda_batch *batch) {
    return s->calls->copy_out(s->state, s->host, batch->x.data, (size_t)ROWS * BASES, s->stream);
}

/* The same by the graph of the batch's slot, which is captured when the slot comes for the first time. */
static int launch(step *s, const biost_cuda_batch *batch) {
    void **graph = &s->graphs[batch->slot], *captured = NULL;
    int failed = 0;
    if (s->instantiate != NULL && *graph == NULL) {
        failed = s->begin(s->stream, THREAD_LOCAL) || ask(s, batch);
        failed = s->end(s->stream, &captured) || failed || s->instantiate(graph, captured, 0);
        failed = (captured != NULL && s->destroy_captured(captured)) || failed;
    }
    return failed || (s->instantiate != NULL ? s->launch(*graph, s->stream) : ask(s, batch));
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "reads.fastq.gz";
    static biost_loader_desc loader; /* all zero, as the others */
    static biost_cuda_desc desc;
    static step s;
    biost_cuda_batch batch;
    biost_cuda *cuda;
    biost_error error;
    biost_result result = BIOST_ERR_DEVICE;
    void *before, *library = dlopen("libcuda.so.1", RTLD_NOW);
    double marked = 0, bases = 0;
    int failed, batches = 0, graphs = 0, i;
    loader.paths = &path;
    loader.path_count = 1;
    loader.row_bases = BASES; /* and batches of ROWS, the default */
    loader.long_records = BIOST_LONG_HEAD;
    loader.encoding.kind = BIOST_ENCODE_TOKENS; /* A 1, C 2, G 3, T 4, all else 5, padding 0 */
    desc.loader = &loader;
    desc.device_slots = SLOTS;
    if (biost_cuda_look(NULL, NULL, &error) != BIOST_OK) {
        printf("%s; going on in host memory\n", error.text);
        desc.provider = biost_cuda_dummy();
        library = NULL;
    }
    if (biost_cuda_open(&desc, &cuda, &error) != BIOST_OK) {
        return fprintf(stderr, "%s\n", error.text), 1;
    }
    find(library, "cuStreamBeginCapture_v2", &s.begin);
    find(library, "cuStreamEndCapture", &s.end);
    find(library, "cuGraphInstantiateWithFlags", &s.instantiate); /* since CUDA 11.4 */
    find(library, "cuGraphLaunch", &s.launch);
    find(library, "cuGraphDestroy", &s.destroy_captured);
    find(library, "cuGraphExecDestroy", &s.destroy);
    s.calls = biost_cuda_calls(cuda, &s.state);
    failed = s.calls->enter(s.state, biost_cuda_device(cuda, 0), &before) ||
             s.calls->stream_open(s.state, 0, &s.stream) ||
             s.calls->host_alloc(s.state, ROWS * BASES, 0, &s.host) || biost_cuda_begin(cuda, 0) != BIOST_OK;
    while (!failed && (result = biost_cuda_next(cuda, &s.stream, &batch)) == BIOST_OK) {
        failed = launch(&s, &batch);
        failed = biost_cuda_release(cuda, &batch, s.stream) || s.calls->stream_finish(s.state, s.stream) ||
                 failed;
        for (i = 0; i < ROWS * BASES; ++i) { /* padding, of rows too, is neither */
            marked += ((const uint8_t *)s.host)[i] == 2 || ((const uint8_t *)s.host)[i] == 3;
            bases += ((const uint8_t *)s.host)[i] != 0;
        }
        ++batches;
    }
    for (i = 0; i < SLOTS; ++i) {
        graphs += s.graphs[i] != NULL && s.destroy(s.graphs[i]) == 0;
    }
    if (failed || result < 0) {
        printf("%s\n", biost_cuda_error(cuda) != NULL ? biost_cuda_error(cuda)->text : "a call failed");
    } else {
        printf("%d batches, %d graphs: %.2f %% of %.0f bases are G or C\n", batches, graphs,
               100 * marked / bases, bases);
    }
    (void)(s.calls->host_free(s.state, s.host) + s.calls->stream_close(s.state, s.stream));
    s.calls->leave(s.state, before);
    biost_cuda_close(cuda);
    return failed || result < 0;
}
