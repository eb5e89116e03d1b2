#!/usr/bin/env python3
"""peers_python.py - gzip FASTQ to one-hot f32 batches [256][150][4]: fxbatch against what is written in Python.

    python3 bench/peers_python.py [--fxbatch build/examples/fxbatch] [--rounds 5] FILE.fastq.gz

Not part of make bench: it needs Python packages, which are named where they are missing:
torch numpy dnaio biopython deepbiop xxhash (all on PyPI).

  fxbatch      the whole program, from its start to its end, 1 and 2 workers
  DataLoader   of PyTorch, 0 and 2 worker processes, over an IterableDataset that parses with dnaio or Biopython and
               encodes whole batches with a numpy table, the fastest way we know; with 2 workers each reads the whole
               file and encodes every second batch, as a file that cannot be entered in the middle allows. From making
               the iterator to its end; importing torch is not timed
  DeepBioP     encode_fq_path_to_parquet: it makes no batches (0.1.14), a Parquet file of names, bases and qualities,
               from which they would have to be made

Before anything is timed the batches are compared: their digest, as biostream.h defines it, is computed here from each
DataLoader's tensors and must be the one fxbatch prints. Then the contenders take turns; medians of wall and CPU time
(of all processes).
"""
import argparse
import gzip
import importlib.metadata
import os
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROWS, BASES = 256, 150
MISSING = []


def optional(name, package):
    try:
        return __import__(name)
    except ImportError:
        MISSING.append(package)
        return None


np = optional("numpy", "numpy")
torch = optional("torch", "torch")
dnaio = optional("dnaio", "dnaio")
Bio = optional("Bio.SeqIO.QualityIO", "biopython")
deepbiop = optional("deepbiop", "deepbiop")
xxhash = optional("xxhash", "xxhash")


# ---- what one writes in Python -------------------------------------------------------------------


def records_dnaio(path):
    with dnaio.open(path) as reader:
        for record in reader:
            yield record.sequence


def records_biopython(path):
    with gzip.open(path, "rt") as text:
        for _title, sequence, _quality in Bio.SeqIO.QualityIO.FastqGeneralIterator(text):
            yield sequence


def one_hot_table():
    table = np.zeros((256, 4), dtype=np.float32)
    for channel, letters in enumerate(("Aa", "Cc", "Gg", "TtUu")):
        for letter in letters:
            table[ord(letter), channel] = 1
    return table


def encode(table, sequences):
    """A list of at most ROWS sequences to [rows][BASES][4] and lengths."""
    codes = "".join([s.ljust(BASES, "\0") for s in sequences]).encode("ascii")
    rows = np.frombuffer(codes, dtype=np.uint8).reshape(len(sequences), BASES)
    lengths = np.array([len(s) for s in sequences], dtype=np.int32)
    return torch.from_numpy(table[rows]), torch.from_numpy(lengths)


if torch is not None:

    class Batches(torch.utils.data.IterableDataset):
        """Ready batches; worker w of W makes batches w, w + W, ..., which DataLoader hands out in order."""

        def __init__(self, records, path):
            super().__init__()
            self.records, self.path, self.table = records, path, one_hot_table()

        def __iter__(self):
            worker = torch.utils.data.get_worker_info()
            mine, every = (worker.id, worker.num_workers) if worker else (0, 1)
            sequences, number = [], 0
            for sequence in self.records(self.path):
                sequences.append(sequence)
                if len(sequences) == ROWS:
                    if number % every == mine:
                        yield encode(self.table, sequences)
                    sequences = []
                    number += 1
            if sequences and number % every == mine:
                yield encode(self.table, sequences)


def run_data_loader(records, path, workers, use):
    """Passes each batch to use; returns the number of rows."""
    rows = 0
    # Ready batches: nothing is left to collate.
    loader = torch.utils.data.DataLoader(Batches(records, path), batch_size=None, num_workers=workers)
    for number, (x, lengths) in enumerate(loader):
        use(number, x, lengths)
        rows += x.shape[0]
    return rows


def make_parquet(path, to):
    if os.path.exists(to):
        os.remove(to)
    deepbiop.fq.encode_fq_path_to_parquet(path, "ACGTN", 33, to)


def use_nothing(_number, _x, _lengths):
    pass


# ---- comparing -----------------------------------------------------------------------------------


class Digest:
    """The digest of epoch 0 by the definition: a sum of XXH64 over rows, each seeded by its place."""

    def __init__(self):
        self.sum, self.id = 0, 0

    def use(self, number, x, lengths):
        rows, lengths = x.numpy(), lengths.numpy()
        for row in range(rows.shape[0]):
            seed = xxhash.xxh64_intdigest(struct.pack("<QQQ", 0, number, row))
            text = rows[row].tobytes() + struct.pack("<iqIq", int(lengths[row]), self.id, 0, 0)
            self.sum += xxhash.xxh64_intdigest(text, seed=seed)
            self.id += 1

    def text(self):
        return "%016x" % (self.sum % 2**64)


def fxbatch_command(fxbatch, path, workers, digest):
    command = [fxbatch, "--rows", str(ROWS), "--bases", str(BASES), "--dtype", "f32", "--workers", str(workers)]
    help_text = subprocess.run([fxbatch, "--help"], capture_output=True, text=True, check=False).stdout
    if not digest and "--no-digest" in help_text:
        command.append("--no-digest")
    if digest and "--digest" in help_text:
        command.append("--digest")
    return command + [path]


def fxbatch_digest(fxbatch, path):
    command = fxbatch_command(fxbatch, path, 2, True)
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    words = [line for line in output.splitlines() if line.startswith("epoch")][0].split()
    return int(words[words.index("rows") + 1]), words[words.index("digest") + 1]


# ---- measuring -----------------------------------------------------------------------------------


def cpu_seconds():
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def contenders(fxbatch, path, folder):
    """(name, function) pairs."""
    found = []
    for workers in (1, 2):
        command = fxbatch_command(fxbatch, path, workers, False)
        found.append(("fxbatch, %d worker%s" % (workers, "s" * (workers > 1)),
                      lambda command=command: subprocess.run(command, stdout=subprocess.DEVNULL, check=True)))
    for name, module, records in (("dnaio", dnaio, records_dnaio), ("Biopython", Bio, records_biopython)):
        for workers in (0, 2) if module and torch and np else ():
            found.append(("DataLoader, %s, %d workers" % (name, workers),
                          lambda records=records, workers=workers:
                          run_data_loader(records, path, workers, use_nothing)))
    if deepbiop:
        parquet = os.path.join(folder, "reads.parquet")
        found.append(("DeepBioP, to Parquet", lambda: make_parquet(path, parquet)))
    return found


def compare(fxbatch, path):
    """Returns the number of records; ends the program where outputs differ."""
    records, wanted = fxbatch_digest(fxbatch, path)
    for name, module, function in (("dnaio", dnaio, records_dnaio), ("Biopython", Bio, records_biopython)):
        for workers in (0, 2) if module and torch and np and xxhash else ():
            digest = Digest()
            rows = run_data_loader(function, path, workers, digest.use)
            if (rows, digest.text()) != (records, wanted):
                sys.exit("%s, %d workers: %d rows, digest %s; fxbatch: %d rows, digest %s; nothing is timed"
                         % (name, workers, rows, digest.text(), records, wanted))
    if xxhash is None:
        print("not compared: xxhash is missing")
    else:
        print("compared   %d rows, digest %s, the same from all that make batches" % (records, wanted))
    return records


def text_bytes(path):
    total = 0
    with gzip.open(path) if open(path, "rb").read(2) == b"\x1f\x8b" else open(path, "rb") as file:
        while True:
            piece = file.read(1 << 20)
            if not piece:
                return total
            total += len(piece)


def print_conditions(path, rounds):
    model = [line for line in open("/proc/cpuinfo") if line.startswith("model name")] if os.path.exists(
        "/proc/cpuinfo") else []
    print("processor  %s, %d cores" % (model[0].split(": ")[1].strip() if model else "unknown", os.cpu_count()))
    print("date       %s" % time.strftime("%Y-%m-%d", time.gmtime()))
    print("python     %s" % sys.version.split()[0])
    for module, name in ((torch, "torch"), (np, "numpy"), (dnaio, "dnaio"), (Bio, "biopython"),
                         (deepbiop, "deepbiop")):
        if module:
            print("peer       %s %s" % (name, importlib.metadata.version(name)))
    for name in MISSING:
        print("skipped: %s (pip install %s)" % (name, name))
    print("batches    one-hot f32 [%d][%d][4] of %s" % (ROWS, BASES, os.path.basename(path)))
    print("timing     median of %d alternating rounds, page cache warm, CPU of all processes;" % rounds)
    print("           1 MB is 10^6 bytes of text")


def main():
    parser = argparse.ArgumentParser(description="gzip FASTQ to batches: fxbatch against Python")
    parser.add_argument("--fxbatch", default="build/examples/fxbatch")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("file")
    args = parser.parse_args()
    print_conditions(args.file, args.rounds)
    records, megabytes = compare(args.fxbatch, args.file), text_bytes(args.file) / 1e6
    with tempfile.TemporaryDirectory() as folder:
        found = contenders(args.fxbatch, args.file, folder)
        walls, cpus = {name: [] for name, _ in found}, {name: [] for name, _ in found}
        for _ in range(args.rounds):
            for name, function in found:
                wall, cpu = time.perf_counter(), cpu_seconds()
                function()
                walls[name].append(time.perf_counter() - wall)
                cpus[name].append(cpu_seconds() - cpu)
    ours = statistics.median(walls[found[1][0]])
    print("\n%s, %d records, %.1f MB of text" % (os.path.basename(args.file), records, megabytes))
    print("  %-32s %8s %8s %14s %9s %9s" % ("", "MB/s", "krec/s", "fxbatch 2 / it", "wall s", "CPU s"))
    for name, _ in found:
        wall = statistics.median(walls[name])
        print("  %-32s %8.1f %8.1f %14.1f %9.3f %9.3f" % (name, megabytes / wall, records / 1e3 / wall, wall / ours,
                                                        wall, statistics.median(cpus[name])))


if __name__ == "__main__":
    main()
