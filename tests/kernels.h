/*
 * kernels.h - the sets of kernels to test: those of every mask that this processor has, the portable
 * ones first. A mask holds all that its name's processors have, as a pick by it does.
 */
#ifndef KERNELS_H
#define KERNELS_H

#include "test.h"

typedef struct kernel_mask {
    const char *name;
    uint32_t cpu;
} kernel_mask;

#define KERNELS_AVX2 (BIOST_CPU_SSE2 | BIOST_CPU_PCLMUL | BIOST_CPU_BMI2 | BIOST_CPU_AVX2)

static const kernel_mask kernels_known[] = {
    {"scalar", 0},
    {"SSE2", BIOST_CPU_SSE2},
    {"BMI2", BIOST_CPU_SSE2 | BIOST_CPU_BMI2},
    {"PCLMUL", BIOST_CPU_SSE2 | BIOST_CPU_PCLMUL},
    {"AVX2", KERNELS_AVX2},
    {"AVX-512", KERNELS_AVX2 | BIOST_CPU_AVX512},
    {"AVX-512 VBMI", KERNELS_AVX2 | BIOST_CPU_AVX512 | BIOST_CPU_AVX512_VBMI},
    {"VPCLMUL", KERNELS_AVX2 | BIOST_CPU_VPCLMUL},
    {"AVX-512 VPCLMUL", KERNELS_AVX2 | BIOST_CPU_AVX512 | BIOST_CPU_VPCLMUL},
    {"NEON", BIOST_CPU_NEON},
    {"ARM CRC32", BIOST_CPU_NEON | BIOST_CPU_ARM_CRC32},
};
enum { KERNELS_KNOWN = sizeof kernels_known / sizeof kernels_known[0] };

/*
 * The masks, of those that this processor has, that pick a kernel which the one before does not: `pick`
 * returns what a mask picks, of several kernels the one asked for by `which`. Returns how many.
 */
typedef void (*kernel_call)(void);

TEST_MAYBE_UNUSED static size_t kernels_here(kernel_call (*pick)(uint32_t cpu, int which), int which,
                                             kernel_mask out_masks[KERNELS_KNOWN]) {
    kernel_call seen[KERNELS_KNOWN];
    size_t count = 0;
    for (size_t i = 0; i < KERNELS_KNOWN; i++) {
        size_t k = 0;
        kernel_call call;
        if ((kernels_known[i].cpu & ~bsi_cpu_features()) != 0) {
            continue;
        }
        call = pick(kernels_known[i].cpu, which);
        while (k < count && seen[k] != call) {
            k++;
        }
        if (k == count) {
            seen[count] = call;
            out_masks[count++] = kernels_known[i];
        }
    }
    return count;
}

/* Say in the log, for the sum of `make test`, which kernels a test goes through. */
TEST_MAYBE_UNUSED static void kernels_print(const char *room, const kernel_mask *masks, size_t count) {
    printf("kernels: %s:", room);
    for (size_t i = 0; i < count; i++) {
        printf("%s %s", i > 0 ? "," : "", masks[i].name);
    }
    printf("\n");
}

#endif /* KERNELS_H */
