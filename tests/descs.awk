# descs.awk - what becomes of a desc at open stands once: each row of >>rules has a case in tests/test_rules.c, and no
# default of >>fields is guessed anywhere else.
#
#   awk -v ask=cases -f descs.awk biostream.h tests/test_rules.c
#   awk -v ask=guesses -f descs.awk biostream.h
#
# A line per fault; nothing where all is well. A sentence of a row is a string there that has a blank; in it '#' and '@',
# which become numbers and groups, may be anything. A guess is `desc->slots > 0 ? desc->slots :`, or BSI_MAX(desc->slots,
# 4), outside of >>fields, of a field that has a default there.

# Sentences of a line: strings, joined where only blanks and ends of lines are between them.
function take_strings(text, file,    at) {
    gsub(/\/\*.*\*\//, "", text)
    for (;;) {
        at = match(text, /"([^"\\]|\\.)*"/)
        if ((at > 0 ? substr(text, 1, at - 1) : text) ~ /[^ ]/ && sentence[file] != "") {
            strings[file, ++count[file]] = sentence[file]
            line[file, count[file]] = sentence_line
            sentence[file] = ""
        }
        if (at == 0) return
        if (sentence[file] == "") sentence_line = FNR
        sentence[file] = sentence[file] substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
    }
}

# Whether a case has this sentence.
function has_case(text,    i, k, parts, part_count, rest, at) {
    part_count = split(text, parts, /[#@]/)
    for (i = 1; i <= count[2]; ++i) {
        rest = strings[2, i]
        for (k = 1; k <= part_count; ++k) {
            at = index(rest, parts[k])
            if (at == 0) break
            rest = substr(rest, at + length(parts[k]))
        }
        if (k > part_count) return 1
    }
    return 0
}

function take_defaults(text,    part) {
    if (match(text, /^    BSI_FIELD_NUMBER\((desc|biost_[a-z]+_desc), .*/)) {
        split(substr(text, RSTART), part, /, */)
        if (part[7] != "0") has_default[part[2]] = 1
    } else if (resolves && match(text, /desc->[a-z_.]+ = /)) {
        has_default[substr(text, RSTART + 6, RLENGTH - 9)] = 1
    }
}

# The field is asked and, if it is set, taken; or the larger one of it and a number is.
function look_for_guesses(text,    name, is_larger) {
    while (match(text, /(BSI_MAX\(desc->[a-z_.]+, [0-9]|desc->[a-z_.]+ (>|!=) ([0-9]+|0\.0f|NULL|'\\0') \? )/)) {
        name = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        is_larger = sub(/^BSI_MAX\(/, "", name)
        sub(/^desc->/, "", name)
        sub(/[ ,].*/, "", name)
        if (room != "fields" && (is_larger || text ~ "^desc->" name "([^a-z_.]|$)")) guesses[++guess_count] = name SUBSEP FNR
    }
}

FNR == 1 { ++file }

file == 1 && match($0, /^ \* >>[a-z]+ /) { room = substr($0, RSTART + 5, RLENGTH - 6) }

file == 1 && /^[A-Z_ ]*static void bsi_fields_resolve_/ { resolves = 1 }

file == 1 && ask == "guesses" {
    take_defaults($0)
    look_for_guesses($0)
}

file == 1 && /^}/ { resolves = 0 }

ask == "cases" && (file == 2 || room == "rules") { take_strings($0, file) }

END {
    for (i = 1; i <= count[1]; ++i) {
        if (strings[1, i] ~ / / && !has_case(strings[1, i]))
            print "line " line[1, i] ": tests/test_rules.c has no case for: " strings[1, i]
    }
    for (i = 1; i <= guess_count; ++i) {
        split(guesses[i], part, SUBSEP)
        if (part[1] in has_default) print "line " part[2] ": the default of " part[1] " is in >>fields"
    }
}
