/* What the two translation units two_units_a.c and two_units_b.c share. */
#ifndef TWO_UNITS_H
#define TWO_UNITS_H

#include "../../biostream.h"
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bases of two small records read through the API; 0 after an error, which is printed. */
uint64_t two_units_a_bases(void);

#ifdef __cplusplus
}
#endif

static uint64_t two_units_bases(void) {
    static const char text[] = "@one\nACGT\n+\nIIII\n@two\nGATTACA\n+\n!!!!!!!\n";
    biost_reader_desc desc;
    biost_reader *reader;
    biost_record record;
    biost_error error;
    biost_result result;
    uint64_t bases = 0;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = sizeof text - 1;
    if (biost_reader_open(&desc, &reader, &error) != BIOST_OK) {
        printf("open: %s\n", error.text);
        return 0;
    }
    while ((result = biost_reader_next(reader, &record)) == BIOST_OK) {
        bases += record.seq_bases;
    }
    if (result != BIOST_END) {
        printf("next: %s\n", biost_reader_error(reader)->text);
        bases = 0;
    }
    biost_reader_close(reader);
    return bases;
}

#endif /* TWO_UNITS_H */
