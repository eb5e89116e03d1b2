#!/bin/sh
# switches.sh [--write] [ROUNDS] - the prices of the layer switches of biostream.h: what remains of the time to compile the
# implementation at -O2 and at -O0, and of its code at -O2, with each switch and with all of them. Processor time of the
# compiler; the variants take turns, ROUNDS times (else 7), and the median of the rounds' ratios counts. The switches are
# those whose price stands in >>options, as `remains 92 %, 98 %, 92 %`; with --write it is made anew there.
#
# switches.sh --check HEADER DIR - print which of HEADER's prices of code, the last of the three, is not what it is within
# 3 points. That of time is another on each machine. For the lint.
set -eu
CC=${CC:-cc}
mode=
case ${1:-} in --write | --check) mode=$1 && shift ;; esac
header=biostream.h
dir=build/bench/switches
rounds=${1:-7}
if test "$mode" = --check; then
    header=$1
    dir=$2
fi
mkdir -p "$dir"
case $header in /*) path=$header ;; *) path=$PWD/$header ;; esac
printf '#define BIOSTREAM_IMPLEMENTATION\n#include "%s"\n' "$path" > "$dir/switches.c"

# SWITCH and what is said to remain of the code; `all` stands for all of them.
prices() {
    awk '
        /^ \* BIOSTREAM_NO_[A-Z_]+ / { name = substr($2, 11) }
        /^ \* all of them / { name = "all" }
        name != "" && match($0, /remains [0-9]+ %, [0-9]+ %, [0-9]+ %/) {
            split(substr($0, RSTART, RLENGTH), word, " ")
            print substr(name, 1), word[6]
            name = ""
        }' "$header"
}
switches=$(prices | sed 's/ .*//')
flags_of() {
    case $1 in
        whole) ;;
        all) for switch in $switches; do case $switch in NO_*) echo "-DBIOSTREAM_$switch" ;; esac; done ;;
        *) echo "-DBIOSTREAM_$1" ;;
    esac
}

# compile OPTIMIZATION SWITCH
compile() {
    # shellcheck disable=SC2046
    $CC -std=c99 "$1" $(flags_of "$2") -c "$dir/switches.c" -o "$dir/$2$1.o"
}
code_bytes() { size "$dir/$1-O2.o" | awk 'NR == 2 { print $1 + $2 }'; }

if test "$mode" = --check; then
    test -n "$switches" || exit 0
    compile -O2 whole
    whole=$(code_bytes whole)
    prices | while read -r switch said; do
        compile -O2 "$switch"
        awk -v switch="$switch" -v said="$said" -v whole="$whole" -v code="$(code_bytes "$switch")" 'BEGIN {
            is = 100 * code / whole
            if (is > said + 3 || is < said - 3)
                printf "%s: %d %% of the code is said to remain, and %.0f %% do: sh bench/switches.sh --write\n", switch, said, is
        }'
    done
    exit
fi

# seconds OPTIMIZATION SWITCH: of the processor, by the shell's own sum of its children.
seconds() {
    (
        compile "$1" "$2"
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
        for switch in whole $switches; do line="$line $(seconds $optimization "$switch")"; done
        echo "$line" >> "$dir/times$optimization.txt"
        round=$((round + 1))
    done
done

# ratio OPTIMIZATION COLUMN: the median of the rounds' ratios to the first column.
ratio() {
    awk -v c="$2" '{ print $c / $1 }' "$dir/times$1.txt" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

$CC --version | sed -n 1p
awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo 2> /dev/null || true
printf '%-18s %8s %8s %12s\n' switch '-O2' '-O0' 'code bytes'
column=1
for switch in whole $switches; do
    printf '%-18s %8.2f %8.2f %12d\n' "$switch" "$(ratio -O2 $column)" "$(ratio -O0 $column)" "$(code_bytes "$switch")"
    column=$((column + 1))
done | tee "$dir/prices.txt"
test "$mode" = --write || exit 0
awk '
    FNR == NR {
        whole = $1 == "whole" ? $4 : whole
        price[$1] = sprintf("remains %.0f %%, %.0f %%, %.0f %%", 100 * $2, 100 * $3, 100 * $4 / whole)
        next
    }
    /^ \* BIOSTREAM_NO_[A-Z_]+ / { name = substr($2, 11) }
    /^ \* all of them / { name = "all" }
    name != "" && name in price && sub(/remains [0-9]+ %, [0-9]+ %, [0-9]+ %/, price[name]) { name = "" }
    { print }' "$dir/prices.txt" "$header" > "$dir/header.h"
cat "$dir/header.h" > "$header"
