/*
 * The second of two translation units: it uses what the first one implements. Compiled as C and as C++, linked and
 * run; ACGT and GATTACA are eleven bases.
 */
#include "two_units.h"

int main(void) {
    uint64_t a = two_units_a_bases(), b = two_units_bases();
    if (a != 11 || b != 11) {
        printf("%lu and %lu bases\n", (unsigned long)a, (unsigned long)b);
        return 1;
    }
    return 0;
}
