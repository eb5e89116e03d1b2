/*
 * llm_shard - tokens of reads or genomes in a shard that llm.c trains from.
 *
 * Shows: tokens in the order of the files, long records in pieces that join. 0 begins each record, A C G T are 1 to 4, all
 * else 5. A shard of llm.c is 256 int32, which begin with 20240520, 1 and the number of tokens, then 16 bits a token.
 *
 *   cc -O2 examples/llm_shard.c -o llm_shard -pthread
 *
 *   $ build/examples/llm_shard build/examples/tenx.bin examples/data/tenx_v2_R2_cdna.fastq.gz
 *   20 records, 1980 tokens
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <inttypes.h>
#include <stdio.h>

static const char settings[] = "encoding.kind tokens row_bases 4096 long_records split epochs 1";

/* A row's tokens, with 0 before the first of a record. Returns how many; 0 if they could not be written. */
static uint32_t put_row(const biost_batch *batch, uint32_t row, FILE *shard) {
    const uint8_t *tokens = (const uint8_t *)batch->x.data + (int64_t)row * batch->x.strides[0];
    uint32_t count = (uint32_t)batch->lengths[row], begins = batch->origins[row].piece == 0, i;
    uint16_t line[4097] = {0};
    for (i = 0; i < count; ++i) {
        line[begins + i] = tokens[i];
    }
    return fwrite(line, sizeof *line, begins + count, shard) == begins + count ? begins + count : 0;
}

int main(int argc, char **argv) {
    int32_t header[256] = {20240520, 1};
    uint64_t records = 0, tokens = 0, count = 1;
    biost_loader *loader = NULL;
    biost_batch batch;
    biost_error error;
    biost_result result = biost_loader_open_text(settings, (const char *const *)argv + 2,
                                                 argc > 2 ? (uint32_t)(argc - 2) : 0, &loader, &error);
    FILE *shard = result == BIOST_OK ? fopen(argv[1], "wb") : NULL;
    int good = shard != NULL && fwrite(header, sizeof header, 1, shard) == 1;
    result = result == BIOST_OK ? biost_loader_begin(loader, 0) : result;
    while (good && result == BIOST_OK && (result = biost_loader_next(loader, &batch)) == BIOST_OK) {
        uint32_t row;
        for (row = 0; row < batch.valid_rows && count > 0; ++row, tokens += count) {
            count = put_row(&batch, row, shard);
            records += batch.origins[row].piece == 0;
        }
        good = count > 0 && tokens <= INT32_MAX; /* the header has no more */
        biost_loader_release(loader, &batch);
    }
    header[2] = (int32_t)tokens;
    good = good && fseek(shard, 0, SEEK_SET) == 0 && fwrite(header, sizeof header, 1, shard) == 1;
    good = shard != NULL && fclose(shard) == 0 && good && result == BIOST_END;
    if (!good) {
        const biost_error *said = loader != NULL ? biost_loader_error(loader) : &error;
        fprintf(stderr, "%s\n", said != NULL ? said->text : "the shard cannot be written, or is too large");
    } else {
        printf("%" PRIu64 " records, %" PRIu64 " tokens\n", records, tokens);
    }
    biost_loader_close(loader);
    return !good;
}
