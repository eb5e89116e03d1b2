#!/bin/sh
# cpp.sh - examples/biostream.hpp and biostream_store.hpp, by tests/test_cpp.cc: what it expects is made here by gzip, awk and fxbatch.
#
#   cpp.sh run PROGRAM EXAMPLES DIR    run test_cpp, compiled as PROGRAM; fxbatch lies in EXAMPLES
#   cpp.sh DIR [EXAMPLES [OBJECT]]     compile all in DIR, by g++ and clang++, as C++11 to C++20, warnings as errors, and
#                                      run it; and one program whose files are of two standards. OBJECT has the
#                                      implementation, which is compiled here without it
#
# Ends with `N passed, N failed`. A compiler that is missing is named as skipped. `make test` runs it as the compiler
# has it, `make sanitize` and `make tsan` under sanitizers.
set -u
data=examples/data
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -Wundef -Werror'

# prepare DIR EXAMPLES: the files and numbers that test_cpp expects.
prepare() {
    dir=$1
    mkdir -p "$dir"
    reads=$data/illumina_hiseqx_150bp.fastq.gz
    coli=$data/ecoli_536_genome.fasta.gz
    human=$data/human_hg18_chrM_chr20part.bgzf.fasta.gz
    mate_1=$data/tenx_v2_R1_barcode_umi.fastq
    mate_2=$data/tenx_v2_R2_cdna.fastq.gz
    gzip -dc $reads > "$dir/text.txt"
    awk 'NR % 4 == 1 { title = substr($0, 2); at = index(title, " "); name = substr(title, 1, at - 1) }
        NR % 4 == 2 { seq = $0 }
        NR % 4 == 0 { print name "\t" substr(title, at + 1) "\t" seq "\t" $0 }' "$dir/text.txt" > "$dir/records.txt"
    # Two files line by line, then record by record.
    gzip -dc $mate_2 | paste $mate_1 - |
        awk -F '\t' 'NR % 4 == 1 { split(substr($1, 2), words, " ") } NR % 4 == 2 { print words[1] "\t" $1 "\t" $2 }' \
            > "$dir/pairs.txt"
    gzip -dc $mate_2 | paste $mate_1 - |
        awk -F '\t' '{ one = one $1 "\n"; two = two $2 "\n" }
            NR % 4 == 0 { printf "%s%s", one, two; one = two = "" }' > "$dir/alternating.fastq"
    # Record 41 has a quality too many, in line 164; bytes are missing at the end; the checksum is another.
    awk 'NR == 164 { $0 = $0 "I" } { print } NR == 400 { exit }' "$dir/text.txt" > "$dir/damaged.fastq"
    head -c 400000 $reads > "$dir/cut.fastq.gz"
    { head -c -8 $reads; printf 'four'; tail -c 4 $reads; } > "$dir/crc.fastq.gz"
    # Stores, and beside them each name and sequence in a line.
    for name in human coli; do
        eval "fasta=\$$name"
        "$2/fxstore" "$fasta" -o "$dir/$name.bst" > /dev/null 2>&1
        gzip -dc "$fasta" | awk '/^>/ { if (NR > 1) printf "\n"; printf "%s\t", substr($1, 2); next } { printf "%s", $0 }
            END { printf "\n" }' > "$dir/$name.txt"
    done
    # bases of FASTA: records, bases, and pieces of 150 bases.
    pieces='/^>/ { pieces += int((here + 149) / 150); here = 0; ++records; next }
        { here += length($0); bases += length($0) }
        END { print records, bases, pieces + int((here + 149) / 150) }'
    # shellcheck disable=SC2046
    set -- "$2" $(gzip -dc $human | awk "$pieces") $(gzip -dc $coli | awk "$pieces")
    {
        echo "reads $reads"
        echo "genome $human"
        echo "genome_0 $coli"
        echo "mate_1 $mate_1"
        echo "mate_2 $mate_2"
        awk 'END { print "reads_records", NR / 4 }' "$dir/text.txt"
        awk 'NR == 4322 { print "name_4321", $1 }' "$dir/records.txt"
        echo "genome_records $2"
        echo "genome_bases $3"
        echo "pieces_0 $7"
        "$1/fxbatch" --bases 150 --shuffle 65536 --epochs 2 $reads |
            sed -n 's/^epoch \([01]\).*digest \([0-9a-f]*\).*/digest_\1 0x\2/p'
        "$1/fxbatch" --bases 150 --long split --shuffle 65536 --label group \
            --group coli:1:0 $coli --group human:1:1 $human | sed -n 's/^epoch 0.*digest \([0-9a-f]*\).*/digest_classes 0x\1/p'
    } > "$dir/expected.txt"
}

if test "$1" = run; then
    prepare "$4" "$3"
    exec "$2" "$4"
fi

dir=$1
examples=${2:-build/examples}
passed=0
failed=0
good() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    echo "FAILED $1"
    test ! -f "$dir/output.txt" || sed -e 's/^/    /' -e 40q "$dir/output.txt"
}
# check NAME COMMAND...: one result; what a failing command printed is shown.
check() {
    label=$1
    shift
    if "$@" > "$dir/output.txt" 2>&1; then good; else bad "$label: $*"; fi
}
mkdir -p "$dir"
if test ! -x "$examples/fxbatch"; then
    echo "FAILED: $examples/fxbatch is not there: make examples"
    echo "0 passed, 1 failed"
    exit 1
fi
prepare "$dir" "$examples"
object=${3:-$dir/biostream.o}
test -n "${3:-}" || check implementation "${CC:-cc}" -O2 -c -DBIOSTREAM_IMPLEMENTATION -x c biostream.h -o "$object"

# The tests' own counts are added up.
run() {
    "$2" "$dir" > "$dir/output.txt" 2>&1
    status=$?
    line=$(tail -n 1 "$dir/output.txt")
    case $line in
        *" passed, 0 failed") test $status = 0 && passed=$((passed + ${line%% *})) || bad "$1: exit $status" ;;
        *) bad "$1" ;;
    esac
}

printf '#include "biostream.h"\nint main() { return biost_cpu() == 0 && biost_features().version == 0; }\n' > "$dir/header.cc"
for compiler in g++ clang++; do
    if ! command -v $compiler > /dev/null 2>&1; then
        echo "skipped: $compiler"
        continue
    fi
    for standard in c++11 c++14 c++17 c++20; do
        name=$compiler-$standard
        # shellcheck disable=SC2086
        check "header $name" $compiler -std=$standard $warnings -I. -fsyntax-only "$dir/header.cc"
        for layer in -DBIOSTREAM_NO_LOADER=1 -DBIOSTREAM_NO_STORES=1 -DBIOSTREAM_NO_LOADER=0; do
            for file in examples/biostream.hpp examples/biostream_store.hpp; do
                # shellcheck disable=SC2086
                check "layer $name" $compiler -std=$standard $warnings -I. $layer -x c++ -fsyntax-only $file
            done
        done
        # shellcheck disable=SC2086
        check "example $name" $compiler -std=$standard $warnings -I. -DBIOSTREAM_IMPLEMENTED -fsyntax-only examples/in_cpp.cc
        rm -f "$dir/test_cpp"
        # shellcheck disable=SC2086
        check "$name" $compiler -std=$standard $warnings -I. tests/test_cpp.cc "$object" -o "$dir/test_cpp" -pthread
        test ! -x "$dir/test_cpp" || run "$name" "$dir/test_cpp"
    done
    # Each file reads the names in its own standard; both are one program.
    for standard in 11 17; do
        printf '#include "examples/biostream.hpp"
size_t names_%s(const char *path);
size_t names_%s(const char *path) {
    size_t bytes = 0;
    for (const biost::record &read : biost::reader(path)) { bytes += std::string(read.name()).size(); }
    return bytes;
}
' $standard $standard > "$dir/names_$standard.cc"
        # shellcheck disable=SC2086
        check "names_$standard" $compiler -std=c++$standard $warnings -I. -c "$dir/names_$standard.cc" -o "$dir/names_$standard.o"
    done
    printf '#include <cstdio>
size_t names_11(const char *path);
size_t names_17(const char *path);
int main(int, char **argv) { std::printf("%%zu %%zu", names_11(argv[1]), names_17(argv[1])); }
' > "$dir/names.cc"
    check "names $compiler" $compiler -std=c++11 "$dir/names.cc" "$dir/names_11.o" "$dir/names_17.o" "$object" \
        -o "$dir/names" -pthread
    bytes=$(cut -f 1 "$dir/records.txt" | tr -d '\n' | wc -c)
    # shellcheck disable=SC2086
    check "names of $compiler" test "$("$dir/names" $data/illumina_hiseqx_150bp.fastq.gz)" = "$((bytes)) $((bytes))"
done
echo "$passed passed, $failed failed"
test $failed = 0
