# ratios.awk - add ratios and targets to the rows that programs wrote with --tsv.
#
#   awk -f bench/ratios.awk bench/targets.tsv FILE.tsv...
#
# A row becomes one row for each comparison that targets.tsv names for it, or stays as it is. Rows that have a ratio
# already pass. What is wanted and was not measured gets a row with `-` as its figure or as its ratio.
BEGIN { FS = OFS = "\t"; OFMT = "%.6g" }

# The regular expression of a pattern with *.
function expression(pattern) {
    gsub(/[.()+|]/, "[&]", pattern)
    gsub(/\*/, ".*", pattern)
    return "^" pattern "$"
}

# The key of the fastest of `names`, parted by |, in this stage and file; "" where none was measured.
function fastest(stage, file, names,    list, count, i, key, best, parts) {
    sub(/^limit: /, "", names)
    count = split(names, list, "|")
    best = ""
    for (i = 1; i <= count; ++i) {
        if (split(list[i], parts, " @ ") == 2) {
            key = stage FS parts[2] FS parts[1]
        } else {
            key = stage FS file FS list[i]
        }
        if (!(key in value)) key = stage FS file FS "limit: " list[i]
        if ((key in value) && value[key] != "-" && (best == "" || value[key] + 0 > value[best] + 0)) best = key
    }
    return best
}

# What the row is compared with, as it stands in the file of results.
function shown(names, key,    parts) {
    if (key == "") return names
    split(key, parts, FS)
    if (names ~ / @ /) return names
    return (names ~ /^limit: / && parts[3] !~ /^limit: /) ? "limit: " parts[3] : parts[3]
}

# One row of results.
function put(stage, file, contender, figure, unit, ratio, to, wanted, rest) {
    print stage, file, contender, figure, unit, ratio, to, wanted, rest
}

# All comparisons of row r. Returns how many.
function compare(r,    t, key, count, done, wanted, ratio) {
    count = 0
    for (t = 1; t <= targets; ++t) {
        if (stage[r] != target_stage[t] || file[r] !~ file_like[t] || contender[r] !~ contender_like[t]) continue
        if (to[t] in done) continue
        done[to[t]] = 1
        wanted = want[t] (hope[t] != "-" ? " (" hope[t] ")" : "")
        if (to[t] == "-") {
            put(stage[r], file[r], contender[r], figure[r], unit[r], "-", "-", wanted, rest[r])
            ++count
            continue
        }
        key = fastest(stage[r], file[r], to[t])
        if (key == stage[r] FS file[r] FS contender[r]) continue
        if (key == "" && want[t] == "-") continue
        if (key != "" && ((stage[r], file[r], contender[r], key) in shown_already)) continue
        shown_already[stage[r], file[r], contender[r], key] = 1
        ratio = key == "" || figure[r] == "-" ? "-" : sprintf("%.4f", figure[r] / value[key])
        put(stage[r], file[r], contender[r], figure[r], unit[r], ratio, shown(to[t], key), wanted, rest[r])
        ++count
    }
    return count
}

FNR == 1 { ++number }
number == 1 && (/^#/ || /^stage\t/) { next }
number == 1 {
    ++targets
    target_stage[targets] = $1; file_like[targets] = expression($2); contender_like[targets] = expression($3)
    contender_name[targets] = $3; to[targets] = $4; want[targets] = $5; hope[targets] = $6
    next
}
/^#/ { if (!($0 in comments)) print; comments[$0] = 1; next }
/^stage\t/ || NF < 8 { next }
{
    if ($6 == "" || $7 == $3) $6 = $7 = "-"
    if ($7 == "memset") $7 = "limit: memset"
    if ($8 == "") $8 = "-"
    ++rows
    stage[rows] = $1; file[rows] = $2; contender[rows] = $3; figure[rows] = $4; unit[rows] = $5
    ratio[rows] = $6; toward[rows] = $7; wanted[rows] = $8
    rest[rows] = (NF > 8 ? $9 : "-") OFS (NF > 9 ? $10 : "-") OFS (NF > 10 ? $11 : "-")
    value[$1 FS $2 FS $3] = $4
    if (!(($1, $2) in files)) { files[$1, $2] = ++pairs; pair_stage[pairs] = $1; pair_file[pairs] = $2 }
}

END {
    print "stage", "file", "contender", "value", "unit", "ratio", "to", "target", "threads", "cpu_s", "wall_s"
    for (r = 1; r <= rows; ++r) {
        if (ratio[r] != "-") {
            put(stage[r], file[r], contender[r], figure[r], unit[r], ratio[r], toward[r], wanted[r], rest[r])
        } else if (compare(r) == 0) {
            put(stage[r], file[r], contender[r], figure[r], unit[r], "-", "-", "-", rest[r])
        }
    }
    for (t = 1; t <= targets; ++t) {
        if (want[t] == "-" || contender_name[t] ~ /\*/) continue
        for (p = 1; p <= pairs; ++p) {
            if (pair_stage[p] != target_stage[t] || pair_file[p] !~ file_like[t]) continue
            if ((pair_stage[p] FS pair_file[p] FS contender_name[t]) in value) continue
            put(pair_stage[p], pair_file[p], contender_name[t], "-", "-", "-", to[t], \
                want[t] (hope[t] != "-" ? " (" hope[t] ")" : ""), "-" OFS "-" OFS "-")
        }
    }
}
