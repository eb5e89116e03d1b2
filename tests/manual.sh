#!/bin/sh
# manual.sh HEADER DIR - cut the programs out of the header's manual into DIR/manual_NAME.c; prints the names.
# A program stands between the lines `//: program NAME` and `//: end` of the comment.
awk -v dir="$2" '
    /^ \*     \/\/: program / { name = $4; file = dir "/manual_" name ".c"; printf "" > file; print name; next }
    /^ \*     \/\/: end/      { if (name != "") close(file); name = ""; next }
    name != ""                { sub(/^ \*(     )?/, ""); print >> file }' "$1"
