#!/usr/bin/env python3
"""Batches on a device in Python: tensors with the two methods that the array API standard names, __dlpack__ and
__dlpack_device__, as PyTorch, CuPy, JAX and NumPy take them; compared bit by bit with those of a plain loader.

    cc -O2 -shared -fPIC tests/gpu_door.c -o gpu_door.so -ldl -lm -pthread
    python3 tests/gpu_dlpack.py ./gpu_door.so READS.fastq.gz [--provider driver|runtime|dummy|fake]

READS holds reads of at most 150 bases, a thousand of them or more. The provider `dummy` needs no GPU: its tensors
are NumPy's. `fake` is CUDA's driver over tests/fake_libcuda.c. For what is missing there is a line 'skipped: NAME';
the last line is 'N passed, N failed[, N skipped]'. With GPU_REQUIRED=1 a missing GPU is a failure.
"""
import argparse
import ctypes
import gc
import os
import sys
import threading
import traceback
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_long, c_size_t, c_uint32, c_uint64, c_void_p

CPU, CUDA = 1, 2  # DLPack's numbers of devices
ONEHOT, TOKENS = 0, 1
NLC, NCL = 0, 1
F32, BF16, I32 = 2, 3, 4
DTYPES = {0: 'uint8', 1: 'float16', 2: 'float32', 3: 'bfloat16', 4: 'int32', 5: 'int64'}
ROLES = {0: 'x', 2: 'quality', 3: 'mask', 4: 'label'}

# ---- the door: what a binding of biostream_cuda.h to Python would be ------------------------------------------------


class Library:
    """The functions of tests/gpu_door.c."""

    def __init__(self, path):
        self.calls = calls = ctypes.CDLL(path)
        for name, result, arguments in (
                ('open', c_void_p, (c_char_p, c_char_p, c_int, c_int, c_int, c_uint32, c_char_p, c_size_t)),
                ('close', None, (c_void_p,)), ('device_type', c_int, (c_void_p,)), ('device', c_int, (c_void_p,)),
                ('next', c_void_p, (c_void_p, c_size_t)), ('end', c_char_p, (c_void_p,)),
                ('release', c_int, (c_void_p, c_size_t)), ('tensor', c_int, (c_void_p, c_uint32, c_void_p)),
                ('address', c_size_t, (c_void_p, c_uint32)),
                ('read', c_int, (c_void_p, c_uint32, c_size_t, c_void_p)),
                ('export', c_int, (c_void_p, c_uint32, c_int, c_size_t, POINTER(c_void_p))),
                ('want_next', c_int, (c_void_p,)), ('want', c_void_p, (c_void_p, c_uint32, POINTER(c_uint64))),
                ('stream_open', c_size_t, (c_void_p,)), ('stream_close', c_int, (c_void_p, c_size_t)),
                ('capture', c_int, (c_void_p, c_size_t, c_int)),
                ('fake_live', c_long, ()), ('fake_misuse', c_long, ())):
            function = getattr(calls, 'door_' + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        calls.biost_result_name.restype = c_char_p
        # Makes an object of Python's, so it is called with Python's lock held; the others let go of it.
        self.capsule = ctypes.PyDLL(path).door_capsule
        self.capsule.restype, self.capsule.argtypes = ctypes.py_object, (c_void_p, c_int)


class Door:
    """One epoch of shuffled batches. Owned by one thread, as a biost_cuda is; tensors may die on any."""

    def __init__(self, library, provider, reads, kind, dtype, layout, slots):
        text = ctypes.create_string_buffer(400)
        self.library, self.reads = library, reads.encode()
        self.handle = library.open(provider.encode(), self.reads, kind, dtype, layout, slots, text, len(text))
        if not self.handle:
            raise RuntimeError(text.value.decode())
        self.place = library.device_type(self.handle), library.device(self.handle)

    def next(self, stream=0):
        """The next batch, for work on the stream of this address (0: CUDA's legacy default stream); None at the end."""
        held = self.library.next(self.handle, stream)
        if held:
            return Batch(self, held, stream)
        text = self.library.end(self.handle).decode()
        if text:
            raise RuntimeError(text)
        return None

    def want(self):
        """Bytes of each tensor of the plain loader's next batch."""
        out, count = [], c_uint64()
        if self.library.want_next(self.handle):
            at = self.library.want(self.handle, 0, byref(count))
            while at:
                out.append(ctypes.string_at(at, count.value))
                at = self.library.want(self.handle, len(out), byref(count))
        return out

    def close(self):
        """Exports stay; batches still held do not."""
        handle, self.handle = self.handle, None
        if handle:
            self.library.close(handle)


class Batch:
    def __init__(self, door, held, stream):
        self.door, self.held, self.stream = door, held, stream
        self.tensors = []
        numbers = (c_int64 * 13)()
        while door.library.tensor(held, len(self.tensors), numbers):
            self.tensors.append(Tensor(self, len(self.tensors), list(numbers)))

    def release(self):
        """The slot is used again when what its stream was asked for is done, and all exports are gone."""
        held, self.held = self.held, None
        result = self.door.library.release(held, self.stream)
        if result != 0:
            raise RuntimeError('release: %d' % result)


class Tensor:
    """One tensor of a batch. Each __dlpack__ lends it once more, until the batch is released."""

    def __init__(self, batch, index, numbers):
        self.batch, self.index = batch, index
        self.role, self.dtype, self.bytes = ROLES[numbers[0]], DTYPES[numbers[1]], numbers[3]
        self.shape = tuple(numbers[5:5 + numbers[4]])
        self.strides = tuple(numbers[9:9 + numbers[4]])

    def __dlpack_device__(self):
        return self.batch.door.place

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """See the array API standard. `stream` will be made to wait for the tensor, and its slot is not used again before
        what was asked of it when the last taker let go."""
        if self.batch.held is None or self.batch.door.handle is None:
            raise BufferError('the batch was released: its memory is used again')
        if copy:
            raise BufferError('a batch is lent, not copied: copy must be False or None')
        if dl_device is not None and tuple(int(part) for part in dl_device) != self.__dlpack_device__():
            raise BufferError('the tensor is on device %s, and is not moved to %s'
                              % (self.__dlpack_device__(), tuple(dl_device)))
        versioned = int(max_version is not None and tuple(max_version) >= (1, 0))
        managed = c_void_p()
        library = self.batch.door.library
        result = library.export(self.batch.held, self.index, versioned, self.consumer(stream), byref(managed))
        if result != 0:
            raise BufferError('the tensor cannot be lent on stream %s: %s; a stream that captures a CUDA graph is refused'
                              % (stream, library.calls.biost_result_name(result).decode()))
        return library.capsule(managed, versioned)

    def consumer(self, stream):
        """The address of the stream to lend on, for what the standard lets `stream` be."""
        if stream is not None and (not isinstance(stream, int) or isinstance(stream, bool)):
            raise TypeError('stream must be an integer or None, not %s' % type(stream).__name__)
        if self.__dlpack_device__()[0] == CPU:
            if stream is not None:
                raise ValueError('a tensor in host memory has no stream: stream must be None, not %d' % stream)
            return self.batch.stream
        if stream is None or stream == 1:  # the legacy default stream
            return 0
        if stream == -1:
            # No synchronization wanted. The stream of Door.next waits for the batch already, so nothing is made to
            # wait; and the slot is used again after work on that stream, the one to which the taker can join its own.
            return self.batch.stream
        if stream == 2:
            raise BufferError("a batch cannot be lent on the per-thread default stream (2): each thread has its own, "
                              "and the tensor may die on another thread. Use a stream of yours, or 1")
        if stream <= 0:
            raise ValueError('stream %d is none: None and 1 are the legacy default stream, -1 is no synchronization, '
                             '0 is not allowed' % stream)
        return stream


# ---- checks ---------------------------------------------------------------------------------------------------------

passed = failed = skipped = 0


def check(condition, what):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print('FAILED', what)


def skip(what):
    global skipped
    skipped += 1
    print('skipped:', what)


def refuses(what, error, call, *arguments, **named):
    """The call raises `error`, with a sentence; another error is a failure, and so is none."""
    try:
        call(*arguments, **named)
    except error as raised:
        check(len(str(raised)) > 20, what + ': says why')
    except Exception as raised:
        check(False, '%s: %r' % (what, raised))
    else:
        check(False, what + ': is not refused')


def in_thread(call, *arguments):
    thread = threading.Thread(target=call, args=arguments)
    thread.start()
    thread.join()


class Setting:
    """What all parts of the test share. The streams are those of a door that stays open to the end, because a stream
    must exist until the last tensor lent on it is gone."""

    def __init__(self, library, provider, reads):
        self.library, self.provider, self.reads = library, provider, reads
        self.keeper = self.open(ONEHOT, F32, NLC, 2)
        self.is_host = self.keeper.place[0] == CPU
        self.own_streams = [] if self.is_host else [library.stream_open(self.keeper.handle) for _ in range(2)]
        self.capsule_is = ctypes.pythonapi.PyCapsule_IsValid
        self.capsule_is.argtypes = [ctypes.py_object, c_char_p]

    def open(self, kind, dtype, layout, slots):
        return Door(self.library, self.provider, self.reads, kind, dtype, layout, slots)

    def read(self, tensor):
        out = ctypes.create_string_buffer(tensor.bytes)
        error = self.library.read(tensor.batch.held, tensor.index, tensor.batch.stream, out)
        if error:
            raise RuntimeError('reading a tensor: CUDA error %d' % error)
        return out.raw

    def close(self):
        for stream in self.own_streams:
            check(self.library.stream_close(self.keeper.handle, stream) == 0, 'stream closed')
        self.keeper.close()


ENCODINGS = ((ONEHOT, F32, NLC), (ONEHOT, F32, NCL), (ONEHOT, BF16, NLC), (ONEHOT, BF16, NCL), (TOKENS, I32, NLC))


def name_of(kind, dtype, layout):
    return '%s %s' % (DTYPES[dtype], 'tokens' if kind == TOKENS else ('NLC', 'NCL')[layout])


def bytes_part(setting):
    """All tensors of all batches are those of the plain loader, read without a framework."""
    for encoding in ENCODINGS:
        for stream in [0] + setting.own_streams[:1]:
            note = '%s, %s stream' % (name_of(*encoding), 'own' if stream else 'default')
            door, count, wrong = setting.open(*encoding, 3), 0, []
            batch = door.next(stream)
            while batch:
                want = door.want()
                wrong += [(count, t.role) for t, w in zip(batch.tensors, want) if setting.read(t) != w]
                if count == 0:
                    check([t.role for t in batch.tensors] == ['x', 'quality', 'mask', 'label'], note + ': roles')
                    check(len(want) == 4, note + ': of the plain loader, too')
                    check(batch.tensors[0].shape == {(ONEHOT, NLC): (64, 150, 4), (ONEHOT, NCL): (64, 4, 150),
                                                     (TOKENS, NLC): (64, 150)}[encoding[0], encoding[2]],
                          note + ': shape')
                batch.release()
                count += 1
                batch = door.next(stream)
            check(count > 10 and not door.want(), note + ': as many batches')
            check(not wrong, '%s: batches and tensors that differ: %s' % (note, wrong[:4]))
            door.close()


def protocol_part(setting):
    """What __dlpack__ takes and refuses, without anybody who takes a tensor."""
    door = setting.open(ONEHOT, F32, NLC, 2)
    batch = door.next()
    x = batch.tensors[0]
    check(x.__dlpack_device__() == ((CPU, 0) if setting.is_host else (CUDA, door.place[1])), 'device')
    for version, name in ((None, b'dltensor'), ((0, 8), b'dltensor'), ((1, 0), b'dltensor_versioned'),
                          ((1, 1), b'dltensor_versioned'), ((2, 0), b'dltensor_versioned')):
        check(setting.capsule_is(x.__dlpack__(max_version=version), name), 'capsule for version %s' % (version,))
    check(setting.capsule_is(x.__dlpack__(dl_device=door.place, copy=False), b'dltensor'), 'its own device, no copy')
    refuses('a copy', BufferError, x.__dlpack__, copy=True)
    refuses('another device', BufferError, x.__dlpack__, dl_device=(CUDA if setting.is_host else CPU, 0))
    refuses('a stream that is no number', TypeError, x.__dlpack__, stream='1')
    refuses('stream 0', ValueError, x.__dlpack__, stream=0)
    refuses('stream -2', ValueError, x.__dlpack__, stream=-2)
    for stream in [1, -1] + setting.own_streams:
        if setting.is_host:
            refuses('stream %d in host memory' % stream, ValueError, x.__dlpack__, stream=stream)
        else:
            check(setting.capsule_is(x.__dlpack__(stream=stream), b'dltensor'), 'stream %d' % stream)
    if not setting.is_host:
        refuses('stream 2', BufferError, x.__dlpack__, stream=2)
    gc.collect()
    # All those capsules are gone, untaken: the slot is free again when the batch is released. One kept holds its own.
    kept = [x.__dlpack__(), batch.tensors[1].__dlpack__(max_version=(1, 0))]
    batch.release()
    refuses('a batch that was released', BufferError, x.__dlpack__)
    other = door.next()
    address = [setting.library.address(b.held, 0) for b in (other,)]
    for _ in range(4):
        other.release()
        other = door.next()
        address.append(setting.library.address(other.held, 0))
    check(len(set(address)) == 1, 'a slot that is lent is not used')
    in_thread(kept.clear)
    again = door.next()
    check(again is not None and setting.library.address(again.held, 0) != address[0], 'its slot is used again')
    last = again.tensors[0].__dlpack__()
    door.close()
    in_thread(lambda capsule: None, last)
    del last
    gc.collect()


class Capture:
    """A CUDA graph is captured on a stream, by a thread of its own, in the mode "global", until `end`."""

    def __init__(self, setting, stream):
        self.setting, self.stream, self.errors = setting, stream, []
        self.started, self.done = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        self.started.wait(60)

    def run(self):
        capture, keeper = self.setting.library.capture, self.setting.keeper.handle
        self.errors.append(capture(keeper, self.stream, 1))
        self.started.set()
        self.done.wait(60)
        self.errors.append(capture(keeper, self.stream, 0))

    def end(self, note):
        self.done.set()
        self.thread.join()
        check(self.errors == [0, 0], '%s: the capture begins and ends well: %s' % (note, self.errors))


def capture_part(setting):
    """Captures of CUDA graphs: elsewhere they disturb nothing; a stream that captures is refused, and nothing more."""
    if setting.is_host:
        return
    stream, captured = setting.own_streams
    door = setting.open(ONEHOT, F32, NLC, 3)
    note = 'a capture elsewhere'
    capture = Capture(setting, captured)
    wrong = []
    for i in range(8):  # more than slots
        batch = door.next(stream)
        lent = batch.tensors[0].__dlpack__(stream=stream)
        wrong += [i] * (setting.read(batch.tensors[0]) != door.want()[0])
        batch.release()
        in_thread(lambda capsule: None, lent)
        del lent
    check(not wrong, '%s: batches that differ: %s' % (note, wrong))
    note = 'a stream that captures'
    batch = door.next(stream)
    refuses(note + ', to lend on', BufferError, batch.tensors[0].__dlpack__, stream=captured)
    refuses(note + ', for a batch', RuntimeError, door.next, captured)
    capture.end(note)
    want = door.want()[0]
    check(setting.read(batch.tensors[0]) == want, note + ': the batch is as it was')
    lent = batch.tensors[0].__dlpack__(stream=captured)  # captures no longer
    capture = Capture(setting, captured)  # now again
    del lent
    gc.collect()
    batch.release()
    capture.end('a tensor that dies while its stream captures')
    wrong = []
    for i in range(6):
        batch = door.next(stream)
        wrong += [i] * (setting.read(batch.tensors[0]) != door.want()[0])
        batch.release()
    check(not wrong, 'after the captures: batches that differ: %s' % wrong)
    door.close()


class Old:
    """A tensor whose producer knows no versions, as before DLPack 1."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, stream=None):
        return self.tensor.__dlpack__(stream=stream)


def numpy_part(setting):
    try:
        import numpy
        numpy.from_dlpack
    except (ImportError, AttributeError):
        return skip('numpy')
    door = setting.open(ONEHOT, F32, NCL, 4)
    if not setting.is_host:
        for _ in range(6):  # more than slots: what is refused is not kept
            batch = door.next()
            for lent in (batch.tensors[0], Old(batch.tensors[0])):
                refuses('numpy, of a tensor on a device', (RuntimeError, BufferError, ValueError), numpy.from_dlpack, lent)
            batch.release()
        return door.close()
    both = tuple(int(part) for part in numpy.__version__.split('.')[:2]) >= (2, 1)
    for versioned in (False, True) if both else (False,):
        batch, want = door.next(), door.want()
        for tensor, expected in zip(batch.tensors, want):
            note = 'numpy %s, %s' % (tensor.role, 'versioned' if versioned else 'legacy')
            array = numpy.from_dlpack(tensor if versioned else Old(tensor))
            check(str(array.dtype) == tensor.dtype and array.shape == tensor.shape, note + ': dtype and shape')
            check(array.__array_interface__['data'][0] == setting.library.address(batch.held, tensor.index),
                  note + ': no copy')
            check(array.tobytes() == expected, note + ': bytes')
        batch.release()
        kept = [array]
        del array
    last = door.next()
    kept.append(numpy.from_dlpack(Old(last.tensors[0])))
    want = door.want()[0]
    door.close()
    check(kept[1].tobytes() == want, 'numpy: bytes after close')
    in_thread(kept.clear)
    print('numpy %s: %s' % (numpy.__version__, 'both structs' if both else 'the struct without a version'))


# ---- frameworks -----------------------------------------------------------------------------------------------------


class Torch:
    """What the test asks of PyTorch."""
    dtypes = set(DTYPES.values())

    def __init__(self, is_host):
        import torch
        self.module, self.name = torch, 'torch ' + torch.__version__
        self.is_host, self.works = is_host, is_host or torch.cuda.is_available()
        self.streams = [None] if is_host or not self.works else [torch.cuda.default_stream(), torch.cuda.Stream(),
                                                                 torch.cuda.Stream()]

    def on(self, stream):
        return self.module.cuda.stream(stream)

    def address(self, stream):
        return 0 if stream is None else stream.cuda_stream

    def take(self, lent):
        return self.module.from_dlpack(lent)

    def told(self, array):
        return tuple(array.shape), str(array.dtype).replace('torch.', ''), array.data_ptr()

    def bytes(self, array):
        return array.contiguous().view(self.module.uint8).cpu().numpy().tobytes()

    def finish(self):
        if not self.is_host:
            self.module.cuda.synchronize()


class Cupy:
    """What the test asks of CuPy, which has no bfloat16."""
    dtypes = set(DTYPES.values()) - {'bfloat16'}

    def __init__(self, is_host):
        import cupy
        self.module, self.name = cupy, 'cupy ' + cupy.__version__
        self.works = not is_host and cupy.cuda.is_available()
        self.streams = [cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True)] if self.works else []

    def on(self, stream):
        return stream

    def address(self, stream):
        return stream.ptr

    def take(self, lent):
        return self.module.from_dlpack(lent)

    def told(self, array):
        return tuple(array.shape), str(array.dtype), array.data.ptr

    def bytes(self, array):
        return self.module.asnumpy(array).tobytes()

    def finish(self):
        self.module.cuda.Device().synchronize()


class nothing:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def framework_case(setting, framework, encoding, stream, versioned):
    """All tensors of an epoch: what they are, their bytes; some die at once, some on another thread, some after close."""
    note = '%s, %s, stream %s, %s' % (framework.name, name_of(*encoding), framework.address(stream),
                                      'versioned' if versioned else 'legacy')
    door, kept, count, wrong = setting.open(*encoding, 8), [], 0, []
    with framework.on(stream) if not setting.is_host else nothing():
        batch = door.next(framework.address(stream))
        while batch:
            for tensor, want in zip(batch.tensors, door.want()):
                if tensor.dtype not in framework.dtypes:
                    continue
                array = framework.take(tensor if versioned else Old(tensor))
                told = tensor.shape, tensor.dtype, setting.library.address(batch.held, tensor.index)
                if framework.told(array) != told or framework.bytes(array) != want:
                    wrong.append((count, tensor.role))
                kept.append((array, want))
                del array
            batch.release()
            count += 1
            while len(kept) > 12:
                in_thread(kept.pop, 0)
            batch = door.next(framework.address(stream))
        door.close()
        check(count > 10, note + ': batches')
        check(not wrong, '%s: batches and tensors that differ: %s' % (note, wrong[:4]))
        check(all(framework.bytes(array) == want for array, want in kept), note + ': bytes after close')
        array = None
        in_thread(kept.clear)
    framework.finish()


def framework_part(setting, kind):
    try:
        framework = kind(setting.is_host)
    except ImportError:
        return skip(kind.__name__.lower())
    if not framework.works:
        return skip('%s (it sees no device like ours)' % framework.name)
    for encoding in ENCODINGS:
        for stream in framework.streams:
            for versioned in (False, True):
                framework_case(setting, framework, encoding, stream, versioned)
    print(framework.name)
    if kind is Torch and not setting.is_host:
        torch_capture_part(setting, framework)


def torch_capture_part(setting, framework):
    """A CUDA graph is captured on one thread while another goes on with batches; and the captured stream is refused."""
    torch = framework.module
    a = torch.ones(64, 64, device='cuda')
    (a + 63 + 1).sum().item()  # what is made at first use is made before the capture
    graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    started, done, errors, result = threading.Event(), threading.Event(), [], []
    door = setting.open(ONEHOT, BF16, NCL, 8)
    stream = framework.streams[0]
    before = door.next(framework.address(stream))
    dies_inside = [framework.take(before.tensors[0])]
    before.release()
    door.want()

    def capture():
        try:
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.graph(graph, stream=side):  # captures in the mode "global", as by default
                result.append(a + 63)
                dies_inside.clear()
                started.set()
                done.wait(60)
                result.append(result[0] + 1)
        except Exception as error:
            errors.append('capture: %s' % error)
        started.set()

    thread = threading.Thread(target=capture)
    thread.start()
    started.wait(60)
    kept = []
    try:
        for _ in range(8):  # more than slots, so that some are used again
            batch = door.next(framework.address(stream))
            kept.append((framework.take(batch.tensors[0]), door.want()[0]))
            batch.release()
            if len(kept) > 4:
                kept.pop(0)
    except Exception as error:
        errors.append('batches: %s' % error)
    done.set()
    thread.join()
    check(not errors, 'a graph captured on another thread: %s' % errors)
    if not errors:
        graph.replay()
        torch.cuda.synchronize()
        check(float(result[1][0, 0]) == 65.0, 'the graph does what was captured')
    check(all(framework.bytes(array) == want for array, want in kept), 'batches taken during a capture: bytes')
    kept.clear()
    batch = door.next(framework.address(stream))
    want = door.want()[0]
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            refuses('a stream that is captured', BufferError, framework.take, batch.tensors[0])
            a.add_(1)
    except Exception as error:
        check(False, 'the capture goes on where a tensor was refused: %s' % error)
    array = framework.take(batch.tensors[0])
    check(framework.bytes(array) == want, 'after the refusal: bytes')
    del array
    batch.release()
    check(door.next(framework.address(stream)) is not None, 'after the refusal: the next batch')
    framework.finish()
    door.close()


def part(call, *arguments):
    """One part of the test; an error ends that part only."""
    try:
        call(*arguments)
    except Exception:
        traceback.print_exc(file=sys.stdout)
        check(False, '%s: an error ends it' % call.__name__)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('library')
    parser.add_argument('reads')
    parser.add_argument('--provider', default='driver', choices=('driver', 'runtime', 'dummy', 'fake'))
    wishes = parser.parse_args()
    library = Library(os.path.abspath(wishes.library))
    try:
        setting = Setting(library, wishes.provider, wishes.reads)
    except RuntimeError as error:
        if os.environ.get('GPU_REQUIRED') == '1' or wishes.provider == 'dummy':
            check(False, 'open: %s' % error)
        else:
            skip('no GPU: %s' % error)
    else:
        part(protocol_part, setting)
        part(bytes_part, setting)
        part(capture_part, setting)
        part(numpy_part, setting)
        if wishes.provider != 'fake':
            part(framework_part, setting, Torch)
            part(framework_part, setting, Cupy)
        gc.collect()
        part(setting.close)
        check(library.fake_live() == 0, 'the fake driver: %d objects are still open' % library.fake_live())
        check(library.fake_misuse() == 0, 'the fake driver: %d calls that CUDA would refuse' % library.fake_misuse())
    print('%d passed, %d failed%s' % (passed, failed, ', %d skipped' % skipped if skipped else ''))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
