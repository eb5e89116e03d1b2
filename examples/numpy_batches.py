#!/usr/bin/env python3
"""Batches of a FASTQ file as NumPy arrays, without a copy. Build the library from the header, then run it:

    cc -O2 -shared -fPIC -DBIOSTREAM_IMPLEMENTATION -x c biostream.h -o build/libbiostream.so -pthread
    python3 examples/numpy_batches.py build/libbiostream.so examples/data/illumina_hiseqx_150bp.fastq.gz

    batch 0: (256, 152, 4) float32, mean 0.2467; A 0.256 C 0.247 G 0.249 T 0.247 of 38400 bases

An array may outlive its batch and its loader: the slot goes back when its last array is dropped.
"""
import ctypes
import sys
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_int, c_int32, c_int64, c_uint32, c_uint64, c_void_p

import numpy as np

F32 = 2  # BIOST_DTYPE_F32


class Encoding(Structure):
    _fields_ = [('kind', c_int), ('dtype', c_int), ('layout', c_int), ('channels', c_char_p), ('ambiguous', c_int),
                ('lower_case', c_int), ('tokens', c_void_p), ('pad_value', c_int32), ('pad_side', c_int)]


class Desc(Structure):  # biost_loader_desc up to what is set here; the rest is zero, its defaults
    _fields_ = [('paths', POINTER(c_char_p)), ('path_count', c_uint32), ('memory_count', c_uint32),
                ('memories', c_void_p), ('callback_count', c_uint32), ('callbacks', c_void_p), ('has_fd', c_int),
                ('fd', c_int), ('batch_rows', c_uint32), ('row_bases', c_uint32), ('max_row_bases', c_uint32),
                ('pad_multiple', c_uint32), ('long_records', c_int), ('split_stride', c_uint32), ('tail', c_int),
                ('encoding', Encoding), ('rest', c_char * 4096)]


class Batch(Structure):  # biost_batch up to lengths, with x in one piece
    _fields_ = [('epoch', c_uint64), ('index', c_uint64), ('rows', c_uint32), ('valid_rows', c_uint32),
                ('flags', c_uint32), ('tensor_count', c_uint32), ('x', c_uint64 * 14), ('tensors', c_void_p),
                ('samples', c_uint32), ('mates', c_uint32), ('row_samples', c_void_p), ('lengths', POINTER(c_int32)), ('rest', c_char * 4096)]


class Error(Structure):
    _fields_ = [('code', c_int), ('fault', c_int), ('path_index', c_uint32), ('os_error', c_int32),
                ('place', c_int64 * 4), ('text', c_char * 256)]


class Exported:
    """What np.from_dlpack, torch.from_dlpack and others take: one tensor of a batch, once."""

    def __init__(self, loader, batch, index):
        managed = c_void_p()
        if biostream.biost_loader_export(loader, byref(batch), index, 0, byref(managed)) != 0:
            raise RuntimeError(biostream.biost_loader_error(loader).contents.text.decode())
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
        self.capsule = new(managed, b'dltensor', None)

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0  # the CPU


biostream = ctypes.CDLL(sys.argv[1])
biostream.biost_loader_error.restype = POINTER(Error)
paths = [path.encode() for path in sys.argv[2:]]
desc = Desc(paths=(c_char_p * len(paths))(*paths), path_count=len(paths), encoding=Encoding(dtype=F32))
loader, error, batch = c_void_p(), Error(), Batch()
if biostream.biost_loader_open(byref(desc), byref(loader), byref(error)) != 0:
    sys.exit(error.text.decode())
result = biostream.biost_loader_begin(loader, c_uint64(0))
while result == 0 and (result := biostream.biost_loader_next(loader, byref(batch))) == 0:
    x = np.from_dlpack(Exported(loader, batch, 0))
    bases = int(np.ctypeslib.as_array(batch.lengths, (batch.rows,)).sum())
    biostream.biost_loader_release(loader, byref(batch))  # x keeps its memory
    shares = ' '.join('%s %.3f' % pair for pair in zip('ACGT', x.sum(axis=(0, 1)) / max(bases, 1)))
    print('batch %d: %s %s, mean %.4f; %s of %d bases' % (batch.index, x.shape, x.dtype, x.mean(), shares, bases))
if result < 0:
    sys.exit(biostream.biost_loader_error(loader).contents.text.decode())
biostream.biost_loader_close(loader)
