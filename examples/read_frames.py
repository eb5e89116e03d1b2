#!/usr/bin/env python3
"""Batches from `fxbatch --frames -`, in pure Python: no library to call, no package. NumPy arrays where NumPy is.

    fxbatch --bases 150 --frames - reads.fastq.gz | python3 examples/read_frames.py

read_frames(file) gives a dict for each batch: its numbers, as epoch, index, valid_rows and digest, and its arrays by
their names. Without NumPy an array is flat, a memoryview of its numbers. bf16 is uint16, and so is f16 without NumPy.
"""
import json
import struct
import sys

try:
    import numpy as np
except ImportError:
    np = None
CODES = {'u8': 'B', 'f16': 'H', 'f32': 'f', 'bf16': 'H', 'i32': 'i', 'i64': 'q'}


def read_frames(file):
    line = file.readline()
    if not line.startswith(b'{"biostream_frames": 1, ') or not line.endswith(b'\n'):
        raise ValueError('these are no frames of fxbatch, or not even their first line: its standard error may say why')
    head = json.loads(line)
    if head['byte_order'] != sys.byteorder:
        raise ValueError('these frames are of a machine with another byte order')
    numbers = struct.Struct('=%dQ' % len(head['numbers']))
    while True:
        start = file.read(numbers.size)
        frame = dict(zip(head['numbers'], numbers.unpack(start.ljust(numbers.size, b'\0'))))
        slab = memoryview(bytearray(file.read(frame['bytes'])))
        if len(slab) < frame['bytes'] or len(start) < numbers.size:
            raise ValueError('the frames were cut off: they end without a frame that says so')
        if frame['kind'] == 3:
            raise ValueError(bytes(slab).decode())
        if frame['kind'] == 4:
            return
        if frame['kind'] == 1:
            for array in head['arrays']:
                at, shape = frame[array['name'] + '_at'], [frame.get(size, size) for size in array['shape']]
                count, code = 1, 'e' if np and array['dtype'] == 'f16' else CODES[array['dtype']]
                for size in shape:
                    count *= size
                part = slab[at:at + count * struct.calcsize(code)]
                frame[array['name']] = np.frombuffer(part, code).reshape(shape) if np else part.cast(code)
            if 'names_at' in frame:
                frame['names'] = bytes(slab[frame['names_at']:]).decode(errors='surrogateescape').split('\0')[:-1]
            yield frame


if __name__ == '__main__':
    try:
        for batch in read_frames(sys.stdin.buffer):
            print('epoch %(epoch)d\tbatch %(index)d\trows %(valid_rows)d\tdigest %(digest)016x' % batch)
    except ValueError as error:
        sys.exit('read_frames.py: %s' % error)
