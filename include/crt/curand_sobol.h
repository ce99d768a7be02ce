/* SPDX-License-Identifier: Apache-2.0
 *
 * curand_sobol.h: Sobol's sequences of 32 and 64 bits, plain and scrambled (the first point is the scramble
 * constant, which is a digital shift). The direction vectors are the caller's: each dimension has 32 or 64.
 */
#ifndef LOCKSTEP_CURAND_SOBOL_H
#define LOCKSTEP_CURAND_SOBOL_H

/* WORD, BITS and the names differ; x is the point of index i, in Gray code's order (Antonov and Saleev). */
#define LOCKSTEP_SOBOL(BITS, WORD, LOWEST)                                                         \
    struct curandStateSobol##BITS {                                                                \
        WORD i, x, direction_vectors[BITS];                                                        \
    };                                                                                             \
    struct curandStateScrambledSobol##BITS {                                                       \
        WORD i, x, c, direction_vectors[BITS];                                                     \
    };                                                                                             \
    typedef struct curandStateSobol##BITS curandStateSobol##BITS##_t;                              \
    typedef struct curandStateScrambledSobol##BITS curandStateScrambledSobol##BITS##_t;            \
    template <class state_>                                                                             \
    static __device__ inline void __lockstep_sobol##BITS##_ahead(WORD n, state_ *s)                     \
    {                                                                                              \
        WORD before = s->i ^ s->i >> 1;                                                            \
        s->i += n;                                                                                 \
        WORD change = before ^ s->i ^ s->i >> 1;                                                   \
        for (int k = 0; k < BITS; k++)                                                             \
            if (change >> k & 1)                                                                   \
                s->x ^= s->direction_vectors[k];                                                   \
    }                                                                                              \
    template <class state_> static __device__ inline WORD __lockstep_sobol##BITS##_next(state_ *s)           \
    {                                                                                              \
        WORD r = s->x;                                                                             \
        int lowest = LOWEST(~s->i) - 1;                                                            \
        if (lowest >= 0)                                                                           \
            s->x ^= s->direction_vectors[lowest];                                                  \
        s->i++;                                                                                    \
        return r;                                                                                  \
    }                                                                                              \
    static __device__ inline WORD curand(curandStateSobol##BITS##_t *s)                            \
    {                                                                                              \
        return __lockstep_sobol##BITS##_next(s);                                                   \
    }                                                                                              \
    static __device__ inline WORD curand(curandStateScrambledSobol##BITS##_t *s)                   \
    {                                                                                              \
        return __lockstep_sobol##BITS##_next(s);                                                   \
    }                                                                                              \
    static __device__ inline void skipahead(WORD n, curandStateSobol##BITS##_t *s)                 \
    {                                                                                              \
        __lockstep_sobol##BITS##_ahead(n, s);                                                      \
    }                                                                                              \
    static __device__ inline void skipahead(WORD n, curandStateScrambledSobol##BITS##_t *s)        \
    {                                                                                              \
        __lockstep_sobol##BITS##_ahead(n, s);                                                      \
    }                                                                                              \
    static __device__ inline void curand_init(const WORD *direction_vectors, WORD offset,          \
                                              curandStateSobol##BITS##_t *s)                       \
    {                                                                                              \
        for (int k = 0; k < BITS; k++)                                                             \
            s->direction_vectors[k] = direction_vectors[k];                                        \
        s->i = s->x = 0;                                                                           \
        skipahead(offset, s);                                                                      \
    }                                                                                              \
    static __device__ inline void curand_init(const WORD *direction_vectors, WORD scramble,        \
                                              WORD offset, curandStateScrambledSobol##BITS##_t *s) \
    {                                                                                              \
        for (int k = 0; k < BITS; k++)                                                             \
            s->direction_vectors[k] = direction_vectors[k];                                        \
        s->i = 0;                                                                                  \
        s->x = s->c = scramble;                                                                    \
        skipahead(offset, s);                                                                      \
    }
LOCKSTEP_SOBOL(32, unsigned int, __ffs)
LOCKSTEP_SOBOL(64, unsigned long long, __ffsll)
#undef LOCKSTEP_SOBOL
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

#endif
