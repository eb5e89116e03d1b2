#!/usr/bin/env python3
"""An order of your own: which records an epoch has, and how often, is drawn by the program; here by the losses so far.

    fxstore reads.fastq -o reads.bst
    python3 examples/own_order.py reads.bst

A list is a loader's, so each epoch opens one; that takes milliseconds. Row r of the epoch shows records[ids['piece'][r]].
The state of a run is the losses, and the loader's state_dict() with the same list.
"""
import sys

import numpy as np

from biostream import Loader, Store


def draw(losses, epoch, count, seed=0):
    """Records in proportion to their losses, some often and some never: a sample for each epoch, with replacement."""
    return np.random.default_rng([seed, epoch]).choice(len(losses), count, p=losses / losses.sum()).astype('u8')


def loader_of(store, records, **fields):
    return Loader(store, order='file', regions={'kind': 'records', 'sequences': records}, **fields)


if __name__ == '__main__':
    reads = Store(sys.argv[1])
    losses = np.ones(len(reads))  # of each record, before the first epoch
    for epoch in range(3):
        records = draw(losses, epoch, len(reads))
        with loader_of(reads, records, row_bases=150, long_records='head', augment={'substitute': 0.01},
                       seed=epoch) as loader:
            for batch in loader.epoch(0):
                shown = records[batch.ids['piece'][:batch.valid_rows]]
                losses[shown] = 1 + batch.x[:batch.valid_rows, :, 1:3].mean((1, 2))  # a model's, here the share of C and G
        print('epoch %d: %d records of %d, the most frequent %d times' %
              (epoch, len(np.unique(records)), len(reads), np.bincount(records.astype('i8')).max()))
