#!/bin/sh
# windows.sh DIR - what is Windows' own, with the tools in DIR, which are scripts that call Wine: bytes that stay as they
# are, names of files in UTF-8, long ones, both separators, patterns, saving over a file, pipes. Expected bytes are those
# of gzip, of shell commands and of the tools' input. Called by tests/platform.sh. Ends with `N passed, N failed`.
set -u
dir=$1
data=examples/data
work=$dir/windows
rm -rf "$work"
mkdir -p "$work"
passed=0
failed=0
reads=$data/illumina_hiseqx_150bp.fastq.gz

# check WHAT COMMAND...: one result.
check() {
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $what"
        sed -e 's/^/    out: /' -e 10q "$work/out" | cut -c 1-150
        sed -e 's/^/    err: /' -e 10q "$work/err"
    fi
}

# run TOOL ARGUMENTS...: what it writes in out and err, its exit code in $code.
run() {
    tool=$1
    shift
    "$dir/$tool" "$@" > "$work/out" 2> "$work/err" < /dev/null
    code=$?
}

# ends CODE WORDS: the exit code, and WORDS (a basic regular expression) on standard error; '' for nothing.
ends() {
    test "$code" = "$1" || return 1
    if test -n "$2"; then grep -q -e "$2" "$work/err"; else test ! -s "$work/err"; fi
}

wrote() { cmp -s "$work/out" "$1"; }

# -- bytes ----------------------------------------------------------------------------------------------

gzip -dc $reads > "$work/reads.fastq"
run fxunzip $reads
check "fxunzip ends with 0" ends 0 ""
check "it writes the text of gzip" wrote "$work/reads.fastq"
run fxcat $reads
check "fxcat of four lines a record writes the same" wrote "$work/reads.fastq"
# Line ends of both kinds, a byte that ends texts on this system, and one that is no text.
printf 'a\r\nb\nc\rd\032e\000f\r\n\n\r' > "$work/bytes"
gzip -c "$work/bytes" > "$work/bytes.gz"
run fxunzip "$work/bytes.gz"
check "fxunzip writes any bytes" wrote "$work/bytes"
"$dir/fxunzip" - < "$work/bytes.gz" > "$work/out" 2> "$work/err"
check "fxunzip reads any bytes of standard input" wrote "$work/bytes"
"$dir/fxunzip" - < "$work/bytes" > "$work/out" 2> "$work/err"
check "and such that are not packed" wrote "$work/bytes"
run fxcount $reads
check "a table has line ends of one byte" test "$(tr -cd '\r' < "$work/out" | wc -c)" = 0
check "and says 10000 records" grep -q "	10000	" "$work/out"
run fxcount "$work/none"
check "so has a sentence" test "$(tr -cd '\r' < "$work/err" | wc -c)" = 0

# -- names ------------------------------------------------------------------------------------------------

# Two bytes, three and four for a character.
name='проба_Ü_漢字_🧬'
cp $reads "$work/$name.gz"
run fxcount "$work/$name.gz"
check "a name in UTF-8" ends 0 ""
check "all its records" grep -q "	10000	" "$work/out"
run fxindex "$work/$name.gz"
check "fxindex of it" ends 0 ""
check "the index lies beside it" test -s "$work/$name.gz.bsx"
check "and its bytes are counted" grep -q "index $(wc -c < "$work/$name.gz.bsx")\$" "$work/out"
run fxindex --stats "$work/$name.gz" 5000 1
sed -n '20001,20004p' "$work/reads.fastq" > "$work/record"
check "a record out of the middle by it" wrote "$work/record"
run fxbatch --bases 150 --stop-after 2 --state-file "$work/$name.state" "$work/$name.gz"
check "a state of such a name" ends 0 ""
check "lies there" test -s "$work/$name.state"
run fxbatch --bases 150 --resume "$work/$name.state" "$work/$name.gz"
check "and is gone on from" ends 0 ""
echo 'row_bases 150' > "$work/$name.desc"
run fxbatch --desc "$work/$name.desc" --npy "$work/$name.npy" "$work/$name.gz"
check "a desc and a folder of such names" ends 0 ""
check "40 batches lie in it" test "$(find "$work/$name.npy" -name '*.x.npy' -o -name '*_x.npy' | wc -l)" = 40
run fxbatch --bases 150 --npy "$work/$name.npy" "$work/$name.gz"
check "the folder is refused the next time" ends 1 "another run"
run fxbatch --bases 150 --overwrite --npy "$work/$name.npy" "$work/$name.gz"
check "unless told" ends 0 ""
mkdir "$work/$name"
run fxbatch --bases 150 --stop-after 1 --state-file "$work/$name" "$work/$name.gz"
check "a folder of the name of a state is told" ends 1 "cannot be written"

back=$(echo "$work" | tr / '\\')
run fxcount "$back\\$name.gz"
check "backslashes" ends 0 ""
run fxcount "Z:$(cd "$work" && pwd)/$name.gz"
check "a drive" ends 0 ""
run fxindex -o "$back\\$name.gz" "$work/$name.gz"
check "a file is one by any name of it" ends 2 "would be lost"
check "and is as it was" cmp -s "$work/$name.gz" $reads

# 150 characters, twice: over 260 with what is before.
part=$(printf '%0150d' 0 | tr 0 d)
long=$work/$part/$part
mkdir -p "$long"
cp $reads "$long/reads.gz"
for path in "$long/reads.gz" "$back\\$part\\$part\\reads.gz" "Z:$(cd "$long" && pwd)/reads.gz"; do
    run fxcount "$path"
    check "a path of ${#path} characters" ends 0 ""
    run fxindex "$path"
    check "its index is saved" ends 0 ""
    check "there" test -s "$long/reads.gz.bsx"
    rm -f "$long/reads.gz.bsx"
    run fxbatch --bases 150 --stop-after 1 --state-file "$path.state" "$path"
    check "a state beside it" test "$code$(find "$long" -name '*.state' -size +0 | wc -l)" = 01
    rm -f "$long/reads.gz.state"
done
run fxbatch --bases 150 --npy "$long/npy" "$long/reads.gz"
check "a folder there" ends 0 ""
far=$long/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part
far=$far/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part/$part
run fxcount "$far"
check "a path that is too long is told" ends 1 "the path is too long"

mkdir "$work/some"
for letter in b a c; do cp "$data/tenx_v2_R2_cdna.fastq.gz" "$work/some/$letter.gz"; done
printf '%s\n' a b c | sed "s|.*|$work/some/&.gz|" > "$work/expected"
run fxcount "$work/some/*.gz"
check "a pattern" ends 0 ""
sed 1d "$work/out" | cut -f 1 > "$work/names"
check "is its files in their order" cmp -s "$work/names" "$work/expected"
run fxcount "$work/some/?.gz" "$work/some/*.none"
check "one of no file stays as it is" ends 1 'some/\*.none: cannot be opened'

# -- saving over files, and pipes ------------------------------------------------------------------------------

run fxindex "$work/$name.gz"
check "an index in the place of one" ends 0 ""
check "no other file is left" test "$(find "$work" -name '*.part' | wc -l)" = 0
for number in 1 2 3 4; do
    ("$dir/fxbatch" --bases 150 --stop-after 3 --state-file "$work/shared.state" "$work/$name.gz" > "$work/at_once.$number" 2>&1 ||
        echo "ended with $?" >> "$work/at_once.$number") &
done
wait
check "four at once save one file" test "$(cat "$work"/at_once.? | grep -c -e 'ended with' -e 'cannot be')" = 0
run fxbatch --bases 150 --resume "$work/shared.state" "$work/$name.gz"
check "and it is whole" ends 0 ""
"$dir/fxcat" "$work/$name.gz" 2> "$work/err" | "$dir/fxcount" - > "$work/out" 2>> "$work/err"
check "a pipe from tool to tool" grep -q "	10000	" "$work/out"
{ "$dir/fxcat" "$work/$name.gz" 2> "$work/err"; echo $? > "$work/code"; } | head -c 10 > "$work/out"
check "a reader that goes is no error" test "$(cat "$work/code"),$(wc -c < "$work/err")" = 0,0

echo "$passed passed, $failed failed"
test $failed = 0
