#!/bin/sh
# run.sh - build the fuzz targets with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer, and run them.
#
#   run.sh fuzz       each target for SECONDS of wall time (60), or TARGET alone; one process at a time. New inputs go to
#                     build/fuzz/corpus/TARGET; what is found, to build/fuzz/found. One line a target goes to
#                     build/fuzz/runs.tsv: target, runs, seconds of the processor, edges that libFuzzer counts.
#   run.sh again      the same with the programs that are there
#   run.sh build      the programs alone
#   run.sh cover      lines and branches of each room that the inputs of build/fuzz/corpus reach (FUZZ.md's table)
#   run.sh slow [TRIES]   inputs that cost more than their bytes should, counted by callgrind (slow.c); 2 tries of each kind
#                     beside the texts that are made to be slow. LIBRARY is what it counts, that of `make lib`
#
# FUZZ_CC is the compiler, clang by default. The targets are tests/fuzz/*.c that have LLVMFuzzerTestOneInput.
set -eu
cd "$(dirname "$0")/../.."
build=build/fuzz
FUZZ_CC=${FUZZ_CC:-clang}
TARGETS=${TARGET:-$(grep -l '^int LLVMFuzzerTestOneInput' tests/fuzz/*.c | sed 's,.*/,,; s,\.c$,,')}
warnings="-Wall -Wextra -Wshadow -Wundef -pedantic"

# library OUTPUT FLAGS: the header as an object, if it is newer.
library() {
    if test "$1" -nt biostream.h; then return; fi
    echo "  cc $1"
    $FUZZ_CC $2 -DBIOSTREAM_IMPLEMENTATION -x c -c biostream.h -o "$1.tmp" && mv "$1.tmp" "$1"
}

# targets FOLDER FLAGS LIBRARY [MAIN]
targets() {
    mkdir -p "$1"
    for name in $TARGETS; do
        test -z "$(find "tests/fuzz/$name.c" tests/fuzz/*.h examples/tools/*.h "$3" -newer "$1/$name" 2>&1)" && continue
        echo "  cc $1/$name"
        $FUZZ_CC $warnings $2 "tests/fuzz/$name.c" ${4:-} "$3" -o "$1/$name.tmp" -lz -lm -pthread
        mv "$1/$name.tmp" "$1/$name"
    done
}

build_all() {
    flags="-O1 -g1 -fno-omit-frame-pointer -fno-sanitize-recover=all"
    mkdir -p $build
    library $build/biostream.o "-O2 ${flags#-O1} -fsanitize=fuzzer-no-link,address,undefined"
    targets $build "$flags -fsanitize=fuzzer,address,undefined" $build/biostream.o
}

# corpus NAME: the folder of its inputs, with the seeds and what is kept.
corpus() {
    python3 tests/fuzz/seeds.py unpack "$1" "$build/corpus/$1"
}

fuzz_one() {
    log=$build/$1.log
    mkdir -p $build/found
    corpus "$1"
    times > $build/times_before.txt
    status=0
    # shellcheck disable=SC2086
    nice -n 19 "$build/$1" -max_total_time="${SECONDS_EACH:-60}" -timeout=60 -rss_limit_mb=4000 -close_fd_mask=1 \
        -print_final_stats=1 -artifact_prefix="$build/found/$1-" -dict=tests/fuzz/words.dict ${FUZZ_FLAGS:-} "$build/corpus/$1" \
        > "$log" 2>&1 || status=$?
    times > $build/times_after.txt
    seconds=$(cat $build/times_before.txt $build/times_after.txt | awk '
        function number(text, parts) { split(text, parts, /[ms]/); return parts[1] * 60 + parts[2] }
        NR == 2 { before = number($1) + number($2) } NR == 4 { print int(number($1) + number($2) - before + 0.5) }')
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    printf '%s\t%s\t%s\t%s\n' "$1" "${runs:-0}" "$seconds" "${edges:-0}" >> $build/runs.tsv
    echo "$1: ${runs:-0} runs, $seconds s of the processor, ${edges:-0} edges"
    if test $status != 0; then
        grep -E 'FAILED|ERROR|SUMMARY|runtime error|Test unit written' "$log" | sed 's/^/    /' || true
        echo "    $log; to repeat it: $build/$1 $build/found/$1-..."
        failed=1
    fi
}

# cover_all: for each room the lines and branches that the inputs reach, of those that were compiled.
cover_all() {
    cover=$build/cover
    mkdir -p $cover
    library $cover/biostream.o "-O1 -fsanitize=fuzzer-no-link -fprofile-instr-generate -fcoverage-mapping"
    targets $cover "-O1 -fsanitize=fuzzer -fprofile-instr-generate -fcoverage-mapping" $cover/biostream.o
    rm -f $cover/*.profraw
    objects=
    for name in $TARGETS; do
        corpus "$name"
        LLVM_PROFILE_FILE=$cover/$name.profraw nice -n 19 $cover/"$name" -runs=0 "$build/corpus/$name" > $cover/"$name".log 2>&1
        objects="$objects -object $cover/$name"
    done
    llvm-profdata merge -o $cover/all.profdata $cover/*.profraw
    # shellcheck disable=SC2086
    llvm-cov export -format=lcov -instr-profile=$cover/all.profdata ${objects# -object} > $cover/all.lcov
    awk -F '[:,]' '
        FNR == NR { if (before && $0 ~ /^ \* >>[a-z]+ /) { split($0, word, " "); start[++rooms] = FNR; name[rooms] = substr(word[2], 3) }
                    before = /^\/\* =====/; next }
        /^SF:/ { ours = $2 ~ /biostream\.h$/ }
        ours && /^DA:/ { lines[room_of($2)]++; if ($3 + 0 > 0) reached[room_of($2)]++ }
        ours && /^BRDA:/ { branches[room_of($2)]++; if ($5 != "-" && $5 + 0 > 0) taken[room_of($2)]++ }
        function room_of(line, at) { line += 0; for (at = 0; at < rooms && start[at + 1] <= line; at++) { } return at }
        END { for (i = 1; i <= rooms; i++) if (lines[i] > 0)
            printf "| %s | %d of %d (%.1f %%) | %d of %d (%.1f %%) |\n", name[i], reached[i], lines[i],
                100 * reached[i] / lines[i], taken[i], branches[i], 100 * taken[i] / (branches[i] + (branches[i] == 0)) }
    ' biostream.h $cover/all.lcov
}

# slow TRIES: as tests/instructions.sh, by a library as it is shipped and without what the environment says.
slow() {
    command -v valgrind > /dev/null || { echo "skipped: slow, which needs valgrind"; echo "0 passed, 0 failed"; return; }
    mkdir -p $build
    ${CC:-cc} -O2 -DSLOW_CALLGRIND tests/fuzz/slow.c "${LIBRARY:-build/lib/libbiostream.a}" -o $build/slow -pthread
    env -i PATH="$PATH" LC_ALL=C valgrind --tool=callgrind --callgrind-out-file=$build/slow.part $build/slow "$1" \
        $build/slow.part 2> $build/slow.log
}

case ${1:-} in
    build) build_all ;;
    slow) slow "${2:-2}" ;;
    cover) cover_all ;;
    fuzz | again)
        test "$1" = again || build_all
        failed=0
        for name in $TARGETS; do fuzz_one "$name"; done
        exit $failed ;;
    *)
        sed -n '2,14s/^# \{0,1\}//p' "$0"
        exit 2 ;;
esac
