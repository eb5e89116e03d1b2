#!/bin/sh
# sizes.sh [COMPILER...] - what the headers cost: bytes and lines, seconds to compile by each compiler (those named, else gcc-N
# and clang-N as far as they are here), code in the object, and code that programs of four kinds link, by the ways that
# leave out what they do not call. Prints a page; bench/SIZES.md is one. What each switch alone saves, switches.sh tells.
#
#   ROUNDS   compilations of each kind, by turns (3); their least and most are printed
set -eu
rounds=${ROUNDS:-3}
dir=build/bench/sizes
mkdir -p "$dir"
if test $# = 0; then
    for version in 9 10 11 12 13 14 15 16 17 18 19 20; do
        for name in gcc clang; do
            ! command -v $name-$version > /dev/null || set -- "$@" $name-$version
        done
    done
    test $# -gt 0 || set -- "${CC:-cc}"
fi
printf '#define BIOSTREAM_IMPLEMENTATION\n#include "biostream.h"\n' > "$dir/biostream.c"
printf '#define BIOSTREAM_CUDA_IMPLEMENTATION\n#include "biostream_cuda.h"\n' > "$dir/biostream_cuda.c"
decoder='-DBIOSTREAM_NO_LOADER=1 -DBIOSTREAM_NO_PARALLEL_GZIP=1 -DBIOSTREAM_NO_SIMD=1'

# Code and constants of an object or program, in bytes.
code() { size "$1" | awk 'NR == 2 { print $1 + $2 }'; }
# seconds COMMAND...: of the processor, by the shell's own sum of its children.
seconds() {
    (
        "$@"
        times > "$dir/times.txt"
        awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += 60 * t[1] + t[2] } print sum }' "$dir/times.txt"
    )
}
# range FILE: "4.1 to 4.3".
range() {
    sort -n "$1" | awk '{ v[NR] = sprintf("%.1f", $1) } END { print v[1] (v[NR] == v[1] ? "" : " to " v[NR]) }'
}

echo '# Sizes'
echo
processor=$(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo 2> /dev/null) || processor=
echo "By \`sh bench/sizes.sh\`, which has the programs; ${processor:-$(uname -m)}, $(date +%Y-%m-%d)."
echo
echo '| header | lines | bytes |'
echo '|---|--:|--:|'
for header in biostream biostream_cuda; do
    echo "| $header.h | $(awk 'END { print NR }' $header.h) | $(wc -c < $header.h | tr -d ' ') |"
done

# -- compiling ----------------------------------------------------------------------------------------

echo
echo "Seconds of one core to compile the implementation, least and most of $rounds; bytes of code and constants in the object."
echo
echo '| compiler | -O0, s | -O2, s | -O2 without the loader, s | decoder alone, s | bytes, -O2 | without the loader | decoder alone | biostream_cuda.h |'
echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|'
for compiler; do
    rm -f "$dir"/time_*
    round=0
    while test $round -lt "$rounds"; do
        for kind in O0 O2 loader decoder; do
            case $kind in
                O0) flags=-O0 ;;
                O2) flags=-O2 ;;
                loader) flags='-O2 -DBIOSTREAM_NO_LOADER=1' ;;
                decoder) flags="-O2 $decoder" ;;
            esac
            # shellcheck disable=SC2086
            seconds $compiler -std=c99 $flags -I. -c "$dir/biostream.c" -o "$dir/$kind.o" >> "$dir/time_$kind"
        done
        round=$((round + 1))
    done
    $compiler -std=c99 -O2 -I. -c "$dir/biostream_cuda.c" -o "$dir/cuda.o"
    echo "| $($compiler --version | sed -n '1s/.*\(gcc\|clang\).* \([0-9][0-9.]*[0-9]\).*/\1 \2/p') | $(range "$dir/time_O0") | $(range "$dir/time_O2") |" \
        "$(range "$dir/time_loader") | $(range "$dir/time_decoder") | $(code "$dir/O2.o") | $(code "$dir/loader.o") |" \
        "$(code "$dir/decoder.o") | $(code "$dir/cuda.o") |"
done

# -- linking ------------------------------------------------------------------------------------------

echo '#include "biostream.h"
int main(void) { return 0; }' > "$dir/nothing.c"
cat > "$dir/inflate.c" << 'END'
#define BIOSTREAM_IMPLEMENTATION
#include "biostream.h"
#include <stdio.h>
static char in[1 << 20], out[1 << 24];
int main(void) {
    size_t count = 0;
    biost_error error;
    FILE *file = fopen("in.gz", "rb");
    size_t bytes = file != NULL ? fread(in, 1, sizeof in, file) : 0;
    return biost_inflate(in, bytes, out, sizeof out, &count, &error) != BIOST_OK || fwrite(out, 1, count, stdout) != count;
}
END
cat > "$dir/stream.c" << 'END'
#define BIOSTREAM_IMPLEMENTATION
#include "biostream.h"
int main(int argc, char **argv) {
    biost_stream_desc desc = {0};
    biost_stream *stream;
    biost_page page;
    uint64_t bytes = 0;
    desc.path = argv[argc - 1];
    if (biost_stream_open(&desc, &stream, NULL) != BIOST_OK) return 1;
    while (biost_stream_next_page(stream, &page) == BIOST_OK) bytes += page.text_bytes;
    biost_stream_close(stream);
    return bytes == 0;
}
END
cat > "$dir/records.c" << 'END'
#define BIOSTREAM_IMPLEMENTATION
#include "biostream.h"
int main(int argc, char **argv) {
    biost_reader_desc desc = {0};
    biost_reader *reader;
    biost_record record;
    uint64_t bases = 0;
    desc.path = argv[argc - 1];
    if (biost_reader_open(&desc, &reader, NULL) != BIOST_OK) return 1;
    while (biost_reader_next(reader, &record) == BIOST_OK) bases += record.seq_bases;
    biost_reader_close(reader);
    return bases == 0;
}
END
cat > "$dir/batches.c" << 'END'
#define BIOSTREAM_IMPLEMENTATION
#include "biostream.h"
int main(int argc, char **argv) {
    biost_loader_desc desc = {0};
    biost_loader *loader;
    biost_batch batch;
    uint64_t rows = 0;
    desc.paths = (const char *const *)argv + 1;
    desc.path_count = (uint32_t)argc - 1;
    if (biost_loader_open(&desc, &loader, NULL) != BIOST_OK || biost_loader_begin(loader, 0) != BIOST_OK) return 1;
    while (biost_loader_next(loader, &batch) == BIOST_OK) {
        rows += batch.valid_rows;
        (void)biost_loader_release(loader, &batch);
    }
    biost_loader_close(loader);
    return rows == 0;
}
END

compiler=$1
for one; do case $one in gcc*) compiler=$one ;; esac; done
# linked PROGRAM FLAG...: bytes more than a program that does nothing.
linked() {
    program=$1
    shift
    $compiler -O2 "$@" -I. "$dir/$program.c" -o "$dir/$program" -pthread -ldl
    echo $(($(code "$dir/$program") - $(code "$dir/nothing")))
}
linked nothing > "$dir/nothing.txt"
sections='-ffunction-sections -fdata-sections -Wl,--gc-sections'
echo
echo "Bytes of code and constants that a program has more by it, $($compiler --version | sed -n 1p), -O2. Sections: \`$sections\`."
echo 'BIOSTREAM_STATIC makes all functions static, and the compiler leaves out what nobody calls.'
echo
echo '| program | as it is | sections | BIOSTREAM_STATIC | sections, without the loader | sections, decoder alone |'
echo '|---|--:|--:|--:|--:|--:|'
for program in inflate stream records batches; do
    case $program in
        inflate) what='gzip in memory, one call of biost_inflate' ;;
        stream) what='the text of a file, biost_stream' ;;
        records) what='records, biost_reader' ;;
        batches) what='batches, biost_loader' ;;
    esac
    # shellcheck disable=SC2086
    {
        printf '| %s | %s | %s | %s |' "$what" "$(linked $program)" "$(linked $program $sections)" \
            "$(linked $program -DBIOSTREAM_STATIC=1)"
        if test $program = batches; then
            echo ' | |'
        else
            echo " $(linked $program $sections -DBIOSTREAM_NO_LOADER=1) | $(linked $program $sections $decoder) |"
        fi
    }
done
