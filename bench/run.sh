#!/bin/sh
# run.sh DIR - run the benchmarks in DIR; called by `make bench`.
#
#   BENCH_DATA=FOLDER   where `sh bench/make-data.sh FOLDER 64` put its files; without it the small reads in
#                       examples/data are taken, which is good for a look and not for a figure
set -u
dir=$1
if test -n "${BENCH_DATA:-}"; then
    set -- "$BENCH_DATA/short.fastq" "$BENCH_DATA/short.fastq.gz" "$BENCH_DATA/nova.fastq.gz"
    for file in "$@"; do
        if test ! -f "$file"; then
            echo "$file is not there; make it with: sh bench/make-data.sh '$BENCH_DATA' 64" >&2
            exit 1
        fi
    done
else
    echo "BENCH_DATA is not set: measuring on the small reads of examples/data"
    set -- examples/data/illumina_hiseqx_150bp.fastq.gz
fi
exec "$dir/bench_loader" "$@"
