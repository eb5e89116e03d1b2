#!/bin/sh
# manual.sh HEADER DIR - cut the programs out of the header's manual into DIR/manual_NAME.c; prints the names.
# A program stands between the lines `//: program NAME` and `//: end` of a comment. What else is code in comments, which is a
# block of lines indented by five blanks of which one ends in ';', becomes the program `snippets`: a function for each
# block, with the variables that the manual leaves to its reader.
awk -v dir="$2" '
    BEGIN { snippets = dir "/manual_snippets.c" }
    function put(text) { print text > snippets }
    function end_block() {
        if (is_code && ++count == 1) {
            print "snippets"
            put("#define BIOSTREAM_IMPLEMENTATION\n#include \"biostream.h\"\n#include <stdio.h>\n#include <string.h>")
            put("int main(void) { return 0; }")
        }
        if (is_code) {
            head = "void line_" first "(biost_reader **readers, const char *path, const char *const *files)"
            put(head ";\n" head " {")
            put("    biost_loader_desc desc;\n    biost_pairs *pairs;\n    biost_error error;\n    biost_result result;")
            put("    (void)readers, (void)path, (void)files, (void)&desc, (void)&pairs, (void)&error, (void)&result;")
            put("    {\n#line " first " \"manual\"\n" block "    }\n}")
        }
        block = ""
        is_code = 0
    }
    /^ \*     \/\/: program /   { name = $4; file = dir "/manual_" name ".c"; printf "" > file; print name; next }
    /^ \*     \/\/: end/        { if (name != "") close(file); name = ""; next }
    name != ""                  { sub(/^ \*(     )?/, ""); print >> file; next }
    !/^ \*     /                { end_block(); next }
    block == "" && /^ \*      / { next }
    block == ""                 { first = FNR }
                                { is_code = is_code || /;( *\/\/.*)?$/; sub(/^ \*/, ""); block = block $0 "\n" }' "$1"
