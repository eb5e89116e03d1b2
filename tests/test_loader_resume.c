/*
 * test_loader_resume.c - tokens: a loader opened with the token of a batch delivers exactly what the
 * first one would have delivered behind it, whatever the machine and the world; and a token that does
 * not fit is refused.
 */
#include "white.h"

#include "test.h"

#include "loader_oracle.h"

#define TOKENS_MOST 64u

static char tokens_sentence[256]; /* what the epoch that tokens_take delivered ended with; "": well */

typedef struct token_bytes {
    uint8_t data[512];
    size_t count;
} token_bytes;

/* Deliver an epoch, taking the token of each batch, the last ones where there are many. Returns
   batches delivered. */
static size_t tokens_take(const biost_loader_desc *desc, uint64_t epoch, token_bytes *tokens) {
    biost_loader *loader = oracle_open(desc);
    biost_batch batch;
    size_t count = 0;
    if (loader != NULL && CHECK(biost_loader_begin(loader, epoch) == BIOST_OK)) {
        while (biost_loader_next(loader, &batch) == BIOST_OK) {
            token_bytes *token = &tokens[count++ % TOKENS_MOST];
            memset(token->data, 0xEE, sizeof token->data);
            CHECK(biost_loader_token(loader, &batch, token->data, 512, &token->count) == BIOST_OK);
            CHECK(token->count > 0 && token->count <= 512);
            CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
        }
        strcpy(tokens_sentence, biost_loader_error(loader) == NULL ? "" : biost_loader_error(loader)->text);
    }
    biost_loader_close(loader);
    return count;
}

/* The digests of all batches in [from, ...). */
static uint64_t digest_from(const oracle *o, size_t from) {
    uint64_t digest = 0;
    for (; from < o->batch_count; ++from) {
        digest += o->batches[from].digest;
    }
    return digest;
}

/* Resume behind batch `k` and compare the rest of this epoch; then, if it ended well, the next epoch. */
static void resume_at(const biost_loader_desc *desc, const token_bytes *token, size_t k, const oracle *o,
                      const oracle *next) {
    biost_loader_desc with = *desc;
    biost_loader *loader;
    uint8_t *copy = test_copy(token->data, token->count);
    with.token = copy;
    with.token_bytes = token->count;
    loader = oracle_open(&with);
    free(copy); /* the token was copied */
    if (loader == NULL) {
        return;
    }
    CHECK_EQ_U64(biost_loader_first_epoch(loader), o->epoch);
    CHECK(biost_loader_begin(loader, o->epoch + 1) == BIOST_ERR_ARG);
    CHECK(biost_loader_error(loader) == NULL);
    if (CHECK(biost_loader_begin(loader, o->epoch) == BIOST_OK)) {
        oracle_drain(o, loader, k + 1);
        CHECK_STR(biost_loader_error(loader) == NULL ? "" : biost_loader_error(loader)->text,
                  tokens_sentence);
        if (next != NULL && !o->failed && CHECK(biost_loader_begin(loader, next->epoch) == BIOST_OK)) {
            oracle_drain(next, loader, 0);
        }
    }
    biost_loader_close(loader);
}

/* Take all tokens of an epoch on one machine, and resume from each of them on others. */
static void resume_everywhere(random_case *c, uint64_t *random) {
    static token_bytes tokens[TOKENS_MOST];
    uint64_t epoch = random_below(random, 3);
    size_t count, k;
    c->desc.world = random_world(c->desc.batch_rows, random);
    c->desc.rank = random_below(random, c->desc.world);
    count = tokens_take(&c->desc, epoch, tokens);
    for (k = count > TOKENS_MOST ? count - TOKENS_MOST : 0; k < count; ++k) {
        oracle o, next;
        biost_loader_desc desc = c->desc;
        random_machine(&desc, random);
        desc.world = random_world(desc.batch_rows, random);
        desc.rank = random_below(random, desc.world);
        oracle_make(&o, &desc, c->texts, c->text_count, epoch, c->end);
        oracle_make(&next, &desc, c->texts, c->text_count, epoch + 1, c->end);
        CHECK_EQ_U64(o.batch_count, count);
        resume_at(&desc, &tokens[k % TOKENS_MOST], k, &o, k % 4 == 0 ? &next : NULL);
        oracle_free(&o);
        oracle_free(&next);
    }
}

TEST(resume, random_cases_after_every_batch) {
    uint64_t random = test_seed();
    uint32_t i;
    for (i = 0; i < 80; ++i) {
        random_case c;
        random_case_make(&c, &random, 0);
        random_machine(&c.desc, &random);
        test_note("case %u", (unsigned)i);
        resume_everywhere(&c, &random);
        random_case_free(&c);
    }
}

/* Several default pages, so that anchors stand far apart and some of them are dropped. */
TEST(resume, large_cases) {
    static token_bytes tokens[TOKENS_MOST];
    uint64_t random = test_seed() + 1;
    uint32_t i;
    for (i = 0; i < 8; ++i) {
        size_t count, k;
        oracle o;
        random_case c;
        random_case_make(&c, &random, 1);
        random_machine(&c.desc, &random);
        c.desc.batch_rows = 256;
        c.desc.row_bases = 64;
        c.desc.long_records = BIOST_LONG_SPLIT;
        c.desc.split_stride = i % 3 == 0 ? 40 : 0;
        c.desc.augment.crop_bases = 0;
        c.desc.shuffle_rows = i % 2 == 0 ? 700 : 0;
        c.desc.test.page_bytes = i % 4 < 2 ? 0 : 1000;
        c.desc.test.chunk_bytes = 0;
        test_note("large case %u", (unsigned)i);
        count = tokens_take(&c.desc, 5, tokens);
        oracle_make(&o, &c.desc, c.texts, c.text_count, 5, c.end);
        for (k = count > TOKENS_MOST ? count - TOKENS_MOST : 0; k < count; k += 1 + count / 5) {
            random_machine(&c.desc, &random);
            c.desc.test.page_bytes = i % 3 == 0 ? 0 : 4096;
            resume_at(&c.desc, &tokens[k % TOKENS_MOST], k, &o, NULL);
        }
        oracle_free(&o);
        random_case_free(&c);
    }
}

/* What a resume costs: the anchor lies at or before tick - W + 1, and no more than max(W / 32, samples
   of one page) before it. Reads of 50 bases make 113 to 137 bytes of text, so a page of 1000 bytes
   starts at most 9 of them. */
TEST(resume, anchors_are_close) {
    static token_bytes tokens[TOKENS_MOST];
    static const uint32_t windows[] = {0, 7, 100, 1000, 5000};
    uint64_t random = test_seed() + 8;
    text_shape shape = {4000, 50, 50, 0, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    bsi_crc_tables tables;
    uint32_t w;
    size_t count, k;
    bsi_crc_init(&tables);
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 64;
    desc.row_bases = 50;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    desc.test.page_bytes = 1000;
    for (w = 0; w < 5; ++w) {
        uint64_t window = windows[w] > 1 ? windows[w] : 1, slack = window / 32 > 9 ? window / 32 : 9;
        desc.shuffle_rows = windows[w];
        desc.workers = 1 + w % 3;
        count = tokens_take(&desc, 0, tokens);
        CHECK_EQ_U64(count, 63);
        for (k = 0; k < count; ++k) {
            bsi_token token;
            uint64_t needed;
            test_note("window %u, batch %u", (unsigned)windows[w], (unsigned)k);
            REQUIRE(bsi_token_read(&tables, tokens[k].data, tokens[k].count, &token));
            CHECK(token.tick >= window - 1 || token.tick == 4000);
            needed = token.tick > window - 1 ? token.tick - (window - 1) : 0;
            CHECK(token.anchor.sample <= needed);
            CHECK(token.anchor.sample + slack >= needed);
        }
    }
    bytes_free(&text);
}

/* A gzip file of three members, the last one damaged: all its text is delivered, then the same
   sentence, wherever the loader was resumed, says since which record nothing is vouched for. */
TEST(resume, damaged_gzip) {
    static token_bytes tokens[TOKENS_MOST];
    uint64_t random = test_seed() + 7;
    text_shape shape = {60, 5, 20, 0, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0}, packed = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    oracle o;
    size_t count, k;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    gzip_make(&packed, &text, text.count / 3 + 1, 300, 0);
    packed.data[packed.count - 6] ^= 1; /* of its CRC-32 */
    oracle_inputs(&desc, &memory, &packed, 1);
    desc.batch_rows = 4;
    desc.row_bases = 20;
    desc.shuffle_rows = 6;
    desc.workers = 2;
    desc.test.page_bytes = 100;
    oracle_make(&o, &desc, &text, 1, 0, ORACLE_FAILS);
    count = tokens_take(&desc, 0, tokens);
    CHECK_EQ_U64(count, 15);
    CHECK(strstr(tokens_sentence, "unverified") != NULL);
    for (k = 0; k < count; ++k) {
        test_note("behind batch %u", (unsigned)k);
        resume_at(&desc, &tokens[k], k, &o, NULL);
    }
    oracle_free(&o);
    bytes_free(&text);
    bytes_free(&packed);
}

/* What a token promises in words: the digests before and behind it add up, over all ranks. */
TEST(resume, digests_add_up) {
    uint64_t random = test_seed() + 2, before, behind;
    text_shape shape = {57, 1, 50, 1, 17, 0, 0, 1};
    static token_bytes tokens[TOKENS_MOST];
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    oracle o;
    size_t count, k, i;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 8;
    desc.row_bases = 16;
    desc.long_records = BIOST_LONG_SPLIT;
    desc.shuffle_rows = 20;
    desc.digest = 1;
    desc.workers = 2;
    desc.test.page_bytes = 100;
    oracle_make(&o, &desc, &text, 1, 0, ORACLE_ENDS_WELL);
    count = tokens_take(&desc, 0, tokens);
    CHECK_EQ_U64(count, o.batch_count);
    for (k = 0; k < count && k < TOKENS_MOST; ++k) {
        before = digest_from(&o, 0) - digest_from(&o, k + 1);
        behind = 0;
        for (i = 0; i < 4; ++i) { /* four ranks go on where one stopped */
            biost_loader_desc with = desc;
            biost_loader *loader;
            biost_batch batch;
            with.world = 4;
            with.rank = (uint32_t)i;
            with.token = tokens[k].data;
            with.token_bytes = tokens[k].count;
            loader = oracle_open(&with);
            if (loader != NULL && CHECK(biost_loader_begin(loader, 0) == BIOST_OK)) {
                while (biost_loader_next(loader, &batch) == BIOST_OK) {
                    behind += batch.digest;
                    CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
                }
                CHECK(biost_loader_next(loader, &batch) == BIOST_END);
            }
            biost_loader_close(loader);
        }
        CHECK_EQ_U64(before + behind, o.digest);
    }
    oracle_free(&o);
    bytes_free(&text);
}

/* A token of a batch of an earlier epoch that is still held is a token of that epoch. */
TEST(resume, token_of_a_batch_held_into_the_next_epoch) {
    uint64_t random = test_seed() + 3;
    text_shape shape = {30, 5, 20, 0, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    biost_loader *loader;
    biost_batch first, other;
    token_bytes token;
    oracle o;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 4;
    desc.shuffle_rows = 9;
    loader = oracle_open(&desc);
    REQUIRE(loader != NULL && biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(biost_loader_next(loader, &first) == BIOST_OK);
    CHECK(biost_loader_begin(loader, 1) == BIOST_OK);
    CHECK(biost_loader_next(loader, &other) == BIOST_OK);
    CHECK(biost_loader_token(loader, &first, token.data, 512, &token.count) == BIOST_OK);
    biost_loader_close(loader);
    oracle_make(&o, &desc, &text, 1, 0, ORACLE_ENDS_WELL);
    resume_at(&desc, &token, 0, &o, NULL);
    oracle_free(&o);
    bytes_free(&text);
}

/* ---- tokens that do not fit ---- */

/* Opening with this token fails so. */
static void refused(const biost_loader_desc *desc, biost_result code, biost_fault fault) {
    biost_loader *loader = NULL;
    biost_error error;
    CHECK_STR(biost_result_name(biost_loader_open(desc, &loader, &error)), biost_result_name(code));
    CHECK_STR(biost_fault_name(error.fault), biost_fault_name(fault));
    CHECK(error.code == code && error.text[0] != '\0');
    CHECK(loader == NULL);
    biost_loader_close(loader);
}

/* Change one [data] field, numbered from 0; returns 0 when there are no more. */
static int change_field(biost_loader_desc *desc, int field) {
    switch (field) {
    case 0: desc->batch_rows = 16; return 1;
    case 1: desc->row_bases = 12; return 1;
    case 2: desc->long_records = BIOST_LONG_FAIL; return 1;
    case 3: desc->tail = BIOST_TAIL_SHORT; return 1;
    case 4: desc->encoding.kind = BIOST_ENCODE_TOKENS; return 1;
    case 5: desc->encoding.dtype = BIOST_DTYPE_F32; return 1;
    case 6: desc->filter.min_length = 1; return 1;
    case 7: desc->filter.max_length = 1000; return 1;
    case 8: desc->filter.min_mean_quality = 0.001f; return 1;
    case 9: desc->augment.reverse_complement = 0.25f; return 1;
    case 10: desc->augment.substitute = 0.125f; return 1;
    case 11: desc->shuffle_rows = 21; return 1;
    case 12: desc->seed = 1; return 1;
    case 13: desc->max_record_bytes = 1u << 20; return 1;
    default: return 0;
    }
}

TEST(token, other_descs_and_damage_are_refused) {
    uint64_t random = test_seed() + 4;
    text_shape shape = {57, 1, 50, 0, 0, 0, 0, 0};
    static token_bytes tokens[TOKENS_MOST];
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc, with;
    biost_memory memory;
    int field;
    size_t i;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 8;
    desc.row_bases = 16;
    desc.long_records = BIOST_LONG_SPLIT;
    desc.shuffle_rows = 20;
    desc.workers = 1;
    desc.test.page_bytes = 100;
    REQUIRE(tokens_take(&desc, 2, tokens) > 2);
    desc.token = tokens[1].data;
    desc.token_bytes = tokens[1].count;
    for (field = 0, with = desc; change_field(&with, field); with = desc, ++field) {
        test_note("field %d", field);
        refused(&with, BIOST_ERR_ARG, BIOST_FAULT_TOKEN_DESC);
    }
    CHECK_EQ_I64(field, 14);
    for (i = 0; i < desc.token_bytes * 8; ++i) { /* each bit of it */
        test_note("bit %u", (unsigned)i);
        tokens[1].data[i / 8] ^= (uint8_t)(1u << i % 8);
        refused(&desc, BIOST_ERR_ARG, BIOST_FAULT_TOKEN_DAMAGED);
        tokens[1].data[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    for (i = 1; i < tokens[1].count; ++i) { /* each shorter one, in memory of its size */
        uint8_t *part = test_copy(tokens[1].data, i);
        with = desc;
        with.token = part;
        with.token_bytes = i;
        refused(&with, BIOST_ERR_ARG, BIOST_FAULT_TOKEN_DAMAGED);
        free(part);
    }
    with = desc;
    with.token_bytes = tokens[1].count + 1;
    refused(&with, BIOST_ERR_ARG, BIOST_FAULT_TOKEN_DAMAGED);
    /* [machine] and [place] fields are no part of it */
    with = desc;
    with.workers = 3;
    with.slots = 2;
    with.digest = 1;
    with.world = 4;
    with.rank = 3;
    biost_loader_close(oracle_open(&with));
    bytes_free(&text);
}

TEST(token, other_input_is_refused) {
    uint64_t random = test_seed() + 5;
    text_shape shape = {1200, 60, 60, 0, 0, 0, 0, 0};
    static token_bytes tokens[TOKENS_MOST];
    bytes text = {NULL, 0, 0}, two[2];
    biost_loader_desc desc, with;
    biost_memory memory, memories[2];
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    CHECK(text.count > 2 * 65536);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 300;
    desc.workers = 1;
    REQUIRE(tokens_take(&desc, 0, tokens) == 4);
    desc.token = tokens[0].data;
    desc.token_bytes = tokens[0].count;
    biost_loader_close(oracle_open(&desc));
    with = desc; /* the same text as two inputs */
    two[0] = two[1] = text;
    two[0].count = text.count / 2;
    two[1].data += text.count / 2;
    two[1].count -= text.count / 2;
    oracle_inputs(&with, memories, two, 2);
    refused(&with, BIOST_ERR_STALE, BIOST_FAULT_TOKEN_INPUT);
    --memory.bytes;
    refused(&desc, BIOST_ERR_STALE, BIOST_FAULT_TOKEN_INPUT);
    ++memory.bytes;
    text.data[100] ^= 1; /* one bit of its head, of its tail */
    refused(&desc, BIOST_ERR_STALE, BIOST_FAULT_TOKEN_INPUT);
    text.data[100] ^= 1;
    text.data[text.count - 100] ^= 1;
    refused(&desc, BIOST_ERR_STALE, BIOST_FAULT_TOKEN_INPUT);
    text.data[text.count - 100] ^= 1;
    memory.name = "another name"; /* names are no part of it */
    biost_loader_close(oracle_open(&desc));
    bytes_free(&text);
}

TEST(token, calls_at_the_wrong_time) {
    uint64_t random = test_seed() + 6;
    text_shape shape = {20, 5, 5, 0, 0, 0, 0, 0};
    bytes text = {NULL, 0, 0};
    biost_loader_desc desc;
    biost_memory memory;
    biost_loader *loader;
    biost_batch batch;
    uint8_t token[512];
    size_t count = 0, i;
    memset(&desc, 0, sizeof desc);
    text_make(&text, &shape, &random);
    oracle_inputs(&desc, &memory, &text, 1);
    desc.batch_rows = 4;
    loader = oracle_open(&desc);
    REQUIRE(loader != NULL);
    CHECK_EQ_U64(biost_loader_first_epoch(loader), 0);
    CHECK(biost_loader_begin(loader, 0) == BIOST_OK);
    CHECK(biost_loader_next(loader, &batch) == BIOST_OK);
    CHECK(biost_loader_token(loader, &batch, token, 512, &count) == BIOST_OK);
    for (i = 0; i < count; ++i) {
        size_t written = 0;
        CHECK(biost_loader_token(loader, &batch, token, i, &written) == BIOST_ERR_ARG);
    }
    CHECK(biost_loader_token(loader, &batch, NULL, 512, &count) == BIOST_ERR_ARG);
    CHECK(biost_loader_release(loader, &batch) == BIOST_OK);
    CHECK(biost_loader_token(loader, &batch, token, 512, &count) == BIOST_ERR_ARG);
    CHECK(biost_loader_error(loader) == NULL);
    biost_loader_close(loader);
    bytes_free(&text);
}
