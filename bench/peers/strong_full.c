/*
 * strong_full.c - what a C program does for training whose author knows where time goes: a gzip FASTQ file of reads of at
 * most 150 bases by ISA-L in a thread of its own; records split in place by memchr; a buffer of 65536 reads of which each
 * new one drives out one that is drawn; batches as naive_full.c makes them: one-hot f32 [256][150][4], qualities u8 and mask
 * u8 [256][150], four of each in turn, each read reverse complemented with probability 0.5.
 *
 *   cc -O3 -march=native bench/peers/strong_full.c -o strong_full -lisal -pthread
 *   ./strong_full [--sums] FILE.fastq.gz
 *
 * It takes four-line FASTQ alone and ends at anything else. It prints what naive_full.c prints.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isa-l/igzip_lib.h>

enum {
    ROWS = 256,
    BASES = 150,
    CHANNELS = 4,
    BUFFER = 256 * ROWS,
    SLOTS = 4,
    BLOCKS = 4,
    BLOCK = 1 << 20,
    INPUT = 1 << 18
};
enum { SEAM = 1 << 16 }; /* bytes of the next block among which a record that two blocks share must end */

/* ---- text, from a thread to the other --------------------------------------------- */

/* Blocks [taken, filled) of the ring hold text that waits. */
static struct ring {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint8_t *blocks[BLOCKS]; /* [BLOCK] each */
    size_t bytes[BLOCKS];
    uint32_t filled, taken;
    int has_ended;
    const char *fault; /* why the text ended too early; NULL: it did not */
} ring = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {NULL}, {0}, 0, 0, 0, NULL};

static FILE *file;

/* Fill a block as far as there is text; members follow one another. NULL, or what is wrong. */
static const char *inflate_block(struct inflate_state *state, uint8_t *block, size_t *out_bytes,
                                 int *out_ended) {
    static uint8_t input[INPUT];
    state->next_out = block;
    state->avail_out = BLOCK;
    while (state->avail_out > 0) {
        if (state->avail_in == 0) {
            state->next_in = input;
            state->avail_in = (uint32_t)fread(input, 1, INPUT, file);
        }
        if (state->avail_in == 0) {
            *out_ended = 1;
            *out_bytes = BLOCK - state->avail_out;
            return state->block_state == ISAL_BLOCK_FINISH ? NULL : "the file is cut off";
        }
        if (state->block_state == ISAL_BLOCK_FINISH) {
            isal_inflate_reset(state);
            state->crc_flag = ISAL_GZIP;
        }
        if (isal_inflate(state) != ISAL_DECOMP_OK) {
            return "the file is damaged";
        }
    }
    *out_bytes = BLOCK;
    return NULL;
}

static void *inflate(void *unused) {
    struct inflate_state state;
    int has_ended = 0;
    (void)unused;
    isal_inflate_init(&state);
    state.crc_flag = ISAL_GZIP;
    state.avail_in = 0;
    while (!has_ended) {
        const char *fault;
        size_t bytes = 0;
        uint32_t at;
        pthread_mutex_lock(&ring.mutex);
        while (ring.filled - ring.taken == BLOCKS) {
            pthread_cond_wait(&ring.changed, &ring.mutex);
        }
        at = ring.filled % BLOCKS;
        pthread_mutex_unlock(&ring.mutex);
        fault = inflate_block(&state, ring.blocks[at], &bytes, &has_ended);
        has_ended |= fault != NULL;
        pthread_mutex_lock(&ring.mutex);
        ring.bytes[at] = bytes;
        ++ring.filled;
        ring.has_ended = has_ended;
        ring.fault = fault;
        pthread_cond_signal(&ring.changed);
        pthread_mutex_unlock(&ring.mutex);
    }
    return NULL;
}

/* Give the block before back, if there is one, and take the next. 0: the text has ended. */
static size_t next_block(const char **out_text) {
    static int holds;
    size_t bytes = 0;
    pthread_mutex_lock(&ring.mutex);
    if (holds) {
        ++ring.taken;
        pthread_cond_signal(&ring.changed);
    }
    while (ring.taken == ring.filled && !ring.has_ended) {
        pthread_cond_wait(&ring.changed, &ring.mutex);
    }
    holds = ring.taken != ring.filled;
    if (holds) {
        *out_text = (const char *)ring.blocks[ring.taken % BLOCKS];
        bytes = ring.bytes[ring.taken % BLOCKS];
    }
    pthread_mutex_unlock(&ring.mutex);
    return bytes;
}

/* ---- batches ---------------------------------------------------------------------- */

typedef struct read {
    uint32_t bases;
    char seq[BASES], qual[BASES];
} read_t;

static read_t buffer[BUFFER];
static uint32_t buffered;
static float x[SLOTS][ROWS][BASES][CHANNELS];
static uint8_t quality[SLOTS][ROWS][BASES], mask[SLOTS][ROWS][BASES];
static int32_t lengths[SLOTS][ROWS];
static float one_hot[2][256][CHANNELS]; /* of a letter, and of its complement */
static uint32_t slot, row;

/* What is summed from the tensors, and the letters of the first batch. */
static int wants_sums;
static uint64_t sum_rows, sum_at, sum_cg, sum_quality, sum_mask, sum_lengths;
static char first[ROWS][BASES + 1];

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static uint32_t draw(uint32_t below) {
    return (uint32_t)((next_random() >> 32) * below >> 32);
}

static void make_tables(void) {
    static const char letters[] = "AaCcGgTtUu", channels[] = "0011223333";
    for (int i = 0; letters[i] != '\0'; ++i) {
        one_hot[0][(unsigned char)letters[i]][channels[i] - '0'] = 1;
        one_hot[1][(unsigned char)letters[i]]['3' - channels[i]] = 1;
    }
}

static void add_sums(void) {
    for (uint32_t r = 0; r < row; ++r) {
        sum_lengths += (uint64_t)lengths[slot][r];
        for (int i = 0; i < BASES; ++i) {
            const float *one = x[slot][r][i];
            sum_at += one[0] > 0 || one[3] > 0;
            sum_cg += one[1] > 0 || one[2] > 0;
            sum_quality += quality[slot][r][i];
            sum_mask += mask[slot][r][i];
        }
        for (int i = 0; sum_rows == 0 && i < lengths[slot][r]; ++i) {
            const float *one = x[slot][r][i];
            first[r][i] = one[0] > 0 ? 'A' : one[1] > 0 ? 'C' : one[2] > 0 ? 'G' : one[3] > 0 ? 'T' : 'N';
        }
    }
}

static void end_batch(void) {
    if (wants_sums) {
        add_sums();
    }
    sum_rows += row;
    row = 0;
    slot = (slot + 1) % SLOTS;
}

static void encode(const read_t *from) {
    const uint32_t bases = from->bases;
    const unsigned char *seq = (const unsigned char *)from->seq, *qual = (const unsigned char *)from->qual;
    float(*to)[CHANNELS] = x[slot][row];
    uint8_t *scores = quality[slot][row];
    if (next_random() >> 63) {
        for (uint32_t i = 0; i < bases; ++i) {
            memcpy(to[i], one_hot[1][seq[bases - 1 - i]], sizeof to[i]);
        }
        for (uint32_t i = 0; i < bases; ++i) {
            scores[i] = (uint8_t)(qual[bases - 1 - i] - 33);
        }
    } else {
        for (uint32_t i = 0; i < bases; ++i) {
            memcpy(to[i], one_hot[0][seq[i]], sizeof to[i]);
        }
        for (uint32_t i = 0; i < bases; ++i) {
            scores[i] = (uint8_t)(qual[i] - 33);
        }
    }
    memset(to + bases, 0, sizeof to[0] * (BASES - bases));
    memset(scores + bases, 0, BASES - bases);
    memset(mask[slot][row], 1, bases);
    memset(mask[slot][row] + bases, 0, BASES - bases);
    lengths[slot][row] = (int32_t)bases;
    if (++row == ROWS) {
        end_batch();
    }
}

static void add(const char *seq, const char *qual, size_t bases) {
    read_t *to = &buffer[buffered < BUFFER ? buffered++ : draw(BUFFER)];
    if (to->bases > 0) {
        encode(to);
    }
    to->bases = (uint32_t)bases;
    memcpy(to->seq, seq, bases);
    memcpy(to->qual, qual, bases);
}

/* The rest of the buffer in an order that is drawn. */
static void drain(void) {
    while (buffered > 0) {
        read_t *drawn = &buffer[draw(buffered)];
        encode(drawn);
        *drawn = buffer[--buffered];
    }
    if (row > 0) {
        end_batch();
    }
}

/* ---- records ---------------------------------------------------------------------- */

/* Add the record at the start of the text; its bytes, 0: it goes on beyond, -1: it is none. */
static ptrdiff_t add_record(const char *text, size_t bytes) {
    const char *ends[4], *at = text;
    for (int line = 0; line < 4; ++line) {
        ends[line] = (const char *)memchr(at, '\n', bytes - (size_t)(at - text));
        if (ends[line] == NULL) {
            return 0;
        }
        at = ends[line] + 1;
    }
    if (text[0] != '@' || ends[1][1] != '+' || ends[1] - ends[0] != ends[3] - ends[2] ||
        ends[1] - ends[0] - 1 > BASES || ends[1] - ends[0] < 2) {
        return -1;
    }
    add(ends[0] + 1, ends[2] + 1, (size_t)(ends[1] - ends[0] - 1));
    return at - text;
}

/* All records that end in the block. What is left goes to the side, and is joined with the next block's first bytes. */
static int add_block(const char *text, size_t bytes) {
    static char side[SEAM + SEAM];
    static size_t kept;
    ptrdiff_t length = 0;
    if (kept > 0) {
        const size_t more = bytes < SEAM ? bytes : SEAM;
        memcpy(side + kept, text, more);
        length = add_record(side, kept + more);
        if (length <= 0) {
            return 0;
        }
        text += length - (ptrdiff_t)kept;
        bytes -= (size_t)length - kept;
    }
    while (bytes > 0 && (length = add_record(text, bytes)) > 0) {
        text += length;
        bytes -= (size_t)length;
    }
    kept = bytes;
    if (length < 0 || kept > SEAM) {
        return 0;
    }
    memcpy(side, text, kept);
    return 1;
}

int main(int argc, char **argv) {
    pthread_t thread;
    const char *text;
    size_t bytes;
    int good = 1;
    wants_sums = argc == 3 && strcmp(argv[1], "--sums") == 0;
    file = argc == 2 + wants_sums ? fopen(argv[1 + wants_sums], "rb") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: strong_full [--sums] FILE.fastq.gz\n");
        return 2;
    }
    make_tables();
    for (int i = 0; i < BLOCKS; ++i) {
        ring.blocks[i] = (uint8_t *)malloc(BLOCK);
        good = good && ring.blocks[i] != NULL;
    }
    if (!good || pthread_create(&thread, NULL, inflate, NULL) != 0) {
        fprintf(stderr, "strong_full: there is no memory, or no thread\n");
        return 1;
    }
    while (good && (bytes = next_block(&text)) > 0) {
        good = add_block(text, bytes);
    }
    if (!good || ring.fault != NULL) {
        fprintf(stderr, "strong_full: %s\n",
                good ? ring.fault : "text that is no FASTQ of four lines and 1 to 150 bases");
        return 1;
    }
    pthread_join(thread, NULL);
    drain();
    fclose(file);
    printf("rows %" PRIu64, sum_rows);
    if (wants_sums) {
        printf(" at %" PRIu64 " cg %" PRIu64 " quality %" PRIu64 " mask %" PRIu64 " lengths %" PRIu64, sum_at,
               sum_cg, sum_quality, sum_mask, sum_lengths);
        for (int r = 0; r < ROWS && first[r][0] != '\0'; ++r) {
            printf("\n%s", first[r]);
        }
    }
    printf("\n");
    return 0;
}
