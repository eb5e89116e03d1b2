#!/bin/sh
# compile_time.sh [OPTION]... HEADER DIR [judge] - how long HEADER's implementation takes to compile at -O0 and at -O2,
# as a ratio to a reference file that is the same everywhere, so that the machine's speed falls out. Processor time;
# the files alternate, and the median of the rounds' ratios counts. With `judge` the ratios are held to the rows
# compile_O0_gcc* and compile_O2_gcc* of the table of limits, and the last line is `N passed, N failed`; compilers
# other than gcc for 64-bit x86 pass, because the limits are not theirs.
# The object of -O2 stays in DIR/fast.o.
#
#   --rounds N         how many times; else 3
#   --limits FILE      the table of limits; else lint_limits.tsv beside this script
#   --reference FILE   another reference file
#   --table            print the table with the ratios of today, and a margin of 8 %, as HEADER's limits
#   --lower            lower HEADER's limits in the table likewise; none is raised
set -u
here=$(dirname "$0")
CC=${CC:-cc}
mode=print
rounds=3
limits=$here/lint_limits.tsv
reference=
while :; do
    case ${1:-} in
    --rounds) rounds=$2 && shift ;;
    --limits) limits=$2 && shift ;;
    --reference) reference=$2 && shift ;;
    --table) mode=table ;;
    --lower) mode=lower ;;
    *) break ;;
    esac
    shift
done
header=$1
dir=$2
test "${3:-}" != judge || mode=judge
case $header in /*) path=$header ;; *) path=$(pwd)/$header ;; esac
mkdir -p "$dir"

fail() {
    echo "FAILED compile_time: $1"
    echo "0 passed, 1 failed"
    exit 1
}

if test -z "$reference"; then
    reference=$dir/reference.c
    awk -f "$here/compile_reference.awk" > "$reference"
    sum=$(cksum < "$reference")
    test "$sum" = "2809943198 276933" || fail "this awk writes another reference file, cksum $sum"
fi
printf '#define BIOSTREAM_IMPLEMENTATION\n#define BIOSTREAM_CUDA_IMPLEMENTATION\n#include "%s"\n' "$path" \
    > "$dir/implement.c"

# compile NAME FLAG FILE OBJECT TIMES: add the processor seconds it took, by the shell's own sum of its children, to
# DIR/NAME.txt; of TIMES compiles the mean.
compile() {
    (
        time=0
        while test $time -lt "$5"; do
            $CC -std=c99 "$2" -c "$3" -o "$4" > "$dir/compile.txt" 2>&1 ||
                echo "$CC failed" >> "$dir/compile.txt"
            time=$((time + 1))
        done
        times
    ) | awk -v count="$5" '
        NF == 2 { last = $0 }
        END     { split(last, t, /[ms ]+/); printf "%.3f\n", (t[1] * 60 + t[2] + t[3] * 60 + t[4]) / count }' \
        >> "$dir/$1.txt"
    if test -s "$dir/compile.txt"; then
        cat "$dir/compile.txt"
        fail "$3 does not compile cleanly"
    fi
}

# The median of numbers on standard input, one a line.
median() { sort -n | awk '{ sorted[NR] = $1 } END { print sorted[int((NR + 1) / 2)] }'; }

# ratio LEVEL: the median of the rounds' ratios. A time too short to measure is a hundredth of a second.
ratio() {
    paste "$dir/ours_$1.txt" "$dir/reference_$1.txt" |
        awk '{ printf "%.2f\n", ($1 > 0 ? $1 : 0.01) / ($2 > 0 ? $2 : 0.01) }' | median
}

# measure ROUNDS: that many rounds more, and the ratios of all so far.
measure() {
    round=0
    while test $round -lt "$1"; do
        # The reference is small, and a short time is told less exactly.
        compile reference_O0 -O0 "$reference" "$dir/reference.o" 4
        compile ours_O0 -O0 "$dir/implement.c" "$dir/slow.o" 1
        compile reference_O2 -O2 "$reference" "$dir/reference.o" 2
        compile ours_O2 -O2 "$dir/implement.c" "$dir/fast.o" 1
        round=$((round + 1))
    done
    ratio_O0=$(ratio O0)
    ratio_O2=$(ratio O2)
}

for name in ours_O0 ours_O2 reference_O0 reference_O2; do : > "$dir/$name.txt"; done
measure "$rounds"
seconds_O0=$(median < "$dir/ours_O0.txt")
seconds_O2=$(median < "$dir/ours_O2.txt")
shown=$(basename "$header")
if test $mode != table; then
    printf 'measure: compile -O2 %.1f s, %s times the reference file; -O0 %.1f s, %s times\n' \
        "$seconds_O2" "$ratio_O2" "$seconds_O0" "$ratio_O0"
fi
test $mode != print || exit 0

compiler=$(sh "$here/compiler_of_sizes.sh" "$dir")
if test -z "$compiler"; then
    echo "the limits are those of gcc for 64-bit x86"
    test $mode = judge || exit 1
    echo "1 passed, 0 failed"
    exit 0
fi
# judged: the rows of the table, held to the ratios.
judged() {
    printf 'compile_O0%s\t-\t%s\t-\ncompile_O2%s\t-\t%s\t-\n' "$compiler" "$ratio_O0" "$compiler" "$ratio_O2" \
        > "$dir/ratios.tsv"
    awk -v header="$shown" -v only='^compile_' -v mode=$mode -f "$here/limits.awk" "$limits" "$dir/ratios.tsv" \
        > "$dir/judged.txt"
}
judged || exit 1
# On a machine with neighbours three rounds are a tenth apart: what is beyond a limit is measured again, and the median
# of all rounds counts.
if test $mode = judge && grep -q '^FAILED compile_' "$dir/judged.txt"; then
    measure $((2 * rounds))
    echo "measure: with $((2 * rounds)) rounds more compile -O2 $ratio_O2 times the reference file; -O0 $ratio_O0 times"
    judged || exit 1
fi
case $mode in
table) cat "$dir/judged.txt" ;;
lower) cat "$dir/judged.txt" > "$limits" ;;
judge)
    cat "$dir/judged.txt"
    awk '/^ok / { ++p } /^FAILED / { ++f } END { printf "%d passed, %d failed\n", p, f; exit (f > 0) }' "$dir/judged.txt"
    ;;
esac
