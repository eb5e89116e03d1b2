"""Batches in pure Python, from a pipe: fxbatch --bases 150 --frames - reads.fastq.gz | python3 examples/read_frames.py

read_frames(file) gives a dict for each batch: its numbers, as epoch, index, valid_rows and digest, and its arrays by
their names: NumPy's where NumPy is, else flat memoryviews. bf16 is uint16, and so is f16 without NumPy.
"""
import json, math, struct, sys
try:
    import numpy as np
except ImportError:
    np = None
CODES = {'u8': 'B', 'f16': 'e' if np else 'H', 'f32': 'f', 'bf16': 'H', 'i32': 'i', 'i64': 'q'}


def read_frames(file):
    line, frame = file.readline(), {'kind': 0}
    head = json.loads(line) if line.startswith(b'{"biostream_frames": 1, ') and line.endswith(b'\n') else {}
    if head.get('byte_order') != sys.byteorder:
        raise ValueError('no first line of frames in this byte order: what fxbatch says on standard error tells why')
    numbers = struct.Struct('=%dQ' % len(head['numbers']))
    while frame['kind'] != 4:  # the end
        start = file.read(numbers.size)
        frame = dict(zip(head['numbers'], numbers.unpack(start.ljust(numbers.size, b'\0'))))
        slab = memoryview(bytearray(file.read(frame['bytes'])))
        if len(slab) < frame['bytes'] or len(start) < numbers.size:
            raise ValueError('the frames were cut off: they end without a frame that says so')
        if frame['kind'] == 3:
            raise ValueError(bytes(slab).decode())
        for array in head['arrays'] if frame['kind'] == 1 else []:
            shape, code = [frame.get(size, size) for size in array['shape']], CODES[array['dtype']]
            part = slab[frame[array['name'] + '_at']:][:math.prod(shape) * struct.calcsize(code)]
            frame[array['name']] = np.frombuffer(part, code).reshape(shape) if np else part.cast(code)
        if 'names_at' in frame:
            frame['names'] = bytes(slab[frame['names_at']:]).decode(errors='surrogateescape').split('\0')[:-1]
        if frame['kind'] == 1:
            yield frame


if __name__ == '__main__':
    for batch in read_frames(sys.stdin.buffer):
        print('epoch %(epoch)d\tbatch %(index)d\trows %(valid_rows)d\tdigest %(digest)016x' % batch)
