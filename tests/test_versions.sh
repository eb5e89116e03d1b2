#!/bin/sh
# test_versions.sh DIR - what a program says that was compiled with the header of another version than the implementation
# that it is linked with, by each door that links or loads one; and that public.sh sees what changes in a header. DIR is
# for what is built. Ends with `N passed, N failed`.
# needs: nothing
. tests/shell.sh
mkdir -p "$work/tree/examples" "$work/names"
is=$(sh tests/version.sh)
other=$(echo "$is" | awk -F. '{ print $1 "." $2 + 1 "." $3 }')

# says NAME: that the last program's one line names both versions.
says() { check "$1 names both versions" sh -c 'grep -q "$2.*$3" "$1" && test "$(awk "END { print NR }" "$1")" = 1' - "$work/out" "$other" "$is"; }

# ---- doors: a header of the next version before the implementation of this one ----

cp -R examples/. "$work/tree/examples"
cp biostream_cuda.h "$work/tree"
minor=$(echo "$other" | cut -d. -f2)
sed "s/^#define BIOST_VERSION_MINOR .*/#define BIOST_VERSION_MINOR $minor/" biostream.h > "$work/tree/biostream.h"
${CC:-cc} -O0 -c -DBIOSTREAM_IMPLEMENTATION -x c biostream.h -o "$work/biostream.o" || exit 1
build() { # PROGRAM COMPILER SOURCE...
    program=$work/$1
    compiler=$2
    shift 2
    $compiler -O0 -DBIOSTREAM_IMPLEMENTED -I"$work/tree" -I"$work/tree/examples" "$@" "$work/biostream.o" -o "$program" -lm -ldl -pthread
}
cat > "$work/doors.c" << 'END'
#include "biostream_cuda.h"
#include "gz_over_biostream.h"
#define KSEQ_ON_ERROR(text) printf("%s\n", text);
#include "kseq_over_biostream.h"
KSEQ_INIT(int, read)
int main(int argc, char **argv) {
    if (argc == 2 && argv[1][0] == 'g') {
        return gzopen("biostream.h", "r") != NULL;
    }
    if (argc == 2 && argv[1][0] == 'c') {
        biost_cuda_desc desc;
        biost_cuda *cuda = NULL;
        biost_error error;
        memset(&desc, 0, sizeof desc);
        if (biost_cuda_open(&desc, &cuda, &error) == BIOST_ERR_UNSUPPORTED && cuda == NULL) {
            printf("%s\n", error.text);
        }
        return 0;
    }
    return kseq_read(kseq_init(0)) != -3;
}
END
cat > "$work/door.cc" << 'END'
#include "biostream_store.hpp"
#include <cstdio>
int main() {
    try {
        biost::reader reads("biostream.h");
    } catch (const biost::error &error) {
        std::puts(error.what());
    }
}
END
${CC:-cc} -O0 -I"$work/tree" -DBIOSTREAM_CUDA_IMPLEMENTATION -c -x c "$work/tree/biostream_cuda.h" -o "$work/biostream_cuda.o" || exit 1
check "C builds" build doors "${CC:-cc}" "$work/doors.c" "$work/biostream_cuda.o"
for door in kseq gz cuda; do
    "$work/doors" $door > "$work/out" 2>&1 < /dev/null
    check "$door ends as it should" test $? = 0
    says $door
done
check "a tool builds" build fxcat "${CC:-cc}" "$work/tree/examples/tools/fxcat.c"
"$work/fxcat" /dev/null > "$work/out" 2>&1
check "a tool fails" test $? = 1
says fxcat
if command -v "${CXX:-c++}" > /dev/null 2>&1; then
    check "C++ builds" build door_cc "${CXX:-c++} -std=c++11" "$work/door.cc"
    "$work/door_cc" > "$work/out" 2>&1
    says C++
fi
echo 'unsigned biost_version(void); unsigned biost_version(void) { return 90807; }' > "$work/other.c"
if ${CC:-cc} -shared -fPIC "$work/other.c" -o "$work/other.so" 2> "$work/out" &&
    python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$work/other.so" 2> /dev/null; then # not of 32 bits
    BIOSTREAM_LIB=$work/other.so python3 -c 'import sys; sys.path.insert(0, "examples"); import biostream_library' 2>&1 |
        tail -n 1 > "$work/out"
    check "Python names both versions" grep -q "^ImportError: .*other.so is biostream 9.8.7, and biostream_library.py is of $is" "$work/out"
fi

# ---- public.sh ----

# names TASK STATUS SED NAME: public.sh of a header that `sed` changed.
names() {
    sed "$3" biostream.h > "$work/names/biostream.h"
    sed "s/^ \* Version [0-9.]*, for/ * Version $(sh tests/version.sh "$work/names/biostream.h"), for/" biostream_cuda.h > "$work/names/biostream_cuda.h"
    sh tests/public.sh "$1" "$work/names/biostream.h" "$work/names/biostream_cuda.h" "$work/names" > "$work/out" 2>&1
    check "public.sh $1: $4" test $? = "$2"
}
next="s/^#define BIOST_VERSION_MINOR .*/#define BIOST_VERSION_MINOR $minor/"
names check 1 '' 'no list'
names write 0 '' 'the first list'
names check 0 '' 'nothing changed'
names write 1 '' 'a list is not written twice'
names check 0 's/^ \* Read the next record, whole.*/ * Other words./' 'a comment'
names check 0 's/^#define BIOST_VERSION_PATCH .*/#define BIOST_VERSION_PATCH 7/' 'a patch has the same list'
names check 1 's/biost_reader_peek(/biost_reader_look(/' 'a function is renamed'
names check 1 's/^BIOST_API uint32_t biost_cpu(void);/BIOST_API uint64_t biost_cpu(void);/' 'another type'
names check 1 's/BIOST_FORMAT_FASTQ = 2/BIOST_FORMAT_FASTQ = 3/' 'a value'
names check 1 's/^    int four_lines; .*/    int other;/' 'a field is renamed'
names check 1 's/^    int32_t os_error; .*/    int64_t os_error;/' 'a field grew'
names check 1 's/^    uint64_t line;  .*/    uint64_t line, column;/' 'one more field'
names check 1 "$next" 'a new version has no list'
names write 0 "$next" 'the list of a new version'
names check 0 "$next" 'and it is held'
finish
