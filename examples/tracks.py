#!/usr/bin/env python3
"""Targets for each base beside the rows of a store: tracks of numbers, a number for each base of a sequence.

    fxstore genome.fa -o genome.bst
    python3 examples/tracks.py genome.bst peaks.bed signal.bedgraph
"""
import sys

import numpy as np

from biostream import Loader, Store
from biostream_bed import read_bed


def read_bedgraph(path, store):
    """{sequence number: an f4 for each of its bases}, NaN where no line says one. Of two lines the later counts."""
    tracks = {}
    for words in map(str.split, open(path)):
        if not words or words[0] in ('track', 'browser') or words[0][0] == '#':
            continue
        name, start, end, value = words[0], *map(float, words[1:4])
        number = store.find(name)
        if not 0 <= start <= end <= store.lengths[number]:
            raise ValueError('%s: %s has %d bases: %s' % (path, name, store.lengths[number], ' '.join(words)))
        if number not in tracks:
            tracks[number] = np.full(store.lengths[number], np.nan, 'f4')
        tracks[number][int(start):int(end)] = value
    return tracks


def targets(batch, tracks, sequences):
    """[rows][columns] f4: what the track says of the base in each column; NaN in padding, and without a track.

    sequences: the sequence of each interval. ids['piece'] is the interval of a row, whatever the order. The padding of
    rows of the minus strand must be where the mirror has it, which is the default (regions.minus_pad start).
    """
    out = np.full(batch.x.shape[:2], np.nan, 'f4')  # the layout NLC, or tokens
    for row, of in zip(out, batch.ids[:batch.valid_rows]):
        track, first = tracks.get(sequences[of['piece']], ()), int(of['start_base'])  # below 0 where padding is
        start, end = max(first, 0), min(first + len(row), len(track))
        if start < end:
            row[start - first:end - first] = track[start:end]
        if of['strand']:  # the row is mirrored, column for column, and so is its track
            row[:] = row[::-1].copy()
    return out


if __name__ == '__main__':
    genome, places = Store(sys.argv[1]), read_bed(sys.argv[2])
    tracks, sequences = read_bedgraph(sys.argv[3], genome), [genome.find(name) for name in places['sequence']]
    with Loader(genome, row_bases=512, order='exact', augment={'reverse_complement': 0.5}, epochs=1, batch_rows=32,
                regions={'kind': 'intervals', 'intervals': places, 'fit': 'center', 'jitter': 64}) as loader:
        for batch in loader.epoch(0):
            y = targets(batch, tracks, sequences)
            print('x', batch.x.shape, 'y', y.shape, 'mean of y %.4f' % np.nanmean(y))
