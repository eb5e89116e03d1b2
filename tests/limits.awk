# limits.awk TABLE VALUES - hold measured values to the table of limits. Called by lint.sh and compile_time.sh.
#
# A line of VALUES is `measure<TAB>item<TAB>value<TAB>where`; item is a room or a function, or - for the whole.
# A line of TABLE is `header<TAB>measure<TAB>most or least<TAB>limit<TAB>slack`, or a comment; what the columns say
# stands in the table (tests/lint_limits.tsv). The row `measure:item` holds for that item alone, `measure` for all
# items without such a row.
#
# Prints per measure a line `measure: ...` and `ok MEASURE` or `FAILED MEASURE` with indented lines; then the checks
# limits_are_complete and limits_are_those_of_today.
#
# Variables: header, whose rows are judged; only, ignore: rows whose measure matches `only` and not `ignore` must
# have values; mode: `judge`, or `table` to print TABLE with the sizes of today for this header, or `lower`,
# which is the same except that no limit becomes looser.

BEGIN {
    FS = "\t"
    if (only == "") only = "."
    if (ignore == "") ignore = "^$"
    if (mode == "") mode = "judge"
    by_item = "^room_comment$" # each room has a row of its own
}

function complain(check, text) {
    if (++complained[check] <= 12) complaints[check] = complaints[check] "\n    " text
}

function report(check) {
    if (complaints[check] == "") print "ok " check
    else print "FAILED " check complaints[check] \
        (complained[check] > 12 ? "\n    ... " complained[check] " in all" : "")
}

function measure_of(key) {
    sub(/:.*$/, "", key)
    return key
}

function is_judged(measure) { return measure ~ only && measure !~ ignore }

# -- the table ----------------------------------------------------------------------------------------

FILENAME == ARGV[1] && mode != "judge" { table_line[++table_lines] = $0 }

FILENAME == ARGV[1] && /^(#|$)/ { next }

FILENAME == ARGV[1] {
    if (NF != 5 || $3 !~ /^(most|least)$/ || $4 !~ /^[0-9]+(\.[0-9]+)?$/ || $5 !~ /^(-|[0-9]+(\.[0-9]+)?%?)$/) {
        complain("limits_are_complete", "line " FNR " of the table is no row: " $0)
        next
    }
    if ($1 != header) next
    if ($2 in limit) complain("limits_are_complete", "line " FNR " of the table is a second row " $2)
    direction[$2] = $3
    limit[$2] = $4 + 0
    slack[$2] = $5
    next
}

# -- the values ---------------------------------------------------------------------------------------

# Sizes of code depend on the compiler. `x_gcc13` without a row is held to the row of another version, `x_gcc12`,
# 5 % beyond its limit.
function row_of_other_compiler(measure,    stem, key) {
    if (measure !~ /_gcc[0-9]+$/) return ""
    stem = measure
    sub(/[0-9]+$/, "", stem)
    for (key in limit) {
        if (index(key, stem) == 1 && key ~ /_gcc[0-9]+$/) return key
    }
    return ""
}

{
    measure = $1
    if (!(measure in seen)) {
        seen[measure] = 1
        measures[++measure_count] = measure
    }
    row = measure ":" $2
    if (!(row in limit)) row = measure
    if (!(row in limit)) row = row_of_other_compiler(measure)
    if (row == "") row = measure ~ by_item ? measure ":" $2 : measure
    if (!(row in rows_seen)) {
        rows_seen[row] = 1
        row_measure[row] = measure
        rows[++row_count] = row
        if (!(row in limit)) {
            complain("limits_are_complete", "the table has no row " row " for " header "; today: " $3)
            direction[row] = default_direction(measure)
        }
    }
    # A row holds what is worst of its items.
    if (!(row in worst) || (direction[row] == "least" ? $3 + 0 < worst[row] : $3 + 0 > worst[row])) {
        worst[row] = $3 + 0
        worst_text[row] = $3
        worst_item[row] = $2
    }
    if (row in limit && is_over(row, $3 + 0)) {
        complain(measure, ($2 == "-" ? "" : $2 (($4 == "" || $4 == "-") ? "" : " (" $4 ")") ": ") $3 ", at " \
            direction[row] " " shown_limit(row, measure))
    }
    if (row == measure && $2 != "-") {
        over_general[measure, ++over_count[measure]] = $2
        over_value[measure, over_count[measure]] = $3 + 0
    }
}

function allowed(row,    measure) {
    measure = row_measure[row]
    if (measure == measure_of(row)) return limit[row]
    return direction[row] == "least" ? limit[row] / 1.05 : limit[row] * 1.05
}

function shown_limit(row, measure) {
    return measure == measure_of(row) ? limit[row] "" : sprintf("%.0f (5 %% beyond %s)", allowed(row), row)
}

function is_over(row, value) {
    return direction[row] == "least" ? value < allowed(row) - 1e-9 : value > allowed(row) + 1e-9
}

function slack_of(row) {
    return slack[row] ~ /%$/ ? limit[row] * (slack[row] + 0) / 100 : slack[row] + 0
}

# -- rows of today ------------------------------------------------------------------------------------

function default_direction(measure) { return measure ~ /comment/ ? "least" : "most" }

function default_slack(measure) {
    if (measure ~ /^(lines|bytes|ptx_lines|rooms|(code_bytes|object_bytes|compile_O[02])_.*)$/) return "-" # a ceiling
    if (measure == "room_lines") return "80"
    if (measure == "comment") return "1"
    if (measure == "room_comment") return "2"
    if (measure == "function_lines") return "5"
    if (measure ~ /^(function_lines_median|undefined_symbols.*|macros_with_parameters)$/) return "1"
    if (measure == "function_lines_p90") return "2"
    if (measure ~ /^(if_per_1000_lines|rooms_used)$/) return "0.2"
    return "0"
}

# A limit is the size of today and a margin, rounded up, or down for `least`, to a multiple of the step, so that an
# edit of a few lines seldom needs another limit.
function margin(measure, value) {
    if (measure ~ /^(lines|room_lines|bytes|object_bytes.*|code_bytes.*)$/) return value * 0.005
    if (measure ~ /comment/) return 0.2
    if (measure ~ /^compile_/) return value * 0.08 # times differ from run to run
    return 0
}

function step(measure) {
    if (measure == "bytes") return 5000
    if (measure ~ /^object_bytes/) return 10000
    if (measure ~ /^code_bytes/) return 2000
    if (measure == "lines") return 100
    if (measure == "room_lines") return 20
    if (measure == "ptx_lines") return 10
    if (measure == "function_lines") return 5
    if (measure ~ /^(if_per_1000_lines|rooms_used)$/) return 0.1
    if (measure == "comment") return 0.5
    if (measure ~ /^compile_/) return 0.05
    return 1
}

function limit_of_today(row, is_least, value,    measure, unit, whole) {
    measure = measure_of(row)
    unit = step(measure)
    value += is_least ? -margin(measure, value) : margin(measure, value)
    if (value < 0) value = 0
    whole = int(value / unit + 1e-6)
    if (!is_least && whole * unit < value - 1e-6) ++whole
    return sprintf(unit < 0.1 ? "%.2f" : unit < 1 ? "%.1f" : "%.0f", whole * unit)
}

function print_row(row, is_new,    way, today, width) {
    way = is_new ? default_direction(measure_of(row)) : direction[row]
    width = is_new ? default_slack(measure_of(row)) : slack[row]
    today = limit_of_today(row, way == "least", worst[row])
    if (!is_new) {
        if (width == "-" || row_measure[row] != measure_of(row)) today = limit[row]
        if (mode == "lower" && (way == "least" ? today + 0 < limit[row] : today + 0 > limit[row])) today = limit[row]
    }
    printf "%s\t%s\t%s\t%s\t%s\n", header, row, way, today, width
}

# A row for one item is for what the general row does not allow.
function is_needless(row,    general) {
    general = measure_of(row)
    if (row == general || !(general in limit) || !(row in worst)) return 0
    return direction[row] == "least" ? worst[row] >= limit[general] : worst[row] <= limit[general]
}

# Rows that the table lacks: of measures, and where the general row is a fixed one, of items beyond it.
function print_new_rows(    r, m, i, row) {
    for (r = 1; r <= row_count; ++r) {
        if (!(rows[r] in limit)) print_row(rows[r], 1)
    }
    for (m = 1; m <= measure_count; ++m) {
        row = measures[m]
        if (mode == "lower" || !(row in limit) || slack[row] != "-") continue
        for (i = 1; i <= over_count[row]; ++i) {
            if (direction[row] == "least" ? over_value[row, i] >= limit[row] : over_value[row, i] <= limit[row]) continue
            worst[row ":" over_general[row, i]] = over_value[row, i]
            print_row(row ":" over_general[row, i], 1)
        }
    }
}

# The table as it is, this header's rows renewed; new ones stand after its last, or at the end.
function print_table(    n, fields, last) {
    for (n = 1; n <= table_lines; ++n) {
        split(table_line[n], fields, "\t")
        if (fields[1] == header) last = n
    }
    for (n = 1; n <= table_lines; ++n) {
        split(table_line[n], fields, "\t")
        if (fields[1] == header && is_judged(measure_of(fields[2]))) {
            if (fields[2] in rows_seen && !is_needless(fields[2])) print_row(fields[2], 0)
        } else {
            print table_line[n]
        }
        if (n == last) print_new_rows()
    }
    if (!last) print_new_rows()
}

# -- judgement ----------------------------------------------------------------------------------------

function judge_rows(    key, r, row, distance) {
    for (key in limit) {
        if (is_judged(measure_of(key)) && !(key in rows_seen))
            complain("limits_are_complete", "the table's row " key " for " header " limits nothing that is there")
    }
    for (r = 1; r <= row_count; ++r) {
        row = rows[r]
        if (!(row in limit) || slack[row] == "-" || row_measure[row] != measure_of(row)) continue
        distance = direction[row] == "least" ? worst[row] - limit[row] : limit[row] - worst[row]
        if (distance > slack_of(row) + 1e-9 && limit_of_today(row, direction[row] == "least", worst[row]) != limit[row])
            complain("limits_are_those_of_today", row ": today " worst_text[row] ", the limit is " limit[row] \
                "; lower it with --lower")
        else if (is_needless(row))
            complain("limits_are_those_of_today", row ": today " worst_text[row] \
                ", for which it needs no row of its own; --lower drops it")
    }
}

function print_measure(measure,    r, row, own) {
    if (measure in rows_seen && measure in limit) {
        print "measure: " measure " " worst_text[measure] \
            (worst_item[measure] == "-" ? "" : " (" worst_item[measure] ")") \
            ", at " direction[measure] " " shown_limit(measure, measure)
    }
    for (r = 1; r <= row_count; ++r) {
        row = rows[r]
        if (row_measure[row] != measure || row == measure) continue
        if (measure_of(row) != measure) {
            print "measure: " measure " " worst_text[row] ", at " direction[row] " " shown_limit(row, measure)
        } else {
            own = own " " worst_item[row] " " worst_text[row] (row in limit ? " (" limit[row] ")" : "")
        }
    }
    if (own != "") print "measure: " measure " (limit):" own
}

END {
    if (mode != "judge") {
        print_table()
        exit 0
    }
    judge_rows()
    for (m = 1; m <= measure_count; ++m) {
        print_measure(measures[m])
        report(measures[m])
    }
    report("limits_are_complete")
    report("limits_are_those_of_today")
}
