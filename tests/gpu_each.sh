#!/bin/sh
# gpu_each.sh PROGRAM [PREFIX] - run the tests of a gpu_real program whose names begin with PREFIX (else all that begin
# with gpu_), each in a process of its own, so that one that crashes or hangs costs only itself; the one that breaks the
# device last. Prints a line for each as it ends, what a failed one said below it, and last `N passed, N failed`
# (`, N skipped`); exit 1 if one failed or there was none to run.
#
#   TEST_TIMEOUT   seconds that a test may take, else 60
set -u
program=$1
prefix=${2:-gpu_}
limit=
! command -v timeout > /dev/null || limit="timeout -k 5 ${TEST_TIMEOUT:-60}"
passed=0
failed=0
skipped=0
reasons=
said=$(mktemp) || exit 1
trap 'rm -f "$said"' EXIT

if ! names=$($limit "$program" --list 2> "$said"); then
    echo "FAILED: $program does not run"
    cat "$said"
    echo "0 passed, 1 failed"
    exit 1
fi
names=$(echo "$names" | awk -v prefix="$prefix" 'index($0, prefix) == 1 {
    if (/broken_device/) last = last $0 "\n"; else print } END { printf "%s", last }')

for name in $names; do
    $limit "$program" --only "$name" > "$said" 2>&1
    status=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$said" | tail -n 1)
    case $status.$line in
        0.'1 passed, 0 failed')
            passed=$((passed + 1))
            echo "$name: ok"
            sed -n '/^device: /p' "$said"
            ;;
        0.'0 passed, 0 failed, 1 skipped')
            skipped=$((skipped + 1))
            echo "$name: skipped"
            reason=$(sed -n '/^skipped: /p' "$said")
            case $reasons in *"|$reason|"*) ;; *) echo "$reason" ;; esac
            reasons="$reasons|$reason|"
            ;;
        *)
            failed=$((failed + 1))
            case $status in
                0 | 1) echo "FAILED $name" ;;
                124 | 137) echo "FAILED $name: stopped after ${TEST_TIMEOUT:-60} s" ;;
                *) echo "FAILED $name: it died (exit status $status)" ;;
            esac
            sed -e '/^run /d' -e 's/^/    /' "$said" | tail -n 60
            ;;
    esac
done
if test -z "$names"; then
    failed=1
    echo "FAILED: no test begins with $prefix"
fi
if test $skipped = 0; then
    echo "$passed passed, $failed failed"
else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
test $failed = 0
