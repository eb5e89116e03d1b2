#!/usr/bin/env python3
"""Lists, shapes, pairs, titles, tokens around a row, k-mers and content, written from the definition in the simplest way
and before there is C for them.

    python3 tests/oracle_shapes.py selfcheck
    python3 tests/oracle_shapes.py shares FILE...
    python3 tests/oracle_shapes.py rows FIELD=VALUE... FILE...
    python3 tests/oracle_shapes.py lists > tests/list_vectors.h
    python3 tests/oracle_shapes.py shapes > tests/shape_vectors.h
    python3 tests/oracle_shapes.py build/examples/fxbatch [CASES [SEED]]

`selfcheck` holds what is written here against examples done by hand, published vocabularies, oracle_store.py and what
the definition promises. `shares` prints how much of the batches of real lengths is padding, `shapes` batches of columns
alone for a test in C, and `lists` epochs over lists. `rows` prints the rows of an epoch over a store of files, as
oracle_store.py does, with the samples of a row in one line: id, piece, mate, first base, strand, bases. Given fxbatch, it
compares descs drawn at random with what fxbatch prints, of the capabilities that HAVE lists; stores are made by the
fxstore beside it.

Orders, random numbers, filters, encoding, ranks, tails and digest are those of oracle.py, the store and its regions those
of oracle_store.py. Where the definition leaves something open, a comment here that begins with `datasets.md leaves open`
says what was taken. Ends with 'N passed, N failed'.
"""
import ast
import bisect
import collections
import fractions
import itertools
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

import oracle
import oracle_store
from oracle import CROP, KEEP, M32, M64, PERMUTE, REVERSE, bounded, element, pass_keys, philox, stage_key, words, xxh64
from oracle_store import Refused, first_word

# What fxbatch can do: of these capabilities alone descs are drawn.
# lists, buckets, packed, mates, specials (begin and end token), weights, titles (labels of titles), kmers, content;
# padding: each epoch's line says its share
HAVE = {'buckets', 'content', 'kmers', 'lists', 'mates', 'packed', 'padding', 'specials', 'titles', 'weights'}

# records: numbers of the store. shape: 'buckets' or 'packed'. growth in millionths. begin, end: a token, or None.
# kmer_ids: (of the first k-mer, of one with another letter). weights: 256 numbers. label 'title': label_key, or
# label_field and label_separator; label_classes: words.
BASE = dict(oracle_store.BASE, bases=0, long='fail', records=None, shape=None, batch_tokens=0, growth=0, widths=None,
            rows_multiple=0, pack_samples=0, segment=False, position=False, offsets=False, mates=0, begin=None, end=None,
            weights=None, kmer=0, kmer_stride=0, kmer_digits='ACGT', kmer_ids=None, label_key='', label_field=0,
            label_separator=':', label_classes=None)
WIDTHS_MOST, ROWS_MOST, WINDOW, SAMPLES_USUAL = 256, 1 << 20, 4096, 256
CANDIDATES_MOST = 1 << 30
ENDLESS = 1 << 40
MATE_BIT = 1 << 31


def round_up(n, multiple):
    return -(-n // multiple) * multiple


# ---- columns: what bases become in a row ----

def specials(o):
    return (o['begin'] is not None) + (o['end'] is not None)


def kmer_step(o):
    return 1 if o['kmer_stride'] == 1 else o['kmer']


def tokens_of_bases(o, n):
    """datasets.md leaves open: bases after the last whole k-mer. Here they make no token, as a plain reshape."""
    if not o['kmer']:
        return n
    return max(0, (n - o['kmer']) // kmer_step(o) + 1)


def columns_of_bases(o, n):
    return tokens_of_bases(o, n) + specials(o)


def bases_of_columns(o, columns):
    """The most bases that so many columns show. datasets.md leaves open: whether row_bases and max_row_bases count bases
    or columns where a column is a k-mer. Here columns, as with begin and end token: what the model is built for."""
    tokens = columns - specials(o)
    if tokens < 1:
        raise Refused('a row of %d columns, and begin and end token leave none' % columns)
    if not o['kmer']:
        return tokens
    return tokens * o['kmer'] if kmer_step(o) > 1 else tokens + o['kmer'] - 1


def multiple_of(o):
    """datasets.md leaves open: pad_multiple 0 of shapes. Here 1 where widths are given and in PACKED, 8 in BUCKETS of
    growth: there row_bases is a cap, not the width of all rows."""
    if o['pad_multiple']:
        return o['pad_multiple']
    if o['shape'] == 'buckets':
        return 1 if o['widths'] else 8
    return 1 if o['bases'] else 8


def room_of(o):
    """The most bases of a row. datasets.md leaves open: max_row_bases of BUCKETS. Here 0 is no cap, since the budget is
    batch_tokens and lengths are known."""
    if o['shape'] == 'buckets':
        most = o['widths'][-1] if o['widths'] else o['bases'] or o['max_bases']
        return bases_of_columns(o, most) if most else ENDLESS
    return bases_of_columns(o, o['bases'] or o['max_bases'] or 1024)


def stretch(o, n, room, source):
    """(start, bases) that a record of n bases shows; `source`: words for a start at random."""
    most = o['crop'] or room
    if n <= most:
        return 0, n
    if o['crop'] or o['long'] == 'crop':
        return bounded(source, n - most + 1), most
    if o['long'] == 'fail':
        raise Refused('%d bases, and a row has %d' % (n, most))
    return {'head': 0, 'tail': n - most, 'center': (n - most) // 2}[o['long']], most


def kmer_ids(o):
    """datasets.md leaves open: the ids where none are given. Here from 1 on in the order of the digits, and one more for
    the others: k-mers of one base are then the usual tokens, and 0 is left to padding."""
    return o['kmer_ids'] or (1, 4 ** o['kmer'] + 1)


def kmers(o, seq):
    """The id of each k-mer: a number of base 4, the first letter its highest digit. Case is nothing, U is T."""
    first, other = kmer_ids(o)
    text, ids = bytes(seq).upper().replace(b'U', b'T').decode('latin-1'), []
    for at in range(0, len(text) - o['kmer'] + 1, kmer_step(o)):
        word = text[at:at + o['kmer']]
        if set(word) <= set(o['kmer_digits']):
            number = 0
            for letter in word:
                number = number * 4 + o['kmer_digits'].index(letter)
            ids.append(first + number)
        else:
            ids.append(other)
    return ids


# ---- shapes: of the columns of all candidates that pass, in their order ----

def shape_keys(seed, e, third, fourth=0):
    """The round keys of a permutation of a shape: of class k, 1 + k; of batches and windows see below."""
    keys, key = [], stage_key(seed, e, PERMUTE)
    for draw in range(8):
        w = philox((draw, 0, third, fourth), key)
        keys += [w[0] | w[1] << 32, w[2] | w[3] << 32]
    return keys


OF_BATCHES, OF_WINDOWS = 0xFFFFFFFF, 0xFFFFFFFE


def permuted(o, n, keys):
    return oracle.permute(n, keys) if o['store_order'] == 'exact' else int


Batch = collections.namedtuple('Batch', 'columns rows members')   # members: of each valid row its candidates


def made_widths(last, shortest, growth, multiple):
    """datasets.md leaves open: what becomes of more than 256 widths. Here they are refused."""
    widths = [last]
    while True:
        before = min(widths[-1] * 1000000 // growth // multiple * multiple, widths[-1] - multiple)
        if before < shortest:
            return widths[::-1]
        widths.append(before)
        if len(widths) > WIDTHS_MOST:
            raise Refused('growth %d makes more than %d widths' % (growth, WIDTHS_MOST))


class Buckets:
    """Batches of rows of one width each. `columns` are those of each candidate that passes. datasets.md leaves open:
    whether the longest and the shortest candidate have to pass. Here they do: a filter keeps widths away."""

    def __init__(self, o, columns):
        multiple, self.o, self.shown = multiple_of(o), o, columns
        # datasets.md leaves open: a row without a column. Here it takes the room of the smallest multiple.
        needed = [max(multiple, round_up(n, multiple)) for n in columns]
        if o['widths']:
            self.widths = list(o['widths'])
            if any(a >= b for a, b in zip(self.widths, self.widths[1:])):
                raise Refused('widths do not rise')
            # datasets.md leaves open: given widths beside pad_multiple, row_bases, or more than 256. Here refused.
            if any(width % multiple for width in self.widths) or len(self.widths) > WIDTHS_MOST:
                raise Refused('a width is no multiple of pad_multiple, or there are too many')
            if o['bases'] and o['bases'] != self.widths[-1]:
                raise Refused('row_bases is not the last width')
        else:
            last = round_up(o['bases'], multiple) if o['bases'] else max(needed, default=multiple)
            self.widths = made_widths(last, min(needed, default=last), o['growth'] or 1125000, multiple)
        each = o['rows_multiple'] or 1
        # datasets.md leaves open: a width that no candidate has and that batch_tokens does not hold. Here refused too.
        for width in self.widths:
            if o['batch_tokens'] // width // each == 0:
                raise Refused('batch_tokens %d is less than %d rows of %d columns' % (o['batch_tokens'], each, width))
        self.rows_of = [min(o['batch_tokens'] // width, ROWS_MOST) // each * each for width in self.widths]
        self.members = [[] for _ in self.widths]
        for i, n in enumerate(needed):
            self.members[bisect.bisect_left(self.widths, n)].append(i)
        # Class by class, in each its full batches and then the smaller one: (class, first member, rows).
        self.batches, self.tail_dropped = [], 0
        for k, (members, rows) in enumerate(zip(self.members, self.rows_of)):
            full, left = divmod(len(members), rows)
            self.batches += [(k, i * rows, rows) for i in range(full)]
            if left and o['tail'] != 'drop':
                self.batches.append((k, full * rows, left))
            elif left:
                self.tail_dropped += left

    def slot_elements(self):
        """The most elements of a global batch, which are the elements of a slot times world."""
        return max(rows * width for rows, width in zip(self.rows_of, self.widths))

    def epoch(self, e, first_batch=0):
        o = self.o
        of_batch = permuted(o, len(self.batches), shape_keys(o['seed'], e, OF_BATCHES))
        of_class = [permuted(o, len(members), shape_keys(o['seed'], e, 1 + k)) for k, members in enumerate(self.members)]
        for b in range(first_batch, len(self.batches)):
            k, first, count = self.batches[of_batch(b)]
            members = [[self.members[k][of_class[k](j)]] for j in range(first, first + count)]
            padded = round_up(count, o['rows_multiple'] or 1) if o['tail'] == 'pad' else count
            yield Batch(self.widths[k], padded, members)


class Packed:
    """Rows that show several samples, one after the other."""

    def __init__(self, o, columns):
        self.o, self.width = o, round_up(o['bases'], multiple_of(o))
        self.shown, self.columns = columns, [round_up(n, multiple_of(o)) for n in columns]
        self.most = o['pack_samples'] or SAMPLES_USUAL

    def window(self, places):
        """The rows of a window, oldest first, each with its samples by rising place."""
        rows, open_rows = [], []               # open_rows: (room, number of the row), both rising
        for place in sorted(range(len(places)), key=lambda place: (-self.columns[places[place]], place)):
            n = self.columns[places[place]]
            at = bisect.bisect_left(open_rows, (n, 0))
            room, row = open_rows.pop(at) if at < len(open_rows) else (self.width, len(rows))
            if row == len(rows):
                rows.append([])
            rows[row].append(place)
            if len(rows[row]) < self.most:
                bisect.insort(open_rows, (room - n, row))
        return [[places[place] for place in sorted(row)] for row in rows]

    def rows(self, e):
        o, n, rows = self.o, len(self.columns), []
        order = permuted(o, n, oracle.round_keys(o['seed'], e, 0, 0))
        for w in range(-(-n // WINDOW)):
            made = self.window([order(i) for i in range(WINDOW * w, min(n, WINDOW * (w + 1)))])
            of_row = permuted(o, len(made), shape_keys(o['seed'], e, OF_WINDOWS, w))
            rows += [made[of_row(i)] for i in range(len(made))]
        return rows

    def epoch(self, e, first_batch=0):
        rows = self.rows(e)
        for _, first, m, _ in oracle.cut(len(rows), self.o, first_batch):
            yield Batch(self.width, self.o['rows'] if self.o['tail'] == 'pad' else m, rows[first:first + m])


# datasets.md leaves open: what of tokens is no padding. Here bases, or k-mers, and begin and end token; of all rows that
# a batch has, those of padding alone too.
def padding_of(shape, e=0, without_last=False):
    """(batches, rows, tokens, those that are padding) of an epoch."""
    batches = list(shape.epoch(e))
    batches = batches[:-1] if without_last else batches
    tokens = sum(batch.rows * batch.columns for batch in batches)
    content = sum(shape.shown[i] for batch in batches for row in batch.members for i in row)
    return len(batches), sum(len(batch.members) for batch in batches), tokens, tokens - content


# ---- stores with mates ----

def names_belong(a, b):
    """Whether names are equal, or differ in the number 1..4 after one of the same marks alone, as biost_pairs has it."""
    mark = rb'([/._:])[1-4]\Z'
    found = re.search(mark, a), re.search(mark, b)
    if len(a) != len(b) or bool(found[0]) != bool(found[1]):
        return False
    return a == b if not found[0] else a[:-1] == b[:-1]


def store_of_pairs(inputs, interleaved=False, **change):
    """The store of inputs two by two, R1, R2, R1, R2 ..., or of inputs whose records alternate; an input is a path or a
    list of (sequence, quality or None, title). Sequences 2i and 2i + 1 are a pair."""
    lists = [x if isinstance(x, list) else oracle.read_records(x) for x in inputs]
    numbered = [[(p << 40 | r, record) for r, record in enumerate(of)] for p, of in enumerate(lists)]
    if interleaved:
        if any(len(of) % 2 for of in lists):
            raise Refused('an odd number of records')
        together = [one for of in numbered for one in of]
    else:
        if len(lists) % 2:
            raise Refused('an odd number of inputs')
        together = []
        for a, b in zip(numbered[::2], numbered[1::2]):
            if len(a) != len(b):
                raise Refused('%d records, and %d of their mates' % (len(a), len(b)))
            together += [one for pair in zip(a, b) for one in pair]
    for a, b in zip(together[::2], together[1::2]):
        if not names_belong(first_word(a[1][2]), first_word(b[1][2])):
            raise Refused("'%s' does not belong to '%s'" % (b[1][2].decode('latin-1'), a[1][2].decode('latin-1')))
    # datasets.md leaves open: one name for both mates, as of Casava 1.8. Here that is no name twice.
    change.setdefault('duplicate_names', True)
    store = oracle_store.Store([[record for _, record in together]], **change)
    store.records = [of._replace(rid=rid) for of, (rid, _) in zip(store.records, together)]
    store.inputs, store.mates, store.two = len(inputs), 2, not interleaved
    return store


# ---- sources: candidates, and what each shows ----

# The row of a mate before it is changed; `at`: the piece that random draws go by. left: columns of padding before it on
# the plus and on the minus strand, in bases, of regions.
View = collections.namedtuple('View', 'at start seq qual strand lefts title label')
Sample = collections.namedtuple('Sample', 'rid piece turn views')
LABEL_NUMBER = r'-?0*([0-9]+\.?[0-9]*|\.[0-9]+)'


def nearest_f32(text):
    """The float of four bytes that is nearest to a decimal number, ties to even: not by way of a double."""
    bits = struct.unpack('<i', struct.pack('<f', float(text)))[0]
    near = [(abs(fractions.Fraction(value) - fractions.Fraction(text)), at & 1, value) for at in (bits - 1, bits, bits + 1)
            for value in struct.unpack('<f', struct.pack('<i', at)) if -1e39 < value < 1e39]
    return min(near)[2] if bits & M32 >> 1 else float(text)


def title_label(o, title):
    """The value of a title. datasets.md leaves open: where a word begins and ends, and what a number is. Here words are
    parted by blanks and tabs, the first that begins with key= counts; the name is the title's first word, its mate's
    number with it; a number is what descs as texts take: digits, perhaps with '-' before and one point among them, 18 digits
    from the first that is not 0 on; without a point at most 2^53."""
    if o['label_key']:
        found = [word[len(o['label_key']) + 1:] for word in re.split('[ \t]+', title.decode('latin-1').lstrip(' \t'))[1:]
                 if word.startswith(o['label_key'] + '=')]
        text, field = found[0] if found else None, o['label_key']
    else:
        of = first_word(title).decode('latin-1').split(o['label_separator'])
        field = 'field %d' % o['label_field']
        text = of[o['label_field'] - 1] if o['label_field'] <= len(of) else None
    if text is None:
        raise Refused("the title '%s' has no %s" % (title.decode('latin-1'), field))
    if o['label_classes'] is not None:
        if text not in o['label_classes']:
            raise Refused("%s of the title '%s' is none of the classes" % (field, title.decode('latin-1')))
        return o['label_classes'].index(text)
    if not re.fullmatch(LABEL_NUMBER, text) or len(text.partition('.')[2]) > 18 or \
            len(text.replace('.', '').lstrip('-0')) > 18:
        raise Refused("%s of the title '%s' is no number" % (field, title.decode('latin-1')))
    value = oracle_store.label_value(text, o['label_dtype'])
    return nearest_f32(text) if '.' in text and o['label_dtype'] == 'f32' else value


class StoreSource:
    """Candidates of a store: records, pieces of them, pairs, those of a list, or regions."""

    def __init__(self, store, o):
        self.store, self.o, self.room, self.regions = store, o, room_of(o), None
        self.keep_key = stage_key(o['seed'], 0, KEEP)
        if o['region'] in ('grid', 'intervals'):
            self.regions = oracle_store.StoreFeed(store, 0, dict(o, bases=self.room))
            self.kept, self.candidates = self.regions.kept, None
            return
        self.candidates = self.listed()
        if len(self.candidates) > CANDIDATES_MOST:
            raise Refused('more than 2^30 candidates')
        self.kept, self.dropped = [], collections.Counter()
        for c in range(len(self.candidates)):
            why = self.dropped_by(c)
            self.dropped[why] += 1
            if not why:
                self.kept.append(c)
        for i, c in enumerate(self.kept):
            try:
                self.bases_of(i)
                # datasets.md leaves open: titles of what no row shows. Here nobody looks at them.
                if o['label'] == 'title':
                    for number in self.candidates[c][0]:
                        title_label(o, store.title(number))
            except Refused as error:
                raise Refused('record %d: %s' % (self.candidates[c][0][0], error))

    def listed(self):
        """(numbers of sequences, one a mate, and piece) of each candidate."""
        o, count = self.o, len(self.store.records)
        of = 2 if o['mates'] == 2 else 1
        if of == 2 and getattr(self.store, 'mates', 1) != 2:
            raise Refused('mates of a store without')
        if o['records'] is not None:
            # datasets.md leaves open: an empty list. Here refused. And what numbers are with mates. Here those of pairs.
            if not o['records']:
                raise Refused('the list has no number')
            for place, number in enumerate(o['records']):
                if not 0 <= number < count // of:
                    raise Refused('place %d of the list is %d, and the store has %d' % (place, number, count // of))
            return [([of * number + mate for mate in range(of)], c) for c, number in enumerate(o['records'])]
        if of == 2:
            return [([number, number + 1], 0) for number in range(0, count, 2)]
        pieces = []
        for i, record in enumerate(self.store.records):
            if o['long'] == 'split':
                pieces += [([i], piece) for piece, _, _ in self.pieces_of(record)]
            else:
                pieces.append(([i], 0))
        return pieces

    def pieces_of(self, record):
        return oracle.pieces(dict(self.o, bases=self.room), record.rid, record.bases, None)

    def draws_by(self, c, mate=0):
        """The piece of the counter: of a list its place in it, of a second mate with bit 31."""
        return self.candidates[c][1] | (MATE_BIT if mate else 0)

    def dropped_by(self, c):
        """datasets.md leaves open: what first_records and every_record count. Here candidates, which are pairs with
        mates and places of a list. A pair passes where both mates do; by split and subsample the first decides."""
        o, (numbers, piece) = self.o, self.candidates[c]
        rid, reasons = self.store.records[numbers[0]].rid, []
        visited = numbers[0] if o['long'] == 'split' else c
        for mate, number in enumerate(numbers):
            record = self.store.records[number]
            judged = dict(o, bases=self.room, subsample_from=0.0, subsample_below=1.0)
            if mate:
                judged['split'] = None
            seq, title = self.store.fetch(number, 0, record.bases), self.store.title(number)
            why = oracle.dropped_by(judged, rid, visited, seq, self.store.quality(number, 0, record.bases), title,
                                    self.keep_key, self.store.is_fastq)
            if not why and o['long'] == 'split':
                _, start, n = self.pieces_of(record)[piece]
                why = oracle.piece_dropped_by(o, seq[start:start + n], title, start)
            reasons.append(why)
        # With a list each copy is drawn for on its own.
        at = self.draws_by(c) if o['records'] is not None else 0
        u = next(words(self.keep_key, rid, at))
        if not oracle.threshold(o['subsample_from']) <= u < oracle.threshold(o['subsample_below']):
            reasons.append('subsample')
        return next((why for why in reasons if why), None)

    def stretch_of(self, c, mate, crop_key):
        numbers, piece = self.candidates[c]
        record = self.store.records[numbers[mate]]
        if self.o['long'] == 'split':
            return self.pieces_of(record)[piece][1:]
        rid = self.store.records[numbers[0]].rid
        return stretch(self.o, record.bases, self.room, words(crop_key, rid, self.draws_by(c, mate)))

    def bases_of(self, i):
        """The most bases of a mate that the i-th candidate that passes shows. They are the same in all epochs."""
        if self.regions:
            return self.room
        c = self.kept[i]
        return max(self.stretch_of(c, mate, (0, 0))[1] for mate in range(len(self.candidates[c][0])))

    def count(self, e):
        return len(self.kept)

    def place(self, e, n):
        """The candidate that is row n without a shape."""
        return permuted(self.o, len(self.kept), oracle.round_keys(self.o['seed'], e, 0, 0))(n)

    def sample(self, e, i):
        keys, store = pass_keys(self.o['seed'], e, 0), self.store
        if self.regions:
            row = self.regions.regions.row(0, 0, self.kept[i], keys)
            return Sample(row.rid, row.piece, 0, [View(row.piece, row.start, row.seq, row.qual, row.strand, row.lefts, b'',
                                                       row.label)])
        numbers, piece = self.candidates[self.kept[i]]
        views = []
        for mate, number in enumerate(numbers):
            start, n = self.stretch_of(self.kept[i], mate, keys[CROP])
            views.append(View(self.draws_by(self.kept[i], mate), start, store.fetch(number, start, start + n),
                              store.quality(number, start, start + n), 0, None, store.title(number), None))
        # datasets.md leaves open: the id that the second mate's origin tells. Here that of the first, as for all draws.
        return Sample(store.records[numbers[0]].rid, piece, 0, views)


class TextSource:
    """Files, without a shape: the rows of an epoch in their order."""

    def __init__(self, files, o):
        for field, words_ in (('records', 'a list'), ('shape', 'a shape'), ('mates', 'mates')):
            if o[field]:
                raise Refused('%s of text: build a store' % words_)
        if o['split'] and o['split'][3] == 'content' and o['long'] == 'split' and \
                any(qual is None for path in files for _, qual, _ in oracle.read_records(path)):
            raise Refused('CONTENT of text that is cut')
        self.files, self.o, self.orders = files, o, {}

    def order(self, e):
        if e not in self.orders:
            o = dict(self.o, bases=room_of(self.o))
            self.orders[e] = oracle.epoch_order(oracle.groups_of(self.files, o), o, e)
        return self.orders[e]

    def count(self, e):
        return len(self.order(e))

    def place(self, e, n):
        return n

    def sample(self, e, i):
        row = self.order(e)[i]
        title = oracle.read_records(self.files[row.rid >> 40])[row.rid & (1 << 40) - 1][2]
        return Sample(row.rid, row.piece, row.turn, [View(row.piece, row.start, row.seq, row.qual, 0, None, title, None)])


# ---- rows ----

class Tables:
    """What bytes and qualities become, and what padding is."""

    def __init__(self, o):
        self.o = o
        self.of_byte, self.of_quality, self.no_quality = oracle.tables_of(o)
        pad = [element(o['dtype'], o['pad_value'])]
        self.padding = pad if o['encode'] == 'tokens' else pad * (len(o['channels']) + (o['lower'] == 'channel'))
        if o['quality_in_x']:
            self.padding = self.padding + [self.no_quality]
        if o['mask_in_x']:
            self.padding = self.padding + [element(o['dtype'], 0)]


# What a mate shows: a cell for each column that is no padding, of x a list of channels; left: columns of padding before.
Shown = collections.namedtuple('Shown', 'x quality mask weight left strand bases start label')


def shown(o, tables, e, sample, mate):
    keys, view = pass_keys(o['seed'], e, sample.turn), sample.views[mate]
    # Mates are turned together; all else is drawn for each of them.
    turned = int((next(words(keys[REVERSE], sample.rid, sample.piece)) < oracle.threshold(o['rc'])) != bool(view.strand))
    seq, qual, strand = oracle.changed(dict(o, rc=0.0), keys, oracle.Row(0, sample.turn, sample.rid, view.at, view.start,
                                                                         view.seq, view.qual, turned))
    left = view.lefts[strand] if view.lefts else 0
    if o['kmer']:
        # datasets.md leaves open: k-mers at the edge of a region. Here those that lie in the sequence wholly; the others
        # are padding.
        skip = -left % kmer_step(o)
        left = (left + skip) // kmer_step(o)
        x = [[element(o['dtype'], number)] for number in kmers(o, seq[skip:])]
    elif o['encode'] == 'tokens':
        x = [[tables.of_byte[b]] for b in seq]
    else:
        x = [tables.of_byte[b] for b in seq]
    quality = [tables.of_quality[q - 33] for q in qual] if o['quality'] != 'none' else []
    if o['quality_in_x']:
        x, quality = [cell + [q] for cell, q in zip(x, quality)], []
    # The byte as it is in the input, before it is changed.
    source = view.seq[::-1] if strand else view.seq
    weight = [element('f32', o['weights'][b]) for b in source] if o['weights'] else []
    # datasets.md leaves open: where the tokens stand beside padding on the left. Here next to the bases. And what mask and
    # qualities have for them. Here 1, and what padding has.
    before, after = ([[element(o['dtype'], o[name])]] if o[name] is not None else [] for name in ('begin', 'end'))
    one = [element('f32', 1)]
    x = before + x + after
    if quality or o['quality'] != 'none' and not o['quality_in_x']:
        quality = [tables.no_quality] * len(before) + quality + [tables.no_quality] * len(after)
    if weight or o['weights']:
        weight = one * len(before) + weight + one * len(after)
    mask = [element(o['dtype'] if o['mask_in_x'] else o['mask_dtype'], 1)] * len(x) if o['mask'] else []
    if o['mask_in_x']:
        x, mask = [cell + [m] for cell, m in zip(x, mask)], []
    return Shown(x, quality, mask, weight, left, strand, len(view.seq), view.start, label_of(o, sample, view))


def label_of(o, sample, view):
    """datasets.md leaves open: the label INPUT of a second mate. Here that of the pair's id, which is the first's."""
    if not o['label']:
        return b''
    value = view.label
    if o['label'] == 'title':
        value = title_label(o, view.title)
    elif o['label'] == 'input':
        value = o['label_values'][sample.rid >> 40] if o['label_values'] else sample.rid >> 40
    return element(o['label_dtype'], value)


def laid(o, packed, cells, padding, columns, lefts):
    """The cells of a row's samples in their columns."""
    if not packed:
        left = columns - len(cells[0]) if o['pad_side'] == 'left' else 0
        if lefts[0] is not None:
            left = lefts[0]
        row = [padding] * left + cells[0]
    else:
        row = []
        for of in cells:
            row += of + [padding] * (round_up(len(of), multiple_of(o)) - len(of))
    return row + [padding] * (columns - len(row))


def row_bytes(o, tables, samples, of_row, columns):
    """What a row's digest is of. `of_row`: of each sample what each mate shows. The order of the tensors is that of their
    roles: x, qualities, mask, labels, weights, segments, positions. datasets.md leaves open: where the second mates'
    tensors stand, and labels of several samples in the digest. Here each beside the first mate's, and all of the row's
    samples where a row's label is."""
    packed, mates, body = o['shape'] == 'packed', len(of_row[0]), b''

    def lay(name, mate, padding):
        lefts = []
        for of in of_row:
            # A region's columns keep their coordinates: its row is as wide as its bases and begin and end token.
            whole = columns_of_bases(o, room_of(o)) if samples[0].views[0].lefts else 0
            lefts.append(of[mate].left + (columns - whole if o['pad_side'] == 'left' else 0) if whole else None)
        return laid(o, packed, [getattr(of[mate], name) for of in of_row], padding, columns, lefts)

    for mate in range(mates):
        cells = lay('x', mate, tables.padding)
        body += b''.join(b''.join(cell) for cell in (zip(*cells) if o['layout'] == 'ncl' and cells else cells))
    for name, wanted, nothing in (('quality', o['quality'] != 'none' and not o['quality_in_x'], tables.no_quality),
                                  ('mask', o['mask'] and not o['mask_in_x'], element(o['mask_dtype'], 0))):
        for mate in range(mates if wanted else 0):
            body += b''.join(lay(name, mate, nothing))
    for mate in range(mates):
        body += b''.join(of[mate].label for of in of_row)
    for mate in range(mates if o['weights'] else 0):
        body += b''.join(lay('weight', mate, element('f32', 0)))
    if packed:
        body += b''.join(struct.pack('<%di' % columns, *numbers) for numbers in segments(o, of_row, columns))
    for sample, of in zip(samples, of_row):
        for view in of:
            body += struct.pack('<iqIq', view.bases, sample.rid, sample.piece, view.start)
    return body


def segments(o, of_row, columns):
    """SEGMENT and POSITION of a row, as they are asked for. datasets.md leaves open: what rounds a sample up to
    pad_multiple. Here it is padding, 0 in both."""
    segment, position = [], []
    for number, of in enumerate(of_row):
        n = len(of[0].x)
        rest = round_up(n, multiple_of(o)) - n
        segment += [number + 1] * n + [0] * rest
        position += list(range(n)) + [0] * rest
    rest = [0] * (columns - len(segment))
    return [of + rest for of, wanted in ((segment, o['segment']), (position, o['position'])) if wanted]


def offsets(o, rows, columns, row_count):
    """OFFSETS of a batch, of the columns of each row's samples: starts of all, each row's padding as one more, the end.
    datasets.md leaves open: what rounds a sample up to pad_multiple, and rows of padding alone. Here the sample's own,
    and one more start each."""
    starts = []
    for at in range(row_count):
        used = 0
        for n in rows[at] if at < len(rows) else ():
            starts.append(at * columns + used)
            used += round_up(n, multiple_of(o))
        if used < columns:
            starts.append(at * columns + used)
    return starts + [row_count * columns]


# ---- the loader ----

def refuse_bad_use(o):
    """What no input makes right."""
    if o['shape']:
        # datasets.md leaves open: mates, passes and regions of a shape. Here refused: its epoch is one pass over records.
        for has, words_ in ((o['groups'], 'groups'), (o['epoch_rows'], 'epoch_rows'), (o['mates'] == 2, 'mates')):
            if has:
                raise Refused('a shape, and %s' % words_)
        if o['region'] in ('grid', 'intervals'):
            raise Refused('a shape of regions, which have one width')
    if o['shape'] == 'buckets':
        if o['rows']:
            raise Refused('batch_rows beside BUCKETS')
        if (o['rows_multiple'] or 1) % o['world']:
            raise Refused('world does not divide rows_multiple')
        if o['growth'] and o['widths']:
            raise Refused('growth beside widths')
        if o['growth'] and o['growth'] <= 1000000:
            raise Refused('growth of 1 or less')
    elif o['rows'] % o['world']:
        raise Refused('world does not divide batch_rows')
    if o['shape'] == 'packed':
        # datasets.md leaves open: padding on the left of packed rows. Here refused.
        if not o['bases'] or o['layout'] == 'ncl' or o['label'] == 'region' or o['pad_side'] == 'left':
            raise Refused('PACKED without row_bases, with NCL, labels of regions or padding on the left')
    if o['encode'] != 'tokens' and (specials(o) or o['kmer']):
        raise Refused('begin or end token, or k-mers, with one-hot')
    if o['kmer']:
        # datasets.md leaves open: a number a base beside tokens of several. Here refused.
        if o['quality'] != 'none' or o['weights'] or o['tokens'] or o['kmer_stride'] not in (0, 1, o['kmer']) or \
                not 1 <= o['kmer'] <= 12 or sorted(o['kmer_digits']) != list('ACGT'):
            raise Refused('k-mers with qualities, weights or tokens, or not of k 1..12, stride 0 or 1, four digits')
        for number in (kmer_ids(o)[0], kmer_ids(o)[0] + 4 ** o['kmer'] - 1, kmer_ids(o)[1]):
            try:
                element(o['dtype'], number)
            except struct.error:
                raise Refused('the k-mer %d is no %s' % (number, o['dtype']))
    if o['records'] is not None and (o['region'] or o['long'] == 'split' or o['store_order'] == 'helixer'):
        raise Refused('a list with regions, SPLIT or HELIXER')
    if o['mates'] == 2 and (o['region'] or o['long'] == 'split'):
        raise Refused('mates with regions or SPLIT')


class Loader:
    """Batches of a store, or of files without a shape."""

    def __init__(self, source, o):
        o = dict(o, rows=0) if o['shape'] == 'buckets' and o['rows'] == BASE['rows'] else o
        refuse_bad_use(o)
        self.o, self.tables = o, Tables(o)
        self.source = TextSource(source, o) if isinstance(source, list) else StoreSource(source, o)
        self.shape = None
        if o['shape']:
            columns = [columns_of_bases(o, self.source.bases_of(i)) for i in range(len(self.source.kept))]
            self.shape = (Buckets if o['shape'] == 'buckets' else Packed)(o, columns)

    def plain_epoch(self, e, first_batch):
        """Batches without a shape. datasets.md leaves open: the width of pairs where row_bases is 0. Here both tensors
        have that of the longest mate of all."""
        o, n = self.o, self.source.count(e)
        for _, first, m, _ in oracle.cut(n, o, first_batch):
            members = [[self.source.place(e, first + at)] for at in range(m)]
            longest = o['bases'] or max(columns_of_bases(o, len(view.seq)) for row in members
                                        for view in self.source.sample(e, row[0]).views)
            yield Batch(round_up(longest, multiple_of(o)), o['rows'] if o['tail'] == 'pad' else m, members)

    def batches(self, e, first_batch=0):
        made = self.shape.epoch(e, first_batch) if self.shape else self.plain_epoch(e, first_batch)
        return zip(itertools.count(first_batch), made)

    def slice(self, batch):
        """The rows of a batch that the rank asked for has, and with padding how many."""
        o, m = self.o, len(batch.members)
        mine = range(o['rank'] * m // o['world'], (o['rank'] + 1) * m // o['world'])
        return mine, batch.rows // o['world'] if o['tail'] == 'pad' else len(mine)

    def rows(self, e, first_batch=0):
        """(batch, row in the global batch, samples, what each shows, digest) of the rank asked for."""
        for b, batch in self.batches(e, first_batch):
            for at in self.slice(batch)[0]:
                samples = [self.source.sample(e, i) for i in batch.members[at]]
                of_row = [[shown(self.o, self.tables, e, sample, mate) for mate in range(len(sample.views))]
                          for sample in samples]
                body = row_bytes(self.o, self.tables, samples, of_row, batch.columns)
                yield b, at, samples, of_row, xxh64(body, xxh64(struct.pack('<3Q', e, b, at)))

    def epoch(self, e, first_batch=0):
        """(batches, rows, digest, tokens, padding) of the rank asked for."""
        rows, digest, content = 0, 0, 0
        for _, _, _, of_row, of in self.rows(e, first_batch):
            rows, digest = rows + 1, digest + of & M64
            content += sum(len(view.x) for sample in of_row for view in sample)
        tokens = count = 0
        for _, batch in self.batches(e, first_batch):
            count += 1
            tokens += self.slice(batch)[1] * batch.columns * (2 if self.o['mates'] == 2 else 1)
        return count, rows, digest, tokens, tokens - content


def epoch_line(loader, e):
    """As fxbatch prints it, and the share of padding in its column."""
    batches, rows, digest, tokens, padding = loader.epoch(e)
    return oracle.epoch_line(e, batches, rows, digest) + ('padding %.2f %%' % (100 * padding / tokens if tokens else 0),)


def row_line(e, row):
    b, at, samples, of_row, digest = row
    told = ['id %d:%d piece %d mate %d start %d strand %d bases %d' %
            (sample.rid >> 40, sample.rid & (1 << 40) - 1, sample.piece, mate, view.start, view.strand, view.bases)
            for sample, of in zip(samples, of_row) for mate, view in enumerate(of)]
    return ('row %d' % e, 'batch %d' % b, 'at %d' % at) + tuple(told) + ('digest %016x' % digest,)


# ---- shares of padding ----

def told_share(what, shape, without_last=False):
    batches, rows, tokens, padding = padding_of(shape, 0, without_last)
    print(what, 'batches %d' % batches, 'rows %d' % rows, 'padding %.2f %%' % (100 * padding / tokens), sep='\t')


def print_shares(paths):
    """Of the lengths of each file, and of 20,000 proteins of log-normal lengths, cut to 30..35,000."""
    chooser = random.Random(0)
    proteins = [min(35000, max(30, int(chooser.lognormvariate(5.75, 0.75)))) for _ in range(20000)]
    for name, lengths in [(os.path.basename(path), [len(record[0]) for record in oracle.read_records(path)])
                          for path in paths] + [('proteins', proteins[:-1] + [35000])]:
        print(name, 'records %d' % len(lengths), 'bases %d' % sum(lengths), 'longest %d' % max(lengths), sep='\t')
        o = dict(BASE, store_order='exact', seed=1, batch_tokens=65536, shape='buckets')
        for growth in (1125000, 1062500):
            for each in (1, 8):
                if 65536 // round_up(max(lengths), 8) >= each:
                    shape = Buckets(dict(o, growth=growth, rows_multiple=each), lengths)
                    told_share('buckets growth %g rows_multiple %d widths %d' % (growth / 1e6, each, len(shape.widths)), shape)
        for columns in (4096, 8192):
            o = dict(BASE, store_order='exact', seed=1, shape='packed', bases=columns, rows=8)
            shape = Packed(o, [min(n, columns) for n in lengths])
            told_share('packed %d x 8' % columns, shape)
            told_share('packed %d x 8 without the last' % columns, shape, True)
    return 0


# ---- what it is held against ----

def records_of(*letters, title='s%d'):
    return [(seq.encode(), None, (title % i).encode()) for i, seq in enumerate(letters)]


def letters_of(*lengths):
    return records_of(*('A' * n for n in lengths))


def loader_of(of, **change):
    return Loader(oracle_store.Store([of], 'bytes', duplicate_names=True), dict(BASE, **dict(dict(encode='tokens'), **change)))


def refusal(of, **change):
    try:
        loader_of(of, **change)
    except Refused as error:
        return str(error)
    return None


def told(loader, e=0):
    """Batches as 'columns x rows: samples of a row + ...; ...', a sample by its record and, unless it is 0, its piece."""
    out = []
    for _, batch in loader.batches(e):
        rows = []
        for row in batch.members:
            samples = [loader.source.sample(e, i) for i in row]
            rows.append('+'.join('%d%s' % (of.rid & (1 << 40) - 1, '.%d' % of.piece if of.piece else '') for of in samples))
        out.append('%dx%d: %s' % (batch.columns, batch.rows, ' '.join(rows)))
    return '; '.join(out)


def x_of(loader, e=0):
    """The tokens of x of each row, as one text of u8 each, and the row after them."""
    out = []
    for b, batch in loader.batches(e):
        for at, row in enumerate(batch.members):
            samples = [loader.source.sample(e, i) for i in row]
            of_row = [[shown(loader.o, loader.tables, e, sample, mate) for mate in range(len(sample.views))]
                      for sample in samples]
            out.append(row_bytes(loader.o, loader.tables, samples, of_row, batch.columns))
    return out


def check_lists(tally):
    three = letters_of(5, 3, 4)
    tally.check('a list in its order', told(loader_of(three, records=[2, 0, 2], rows=4)), '8x4: 2 0.1 2.2')
    image = oracle.permute(3, oracle.round_keys(7, 1, 0, 0))
    want = ' '.join(['2', '0.1', '2.2'][image(i)] for i in range(3))
    tally.check('a list permuted', told(loader_of(three, records=[2, 0, 2], rows=4, store_order='exact', seed=7), 1),
                '8x4: ' + want)
    tally.check('beyond', refusal(three, records=[0, 3]), 'place 1 of the list is 3, and the store has 3')
    tally.check('none', refusal(three, records=[]), 'the list has no number')
    for change in (dict(long='split', bases=4), dict(region='grid', bases=4), dict(store_order='helixer')):
        tally.check(change, refusal(three, records=[0], **change), 'a list with regions, SPLIT or HELIXER')
    tally.check('long', refusal(three, records=[1, 0], bases=4), 'record 0: 5 bases, and a row has 4')
    # Copies are drawn for by their place: crop from the bounded word of (id 0, place), subsample and strand likewise.
    copies = loader_of(letters_of(50), records=[0] * 40, bases=8, long='crop', seed=3, rc=0.5, rows=40)
    key = pass_keys(3, 0, 0)
    starts = [row[2][0].views[0].start for row in copies.rows(0)]
    tally.check('crops of copies', starts, [bounded(words(key[CROP], 0, c), 43) for c in range(40)])
    strands = [row[3][0][0].strand for row in copies.rows(0)]
    tally.check('strands of copies', strands, [int(next(words(key[REVERSE], 0, c)) < 1 << 31) for c in range(40)])
    tally.check('they differ', len(set(starts)) > 10 and 5 < sum(strands) < 35, True)
    some = loader_of(letters_of(9), records=[0] * 40, subsample_below=0.5, seed=4)
    tally.check('subsample of copies', some.source.kept,
                [c for c in range(40) if next(words(stage_key(4, 0, KEEP), 0, c)) < 1 << 31])
    tally.check('first and every count places', told(loader_of(three, records=[1, 0, 2, 1, 1, 0], first=5, every=2, rows=3)),
                '8x3: 1 2.2 1.4')


def check_buckets(tally):
    """Bases 10 20 30 40 9 33 are columns 16 24 32 40 16 40. Widths by growth 1.5 down from 40: 26 is 24, 16 is 16, 10 is 8,
    which is less than 16. Of 80 tokens rows are 5, 3, 2."""
    o = dict(shape='buckets', batch_tokens=80, growth=1500000)
    of = letters_of(10, 20, 30, 40, 9, 33)
    whole = loader_of(of, **o)
    tally.check('widths', (whole.shape.widths, whole.shape.rows_of), ([16, 24, 40], [5, 3, 2]))
    tally.check('in the order of the file', told(whole), '16x2: 0 4; 24x1: 1; 40x2: 2 3; 40x1: 5')
    # 2 x 16 + 24 + 80 + 40 = 176 tokens, 142 bases.
    tally.check('shares', (padding_of(whole.shape), whole.epoch(0)[3:]), ((4, 6, 176, 34), (176, 34)))
    tally.check('a slot', whole.shape.slot_elements(), 80)
    # Rows by twos: 80 / 16 / 2 is 2 by division, times 2 is 4; 80 / 24 / 2 is 1, 80 / 40 / 2 is 1.
    twos = loader_of(of, rows_multiple=2, **o)
    tally.check('rows by twos', (twos.shape.rows_of, told(twos)), ([4, 2, 2], '16x2: 0 4; 24x2: 1; 40x2: 2 3; 40x2: 5'))
    tally.check('their shares', padding_of(twos.shape)[2:], (240, 98))
    drop = loader_of(of, tail='drop', **o)
    tally.check('no tails', (told(drop), drop.shape.tail_dropped), ('40x2: 2 3', 4))
    ranks = [[(b, [of.rid for of in samples]) for b, _, samples, _, _ in
              loader_of(of, tail='short', rows_multiple=2, world=2, rank=rank, **o).rows(0)] for rank in (0, 1)]
    tally.check('ranks', ranks, [[(0, [0]), (2, [2])], [(0, [4]), (1, [1]), (2, [3]), (3, [5])]])
    tally.check('given widths', told(loader_of(of, shape='buckets', batch_tokens=50, widths=[9, 25, 40])),
                '9x1: 4; 25x2: 0 1; 40x1: 2; 40x1: 3; 40x1: 5')
    tally.check('an empty class', told(loader_of(of[2:4], shape='buckets', batch_tokens=50, widths=[9, 25, 40])),
                '40x1: 0; 40x1: 1')
    tally.check('row_bases', told(loader_of(of, bases=12, long='tail', shape='buckets', batch_tokens=48, growth=1500000)),
                '16x3: 0 1 2; 16x3: 3 4 5')
    tally.check('no base', told(loader_of(letters_of(0, 3), shape='buckets', batch_tokens=8)), '8x1: 0; 8x1: 1')
    # Permuted: batch b is number Q(b); members of class 2, records 2 3 5, by P over 3 with the keys of class 2.
    exact = loader_of(of, store_order='exact', seed=5, **o)
    key = stage_key(5, 2, PERMUTE)

    def keys(third):
        return [w[i] | w[i + 1] << 32 for w in (philox((draw, 0, third, 0), key) for draw in range(8)) for i in (0, 2)]
    batches, three = oracle.permute(4, keys(0xFFFFFFFF)), oracle.permute(3, keys(3))
    two, last = oracle.permute(2, keys(1)), [[2, 3, 5][three(j)] for j in range(3)]
    numbered = ['16x2: %d %d' % tuple([0, 4][two(j)] for j in range(2)), '24x1: 1', '40x2: %d %d' % tuple(last[:2]),
                '40x1: %d' % last[2]]
    tally.check('permuted', told(exact, 2), '; '.join(numbered[batches(b)] for b in range(4)))
    for change, want in ((dict(batch_tokens=39), 'batch_tokens 39 is less than 1 rows of 40 columns'),
                         (dict(rows_multiple=3), 'batch_tokens 80 is less than 3 rows of 40 columns'),
                         (dict(rows=9), 'batch_rows beside BUCKETS'), (dict(world=2), 'world does not divide rows_multiple'),
                         (dict(widths=[40, 40], growth=0), 'widths do not rise'),
                         (dict(widths=[16, 32], growth=0), 'record 3: 40 bases, and a row has 32')):
        tally.check(change, refusal(of, **dict(o, **change)), want)


def check_packed(tally):
    """Rows of 10: 9 (6), 7 (2), 6 (0), 5 (4) begin rows 0 to 3; 4 (1) fills row 2, 3 (3) row 1, 2 (5) goes to row 3."""
    of = letters_of(6, 4, 7, 3, 5, 2, 9)
    o = dict(shape='packed', bases=10, rows=4, segment=True, position=True)
    loader = loader_of(of, **o)
    tally.check('packed', told(loader), '10x4: 6 2+3 0+1 4+5')
    row = x_of(loader)[1]
    tally.check('x, segments, positions', (row[:10], struct.unpack('<20i', row[10:90])),
                (b'\1' * 10, (1,) * 7 + (2,) * 3 + tuple(range(7)) + (0, 1, 2)))
    tally.check('its samples', [struct.unpack('<iqIq', row[at:at + 24]) for at in (90, 114)], [(7, 2, 0, 0), (3, 3, 0, 0)])
    tally.check('offsets', offsets(loader.o, [[9], [7, 3], [6, 4], [5, 2]], 10, 5), [0, 9, 10, 17, 20, 26, 30, 35, 37, 40, 50])
    tally.check('shares', (padding_of(loader.shape), loader.epoch(0)[3:]), ((1, 4, 40, 4), (40, 4)))
    tally.check('one a row', told(loader_of(of, **dict(o, pack_samples=1, rows=7))), '10x7: 6 2 0 4 1 3 5')
    tally.check('ragged', told(loader_of(of, **dict(o, rows=1))), '10x1: 6; 10x1: 2+3; 10x1: 0+1; 10x1: 4+5')
    tally.check('last batch', told(loader_of(of, **dict(o, rows=3))), '10x3: 6 2+3 0+1; 10x3: 4+5')
    tally.check('last batch, short', told(loader_of(of, **dict(o, rows=3, tail='short'))), '10x3: 6 2+3 0+1; 10x1: 4+5')
    tally.check('last batch, none', told(loader_of(of, **dict(o, rows=3, tail='drop'))), '10x3: 6 2+3 0+1')
    # Ties: of equal columns the earlier place first, of equal room the older row.
    tally.check('ties', told(loader_of(letters_of(3, 3, 7, 7, 4, 6), **o)), '10x4: 0+2 1+3 4+5')
    # Rounded up to 4: columns 8 4 8 4 8 4 12 in rows of 12.
    four = loader_of(of, **dict(o, pad_multiple=4))
    tally.check('rounded', told(four), '12x4: 6 0+1 2+3 4+5')
    tally.check('rounded, segments', struct.unpack('<24i', x_of(four)[1][12:108]),
                (1,) * 6 + (0, 0) + (2,) * 4 + (0, 1, 2, 3, 4, 5, 0, 0, 0, 1, 2, 3))
    many = [(len(record[0]) * b'C', None, record[2]) for record in letters_of(*(
        1 + next(words((1, 2), i, 0)) % 60 for i in range(9000)))]
    large = loader_of(many, **dict(o, bases=64, rows=50, store_order='exact', seed=2, pack_samples=5))
    rows = large.shape.rows(3)
    tally.check('each once', sorted(i for row in rows for i in row), list(range(9000)))
    image, first = oracle.permute(9000, oracle.round_keys(2, 3, 0, 0)), 0
    for w in range(3):
        inside = {image(i) for i in range(4096 * w, min(9000, 4096 * w + 4096))}
        slow = slow_window(large.shape, [image(i) for i in range(4096 * w, min(9000, 4096 * w + 4096))])
        mine = rows[first:first + len(slow)]
        tally.check(('window', w), ({i for row in mine for i in row}, sorted(mine)), (inside, sorted(slow)))
        tally.check(('window', w, 'moved'), mine != slow, True)
        first += len(slow)
    tally.check('all windows', first, len(rows))
    for change in (dict(layout='ncl'), dict(label='region'), dict(pad_side='left'), dict(bases=0)):
        tally.check(change, refusal(of, **dict(o, **change)),
                    'PACKED without row_bases, with NCL, labels of regions or padding on the left')
    tally.check('longer', refusal(of, **dict(o, bases=8)), 'record 6: 9 bases, and a row has 8')


def slow_window(shape, places):
    """A window packed once more: every row is looked at for every sample."""
    rows = []
    for place, i in sorted(enumerate(places), key=lambda one: -shape.columns[one[1]]):
        fit = [row for row in rows if row[0] >= shape.columns[i] and len(row[1]) < shape.most]
        row = min(fit, key=lambda row: row[0]) if fit else None
        if row is None:
            row = [shape.width, []]
            rows.append(row)
        row[0] -= shape.columns[i]
        row[1].append((place, i))
    return [[i for _, i in sorted(row[1])] for row in rows]


def check_mates(tally):
    for a, b, want in ((b'r1', b'r1', True), (b'r1/1', b'r1/2', True), (b'r1/1', b'r1.2', False), (b'r1_1', b'r1_2', True),
                       (b'r1/1', b'r2/2', False), (b'r1', b'r1/2', False), (b'r/5', b'r/5', True), (b'r/5', b'r/4', False),
                       (b'r1', b'r2', False), (b'', b'', True)):
        tally.check((a, b), (names_belong(a, b), names_belong(b, a)), (want, want))

    def reads(mark, *letters):
        return [(seq.encode(), b'%c' % (73 + mark) * len(seq), b'r%d/%d of' % (i, mark)) for i, seq in enumerate(letters)]
    one, two = reads(1, 'AAAAA', 'CC', 'GGGG'), reads(2, 'TTT', 'GGGGGG', 'ACGT')
    store = store_of_pairs([one, two])
    tally.check('pairs', [(of.rid >> 40, of.rid & M64 >> 24, store.fetch(i, 0, of.bases)) for i, of in enumerate(store.records)],
                [(p, r, (one, two)[p][r][0]) for r in range(3) for p in (0, 1)])
    mixed = store_of_pairs([[one[0], two[0], one[1], two[1]]], True)
    tally.check('interleaved', [(of.rid, of.bases) for of in mixed.records], [(0, 5), (1, 3), (2, 2), (3, 6)])
    loader = Loader(store, dict(BASE, encode='tokens', mates=2, rows=4))
    # Both x of 8 columns, then length, id, piece, start of each mate.
    tally.check('rows', x_of(loader)[1], bytes([2, 2, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 3, 3, 0, 0]) +
                struct.pack('<iqIq', 2, 1, 0, 0) + struct.pack('<iqIq', 6, 1, 0, 0))
    tally.check('a filter takes both', told(Loader(store, dict(BASE, encode='tokens', mates=2, rows=4, min_length=3))),
                '8x4: 0 2')
    tally.check('a list of pairs', told(Loader(store, dict(BASE, encode='tokens', mates=2, rows=4, records=[2, 0, 2]))),
                '8x4: 2 0.1 2.2')
    tally.check('single', told(Loader(store, dict(BASE, encode='tokens', rows=6))), '8x6: 0 0 1 1 2 2')
    image = oracle.permute(3, oracle.round_keys(9, 0, 0, 0))
    tally.check('permuted', told(Loader(store, dict(BASE, encode='tokens', mates=2, rows=4, store_order='exact', seed=9))),
                '8x4: ' + ' '.join(str(image(i)) for i in range(3)))
    # One turn for both, cropped each for itself: the second by bit 31 of the piece, under the id of the first.
    long = Loader(store_of_pairs([reads(1, *['A' * 90] * 30), reads(2, *['C' * 80] * 30)]),
                  dict(BASE, encode='tokens', mates=2, rows=30, bases=8, long='crop', rc=0.5, seed=6))
    rows, keys = list(long.rows(0)), pass_keys(6, 0, 0)
    tally.check('one strand', [[of.strand for of in row[3][0]] for row in rows],
                [[int(next(words(keys[REVERSE], i, 0)) < 1 << 31)] * 2 for i in range(30)])
    tally.check('two crops', [[of.start for of in row[3][0]] for row in rows],
                [[bounded(words(keys[CROP], i, mate << 31), (83, 73)[mate]) for mate in range(2)] for i in range(30)])
    salted = dict(BASE, encode='tokens', mates=2, rows=30, split=(4, 0.0, 0.5, 'name', ''))
    tally.check('split by the first', Loader(long.source.store, salted).source.kept,
                [i for i in range(30) if xxh64(b'r%d' % i, 4) >> 32 < 1 << 31])
    for inputs, together, want in (([one, two[:2]], False, '3 records, and 2 of their mates'),
                                   ([one[:2], two[1:]], False, "'r1/2 of' does not belong to 'r0/1 of'"),
                                   ([one], True, 'an odd number of records'), ([one], False, 'an odd number of inputs')):
        try:
            got = store_of_pairs(inputs, together)
        except Refused as error:
            got = str(error)
        tally.check(('pairs refused', want), got, want)
    tally.check('mates of singles', refusal(letters_of(3, 4), mates=2), 'mates of a store without')


def check_titles(tally):
    o = dict(BASE, label='title', label_dtype='i32', label_key='ch')
    for change, title, want in (
            (dict(), b'r1 runid=5 ch=100 x', 100), (dict(), b'r1\tch=-7', -7), (dict(), b'ch=1 ch=2 ch=3', 2),
            (dict(), b'r1 xch=4 ch=5', 5), (dict(), b'r1 ch=', 'no number'), (dict(), b'r1 ch=1e3', 'no number'),
            (dict(), b'r1', 'has no ch'), (dict(), b'r1 ch=3.5', 'no i32'), (dict(label_dtype='u8'), b'r1 ch=256', 'no u8'),
            (dict(label_dtype='f32'), b'r1 ch=3.5', 3.5), (dict(label_classes=['a', 'b']), b'r ch=b', 1),
            (dict(label_classes=['a', 'b']), b'r ch=c', 'none of the classes'),
            (dict(label_dtype='f32'), b'r ch=-.5', -0.5), (dict(label_dtype='f32'), b'r ch=.', 'no number'),
            # Between 1/2 and the next float: above the middle by less than a double tells. A digit more is too many.
            (dict(label_dtype='f32'), b'r ch=0.500000029802322388', 0.5 + 2.0 ** -24),
            (dict(label_dtype='f32'), b'r ch=0.5000000298023223880', 'no number'),
            (dict(label_dtype='i64'), b'r ch=9007199254740993', 'no i64'), (dict(label_dtype='u8'), b'r ch=0007', 7),
            (dict(label_key='', label_field=2), b'x:12:y z', 12), (dict(label_key='', label_field=3), b'x:12', 'has no field 3'),
            (dict(label_key='', label_field=2, label_separator='_'), b'a_3/1 9', 'no number')):
        try:
            got = title_label(dict(o, **change), title)
        except Refused as error:
            got = str(error)
        tally.check((change, title), got == want if not isinstance(want, str) else want in got, True)
    of = records_of('ACGT', 'AC', title='s ch=%d')
    loader = loader_of(of, label='title', label_key='ch', label_dtype='i32', bases=4, rows=2)
    tally.check('in the row', x_of(loader)[1], b'\1\2\0\0' + struct.pack('<i', 1) + struct.pack('<iqIq', 2, 1, 0, 0))
    tally.check('at open', refusal(of + records_of('A', title='t%d'), label='title', label_key='ch'),
                "record 2: the title 't0' has no ch")
    tally.check('of what passes', refusal(of + records_of('A', title='t%d'), label='title', label_key='ch', min_length=2), None)


def check_tokens(tally):
    of = records_of('ACgt', 'GG')
    o = dict(bases=6, begin=7, end=8, rows=2)
    tally.check('around', [row[:6] for row in x_of(loader_of(of, **o))], [b'\7\1\2\3\4\x08', b'\7\3\3\x08\0\0'])
    tally.check('on the left', x_of(loader_of(of, pad_side='left', **o))[1][:6], b'\0\0\7\3\3\x08')
    tally.check('turned', x_of(loader_of(of[:1], rc=1.0, **o))[0][:6], b'\7\1\2\3\4\x08')
    tally.check('bases give way', [row[:4] for row in x_of(loader_of(of, **dict(o, bases=4, long='head')))],
                [b'\7\1\2\x08', b'\7\3\3\x08'])
    tally.check('refused', refusal(of, **dict(o, bases=5)), 'record 0: 4 bases, and a row has 3')
    tally.check('none left', refusal(of, **dict(o, bases=2)), 'a row of 2 columns, and begin and end token leave none')
    # Lengths and digests count bases, the mask counts tokens.
    tally.check('lengths', x_of(loader_of(of, mask=True, **o))[1][6:], b'\1\1\1\1\0\0' + struct.pack('<iqIq', 2, 1, 0, 0))
    weights = [0.0] * 256
    weights[ord('A')], weights[ord('C')], weights[ord('g')] = 2.0, 0.5, 0.25
    row = x_of(loader_of(of, weights=weights, rc=1.0, mutate=1.0, **o))[0]
    tally.check('weights of the input, turned', struct.unpack('<6f', row[6:30]), (1, 0, 0.25, 0.5, 2, 1))
    grid = loader_of(records_of('ACGTACG'), region='grid', bases=6, begin=7, end=8, rows=2)
    tally.check('regions', [row[:6] for row in x_of(grid)], [b'\7\1\2\3\4\x08', b'\7\1\2\3\x08\0'])
    tally.check('buckets', told(loader_of(letters_of(3, 6, 7), begin=7, end=8, shape='buckets', batch_tokens=16)),
                '8x2: 0 1; 16x1: 2')
    packed = loader_of(of, shape='packed', **dict(o, bases=10, rows=1))
    tally.check('packed', x_of(packed)[0][:10], b'\7\1\2\3\4\x08\7\3\3\x08')
    try:
        Loader(oracle_store.Store([of], 'bytes'), dict(BASE, begin=1))
        tally.check('one-hot', None, 'refused')
    except Refused as error:
        tally.check('one-hot', str(error), 'begin or end token, or k-mers, with one-hot')


def check_kmers(tally):
    """The published vocabularies of 6-mers: in both ACGTAC is 0 2 3 1 0 2 in the order A T C G, 722 as a number of base 4;
    v1 begins with 4, v2 with 6, and DNABERT with 5: AAA AAT AAC AAG ATA are 5 6 7 8 9 of its 3-mers."""
    o = dict(BASE, encode='tokens', dtype='i32', kmer=6, kmer_digits='ATCG')
    tally.check('v1', kmers(dict(o, kmer_ids=(4, 0)), b'ACGTAC'), [726])
    tally.check('v2', kmers(dict(o, kmer_ids=(6, 0)), b'ACGTAC'), [728])
    tally.check('v2, ends', kmers(dict(o, kmer_ids=(6, 0)), b'AAAAAAGGGGGG'), [6, 4101])
    three = dict(o, kmer=3, kmer_stride=1, kmer_ids=(5, 1))
    tally.check('3-mers', [kmers(three, of) for of in (b'AAA', b'AAT', b'AAC', b'AAG', b'ATA', b'GGG')],
                [[5], [6], [7], [8], [9], [68]])
    tally.check('overlapping', kmers(three, b'AAANAAT'), [5, 1, 1, 1, 6])
    tally.check('case, U, the rest', kmers(dict(o, kmer=2, kmer_digits='ACGT', kmer_ids=(0, 99)), b'acUGNAG'), [1, 14, 99])
    tally.check('usual ids', (kmers(dict(o, kmer=1, kmer_digits='ACGT', kmer_ids=None), b'ACGTN'),
                              kmer_ids(dict(o, kmer=6))), ([1, 2, 3, 4, 5], (1, 4097)))
    tally.check('a short one', kmers(o, b'ACGTA'), [])
    chooser = random.Random(5)
    for k, stride in itertools.product((1, 2, 3, 6, 12), (0, 1)):
        of = dict(o, kmer=k, kmer_stride=stride, kmer_digits='ACGT', kmer_ids=(0, -1))
        digits = [chooser.randrange(4) for _ in range(50)]
        # A reshape: digits by rows of k times the powers of 4.
        want = [sum(d * 4 ** (k - 1 - j) for j, d in enumerate(digits[at:at + k]))
                for at in range(0, 50 - k + 1, k if stride == 0 else 1)]
        tally.check(('reshape', k, stride), kmers(of, bytes(b'ACGT'[d] for d in digits)), want)
        tally.check(('columns', k, stride), (tokens_of_bases(of, 50), bases_of_columns(dict(of, begin=0), 4)),
                    (len(want), 3 * k if k > 1 and stride == 0 else k + 2))
    rows = dict(kmer=2, bases=4, begin=30, rows=2)
    # 3 tokens are 6 bases; the minus strand's are of the turned bases: ACGTA turned is TACGT.
    tally.check('rows', [row[:4] for row in x_of(loader_of(records_of('ACGTA'), **rows))], [b'\x1e\2\x0c\0'])
    tally.check('turned first', [row[:4] for row in x_of(loader_of(records_of('ACGTA'), rc=1.0, **rows))], [b'\x1e\x0d\7\0'])
    tally.check('lengths are bases', struct.unpack('<i', x_of(loader_of(records_of('ACGTA'), **rows))[0][4:8]), (5,))
    tally.check('too long', refusal(records_of('A' * 7), **rows), 'record 0: 7 bases, and a row has 6')
    # A region of 2 tokens, 4 bases, from base -1 on: column 0 has half a k-mer, column 1 bases 1 and 2.
    edge = loader_of(records_of('ACGTA'), region='intervals', intervals=[('s0', -1, 3, 0, None, 0)], kmer=2, bases=2, rows=1)
    tally.check('at the edge', x_of(edge)[0][:2], b'\0\x07')
    tally.check('no room for ids', refusal(records_of('ACGT'), kmer=4), 'the k-mer 256 is no u8')


def check_content(tally):
    keys = [oracle.content_key(seq, 5) for seq in (b'ACGTTGA', b'acguuga', b'TCAACGT', b'ACGTTGC', b'MKLE', b'ELKM')]
    tally.check('one key', (keys[0] == keys[1] == keys[2], len(set(keys))), (True, 4))
    tally.check('the smaller', keys[0], struct.pack('<Q', min(xxh64(b'ACGTTGA', 5), xxh64(b'TCAACGT', 5))))
    tally.check('of codes', oracle.content_key(b'RYKMBDN*', 0), oracle.content_key(b'*NHVKMRY', 0))
    chooser, upper = random.Random(8), 0
    for _ in range(2000):
        seq = bytes(chooser.choice(b'ACGT') for _ in range(30))
        upper += oracle.in_part((3, 0.0, 0.25, 'content'), b'', True, seq=seq)
    tally.check(('uniform', upper), 420 < upper < 580, True)
    of = [(bytes(chooser.choice(b'ACGT') for _ in range(12)), None, b's%d' % i) for i in range(60)]
    of += [(seq[::-1].translate(oracle.COMPLEMENT), None, b'other%d' % i) for i, (seq, _, _) in enumerate(of)]
    kept = [loader_of(of, split=(9, low, below, 'content')).source.kept for low, below in ((0.0, 0.6), (0.6, 1.0))]
    tally.check('strands together', [sorted(c % 60 for c in part) == sorted(2 * sorted({c % 60 for c in part}))
                                     for part in kept], [True, True])
    tally.check('all in one part', sorted(kept[0] + kept[1]), list(range(120)))
    with tempfile.TemporaryDirectory() as directory:
        path = oracle_store.write(directory, 'reads.fa', ''.join('>%s\n%s\n' % (t.decode(), s.decode()) for s, _, t in of))
        o = dict(BASE, encode='tokens', split=(9, 0.0, 0.6, 'content'), long='head', bases=20)
        text, store = Loader([path], o), Loader(oracle_store.Store([path]), o)
        tally.check('text and store', text.epoch(0), store.epoch(0))
        for change, want in ((dict(o, long='split'), 'CONTENT of text that is cut'),
                             (dict(o, shape='packed'), 'a shape of text: build a store'),
                             (dict(o, records=[1]), 'a list of text: build a store'),
                             (dict(o, mates=2), 'mates of text: build a store')):
            try:
                Loader([path], change)
                got = None
            except Refused as error:
                got = str(error)
            tally.check(('of text', want), got, want)


def check_as_before(tally, directory):
    """Without what is new here rows are those of oracle.py and oracle_store.py."""
    paths = oracle_store.make_inputs(directory)
    for change in oracle_store.TRIES:
        if not change.get('groups') and change.get('label') != 'input' and not change.get('epoch_rows'):
            before = oracle_store.loader_of(change, paths)
            if before.o['max_n'] is not None and before.o['region'] is None:
                continue
            mine = Loader(before.groups[0].store, dict(BASE, **before.o))
            for e in range(2):
                want = oracle.delivered(before.groups, oracle_store.Epoch(before, e), before.o, e)
                tally.check(('as before', change, e), mine.epoch(e)[:3], want)
    files = [paths['a'], paths['b']]
    for change in (dict(), dict(shuffle=40, seed=3, rc=0.5, mutate=0.1, quality='phred', mask=True, world=2, rank=1),
                   dict(encode='onehot', dtype='f16', layout='ncl', lower='channel', pad_side='left', stride=50)):
        o = dict(BASE, **dict(dict(bases=100, long='split', encode='tokens'), **change))
        tally.check(('text as before', change), Loader(files, o).epoch(1)[:3], oracle.epoch(files, o, 1))


def check_promises(tally):
    """At random: each row once over all ranks, tokens within the budget, digests of ranks add up, batches from any on."""
    chooser = random.Random(11)
    for number in range(60):
        o = random_change(chooser, {'lists', 'buckets', 'packed', 'specials', 'kmers'})
        of = [(bytes(chooser.choice(b'ACGTN') for _ in range(chooser.randrange(1, 120))), None, b's%d' % i) for i in range(70)]
        store = oracle_store.Store([of], 'bytes')
        world = o.get('rows_multiple') or o.get('rows') or 1
        try:
            one = Loader(store, dict(BASE, **o))
        except Refused as error:
            tally.check((o, 'refused'), str(error)[:12] in ('batch_tokens', 'growth 10010'), True)
            continue
        for e in (0, 1):
            whole, ranks = one.epoch(e), []
            for rank in range(world if o['tail'] != 'drop' else 0):
                ranks.append(Loader(store, dict(BASE, **dict(o, world=world, rank=rank))).epoch(e))
            if ranks:
                tally.check((o, e, 'ranks'), ({of[0] for of in ranks}, sum(of[1] for of in ranks), sum(of[2] for of in ranks) & M64),
                            ({whole[0]}, whole[1], whole[2]))
                shown_once = [i for _, batch in one.batches(e) for row in batch.members for i in row]
                tally.check((o, e, 'each once'), sorted(shown_once), list(range(one.source.count(e))))
            if o.get('shape') == 'buckets':
                tally.check((o, e, 'budget'), max((batch.rows * batch.columns for _, batch in one.batches(e)), default=0) <=
                            one.shape.slot_elements() <= o['batch_tokens'], True)
            first = chooser.randrange(whole[0] + 1)
            late = sum(row[4] for row in one.rows(e, first)) & M64
            early = sum(row[4] for row in one.rows(e) if row[0] < first) & M64
            tally.check((o, e, 'from', first), early + late & M64, whole[2])


def selfcheck(tally, directory):
    check_lists(tally)
    check_buckets(tally)
    check_packed(tally)
    check_mates(tally)
    check_titles(tally)
    check_tokens(tally)
    check_kmers(tally)
    check_content(tally)
    check_promises(tally)
    check_as_before(tally, directory)


# ---- descs at random, and fxbatch ----

def random_change(chooser, have):
    """The fields of a desc over a store of reads, of the capabilities in `have`."""
    def one_of(*choices):
        return chooser.choice(choices)
    o = dict(seed=chooser.randrange(1 << 40), store_order=one_of('file', 'exact', 'exact'), tail=one_of('pad', 'short', 'drop'),
             encode=one_of('tokens', 'tokens', 'onehot'), rc=one_of(0.0, 0.5), mutate=one_of(0.0, 0.0, 0.1),
             mask=one_of(False, True), min_length=one_of(0, 0, 20), rows=one_of(1, 4, 8, 12),
             bases=one_of(0, 30, 64), max_bases=200, long=one_of('head', 'tail', 'center', 'crop'))
    if 'kmers' in have and chooser.random() < 0.3:
        k = one_of(1, 2, 3, 6)
        o.update(encode='tokens', dtype='i32', kmer=k, kmer_stride=one_of(0, 1), kmer_digits=one_of('ACGT', 'ATCG'),
                 kmer_ids=one_of(None, (6, 0)))
    elif o['encode'] == 'tokens':
        o['dtype'] = one_of('u8', 'i32', 'i64')
    if 'specials' in have and o['encode'] == 'tokens':
        o.update(begin=one_of(None, 7), end=one_of(None, 8))
    if 'weights' in have and not o.get('kmer') and chooser.random() < 0.3:
        o['weights'] = [1.0 if chr(b).isupper() else 0.25 if chr(b).islower() else 0.0 for b in range(256)]
    if 'titles' in have and chooser.random() < 0.3:
        o.update(label='title', **one_of(dict(label_key='len', label_dtype='i32'),
                                         dict(label_field=2, label_dtype='f32'),
                                         dict(label_key='kind', label_classes=['odd', 'even'], label_dtype='u8')))
    if 'content' in have and chooser.random() < 0.3:
        o['split'] = (chooser.randrange(100), 0.0, 0.7, 'content')
    shapes = [of for of in ('buckets', 'packed') if of in have]
    if 'mates' in have and chooser.random() < 0.4:
        o['mates'] = 2
    elif shapes and chooser.random() < 0.7:
        o['shape'] = chooser.choice(shapes)
    if o.get('shape') == 'buckets':
        del o['rows']
        o.update(batch_tokens=one_of(300, 1000, 4000), rows_multiple=one_of(0, 1, 2, 4))
        if chooser.random() < 0.3:
            o.update(widths=[16, 40, 96, 200], bases=0)
        else:
            o['growth'] = one_of(0, 1062500, 1500000, 1001000)
    if o.get('shape') == 'packed':
        o.update(bases=one_of(64, 150), layout='nlc', pad_multiple=one_of(0, 8), pack_samples=one_of(0, 2),
                 segment=one_of(False, True), position=one_of(False, True))
    if 'lists' in have and chooser.random() < 0.5:
        o['records'] = [chooser.randrange(35) for _ in range(chooser.randrange(1, 90))]
    return o


def make_reads(path, count, seed, mate=0, letters='ACGT' * 9 + 'acgtNU'):
    """Reads of lengths 1 to 150 with some lower case, N and U, and titles of `name:number[/mate] len=N kind=even`."""
    chooser = random.Random(seed)
    with open(path, 'w') as out:
        for i in range(count):
            n = chooser.choice([1, 7, 30, 31, 64, 90, 150])
            seq = ''.join(chooser.choice(letters) for _ in range(n))
            qual = ''.join(chr(33 + chooser.randrange(94)) for _ in range(n))
            out.write('@r:%d:x%s len=%d kind=%s\n%s\n+\n%s\n' % (i, '/%d' % mate if mate else '', n, ('even', 'odd')[n % 2], seq,
                                                                qual))


# The settings that are one option of fxbatch each.
FLAGS = dict(batch_tokens='--batch-tokens', rows_multiple='--rows-multiple', pack_samples='--pack-samples', begin='--begin-token',
             end='--end-token', mates=None, records=None)


def flags(o, directory):
    """The settings as options of fxbatch. Those of its names that the issue does not give are what is proposed for it."""
    of_text = {name: value for name, value in o.items() if name in oracle.BASE}
    line = oracle.flags(dict(of_text, label=None, split=None))
    if o['shape'] == 'buckets':
        at = line.index('--rows')
        del line[at:at + 2]
    for name, flag in FLAGS.items():
        if flag and o[name] != BASE[name]:
            line += [flag, str(o[name])]
    if o['store_order'] != 'file':
        line += ['--order', o['store_order']]
    if o['growth']:
        line += ['--growth', '%g' % (o['growth'] / 1e6)]
    if o['widths']:
        line += ['--widths', ','.join(map(str, o['widths']))]
    if o['shape'] == 'packed':
        line += ['--pack']
    line += ['--segment'] * o['segment'] + ['--position'] * o['position'] + ['--mates'] * (o['mates'] == 2)
    if o['records'] is not None:
        line += ['--records', oracle_store.write(directory, 'list', ''.join('%d\n' % number for number in o['records']))]
    if o['kmer']:
        line += ['--kmer', '%d:%d' % (o['kmer'], o['kmer_stride']), '--kmer-letters', o['kmer_digits']]
        line += ['--kmer-ids', '%d,%d' % o['kmer_ids']] if o['kmer_ids'] else []
    if o['weights']:
        line += ['--weights', ','.join('%s=%g' % (chr(b), w) for b, w in enumerate(o['weights']) if chr(b).isalpha() and b < 128)]
    if o['label']:
        line += ['--label', 'title', '--label-dtype', o['label_dtype']]
        line += ['--label-key', o['label_key']] if o['label_key'] else ['--label-field', str(o['label_field'])]
        line += ['--label-classes', ','.join(o['label_classes'])] if o['label_classes'] else []
    if o['split']:
        line += ['--split', '%d:%s:%s:by=content' % o['split'][:3]]
    return line


def lines_of(tool, arguments):
    """Each epoch's line, with its share of padding where that is printed, or what was refused."""
    out = subprocess.run([tool] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if out.returncode:
        return ['exit code %d: %s' % (out.returncode, out.stderr.decode().strip())]
    lines = [line.split('\t') for line in out.stdout.decode().splitlines() if line.startswith('epoch ')]
    return [tuple(line[:4]) + tuple(column for column in line if column.startswith('padding ')) for line in lines]


def compare_pairs(tally, fxstore, directory):
    """Files of stores of pairs, byte for byte, read in pages as they come: of two inputs, of twice two, and of mates that
    take turns in one; in blocks of qualities, in FASTA of several lines, and of names alone."""
    out = os.path.join(directory, 'out.bst')
    paths = [os.path.join(directory, name) for name in ('p1', 'p2', 'q1', 'q2', 'f1', 'f2', 'both')]
    for path, count, mate in zip(paths, (4100, 4100, 9, 9), (1, 2, 1, 2)):
        make_reads(path, count, 10 * mate + count, mate, *['ACGT' * 30 + 'N'] * (count > 9))
    for path, mate in zip(paths[4:6], '12'):
        with open(path, 'w') as lines:
            for i, n in enumerate((0, 5, 20000, 70000, 60)):
                seq = ''.join('ACGTN'[(i + at * at // 7 + int(mate)) % (4 + (at % 900 < 9))] for at in range(n))
                lines.write('>f%d.%s x\n' % (i, mate) + ''.join(seq[at:at + 70] + '\n' for at in range(0, n, 70)))
    with open(paths[6], 'w') as lines:
        for a, b in zip(*(oracle.read_records(path) for path in paths[:2])):
            for seq, qual, title in (a, b):
                lines.write('@%s\n%s\n+\n%s\n' % (title.decode(), seq.decode(), qual.decode()))
    for files, together, qualities, names, letters in (
            (paths[:2], 0, 1, 'whole', 'dna'), (paths[:4], 0, 1, 'whole', 'bytes'), (paths[:2], 0, 0, 'name', 'dna'),
            (paths[4:6], 0, 0, 'whole', 'dna'), (paths[6:], 1, 1, 'whole', 'dna'), (paths[2:4], 0, 1, 'name', 'bytes')):
        inputs = [oracle_store.fingerprint_of(open(path, 'rb').read()) + (len(oracle.read_records(path)),) for path in files]
        store = store_of_pairs(files, bool(together), names=names, qualities=bool(qualities), letters=letters)
        for workers in '125':
            subprocess.run([fxstore, '-o', out, '--interleaved' if together else '--mates', '-t', workers, '--names',
                            'all' if names == 'whole' else 'names', '--letters', letters] + ['--qualities'] * qualities + files, check=True)
            tally.check((files, together, names, workers),
                        open(out, 'rb').read() == oracle_store.store_bytes(store, inputs, (0, 1, 64 << 20)), True)
            os.remove(out)


def compare(tally, tool, directory, cases, seed):
    """Descs at random as fxbatch gives them: any workers, all ranks together, and in two runs."""
    chooser, fxstore = random.Random(seed), os.path.join(os.path.dirname(tool), 'fxstore')
    compare_pairs(tally, fxstore, directory)
    paths = [os.path.join(directory, name) for name in ('a', 'b')]
    for path, mate in zip(paths, (1, 2)):
        make_reads(path, 70, mate, mate if 'mates' in HAVE else 0)
    files = {0: os.path.join(directory, 'single.bst'), 2: os.path.join(directory, 'pairs.bst')}
    stores = {0: oracle_store.Store(paths, 'bytes', duplicate_names=True)}
    usual = ['--letters', 'bytes', '--duplicate-names', '--qualities']
    subprocess.run([fxstore, '-o', files[0]] + usual + paths, check=True)
    if 'mates' in HAVE:
        stores[2] = store_of_pairs(paths, letters='bytes')
        subprocess.run([fxstore, '-o', files[2]] + usual + ['--mates'] + paths, check=True)
    for number in range(cases):
        change = random_change(chooser, HAVE)
        o, mates = dict(BASE, **change), change.get('mates', 0)
        arguments = flags(o, directory) + [files[mates]]
        try:
            loader = Loader(stores[mates], o)
        except Refused as error:
            tally.check((change, 'refused for', str(error)), lines_of(tool, arguments)[0][:9], 'exit code')
            continue
        want = [epoch_line(loader, e)[:5 if 'padding' in HAVE else 4] for e in range(2)]
        for workers in ('1', '2', '5'):
            tally.check((change, 'workers', workers),
                        lines_of(tool, ['--epochs', '2', '--allow-no-rows', '--workers', workers] + arguments), want)
        epochs = [loader.epoch(e)[:3] for e in range(2)]
        each = o['rows_multiple'] or 1 if o['shape'] == 'buckets' else o['rows']
        for world in (2, 4):
            if each % world == 0:
                tally.check((change, 'ranks', world), oracle_store.ranks_together(tool, ['--allow-no-rows'] + arguments, world),
                            epochs)
        if epochs[0][0] == 0:  # nothing is delivered, and so no state
            continue
        stop = 1 + chooser.randrange(2 * epochs[0][0])
        tally.check((change, 'stopped after', stop),
                    oracle.two_runs(tool, directory, ['--allow-no-rows'] + arguments, stop, 1 + number % 4), epochs)


def drawn_columns(count, least, most, seed):
    """Columns at random that C draws likewise: x = 1103515245 x + 12345 modulo 2^31, of which bits 8 and up count."""
    columns = []
    for _ in range(count):
        seed = (1103515245 * seed + 12345) % (1 << 31)
        columns.append(least + (seed >> 8) % (most - least + 1))
    return columns


def shape_numbers(shape, e, first_batch):
    """All of an epoch's batches from one on: of each columns, rows, valid rows, and of these their samples, counted."""
    numbers = []
    for batch in shape.epoch(e, first_batch):
        numbers += [batch.columns, batch.rows, len(batch.members)]
        for row in batch.members:
            numbers += [len(row)] + row
    return numbers


def print_shapes():
    """Shapes of columns alone, for a test of them in C: fields, widths, what was drawn, and an epoch's numbers, of which
    the first twelve and, as u32 one after another, XXH64 with seed 0."""
    print('/* shape_vectors.h - written by `python3 tests/oracle_shapes.py shapes`; see test_shapes.c.\n *\n'
          ' * {kind, order, tail, seed, epoch, first batch, row_bases, pad_multiple, growth, rows_multiple, batch_tokens,\n'
          ' *  pack_samples, width_count, batch_rows, {widths}, {candidates, least, most, seed of their columns}, batches of the epoch,\n'
          ' *  numbers, {the first of them}, hash} */\n\n/* clang-format off */')
    chooser, made = random.Random(7), 0

    def one_of(*choices):
        return chooser.choice(choices)
    while made < 120:
        kind, widths = one_of('buckets', 'packed'), one_of((), (), (16, 48, 400))
        multiple = one_of(0, 1, 8, 16) if not widths else one_of(0, 8)
        count = one_of(0, 1, 7, 100, 1000, 4096, 4097, 9000) if made % 6 == 0 else chooser.randrange(2, 400)
        drawn = (count, one_of(1, 20), one_of(20, 64, 400), chooser.randrange(1 << 31))
        o = dict(BASE, encode='tokens', shape=kind, store_order=one_of('file', 'exact', 'exact'), seed=chooser.randrange(1 << 64),
                 tail=one_of('pad', 'short', 'drop'), pad_multiple=multiple)
        if kind == 'buckets':
            o.update(widths=widths or None, growth=0 if widths else one_of(0, 1062500, 2000000, 1000001), rows=0,
                     rows_multiple=one_of(0, 2, 8), batch_tokens=one_of(400, 4000, 65536), bases=one_of(0, 400) if not widths else 0)
        else:
            o.update(bases=one_of(400, 512, 1000), rows=one_of(1, 3, 64), pack_samples=one_of(0, 1, 7))
        e = one_of(0, 1, 1 << 33)
        try:
            shape = (Buckets if kind == 'buckets' else Packed)(o, drawn_columns(*drawn))
        except Refused:
            continue
        made += 1
        batches = sum(1 for _ in shape.epoch(e))
        first = chooser.randrange(batches + 1) if made % 3 == 0 else 0
        numbers = shape_numbers(shape, e, first)
        told = ', '.join(map(str, numbers[:12] + [0] * (12 - len(numbers[:12]))))
        fields = (1 + (kind == 'packed'), int(o['store_order'] == 'exact'), ('pad', 'short', 'drop').index(o['tail']),
                  'UINT64_C(%d)' % o['seed'], 'UINT64_C(%d)' % e, first, o['bases'],
                  o['pad_multiple'], o['growth'], o['rows_multiple'], o['batch_tokens'], o['pack_samples'], len(o['widths'] or ()),
                  o['rows'])
        print('{%s, {%s}, {%s}, %d, %d, {%s}, UINT64_C(0x%016x)},' %
              (', '.join(map(str, fields)), ', '.join(map(str, o['widths'] or (0,))), ', '.join('%du' % n for n in drawn), batches,
               len(numbers), told, xxh64(struct.pack('<%dI' % len(numbers), *numbers))))
    return 0


LISTS = 60


def print_lists():
    """Epochs over lists of the stores of tests/store_vectors.h, with settings at random of those that are there."""
    texts, chooser, made = oracle_store.loader_texts(), random.Random(9), 0
    with tempfile.TemporaryDirectory() as directory:
        paths = {name: oracle_store.write(directory, name, texts[name]) for name in 'QR'}
        stores = {(name, letters): oracle_store.Store([paths[of] for of in name], letters, duplicate_names=True)
                  for name in ('Q', 'QR') for letters in ('dna', 'bytes')}
    print('/* list_vectors.h - written by `python3 tests/oracle_shapes.py lists`; see test_store_lists.c.\n *\n'
          ' * A desc, the list, and batches, rows and digest of two epochs. */\n')
    print('/* clang-format off */\nstatic const list_case list_cases[] = {')
    while made < LISTS:
        change, (name, *others) = oracle_store.loader_change(chooser, 5 * chooser.randrange(1000) + 2)
        oracle_store.loader_turns(change, [change])
        change.update(records=[chooser.randrange(60) for _ in range(chooser.choice([1, 5, 40, 150]))])
        if others or change['long'] == 'split':
            continue
        o = dict(BASE, **change)
        try:
            loader = Loader(stores[name, o['letters']], o)
            epochs = [loader.epoch(e)[:3] for e in (0, 2 ** 32 + 5)]
        except Refused:
            continue
        if not epochs[0][1]:
            continue
        made += 1
        fields = oracle_store.loader_fields(o)
        print('    {{%s}, %d, STORE_%s,\n     {%s}, %d,\n     {%s}},' % (
            ',\n      '.join(', '.join('%s = %s' % field for field in fields[at:at + 3]) for at in range(0, len(fields), 3)),
            o['letters'] == 'bytes', name, ', '.join(map(str, o['records'])), len(o['records']),
            ', '.join('{%d, %d, 0x%016xu}' % epoch for epoch in epochs)))
    print('};\n/* clang-format on */')
    return 0


def print_rows(arguments):
    """Of fields as FIELD=VALUE, and files, the first two and so on pairs where mates=2 is given."""
    o, files = dict(BASE, epoch=0), []
    for word in arguments:
        name, equals, text = word.partition('=')
        if equals and name in o:
            try:
                o[name] = ast.literal_eval(text)
            except (ValueError, SyntaxError):
                o[name] = text
        else:
            files.append(word)
    change = dict(letters=o['letters'], names=o['names'])
    store = store_of_pairs(files, **change) if o['mates'] == 2 else oracle_store.Store(files, duplicate_names=True, **change)
    loader = Loader(store, o)
    for row in loader.rows(o['epoch']):
        print(*row_line(o['epoch'], row), sep='\t')
    print(*epoch_line(loader, o['epoch']), sep='\t')
    return 0


def main():
    if len(sys.argv) < 2:
        return sys.exit(__doc__)
    tally, rest = oracle.Tally(), sys.argv[2:]
    if sys.argv[1] == 'shapes':
        return print_shapes()
    if sys.argv[1] == 'lists':
        return print_lists()
    if sys.argv[1] == 'shares':
        return print_shares(rest)
    if sys.argv[1] == 'rows':
        return print_rows(rest)
    with tempfile.TemporaryDirectory() as directory:
        if sys.argv[1] == 'selfcheck':
            selfcheck(tally, directory)
        else:
            compare(tally, sys.argv[1], directory, *(int(word) for word in (rest + ['100', '1'][len(rest):])))
    return tally.end()


if __name__ == '__main__':
    sys.exit(main())
