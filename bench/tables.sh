#!/bin/sh
# tables.sh [DIR] - of each processor whose files of results lie in DIR (bench/results without it) write the page
# DIR/PROCESSOR/README.md anew: its pictures, then the tables of all stages.
set -eu
dir=${1:-bench/results}
here=$(dirname "$0")
found=no
for folder in "$dir"/*/; do
    folder=${folder%/}
    set -- "$folder"/*.tsv
    test -f "$1" || continue
    found=yes
    {
        sed -n 's/^# processor */# /p' "$1" | head -n 1
        printf '\nMade by `sh bench/tables.sh` from the files beside it. [bench/README.md](../../README.md) says what each stage is.\n\n'
        for plot in "$folder"/*.svg; do
            test ! -f "$plot" || printf '![%s](%s)\n\n' "$(basename "$plot" .svg)" "${plot##*/}"
        done
        awk -f "$here/tables.awk" "$here/why.tsv" "$@"
    } > "$folder/README.md.tmp"
    mv "$folder/README.md.tmp" "$folder/README.md"
done
if test $found = no; then
    echo "there are no results in $dir; make them with: BENCH_DATA=FOLDER make bench" >&2
    exit 1
fi
