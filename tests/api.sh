#!/bin/sh
# api.sh DIR - `make api` and its proofs: the description in DIR/biostream.json holds all that public.awk lists, and the values
# that the compiler of C has; Python's layer calls what is there as it is there; what is made of it for Rust has every field
# where C has it, and a program in Rust counts as awk does. Without a compiler for Rust that is named as skipped. Ends with
# `N passed, N failed`.
set -u
dir=$1
CC=${CC:-cc}
mkdir -p "$dir"
passed=0
failed=0
skipped=0

# check WHAT COMMAND...: one result.
check() {
    what=$1
    shift
    if "$@" > "$dir/log" 2>&1; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1))
    echo "FAILED $what"
    sed -e 's/^/    /' -e 30q "$dir/log"
    return 1
}
finish() {
    echo "$passed passed, $failed failed$(test $skipped = 0 || echo ", $skipped skipped")"
    test $failed = 0
    exit
}

rm -f "$dir"/layout*
check "the headers are read" python3 tests/api.py "$dir" || finish
check "a program in C has every name of it" $CC -I. "$dir/layout.c" -o "$dir/layout" && "$dir/layout" > "$dir/layout.txt"
python3 tests/api.py check "$dir" > "$dir/checked"
grep '^FAILED' "$dir/checked"
last=$(tail -n 1 "$dir/checked")
passed=$((passed + ${last%% *}))
last=${last#*, }
failed=$((failed + ${last%% *}))

# What is not in the header is seen, and what the description lost.
rm -rf "$dir/less"
mkdir -p "$dir/less"
sed -e 's/"biost_reader_open"/"biost_reader_opens"/' -e 's/"name": "shape"/"name": "form"/' \
    -e 's/"biost_loader_state"/"biost_loader_states"/' -e 's/"value": 12,/"value": 13,/' "$dir/biostream.json" > "$dir/less/biostream.json"
cp "$dir/layout.txt" "$dir/less"
python3 tests/api.py check "$dir/less" > "$dir/less/said"
for text in 'function biost_reader_open: .* in the header alone' 'struct biost_tensor: form is in the description alone' \
    'BIOST_[A-Z_]* is 13, and to the compiler 12' 'biostream.py names biost_loader_state, which is no function'; do
    check "a fault is seen: $text" grep -q -e "^FAILED.*$text" "$dir/less/said"
done

if ! command -v rustc > /dev/null || ! rustc --version > /dev/null 2>&1; then
    echo "skipped: rustc"
    skipped=1
elif check "Rust takes the bindings" rustc --edition 2021 -D warnings --crate-type rlib --crate-name biostream_sys -o "$dir/libbiostream_sys.rlib" \
    "$dir/biostream_sys.rs"; then
    library=build/lib/libbiostream.a
    if ! test -f $library; then
        library=$dir/libbiostream.a
        rm -f "$library"
        check "the library" $CC -O0 -fPIC -c examples/cmake/biostream.c -o "$dir/biostream.o"
        check "the library of CUDA" $CC -O0 -fPIC -c examples/cmake/biostream_cuda.c -o "$dir/biostream_cuda.o"
        check "both" ar rcs "$library" "$dir/biostream.o" "$dir/biostream_cuda.o"
    fi
    cp tests/api_host.rs "$dir/host.rs"
    check "a program in Rust" rustc --edition 2021 -D warnings --extern biostream_sys="$dir/libbiostream_sys.rlib" -L "${library%/*}" \
        -l static=biostream -o "$dir/host" "$dir/host.rs"
    "$dir/host" > "$dir/layout_rust.txt"
    check "every field is where C has it" diff "$dir/layout.txt" "$dir/layout_rust.txt"
    reads=examples/data/illumina_hiseqx_150bp.fastq.gz
    records=$(gzip -dc $reads | awk 'END { print NR / 4 }')
    check "it counts records and rows" test "$("$dir/host" $reads)" = "$records $records"
fi
finish
