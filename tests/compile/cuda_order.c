/* Included after biostream.h and other headers, and more than once, it stays the same. */
#include <stdio.h>
#include <string.h>

#include "../../biostream.h"

#include "../../biostream_cuda.h"

#include "../../biostream_cuda.h"
#include <stdlib.h>

size_t cuda_order_use(void);

size_t cuda_order_use(void) {
    return sizeof(biost_cuda_desc);
}
