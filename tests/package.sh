#!/bin/sh
# package.sh install|uninstall - put what `make lib` has built, and what other build systems need to find it, into the
# folders that the environment names: DESTDIR, PREFIX, BINDIR, LIBDIR, INCLUDEDIR, MANDIR, DOCDIR; see the Makefile.
#
# Which files and folders that were is written down in DOCDIR/files.txt, so that uninstall takes away these and no
# others, also those of an older version that was installed in the same place. A path below PREFIX stands there
# relative to it, so the list stays true when the tree is moved.
set -eu
umask 022
newline='
'

fail() { echo "make $task: $*" >&2; exit 1; }

# place NAME PATH: PATH without double and trailing slashes; it must be absolute, because files that name it do.
place() {
    case $2 in *"$newline"*) fail "$1 has a line end in it" ;; esac
    path=$(printf '%s\n' "$2" | sed -e 's|//*|/|g' -e 's|/$||')
    case $path in
        '' | /*) ;;
        *) fail "$1 must be an absolute path, not $2" ;;
    esac
}
task=$1
place PREFIX "${PREFIX-/usr/local}"; prefix=$path
place BINDIR "${BINDIR:-$prefix/bin}"; bin=$path
place LIBDIR "${LIBDIR:-$prefix/lib}"; lib=$path
place INCLUDEDIR "${INCLUDEDIR:-$prefix/include}"; include=$path
place MANDIR "${MANDIR:-$prefix/share/man}"; man=$path
place DOCDIR "${DOCDIR:-$prefix/share/doc/biostream}"; doc=$path
root=${DESTDIR:-}
list=$root$doc/files.txt

# below FOLDER PATH: whether PATH lies in it.
below() { case $2/ in "$1"/*) return 0 ;; *) return 1 ;; esac; }
# short PATH: relative to PREFIX, if it lies there.
short() {
    if below "$prefix" "$1"; then
        short=${1#"$prefix"}
        short=${short#/}
    else
        short=$1
    fi
}
# whole SHORT: the other way, with DESTDIR.
whole() { case $1 in /*) whole=$root$1 ;; *) whole=$root$prefix/$1 ;; esac; }

# -- uninstall ----------------------------------------------------------------------------------------

if test "$task" = uninstall; then
    test -f "$list" || fail "there is no $list, in which make install says what it wrote"
    names=$(cat "$list")
    printf '%s\n' "$names" | sed -n 's/^file //p' | while IFS= read -r name; do
        whole "$name"
        rm -f "$whole"
    done
    rm -f "$list"
    # The deepest first. One that has something else in it stays.
    printf '%s\n' "$names" | sed -n 's/^folder //p' | while IFS= read -r name; do
        whole "$name"
        printf '%s\n' "$whole"
    done | sed 's|/$||' | LC_ALL=C sort -r | while IFS= read -r name; do
        rmdir "$name" 2> /dev/null || true
    done
    exit 0
fi

# -- install ------------------------------------------------------------------------------------------

build=build/lib
# What was built, and how it is called on the system it is for.
version='' abi='' system='' full='' import='' links='' tools='' pages='' dl_libs='' bits=''
# shellcheck source=/dev/null
. "./$build/names.sh"
temporary=
trap 'test -z "$temporary" || rm -f "$temporary"' EXIT

# note LINE: into the list, or to be kept until there is its folder.
kept=
note() {
    if test -f "$list"; then printf '%s\n' "$1" >> "$list"; else kept=$kept$1$newline; fi
}
# folder PATH: make it, and those above it.
folder() {
    test ! -d "$root${1:-/}" || return 0
    if test -z "$1"; then
        mkdir -p "$root"
    else
        folder "${1%/*}"
        mkdir "$root$1"
    fi
    short "${1:-/}"
    note "folder $short"
}
# put MODE SOURCE PATH: a file that is there already is replaced at once, so that who runs or maps it goes on with the old.
put() {
    test ! -d "$root$3" || fail "$root$3 is a folder"
    folder "${3%/*}"
    temporary=$root$3.new.$$
    cp "$2" "$temporary"
    chmod "$1" "$temporary"
    mv -f "$temporary" "$root$3"
    temporary=
    short "$3"
    note "file $short"
}
# link TEXT PATH: the same for a link.
link() {
    temporary=$root$2.new.$$
    rm -f "$temporary"
    ln -s "$1" "$temporary"
    mv -f "$temporary" "$root$2"
    temporary=
    short "$2"
    note "file $short"
}
# relative FROM TO: the way from one folder to another, both absolute.
relative() {
    relative_from=${1#/}/
    relative_to=${2#/}/
    while test -n "$relative_from" && test "${relative_from%%/*}" = "${relative_to%%/*}"; do
        relative_from=${relative_from#*/}
        relative_to=${relative_to#*/}
    done
    relative=$(printf '%s\n' "$relative_from" | sed 's|[^/][^/]*|..|g')$relative_to
    relative=${relative%/}
}

folder "$doc"
printf '%s' "$kept" >> "$list"
put 644 LICENSE "$doc/LICENSE"
put 644 biostream.h "$include/biostream.h"
put 644 biostream_cuda.h "$include/biostream_cuda.h"
for header in biostream.hpp biostream_store.hpp kseq_over_biostream.h gz_over_biostream.h; do
    put 644 "examples/$header" "$include/$header"
done
put 644 "$build/libbiostream.a" "$lib/libbiostream.a"
# Windows looks for a .dll where programs lie.
if test -n "$import"; then
    put 644 "$build/$import" "$lib/$import"
    put 755 "$build/$full" "$bin/$full"
else
    put 755 "$build/$full" "$lib/$full"
fi
for name in $links; do link "$full" "$lib/$name"; done
for tool in $tools; do put 755 "$tool" "$bin/$(basename "$tool")"; done
for page in $pages; do put 644 "$page" "$man/man1/$(basename "$page")"; done
test -n "$pages" || echo "no manual pages: the tools, which print them, are for another system"

# -- for pkg-config -----------------------------------------------------------------------------------

# Paths below the prefix by its name, so that --define-prefix finds a tree that was moved.
by_prefix() { short "$1"; case $short in /*) by_prefix=$short ;; *) by_prefix="\${prefix}/$short" ;; esac; }
written=$build/written
by_prefix "$lib"; pc_lib=$by_prefix
by_prefix "$include"; pc_include=$by_prefix
rm -f "$written"
cat > "$written" << END
prefix=$prefix
libdir=$pc_lib
includedir=$pc_include

Name: biostream
Description: FASTQ and FASTA files into batches for machine learning
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lbiostream
Libs.private: -pthread${dl_libs:+ $dl_libs}
END
put 644 "$written" "$lib/pkgconfig/biostream.pc"

# -- for CMake ----------------------------------------------------------------------------------------

cmake=$lib/cmake/biostream
# cmake_path FOLDER: from the folder of libraries if both are below the prefix, which may then be moved.
cmake_path() {
    if below "$prefix" "$lib" && below "$prefix" "$1"; then
        relative "$lib" "$1"
        cmake_path="\${biostream_lib}/$relative"
    else
        cmake_path=$1
    fi
}
cmake_path "$include"; cmake_include=$cmake_path
cmake_path "$bin"; cmake_bin=$cmake_path
shared_at="\${biostream_lib}/$full"
case $system in
    windows)
        shared_at=$cmake_bin/$full
        more="IMPORTED_IMPLIB \"\${biostream_lib}/$import\"" ;;
    apple) more="IMPORTED_SONAME @rpath/libbiostream.$abi.dylib" ;;
    *) more="IMPORTED_SONAME libbiostream.so.$abi" ;;
esac

rm -f "$written"
cat > "$written" << 'END'
# find_package(biostream) gives two targets:
#
#   biostream::header      the headers and what the implementation links; one C or C++ file of yours defines
#                          BIOSTREAM_IMPLEMENTATION
#   biostream::biostream   the headers and the library: shared with BUILD_SHARED_LIBS, else static; where only one of
#                          the two is there, that one
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/biostreamTargets.cmake")
foreach(biostream_part IN LISTS biostream_FIND_COMPONENTS)
    if(biostream_FIND_REQUIRED_${biostream_part})
        set(biostream_FOUND FALSE)
        set(biostream_NOT_FOUND_MESSAGE "biostream has no components, and ${biostream_part} was asked for")
    endif()
endforeach()
unset(biostream_part)
END
put 644 "$written" "$cmake/biostreamConfig.cmake"

rm -f "$written"
cat > "$written" << END
if(TARGET biostream::header)
    return()
endif()
get_filename_component(biostream_lib "\${CMAKE_CURRENT_LIST_DIR}/../.." REALPATH)
get_filename_component(biostream_include "$cmake_include" ABSOLUTE)

add_library(biostream::header INTERFACE IMPORTED)
set_target_properties(biostream::header PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "\${biostream_include}"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;\${CMAKE_DL_LIBS}")

if(EXISTS "$shared_at" AND (BUILD_SHARED_LIBS OR NOT EXISTS "\${biostream_lib}/libbiostream.a"))
    add_library(biostream::biostream SHARED IMPORTED)
    set_target_properties(biostream::biostream PROPERTIES
        IMPORTED_LOCATION "$shared_at"
        $more
        INTERFACE_INCLUDE_DIRECTORIES "\${biostream_include}")
elseif(EXISTS "\${biostream_lib}/libbiostream.a")
    add_library(biostream::biostream STATIC IMPORTED)
    set_target_properties(biostream::biostream PROPERTIES
        IMPORTED_LOCATION "\${biostream_lib}/libbiostream.a"
        IMPORTED_LINK_INTERFACE_LANGUAGES C
        INTERFACE_INCLUDE_DIRECTORIES "\${biostream_include}"
        INTERFACE_LINK_LIBRARIES "Threads::Threads;\${CMAKE_DL_LIBS}")
endif()
unset(biostream_lib)
unset(biostream_include)
END
put 644 "$written" "$cmake/biostreamTargets.cmake"

# Which versions may stand for the one that is asked for: those that can stand for it as a shared library.
same="PACKAGE_FIND_VERSION_MAJOR EQUAL ${version%%.*}"
case $abi in *.*) same="$same AND PACKAGE_FIND_VERSION_MINOR EQUAL ${abi#*.}" ;; esac
rm -f "$written"
cat > "$written" << END
set(PACKAGE_VERSION "$version")
set(PACKAGE_VERSION_COMPATIBLE FALSE)
if(PACKAGE_FIND_VERSION_RANGE)
    if(NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION_MIN AND
       (PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION_MAX OR
        (PACKAGE_FIND_VERSION_RANGE_MAX STREQUAL "INCLUDE" AND
         PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION_MAX)))
        set(PACKAGE_VERSION_COMPATIBLE TRUE)
    endif()
elseif(NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION AND $same)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
endif()
END
test -z "$bits" || cat >> "$written" << END
if(CMAKE_SIZEOF_VOID_P AND NOT CMAKE_SIZEOF_VOID_P EQUAL $bits)
    set(PACKAGE_VERSION "$version ($((bits * 8)) bits)")
    set(PACKAGE_VERSION_UNSUITABLE TRUE)
endif()
END
put 644 "$written" "$cmake/biostreamConfigVersion.cmake"
rm -f "$written"

# Files that were written more than once are named once.
LC_ALL=C sort -u "$list" > "$list.new.$$"
mv -f "$list.new.$$" "$list"
echo "biostream $version is in $root$prefix"
if test -z "$root$system"; then
    echo "If programs do not find libbiostream.so.$abi: ldconfig, or LD_LIBRARY_PATH=$lib"
fi
