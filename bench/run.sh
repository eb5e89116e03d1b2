#!/bin/sh
# run.sh DIR [scaling] - run the benchmarks in DIR; called by `make bench` and `make bench-scaling`.
#
#   BENCH_DATA=FOLDER      where `sh bench/make-data.sh FOLDER 512` put its files; without it the small reads in
#                          examples/data are taken, which is good for a look and not for a figure
#   BENCH_RESULTS=FOLDER   where NAME.tsv goes; bench/results/PROCESSOR without it, of small reads DIR/results
#   BENCH_ONLY=TEXT        only the programs whose name contains TEXT
#   BENCH_PART_MB=N        of bench_groups: its 64 files have N MB each (16); twice as much is written to DIR
#
# bench_model and bench_small cut short.fastq into pieces, 600 MB in DIR, once.
#
# Each program's words go to standard output, at the end stands one table per stage.
set -u
dir=$1
what=${2:-peers}
data=${BENCH_DATA:-}
results=${BENCH_RESULTS:-}
test -n "$results$data" || results=$dir/results
raw=$dir/raw
mkdir -p "$raw"
failed=0
. bench/folder.sh

# in_data NAME...: are these files in BENCH_DATA?
in_data() {
    for file in "$@"; do
        case $file in --*) continue ;; esac
        if test ! -f "$data/$file"; then
            echo "$data/$file is not there; make it with: sh bench/make-data.sh '$data' 512" >&2
            return 1
        fi
    done
}

# keep PROGRAM: its rows, with ratios and targets, below the conditions that it printed. The file is named in `names`.
keep() {
    {
        cat "$raw/$1.tsv"
        awk '/^$/ { exit } /^(processor|cores|compiler|date) / { next } { print "# " $0 }' "$raw/$1.txt"
    } > "$raw/$1.both"
    kept=$(folder_of "$results" "$raw/$1.both")/$1.tsv
    awk -f bench/ratios.awk bench/targets.tsv "$raw/$1.both" > "$kept.new" && mv "$kept.new" "$kept" &&
        names="$names $kept"
}

# look_at_cores: how far two cores are from each other goes into the head of what is measured next.
look_at_cores() {
    BENCH_CORES=$("$dir/bench_cores") && export BENCH_CORES || unset BENCH_CORES
}

# asked_for PROGRAM: does BENCH_ONLY name it?
asked_for() {
    case $1 in *"${BENCH_ONLY:-}"*) ;; *) return 1 ;; esac
}

# measure PROGRAM ARGUMENTS...
measure() {
    program=$1
    shift
    asked_for "$program" || return 0
    look_at_cores
    { "$dir/$program" --tsv "$raw/$program.tsv" "$@"; echo $? > "$raw/status"; } | tee "$raw/$program.txt"
    test "$(cat "$raw/status")" = 0 && keep "$program" || failed=1
}

# measure_data PROGRAM NAME...: over these files of BENCH_DATA; what begins with -- is passed on.
measure_data() {
    program=$1
    shift
    in_data "$@" || { failed=1; return; }
    count=$#
    while test "$count" -gt 0; do
        case $1 in
            --*) set -- "$@" "$1" ;;
            *) set -- "$@" "$data/$1" ;;
        esac
        shift
        count=$((count - 1))
    done
    measure "$program" "$@"
}

# Its rows come on standard output, its conditions when it is asked for a case that it has not.
measure_kernels() {
    asked_for bench_kernels || return 0
    look_at_cores
    "$dir/bench_kernels" "no case" > "$raw/bench_kernels.txt"
    awk '/^$/ { exit } { print "# " $0 }' "$raw/bench_kernels.txt" > "$raw/bench_kernels.tsv"
    "$dir/bench_kernels" --tsv >> "$raw/bench_kernels.tsv" && keep bench_kernels || failed=1
}

# whole_crlf: crlf.fastq eight times over, for it is short; and the same with LF. Both are copied whole: pieces in which a file is written decide how fast the page cache reads it.
whole_crlf() {
    in_data crlf.fastq || return 1
    for _ in 1 2 3 4 5 6 7 8; do
        cat "$data/crlf.fastq"
    done > "$dir/pieces.fastq"
    cat "$dir/pieces.fastq" > "$dir/crlf_whole.fastq"
    tr -d '\r' < "$dir/crlf_whole.fastq" > "$dir/pieces.fastq"
    cat "$dir/pieces.fastq" > "$dir/lf_whole.fastq"
    rm "$dir/pieces.fastq"
}

# bundled: what make-data.sh makes of examples/data: reads for a look, and records of 1 MiB, whose memory is
# measured in any case.
bundled() {
    test -f "$dir/data/bundled.fastq" || sh bench/make-data.sh --bundled "$dir/data"
}

# there NAME...: those of these files that BENCH_DATA has.
there() {
    for file in "$@"; do
        test ! -f "$data/$file" || echo "$file"
    done
}

# whole_of NAME: NAME.1 ... NAME.d in DIR/parts, gzip files, become 64, each of those several times over, and NAME.fastq.gz
# is all of them in a row. They are copies, no links: the page cache holds each by itself, as it does files that differ.
whole_of() {
    from=0
    while test -f "$dir/parts/$1.$((from + 1))"; do
        from=$((from + 1))
    done
    test "$from" -gt 0 || return 1
    made=$from
    while test "$made" -lt 64; do
        made=$((made + 1))
        cp "$dir/parts/$1.$(((made - 1) % from + 1))" "$dir/parts/$1.$made" || return 1
    done
    # shellcheck disable=SC2046
    cat $(parts_of "$1") > "$dir/parts/$1.fastq.gz"
}

# parts_of NAME: the names of the 64.
parts_of() {
    part=0
    while test "$part" -lt 64; do
        part=$((part + 1))
        echo "$dir/parts/$1.$part"
    done
}

# cut_parts NAME MB: the first records of short.fastq as up to 8 files NAME.1, NAME.2 ... of at least so many MB of gzip
# and as many records each; of a short.fastq that has less, one file.
cut_parts() {
    in_data short.fastq short.fastq.gz || return 1
    lines=$(wc -l < "$data/short.fastq")
    megabytes=$(($(wc -c < "$data/short.fastq.gz") / 1000000))
    test "$megabytes" -gt "$2" || megabytes=$2
    each=$((lines * $2 / megabytes))
    each=$((each - each % 4))
    count=$((lines / each))
    test "$count" -le 8 || count=8
    head -n $((count * each)) "$data/short.fastq" | split -a 1 -l "$each" - "$dir/parts/$1.text." || return 1
    number=0
    for text in "$dir/parts/$1.text."*; do
        number=$((number + 1))
        gzip -6 -n < "$text" > "$dir/parts/$1.$number" && rm "$text" || return 1
    done
}

# mixed_parts: what bench_groups reads of BENCH_DATA; made once for a short.fastq and a size.
mixed_parts() {
    wanted="$(ls -l "$data/short.fastq" 2> /dev/null) ${BENCH_PART_MB:-16}"
    test "$(cat "$dir/parts/made.txt" 2> /dev/null)" != "$wanted" || return 0
    rm -rf "$dir/parts"
    mkdir -p "$dir/parts"
    cut_parts mixed "${BENCH_PART_MB:-16}" && whole_of mixed && cut_parts mixed_1MB 1 && whole_of mixed_1MB &&
        echo "$wanted" > "$dir/parts/made.txt"
}

# made_once FOLDER FILE COMMAND...: run the command, which fills the folder, unless it has filled it for the same FILE.
made_once() {
    folder=$1
    wanted="$(ls -l "$2")"
    shift 2
    test "$(cat "$folder/made.txt" 2> /dev/null)" != "$wanted" || return 0
    rm -rf "$folder"
    mkdir -p "$folder" && "$@" && echo "$wanted" > "$folder/made.txt"
}

# model_parts READS: 16 gzip files in DIR/model with as many records each, in their order.
# shellcheck disable=SC2317,SC2017 # called by made_once; whole records are meant
model_parts() {
    each=$((($(wc -l < "$1") / 4 + 15) / 16 * 4))
    split -d -a 2 -l "$each" "$1" "$dir/model/part." || return 1
    for part in "$dir"/model/part.*; do
        gzip -6 -n < "$part" > "$part.gz" && rm "$part" || return 1
    done
}

# small_files READS: the first records of it as plain files and as gzip, in DIR/small: of 1, 4, 16 and 64 MB of text, where
# it has as much, and 1,000 of 100 kB, or as many as it has.
# shellcheck disable=SC2317,SC2017 # likewise
small_files() {
    record=$(head -n 4000 "$1" | wc -c)
    whole=$(wc -c < "$1")
    for megabytes in 1 4 16 64; do
        test $((megabytes * 1000000)) -le "$whole" || continue
        small=$dir/small/reads_${megabytes}MB.fastq
        head -n $((megabytes * 1000000 / record * 4000 + megabytes * 1000000 % record * 1000 / record * 4)) "$1" > "$small.cut"
        cat "$small.cut" > "$small" && rm "$small.cut" && gzip -6 -n < "$small" > "$small.gz" || return 1
    done
    mkdir -p "$dir/small/many"
    each=$((100000 * 1000 / record * 4))
    head -n $((each * 1000)) "$1" | split -d -a 3 -l "$each" - "$dir/small/many/part." || return 1
    for small in "$dir"/small/many/part.*; do
        gzip -6 -n < "$small" > "$small.gz" || return 1
    done
}

# measure_model PLAIN GZIP BGZF
measure_model() {
    asked_for bench_model || return 0
    made_once "$dir/model" "$1" model_parts "$1" &&
        measure bench_model "$2" "$3" "$1" --open reads_in_16.fastq.gz "$dir"/model/part.*.gz --store "$1" "$dir/model"
}

# measure_small READS
measure_small() {
    asked_for bench_small || return 0
    made_once "$dir/small" "$1" small_files "$1" || return 1
    set --
    for megabytes in 1 4 16 64; do
        small=$dir/small/reads_${megabytes}MB.fastq
        test ! -f "$small" || set -- "$@" "$small" "$small.gz"
    done
    measure bench_small "$@" \
        --files many.fastq "$dir"/small/many/part.??? --files many.fastq.gz "$dir"/small/many/part.*.gz
}

names=
reads=examples/data/illumina_hiseqx_150bp
if test -z "$data"; then
    echo "BENCH_DATA is not set: measuring on the small files of examples/data"
fi
bgzf="short.fastq.bgzf.gz nova.fastq.bgzf.gz long.fastq.bgzf.gz genome.fa.bgzf.gz"
gzip="short.fastq.gz nova.fastq.gz long.fastq.gz genome.fa.gz"
# Mostly literals, or blocks of another kind than gzip writes; where they are there.
literals="short.fastq.gz1.gz short.fastq.gz9.gz short.fastq.huffman.gz short.fastq.rle.gz short.fastq.fixed.gz"
members="short.fastq.members4k.gz short.fastq.members1m.gz"
# Words are to be split, here and below.
# shellcheck disable=SC2086
if test "$what" = scaling && test -z "$data"; then
    bundled || failed=1
    measure bench_scaling $reads.bgzf.fastq.gz "$dir/data/bundled.fastq.gz"
elif test "$what" = scaling; then
    measure_data bench_scaling $bgzf $gzip short.fastq
elif test -z "$data"; then
    bundled || failed=1
    bundle=$dir/data
    measure bench_inflate $reads.fastq.gz examples/data/ecoli_536_genome.fasta.gz $reads.bgzf.fastq.gz
    measure bench_bgzf $reads.bgzf.fastq.gz
    measure bench_gzip "$bundle/bundled.fastq.gz" examples/data/ecoli_536_genome.fasta.gz --others $reads.fastq.gz
    gzip -dc $reads.fastq.gz > "$dir/reads.fastq" && measure bench_reader "$dir/reads.fastq" $reads.fastq.gz
    test ! -f bench/bench_kernels.c || measure_kernels
    measure bench_loader "$bundle/bundled.fastq" "$bundle/bundled.fastq.gz" "$bundle/bundled.bgzf.fastq.gz" \
        --ahead examples/data/ecoli_536_genome.fasta.gz --memory "$bundle/megabase.fastq" "$bundle/megabase.fastq.gz"
    measure_model "$bundle/bundled.fastq" "$bundle/bundled.fastq.gz" "$bundle/bundled.bgzf.fastq.gz" &&
        measure_small "$bundle/bundled.fastq" &&
        measure bench_memory "$bundle/bundled.fastq" "$bundle/bundled.fastq.gz" "$bundle/bundled.bgzf.fastq.gz" || failed=1
    # shellcheck disable=SC2046
    if asked_for bench_groups; then
        mkdir -p "$dir/parts" && cp $reads.fastq.gz "$dir/parts/bundled.1" && whole_of bundled &&
            measure bench_groups --whole "$dir/parts/bundled.fastq.gz" $(parts_of bundled) || failed=1
    fi
else
    bundled || failed=1
    bundle=$dir/data
    # shellcheck disable=SC2046
    measure_data bench_inflate $gzip $(there $literals $members) $bgzf
    measure_data bench_bgzf $bgzf
    # shellcheck disable=SC2046
    measure_data bench_gzip $gzip --others $(there $literals $members short.fastq.pigz.gz)
    set -- # FASTA of other shapes, which older data lack
    for file in $(there guides.fa amplicons.fa oneline.fa); do
        set -- "$@" "$data/$file"
    done
    in_data short.fastq long.fastq genome.fa $gzip && whole_crlf &&
        measure bench_reader "$data/short.fastq" "$data/long.fastq" "$data/genome.fa" "$@" "$dir/crlf_whole.fastq" \
            "$data/short.fastq.gz" "$data/nova.fastq.gz" "$data/long.fastq.gz" "$data/genome.fa.gz" || failed=1
    test ! -f bench/bench_kernels.c || measure_kernels
    in_data $gzip short.fastq short.fastq.bgzf.gz &&
        measure bench_loader "$data/short.fastq" "$data/short.fastq.gz" "$data/nova.fastq.gz" \
            "$data/short.fastq.bgzf.gz" --ahead "$data/long.fastq.gz" "$data/genome.fa.gz" \
            --memory "$bundle/megabase.fastq" "$bundle/megabase.fastq.gz" || failed=1
    # shellcheck disable=SC2046
    if asked_for bench_groups; then
        mixed_parts && measure bench_groups --whole "$dir/parts/mixed.fastq.gz" $(parts_of mixed) \
            --whole "$dir/parts/mixed_1MB.fastq.gz" $(parts_of mixed_1MB) || failed=1
    fi
    in_data short.fastq short.fastq.gz short.fastq.bgzf.gz &&
        measure_model "$data/short.fastq" "$data/short.fastq.gz" "$data/short.fastq.bgzf.gz" &&
        measure_small "$data/short.fastq" &&
        measure bench_memory "$data/short.fastq" "$data/short.fastq.gz" "$data/short.fastq.bgzf.gz" || failed=1
    if asked_for bench_store; then
        mkdir -p "$dir/stores" && in_data genome.fa short.fastq short.fastq.gz &&
            measure bench_store "$data/genome.fa" "$data/short.fastq" "$data/short.fastq.gz" "$dir/stores" || failed=1
    fi
    if asked_for bench_shapes; then
        in_data long.fastq && measure bench_shapes "$data/long.fastq" || failed=1
    fi
fi

if test -n "$names"; then
    # shellcheck disable=SC2086
    awk -f bench/tables.awk bench/why.tsv $names
    echo
    echo "rows in:$names"
fi
exit $failed
