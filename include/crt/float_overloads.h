/* SPDX-License-Identifier: Apache-2.0
 *
 * float_overloads.h: bodies for the overloads for float that clang's <__clang_cuda_math_forward_declares.h>
 * declares and its <__clang_cuda_cmath.h> leaves to NVIDIA's headers: erf(float), fma(float, float, float). Calls
 * find other ways to the same result; an address, or an overload chosen by type (std::erf as a function object),
 * finds these.
 */
#ifndef LOCKSTEP_FLOAT_OVERLOADS_H
#define LOCKSTEP_FLOAT_OVERLOADS_H

#define LOCKSTEP_FLOAT static __inline__ __attribute__((always_inline)) __attribute__((device))
#define LOCKSTEP_FLOAT1(result, name)                                                              \
    LOCKSTEP_FLOAT result name(float a)                                                            \
    {                                                                                              \
        return name##f(a);                                                                         \
    }
#define LOCKSTEP_FLOAT2(name)                                                                      \
    LOCKSTEP_FLOAT float name(float a, float b)                                                    \
    {                                                                                              \
        return name##f(a, b);                                                                      \
    }
LOCKSTEP_FLOAT1(float, acosh)
LOCKSTEP_FLOAT1(float, asinh)
LOCKSTEP_FLOAT1(float, atanh)
LOCKSTEP_FLOAT1(float, cbrt)
LOCKSTEP_FLOAT1(float, erf)
LOCKSTEP_FLOAT1(float, erfc)
LOCKSTEP_FLOAT1(float, exp2)
LOCKSTEP_FLOAT1(float, expm1)
LOCKSTEP_FLOAT1(float, lgamma)
LOCKSTEP_FLOAT1(float, log1p)
LOCKSTEP_FLOAT1(float, log2)
LOCKSTEP_FLOAT1(float, logb)
LOCKSTEP_FLOAT1(float, nearbyint)
LOCKSTEP_FLOAT1(float, rint)
LOCKSTEP_FLOAT1(float, round)
LOCKSTEP_FLOAT1(float, tgamma)
LOCKSTEP_FLOAT1(float, trunc)
LOCKSTEP_FLOAT1(int, ilogb)
LOCKSTEP_FLOAT1(long, lrint)
LOCKSTEP_FLOAT1(long, lround)
LOCKSTEP_FLOAT1(long long, llrint)
LOCKSTEP_FLOAT1(long long, llround)
LOCKSTEP_FLOAT2(fdim)
LOCKSTEP_FLOAT2(fmax)
LOCKSTEP_FLOAT2(fmin)
LOCKSTEP_FLOAT2(hypot)
LOCKSTEP_FLOAT2(nextafter)
LOCKSTEP_FLOAT2(remainder)
LOCKSTEP_FLOAT float
fma(float a, float b, float c)
{
    return fmaf(a, b, c);
}
LOCKSTEP_FLOAT float
scalbn(float a, int n)
{
    return scalbnf(a, n);
}
LOCKSTEP_FLOAT float
scalbln(float a, long n)
{
    return scalblnf(a, n);
}
LOCKSTEP_FLOAT float
remquo(float a, float b, int *quotient)
{
    return remquof(a, b, quotient);
}
#undef LOCKSTEP_FLOAT
#undef LOCKSTEP_FLOAT1
#undef LOCKSTEP_FLOAT2

#endif
