"""Stores for biostream.py.

    store = Store.build(['a.fastq.gz', 'b.fastq.gz'], 'reads.bst', qualities=True)  # and then Store('reads.bst')
    good = [i for i, n in enumerate(store.lengths) if n >= 100]  # numbers of sequences, for regions= of a Loader
    for record in store:
        print(record.title, record.seq, record.qual)

store.names and .titles are lists of str; .lengths, .gc, .n, .lower and .other (counts of letters), .quality_sum,
.quality_min and .quality_max are read-only arrays of one number a sequence, i8 in NumPy's words.
"""
import array
import collections
import ctypes
import os
import threading
import weakref
from ctypes import CFUNCTYPE, byref, c_char_p, c_int, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

from biostream_library import (BiostreamError, ask, build_desc, encoded, integer, keep_here, library, shown, stores,
                               structs)

COLUMNS = ['lengths', 'other', 'gc', 'n', 'lower', 'quality_sum', 'quality_min', 'quality_max']  # by biost_store_column
Record = collections.namedtuple('Record', 'number title seq qual')
library.biost_store_column_at.restype = library.biost_store_titles.restype = c_void_p


class Store:
    """Sequences of a file that `fxstore` or build wrote. It is mapped: any number of loaders and processes share it."""
    _store, _given = c_void_p(), {}

    def __init__(self, path):
        self._begin()
        ask(library.biost_store_load, encoded(path, 'the path of a store'), None, byref(self._store))

    def _begin(self):
        self._lock, self._store = threading.RLock(), c_void_p()  # the lock: no call is under way when it is closed
        self._views = weakref.WeakValueDictionary()
        stores.add(self)

    @classmethod
    def build(cls, paths, save_path=None, progress=None, **fields):
        """A store of FASTA or FASTQ files, in memory or in the file save_path. Fields are those of biost_store_desc, as
        letters='bytes' for proteins, names='none', qualities=True, duplicate_names=True. progress(records, bases) is
        called now and then, and once when all is done. Before that an exception or Ctrl-C ends the build without a file."""
        self, seen, ends, over = cls.__new__(cls), [0, 0, 1], [], threading.Event()
        self._begin()
        self._given = fields

        def go_on(records, bases, _):
            seen[:2] = records, bases
            return seen[2]

        def run():
            try:
                ask(library.biost_store_build, desc, byref(self._store))
            except BiostreamError as error:
                ends.append(error)
            finally:
                over.set()  # join alone is over at once after Ctrl-C, in some versions of Python
        cores = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1
        call = CFUNCTYPE(c_int, c_uint64, c_uint64, c_void_p)(go_on)
        given = {'workers': min(cores, 256), 'progress': call, **fields}
        if save_path is not None:
            given['save_path'] = c_char_p(encoded(save_path, 'the path of a store'))
        desc = build_desc(paths, given)
        thread = threading.Thread(target=run, daemon=True)  # so that this one can be interrupted
        thread.start()
        try:
            is_over = False
            while not is_over:
                if progress:
                    progress(*seen[:2])
                is_over = over.wait(0.1)
        finally:
            seen[2] = 0
            over.wait()
        if ends:
            raise ends[0]
        if progress:
            progress(self.info.sequence_count, self.info.base_count)
        return self

    def check(self, paths, **fields):
        """See that the store is still that of these files. fields: those of its build that were not the usual ones."""
        info = self.info
        given = {'letters': ['dna', 'bytes'][info.letters], 'names': ['titles', 'names', 'none'][info.names],
                 'qualities': info.has_quality, 'mates': info.mates, **self._given, **fields}
        with self._lock:
            ask(library.biost_store_check, self._store, build_desc(paths, given))

    @property
    def info(self):
        """biost_store_info: sequence_count, base_count, longest_bases and so on."""
        with self._lock:
            if not self._store:
                raise BiostreamError('the store is closed')
            library.biost_store_info_of(self._store, byref(info := structs['biost_store_info']()))
        return info

    def __len__(self):
        return self.info.sequence_count

    def __getattr__(self, name):  # what was made is in the store's dict
        if name in ('names', 'titles'):
            return vars(self).setdefault(name, self._texts(name == 'names'))
        if name not in COLUMNS:
            raise AttributeError('a Store has no %s' % name)
        try:
            import numpy
            numbers = numpy.empty(len(self), 'i8')
            at, flags = numbers.ctypes.data, numbers.flags
        except ImportError:
            numbers, flags = array.array('q', bytes(8 * len(self))), None
            at = numbers.buffer_info()[0]
        with self._lock:
            if library.biost_store_numbers(self._store, c_int(COLUMNS.index(name)), c_uint64(0), c_uint64(len(numbers)),
                                           c_void_p(at)):
                raise BiostreamError('the store is closed')
        if flags is not None:
            flags.writeable = False
        return vars(self).setdefault(name, numbers)

    def column(self, name):
        """The numbers of .lengths and so on where they lie in the store: an array of u1, u2, u4 or u8 without a copy,
        if they have so many bytes. As long as it is kept the store cannot be closed."""
        import numpy
        if name not in COLUMNS:
            raise BiostreamError('%s is no column: there are %s' % (shown(name), ', '.join(COLUMNS)))
        count, of = len(self), c_uint32()
        with self._lock:
            at = library.biost_store_column_at(self._store, c_int(COLUMNS.index(name)), byref(of))
            if of.value not in (1, 2, 4, 8) or not count:
                return getattr(self, name)
            buffer = type('Column', (c_uint8 * (count * of.value),), {}).from_address(at)
            buffer.store = self
            self._views[id(buffer)] = buffer
        return numpy.frombuffer(memoryview(buffer).toreadonly(), '<u%d' % of.value)

    def _texts(self, as_names):
        count = len(self)
        with self._lock:
            ends = (c_uint64 * max(count, 1))()
            at = library.biost_store_titles(self._store, c_uint64(0), c_uint64(count), ends)
            if not at:
                raise BiostreamError('the store is closed')
            blob = ctypes.string_at(at, ends[count - 1]) if count else b''
        titles = [blob[start:end] for start, end in zip([0, *ends[:count]], ends[:count])]
        if as_names:
            titles = [title.lstrip(b' \t').replace(b'\t', b' ').partition(b' ')[0] for title in titles]
        return [*map(os.fsdecode, titles)]

    def __iter__(self):
        """Records: number, title, seq and qual, which is None where the store has no qualities."""
        has_quality, of = self.info.has_quality, structs['biost_store_sequence']()
        for number, title in enumerate(self.titles):
            with self._lock:
                seq = qual = None
                if library.biost_store_get(self._store, c_uint64(number), byref(of)) == 0:
                    seq = ctypes.create_string_buffer(of.bases + 1)
                    qual = ctypes.create_string_buffer(of.bases + 1) if has_quality else None
                if not seq or library.biost_store_fetch(self._store, c_uint64(number), c_uint64(0), c_uint64(of.bases),
                                                        seq, qual):
                    raise BiostreamError('the store is closed')
            yield Record(number, title, seq.raw[:-1].decode('latin-1'), qual and qual.raw[:-1].decode('latin-1'))

    def find(self, name, mates=1):
        """The number of a sequence, or with mates=2 of its pair; a number is one. A name of two of them is refused."""
        if not isinstance(name, str):
            return integer(name, 'a sequence that is no name')
        number, again, key = c_uint64(), c_uint64(), encoded(name, 'the name of a sequence')
        with self._lock:
            if library.biost_store_find(self._store, key, c_size_t(len(key)), byref(number)):
                raise BiostreamError('the store has no sequence %s, or is closed' % shown(name)[1:-1])
            again.value = number.value
            while not library.biost_store_find_again(self._store, again, byref(again)):
                if again.value // mates != number.value // mates:
                    raise BiostreamError('two %s are named %s: numbers %d and %d' % (
                        ('sequences', 'pairs')[mates - 1], shown(name)[1:-1], number.value // mates, again.value // mates))
        return number.value // mates

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
            if len(self._views):
                raise BiostreamError('an array of column() is kept: drop it, or copy it, before the store is closed')
            ask(library.biost_store_close, self._store)  # refused as long as a loader has it
            self._store = c_void_p()

    def __del__(self):
        library.biost_store_close(self._store, None)

    __enter__, __exit__, __reduce_ex__ = lambda self: self, lambda self, *_: self.close(), keep_here
    __bool__ = lambda self: True  # also without a sequence
