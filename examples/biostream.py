"""Batches of FASTQ and FASTA files as NumPy arrays or PyTorch tensors, without a copy, by the library of `make lib`.

    with Loader(['a.fastq.gz', 'b.fastq.gz'], row_bases=150, shuffle_rows=65536, encoding={'dtype': 'f16'}) as loader:
        for epoch in range(loader.next_epoch, 2):
            for batch in loader.epoch(epoch):
                train(batch.x, batch.lengths)  # [256][150][4] f16, [256] i32

Fields are those of biost_loader_desc in biostream.h; those of a struct are a dict, as encoding, or have their whole
name: **{'encoding.dtype': 'f16'}. Classes are groups={'human': (weight, label, [paths]), ...}; batch.labels has these
unless labels= says otherwise. A pipe is Loader(has_fd=True, fd=0). For paths may stand a Store, in groups too:

    genome = Store.build(['genome.fa.gz'], 'genome.bst')  # once, then Store('genome.bst'); more in biostream_store.py
    peaks = [('chr20', 5000, 5512), ('chr20', 9000, 9512, '-', 1)]  # name or number, start, end, strand + - . and label
    Loader(genome, row_bases=512, order='exact', regions={'kind': 'intervals', 'intervals': peaks})

Many may be a dict of columns, sequence, start, end, strand and label, an array numpy.zeros(n, Interval), or a path of
BED. regions={'kind': 'records', 'sequences': [7, 'r9', 7]} are these records alone; an array of numbers is taken whole.
Store.build([R1, R2], mates=2) has pairs: with mates=2 x, quality, mask and labels are two arrays, as batch.x[0] of the
first mates, x[1] of the second, lengths and ids are [rows][2], names pairs of str.
A batch has x, quality, mask, labels (None where not asked for), lengths, ids (of biost_row; ids['piece'] is the index
in intervals or sequences), names (of str), spans ([rows][2]: the bases [start, end) of its sequence that a row shows)
and the numbers epoch, index, rows, valid_rows (the last batch goes on with rows of 0), flags, digest. With shape
'packed' it has segment, position and offsets on request, row_samples, and by record what is no tensor, and labels.
len(loader) is how many an epoch has: of files once one has ended, of 'packed' once it began. Arrays can be written to;
bf16 is uint16. An array stays as it is while it is kept, after close too, but keeps one of slots=4 (at least 2).
torch=True makes tensors of the same memory; with pin=True, where CUDA is, PyTorch has page-locked it, and copies may be
under way in the streams current when a tensor is asked for or dropped. For PyTorch: DataLoader(loader.dataset(),
batch_size=None). state_dict() is a point inside an epoch, too; after load_state_dict() over the same files and fields
next_epoch goes on with the next batch.
"""
import ctypes
import os
import sys
import threading
import time
from ctypes import byref, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

from biostream_desc import Store, gather
from biostream_library import BiostreamError, Pinned, integer, keep_here, lent, library, process, structs
from biostream_values import Interval

OK, PENDING, ERR_SLOTS = 0, 2, -8  # biost_result
ARRAYS = ['x', None, 'quality', 'mask', 'labels', 'weights', 'offsets', 'segment', 'position',  # by biost_role
          'lengths', 'ids', 'names', 'spans', 'row_samples']
DTYPES = ['u1', 'f2', 'f4', 'u2', 'i4', 'i8']  # by biost_dtype, in NumPy's words


def places_of(raw):  # shape, dtype and byte in the slab of each array: the same where x of a loader has the same shape
    import numpy as np
    places = {'lengths': ((raw.samples, 2)[:raw.mates], np.dtype('i4'), raw.lengths - raw.slab)}
    for t in (structs['biost_tensor'] * raw.tensor_count).from_address(raw.tensors):
        places[ARRAYS[t.role] + '2' * t.mate] = tuple(t.shape[:t.ndim]), np.dtype(DTYPES[t.dtype]), t.data - raw.slab
    return places


class Batch:
    _slab, _places, _is_held, __reduce_ex__ = None, None, True, keep_here

    def __init__(self, loader):
        self._loader, self._raw = loader, structs['biost_batch']()

    def __getattr__(self, name):  # what was made is in the batch's dict, until that is given back
        if name not in ARRAYS:
            return getattr(vars(self).get('_raw'), name)
        with self._loader._owned():
            if not self._is_held:
                raise BiostreamError('this batch was given back: take its %s before the next one is asked for' % name)
            return vars(self).setdefault(name, self._make(name, self._raw, self._loader))

    def _make(self, name, raw, loader):
        if name == 'names':
            names = raw.names and [os.fsdecode(ctypes.string_at(raw.names + offset)) for offset in
                                   (c_uint32 * (raw.samples * raw.mates)).from_address(raw.name_offsets)]
            return names if raw.mates == 1 else names and [*zip(names[::2], names[1::2])]
        import numpy as np
        if name == 'ids':
            row = structs.get('ids') or structs.setdefault('ids', np.dtype(structs['biost_row']))
            memory = (c_uint8 * (raw.samples * raw.mates * row.itemsize)).from_address(raw.origins)
            return np.ndarray((raw.samples, 2)[:raw.mates], row, memory).copy()
        if name == 'spans':
            starts, lengths = np.maximum(self.ids['start_base'], 0), (c_int32 * self.ids.size).from_address(raw.lengths)
            return np.stack([starts, starts + np.array(lengths, 'i8').reshape(starts.shape)], -1)
        if name == 'row_samples':
            return raw.row_samples and np.array((c_uint32 * (raw.rows + 1)).from_address(raw.row_samples))
        if self._places is None:
            of, shape = loader._places, tuple(raw.x.shape[:])  # with records in rows the others differ
            self._places = raw.row_samples and places_of(raw) or of.get(shape) or of.setdefault(shape, places_of(raw))
        if name not in self._places:
            return None
        if self._slab is None:
            managed = c_void_p()
            loader._call(library.biost_loader_export, byref(raw), 0, 0, byref(managed))
            self._slab = lent(raw.slab_bytes).from_address(raw.slab)
            self._slab.managed = managed.value
        shape, dtype, at = self._places[name]
        array = np.ndarray(shape, dtype, self._slab, at)
        loader._memory and loader._memory.note(self._slab)
        if loader._torch:
            array = loader._torch.from_numpy(array.view('i2') if dtype == 'u2' else array)
            array = array.view(loader._torch.bfloat16) if dtype == 'u2' else array
        return (array, self._make(name + '2', raw, loader)) if name + '2' in self._places else array


class Loader:
    _loader = _held = _coming = _run = _process = _memory = None

    def __init__(self, paths=(), groups=None, torch=False, pin=False, **fields):
        self._lock, self._process, self._places = threading.RLock(), process[0], {}
        self._torch = (torch or pin) and __import__('torch')
        self._pin = pin and self._torch.cuda.is_available()
        cores = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1
        self._desc = gather(paths, groups, fields := {'workers': min(cores, 255) + 1, **fields})
        self._is_alone, self._is_pipe = fields['workers'] == 1, bool(fields.get('has_fd'))
        self.load_state_dict({'epoch': 0, 'state': ''})

    def load_state_dict(self, point):
        with self._owned():
            memory = Pinned(self._torch) if self._pin else None
            if memory:
                self._desc.put('slot_allocator', memory.allocator)
            loader = self._desc.open(point)
            self.close()
            self._loader, self._memory = loader, memory
            self._point, self.next_epoch = dict(point), int(point['epoch'])

    def state_dict(self):
        with self._owned():
            if not self._held:
                self._call(library.biost_loader_batches_per_epoch, byref(c_uint64()))  # refuses once it is closed
                return dict(self._point)
            state, count = ctypes.create_string_buffer(8320), c_size_t()  # the most that it takes
            self._call(library.biost_loader_state, byref(self._held._raw), state, c_size_t(8320), byref(count))
            return {'epoch': self._held.epoch, 'state': state.raw[:count.value].hex(), 'fields': dict(self._desc.told)}

    def __len__(self):
        count = c_uint64()
        if self._call(library.biost_loader_batches_per_epoch, byref(count)) == PENDING:
            raise TypeError('the number of batches of an epoch is known after the first one')
        return count.value

    def epoch(self, epoch):
        self._call(library.biost_loader_begin, c_uint64(epoch := integer(epoch, 'an epoch')))
        self._point = {'epoch': epoch, 'state': ''} if self._run or not self._point['state'] else self._point
        self._give_back()
        self._run, self.next_epoch, result, next_batch = (run := object()), epoch + 1, OK, library.biost_loader_try_next
        while result == OK:
            self._memory and self._memory.settle()
            self._coming, result, start, pause = (coming := Batch(self)), PENDING, time.perf_counter(), 0
            while result == PENDING:
                if run is not self._run:
                    raise BiostreamError('this epoch is over: the loader was closed, or has begun another one')
                result = self._call(next_batch, byref(coming._raw))
                if result == PENDING:
                    pause = time.sleep(pause) or (0 if self._is_alone else min(pause + 5e-5, 2e-3))
            is_brief = time.perf_counter() - start < 5e-3 and not self._is_pipe
            next_batch = library.biost_loader_next if is_brief else library.biost_loader_try_next
            self._point = self._point if result == OK else {'epoch': self.next_epoch, 'state': ''}
            self._give_back(coming if result == OK else None)
            if result == OK:
                yield coming  # and not _held, which another thread's close takes away

    def _give_back(self, held=None):
        with self._lock:
            batches, self._held, self._coming = (self._held, self._coming), held, None
            for batch in [batch for batch in batches if batch and batch is not held]:
                library.biost_loader_release(self._loader, byref(raw := batch._raw))
                vars(batch).clear()
                batch._loader, batch._raw, batch._is_held = self, raw, False

    def _owned(self):
        if self._process != process[0]:
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
        if self._loader and self._process == process[0] and not sys.is_finalizing():
            with self._lock:
                self._give_back()
                closing = threading.Thread(target=library.biost_loader_close, args=(self._loader,), daemon=True)
                self._loader = self._run = None
            (closing.start(), closing.join(1)) if self._is_pipe else closing.run()  # a read of a pipe may not return
            if self._memory:
                self._memory.close()

    def dataset(self):
        from torch.utils.data import IterableDataset as Dataset, get_worker_info

        def batches(_, *protocol):  # also where a worker process is sent the dataset
            if protocol or get_worker_info():
                raise BiostreamError('num_workers must be 0: a loader has threads of its own, and stays in its process')
            return self.epoch(self.next_epoch)
        return type('Epochs', (Dataset,), dict(__iter__=batches, __reduce_ex__=batches, __len__=lambda _: len(self)))()

    __del__, __enter__, __exit__ = close, lambda self: self, lambda self, *_: self.close()
    __bool__, __reduce_ex__ = lambda self: True, keep_here
