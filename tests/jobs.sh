#!/bin/sh
# jobs.sh - print -jN for the number of processors, or nothing where the make that calls was told a number itself.
case ${MAKEFLAGS:-} in
    *-j* | *-J* | *--jobserver*) ;;
    *) echo "-j$(getconf _NPROCESSORS_ONLN 2> /dev/null || nproc 2> /dev/null || echo 2)" ;;
esac
