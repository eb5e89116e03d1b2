#!/usr/bin/env python3
"""examples/biostream.py and frames of `fxbatch --frames -`, against a parser and an encoder written here, and fxbatch.

    make lib examples
    python3 tests/test_python.py build/examples build/lib/libbiostream.so

Ends with 'N passed, N failed'; for what is missing it prints one line 'skipped: NAME'. NumPy is needed.
"""
import contextlib
import copy
import ctypes
import gc
import glob
import gzip
import importlib
import importlib.util
import io
import itertools
import json
import multiprocessing
import operator
import os
import pathlib
import pickle
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings

programs, library = sys.argv[1], os.path.abspath(sys.argv[2])
os.environ['BIOSTREAM_LIB'] = library
sys.path.insert(0, 'examples')
sys.dont_write_bytecode = True
import numpy as np  # noqa: E402

import biostream  # noqa: E402
import biostream_desc  # noqa: E402
import biostream_store  # noqa: E402
import read_frames  # noqa: E402
from biostream import BiostreamError, Interval, Loader, Store  # noqa: E402

READS = 'examples/data/illumina_hiseqx_150bp.fastq.gz'
TENX = 'examples/data/tenx_v2_R2_cdna.fastq.gz'
COLI = 'examples/data/ecoli_536_genome.fasta.gz'
HUMAN = 'examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz'
DIGEST_0 = 'e52f5f95168d6982'  # as in examples/run.sh: row_bases 150, shuffle_rows 65536
SLOWNESS = max(1, os.getloadavg()[0] / os.cpu_count())  # limits of time grow with it
work = tempfile.mkdtemp()
passed = failed = skipped = 0
has_torch = importlib.util.find_spec('torch') is not None


def check(condition, what):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print('FAILED %s' % what)


def check_equal(got, want, what):
    check(got == want, '%s: %r, not %r' % (what, got, want))


def skip(what):
    global skipped
    skipped += 1
    print('skipped: %s' % what)


def check_raises(action, words, what):
    try:
        action()
    except BiostreamError as error:
        check(all(word in str(error) for word in words), '%s: "%s" lacks one of %s' % (what, error, words))
    else:
        check(False, '%s: nothing was raised' % what)


def close_enough(got, want):
    return got.shape == want.shape and np.allclose(got, want, rtol=1e-6, atol=0)


# ---- what a batch should hold, from the text ----------------------------------------------------------------


def read_fastq(path, limit=None):
    """(name, sequence, quality) of each record."""
    with gzip.open(path, 'rt') if path.endswith('.gz') else open(path) as text:
        lines = text.read().split('\n')
    records = [(lines[i][1:].split(' ')[0].split('\t')[0], lines[i + 1], lines[i + 3])
               for i in range(0, len(lines) - 3, 4)]
    return records[:limit]


def one_hot(sequences, columns, letters='ACGT'):
    x = np.zeros((len(sequences), columns, len(letters)))
    for row, sequence in enumerate(sequences):
        for column, base in enumerate(sequence.upper()):
            if base in letters:
                x[row, column, letters.index(base)] = 1
    return x


def epoch_of(loader, epoch, take, stop=None):
    """take(batch) of each batch, or of the first `stop`."""
    found = []
    for batch in loader.epoch(epoch):
        found.append(take(batch))
        if len(found) == stop:
            break
    return found


def digest_of(loader, epoch):
    return '%016x' % (sum(epoch_of(loader, epoch, lambda batch: batch.digest)) % 2 ** 64)


def run_fxbatch(*arguments, **options):
    return subprocess.run([os.path.join(programs, 'fxbatch'), *arguments], capture_output=True, check=False, **options)


def digests_of_fxbatch(*arguments):
    out = run_fxbatch(*arguments, text=True).stdout
    return [line.split('digest ')[1][:16] for line in out.splitlines() if line.startswith('epoch')]


def test_arrays():
    records = read_fastq(TENX)
    sequences = [sequence for _, sequence, _ in records]
    columns, rows = max(map(len, sequences)), 8
    want = one_hot(sequences, columns)
    phred = np.zeros((len(records), columns))
    mask = np.zeros((len(records), columns))
    for row, (_, sequence, quality) in enumerate(records):
        phred[row, :len(sequence)] = [ord(character) - 33 for character in quality]
        mask[row, :len(sequence)] = 1
    fields = dict(batch_rows=rows, row_bases=columns, names=True, mask=True, quality={'kind': 'phred', 'dtype': 'f32'})
    for dtype, numpy in (('u8', 'u1'), ('f16', 'f2'), ('f32', 'f4'), ('bf16', 'u2')):
        with Loader([TENX], encoding={'dtype': dtype}, **fields) as loader:
            seen = 0
            for batch in loader.epoch(0):
                start, valid = batch.index * rows, batch.valid_rows
                x = batch.x
                check_equal((x.dtype.str[1:], x.shape, x.flags.writeable), (numpy, (rows, columns, 4), True), dtype)
                values = (x.astype(np.uint32) << 16).view('f4') if dtype == 'bf16' else x
                check(np.array_equal(values[:valid], want[start:start + valid]) and not values[valid:].any(),
                      'values of x, ' + dtype)
                check(np.array_equal(batch.quality[:valid], phred[start:start + valid]) and
                      batch.quality.dtype == np.float32 and not batch.quality[valid:].any(), 'quality')
                check(np.array_equal(batch.mask[:valid], mask[start:start + valid]) and batch.mask.dtype == np.uint8,
                      'mask')
                check_equal(list(batch.lengths),
                            [len(s) for s in sequences[start:start + valid]] + [0] * (rows - valid), 'lengths')
                check_equal(list(batch.ids['id']), list(range(start, start + valid)) + [-1] * (rows - valid), 'ids')
                check_equal(batch.names, [name for name, _, _ in records[start:start + valid]] + [''] * (rows - valid),
                            'names')
                check(batch.labels is None, 'no labels')
                check_equal((batch.epoch, batch.rows), (0, rows), 'numbers')
                seen += valid
            check_equal(seen, len(records), 'all records')
    with Loader([TENX], batch_rows=rows, row_bases=columns, encoding={'layout': 'ncl'}) as loader:
        got = np.concatenate(epoch_of(loader, 0, lambda batch: batch.x[:batch.valid_rows].copy()))
        check(np.array_equal(got, want.transpose(0, 2, 1)), 'NCL')
    with Loader([TENX], batch_rows=rows, row_bases=columns, quality={'kind': 'error', 'dtype': 'f32'}) as loader:
        got = np.concatenate(epoch_of(loader, 0, lambda batch: batch.quality[:batch.valid_rows].copy()))
        check(close_enough(got, np.where(mask > 0, 10 ** (-phred / 10), 0)), 'chances of error')
    tokens = {'all': 9, 'A': 1, 'C': 2, 'G': 3, 'T': 4}
    with Loader([TENX], batch_rows=rows, row_bases=columns,
                encoding={'kind': 'tokens', 'dtype': 'i64', 'tokens': tokens, 'pad_value': 7}) as loader:
        got = np.concatenate(epoch_of(loader, 0, lambda batch: batch.x[:batch.valid_rows].copy()))
        expected = [[tokens.get(base, 9) for base in s] + [7] * (columns - len(s)) for s in sequences]
        check(got.dtype == np.int64 and got.tolist() == expected, 'tokens')
    # Columns as long as the longest row of a batch, over two files: the path is in the ids.
    with Loader([TENX, TENX], batch_rows=rows, pad_multiple=1, **{'encoding.channels': 'TGCA'}) as loader:
        for batch in loader.epoch(0):
            path, record = batch.ids['id'] >> 40, batch.ids['id'] & (1 << 40) - 1
            of = [sequences[n] for n, p in zip(record, path) if p >= 0]
            check(np.array_equal(batch.x[:batch.valid_rows], one_hot(of, max(map(len, of)), 'TGCA')), 'longest row')
    # Pieces, and rows that no rank but some has: a rank may get none of a short batch.
    lengths = [len(s) for s in sequences]
    got = []
    for rank in range(4):
        with Loader([TENX], batch_rows=16, row_bases=40, long_records='split', split_stride=20, tail='short', rank=rank,
                    world=4) as loader:
            for batch in loader.epoch(0):
                check(len(batch.x) == len(batch.lengths) == len(batch.ids) == batch.rows, 'rows of a short batch')
                got += list(zip(batch.ids['id'].tolist(), batch.ids['start_base'].tolist(), batch.lengths.tolist()))
    expected = [(record, start, min(40, n - start)) for record, n in enumerate(lengths)
                for start in range(0, max(1, n - 20), 20)]
    check_equal(sorted(got), expected, 'pieces of all ranks')


TITLED = os.path.join(work, 'titled.fq')


def test_titles():
    with open(TITLED, 'w') as out:
        out.write('@r:1 ch=7 kind=b\nACgt\n+\nIIII\n@r:2 ch=-3 kind=a\nNA\n+\nII\n')
    store = Store.build(TITLED, qualities=True, letters='bytes')
    for of in ([TITLED], store):
        for names, want in ((True, ['r:1', 'r:2']), (2, ['r:1 ch=7 kind=b', 'r:2 ch=-3 kind=a'])):
            with Loader(of, batch_rows=2, row_bases=4, names=names) as loader:
                check_equal(next(loader.epoch(0)).names, want, ('names', names))
        for labels, want in (({'key': 'ch', 'dtype': 'i32'}, [7, -3]), ({'field': 2}, [1, 2]),
                             ({'key': 'kind', 'classes': 'a,b'}, [1, 0])):
            with Loader(of, batch_rows=2, row_bases=4, labels={'kind': 'title', **labels}) as loader:
                check_equal(next(loader.epoch(0)).labels.tolist(), want, labels)
        table = [0.25 if chr(byte).islower() else byte for byte in range(256)]
        for weights in (table, np.array(table), {'A': 65, 'C': 67, 'N': 78, 'g': 0.25, 't': 0.25},
                        'A=65,C=67,N=78,g=0.25,t=0.25', {'all': 0.25, 'A': 65, 'C': 67, 'N': 78}):
            with Loader(of, batch_rows=2, row_bases=5, weights=weights) as loader:
                check_equal(next(loader.epoch(0)).weights.tolist(), [[65, 67, 0.25, 0.25, 0], [78, 65, 0, 0, 0]], 'weights')
        for weights, words in (([1], ['1 numbers', '256']), ({'AC': 1}, ['neither "all" nor one letter']),
                               ({'A': 'x'}, ['weights[65]']), (dict(A=float('inf')), ['desc.weights is infinite'])):
            check_raises(lambda: Loader(of, weights=weights), words, 'weights')
    check_raises(lambda: Loader(store, labels={'kind': 'title', 'key': 'x'}), ["record 1: the title 'r:1 ch=7 kind=b'", 'no x='],
                 'no label')
    check_raises(lambda: Loader(store, labels={'make': len}), ["labels.make is a function of C: ", "'kind': 'title'"], 'make')
    check_raises(lambda: Loader(store, filter={'keep': len}), ["filter.keep is a function of C: ", "'kind': 'records'"], 'keep')


def test_digests():
    fields = dict(row_bases=150, shuffle_rows=65536, epochs=2, digest=True)
    with Loader(READS, **fields) as loader:
        check_equal(digest_of(loader, 0), DIGEST_0, 'digest of epoch 0')
        check_equal(digest_of(loader, 1), digests_of_fxbatch('--bases', '150', '--shuffle', '65536', '--epochs', '2',
                                                             READS)[1], 'digest of epoch 1')
    want = digests_of_fxbatch('--bases', '100', '--long', 'crop', '--rc', '0.5', '--mutate', '0.001', '--inject-n',
                              '0.00001', '--dtype', 'f16', '--seed', '7', '--rows', '64', READS)
    for workers in (1, 2, 5):
        with Loader([READS], row_bases=100, long_records='crop', seed=7, batch_rows=64, digest=True, workers=workers,
                    encoding={'dtype': 'f16'},
                    augment={'reverse_complement': 0.5, 'substitute': 0.001, 'inject_n': 1e-5}) as loader:
            check_equal(digest_of(loader, 0), want[0], 'random changes, %d workers' % workers)


def test_groups():
    groups = {'a b': (3, 7, [READS]), 'c': (1, -2, [TENX, TENX])}
    with Loader(groups=groups, row_bases=150, batch_rows=64, labels={'dtype': 'i64'}, epoch_end='rows', epoch_rows=640,
                allow_unseen=True) as loader:
        for batch in loader.epoch(0):
            counts = {label: int((batch.labels == label).sum()) for label in (7, -2)}
            check_equal(counts, {7: 48, -2: 16}, 'three of four rows')
            check(((batch.ids['id'] >> 40 > 0) == (batch.labels == -2)).all() and
                  (batch.ids['group'] == (batch.labels == -2)).all(), 'labels are those of the files')
    with Loader(groups={'a': (1, 0.5, [TENX]), 'b': (1, 2, [READS])}, row_bases=150, labels={'dtype': 'f32'}) as loader:
        check_equal(epoch_of(loader, 0, lambda batch: sorted(set(batch.labels.tolist())), 1), [[0.5, 2.0]],
                    'f32 labels')
    with Loader(groups={'a': (2, 1, [READS]), 'b': (1, 0, [READS])}, row_bases=150, digest=True) as loader:
        check_equal([digest_of(loader, 0)], digests_of_fxbatch('--bases', '150', '--label', 'group', '--group', 'a:2:1',
                                                               READS, '--group', 'b:1:0', READS), 'groups as fxbatch')
    with Loader(groups={'a': (1, 4, [TENX, TENX]), 'b': (1, 5, [READS])}, row_bases=150) as loader:
        pairs = epoch_of(loader, 0, lambda batch: list(zip(batch.ids['id'] >> 40, batch.labels))[:batch.valid_rows])
        check_equal({(int(path), int(label)) for rows in pairs for path, label in rows}, {(0, 4), (1, 4), (2, 5)},
                    'groups of several files')
    with Loader([READS, TENX], row_bases=150, labels={'kind': 'input', 'of_inputs': [3, 250]}) as loader:
        pairs = epoch_of(loader, 0, lambda batch: list(zip(batch.ids['id'] >> 40, batch.labels))[:batch.valid_rows])
        check_equal({(int(path), int(label)) for rows in pairs for path, label in rows}, {(0, 3), (1, 250)},
                    'labels of inputs')


def write(name, text):
    path = os.path.join(work, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


def test_resume():
    fields = dict(row_bases=150, batch_rows=128, shuffle_rows=2000, digest=True, augment={'reverse_complement': 0.5})
    with Loader([READS], **fields) as loader:
        whole = [epoch_of(loader, epoch, lambda batch: batch.digest) for epoch in (0, 1)]
        check_equal(loader.next_epoch, 2, 'next epoch')
        check_equal(loader.state_dict(), {'epoch': 2, 'state': ''}, 'state between epochs')
    for epoch, stop in ((0, 1), (0, 40), (0, len(whole[0])), (1, 17)):
        with Loader([READS], **fields) as loader:
            before = epoch_of(loader, epoch, lambda batch: batch.digest, stop)
            state = json.loads(json.dumps(loader.state_dict()))
        with Loader([READS], workers=1, **fields) as loader:
            loader.load_state_dict(state)
            check_equal((loader.next_epoch, loader.state_dict()), (epoch, state), 'the point is kept')
            after = epoch_of(loader, loader.next_epoch, lambda batch: batch.digest)
            check(before + after == whole[epoch], 'stop after %d of epoch %d' % (stop, epoch))
            if epoch == 0:
                check(epoch_of(loader, loader.next_epoch, lambda batch: batch.digest) == whole[1], 'the epoch after it')
    with Loader([READS], **fields) as loader:
        loader.load_state_dict({'epoch': 1, 'state': ''})
        check(epoch_of(loader, loader.next_epoch, lambda batch: batch.digest) == whole[1], 'from an epoch on')
        # The same loader goes back to where it was, while one of its epochs is under way.
        batches = loader.epoch(0)
        digests = [next(batches).digest for _ in range(5)]
        kept = loader.state_dict()
        next(batches)
        loader.load_state_dict(kept)
        digests += epoch_of(loader, 0, lambda batch: batch.digest)
        check(digests == whole[0], 'back to a point')
        check_raises(lambda: next(batches), ['this epoch is over'], 'batches of the loader before')
        loader.load_state_dict(kept)
        check_raises(lambda: next(loader.epoch(3)), ['first epoch'], 'another epoch than the state')
        check(digests[5:] == epoch_of(loader, 0, lambda batch: batch.digest), 'then the right one')
    with Loader([READS], **dict(fields, seed=9)) as loader:
        check_raises(lambda: loader.load_state_dict(kept), ['state'], 'a state of another desc')
        check(len(epoch_of(loader, 0, lambda batch: batch.index)) == len(whole[0]), 'and the loader is as it was')
        check_raises(lambda: loader.load_state_dict({'epoch': 0, 'state': 'abcd'}), ['state'], 'a state that is none')
    # While the first batch after a resume is waited for the point is still the one it resumed from.
    points, sleep = [], time.sleep
    with Loader([READS], workers=1, **fields) as loader:
        loader.load_state_dict(kept)
        biostream.time.sleep = lambda seconds: points.append(loader.state_dict())
        try:
            check_equal(next(loader.epoch(0)).digest, digests[5], 'the next batch')
        finally:
            biostream.time.sleep = sleep
    check(len(points) > 0 and all(point == kept for point in points), 'points while waiting: %d' % len(points))
    # In a signal's handler, as before the end of a job, while the loader is waiting or not.
    states = []
    with Loader([READS], **fields) as loader:
        old = signal.signal(signal.SIGALRM, lambda *_: states.append((len(digests), loader.state_dict())))
        digests = []
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
            for batch in loader.epoch(0):
                digests.append(batch.digest)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)
    count, state = states[len(states) // 2] if states else (0, {'epoch': 0, 'state': ''})
    with Loader([READS], **fields) as loader:
        loader.load_state_dict(state)
        after = epoch_of(loader, loader.next_epoch, lambda batch: batch.digest) if state['epoch'] == 0 else []
        check(after == whole[0][-len(after):] if after else count == len(whole[0]), 'a state taken in a handler')
        check(abs(len(whole[0]) - len(after) - count) <= 1, 'is of the batch at hand')


def test_resume_without_a_row():
    short = write('short.fastq', ''.join('@%d\nACGT\n+\nIIII\n' % n for n in range(20000)))
    fields = dict(groups={'long': (3, 1, [READS]), 'short': (1, 0, [short])}, row_bases=150, batch_rows=4,
                  filter={'min_length': 120})
    states = []
    with Loader(**fields) as loader:
        check_raises(lambda: states.extend(loader.state_dict() for _ in loader.epoch(0)),
                     ['short: ', 'of 20000 records or pieces desc.filter.min_length', 'left out 20000'], 'no row of a group')
        loader.load_state_dict(states[-1])
        check_raises(lambda: next(loader.epoch(0)), ['short: ', ' after desc.state desc.filter.min_length', 'left out',
                                                     'those before is not known'], 'after a resume')


# ---- stores --------------------------------------------------------------------------------------------------


def read_fasta(path):
    """Sequences by the first words of their titles."""
    with gzip.open(path, 'rt') as file:
        records = file.read()[1:].split('\n>')
    return {text.split(None, 1)[0]: ''.join(text.split('\n')[1:]) for text in records}


def make_store(name, *paths):
    path = os.path.join(work, name)
    subprocess.run([os.path.join(programs, 'fxstore'), *paths, '-o', path], capture_output=True, check=True)
    return path


def as_tokens(sequence, strand=0):
    if strand:
        sequence = sequence[::-1].translate(str.maketrans('ACGTacgt', 'TGCAtgca'))
    return [{'A': 1, 'C': 2, 'G': 3, 'T': 4}.get(base, 5) for base in sequence.upper()]


def rows_of(loader, epoch=0, stop=None):
    """(record, start, strand, tokens, label) of each valid row."""
    found = []
    for batches, batch in enumerate(loader.epoch(epoch)):
        labels = [None] * batch.valid_rows if batch.labels is None else batch.labels.tolist()
        found += [(int(row['id']) & (1 << 40) - 1, int(row['start_base']), int(row['strand']), tokens, label)
                  for row, tokens, label in zip(batch.ids[:batch.valid_rows], batch.x.tolist(), labels)]
        if batches + 1 == stop:
            break
    return found


def test_stores():
    genome = read_fasta(HUMAN)
    names, sequences = list(genome), list(genome.values())
    store = Store(make_store('human.bst', HUMAN))
    for name, start, end in ((names[0], 0, 1), (names[0], 100, 16000), (names[1], 5, 5), (names[1], 777, 90001),
                             (names[1], len(sequences[1]) - 70, len(sequences[1]))):
        check(store.fetch(name, start, end) == genome[name][start:end], 'bases %s %d %d' % (name, start, end))
        check(store.fetch(names.index(name), start, end) == genome[name][start:end], 'by its number')
    check_raises(lambda: store.fetch('chrX', 0, 1), ['no sequence chrX'], 'a name that is not there')
    for start, end in ((0, len(sequences[0]) + 1), (2, 1), (0, 10 ** 15)):
        check_raises(lambda: store.fetch(names[0], start, end), [names[0], str(end)], 'bases that are not there')
    check_raises(lambda: store.fetch(names[0], -1, 3), [names[0], '-1'], 'a base before the first')
    check_raises(lambda: store.fetch(len(names), 0, 1), [str(len(names))], 'a number that is not there')
    check_raises(lambda: Store('no/such.bst'), ['no/such.bst', 'no such file'], 'a missing store')
    check_raises(lambda: Store(READS), [READS, 'store'], 'a file that is no store')
    names_of = write('names.fa', '>a 1\nAC\n>b\nGG\n>a 2\nTT\n')
    twice = Store(make_store('names.bst', '--duplicate-names', names_of))
    check_equal((twice.find('b'), twice.fetch(2, 0, 2)), (1, 'TT'), 'a name that is there once')
    check_raises(lambda: twice.find('a'), ['named a: numbers 0 and 2'], 'a name of two sequences')
    check_raises(lambda: Loader(twice, row_bases=2, regions={'kind': 'intervals', 'intervals': [('a', 0, 2)]}),
                 ['named a: numbers 0 and 2'], 'an interval of two sequences')
    # Records, as their file has them.
    fields = dict(row_bases=150, batch_rows=96, digest=True)
    with Store(make_store('reads.bst', READS)) as reads:
        with Loader(reads, **fields) as loader, Loader([READS], **fields) as text:
            check_equal(len(loader), 105, 'batches of reads')
            check_equal([batch.digest for batch in loader.epoch(0)], [batch.digest for batch in text.epoch(0)],
                        'records in the order of the file')
            check_equal((len(loader), len(text)), (105, 105), 'batches are known after an epoch')
            check_raises(reads.close, ['store', 'loader'], 'a store is closed under its loader')
            check_equal(sum(batch.valid_rows for batch in loader.epoch(1)), 10000, 'and is still there')
        with Loader([READS], **fields) as text:
            try:
                len(text)
                check(False, 'batches of files before the first epoch')
            except TypeError as error:
                check('after the first' in str(error), 'batches of files before the first epoch')
    check_raises(lambda: reads.fetch(0, 0, 1), ['closed'], 'a store that was closed')
    check_raises(lambda: Loader(reads, row_bases=150), ['closed'], 'a loader over it')
    # A grid over one sequence, both strands.
    tokens = dict(encoding={'kind': 'tokens'}, row_bases=120, batch_rows=32)
    grid = {'kind': 'grid', 'stride': 50, 'strands': 'both', 'edge': 'drop', 'sequences': [names[0]]}
    want = [(0, start, strand, as_tokens(sequences[0][start:start + 120], strand), None)
            for start in range(0, len(sequences[0]) - 119, 50) for strand in (0, 1)]
    with Loader(store, regions=grid, **tokens) as loader:
        check_equal(len(loader), -(-len(want) // 32), 'batches of a grid')
        check(rows_of(loader) == want, 'a grid')
    for order in ('exact', 'helixer'):
        with Loader(store, regions=grid, order=order, seed=3, **tokens) as loader:
            rows = rows_of(loader)
            check(sorted(rows) == want and rows != want, 'the order ' + order)
            check(order != 'exact' or sorted(rows_of(loader, 1)) == want, 'another epoch')
            before = rows_of(loader, 2, 3)
            state = loader.state_dict()
        with Loader(store, regions=grid, order=order, seed=3, workers=1, **tokens) as loader:
            whole = rows_of(loader, 2)
            loader.load_state_dict(state)
            check(before + rows_of(loader, loader.next_epoch) == whole, 'a stop and a resume in the order ' + order)
    with Loader(store, regions={'kind': 'grid', 'jitter': 9, 'edge': 'inside'}, order='exact', **tokens) as loader:
        rows = rows_of(loader, 0, 40)
        check(all(row[3] == as_tokens(sequences[row[0]][row[1]:row[1] + 120]) for row in rows), 'bases of moved regions')
        check(len({row[1] % 120 for row in rows}) > 10, 'regions are moved')
    # Intervals, in lists that end before the loader does.
    peaks = [(names[1], 1000, 1120, '-', 7), (names[0], 5, 125), (1, 20000, 20120, '+', 3), [names[1], 0, 120, '-', 2]]
    want = [(names.index(name) if name in names else name, start, int(bool(strand)),
             as_tokens(sequences[names.index(name) if name in names else name][start:end], strand), label)
            for name, start, end, strand, label in ((names[1], 1000, 1120, 1, 7), (names[0], 5, 125, 0, 0),
                                                    (1, 20000, 20120, 0, 3), (names[1], 0, 120, 1, 2))]
    labels = {'kind': 'region', 'dtype': 'i32'}
    with Loader(store, regions={'kind': 'intervals', 'intervals': list(peaks)}, labels=labels, **tokens) as loader:
        peaks_again = [rows_of(loader, epoch) for epoch in (0, 1)]
        check(peaks_again == [want, want], 'intervals')
    check_raises(lambda: Loader(store, regions={'kind': 'intervals', 'intervals': [('chrX', 0, 120)]}, **tokens),
                 ['no sequence chrX'], 'an interval of no sequence')
    for one in ((names[0], 0, 119), (names[0], -500, -380), (names[0], -120, 0), (names[0], 10 ** 9, 10 ** 9 + 120)):
        check_raises(lambda: Loader(store, regions={'kind': 'intervals', 'intervals': [one]}, **tokens),
                     ['interval'], 'a wrong interval')
    check_raises(lambda: Loader([HUMAN], regions={'kind': 'grid'}, **tokens), ['regions', 'store'], 'regions of a file')
    check_raises(lambda: Loader(store, shuffle_rows=100, **tokens), ['shuffle_rows'], 'a shuffle buffer over a store')
    check_raises(lambda: Loader(store, regions={'kind': 'grid', 'stride': 121}, **tokens), ['stride'], 'a long stride')
    # Groups of stores, one of them with regions of its own; nothing but their loader has the stores.
    coli = read_fasta(COLI)
    groups = {'peaks': (1, 1, Store(make_store('human2.bst', HUMAN)), {'kind': 'intervals', 'intervals': peaks[:2]}),
              'coli': (3, 0, Store(make_store('coli.bst', COLI)))}
    with Loader(groups=groups, regions={'kind': 'grid', 'edge': 'drop'}, order='exact', epoch_end='rows', epoch_rows=64,
                **tokens) as loader:
        groups.clear()
        gc.collect()
        rows = rows_of(loader)
        check_equal((len(loader), [row[4] for row in rows].count(1), len(rows)), (2, 16, 64), 'shares of stores')
        check(all(row[:4] in [one[:4] for one in want[:2]] for row in rows if row[4] == 1), 'regions of one group')
        of = list(coli.values())
        check(all(row[3] == as_tokens(of[row[0]][row[1]:row[1] + 120]) and row[1] % 120 == 0 for row in rows if not row[4]),
              'regions of the other')
    # A store beside files, in any order: of three rows one is a region, two are the beginnings of reads.
    with gzip.open(READS, 'rt') as file:
        reads = file.read().split('\n')[1::4]
    for order in (1, -1):
        groups = dict([('peaks', (1, 7, store, {'kind': 'intervals', 'intervals': [peaks[0], peaks[3]]})),
                       ('reads', (2, 3, [READS]))][::order])
        with Loader(groups=groups, long_records='head', epoch_end='rows', epoch_rows=90, **tokens) as loader:
            rows, again = rows_of(loader, 0, 1), rows_of(loader, 0)
            state = loader.state_dict()
        of_store = [row for row in again if row[4] == 7]
        of_text = [row for row in again if row[4] == 3]
        check_equal((rows, len(loader_rows := of_store + of_text), len(of_store)), (again[:32], 90, 30), 'a store beside files')
        check(loader_rows and of_store == [row[:4] + (7,) for row in (want[0], want[3])] * 15, 'its regions')
        check(of_text == [(at, 0, 0, as_tokens(reads[at][:120]), 3) for at in range(60)], 'and reads')
        check_equal(state['epoch'], 1, 'the next epoch')
    inputs = {'peaks': (1, 7, store), 'reads': (2, 3, [READS, TENX])}
    with Loader(groups=inputs, labels={'kind': 'input', 'of_inputs': [10, 11, 12]}, long_records='head', epoch_end='rows',
                epoch_rows=90, **tokens) as loader:
        check_equal({row[4] for row in rows_of(loader)}, {10, 12}, 'labels by input: that of the store is the last')
    check_raises(lambda: Loader(groups={'a': (1, 0, [HUMAN], {'kind': 'grid'}), 'b': (1, 1, [COLI])}, row_bases=120),
                 ['regions'], 'own regions of files')
    check_raises(lambda: Loader(store, groups={'a': (1, 0, [COLI])}, row_bases=120), ['store'], 'a store beside groups')
    # Arrays outlive the loader, and the loader whoever had the store.
    loader = Loader(store, regions=grid, **tokens)
    store = None
    gc.collect()
    batch = next(loader.epoch(0))
    x = batch.x
    loader.close()
    batch = loader = None
    gc.collect()
    check(x[0].tolist() == as_tokens(sequences[0][:120]), 'an array of a store after its end')


# ---- values of Python -----------------------------------------------------------------------------------------

class Odd:
    """Its text is a number, and it is none."""

    def __repr__(self):
        return '3'


class Index:
    def __index__(self):
        return 3


NAN, INF = float('nan'), float('inf')
ODD = [None, True, False, np.bool_(True), 0, 1, 3, -1, -2 ** 31, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 5,
       2 ** 53 + 1, 2 ** 63, 2 ** 64 - 1, 2 ** 64, 2 ** 64 + 5, -2 ** 63 - 1, 10 ** 5000, np.int8(-1), np.uint8(3),
       np.int64(3), np.uint64(2 ** 64 - 1), 0.0, -0.0, 0.5, 1.0, 1.5, 3.0, 1e-16, 1e-46, 1e-300, 1e16, 1e39, 1e300,
       NAN, INF, -INF, np.float16(0.1), np.float32(0.1), np.float64(0.1), 0.1, 1 / 3, 3j, '', '3', '+3', ' 3',
       '3 seed 5', '3" seed "5', '\u0663', 'abc', 'a\0b', '3\0', '\ud800', '\udcff', b'3', b'', bytearray(b'3'), [], [3],
       (), (3,), {}, {3: 3}, {3}, np.array(3), np.array([3]), np.array([3, 4]), np.array(0.5), np.datetime64(3, 's'),
       Odd(), Index(), object(), len, range(3), '3' * 30000]


def text_of(value):
    return 'a huge number' if isinstance(value, int) and value > 10 ** 30 else ascii(value)[:60]


def whole_of(value):
    """What an integer of C has to be for a value, or None where that is refused."""
    if isinstance(value, np.bool_):
        return int(value)
    try:
        return operator.index(value)
    except TypeError:
        return None


def float_of(value):
    """The bits of the float of C for a value, or None where that is refused."""
    if isinstance(value, (str, bytes, bytearray, complex)):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    with np.errstate(over='ignore', under='ignore'):
        found = np.float32(number)
    is_cut = isinstance(value, int) and number != value
    return None if is_cut or number != 0 and found == 0 else found.tobytes()


def is_refused(action):
    """Whether a sentence came, which is of this module, can be printed and is no book."""
    try:
        action()
    except BiostreamError as error:
        str(error).encode('ascii')
        return 10 < len(str(error)) < 2000
    return False


def test_values_of_fields():
    """Each field as each odd value: it reads back, or there is a sentence."""
    taken = 0
    for name, (_, row) in biostream_desc.fields.items():
        for value in ODD:
            what, desc = '%s is %s' % (name, text_of(value)), []
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')  # NumPy's of arrays of one number as numbers
                refused = is_refused(lambda: desc.append(biostream_desc.Desc({name: value})))
                found = bytes(desc[0])[row.offset:row.offset + row.bytes] if desc else b''
                whole, number = whole_of(value), float_of(value)
            if row.kind in (0, 1, 2, 3):
                least = {0: 0, 1: row.least}.get(row.kind, 0 if row.mark != 1 else row.least)
                most = row.most if row.kind != 1 else {'fd': 2 ** 31 - 1}.get(name, 2 ** 31 - 1)
                good = whole is not None and least <= whole <= most and (whole == 0 or row.kind == 1 or whole >= row.least)
                check_equal((refused, found), (not good, whole.to_bytes(row.bytes, sys.byteorder, signed=row.kind == 1) if good
                                               else b''), what)
            elif row.kind == 4:  # ranges of fractions are judged at open
                check_equal((refused, found), (number is None, number or b''), what)
            elif row.kind in (5, 11, 14):
                check(refused, what)
            elif isinstance(value, str) and row.kind in (6, 7, 8) and not refused:
                at = ctypes.string_at(int.from_bytes(found, sys.byteorder)) if row.kind == 8 else found.rstrip(b'\0')
                check_equal(at, os.fsencode(value), what)
            else:
                check(refused or name in ('labels.of_inputs', 'encoding.tokens'), what)
            taken += not refused
    check(taken > 500, 'fields that were taken: %d' % taken)
    for value in (1e-16, 1e-30, 0.1, 1 / 3, 0.30000001, np.float32(0.7), 5e-5, np.nextafter(np.float32(1), np.float32(0))):
        with Loader([TENX], row_bases=98, augment={'substitute': value}, seed=2 ** 64 - 1) as loader:
            desc = biostream_desc.structs['biost_loader_desc']()
            biostream.library.biost_loader_get_desc(loader._loader, ctypes.byref(desc))
            at = biostream_desc.fields['augment.substitute'][1].offset
            check_equal(bytes(desc)[at:at + 4], np.float32(value).tobytes(), 'get_desc gives %r' % value)
            at = biostream_desc.fields['seed'][1].offset
            check_equal(bytes(desc)[at:at + 8], b'\xff' * 8, 'the largest seed')


def test_kmers():
    """k-mers of reads against a reshape by NumPy, with begin and end, and a dict within a dict."""
    plain = dict(row_bases=98, batch_rows=20, encoding={'kind': 'tokens'})
    with Loader([TENX], **plain) as loader:
        bases = next(loader.epoch(0)).x.astype(np.int64) - 1  # A C G T: 0 to 3, others 4
    check((bases == 4).any() and bases.shape == (20, 98), 'reads with N')
    for k, stride, letters in itertools.product((1, 3, 6, 12), (0, 1), ('ACGT', 'ATCG')):
        step = stride or k
        windows = np.lib.stride_tricks.sliding_window_view(bases, k, axis=1)[:, ::step]
        digits = np.array([letters.index(base) for base in 'ACGT'] + [0])[windows]
        want = np.where((windows == 4).any(axis=2), 3, 6 + (digits * 4 ** np.arange(k)[::-1]).sum(axis=2))
        kmers = {'k': k, 'stride': stride, 'letters': letters, 'has_ids': True, 'first_id': 6, 'unknown_id': 3}
        with Loader([TENX], row_bases=want.shape[1] + 2, batch_rows=20, long_records='head',
                    encoding={'kind': 'tokens', 'dtype': 'i32', 'kmers': kmers, 'has_begin': True, 'begin_token': 1,
                              'has_end': True, 'end_token': 2}) as loader:
            batch = next(loader.epoch(0))
            check((batch.x[:, 1:-1] == want).all() and (batch.x[:, 0] == 1).all() and (batch.x[:, -1] == 2).all(),
                  '%d-mers, stride %d, %s' % (k, step, letters))
            check((np.asarray(batch.lengths) == (want.shape[1] - 1) * step + k).all(),
                  'lengths of %d-mers are bases' % k)
    check_raises(lambda: Loader([TENX], encoding={'kmers': {'k': 6}}), ['encoding.kmers', 'TOKENS'], 'k-mers of one-hot')


def test_values_of_calls():
    """The public calls with each odd value in each place: the right thing, or a sentence."""
    sequences = list(read_fasta(HUMAN).values())
    store = Store(make_store('odd.bst', HUMAN))
    tokens = dict(row_bases=5, batch_rows=1, encoding={'kind': 'tokens'})

    def rows(*one, **fields):
        with Loader(store, regions={'kind': 'intervals', 'intervals': [one]}, **tokens, **fields) as loader:
            return rows_of(loader)[0]

    def labelled(label, dtype):
        with Loader(groups={'a': (1, label, [TENX])}, row_bases=98, labels={'dtype': dtype}) as loader:
            return next(loader.epoch(0)).labels[0]
    with Loader([TENX], row_bases=98, shuffle_rows=9) as loader:
        batches = loader.epoch(0)
        next(batches)
        point = loader.state_dict()
        for value in ODD:
            what = 'a call with %s' % text_of(value)
            whole = whole_of(value)
            got = []

            def right(action, want, is_good, of):
                got.clear()
                with warnings.catch_warnings():
                    warnings.simplefilter('ignore')
                    refused = is_refused(lambda: got.append(action()))
                check(refused and not is_good or is_good and got and got[0] == want, '%s: %s gives %s' % (what, of, got))
            number = whole if whole is not None and 0 <= whole < 2 ** 64 else None
            right(lambda: store.find(value), number, number is not None, 'find')
            right(lambda: store.fetch(value, 0, 5), sequences[number or 0][:5] if (number or 0) < 2 else '',
                  number is not None and number < 2, 'fetch of it')
            right(lambda: store.fetch(0, value, 5), sequences[0][number or 0:5], number is not None and number <= 5, 'its start')
            right(lambda: store.fetch(0, 0, value), sequences[0][:number or 0], number is not None and number < 9999, 'its end')
            loader.load_state_dict({'epoch': 0, 'state': ''})
            right(lambda: next(loader.epoch(value)).epoch, number, number is not None, 'epoch')
            right(lambda: loader.load_state_dict({'epoch': value, 'state': ''}) or loader.next_epoch, number, number is not None,
                  'a state of it')
            right(lambda: loader.load_state_dict(dict(point, epoch=value)) or loader.next_epoch, 0, number == 0, 'its epoch')
            right(lambda: loader.load_state_dict(dict(point, state=value)) or loader.next_epoch, 0,
                  isinstance(value, str) and value == '', 'its state')
            right(lambda: loader.load_state_dict(value), 0, False, 'a point')
            row = (number or 0, 10, 0, as_tokens(sequences[(number or 0) % 2][10:15]), None)
            right(lambda: rows(value, 10, 15), row, number is not None and number < 2, 'an interval of it')
            start = sequences[0][number or 0:(number or 0) + 5]
            right(lambda: rows(0, value, (number or 0) + 5), (0, number, 0, as_tokens(start), None),
                  number is not None and number < 9999, 'an interval from it')
            right(lambda: rows(0, 0, value), 0, False, 'an interval to it')
            right(lambda: rows(0, 0, 5, value), 0, False, 'its strand')
            for dtype in ('u8', 'i64', 'f32'):
                label = float(value) if float_of(value) or isinstance(value, float) else None
                fits = label is not None and (0 <= label < 256 and label % 1 == 0 if dtype == 'u8' else
                                              abs(label) <= 2 ** 53 and label % 1 == 0 if dtype == 'i64' else
                                              abs(label) < 3e38) and not (isinstance(value, int) and label != value)
                want = np.float32(label) if fits and dtype == 'f32' else label
                right(lambda: rows(0, 0, 5, '+', value, labels={'kind': 'region', 'dtype': dtype})[4], want, fits,
                      'the label %s of an interval' % dtype)
                right(lambda: labelled(value, dtype), want, fits, 'the label %s of a group' % dtype)
                right(lambda: Loader([TENX], row_bases=98, labels={'kind': 'input', 'dtype': dtype, 'of_inputs': [value]}).close()
                      or 1, 1, fits, 'the label %s of an input' % dtype)
            two = {'a': (value, 0, [TENX]), 'b': (2, 0, [TENX])}
            right(lambda: Loader(groups=two, row_bases=98, epoch_end='first', allow_unseen=True).close() or 1, 1,
                  number is not None and 0 < number < 2 ** 20 - 2, 'a weight')
            right(lambda: Loader(store, regions={'kind': 'grid', 'sequences': [value]}, **tokens).close() or 1, 1,
                  number is not None and number < 2, 'a list of it')
            for given in ({'A': value, 'all': 1}, {'all': value}, [value] * 256):
                right(lambda: Loader([TENX], row_bases=98, encoding={'kind': 'tokens', 'dtype': 'i32', 'tokens': given}).close()
                      or 1, 1, whole is not None and -2 ** 31 <= whole < 2 ** 31, 'a token')
            for given in (value, [value], {'a': (1, 0, value)}):
                right(lambda: Loader(**{'groups' if isinstance(given, dict) and given else 'paths': given}), 0, False, 'paths')
            right(lambda: Store(value), 0, False, 'a store')
    check(is_refused(lambda: Loader([TENX], **{'seed 5 shuffle_rows': 3})) and
          is_refused(lambda: Loader([TENX], **{'seed\0': 3})) and is_refused(lambda: Loader([TENX], **{'\ud800"\n': 3})),
          'names of fields with more in them')
    check_raises(lambda: Loader([TENX], **{'seed 5 shuffle_rows': 3}), ['no field "seed 5 shuffle_rows"'], 'a name')
    check_raises(lambda: Loader([TENX], encoding={'dtype': 'u8'}, **{'encoding.dtype': 'f32'}), ['dtype', 'twice'], 'a name')


def test_strands():
    """'+', '-' and '.' in tuples and columns; what is a number to C is refused, as it is another one to Ensembl."""
    store = Store(make_store('strands.bst', HUMAN))
    bases = store.fetch(0, 100, 105)
    tokens = dict(row_bases=5, batch_rows=1, encoding={'kind': 'tokens'})

    def rows(intervals):
        with Loader(store, regions={'kind': 'intervals', 'intervals': intervals}, **tokens) as loader:
            return [row[2:4] for row in rows_of(loader)]
    for strand, sign in (('+', 0), ('.', 0), ('-', 1), (np.str_('-'), 1)):
        check_equal(rows([(0, 100, 105, strand)]), [(sign, as_tokens(bases, sign))], 'the strand %s' % strand)
    table = np.zeros(2, Interval)
    table['start'], table['end'], table['strand'] = 100, 105, (0, 1)
    check_equal(rows(table), [(0, as_tokens(bases)), (1, as_tokens(bases, 1))], 'C\'s struct has its own')
    table['strand'] = 2
    check_raises(lambda: rows(table), ['intervals[0].strand', 'neither 0, plus'], 'another number in it')
    numbers = {'sequence': [0, 0], 'start': [100, 100], 'end': [105, 105], 'strand': [1, -1]}
    for strand in (1, -1, 0, 2, 1.0, True, None, '1', '-1', '+1', 'minus', 'plus', 'reverse', b'-', '\u2212', '', [], '-\0'):
        for given in ([(0, 100, 105, strand)], [(0, 100, 105), (0, 100, 105, strand, 0)],
                      dict(numbers, strand=['+', strand])):
            check_raises(lambda: rows(given), ['strand', "'+', '-' and '.'", 'Ensembl'], 'the strand %r' % (strand,))
    check_raises(lambda: rows(dict(numbers, strand=np.array([1, 0]))), ['Ensembl'], 'an array of numbers')


def test_intervals_as_arrays():
    """The same rows of tuples, of columns, of arrays; an array that changes after open; none of them is empty."""
    store = Store(make_store('arrays.bst', HUMAN))
    random = np.random.default_rng(1)
    starts = random.integers(0, 16000, 500)
    rows = [('chrM' if n % 3 else 0, int(at), int(at) + 50, '+-.'[n % 3], n) for n, at in enumerate(starts)]
    check_equal(store.find('chrM'), 0, 'the sequence of the rows')
    struct = np.zeros(500, Interval)
    struct['start'], struct['end'], struct['label'] = starts, starts + 50, np.arange(500)
    struct['strand'] = [n % 3 == 1 for n in range(500)]
    columns = {'sequence': ['chrM'] * 500, 'start': starts, 'end': (starts + 50).astype('u4'),
               'strand': np.array(['+-.'[n % 3] for n in range(500)]), 'label': np.arange(500, dtype='f4')}
    records = np.zeros(500, [('sequence', 'U5'), ('start', 'i4'), ('end', 'i4'), ('strand', 'U1'), ('label', 'i8')])
    for name in columns:
        records[name] = columns[name]
    fields = dict(row_bases=50, encoding={'kind': 'tokens'}, labels={'kind': 'region', 'dtype': 'i32'}, digest=True,
                  order='exact')

    def digest(intervals, **change):
        with Loader(store, regions={'kind': 'intervals', 'intervals': intervals}, **dict(fields, **change)) as loader:
            return digest_of(loader, 1)
    want = digest(rows)
    for given in (struct, columns, records, struct[::-1][::-1], [list(row) for row in rows], tuple(rows), iter(rows),
                  list(records)):
        check_equal(digest(given), want, 'intervals as %s' % type(given).__name__)
    bare = dict(labels={'kind': 'none'})
    check_equal(digest(np.stack([starts * 0, starts, starts + 50], 1), **bare), digest([row[:3] for row in rows], **bare),
                'an array of numbers')
    with Loader(store, regions={'kind': 'intervals', 'intervals': struct}, **fields) as loader:
        batches = loader.epoch(1)
        digests = [next(batches).digest]
        point = json.loads(json.dumps(loader.state_dict()))
        struct['start'] = struct['sequence'] = 2 ** 40
        loader.load_state_dict(point)
        digests += [batch.digest for batch in loader.epoch(1)]
        check_equal('%016x' % (sum(digests) % 2 ** 64), want, 'a table that changes, and a resume')
    with Loader(store, regions={'kind': 'intervals', 'intervals': rows[::-1]}, **fields) as loader:
        check_raises(lambda: loader.load_state_dict(point), ['regions.intervals was 500, CRC-32'], 'another list')
    for given, words in (([], ['empty']), (np.zeros(0, Interval), ['empty']), ({}, ['empty']),
                         ('x.bed', ['x.bed', 'No such file']), (np.zeros((3, 4), int), ['[n][3]']),
                         ([(0, 1)], ['intervals[0]']), ([(0, 1, 2), 'abc'], ['str']),
                         ({'chrom': [0]}, ["'chrom'"]), ({'sequence': [0], 'start': [0]}, ['needed']),
                         ({'sequence': [0], 'start': [0, 1], 'end': [50]}, ['one length']),
                         (dict(columns, start=starts + 0.5), ['start[0]']),
                         (dict(columns, start=[*starts[1:], 2 ** 64]), ['start[499]', '18446744073709551616'])):
        check_raises(lambda: digest(given), ['regions.intervals', *words], 'intervals that are none')
    check_raises(lambda: Loader(store, row_bases=50, regions={'kind': 'grid', 'sequences': []}), ['empty'], 'no sequence')
    check_raises(lambda: Loader(store, row_bases=50, regions={'kind': 'grid', 'sequences': 'chrM'}), ['not a list'],
                 'a name')
    check_raises(lambda: Loader([HUMAN], row_bases=50, regions={'kind': 'intervals', 'intervals': rows}),
                 ['Loader(Store('], 'intervals of a file')
    script = """
import sys
sys.modules['numpy'] = None
sys.path.insert(0, 'examples')
from biostream import Loader, Store
rows = %r
with Loader(Store(%r), regions={'kind': 'intervals', 'intervals': rows}, **%r) as loader:
    print('%%016x' %% (sum(batch.digest for batch in loader.epoch(1)) %% 2 ** 64))
""" % (rows, os.path.join(work, 'arrays.bst'), fields)
    done = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True, check=False)
    check_equal(done.stdout.strip(), want, 'without NumPy ' + done.stderr)


def test_spans():
    """What of a sequence a row shows: never negative, what the oracle's regions have, and the very bases."""
    sys.path.insert(0, 'tests')
    import oracle_store
    genome = {'a': 'ACGTTGCAAC' * 7, 'b': 'GGATC', 'c': 'TTGACCAGTA' * 3}
    path = os.path.join(work, 'spans.bst')
    make_store('spans.bst', write('spans.fa', ''.join('>%s\n%s\n' % one for one in genome.items())))
    store, sequences = Store(path), list(genome.values())
    oracle = oracle_store.Store([[(bases.encode(), None, name.encode()) for name, bases in genome.items()]])
    centres = [('a', 0, 4, '-'), ('a', 66, 70, '-'), ('b', 0, 5, '-'), ('c', 12, 14, '+'), ('c', 0, 1, '+')]
    grid = {'kind': 'grid', 'stride': 7, 'strands': 'both'}
    for edge in ('pad', 'inside', 'drop'):
        for region in (grid, {'kind': 'intervals', 'fit': 'center', 'intervals': centres}):
            for minus_pad in ('start', 'end'):
                intervals = [(*one[:3], int(one[3] == '-'), 0) for one in region.get('intervals', ())]
                regions = oracle_store.Regions(oracle, dict(
                    oracle_store.BASE, bases=12, region=region['kind'], grid_stride=7, edge=edge, fit='center',
                    strands=region.get('strands', 'plus'), intervals=intervals))
                kept = [c for c in range(regions.candidates) if not regions.dropped_by(c)]
                want = [list(regions.bounds(regions.place(regions.of_candidate(c)[0]))) for c in kept]
                for jitter in (0, 9):
                    with Loader(store, row_bases=12, batch_rows=8, encoding={'kind': 'tokens'},
                                regions=dict(region, edge=edge, minus_pad=minus_pad, jitter=jitter)) as loader:
                        spans, good = [], True
                        for batch in loader.epoch(0):
                            for n, (start, end) in enumerate(batch.spans):
                                row = batch.ids[n]
                                shows = sequences[row['id']][start:end] if row['id'] >= 0 else ''
                                good &= 0 <= start <= end
                                good &= [t for t in batch.x[n] if t] == as_tokens(shows, row['strand'])
                            spans += batch.spans[:batch.valid_rows].tolist()
                            check(not batch.spans[batch.valid_rows:].any(), 'no row, no span')
                        check(good, 'bases of spans: %s %s, %s, jitter %d' % (region['kind'], edge, minus_pad, jitter))
                        check(jitter or spans == want, 'spans as the oracle: %s %s' % (region['kind'], edge))
    sequences = [sequence for _, sequence, _ in read_fastq(TENX)]
    with Loader([TENX], row_bases=40, long_records='split', split_stride=20, encoding={'kind': 'tokens'}) as loader:
        check(all(as_tokens(sequences[row['id']][start:end]) == [t for t in x if t] for batch in loader.epoch(0)
                  for x, row, (start, end) in zip(batch.x[:batch.valid_rows], batch.ids, batch.spans)), 'spans of pieces')


def test_tokens():
    """A letter is both its cases, and T and U one, unless the other one is named; the order of a dict is nothing;
    256 are by byte. A dict is what the tools take a list for."""
    text = 'ACGTNacgtnUu*'
    path = write('tokens.fa', '>a\n%s\n' % text)

    def tokens(given):
        with Loader([path], row_bases=len(text), batch_rows=1,
                    encoding={'kind': 'tokens', 'dtype': 'i32', 'tokens': given}) as loader:
            return next(loader.epoch(0)).x[0].tolist()
    both = [5, 6, 7, 8, 9, 5, 6, 7, 8, 9, 8, 8, 9]
    check_equal(tokens({'A': 5, 'C': 6, 'g': 7, 'T': 8, 'all': 9}), both, 'all last')
    check_equal(tokens({'all': 9, 'A': 5, 'C': 6, 'g': 7, 'T': 8}), both, 'all first')
    check_equal(tokens({b'A': np.int8(5), 'all': 9, b'*': -3}), [5, 9, 9, 9, 9, 5, 9, 9, 9, 9, 9, 9, -3], 'bytes')
    check_equal(tokens({'a': 4, 'A': 5, 'U': 3}), [5, 0, 0, 3, 0, 4, 0, 0, 3, 0, 3, 3, 0], 'both cases are named')
    check_equal(tokens({'A': 1, 'T': 2, 'e': 3, 'all': 9}), [1, 9, 9, 2, 9, 1, 9, 9, 2, 9, 9, 9, 9], 'no uracil in proteins')
    check_equal(tokens({'T': 2, 'u': 3, 'N': 4}), [0, 0, 0, 2, 4, 0, 0, 0, 2, 4, 3, 3, 0], 'T and U')
    letters = 'ACGTUNEFIJLOPQXZacgtunefijlopqxz'
    every, draws = write('letters.fa', '>a\n%s\n' % letters), random.Random(15)
    for _ in range(60):
        given = {letter: number for number, letter in enumerate(draws.sample(letters, draws.randint(1, 6)))}
        given['all'] = -1
        with Loader([every], row_bases=len(letters), batch_rows=1,
                    encoding={'kind': 'tokens', 'dtype': 'i32', 'tokens': given}) as loader:
            got = next(loader.epoch(0)).x[0].tolist()
        listed = ','.join('%s=%d' % item for item in given.items())
        with Loader([every], row_bases=len(letters), batch_rows=1,
                    encoding={'kind': 'tokens', 'dtype': 'i32', 'tokens': listed}) as loader:
            check_equal(got, next(loader.epoch(0)).x[0].tolist(), 'as C takes %s' % listed)
    table = list(range(1000, 1256))
    for given in (table, tuple(table), np.array(table), np.array(table, 'u2')):
        check_equal(tokens(given), [1000 + ord(letter) for letter in text], 'by byte')
    for given in ({'AC': 1}, {'\xe9': 1}, {5: 1}, {'': 1}, {None: 1}, {'A': 2 ** 31}, {'A': 1, b'A': 2}, table[:255],
                  5, {'A': 1.0}):
        check_raises(lambda: tokens(given), ['encoding.tokens'], 'tokens %r' % (given if given != table[:255] else '255'))


def test_forms():
    """What is nearly a list of paths, a copy, a truth, a state of another desc: right, or a sentence that says the way."""
    store_path = make_store('forms.bst', HUMAN)
    fields = dict(row_bases=150, batch_rows=64)
    with Loader(os.fsencode(READS), **fields) as loader:
        check_equal((bool(loader), next(loader.epoch(0)).valid_rows), (True, 64), 'a path of bytes')
        batches = loader.epoch(0)
        next(batches)
        point = loader.state_dict()
        with Store(store_path) as store:
            for one in (loader, store, next(batches)):
                for action in (copy.copy, copy.deepcopy, pickle.dumps):
                    try:
                        action(one)
                        check(False, 'a copy of %s' % one)
                    except TypeError as error:
                        check('cannot be copied' in str(error), 'a copy: %s' % error)
            check_equal(store.fetch('chrM', 0, 2), 'GA', 'the store is still there')
        check_raises(lambda: loader.load_state_dict(dict(point, epoch=3)), ['epoch', 'is 3'], 'another epoch')
        check_equal(next(batches).index, 2, 'and the loader is as it was')
    for change, words in ((dict(seed=9), ['desc.state', 'seed was 0 and is 9']),
                          (dict(batch_rows=32), ['batch_rows was 64 and is 32']),
                          (dict(augment={'substitute': 0.25}, workers=1), ['augment.substitute was 0 and is 0.25'])):
        with Loader([READS], **dict(fields, **change)) as loader:
            check_raises(lambda: loader.load_state_dict(point), words, 'a state of another desc')
            check_raises(lambda: loader.load_state_dict({'epoch': 0, 'state': point['state']}), ['desc.state'], 'it alone')
    with Loader([READS], **dict(fields, workers=1, slots=2)) as loader:
        loader.load_state_dict(point)
        check_equal(next(loader.epoch(0)).index, 1, 'other workers are no other desc')
    with open(READS, 'rb') as file:
        check_raises(lambda: Loader(file, **fields), ['is open already', 'has_fd=True'], 'an open file')
    for what, words in ((store_path, ['is a store', 'Loader(Store(']), ({READS}, ['order']), ({'a': READS}, ['groups=']),
                        ([Store(store_path)], ['Loader(store)']), (3, ['3']), ([None], ['None']), (['a\0b'], ['NUL'])):
        check_raises(lambda: Loader(what, **fields), words, 'Loader(%r)' % (what,))
    check_raises(lambda: Loader(has_fd=np.array([1, 2]), **fields), ['has_fd'], 'a flag that is none')
    for groups in ([(1, 0, READS)], np.array([3, 4]), {'a': (1, 0)}, {'a': READS}, {'a': (1, 0, READS, [])}):
        check_raises(lambda: Loader(groups=groups, **fields), ['(weight, label, paths'], 'groups %r' % (groups,))
    check_raises(lambda: Loader(groups={b'a': (1, 0, [READS])}, **fields), ['group.0.name', 'not a text'], 'a name')
    for given in ('x', {'epoch': 0}, {'epoch': 0, 'state': '', 'fields': 3}, {'epoch': 0, 'state': b'00'}):
        with Loader([READS], **fields) as loader:
            check_raises(lambda: loader.load_state_dict(given), ['state'], 'a point %r' % (given,))
    # A store that is closed beside calls of other threads, all of which end with bases or a sentence.
    for round_ in range(20):
        store, ended = Store(store_path), []

        def fetch():
            try:
                for n in range(100000):
                    if store.fetch('chrM', n % 100, n % 100 + 2) not in human:
                        break
            except BiostreamError as error:
                ended.append('closed' in str(error))
        human = read_fasta(HUMAN)['chrM'] if not round_ else human
        threads = [threading.Thread(target=fetch) for _ in range(3)]
        for thread in threads:
            thread.start()
        time.sleep(0.002)
        store.close()
        for thread in threads:
            thread.join(60)
        check_equal(ended, [True] * 3, 'closed beside fetch()')
    # A child made while another thread is in the store.
    store, taken, given = Store(store_path), threading.Event(), threading.Event()

    def hold():
        with store._lock:
            taken.set()
            given.wait(60)
    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait(60)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(store.fetch('chrM', 0, 2) != 'GA')
    given.set()
    thread.join()
    check_equal(os.waitpid(child, 0)[1], 0, 'fetch() in a child')


class Pins:
    """As much of torch as pin=True takes, with memory whose every block is known, and streams that lag behind."""
    uint8 = 'u1'

    def __init__(self):
        self.cuda, self.blocks, self.log, self.stream, self.is_full = self, {}, [], 'a', False

    def is_available(self):
        return True

    def from_numpy(self, array):
        return array

    def empty(self, count, dtype, pin_memory):
        assert dtype == 'u1' and pin_memory
        if self.is_full:
            raise RuntimeError('no memory is left')
        return PinnedBlock(self, count)

    def current_stream(self):
        return PinsStream(self, self.stream)

    def is_pinned(self, array):
        at = array.__array_interface__['data'][0]
        return any(start <= at and at + array.nbytes <= start + count for start, count in self.blocks.items())


class PinnedBlock:
    def __init__(self, pins, count):
        self.pins, self.memory = pins, np.zeros(count, 'u1')
        pins.blocks[self.data_ptr()] = count

    def data_ptr(self):
        return self.memory.__array_interface__['data'][0]

    def __del__(self):
        del self.pins.blocks[self.data_ptr()]


class PinsStream(tuple):  # (pins, name)
    def __new__(cls, *parts):
        return super().__new__(cls, parts)

    def record_event(self):
        event = PinsEvent()
        event.synchronize = lambda: self[0].log.append(self[1])
        return event


class PinsEvent:
    pass


def test_pinned():
    """pin=True over an allocator and streams that are made up: what a GPU does nobody sees here."""
    pins, there = Pins(), sys.modules.get('torch')
    sys.modules['torch'] = pins
    try:
        want = one_hot([sequence for _, sequence, _ in read_fastq(READS, 640)], 150)
        with Loader([READS], row_bases=150, batch_rows=64, pin=True, slots=3) as loader:
            check_equal(len(pins.blocks), 3, 'a block for each slot')
            seen = 0
            for batch in loader.epoch(0):
                pins.stream = 'b'
                x = batch.x
                pins.stream = 'a'
                check(pins.is_pinned(x) and pins.is_pinned(batch.lengths), 'arrays are in memory of PyTorch')
                start = 64 * batch.index
                check(start >= 640 or np.array_equal(x, want[start:start + 64]), 'values of an array that is pinned')
                kept, logged = x, len(pins.log)
                x = batch = None
                if seen == 5:
                    break
                seen += 1
            # The array of batch 4 was dropped when that of 5 came; its memory waits for both streams.
            check_equal((sorted(set(pins.log)), len(pins.log)), (['a', 'b'], 2 * 4), 'streams that were waited for')
            check_equal(logged, 2 * 4, 'before the next batch, not after it')
            check(len(loader._memory.dropped) == 1, 'the last one is not waited for yet')
        check(len(pins.log) == 2 * 5 and pins.is_pinned(kept), 'close waits; what is kept stays')
        check(np.array_equal(kept, want[320:384]), 'with its values')
        kept = None
        gc.collect()
        check_equal((len(pins.log), pins.blocks), (2 * 6, {}), 'then all memory is PyTorch\'s again')
        pins.is_full = True
        error = io.StringIO()
        with contextlib.redirect_stderr(error):
            check_raises(lambda: Loader([READS], row_bases=150, pin=True), ['154624 bytes were refused'], 'no memory to pin')
        check('no memory is left' in error.getvalue(), 'why there is none: ' + error.getvalue())
    finally:
        sys.modules['torch'] = there
        if there is None:
            del sys.modules['torch']


def test_lifetimes():
    fields = dict(row_bases=150, batch_rows=64, encoding={'dtype': 'f32'})
    want = one_hot([sequence for _, sequence, _ in read_fastq(READS, 640)], 150)
    with Loader([READS], slots=6, **fields) as loader:
        kept = []
        for batch in loader.epoch(0):
            if batch.index < 4:
                kept.append((batch.x[10:20, ::2], batch.lengths))  # a view of a view; the batch itself is dropped
        batch = None
        gc.collect()
        for index, (x, lengths) in enumerate(kept):
            check(np.array_equal(x, want[64 * index + 10:64 * index + 20, ::2]) and (lengths == 150).all(),
                  'kept to the end of the epoch')
        for _ in loader.epoch(1):
            pass
        check(np.array_equal(kept[3][0], want[202:212, ::2]), 'kept through another epoch')
    gc.collect()
    check(np.array_equal(kept[2][0], want[138:148, ::2]), 'kept after close')
    loader = None
    kept[1][0][:] = 5
    check((kept[1][0] == 5).all() and np.array_equal(kept[0][0], want[10:20, ::2]), 'written to after close')
    kept = None
    gc.collect()
    with Loader([READS], **fields) as loader:
        kept = []
        check_raises(lambda: [kept.append(batch.x) for batch in loader.epoch(0)], ['4 slots', 'copy them'],
                     'more arrays kept than slots')
        check_equal(len(kept), 4, 'as many as slots')
        check(np.array_equal(np.concatenate(kept), want[:256]), 'and they are as they were')
        kept.clear()
        check_equal(sum(epoch_of(loader, 0, lambda batch: batch.valid_rows)), 10000, 'the loader goes on')
        first = next(loader.epoch(0))
        batches = loader.epoch(0)
        one, two = next(batches), next(batches)
        for batch in (first, one):
            check_raises(lambda: batch.x, ['given back'], 'an array of a batch before')
        check_equal((one.index, two.index, one.valid_rows), (0, 1, 64), 'numbers stay')
        check(two.x is two.x, 'an array is made once')
        try:
            two.nothing
            check(False, 'a batch has nothing')
        except AttributeError:
            check(True, 'a batch has nothing')
    check_raises(lambda: two.lengths, ['given back'], 'an array after close')
    check_raises(lambda: two.ids, ['given back'], 'ids after close')
    with Loader([READS], slots=2, **fields) as loader:
        check(np.array_equal(np.concatenate(epoch_of(loader, 0, lambda batch: batch.x.copy(), 10)), want), 'two slots')
    # Varying sizes of batches, all of which come and go.
    with Loader([TENX], batch_rows=3, pad_multiple=1) as loader:
        for epoch in range(20):
            for batch in loader.epoch(epoch):
                x = batch.x
                x += 1
        check((x[:batch.valid_rows] >= 1).all(), 'written to')


def test_refusals():
    check_raises(lambda: Loader(['no/such/file']), ['no/such/file', 'no such file'], 'a missing file')
    check_raises(lambda: Loader([READS], row_base=150), ['row_base', 'did you mean row_bases'], 'an unknown field')
    check_raises(lambda: Loader([READS], encoding={'dtyp': 'f16'}), ['encoding.dtyp', 'encoding.dtype'], 'in a struct')
    check_raises(lambda: Loader([READS], encoding={'dtype': 'f64'}), ['encoding.dtype', 'f64'], 'an unknown word')
    check_raises(lambda: Loader([READS], batch_rows=0.5), ['batch_rows', '0.5'], 'a number that is not whole')
    check_raises(lambda: Loader([READS], batch_rows=-1), ['batch_rows', '-1'], 'a number out of range')
    check_raises(lambda: Loader([]), ['paths'], 'no file')
    check_raises(lambda: Loader([READS], seed=True, encoding={'kind': 'tokens', 'dtype': 'f32'}), ['dtype'],
                 'fields that do not fit')
    check_raises(lambda: Loader(groups={'a': (0, 0, [READS])}), ['weight'], 'a weight of 0')
    check_raises(lambda: Loader(groups={'x"y\\ #\n': (1, 300, [READS]), 'b': (1, 0, [READS])}), ['label'],
                 'a label that does not fit u8')
    with Loader(groups={'x"y\\ #\n': (1, 3, [TENX]), 'b': (1, 0, [TENX])}, row_bases=150) as loader:
        check(len(epoch_of(loader, 0, lambda batch: batch.index)) == 1, 'a name of any bytes')
    loader = Loader([READS], row_bases=150)
    batches = loader.epoch(0)
    next(batches)
    loader.close()
    loader.close()
    check_raises(lambda: next(batches), ['this epoch is over', 'closed'], 'a batch after close')
    check_raises(lambda: next(loader.epoch(0)), ['the loader is closed'], 'an epoch after close')
    check_raises(loader.state_dict, ['the loader is closed'], 'a state after close')
    with Loader([READS], row_bases=150) as loader:
        one, two = loader.epoch(0), loader.epoch(1)
        next(one)
        next(two)
        check_raises(lambda: next(one), ['this epoch is over', 'another one'], 'two epochs at once')
        check_equal(next(two).index, 1, 'the second goes on')
    bad = write('bad.fastq', '@a\nACGT\n+\nIIII\n@b\nACGT\n+\nIII\n')
    with Loader([bad], batch_rows=4) as loader:
        seen = []
        check_raises(lambda: seen.extend(batch.valid_rows for batch in loader.epoch(0)), ['bad.fastq', 'line 8'],
                     'a bad record')
        check_equal(seen, [1], 'after all good ones')
        check(len(loader.state_dict()['state']) > 0, 'the point before it')
    try:
        with Loader([READS], row_bases=150) as loader:
            for batch in loader.epoch(0):
                raise KeyError('of the loop')
    except KeyError:
        check_raises(loader.state_dict, ['closed'], 'an exception of the loop closes')
    with Loader([READS], row_bases=150, digest=True, shuffle_rows=65536) as loader:
        with contextlib.suppress(KeyError):
            for batch in loader.epoch(0):
                x = batch.x
                raise KeyError('of the loop')
        check_equal(digest_of(loader, 0), DIGEST_0, 'after an exception of the loop')
        check(x.shape == (256, 150, 4), 'the array is still there')
    script = 'import sys; sys.path.insert(0, "examples"); import biostream'
    done = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True, check=False,
                          env=dict(os.environ, BIOSTREAM_LIB='/no/such/library.so'))
    check(done.returncode != 0 and '/no/such/library.so' in done.stderr.splitlines()[-1], 'a library that is not there')


def test_lists():
    """Records by a list, in its order: numbers of any kind, names, or both; copies of one record are drawn for one by one."""
    store = Store(make_store('lists.bst', READS))
    with gzip.open(READS, 'rt') as file:
        lines = file.read().split('\n')
    names, reads = [title[1:].split()[0] for title in lines[0:-1:4]], lines[1::4]
    fields = dict(encoding={'kind': 'tokens'}, row_bases=120, batch_rows=32, long_records='head')
    numbers = [5, 9999, 5, 0, 77, 5]
    want = [(at, 0, 0, as_tokens(reads[at][:120]), None) for at in numbers]
    for given in (numbers, tuple(numbers), np.array(numbers), np.array(numbers, 'u2'), np.array(numbers, '>i4'),
                  np.array(numbers + [1])[:-1], np.repeat(numbers, 2)[::2], [names[at] for at in numbers],
                  [5, names[9999], np.int8(5), names[0], 77, 5]):
        with Loader(store, regions={'kind': 'records', 'sequences': given}, **fields) as loader:
            check_equal(rows_of(loader), want, 'the list %r' % (given,))
            check_equal([batch.ids['piece'][:6].tolist() for batch in loader.epoch(1)], [list(range(6))], 'its pieces')
    array = np.array(numbers)
    with Loader(store, order='exact', regions={'kind': 'records', 'sequences': array}, **fields) as loader:
        array[:] = 3  # the loader has a copy
        gc.collect()
        batch = next(loader.epoch(0))
        check_equal([numbers[at] for at in batch.ids['piece'][:6]], (batch.ids['id'][:6] & (1 << 40) - 1).tolist(), 'a join')
        del batch
    with Loader(store, augment={'reverse_complement': 0.5}, regions={'kind': 'records', 'sequences': [8] * 64},
                **{**fields, 'batch_rows': 64}) as loader:
        check(10 < next(loader.epoch(0)).ids['strand'].sum() < 54, 'copies are turned each on its own')
    for given, words in (([0, 10000], ['sequences[1] is 10000', 'the store has 10000 sequences']), ([], ['is empty']),
                         (np.array([3, -1]), ['sequences[1] is -1']), (np.array([0.5]), ['sequences[0] is 0.5']),
                         (np.zeros((2, 2), int), ['sequences[0] is [0, 0]']), ([names[3], 'nobody'], ['no sequence nobody']),
                         (np.array([True, False]), ['a mask', 'numpy.flatnonzero']), ([True, False], ['a mask']),
                         ([np.bool_(True), True], ['a mask']), ({1, 2}, ['a set', 'in an order']),
                         (np.ma.array([1, 2], mask=[0, 1]), ['a MaskedArray']),
                         ('5', ["is '5', not a list"])):
        check_raises(lambda: Loader(store, regions={'kind': 'records', 'sequences': given}, **fields), words, 'the list %r' %
                     (given,))
    check_raises(lambda: Loader(store, regions={'kind': 'records', 'sequences': [1]}, **{**fields, 'long_records': 'split'}),
                 ['not cut'], 'a list that is cut')


def test_buckets():
    """Batches by length, with widths made or given in any way; and what a shape of files says works when it is pasted."""
    path = write('shaped.fa', ''.join('>r%d\n%s\n' % (n, ('ACGT' * 10)[:n]) for n in (10, 20, 30, 40, 9, 33)))
    store, fields = Store.build(path), dict(encoding={'kind': 'tokens'}, pad_multiple=8)
    want = [([0, 4], 16, 2), ([1], 24, 1), ([2, 3], 40, 2), ([5], 40, 1)]  # by hand: see oracle_shapes.py, check_buckets
    for shape in ({'growth': 1500000}, {'widths': [16, 24, 40]}, {'widths': np.array([16, 24, 40])},
                  {'widths': (np.int8(16), 24, 40)}):
        with Loader(store, shape={'kind': 'buckets', 'batch_tokens': 80, **shape}, **fields) as loader:
            got = [((batch.ids['id'][:batch.valid_rows] & (1 << 40) - 1).tolist(), batch.x.shape[1], batch.x.shape[0])
                   for batch in loader.epoch(0)]
            check_equal(got, want, 'buckets of %r' % shape)
            check_equal(len(loader), 4, 'their number')
    for shape, words in (({'widths': [16, -1]}, ['shape.widths[1] is -1']), ({'widths': []}, ['shape.widths is empty']),
                         ({'widths': 16}, ['shape.widths is 16, not a list']), ({'width_count': 3}, ['width_count']),
                         ({'growth': 1}, ['desc.shape.growth is', 'not a whole number of 1000001..'])):
        check_raises(lambda: Loader(store, shape={'kind': 'buckets', 'batch_tokens': 80, **shape}, **fields), words,
                     'the shape %r' % shape)
    try:
        Loader(path, shape={'kind': 'buckets', 'batch_tokens': 80, 'growth': 1500000}, **fields)
        check(False, 'a shape of files')
    except BiostreamError as error:
        made = {}
        check('Loader(store, ...)' in str(error), 'a shape of files: %s' % error)
        exec(str(error)[str(error).index('from biostream import Store'):], made)
        check_equal(len(made['store']), 6, 'what it says to paste')


def test_mates():
    """Pairs of a store against their files: two arrays of a kind, in step under a filter that text answers out of step."""
    reads = [[('r%d/%d' % (at, mate), ''.join(random.choice('ACGT') for _ in range(random.randrange(20, 90))))
              for at in range(60)] for mate in (1, 2)]
    paths = [os.path.join(work, 'mates_%d.fq' % mate) for mate in (1, 2)]
    for path, of in zip(paths, reads):
        with open(path, 'w') as file:
            file.write(''.join('@%s x\n%s\n+\n%s\n' % (name, seq, 'I' * len(seq)) for name, seq in of))
    store = Store.build(paths, mates=2, qualities=True)
    check_equal((len(store), store.info.mates), (120, 2), 'a store of pairs')
    check_equal(store.names, [name for pair in zip(*reads) for name, _ in pair], 'its sequences are both in turn')
    store.check(paths)
    check_raises(lambda: store.check(paths, mates=1), ['desc.mates is another'], 'another desc')
    want = [pair for pair in zip(*reads) if min(len(seq) for _, seq in pair) >= 40]
    got = []
    with Loader(store, mates=2, names=1, mask=1, encoding={'kind': 'tokens'}, quality={'kind': 'phred'}, batch_rows=8,
                filter={'min_length': 40}, labels={'kind': 'input'}) as loader:
        for batch in loader.epoch(0):
            check_equal((batch.mates, len(batch.x), len(batch.mask), len(batch.quality), len(batch.labels)), (2,) * 5, 'pairs')
            check_equal((batch.lengths.shape, batch.ids.shape, batch.spans.shape), ((8, 2), (8, 2), (8, 2, 2)), 'their shapes')
            check_equal(batch.ids['mate'][:batch.valid_rows].tolist(), [[0, 1]] * batch.valid_rows, 'mates')
            for row in range(batch.valid_rows):
                pair = []
                for mate in range(2):
                    n = batch.lengths[row, mate]
                    check(batch.mask[mate][row].sum() == n and (batch.quality[mate][row, :n] == 40).all(), 'mask and quality')
                    pair.append((batch.names[row][mate], ''.join('?ACGT'[token] for token in batch.x[mate][row, :n])))
                got.append(tuple(pair))
            del batch
    check_equal(got, want, 'pairs under a filter')
    with Loader(store, mates=2, names=1, batch_rows=3, regions={'kind': 'records', 'sequences': ['r7/2', 'r7/1', 3]}) as loader:
        names = [batch.names for batch in loader.epoch(0)]
    check_equal(names, [[('r7/1', 'r7/2')] * 2 + [('r3/1', 'r3/2')]], 'names of a list are those of pairs')
    with Loader(store, batch_rows=120, encoding={'kind': 'tokens'}) as loader:
        check_equal(next(loader.epoch(0)).x.shape[0], 120, 'single records')
    for make, words in ((lambda: Loader(paths, mates=2), ['biost_pairs', 'biost_store_build']),
                        (lambda: Loader(Store.build(paths[:1]), mates=2), ['the store has no mates']),
                        (lambda: Store.build(paths[:1], mates=2), ['two by two'])):
        check_raises(make, words, 'no pairs')


def test_store_tells():
    """Lengths, counts, names and records of a store as plain Python has them of its files."""
    with gzip.open(READS, 'rt') as file:
        lines = file.read().split('\n')[:-1]
    titles, seqs, quals = [title[1:] for title in lines[::4]], lines[1::4], lines[3::4]
    path = os.path.join(work, 'told.bst')
    seen = []
    built = Store.build([READS], path, progress=lambda *numbers: seen.append(numbers), qualities=True)
    check_equal(seen[-1], (len(seqs), sum(map(len, seqs))), 'progress')
    for store in (built, Store(path), Store.build(pathlib.Path(READS), qualities=True, workers=1, **{'gzip.require': True})):
        check_equal((len(store), bool(store), store.titles, store.names),
                    (len(seqs), True, titles, [title.split()[0] for title in titles]), 'titles and names')
        scores = [[ord(q) - 33 for q in qual] for qual in quals]
        for name, want in (('lengths', [*map(len, seqs)]), ('gc', [seq.count('G') + seq.count('C') for seq in seqs]),
                           ('n', [seq.count('N') for seq in seqs]), ('lower', [0] * len(seqs)), ('other', [0] * len(seqs)),
                           ('quality_sum', [*map(sum, scores)]), ('quality_min', [*map(min, scores)]),
                           ('quality_max', [*map(max, scores)])):
            numbers, view = getattr(store, name), store.column(name)
            check_equal((numbers.tolist(), view.tolist(), numbers.dtype.str, view.flags.writeable, numbers.flags.writeable),
                        (want, want, '<i8', False, False), 'numbers ' + name)
        view = store.column('quality_sum')
        check_equal(view.dtype.str, '<u2', 'where they lie')
        check_raises(store.close, ['column()', 'kept'], 'a store is closed under an array')
        try:
            view.flags.writeable = True
            check(False, 'a column of a store could be written to')
        except ValueError:
            check(True, '')
        check_raises(lambda: store.column('colour'), ['colour', 'no column'], 'a column that is none')
        del view
        check([*store] == [*map(biostream_store.Record, range(len(seqs)), titles, seqs, quals)], 'records')
        store.check(READS)
        check_raises(lambda: store.check([TENX]), [TENX], 'of another file')
        check_raises(lambda: store.check(READS, qualities=False), ['qualities'], 'by another field')
        check(not hasattr(store, 'colour'), 'what a store has not')
        info = store.info
        check_equal((info.sequence_count, info.base_count, info.longest_bases), (len(seqs), sum(map(len, seqs)), max(map(len, seqs))),
                    'info')
        with Loader(store, row_bases=150, regions={'kind': 'records', 'sequences': np.argsort(-store.lengths, kind='stable')[:9]},
                    encoding={'kind': 'tokens'}, batch_rows=9) as loader:
            check(next(loader.epoch(0)).lengths.tolist() == sorted(map(len, seqs))[:-10:-1], 'the longest')
        store.close()
        check_raises(lambda: len(store), ['closed'], 'the length of a closed store')
        check_raises(lambda: store.info, ['closed'], 'a closed store')
    empty = Store.build(write('empty.fa', ''))
    check_equal((len(empty), bool(empty), [*empty], empty.names, empty.lengths.tolist(), empty.column('n').tolist()),
                (0, True, [], [], [], []), 'no sequence')
    # Titles of no bytes, a letter that is none, bytes that are no UTF-8, no names, and proteins.
    odd = os.path.join(work, 'odd.fa')
    with open(odd, 'wb') as file:
        file.write(b'>\nACgt' + b'A' * 90 + b'\n> \xff\tb c\nRR\n>\nUu\n')
    store = Store.build(odd, duplicate_names=True)
    check_equal((store.titles, store.names, store.other.tolist(), store.lower.tolist(), [record.seq for record in store]),
                (['', ' \udcff\tb c', ''], ['', '\udcff', ''], [0, 2, 2], [2, 0, 1], ['ACgt' + 'A' * 90, 'RR', 'Uu']), 'odd titles')
    check_equal(([*store][1].qual, store.fetch(2, 0, 2)), (None, 'Uu'), 'no qualities')
    store = Store.build(odd, duplicate_names=True, names='none', letters='bytes')
    check_equal((store.titles, store.fetch(1, 0, 2), store.info.names), (['', '', ''], 'RR', 2), 'no titles')
    check_raises(lambda: Store.build(write('again.fa', '>a 1\nAC\n>a 2\nTT\n')), ['again.fa', 'name'], 'a name twice')
    for fields, words in (({'letters': 'dnas'}, ['letters', 'dna, bytes']), ({'colour': 1}, ['colour is no field', 'letters']),
                          ({'workers': 'x'}, ['workers']), ({'qualities': 2 ** 40}, ['qualities']), ({'jobs': 1}, ['jobs is no'])):
        check_raises(lambda: Store.build(odd, **fields), words, 'a wrong field')
    check_raises(lambda: Store.build(os.path.join(work, 'no.fa')), ['no.fa', 'no such file'], 'a file that is not there')
    check_raises(lambda: Store.build([]), ['paths'], 'no file')
    # What ends a build: an exception of progress, and Ctrl-C, each of which leaves no file.
    for error, end in ((ZeroDivisionError, lambda *_: 1 // 0), (KeyboardInterrupt, lambda *_: os.kill(os.getpid(), signal.SIGINT))):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            Store.build([READS] * 60, os.path.join(work, 'ended.bst'), progress=end, duplicate_names=True)
            check(False, 'a build that was to end')
        except error:
            check(not glob.glob(os.path.join(work, 'ended.bst*')), 'no file is left')
        finally:
            signal.signal(signal.SIGINT, before)


def test_files_of_bed():
    """A path of BED for intervals: lines, and what is wrong with them, as the oracle of the tools has them."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import oracle_store
    from biostream_bed import read_bed
    parts = ['chr1', '5', '-3', '40', '', '+', '-', '.', 'x y', 'peak -', '"+"', 'rev', '12', 'track', '1e3', '#', '7', '-1']
    chooser, seen = random.Random(5), {True: 0, False: 0}
    lines = ['track\t1\t2', 'track name=x', 'browser', ' # x', 'a 1 2', 'a\t1\t2\tn\t0\t-\r', ' a  4   9  n 0 + ', 'a\xa0b 1 2']
    lines += [chooser.choice('\t\t ').join(chooser.choice(parts) if k > 2 or chooser.random() < 0.1 else ('a', '4', '90')[k]
                                          for k in range(chooser.randrange(1, 12))) for _ in range(1500)]
    for number, line in enumerate(lines):
        for summit in (False, True):
            try:
                found = list(zip(*read_bed(write('one.bed', line + '\n'), summit).values()))
            except BiostreamError as error:
                found = str(error).split(': ', 2)[2]
            try:
                rows = oracle_store.read_bed(line + '\n', summit=summit, edge='drop')
                want = [row[:3] + ('+-'[row[3]],) + row[5:] for row in rows]
                found = [row[:3] + (row[3].replace('.', '+'),) + row[4:] for row in found] if isinstance(found, list) else found
            except oracle_store.Refused as error:
                want = str(error)
                if 'ends before' in want or 'is not inside' in want:  # C says so, beside the store
                    continue
            seen[isinstance(want, str)] += 1
            if found != want or number < 8:
                check_equal(found, want, 'the line %r' % line)
    check(min(seen.values()) > 200, 'lines of both kinds: %s' % seen)
    genome = read_fasta(HUMAN)
    names, sequences = list(genome), list(genome.values())
    store = Store(make_store('human4.bst', HUMAN))
    text = 'track x\n%s\t5\t15\tn\t0\t-\n\n%s\t100\t110\t.\t0\t.\t0\t0\t0\t4\n' % (names[1], names[0])
    fields = dict(encoding={'kind': 'tokens'}, row_bases=10, batch_rows=2)
    with gzip.open(write('peaks.bed.gz', ''), 'wt') as file:
        file.write(text)
    for path in (write('peaks.bed', text), os.path.join(work, 'peaks.bed.gz'), pathlib.Path(work, 'peaks.bed')):
        with Loader(store, regions={'kind': 'intervals', 'intervals': path}, **fields) as loader:
            check_equal([row[:4] for row in rows_of(loader)], [(1, 5, 1, as_tokens(sequences[1][5:15], 1)), (
                0, 100, 0, as_tokens(sequences[0][100:110]))], 'intervals of a file')
    peak = write('peak.narrowPeak', text.split('\n\n')[1])
    with Loader(store, regions={'kind': 'intervals', 'fit': 'summit', 'intervals': peak}, **fields) as loader:
        check_equal([row[1] for row in rows_of(loader)], [99], 'around a summit')
    for name, words in ((write('chr.bed', 'chrX\t0\t10\n'), ['no sequence chrX']), (write('none.bed', '\n'), ['is empty']),
                        (os.path.join(work, 'nowhere.bed'), ['nowhere.bed', 'No such file'])):
        check_raises(lambda: Loader(store, regions={'kind': 'intervals', 'intervals': name}, **fields), words, name)


def test_library_is_found():
    """Beside the file, and in ../build/lib."""
    modules = ['biostream%s.py' % part for part in ('', '_bed', '_desc', '_library', '_store', '_values')]
    for file in modules:
        shutil.copy(os.path.join('examples', file), work)
    name = os.path.basename(library)
    script = ('import sys; sys.path.insert(0, sys.argv[1]); import biostream; '
              'print(biostream.library._name)')
    environment = {key: value for key, value in os.environ.items() if key != 'BIOSTREAM_LIB'}
    for folder in (work, os.path.join(work, 'tree', 'build', 'lib')):
        os.makedirs(folder, exist_ok=True)
        shutil.copy(library, os.path.join(folder, name))
        code = work
        if folder != work:
            code = os.path.join(work, 'tree', 'examples')
            os.makedirs(code)
            for file in modules:
                shutil.copy(os.path.join('examples', file), code)
        done = subprocess.run([sys.executable, '-c', script, code], capture_output=True, text=True, check=False,
                              env=environment)
        check(os.path.realpath(done.stdout.strip()) == os.path.realpath(os.path.join(folder, name)),
              'the library in %s: %s' % (folder, done.stderr))


def test_without_numpy():
    script = '''
import sys
sys.modules['numpy'] = None
sys.path.insert(0, 'examples')
import biostream
with biostream.Loader(['%s'], row_bases=150, shuffle_rows=65536, digest=True, names=True) as loader:
    digest = 0
    for batch in loader.epoch(0):
        digest += batch.digest
        name = batch.names[0]
    try:
        for batch in loader.epoch(1):
            batch.x
    except ImportError as error:
        print('%%016x' %% (digest %% 2 ** 64), name.startswith('ST-'), 'numpy' in str(error))
''' % READS
    done = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True, check=False)
    check_equal(done.stdout.split(), [DIGEST_0, 'True', 'True'], 'without NumPy ' + done.stderr)


def test_fork():
    fields = dict(row_bases=150, shuffle_rows=65536, digest=True)
    loader = Loader([READS], **fields)
    batches = loader.epoch(0)
    digest = next(batches).digest
    held = next(batches)
    digest += held.digest
    x = held.x
    sys.stdout.flush()
    child = os.fork()
    if child == 0:  # every refusal is right: 0; x is dropped, the loader closed, and the process ends as any does
        signal.alarm(60)
        wrong = 1
        try:
            good = 0
            for action in (lambda: next(batches), lambda: next(loader.epoch(0)), loader.state_dict,
                           lambda: loader.load_state_dict({'epoch': 0, 'state': ''})):
                try:
                    action()
                except BiostreamError as error:
                    good += 'process %d' % os.getppid() in str(error)
            with Loader([READS], **fields) as own:
                good += digest_of(own, 0) == DIGEST_0
            loader.close()
            held = x = batches = loader = None
            gc.collect()
            wrong = good != 5
        finally:
            os._exit(wrong)
    check_equal(os.waitpid(child, 0)[1], 0, 'a child after fork')
    digest += sum(batch.digest for batch in batches)
    check_equal('%016x' % (digest % 2 ** 64), DIGEST_0, 'the parent goes on')
    check_equal(x.shape, (256, 150, 4), 'with its arrays')
    process = multiprocessing.get_context('fork').Process(target=use_in_child, args=(loader,))
    process.start()
    process.join(60)
    check_equal(process.exitcode, 7, 'a process of multiprocessing')
    # A child made while another thread is in a call.
    taken, given = threading.Event(), threading.Event()

    def hold():
        with loader._lock:
            taken.set()
            given.wait(60)
    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait(60)
    process = multiprocessing.get_context('fork').Process(target=use_in_child, args=(loader,))
    process.start()
    process.join(60)
    given.set()
    thread.join()
    check_equal(process.exitcode, 7, 'a process made during a call')
    process.kill()
    loader.close()


def use_in_child(loader):
    try:
        next(loader.epoch(0))
    except BiostreamError:
        sys.exit(7)  # with all that Python does at its end


INTERRUPTED = '''
import sys, os, time, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it
sys.path.insert(0, 'examples')
import biostream
print('ready', flush=True)
try:
    with biostream.Loader(%s) as loader:
        for batch in loader.epoch(0):
            pass
except KeyboardInterrupt:
    print('interrupted', flush=True)
'''


def test_interrupt():
    fifo = os.path.join(work, 'fifo')
    os.mkfifo(fifo)
    writer = os.open(fifo, os.O_RDWR)  # it is open for writing, and nothing comes
    no_row = 'has_fd=True, fd=0, filter={"max_length": 1}, row_bases=150'  # records without end, and none passes
    begun = os.path.join(work, 'begun')
    os.mkfifo(begun)
    writer_of_some = os.open(begun, os.O_RDWR)
    some = b''.join(b'@%d\nACGT\n+\nIIII\n' % n for n in range(4000))
    threading.Thread(target=os.write, args=(writer_of_some, some), daemon=True).start()
    for what, arguments in (('a FIFO', 'has_fd=True, fd=os.open(%r, os.O_RDONLY)' % fifo),
                            ('one that stops', 'has_fd=True, fd=os.open(%r, os.O_RDONLY), batch_rows=4' % begun),
                            ('a row that never comes', no_row),
                            ('it with one worker', no_row + ', workers=1')):
        endless = subprocess.Popen(['yes', '>a\nACGTACGT'], stdout=subprocess.PIPE)
        process = subprocess.Popen([sys.executable, '-c', INTERRUPTED % arguments], stdin=endless.stdout,
                                   stdout=subprocess.PIPE, text=True)
        endless.stdout.close()  # the child's alone from here on, so its end ends this one
        process.stdout.readline()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        try:
            out = process.communicate(timeout=60 * SLOWNESS)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            out = 'it went on; ' + process.communicate()[0]
        check_equal((out.split(), process.returncode), (['interrupted'], 0), 'Ctrl-C while waiting for ' + what)
        endless.wait()
    os.close(writer)


def test_pipe():
    read, wrote = os.pipe()

    def fill():
        with open(READS, 'rb') as source, open(wrote, 'wb') as to:
            shutil.copyfileobj(source, to)
    thread = threading.Thread(target=fill)
    thread.start()
    with Loader(has_fd=True, fd=read, row_bases=150, shuffle_rows=65536, digest=True, epochs=1) as loader:
        check_equal(digest_of(loader, 0), DIGEST_0, 'a pipe')
        check_raises(lambda: next(loader.epoch(1)), ['descriptor', 'only once'], 'a second epoch of it')
    thread.join()
    os.close(read)


def test_threads():
    results = []

    def use(seed):
        with Loader([READS], row_bases=150, shuffle_rows=65536, digest=True, seed=seed) as loader:
            results.append((seed, digest_of(loader, 0)))
    threads = [threading.Thread(target=use, args=(seed,)) for seed in (0, 1, 0, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    got = dict(results)
    check_equal((len(results), got[0], len(set(got.values()))), (4, DIGEST_0, 3), 'a loader in each of four threads')
    check_equal(results.count((0, DIGEST_0)), 2, 'equal seeds')
    with Loader([READS], row_bases=150, digest=True, shuffle_rows=65536) as a, \
            Loader([READS], row_bases=150, digest=True, shuffle_rows=65536, workers=1) as b:
        pairs = list(zip(a.epoch(0), b.epoch(0)))
        check(len(pairs) == 40 and all(one.digest == two.digest for one, two in pairs), 'two loaders in turns')
    for round_ in range(5):  # closed by another thread
        loader, ended = Loader([READS], row_bases=150, batch_rows=16), []

        def go_on():
            try:
                for epoch in range(1000):
                    for batch in loader.epoch(epoch):
                        batch.x, batch.ids
            except BiostreamError as error:
                ended.append(str(error))
        thread = threading.Thread(target=go_on)
        thread.start()
        time.sleep(0.03)
        loader.close()
        thread.join(60)
        check(not thread.is_alive() and len(ended) == 1, 'closed by another thread: %s' % ended)


def test_split():
    parts = []
    for low, below in ((0.0, 0.75), (0.75, 1.0)):
        with Loader([READS], row_bases=150, shuffle_rows=1000,
                    split={'by': 'name', 'from': low, 'below': below, 'salt': 5}) as loader:
            parts.append([{int(n) for batch in loader.epoch(epoch) for n in batch.ids['id'] if n >= 0}
                          for epoch in (0, 1)])
    check(parts[0][0] == parts[0][1] and parts[1][0] == parts[1][1], 'parts are the same in each epoch')
    check(not parts[0][0] & parts[1][0] and parts[0][0] | parts[1][0] == set(range(10000)), 'and share nothing')
    check(7200 < len(parts[0][0]) < 7800, 'three quarters')


# ---- frames ------------------------------------------------------------------------------------------------


def test_frames():
    folder = os.path.join(work, 'npy')
    for case, (flags, paths) in enumerate((
            (['--bases', '150', '--quality', 'phred', '--mask', '--mask-dtype', 'f32', '--names', '--dtype', 'f16',
              '--epochs', '2', '--rows', '3000', '--shuffle', '500'], [READS]),
            (['--rows', '7', '--quality', 'error', '--names', '--layout', 'ncl', '--dtype', 'bf16', '--tail', 'short'],
             [TENX]),
            (['--rows', '8', '--encode', 'tokens', '--dtype', 'i64', '--label', 'input', '--label-dtype', 'i32',
              '--bases', '98'], [TENX, TENX]))):
        shutil.rmtree(folder, ignore_errors=True)
        run_fxbatch(*flags, '--npy', folder, *paths)
        done = run_fxbatch(*flags, '--frames', '-', *paths)
        check(done.returncode == 0 and b'\nepoch 0\t' in done.stderr, 'what is printed goes to standard error')
        text = run_fxbatch(*flags, *paths, text=True)
        path = os.path.join(work, 'frames')
        with open(path, 'wb') as file:
            file.write(done.stdout)
        seen, digests = 0, {}
        with open(path, 'rb') as file:
            for frame in read_frames.read_frames(file):
                base = '%s/epoch%d_batch%06d_' % (folder, frame['epoch'], frame['index'])
                names = [name for name in ('x', 'quality', 'mask', 'labels', 'lengths', 'ids')
                         if os.path.exists(base + name + '.npy')]
                check_equal(sorted(name for name in frame if name + '_at' in frame and name != 'names'), sorted(names),
                            'arrays of a frame')
                for name in names:
                    want = np.load(base + name + '.npy')
                    check(frame[name].dtype == want.dtype and np.array_equal(frame[name], want), '%s of a frame' % name)
                if '--names' in flags:
                    with open(base + 'names.txt') as file_of_names:
                        check_equal(frame['names'], file_of_names.read().split('\n')[:-1], 'names of a frame')
                digests[frame['epoch']] = digests.get(frame['epoch'], 0) + frame['digest']
                seen += 1
        check_equal(seen, len([name for name in os.listdir(folder) if name.endswith('_x.npy')]), 'all batches')
        check_equal(['%016x' % (digests[epoch] % 2 ** 64) for epoch in sorted(digests)],
                    [line.split('digest ')[1][:16] for line in text.stdout.splitlines() if line.startswith('epoch')],
                    'digests of frames')
        if case == 1:
            with Loader([TENX], batch_rows=7, tail='short', names=True, quality={'kind': 'error', 'dtype': 'f32'},
                        encoding={'layout': 'ncl', 'dtype': 'bf16'}, digest=True) as loader, open(path, 'rb') as file:
                for batch, frame in zip(loader.epoch(0), read_frames.read_frames(file)):
                    check(np.array_equal(batch.x, frame['x']) and np.array_equal(batch.quality, frame['quality']) and
                          np.array_equal(batch.lengths, frame['lengths']) and batch.names == frame['names'] and
                          np.array_equal(batch.ids['id'], frame['ids'][:, 0]) and batch.digest == frame['digest'],
                          'a frame is the batch of biostream.py')
    # Cut off anywhere, it is no whole stream.
    whole = done.stdout
    line = whole.index(b'\n') + 1
    for count in (0, 1, line - 1, line, line + 1, line + 50, line + 500, len(whole) // 2, len(whole) - 1):
        with open(path, 'wb') as file:
            file.write(whole[:count])
        with open(path, 'rb') as file:
            try:
                list(read_frames.read_frames(file))
                check(False, 'frames cut off after %d bytes' % count)
            except ValueError as error:
                check('cut off' in str(error) or 'first line' in str(error), 'frames cut off after %d bytes' % count)
    # In pure Python.
    script = ("import sys; sys.modules['numpy'] = None; sys.path.insert(0, 'examples'); import read_frames; "
              "print(sum(sum(f['x']) for f in read_frames.read_frames(sys.stdin.buffer)))")
    done = run_fxbatch('--rows', '8', '--encode', 'tokens', '--bases', '98', '--frames', '-', TENX)
    sums = subprocess.run([sys.executable, '-c', script], input=done.stdout, capture_output=True, check=False)
    tokens = {'A': 1, 'C': 2, 'G': 3, 'T': 4}
    check_equal(sums.stdout.strip(), b'%d' % sum(tokens.get(base, 5) for _, s, _ in read_fastq(TENX) for base in s),
                'frames without NumPy')
    # Errors are told in the stream, after all good batches.
    bad = write('bad.fastq', '@a\nACGT\n+\nIIII\n@b\nACGT\n+\nIII\n')
    done = run_fxbatch('--rows', '4', '--frames', '-', bad)
    with open(path, 'wb') as file:
        file.write(done.stdout)
    seen = []
    with open(path, 'rb') as file:
        try:
            seen.extend(frame['valid_rows'] for frame in read_frames.read_frames(file))
            check(False, 'an error in the stream')
        except ValueError as error:
            check('bad.fastq' in str(error) and 'line 8' in str(error), 'an error in the stream')
    check_equal((seen, done.returncode), ([1], 1), 'after the good batches')
    done = run_fxbatch('--frames', '-', 'no/such/file')
    check_equal((done.stdout, done.returncode), (b'', 1), 'no frames of a missing file')
    done = run_fxbatch('--frames', 'file', READS)
    check(done.returncode == 2 and b'--frames wants -' in done.stderr, '--frames to a file')
    # A reader that goes away.
    process = subprocess.Popen([os.path.join(programs, 'fxbatch'), '--bases', '150', '--epochs', '1000', '--frames',
                                '-', READS], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(100000)
    process.stdout.close()
    told = process.stderr.read()
    check_equal((process.wait(60), [line for line in told.split(b'\n') if line.startswith(b'fxbatch')]), (0, []),
                'a reader that goes away')
    process.stderr.close()
    if os.path.exists('/dev/full'):
        with open('/dev/full', 'wb') as full:
            done = subprocess.run([os.path.join(programs, 'fxbatch'), '--frames', '-', READS], stdout=full,
                                  stderr=subprocess.PIPE, check=False)
        check(done.returncode == 1 and b'standard output cannot be written' in done.stderr, 'a full disk')
    done = run_fxbatch('--bases', '150', '--stop-after', '3', '--frames', '-', READS)
    with open(path, 'wb') as file:
        file.write(done.stdout)
    with open(path, 'rb') as file:
        check_equal([frame['index'] for frame in read_frames.read_frames(file)], [0, 1, 2], 'frames up to --stop-after')


# ---- training ----------------------------------------------------------------------------------------------


def count_words(tokens):
    """[rows][1024] how often each word of five bases is in a row."""
    codes = tokens.astype(np.int64) - 1
    words = sum(codes[:, at:codes.shape[1] - 4 + at] << 2 * (4 - at) for at in range(5))
    good = np.all([codes[:, at:codes.shape[1] - 4 + at] < 4 for at in range(5)], axis=0)
    counts = np.zeros((len(codes), 1024), 'f4')
    np.add.at(counts, (np.nonzero(good)[0], words[good]), 1)
    return counts


def open_part(low, below, **fields):
    return Loader(groups={'coli': (1, 0, [COLI]), 'human': (1, 1, [HUMAN])}, row_bases=150, batch_rows=512,
                  long_records='split', encoding={'kind': 'tokens'}, filter={'max_n_fraction': 0.1}, digest=True,
                  split={'by': 'block', 'block_bases': 3000, 'from': low, 'below': below, 'salt': 1}, **fields)


def learn(model, batch):
    counts, labels = count_words(batch.x[:batch.valid_rows]), batch.labels[:batch.valid_rows]
    wrong = labels - 1 / (1 + np.exp(-(counts @ model[:1024] + model[1024])))
    model[:1024] += 0.3 * counts.T @ wrong / len(counts) / 4
    model[1024] += 0.3 * wrong.mean()


def test_training():
    with open_part(0.0, 0.8, shuffle_rows=65536) as loader:
        model, whole = np.zeros(1025), []
        for epoch in range(2):
            for batch in loader.epoch(epoch):
                learn(model, batch)
                whole.append(batch.digest)
    stopped, digests = np.zeros(1025), []
    with open_part(0.0, 0.8, shuffle_rows=65536) as loader:
        for batch in loader.epoch(0):
            learn(stopped, batch)
            digests.append(batch.digest)
            if len(digests) == 60:
                state = loader.state_dict()
                break
    with open_part(0.0, 0.8, shuffle_rows=65536) as loader:
        loader.load_state_dict(state)
        for epoch in range(loader.next_epoch, 2):
            for batch in loader.epoch(epoch):
                learn(stopped, batch)
                digests.append(batch.digest)
    check(digests == whole, 'the batches of a stopped run')
    check(np.array_equal(model, stopped), 'its model')
    right = np.zeros((2, 2), int)
    with open_part(0.8, 1.0) as loader:
        for batch in loader.epoch(0):
            first = (batch.ids['id'] >= 0) & (batch.ids['pass'] == 0)
            found = count_words(batch.x) @ model[:1024] + model[1024] > 0
            np.add.at(right, (batch.labels[first].astype(int), (found == batch.labels)[first].astype(int)), 1)
    accuracy = (right[:, 1] / right.sum(1)).mean()
    print('note: held-out accuracy %.4f of %d rows, by words of 5 bases' % (accuracy, right.sum()))
    check(accuracy >= 0.95 and right.sum() > 7000, 'held-out accuracy %.4f' % accuracy)


# ---- PyTorch -------------------------------------------------------------------------------------------------

RANK = '''
import os, sys
import torch, torch.distributed as ranks
sys.path.insert(0, 'examples')
import biostream
ranks.init_process_group('gloo')
with biostream.Loader(['%s'], row_bases=150, shuffle_rows=65536, digest=True, torch=True, rank=int(os.environ['RANK']),
                      world=int(os.environ['WORLD_SIZE'])) as loader:
    digest, rows = torch.zeros(1, dtype=torch.int64), torch.zeros(1, dtype=torch.int64)
    for batch in loader.epoch(0):
        digest += batch.digest - (batch.digest >> 63 << 64)
        rows += len(batch.x)
ranks.all_reduce(digest)
# In one write, so that lines of ranks stay whole.
sys.stdout.write('RANK %%s %%d %%016x\\n' %% (os.environ['RANK'], rows, int(digest) %% 2 ** 64))
sys.stdout.flush()
ranks.destroy_process_group()
'''


def test_torch():
    if not has_torch:
        for what in ('tensors of torch', 'torch.utils.data.DataLoader', 'torchrun', 'examples/train_torch.py'):
            skip('%s: PyTorch is not here' % what)
        return
    import torch
    from torch.utils.data import DataLoader
    want = one_hot([sequence for _, sequence, _ in read_fastq(READS, 256)], 150)
    for dtype in ('u8', 'f16', 'f32', 'bf16'):
        for pin in (False, True):
            with Loader([READS], row_bases=150, encoding={'dtype': dtype}, torch=True, pin=pin, mask=True) as loader:
                batch = next(loader.epoch(0))
                named = {'u8': torch.uint8, 'f16': torch.float16, 'f32': torch.float32, 'bf16': torch.bfloat16}
                check_equal(batch.x.dtype, named[dtype], 'dtype of a tensor')
                check(np.array_equal(batch.x.to(torch.float64).numpy(), want), 'values of a tensor, ' + dtype)
                check_equal(batch.x.data_ptr(), batch._raw.x.data, 'a tensor without a copy')
                check_equal(batch.x.is_pinned(), pin and torch.cuda.is_available(), 'page-locked')
                check_equal((tuple(batch.lengths.shape), batch.mask.dtype), ((256,), torch.uint8), 'other tensors')
                x = batch.x
            check(np.array_equal(x.to(torch.float64).numpy(), want), 'a tensor after close')
    fields = dict(row_bases=150, shuffle_rows=65536, digest=True, torch=True)
    with Loader([READS], **fields) as loader:
        data = DataLoader(loader.dataset(), batch_size=None)
        digests = ['%016x' % (sum(batch.digest for batch in data) % 2 ** 64) for _ in range(2)]
        loader.load_state_dict({'epoch': 0, 'state': ''})
        check_equal(digests, [DIGEST_0, digest_of(loader, 1)], 'each pass of a DataLoader is an epoch')
        for context in ('fork', 'spawn'):
            try:
                for _ in DataLoader(loader.dataset(), batch_size=None, num_workers=2, multiprocessing_context=context):
                    pass
                check(False, 'num_workers=2 by %s' % context)
            except BiostreamError as error:
                check('num_workers must be 0' in str(error), 'num_workers=2 by %s: %s' % (context, error))
    environment = dict(os.environ, PYTHONPATH='examples', OMP_NUM_THREADS='1')
    run = [sys.executable, '-m', 'torch.distributed.run', '--nproc_per_node', '2', '--master_port', '29611']
    done = subprocess.run([*run, write('rank.py', RANK % READS)], capture_output=True, text=True, check=False,
                          env=environment, timeout=300 * SLOWNESS)
    lines = sorted(line.split() for line in done.stdout.splitlines() if line.startswith('RANK'))
    check_equal(lines, [['RANK', '0', '5120', DIGEST_0], ['RANK', '1', '5120', DIGEST_0]],
                'digests of two ranks of torchrun add up' + done.stderr[-1000:] * (done.returncode != 0))
    # The example: a run of two ranks sees what one sees, and one that is stopped goes on.
    state = os.path.join(work, 'train.state')
    train = 'examples/train_torch.py'

    def run_train(*command):
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=600 * SLOWNESS)
    one = run_train(sys.executable, train, state)
    epochs = [line for line in one.stdout.splitlines() if line.startswith('epoch')]
    accuracy = float((one.stdout.split('held-out accuracy ') + ['0 '])[1].split()[0])
    check(len(epochs) == 2 and accuracy >= 0.95, 'train_torch.py: %s %s' % (one.stdout, one.stderr[-1000:]))
    again = run_train(sys.executable, train, state)
    check_equal(again.stdout.splitlines(), one.stdout.splitlines()[2:], 'train_torch.py after its end')
    two = run_train(*run, train)
    check_equal([line for line in two.stdout.splitlines() if line.startswith('epoch')], epochs, 'it by two ranks')


def main():
    for name, test in sorted(globals().items()):
        if name.startswith('test_') and name.startswith(os.environ.get('ONLY', 'test_')):
            start = time.perf_counter()
            try:
                test()
            except Exception:  # a test that ends early has failed
                check(False, '%s: %s' % (name, traceback.format_exc()))
            if os.environ.get('V'):
                print('%-24s %6.2f s' % (name, time.perf_counter() - start))
    shutil.rmtree(work, ignore_errors=True)
    print('%d passed, %d failed%s' % (passed, failed, ', %d skipped' % skipped if skipped else ''))
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
