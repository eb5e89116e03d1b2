#!/usr/bin/env python3
"""As many rows of each class in every batch, where the classes of one file are mixed and of unequal sizes.

    fxstore reads.fastq -o reads.bst
    python3 examples/balance.py reads.bst classes.txt

classes.txt has the class of each record, 0, 1, ..., a line each. A store can give any records in any order, so each
class is a group that lists its records. A class that ends early starts over, in another order.
"""
import sys

import numpy as np

from biostream import Loader, Store


def balanced(store, classes, **fields):
    """A loader whose groups are the classes, with equal weights; batch.labels has the class of each row."""
    classes = np.asarray(classes)
    if classes.shape != (len(store),):
        raise ValueError('there are classes for %s records, and the store has %d' % (classes.shape, len(store)))
    groups = {'class %d' % number: (1, number, store, {'sequences': np.flatnonzero(classes == number).astype('u8')})
              for number in np.unique(classes)}
    return Loader(groups=groups, order='exact', regions={'kind': 'records'}, **fields)


if __name__ == '__main__':
    classes = np.loadtxt(sys.argv[2], 'i8')
    with balanced(Store(sys.argv[1]), classes, row_bases=150, long_records='head', batch_rows=64, epochs=1) as loader:
        for batch in loader.epoch(0):
            print('batch %d: rows of each class' % batch.index, np.bincount(batch.labels[:batch.valid_rows]).tolist())
