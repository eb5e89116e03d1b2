#!/bin/sh
# readme.sh DIR - hold README.md to what it says: its length, its links, its programs. DIR is for what is built.
#
# Each block of C with a main in it is compiled as README says and run on real data; so is the one in Python, where
# python3 has NumPy and DIR/../lib has the shared library. Links in README.md and the pages of examples must lead somewhere.
set -u
dir=$1
passed=0
failed=0
skipped=0
mkdir -p "$dir"

ok() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAILED $*"; }
# same WHAT WANTED GOT
same() { if test "$2" = "$3"; then ok; else fail "$1: \`$3\`, not \`$2\`"; fi; }

lines=$(awk 'END { print NR }' README.md)
if test "$lines" -le 250; then ok; else fail "README.md: $lines lines, more than 250"; fi

# -- links ----------------------------------------------------------------------------------------------------

# anchors FILE: what its headings are called in links.
anchors() {
    sed -n 's/^##* //p' "$1" | tr 'A-Z' 'a-z' | sed -e 's/[^a-z0-9 _-]//g' -e 's/ /-/g'
}
for text in README.md examples/*.md examples/packages/*.md; do
    folder=$(dirname "$text")
    sed 's/`[^`]*`//g' "$text" | grep -o '](\([^)]*\))' | sed -e 's/^](//' -e 's/)$//' | sort -u > "$dir/links"
    while read -r link; do
        case $link in http:* | https:*) continue ;; esac
        target=${link%%#*}
        file=$text
        test -z "$target" || file=$folder/$target
        if test ! -e "$file"; then fail "$text links to $link, which is not there"; continue; fi
        case $link in
        *#*) if anchors "$file" | grep -q -x -e "${link#*#}"; then ok; else fail "$text: no heading is $link"; fi ;;
        *) ok ;;
        esac
    done < "$dir/links"
done

# -- programs -------------------------------------------------------------------------------------------------

rm -f "$dir"/block_*
awk -v base="$dir/block_" '
    /^```c$/ { out = base sprintf("%02d.c", ++blocks); next }
    /^```python$/ { out = base sprintf("%02d.py", ++blocks); next }
    /^```/ { out = ""; next }
    out != "" { print > out }' README.md
coli=examples/data/ecoli_536_genome.fasta.gz
human=examples/data/human_hg18_chrM_chr20part.bgzf.fasta.gz
reads=examples/data/illumina_hiseqx_150bp.fastq.gz
programs=0
for block in "$dir"/block_*.c; do
    test -f "$block" || continue
    programs=$((programs + 1))
    # shellcheck disable=SC2086
    if ${CC:-cc} -O1 -I. "$block" -o "${block%.c}" -pthread 2> "$block.log"; then ok; else
        fail "$block does not compile"
        cat "$block.log"
        continue
    fi
    test ! -s "$block.log" || { fail "$block: a warning"; cat "$block.log"; }
done
same "programs in C" 2 $programs
same "records" "$(gzip -dc $reads | awk 'NR % 4 == 2 { n += 1; b += length($0) } END { print n " records, " b " bases" }')" \
    "$("$dir/block_01" $reads)"
same "records of a file that is not there" 1 "$("$dir/block_01" no_such_file > /dev/null 2> "$dir/said"; echo $?)"
if grep -q no_such_file "$dir/said"; then ok; else fail "the sentence names no file: $(cat "$dir/said")"; fi
same "batches" 0 "$("$dir/block_02" $human $coli > "$dir/said" 2>&1; echo $?)"
same "batches of one file" 2 "$("$dir/block_02" $human > "$dir/said" 2>&1; echo $?)"

python=$(ls "$dir"/block_*.py 2> /dev/null | head -n 1)
library=build/lib/libbiostream.so
if test -n "$python"; then
    with_numpy=
    for one in python3 /usr/bin/python3; do
        test -n "$with_numpy" || ! $one -c 'import numpy' 2> /dev/null || with_numpy=$one
    done
    if test -f $library && test -n "$with_numpy"; then
        cp $human "$dir/human.fa.gz"
        cp $coli "$dir/coli.fa.gz"
        { echo "import sys; sys.path.insert(0, '$PWD/examples'); train = print"; cat "$python"; } > "$dir/program.py"
        if (cd "$dir" && BIOSTREAM_LIB=$OLDPWD/$library $with_numpy program.py > said_python 2>&1); then ok; else
            fail "the program in Python"
            cat "$dir/said_python"
        fi
    else
        echo "skipped: README's program in Python (make lib, and NumPy)"
        skipped=1
    fi
fi

if test $skipped = 0; then echo "$passed passed, $failed failed"; else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
test $failed = 0
