/*
 * test_fault.c - faults and their sentences: every fault has its row, sentences are as written by
 * hand, and whatever stands in them fits in 255 printable characters.
 *
 * rooms: fault print
 * needs: nothing
 */
#include "white.h"
#include "test.h"

/* ---- the table ---- */

typedef struct fault_case {
    biost_fault fault;
    const char *name;
    biost_result code;
} fault_case;

#define CASE(name, code) \
    { BIOST_FAULT_##name, #name, code }

/* Names are promised to be stable; codes tell the caller what to do. */
static const fault_case cases[] = {
    CASE(NONE, BIOST_OK),
    CASE(ARGUMENT, BIOST_ERR_ARG),
    CASE(MEMORY, BIOST_ERR_NOMEM),
    CASE(THREAD, BIOST_ERR_THREAD),
    CASE(UNSUPPORTED, BIOST_ERR_UNSUPPORTED),
    CASE(SLOTS, BIOST_ERR_SLOTS),
    CASE(MISUSE, BIOST_ERR_ARG),
    CASE(PROCESS, BIOST_ERR_ARG),
    CASE(LEFT, BIOST_ERR_ARG),
    CASE(OPEN, BIOST_ERR_IO),
    CASE(READ, BIOST_ERR_IO),
    CASE(DIRECTORY, BIOST_ERR_IO),
    CASE(CHANGED, BIOST_ERR_STALE),
    CASE(CODEC, BIOST_ERR_UNSUPPORTED),
    CASE(NOT_GZIP, BIOST_ERR_GZIP),
    CASE(BAD_HEADER, BIOST_ERR_GZIP),
    CASE(BAD_DEFLATE, BIOST_ERR_GZIP),
    CASE(BAD_CRC, BIOST_ERR_GZIP),
    CASE(BAD_ISIZE, BIOST_ERR_GZIP),
    CASE(BAD_BGZF, BIOST_ERR_GZIP),
    CASE(TRAILING_GARBAGE, BIOST_ERR_GZIP),
    CASE(TRUNCATED, BIOST_ERR_TEXT),
    CASE(BAD_START, BIOST_ERR_TEXT),
    CASE(UTF16, BIOST_ERR_TEXT),
    CASE(NUL, BIOST_ERR_TEXT),
    CASE(CR_IN_LINE, BIOST_ERR_TEXT),
    CASE(BAD_SEQ, BIOST_ERR_TEXT),
    CASE(BAD_SEQ_BYTE, BIOST_ERR_TEXT),
    CASE(BAD_SEP, BIOST_ERR_TEXT),
    CASE(PLUS_MISMATCH, BIOST_ERR_TEXT),
    CASE(BAD_QUAL_BYTE, BIOST_ERR_TEXT),
    CASE(LENGTH, BIOST_ERR_TEXT),
    CASE(GT_IN_SEQ, BIOST_ERR_TEXT),
    CASE(FASTQ_IN_FASTA, BIOST_ERR_TEXT),
    CASE(COMMENT_LINE, BIOST_ERR_TEXT),
    CASE(BLANK_LINE, BIOST_ERR_TEXT),
    CASE(NO_NAME, BIOST_ERR_TEXT),
    CASE(NO_RECORD, BIOST_ERR_TEXT),
    CASE(BAD_LETTER, BIOST_ERR_TEXT),
    CASE(FORMAT, BIOST_ERR_TEXT),
    CASE(PAIR_NAME, BIOST_ERR_TEXT),
    CASE(PAIR_COUNT, BIOST_ERR_TEXT),
    CASE(RECORD_TOO_LONG, BIOST_ERR_TOO_LONG),
    CASE(ROW_TOO_LONG, BIOST_ERR_TOO_LONG),
    CASE(LINE_TOO_LONG, BIOST_ERR_TOO_LONG),
    CASE(TOO_MANY, BIOST_ERR_TOO_LONG),
    CASE(NO_QUALITY, BIOST_ERR_ARG),
    CASE(SPLIT_FIELD, BIOST_ERR_TEXT),
    CASE(NO_ROW, BIOST_ERR_ARG),
    CASE(NO_GROUP_ROW, BIOST_ERR_ARG),
    CASE(EMPTY_GROUP, BIOST_ERR_ARG),
    CASE(PASSES, BIOST_ERR_ARG),
    CASE(STATE_DAMAGED, BIOST_ERR_ARG),
    CASE(STATE_VERSION, BIOST_ERR_ARG),
    CASE(STATE_DESC, BIOST_ERR_ARG),
    CASE(STATE_INPUT, BIOST_ERR_STALE),
    CASE(STATE_SOURCE, BIOST_ERR_ARG),
    CASE(NO_LABEL, BIOST_ERR_ARG),
    CASE(INDEX_DAMAGED, BIOST_ERR_ARG),
    CASE(INDEX_STALE, BIOST_ERR_STALE),
    CASE(INDEX_RULES, BIOST_ERR_ARG),
    CASE(WRITE, BIOST_ERR_IO),
    CASE(DEVICE, BIOST_ERR_DEVICE),
    CASE(NO_DEVICE, BIOST_ERR_DEVICE),
    CASE(STORE_DAMAGED, BIOST_ERR_ARG),
    CASE(STORE_STALE, BIOST_ERR_STALE),
    CASE(STORE_NAME, BIOST_ERR_TEXT),
    CASE(STORE_LETTERS, BIOST_ERR_ARG),
    CASE(STORE_MEMORY, BIOST_ERR_TOO_LONG),
    CASE(LABEL, BIOST_ERR_TEXT),
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* A row that stands in another's place would give a fault the wrong name and words. */
TEST(fault, each_has_its_row) {
    CHECK_EQ_U64(CASES, BIOST_FAULT_COUNT);
    for (int i = 0; i < CASES; i++) {
        const bsi_fault_row *row = bsi_fault_row_of(cases[i].fault);
        test_note("%s", cases[i].name);
        CHECK_EQ_I64(cases[i].fault, i);
        CHECK_STR(row->name, cases[i].name);
        CHECK_STR(row->name, cases[i].name);
        CHECK_EQ_I64(row->code, cases[i].code);
        CHECK_STR(biost_fault_name(cases[i].fault), cases[i].name);
    }
}

/* Names of faults and results that are none: a word, never NULL or beyond the table. */
TEST(fault, names_of_no_faults) {
    static const struct {
        biost_result result;
        const char *name;
    } results[] = {
        {BIOST_OK, "OK"},
        {BIOST_END, "END"},
        {BIOST_PENDING, "PENDING"},
        {BIOST_CANCELLED, "CANCELLED"},
        {BIOST_ERR_ARG, "ERR_ARG"},
        {BIOST_ERR_NOMEM, "ERR_NOMEM"},
        {BIOST_ERR_IO, "ERR_IO"},
        {BIOST_ERR_UNSUPPORTED, "ERR_UNSUPPORTED"},
        {BIOST_ERR_GZIP, "ERR_GZIP"},
        {BIOST_ERR_TEXT, "ERR_TEXT"},
        {BIOST_ERR_TOO_LONG, "ERR_TOO_LONG"},
        {BIOST_ERR_SLOTS, "ERR_SLOTS"},
        {BIOST_ERR_STALE, "ERR_STALE"},
        {BIOST_ERR_THREAD, "ERR_THREAD"},
        {BIOST_ERR_DEVICE, "ERR_DEVICE"},
    };
    CHECK_STR(biost_fault_name(BIOST_FAULT_COUNT), "UNKNOWN");
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        CHECK_STR(biost_result_name(results[i].result), results[i].name);
        for (size_t k = 0; k < i; k++) { /* each says something of its own */
            CHECK(strcmp(biost_result_text(results[i].result), biost_result_text(results[k].result)) != 0);
        }
    }
    CHECK_STR(biost_result_text(BIOST_ERR_NOMEM), "an allocation failed");
    CHECK_STR(biost_result_text((biost_result)99), "no result of this library");
    CHECK_STR(biost_result_name((biost_result)(BIOST_CANCELLED + 1)), "UNKNOWN");
    CHECK_STR(biost_result_name((biost_result)(BIOST_ERR_DEVICE - 1)), "UNKNOWN");
}

/* ---- sentences ---- */

/* A bad with every field set to something of its own. */
static bsi_bad sample_bad(biost_fault fault) {
    bsi_bad bad;
    memset(&bad, 0, sizeof bad);
    bad.fault = fault;
    bad.byte = 'j';
    bad.record = 41;
    bad.line = 167;
    bad.text_offset = 9876543210u;
    bad.source_offset = 1234567890123u;
    bad.a = 150;
    bad.b = 36;
    bad.detail = "DETAIL";
    return bad;
}

static biost_error raised(const bsi_bad *bad, const char *name) {
    biost_error error;
    memset(&error, 0xEE, sizeof error);
    error.code = BIOST_OK;
    bsi_fault_raise(&error, bad, name, 3, 5);
    return error;
}

static void check_sentence(const bsi_bad *bad, const char *name, biost_result code, const char *expected) {
    biost_error error = raised(bad, name);
    CHECK_STR(error.text, expected);
    CHECK_EQ_I64(error.code, code);
    CHECK_EQ_I64(error.fault, bad->fault);
}

/* The fields of an error are those of the bad. */
TEST(fault, fields) {
    bsi_bad bad = sample_bad(BIOST_FAULT_BAD_SEQ_BYTE);
    biost_error error = raised(&bad, "a.fq");
    CHECK_EQ_I64(error.code, BIOST_ERR_TEXT);
    CHECK_EQ_I64(error.fault, BIOST_FAULT_BAD_SEQ_BYTE);
    CHECK_EQ_U64(error.path_index, 3);
    CHECK_EQ_I64(error.os_error, 5);
    CHECK_EQ_U64(error.record, 41);
    CHECK_EQ_U64(error.line, 167);
    CHECK_EQ_U64(error.text_offset, 9876543210u);
    CHECK_EQ_U64(error.source_offset, 1234567890123u);
}

/* Faults of the text say which record, counted from 1, which line and which byte. */
TEST(fault, sentences_of_the_text) {
    bsi_bad bad = sample_bad(BIOST_FAULT_LENGTH);
    check_sentence(&bad, "reads.fq.gz", BIOST_ERR_TEXT,
                   "reads.fq.gz: record 42 (line 167, byte 9876543210 of the text): quality has 150 "
                   "characters, sequence has 36");
    bad = sample_bad(BIOST_FAULT_BAD_SEQ_BYTE);
    bad.record = 0;
    bad.line = 2;
    bad.text_offset = 4;
    check_sentence(&bad, "a", BIOST_ERR_TEXT,
                   "a: record 1 (line 2, byte 4 of the text): this begins as DETAIL, which is not "
                   "read; FASTA and FASTQ are");
    bad.detail = NULL;
    check_sentence(&bad, "a", BIOST_ERR_TEXT,
                   "a: record 1 (line 2, byte 4 of the text): byte 'j' cannot stand in a sequence");
    bad = sample_bad(BIOST_FAULT_ROW_TOO_LONG);
    bad.detail = "desc.row_bases";
    check_sentence(&bad, "memory", BIOST_ERR_TOO_LONG,
                   "memory: record 42 (line 167, byte 9876543210 of the text): the record has 150 "
                   "bases, desc.row_bases is 36: raise it, or let desc.long_records split or cut");
    bad = sample_bad(BIOST_FAULT_BAD_LETTER);
    check_sentence(&bad, "b.fa", BIOST_ERR_TEXT,
                   "b.fa: record 42 (line 167, byte 9876543210 of the text): 'j' is none of the "
                   "letters that desc.text.letters allows");
    bad = sample_bad(BIOST_FAULT_BLANK_LINE);
    check_sentence(&bad, "b.fa", BIOST_ERR_TEXT,
                   "b.fa: record 42 (line 167, byte 9876543210 of the text): a blank line, which "
                   "desc.text.pedantic refuses");
    bad = sample_bad(BIOST_FAULT_TRUNCATED);
    bad.detail = NULL;
    check_sentence(&bad, "b.fa", BIOST_ERR_TEXT,
                   "b.fa: record 42 (line 167, byte 9876543210 of the text): the text ends inside a "
                   "record: the file was cut off");
}

/* Faults of the compressed bytes say where in the file, and from which record on nothing is
 * vouched for. */
TEST(fault, sentences_of_the_source) {
    bsi_bad bad = sample_bad(BIOST_FAULT_BAD_CRC);
    check_sentence(&bad, "x.gz", BIOST_ERR_GZIP,
                   "x.gz: byte 1234567890123 of the file: the checksum (CRC-32) of a gzip member is "
                   "wrong: its bytes changed (in record 42, line 167; records from 36 on are "
                   "unverified)");
    bad.b = 0; /* nothing of the member came out */
    check_sentence(&bad, "x.gz", BIOST_ERR_GZIP,
                   "x.gz: byte 1234567890123 of the file: the checksum (CRC-32) of a gzip member is "
                   "wrong: its bytes changed (in record 42, line 167)");
    bad.line = 0; /* between two records */
    check_sentence(&bad, "x.gz", BIOST_ERR_GZIP,
                   "x.gz: byte 1234567890123 of the file: the checksum (CRC-32) of a gzip member is "
                   "wrong: its bytes changed (after record 41)");
    bad.b = 36;
    check_sentence(&bad, "x.gz", BIOST_ERR_GZIP,
                   "x.gz: byte 1234567890123 of the file: the checksum (CRC-32) of a gzip member is "
                   "wrong: its bytes changed (after record 41; records from 36 on are unverified)");
    bad.record = 0; /* no text came out */
    check_sentence(&bad, "x.gz", BIOST_ERR_GZIP,
                   "x.gz: byte 1234567890123 of the file: the checksum (CRC-32) of a gzip member is "
                   "wrong: its bytes changed");
    bad = sample_bad(BIOST_FAULT_BAD_DEFLATE);
    bad.line = 0;
    bad.record = 0;
    bad.source_offset = 0;
    check_sentence(&bad, "x.gz", BIOST_ERR_GZIP, "x.gz: byte 0 of the file: damaged compressed data: DETAIL");
}

/* A file cut inside a member is a fault of the compressed bytes, one cut inside a record is one of
 * the text. */
TEST(fault, truncated_is_two_faults) {
    bsi_bad bad = sample_bad(BIOST_FAULT_TRUNCATED);
    bad.line = 0;
    bad.record = 0;
    check_sentence(&bad, "x.gz", BIOST_ERR_GZIP, "x.gz: byte 1234567890123 of the file: DETAIL");
    bad.detail = NULL;
    CHECK_EQ_I64(raised(&bad, "x.gz").code, BIOST_ERR_TEXT);
}

/* Faults of a whole input have no line; of the call, no name. */
TEST(fault, sentences_without_a_place) {
    bsi_bad bad = sample_bad(BIOST_FAULT_CHANGED);
    bad.line = 0;
    check_sentence(&bad, "x", BIOST_ERR_STALE, "x: changed since it was opened, when it had 150 bytes");
    bad.fault = BIOST_FAULT_NO_QUALITY;
    bad.detail = "desc.filter.min_mean_quality";
    check_sentence(&bad, "x.fa", BIOST_ERR_ARG,
                   "x.fa: desc.filter.min_mean_quality needs qualities, and this input is FASTA");
    bad.detail = "DETAIL";
    bad.fault = BIOST_FAULT_NO_RECORD;
    check_sentence(&bad, "x.fa", BIOST_ERR_TEXT,
                   "x.fa: there is no record, which desc.text.require_record asks for");
    bad.fault = BIOST_FAULT_INDEX_DAMAGED;
    check_sentence(&bad, "x.index", BIOST_ERR_ARG,
                   "x.index: cannot be used as an index: DETAIL; make it again");
    bad.fault = BIOST_FAULT_INDEX_STALE;
    check_sentence(&bad, "x.fq.gz", BIOST_ERR_STALE,
                   "x.fq.gz: the index given is of another input, or this one changed since: make it again");
    bad.fault = BIOST_FAULT_INDEX_RULES;
    check_sentence(
        &bad, "x.fq.gz", BIOST_ERR_ARG,
        "x.fq.gz: desc.index has its records under another DETAIL: seek with an index made under this "
        "one, or without any");
    bad.fault = BIOST_FAULT_WRITE;
    check_sentence(&bad, "x.index", BIOST_ERR_IO, "x.index: cannot be written: DETAIL");
    bad.fault = BIOST_FAULT_SLOTS;
    check_sentence(&bad, NULL, BIOST_ERR_SLOTS, "all 150 DETAIL");
    bad.fault = BIOST_FAULT_ARGUMENT;
    check_sentence(&bad, NULL, BIOST_ERR_ARG, "DETAIL");
    bad.detail = NULL;
    check_sentence(&bad, NULL, BIOST_ERR_ARG, "");
}

TEST(fault, plain) {
    biost_error error;
    memset(&error, 0, sizeof error);
    bsi_fault_raise_plain(&error, BIOST_FAULT_MEMORY, NULL, UINT64_MAX);
    CHECK_STR(error.text, "out of memory: 18446744073709551615 bytes were refused");
    CHECK_EQ_I64(error.code, BIOST_ERR_NOMEM);
    CHECK_EQ_U64(error.line, 0);
    CHECK_EQ_U64(error.path_index, 0);
    CHECK_EQ_I64(error.os_error, 0);
}

/* The first error stays: what comes after it is often only its consequence. */
/* An error of the system has words, or else its number in the sentence: nobody is sent to look for it. */
TEST(fault, errors_of_the_system) {
#if !defined(_WIN32)
    static const struct {
        int32_t os_error;
        const char *words;
    } rows[] = {{ENOENT, "there is no such file"},
                {ELOOP, "symbolic links lead in a circle"},
                {ESTALE, "the server of it has another file there by now"},
                {ETIMEDOUT, "the server of it does not answer"},
                {ENOMEM, "the system is out of memory"},
                {EDOM, "the system refused; its error number is 33"},
                {2147483647, "the system refused; its error number is 2147483647"}};
    char want[128];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int writes = 0; writes < 2; writes++) {
            bsi_bad bad;
            biost_error error;
            const char *words = writes ? bsi_platform_write_words(rows[i].os_error)
                                       : bsi_platform_error_words(rows[i].os_error);
            memset(&error, 0, sizeof error);
            bsi_source_fail(&bad, writes ? BIOST_FAULT_WRITE : BIOST_FAULT_OPEN, 0, words);
            bsi_fault_raise(&error, &bad, "x", 0, rows[i].os_error);
            snprintf(want, sizeof want, "x: cannot be %s: %s", writes ? "written" : "opened",
                     writes && i == 0 ? "there is no such directory" : rows[i].words);
            CHECK_STR(error.text, want);
            CHECK_EQ_I64(error.os_error, rows[i].os_error);
        }
    }
#endif
}

TEST(fault, the_first_one_stays) {
    bsi_bad first = sample_bad(BIOST_FAULT_NUL), second = sample_bad(BIOST_FAULT_BAD_SEP);
    biost_error error = raised(&first, "first"), kept = error;
    second.record = 99;
    bsi_fault_raise(&error, &second, "second", 9, 9);
    CHECK_MEM(&error, &kept, sizeof error);
    bsi_fault_raise_plain(&error, BIOST_FAULT_MEMORY, NULL, 1);
    CHECK_MEM(&error, &kept, sizeof error);
}

/* ---- numbers, escapes, cuts ---- */

TEST(fault, numbers) {
    static const uint64_t numbers[] = {0, 1, 9, 10, 99, 100, 4294967296u, UINT64_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char expected[64];
        bsi_bad bad = sample_bad(BIOST_FAULT_MEMORY);
        bad.a = numbers[i];
        bad.detail = NULL; /* the fields that made it */
        snprintf(expected, sizeof expected, "out of memory: %llu bytes were refused",
                 (unsigned long long)numbers[i]);
        check_sentence(&bad, NULL, BIOST_ERR_NOMEM, expected);
    }
}

/* Memory at an address that was not asked for: whose alloc it is. */
TEST(fault, memory_that_is_crooked) {
    bsi_bad bad = sample_bad(BIOST_FAULT_MEMORY);
    bad.a = BSI_MEMORY_CROOKED;
    bad.detail = "desc.slabs";
    check_sentence(&bad, NULL, BIOST_ERR_NOMEM,
                   "alloc of desc.slabs gave memory whose address is no multiple of 256, as it was asked to");
    bad.detail = NULL;
    check_sentence(
        &bad, NULL, BIOST_ERR_NOMEM,
        "alloc of desc.allocator gave memory whose address is no multiple of 256, as it was asked to");
}

/* Every byte at fault: itself within 32..126, else \xHH. */
TEST(fault, every_byte_escaped) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        char expected[100];
        bsi_bad bad = sample_bad(BIOST_FAULT_BAD_QUAL_BYTE);
        bad.byte = (uint8_t)byte;
        snprintf(expected, sizeof expected,
                 byte >= 32 && byte <= 126 ? "byte '%c' cannot stand in a quality"
                                           : "byte '\\x%02x' cannot stand in a quality",
                 (int)byte);
        check_sentence(&bad, NULL, BIOST_ERR_TEXT, expected);
    }
}

/* A name cannot break the line of a log, nor move a terminal's cursor. */
TEST(fault, names_escaped) {
    bsi_bad bad = sample_bad(BIOST_FAULT_DIRECTORY);
    bad.line = 0;
    check_sentence(&bad, "a\nb\x1B[2J\xC3\xA9\x7F", BIOST_ERR_IO,
                   "a\\x0ab\\x1b[2J\\xc3\\xa9\\x7f: is a directory, not a file");
    check_sentence(&bad, "100% %s %n", BIOST_ERR_IO, "100% %s %n: is a directory, not a file");
    check_sentence(&bad, "$a $d", BIOST_ERR_IO, "$a $d: is a directory, not a file");
    check_sentence(&bad, "", BIOST_ERR_IO, ": is a directory, not a file");
}

/* Of a long name the end stays, which tells files apart: 80 characters as they are, of more the
 * last 80. */
TEST(fault, long_names) {
    char name[300], expected[400];
    bsi_bad bad = sample_bad(BIOST_FAULT_DIRECTORY);
    bad.line = 0;
    for (int i = 0; i < 299; i++) {
        name[i] = (char)('a' + i % 26);
    }
    name[299] = '\0';
    snprintf(expected, sizeof expected, "%s: is a directory, not a file", name + 219);
    check_sentence(&bad, name + 219, BIOST_ERR_IO, expected);
    snprintf(expected, sizeof expected, "...%s: is a directory, not a file", name + 219);
    check_sentence(&bad, name + 218, BIOST_ERR_IO, expected);
    check_sentence(&bad, name, BIOST_ERR_IO, expected);
}

/* A name in another script takes four characters for each of its bytes. It must leave room for
 * what is wrong. */
TEST(fault, long_escaped_names_leave_room) {
    static const char words[] = ": is a directory, not a file";
    char name[201];
    biost_error error;
    bsi_bad bad = sample_bad(BIOST_FAULT_DIRECTORY);
    bad.line = 0;
    for (int i = 0; i < 200; i += 2) {
        memcpy(name + i, "\xD0\x96", 2); /* U+0416, a hundred times */
    }
    name[200] = '\0';
    error = raised(&bad, name);
    CHECK(strlen(error.text) > strlen(words));
    CHECK_STR(strstr(error.text, words), words);
}

/* What does not fit is cut: 255 characters and the NUL. */
TEST(fault, cut_at_255) {
    char detail[401], name[61];
    bsi_bad bad = sample_bad(BIOST_FAULT_ARGUMENT);
    for (size_t i = 0; i < 400; i++) {
        detail[i] = (char)('0' + i % 10);
    }
    detail[400] = '\0';
    for (size_t length = 250; length <= 400; length++) {
        char expected[401];
        biost_error error;
        bad.detail = detail + 400 - length;
        snprintf(expected, 256, "%s", bad.detail);
        error = raised(&bad, NULL);
        test_note("%u characters", (unsigned)length);
        CHECK_STR(error.text, expected);
        CHECK_EQ_U64(strlen(error.text), length < 255 ? length : 255);
    }
    memset(name, 'n', 60);
    name[60] = '\0';
    bad = sample_bad(BIOST_FAULT_BAD_HEADER);
    bad.detail = detail;
    CHECK_EQ_U64(strlen(raised(&bad, name).text), 255); /* a number or word may be what is cut */
}

/* All faults, with and without name and place, the largest numbers: one printable sentence, no
 * trace of the table's marks, no line end, nothing written after the text. */
TEST(fault, all_sentences_are_whole) {
    for (int i = 0; i < CASES; i++) {
        for (int variant = 0; variant < 8; variant++) {
            bsi_bad bad = sample_bad(cases[i].fault);
            biost_error error;
            size_t length;
            bad.line = variant & 1 ? bad.line : 0;
            bad.detail = variant & 2 ? bad.detail : NULL;
            error = raised(&bad, variant & 4 ? "some/where/reads_1.fastq.gz" : NULL);
            length = strlen(error.text);
            test_note("%s, variant %d", cases[i].name, variant);
            CHECK(length < 255);
            CHECK(length > 0 || bad.detail == NULL);
            for (size_t k = 0; k < length; k++) {
                CHECK(error.text[k] >= 32 && error.text[k] <= 126 && error.text[k] != '$');
            }
            CHECK(length == 0 || (error.text[length - 1] != '.' && error.text[length - 1] != '\n'));
        }
    }
}

/* A title after blanks, and one of the other format, are told as such; `a` counts the blanks. */
TEST(fault, bytes_that_open_a_line) {
    static const struct {
        biost_fault fault;
        uint8_t byte;
        uint64_t blanks;
        const char *words;
    } rows[] = {
        {BIOST_FAULT_BAD_START, 'x', 0, "a record must start with '>' or '@', here is 'x'"},
        {BIOST_FAULT_BAD_START, 'x', 2, "a record must start with '>' or '@', here is 'x'"},
        {BIOST_FAULT_BAD_START, '@', 2, "a record must start with '>' or '@', here are blanks before '@'"},
        {BIOST_FAULT_BAD_START, '>', 1, "a record must start with '>' or '@', here are blanks before '>'"},
        {BIOST_FAULT_BAD_START, '>', 0,
         "a record must start with '@' as those before, here is '>', as in FASTA"},
        {BIOST_FAULT_BAD_START, '@', 0,
         "a record must start with '>' as those before, here is '@', as in FASTQ"},
        {BIOST_FAULT_GT_IN_SEQ, '>', 0,
         "'>' inside a sequence line: were two files joined without a line end between them?"},
        {BIOST_FAULT_GT_IN_SEQ, '>', 3, "a title must start with '>', here are blanks before it"},
        {BIOST_FAULT_FASTQ_IN_FASTA, '+', 0, "a line of FASTA sequence starts with '+', as FASTQ lines do"},
        {BIOST_FAULT_FASTQ_IN_FASTA, '+', 1,
         "a line of FASTA sequence starts, after blanks, with '+', as FASTQ lines do"},
        {BIOST_FAULT_COMMENT_LINE, ';', 0, "a line that starts with ';' is no sequence"},
        {BIOST_FAULT_COMMENT_LINE, ';', 1, "a line that starts with blanks and ';' is no sequence"},
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char sentence[200];
        bsi_bad bad;
        memset(&bad, 0, sizeof bad);
        bad.fault = rows[i].fault;
        bad.byte = rows[i].byte;
        bad.a = rows[i].blanks;
        snprintf(sentence, sizeof sentence, "x.fa: %s", rows[i].words);
        check_sentence(&bad, "x.fa", BIOST_ERR_TEXT, sentence);
    }
}
