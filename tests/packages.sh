#!/bin/sh
# packages.sh DIR - the packages of examples/packages, each by its own tool where that is installed, and the checks of `make
# dist` and `make release`. A host counts the records of a file by what a package gave it, as gzip and awk do. A tool that
# is missing is named as skipped. Ends with `N passed, N failed`.
#
#   FULL=1   also those that take minutes; meson, conan, zig and xmake are installed by pip into DIR/venv where they can be
#   CFLAGS   for the library inside the wheel; else -O0, or -O2 with FULL=1
set -u
top=$PWD
mkdir -p "$1"
work=$(cd "$1" && pwd) || exit 1
CC=${CC:-cc}
FULL=${FULL:-}
packages=$top/examples/packages
reads=$top/examples/data/illumina_hiseqx_150bp.fastq.gz
version=$(sh tests/version.sh)
records=$(gzip -dc "$reads" | awk 'END { print NR / 4 }')
wheel_flags=${CFLAGS:--O${FULL:+2}}
test "$wheel_flags" != -O || wheel_flags=-O0
unset CFLAGS CXXFLAGS LDFLAGS DESTDIR PREFIX BINDIR LIBDIR INCLUDEDIR BIOSTREAM_LIB PYTHONPATH MAKEFLAGS MAKELEVEL 2> /dev/null
PYTHONDONTWRITEBYTECODE=1
export CC PYTHONDONTWRITEBYTECODE
passed=0
failed=0
skipped=0
log=$work/log

have() { command -v "$1" > /dev/null 2>&1; }
skip() { echo "skipped: $1"; skipped=$((skipped + 1)); }
# check WHAT COMMAND...: one result.
check() {
    what=$1
    shift
    if "$@" > "$log" 2>&1 < /dev/null; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1))
    echo "FAILED $what"
    tail -n 40 "$log" | cut -c 1-300 | sed 's/^/    /'
    return 1
}
# prints TEXT COMMAND...: it prints that.
prints() {
    text=$1
    shift
    got=$("$@") || return 1
    echo "$got"
    test "$got" = "$text"
}
# counts COMMAND...: it prints how many records there are.
counts() { prints "$records" "$@" "$reads"; }
# empty NAME: a new folder, and into it.
empty() {
    rm -rf "${work:?}/$1"
    mkdir -p "$work/$1"
    cd "$work/$1" || exit 1
}

# -- what make release refuses -----------------------------------------------------------------------

check "the tree's words are those of a release" sh tests/release.sh words
# One that is of the next version in its headers alone is told of everything that is not.
empty release
mkdir examples
cp -R "$top/tests" .
cp -R "$top"/examples/*.py "$top"/examples/*.md "$top/examples/cmake" "$packages" examples
next=${version%.*}.$((${version##*.} + 1))
sed "s/^#define BIOST_VERSION_PATCH .*/#define BIOST_VERSION_PATCH ${next##*.}/" "$top/biostream.h" > biostream.h
sed "s/^ \* Version $version, for/ * Version $next, for/" "$top/biostream_cuda.h" > biostream_cuda.h
printf '%s\n' "FAILED biostream_library.py is of $next" "FAILED vcpkg.json is of $next" "FAILED meson.build is of $next" \
    "FAILED build.zig.zon is of $next" "FAILED Cargo.toml is of $next" "FAILED CHANGES.md begins with $next" "FAILED CHANGES.md says something of $next" > wanted
sh tests/release.sh words 2>&1 | grep '^FAILED' > said
check "make release names all that is of another version" diff wanted said
cd "$top" || exit 1

# -- a package of sources ----------------------------------------------------------------------------

dist=
if git rev-parse -q --verify HEAD > /dev/null 2>&1; then
    check "make dist" sh tests/dist.sh "$work/dist" && dist=$work/dist
else
    skip "make dist: this is no clone, so what takes its package is not tried"
fi
if test -n "$dist"; then
    check "its checksum is what sha256sum computes" sh -c 'cd "$1" && sha256sum -c ./*.sha256' - "$dist"
    check "its headers are the commit's" sh -c 'tar xzOf "$1" "$2/biostream.h" | cmp - "$3"' - "$dist/biostream-$version.tar.gz" \
        "biostream-$version" biostream.h
    check "no place is left to fill in" sh -c '! grep -n "@[A-Z0-9]*@" "$1"/*.wrap "$1"/*.yaml "$1"/*.rb' - "$dist"
fi

# -- Python ------------------------------------------------------------------------------------------

# A Python that has pip, venv and NumPy, which a new environment then sees.
python=
for one in python3 /usr/bin/python3; do
    test -n "$python" || ! "$one" -c 'import pip, venv, ensurepip, numpy' 2> /dev/null || python=$one
done
cat > "$work/count.py" << 'END'
import sys
import biostream
import biostream_library
for path in biostream.__file__, biostream_library.library._name:  # the wheel's, and no others
    assert path.startswith(sys.prefix), path
with biostream.Loader([sys.argv[1]], row_bases=150) as loader:
    print(sum(batch.valid_rows for batch in loader.epoch(0)))
END
# wheel_of WHAT SOURCE: built by pip, put into a new environment, and used from a folder where nothing of ours is.
wheel_of() {
    rm -rf "$work/wheel" "$work/fresh"
    check "pip builds a wheel of $1" env CFLAGS="$wheel_flags" "$python" -m pip wheel -q --no-deps -w "$work/wheel" "$2" || return
    check "a new environment" "$python" -m venv --system-site-packages "$work/fresh"
    check "pip installs the wheel of $1" "$work/fresh/bin/python3" -m pip install -q --no-deps --no-index "$work"/wheel/*.whl
    cd "$work" || exit 1
    check "pip finds nothing wrong in it" "$work/fresh/bin/python3" -m pip show -f biostream
    check "a program counts by the wheel of $1" counts "$work/fresh/bin/python3" count.py
    cd "$top" || exit 1
}
if test -n "$python"; then
    before=$(ls -R examples)
    wheel_of "the tree" examples/packages/python
    check "nothing is left beside its sources" prints "$before" ls -R examples
    if test -n "$FULL"; then
        rm -rf "$work/sdist"
        mkdir -p "$work/sdist"
        check "an archive of its sources" "$python" -c 'import sys; sys.path.insert(0, "examples/packages/python")
import build_biostream; build_biostream.build_sdist(sys.argv[1])' "$work/sdist" &&
            wheel_of "that archive" "$work/sdist/biostream-$version.tar.gz"
    fi
else
    skip "the wheel: python3 with pip, venv and NumPy"
fi

# -- tools that pip has ------------------------------------------------------------------------------

PATH=$PATH:$work/venv/bin
if test -n "$FULL"; then
    for tool in meson conan xmake python-zig; do
        have $tool || {
            test -d "$work/venv" || python3 -m venv "$work/venv"
            name=$tool
            case $tool in xmake) name=xmake-wheel ;; python-zig) name=ziglang ;; esac
            "$work/venv/bin/python3" -m pip install -q --no-input --retries 1 --timeout 20 $name > "$work/install_$name.txt" 2>&1
        }
    done
fi

if ! have meson || ! have ninja || test -z "$dist"; then
    skip "meson, ninja"
else
    empty meson
    mkdir -p subprojects/packagecache
    cp "$dist/biostream.wrap" subprojects
    cp -R "$dist/packagefiles" subprojects
    cp "$dist"/*.tar.gz subprojects/packagecache
    cp "$top/tests/install_host.c" host.c
    cat > meson.build << 'END'
project('host', 'c')
executable('by_library', 'host.c', dependencies: dependency('biostream'))
executable('by_header', 'host.c', c_args: '-DHOST_IMPLEMENTS', dependencies: dependency('biostream-header'))
END
    check "meson takes the wrap" meson setup build --buildtype=plain -Dc_args=-O0 &&
        check "meson builds" meson compile -C build &&
        check "meson's host counts by the library" counts build/by_library &&
        check "meson's host counts by the header" counts build/by_header
    cd "$top" || exit 1
fi

# -- languages of recipes ----------------------------------------------------------------------------

if test -n "$dist" && have ruby; then
    check "Ruby reads the formula" ruby -c "$dist/biostream.rb"
else
    skip "ruby, for the formula"
fi
if test -n "$dist" && python3 -c 'import yaml' 2> /dev/null; then
    check "the recipe is YAML with two outputs" prints "libbiostream biostream" python3 -c 'import sys, yaml
print(*(output["package"]["name"] for output in yaml.safe_load(open(sys.argv[1]))["outputs"]))' "$dist/recipe.yaml"
else
    skip "PyYAML, for conda's recipe"
fi
luac=
for one in luac luac5.4 luac5.3; do test -n "$luac" || ! have $one || luac=$one; done
if test -n "$luac"; then
    check "Lua reads xmake.lua" $luac -p "$packages/xmake/xmake.lua"
else
    skip "luac, for xmake.lua"
fi

finish() {
    echo "$passed passed, $failed failed$(test $skipped = 0 || echo ", $skipped skipped")"
    test $failed = 0
    exit
}
test -n "$FULL" || finish

# -- the rest of what takes minutes ------------------------------------------------------------------

if have conan && have cmake; then
    empty conan
    CONAN_HOME=$work/conan/home
    export CONAN_HOME
    check "conan looks at the compiler" sh -c 'unset CC; conan profile detect' # it knows no `cc`
    check "conan makes the package" conan create "$packages/conan" -s build_type=Debug
    cp "$top/tests/install_host.c" host.c
    printf '%s\n' 'cmake_minimum_required(VERSION 3.15)' 'project(host C)' 'find_package(biostream REQUIRED)' \
        'add_executable(host host.c)' 'target_link_libraries(host biostream::biostream)' > CMakeLists.txt
    check "conan gives it to a host" conan install --requires="biostream/$version" -g CMakeDeps -g CMakeToolchain -s build_type=Debug -of out
    check "CMake finds it" cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE=out/conan_toolchain.cmake -DCMAKE_BUILD_TYPE=Debug
    check "its host builds" cmake --build build
    check "its host counts" counts build/host
    cd "$top" || exit 1
else
    skip "conan, cmake"
fi

if have xmake; then
    empty xmake
    cp "$top/tests/install_host.c" host.c
    printf '%s\n' "includes('$packages/xmake')" "target('host')" "    set_kind('binary')" "    add_files('host.c')" \
        "    add_deps('biostream')" > xmake.lua
    XMAKE_ROOT=y XMAKE_GLOBALDIR=$work/xmake/global
    export XMAKE_ROOT XMAKE_GLOBALDIR
    check "xmake configures" xmake f -y -o build &&
        check "xmake builds" xmake build -y host &&
        check "xmake's host counts" counts "$(find build -type f -name host | head -n 1)"
    cd "$top" || exit 1
else
    skip "xmake"
fi

if have cargo && cargo --version > /dev/null 2>&1; then
    empty rust
    CARGO_TARGET_DIR=$work/rust/target
    export CARGO_TARGET_DIR
    mkdir src
    check "make api" sh -c 'cd "$1" && python3 tests/api.py build/api' - "$top"
    sed '/^include!/d; s/None => layout()/None => ()/; /^use std::mem/d; s/^use std::ptr.*/use std::ptr::null_mut;/' \
        "$top/tests/api_host.rs" > src/main.rs
    printf '%s\n' '[package]' 'name = "host"' 'version = "0.0.0"' 'edition = "2021"' '[dependencies]' \
        "biostream-sys = { path = '$packages/rust' }" > Cargo.toml
    check "cargo builds a host" cargo build -q --offline
    check "cargo's host counts" prints "$records $records" target/debug/host "$reads"
    cd "$top" || exit 1
else
    skip "cargo"
fi

zig=
for one in zig python-zig; do test -n "$zig" || ! have $one || zig=$one; done
if test -n "$zig"; then
    empty zig
    cp "$top/tests/install_host.c" host.c
    ZIG_GLOBAL_CACHE_DIR=$work/zig/global
    export ZIG_GLOBAL_CACHE_DIR
    cat > build.zig << 'END'
const std = @import("std");
pub fn build(b: *std.Build) void {
    const module = b.createModule(.{ .target = b.standardTargetOptions(.{}), .optimize = .ReleaseFast, .link_libc = true });
    const biostream = b.dependency("biostream", .{ .optimize = .ReleaseFast });
    module.addCSourceFiles(.{ .files = &.{"host.c"} });
    module.linkLibrary(biostream.artifact("biostream"));
    b.installArtifact(b.addExecutable(.{ .name = "host", .root_module = module }));
}
END
    # A dependency by its path is named relative to the host.
    mkdir vendor
    ln -s "$top" vendor/biostream
    cat > build.zig.zon << 'END'
.{ .name = .host, .version = "0.0.0", .fingerprint = 0x9f1b2c3d4e5f6071, .paths = .{""},
   .dependencies = .{ .biostream = .{ .path = "vendor/biostream/examples/packages/zig" } } }
END
    # Zig says itself which fingerprint goes with a name.
    right=$($zig build 2>&1 | sed -n 's/.*use this value: \(0x[0-9a-f]*\).*/\1/p' | head -n 1)
    test -z "$right" || sed -i "s/0x9f1b2c3d4e5f6071/$right/" build.zig.zon
    check "zig builds a host" $zig build && check "zig's host counts" counts zig-out/bin/host
    cd "$top" || exit 1
    # What pip takes where there is no other compiler.
    other=$CC
    CC="$zig cc"
    test -z "$python" || wheel_of "the tree by zig" examples/packages/python
    CC=$other
else
    skip "zig"
fi

if have cmake; then
    # vcpkg's own functions, as far as the port calls them, by CMake.
    empty vcpkg
    cat > play.cmake << 'END'
set(CURRENT_PACKAGES_DIR "${CMAKE_CURRENT_LIST_DIR}/tree")
function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result)
    if(result)
        message(FATAL_ERROR "${ARGV}: ${result}")
    endif()
endfunction()
function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 it "" "SOURCE_PATH" "OPTIONS")
    run("${CMAKE_COMMAND}" -S "${it_SOURCE_PATH}" -B build -DCMAKE_BUILD_TYPE=Debug
        "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" ${it_OPTIONS})
endfunction()
function(vcpkg_cmake_install)
    run("${CMAKE_COMMAND}" --build build --target install)
endfunction()
function(vcpkg_copy_pdbs)
endfunction()
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 it "" "PACKAGE_NAME;CONFIG_PATH" "")
    file(MAKE_DIRECTORY "${CURRENT_PACKAGES_DIR}/share")
    file(RENAME "${CURRENT_PACKAGES_DIR}/${it_CONFIG_PATH}" "${CURRENT_PACKAGES_DIR}/share/${it_PACKAGE_NAME}")
endfunction()
function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 it "" "" "FILE_LIST")
    file(COPY ${it_FILE_LIST} DESTINATION "${CURRENT_PACKAGES_DIR}/share/biostream")
endfunction()
END
    echo "include(\"$packages/vcpkg/biostream/portfile.cmake\")" >> play.cmake
    check "the port for vcpkg installs" cmake -P play.cmake
    for name in include/biostream.h lib/libbiostream.a share/biostream/biostreamConfig.cmake share/biostream/LICENSE; do
        check "the port has $name" test -s "tree/$name"
    done
    check "vcpkg.json is JSON of version $version" prints "$version" python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["version"])' "$packages/vcpkg/biostream/vcpkg.json"
    cd "$top" || exit 1
else
    skip "cmake, for vcpkg's port"
fi

# rattler-build as a package of pip's; what it would build with is in channels.
renders() {
    prints "libbiostream $version, biostream $version" "$work/venv/bin/python3" -c 'import sys
from rattler_build import Stage0Recipe, VariantConfig
rendered = Stage0Recipe.from_file(sys.argv[1]).render(VariantConfig())
print(", ".join("%s %s" % (one.recipe.package.name, one.recipe.package.version) for one in rendered))' "$dist/recipe.yaml"
}
test -d "$work/venv" || python3 -m venv "$work/venv"
"$work/venv/bin/python3" -m pip install -q --no-input --retries 1 --timeout 20 py-rattler-build > "$work/install_rattler.txt" 2>&1
if test -n "$dist" && "$work/venv/bin/python3" -c 'import rattler_build' 2> /dev/null; then
    check "rattler-build renders the recipe" renders
else
    skip "rattler-build"
fi

if test -n "$dist" && have ruby; then
    # What a formula inherits, as far as ours uses it.
    empty homebrew
    tar xzf "$dist/biostream-$version.tar.gz"
    cat > play.rb << 'END'
require "fileutils"
require "pathname"
ENV.define_singleton_method(:cc) { ENV["CC"] || "cc" }
class Place < Pathname
  def install(file)
    mkpath
    FileUtils.cp(file, to_s)
  end
end
class Formula
  class << self
    def method_missing(*) = nil
    def test(&block) = define_method(:run_test, &block)
    def url(text) = define_method(:version) { text[/biostream-(.*).tar.gz/, 1] }
  end
  def initialize(tree, work) = (@tree, @work = Place.new(tree), Place.new(work))
  def prefix = @tree
  def include = @tree/"include"
  def lib = @tree/"lib"
  def bin = @tree/"bin"
  def pkgshare = Place.new(@tree/"share/biostream")
  def testpath = @work
  def system(*words) = Kernel.system(*words) || raise(words.join(" "))
  def shell_output(line) = `#{line}`.tap { raise line unless $?.success? }
  def assert_match(text, all) = all.include?(text) || raise("#{text} is not in #{all}")
end
END
    printf '%s\n' 'load ARGV[0]' 'formula = Biostream.new(ARGV[2], Dir.pwd)' 'Dir.chdir(ARGV[1]) { formula.install }' \
        'ENV["LD_LIBRARY_PATH"] = (formula.lib).to_s' 'formula.run_test' >> play.rb
    # Without optimization, to be quick.
    check "the formula installs, and its test passes" env MAKEFLAGS=CFLAGS=-O0 ruby play.rb "$dist/biostream.rb" "biostream-$version" "$work/homebrew/tree"
    cd "$top" || exit 1
fi
finish
