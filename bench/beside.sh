#!/usr/bin/env bash
# beside.sh FILE - what a second worker costs, and why: one worker alone; two programs of one worker each at the same time,
# which share nothing but the machine; one program of two workers, whose cores pass text, rows and locks to one another.
# Processor time (user and system) and time by the clock; batches of 256 rows of 150 bases, f32, bare, with a shuffle of
# 65536 rows, and with all that trainers use, 3 epochs. Prints a table. The runs take turns; medians of BENCH_ROUNDS (7).
#
#   together  processor time of each of the two programs, over that of one alone: cores that share memory and clock
#   sharing   processor time of two workers, over that of one of the two programs: data and locks that move between cores
#   2 workers, 2 programs   how many times as fast as one worker by the clock, of as much work
#
# FILE is FASTQ, as short.fastq of make-data.sh, with FILE.gz and FILE.bgzf.gz beside it.
set -eu
export LC_ALL=C
rounds=${BENCH_ROUNDS:-7}
work=build/bench/beside
tool=build/examples/fxbatch
file=${1:?beside.sh: which FASTQ file}
test -x $tool || { echo "beside.sh: make examples goes before" >&2; exit 1; }
mkdir -p $work
rm -f $work/*.times

# batches WORKERS PACKING [FLAG]...: 3 epochs. Its processor time and its time by the clock, in seconds, go to standard output.
batches() {
    local count=$1 packing=$2
    shift 2
    TIMEFORMAT='%3U %3S %3R'
    { time $tool --bases 150 --dtype f32 --no-digest --epochs 3 --workers "$count" "$@" "$file$packing" > /dev/null; } 2>&1 |
        awk '{ print $1 + $2, $3 }'
}
round() { # NAME PACKING [FLAG]...
    local name=$1 packing=$2
    shift 2
    batches 1 "$packing" "$@" >> "$work/$name.alone.times"
    batches 1 "$packing" "$@" > $work/first &
    batches 1 "$packing" "$@" >> "$work/$name.beside.times"
    wait
    cat $work/first >> "$work/$name.beside.times"
    batches 2 "$packing" "$@" >> "$work/$name.two.times"
}
median() { # COLUMN FILE
    awk -v column="$1" '{ print $column }' "$2" | sort -n |
        awk '{ a[NR] = $1 } END { print NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'
}

all='--shuffle 65536 --rc 0.5 --quality phred --mask'
for ((i = 0; i < rounds; ++i)); do
    for packing in '' .gz .bgzf.gz; do
        round "bare$packing" "$packing"
        round "shuffle$packing" "$packing" --shuffle 65536
        # shellcheck disable=SC2086
        round "all$packing" "$packing" $all
    done
done
processor=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2> /dev/null | head -n 1)
echo "${processor:-unknown processor}, $(wc -c < "$file" | awk '{ printf "%.0f MB", $1 / 1e6 }') of text, f32, 3 epochs, medians of $rounds rounds"
echo
echo "| input | rows | alone, CPU s | together | sharing | 2 workers | 2 programs |"
echo "|---|---|--:|--:|--:|--:|--:|"
for packing in '' .gz .bgzf.gz; do
    case $packing in '') name=plain ;; .gz) name=gzip ;; *) name=BGZF ;; esac
    for rows in bare shuffle all; do
        at=$work/$rows$packing
        {
            for what in alone beside two; do
                median 1 "$at.$what.times"
                median 2 "$at.$what.times"
            done
        } | tr '\n' ' ' | awk -v name=$name -v rows=$rows '{
            printf "| %s | %s | %.3f | %.2f | %.2f | %.2f | %.2f |\n", name, rows, $1, $3 / $1, $5 / $3, $2 / $6, 2 * $2 / $4 }'
    done
done
