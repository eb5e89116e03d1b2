#!/bin/sh
# multimember.sh IN.fastq.gz OUT.fastq.gz - the same four-line records as gzip members of 1000 records each,
# joined into one file: the form that bcl2fastq writes, and that cat makes of lanes.
set -eu
parts=$2.parts
rm -rf "$parts"
mkdir -p "$parts"
gzip -dc "$1" | split -l 4000 - "$parts/"
for part in "$parts"/*; do
    gzip -n -4 -c "$part"
done > "$2"
rm -rf "$parts"
