#!/usr/bin/env python3
"""What DeepBioP and the FASTA parser of Helixer's fasta2h5 make of the hard cases, beside our records: the tables of
examples/FROM.md, each line with its cases. No test of CI: neither is in Debian.

    make examples
    pip install deepbiop pyarrow
    python3 tests/from_others.py build/examples/fxcat deepbiop
    python3 tests/from_others.py build/examples/fxcat fasta2h5 dustdas/dustdas/fastahelper.py

fasta2h5 reads FASTA through dustdas and GeenuFF: GeenuFF puts the letters in upper case and takes the title up to the first
blank, and Helixer looks each letter up in a table. These two steps are repeated here; dustdas' own file is run.

Cases of FROM.md's sentences. DeepBioP: gzip ends after the first member g02 g04, other good gzip refused b13 to b16 b18
b19 h13; damaged gzip that is no error b06 b07 b20 g08 to g11 g14 g15 t01 t02 t04 to t06 t08, no records and no error b08
b09; unequal lengths q25 q26 q41; reads left out q31 q32 q33 q40; refused q07 to q11 q17 q18 q19 q44 q51 a05 a13 a14 a15
a29; other letters a24 a25 a26; bytes accepted a04 a16 to a18 a27 a28 a34 a35 a37 q24 q34 to q39 q42 q61; the last record
lost q04b; an empty name q46. fasta2h5: records made up a04 a20 a21; errors of theirs alone a22 a24 a25 a26; other
records: blank lines a05 a07 a08 a08b, a byte order mark a29, a blank after '>' a14.
"""
import collections
import importlib.util
import os
import subprocess
import sys
import tempfile

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data', 'semantics')
KNOWN = set('CATGYRWSKMDVHBN')  # the letters of Helixer's table

KINDS = ('equal', 'equal, error from us alone', 'error from both, no records', 'error from both, we give more',
         'they go on where we stop', 'error from them alone', 'they lose records without an error',
         'error from us, other records', 'other records')


def text(data):
    return data.decode('utf-8', 'replace')


def ours(fxcat, path):
    """(name, sequence, quality) of each record, and whether an error ends them."""
    done = subprocess.run([fxcat, path], capture_output=True, check=False)
    lines, records, at = done.stdout.split(b'\n'), [], 0
    while at + 1 < len(lines):
        words = lines[at][1:].lstrip(b' \t').replace(b'\t', b' ').split(b' ')
        if lines[at][:1] == b'@':
            records.append((text(words[0]), text(lines[at + 1]), lines[at + 3].decode('latin-1')))
            at += 4
        else:
            records.append((text(words[0]), text(lines[at + 1]), ''))
            at += 2
    return records, done.returncode != 0


def by_deepbiop(path, is_fasta):
    """In a process of its own, for a panic ends it."""
    with tempfile.TemporaryDirectory() as folder:
        to = os.path.join(folder, 'out.parquet')
        call = ('deepbiop.fa.encode_fa_path_to_parquet(sys.argv[1], "ACGTN", sys.argv[2])' if is_fasta else
                'deepbiop.fq.encode_fq_path_to_parquet(sys.argv[1], "ACGTN", 33, sys.argv[2])')
        done = subprocess.run([sys.executable, '-c', 'import sys, deepbiop; ' + call, path, to], capture_output=True,
                              check=False)
        if not os.path.exists(to):
            return [], done.returncode != 0
        import pyarrow.parquet
        rows = pyarrow.parquet.read_table(to).to_pylist()
        return [(row['id'], row['seq'], ''.join(chr(q + 33) for q in row.get('qual') or [])) for row in rows], \
            done.returncode != 0


def by_fasta2h5(helper, path):
    records = []
    try:
        for header, sequence in helper.FastaParser.read_fasta(path):
            records.append((header.split(' ')[0], sequence.upper(), ''))
    except (UnicodeDecodeError, OSError):
        return records, True
    return records, any(letter not in KNOWN for record in records for letter in record[1])


def kind_of(theirs, they_fail, mine, we_fail):
    if they_fail and we_fail:
        return KINDS[3] if len(mine) > len(theirs) else KINDS[2]
    if they_fail:
        return KINDS[5]
    if theirs == mine:
        return KINDS[1] if we_fail else KINDS[0]
    if we_fail:
        return KINDS[4] if theirs[:len(mine)] == mine else KINDS[7]
    return KINDS[6] if mine[:len(theirs)] == theirs else KINDS[8]


def main():
    if len(sys.argv) < 3 or sys.argv[2] not in ('deepbiop', 'fasta2h5'):
        sys.exit(__doc__)
    fxcat, peer = sys.argv[1:3]
    folders = ('fastx', 'gzip') if peer == 'deepbiop' else ('fastx',)
    if peer == 'fasta2h5':
        spec = importlib.util.spec_from_file_location('fastahelper', sys.argv[3])
        helper = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(helper)
    found = collections.defaultdict(list)
    for folder in folders:
        for name in sorted(os.listdir(os.path.join(CASES, folder))):
            path, is_fasta = os.path.join(CASES, folder, name), name.endswith('.fa')
            if peer == 'fasta2h5' and not is_fasta:
                continue
            mine, we_fail = ours(fxcat, path)
            if peer == 'fasta2h5':
                mine = [(record[0], record[1].upper(), '') for record in mine]
                theirs, they_fail = by_fasta2h5(helper, path)
            else:
                theirs, they_fail = by_deepbiop(path, is_fasta)
            found[kind_of(theirs, they_fail, mine, we_fail)].append(name.split('_')[0])
    for kind in KINDS:
        if found[kind]:
            print('%3d  %s%s' % (len(found[kind]), kind, '' if kind == 'equal' else ': ' + ' '.join(found[kind])))


main()
