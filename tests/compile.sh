#!/bin/sh
# compile.sh LANGUAGE COMPILER STANDARD OPTIMIZATION DEFINES LIBS DIR SET CC - compile the files of tests/compile
# one way, warnings as errors. LANGUAGE is c or c++; CC is a C compiler whose objects those of a C++ COMPILER may be
# linked with. Ends with `N passed, N failed`. SET says what is compiled:
#
#   code      the units that emit code, which are linked and run
#   warnings  these, and all other files for their warnings alone (-fsyntax-only)
#   quick     as `warnings`, and what the objects of `code` export; the manuals' programs, linked with these objects
#   all       every file into an object, what each exports, C and C++ linked with each other, the manuals' programs
# rooms: config cuda_config
set -u
language=$1 compiler=$2 standard=$3 optimization=$4 defines=$5 libs=$6 dir=$7 set=$8 cc=$9
mkdir -p "$dir"
warnings="-Wall -Wextra -Wconversion -Wshadow -Wundef -pedantic -Werror"
flags="-std=$standard $optimization $warnings $defines"
passed=0
failed=0

# check NAME COMMAND...: one result; what a failing command printed is shown.
check() {
    name=$1
    shift
    if "$@" > "$dir/output.txt" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $name: $*"
        sed -e 's/^/    /' -e 40q "$dir/output.txt"
    fi
}

# build NAME SOURCE ARGUMENTS...: with the flags of this run, as LANGUAGE whatever SOURCE is called.
build() {
    name=$1 source=$2
    shift 2
    # shellcheck disable=SC2086
    check "$name" $compiler $flags -x "$language" "$source" -x none "$@"
}

# exports OBJECT: the names it exports, without those that compilers make up (they have a dot).
exports() { nm -g "$1" | awk 'NF == 3 && $2 ~ /^[A-TV-Z]$/ && $3 !~ /[.]/ { sub(/^_/, "", $3); print $3 }'; }
exports_only() { test "$(exports "$1" | tee /dev/stderr)" = "$2"; }
exports_code() { exports "$1" | grep '^biost_' > /dev/null; }
exports_ours() { exports_code "$1" && ! exports "$1" | grep -v "^$2" >&2; }

# Records of a FASTQ file of the examples, and whether a program that prints a line `N rows ...` a batch has all.
sample=examples/data/illumina_hiseqx_150bp.fastq.gz
prints_all_rows() {
    "$1" "$sample" > "$dir/rows.txt" &&
        awk '$2 == "rows" { n += $1 } END { print n + 0 " rows" }' "$dir/rows.txt" > "$dir/sum.txt" &&
        gzip -dc "$sample" | awk 'END { print NR / 4 " rows" }' | diff - "$dir/sum.txt"
}

case $language in c) suffix=c ;; *) suffix=cc ;; esac
have_nm=no
! command -v nm > /dev/null 2>&1 || have_nm=yes

build two_units_a tests/compile/two_units_a.c -c -o "$dir/two_units_a.o"
# shellcheck disable=SC2086
build two_units_b tests/compile/two_units_b.c "$dir/two_units_a.o" -o "$dir/two_units" $libs -pthread
check two_units_run "$dir/two_units"
# biostream_cuda.h in a second unit, a third one uses both.
build cuda_units_b tests/compile/cuda_units_b.c -c -o "$dir/cuda_units_b.o"
# shellcheck disable=SC2086
build cuda_units_c tests/compile/cuda_units_c.c "$dir/two_units_a.o" "$dir/cuda_units_b.o" -o "$dir/cuda_units" \
    $libs -pthread
check cuda_units_run "$dir/cuda_units"

# Exceptions pass through an implementation in C++.
if test "$language" = c++; then
    # shellcheck disable=SC2086
    build throws tests/compile/throws.cc "$dir/two_units_a.o" -o "$dir/throws" $libs -pthread
    check throws_run "$dir/throws"
fi

# Files that are compiled by themselves.
files='implement alone order static cuda_implement cuda_alone cuda_order cuda_static'

# source NAME: the file of that name in the language of this run, or the one that is for both.
source() {
    if test -f "tests/compile/$1.$suffix"; then echo "tests/compile/$1.$suffix"; else echo "tests/compile/$1.c"; fi
}

# The manuals' programs are C; they must compile as they stand there. Linked with the units above each takes no time.
manual() {
    rm -f "$dir"/manual_*.c
    sh tests/manual.sh biostream.h "$dir" > "$dir/manual.txt"
    check manual_has_programs test -s "$dir/manual.txt"
    check manual_has_snippets grep -q -x snippets "$dir/manual.txt"
    sh tests/manual.sh biostream_cuda.h "$dir" > "$dir/manual_cuda.txt"
    check manual_of_cuda_has_programs test -s "$dir/manual_cuda.txt"
    cat "$dir/manual_cuda.txt" >> "$dir/manual.txt"
    while read -r program; do
        # shellcheck disable=SC2086
        check "manual: $program" $compiler -std=$standard $optimization -Wall -Wextra -Werror $defines -I. "$@" \
            "$dir/manual_$program.c" $linked -o "$dir/manual_$program" $libs -pthread
    done < "$dir/manual.txt"
    # That of biostream_cuda.h prints a line a batch; without a GPU it says so and goes on in host memory.
    while read -r program; do
        check "manual: $program runs" prints_all_rows "$dir/manual_$program"
    done < "$dir/manual_cuda.txt"
}

# one_error STANDARD SOURCE WORDS ARGUMENTS...: the compiler has one error, with these words.
one_error() {
    of=$1 source=$2 words=$3
    shift 3
    # shellcheck disable=SC2086
    if $compiler -std=$of $optimization -Wall -Wextra $defines -x "$language" "$source" -x none -c -o "$dir/bad.o" "$@" \
        > "$dir/errors.txt" 2>&1; then
        echo "$source compiles with $of"
        return 1
    fi
    cat "$dir/errors.txt"
    test "$(grep -c 'error: ' "$dir/errors.txt")" = 1 && grep -q "error: .*$words" "$dir/errors.txt"
}
# What cannot be compiled has one error, not hundreds. The header itself is C89 and C++98 too, for all that use it.
case $set.$language in
    quick.c | all.c)
        for old in c89 gnu89; do
            check "implement as $old" one_error $old tests/compile/cuda_implement.c C99
            check "cuda alone as $old" one_error $old tests/compile/cuda_units_b.c C99
            check "order as $old" $compiler -std=$old -Wall -Wextra -Werror -fsyntax-only tests/compile/cuda_order.c
        done
        # Where nothing is hidden by default there is no such error.
        if test "$(uname -s)" = Linux; then
            check "late" one_error c99 tests/compile/late.c "before any system header"
        fi ;;
    quick.c++ | all.c++)
        check "implement as c++98" one_error c++98 tests/compile/cuda_implement.cc C++11
        check "order as c++98" $compiler -std=c++98 -Wall -Wextra -Werror -fsyntax-only -x c++ tests/compile/cuda_order.c ;;
esac

# Without layers: each switch alone, and all of them, for their warnings; in the one file, and included elsewhere. A loader
# is not declared then, and biostream_cuda.h, which needs one, says so.
layer() {
    build "without $*" tests/compile/implement.c -fsyntax-only "$@"
    build "order without $*" tests/compile/order.c -fsyntax-only "$@"
    case $* in
        *NO_LOADER*)
            printf '#include "biostream.h"\nint rows(biost_loader *loader) { return biost_loader_begin(loader, 0); }\n' \
                > "$dir/no_loader.c"
            check "no loader without $*" cannot_compile "$dir/no_loader.c" "$@" -I.
            check "no cuda without $*" one_error "$standard" tests/compile/cuda_alone.c BIOSTREAM_NO_LOADER "$@" ;;
        *NO_STORES*)
            printf '#include "biostream.h"\nvoid info(biost_store *store, biost_store_info *out) { biost_store_info_of(store, out); }\n' \
                > "$dir/no_stores.c"
            check "no stores without $*" cannot_compile "$dir/no_stores.c" "$@" -I. ;;
    esac
}
cannot_compile() {
    source=$1
    shift
    # shellcheck disable=SC2086
    ! $compiler $flags -x "$language" "$source" -fsyntax-only "$@" && $compiler $flags -x "$language" "$source" -fsyntax-only -I.
}
layer -DBIOSTREAM_NO_LOADER
layer -DBIOSTREAM_NO_STORES
layer -DBIOSTREAM_NO_PARALLEL_GZIP
layer -DBIOSTREAM_NO_SIMD
layer -DBIOSTREAM_NO_STORES=1 -DBIOSTREAM_NO_PARALLEL_GZIP=1 -DBIOSTREAM_NO_SIMD=1
layer -DBIOSTREAM_NO_LOADER=1 -DBIOSTREAM_NO_STORES=1 -DBIOSTREAM_NO_PARALLEL_GZIP=1 -DBIOSTREAM_NO_SIMD=1
build "with layers by 0" tests/compile/cuda_alone.c -fsyntax-only -DBIOSTREAM_NO_LOADER=0 \
    -DBIOSTREAM_NO_STORES=0 -DBIOSTREAM_NO_PARALLEL_GZIP=0 -DBIOSTREAM_NO_SIMD=0

# Nothing is asked of libdeflate unless its switch is on: this one is no header to include.
without="-UBIOSTREAM_LIBDEFLATE -I $dir/without"
mkdir -p "$dir/without"
echo '#error "libdeflate was not asked for"' > "$dir/without/libdeflate.h"
# shellcheck disable=SC2086
case $set in
    quick | all)
        build links_nothing tests/compile/implement.c -fsyntax-only $without
        build links_nothing_by_0 tests/compile/implement.c -fsyntax-only $without -DBIOSTREAM_LIBDEFLATE=0
        build no_libdeflate_means_nothing tests/compile/implement.c -fsyntax-only $without -DBIOSTREAM_NO_LIBDEFLATE ;;
esac

case $set in
    warnings | quick)
        for name in $files; do
            build "$name" "$(source "$name")" -fsyntax-only
        done
        if test $have_nm = yes && test "$set" = quick; then
            check two_units_a_exports exports_code "$dir/two_units_a.o"
            check cuda_units_b_exports exports_ours "$dir/cuda_units_b.o" biost_cuda_
        fi
        linked="$dir/two_units_a.o $dir/cuda_units_b.o"
        if test "$set.$language" = quick.c; then
            manual -DBIOSTREAM_IMPLEMENTED -DBIOSTREAM_CUDA_IMPLEMENTED
        fi ;;
    all)
        for name in $files; do
            build "$name" "$(source "$name")" -c -o "$dir/$name.o"
        done
        if test $have_nm = yes; then
            check implement_exports exports_code "$dir/implement.o"
            check alone_exports_nothing exports_only "$dir/alone.o" ""
            check static_exports_main_only exports_only "$dir/static.o" main
            check cuda_implement_exports exports_ours "$dir/cuda_implement.o" biost_
            check cuda_units_b_exports exports_ours "$dir/cuda_units_b.o" biost_cuda_
            check cuda_alone_exports_nothing exports_only "$dir/cuda_alone.o" ""
            check cuda_static_exports_main_only exports_only "$dir/cuda_static.o" main
        fi
        # The implementation in another language than its user.
        if test "$language" = c++; then
            # shellcheck disable=SC2086
            check c_implementation $cc -std=c99 $defines -c tests/compile/two_units_a.c -o "$dir/c.o"
            # shellcheck disable=SC2086
            build c_implementation_cxx_user tests/compile/two_units_b.c "$dir/c.o" -o "$dir/mixed" $libs -pthread
            check mixed_run "$dir/mixed"
            # Exceptions pass through C that is compiled for that, as it is on some processors in any case.
            # shellcheck disable=SC2086
            check c_for_exceptions $cc -std=c99 -fexceptions $defines -c tests/compile/two_units_a.c -o "$dir/c_throws.o"
            # shellcheck disable=SC2086
            build throws_through_c tests/compile/throws.cc "$dir/c_throws.o" -o "$dir/throws_c" $libs -pthread
            check throws_through_c_run "$dir/throws_c"
        fi
        linked=
        test "$language" != c || manual ;;
esac

echo "$passed passed, $failed failed"
test $failed = 0
