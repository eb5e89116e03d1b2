#!/usr/bin/env python3
"""The loader's definition written a second time, in another language and the simplest way: read everything, shuffle
in an array.

    python3 tests/oracle.py build/examples/fxbatch [FILE...]
    python3 tests/oracle.py build/examples/fxbatch groups
    python3 tests/oracle.py selfcheck
    python3 tests/oracle.py vectors

Runs fxbatch over the files with many settings and compares its epoch digests, batches and rows with what the
definition gives: order, random numbers, filters, augmentation, pieces, encoding, ranks, tails and digest. Pure
Python, no package. Without files it makes one: reads of every letter, of no bases, of more than a row; and some more
for groups: mixes, open files in turns, shuffled files, passes, ends of an epoch, labels, resumed epochs. `groups`
runs only these. `selfcheck` runs no program: it holds what is written here against examples done by hand and against
what the definition promises. `vectors` prints values of the permutation and of the mix, for tests in C.
Ends with 'N passed, N failed'.
"""
import collections
import fractions
import functools
import gzip
import itertools
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

M32, M64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                      0x27D4EB2F165667C5)


def rotl(x, r):
    return (x << r | x >> (64 - r)) & M64


def xxh64(data, seed=0):
    n, i = len(data), 0
    if n >= 32:
        v = [(seed + P1 + P2) & M64, (seed + P2) & M64, seed, (seed - P1) & M64]
        words = struct.unpack_from('<%dQ' % (n // 32 * 4), data)
        for w in range(0, len(words), 4):
            for k in range(4):
                v[k] = rotl((v[k] + words[w + k] * P2) & M64, 31) * P1 & M64
        i = n // 32 * 32
        h = (rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18)) & M64
        for x in v:
            h = ((h ^ (rotl(x * P2 & M64, 31) * P1 & M64)) * P1 + P4) & M64
    else:
        h = (seed + P5) & M64
    h = (h + n) & M64
    while n - i >= 8:
        k = rotl(struct.unpack_from('<Q', data, i)[0] * P2 & M64, 31) * P1 & M64
        h = (rotl(h ^ k, 27) * P1 + P4) & M64
        i += 8
    if n - i >= 4:
        h = (rotl(h ^ (struct.unpack_from('<I', data, i)[0] * P1 & M64), 23) * P2 + P3) & M64
        i += 4
    for b in data[i:]:
        h = rotl(h ^ (b * P5 & M64), 11) * P1 & M64
    h = (h ^ h >> 33) * P2 & M64
    h = (h ^ h >> 29) * P3 & M64
    return h ^ h >> 32


def philox(counter, key):
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        a, b = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = b >> 32 ^ c1 ^ k0, b & M32, a >> 32 ^ c3 ^ k1, a & M32
        k0, k1 = k0 + 0x9E3779B9 & M32, k1 + 0xBB67AE85 & M32
    return c0, c1, c2, c3


FILES, PERMUTE, KEEP, SHUFFLE, CROP, SHIFT, REVERSE, SUBSTITUTE, INJECT = 1, 2, 3, 4, 16, 17, 19, 20, 21


def stage_key(seed, epoch, stage, turn=0):
    """The key of a stage in an epoch, or in pass `turn` over a group in it."""
    return philox((epoch & M32, epoch >> 32, stage, 0x42494F53 + turn & M32), (seed & M32, seed >> 32))[:2]


@functools.lru_cache(maxsize=64)
def pass_keys(seed, epoch, turn):
    """The keys of all stages but KEEP, which knows neither epochs nor passes."""
    return {stage: stage_key(seed, epoch, stage, turn) for stage in (SHUFFLE, CROP, SHIFT, REVERSE, SUBSTITUTE, INJECT)}


def words(key, rid, piece):
    draw = 0
    while True:
        yield from philox((draw, piece, rid & M32, rid >> 32), key)
        draw += 1


def shuffle_draws(key, rid, piece, window):
    w = philox((0, piece, rid & M32, rid >> 32), key)

    def candidates():
        yield from w[:3]
        draw = 1
        while True:
            yield from philox((draw, piece, rid & M32, rid >> 32), key)
            draw += 1
    for u in candidates():
        if u * window & M32 >= 2 ** 32 % window:
            return u * window >> 32, w[3]


@functools.lru_cache(maxsize=64)
def round_keys(seed, epoch, turn, group, stage=PERMUTE):
    """The 16 numbers that make a permutation of its own for each seed, epoch, pass, group and stage."""
    keys = []
    for draw in range(8):
        w = philox((draw, group, 0, 0), stage_key(seed, epoch, stage, turn))
        keys += [w[0] | w[1] << 32, w[2] | w[3] << 32]
    return keys


def permute(n, keys):
    """A function that takes each number below n to another one: a Feistel network on the bits of n - 1, applied
    again where its result is n or more."""
    bits = (n - 1).bit_length()
    low_bits, high_bits = bits - bits // 2, bits // 2
    keys = keys[:16 if n < 65536 else 8]

    def mixed_bits(x, key, count):
        z = (x ^ key) * 0x9E3779B97F4A7C15 & M64
        z = (z ^ z >> 29) * 0xBF58476D1CE4E5B9 & M64
        return z >> 32 & (1 << count) - 1

    def image(i):
        while n > 1:
            low, high = i & (1 << low_bits) - 1, i >> low_bits
            for r, key in enumerate(keys):
                if r % 2 == 0:
                    low ^= mixed_bits(high, key, low_bits)
                else:
                    high ^= mixed_bits(low, key, high_bits)
            i = high << low_bits | low
            if i < n:
                return i
        return 0
    return image


def mix(weights):
    """The group of each row, without end. Of the groups that have less than their share of the rows up to and with
    this one, the one whose next row is due first. What was taken counts from the last multiple of the sum on."""
    divisor = math.gcd(*weights)
    weights = [w // divisor for w in weights]
    total, taken, period = sum(weights), [0] * len(weights), []
    for n in range(total):
        best = None
        for g, w in enumerate(weights):
            if taken[g] * total < (n + 1) * w and \
                    (best is None or (taken[g] + 1) * weights[best] < (taken[best] + 1) * w):
                best = g
        taken[best] += 1
        period.append(best)
        yield best
    yield from itertools.cycle(period)


def turns(lists, count):
    """The items of lists of which `count` are open at a time and give an item each in turn. Where an open list has
    none left, the next one that was not open yet takes its slot and its turn."""
    none = object()
    waiting = iter(lists)
    slots = [iter(items) for items in itertools.islice(waiting, count)]
    while any(slot is not None for slot in slots):
        for k, slot in enumerate(slots):
            item = none
            while slots[k] is not None and item is none:
                item = next(slots[k], none)
                if item is none:
                    items = next(waiting, None)
                    slots[k] = None if items is None else iter(items)
            if item is not none:
                yield item


@functools.lru_cache(maxsize=32)
def read_records(path):
    """(sequence, quality or None, title) of each record."""
    raw = open(path, 'rb').read()
    text = gzip.decompress(raw) if raw[:2] == b'\x1f\x8b' else raw
    lines = text.replace(b'\r\n', b'\n').split(b'\n')
    if text[:1] == b'@':
        return [(lines[i + 1], lines[i + 3], lines[i][1:]) for i in range(0, len(lines) - 3, 4)]
    parts = [part.split(b'\n') for part in text.replace(b'\r\n', b'\n').split(b'>')[1:]]
    return [(b''.join(part[1:]), None, part[0]) for part in parts]


MATE_MARKS = b'/._:'    # of FASTQ: what stands before the digit 1..4 that is a mate's number


def key_of_name(title, strip, fastq):
    """The first word of a title without a mate's number at its end; `strip`, where given, is the list of marks."""
    key = re.split(b'[ \t]', title.lstrip(b' \t'))[0]
    marks = strip.encode() or (MATE_MARKS if fastq else b'/')
    return re.sub(rb'[%s][1-4]\Z' % re.escape(marks), b'', key)


def content_key(seq, salt):
    """The same for two records of the same letters, case aside and U as T, and for those of opposite strands. Open:
    what has no complement. Here a record with a letter that has none, as proteins have; what is no letter stays."""
    letters = seq.upper().replace(b'U', b'T')
    key = xxh64(letters, salt)
    if not set(letters) & set(b'EFIJLOPQZ'):
        key = min(key, xxh64(letters[::-1].translate(COMPLEMENT), salt))
    return struct.pack('<Q', key)


def in_part(split, title, fastq, start=0, bases=0, seq=b''):
    """Whether a record, or a piece of it, is in the part of the split that is asked for."""
    salt, low, below, by = split[:4]
    key = re.split(b'[ \t]', title.lstrip(b' \t'))[0]
    if by == 'name':
        key = key_of_name(title, split[4], fastq)
    elif by == 'field':
        key = key_of_name(title, split[6], fastq).split(split[5].encode())[split[4] - 1]
    elif by == 'content':
        key = content_key(seq, salt)
    elif by == 'block':
        block = start // split[4]
        if start + bases > (block + 1) * split[4]:
            return False
        key += b'\0' + struct.pack('<Q', block)
    return threshold(low) <= xxh64(key, salt) >> 32 < threshold(below)


def bounded(source, bound):
    """The next number below bound: word x bound / 2^32, words with a low half under 2^32 mod bound passed over."""
    for u in source:
        if u * bound & M32 >= 2 ** 32 % bound:
            return u * bound >> 32


def f32(p):
    return struct.unpack('<f', struct.pack('<f', p))[0]


def threshold(p):
    return int(f32(p) * 2 ** 32)


def share_is_fine(limit, count, bases):
    """Whether at most a share of the bases, in steps of a millionth, is of a kind; None: however many."""
    return limit is None or count * 1000000 <= round(f32(limit) * 1000000) * bases


def n_share_is_fine(o, seq):
    return share_is_fine(o['max_n'], seq.count(b'N') + seq.count(b'n'), len(seq))


def dropped_by(o, rid, visited, seq, qual, title, keep_key, fastq=None):
    """The first of the filters of records, in order, that drops one; None where all keep it. `fastq`: see in_part."""
    n, fastq = len(seq), qual is not None if fastq is None else fastq
    if o['first'] and visited >= o['first']:
        return 'first'
    if o['every'] and visited % o['every']:
        return 'every'
    u = next(words(keep_key, rid, 0))
    if not threshold(o['subsample_from']) <= u < threshold(o['subsample_below']):
        return 'subsample'
    if n < o['min_length'] or o['max_length'] and n > o['max_length']:
        return 'length'
    if o['split'] and o['split'][3] != 'block' and not in_part(o['split'], title, fastq, seq=seq):
        return 'split'
    if o['min_quality'] and (n == 0 or 1000 * sum(q - 33 for q in qual) < round(f32(o['min_quality']) * 1000) * n):
        return 'min_quality'
    if o['max_error'] and (n == 0 or sum(ERRORS[q - 33] for q in qual) > round(f32(o['max_error']) * 2 ** 31) * n):
        return 'max_error'
    if o['min_base_quality'] and (n == 0 or min(qual) - 33 < o['min_base_quality']):
        return 'min_base_quality'
    return None if o['long'] == 'split' or n_share_is_fine(o, seq) else 'n'


def piece_dropped_by(o, seq, title, start):
    """The first of the filters of pieces that drops one of a record that is cut."""
    if o['long'] != 'split':
        return None
    if o['split'] and o['split'][3] == 'block' and not in_part(o['split'], title, False, start, len(seq)):
        return 'split'
    return None if n_share_is_fine(o, seq) else 'n'


ERRORS = [round(10 ** (-q / 10) * 2 ** 31) for q in range(94)]


def pieces(o, rid, n, crop_key):
    """(piece, start, length) of each row of a record."""
    most = o['bases'] or o['max_bases'] or 1024
    if o['crop']:
        most = o['crop']
    if n <= most:
        return [(0, 0, n)]
    if o['crop'] or o['long'] == 'crop':
        return [(0, bounded(words(crop_key, rid, 0), n - most + 1), most)]
    if o['long'] == 'split':
        stride = o['stride'] or most
        return [(k, k * stride, min(most, n - k * stride)) for k in range(1 + -(-(n - most) // stride))]
    return [(0, {'head': 0, 'tail': n - most, 'center': (n - most) // 2}[o['long']], most)]


def sites(source, p, n, draws):
    """Places a stage of probability p hits, each with the word drawn for it, or 0."""
    survival = [2 ** 32]
    for _ in range(256):
        survival.append(survival[-1] * (2 ** 32 - p) >> 32)
    at = 0
    while at < n:
        u = next(source)
        if u < survival[256]:
            at += 256
            continue
        at += max(g for g in range(256) if u < survival[g])
        if at < n:
            yield at, next(source) if draws else 0
        at += 1


def half(value, exponent_bits, mantissa_bits):
    """Bits of a float of two bytes, rounded to the nearest, ties to even; normal range only."""
    if value == 0:
        return b'\0\0'
    m, e = math.frexp(abs(value))
    scaled = (m * 2 - 1) * 2 ** mantissa_bits
    bits = (e - 1 + 2 ** (exponent_bits - 1) - 1 << mantissa_bits) + round(scaled)
    return struct.pack('<H', bits | (value < 0) << 15)


def element(dtype, value):
    if dtype == 'bf16':
        return half(value, 8, 7)
    return struct.pack({'u8': '<B', 'f16': '<e', 'f32': '<f', 'i32': '<i', 'i64': '<q'}[dtype], value)


CODES = {'R': 'AG', 'Y': 'CT', 'S': 'CG', 'W': 'AT', 'K': 'GT', 'M': 'AC', 'B': 'CGT', 'D': 'AGT', 'H': 'ACT', 'V': 'ACG',
         'N': 'ACGT'}


def onehot(o, byte):
    """The numbers of all channels for one byte of a sequence."""
    channels, letter = o['channels'], chr(byte).upper()
    lower = 'a' <= chr(byte) <= 'z'
    if lower and o['lower'] == 'n':
        letter = 'N'
    row = [0.0] * len(channels)
    named = letter
    if letter in 'TU' and letter not in channels:
        named = 'TU'['TU'.index(letter) - 1]
    if named in channels:
        row[channels.index(named)] = 1
    elif o['n'] != 'zero' and letter in CODES and (o['n'] != 'n' or letter == 'N'):
        of = CODES[letter]
        share = 0.33 if len(of) == 3 and o['n'] == 'helixer' else 1 / len(of)
        row = [share if c.replace('U', 'T') in of else 0 for c in channels]
    if o['lower'] == 'channel':
        row.append(float(lower))
    return row if o['dtype'] not in ('u8',) else [int(v) for v in row]


CODE = {ord(c): i for i, cs in enumerate(('Aa', 'Cc', 'Gg', 'TtUu')) for c in cs}


def encoded(o, seq, qual, left, columns, table, numbers):
    """The row of x, with `left` columns of padding before its bases: columns, then channels, or the other way
    round."""
    zero = element(o['dtype'], 0)
    if o['encode'] == 'tokens':
        cells = [[table[b]] for b in seq]
        padding = [element(o['dtype'], o['pad_value'])]
    else:
        cells = [table[b] for b in seq]
        padding = [element(o['dtype'], o['pad_value'])] * (len(o['channels']) + (o['lower'] == 'channel'))
    if o['quality_in_x']:
        cells = [cell + [numbers[q - 33]] for cell, q in zip(cells, qual)]
        padding = padding + [zero]
    if o['mask_in_x']:
        cells = [cell + [element(o['dtype'], 1)] for cell in cells]
        padding = padding + [zero]
    cells = [padding] * left + cells + [padding] * (columns - left - len(cells))
    if o['layout'] == 'ncl':
        cells = zip(*cells) if cells else []
    return b''.join(b''.join(cell) for cell in cells)


def complements():
    pairs = 'AT CG GC TA UA RY YR KM MK BV VB DH HD'.split()
    table = bytearray(range(256))
    for a, b in pairs:
        table[ord(a)], table[ord(a.lower())] = ord(b), ord(b.lower())
    return bytes(table)


COMPLEMENT = complements()


def changed(o, keys, row):
    """(sequence, qualities, strand shown) after reverse complement, substitution, N put in."""
    rc, sub, inject = threshold(o['rc']), threshold(o['mutate']), threshold(o['inject_n'])
    rid, piece, seq, qual = row.rid, row.piece, row.seq, row.qual
    strand = int((next(words(keys[REVERSE], rid, piece)) < rc) != bool(row.strand))
    if strand:
        seq, qual = seq[::-1].translate(COMPLEMENT), qual and qual[::-1]
    seq = bytearray(seq)
    if sub:
        for at, v in sites(words(keys[SUBSTITUTE], rid, piece), sub, len(seq), True):
            if seq[at] in CODE:
                seq[at] = b'ACGT'[(CODE[seq[at]] + 1 + v % 3) % 4] | seq[at] & 0x20
    if inject:
        for at, _ in sites(words(keys[INJECT], rid, piece), inject, len(seq), False):
            seq[at] = ord('n') if chr(seq[at]).islower() else ord('N')
    return seq, qual, strand


Group = collections.namedtuple('Group', 'name weight label first paths')
# A row before it is changed. Rows of text have the first seven fields alone. strand: 1 where it is of the reverse
# strand before a draw turns it; lefts: columns of padding before its bases if it shows the one strand or the other;
# label: its own.
Row = collections.namedtuple('Row', 'group turn rid piece start seq qual strand lefts label',
                             defaults=(0, None, None))
Delivered = collections.namedtuple('Delivered', 'batch at row strand bases digest')


def groups_of(files, o):
    """The groups with the path index of the first file of each; without groups one of all files."""
    groups, first = [], 0
    for name, weight, label, paths in o['groups'] or [('all', 1, None, files)]:
        groups.append(Group(name, weight, label, first, paths))
        first += len(paths)
    return groups


def visit_files(group, number, o, e, turn):
    """The path indexes of a group's files in the order in which its pass `turn` in epoch e opens them."""
    n = len(group.paths)
    place = permute(n, round_keys(o['seed'], e, turn, number, FILES)) if o['shuffle_files'] else int
    return [group.first + place(i) for i in range(n)]


def turns_of_file(group, path_index, o, crop_key):
    """What a file gives in its turns: the rows of its records, as if no filter dropped any."""
    for r, record in enumerate(read_records(group.paths[path_index - group.first])):
        rid = path_index << 40 | r
        for piece in pieces(o, rid, len(record[0]), crop_key):
            yield rid, record, piece


def rows_of_pass(group, number, o, e, turn):
    """The rows of a group's pass in the order in which it reads them. Records count from its first turn on."""
    keep_key, crop_key = stage_key(o['seed'], 0, KEEP), pass_keys(o['seed'], e, turn)[CROP]
    files = [turns_of_file(group, p, o, crop_key) for p in visit_files(group, number, o, e, turn)]
    kept, rows = {}, []
    for rid, (seq, qual, title), (piece, start, n) in turns(files, o['open_files'] or 1):
        if rid not in kept:
            kept[rid] = not dropped_by(o, rid, len(kept), seq, qual, title, keep_key)
        if kept[rid] and not piece_dropped_by(o, seq[start:start + n], title, start):
            rows.append(Row(number, turn, rid, piece, start, seq[start:start + n], qual and qual[start:start + n]))
    return rows


def shuffled(rows, window, key):
    """What comes out of `window` cells: a row takes the cell drawn for it, and the row in there goes out."""
    order, cells = [], []
    for s, row in enumerate(rows):
        j, u = shuffle_draws(key, row.rid, row.piece, window)
        if s < window:
            cells.append((u, s))
        else:
            order.append(rows[cells[j][1]])
            cells[j] = (u, s)
    return order + [rows[s] for _, s in sorted(cells)]


def text_pass(groups, g, o, e, turn):
    """The rows of a pass over a group of files, shuffled in the cells of that group."""
    window = max(1, o['shuffle'] * groups[g].weight // sum(group.weight for group in groups))
    return shuffled(rows_of_pass(groups[g], g, o, e, turn), window, pass_keys(o['seed'], e, turn)[SHUFFLE])


def epoch_order(groups, o, e, rows_of=text_pass):
    """The rows of all groups in the order of one epoch."""
    def one_pass(g, turn):
        rows = rows_of(groups, g, o, e, turn)
        if not rows and len(groups) > 1:
            raise ValueError('group %s has no row' % groups[g].name)
        return rows
    order, complete = [], set()
    left = [one_pass(g, 0)[::-1] for g in range(len(groups))]
    turn = [0] * len(groups)
    for g in mix([group.weight for group in groups]) if any(left) else ():
        if o['epoch_end'] == 'rows' and len(order) == o['epoch_rows'] or o['epoch_end'] == 'first' and g in complete:
            break
        if not left[g]:
            turn[g] += 1
            left[g] = one_pass(g, turn[g])[::-1]
        order.append(left[g].pop())
        if not left[g]:
            complete.add(g)
        if o['epoch_end'] == 'all' and len(complete) == len(groups):
            break
    return order


def input_of(groups, row):
    """The number of a row's input. Files are numbered by path index, and after them come the inputs of the stores, group
    by group: ids of a store count its own inputs."""
    stores = [getattr(group, 'store', None) for group in groups]
    if stores[row.group] is None:
        return row.rid >> 40
    return sum(len(group.paths) for group in groups) + sum(of.inputs for of in stores[:row.group] if of) + (row.rid >> 40)


def label_bytes(o, groups, row):
    """The label of a row, in its type; nothing where there are none."""
    if not o['label']:
        return b''
    value = row.label if o['label'] == 'region' else groups[row.group].label
    if o['label'] == 'input':
        index = input_of(groups, row)
        value = o['label_values'][index] if o['label_values'] else index
    return element(o['label_dtype'], value)


def epoch(files, o, e):
    """One epoch: (batches, rows, digest) of the rank asked for."""
    groups = groups_of(files, o)
    return delivered(groups, epoch_order(groups, o, e), o, e)


def group_rows(groups, order):
    """(name, passes, rows) of each group in an epoch, over all ranks: the passes of which rows came."""
    came = [[row.turn for row in order if row.group == g] for g in range(len(groups))]
    return [(group.name, len(set(of)), len(of)) for group, of in zip(groups, came)]


def tokens_of(text):
    """The token of each byte by a list: a letter is also its other case, and T also U, unless these are listed.

    A list with a letter that is no nucleotide but an amino acid is of proteins: there U is no T."""
    given = dict(part.rsplit('=', 1) for part in text.split(','))
    of_proteins = any(c.upper() in 'EFIJLOPQZ' for c in given if len(c) == 1)
    out = []
    for b in range(256):
        same = [chr(b)]
        if same[0].isascii() and same[0].isalpha():
            same += [same[0].swapcase()]
            same += [{'T': 'U', 't': 'u', 'U': 'T', 'u': 't'}[c] for c in same if c in 'TtUu' and not of_proteins]
        out.append(int(next((given[c] for c in same + ['all'] if c in given), 0)))
    return out


def tables_of(o):
    """What a byte and what a quality is in a row."""
    if o['encode'] == 'tokens':
        table = [element(o['dtype'], v) for v in tokens_of(o['tokens'] or 'all=5,A=1,C=2,G=3,T=4')]
    else:
        table = [[element(o['dtype'], v) for v in onehot(o, b)] for b in range(256)]
    kind = o['dtype'] if o['quality_in_x'] else 'u8' if o['quality'] == 'phred' else 'f32'
    numbers = [element(kind, q if o['quality'] == 'phred' else f32(10 ** (-q / 10))) for q in range(94)] \
        if o['quality'] != 'none' else []
    return table, numbers, element(kind, 0)


def row_bytes(o, groups, row, columns, keys, tables):
    """(the bytes a row's digest is of, strand shown, bases)"""
    table, numbers, no_quality = tables
    seq, qual, strand = changed(o, keys, row)
    bases = len(seq)
    left = columns - bases if o['pad_side'] == 'left' else 0
    if row.lefts is not None:
        left = row.lefts[strand] + (columns - o['bases'] if o['pad_side'] == 'left' else 0)
    right = columns - bases - left
    body = encoded(o, seq, qual, left, columns, table, numbers)
    if o['quality'] != 'none' and not o['quality_in_x']:
        body += no_quality * left + b''.join(numbers[q - 33] for q in qual) + no_quality * right
    if o['mask'] and not o['mask_in_x']:
        one, zero = element(o['mask_dtype'], 1), element(o['mask_dtype'], 0)
        body += zero * left + one * bases + zero * right
    body += label_bytes(o, groups, row)
    return body + struct.pack('<iqIq', bases, row.rid, row.piece, row.start), strand, bases


def cut(n, o, first_batch=0):
    """(batch, first row of the epoch in it, its rows, the rows of it that the rank asked for has)"""
    for batch in range(first_batch, -(-n // o['rows'])):
        m = min(o['rows'], n - batch * o['rows'])
        if m == o['rows'] or o['tail'] != 'drop':
            yield batch, batch * o['rows'], m, range(o['rank'] * m // o['world'], (o['rank'] + 1) * m // o['world'])


def delivered_rows(groups, order, o, e, first_batch=0):
    """The rows of an epoch on the rank asked for, each with its place and digest. Of `order` it asks the length and
    the rows it needs: those of the rank, and all of a batch where its longest row decides the columns."""
    tables = tables_of(o)
    for batch, first, m, mine in cut(len(order), o, first_batch):
        longest = o['bases'] or max(len(order[first + at].seq) for at in range(m))
        multiple = o['pad_multiple'] or (1 if o['bases'] else 8)
        columns = -(-longest // multiple) * multiple
        for at in mine:
            row = order[first + at]
            body, strand, bases = row_bytes(o, groups, row, columns, pass_keys(o['seed'], e, row.turn), tables)
            yield Delivered(batch, at, row, strand, bases, xxh64(body, xxh64(struct.pack('<3Q', e, batch, at))))


def delivered(groups, order, o, e, first_batch=0):
    """(batches, rows, digest) of the rows of an epoch on the rank asked for."""
    digests = [row.digest for row in delivered_rows(groups, order, o, e, first_batch)]
    return sum(1 for _ in cut(len(order), o, first_batch)), len(digests), sum(digests) & M64


BASE = dict(rows=64, bases=100, max_bases=0, pad_multiple=0, long='split', stride=0, tail='pad', encode='onehot', tokens='',
            dtype='u8', layout='nlc', channels='ACGT', n='zero', lower='fold', pad_value=0, pad_side='right',
            quality='none', quality_in_x=False, mask=False, mask_dtype='u8', mask_in_x=False, min_length=0,
            max_length=0, min_quality=0.0, max_error=0.0, min_base_quality=0, max_n=None,
            subsample_from=0.0, subsample_below=1.0, first=0, every=0, crop=0, rc=0.0, mutate=0.0, inject_n=0.0,
            shuffle=0, seed=0, rank=0, world=1, split=None, groups=None, epoch_end='all', epoch_rows=0,
            shuffle_files=False, open_files=0, label=None, label_dtype='f32', label_values=None)

TRIES = [dict(), dict(shuffle=1000, seed=42), dict(shuffle=7, dtype='f16', rc=0.5, seed=1),
         dict(shuffle=100000, dtype='f32', mutate=0.01, seed=2 ** 40 + 3),
         dict(encode='tokens', mutate=0.3, rc=1.0), dict(rows=96, world=3, rank=1, shuffle=50, seed=5),
         dict(world=2, rank=1, tail='short', bases=37),
         dict(world=4, rank=3, tail='drop', shuffle=333, min_length=50, rc=0.25, mutate=0.002, seed=9),
         dict(dtype='f16', n='iupac', channels='CATG', layout='ncl', lower='channel', inject_n=0.01, mask=True),
         dict(dtype='bf16', n='helixer', layout='ncl', pad_side='left', pad_value=-1, bases=60, stride=41, shuffle=99),
         dict(dtype='f32', n='n', channels='TGCA', lower='n', bases=0, max_bases=90, long='center', pad_multiple=32),
         dict(long='head', bases=33, max_n=0.02, mask=True, mask_dtype='f32'),
         dict(long='tail', bases=33, max_n=0, every=3),
         dict(mask=True, mask_in_x=True, dtype='bf16', channels='CATG', pad_side='left', pad_value=3),
         dict(mask=True, mask_in_x=True, layout='ncl', bases=0, max_bases=150, long='tail', pad_multiple=5,
              lower='channel'),
         dict(long='crop', bases=50, seed=3, encode='tokens', dtype='i64', pad_value=-7, pad_side='left'),
         dict(bases=50, encode='tokens', dtype='i32', tokens='A=1,t=4,all=-3,G=7,n=2,N=3'),
         dict(long='head', crop=21, encode='tokens', dtype='i32', first=300, inject_n=0.3, seed=12),
         dict(channels='ACDEFGHIKLMNPQRSTVWY', bases=40, layout='ncl', subsample_below=0.3),
         dict(subsample_from=0.3, subsample_below=0.9, seed=8, max_length=200, shuffle=20),
         dict(max_n=0.03, bases=20, stride=13, shuffle=50), dict(max_n=0, bases=10),
         dict(split=(7, 0, 0.8, 'name', '')), dict(split=(7, 0.8, 1, 'name', ''), seed=4, shuffle=30),
         dict(split=(2 ** 64 - 1, 0.1, 0.7, 'sequence'), bases=40),
         dict(split=(12, 0, 0.5, 'block', 60), bases=20, stride=15, shuffle=100, seed=3),
         dict(split=(12, 0.5, 1, 'block', 100), bases=100, max_n=0.02, rows=16)]

FASTQ_TRIES = [dict(min_quality=35.5, shuffle=20), dict(quality='phred', rc=0.5, pad_side='left', long='crop', bases=70),
               dict(quality='error', mask=True, mask_dtype='f32', pad_side='left', dtype='f16', max_error=0.003,
                    shuffle=500, stride=77),
               dict(min_base_quality=14, quality='phred', crop=30, long='head')]

# Of the reads made here, whose names have parts.
NAMED_TRIES = [dict(split=(3, 0.2, 0.6, 'name', '._'), shuffle=20), dict(split=(3, 0.2, 0.6, 'name', '')),
               dict(split=(5, 0, 0.5, 'field', 2, ':', '')), dict(split=(5, 0, 0.5, 'field', 3, ':', '._'))]
# Qualities in x, in each layout and type, with and without the mask, padding on either side.
FASTQ_TRIES += [dict(quality=quality, quality_in_x=True, layout=layout, dtype=dtype, mask=i % 2 == 1,
                     mask_in_x=i % 4 == 3, pad_side='left' if i // 2 % 2 else 'right', pad_value=i % 3,
                     rc=0.5, shuffle=100 * (i % 2), **([dict(long='crop', bases=70), dict(stride=61)][i // 4 % 2]))
                for i, (layout, quality, dtype) in enumerate(itertools.product(
                    ('nlc', 'ncl'), ('phred', 'error'), ('u8', 'f16', 'bf16', 'f32')))
                if (quality, dtype) != ('error', 'u8')]
FASTQ_TRIES += [dict(quality='phred', quality_in_x=True, channels='ACDEFGHIKLMNPQRSTVWY', dtype='f16', lower='channel'),
                dict(quality='error', quality_in_x=True, lower='channel', dtype='f32', crop=40, mutate=0.1,
                     long='head', mask=True, mask_in_x=True, pad_value=-2)]

# Of the files that make_files makes; `files` are those without groups. `stops`: after how many batches of both epochs
# a run ends of which another one goes on.
EQUAL = [('one', 1, 5, ['a400']), ('other', 1, 2, ['b150'])]
THREE = [('x', 3, 1, ['c37', 'b150']), ('y', 1, 0, ['a400', 'd1', 'e260']), ('z', 2, 7, ['g'])]
FIVE = [('a', 7, 250, ['a400']), ('b', 1, 0, ['c37']), ('c', 2, 3, ['b150', 'd1']), ('d', 2, 4, ['f']),
        ('e', 1, 5, ['e260'])]
ALL_READS = ['d1', 'c37', 'b150', 'e260', 'a400']
GROUP_TRIES = [
    dict(groups=EQUAL, stops=[1, 7, 18, 19, 25]),
    dict(groups=[('big', 3, 0, ['a400']), ('small', 1, 0, ['b150'])], shuffle=50, seed=6, rc=0.5, mutate=0.05,
         stops=[3, 20]),
    dict(groups=[('rare', 1, 1, ['d1']), ('often', 1000, 0, ['a400', 'c37'])], epoch_end='rows', epoch_rows=2100,
         shuffle=90, encode='tokens', rc=0.5, mutate=0.2, label='group', label_dtype='i64', stops=[5, 40]),
    dict(groups=[('often', 1000, 0, ['f']), ('rare', 1, 1, ['c37'])], epoch_end='rows', epoch_rows=1500, bases=40,
         shuffle=64, encode='tokens', rc=0.5),
    dict(groups=FIVE, epoch_end='first', shuffle=130, rc=0.5, mutate=0.02, seed=11, label='group', label_dtype='u8',
         stops=[2, 9]),
    dict(groups=FIVE, shuffle=1000, seed=2 ** 63 + 1, rows=90, world=3, rank=1, encode='tokens', long='crop',
         rc=0.3, label='group', label_dtype='f32', open_files=2, shuffle_files=True),
    dict(groups=FIVE, epoch_end='rows', epoch_rows=777, shuffle=100000, tail='short', world=2, rank=1, bases=60,
         stride=50, inject_n=0.1),
    dict(groups=THREE, open_files=2, seed=3, shuffle=33, stops=[4, 11, 50, 100]),
    dict(groups=THREE, open_files=3, shuffle_files=True, epoch_end='first', seed=2, shuffle=1, bases=50, rc=0.5),
    dict(groups=THREE, open_files=3, shuffle_files=True, epoch_end='rows', epoch_rows=1000, shuffle=400, seed=9,
         label='input', label_dtype='i32', tail='drop', mutate=0.1, mask=True, stops=[6, 17]),
    dict(groups=THREE, every=3, open_files=2, bases=33, stride=20, shuffle=70, label='input', label_dtype='f32',
         label_values=[0.25, -1, 3, 0, 1e6, 2]),
    dict(groups=THREE, first=29, epoch_end='rows', epoch_rows=500, shuffle_files=True, seed=5, long='head', bases=80),
    dict(groups=EQUAL, split=(3, 0.2, 0.6, 'name', '._'), shuffle=20, label='group', label_dtype='i32'),
    dict(groups=EQUAL, subsample_below=0.4, epoch_end='rows', epoch_rows=400, shuffle=16, seed=21, min_length=5),
    dict(groups=[('f', 2, 0, ['f']), ('g', 6, 0, ['g']), ('reads', 4, 0, ['c37', 'b150'])], bases=64, max_n=0.1,
         split=(12, 0, 0.7, 'block', 200), shuffle=48, open_files=2, encode='tokens', dtype='i32', mutate=0.3, seed=1),
    dict(groups=[('both', 6, 0, ['f', 'g']), ('reads', 4, 0, ['e260', 'c37'])], bases=70, stride=61, open_files=2,
         shuffle=200, shuffle_files=True, rc=0.5, seed=4, stops=[8, 30]),
    dict(groups=[('p', 2, -3, ['a400', 'd1']), ('q', 2, 9, ['e260'])], quality='phred', mask=True, crop=30, rc=0.5,
         long='head', min_quality=36, shuffle=64, seed=14, label='group', label_dtype='i64'),
    dict(groups=[('only', 1, 1, ['b150', 'c37'])], epoch_end='rows', epoch_rows=450, shuffle=40, open_files=2, rc=0.5,
         shuffle_files=True, label='group', label_dtype='f32'),
    dict(files=ALL_READS, open_files=2, shuffle=1, label='input', label_dtype='u8'),
    dict(files=ALL_READS, open_files=3, bases=20, stride=17, encode='tokens', shuffle=50, every=2, stops=[3, 60]),
    dict(files=ALL_READS, open_files=5, rc=0.5, mutate=0.01, long='tail', label='input', label_dtype='i64',
         label_values=[-1, 2, 2, 0, 5]),
    dict(files=ALL_READS, open_files=4, shuffle_files=True, world=2, rank=1, tail='short', shuffle=99, first=200),
    dict(files=ALL_READS, shuffle_files=True, seed=17, long='crop', bases=37, rc=0.5, stops=[2, 12]),
    dict(files=['f', 'g'], open_files=2, bases=30, encode='tokens', shuffle=10, max_n=0),
    dict(files=['g', 'f'], open_files=2, shuffle_files=True, bases=0, max_bases=150, long='center', seed=8),
    dict(files=['c37', 'd1'], epoch_end='rows', epoch_rows=333, shuffle=12, rc=0.5, subsample_below=0.9, stops=[4, 6]),
    dict(files=['b150'], epoch_end='first', shuffle=30, long='head', seed=1)]


def group_flags(o):
    """Options of groups, which end in the files of each."""
    line = ['--shuffle-files'] if o['shuffle_files'] else []
    if o['label']:
        line += ['--label', o['label'], '--label-dtype', o['label_dtype']]
        if o['label_values']:
            line += ['--label-values', ','.join(map(str, o['label_values']))]
    if o['epoch_end'] != 'all' and o['groups'] and not o['shuffle_files']:
        line += ['--allow-unseen']
    for name, weight, label, paths in o['groups'] or []:
        line += ['--group', '%s:%d' % (name, weight) + (':%s' % label if o['label'] == 'group' else '')] + paths
    return line


def flags(o):
    """The settings as fxbatch's options; what is not other than usual is left out. The files of groups come last."""
    line = []
    for name, value in o.items():
        if name in ('subsample_from', 'subsample_below', 'split', 'groups', 'shuffle_files', 'label', 'label_dtype',
                    'label_values'):
            continue
        if name in ('mask', 'mask_in_x', 'quality_in_x'):
            line += ['--' + name.replace('_', '-')] if value else []
        elif value != BASE[name] or name in ('rows', 'bases', 'long'):
            line += ['--' + name.replace('_', '-'), str(value)]
    if (o['subsample_from'], o['subsample_below']) != (0.0, 1.0):
        line += ['--subsample', '%s:%s' % (o['subsample_from'], o['subsample_below'])]
    if o['split']:
        salt, low, below, by = o['split'][:4]
        more = ',%s,%s' % o['split'][4:6] if by == 'field' else ',%d' % o['split'][4] if by == 'block' else ''
        line += ['--split', '%d:%s:%s:by=%s%s' % (salt, low, below, by, more)]
        if by in ('name', 'field') and o['split'][-1]:
            line += ['--split-strip', o['split'][-1]]
    return line + group_flags(o)


def make_reads(path, count=400, seed=4):
    """Reads of every letter and quality; lengths around rows of 100."""
    chooser = random.Random(seed)
    with open(path, 'w') as out:
        for i in range(count):
            n = chooser.choice([0, 1, 5, 33, 60, 100, 101, 150, 233])
            seq = ''.join(chooser.choice('ACGT' * 6 + 'acgtNnURYKMSWBDHVryxZ*-.') for _ in range(n))
            qual = ''.join(chr(33 + chooser.randrange(94)) for _ in range(n))
            title = '%sr%d:%d:%d%s%s' % (' ' * (i % 7 == 0), i % 3, i % 11, i % 50, ['', '/1', '/2', '_1', '.3', '/5'][i % 6],
                                         ['', ' a comment', '\tof r/2'][i % 4 % 3])
            out.write('@%s\n%s\n+\n%s\n' % (title, seq, qual))


def make_sequences(path, count, longest, seed):
    """FASTA of sequences of very different lengths, with stretches of N and of lower case."""
    chooser = random.Random(seed)
    with open(path, 'w') as out:
        for i in range(count):
            n = chooser.choice([longest, longest // 2, chooser.randrange(1, 200)])
            seq = ''.join(chooser.choice('ACGT') for _ in range(n))
            for part in (seq[n // 3:n // 3 + 90].lower(), 'N' * min(n // 5, 70)):
                at = chooser.randrange(n - len(part) + 1)
                seq = seq[:at] + part + seq[at + len(part):]
            out.write('>s%d of %d\n' % (i, n) + ''.join(seq[at:at + 60] + '\n' for at in range(0, n, 60)))


def make_files(directory):
    """The files of GROUP_TRIES, by their names: reads, as many as the name says, and sequences. Two are gzip."""
    paths = {}
    for name in ('a400', 'b150', 'c37', 'd1', 'e260', 'f', 'g'):
        paths[name] = path = os.path.join(directory, name)
        if name[1:]:
            make_reads(path, int(name[1:]), 'abcde'.index(name[0]) + 4)
        else:
            make_sequences(path, *((9, 4000, 1) if name == 'f' else (40, 700, 2)))
        if name in ('e260', 'g'):
            text = open(path, 'rb').read()
            with gzip.open(path, 'wb') as out:
                out.write(text)
    return paths


def epoch_line(e, batches, rows, digest):
    return 'epoch %d' % e, 'batches %d' % batches, 'rows %d' % rows, 'digest %016x' % digest


def run_tool(tool, arguments):
    """The lines of epochs and groups that fxbatch prints, cut in their columns; where it fails what it says."""
    out = subprocess.run([tool] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = [tuple(line.split('\t')) for line in out.stdout.decode().splitlines()]
    lines = [line[:4] if line[0].startswith('epoch ') else line[:3] for line in lines
             if line[0].startswith(('epoch ', 'group '))]
    if out.returncode != 0:
        lines.append('exit code %d: %s' % (out.returncode, out.stderr.decode().strip()))
    return lines


class Tally:
    """Counts what agreed."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, got, want):
        if got == want:
            self.passed += 1
        else:
            self.failed += 1
            print('FAILED', what, '\n  got   ', got, '\n  wanted', want)

    def end(self):
        print('%d passed, %d failed' % (self.passed, self.failed))
        return self.failed > 0


def main():
    tool, files = sys.argv[1], sys.argv[2:]
    tally = Tally()
    if tool == 'vectors':
        return print_vectors()
    with tempfile.TemporaryDirectory() as directory:
        if tool == 'selfcheck':
            selfcheck(tally, directory)
        elif files == ['groups']:
            compare_groups(tally, tool, directory)
        elif files:
            compare(tally, tool, files)
        else:
            path = os.path.join(directory, 'reads.fastq')
            make_reads(path)
            compare(tally, tool, [path], NAMED_TRIES)
            compare_groups(tally, tool, directory)
    return tally.end()


def compare(tally, tool, files, more=()):
    tries = TRIES + list(more)
    if all(read_records(f)[0][1] is not None for f in files):
        tries += FASTQ_TRIES
    for change in tries:
        o = dict(BASE, **change)
        got = run_tool(tool, ['--epochs', '2', '--workers', '3', '--allow-no-rows'] + flags(o) + files)
        tally.check(change, got, [epoch_line(e, *epoch(files, o, e)) for e in range(2)])


def compare_groups(tally, tool, directory):
    """The tries of groups, whole and in two runs."""
    paths = make_files(directory)
    for number, change in enumerate(GROUP_TRIES):
        o = dict(BASE, **change)
        files, stops = [paths[name] for name in o.pop('files', [])], o.pop('stops', [])
        if o['groups']:
            o['groups'] = [group[:3] + ([paths[name] for name in group[3]],) for group in o['groups']]
        groups, want, epochs = groups_of(files, o), [], []
        for e in range(2):
            order = epoch_order(groups, o, e)
            epochs.append(delivered(groups, order, o, e))
            want.append(epoch_line(e, *epochs[-1]))
            if o['groups']:
                want += [('group ' + name, 'passes %d' % passes, 'rows %d' % rows)
                         for name, passes, rows in group_rows(groups, order)]
        arguments = flags(o) + files
        tally.check(change, run_tool(tool, ['--epochs', '2', '--workers', str(1 + number % 4)] + arguments), want)
        for stop in stops:
            tally.check((change, 'stopped after', stop),
                        two_runs(tool, directory, arguments, stop, 1 + (number + stop) % 4), epochs)


def two_runs(tool, directory, arguments, stop, workers):
    """(batches, rows, digest) of both epochs, summed over a run that ends after some batches and one that goes on
    from there with another number of workers; where one fails what it says."""
    state, sums = os.path.join(directory, 'state'), [(0, 0, 0)] * 2
    for more in (['--workers', str(workers), '--stop-after', str(stop), '--state-file', state],
                 ['--workers', str(workers % 4 + 1), '--resume', state]):
        lines = run_tool(tool, ['--epochs', '2'] + more + arguments)
        for line in lines:
            if isinstance(line, str):
                return line
            if line[0].startswith('epoch '):
                e, batches, rows, digest = (int(column.split(' ')[1], 16 if column.startswith('digest') else 10)
                                            for column in line)
                old = sums[e]
                sums[e] = old[0] + batches, old[1] + rows, old[2] + digest & M64
    return sums


def check_mix(tally):
    """The shares of the mix, of which every prefix has them to less than a row, and every multiple of S exactly."""
    chooser = random.Random(1)
    lists = [[chooser.randrange(1, chooser.choice([2, 5, 30, 100])) for _ in range(chooser.randrange(2, 65))]
             for _ in range(296)]
    lists += [[50] + [1] * 50, [1] * 50 + [50], [1, 1000], [6, 4]]
    for weights in lists:
        of = [w // math.gcd(*weights) for w in weights]
        total = sum(of)
        rows = list(itertools.islice(mix(weights), 3 * total))
        places = [[] for _ in weights]
        for n, g in enumerate(rows):
            places[g].append(n)
        # Between two of its rows a group falls back; so it is furthest behind before each, and ahead after it.
        good = all(k * total < (n + 1) * w and n * w < (k + 1) * total
                   for g, w in enumerate(of) for k, n in enumerate(places[g]))
        good &= all(len(places[g]) == 3 * w for g, w in enumerate(of))
        for _ in range(20):
            size, g = chooser.randrange(1, 2 * total), chooser.randrange(len(of))
            at = chooser.randrange(3 * total - size)
            good &= abs(rows[at:at + size].count(g) * total - size * of[g]) < 2 * total
            at = chooser.randrange(2 * total)
            good &= rows[at:at + total].count(g) == of[g]
        tally.check(('shares', weights), good, True)
    for weights in lists[::50]:
        of = [fractions.Fraction(w) for w in weights]
        total, taken, want = sum(of) / math.gcd(*weights), [0] * len(of), []
        of = [w / math.gcd(*weights) for w in of]
        for n in range(int(total)):
            late = [((taken[g] + 1) / w, g) for g, w in enumerate(of) if taken[g] / w < (n + 1) / total]
            want.append(min(late)[1])
            taken[min(late)[1]] += 1
        tally.check(('the mix in fractions', weights), list(itertools.islice(mix(weights), len(want))), want)
    rare, good = 0, True
    for n, g in enumerate(itertools.islice(mix([1, 1000]), 10 ** 7)):
        if g == 0:
            good &= -1001 < rare * 1001 - n < 1001 and -1001 < (rare + 1) * 1001 - (n + 1) < 1001
            rare += 1
    tally.check('1:1000 in 10^7 rows', (good, rare), (True, 10 ** 7 // 1001))
    for weights, want in (([1, 1], '0101'), ([2, 1], '001001'), ([1, 2], '101101'), ([3, 1], '00010001'),
                          ([6, 4], '0100101001'), ([1], '000')):
        tally.check(('mix', weights), ''.join(map(str, itertools.islice(mix(weights), len(want)))), want)


def check_permutation(tally):
    """The permutation hits each number once, and every order of a few about as often."""
    chooser = random.Random(2)
    for n in list(range(1, 301)) + [chooser.randrange(301, 9000) for _ in range(6)] + [65535, 65536, 65537]:
        image = permute(n, round_keys(n, 1, 2, 3))
        tally.check(('a permutation of', n), sorted(map(image, range(n))) == list(range(n)), True)
    for n in (10 ** 12, 2 ** 40, 2 ** 40 + 1, 2 ** 63 - 1):
        image = permute(n, round_keys(5, 0, 0, 0))
        images = {image(i) for i in range(1500)}
        tally.check(('within', n), (len(images), max(images) < n), (1500, True))
        quarters = collections.Counter(4 * i // n for i in images)
        tally.check(('spread over', n), all(300 < quarters[k] < 450 for k in range(4)), True)
    keys = [round_keys(seed, 0, 0, 0) for seed in range(6000)]
    for n in range(2, 6):
        seen = collections.Counter(tuple(map(permute(n, k), range(n))) for k in keys)
        orders = math.factorial(n)
        expected = len(keys) / orders
        square = sum((seen[order] - expected) ** 2 / expected for order in itertools.permutations(range(n)))
        tally.check(('chi-square', n, square), square < orders - 1 + 4 * math.sqrt(2 * (orders - 1)), True)
    variants = {tuple(round_keys(*of)) for of in [(1, 1, 1, 1), (0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0),
                                                  (1, 1, 1, 1, FILES), (1, 2 ** 32, 1, 1), (2 ** 32, 1, 1, 1)]}
    tally.check('keys of their own', len(variants), 8)


def plain_epoch(paths, o, e):
    """One epoch of one group without filters, as tokens of whole reads: written once more from the definitions."""
    rows = [(p << 40 | r, seq[:o['bases']]) for p, path in enumerate(paths)
            for r, (seq, _, _) in enumerate(read_records(path))]
    cells, order, key = {}, [], stage_key(o['seed'], e, SHUFFLE)
    for s, row in enumerate(rows):
        j, u = shuffle_draws(key, row[0], 0, max(1, o['shuffle']))
        if s >= max(1, o['shuffle']):
            order.append(cells[j][2])
        cells[s if s < max(1, o['shuffle']) else j] = u, s, row
    order += [cell[2] for cell in sorted(cells.values())]
    digest = 0
    for n, (rid, seq) in enumerate(order):
        tokens = bytes({65: 1, 67: 2, 71: 3, 84: 4, 85: 4}.get(b & 0xDF if b >= 64 else b, 5) for b in seq)
        body = tokens.ljust(o['bases'], b'\0') + struct.pack('<iqIq', len(seq), rid, 0, 0)
        digest += xxh64(body, xxh64(struct.pack('<3Q', e, n // o['rows'], n % o['rows'])))
    return -(-len(order) // o['rows']), len(order), digest & M64


def write_reads(directory, name, lengths):
    path = os.path.join(directory, name)
    with open(path, 'w') as out:
        for i, n in enumerate(lengths):
            out.write('@%s%d\n%s\n+\n%s\n' % (name, i, 'A' * n, 'I' * n))
    return path


def told(order):
    """The rows of an epoch as 'a0 b0': letter of the file and record, its piece if not 0, a mark for each pass."""
    return ' '.join('%s%d%s%s' % ('abcdefgh'[row.rid >> 40], row.rid & M32, '.%d' % row.piece if row.piece else '',
                                  "'" * row.turn) for row in order)


def check_epochs(tally, directory):
    """Ends of an epoch, turns and passes, done by hand."""
    def paths(*lengths):
        return [write_reads(directory, 'abcdefgh'[i], of) for i, of in enumerate(lengths)]

    def rows(lists, e=0, **change):
        """Of lists of lengths: one is the file of a group, without weights all files are of one."""
        read_records.cache_clear()
        weights, o = change.pop('weights', None), dict(BASE, **change)
        files = paths(*lists)
        if weights:
            o['groups'] = [(str(i), w, i, [path]) for i, (w, path) in enumerate(zip(weights, files))]
        return epoch_order(groups_of(files, o), o, e)
    three, two = [1] * 3, [1] * 2
    for lists, change, want in (
            ([three, two], dict(weights=[1, 1]), 'a0 b0 a1 b1 a2'),
            ([three, two], dict(weights=[1, 1], epoch_end='first'), 'a0 b0 a1 b1 a2'),
            ([two, three], dict(weights=[1, 1]), "a0 b0 a1 b1 a0' b2"),
            ([two, three], dict(weights=[1, 1], epoch_end='first'), 'a0 b0 a1 b1'),
            ([three, two], dict(weights=[5, 5], epoch_end='rows', epoch_rows=9), "a0 b0 a1 b1 a2 b0' a0' b1' a1'"),
            ([three, two], dict(weights=[1, 1], epoch_end='rows', epoch_rows=3), 'a0 b0 a1'),
            ([three, two], dict(weights=[2, 1]), "a0 a1 b0 a2 a0' b1"),
            ([three, two], dict(weights=[2, 1], epoch_end='first'), 'a0 a1 b0 a2'),
            ([three, [1]], dict(weights=[1, 2]), "b0 a0 b0' b0'' a1 b0''' b0'''' a2"),
            ([two, two], dict(weights=[1, 1]), 'a0 b0 a1 b1'),
            ([two, two], dict(weights=[1, 1], epoch_end='first'), 'a0 b0 a1 b1'),
            ([three], dict(), 'a0 a1 a2'),
            ([three], dict(epoch_end='first'), 'a0 a1 a2'),
            ([three], dict(epoch_end='rows', epoch_rows=7), "a0 a1 a2 a0' a1' a2' a0''"),
            ([three], dict(first=2, weights=[1], epoch_end='rows', epoch_rows=5), "a0 a1 a0' a1' a0''"),
            ([three, two, three], dict(every=2, weights=[1, 1, 1]), "a0 b0 c0 a2 b0' c2"),
            ([three, [1], two], dict(), 'a0 a1 a2 b0 c0 c1'),
            ([three, [1], two], dict(open_files=1), 'a0 a1 a2 b0 c0 c1'),
            ([three, [1], two], dict(open_files=2), 'a0 b0 a1 c0 a2 c1'),
            ([three, [1], two], dict(open_files=3), 'a0 b0 c0 a1 c1 a2'),
            ([three, [1], two], dict(open_files=9), 'a0 b0 c0 a1 c1 a2'),
            ([three, [1], [1], two], dict(open_files=2), 'a0 b0 a1 c0 a2 d0 d1'),
            ([[250, 1], [1, 101]], dict(), 'a0 a0.1 a0.2 a1 b0 b1 b1.1'),
            ([[250, 1], [1, 101]], dict(open_files=2), 'a0 b0 a0.1 b1 a0.2 b1.1 a1'),
            ([[250, 1], [1, 101]], dict(open_files=2, long='head'), 'a0 b0 a1 b1'),
            ([[250, 1], [1, 101]], dict(open_files=2, crop=20), 'a0 b0 a1 b1'),
            ([[250, 1], [1, 101]], dict(open_files=2, max_length=100), 'b0 a1'),
            ([[1, 1, 250], [250, 1, 1]], dict(open_files=2, every=2), 'a0 a1 b1'),
            ([[1, 1], [1, 250], [1, 1]], dict(open_files=2, first=4), 'a0 b0 a1 b1 b1.1 b1.2')):
        tally.check((change, lists), told(rows(lists, **change)), want)
    # Groups of 400 and 90 rows, the first shuffled over 60 of 80 cells: in pass 0 as if it were alone with 60.
    many = [[1] * 400, [1] * 90]
    alone = [row.rid for row in rows(many[:1], shuffle=60, seed=3)]
    both = rows(many, shuffle=80, seed=3, weights=[3, 1])
    tally.check('pass 0 as alone', [row.rid for row in both if row.group == 0 and row.turn == 0], alone)
    later = [[row.rid for row in both if (row.group, row.turn) == (1, turn)] for turn in (0, 1)]
    tally.check('each pass has every row', (len(later[0]), set(later[0]) >= set(later[1])), (90, True))
    tally.check('another pass, another order', later[0][:40] != later[1][:40] and len(later[1]) >= 40, True)
    tally.check('keys of passes', (pass_keys(1, 2, 0)[CROP] == stage_key(1, 2, CROP),
                                   len({pass_keys(1, 2, turn)[CROP] for turn in range(9)}),
                                   stage_key(1, 2, CROP, 2 ** 32) == stage_key(1, 2, CROP)), (True, 9, True))
    orders = collections.Counter(told(rows([[1], [1], [1]], e, shuffle_files=True)) for e in range(240))
    tally.check(('orders of 3 files', orders), len(orders) == 6 and min(orders.values()) > 20, True)
    passes = told(rows([[1], [1]], shuffle_files=True, epoch_end='rows', epoch_rows=60)).replace("'", '').split(' ')
    tally.check(('files in an order of each pass', passes),
                5 < sum(passes[i:i + 2] == ['a0', 'b0'] for i in range(0, 60, 2)) < 25, True)
    files = paths([1] * 5, [1] * 2)
    labels = dict(BASE, groups=[('x', 1, -1, files[:1]), ('y', 1, 2.5, files[1:])], label='group')
    groups = groups_of([], labels)
    row = epoch_order(groups, labels, 0)[1]
    for change, want in ((dict(), '<f 2.5'), (dict(label='input'), '<f 1'), (dict(label=None), None),
                         (dict(label='input', label_values=[4, -7], label_dtype='i64'), '<q -7'),
                         (dict(label='input', label_dtype='u8'), '<B 1'), (dict(label_dtype='i32', at=0), '<i -1')):
        of = row if change.pop('at', 1) else row._replace(group=0)
        want = struct.pack(want[:2], float(want[3:]) if want[1] == 'f' else int(want[3:])) if want else b''
        tally.check(('label', change), label_bytes(dict(labels, **change), groups, of), want)
    tally.check('passes and rows', group_rows(groups, rows([three, [1]], weights=[1, 2])), [('x', 1, 3), ('y', 5, 5)])


def selfcheck(tally, directory):
    check_mix(tally)
    check_permutation(tally)
    check_epochs(tally, directory)
    made = make_files(directory)
    for change in (dict(), dict(shuffle=40, seed=8), dict(shuffle=10 ** 6, seed=2 ** 50, rows=7)):
        o = dict(BASE, encode='tokens', long='head', bases=90, **change)
        files = [made['c37'], made['b150'], made['d1']]
        one = dict(o, groups=[('one', 7, 0, files)], epoch_end='first', open_files=1)
        for e in (0, 3):
            want = plain_epoch(files, o, e)
            tally.check(('one group', change, e), [epoch(files, o, e), epoch([], one, e)], [want, want])


def print_vectors():
    """Lines of columns: P, stage, seed, epoch, pass, group, n, first 16 images; mix, weights, groups of 40 rows."""
    print('what\tstage\tseed\tepoch\tpass\tgroup\tn\tvalues')
    for seed, e, turn, group, n in ((0, 0, 0, 0, 1), (0, 0, 0, 0, 2), (0, 0, 0, 0, 5), (1, 0, 0, 0, 16),
                                    (1, 1, 0, 0, 16), (1, 0, 1, 0, 16), (1, 0, 0, 1, 16), (42, 7, 3, 63, 1000),
                                    (42, 7, 3, 63, 65535), (42, 7, 3, 63, 65536), (2 ** 40 + 3, 2 ** 33, 0, 2, 65537),
                                    (2 ** 64 - 1, 2 ** 64 - 1, 2 ** 32 - 1, 9, 2 ** 40 + 1)):
        for stage in (FILES, PERMUTE):
            image = permute(n, round_keys(seed, e, turn, group, stage))
            print('P', stage, seed, e, turn, group, n, ','.join(str(image(i)) for i in range(min(n, 16))), sep='\t')
    for weights in ([1], [1, 1], [3, 1], [1, 3], [2, 4, 6], [7, 1, 2, 2, 1], [50] + [1] * 50, [1, 1000], [9, 7, 5, 3]):
        print('mix', *([''] * 5), ','.join(map(str, weights)),
              ','.join(map(str, itertools.islice(mix(weights), 40))), sep='\t')
    return 0


if __name__ == '__main__':
    sys.exit(main())
