#!/usr/bin/env python3
"""before_after.py BEFORE AFTER DATA [ROUNDS] - two versions of the example tools over the same files, in turns.

BEFORE and AFTER are folders with fxunzip, fxcount and fxbatch, each compiled as the tool's own comment says; DATA is
what `sh bench/make-data.sh DATA 96` has made. What both versions print is compared before anything is timed. Then
they take turns, ROUNDS times (2 or more, else 9), the first one changing; a row's figure is the median of the rounds' ratios of
speed, after / before (over 1: faster after), its noise half the distance of the quartiles. Prints a table per tool
and the geometric mean of all rows.
"""
import math
import os
import statistics
import subprocess
import sys
import time

FILES = [("short", "short.fastq"), ("nova", "nova.fastq"), ("long", "long.fastq"), ("genome", "genome.fa")]
FORMS = [("plain", ""), ("gz", ".gz"), ("bgzf", ".bgzf.gz")]


def command(tool, path, workers):
    """The command line of one row."""
    if tool == "fxbatch":
        pieces = ["--long", "split"] if path.count("long.fastq") or path.count("genome.fa") else []
        return ["--bases", "150", "--shuffle", "16384", "--rc", "0.5", "--workers", str(workers)] + pieces + [path]
    return ["--workers", str(workers), path]


def without_speed(text):
    """What must be the same: all but the speed at a line's end, and the bound of memory."""
    return [line.split(b"\tMB/s")[0].split(b"\tmemory_bytes")[0] for line in text.split(b"\n")]


def seconds(argv):
    start = time.perf_counter()
    subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main():
    before, after, data = sys.argv[1:4]
    rounds = max(2, int(sys.argv[4])) if len(sys.argv) > 4 else 9
    logs = []
    worst = None
    for tool in ("fxunzip", "fxcount", "fxbatch"):
        for workers in (1, 2):
            print(f"\n{tool}, {workers} worker{'s' if workers > 1 else ''}, after / before")
            print("| |" + "|".join(name for name, _ in FILES) + "|")
            print("|---|" + "--:|" * len(FILES))
            for form, suffix in FORMS:
                cells = []
                for name, file in FILES:
                    rest = command(tool, os.path.join(data, file + suffix), workers)
                    both = [[os.path.join(folder, tool)] + rest for folder in (before, after)]
                    printed = [subprocess.run(argv, capture_output=True, check=True).stdout for argv in both]
                    if without_speed(printed[0]) != without_speed(printed[1]):
                        sys.exit(f"{' '.join(both[0])} and {' '.join(both[1])} print different things")
                    ratios = []
                    for turn in range(rounds):
                        taken = [0.0, 0.0]
                        for which in ((0, 1), (1, 0))[turn % 2]:
                            taken[which] = seconds(both[which])
                        ratios.append(taken[0] / taken[1])
                    quartiles = statistics.quantiles(ratios, n=4)
                    ratio = statistics.median(ratios)
                    logs.append(math.log(ratio))
                    worst = min(worst, (ratio, tool, workers, form, name)) if worst else (ratio, tool, workers, form, name)
                    cells.append(f"{ratio:.2f} +-{(quartiles[2] - quartiles[0]) / 2:.2f}")
                print(f"| {form} |" + "|".join(cells) + "|", flush=True)
    print(f"\ngeometric mean of {len(logs)} rows {math.exp(sum(logs) / len(logs)):.3f}, least {worst[0]:.2f} "
          f"({worst[1]}, {worst[2]} workers, {worst[3]}, {worst[4]})")


main()
