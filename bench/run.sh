#!/bin/sh
# run.sh DIR [scaling] - run the benchmarks in DIR; called by `make bench` and `make bench-scaling`.
#
#   BENCH_DATA=FOLDER   where `sh bench/make-data.sh FOLDER 64` put its files; without it the small reads in
#                       examples/data are taken, which is good for a look and not for a figure
set -u
dir=$1
what=${2:-peers}
data=${BENCH_DATA:-}

# in_data NAME...: are these files in BENCH_DATA?
in_data() {
    for file in "$@"; do
        if test ! -f "$data/$file"; then
            echo "$data/$file is not there; make it with: sh bench/make-data.sh '$data' 64" >&2
            return 1
        fi
    done
}

# run PROGRAM NAME...: over these files of BENCH_DATA.
run() {
    program=$1
    shift
    in_data "$@" || return 1
    count=$#
    while test "$count" -gt 0; do
        set -- "$@" "$data/$1"
        shift
        count=$((count - 1))
    done
    "$dir/$program" "$@"
}

reads=examples/data/illumina_hiseqx_150bp
if test -z "$data"; then
    echo "BENCH_DATA is not set: measuring on the small files of examples/data"
fi
if test "$what" = scaling; then
    if test -z "$data"; then
        exec "$dir/bench_scaling" $reads.bgzf.fastq.gz
    fi
    run bench_scaling short.fastq.bgzf.gz nova.fastq.bgzf.gz long.fastq.bgzf.gz genome.fa.bgzf.gz
    exit
fi
# whole_crlf: the whole records of crlf.fastq, eight times over: it is short, and may end in a cut record.
whole_crlf() {
    in_data crlf.fastq || return 1
    lines=$(wc -l < "$data/crlf.fastq")
    for _ in 1 2 3 4 5 6 7 8; do
        head -n $((lines / 4 * 4)) "$data/crlf.fastq"
    done > "$dir/crlf_whole.fastq"
}

# bundled: what make-data.sh makes of examples/data: reads for a look, and records of 1 MiB, whose memory is
# measured in any case.
bundled() {
    test -f "$dir/data/bundled.fastq" || sh bench/make-data.sh --bundled "$dir/data"
}
megabase="--memory $dir/data/megabase.fastq $dir/data/megabase.fastq.gz"

failed=0
bundled || failed=1
if test -z "$data"; then
    gzip -dc $reads.fastq.gz > "$dir/reads.fastq" && "$dir/bench_reader" "$dir/reads.fastq" $reads.fastq.gz || failed=1
    "$dir/bench_inflate" $reads.fastq.gz examples/data/ecoli_536_genome.fasta.gz $reads.bgzf.fastq.gz || failed=1
    # shellcheck disable=SC2086
    "$dir/bench_loader" "$dir/data/bundled.fastq" "$dir/data/bundled.fastq.gz" "$dir/data/bundled.bgzf.fastq.gz" $megabase || failed=1
else
    run bench_inflate short.fastq.gz nova.fastq.gz long.fastq.gz genome.fa.gz \
        short.fastq.bgzf.gz nova.fastq.bgzf.gz long.fastq.bgzf.gz genome.fa.bgzf.gz || failed=1
    # shellcheck disable=SC2086
    in_data short.fastq short.fastq.gz nova.fastq.gz short.fastq.bgzf.gz &&
        "$dir/bench_loader" "$data/short.fastq" "$data/short.fastq.gz" "$data/nova.fastq.gz" "$data/short.fastq.bgzf.gz" \
            $megabase || failed=1
    run bench_reader short.fastq long.fastq genome.fa short.fastq.gz nova.fastq.gz long.fastq.gz genome.fa.gz || failed=1
    whole_crlf && "$dir/bench_reader" "$dir/crlf_whole.fastq" || failed=1
fi
exit $failed
