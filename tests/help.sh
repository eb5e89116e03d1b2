#!/bin/sh
# Print the targets and settings that the Makefile's comments describe.
printf 'biostream %s: make [TARGET] [NAME=VALUE...]\n\n' "$(sh tests/version.sh)"
sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F '|' '{ printf "  %-14s %s\n", $1, $2 }'
echo
sed -n 's/^#   \([A-Z]\)/  \1/p' Makefile
