"""Values of Python -> values of C for biostream_desc.py: each arrives as it is, or is refused by a sentence.

Integers come by operator.index and must fit their type; a float loses what a float of C cannot hold, and never all of
it; a text has no NUL. Lists and tables become arrays by single steps, without a loop over rows.
"""
import array
import collections.abc
import contextlib
import ctypes
import operator
from ctypes import c_double, c_int32, c_int64, c_uint32, c_uint64

from biostream_library import BiostreamError, encoded, integer, shown, structs, whole

U64, F32, CHARS, TEXT, TOKENS, F64, NUMBERS, WEIGHTS = 3, 4, 7, 8, 9, 12, 13, 15  # biost_field_kind; up to U64 they are integers
Interval = structs['biost_interval']  # NumPy takes it for a dtype
STRANDS = {'+': 0, '.': 0, '-': 1}
INSTEAD = {  # of functions that C has
    'labels.make': "a label in titles is labels={'kind': 'title', 'key': 'ch'}; for one of yours for each record keep an "
                   "array, and take labels[batch.ids['id'] & (1 << 40) - 1]",
    'filter.keep': "records that you choose are a list over a store: Loader(Store(path), regions={'kind': 'records', "
                   "'sequences': numbers})"}
CODES = {c_int32: 'i', c_uint32: 'I', c_int64: 'q', c_uint64: 'Q', c_double: 'd'}
LEAST = {'i': -2 ** 31, 'I': 0, 'q': -2 ** 63, 'Q': 0}
SWAPS_T_AND_U = bytes.maketrans(b'TtUu', b'UuTt')


def real(value, what):
    """A float of a number: its last bits may get lost, but not all of it."""
    number = None
    if hasattr(type(value), '__float__') or hasattr(type(value), '__index__'):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            number = float(value)
    if number is None or abs(number) >= 2 ** 53 and number != value and number == number:
        raise BiostreamError('%s is %s, not a number, or one that a float of C cannot hold' % (what, shown(value)))
    return number


def listed(values, what):
    """A list of values; what is a list of letters or keys by chance, as a str or a dict, is refused."""
    values = values.tolist() if hasattr(values, 'tolist') else values
    if isinstance(values, (str, bytes, bytearray, dict)) or not isinstance(values, collections.abc.Iterable):
        raise BiostreamError('%s is %s, not a list' % (what, shown(values)))
    return values if isinstance(values, list) else list(values)


def column(values, code, what):
    """array.array of numbers, in one step; if that refuses a number, one by one, for the sentence."""
    values = listed(values, what)
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        numbers = array.array(code, values)
        if code != 'd' or numbers.tolist() == values:
            return numbers
    if code == 'd':
        return array.array(code, [real(value, '%s[%d]' % (what, at)) for at, value in enumerate(values)])
    least, most = LEAST[code], LEAST[code] + 256 ** array.array(code).itemsize - 1
    return array.array(code, [integer(value, '%s[%d]' % (what, at), least, most) for at, value in enumerate(values)])


def numbers_of(values, find, what):
    """Numbers of sequences; those of names are looked up by `find`. An array of NumPy's is taken whole."""
    kind = getattr(getattr(values, 'dtype', None), 'kind', '')
    if isinstance(values, (set, frozenset)) or hasattr(values, 'mask'):
        raise BiostreamError('%s are a %s, not a list of numbers in an order' % (what, type(values).__name__))
    if kind in ('u', 'i') and values.ndim == 1 and (kind == 'u' or not (values < 0).any()):
        return array.array('Q', values.astype('u8').tobytes())
    values = listed(values, what)
    kinds = set(map(type, values))
    names = {issubclass(kind, str) for kind in kinds}
    if len(values) > 1 and all(kind.__name__ in ('bool', 'bool_') for kind in kinds):
        raise BiostreamError('%s are a mask of True and False: numpy.flatnonzero(mask) has the numbers' % what)
    if names == {True}:
        known = {name: find(name) for name in dict.fromkeys(values)}
        values = [*map(known.get, values)]
    elif True in names:
        values = [find(value) if isinstance(value, str) else value for value in values]
    return column(values, 'Q', what)


def strands_of(values, what):
    values = listed(values, what)
    with contextlib.suppress(KeyError, TypeError):
        return array.array('I', map(STRANDS.__getitem__, values))
    at = next(at for at, value in enumerate(values) if not isinstance(value, str) or value not in STRANDS)
    raise BiostreamError("%s[%d] is %s, which is none of '+', '-' and '.': 1 is plus to Ensembl and minus to C" %
                         (what, at, shown(values[at])))


def columns_of(given):
    """Columns of intervals by C's names: from a table with names, an array of three numbers a row, or rows."""
    dtype, what = getattr(given, 'dtype', None), '(sequence, start, end, strand, label)'
    if getattr(dtype, 'names', None) or hasattr(given, 'keys'):
        return {name: given[name] for name in getattr(dtype, 'names', None) or given.keys()}
    order = what.strip('()').split(', ')
    if getattr(dtype, 'kind', '') in tuple('biuf'):
        if given.ndim != 2 or given.shape[1] != 3:
            raise BiostreamError('regions.intervals has the shape %s: numbers are [n][3], sequence, start, end; with '
                                 'strands they are in numpy.zeros(n, biostream.Interval)' % (given.shape,))
        return dict(zip(order, given.T))
    rows = given if isinstance(given, list) else listed(given, 'regions.intervals')
    for kind in set(map(type, rows)):
        if not issubclass(kind, (list, tuple)) and kind.__name__ not in ('ndarray', 'void', 'record'):
            raise BiostreamError('one of regions.intervals is of the type %s, not %s' % (kind.__name__, what))
    lengths = set(map(len, rows))
    if not lengths <= {3, 4, 5}:
        at = next(at for at, row in enumerate(rows) if not 3 <= len(row) <= 5)
        raise BiostreamError('regions.intervals[%d] is %s, not %s' % (at, shown(rows[at]), what))
    if len(lengths) > 1:
        rows = [(*row, *('+', 0)[len(row) - 3:]) for row in rows]
    return {order[at]: [*map(operator.itemgetter(at), rows)] for at in range(max(map(len, rows), default=0))}


def intervals_of(given, find):
    """(array of C's struct, its address, its length); it is one of NumPy's if that is there."""
    try:
        import numpy
    except ImportError:
        numpy = None
    if numpy and getattr(given, 'dtype', None) == numpy.dtype(Interval) and given.ndim == 1:
        table = given.copy()  # C judges it, and it must not change any more
        return table, table.ctypes.data, len(table)
    columns, kinds, of = columns_of(given), dict(Interval._fields_), {}
    for name, values in columns.items():
        what = 'regions.intervals.%s' % name
        if name not in kinds:
            raise BiostreamError('regions.intervals has a column %s: there are %s' % (shown(name), ', '.join(kinds)))
        of[name] = (numbers_of(values, find, what) if name == 'sequence' else strands_of(values, what)
                    if name == 'strand' else column(values, CODES[kinds[name]], what))
    lengths = {name: len(values) for name, values in of.items()}
    if of and not {'sequence', 'start', 'end'} <= set(of) or len(set(lengths.values())) > 1:
        raise BiostreamError('regions.intervals has columns of the lengths %s: sequence, start and end are needed, all '
                             'of one length' % lengths)
    count = max(lengths.values(), default=0)
    if not numpy:
        table = (Interval * count)(*zip(*(of.get(name, (0,) * count) for name in kinds)))
        return table, ctypes.addressof(table), count
    table = numpy.zeros(count, numpy.dtype(Interval))
    for name, values in of.items():
        table[name] = values
    return table, table.ctypes.data, count


def tokens_of(given):
    """[256] by byte, of as many numbers, or of a dict, by the rules of biost_loader_desc_read's lists."""
    if not isinstance(given, dict):
        numbers = listed(given, 'encoding.tokens')
        if len(numbers) != 256:
            raise BiostreamError('encoding.tokens has %d numbers: give 256, by byte, or a dict, as {"all": 5, "A": 1}' %
                                 len(numbers))
        given = {bytes([byte]): number for byte, number in enumerate(numbers)}
    named, limits = {}, (LEAST['i'], -1 - LEAST['i'])
    for key, number in given.items():
        byte = key.encode('utf-8', 'replace') if isinstance(key, str) else key
        if key != 'all' and (not isinstance(byte, bytes) or len(byte) != 1 or byte in named):
            raise BiostreamError('encoding.tokens has the key %s, which is neither "all" nor one byte, or there twice' %
                                 shown(key))
        named[byte] = integer(number, 'encoding.tokens[%s]' % shown(key), *limits)
    rest = named.pop(b'all', 0)
    of_proteins = any(byte.upper() in b'EFIJLOPQZ' for byte in named)  # U is selenocysteine, no uracil

    def number_of(byte):
        names = [byte, byte.swapcase()]
        if byte in b'TtUu' and not of_proteins:
            names += [name.translate(SWAPS_T_AND_U) for name in names]
        return next((named[name] for name in names if name in named), rest)
    return array.array('i', [number_of(bytes([byte])) for byte in range(256)])


def weights_of(given):
    """[256] by byte, of as many numbers, or of a dict of letters, each of which stands for itself alone."""
    if isinstance(given, dict):
        letters = [*map(chr, range(256))]
        if not given or not set(given) <= {'all', *letters}:
            raise BiostreamError('weights have %s' % ('a key that is neither "all" nor one letter of a byte' if given else 'no key'))
        given = [given.get(letter, given.get('all', 0)) for letter in letters]
    numbers = listed(given, 'weights')
    if len(numbers) != 256:
        raise BiostreamError('weights are %d numbers: give 256, by byte, or a dict, as {"all": 1, "a": 0.25}' % len(numbers))
    return array.array('f', [real(number, 'weights[%d]' % at) for at, number in enumerate(numbers)])


def said(kind, value, name):
    """A value as C's text has it. What cannot be one becomes words with a blank, and C says what the field takes."""
    with contextlib.suppress(TypeError, ValueError):
        if isinstance(value, str) and kind > F32:
            return encoded(value, name)
        if kind <= U64:
            return str(whole(value)).encode()
    if kind in (CHARS, TEXT):
        raise BiostreamError('%s is %s, not a text' % (name, shown(value)))
    return ('%s %s' % (type(value).__name__, shown(value))).encode()
