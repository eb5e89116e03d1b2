/*
 * index - go to a record of a compressed file without reading what is before it.
 *
 * Shows: an empty index is lent to a reader by desc.index and filled while the file is read; it is
 * saved, loaded again in any process, and lent to another reader, which biost_reader_seek then takes
 * to any record. An index that is of another file, or older than the file, is refused when it is
 * lent. Streams and loaders take indexes too; the tool for every day is examples/tools/fxindex.c.
 *
 *   cc -O2 examples/index.c -o index -pthread
 *
 *   $ build/examples/index examples/data/illumina_hiseqx_150bp.fastq.gz build/reads.bsx 7000
 *   10000 records, 3613273 bytes of text, ... points
 *   ST-E00493:56:H33MFALXX:4:1101:32380:14652 150 bases, byte 2528099 of the text
 *
 *   $ build/examples/index examples/data/illumina_hiseqx_150bp.fastq.gz build/reads.bsx 10000
 *   10000 records, 3613273 bytes of text, ... points
 *   index: there is no record 10000
 */
#define BIOSTREAM_IMPLEMENTATION
#include "../biostream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain(const biost_error *error) {
    fprintf(stderr, "index: %s\n", error->text);
    return 0;
}

/* Open the file with an index, which is the caller's and outlives the reader. NULL after a sentence. */
static biost_reader *open_reader(const char *path, biost_index *index) {
    biost_reader_desc desc;
    biost_reader *reader;
    biost_error error;
    memset(&desc, 0, sizeof desc);
    desc.path = path;
    desc.index = index;
    if (biost_reader_open(&desc, &reader, &error) != BIOST_OK) {
        complain(&error);
    }
    return reader; /* NULL unless it was opened */
}

/* Read the file to its end, which fills the index. Returns 0 after a sentence. */
static int fill(const char *path, biost_index *index) {
    biost_reader *reader = open_reader(path, index);
    biost_record_page page;
    biost_result result = BIOST_ERR_ARG;
    while (reader != NULL && (result = biost_reader_next_page(reader, &page)) == BIOST_OK) {
        biost_reader_release_page(reader, &page); /* all that is wanted is what the index notes */
    }
    if (reader != NULL && result < 0) {
        complain(biost_reader_error(reader));
    }
    biost_reader_close(reader);
    return result == BIOST_END;
}

/* Make the index of a file and keep it in another. Returns 0 after a sentence. */
static int make(const char *path, const char *index_path) {
    biost_index *index;
    biost_index_info info;
    biost_error error;
    int good;
    if (biost_index_open(NULL, &index, &error) != BIOST_OK) {
        return complain(&error);
    }
    good = fill(path, index) && (biost_index_save(index, index_path, &error) == BIOST_OK || complain(&error));
    if (good) {
        biost_index_get_info(index, &info);
        printf("%" PRIu64 " records, %" PRIu64 " bytes of text, %" PRIu64 " points\n", info.record_count,
               info.text_bytes, info.point_count);
    }
    biost_index_close(index);
    return good;
}

/* Print a record, entering the file near it. Returns 0 after a sentence. */
static int show(biost_reader *reader, uint64_t number) {
    biost_record record;
    biost_result result = biost_reader_seek(reader, number);
    if (result == BIOST_OK) {
        result = biost_reader_next(reader, &record);
    }
    if (result == BIOST_OK) {
        printf("%.*s %zu bases, byte %" PRIu64 " of the text\n", (int)record.name_bytes, record.name,
               record.seq_bases, record.text_offset);
    } else if (result == BIOST_END) {
        fprintf(stderr, "index: there is no record %" PRIu64 "\n", number);
    } else {
        complain(biost_reader_error(reader));
    }
    return result == BIOST_OK;
}

int main(int argc, char **argv) {
    biost_index *index;
    biost_reader *reader;
    biost_error error;
    int good;
    if (argc != 4) {
        return fprintf(stderr, "usage: index FILE INDEX RECORD\n"), 2;
    }
    if (!make(argv[1], argv[2])) {
        return 1;
    }
    fflush(stdout);
    if (biost_index_load(argv[2], NULL, &index, &error) != BIOST_OK) {
        return complain(&error), 1;
    }
    reader = open_reader(argv[1], index);
    good = reader != NULL && show(reader, strtoull(argv[3], NULL, 10));
    biost_reader_close(reader);
    biost_index_close(index); /* after all it is lent to */
    return good ? 0 : 1;
}
