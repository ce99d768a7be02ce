/* SPDX-License-Identifier: Apache-2.0
 *
 * curand_distributions.h: uniform (0 excluded, 1 included), normal, log-normal and Poisson numbers from each
 * generator. Pseudo-random normals are Box and Muller's, two at a time; a quasi-random sequence gives one
 * number a point, by the inverse of the distribution. Poisson: products of uniforms up to a mean of 10, above
 * it Hörmann's transformed rejection ("The transformed rejection method for generating Poisson random
 * variables", 1993).
 */
#ifndef LOCKSTEP_CURAND_DISTRIBUTIONS_H
#define LOCKSTEP_CURAND_DISTRIBUTIONS_H

/* -- uniform -------------------------------------------------------------------------------------- */

static __device__ inline float
__lockstep_unit(unsigned int x)
{
    return (float)x * 0x1p-32f + 0x1p-33f;
}
static __device__ inline double
__lockstep_unit_double(unsigned int x, unsigned int y)
{
    return (double)((unsigned long long)x ^ (unsigned long long)y << 21) * 0x1p-53 + 0x1p-54;
}
static __device__ inline float
__lockstep_unit(unsigned long long x)
{
    return (float)x * 0x1p-64f + 0x1p-65f;
}
static __device__ inline double
__lockstep_unit_double(unsigned int x)
{
    return (double)x * 0x1p-32 + 0x1p-33;
}
static __device__ inline double
__lockstep_unit_double(unsigned long long x)
{
    return (double)(x >> 11) * 0x1p-53 + 0x1p-54;
}
static __device__ inline double
curand_uniform_double(curandStateXORWOW_t *s)
{
    unsigned int x = curand(s), y = curand(s);
    return __lockstep_unit_double(x, y);
}
static __device__ inline double
curand_uniform_double(curandStatePhilox4_32_10_t *s)
{
    unsigned int x = curand(s), y = curand(s);
    return __lockstep_unit_double(x, y);
}
static __device__ inline double
curand_uniform_double(curandStateMRG32k3a_t *s)
{
    return __lockstep_mrg(s) * (1.0 / LOCKSTEP_MRG_1);
}

/* -- normal ------------------------------------------------------------------------------------------- */

static __device__ inline float2
__lockstep_box_muller(unsigned int x, unsigned int y)
{
    float2 r;
    float length = sqrtf(-2.0f * logf(__lockstep_unit(x)));
    sincospif(2.0f * __lockstep_unit(y), &r.x, &r.y);
    r.x *= length;
    r.y *= length;
    return r;
}
static __device__ inline double2
__lockstep_box_muller_double(double x, double y)
{
    double2 r;
    double length = sqrt(-2.0 * log(x));
    sincospi(2.0 * y, &r.x, &r.y);
    r.x *= length;
    r.y *= length;
    return r;
}

/* -- Poisson ------------------------------------------------------------------------------------------ */

template <class state_>
static __device__ inline unsigned int
__lockstep_poisson(state_ *s, double mean)
{
    if (!(mean > 0))
        return 0;
    if (mean < 10) {
        const double limit = exp(-mean);
        unsigned int k = 0;
        for (double product = curand_uniform_double(s); product > limit; k++)
            product *= curand_uniform_double(s);
        return k;
    }
    const double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b, logarithm = log(mean);
    const double alpha = 1.1239 + 1.1328 / (b - 3.4), squeeze = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double u = curand_uniform_double(s) - 0.5, v = curand_uniform_double(s), us = 0.5 - fabs(u);
        double k = floor((2 * a / us + b) * u + mean + 0.43);
        if (us >= 0.07 && v <= squeeze)
            return (unsigned int)k;
        if (!(k >= 0) || (us < 0.013 && v > us))
            continue;
        if (log(v * alpha / (a / (us * us) + b)) <= k * logarithm - mean - lgamma(k + 1))
            return (unsigned int)k;
    }
}
/* The least k with at least the share u below or at it; above a mean of 500 by Cornish and Fisher. */
static __device__ inline unsigned int
__lockstep_poisson_inverse(double u, double mean)
{
    if (!(mean > 0))
        return 0;
    if (mean > 500) {
        double z = normcdfinv(u), k = floor(mean + sqrt(mean) * z + (z * z - 1) / 6 + 0.5);
        return k > 0 ? (unsigned int)k : 0;
    }
    unsigned int k = 0;
    double share = exp(-mean), sum = share;
    while (sum < u && k < 2000) {
        share *= mean / ++k;
        sum += share;
    }
    return k;
}

/* -- pseudo-random states ------------------------------------------------------------------------------- */

#define LOCKSTEP_PSEUDO(STATE)                                                                     \
    static __device__ inline float curand_uniform(STATE *s)                                        \
    {                                                                                              \
        return __lockstep_unit(curand(s));                                                         \
    }                                                                                              \
    static __device__ inline float2 curand_normal2(STATE *s)                                       \
    {                                                                                              \
        unsigned int x = curand(s), y = curand(s);                                                 \
        return __lockstep_box_muller(x, y);                                                        \
    }                                                                                              \
    static __device__ inline double2 curand_normal2_double(STATE *s)                               \
    {                                                                                              \
        double x = curand_uniform_double(s), y = curand_uniform_double(s);                         \
        return __lockstep_box_muller_double(x, y);                                                 \
    }                                                                                              \
    static __device__ inline float curand_normal(STATE *s)                                         \
    {                                                                                              \
        if (s->boxmuller_flag) {                                                                   \
            s->boxmuller_flag = 0;                                                                 \
            return s->boxmuller_extra;                                                             \
        }                                                                                          \
        float2 two = curand_normal2(s);                                                            \
        s->boxmuller_flag = 1;                                                                     \
        s->boxmuller_extra = two.y;                                                                \
        return two.x;                                                                              \
    }                                                                                              \
    static __device__ inline double curand_normal_double(STATE *s)                                 \
    {                                                                                              \
        if (s->boxmuller_flag_double) {                                                            \
            s->boxmuller_flag_double = 0;                                                          \
            return s->boxmuller_extra_double;                                                      \
        }                                                                                          \
        double2 two = curand_normal2_double(s);                                                    \
        s->boxmuller_flag_double = 1;                                                              \
        s->boxmuller_extra_double = two.y;                                                         \
        return two.x;                                                                              \
    }                                                                                              \
    static __device__ inline float2 curand_log_normal2(STATE *s, float mean, float stddev)         \
    {                                                                                              \
        float2 r = curand_normal2(s);                                                              \
        return make_float2(expf(mean + stddev * r.x), expf(mean + stddev * r.y));                  \
    }                                                                                              \
    static __device__ inline double2 curand_log_normal2_double(STATE *s, double mean,              \
                                                               double stddev)                      \
    {                                                                                              \
        double2 r = curand_normal2_double(s);                                                      \
        return make_double2(exp(mean + stddev * r.x), exp(mean + stddev * r.y));                   \
    }                                                                                              \
    static __device__ inline unsigned int curand_poisson(STATE *s, double lambda)                  \
    {                                                                                              \
        return __lockstep_poisson(s, lambda);                                                      \
    }                                                                                              \
    LOCKSTEP_LOG_NORMAL(STATE)
#define LOCKSTEP_LOG_NORMAL(STATE)                                                                 \
    static __device__ inline float curand_log_normal(STATE *s, float mean, float stddev)           \
    {                                                                                              \
        return expf(mean + stddev * curand_normal(s));                                             \
    }                                                                                              \
    static __device__ inline double curand_log_normal_double(STATE *s, double mean, double stddev) \
    {                                                                                              \
        return exp(mean + stddev * curand_normal_double(s));                                       \
    }
LOCKSTEP_PSEUDO(curandStateXORWOW_t)
LOCKSTEP_PSEUDO(curandStateMRG32k3a_t)
LOCKSTEP_PSEUDO(curandStatePhilox4_32_10_t)
#undef LOCKSTEP_PSEUDO

/* -- quasi-random states ---------------------------------------------------------------------------------- */

#define LOCKSTEP_QUASI(STATE)                                                                      \
    static __device__ inline float curand_uniform(STATE *s)                                        \
    {                                                                                              \
        return __lockstep_unit(curand(s));                                                         \
    }                                                                                              \
    static __device__ inline double curand_uniform_double(STATE *s)                                \
    {                                                                                              \
        return __lockstep_unit_double(curand(s));                                                  \
    }                                                                                              \
    static __device__ inline double curand_normal_double(STATE *s)                                 \
    {                                                                                              \
        return normcdfinv(curand_uniform_double(s));                                               \
    }                                                                                              \
    static __device__ inline float curand_normal(STATE *s)                                         \
    {                                                                                              \
        return (float)curand_normal_double(s);                                                     \
    }                                                                                              \
    static __device__ inline unsigned int curand_poisson(STATE *s, double lambda)                  \
    {                                                                                              \
        return __lockstep_poisson_inverse(curand_uniform_double(s), lambda);                       \
    }                                                                                              \
    LOCKSTEP_LOG_NORMAL(STATE)
LOCKSTEP_QUASI(curandStateSobol32_t)
LOCKSTEP_QUASI(curandStateScrambledSobol32_t)
LOCKSTEP_QUASI(curandStateSobol64_t)
LOCKSTEP_QUASI(curandStateScrambledSobol64_t)
#undef LOCKSTEP_QUASI
#undef LOCKSTEP_LOG_NORMAL

/* -- four at a time ----------------------------------------------------------------------------------------- */

static __device__ inline float4
curand_uniform4(curandStatePhilox4_32_10_t *s)
{
    uint4 v = curand4(s);
    return make_float4(__lockstep_unit(v.x), __lockstep_unit(v.y), __lockstep_unit(v.z),
                       __lockstep_unit(v.w));
}
static __device__ inline double2
curand_uniform2_double(curandStatePhilox4_32_10_t *s)
{
    uint4 v = curand4(s);
    return make_double2(__lockstep_unit_double(v.x, v.y), __lockstep_unit_double(v.z, v.w));
}
static __device__ inline float4
curand_normal4(curandStatePhilox4_32_10_t *s)
{
    uint4 v = curand4(s);
    float2 a = __lockstep_box_muller(v.x, v.y), b = __lockstep_box_muller(v.z, v.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
static __device__ inline float4
curand_log_normal4(curandStatePhilox4_32_10_t *s, float mean, float stddev)
{
    float4 n = curand_normal4(s);
    return make_float4(expf(mean + stddev * n.x), expf(mean + stddev * n.y), expf(mean + stddev * n.z),
                       expf(mean + stddev * n.w));
}
static __device__ inline uint4
curand_poisson4(curandStatePhilox4_32_10_t *s, double lambda)
{
    uint4 r;
    r.x = curand_poisson(s, lambda), r.y = curand_poisson(s, lambda);
    r.z = curand_poisson(s, lambda), r.w = curand_poisson(s, lambda);
    return r;
}

#endif
