#!/bin/sh
# switches.sh [ROUNDS] - the prices of the layer switches of biostream.h: what remains of the time to compile the
# implementation at -O2 and at -O0, and of its code at -O2, with each switch and with all of them. Processor time of the
# compiler; the variants take turns, ROUNDS times (else 7), and the median of the rounds' ratios counts.
set -eu
CC=${CC:-cc}
rounds=${1:-7}
dir=build/bench/switches
mkdir -p "$dir"
printf '#define BIOSTREAM_IMPLEMENTATION\n#include "biostream.h"\n' > "$dir/implement.c"

switches='whole NO_LOADER NO_PARALLEL_GZIP NO_SIMD all'
flags_of() {
    case $1 in
        whole) ;;
        all) for switch in $switches; do case $switch in NO_*) echo "-DBIOSTREAM_$switch" ;; esac; done ;;
        *) echo "-DBIOSTREAM_$1" ;;
    esac
}

# seconds OPTIMIZATION SWITCH: of the processor, by the shell's own sum of its children.
seconds() {
    (
        # shellcheck disable=SC2046
        $CC -std=c99 "$1" -I. $(flags_of "$2") -c "$dir/implement.c" -o "$dir/$2$1.o"
        times > "$dir/times.txt"
        awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += 60 * t[1] + t[2] } print sum }' \
            "$dir/times.txt"
    )
}

for optimization in -O2 -O0; do
    : > "$dir/times$optimization.txt"
    round=0
    while test $round -lt "$rounds"; do
        line=
        for switch in $switches; do line="$line $(seconds $optimization "$switch")"; done
        echo "$line" >> "$dir/times$optimization.txt"
        round=$((round + 1))
    done
done

# ratio OPTIMIZATION COLUMN: the median of the rounds' ratios to the first column.
ratio() {
    awk -v c="$2" '{ print $c / $1 }' "$dir/times$1.txt" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
code_bytes() { size "$dir/$1-O2.o" | awk 'NR == 2 { print $1 + $2 }'; }

$CC --version | sed -n 1p
awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo 2> /dev/null || true
printf '%-18s %8s %8s %12s\n' switch '-O2' '-O0' 'code bytes'
column=1
for switch in $switches; do
    printf '%-18s %8.2f %8.2f %12d\n' "$switch" "$(ratio -O2 $column)" "$(ratio -O0 $column)" "$(code_bytes "$switch")"
    column=$((column + 1))
done
