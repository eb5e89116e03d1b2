/*
 * test_cpu.c - the processor's features against what the kernel of the OS says of them, and which
 * kernels they pick.
 *
 * rooms: cpu kernels
 * needs: nothing
 */
#include "white.h"
#include "test.h"
#include "kernels.h"

#define CPU_ALL                                                                                  \
    (BIOST_CPU_BMI2 | BIOST_CPU_PCLMUL | BIOST_CPU_AVX2 | BIOST_CPU_ARM_CRC32 | BIOST_CPU_SSE2 | \
     BIOST_CPU_NEON | BIOST_CPU_AVX512 | BIOST_CPU_AVX512_VBMI | BIOST_CPU_VPCLMUL)

#if defined(__linux__) && BSI_CPU_X86
/* Is ` flag ` a word of the line? It ends with a line break. */
static uint32_t has_word(const char *line, const char *flag) {
    size_t bytes = strlen(flag);
    const char *at = line;
    while ((at = strstr(at, flag)) != NULL) {
        if (at > line && at[-1] == ' ' && (at[bytes] == ' ' || at[bytes] == '\n')) {
            return 1;
        }
        at += bytes;
    }
    return 0;
}
#endif

/* Linux lists a flag only if the processor has it and the kernel lets programs use it. */
TEST(cpu, like_proc_cpuinfo) {
#if defined(__linux__) && BSI_CPU_X86
    static char line[16384];
    FILE *file = fopen("/proc/cpuinfo", "r");
    uint32_t features = bsi_cpu_features(), has_avx512;
    if (file == NULL) {
        TEST_SKIP("/proc/cpuinfo");
    }
    while (fgets(line, sizeof line, file) != NULL && strncmp(line, "flags", 5) != 0) {
    }
    fclose(file);
    if (strncmp(line, "flags", 5) != 0) {
        TEST_SKIP("flags in /proc/cpuinfo");
    }
    CHECK_EQ_U64((features & BIOST_CPU_BMI2) != 0, has_word(line, "bmi2"));
    CHECK_EQ_U64((features & BIOST_CPU_AVX2) != 0,
                 has_word(line, "avx2") & has_word(line, "bmi1") & has_word(line, "popcnt"));
    CHECK_EQ_U64((features & BIOST_CPU_SSE2) != 0, has_word(line, "sse2"));
    CHECK_EQ_U64((features & BIOST_CPU_PCLMUL) != 0, has_word(line, "pclmulqdq") & has_word(line, "sse4_1"));
    CHECK_EQ_U64((features & BIOST_CPU_VPCLMUL) != 0,
                 has_word(line, "vpclmulqdq") & has_word(line, "avx2") & has_word(line, "pclmulqdq"));
    CHECK_EQ_U64(features & (BIOST_CPU_ARM_CRC32 | BIOST_CPU_NEON), 0);
    has_avx512 = has_word(line, "avx512f") & has_word(line, "avx512bw") & has_word(line, "avx512dq") &
                 has_word(line, "avx512vl");
    CHECK_EQ_U64((features & BIOST_CPU_AVX512) != 0, has_avx512);
    CHECK_EQ_U64((features & BIOST_CPU_AVX512_VBMI) != 0, has_avx512 & has_word(line, "avx512vbmi"));
#else
    TEST_SKIP("/proc/cpuinfo of x86");
#endif
}

/* Only the bits of the API, the same ones each time. */
TEST(cpu, known_bits_only) {
    uint32_t features = bsi_cpu_features();
    CHECK_EQ_U64(features & ~(uint32_t)CPU_ALL, 0);
    CHECK_EQ_U64(bsi_cpu_features(), features);
}

/* The bits of the API: users keep masks. */
TEST(cpu, bits_are_frozen) {
    CHECK_EQ_U64(BIOST_CPU_AVX512, 0x40);
    CHECK_EQ_U64(BIOST_CPU_AVX512_VBMI, 0x80);
    CHECK_EQ_U64(BIOST_CPU_VPCLMUL, 0x100);
    CHECK_EQ_U64(CPU_ALL, 0x1FF);
}

/* What AVX-512 adds to AVX2 comes only with it, and VBMI only with the other four. */
TEST(cpu, sets_contain_sets) {
    uint32_t features = bsi_cpu_features();
    CHECK((features & BIOST_CPU_AVX512) == 0 || (features & BIOST_CPU_AVX2) != 0);
    CHECK((features & BIOST_CPU_AVX512_VBMI) == 0 || (features & BIOST_CPU_AVX512) != 0);
}

/* Which kernel a mask picks, of crc 0, inflate 1 and check 2. */
static kernel_call pick(uint32_t cpu, int which) {
    static bsi_inflate inflate;
    static bsi_hash_crc_tables tables;
    static bsi_check_kernels check;
    bsi_kernels_crc(&tables, cpu);
    bsi_kernels_inflate(&inflate, cpu);
    bsi_kernels_check(&check, cpu);
    return which == 0   ? (kernel_call)tables.update
           : which == 1 ? (kernel_call)inflate.fast
                        : (kernel_call)check.spans_stats;
}

/* Tests of these three rooms go through all kernels, but have no names of masks. */
TEST(cpu, kernels_listed) {
    static const char *const rooms[3] = {"crc", "inflate", "check"};
    for (int i = 0; i < 3; i++) {
        kernel_mask masks[KERNELS_KNOWN];
        size_t count = kernels_here(pick, i, masks);
        CHECK(count >= 1 && masks[0].cpu == 0);
        kernels_print(rooms[i], masks, count);
    }
}

/* A mask of zeros picks the portable kernels, whatever was picked before; so does begin, not again. */
TEST(cpu, zero_is_portable) {
    static bsi_inflate inflate;
    static bsi_hash_crc_tables tables;
    bsi_hash_crc_init(&tables);
    CHECK(tables.update == bsi_hash_crc_update_scalar);
    bsi_kernels_crc(&tables, bsi_cpu_features());
    bsi_kernels_crc(&tables, 0);
    CHECK(tables.update == bsi_hash_crc_update_scalar);
    bsi_inflate_begin(&inflate);
    CHECK(inflate.fast == bsi_inflate_fast_portable);
    bsi_kernels_inflate(&inflate, bsi_cpu_features());
    bsi_kernels_inflate(&inflate, 0);
    CHECK(inflate.fast == bsi_inflate_fast_portable);
    bsi_kernels_inflate(&inflate, bsi_cpu_features());
    bsi_inflate_begin(&inflate);
    CHECK(inflate.fast == bsi_inflate_fast_portable);
}

/* Each bit picks its kernel where this build has one, and again keeps it. */
TEST(cpu, bits_pick) {
    static bsi_inflate inflate;
    static bsi_ops_texts_streams ways;
    static bsi_hash_crc_tables tables;
    (void)ways;
    bsi_hash_crc_init(&tables);
    bsi_inflate_begin(&inflate);
    bsi_kernels_inflate(&inflate, CPU_ALL & ~(uint32_t)BIOST_CPU_BMI2);
    CHECK(inflate.fast == bsi_inflate_fast_portable);
    bsi_kernels_crc(&tables, BIOST_CPU_BMI2 | BIOST_CPU_AVX2);
    CHECK(tables.update == bsi_hash_crc_update_scalar);
#if BSI_CPU_X86_BMI2
    bsi_kernels_inflate(&inflate, BIOST_CPU_BMI2);
    CHECK(inflate.fast == bsi_inflate_fast_portable);
    bsi_kernels_inflate(&inflate, BIOST_CPU_BMI2 | BIOST_CPU_AVX2);
    CHECK(inflate.fast == bsi_inflate_fast_avx2 && inflate.widen == bsi_huff_widen_avx2);
    bsi_inflate_again(&inflate);
    CHECK(inflate.fast == bsi_inflate_fast_avx2 && inflate.widen == bsi_huff_widen_avx2);
    bsi_kernels_streams(&ways, BIOST_CPU_BMI2 | BIOST_CPU_AVX2);
    CHECK(ways.fast[0] == bsi_ops_texts_fast_avx2);
    CHECK(ways.ways[2].inflate.fast == bsi_inflate_fast_avx2);
    bsi_kernels_streams(&ways, 0);
    CHECK(ways.fast[0] == bsi_ops_texts_fast_portable);
    CHECK(ways.ways[2].inflate.fast == bsi_inflate_fast_portable);
#endif
#if BSI_CPU_X86
    bsi_kernels_crc(&tables, BIOST_CPU_PCLMUL);
    CHECK(tables.update == bsi_hash_crc_update_pclmul);
#endif
#if BSI_CPU_X86_VPCLMUL
    bsi_kernels_crc(&tables, BIOST_CPU_PCLMUL | BIOST_CPU_VPCLMUL);
    CHECK(tables.update == bsi_hash_crc_update_vpclmul);
    bsi_kernels_crc(&tables, BIOST_CPU_PCLMUL | BIOST_CPU_VPCLMUL | BIOST_CPU_AVX512);
    CHECK(tables.update == bsi_hash_crc_update_avx512);
    bsi_kernels_crc(&tables, BIOST_CPU_PCLMUL | BIOST_CPU_AVX512);
    CHECK(tables.update == bsi_hash_crc_update_pclmul);
#endif
#if defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
    bsi_kernels_crc(&tables, BIOST_CPU_ARM_CRC32);
    CHECK(tables.update == bsi_hash_crc_update_arm);
#endif
}
