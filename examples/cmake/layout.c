/*
 * layout.c - where the fields of biostream's structs lie, for languages that cannot include the header
 *
 * It is compiled into the shared library beside the implementation, as `make lib` and examples/cmake do:
 *
 *     cc -O2 -shared -fPIC -DBIOSTREAM_IMPLEMENTATION examples/cmake/layout.c -o libbiostream.so -pthread
 */
#include "../../biostream.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A struct, or a field of the struct before it. */
typedef struct layout_row {
    const char *name;
    const char *type; /* the text's word, or an enum's name; NULL: a struct begins */
    size_t at, bytes; /* of a field its offset and size, of a struct its alignment and size, in bytes */
    size_t count;     /* elements of an array; 0: none */
    int is_enum;
} layout_row;

#include "layout_rows.h"

BIOST_API size_t biost_layout(char *out, size_t capacity);

/* Write one line at most 127 bytes long. */
static void put_row(char line[128], const layout_row *row) {
    if (row->type == NULL) {
        (void)snprintf(line, 128, "struct %s %u %u\n", row->name, (unsigned)row->bytes, (unsigned)row->at);
    } else if (row->is_enum) {
        (void)snprintf(line, 128, "%s %u %u i%u %s\n", row->name, (unsigned)row->at, (unsigned)row->bytes,
                       (unsigned)(8 * row->bytes), row->type);
    } else if (row->count > 0) {
        (void)snprintf(line, 128, "%s %u %u %s[%u]\n", row->name, (unsigned)row->at, (unsigned)row->bytes,
                       row->type, (unsigned)row->count);
    } else {
        (void)snprintf(line, 128, "%s %u %u %s\n", row->name, (unsigned)row->at, (unsigned)row->bytes,
                       row->type);
    }
}

/*
 * Write where the fields of the structs lie that a caller reads.
 *
 *   out       out  [capacity] the text, NUL-terminated, cut where capacity is too small; may be NULL
 *   capacity  in   bytes of out; 0 with NULL
 *
 *     biostream MAJOR.MINOR.PATCH
 *     struct NAME BYTES ALIGN           for each struct, then for each of its fields in their order
 *     FIELD OFFSET BYTES TYPE
 *     FIELD OFFSET BYTES TYPE ENUM
 *
 * Lines end with LF, one blank stands between words, numbers are decimal and in bytes. TYPE is one of
 *
 *     u8 u16 u32 u64 i32 i64   an integer without or with a sign, of so many bits
 *     f32 f64                  an IEEE 754 number of so many bits
 *     char int size            C's char, int and size_t
 *     pointer                  to any type, or to a function
 *     biost_...                a struct of an earlier line of this text
 *
 * and for an array of N of these TYPE[N], as i64[4]. For an enum TYPE is i32, or an i of as many bits as the
 * compiler gave it, and ENUM is its name: none of its values needs the highest bit. Later versions may add structs,
 * fields, and i8 and i16 for TYPE. tests/layout.awk lists the structs. Of biost_loader_desc, biost_store_desc and
 * biost_desc_memory there is the first line alone, because biost_desc_fields has their fields.
 *
 * Returns: bytes of the whole text without its NUL, whatever capacity is. Threads: any.
 */
size_t biost_layout(char *out, size_t capacity) {
    char line[128];
    size_t i, whole = 0;
    (void)snprintf(line, sizeof line, "biostream %d.%d.%d\n", BIOST_VERSION_MAJOR, BIOST_VERSION_MINOR,
                   BIOST_VERSION_PATCH);
    for (i = 0;; ++i) {
        size_t bytes = strlen(line);
        size_t room = capacity > whole + 1 ? capacity - whole - 1 : 0;
        if (out != NULL && room > 0) {
            memcpy(out + whole, line, bytes < room ? bytes : room);
        }
        whole += bytes;
        if (i == sizeof layout_rows / sizeof layout_rows[0]) {
            break;
        }
        put_row(line, &layout_rows[i]);
    }
    if (out != NULL && capacity > 0) {
        out[whole < capacity ? whole : capacity - 1] = '\0';
    }
    return whole;
}
