/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/power.c: powers whose exponent is a whole number that is known when the kernel is compiled,
 * by multiplications. Front ends leave pow(x, 2) to the library: a third of the time of two
 * programs went into squares and cubes by SLEEF's powf. Floats are multiplied as doubles and
 * rounded at the end; doubles only where no step in between leaves the range of the result, and the
 * error stays within the 2 ulp that CUDA states for pow.
 */
#include "jit/ops/ops.h"
#include "jit/ops/arith.h"

#include <math.h>
#include <string.h>

/* Ten multiplications of doubles, at most, for a call of 31 ns. */
enum { MOST_FLOAT = 32, MOST_DOUBLE = 4 };

/* x^n, n > 0, from n's highest bit down. */
static value
by_squares(struct emit *e, value x, uint64_t n)
{
    value p = x;
    for (int bit = 62 - __builtin_clzll(n); bit >= 0; bit--) {
        p = LLVMBuildFMul(e->b, p, p, "");
        if (n >> bit & 1)
            p = LLVMBuildFMul(e->b, p, x, "");
    }
    return p;
}

/* x^n, x and the result as bits; false: for the library. */
static bool
power_of(struct emit *e, value x, int64_t n, value *out)
{
    value real = v_real(e, x);
    LLVMTypeRef type = LLVMTypeOf(real);
    bool wide = emit_bits_of(x) == 64;
    /* 1 / x^2 in doubles would be 0 where x^2 is infinite, and the power is a denormal. */
    if (n > (wide ? MOST_DOUBLE : MOST_FLOAT) || n < (wide ? -1 : -MOST_FLOAT)) {
        emit_missed(e, PASS_WHOLE_POWERS,
                    "exponent %lld: too many multiplications, or a range too narrow", (long long)n);
        return false;
    }
    emit_fired(e, PASS_WHOLE_POWERS, "exponent %lld", (long long)n);
    if (n == 0 || n == 1) { /* 1 of NaN, too */
        *out = n ? x : v_bits(e, v_kf(e, real, 1));
        return true;
    }
    if (!wide)
        real = LLVMBuildFPExt(e->b, real, v_float_type(e, real, 64), "");
    value p = by_squares(e, real, (uint64_t)(n < 0 ? -n : n));
    if (n < 0)
        p = LLVMBuildFDiv(e->b, v_kf(e, p, 1), p, "");
    *out = v_bits(e, wide ? p : LLVMBuildFPTrunc(e->b, p, type, ""));
    return true;
}

bool
power_whole(struct emit *e, value x, value n, value *out)
{
    uint64_t bits;
    return emit_on(e, PASS_WHOLE_POWERS) && v_const(n, &bits) && power_of(e, x, (int32_t)bits, out);
}

bool
power_real(struct emit *e, value x, value y, value *out)
{
    uint64_t bits;
    double d;
    if (!emit_on(e, PASS_WHOLE_POWERS) || !v_const(y, &bits))
        return false;
    if (emit_bits_of(y) == 32) {
        uint32_t low = (uint32_t)bits;
        float f;
        memcpy(&f, &low, sizeof f);
        d = (double)f;
    } else {
        memcpy(&d, &bits, sizeof d);
    }
    return fabs(d) <= MOST_FLOAT && d == rint(d) && power_of(e, x, (int64_t)d, out);
}
