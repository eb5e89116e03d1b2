#!/bin/sh
# public.sh check|write [BIOSTREAM_H BIOSTREAM_CUDA_H [FOLDER]] - hold the public names and layouts of a version fast. They
# stand in FOLDER/public_MAJOR.MINOR.tsv, by public.awk; a patch of a version has those of all others.
#
#   check   fail if the headers have others than the file of their version has, or there is no such file
#   write   write the file of a version that has none
#   again   write it anew: only for a version that nobody was given yet
#
# check ends with `N passed, N failed`.
set -u
tests=$(cd "$(dirname "$0")" && pwd)
task=${1:-check}
header=${2:-$tests/../biostream.h}
guest=${3:-$tests/../biostream_cuda.h}
folder=${4:-$tests}
version=$(sh "$tests/version.sh" "$header" "$guest") || exit 1
file=$folder/public_${version%.*}.tsv
now=$(awk -f "$tests/bare.awk" -f "$tests/public.awk" "$header" "$guest") || exit 1

case $task in
    write)
        if test -f "$file"; then
            echo "public.sh: version ${version%.*} has $file: raise BIOST_VERSION_MINOR first" >&2
            exit 1
        fi
        printf '%s\n' "$now" > "$file" ;;
    again) printf '%s\n' "$now" > "$file" ;;
    check)
        if ! test -f "$file"; then
            echo "FAILED version ${version%.*} has no $file: sh tests/public.sh write"
        elif printf '%s\n' "$now" | cmp -s - "$file"; then
            echo "1 passed, 0 failed"
            exit 0
        else
            printf '%s\n' "$now" | diff "$file" - | sed -n -e '1,20s/^</    was/p' -e '1,20s/^>/    is/p'
            echo "FAILED public names or layouts are not those of version ${version%.*}: raise BIOST_VERSION_MINOR, then"
            echo "    sh tests/public.sh write (a version that nobody was given yet: sh tests/public.sh again)"
        fi
        echo "0 passed, 1 failed"
        exit 1 ;;
    *) echo "usage: public.sh check|write|again" >&2; exit 2 ;;
esac
