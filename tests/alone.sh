#!/bin/sh
# alone.sh SOURCE OUTPUT - compile an example into OUTPUT by the line that its own comment shows (`cc -O2 FILE ...`, or
# `mpicc -O2 FILE ...`), with the compiler CC, the libraries LIBS that are there in the place of those named, and -O0,
# which is quicker. Warnings are errors. Ends with `N passed, N failed`.
set -u
source=$1 output=$2
mkdir -p "$(dirname "$output")"
CC=${CC:-cc}
cc=cc
case $source in
    */mpi_*)
        cc=mpicc
        export OMPI_CC="$CC" MPICH_CC="$CC"
        CC=mpicc ;;
esac
line=$(sed -n "s/^ \\*   \\($cc -O2 [^(]*\\).*/\\1/p" "$source" | head -n 1)
case $line in
    "$cc -O2 $source -o $(basename "$output") "*) ;;
    *)
        echo "FAILED $source: its comment shows no line '$cc -O2 $source -o $(basename "$output") ...', but: $line"
        echo "0 passed, 1 failed"
        exit 1 ;;
esac
math=
case $line in *" -lm "*) math=-lm ;; esac
# shellcheck disable=SC2086
if $CC -O0 -Wall -Wextra -Werror ${DEFINE:-} "$source" -o "$output" ${LIBS:-} $math -pthread; then
    echo "1 passed, 0 failed"
else
    echo "FAILED $source: $line"
    echo "0 passed, 1 failed"
    exit 1
fi
