# plots.awk - one plot, as SVG, of files of results; called by plots.sh.
#
#   awk -v plot=NAME -f bench/plots.awk bench/plots.tsv FILE.tsv...
#
# Horizontal bars in groups, ours in colour, in light and dark mode. At each bar stands its figure, at ours also how many
# times as fast as the fastest peer of the group it is, and its share of the limit.
BEGIN { FS = "\t"; LEFT = 260; BARS = 320; WIDTH = 860; ROW = 22 }

function escape(words) {
    gsub(/&/, "\\&amp;", words); gsub(/</, "\\&lt;", words); gsub(/>/, "\\&gt;", words)
    return words
}

function text(x, y, class, words) {
    body = body sprintf("<text x=\"%d\" y=\"%d\"%s>%s</text>\n", x, y, class == "" ? "" : " class=\"" class "\"", escape(words))
}

function number(x) { return x >= 100 ? sprintf("%.0f", x) : x >= 10 ? sprintf("%.1f", x) : sprintf("%.2f", x) }

function cut(x) { return x >= 10 ? sprintf("%.1f", int(x * 10 + 1e-6) / 10) : sprintf("%.2f", int(x * 100 + 1e-6) / 100) }

# The fastest measured of names parted by |; -1 without any.
function fastest(stage, file, names,    list, count, i, best) {
    count = split(names, list, "|")
    best = -1
    for (i = 1; i <= count; ++i) {
        if (((stage, file, list[i]) in figure) && figure[stage, file, list[i]] > best) best = figure[stage, file, list[i]]
    }
    return best
}

# One bar more in the group of that title.
function add(group, stage, file, label, kind, value,    g) {
    if (!((group) in group_number)) { group_number[group] = ++groups; title[groups] = group; group_stage[groups] = stage }
    g = group_number[group]
    ++bars[g]
    bar_label[g, bars[g]] = label; bar_kind[g, bars[g]] = kind; bar_value[g, bars[g]] = value
    used[source_of[stage]] = 1
    if (kind == "ours") has_ours[g] = 1
    if (kind == "peer" && value > best_peer[g]) { best_peer[g] = value; peer_label[g] = label }
    if (kind == "limit" && value > limit[g]) limit[g] = value
    if (value > most[g]) most[g] = value
    if (value > most_of_all) most_of_all = value
}

# Every file of the stage is a group; of contenders that no other line takes, the fastest is ours. A limit is shown where
# something is compared with it.
function add_all(stage, names, label, kind,    i, w, list, count, best, taken, at) {
    for (i = 1; i <= file_count[stage]; ++i) {
        at = stage_file[stage, i]
        if (kind == "limit" && !((stage, at) in held_to_limit)) continue
        if (names != "*") {
            best = fastest(stage, at, names)
            if (best > 0) add(at, stage, at, label, kind, best)
            continue
        }
        best = -1
        for (w = 1; w <= who_count[stage, at]; ++w) {
            taken = who[stage, at, w]
            if (taken in plain) continue
            if (figure[stage, at, taken] > best) { best = figure[stage, at, taken]; count = taken }
        }
        if (best > 0) add(at, stage, at, label " (" count ")", kind, best)
    }
}

function beside(g, b,    words, against) {
    words = number(bar_value[g, b])
    if (bar_kind[g, b] != "ours") return words
    if (best_peer[g] > 0) {
        against = peer_label[g]
        sub(/ \+ table$/, "", against)
        words = words ", " cut(bar_value[g, b] / best_peer[g]) "x " against
    }
    if (limit[g] > 0) words = words ", " cut(bar_value[g, b] / limit[g]) " of limit"
    return words
}

function draw(    g, b, y, scale, length_of, class) {
    y = 34
    text(16, y, "head", heading)
    y += 14
    for (g = 1; g <= groups; ++g) {
        if (!has_ours[g]) continue
        y += 26
        text(16, y, "group", title[g])
        y += 8
        scale = BARS / (heading ~ /own scale/ ? most[g] : most_of_all)
        for (b = 1; b <= bars[g]; ++b) {
            length_of = bar_value[g, b] * scale
            if (length_of < 1) length_of = 1
            class = bar_kind[g, b]
            text(LEFT - 8, y + 15, "label" (class == "ours" ? " strong" : ""), bar_label[g, b])
            body = body sprintf("<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"16\" rx=\"2\" class=\"%s\"/>\n", LEFT, y + 3, length_of, class)
            text(LEFT + length_of + 6, y + 15, class == "ours" ? "strong" : "dim", beside(g, b))
            y += ROW
        }
    }
    return y
}

function style() {
    print "<style>"
    print "text { font: 13px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #1f2328 }"
    print ".head { font-size: 16px; font-weight: 600 } .group { font-weight: 600 } .strong { font-weight: 600 }"
    print ".label { text-anchor: end } .dim { fill: #59636e } .foot { fill: #59636e; font-size: 11px }"
    print ".ours { fill: #0969da } .peer { fill: #afb8c1 } .limit { fill: none; stroke: #59636e; stroke-dasharray: 3 2 }"
    print "@media (prefers-color-scheme: dark) {"
    print "text { fill: #f0f6fc } .dim, .foot { fill: #9198a1 } .ours { fill: #4493f8 } .peer { fill: #656c76 }"
    print ".limit { stroke: #9198a1 } }"
    print "</style>"
}

FNR == 1 { ++number_of_file }
number_of_file == 1 && (/^#/ || /^plot\t/ || $1 != plot) { next }
number_of_file == 1 && $2 == "title" { heading = $4; next }
number_of_file == 1 {
    ++lines
    line_stage[lines] = $2; line_file[lines] = $3; line_group[lines] = $4; line_names[lines] = $5
    line_label[lines] = $6; line_kind[lines] = $7
    count = split($5, list, "|")
    for (i = 1; i <= count; ++i) plain[list[i]] = 1
    next
}
/^# (date|processor|compiler) / {
    key = substr($0, 3)
    sub(/ .*$/, "", key)
    words = $0
    sub(/^# [a-z]*  */, "", words)
    condition[FILENAME, key] = words
    next
}
/^#/ || /^stage\t/ || NF < 11 || $4 == "-" { next }
{
    if (!(($1, $2) in seen_file)) { seen_file[$1, $2] = 1; stage_file[$1, ++file_count[$1]] = $2 }
    if (!(($1, $2, $3) in figure)) who[$1, $2, ++who_count[$1, $2]] = $3
    figure[$1, $2, $3] = $4 + 0
    if ($7 ~ /^limit: /) held_to_limit[$1, $2] = 1
    source_of[$1] = FILENAME
}

END {
    for (l = 1; l <= lines; ++l) {
        if (line_file[l] == "*") {
            add_all(line_stage[l], line_names[l], line_label[l], line_kind[l])
            continue
        }
        value = fastest(line_stage[l], line_file[l], line_names[l])
        if (value > 0) {
            add(line_group[l] " (" line_file[l] ")", line_stage[l], line_file[l], line_label[l], line_kind[l], value)
        }
    }
    any = 0
    for (g = 1; g <= groups; ++g) any += has_ours[g]
    if (!any) exit 3
    y = draw() + 24
    for (source in used) {
        foot = condition[source, "processor"] ", " condition[source, "compiler"]
        if (condition[source, "compiler"] == "") foot = condition[source, "processor"]
        foot = foot ", " condition[source, "date"]
        sub(/, $/, "", foot)
        if (!(foot in said)) { said[foot] = 1; text(16, y, "foot", foot); y += 15 }
    }
    text(16, y, "foot", "One run, contenders in turns, page cache warm; ours at -O2 without -march; more is better")
    y += 15
    text(16, y, "foot", "Figures, versions and how it was measured: bench/README.md")
    y += 14
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n", WIDTH, y, WIDTH, y
    print "<title>" escape(heading) "</title>"
    style()
    printf "%s", body
    print "</svg>"
}
