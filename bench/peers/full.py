#!/usr/bin/env python3
"""full.py - all that a training run uses, shuffle, strands, qualities and mask: fxbatch against what one writes today.

    python3 bench/peers/full.py [--tsv FILE] [--rounds 5] [--programs build/examples] [--naive build/peers/naive_full]
                                [--strong build/peers/strong_full] [--only TEXT]... FILE.fastq.gz

Called by `make bench-peers`, which installs and builds what is needed; what is missing is named and left out. Packages:
torch numpy dnaio isal deepbiop, all on PyPI. Reads have at most 150 bases.

To one-hot f32 batches [256][150][4] with qualities and mask u8 [256][150] and lengths, each read reverse complemented with
probability 0.5, in an order of a shuffle of 65536 reads:

  fxbatch               the whole program, from its start to its end, 1 and 2 workers
  biostream.py          examples/biostream.py over build/lib/libbiostream.so, 1 and 2 workers, whose thread is one of them
  kseq.h + zlib, tables bench/peers/naive_full.c, as a whole program
  C, ISA-L in a thread  bench/peers/strong_full.c, as a whole program of two threads, compiled for this processor
  dnaio + numpy         dnaio's records; each 65536 reads become two arrays of bytes, are permuted by numpy, and made into
                        batches by tables; dnaio reads gzip by zlib, by igzip (python-isal) within, which it does by
                        itself where that is installed, and from igzip in a thread of its own
  DataLoader            of PyTorch, 0, 1 and 2 worker processes, over an IterableDataset of such batches; with 2 workers
                        each reads the whole file and encodes every second batch
  DeepBioP              encode_fq_path_to_parquet: neither batches nor a shuffle, a Parquet file of names, bases and
                        qualities

--only leaves out each whose name does not begin with TEXT, except fxbatch. Importing is not timed.

Each shuffles in its own order, so what is compared is what no order changes, summed from the tensors: rows, bases A and T,
C and G, scores, mask and lengths, which are counted in the file, too, by Python's gzip and count. Of the first batch each
row must be a read of the file's first 131072 or its reverse complement, less than one in eight where that read is in the
file, and between a quarter and three quarters of them of the other strand (batches of less than 64 rows are not asked).
Contenders take turns; medians of wall and CPU time (of all processes).
"""
import argparse
import gzip
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, ".."))
sys.path.insert(0, os.path.join(here, "..", "..", "examples"))
import peers_python as peers  # noqa: E402
from read_frames import read_frames  # noqa: E402

np, torch, dnaio, biostream, igzip, deepbiop = (peers.np, peers.torch, peers.dnaio, peers.biostream, peers.igzip,
                                                peers.deepbiop)

ROWS, BASES, SHUFFLE, SEED = peers.ROWS, peers.BASES, 65536, 42
NAMES = ("rows", "at", "cg", "quality", "mask", "lengths")  # of sums


# ---- what one writes in Python -------------------------------------------------------------------


def records_zlib(path):
    with gzip.open(path) as text, dnaio.open(text) as reader:
        yield from reader


def records_within(path):
    with igzip.open(path) as text, dnaio.open(text) as reader:
        yield from reader


def records_threaded(path):
    with dnaio.open(path, open_threads=1) as reader:
        yield from reader


def complement_table():
    table = np.arange(256, dtype=np.uint8)
    for letter, other in zip(b"ACGTacgt", b"TGCAtgca"):
        table[letter] = other
    return table


def rows_of(texts):
    """A list of texts to bytes [rows][BASES]."""
    codes = "".join([s.ljust(BASES, "\0") for s in texts]).encode("ascii")
    return np.frombuffer(codes, dtype=np.uint8).reshape(len(texts), BASES)


def turn(rows, lengths, which):
    """The rows `which` from the last base to the first."""
    if (lengths == BASES).all():
        return rows[which, ::-1]
    at = lengths[which, None] - 1 - np.arange(BASES)
    return np.where(at >= 0, np.take_along_axis(rows[which], np.maximum(at, 0), axis=1), 0)


class Encoder:
    """A permuted buffer's rows to batches."""

    def __init__(self):
        self.one_hot, self.complement = peers.one_hot_table(), complement_table()
        self.random = np.random.default_rng(SEED)

    def batches(self, sequences, qualities):
        """Whole batches of a buffer of reads, each as what `encode` takes."""
        lengths = np.array([len(s) for s in sequences], dtype=np.int32)
        letters, scores = rows_of(sequences), rows_of(qualities)
        order = self.random.permutation(len(sequences))
        for at in range(0, len(order), ROWS):
            mine = order[at:at + ROWS]
            yield letters[mine], scores[mine], lengths[mine], self.random.random(len(mine)) < 0.5

    def encode(self, letters, scores, lengths, reversed_):
        letters[reversed_] = self.complement.take(turn(letters, lengths, reversed_))
        scores[reversed_] = turn(scores, lengths, reversed_)
        mask = (np.arange(BASES) < lengths[:, None]).view(np.uint8)
        # take: six times as fast as table[rows].
        return self.one_hot.take(letters, axis=0), (scores - 33) * mask, mask, lengths


def batches(records, path, mine=0, every=1):
    """Every batch, or batches mine, mine + every, ..."""
    encoder, sequences, qualities, number = Encoder(), [], [], 0

    def emptied():
        nonlocal number
        for batch in encoder.batches(sequences, qualities):
            if number % every == mine:
                yield encoder.encode(*batch)
            number += 1
        sequences.clear()
        qualities.clear()

    for record in records(path):
        sequences.append(record.sequence)
        qualities.append(record.qualities)
        if len(sequences) == SHUFFLE:
            yield from emptied()
    if sequences:
        yield from emptied()


def run_numpy(records, path, use):
    for batch in batches(records, path):
        use(*batch)


if torch is not None:

    class Batches(torch.utils.data.IterableDataset):
        """Ready batches; worker w of W makes batches w, w + W, ..., which DataLoader hands out in order."""

        def __init__(self, records, path):
            super().__init__()
            self.records, self.path = records, path

        def __iter__(self):
            worker = torch.utils.data.get_worker_info()
            mine, every = (worker.id, worker.num_workers) if worker else (0, 1)
            for batch in batches(self.records, self.path, mine, every):
                yield tuple(map(torch.from_numpy, batch))


def run_data_loader(path, workers, use):
    # Ready batches: nothing is left to collate.
    for batch in torch.utils.data.DataLoader(Batches(own_records(), path), batch_size=None, num_workers=workers):
        use(*[tensor.numpy() for tensor in batch])


def own_records():
    """The fastest that reads within its own process."""
    return records_within if igzip else records_zlib


# ---- ours ------------------------------------------------------------------------------------------


def our_command(args, path, workers):
    return [os.path.join(args.programs, "fxbatch"), "--rows", str(ROWS), "--bases", str(BASES), "--dtype", "f32", "--shuffle",
            str(SHUFFLE), "--rc", "0.5", "--quality", "phred", "--mask", "--workers", str(workers), path]


def take_ours(args, path, workers, use):
    """The batches of fxbatch, through a pipe."""
    command = our_command(args, path, workers) + ["--frames", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        for frame in read_frames(program.stdout):
            rows = frame["valid_rows"]
            use(*[frame[name][:rows] for name in ("x", "quality", "mask", "lengths")])


def run_biostream(path, workers, use):
    with biostream.Loader([path], batch_rows=ROWS, row_bases=BASES, encoding={"dtype": "f32"}, tail="short", epochs=1,
                          shuffle_rows=SHUFFLE, augment={"reverse_complement": 0.5}, quality={"kind": "phred"}, mask=1,
                          workers=workers) as loader:
        for batch in loader.epoch(0):
            use(batch.x, batch.quality, batch.mask, batch.lengths)


# ---- comparing -------------------------------------------------------------------------------------


class Tally:
    """Sums of what came that no order changes, and the letters of the first batch."""

    def __init__(self):
        self.sums, self.first, self.wrong = dict.fromkeys(NAMES, 0), [], ""

    def use(self, x, quality, mask, lengths):
        rows = x.shape[0]
        shapes = [(x, (rows, BASES, 4), "f4"), (quality, (rows, BASES), "u1"), (mask, (rows, BASES), "u1"),
                  (lengths, (rows,), "i4")]
        if any(array.shape != shape or array.dtype != dtype for array, shape, dtype in shapes):
            self.wrong = "a batch of other shapes or types"
            return
        self.first = self.first or letters_of(x, lengths)
        channels = np.count_nonzero(x, axis=(0, 1))
        for name, count in (("rows", rows), ("at", channels[0] + channels[3]), ("cg", channels[1] + channels[2]),
                            ("quality", quality.sum(dtype=np.int64)), ("mask", mask.sum(dtype=np.int64)),
                            ("lengths", lengths.sum(dtype=np.int64))):
            self.sums[name] += int(count)


def letters_of(x, lengths):
    """One-hot rows as texts; N where no channel is 1."""
    codes = np.where(x.any(axis=2), x.argmax(axis=2), 4)
    letters = np.frombuffer(b"ACGTN", dtype=np.uint8)[codes]
    return [row[:length].tobytes().decode("ascii") for row, length in zip(letters, lengths)]


class Wanted:
    """The file read anew, by none of those that are compared: the sums, where its first reads are, and bytes of text."""

    def __init__(self, path):
        self.sums, self.places, self.text_bytes = dict.fromkeys(NAMES, 0), {}, 0
        with gzip.open(path, "rb") as text:
            for at, line in enumerate(text):
                self.text_bytes += len(line)
                line = line.rstrip(b"\r\n")
                if at % 4 == 1:
                    self.add(line.upper().replace(b"U", b"T"))
                elif at % 4 == 3:
                    self.sums["quality"] += sum(line) - 33 * len(line)

    def add(self, sequence):
        sums = self.sums
        if sums["rows"] < 2 * SHUFFLE:
            plain = "".join(letter if letter in "ACGT" else "N" for letter in sequence.decode("ascii"))
            self.places.setdefault(plain, []).append(sums["rows"])
        sums["rows"] += 1
        sums["at"] += sequence.count(b"A") + sequence.count(b"T")
        sums["cg"] += sequence.count(b"C") + sequence.count(b"G")
        sums["mask"] += len(sequence)
        sums["lengths"] += len(sequence)

    def complaint(self, sums, first):
        """What is wrong; "" if nothing is."""
        if sums != self.sums:
            return "%s, not %s" % (sums, self.sums)
        turned, in_place, complements = 0, 0, str.maketrans("ACGT", "TGCA")
        for row, sequence in enumerate(first):
            other = sequence.translate(complements)[::-1]
            places = self.places.get(sequence, []) + self.places.get(other, [])
            if not places:
                return "a row that is no read near the file's start"
            turned += sequence not in self.places
            in_place += row in places
        if len(first) < 64:
            return ""
        if in_place * 8 >= len(first):
            return "%d rows of %d in the file's order" % (in_place, len(first))
        return "" if 1 <= 4 * turned / len(first) <= 3 else "%d rows of %d reversed" % (turned, len(first))


def tallied(take):
    tally = Tally()
    take(tally.use)
    return tally.wrong or (tally.sums, tally.first)


def sums_of_program(command):
    line, *first = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    words = line.split()
    return dict(zip(words[::2], map(int, words[1::2]))), first


def checked(found, wanted):
    """Those whose tensors are right."""
    good = []
    for contender in found:
        got = contender.check() if contender.check else None
        words = "" if got is None else got if isinstance(got, str) else wanted.complaint(*got)
        if words:
            print("left out: %s gives %s" % (contender.name, words))
            continue
        print("compared   %s: %s" % (contender.name, "nothing, it makes no batches" if got is None else "the same sums"))
        good.append(contender)
    return good


# ---- contenders ------------------------------------------------------------------------------------


def use_nothing(*_tensors):
    pass


def in_python(name, threads, take):
    return peers.Contender(name, threads, lambda: take(use_nothing), lambda: tallied(take))


def contenders(args, path, folder):
    found = []
    for workers in (1, 2):
        words = "%d worker%s" % (workers, "s" * (workers > 1))
        found.append(peers.Contender("fxbatch, " + words, workers,
                                     lambda workers=workers: peers.run_command(our_command(args, path, workers) +
                                                                               ["--no-digest"]),
                                     lambda workers=workers: tallied(lambda use: take_ours(args, path, workers, use))))
        if biostream:
            found.append(in_python("biostream.py, " + words, workers,
                                   lambda use, workers=workers: run_biostream(path, workers, use)))
    if not biostream:
        print("skipped: biostream.py (make lib)")
    for name, threads, program in (("kseq.h + zlib, tables", 1, args.naive), ("C, ISA-L in a thread", 2, args.strong)):
        if os.path.exists(program):
            found.append(peers.Contender(name, threads, lambda program=program: peers.run_command([program, path]),
                                         lambda program=program: sums_of_program([program, "--sums", path])))
        else:
            print("skipped: %s (sh bench/peers.sh build/peers makes it)" % program)
    for name, threads, records, there in (("zlib", 1, records_zlib, dnaio), ("igzip", 1, records_within, dnaio and igzip),
                                          ("igzip in a thread", 2, records_threaded, dnaio)):
        if there:
            found.append(in_python("dnaio + numpy, " + name, threads,
                                   lambda use, records=records: run_numpy(records, path, use)))
    for workers in (0, 1, 2) if dnaio and torch else ():
        found.append(in_python("DataLoader, dnaio, %d worker%s" % (workers, "s" * (workers != 1)), max(1, workers),
                               lambda use, workers=workers: run_data_loader(path, workers, use)))
    if deepbiop:
        parquet = os.path.join(folder, "reads.parquet")
        found.append(peers.Contender("DeepBioP, to Parquet", 1, lambda: peers.make_parquet(path, parquet)))
    return [one for one in found if one.name.startswith(("fxbatch",) + tuple(args.only or ("",)))]


def main():
    parser = argparse.ArgumentParser(description="fxbatch with shuffle, strands, qualities and mask against others")
    parser.add_argument("--tsv")
    parser.add_argument("--programs", default="build/examples")
    parser.add_argument("--naive", default="build/peers/naive_full")
    parser.add_argument("--strong", default="build/peers/strong_full")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", metavar="TEXT")
    parser.add_argument("file")
    args = parser.parse_args()
    out = open(args.tsv, "w", encoding="ascii") if args.tsv else None
    modules = ((torch, "torch"), (np, "numpy"), (dnaio, "dnaio"), (igzip, "isal"), (deepbiop, "deepbiop"))
    for line in peers.conditions(modules, args.rounds):
        print(line)
        if out:
            out.write("# %s\n" % line)
    if np is None:
        print("skipped: full.py (pip install numpy)")
        return
    if torch:
        torch.set_num_threads(1)
    name = os.path.basename(args.file)
    with tempfile.TemporaryDirectory() as folder:
        wanted = Wanted(args.file)
        found = checked(contenders(args, args.file, folder), wanted)
        if out:
            out.write("# file       %s: %d records, %.1f MB of text\n" % (name, wanted.sums["rows"], wanted.text_bytes / 1e6))
            out.write("\t".join(peers.COLUMNS) + "\n")
        if found and found[0].name.startswith("fx"):
            peers.measure(found, args.rounds)
            peers.report(found, "peers-full", name, wanted.text_bytes / 1e6, out)


if __name__ == "__main__":
    main()
