# bare.awk - what layout.awk and public.awk share; load it before them.

# Cut comments out of a line; `inside` says whether it begins in one.
function bare(line,    out, at) {
    out = ""
    while (line != "") {
        at = index(line, inside ? "*/" : "/*")
        if (at == 0) {
            return inside ? out : out line
        }
        if (!inside) {
            out = out substr(line, 1, at - 1) " "
        }
        line = substr(line, at + 2)
        inside = !inside
    }
    return out
}
