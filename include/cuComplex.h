/* SPDX-License-Identifier: Apache-2.0
 *
 * cuComplex.h: complex numbers as float2 and double2, for C and C++, host and device.
 */
#ifndef LOCKSTEP_CUCOMPLEX_H
#define LOCKSTEP_CUCOMPLEX_H
#define CU_COMPLEX_H_ /* programs ask for this name */

#include <math.h>

#include "vector_functions.h"
#include "vector_types.h"

#include "crt/quiet_begin.h"

#define LOCKSTEP_COMPLEX static __inline__ __host__ __device__ __attribute__((unused))

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

LOCKSTEP_COMPLEX cuFloatComplex
make_cuFloatComplex(float x, float y)
{
    cuFloatComplex z;
    z.x = x;
    z.y = y;
    return z;
}
LOCKSTEP_COMPLEX float
cuCrealf(cuFloatComplex z)
{
    return z.x;
}
LOCKSTEP_COMPLEX float
cuCimagf(cuFloatComplex z)
{
    return z.y;
}
LOCKSTEP_COMPLEX cuFloatComplex
cuConjf(cuFloatComplex z)
{
    return make_cuFloatComplex(z.x, -z.y);
}
LOCKSTEP_COMPLEX cuFloatComplex
cuCaddf(cuFloatComplex a, cuFloatComplex b)
{
    return make_cuFloatComplex(a.x + b.x, a.y + b.y);
}
LOCKSTEP_COMPLEX cuFloatComplex
cuCsubf(cuFloatComplex a, cuFloatComplex b)
{
    return make_cuFloatComplex(a.x - b.x, a.y - b.y);
}
LOCKSTEP_COMPLEX cuFloatComplex
cuCmulf(cuFloatComplex a, cuFloatComplex b)
{
    return make_cuFloatComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
/* Scaled by the divisor's size, so that intermediate products stay in range. */
LOCKSTEP_COMPLEX cuFloatComplex
cuCdivf(cuFloatComplex a, cuFloatComplex b)
{
    float s = fabsf(b.x) + fabsf(b.y), scale = 1 / s;
    float ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;
    s = 1 / (bx * bx + by * by);
    return make_cuFloatComplex((ax * bx + ay * by) * s, (ay * bx - ax * by) * s);
}
LOCKSTEP_COMPLEX float
cuCabsf(cuFloatComplex z)
{
    return hypotf(z.x, z.y);
}
LOCKSTEP_COMPLEX cuFloatComplex
cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c)
{
    return make_cuFloatComplex(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y);
}
LOCKSTEP_COMPLEX cuDoubleComplex
make_cuDoubleComplex(double x, double y)
{
    cuDoubleComplex z;
    z.x = x;
    z.y = y;
    return z;
}
LOCKSTEP_COMPLEX double
cuCreal(cuDoubleComplex z)
{
    return z.x;
}
LOCKSTEP_COMPLEX double
cuCimag(cuDoubleComplex z)
{
    return z.y;
}
LOCKSTEP_COMPLEX cuDoubleComplex
cuConj(cuDoubleComplex z)
{
    return make_cuDoubleComplex(z.x, -z.y);
}
LOCKSTEP_COMPLEX cuDoubleComplex
cuCadd(cuDoubleComplex a, cuDoubleComplex b)
{
    return make_cuDoubleComplex(a.x + b.x, a.y + b.y);
}
LOCKSTEP_COMPLEX cuDoubleComplex
cuCsub(cuDoubleComplex a, cuDoubleComplex b)
{
    return make_cuDoubleComplex(a.x - b.x, a.y - b.y);
}
LOCKSTEP_COMPLEX cuDoubleComplex
cuCmul(cuDoubleComplex a, cuDoubleComplex b)
{
    return make_cuDoubleComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
/* Scaled by the divisor's size, so that intermediate products stay in range. */
LOCKSTEP_COMPLEX cuDoubleComplex
cuCdiv(cuDoubleComplex a, cuDoubleComplex b)
{
    double s = fabs(b.x) + fabs(b.y), scale = 1 / s;
    double ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;
    s = 1 / (bx * bx + by * by);
    return make_cuDoubleComplex((ax * bx + ay * by) * s, (ay * bx - ax * by) * s);
}
LOCKSTEP_COMPLEX double
cuCabs(cuDoubleComplex z)
{
    return hypot(z.x, z.y);
}
LOCKSTEP_COMPLEX cuDoubleComplex
cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c)
{
    return make_cuDoubleComplex(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y);
}
LOCKSTEP_COMPLEX cuComplex
make_cuComplex(float x, float y)
{
    return make_cuFloatComplex(x, y);
}
LOCKSTEP_COMPLEX cuDoubleComplex
cuComplexFloatToDouble(cuFloatComplex z)
{
    return make_cuDoubleComplex(z.x, z.y);
}
LOCKSTEP_COMPLEX cuFloatComplex
cuComplexDoubleToFloat(cuDoubleComplex z)
{
    return make_cuFloatComplex((float)z.x, (float)z.y);
}

#undef LOCKSTEP_COMPLEX
#include "crt/quiet_end.h"

#endif
