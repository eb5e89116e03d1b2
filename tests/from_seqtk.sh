#!/bin/sh
# from_seqtk.sh SEQTK BUILD FILE... - seqtk, whose source lies in SEQTK, with one of its lines changed to include what
# examples/ has in the place of zlib.h (A), of kseq.h (B), or both, against the unchanged one: the same commands over the
# FASTQ and FASTA files must write the same bytes. BUILD has biostream.o, as `make examples` leaves it in build/default.
# Programs are made in build/from_seqtk. No test of CI: seqtk's source is in no package that CI installs.
# Ends with `N passed, N failed`.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
seqtk=$1
object=$2/biostream.o
shift 2
work=$top/build/from_seqtk
mkdir -p "$work"
passed=0
failed=0

for way in as_it_is A B AB; do
    cp "$seqtk"/*.h "$work/"
    sed -e "$(case $way in A*) echo 's|#include <zlib.h>|#include "gz_over_biostream.h"|' ;; esac)" \
        -e "$(case $way in *B) echo 's|#include "kseq.h"|#include "kseq_over_biostream.h"|' ;; esac)" \
        "$seqtk/seqtk.c" > "$work/$way.c"
    ${CC:-cc} -O2 -w -I"$top" -I"$top/examples" "$work/$way.c" "$object" ${LIBS:--ldeflate} -lz -lm -pthread -o "$work/$way" || exit 1
done

# same ARGUMENTS...: one command by all four.
same() {
    "$work/as_it_is" "$@" > "$work/expected" 2> /dev/null < /dev/null
    for way in A B AB; do
        "$work/$way" "$@" > "$work/actual" 2> /dev/null < /dev/null
        if cmp -s "$work/expected" "$work/actual"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED $way: seqtk $*"
        fi
    done
}

for file; do
    for command in seq comp fqchk 'seq -r' 'seq -A' 'seq -l 60 -U' trimfq size gc cutN rename hety 'seq -n N -q 20'; do
        # shellcheck disable=SC2086
        same $command "$file"
    done
    same sample -s 7 "$file" 0.3
done
test $# -lt 2 || same mergepe "$1" "$2"
for file; do
    case $file in *genome* | *human*)
        "$work/as_it_is" comp "$file" | awk '{ printf "%s\t10\t%d\n", $1, $2 / 2 }' > "$work/regions.bed"
        same subseq "$file" "$work/regions.bed" ;;
    esac
done
echo "$passed passed, $failed failed"
test $failed = 0
