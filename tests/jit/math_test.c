/* SPDX-License-Identifier: Apache-2.0
 *
 * The __nv_* functions: approximations against long double, with the largest error in ulp and the
 * bound that CUDA's tables state; everything exact against C; every row of ops/math.def compiles.
 */
#include "common/unit.h"

#include "jit/harness.h"
#include "jit/reference.h"

static struct harness *harness;

static harness_fn *
compile(const char *name, const char *out, const char *in, unsigned lanes, bool plain)
{
    struct ptx_insn call = {.op = PTX_OP_CALL, .guard = PTX_NO_REG, .vec = 1};
    char full[64];
    snprintf(full, sizeof full, "__nv_%s", name);
    return harness_compile(harness, &call, out, in, lanes, plain, harness_emit_math, full);
}

/* -- approximations ---------------------------------------------------------------------------- */

typedef long double real_fn(const long double *x);

#define REAL1(name, expression)                                                                    \
    static long double real_##name(const long double *x)                                           \
    {                                                                                              \
        return expression;                                                                         \
    }
#define PI_L 3.14159265358979323846264338327950288L

/* sin and cos of pi x, by exact steps to a sine of a small angle. */
static long double
sine_pi(long double x)
{
    long double r = remainderl(x, 2);
    return sinl(PI_L * (fabsl(r) > 0.5L ? copysignl(1, r) - r : r));
}

REAL1(sin, sinl(x[0]))
REAL1(cos, cosl(x[0]))
REAL1(tan, tanl(x[0]))
REAL1(asin, asinl(x[0]))
REAL1(acos, acosl(x[0]))
REAL1(atan, atanl(x[0]))
REAL1(atan2, atan2l(x[0], x[1]))
REAL1(sinh, sinhl(x[0]))
REAL1(cosh, coshl(x[0]))
REAL1(tanh, tanhl(x[0]))
REAL1(asinh, asinhl(x[0]))
REAL1(acosh, acoshl(x[0]))
REAL1(atanh, atanhl(x[0]))
REAL1(sinpi, sine_pi(x[0]))
REAL1(cospi, sine_pi(0.5L - fabsl(remainderl(x[0], 2))))
REAL1(exp, expl(x[0]))
REAL1(exp2, exp2l(x[0]))
REAL1(exp10, powl(10, x[0]))
REAL1(expm1, expm1l(x[0]))
REAL1(log, logl(x[0]))
REAL1(log2, log2l(x[0]))
REAL1(log10, log10l(x[0]))
REAL1(log1p, log1pl(x[0]))
REAL1(pow, powl(x[0], x[1]))
REAL1(cbrt, cbrtl(x[0]))
REAL1(rcbrt, 1 / cbrtl(x[0]))
REAL1(rsqrt, 1 / sqrtl(x[0]))
REAL1(hypot, hypotl(x[0], x[1]))
REAL1(rhypot, 1 / hypotl(x[0], x[1]))
REAL1(erf, erfl(x[0]))
REAL1(erfc, erfcl(x[0]))
REAL1(lgamma, lgammal(x[0]))
REAL1(tgamma, tgammal(x[0]))
REAL1(normcdf, erfcl(-x[0] / sqrtl(2)) / 2)
REAL1(j0, j0l(x[0]))
REAL1(j1, j1l(x[0]))
REAL1(y0, y0l(x[0]))
REAL1(y1, y1l(x[0]))
REAL1(norm3d, hypotl(hypotl(x[0], x[1]), x[2])) /* infinity wins over NaN */
REAL1(rnorm4d, 1 / hypotl(hypotl(x[0], x[1]), hypotl(x[2], x[3])))
REAL1(erfcx, x[0] < 105 ? expl(x[0] * x[0]) * erfcl(x[0])
                        : (1 - 1 / (2 * x[0] * x[0])) / (x[0] * sqrtl(PI_L)))

/* By bisection: independent of the method under test. */
static long double
invert(long double (*f)(long double), long double p, long double low, long double high)
{
    for (int k = 0; k < 200; k++) {
        long double middle = (low + high) / 2;
        if (f(middle) < p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static long double
minus_erfc(long double y)
{
    return -erfcl(y);
}

static long double
inverse_erfc(long double p)
{
    if (p < 0 || p > 2 || isnan(p))
        return NAN;
    if (p == 0 || p == 2)
        return p == 0 ? INFINITY : -INFINITY;
    return invert(minus_erfc, -p, -7, 30);
}

static long double
real_erfinv(const long double *x)
{
    if (isnan(x[0]) || fabsl(x[0]) > 1)
        return NAN;
    if (fabsl(x[0]) == 1)
        return copysignl(INFINITY, x[0]);
    if (fabsl(x[0]) > 0.5L)
        return copysignl(inverse_erfc(1 - fabsl(x[0])), x[0]);
    if (fabsl(x[0]) < 1e-9L)
        return x[0] * sqrtl(PI_L) / 2;
    long double a = invert(erfl, fabsl(x[0]), 0, 1);
    return copysignl(a, x[0]);
}

static long double
real_erfcinv(const long double *x)
{
    if (x[0] > 0.5L && x[0] < 1.5L)
        return real_erfinv((long double[]){1 - x[0]});
    return inverse_erfc(x[0]);
}

static long double
real_normcdfinv(const long double *x)
{
    long double twice[] = {2 * x[0]};
    return x[0] < 0 || x[0] > 1 ? NAN : -sqrtl(2) * real_erfcinv(twice);
}

/* Bessel I by its integral, Simpson's rule: (1/pi) int_0^pi exp(x cos t) cos(n t) dt. */
static long double
bessel(int order, long double x)
{
    enum { N = 2000 };
    long double sum = 0;
    if (isinf(x) || isnan(x))
        return isnan(x) ? x : order && x < 0 ? -INFINITY : INFINITY;
    for (int k = 0; k <= N; k++) { /* periodic: the plain sum converges faster than any power */
        long double t = PI_L * k / N, v = expl(x * (cosl(t) - (x < 0 ? -1 : 1))) * cosl(order * t);
        sum += k == 0 || k == N ? v / 2 : v;
    }
    return sum / N * expl(fabsl(x));
}

REAL1(i0, bessel(0, x[0]))
REAL1(i1, fabsl(x[0]) < 0.01L ? x[0] / 2 * (1 + x[0] * x[0] / 8 * (1 + x[0] * x[0] / 24))
                              : bessel(1, x[0]))

/* Random operands from [low, high], logarithmic where low is positive; ulp32, ulp64: the bounds of
 * the "CUDA C++ Programming Guide", mathematical functions. 0: no such function. */
static const struct {
    const char *name;
    real_fn *real;
    unsigned nin;
    double low, high, ulp32, ulp64;
} real_rows[] = {
    {"sin", real_sin, 1, -1e5, 1e5, 2, 2},
    {"cos", real_cos, 1, -1e5, 1e5, 2, 2},
    {"tan", real_tan, 1, -1e5, 1e5, 4, 2},
    {"asin", real_asin, 1, -1, 1, 2, 2},
    {"acos", real_acos, 1, -1, 1, 2, 2},
    {"atan", real_atan, 1, -100, 100, 2, 2},
    {"atan2", real_atan2, 2, -100, 100, 3, 2},
    {"sinh", real_sinh, 1, -80, 80, 3, 2},
    {"cosh", real_cosh, 1, -80, 80, 2, 1},
    {"tanh", real_tanh, 1, -10, 10, 2, 1},
    {"asinh", real_asinh, 1, -1e3, 1e3, 3, 3},
    {"asinh", real_asinh, 1, 1e3, 1e38, 3, 3},
    {"acosh", real_acosh, 1, 1, 1e4, 4, 3},
    {"acosh", real_acosh, 1, 1e4, 1e38, 4, 3},
    {"atanh", real_atanh, 1, -1, 1, 3, 2},
    {"sinpi", real_sinpi, 1, -100, 100, 2, 2},
    {"cospi", real_cospi, 1, -100, 100, 2, 2},
    {"exp", real_exp, 1, -100, 88, 2, 1},
    {"exp2", real_exp2, 1, -140, 127, 2, 1},
    {"exp10", real_exp10, 1, -40, 38, 2, 1},
    {"expm1", real_expm1, 1, -20, 80, 1, 1},
    {"log", real_log, 1, 1e-30, 1e30, 1, 1},
    {"log2", real_log2, 1, 1e-30, 1e30, 1, 1},
    {"log10", real_log10, 1, 1e-30, 1e30, 2, 1},
    {"log1p", real_log1p, 1, -0.999, 1e3, 1, 1},
    {"pow", real_pow, 2, 0.01, 30, 4, 2},
    {"cbrt", real_cbrt, 1, -1e10, 1e10, 1, 1},
    {"rcbrt", real_rcbrt, 1, -1e10, 1e10, 2, 2},
    {"rsqrt", real_rsqrt, 1, 1e-30, 1e30, 2, 1},
    {"hypot", real_hypot, 2, -1e10, 1e10, 3, 2},
    {"rhypot", real_rhypot, 2, -1e10, 1e10, 2, 2},
    {"erf", real_erf, 1, -4, 4, 2, 2},
    {"erfc", real_erfc, 1, -4, 9, 4, 5},
    {"lgamma", real_lgamma, 1, 0.01, 100, 6, 4},
    {"tgamma", real_tgamma, 1, -30, 30, 5, 10},
    {"erfinv", real_erfinv, 1, -1, 1, 2, 5},
    {"erfcinv", real_erfcinv, 1, 1e-30, 2, 4, 6},
    {"erfcx", real_erfcx, 1, -5, 50, 4, 4},
    {"normcdf", real_normcdf, 1, -13, 8, 5, 5},
    {"normcdfinv", real_normcdfinv, 1, 1e-30, 1, 5, 8},
    {"cyl_bessel_i0", real_i0, 1, -80, 80, 6, 6},
    {"cyl_bessel_i1", real_i1, 1, -80, 80, 6, 6},
    {"j0", real_j0, 1, 0.01, 2, 9, 7},
    {"j1", real_j1, 1, 0.01, 3, 9, 7},
    {"y0", real_y0, 1, 1, 3, 9, 7},
    {"y1", real_y1, 1, 0.1, 2, 9, 7},
    {"norm3d", real_norm3d, 3, -1e10, 1e10, 3, 3},
    {"rnorm4d", real_rnorm4d, 4, -1e10, 1e10, 3, 3},
    /* to the ends of the types */
    {"sin", real_sin, 1, 1e5, 3e38, 2, 2},
    {"cos", real_cos, 1, 1e5, 3e38, 2, 2},
    {"tan", real_tan, 1, 1e5, 3e38, 4, 2},
    {"sinh", real_sinh, 1, 80, 89.4, 3, 2},
    {"cosh", real_cosh, 1, -89.4, 80, 2, 1},
    {"sinh", real_sinh, 1, 700, 710.47, 3, 2},
    {"cosh", real_cosh, 1, 700, 710.47, 2, 1},
    {"exp", real_exp, 1, -104, 88.72, 2, 1},
    {"exp", real_exp, 1, 700, 709.7, 2, 1},
    {"exp2", real_exp2, 1, 126, 128, 2, 1},
    {"exp10", real_exp10, 1, 38, 38.53, 2, 1},
    {"expm1", real_expm1, 1, 80, 88.72, 1, 1},
    {"expm1", real_expm1, 1, 1e-30, 1e-3, 1, 1},
    {"log", real_log, 1, 1.2e-38, 3.4e38, 1, 1},
    {"log2", real_log2, 1, 1.2e-38, 3.4e38, 1, 1},
    {"log10", real_log10, 1, 1.2e-38, 3.4e38, 2, 1},
    {"log1p", real_log1p, 1, 1e3, 3.4e38, 1, 1},
    {"log1p", real_log1p, 1, 1e300, 1.7e308, 1, 1},
    {"log1p", real_log1p, 1, 1e-30, 1e-3, 1, 1},
    {"asinh", real_asinh, 1, 1e300, 1.7e308, 3, 3},
    {"acosh", real_acosh, 1, 1e300, 1.7e308, 4, 3},
    {"cbrt", real_cbrt, 1, 1.2e-38, 3.4e38, 1, 1},
    {"rcbrt", real_rcbrt, 1, 1.2e-38, 3.4e38, 2, 2},
    {"rsqrt", real_rsqrt, 1, 1.2e-38, 3.4e38, 2, 1},
    {"hypot", real_hypot, 2, 1e18, 2.3e38, 3, 2},
    {"hypot", real_hypot, 2, 1e-37, 1e-18, 3, 2},
    {"rhypot", real_rhypot, 2, 1e18, 1e37, 2, 2},
    {"norm3d", real_norm3d, 3, 1e18, 1.9e38, 3, 3},
    {"atan2", real_atan2, 2, 1e-37, 1e37, 3, 2},
    {"pow", real_pow, 2, 1e-4, 9.5, 4, 2},
    {"erfc", real_erfc, 1, 9, 9.1, 4, 5},
    {"lgamma", real_lgamma, 1, 100, 4e36, 6, 4},
    {"tgamma", real_tgamma, 1, 30, 35.04, 5, 10},
    {"tgamma", real_tgamma, 1, 1e-37, 0.1, 5, 10},
    {"cyl_bessel_i0", real_i0, 1, 80, 91.5, 6, 6},
    {"fast_exp", real_exp, 1, -80, 80, 2, 0},
    {"fast_log", real_log, 1, 1e-30, 1e30, 1, 0},
    {"fast_tan", real_tan, 1, -3, 3, 4, 0},
    {"fast_sin", real_sin, 1, -3, 3, 2, 0},
    {"fast_cos", real_cos, 1, -3, 3, 2, 0},
    {"fast_log2", real_log2, 1, 1e-30, 1e30, 1, 0},
    {"fast_exp10", real_exp10, 1, -30, 30, 2, 0},
};

/* Distance in units of the last place of the exact value. */
static double
ulps(long double got, long double want, bool wide)
{
    int m = wide ? 52 : 23, least = wide ? -1022 : -126, most = wide ? 1023 : 127;
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : INFINITY;
    if (isinf(want) || isinf(got)) {
        long double limit = ldexpl(2 - ldexpl(1, -m - 1), most);
        return isinf(got) && fabsl(want) >= limit * (1 - ldexpl(1, 2 - m)) &&
                       signbit(want) == signbit(got)
                   ? 0
                   : INFINITY;
    }
    int e = want == 0 ? least : ilogbl(want);
    if (e < least)
        e = least;
    return (double)(fabsl(got - want) / ldexpl(1, e - m));
}

static uint64_t state = 4242;

static double
pick(double low, double high)
{
    double u = (double)(harness_random(&state) >> 11) / 9007199254740992.0;
    if (low > 0)
        return exp(log(low) + u * (log(high) - log(low)));
    return harness_random(&state) % 8 ? low + u * (high - low) : (low + u * (high - low)) * 1e-3;
}

static const double specials[] = {0,     -0.0,   1, -1, 0.5,  2,     INFINITY, -INFINITY, NAN,
                                  1e-40, 1e-310, 3, -2, 1e30, 100.5, -0.75,    1.5,       1e-6};

static double
run_real(size_t row, bool wide, unsigned way, size_t *cases)
{
    char name[32];
    snprintf(name, sizeof name, "%s%s", real_rows[row].name, wide ? "" : "f");
    unsigned nin = real_rows[row].nin;
    const char *width = &(wide ? "dddd" : "wwww")[4 - nin];
    harness_fn *fn = compile(name, wide ? "d" : "w", width, way == 1 ? 1 : 32, way == 2);
    if (!fn)
        return INFINITY;
    static uint8_t in[4][256], out[256];
    void *ins[] = {in[0], in[1], in[2], in[3]}, *outs[] = {out};
    double worst = 0;
    bool explained = false;
    enum { SPECIAL = sizeof specials / sizeof *specials };
    for (unsigned turn = 0; turn < (way == 1 ? 600 : 100); turn++) {
        long double x[32][4];
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned k = 0; k < nin; k++) {
                double v = turn < 12 ? specials[(turn * 32 + lane) / (k ? SPECIAL : 1) % SPECIAL]
                                     : pick(real_rows[row].low, real_rows[row].high);
                float f = (float)v;
                x[lane][k] = wide ? (long double)v : (long double)f;
                memcpy(in[k] + lane * (wide ? 8 : 4), wide ? (void *)&v : (void *)&f, wide ? 8 : 4);
            }
        uint32_t mask = turn % 2 ? 0xffffffff : (uint32_t)harness_random(&state);
        fn(mask, outs, ins);
        for (unsigned lane = 0; lane < (way == 1 ? 1 : 32); lane++) {
            if (way != 1 && !(mask >> lane & 1))
                continue;
            long double got = wide ? ((double *)out)[lane] : (long double)((float *)out)[lane];
            long double want = real_rows[row].real(x[lane]);
            double error = ulps(got, want, wide);
            ++*cases;
            if (!(error <= (wide ? real_rows[row].ulp64 : real_rows[row].ulp32)) && !explained) {
                fprintf(stderr, "%s(%.17Lg, %.17Lg): %.17Lg, should be %.17Lg (%g ulp)\n", name,
                        x[lane][0], nin > 1 ? x[lane][1] : 0.0L, got, want, error);
                explained = true;
            }
            worst = error > worst ? error : worst;
        }
    }
    return worst;
}

static void
approximations(void **unused)
{
    unsigned bad = 0;
    const char *only = getenv("ONLY");
    for (size_t row = 0; row < sizeof real_rows / sizeof *real_rows; row++) {
        if (only && !strstr(real_rows[row].name, only))
            continue;
        for (unsigned wide = 0; wide < 2; wide++) {
            double bound = wide ? real_rows[row].ulp64 : real_rows[row].ulp32, worst = 0;
            if (bound == 0)
                continue;
            size_t cases = 0;
            for (unsigned way = 0; way < 3; way++) {
                double error = run_real(row, wide, way, &cases);
                worst = error > worst ? error : worst;
            }
            printf("%s%-16s %8zu cases, at most %.3f ulp (bound %g)%s\n", real_rows[row].name,
                   wide ? "" : "f", cases, worst, bound, worst <= bound ? "" : "  WRONG");
            bad += !(worst <= bound);
        }
    }
    assert_int_equal(bad, 0);
}

/* -- exact functions --------------------------------------------------------------------------- */

static int32_t
s(uint64_t x)
{
    return (int32_t)x;
}

/* Name, widths, and how NaNs compare; the references are in ref_by_name. */
enum exact {
    FADD_RD,
    FMUL_RU,
    FSUB_RZ,
    FDIV_RN,
    FRCP_RU,
    FSQRT_RD,
    FMAF_RZ,
    DADD_RU,
    DDIV_RD,
    DSQRT_RZ,
    F2I_RN,
    F2I_RD,
    F2U_RU,
    F2LL_RZ,
    D2I_RZ,
    D2I_RN,
    D2ULL_RD,
    I2F_RZ,
    I2F_RN,
    LL2F_RU,
    ULL2D_RD,
    D2F_RD,
    H2F,
    F2H,
    CEILF,
    FLOOR,
    TRUNCF,
    RINTF,
    ROUNDF,
    ROUND,
    LLROUNDF,
    LLRINT,
    ABS,
    FABSF,
    MIN,
    UMAX,
    LLMAX,
    FMINF,
    FMAX,
    BREV,
    CLZ,
    CLZLL,
    POPC,
    FFS,
    FFSLL,
    BYTE_PERM,
    SAD,
    USAD,
    MUL24,
    UMUL24,
    MULHI,
    UMULHI,
    MUL64HI,
    HADD,
    UHADD,
    RHADD,
    URHADD,
    COPYSIGNF,
    HIINT,
    LOINT,
    HILOINT,
    ISINFF,
    ISNAND,
    FINITEF,
    SIGNBITF,
    FDIMF,
    FMODF,
    FMOD,
    REMAINDERF,
    NEXTAFTERF,
    ILOGBF,
    LOGB,
    LDEXPF,
    SCALBN,
    SATURATEF,
    FABS_AS,
    FDIVIDEF
};

static const struct {
    const char *name, *out, *in;
    enum exact which;
    int kind;
} exact_rows[] = {
    {"fadd_rd", "w", "ww", FADD_RD, NAN32},
    {"fmul_ru", "w", "ww", FMUL_RU, NAN32},
    {"fsub_rz", "w", "ww", FSUB_RZ, NAN32},
    {"fdiv_rn", "w", "ww", FDIV_RN, NAN32},
    {"frcp_ru", "w", "w", FRCP_RU, NAN32},
    {"fsqrt_rd", "w", "w", FSQRT_RD, NAN32},
    {"fmaf_rz", "w", "www", FMAF_RZ, NAN32},
    {"dadd_ru", "d", "dd", DADD_RU, NAN64},
    {"ddiv_rd", "d", "dd", DDIV_RD, NAN64},
    {"dsqrt_rz", "d", "d", DSQRT_RZ, NAN64},
    {"float2int_rn", "w", "w", F2I_RN, EXACT},
    {"float2int_rd", "w", "w", F2I_RD, EXACT},
    {"float2uint_ru", "w", "w", F2U_RU, EXACT},
    {"float2ll_rz", "d", "w", F2LL_RZ, EXACT},
    {"double2int_rz", "w", "d", D2I_RZ, EXACT},
    {"double2int_rn", "w", "d", D2I_RN, EXACT},
    {"double2ull_rd", "d", "d", D2ULL_RD, EXACT},
    {"int2float_rz", "w", "w", I2F_RZ, EXACT},
    {"int2float_rn", "w", "w", I2F_RN, EXACT},
    {"ll2float_ru", "w", "d", LL2F_RU, EXACT},
    {"ull2double_rd", "d", "d", ULL2D_RD, EXACT},
    {"double2float_rd", "w", "d", D2F_RD, NAN32},
    {"half2float", "w", "h", H2F, NAN32},
    {"float2half_rn", "h", "w", F2H, NAN16},
    {"ceilf", "w", "w", CEILF, NAN32},
    {"floor", "d", "d", FLOOR, NAN64},
    {"truncf", "w", "w", TRUNCF, NAN32},
    {"rintf", "w", "w", RINTF, NAN32},
    {"nearbyintf", "w", "w", RINTF, NAN32},
    {"roundf", "w", "w", ROUNDF, NAN32},
    {"round", "d", "d", ROUND, NAN64},
    {"llroundf", "d", "w", LLROUNDF, EXACT},
    {"llrint", "d", "d", LLRINT, EXACT},
    {"abs", "w", "w", ABS, EXACT},
    {"fabsf", "w", "w", FABSF, EXACT},
    {"min", "w", "ww", MIN, EXACT},
    {"umax", "w", "ww", UMAX, EXACT},
    {"llmax", "d", "dd", LLMAX, EXACT},
    {"fminf", "w", "ww", FMINF, NAN32},
    {"fmax", "d", "dd", FMAX, NAN64},
    {"brev", "w", "w", BREV, EXACT},
    {"clz", "w", "w", CLZ, EXACT},
    {"clzll", "w", "d", CLZLL, EXACT},
    {"popc", "w", "w", POPC, EXACT},
    {"ffs", "w", "w", FFS, EXACT},
    {"ffsll", "w", "d", FFSLL, EXACT},
    {"byte_perm", "w", "www", BYTE_PERM, EXACT},
    {"sad", "w", "www", SAD, EXACT},
    {"usad", "w", "www", USAD, EXACT},
    {"mul24", "w", "ww", MUL24, EXACT},
    {"umul24", "w", "ww", UMUL24, EXACT},
    {"mulhi", "w", "ww", MULHI, EXACT},
    {"umulhi", "w", "ww", UMULHI, EXACT},
    {"mul64hi", "d", "dd", MUL64HI, EXACT},
    {"hadd", "w", "ww", HADD, EXACT},
    {"uhadd", "w", "ww", UHADD, EXACT},
    {"rhadd", "w", "ww", RHADD, EXACT},
    {"urhadd", "w", "ww", URHADD, EXACT},
    {"copysignf", "w", "ww", COPYSIGNF, EXACT},
    {"double2hiint", "w", "d", HIINT, EXACT},
    {"double2loint", "w", "d", LOINT, EXACT},
    {"hiloint2double", "d", "ww", HILOINT, EXACT},
    {"isinff", "w", "w", ISINFF, EXACT},
    {"isnand", "w", "d", ISNAND, EXACT},
    {"finitef", "w", "w", FINITEF, EXACT},
    {"signbitf", "w", "w", SIGNBITF, EXACT},
    {"fdimf", "w", "ww", FDIMF, NAN32},
    {"fmodf", "w", "ww", FMODF, NAN32},
    {"fmod", "d", "dd", FMOD, NAN64},
    {"remainderf", "w", "ww", REMAINDERF, NAN32},
    {"nextafterf", "w", "ww", NEXTAFTERF, NAN32},
    {"ilogbf", "w", "w", ILOGBF, EXACT},
    {"logb", "d", "d", LOGB, NAN64},
    {"ldexpf", "w", "ww", LDEXPF, NAN32},
    {"scalbn", "d", "dw", SCALBN, NAN64},
    {"saturatef", "w", "w", SATURATEF, EXACT},
    {"float_as_int", "w", "w", FABS_AS, EXACT},
    {"int_as_float", "w", "w", FABS_AS, EXACT},
    {"fast_fdividef", "w", "ww", FDIVIDEF, NAN32},
};

#pragma STDC FENV_ACCESS ON

static __attribute__((noinline)) uint64_t
rounded(enum exact which, const uint64_t *x)
{
    volatile float a = ref_float(x[0]), b = ref_float(x[1]), c = ref_float(x[2]), r = 0;
    volatile double p = ref_double(x[0]), q = ref_double(x[1]), t = 0;
    volatile float one = 1;
    static const enum ref_mode modes[] = {
        [FADD_RD] = REF_RM, [FMUL_RU] = REF_RP,  [FSUB_RZ] = REF_RZ, [FDIV_RN] = REF_RN,
        [FRCP_RU] = REF_RP, [FSQRT_RD] = REF_RM, [FMAF_RZ] = REF_RZ, [DADD_RU] = REF_RP,
        [DDIV_RD] = REF_RM, [DSQRT_RZ] = REF_RZ};
    ref_set_mode(modes[which]);
    switch (which) {
    case FADD_RD: r = a + b; break;
    case FMUL_RU: r = a * b; break;
    case FSUB_RZ: r = a - b; break;
    case FDIV_RN: r = a / b; break;
    case FRCP_RU: r = one / a; break;
    case FSQRT_RD: r = sqrtf(a); break;
    case FMAF_RZ: r = fmaf(a, b, c); break;
    case DADD_RU: t = p + q; break;
    case DDIV_RD: t = p / q; break;
    default: t = sqrt(p); break;
    }
    ref_set_mode(REF_RN);
    return which >= DADD_RU ? ref_bits64(t) : ref_bits32(r);
}

static uint64_t
to_int(long double x, unsigned bits, bool is_signed, bool nan_is_zero)
{
    uint64_t all = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    if (isnan(x))
        return nan_is_zero ? 0 : UINT64_C(1) << (bits - 1);
    long double top = ldexpl(1, (int)bits - is_signed), low = is_signed ? -top : 0;
    if (x >= top)
        return is_signed ? all >> 1 : all;
    if (x <= low)
        return is_signed ? (all >> 1) + 1 : 0;
    return x < 0 ? (uint64_t)(int64_t)x & all : (uint64_t)x;
}

static uint64_t
byte_perm(const uint64_t *x)
{
    uint64_t both = x[1] << 32 | x[0], r = 0;
    for (unsigned k = 0; k < 4; k++) {
        unsigned sel = x[2] >> (4 * k) & 15;
        uint64_t byte = both >> (8 * (sel & 7)) & 0xff;
        r |= (sel & 8 ? (byte >> 7) * 0xff : byte) << (8 * k);
    }
    return r;
}

static uint64_t
exact_value(enum exact which, const uint64_t *x)
{
    float a = ref_float(x[0]), b = ref_float(x[1]);
    double p = ref_double(x[0]), q = ref_double(x[1]);
    uint32_t u = (uint32_t)x[0], v = (uint32_t)x[1];
    switch (which) {
    case F2I_RN: return to_int(rintl(a), 32, true, true);
    case F2I_RD: return to_int(floorl(a), 32, true, true);
    case F2U_RU: return to_int(ceill(a), 32, false, true);
    case F2LL_RZ: return to_int(truncl(a), 64, true, false);
    case D2I_RZ: return to_int(truncl(p), 32, true, false);
    case D2I_RN: return to_int(rintl(p), 32, true, false);
    case D2ULL_RD: return to_int(floorl(p), 64, false, false);
    case I2F_RZ: return ref_encode(s(x[0]), &fmt_f32, REF_RZ, false);
    case I2F_RN: return ref_encode(s(x[0]), &fmt_f32, REF_RN, false);
    case LL2F_RU: return ref_encode((int64_t)x[0], &fmt_f32, REF_RP, false);
    case ULL2D_RD: return ref_encode(x[0], &fmt_f64, REF_RM, false);
    case D2F_RD: return ref_encode(p, &fmt_f32, REF_RM, false);
    case H2F: return ref_encode(ref_decode(x[0], &fmt_f16), &fmt_f32, REF_RN, false);
    case F2H: return ref_encode(a, &fmt_f16, REF_RN, false);
    case CEILF: return ref_bits32(ceilf(a));
    case FLOOR: return ref_bits64(floor(p));
    case TRUNCF: return ref_bits32(truncf(a));
    case RINTF: return ref_bits32(rintf(a));
    case ROUNDF: return ref_bits32(roundf(a));
    case ROUND: return ref_bits64(round(p));
    case LLROUNDF: return to_int(roundl(a), 64, true, false);
    case LLRINT: return to_int(rintl(p), 64, true, false);
    case ABS: return s(x[0]) < 0 ? -u : u;
    case FABSF: return x[0] & 0x7fffffff;
    case MIN: return s(x[0]) < s(x[1]) ? u : v;
    case UMAX: return u > v ? u : v;
    case LLMAX: return (int64_t)x[0] > (int64_t)x[1] ? x[0] : x[1];
    case FMINF:
        return isnan(a) ? x[1] : isnan(b) ? x[0] : a < b || (a == b && signbit(a)) ? x[0] : x[1];
    case FMAX:
        return isnan(p) ? x[1] : isnan(q) ? x[0] : p > q || (p == q && signbit(q)) ? x[0] : x[1];
    case BREV: {
        uint32_t r = 0;
        for (unsigned k = 0; k < 32; k++)
            r |= (u >> k & 1) << (31 - k);
        return r;
    }
    case CLZ: return u ? (unsigned)__builtin_clz(u) : 32;
    case CLZLL: return x[0] ? (unsigned)__builtin_clzll(x[0]) : 64;
    case POPC: return (unsigned)__builtin_popcount(u);
    case FFS: return (unsigned)__builtin_ffs((int)u);
    case FFSLL: return (unsigned)__builtin_ffsll((long long)x[0]);
    case BYTE_PERM: return byte_perm(x);
    case SAD: return (uint64_t)llabs((long long)s(x[0]) - s(x[1])) + x[2];
    case USAD: return (u > v ? u - v : v - u) + x[2];
    case MUL24: return (uint64_t)((int64_t)(s(x[0] << 8) >> 8) * (s(x[1] << 8) >> 8));
    case UMUL24: return (x[0] & 0xffffff) * (x[1] & 0xffffff);
    case MULHI: return (uint64_t)(((int64_t)s(x[0]) * s(x[1])) >> 32);
    case UMULHI: return (x[0] * x[1]) >> 32;
    case MUL64HI: return (uint64_t)(((__int128)(int64_t)x[0] * (int64_t)x[1]) >> 64);
    case HADD: return (uint64_t)(((int64_t)s(x[0]) + s(x[1])) >> 1);
    case UHADD: return (x[0] + x[1]) >> 1;
    case RHADD: return (uint64_t)(((int64_t)s(x[0]) + s(x[1]) + 1) >> 1);
    case URHADD: return (x[0] + x[1] + 1) >> 1;
    case COPYSIGNF: return (x[0] & 0x7fffffff) | (x[1] & 0x80000000);
    case HIINT: return x[0] >> 32;
    case LOINT: return u;
    case HILOINT: return x[0] << 32 | x[1];
    case ISINFF: return isinf(a) != 0;
    case ISNAND: return isnan(p) != 0;
    case FINITEF: return isfinite(a) != 0;
    case SIGNBITF: return x[0] >> 31;
    case FDIMF: return ref_bits32(fdimf(a, b));
    case FMODF: return ref_bits32(fmodf(a, b));
    case FMOD: return ref_bits64(fmod(p, q));
    case REMAINDERF: return ref_bits32(remainderf(a, b));
    case NEXTAFTERF: return ref_bits32(nextafterf(a, b));
    case ILOGBF:
        return a == 0 || isnan(a) ? 0x80000000 : isinf(a) ? 0x7fffffff : (uint32_t)ilogbf(a);
    case LOGB: return ref_bits64(logb(p));
    case LDEXPF: return ref_bits32(ldexpf(a, s(x[1])));
    case SCALBN: return ref_bits64(scalbn(p, s(x[1])));
    case SATURATEF: return ref_bits32(a > 0 ? (a < 1 ? a : 1) : 0);
    case FABS_AS: return x[0];
    case FDIVIDEF: return ref_bits32(fabsf(b) > 0x1p126f ? a * copysignf(0, b) : a / b);
    default: return rounded(which, x);
    }
}

static void
ref_by_name(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = exact_value((enum exact)arg, x);
}

/* Runs a form through emit_math. */
static unsigned
run_exact(const struct form *f, size_t limit, size_t *cases)
{
    unsigned bad = 0;
    static struct batch b;
    static struct cases c;
    void *in[8], *out[8];
    for (unsigned k = 0; k < 8; k++) {
        in[k] = b.in[k];
        out[k] = b.out[k];
    }
    for (unsigned way = 0; way < 3; way++) {
        harness_fn *fn = compile(f->text, f->out, f->in, way == 1 ? 1 : 32, way == 2);
        if (!fn)
            return 1;
        cases_init(&c, f->in, limit);
        bool more = true;
        while (more && bad < 4) {
            for (b.n = 0; b.n < 32 && (more = cases_next(&c, b.x[b.n])); b.n++)
                ;
            for (unsigned first = 0; first < (way == 1 ? b.n : 1); first++) {
                batch_pack(&b, f->in, first);
                fn(0xffffffff, out, in);
                for (unsigned lane = 0; lane < (way == 1 ? 1 : b.n) && bad < 4; lane++) {
                    bad += harness_compare(f, &b, lane, first + lane, "call");
                    ++*cases;
                }
            }
        }
    }
    return bad;
}

static void
exact(void **unused)
{
    unsigned wrong = 0;
    for (size_t k = 0; k < sizeof exact_rows / sizeof *exact_rows; k++) {
        struct form f = {exact_rows[k].name, exact_rows[k].out,   exact_rows[k].in,
                         ref_by_name,        exact_rows[k].which, exact_rows[k].kind};
        size_t cases = 0;
        unsigned bad = run_exact(&f, 4000, &cases);
        printf("%-20s %8zu cases%s\n", f.text, cases, bad ? "  WRONG" : "");
        wrong += bad != 0;
    }
    assert_int_equal(wrong, 0);
}

/* -- numbers packed in a word ------------------------------------------------------------------ */

static const char *simd_name;

static int64_t
saturate(int64_t v, bool is_signed, unsigned bits)
{
    int64_t top = INT64_C(1) << (is_signed ? bits - 1 : bits), low = is_signed ? -top : 0;
    return v < low ? low : v >= top ? top - 1 : v;
}

static int64_t
simd_one(const char *n, int64_t a, int64_t b, bool is_signed, unsigned bits)
{
    bool clamped = strstr(n, "ss") != NULL || strstr(n, "us") != NULL;
    if (strncmp(n, "vabsdiff", 8) == 0 || strncmp(n, "vsad", 4) == 0)
        return llabs(a - b);
    if (strncmp(n, "vabs", 4) == 0)
        return clamped ? saturate(llabs(a), true, bits) : llabs(a);
    if (strncmp(n, "vneg", 4) == 0)
        return clamped ? saturate(-a, true, bits) : -a;
    if (strncmp(n, "vadd", 4) == 0)
        return clamped ? saturate(a + b, is_signed, bits) : a + b;
    if (strncmp(n, "vsub", 4) == 0)
        return clamped ? saturate(a - b, is_signed, bits) : a - b;
    if (strncmp(n, "vavg", 4) == 0)
        return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    if (strncmp(n, "vhadd", 5) == 0)
        return (a + b) >> 1;
    if (strncmp(n, "vmax", 4) == 0)
        return a > b ? a : b;
    if (strncmp(n, "vmin", 4) == 0)
        return a < b ? a : b;
    bool holds = strstr(n, "eq")   ? a == b
                 : strstr(n, "ne") ? a != b
                 : strstr(n, "ge") ? a >= b
                 : strstr(n, "gt") ? a > b
                 : strstr(n, "le") ? a <= b
                                   : a < b;
    return strncmp(n, "vcmp", 4) == 0 ? -holds : holds;
}

static void
ref_simd(uint64_t *d, const uint64_t *x, int arg)
{
    size_t n = strlen(simd_name);
    unsigned bits = simd_name[n - 1] == '2' ? 16 : 8;
    /* "vaddus2" adds unsigned numbers; "vabs2", "vneg2" are signed */
    bool is_signed = simd_name[n - 2] == 's' && !(simd_name[n - 3] == 'u' && simd_name[1] != 'm');
    if (strncmp(simd_name, "vabs", 4) == 0 && strncmp(simd_name, "vabsdiff", 8) != 0)
        is_signed = true;
    is_signed |= strncmp(simd_name, "vneg", 4) == 0;
    uint64_t sum = 0;
    for (unsigned at = 0; at < 32; at += bits) {
        uint64_t mask = (UINT64_C(1) << bits) - 1, u = x[0] >> at & mask, v = x[1] >> at & mask;
        int64_t a = is_signed ? (int64_t)(u << (64 - bits)) >> (64 - bits) : (int64_t)u;
        int64_t b = is_signed ? (int64_t)(v << (64 - bits)) >> (64 - bits) : (int64_t)v;
        uint64_t r = (uint64_t)simd_one(simd_name, a, b, is_signed, bits) & mask;
        sum += r;
        d[0] |= r << at;
    }
    if (strncmp(simd_name, "vsad", 4) == 0)
        d[0] = sum;
}

static void
packed(void **unused)
{
    static const char *const names[] = {
        "vabs",    "vabsss",  "vneg",    "vnegss",    "vadd",      "vaddss",  "vaddus",
        "vsub",    "vsubss",  "vsubus",  "vabsdiffs", "vabsdiffu", "vavgs",   "vavgu",
        "vhaddu",  "vmaxs",   "vmaxu",   "vmins",     "vminu",     "vsads",   "vsadu",
        "vcmpeq",  "vcmpne",  "vcmpges", "vcmpgeu",   "vcmpgts",   "vcmpgtu", "vcmples",
        "vcmpleu", "vcmplts", "vcmpltu", "vseteq",    "vsetne",    "vsetges", "vsetgeu",
        "vsetgts", "vsetgtu", "vsetles", "vsetleu",   "vsetlts",   "vsetltu"};
    unsigned wrong = 0;
    for (size_t k = 0; k < 2 * sizeof names / sizeof *names; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s%c", names[k / 2], k % 2 ? '4' : '2');
        simd_name = name;
        bool one = strncmp(name, "vneg", 4) == 0 ||
                   (strncmp(name, "vabs", 4) == 0 && strncmp(name, "vabsd", 5) != 0);
        struct form f = {name, "w", one ? "w" : "ww", ref_simd, 0, EXACT};
        size_t cases = 0;
        unsigned bad = run_exact(&f, 2500, &cases);
        printf("%-20s %8zu cases%s\n", name, cases, bad ? "  WRONG" : "");
        wrong += bad != 0;
    }
    assert_int_equal(wrong, 0);
}

/* -- results behind pointers ------------------------------------------------------------------- */

/* Lanes outside of the mask bring addresses that must not be touched. */
static void
pointers(void **unused)
{
    static float x[32], r[32], second[32], third[32];
    static uint64_t at[2][32];
    uint32_t mask = 0x7ff0f0f1;
    for (unsigned lane = 0; lane < 32; lane++) {
        x[lane] = (float)(lane * 1.37 - 11);
        at[0][lane] = mask >> lane & 1 ? (uintptr_t)&second[lane] : 16;
        at[1][lane] = mask >> lane & 1 ? (uintptr_t)&third[lane] : 16;
    }
    harness_fn *frexp_of = compile("frexpf", "w", "wd", 32, false);
    harness_fn *modf_of = compile("modff", "w", "wd", 32, false);
    harness_fn *sincos_of = compile("sincosf", "", "wdd", 32, false);
    harness_fn *sincospi_of = compile("sincospif", "", "wdd", 1, false);
    harness_fn *remquo_of = compile("remquof", "w", "wwd", 32, false);
    frexp_of(mask, (void *[]){r}, (void *[]){x, at[0]});
    for (unsigned lane = 0; lane < 32; lane++) {
        int e = 0;
        float m = frexpf(x[lane], &e);
        if (mask >> lane & 1)
            assert_true(r[lane] == m && memcmp(&second[lane], &e, 4) == 0);
    }
    modf_of(mask, (void *[]){r}, (void *[]){x, at[0]});
    for (unsigned lane = 0; lane < 32; lane++) {
        float whole, m = modff(x[lane], &whole);
        if (mask >> lane & 1)
            assert_true(r[lane] == m && second[lane] == whole);
    }
    sincos_of(mask, NULL, (void *[]){x, at[0], at[1]});
    for (unsigned lane = 0; lane < 32; lane++)
        if (mask >> lane & 1)
            assert_true(fabsf(second[lane] - sinf(x[lane])) < 1e-6f &&
                        fabsf(third[lane] - cosf(x[lane])) < 1e-6f);
    sincospi_of(1, NULL, (void *[]){x, at[0], at[1]});
    assert_true(fabs(second[0]) < 1e-6 && fabs(third[0] + 1) < 1e-6); /* -11 pi */
    static float y[32];
    for (unsigned lane = 0; lane < 32; lane++)
        y[lane] = 0.3f;
    remquo_of(mask, (void *[]){r}, (void *[]){x, y, at[0]});
    for (unsigned lane = 0; lane < 32; lane++) {
        int q, got;
        float m = remquof(x[lane], y[lane], &q);
        memcpy(&got, &second[lane], 4);
        if (mask >> lane & 1)
            assert_true(r[lane] == m && (got & 7) == ((q < 0 ? -(-q & 7) : q & 7) & 7));
    }
}

/* -- every row --------------------------------------------------------------------------------- */

static const char *const all_names[] = {
#define MATH_PTX(name, op, type0, type1, mod0, mod1) #name,
#define MATH_SLEEF(name, function) #name,
#define MATH_OWN(name, emitter) #name,
#define MATH_LANES(name, bits) #name,
#include "jit/ops/math.def"
};

static void
known(void **unused)
{
    for (size_t k = 0; k < sizeof all_names / sizeof *all_names; k++) {
        char full[64];
        snprintf(full, sizeof full, "__nv_%s", all_names[k]);
        assert_true(emit_math_known(full));
    }
    assert_false(emit_math_known("__nv_no_such_function"));
    assert_false(emit_math_known("sinf"));
    printf("%zu functions\n", sizeof all_names / sizeof *all_names);
}

int
main(void)
{
    harness = harness_new();
    int failed = UNIT_TESTS(known, approximations, exact, packed, pointers);
    harness_free(harness);
    return failed;
}
