#!/usr/bin/env python3
"""Seeds for the fuzz targets, from the bundled data and from the formats as they are published; and files of inputs.

    python3 tests/fuzz/seeds.py make [TARGET...]          writes tests/fuzz/TARGET.seeds
    python3 tests/fuzz/seeds.py unpack TARGET FOLDER      each input of TARGET.seeds and TARGET.kept as a file
    python3 tests/fuzz/seeds.py keep TARGET INPUT...      adds inputs, as libFuzzer leaves them, to TARGET.kept
    python3 tests/fuzz/seeds.py list TARGET               their sizes

A file of inputs is for each input its bytes' count, four bytes with the low one first, and the bytes. What `make` writes
depends on nothing but the tree and on zlib's version. Stores and indexes it builds by fxstore and fxindex in
build/examples.
"""
import glob, gzip, os, random, struct, subprocess, sys, tempfile, zlib

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))


def load(path):
    """The inputs of a file; none where it is not."""
    inputs, at = [], 0
    data = open(path, 'rb').read() if os.path.exists(path) else b''
    while at < len(data):
        size = struct.unpack_from('<I', data, at)[0]
        inputs.append(data[at + 4:at + 4 + size])
        at += 4 + size
    return inputs


def save(path, inputs):
    with open(path, 'wb') as out:
        for one in inputs:
            out.write(struct.pack('<I', len(one)) + one)


def bundled(most):
    """Small files of tests/data/semantics, by name: texts and archives."""
    paths = sorted(glob.glob(TOP + '/tests/data/semantics/*/*'))
    files = [open(path, 'rb').read() for path in paths if os.path.isfile(path) and os.path.getsize(path) <= most]
    return [one for one in files if one[:2] != b'\x1f\x8b'], [one for one in files if one[:2] == b'\x1f\x8b']


def record(draw, number, bases, fastq=True, alphabet='ACGTACGTACGTACGTNacgtnRYK', width=17):
    letters = ''.join(draw.choice(alphabet) for _ in range(bases))
    if fastq:
        return ('@r%d c\n%s\n+\n%s\n' % (number, letters, ''.join(chr(draw.randrange(33, 75)) for _ in letters))).encode()
    return ('>s%d d\n%s\n' % (number, '\n'.join(letters[i:i + width] for i in range(0, bases, width)))).encode()


def text(draw, records, most, fastq=True):
    return b''.join(record(draw, i, draw.randrange(most), fastq) for i in range(records))


def deflate(data, level, strategy, memory=8):
    made = zlib.compressobj(level, 8, -15, memory, strategy)
    return made.compress(data) + made.flush()


def deflates(draw):
    """Stored, fixed and dynamic blocks, of short and of longer texts, with few letters and with many."""
    texts = [b'', b'A', b'AC' * 40, bytes(range(256)), text(draw, 6, 60), text(draw, 9, 150, False),
             bytes(draw.randrange(256) for _ in range(90)), b'\0' * 70000]
    for data in texts:
        yield from {deflate(data, level, strategy): 0 for level, strategy in
                    ((0, 0), (1, 0), (9, 0), (9, zlib.Z_FIXED), (6, zlib.Z_HUFFMAN_ONLY), (6, zlib.Z_RLE))
                    if len(data) < 3000 or level == 9}
    parts = zlib.compressobj(9, 8, -15)
    yield b''.join(parts.compress(data) + parts.flush(kind) for data, kind in
                   zip(texts[2:7], (zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH, zlib.Z_BLOCK, zlib.Z_SYNC_FLUSH, zlib.Z_FINISH)))


def bgzf(data, size):
    """Blocks as the SAM specification has them, and the empty one at the end."""
    out = b''
    for part in [data[i:i + size] for i in range(0, len(data), size)] + [b'']:
        body = deflate(part, 6, 0)
        out += struct.pack('<4BI2BH2BHH', 31, 139, 8, 4, 0, 0, 255, 6, 66, 67, 2, len(body) + 25)
        out += body + struct.pack('<II', zlib.crc32(part), len(part))
    return out


def archives(draw):
    short, long = text(draw, 5, 50), text(draw, 12, 120)
    member = gzip.compress(short, 6, mtime=0)
    named = b'\x1f\x8b\x08\x1e' + bytes(6) + b'\x03\0abcreads.fq\0a comment\0'
    named += struct.pack('<H', zlib.crc32(named) & 0xFFFF) + member[10:]
    yield from (member, named, bgzf(long, 300), bgzf(b'', 1), member + named, member + bytes(7), bgzf(short, 90)[:-28],
                member + b'more', member + bytes(3) + member, member[:-3], member + b'\x1f\x8b', b'', b'plain\ntext\r\n')


def seeds_inflate(draw):
    yield from (bytes([1 + 2 * (i % 2)]) + one for i, one in enumerate(deflates(draw)))
    yield from (b'\0' + one for one in archives(draw))


def seeds_stream(draw):
    files = list(archives(draw)) + bundled(120)[1]
    for number, one in enumerate(files):
        drawn = bytes(draw.randrange(256) for _ in range(4))
        yield bytes([0, draw.choice((0, 0, drawn[0] & 63)), drawn[1] | 8 * (number % 2), drawn[2], drawn[3], number]) + one
    for number in range(16):
        yield bytes([1 + 2 * number, 0, draw.randrange(256) | 8, draw.randrange(256), number, 7]) + text(
            draw, 1 + number, 60, number % 2 == 0)


def odd_texts(draw):
    """What the format's corners are made of, in little."""
    yield from bundled(700)[0]
    for records, most, fastq in ((3, 40, True), (12, 9, True), (3, 60, False), (2, 400, False), (20, 3, True)):
        made = text(draw, records, most, fastq)
        yield from (made, made.replace(b'\n', b'\r\n'), made[:-1], made.replace(b'A', b'A\n', 5))
    yield from (b'@a\nAC\nGT\n+a\nII\n@I\n@b y\nG\n+\n@\n', b'#c\n;d\n@a\nACGT  \n+\nIIII\n',
                b'@a\nA\n+\nI\n@b\nAC\n+\nI\n@c\nACG\n+\nIII\n@d\nA\n+\nI\n', b'>a\nAC\n@b\nGT\n+\nII\n>c\nT\n',
                b'\xef\xbb\xbf>a x\nACGT\nAC\n\n>b\nG G\tT\n>c\n>d\nA>C\n', b'\xff\xfe>\0a\0', b'@a\nACGT\n+\nhhhh\n',
                b'junk @a\nRYKU\n+x\n!~II\nmore\n@b\nC\n+\nI', b'BZh91AY&SY', b'\x28\xb5\x2f\xfd', b'', b'\n \n')


def seeds_reader(draw):
    for number, one in enumerate(odd_texts(draw)):
        rules = bytes(9) if number % 2 else bytes(draw.randrange(256) for _ in range(9))
        yield bytes([draw.choice((0, 0, 0, rules[0])), rules[1] & 3, rules[2] & 0xFA, rules[3] % 4]) + rules[4:8] + one


DESCS = [
    'batch_rows 4 row_bases 16 long_records split shuffle_rows 9',
    'batch_rows 3 long_records head max_row_bases 40 names 1 mask 1 digest 1',
    'batch_rows 8 row_bases 24 long_records crop quality.kind phred augment.reverse_complement 0.5 '
    'augment.substitute 0.1 augment.inject_n 0.1',
    'batch_rows 5 row_bases 12 long_records split split_stride 5 open_files 2 shuffle_files 1 shuffle_rows 7 '
    'group.0.input_count 2 group.0.weight 2 group.1.first_input 2 group.1.input_count 1 group.1.weight 1 '
    'labels.kind group epoch_end first',
    'batch_rows 6 row_bases 20 long_records tail group.0.input_count 1 group.0.weight 1 group.1.first_input 1 '
    'group.1.input_count 1 group.1.weight 3 group.2.first_input 2 group.2.input_count 1 group.2.weight 1 '
    'epoch_end rows epoch_rows 50 allow_unseen 1 labels.kind input',
    'batch_rows 4 row_bases 30 long_records center text.skip_bad 5 text.skip_comments 1 text.keep_gt 1 '
    'text.ignore_plus 1 filter.max_n_fraction 0.2 filter.min_length 3 allow_no_rows 1',
    'row_bases 10 batch_rows 2 long_records split split.by block split.block_bases 20 split.below 0.5 allow_no_rows 1 '
    'tail drop',
    'row_bases 10 batch_rows 4 world 2 rank 1 long_records head tail short encoding.kind tokens encoding.dtype i32 '
    'filter.subsample_below 0.7 allow_no_rows 1 split.by name split.from 0.1',
    'row_bases 10 batch_rows 4 long_records split encoding.dtype f16 encoding.layout ncl encoding.ambiguous iupac '
    'encoding.lower_case channel mask_in_x 1 mask 1 quality.in_x 1 quality.kind error encoding.pad_side left',
    'batch_rows 4 row_bases 16 long_records split text.skip_bad 3 filter.first_records 9 filter.every_record 2 '
    'shuffle_rows 4 open_files 3',
]


def seeds_loader(draw):
    for number in range(20):
        desc = DESCS[number % len(DESCS)]
        count = 3 if 'group' in desc else 1 + number % 3
        fastq = 'quality' in desc or number % 2 == 0
        inputs = [text(draw, draw.randrange(1, 18), 50, fastq) for _ in range(count)]
        inputs = [gzip.compress(one, 6, mtime=0) if draw.randrange(4) == 0 else one for one in inputs]
        ways = count - 1 + 3 * draw.randrange(80)
        yield desc.encode() + b'\0' + bytes([ways, draw.randrange(256)]) + b''.join(
            struct.pack('<H', len(one)) for one in inputs[:-1]) + b''.join(inputs)
    for number, one in enumerate(bundled(300)[0][:20]):
        yield DESCS[number % 3].encode() + b'\0' + bytes([3 * draw.randrange(80), draw.randrange(256)]) + one


def seeds_frames(draw):
    tensors = ('', ' names 1', ' mask 1 quality.kind phred', ' encoding.layout ncl encoding.dtype bf16 mask 1 mask_dtype f32',
               ' encoding.kind tokens encoding.dtype i64 names 1 labels.kind input', ' digest 1 quality.in_x 1 quality.kind '
               'error encoding.dtype f32')
    for number, more in enumerate(tensors * 2):
        yield ('batch_rows 4 row_bases %d long_records split%s' % (5 + 16 * number, more)).encode() + b'\0' + bytes(
            [37 * number % 256]) + text(draw, 9, 40)


def seeds_desc(draw):
    yield from (one.encode() for one in DESCS)
    yield b'encoding.tokens all=5,A=1,C=2,G=3,T=4 encoding.kind tokens encoding.dtype i64\nsplit.strip "_: " split.by field ' \
        b'split.field 2 # c\ndesc seed 77'
    yield b'labels.kind input labels.of_inputs 0,1.5,2 labels.dtype f32 state 00ff labels.of_input_count 3'
    yield b'encoding.channels ACGT=ACGTN'
    yield b'group.0.name "a\\x0ab" group.0.label 0.25 group.0.weight 3 group.0.input_count 1 labels.kind group labels.dtype f32'
    yield b'regions.kind windows regions.stride 5 regions.edge drop regions.strands both order shuffle'


def genome(draw, bases):
    """Letters as a genome has them: runs of N, of lower case, single odd ones."""
    made = ''
    while len(made) < bases:
        kind, size = draw.randrange(20), draw.randrange(20, 90)
        made += 'N' * size if kind < 2 else draw.choice('RYK') if kind < 3 else ''.join(
            draw.choice('acgt' if kind < 6 else 'ACGT') for _ in range(size))
    return made[:bases]


def image(path):
    """A store's file without the padding: head, sizes of its 15 sections, sections; None where one is too large."""
    data = open(path, 'rb').read()
    places = [struct.unpack_from('<QQQ', data, 136 + 24 * i)[:2] for i in range(15)]
    if max(size for _, size in places) > 65535:
        return None
    return data[:136] + struct.pack('<15H', *[size for _, size in places]) + b''.join(
        data[at:at + size] for at, size in places)


def seeds_store(draw):
    """FXSTORE is the program; build/examples/fxstore by default."""
    program = os.environ.get('FXSTORE', TOP + '/build/examples/fxstore')
    for number in range(15):
        fastq, most = number % 2, (12, 40, 120)[number % 3]
        lines = []
        for record in range(draw.randrange(1, 20)):
            letters = genome(draw, draw.randrange(most + 1))
            name = 'r%d x' % (record if number % 6 else record // 2)
            lines.append('@%s\n%s\n+\n%s\n' % (name, letters, ''.join(draw.choice('#5I') for _ in letters))
                         if fastq else '>%s\n%s\n' % (name, letters))
        options = ['--duplicate-names'] if number % 6 == 0 else []
        options += ['--qualities'] if fastq and number % 4 != 1 else []
        options += [[], ['--letters', 'bytes'], ['--names', 'none'], ['--names', 'names'], []][number % 5]
        yield b'\1' + struct.pack('<H', number * 5 % 64) + ''.join(lines).encode()
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + '/in', 'w') as out:
                out.write(''.join(lines))
            subprocess.run([program, *options, folder + '/in', '-o', folder + '/out.bst'], check=True,
                           stdout=subprocess.DEVNULL)
            compact = image(folder + '/out.bst')
        if compact is not None:
            yield b'\0' + bytes(draw.randrange(256) for _ in range(16)) + compact
    for number in range(6):
        names, mates = ['%d' % record for record in range(draw.randrange(2, 9))], ([], [])
        for name in names:
            for of, mate in zip(mates, '12'):
                letters = genome(draw, draw.randrange(40))
                of.append('@%s/%s\n%s\n+\n%s\n' % (name, mate, letters, 'I' * len(letters)))
        together = ''.join(a + b for a, b in zip(*mates))
        yield b'\1' + struct.pack('<H', 16 + (64 if number % 2 else 192)) + (
            together if number % 2 else ''.join(mates[0])).encode()
        with tempfile.TemporaryDirectory() as folder:
            for at, text in enumerate((''.join(mates[0]), ''.join(mates[1]), together)):
                with open(folder + '/%d' % at, 'w') as out:
                    out.write(text)
            files = [folder + '/2'] if number % 2 else [folder + '/0', folder + '/1']
            subprocess.run([program, '--letters', 'bytes', '--interleaved' if number % 2 else '--mates', *files, '-o',
                            folder + '/out.bst'], check=True, stdout=subprocess.DEVNULL)
            yield b'\0\1' + bytes(draw.randrange(256) for _ in range(15)) + image(folder + '/out.bst')


def changes(draw, count, places):
    """Of a template's bytes, as fuzz_change takes them."""
    return b''.join(struct.pack('<HB', draw.randrange(places), draw.randrange(256)) + bytes(
        draw.randrange(256) for _ in range(8)) for _ in range(count))


def seeds_index(draw):
    yield b'\0'
    for number in range(60):
        yield bytes([draw.randrange(256) & 254]) + changes(draw, 1 + number % 3, 700 if number % 2 else 96)
    yield b'\1BIOSTIX\2' + bytes(88)


def gzi(file):
    """As htslib's bgzip writes it: each block with text but the first."""
    entries, at, text = [], 0, 0
    while at < len(file):
        size = struct.unpack_from('<H', file, at + 16)[0] + 1
        more = struct.unpack_from('<I', file, at + size - 4)[0]
        entries += [(at, text)] if more and text else []
        at, text = at + size, text + more
    return struct.pack('<Q', len(entries)) + b''.join(struct.pack('<QQ', *one) for one in entries)


def seeds_gzi(draw):
    """Files with their own .gzi and with another's; changes of either."""
    files = [bgzf(text(draw, 1 + number, 40), 40 + 30 * number) for number in range(4)] + [bgzf(b'', 1)]
    for number, one in enumerate(files):
        for other in (one, files[number - 1]):
            yield struct.pack('<BH', 4 * draw.randrange(64), len(gzi(other))) + gzi(other) + one
    yield struct.pack('<BHQ', 0, 8, (1 << 64) - 1) + files[-1]
    for number in range(12):
        one = changes(draw, number % 3, 500)
        yield struct.pack('<BH', 3 | 4 * draw.randrange(64), len(one)) + one + changes(draw, number // 3 % 3, 2200)
    yield struct.pack('<BH', 1, 0) + files[2] + files[3]
    yield struct.pack('<BH', 1, 0) + files[2][:-40]


def seeds_state(draw):
    for number in range(60):
        yield bytes([number * 4 % 256 + number % 4]) + changes(draw, number % 4, 300)


def seeds_bed(draw):
    """BED as the UCSC page has it, narrowPeak, lists, and sequences."""
    beds = (b'chr1\t0\t100\nx\t5\t9\tn\t0\t-\n#c\ntrack name=x\nbrowser position chr1:1-2\n', b'chr1 7 20 n 5 +\r\n\r\nx 1 2\n',
            b'scaffold_12\t-5\t10\tp\t3.5e1\t.\t1\t2\t3\t4\n', b'track\t1\t2\nchr1.2\t0\t9\ta\tplus\n',
            b'chrl\t1\t2\n', b'chr1\t9\t3\n', b'x\t0\t300\t255\t0\t+', b'\n\n')
    for number, one in enumerate(beds * 3):
        yield struct.pack('<HB', 1 | draw.choice((0, 4, 8 * 4, 8 * 5 + 192, 1024, 256)), number) + one
    yield from (b'\3\0\5chr1\nx y\n#n\n\nchr1.2\n', b'\3\0\0chr1\r\ntrak\n')
    for number, fastq in enumerate((True, False, False)):
        yield b'\0\0' + bytes([number]) + text(draw, 4, 40, fastq)
    yield from (b'\0\0\0>a b\nACGT\nACGT\nAC\n>b\nAC\n>b\nAC\n\n', b'\0\0\5@a\nACGT\n+\nIIII\n@b\nA\n+\nI\n')


MAKERS = {name[6:]: made for name, made in list(globals().items()) if name.startswith('seeds_')}


def main(words):
    if len(words) > 0 and words[0] == 'make':
        for name in words[1:] or sorted(MAKERS):
            inputs = list(dict.fromkeys(MAKERS[name](random.Random(1))))
            save('%s/%s.seeds' % (HERE, name), inputs)
            print('%s: %d seeds, %d bytes' % (name, len(inputs), sum(map(len, inputs))))
    elif len(words) == 3 and words[0] == 'unpack':
        os.makedirs(words[2], exist_ok=True)
        for kind in ('seeds', 'kept'):
            for number, one in enumerate(load('%s/%s.%s' % (HERE, words[1], kind))):
                with open('%s/%s_%03d' % (words[2], kind, number), 'wb') as out:
                    out.write(one)
    elif len(words) > 2 and words[0] == 'keep':
        kept = load('%s/%s.kept' % (HERE, words[1])) + [open(path, 'rb').read() for path in words[2:]]
        save('%s/%s.kept' % (HERE, words[1]), list(dict.fromkeys(kept)))
    elif len(words) == 2 and words[0] == 'list':
        for kind in ('seeds', 'kept'):
            for number, one in enumerate(load('%s/%s.%s' % (HERE, words[1], kind))):
                print('%s %d: %d bytes' % (kind, number, len(one)))
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main(sys.argv[1:])
