#!/bin/sh
# list.sh [check] - print tests/README.md, made from what the first comments of tests say: which tests each room of the
# headers has, and what each test file is about. With `check` see that the file is what would be printed, that each room of
# the implementation has a test, and that no test names a room that is not there; ends with `N passed, N failed`.
#
#     sh tests/list.sh > build/list.md && mv build/list.md tests/README.md
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

# Rooms of a header from >>config on, each with the prefix, in their order.
rooms_of() {
    sed -n 's/^ \* >>\([a-z]*\) .*/\1/p' "$1" | awk -v prefix="$2" '
        $0 == "config"          { inside = 1 }
        inside && !seen[$0]++ { print prefix $0 }'
}

# For each file `file NAME`, `rooms ...`, `needs ...`, `names ...` (the first halves of its tests' names) and
# `about ...`, the first sentence of its first comment.
facts() {
    for file in tests/test_*.c tests/test_*.sh tests/test_*.cc tests/test_*.py tests/compile.sh tests/oracle*.py; do
        awk '
            function text(line) {
                sub(/^#!.*/, "", line)
                sub(/^(\/\*| \*|#|""")+ ?/, "", line)
                sub(/"""$/, "", line)
                return line
            }
            FNR == 1 { print "file " substr(FILENAME, 7) }
            /^TEST[(]/ {
                name = $0
                sub(/^TEST[(]/, "", name)
                sub(/,.*/, "", name)
                if (!seen[name]++) names = names " " name
            }
            over { next }
            /^ \*\// || /^set / || /^[a-z].*;$/ { over = 1; next }
            /^( \*|#) rooms: / { sub(/^[^:]*: /, ""); print "rooms " $0; over_text = 1; next }
            /^( \*|#) needs: / { sub(/^[^:]*: /, ""); print "needs " $0; over_text = 1; next }
            {
                line = text($0)
                if (over_text) next
                if (line == "" && about != "") { over_text = 1; next }
                about = about (about == "" ? "" : " ") line
                if (line ~ /"""$/) over_text = 1
            }
            END {
                sub(/^ +/, "", about)
                # Its own name, with arguments, is not repeated.
                if (about ~ /^[a-z0-9_.]+( [A-Z\[][^-]*)? - /) sub(/^[^-]* - /, "", about)
                if (match(about, /[.](  *[A-Z]|$)/)) about = substr(about, 1, RSTART - 1)
                sub(/:$/, "", about)
                gsub(/[|]/, "/", about)
                print "names" names
                print "about " about
            }' "$file"
    done
}

print_readme() {
    cat << 'END'
# Tests

Made by `sh tests/list.sh` from the first comments of tests; `make test` says when it is not up to date. `make test
PROGRAMS='store pairs'` runs the files with such a word in their name, `ONLY=text` the tests with it in theirs.
What a test needs decides where it is run: the words are explained in `rules.sh`. Platforms are in
[PLATFORMS.md](PLATFORMS.md).

END
    { rooms_of biostream.h "" | sed 's/^/room /'; rooms_of biostream_cuda.h cuda_ | sed 's/^/room /'; facts; } | awk '
        function link(file) { return "[" file "](" file ")" }
        { rest = substr($0, length($1) + 2) }
        $1 == "room"  { rooms[++room_count] = rest; known[rest] = 1 }
        $1 == "file"  { files[++count] = file = rest }
        $1 == "needs" { needs[file] = rest }
        $1 == "names" { names[file] = rest }
        $1 == "about" { about[file] = rest }
        $1 == "rooms" {
            for (i = 2; i <= NF; i++) {
                tests[$i] = tests[$i] (tests[$i] == "" ? "" : ", ") link(file)
                if (!($i in known) && $i !~ /^(tools|examples|tests)$/) print "unknown\t" file "\t" $i > "/dev/stderr"
            }
        }
        END {
            print "## Rooms of biostream.h\n\n| room | tests |\n|---|---|"
            for (r = 1; r <= room_count; r++) {
                if (rooms[r] == "cuda_config")
                    print "\n## Rooms of biostream_cuda.h\n\n| room | tests |\n|---|---|"
                name = rooms[r]
                sub(/^cuda_/, "", name)
                print "| " name " | " tests[rooms[r]] " |"
                if (tests[rooms[r]] == "") print "empty\t" rooms[r] > "/dev/stderr"
            }
            print "\n## What no room is: examples, tools, helpers of tests\n\n| of | tests |\n|---|---|"
            print "| tools | " tests["tools"] " |\n| examples | " tests["examples"] " |\n| tests | " tests["tests"] " |"
            print "\n## Files\n\n| file | about | begin of names | needs |\n|---|---|---|---|"
            for (f = 1; f <= count; f++) {
                file = files[f]
                print "| " link(file) " | " about[file] " | " names[file] " | " needs[file] " |"
            }
        }'
}

if test "${1:-}" != check; then
    print_readme 2> /dev/null
    exit
fi
mkdir -p build
made=build/list.$$
print_readme > "$made.md" 2> "$made.txt"
failed=0
fail() {
    echo "FAILED $1"
    failed=1
}
diff tests/README.md "$made.md" > "$made.diff" || {
    fail "tests/README.md is not up to date: sh tests/list.sh > build/list.md && mv build/list.md tests/README.md"
    head -n 10 "$made.diff"
}
while read -r what name room; do
    case $what in
        empty) fail "room $name has no test: which one is about it says so, rooms: $name" ;;
        unknown) fail "tests/$name: there is no room $room" ;;
        *) fail "$what $name $room" ;;
    esac
done < "$made.txt"
rm -f "$made".*
echo "$((1 - failed)) passed, $failed failed"
test $failed = 0
