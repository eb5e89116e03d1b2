# lint.awk - the house rules that the text of the header shows, and its measures. Called by lint.sh.
#
# Prints `ok CHECK` or `FAILED CHECK` with indented lines, one check each. What it measures goes into the file
# `values`, which limits.awk judges. It reads C only as far as the house style needs: comments and strings are
# blanked first, then braces tell functions from the rest. Variables: values; prefix, in front of the room in
# private names, bsi_ or bsi_cuda_; os_rooms, which may ask for the system.

BEGIN {
    if (prefix == "") prefix = "bsi_"
    if (values == "") values = "/dev/null"
    if (os_rooms == "") os_rooms = "platform"
    macro_prefix = toupper(prefix)
    macros = prefix == "bsi_" ? "(BIOST|BIOSTREAM|BSI)_" : "(BIOST_CUDA|BIOSTREAM_CUDA|BSI_CUDA)_"
    is_guest = prefix != "bsi_" # it stands on the public calls of another header
}

# -- results ------------------------------------------------------------------------------------------

function complain(check, line, text) {
    if (++complained[check] <= 12) complaints[check] = complaints[check] "\n    " (line > 0 ? "line " line ": " : "") text
}

function report(check) {
    if (complaints[check] == "") print "ok " check
    else print "FAILED " check complaints[check] \
        (complained[check] > 12 ? "\n    ... " complained[check] " in all" : "")
}

# One value of a measure: of a room or a function, or of the whole (-).
function measure(name, item, value, where) {
    if (where == "") where = "-"
    print name "\t" item "\t" value "\t" where > values
}

# -- text: one pass that keeps raw[], code[] (comments and strings blanked), has_comment[] -------------

function blank(text,    out, at, token, skip) {
    out = ""
    while (text != "") {
        if (inside_comment) {
            has_comment[NR] = 1
            at = index(text, "*/")
            if (at == 0) return out
            text = substr(text, at + 2)
            out = out " "
            inside_comment = 0
        } else if (match(text, /\/\*|\/\/|["']/)) {
            token = substr(text, RSTART, RLENGTH)
            out = out substr(text, 1, RSTART - 1)
            text = substr(text, RSTART + RLENGTH)
            if (token == "/*") {
                inside_comment = 1
                has_comment[NR] = 1
            } else if (token == "//") {
                has_comment[NR] = 1
                return out
            } else {
                skip = token == "'" ? match(text, /^([^'\\]|\\.)*'/) : match(text, /^([^"\\]|\\.)*"/)
                text = skip ? substr(text, RLENGTH + 1) : ""
                out = out token token
            }
        } else {
            return out text
        }
    }
    return out
}

{
    raw[NR] = $0
    code[NR] = blank($0)
    sub(/[ \t]+$/, "", code[NR])
    # PTX, from mark to mark, is text: it counts for its own measure and for none of the others.
    if ($0 ~ /^\/\* ---- PTX begins:/) inside_text = 1
    is_text[NR] = inside_text
    text_lines += inside_text
    if ($0 ~ /^\/\* ---- PTX ends/) inside_text = 0
    directive[NR] = code[NR] ~ /^[ \t]*#/ || (NR > 1 && directive[NR - 1] && code[NR - 1] ~ /\\$/)
    if (length($0) > 110) complain("line_form", NR, length($0) " characters, more than 110")
    if ($0 ~ /\t/) complain("line_form", NR, "a tab")
    if ($0 ~ /[^ -~\t]/) complain("line_form", NR, "a character that is not printable ASCII")
    if ($0 ~ / $/) complain("line_form", NR, "blanks at the end")
}

# -- rooms --------------------------------------------------------------------------------------------

# Banners: room_names[1..rooms], room_line[], and for those of the implementation uses[room, other].
# A banner's tag stands one blank from the star, at most four lines below its rule.
function find_rooms(    n, name, words, count, i, text, rule) {
    rule = -9
    for (n = 1; n <= NR; ++n) {
        if (raw[n] ~ /^\/\* ===+$/) rule = n
        if (raw[n] ~ /^ \* >>[a-z_0-9]+/ && n - rule <= 4) {
            split(raw[n], words, " ")
            name = substr(words[2], 3)
            room_names[++rooms] = name
            if (name in room_line) complain("banners", n, "a second banner >>" name)
            room_line[name] = n
            room_index[name] = rooms
            text = ""
            for (i = n + 1; i <= n + 4 && raw[i] ~ /^ \* /; ++i) {
                text = text " " substr(raw[i], 4)
            }
            if (text ~ / uses:/) {
                implementation[name] = 1
                if (!first_room_line) first_room_line = n
                if (text !~ /allocates: / || text !~ /threads: / || text !~ /I\/O: /)
                    complain("banners", n, ">>" name " does not say uses, allocates, threads and I/O")
                sub(/^.* uses:/, "", text)
                sub(/allocates:.*$/, "", text)
                count = split(text, words, " ")
                for (i = 1; i <= count; ++i) {
                    if (words[i] != "-") uses_list[name] = uses_list[name] " " words[i]
                }
            }
        } else if (raw[n] ~ /^ \* +>>[a-z_0-9]+( |$)/ && rooms == 0) {
            split(raw[n], words, " ")
            contents[++listed] = substr(words[2], 3)
        }
        room_of[n] = rooms ? room_names[rooms] : ""
    }
    for (i = 1; i <= listed || i <= rooms; ++i) {
        if (contents[i] != room_names[i]) {
            complain("contents", i <= rooms ? room_line[room_names[i]] : 0, "the contents have " \
                (i <= listed ? ">>" contents[i] : "nothing more") ", the banners " \
                (i <= rooms ? ">>" room_names[i] : "nothing more"))
            break
        }
    }
    if (listed == 0) complain("contents", 1, "no contents (lines ' *   >>name   what' above the first banner)")
    if (!first_room_line) complain("banners", 0, "no banner with a line 'uses:'")
}

# What banners list must stand above; `all` is all of it.
function check_lists(    r, name, words, count, i, other) {
    for (r = 1; r <= rooms; ++r) {
        name = room_names[r]
        count = split(uses_list[name], words, " ")
        for (i = 1; i <= count; ++i) {
            if (words[i] == "all") {
                for (other in implementation) {
                    if (room_index[other] < r) uses[name, other] = 1
                }
                uses_all[name] = 1
            } else if (!(words[i] in implementation)) {
                complain("banners", room_line[name], ">>" name " uses " words[i] ", which is no room")
            } else if (room_index[words[i]] >= r) {
                complain("banners", room_line[name], ">>" name " uses " words[i] ", which does not stand above it")
            } else {
                uses[name, words[i]] = 1
            }
        }
    }
}

# The room whose name a private name carries: the longest that fits, or "".
function room_in_name(name,    room, best) {
    name = substr(name, length(prefix) + 1) "_"
    best = ""
    for (room in implementation) {
        if (index(name, room "_") == 1 && length(room) > length(best)) best = room
    }
    return best
}

# Each bsi_ name: made in the room it names, used only where the banner lists that room.
function check_names(    n, text, name, room, owner, next_char, r, words, count, i) {
    for (n = first_room_line; n <= NR; ++n) {
        room = room_of[n]
        text = code[n]
        while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
            name = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            if (name ~ /^(bsi|BSI)_/ && index(name, prefix) != 1 && index(name, macro_prefix) != 1) {
                if (!told_guest[name]++) complain("only_public_names_of_biostream", n, ">>" room ": " name)
            }
            if (index(name, macro_prefix) == 1 && !(name in macro_room) && directive[n]) macro_room[name] = room
            if (index(name, macro_prefix) == 1 && name in macro_room) touched[room, macro_room[name]] = 1
            if (index(name, prefix) != 1) continue
            if (!(name in made_in)) {
                made_in[name] = room
                owner = room_in_name(name)
                if (owner == "" ? room != "config" : owner != room)
                    complain("names_in_their_room", n, name " is made in >>" room)
            }
            owner = made_in[name]
            if (owner == room) continue
            touched[room, owner] = 1
            if (owner == "config" && room_in_name(name) == "") continue # shared structs of config
            if (!((room, owner) in uses) && !((room, name) in told)) {
                complain("rooms_use_what_they_list", n, ">>" room " uses " name ", its banner does not list " owner)
                told[room, name] = 1
            }
        }
    }
    for (r = 1; r <= rooms; ++r) {
        count = split(uses_list[room_names[r]], words, " ")
        for (i = 1; i <= count; ++i) {
            if (words[i] in implementation && words[i] != "config" && !((room_names[r], words[i]) in touched))
                complain("rooms_list_what_they_use", room_line[room_names[r]], \
                    ">>" room_names[r] " lists " words[i] " and does not use it")
        }
    }
}

# -- functions ----------------------------------------------------------------------------------------

function parameters(text,    at, level, commas, c, list) {
    sub(/^.*(bsi|biost)_[a-z0-9_]+ *\(/, "", text)
    level = 1
    commas = 0
    for (at = 1; at <= length(text) && level > 0; ++at) {
        c = substr(text, at, 1)
        if (c == "(") ++level
        else if (c == ")") --level
        else if (c == "," && level == 1) ++commas
    }
    list = substr(text, 1, at - 2)
    return list ~ /^ *(void)? *$/ ? 0 : commas + 1
}

function end_of_statement(text, n,    name) {
    if (!(room_of[n] in implementation)) return
    if (text ~ /=/ || text ~ /^ *typedef/ || text ~ /\( *\*/) return
    if (match(text, /bsi_[a-z0-9_]+ *\(/)) {
        name = substr(text, RSTART, RLENGTH)
        complain("no_private_prototypes", n, name "...);")
    }
}

function begin_function(text, from,    name) {
    # In C++ those that are macros in C keep the macros' names.
    if (match(text, /((bsi|biost)_[a-z0-9_]+|BIOST_ID_[A-Z]+) *\(/)) {
        name = substr(text, RSTART, RLENGTH)
        sub(/ *\($/, "", name)
    } else {
        name = "?"
        complain("functions_carry_our_prefix", from, text)
    }
    function_name[++functions] = name
    function_from[functions] = from
    function_room[name] = room_of[from]
    measure("parameters", name, parameters(text), "line " from)
    desc_readers += text ~ /const biost_loader_desc \*/
    deepest = 1
}

function end_function(to,    f, name, count) {
    f = functions
    name = function_name[f]
    function_to[f] = to
    count = to - function_from[f] + 1
    function_lines[f] = count
    measure("function_lines", name, count, "line " function_from[f])
    measure("nesting", name, deepest - 1, "line " function_from[f])
    if (name ~ /^biost_/ && room_of[to] != "public")
        complain("public_doors", function_from[f], name " is defined in >>" room_of[to] ", not in >>public")
    if (name ~ /^biost_/ && count > 15)
        complain("public_doors", function_from[f], name " has " count " lines, more than 15")
}

# Braces at depth 0 open functions and types; text[] outside of them is gathered up to ; or {.
function find_functions(    n, text, c, depth, parens, statement, from, in_function) {
    for (n = 1; n <= NR; ++n) {
        if (raw[n] ~ /^\/\* ===+$/ && depth > 0) {
            complain("braces", n, "a banner, and " depth " braces are open")
            depth = parens = in_function = 0
            statement = ""
        }
        if (directive[n]) {
            in_body[n] = depth > 0 && in_function
            continue
        }
        text = code[n]
        if (statement ~ /^ *$/ && text !~ /^ *$/) from = n
        while (match(text, /[{}();]/)) {
            c = substr(text, RSTART, 1)
            if (depth == 0) statement = statement " " substr(text, 1, RSTART - 1)
            text = substr(text, RSTART + 1)
            if (c == "(" || c == ")") {
                if (depth == 0) statement = statement c
                parens += c == "(" ? 1 : -1
            } else if (c == "{") {
                if (depth == 0 && statement ~ /^ *extern *"" *$/) {
                    statement = ""
                    continue
                }
                if (depth == 0 && statement ~ /\) *$/ && statement !~ /=/) {
                    in_function = 1
                    begin_function(statement, from)
                }
                if (++depth > deepest) deepest = depth
            } else if (c == "}") {
                if (depth == 0) continue # of extern "C"
                if (--depth == 0 && in_function) {
                    end_function(n)
                    in_function = 0
                    statement = ""
                    from = n
                }
            } else if (depth == 0 && parens == 0) {
                end_of_statement(statement, from)
                statement = ""
                from = n
            }
        }
        if (depth == 0) {
            statement = statement " " text
            if (statement ~ /^ *$/) from = n + 1
        }
    }
    if (depth > 0) complain("braces", NR, depth " braces are open at the end")
}

# Calls among our functions. A private one cannot call upward (it would not compile); a public one it could.
function find_calls(    f, n, text, name, caller) {
    for (f = 1; f <= functions; ++f) is_function[function_name[f]] = 1
    for (f = 1; f <= functions; ++f) {
        caller = function_name[f]
        for (n = function_from[f]; n <= function_to[f]; ++n) {
            text = code[n]
            while (match(text, /(bsi|biost)_[a-z0-9_]+ *\(/)) {
                name = substr(text, RSTART, RLENGTH - 1)
                text = substr(text, RSTART + RLENGTH)
                sub(/ *$/, "", name)
                if (name == caller && !(f in seen_itself)) { # the first is its own head
                    seen_itself[f] = 1
                    continue
                }
                if (!(name in is_function)) continue
                if (!((caller, name) in calls)) {
                    calls[caller, name] = 1
                    callees[caller] = callees[caller] " " name
                }
                if (name ~ /^biost_/ && caller !~ /^biost_/)
                    complain("no_calls_of_public_functions", n, caller " calls " name)
            }
        }
    }
    for (f = 1; f <= functions; ++f) search(function_name[f], "")
}

# Depth first: a name that is still open below itself closes a circle.
function search(name, path,    words, count, i) {
    if (state[name] == "done") return
    if (state[name] == "open") {
        complain("no_recursion", 0, path " " name)
        return
    }
    state[name] = "open"
    count = split(callees[name], words, " ")
    for (i = 1; i <= count; ++i) search(words[i], path " " name)
    state[name] = "done"
}

# -- owners -------------------------------------------------------------------------------------------

# Fields of structs: field_rooms[name], the rooms of the implementation that have a struct with such a field; of a
# struct that is public, or made inside a function, "-".
function find_fields(    n, text, depth, room, of, at, parts, count, i, name) {
    for (n = 1; n <= NR; ++n) {
        text = code[n]
        if (directive[n]) continue
        if (depth == 0) {
            if (text !~ /^ *(typedef )?(static )?(const )?(struct|union)( [a-z_0-9]+)? \{/) continue
            depth = 1
            of = room_of[n] in implementation && text !~ /^ / ? room_of[n] : "-"
            text = substr(text, index(text, "{") + 1)
        }
        at = gsub(/\{/, "{", text)
        depth += at - gsub(/\}/, "}", text)
        if (depth <= 0) {
            depth = 0
            continue
        }
        count = split(text, parts, ";")
        for (i = 1; i < count; ++i) add_fields(parts[i], of)
    }
}

function add_fields(text, of,    names, count, i, name) {
    if (match(text, /\( *(BSI_[A-Z_]+ *)?\*[a-z_0-9]+ *\) *\(/)) { # a pointer to a function
        name = substr(text, RSTART, RLENGTH)
        gsub(/[^a-z_0-9]/, " ", name)
        count = split(name, names, " ")
        add_field(names[count], of)
        return
    }
    gsub(/\[[^]]*\]/, "", text)
    count = split(text, names, ",")
    for (i = 1; i <= count; ++i) {
        sub(/:.*$/, "", names[i])
        if (match(names[i], /[a-z_][a-z_0-9]* *$/)) {
            name = substr(names[i], RSTART, RLENGTH)
            sub(/ *$/, "", name)
            add_field(name, of)
        }
    }
}

function add_field(name, of) {
    if (!((name, of) in field_known)) field_rooms[name] = field_rooms[name] " " of " "
    field_known[name, of] = 1
}

# What each function does to fields: those that only structs of one other room have are that room's; `shared` is for
# functions that end in _locked, those that finish a task, and lines between lock and unlock; what asks by its name writes
# nothing.
function check_owners(    f, n, name, room, text, field, owner, asks, may_share, is_locked, rest) {
    find_fields()
    for (f = 1; f <= functions; ++f) {
        name = function_name[f]
        room = room_of[function_from[f]]
        if (!(room in implementation)) continue
        asks = name ~ /_(is|has|may|can|needs)_/
        may_share = name ~ /_locked$/ || name ~ /_finish(_|$)/
        is_locked = 0
        for (n = function_from[f]; n <= function_to[f]; ++n) {
            text = code[n]
            if (asks && (text ~ /(->|\.)[a-z_0-9]+(\[[^]]*\])* *([-+|&^*\/%]|<<|>>)?=[^=]/ ||
                    text ~ /(\+\+|--)\**[a-z_]+(->|\.)/ || text ~ /(->|\.)[a-z_0-9]+(\[[^]]*\])*(\+\+|--)/ ||
                    text ~ /^ *\*[a-z_]+ *([-+|&^*\/%]|<<|>>)?=[^=]/)) {
                ++writes_of_asking[room]
                if (!asked_at[room]) asked_at[room] = "line " n ", " name
            }
            if (text ~ /bsi_[a-z]+_(un)?lock\(/) is_locked = text !~ /_unlock\(/
            if (!may_share && !is_locked && text ~ /(->|\.)shared(\.|->)/) {
                ++shared_outside[room]
                if (!shared_at[room]) shared_at[room] = "line " n ", " name
            }
            while (match(text, /(->|\.)[a-z_][a-z_0-9]*/)) {
                rest = substr(text, RSTART + RLENGTH)
                field = substr(text, RSTART, RLENGTH)
                gsub(/[^a-z_0-9]/, "", field)
                text = rest
                owner = field_rooms[field]
                if (owner !~ /^ [a-z_0-9]+ $/ || rest ~ /^ *\(/) continue
                gsub(/ /, "", owner)
                if (owner == room || owner == "config") continue
                ++foreign_fields[room]
                if (!foreign_at[room]) foreign_at[room] = "line " n ", " field " of " owner
            }
        }
    }
    for (f = 1; f <= rooms; ++f) {
        room = room_names[f]
        if (!(room in implementation)) continue
        measure("fields_of_other_rooms", room, foreign_fields[room] + 0, foreign_at[room])
        measure("writes_of_asking", room, writes_of_asking[room] + 0, asked_at[room])
        measure("shared_outside_locked", room, shared_outside[room] + 0, shared_at[room])
    }
}

# -- the preprocessor ---------------------------------------------------------------------------------

function check_directives(    n, text, name, room, os, compiler, isa, isa_rooms, first_include, from, body, undefined) {
    os = "(^|[^A-Za-z_0-9])(_WIN32|_WIN64|__APPLE__|__MACH__|__linux__|__unix__|__FreeBSD__|__OpenBSD__|" \
         "__NetBSD__|__ANDROID__|__CYGWIN__|__MINGW32__|__EMSCRIPTEN__|__GLIBC__)([^A-Za-z_0-9]|$)"
    compiler = "(^|[^A-Za-z_0-9])(__GNUC__|__clang__|_MSC_VER|__INTEL_COMPILER|__TINYC__|" \
               "__has_(c_|cpp_)?attribute|__has_builtin|__has_feature)([^A-Za-z_0-9]|$)"
    isa = "(^|[^A-Za-z_0-9])(__x86_64__|__i386__|_M_X64|_M_IX86|_M_AMD64|__SSE[0-9A-Z_]*__|__SSSE3__|" \
          "__AVX[0-9A-Z_]*__|__BMI2?__|__PCLMUL__|__aarch64__|__arm__|_M_ARM[0-9A-Z]*|__ARM_[A-Z0-9_]+|" \
          "__riscv|__powerpc64__|__ppc64__)([^A-Za-z_0-9]|$)"
    isa_rooms = " cpu kernels bytes crc inflate records check rng encode filter augment pack "
    for (n = 1; n <= NR && !first_include; ++n) {
        if (code[n] ~ /^ *# *include/) first_include = n
    }
    for (n = 1; n <= NR; ++n) {
        room = room_of[n]
        if (code[n] ~ /^ *# *(if|ifdef|ifndef|elif)([^a-z]|$)/ && directive[n]) {
            if (code[n] !~ /^ *# *elif/) {
                ++conditionals
                if (in_body[n]) ++conditionals_in_bodies[room]
            }
            if (code[n] ~ os && !index(" " os_rooms " ", " " room " ") && n > first_include)
                complain("systems_only_in_platform", n, ">>" room ": " code[n])
            if (code[n] ~ compiler && room != "config" && room != "declare" && room != "options")
                complain("compilers_only_in_config", n, ">>" room ": " code[n])
            if (code[n] ~ isa && !index(isa_rooms, " " room " "))
                complain("isas_only_in_kernel_rooms", n, ">>" room ": " code[n])
        }
        if (code[n] ~ /^ *# *undef /) {
            text = code[n]
            sub(/^ *# *undef +/, "", text)
            undefined = undefined " " text " "
        }
        if (code[n] ~ /^ *# *define / && directive[n]) {
            text = code[n]
            sub(/^ *# *define +/, "", text)
            match(text, /^[A-Za-z_0-9]+/)
            name = substr(text, 1, RLENGTH)
            if (room in implementation && !(name in defined_at) && substr(text, RLENGTH + 1, 1) == "(")
                ++macros_with_parameters
            defined_at[name] = n
            body = code[n]
            for (from = n; code[n] ~ /\\$/ && n < NR; body = body "\n" code[++n]) {}
            if (n - from > 3 && body ~ /[;{]/)
                complain("no_function_bodies_in_macros", from, name " goes on for " n - from " lines")
        }
    }
    for (name in defined_at) {
        if (name !~ "^" macros && !index(undefined, " " name " ") &&
            name !~ /^(_POSIX_C_SOURCE|_DARWIN_C_SOURCE|_FILE_OFFSET_BITS|WIN32_LEAN_AND_MEAN|NOMINMAX)$/)
            complain("macros_carry_our_prefix", defined_at[name], name)
    }
}

# -- comments -----------------------------------------------------------------------------------------

# Whether a line is a comment of its own, and no mark of a section.
function is_plain_comment(text) {
    return text ~ /^\/\*.*\*\/$/ && text !~ /----|clang-format/
}

# The names in a comment's rows `name, name  in  what` are parameters of the declaration below it.
function check_rows(rows, from, at, count,    n, i, text, words) {
    for (n = at; n <= NR && n < at + 12; ++n) {
        text = text " " code[n]
        if (code[n] ~ /[;{]/) break
    }
    gsub(/[^A-Za-z_0-9]/, " ", text)
    count = split(rows, words, " ")
    for (i = 1; i <= count; ++i) {
        if (!index(text " ", " " words[i] " "))
            complain("comments_name_parameters", from, words[i] " is no parameter of what stands below")
    }
}

function check_comments(    n, text, rows, from) {
    for (n = 1; n <= NR; ++n) {
        text = raw[n]
        if (has_comment[n] && match(text, /(\/\* ?|^ \* +|[.:;] )(Of|Likewise)[ ,]/))
            complain("sentences_in_natural_order", n, "a sentence begins with Of or Likewise: " substr(text, RSTART, 40))
        if (n > 1 && is_plain_comment(text) && raw[n - 1] !~ /====/ && (is_plain_comment(raw[n - 1]) || raw[n - 1] == " */"))
            complain("one_comment_at_a_time", n, "two comments stand before it: " substr(text, 1, 50))
        if (text ~ /^\/\*/) {
            rows = ""
            from = n
        }
        if (match(text, /^ \*   [a-z_0-9]+(, [a-z_0-9]+)*  +(in|out|in, out)  /)) {
            sub(/  +(in|out|in, out)  .*$/, "", text)
            gsub(/,/, " ", text)
            rows = rows " " substr(text, 6)
        }
        if (raw[n] == " */" && rows != "") check_rows(rows, from, n + 1)
        if (raw[n] == " */") rows = ""
    }
}

# -- measures -----------------------------------------------------------------------------------------

function per_cent(part, whole) { return sprintf("%.1f", whole > 0 ? 100 * part / whole : 0) }

# The median and the length that nine of ten functions do not exceed.
function measure_functions(    f, i, sorted) {
    for (f = 1; f <= functions; ++f) {
        for (i = f; i > 1 && sorted[i - 1] > function_lines[f]; --i) sorted[i] = sorted[i - 1]
        sorted[i] = function_lines[f]
    }
    measure("function_lines_median", "-", sorted[int((functions + 1) / 2)] + 0)
    measure("function_lines_p90", "-", sorted[int((functions * 9 + 9) / 10)] + 0)
}

function measure_rooms(    n, r, room, room_lines, room_comments, words, count, listed_rooms) {
    for (n = 1; n <= NR; ++n) {
        if (is_text[n]) continue
        ++room_lines[room_of[n]]
        if (has_comment[n]) ++room_comments[room_of[n]]
    }
    for (r = 1; r <= rooms; ++r) {
        room = room_names[r]
        measure("room_lines", room, room_lines[room], "line " room_line[room])
        measure("room_comment", room, per_cent(room_comments[room], room_lines[room]), "line " room_line[room])
        if (!(room in implementation)) continue
        measure("if_in_functions", room, conditionals_in_bodies[room] + 0, "line " room_line[room])
        if (room in uses_all) continue
        ++count
        listed_rooms += split(uses_list[room], words, " ")
    }
    measure("rooms", "-", rooms + 0)
    measure("rooms_used", "-", sprintf("%.1f", count > 0 ? listed_rooms / count : 0))
}

function measures(    n, with, lines) {
    lines = NR - text_lines
    for (n = 1; n <= NR; ++n) with += has_comment[n] && !is_text[n]
    measure("lines", "-", lines)
    if (text_lines > 0) measure("ptx_lines", "-", text_lines)
    measure("comment", "-", per_cent(with, lines))
    measure("if_per_1000_lines", "-", sprintf("%.1f", 1000 * conditionals / lines))
    measure("macros_with_parameters", "-", macros_with_parameters + 0)
    if (!is_guest) measure("desc_readers", "-", desc_readers + 0)
    measure_functions()
    measure_rooms()
}

END {
    find_rooms()
    check_lists()
    check_names()
    find_functions()
    find_calls()
    check_owners()
    check_directives()
    check_comments()
    report("contents")
    report("banners")
    report("rooms_use_what_they_list")
    report("rooms_list_what_they_use")
    report("names_in_their_room")
    if (is_guest) report("only_public_names_of_biostream")
    report("no_private_prototypes")
    report("no_recursion")
    report("no_calls_of_public_functions")
    report("functions_carry_our_prefix")
    report("public_doors")
    report("braces")
    report("systems_only_in_platform")
    report("compilers_only_in_config")
    report("isas_only_in_kernel_rooms")
    report("no_function_bodies_in_macros")
    report("macros_carry_our_prefix")
    report("line_form")
    report("sentences_in_natural_order")
    report("one_comment_at_a_time")
    report("comments_name_parameters")
    measures()
}
