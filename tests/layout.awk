# layout.awk - write the rows of examples/cmake/layout.c, one for each public struct and field, from biostream.h.
#
#     awk -f tests/bare.awk -f tests/layout.awk biostream.h > examples/cmake/layout_rows.h
#
# Of each struct that callers read it takes the name and alignment, of each field the name, offset, bytes and type; of
# the structs in `sized` no field. Names and types are those of the source; the numbers are the compiler's. A struct
# that is missing, or a type that the text has no word for, ends it with exit status 1.

function fail(what) {
    print "layout.awk: " what > "/dev/stderr"
    failed = 1
    exit 1
}

# One declaration, as "const char *a, *b" or "uint32_t key[2], left".
function declare(text,    names, count, i, type, field, number) {
    gsub(/[ \t]+/, " ", text)
    gsub(/(const|struct) /, "", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    if (text == "") {
        return
    }
    if (text ~ /^[a-z ]+\*?\(\*[a-z]+\)\(.*\)$/) { # a pointer to a function
        sub(/^[^(]*\(\*/, "*", text)
        sub(/\).*/, "", text)
        text = "void " text
    }
    type = text
    sub(/ .*/, "", type)
    if (!(type in word) && text !~ /\*/) {
        fail(name " has a field of type " type ", for which there is no word: " text)
    }
    count = split(substr(text, length(type) + 2), names, / ?, ?/)
    for (i = 1; i <= count; ++i) {
        field = names[i]
        number = "0"
        if (field ~ /\[/) {
            number = field
            sub(/^[^[]*\[/, "", number)
            sub(/\].*/, "", number)
        }
        pointer = field ~ /^\*/
        gsub(/[*]|\[.*/, "", field)
        if (field !~ /^[a-z][a-z0-9_]*$/ || (pointer && number != "0")) {
            fail(name " has a field that is not understood: " text)
        }
        rows = rows sprintf("    {\"%s\", \"%s\", offsetof(%s, %s), sizeof(((%s *)0)->%s), %s, %d},\n", field,
            pointer ? "pointer" : word[type], name, field, name, field, number, !pointer && type in is_enum)
    }
}

BEGIN {
    count = split("uint8_t u8 uint16_t u16 uint32_t u32 uint64_t u64 int32_t i32 int64_t i64 float f32 double f64 char " \
        "char int int size_t size", pairs, " ")
    for (i = 1; i < count; i += 2) {
        word[pairs[i]] = pairs[i + 1]
    }
    count = split("error stats record run record_row record_page tensor row batch page line feature_set random sample " \
        "index_info group interval store_info store_sequence store_desc allocator field loader_desc desc_memory progress " \
        "text_progress record_progress counters stage_counters parallel_gzip_counters", names, " ")
    for (i = 1; i <= count; ++i) {
        wanted["biost_" names[i]] = 1
    }
    sized["biost_loader_desc"] = sized["biost_store_desc"] = sized["biost_desc_memory"] = 1
}

/^#if defined\(BIOSTREAM_IMPLEMENTATION\)/ { exit }

{ line = bare($0) }

line ~ /^typedef enum biost_[a-z0-9_]+ \{/ {
    split(line, parts, " ")
    is_enum[parts[3]] = 1
    word[parts[3]] = parts[3]
}

line ~ /^typedef struct biost_[a-z0-9_]+ \{/ {
    split(line, parts, " ")
    if (parts[3] in wanted || parts[3] ~ /_(progress|counters)$/) {
        name = parts[3]
        body = ""
        next
    }
}

name != "" && line ~ /^\}/ {
    probes = probes sprintf("typedef struct {\n    char before;\n    %s it;\n} probe_%s;\n", name, name)
    rows = rows sprintf("    {\"%s\", NULL, offsetof(probe_%s, it), sizeof(%s), 0, 0},\n", name, name, name)
    count = name in sized ? 0 : split(body, declarations, ";")
    for (i = 1; i <= count; ++i) {
        declare(declarations[i])
    }
    word[name] = name
    delete wanted[name]
    name = ""
}

name != "" { body = body " " line }

END {
    if (failed) {
        exit 1
    }
    for (missing in wanted) {
        fail("no " missing " in the header")
    }
    print "/* Rows of layout.c, made from biostream.h by tests/layout.awk: do not edit. */"
    printf "/* clang-format off */\n\n%s\nstatic const layout_row layout_rows[] = {\n%s};\n", probes, rows
}
