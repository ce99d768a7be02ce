/* SPDX-License-Identifier: Apache-2.0
 *
 * Conversions of half in software (cudart/half.c), against the definition: of the halves beside a
 * number the nearer one, of two that are as near the even one; and against the processor's.
 */
#include "common/unit.h"

#include "cudart/cudart.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <math.h>
#include <string.h>

/* What the half's bits say: PTX ISA, "Half precision floating-point". */
static double
value(unsigned h)
{
    unsigned exponent = h >> 10 & 31, fraction = h & 0x3ff;
    double v = exponent == 31 ? (fraction ? NAN : INFINITY)
               : exponent     ? ldexp(1024 + fraction, (int)exponent - 25)
                              : ldexp(fraction, -24);
    return h & 0x8000 ? -v : v;
}

/* The half that v rounds to, by looking at all that are not negative. */
static unsigned
nearest(double v)
{
    unsigned sign = signbit(v) ? 0x8000 : 0, low = 0, high = 0x7c00;
    double m = fabs(v);
    if (m >= 65520)
        return sign | 0x7c00;
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        *(value(middle) <= m ? &low : &high) = middle;
    }
    double below = m - value(low), above = (high == 0x7c00 ? 65536 : value(high)) - m;
    return sign | (below < above || (below == above && !(low & 1)) ? low : high);
}

static void
halves_widen(void **state)
{
    (void)state;
    for (unsigned h = 0; h < 65536; h++) {
        float is = half_widen_plain((uint16_t)h);
        if (isnan(value(h)) ? !isnan(is) : (double)is != value(h) || signbit(is) != h >> 15)
            fail_msg("%04x becomes %a", h, (double)is);
    }
}

static uint64_t
next(uint64_t *seed)
{
    return (*seed = *seed * 6364136223846793005u + 1442695040888963407u) >> 11;
}

static void
narrow(double v)
{
    unsigned want = nearest(v), is = half_of_double_plain(v),
             of_float = half_of_float_plain((float)v);
    if (is != want)
        fail_msg("%a becomes %04x, not %04x", v, is, want);
    if (of_float != nearest((double)(float)v))
        fail_msg("float %a becomes %04x", (double)(float)v, of_float);
}

/* Halfway between two halves, beside it by less than a float shows, and anywhere. */
static void
numbers_narrow(void **state)
{
    (void)state;
    uint64_t seed = 38;
    for (unsigned h = 0; h < 0x7c00; h++) {
        double between = (value(h) + (h == 0x7bff ? 65536 : value(h + 1))) / 2;
        for (int k = -2; k <= 2; k++) {
            narrow(between + k * between * 0x1p-50);
            narrow(-between - k * between * 0x1p-26);
        }
        narrow(value(h));
    }
    for (int k = 0; k < 200000; k++) {
        double v = ldexp((double)next(&seed), (int)(next(&seed) % 60) - 90);
        narrow(next(&seed) & 1 ? v : -v);
    }
    narrow(1e300);
    narrow(-5e-324);
}

#ifdef __x86_64__
__attribute__((target("avx,f16c"))) static unsigned
by_processor(float v)
{
    return (unsigned)_mm_extract_epi16(_mm_cvtps_ph(_mm_set_ss(v), 0), 0);
}

static void
as_the_processor(void **state)
{
    (void)state;
    if (!__builtin_cpu_supports("f16c"))
        skip();
    for (uint64_t bits = 0; bits < 1ull << 32; bits += 4099) {
        uint32_t word = (uint32_t)bits;
        float v;
        memcpy(&v, &word, sizeof v);
        if (half_of_float_plain(v) != by_processor(v))
            fail_msg("%a: %04x, the processor %04x", (double)v, half_of_float_plain(v),
                     by_processor(v));
    }
}
#endif

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_widen),
        cmocka_unit_test(numbers_narrow),
#ifdef __x86_64__
        cmocka_unit_test(as_the_processor),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
