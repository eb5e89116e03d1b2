/* Included where other headers stand before and after it, and more than once, it stays the same. */
#include <stdio.h>
#include <string.h>

#include "../../biostream.h"

#include "../../biostream.h"
#include <stdlib.h>

size_t order_use(void);

size_t order_use(void) {
    return sizeof(biost_loader_desc);
}
