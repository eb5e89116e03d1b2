#!/bin/sh
# release.sh [words] - whether the tree can be given out as the version that its headers say. With `words` only what needs
# no compiler and no git:
#
#   version    both headers, examples/biostream_library.py and each package of examples/packages have the same
#   changes    it is the first heading of examples/CHANGES.md, with lines below it
#   layouts    public names and layouts are those of tests/public_MAJOR.MINOR.tsv, and examples/cmake/layout_rows.h is
#              what layout.awk makes of the header
#   soname     the library of `make lib` has the version's name, and its biost_version() is the version
#   commit     all is committed, and no other commit has the tag vVERSION
#   package    what `make dist` makes has its checksum, is the same when it is made again, builds, and passes a test
#
# Ends with `N passed, N failed`.
set -u
work=build/release
rm -rf "$work"
mkdir -p "$work"
CC=${CC:-cc}
MAKE=${MAKE:-make}
version=$(sh tests/version.sh 2> /dev/null)
case $version in 0.*) abi=${version%.*} ;; *) abi=${version%%.*} ;; esac
passed=0
failed=0

# check WHAT COMMAND...: one result.
check() {
    what=$1
    shift
    if "$@" > "$work/log" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED $what"
        tail -n 20 "$work/log" | sed 's/^/    /'
    fi
}
# prints TEXT COMMAND...: it prints that.
prints() {
    text=$1
    shift
    got=$("$@")
    echo "$got"
    test "$got" = "$text"
}
finish() {
    echo "$passed passed, $failed failed"
    test $failed = 0
    exit
}

# -- words --------------------------------------------------------------------------------------------

check "both headers have one version" sh tests/version.sh
number=$(echo "$version" | awk -F. '{ print $1 * 10000 + $2 * 100 + $3 }')
check "biostream_library.py is of $version" grep -q "^VERSION, found = $number, " examples/biostream_library.py
packages=examples/packages
check "vcpkg.json is of $version" grep -q "\"version\": \"$version\"" $packages/vcpkg/biostream/vcpkg.json
check "meson.build is of $version" grep -q "version: '$version'" $packages/meson/packagefiles/biostream/meson.build
check "build.zig.zon is of $version" grep -q "\.version = \"$version\"" $packages/zig/build.zig.zon
check "Cargo.toml is of $version" grep -q "^version = \"$version\"" $packages/rust/Cargo.toml
check "CHANGES.md begins with $version" prints "## $version" sed -n '/^## /{p;q;}' examples/CHANGES.md
check "CHANGES.md says something of $version" \
    awk -v heading="## $version" '$0 == heading { on = 1; next } /^## / { on = 0 } on && NF { n++ } END { exit !n }' examples/CHANGES.md
check "public names and layouts are those of ${version%.*}" sh tests/public.sh check
awk -f tests/bare.awk -f tests/layout.awk biostream.h > "$work/layout_rows.h"
check "layout_rows.h is what the header is" cmp "$work/layout_rows.h" examples/cmake/layout_rows.h
test "${1:-}" != words || finish

# -- library ------------------------------------------------------------------------------------------

check "make lib" "$MAKE" lib CC="$CC"
if command -v readelf > /dev/null; then
    check "the library is called libbiostream.so.$abi" prints "libbiostream.so.$abi" \
        sh -c 'readelf -d build/lib/libbiostream.so | sed -n "s/.*(SONAME).*\[\(.*\)\].*/\1/p"'
fi
printf '%s\n' '#include "biostream.h"' '#include <stdio.h>' 'int main(void) { return printf("%d\n", biost_version()) < 0; }' \
    > "$work/version.c"
check "a program finds it" $CC -I. "$work/version.c" -o "$work/version" build/lib/libbiostream.a -pthread -ldl
check "biost_version() is $number" prints "$number" "$work/version"

# -- commit and package -------------------------------------------------------------------------------

check "all is committed" prints "" git status --porcelain
tagged=$(git rev-parse -q --verify "v$version^{commit}" || git rev-parse HEAD)
check "v$version is no other commit's tag" prints "$tagged" git rev-parse HEAD
check "make dist" sh tests/dist.sh "$work/dist"
check "make dist again" sh tests/dist.sh "$work/again"
check "both packages are equal" cmp "$work/dist/biostream-$version.tar.gz" "$work/again/biostream-$version.tar.gz"
check "the checksum is the package's" sh -c 'cd "$1" && sha256sum -c ./*.sha256' - "$work/dist"
check "the package is unpacked" tar xzf "$work/dist/biostream-$version.tar.gz" -C "$work"
# Outside of any repository, as those who get it have it.
check "its content builds and passes a test" env GIT_DIR=/nonexistent "$MAKE" -C "$work/biostream-$version" test PROGRAMS=sha256 \
    CC="$CC"
check "its words are those of a release" env GIT_DIR=/nonexistent sh -c 'cd "$1" && sh tests/release.sh words' - "$work/biostream-$version"
finish
