# tables.awk - Markdown tables of files of results (see bench/README.md), all of one processor; called by tables.sh and by
# what measures.
#
#   awk -f bench/tables.awk bench/why.tsv FILE.tsv...
#
# For each stage a table of comparisons and a table of all figures; in front of the first stage of a file of results its
# conditions; at the end what is wanted and not reached, and what is below 1 with the reason that why.tsv gives. Ratios are
# cut, not rounded.
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

function first_column(s) { return s == "kernels" ? "case" : "file" }

function words(wanted) {
    sub(/^<=/, "at most ", wanted)
    sub(/^>=/, "at least ", wanted)
    return wanted
}

# Thousands of records a second.
function rate(r) {
    return (file[r] in records) && wall[r] > 0 ? sprintf("%.0f", records[file[r]] / wall[r] / 1000) : "-"
}

# Without the columns of times where no row has any.
function figures(s,    r, times, counted, seen) {
    for (r = 1; r <= rows; ++r) {
        if (stage[r] != s) continue
        if (wall[r] != "-") times = 1
        if (file[r] in records) counted = 1
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

# All that was wanted and is not reached.
function missed(    r, wanted, met, said_head) {
    for (r = 1; r <= rows; ++r) {
        if (target[r] == "-") continue
        ++wanted
        met += verdict(r) ~ /^met/
    }
    if (!wanted) {
        print "Nothing was measured that has a target."
        return
    }
    print met + 0 " of " wanted " targets are met." (met < wanted ? " The others:" : "")
    for (r = 1; r <= rows; ++r) {
        if (target[r] == "-" || verdict(r) ~ /^met/) continue
        if (!said_head++) {
            print "\n| stage | file | ours | against | ratio | target | |"
            print "|---|---|---|---|--:|--:|---|"
        }
        print "| " stage[r] " | " file[r] " | " who[r] " | " to[r] " | " cut(ratio[r]) " | " words(target[r]) " | " verdict(r) " |"
    }
}

# The reason that why.tsv gives for a row.
function reason(r,    i) {
    for (i = 1; i <= reasons; ++i) {
        if (stage[r] ~ why_stage[i] && who[r] ~ why_who[i] && to[r] ~ why_to[i]) return why[i]
    }
    return "**no line of why.tsv says why**"
}

# What is slower than a peer, or than our own with less to do.
function below(    r, seen, said_head) {
    for (r = 1; r <= rows; ++r) {
        if (ratio[r] == "-" || ratio[r] + 0 >= 1 || to[r] ~ /^limit: / || ((stage[r], who[r], to[r]) in seen)) continue
        seen[stage[r], who[r], to[r]] = 1
        if (!said_head++) {
            print "\n## below 1\n"
            print "Of several files the first stands here.\n"
            print "| stage | file | ours | against | ratio | why |"
            print "|---|---|---|---|--:|---|"
        }
        print "| " stage[r] " | " file[r] " | " who[r] " | " to[r] " | " cut(ratio[r]) " | " reason(r) " |"
    }
}

# The tables of a stage.
function stage_tables(s) {
    if (!(source_of[s] in said)) { # once for all stages of a file of results
        said[source_of[s]] = 1
        print conditions[source_of[s]] "\n"
    }
    comparisons(s)
    print ""
    figures(s)
}

FILENAME ~ /(^|\/)why\.tsv$/ {
    if ($0 !~ /^#/) {
        why_stage[++reasons] = "^(" $1 ")$"
        why_who[reasons] = "^(" $2 ")$"
        why_to[reasons] = "^(" $3 ")$"
        why[reasons] = $4
    }
    next
}

# `# file       NAME: N records, ...`
/^# file / {
    split($0, parts, " ")
    name = parts[3]
    sub(/:$/, "", name)
    records[name] = parts[4]
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
    stage[rows] = $1; file[rows] = $2; who[rows] = $3; value[rows] = $4; ratio[rows] = $6; to[rows] = $7
    target[rows] = $8; threads[rows] = $9; cpu[rows] = $10; wall[rows] = $11
    if (!($1 in source_of)) {
        stages[++stage_count] = $1
        source_of[$1] = FILENAME
    }
    if ($5 != "-" || !($1 in unit_of)) unit_of[$1] = $5
    figure[$1, $2, $3] = $4
    if ($7 ~ /^limit: /) {
        if ($6 != "-") limit[$1, $2, $3] = $6
    } else if ($7 != "-") {
        ++peers[$1, $2, $3]
    }
}

END {
    for (i = 1; i <= stage_count; ++i) {
        print "## " stages[i] "\n"
        stage_tables(stages[i])
        print ""
    }
    print "## targets\n"
    missed()
    below()
}
