"""From the arguments of a Loader of biostream.py to its desc, and to the loader that is opened by it.

Which fields there are, and of which kinds, biost_desc_fields says.
"""
import contextlib
import ctypes
import itertools
import os
import re
import zlib
from ctypes import byref, c_char_p, c_double, c_float, c_size_t, c_uint32, c_uint64, c_void_p

from biostream_bed import read_bed
from biostream_library import BiostreamError, ask, encoded, fields_of, integer, library, shown, structs
from biostream_store import Store
from biostream_values import (F32, F64, INSTEAD, NUMBERS, TOKENS, WEIGHTS, column, intervals_of, listed, numbers_of,
                              real, said, tokens_of, weights_of)

DATA = 2  # biost_field_mark
INTERVALS, SEQUENCES, WIDTHS = LISTS = 'regions.intervals', 'regions.sequences', 'shape.widths'

fields, rows = fields_of(b'biost_loader_desc')
group_fields = fields_of(b'biost_group')[0]


def flat(given, prefix=''):
    """(name, value) of each field; a struct is a dict of fields, whose names have its name before them."""
    for name, value in given.items():
        name = prefix + str(name)
        is_struct = isinstance(value, dict) and name not in ('encoding.tokens', 'weights', INTERVALS) and (
            value or any(field.startswith(name + '.') for field in fields))
        yield from flat(value, name + '.') if is_struct else [(name, value)]


def collect(*given):
    values = {}
    for name, value in itertools.chain(*map(flat, given)):
        if values.setdefault(name, value) is not value:
            raise BiostreamError('%s is given twice' % shown(name)[1:-1])
    return values


class Desc(structs['biost_loader_desc']):
    """Words and integers by a text, NAME "VALUE" ..., the rest by its bytes. It keeps what it lends."""
    stores, told = (), {}

    def __init__(self, values, store=None, mates=None):
        self.pairs = (mates or values.get('mates')) == 2  # lists are of pairs
        self.kept, self.notes, texts, parts = {'': (structs['biost_desc_memory'](), store)}, {}, [], []
        self.has_summits = values.get('regions.fit') == 'summit'
        for name, value in values.items():
            group, key = re.fullmatch(r'(?:group\.([0-9]{1,2})\.)?(.*)', name, re.S).groups()
            row = (group_fields if group else fields).get(key, (0, None))[1]
            if key in INSTEAD:
                raise BiostreamError('%s is a function of C: %s' % (name, INSTEAD[key]))
            if row is None:  # C says which name is near
                ask(library.biost_loader_desc_set, self, encoded(name, 'the name of a field'), b'')
            is_list = row.kind in (TOKENS, NUMBERS, WEIGHTS) and not isinstance(value, str)
            by_bytes = is_list or row.kind in (F32, F64) or name in LISTS
            if by_bytes:
                parts.append((name, group, row, value))
            if row.kind == F64:  # its group has to be there
                texts.append(b'%s 0' % name.encode())
            elif not by_bytes:
                words = b''.join(b'\\x%02x' % byte for byte in said(row.kind, value, name))
                texts.append(b'%s "%s"' % (name.encode(), words))
        ask(library.biost_loader_desc_read, self, b' '.join(texts), self.kept[''][0])
        for name, group, row, value in parts:
            self.set(name, group, row, value, store)

    def set(self, name, group, row, value, store):
        if row.kind == F64:
            groups = c_void_p.from_buffer(self, fields['groups'][1].offset).value
            at = groups + int(group) * ctypes.sizeof(structs['biost_group']) + row.offset
            ctypes.memmove(at, bytes(c_double(real(value, name))), row.bytes)
        elif row.kind == F32:
            number = real(value, name)
            if number and not c_float(number).value:
                raise BiostreamError('%s is %s, which a float of C has as 0' % (name, shown(value)))
            self.put(name, c_float(number))
        elif row.kind in (TOKENS, WEIGHTS):
            table = {TOKENS: tokens_of, WEIGHTS: weights_of}[row.kind](value)
            self.put(name, c_void_p(table.buffer_info()[0]), keep=table)
        elif name in LISTS and not store:
            raise BiostreamError('%s are of a store: Loader(Store(path), ...), or of Store.build(paths)' % name)
        else:
            if name == INTERVALS and isinstance(value, (str, os.PathLike)):
                value = read_bed(value, self.has_summits)
            table, at, count = intervals_of(value, store.find) if name == INTERVALS else list_of(
                numbers_of(value, lambda one: store.find(one, 1 + self.pairs), name) if name == SEQUENCES else
                column(value, 'I' if name == WIDTHS else 'd', name))
            if count == 0:
                raise BiostreamError('%s is empty' % name)
            if name in LISTS:
                self.notes[name] = '%d, CRC-32 %08x' % (count, zlib.crc32(table))
            self.put(name, c_void_p(at), (c_uint64 if name in (INTERVALS, SEQUENCES) else c_uint32)(count), keep=table)

    def put(self, name, *parts, keep=None):
        """Set a field, and those after it."""
        self.kept[name] = parts, keep
        for row, part in zip(rows[fields[name][0]:], parts):
            self[row.offset:row.offset + row.bytes] = bytes(part)

    def open(self, point):
        """A loader that goes on from what state_dict() gave. The error about another desc says what differs."""
        if not isinstance(point, dict) or not {'epoch', 'state'} <= set(point) or not isinstance(
                point.get('fields', {}), dict):
            raise BiostreamError('%s is not what state_dict() gives, with "epoch" and "state"' % shown(point))
        epoch, state, loader = integer(point['epoch'], 'the epoch of a state'), point['state'], c_void_p()
        try:
            state = bytes.fromhex(state)
        except (TypeError, ValueError):
            raise BiostreamError('the state %s is not two hexadecimal digits a byte' % shown(state)) from None
        self.put('state', ctypes.cast(c_char_p(state or None), c_void_p), c_size_t(len(state)), keep=state)
        with contextlib.ExitStack() as stack:
            for store in self.stores:
                stack.enter_context(store._lock)
                if not store._store:
                    raise BiostreamError('the store is closed')
            try:
                ask(library.biost_loader_open, self, byref(loader))
            except BiostreamError as error:
                was, now = point.get('fields') or self.told, self.told
                differ = ['%s was %s and is %s' % (name, was.get(name, 0), now.get(name, 0))
                          for name in sorted({*was, *now}) if was.get(name) != now.get(name)]
                raise BiostreamError(': '.join([str(error), ', '.join(differ)][:1 + bool(state and differ)])) from None
        if state and library.biost_loader_first_epoch(loader) != epoch:
            library.biost_loader_close(loader)
            raise BiostreamError('the epoch beside the state is %d, and the state is of another one' % epoch)
        if not self.told:
            library.biost_loader_get_desc(loader, byref(whole := structs['biost_loader_desc']()))
            self.told = {**told(whole), **self.notes}
        return loader


def list_of(numbers):
    return numbers, numbers.buffer_info()[0], len(numbers)


def gather(paths, groups, given):
    """The desc of a Loader's arguments."""
    inputs, sources, values = [], [], []  # sources: the store, or None, and own regions, of the desc and of each group

    def add(of, regions):
        mine = [] if isinstance(of, Store) else paths_of(of)
        sources.append((of if isinstance(of, Store) else None, collect({'regions': regions})))
        inputs.extend(mine)
        return {'first_input': len(inputs) - len(mine), 'input_count': len(mine)} if mine else {}
    add(paths, {})
    groups = {} if groups is None else groups
    if not isinstance(groups, dict):
        raise BiostreamError('groups are %s, not a dict: {"human": (weight, label, paths), ...}' % shown(groups))
    for number, (name, group) in enumerate(groups.items()):
        if not isinstance(group, (list, tuple)) or len(group) not in (3, 4) or not isinstance((*group, {})[3], dict):
            raise BiostreamError('the group %s is %s, not (weight, label, paths or a Store), with regions for a Store' %
                                 (shown(name), shown(group)))
        weight, label, of, regions, *_ = (*group, {})
        name = name if isinstance(name, bytes) else str(name)
        values.append({'group.%d' % number: {'name': name, 'weight': weight, 'label': label, **add(of, regions)}})
    values = {**({'labels.kind': 'group'} if groups else {}), **collect(given, *values)}
    if not sources[0][0] and any(name.startswith('shape.') for name in values):
        build = '%r, duplicate_names=1%s' % ([*map(os.fsdecode, inputs)], ', qualities=1' * ('qual' in str([*values])))
        raise BiostreamError('a shape needs the lengths of all records, which a store knows: Loader(store, ...) after  '
                             'from biostream import Store; store = Store.build(%s)' % build)
    has_stores = any(store for store, _ in sources[1:])  # then groups have what is said of all regions
    common = {name: value for name, value in values.items() if has_stores and name.startswith('regions.')}
    desc = Desc({name: value for name, value in values.items() if name not in common}, sources[0][0])
    first = c_void_p.from_buffer(desc, fields['groups'][1].offset).value or 0
    for number, (store, own) in enumerate(sources[1:]):
        if store or own:
            regions = Desc({**common, **own}, store, values.get('mates'))
            group = structs['biost_group'].from_address(first + number * ctypes.sizeof(structs['biost_group']))
            group.store = store and store._store
            group.regions = ctypes.addressof(regions) + fields['regions.kind'][1].offset
            desc.kept[number] = regions
            own_told = {**told(regions), **regions.notes}
            desc.notes.update(('group.%d.%s' % (number, name), value) for name, value in own_told.items())
    desc.put('store', sources[0][0]._store if sources[0][0] else c_void_p())
    desc.put('paths', ctypes.pointer((c_char_p * len(inputs))(*inputs)), c_uint32(len(inputs)))
    desc.stores = sorted({store for store, _ in sources if store}, key=id)
    return desc


def told(desc):
    """The fields of a desc that decide what is in batches, as texts."""
    text = ctypes.create_string_buffer(library.biost_loader_desc_text(desc, None, c_size_t(0)) + 1)
    library.biost_loader_desc_text(desc, text, c_size_t(len(text)))
    lines = (line.split(' ', 1) for line in text.value.decode('latin-1').splitlines() if not line.startswith('#'))
    return {name: value for name, value in lines if name not in fields or fields[name][1].mark == DATA}


def paths_of(of):
    """The bytes of paths. For what is iterable but no list of paths, such as an open file, the error names the way."""
    if hasattr(of, 'read'):
        raise BiostreamError('%s is open already: give its path, or Loader(has_fd=True, fd=file.fileno())' % shown(of))
    if isinstance(of, (dict, set, frozenset)):
        raise BiostreamError('paths are a %s, whose order means nothing: give a list, or groups=' % type(of).__name__)
    paths = [of] if isinstance(of, (str, bytes, os.PathLike)) else listed(of, 'what to read')
    if any(isinstance(path, Store) for path in paths):
        raise BiostreamError('a Store stands alone, as Loader(store), or one in each of groups')
    paths = [encoded(path, 'a path') for path in paths]
    for path in paths:
        if path.endswith(b'.bst') and os.path.isfile(path):
            raise BiostreamError('%s is a store: Loader(Store(path))' % shown(os.fsdecode(path)))
    return paths
