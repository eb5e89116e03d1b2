#!/bin/sh
# man.sh PROGRAM SOURCE - print the manual page of a tool in roff, made of what PROGRAM --help prints and of the first
# line of its SOURCE, which says in a few words what it does. So a page cannot say other than the tool itself.
set -eu
program=$1
source=$2
name=$(basename "$source" .c)
brief=$(sed -n "2s/^ \\* $name - \\(.*[^.]\\)\\.*\$/\\1/p" "$source")
version=$(sh "$(dirname "$0")/version.sh" "$(dirname "$0")/../biostream.h")
others=
for other in "$(dirname "$source")"/*.c; do
    other=$(basename "$other" .c)
    test "$other" = "$name" || others="$others $other"
done
help=$("$program" --help)
printf '%s\n' "$help" | awk -v name="$name" -v brief="$brief" -v version="$version" -v others="$others" '
    # Text as roff takes it: a backslash, a hyphen that belongs to a flag, a line that would be a request.
    function plain(text) {
        gsub(/\\/, "\\e", text)
        gsub(/--/, "\\-\\-", text)
        gsub(/ -/, " \\-", text)
        sub(/^-/, "\\-", text)
        sub(/^[.\047]/, "\\\\\\&&", text)
        return text
    }
    # As plain, for text that stands as it is: every hyphen is one that may be copied.
    function literal(text) {
        gsub(/\\/, "\\e", text)
        gsub(/-/, "\\-", text)
        sub(/^[.\047]/, "\\\\\\&&", text)
        return text
    }
    # A flag and its value: "-t, --workers N".
    function flag(text,    words, count, i, line) {
        count = split(text, words, " ")
        for (i = 1; i <= count; ++i) {
            line = line (i > 1 ? " " : "")
            if (words[i] !~ /^-/) line = line "\\fI" literal(words[i]) "\\fR"
            else if (words[i] ~ /,$/) line = line "\\fB" literal(substr(words[i], 1, length(words[i]) - 1)) "\\fR,"
            else line = line "\\fB" literal(words[i]) "\\fR"
        }
        return line
    }
    function end_block() { if (block) print ".fi\n.RE"; block = 0 }
    NR == 1 {
        printf ".\\\" Made by tests/man.sh of what %s --help prints.\n", name
        printf ".TH %s 1 \"\" \"biostream %s\" \"User Commands\"\n", toupper(name), version
        printf ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", name, plain(brief)
        sub(/^usage: [^ ]* /, "")
        printf ".B %s\n%s\n", name, literal($0)
        part = "description"
        next
    }
    part == "description" && /^  -/ { end_block(); print ".SH OPTIONS"; part = "options" }
    part == "description" {
        if ($0 == "") { end_block(); gap = 1; next }
        if (!begun) print ".SH DESCRIPTION"
        else if (gap && !/^  /) print ".PP"
        begun = 1
        gap = 0
        if (/^  /) {
            if (!block) print ".RS 2\n.nf"
            block = 1
            print literal(substr($0, 3))
        } else {
            end_block()
            print plain($0)
        }
        next
    }
    part == "options" && /^exit codes: / {
        print ".SH EXIT STATUS"
        sub(/^exit codes: /, "")
        while (match($0, /, [0-9] /)) {
            codes[++count] = substr($0, 1, RSTART - 1)
            $0 = substr($0, RSTART + 2)
        }
        codes[++count] = $0
        for (i = 1; i <= count; ++i) printf ".TP\n.B %s\n%s\n", substr(codes[i], 1, 1), plain(substr(codes[i], 3))
        part = "end"
        next
    }
    # A flag too long for its column has its words on the next line.
    part == "options" && /^  -/ {
        short = substr($0, 30, 1) == " "
        printf ".TP\n%s\n", flag(short ? substr($0, 1, 29) : $0)
        if (short) print plain(substr($0, 31))
        next
    }
    part == "options" && $0 != "" { sub(/^ */, ""); print plain($0) }
    END {
        if (part != "end") { print "the help of " name " does not end with its exit codes" > "/dev/stderr"; exit 1 }
        count = split(others, list, " ")
        print ".SH SEE ALSO"
        for (i = 1; i <= count; ++i) printf ".BR %s (1)%s\n", list[i], i < count ? "," : ""
    }'
