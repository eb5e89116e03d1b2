#!/usr/bin/env bash
# ranks.sh [FILE] - what one rank costs: of text each reads and inflates all input, and encodes its own rows; of a store it
# reads its own rows alone. Processor time (user and system, all threads) of rank 0 of 1, 2, 4 and 8, each run alone, as a
# share of the run with one rank; for plain text, gzip, BGZF and a store without names and qualities, to u8 and f32. Prints
# a table. The runs take turns; medians of BENCH_ROUNDS (5) rounds.
#
# FILE is FASTQ, as short.fastq of make-data.sh; FILE.gz, FILE.bgzf.gz and FILE.bst are made beside it where they are
# missing.
# Without FILE: the reads of examples/data, 80 times over (290 MB), in build/bench/ranks. BENCH_WORKERS (1) threads.
set -eu
export LC_ALL=C
rounds=${BENCH_ROUNDS:-5}
workers=${BENCH_WORKERS:-1}
worlds='1 2 4 8'
work=build/bench/ranks
tools=build/examples
test -x $tools/fxbatch || { echo "ranks.sh: make examples goes before" >&2; exit 1; }
mkdir -p $work
file=${1:-}
if test -z "$file"; then
    file=$work/reads.fastq
    if ! test -f $file; then
        gzip -dc examples/data/illumina_hiseqx_150bp.fastq.gz > $work/once
        for ((i = 0; i < 80; ++i)); do cat $work/once; done > $work/part
        mv $work/part $file
    fi
fi
test -f "$file.gz" || { gzip -6 -n -c "$file" > "$work/part" && mv "$work/part" "$file.gz"; }
test -f "$file.bst" || $tools/fxstore "$file" --names none -o "$file.bst"
test -f "$file.bgzf.gz" || { bgzip -c "$file" > "$work/part" && mv "$work/part" "$file.bgzf.gz"; }

# cost COMMAND...: its processor time in seconds.
cost() {
    TIMEFORMAT='%3U %3S'
    { time "$@" > /dev/null 2> "$work/errors"; } 2>&1 | awk '{ print $1 + $2 }'
    test ! -s "$work/errors" || { cat "$work/errors" >&2; exit 1; }
}
batches() { # PACKING DTYPE WORLD
    local order='--shuffle 65536'
    test "$1" != .bst || order='--order exact'
    # shellcheck disable=SC2086
    cost "$tools/fxbatch" --bases 150 $order --no-digest --workers "$workers" --dtype "$2" --rank 0 --world "$3" "$file$1"
}

rm -f $work/*.times
for ((round = 0; round < rounds; ++round)); do
    for packing in '' .gz .bgzf.gz .bst; do
        test $packing. = .bst. || cost "$tools/fxunzip" -t "$workers" "$file$packing" >> "$work/text$packing.times"
        for dtype in u8 f32; do
            for world in $worlds; do batches "$packing" $dtype "$world" >> "$work/$dtype$packing.$world.times"; done
        done
    done
done

median() { sort -n "$1" | awk '{ a[NR] = $1 } END { print NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }
processor=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2> /dev/null | head -n 1)
echo "${processor:-unknown processor}, $(wc -c < "$file" | awk '{ printf "%.0f MB", $1 / 1e6 }') of reads of 150 bases, shuffle of 65536 rows,"
echo "or of a store any order; batches of 256 rows over all ranks, $workers worker(s), medians of $rounds rounds; seconds of processor time, then shares."
echo
echo "| input | x | 1 rank, s | 1 of 2 | 1 of 4 | 1 of 8 | text alone |"
echo "|---|---|--:|--:|--:|--:|--:|"
for packing in '' .gz .bgzf.gz .bst; do
    case $packing in '') name=plain ;; .gz) name=gzip ;; .bst) name=store ;; *) name=BGZF ;; esac
    text=-
    test $name = store || text=$(median "$work/text$packing.times")
    for dtype in u8 f32; do
        for world in $worlds; do median "$work/$dtype$packing.$world.times"; done | awk -v name=$name -v dtype=$dtype -v text="$text" '
            NR == 1 { one = $1; printf "| %s | %s | %.3f", name, dtype, one; next }
            { printf " | %.2f", $1 / one }
            END { if (text == "-") print " | - |"; else printf " | %.2f |\n", text / one }'
    done
done
