#!/usr/bin/env python3
"""The encoders written a second time, with numpy: random rows through every setting, compared byte for byte.

    cc -O2 tests/encode_rows.c tests/compile/implement.c -pthread -o encode_rows
    python3 tests/encode_numpy.py ./encode_rows

Ends with 'N passed, N failed'; without numpy it prints one line 'skipped: numpy'.
"""
import itertools
import random
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print('skipped: numpy')
    print('0 passed, 0 failed, 1 skipped')
    sys.exit(0)

U8, F16, F32, BF16, I32, I64, U16 = range(7)
DTYPES = {U8: np.uint8, F16: np.float16, F32: np.float32, BF16: np.float32, I32: np.int32, I64: np.int64,
          U16: np.uint16}
ZERO, N, IUPAC, HELIXER = range(4)
FOLD, CHANNEL, LOWER_N = range(3)
CODES = dict(R='AG', Y='CT', S='CG', W='AT', K='GT', M='AC', B='CGT', D='AGT', H='ACT', V='ACG', N='ACGT')
EXACT = {U8: (0, 255), F16: (-2048, 2048), BF16: (-256, 256), F32: (-2 ** 24, 2 ** 24),
         I32: (-2 ** 31, 2 ** 31 - 1), I64: (-2 ** 31, 2 ** 31 - 1)}
SPLIT_TU = str.maketrans('U', 'T')


def to_bytes(values, dtype):
    """Values in double, rounded to the dtype, as bytes in the machine's order."""
    values = np.ascontiguousarray(values)
    if dtype != BF16:
        return values.astype(DTYPES[dtype]).tobytes()
    bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16  # to the nearest, ties to even
    return bits.astype(np.uint16).tobytes()


def onehot_table(channels, ambiguous, lower_case):
    """[256][channels] in double."""
    names = channels or 'ACGT'
    table = np.zeros((256, len(names) + (lower_case == CHANNEL)))
    merge = ('T' in names) != ('U' in names)
    plain = names.translate(SPLIT_TU) if merge else names
    for byte in range(256):
        letter = chr(byte)
        is_lower = 'a' <= letter <= 'z'
        letter = 'N' if is_lower and lower_case == LOWER_N else letter.upper() if is_lower else letter
        if merge:
            letter = letter.translate(SPLIT_TU)
        hit = np.array([name == letter for name in plain])
        bases = CODES.get(letter, '') if ambiguous in (IUPAC, HELIXER) or letter == 'N' and ambiguous == N else ''
        if hit.any():
            table[byte, :len(names)] = hit
        elif bases:
            share = 0.33 if len(bases) == 3 and ambiguous == HELIXER else 1 / len(bases)
            table[byte, :len(names)] = [share if name in bases else 0 for name in plain]
        if lower_case == CHANNEL:
            table[byte, -1] = is_lower
    return table


def padded(body, columns, pad, left):
    shape = (columns - len(body),) + body.shape[1:]
    fill = np.full(shape, pad, dtype=body.dtype)
    return np.concatenate([fill, body] if left else [body, fill])


def row_case(rng, kind, dtype, layout=0, channels=None, ambiguous=0, lower_case=0, own_tokens=False):
    bases = rng.choice([0, 1, rng.randrange(40), rng.randrange(500)])
    columns = bases + rng.choice([0, 0, 1, rng.randrange(80)])
    letters = b'ACGTACGTACGTacgtNnUuRYSWKMBDHVryswkmbdhv-*'
    seq = bytes(rng.choice(letters) if rng.random() < 0.9 else rng.randrange(256) for _ in range(bases))
    low, high = EXACT[dtype]
    pad = rng.choice([0, 1, low, high, rng.randint(low, high)])
    left = rng.randrange(2)
    tokens = None
    at = np.frombuffer(seq, dtype=np.uint8)
    if kind == 1:
        table = np.full(256, 5)
        for i, pair in enumerate(('Aa', 'Cc', 'Gg', 'TtUu')):
            table[[ord(c) for c in pair]] = i + 1
        if own_tokens:
            low = max(low, -2 ** 31)
            tokens = [rng.randint(low, high) for _ in range(256)]
            table = np.array(tokens)
        want = padded(table[at], columns, pad, left)
    else:
        want = padded(onehot_table(channels, ambiguous, lower_case)[at], columns, pad, left)
        want = want.T if layout else want
    request = 'row %d %d %d %d %s %d %d %d %d %d %s x%s' % (
        rng.randrange(2), kind, dtype, layout, channels or '-', ambiguous, lower_case, pad, left, columns,
        ','.join(map(str, tokens)) if tokens else '-', seq.hex())
    return request, to_bytes(want, dtype).hex()


def quality_case(rng, kind, dtype):
    bases = rng.choice([0, 1, rng.randrange(500)])
    columns = bases + rng.randrange(30)
    left = rng.randrange(2)
    qual = bytes(rng.randrange(33, 127) if rng.random() < 0.9 else rng.randrange(256) for _ in range(bases))
    score = np.clip(np.frombuffer(qual, dtype=np.uint8).astype(np.int64) - 33, 0, 93)
    want = score if kind == 1 else 10.0 ** (-score / 10)
    return ('quality %d %d %d %d x%s' % (kind, dtype, left, columns, qual.hex()),
            to_bytes(padded(want, columns, 0, left), dtype).hex())


def mask_case(rng):
    bases = rng.randrange(300)
    columns = bases + rng.randrange(30)
    left = rng.randrange(2)
    dtype = rng.choice([U8, F32])
    return ('mask %d %d %d %d' % (dtype, left, bases, columns),
            to_bytes(padded(np.ones(bases), columns, 0, left), dtype).hex())


def random_codes(rng, most):
    """A sequence, and its codes, 4 for what is no base."""
    bases = rng.choice([0, 1, rng.randrange(40), rng.randrange(most)])
    rare = rng.choice([0, 0.02, 0.3])
    seq = bytes(rng.randrange(256) if rng.random() < rare else rng.choice(b'ACGTUacgtu') for _ in range(bases))
    table = np.full(256, 4)
    for i, letters in enumerate((b'Aa', b'Cc', b'Gg', b'TtUu')):
        table[list(letters)] = i
    return seq, table[np.frombuffer(seq, dtype=np.uint8)]


def pack_case(rng):
    seq, codes = random_codes(rng, 500)
    known = np.where(codes == 4, 0, codes)
    bits = np.stack([known & 1, known >> 1], axis=1).reshape(-1).astype(np.uint8)
    want = np.packbits(bits, bitorder='little').tobytes() + np.packbits(codes == 4, bitorder='little').tobytes()
    return 'pack %d x%s' % (rng.randrange(2), seq.hex()), want.hex()


def kmers_case(rng, k, dtype):
    seq, codes = random_codes(rng, 300)
    stride = rng.choice([1, 1, 1, 2, k, 17])
    first, unknown = (rng.randrange(65536 - 4 ** k + 1), rng.randrange(65536)) if dtype == U16 else \
        (rng.randrange(-2 ** 31, 2 ** 31 - 4 ** k + 1), rng.randrange(-2 ** 31, 2 ** 31))
    want = np.zeros(0, dtype=np.int64)
    if len(seq) >= k:
        windows = np.lib.stride_tricks.sliding_window_view(codes, k)[::stride].astype(np.int64)
        ids = first + windows @ (4 ** np.arange(k - 1, -1, -1, dtype=np.int64))
        want = np.where((windows == 4).any(axis=1), unknown, ids)
    return ('kmers %d %d %d %d %d %d x%s' % (rng.randrange(2), k, stride, dtype, first, unknown, seq.hex()),
            to_bytes(want, dtype).hex())


def cases(rng, rounds):
    """(name, request, expected line), every setting `rounds` times."""
    names = [None, 'CATG', 'ACGU', 'GUCA', 'TGCA', 'ACGTN', 'ACDEFGHIKLMNPQRSTVWY', 'TU', 'N', 'GCA', 'NRYA',
             'ZYXWVUTSRQPONMLKJIHGFEDCBA']
    for _ in range(rounds):
        for dtype, layout, channels, lower_case in itertools.product((U8, F16, F32, BF16), (0, 1), names, range(3)):
            four = len((channels or 'ACGT').translate(SPLIT_TU)) == 4 and \
                set((channels or 'ACGT').translate(SPLIT_TU)) == set('ACGT')
            for ambiguous in range(4 if four and dtype != U8 else 1):
                name = 'one-hot dtype %d layout %d %s ambiguous %d lower case %d' % (
                    dtype, layout, channels, ambiguous, lower_case)
                yield (name,) + row_case(rng, 0, dtype, layout, channels, ambiguous, lower_case)
        for dtype, own in itertools.product((U8, I32, I64), (False, True)):
            yield ('tokens dtype %d own %d' % (dtype, own),) + row_case(rng, 1, dtype, own_tokens=own)
        for kind, dtype in ((1, U8), (1, F32), (2, F32)):
            yield ('quality %d dtype %d' % (kind, dtype),) + quality_case(rng, kind, dtype)
        yield ('mask',) + mask_case(rng)
        yield ('pack',) + pack_case(rng)
        for k, dtype in itertools.product(range(1, 16), (U16, I32, I64)):
            if k <= 8 or dtype != U16:
                yield ('%d-mers dtype %d' % (k, dtype),) + kmers_case(rng, k, dtype)


def main():
    asked = list(cases(random.Random(5), 12))
    text = ''.join(request + '\n' for _, request, _ in asked).encode()
    out = subprocess.run([sys.argv[1]], input=text, stdout=subprocess.PIPE, check=True).stdout.decode()
    got = out.splitlines()
    failed = {}
    if len(got) != len(asked):
        print('FAILED %d answers to %d requests' % (len(got), len(asked)))
        print('0 passed, 1 failed')
        return 1
    for (name, request, want), line in zip(asked, got):
        if line != want:
            failed.setdefault(name, (request, line, want))
    for name, (request, line, want) in list(failed.items())[:10]:
        print('FAILED %s\n  request %s\n  got     %s\n  numpy   %s' % (name, request[:400], line[:400], want[:400]))
    settings = {name for name, _, _ in asked}
    print('%d passed, %d failed' % (len(settings) - len(failed), len(failed)))
    return len(failed) > 0


if __name__ == '__main__':
    sys.exit(main())
