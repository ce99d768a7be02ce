/* SPDX-License-Identifier: Apache-2.0
 *
 * curand_philox.h: Philox4x32-10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011). The
 * seed is the key; the upper half of the counter is the subsequence, the lower half counts fours of the
 * sequence.
 */
#ifndef LOCKSTEP_CURAND_PHILOX_H
#define LOCKSTEP_CURAND_PHILOX_H

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE; /* which of the four comes next */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

static __device__ inline uint4
curand_Philox4x32_10(uint4 c, uint2 k)
{
    for (int round = 0; round < 10; round++) {
        unsigned int high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
        unsigned int high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
        c = make_uint4(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
    }
    return c;
}
/* Adds n to the 128 bits of the counter. */
static __device__ inline void
__lockstep_philox_add(uint4 *c, unsigned long long low, unsigned long long high)
{
    unsigned long long a = (unsigned long long)c->y << 32 | c->x, b = (unsigned long long)c->w << 32 | c->z;
    a += low;
    b += high + (a < low);
    *c = make_uint4((unsigned int)a, (unsigned int)(a >> 32), (unsigned int)b, (unsigned int)(b >> 32));
}
static __device__ inline void
skipahead(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
    unsigned long long at = s->STATE + (n & 3);
    __lockstep_philox_add(&s->ctr, n / 4 + at / 4, 0);
    s->STATE = (unsigned int)at & 3;
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}
static __device__ inline void
skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
    __lockstep_philox_add(&s->ctr, 0, n);
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}
static __device__ inline void
curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
            curandStatePhilox4_32_10_t *s)
{
    s->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    s->ctr = make_uint4(0, 0, (unsigned int)subsequence, (unsigned int)(subsequence >> 32));
    s->STATE = 0;
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0.0f;
    s->boxmuller_extra_double = 0.0;
    skipahead(offset, s);
}
static __device__ inline unsigned int
curand(curandStatePhilox4_32_10_t *s)
{
    unsigned int r = s->STATE == 0   ? s->output.x
                     : s->STATE == 1 ? s->output.y
                     : s->STATE == 2 ? s->output.z
                                     : s->output.w;
    if (++s->STATE == 4) {
        s->STATE = 0;
        __lockstep_philox_add(&s->ctr, 1, 0);
        s->output = curand_Philox4x32_10(s->ctr, s->key);
    }
    return r;
}
static __device__ inline uint4
curand4(curandStatePhilox4_32_10_t *s)
{
    uint4 r;
    r.x = curand(s), r.y = curand(s), r.z = curand(s), r.w = curand(s);
    return r;
}

#endif
