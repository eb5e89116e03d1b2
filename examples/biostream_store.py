"""Stores for biostream.py: files that `fxstore` wrote, and intervals in files of BED."""
import ctypes
import gzip
import os
import re
import threading
from ctypes import byref, c_size_t, c_uint64, c_void_p

from biostream_library import BiostreamError, ask, encoded, integer, keep_here, library, shown, stores, structs

BLANKS = ' \t\v\f\r'
STRAND_WORDS = {'f', 'r', 'plus', 'minus', 'fwd', 'rev', 'forward', 'reverse'}


class Store:
    """A file that `fxstore` wrote. It is mapped: any number of loaders and processes share its memory."""
    _store = c_void_p()

    def __init__(self, path):
        self._lock, self._store = threading.RLock(), c_void_p()  # the lock: no call is under way when it is closed
        stores.add(self)
        ask(library.biost_store_load, encoded(path, 'the path of a store'), None, byref(self._store))

    def find(self, name):
        """The number of a sequence; a number is one. A name of two sequences is refused."""
        if not isinstance(name, str):
            return integer(name, 'a sequence that is no name')
        number, again, key = c_uint64(), c_uint64(), encoded(name, 'the name of a sequence')
        with self._lock:
            if library.biost_store_find(self._store, key, c_size_t(len(key)), byref(number)):
                raise BiostreamError('the store has no sequence %s, or is closed' % shown(name)[1:-1])
            if not library.biost_store_find_again(self._store, number, byref(again)):
                raise BiostreamError('two sequences are named %s: numbers %d and %d' %
                                     (shown(name)[1:-1], number.value, again.value))
        return number.value

    def fetch(self, name, start, end):
        """Bases [start, end) of a sequence, by its name or number, in the very letters of its file."""
        start, end = integer(start, 'the first base of %s' % shown(name)), integer(end, 'the end in %s' % shown(name))
        of, sequence = c_uint64(self.find(name)), structs['biost_store_sequence']()
        with self._lock:
            is_bad = library.biost_store_get(self._store, of, byref(sequence)) or not start <= end <= sequence.bases
            letters = ctypes.create_string_buffer(1 if is_bad else end - start + 1)
            if is_bad or library.biost_store_fetch(self._store, of, c_uint64(start), c_uint64(end), letters, None):
                raise BiostreamError('%s has no bases %d to %d, or the store is closed' % (shown(name), start, end))
        return letters.raw[:-1].decode('latin-1')

    def close(self):
        with self._lock:
            ask(library.biost_store_close, self._store)  # refused as long as a loader has it
            self._store = c_void_p()

    def __del__(self):
        library.biost_store_close(self._store, None)

    __enter__, __exit__, __reduce_ex__ = lambda self: self, lambda self, *_: self.close(), keep_here


def place_of(fields, with_summit):
    """(sequence, start, end, strand), perhaps with the summit, of a line's columns; what is wrong raises ValueError."""
    def take(column, pattern, words):
        if not re.fullmatch(pattern, fields[column - 1]):
            raise ValueError(words % shown(fields[column - 1])[1:-1])
    if len(fields) < 3:
        raise ValueError('%d columns, not at least 3' % len(fields))
    take(2, '-?[0-9]{1,18}', 'the start %s is no number')
    take(3, '-?[0-9]{1,18}', 'the end %s is no number')
    strand = fields[5] if len(fields) > 5 else '.'
    if len(fields) > 5:
        take(6, '[+.-]', 'the strand %s is none of + - .')
    for column in (4, 5) if strand == '.' else ():
        word = re.split('[%s]' % BLANKS, ''.join(fields[column - 1:column]).rstrip(BLANKS))[-1]
        word = word[1:-1] if re.fullmatch('"[^"]+"|\'[^\']+\'', word) else word
        if word in ('+', '-') or column == 5 and word.lower() in STRAND_WORDS:
            raise ValueError('column %d is %s, a strand, which BED has in column 6: sequence, start, end, name, score, '
                             'strand' % (column, shown(fields[column - 1])[1:-1]))
    if with_summit and len(fields) < 10:
        raise ValueError('%d columns, and the summit is column 10 (narrowPeak)' % len(fields))
    if with_summit and fields[9] == '-1':
        raise ValueError("the summit -1 is narrowPeak's for a peak that has none")
    if with_summit:
        take(10, '[0-9]{1,18}', 'the summit %s is no number')
    return [fields[0], int(fields[1]), int(fields[2]), strand] + [int(field) for field in fields[9:10] * with_summit]


def read_bed(path, with_summit=False):
    """The columns of a file of BED, perhaps compressed, by the rules of `fxbatch --regions`: a dict for intervals."""
    rows = []
    try:
        with open(path, 'rb') as file:
            is_gzip = file.read(2) == b'\x1f\x8b'
        with (gzip.open if is_gzip else open)(path, 'rb') as file:
            lines = os.fsdecode(file.read()).replace('\r\n', '\n').split('\n')
    except (OSError, EOFError) as error:
        raise BiostreamError('regions.intervals: %s' % error) from None
    for number, line in enumerate(lines, 1):
        fields = line.split('\t') if '\t' in line else re.split('[%s]+' % BLANKS, line.strip(BLANKS))
        is_header = re.match('(track|browser)([%s]|$)' % BLANKS, line) and not (
            len(fields) > 2 and all(re.fullmatch('-?[0-9]{1,18}', field) for field in fields[1:3]))
        if not line.strip(BLANKS) or line.startswith('#') or is_header:
            continue
        try:
            rows.append(place_of(fields, with_summit))
        except ValueError as error:
            raise BiostreamError('regions.intervals: %s: line %d: %s' % (os.fspath(path), number, error)) from None
    return dict(zip(['sequence', 'start', 'end', 'strand', 'summit'], zip(*rows)))
