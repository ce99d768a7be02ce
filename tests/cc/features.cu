/* SPDX-License-Identifier: Apache-2.0
 *
 * features.cu: one check for each feature of the headers. Each FEATURE is a device function that
 * every thread of two blocks of 64 runs; it returns whether the feature behaves as documented. Host
 * features follow in main. Prints "PASS name" or "FAIL name (n threads)" per feature; exit status 1
 * after a FAIL.
 */
#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math_constants.h>

namespace cg = cooperative_groups;

struct data {
    int i[256];
    unsigned int u[256];
    long long ll[64];
    unsigned long long ull[64];
    float f[256];
    double d[64];
    unsigned short us[8];
    float4 f4[16];
};

enum { BLOCKS = 2, THREADS = 64 };

typedef void (*kernel)(int *failed, data *d);
struct feature {
    const char *name;
    kernel run;
    feature *next;
    static feature *first, **last;
    feature(const char *n, kernel k) : name(n), run(k), next(nullptr)
    {
        *last = this;
        last = &next;
    }
};
feature *feature::first;
feature **feature::last = &feature::first;

#define FEATURE(name)                                                                              \
    static __device__ bool check_##name(int t, data *d);                                           \
    static __global__ void kernel_##name(int *failed, data *d)                                     \
    {                                                                                              \
        if (check_##name(threadIdx.x, d))                                                          \
            atomicSub(failed, 1);                                                                  \
    }                                                                                              \
    static feature feature_##name(#name, kernel_##name);                                           \
    static __device__ bool check_##name(int t, data *d)

static __device__ bool
near(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fabs(b) + 1e-30;
}

/* -- qualifiers and variables ----------------------------------------------------------------- */

__constant__ int constant_table[4] = {1, 2, 3, 4};
__device__ int device_value = 41;
__managed__ int managed_value = 7;

FEATURE(builtin_variables)
{
    dim3 b = blockDim;
    uint3 x = threadIdx;
    return gridDim.x == BLOCKS && blockDim.x == THREADS && blockDim.y == 1 && warpSize == 32 &&
           blockIdx.x < BLOCKS && b.x == THREADS && x.x == (unsigned)t;
}
FEATURE(constant_memory)
{
    return constant_table[t & 3] == (t & 3) + 1;
}
FEATURE(device_variable)
{
    return device_value == 41;
}
FEATURE(managed_variable)
{
    return managed_value == 7;
}
__noinline__ __device__ int
not_inlined(int a)
{
    return a * 3;
}
__forceinline__ __device__ int
inlined(int a)
{
    return a + 1;
}
FEATURE(inline_qualifiers)
{
    return not_inlined(inlined(t)) == 3 * t + 3;
}
FEATURE(static_shared)
{
    __shared__ int s[THREADS];
    s[t] = t * t;
    __syncthreads();
    return s[THREADS - 1 - t] == (THREADS - 1 - t) * (THREADS - 1 - t);
}
FEATURE(dynamic_shared)
{
    extern __shared__ int dynamic[];
    dynamic[t] = t + 5;
    __syncthreads();
    return dynamic[t ^ 1] == (t ^ 1) + 5;
}
template <class T, int N>
static __device__ T
template_sum(const T (&a)[N])
{
    T s = 0;
    for (int i = 0; i < N; i++)
        s += a[i];
    return s;
}
FEATURE(templates)
{
    int a[3] = {t, 1, 2};
    double b[2] = {0.5, 0.25};
    return template_sum(a) == t + 3 && template_sum(b) == 0.75;
}
FEATURE(recursion)
{
    struct fibonacci {
        static __device__ int of(int n)
        {
            return n < 2 ? n : of(n - 1) + of(n - 2);
        }
    };
    return fibonacci::of(t & 7) == (const int[]){0, 1, 1, 2, 3, 5, 8, 13}[t & 7];
}
static __device__ int
twice(int a)
{
    return 2 * a;
}
static __device__ int
thrice(int a)
{
    return 3 * a;
}
FEATURE(function_pointers)
{
    int (*f)(int) = t & 1 ? twice : thrice;
    return f(t) == (t & 1 ? 2 : 3) * t;
}
FEATURE(vector_types)
{
    float4 a = make_float4(1, 2, 3, 4);
    d->f4[t & 15] = a;
    uchar4 c = make_uchar4(1, 2, 3, 255);
    double2 e = make_double2(1.5, 2.5);
    return sizeof(float4) == 16 && alignof(float4) == 16 && alignof(int2) == 8 &&
           sizeof(float3) == 12 && alignof(float3) == 4 && a.x + a.w == 5 && c.w == 255 &&
           e.x + e.y == 4 && sizeof(longlong3) == 24 && alignof(double4) == 16;
}
FEATURE(dim3_type)
{
    dim3 g(3, 4);
    return g.x == 3 && g.y == 4 && g.z == 1;
}

/* --
 * atomics -------------------------------------------------------------------------------------- */

FEATURE(atomic_add)
{
    __shared__ int si;
    __shared__ unsigned su;
    __shared__ unsigned long long sull;
    __shared__ float sf;
    __shared__ double sd;
    if (t == 0)
        si = 0, su = 0, sull = 0, sf = 0, sd = 0;
    __syncthreads();
    atomicAdd(&si, t), atomicAdd(&su, 2u), atomicAdd(&sull, 1ull << 33);
    atomicAdd(&sf, 0.5f), atomicAdd(&sd, 0.25);
    __syncthreads();
    return si == 64 * 63 / 2 && su == 128 && sull == 64ull << 33 && sf == 32 && sd == 16;
}
FEATURE(atomic_sub_exch)
{
    __shared__ int s;
    __shared__ float f;
    if (t == 0)
        s = 100, f = 1.5f;
    __syncthreads();
    atomicSub(&s, 1);
    atomicExch(&f, 2.5f);
    __syncthreads();
    return s == 36 && f == 2.5f;
}
FEATURE(atomic_min_max)
{
    __shared__ int lo, hi;
    __shared__ unsigned ulo;
    __shared__ long long lhi;
    __shared__ unsigned long long uhi;
    if (t == 0)
        lo = 1000, hi = -1000, ulo = ~0u, lhi = -1, uhi = 0;
    __syncthreads();
    atomicMin(&lo, t - 32), atomicMax(&hi, t - 32), atomicMin(&ulo, (unsigned)t + 9);
    atomicMax(&lhi, (long long)t << 40), atomicMax(&uhi, (unsigned long long)t << 58);
    __syncthreads();
    return lo == -32 && hi == 31 && ulo == 9 && lhi == 63ll << 40 && uhi == 63ull << 58;
}
FEATURE(atomic_bits)
{
    __shared__ unsigned a, o, x;
    __shared__ unsigned long long w;
    if (t == 0)
        a = ~0u, o = 0, x = 0, w = 0;
    __syncthreads();
    atomicAnd(&a, ~(1u << (t & 31))), atomicOr(&o, 1u << (t & 15)), atomicXor(&x, 1u << (t & 31));
    atomicOr(&w, 1ull << t);
    __syncthreads();
    return a == 0 && o == 0xffff && x == 0 && w == ~0ull;
}
FEATURE(atomic_inc_dec)
{
    __shared__ unsigned a, b;
    if (t == 0)
        a = 0, b = 0;
    __syncthreads();
    atomicInc(&a, 9), atomicDec(&b, 9);
    __syncthreads();
    return a == 64 % 10 && b == (10 - 64 % 10) % 10;
}
FEATURE(atomic_cas)
{
    __shared__ int s;
    __shared__ unsigned long long w;
    __shared__ unsigned short h[2];
    if (t == 0)
        s = 0, w = 0, h[0] = 0, h[1] = 77;
    __syncthreads();
    for (int old = s, seen; (seen = atomicCAS(&s, old, old + t)) != old;)
        old = seen;
    for (unsigned long long old = w, seen; (seen = atomicCAS(&w, old, old + 1)) != old;)
        old = seen;
    atomicCAS(&h[0], (unsigned short)0, (unsigned short)(t + 1));
    __syncthreads();
    return s == 2016 && w == 64 && h[0] >= 1 && h[0] <= 64 && h[1] == 77;
}
FEATURE(atomic_scopes)
{
    __shared__ int s;
    if (t == 0)
        s = 0;
    __syncthreads();
    atomicAdd_block(&s, 1), atomicAdd_system(&s, 1);
    __syncthreads();
    return s == 128;
}

/* -- warps ------------------------------------------------------------------------------------- */

enum { ALL = -1 };
FEATURE(shuffles)
{
    int lane = t & 31;
    double x = __shfl_sync(ALL, t + 0.5, 3);
    return __shfl_sync(ALL, t, 5) == (t & 32) + 5 &&
           __shfl_up_sync(ALL, t, 1) == (lane ? t - 1 : t) &&
           __shfl_down_sync(ALL, t, 2) == (lane < 30 ? t + 2 : t) &&
           __shfl_xor_sync(ALL, t, 7) == (t ^ 7) && __shfl_sync(ALL, t, 1, 8) == (t & ~7) + 1 &&
           x == (t & 32) + 3.5 && __shfl_sync(ALL, 1ull << t, 2) == 1ull << ((t & 32) + 2);
}
FEATURE(votes)
{
    return __all_sync(ALL, t >= 0) && !__all_sync(ALL, t & 1) && __any_sync(ALL, (t & 31) == 4) &&
           __ballot_sync(ALL, t & 1) == 0xaaaaaaaau && __popc(__activemask()) == 32;
}
FEATURE(votes_of_some_lanes)
{
    bool ok = true;
    if (t & 1)
        ok = __ballot_sync(0xaaaaaaaau, 1) == 0xaaaaaaaau && __activemask() == 0xaaaaaaaau;
    __syncwarp();
    return ok;
}
FEATURE(match)
{
    int all;
    unsigned same = __match_any_sync(ALL, t & 3), one = __match_all_sync(ALL, 5, &all);
    return same == 0x11111111u << (t & 3) && one == ~0u && all;
}
FEATURE(reduce_sync)
{
    int lane = t & 31;
    return __reduce_add_sync(ALL, lane) == 496 && __reduce_max_sync(ALL, lane - 16) == 15 &&
           __reduce_min_sync(ALL, (unsigned)lane + 2) == 2 &&
           __reduce_or_sync(ALL, 1u << lane) == ~0u && __reduce_and_sync(ALL, ~(1u << lane)) == 0 &&
           __reduce_xor_sync(ALL, 1u << (lane & 1)) == 0;
}
FEATURE(block_votes)
{
    return __syncthreads_count(t < 10) == 10 && __syncthreads_and(t < 64) &&
           __syncthreads_or(t == 63) && !__syncthreads_and(t < 63);
}

/* -- bits and integers ------------------------------------------------------------------------- */

FEATURE(bit_functions)
{
    unsigned x = 0x00f0a000u + t;
    return __popc(0xf0f0u) == 8 && __popcll(~0ull) == 64 && __clz(1 << 4) == 27 && __clz(0) == 32 &&
           __clzll(1ll) == 63 && __ffs(8) == 4 && __ffs(0) == 0 && __ffsll(1ll << 40) == 41 &&
           __brev(1u) == 0x80000000u && __brevll(1ull) == 1ull << 63 && __brev(__brev(x)) == x;
}
FEATURE(funnel_shift)
{
    return __funnelshift_l(0x80000000u, 1u, 1) == 3 &&
           __funnelshift_r(0x10u, 1u, 4) == 0x10000001u && __funnelshift_lc(1u, 2u, 40) == 1 &&
           __funnelshift_rc(1u, 2u, 40) == 2;
}
FEATURE(byte_perm)
{
    return __byte_perm(0x33221100u, 0x77665544u, 0x7520) == 0x77552200u;
}
FEATURE(dot_products)
{
    return __dp4a(0x01020304, 0x01010101, 5) == 15 &&
           __dp4a((int)0xff000000, 0x02000000, 0) == -2 &&
           __dp4a(0xff000000u, 0x02000000u, 0u) == 510 && __dp2a_lo(0x00020001, 0x0403, 1) == 12;
}
FEATURE(multiplications)
{
    return __mul24(-5, 7) == -35 && __umul24(0xffffffu, 2u) == 0x1fffffeu &&
           __mulhi(1 << 30, 8) == 2 && __umulhi(~0u, 2u) == 1 && __mul64hi(1ll << 62, 8ll) == 2 &&
           __umul64hi(~0ull, 4ull) == 3 && __sad(3, 10, 1u) == 8 && __usad(10u, 3u, 1u) == 8 &&
           __hadd(3, 6) == 4 && __rhadd(3, 6) == 5;
}
FEATURE(simd_in_a_word)
{
    return __vadd4(0x01ff0203u, 0x01010101u) == 0x02000304u &&
           __vadd2(0xffff0001u, 0x00010001u) == 2u && __vsub4(0x00000001u, 0x00000002u) == 0xffu &&
           __vmaxu4(0x01800300u, 0x027f0200u) == 0x02800300u &&
           __vmins4(0x80017f00u, 0x00020001u) == 0x80010000u &&
           __vabsdiffu4(0x05000000u, 0x07010000u) == 0x02010000u &&
           __vcmpeq4(0x01020304u, 0x01000300u) == 0xff00ff00u &&
           __vavgu4(0x02000000u, 0x03000000u) == 0x03000000u && __vsadu4(0x01020304u, 0u) == 10u &&
           __vaddus4(0xff000000u, 0x01000000u) == 0xff000000u;
}
FEATURE(min_max_abs)
{
    return min(t, 5) == (t < 5 ? t : 5) && max(3u, 7) == 7u && min(2ll, -1ll) == -1 &&
           max(1.0f, 2.0f) == 2 && abs(-t) == t && fminf(CUDART_NAN_F, 1.0f) == 1 &&
           std::max(t, 3) == (t > 3 ? t : 3);
}

/* -- floating point ---------------------------------------------------------------------------- */

FEATURE(rounded_arithmetic)
{
    float tiny = ldexpf(1.0f, -30);
    return __fadd_rn(1.0f, tiny) == 1 && __fadd_ru(1.0f, tiny) > 1 && __fadd_rd(1.0f, -tiny) < 1 &&
           __fadd_rz(1.0f, tiny) == 1 && __fmul_ru(1.0f / 3, 3.0f) >= 1 &&
           __fdiv_rd(1.0f, 3.0f) < __fdiv_ru(1.0f, 3.0f) && __fsqrt_rn(4.0f) == 2 &&
           __frcp_rn(4.0f) == 0.25f && __dadd_ru(1.0, 1e-30) > 1 && __dadd_rd(1.0, 1e-30) == 1 &&
           __fmaf_rn(2.0f, 3.0f, 1.0f) == 7 && __fma_rn(2.0, 3.0, 1.0) == 7 &&
           __ddiv_rn(1.0, 4.0) == 0.25;
}
FEATURE(float_to_integer)
{
    return __float2int_rn(2.5f) == 2 && __float2int_rz(-2.7f) == -2 && __float2int_ru(2.1f) == 3 &&
           __float2int_rd(-2.1f) == -3 && __float2uint_rz(3e9f) == 3000000000u &&
           __double2int_rn(3.5) == 4 && __double2ll_rz(-1e12) == -1000000000000ll &&
           __float2int_rz(1e20f) == 0x7fffffff && (int)__float2ll_rn(1.5f) == 2;
}
FEATURE(integer_to_float)
{
    return __int2float_rz(16777217) == 16777216.0f && __int2float_ru(16777217) == 16777218.0f &&
           __uint2float_rn(5u) == 5 && __ll2float_rn(1ll << 40) == 1099511627776.0f &&
           __int2double_rn(t) == t && __double2float_rd(1.0000000001) == 1 &&
           __double2float_ru(1.0000000001) > 1;
}
FEATURE(bit_casts)
{
    return __float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f &&
           __double_as_longlong(1.0) == 0x3ff0000000000000ll &&
           __longlong_as_double(0x4000000000000000ll) == 2.0 && __double2hiint(1.0) == 0x3ff00000 &&
           __double2loint(1.0) == 0 && __hiloint2double(0x40000000, 0) == 2.0 &&
           __float_as_uint(-0.0f) == 0x80000000u;
}
FEATURE(fast_approximations)
{
    float x = 0.01f * t + 0.1f;
    return near(__sinf(x), sin((double)x), 1e-5) && near(__cosf(x), cos((double)x), 1e-4) &&
           near(__expf(x), exp((double)x), 1e-5) && fabs(__logf(x) - log((double)x)) < 1e-5 &&
           near(__powf(x, 2.0f), (double)x * x, 1e-5) && near(__fdividef(1.0f, x), 1.0 / x, 1e-6) &&
           near(rsqrtf(x), 1.0 / sqrt((double)x), 1e-6) && near(__tanf(x), tan((double)x), 1e-4) &&
           __saturatef(2.0f) == 1 && __saturatef(-1.0f) == 0 && __saturatef(CUDART_NAN_F) == 0;
}
FEATURE(math_float)
{
    float x = 0.02f * t + 0.05f;
    return near(sinf(x), sin((double)x), 1e-6) && near(expf(x), exp((double)x), 1e-6) &&
           near(powf(x, 1.5f), pow((double)x, 1.5), 1e-6) &&
           near(tanhf(x), tanh((double)x), 1e-6) && near(erff(x), erf((double)x), 1e-6) &&
           near(cbrtf(8.0f), 2, 1e-6) && near(hypotf(3.0f, 4.0f), 5, 1e-6) &&
           fmodf(7.5f, 2.0f) == 1.5f && ldexpf(1.0f, 4) == 16 && floorf(-1.5f) == -2 &&
           ceilf(1.2f) == 2 && truncf(-1.7f) == -1 && roundf(2.5f) == 3 && rintf(2.5f) == 2 &&
           copysignf(1.0f, -2.0f) == -1 && near(atan2f(1.0f, 1.0f), CUDART_PI / 4, 1e-6) &&
           near(log1pf(x), log1p((double)x), 1e-6) && sqrtf(9.0f) == 3;
}
FEATURE(math_double)
{
    double x = 0.02 * t + 0.05, whole;
    int e;
    return near(sin(x) * sin(x) + cos(x) * cos(x), 1, 1e-14) && near(exp(log(x)), x, 1e-13) &&
           near(tgamma(5.0), 24, 1e-13) && near(lgamma(3.0), log(2.0), 1e-13) &&
           near(asin(sin(0.5)), 0.5, 1e-14) && near(sinh(1.0), 1.1752011936438014, 1e-14) &&
           modf(3.25, &whole) == 0.25 && whole == 3 && frexp(8.0, &e) == 0.5 && e == 4 &&
           fma(2.0, 3.0, 4.0) == 10 && ilogb(8.0) == 3 && nextafter(1.0, 2.0) > 1 &&
           fdim(3.0, 1.0) == 2 && remainder(5.0, 3.0) == -1 && lround(2.5) == 3;
}
FEATURE(math_of_cuda)
{
    float s, c;
    sincosf(0.5f, &s, &c);
    return near(sinpi(0.5), 1, 1e-14) && near(cospi(1.0), -1, 1e-14) &&
           near(rsqrt(4.0), 0.5, 1e-14) && near(rcbrt(8.0), 0.5, 1e-14) &&
           near(norm3d(2.0, 3.0, 6.0), 7, 1e-14) && near(erfcinv(erfc(0.3)), 0.3, 1e-12) &&
           near(normcdf(0.0), 0.5, 1e-14) && near(erfinv(erf(0.4)), 0.4, 1e-12) &&
           near(exp10(2.0), 100, 1e-13) && near(cyl_bessel_i0(0.0), 1, 1e-14) &&
           near(j0(0.0), 1, 1e-14) && near(s * s + c * c, 1, 1e-6) && near(erfcx(0.0), 1, 1e-14) &&
           near(rhypot(3.0, 4.0), 0.2, 1e-14);
}
FEATURE(cmath)
{
    return std::sqrt(16.0f) == 4 && std::abs(-2.5f) == 2.5f && std::isnan(CUDART_NAN_F) &&
           std::isinf(CUDART_INF_F) && !std::isfinite(CUDART_INF) && std::signbit(-0.0) &&
           near(std::pow(2.0f, 3.0f), 8, 1e-6) && std::floor(1.5f) == 1;
}
FEATURE(complex_numbers)
{
    std::complex<float> z(1, 2), w = z * z;
    cuFloatComplex a = make_cuFloatComplex(3, 4);
    return w.real() == -3 && w.imag() == 4 && near(cuCabsf(a), 5, 1e-6) &&
           cuCrealf(cuCmulf(a, cuConjf(a))) == 25;
}
FEATURE(half_precision)
{
    half a = __float2half(1.5f), b = __float2half(0.25f);
    half2 v = __halves2half2(a, b);
    return __half2float(a + b) == 1.75f && __half2float(__hfma(a, a, b)) == 2.5f && __hgt(a, b) &&
           __high2float(__hadd2(v, v)) == 0.5f &&
           __half_as_ushort(__float2half(65504.0f)) == 0x7bff &&
           __half2float(__float2half(1e-8f)) == 0 && __half2float(hsqrt(__float2half(4.0f))) == 2;
}
FEATURE(bfloat16)
{
    nv_bfloat16 a = __float2bfloat16(1.5f), b = __float2bfloat16(0.25f);
    return __bfloat162float(a + b) == 1.75f && __bfloat162float(__hfma(a, a, b)) == 2.5f && a > b &&
           __bfloat16_as_ushort(__float2bfloat16(1.00390625f)) == 0x3f80;
}

/* -- memory ------------------------------------------------------------------------------------ */

FEATURE(cache_operators)
{
    float *p = &d->f[128 + blockIdx.x * 64 + t];
    __stcs(p, 1.0f * t);
    bool ok = __ldcg(p) == t && __ldcs(p) == t && __ldca(p) == t;
    __stwt((int *)p, 9), __stcg((int *)p, 9);
    return ok && __ldcv((int *)p) == 9 && __ldg(&d->i[0]) == 0 && __ldg(&d->f4[0]).y >= 0;
}
FEATURE(address_spaces)
{
    __shared__ int s;
    int local[4];
    local[t & 3] = t;
    int *back = (int *)__cvta_shared_to_generic(__cvta_generic_to_shared(&s));
    return __isShared(&s) && !__isShared(d) && __isGlobal(d) && !__isGlobal(&s) &&
           __isLocal(&local[t & 3]) && back == &s &&
           *(int *)__cvta_global_to_generic(__cvta_generic_to_global(&d->i[0])) == 0;
}
FEATURE(malloc_in_kernels)
{
    int *p = (int *)malloc(16);
    if (!p)
        return false;
    p[3] = t;
    bool ok = p[3] == t;
    free(p);
    double *q = new double[2];
    q[1] = t;
    ok = ok && q[1] == t;
    delete[] q;
    return ok;
}
FEATURE(memcpy_memset)
{
    char a[24], b[24];
    memset(a, t, sizeof a);
    memcpy(b, a, sizeof b);
    return b[0] == t && b[23] == t;
}
FEATURE(fences)
{
    __threadfence_block(), __threadfence(), __threadfence_system();
    return true;
}
FEATURE(clocks)
{
    long long a = clock64();
    clock_t c = clock();
    __nanosleep(20);
    return clock64() >= a && (c != 0 || a >= 0);
}
FEATURE(prints_and_asserts)
{
    assert(t >= 0);
    if (blockIdx.x == 0 && t == 5)
        printf("printf: %d %s %.2f %c %lld\n", t, "text", 1.25, 'x', 1ll << 40);
    __prof_trigger(1);
    return true;
}

/* -- cooperative groups ------------------------------------------------------------------------ */

FEATURE(group_of_block)
{
    cg::thread_block b = cg::this_thread_block();
    b.sync();
    return b.size() == THREADS && b.thread_rank() == (unsigned)t && b.group_index().x == blockIdx.x;
}
FEATURE(group_tiles)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    return tile.size() == 8 && tile.thread_rank() == (unsigned)t % 8 &&
           tile.meta_group_rank() == (unsigned)t / 8 && tile.shfl(t, 2) == (t & ~7) + 2 &&
           tile.ballot(t & 1) == 0xaa &&
           cg::reduce(tile, t, cg::plus<int>()) == 8 * (t & ~7) + 28 &&
           cg::inclusive_scan(tile, 1) == t % 8 + 1 && cg::exclusive_scan(tile, 2) == 2 * (t % 8);
}
FEATURE(group_coalesced)
{
    bool ok = true;
    if (t % 3 == 0) {
        auto group = cg::coalesced_threads();
        ok = group.shfl(t, 0) == (t < 32 ? 0 : 33) && group.any(1) &&
             cg::reduce(group, 1, cg::plus<int>()) == (int)group.size();
    }
    return ok;
}

/* -- host -------------------------------------------------------------------------------------- */

__global__ void __launch_bounds__(64, 2)
    arguments(int *out, const __grid_constant__ data d, char c, double x, float3 v)
{
    out[threadIdx.x] = d.i[255] + c + (int)x + (int)v.z;
}
static int failures;
static void
report(const char *name, bool ok)
{
    printf("%s %s\n", ok ? "PASS" : "FAIL", name);
    failures += !ok;
}
static void
host_features()
{
    int *out, value = 0, back[THREADS];
    size_t size = 0;
    cudaMalloc(&out, sizeof back);
    static data big;
    big.i[255] = 1000;
    arguments<<<1, THREADS>>>(out, big, 'a', 2.5, make_float3(0, 0, 7));
    cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
    report("launch_arguments", back[63] == 1000 + 'a' + 2 + 7);
    value = 17;
    cudaMemcpyToSymbol(device_value, &value, sizeof value);
    value = 0;
    cudaMemcpyFromSymbol(&value, device_value, sizeof value);
    report("symbols", value == 17);
    int *address;
    report("symbol_address",
           cudaGetSymbolAddress((void **)&address, constant_table) == cudaSuccess &&
               cudaGetSymbolSize(&size, constant_table) == cudaSuccess && size == 16);
    cudaFuncAttributes attributes;
    report("function_attributes",
           cudaFuncGetAttributes(&attributes, arguments) == cudaSuccess &&
               attributes.maxThreadsPerBlock >= 64 &&
               cudaFuncSetAttribute(arguments, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    65536) == cudaSuccess &&
               cudaFuncSetCacheConfig(arguments, cudaFuncCachePreferL1) == cudaSuccess);
    int blocks = 0, least = 0, best = 0;
    report("occupancy",
           cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, arguments, 64, 0) ==
                   cudaSuccess &&
               blocks > 0 &&
               cudaOccupancyMaxPotentialBlockSize(&least, &best, arguments) == cudaSuccess &&
               best > 0);
    cudaStream_t stream;
    cudaEvent_t start, stop;
    float milliseconds = -1;
    cudaStreamCreate(&stream), cudaEventCreate(&start), cudaEventCreate(&stop);
    cudaEventRecord(start, stream);
    arguments<<<1, THREADS, 0, stream>>>(out, big, 'b', 0.0, make_float3(0, 0, 0));
    cudaEventRecord(stop, stream);
    cudaEventSynchronize(stop);
    report("streams_and_events",
           cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess && milliseconds >= 0);
    cudaStreamDestroy(stream), cudaEventDestroy(start), cudaEventDestroy(stop);
    report("errors",
           cudaMalloc(&address, (size_t)1 << 60) == cudaErrorMemoryAllocation &&
               cudaGetLastError() == cudaErrorMemoryAllocation &&
               cudaGetLastError() == cudaSuccess &&
               !strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") &&
               !strcmp(cudaGetErrorString(cudaSuccess), "no error"));
    arguments<<<1, 2048>>>(out, big, 0, 0, make_float3(0, 0, 0));
    report("launch_limits", cudaGetLastError() == cudaErrorInvalidConfiguration);
    managed_value++;
    report("managed_from_host", managed_value == 8);
    report("older_names", cudaThreadSynchronize() == cudaSuccess);
    report("host_mathematics", fabs(sinpi(0.5) - 1) < 1e-15 &&
                                   fabs(erfinv(erf(0.7)) - 0.7) < 1e-12 &&
                                   fabs(normcdfinv(0.975) - 1.959963984540054) < 1e-12 &&
                                   fabs(erfcinv(erfc(2.0)) - 2) < 1e-12 && max(3, 4) == 4 &&
                                   fabs(rsqrtf(4.0f) - 0.5f) < 1e-7 &&
                                   fabs(erfcx(30.0) - 0.018795888861416751) < 1e-15);
    cudaFree(out);
}

int
main()
{
    int *failed, count;
    data *d;
    if (cudaMalloc(&failed, sizeof *failed) != cudaSuccess ||
        cudaMalloc(&d, sizeof *d) != cudaSuccess) {
        printf("FAIL memory\n");
        return 1;
    }
    for (feature *f = feature::first; f; f = f->next) {
        count = BLOCKS * THREADS; /* each thread that is content takes one off */
        cudaMemcpy(failed, &count, sizeof count, cudaMemcpyHostToDevice);
        cudaMemset(d, 0, sizeof *d);
        f->run<<<BLOCKS, THREADS, THREADS * sizeof(int)>>>(failed, d);
        cudaError_t e = cudaMemcpy(&count, failed, sizeof count, cudaMemcpyDeviceToHost);
        if (e == cudaSuccess && count == 0) {
            printf("PASS %s\n", f->name);
            continue;
        }
        failures++;
        if (e == cudaSuccess)
            printf("FAIL %s (%d threads)\n", f->name, count);
        else
            printf("FAIL %s: %s\n", f->name, cudaGetErrorString(e));
    }
    host_features();
    printf("%s: %d failed\n", failures ? "FAIL" : "PASS", failures);
    return failures != 0;
}
