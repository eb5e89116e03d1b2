#!/bin/sh
# platform.sh NAME [DIR] - build the tools, the lessons and tests for another platform and run them by its emulator.
#
#   mingw        Windows, by MinGW and Wine       mingw_win32  the same by the compiler with the other thread model
#   s390x        big-endian, by qemu-user         aarch64, riscv64  likewise
#   musl         musl's C library, this processor
#   emscripten   WebAssembly with one worker, by node
#
# First examples/run.sh: the digest of the main job in each packing, training, and the lessons it has. Then states, indexes
# and .npy files against those of a build for this machine, each read by the other. Then tests: those that take seconds, or with PLATFORM_TESTS=all all that can be built there, and the tests of whole tools. What cannot be
# there (no FIFO on Windows) is named below with its reason. CFLAGS are the header's (-O2). The last line is
# `N passed, N failed`; a package that is missing is one line `skipped: NAME`. tests/PLATFORMS.md has results and times.
set -u
limit=$(sh tests/limit.sh)
test -z "$limit" || limit="$limit 600"
name=$1
dir=${2:-build/platform/$name}
export LC_ALL=C.UTF-8
mkdir -p "$dir/bin" "$dir/wrapped"
all=${PLATFORM_TESTS:-some}
here=$PWD

# -- what each is ---------------------------------------------------------------------------------------

# Programs of tests: the ones that take seconds, then the others. white_* are several test files each.
some='white_bytes white_text reader_text pairs loader_encode loader_filters loader_split loader_long groups_desc layout misaligned'
more='white_gzip white_rows ahead fields groups_calls groups_loader groups_resume index left loader_ahead
    loader_counters loader_desc loader_identity loader_index loader_inputs loader_known_bugs loader_memory loader_order
    loader_points loader_resume loader_rules loader_slots loader_torture reader_cuts records_agree sha256
    stream_damage stream_random'
# Those with one worker.
alone='white_bytes white_text pairs groups_desc layout misaligned sha256'
# These have functions of their own in the place of POSIX calls, or need fork, links and FIFOs.
posix='white_index gzi export fork groups_failing hostile loader_calls loader_faults map reader reader_torture refusals saving stream
    stream_torture'
tools='fxcat fxunzip fxindex tools tools_files'
with= more_flags= libs= ext= run= makes= threads=-pthread
case $name in
    mingw | mingw_win32)
        model=posix
        test $name = mingw || model=win32
        compiler=x86_64-w64-mingw32-gcc-$model
        run=wine
        needs="$compiler:gcc-mingw-w64-x86-64-$model wine:wine"
        ext=.exe
        libs='-static'
        more_flags='-Itests/windows -include tests/windows/posix.h'
        makes='#include <zlib.h>
int main(void) { return (int)crc32(0, 0, 0); }'
        export WINEPREFIX="$here/$dir/prefix" WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml= ;;
    s390x | aarch64 | riscv64)
        test $name != s390x || export TEST_ORDER=big
        compiler=$name-linux-gnu-gcc
        run="qemu-$name -L /usr/$name-linux-gnu"
        needs="$compiler:gcc-$name-linux-gnu qemu-$name:qemu-user"
        # qemu-user itself ends where a child of fork makes threads.
        more="$more $(echo " $posix" | sed 's/ fork / /')" ;;
    musl)
        compiler=musl-gcc
        needs=musl-gcc:musl-tools
        libs='-static'
        more="$more $posix" ;;
    emscripten)
        compiler=emcc
        # Newer node than this emscripten knows has fetch, which it would use for files.
        run='node --no-experimental-fetch'
        needs='emcc:emscripten node:nodejs'
        ext=.js
        threads=
        libs='-sNODERAWFS=1 -sALLOW_MEMORY_GROWTH=1 -sEXIT_RUNTIME=1'
        export NODE_PATH=/usr/share/nodejs ;; # where Debian has what emcc needs of node
    *)
        echo "there is no platform '$name' here"
        exit 1 ;;
esac
for need in $needs; do
    if ! command -v "${need%%:*}" > /dev/null; then
        echo "skipped: ${need#*:}"
        echo "0 passed, 0 failed, 1 skipped"
        exit 0
    fi
done

passed=0 failed=0 skipped=0
start=$(date +%s)
took() { echo "($1: $(($(date +%s) - start)) s from the start)"; }
good() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $1"; }
skip() { skipped=$((skipped + 1)); echo "skipped: $1"; }

$compiler --version | head -n 1
test -z "$run" || $run --version 2> /dev/null | head -n 1

# -- building -------------------------------------------------------------------------------------------

flags="${CFLAGS:--O2} -Wall -Wextra -Wshadow -Wundef -pedantic"
# Kept quiet for lessons and tools only: format warnings of MinGW know nothing of %llu.
quiet=
test "$ext" != .exe || quiet=-Wno-format

# built OUTPUT ARGUMENTS...: compile in the background, two at once.
: > "$dir/commands.txt"
built() {
    output=$1
    shift
    # shellcheck disable=SC2086
    printf '%s\n' "$compiler $* -o $output > $output.txt 2>&1 || rm -f $output" >> "$dir/commands.txt"
}
build() {
    rm -f "$dir"/*.o.txt
    xargs -P 2 -I '{}' sh -c '{}' < "$dir/commands.txt"
    : > "$dir/commands.txt"
}

if test -n "$makes"; then
    echo "$makes" > "$dir/probe.c"
    ! $compiler "$dir/probe.c" -o "$dir/probe$ext" -lz > /dev/null 2>&1 || { with=-DHAVE_ZLIB; libs="$libs -lz"; }
fi
awk -f tests/bare.awk -f tests/layout.awk biostream.h > "$dir/layout_expected.h"
test $name != emscripten || some=$alone more="white_gzip white_rows fields groups_loader stream_damage"
programs=$some
test $all != all || programs="$some $more"
built "$dir/implementation.o" "$flags -c tests/implementation.c"
built "$dir/cuda.o" "$flags -c tests/cuda_implementation.c"
case " $programs " in
    *" loader_faults "*) built "$dir/hooked.o" "$flags -c tests/hooked.c" ;;
esac
build
for object in implementation cuda; do
    if test ! -f "$dir/$object.o"; then
        bad "the header compiled for $name"
        sed -e 's/^/    /' -e 20q "$dir/$object.o.txt"
        echo "$passed passed, $failed failed"
        exit 1
    fi
    if grep -q 'biostream.*warning' "$dir/$object.o.txt"; then
        bad "the header compiled without warnings"
        grep 'biostream.*warning' "$dir/$object.o.txt" | head -n 5
    else
        good
    fi
done
for source in examples/tools/*.c examples/*.c; do
    program=$(basename "$source" .c)
    linked=$dir/implementation.o
    case $program in cuda_*) linked="$linked $dir/cuda.o" ;; esac
    case $program,$ext in mpi_*,* | resume_training,.exe | cuda_graph,.?*) continue ;; esac # MPI; fsync; dlfcn.h
    built "$dir/bin/$program$ext" "$flags -I. -DBIOSTREAM_IMPLEMENTED -DBIOSTREAM_CUDA_IMPLEMENTED $source $linked $libs -lm $threads"
    printf '#!/bin/sh\nexec %s "%s/%s" "$@"\n' "$run" "$here/$dir" "bin/$program$ext" > "$dir/wrapped/$program"
    chmod +x "$dir/wrapped/$program"
done
for program in $programs; do
    source=tests/test_$program.c
    optimize=-O1 linked=
    case $program in
        white_*)
            source=tests/$program.c
            optimize=${CFLAGS:--O2} ;;
        *)
            linked=$dir/implementation.o
            ! grep -q -e '^#include "hooks\.h"' -e '^#include "failing\.h"' "$source" || linked=$dir/hooked.o ;;
    esac
    built "$dir/$program$ext" "$optimize $more_flags $with -I$dir $source $linked $libs -lm $threads"
done
build
for source in examples/tools/*.c examples/*.c; do
    program=$(basename "$source" .c)
    case $program,$ext in mpi_*,* | resume_training,.exe | cuda_graph,.?*) continue ;; esac
    if test ! -f "$dir/bin/$program$ext"; then
        bad "$program built"
        sed -e 's/^/    /' -e 20q "$dir/bin/$program$ext.txt"
    elif grep -v -e "warning: unknown conversion type" "$dir/bin/$program$ext.txt" | grep 'warning:' | head -n 3 | grep .; then
        bad "$program built without warnings"
    else
        good
    fi
done
took built

# -- the tools and lessons --------------------------------------------------------------------------------

# Wine makes its folder once.
case $run in wine) wine wineboot -i > "$dir/wineboot.txt" 2>&1 ;; esac

# Without threads two lessons cannot be, and say so; all else must be as it should.
sh examples/run.sh "$dir/wrapped" > "$dir/run.txt" 2>&1
status=$?
told=$(grep '^FAILED' "$dir/run.txt" | tr '\n' ' ')
if test $status = 0; then
    good
elif test "$name,$told" = "emscripten,FAILED: resume FAILED: own_jobs "; then
    good
    skip "examples/resume.c and examples/own_jobs.c, which make threads"
else
    bad "examples/run.sh"
    tail -n 60 "$dir/run.txt"
fi
grep -c "digest e52f5f95168d6982" "$dir/run.txt" > "$dir/digests.txt"
echo "digests of epoch 0 that are e52f5f95168d6982: $(cat "$dir/digests.txt")"
took run.sh

# -- files that go from machine to machine -------------------------------------------------------------------

# same WHAT ONE OTHER: two files of the same bytes.
same() { if cmp -s "$2" "$3"; then good; else bad "$1"; cmp "$2" "$3"; fi; }

files=$dir/files
rm -rf "$files"
mkdir -p "$files/native" "$files/there"
cp examples/data/illumina_hiseqx_150bp.fastq.gz "$files/reads.gz"
cc -O1 -c tests/implementation.c -o "$files/implementation.o"
for tool in fxbatch fxindex; do
    cc -O1 -I. -DBIOSTREAM_IMPLEMENTED examples/tools/$tool.c "$files/implementation.o" -o "$files/native/$tool" -lm -pthread
    cp "$dir/wrapped/$tool" "$files/there/$tool"
done
stream="--workers 1 --bases 150 --shuffle 4096"
for side in native there; do
    own=$files/$side
    # shellcheck disable=SC2086
    {
        "$own/fxindex" -t 1 -o "$own/index" "$files/reads.gz"
        "$own/fxbatch" $stream --stop-after 17 --state-file "$own/state" "$files/reads.gz"
        "$own/fxbatch" $stream --dtype f32 --label-dtype f32 --stop-after 2 --npy "$own/npy" "$files/reads.gz"
    } > "$own/made.txt" 2>&1 || bad "files of $side"
done
same "a resume state has the same bytes" "$files/native/state" "$files/there/state"
# An index says the longest record that was allowed, which with 32-bit addresses is another.
test $name = emscripten || same "an index has the same bytes" "$files/native/index" "$files/there/index"
for reader in native there; do
    for side in native there; do
        # shellcheck disable=SC2086
        "$files/$reader/fxbatch" $stream --resume "$files/$side/state" "$files/reads.gz" 2>&1 | grep '^epoch 0' | cut -f 1-4 \
            > "$files/rest_${reader}_$side"
        "$files/$reader/fxindex" -o "$files/$side/index" "$files/reads.gz" 5000 2 > "$files/records_${reader}_$side" 2>&1
    done
done
gzip -dc "$files/reads.gz" | sed -n '20001,20008p' > "$files/records"
for pair in native_there there_native there_there; do
    same "a state goes on elsewhere ($pair)" "$files/rest_native_native" "$files/rest_$pair"
    same "an index is used elsewhere ($pair)" "$files/records" "$files/records_$pair"
done
if grep -q 'digest' "$files/rest_native_native"; then good; else bad "a state goes on"; fi
# NumPy is told the order of bytes: numbers are the same, read in that order.
order=little descr='<f4'
test $name != s390x || order=big descr='>f4'
for path in "$files"/native/npy/*_x.npy; do
    there=$files/there/npy/$(basename "$path")
    if head -c 128 "$there" | grep -q -e "'descr': '$descr'"; then good; else bad "the order of bytes in $there"; fi
    od -A n -v -t f4 -j 128 --endian=little "$path" > "$files/x_native"
    od -A n -v -t f4 -j 128 --endian=$order "$there" > "$files/x_there"
    same "the numbers in $there" "$files/x_native" "$files/x_there"
done
if test "$(find "$files/there/npy" -name '*_x.npy' | wc -l)" = 2; then good; else bad "two batches as .npy"; fi
took files

# sums FILE WHAT STATUS: add the last line of a run, show what failed; what has no such line, died.
sums() {
    # A terminal's words may stand before it.
    line=$(tail -n 1 "$1" | tr -d '\r' | sed 's/.*[^0-9]\([0-9][0-9]* passed, \)/\1/')
    case $line in
        *' passed, '*' failed'*)
            rest=${line#*, }
            passed=$((passed + ${line%% *}))
            failed=$((failed + ${rest%% *}))
            case $rest in *skipped) skipped=$((skipped + $(echo "$rest" | sed 's/.*, \([0-9]*\) skipped/\1/'))) ;; esac
            case $rest in '0 failed'*) test "$3" = 0 || bad "$2 ends with $3" ;; *) grep -a -e FAILED -e 'failed: ' "$1" | head -n 40 ;; esac
            echo "$2: $line" ;;
        *)
            bad "$2 ended with $3"
            tail -n 5 "$1" ;;
    esac
}

# -- tests ------------------------------------------------------------------------------------------------

for program in $programs; do
    if test ! -f "$dir/$program$ext"; then
        bad "$program built"
        grep -e error -e undefined "$dir/$program$ext.txt" | head -n 5
        continue
    fi
    before=$(date +%s)
    # shellcheck disable=SC2086
    $limit $run "$dir/$program$ext" > "$dir/$program.log" 2>&1 < /dev/null
    status=$?
    # Wine now and then ends before a program has begun: what has not printed a word is begun once more.
    if test "$run,$status" = wine,1 && ! grep -q -a -e 'run ' -e ' passed, ' "$dir/$program.log"; then
        echo "$program was not begun by Wine, which said:"
        tail -n 5 "$dir/$program.log"
        # shellcheck disable=SC2086
        $limit $run "$dir/$program$ext" > "$dir/$program.log" 2>&1 < /dev/null
        status=$?
    fi
    sums "$dir/$program.log" "$program ($(($(date +%s) - before)) s)" $status
done
case $run in
    wine)
        sh tests/windows.sh "$dir/wrapped" > "$dir/windows.txt" 2>&1
        sums "$dir/windows.txt" windows.sh $? ;;
esac
took tests
# What the tests of tools check and Windows, or Wine, does not have: permissions, links to no file, devices by name, names
# with control bytes, a folder as standard input, a terminal that gets bytes as they are.
: > "$dir/not_there.txt"
test "$run" != wine || cat > "$dir/not_there.txt" << END
a directory as standard input
it is drawn
and cleaned
fxindex: the mode of a file that was there
fxindex: what it leads to is made
fxindex --gzi: the mode of a file that was there
fxindex --gzi: what it leads to is made
a resume state: the mode of a file that was there
a resume state: what it leads to is made
an index to standard output that is a file
fxcount of a file with an odd name
is a line of eight columns
its bytes are named
fxindex of it
fxunzip of it
END
if test $all = all; then
    for test in $tools; do
        before=$(date +%s)
        sh tests/test_$test.sh "$dir/wrapped" > "$dir/test_$test.txt" 2>&1
        sums "$dir/test_$test.txt" "test_$test ($(($(date +%s) - before)) s)" $?
        known=$(sed -n 's/.*FAILED //p' "$dir/test_$test.txt" | grep -a -c -x -F -f "$dir/not_there.txt")
        test "$known" = 0 || echo "skipped: $known of these, about what $name has not"
        failed=$((failed - known))
        skipped=$((skipped + known))
    done
    # The lessons as their comments show them, where all of them are.
    if test -z "$ext"; then
        sh tests/examples.sh "$dir/wrapped" > "$dir/examples.txt" 2>&1
        sums "$dir/examples.txt" lessons $?
    fi
    took tools
fi

if test $skipped = 0; then
    echo "$passed passed, $failed failed"
else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
test $failed = 0
