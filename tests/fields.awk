# fields.awk - hold the tables of fields to the structs: every field of a desc has a row, every row is a field, and every
# row of the loader's table that a text can set has a value in tests/test_fields.c.
#
#   awk -f fields.awk biostream.h tests/test_fields.c
#
# A line per fault; nothing where all is well. Structs that lie in a desc are opened where the table has their fields.

# Add member `name` of type `type` to struct `owner`.
function add(owner, name, type) {
    sub(/\[.*/, "", name)
    members[owner, ++member_count[owner]] = name
    type_of[owner, name] = type
}

# "float from, below;" or "int (*keep)(...);" without its comments.
function take_members(owner, text,    type, names, count, i, name) {
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", text)
    gsub(/[ \t\n]+/, " ", text)
    while (match(text, /[^;]*;/)) {
        name = substr(text, 1, RLENGTH - 1)
        text = substr(text, RLENGTH + 1)
        sub(/^ */, "", name)
        if (match(name, /\(\*[a-z_0-9]+\)/)) {
            add(owner, substr(name, RSTART + 2, RLENGTH - 3), "function")
            continue
        }
        match(name, /^(const |struct )*[a-z_0-9]+( const)?[ *]+(const )?\*?/)
        type = substr(name, 1, RLENGTH)
        count = split(substr(name, RLENGTH + 1), names, / *, */)
        gsub(/const|struct|\*| /, "", type)
        for (i = 1; i <= count; ++i) {
            sub(/^[* ]+/, "", names[i])
            add(owner, names[i], type)
        }
    }
}

FNR == NR {
    header = header $0 "\n"
    # Rows of the tables, and lists that several tables have.
    if (match($0, /^#define BSI_FIELDS_[A-Z_]+\(desc\)/)) {
        table = substr($0, RSTART + 8, RLENGTH - 14)
    } else if (match($0, /^static const biost_field bsi_fields_of_[a-z]+\[\]/)) {
        table = substr($0, RSTART, RLENGTH - 2)
        sub(/.*bsi_fields_of_/, "", table)
        table = table == "group" ? "biost_group" : "biost_" table "_desc"
        tables[table] = 1
    } else if (/^static const biost_field bsi_cuda_open_fields\[\]/) {
        table = "biost_cuda_desc"
        tables[table] = 1
    } else if (match($0, /^    BSI_CUDA_OPEN_FIELD\([a-z_.0-9]+/)) {
        rows[table, ++row_count[table]] = substr($0, RSTART + 24, RLENGTH - 24)
    } else if (match($0, /^    BSI_FIELD(_[A-Z]+)?\((desc|biost_[a-z]+_desc|biost_group), [a-z_.0-9]+/)) {
        row = substr($0, RSTART, RLENGTH)
        sub(/.*, /, "", row)
        rows[table, ++row_count[table]] = row
        is_hook[table, row] = $0 ~ /BSI_FIELD_HOOK|, (HOOK|GROUPS),/
    } else if (match($0, /^    BSI_FIELDS_[A-Z_]+\(biost_[a-z]+_desc\)/)) {
        row = substr($0, RSTART + 4, RLENGTH - 4)
        sub(/\(.*/, "", row)
        lists[table] = lists[table] " " row
    }
    next
}

/^ *(FIELD|CHARS)\([a-z_.0-9]+,/ {
    row = $0
    sub(/^ *(FIELD|CHARS)\(/, "", row)
    sub(/,.*/, "", row)
    has_value[row] = 1
}

# The structs of the header: from "typedef struct NAME {" to "} NAME;", and a struct in it.
function take_structs(    text, name, body, inner, end) {
    text = header
    while (match(text, /typedef struct biost_[a-z_0-9]+ \{/)) {
        name = substr(text, RSTART + 15, RLENGTH - 17)
        text = substr(text, RSTART + RLENGTH)
        end = index(text, "} " name ";")
        body = substr(text, 1, end - 1)
        while (match(body, /struct \{/)) {
            inner = substr(body, RSTART + RLENGTH)
            end = match(inner, /\} [a-z_]+;/)
            take_members(name "." ++inner_count, substr(inner, 1, end - 1))
            body = substr(body, 1, index(body, "struct {") - 1) name "." inner_count \
                substr(inner, end + 1)
            inner_names[name "." inner_count] = 1
        }
        take_inner(name, body)
    }
}

# Members, of which those of an unnamed struct read "NAME.1 member;".
function take_inner(name, body,    inner, member) {
    while (match(body, /biost_[a-z_]+\.[0-9]+ [a-z_]+;/)) {
        inner = substr(body, RSTART, RLENGTH - 1)
        member = inner
        sub(/.* /, "", member)
        sub(/ .*/, "", inner)
        body = substr(body, 1, RSTART - 1) "inner " member ";" substr(body, RSTART + RLENGTH)
        inner_type[name, member] = inner
    }
    take_members(name, body)
}

function has_row(table, name) {
    return (table SUBSEP name) in row_of
}

# Whether the table has rows of fields inside `name`.
function is_opened(table, name,    key) {
    for (key in row_of) {
        if (index(key, table SUBSEP name ".") == 1) {
            return 1
        }
    }
    return 0
}

function compare(table, owner, before,    i, name, type) {
    for (i = 1; i <= member_count[owner]; ++i) {
        name = before members[owner, i]
        type = type_of[owner, members[owner, i]]
        if ((owner SUBSEP members[owner, i]) in inner_type) {
            type = inner_type[owner, members[owner, i]]
        }
        if (member_count[type] > 0 && is_opened(table, name)) {
            compare(table, type, name ".")
        } else if (!has_row(table, name)) {
            print table ": " name " has no row in its table of fields"
        }
        is_member[table, name] = 1
    }
}

END {
    take_structs()
    for (table in tables) {
        count = split(lists[table], names, " ")
        for (i = 1; i <= count; ++i) {
            for (k = 1; k <= row_count[names[i]]; ++k) {
                row = rows[names[i], k]
                rows[table, ++row_count[table]] = row
                is_hook[table, row] = is_hook[names[i], row]
            }
        }
        for (k = 1; k <= row_count[table]; ++k) {
            row_of[table, rows[table, k]] = 1
        }
        compare(table, table, "")
        for (k = 1; k <= row_count[table]; ++k) {
            row = rows[table, k]
            if (!((table SUBSEP row) in is_member)) {
                print table ": row " row " is no field of the struct"
            }
            if (table == "biost_loader_desc" && !is_hook[table, row] && !(row in has_value)) {
                print table ": " row " has no value in tests/test_fields.c"
            }
        }
        if (row_count[table] < 2) {
            print table ": its table has no rows"
        }
    }
}
