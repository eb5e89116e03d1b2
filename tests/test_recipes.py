"""test_recipes.py EXAMPLES LIBRARY - the recipes of examples/ (tracks, mlm, balance, own_order, buckets, packed) over small stores that
fxstore in EXAMPLES builds: what they give is compared with what NumPy makes of the texts themselves. Ends with
`N passed, N failed`.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

EXAMPLES = os.path.abspath(sys.argv[1])
os.environ['BIOSTREAM_LIB'] = os.path.abspath(sys.argv[2])
FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'examples')
sys.path.insert(0, FOLDER)
import balance  # noqa: E402
import buckets  # noqa: E402
import mlm  # noqa: E402
import own_order  # noqa: E402
import packed  # noqa: E402
import tracks  # noqa: E402
from biostream import Loader, Store  # noqa: E402

passed = failed = 0


def check(is_right, words):
    global passed, failed
    passed, failed = passed + bool(is_right), failed + (not is_right)
    if not is_right:
        print('FAILED ' + words)


def store_of(folder, name, text, *flags):
    with open(os.path.join(folder, name), 'w') as file:
        file.write(text)
    out = os.path.join(folder, name.rsplit('.', 1)[0] + '.bst')
    subprocess.run([os.path.join(EXAMPLES, 'fxstore'), *flags, os.path.join(folder, name), '-o', out], check=True,
                   stdout=subprocess.DEVNULL)
    return out


def main_of(name, *arguments):
    """The lines that a recipe prints as a program."""
    done = subprocess.run([sys.executable, os.path.join(FOLDER, name), *arguments], capture_output=True, text=True)
    check(done.returncode == 0, '%s ends well: %s' % (name, done.stderr[-300:]))
    return done.stdout.splitlines()


def letters(draw, count, among='ACGT' * 25 + 'Ng'):
    return ''.join(draw.choice(list(among), count))


def complaint(call, *arguments, **fields):
    try:
        call(*arguments, **fields)
    except ValueError as error:
        return str(error)
    return 'it went well'


def record_of(batch):
    return batch.ids['id'][:batch.valid_rows] & ((1 << 40) - 1)


# ---- tracks: a track that says of each base which one it is must be what x shows ----------------------------


def test_tracks(folder, draw):
    texts = {name: letters(draw, bases) for name, bases in (('a', 3000), ('b', 700), ('c', 90))}
    path = store_of(folder, 'genome.fa', ''.join('>%s\n%s\n' % one for one in texts.items()))
    codes = {name: np.array(['ACGT'.find(letter) for letter in text.upper()], 'f4') for name, text in texts.items()}
    lines = ['track type=bedGraph', '# none'] + ['%s\t%d\t%d\t%g' % (name, at, at + 1, code) for name in ('b', 'a')
                                                for at, code in enumerate(codes[name]) if code >= 0]
    graph = os.path.join(folder, 'codes.bedgraph')
    with open(graph, 'w') as file:
        file.write('\n'.join(lines) + '\n')
    with Store(path) as genome:
        read = tracks.read_bedgraph(graph, genome)
        check(sorted(read) == [0, 1], 'only sequences of the file have a track')
        for number, name in enumerate('ab'):
            wanted = np.where(codes[name] < 0, np.nan, codes[name])
            check(np.array_equal(read[number], wanted, equal_nan=True), 'bedGraph of ' + name)
        for line in ('a\t-1\t5\t1', 'a\t5\t3001\t1', 'a\t7\t6\t1'):
            with open(graph + '.bad', 'w') as file:
                file.write(line + '\n')
            check('a has 3000 bases' in complaint(tracks.read_bedgraph, graph + '.bad', genome), 'a bad place: ' + line)
        # Past both ends of a sequence, from either strand, moved at random, and of a sequence without a track.
        places = [(name, start, start + size, strand) for name, last in (('a', 2990), ('b', 690), ('c', 80))
                  for start in (-10, 0, last // 2, last) for size in (20, 61) for strand in '+-']
        sequences, rows = ['abc'.index(place[0]) for place in places], 0
        with Loader(genome, row_bases=64, order='exact', augment={'reverse_complement': 0.5}, batch_rows=7, epochs=2,
                    regions={'kind': 'intervals', 'intervals': places, 'fit': 'center', 'jitter': 9}) as loader:
            for batch in (batch for epoch in (0, 1) for batch in loader.epoch(epoch)):
                y, x = tracks.targets(batch, read, sequences), batch.x
                shown = np.where(x.any(2), x.argmax(2), -1).astype('f4')
                shown[batch.ids['strand'] == 1] = np.where(shown >= 0, 3 - shown, -1)[batch.ids['strand'] == 1]
                wanted = np.where(shown < 0, np.nan, shown)
                for row in range(batch.valid_rows):
                    wanted[row] = np.nan if sequences[batch.ids['piece'][row]] == 2 else wanted[row]
                wanted[batch.valid_rows:] = np.nan
                check(np.array_equal(y, wanted, equal_nan=True), 'targets of batch %d' % batch.index)
                rows += batch.valid_rows
        check(rows == 2 * len(places), 'all places came twice: %d rows' % rows)
    bed = os.path.join(folder, 'places.bed')
    with open(bed, 'w') as file:
        file.write('a\t100\t200\nb\t0\t90\tn\t0\t-\n')
    said = main_of('tracks.py', path, bed, graph)
    check(len(said) == 1 and said[0].startswith('x (32, 512, 4) y (32, 512) mean of y '), 'tracks.py says %s' % said)


# ---- mlm: what is hidden, by counting ------------------------------------------------------------------------


def test_mlm(folder, draw):
    path = store_of(folder, 'lm.fa', '>a\n%s\n' % letters(draw, 200000))
    fields = dict(row_bases=500, order='exact', batch_rows=32, regions={'kind': 'grid'}, epochs=2,
                  encoding={'kind': 'tokens', 'tokens': mlm.TOKENS, 'pad_value': mlm.PAD})

    def all_of(epoch, rank=0, world=1, seed=3):
        with Store(path) as genome, Loader(genome, rank=rank, world=world, **fields) as loader:
            return [(batch.x.astype('i8'), *mlm.masked(batch, seed=seed), batch.valid_rows) for batch in loader.epoch(epoch)]
    whole = all_of(0)
    tokens, shown, wanted, _ = (np.concatenate(arrays) for arrays in zip(*[(*one[:3], [0]) for one in whole]))
    asked, bases = wanted >= 0, (tokens >= mlm.A) & (tokens <= mlm.T)
    check(not asked[~bases].any(), 'neither N nor padding is asked for')
    check((wanted[asked] == tokens[asked]).all() and (wanted[~asked] == -100).all(), 'targets are tokens, else -100')
    check((shown[~asked] == tokens[~asked]).all(), 'what is not asked for is shown as it is')
    # Of n draws with chance p the count is within 5 times sqrt(n p (1 - p)) of n p.
    for words, count, of, chance in (('asked for', asked.sum(), bases.sum(), 0.15),
                                     ('hidden', (shown[asked] == mlm.MASK).sum(), asked.sum(), 0.8),
                                     ('another base', (asked & (shown != tokens) & (shown != mlm.MASK)).sum(), asked.sum(),
                                      0.075)):
        check(abs(count - of * chance) < 5 * (of * chance * (1 - chance)) ** 0.5, '%s: %d of %d' % (words, count, of))
    check(((shown[asked] >= mlm.MASK) & (shown[asked] <= mlm.T)).all(), 'only bases and MASK are shown for them')
    again, other, seeds = all_of(0), all_of(1), all_of(0, seed=4)
    check(all(np.array_equal(a[1], b[1]) for a, b in zip(whole, again)), 'the same again')
    check(not any(np.array_equal(a[2], b[2]) for a, b in zip(whole, other)), 'another epoch hides others')
    check(not any(np.array_equal(a[2], b[2]) for a, b in zip(whole, seeds)), 'another seed hides others')
    ranks = [all_of(0, rank, 2) for rank in (0, 1)]
    for one, a, b in zip(whole, *ranks):
        parts = np.concatenate([part[1][:part[3]] for part in (a, b)])
        check(np.array_equal(one[1][:one[3]], parts), 'two ranks make the same')
    said = main_of('mlm.py', path)
    check(len(said) == 7 and said[0].startswith('batch 0: 0.1'), 'mlm.py says %s' % said[:2])


# ---- lists of records -----------------------------------------------------------------------------------------


def reads_of(folder, draw, count):
    return store_of(folder, 'reads.fastq', ''.join('@r%d\n%s\n+\n%s\n' % (number, letters(draw, 40, 'ACGT'), 'I' * 40)
                                                   for number in range(count)))


def test_balance(folder, draw):
    path, classes = reads_of(folder, draw, 1000), (draw.random(1000) < 0.1).astype('i8') + (draw.random(1000) < 0.05)
    sizes, seen = np.bincount(classes), []
    with Store(path) as reads, balance.balanced(reads, classes, row_bases=40, batch_rows=30, epochs=1) as loader:
        for batch in loader.epoch(0):
            records, labels = record_of(batch), batch.labels[:batch.valid_rows]
            seen.append(records)
            check((labels == classes[records]).all(), 'labels of batch %d are the classes of its records' % batch.index)
            if batch.valid_rows == 30:
                counts = np.bincount(labels, minlength=3).tolist()
                check(counts == [10, 10, 10], 'ten rows of each class in batch %d: %s' % (batch.index, counts))
    with Store(path) as reads:
        for wrong in (classes[:999], classes[None]):
            words = complaint(balance.balanced, reads, wrong, row_bases=40)
            check('the store has 1000' in words, 'classes of another shape: ' + words)
    times = np.bincount(np.concatenate(seen), minlength=1000)
    check((times[classes == 0] == 1).all(), 'each record of the largest class came once, of %s' % sizes)
    check((np.ptp(times[classes == 1]), np.ptp(times[classes == 2])) <= (1, 1), 'those of the others as often as each other')
    file = os.path.join(folder, 'classes.txt')
    np.savetxt(file, classes, '%d')
    said = main_of('balance.py', path, file)
    check(said and said[0] in ('batch 0: rows of each class [22, 21, 21]', 'batch 0: rows of each class [21, 22, 21]',
                               'batch 0: rows of each class [21, 21, 22]'), 'balance.py says %s' % said[:1])


def test_own_order(folder, draw):
    path = reads_of(folder, draw, 300)
    losses = draw.random(300) * (draw.random(300) < 0.5)
    records = own_order.draw(losses, 2, 900, seed=5)
    check(len(records) == 900 and (losses[records] > 0).all(), 'only records with a loss are drawn')
    check(np.array_equal(records, own_order.draw(losses, 2, 900, seed=5)), 'the same epoch draws the same')
    check(not np.array_equal(records, own_order.draw(losses, 3, 900, seed=5)), 'another epoch draws others')
    with Store(path) as reads, own_order.loader_of(reads, records, row_bases=40, batch_rows=64, epochs=1,
                                                   encoding={'kind': 'tokens'}, augment={'substitute': 0.2}) as loader:
        rows = [(record_of(batch).copy(), batch.ids['piece'][:batch.valid_rows].copy(), batch.x[:batch.valid_rows].copy())
                for batch in loader.epoch(0)]
    shown, pieces, x = (np.concatenate(arrays) for arrays in zip(*rows))
    check(np.array_equal(shown, records) and np.array_equal(pieces, np.arange(900)), 'rows come in the order of the list')
    copies = np.flatnonzero(records == np.bincount(records.astype('i8')).argmax())
    kinds = {x[at].tobytes() for at in copies}
    check(len(copies) > 3 and len(kinds) == len(copies), 'copies of a record change each on their own')
    said = main_of('own_order.py', path)
    wanted = all('records of 300, the most frequent' in line for line in said)
    check(len(said) == 3 and wanted, 'own_order.py says %s' % said)


# ---- buckets: each record once, in a batch within the budget whose rows all need its width --------------------


def test_buckets(folder, draw):
    bases = np.concatenate([draw.integers(1, 40, 300), draw.integers(40, 900, 200)])
    path = store_of(folder, 'long.fa', ''.join('>r%d\n%s\n' % (at, letters(draw, count)) for at, count in enumerate(bases)))
    with Store(path) as reads, buckets.buckets(reads, 4000, encoding={'kind': 'tokens'}, seed=3) as loader:
        widths, seen, within = [], [], True
        for batch in loader.epoch(2):
            records = record_of(batch)
            within &= batch.x.size <= 4000 and np.array_equal(batch.lengths[:batch.valid_rows], bases[records])
            widths.append(batch.x.shape[1])
            seen.extend(records.tolist())
        check(within, 'batches of at most 4000 columns')
        check(sorted(seen) == list(range(500)), 'each record once')
        check(widths != sorted(widths) and len(set(widths)) > 10, 'widths in a random order: %s' % widths)
        check(len(loader) == len(widths), 'as many batches as were known')
    said = main_of('buckets.py', os.path.join(folder, 'long.fa'))
    share = float((said[0] if said else '').partition('columns ')[2].partition(' ')[0] or -1)
    check(len(said) == 1 and 0 < share < 60 and ' 500 rows' in said[0], 'buckets.py says %s' % said)


# ---- packed: columns, segments and offsets counted record by record ------------------------------------------


def check_packed(batch, reads):
    """All arrays of a batch, made again from the records that its origins name. Returns their numbers."""
    records, token = batch.ids['id'].astype('i8'), dict(zip('ACGT', range(1, 5)))
    x, segment, position, offsets, sample = np.zeros((4, 64), 'u1'), np.zeros((4, 64), 'i4'), np.zeros((4, 64), 'i4'), [], 0
    for row in range(4):
        column = 0
        check(batch.row_samples[row] == sample, 'row_samples[%d] of batch %d' % (row, batch.index))
        for number in range(int(batch.row_samples[row + 1] - batch.row_samples[row])):
            read = reads[records[sample]]
            place = row, slice(column, column + len(read))
            x[place], segment[place], position[place] = [token[letter] for letter in read], number + 1, range(len(read))
            offsets, column, sample = offsets + [64 * row + column], column + len(read), sample + 1
        offsets += [64 * row + column] if column < 64 else []
    same = [np.array_equal(*pair) for pair in ((batch.x, x), (batch.segment, segment), (batch.position, position),
                                               (batch.offsets, offsets + [256]), (batch.names, ['r%d' % r for r in records]),
                                               (batch.lengths, [len(reads[r]) for r in records]))]
    check(all(same), 'batch %d: x, segment, position, offsets, names, lengths: %s' % (batch.index, same))
    return records


def test_packed(folder, draw):
    reads = [letters(draw, count, 'ACGT') for count in draw.integers(1, 60, 700)]
    path = store_of(folder, 'packed.fasta', ''.join('>r%d\n%s\n' % pair for pair in enumerate(reads)))
    seen = []
    with Store(path) as store, packed.packed(store, 64, 4, names=1, epochs=1) as loader:
        check('known after' in complaint_of_len(loader), 'rows are packed when the epoch begins')
        for batch in loader.epoch(0):
            seen.append(check_packed(batch, reads))
            starts, longest = packed.lengths_of_sequences(batch)
            check(longest == max(b - a for a, b in zip(starts, starts[1:])), 'the longest sequence of batch %d' % batch.index)
            may = packed.may_attend(batch)[1]
            of = batch.segment[1]
            check(all(may[i, j] == (of[i] == of[j] > 0) for i in range(0, 64, 7) for j in range(64)), 'who sees whom')
            values, mean, at = draw.random((4, 64)), [], 0
            for row in range(4):
                for number in range(1, batch.segment[row].max() + 1):
                    mean.append(values[row][batch.segment[row] == number].mean())
            check(np.allclose(packed.means(batch, values), mean), 'means by record of batch %d' % batch.index)
        check(len(loader) == len(seen), 'len(loader) is %d' % len(loader))
    check(np.array_equal(np.sort(np.concatenate(seen)), np.arange(700)), 'each record once')
    said = main_of('packed.py', os.path.join(folder, 'packed.fasta'))
    wanted = said[0].startswith('batch 0: 700 records in ') and 'the longest has %d' % max(map(len, reads)) in said[0]
    check(len(said) == 1 and wanted, 'packed.py says %s' % said)


def complaint_of_len(loader):
    try:
        return str(len(loader))
    except TypeError as error:
        return str(error)


for test in (test_tracks, test_mlm, test_balance, test_own_order, test_buckets, test_packed):
    with tempfile.TemporaryDirectory() as folder:
        test(folder, np.random.default_rng(7))
print('%d passed, %d failed' % (passed, failed))
sys.exit(failed > 0)
