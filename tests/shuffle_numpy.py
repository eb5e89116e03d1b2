#!/usr/bin/env python3
"""The shuffle against a buffer drawn with numpy: does it mix as every other loader's buffer of that size?

    python3 tests/shuffle_numpy.py build/examples/fxbatch

Two files of 2000 records, read through buffers of a quarter, a half, all and twice all of them, in 50 epochs. Of each
epoch: the correlation of a record's place with its number, how far records move on average, and the share of the
second file in each tenth of the epoch. Their means must be those of 300 buffers drawn here, within five times the
error of the difference of two such means. Ends with 'N passed, N failed'; without numpy it prints 'skipped: numpy'.
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print('skipped: numpy')
    print('0 passed, 0 failed, 1 skipped')
    sys.exit(0)

RECORDS, EPOCHS, DRAWN = 4000, 50, 300


def drawn_order(rng, cells):
    """Record numbers as a buffer of so many cells puts them out: fill it, then swap with a random cell; mix the rest."""
    held, out = list(range(min(cells, RECORDS))), []
    for record, cell in zip(range(cells, RECORDS), rng.integers(0, cells, max(0, RECORDS - cells))):
        out.append(held[cell])
        held[cell] = record
    return np.array(out + list(rng.permutation(held)))


def measures(order):
    """Of one epoch: correlation, mean distance in shares of it, the second file's share of each tenth."""
    places = np.arange(RECORDS)
    tenths = (order >= RECORDS // 2).reshape(10, -1).mean(axis=1)
    return np.concatenate([[np.corrcoef(places, order)[0, 1], np.abs(places - order).mean() / RECORDS], tenths])


NAMES = ['correlation', 'distance moved'] + ['second file in tenth %d' % i for i in range(1, 11)]


def loader_orders(tool, directory, cells):
    files = []
    for half in range(2):
        files.append(os.path.join(directory, 'half%d.fasta' % half))
        with open(files[-1], 'w') as out:
            out.write('>r\nA\n' * (RECORDS // 2))
    arrays = os.path.join(directory, 'arrays%d' % cells)
    subprocess.run([tool, '--rows', str(RECORDS), '--bases', '1', '--shuffle', str(cells), '--seed', '18', '--epochs',
                    str(EPOCHS), '--npy', arrays] + files, stdout=subprocess.DEVNULL, check=True)
    for epoch in range(EPOCHS):
        ids = np.load(os.path.join(arrays, 'epoch%d_batch000000_ids.npy' % epoch))[:, 0]
        yield (ids >> 40) * (RECORDS // 2) + (ids & (1 << 40) - 1)


def compare(tool, directory, cells):
    """Returns how many measures agree, and how many do not."""
    rng = np.random.default_rng(cells)
    orders = list(loader_orders(tool, directory, cells))
    if any((np.sort(order) != np.arange(RECORDS)).any() for order in orders):
        print('FAILED: with %d cells not every record came once' % cells)
        return 0, 1
    ours = np.array([measures(order) for order in orders])
    drawn = np.array([measures(drawn_order(rng, cells)) for _ in range(DRAWN)])
    error = drawn.std(axis=0) * np.sqrt(1 / EPOCHS + 1 / DRAWN) + 1e-12
    off = (ours.mean(axis=0) - drawn.mean(axis=0)) / error
    for name, ours_mean, drawn_mean, sigmas in zip(NAMES, ours.mean(axis=0), drawn.mean(axis=0), off):
        if abs(sigmas) > 5:
            print('FAILED: %d cells, %s: %.4f, drawn %.4f: %.1f sigma' % (cells, name, ours_mean, drawn_mean, sigmas))
    print('%d cells: correlation %.3f, moved %.3f of the epoch (drawn %.3f, %.3f)' % (
        cells, ours.mean(axis=0)[0], ours.mean(axis=0)[1], drawn.mean(axis=0)[0], drawn.mean(axis=0)[1]))
    return int((abs(off) <= 5).sum()), int((abs(off) > 5).sum())


def main():
    with tempfile.TemporaryDirectory() as directory:
        results = [compare(sys.argv[1], directory, cells)
                   for cells in (RECORDS // 4, RECORDS // 2, RECORDS, 2 * RECORDS)]
    failed = sum(result[1] for result in results)
    print('%d passed, %d failed' % (sum(result[0] for result in results), failed))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
