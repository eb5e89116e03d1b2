#!/bin/sh
# rooms.sh DIR [HEADER...] - cut the headers into files in the folder DIR, for tools that stop at so many bytes of a file,
# and for reading, or editing, one room at a time: DIR/biostream/NN_room.h, and NN_room_2.h and so on where a room has more
# than 60,000 bytes. Each begins with a #line that says where it stands in its header; without that line, and one after
# the other, they are the header. The header is the source: join.sh puts back into it what was edited here. Files that
# were edited and not joined are not cut anew.
set -eu
dir=$1
shift
test $# -gt 0 || set -- biostream.h biostream_cuda.h
for header in "$@"; do
    folder=$dir/$(basename "$header" .h)
    # DIR/biostream.cksum is that of the header that was cut.
    if test -f "$folder.cksum" && test -d "$folder" &&
        test "$(for file in "$folder"/*.h; do sed 1d "$file"; done | cksum)" != "$(cat "$folder.cksum")"; then
        echo "$folder was edited: make join puts that into $header; or remove the folder" >&2
        exit 1
    fi
    rm -rf "$folder"
    mkdir -p "$folder"
    LC_ALL=C awk -v folder="$folder" -v header="$header" -v most=60000 '
        # A new file: of the room at hand, its first or a further part.
        function begin(line) {
            if (name != "") {
                close(name)
            }
            name = sprintf("%s/%02d_%s%s.h", folder, number, room, part > 1 ? "_" part : "")
            printf "#line %d \"%s\"\n", line, header > name
            bytes = 0
        }
        function put(text) {
            print text > name
            bytes += length(text) + 1
        }
        # The first lines of a banner are held back until one tells whether a room begins there.
        function put_held(    i) {
            for (i = 1; i <= held; i++) {
                put(lines[i])
            }
            held = 0
        }
        BEGIN { room = "top"; part = 1; begin(1) }
        held > 0 && /^ \* >>[a-z]+ / {
            room = $2
            sub(/^>>/, "", room)
            number++
            part = 1
            begin(NR - held)
        }
        held > 0 && held < 4 && /^ \*( |$)/ && !/^ \* >>/ { lines[++held] = $0; next }
        # Between two functions or types of a room that is long.
        held == 0 && /^$/ && bytes > most - 12000 && last ~ /^}/ {
            put($0)
            last = ""
            part++
            begin(NR + 1)
            next
        }
        # And between two lines of a text that is longer still.
        held == 0 && /^    "/ && bytes > most { part++; begin(NR) }
        { put_held(); last = $0 }
        /^\/\* =+$/ { lines[held = 1] = $0; next }
        { put($0) }
        END { put_held() }' "$header"
    # It is the header, and no file is too long.
    for file in "$folder"/*.h; do sed 1d "$file"; done | cmp - "$header"
    for file in "$folder"/*.h; do
        test "$(wc -c < "$file")" -lt 65536 || { echo "$file has 64 KiB or more"; exit 1; }
    done
    cksum < "$header" > "$folder.cksum"
    echo "$folder: $(ls "$folder" | wc -l | tr -d ' ') files"
done
