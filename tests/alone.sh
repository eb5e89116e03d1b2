#!/bin/sh
# alone.sh SOURCE OUTPUT - compile an example into OUTPUT by the line that its own comment shows (`cc -O2 FILE ...`, or
# `mpicc -O2 FILE ...`, for C++ `c++ -O2 -I. FILE ...`), with the compiler CC or CXX, the libraries LIBS that are there in
# the place of those named, and -O0, which is quicker. Warnings are errors. Ends with `N passed, N failed`.
set -u
source=$1 output=$2
mkdir -p "$(dirname "$output")"
CC=${CC:-cc}
begin='cc -O2' compiler=$CC
case $source in
    *.cc) begin='c++ -O2 -I.' compiler="${CXX:-c++} -I." ;;
    */mpi_*)
        begin='mpicc -O2' compiler=mpicc
        export OMPI_CC="$CC" MPICH_CC="$CC" ;;
esac
line=$(sed -n "s/^ \*   \($begin [^(]*\).*/\1/p" "$source" | head -n 1)
case $line in
    "$begin $source -o $(basename "$output") "*) ;;
    *)
        echo "FAILED $source: its comment shows no line '$begin $source -o $(basename "$output") ...', but: $line"
        echo "0 passed, 1 failed"
        exit 1 ;;
esac
math=
case $line in *" -lm "*) math=-lm ;; esac
# shellcheck disable=SC2086
if $compiler -O0 -Wall -Wextra -Werror ${DEFINE:-} "$source" -o "$output" ${LIBS:-} $math -pthread; then
    echo "1 passed, 0 failed"
else
    echo "FAILED $source: $line"
    echo "0 passed, 1 failed"
    exit 1
fi
