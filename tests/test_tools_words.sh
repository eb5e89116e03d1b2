#!/bin/sh
# test_tools_words.sh DIR - what the tools in DIR say where the library refuses: sentences in flags, none with a field of a
# desc or a name of C; other formats by their names; lines of BED; what fxstore lists.
# Ends with `N passed, N failed`.
# needs: nothing
. tests/shell.sh

run() { call "$@"; }

# in_flags: it was refused, by a sentence without a name of C. Blanks part words, so no path is judged.
in_flags() { test "$code" != 0 && test -s "$work/err" && ! grep -q -e 'desc\.' -e 'BIOST_' -e 'biost_' "$work/err"; }

# says WORDS TOOL ARGUMENTS...: in flags, and WORDS are in it.
says() {
    words=$1
    shift
    run "$@"
    check "in flags: $*" in_flags
    check "says '$words': $*" grep -q -e "$words" "$work/err"
}

cd "$work" || exit 1
case $dir in /*) ;; *) dir=$OLDPWD/$dir ;; esac
work=.
printf '@a:1/1 x\nACGTNACGT\n+\nIIIIIIIII\n@b:2/1 x\nACGTTAC\n+\nIII#III\n' > r.fq
printf '>a\nACGTNACGTACGT\n>b\nACGTTACacg\n>c\nACGTAACC\n' > g.fa
printf '>a\nNaaa\n' > n.fa
printf '>p\nMKVLAWRRNDCEQGHILKMFPSTWYVMKVLA\n' > p.fa
printf 'a\t0\t5\tp\t1\t+\nb\t1\t6\tq\t2\t-\n' > five.bed
printf 'a\t0\t5\n# long\n\nb\t1\t7\n' > long.bed
run fxstore g.fa -o g.bst
check "a store" test "$code" = 0
run fxstore r.fq --qualities -o r.bst
run fxstore --names none g.fa -o none.bst
run fxstore --names names g.fa -o names.bst
run fxstore --letters bytes g.fa -o bytes.bst

# -- fxbatch: one field beside another ------------------------------------------------------------------------------

says '--encode is tokens, and --dtype is none of u8, i32 and i64$' fxbatch --encode tokens --dtype f16 r.fq
says '--encode is tokens, and --layout is given$' fxbatch --encode tokens --layout ncl r.fq
says '--encode is tokens, and --channels is given$' fxbatch --encode tokens --channels AC r.fq
says '--encode is tokens, and --n is given$' fxbatch --encode tokens --n n r.fq
says '--encode is tokens, and --lower is given$' fxbatch --encode tokens --lower n r.fq
says '--dtype is u8, and a number in --tokens is not in 0..255$' fxbatch --encode tokens --tokens all=5,A=999 r.fq
says '--encode is onehot, and --dtype is none of u8, f16, bf16 and f32$' fxbatch --dtype i32 r.fq
says '--encode is onehot, and --tokens is given$' fxbatch --tokens A=1 r.fq
says '--begin-token and --end-token need --encode to be tokens$' fxbatch --begin-token 0 r.fq
says '--begin-token and --end-token need --encode to be tokens$' fxbatch --end-token 0 r.fq
says '--kmer needs --encode to be tokens$' fxbatch --kmer 3 r.fq
says '--dtype is u8, and --begin-token or --end-token is not in 0..255$' fxbatch --encode tokens --begin-token 256 r.fq
says '--begin-token is "x", not a whole number' fxbatch --encode tokens --begin-token x r.fq
says '--kmer-letters and --kmer-ids need --kmer$' fxbatch --encode tokens --kmer-ids 1,2 r.fq
says '--kmer-letters and --kmer-ids need --kmer$' fxbatch --encode tokens --kmer-letters ATCG r.fq
says '^fxbatch: the stride of --kmer is neither 1 nor its K$' fxbatch --encode tokens --kmer 3:2 r.fq
says '--kmer wants K or K:STRIDE, not 3:1:1$' fxbatch --encode tokens --kmer 3:1:1 r.fq
says '"13", not a whole number' fxbatch --encode tokens --kmer 13 r.fq
says '--kmer-ids wants FIRST,OTHER, not 1$' fxbatch --encode tokens --kmer 3 --kmer-ids 1 r.fq
says '--kmer-letters has to be A, C, G and T, each once, in any order$' fxbatch --encode tokens --kmer 3 --kmer-letters ACGU r.fq
says '--kmer has numbers of windows, and --tokens of bases' fxbatch --encode tokens --kmer 3 --tokens all=5,A=1 r.fq
says '--quality has a number for each base, and --kmer a column for several$' fxbatch --encode tokens --kmer 3 --quality phred r.fq
says '--dtype does not hold all numbers of --kmer: FIRST to FIRST + 4^K - 1, and OTHER$' fxbatch --encode tokens --kmer 4 r.fq
says '--bases or --max-bases counts columns, and begin and end token leave none' fxbatch --encode tokens --begin-token 1 --bases 1 r.fq
says 'the record has 9 bases, what --bases columns show is 6' fxbatch --encode tokens --kmer 3 --bases 2 r.fq
says '--channels has a character that is no upper-case letter$' fxbatch --channels a r.fq
says '--channels names a letter twice$' fxbatch --channels AA r.fq
says '--n asks for fractions, and --dtype is u8$' fxbatch --n n r.fq
says '--n asks for fractions, and --channels is not A, C, G' fxbatch --n n --dtype f32 --channels AC r.fq
says '--dtype is u8, and --pad-value is not in 0..255$' fxbatch --pad-value 300 r.fq
says '--dtype is f16, and --pad-value is not in' fxbatch --pad-value 3000 --dtype f16 r.fq
says '--dtype is bf16, and --pad-value is not in' fxbatch --pad-value 3000 --dtype bf16 r.fq
says '--dtype is f32, and --pad-value is not in' fxbatch --pad-value 20000000 --dtype f32 r.fq
says '--quality is phred, and --quality.dtype is none of u8 and f32$' fxbatch --quality phred --quality.dtype i32 r.fq
says '--quality-in-x needs --quality, which is none$' fxbatch --quality-in-x r.fq
says '--quality-in-x needs channels, and --encode is tokens$' fxbatch --quality phred --quality-in-x --encode tokens r.fq
says '--quality-in-x with --quality error asks for fractions, and --dtype is u8$' fxbatch --quality error --quality-in-x r.fq
says '--quality-in-x needs --quality.dtype to be 0 or --dtype$' fxbatch --quality phred --quality-in-x --quality.dtype f32 r.fq
says '--quality needs qualities, and the store has none: build it with fxstore --qualities$' fxbatch --quality phred g.bst
says '--mask-in-x needs --mask, which is not given$' fxbatch --mask-in-x r.fq
says '--mask-in-x needs channels, and --encode is tokens$' fxbatch --mask --mask-in-x --encode tokens r.fq
says '--mask-in-x needs --mask-dtype to be 0 or --dtype$' fxbatch --mask --mask-in-x --mask-dtype f32 r.fq
says '--mask-dtype is none of u8 and f32$' fxbatch --mask --mask-dtype i32 r.fq
says '--filter.forbid_n allows no N, --max-n some: only one can be given$' fxbatch --filter.forbid_n --filter.max_n_fraction 0.5 r.fq
says '--min-length is over --max-length$' fxbatch --min-length 9 --max-length 3 r.fq
says '--filter.subsample_from is not below' fxbatch --filter.subsample_from 0.5 --filter.subsample_below 0.4 r.fq
says 'a filter asks for qualities, and the store has none: build it with fxstore --qualities$' fxbatch --min-quality 3 g.bst
says 'what is said of a split needs --split$' fxbatch --split.salt 7 r.fq
says '--split.from is not below --split.below' fxbatch --split.by name --split.from 0.9 --split.below 0.5 r.fq
says '--split-strip has a digit' fxbatch --split 1:0:0.5 --split-strip 1 r.fq
says '--split.field counts from 1 where --split.by is field' fxbatch --split.by name --split.field 2 r.fq
says '--split.separator needs --split.by to be field$' fxbatch --split.by name --split.separator x r.fq
says '--split-strip needs --split.by to be name or field$' fxbatch --split.by sequence --split-strip _ r.fq
says '--split.block_bases needs --split.by to be block$' fxbatch --split.by name --split.block_bases 9 r.fq
says '--split.by block needs --long to be split$' fxbatch --split.by block --split.block_bases 9 --split.below 0.5 r.fq
says '--split.block_bases is below --bases$' fxbatch --split.by block --split.block_bases 3 --long split --bases 4 r.fq
says '--split needs names, and the store has none: build it with fxstore --names all$' fxbatch --split 1:0:0.5 none.bst
says 'has no field 9 with' fxbatch --split 1:0:0.5:by=field,9 r.fq
says '--names needs names, and the store has none: build it with fxstore --names all$' fxbatch --names none.bst
says '--names title needs titles, and the store has none: build it with fxstore --names all$' fxbatch --names title names.bst
says '--long is split, which needs --bases' fxbatch --long split r.fq
says '--stride needs --long to be split$' fxbatch --stride 3 r.fq
says '--stride is over --bases' fxbatch --stride 9 --long split --bases 4 r.fq
says '--crop and --long split exclude one another$' fxbatch --crop 3 --long split --bases 4 r.fq
says '--crop is over --bases$' fxbatch --crop 9 --bases 4 r.fq
says '--crop is over --max-bases$' fxbatch --crop 2000 r.fq
says '--world does not divide --rows' fxbatch --world 3 r.fq
says '--rank is not below --world$' fxbatch --rank 2 --world 2 r.fq
says '--epoch-rows needs --epoch-end to be rows$' fxbatch --epoch-rows 5 r.fq
says '--epoch-end is rows, which needs --epoch-rows' fxbatch --epoch-end rows r.fq
says '--open-files is over the files of the largest group' fxbatch --open-files 9 r.fq
says '--shuffle-files has nothing to shuffle' fxbatch --shuffle-files r.fq
says 'give --shuffle-files, or --allow-unseen$' fxbatch --epoch-end first --group a r.fq --group b r.fq
says 'the weights of the groups' fxbatch --group a:4294967295 r.fq --group b:4294967294 r.fq
says '--group.*weight is' fxbatch --group a:0 r.fq
says '--label is group, which needs --group$' fxbatch --label group r.fq
says '--label-values need --label to be input$' fxbatch --label-values 1 r.fq
says 'the count of --label-values is not the number of inputs, 1' fxbatch --label input --label-values 1,2 r.fq
says '--label-values\[0\].* does not fit --label-dtype' fxbatch --label input --label-values 300 --label-dtype u8 r.fq
says '^fxbatch: --weights is "a=x", not a list of byte=number' fxbatch --weights a=x r.fq
says '--label title needs --label-key or --label-field$' fxbatch --label title r.fq
says '--label-key and --label-field both say where' fxbatch --label title --label-key ch --label-field 2 r.fq
says 'what is said of labels in titles needs --label to be title$' fxbatch --label input --label-classes a,b r.fq
says '--label-classes has an empty word$' fxbatch --label title --label-key ch --label-classes a,,b r.fq
says '--label-key is empty, or has a blank or tab: it is what stands before' fxbatch --label title --label-key 'a b' r.fq
says '--label-key needs titles, and the store has none: build it with fxstore --names all$' fxbatch --label title --label-key ch names.bst
says "r.fq: record 1 (line 1, byte 0 of the text): the title '.*' has no ch=, which --label title asks for$" \
    fxbatch --label title --label-key ch r.fq
says "store: input 1, record 1: the title '.*' has no field 3, which --label title asks for$" \
    fxbatch --label title --label-field 3 r.bst
says '--label-dtype is none of u8, i32, i64 and f32$' fxbatch --label input --label-dtype f16 r.fq
says '--text.high_bytes and --text.mixed are for readers alone$' fxbatch --text.mixed r.fq
says '--text.replace_letters needs --text.letters$' fxbatch --text.replace_letters r.fq
says '--rows times --name_bytes is over' fxbatch --rows 1048576 --name_bytes 65536 --names r.fq
says 'asks for gzip' fxbatch --gzip.require r.fq
: > none.fq
says 'which --text.require_record asks for$' fxbatch --text.require_record none.fq
says 'that --text.letters allows$' fxbatch --text.letters dna p.fa

# -- fxbatch: regions and stores -------------------------------------------------------------------------------------

says '--order is of stores, and there is none: --shuffle shuffles text$' fxbatch --order exact r.fq
says '--order is helixer, which is of a grid: it needs --grid, and --strands both$' fxbatch --order helixer --bases 9 g.bst
says '--grid, --regions and --records are of stores, and there is none$' fxbatch --grid 5 r.fq
says '--grid and --regions need --bases' fxbatch --regions five.bed g.bst
says '--grid and --regions and --crop: only one' fxbatch --grid 5 --crop 2 g.bst
says '--stride needs --long to be split' fxbatch --grid 5 --stride 2 g.bst
says '--grid and --regions and --stride: only one' fxbatch --grid 5 --long split --stride 2 g.bst
says 'the stride of --grid is over --bases$' fxbatch --grid 5:6 g.bst
says 'what is said of regions needs --grid or --regions$' fxbatch --jitter 3 --bases 9 g.bst
says '--fit needs --regions$' fxbatch --grid 5 --fit center g.bst
printf '0\n' > "$work/first"
says 'records of --records are not cut, as --long split does$' fxbatch --records first --bases 9 --long split g.bst
says 'what is said of regions needs --grid or --regions, not --records$' fxbatch --records first --jitter 3 g.bst
says '--grid, --regions and --records are of stores, and there is none$' fxbatch --records first r.fq
says 'a stride needs --grid$' fxbatch --bases 5 --regions five.bed --regions.stride 3 g.bst
says '--split.block_bases is below --bases and twice --jitter$' fxbatch --grid 5 --jitter 3 --split 1:0:1:by=block,6 g.bst
says '--regions.forbid_lower allows no lower case' fxbatch --grid 5 --regions.forbid_lower --regions.max_lower_fraction 0.5 g.bst
says '--regions.forbid_other allows no other' fxbatch --grid 5 --regions.forbid_other --regions.max_other_fraction 0.5 g.bst
says '--strands both shows each strand, and --rc a' fxbatch --grid 5 --strands both --rc 0.5 g.bst
says '--strands both needs nucleotides, and --channels names' fxbatch --grid 5 --strands both --channels LMN g.bst
says '--rc needs nucleotides, and --channels names' fxbatch --rc 0.5 --channels LMN r.fq
says '--rc needs nucleotides, and --text.letters is protein$' fxbatch --rc 0.5 --text.letters protein r.fq
says '--max-n or --max-region-n needs nucleotides, and --channels names' fxbatch --max-n 0 --channels LMN r.fq
says 'group 1 (y): it shows no intervals of a store, and --label is region' fxbatch --bases 5 --label region --label-column 5 \
    --group x g.bst --regions x=five.bed --group y r.fq
says '--shuffle is of text, and there is none: --order exact' fxbatch --shuffle 9 g.bst
says 'the record has 13 bases, --bases is 4: raise it, or let --long split or cut' fxbatch --bases 4 g.bst
says 'the record has 9 bases, --max-bases is 4: raise it, or let --long split or cut' fxbatch --max-bases 4 r.fq
says 'the record is longer than --max-record, 5 bytes' fxbatch --max-record 5 r.fq
says 'is longer than --max-record, 5 bytes; --skip-bad holds it whole\|is longer than --max-record, 5 bytes' \
    fxbatch --max-record 5 --skip-bad 1 --long head --bases 3 g.fa

# -- fxbatch: what filters left, and resume states -----------------------------------------------------------------------

says 'left out --min-length and --max-length\|--min-length and --max-length left out 2; --allow-no-rows' fxbatch --min-length 99 r.fq
says '--min-quality left out' fxbatch --min-quality 90 r.fq
says '--max-error left out' fxbatch --max-error 0.00000001 r.fq
says '--min-base-quality left out' fxbatch --min-base-quality 90 r.fq
says '--max-n or --max-region-n left out' fxbatch --max-n 0 n.fa
says '--subsample left out' fxbatch --subsample 0.9999999:1 r.fq
says '--split left out' fxbatch --split 1:0:0.0000001 r.fq
run fxstore --letters bytes n.fa -o n.bst
says '--max-lower left out' fxbatch --grid 4 --max-lower 0 n.bst
says '--max-other left out' fxbatch --grid 4 --max-other 0 n.bst
says '--edge left out' fxbatch --grid 50 --edge drop g.bst
says '--first left out\|--every left out' fxbatch --every 3 --filter.min_length 9 --first 1 --max-length 9 --max-n 0 r.fq
printf 'no state' > bad.state
says 'the state of --resume' fxbatch --resume bad.state r.fq
run fxbatch --rows 1 --stop-after 1 --state-file text.state r.fq
run fxbatch --rows 1 --stop-after 1 --state-file store.state r.bst
says 'the state of --resume was made with other flags' fxbatch --rows 1 --seed 3 --resume text.state r.fq
says 'the state of --resume was made over other input' fxbatch --rows 1 --resume text.state g.fa
says 'the state of --resume is of text, and this has stores' fxbatch --rows 1 --resume text.state r.bst
says 'the state of --resume is of stores, and this has text' fxbatch --rows 1 --resume store.state r.fq
printf '# c\n@a\nACGT\n+\nIIII\n' > comment.fq

# -- one desc in a file --------------------------------------------------------------------------------------------------

printf 'encoding.kind tokens\nencoding.layout ncl\n' > t.desc
says '--encode is tokens, and --layout is given$' fxbatch --desc t.desc r.fq
printf 'encoding.dtype f61\n' > t.desc
says '--desc: line 1: --dtype is .f61., not one of' fxbatch --desc t.desc r.fq
says ': --dtype is .f61., not one of' fxbatch --dtype f61 r.fq
says ': --rows is "x"' fxbatch --rows x r.fq

# -- lines of BED --------------------------------------------------------------------------------------------------------

says 'long.bed: line 4: the interval is not as long as --bases, and --fit is exact$' fxbatch --bases 5 --regions long.bed g.bst
says 'long.bed: line 1: the interval is not as long as --bases, and --fit is exact$' fxbatch --bases 6 --regions long.bed g.bst
says 'five.bed: line 2: the interval, which is on the minus strand, needs nucleotides, and --channels names' \
    fxbatch --bases 5 --regions five.bed --channels LMN g.bst
says 'long.bed: line 4: the interval is not as long' fxbatch --bases 5 --group x g.bst --regions x=five.bed --group y g.bst \
    --regions y=long.bed

# -- fxstore ---------------------------------------------------------------------------------------------------------------

says 'p.fa: --letters bytes is needed' fxstore p.fa -o p.bst
printf '>x\nACGTNRYNACGTacNNgtRRyy\n' > odd.fa
says 'odd.fa: --letters bytes is needed' fxstore odd.fa -o odd.bst
says 'the store needs more than --memory, 10 bytes' fxstore --memory 10 g.fa -o m.bst
says 'no qualities\|--qualities' fxstore --qualities g.fa -o q.bst
printf '>a\nACGT\n>a\nACGT\n' > twice.fa
says '--duplicate-names allows that' fxstore twice.fa -o t.bst
says '--letters is another' fxstore --check bytes.bst g.fa
says '--names is another' fxstore --check none.bst g.fa
says '--qualities is another' fxstore --check r.bst r.fq
says 'an input, and would be lost' fxstore g.fa -o g.fa
says 'START counts from 1' fxstore --fetch a:0-5 g.bst
says 'START counts from 1' fxstore --fetch a:0 g.bst

# -- the other tools -----------------------------------------------------------------------------------------------------

printf '>\nAC\n' > nameless.fa
says 'which --pedantic asks for' fxcat --pedantic nameless.fa
printf '@a\nAC\n+\nII\n\n@b\nAC\n+\nII\n' > blank.fq
says 'which --pedantic refuses' fxcat --pedantic blank.fq
says '--require-record' fxcat --require-record /dev/null
says 'that --letters allows' fxcat --letters dna p.fa
says 'the record is longer than --max-record, 5 bytes' fxcat --max-record 5 r.fq
says '--skip-bad needs one format: leave it or --mixed' fxcat --skip-bad 2 --mixed r.fq
says 'longer than --max-record, 5 bytes' fxtrain --max-record 5 --bases 3 --kmer 2 r.fq r.fq
says 'blocks\|BGZF' fxindex --gzi r.fq
says 'the file itself is\|would be lost' fxindex -o r.fq r.fq

# -- what is no FASTA and no FASTQ, plain and in gzip ------------------------------------------------------------------

# is NAME BYTES: a file of these bytes, for printf, and the same inside gzip.
is() {
    printf "$2" > other
    says "$1" fxstore other -o other.bst
    gzip -c other > other.gz
    says "$1" fxcount other.gz
}
is 'this is BAM, which is not read; FASTA and FASTQ are$' 'BAM\001\000\000\000\000'
is 'this is BCF, ' 'BCF\002\002'
is 'this is CRAM, ' 'CRAM\003\000\000\000'
is 'this is an index of BAM or VCF, ' 'BAI\001\003\000\000\000'
is 'this is an index of BAM or VCF, ' 'CSI\001\016\000\000\000'
is 'this is an index of BAM or VCF, ' 'TBI\001\003\000\000\000'
is 'this begins as SAM, which is not read; FASTA and FASTQ are$' '@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:9\n'
is 'begins as SAM, ' '@SQ\tSN:chr1\tLN:9\nr1\t0\tchr1\t1\t60\t4M\t*\t0\t0\tACGT\tIIII\n'
is 'this is a table with tabs, ' 'r1\t0\tchr1\t1\t60\t4M\t*\t0\t0\tACGT\tIIII\n'
is 'this is VCF, ' '##fileformat=VCFv4.2\n'
is 'this is VCF, ' '#CHROM\tPOS\tID\n'
is 'this is GFF, ' '##gff-version 3\n'
is 'this is GTF, ' '#!genome-build GRCh38.p13\n'
is 'this is a table with tabs, ' 'chr1\tHAVANA\tgene\t11869\t14409\t.\t+\t.\tgene_id "ENSG1";\n'
is 'this is a table with tabs, ' 'chr1\t0\t5\n'
is 'this is BED or wig, ' 'track name=x\nchr1 0 5\n'
is 'this is BED or wig, ' 'browser position chr7:1-9\n'
is 'this is BED or wig, ' 'fixedStep chrom=chr3 start=400601 step=100\n'
is 'this is bigWig, ' '\046\374\217\210\004\000'
is 'this is bigBed, ' '\353\362\211\207\004\000'
is 'this is a table with tabs, ' 'chr1\t248956422\t6\t60\t61\n'
is 'this is a table with tabs, ' '\n\nname\tsequence\nr1\tACGT\n'
is 'this is a table with commas, ' '"name","sequence"\r\n"r1","ACGT"\r\n'
is 'this is GenBank, ' 'LOCUS       SCU49845\n'
is 'this is EMBL or UniProt, ' 'ID   X56734; SV 1\n'
is 'this is Clustal, ' 'CLUSTAL W\n\na ACGT\n'
is 'this is Clustal, ' 'MUSCLE (3.8) multiple sequence alignment\n'
is 'this is GCG, ' '!!NA_SEQUENCE 1.0\n'
is 'this is GCG, ' 'PileUp\n\n   MSF:   12  Type: N    Check:  5220   ..\n'
is 'this is Phylip, ' ' 5    42\nTurkey    AAGCT\n'
is 'this is Phylip, ' '5 42\r\nTurkey    AAGCT\r\n'
is 'this begins as PIR, ' '>P1;CRAB_ANAPL\nALPHA CRYSTALLIN B CHAIN\n  MDITIHNPLI RRPLF*\n'
is 'this is Stockholm, ' '# STOCKHOLM 1.0\n'
is 'this is NEXUS, ' '#NEXUS\nbegin data;\n'
is 'this is Newick, ' '(A:0.1,(C:0.3,D:0.4):0.5);\n'
is 'this is BLAST, ' 'BLASTN 2.9.0+\n'
is 'this is PDB, ' 'HEADER    HYDROLASE               19-FEB-96   1ABC\n'
is 'this is sequence without a title line, ' 'ACGTNACGTACGT\nACGT\n'
is 'this is sequence without a title line, ' 'acgtacgtacgt'
is 'this is csfasta, ' '# Title: x\n>1_1_F3\nT0120.31\n'
is 'this is 2bit, ' "C'A\\032\\000\\000\\000\\000"
is 'this is an ABI trace, ' 'ABIF\000\145tdir'
is 'this is SCF, ' '.scf\000\000\000\020'
is 'this is SFF, ' '.sff0001'
is 'this is Parquet, ' 'PAR1\000\000\000'
is 'this is HDF5 (fast5), ' '\211HDF\r\n\032\n'
is 'this is POD5, ' '\213POD\r\n\032\n'
is 'this is BLOW5, ' 'BLOW5\001'
is 'this is SLOW5, ' '#slow5_version\t0.2.0\n'
is 'this is SRA, ' 'NCBI.sra\005\003'
is 'this is NumPy, ' '\223NUMPY\001\000v\000'
is 'this is SQLite, ' 'SQLite format 3\000'
is 'this is PDF, ' '%%PDF-1.7\n'
is 'this is RTF, ' '{\\rtf1\\ansi ACGT}'
is 'this is HTML or XML, ' '<!DOCTYPE html>\n'
is 'this is HTML or XML, ' '\357\273\277\r\n<html><head><title>404 Not Found</title>\r\n'
is 'this is XML, ' '<?xml version="1.0"?>\n'
is 'this is JSON, ' '{"message": "Not Found"}\n'
is 'this is JSON, ' '[\n'
is 'this is a git-lfs pointer, ' 'version https://git-lfs.github.com/spec/v1\n'
is 'this is MAF, ' '##maf version=1 scoring=tba.v8\n'
is 'this is PSL, ' 'psLayout version 3\n'
is 'this is a chain of UCSC, ' 'chain 4900 chrY 58368225 + 25985403 25985638 chr5 151006098 - 43257292 43257528 1\n'
is 'this is HMMER, ' 'HMMER3/f [3.1b2]\nNAME x\n'
is 'this is MEME, ' 'MEME version 4\n\nALPHABET= ACGT\n'
is 'this is mmCIF, ' 'data_1ABC\n#\n_entry.id 1ABC\n'
is 'this is ZTR, ' '\256ZTR\r\n\032\n'
is 'this is a picture, ' '\211PNG\r\n\032\n'
is 'this is a picture, ' '\377\330\377\340\000\020JFIF'
is 'this is a git-annex pointer, ' '/annex/objects/SHA256E-s12--1\n'
is 'this is Arrow, ' 'ARROW1\000\000'
is 'this is pickle, ' '\200\004\225\020\000\000'
is 'this is Word or Excel, ' '\320\317\021\340\241\261\032\341'
is 'this is a program, ' '\177ELF\002\001\001\000'
is 'this is a program, ' '#!/bin/sh\n'
is 'this is a program, ' 'MZ\220\000\003'
is 'UTF-16' '@\000r\0001\000\n\000'
is 'UTF-16' '\377\376>\000a\000\n\000'
is 'must start with' 'From: somebody\n'
is 'must start with' '# Read me\n\nSome words, and others.\n'
says 'is a directory, not a file$' fxcount .
says 'this is a store of biostream, ' fxcount g.bst
run fxindex g.fa -o g.bfi
says 'this is an index of biostream, ' fxcount g.bfi

# codec NAME BYTES: a file that another program compressed, and this inside gzip.
codec() {
    printf "$2" > other
    says "is compressed with $1, which is not read; gzip and BGZF are\$" fxstore other -o other.bst
    gzip -c other > other.gz
    says "this is $1, which is not read" fxcount other.gz
}
codec zstd '(\265/\375\044\000'
codec zstd '\120*M\030\004\000\000\000'
codec bzip2 'BZh91AY&SY\000\000'
codec xz '\3757zXZ\000\000\004'
codec lz4 '\004"M\030dd@d'
codec lz4 '\002!L\030\000\000'
codec 'compress (.Z)' '\037\235\220\000'
codec 7z '7z\274\257\047\034\000\004'
codec rar 'Rar!\032\007\001\000'
codec zip 'PK\003\004\024\000'
codec zip 'PK\005\006\000\000'
codec lzma ']\000\000\200\000'
codec lzip 'LZIP\001\014'
codec lzop '\211LZO\000\r\n\032\n'
codec snappy '\377\006\000\000sNaPpY'
codec zlib 'x\234\003\000'
gzip -c r.fq | gzip -c > twice.gz
says 'this is gzip inside gzip, which is not read; FASTA and FASTQ are$' fxcount twice.gz
tar -cf other r.fq
says 'this is tar, which is not read; FASTA and FASTQ are$' fxcount other
gzip -c other > reads.tgz
says 'this is tar, which is not read; FASTA and FASTQ are$' fxstore reads.tgz -o other.bst
printf '\000@\000r\0001' > other
says 'this is UTF-16 (save it as plain ASCII or UTF-8): ' fxstore other -o other.bst
gzip -c other > other.gz
says 'this is UTF-16 (save it as plain ASCII or UTF-8), which is not read; FASTA and FASTQ are$' fxstore other.gz -o other.bst
says '--text.loose goes with --text.mixed, .* all of them, and --text.require_record and --skip-bad alone$' fxbatch --text.loose r.fq
printf '\032A'"'"'C\000\000' > other
says 'this is 2bit: ' fxstore other -o other.bst
printf '\000\005\026\007\000\002' > other
says 'this is a ._ file of macOS beside the real one: ' fxstore other -o other.bst
dd if=/dev/zero of=other bs=1000 count=1 2> out
says 'this is neither gzip nor text: it starts with ' fxstore other -o other.bst
printf '\037' > other
says 'the file ends inside a gzip member' fxcount other
: > other
run fxcount other
check "an empty file is no error" test "$code" = 0
printf '@HD\tx\nACGT\n+\nIIII\n' > hd.fq
run fxcount hd.fq
check "a read may be named as a line of SAM begins" test "$code" = 0
for title in 'P1;size=3' 'DL;' 'CRAM' 'LOCUS x' ' {' '# STOCKHOLM' 'version https://x'; do
    printf '>%s\nACGT\nACGT AC\n' "$title" > title.fa
    run fxcount title.fa
    check "FASTA may be named '$title'" test "$code" = 0
    printf '@%s\nACGT\n+\nIIII\n' "$title" > title.fq
    run fxcount title.fq
    check "a read may be named '$title'" test "$code" = 0
done

cd "$OLDPWD" || exit 1
finish
