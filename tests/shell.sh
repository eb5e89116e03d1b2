# shell.sh - what the tests of whole programs share. tests/test_NAME.sh begins with `. tests/shell.sh`, is run in the root of
# the repository with the folder of the programs as its argument, and ends with `finish`.
set -u
dir=$1
work=$dir/$(basename "$0" .sh)
data=examples/data
hard=tests/data/semantics
tab=$(printf '\t')
CC=${CC:-cc}
passed=0
failed=0
skipped=0
rm -rf "$work"
mkdir -p "$work"

# check WHAT COMMAND...: one result. Where it fails, what the command printed is shown, and out and err.
check() {
    what=$1
    shift
    if "$@" > "$work/seen" 2>&1; then
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
    echo "FAILED $what"
    for seen in seen out err; do
        test ! -f "$work/$seen" || sed -e "s/^/    $seen: /" -e 20q "$work/$seen" | cut -c 1-200
    done
}

skip() { echo "skipped: $1"; skipped=$((skipped + 1)); }

# call TOOL ARGUMENTS...: what it writes in out and err, its exit code in $code.
call() {
    tool=$1
    shift
    "$dir/$tool" "$@" > "$work/out" 2> "$work/err" < /dev/null
    code=$?
}

# ends CODE WORDS: the exit code, and WORDS (a basic regular expression) on standard error; '' for nothing.
ends() {
    test "$code" = "$1" || return 1
    if test -n "$2"; then grep -q -e "$2" "$work/err"; else test ! -s "$work/err"; fi
}

finish() {
    echo "$passed passed, $failed failed$(test $skipped = 0 || echo ", $skipped skipped")"
    test $failed = 0
    exit
}
