#!/bin/sh
# join.sh DIR [HEADER...] - the way back of rooms.sh: put the files of DIR/biostream, one after the other without their
# first lines, into biostream.h, and cut it anew. What was edited is in the header then; else it stays as it is. A header
# that was changed itself since it was cut is left alone.
set -eu
dir=$1
shift
test $# -gt 0 || set -- biostream.h biostream_cuda.h
for header in "$@"; do
    folder=$dir/$(basename "$header" .h)
    refuse() {
        echo "$header is left as it is: $1" >&2
        exit 1
    }
    test -f "$folder.cksum" || refuse "there is no cut of it in $folder (make rooms)"
    test "$(cksum < "$header")" = "$(cat "$folder.cksum")" ||
        refuse "it was changed since it was cut into $folder. Move that folder away, make rooms, and edit again"
    for file in "$folder"/*.h; do
        case $(sed -n 1p "$file") in '#line '*) ;; *) refuse "$file does not begin with its #line" ;; esac
    done
    # A last line without an end gets one.
    LC_ALL=C awk 'FNR > 1' "$folder"/*.h > "$folder.joined"
    if cmp -s "$folder.joined" "$header"; then
        echo "$header: nothing was edited"
    else
        cat "$folder.joined" > "$header"
        rm "$folder.cksum" # all that was edited is in the header
        sh "$(dirname "$0")/rooms.sh" "$dir" "$header"
    fi
    rm -f "$folder.joined"
done
