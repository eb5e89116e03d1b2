#!/bin/sh
# test_make.sh DIR - what `make test` makes of a change: it runs what the change touches and nothing else, and a test
# that cannot be built, or a name that no test has, is a failure. Ends with `N passed, N failed`.
# needs: full once
. tests/shell.sh
rm -rf build/test_make

# run STATUS TEXT SETTING...: make test of one small test file ends with STATUS (0 or 1) and prints TEXT.
run() {
    status=$1 text=$2
    shift 2
    if env MAKEFLAGS= "${MAKE:-make}" test CONFIG=test_make CFLAGS=-O0 "$@" > "$work/out" 2>&1; then
        got=0
    else
        got=1
    fi
    if test $got = "$status" && grep -q "$text" "$work/out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED make test $*: status $got, and $status was expected, with: $text"
        sed 's/^/    /' "$work/out"
    fi
}

# What make is told here it is not told by who called this script.
unset ONLY PROGRAMS FULL AGAIN SANITIZE TEST_EFFORT 2> /dev/null
run 0 '^[1-9][0-9]* passed, 0 failed$' PROGRAMS=fork
run 0 '(1 of these passed before' PROGRAMS=fork
run 0 '^  run test_fork$' PROGRAMS=fork AGAIN=1
run 1 '^test_fork: FAILED to build$' PROGRAMS=fork TESTS_CFLAGS='-include no_such_file.h'
run 1 '^test_fork: FAILED to build$' PROGRAMS=fork TESTS_CFLAGS='-include no_such_file.h'
run 0 '^[1-9][0-9]* passed, 0 failed$' PROGRAMS=fork
run 1 '^FAILED: no test has the name' PROGRAMS=no_such_file
run 1 '^FAILED: no test has the name' PROGRAMS=fork ONLY=no_such_test
rm -rf build/test_make
finish
