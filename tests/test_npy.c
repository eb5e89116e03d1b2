/*
 * test_npy.c - .npy files that tools write, read back by the rules that NumPy documents for format 1.0, and
 * the three files of segments: start_ends and padding as Helixer's documents show them.
 *
 * rooms: tools
 * needs: loader library
 */
#include "../biostream.h"
#include "../examples/tools/fx.h"
#include "../examples/tools/fx_npy.h"
#include "../examples/tools/segments.h"
#include "test.h"

/* What a file says, and its array. */
typedef struct array_file {
    uint8_t *bytes;
    size_t count;
    char type[32];
    uint64_t shape[4];
    uint32_t ndim;
    const uint8_t *data;
    size_t data_bytes;
} array_file;

/* Take this text. Returns what follows, NULL: it is not there. */
static const char *take(const char *at, const char *text) {
    return at != NULL && strncmp(at, text, strlen(text)) == 0 ? at + strlen(text) : NULL;
}

/* The words of the header, a literal of a Python dictionary, keys in alphabetic order. */
static int parse_words(const char *at, array_file *out) {
    at = take(at, "{'descr': '");
    size_t type_bytes = at != NULL ? strcspn(at, "'") : sizeof out->type;
    if (type_bytes >= sizeof out->type) {
        return 0;
    }
    memcpy(out->type, at, type_bytes);
    out->type[type_bytes] = '\0';
    at = take(at + type_bytes, "', 'fortran_order': False, 'shape': (");
    while (at != NULL && *at != ')' && out->ndim < 4) {
        char *end;
        out->shape[out->ndim++] = strtoull(at, &end, 10);
        at = *end == ',' ? end + 1 : end;
        at = *at == ' ' ? at + 1 : at;
    }
    at = take(at, "), }");
    return at != NULL && strspn(at, " ") + 1 == strlen(at) && at[strlen(at) - 1] == '\n';
}

/*
 * Magic, version 1.0, length of the words in two bytes, the low one first; the array begins at a multiple of
 * 64.
 */
static int read_array(const char *path, array_file *out) {
    char words[4096];
    memset(out, 0, sizeof *out);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return 0;
    }
    out->bytes = test_copy(NULL, 1 << 20);
    out->count = fread(out->bytes, 1, 1 << 20, file);
    fclose(file);
    if (out->count < 10 || memcmp(out->bytes, "\x93NUMPY\x01\x00", 8) != 0) {
        return 0;
    }
    size_t length = out->bytes[8] + 256u * out->bytes[9];
    if ((length + 10) % 64 != 0 || length + 10 > out->count || length >= sizeof words) {
        return 0;
    }
    memcpy(words, out->bytes + 10, length);
    words[length] = '\0';
    out->data = out->bytes + 10 + length;
    out->data_bytes = out->count - 10 - length;
    return parse_words(words, out);
}

static int is_little_endian(void) {
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 1;
}

/* A type's name in the order of this machine. */
static void check_type(const char *got, const char *want) {
    char expected[32];
    snprintf(expected, sizeof expected, "%s", want);
    expected[0] = want[0] == '<' && !is_little_endian() ? '>' : want[0];
    CHECK_STR(got, expected);
}

/* A folder of this program alone; each test leaves it empty and removes it. */
static const char *folder_of(void) {
    static char folder[256];
    snprintf(folder, sizeof folder, "build/test_npy_%ld", (long)getpid());
    (void)fx_make_folder("build");
    (void)fx_make_folder(folder);
    return folder;
}

static void path_of(char out[512], const char *name) {
    snprintf(out, 512, "%s/%s", folder_of(), name);
}

/* {type, shape, axes, the header's words}, written by hand from NumPy's description of the format. */
TEST(npy, headers) {
    static const struct {
        const char *type;
        int64_t shape[4];
        uint32_t ndim;
        const char *words;
    } rows[] = {{"<f2", {3, 5, 4, 0}, 3, "{'descr': '<f2', 'fortran_order': False, 'shape': (3, 5, 4), }"},
                {"|u1", {0, 0, 0, 0}, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (0,), }"},
                {"<i8",
                 {INT64_MAX, 2, 0, 0},
                 2,
                 "{'descr': '<i8', 'fortran_order': False, 'shape': (9223372036854775807, 2), }"},
                {"|S4294967295",
                 {7, 0, 0, 0},
                 1,
                 "{'descr': '|S4294967295', 'fortran_order': False, 'shape': (7,), }"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char header[FX_NPY_HEADER];
        size_t bytes = fx_npy_header(rows[i].type, rows[i].shape, rows[i].ndim, 0, header),
               words = strlen(rows[i].words);
        CHECK_EQ_U64(bytes, (10 + words + 1 + 63) / 64 * 64);
        CHECK_EQ_I64(memcmp(header, "\x93NUMPY\x01\x00", 8), 0);
        CHECK_EQ_U64((uint8_t)header[8] + 256u * (uint8_t)header[9], bytes - 10);
        CHECK_EQ_I64(memcmp(header + 10, rows[i].words, words), 0);
        CHECK_EQ_U64(strspn(header + 10 + words, " "), bytes - 10 - words - 1);
        CHECK_EQ_I64(header[bytes - 1], '\n');
        CHECK_EQ_U64(fx_npy_header(rows[i].type, rows[i].shape, rows[i].ndim, 192, header), 192);
        CHECK_EQ_I64(header[191], '\n');
    }
}

/* Rows with a gap between them, and without. */
TEST(npy, rows) {
    static const uint8_t rows[] = {1, 2, 3, 4, 5, 6, 99, 99, 7, 8, 9, 10, 11, 12, 99, 99};
    const int64_t shape[3] = {0, 3, 2};
    char path[512];
    fx_npy npy;
    array_file got;
    path_of(path, "rows.npy");
    fx_npy_begin(&npy, path, fx_npy_type(BIOST_DTYPE_U8), 1, shape, 3);
    fx_npy_put(&npy, rows, 2, 8);
    fx_npy_put(&npy, rows, 1, 6);
    fx_npy_put(&npy, rows, 0, 6);
    CHECK_EQ_I64(fx_npy_end(&npy, "test"), FX_OK);
    if (CHECK(read_array(path, &got))) {
        static const uint8_t want[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6};
        CHECK_STR(got.type, "|u1");
        CHECK_EQ_U64(got.ndim, 3);
        CHECK(got.shape[0] == 3 && got.shape[1] == 3 && got.shape[2] == 2);
        CHECK(got.data_bytes == sizeof want && memcmp(got.data, want, sizeof want) == 0);
    }
    free(got.bytes);
    remove(path);
    remove(folder_of());
}

TEST(npy, empty_and_dropped) {
    const int64_t shape[2] = {0, 2};
    char path[512];
    fx_npy npy;
    array_file got;
    path_of(path, "empty.npy");
    fx_npy_begin(&npy, path, fx_npy_type(BIOST_DTYPE_I64), 8, shape, 2);
    CHECK_EQ_I64(fx_npy_end(&npy, "test"), FX_OK);
    CHECK(read_array(path, &got));
    check_type(got.type, "<i8");
    CHECK(got.ndim == 2 && got.shape[0] == 0 && got.shape[1] == 2 && got.data_bytes == 0);
    free(got.bytes);
    /* One that is dropped leaves what was there, and nothing of its own. */
    fx_npy_begin(&npy, path, fx_npy_type(BIOST_DTYPE_U8), 1, shape, 2);
    fx_npy_put(&npy, "ab", 1, 2);
    fx_npy_drop(&npy);
    CHECK(read_array(path, &got));
    CHECK_EQ_U64(got.shape[0], 0);
    free(got.bytes);
    CHECK_EQ_I64(remove(path), 0);
    CHECK_EQ_I64(remove(folder_of()), 0); /* it is empty */
}

enum { ROWS = 6, LENGTH = 5 };

/* Rows of the batch that is made; strings of one row each. */
typedef struct made {
    biost_batch batch;
    biost_row origins[ROWS + 1];
    int32_t lengths[ROWS + 1];
    uint32_t name_offsets[ROWS + 1];
    char names[64];
    uint8_t x[(ROWS + 1) * LENGTH * 4];
} made;

/* Channels C A T G of a letter; N is 0 here, and so is padding. */
static void set_base(uint8_t *channels, char letter) {
    for (int i = 0; i < 4; i++) {
        channels[i] = letter == "CATG"[i];
    }
}

/*
 * The example of Helixer's h5_data.md: chunks of 5 over 13 bases, plus AATGA CATNC GTT, minus AAC GNATG
 * TCATT.
 */
static void make_batch(made *of) {
    static const char *const texts[ROWS] = {"AATGA", "CATNC", "GTT  ", "AAC  ", "GNATG", "TCATT"};
    static const int32_t starts[ROWS] = {0, 5, 10, 10, 5, 0}, lengths[ROWS] = {5, 5, 3, 3, 5, 5};
    memset(of, 0, sizeof *of);
    strcpy(of->names, "seq_1");
    of->batch.rows = ROWS + 1; /* one of padding, which is left out */
    of->batch.valid_rows = ROWS;
    of->batch.samples = ROWS + 1;
    of->batch.mates = 1;
    of->batch.origins = of->origins;
    of->batch.lengths = of->lengths;
    of->batch.names = of->names;
    of->batch.name_offsets = of->name_offsets;
    of->batch.x.data = of->x;
    of->batch.x.ndim = 3;
    of->batch.x.dtype = BIOST_DTYPE_U8;
    of->batch.x.shape[0] = ROWS + 1;
    of->batch.x.shape[1] = LENGTH;
    of->batch.x.shape[2] = 4;
    of->batch.x.strides[0] = (int64_t)LENGTH * 4;
    for (int row = 0; row < ROWS; row++) {
        of->origins[row].start_base = starts[row];
        of->origins[row].strand = row >= 3;
        of->lengths[row] = lengths[row];
        for (int at = 0; at < LENGTH; at++) {
            set_base(of->x + (row * LENGTH + at) * 4, texts[row][at]);
        }
    }
    of->origins[ROWS].id = -1;
}

static void check_places(const array_file *got, const int64_t (*want)[2], size_t count) {
    check_type(got->type, "<i8");
    CHECK(got->ndim == 2 && got->shape[0] == count && got->shape[1] == 2);
    CHECK(got->data_bytes == count * 16 && memcmp(got->data, want, count * 16) == 0);
}

TEST(npy, segments) {
    static const int64_t places[ROWS][2] = {{0, 5}, {5, 10}, {10, 13}, {13, 10}, {10, 5}, {5, 0}};
    static made of;
    segments files;
    array_file got;
    char path[512];
    make_batch(&of);
    segments_begin(&files, "test", folder_of(), 8);
    CHECK_EQ_I64(segments_put(&files, &of.batch), FX_OK);
    CHECK_EQ_I64(segments_end(&files, 1), FX_OK);
    path_of(path, "X.npy");
    if (CHECK(read_array(path, &got))) {
        CHECK_STR(got.type, "|u1");
        CHECK(got.ndim == 3 && got.shape[0] == ROWS && got.shape[1] == LENGTH && got.shape[2] == 4);
        CHECK(got.data_bytes == (size_t)ROWS * LENGTH * 4 && memcmp(got.data, of.x, got.data_bytes) == 0);
    }
    free(got.bytes);
    remove(path);
    path_of(path, "start_ends.npy");
    if (CHECK(read_array(path, &got))) {
        check_places(&got, places, ROWS);
    }
    free(got.bytes);
    remove(path);
    path_of(path, "seqids.npy");
    if (CHECK(read_array(path, &got))) {
        CHECK_STR(got.type, "|S8");
        CHECK(got.ndim == 1 && got.shape[0] == ROWS && got.data_bytes == (size_t)ROWS * 8);
        for (size_t i = 0; i < ROWS && got.data_bytes == (size_t)ROWS * 8; i++) {
            CHECK_EQ_I64(memcmp(got.data + 8 * i, "seq_1\0\0\0", 8), 0);
        }
    }
    free(got.bytes);
    remove(path);
    remove(folder_of());
}

/*
 * Of a sequence of 51321 bases in chunks of 21384, as that document lists them; and a region that begins
 * before base 0.
 */
TEST(npy, places) {
    static const int64_t starts[] = {0, 21384, 42768, 42768, 21384, 0, -30},
                         bases[] = {21384, 21384, 8553, 8553, 21384, 21384, 70};
    static const int64_t want[][2] = {{0, 21384},     {21384, 42768}, {42768, 51321}, {51321, 42768},
                                      {42768, 21384}, {21384, 0},     {0, 70}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        biost_row row;
        int64_t place[2];
        memset(&row, 0, sizeof row);
        row.start_base = starts[i];
        row.strand = i >= 3 && i < 6;
        segments_place(&row, (int32_t)bases[i], place);
        CHECK_EQ_I64(place[0], want[i][0]);
        CHECK_EQ_I64(place[1], want[i][1]);
    }
}

/* What cannot be written is refused, and nothing stays. */
TEST(npy, segments_refused) {
    static made of;
    segments files;
    char path[512];
    make_batch(&of);
    segments_begin(&files, "test", folder_of(), 4); /* a name of 5 bytes would be cut */
    CHECK_EQ_I64(segments_put(&files, &of.batch), FX_BAD_DATA);
    CHECK_EQ_I64(segments_end(&files, 0), FX_BAD_DATA);
    segments_begin(&files, "test", folder_of(), 5);
    CHECK_EQ_I64(segments_put(&files, &of.batch), FX_OK);
    of.batch.x.shape[1] = LENGTH - 1; /* not the shape of those before */
    CHECK_EQ_I64(segments_put(&files, &of.batch), FX_BAD_DATA);
    CHECK_EQ_I64(segments_end(&files, 0), FX_BAD_DATA);
    segments_begin(&files, "test", folder_of(), 5); /* no batch at all */
    CHECK_EQ_I64(segments_end(&files, 1), FX_OK);
    path_of(path, "no/such/folder.npy");
    fx_npy_begin(&files.files[0], path, "|u1", 1, of.batch.x.shape, 1);
    fx_npy_put(&files.files[0], "a", 1, 1);
    CHECK_EQ_I64(fx_npy_end(&files.files[0], "test"), FX_BAD_DATA);
    CHECK_EQ_I64(remove(folder_of()), 0); /* it is empty */
}
