#!/usr/bin/env python3
"""gpu_torch.py --tsv FILE [--rounds N] [--device cpu] READS.fastq.gz... - what `make gpu-bench` compares `pipe` with: PyTorch's
DataLoader, which fills batches of one-hot bf16, 4096 rows of 150 bases, on the GPU.

Reading and encoding is by whole batches, as someone would write it who had looked at its speed: gzip as Python has it,
one table look-up a batch, no loop over bases. pin_memory, and copies with non_blocking. Two ways:
rows made one-hot by the workers, and codes of a byte a base made one-hot on the GPU. Of n workers each reads the whole
file, as gzip cannot be entered in the middle, and makes every n-th batch.

The first pass of each way is not timed; its batches are compared with those of the other ways. Rows are written anew
after each pass that is timed. BENCH_SECONDS=N: what would begin after so many seconds is named and left out. --device cpu
shows without a GPU that all of it runs.
"""
import argparse
import gzip
import os
import statistics
import time

import numpy
import torch

ROWS, BASES = 4096, 150

# The code of each byte: A C G T 0..3, anything else and padding 4.
CODES = numpy.full(256, 4, numpy.uint8)
for number, letters in enumerate(("Aa", "Cc", "Gg", "TtUu")):
    for letter in letters:
        CODES[ord(letter)] = number


class Reads(torch.utils.data.IterableDataset):
    """Batches of a FASTQ file: uint8 codes [rows][150], or one-hot bf16 [rows][150][4]."""

    def __init__(self, path, is_onehot):
        self.path, self.is_onehot = path, is_onehot
        self.table = torch.eye(5, dtype=torch.bfloat16)[:, :4].contiguous()

    def batch(self, sequences):
        rows = numpy.frombuffer(b"".join(s[:BASES].ljust(BASES, b"-") for s in sequences), numpy.uint8)
        codes = torch.from_numpy(CODES[rows].reshape(len(sequences), BASES))
        return self.table[codes.long()] if self.is_onehot else codes

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        turn, turns = (worker.id, worker.num_workers) if worker else (0, 1)
        sequences, index = [], 0
        with gzip.open(self.path, "rb") as file:
            for number, line in enumerate(file):
                if number % 4 != 1:
                    continue
                sequences.append(line.rstrip(b"\r\n"))
                if len(sequences) == ROWS:
                    if index % turns == turn:
                        yield self.batch(sequences)
                    sequences, index = [], index + 1
        if sequences and index % turns == turn:
            yield self.batch(sequences)


def run(path, workers, is_onehot, device):
    """One pass. Returns bases and the sum of all elements, which is how many bases are A, C, G or T."""
    table = torch.eye(5, dtype=torch.bfloat16, device=device)[:, :4].contiguous()
    total = torch.zeros((), dtype=torch.int64, device=device)
    loader = torch.utils.data.DataLoader(Reads(path, is_onehot), batch_size=None, num_workers=workers,
                                         pin_memory=device != "cpu")
    rows = 0
    for batch in loader:
        x = batch.to(device, non_blocking=True)
        if not is_onehot:
            x = table[x.long()]
        total += (x[:, 0] != 0).sum()
        rows += len(x)
    if device != "cpu":
        torch.cuda.synchronize()
    return rows * BASES, int(total)


def name_of(way):
    """As bench/targets.tsv names it."""
    return f"DataLoader, {'one-hot on the host' if way[1] else 'codes'}, {way[0]} workers"


def write_rows(path, seconds, bases):
    """All rows that there are: medians of the rounds so far."""
    with open(path + ".new", "w", encoding="ascii") as tsv:
        print(f"# peer       PyTorch {torch.__version__}, DataLoader with pin_memory and non_blocking", file=tsv)
        for (file, way), taken in seconds.items():
            wall = statistics.median(taken)
            print("gpu-pipe", os.path.basename(file), name_of(way), f"{bases[file] / 1e9 / wall:.6g}", "Gbase/s", "-", "-",
                  "-", max(1, way[0]), "-", f"{wall:.6f}", sep="\t", file=tsv)
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tsv", required=True)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    began, budget = time.monotonic(), float(os.environ.get("BENCH_SECONDS") or "inf")
    cores = os.cpu_count() or 1
    ways = [(workers, is_onehot) for workers in sorted({0, min(16, cores)}) for is_onehot in (True, False)]
    print(f"peer       PyTorch {torch.__version__}, median of {arguments.rounds} rounds\n")
    seconds, bases = {}, {}
    for path in arguments.files:
        want = None
        for turn in range(-1, arguments.rounds):
            for way in ways:
                name = f"{os.path.basename(path)}, {name_of(way)}, round {turn + 1}"
                start = time.monotonic()
                if start - began >= budget:
                    print(f"skipped: no time: {name}")
                    continue
                got = run(path, *way, arguments.device)
                taken = time.monotonic() - start
                if want is not None and got != want:
                    raise SystemExit(f"{path}: two ways give other batches: {want} and {got}")
                want = got
                bases[path] = got[0]
                if turn >= 0:
                    seconds.setdefault((path, way), []).append(taken)
                    write_rows(arguments.tsv, seconds, bases)
                print(f"  {name:86} {got[0] / 1e9 / taken:8.4f} Gbase/s  wall {taken:.3f} s"
                      f"{'' if turn >= 0 else ' (not counted)'}")


if __name__ == "__main__":
    main()
