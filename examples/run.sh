#!/bin/sh
# run.sh DIR - the main job on real data, with the tools and lessons in DIR: stream compressed reads into batches, look
# into some, stop and go on, then train on two genomes. Called by `make run`; takes a few seconds. Exit 1 if anything
# is not as it should be.
set -u
dir=$1
data=examples/data
work=$dir/run
mkdir -p "$work"
failed=0
# The digest of epoch 0 of what `stream` makes of the reads below: the same on any machine.
golden=e52f5f95168d6982

# stream NAME WORKERS FILE: two epochs; prints what the tool prints, of the desc only the first time, and keeps the
# lines of the epochs without the rate.
hidden=
stream() {
    echo "$ fxbatch --bases 150 --shuffle 65536 --epochs 2 --workers $2 $(basename "$3")"
    if ! "$dir/fxbatch" --bases 150 --shuffle 65536 --epochs 2 --workers "$2" "$3" > "$work/$1.txt"; then
        failed=1
    fi
    sed -e "$hidden" -e 's/^/    /' "$work/$1.txt"
    hidden='/^desc/d'
    grep '^epoch' "$work/$1.txt" | cut -f 1-4 > "$work/$1.same"
}

echo "1. Real Illumina reads, one text in several packings, with 1 worker and with all (0: one per core)."
echo "   Shuffled through a buffer of 65536 rows, one-hot, batches of 256 rows of 150 bases."
echo
reads=$data/illumina_hiseqx_150bp
stream gzip_1 1 $reads.fastq.gz
stream gzip_all 0 $reads.fastq.gz
stream bgzf_1 1 $reads.bgzf.fastq.gz
stream bgzf_all 0 $reads.bgzf.fastq.gz
runs='gzip_1 gzip_all bgzf_1 bgzf_all'
if sh $data/multimember.sh $reads.fastq.gz "$work/multimember.fastq.gz" 2> /dev/null; then
    stream multimember_1 1 "$work/multimember.fastq.gz"
    stream multimember_all 0 "$work/multimember.fastq.gz"
    runs="$runs multimember_1 multimember_all"
else
    echo "(the file of ten gzip members is left out: it is made with gzip and split, and one is missing)"
fi

echo
if test "$(wc -l < "$work/gzip_1.same")" -ne 2; then
    echo "FAILED: two epochs were expected"
    failed=1
fi
for run in $runs; do
    if ! cmp -s "$work/gzip_1.same" "$work/$run.same"; then
        echo "FAILED: $run delivered other batches than gzip_1"
        failed=1
    fi
done
if ! head -n 1 "$work/gzip_1.same" | grep -q "digest $golden\$"; then
    echo "FAILED: the digest of epoch 0 is not $golden"
    failed=1
fi
if test $failed = 0; then
    echo "The same batches every time: the digests agree, whatever the packing and the number of workers."
    echo "On any machine that of epoch 0 is $golden."
fi

# lesson NAME ARGUMENTS...: run it and show what it prints.
lesson() {
    name=$1
    shift
    echo "$ $name $*"
    if ! "$dir/$name" "$@" > "$work/$name.txt"; then
        echo "FAILED: $name"
        failed=1
    fi
    sed 's/^/    /' "$work/$name.txt"
}
echo
echo "2. What a batch holds: tensors, names, origins and labels of a few reads (examples/batches.c)."
echo
lesson batches $data/tenx_v2_R2_cdna.fastq.gz
echo
echo "3. Stop after a batch and go on with other workers (examples/resume.c)."
echo
lesson resume "$work/epoch0.state" $reads.fastq.gz
echo
echo "4. The same batches made by a job system of the host's, taken without waiting (examples/own_jobs.c)."
echo
lesson own_jobs $reads.fastq.gz

echo
echo "5. Batches on a GPU while the previous ones are used, or in host memory without one (examples/cuda_stream.c)."
echo
lesson cuda_stream $reads.fastq.gz "$work/timeline.svg"

echo
echo "6. Tell E. coli from human sequence: logistic regression on 5-mers of 150-base pieces."
echo "   A fifth of the blocks is held out. Equally many rows of both are learned from, and the accuracy is the mean of"
echo "   both, so guessing scores 0.5."
echo
echo "$ fxtrain ecoli_536_genome.fasta.gz human_hg18_chrM_chr20part.bgzf.fasta.gz"
if ! "$dir/fxtrain" $data/ecoli_536_genome.fasta.gz $data/human_hg18_chrM_chr20part.bgzf.fasta.gz \
    > "$work/train.txt"; then
    failed=1
fi
sed 's/^/    /' "$work/train.txt"
echo
accuracy=$(sed -n 's/.*held-out accuracy \([0-9.]*\).*/\1/p' "$work/train.txt" | tail -n 1)
if awk -v accuracy="${accuracy:-0}" 'BEGIN { exit !(accuracy >= 0.95) }'; then
    echo "Held-out accuracy $accuracy, where guessing scores 0.5."
else
    echo "FAILED: held-out accuracy ${accuracy:-unknown}, and at least 0.95 was expected"
    failed=1
fi
exit $failed
