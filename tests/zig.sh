#!/bin/sh
# zig.sh DIR [TARGET...] - compile and link for systems that nobody has here, by zig's clang, which brings their headers and
# libraries: macOS, Windows, RISC-V, musl. Both headers with all warnings, and the tools with the library inside; a warning
# is an error. Nothing is run. Ends with `N passed, N failed`.
#
#   ZIG   the command; else zig, or the package ziglang in a Python environment that is made in DIR/venv
#
# wasm32-wasi: headers and a lesson. WASI has no locks of files and no processes of its own, so it needs the flags below,
# and has no tools, which want dup and kill; it has one thread, so workers have to be 1.
set -u
dir=$1
shift
version=0.17.1
test $# -gt 0 || set -- aarch64-macos x86_64-macos x86_64-windows-gnu aarch64-windows-gnu riscv64-linux-musl \
    x86_64-linux-musl wasm32-wasi
mkdir -p "$dir"
ZIG_GLOBAL_CACHE_DIR=$(cd "$dir" && pwd)/cache
export ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR="$ZIG_GLOBAL_CACHE_DIR"

zig=${ZIG:-}
if test -z "$zig" && command -v zig > /dev/null; then
    zig=zig
elif test -z "$zig"; then
    python=$dir/venv/bin/python3
    "$python" -m ziglang version > /dev/null 2>&1 || {
        rm -rf "$dir/venv"
        python3 -m venv "$dir/venv" && "$python" -m pip install --no-cache-dir --no-input --retries 1 --timeout 20 "ziglang==$version"
    } > "$dir/install.txt" 2>&1
    zig="$python -m ziglang"
fi
if ! $zig version > "$dir/version.txt" 2>&1; then
    echo "skipped: zig, which pip cannot install here ($dir/install.txt)"
    echo "0 passed, 0 failed"
    exit 0
fi
echo "zig $(cat "$dir/version.txt")"
cat > "$dir/implement.c" << END
#define BIOSTREAM_IMPLEMENTATION
#define BIOSTREAM_CUDA_IMPLEMENTATION
#include "$PWD/biostream.h"
#include "$PWD/biostream_cuda.h"
END
warnings='-Wall -Wextra -Wshadow -Wundef -pedantic -Werror'

# compiles TARGET NAME ARGUMENT...: one result, a line `ok` or `FAILED`. What is printed without a warning is one, too.
compiles() {
    target=$1 what=$2
    shift 2
    if $zig cc -target "$target" $warnings "$@" > "$dir/$target.txt" 2>&1 && ! test -s "$dir/$target.txt"; then
        echo "ok $target $what"
    else
        echo "FAILED $target $what: $*"
        sed -e 's/^/    /' -e 20q "$dir/$target.txt"
    fi
}

# With zig's own checks of undefined behaviour off, which would ask for another library.
build() {
    target=$1
    object=$dir/$target.o
    flags= libs= sources='examples/tools/*.c' inside=-DBIOSTREAM_IMPLEMENTED ext=
    case $target in
        *windows*) inside= ext=.exe ;; # what calls the system's header has it inside
        wasm32-wasi)
            flags='-D_WASI_EMULATED_MMAN -D_WASI_EMULATED_GETPID -D_WASI_EMULATED_SIGNAL'
            flags="$flags -D_WASI_EMULATED_PROCESS_CLOCKS -DF_WRLCK=1 -DF_SETLK=-1"
            libs='-lwasi-emulated-mman -lwasi-emulated-getpid -lwasi-emulated-signal -lwasi-emulated-process-clocks'
            sources=examples/batches.c ext=.wasm ;;
    esac
    # shellcheck disable=SC2086
    compiles "$target" headers -std=c99 -O1 -Wconversion $flags -c "$dir/implement.c" -o "$object"
    for source in $sources; do
        name=$(basename "$source" .c)
        linked=$object
        test -n "$inside" || linked=
        # shellcheck disable=SC2086
        compiles "$target" "$name" -O0 -fno-sanitize=undefined $flags $inside -I. "$source" $linked -o "$dir/$target-$name$ext" \
            $libs -lm -pthread
        rm -f "$dir/$target-$name$ext" "$dir/$target-$name.pdb"
    done
    rm -f "$object"
}

# Two at once.
: > "$dir/results.txt"
while test $# -gt 0; do
    build "$1" > "$dir/$1.log" &
    other=${2:-}
    test -z "$other" || build "$other" > "$dir/$other.log"
    wait $!
    cat "$dir/$1.log" ${other:+"$dir/$other.log"} >> "$dir/results.txt"
    shift
    test $# = 0 || shift
done
cat "$dir/results.txt"
awk '/^ok / { p++ } /^FAILED / { f++ } END { printf "%d passed, %d failed\n", p, f; exit f > 0 || p == 0 }' "$dir/results.txt"
