/* SPDX-License-Identifier: Apache-2.0
 *
 * curand_mrg.h: L'Ecuyer's MRG32k3a ("Good parameters and implementations for combined multiple recursive random
 * number generators", 1999). Subsequences are 2^76 steps apart, sequences 2^127, as in his package of streams;
 * curand_init counts the former. Seed 0 is the package's state, six times 12345; how other seeds become states
 * is ours.
 */
#ifndef LOCKSTEP_CURAND_MRG_H
#define LOCKSTEP_CURAND_MRG_H

struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

enum { LOCKSTEP_MRG_1 = 4294967087u, LOCKSTEP_MRG_2 = 4294944443u };

/* The next of the combined recurrence: 1 to 4294967087. */
static __device__ inline unsigned int
__lockstep_mrg(curandStateMRG32k3a_t *s)
{
    const unsigned long long m1 = LOCKSTEP_MRG_1, m2 = LOCKSTEP_MRG_2;
    unsigned int p1 = (unsigned int)((1403580ull * s->s1[1] + 810728ull * (m1 - s->s1[0])) % m1);
    unsigned int p2 = (unsigned int)((527612ull * s->s2[2] + 1370589ull * (m2 - s->s2[0])) % m2);
    s->s1[0] = s->s1[1], s->s1[1] = s->s1[2], s->s1[2] = p1;
    s->s2[0] = s->s2[1], s->s2[1] = s->s2[2], s->s2[2] = p2;
    return p1 > p2 ? p1 - p2 : p1 + (LOCKSTEP_MRG_1 - p2);
}
/* 2^32 values from somewhat fewer. */
static __device__ inline unsigned int
curand(curandStateMRG32k3a_t *s)
{
    return (unsigned int)((__lockstep_mrg(s) - 1) * (4294967295.0 / (LOCKSTEP_MRG_1 - 1)));
}

struct __lockstep_mrg_matrix {
    unsigned int a[3][3];
};
static __device__ inline __lockstep_mrg_matrix
__lockstep_mrg_product(const __lockstep_mrg_matrix &x, const __lockstep_mrg_matrix &y, unsigned long long m)
{
    __lockstep_mrg_matrix r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            unsigned long long sum = 0;
            for (int k = 0; k < 3; k++)
                sum = (sum + (unsigned long long)x.a[i][k] * y.a[k][j] % m) % m;
            r.a[i][j] = (unsigned int)sum;
        }
    return r;
}
/* Takes the three words n * 2^shift steps ahead. */
static __device__ inline void
__lockstep_mrg_ahead(unsigned int *s, __lockstep_mrg_matrix step, unsigned long long m,
                     unsigned long long n, int shift)
{
    for (; n && shift; shift--)
        step = __lockstep_mrg_product(step, step, m);
    for (; n; n >>= 1, step = __lockstep_mrg_product(step, step, m)) {
        if (!(n & 1))
            continue;
        unsigned int r[3];
        for (int i = 0; i < 3; i++) {
            unsigned long long sum = 0;
            for (int k = 0; k < 3; k++)
                sum = (sum + (unsigned long long)step.a[i][k] * s[k] % m) % m;
            r[i] = (unsigned int)sum;
        }
        s[0] = r[0], s[1] = r[1], s[2] = r[2];
    }
}
static __device__ inline void
__lockstep_mrg_skip(unsigned long long n, int shift, curandStateMRG32k3a_t *s)
{
    const __lockstep_mrg_matrix first = {{{0, 1, 0}, {0, 0, 1}, {LOCKSTEP_MRG_1 - 810728u, 1403580u, 0}}},
                                second = {{{0, 1, 0}, {0, 0, 1}, {LOCKSTEP_MRG_2 - 1370589u, 0, 527612u}}};
    __lockstep_mrg_ahead(s->s1, first, LOCKSTEP_MRG_1, n, shift);
    __lockstep_mrg_ahead(s->s2, second, LOCKSTEP_MRG_2, n, shift);
}
static __device__ inline void
skipahead(unsigned long long n, curandStateMRG32k3a_t *s)
{
    __lockstep_mrg_skip(n, 0, s);
}
static __device__ inline void
skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *s)
{
    __lockstep_mrg_skip(n, 76, s);
}
static __device__ inline void
skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *s)
{
    __lockstep_mrg_skip(n, 127, s);
}
static __device__ inline void
curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
            curandStateMRG32k3a_t *s)
{
    __lockstep_mixer mix = {seed};
    for (int i = 0; i < 3; i++) {
        s->s1[i] = seed ? mix.next() % (LOCKSTEP_MRG_1 - 1) + 1 : 12345;
        s->s2[i] = seed ? mix.next() % (LOCKSTEP_MRG_2 - 1) + 1 : 12345;
    }
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0.0f;
    s->boxmuller_extra_double = 0.0;
    skipahead_subsequence(subsequence, s);
    skipahead(offset, s);
}

#endif
