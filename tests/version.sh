#!/bin/sh
# Print the version as biostream.h defines it: major.minor.patch.
awk '$1 == "#define" && $2 ~ /^BIOST_VERSION_(MAJOR|MINOR|PATCH)$/ { part[$2] = $3 }
     END { print part["BIOST_VERSION_MAJOR"] "." part["BIOST_VERSION_MINOR"] "." part["BIOST_VERSION_PATCH"] }' \
    "${1:-biostream.h}"
