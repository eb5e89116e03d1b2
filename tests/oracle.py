#!/usr/bin/env python3
"""The loader's definition written a second time, in another language and the simplest way: read everything, sort once.

    python3 tests/oracle.py build/examples/fxbatch FILE...

Runs fxbatch over the files with many settings and compares its epoch digests, batches and rows with what the
definition gives: order, random numbers, augmentation, encoding, ranks, tails and digest. Pure Python, no package.
Ends with 'N passed, N failed'.
"""
import gzip
import struct
import subprocess
import sys

M32, M64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                      0x27D4EB2F165667C5)


def rotl(x, r):
    return (x << r | x >> (64 - r)) & M64


def xxh64(data, seed=0):
    n, i = len(data), 0
    if n >= 32:
        v = [(seed + P1 + P2) & M64, (seed + P2) & M64, seed, (seed - P1) & M64]
        words = struct.unpack_from('<%dQ' % (n // 32 * 4), data)
        for w in range(0, len(words), 4):
            for k in range(4):
                v[k] = rotl((v[k] + words[w + k] * P2) & M64, 31) * P1 & M64
        i = n // 32 * 32
        h = (rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18)) & M64
        for x in v:
            h = ((h ^ (rotl(x * P2 & M64, 31) * P1 & M64)) * P1 + P4) & M64
    else:
        h = (seed + P5) & M64
    h = (h + n) & M64
    while n - i >= 8:
        k = rotl(struct.unpack_from('<Q', data, i)[0] * P2 & M64, 31) * P1 & M64
        h = (rotl(h ^ k, 27) * P1 + P4) & M64
        i += 8
    if n - i >= 4:
        h = (rotl(h ^ (struct.unpack_from('<I', data, i)[0] * P1 & M64), 23) * P2 + P3) & M64
        i += 4
    for b in data[i:]:
        h = rotl(h ^ (b * P5 & M64), 11) * P1 & M64
    h = (h ^ h >> 33) * P2 & M64
    h = (h ^ h >> 29) * P3 & M64
    return h ^ h >> 32


def philox(counter, key):
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        a, b = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = b >> 32 ^ c1 ^ k0, b & M32, a >> 32 ^ c3 ^ k1, a & M32
        k0, k1 = k0 + 0x9E3779B9 & M32, k1 + 0xBB67AE85 & M32
    return c0, c1, c2, c3


def stage_key(seed, epoch, stage):
    return philox((epoch & M32, epoch >> 32, stage, 0x42494F53), (seed & M32, seed >> 32))[:2]


def words(key, rid, piece):
    draw = 0
    while True:
        yield from philox((draw, piece, rid & M32, rid >> 32), key)
        draw += 1


def shuffle_draws(key, rid, piece, window):
    w = philox((0, piece, rid & M32, rid >> 32), key)

    def candidates():
        yield from w[:3]
        draw = 1
        while True:
            yield from philox((draw, piece, rid & M32, rid >> 32), key)
            draw += 1
    for u in candidates():
        if u * window & M32 >= 2 ** 32 % window:
            return u * window >> 32, w[3]


def read_records(path):
    raw = open(path, 'rb').read()
    text = gzip.decompress(raw) if raw[:2] == b'\x1f\x8b' else raw
    lines = text.replace(b'\r\n', b'\n').split(b'\n')
    if text[:1] == b'@':
        return [(lines[i + 1], lines[i + 3]) for i in range(0, len(lines) - 3, 4)]
    return [(b''.join(part.split(b'\n')[1:]), None) for part in text.split(b'>')[1:]]


def epoch(files, o, e):
    """One epoch: (batches, rows, digest) of the rank asked for."""
    bases, window, size, world, rank = o['bases'], max(1, o['shuffle']), o['rows'], o['world'], o['rank']
    samples = []
    for p, path in enumerate(files):
        for r, (seq, qual) in enumerate(read_records(path)):
            n = len(seq)
            if n < o['min_length']:
                continue
            if o['min_quality'] and (n == 0 or 1000 * sum(q - 33 for q in qual) < round(o['min_quality'] * 1000) * n):
                continue
            for piece in range(max(1, -(-n // bases))):
                samples.append((p << 40 | r, piece, seq[piece * bases:(piece + 1) * bases]))
    n, key = len(samples), stage_key(o['seed'], e, 4)
    keyed = []
    for s, (rid, piece, seq) in enumerate(samples):
        d, u = shuffle_draws(key, rid, piece, window)
        keyed.append((min(max(s + d, window - 1), n), u, s))
    order = [samples[s] for _, _, s in sorted(keyed)]
    batches = rows = digest = 0
    rc_key, sub_key = stage_key(o['seed'], e, 19), stage_key(o['seed'], e, 20)
    rc, sub = int(o['rc'] * 2 ** 32), int(o['mutate'] * 2 ** 32)
    survival = [2 ** 32]
    for _ in range(256):
        survival.append(survival[-1] * (2 ** 32 - sub) >> 32)
    one = {'u8': b'\1', 'f16': b'\0\x3c', 'f32': b'\0\0\x80\x3f'}[o['dtype']]
    zero = b'\0' * len(one)
    hot = [b''.join(one if k == c else zero for k in range(4)) for c in range(4)] + [zero * 4]
    code = {ord(c): i for i, cs in enumerate(('Aa', 'Cc', 'Gg', 'TtUu')) for c in cs}
    pairs = 'AT CG GC TA UA RY YR KM MK BV VB DH HD'.split()
    complement = {ord(a): ord(b) for a, b in pairs}
    complement.update({ord(a.lower()): ord(b.lower()) for a, b in pairs})
    for b in range(0, n, size):
        part = order[b:b + size]
        m = len(part)
        if m < size and o['tail'] == 'drop':
            break
        batch = b // size
        first, last = rank * m // world, (rank + 1) * m // world
        batches += 1
        rows += last - first
        for at in range(first, last):
            rid, piece, seq = part[at]
            seq = bytearray(seq)
            if rc and next(words(rc_key, rid, piece)) < rc:
                seq = bytearray(complement.get(c, c) for c in reversed(seq))
            if sub:
                at_base, draws = 0, words(sub_key, rid, piece)
                while True:
                    u = next(draws)
                    if u < survival[256]:
                        at_base += 256
                    else:
                        at_base += max(g for g in range(256) if u < survival[g])
                        if at_base < len(seq):
                            v, c = next(draws), seq[at_base]
                            if c in code:
                                new = b'ACGT'[(code[c] + 1 + v % 3) % 4]
                                seq[at_base] = new | (c & 0x20)
                        at_base += 1
                    if at_base >= len(seq):
                        break
            if o['encode'] == 'tokens':
                body = bytes(code.get(c, 4) + 1 for c in seq) + b'\0' * (bases - len(seq))
            else:
                body = b''.join(hot[code.get(c, 4)] for c in seq) + zero * 4 * (bases - len(seq))
            body += struct.pack('<iqIq', len(seq), rid, piece, piece * bases)
            digest += xxh64(body, xxh64(struct.pack('<3Q', e, batch, at)))
    return batches, rows, digest & M64


def main():
    tool, files = sys.argv[1], sys.argv[2:]
    passed = failed = 0
    base = dict(rows=64, bases=100, encode='onehot', dtype='u8', seed=0, shuffle=0, rank=0, world=1, tail='pad', rc=0.0,
                mutate=0.0, min_length=0, min_quality=0.0)
    tries = [dict(), dict(shuffle=1000, seed=42), dict(shuffle=7, dtype='f16', rc=0.5, seed=1),
             dict(shuffle=100000, dtype='f32', mutate=0.01, seed=2 ** 40 + 3), dict(encode='tokens', mutate=0.3, rc=1.0),
             dict(rows=96, world=3, rank=1, shuffle=50, seed=5), dict(world=2, rank=1, tail='short', bases=37),
             dict(world=4, rank=3, tail='drop', shuffle=333, min_length=50, rc=0.25, mutate=0.002, seed=9)]
    if all(read_records(f)[0][1] is not None for f in files):
        tries.append(dict(min_quality=35.5, shuffle=20))
    for change in tries:
        o = dict(base, **change)
        command = [tool, '--long', 'split', '--epochs', '2', '--workers', '3']
        for name, value in o.items():
            command += ['--' + name.replace('_', '-'), str(value)]
        out = subprocess.run(command + files, stdout=subprocess.PIPE, check=True).stdout.decode()
        got = [line.split('\t')[:4] for line in out.splitlines() if line.startswith('epoch ')]
        want = []
        for e in range(2):
            batches, rows, digest = epoch(files, o, e)
            want.append(['epoch %d' % e, 'batches %d' % batches, 'rows %d' % rows, 'digest %016x' % digest])
        if got == want:
            passed += 1
        else:
            failed += 1
            print('FAILED', change, '\n  fxbatch', got, '\n  oracle ', want)
    print('%d passed, %d failed' % (passed, failed))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
