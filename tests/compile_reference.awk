# compile_reference.awk - print a C file that is the same everywhere, to compare compile times with: what a compiler
# takes for it tells how fast the machine and the compiler are. Variable: functions, how many groups of four.
#
# The functions are of everyday kinds: loops over arrays, a switch in a loop, a struct's fields, calls and bits.
# Numbers in them are drawn from a fixed seed by a generator whose products stay below 2^53, so that every awk
# draws the same.

function draw(below) {
    seed = (seed * 16807) % 2147483647
    return seed % below
}

function one_of(list,    words, count) {
    count = split(list, words, " ")
    return words[draw(count) + 1]
}

# An expression of a few operations on the words in `list`.
function expression(list, depth) {
    if (depth == 0) return draw(3) == 0 ? draw(1000) + 1 "u" : one_of(list)
    return "(" expression(list, depth - 1) " " one_of("+ - * ^ & |") " " expression(list, depth - 1) ")"
}

function print_loop(n) {
    printf "static uint32_t loop_%d(const uint32_t *from, uint32_t *to, uint32_t count) {\n", n
    print "    uint32_t i, a = " draw(1000) ", b = " draw(1000) ";"
    print "    for (i = 0; i + 4 < count; ++i) {"
    print "        uint32_t x = from[i], y = from[i + " draw(4) "];"
    print "        a += " expression("x y b i", 2) ";"
    print "        if (x > " expression("y a", 1) ") {"
    print "            b ^= " expression("x y a", 2) ";"
    print "        } else if ((y & " draw(60) + 1 ") != 0) {"
    print "            a = " expression("a b y", 2) ";"
    print "            continue;"
    print "        }"
    print "        to[i] = " expression("a b x y", 2) ";"
    print "    }"
    print "    return a + b;"
    print "}\n"
}

function print_switch(n,    i, cases) {
    cases = 8 + draw(12)
    printf "static int switch_%d(const uint8_t *text, uint32_t bytes, struct state *state) {\n", n
    print "    uint32_t i, a = " draw(100) ", depth = 0;"
    print "    for (i = 0; i < bytes; ++i) {"
    print "        switch (text[i] % " cases + 2 ") {"
    for (i = 0; i < cases; ++i) {
        print "        case " i ":"
        if (draw(4) == 0) print "            if (depth > " draw(50) ") {\n                return -" i ";\n            }"
        print "            " one_of("a depth state->sum state->line") " = " \
            expression("a i depth state->sum state->record", 1 + draw(2)) ";"
        if (draw(5) > 0) print "            break;"
        else print "            /* fall through */"
    }
    print "        default: state->line += a; break;"
    print "        }"
    print "    }"
    print "    state->sum ^= a + depth;"
    print "    return 0;"
    print "}\n"
}

function print_fields(n,    i) {
    printf "static void fields_%d(struct state *state, const struct state *other, uint32_t count) {\n", n
    print "    uint32_t i;"
    print "    if (count == 0 || other == NULL) {\n        return;\n    }"
    for (i = 0; i < 4; ++i) {
        print "    if (state->" one_of("sum line record flags") " > other->" one_of("sum line record flags") ") {"
        print "        state->" one_of("sum line record flags") " = " \
            expression("other->sum other->line other->record count", 2) ";"
        print "    }"
    }
    print "    for (i = 0; i < 16 && i < count; ++i) {"
    print "        state->cells[i] = other->cells[(i + " draw(16) ") & 15] + " expression("i count", 1) ";"
    print "    }"
    print "}\n"
}

function print_caller(n) {
    printf "uint32_t caller_%d(struct state *state, const uint8_t *text, uint32_t bytes) {\n", n
    print "    struct state other;"
    print "    uint32_t words[64], sums[64], i;"
    print "    memset(&other, 0, sizeof other);"
    print "    for (i = 0; i < 64; ++i) {\n        words[i] = i < bytes ? text[i] * " draw(900) + 1 "u : i;\n        sums[i] = 0;\n    }"
    print "    if (switch_" n "(text, bytes, &other) != 0) {\n        return 0;\n    }"
    print "    fields_" n "(state, &other, bytes);"
    print "    state->sum += loop_" n "(words, sums, 64);"
    print "    return state->sum ^ sums[" draw(64) "];"
    print "}\n"
}

BEGIN {
    if (functions == 0) functions = 80
    seed = 20240229
    print "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n"
    print "struct state {\n    uint32_t sum, line, record, flags;\n    uint32_t cells[16];\n};\n"
    for (n = 0; n < functions; ++n) {
        print_loop(n)
        print_switch(n)
        print_fields(n)
        print_caller(n)
    }
}
