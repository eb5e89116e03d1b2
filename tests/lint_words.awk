# lint_words.awk TABLE FILE... - words that another has replaced, in the half of a header that users read, up to the
# line "Stop here if you only want the API.", or in a text (.md), except for its section "Changes" and for CHANGES.md,
# which have the old names. Prints a line for each, and nothing where there is none. lint_words.tsv says which words,
# of which some are of texts alone, and what to say instead. Called by lint.sh.

BEGIN {
    FS = "\t"
    end_of_api = "Stop here if you only want the API"
    reach = 60 # characters of the lines before and after, since phrases are broken between lines
}

# -- the table ----------------------------------------------------------------------------------------

NR == FNR {
    if ($0 ~ /^# -- /) of_texts = $0 ~ /of pages alone/
    if ($0 ~ /^#/ || $0 == "") next
    if (NF != 5) print "the table's line " FNR " has " NF " columns, not 5"
    word[++words] = $1
    allowed[words] = $2 == "-" ? "" : $2
    instead[words] = $3
    letters[words] = $1 ~ /_/ ? "a-z0-9_" : "a-z0-9"
    texts_alone[words] = of_texts
    next
}

# -- the files ----------------------------------------------------------------------------------------

FNR == 1 {
    end_file()
    file = FILENAME
    is_text = file ~ /[.]md$/
    name = file
    sub(/.*\//, "", name)
    is_over = 0
    is_changes = in_changes = name == "CHANGES.md"
    if (file ~ /(^|\/)(bench|examples)\/[^\/]*$/) name = (file ~ /bench\/[^\/]*$/ ? "bench/" : "examples/") name
    text[++lines] = "" # no phrase goes on from file to file
}

index($0, end_of_api) && !is_text { is_over = 1 }

is_text && /^## / { in_changes = $0 == "## Changes" || is_changes }

{
    if (is_over) next
    if (is_text && !in_changes) look_at_starts()
    line = tolower($0)
    gsub(/^ *(\/\*|\*|\/\/)? */, "", line)
    gsub(/ *(\*\/)? *$/, "", line)
    where[++lines] = (is_text ? name ", " : "") "line " FNR
    text[lines] = in_changes ? "" : line
    in_text[lines] = is_text
}

END {
    end_file()
    for (n = 1; n <= lines; ++n) {
        if (text[n] != "") look(n)
    }
}

function end_file() {
    if (file != "" && !is_text && !is_over) print "no line says: " end_of_api "."
}

# Words with which a sentence of this line begins, or a cell of a table.
function look_at_starts(    w) {
    for (w = 1; w <= words; ++w) {
        if (word[w] ~ /^\^/ && match($0, "(^[-*|> ]*|[.:;|] )" substr(word[w], 2) "[ ,]"))
            print name ", line " FNR ": " substr($0, RSTART, 40) " - say " instead[w]
    }
}

# Words that begin in line n; the phrases around them may begin or end in the lines beside it.
function look(n,    before, all, w, at) {
    before = text[n - 1]
    before = substr(before, length(before) > reach ? length(before) - reach + 1 : 1) " "
    all = before text[n] " " (n < lines ? substr(text[n + 1], 1, reach) : "")
    for (w = 1; w <= words; ++w) {
        if (word[w] ~ /^\^/ || (texts_alone[w] && !in_text[n])) continue
        at = find(blank(all, allowed[w]), w, length(before))
        if (at > 0 && at <= length(before) + length(text[n]))
            print where[n] ": " substr(all, at, found) " - say " instead[w]
    }
}

# Where word w begins after the first `from` characters of a line, the last of which is a blank, or 0. Its length is
# in `found`.
function find(line, w, from,    rest) {
    rest = substr(line, from) " "
    if (!match(rest, "[^" letters[w] "](" word[w] ")[^" letters[w] "]")) return 0
    found = RLENGTH - 2
    return from + RSTART
}

# Allowed phrases are blanked, and everything else stays where it was.
function blank(line, phrases,    list, count, i, at, gap) {
    count = split(phrases, list, "|")
    for (i = 1; i <= count; ++i) {
        gap = list[i]
        gsub(/./, " ", gap)
        while ((at = index(line, list[i])) > 0)
            line = substr(line, 1, at - 1) gap substr(line, at + length(list[i]))
    }
    return line
}
