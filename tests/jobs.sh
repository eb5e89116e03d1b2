#!/bin/sh
# jobs.sh - print -jN, or nothing where the make that calls was told a number itself. N is one more than there are
# processors, because now and then a test waits.
case ${MAKEFLAGS:-} in
    *-j* | *-J* | *--jobserver*) ;;
    *) echo "-j$(($(getconf _NPROCESSORS_ONLN 2> /dev/null || nproc 2> /dev/null || echo 2) + 1))" ;;
esac
