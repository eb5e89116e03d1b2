# public.awk - list what biostream.h and biostream_cuda.h promise to who includes them: names, values and layouts.
#
#     awk -f tests/bare.awk -f tests/public.awk biostream.h biostream_cuda.h
#
# A line for each function with its types, each struct's field and each enum's value in their order, each macro and each
# other typedef: kind, name and text, with tabs between. Comments and blanks do not count, nor do the numbers of the version.

function tidy(text) {
    gsub(/[ \t]+/, " ", text)
    gsub(/^ | $/, "", text)
    return text
}

# The parts of a struct or an enum, in their order.
function body(kind, text, mark,    name, parts, count, i) {
    name = text
    sub(/^typedef [a-z]+ /, "", name)
    sub(/ .*/, "", name)
    sub(/^[^{]*\{/, "", text)
    sub(/\}[^}]*$/, "", text)
    count = split(text, parts, mark)
    for (i = 1; i <= count; ++i) {
        if (tidy(parts[i]) != "") {
            print kind "\t" name "\t" tidy(parts[i])
        }
    }
}

function declare(text,    name) {
    text = tidy(text)
    if (text ~ /^(BIOST_API|static) /) {
        name = text
        sub(/ ?\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        sub(/^BIOST_API (BIOST_MUST_USE )?/, "", text)
        print "function\t" name "\t" text
    } else if (text ~ /^(typedef )?enum [a-z_0-9]* ?\{/ || text ~ /^enum \{/) {
        body("enum", text, ",")
    } else if (text ~ /^typedef struct [a-z_0-9]+ \{/) {
        body("struct", text, ";")
    } else if (text != "") {
        name = text
        sub(/^.*\(\*/, "", name)
        sub(/\).*/, "", name)
        sub(/.* \*?/, "", name)
        print "type\t" name "\t" text
    }
}

FNR == 1 { done = inside = depth = skipping = 0; all = macro = "" }

/^#if defined\(BIOSTREAM_(CUDA_)?IMPLEMENTATION\) && !defined/ { done = 1 }

done { next }

{ line = bare($0) }

# A macro, perhaps of several lines.
macro != "" || line ~ /^#define BIOST_[A-Z0-9_]+/ {
    more = sub(/\\$/, "", line)
    macro = macro line " "
    if (!more) {
        macro = tidy(macro)
        sub(/^#define /, "", macro)
        name = macro
        sub(/[ (].*/, "", name)
        if (name !~ /^BIOST_VERSION_(MAJOR|MINOR|PATCH)$/) {
            print "macro\t" name "\t" tidy(substr(macro, length(name) + 1))
        }
        macro = ""
    }
    next
}

# Other lines of the preprocessor, with those that they go on in.
skipping || /^#/ {
    skipping = line ~ /\\$/
    next
}

line ~ /^extern "C" \{/ || (depth == 0 && line ~ /^\}[ \t]*$/) { next }

{
    count = split(line, letters, "")
    for (i = 1; i <= count; ++i) {
        depth += (letters[i] == "{") - (letters[i] == "}")
        if (letters[i] == "}" && depth == 0 && all ~ /^ *inline /) { # C++'s form of a macro
            all = ""
        } else if (letters[i] == ";" && depth == 0) {
            declare(all)
            all = ""
        } else {
            all = all letters[i]
        }
    }
    all = all " "
}
