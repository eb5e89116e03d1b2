#!/usr/bin/env python3
"""groups.py - two files mixed 1:1: fxbatch with two groups against what one writes with datasets and PyTorch.

    python3 bench/peers/groups.py [--tsv FILE] [--rounds 5] [--programs build/examples] [--only TEXT] A.fastq.gz B.fastq.gz

Called by `make bench-peers`, which installs and builds what is needed; what is missing is named and left out. Packages:
torch numpy dnaio datasets, all on PyPI. A and B have as many records, of at most 150 bases.

To one-hot u8 batches [256][150][4] and a label for each row, 0 of A and 1 of B:

  fxbatch                the whole program, from its start to its end: two groups, 2 workers
  datasets, text         two streams of load_dataset("text", streaming=True), whole blocks of whose lines become records;
                         interleave_datasets with probabilities 1/2 and 1/2, till one ends, and without them, in turns
  datasets, dnaio        likewise, of dnaio's records, from_generator
  WeightedRandomSampler  of PyTorch, over a list of all reads in memory, read by dnaio within the time, each class with
                         the same sum of weights; DataLoader with 0 and 2 worker processes
  two DataLoaders        one for each file, over an IterableDataset that parses with dnaio and makes half batches, taken by
                         zip and joined; 0 workers, and 1 worker each

--only leaves out each whose name does not begin with TEXT, except fxbatch: datasets takes a hundred times as long.

All encode whole batches with a numpy table. PyTorch has one thread of its own: with more, its joining of two half batches
takes many times as long where the processors have other work. Importing is not timed.

Before anything is timed the outputs are compared with the files: shapes, types, rows of each class, and the reads of each
class, each as a hash of its row, as a multiset. Where chance decides which rows come, as far as that goes:

  exact      fxbatch, datasets that take turns, two DataLoaders: each read once
  first      datasets till one ends: none twice, and none of the other class
  drawn      WeightedRandomSampler: as many rows, none of the other class, shares to six standard deviations

A speed is MB of text of the rows that came a second, so that more or fewer rows count as such. Contenders take turns;
medians of wall and CPU time (of all processes).
"""
import argparse
import gzip
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import peers_python as peers  # noqa: E402

# Nothing here is to be fetched.
os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
np, torch, dnaio = peers.np, peers.torch, peers.dnaio
datasets = peers.optional("datasets", "datasets")

ROWS, BASES = peers.ROWS, peers.BASES
LINES = 4 * 1024  # of text that datasets makes records of at a time
SEED = 42


# ---- batches ---------------------------------------------------------------------------------------


def one_hot_table():
    return peers.one_hot_table().astype(np.uint8)


def encode(table, sequences, labels):
    """As peers_python.py's, without lengths and with labels."""
    x, _lengths = peers.encode(table, sequences)
    return x, np.array(labels, dtype=np.uint8)


# ---- datasets --------------------------------------------------------------------------------------


def records_of_lines(lines, label):
    """A block of lines that begins with a record; blocks have a multiple of four."""
    sequences = lines["text"][1::4]
    return {"sequence": sequences, "label": [label] * len(sequences)}


def stream_text(path, label):
    lines = datasets.load_dataset("text", data_files={"train": path}, split="train", streaming=True)
    return lines.map(records_of_lines, batched=True, batch_size=LINES, remove_columns=["text"],
                     fn_kwargs={"label": label})


def examples_dnaio(path, label):
    import peers_python as peers  # datasets pickles this function with the modules it names outside
    for sequence in peers.records_dnaio(path):
        yield {"sequence": sequence, "label": label}


def stream_dnaio(path, label):
    return datasets.IterableDataset.from_generator(examples_dnaio, gen_kwargs={"path": path, "label": label})


def run_datasets(paths, stream, probabilities, until, use):
    table = one_hot_table()
    mixed = datasets.interleave_datasets([stream(path, label) for label, path in enumerate(paths)],
                                         probabilities=probabilities, seed=SEED, stopping_strategy=until)
    for batch in mixed.iter(batch_size=ROWS):
        use(*encode(table, batch["sequence"], batch["label"]))


# ---- PyTorch ---------------------------------------------------------------------------------------

if torch is not None and np is not None:

    class Collate:
        """A list of (sequence, label) to tensors."""

        def __init__(self):
            self.table = one_hot_table()

        def __call__(self, pairs):
            sequences, labels = zip(*pairs)
            x, labels = encode(self.table, sequences, labels)
            return torch.from_numpy(x), torch.from_numpy(labels)

    class Reads(torch.utils.data.Dataset):
        """All reads of all files in memory."""

        def __init__(self, paths):
            self.pairs = [(sequence, label) for label, path in enumerate(paths) for sequence in peers.records_dnaio(path)]

        def __len__(self):
            return len(self.pairs)

        def __getitem__(self, at):
            return self.pairs[at]

        def __getitems__(self, many):
            pairs = self.pairs
            return [pairs[at] for at in many]

    class Halves(torch.utils.data.IterableDataset):
        """Ready half batches of one file."""

        def __init__(self, path, label):
            super().__init__()
            self.path, self.label = path, label

        def __iter__(self):
            table, sequences = one_hot_table(), []
            for sequence in peers.records_dnaio(self.path):
                sequences.append(sequence)
                if len(sequences) == ROWS // 2:
                    yield self.made(table, sequences)
                    sequences = []
            if sequences:
                yield self.made(table, sequences)

        def made(self, table, sequences):
            x, labels = encode(table, sequences, [self.label] * len(sequences))
            return torch.from_numpy(x), torch.from_numpy(labels)


def run_sampler(paths, workers, use):
    reads = Reads(paths)
    labels = np.array([label for _sequence, label in reads.pairs])
    weights = 1 / np.bincount(labels)[labels]
    sampler = torch.utils.data.WeightedRandomSampler(torch.from_numpy(weights), len(reads),
                                                     generator=torch.Generator().manual_seed(SEED))
    loader = torch.utils.data.DataLoader(reads, batch_size=ROWS, sampler=sampler, collate_fn=Collate(),
                                         num_workers=workers)
    for x, labels in loader:
        use(x.numpy(), labels.numpy())


def run_two_loaders(paths, workers, use):
    # Ready half batches: nothing is left to collate.
    loaders = [torch.utils.data.DataLoader(Halves(path, label), batch_size=None, num_workers=workers)
               for label, path in enumerate(paths)]
    for (x, labels), (other_x, other_labels) in zip(*loaders):
        use(torch.cat((x, other_x)).numpy(), torch.cat((labels, other_labels)).numpy())


# ---- ours ------------------------------------------------------------------------------------------


def our_command(args, paths):
    command = [os.path.join(args.programs, "fxbatch"), "--rows", str(ROWS), "--bases", str(BASES), "--workers", "2",
               "--no-digest", "--label", "group"]
    for label, path in enumerate(paths):
        command += ["--group", "%s:1:%d" % ("ab"[label], label), path]
    return command


def take_ours(args, paths, folder, use):
    """The batches of fxbatch, by way of files."""
    to = os.path.join(folder, "npy")
    peers.run_command(our_command(args, paths) + ["--npy", to, "--overwrite"])
    for name in sorted(os.listdir(to)):
        if name.endswith("_x.npy"):
            start = os.path.join(to, name[:-len("x.npy")])
            real = np.load(start + "ids.npy")[:, 0] >= 0
            use(np.load(start + "x.npy")[real], np.load(start + "labels.npy")[real])


# ---- comparing -------------------------------------------------------------------------------------


class Tally:
    """What came: hashes of the rows of each class, and whatever is wrong with shapes and types."""

    def __init__(self):
        words = np.random.default_rng(1).integers(1, 2**63, BASES * 4 // 8, dtype=np.uint64)
        self.words = words * np.uint64(2) + np.uint64(1)
        self.parts, self.labels, self.short, self.wrong = [], [], 0, ""

    def use(self, x, labels):
        rows = x.shape[0]
        if x.shape[1:] != (BASES, 4) or x.dtype != np.uint8 or labels.shape != (rows,) or not 0 < rows <= ROWS:
            self.wrong = "a batch %s of %s with labels %s" % (x.shape, x.dtype, labels.shape)
            return
        # Only the last batch may have fewer rows.
        self.wrong = self.wrong or ("a short batch is not the last" if self.short else "")
        self.short = rows < ROWS
        # A weighted sum of each row's words modulo 2^64, stirred.
        sums = (np.ascontiguousarray(x).reshape(rows, -1).view(np.uint64) * self.words).sum(axis=1, dtype=np.uint64)
        self.parts.append(sums ^ (sums >> np.uint64(29)))
        self.labels.append(labels)

    def of(self, label):
        """Sorted hashes of a class."""
        return np.sort(np.concatenate(self.parts)[np.concatenate(self.labels) == label])

    def rows(self):
        return sum(map(len, self.parts))


def tally_of_files(paths):
    """The files read anew, by none of those that are compared."""
    tally, table = Tally(), one_hot_table()
    for label, path in enumerate(paths):
        with gzip.open(path, "rt") as text:
            sequences = [line.rstrip("\n") for at, line in enumerate(text) if at % 4 == 1]
        for at in range(0, len(sequences), ROWS):
            tally.use(*encode(table, sequences[at:at + ROWS], [label] * len(sequences[at:at + ROWS])))
            tally.short = 0
    return tally


def complaint(tally, wanted, kind):
    """What is wrong with the rows that came; "" if nothing is."""
    if tally.wrong or not tally.parts:
        return tally.wrong or "no row"
    for label in (0, 1):
        got, all_of = tally.of(label), wanted.of(label)
        if not np.isin(got, all_of).all():
            return "rows that are none of class %d" % label
        if kind == "exact" and not np.array_equal(got, all_of):
            return "other rows of class %d: %d for %d" % (label, len(got), len(all_of))
        if kind == "first":
            values, counts = np.unique(got, return_counts=True)
            all_values, all_counts = np.unique(all_of, return_counts=True)
            if (counts > all_counts[np.searchsorted(all_values, values)]).any():
                return "rows of class %d come twice" % label
        if kind == "drawn" and (tally.rows() != wanted.rows() or abs(len(got) - tally.rows() / 2) > 3 * tally.rows()**0.5):
            return "%d rows of class %d of %d" % (len(got), label, tally.rows())
    return ""


def checked(found, wanted):
    """Those whose rows are right; their share of the rows of both files becomes their amount of work."""
    good = []
    for contender in found:
        tally = Tally()
        contender.take(tally.use)
        words = complaint(tally, wanted, contender.kind)
        if words:
            print("left out: %s gives %s" % (contender.name, words))
            continue
        counts = [len(tally.of(label)) for label in (0, 1)]
        print("compared   %s: %s, rows of each class %d and %d of %d" %
              (contender.name, contender.kind, *counts, wanted.rows()))
        contender.amount = tally.rows() / wanted.rows()
        good.append(contender)
    return good


class Mixer(peers.Contender):
    """take(use) hands each batch to use; run() is what is timed, take without use unless it is given."""

    def __init__(self, name, threads, kind, take, run=None):
        super().__init__(name, threads, run or (lambda: take(use_nothing)))
        self.kind, self.take = kind, take


def use_nothing(_x, _labels):
    pass


def contenders(args, paths, folder):
    found = [Mixer("fxbatch, 2 groups, 2 workers", 2, "exact", lambda use: take_ours(args, paths, folder, use),
                   lambda: peers.run_command(our_command(args, paths)))]
    # In turns the first to end would end it a row early.
    streams = [("text", stream_text, [0.5, 0.5], "first_exhausted", "first", "till one ends"),
               ("text", stream_text, None, "all_exhausted", "exact", "in turns"),
               ("dnaio", stream_dnaio, [0.5, 0.5], "first_exhausted", "first", "till one ends"),
               ("dnaio", stream_dnaio, None, "all_exhausted", "exact", "in turns")]
    for by, stream, probabilities, until, kind, words in streams if datasets else ():
        if by == "dnaio" and not dnaio:
            continue
        found.append(Mixer("datasets, %s, %s" % (by, words), 1, kind,
                           lambda use, stream=stream, probabilities=probabilities, until=until:
                           run_datasets(paths, stream, probabilities, until, use)))
    for workers in (0, 2) if torch and dnaio else ():
        found.append(Mixer("WeightedRandomSampler, %d workers" % workers, max(1, workers), "drawn",
                           lambda use, workers=workers: run_sampler(paths, workers, use)))
    for workers in (0, 1) if torch and dnaio else ():
        found.append(Mixer("two DataLoaders, %s" % ("1 worker each" if workers else "0 workers"), 1 + workers, "exact",
                           lambda use, workers=workers: run_two_loaders(paths, workers, use)))
    return [mixer for mixer in found if mixer.name.startswith(("fxbatch",) + tuple(args.only or ("",)))]


def main():
    parser = argparse.ArgumentParser(description="fxbatch with two groups against datasets and PyTorch")
    parser.add_argument("--tsv")
    parser.add_argument("--programs", default="build/examples")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", metavar="TEXT")
    parser.add_argument("files", nargs=2)
    args = parser.parse_args()
    out = open(args.tsv, "w", encoding="ascii") if args.tsv else None
    modules = ((torch, "torch"), (np, "numpy"), (dnaio, "dnaio"), (datasets, "datasets"))
    for line in peers.conditions(modules, args.rounds):
        print(line)
        if out:
            out.write("# %s\n" % line)
    if np is None:
        print("skipped: groups.py (pip install numpy)")
        return
    if torch:
        torch.set_num_threads(1)
    name = "+".join(map(os.path.basename, args.files))
    text_bytes = 0
    for path in args.files:
        with gzip.open(path) as text:
            text_bytes += sum(map(len, iter(lambda text=text: text.read(1 << 20), b"")))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HF_HOME"] = folder
        wanted = tally_of_files(args.files)
        found = checked(contenders(args, args.files, folder), wanted)
        if out:
            out.write("# file       %s: %d records, %.1f MB of text\n" % (name, wanted.rows(), text_bytes / 1e6))
            out.write("\t".join(peers.COLUMNS) + "\n")
        if found and found[0].name.startswith("fx"):
            peers.measure(found, args.rounds)
            peers.report(found, "peers-groups", name, text_bytes / 1e6, out)


if __name__ == "__main__":
    main()
