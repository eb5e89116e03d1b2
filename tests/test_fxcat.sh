#!/bin/sh
# test_fxcat.sh DIR - fxcat and fxcount in DIR, as whole programs: what they write, byte for byte, their exit codes
# and their sentences, over the files of examples/data, the hard cases of tests/data/semantics/fastx, and small texts
# written here. Expected text and figures come from EXPECTED.tsv, gzip, awk, or stand here by hand.
# Ends with `N passed, N failed`.
# needs: nothing
. tests/shell.sh

run() { call "$@"; }

# wrote FILE: standard output was that.
wrote() { cmp -s "$work/out" "$1"; }

# cats NAME TEXT EXPECTED FLAGS...: fxcat of TEXT (for printf) is EXPECTED, without a word.
cats() {
    name=$1
    printf "$2" > "$work/text"
    printf "$3" > "$work/expected"
    shift 3
    run fxcat "$@" "$work/text"
    check "$name ends with 0" ends 0 ""
    check "$name writes what it should" wrote "$work/expected"
}

# refuses NAME TEXT EXPECTED WORDS FLAGS...: fxcat of TEXT is EXPECTED, then the error.
refuses() {
    name=$1
    printf "$2" > "$work/text"
    printf "$3" > "$work/expected"
    words=$4
    shift 4
    run fxcat "$@" "$work/text"
    check "$name is refused" ends 1 "^fxcat: $work/text: .*$words"
    check "$name is one sentence" test "$(lines "$work/err")" = 1
    check "$name writes what came before" wrote "$work/expected"
}

bytes() { wc -c < "$1" | tr -d ' '; }
lines() { wc -l < "$1" | tr -d ' '; }

# sha FILE: its SHA-256, by whatever this system has.
if command -v sha256sum > /dev/null 2>&1; then
    sha() { sha256sum < "$1" | cut -d ' ' -f 1; }
elif command -v shasum > /dev/null 2>&1; then
    sha() { shasum -a 256 < "$1" | cut -d ' ' -f 1; }
elif command -v openssl > /dev/null 2>&1; then
    sha() { openssl dgst -sha256 -r < "$1" | cut -d ' ' -f 1; }
else
    sha() { echo none; }
fi

have_gzip=1
command -v gzip > /dev/null 2>&1 || have_gzip=
test -n "$have_gzip" || skip gzip
: > "$work/out"
: > "$work/err"
: > "$work/empty"
have_sha=1
test "$(sha "$work/empty")" = e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 || have_sha=
test -n "$have_sha" || skip "SHA-256 (needs sha256sum, shasum or openssl)"

# -- flags and exit codes ------------------------------------------------------------------------

reads=$data/tenx_v2_R1_barcode_umi.fastq
for tool in fxcat fxcount; do
    run $tool --help
    check "$tool --help ends with 0" ends 0 ""
    check "$tool --help shows the usage" grep -q "^usage: $tool " "$work/out"
    check "$tool --help tells of standard input" grep -q 'standard input' "$work/out"
    run $tool --version
    check "$tool --version" test "$(cat "$work/out")" = "$tool $(sh tests/version.sh)"
    run $tool
    check "$tool without files is wrong usage" ends 2 "no file is given"
    run $tool --nonsense "$reads"
    check "$tool with an unknown flag" ends 2 "unknown flag --nonsense"
    for wrong in -x -t=2 --workers= '-t 257' '-t -1'; do
        # shellcheck disable=SC2086
        run $tool $wrong "$reads"
        check "$tool $wrong is refused" ends 2 "^usage: $tool "
        check "$tool $wrong writes nothing" wrote "$work/empty"
    done
    run $tool "$work/no_such_file"
    check "$tool on a missing file" ends 1 "no_such_file: cannot be opened"
    run $tool $data
    check "$tool on a directory" ends 1 directory
    printf '\050\265\057\375\044\000\001\000\000\231\351\330\121' > "$work/other.zst"
    run $tool "$work/other.zst"
    check "$tool on another codec" ends 1 "other.zst.*zstd"
    "$dir/$tool" - <&- > "$work/out" 2> "$work/err"
    code=$?
    check "$tool without any standard input" ends 1 "standard input: cannot be read"
    if test -c /dev/full; then
        "$dir/$tool" "$reads" > /dev/full 2> "$work/err"
        code=$?
        check "$tool on a full disk" ends 1 "^$tool: standard output cannot be written: "
        "$dir/$tool" "$reads" "$work/no_such_file" > /dev/full 2> "$work/err"
        check "$tool says that once" test "$(lines "$work/err")" = 1
    else
        skip /dev/full
    fi
done
for flag in '-t, --workers N' '-v, --verbose' --pedantic --four-lines --require-record --skip-comments --skip-junk --high-bytes --mixed --loose --strip-blanks \
    --keep-gt --ignore-plus --phred64 '--letters any|dna|iupac|rna|protein' --replace-letters '--skip-bad N' \
    '--max-record BYTES'; do
    run fxcat --help
    sed 's/$/ /' "$work/out" > "$work/help" # a long flag has a line of its own
    check "fxcat --help names $flag" grep -q -e "^  $flag " "$work/help"
done
for wrong in --letters=acgt --letters= --skip-bad=-1 --skip-bad=x --max-record=0 --pedantic=1; do
    run fxcat $wrong "$reads"
    check "fxcat $wrong is refused" ends 2 "^usage: fxcat "
    check "fxcat $wrong writes nothing" wrote "$work/empty"
done
run fxcat --replace-letters "$reads"
check "--replace-letters alone" ends 2 "needs --letters"
run fxcat --replace-letters --letters any "$reads"
check "--replace-letters with all letters" ends 2 "needs --letters"

# -- the hard cases ------------------------------------------------------------------------------

# words KIND: what the sentence of this fault says.
words() {
    case $1 in
    TRUNCATED) echo 'the file was cut off' ;;
    BAD_START) echo "a record must start with '[>@]'" ;;
    UTF16) echo 'UTF-16' ;;
    NUL) echo 'NUL byte' ;;
    CR_IN_LINE) echo 'carriage return inside a line' ;;
    BAD_SEQ) echo 'this line cannot be sequence' ;;
    BAD_SEQ_BYTE) echo 'cannot stand in a sequence' ;;
    BAD_SEP) echo "the '+' line that must follow" ;;
    PLUS_MISMATCH) echo "the '+' line does not repeat the title" ;;
    BAD_QUAL_BYTE) echo 'cannot stand in a quality' ;;
    LENGTH) echo 'quality has [0-9]* characters, sequence has [0-9]*' ;;
    GT_IN_SEQ) echo "'>'[ ,]" ;;
    FASTQ_IN_FASTA) echo 'as FASTQ lines do' ;;
    COMMENT_LINE) echo "';' is no sequence" ;;
    *) echo 'no such fault' ;;
    esac
}

# holds FORMAT RECORDS BASES: standard output is so many whole records of so many bases.
holds() {
    awk -v format="$1" -v records="$2" -v bases="$3" '
        format == "fastq" && NR % 4 == 2 || format == "fasta" && NR % 2 == 0 { found += length($0) }
        END { exit !(NR == records * (format == "fastq" ? 4 : 2) && found + 0 == bases) }' "$work/out"
}

grep '^fastx/' $hard/EXPECTED.tsv > "$work/expected.tsv"
check "all hard cases are there" test "$(lines "$work/expected.tsv")" = 100
while IFS=$tab read -r file format verdict records bases canonical kind line _; do
    name=$(basename "$file")
    run fxcat "$hard/$file"
    if test "$verdict" = valid; then
        check "$name is valid" ends 0 ""
        check "$name has $records records, $bases bases" holds "$format" "$records" "$bases"
        test -z "$have_sha" || check "$name is written as it should be" test "$(sha "$work/out")" = "$canonical"
    else
        check "$name is bad: $kind" ends 1 "^fxcat: $hard/$file: .*line $line[,)].*$(words "$kind")"
        check "$name says one sentence" test "$(lines "$work/err")" = 1
        check "$name has $records records before" holds "$format" "$records" "$bases"
    fi
    mv "$work/out" "$work/one"
    one=$code
    run fxcat -t 2 "$hard/$file"
    check "$name with 2 workers is the same" wrote "$work/one"
    check "$name with 2 workers ends the same" test "$code" = "$one"
    "$dir/fxcat" - < "$hard/$file" > "$work/out" 2> "$work/err"
    code=$?
    check "$name as standard input is the same" wrote "$work/one"
    check "$name as standard input ends the same" test "$code" = "$one"
    if test -n "$have_gzip"; then
        gzip -c "$hard/$file" > "$work/packed.gz"
        run fxcat "$work/packed.gz"
        check "$name packed is the same" wrote "$work/one"
        check "$name packed ends the same" test "$code" = "$one"
    fi
    run fxcount "$hard/$file"
    if test "$verdict" = valid; then
        check "$name is counted" test "$(tail -n +2 "$work/out" | cut -f 2,3)" = "$records$tab$bases"
        run fxcat "$work/one"
        check "$name as written is written the same" wrote "$work/one"
    else
        check "$name is not counted" ends 1 "^fxcount: $hard/$file: .*line $line[,)].*$(words "$kind")"
        check "$name gets no line" test "$(lines "$work/out")" = 1
    fi
done < "$work/expected.tsv"

# -- real files ----------------------------------------------------------------------------------

# canonical: text on standard input, plain and well formed, as fxcat must write it.
canonical() {
    awk '/^>/ { if (NR > 1) print ""; print; next } { printf "%s", $0 } END { print "" }'
}

# counted: FASTA of two lines or FASTQ of four on standard input; prints the figures of fxcount.
counted() {
    awk 'NR == 1 { step = /^>/ ? 2 : 4 }
        NR % step == 2 % step {
            length_ = length($0); records++; bases += length_
            if (records == 1 || length_ < min) min = length_
            if (length_ > max) max = length_
            n += gsub(/[Nn]/, ""); at += gsub(/[AaTt]/, ""); gc += gsub(/[GgCc]/, "")
        }
        END { printf "%d\t%d\t%d\t%.2f\t%d\t%.4f\t%.4f\n", records, bases, min, records ? bases / records : 0, max,
              at + gc ? gc / (at + gc) : 0, bases ? n / bases : 0 }'
}

for file in $data/*.gz $data/*.fastq; do
    name=$(basename "$file")
    case $file in
    *.gz)
        test -n "$have_gzip" || continue
        gzip -dc "$file" > "$work/plain"
        ;;
    *) cp "$file" "$work/plain" ;;
    esac
    case $file in
    *.fasta*) canonical < "$work/plain" > "$work/expected" ;;
    *) cp "$work/plain" "$work/expected" ;;
    esac
    counted < "$work/expected" > "$work/figures"
    for workers in 1 2 5; do
        run fxcat -t $workers "$file"
        check "$name with $workers workers" ends 0 ""
        check "$name with $workers workers is written whole" wrote "$work/expected"
        run fxcount -t $workers "$file"
        check "$name with $workers workers is counted" ends 0 ""
        check "$name with $workers workers has these figures" test \
            "$(tail -n +2 "$work/out")" = "$file$tab$(cat "$work/figures")"
    done
    # shellcheck disable=SC2002
    cat "$file" | "$dir/fxcat" - > "$work/out" 2> "$work/err"
    code=$?
    check "$name from a pipe" ends 0 ""
    check "$name from a pipe is the same" wrote "$work/expected"
    "$dir/fxcount" - < "$file" > "$work/out" 2> "$work/err"
    check "$name as standard input has these figures" test \
        "$(tail -n +2 "$work/out")" = "standard input$tab$(cat "$work/figures")"
done

# The same records in other forms. Each awk program gets FASTQ of four lines.
if test -n "$have_gzip"; then
    gzip -dc $data/illumina_hiseqx_150bp.fastq.gz > "$work/expected"
    # form NAME PROGRAM
    form() {
        awk "$2" "$work/expected" > "$work/plain"
        for workers in 1 3; do
            run fxcat -t $workers "$work/plain"
            check "$1, $workers workers" ends 0 ""
            check "$1, $workers workers, becomes plain FASTQ" wrote "$work/expected"
        done
    }
    form "CRLF" '{ printf "%s\r\n", $0 }'
    form "titles after +" 'NR % 4 == 1 { title = substr($0, 2) } NR % 4 == 3 { $0 = "+" title } { print }'
    form "lines of 61" 'NR % 2 == 0 { while (length($0) > 61) { print substr($0, 1, 61); $0 = substr($0, 62) } }
        { print }'
    form "blank lines between" 'NR % 4 == 1 && NR > 1 { print "" } { print }'
    form "some records in more lines" 'NR % 28 == 2 || NR % 28 == 4 { print substr($0, 1, 9); $0 = substr($0, 10) }
        { print }'
    form "some CRLF" 'NR % 7 == 0 { $0 = $0 "\r" } { print }'
    form "no last line end" 'NR > 1 { print last } { last = $0 } END { printf "%s", last }'
fi

# A sequence on one line of 12 MB, far over a page, then a short one; --max-record is not for FASTA sequences.
{ printf '>long one\n'; yes ACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGN | head -n 250000 | tr -d '\n'
  printf '\n>short\nAC\n'; } > "$work/plain"
for flags in '-t 1' '-t 2' '--max-record 1000' '--letters dna'; do
    # shellcheck disable=SC2086
    run fxcat $flags "$work/plain"
    check "a line of 12 MB, $flags" ends 0 ""
    check "a line of 12 MB, $flags, is written whole" wrote "$work/plain"
done
run fxcount "$work/plain"
check "a line of 12 MB is counted" test "$(tail -n +2 "$work/out" | cut -f 2-)" = \
    "$(counted < "$work/plain")"
fold -w 61 "$work/plain" > "$work/folded"
run fxcat "$work/folded"
check "the same in lines of 61" wrote "$work/plain"

# -- what the flags do ---------------------------------------------------------------------------

good='@r1 x\nACGT\n+\nIIII\n'
cats "without flags a blank line" "$good\n@r2\nGG\n+\nII\n\n" "$good@r2\nGG\n+\nII\n"
refuses "--pedantic, a blank line between" "$good\n@r2\nGG\n+\nII\n" "$good" "line 5[,)].*blank" --pedantic
refuses "--pedantic, a blank line before" "\n$good" "" "line 1[,)].*blank" --pedantic
refuses "--pedantic, a blank in FASTA" ">a\nAC GT\n" "" "line 2[,)].*cannot stand in a sequence" --pedantic
refuses "--pedantic, no name" "$good@\nA\n+\nI\n" "$good" "line 5[,)].*name" --pedantic
cats "--pedantic, all well" "$good" "$good" --pedantic
cats "without flags a blank in FASTA" ">a\nAC GT\t\n" ">a\nACGT\n"

cats "without flags five lines" '@a\nAC\nGT\n+\nII\nII\n' '@a\nACGT\n+\nIIII\n'
refuses "--four-lines, two lines of sequence" "$good@a\nAC\nGT\n+\nII\nII\n" "$good" "line 7[,)].*'+' line" --four-lines
refuses "--four-lines, two lines of quality" "$good@a\nACGT\n+\nII\nII\n" "$good" \
    "line 8[,)].*quality has 2 characters, sequence has 4" --four-lines
cats "--four-lines, an empty read" '@a\n\n+\n\n' '@a\n\n+\n\n' --four-lines

cats "without flags nothing at all" '' ''
run fxcat --require-record "$work/empty"
check "--require-record" ends 1 "^fxcat: $work/empty: .*no record"
run fxcat --require-record "$work/empty" "$reads"
check "--require-record ends the run" wrote "$work/empty"

cats "--skip-comments before FASTQ" "#one\n;two\n$good" "$good" --skip-comments
cats "--skip-comments in FASTA" ';x\n>a\nAC\n;no base\nGT\n' '>a\nACGT\n' --skip-comments
refuses "without it" "#one\n$good" "" "line 1[,)].*a record must start with"
refuses "without it in FASTA" ">b\nA\n>a\nAC\n;no base\nGT\n" ">b\nA\n" "line 5[,)].*';'"

cats "--strip-blanks" '@a\nACGT \t\n+\nIIII\n' '@a\nACGT\n+\nIIII\n' --strip-blanks
refuses "without it" '@a\nACGT \n+\nIIII\n' '' "line 2[,)].*cannot stand in a sequence"
cats "--keep-gt" '>a\nAC>GT\n' '>a\nAC>GT\n' --keep-gt
refuses "without it" '>a\nAC>GT\n' '' "line 2[,)].*'>' inside"
cats "--skip-junk" 'hello\n# x\n @a\nAC\n+\nII\njunk @b\nG\n+\nI\n\n' '@a\nAC\n+\nII\n@b\nG\n+\nI\n' --skip-junk
refuses "without it" 'hello\n@a\nAC\n+\nII\n' '' "line 1[,)].*a record must start with"
cats "--high-bytes" '@a\nA\351C\n+\n\177I\377\n' '@a\nA\351C\n+\n\177I\377\n' --high-bytes
refuses "without it" '@a\nA\351C\n+\nIII\n' '' "line 2[,)].*cannot stand in a sequence"
cats "--mixed" '>a\nAC\nGT\n@b\nG\n+\nI\n>c\nTT\n' '>a\nACGT\n@b\nG\n+\nI\n>c\nTT\n' --mixed
refuses "without it" '>a\nAC\n@b\nG\n+\nI\n' '' "line 3[,)].*as FASTQ lines do"
cats "--loose" '@a\nA C\n@b\nG\n+x\nI\n>c\nTT\n+\n\t \n' '>a\nA C\n@b\nG\n+\nI\n@c\nTT\n+\n\t \n' --loose
run fxcat --loose --phred64 /dev/null
check "--loose --phred64" ends 2 "--loose goes with no other rule but --skip-bad"
cats "--ignore-plus" '@a\nAC\n+ something else\nII\n' '@a\nAC\n+\nII\n' --ignore-plus
refuses "without it" '@a\nAC\n+ something else\nII\n' '' "line 3[,)].*does not repeat"
# '@' is 64, Phred 0, '!' there; 'h' is 104, Phred 40, 'I'; 'J' is 74, Phred 10, '+'.
cats "--phred64" '@a\nACG\n+\n@hJ\n' '@a\nACG\n+\n!I+\n' --phred64
refuses "--phred64, byte 63" '@a\nACG\n+\n?hJ\n' '' "line 4[,)].*cannot stand in a quality" --phred64

refuses "--letters dna" "$good@a\nAUG\n+\nIII\n" "$good" "line 6[,)].*letter" --letters dna
cats "--letters rna" '@a\nAUGcn\n+\nIIIII\n' '@a\nAUGcn\n+\nIIIII\n' --letters rna
refuses "--letters rna, T" '@a\nACGT\n+\nIIII\n' '' "line 2[,)].*letter" --letters rna
cats "--letters iupac" '>a\nACGTNRYSWKMBDHVacgtnryswkmbdhv\n' '>a\nACGTNRYSWKMBDHVacgtnryswkmbdhv\n' --letters iupac
refuses "--letters iupac, X" '>a\nACGTNRYSWKMBDHVX\n' '' "line 2[,)].*letter" --letters iupac
cats "--letters protein" '>a\nMKVLAtz*\n' '>a\nMKVLAtz*\n' --letters protein
refuses "--letters protein, -" '>a\nMK-V\n' '' "line 2[,)].*letter" --letters protein
cats "--letters any" '>a\nMK-V1\n' '>a\nMK-V1\n' --letters any
cats "--replace-letters" '@a\nAUGx.\n+\nIIIII\n' '@a\nANGNN\n+\nIIIII\n' --letters dna --replace-letters
cats "--replace-letters of proteins" '>a\nMK-V1*\n' '>a\nMKXVX*\n' --letters protein --replace-letters

cats "--max-record and FASTA" '>a\nACGTACGTAC\nACGTACGTAC\n' '>a\nACGTACGTACACGTACGTAC\n' --max-record 10
refuses "--max-record" "$good@a\nACGTACGTAC\n+\nIIIIIIIIII\n" "$good" "longer than --max-record, 20 bytes" --max-record 20
cats "--max-record, just enough" "$good" "$good" --max-record 20

# -- bad records left out ------------------------------------------------------------------------

short='@r2\nACGT\n+\nIII\n'
last='@r3\nGG\n+\nII\n'
# skips NAME CODE TEXT EXPECTED LINES FLAGS...: that many lines on standard error.
skips() {
    name=$1
    want=$2
    printf "$3" > "$work/text"
    printf "$4" > "$work/expected"
    want_lines=$5
    shift 5
    run fxcat "$@" "$work/text"
    check "$name ends with $want" test "$code" = "$want"
    check "$name says $want_lines lines" test "$(lines "$work/err")" = "$want_lines"
    check "$name writes the good ones" wrote "$work/expected"
}
skips "one bad record" 1 "$good$short$last" "$good" 1
skips "--skip-bad 1, one bad record" 0 "$good$short$last" "$good$last" 1 --skip-bad 1
check "it is named" grep -q "^fxcat: $work/text: record 2 (line 9[,)].*quality has [0-9]* characters" "$work/err"
skips "--skip-bad 1, two bad records" 1 "$good$short$good$short$last" "$good$good" 2 --skip-bad 1
check "the second is numbered on" grep -q "record 4 " "$work/err"
skips "--skip-bad 2, two bad records" 0 "$good$short$good$short$last" "$good$good$last" 2 --skip-bad 2
skips "--skip-bad 1, two bad records in a row" 1 "$good$short$short$last" "$good" 1 --skip-bad 1
skips "--skip-bad 2, two bad records in a row" 0 "$good$short$short$last" "$good$last" 1 --skip-bad 2
check "they are one gap" grep -q '8 lines are left out here, counted as 2 records$' "$work/err"
skips "-v --skip-bad 2" 0 "$good$short$short$last" "$good$last" 2 -v --skip-bad 2
check "and say how many" grep -q 'warning: 2 bad records were left out (8 lines, in 1 gap)$' "$work/err"
skips "--skip-bad all" 0 "$good$short$good$short$last" "$good$good$last" 2 --skip-bad 18446744073709551615
skips "--skip-bad, FASTA all good" 0 '>a x\nAC\nGT\n>b\n' '>a x\nACGT\n>b\n\n' 0 --skip-bad 1
skips "--skip-bad, all good" 0 "$good$last" "$good$last" 0 --skip-bad 5
skips "--skip-bad, a cut end" 1 "$good@r2\nAC" "$good" 1 --skip-bad 5
skips "--skip-bad, junk between" 0 "${good}junk\n$last" "$good$last" 1 --skip-bad 1
skips "--skip-bad in FASTA" 0 '>a\nAC\n>b\nA>C\nGG\n>c\nGG\n' '>a\nAC\n>c\nGG\n' 1 --skip-bad 1
skips "--skip-bad, a long one" 0 '>a\nACGTACGTAC\nACGTACGTAC\n>b\nA\n' '>b\nA\n' 1 --max-record 10 --skip-bad 1
skips "--skip-bad, no format" 1 "junk\n$good" "" 1 --skip-bad 5
run fxcat -v --skip-bad 1 "$work/text"
printf "$good$short$last" > "$work/text"
run fxcat -v --skip-bad 1 "$work/text"
check "-v tells of it too" grep -q "^fxcat: $work/text: warning: 1 bad record was left out (4 lines, in 1 gap)$" "$work/err"
run fxcat --skip-bad 1 "$work/text" "$work/text"
check "the number is for each file" test "$code,$(lines "$work/out")" = 0,16
"$dir/fxcat" --skip-bad 1 - < "$work/text" > "$work/out" 2> "$work/err"
check "standard input is named" grep -q "^fxcat: standard input: record 2 " "$work/err"
check "and its good ones come" test "$(lines "$work/out")" = 8

# A FASTA record of several pages, bad at its end: nothing is written of it.
{ printf '>a\n'; yes ACGT | head -n 500000; printf 'A>C\n>c\nGG\n'; } > "$work/text"
run fxcat --skip-bad 1 "$work/text"
check "--skip-bad in a long record" test "$code,$(tr '\n' ' ' < "$work/out")" = "0,>c GG "
run fxcat "$work/text"
check "without it the record is bad" ends 1 "record 1 (line 500002[,)].*'>' inside"
check "and the next one does not come" test "$(grep -c '^>c' "$work/out")" = 0

# -- warnings ------------------------------------------------------------------------------------

# warns WORDS TEXT FLAGS...
warns() {
    printf "$2" > "$work/text"
    words=$1
    shift 2
    run fxcat "$@" "$work/text"
    check "no word of: $words" ends 0 ""
    run fxcat -v "$@" "$work/text"
    check "-v: $words" ends 0 "^fxcat: $work/text: warning: $words"
    check "-v says one thing" test "$(lines "$work/err")" = 1
}
warns 'a UTF-8 byte order mark' "\\357\\273\\277$good"
warns 'blank lines' "$good\n$last"
warns 'blanks or tabs in sequence' '>a\nAC GT\n'
warns 'blanks or tabs in sequence' '@a\nAC \n+\nII\n' --strip-blanks
warns 'comment lines' "#x\n$good" --skip-comments
warns 'comment lines, or junk' "x\\n$good" --skip-junk
warns 'letters outside' '>a\nAXC\n' --letters dna --replace-letters
run fxcat -v "$reads"
check "-v says nothing where all is well" ends 0 ""
run fxcat -v $hard/gzip/b02_noeof.gz
check "-v tells of a missing last block" grep -q "b02_noeof.gz: warning: .*empty last block" "$work/err"

# -- several files -------------------------------------------------------------------------------

printf "$good" > "$work/one.fq"
printf "$last" > "$work/two.fq"
printf '>a\nAC\nGT\n' > "$work/one.fa"
printf "$good$short" > "$work/bad.fq"
cat "$work/one.fq" "$work/two.fq" "$work/one.fq" > "$work/expected"
run fxcat "$work/one.fq" "$work/two.fq" "$work/one.fq"
check "several files" ends 0 ""
check "come one after another" wrote "$work/expected"
"$dir/fxcat" "$work/one.fq" - "$work/one.fq" < "$work/two.fq" > "$work/out" 2> "$work/err"
code=$?
check "standard input among files" ends 0 ""
check "comes in its place" wrote "$work/expected"
# From where standard input is: another has read the first lines.
{ printf 'a line of mine\n'; cat "$work/two.fq"; } > "$work/after.fq"
{ dd bs=15 count=1 of="$work/mine" 2> /dev/null; "$dir/fxcat" -; } < "$work/after.fq" > "$work/out" 2> "$work/err"
code=$?
check "standard input from where it is" ends 0 ""
check "is what follows" wrote "$work/two.fq"
{ dd bs=15 count=1 of="$work/mine" 2> /dev/null; "$dir/fxcount" -; } < "$work/after.fq" > "$work/out" 2> "$work/err"
code=$?
check "fxcount of standard input from where it is" ends 0 ""
run fxcount "$work/two.fq"
{ dd bs=15 count=1 of="$work/mine" 2> /dev/null; "$dir/fxcount" -; } < "$work/after.fq" > "$work/counted" 2> "$work/err"
check "counts what follows" test "$(cut -f 2- "$work/out")" = "$(cut -f 2- "$work/counted")"
"$dir/fxcat" - < "$work" > "$work/out" 2> "$work/err"
code=$?
check "a directory as standard input" ends 1 "standard input: is a directory"
run fxcat "$work/empty" "$work/one.fq" "$work/empty" "$work/two.fq" "$work/one.fq"
check "empty files do not count" wrote "$work/expected"
run fxcat "$work/one.fq" "$work/bad.fq" "$work/two.fq"
cat "$work/one.fq" "$work/one.fq" > "$work/expected"
check "a bad file among them" ends 1 "bad.fq: record 2 "
check "ends it, after its good records" wrote "$work/expected"
run fxcat "$work/one.fq" "$work/no_such_file" "$work/two.fq"
check "a missing file among them" ends 1 "no_such_file"
check "ends it too" wrote "$work/one.fq"
run fxcat "$work/one.fq" "$work/one.fa" "$work/two.fq"
check "FASTA after FASTQ" ends 1 "^fxcat: $work/one.fa is FASTA, and the files before it are FASTQ"
check "ends it too" wrote "$work/one.fq"
run fxcat "$work/one.fa" "$work/one.fa"
check "FASTA files" test "$code,$(tr '\n' ' ' < "$work/out")" = "0,>a ACGT >a ACGT "

# -- fxcount -------------------------------------------------------------------------------------

names="#file${tab}records${tab}bases${tab}min${tab}mean${tab}max${tab}gc${tab}n"
# counts NAME TEXT FIGURES
counts() {
    printf "$2" > "$work/text"
    run fxcount "$work/text"
    check "$1 is counted" ends 0 ""
    check "$1 starts with the names" test "$(head -n 1 "$work/out")" = "$names"
    check "$1 has these figures" test "$(tail -n +2 "$work/out")" = "$(printf "%s\t$3" "$work/text")"
}
counts nothing '' '0\t0\t0\t0.00\t0\t0.0000\t0.0000'
# 4 + 2 bases; G and C: 2 + 2 of 6.
counts "two reads" "$good$last" '2\t6\t2\t3.00\t4\t0.6667\t0.0000'
# 1 + 0 + 3 bases, mean 4/3; G C: 1 of 2; N: 1 of 4; U is a base, and none of A C G T.
counts "U, N and an empty read" '@a\nU\n+\nI\n@b\n\n+\n\n@c\naCn\n+\nIII\n' '3\t4\t0\t1.33\t3\t0.5000\t0.2500'
counts "lower case" '>a\nacgtn\nACGTN\n' '1\t10\t10\t10.00\t10\t0.5000\t0.2000'
counts "no base but N" '>a\nNNNN\n' '1\t4\t4\t4.00\t4\t0.0000\t1.0000'
counts "a record without bases" '>a\n' '1\t0\t0\t0.00\t0\t0.0000\t0.0000'
counts "FASTA without bases first" '>a\n>b\nACG\n' '2\t3\t0\t1.50\t3\t0.6667\t0.0000'
counts "two thirds" '>a\nAC\n>b\nACG\n>c\nACG\n' '3\t8\t2\t2.67\t3\t0.6250\t0.0000'
run fxcount "$work/one.fq" "$work/bad.fq" "$work/no_such_file" "$work/two.fq"
check "bad files among good ones" ends 1 "^fxcount: .*no_such_file: cannot be opened"
check "each gets a sentence" test "$(lines "$work/err")" = 2
check "the good ones a line" test "$(cut -f 1,2 "$work/out" | tail -n +2 | tr '\t\n' '  ')" = \
    "$work/one.fq 1 $work/two.fq 1 "

# -- standard output that ends -------------------------------------------------------------------

# More text than a pipe holds; a reader that goes away is no error: no words, exit 0.
big=$data/illumina_hiseqx_150bp.bgzf.fastq.gz
for workers in 1 3; do
    { "$dir/fxcat" -t $workers "$big" "$big" 2> "$work/err"
      echo $? > "$work/code"; } | head -c 10 > "$work/out"
    check "a closed pipe, $workers workers" test "$(cat "$work/code"),$(bytes "$work/err")" = 0,0
    check "what was read of it, $workers workers" test "$(bytes "$work/out")" = 10
done

finish
