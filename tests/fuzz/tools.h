/*
 * tools.h - the tool fxbatch inside a target, with all that it includes of the tools, and fx_fai.h. Its main is called
 * fxbatch_main; and what it would say on standard error goes nowhere.
 */
#ifndef TOOLS_H
#define TOOLS_H

#include "fuzz.h"

static FILE *tools_silent;
#undef stderr
#define stderr tools_silent
#define main   fxbatch_main
#ifndef BIOSTREAM_IMPLEMENTED
#define BIOSTREAM_IMPLEMENTED /* it is linked */
#endif
int fxbatch_main(int argc, char **argv);
#include "../../examples/tools/fxbatch.c"
#include "../../examples/tools/fx_fai.h"
#undef main
#undef stderr
#define stderr stderr

static void tools_begin(void) {
    if (tools_silent == NULL) {
        tools_silent = fopen("/dev/null", "w");
        FUZZ_CHECK(tools_silent != NULL);
    }
}

#endif /* TOOLS_H */
