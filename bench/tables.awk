# tables.awk - Markdown tables of files of results (see bench/README.md); called by tables.sh.
#
#   awk -f bench/tables.awk FILE.tsv...                      all stages
#   awk -v text=README.md -f bench/tables.awk FILE.tsv...    that text, with the tables between its marks:
#                                                            <!-- results STAGE --> ... <!-- end of results -->
#                                                            (STAGE comparisons, STAGE figures: one table only;
#                                                            `missed`: what is wanted and not reached, of all stages)
#
# For each stage a table of comparisons and a table of all figures; in front of the first stage of a file of results the
# conditions. Ratios are cut, not rounded. Files of one folder are of one processor; of several folders each has tables
# of its own, the folder with the latest date first. Inside, a stage is called by its name and its folder.
BEGIN { FS = "\t" }

function number(x) {
    return x == "-" ? "-" : x >= 100 ? sprintf("%.0f", x) : x >= 10 ? sprintf("%.1f", x) : sprintf("%.2f", x)
}

function cut(x) {
    return x == "-" ? "-" : x >= 10 ? sprintf("%.1f", int(x * 10 + 1e-6) / 10) : sprintf("%.2f", int(x * 100 + 1e-6) / 100)
}

function seconds(x) { return x == "-" ? "-" : sprintf("%.4f", x) }

# Threads that did not run at once say little.
function alone(r) {
    return threads[r] > 1 && wall[r] > 0 && cpu[r] < 0.8 * threads[r] * wall[r] ? \
        sprintf(" (CPU / wall %.1f)", cpu[r] / wall[r]) : ""
}

# What the row reached of what was wanted.
function verdict(r,    least, most, hoped) {
    if (target[r] == "-") return ""
    if (value[r] == "-") return "not measured"
    if (target[r] ~ /^<=/) {
        most = substr(target[r], 3)
        return value[r] + 0 <= most + 0 ? "met" : "**not met**"
    }
    if (target[r] ~ /^>=/) {
        least = substr(target[r], 3)
        return value[r] + 0 >= least + 0 ? "met" : "**not met**"
    }
    if (ratio[r] == "-") return "peer not there"
    least = target[r] + 0
    if (ratio[r] + 0 < least) return "**not met**" alone(r)
    if (target[r] ~ /\(/) {
        hoped = target[r]
        sub(/^.*\(/, "", hoped)
        return ratio[r] + 0 >= hoped + 0 ? "met, stretch too" : "met"
    }
    return "met"
}

function figure_of(r,    name, parts) {
    name = to[r]
    if (split(name, parts, " @ ") == 2) return figure[stage[r], parts[2], parts[1]]
    if ((stage[r], file[r], name) in figure) return figure[stage[r], file[r], name]
    sub(/^limit: /, "", name)
    return ((stage[r], file[r], name) in figure) ? figure[stage[r], file[r], name] : "-"
}

function limit_of(r) {
    return ((stage[r], file[r], who[r]) in limit) ? cut(limit[stage[r], file[r], who[r]]) : "-"
}

# A row that says no more than the column `of limit` of another row does.
function told(r) {
    return to[r] ~ /^limit: / && target[r] == "-" && peers[stage[r], file[r], who[r]] > 0
}

function comparisons(s,    r, limits, targets, any, others) {
    for (r = 1; r <= rows; ++r) {
        if (stage[r] != s || (to[r] == "-" && target[r] == "-")) continue
        any = 1
        if ((s, file[r], who[r]) in limit) limits = 1
        if (target[r] != "-") targets = 1
        if (to[r] != "-") others = 1
    }
    if (!any) return
    print "| " first_column(s) " | ours | " unit_of[s] " |" (others ? " against | " unit_of[s] " | ratio |" : "") \
        (limits ? " of limit |" : "") (targets ? " target | |" : "")
    print "|---|---|--:|" (others ? "---|--:|--:|" : "") (limits ? "--:|" : "") (targets ? "--:|---|" : "")
    for (r = 1; r <= rows; ++r) {
        if (stage[r] != s || (to[r] == "-" && target[r] == "-") || told(r)) continue
        print "| " file[r] " | " who[r] " | " number(value[r]) " |" \
            (others ? " " to[r] " | " (to[r] == "-" ? "-" : number(figure_of(r))) " | " cut(ratio[r]) " |" : "") \
            (limits ? " " limit_of(r) " |" : "") \
            (targets ? " " words(target[r]) " | " verdict(r) " |" : "")
    }
}

function first_column(s) { return name_of[s] == "kernels" ? "case" : "file" }

function words(wanted) {
    sub(/^<=/, "at most ", wanted)
    sub(/^>=/, "at least ", wanted)
    return wanted
}

function has_records(r) { return (folder[r], file[r]) in records }

# Thousands of records a second.
function rate(r) {
    return has_records(r) && wall[r] > 0 ? sprintf("%.0f", records[folder[r], file[r]] / wall[r] / 1000) : "-"
}

# Without the columns of times where no row has any.
function figures(s,    r, times, counted, seen) {
    for (r = 1; r <= rows; ++r) {
        if (stage[r] != s) continue
        if (wall[r] != "-") times = 1
        if (has_records(r)) counted = 1
    }
    print "| " first_column(s) " | by | " unit_of[s] " |" (times && counted ? " krec/s |" : "") (times ? " threads | wall s | CPU s |" : "")
    print "|---|---|--:|" (times && counted ? "--:|" : "") (times ? "--:|--:|--:|" : "")
    for (r = 1; r <= rows; ++r) {
        if (stage[r] != s || value[r] == "-" || ((file[r], who[r]) in seen)) continue
        seen[file[r], who[r]] = 1
        print "| " file[r] " | " who[r] " | " number(value[r]) " |" \
            (times && counted ? " " rate(r) " |" : "") (times ? " " threads[r] " | " seconds(wall[r]) " | " seconds(cpu[r]) " |" : "")
    }
}

# All that was wanted of folder `f` and is not reached.
function missed(f,    r, wanted, met, said_head) {
    for (r = 1; r <= rows; ++r) {
        if (target[r] == "-" || folder[r] != f) continue
        ++wanted
        met += verdict(r) ~ /^met/
    }
    if (!wanted) {
        print "Nothing was measured that has a target."
        return
    }
    if (folder_count > 1) print processor_of[f] ":"
    print met + 0 " of " wanted " targets are met." (met < wanted ? " The others:" : "")
    for (r = 1; r <= rows; ++r) {
        if (target[r] == "-" || folder[r] != f || verdict(r) ~ /^met/) continue
        if (!said_head++) {
            print "\n| stage | file | ours | against | ratio | target | |"
            print "|---|---|---|---|--:|--:|---|"
        }
        print "| " name_of[stage[r]] " | " file[r] " | " who[r] " | " to[r] " | " cut(ratio[r]) " | " words(target[r]) " | " verdict(r) " |"
    }
}

# Put the latest folder first; folders without a date, or of one day, stay as they came.
function order_folders(    i, k, f) {
    for (i = 2; i <= folder_count; ++i) {
        f = folders[i]
        for (k = i; k > 1 && date_of[folders[k - 1]] < date_of[f]; --k) folders[k] = folders[k - 1]
        folders[k] = f
    }
}

# The tables of a stage, or what is missed, of all folders.
function stage_tables(name, part,    i, count) {
    for (i = 1; i <= folder_count; ++i) {
        if (name != "missed" && !((name FS folders[i]) in unit_of)) continue
        if (count++) print ""
        if (name == "missed") missed(folders[i])
        else folder_tables(name FS folders[i], part, folders[i])
    }
    if (!count) print name == "missed" ? "Nothing was measured that has a target." : "Not measured."
}

function folder_tables(s, part, f) {
    # Once for all stages of a file of results.
    if (!(source_of[s] in said)) {
        said[source_of[s]] = 1
        print conditions[source_of[s]]
        print ""
    } else if (folder_count > 1) {
        print processor_of[f]
        print ""
    }
    if (part != "figures") comparisons(s)
    if (part == "") print ""
    if (part != "comparisons") figures(s)
}

function fill(path,    line, inside, parts) {
    while ((getline line < path) > 0) {
        if (line ~ /^<!-- end of results -->/) inside = 0
        if (!inside) print line
        if (line ~ /^<!-- results .* -->/) {
            inside = 1
            sub(/^<!-- results /, "", line)
            sub(/ -->.*$/, "", line)
            print ""
            split(line, parts, " ")
            stage_tables(parts[1], parts[2])
            print ""
        }
    }
}

FNR == 1 {
    here = FILENAME
    if (!sub(/\/[^\/]*$/, "", here)) here = "."
    if (!(here in date_of)) {
        folders[++folder_count] = here
        date_of[here] = ""
    }
}
/^# date / && $0 > date_of[here] { date_of[here] = $0 }
/^# processor / && !(here in processor_of) {
    processor_of[here] = $0
    sub(/^# processor */, "", processor_of[here])
}

# `# file       NAME: N records, ...`
/^# file / {
    split($0, parts, " ")
    name = parts[3]
    sub(/:$/, "", name)
    records[here, name] = parts[4]
}

# `# key  words` to sentences; a line that begins with spaces goes on.
/^#/ {
    line = $0
    sub(/^# */, "", line)
    if ($0 ~ /^#    /) {
        conditions[FILENAME] = conditions[FILENAME] " " line
    } else {
        sub(/^date  */, "", line); sub(/^processor  */, "", line); sub(/^compiler  */, "", line)
        sub(/^peer  */, "against ", line); sub(/^file  */, "", line); gsub(/  +/, ": ", line)
        conditions[FILENAME] = conditions[FILENAME] (conditions[FILENAME] != "" ? "; " : "") line
    }
    next
}
/^stage\t/ || NF < 11 { next }
{
    ++rows
    folder[rows] = here
    key = $1 FS here
    name_of[key] = $1
    stage[rows] = key; file[rows] = $2; who[rows] = $3; value[rows] = $4; ratio[rows] = $6; to[rows] = $7
    target[rows] = $8; threads[rows] = $9; cpu[rows] = $10; wall[rows] = $11
    if (!($1 in seen_stage)) stages[++stage_count] = $1
    seen_stage[$1] = 1
    if (!(key in unit_of)) source_of[key] = FILENAME
    if ($5 != "-" || !(key in unit_of)) unit_of[key] = $5
    figure[key, $2, $3] = $4
    if ($7 ~ /^limit: /) {
        if ($6 != "-") limit[key, $2, $3] = $6
    } else if ($7 != "-") {
        ++peers[key, $2, $3]
    }
}

END {
    order_folders()
    if (text != "") {
        fill(text)
    } else {
        for (i = 1; i <= stage_count; ++i) {
            print (i > 1 ? "\n" : "") "### " stages[i] "\n"
            stage_tables(stages[i], "")
        }
        print "\n### targets\n"
        stage_tables("missed", "")
    }
}
