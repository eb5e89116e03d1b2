#!/bin/sh
# Print the targets and settings that the Makefile's comments describe.
printf 'biostream %s: make [TARGET] [NAME=VALUE...]\n\n' "$(sh tests/version.sh)"
sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F '|' '{ printf "  %-14s %s\n", $1, $2 }'
echo
sed -n -e 's/^#   \([A-Z]\)/  \1/p' -e 's/^#    \( *[^ ]\)/   \1/p' Makefile
cat << 'END'

make check runs what make test leaves out:
  all of what is random or combined (TEST_EFFORT=full; make test takes a part of the same)
  loaders once more, their tasks in drawn orders on one thread; tests of bench/ and its programs
  each example compiled by the line of its own comment (make alone)
  every file of tests/compile into an object, and what it exports (make matrix)
  the size of the -O2 object, the format of all C files (make lint), and the lint's own test
END
