#!/bin/sh
# test_tools_files.sh DIR - the files that the tools in DIR write, and names of files: several tools that write one file
# at once, disks that are full, links, pipes, devices, permissions, folders of .npy files that are used twice, pipes where
# a file is wanted, and names with bytes that are no text.
# Ends with `N passed, N failed`.
# needs: nothing
. tests/shell.sh
reads=$data/illumina_hiseqx_150bp.fastq.gz
blocks=$data/illumina_hiseqx_150bp.bgzf.fastq.gz

run() { call "$@"; }

# at_once COUNT COMMAND...: COUNT of them at the same time; {} in an argument is the number of each. $bad is how many
# failed; what they said is in err.
at_once() {
    count=$1
    shift
    rm -f "$work"/at_once.*
    number=0
    while test $number -lt "$count"; do
        # shellcheck disable=SC2001
        line=$(printf "'%s' " "$@" | sed "s/{}/$number/g")
        (eval "$line" > /dev/null 2> "$work/at_once.$number" || echo "ended with $?" >> "$work/at_once.$number") &
        number=$((number + 1))
    done
    wait
    cat "$work"/at_once.* > "$work/err"
    bad=$(grep -c '^ended with' "$work/err")
}

# files FOLDER: how many names it has.
files() { find "$1" ! -path "$1" | wc -l | tr -d ' '; }

# mode FILE: "-rw-r--r--"
mode() { ls -ld "$1" | cut -c 1-10; }

# no_space BLOCKS TOOL ARGUMENTS...: as run, where no file can have more than so many blocks of 512 or 1024 bytes.
no_space() {
    most=$1
    tool=$2
    shift 2
    said=$(trap '' XFSZ; ulimit -f "$most"; "$dir/$tool" "$@" 2>&1 > /dev/null < /dev/null; echo "code $?")
    code=${said##*code }
    echo "${said%code *}" > "$work/err"
    : > "$work/out"
}

# watched COMMAND...: a command that must not wait for ever; its exit code in $code.
watched() {
    $(sh tests/limit.sh) 30 "$@" > "$work/out" 2> "$work/err" < /dev/null
    code=$?
}

: > "$work/out"
: > "$work/err"

# -- several at once -----------------------------------------------------------------------------------

mkdir "$work/once"
round=0
while test $round -lt 5; do
    at_once 6 "$dir/fxindex" -t 1 -o "$work/once/a.bsx" "$reads"
    check "six fxindex at once, round $round" test "$bad" = 0
    at_once 6 "$dir/fxindex" --gzi -o "$work/once/a.gzi" "$blocks"
    check "six fxindex --gzi at once, round $round" test "$bad" = 0
    at_once 4 "$dir/fxbatch" --bases 150 --rank {} --world 4 --index "$work/once/b.bsx" --save-index \
        --state-file "$work/once/state" --stop-after 3 --workers 1 "$reads"
    check "four ranks with --save-index and --state-file at once, round $round" test "$bad" = 0
    round=$((round + 1))
done
check "nothing else is left" test "$(files "$work/once")" = 4
run fxindex -o "$work/alone.bsx" "$reads"
check "the index is that of one alone" cmp -s "$work/once/a.bsx" "$work/alone.bsx"

# -- permissions, links, pipes, devices ------------------------------------------------------------------

# saves NAME FILE COMMAND...: what a tool writes as FILE, alone and where other things have the name. The bytes are those
# of the first.
saves() {
    name=$1
    file=$2
    shift 2
    rm -rf "$work/saved"
    mkdir "$work/saved"
    (umask 022; "$@" > "$work/out" 2> "$work/err")
    code=$?
    check "$name" ends 0 ""
    check "$name: the mode of a new file" test "$(mode "$file")" = -rw-r--r--
    cp "$file" "$work/expected"
    chmod 600 "$file"
    (umask 022; "$@" > "$work/out" 2> "$work/err")
    check "$name: the mode of a file that was there" test "$(mode "$file")" = -rw-------
    mv "$file" "$work/saved/aim"
    ln -s aim "$file"
    echo old > "$work/saved/aim"
    "$@" > "$work/out" 2> "$work/err"
    check "$name: a link stays" test -h "$file"
    check "$name: what it leads to is written" cmp -s "$work/saved/aim" "$work/expected"
    rm "$work/saved/aim"
    "$@" > "$work/out" 2> "$work/err"
    check "$name: what it leads to is made" cmp -s "$work/saved/aim" "$work/expected"
    rm "$file" "$work/saved/aim"
    ln -s /dev/null "$file" # never the device itself: it would be gone where this fails
    "$@" > "$work/out" 2> "$work/err"
    code=$?
    check "$name to /dev/null" ends 0 ""
    check "$name: the link to a device stays" test -h "$file"
    check "$name: and the device" test -c /dev/null
    rm "$file"
    if test -c /dev/full; then
        ln -s /dev/full "$file"
        "$@" > "$work/out" 2> "$work/err"
        code=$?
        check "$name to a full device" ends 1 "cannot be written"
        check "$name: and a full device" test -h "$file"
        rm "$file"
    else
        skip /dev/full
    fi
    mkfifo "$file"
    cat "$file" > "$work/read" &
    reader=$!
    watched "$@"
    check "$name to a pipe" test "$code" = 0 # it may say that it waited
    check "$name: the pipe stays" test -p "$file"
    test -p "$file" || kill $reader # nobody writes
    wait $reader
    check "$name: its reader gets all" cmp -s "$work/read" "$work/expected"
    rm "$file"
    check "$name: nothing else is left" test "$(files "$work/saved")" = 0
}
saves "fxindex" "$work/saved/a" "$dir/fxindex" -o "$work/saved/a" "$reads"
saves "fxindex --gzi" "$work/saved/a" "$dir/fxindex" --gzi -o "$work/saved/a" "$blocks"
saves "a resume state" "$work/saved/a" "$dir/fxbatch" --bases 150 --stop-after 2 --state-file "$work/saved/a" "$reads"

# -- a disk that is full -----------------------------------------------------------------------------------

if (trap '' XFSZ; ulimit -f 0) 2> /dev/null; then
    mkdir "$work/full"
    echo old > "$work/full/a"
    no_space 0 fxbatch --bases 150 --stop-after 2 --state-file "$work/full/a" "$reads"
    check "a resume state on a full disk" ends 1 "full/a cannot be written: writing failed: "
    check "leaves nothing else" test "$(files "$work/full")" = 1
    no_space 0 fxindex -o "$work/full/a" "$reads"
    check "an index on a full disk" ends 1 "full/a: cannot be written: writing failed: "
    no_space 0 fxindex --gzi -o "$work/full/a" "$blocks"
    check "a .gzi on a full disk" ends 1 "full/a cannot be written: writing failed: "
    check "the old file stays" test "$(cat "$work/full/a")" = old
    check "nothing else is left of them" test "$(files "$work/full")" = 1
    no_space 8 fxbatch --bases 150 --npy "$work/full/npy" "$reads"
    check "--npy on a full disk" ends 1 "epoch0_batch000000_x.npy cannot be written: writing failed: "
    check "no file is left that was cut off" test "$(files "$work/full/npy")" = 0
    no_space 8 fxbatch --bases 2 --long head --rows 64 --first 128 --npy "$work/full/npy" "$reads"
    check "smaller files fit" test "$code,$(files "$work/full/npy")" = 0,6
else
    skip "ulimit -f"
fi

# -- a folder of .npy files, used twice -------------------------------------------------------------------

# npy FLAGS...: 128 rows into the folder.
npy() { run fxbatch --bases 2 --long head --rows 32 --npy "$work/npy" "$@" "$reads"; }
# listed: the names in the folder, without those of the arrays.
listed() { (cd "$work/npy" && find . ! -name . | sed 's|^./||; s/_[a-z]*\.npy$//' | sort -u | tr '\n' ' '); }
npy --first 128
check "--npy" test "$code,$(listed)" = "0,epoch0_batch000000 epoch0_batch000001 epoch0_batch000002 epoch0_batch000003 "
cp "$work/npy/epoch0_batch000000_x.npy" "$work/expected"
echo mine > "$work/npy/notes.txt"
echo mine > "$work/npy/epoch_batch_x.npy"
npy --first 64
check "a folder that has such files is refused" ends 1 "npy has epoch0_batch00000[0-3]_[a-z]*.npy of another run.*--overwrite"
check "and stays as it is" test "$(files "$work/npy")" = 14
: > "$work/npy/epoch0_batch000007_x.npy.0000000012340000.part"
npy --first 64 --overwrite
check "--overwrite" ends 0 ""
check "leaves the files of this run, and what is of nobody" test "$(listed)" = \
    "epoch0_batch000000 epoch0_batch000001 epoch_batch notes.txt "
check "which are the same" cmp -s "$work/npy/epoch0_batch000000_x.npy" "$work/expected"
rm -r "$work/npy"
npy --first 128 --stop-after 2 --state-file "$work/state"
check "a part of an epoch" test "$code,$(listed)" = "0,epoch0_batch000000 epoch0_batch000001 "
npy --first 128 --resume "$work/state"
check "the rest goes into the same folder" test "$code,$(listed)" = \
    "0,epoch0_batch000000 epoch0_batch000001 epoch0_batch000002 epoch0_batch000003 "
npy --first 128 --resume "$work/state"
check "but not twice" ends 1 "epoch0_batch00000[23]_.*--overwrite"
: > "$work/npy/epoch0_batch000009_x.npy"
npy --first 128 --resume "$work/state" --overwrite
check "unless it is to be overwritten" test "$code,$(listed)" = \
    "0,epoch0_batch000000 epoch0_batch000001 epoch0_batch000002 epoch0_batch000003 "
run fxbatch --bases 2 --long head --overwrite "$reads"
check "--overwrite alone" ends 2 "overwrite.*--npy"

# -- pipes where a file is wanted ----------------------------------------------------------------------------

# waits WHAT CODE WORDS TOOL ARGUMENTS...: a tool with a pipe that nobody writes ends by itself.
waits() {
    what=$1
    want=$2
    words=$3
    shift 3
    tool=$1
    shift
    watched "$dir/$tool" "$@"
    check "$what" ends "$want" "$words"
}
mkfifo "$work/fifo"
waits "fxindex of a pipe" 2 "fifo: an index needs a file, .*: this is a pipe or device" fxindex "$work/fifo"
waits "fxindex --gzi of a pipe" 1 "fifo: is a pipe or device" fxindex --gzi "$work/fifo"
check "no index is made of it" test ! -e "$work/fifo.bsx" -a ! -e "$work/fifo.gzi"
cp "$work/alone.bsx" "$work/fifo.bsx"
waits "a record of a pipe, with an index" 2 "fifo: an index needs a file, .*: this is a pipe or device" \
    fxindex "$work/fifo" 3
waits "fxunzip with an index of a pipe" 2 "fifo: an index needs a file, .*: this is a pipe or device" \
    fxunzip --index "$work/alone.bsx" "$work/fifo"
waits "an index that is a pipe" 1 "fifo: is a pipe or device, and an index is a file" \
    fxunzip --index "$work/fifo" "$reads"
waits "an index of fxbatch that is a pipe" 1 "fifo: is a pipe or device, and an index is a file" \
    fxbatch --bases 150 --index "$work/fifo" "$reads"

waits "a store that is to be a pipe" 1 "fifo: is a pipe or device, and a store is a file" \
    fxstore "$reads" -o "$work/fifo"
check "and nothing is made beside it" test "$(find "$work" -name 'fifo*' | wc -l | tr -d ' ')" = 2
for flag in --info --verify "--fetch a"; do
    # shellcheck disable=SC2086
    waits "a store that is a pipe: $flag" 1 "fifo: is a pipe or device, and a store is a file" \
        fxstore $flag "$work/fifo"
done

# What is written in place says that it waits, and goes on when somebody reads.
"$dir/fxindex" --gzi -o "$work/awaited.gzi" "$blocks" > /dev/null
: > "$work/err"
"$dir/fxindex" --gzi -o "$work/fifo" "$blocks" > "$work/out" 2>> "$work/err" &
writer=$!
tries=0
while test ! -s "$work/err" -a $tries -lt 300; do
    sleep 0.1
    tries=$((tries + 1))
done
check "a pipe that nobody reads" grep -q 'fifo: this is a pipe, and waits until somebody reads it' "$work/err"
cat "$work/fifo" > "$work/read"
wait $writer
code=$?
check "is written once somebody does" test "$code" = 0
check "with what a file has" cmp -s "$work/read" "$work/awaited.gzi"

# -- a circle of links --------------------------------------------------------------------------------------

ln -s circle_b "$work/circle_a"
ln -s circle_a "$work/circle_b"
for tool in fxstore fxbatch fxcat fxcount fxunzip fxindex; do
    set -- "$work/circle_a"
    test $tool != fxstore || set -- -o "$work/circle.bst" "$work/circle_a"
    run $tool "$@"
    check "$tool of a circle of links" ends 1 'circle_a: cannot be opened: symbolic links lead in a circle$'
done
run fxstore "$reads" -o "$work/circle_a"
check "a store that is to be one" ends 1 'circle_a: cannot be written: symbolic links lead in a circle$'

# -- parts of savers that were killed --------------------------------------------------------------------------

# A process that is gone, and one that is there; parts of other files, and what only looks like one.
true &
gone=$!
wait $gone
mkdir "$work/parts"
dead=$(printf %08x $gone)
here=$(printf %08x $$)
printf '>a\nACGT\n' > "$work/parts/a.fa"
for part in "a.bst.${dead}0000" "a.bst.${dead}00ff" "a.bst.${here}0000" "b.bst.${dead}0000" "a.bst.${dead}000" \
    "a.bst.x${dead}000" "aa.bst.${dead}0000"; do
    : > "$work/parts/$part.part"
done
run fxstore "$work/parts/a.fa" -o "$work/parts/a.bst"
check "a build goes well beside parts of others" ends 0 ""
check "and removes those whose builder is gone" test "$(cd "$work/parts" && echo *)" = "$(printf '%s\n' a.bst \
    "a.bst.${dead}000.part" "a.bst.${here}0000.part" "a.bst.x${dead}000.part" a.fa "aa.bst.${dead}0000.part" \
    "b.bst.${dead}0000.part" | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
ln -s b.bst "$work/parts/link.bst"
run fxstore "$work/parts/a.fa" -o "$work/parts/link.bst"
check "those beside the file that a link leads to" test "$code,$(find "$work/parts" -name 'b.bst*')" = "0,$work/parts/b.bst"
: > "$work/parts/a.fa.fai.${dead}0000.part"
: > "$work/parts/a.fa.bsx.${dead}0000.part"
run fxindex --fai "$work/parts/a.fa"
run fxindex "$work/parts/a.fa"
check "indexes do so too" test "$code,$(find "$work/parts" -name "a.fa.*.part")" = "0,"
# A builder that runs has its part locked. So the part stays, although no process here has the number in its name, as if
# the builder were on another machine.
if python3 -c 'import fcntl' 2> "$work/err"; then
    : > "$work/parts/a.bst.${dead}0007.part"
    python3 -c 'import fcntl, subprocess, sys
part = open(sys.argv[1], "w")
fcntl.lockf(part, fcntl.LOCK_EX)
sys.exit(subprocess.call(sys.argv[2:]))' "$work/parts/a.bst.${dead}0007.part" \
        "$dir/fxstore" "$work/parts/a.fa" -o "$work/parts/a.bst" > "$work/out" 2> "$work/err"
    check "a part that is locked stays" test "$?,$(find "$work/parts" -name "*0007.part" | wc -l | tr -d ' ')" = "0,1"
else
    skip "python3 with fcntl"
fi

# -- outputs that are inputs ------------------------------------------------------------------------------------

mkdir "$work/own"
cp "$blocks" "$work/own/reads.gz"
ln -s reads.gz "$work/own/link.gz"
for output in reads.gz ./reads.gz link.gz; do
    run fxindex -o "$work/own/$output" "$work/own/reads.gz"
    check "no index over its input: $output" ends 2 'is an input, and would be lost'
    run fxindex --gzi -o "$work/own/$output" "$work/own/reads.gz"
    check "no .gzi over its input: $output" ends 2 'is an input, and would be lost'
    run fxbatch --bases 150 --state-file "$work/own/$output" "$work/own/reads.gz"
    check "no resume state over its input: $output" ends 2 'is an input, and would be lost'
    check "the input is as it was: $output" cmp -s "$blocks" "$work/own/reads.gz"
done

# -- names in tables --------------------------------------------------------------------------------------------

# A name that leads to an open file whose own name says nothing, as standard output that goes to one: written in place.
if test -e /dev/stdout; then
    "$dir/fxindex" --gzi -o "$work/named.gzi" "$blocks" > /dev/null
    "$dir/fxindex" --gzi -o /dev/stdout "$blocks" > "$work/stdout.gzi" 2> "$work/err"
    check "an index to standard output that is a file" test "$(head -c "$(wc -c < "$work/named.gzi")" "$work/stdout.gzi" |
        cmp - "$work/named.gzi" && echo same)" = same
    (rm -f "$work/gone"; exec 3> "$work/gone"; rm "$work/gone"; "$dir/fxindex" --gzi -o /dev/fd/3 "$blocks") \
        > "$work/out" 2> "$work/err"
    check "an index to a file without a name" test "$?,$(find "$work" -name 'gone*' | wc -l | tr -d ' ')" = "0,0"
fi

# What is to be written is the input itself, by its name or a link: refused, and the input stays.
mkdir -p "$work/itself"
cp "$blocks" "$work/itself/reads.gz"
ln -s reads.gz "$work/itself/soft.gz"
ln "$work/itself/reads.gz" "$work/itself/hard.gz"
for name in reads.gz soft.gz hard.gz; do
    run fxindex -o "$work/itself/$name" "$work/itself/reads.gz"
    check "fxindex -o $name" ends 2 "would be lost"
    run fxindex --gzi -o "$work/itself/$name" "$work/itself/reads.gz"
    check "fxindex --gzi -o $name" test "$code" != 0
    run fxbatch --bases 150 --index "$work/itself/$name" --save-index "$work/itself/reads.gz"
    check "fxbatch --index $name" ends 2 "over its FILE"
    check "the input is as it was" cmp -s "$blocks" "$work/itself/reads.gz"
done

odd=$(printf 'a\tb\nc\033[31m\\d\303\251~ e')
plain='a\x09b\x0ac\x1b[31m\x5cd\xc3\xa9~ e'
printf '@a\nACGT\n+\nIIII\n' > "$work/$odd"
run fxcount "$work/$odd"
check "fxcount of a file with an odd name" ends 0 ""
check "is a line of eight columns" test "$(awk -F '\t' 'END { print NR, NF }' "$work/out")" = "2 8"
check "its bytes are named" test "$(sed -n 2p "$work/out" | cut -f 1)" = "$work/$plain"
run fxindex "$work/$odd"
check "fxindex of it" test "$code,$(cut -f 1 "$work/out")" = "0,$work/$plain"
run fxunzip --stats "$work/$odd"
check "fxunzip of it" test "$code,$(sed -n 2p "$work/err" | cut -f 1)" = "0,$work/$plain"
run fxcount "$work/no$tab"
check "sentences name them the same way" ends 1 'no\\x09: cannot be opened'

finish
