#!/bin/sh
# neon.sh [DIR] - build the tests of kernels for 64-bit ARM and run them under emulation; 1 to 3 minutes. Those of
# the decoders of several streams at once are among them, for addresses with a tag in the upper byte (tests/tagged.h).
#
# Debian packages: clang lld libc6-dev-arm64-cross libgcc-12-dev-arm64-cross qemu-user. The last line is
# `N passed, N failed`, over all tests; a tool that is missing is one line `skipped: NAME`.
set -eu
dir=${1:-build/neon}
root=/usr/aarch64-linux-gnu
flags="--target=aarch64-linux-gnu -O2 -fuse-ld=lld"

missing() {
    echo "skipped: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

command -v clang > /dev/null || missing clang
command -v ld.lld > /dev/null || missing lld
command -v qemu-aarch64 > /dev/null || missing qemu-user
test -d $root/include || missing libc6-dev-arm64-cross
mkdir -p "$dir"
echo 'int main(void) { return 0; }' > "$dir/probe.c"
# shellcheck disable=SC2086
clang $flags "$dir/probe.c" -o "$dir/probe" > "$dir/probe.txt" 2>&1 || missing libgcc-12-dev-arm64-cross

passed=0 failed=0
# Nothing is inlined by force without optimization; intrinsics want constants all the same.
for level in -O0 -O2; do
    # shellcheck disable=SC2086
    if clang $flags $level -std=c99 -Wall -Wextra -Wshadow -Wundef -Wconversion -pedantic -Werror \
        -Wno-unused-command-line-argument -c tests/compile/implement.c -o "$dir/implement.o" > "$dir/implement.txt" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: the header compiled for 64-bit ARM with $level"
        sed -e 's/^/    /' -e 20q "$dir/implement.txt"
    fi
done
for name in cpu crc check encode augment pack ways ops texts; do
    march= slow=
    # Fewer rounds, as under a sanitizer.
    case $name in ways | ops | texts) slow=-DMAKER_SLOW=1 ;; esac
    # CRC-32 instructions are part of no processor that the compiler was not told of.
    case $name in cpu | crc) march=-march=armv8-a+crc ;; esac
    # shellcheck disable=SC2086
    clang $flags $march $slow -Wall -Wextra -Wshadow -Wundef -Wconversion -pedantic "tests/test_$name.c" -o "$dir/test_$name" -pthread \
        2> "$dir/test_$name.warnings" || { echo "test_$name: FAILED to build"; failed=$((failed + 1)); continue; }
    if grep -q 'biostream\.h.*warning' "$dir/test_$name.warnings"; then
        echo "test_$name: FAILED: the header makes warnings"
        failed=$((failed + 1))
    fi
    status=0
    qemu-aarch64 -L $root "$dir/test_$name" > "$dir/test_$name.log" 2>&1 || status=$?
    sum=$(tail -n 1 "$dir/test_$name.log")
    echo "test_$name: $sum"
    sed -n -e '/^kernels: /p' -e '/failed: /p' "$dir/test_$name.log" | sort -u
    case $sum in
        *' passed, '*' failed'*)
            passed=$((passed + ${sum%% *}))
            rest=${sum#*, }
            failed=$((failed + ${rest%% *})) ;;
        *) failed=$((failed + 1)) ;;
    esac
    test $status = 0 || case $sum in *', 0 failed'*) failed=$((failed + 1)) ;; esac
done
echo "$passed passed, $failed failed"
test $failed = 0
