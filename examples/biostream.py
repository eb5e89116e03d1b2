"""Batches of FASTQ and FASTA files as NumPy arrays or PyTorch tensors, without a copy, by the library of `make lib`.

    with Loader(['a.fastq.gz', 'b.fastq.gz'], row_bases=150, shuffle_rows=65536, encoding={'dtype': 'f16'}) as loader:
        for epoch in range(loader.next_epoch, 2):
            for batch in loader.epoch(epoch):
                train(batch.x, batch.lengths)  # [256][150][4] f16, [256] i32

Fields are those of biost_loader_desc in biostream.h; those of a struct in it are a dict, as encoding, or have their
whole name: **{'encoding.dtype': 'f16'}. Classes are groups={'human': (weight, label, [paths]), ...} instead of paths;
batch.labels has their labels unless labels= says otherwise. A pipe is Loader(has_fd=True, fd=0).

A batch has x, quality, mask, labels (None where not asked for), lengths, ids (copies of biost_row), names (of str) and
the numbers epoch, index, rows, valid_rows (the last batch goes on with rows of 0), flags, digest. Arrays can be
written to; bf16 is uint16. torch=True makes them tensors of the same memory; pin=True, where CUDA is, copies in
page-locked memory. An array stays as it is while it is kept, after close too, but keeps one of slots=4 (at least 2).
state_dict() is a point inside an epoch, too; after load_state_dict() over the same files and fields next_epoch goes on
with the next batch. For PyTorch: DataLoader(loader.dataset(), batch_size=None). BIOSTREAM_LIB names the library.
"""
import ctypes.util
import functools
import os
import struct
import sys
import threading
import time
from ctypes import POINTER, byref, c_char_p, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

OK, PENDING, ERR_SLOTS = 0, 2, -8  # biost_result
ARRAYS = ['x', None, 'quality', 'mask', 'labels', 'lengths', 'ids', 'names']  # the first ones by biost_role
DTYPES = ['u1', 'f2', 'f4', 'u2', 'i4', 'i8']  # by biost_dtype, in NumPy's words
name = {'win32': 'biostream.dll', 'darwin': 'libbiostream.dylib'}.get(sys.platform, 'libbiostream.so')
places = [os.path.join(os.path.dirname(os.path.abspath(__file__)), folder, name) for folder in ('', '../build/lib')]
path = os.environ.get('BIOSTREAM_LIB') or next(filter(os.path.exists, places), ctypes.util.find_library('biostream'))
library = ctypes.CDLL(path or name + ' (by `make lib`; copy it beside biostream.py, or name it in BIOSTREAM_LIB)')
layout = ctypes.create_string_buffer(library.biost_layout(None, c_size_t(0)) + 1)
library.biost_layout(layout, c_size_t(len(layout)))
words = 'u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 char int size pointer'
kinds = 'uint8 uint16 uint32 uint64 int8 int16 int32 int64 float double char int size_t void_p'
structs = {word: getattr(ctypes, 'c_' + kind) for word, kind in zip(words.split(), kinds.split())}
for part in layout.value.decode().split('\nstruct ')[1:]:
    (name, *_), *lines = (line.split() for line in part.splitlines())
    kinds = (line[3].rstrip(']').partition('[') for line in lines)
    types = [structs[word] * int(count) if count else structs[word] for word, _, count in kinds]
    structs[name] = type(name, (ctypes.Structure,), {'_fields_': list(zip((line[0] for line in lines), types))})
    assert [getattr(structs[name], at[0]).offset for at in lines] == [int(at[1]) for at in lines], name
library.biost_loader_error.restype = POINTER(structs['biost_error'])


class BiostreamError(RuntimeError):
    """What is wrong, in the library's sentence."""


def desc_lines(fields, prefix=''):  # a desc as a text: NAME "VALUE" ...
    for name, value in fields.items():
        if isinstance(value, dict) and prefix + name != 'encoding.tokens':
            yield from desc_lines(value, prefix + name + '.')
            continue
        if isinstance(value, (dict, list, tuple)):
            value = ','.join('%s=%s' % (key, value[key]) if isinstance(value, dict) else str(key) for key in value)
        value = '%.15f' % value if isinstance(value, float) and 'e' in str(value) else value
        value = os.fsencode(str(+value if isinstance(value, bool) else value))
        yield '%s%s "%s" ' % (prefix, name, ''.join('\\x%02x' % byte for byte in value))


@functools.lru_cache(256)
def lent(count, at=struct.calcsize('PiiiIPPQP'), end=ctypes.CFUNCTYPE(None, c_void_p)):
    """Bytes of a batch. When no array is over them any more the deleter of DLPack's DLManagedTensor gives them back."""
    return type('Lent', (c_uint8 * count,), {'__del__': lambda self: end.from_address(self.managed + at)(self.managed)})


class Batch:
    def __init__(self, loader):
        self._loader, self._raw, self._made = loader, structs['biost_batch'](), {}

    def __getattr__(self, name):
        if name not in ARRAYS:
            return getattr(vars(self).get('_raw'), name)
        with self._loader._owned():
            if self._made is None:
                raise BiostreamError('this batch was given back: take its %s before the next one is asked for' % name)
            if name not in self._made:
                self._made[name] = self._make(name, self._raw, self._loader._torch)
            return self._made[name]

    def _make(self, name, raw, torch):
        if name == 'names':
            return raw.names and [os.fsdecode(ctypes.string_at(raw.names + offset))
                                  for offset in (c_uint32 * raw.rows).from_address(raw.name_offsets)]
        import numpy as np
        if name == 'ids':
            row = structs.get('ids') or structs.setdefault('ids', np.dtype(structs['biost_row']))
            return np.ndarray(raw.rows, row, (c_uint8 * (raw.rows * row.itemsize)).from_address(raw.origins)).copy()
        tensors = [raw.x] if name == 'x' else (structs['biost_tensor'] * raw.tensor_count).from_address(raw.tensors)
        for place, shape, dtype in [(raw.lengths, raw.rows, 'i4')] if name == 'lengths' else [
                (t.data, t.shape[:t.ndim], DTYPES[t.dtype]) for t in tensors if ARRAYS[t.role] == name]:
            if 'slab' not in self._made:
                managed = c_void_p()
                self._loader._call(library.biost_loader_export, byref(raw), 0, 0, byref(managed))
                self._made['slab'] = lent(raw.slab_bytes).from_address(raw.slab)
                self._made['slab'].managed = managed.value
            array = np.ndarray(shape, dtype, self._made['slab'], place - raw.slab)
            if torch:
                array = torch.from_numpy(array.view('i2' if dtype == 'u2' else dtype))
                array = array.view(torch.bfloat16) if dtype == 'u2' else array
            return array.pin_memory() if self._loader._pin and torch.cuda.is_available() else array


class Loader:
    _loader = _held = _coming = _run = _process = None

    def __init__(self, paths=(), groups=None, torch=False, pin=False, **fields):
        self._lock, self._process = threading.RLock(), os.getpid()
        self._torch, self._pin, self._is_pipe = (torch or pin) and __import__('torch'), pin, 'has_fd' in fields
        paths, *lists = ([of] if isinstance(of, (str, os.PathLike)) else [*of]
                         for of in [paths, *(files for _, _, files in (groups or {}).values())])
        for number, (name, (weight, label, _)) in enumerate((groups or {}).items()):
            fields['group.%d' % number] = {'name': name, 'first_input': len(paths), 'input_count': len(lists[number]),
                                           'weight': weight, 'label': label}
            fields['labels'], paths = {'kind': 'group', **fields.get('labels', {})}, [*paths, *lists[number]]
        cores = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1
        self._is_alone = int(fields.setdefault('workers', min(cores, 255) + 1)) == 1
        self._text, self._paths = ''.join(desc_lines(fields)), (c_char_p * len(paths))(*map(os.fsencode, paths))
        self.load_state_dict({'epoch': 0, 'state': ''})

    def load_state_dict(self, point):
        loader, error = c_void_p(), structs['biost_error']()
        text = self._text + ('state %s' % point['state'] if point['state'] else '')
        if library.biost_loader_open_text(text.encode(), self._paths, len(self._paths), byref(loader), byref(error)):
            raise BiostreamError(error.text.decode().removeprefix('line 1: '))
        self.close()
        self._loader, self._point, self.next_epoch = loader, dict(point), point['epoch']

    def state_dict(self):
        if not self._held:
            self._call(library.biost_loader_batches_per_epoch, byref(c_uint64()))  # refuses once it is closed
            return dict(self._point)
        state, count = ctypes.create_string_buffer(8320), c_size_t()  # the most that it takes
        self._call(library.biost_loader_state, byref(self._held._raw), state, c_size_t(8320), byref(count))
        return {'epoch': self._held.epoch, 'state': state.raw[:count.value].hex()}

    def epoch(self, epoch):
        self._call(library.biost_loader_begin, c_uint64(epoch))
        self._point = {'epoch': epoch, 'state': ''} if self._run or not self._point['state'] else self._point
        self._give_back()
        self._run, self.next_epoch, result, next_batch = (run := object()), epoch + 1, OK, library.biost_loader_try_next
        while result == OK:
            self._coming, result, start, pause = Batch(self), PENDING, time.perf_counter(), 0
            while result == PENDING:
                if run is not self._run:
                    raise BiostreamError('this epoch is over: the loader was closed, or has begun another one')
                result = self._call(next_batch, byref(self._coming._raw))
                if result == PENDING:
                    time.sleep(pause)
                    pause = 0 if self._is_alone else min(pause + 5e-5, 2e-3)
            is_brief = time.perf_counter() - start < 5e-3 and not self._is_pipe
            next_batch = library.biost_loader_next if is_brief else library.biost_loader_try_next
            self._point = self._point if result == OK else {'epoch': self.next_epoch, 'state': ''}
            self._give_back(self._coming if result == OK else None)
            if result == OK:
                yield self._held

    def _give_back(self, held=None):
        with self._lock:
            others, self._held, self._coming = {self._held, self._coming} - {held, None}, held, None
            for batch in others:
                library.biost_loader_release(self._loader, byref(batch._raw))
                batch._made = None

    def _owned(self):
        if os.getpid() != self._process:
            raise BiostreamError('this loader is of process %d: after fork a process opens its own' % self._process)
        return self._lock

    def _call(self, function, *arguments):
        with self._owned():
            result = function(self._loader, *arguments)
            if result < 0:
                error = self._loader and library.biost_loader_error(self._loader)
                raise BiostreamError((error.contents.text.decode() if error else 'the loader is closed') +
                                     ' (arrays of several batches are kept: copy them)' * (result == ERR_SLOTS))
        return result

    def close(self):
        if self._loader and os.getpid() == self._process and not sys.is_finalizing():
            with self._lock:
                self._give_back()
                closing = threading.Thread(target=library.biost_loader_close, args=(self._loader,), daemon=True)
                self._loader = self._run = None
            (closing.start(), closing.join(1)) if self._is_pipe else closing.run()  # a read of a pipe may not return

    def dataset(self):
        from torch.utils.data import IterableDataset, get_worker_info

        def batches(_, *protocol):  # also where a worker process is sent the dataset
            if protocol or get_worker_info():
                raise BiostreamError('num_workers must be 0: a loader has threads of its own, and stays in its process')
            return self.epoch(self.next_epoch)
        return type('Epochs', (IterableDataset,), {'__iter__': batches, '__reduce_ex__': batches})()

    __del__, __enter__, __exit__ = close, lambda self: self, lambda self, *_: self.close()
