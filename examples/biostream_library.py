"""The library of `make lib` for biostream.py: its structs, descs, errors, stores, and page-locked memory for its slots.

No struct is written here by hand: biost_layout tells where fields of structs lie, biost_desc_fields those of a desc.
"""
import collections
import contextlib
import ctypes.util
import functools
import os
import struct
import sys
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p, cast, pointer

name = {'win32': 'biostream.dll', 'darwin': 'libbiostream.dylib'}.get(sys.platform, 'libbiostream.so')
places = [os.path.join(os.path.dirname(os.path.abspath(__file__)), folder, name) for folder in ('', '../build/lib')]
path = os.environ.get('BIOSTREAM_LIB') or next(filter(os.path.exists, places), ctypes.util.find_library('biostream'))
library = ctypes.CDLL(path or name + ' (by `make lib`; copy it beside biostream.py, or name it in BIOSTREAM_LIB)')
VERSION, found = 200, library.biost_version() if hasattr(library, 'biost_version') else 100  # BIOST_VERSION of both
if found // 100 != VERSION // 100:
    versions = ['%d.%d.%d' % (v // 10000, v // 100 % 100, v % 100) for v in (found, VERSION)]
    raise ImportError('%s is biostream %s, and biostream_library.py is of %s' % (library._name, *versions))
layout = ctypes.create_string_buffer(library.biost_layout(None, c_size_t(0)) + 1)
library.biost_layout(layout, c_size_t(len(layout)))
words = 'u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 char int size pointer'
kinds = 'uint8 uint16 uint32 uint64 int8 int16 int32 int64 float double char int size_t void_p'
structs = {word: getattr(ctypes, 'c_' + kind) for word, kind in zip(words.split(), kinds.split())}
for part in layout.value.decode().split('\nstruct ')[1:]:
    (name, size, _), *lines = (line.split() for line in part.splitlines())
    kinds = (line[3].rstrip(']').partition('[') for line in lines)
    types = [structs[word] * int(count) if count else structs[word] for word, _, count in kinds]
    members = {'_fields_': list(zip((line[0] for line in lines), types))}
    structs[name] = type(name, (ctypes.Structure,), members) if lines else c_uint8 * int(size)
    assert [getattr(structs[name], at[0]).offset for at in lines] == [int(at[1]) for at in lines], name
library.biost_loader_error.restype = POINTER(structs['biost_error'])
library.biost_desc_fields.restype = POINTER(structs['biost_field'])
rows = library.biost_desc_fields(b'biost_loader_desc', byref(count := c_uint32()))[:count.value]
names = [ctypes.string_at(row.name).decode() for row in rows]
process = [os.getpid()]  # asked once: it takes as long as making an array
if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=lambda: process.__setitem__(0, os.getpid()))


class BiostreamError(RuntimeError):
    """What is wrong, in the library's sentence."""


def ask(function, *arguments):
    if function(*arguments, byref(error := structs['biost_error']())):
        raise BiostreamError(error.text.decode().removeprefix('line 1: '))


class Store:
    """A file that `fxstore` wrote. It is mapped: any number of loaders and processes share its memory."""

    def __init__(self, path):
        self._store = c_void_p()
        ask(library.biost_store_load, os.fsencode(path), None, byref(self._store))

    def find(self, name):
        """The number of a sequence; a number is one. A name of two sequences is refused."""
        if not isinstance(name, str):
            return int(name)
        number, again, key = c_uint64(), c_uint64(), os.fsencode(name)
        if library.biost_store_find(self._store, key, c_size_t(len(key)), byref(number)):
            raise BiostreamError('the store has no sequence %s, or is closed' % name)
        if not library.biost_store_find_again(self._store, number, byref(again)):
            raise BiostreamError('two sequences are named %s: numbers %d and %d' % (name, number.value, again.value))
        return number.value

    def fetch(self, name, start, end):
        """Bases [start, end) of a sequence, by its name or number, in the very letters of its file."""
        of, letters = c_uint64(self.find(name)), ctypes.create_string_buffer(max(end - start, 0) + 1)
        if library.biost_store_fetch(self._store, of, c_uint64(start), c_uint64(end), letters, None):
            raise BiostreamError('%s has no bases %d to %d, or the store is closed' % (name, start, end))
        return letters.raw[:-1].decode('latin-1')

    def close(self):
        ask(library.biost_store_close, self._store)  # refused as long as a loader has it
        self._store = c_void_p()

    def __del__(self):
        library.biost_store_close(self._store, None)

    __enter__, __exit__ = lambda self: self, lambda self, *_: self.close()


def flat(fields, prefix=''):
    for name, value in fields.items():
        is_struct = isinstance(value, dict) and prefix + name != 'encoding.tokens'
        yield from flat(value, prefix + name + '.') if is_struct else [(prefix + name, value)]


def quoted(value):
    if isinstance(value, (dict, list, tuple)):
        value = ','.join('%s=%s' % (key, value[key]) if isinstance(value, dict) else str(key) for key in value)
    value = '%.15f' % value if isinstance(value, float) and 'e' in str(value) else value
    return ''.join('\\x%02x' % byte for byte in os.fsencode(str(+value if isinstance(value, bool) else value)))


def interval(find, name, start, end, strand='+', label=0):
    return structs['biost_interval'](find(name), int(start), int(end), label, strand in ('-', 1))


class Desc(structs['biost_loader_desc']):
    """What a text can say of it by a text: NAME "VALUE" ...; the rest by the bytes of its fields."""

    def __init__(self, values, store=None):
        find, lists = store.find if store else int, ('regions.sequences', 'regions.intervals')
        self.kept = [structs['biost_desc_memory'](), store]
        text = ' '.join('%s "%s"' % (name, quoted(value)) for name, value in values.items() if name not in lists)
        ask(library.biost_loader_desc_read, self, text.encode(), self.kept[0])
        for name in [name for name in lists if name in values]:
            of = [interval(find, *one) if name == lists[1] else c_uint64(find(one)) for one in values[name]]
            self.put(name, pointer((type(of[0]) * len(of))(*of)) if of else c_void_p(), c_uint64(len(of)))

    def put(self, name, *parts):
        """Set a field, and those after it."""
        self.kept.append(parts)
        for row, part in zip(rows[names.index(name):], parts):
            self[row.offset:row.offset + row.bytes] = bytes(part)


def make_desc(values, paths, sources, memory):
    """A loader's desc; `sources` are the store, or None, and the own regions of the desc and then of each group."""
    if any(store and not store._store for store, _ in sources):
        raise BiostreamError('the store is closed')
    has_stores = any(store for store, _ in sources[1:])  # then groups have what is said of all regions
    common = {name: value for name, value in values.items() if has_stores and name.startswith('regions.')}
    desc = Desc({name: value for name, value in values.items() if name not in common}, sources[0][0])
    groups = c_void_p.from_buffer(desc, rows[names.index('groups')].offset).value or 0
    for number, (store, own) in enumerate(sources[1:]):
        if store or own:
            regions = Desc({**common, **own}, store)
            group = structs['biost_group'].from_address(groups + number * ctypes.sizeof(structs['biost_group']))
            group.store = store and store._store
            group.regions = ctypes.addressof(regions) + rows[names.index('regions.kind')].offset
            desc.kept.append(regions)
    desc.put('store', sources[0][0]._store if sources[0][0] else c_void_p())
    desc.put('paths', pointer((c_char_p * len(paths))(*paths)), c_uint32(len(paths)))
    if memory:
        desc.put('slot_allocator', memory.allocator)
    return desc


end_at, get_end = struct.calcsize('PiiiIPPQP'), CFUNCTYPE(None, c_void_p).from_address


def end_export(managed):  # by the deleter of a DLManagedTensor of DLPack
    get_end(managed + end_at)(managed)


@functools.lru_cache(256)
def lent(count):
    """Bytes of a batch. They go back when no array is over them any more."""
    return type('Lent', (c_uint8 * count,), dict(end=staticmethod(end_export), __del__=lambda it: it.end(it.managed)))


@functools.lru_cache(None)
def make_allocator(torch):
    tensors = {}

    def take(count, align, _):
        tensor = torch.empty(count + align, dtype=torch.uint8, pin_memory=True)
        tensors[at := -(-tensor.data_ptr() // align) * align] = tensor
        return at
    functions = (CFUNCTYPE(c_void_p, c_size_t, c_size_t, c_void_p)(take),
                 CFUNCTYPE(None, c_void_p, c_size_t, c_void_p)(lambda at, *_: tensors.pop(at)))
    allocator = structs['biost_allocator'](*(cast(function, c_void_p) for function in functions))
    allocator.functions = functions  # as long as the process: arrays outlive their loader
    return allocator


class Pinned:
    """Slots in page-locked memory of PyTorch's allocator: copies to a GPU may be under way when an array is dropped."""

    def __init__(self, torch):
        self.torch, self.allocator, self.process = torch, make_allocator(torch), process[0]
        self.dropped, self.is_closed = collections.deque(), False

    def note(self, slab):  # an array over it is asked for, perhaps to be copied in the stream of now
        if not hasattr(slab, 'streams'):
            slab.streams = set()
            slab.end = functools.partial(self.drop, slab.streams)
        slab.streams.add(self.torch.cuda.current_stream())

    def drop(self, streams, managed):
        if self.process == process[0] and not sys.is_finalizing():
            streams.add(self.torch.cuda.current_stream())
            self.dropped.append((managed, [stream.record_event() for stream in streams]))
            if self.is_closed:
                self.settle()

    def settle(self):
        """Give back what was dropped, when the streams have come past that."""
        with contextlib.suppress(IndexError):
            while True:
                managed, events = self.dropped.popleft()
                for event in events:
                    event.synchronize()
                end_export(managed)

    def close(self):
        self.is_closed = True
        self.settle()
