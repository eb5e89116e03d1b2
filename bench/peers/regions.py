#!/usr/bin/env python3
"""regions.py - random regions of a genome as one-hot u8: a store of ours against what one writes in Python.

    python3 bench/peers/regions.py [--rounds 5] [--regions 64] [--ours BENCH_STORE --folder FOLDER] GENOME.fa

To [regions][bases][4], A C G T, lower case as upper, all else 0, strand plus:

  pyfastx + numpy table      fetch of letters, numpy.frombuffer, a table of 256 rows
  pyfaidx, Python strings    record[start:end], a loop over its letters with a dictionary; over 2 regions a round

Outputs are compared before anything is timed. The index of each is made before. Ours is a loader with one worker over a
store of the same file, in EXACT order, to the same tensor: BENCH_STORE (build/bench/bench_store) measures it once each
round, in turns with the others; it writes the store to FOLDER. Packages: numpy pyfastx pyfaidx (PyPI).
"""
import argparse
import os
import random
import re
import statistics
import subprocess
import time

import numpy as np
import pyfaidx
import pyfastx

BASES = 131072  # of a region
SLOW = 2  # regions of a round in Python strings


def make_table():
    table = np.zeros((256, 4), dtype=np.uint8)
    for channel, letter in enumerate("ACGT"):
        table[ord(letter), channel] = table[ord(letter.lower()), channel] = 1
    return table


def by_table(genome, table, regions):
    out = np.empty((len(regions), regions[0][2] - regions[0][1], 4), dtype=np.uint8)
    for row, (name, start, end) in enumerate(regions):
        out[row] = table[np.frombuffer(genome.fetch(name, (start + 1, end)).encode(), dtype=np.uint8)]
    return out


def by_strings(genome, regions):
    hot = {"A": [1, 0, 0, 0], "C": [0, 1, 0, 0], "G": [0, 0, 1, 0], "T": [0, 0, 0, 1]}
    none = [0, 0, 0, 0]
    rows = [[hot.get(letter, none) for letter in str(genome[name][start:end]).upper()]
            for name, start, end in regions]
    return np.array(rows, dtype=np.uint8)


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
    if not np.array_equal(by_table(fast, table, regions[:SLOW]), by_strings(slow, regions[:SLOW])):
        raise SystemExit("the outputs differ, nothing is timed")
    seconds = {"pyfastx + numpy table": [], "pyfaidx, Python strings": []}
    if wish.ours:
        seconds["ours"] = []
    for _ in range(wish.rounds):
        start = time.perf_counter()
        by_table(fast, table, regions)
        seconds["pyfastx + numpy table"].append((time.perf_counter() - start) / len(regions))
        start = time.perf_counter()
        by_strings(slow, regions[:SLOW])
        seconds["pyfaidx, Python strings"].append((time.perf_counter() - start) / SLOW)
        if wish.ours:
            seconds["ours"].append(ours(wish))
    for name, each in seconds.items():
        rate = BASES / statistics.median(each) / 1e6
        ratio = f"   ours {statistics.median(each) / statistics.median(seconds['ours']):.1f} times" if wish.ours else ""
        print(f"{name:26} {rate:10.2f} Mbase/s{ratio}")


if __name__ == "__main__":
    main()
