/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.c: questions to the addresses of 32 lanes: which of them lie in a piece of memory, whether
 * they lie as others did, and how many of them differ. Asked for each access that is no pattern,
 * twice for a generic one; hosts with AVX-512 compare eight at a time.
 */
#include "profile/profile_priv.h"

#ifdef __x86_64__
#include <immintrin.h>
#define WIDE __attribute__((target("avx512f")))
#endif

bool
lanes_wide(void)
{
#ifdef WIDE
    return __builtin_cpu_supports("avx512f");
#else
    return false;
#endif
}

#ifdef WIDE
static WIDE uint32_t
within_wide(const uint64_t *address, uint64_t first, uint64_t bytes)
{
    uint32_t within = 0;
    for (int n = 0; n < JIT_LANES / 8; n++) {
        __m512i at = _mm512_sub_epi64(_mm512_loadu_si512(address + 8 * n),
                                      _mm512_set1_epi64((long long)first));
        within |= (uint32_t)_mm512_cmplt_epu64_mask(at, _mm512_set1_epi64((long long)bytes))
                  << 8 * n;
    }
    return within;
}

static WIDE bool
fit_wide(uint32_t lanes, const uint64_t *address, uint64_t first, const int64_t *distance)
{
    uint32_t differ = 0;
    for (int n = 0; n < JIT_LANES / 8; n++) {
        __m512i at = _mm512_sub_epi64(_mm512_loadu_si512(address + 8 * n),
                                      _mm512_set1_epi64((long long)first));
        differ |= (uint32_t)_mm512_cmpneq_epi64_mask(at, _mm512_loadu_si512(distance + 8 * n))
                  << 8 * n;
    }
    return !(differ & lanes);
}

/* How many lanes no lower one agrees with, by the distance to the lowest lane: 32 bits; *fits:
 * false where they are too few. No lane's question waits for another's answer. */
static WIDE uint32_t
different_wide(uint32_t lanes, const uint64_t *address, bool *fits)
{
    __m512i first = _mm512_set1_epi64((long long)address[__builtin_ctz(lanes)]),
            half = _mm512_set1_epi64(1ll << 31), at[2];
    uint32_t far = 0, different = 0;
    int distance[JIT_LANES];
    for (int n = 0; n < JIT_LANES / 8; n++) {
        __m512i d = _mm512_sub_epi64(_mm512_loadu_si512(address + 8 * n), first);
        far |= (uint32_t)_mm512_cmpge_epu64_mask(_mm512_add_epi64(d, half),
                                                 _mm512_set1_epi64(1ll << 32))
               << 8 * n;
        _mm256_storeu_si256((__m256i *)(distance + 8 * n), _mm512_cvtepi64_epi32(d));
    }
    *fits = !(far & lanes);
    for (int n = 0; n < 2; n++)
        at[n] = _mm512_loadu_si512(distance + 16 * n);
    for (int l = 0; l < JIT_LANES; l++) {
        __m512i one = _mm512_set1_epi32(distance[l]);
        uint32_t alike = _mm512_cmpeq_epi32_mask(at[0], one);
        if (l >= 16)
            alike |= (uint32_t)_mm512_cmpeq_epi32_mask(at[1], one) << 16;
        different |= (uint32_t) !(alike & lanes & ((1u << l) - 1)) << l;
    }
    return (uint32_t)__builtin_popcount(different & lanes);
}
#endif

uint32_t
lanes_within(bool wide, const uint64_t *address, uint64_t first, uint64_t bytes)
{
    uint32_t within = 0;
#ifdef WIDE
    if (wide)
        return within_wide(address, first, bytes);
#endif
    for (uint32_t l = 0; l < JIT_LANES; l++)
        within |= (uint32_t)(address[l] - first < bytes) << l;
    return within;
}

typedef uint64_t lanes4 __attribute__((vector_size(32), aligned(8), may_alias));

bool
lanes_fit(bool wide, uint32_t lanes, const uint64_t *address, uint64_t first, uint64_t step,
          const int64_t *distance)
{
#define FOUR(n)                                                                                    \
    {                                                                                              \
        -(uint64_t)((n)&1), -(uint64_t)((n) >> 1 & 1), -(uint64_t)((n) >> 2 & 1),                  \
            -(uint64_t)((n) >> 3)                                                                  \
    }
    static const lanes4 active[16] = {FOUR(0),  FOUR(1),  FOUR(2),  FOUR(3), FOUR(4),  FOUR(5),
                                      FOUR(6),  FOUR(7),  FOUR(8),  FOUR(9), FOUR(10), FOUR(11),
                                      FOUR(12), FOUR(13), FOUR(14), FOUR(15)};
#undef FOUR
    const lanes4 *at = (const lanes4 *)address, *kept = (const lanes4 *)distance;
    lanes4 differ = {0}, from = {first, first + step, first + 2 * step, first + 3 * step};
#ifdef WIDE
    if (wide && step == 0)
        return fit_wide(lanes, address, first, distance);
#endif
    for (uint32_t n = 0; n < JIT_LANES / 4; n++)
        differ |= (at[n] - from - 4 * n * step - kept[n]) & active[lanes >> 4 * n & 15];
    return !(differ[0] | differ[1] | differ[2] | differ[3]);
}

uint32_t
lanes_different(bool wide, uint32_t lanes, const uint64_t *address)
{
    enum { SLOTS = 2 * JIT_LANES };
    uint64_t slot[SLOTS]; /* by hash; which of them are taken: */
    uint64_t taken = 0;
    uint32_t n = 0;
#ifdef WIDE
    bool fits = false;
    if (wide && lanes)
        n = different_wide(lanes, address, &fits);
    if (fits)
        return n;
    n = 0;
#endif
    for (; lanes; lanes &= lanes - 1) {
        uint64_t own = address[__builtin_ctz(lanes)];
        uint32_t k = (uint32_t)(own * 0x9e3779b97f4a7c15ull >> 58);
        while (taken >> k & 1 && slot[k] != own)
            k = (k + 1) % SLOTS;
        n += !(taken >> k & 1);
        taken |= 1ull << k;
        slot[k] = own;
    }
    return n;
}
