#!/usr/bin/env python3
"""Several records of a store in each row: what attention over sequences of many lengths takes, and numbers by record.

    python3 examples/packed.py reads.fastq.gz
"""
import sys

import numpy as np

from biostream import Loader, Store


def packed(store, columns, rows, **fields):
    shape = {'kind': 'packed', 'segments': True, 'positions': True, 'offsets': True}
    return Loader(store, row_bases=columns, batch_rows=rows, order='exact', long_records='crop', shape=shape,
                  encoding={'kind': 'tokens'}, **fields)


def lengths_of_sequences(batch):
    """(cu_seqlens, max_seqlen) of x.reshape(-1), as flash_attn_varlen_func has them: padding attends to itself."""
    return batch.offsets, int(np.diff(batch.offsets).max())


def may_attend(batch):
    """[rows][columns][columns], for attention that takes a mask: a column attends to those of its own record."""
    return (batch.segment[:, :, None] == batch.segment[:, None, :]) & (batch.segment[:, :, None] > 0)


def means(batch, values):
    """Of values [rows][columns] the mean over each record that has bases, in the order of batch.lengths."""
    shown = batch.segment.reshape(-1) > 0
    starts = np.flatnonzero(shown & (batch.position.reshape(-1) == 0))
    return np.add.reduceat(np.where(shown, values.reshape(-1), 0), starts) / batch.lengths[batch.lengths > 0]


if __name__ == '__main__':
    with packed(Store.build(sys.argv[1:], duplicate_names=True), 8192, 8) as loader:
        for batch in loader.epoch(0):
            print('batch %d: %d records in %d rows, %.2f %% padding, the longest has %d' % (
                batch.index, batch.samples, batch.valid_rows, 100 * (batch.segment == 0).mean(), batch.lengths.max()))
