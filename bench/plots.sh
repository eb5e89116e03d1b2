#!/bin/sh
# plots.sh [DIR...] - draw {inflate,gzip,parse,pipe,kernels}.svg in each DIR from the files of results there; without DIR
# in the folders of bench/results, one for each processor.
# What they show is in plots.tsv. A plot of which nothing was measured is not drawn.
set -eu
here=$(dirname "$0")
test $# != 0 || set -- bench/results/*/
for dir in "$@"; do
    dir=${dir%/}
    if ! ls "$dir"/*.tsv > /dev/null 2>&1; then
        echo "there are no results in $dir; make them with: BENCH_DATA=FOLDER make bench" >&2
        exit 1
    fi
    for plot in inflate gzip parse pipe kernels; do
        if awk -v plot=$plot -f "$here/plots.awk" "$here/plots.tsv" "$dir"/*.tsv > "$dir/$plot.svg.new"; then
            mv "$dir/$plot.svg.new" "$dir/$plot.svg"
            echo "$dir/$plot.svg"
        else
            rm -f "$dir/$plot.svg.new"
            echo "$dir: $plot: nothing was measured"
        fi
    done
done
