#!/usr/bin/env python3
"""A loader's batches from a language that reads no C: every struct here is made of the text of biost_layout.

    cc -O2 -shared -fPIC -DBIOSTREAM_IMPLEMENTATION -x c biostream.h -o libbiostream.so -pthread
    python3 tests/layout_ctypes.py ./libbiostream.so
"""
import ctypes
import sys
from ctypes import POINTER, byref, c_char, c_char_p, c_size_t, c_uint32, c_uint64, c_void_p, cast

DIGEST = '9fd7e04cdb4a8936'  # as in tests/test_tools.sh, from a program that shares no code with the library
TYPES = {'u8': ctypes.c_uint8, 'u16': ctypes.c_uint16, 'u32': c_uint32, 'u64': c_uint64, 'i8': ctypes.c_int8,
         'i16': ctypes.c_int16, 'i32': ctypes.c_int32, 'i64': ctypes.c_int64, 'f32': ctypes.c_float,
         'f64': ctypes.c_double,         'char': c_char, 'int': ctypes.c_int, 'size': c_size_t, 'pointer': c_void_p}
results = []


def check(condition, what):
    results.append(bool(condition))
    if not condition:
        print('FAILED', what)


def make_structs(text):
    """Structs by their names. Gaps are filled, so each field lies where the text says, whatever ctypes would do."""
    types = dict(TYPES)
    for part in text.split('\nstruct ')[1:]:
        (name, size, _), *fields = (line.split() for line in part.splitlines())
        members, end = [], 0
        for field, offset, count, kind, *_ in fields + [['end', size, '0', 'char[0]']]:
            word, _, elements = kind.rstrip(']').partition('[')
            members.append(('gap_before_' + field, c_char * (int(offset) - end)))
            members.append((field, types[word] * int(elements) if elements else types[word]))
            end = int(offset) + int(count)
        types[name] = type(name, (ctypes.Structure,), {'_pack_': 1, '_layout_': 'ms', '_fields_': members})
        check(ctypes.sizeof(types[name]) == int(size), name + ': bytes')
    return types


library = ctypes.CDLL(sys.argv[1])
layout = ctypes.create_string_buffer(library.biost_layout(None, c_size_t(0)) + 1)
library.biost_layout(layout, c_size_t(len(layout)))
types = make_structs(layout.value.decode())
loader, error, batch = c_void_p(), types['biost_error'](), types['biost_batch']()
for path, code in (b'no/such/file', -3), (b'examples/data/illumina_hiseqx_150bp.fastq.gz', 0):
    words, paths = b'batch_rows 256\nrow_bases 150\ndigest 1\n', (c_char_p * 1)(path)
    result = library.biost_loader_open_text(words, paths, c_uint32(1), byref(loader), byref(error))
    check(result == code == error.code and path in (error.text or path), 'open %s: %d' % (path, result))
rows, digest, result = 0, 0, library.biost_loader_begin(loader, c_uint64(0))
while result == 0 and library.biost_loader_next(loader, byref(batch)) == 0:
    origins = cast(batch.origins, POINTER(types['biost_row']))[:batch.valid_rows]
    check([row.id for row in origins] == list(range(rows, rows + batch.valid_rows)), 'ids')
    check((batch.samples, batch.x.layout, list(batch.x.shape)) == (256, b'NLC', [256, 150, 4, 0]), 'tensor')
    rows, digest = rows + batch.valid_rows, (digest + batch.digest) % 2 ** 64
    result = library.biost_loader_release(loader, byref(batch))
check((rows, '%016x' % digest) == (10000, DIGEST), 'all rows: %d, %016x' % (rows, digest))
library.biost_loader_close(loader)
print('%d passed, %d failed' % (results.count(True), results.count(False)))
sys.exit(not all(results))
