#!/bin/sh
# test_bench.sh DIR - the scripts of bench/ on rows written out by hand, with tables worked out by hand, and the rows that
# the programs themselves write with --tsv, over small files. Nothing is timed for its own sake. Ends with
# `N passed, N failed`.
# needs: full compilers
. tests/shell.sh
mkdir -p "$work/results"

tabbed() { tr '~' '\t'; }
columns="stage${tab}file${tab}contender${tab}value${tab}unit${tab}ratio${tab}to${tab}target${tab}threads${tab}cpu_s${tab}wall_s"

# -- ratios: 1200 / 800 = 1.5, 1200 / 1000 = 1.2, 1200 / 1600 = 0.75, 300 / 1200 = 0.25 -----------------

tabbed > "$work/targets.tsv" << 'END'
# comments and the names of columns are no targets
stage~file~contender~to~target~stretch
inflate~short.*~ours~slow|quick~1.25~1.3
inflate~*~ours~slow|quick~-~-
inflate~*~ours~slow~1.4~-
inflate~*~ours~limit: disk~0.8~-
inflate~*~ours~not there~2~-
inflate~*~ours~nobody wants it~-~-
inflate~*~mapped~slow~2~-
inflate~*~ours~ours @ short.gz~0.2~-
memory~*~*~-~<=8~-
share~*~ours~-~>=0.9~-
END
tabbed > "$work/raw.tsv" << 'END'
# date       2026-01-02
stage~file~contender~value~unit~ratio~to~target~threads~cpu_s~wall_s
inflate~short.gz~ours~1200~MB/s~-~-~-~1~0.5~0.4
inflate~short.gz~slow~800~MB/s~-~-~-~1~0.7~0.6
inflate~short.gz~quick~1000~MB/s~-~-~-~1~0.6~0.5
inflate~short.gz~disk~1600~MB/s~-~-~-~1~0.4~0.3
inflate~long.gz~ours~300~MB/s~-~-~-~2~0.5~0.4
memory~short.gz~ours~7.5~MiB~-~-~-~-~-~-
memory~long.gz~ours~8.5~MiB~-~-~-~-~-~-
share~short.gz~ours~0.95~taken~-~-~-~2~-~-
share~long.gz~ours~0.85~taken~-~-~-~2~-~-
kernels~pack~AVX2~8.8~Gbase/s~6.29~scalar~8
kernels~pack~scalar~1.4~Gbase/s~1~scalar~
kernels~onehot~AVX2~2.7~Gbase/s~0.9~memset~0.85
END
tabbed > "$work/expected.tsv" << 'END'
# date       2026-01-02
stage~file~contender~value~unit~ratio~to~target~threads~cpu_s~wall_s
inflate~short.gz~ours~1200~MB/s~1.2000~quick~1.25 (1.3)~1~0.5~0.4
inflate~short.gz~ours~1200~MB/s~1.5000~slow~1.4~1~0.5~0.4
inflate~short.gz~ours~1200~MB/s~0.7500~limit: disk~0.8~1~0.5~0.4
inflate~short.gz~ours~1200~MB/s~-~not there~2~1~0.5~0.4
inflate~short.gz~slow~800~MB/s~-~-~-~1~0.7~0.6
inflate~short.gz~quick~1000~MB/s~-~-~-~1~0.6~0.5
inflate~short.gz~disk~1600~MB/s~-~-~-~1~0.4~0.3
inflate~long.gz~ours~300~MB/s~-~slow~1.4~2~0.5~0.4
inflate~long.gz~ours~300~MB/s~-~limit: disk~0.8~2~0.5~0.4
inflate~long.gz~ours~300~MB/s~-~not there~2~2~0.5~0.4
inflate~long.gz~ours~300~MB/s~0.2500~ours @ short.gz~0.2~2~0.5~0.4
memory~short.gz~ours~7.5~MiB~-~-~<=8~-~-~-
memory~long.gz~ours~8.5~MiB~-~-~<=8~-~-~-
share~short.gz~ours~0.95~taken~-~-~>=0.9~2~-~-
share~long.gz~ours~0.85~taken~-~-~>=0.9~2~-~-
kernels~pack~AVX2~8.8~Gbase/s~6.29~scalar~8~-~-~-
kernels~pack~scalar~1.4~Gbase/s~-~-~-~-~-~-
kernels~onehot~AVX2~2.7~Gbase/s~0.9~limit: memset~0.85~-~-~-
inflate~short.gz~mapped~-~-~-~slow~2~-~-~-
inflate~long.gz~mapped~-~-~-~slow~2~-~-~-
END
awk -f bench/ratios.awk "$work/targets.tsv" "$work/raw.tsv" > "$work/results/all.tsv"
check "ratios and targets" diff "$work/expected.tsv" "$work/results/all.tsv"

# -- tables -------------------------------------------------------------------------------------------

mkdir -p "$work/pages/a" "$work/pages/nothing"
cp "$work/results/all.tsv" "$work/pages/a/all.tsv"
sed -i.old '1a\
# processor  A one, 2 cores' "$work/pages/a/all.tsv" && rm "$work/pages/a/all.tsv.old"
touch "$work/pages/a/parse.svg"
cat > "$work/expected.md" << 'END'
# A one, 2 cores

Made by `sh bench/tables.sh` from the files beside it. [bench/README.md](../../README.md) says what each stage is.

![parse](parse.svg)

## inflate

2026-01-02; A one, 2 cores

| file | ours | MB/s | against | MB/s | ratio | of limit | target | |
|---|---|--:|---|--:|--:|--:|--:|---|
| short.gz | ours | 1200 | quick | 1000 | 1.20 | 0.75 | 1.25 (1.3) | **not met** |
| short.gz | ours | 1200 | slow | 800 | 1.50 | 0.75 | 1.4 | met |
| short.gz | ours | 1200 | limit: disk | 1600 | 0.75 | 0.75 | 0.8 | **not met** |
| short.gz | ours | 1200 | not there | - | - | 0.75 | 2 | peer not there |
| long.gz | ours | 300 | slow | - | - | - | 1.4 | peer not there |
| long.gz | ours | 300 | limit: disk | - | - | - | 0.8 | peer not there |
| long.gz | ours | 300 | not there | - | - | - | 2 | peer not there |
| long.gz | ours | 300 | ours @ short.gz | 1200 | 0.25 | - | 0.2 | met |
| short.gz | mapped | - | slow | 800 | - | - | 2 | not measured |
| long.gz | mapped | - | slow | - | - | - | 2 | not measured |

| file | by | MB/s | threads | wall s | CPU s |
|---|---|--:|--:|--:|--:|
| short.gz | ours | 1200 | 1 | 0.4000 | 0.5000 |
| short.gz | slow | 800 | 1 | 0.6000 | 0.7000 |
| short.gz | quick | 1000 | 1 | 0.5000 | 0.6000 |
| short.gz | disk | 1600 | 1 | 0.3000 | 0.4000 |
| long.gz | ours | 300 | 2 | 0.4000 | 0.5000 |

## memory

| file | ours | MiB | target | |
|---|---|--:|--:|---|
| short.gz | ours | 7.50 | at most 8 | met |
| long.gz | ours | 8.50 | at most 8 | **not met** |

| file | by | MiB |
|---|---|--:|
| short.gz | ours | 7.50 |
| long.gz | ours | 8.50 |

## share

| file | ours | taken | target | |
|---|---|--:|--:|---|
| short.gz | ours | 0.95 | at least 0.9 | met |
| long.gz | ours | 0.85 | at least 0.9 | **not met** |

| file | by | taken |
|---|---|--:|
| short.gz | ours | 0.95 |
| long.gz | ours | 0.85 |

END
sh bench/tables.sh "$work/pages" && sed '/^## kernels$/,$d' "$work/pages/a/README.md" > "$work/page.md"
check "a page of a processor" diff "$work/expected.md" "$work/page.md"
check "no page where nothing was measured" test ! -e "$work/pages/nothing/README.md"
cat > "$work/expected.md" << 'END'
## targets

5 of 16 targets are met. The others:

| stage | file | ours | against | ratio | target | |
|---|---|---|---|--:|--:|---|
| inflate | short.gz | ours | quick | 1.20 | 1.25 (1.3) | **not met** |
| inflate | short.gz | ours | limit: disk | 0.75 | 0.8 | **not met** |
| inflate | short.gz | ours | not there | - | 2 | peer not there |
| inflate | long.gz | ours | slow | - | 1.4 | peer not there |
| inflate | long.gz | ours | limit: disk | - | 0.8 | peer not there |
| inflate | long.gz | ours | not there | - | 2 | peer not there |
| memory | long.gz | ours | - | - | at most 8 | **not met** |
| share | long.gz | ours | - | - | at least 0.9 | **not met** |
| kernels | pack | AVX2 | scalar | 6.29 | 8 | **not met** |
| inflate | short.gz | mapped | slow | - | 2 | not measured |
| inflate | long.gz | mapped | slow | - | 2 | not measured |

## below 1

Of several files the first stands here.

| stage | file | ours | against | ratio | why |
|---|---|---|---|--:|---|
| inflate | long.gz | ours | ours @ short.gz | 0.25 | **no line of why.tsv says why** |
END
sed -n '/^## targets$/,$p' "$work/pages/a/README.md" > "$work/page.md"
check "what was not reached, and what is below 1" diff "$work/expected.md" "$work/page.md"
printf '# a comment\ninf.*\tours\tours @ [a-z.]+\tit is the longer one\n' > "$work/why.tsv"
check "a reason" sh -c "awk -f bench/tables.awk '$work/why.tsv' '$work/pages/a/all.tsv' | grep -q '0.25 | it is the longer one |$'"
check "a ratio is cut, not rounded" grep -q '^| pack | AVX2 | 8.80 | scalar | 1.40 | 6.29 | - | 8 | \*\*not met\*\* |$' "$work/pages/a/README.md"
check "no results are an error" sh -c "! sh bench/tables.sh '$work/none'"

# -- plots: 1000 / 1600 of 320 pixels is 200, 0.62 of the limit; 1000 / 800 = 1.25 times the peer -------

tabbed > "$work/results/short.tsv" << 'END'
# date       2026-01-02
# processor  A <fast> one & only
stage~file~contender~value~unit~ratio~to~target~threads~cpu_s~wall_s
parse~short.fastq~read(2) + newline count~1600~MB/s~-~-~-~1~0.4~0.3
parse~short.fastq~ours, next_page~1000~MB/s~-~-~-~1~0.4~0.3
parse~short.fastq~kseq.h klib~800~MB/s~-~-~-~1~0.4~0.3
parse~short.fastq~kseq.h htslib~400~MB/s~-~-~-~1~0.4~0.3
kernels~tokens~scalar~2~Gbase/s~-~-~-~-~-~-
kernels~tokens~AVX2~8~Gbase/s~4~scalar~4~-~-~-
kernels~tokens~SSSE3~6~Gbase/s~3~scalar~4~-~-~-
kernels~tokens~memset~66~Gbase/s~-~-~-~-~-~-
kernels~onehot~AVX2~2.7~Gbase/s~0.9~limit: memset~0.85~-~-~-
kernels~onehot~memset~3~Gbase/s~-~-~-~-~-~-
END
check "plots are drawn" sh bench/plots.sh "$work/results"
if command -v xmllint > /dev/null; then
    well_formed() { check "$1 is XML" xmllint --noout "$1"; }
elif command -v python3 > /dev/null; then
    well_formed() { check "$1 is XML" python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"; }
else
    well_formed() { skip "XML of plots (xmllint or python3)"; }
fi
for plot in parse kernels; do
    well_formed "$work/results/$plot.svg"
    check "$plot.svg for dark screens" grep -q 'prefers-color-scheme: dark' "$work/results/$plot.svg"
done
check "a bar of ours" grep -q 'width="200.0" height="16" rx="2" class="ours"' "$work/results/parse.svg"
check "its ratios" grep -q '>1000, 1.25x kseq.h (klib), 0.62 of limit<' "$work/results/parse.svg"
check "bars of peers" sh -c "grep -c 'class=\"peer\"/' '$work/results/parse.svg' | grep -qx 2"
check "the conditions" grep -q '>A &lt;fast&gt; one &amp; only, 2026-01-02<' "$work/results/parse.svg"
check "of kernels the fastest" grep -q '>8.00, 4.00x plain loop<' "$work/results/kernels.svg"
check "a limit where it counts" grep -q '>2.70, 0.90 of limit<' "$work/results/kernels.svg"
check "and nowhere else" sh -c "! grep -q '>66.0<' '$work/results/kernels.svg'"
check "and no other" sh -c "! grep -q '6.00' '$work/results/kernels.svg'"
check "what was not measured is not drawn" test ! -e "$work/results/pipe.svg"
rm "$work/results/short.tsv"

# -- folders of several processors ----------------------------------------------------------------------

. bench/folder.sh
printf '# date       2026-01-03\n# processor  A (fast) one: X-2, family 1 model 2, 4 cores\n' > "$work/conditions.tsv"
check "the folder of a processor" test "$(cd "$work" && folder_of '' conditions.tsv)" = \
    bench/results/a-fast-one-x-2-family-1-model-2-4-cores
check "a folder that was asked for" test "$(folder_of "$work/asked" "$work/conditions.tsv")" = "$work/asked"

# -- what lies in bench/ fits together ----------------------------------------------------------------

check "targets have six columns" awk -F "$tab" '!/^#/ && NF != 6 { print FILENAME ":" FNR ": " NF; bad = 1 } END { exit bad }' \
    bench/targets.tsv
for file in bench/results/*/*.tsv; do
    test -f "$file" || continue
    check "$file lies where its processor says" test "$(folder_of '' "$file")" = "$(dirname "$file")"
    check "$file has eleven columns" awk -F "$tab" '!/^#/ && NF != 11 { print FILENAME ":" FNR ": " NF; bad = 1 } END { exit bad }' \
        "$file"
    check "$file names them" grep -qx "$columns" "$file"
    check "$file says when" grep -q '^# date  ' "$file"
done
check "plots.tsv has seven columns" awk -F "$tab" '!/^#/ && NF != 7 { print FILENAME ":" FNR ": " NF; bad = 1 } END { exit bad }' \
    bench/plots.tsv
for file in bench/results/*/*.svg; do
    test ! -f "$file" || well_formed "$file"
done
mkdir "$work/now"
cp -R bench/results/* "$work/now"
sh bench/tables.sh "$work/now"
check "the pages of bench/results are those of its files" diff -r bench/results "$work/now"
check "what is below 1 says why" sh -c "! grep -F 'no line of why.tsv' bench/results/*/README.md"

# -- programs -----------------------------------------------------------------------------------------

# rows PROGRAM ARGUMENTS...: build it quickly, let it write its rows.
rows() {
    program=$1
    shift
    $CC -I. "bench/$program.c" -o "$work/$program" -lm -pthread 2> "$work/cc.txt" || return 1
    BENCH_ROUNDS=5 "$work/$program" --tsv "$work/$program.tsv" "$@" || return 1
    grep -qx "$columns" "$work/$program.tsv" && grep -q '^# date  ' "$work/$program.tsv" &&
        awk -F "$tab" '!/^#/ && !/^stage/ { ++rows; if (NF != 11 || ($5 != "MiB" && $4 + 0 <= 0)) bad = 1 } END { exit bad || !rows }' "$work/$program.tsv"
}

gzip -dc examples/data/illumina_hiseqx_150bp.fastq.gz | head -n 400 > "$work/reads.fastq"
gzip -c "$work/reads.fastq" > "$work/reads.fastq.gz"
check "bench_inflate --tsv" rows bench_inflate "$work/reads.fastq.gz"
check "its contenders" sh -c "cut -f 3 '$work/bench_inflate.tsv' | grep -qx 'biost_inflate'"
check "bench_scaling --tsv" rows bench_scaling -n 2 "$work/reads.fastq"
check "its contenders" sh -c "cut -f 3 '$work/bench_scaling.tsv' | grep -qx 'loader, f32, 2 workers'"
check "a model only of what is decoded ahead" sh -c "! cut -f 3 '$work/bench_scaling.tsv' | grep -q '^model'"
check "bench_model --tsv" rows bench_model -n 4 "$work/reads.fastq" --open both.fastq.gz "$work/reads.fastq.gz" \
    "$work/reads.fastq.gz" --store "$work/reads.fastq" "$work"
check "its contenders" sh -c "cut -f 1-3 '$work/bench_model.tsv' | grep -qx 'model${tab}both.fastq.gz${tab}f32 with all, model, 4 workers'"
check "its store is removed" test ! -e "$work/model.bst"
check "bench_small --tsv" rows bench_small "$work/reads.fastq" --files both.fastq.gz "$work/reads.fastq.gz" "$work/reads.fastq.gz"
check "its contenders" sh -c "cut -f 1-3 '$work/bench_small.tsv' | grep -qx 'small-first${tab}both.fastq.gz${tab}2 workers'"
check "its records" grep -q '^# file       both.fastq.gz: 200 records, ' "$work/bench_small.tsv"
check "bench_memory --tsv" rows bench_memory "$work/reads.fastq"
check "its contenders" sh -c "cut -f 1,3 '$work/bench_memory.tsv' | grep -qx 'memory-row${tab}150 bases, qualities'"
check "bench_gzip --tsv" rows bench_gzip "$work/reads.fastq.gz" --others "$work/reads.fastq.gz"
check "its contenders" sh -c "cut -f 3 '$work/bench_gzip.tsv' | grep -qx 'biost_stream, 2 workers, in order'"
check "records by their numbers" sh -c "cut -f 1,3 '$work/bench_gzip.tsv' | grep -qx 'seek${tab}seek, index, 1 worker'"
check "it takes plain gzip only" sh -c "! '$work/bench_gzip' '$work/reads.fastq'"
check "bench_loader --tsv" rows bench_loader --ahead "$work/reads.fastq.gz"
check "its contenders" sh -c "cut -f 3 '$work/bench_loader.tsv' | grep -qx 'ours, 2 workers, second epoch, u8'"
cat "$work/reads.fastq.gz" "$work/reads.fastq.gz" > "$work/whole.fastq.gz"
check "bench_groups --tsv" rows bench_groups --whole "$work/whole.fastq.gz" "$work/reads.fastq.gz" "$work/reads.fastq.gz"
check "its contenders" sh -c "cut -f 3 '$work/bench_groups.tsv' | grep -qx '2 groups'"
check "what has too few files is left out" sh -c "! cut -f 3 '$work/bench_groups.tsv' | grep -qx '16 files open'"
check "its rows are those of the whole" sh -c "! '$work/bench_groups' --whole '$work/whole.fastq.gz' '$work/reads.fastq.gz'"
check "bench_reader --tsv" rows bench_reader "$work/reads.fastq"
check "its contenders" sh -c "cut -f 3 '$work/bench_reader.tsv' | grep -qx 'ours, next_page'"
check "its records" grep -qx '# file       reads.fastq: 100 records, mean length 150.0, 0.0 MB of text' "$work/bench_reader.tsv"

finish
