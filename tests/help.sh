#!/bin/sh
# Print the targets and settings that the Makefile's comments describe.
printf 'biostream %s: make [TARGET] [NAME=VALUE...]\n\n' "$(sh tests/version.sh)"
sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F '|' '{ printf "  %-14s %s\n", $1, $2 }'
echo
sed -n -e 's/^#   \([A-Z]\)/  \1/p' -e 's/^#    \( *[^ ]\)/   \1/p' Makefile
cat << 'END'

make check also runs what make test leaves out:
  all random and combined cases (TEST_EFFORT=full; make test runs a part of them)
  the loaders again, with their tasks in random orders on one thread; the tests of bench/ and its programs
  each example, compiled with the line of its own comment (make alone)
  each file of tests/compile as an object, and what it exports (make matrix)
  the size of the -O2 object, the format of all C files (make lint), and the tests of the lint itself
END
