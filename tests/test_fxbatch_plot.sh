#!/bin/sh
# test_fxbatch_plot.sh DIR - the picture of `fxbatch --plot`: counts that are worked out by hand, in the words that a browser
# shows over a bar; wrong use. Ends with `N passed, N failed`.
# needs: nothing
. tests/shell.sh

picture=$work/picture.svg

# drawn FLAGS...: a picture is made, and is XML where that can be asked.
drawn() {
    rm -f "$picture"
    call fxbatch --plot "$picture" "$@"
    check "fxbatch $* ends well" ends 0 ''
    if command -v python3 > /dev/null; then
        check "the picture is XML" python3 -c "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])" "$picture"
    else
        skip "python3, which would read the picture"
    fi
}

# says WORDS: a bar's words, or a text's.
says() { check "the picture says: $1" grep -q -F -e ">$1<" "$picture"; }

# -- lengths and padding: rows of 4, 4, 9 and 0 bases, two a batch ----------------------------------------

printf '>a\nACGT\n>b\nACGT\n>c\nACGTACGTA\n>d\n' > "$work/four.fa"
drawn --bases 0 --max-bases 16 --pad-multiple 1 --rows 2 "$work/four.fa"
says "4 bases: 2 rows"
says "9 bases: 1 row"
says "1 rows have none"
says "batch 0: 0.00 % padding"
says "batch 1: 50.00 % padding"
# 8 + 18 columns, 17 bases.
says "34.62 % of all columns"
check "one epoch" test "$(grep -c '>epoch [0-9]*<' "$picture")" = 1
check "no groups" test "$(grep -c 'Groups that' "$picture")" = 0

# Bars are eighths of an octave: 2^7 = 128, 2^(57/8) = 139.6, 2^(58/8) = 152.2, 2^(59/8) = 166.0.
awk 'BEGIN { for (n = 1; n <= 200; n++) { printf ">%d\n", n; for (i = 0; i < n; i++) printf "A"; printf "\n" } }' > "$work/each.fa"
drawn --bases 200 --rows 10 "$work/each.fa"
says "128 to 139 bases: 12 rows"
says "140 to 152 bases: 13 rows"
says "153 to 165 bases: 13 rows"
says "3 bases: 1 row"
check "all rows are in a bar" test "$(sed -n 's/.* bases: \([0-9]*\) rows\{0,1\}<.*/\1/p' "$picture" | awk '{ n += $1 } END { print n }')" = 200

# -- groups: three rows of one for each of the other, whose name is no XML ----------------------------------

awk 'BEGIN { for (n = 0; n < 2400; n++) print ">r" n "\nACGT" }' > "$work/many.fa"
drawn --bases 4 --rows 4 --epochs 2 --epoch-end first --allow-unseen --group a:3 "$work/many.fa" --group "b<&:1" "$work/many.fa"
says "batches 0 to 7: 24 of 32 rows of a"
says "batches 0 to 7: 8 of 32 rows of b&#60;&#38;"
# 2 epochs of 800 batches: over 256 stripes there are 8 batches in each.
says "batches 1592 to 1599: 24 of 32 rows of a"
says "epoch 1"

# -- more than 24 epochs; a store, which has no text ---------------------------------------------------------

drawn --bases 4 --rows 4 --epochs 30 --long head "$work/four.fa"
check "the last 24 epochs" test "$(grep -c '>epoch [0-9]*<' "$picture")" = 24
says "the last 24 epochs"
says "epoch 29"
call fxstore -o "$work/four.bst" "$work/four.fa"
drawn --bases 16 --rows 4 "$work/four.bst"
check "rows a second" grep -q 'rows/s, caller waits' "$picture"

# -- wrong use -----------------------------------------------------------------------------------------

cp "$work/four.fa" "$work/kept.fa"
call fxbatch --plot "$work/four.fa" --bases 16 "$work/four.fa"
check "an input is not written over" ends 2 "four.fa: this is an input, and would be lost"
check "and is there" cmp -s "$work/four.fa" "$work/kept.fa"
for other in "--state-file $work/one" "--resume $work/one" "--save-index --index $work/one"; do
    # shellcheck disable=SC2086
    call fxbatch $other --plot "$work/one" --bases 16 "$work/four.fa"
    check "the file of $other" ends 2 "one is the file of another flag, and --plot would write over it"
done
for other in "$work" - ''; do
    call fxbatch --plot "$other" --bases 16 "$work/four.fa"
    check "--plot '$other'" ends 2 "is no file that --plot could write"
done
call fxbatch --plot "$work/no/picture.svg" --bases 16 "$work/four.fa"
check "no such folder" ends 1 "no/picture.svg cannot be written: creating a file beside it failed"
check "batches came before" grep -q '^epoch 0	batches 1	rows 4' "$work/out"
printf '@a\nAC\n+\nII\n@b\nAC\n+\nI\n' > "$work/bad.fq"
rm -f "$picture"
call fxbatch --plot "$picture" --bases 4 --rows 1 "$work/bad.fq"
check "bad text" ends 1 "record 2"
says "batch 0: 50.00 % padding"
finish
