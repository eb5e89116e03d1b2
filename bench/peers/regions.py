#!/usr/bin/env python3
"""regions.py - random regions of a genome as one-hot u8: a store of ours against what one writes in Python.

    python3 bench/peers/regions.py [--rounds 5] [--regions 64] [--ours BENCH_STORE --folder FOLDER] GENOME.fa

To [regions][bases][4], A C G T, lower case as upper, all else 0, strand plus:

  pyfastx + numpy table      fetch of letters, numpy.frombuffer, a table of 256 words
  pyfaidx, Python strings    record[start:end], a loop over its letters with a dictionary; over 2 regions a round
  GenVarLoader + SeqPro      RefDataset over the regions, all rows at once, seqpro.ohe; the genome is in memory
  GenVarLoader + numpy table the same letters by the table
  pyfastx + SeqPro           fetch of letters, upper case, seqpro.ohe

Outputs are compared before anything is timed. The index of each is made before. One thread each. Ours is a loader with one
worker over a store of the same file, in EXACT order, to the same tensor: BENCH_STORE (build/bench/bench_store) measures it
once each round, in turns with the others; it writes the store to FOLDER. Packages: numpy pyfastx pyfaidx (PyPI), and
genvarloader seqpro, whose rows are left out where they are not installed. GenVarLoader keeps GENOME.fa.gvlfa beside the file.
"""
import argparse
import importlib.util
import os
import random
import re
import statistics
import subprocess
import time

os.environ.update(GVL_NUM_THREADS="1", NUMBA_NUM_THREADS="1", RAYON_NUM_THREADS="1")  # read when they are imported
import numpy as np
import pyfaidx
import pyfastx

BASES = 131072  # of a region
SLOW = 2  # regions of a round in Python strings


def make_table():
    """The four channels of a letter as one word: so numpy is fastest, twelve times as fast as table[letters] of rows."""
    table = np.zeros((256, 4), dtype=np.uint8)
    for channel, letter in enumerate("ACGT"):
        table[ord(letter), channel] = table[ord(letter.lower()), channel] = 1
    return table.view(np.uint32).ravel()


def look_up(table, letters, out):
    np.take(table, letters, out=out.view(np.uint32).reshape(letters.shape), mode="clip")
    return out


def by_table(genome, table, regions, out):
    for row, (name, start, end) in enumerate(regions):
        look_up(table, np.frombuffer(genome.fetch(name, (start + 1, end)).encode(), dtype=np.uint8), out[row])
    return out


def by_gvl(dataset, table, out):
    return look_up(table, dataset[np.arange(len(dataset))].view(np.uint8), out)


def by_strings(genome, regions):
    hot = {"A": [1, 0, 0, 0], "C": [0, 1, 0, 0], "G": [0, 0, 1, 0], "T": [0, 0, 0, 1]}
    none = [0, 0, 0, 0]
    rows = [[hot.get(letter, none) for letter in str(genome[name][start:end]).upper()]
            for name, start, end in regions]
    return np.array(rows, dtype=np.uint8)


def by_seqpro(genome, sp, regions):
    letters = "".join(genome.fetch(name, (start + 1, end)) for name, start, end in regions).upper()
    return sp.ohe(np.frombuffer(letters.encode(), dtype="S1").reshape(len(regions), -1), sp.DNA)


def open_gvl(path, regions):
    """All regions as a dataset whose rows are letters, upper case."""
    import genvarloader as gvl
    import polars as pl
    names, starts, ends = zip(*regions)
    bed = pl.DataFrame({"chrom": names, "chromStart": starts, "chromEnd": ends})
    return gvl.RefDataset(gvl.Reference.from_path(path), bed).with_len(BASES)


def contenders(wish, fast, slow, table, regions):
    """{name: (function of none that makes a tensor, its regions)}"""
    few, out = regions[:SLOW], np.zeros((len(regions), BASES, 4), dtype=np.uint8)  # memory that is there, as ours is
    made = {"pyfastx + numpy table": (lambda: by_table(fast, table, regions, out), regions),
            "pyfaidx, Python strings": (lambda: by_strings(slow, few), few)}
    if importlib.util.find_spec("genvarloader") and importlib.util.find_spec("seqpro"):
        import seqpro as sp
        dataset, rows = open_gvl(wish.genome, regions), np.arange(len(regions))
        made["GenVarLoader + SeqPro"] = lambda: sp.ohe(dataset[rows], sp.DNA), regions
        made["GenVarLoader + numpy table"] = lambda: by_gvl(dataset, table, out), regions
        made["pyfastx + SeqPro"] = lambda: by_seqpro(fast, sp, regions), regions
    return made


def ours(wish):
    """Seconds a region: the median of five rounds of bench_store."""
    text = subprocess.run([wish.ours, wish.genome, wish.genome, wish.genome, wish.folder], check=True, text=True,
                          env=dict(os.environ, BENCH_STORE_PART="onehot", BENCH_ROUNDS="5"),
                          stdout=subprocess.PIPE).stdout
    return BASES / 1e6 / float(re.search(r"u8 one-hot, plus +([0-9.]+) Mbase/s", text).group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--regions", type=int, default=64)
    parser.add_argument("--ours")
    parser.add_argument("--folder", default=".")
    parser.add_argument("genome")
    wish = parser.parse_args()
    fast, slow, table = pyfastx.Fasta(wish.genome), pyfaidx.Fasta(wish.genome), make_table()
    draw = random.Random(1)
    lengths = {name: len(slow[name]) for name in slow.keys() if len(slow[name]) > BASES}
    names = sorted(lengths)
    regions = []
    for _ in range(wish.regions):
        name = draw.choice(names)
        start = draw.randrange(lengths[name] - BASES)
        regions.append((name, start, start + BASES))
    made = contenders(wish, fast, slow, table, regions)
    want = made["pyfastx + numpy table"][0]().copy()
    for name, (make, of) in made.items():
        if not np.array_equal(make(), want[:len(of)]):
            raise SystemExit(f"the outputs differ, nothing is timed: {name}")
    del want
    seconds = {name: [] for name in [*made] + ["ours"] * bool(wish.ours)}
    for _ in range(wish.rounds):
        for name, (make, of) in made.items():
            make()  # another program ran before it, and took its caches
            start = time.perf_counter()
            make()
            seconds[name].append((time.perf_counter() - start) / len(of))
        if wish.ours:
            seconds["ours"].append(ours(wish))
    for name, each in seconds.items():
        rate = BASES / statistics.median(each) / 1e6
        ratio = f"   ours {statistics.median(each) / statistics.median(seconds['ours']):.1f} times" if wish.ours else ""
        print(f"{name:27} {rate:10.2f} Mbase/s{ratio}")


if __name__ == "__main__":
    main()
