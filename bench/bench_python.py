#!/usr/bin/env python3
"""What examples/biostream.py adds to a batch, against the same loop in C: fxbatch over the same desc, in turns.

    make lib examples
    python3 bench/bench_python.py [--rounds 7] [--epochs 5] [--programs build/examples] FILE...

The digests of epoch 0 are compared first, then both take all batches of some epochs after it. Python asks for x and
lengths of each batch and keeps nothing. With 1 worker all is done by one thread. Else fxbatch has as many workers as
there are cores, its caller one of them, and biostream.py one more, as by default. Microseconds are of a batch, medians
of all rounds: wall time, and time of all threads on processors (CPU), where what was added is the median of the
differences round by round. The wall time of fxbatch is that of its epochs by the rates it prints; its CPU time is that
of a run of all epochs less that of a run of epoch 0. With few rows a batch is made quickly, and what Python adds is
most of the time.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'examples'))
import biostream  # noqa: E402


def run_c(args, rows, epochs, digest, workers):
    """(wall seconds of the epochs from 1 on, CPU seconds of all, batches of an epoch, digest of epoch 0)"""
    command = [os.path.join(args.programs, 'fxbatch'), '--rows', str(rows), '--bases', '150', '--dtype', 'f32',
               '--epochs', str(epochs), '--workers', str(workers), '--stats', '--digest' if digest else '--no-digest',
               *args.files]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith('epoch')]
    words = [dict(zip(line[2::2], line[3::2])) for line in lines]
    text_bytes = int(done.stderr.split('\ttext ')[1].split()[0])
    wall = sum(text_bytes / 1e6 / float(word['MB/s']) for word in words[1:])
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, int(words[0]['batches']), words[0]['digest']


def run_python(args, rows, epochs, digest, workers):
    """The same, with the CPU seconds of the epochs from 1 on."""
    with biostream.Loader(args.files, batch_rows=rows, row_bases=150, encoding={'dtype': 'f32'}, epochs=epochs,
                          digest=digest, workers=workers + (workers > 1)) as loader:
        digests = [batch.digest for batch in loader.epoch(0)]
        wall, cpu = time.perf_counter(), time.process_time()
        for epoch in range(1, epochs):
            for batch in loader.epoch(epoch):
                x, lengths = batch.x, batch.lengths
        assert x.shape == (rows, 150, 4) and lengths.shape == (rows,)
        del x, lengths
        return (time.perf_counter() - wall, time.process_time() - cpu, len(digests),
                '%016x' % (sum(digests) % 2 ** 64))


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1


def main():
    parser = argparse.ArgumentParser(description='what examples/biostream.py adds to a batch')
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--epochs', type=int, default=5)
    parser.add_argument('--programs', default='build/examples')
    parser.add_argument('files', nargs='+')
    args = parser.parse_args()
    model = [line.split(': ')[1].strip() for line in open('/proc/cpuinfo') if line.startswith('model name')]
    print('processor  %s, %d cores' % (model[0] if model else 'unknown', cores()))
    print('python     %s' % sys.version.split()[0])
    print('files      %s' % ' '.join(map(os.path.basename, args.files)))
    columns = ('rows', 'workers', 'batches', 'fxbatch us', 'biostream.py us', 'added us', 'fxbatch CPU', 'biostream.py',
               'added CPU us')
    print('%-8s %8s %10s %12s %15s %12s %12s %15s %12s' % columns)
    for rows, workers in [(rows, workers) for rows in (256, 16) for workers in sorted({1, cores()})]:
        want, got = run_c(args, rows, 2, True, workers), run_python(args, rows, 2, True, workers)
        if want[2:] != got[2:]:
            sys.exit('not the same batches: fxbatch %s, biostream.py %s' % (want[2:], got[2:]))
        rounds, batches = [], want[2] * (args.epochs - 1)
        for _ in range(args.rounds):
            first, c = run_c(args, rows, 1, False, workers), run_c(args, rows, args.epochs, False, workers)
            python = run_python(args, rows, args.epochs, False, workers)
            rounds.append([1e6 * seconds / batches for seconds in (c[0], python[0], python[0] - c[0], c[1] - first[1],
                                                                   python[1], python[1] - (c[1] - first[1]))])
        print('%-8d %8d %10d %12.1f %15.1f %12.1f %12.1f %15.1f %12.1f' %
              (rows, workers, want[2], *(statistics.median(column) for column in zip(*rounds))))


if __name__ == '__main__':
    main()
