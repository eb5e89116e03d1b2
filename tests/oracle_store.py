#!/usr/bin/env python3
"""Stores, regions and their orders, written from the definition in the simplest way and before there is C for them.

    python3 tests/oracle_store.py selfcheck
    python3 tests/oracle_store.py rows FIELD=VALUE... FILE...
    python3 tests/oracle_store.py vectors
    python3 tests/oracle_store.py bed > tests/bed_table.h
    python3 tests/oracle_store.py picks > tests/picks_oracle.h
    python3 tests/oracle_store.py loader > tests/store_vectors.h
    python3 tests/oracle_store.py mixed > tests/mixed_vectors.h
    python3 tests/oracle_store.py build/examples/fxbatch
    python3 tests/oracle_store.py build/examples/fxstore

`selfcheck` holds what is written here against published values, examples done by hand and what the definition
promises. `rows` prints each row of an epoch, and then the epoch as fxbatch prints it:

    row E  batch B  at ROW  group G  pass P  id PATH:RECORD  piece C  start BASE  strand 0|1  bases N  digest HEX
    epoch E  batches N  rows N  digest HEX

with one tab between the columns. Its fields are those of BASE below and of BASE in oracle.py, e.g.

    rows bases=100 region=grid strands=both store_order=exact seed=4 epoch=1 genome.fasta
    rows bases=100 store=genome:2:a.fasta,b.fasta text=reads:1:reads.fastq epoch_end=rows epoch_rows=900

`vectors` prints a table of such epochs over files made here, for tests in C. Given fxbatch, it compares that table
with what fxbatch prints; given fxstore, it compares the files of stores byte for byte. `bed` prints what is read of
BED lines, by hand and at random, for tests/test_bed.c, `picks` rows for tests/test_picks.c, `loader` epochs for
tests/test_store_loader.c, `mixed` those of stores beside text for tests/test_mixed.c. Orders, random numbers, filters, encoding, ranks, tails and digest are those of oracle.py.
Where the definition leaves something open, a line here that begins with `Open` says what was taken.
Ends with 'N passed, N failed'.
"""
import ast
import bisect
import collections
import itertools
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import textwrap

import oracle
from oracle import M32, M64, bounded, element, permute, round_keys, share_is_fine, words, xxh64

# region: None, 'grid' or 'intervals'. sequences: names whose regions a grid has. intervals: (name, start, end,
# strand, label, summit) each; a summit that is not there is 0. A limit of None is none.
BASE = dict(oracle.BASE, store_order='file', region=None, grid_stride=0, sequences=None, intervals=None,
            strands='plus', fit='exact', jitter=0, edge='pad', minus_pad='start', max_lower=None, max_other=None,
            names='whole', letters='dna', duplicate_names=False, allow_no_rows=False)
CANDIDATES_MOST = 1 << 30
MIX_MOST = 1 << 20


class Refused(ValueError):
    """What open refuses, or what ends an epoch."""


# ---- the store ----

def runs_of(text, pattern):
    return [(m.start(), m.end() - m.start()) for m in re.finditer(pattern, text, re.DOTALL)]


def first_word(title):
    return re.split(b'[ \t]', title.lstrip(b' \t'))[0]


Record = collections.namedtuple('Record', 'rid first bases quality_sum error_sum min_quality max_quality acgt gc n '
                                          'lower')
QUALITY_BLOCK = 4096


def pack_codes(codes):
    codes = bytearray(codes) + bytes(-len(codes) % 4)
    return bytes(codes[i] | codes[i + 1] << 2 | codes[i + 2] << 4 | codes[i + 3] << 6 for i in range(0, len(codes), 4))


def unpack_codes(packed, count):
    return [packed[at >> 2] >> 2 * (at & 3) & 3 for at in range(count)]


class Store:
    """Sequences of files, or of lists of (sequence, quality or None, title), packed, and as they were on request."""

    def __init__(self, inputs, letters='dna', names='whole', duplicate_names=False, qualities=True):
        lists = [x if isinstance(x, list) else oracle.read_records(x) for x in inputs]
        all_records = [(p << 40 | r,) + record for p, of in enumerate(lists) for r, record in enumerate(of)]
        self.letters, self.names_kind, self.inputs = letters, names, len(inputs)
        self.mates, self.two = 1, False  # of pairs 2, and whether the mates of a pair are of two inputs
        self.has_quality = qualities and bool(all_records) and all(record[2] is not None for record in all_records)
        self.is_fastq = any(record[2] is not None for record in all_records)
        self.records, self.touched = [], []
        self.titles = [title if names == 'whole' else first_word(title) for _, _, _, title in all_records]
        if names == 'none':
            self.titles = None
        self.n_runs, self.lower_runs, self.others, self.first_of_name = [], [], [], {}
        first = 0
        for rid, seq, qual, title in all_records:
            self.records.append(self.counted(rid, first, seq, qual))
            first += len(seq)
        whole = b''.join(record[1] for record in all_records)
        self.bases = len(whole)
        self.is_rna = letters == 'dna' and not re.search(b'[Tt]', whole) and bool(re.search(b'[Uu]', whole))
        self.u_count = whole.upper().count(b'U')
        self.pack(whole)
        self.pack_qualities([record[2] for record in all_records])
        self.list_names(duplicate_names)

    def counted(self, rid, first, seq, qual):
        """U is none of A C G T, as in what a reader counts."""
        upper = bytes(seq).upper()
        count = {letter: upper.count(letter) for letter in (b'A', b'C', b'G', b'T', b'N')}
        numbers = [q - 33 for q in qual] if self.has_quality else []
        return Record(rid, first, len(seq), sum(numbers), sum(oracle.ERRORS[q] for q in numbers),
                      min(numbers, default=0), max(numbers, default=0), sum(count.values()) - count[b'N'],
                      count[b'G'] + count[b'C'], count[b'N'], sum(97 <= b <= 122 for b in seq))

    def pack(self, whole):
        """Two bits a base, the first in the lowest bits, as biost_pack_bases; what they cannot say goes to lists."""
        if self.letters == 'bytes':
            self.packed = whole
            return
        upper, thymine = whole.upper(), b'U' if self.is_rna else b'T'
        other = b'[^ACGN' + thymine + b']'
        # Open: whether a run may go on from one record into the next. Here it may not.
        for record in self.records:
            part = slice(record.first, record.first + record.bases)
            self.n_runs += [(record.first + at, n) for at, n in runs_of(upper[part], b'N+')]
            self.lower_runs += [(record.first + at, n) for at, n in runs_of(whole[part], b'[a-z]+')]
            self.others += [(record.first + at, n, upper[record.first + at])
                            for at, n in runs_of(upper[part], b'(' + other + b')\\1*')]
        # Open: which runs count, and over what. Here all three lists together, over the whole store.
        if 8 * (len(self.n_runs) + len(self.lower_runs) + len(self.others)) > self.bases:
            raise Refused('more than one run of N, of lower case or of other letters per 8 bases: letters BYTES')
        self.packed = pack_codes([oracle.CODE.get(b, 0) for b in upper])

    def pack_qualities(self, quals):
        """Blocks of (palette, bits a quality, bytes): ascending palette, its least width, first quality lowest."""
        self.quality_blocks = []
        for block in range(0, len(quals), QUALITY_BLOCK) if self.has_quality else ():
            text = b''.join(quals[block:block + QUALITY_BLOCK])
            palette = bytes(sorted(set(text)))
            width = next(w for w in (1, 2, 4, 8) if len(palette) <= 1 << w)
            number = 0
            for i, q in enumerate(text):
                number |= palette.index(q) << i * width
            self.quality_blocks.append((palette, width, number.to_bytes((len(text) * width + 7) // 8, 'little')))

    def list_names(self, duplicate_names):
        for i, title in enumerate(self.titles or ()):
            name = first_word(title)
            # Open: what a name of no letter is. Here nothing finds it, and two of them are no duplicates.
            if name in self.first_of_name and not duplicate_names:
                raise Refused('two sequences are named %s' % name.decode('latin-1'))
            if name:
                self.first_of_name.setdefault(name, i)

    def find(self, name):
        # Open: what of two with one name is found. Here the first.
        return self.first_of_name.get(name.encode('latin-1') if isinstance(name, str) else name)

    def fetch(self, i, start, end):
        """Bases [start, end) of sequence i as they are in its file."""
        record = self.records[i]
        if not 0 <= start <= end <= record.bases:
            raise Refused('bases %d to %d of a sequence of %d' % (start, end, record.bases))
        self.touched.append((i, start, end))
        low, high = record.first + start, record.first + end
        if self.letters == 'bytes':
            return self.packed[low:high]
        letters = b'ACGU' if self.is_rna else b'ACGT'
        out = bytearray(letters[self.packed[at >> 2] >> 2 * (at & 3) & 3] for at in range(low, high))
        for runs, change in ((self.n_runs, lambda b, _: ord('N')), (self.others, lambda b, run: run[2]),
                             (self.lower_runs, lambda b, _: b | 32)):
            at = bisect.bisect_right(runs, (low, 1 << 62)) - 1
            for run in runs[max(at, 0):]:
                if run[0] >= high:
                    break
                for b in range(max(run[0], low), min(run[0] + run[1], high)):
                    out[b - low] = change(out[b - low], run)
        return bytes(out)

    def quality(self, i, start, end):
        """Qualities of bases [start, end), as in the file; None where there are none."""
        if not self.has_quality:
            return None
        palette, width, packed = self.quality_blocks[i // QUALITY_BLOCK]
        origin = self.records[i - i % QUALITY_BLOCK].first
        at = (self.records[i].first - origin + start) * width
        bits = int.from_bytes(packed[at // 8:(at + (end - start) * width + 7) // 8], 'little') >> at % 8
        return bytes(palette[bits >> k * width & (1 << width) - 1] for k in range(end - start))

    def title(self, i):
        return self.titles[i] if self.titles is not None else b''


# ---- the file of a store ----
#
# Open: the definition names what a file has, not where. This is what the banner of >>tables in biostream.h says, in
# the same words: all numbers are little-endian, every section begins at a multiple of 4096.
#
#     byte  0  "BIOSTST" and the version, 1                        8
#           8  bytes of the file in all                            8
#          16  mark of the byte order 0x0102030405060708           8
#          24  flags: 1 BYTES, 2 RNA, 4 qualities, 8 names only, 16 no names, 32 two of one name,
#              64 of FASTQ, without its qualities                             4
#          28  records in a block of qualities                     4
#          32  records, bases, inputs, runs of ids                 4 x 8
#          64  rules of gzip, rules of text, max_record_bytes      3 x 8
#          88  bases of the longest record; lower case, N, others  4 x 8
#         120  bytes of a number in each column, of each list's index, of the heads of names   11 + 3 + 1
#         135  k, where names have 2^k heads                       1
#         136  for each section: offset, bytes, XXH64 (seed 0)     15 x 24
#         496  XXH64, seed 0, of all bytes of the head before      8
#
# 0 body 1 inputs 2 ids 3 columns 4 firsts 5, 6 index and runs of N 7, 8 of lower case 9, 10 of others 11 blocks
# 12 texts 13 titles 14 heads
FILE_MAGIC, FILE_VERSION, FILE_MARK, FILE_SECTIONS, FILE_HEAD = b'BIOSTST', 1, 0x0102030405060708, 15, 504
FILE_TABLE = 136
BODY_SECTIONS = (0,)   # what `verify` looks at; the others are looked at by each load
BUCKET, STEP, BLOCK_BYTES = 4096, 16, 112


def numbers_of(rows):
    flat = [x for row in rows for x in row]
    return struct.pack('<%dQ' % len(flat), *flat)


def rows_of_numbers(data, count):
    flat = struct.unpack('<%dQ' % (len(data) // 8), data)
    return [flat[i:i + count] for i in range(0, len(flat), count)]


def column_of(numbers):
    """The bytes that the largest number needs, and the numbers in so many bytes each."""
    width = (max(numbers, default=0).bit_length() + 7) // 8
    return width, b''.join(number.to_bytes(width, 'little') for number in numbers)


def numbers_of_column(data, width, count):
    return [int.from_bytes(data[i * width:(i + 1) * width], 'little') for i in range(count)]


def list_of(runs, bases):
    """A list's index, its width, and the runs, cut where a stretch of 4096 bases ends."""
    words = []
    for run in runs:
        start, end, letter = run[0], run[0] + run[1], run[2] if len(run) > 2 else 0
        while start < end:
            stop = min(end, (start // BUCKET + 1) * BUCKET)
            words.append((start // BUCKET, start % BUCKET | stop - start - 1 << 12 | letter << 24))
            start = stop
    before = [word[0] for word in words]
    width, index = column_of([bisect.bisect_left(before, k) for k in range(-(-bases // BUCKET) + 1)])
    return width, index + bytes(8), b''.join(struct.pack('<I', word) for _, word in words)


def runs_of_list(index, width, words, with_letter):
    ends = numbers_of_column(index, width, (len(index) - 8) // width) if width else [0]
    runs = []
    for k, (a, b) in enumerate(zip(ends, ends[1:])):
        for (word,) in struct.iter_unpack('<I', words[4 * a:4 * b]):
            runs.append((k * BUCKET + (word & 4095), (word >> 12 & 4095) + 1, word >> 24)[:3 if with_letter else 2])
    return runs


def name_chains(store):
    """k, the heads of 2^k chains, at least one a name, and the next sequence of each in its chain; number + 1, 0 is
    none. Only the first sequence of a name is there."""
    names = sorted(store.first_of_name.items(), key=lambda item: item[1])
    bits = max(sum(bool(first_word(title)) for title in store.titles) - 1, 0).bit_length()
    heads, following = [0] * (1 << bits), [0] * len(store.records)
    for name, i in reversed(names):
        at = xxh64(name) & len(heads) - 1
        following[i], heads[at] = heads[at], i + 1
    return bits, heads, following


def body_of(store):
    """Bases; with qualities for each block its bases and qualities, and the blocks' table."""
    if not store.has_quality:
        return store.packed, b''
    body, table = b'', b''
    for k, (palette, width, packed) in enumerate(store.quality_blocks):
        of = store.records[k * QUALITY_BLOCK:(k + 1) * QUALITY_BLOCK]
        low, high = of[0].first, of[-1].first + of[-1].bases
        bases_at = len(body)
        if store.letters == 'bytes':
            body += store.packed[low:high]
        else:
            body += pack_codes([store.packed[at >> 2] >> 2 * (at & 3) & 3 for at in range(low, high)])
        table += numbers_of([(bases_at, len(body))]) + bytes([width, len(palette)]) + palette.ljust(94, b'\0')
        body += packed
    return body, table


def id_runs(store):
    """Of pairs from two inputs the runs are those of the first mates, which are every other record."""
    runs, before, step = [], None, 2 if store.two else 1
    for i in range(0, len(store.records), step):
        rid = store.records[i].rid
        assert step == 1 or store.records[i + 1].rid == rid + (1 << 40)
        if before is None or rid != before + 1:
            runs.append((i, rid))
        before = rid
    return runs


def fingerprint_of(data):
    """(size, fingerprint) of the bytes of an input, as an index has them."""
    return len(data), xxh64(struct.pack('<Q', len(data)) + data[:65536] + data[max(0, len(data) - 65536):])


def store_bytes(store, inputs=(), rules=(0, 1, 0)):
    """The file. `inputs`: (size, fingerprint, records) of each."""
    titles = store.titles if store.titles is not None else []
    records, has_names = store.records, store.titles is not None
    bits, heads, following = name_chains(store) if has_names else (0, [], [0] * len(records))
    columns = [column_of(column) for column in (
        [r.bases for r in records], [r.bases - r.acgt - r.n for r in records], [r.gc for r in records],
        [r.n for r in records], [r.lower for r in records], [r.quality_sum for r in records],
        [r.error_sum for r in records], [r.min_quality for r in records], [r.max_quality for r in records],
        [len(t) for t in titles] or [0] * len(records), following)]
    head_width, head_column = column_of(heads)
    ends = list(itertools.accumulate(map(len, titles), initial=0))
    body, blocks = body_of(store)
    if store.letters == 'bytes':
        lists = [list_of([], store.bases)] * 3
    else:
        lists = [list_of(runs, store.bases) for runs in (store.n_runs, store.lower_runs, store.others)]
    sections = [body, numbers_of(inputs), numbers_of(id_runs(store)), b''.join(c for _, c in columns) + bytes(8),
                numbers_of([[r.first for r in records[::STEP]]])]
    for _, index, runs in lists:
        sections += [index, runs]
    sections += [blocks, numbers_of([ends[:-1][::STEP]]) if has_names else b'', b''.join(titles),
                 head_column + bytes(8) if has_names else b'']
    flags = (store.letters == 'bytes') | store.is_rna << 1 | store.has_quality << 2 | \
        (store.names_kind == 'name') << 3 | (store.names_kind == 'none') << 4 | \
        (len(store.first_of_name) < len([t for t in titles if first_word(t)])) << 5 | \
        (store.is_fastq and not store.has_quality) << 6 | (store.mates == 2) << 7 | store.two << 8
    lower, n = sum(r.lower for r in records), sum(r.n for r in records)
    others = sum(r.bases - r.acgt - r.n for r in records) - (store.is_rna and store.u_count)
    at, table, rest = 4096, [], b''
    for data in sections:
        table.append((at, len(data), xxh64(data)))
        rest += data + bytes(-len(data) % 4096)
        at += len(data) + -len(data) % 4096
    widths = bytes([w for w, _ in columns] + [w for w, _, _ in lists] + [head_width, bits])
    head = FILE_MAGIC + bytes([FILE_VERSION + (store.mates == 2)]) + struct.pack('<QQII', at, FILE_MARK, flags, QUALITY_BLOCK) + \
        numbers_of([(len(records), store.bases, len(inputs), len(id_runs(store))), rules,
                    (max((r.bases for r in records), default=0), lower, n, others)]) + widths + numbers_of(table)
    return (head + struct.pack('<Q', xxh64(head))).ljust(4096, b'\0') + rest


def store_of_bytes(data, verify=False):
    """The store in a file's bytes; with verify its bases and qualities are checked, too."""
    if data[:7] != FILE_MAGIC[:len(data[:7])] or not data:
        raise Refused('no store')
    if len(data) > 7 and data[7] != FILE_VERSION:
        raise Refused('version %d' % data[7])
    if len(data) < FILE_HEAD:
        raise Refused('cut')
    size, mark, flags, _, count, bases, inputs, _ = struct.unpack_from('<QQIIQQQQ', data, 8)
    if mark != FILE_MARK:
        raise Refused('byte order' if mark == int.from_bytes(struct.pack('>Q', FILE_MARK), 'little') else 'damaged')
    if xxh64(data[:FILE_HEAD - 8]) != struct.unpack_from('<Q', data, FILE_HEAD - 8)[0]:
        raise Refused('damaged')
    if len(data) != size:
        raise Refused('cut' if len(data) < size else 'longer than it says')
    parts = []
    for i, (at, n, sum_) in enumerate(rows_of_numbers(data[FILE_TABLE:FILE_HEAD - 8], 3)):
        parts.append(data[at:at + n])
        if (verify or i not in BODY_SECTIONS) and xxh64(parts[-1]) != sum_:
            raise Refused('damaged')
    store = Store.__new__(Store)
    store.letters = 'bytes' if flags & 1 else 'dna'
    store.is_rna, store.has_quality, store.bases = bool(flags & 2), bool(flags & 4), bases
    store.is_fastq = bool(flags & (4 | 64))
    store.names_kind = 'name' if flags & 8 else 'none' if flags & 16 else 'whole'
    widths, columns, at = data[120:136], [], 0
    for width in widths[:11]:
        columns.append(numbers_of_column(parts[3][at:], width, count))
        at += width * count
    runs = rows_of_numbers(parts[2], 2) + [(count, 0)]
    ids = [rid + i - a for (a, rid), (b, _) in zip(runs, runs[1:]) for i in range(a, b)]
    firsts = list(itertools.accumulate(columns[0], initial=0))
    assert [f for (f,) in rows_of_numbers(parts[4], 1)] == firsts[:-1][::STEP] and len(parts[1]) == 24 * inputs
    store.records = [Record(ids[i], firsts[i], n, columns[5][i], columns[6][i], columns[7][i], columns[8][i],
                            n - columns[1][i] - columns[3][i], columns[2][i], columns[3][i], columns[4][i])
                     for i, n in enumerate(columns[0])]
    store.touched, store.inputs = [], inputs
    store.n_runs, store.lower_runs = (runs_of_list(parts[k], widths[w], parts[k + 1], False)
                                      for k, w in ((5, 11), (7, 12)))
    store.others = runs_of_list(parts[9], widths[13], parts[10], True)
    store.quality_blocks, codes = [], []
    for k, at in enumerate(range(0, len(parts[11]), BLOCK_BYTES)):
        bases_at, quality_at, width, colours = struct.unpack_from('<QQBB', parts[11], at)
        n = firsts[min(count, (k + 1) * QUALITY_BLOCK)] - firsts[k * QUALITY_BLOCK]
        packed = parts[0][bases_at:quality_at]
        codes += packed if store.letters == 'bytes' else unpack_codes(packed, n)
        store.quality_blocks.append((parts[11][at + 18:at + 18 + colours], width,
                                     parts[0][quality_at:quality_at + (n * width + 7) // 8]))
    store.packed = parts[0] if not store.has_quality else \
        bytes(codes) if store.letters == 'bytes' else pack_codes(codes)
    ends = list(itertools.accumulate(columns[9], initial=0))
    store.titles = None if flags & 16 else [parts[13][ends[i]:ends[i + 1]] for i in range(count)]
    store.first_of_name = {}
    heads = numbers_of_column(parts[14], widths[14], 1 << widths[15]) if parts[14] else []
    for i in heads:
        while i:
            store.first_of_name[first_word(store.titles[i - 1])] = i - 1
            i = columns[10][i - 1]
    return store


# ---- intervals: BED ----

LABEL_MOST = 1 << 53
REAL, INTEGER = r'[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?', '[+-]?[0-9]+'


def label_value(text, dtype):
    """A label as a number of its type: decimal digits, nothing around them. Open: what labels of i64 can be. Here what
    a double holds without a gap, since that is what an interval has for them: -2^53 to 2^53."""
    try:
        if not re.fullmatch(REAL if dtype == 'f32' else INTEGER, text):
            raise ValueError
        value = float(text) if dtype == 'f32' else int(text)
        if value in (math.inf, -math.inf):
            raise OverflowError
        element(dtype, value)
    except (ValueError, struct.error, OverflowError):
        raise Refused('the label %s is no %s' % (text, dtype))
    if dtype != 'f32' and abs(value) > LABEL_MOST:
        raise Refused('the label %s is no %s' % (text, dtype))
    return value


BLANKS = ' \t\v\f\r'
STRAND_WORDS = 'f r plus minus fwd rev forward reverse'.split()


def read_bed(text, label_column=0, label_dtype='f32', summit=False, edge='pad'):
    """The intervals of BED lines: (name, start, end, strand, label), and with `summit` column 10 as the sixth. Columns
    count from 1; 0: no label. Open: what parts columns, which lines are none, what a strand of '.' is. Here tabs, or
    BLANKS in a line without a tab; lines that are empty or begin with '#', or with 'track' or 'browser' and no two
    numbers; plus. An interval without a base is refused, but where DROP leaves it out, and so is a strand that stands
    last in column 4 or 5, with none in column 6."""
    intervals = []
    for number, line in enumerate(text.replace('\r\n', '\n').split('\n'), 1):
        fields = line.split('\t') if '\t' in line else re.split('[%s]+' % BLANKS, line.strip(BLANKS))
        is_header = re.match('(track|browser)([%s]|$)' % BLANKS, line) and not (
            len(fields) > 2 and all(re.fullmatch('-?[0-9]{1,18}', field) for field in fields[1:3]))
        if not line.strip(BLANKS) or line.startswith('#') or is_header:
            continue
        try:
            if len(fields) < 3:
                raise Refused('%d columns, not at least 3' % len(fields))
            for what, field in (('start', fields[1]), ('end', fields[2])):
                if not re.fullmatch('-?[0-9]{1,18}', field):
                    raise Refused('the %s %s is no number' % (what, field))
            start, end = int(fields[1]), int(fields[2])
            if start > end or start == end and edge != 'drop':
                raise Refused('it ends before it starts' if start > end else 'it has no base')
            strand = fields[5] if len(fields) > 5 and label_column != 6 else '.'
            if strand not in ('+', '-', '.'):
                raise Refused('the strand %s is none of + - .' % strand)
            for column in (4, 5) if strand == '.' else ():
                word = fields[column - 1].rstrip(BLANKS) if column <= len(fields) and column != label_column else ''
                word = re.split('[%s]' % BLANKS, word)[-1]
                word = word[1:-1] if re.fullmatch('"[^"]+"|\'[^\']+\'', word) else word
                if word in ('+', '-') or column == 5 and word.lower() in STRAND_WORDS:
                    raise Refused('column %d is %s, a strand, which BED has in column 6: sequence, start, end, name, score, '
                                  'strand' % (column, fields[column - 1]))
            label = None
            if label_column:
                if label_column > len(fields):
                    raise Refused('no column %d for the label' % label_column)
                label = label_value(fields[label_column - 1], label_dtype)
            if summit and len(fields) < 10:
                raise Refused('%d columns, and the summit is column 10 (narrowPeak)' % len(fields))
            if summit and fields[9] == '-1':
                raise Refused('the summit -1 is narrowPeak\'s for a peak that has none')
            if summit and not re.fullmatch('[0-9]{1,18}', fields[9]):
                raise Refused('the summit %s is no number' % fields[9])
            # Open: a summit that 32 bits do not hold. Here it is refused as one that is not inside.
            if summit and (int(fields[9]) >= max(end - start, 1) or int(fields[9]) > M32):
                raise Refused('the summit %s is not inside: it counts from the start of %d bases' % (fields[9], end - start))
        except Refused as error:
            raise Refused('line %d: %s' % (number, error))
        intervals.append((fields[0], start, end, int(strand == '-'), label) + ((int(fields[9]),) if summit else ()))
    return intervals


# ---- regions ----

Place = collections.namedtuple('Place', 'sequence start strand label')
PAIRED = 'ABCDGHKMNRSTUVWXY'  # the letters that have a complement, of X itself


class Regions:
    """The regions of a store: each w has a place, which is not moved by jitter yet."""

    def __init__(self, store, o):
        self.store, self.o, self.length = store, o, o['bases']
        stride = o['grid_stride'] or self.length
        if o['strands'] == 'both' and o['rc']:
            raise Refused('strands BOTH, and reverse_complement')
        if not self.length:
            raise Refused('regions need row_bases')
        if o['crop'] or o['stride']:
            raise Refused('regions, and crop or split_stride: only one can be given')
        if o['split'] and o['split'][3] == 'block' and o['split'][4] < self.length + 2 * o['jitter']:
            raise Refused('split.block_bases is less than row_bases and twice the jitter')
        # Open: a stride over the length, which would leave gaps. As pieces, regions refuse it.
        if stride > self.length:
            raise Refused('the stride of the grid is more than row_bases')
        if o['region'] == 'grid':
            listed = range(len(store.records))
            if o['sequences'] is not None:
                listed = sorted(self.sequence(name) for name in o['sequences'])
                if len(set(listed)) < len(listed):
                    raise Refused('a sequence is listed twice')
            # Open: whether regions of sequences that are not listed have numbers. Here they have none.
            self.listed, self.stride = list(listed), stride
            counts = [self.regions_in(store.records[i].bases) for i in self.listed]
            self.firsts = list(itertools.accumulate(counts, initial=0))
            self.count = self.firsts[-1]
        else:
            self.baseless = set()
            self.intervals = [self.fitted(w, *interval) for w, interval in enumerate(o['intervals'])]
            self.count = len(self.intervals)
        # Open: letters without a complement, beside what shows the minus strand. Here that is refused, as a random one is.
        if o['encode'] == 'onehot' and set(o['channels']) - set(PAIRED):
            if o['strands'] == 'both' or any(interval[3] for interval in o['intervals'] or ()):
                raise Refused('the minus strand of letters without a complement')
            if o['max_n'] is not None:
                raise Refused('N is a letter of proteins')
        self.candidates = self.count * (2 if o['strands'] == 'both' else 1)
        if self.candidates > CANDIDATES_MOST:
            raise Refused('more than 2^30 regions')

    def sequence(self, name):
        i = self.store.find(name)
        if i is None:
            raise Refused('no sequence is named %s' % name)
        if not isinstance(name, bytes) and self.count_of(name) > 1:
            raise Refused('two sequences are named %s' % name)
        return i

    def count_of(self, name):
        return sum(first_word(title) == name.encode('latin-1') for title in self.store.titles)

    def regions_in(self, n):
        if n == 0:
            return 0
        return 1 if n <= self.length else 1 + -(-(n - self.length) // self.stride)

    def fitted(self, w, name, start, end, strand, label, summit=0):
        """Open: an interval of no bases at all. Here it has no base of its sequence, wherever it is. Open: how far
        away one may be, here 2^61, and where a summit may be, here at a base of the interval."""
        i, fit = self.sequence(name), self.o['fit']
        n = self.store.records[i].bases
        if start > end:
            raise Refused('an interval ends before it starts')
        if max(-start, end) > 1 << 61:
            raise Refused('an interval is more than 2^61 bases away')
        if fit == 'exact' and end - start != self.length:
            raise Refused('an interval of %d bases, not %d' % (end - start, self.length))
        if fit == 'summit' and not 0 <= summit < max(end - start, 1):
            raise Refused('a summit %d of an interval of %d bases' % (summit, end - start))
        if max(start, 0) >= min(end, n):
            if self.o['edge'] != 'drop':
                raise Refused('interval %d, %d to %d, has no base of %s, which has %d' % (w, start, end, name, n))
            self.baseless.add(w)
        if fit in ('center', 'summit'):
            start = (start + summit if fit == 'summit' else (start + end) // 2) - self.length // 2
        elif fit == 'start' and strand:
            start = end - self.length
        return Place(i, start, strand, label)

    def place(self, w):
        if self.o['region'] == 'grid':
            k = bisect.bisect_right(self.firsts, w) - 1
            found = Place(self.listed[k], (w - self.firsts[k]) * self.stride, 0, None)
        else:
            found = self.intervals[w]
        if self.o['edge'] == 'inside':
            found = found._replace(start=self.inside(found.sequence, found.start))
        return found

    def inside(self, sequence, start):
        return max(0, min(start, self.store.records[sequence].bases - self.length))

    def bounds(self, place):
        """The bases of the sequence that a place shows."""
        n = self.store.records[place.sequence].bases
        return min(max(place.start, 0), n), max(0, min(place.start + self.length, n))

    def of_candidate(self, c):
        """(w, strand) of a candidate. Open: what BOTH makes of an interval's own strand. Here it shows both strands
        of the bases as they lie; fit alone looks at the interval's own."""
        if self.o['strands'] == 'both':
            return c >> 1, c & 1
        return c, self.place(c).strand

    def dropped_by(self, c):
        """What leaves a region out, judged where no jitter has moved it: edge, border, split, n, lower, other."""
        o, (w, _) = self.o, self.of_candidate(c)
        place, n = self.place(w), self.store.records[self.place(w).sequence].bases
        if o['edge'] == 'drop' and (place.start < 0 or place.start + self.length > n or
                                    o['region'] == 'intervals' and w in self.baseless):
            return 'edge'
        if o['split'] and o['split'][3] == 'block':
            # Open: what of a region and its jitter lies past the sequence. Here that belongs to no block.
            low, high = max(0, place.start - o['jitter']), min(n, place.start + self.length + o['jitter'])
            if high > (low // o['split'][4] + 1) * o['split'][4]:
                return 'border'
            if not oracle.in_part(o['split'], self.store.title(place.sequence), False, low, max(0, high - low)):
                return 'split'
        # Open: of what the shares are. Here of the bases inside the sequence.
        if (o['max_n'], o['max_lower'], o['max_other']) != (None, None, None):
            seq = self.store.fetch(place.sequence, *self.bounds(place))
            kinds = (('n', sum(b in b'Nn' for b in seq)), ('lower', sum(97 <= b <= 122 for b in seq)),
                     ('other', sum(b not in oracle.CODE for b in seq)))
            for kind, count in kinds:
                if not share_is_fine(o['max_' + kind], count, len(seq)):
                    return kind
        return None

    def row(self, number, turn, c, keys):
        """The row of a candidate in a pass."""
        o, (w, strand) = self.o, self.of_candidate(c)
        place = self.place(w)
        record = self.store.records[place.sequence]
        if o['jitter']:
            start = place.start + bounded(words(keys[oracle.SHIFT], record.rid, w), 2 * o['jitter'] + 1) - o['jitter']
            # Open: jitter under INSIDE. Here it is added to the place that fits, and the sum is clamped.
            place = place._replace(start=start if o['edge'] == 'pad' else self.inside(place.sequence, start))
        low, high = self.bounds(place)
        high = max(low, high)
        before = min(self.length, max(0, -place.start))
        after = self.length - before - (high - low)
        # The minus row is the mirror image of the plus row, unless END puts all padding after its bases.
        return oracle.Row(number, turn, record.rid, c, place.start, self.store.fetch(place.sequence, low, high),
                          self.store.quality(place.sequence, low, high), strand,
                          (before, after if o['minus_pad'] == 'start' else 0), place.label)


# ---- feeds: the rows of a group's pass, each by its number ----

class StoreFeed:
    """Records, their pieces or regions of a store. `kept` has the candidates that pass, in their order."""

    def __init__(self, store, number, o):
        self.store, self.number, self.o, self.dropped = store, number, o, collections.Counter()
        if store.titles is None and (o['split'] or o['sequences'] or o['intervals']):
            raise Refused('a store without names')
        self.regions = Regions(store, o) if o['region'] else None
        self.candidates = []       # (record, piece of it) each; of regions their number says it
        if o['quality'] != 'none' and not store.has_quality:
            raise Refused('a store without qualities')
        if o['store_order'] == 'helixer' and (o['region'] != 'grid' or o['strands'] != 'both'):
            raise Refused('the order HELIXER is of a grid with strands BOTH')
        self.kept = self.passing()
        if o['store_order'] == 'helixer':
            # Per sequence all of the plus strand ascending, then all of the minus strand descending.
            self.kept.sort(key=lambda c: (self.regions.place(c >> 1).sequence, c & 1, -c if c & 1 else c))

    def passing(self):
        o, keep_key = self.o, oracle.stage_key(self.o['seed'], 0, oracle.KEEP)
        # Open: first_records and every_record in a permuted order. Here they count records in file order.
        # Open: filters of records where there are regions. Here they judge the sequence, as for records that are
        # cut, and max_n the region.
        judged = dict(o, long='split') if self.regions else o
        fate, kept, number = [], [], 0
        for i, record in enumerate(self.store.records):
            seq, qual = self.store.fetch(i, 0, record.bases), self.store.quality(i, 0, record.bases)
            fate.append(oracle.dropped_by(judged, record.rid, i, seq, qual, self.store.title(i), keep_key,
                                          self.store.is_fastq))
            if self.regions:
                continue
            for piece, start, n in oracle.pieces(o, record.rid, record.bases, keep_key):
                why = fate[i] or oracle.piece_dropped_by(o, seq[start:start + n], self.store.title(i), start)
                self.dropped[why] += 1
                self.candidates.append((i, piece))
                if not why:
                    kept.append(number)
                number += 1
        for c in range(self.regions.candidates if self.regions else 0):
            why = fate[self.regions.place(self.regions.of_candidate(c)[0]).sequence] or self.regions.dropped_by(c)
            self.dropped[why] += 1
            if not why:
                kept.append(c)
        return kept

    def why_no_row(self):
        """The filter that took most; of two that took as many the one that judges first."""
        return max((kind for kind in self.dropped if kind), key=lambda kind: self.dropped[kind], default=None)

    def first_count(self):
        return len(self.kept)

    def row(self, e, turn, i):
        """Row i of a pass."""
        o, n = self.o, len(self.kept)
        if o['store_order'] == 'exact':
            i = permute(n, round_keys(o['seed'], e, turn, self.number))(i)
        c, keys = self.kept[i], oracle.pass_keys(o['seed'], e, turn)
        if self.regions:
            return self.regions.row(self.number, turn, c, keys)
        at, k = self.candidates[c]
        record = self.store.records[at]
        piece, start, length = oracle.pieces(o, record.rid, record.bases, keys[oracle.CROP])[k]
        return oracle.Row(self.number, turn, record.rid, piece, start, self.store.fetch(at, start, start + length),
                          self.store.quality(at, start, start + length))

    def taken(self, e, k):
        """The row that the group gives as its k-th of the epoch: a pass has all, then the next one begins."""
        return self.row(e, k // len(self.kept), k % len(self.kept))


class TextFeed:
    """A group of files: its passes read from their first row on."""

    def __init__(self, groups, number, o):
        self.groups, self.number, self.o, self.passes = groups, number, o, {}

    def one_pass(self, e, turn):
        if (e, turn) not in self.passes:
            self.passes[e, turn] = oracle.text_pass(self.groups, self.number, self.o, e, turn)
        return self.passes[e, turn]

    def first_count(self, e=0):
        return len(self.one_pass(e, 0))

    def taken(self, e, k):
        for turn in itertools.count():
            rows = self.one_pass(e, turn)
            if k < len(rows):
                return rows[k]
            k -= len(rows)


# ---- groups ----

StoreGroup = collections.namedtuple('StoreGroup', 'name weight label first paths store change')


def group_of_store(name, weight, label, store, **change):
    """Open: whether regions are the desc's or a group's. Here a group may have its own."""
    return StoreGroup(name, weight, label, 0, [], store, change)


class Loader:
    """The groups and their feeds, as open leaves them."""

    def __init__(self, groups, o):
        weights = [group.weight for group in groups]
        self.groups, self.o = groups, o
        stores = [isinstance(group, StoreGroup) for group in groups]
        if o['shuffle'] and all(stores):
            raise Refused('shuffle_rows, and no group is text')
        if o['store_order'] != 'file' and not any(stores):
            raise Refused('order, and no group is a store')
        for group in groups if o['label'] == 'region' else ():
            # Open: labels of regions beside groups that show none. Here each row has to have a region.
            if not isinstance(group, StoreGroup) or dict(o, **group.change)['region'] != 'intervals':
                raise Refused('labels of regions, and the group %s has no intervals' % group.name)
        if o['rows'] % o['world']:
            raise Refused('world does not divide batch_rows')
        if any(weight < 1 for weight in weights):
            raise Refused('a weight below 1')
        self.shares = [w // math.gcd(*weights) for w in weights]
        self.total = sum(self.shares)
        if self.total > MIX_MOST:
            raise Refused('the weights add up to %d' % self.total)
        self.feeds = [StoreFeed(group.store, g, dict(o, **group.change)) if stores[g] else TextFeed(groups, g, o)
                      for g, group in enumerate(groups)]
        self.period = list(itertools.islice(oracle.mix(weights), self.total))
        self.places = [[n for n, g in enumerate(self.period) if g == at] for at in range(len(groups))]
        taken = [0] * len(groups)
        self.rank_in_period = []
        for g in self.period:
            self.rank_in_period.append(taken[g])
            taken[g] += 1
        for group, feed in zip(groups, self.feeds):
            if isinstance(feed, StoreFeed) and not feed.kept and feed.store.records and \
                    (len(groups) > 1 or not o['allow_no_rows']):
                raise Refused('group %s has no row: %s' % (group.name, feed.why_no_row()))

    def row_of_group(self, g, k):
        """The row of the mix that is the k-th of a group."""
        return k // self.shares[g] * self.total + self.places[g][k % self.shares[g]]


class Epoch:
    """The rows of an epoch, each found from its number alone."""

    def __init__(self, loader, e):
        self.loader, self.e = loader, e
        o, groups = loader.o, range(len(loader.groups))
        counts = [feed.first_count() if isinstance(feed, StoreFeed) else feed.first_count(e) for feed in loader.feeds]
        if min(counts) == 0 and (len(counts) > 1 or o['epoch_end'] == 'rows'):
            if len(counts) > 1:
                raise Refused('group %s has no row' % loader.groups[counts.index(0)].name)
            self.count = 0
        elif o['epoch_end'] == 'rows':
            self.count = o['epoch_rows']
        elif o['epoch_end'] == 'first':
            self.count = min(loader.row_of_group(g, counts[g]) for g in groups)
        else:
            self.count = max(loader.row_of_group(g, counts[g] - 1) + 1 for g in groups) if min(counts) else 0

    def __len__(self):
        return self.count

    def __getitem__(self, n):
        if not 0 <= n < self.count:
            raise IndexError(n)
        loader = self.loader
        g = loader.period[n % loader.total]
        k = n // loader.total * loader.shares[g] + loader.rank_in_period[n % loader.total]
        return loader.feeds[g].taken(self.e, k)

    def batches(self):
        """batches_per_epoch. Where all groups are stores it is known at open, for every epoch."""
        return sum(1 for _ in oracle.cut(self.count, self.loader.o))


def delivered_rows(loader, e, first_batch=0):
    return oracle.delivered_rows(loader.groups, Epoch(loader, e), loader.o, e, first_batch)


def in_turn(loader, e):
    """The rows of an epoch found the other way: all groups' passes in lists, and the mix run from its start."""
    def rows_of(groups, g, o, e, turn):
        feed = loader.feeds[g]
        if isinstance(feed, TextFeed):
            return feed.one_pass(e, turn)
        return [feed.row(e, turn, i) for i in range(len(feed.kept))]
    return oracle.epoch_order(loader.groups, loader.o, e, rows_of)


def row_line(e, row):
    return ('row %d' % e, 'batch %d' % row.batch, 'at %d' % row.at, 'group %d' % row.row.group,
            'pass %d' % row.row.turn, 'id %d:%d' % (row.row.rid >> 40, row.row.rid & (1 << 40) - 1),
            'piece %d' % row.row.piece, 'start %d' % row.row.start, 'strand %d' % row.strand, 'bases %d' % row.bases,
            'digest %016x' % row.digest)


def epoch_line(loader, e):
    return oracle.epoch_line(e, *oracle.delivered(loader.groups, Epoch(loader, e), loader.o, e))


# ---- what it is held against ----

def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, 'w', newline='') as out:
        out.write(text)
    return path


def records_of(*sequences):
    """Records named a, b, ..."""
    return [(seq if isinstance(seq, bytes) else seq.encode(), None, b'%c of them' % (97 + i))
            for i, seq in enumerate(sequences)]


def opened(inputs, **change):
    """A loader over one store."""
    o = dict(BASE, **change)
    store = Store(inputs, o['letters'], o['names'], o['duplicate_names'])
    return Loader([group_of_store('all', 1, None, store)], o)


def refusal(made, *arguments, **change):
    """The sentence something is refused with; nothing where it is not."""
    try:
        made(*arguments, **change)
    except Refused as error:
        return str(error)
    return ''


def starts(*lengths, e=0, **change):
    """Rows of an epoch over sequences of these lengths as 'a0 a5- b0': sequence, start, a mark for the minus strand."""
    loader = opened([records_of(*('A' * n for n in lengths))], **dict(dict(bases=5), **change))
    return ' '.join('%s%d%s' % ('abcdefgh'[r.row.rid], r.row.start, '-' * r.strand)
                    for r in delivered_rows(loader, e))


def shown(loader, e=0):
    """What each row of an epoch shows, with P where it has padding."""
    o, out = dict(loader.o, encode='tokens', dtype='u8'), []
    for n in range(len(Epoch(loader, e))):
        row = Epoch(loader, e)[n]
        tables = oracle.tables_of(o)
        body = oracle.row_bytes(o, loader.groups, row, o['bases'], oracle.pass_keys(o['seed'], e, row.turn), tables)[0]
        out.append(''.join('PACGTN'[b] for b in body[:o['bases']]))
    return ' '.join(out)


def check_published(tally):
    """Values of others: the vectors that come with Philox and XXH64, and Helixer's examples."""
    for counter, key, want in (
            ((0,) * 4, (0,) * 2, (0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8)),
            ((M32,) * 4, (M32,) * 2, (0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd)),
            ((0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344), (0xa4093822, 0x299f31d0),
             (0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1))):
        tally.check('Philox', oracle.philox(counter, key), want)
    tally.check('XXH64', (xxh64(b''), xxh64(b'abc')), (0xEF46DB3751D8E999, 0x44BC2CF5AD770999))
    grid = dict(region='grid', strands='both', store_order='helixer')
    loader = opened([records_of('A' * 51321)], bases=21384, rows=6, **grid)
    ends = []
    for i in range(len(Epoch(loader, 0))):
        row = Epoch(loader, 0)[i]
        both = [row.start, row.start + len(row.seq)]
        ends.append(both[::-1] if row.strand else both)
    tally.check('start_ends', ends, [[0, 21384], [21384, 42768], [42768, 51321], [51321, 42768], [42768, 21384],
                                     [21384, 0]])
    for minus_pad, last in (('end', 'AACPP'), ('start', 'PPAAC')):
        loader = opened([records_of('AATGACATNCGTT')], bases=5, minus_pad=minus_pad, **grid)
        tally.check(('chunks', minus_pad), shown(loader), 'AATGA CATNC GTTPP %s GNATG TCATT' % last)
    tally.check('two sequences', starts(12, 0, 5, 3, **grid), 'a0 a5 a10 a10- a5- a0- c0 c0- d0 d0-')
    for n in (1, 21383, 21384, 21385, 51321, 64152):
        loader = opened([records_of('C' * n)], bases=21384, **grid)
        tally.check(('chunks of', n), len(Epoch(loader, 0)), 2 * math.ceil(n / 21384))


def check_places(tally):
    """Regions done by hand."""
    for lengths, change, want in (
            ((12, 0, 5, 3), dict(region='grid'), 'a0 a5 a10 c0 d0'),
            ((12, 0, 5, 3), dict(region='grid', strands='both'), 'a0 a0- a5 a5- a10 a10- c0 c0- d0 d0-'),
            ((12, 0, 5, 3), dict(region='grid', edge='inside'), 'a0 a5 a7 c0 d0'),
            ((12, 0, 5, 3), dict(region='grid', edge='drop'), 'a0 a5 c0'),
            ((12, 0, 5, 3), dict(region='grid', edge='drop', strands='both'), 'a0 a0- a5 a5- c0 c0-'),
            ((12, 0, 5, 3), dict(region='grid', sequences=['d', 'a']), 'a0 a5 a10 d0'),
            ((12, 6), dict(region='grid', grid_stride=3), 'a0 a3 a6 a9 b0 b3'),
            ((11, 8), dict(region='grid', grid_stride=3), 'a0 a3 a6 b0 b3'),
            ((11, 5), dict(region='grid', grid_stride=4, edge='inside'), 'a0 a4 a6 b0'),
            ((20, 9), dict(region='intervals', intervals=[('a', 3, 8, 0, None), ('b', 4, 9, 1, None),
                                                          ('a', 0, 5, 1, None)]), 'a3 b4- a0-'),
            ((20, 9), dict(region='intervals', strands='both',
                           intervals=[('a', 3, 8, 0, None), ('b', 4, 9, 1, None)]), 'a3 a3- b4 b4-'),
            ((20, 9), dict(region='intervals', fit='center',
                           intervals=[('a', 3, 9, 0, None), ('a', 3, 10, 1, None), ('b', 8, 9, 0, None),
                                      ('a', 0, 1, 0, None), ('b', 0, 9, 0, None), ('a', 4, 5, 0, None)]),
             'a4 a4- b6 a-2 b2 a2'),
            ((20, 9), dict(region='intervals', fit='center',
                           intervals=[('a', -6, 1, 0, None), ('a', -5, 2, 1, None), ('b', 8, 13, 0, None),
                                      ('b', -100, 9, 0, None), ('b', 8, 100, 1, None), ('b', -10, 30, 0, None)]),
             'a-5 a-4- b8 b-48 b52- b8'),
            ((20, 9), dict(region='intervals', intervals=[('a', -2, 3, 0, None), ('b', 7, 12, 1, None),
                                                          ('a', -4, 1, 1, None)]), 'a-2 b7- a-4-'),
            ((20, 9), dict(region='intervals', edge='inside',
                           intervals=[('a', -2, 3, 0, None), ('b', 7, 12, 1, None), ('a', -4, 1, 1, None)]), 'a0 b4- a0-'),
            ((20, 9), dict(region='intervals', edge='drop',
                           intervals=[('a', -2, 3, 0, None), ('b', 7, 12, 1, None), ('a', -5, 0, 0, None), ('a', 20, 25, 1, None),
                                      ('a', 15, 20, 0, None), ('a', -90, -85, 0, None)]), 'a15'),
            ((20, 9), dict(region='intervals', fit='start', edge='drop', strands='both',
                           intervals=[('a', 4, 4, 0, None), ('a', 3, 99, 0, None), ('a', -99, 5, 1, None), ('b', 9, 10, 1, None),
                                      ('b', 5, 5, 1, None)]), 'a3 a3- a0 a0-'),
            ((20, 9), dict(region='intervals', fit='summit',
                           intervals=[('a', 3, 9, 0, None, 5), ('a', 3, 9, 1, None, 5), ('a', -7, 1, 0, None, 7),
                                      ('b', 2, 900, 0, None, 800), ('b', 8, 9, 1, None), ('a', 3, 9, 0, None)]),
             'a6 a6- a-2 b800 b6- a1'),
            ((20, 9), dict(region='intervals', fit='summit', bases=4, edge='inside',
                           intervals=[('a', 3, 9, 0, None, 5), ('b', 2, 900, 1, None, 800), ('b', -9, 3, 0, None)]), 'a6 b5- b0'),
            ((20, 9), dict(region='intervals', fit='summit', bases=4, edge='drop',
                           intervals=[('a', 3, 9, 0, None, 5), ('b', 2, 900, 1, None, 800), ('b', 7, 8, 0, None),
                                      ('b', 7, 7, 0, None)]), 'a6 b5'),
            ((20, 9), dict(region='intervals', fit='center', edge='inside',
                           intervals=[('b', 8, 9, 0, None), ('a', 0, 1, 1, None)]), 'b4 a0-'),
            ((20, 9), dict(region='intervals', fit='center', edge='drop',
                           intervals=[('b', 8, 9, 0, None), ('a', 0, 1, 1, None), ('a', 5, 10, 0, None)]), 'a5'),
            ((20, 9), dict(region='intervals', fit='start',
                           intervals=[('a', 3, 20, 0, None), ('a', 3, 20, 1, None), ('b', 0, 2, 1, None),
                                      ('b', 7, 9, 0, None)]), 'a3 a15- b-3- b7'),
            ((20, 9), dict(region='intervals', fit='center', bases=4, intervals=[('a', 3, 8, 0, None)]), 'a3')):
        tally.check((lengths, change), starts(*lengths, **change), want)
    ends = [('a', start, end, s, None) for start, end in ((0, 2), (6, 11), (-1, 1)) for s in (0, 1)]
    for minus_pad, want in (('end', 'PAACG CGTTP GTPPP ACPPP PPAAC GTTPP'), ('start', 'PAACG CGTTP GTPPP PPPAC PPAAC GTTPP')):
        loader = opened([records_of('AACGTTGT')], bases=5, region='intervals', fit='center', minus_pad=minus_pad, intervals=ends)
        tally.check(('columns', minus_pad), shown(loader), want)
    loader = opened([records_of('AAC')], bases=5, region='grid', strands='both', edge='inside')
    tally.check('short', shown(loader), 'AACPP PPGTT')
    loader = opened([records_of('AACGTTG')], bases=5, region='intervals', fit='center', strands='both',
                    intervals=[('a', -90, 1, 0, None), ('a', 6, 99, 1, None), ('a', -30, 40, 0, None)])
    tally.check('no base of the window', (shown(loader), [(r.row.start, r.bases) for r in delivered_rows(loader, 0)]),
                ('PPPPP PPPPP PPPPP PPPPP GTTGP PCAAC', [(-47, 0)] * 2 + [(50, 0)] * 2 + [(3, 4)] * 2))
    loader = opened([records_of('AACGTTG')], bases=5, region='grid', rc=1.0)
    tally.check('turned by a draw', (shown(loader), [r.strand for r in delivered_rows(loader, 0)]),
                ('ACGTT PPPCA', [1, 1]))
    loader = opened([records_of('AACGTTG')], bases=5, region='intervals', rc=1.0,
                    intervals=[('a', 0, 5, 0, None), ('a', 0, 5, 1, None), ('a', 2, 7, 1, None)])
    tally.check('turned back', (shown(loader), [r.strand for r in delivered_rows(loader, 0)]),
                ('ACGTT AACGT CGTTG', [1, 0, 0]))


def check_filters(tally):
    """Region filters and what takes most, by hand: five bases each of no N, one N, two lower case, one other."""
    text = 'ACGTA' 'ACNTA' 'ACgtA' 'ACRTA' 'NNNNN' 'Aacgt' 'AC'
    for change, want in (
            (dict(), 'a0 a5 a10 a15 a20 a25 a30'), (dict(max_n=0), 'a0 a10 a15 a25 a30'),
            (dict(max_n=0.2), 'a0 a5 a10 a15 a25 a30'), (dict(max_n=0.19), 'a0 a10 a15 a25 a30'),
            (dict(max_n=1.0), 'a0 a5 a10 a15 a20 a25 a30'), (dict(max_lower=0.4), 'a0 a5 a10 a15 a20 a30'),
            (dict(max_lower=0), 'a0 a5 a15 a20 a30'), (dict(max_other=0), 'a0 a10 a25 a30'),
            (dict(max_other=0.2), 'a0 a5 a10 a15 a25 a30'), (dict(max_other=0, max_lower=0), 'a0 a30'),
            (dict(max_other=0, edge='drop'), 'a0 a10 a25'), (dict(max_n=0, min_length=33), 'nothing'),
            (dict(max_n=0, min_length=32), 'a0 a10 a15 a25 a30'), (dict(first=1), 'a0 a5 a10 a15 a20 a25 a30')):
        loader = opened([records_of(text)], bases=5, region='grid', allow_no_rows=True, letters='bytes', **change)
        got = ' '.join('a%d' % r.row.start for r in delivered_rows(loader, 0)) or 'nothing'
        tally.check(('filters', change), got, want)
        feed = loader.feeds[0]
        tally.check(('counts', change), sum(feed.dropped.values()), 7)
    for text, change, want in (('ACNAAaCAAAAaAAA', dict(max_n=0, max_lower=0), 'lower'),
                               ('ACNAAaCAAA', dict(max_n=0, max_lower=0), 'n'),
                               ('ANNAA', dict(max_other=0, max_n=1.0), 'other'),
                               ('ANANA', dict(max_other=0, min_length=9), 'length')):
        tally.check(('took most', text), refusal(opened, [records_of(text)], bases=5, region='grid', letters='bytes',
                                                 **change), 'group all has no row: ' + want)


def check_bed(tally):
    for text, column, want in (
            ('chr1\t0\t5\n', 0, [('chr1', 0, 5, 0, None)]),
            ('chr1\t0\t5\tname\t7\t-\r\nchr2 \t3\t4\tn\t0\t.', 0, [('chr1', 0, 5, 1, None), ('chr2 ', 3, 4, 0, None)]),
            ('# x\n\ntrack name=a\nbrowser hide all\nchr1 0  5 n 1 +\n', 0, [('chr1', 0, 5, 0, None)]),
            ('tracks\t1\t2\n', 0, [('tracks', 1, 2, 0, None)]),
            ('c\t1\t2\t-4\n', 4, [('c', 1, 2, 0, -4.0)]), ('c\t1\t2\tn\t0.5\t-\n', 5, [('c', 1, 2, 1, 0.5)]),
            ('c\t1\t2\tn\t0\t-\t8\n', 7, [('c', 1, 2, 1, 8.0)]), ('c\t1\t2\tn\t0\t3\n', 6, [('c', 1, 2, 0, 3.0)]),
            ('c\t-1\t2\nc -9 -3\n', 0, [('c', -1, 2, 0, None), ('c', -9, -3, 0, None)]),
            ('', 0, [])):
        tally.check(('bed', text), read_bed(text, column), want)
    for text, column, want in (
            ('c\t1\n', 0, 'line 1: 2 columns, not at least 3'),
            ('c\t1\t2\n\nc\tx\t2\n', 0, 'line 3: the start x is no number'),
            ('c\t--1\t2\n', 0, 'line 1: the start --1 is no number'), ('c\t-1\t-\n', 0, 'line 1: the end - is no number'),
            ('c\t1\t2.5\n', 0, 'line 1: the end 2.5 is no number'),
            ('c\t3\t2\n', 0, 'line 1: it ends before it starts'),
            ('c\t3\t3\n', 0, 'line 1: it has no base'),
            ('c\t1\t2\tn\t0\tx\n', 0, 'line 1: the strand x is none of + - .'),
            ('c\t1\t2\tn\t-\n', 0, 'line 1: column 5 is -, a strand, which BED has in column 6: sequence, start, end, name, '
                                   'score, strand'),
            ('c\t1\t2\n', 4, 'line 1: no column 4 for the label'),
            ('c\t1\t2\tz\n', 4, 'line 1: the label z is no f32'),
            ('c\t1\t2\tnan\n', 4, 'line 1: the label nan is no f32'),
            ('c\t1\t2\t1e400\n', 4, 'line 1: the label 1e400 is no f32')):
        tally.check(('bed', text), refusal(read_bed, text, column), want)
    for text, dtype, good in (('255', 'u8', True), ('256', 'u8', False), ('1.5', 'i32', False), ('-7', 'i64', True),
                              ('9007199254740992', 'i64', True), ('9007199254740993', 'i64', False), ('1_0', 'i32', False)):
        tally.check(('label', text), refusal(read_bed, 'c\t1\t2\t' + text, 4, dtype) == '', good)
    peak = 'c\t5\t9\tn\t0\t-\t7\t-1\t-1\t'
    tally.check('narrowPeak', [read_bed(peak + '3\n', column, 'f32', True) for column in (0, 7)],
                [[('c', 5, 9, 1, None, 3)], [('c', 5, 9, 1, 7.0, 3)]])
    for line, want in ((peak + '-1', "line 1: the summit -1 is narrowPeak's for a peak that has none"),
                       (peak + '4', 'line 1: the summit 4 is not inside: it counts from the start of 4 bases'),
                       (peak + '1.5', 'line 1: the summit 1.5 is no number'), (peak, 'line 1: the summit  is no number'),
                       ('c\t5\t9', 'line 1: 3 columns, and the summit is column 10 (narrowPeak)')):
        tally.check(('narrowPeak', line), refusal(read_bed, line, 0, 'f32', True), want)
    tally.check('no base', (refusal(read_bed, 'c\t3\t3'), read_bed('c\t3\t3', edge='drop')),
                ('line 1: it has no base', [('c', 3, 3, 0, None)]))
    for interval, want in ((('a', 8, 13, 0, None), 'interval 0, 8 to 13, has no base of a, which has 8'),
                           (('a', -5, 0, 1, None), 'interval 0, -5 to 0, has no base of a, which has 8'),
                           (('a', 5, 4, 0, None), 'an interval ends before it starts'),
                           (('a', -2 ** 61 - 1, 4, 0, None), 'an interval is more than 2^61 bases away'),
                           (('a', 4, 9, 0, None), ''), (('a', -4, 1, 0, None), ''),
                           (('z', 0, 5, 0, None), 'no sequence is named z'),
                           (('a', 0, 4, 0, None), 'an interval of 4 bases, not 5')):
        tally.check(interval, refusal(opened, [records_of('ACGTACGT')], bases=5, region='intervals',
                                      intervals=[interval]), want)
    for change, want in ((dict(fit='center', intervals=[('a', 0, 5, 0, None), ('a', 4, 4, 0, None)]),
                          'interval 1, 4 to 4, has no base of a, which has 8'),
                         (dict(fit='summit', intervals=[('a', 2, 5, 0, None, 3)]), 'a summit 3 of an interval of 3 bases'),
                         (dict(fit='summit', intervals=[('a', 2, 5, 0, None, -1)]), 'a summit -1 of an interval of 3 bases'),
                         (dict(fit='center', edge='inside', intervals=[('a', 9, 10, 0, None)]),
                          'interval 0, 9 to 10, has no base of a, which has 8')):
        tally.check(change, refusal(opened, [records_of('ACGTACGT')], bases=5, region='intervals', **change), want)
    loader = opened([records_of('ACGTACGT')], bases=5, region='intervals', edge='drop', allow_no_rows=True,
                    intervals=[('a', at, at + 5, 0, None) for at in (-9, -5, -4, 0, 1, 3, 4, 8, 9)])
    tally.check('left out and counted', loader.feeds[0].dropped, collections.Counter({'edge': 6, None: 3}))
    loader = opened([records_of('ACGTACGT' * 2)], bases=5, region='intervals', strands='both', label='region',
                    label_dtype='i32', store_order='exact', fit='center',
                    intervals=read_bed('a\t0\t4\t70\na\t3\t9\t-2\na\t5\t6\t9\n', 4, 'i32'))
    labels = collections.Counter()
    for n in range(6):
        row = Epoch(loader, 0)[n]
        labels[row.piece, struct.unpack('<i', oracle.label_bytes(loader.o, loader.groups, row))[0]] += 1
    tally.check('labels of regions', labels, collections.Counter({(0, 70): 1, (1, 70): 1, (2, -2): 1, (3, -2): 1,
                                                                 (4, 9): 1, (5, 9): 1}))


def check_store(tally, directory):
    """What goes in comes out."""
    chooser = random.Random(5)
    rows = []
    for i in range(60):
        n = chooser.choice([0, 1, 7, 60, 400])
        seq = ''.join(chooser.choice('ACGT') for _ in range(n))
        for piece in ('N' * 30, 'acgtacgtnnryacgt', 'R', 'u*u', '--'):
            at = chooser.randrange(n + 1)
            seq = (seq[:at] + piece + seq[at + len(piece):])[:n] if n >= 60 else seq
        rows.append((seq.encode(), bytes(33 + chooser.randrange(1 + i % 20) for _ in range(n)), b' r%d/1 x y' % i))
    store = Store([rows[:25], rows[25:]])
    whole = store_of_bytes(store_bytes(store, [(9, 9, 25), (8, 8, 35)]), True)
    for name, of in (('store', store), ('file', whole)):
        good = all((of.fetch(i, 0, len(s)), of.quality(i, 0, len(s)), of.title(i)) == (s, q, t)
                   for i, (s, q, t) in enumerate(rows))
        for _ in range(300):
            i = chooser.randrange(60)
            a, b = sorted(chooser.randrange(len(rows[i][0]) + 1) for _ in (0, 1))
            good &= of.fetch(i, a, b) == rows[i][0][a:b] and of.quality(i, a, b) == rows[i][1][a:b]
        tally.check((name, 'is lossless'), good, True)
        tally.check((name, 'names'), [of.find('r%d/1' % i) for i in range(61)], list(range(60)) + [None])
        tally.check((name, 'ids'), [r.rid for r in of.records], list(range(25)) + [1 << 40 | i for i in range(35)])
        counts = [(r.bases, r.acgt, r.gc, r.n, r.lower, r.quality_sum, r.min_quality, r.max_quality)
                  for r in of.records]
        want = [(len(s), sum(s.count(b) for b in b'ACGTacgt'), sum(s.count(b) for b in b'GCgc'),
                 s.count(b'N') + s.count(b'n'), sum(chr(b).islower() for b in s), sum(q) - 33 * len(q),
                 min(q, default=33) - 33, max(q, default=33) - 33) for s, q, _ in rows]
        tally.check((name, 'counts'), counts, want)
    runs = Store([records_of('AC' * 20 + 'NNnn', 'NNac-rRR' + 'G' * 50)])
    tally.check('runs by hand', (runs.n_runs, runs.lower_runs, runs.others),
                ([(40, 4), (44, 2)], [(42, 2), (46, 2), (49, 1)], [(48, 1, 45), (49, 3, 82)]))
    tally.check('bits by hand', (Store([records_of('ACGTT')]).packed, Store([records_of('UGCA' 'u' + 'A' * 9)]).is_rna),
                (bytes([0b11100100, 0b11]), True))
    rna = Store([records_of('UGCAu' + 'A' * 40)])
    tally.check('U', (rna.fetch(0, 0, 5), rna.others, Store([records_of('TU' + 'A' * 40)]).others),
                (b'UGCAu', [], [(1, 1, 85)]))
    tally.check('letters', [refusal(Store, [records_of(s)])[:12] for s in ('ANAAAAAA', 'ANAAAAA', 'AnAAAAAA' * 9)],
                ['', 'more than on', 'more than on'])
    protein = 'MKVLAAGIVGLLLAQWERTYIPASDFGHKLCVNM*'
    tally.check('BYTES', Store([records_of(protein)], 'bytes').fetch(0, 3, 34), protein.encode()[3:34])
    widths = [[(b'A' * 8, bytes(33 + i % colours for i in range(8)), b'x')] for colours in (1, 2, 3, 4, 5, 8)]
    tally.check('widths', [Store([of]).quality_blocks[0][1] for of in widths], [1, 1, 2, 2, 4, 4])
    many = [(b'AC', b'#,' if i < 4096 else b'#F', b'%d' % i) for i in range(4100)]
    store = Store([many])
    tally.check('blocks', ([b[:2] for b in store.quality_blocks], store.quality(4095, 0, 2), store.quality(4099, 1, 2)),
                ([(b'#,', 1), (b'#F', 1)], b'#,', b'F'))
    twice = [(b'A' * 9, None, b'x 1'), (b'C' * 9, None, b'x 2')]
    tally.check('a name twice', (refusal(Store, [twice]), Store([twice], duplicate_names=True).find('x')),
                ('two sequences are named x', 0))
    tally.check('names', [Store([twice], names=kind, duplicate_names=True).title(1)
                          for kind in ('whole', 'name', 'none')], [b'x 2', b'x', b''])
    check_file(tally, Store([records_of('ACGTNNacgt' + 'CATG' * 30 + 'RR', 'TTTTTTTTTTTTTTT')]))


def check_file(tally, store):
    data = store_bytes(store, [(7, 7, 2)])
    table = rows_of_numbers(data[FILE_TABLE:FILE_HEAD - 8], 3)
    tally.check('sections', (len(data) % 4096, all(at % 4096 == 0 for at, _, _ in table)),
                (0, True))
    cuts = [0, 3, 7, 8, 100, FILE_HEAD, 4095, 4096, len(data) - 4096, len(data) - 1]
    tally.check('cut', {refusal(store_of_bytes, data[:n]) for n in cuts[1:]}, {'cut'})
    tally.check('none', [refusal(store_of_bytes, of) for of in (b'', b'>a\nACGT\n', data + b'\0')],
                ['no store', 'no store', 'longer than it says'])
    tally.check('version', refusal(store_of_bytes, data[:7] + b'\x02' + data[8:]), 'version 2')
    tally.check('byte order', refusal(store_of_bytes, data[:16] + data[16:24][::-1] + data[24:]), 'byte order')
    damaged = [data[:at] + bytes([data[at] ^ 1]) + data[at + 1:] for at in range(FILE_HEAD)]
    tally.check('damage of the head', [at for at, of in enumerate(damaged) if not refusal(store_of_bytes, of)], [])
    found = []
    for section, (at, n, _) in enumerate(rows_of_numbers(data[FILE_TABLE:FILE_HEAD - 8], 3)):
        if n:
            bad = data[:at + n - 1] + bytes([data[at + n - 1] ^ 1]) + data[at + n:]
            found.append((section, refusal(store_of_bytes, bad), refusal(store_of_bytes, bad, True)))
    tally.check('damage of sections', found, [(section, '' if section == 0 else 'damaged', 'damaged')
                                              for section in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14)])


def check_text(tally, directory):
    """A store in FILE order gives the batches and digests of the text."""
    reads = [os.path.join(directory, name) for name in ('ra', 'rb')]
    oracle.make_reads(reads[0], 60, 31)
    oracle.make_reads(reads[1], 25, 32)
    tries = [t for t in oracle.TRIES + oracle.NAMED_TRIES + oracle.FASTQ_TRIES[:9]]
    for number, change in enumerate(tries):
        change = dict(change, shuffle=0, allow_no_rows=True, duplicate_names=True, letters='bytes')
        loader, e = opened(reads, **change), number % 3
        tally.check(('as text', change), oracle.delivered(loader.groups, Epoch(loader, e), loader.o, e),
                    oracle.epoch(reads, dict(oracle.BASE, **{k: v for k, v in change.items() if k in oracle.BASE}), e))


def plain_permuted(n, i, seed, e, turn, group):
    """P of the definition, written once more: the bits as strings, one round after another."""
    if n == 1:
        return 0
    b = len(bin(n - 1)) - 2
    high_bits = b // 2
    low_bits = b - high_bits
    epoch_key = oracle.philox((e % 2 ** 32, e // 2 ** 32, 2, (0x42494F53 + turn) % 2 ** 32),
                              (seed % 2 ** 32, seed // 2 ** 32))[:2]
    while True:
        bits = bin(i)[2:].zfill(b)
        high, low = int(bits[:high_bits] or '0', 2), int(bits[high_bits:], 2)
        for r in range(16 if n < 65536 else 8):
            word = oracle.philox((r // 2, group, 0, 0), epoch_key)
            k = word[r % 2 * 2] + 2 ** 32 * word[r % 2 * 2 + 1]
            z = ((high if r % 2 == 0 else low) ^ k) * 0x9E3779B97F4A7C15 % 2 ** 64
            z = (z ^ z // 2 ** 29) * 0xBF58476D1CE4E5B9 % 2 ** 64 // 2 ** 32
            if r % 2 == 0:
                low ^= z % 2 ** low_bits
            else:
                high ^= z % 2 ** high_bits
        i = high * 2 ** low_bits + low
        if i < n:
            return i


def plain_regions(text, size, jitter, batch_rows, seed, e):
    """(batches, rows, digest) of a grid of both strands, EXACT, as tokens: written once more from the definition."""
    count, digest = -(-len(text) // size), 0
    key = oracle.stage_key(seed, e, 17)
    for n in range(2 * count):
        c = plain_permuted(2 * count, n, seed, e, 0, 0)
        w, minus = divmod(c, 2)
        draws, j = words(key, 0, w), None
        while j is None:
            u = next(draws)
            if u * (2 * jitter + 1) % 2 ** 32 >= 2 ** 32 % (2 * jitter + 1):
                j = u * (2 * jitter + 1) // 2 ** 32 - jitter
        start = w * size + j
        columns = [text[at] if 0 <= at < len(text) else 'P' for at in range(start, start + size)]
        if minus:
            columns = [dict(zip('ACGTNP', 'TGCANP'))[base] for base in reversed(columns)]
        bases = size - columns.count('P')
        body = bytes('PACGTN'.index(base) for base in columns) + struct.pack('<iqIq', bases, 0, c, start)
        digest += xxh64(body, xxh64(struct.pack('<3Q', e, n // batch_rows, n % batch_rows)))
    return -(-2 * count // batch_rows), 2 * count, digest & M64


def genome(count=3, seed=1):
    """Sequences with runs of N, of lower case, and some other letters."""
    chooser, out = random.Random(seed), []
    for i in range(count):
        n = chooser.randrange(300, 900)
        seq = ''.join(chooser.choice('ACGT') for _ in range(n))
        for part in ('N' * 70, seq[50:120].lower(), 'RYK', 'u'):
            at = chooser.randrange(n - len(part))
            seq = seq[:at] + part + seq[at + len(part):]
        out.append(seq)
    return out


def check_order(tally):
    for n, of in ((1, (0, 0, 0, 0)), (2, (5, 1, 0, 0)), (3, (9, 0, 2, 1)), (17, (4, 9, 1, 3)), (1000, (42, 7, 3, 63)),
                  (65535, (1, 2, 3, 4)), (65536, (1, 2, 3, 4)), (2 ** 40 + 1, (2 ** 63, 2 ** 40, 2 ** 32 - 1, 2))):
        image = permute(n, round_keys(*of))
        some = list(range(min(n, 40)))
        tally.check(('P', n), [image(i) for i in some], [plain_permuted(n, i, *of) for i in some])
    text = ''.join(random.Random(3).choice('ACGTN') for _ in range(1017))
    for e, seed, jitter in ((0, 1, 3), (5, 2 ** 40 + 1, 40), (2 ** 33, 7, 0)):
        loader = opened([records_of(text)], bases=20, rows=16, region='grid', strands='both', store_order='exact',
                        jitter=jitter, seed=seed, encode='tokens', letters='bytes')
        tally.check(('regions once more', e), oracle.delivered(loader.groups, Epoch(loader, e), loader.o, e),
                    plain_regions(text, 20, jitter, 16, seed, e))
    counts = collections.Counter()
    loader = opened([records_of('A' * 4 * 5)], bases=5, region='grid', store_order='exact', seed=2)
    for e in range(1200):
        counts[tuple(Epoch(loader, e)[i].start for i in range(4))] += 1
    square = sum((counts[o] - 50) ** 2 / 50 for o in itertools.permutations((0, 5, 10, 15)))
    tally.check(('all orders of 4', square), len(counts) == 24 and square < 23 + 4 * math.sqrt(46), True)


def check_jitter(tally):
    some = [('ab'[at < 30], at - 20, at - 20 + 3 * (at % 9 + 1), at % 2, None, 2) for at in range(0, 222, 3)]
    for edge, change in itertools.product(('pad', 'inside', 'drop'), (dict(region='grid'), dict(
            region='intervals', fit='summit', intervals=[of for of in some if of[2] > 0 and of[1] < (203, 7)[of[0] == 'b']]))):
        loader = opened([records_of('A' * 203, 'C' * 7)], bases=10, strands='both', jitter=6, edge=edge, **change)
        still = opened([records_of('A' * 203, 'C' * 7)], bases=10, strands='both', edge=edge, **change)
        tally.check(('jitter changes no count', edge, change['region']), len(Epoch(loader, 0)), len(Epoch(still, 0)))
        moved, good = collections.Counter(), True
        for e in range(40):
            for i in range(0, len(Epoch(loader, e)), 2):
                row, other, was = Epoch(loader, e)[i], Epoch(loader, e)[i + 1], Epoch(still, e)[i]
                good &= (row.start, row.piece + 1) == (other.start, other.piece)
                moved[row.start - was.start] += 1
                good &= edge == 'pad' or 0 <= row.start <= max(0, (203, 7)[row.rid] - 10)
                good &= abs(row.start - was.start) <= 6
        tally.check(('jitter', edge, change['region']), (good, len(moved)), (True, 13))


def together(loader, e, worlds=(1, 2, 3, 4)):
    """Whether each row comes once over all ranks, with its place, in every world; and the digest."""
    good, one = True, None
    for world in worlds:
        rows = []
        for rank in range(world):
            part = Loader.__new__(Loader)
            part.__dict__.update(loader.__dict__, o=dict(loader.o, world=world, rank=rank))
            rows += [(r.batch, r.at, r.row.group, r.row.turn, r.row.rid, r.row.piece, r.digest)
                     for r in delivered_rows(part, e)]
        one = one or sorted(rows)
        good &= sorted(rows) == one
    return good, one


def check_promises(tally, directory):
    """Every candidate once over all ranks; a row found by its number; resumed epochs; bases that are read."""
    seqs = genome()
    for change in (dict(region='grid', strands='both', store_order='exact', jitter=9, mutate=0.1),
                   dict(region='grid', store_order='file', edge='drop', max_n=0.3, grid_stride=13, tail='short'),
                   dict(region='grid', strands='both', store_order='helixer', edge='inside', max_lower=0.5),
                   dict(region='intervals', store_order='exact', fit='center', jitter=30, strands='both', tail='drop',
                        intervals=[('abc'[i % 3], 7 * i - 9, 7 * i + 1 + i % 20, i % 2, i) for i in range(37)], label='region'),
                   dict(region='intervals', store_order='exact', fit='summit', edge='drop', jitter=30,
                        intervals=[('abc'[i % 3], 30 * i - 99, 30 * i - 90, i % 2, i, i % 9) for i in range(37)]),
                   dict(store_order='exact', long='crop', seed=8), dict(store_order='exact', bases=20, stride=11)):
        change = dict(dict(bases=30, rows=12, seed=3, encode='tokens'), **change)
        loader = opened([records_of(*seqs)], **change)
        feed = loader.feeds[0]
        for e in (0, 2 ** 32 + 1):
            good, rows = together(loader, e)
            n = len(feed.kept) - (len(feed.kept) % 12 if loader.o['tail'] == 'drop' else 0)
            number = {(rid, piece) for _, _, _, _, rid, piece, _ in rows}
            tally.check(('once', change, e), (good, len(rows), len(number)), (True, n, n))
            if loader.o['tail'] != 'drop':
                want = set(feed.kept) if feed.regions else {
                    (feed.store.records[i].rid, piece) for i, piece in map(feed.candidates.__getitem__, feed.kept)}
                tally.check(('all', change, e), {p if feed.regions else (r, p) for r, p in number}, want)
            found = [Epoch(loader, e)[i] for i in range(len(feed.kept))]
            tally.check(('by number', change, e), found, in_turn(loader, e))
            whole = list(delivered_rows(loader, e))
            good = all(list(delivered_rows(loader, e, b)) == [r for r in whole if r.batch >= b]
                       for b in range(Epoch(loader, e).batches() + 1))
            tally.check(('resumed', change, e), good, True)
            tally.check(('batches', change, e), len({r.batch for r in whole}), Epoch(loader, e).batches())
        if loader.o['store_order'] == 'exact':
            orders = {tuple((r.rid, r.piece) for r in in_turn(loader, e)) for e in range(9)}
            tally.check(('other epochs', change), len(orders) >= (9 if len(feed.kept) > 9 else 3), True)
        store, most = loader.groups[0].store, 0
        for rank in range(3):
            part = Loader.__new__(Loader)
            part.__dict__.update(loader.__dict__, o=dict(loader.o, world=3, rank=rank))
            del store.touched[:]
            rows = list(delivered_rows(part, 0))
            most += sum(b - a for _, a, b in store.touched)
            tally.check(('reads its part', change, rank), len(store.touched), len(rows))
        tally.check(('reads no more than it shows', change), most <= len(feed.kept) * loader.o['bases'], True)


def check_split(tally):
    seqs = genome(12, 7)
    base = dict(bases=16, region='grid', grid_stride=5, strands='both', duplicate_names=True)
    for by in (('sequence',), ('block', 60), ('block', 22), ('block', 200), ('name', '')):
        jitter, seen, rows, border = 3, [], 0, []
        for low, below in ((0, 0.5), (0.5, 0.8), (0.8, 1)):
            loader = opened([records_of(*seqs)], split=(9, low, below) + by, jitter=jitter, allow_no_rows=True, **base)
            unjittered = opened([records_of(*seqs)], split=(9, low, below) + by, allow_no_rows=True, **base)
            bases = set()
            for e in range(3):
                for row in in_turn(loader, e):
                    bases |= {(row.rid, at) for at in range(max(row.start, 0), min(row.start + 16, len(seqs[row.rid])))}
            seen.append(bases)
            rows += len(loader.feeds[0].kept)
            border.append(loader.feeds[0].dropped['border'])
            tally.check(('split', by, low), len(loader.feeds[0].kept) <= len(unjittered.feeds[0].kept), True)
        shared = [len(seen[i] & seen[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
        tally.check(('no base shared', by), shared, [0, 0, 0])
        # Every region is in one part, or in none and counted as that in each.
        total = loader.feeds[0].regions.candidates
        tally.check(('whole', by), (rows + border[0], border), (total, [border[0]] * 3))
    hand = opened([records_of('A' * 43)], bases=5, region='grid', split=(1, 0, 1, 'block', 11), jitter=3)
    # Of blocks [0, 11), [11, 22), ... the regions with three bases about them, cut at the sequence's ends: 0 is
    # [0, 8), 5 is [2, 13), 10 [7, 18), 15 [12, 23), 20 [17, 28), 25 [22, 33), 30 [27, 38), 35 [32, 43), 40 [37, 43).
    feed = hand.feeds[0]
    tally.check('blocks by hand', [feed.regions.place(c).start for c in feed.kept], [0, 25, 40])

    def part_of(by):
        """In which half the region at 10 is."""
        halves = [opened([records_of('A' * 30)], bases=5, region='grid', allow_no_rows=True,
                         split=(9, low, below) + by).feeds[0].kept for low, below in ((0, 0.5), (0.5, 1))]
        return [2 in kept for kept in halves]
    for by, key in ((('sequence',), b'a'), (('block', 10), b'a\0' + struct.pack('<Q', 1))):
        u = xxh64(key, 9) >> 32
        tally.check(('a part by its hash', by), part_of(by), [u < 2 ** 31, u >= 2 ** 31])


def check_groups(tally, directory):
    def told(rows):
        return ' '.join('%s%d%s' % ('xyz'[r.group], r.start if r.piece else r.rid & M32, "'" * r.turn) for r in rows)
    reads = [oracle.write_reads(directory, name, [1] * n) for name, n in (('sa', 3), ('sb', 2))]
    oracle.read_records.cache_clear()
    grid = [Store([records_of('A' * n)]) for n in (15, 10)]

    def loader(weights, kinds, **change):
        o, groups, first = dict(BASE, bases=5, rows=4, **change), [], 0
        for g, (weight, kind) in enumerate(zip(weights, kinds)):
            if kind == 't':
                groups.append(oracle.Group('xyz'[g], weight, g, first, [reads[g]]))
                first += 1
            else:
                groups.append(group_of_store('xyz'[g], weight, g, grid[g], region='grid'))
        return Loader(groups, o)
    # Three rows and two rows in turn; what ends when, by hand.
    for kinds in ('ss', 'ts', 'st', 'tt'):
        name = {'s': 'x0 y0 x5 y5 x10', 't': 'x0 y0 x1 y1 x2'}
        for weights, change, want in (
                ([1, 1], dict(), 'x0 y0 x1 y1 x2'), ([1, 1], dict(epoch_end='first'), 'x0 y0 x1 y1 x2'),
                ([5, 5], dict(epoch_end='rows', epoch_rows=9), "x0 y0 x1 y1 x2 y0' x0' y1' x1'"),
                ([2, 1], dict(), "x0 x1 y0 x2 x0' y1"), ([2, 1], dict(epoch_end='first'), 'x0 x1 y0 x2'),
                ([1, 2], dict(epoch_end='first'), 'y0 x0 y1'),
                ([1, 3], dict(), "y0 y1 y0' x0 y1' y0'' y1'' x1 y0''' y1''' y0'''' x2")):
            for k in (1, 2):
                for g in range(2):
                    if kinds[g] == 's':
                        want = re.sub('%s%d(?![0-9])' % ('xy'[g], k), '%s%d' % ('xy'[g], 5 * k), want)
            of = loader(weights, kinds, **change)
            got = told(list(Epoch(of, 0)[i] for i in range(len(Epoch(of, 0)))))
            if (weights, change) == ([1, 3], dict()):
                tally.check(('ends with the last', kinds), len(got.split(' ')), of.row_of_group(0, 2) + 1)
            else:
                tally.check((kinds, weights, change), got, want)
            tally.check((kinds, weights, change, 'two ways'), told(in_turn(of, 0)), got)
    files = [os.path.join(directory, name) for name in ('ga', 'gb', 'gc')]
    oracle.make_reads(files[0], 90, 41)
    oracle.make_reads(files[1], 50, 42)
    oracle.make_sequences(files[2], 5, 700, 43)
    bytes_of = [Store([path], 'bytes', duplicate_names=True) for path in files]
    for change in (dict(), dict(epoch_end='first', rc=0.5), dict(epoch_end='rows', epoch_rows=431, mutate=0.2),
                   dict(shuffle=40, mixed=True),
                   dict(shuffle=99, mixed=True, epoch_end='rows', epoch_rows=300, rc=0.5)):
        change = dict(change)
        mixed = change.pop('mixed', False)
        o = dict(BASE, bases=40, rows=12, seed=6, store_order='exact', encode='tokens', label='group', **change)
        region = dict(region='grid', strands='plus' if o['rc'] else 'both', jitter=5)
        second = oracle.Group('b', 2, 1, 0, [files[1]]) if mixed else group_of_store('b', 2, 1, bytes_of[1])
        groups = [group_of_store('a', 3, 0, bytes_of[0]), second, group_of_store('c', 4, 7, bytes_of[2], **region)]
        of = Loader(groups, o)
        for e in (0, 3):
            rows = [Epoch(of, e)[i] for i in range(len(Epoch(of, e)))]
            tally.check(('groups', change, e), rows, in_turn(of, e))
            good, all_rows = together(of, e)
            tally.check(('groups over ranks', change, e), (good, len(all_rows)), (True, len(rows)))
            shares = all(abs(9 * sum(r.group == g for r in rows[:n]) - n * w) < 9
                         for n in range(len(rows)) for g, w in enumerate((3, 2, 4)))
            shares &= all([r.group for r in rows[n:n + 9]].count(g) == w for n in range(0, len(rows) - 8)
                          for g, w in enumerate((3, 2, 4)))
            tally.check(('shares', change, e), shares, True)
            for g, feed in enumerate(of.feeds):
                passes = collections.defaultdict(list)
                for row in rows:
                    if row.group == g:
                        passes[row.turn].append((row.rid, row.piece))
                sizes = [len(passes[t]) for t in sorted(passes)]
                full = feed.first_count() if isinstance(feed, StoreFeed) else feed.first_count(e)
                once = all(len(set(of_pass)) == len(of_pass) for of_pass in passes.values())
                differ = len(set(map(tuple, passes.values()))) == len(passes)
                tally.check(('each pass', change, e, g), (sizes[:-1], once, differ),
                            ([full] * (len(sizes) - 1), True, True))
            whole = list(delivered_rows(of, e))
            tally.check(('groups resumed', change, e), all(list(delivered_rows(of, e, b)) == whole[12 * b:]
                                                           for b in (1, 5, Epoch(of, e).batches() - 1)), True)
    one = opened([files[2]], bases=40, rows=12, seed=6, store_order='exact', letters='bytes', **region)
    of = Loader([group_of_store('all', 7, 0, one.groups[0].store)], dict(one.o, epoch_end='first'))
    tally.check('one group', in_turn(of, 2), in_turn(one, 2))


def check_inputs(tally):
    """Labels by input: the files, then the inputs of the stores in the order of the groups, whose ids begin at 0."""
    one = Store([records_of('A')])
    three = Store([records_of('A', 'C'), [], records_of('G')], duplicate_names=True)
    groups = [group_of_store('s', 1, 0, three), oracle.Group('t', 1, 0, 1, ['x']), group_of_store('u', 1, 0, one),
              oracle.Group('v', 1, 0, 0, ['y']), group_of_store('w', 1, 0, three)]
    for number, rid, want in ((1, 1 << 40 | 7, 1), (3, 9, 0), (0, 1, 2), (0, 2 << 40, 4), (2, 0, 5), (4, 0, 6),
                              (4, 2 << 40, 8)):
        row = oracle.Row(number, 0, rid, 0, 0, b'A', None)
        tally.check(('input', number, rid), oracle.input_of(groups, row), want)
        for values, label in (([], want), ([10, 11, 12, 13, 14, 15, 16, 17, 18], 10 + want)):
            o = dict(BASE, label='input', label_dtype='u8', label_values=values)
            tally.check(('label', number, rid), oracle.label_bytes(o, groups, row), bytes([label]))
    tally.check('one store', oracle.input_of(groups[:1], oracle.Row(0, 0, 2 << 40, 0, 0, b'G', None)), 2)


def check_refusals(tally):
    acgt = [records_of('ACGT' * 10)]
    grid = dict(bases=5, region='grid')
    for change, want in (
            (dict(grid, shuffle=7), 'shuffle_rows, and no group is text'),
            (dict(grid, store_order='helixer'), 'the order HELIXER is of a grid with strands BOTH'),
            (dict(store_order='helixer'), 'the order HELIXER is of a grid with strands BOTH'),
            (dict(grid, strands='both', rc=0.5), 'strands BOTH, and reverse_complement'),
            (dict(grid, bases=0), 'regions need row_bases'),
            (dict(grid, crop=3), 'regions, and crop or split_stride: only one can be given'),
            (dict(grid, grid_stride=6), 'the stride of the grid is more than row_bases'),
            (dict(grid, sequences=['z']), 'no sequence is named z'),
            (dict(grid, sequences=['a', 'a']), 'a sequence is listed twice'),
            (dict(grid, split=(1, 0, 1, 'block', 10), jitter=3),
             'split.block_bases is less than row_bases and twice the jitter'),
            (dict(grid, label='region'), 'labels of regions, and the group all has no intervals'),
            (dict(grid, strands='both', channels='ACGTE'), 'the minus strand of letters without a complement'),
            (dict(bases=5, region='intervals', channels='LMN', intervals=[('a', 0, 5, 0, None), ('a', 0, 5, 1, None)]),
             'the minus strand of letters without a complement'),
            (dict(grid, max_n=0, channels='ACGTE'), 'N is a letter of proteins'),
            (dict(grid, quality='phred'), 'a store without qualities'),
            (dict(grid, names='none', sequences=['a']), 'a store without names'),
            (dict(grid, min_length=99), 'group all has no row: length'),
            (dict(grid, rows=7, world=2), 'world does not divide batch_rows')):
        tally.check(('refused', change), refusal(opened, acgt, **change), want)
    tally.check('an empty store', len(Epoch(opened([[]], **grid), 0)), 0)
    store = Store(acgt)
    two = [group_of_store(name, w, None, store) for name, w in (('p', 1), ('q', 1 << 20))]
    tally.check('refused mix', refusal(Loader, two, dict(BASE, **grid)), 'the weights add up to 1048577')
    text, exact = [oracle.Group('t', 1, None, 0, [])], dict(BASE, store_order='exact')
    tally.check('order of text', refusal(Loader, text, exact), 'order, and no group is a store')
    for change in (dict(grid, strands='both', channels='ACGTUNRYSWKMBDHVX'), dict(grid, channels='ACE'),
                   dict(grid, strands='both', channels='ACE', encode='tokens'),
                   dict(bases=5, region='intervals', channels='ACE', intervals=[('a', 0, 5, 0, None)])):
        tally.check(('accepted', change), refusal(opened, acgt, **change), '')
    peaks = dict(BASE, bases=5, region='intervals', intervals=[('a', 0, 5, 0, 2)], label='region')
    for groups, want in (([group_of_store('s', 1, 0, store)], ''),
                         ([group_of_store('s', 1, 0, store), oracle.Group('t', 1, 0, 0, [])],
                          'labels of regions, and the group t has no intervals'),
                         ([group_of_store('s', 1, 0, store), group_of_store('u', 1, 0, store, region=None)],
                          'labels of regions, and the group u has no intervals')):
        tally.check(('labels of regions', want), refusal(Loader, groups, peaks), want)


def selfcheck(tally, directory):
    check_published(tally)
    check_places(tally)
    check_filters(tally)
    check_bed(tally)
    check_store(tally, directory)
    check_text(tally, directory)
    check_order(tally)
    check_jitter(tally)
    check_promises(tally, directory)
    check_split(tally)
    check_groups(tally, directory)
    check_inputs(tally)
    check_refusals(tally)


# ---- tables for tests in C, and fxbatch ----

# Of the files that make_inputs makes: groups of (name, weight, label, 'store' or 'text', files), or the files of one
# store. bed: the file of the intervals. stops: after how many batches of both epochs a run ends which another
# goes on with.
GRID = dict(region='grid', bases=64, rows=24, encode='tokens', dtype='u8')
BED = dict(GRID, region='intervals', bed='bed', fit='center')
READS = dict(rows=24, letters='bytes', duplicate_names=True)
TRIES = [
    dict(GRID, files=['g']), dict(GRID, files=['g', 'h'], strands='both', seed=1),
    dict(GRID, files=['g', 'h'], strands='both', store_order='helixer', minus_pad='end', n='iupac', encode='onehot',
         dtype='f16'),
    dict(GRID, files=['h'], strands='both', store_order='exact', seed=2 ** 40 + 3, jitter=20, stops=[1, 9]),
    dict(GRID, files=['g', 'h'], store_order='exact', edge='inside', jitter=300, seed=5, rc=0.5, mutate=0.1),
    dict(GRID, files=['g', 'h'], store_order='exact', edge='drop', grid_stride=31, world=3, rank=1, tail='short'),
    dict(GRID, files=['g'], strands='both', edge='inside', jitter=9, pad_side='left', pad_multiple=40, layout='ncl',
         encode='onehot', dtype='f32', lower='channel', mask=True),
    dict(GRID, files=['h'], strands='both', store_order='helixer', mutate=0.1, sequences=['t3', 't0']),
    dict(GRID, files=['g', 'h'], store_order='exact', max_n=0.05, max_lower=0.5, max_other=0.06, tail='drop', seed=3),
    dict(GRID, files=['g', 'h'], strands='both', split=(12, 0, 0.7, 'block', 200), jitter=30, store_order='exact'),
    dict(GRID, files=['g', 'h'], split=(12, 0.5, 1, 'sequence'), seed=7, store_order='exact', min_length=70),
    dict(BED, files=['g'], store_order='exact', jitter=5, label='region', label_dtype='i32', seed=4, stops=[2]),
    dict(BED, files=['g'], strands='both', edge='inside', label='region', label_dtype='f32'),
    dict(BED, files=['g'], fit='start', minus_pad='end', jitter=70, edge='pad', mask=True),
    dict(BED, files=['g'], fit='start', edge='drop', world=2, rank=1, store_order='exact', max_n=0),
    dict(BED, files=['g'], bed='peaks', fit='summit', store_order='exact', rc=0.5, jitter=9, seed=10, stops=[1, 3]),
    dict(BED, files=['g'], bed='peaks', fit='summit', strands='both', edge='inside', jitter=9, label='region', label_dtype='i32'),
    dict(BED, files=['g'], bed='past', fit='summit', edge='drop', store_order='exact', jitter=20, world=2, rank=1, rows=8, seed=2),
    dict(BED, files=['g'], bed='past', edge='drop', strands='both', split=(12, 0, 0.7, 'block', 200), stops=[1]),
    dict(BED, files=['g'], bed='peaks', fit='start', strands='both', split=(12, 0, 0.7, 'block', 200), jitter=30, mask=True,
         minus_pad='end'),
    dict(BED, files=['g'], bed='peaks', rc=0.5, encode='onehot', max_n=0, max_lower=0.5, pad_side='left', pad_multiple=48),
    dict(READS, files=['a', 'b'], store_order='exact', seed=9, rc=0.5),
    dict(READS, files=['a', 'b'], bases=30, stride=11),
    dict(READS, files=['a'], store_order='exact', long='crop', bases=37, quality='phred', min_quality=35.5, stops=[1]),
    dict(READS, files=['a'], store_order='exact', long='head', split=(3, 0.2, 0.6, 'name', '._'), mask=True, first=70),
    dict(READS, store_order='exact', bases=40, groups=[('x', 3, 1, 'store', ['a']), ('y', 2, 0, 'store', ['b'])],
         label='group', label_dtype='u8', seed=6, rc=0.5, stops=[3, 20]),
    dict(READS, store_order='exact', bases=40, groups=[('x', 3, 1, 'store', ['a']), ('y', 2, 0, 'text', ['b', 'c'])],
         shuffle=50, epoch_end='rows', epoch_rows=700, open_files=2, shuffle_files=True, mutate=0.1, stops=[5]),
    dict(GRID, groups=[('x', 2, 1, 'store', ['g']), ('y', 1, 0, 'store', ['h'])], strands='both', store_order='exact',
         epoch_end='first', jitter=10, label='group', label_dtype='i64', stops=[2]),
    dict(READS, bases=40, groups=[('x', 1, 0, 'text', ['c']), ('y', 2, 1, 'store', ['a']), ('z', 3, 2, 'text', ['b'])],
         label='group', label_dtype='i32', seed=8, rc=0.5, min_quality=33.5, stops=[1, 4, 30]),
    dict(GRID, groups=[('x', 5, 1, 'store', ['g']), ('y', 2, 0, 'text', ['h'])], strands='both', store_order='helixer',
         epoch_end='first', jitter=10, shuffle=20, max_n=0.1, minus_pad='end', stops=[3]),
    dict(GRID, groups=[('x', 1, 0, 'text', ['h']), ('y', 3, 1, 'store', ['g'])], store_order='exact', rc=0.5, jitter=30,
         edge='drop', split=(12, 0, 0.7, 'sequence'), label='group', label_dtype='f32', seed=2, tail='drop', stops=[2]),
    dict(READS, store_order='exact', bases=0, max_bases=70, long='crop', quality='phred', epoch_end='rows',
         groups=[('x', 1, 1, 'store', ['a']), ('y', 1, 0, 'text', ['b'])], shuffle=9, epoch_rows=333, mask=True,
         tail='short', stops=[7]),
    dict(READS, bases=40, groups=[('x', 2, 0, 'store', ['b', 'a']), ('y', 1, 0, 'text', ['c', 'b']), ('z', 1, 0, 'store', ['c']),
                                  ('w', 1, 0, 'text', ['a'])], store_order='exact', shuffle=30, label='input', label_dtype='i32',
         label_values=[7, -1, 0, 1000, 2, 2], long='head', rc=0.5, seed=11, open_files=2, stops=[2, 9]),
    dict(READS, bases=40, groups=[('x', 1, 0, 'store', ['a', 'b']), ('y', 3, 0, 'store', ['c', 'a'])], store_order='exact',
         label='input', label_dtype='u8', long='tail', stops=[3])]


def make_inputs(directory):
    """The files of TRIES, by their names: genomes, reads, intervals of the first genome."""
    paths = {name: os.path.join(directory, name) for name in 'abcgh'}
    for name, count, seed in (('a', 120, 51), ('b', 50, 52), ('c', 20, 53)):
        oracle.make_reads(paths[name], count, seed)
    oracle.make_sequences(paths['g'], 4, 1500, 54)
    oracle.make_sequences(paths['h'], 7, 600, 55)
    write(directory, 'h', open(paths['h']).read().replace('>s', '>t'))
    chooser, lines = random.Random(56), []
    for i in range(60):
        seq, _, title = chooser.choice(oracle.read_records(paths['g']))
        start = chooser.randrange(len(seq))
        end = min(len(seq), start + 1 + chooser.randrange(149))
        lines.append('\t'.join([first_word(title).decode(), str(start), str(end), 'n%d' % i, '0', '+-.'[i % 3],
                               str(i % 9 - 4)]) + '\n')
    paths['bed'] = write(directory, 'bed', ''.join(lines))
    places = some_intervals(chooser, [len(seq) for seq, _, _ in oracle.read_records(paths['g'])], range(4), 60, 150, lambda i: i % 9 - 4)
    peaks = ['s%d\t%d\t%d\tn\t0\t%s\t%d\t-1\t-1\t%d\n' % (at, start, end, '+-'[strand], label, summit)
             for at, start, end, strand, label, summit in places]
    paths['peaks'], paths['past'] = write(directory, 'peaks', ''.join(peaks[:60])), write(directory, 'past', ''.join(peaks))
    for change in TRIES:
        if change.get('sequences'):
            key = 'list ' + ','.join(change['sequences'])
            paths[key] = write(directory, key.replace(' ', '-'), '\n'.join(change['sequences']) + '\n')
    return paths


def loader_of(change, paths):
    """A loader of a row of TRIES, and its settings."""
    o = dict(BASE, **change)
    if o.get('bed'):
        o['intervals'] = read_bed(open(paths[o['bed']]).read(), 7, o['label_dtype'], o['fit'] == 'summit', o['edge'])
    groups, first = [], 0
    for name, weight, label, kind, names in o['groups'] or [('all', 1, None, 'store', o['files'])]:
        files = [paths[of] for of in names]
        if kind == 'text':
            groups.append(oracle.Group(name, weight, label, first, files))
            first += len(files)
        else:
            groups.append(group_of_store(name, weight, label, Store(files, o['letters'], o['names'],
                                                                    o['duplicate_names'])))
    return Loader(groups, o)


# The settings that are one option of fxbatch each, beside those of text.
FLAGS = dict(store_order='--order', strands='--strands', fit='--fit', jitter='--jitter', edge='--edge',
             minus_pad='--minus-pad', max_lower='--max-lower', max_other='--max-other')


def make_store(fxstore, o, paths, names):
    """The file of the store of these files, made by fxstore; with qualities where all have them."""
    store = '.'.join(paths[name] for name in names[:1]) + '-'.join(names[1:]) + '.bst'
    qualities = all(qual is not None for name in names for _, qual, _ in oracle.read_records(paths[name]))
    words = {'whole': 'all', 'name': 'names', 'none': 'none'}
    subprocess.run([fxstore, '-o', store, '--letters', o['letters'], '--names', words[o['names']]] +
                   ['--qualities'] * qualities + ['--duplicate-names'] * o['duplicate_names'] +
                   [paths[name] for name in names], check=True)
    return store


def flags(change, paths, store_of=lambda o, names: ','.join(names) + '.bst'):
    """The settings as options of fxbatch; files come last, those of groups in their groups. store_of gives the store
    of files."""
    o = dict(BASE, **change)
    of_text = {name: value for name, value in o.items() if name in oracle.BASE}
    if o['region']:
        of_text['max_n'] = None
    line = oracle.flags(dict(of_text, groups=None, label=None))
    for name, flag in FLAGS.items():
        if o[name] != BASE[name]:
            line += [flag, str(o[name])]
    if o['region'] == 'grid':
        line += ['--grid', '%d:%d' % (o['bases'], o['grid_stride']) if o['grid_stride'] else str(o['bases'])]
    if o['region'] and o['max_n'] is not None:
        line += ['--max-region-n', str(o['max_n'])]
    if o['sequences'] is not None:
        line += ['--sequences', paths['list ' + ','.join(o['sequences'])]]
    if o.get('bed'):
        line += ['--regions', paths[o['bed']]]
    if o['label']:
        line += ['--label', o['label'], '--label-dtype', o['label_dtype']]
    if o['label'] == 'region':
        line += ['--label-column', '7']
    if o['label_values']:
        line += ['--label-values', ','.join(map(str, o['label_values']))]
    if not o['groups']:
        return line + [store_of(o, o['files'])]
    for name, weight, label, kind, names in o['groups']:
        line += ['--group', '%s:%d' % (name, weight) + (':%s' % label if o['label'] == 'group' else '')]
        line += [store_of(o, names)] if kind == 'store' else [paths[of] for of in names]
    return line


def print_vectors(directory):
    """For each row of TRIES its options, batches_per_epoch, and two epochs; of the first epoch the first rows."""
    paths = make_inputs(directory)
    for change in TRIES:
        loader = loader_of(change, paths)
        print('desc', *(word[len(directory) + 1:] if word.startswith(directory) else word
                        for word in flags(change, paths)))
        for e in range(2):
            for row in itertools.islice(delivered_rows(loader, e), 4 * (e == 0)):
                print(*row_line(e, row), sep='\t')
            print(*epoch_line(loader, e), sep='\t')


def compare(tally, tool, directory):
    """Two epochs of each row of TRIES as fxbatch gives them, whole and in two runs; stores are made by the fxstore
    beside it."""
    paths, fxstore = make_inputs(directory), os.path.join(os.path.dirname(tool), 'fxstore')
    for number, change in enumerate(TRIES):
        loader, want = loader_of(change, paths), []
        for e in range(2):
            want.append(epoch_line(loader, e))
            if change.get('groups'):
                want += [('group ' + name, 'passes %d' % passes, 'rows %d' % rows)
                         for name, passes, rows in oracle.group_rows(loader.groups, in_turn(loader, e))]
        arguments = flags(change, paths, lambda o, names: make_store(fxstore, o, paths, names))
        for workers in (1, 2, 3, 4):
            got = oracle.run_tool(tool, ['--epochs', '2', '--workers', str(workers)] + arguments)
            tally.check((change, 'workers', workers), got, want)
        epochs = [oracle.delivered(loader.groups, Epoch(loader, e), loader.o, e) for e in range(2)]
        for stop in change.get('stops', ()):
            tally.check((change, 'stopped after', stop),
                        oracle.two_runs(tool, directory, arguments, stop, 1 + (number + stop) % 4), epochs)
        if loader.o['world'] == 1:
            world = 2 + number % 3
            tally.check((change, 'ranks', world), ranks_together(tool, arguments, world),
                        [(batches, rows, digest & M64) for batches, rows, digest in epochs])


def ranks_together(tool, arguments, world):
    """(batches, rows, digest) of both epochs: batches of each rank, which have as many, and the sums of the rest."""
    sums = [[set(), 0, 0], [set(), 0, 0]]
    for rank in range(world):
        for line in oracle.run_tool(tool, ['--epochs', '2', '--world', str(world), '--rank', str(rank)] + arguments):
            if isinstance(line, str):
                return line
            if line[0].startswith('epoch '):
                of = sums[int(line[0].split(' ')[1])]
                of[0].add(int(line[1].split(' ')[1]))
                of[1] += int(line[2].split(' ')[1])
                of[2] += int(line[3].split(' ')[1], 16)
    return [(batches.pop() if len(batches) == 1 else batches, rows, digest & M64) for batches, rows, digest in sums]


# ---- what fasta2h5 makes of a genome ----

def read_npy(path):
    """Shape, and the numbers or texts, of a .npy file of version 1.0."""
    data = open(path, 'rb').read()
    size, = struct.unpack('<H', data[8:10])
    head = ast.literal_eval(data[10:10 + size].decode())
    kind, body = head['descr'], data[10 + size:]
    if kind[1] == 'S':
        n = int(kind[2:])
        return head['shape'], [body[at:at + n].rstrip(b'\0').decode() for at in range(0, len(body), n)]
    form = {'<f2': '<e', '>f2': '>e', '<i8': '<q', '>i8': '>q'}[kind]
    return head['shape'], [x for x, in struct.iter_unpack(form, body)]


HELIXER_COLUMNS = {'C': (1, 0, 0, 0), 'A': (0, 1, 0, 0), 'T': (0, 0, 1, 0), 'G': (0, 0, 0, 1), 'N': (.25,) * 4,
                   'P': (0,) * 4}


def made_by_fasta2h5(sequences, size):
    """Chunks as texts, with P for padding, start_ends and seqids: plus chunks of each sequence, then the same from the
    last to the first, each reversed and complemented, and padded at its end on both strands."""
    chunks, ends, names = [], [], []
    for name, seq in sequences:
        places = [(at, min(at + size, len(seq))) for at in range(0, len(seq), size)]
        chunks += [seq[a:b].ljust(size, 'P') for a, b in places]
        chunks += [seq[a:b].translate(str.maketrans('ACGT', 'TGCA'))[::-1].ljust(size, 'P') for a, b in places[::-1]]
        ends += [list(place) for place in places] + [[b, a] for a, b in places[::-1]]
        names += [name] * (2 * len(places))
    return chunks, ends, names


def compare_segments(tally, tool, directory):
    """--segments with the settings of fasta2h5: the example of Helixer's h5_data.md, its list of the chunks of 51321
    bases, and a genome at random."""
    chooser = random.Random(64)
    long = ''.join(chooser.choice('ACGT' * 8 + 'N') for _ in range(51321))
    genome = [('c%d' % i, ''.join(chooser.choice('ACGT' * 8 + 'N') for _ in range(n))) for i, n in enumerate([7, 100, 0, 1, 350])]
    published = [[0, 21384], [21384, 42768], [42768, 51321], [51321, 42768], [42768, 21384], [21384, 0]]
    tally.check('published chunks', (made_by_fasta2h5([('s', 'AATGACATNCGTT')], 5)[0],
                                     made_by_fasta2h5([('s', long)], 21384)[1]),
                (['AATGA', 'CATNC', 'GTTPP', 'AACPP', 'GNATG', 'TCATT'], published))
    for sequences, size in (([('s', 'AATGACATNCGTT')], 5), ([('chr1', long)], 21384), (genome, 50), (genome, 1)):
        text = write(directory, 'segments.fa', ''.join('>%s of it\n%s\n' % of for of in sequences))
        store, out = os.path.join(directory, 'segments.bst'), os.path.join(directory, 'segments')
        subprocess.run([os.path.join(os.path.dirname(tool), 'fxstore'), '-o', store, text], check=True)
        lines = oracle.run_tool(tool, ['--grid', str(size), '--strands', 'both', '--order', 'helixer', '--channels', 'CATG',
                                       '--n', 'helixer', '--dtype', 'f16', '--minus-pad', 'end', '--rows', '7', '--segments', out,
                                       store])
        chunks, ends, names = made_by_fasta2h5(sequences, size)
        tally.check(('segments', size), lines[0][2:3] if isinstance(lines[0], tuple) else lines, ('rows %d' % len(chunks),))
        got = [read_npy(os.path.join(out, name + '.npy')) for name in ('X', 'start_ends', 'seqids')]
        tally.check(('X', size), got[0], ((len(chunks), size, 4), [x for chunk in chunks for base in chunk
                                                                 for x in HELIXER_COLUMNS[base]]))
        tally.check(('start_ends', size), got[1], ((len(chunks), 2), [x for place in ends for x in place]))
        tally.check(('seqids', size), got[2], ((len(chunks),), names))


BED_TEXTS = [
    '', '\n', '\n\n', 'c\t1\t2', 'c\t1\t2\r', 'c 1 2\r', 'c\t1\t2\r\r\n', '\r\n', ' \n\t\n\f\v\n', '#c\t1\t2\n', ' #c\t1\t2\n', 'track',
    'track\n', 'track\tx\n', 'track\r\n', 'tracks 1 2', 'browser 1 2', 'browsers\t1\t2', 'Track 1 2', ' track 1 2', '\t1\t2\n',
    'c\t\t2', 'c\t1\t', 'c\t1', 'c', 'c 1', 'c  1\v2\f', 'c\t1 \t2', 'c d\t1\t2', 'c\t0\t999999999999999999', 'c\t0\t1000000000000000000',
    'c\t000000000000000001\t2', 'c\t0000000000000000001\t2', 'c\t+1\t2', 'c\t1\t2\0', 'c\0d\t1\t2', 'c\t5\t5', 'c\t6\t5', 'c\t0\t1',
    'c\t1\t2\tn\t0\t', 'c\t1\t2\tn\t0\t++', 'c\t1\t2\tn\t0\t\0', 'c\t1\t2\tn\t0\t-\t-', 'c\t1\t2\tn\t0\t-\r', 'c\xe9\t1\t2', 'c\t\xe9\t2',
    'c\t' + 'x' * 60 + '\t2', 'c\t' + 'x' * 61 + '\t2', 'c\t1\t2\n\nd\t3\t1\n', 'a\t1\t2\nb 1 3\na\t4\t9\tx\n', 'c\x1c1\x1c2', 'c\xa01\xa02',
    'track\xa0x', 'c\t1\t2\n' * 70, 'track\t1\t2', 'track\t-1\t2', ' track\t1\t2', 'track 1 2 \r', 'browser\t1\tx', 'c 1 2 +', 'c\t1\t2\t-',
    'c\t1\t2\tn\t+', 'c\t1\t2\tn\t"-"', "c\t1\t2\tn\t'-'\r", 'c\t1\t2\tn 0 -', 'c\t1\t2\tn\t0 - ', 'c\t1\t2\tn-', 'c\t1\t2\t--',
    'c\t1\t2\tn\tminus', 'c\t1\t2\tn\tRev', 'c\t1\t2\tn\tR', 'c\t1\t2\tR\t0', 'c\t1\t2\tplus', 'c\t1\t2\tn\t-\t.', 'c\t1\t2\t-\t0\t.',
    'c\t1\t2\tn\t-\t+', 'c\t1\t2\t+\t0\t-', 'c\t1\t2\tn\t-1', 'c\t1\t2\tn\t.', 'c\t1\t2\tn\t', 'c\t1\t2\tn\t0\t.', 'c\t1\t2\tn\t""',
    'c\t1\t2\tn\treversed', 'c\t1\t2\tn\t-\t8\t-', 'a\t1\t2\tn\t0\t-\nb\t1\t2\tn\t-\n',
    'c\t-1\t2', 'c -5 -3', 'c\t-\t2', 'c\t--1\t2', 'c\t-999999999999999999\t2', 'c\t-1000000000000000000\t2', 'c\t-0\t2',
    'c\t-5\t-5', 'c\t-5\t-6', 'c\t1-\t2', 'c\t-3\t+2', 'c\t-3\t-']
PEAK = 'c\t5\t9\tn\t0\t-\t7.5\t-1\t-1\t'
BED_PEAKS = [PEAK + summit for summit in ('0', '3', '4', '-1', '-2', '', '1.5', '+1', '00000000000000003', '0000000000000000003', '1\t9',
                                          '5000000000', 'x' * 61, '-1\r\n', '2\r\n', '2 ', '-', '-01')] + [
    PEAK[:-1], 'c\t5\t9', 'c 5 9 n 0 - 7 -1 -1 2', 'c 5 9 n 0 - 7 -1 -1', 'c\t-9\t0\tn\t0\t.\t7\t-1\t-1\t8\n' + PEAK + '1\n',
    'c\t5\t5000000009\t\t\t\t\t\t\t4294967295', 'c\t5\t5000000009\t\t\t+\t\t\t\t4294967295',
    'c\t5\t5000000009\t\t\t+\t\t\t\t4294967296', '# ' + PEAK + 'x\n\n' + PEAK + '2']
BED_LABELS = ['0', '-0', '7', '+7', '-7', '255', '256', '2147483647', '2147483648', '-2147483648', '-2147483649', '9007199254740992',
              '9007199254740993', '-9007199254740992', '-9007199254740993', '9223372036854775808', '1' * 40, '0' * 40 + '9', '', '-',
              '+', '1.', '.5', '.', '-.5e1', '1e', '1e+', '1e5', '1E-5', '1e38', '4e38', '1e-400', '1e400', '3.4028235677973366e38',
              '3.4028235677973362e38', 'nan', 'inf', '-inf', '0x10', '1_0', ' 1', '1 ', '1.5', '16777217', '0.1', '1,5', '\xb2',
              '1' + '0' * 300, '0.' + '0' * 200 + '1', '1\0']


def c_text(text):
    return '"%s"' % ''.join(c if 32 <= ord(c) < 127 and c not in '"\\?' else '\\%03o' % ord(c) for c in text)


def bed_result(text, column, dtype, summit):
    """The intervals in a line, or the refusal as C writes it: fields of it shown in 60 bytes, escaped."""
    def shown(field):
        return ''.join(c if 32 <= ord(c) < 127 else '\\x%02x' % ord(c) for c in field[:60]) + '...' * (len(field) > 60)
    try:
        return ' '.join('%s:%d:%d:%d:%.17g:%d' % (shown(name), start, end, strand, 0 if label is None else label,
                                                     summit[0] if summit else 0)
                        for name, start, end, strand, label, *summit in read_bed(text, column, dtype, summit))
    except Refused as error:
        before, field, after = re.fullmatch('(line [0-9]+: (?:the start |the end |the label |the strand |the summit |column . is )?)(.*?)'
                                            '( is no .*| is none .*| is not inside.*| is narrow.*|, a strand, .*|)', str(error), re.DOTALL).groups()
        return before + shown(field) + after


def print_bed():
    chooser, rows = random.Random(57), [(text, column, 'f32') for text in BED_TEXTS for column in (0, 4, 5, 6)]
    rows += [('c\t1\t2\t' + label, 4, dtype) for label in BED_LABELS for dtype in ('u8', 'i32', 'i64', 'f32')]
    words = ['c', 'd', '0', '1', '2', '9', '12', '+', '-', '.', 'x', '0.5', 'track', '#', '\r', '\t', '\t', '\t', '\t', ' ', '\v', '\n', '\n',
             '\r\n', 'c\t1\t5\t', 'd 0 3 ', 'n\t0\t-', '\xff', '\0']
    for _ in range(400):
        rows.append((''.join(chooser.choice(words) for _ in range(chooser.randrange(16))), chooser.choice([0, 0, 2, 4, 5, 6, 7]),
                     chooser.choice(['u8', 'i32', 'i64', 'f32'])))
    rows = [row + (False,) for row in rows] + [(text, column, 'f32', True) for text in BED_PEAKS for column in (0, 7)]
    rows += [(PEAK[:-1] + ''.join(chooser.choice('\t\t0123--. x') for _ in range(4)), 0, 'f32', True) for _ in range(60)]
    rows = [row for row in rows if row[0][:1] not in ('\0', '\v', '\xff')]  # which no file of text begins with
    print('/* Made by `python3 tests/oracle_store.py bed`: {text, bytes, label column, type of labels, summit, what is read}. */')
    print('/* clang-format off */')
    for text, column, dtype, summit in rows:
        print('{%s, %d, %d, BIOST_DTYPE_%s, %d,\n %s},' % (c_text(text), len(text), column, dtype.upper(), summit,
                                                          c_text(bed_result(text, column, dtype, summit))))


# ---- a table for tests of rows that are no batches yet ----

def some_intervals(chooser, lengths, of, count, most, label):
    """Intervals (sequence, start, end, strand, label, summit): `count` that have a base of their sequence, and may
    reach past its ends, then others that have none."""
    out = []
    for i in range(count):
        at = chooser.choice(of)
        start = chooser.randrange(-most // 2, lengths[at])
        end = max(start, 0) + 1 + chooser.randrange(most)
        out.append((at, start, end, i % 2, label(i), chooser.randrange(end - start)))
    at = of[0]
    for i, (start, end) in enumerate([(-most, 0), (lengths[at], lengths[at] + 1), (5, 5), (-9, -8), (0, 0), (10 ** 15, 10 ** 17)]):
        out.append((at, start, end, i % 2, label(i), 0))
    return out


def intervals_for(o, store, intervals, with_base):
    """Those that the settings take, by name: where DROP leaves some out, all."""
    return [(first_word(store.titles[at]),) + tuple(rest) for at, *rest in intervals[:None if o['edge'] == 'drop' else with_base]]


PICKS_WITH_BASE, LOADER_WITH_BASE = 14, 40


def picks_inputs():
    """Sequences with titles and qualities, and intervals of three of them."""
    chooser, records = random.Random(61), []
    for i, n in enumerate([70, 0, 31, 8, 1, 55, 16, 24, 9, 40, 3, 12]):
        seq = ''.join(chooser.choice('ACGTACGTACGTacgtNnR') for _ in range(n)).encode()
        records.append((seq, bytes(33 + chooser.randrange(42) for _ in range(n)),
                        b'%c%d:%d/%d x' % (97 + i % 3, i, i % 4, 1 + i % 2)))
    lengths = [len(record[0]) for record in records]
    return records, some_intervals(chooser, lengths, [0, 2, 5], PICKS_WITH_BASE, 20, lambda i: i - 4.5)


def picks_change(chooser):
    """Settings at random."""
    pick = chooser.choice
    o = dict(bases=chooser.randrange(1, 20), seed=chooser.getrandbits(64), store_order=pick(['file', 'exact', 'exact']),
             max_n=pick([None, None, 0, 0.1]))
    o.update(pick([dict(), dict(), dict(first=7), dict(every=2), dict(subsample_from=0.25, subsample_below=0.75),
                   dict(min_length=9), dict(max_length=30), dict(min_quality=19.5), dict(min_base_quality=1),
                   dict(max_error=0.1)]))
    o.update(split=pick([None, None, (5, 0, 0.5, 'name', '._'), (6, 0.25, 1, 'sequence'),
                         (7, 0, 0.6, 'field', 2, ':', ''), (8, 0, 0.8, 'block', 30)]))
    kind = pick(['grid', 'grid', 'intervals', 'records', 'records'])
    if kind == 'records':
        o.update(pick([dict(long='split'), dict(long='split', stride=chooser.randrange(1, o['bases'] + 1)),
                       dict(long='head'), dict(long='tail'), dict(long='center'), dict(long='crop'),
                       dict(long='head', crop=chooser.randrange(1, o['bases'] + 1))]))
        if o['long'] != 'split' and o['split'] and o['split'][3] == 'block':
            o['split'] = None
        return o
    o.update(region=kind, strands=pick(['plus', 'both']), edge=pick(['pad', 'inside', 'drop']),
             minus_pad=pick(['end', 'start']), jitter=pick([0, 0, 1, 4, 40]), max_lower=pick([None, None, 0, 0.3]),
             max_other=pick([None, None, 0, 0.1]))
    if o['split'] and o['split'][3] == 'block':
        o['split'] = o['split'][:4] + (max(30, o['bases'] + 2 * o['jitter']),)
    if kind == 'intervals':
        o.update(intervals=[], fit=pick(['center', 'start']) if o['seed'] % 3 else 'summit')
        return o
    o.update(grid_stride=pick([0, chooser.randrange(1, o['bases'] + 1)]),
             sequences=pick([None, None, [11, 2, 5, 1, 0], [9]]))
    if o['strands'] == 'both' and chooser.random() < 0.5:
        o['store_order'] = 'helixer'
    return o


def picks_fields(o):
    """The settings as one of the cases of tests/test_picks.c."""
    split = o['split'] or (0, 0, 0, 'none')
    by, rest = split[3], list(split[4:])
    number = {'name': 0, 'none': 0, 'sequence': 0, 'field': 0, 'block': rest[0] if by == 'block' else 0}[by]
    share = [-1 if o[name] is None else o[name] for name in ('max_n', 'max_lower', 'max_other')]
    numbers = [o['bases'], ['plus', 'both'].index(o['strands']), ['exact', 'center', 'start', 'summit'].index(o['fit']),
               ['pad', 'inside', 'drop'].index(o['edge']), ['start', 'end'].index(o['minus_pad']), o['jitter'],
               o['grid_stride'], [None, 'grid', 'intervals'].index(o['region']),
               {None: 0, 5: 1, 1: 2}[o['sequences'] and len(o['sequences'])],
               ['file', 'exact', 'helixer'].index(o['store_order']),
               ['fail', 'split', 'head', 'tail', 'center', 'crop'].index(o['long']), o['stride'], o['crop'],
               o['first'], o['every'], o['min_length'], o['max_length'], o['min_base_quality'],
               ['none', 'name', 'field', 'sequence', 'block'].index(by), split[0], number]
    shares = share + [o['subsample_from'], 0 if o['subsample_below'] == 1 else o['subsample_below'], o['min_quality'],
                      o['max_error'], split[1], 0 if split[2] == 1 else split[2]]
    return '%s, %s, 0x%xu' % (', '.join(map(str, numbers)), ', '.join('%gf' % x if x % 1 else '%d' % x for x in shares),
                              o['seed'] & M64)


DROPS = ['first', 'every', 'subsample', 'length', 'split', 'min_quality', 'max_error', 'min_base_quality', 'n', 'user',
         'label', 'edge', 'lower', 'other']


def print_picks():
    """tests/picks_oracle.h: the rows of stores with settings at random, in passes of epochs."""
    records, intervals = picks_inputs()
    store, chooser = Store([records[:7], records[7:]], 'bytes'), random.Random(62)
    print('/* picks_oracle.h - written by `python3 tests/oracle_store.py picks`; see test_picks.c. */\n')
    print('/* clang-format off */')
    print('static const char *const picks_records[][3] = {\n    %s};\n' % ',\n    '.join(
        '{"%s",\n     "%s",\n     "%s"}' % tuple(text.decode().replace('\\', '\\\\').replace('"', '\\"').replace('?', '\\?')
                                     for text in record) for record in records))
    print('static const biost_interval picks_intervals[] = {\n    %s};\n' % ',\n    '.join(
        '{%d, %d, %d, %g, %d, %d}' % (at, start, end, label, strand, summit)
        for at, start, end, strand, label, summit in intervals))
    print('enum { PICKS_WITH_BASE = %d }; /* the others have no base of their sequence */\n' % PICKS_WITH_BASE)
    print('static const picks_case picks_cases[] = {')
    cases = 0
    while cases < 120:
        o = dict(BASE, **picks_change(chooser))
        named = dict(o, letters='bytes')
        name = lambda i: first_word(records[i][2])
        if o['sequences']:
            named['sequences'] = [name(i) for i in o['sequences']]
        if o['region'] == 'intervals':
            named['intervals'] = intervals_for(o, store, intervals, PICKS_WITH_BASE)
        e, turn, g = chooser.randrange(3), chooser.randrange(2), chooser.randrange(3)
        feed = StoreFeed(store, g, named)
        rows = []
        for i in range(len(feed.kept)):
            row = feed.row(e, turn, i)
            left, right = row.lefts or (0, 0)
            rows.append('%d:%d:%d:%d:%d:%d:%g:%s' % (row.rid >> 40, row.rid & (1 << 40) - 1, row.piece, row.start,
                                                    row.strand, left, row.label or 0, row.seq.decode()) +
                        (':%d' % right if right else ''))
        # a region that lies in two blocks counts apart, a piece that does is one the split leaves out
        why = ' '.join('%d' % sum(n for kind, n in feed.dropped.items() if kind == drop) for drop in DROPS + ['border'])
        if len(' '.join(rows)) > (4000 if cases % 12 == 0 else 900):
            continue
        cases += 1
        lines = textwrap.wrap('{%s, %d, %d, %d,' % (picks_fields(o), e, turn, g), 100) + ['"%s",' % why]
        lines += ['"%s "' % line for line in textwrap.wrap(' '.join(rows), 90)] or ['""']
        print('    %s},' % '\n     '.join(lines))
    print('};\n/* clang-format on */')


# ---- a table for tests of loaders over stores ----

LOADER_STORES = dict(G=('G',), GH=('G', 'H'), Q=('Q',), QR=('Q', 'R'), H=('H',), E=())
LOADER_REGIONS = [dict(region='grid', strands='both', edge='inside', jitter=3), dict(region=None),
                  dict(region='grid', grid_stride=11, minus_pad='start', sequences=['g3', 'g0'])]


def loader_texts():
    """FASTA with N, lower case and other letters, and FASTQ with every kind of quality."""
    chooser = random.Random(71)

    def letters(n):
        seq = ''.join(chooser.choice('ACGT') for _ in range(n))
        for piece in ('N' * (n // 9), seq[:n // 7].lower(), 'R', '*') if n > 40 else ('n',) if n > 3 else ():
            at = chooser.randrange(n - len(piece) + 1)
            seq = seq[:at] + piece + seq[at + len(piece):]
        return seq

    texts = dict(E='')
    for name, lengths in (('G', [400, 0, 31, 150, 5, 64]), ('H', [90, 1, 240])):
        texts[name] = ''.join('>%s%d of %d\n' % (name.lower(), i, n) + ''.join(seq[k:k + 60] + '\n' for k in range(0, n, 60))
                              for i, n in enumerate(lengths) for seq in [letters(n)])
    for name, count, colours in (('Q', 60, 41), ('R', 23, 3)):
        lines = []
        for i in range(count):
            seq = letters(chooser.choice([0, 1, 7, 20, 33, 48, 61]))
            lines.append('@%s%d:%d:%d/%d x y\n%s\n+\n%s\n' % (name.lower(), i % 5, i, i % 7, 1 + i % 2, seq,
                         ''.join(chr(33 + chooser.randrange(colours)) for _ in seq)))
        texts[name] = ''.join(lines)
    return texts


def loader_intervals(store):
    return some_intervals(random.Random(72), [record.bases for record in store.records], [0, 0, 3, 2, 5], LOADER_WITH_BASE, 60,
                          lambda i: i % 11 - 5 + (0.5 if i % 3 == 0 else 0))


def loader_encoding(pick):
    """Encoding, qualities, mask and labels of a case."""
    if pick([0, 1]):
        o = dict(encode='tokens', dtype=pick(['u8', 'i32', 'i64']), pad_value=pick([0, 0, 9]))
    else:
        o = dict(dtype=pick(['u8', 'f16', 'bf16', 'f32']), layout=pick(['nlc', 'ncl']),
                 lower=pick(['fold', 'fold', 'channel', 'n']), channels=pick(['ACGT', 'CATG', 'ACDEFGHIKLMNPQRSTVWY']))
        if o['dtype'] != 'u8' and len(o['channels']) == 4:
            o['n'] = pick(['zero', 'n', 'iupac', 'helixer'])
        if pick([0, 1]):
            o.update(mask=True, mask_in_x=True, mask_dtype=o['dtype'])
    o.update(pad_side=pick(['right', 'right', 'left']), pad_multiple=pick([0, 0, 8, 40]))
    if not o.get('mask_in_x') and pick([0, 1]):
        o.update(mask=True, mask_dtype=pick(['u8', 'f32']))
    return o


LOADER_LABELS = [7 * i * i % 251 for i in range(24)]  # of inputs


def loader_turns(o, regions):
    """Proteins are not turned by a draw, stand beside no regions that show the minus strand, and their N is counted by none."""
    if len(o.get('channels', '')) > 4:
        o.update(rc=0, max_n=None)
        if any(of.get('region') == 'intervals' or of.get('strands') == 'both' for of in regions):
            o['channels'] = 'CATG'


def loader_inputs(o, number, inputs):
    """Some cases with labels of groups have labels by input in their place: its number, or one of a table."""
    if o.get('label') == 'group' and number % 2:
        o.update(label='input', label_values=random.Random(number).choice([None, LOADER_LABELS[:inputs]]))


def loader_qualities(o, pick):
    kinds = ['none', 'phred', 'error']
    o['quality'] = pick(kinds)
    if o['quality'] != 'none' and o.get('encode') != 'tokens' and pick([0, 1]):
        o['quality_in_x'] = True
        if o['dtype'] == 'u8':
            o['quality'] = 'phred'
    o.update(pick([dict(), dict(), dict(min_quality=19.5), dict(min_base_quality=1), dict(max_error=0.1)]))


def loader_change(chooser, number):
    """Settings at random, and the names of their stores."""
    pick = chooser.choice
    o = dict(loader_encoding(pick), rows=pick([12, 24, 60]), seed=chooser.getrandbits(64), tail=pick(['pad', 'short', 'drop']),
             store_order=pick(['file', 'exact', 'exact']), letters='bytes' if number % 3 else 'dna')
    kind = ['grid', 'intervals', 'records', 'records', 'groups'][number % 5]
    o['bases'] = pick([1, 9, 16, 33, 64])
    o.update(pick([dict(), dict(), dict(mutate=0.1), dict(inject_n=0.05)]))
    o.update(pick([dict(), dict(), dict(), dict(first=5), dict(every=2), dict(subsample_from=0.25, subsample_below=0.75),
                   dict(min_length=9), dict(max_length=300), dict(max_n=0.1), dict(max_n=0)]))
    o['split'] = pick([None, None, None, (5, 0, 0.7, 'name', '._'), (6, 0.25, 1, 'sequence')])
    if kind in ('grid', 'intervals'):
        o.update(region=kind, strands=pick(['plus', 'both']), edge=pick(['pad', 'inside', 'drop']),
                 minus_pad=pick(['end', 'start']), jitter=pick([0, 0, 1, 4, 40]), max_lower=pick([None, None, None, 0.3, 0]),
                 max_other=pick([None, None, None, 0.1, 0]), epoch_end=pick(['all', 'all', 'rows']))
        if pick([0, 0, 1]):
            o['split'] = (7, 0, 0.8, 'block', o['bases'] + 2 * o['jitter'] + 30)
        if o['strands'] == 'plus' and pick([0, 1]):
            o['rc'] = 0.5
    if kind == 'grid':
        o.update(grid_stride=pick([0, chooser.randrange(1, o['bases'] + 1)]), sequences=pick([None, None, ['g3', 'g0', 'g1']]))
        o['store_order'] = 'helixer' if o['strands'] == 'both' and pick([0, 1]) else o['store_order']
        return o, [pick(['G', 'GH'])]
    if kind == 'intervals':
        o.update(fit=pick(['center', 'start']), label=pick([None, 'region', 'region']), label_dtype='f32')
        o['fit'] = o['fit'] if o['seed'] % 3 else 'summit'
        return o, [pick(['G', 'GH'])]
    o.update(pick([dict(long='split'), dict(long='split', stride=chooser.randrange(1, o['bases'] + 1)), dict(long='head'),
                   dict(long='tail'), dict(long='center'), dict(long='crop'), dict(long='fail', bases=400),
                   dict(long='head', crop=chooser.randrange(1, o['bases'] + 1)),
                   dict(long='tail', bases=0, max_bases=30), dict(long='crop', bases=0, max_bases=37)]), rc=pick([0, 0.5]))
    if o['split'] is None and pick([0, 1]) and kind == 'records':
        o['split'] = (7, 0, 0.6, 'field', 2, ':', '')
    stores = [pick(['Q', 'QR'])] if kind == 'records' else chooser.sample(['Q', 'QR', 'G', 'H'], pick([1, 2, 3, 4]))
    if not {'G', 'H'} & set(stores):
        loader_qualities(o, pick)
    if kind == 'records':
        o.update(label=pick([None, 'input']), label_dtype=pick(['u8', 'i32', 'i64', 'f32']))
        return o, stores
    if set(stores) <= {'G', 'H'} and len(stores) == 2 and o['long'] == 'split' and 'stride' not in o:
        o.update(own_regions=[0, 1], rc=0)
    o.update(epoch_end=pick(['all', 'first', 'rows']), label=pick([None, 'group']), label_dtype=pick(['u8', 'i32', 'f32']),
             weights=[chooser.randrange(1, 7 if stores[1:] else 2) for _ in stores])
    return o, stores


def loader_made(change, stores, intervals):
    """The oracle's loader."""
    o = dict(BASE, **change)
    weights = o.get('weights')
    if o['region'] == 'intervals':
        o['intervals'] = intervals_for(o, stores[0], intervals, LOADER_WITH_BASE)
    if o['epoch_end'] == 'rows':
        o['epoch_rows'] = 131
    groups = [group_of_store('group %d' % i, weights[i] if weights else 1, 3 * i + 1, store,
                             **(LOADER_REGIONS[o['own_regions'][i]] if o.get('own_regions') else {}))
              for i, store in enumerate(stores)]
    return Loader(groups, o)


def loader_word(prefix, word):
    return 'BIOST_%s_%s' % (prefix, word.upper())


def loader_regions(o):
    """Regions as the fields of a biost_regions that are not 0."""
    share = lambda name, forbid, value: [] if value is None else [('.' + forbid, '1')] if value == 0 else \
        [('.' + name, '%gf' % value)]
    out = [('.kind', loader_word('REGIONS', o['region']))]
    for name, prefix in (('strands', 'STRANDS'), ('fit', 'FIT'), ('edge', 'EDGE'), ('minus_pad', 'MINUS_PAD')):
        if o.get(name, BASE[name]) != BASE[name]:
            out.append(('.' + name, loader_word(prefix, o[name])))
    for name in ('jitter', 'grid_stride'):
        if o.get(name):
            out.append(('.' + name.replace('grid_', ''), '%d' % o[name]))
    if o['region'] == 'intervals':
        out += [('.intervals', 'store_intervals'), ('.interval_count', '%d' % (
            LOADER_WITH_BASE + 6 if o.get('edge') == 'drop' else LOADER_WITH_BASE))]
    if o.get('sequences'):
        out += [('.sequences', 'store_listed'), ('.sequence_count', '%d' % len(o['sequences']))]
    return out + share('max_lower_fraction', 'forbid_lower', o.get('max_lower')) + \
        share('max_other_fraction', 'forbid_other', o.get('max_other'))


def loader_fields(o):
    """The settings as the fields of a biost_loader_desc that are not 0."""
    out = []

    def put(field, name, text='%d'):
        value = o[name]
        if value != BASE[name] or name in ('rows', 'bases', 'seed') and value:
            out.append((field, text % value))

    def put_word(field, name, prefix, words=None):
        if o[name] != BASE[name] or name == 'dtype' and o[name] != 'u8':
            out.append((field, loader_word(prefix, (words or {}).get(o[name], o[name]))))

    put('.batch_rows', 'rows')
    put('.row_bases', 'bases')
    put('.max_row_bases', 'max_bases')
    put('.pad_multiple', 'pad_multiple')
    put('.seed', 'seed', '0x%xu')
    put('.split_stride', 'stride')
    if o['long'] != 'fail' and not o['region']:
        out.append(('.long_records', loader_word('LONG', o['long'])))
    put_word('.tail', 'tail', 'TAIL')
    put_word('.order', 'store_order', 'ORDER')
    put_word('.encoding.kind', 'encode', 'ENCODE')
    put_word('.encoding.dtype', 'dtype', 'DTYPE')
    put_word('.encoding.layout', 'layout', 'LAYOUT')
    put('.encoding.channels', 'channels', '"%s"')
    put_word('.encoding.ambiguous', 'n', 'AMBIGUOUS')
    put_word('.encoding.lower_case', 'lower', 'LOWER_CASE')
    put('.encoding.pad_value', 'pad_value')
    put_word('.encoding.pad_side', 'pad_side', 'PAD')
    if o['quality'] != 'none':
        put_word('.quality.kind', 'quality', 'QUALITY')
        put('.quality.in_x', 'quality_in_x')
        if o['quality'] == 'error' and not o['quality_in_x']:
            out.append(('.quality.dtype', 'BIOST_DTYPE_F32'))
    if o['mask']:
        put('.mask', 'mask')
        put('.mask_in_x', 'mask_in_x')
        if not o['mask_in_x']:
            put_word('.mask_dtype', 'mask_dtype', 'DTYPE')
    for field, name, text in (('min_length', 'min_length', '%d'), ('max_length', 'max_length', '%d'),
                              ('min_mean_quality', 'min_quality', '%gf'), ('max_error_rate', 'max_error', '%gf'),
                              ('min_base_quality', 'min_base_quality', '%d'), ('subsample_from', 'subsample_from', '%gf'),
                              ('subsample_below', 'subsample_below', '%gf'), ('first_records', 'first', '%d'),
                              ('every_record', 'every', '%d')):
        put('.filter.' + field, name, text)
    if o['max_n'] is not None:
        out.append(('.filter.forbid_n', '1') if o['max_n'] == 0 else ('.filter.max_n_fraction', '%gf' % o['max_n']))
    if o['split']:
        salt, low, below, by = o['split'][:4]
        rest = o['split'][4:]
        out += [('.split.salt', '%d' % salt), ('.split.by', loader_word('SPLIT', by)),
                ('.split.from', '%s' % ('%gf' % low if low % 1 else '%d' % low)),
                ('.split.below', '0' if below == 1 else '%gf' % below)]
        out += dict(name=lambda: [('.split.strip', '"%s"' % rest[0])], sequence=lambda: [],
                    block=lambda: [('.split.block_bases', '%d' % rest[0])],
                    field=lambda: [('.split.field', '%d' % rest[0])])[by]()
    put('.augment.crop_bases', 'crop')
    put('.augment.reverse_complement', 'rc', '%gf')
    put('.augment.substitute', 'mutate', '%gf')
    put('.augment.inject_n', 'inject_n', '%gf')
    if o['label']:
        out += [('.labels.kind', loader_word('LABEL', o['label']))]
        put_word('.labels.dtype', 'label_dtype', 'DTYPE') if o['label_dtype'] != 'f32' else \
            out.append(('.labels.dtype', 'BIOST_DTYPE_F32'))
    if o['label_values']:
        out += [('.labels.of_inputs', 'store_labels'), ('.labels.of_input_count', '%d' % len(o['label_values']))]
    put_word('.epoch_end', 'epoch_end', 'EPOCH_END')
    if o['epoch_end'] == 'rows':
        out.append(('.epoch_rows', '131'))
    if o['region']:
        out += [('.regions' + field, text) for field, text in loader_regions(o)]
    return out


def print_loader():
    """tests/store_vectors.h: what loaders over stores deliver, with settings at random."""
    texts, chooser, names, cases = loader_texts(), random.Random(73), list(LOADER_STORES), 0
    made = {}
    for name, of in LOADER_STORES.items():
        with tempfile.TemporaryDirectory() as directory:
            for letters in ('dna', 'bytes'):
                try:
                    made[name, letters] = Store([write(directory, at, texts[at]) for at in of], letters)
                except Refused:
                    made[name, letters] = None
    intervals = loader_intervals(made['G', 'bytes'])
    print('/* store_vectors.h - written by `python3 tests/oracle_store.py loader`; see test_store_loader.c. */\n')
    print('/* clang-format off */')
    for name in 'GHQR':
        print('static const char store_text_%s[] =\n    %s;\n' % (name.lower(), '\n    '.join(
            c_text(texts[name][k:k + 80]).replace('?', '\\?') for k in range(0, len(texts[name]), 80))))
    print('static const biost_interval store_intervals[] = {\n    %s};\n' % ',\n    '.join(
        '{%d, %d, %d, %g, %d, %d}' % (at, start, end, label, strand, summit)
        for at, start, end, strand, label, summit in intervals))
    print('static const uint64_t store_listed[] = {3, 0, 1};\n')
    print('static const double store_labels[] = {%s};\n' % ', '.join(map(str, LOADER_LABELS)))
    print('static const biost_regions store_regions[] = {\n    %s};\n' % ',\n    '.join(
        '{%s}' % ', '.join('%s = %s' % field for field in loader_regions(of)) if of['region'] else
        '{.kind = BIOST_REGIONS_NONE}' for of in LOADER_REGIONS))
    print('enum { %s };\n' % ', '.join('STORE_' + name for name in names))
    print('static const store_case store_cases[] = {')
    tries = 0
    while cases < 150:
        tries += 1
        change, stores = loader_change(chooser, tries)
        loader_turns(change, [change] + [LOADER_REGIONS[of] for of in change.get('own_regions', ())])
        loader_inputs(change, tries, sum(len(LOADER_STORES[name]) for name in stores))
        letters = change['letters']
        if any(made[name, letters] is None for name in stores):
            continue
        try:
            loader = loader_made(change, [made[name, letters] for name in stores], intervals)
            epochs = [(e,) + oracle.delivered(loader.groups, Epoch(loader, e), loader.o, e) for e in (0, 1, 2 ** 32 + 5)]
        except Refused as error:
            assert 'has no row' in str(error), error
            continue
        if not 0 < epochs[0][2] < 700:
            continue
        cases += 1
        o = loader.o
        desc = textwrap.wrap(', '.join('%s = %s' % field for field in loader_fields(o)), 100)
        groups = o.get('weights') or [0]
        print('    {{%s},\n     %d, %d, {%s}, {%s}, {%s},\n     {%s}},' % (
            '\n      '.join(desc), letters == 'bytes', len(groups) if o.get('weights') else 0,
            ', '.join('STORE_' + name for name in stores), ', '.join(map(str, groups)),
            ', '.join(str(1 + of) for of in o.get('own_regions') or [-1]),
            ',\n      '.join('{%d, %d, 0x%016xu}' % (batches, rows, digest) for _, batches, rows, digest in epochs)))
    print('};\n/* clang-format on */')


# Of groups of stores beside text: the regions that a store may show, and how many cases there are.
MIXED_REGIONS = [dict(region='grid', strands='both', jitter=3), dict(region='grid', grid_stride=7, edge='inside'),
                 dict(region='intervals', fit='center', edge='drop', jitter=4),
                 dict(region='grid', strands='both', edge='drop', max_lower=0.3, minus_pad='start')]
MIXED_CASES = 120


def mixed_groups(pick, fastq):
    """2 to 4 groups (kind, names of a store or of files, regions or None, weight), of both kinds."""
    while True:
        groups = []
        for _ in range(pick([2, 2, 3, 4])):
            if pick([0, 1]):
                name = pick(['Q', 'QR'] if fastq else ['Q', 'QR', 'G', 'GH', 'H'])
                regions = pick([None, None, 0, 1, 2, 3]) if name in ('G', 'GH') else None
                groups.append(('store', [name], regions, pick([1, 1, 2, 3, 7])))
            else:
                names = pick([['Q'], ['R'], ['Q', 'R'], ['E', 'R'], ['R', 'Q', 'R']] +
                             ([] if fastq else [['G'], ['H'], ['G', 'H'], ['H', 'E', 'G', 'H']]))
                groups.append(('text', names, None, pick([1, 1, 2, 3, 7])))
        if len({kind for kind, *_ in groups}) == 2:
            return groups


def mixed_change(chooser, number):
    """Settings at random, and the groups."""
    pick, fastq = chooser.choice, number % 3 == 0
    groups = mixed_groups(pick, fastq)
    o = dict(loader_encoding(pick), rows=pick([12, 24, 60]), seed=chooser.getrandbits(64), tail=pick(['pad', 'short', 'drop']),
             store_order=pick(['file', 'exact', 'exact']), letters='bytes' if number % 2 else 'dna', bases=pick([9, 16, 33, 64]),
             shuffle=pick([0, 0, 1, 7, 60, 400]), epoch_end=pick(['all', 'first', 'rows']),
             label=pick([None, 'group']), label_dtype=pick(['u8', 'i32', 'i64', 'f32']),
             split=pick([None, None, (5, 0, 0.7, 'name', '._'), (6, 0.25, 1, 'sequence')]))
    o.update(pick([dict(), dict(mutate=0.1), dict(inject_n=0.05)]))
    o.update(pick([dict(), dict(), dict(), dict(first=5), dict(every=2), dict(subsample_from=0.25, subsample_below=0.75),
                   dict(min_length=9), dict(max_length=300), dict(max_n=0.1), dict(max_n=0)]))
    regions = [of for _, _, of, _ in groups if of is not None]
    both = any(MIXED_REGIONS[of].get('strands') == 'both' for of in regions)
    o['rc'] = 0 if both else pick([0, 0.5])
    longs = [dict(long='split'), dict(long='head'), dict(long='tail'), dict(long='center'), dict(long='crop')]
    if not regions:
        longs += [dict(long='split', stride=chooser.randrange(1, o['bases'] + 1)), dict(long='fail', bases=400),
                  dict(long='head', crop=chooser.randrange(1, o['bases'] + 1)), dict(long='tail', bases=0, max_bases=30),
                  dict(long='crop', bases=0, max_bases=37)]
    o.update(pick(longs))
    if o['long'] == 'split' and pick([0, 0, 1]):
        o['split'] = (7, 0, 0.8, 'block', o['bases'] + 40)
    stores = [of for kind, _, of, _ in groups if kind == 'store']
    if None not in stores and all(MIXED_REGIONS[of]['region'] == 'grid' and MIXED_REGIONS[of].get('strands') == 'both'
                                  for of in stores):
        o['store_order'] = pick(['helixer', 'exact'])
    most = max(len(names) for kind, names, _, _ in groups if kind == 'text')
    if most > 1:
        o.update(open_files=pick([0, 2]), shuffle_files=pick([False, True]))
    if fastq:
        loader_qualities(o, pick)
    return o, groups


def mixed_made(o, groups, stores, paths, intervals):
    """The oracle's loader."""
    out, first = [], 0
    o = dict(BASE, **o)
    if o['epoch_end'] == 'rows':
        o['epoch_rows'] = 131
    for g, (kind, names, regions, weight) in enumerate(groups):
        if kind == 'text':
            out.append(oracle.Group('group %d' % g, weight, 3 * g + 1, first, [paths[name] for name in names]))
            first += len(names)
            continue
        store, change = stores[names[0], o['letters']], dict(MIXED_REGIONS[regions]) if regions is not None else {}
        if change.get('region') == 'intervals':
            change['intervals'] = intervals_for(change, store, intervals, LOADER_WITH_BASE)
        out.append(group_of_store('group %d' % g, weight, 3 * g + 1, store, **change))
    return Loader(out, o)


def mixed_fields(o):
    """Likewise the fields of the desc, with those that are of text alone."""
    out = loader_fields(o)
    for field, name in (('.shuffle_rows', 'shuffle'), ('.open_files', 'open_files'), ('.shuffle_files', 'shuffle_files')):
        if o[name]:
            out.append((field, '%d' % o[name]))
    return out


def print_mixed():
    """tests/mixed_vectors.h: what loaders of stores beside text deliver, with settings at random."""
    texts, chooser, stores, cases, tries = loader_texts(), random.Random(74), {}, 0, 0
    print('/* mixed_vectors.h - written by `python3 tests/oracle_store.py mixed`; see test_mixed.c. */\n')
    print('/* clang-format off */')
    print('static const biost_regions mixed_regions[] = {\n    %s};\n' % ',\n    '.join(
        '{%s}' % ', '.join('%s = %s' % field for field in loader_regions(of)) for of in MIXED_REGIONS))
    print('enum { %s };\n' % ', '.join('MIXED_TEXT_' + name for name in 'GHQRE'))
    print('static const mixed_case mixed_cases[] = {')
    with tempfile.TemporaryDirectory() as directory:
        paths = {name: write(directory, name, text) for name, text in texts.items()}
        for name, of in LOADER_STORES.items():
            for letters in ('dna', 'bytes'):
                try:
                    stores[name, letters] = Store([paths[at] for at in of], letters)
                except Refused:
                    stores[name, letters] = None
        intervals = loader_intervals(stores['G', 'bytes'])
        while cases < MIXED_CASES:
            tries += 1
            change, groups = mixed_change(chooser, tries)
            loader_turns(change, [MIXED_REGIONS[of] for _, _, of, _ in groups if of is not None])
            loader_inputs(change, tries, sum(len(names if kind == 'text' else LOADER_STORES[names[0]])
                                             for kind, names, _, _ in groups))
            if any(kind == 'store' and stores[names[0], change['letters']] is None for kind, names, _, _ in groups):
                continue
            try:
                loader = mixed_made(change, groups, stores, paths, intervals)
                epochs = [oracle.delivered(loader.groups, Epoch(loader, e), loader.o, e) for e in (0, 1, 2 ** 32 + 5)]
            except Refused as error:
                assert 'has no row' in str(error), error
                continue
            if not all(0 < rows < 700 for _, rows, _ in epochs):
                continue
            cases += 1
            desc = textwrap.wrap(', '.join('%s = %s' % field for field in mixed_fields(loader.o)), 100)
            print('    {{%s},\n     %d, %d,\n     {%s},\n     {%s}},' % (
                '\n      '.join(desc), change['letters'] == 'bytes', len(groups),
                ',\n      '.join('{%d, {%s}, %d, %d}' % (
                    0 if kind == 'store' else len(names),
                    ', '.join(('STORE_' if kind == 'store' else 'MIXED_TEXT_') + name for name in names), weight,
                    0 if regions is None else 1 + regions) for kind, names, regions, weight in groups),
                ',\n      '.join('{%d, %d, 0x%016xu}' % of for of in epochs)))
    print('};\n/* clang-format on */')


def make_sources(directory):
    """Files for stores: genomes, reads of several palettes, RNA, U and T together, proteins, nothing."""
    chooser = random.Random(57)

    def letters(n, kind):
        seq = ''.join(chooser.choice('ACGT') for _ in range(n))
        if kind == 'rna':
            seq = seq.replace('T', 'U')
        elif kind == 'mixed':
            seq = seq[:n // 3].replace('T', 'U') + seq[n // 3:]
        for _ in range(n // 400 + 1 if kind != 'plain' and n > 40 else 0):
            at, size, piece = chooser.randrange(n), chooser.choice([1, 3, 50, 400, 5000]), chooser.choice('NnR-a')
            part = seq[at:at + size]
            seq = seq[:at] + (part.lower() if piece == 'a' else piece * len(part)) + seq[at + size:]
        return seq

    def fasta(name, count, sizes, kind):
        lines = []
        for i in range(count):
            seq = letters(chooser.choice(sizes), kind)
            lines += ['>%s%d some words %d' % (name, i, i)] + [seq[k:k + 70] for k in range(0, len(seq), 70)]
        return write(directory, name, '\n'.join(lines) + '\n')

    def fastq(name, count, sizes, kind, colours):
        lines = []
        for i in range(count):
            seq = letters(chooser.choice(sizes), kind)
            qual = ''.join(chr(33 + chooser.randrange(chooser.choice([1, colours]))) for _ in seq)
            lines += ['@%s%d/1 x' % (name, i), seq, '+', qual]
        return write(directory, name, '\n'.join(lines) + '\n')

    return {'G': fasta('G', 4, [0, 5, 9000, 30000], 'dna'), 'H': fasta('H', 30, [0, 1, 60, 400], 'dna'),
            'R': fasta('R', 6, [50, 900, 9000], 'rna'), 'M': fasta('M', 6, [50, 900, 9000], 'mixed'),
            'E': write(directory, 'E', ''), 'Q': fastq('Q', 60, [1, 40, 150], 'plain', 4),
            'W': fastq('W', 50, [0, 1, 40, 150], 'dna', 41), 'B': fastq('B', 4200, [3, 9], 'plain', 2),
            'P': write(directory, 'P', '>p1\nMKVLAAGIVGLLLAQWERTYIPASDFGHKLCVNM*\n>\nMK\n> p3 z\nmk\n'),
            'T': write(directory, 'T', '>x 1\nACGTACGTAC\n>y\nA\n>x 2\nCC\n>y\n\n')}


def compare_files(tally, tool, directory):
    """Files of stores as fxstore writes them, byte for byte; inputs that it refuses."""
    sources, out = make_sources(directory), os.path.join(directory, 'out.bst')
    for names, letters, qualities in (('G', 'dna', 0), ('HG', 'dna', 0), ('R', 'dna', 0), ('REM', 'dna', 0),
                                      ('E', 'dna', 0), ('EQEW', 'dna', 1), ('B', 'dna', 1), ('BQ', 'dna', 0),
                                      ('W', 'bytes', 1), ('P', 'bytes', 0), ('GH', 'bytes', 0), ('M', 'dna', 0),
                                      ('P', 'dna', 0), ('T', 'dna', 0), ('TT', 'bytes', 0)):
        paths = [sources[name] for name in names]
        inputs = [fingerprint_of(open(path, 'rb').read()) + (len(oracle.read_records(path)),) for path in paths]
        for kind, word in (('whole', 'all'), ('name', 'names'), ('none', 'none')):
            for twice in (False, True):
                try:
                    store = Store(paths, letters, kind, twice, bool(qualities))
                    want = 0, store_bytes(store, inputs, (0, 1, 64 << 20))
                except Refused:
                    want = 1, None
                done = subprocess.run([tool, '-o', out, '--letters', letters, '--names', word, '-t', '2'] +
                                      ['--qualities'] * qualities + ['--duplicate-names'] * twice + paths,
                                      stderr=subprocess.DEVNULL, check=False)
                got = int(done.returncode != 0), open(out, 'rb').read() if os.path.exists(out) else None
                tally.check((names, letters, kind, twice), got == want, True)
                if os.path.exists(out):
                    os.remove(out)


def value_of(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def print_rows(arguments):
    """The rows of an epoch of the settings given as FIELD=VALUE. store=NAME:WEIGHT:FILE,FILE and text=... are groups,
    bed=FILE and label_column=N their intervals; files alone are one store."""
    change, paths, e, first_batch = dict(groups=[], files=[]), {}, 0, 0
    column = 0
    for word in arguments:
        name, equals, value = word.partition('=')
        if equals and name in ('store', 'text'):
            group, weight, files = value.split(':', 2)
            change['groups'].append((group, int(weight), len(change['groups']), name, files.split(',')))
            paths.update((file, file) for file in files.split(','))
        elif equals and name == 'epoch':
            e = int(value)
        elif equals and name == 'batch':
            first_batch = int(value)
        elif equals and name == 'bed':
            change['bed_file'] = value
        elif equals and name == 'label_column':
            column = int(value)
        elif equals and name in BASE:
            change[name] = value_of(value)
        elif equals and not os.path.exists(word):
            return sys.exit('no field is named ' + name)
        else:
            change['files'].append(word)
            paths[word] = word
    try:
        if 'bed_file' in change:
            change['intervals'] = read_bed(open(change['bed_file']).read(), column, change.get('label_dtype', 'f32'),
                                           change.get('fit') == 'summit', change.get('edge'))
        loader = loader_of(change, paths)
        for row in delivered_rows(loader, e, first_batch):
            print(*row_line(e, row), sep='\t')
        print(*epoch_line(loader, e), sep='\t')
    except Refused as error:
        return sys.exit('refused: %s' % error)
    return 0


def main():
    if sys.argv[1:2] == ['rows'] and len(sys.argv) > 2:
        return print_rows(sys.argv[2:])
    if sys.argv[1:] == ['bed']:
        return print_bed()
    if len(sys.argv) != 2:
        return sys.exit(__doc__)
    tally = oracle.Tally()
    with tempfile.TemporaryDirectory() as directory:
        if sys.argv[1] == 'vectors':
            return print_vectors(directory)
        if sys.argv[1] == 'picks':
            return print_picks()
        if sys.argv[1] == 'loader':
            return print_loader()
        if sys.argv[1] == 'mixed':
            return print_mixed()
        if sys.argv[1] == 'selfcheck':
            selfcheck(tally, directory)
        elif os.path.basename(sys.argv[1]).startswith('fxstore'):
            compare_files(tally, sys.argv[1], directory)
        else:
            compare(tally, sys.argv[1], directory)
            compare_segments(tally, sys.argv[1], directory)
    return tally.end()


if __name__ == '__main__':
    sys.exit(main())
