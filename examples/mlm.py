#!/usr/bin/env python3
"""Masked language modelling: which tokens are hidden depends on the seed, the epoch and the row, and on nothing else.

    fxstore genome.fa -o genome.bst
    python3 examples/mlm.py genome.bst
"""
import sys

import numpy as np

from biostream import Loader, Store

PAD, MASK, A, C, G, T, N = range(7)
TOKENS = {'A': A, 'C': C, 'G': G, 'T': T, 'all': N}


def mixed(words):
    """The last step of SplitMix64, on an array of u8."""
    words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return words ^ words >> np.uint64(31)


def masked(batch, seed=0, share=0.15):
    """(input, target): target is the token where one is asked for, else -100, which PyTorch's cross entropy leaves out.

    Of the tokens asked for, 80 % are MASK in the input, 10 % a random base and 10 % what they are. What is drawn for a row
    is the same in any batch size and for any number of ranks.
    """
    tokens, step, words = batch.x.astype('i8'), np.uint64(0x9E3779B97F4A7C15), np.zeros((batch.rows, 1), 'u8')
    keys = (batch.ids[name].astype('u8')[:, None] for name in ('id', 'piece', 'pass', 'group'))
    for key in (int(seed) % 2**64, batch.epoch, *keys):
        words = mixed(words + step + key)
    words = mixed(words + step * np.arange(1, tokens.shape[1] + 1, dtype='u8'))
    asked = ((words & np.uint64(0xFFFFFF)) < share * 2**24) & (tokens >= A) & (tokens <= T)
    kind, base = (words >> np.uint64(24) & np.uint64(0xFFFFF)) / 2**20, A + (words >> np.uint64(62)).astype('i8')
    shown = np.where(asked & (kind < 0.8), MASK, np.where(asked & (kind >= 0.9), base, tokens))
    return shown, np.where(asked, tokens, -100)


if __name__ == '__main__':
    with Loader(Store(sys.argv[1]), row_bases=1024, order='exact', batch_rows=32, epochs=1, regions={'kind': 'grid'},
                encoding={'kind': 'tokens', 'tokens': TOKENS, 'pad_value': PAD}) as loader:
        for batch in loader.epoch(0):
            x, y = masked(batch)
            print('batch %d: %.4f of the tokens are asked for' % (batch.index, (y >= 0).mean()))
