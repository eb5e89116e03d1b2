#!/bin/sh
# lint.sh [OPTION]... HEADER DIR [cuda] - hold the header to the house rules: lint.awk for what its text shows,
# lint_words.awk for its words (and those of pages), here what the compiler and nm show, limits.awk for the sizes. A line
# per check, then `N passed, N failed`. Needs awk, nm and CC.
# With `cuda` HEADER is held to what biostream_cuda.h must obey, and biostream.h lies beside it.
#
#   --quick           without the compile at -O2: no size of its code, no compile time
#   --text            without any compile: what the text shows, no more
#   --full            with all of it, as by default
#   --limits FILE     the table of limits; else lint_limits.tsv beside this script
#   --reference FILE  for the compile time, another reference file
#   --table           no checks: print the table with the sizes of today as HEADER's limits
#   --lower           no checks: lower HEADER's limits in the table to the sizes of today; none is raised
#   --history         no checks: write the sizes of today into lint_history.tsv, as HEADER's row of this date
set -u
here=$(dirname "$0")
CC=${CC:-cc}
mode=judge
extent=full
limits=$here/lint_limits.tsv
reference=
while :; do
    case ${1:-} in
    --quick) extent=quick ;;
    --text) extent=text ;;
    --full) extent=full ;;
    --table) mode=table ;;
    --lower) mode=lower ;;
    --history) mode=history ;;
    --limits) limits=$2 && shift ;;
    --reference) reference=$2 && shift ;;
    *) break ;;
    esac
    shift
done
header=$1
dir=$2
kind=${3:-}

# Of each header: its private prefix, rooms that may ask for the system, and what it exports and leaves defined.
if test "$kind" = cuda; then
    prefix=bsi_cuda_ os_rooms="driver dummy" public=biost_cuda_ interface='(BIOST_CUDA|BIOSTREAM_CUDA)_'
    private='BSI_CUDA_.*'
else
    prefix=bsi_ os_rooms=platform public=biost_ interface='(BIOST|BIOSTREAM)_' private='BSI_.*'
fi

mkdir -p "$dir"
results=$dir/results.txt
values=$dir/values.tsv
case $header in /*) path=$header ;; *) path=$(pwd)/$header ;; esac
if test ! -f "$path"; then
    echo "FAILED there is no $header"
    echo "0 passed, 1 failed"
    exit 1
fi

# verdict CHECK FILE: FILE lists what is wrong.
verdict() {
    if test -s "$2"; then
        echo "FAILED $1"
        sed -e 's/^/    /' -e 20q "$2"
    else
        echo "ok $1"
    fi
}

# Macros that the header leaves behind, as the compiler sees them: -dD keeps definitions and line marks.
macros_left() {
    $CC -std=c99 -E -dD "$1" 2> /dev/null | awk -v header="$path" '
        /^# [0-9]+ "/ { file = $0; sub(/^# [0-9]+ "/, "", file); sub(/".*$/, "", file) }
        /^#define /   { name = $2; sub(/\(.*/, "", name); if (file == header) left[name] = 1 }
        /^#undef /    { delete left[$2] }
        END           { for (name in left) print name }' | sort
}

# External names that no object of ours may ask for: standard streams and formatting, the end of the
# process, environment, signals, locale, and the whole of libm.
forbidden() {
    awk '
    BEGIN {
        list = "printf fprintf sprintf snprintf dprintf asprintf vprintf vfprintf vsprintf vsnprintf vasprintf " \
            "scanf fscanf sscanf puts putchar putc fputs fputc fwrite fread fopen fopen64 fdopen freopen fclose " \
            "fseek fseeko fseeko64 ftell ftello ftello64 rewind fgets fgetc getc getchar gets getline ungetc " \
            "fflush setvbuf tmpfile perror psignal stdin stdout stderr __stdinp __stdoutp __stderrp " \
            "exit _exit _Exit abort atexit at_quick_exit quick_exit __assert_fail __assert_rtn __cxa_atexit " \
            "getenv secure_getenv setenv putenv unsetenv environ " \
            "signal sigaction sigprocmask pthread_sigmask raise kill " \
            "setlocale localeconv newlocale uselocale strtod strtof strtold atof strcoll " \
            "longjmp setjmp rand srand random srandom system popen fork execve"
        math = "sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 expm1 log log2 log10 log1p pow sqrt cbrt " \
            "hypot floor ceil trunc round lround llround rint lrint llrint nearbyint fmod remainder fma fmin fmax " \
            "fabs ldexp scalbn scalbln frexp modf erf erfc tgamma lgamma copysign nextafter logb ilogb"
        count = split(list, words, " ")
        for (i = 1; i <= count; ++i) bad[words[i]] = 1
        count = split(math, words, " ")
        for (i = 1; i <= count; ++i) bad[words[i]] = bad[words[i] "f"] = bad[words[i] "l"] = 1
    }
    {
        name = $NF
        sub(/@.*/, "", name)
        plain = name
        sub(/^__isoc(99|23)_/, "", plain)
        if (plain ~ /^__.*_chk$/) { sub(/^__/, "", plain); sub(/_chk$/, "", plain) }
        bare = plain
        sub(/^_/, "", bare)
        if (plain in bad || bare in bad) print name
    }'
}

# Numbers in >>open of biostream_cuda.h that are the default of a field of a loader's desc, which biost_loader_shape
# gives. Those below 4 mean too much else. The fields' table of that room has numbers of its own.
defaults_of_loaders() {
    awk '
    FNR == 1                                    { ++file }
    file == 1 && /BSI_FIELD_NUMBER\(biost_loader_desc,/ { split($0, part, /, */); number[part[7] + 0] = 1 }
    file == 1 && /static void bsi_fields_resolve_/ { resolves = 1 }
    file == 1 && /^}/                           { resolves = 0 }
    file == 1 && resolves                       { look($0) }
    file == 2 && /^ \* >>/                      { opens = $2 == ">>open" }
    file == 2 && opens && !/^ \*|BSI_CUDA_OPEN_FIELD\(/ { look($0) }
    function look(line, count, word, i) {
        gsub(/"[^"]*"|\/\*.*\*\//, "", line)
        count = split(line, word, /[^A-Za-z0-9_]+/)
        for (i = 1; i <= count; ++i) {
            sub(/u$/, "", word[i])
            if (word[i] !~ /^[0-9]+$/ || word[i] + 0 < 4) continue
            if (file == 1) number[word[i] + 0] = 1
            else if ((word[i] + 0) in number) print "line " FNR ": " word[i] " is a default of biost_loader_desc"
        }
    }' "$1" "$2"
}

# measure NAME VALUE: for limits.awk.
measure() { printf '%s\t-\t%s\t-\n' "$1" "$2" >> "$values"; }

# Bytes of code and constants in an object.
code_bytes() { size "$1" | awk 'NR == 2 { print $1 + $2 }'; }

lint_text() {
    awk -v values="$values" -v prefix="$prefix" -v os_rooms="$os_rooms" -f "$here/lint.awk" "$path" ||
        echo "FAILED text_is_read"
    measure bytes "$(($(wc -c < "$path")))"
    awk -f "$here/fields.awk" "$path" "$here/test_fields.c" > "$dir/list.txt" || echo "$here/fields.awk" >> "$dir/list.txt"
    verdict "every_field_has_a_row" "$dir/list.txt"
    if test "$kind" != cuda; then
        awk -v ask=cases -f "$here/descs.awk" "$path" "$here/test_rules.c" > "$dir/list.txt" || echo "$here/descs.awk" >> "$dir/list.txt"
        verdict "every_rule_has_a_case" "$dir/list.txt"
        awk -v ask=guesses -f "$here/descs.awk" "$path" > "$dir/list.txt" || echo "$here/descs.awk" >> "$dir/list.txt"
        verdict "defaults_stand_once" "$dir/list.txt"
    fi
    if test "$kind" = cuda; then
        sh "$here/version.sh" "$(dirname "$path")/biostream.h" "$path" > "$dir/version.txt" 2> "$dir/list.txt" ||
            echo "$here/version.sh" >> "$dir/list.txt"
        verdict "version_is_that_of_biostream" "$dir/list.txt"
        defaults_of_loaders "$(dirname "$path")/biostream.h" "$path" > "$dir/list.txt" ||
            echo "$(dirname "$path")/biostream.h" >> "$dir/list.txt"
        verdict "no_defaults_of_loaders" "$dir/list.txt"
    fi
    texts=
    for text in "$(dirname "$path")/README.md" "$(dirname "$path")/bench/README.md" "$(dirname "$path")"/examples/[A-Z]*.md; do
        test "$kind" = cuda || test ! -f "$text" || texts="$texts $text"
    done
    # shellcheck disable=SC2086
    awk -f "$here/lint_words.awk" "$here/lint_words.tsv" "$path" $texts > "$dir/list.txt" ||
        echo "$here/lint_words.awk" >> "$dir/list.txt"
    verdict "words_of_the_glossary" "$dir/list.txt"
}

lint_macros() {
    macros_left "$dir/alone.c" | grep -v -E "^$interface" > "$dir/list.txt"
    verdict "macros_left_by_the_interface" "$dir/list.txt"
    macros_left "$dir/implement.c" |
        grep -v -E "^($interface.*|$private|_POSIX_C_SOURCE|_DARWIN_C_SOURCE|_FILE_OFFSET_BITS)\$" > "$dir/list.txt"
    verdict "macros_left_by_the_implementation" "$dir/list.txt"
}

# By itself, beside biostream.h in another file: of it just public calls are asked for.
lint_guest() {
    # shellcheck disable=SC2086
    $CC -std=c99 -O0 -fno-builtin $pic $define -c "$dir/guest.c" -o "$dir/guest.o" > "$dir/list.txt" 2>&1 &&
        nm "$dir/guest.o" > "$dir/guest.txt" &&
        awk -v public="^_?$public" '
            NF == 3 && $2 ~ /^[A-TV-Z]$/ && $3 !~ public { print "exports " $3 }
            $(NF - 1) == "U" && $NF ~ /^_?bsi_/          { print "asks for " $NF }' "$dir/guest.txt" \
            > "$dir/list.txt"
    verdict "stands_beside_biostream" "$dir/list.txt"
}

lint_object() {
    nm "$dir/implement.o" > "$dir/nm.txt"
    awk 'NF == 3 && $2 ~ /^[A-TV-Z]$/ && $3 !~ /^_?biost_/ { print $3 }' "$dir/nm.txt" > "$dir/list.txt"
    verdict "exported_symbols_are_biost" "$dir/list.txt"
    awk 'NF == 3 && $2 ~ /^[DdBbCGgSs]$/ { print $2, $3 }' "$dir/nm.txt" > "$dir/list.txt"
    verdict "no_writable_globals" "$dir/list.txt"
    test "$kind" != cuda || lint_guest
    awk '$(NF - 1) == "U"' "$dir/nm.txt" | forbidden > "$dir/list.txt"
    verdict "no_forbidden_symbols" "$dir/list.txt"
    printf 'asks for:'
    awk '$(NF - 1) == "U" { sub(/@.*/, "", $NF); printf " %s", $NF } END { print "" }' "$dir/nm.txt"
    # What stands beside biostream.h is measured without it.
    object=implement
    test "$kind" != cuda || object=guest
    if test -n "$compiler" && test -s "$dir/$object.o"; then
        measure "undefined_symbols$compiler" "$(nm "$dir/$object.o" |
            awk '$(NF - 1) == "U" && $NF !~ /^_?(libdeflate|biost)_/ { ++count } END { print count + 0 }')"
        measure "object_bytes$compiler" "$(code_bytes "$dir/$object.o")"
    fi
}

lint_fast() {
    if test "$kind" = cuda; then
        # shellcheck disable=SC2086
        $CC -std=c99 -O2 -c "$dir/guest.c" -o "$dir/fast.o"
    else
        sh "$here/compile_time.sh" --rounds 1 ${reference:+--reference "$reference"} "$header" "$dir"
    fi
    test -z "$compiler" || measure "code_bytes$compiler" "$(code_bytes "$dir/fast.o")"
    # What >>options says of the switches' prices is measured with this compiler.
    : > "$dir/list.txt"
    test "$compiler" != _gcc12 || sh "$here/../bench/switches.sh" --check "$path" "$dir" > "$dir/list.txt" 2>&1 ||
        echo "bench/switches.sh" >> "$dir/list.txt"
    verdict "prices_of_switches" "$dir/list.txt"
}

{
    printf '#include "%s"\n' "$path" > "$dir/alone.c"
    printf '#define BIOSTREAM_IMPLEMENTATION\n#define BIOSTREAM_CUDA_IMPLEMENTATION\n#include "%s"\n' "$path" \
        > "$dir/implement.c"
    printf '#define BIOSTREAM_CUDA_IMPLEMENTATION\n#include "%s"\n' "$path" > "$dir/guest.c"
    : > "$values"
    # Rows of the table for which this run has no values.
    ignore='_gcc[0-9]+$'

    lint_text
    if test $extent != text; then
        define=
        echo '#include <libdeflate.h>' > "$dir/libdeflate.c"
        ! $CC -E "$dir/libdeflate.c" > /dev/null 2>&1 || define=-DBIOSTREAM_LIBDEFLATE
        compiler=$(sh "$here/compiler_of_sizes.sh" "$dir")
        command -v size > /dev/null 2>&1 || compiler=
        lint_macros
        # At -O0 -fno-builtin no call is inlined or dropped; without -fno-pic tables of pointers would seem writable.
        pic=
        echo 'int probe;' > "$dir/pic.c"
        ! $CC -fno-pic -fno-pie -c "$dir/pic.c" -o "$dir/pic.o" > /dev/null 2>&1 || pic="-fno-pic -fno-pie"
        # shellcheck disable=SC2086
        $CC -std=c99 -O0 -fno-builtin -Werror=implicit-function-declaration $pic $define -c "$dir/implement.c" \
            -o "$dir/implement.o" > "$dir/errors.txt" 2>&1 && : > "$dir/errors.txt"
        verdict "compiles" "$dir/errors.txt"
        if test ! -s "$dir/errors.txt"; then
            lint_object
            if test $extent = full; then lint_fast; fi
            ignore='^compile_'
            test $extent = full || ignore="$ignore|^code_bytes_"
            test -n "$compiler" || ignore='_gcc[0-9]+$'
        fi
    fi
    if test $mode = judge; then
        awk -v header="$(basename "$header")" -v ignore="$ignore" -f "$here/limits.awk" "$limits" "$values" ||
            echo "FAILED limits_are_read"
    fi
} > "$results"

# What HEADER measured on some days, and measures now.
history=$here/lint_history.tsv
sizes_of_today() {
    awk -F '\t' -v header="$(basename "$header")" -v date="$(date +%Y-%m-%d)" -v compiler="$compiler" '
        FNR == NR { size[$1] = $3; next }
        /^measure: compile -O2 / {
            split($0, word, " ")
            size["compile_O2"] = word[6]
            size["compile_O0"] = word[14]
        }
        function of(name) { return size[name] == "" ? "-" : size[name] }
        END {
            OFS = "\t"
            print date, header, of("lines"), of("bytes"), of("rooms"), of("code_bytes" compiler), of("object_bytes" compiler),
                of("compile_O0"), of("compile_O2")
        }' "$values" "$results"
}
if test $mode = history; then
    if grep -A 3 -E '^FAILED (text_is_read|compiles)' "$results"; then exit 1; fi
    sizes_of_today > "$dir/today.tsv"
    awk -F '\t' 'FNR == NR { new = $0; date = $1; header = $2; next } $1 != date || $2 != header { print } END { print new }' \
        "$dir/today.tsv" "$history" > "$dir/history.tsv" && cat "$dir/history.tsv" > "$history"
    exit
fi

if test $mode != judge; then
    if grep -A 3 -E '^FAILED (text_is_read|compiles)' "$results"; then exit 1; fi
    awk -v header="$(basename "$header")" -v ignore="$ignore" -v mode=$mode -f "$here/limits.awk" "$limits" "$values" \
        > "$dir/limits.tsv" || exit 1
    if test $mode = table; then cat "$dir/limits.tsv"; else cat "$dir/limits.tsv" > "$limits"; fi
    exit 0
fi

cat "$results"
compiler=${compiler:-}
sizes_of_today | awk -F '\t' '
    FNR == NR { header = $2; today = $0; next }
    $2 == header { print_row($0, $1); found = 1 }
    function print_row(row, when,    f) {
        split(row, f, "\t")
        printf "measure: history %s: %s lines, %s bytes, %s rooms, code %s, at -O0 %s, compile %s and %s\n", when, f[3], f[4],
            f[5], f[6], f[7], f[9], f[8]
    }
    END { if (found) print_row(today, "today") }' - "$history"
awk '/^ok / { ++p } /^FAILED / { ++f } END { printf "%d passed, %d failed\n", p, f; exit (f > 0) }' "$results"
