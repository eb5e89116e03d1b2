#!/bin/sh
# instructions.sh [--lower] LIBRARY DIR - count the instructions of the jobs of tests/instructions.c, linked with LIBRARY
# (libbiostream.a of `make lib`, as it is shipped), and hold them to tests/instructions.tsv: a job with over 2 % more
# fails, one with over 2 % less asks to lower its row. The last line is `N passed, N failed`.
#
#   --lower        write lower figures of jobs, and those of jobs without a row, into the table; none is raised
#   --judge FILE   count nothing: judge the counts in FILE (job, tab, count) by the table
#   --table FILE   another table
#
# callgrind counts, which runs the program on a processor of its own without AVX-512: the figures are the same on every
# x86-64 processor with AVX2, and the same each time. Counted is the program's own code, the library in it; not the C
# library's, whose copying is another one on each processor. They are of gcc 12 and CFLAGS=-O2: of other compilers they
# are printed and not judged. perf would count the kernels with AVX-512 too, but differently on each processor.
set -u
here=$(dirname "$0")
CC=${CC:-cc}
table=$here/instructions.tsv
mode=judge
counts=
while :; do
    case ${1:-} in
        --lower) mode=lower ;;
        --judge) counts=$2 && shift ;;
        --table) table=$2 && shift ;;
        *) break ;;
    esac
    shift
done

# judge FILE COMPILER: the counts in FILE by the rows of the table.
judge() {
    awk -F '\t' -v of="$2" '
        FNR == NR { if (/^[a-z]/) { limits[$1] = $2; rows++ } next }
        {
            seen[$1] = 1
            if (!($1 in limits)) {
                printf "FAILED instructions %s: %d, and no row in the table\n", $1, $2
                failed++
                next
            }
            change = 100 * ($2 / limits[$1] - 1)
            printf "%-24s %10d  %+.2f %%\n", $1, $2, change
            if (of == "_gcc12" && 100 * $2 > 102 * limits[$1]) {
                printf "FAILED instructions %s: %d are %.1f %% more than %d\n", $1, $2, change, limits[$1]
                failed++
            } else {
                passed++
            }
            if (of == "_gcc12" && 100 * $2 < 98 * limits[$1]) {
                printf "lower the row of %s to %d (sh tests/instructions.sh --lower)\n", $1, $2
            }
        }
        END {
            for (name in limits) {
                if (!(name in seen)) {
                    printf "FAILED instructions %s: the table has a row, and no job is called so\n", name
                    failed++
                }
            }
            if (of != "_gcc12") {
                print "not judged: the figures are of gcc 12 with CFLAGS=-O2"
            }
            printf "%d passed, %d failed\n", passed, failed
            exit failed > 0 || rows == 0
        }' "$table" "$1"
}

if test -n "$counts"; then
    judge "$counts" _gcc12
    exit
fi
library=$1
dir=$2
rm -rf "$dir"
mkdir -p "$dir"

skip() {
    echo "skipped: $1"
    echo "0 passed, 0 failed"
    exit 0
}
fail() {
    echo "FAILED instructions: $1"
    test $# = 1 || sed 's/^/    /' "$2" | tail -n 20
    echo "0 passed, 1 failed"
    exit 1
}

command -v valgrind > /dev/null || skip "valgrind, to count instructions"
compiler=$(sh "$here/compiler_of_sizes.sh" "$dir")
test "${CFLAGS:--O2}" = -O2 || compiler=
$CC -O2 -DBIOSTREAM_IMPLEMENTED "$here/instructions.c" "$library" -o "$dir/instructions" -pthread > "$dir/cc.txt" 2>&1 ||
    fail "tests/instructions.c does not compile" "$dir/cc.txt"

# count TOOL ARGUMENT...: the program under it, without what the environment says.
count() { env -i PATH="$PATH" LC_ALL=C valgrind "$@" 2> "$dir/valgrind.txt"; }

count --tool=none "$dir/instructions" cpu > "$dir/cpu.txt"
read -r there used < "$dir/cpu.txt" || fail "valgrind does not run it" "$dir/valgrind.txt"
test "$there" = "$used" || skip "valgrind with AVX2, BMI2 and PCLMUL and no more: it has $there, not $used"

count --tool=callgrind --callgrind-out-file="$dir/part" --compress-strings=no --compress-pos=no --collect-atstart=no \
    --toggle-collect='job_*' --dump-before=over "$dir/instructions" > "$dir/jobs.txt" ||
    fail "a job ended with an error" "$dir/valgrind.txt"
# A part for each job, in their order: lines of the program's own functions, without those after calls=, which are of
# the functions that were called.
part=0
while read -r name _; do
    part=$((part + 1))
    awk -v name="$name" '
        /^ob=/    { own = /\/instructions$/ }
        /^calls=/ { getline; next }
        /^[0-9]/  { if (own) sum += $2 }
        END       { printf "%s\t%d\n", name, sum }' "$dir/part.$part" >> "$dir/counts.tsv" || fail "no part $part"
done < "$dir/jobs.txt"

if test $mode = lower; then
    test "$compiler" = _gcc12 || fail "the table is of gcc 12 with CFLAGS=-O2"
    awk -F '\t' -v OFS='\t' '
        FNR == NR { counts[$1] = $2; names[++count] = $1; next }
        !/^[a-z]/ { print; next }
        { rows[$1] = 1 }
        $1 in counts { print $1, counts[$1] < $2 ? counts[$1] : $2 }
        END { for (i = 1; i <= count; i++) if (!(names[i] in rows)) print names[i], counts[names[i]] }' \
        "$dir/counts.tsv" "$table" > "$dir/table.tsv" && cat "$dir/table.tsv" > "$table"
fi
judge "$dir/counts.tsv" "$compiler"
