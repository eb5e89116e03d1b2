#!/bin/sh
# tables.sh [DIR [README]] - Markdown tables of the files of results in DIR (bench/results without it) and the folders in
# it, one for each processor: printed, or with README put between the marks of that text, which is written anew.
set -eu
dir=${1:-bench/results}
text=${2:-}
here=$(dirname "$0")
set --
for file in "$dir"/*.tsv "$dir"/*/*.tsv; do
    test ! -f "$file" || set -- "$@" "$file"
done
if test $# = 0; then
    echo "there are no results in $dir; make them with: BENCH_DATA=FOLDER make bench" >&2
    exit 1
fi
if test -z "$text"; then
    exec awk -f "$here/tables.awk" "$@"
fi
awk -v text="$text" -f "$here/tables.awk" "$@" > "$text.tmp"
mv "$text.tmp" "$text"
