#!/bin/sh
# install.sh DIR - each way in which a host builds with biostream, from an empty folder: a copy of the headers,
# add_subdirectory, FetchContent, and after `make install` (also moved elsewhere) find_package and pkg-config; shared and
# static, in C and C++. The host counts the records of a file, as gzip and awk do. Then that `make uninstall` takes away
# what `make install` wrote and nothing else, and that the manual pages say all that --help says.
# Ends with `N passed, N failed`, and what is missing here is named as skipped.
set -u
top=$PWD
mkdir -p "$1"
work=$(cd "$1" && pwd) || exit 1
rm -rf "${work:?}"/*
CC=${CC:-cc}
CXX=${CXX:-c++}
MAKE=${MAKE:-make}
reads=$top/examples/data/illumina_hiseqx_150bp.fastq.gz
version=$(sh tests/version.sh)
case $version in 0.*) abi=${version%.*} ;; *) abi=${version%%.*} ;; esac
passed=0
failed=0
skipped=0
log=$work/log

have() { command -v "${1%% *}" > /dev/null 2>&1; }
skip() { echo "skipped: $1"; skipped=$((skipped + 1)); }
pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    echo "FAILED $1"
    test ! -f "$log" || tail -n 40 "$log" | sed 's/^/    /'
}
# check WHAT COMMAND...: one result.
check() {
    what=$1
    shift
    if "$@" > "$log" 2>&1; then pass; else fail "$what"; fi
}
# prints TEXT COMMAND...: it ends well and prints that.
prints() {
    text=$1
    shift
    got=$("$@") || return 1
    echo "$got"
    test "$got" = "$text"
}
# not COMMAND...
not() { ! "$@"; }
# refuses WORDS COMMAND...: it ends badly, with these words.
refuses() {
    words=$1
    shift
    if "$@" > "$work/said" 2>&1; then return 1; fi
    cat "$work/said"
    grep -q "$words" "$work/said"
}

# What a caller's environment says is not to reach the hosts' builds, which CMake would compile by these flags too: slowly.
library_flags=${CFLAGS--O2}
unset CFLAGS CXXFLAGS LDFLAGS DESTDIR PREFIX BINDIR LIBDIR INCLUDEDIR MANDIR DOCDIR CMAKE_PREFIX_PATH \
    PKG_CONFIG_PATH PKG_CONFIG_LIBDIR LD_LIBRARY_PATH BUILD_SHARED_LIBS ONLY PROGRAMS WITHOUT SANITIZE MAKEFLAGS \
    MAKELEVEL 2> /dev/null
make_here() { "$MAKE" -j2 "$@" CC="$CC" CFLAGS="$library_flags"; }

records=$(gzip -dc "$reads" | awk 'END { print NR / 4 }')
# counts PROGRAM: as the host does.
counts() { prints "$records" "$@" "$reads"; }
# shared and static PROGRAM: whether it asks for the library by its name.
shared() { grep -q "libbiostream\.so\.$abi" "$1"; }
static() { test -f "$1" && ! grep -q "libbiostream\.so" "$1"; }

cplusplus=yes
have "$CXX" || { cplusplus= && skip "C++ compiler"; }

# empty NAME: a new folder with the host's sources, and into it.
empty() {
    rm -rf "${work:?}/$1"
    mkdir -p "$work/$1"
    cp "$top/tests/install_host.c" "$work/$1/host.c"
    cp "$top/tests/install_host.c" "$work/$1/host.cc"
    cd "$work/$1" || exit 1
}

# -- a copy -------------------------------------------------------------------------------------------

dl=
printf '#include <dlfcn.h>\nint main(void) { return dlopen("", RTLD_NOW) != 0; }\n' > "$work/dl.c"
$CC "$work/dl.c" -o "$work/dl" 2> /dev/null || dl=-ldl

empty copy
cp "$top/biostream.h" "$top/biostream_cuda.h" .
# shellcheck disable=SC2086
check "a copy builds in C" $CC -DHOST_IMPLEMENTS -I. host.c -o host_c -pthread $dl
check "a copy counts in C" counts ./host_c
if test -n "$cplusplus"; then
    # shellcheck disable=SC2086
    check "a copy builds in C++" $CXX -DHOST_IMPLEMENTS -I. host.cc -o host_cc -pthread $dl
    check "a copy counts in C++" counts ./host_cc
fi

# -- CMake --------------------------------------------------------------------------------------------

cmake=
if have cmake; then cmake=yes; else skip "CMake: add_subdirectory, FetchContent, find_package"; fi
languages=C
test -z "$cplusplus" || languages="C CXX"

# host LINE...: the CMakeLists.txt of a host that finds biostream by these lines, with a program for each target.
host() {
    {
        echo 'cmake_minimum_required(VERSION 3.14)'
        echo "project(host LANGUAGES $languages)"
        printf '%s\n' "$@"
        echo 'add_executable(header_c host.c)'
        echo 'target_compile_definitions(header_c PRIVATE HOST_IMPLEMENTS)'
        echo 'target_link_libraries(header_c PRIVATE biostream::header)'
        echo 'add_executable(library_c host.c)'
        echo 'target_link_libraries(library_c PRIVATE biostream::biostream)'
        test -z "$cplusplus" || {
            echo 'add_executable(library_cc host.cc)'
            echo 'target_link_libraries(library_cc PRIVATE biostream::biostream)'
        }
    } > CMakeLists.txt
}
# configure NAME FLAG...; by the compilers that this script was told.
configure() {
    name=$1
    shift
    set -- "-DCMAKE_C_COMPILER=${CC%% *}" "$@"
    test -z "$cplusplus" || set -- "-DCMAKE_CXX_COMPILER=${CXX%% *}" "$@"
    check "$name: configures" cmake -S . -B build "$@"
}
# host_works NAME KIND: build it, run its programs; KIND is shared or static.
host_works() {
    check "$1: builds" cmake --build build -j2
    check "$1: biostream::header counts" counts build/header_c
    check "$1: biostream::biostream counts" counts build/library_c
    check "$1: biostream::biostream is $2" "$2" build/library_c
    test -z "$cplusplus" || check "$1: biostream::biostream counts in C++" counts build/library_cc
}

if test -n "$cmake"; then
    empty subdirectory
    host "add_subdirectory($top/examples/cmake biostream)"
    # A host that hides what it does not mark still finds all of the library.
    configure "add_subdirectory, shared" -DBUILD_SHARED_LIBS=ON -DCMAKE_C_VISIBILITY_PRESET=hidden
    host_works "add_subdirectory, shared" shared

    # A package as a server would send it, with no network.
    empty fetch
    (cd "$top" && tar cf "$work/fetch/biostream.tar" biostream.h biostream_cuda.h LICENSE examples/cmake)
    # Before 3.18 FetchContent takes no SOURCE_SUBDIR.
    host 'include(FetchContent)' \
        "FetchContent_Declare(biostream URL $work/fetch/biostream.tar SOURCE_SUBDIR examples/cmake)" \
        'if(CMAKE_VERSION VERSION_LESS 3.18)' \
        '  FetchContent_Populate(biostream)' \
        '  add_subdirectory("${biostream_SOURCE_DIR}/examples/cmake" "${biostream_BINARY_DIR}")' \
        'else()' \
        '  FetchContent_MakeAvailable(biostream)' \
        'endif()'
    configure "FetchContent, static"
    host_works "FetchContent, static" static

    # CMake's own install.
    rm -rf "$work/by_cmake"
    cd "$top" || exit 1
    check "install by CMake: configures" cmake -S examples/cmake -B "$work/by_cmake/build" \
        "-DCMAKE_C_COMPILER=${CC%% *}" -DCMAKE_BUILD_TYPE=Debug
    check "install by CMake: builds" cmake --build "$work/by_cmake/build" -j2
    check "install by CMake: installs" cmake "-DCMAKE_INSTALL_PREFIX=$work/by_cmake/tree" \
        -P "$work/by_cmake/build/cmake_install.cmake"
    mv "$work/by_cmake/tree" "$work/by_cmake/moved"
    empty by_cmake/host
    host "find_package(biostream $version EXACT REQUIRED)"
    configure "install by CMake, moved, static" "-DCMAKE_PREFIX_PATH=$work/by_cmake/moved"
    host_works "install by CMake, moved, static" static
fi

# -- make install -------------------------------------------------------------------------------------

# The tree has files of others, and a folder that is empty before.
tree=$work/tree
rm -rf "$tree"
mkdir -p "$tree/bin" "$tree/share/man/man1" "$tree/lib" "$tree/include"
echo other > "$tree/bin/other"
echo other > "$tree/share/man/man1/other.1"
listing() { (cd "$1" && find . | LC_ALL=C sort); }
listing "$tree" > "$work/before.txt"
cd "$top" || exit 1
check "make install" make_here install PREFIX="$tree"
check "make install again" make_here install PREFIX="$tree"

# What must be there, written by hand.
for name in include/biostream.h include/biostream_cuda.h lib/libbiostream.a lib/libbiostream.so \
    "lib/libbiostream.so.$abi" "lib/libbiostream.so.$version" lib/pkgconfig/biostream.pc \
    lib/cmake/biostream/biostreamConfig.cmake lib/cmake/biostream/biostreamConfigVersion.cmake \
    lib/cmake/biostream/biostreamTargets.cmake share/doc/biostream/LICENSE; do
    check "$name is installed" test -s "$tree/$name"
done
check "the header is the header" cmp biostream.h "$tree/include/biostream.h"
for tool in fxunzip fxindex fxbatch fxtrain fxcat fxcount fxstore; do
    check "$tool says its version" prints "$tool $version" "$tree/bin/$tool" --version
    check "$tool has a manual page" test -s "$tree/share/man/man1/$tool.1"
done
check "fxcount counts" prints "$records" sh -c '"$1" "$2" | awk "NR == 2 { print \$2 }"' - "$tree/bin/fxcount" "$reads"
check "no file for CMake names the prefix" not grep -r "$tree" "$tree/lib/cmake"
check "no file is left half written" prints "" find "$tree" -name '*.new*'

if have nm; then
    check "the library exports what is public" sh -c 'nm -D --defined-only "$1" | grep -q " T biost_reader_open$"' - \
        "$tree/lib/libbiostream.so"
    check "the library exports nothing else" prints "" sh -c 'nm -D --defined-only "$1" | grep -v " biost_" || :' - \
        "$tree/lib/libbiostream.so"
else
    skip "nm, for what the library exports"
fi
if have readelf; then
    check "the library has its name" prints "libbiostream.so.$abi" \
        sh -c 'readelf -d "$1" | sed -n "s/.*(SONAME).*\[\(.*\)\].*/\1/p"' - "$tree/lib/libbiostream.so"
else
    skip "readelf, for the library's name"
fi

# -- manual pages -------------------------------------------------------------------------------------

# says_all PAGE TEXT: each flag of --help stands at the beginning of a line of the page as it is read.
says_all() {
    sed -n 's/^  \(-[a-z], \)*\(--[a-z0-9_.-]*\).*/\2/p' "$2" > "$work/flags.txt"
    test -s "$work/flags.txt" || return 1
    while IFS= read -r flag; do
        grep -q -e "^ *\(-[a-z], \)\{0,1\}$flag\( .*\)\{0,1\}\$" "$1" || { echo "no $flag"; return 1; }
    done < "$work/flags.txt"
}
if have mandoc; then
    for page in "$tree"/share/man/man1/fx*.1; do
        check "mandoc finds no error in $page" mandoc -T lint -W error "$page"
    done
else
    skip "mandoc, for errors in manual pages"
fi
if have groff; then
    for page in "$tree"/share/man/man1/fx*.1; do
        check "groff has nothing to say of $page" \
            prints "" sh -c 'groff -man -ww -z -Tascii "$1" 2>&1' - "$page"
        name=$(basename "$page" .1)
        "$tree/bin/$name" --help > "$work/help.txt"
        GROFF_NO_SGR=1 groff -man -Tascii -P-c -P-b -P-u -rLL=200n "$page" > "$work/page.txt"
        check "the page of $name says all that --help says" says_all "$work/page.txt" "$work/help.txt"
    done
else
    skip "groff, for how manual pages look"
fi
if have man && man -l "$tree/share/man/man1/fxcat.1" > "$work/man.txt" 2> /dev/null; then
    check "man shows a page" grep -q 'fxcat - write the records' "$work/man.txt"
else
    skip "man -l"
fi

# -- find_package -------------------------------------------------------------------------------------

# find_package WHERE TREE: from a tree, shared and static.
find_package() {
    for kind in shared static; do
        test $kind = shared && on=ON || on=OFF
        empty "find_$kind"
        host "find_package(biostream $version REQUIRED)"
        configure "find_package, $1, $kind" "-DCMAKE_PREFIX_PATH=$2" -DBUILD_SHARED_LIBS=$on
        host_works "find_package, $1, $kind" $kind
        # The compiler is told of headers in the tree and of none elsewhere.
        check "find_package, $1, $kind: only that tree is used" not grep -r -F "$top/biostream" build/CMakeFiles
    done
}
if test -n "$cmake"; then
    find_package installed "$tree"
    # Which versions are taken; what the next ones are, reckoned here.
    major=${version%%.*}
    minor=${version#*.}
    minor=${minor%.*}
    patch=${version##*.}
    test "$major" = 0 && same_major=NO || same_major=YES
    empty versions
    {
        printf '%s\n' 'cmake_minimum_required(VERSION 3.14)' 'project(versions LANGUAGES C)'
        printf 'function(ask want)\n  unset(biostream_FOUND)\n  find_package(biostream ${ARGN} QUIET)\n'
        printf '  if(biostream_FOUND)\n    set(got YES)\n  else()\n    set(got NO)\n  endif()\n'
        printf '  if(NOT got STREQUAL want)\n    message(SEND_ERROR "${ARGN}: ${got}")\n  endif()\nendfunction()\n'
        echo "ask(YES)"
        echo "ask(YES $major.$minor)"
        echo "ask(YES $version)"
        echo "ask(YES $version EXACT)"
        echo "ask(NO $major.$minor.$((patch + 1)))"
        echo "ask(NO $major.$((minor + 1)))"
        echo "ask(NO $((major + 1)).0)"
        test "$minor" = 0 || echo "ask($same_major $major.$((minor - 1)))"
        echo 'if(NOT CMAKE_VERSION VERSION_LESS 3.19)'
        echo "  ask(YES 0.0...<$major.$((minor + 1)))"
        echo "  ask(YES 0.0...$version)"
        echo "  ask(NO 0.0...<$version)"
        echo 'endif()'
        echo 'ask(NO COMPONENTS train)'
    } > CMakeLists.txt
    configure "find_package takes the versions that it should" "-DCMAKE_PREFIX_PATH=$tree"
fi

# -- pkg-config ---------------------------------------------------------------------------------------

pkg_config=
for program in pkg-config pkgconf; do
    test -n "$pkg_config" || ! have $program || pkg_config=$program
done
static_links=
printf 'int main(void) { return 0; }\n' > "$work/static.c"
$CC -static "$work/static.c" -o "$work/static" -pthread 2> /dev/null && static_links=yes

# by_pkg_config WHERE TREE FLAG...: hosts built by what it says of a tree.
by_pkg_config() {
    where=$1
    at=$2
    shift 2
    empty pkg_config
    PKG_CONFIG_PATH=$at/lib/pkgconfig
    export PKG_CONFIG_PATH
    check "pkg-config, $where: version" prints "$version" $pkg_config --modversion biostream
    flags=$($pkg_config "$@" --cflags --libs biostream)
    check "pkg-config, $where: says the tree" test -z "${flags##*"-I$at/include"*}"
    # shellcheck disable=SC2086
    check "pkg-config, $where, shared: builds" $CC host.c $flags -o host_c
    check "pkg-config, $where, shared: counts" counts env LD_LIBRARY_PATH="$at/lib" ./host_c
    check "pkg-config, $where, shared: is shared" shared ./host_c
    if test -n "$cplusplus"; then
        # shellcheck disable=SC2086
        check "pkg-config, $where, shared: builds in C++" $CXX host.cc $flags -o host_cc
        check "pkg-config, $where, shared: counts in C++" counts env LD_LIBRARY_PATH="$at/lib" ./host_cc
    fi
    if test -n "$static_links"; then
        flags=$($pkg_config "$@" --static --cflags --libs biostream)
        # shellcheck disable=SC2086
        check "pkg-config, $where, static: builds" $CC -static host.c $flags -o host_static
        check "pkg-config, $where, static: counts" counts ./host_static
        check "pkg-config, $where, static: is static" static ./host_static
    fi
    unset PKG_CONFIG_PATH
}
if test -n "$pkg_config"; then
    test -n "$static_links" || skip "a static libc, for pkg-config --static"
    by_pkg_config installed "$tree"
else
    skip "pkg-config"
fi

# -- the tree elsewhere -------------------------------------------------------------------------------

# A folder's name may have a blank for CMake; pkg-config's flags go through a shell, which would cut there.
moved=$work/moved
rm -rf "$moved" "$work/moved again"
mv "$tree" "$moved"
test -z "$pkg_config" || by_pkg_config moved "$moved" --define-prefix
mv "$moved" "$work/moved again"
test -z "$cmake" || find_package moved "$work/moved again"
cd "$top" || exit 1
mv "$work/moved again" "$tree"

# -- uninstall ----------------------------------------------------------------------------------------

# What somebody else has put into a folder that was made stays, and the folder with it.
echo other > "$tree/lib/pkgconfig/other.pc"
{ cat "$work/before.txt" && printf './lib/pkgconfig\n./lib/pkgconfig/other.pc\n'; } | LC_ALL=C sort > "$work/expected.txt"
check "make uninstall" make_here uninstall PREFIX="$tree"
listing "$tree" > "$work/after.txt"
check "make uninstall leaves what was there, and nothing else" diff "$work/expected.txt" "$work/after.txt"
check "make uninstall where nothing is says so" \
    refuses "there is no $tree/share/doc/biostream/files.txt" make_here uninstall PREFIX="$tree"

# Under DESTDIR, with nothing but a compiler, make and what every system has; in folders of other names.
bin=$work/bin
rm -rf "$bin"
mkdir -p "$bin"
for name in sh make cc as ld ar awk basename cat chmod cmp cp cut date dirname env expr find getconf grep head ln ls mkdir \
    mv printf rm rmdir sed sort tail test touch tr uname wc "${CC%% *}"; do
    path=$(command -v "$name") && case $path in /*) ln -sf "$path" "$bin/${name##*/}" ;; esac
done
check "a compiler and make are enough" env -i PATH="$bin" make -j2 install CC="$CC" CFLAGS="$library_flags" \
    DESTDIR="$work/stage" PREFIX=/opt/bio LIBDIR=/opt/bio/lib/any-host MANDIR=/opt/man
for name in opt/bio/bin/fxcat opt/bio/lib/any-host/libbiostream.a opt/man/man1/fxcat.1; do
    check "$name is there" test -s "$work/stage/$name"
done
check "pkg-config's file knows of no DESTDIR" not grep "$work" "$work/stage/opt/bio/lib/any-host/pkgconfig/biostream.pc"
check "and says where libraries are" grep -q '^libdir=${prefix}/lib/any-host$' \
    "$work/stage/opt/bio/lib/any-host/pkgconfig/biostream.pc"
if test -n "$cmake"; then
    empty stage_host
    host 'find_package(biostream REQUIRED)'
    configure "find_package, in DESTDIR" "-Dbiostream_DIR=$work/stage/opt/bio/lib/any-host/cmake/biostream"
    check "find_package, in DESTDIR: builds" cmake --build build -j2 --target library_c
    check "find_package, in DESTDIR: counts" counts build/library_c
    cd "$top" || exit 1
fi
check "make uninstall in DESTDIR" make_here uninstall DESTDIR="$work/stage" PREFIX=/opt/bio
check "make uninstall leaves nothing of a tree that was made" not test -e "$work/stage"
check "a prefix that is not absolute is refused" \
    refuses 'PREFIX must be an absolute path, not tree' make_here install PREFIX=tree

if test $skipped = 0; then
    echo "$passed passed, $failed failed"
else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
test $failed = 0
