#!/bin/sh
# limit.sh - print what comes before SECONDS COMMAND, so that a command is stopped that takes too long for this machine:
# build/limit, made of tests/limit.c where a compiler for this machine is; else timeout, whose seconds are a clock's; or
# nothing where that is not there either.
dir=build
new=$dir/limit.$$
if test -x $dir/limit && test ! tests/limit.c -nt $dir/limit && test ! tests/patience.h -nt $dir/limit; then
    echo $dir/limit
    exit
fi
mkdir -p $dir
for compiler in ${CC:+"$CC"} cc gcc clang; do
    # shellcheck disable=SC2086
    if $compiler -O1 tests/limit.c -o $new > /dev/null 2>&1 && $new 9 true 2> /dev/null; then
        mv $new $dir/limit # others may make it at the same time
        echo $dir/limit
        exit
    fi
done
rm -f $new
! command -v timeout > /dev/null || echo timeout
