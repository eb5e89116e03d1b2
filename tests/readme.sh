#!/bin/sh
# readme.sh DIR - hold README.md and examples/GUIDE.md to what they say: length, links, programs. DIR is for what is built.
#
# Each block of C in README.md is compiled as it says and run on real data; so is the one in Python, where python3 has
# NumPy and DIR/../lib has the shared library. Those of GUIDE.md are parts of programs: in C they are compiled; in Python
# they are run, as those of FROM.md are, where build/examples has fxstore too. Links in README.md and examples/*.md must
# lead somewhere.
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
if test "$lines" -le 220; then ok; else fail "README.md: $lines lines, more than 220"; fi

# -- links ----------------------------------------------------------------------------------------------------

# anchors FILE: what its headings are called in links.
anchors() {
    sed -n 's/^##* //p' "$1" | tr 'A-Z' 'a-z' | sed -e 's/[^a-z0-9 _-]//g' -e 's/ /-/g'
}
for text in README.md examples/*.md examples/packages/*.md examples/patches/*.md; do
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

# -- parts of programs in examples/GUIDE.md, and programs of FROM.md in Python ---------------------------------

# Each block of C is compiled in a function that has what its task has: descs, files, a loader, a batch.
rm -f "$dir"/guide_*
awk -v base="$dir/guide_" '
    /^```(c|python)$/ && (/python/ || FILENAME ~ /GUIDE/) { out = base sprintf("%02d.", ++blocks) (/c$/ ? "c" : "py"); next }
    /^```/ { out = ""; next }
    out ~ /c$/ && !(out in seen) {
        seen[out] = 1
        print "#include \"biostream.h\"\n#include \"biostream_cuda.h\"\n#include <stdio.h>" > out
        print "extern const char *paths[3];\nextern void *stream;\nvoid train_on(void *, void *, const void *, unsigned);" > out
        print "extern biost_loader *loader;\nextern biost_batch batch;\nextern biost_store *store;" > out
        print "extern biost_loader_desc desc;\nextern biost_result result;\nextern biost_error error;" > out
        print "int part(unsigned i);\nint part(unsigned i) {" > out
    }
    out != "" { print > out }' examples/GUIDE.md examples/FROM.md
parts=0
for block in "$dir"/guide_*.c; do
    parts=$((parts + 1))
    echo 'return (int)i; }' >> "$block"
    if ${CC:-cc} -std=c99 -fsyntax-only -I. "$block" 2> "$block.log"; then ok; else
        fail "$block does not compile"
        cat "$block.log"
    fi
done
same "parts in C" 14 $parts
if test $skipped = 0 && test -x build/examples/fxstore; then
    cp $reads "$dir/reads.fastq.gz"
    for name in chr20 chr21; do echo ">$name" && gzip -dc $coli | sed 1d | head -n 100; done > "$dir/genome.fa"
    build/examples/fxstore "$dir/genome.fa" -o "$dir/genome.bst" > "$dir/said" || fail "fxstore: $(cat "$dir/said")"
    for block in "$dir"/guide_*.py; do
        { echo "import sys; sys.path.insert(0, '$PWD/examples')"; cat "$block"; } > "$dir/program.py"
        if (cd "$dir" && BIOSTREAM_LIB=$OLDPWD/$library $with_numpy program.py > said_python 2>&1); then ok; else
            fail "$block"
            cat "$dir/said_python"
        fi
    done
else
    echo "skipped: the programs in Python of examples/GUIDE.md and FROM.md (make lib examples, and NumPy)"
    skipped=1
fi

if test $skipped = 0; then echo "$passed passed, $failed failed"; else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
test $failed = 0
