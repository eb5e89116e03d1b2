"""Intervals of biostream.py in files of BED."""
import gzip
import os
import re

from biostream_library import BiostreamError, shown

BLANKS = ' \t\v\f\r'
STRAND_WORDS = {'f', 'r', 'plus', 'minus', 'fwd', 'rev', 'forward', 'reverse'}


def place_of(fields, with_summit):
    """(sequence, start, end, strand), perhaps with the summit, of a line's columns; what is wrong raises ValueError."""
    def take(column, pattern, words):
        if not re.fullmatch(pattern, fields[column - 1]):
            raise ValueError(words % shown(fields[column - 1])[1:-1])
    if len(fields) < 3:
        raise ValueError('%d columns, not at least 3' % len(fields))
    take(2, '-?[0-9]{1,18}', 'the start %s is no number')
    take(3, '-?[0-9]{1,18}', 'the end %s is no number')
    strand = fields[5] if len(fields) > 5 else '.'
    if len(fields) > 5:
        take(6, '[+.-]', 'the strand %s is none of + - .')
    for column in (4, 5) if strand == '.' else ():
        word = re.split('[%s]' % BLANKS, ''.join(fields[column - 1:column]).rstrip(BLANKS))[-1]
        word = word[1:-1] if re.fullmatch('"[^"]+"|\'[^\']+\'', word) else word
        if word in ('+', '-') or column == 5 and word.lower() in STRAND_WORDS:
            raise ValueError('column %d is %s, a strand, which BED has in column 6: sequence, start, end, name, score, '
                             'strand' % (column, shown(fields[column - 1])[1:-1]))
    if with_summit and len(fields) < 10:
        raise ValueError('%d columns, and the summit is column 10 (narrowPeak)' % len(fields))
    if with_summit and fields[9] == '-1':
        raise ValueError("the summit -1 is narrowPeak's for a peak that has none")
    if with_summit:
        take(10, '[0-9]{1,18}', 'the summit %s is no number')
    return [fields[0], int(fields[1]), int(fields[2]), strand] + [int(field) for field in fields[9:10] * with_summit]


def read_bed(path, with_summit=False):
    """The columns of a file of BED, perhaps compressed, by the rules of `fxbatch --regions`: a dict for intervals."""
    rows = []
    try:
        with open(path, 'rb') as file:
            is_gzip = file.read(2) == b'\x1f\x8b'
        with (gzip.open if is_gzip else open)(path, 'rb') as file:
            lines = os.fsdecode(file.read()).replace('\r\n', '\n').split('\n')
    except (OSError, EOFError) as error:
        raise BiostreamError('regions.intervals: %s' % error) from None
    for number, line in enumerate(lines, 1):
        fields = line.split('\t') if '\t' in line else re.split('[%s]+' % BLANKS, line.strip(BLANKS))
        is_header = re.match('(track|browser)([%s]|$)' % BLANKS, line) and not (
            len(fields) > 2 and all(re.fullmatch('-?[0-9]{1,18}', field) for field in fields[1:3]))
        if not line.strip(BLANKS) or line.startswith('#') or is_header:
            continue
        try:
            rows.append(place_of(fields, with_summit))
        except ValueError as error:
            raise BiostreamError('regions.intervals: %s: line %d: %s' % (os.fspath(path), number, error)) from None
    return dict(zip(['sequence', 'start', 'end', 'strand', 'summit'], zip(*rows)))
