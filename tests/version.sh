#!/bin/sh
# version.sh [BIOSTREAM_H [BIOSTREAM_CUDA_H]] - print the version as biostream.h defines it: major.minor.patch. Exit
# status 1, and a line why, if biostream_cuda.h is for another one: its first lines say `Version 1.2.3, for`.
header=${1:-biostream.h}
guest=${2:-biostream_cuda.h}
version=$(awk '$1 == "#define" && $2 ~ /^BIOST_VERSION_(MAJOR|MINOR|PATCH)$/ { part[$2] = $3 }
     END { print part["BIOST_VERSION_MAJOR"] "." part["BIOST_VERSION_MINOR"] "." part["BIOST_VERSION_PATCH"] }' \
    "$header")
echo "$version"
if test $# != 1 && test -f "$guest"; then
    other=$(sed -n '1,9s/^ \* Version \([0-9][0-9.]*[0-9]\), for biostream.h of the same version.*/\1/p' "$guest")
    if test "$other" != "$version"; then
        echo "$guest says version ${other:-nothing}, $header $version" >&2
        exit 1
    fi
fi
