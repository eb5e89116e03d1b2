/*
 * tagged.h - addresses of blocks with a tag: on Linux for 64-bit ARM the upper byte of an address is the
 * program's own, and sanitizers and allocators put tags there. Elsewhere addresses are as they are.
 */
#ifndef TAGGED_H
#define TAGGED_H

#include <stdint.h>

#if defined(__aarch64__) && defined(__linux__)
#define TAG ((uintptr_t)0xE5 << 56)
#else
#define TAG ((uintptr_t)0)
#endif

/* A block, or NULL, with the tag. */
static inline uint8_t *tagged(uint8_t *block) {
    return block == NULL ? NULL : (uint8_t *)((uintptr_t)block | TAG);
}

/* The block as free takes it. */
static inline void *untagged(const uint8_t *block) {
    return (void *)((uintptr_t)block & ~TAG);
}

#endif
