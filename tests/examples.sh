#!/bin/sh
# examples.sh DIR - run the lessons as their own comments say and compare what they print; see that examples/README.md is
# of what is there.
#
# A lesson is a file examples/NAME.c or NAME.cc of at most 120 lines, with MPI (mpi_NAME.c) of at most 290, which is left
# out where it could not be built. Its first comment shows runs and their output:
#
#     *   $ build/examples/records reads.fastq
#     *   read1 4
#     *   ...                            (any number of lines)
#     *   2 records in ... s             (any text)
#     *
#
# up to the next `$`, an empty line or the end of the comment. DIR stands for build/examples; `mpiexec -n 2` may stand
# before it.
set -u
. tests/mpi_here.sh
dir=$1
work=$dir/output
passed=0
failed=0
mkdir -p "$work"
rm -f "$dir"/*.checkpoint # what goes on where it stopped shall begin anew

fail() { failed=$((failed + 1)); echo "FAILED $*"; }

for source in examples/*.c examples/*.cc; do
    test -f "$source" || continue
    name=$(basename "${source%.*}")
    case $source in
        *.cc)
            if test ! -x "$dir/$name"; then
                echo "skipped: C++ compiler"
                continue
            fi ;;
    esac
    lines=$(awk 'END { print NR }' "$source")
    most=120
    case $name in mpi_*) most=290 ;; esac
    if test "$lines" -le $most; then passed=$((passed + 1)); else fail "$source: $lines lines, more than $most"; fi
    case $name in mpi_*) test -e "$dir/$name" || { echo "not built: $source"; continue; } ;; esac
    rm -f "$work"/run_*
    awk -v work="$work" '
        /\*\// { exit }
        /^ \*   \$ (mpiexec -n [0-9]+ )?build\/examples\// {
            sub(/^ \*   \$ /, ""); base = sprintf("%s/run_%02d", work, ++runs)
            print > (base ".cmd"); printf "" > (base ".expected"); next }
        /^ \*   / && base != "" { sub(/^ \*   /, ""); print > (base ".expected"); next }
        { base = "" }' "$source"
    if test ! -f "$work/run_01.cmd"; then
        fail "$source: its comment shows no run (' *   \$ build/examples/$name ...' and the output below it)"
    fi
    for command in "$work"/run_*.cmd; do
        test -f "$command" || continue
        base=${command%.cmd}
        sed "s|build/examples/|$dir/|g" "$command" > "$base.sh"
        sh "$base.sh" > "$base.actual" 2>&1
        if awk '
            # Does `text` fit `pattern`, in which each ... stands for any text?
            function fits(text, pattern,    at, piece, first) {
                first = 1
                while ((at = index(pattern, "...")) > 0) {
                    piece = substr(pattern, 1, at - 1)
                    pattern = substr(pattern, at + 3)
                    at = index(text, piece)
                    if (piece != "" && (at == 0 || (first && at != 1))) return 0
                    if (piece != "") text = substr(text, at + length(piece))
                    first = 0
                }
                if (first) return text == pattern
                return length(text) >= length(pattern) && substr(text, length(text) - length(pattern) + 1) == pattern
            }
            FNR == NR { want[++wants] = $0; next }
            { got[++gots] = $0 }
            END {
                for (i = j = 1; i <= wants; ++i) {
                    if (want[i] == "...") {
                        if (i == wants) { j = gots + 1; break }
                        while (j <= gots && !fits(got[j], want[i + 1])) ++j
                    } else if (j > gots || !fits(got[j++], want[i])) {
                        exit 1
                    }
                }
                exit j <= gots
            }' "$base.expected" "$base.actual"; then
            passed=$((passed + 1))
        else
            fail "$source: $(cat "$command")"
            echo "  its comment says:"
            sed 's/^/    /' "$base.expected"
            echo "  it prints:"
            sed -e 's/^/    /' -e 30q "$base.actual"
        fi
    done
done

# examples/README.md names every file, and no flag that fxbatch does not have.
"$dir/fxbatch" --help > "$work/help"
for file in examples/*.* examples/tools/*.*; do
    case $file in */README.md) continue ;; esac
    if grep -q -F "](${file#examples/})" examples/README.md; then passed=$((passed + 1)); else fail "examples/README.md does not name $file"; fi
done
for flag in $(sed -n '/^| flags of/,/^$/s/^\(| `--.*\) | .*/\1/p' examples/README.md | grep -o -e '--[a-z][a-z-]*'); do
    if grep -q -e "^  $flag " "$work/help"; then passed=$((passed + 1)); else fail "examples/README.md: fxbatch has no flag $flag"; fi
done
echo "$passed passed, $failed failed"
test $failed = 0
