#!/usr/bin/env python3
"""Exported tensors in NumPy and PyTorch, compared with the bytes of the batch they were lent from.

    cc -O2 -shared -fPIC tests/export_shared.c -o export_shared.so -pthread
    python3 tests/export_numpy.py ./export_shared.so

Ends with 'N passed, N failed'; for what is missing it prints one line 'skipped: NAME'.
"""
import ctypes
import gc
import sys
import threading
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

try:
    import numpy as np
    np.from_dlpack
except (ImportError, AttributeError):
    print('skipped: numpy')
    print('0 passed, 0 failed, 1 skipped')
    sys.exit(0)

U8, F16, F32, BF16, I32, I64 = range(6)
NAMES = {U8: 'uint8', F16: 'float16', F32: 'float32', BF16: 'bfloat16', I32: 'int32', I64: 'int64'}
BYTES = {U8: 1, F16: 2, F32: 4, BF16: 2, I32: 4, I64: 8}
ONEHOT, TOKENS = 0, 1
READS = b'examples/data/illumina_hiseqx_150bp.fastq.gz'
BGZF = b'examples/data/illumina_hiseqx_150bp.bgzf.fastq.gz'


class Tensor(ctypes.Structure):
    _fields_ = [('data', c_void_p), ('bytes', c_uint64), ('shape', c_int64 * 4), ('strides', c_int64 * 4),
                ('ndim', c_uint32), ('dtype', c_int), ('role', c_int), ('device', c_int32), ('mate', c_uint32),
                ('layout', c_char * 8)]


library = ctypes.CDLL(sys.argv[1])
library.shared_open.restype = c_void_p
library.shared_open.argtypes = [c_char_p, c_int, c_int, c_int, c_int]
library.shared_next.argtypes = [c_void_p, c_void_p]
library.shared_tensor.restype = POINTER(Tensor)
library.shared_tensor.argtypes = [c_void_p, c_uint32]
library.shared_batch_bytes.restype = c_size_t
library.biost_loader_release.argtypes = [c_void_p, c_void_p]
library.biost_loader_export.argtypes = [c_void_p, c_void_p, c_uint32, c_int, POINTER(c_void_p)]
library.biost_loader_close.argtypes = [c_void_p]
capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype = ctypes.py_object
capsule_new.argtypes = [c_void_p, c_char_p, c_void_p]
capsule_is = ctypes.pythonapi.PyCapsule_IsValid
capsule_is.argtypes = [ctypes.py_object, c_char_p]
DELETER = ctypes.CFUNCTYPE(None, c_void_p)

passed = failed = 0


def check(condition, what):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print('FAILED', what)


class Lent:
    """One tensor of a held batch, with the two methods of the array API; __dlpack__ may be called once."""

    def __init__(self, loader, batch, index, versioned):
        self.versioned, self.managed = versioned, c_void_p()
        self.result = library.biost_loader_export(loader, batch, index, versioned, byref(self.managed))
        self.name = b'dltensor_versioned' if versioned else b'dltensor'
        self.capsule = capsule_new(self.managed, self.name, None)

    def __dlpack__(self, **wishes):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0

    def end(self):
        """Nobody took the capsule: call the deleter. Returns whether that was so."""
        if not capsule_is(self.capsule, self.name):
            return False
        at = 16 if self.versioned else 56
        DELETER(c_void_p.from_address(self.managed.value + at).value)(self.managed)
        return True


def takes_versioned():
    """NumPy 2.1 and later read both structs."""
    return tuple(int(part) for part in np.__version__.split('.')[:2]) >= (2, 1)


def host_bytes(tensor):
    return ctypes.string_at(tensor.data, tensor.bytes)


def check_array(array, tensor, want, note):
    """The array is the tensor's memory, not a copy, and as it says there."""
    shape = tuple(tensor.shape[:tensor.ndim])
    check(array.shape == shape, note + ': shape')
    check(str(array.dtype) == NAMES[tensor.dtype], note + ': dtype')
    check(array.__array_interface__['data'][0] == tensor.data, note + ': address')
    strides = tuple(stride * BYTES[tensor.dtype] for stride in tensor.strides[:tensor.ndim])
    check(all(a == b or n == 1 for a, b, n in zip(array.strides, strides, shape)), note + ': strides')
    check(array.tobytes() == want, note + ': bytes')


class Loader:
    def __init__(self, *setting):
        self.handle = library.shared_open(*setting)
        self.batch = ctypes.create_string_buffer(library.shared_batch_bytes())

    def next(self):
        return library.shared_next(self.handle, self.batch)

    def tensors(self):
        index = 0
        while library.shared_tensor(self.batch, index):
            yield index, library.shared_tensor(self.batch, index).contents
            index += 1

    def lend(self, index, versioned):
        lent = Lent(self.handle, self.batch, index, versioned)
        check(lent.result == 0, 'export')
        return lent

    def release(self):
        return library.biost_loader_release(self.handle, self.batch)

    def close(self):
        library.biost_loader_close(self.handle)


def numpy_case(path, kind, dtype, label, quality, versioned):
    """Arrays of all tensors of two batches; the loader is closed before they are dropped, one slot after another."""
    note = '%s x %s labels %s versioned %d' % (path.decode(), NAMES[dtype], NAMES[label], versioned)
    loader = Loader(path, kind, dtype, label, quality)
    kept = []
    for _ in range(2):
        check(loader.next() == 0, note + ': next')
        arrays = []
        for index, tensor in loader.tensors():
            want = host_bytes(tensor)
            lent = loader.lend(index, versioned)
            if tensor.dtype == BF16:  # NumPy has no such numbers, and says so
                try:
                    np.from_dlpack(lent)
                    check(False, note + ': bfloat16 was taken')
                except (RuntimeError, BufferError, TypeError):
                    check(lent.end(), note + ': nobody took it')
                continue
            array = np.from_dlpack(lent)
            check(not lent.end(), note + ': taken')
            check_array(array, tensor, want, '%s tensor %d' % (note, index))
            arrays.append((array, want))
        kept.append(arrays)
        check(loader.release() == 0, note + ': release')
    if quality == 0 and label == I64:
        check(int(kept[0][-1][0][5][1]) == 5, note + ': the label of row 5 is its number')
    loader.close()
    check(library.shared_blocks() == 2, note + ': two slots stay')
    check(all(array.tobytes() == want for arrays in kept for array, want in arrays), note + ': bytes after close')
    while kept:
        del array
        check(library.shared_blocks() == len(kept), note + ': slots')
        arrays = kept.pop()
        array = arrays.pop()[0]
        del arrays
        gc.collect()
        check(library.shared_blocks() == len(kept) + 1, note + ': the last array keeps its slot')
        check(array.sum() >= 0, note + ': and can be read')
    del array
    check(library.shared_blocks() == 0, note + ': all is gone')


def threads_case():
    """Arrays dropped by other threads while the loader goes on; the sums are those of another pass without."""
    sums = []
    for lends in (False, True):
        loader = Loader(READS, ONEHOT, F32, I64, 1)
        totals, threads = [], []
        while True:
            result = loader.next()
            if result == -8:  # ERR_SLOTS: the threads have all slots
                threads.pop(0).join()
                continue
            if result != 0:
                break
            tensor = library.shared_tensor(loader.batch, 0).contents
            if lends:
                array = np.from_dlpack(loader.lend(0, 0))
                loader.release()
                threads.append(threading.Thread(target=lambda a: totals.append(float(a.sum())), args=(array,)))
                del array
                threads[-1].start()
            else:
                totals.append(float(np.frombuffer(host_bytes(tensor), np.float32).sum()))
                loader.release()
        check(result == 1, 'threads: the end')
        loader.close()
        for thread in threads:
            thread.join()
        threads.clear()
        gc.collect()
        check(library.shared_blocks() == 0, 'threads: all is gone')
        sums.append(sorted(totals))
    check(len(sums[0]) > 10 and sums[0] == sums[1], 'threads: sums')


def torch_case(torch, kind, dtype, label):
    note = 'torch x %s labels %s' % (NAMES[dtype], NAMES[label])
    loader = Loader(READS, kind, dtype, label, 1)
    check(loader.next() == 0, note + ': next')
    kept = []
    for index, tensor in loader.tensors():
        want = host_bytes(tensor)
        lent = loader.lend(index, 0)
        got = torch.utils.dlpack.from_dlpack(lent.capsule)
        check(not lent.end(), note + ': taken')
        check(tuple(got.shape) == tuple(tensor.shape[:tensor.ndim]), note + ': shape')
        check(str(got.dtype) == 'torch.' + NAMES[tensor.dtype], note + ': dtype')
        check(got.data_ptr() == tensor.data and got.is_contiguous(), note + ': address')
        kept.append((got, want))
    loader.release()
    loader.close()
    check(library.shared_blocks() == 1, note + ': the slot stays')
    for got, want in kept:
        check(bytes(got.view(torch.uint8).numpy().tobytes()) == want, note + ': bytes after close')
    del got
    kept.clear()
    gc.collect()
    check(library.shared_blocks() == 0, note + ': all is gone')


SETTINGS = [(ONEHOT, U8, I64), (ONEHOT, F16, I32), (ONEHOT, F32, F32), (ONEHOT, BF16, U8), (TOKENS, U8, I64),
            (TOKENS, I32, I32), (TOKENS, I64, U8)]
skipped = 0
for path, quality in ((READS, 1), (BGZF, 0)):
    for kind, dtype, label in SETTINGS:
        for versioned in (0, 1) if takes_versioned() else (0,):
            numpy_case(path, kind, dtype, label, quality, versioned)
threads_case()
print('numpy %s: %s' % (np.__version__, 'both structs' if takes_versioned() else 'the struct without a version'))
try:
    import torch
except ImportError:
    torch = None
    print('skipped: torch')
    skipped = 1
if torch is not None:
    for kind, dtype, label in SETTINGS:
        torch_case(torch, kind, dtype, label)
    print('torch %s' % torch.__version__)
print('%d passed, %d failed%s' % (passed, failed, ', %d skipped' % skipped if skipped else ''))
sys.exit(failed > 0)
