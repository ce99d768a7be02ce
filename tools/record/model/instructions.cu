// SPDX-License-Identifier: Apache-2.0
//
// What PTX instructions and functions of the mathematical library cost on an SM, as CSV: clocks of one warp until a
// result can be used (latency), clocks of an SM for each warp when 32 warps with four chains each ask for it (issue).
// PART 0 to 4 choose the operations, so that they are compiled side by side. With the argument `count`, each operation
// is launched twice, with 4 and with 36 turns of one warp: a profiler's executed instructions of the two, over the
// operations between them, are what the operation becomes. `extra` of those, simple ones, belong to the chain around it.
#include "bench.h"

#include <cstdint>

#ifndef PART
#define PART 0
#endif

template <class O, int CHAINS>
__global__ void __launch_bounds__(1024)
chains(typename O::type *out, typename O::type x0, typename O::type b, typename O::type c, int n, long long *clocks)
{
    typedef typename O::type T;
    T x[CHAINS];
#pragma unroll
    for (int j = 0; j < CHAINS; j++)
        x[j] = x0 + (T)(threadIdx.x & 3) + (T)j;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int u = 0; u < O::UNROLL; u++) {
#pragma unroll
            for (int j = 0; j < CHAINS; j++)
                O::run(x[j], b, c);
        }
    }
    __syncthreads();
    long long end = clock64();
    T sum = x[0];
#pragma unroll
    for (int j = 1; j < CHAINS; j++)
        sum += x[j];
    out[threadIdx.x] = sum;
    if (threadIdx.x == 0)
        *clocks = end - begin;
}

static bool counting;

template <class O>
static void
measure(void)
{
    typedef typename O::type T;
    static long long *clocks = device_memory<long long>(1), took[2];
    T *out = device_memory<T>(1024);
    int n = (int)std::max(4l, 512 / O::UNROLL / scale());
    if (counting) {
        chains<O, 1><<<1, 32>>>(out, O::x0(), O::b(), O::c(), 4, clocks);
        chains<O, 1><<<1, 32>>>(out, O::x0(), O::b(), O::c(), 36, clocks);
        CHECK(cudaDeviceSynchronize());
        printf("%s,%d,%d\n", O::name(), 32 * O::UNROLL, O::EXTRA);
    } else {
        for (int run = 0; run < 2; run++)
            chains<O, 1><<<1, 32>>>(out, O::x0(), O::b(), O::c(), n, clocks);
        CHECK(cudaMemcpy(&took[0], clocks, sizeof *clocks, cudaMemcpyDeviceToHost));
        for (int run = 0; run < 2; run++)
            chains<O, O::CHAINS><<<1, 1024>>>(out, O::x0(), O::b(), O::c(), n, clocks);
        CHECK(cudaMemcpy(&took[1], clocks, sizeof *clocks, cudaMemcpyDeviceToHost));
        printf("%s,%d,%.3f,%.4f\n", O::name(), O::EXTRA, (double)took[0] / n / O::UNROLL,
               (double)took[1] / n / O::UNROLL / O::CHAINS / 32);
    }
    CHECK(cudaFree(out));
}

#define OPERATION(id, T, start, vb, vc, extra, unroll, chain, statement)                           \
    struct op_##id {                                                                               \
        typedef T type;                                                                            \
        enum { EXTRA = extra, UNROLL = unroll, CHAINS = chain };                                   \
        static const char *name() { return #id; }                                                  \
        static T x0() { return start; }                                                            \
        static T b() { return vb; }                                                                \
        static T c() { return vc; }                                                                \
        static __device__ __forceinline__ void run(T &x, T b, T c) { statement; (void)b, (void)c; }\
    };
// One instruction of PTX: x, b, c are its operands %0, %1, %2.
#define PTX(id, T, r, start, vb, vc, text)                                                         \
    OPERATION(id, T, start, vb, vc, 0, 16, 4, asm(text : "+" r(x) : r(b), r(c)))
#define FN(id, T, start, vb, vc, extra, statement) OPERATION(id, T, start, vb, vc, extra, 4, 2, statement)

#if PART == 0
#define LIST(PTX, FN)                                                                              \
    PTX(add_s32, int, "r", 5, 3, 7, "add.s32 %0, %0, %1;")                                         \
    PTX(mul_lo_s32, int, "r", 5, 3, 7, "mul.lo.s32 %0, %0, %1;")                                   \
    PTX(mad_lo_s32, int, "r", 5, 3, 7, "mad.lo.s32 %0, %0, %1, %2;")                               \
    PTX(mul_hi_s32, int, "r", 5, 3, 7, "mul.hi.s32 %0, %0, %1;")                                   \
    PTX(mul_hi_u32, unsigned, "r", 5, 3, 7, "mul.hi.u32 %0, %0, %1;")                              \
    PTX(mul24_lo_s32, int, "r", 5, 3, 7, "mul24.lo.s32 %0, %0, %1;")                               \
    PTX(sad_s32, int, "r", 5, 3, 7, "sad.s32 %0, %0, %1, %2;")                                     \
    PTX(and_b32, int, "r", 5, 3, 7, "and.b32 %0, %0, %1;")                                         \
    PTX(shl_b32, int, "r", 5, 3, 7, "shl.b32 %0, %0, %1;")                                         \
    PTX(shr_s32, int, "r", 5, 3, 7, "shr.s32 %0, %0, %1;")                                         \
    PTX(shf_l, int, "r", 5, 3, 7, "shf.l.wrap.b32 %0, %0, %1, %2;")                                \
    PTX(min_s32, int, "r", 5, 3, 7, "min.s32 %0, %0, %1;")                                         \
    PTX(abs_s32, int, "r", 5, 3, 7, "abs.s32 %0, %0;")                                             \
    PTX(neg_s32, int, "r", 5, 3, 7, "neg.s32 %0, %0;")                                             \
    PTX(not_b32, int, "r", 5, 3, 7, "not.b32 %0, %0;")                                             \
    PTX(popc_b32, int, "r", 5, 3, 7, "popc.b32 %0, %0;")                                           \
    PTX(clz_b32, int, "r", 5, 3, 7, "clz.b32 %0, %0;")                                             \
    PTX(brev_b32, int, "r", 5, 3, 7, "brev.b32 %0, %0;")                                           \
    PTX(bfind_u32, int, "r", 5, 3, 7, "bfind.u32 %0, %0;")                                         \
    PTX(bfe_u32, int, "r", 5, 3, 7, "bfe.u32 %0, %0, %1, %2;")                                     \
    PTX(bfi_b32, int, "r", 5, 3, 7, "bfi.b32 %0, %0, %1, %2, 4;")                                  \
    PTX(prmt_b32, int, "r", 5, 3, 7, "prmt.b32 %0, %0, %1, %2;")                                   \
    PTX(lop3_b32, int, "r", 5, 3, 7, "lop3.b32 %0, %0, %1, %2, 0x96;")                             \
    PTX(selp_setp_s32, int, "r", 5, 3, 7,                                                          \
        "{ .reg .pred p; setp.lt.s32 p, %0, %1; selp.b32 %0, %0, %2, p; }")                        \
    PTX(dp4a, int, "r", 5, 3, 7, "dp4a.s32.s32 %0, %0, %1, %2;")                                   \
    PTX(shfl_down, int, "r", 5, 3, 7, "shfl.sync.down.b32 %0, %0, 1, 31, -1;")                     \
    PTX(ballot, int, "r", 5, 3, 7,                                                                 \
        "{ .reg .pred p; setp.lt.s32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1; }")                \
    PTX(redux_add, int, "r", 5, 3, 7, "redux.sync.add.s32 %0, %0, -1;")                            \
    PTX(match_any, int, "r", 5, 3, 7, "match.any.sync.b32 %0, %0, -1;")                            \
    PTX(bar_sync, int, "r", 5, 3, 7, "add.s32 %0, %0, %1; bar.sync 0;")                            \
    PTX(membar_cta, int, "r", 5, 3, 7, "add.s32 %0, %0, %1; membar.cta;")                          \
    FN(div_s32, int, 5, 3, 0x7fffffff, 1, x = c / (x | 1))                                         \
    FN(rem_s32, int, 5, 3, 0x7fffffff, 2, x = (c % (x | 1)) ^ b)                                   \
    FN(div_u32, unsigned, 5, 3, 0xfffffffe, 1, x = c / (x | 1))                                    \
    FN(rem_u32, unsigned, 5, 3, 0xfffffffe, 2, x = (c % (x | 1)) ^ b)                              \
    FN(div_by_7_s32, int, 5, 3, 0x7fffffff, 1, x = x / 7 + c)                                      \
    FN(div_by_7_u32, unsigned, 5, 3, 0x7fffffff, 1, x = x / 7 + c)                                 \
    FN(rem_by_7_u32, unsigned, 5, 3, 0x7fffffff, 1, x = x % 7 + c)
#elif PART == 1
#define LIST(PTX, FN)                                                                              \
    PTX(add_s64, long long, "l", 5, 3, 7, "add.s64 %0, %0, %1;")                                   \
    PTX(mul_lo_s64, long long, "l", 5, 3, 7, "mul.lo.s64 %0, %0, %1;")                             \
    PTX(mad_lo_s64, long long, "l", 5, 3, 7, "mad.lo.s64 %0, %0, %1, %2;")                         \
    PTX(mul_hi_s64, long long, "l", 5, 3, 7, "mul.hi.s64 %0, %0, %1;")                             \
    PTX(mul_hi_u64, long long, "l", 5, 3, 7, "mul.hi.u64 %0, %0, %1;")                             \
    PTX(mul_wide_s32, long long, "l", 5, 3, 7,                                                     \
        "{ .reg .s32 a, h; mov.b64 {a, h}, %0; mul.wide.s32 %0, a, 12345; }")                      \
    PTX(mad_wide_s32, long long, "l", 5, 3, 7,                                                     \
        "{ .reg .s32 a, h; mov.b64 {a, h}, %0; mad.wide.s32 %0, a, 12345, %1; }")                  \
    PTX(and_b64, long long, "l", 5, 3, 7, "and.b64 %0, %0, %1;")                                   \
    PTX(shl_b64, long long, "l", 5, 3, 7, "{ .reg .u32 s; cvt.u32.u64 s, %1; shl.b64 %0, %0, s; }")\
    PTX(shr_s64, long long, "l", 5, 3, 7, "{ .reg .u32 s; cvt.u32.u64 s, %1; shr.s64 %0, %0, s; }")\
    PTX(shl_b64_3, long long, "l", 5, 3, 7, "shl.b64 %0, %0, 3;")                                  \
    PTX(min_s64, long long, "l", 5, 3, 7, "min.s64 %0, %0, %1;")                                   \
    PTX(abs_s64, long long, "l", 5, 3, 7, "abs.s64 %0, %0;")                                       \
    PTX(neg_s64, long long, "l", 5, 3, 7, "neg.s64 %0, %0;")                                       \
    PTX(selp_setp_s64, long long, "l", 5, 3, 7,                                                    \
        "{ .reg .pred p; setp.lt.s64 p, %0, %1; selp.b64 %0, %0, %2, p; }")                        \
    PTX(cvt_s64_s32, long long, "l", 5, 3, 7, "{ .reg .s32 a; cvt.u32.u64 a, %0; cvt.s64.s32 %0, a; }")\
    PTX(popc_b64, long long, "l", 5, 3, 7, "{ .reg .u32 a; popc.b64 a, %0; cvt.u64.u32 %0, a; }")  \
    PTX(clz_b64, long long, "l", 5, 3, 7, "{ .reg .u32 a; clz.b64 a, %0; cvt.u64.u32 %0, a; }")    \
    FN(div_s64_small, long long, 5, 3, 0x7fffffff, 1, x = c / (x | 1))                             \
    FN(div_s64_large, long long, 5, 1ll << 40, 0x7fffffffffffffff, 1, x = c / (x | b))             \
    FN(rem_s64_small, long long, 5, 3, 0x7fffffff, 2, x = (c % (x | 1)) ^ b)                       \
    FN(rem_s64_large, long long, 5, 1ll << 40, 0x7fffffffffffffff, 2, x = (c % (x | b)) ^ b)       \
    FN(div_u64_small, unsigned long long, 5, 3, 0xfffffffe, 1, x = c / (x | 1))                    \
    FN(div_u64_large, unsigned long long, 5, 1ull << 40, 0x7fffffffffffffff, 1, x = c / (x | b))   \
    FN(rem_u64_large, unsigned long long, 5, 1ull << 40, 0x7fffffffffffffff, 2, x = (c % (x | b)) ^ b)
#elif PART == 2
#define LIST(PTX, FN)                                                                              \
    PTX(add_f32, float, "f", 1.5f, 0.5f, 2.f, "add.f32 %0, %0, %1;")                               \
    PTX(mul_f32, float, "f", 1.5f, 1.f, 2.f, "mul.f32 %0, %0, %1;")                                \
    PTX(fma_f32, float, "f", 1.5f, 0.5f, 2.f, "fma.rn.f32 %0, %0, %1, %2;")                        \
    PTX(min_f32, float, "f", 1.5f, 0.5f, 2.f, "min.f32 %0, %0, %1;")                               \
    PTX(div_full_f32, float, "f", 1.5f, 0.5f, 2.f, "div.full.f32 %0, %1, %0;")                     \
    PTX(div_approx_f32, float, "f", 1.5f, 0.5f, 2.f, "div.approx.f32 %0, %1, %0;")                 \
    PTX(sqrt_approx_f32, float, "f", 1.5f, 0.5f, 2.f, "sqrt.approx.f32 %0, %0;")                   \
    PTX(rcp_approx_f32, float, "f", 1.5f, 0.5f, 2.f, "rcp.approx.f32 %0, %0;")                     \
    PTX(rcp_approx_ftz_f32, float, "f", 1.5f, 0.5f, 2.f, "rcp.approx.ftz.f32 %0, %0;")             \
    PTX(rsqrt_approx_f32, float, "f", 1.5f, 0.5f, 2.f, "rsqrt.approx.f32 %0, %0;")                 \
    PTX(ex2_approx_f32, float, "f", 1.5f, 0.5f, 2.f, "ex2.approx.f32 %0, %0;")                     \
    PTX(lg2_approx_f32, float, "f", 1.5f, 0.5f, 2.f, "lg2.approx.f32 %0, %0;")                     \
    PTX(sin_approx_f32, float, "f", 1.5f, 0.5f, 2.f, "sin.approx.f32 %0, %0;")                     \
    PTX(cos_approx_f32, float, "f", 1.5f, 0.5f, 2.f, "cos.approx.f32 %0, %0;")                     \
    PTX(tanh_approx_f32, float, "f", 1.5f, 0.5f, 2.f, "tanh.approx.f32 %0, %0;")                   \
    PTX(cvt_f32_s32_f32, float, "f", 1.5f, 0.5f, 2.f, "{ .reg .s32 a; cvt.rzi.s32.f32 a, %0; cvt.rn.f32.s32 %0, a; }")\
    PTX(cvt_f32_s64_f32, float, "f", 1.5f, 0.5f, 2.f, "{ .reg .s64 a; cvt.rzi.s64.f32 a, %0; cvt.rn.f32.s64 %0, a; }")\
    PTX(cvt_f32_f64_f32, float, "f", 1.5f, 0.5f, 2.f, "{ .reg .f64 a; cvt.f64.f32 a, %0; cvt.rn.f32.f64 %0, a; }")\
    PTX(cvt_f32_f16_f32, float, "f", 1.5f, 0.5f, 2.f, "{ .reg .b16 a; cvt.rn.f16.f32 a, %0; cvt.f32.f16 %0, a; }")\
    PTX(cvt_rmi_f32, float, "f", 1.5f, 0.5f, 2.f, "cvt.rmi.f32.f32 %0, %0;")                       \
    PTX(selp_setp_f32, float, "f", 1.5f, 0.5f, 2.f,                                                \
        "{ .reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %0, %2, p; }")                        \
    PTX(testp_copysign_f32, float, "f", 1.5f, 0.5f, 2.f, "copysign.f32 %0, %1, %0;")               \
    FN(div_rn_f32, float, 1.5f, 0.7f, 2.f, 0, x = b / x)                                           \
    FN(sqrt_rn_f32, float, 1.5f, 0.7f, 2.f, 1, x = sqrtf(x) + b)                                   \
    FN(rcp_rn_f32, float, 1.5f, 0.7f, 2.f, 1, x = __frcp_rn(x) + b)                                \
    FN(rsqrtf, float, 1.5f, 0.7f, 2.f, 1, x = rsqrtf(x) + b)                                       \
    PTX(fma_f16x2, unsigned, "r", 0x3c003c00, 0x38003800, 0x3c003c00, "fma.rn.f16x2 %0, %0, %1, %2;")
#elif PART == 3
#define LIST(PTX, FN)                                                                              \
    FN(sinf, float, 1.5f, 0.7f, 2.f, 1, x = sinf(x) + b)                                           \
    FN(sinf_large, float, 1.5f, 1e6f, 2.f, 1, x = sinf(x) + b)                                     \
    FN(cosf, float, 1.5f, 0.7f, 2.f, 1, x = cosf(x) + b)                                           \
    FN(tanf, float, .5f, 0.1f, 2.f, 2, x = tanf(x) * b + b)                                        \
    FN(sincosf, float, 1.5f, 0.7f, 2.f, 1, float s; float k; sincosf(x, &s, &k); x = s * k + b)    \
    FN(expf, float, .1f, -0.7f, 2.f, 1, x = expf(x) + b)                                           \
    FN(exp2f, float, .1f, -0.7f, 2.f, 1, x = exp2f(x) + b)                                         \
    FN(exp10f, float, .1f, -0.9f, 2.f, 1, x = exp10f(x) + b)                                       \
    FN(expm1f, float, .1f, 0.1f, .2f, 1, x = expm1f(x) * c + b)                                    \
    FN(logf, float, 1.5f, 1.7f, 2.f, 1, x = logf(x) + b)                                           \
    FN(log2f, float, 1.5f, 1.7f, 2.f, 1, x = log2f(x) + b)                                         \
    FN(log10f, float, 1.5f, 1.7f, 2.f, 1, x = log10f(x) + b)                                       \
    FN(log1pf, float, 1.5f, 1.7f, 2.f, 1, x = log1pf(x) + b)                                       \
    FN(powf, float, 1.5f, 0.7f, .7f, 1, x = powf(x, c) + b)                                        \
    FN(asinf, float, .3f, .1f, .5f, 1, x = asinf(x) * c + b)                                       \
    FN(acosf, float, .3f, .1f, .3f, 1, x = acosf(x) * c + b)                                       \
    FN(atanf, float, 1.5f, .7f, .5f, 1, x = atanf(x) + b)                                          \
    FN(atan2f, float, 1.5f, .7f, 1.5f, 1, x = atan2f(x, c) + b)                                    \
    FN(sinhf, float, .3f, .1f, .5f, 1, x = sinhf(x) * c + b)                                       \
    FN(coshf, float, .3f, .1f, .5f, 1, x = coshf(x) * c + b)                                       \
    FN(tanhf, float, 1.5f, .7f, .5f, 1, x = tanhf(x) + b)                                          \
    FN(erff, float, 1.5f, .7f, .5f, 1, x = erff(x) + b)                                            \
    FN(erfcf, float, 1.5f, .7f, .5f, 1, x = erfcf(x) + b)                                          \
    FN(cbrtf, float, 1.5f, .7f, .5f, 1, x = cbrtf(x) + b)                                          \
    FN(hypotf, float, 1.5f, .7f, .5f, 1, x = hypotf(x, c) * c + b)                                 \
    FN(fmodf, float, 1.5f, 17.7f, 1.3f, 1, x = fmodf(x, c) + b)                                    \
    FN(roundf, float, 1.5f, .7f, 1.3f, 1, x = roundf(x) + b)                                       \
    FN(floorf, float, 1.5f, .7f, 1.3f, 1, x = floorf(x) + b)                                       \
    FN(ldexpf, float, 1.5f, .7f, 1.3f, 1, x = ldexpf(x, -1) + b)                                   \
    FN(tgammaf, float, 1.5f, 1.1f, .3f, 1, x = tgammaf(x) * c + b)                                 \
    FN(lgammaf, float, 1.5f, 2.7f, .3f, 1, x = lgammaf(x) * c + b)                                 \
    FN(__sinf, float, 1.5f, .7f, .3f, 1, x = __sinf(x) + b)                                        \
    FN(__expf, float, .1f, -0.7f, 2.f, 1, x = __expf(x) + b)                                       \
    FN(__logf, float, 1.5f, 1.7f, 2.f, 1, x = __logf(x) + b)                                       \
    FN(__powf, float, 1.5f, .7f, .7f, 1, x = __powf(x, c) + b)
#else
#define LIST(PTX, FN)                                                                              \
    PTX(add_f64, double, "d", 1.5, .5, 2., "add.f64 %0, %0, %1;")                                  \
    PTX(mul_f64, double, "d", 1.5, 1., 2., "mul.f64 %0, %0, %1;")                                  \
    PTX(fma_f64, double, "d", 1.5, .5, 2., "fma.rn.f64 %0, %0, %1, %2;")                           \
    PTX(min_f64, double, "d", 1.5, .5, 2., "min.f64 %0, %0, %1;")                                  \
    PTX(selp_setp_f64, double, "d", 1.5, .5, 2.,                                                   \
        "{ .reg .pred p; setp.lt.f64 p, %0, %1; selp.f64 %0, %0, %2, p; }")                        \
    PTX(cvt_f64_s32_f64, double, "d", 1.5, .5, 2., "{ .reg .s32 a; cvt.rzi.s32.f64 a, %0; cvt.rn.f64.s32 %0, a; }")\
    PTX(cvt_rmi_f64, double, "d", 1.5, .5, 2., "cvt.rmi.f64.f64 %0, %0;")                          \
    FN(div_rn_f64, double, 1.5, .7, 2., 0, x = b / x)                                              \
    FN(sqrt_rn_f64, double, 1.5, .7, 2., 1, x = sqrt(x) + b)                                       \
    FN(rcp_rn_f64, double, 1.5, .7, 2., 1, x = 1. / x + b)                                         \
    FN(rsqrt_f64, double, 1.5, .7, 2., 1, x = rsqrt(x) + b)                                        \
    FN(sin_f64, double, 1.5, .7, 2., 1, x = sin(x) + b)                                            \
    FN(cos_f64, double, 1.5, .7, 2., 1, x = cos(x) + b)                                            \
    FN(tan_f64, double, .5, .1, .5, 1, x = tan(x) * c + b)                                         \
    FN(exp_f64, double, .1, -.7, 2., 1, x = exp(x) + b)                                            \
    FN(exp2_f64, double, .1, -.7, 2., 1, x = exp2(x) + b)                                          \
    FN(log_f64, double, 1.5, 1.7, 2., 1, x = log(x) + b)                                           \
    FN(log2_f64, double, 1.5, 1.7, 2., 1, x = log2(x) + b)                                         \
    FN(log10_f64, double, 1.5, 1.7, 2., 1, x = log10(x) + b)                                       \
    FN(pow_f64, double, 1.5, .7, .7, 1, x = pow(x, c) + b)                                         \
    FN(asin_f64, double, .3, .1, .5, 1, x = asin(x) * c + b)                                       \
    FN(acos_f64, double, .3, .1, .3, 1, x = acos(x) * c + b)                                       \
    FN(atan_f64, double, 1.5, .7, .5, 1, x = atan(x) + b)                                          \
    FN(atan2_f64, double, 1.5, .7, 1.5, 1, x = atan2(x, c) + b)                                    \
    FN(sinh_f64, double, .3, .1, .5, 1, x = sinh(x) * c + b)                                       \
    FN(cosh_f64, double, .3, .1, .5, 1, x = cosh(x) * c + b)                                       \
    FN(tanh_f64, double, 1.5, .7, .5, 1, x = tanh(x) + b)                                          \
    FN(erf_f64, double, 1.5, .7, .5, 1, x = erf(x) + b)                                            \
    FN(erfc_f64, double, 1.5, .7, .5, 1, x = erfc(x) + b)                                          \
    FN(cbrt_f64, double, 1.5, .7, .5, 1, x = cbrt(x) + b)                                          \
    FN(hypot_f64, double, 1.5, .7, .5, 1, x = hypot(x, c) * c + b)                                 \
    FN(fmod_f64, double, 1.5, 17.7, 1.3, 1, x = fmod(x, c) + b)                                    \
    FN(floor_f64, double, 1.5, .7, 1.3, 1, x = floor(x) + b)                                       \
    FN(round_f64, double, 1.5, .7, 1.3, 1, x = round(x) + b)
#endif

LIST(PTX, FN)

#define RUN_PTX(id, ...) measure<op_##id>();
#define RUN_FN(id, ...) measure<op_##id>();

int
main(int argc, char **argv)
{
    counting = argc > 1 && !strcmp(argv[1], "count");
    if (counting)
        printf("operation,between,extra\n");
    else
        printf("operation,extra,latency,issue\n");
    LIST(RUN_PTX, RUN_FN)
    return 0;
}
