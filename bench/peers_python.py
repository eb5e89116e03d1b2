#!/usr/bin/env python3
"""peers_python.py - whole programs, and what is written in Python, against fxbatch and fxunzip.

    python3 bench/peers_python.py [--tsv FILE] [--rounds 5] [--programs build/examples] [--naive build/peers/naive]
                                  FILE...

Called by `make bench-peers`, which installs and builds what is needed; what is missing is named and left out. Packages:
torch numpy dnaio biopython deepbiop needletail rapidgzip isal xxhash, all on PyPI; programs: bgzip, gzip, pigz, igzip.

Of a FASTQ file that is gzip but not BGZF, to one-hot f32 batches [256][150][4]:

  fxbatch               the whole program, from its start to its end, 1 and 2 workers
  kseq.h + zlib, switch bench/peers/naive.c, likewise
  dnaio + numpy         dnaio's records, whole batches encoded with a numpy table, the fastest way we know; also with
                        dnaio's decompression in a process of its own; the same with needletail's records
  DataLoader            of PyTorch, 0 and 2 worker processes, over an IterableDataset that parses with dnaio or Biopython
                        and encodes as above; with 2 workers each reads the whole file and encodes every second batch, as
                        a file that cannot be entered in the middle allows. From making the iterator to its end;
                        importing torch is not timed
  biostream.py          examples/biostream.py over build/lib/libbiostream.so, 1 and 2 workers, whose thread is one of them
  DeepBioP              encode_fq_path_to_parquet: it makes no batches (0.1.14), a Parquet file of names, bases and
                        qualities, from which they would have to be made

Of the same batches, as "peers-waiting": how long a loop waits for its next batch, where a step of 1 ms follows each, in
which no processor is used, as where a GPU computes. biostream.py against DataLoaders over dnaio. What is timed is waiting
alone, from the first batch on, and MB/s is text over that time.

Of every file, from its bytes to its text, thrown away: fxunzip, bgzip, rapidgzip, igzip, gzip, pigz as whole programs,
and rapidgzip and isal inside Python, which spares them its start.

Before anything is timed the outputs are compared: of batches by their digest, as biostream.h defines it, computed here
from the tensors, which must be the one fxbatch prints; of text by SHA-256. Then the contenders take turns; medians of wall
and CPU time (of all processes).
"""
import argparse
import gzip
import hashlib
import importlib
import importlib.metadata
import os
import resource
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROWS, BASES, STEP = 256, 150, 0.001
MISSING = []
COLUMNS = "stage file contender value unit ratio to target threads cpu_s wall_s".split()


def optional(name, package):
    try:
        return importlib.import_module(name)
    except ImportError:
        MISSING.append(package)
        return None


np = optional("numpy", "numpy")
torch = optional("torch", "torch")
dnaio = optional("dnaio", "dnaio")
Bio = optional("Bio.SeqIO.QualityIO", "biopython")
deepbiop = optional("deepbiop", "deepbiop")
needletail = optional("needletail", "needletail")
xxhash = optional("xxhash", "xxhash")
rapidgzip_module = optional("rapidgzip", "rapidgzip")
igzip = optional("isal.igzip", "isal")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples"))
try:
    biostream = importlib.import_module("biostream")
except OSError:
    biostream = None


# ---- what one writes in Python -------------------------------------------------------------------


def records_dnaio(path):
    with dnaio.open(path) as reader:
        for record in reader:
            yield record.sequence


def records_dnaio_process(path):
    with dnaio.open(path, open_threads=1) as reader:
        for record in reader:
            yield record.sequence


def records_biopython(path):
    with gzip.open(path, "rt") as text:
        for _title, sequence, _quality in Bio.FastqGeneralIterator(text):
            yield sequence


def records_needletail(path):
    for record in needletail.parse_fastx_file(path):
        yield record.seq


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
    # take: six times as fast as table[rows], and twice the speed of the whole loop.
    return table.take(rows, axis=0), np.array([len(s) for s in sequences], dtype=np.int32)


def batches(records, path, mine=0, every=1):
    """Every batch, or batches mine, mine + every, ..."""
    table, sequences, number = one_hot_table(), [], 0
    for sequence in records(path):
        sequences.append(sequence)
        if len(sequences) == ROWS:
            if number % every == mine:
                yield encode(table, sequences)
            sequences = []
            number += 1
    if sequences and number % every == mine:
        yield encode(table, sequences)


def run_numpy(records, path, use):
    """Passes each batch to use; returns the number of rows."""
    rows = 0
    for number, (x, lengths) in enumerate(batches(records, path)):
        use(number, x, lengths)
        rows += x.shape[0]
    return rows


if torch is not None:

    class Batches(torch.utils.data.IterableDataset):
        """Ready batches; worker w of W makes batches w, w + W, ..., which DataLoader hands out in order."""

        def __init__(self, records, path):
            super().__init__()
            self.records, self.path = records, path

        def __iter__(self):
            worker = torch.utils.data.get_worker_info()
            mine, every = (worker.id, worker.num_workers) if worker else (0, 1)
            for x, lengths in batches(self.records, self.path, mine, every):
                yield torch.from_numpy(x), torch.from_numpy(lengths)


def run_data_loader(records, path, workers, use):
    rows = 0
    # Ready batches: nothing is left to collate.
    loader = torch.utils.data.DataLoader(Batches(records, path), batch_size=None, num_workers=workers)
    for number, (x, lengths) in enumerate(loader):
        use(number, x.numpy(), lengths.numpy())
        rows += x.shape[0]
    return rows


def run_biostream(path, workers, use):
    rows = 0
    with biostream.Loader([path], batch_rows=ROWS, row_bases=BASES, encoding={"dtype": "f32"}, tail="short", epochs=1,
                          workers=workers) as loader:
        for number, batch in enumerate(loader.epoch(0)):
            use(number, batch.x, batch.lengths)
            rows += batch.rows
    return rows


class Waiting:
    """For use: what it does with a batch is a step of STEP seconds, and it sums up the time between steps."""

    def __init__(self):
        self.seconds, self.since = 0, None

    def use(self, _number, _x, _lengths):
        if self.since is not None:
            self.seconds += time.perf_counter() - self.since
        time.sleep(STEP)
        self.since = time.perf_counter()


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

    def use(self, number, rows, lengths):
        for row in range(rows.shape[0]):
            seed = xxhash.xxh64_intdigest(struct.pack("<QQQ", 0, number, row))
            text = rows[row].tobytes() + struct.pack("<iqIq", int(lengths[row]), self.id, 0, 0)
            self.sum += xxhash.xxh64_intdigest(text, seed=seed)
            self.id += 1

    def text(self):
        return "%016x" % (self.sum % 2**64)


def words_after_epoch(command):
    """Rows and digest as fxbatch and naive print them."""
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    words = [line for line in output.splitlines() if "digest" in line][-1].split()
    return int(words[words.index("rows") + 1]), words[words.index("digest") + 1]


def text_hash(command):
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        text, count = hashlib.sha256(), 0
        for piece in iter(lambda: program.stdout.read(1 << 20), b""):
            text.update(piece)
            count += len(piece)
    return (text.hexdigest(), count) if program.returncode == 0 else ("failed", 0)


# ---- measuring -----------------------------------------------------------------------------------


class Contender:
    """
    run() is timed; check() returns what must be equal among all that have one. amount: what run() does, as a share of the
    text that the speed is of.
    """

    def __init__(self, name, threads, run, check=None):
        self.name, self.threads, self.run, self.check = name, threads, run, check
        self.amount = 1
        self.walls, self.cpus = [], []


def cpu_seconds():
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def run_command(command):
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def program(name, threads, command, check):
    return Contender(name, threads, lambda: run_command(command), lambda: check(command))


def batch_contenders(args, path, folder):
    base = [os.path.join(args.programs, "fxbatch"), "--rows", str(ROWS), "--bases", str(BASES), "--dtype", "f32"]
    found = []
    for workers in (1, 2):
        command = base + ["--workers", str(workers)]
        found.append(Contender("fxbatch, %d worker%s" % (workers, "s" * (workers > 1)), workers,
                               lambda command=command: run_command(command + ["--no-digest", path]),
                               lambda command=command: words_after_epoch(command + ["--digest", path])))
    if os.path.exists(args.naive):
        found.append(Contender("kseq.h + zlib, switch", 1, lambda: run_command([args.naive, path]),
                               lambda: words_after_epoch([args.naive, "--digest", path])))
    else:
        print("skipped: %s (cc -O2 bench/peers/naive.c -lz)" % args.naive)
    plain = (("dnaio + numpy", 1, dnaio, records_dnaio), ("dnaio + numpy, igzip process", 2, dnaio, records_dnaio_process),
             ("needletail + numpy", 1, needletail, records_needletail))
    for name, threads, module, records in plain:
        if module and np:
            found.append(Contender(name, threads, lambda records=records: run_numpy(records, path, use_nothing),
                                   lambda records=records: digest_of(run_numpy, records, path)))
    for name, module, records in (("dnaio", dnaio, records_dnaio), ("Biopython", Bio, records_biopython)):
        for workers in (0, 2) if module and torch and np else ():
            def run(records=records, workers=workers, use=use_nothing):
                return run_data_loader(records, path, workers, use)
            found.append(Contender("DataLoader, %s, %d workers" % (name, workers), max(1, workers), run,
                                   lambda records=records, workers=workers:
                                   digest_of(run_data_loader, records, path, workers)))
    if biostream and np:
        for workers in (1, 2):
            found.append(Contender("biostream.py, %d worker%s" % (workers, "s" * (workers > 1)), workers,
                                   lambda workers=workers: run_biostream(path, workers, use_nothing),
                                   lambda workers=workers: digest_of(run_biostream, path, workers)))
    else:
        print("skipped: biostream.py (make lib, and NumPy)")
    if deepbiop:
        parquet = os.path.join(folder, "reads.parquet")
        found.append(Contender("DeepBioP, to Parquet", 1, lambda: make_parquet(path, parquet)))
    return found


def waiting_contenders(path):
    """What peers compare by a loop that works between batches; the same batches, by the same digest."""
    runs = [("biostream.py, %d worker%s" % (workers, "s" * (workers > 1)), workers, run_biostream, (path, workers))
            for workers in ((1, 2) if biostream and np else ())]
    runs += [("DataLoader, dnaio, %d workers" % workers, max(1, workers), run_data_loader, (records_dnaio, path, workers))
             for workers in ((0, 2) if dnaio and torch and np else ())]
    return [Contender(name, threads, lambda run=run, arguments=arguments: waited(run, *arguments),
                      lambda run=run, arguments=arguments: digest_of(run, *arguments))
            for name, threads, run, arguments in runs]


def waited(run, *arguments):
    waiting = Waiting()
    run(*arguments, waiting.use)
    return waiting.seconds


def digest_of(run, *arguments):
    if xxhash is None:
        return None
    digest = Digest()
    rows = run(*arguments, digest.use)
    return rows, digest.text()


def text_contenders(args, path, is_bgzf):
    here = os.path.dirname(sys.executable)
    rapidgzip = os.path.join(here, "rapidgzip") # a Python program: some 40 ms of its time are Python's start
    fxunzip = os.path.join(args.programs, "fxunzip")
    found = [program("fxunzip, %d worker%s" % (t, "s" * (t > 1)), t, [fxunzip, "-t", str(t), path], text_hash)
             for t in ((1, 2) if is_bgzf else (1,))]
    peers = [("bgzip -@ 2", 2, ["bgzip", "-@", "2", "-d", "-c", path])] if is_bgzf else []
    peers += [("rapidgzip -P 1", 1, [rapidgzip, "-P", "1", "-d", "-c", path]),
              ("rapidgzip -P 2", 2, [rapidgzip, "-P", "2", "-d", "-c", path]),
              ("igzip -d", 1, ["igzip", "-d", "-c", path]),
              ("gzip -d", 1, ["gzip", "-d", "-c", path]), ("pigz -d", 1, ["pigz", "-d", "-c", path])]
    for name, threads, command in peers:
        if shutil.which(command[0]):
            found.append(program(name, threads, command, text_hash))
        elif os.path.basename(command[0]) not in MISSING:
            MISSING.append(os.path.basename(command[0]))
            print("skipped: %s" % os.path.basename(command[0]))
    for threads in (1, 2) if rapidgzip_module else ():
        found.append(Contender("rapidgzip in Python, %d thread%s" % (threads, "s" * (threads > 1)), threads,
                               lambda threads=threads: read_pieces(open_rapidgzip(path, threads)),
                               lambda threads=threads: read_pieces(open_rapidgzip(path, threads), hashlib.sha256())))
    if igzip:
        found.append(Contender("isal in Python", 1, lambda: read_pieces(igzip.open(path)),
                               lambda: read_pieces(igzip.open(path), hashlib.sha256())))
    return found


def open_rapidgzip(path, threads):
    return rapidgzip_module.open(path, parallelization=threads)


def read_pieces(file, text=None):
    """All of it, 1 MiB at a time; its hash and length where a hash is given."""
    piece, count = bytearray(1 << 20), 0
    with file:
        while got := file.readinto(piece):
            count += got
            if text:
                text.update(memoryview(piece)[:got])
    return (text.hexdigest(), count) if text else None


def compare(found, what):
    """All outputs against the first; those that differ are left out, loudly."""
    wanted, good = found[0].check(), []
    for contender in found:
        got = contender.check() if contender.check else None
        if got is None or got == wanted:
            good.append(contender)
        else:
            print("left out: %s gives %s, %s gives %s" % (contender.name, got, found[0].name, wanted))
    print("compared   %s: %s, the same from all" % (what, " ".join(map(str, wanted))))
    return good, wanted


def measure(found, rounds):
    for _ in range(rounds):
        for contender in found:
            wall, cpu = time.perf_counter(), cpu_seconds()
            waiting = contender.run()
            contender.walls.append(waiting if isinstance(waiting, float) else time.perf_counter() - wall)
            contender.cpus.append(cpu_seconds() - cpu)


def report(found, stage, path, megabytes, out):
    best = ([contender for contender in found if contender.name.startswith("fx")] or
            [contender for contender in found if contender.name.startswith("biostream")])[-1]
    ours = statistics.median(best.walls) / best.amount
    print("\n%s, %s, %.1f MB of text; ratios of %s" % (stage, os.path.basename(path), megabytes, best.name))
    print("  %-32s %8s %9s %9s %8s" % ("", "MB/s", "wall s", "CPU s", "ratio"))
    for contender in found:
        wall, cpu = statistics.median(contender.walls), statistics.median(contender.cpus)
        speed = megabytes * contender.amount / wall
        print("  %-32s %8.1f %9.3f %9.3f %8.2f" % (contender.name, speed, wall, cpu, wall / contender.amount / ours))
        if out:
            row = [stage, os.path.basename(path), contender.name, "%.6g" % speed, "MB/s", "-", "-", "-",
                   str(contender.threads), "%.6f" % cpu, "%.6f" % wall]
            out.write("\t".join(row) + "\n")
            out.flush()
    print()


def conditions(modules, rounds):
    """Lines that tell them; modules: pairs of a module or None, and its package."""
    told = {}  # as bench.h has it
    if os.path.exists("/proc/cpuinfo"):
        for line in open("/proc/cpuinfo"):
            key, _, value = line.partition(":")
            told.setdefault(key.strip(), value.strip())
    kind = ", family %s model %s" % (told["cpu family"], told["model"]) if "cpu family" in told else ""
    lines = ["processor  %s%s, %d cores" % (told.get("model name", "unknown processor"), kind, os.cpu_count()),
             "date       %s" % time.strftime("%Y-%m-%d", time.gmtime()), "python     %s" % sys.version.split()[0]]
    if "BENCH_CORES" in os.environ:
        lines.insert(1, "cores      " + os.environ["BENCH_CORES"])
    for module, name in modules:
        if module:
            lines.append("peer       %s %s" % (name, importlib.metadata.version(name)))
        else:
            lines.append("skipped: %s (pip install %s)" % (name, name))
    lines.append("timing     whole programs, or inside Python; median of %d alternating rounds, page cache warm, CPU of "
                 "all processes; 1 MB is 10^6 bytes of text" % rounds)
    return lines


def kind_of(path):
    with open(path, "rb") as file:
        head = file.read(18)
    if head[:2] != b"\x1f\x8b":
        return "plain"
    return "bgzf" if len(head) == 18 and head[3] & 4 and head[12:14] == b"BC" else "gzip"


def main():
    parser = argparse.ArgumentParser(description="fxbatch and fxunzip against whole programs and Python")
    parser.add_argument("--tsv")
    parser.add_argument("--programs", default="build/examples")
    parser.add_argument("--naive", default="build/peers/naive")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batches", action="append", default=[], help="only of this file batches are made; may be repeated")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    out = open(args.tsv, "w", encoding="ascii") if args.tsv else None
    modules = ((torch, "torch"), (np, "numpy"), (dnaio, "dnaio"), (Bio, "biopython"), (deepbiop, "deepbiop"),
               (needletail, "needletail"), (rapidgzip_module, "rapidgzip"), (igzip, "isal"))
    modules += () if xxhash else ((None, "xxhash"),)
    for line in conditions(modules, args.rounds):
        print(line)
        if out:
            out.write("# %s\n" % line)
    if out:
        out.write("\t".join(COLUMNS) + "\n")
    with tempfile.TemporaryDirectory() as folder:
        for path in args.files:
            kind = kind_of(path)
            found, (_, count) = compare(text_contenders(args, path, kind == "bgzf"), "text of " + os.path.basename(path))
            measure(found, args.rounds)
            report(found, "peers-inflate", path, count / 1e6, out)
            if kind != "gzip" or (args.batches and path not in args.batches):
                continue
            found, (records, _) = compare(batch_contenders(args, path, folder), "batches of " + os.path.basename(path))
            if out:
                out.write("# file       %s: %d records, %.1f MB of text\n" % (os.path.basename(path), records, count / 1e6))
            measure(found, args.rounds)
            report(found, "peers", path, count / 1e6, out)
            if xxhash and biostream and dnaio and torch and np:
                found, _ = compare(waiting_contenders(path), "batches waited for, of " + os.path.basename(path))
                measure(found, args.rounds)
                report(found, "peers-waiting", path, count / 1e6, out)


if __name__ == "__main__":
    main()
