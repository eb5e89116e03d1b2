#!/usr/bin/env python3
"""The lessons llm_shard and ggml_batch against what llm.c's loader takes and how ggml lays out a tensor.

    python3 tests/test_llm.py build/examples

A shard is read as dev/data/data_common.py of llm.c writes it and llmc/dataloader.h judges it: 256 int32, which are 20240520, 1,
the number of tokens and zeros, then 16 bits a token up to the very end. The tokens are made anew from the text of the file.
Of a tensor ggml wants nb[0] to be an element's size and nb[i] = nb[i - 1] * ne[i - 1]. Ends with 'N passed, N failed'.
"""
import array
import gzip
import os
import re
import struct
import subprocess
import sys
import tempfile

programs = sys.argv[1]
DATA = 'examples/data/'
passed = failed = 0


def check(condition, what):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print('FAILED', what)


def run(*words):
    return subprocess.run([os.path.join(programs, words[0]), *words[1:]], capture_output=True, text=True)


def sequences(path):
    """The bases of each record, of four-line FASTQ or of FASTA."""
    lines = gzip.open(path, 'rt').read().splitlines() if path.endswith('.gz') else open(path).read().splitlines()
    if lines[0][0] == '@':
        return lines[1::4]
    return [''.join(part.splitlines()[1:]) for part in '\n'.join(lines).split('\n>')]


def shard_of(path):
    with open(path, 'rb') as file:
        header = struct.unpack('=256i', file.read(1024))
        tokens = array.array('H', file.read())
    return header, tokens


with tempfile.TemporaryDirectory() as work:
    odd = os.path.join(work, 'odd.fa')  # longer than a piece by nothing, by one, and of all letters
    with open(odd, 'w') as file:
        file.write('>a\n%s\n>b\n%s\n>c\nACGTUNacgtunRYK\n' % ('ACGT' * 1024, 'G' * 8193))
    shard = os.path.join(work, 'shard.bin')
    for path in (DATA + 'tenx_v2_R2_cdna.fastq.gz', DATA + 'human_hg18_chrM_chr20part.bgzf.fasta.gz', odd):
        ended = run('llm_shard', shard, path)
        header, tokens = shard_of(shard)
        number = {letter: token for letters, token in (('Aa', 1), ('Cc', 2), ('Gg', 3), ('TtUu', 4)) for letter in letters}
        wanted = array.array('H')
        for bases in sequences(path):
            wanted.append(0)
            wanted.extend([number.get(base, 5) for base in bases])
        check(ended.returncode == 0 and header[:2] == (20240520, 1), '%s: magic and version %s' % (path, header[:2]))
        check(header[2] == len(tokens) and not any(header[3:]), '%s: %d tokens are said, %d there' % (path, header[2], len(tokens)))
        check(tokens == wanted, '%s: tokens are not those of its text' % path)
        check(ended.stdout == '%d records, %d tokens\n' % (len(sequences(path)), len(wanted)), '%s: %s' % (path, ended.stdout))
    for words, said in ((['/dev/full', odd], 'cannot be written'), ([shard, 'none.fa'], 'none.fa: cannot be opened'), ([], 'path')):
        ended = run('llm_shard', *words)
        check(ended.returncode == 1 and said in ended.stderr, 'llm_shard %s says %s' % (words, ended.stderr))

ended = run('ggml_batch', DATA + 'illumina_hiseqx_150bp.fastq.gz')
rows = 0
for line in ended.stdout.splitlines():
    ne, nb = ([int(number) for number in part.split()] for part in re.fullmatch('x: ne ([0-9 ]+), nb ([0-9 ]+)', line).groups())
    check(ne[0] == 4 and ne[3] == 1 and nb == [4, 4 * ne[0], 4 * ne[0] * ne[1], 4 * ne[0] * ne[1] * ne[2]], line)
    rows += ne[2]
check(ended.returncode == 0 and rows == len(sequences(DATA + 'illumina_hiseqx_150bp.fastq.gz')), '%d rows' % rows)
print('%d passed, %d failed' % (passed, failed))
sys.exit(failed > 0)
