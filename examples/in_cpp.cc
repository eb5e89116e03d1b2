/*
 * in_cpp - records and batches in C++, through biostream.hpp: nothing to close, no result to check.
 *
 * Shows: a loop over records; a loader opened by a text, with two groups of files as classes; a loop over the
 * batches of an epoch, each given back before the next; and all that can go wrong as one exception.
 *
 *   c++ -O2 -I. examples/in_cpp.cc -o in_cpp -pthread
 *
 *   $ build/examples/in_cpp examples/data/ecoli_536_genome.fasta.gz examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz
 *   gi|110640213|ref|NC_008253.1|: 4938920 bases
 *   chrM: 16571 bases
 *   chr20: 1000000 bases
 *   class 0: ... rows, G and C 0.50...
 *   class 1: ... rows, G and C 0.4...
 *
 *   $ build/examples/in_cpp examples/data examples/data
 *   in_cpp: examples/data...is a directory, not a file
 */
#define BIOSTREAM_IMPLEMENTATION
#include "biostream.hpp"

#include <iostream>

/* Equally many rows of both classes, and the share of G and C in each. */
static void compare(const std::vector<const char *> &classes) {
    biost::loader loader(
        "row_bases 150  long_records split  shuffle_rows 65536  encoding.dtype f32  epochs 1\n"
        "group.0.first_input 0  group.0.input_count 1  group.0.weight 1  group.0.label 0\n"
        "group.1.first_input 1  group.1.input_count 1  group.1.weight 1  group.1.label 1\n"
        "labels.kind group",
        classes);
    double rows[2] = {0, 0}, strong[2] = {0, 0}, known[2] = {0, 0};
    for (biost::batch &batch : loader.epoch(0)) {
        const uint8_t *labels = batch.data<uint8_t>(BIOST_ROLE_LABEL);
        for (uint32_t row = 0; row < batch->valid_rows; ++row) {
            const float *base = batch.data<float>() + row * batch->x.strides[0]; /* [bases][A C G T] */
            const float *end = base + 4 * batch->lengths[row];
            rows[labels[row]] += 1;
            for (; base < end; base += 4) {
                strong[labels[row]] += double(base[1] + base[2]);
                known[labels[row]] += double(base[0] + base[1] + base[2] + base[3]); /* 0 for N */
            }
        }
    }
    for (int c = 0; c < 2; ++c) {
        std::cout << "class " << c << ": " << rows[c] << " rows, G and C " << strong[c] / known[c] << '\n';
    }
}

int main(int argc, char **argv) try {
    for (int i = 1; i < argc; ++i) {
        for (biost::record &record : biost::reader(argv[i])) {
            std::cout << record.name() << ": " << record.seq().size() << " bases\n";
        }
    }
    compare({argv + 1, argv + argc});
} catch (const biost::error &error) { /* error.details: code, file, record, line, byte */
    std::cerr << "in_cpp: " << error.what() << '\n';
    return 1;
}
