/* SPDX-License-Identifier: Apache-2.0
 *
 * hash: 128 bits of content for the keys of caches. Not for secrets.
 *
 * Two 64-bit lanes, mixed by multiplication to 128 bits and folding the halves together. The
 * value of a text is part of the names of files in the disk cache: a change here must raise the
 * cache's version. Bytes are read little-endian, so that it does not depend on the machine.
 */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

static uint64_t
fold(uint64_t a, uint64_t b)
{
    __uint128_t p = (__uint128_t)a * b;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static uint64_t
read64(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

struct hash128
ls_hash(struct hash128 seed, const void *at, size_t n)
{
    /* Each word meets a constant of its own: with shared ones, a and b could change places. Odd
     * 64-bit constants from the fraction of pi. */
    const uint64_t k0 = 0x243f6a8885a308d3u, k1 = 0x13198a2e03707345u, k2 = 0xa4093822299f31d1u,
                   k3 = 0x082efa98ec4e6c89u;
    const unsigned char *p = at;
    uint64_t lo = seed.lo ^ k0, hi = seed.hi ^ k1;
    size_t left = n;
    for (; left >= 16; left -= 16, p += 16) {
        uint64_t a = read64(p), b = read64(p + 8);
        lo = fold(lo ^ a, k2 ^ b) + hi;
        hi = fold(hi ^ b, k3 ^ a) ^ (lo << 23 | lo >> 41);
    }
    unsigned char tail[16] = {0};
    if (left)
        memcpy(tail, p, left);
    uint64_t a = read64(tail), b = read64(tail + 8);
    lo = fold(lo ^ a, k3 ^ b) + hi;
    hi = fold(hi ^ b, k2 ^ a) ^ (lo << 23 | lo >> 41);
    lo ^= (uint64_t)n;
    for (int i = 0; i < 2; i++) {
        lo = fold(lo ^ k2, hi | 1) ^ hi;
        hi = fold(hi ^ k0, lo | 1) ^ lo;
    }
    return (struct hash128){lo, hi};
}

void
ls_hash_text(struct hash128 h, char out[33])
{
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)h.hi, (unsigned long long)h.lo);
}
