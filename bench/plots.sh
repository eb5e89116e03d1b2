#!/bin/sh
# plots.sh [DIR] - draw DIR/{inflate,gzip,parse,pipe,kernels}.svg from the files of results in DIR (bench/results without it).
# What they show is in plots.tsv. A plot of which nothing was measured is not drawn.
set -eu
dir=${1:-bench/results}
here=$(dirname "$0")
set -- "$dir"/*.tsv
if test ! -f "$1"; then
    echo "there are no results in $dir; make them with: BENCH_DATA=FOLDER make bench" >&2
    exit 1
fi
for plot in inflate gzip parse pipe kernels; do
    if awk -v plot=$plot -f "$here/plots.awk" "$here/plots.tsv" "$@" > "$dir/$plot.svg.new"; then
        mv "$dir/$plot.svg.new" "$dir/$plot.svg"
        echo "$dir/$plot.svg"
    else
        rm -f "$dir/$plot.svg.new"
        echo "$plot: nothing was measured"
    fi
done
