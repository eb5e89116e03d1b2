#!/usr/bin/env python3
"""Long reads, contigs or proteins in batches by length: rows of about one length, as many as a budget of columns holds.

    python3 examples/buckets.py reads.fastq.gz

Batches of widths come in a random order. state_dict() is a point inside an epoch, as of any loader.
"""
import sys

from biostream import Loader, Store


def buckets(store, tokens, **fields):
    return Loader(store, order='exact', shape={'kind': 'buckets', 'batch_tokens': tokens}, **fields)


if __name__ == '__main__':
    reads = Store.build(sys.argv[1:], duplicate_names=True)
    with buckets(reads, 65536, encoding={'kind': 'tokens'}) as loader:
        sizes = [(batch.x.size, batch.lengths.sum(), batch.valid_rows) for batch in loader.epoch(0)]
    columns, bases, rows = map(sum, zip(*sizes))
    print('%d batches of %d rows, of whose columns %.2f %% are padding' % (len(sizes), rows, 100 - 100 * bases / columns))
