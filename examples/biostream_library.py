"""The library of `make lib` for biostream.py: its structs, errors, and page-locked memory for its slots.

No struct is written here by hand: biost_layout tells where fields of structs lie, biost_desc_fields those of a desc.
"""
import collections
import contextlib
import ctypes.util
import functools
import operator
import os
import reprlib
import struct
import sys
import threading
import weakref
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p, cast

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
library.biost_loader_first_epoch.restype = c_uint64
library.biost_loader_desc_text.restype = c_size_t
WORD, TEXT, HOOK = 5, 8, 11  # biost_field_kind
process, stores = [os.getpid()], weakref.WeakSet()  # asked once: it takes as long as making an array


def begin_child():  # a thread of the parent may have been in a store
    process[0] = os.getpid()
    for store in stores:
        store._lock = threading.RLock()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=begin_child)


class BiostreamError(RuntimeError):
    """What is wrong, in the library's sentence."""


def fields_of(desc):
    rows = library.biost_desc_fields(desc, byref(count := c_uint32()))[:count.value]
    return {ctypes.string_at(row.name).decode(): (number, row) for number, row in enumerate(rows)}, rows


def ask(function, *arguments):
    if function(*arguments, byref(error := structs['biost_error']())):
        raise BiostreamError(error.text.decode().removeprefix('line 1: '))


def build_desc(paths, given):
    """A biost_store_desc of bytes, which keeps what it points to."""
    desc, rows = type('BuildDesc', (structs['biost_store_desc'],), {})(), fields_of(b'biost_store_desc')[0]
    is_list = hasattr(paths, '__iter__') and not isinstance(paths, (dict, set, frozenset))
    if hasattr(paths, 'read') or not is_list and not isinstance(paths, os.PathLike):
        raise BiostreamError('%s is no path and no list of paths' % shown(paths))
    paths = [paths] if isinstance(paths, (str, bytes, os.PathLike)) else list(paths)
    paths = (c_char_p * len(paths))(*[encoded(path, 'a path') for path in paths])
    desc.kept = [paths, *given.values()]
    known = [name for name, (_, row) in rows.items() if row.kind not in (HOOK, TEXT) and 'test.' not in name]
    numbers = {'paths': ctypes.addressof(paths), 'path_count': len(paths)}
    for name, value in given.items():
        row = rows.get(name, (0, None))[1]
        if name in ('progress', 'save_path'):
            numbers[name] = cast(value, c_void_p).value
        elif name not in known:
            raise BiostreamError('%s is no field of a store: there are %s' % (shown(name)[1:-1], ', '.join(known)))
        elif row.kind == WORD:
            words = ctypes.string_at(row.words).decode().split('|')
            if value not in words:
                raise BiostreamError('%s is %s, which is none of %s' % (name, shown(value), ', '.join(words)))
            numbers[name] = words.index(value)
        else:
            numbers[name] = integer(value, name, 0, 256 ** row.bytes - 1)
    for name, number in numbers.items():
        row = rows[name][1]
        desc[row.offset:row.offset + row.bytes] = number.to_bytes(row.bytes, sys.byteorder)
    return desc


def shown(value):
    """A value as it stands in a sentence: at most 60 characters, in ASCII."""
    try:
        text = reprlib.repr(value)
    except Exception:  # whatever it is, it has a type; an int of 5,000 digits is one that cannot be written
        text = 'a value of the type %s' % type(value).__name__
    return (text if len(text) <= 60 else text[:57] + '...').encode('ascii', 'backslashreplace').decode()


def whole(value):
    """An int of what is one, also in NumPy; no float, text or bytes. Everything else raises TypeError."""
    return int(value) if type(value).__name__ in ('bool', 'bool_') else operator.index(value)


def integer(value, what, least=0, most=2 ** 64 - 1):
    with contextlib.suppress(TypeError):
        if least <= whole(value) <= most:
            return whole(value)
    raise BiostreamError('%s is %s, not a whole number of %d..%d' % (what, shown(value), least, most))


def encoded(value, what):
    """The bytes of a text or path that C reads up to a NUL."""
    try:
        text = os.fsencode(value)
    except (TypeError, UnicodeEncodeError):
        raise BiostreamError('%s is %s, which is no text that can be encoded' % (what, shown(value))) from None
    if b'\0' in text:
        raise BiostreamError('%s is %s, which has a NUL inside' % (what, shown(value)))
    return text


def keep_here(self, _):
    raise TypeError('a %s has memory and threads of C: it cannot be copied or pickled; open another one, from the '
                    'same files' % type(self).__name__)


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
        try:
            tensor = torch.empty(count + align, dtype=torch.uint8, pin_memory=True)
        except Exception:  # what C gets from a function that raises is left open, so it gets no memory
            sys.excepthook(*sys.exc_info())
            return 0
        at = -(-tensor.data_ptr() // align) * align
        tensors[at] = tensor
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

    def note(self, slab):  # an array over it is asked for, perhaps to be copied in the current stream
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
        """Wait until the streams are past what was dropped, and give it back."""
        with contextlib.suppress(IndexError):
            while True:
                managed, events = self.dropped.popleft()
                for event in events:
                    event.synchronize()
                end_export(managed)

    def close(self):
        self.is_closed = True
        self.settle()
