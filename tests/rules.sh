#!/bin/sh
# rules.sh [matrix|soak|alone|lib] - look for compilers and libraries, then write build/CONFIG/rules.mk: one explicit rule
# per program, so that any make can read it, with the dependencies that compilers left in build/CONFIG/*.d.
# Settings come in the environment; see the Makefile.
#
# What a program is made of:
#   biostream.o, biostream_cuda.o    the implementations, compiled once; tests of the API and examples are linked with
#                                    them
#   hooked.o                         the implementation once more, its calls of the system through pointers; tests that
#                                    include hooks.h are linked with it in the place of biostream.o
#   white_NAME                       several test files that have the implementation inside, as one program; a script
#                                    of each test file's name runs that file's part of it
#   test_NAME                        any other test file: a program
#   gpu_real                         the tests for a GPU, which are run over fake_libcuda.c here
#
# What a test is made of, and where it is run, is what it needs as its first comment says it, and nothing else in it:
#
#   needs: WORD...     loader        the layer; left out with WITHOUT=loader
#                      stores        likewise
#                      parallel_gzip likewise
#                      threads       what ThreadSanitizer is for: with it no other test is run
#                      library       linked with biostream.o
#                      hooks         linked with hooked.o
#                      data          reads files of tests/data, examples/data or bench
#                      orders        FULL=1: run once more, tasks in a drawn order on one thread
#                      dlopen, fake_libcuda, cuda_runtime   of biostream_cuda.h
#                      layout_rows   the rows of biost_layout, made anew
#                      full          a script that takes long: with FULL=1 alone
#                      once          a script that is run in CONFIG=default alone
#                      compilers     likewise, and in CONFIG=clang
#                      nothing       none of these
# The long compilations come first, so that all processors are busy until the end.
set -eu
CONFIG=${CONFIG:-default}
test -z "${1:-}" || CONFIG=$1
CC=${CC:-cc}
CXX=${CXX:-c++}
dir=build/$CONFIG
examples_dir=$dir/examples
test "$CONFIG" != default || examples_dir=build/examples
mkdir -p "$dir" "$examples_dir"
# `sudo make install` leaves files here that are root's: a later make replaces those it writes each time.
test "$CONFIG" != lib || rm -f "$dir"/probe* "$dir"/started.txt "$dir"/skipped.txt "$dir"/logs.txt "$dir"/names.sh
: > "$dir/skipped.txt"
: > "$dir/logs.txt"
rules=$dir/rules.tmp

have() { command -v "${1%% *}" > /dev/null 2>&1; }
skip() { echo "skipped: $1" >> "$dir/skipped.txt"; }

# probe NAME FLAGS PROGRAM: does it compile and link?
probe() {
    printf '%s\n' "$3" > "$dir/probe.c"
    # shellcheck disable=SC2086
    $CC ${CFLAGS:-} "$dir/probe.c" -o "$dir/probe" $2 > "$dir/probe_$1.txt" 2>&1
}

# -- what is there ------------------------------------------------------------------------------------

if ! probe compiler "" 'int main(void) { return 0; }'; then
    echo "the compiler does not work: $CC ${CFLAGS:-}" >&2
    cat "$dir/probe_compiler.txt" >&2
    exit 1
fi

# peer HEADER LIBRARY: keep what has just been found beside what is built, its headers and what the linker takes for
# -lLIBRARY: what another program installs or removes meanwhile changes nothing.
peers="-isystem $dir/peers/include"
rm -rf "$dir/peers"
peer() {
    mkdir -p "$dir/peers/lib"
    # shellcheck disable=SC2086
    for file in $(echo "#include <$1>" | $CC ${CFLAGS:-} -M -x c - | tr -d '\\'); do
        case $file in
            */htslib/*.h) to=$dir/peers/include/htslib/ ;;
            */libdeflate.h | */zlib.h | */zconf.h) to=$dir/peers/include/ ;;
            *) continue ;;
        esac
        mkdir -p "$to"
        cp "$file" "$to"
    done
    # shellcheck disable=SC2086
    test -z "${2:-}" || file=$($CC ${CFLAGS:-} -print-file-name="lib$2.so")
    test -z "${2:-}" || test ! -f "$file" || cp -L "$file" "$dir/peers/lib/"
}

define=
libs=
tests_define=
tests_libs=
deflate_program='#include <libdeflate.h>
int main(void) { return (int)libdeflate_crc32(0, "", 0); }'
if test "$CONFIG" = lib; then
    NO_ZLIB=1 # no peers in what is shipped, and no libdeflate: a program that links the library needs nothing more
elif test -n "${NO_LIBDEFLATE:-}"; then
    echo "libdeflate: not used (NO_LIBDEFLATE), using our own code"
elif probe libdeflate -ldeflate "$deflate_program"; then
    echo "libdeflate: found"
    peer libdeflate.h deflate
    define="-DBIOSTREAM_LIBDEFLATE $peers"
    libs="-L$dir/peers/lib -ldeflate"
    tests_define=-DHAVE_LIBDEFLATE
else
    echo "libdeflate: not found, using our own code"
fi
if test -z "${NO_ZLIB:-}" && probe zlib -lz '#include <zlib.h>
int main(void) { return (int)crc32(0, 0, 0); }'; then
    peer zlib.h z
    tests_define="$tests_define -DHAVE_ZLIB $peers"
    tests_libs="-L$dir/peers/lib -lz"
fi
# Of htslib only a header is used. NO_ZLIB stands for all of the tests' peers.
if test -z "${NO_ZLIB:-}" && probe kseq "" '#include <htslib/kseq.h>
int main(void) { return 0; }'; then
    peer htslib/kseq.h
    tests_define="$tests_define -DHAVE_KSEQ $peers"
fi

# MPI's command around our compiler, for examples/mpi_*.c; without_mpi says why there is none.
mpicc="env OMPI_CC='$CC' MPICH_CC='$CC' mpicc"
without_mpi=
printf '#include <mpi.h>\nint main(int argc, char **argv) { return MPI_Init(&argc, &argv); }\n' > "$dir/probe.c"
if ! have mpicc; then
    without_mpi='mpicc, of an MPI library, is not there'
elif test -n "${SANITIZE:-}"; then
    without_mpi='not with SANITIZE, which reports what MPI itself does'
elif ! eval "$mpicc ${CFLAGS:-} $dir/probe.c -o $dir/probe" > "$dir/probe_mpi.txt" 2>&1; then
    without_mpi="mpicc does not link with $CC ${CFLAGS:-}"
fi

# Old C libraries have dlopen, which biostream_cuda.h uses, in a library of its own.
dl_libs=
dl_program='#include <dlfcn.h>
int main(void) { return dlopen("libcuda.so.1", RTLD_NOW) != 0; }'
if ! probe no_dl "" "$dl_program" && probe dl -ldl "$dl_program"; then
    dl_libs=-ldl
fi

# WITHOUT='loader stores parallel_gzip simd': the header's layer switches; programs about a layer that is not there are left out.
for layer in ${WITHOUT:-}; do
    case $layer in
        loader | stores | parallel_gzip | simd) define="$define -DBIOSTREAM_NO_$(echo "$layer" | tr a-z A-Z)" ;;
        *)
            echo "WITHOUT=$layer: the layers to leave out are loader, stores, parallel_gzip and simd" >&2
            exit 1 ;;
    esac
done
# without LAYER: whether it is left out.
without() { case " ${WITHOUT:-} " in *" $1 "*) ;; *) return 1 ;; esac; }

# All that tests need, as ` test_NAME:WORD test_NAME:WORD `.
all_needs=" $(awk '
    BEGIN {
        split("loader stores parallel_gzip threads library hooks data orders dlopen fake_libcuda cuda_runtime layout_rows full once compilers nothing", words)
        for (i in words) known[words[i]] = 1
    }
    FNR == 1 {
        finish()
        name = FILENAME
        sub(/.*[/]/, "", name)
        sub(/[.].*/, "", name)
        inside = 1
        found = 0
    }
    # The first comment of C, or of a script.
    inside && /^( \*|#) needs: / {
        found++
        for (i = 3; i <= NF; i++) {
            if (!($i in known)) fail($i ": rules.sh knows no such word in `needs:`")
            printf "%s:%s ", name, $i
        }
    }
    FILENAME ~ /[.]c$/ && /^ \*[/]/ || FILENAME ~ /[.]sh$/ && !/^#/ { inside = 0 }
    function fail(why) {
        print "tests/" name ": " why > "/dev/stderr"
        print "!"
    }
    function finish() { if (name != "" && found != 1) fail("its first comment has no line `needs:`, or several") }
    END { finish() }' tests/test_*.c tests/test_*.sh)"
case $all_needs in *!*) exit 1 ;; esac
# needs NAME WORD: whether the test says so.
needs() { case $all_needs in *" $1:$2 "*) ;; *) return 1 ;; esac; }
# applies NAME: whether the test is one for the layers that are there.
applies() {
    for layer in loader stores parallel_gzip; do
        ! without $layer || ! needs "$1" $layer || return 1
    done
}
of_stores='biost_store|biost::store|fx_stores[.]h'
# example_applies SOURCE: likewise. What an example needs the compiler would say, too.
of_loader='biost_loader|biost::loader|biost_batch|biost_encod|biost_pack_|biost_unpack|biost_reverse|biost_random|biostream_cuda|bsi_loader|biost_store|bsi_store|bsi_tables'
example_applies() {
    without loader || ! without stores || ! grep -q -E "$of_stores" "$1" || return 1
    without loader || return 0
    case $1 in */cuda_train.c) return 1 ;; esac
    ! grep -q -E "$of_loader" "$1"
}

in_white=' '
# part_of NAME: the program of several test files that has this one in it, or nothing.
part_of() {
    case $in_white in
        *" $1:"*) echo "$in_white" | sed "s/.* $1:\([a-z0-9_]*\) .*/\1/" ;;
    esac
}
# asked NAME: whether PROGRAMS, where it is given, has a word that is in the name, or in that of the program it is part of.
asked() {
    test -n "${PROGRAMS:-}" || return 0
    for word in $PROGRAMS; do
        case "$1 $(part_of "$1")" in *"$word"*) return 0 ;; esac
    done
    return 1
}

sanitize=
if test -n "${SANITIZE:-}"; then
    sanitize="-fsanitize=$SANITIZE -fno-sanitize-recover=all -fno-omit-frame-pointer"
    if ! probe sanitize "$sanitize" 'int main(void) { return 0; }'; then
        echo "skipped: -fsanitize=$SANITIZE ($CC cannot link it)" > "$dir/skipped.txt"
        printf 'programs examples logs:\n' > "$dir/rules.mk"
        exit 0
    fi
fi

# A test that never ends is stopped; on a machine that is slow or busy the seconds grow. Tools get the workers they are told,
# see tests/test.h.
limit=$(CC=$CC sh tests/limit.sh)
test -z "$limit" || limit="$limit ${TEST_TIMEOUT:-600}"
limit="env TEST_MORE_WORKERS=1 $limit"

# -- writing rules ------------------------------------------------------------------------------------

warnings="-Wall -Wextra -Wshadow -Wundef -pedantic ${WERROR:-}"
common="${CFLAGS:-} $sanitize $warnings $define"
newest='biostream.h biostream_cuda.h'

# compile OUTPUT SOURCE NEEDS FLAGS LIBS [COMPILER]: one rule; -MMD leaves what it really depends on beside OUTPUT. What
# cannot be compiled any more is removed, so that nobody takes it for the result. SOURCE.cc is for the C++ compiler.
compile() {
    case $2 in *.cc) by=$CXX ;; *) by=$CC ;; esac
    printf '%s: %s %s %s/flags.txt\n\t@echo "  cc %s"\n\t%s\n' "$1" "$2" "$3" "$dir" "$1" \
        "${6:-$by} $4 -MMD -MP -MF $1.d -MT $1 -o $1 $2 $5 -pthread || { rm -f $1; exit 1; }" >> "$rules"
    test ! -f "$1.d" || cat "$1.d" >> "$rules"
}

# logged NAME NEEDS COMMAND: run it into build/CONFIG/NAME.log, with its exit status as the last line.
logged() {
    printf '%s/%s.log: %s\n\t@echo "  run %s"\n\t%s > %s/%s.tmp 2>&1; echo "exit $$?" >> %s/%s.tmp\n' \
        "$dir" "$1" "$2" "$1" "$limit $3" "$dir" "$1" "$dir" "$1" >> "$rules"
    printf '\tmv %s/%s.tmp %s/%s.log\n\n' "$dir" "$1" "$dir" "$1" >> "$rules"
    logs="$logs $dir/$1.log"
    echo "$1 $2" >> "$dir/logs.txt"
}

# finish: the rules are whole.
finish() { mv "$rules" "$dir/rules.mk"; }

# Files that a test may read beside its program.
data=$(find tests/data tests/fuzz examples/data bench -type f | grep -v ' ' | sort | tr '\n' ' ')
# reads NAME: `data`, if the test reads files of the repository.
reads() { ! needs "$1" data || echo "$data"; }

logs=
printf '# written by tests/rules.sh\nall: programs examples\n' > "$rules"

# A program is built again when the flags differ from those it was built with.
flags="$CC $CXX $common $libs $tests_define $tests_libs $dl_libs ${TESTS_CFLAGS:-}"
test "$CONFIG" != lib || flags="$flags ${AR:-} ${LDFLAGS:-} $(sh tests/version.sh)"
test "$(cat "$dir/flags.txt" 2> /dev/null)" = "$flags" || echo "$flags" > "$dir/flags.txt"

# What was run with other settings, what failed and what skipped is run again; the rest only where something it needs
# is newer.
settings="${ONLY:-} ${FULL:-} $(env | grep '^TEST_' | sort | tr '\n' ' ')"
if test -n "${AGAIN:-}" || test "$(cat "$dir/settings.txt" 2> /dev/null)" != "$settings"; then
    rm -f "$dir"/*.log
    echo "$settings" > "$dir/settings.txt"
fi
for log in "$dir"/*.log; do
    test ! -f "$log" || { test "$(tail -n 1 "$log")" = "exit 0" && ! grep -q '^skipped: ' "$log"; } || rm -f "$log"
done
touch "$dir/started.txt" # what is older was run before

# compile_log NAME LANGUAGE COMPILER STANDARD OPTIMIZATION DEFINES LIBS SET C-COMPILER
compile_log() {
    logged "$1" "$newest $dir/flags.txt $(echo tests/compile/*) tests/compile.sh tests/manual.sh $data" \
        "sh tests/compile.sh '$2' '$3' '$4' '$5' '$6' '$7 $dl_libs' $dir/$1.tmp.d $8 '$9'"
}

if test "$CONFIG" = matrix; then
    for compiler in gcc clang; do
        case $compiler in gcc) cxx=g++ ;; *) cxx=clang++ ;; esac
        have $compiler || skip $compiler
        have $cxx || skip $cxx
        for optimization in O0 O2; do
            for variant in plain libdeflate; do
                # MATRIX=few: with libdeflate where it is, and the oldest standard of each language.
                test "${MATRIX:-}${define:+$variant}" != fewplain || continue
                if test $variant = plain; then
                    defines='' variant_libs=
                else
                    test -n "$define" || continue
                    defines=$define variant_libs=$libs
                fi
                # What a standard forbids, -O0 finds; what -O2 finds depends on the language alone.
                standards='c99 c++11'
                test $optimization != O0 || standards='c99 c11 gnu99 c++11 c++17'
                case ${MATRIX:-}.$optimization in
                    few.O0) standards='c99 c++11' ;;
                    few.O2) standards=c99 ;;
                esac
                for standard in $standards; do
                    # What a file exports depends on no standard: that is looked at with the oldest alone.
                    case $optimization.$standard in
                        O0.c99 | O0.c++11) set=all ;;
                        O0.*) set=warnings ;;
                        *) set=code ;;
                    esac
                    case $standard in
                        c++*) language=c++ with=$cxx ;;
                        *) language=c with=$compiler ;;
                    esac
                    ! have $with || compile_log "$with-$standard-$optimization-$variant" $language $with \
                        $standard -$optimization "$defines" "$variant_libs" $set $compiler
                done
            done
        done
    done
    test -n "$define" || skip "matrix with libdeflate"
    printf 'matrix: %s\n' "$logs" >> "$rules"
    finish
    exit 0
fi

# Examples in C++, where there is a compiler whose programs can have parts by CC.
examples_cc=
echo 'extern "C" int in_c(int *); int main() { int zero = 0; return in_c(&zero); }' > "$dir/probe_cxx.cc"
echo 'int in_c(int *); int in_c(int *number) { return *number; }' > "$dir/probe_c.c"
# shellcheck disable=SC2086
if have "$CXX" && $CC ${CFLAGS:-} $sanitize -c "$dir/probe_c.c" -o "$dir/probe_c.o" > "$dir/probe_cxx.txt" 2>&1 &&
    $CXX ${CFLAGS:-} $sanitize "$dir/probe_cxx.cc" "$dir/probe_c.o" -o "$dir/probe_cxx" >> "$dir/probe_cxx.txt" 2>&1; then
    examples_cc=$(echo examples/*.cc)
else
    skip "C++ compiler"
fi

# Each example compiled as its own comment says: one file, one line.
if test "$CONFIG" = alone; then
    programs=
    for source in examples/*.c $examples_cc examples/tools/*.c; do
        name=$(basename "${source%.*}")
        case $name,$without_mpi in mpi_*,?*) continue ;; esac
        asked "$name" || continue
        logged "alone_$name" "$source $newest $dir/flags.txt $(echo examples/tools/*.h) $(echo examples/*.hpp) tests/alone.sh" \
            "env CC='$CC' CXX='$CXX' LIBS='$libs $dl_libs' DEFINE='$define' sh tests/alone.sh $source $dir/examples/$name"
        programs="$programs $dir/alone_$name.log"
    done
    test -n "${PROGRAMS:-}" ||
        logged examples "$programs $data examples/README.md tests/examples.sh tests/mpi_here.sh" "sh tests/examples.sh $dir/examples"
    printf 'logs: %s\n' "$logs" >> "$rules"
    finish
    exit 0
fi

# What is shipped: both headers as one library, shared and static, and the tools, which have the static one inside.
#
# biostream_cuda.h is in it because it costs nothing there: it needs no CUDA to compile, asks for the driver only when a
# device is opened, has the same version, and lies in an object of its own, which a linker leaves out of a program that
# does not call it. Only its provider over CUDA's runtime is not in: biost_cuda_runtime says NULL.
if test "$CONFIG" = lib; then
    case " ${WITHOUT:-} " in
        *" loader "* | *" stores "*)
            echo "make lib: WITHOUT=loader and WITHOUT=stores are for a copy of biostream.h; the library has all that the headers declare" >&2
            exit 1 ;;
    esac
    AR=${AR:-ar}
    if ! have "$AR"; then
        echo "make lib: no $AR, which packs objects into a library and comes with most compilers" >&2
        exit 1
    fi
    version=$(sh tests/version.sh)
    # Before 1.0 any minor version may change the structs that callers lay out, so each has a name of its own.
    case $version in
        0.*) abi=${version%.*} ;;
        *) abi=${version%%.*} ;;
    esac
    # The system that the compiler writes for, which need not be this one.
    echo 'int shared(void); int shared(void) { return 1; }' > "$dir/probe.c"
    # shellcheck disable=SC2086
    system=$(printf '%s\n' '#if defined(_WIN32)' 'system=windows' '#elif defined(__APPLE__)' 'system=apple' '#endif' |
        $CC ${CFLAGS:-} -E -x c - 2> /dev/null | sed -n 's/^system=//p')
    bits=$(echo __SIZEOF_POINTER__ | $CC ${CFLAGS:-} -E -x c - 2> /dev/null | sed -n 's/^\([48]\)$/\1/p')
    import=
    exe=
    case $system in
        windows)
            exe=.exe
            full=libbiostream-$abi.dll
            import=libbiostream.dll.a
            links=
            shared="-shared -Wl,--out-implib,$dir/$import" ;;
        apple)
            full=libbiostream.$version.dylib
            links="libbiostream.$abi.dylib libbiostream.dylib"
            shared="-dynamiclib -Wl,-install_name,@rpath/libbiostream.$abi.dylib" ;;
        *)
            full=libbiostream.so.$version
            links="libbiostream.so.$abi libbiostream.so"
            shared="-shared -Wl,-soname,libbiostream.so.$abi" ;;
    esac
    # A host's CFLAGS may hide what nobody marked: in a library of nothing but public names all are to be seen.
    pic='-fPIC -fvisibility=default'
    # shellcheck disable=SC2086
    $CC ${CFLAGS:-} $pic -c "$dir/probe.c" -o "$dir/probe.o" > "$dir/probe_pic.txt" 2>&1 || pic=-fPIC
    compile "$dir/biostream.o" biostream.h "" "-c $common $pic -DBIOSTREAM_IMPLEMENTATION -x c" ""
    compile "$dir/biostream_cuda.o" biostream_cuda.h biostream.h "-c $common $pic -DBIOSTREAM_CUDA_IMPLEMENTATION -x c" ""
    compile "$dir/layout.o" examples/cmake/layout.c biostream.h "-c $common $pic" ""
    objects="$dir/biostream.o $dir/biostream_cuda.o $dir/layout.o"
    {
        # Written anew each time: `ar r` into an older archive would keep what is no member any more.
        printf '%s: %s\n\t@echo "  ar %s"\n\trm -f %s\n\t%s rcs %s %s\n\n' "$dir/libbiostream.a" "$objects" \
            "$dir/libbiostream.a" "$dir/libbiostream.a" "$AR" "$dir/libbiostream.a" "$objects"
        printf '%s: %s %s\n\t@echo "  cc %s"\n\t%s\n' "$dir/$full" "$objects" "$dir/flags.txt" "$dir/$full" \
            "$CC ${CFLAGS:-} ${LDFLAGS:-} $sanitize $shared -o $dir/$full $objects $dl_libs -pthread"
        for link in $links; do
            printf '\trm -f %s\n\tln -s %s %s\n' "$dir/$link" "$full" "$dir/$link"
        done
        printf '\n.PHONY: lib tools\nlib: %s %s\n' "$dir/libbiostream.a" "$dir/$full"
    } >> "$rules"
    # On Windows the implementation is in each of them, because they call what its own system header declares.
    inside="-DBIOSTREAM_IMPLEMENTED"
    test "$system" != windows || inside=
    tools=
    for source in examples/tools/*.c; do
        tool=$dir/$(basename "$source" .c)$exe
        compile "$tool" "$source" "$dir/libbiostream.a" "$common $inside -I." "${LDFLAGS:-} $dir/libbiostream.a -lm"
        tools="$tools $tool"
    done
    # Their manual pages are what they print themselves, so there are none of programs for another system.
    pages=
    if probe runs "" 'int main(void) { return 0; }' && "$dir/probe" 2> /dev/null; then
        for tool in $tools; do
            name=$(basename "$tool")
            printf '%s.1: %s tests/man.sh\n\t@echo "  man %s.1"\n\tsh tests/man.sh %s %s > %s.tmp\n\tmv %s.tmp %s.1\n\n' \
                "$tool" "$tool" "$tool" "$tool" "examples/tools/$name.c" "$tool" "$tool" "$tool" >> "$rules"
            pages="$pages $tool.1"
        done
    fi
    printf 'tools: %s\n' "$tools$pages" >> "$rules"
    # For those who install it.
    printf '%s\n' "version='$version'" "abi='$abi'" "system='$system'" "full='$full'" "import='$import'" \
        "links='$links'" "tools='$tools'" "pages='$pages'" "dl_libs='$dl_libs'" "bits='$bits'" > "$dir/names.sh"
    finish
    exit 0
fi

object=$dir/biostream.o
cuda_object=$dir/biostream_cuda.o
hooked=$dir/hooked.o
compile "$object" tests/implementation.c "$newest" "-c $common" ""

if test "$CONFIG" = soak; then
    for name in soak test_records_agree; do
        compile "$dir/$name" "tests/$name.c" "$object" "$common $tests_define" "$object $libs $tests_libs"
    done
    logged soak "$dir/soak" "$dir/soak"
    logged records_agree "$dir/test_records_agree" "env TEST_SEED=1 TEST_RECORDS=150000 $dir/test_records_agree"
    printf 'logs: %s\n' "$logs" >> "$rules"
    finish
    exit 0
fi

without loader ||
    compile "$cuda_object" tests/cuda_implementation.c "$newest" "-c $common" ""
compile "$hooked" tests/hooked.c "$newest" "-c $common" ""

# Programs of several test files, see part_of.
programs=
for source in tests/white_*.c; do
    name=$(basename "$source" .c)
    parts=$(sed -n 's/^#include "\(test_[a-z0-9_]*\)\.c"$/\1/p' "$source")
    left_out=
    threads=
    for part in $parts; do
        applies "$part" || left_out=yes
        ! needs "$part" threads || threads=yes
    done
    test -z "$left_out" || continue
    test "${SANITIZE:-}" != thread || test -n "$threads" || continue
    compile "$dir/$name" "$source" "" "$common $tests_define" "$libs $tests_libs"
    programs="$programs $dir/$name"
    for part in $parts; do
        in_white="$in_white$part:$name "
        printf '#!/bin/sh\nexec %s --file %s "$@"\n' "$dir/$name" "$part" > "$dir/$part.tmp"
        chmod +x "$dir/$part.tmp"
        cmp -s "$dir/$part.tmp" "$dir/$part" && rm "$dir/$part.tmp" || mv "$dir/$part.tmp" "$dir/$part"
    done
done

# CUDA's runtime, of which a test uses the header only.
runtime_define=
for cuda in /usr/local/cuda "${CUDA_HOME:-/usr}"; do
    if probe runtime "-isystem $cuda/include" '#include <cuda_runtime_api.h>
int main(void) { return 0; }'; then
        runtime_define="-DHAVE_CUDA_RUNTIME -isystem $cuda/include"
        break
    fi
done

# A libcuda.so.1 without a GPU, one that lacks a call it must have, and one that lacks those of captures; tests load them
# by their path. In driver/ the first has the name under which LD_LIBRARY_PATH leads any program to it. A process with
# 32-bit addresses has no CUDA.
fake_libcuda=
shared='-shared -fPIC -Wl,-soname,libcuda.so.1'
if ! without loader && probe shared "$shared" 'typedef char has_64_bits[sizeof(void *) == 8 ? 1 : -1];
int fake(void);
int fake(void) { return 0; }'; then
    mkdir -p "$dir/fake_libcuda/driver"
    ln -sf ../libcuda_fake.so "$dir/fake_libcuda/driver/libcuda.so.1"
    for variant in fake old no_capture; do
        case $variant in
            fake) variant_define= ;;
            old) variant_define=-DFAKE_LIBCUDA_OLD ;;
            no_capture) variant_define=-DFAKE_LIBCUDA_NO_CAPTURE ;;
        esac
        fake_libcuda="$fake_libcuda $dir/fake_libcuda/libcuda_$variant.so"
        compile "$dir/fake_libcuda/libcuda_$variant.so" tests/fake_libcuda.c "" "$common $shared $variant_define" ""
    done
fi

# The rows of biost_layout, made anew: those in the tree must be the same.
printf '%s: biostream.h tests/bare.awk tests/layout.awk\n\tawk -f tests/bare.awk -f tests/layout.awk biostream.h > %s.tmp && mv %s.tmp %s\n\n' \
    "$dir/layout_rows.h" "$dir/layout_rows.h" "$dir/layout_rows.h" "$dir/layout_rows.h" >> "$rules"

# Tests by the seconds they take, the longest first; all others after them.
longest='loader_order stream_damage stream cuda_ring ahead map check'
sources=
for name in $longest; do sources="$sources tests/test_$name.c"; done
for source in tests/test_*.c; do
    case " $sources " in *" $source "*) ;; *) sources="$sources $source" ;; esac
done
for source in $sources; do
    test -f "$source" || continue
    name=$(basename "$source" .c)
    applies "$name" || continue
    # ThreadSanitizer has nothing to say about a test with one thread.
    test "${SANITIZE:-}" != thread || needs "$name" threads || continue
    more_needs=$(part_of "$name")
    linked=
    if test -n "$more_needs"; then
        more_needs=$dir/$more_needs
    else
        ! needs "$name" hooks || linked=$hooked
        ! needs "$name" library || linked=$object
        # The test's own part: what is measured and shipped is in the object.
        own=
        test -z "$linked" || own=${TESTS_CFLAGS:-}
        more_define=
        more_libs=
        generated=
        ! needs "$name" dlopen || more_libs=$dl_libs
        if needs "$name" fake_libcuda && test -n "$fake_libcuda"; then
            more_define="-DFAKE_LIBCUDA='\"$dir/fake_libcuda\"'"
            more_needs=$fake_libcuda
        fi
        # Its functions in the runtime's place call that library.
        ! needs "$name" cuda_runtime || test -z "$fake_libcuda" || more_define="$more_define $runtime_define"
        if needs "$name" layout_rows; then
            generated="examples/cmake/layout.c examples/cmake/layout_rows.h $dir/layout_rows.h"
            more_define="-DLAYOUT_ROWS_ANEW='\"$dir/layout_rows.h\"'"
        fi
        compile "$dir/$name" "$source" "$linked $generated" "$common $own $tests_define $more_define" \
            "$linked $libs $tests_libs $more_libs"
        programs="$programs $dir/$name"
    fi
    # The rules are written all the same, so that make reads them; what is not logged is not built by `make test`.
    asked "$name" || continue
    logged "$name" "$dir/$name $linked $more_needs $(reads "$name")" "env TEST_EFFORT=${FULL:+full} $dir/$name ${ONLY:-}"
    # Every test of the loader once more, on one thread that runs ready tasks in an order drawn from a seed; not
    # beside itself, because its files have the same names.
    test "${FULL:+full}.$CONFIG" != full.default || ! needs "$name" orders ||
        logged "${name}_ordered" "$dir/$name $dir/$name.log" \
            "env TEST_EFFORT=full TEST_EXECUTOR=1 $dir/$name ${ONLY:-}"
done

# The tests for a GPU, over the library without one.
if test -n "$fake_libcuda"; then
    linked="$object $cuda_object"
    compile "$dir/gpu_real" tests/gpu_real.c "$linked" "$common ${TESTS_CFLAGS:-}" "$linked $libs $dl_libs"
    programs="$programs $dir/gpu_real"
    case ${ONLY:-gpu_} in
        gpu_*)
            ! asked gpu_real || logged gpu_real "$dir/gpu_real $linked $fake_libcuda tests/gpu_each.sh" \
                "env LD_LIBRARY_PATH=$dir/fake_libcuda/driver TEST_TIMEOUT=${TEST_TIMEOUT:-300} sh tests/gpu_each.sh $dir/gpu_real ${ONLY:-}" ;;
    esac
fi

# Examples are one file and one line each; here they are linked with the objects, see `make alone`. What is not built
# `make examples` names, and says why.
examples=
not_built=
for source in examples/*.c examples/*.cc examples/tools/*.c examples/*.cu examples/*.py; do
    test -f "$source" && example_applies "$source" || continue
    name=$(basename "${source%.*}")
    linked=$object
    compiler=$CC
    without=
    case $source in
        */cuda_*.c) linked="$object $cuda_object" ;;
        */mpi_*) compiler=$mpicc without=$without_mpi ;;
        *.cc) compiler=$CXX; test -n "$examples_cc" || without="$CXX is no C++ compiler whose programs can have parts by $CC" ;;
        *.cu) without='nvcc builds it, as its first lines say' ;;
        *.py) without='Python runs it as it is' ;;
    esac
    if test -n "$without"; then
        not_built="$not_built	@echo \"not built: $source ($without)\"
"
        case $source in */mpi_* | *.cc) rm -f "$examples_dir/$name" ;; esac # nobody shall take an older one for it
        continue
    fi
    compile "$examples_dir/$name" "$source" "$linked" \
        "$common -DBIOSTREAM_IMPLEMENTED -DBIOSTREAM_CUDA_IMPLEMENTED -I." "$linked $libs -lm $dl_libs" "$compiler"
    examples="$examples $examples_dir/$name"
done

# The layer in C++, by the compiler as it comes.
if test -n "$examples_cc" && test -z "${ONLY:-}${WITHOUT:-}" && asked cpp; then
    compile "$dir/test_cpp" tests/test_cpp.cc "$object" "$common ${TESTS_CFLAGS:-} -I." "$object $libs $dl_libs"
    logged cpp "$dir/test_cpp $examples_dir/fxbatch tests/cpp.sh $data" \
        "sh tests/cpp.sh run $dir/test_cpp $examples_dir $dir/cpp"
fi

# Benchmarks: against whatever peers are there; the programs say what is missing.
benches=
if test -f bench/run.sh && test -z "${WITHOUT:-}"; then
    bench_define=$tests_define
    bench_libs=$tests_libs
    if probe isal -lisal '#include <isa-l.h>
int main(void) { struct inflate_state s; isal_inflate_init(&s); return 0; }'; then
        bench_define="$bench_define -DHAVE_ISAL"
        bench_libs="$bench_libs -lisal"
    fi
    # klib's kseq.h, which no package has: KLIB_KSEQ=/path/to/kseq.h. Of htslib bench_bgzf alone uses the library.
    hts_define=
    hts_libs=
    if probe hts -lhts '#include <htslib/bgzf.h>
int main(void) { return bgzf_open("", "r") != 0; }'; then
        hts_define=-DHAVE_HTSLIB
        hts_libs=-lhts
    fi
    if test -n "${KLIB_KSEQ:-}" && probe klib "" "#include \"$KLIB_KSEQ\"
int main(void) { return 0; }"; then
        bench_define="$bench_define -DKLIB_KSEQ='\"$KLIB_KSEQ\"'"
    fi
    mkdir -p build/bench
    test "$(cat build/bench/flags.txt 2> /dev/null)" = "$bench_define" || echo "$bench_define" > build/bench/flags.txt
    for source in bench/*.c; do
        test -f "$source" || continue
        case $source in */bench_gpu.c) continue ;; esac # see tests/gpu_build.sh
        name=$(basename "$source" .c)
        more_define=
        more_libs=
        if test "$name" = bench_bgzf; then
            more_define=$hts_define
            more_libs=$hts_libs
        fi
        compile "build/bench/$name" "$source" "$newest build/bench/flags.txt" "$common $bench_define $more_define -I." \
            "$libs $bench_libs $more_libs -lm $dl_libs"
        benches="$benches build/bench/$name"
    done
    {
        printf '.PHONY: bench bench-scaling bench-peers\nbench: %s\n\tsh bench/run.sh build/bench\n' "$benches"
        printf 'bench-scaling: build/bench/bench_scaling\n\tsh bench/run.sh build/bench scaling\n'
        # Whole programs, as the examples' own comments compile them.
        printf 'bench-peers: %s\n\t%s\n' "$examples_dir/fxbatch $examples_dir/fxunzip" \
            "env CC='$CC' sh bench/peers.sh build/peers"
    } >> "$rules"
fi

# Tests of whole programs: shell scripts that are told where the examples lie.
for source in tests/test_*.sh; do
    test -f "$source" && test -z "${WITHOUT:-}" || continue
    name=$(basename "$source" .sh)
    test -z "${ONLY:-}" || continue
    asked "$name" || continue
    ! needs "$name" full || test -n "${FULL:-}" || continue
    case $CONFIG in
        default) ;;
        clang) ! needs "$name" once || continue ;;
        *) ! needs "$name" once && ! needs "$name" compilers || continue ;;
    esac
    more_needs=
    test "$name" != test_gpu_scripts || more_needs="$newest $(echo tests/gpu_* tests/fake_* bench/*gpu*)"
    test "$name" != test_checks || more_needs=$(echo tests/*.sh tests/*.awk tests/limit.c tests/patience.h)
    logged "$name" "$source tests/shell.sh $examples $data tests/version.sh Makefile $more_needs" "env CC='$CC' TEST_EFFORT=${FULL:+full} sh $source $examples_dir"
done
# Structs made of biost_layout's text by another language, over a library that it loads; a sanitizer's it cannot.
if test -z "$sanitize${ONLY:-}${WITHOUT:-}" && asked layout_ctypes; then
    if probe library "-shared -fPIC" 'int loaded(void);
int loaded(void) { return 1; }' && python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1]).loaded()' "./$dir/probe" 2> /dev/null; then
        compile "$dir/libbiostream.so" examples/cmake/layout.c "$newest examples/cmake/layout_rows.h" \
            "$common -O0 -shared -fPIC -DBIOSTREAM_IMPLEMENTATION" "$libs"
        logged layout_ctypes "$dir/libbiostream.so tests/layout_ctypes.py $data" \
            "python3 tests/layout_ctypes.py ./$dir/libbiostream.so"
    else
        skip "python3 with ctypes, for what the compiler builds"
    fi
fi
if test -n "$fake_libcuda" && test -z "${ONLY:-}" && asked gpu_examples; then
    logged gpu_examples "$examples $fake_libcuda $data tests/gpu_examples.sh" \
        "sh tests/gpu_examples.sh $examples_dir $dir/fake_libcuda/driver"
fi
if test -z "${ONLY:-}${PROGRAMS:-}${WITHOUT:-}"; then
    logged examples "$examples $(echo examples/*.*) $data tests/examples.sh tests/mpi_here.sh" "sh tests/examples.sh $examples_dir"
fi

# The headers by themselves: quick compile checks and the lint, which also has a part that takes longer.
if test -z "$sanitize" && test -z "${ONLY:-}${PROGRAMS:-}${WITHOUT:-}"; then
    if test -n "${MATRIX:-}"; then
        echo "compile checks of single files: left to make matrix"
    else
        compile_log compile_c c "$CC" c99 -O0 "$define" "$libs" quick "$CC"
        ! have "$CXX" || compile_log compile_cxx c++ "$CXX" c++11 -O0 "$define" "$libs" quick "$CC"
    fi
    have "$CXX" || skip "C++ compiler"
    test "$CONFIG" != default || logged tests_readme "$newest $(echo tests/*.sh tests/*.c tests/*.py tests/README.md)" \
        "sh tests/list.sh check"
    if have awk && have nm; then
        lint_needs="$newest $dir/flags.txt $(echo tests/lint*) tests/limits.awk tests/version.sh README.md bench/README.md $(echo examples/*.md)"
        logged lint "$lint_needs" "env CC='$CC' sh tests/lint.sh --quick biostream.h $dir/lint.tmp.d"
        logged lint_cuda "$lint_needs" "env CC='$CC' sh tests/lint.sh --quick biostream_cuda.h $dir/lint_cuda.tmp.d cuda"
    else
        skip "lint (needs awk and nm)"
    fi
fi

{
    printf 'programs: %s\nexamples: %s\n%slogs: %s\n' "$programs" "$examples" "$not_built" "$logs"
    if test -f examples/run.sh && test -z "${WITHOUT:-}"; then
        printf 'run:'
        for name in fxbatch fxtrain batches resume own_jobs cuda_stream; do
            printf ' %s/%s' "$examples_dir" $name
        done
        printf '\n\tsh examples/run.sh %s\n' "$examples_dir"
    fi
} >> "$rules"
finish
