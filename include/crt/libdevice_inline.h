/* SPDX-License-Identifier: Apache-2.0
 *
 * libdevice_inline.h: bodies for those __nv_* functions of clang's <__clang_cuda_libdevice_declares.h>
 * that are one PTX instruction, or a few. What is not here stays an external function in the PTX and is
 * supplied by the engine (sinf, exp, pow, ...). Bodies are ordered as the names are.
 *
 * The SIMD-in-a-word functions (__nv_vadd4, ...) have no instruction since compute capability 5.0; here
 * they are plain C over the 2 or 4 parts of a word.
 */
#ifndef LOCKSTEP_LIBDEVICE_INLINE_H
#define LOCKSTEP_LIBDEVICE_INLINE_H

#define LOCKSTEP_NV extern "C" __device__ __inline__ __attribute__((always_inline))


/* -- integers ------------------------------------------------------------------------------- */

LOCKSTEP_NV int __nv_abs(int __a)
{
    return __a < 0 ? -__a : __a;
}
LOCKSTEP_NV long long __nv_llabs(long long __a)
{
    return __a < 0 ? -__a : __a;
}
LOCKSTEP_NV int __nv_max(int __a, int __b)
{
    return (int)__a > (int)__b ? __a : __b;
}
LOCKSTEP_NV int __nv_min(int __a, int __b)
{
    return (int)__a < (int)__b ? __a : __b;
}
LOCKSTEP_NV unsigned int __nv_umax(unsigned int __a, unsigned int __b)
{
    return (unsigned int)__a > (unsigned int)__b ? __a : __b;
}
LOCKSTEP_NV unsigned int __nv_umin(unsigned int __a, unsigned int __b)
{
    return (unsigned int)__a < (unsigned int)__b ? __a : __b;
}
LOCKSTEP_NV long long __nv_llmax(long long __a, long long __b)
{
    return (long long)__a > (long long)__b ? __a : __b;
}
LOCKSTEP_NV long long __nv_llmin(long long __a, long long __b)
{
    return (long long)__a < (long long)__b ? __a : __b;
}
LOCKSTEP_NV unsigned long long __nv_ullmax(unsigned long long __a, unsigned long long __b)
{
    return (unsigned long long)__a > (unsigned long long)__b ? __a : __b;
}
LOCKSTEP_NV unsigned long long __nv_ullmin(unsigned long long __a, unsigned long long __b)
{
    return (unsigned long long)__a < (unsigned long long)__b ? __a : __b;
}
LOCKSTEP_NV int __nv_brev(int __a)
{
    return (int)__builtin_bitreverse32((unsigned int)__a);
}
LOCKSTEP_NV long long __nv_brevll(long long __a)
{
    return (long long)__builtin_bitreverse64((unsigned long long)__a);
}
LOCKSTEP_NV int __nv_byte_perm(int __a, int __b, int __c)
{
    return (int)__nvvm_prmt((unsigned int)__a, (unsigned int)__b, (unsigned int)__c);
}
LOCKSTEP_NV int __nv_clz(int __a)
{
    return __a == 0 ? 32 : __builtin_clz((unsigned int)__a);
}
LOCKSTEP_NV int __nv_clzll(long long __a)
{
    return __a == 0 ? 64 : __builtin_clzll((unsigned long long)__a);
}
LOCKSTEP_NV int __nv_ffs(int __a)
{
    return __builtin_ffs(__a);
}
LOCKSTEP_NV int __nv_ffsll(long long __a)
{
    return __builtin_ffsll(__a);
}
LOCKSTEP_NV int __nv_popc(unsigned int __a)
{
    return __builtin_popcount((unsigned int)__a);
}
LOCKSTEP_NV int __nv_popcll(unsigned long long __a)
{
    return __builtin_popcountll((unsigned long long)__a);
}
LOCKSTEP_NV int __nv_mul24(int __a, int __b)
{
    return __nvvm_mul24_i(__a, __b);
}
LOCKSTEP_NV unsigned int __nv_umul24(unsigned int __a, unsigned int __b)
{
    return __nvvm_mul24_ui(__a, __b);
}
LOCKSTEP_NV int __nv_mulhi(int __a, int __b)
{
    return __nvvm_mulhi_i(__a, __b);
}
LOCKSTEP_NV unsigned int __nv_umulhi(unsigned int __a, unsigned int __b)
{
    return __nvvm_mulhi_ui(__a, __b);
}
LOCKSTEP_NV long long __nv_mul64hi(long long __a, long long __b)
{
    return __nvvm_mulhi_ll(__a, __b);
}
LOCKSTEP_NV unsigned long long __nv_umul64hi(unsigned long long __a, unsigned long long __b)
{
    return __nvvm_mulhi_ull(__a, __b);
}
LOCKSTEP_NV int __nv_sad(int __a, int __b, int __c)
{
    return (unsigned int)(__a > __b ? (unsigned int)__a - (unsigned int)__b
                                  : (unsigned int)__b - (unsigned int)__a) + (unsigned int)__c;
}
LOCKSTEP_NV unsigned int __nv_usad(unsigned int __a, unsigned int __b, unsigned int __c)
{
    return (__a > __b ? __a - __b : __b - __a) + __c;
}
LOCKSTEP_NV int __nv_hadd(int __a, int __b)
{
    return (__a & __b) + ((__a ^ __b) >> 1);
}
LOCKSTEP_NV int __nv_rhadd(int __a, int __b)
{
    return (__a | __b) - ((__a ^ __b) >> 1);
}
LOCKSTEP_NV int __nv_uhadd(unsigned int __a, unsigned int __b)
{
    return (__a & __b) + ((__a ^ __b) >> 1);
}
LOCKSTEP_NV unsigned int __nv_urhadd(unsigned int __a, unsigned int __b)
{
    return (__a | __b) - ((__a ^ __b) >> 1);
}

/* -- floating point: exact operations ------------------------------------------------------- */

LOCKSTEP_NV float __nv_fabsf(float __a)
{
    return __builtin_fabsf(__a);
}
LOCKSTEP_NV float __nv_ceilf(float __a)
{
    return __builtin_ceilf(__a);
}
LOCKSTEP_NV float __nv_floorf(float __a)
{
    return __builtin_floorf(__a);
}
LOCKSTEP_NV float __nv_truncf(float __a)
{
    return __builtin_truncf(__a);
}
LOCKSTEP_NV float __nv_roundf(float __a)
{
    return __builtin_roundf(__a);
}
LOCKSTEP_NV float __nv_rintf(float __a)
{
    return __builtin_rintf(__a);
}
LOCKSTEP_NV float __nv_nearbyintf(float __a)
{
    return __builtin_nearbyintf(__a);
}
LOCKSTEP_NV float __nv_sqrtf(float __a)
{
    return __builtin_sqrtf(__a);
}
LOCKSTEP_NV float __nv_fmaf(float __a, float __b, float __c)
{
    return __builtin_fmaf(__a, __b, __c);
}
LOCKSTEP_NV float __nv_fmaxf(float __a, float __b)
{
    return __builtin_fmaxf(__a, __b);
}
LOCKSTEP_NV float __nv_fminf(float __a, float __b)
{
    return __builtin_fminf(__a, __b);
}
LOCKSTEP_NV float __nv_copysignf(float __a, float __b)
{
    return __builtin_copysignf(__a, __b);
}
LOCKSTEP_NV float __nv_fdimf(float __a, float __b)
{
    return __a > __b ? __a - __b : (__builtin_isunordered(__a, __b) ? __a + __b : 0);
}
LOCKSTEP_NV double __nv_fabs(double __a)
{
    return __builtin_fabs(__a);
}
LOCKSTEP_NV double __nv_ceil(double __a)
{
    return __builtin_ceil(__a);
}
LOCKSTEP_NV double __nv_floor(double __a)
{
    return __builtin_floor(__a);
}
LOCKSTEP_NV double __nv_trunc(double __a)
{
    return __builtin_trunc(__a);
}
LOCKSTEP_NV double __nv_round(double __a)
{
    return __builtin_round(__a);
}
LOCKSTEP_NV double __nv_rint(double __a)
{
    return __builtin_rint(__a);
}
LOCKSTEP_NV double __nv_nearbyint(double __a)
{
    return __builtin_nearbyint(__a);
}
LOCKSTEP_NV double __nv_sqrt(double __a)
{
    return __builtin_sqrt(__a);
}
LOCKSTEP_NV double __nv_fma(double __a, double __b, double __c)
{
    return __builtin_fma(__a, __b, __c);
}
LOCKSTEP_NV double __nv_fmax(double __a, double __b)
{
    return __builtin_fmax(__a, __b);
}
LOCKSTEP_NV double __nv_fmin(double __a, double __b)
{
    return __builtin_fmin(__a, __b);
}
LOCKSTEP_NV double __nv_copysign(double __a, double __b)
{
    return __builtin_copysign(__a, __b);
}
LOCKSTEP_NV double __nv_fdim(double __a, double __b)
{
    return __a > __b ? __a - __b : (__builtin_isunordered(__a, __b) ? __a + __b : 0);
}
LOCKSTEP_NV int __nv_isnand(double __a)
{
    return __builtin_isnan(__a);
}
LOCKSTEP_NV int __nv_isnanf(float __a)
{
    return __builtin_isnan(__a);
}
LOCKSTEP_NV int __nv_isinfd(double __a)
{
    return __builtin_isinf(__a);
}
LOCKSTEP_NV int __nv_isinff(float __a)
{
    return __builtin_isinf(__a);
}
LOCKSTEP_NV int __nv_isfinited(double __a)
{
    return __builtin_isfinite(__a);
}
LOCKSTEP_NV int __nv_finitef(float __a)
{
    return __builtin_isfinite(__a);
}
LOCKSTEP_NV int __nv_signbitd(double __a)
{
    return __builtin_signbit(__a);
}
LOCKSTEP_NV int __nv_signbitf(float __a)
{
    return __builtin_signbit(__a);
}
LOCKSTEP_NV float __nv_saturatef(float __a)
{
    return __nvvm_saturate_f(__a);
}

/* -- floating point: given rounding --------------------------------------------------------- */

LOCKSTEP_NV float __nv_fadd_rn(float __a, float __b)
{
    return __nvvm_add_rn_f(__a, __b);
}
LOCKSTEP_NV float __nv_fsub_rn(float __a, float __b)
{
    return __nvvm_add_rn_f(__a, -__b);
}
LOCKSTEP_NV float __nv_fmul_rn(float __a, float __b)
{
    return __nvvm_mul_rn_f(__a, __b);
}
LOCKSTEP_NV float __nv_fdiv_rn(float __a, float __b)
{
    return __nvvm_div_rn_f(__a, __b);
}
LOCKSTEP_NV float __nv_frcp_rn(float __a)
{
    return __nvvm_rcp_rn_f(__a);
}
LOCKSTEP_NV float __nv_fsqrt_rn(float __a)
{
    return __nvvm_sqrt_rn_f(__a);
}
LOCKSTEP_NV double __nv_dadd_rn(double __a, double __b)
{
    return __nvvm_add_rn_d(__a, __b);
}
LOCKSTEP_NV double __nv_dsub_rn(double __a, double __b)
{
    return __nvvm_add_rn_d(__a, -__b);
}
LOCKSTEP_NV double __nv_dmul_rn(double __a, double __b)
{
    return __nvvm_mul_rn_d(__a, __b);
}
LOCKSTEP_NV double __nv_ddiv_rn(double __a, double __b)
{
    return __nvvm_div_rn_d(__a, __b);
}
LOCKSTEP_NV double __nv_drcp_rn(double __a)
{
    return __nvvm_rcp_rn_d(__a);
}
LOCKSTEP_NV double __nv_dsqrt_rn(double __a)
{
    return __nvvm_sqrt_rn_d(__a);
}
LOCKSTEP_NV float __nv_fmaf_rn(float __a, float __b, float __c)
{
    return __nvvm_fma_rn_f(__a, __b, __c);
}
LOCKSTEP_NV float __nv_fmaf_ieee_rn(float __a, float __b, float __c)
{
    return __nvvm_fma_rn_f(__a, __b, __c);
}
LOCKSTEP_NV double __nv_fma_rn(double __a, double __b, double __c)
{
    return __nvvm_fma_rn_d(__a, __b, __c);
}
LOCKSTEP_NV float __nv_fadd_rz(float __a, float __b)
{
    return __nvvm_add_rz_f(__a, __b);
}
LOCKSTEP_NV float __nv_fsub_rz(float __a, float __b)
{
    return __nvvm_add_rz_f(__a, -__b);
}
LOCKSTEP_NV float __nv_fmul_rz(float __a, float __b)
{
    return __nvvm_mul_rz_f(__a, __b);
}
LOCKSTEP_NV float __nv_fdiv_rz(float __a, float __b)
{
    return __nvvm_div_rz_f(__a, __b);
}
LOCKSTEP_NV float __nv_frcp_rz(float __a)
{
    return __nvvm_rcp_rz_f(__a);
}
LOCKSTEP_NV float __nv_fsqrt_rz(float __a)
{
    return __nvvm_sqrt_rz_f(__a);
}
LOCKSTEP_NV double __nv_dadd_rz(double __a, double __b)
{
    return __nvvm_add_rz_d(__a, __b);
}
LOCKSTEP_NV double __nv_dsub_rz(double __a, double __b)
{
    return __nvvm_add_rz_d(__a, -__b);
}
LOCKSTEP_NV double __nv_dmul_rz(double __a, double __b)
{
    return __nvvm_mul_rz_d(__a, __b);
}
LOCKSTEP_NV double __nv_ddiv_rz(double __a, double __b)
{
    return __nvvm_div_rz_d(__a, __b);
}
LOCKSTEP_NV double __nv_drcp_rz(double __a)
{
    return __nvvm_rcp_rz_d(__a);
}
LOCKSTEP_NV double __nv_dsqrt_rz(double __a)
{
    return __nvvm_sqrt_rz_d(__a);
}
LOCKSTEP_NV float __nv_fmaf_rz(float __a, float __b, float __c)
{
    return __nvvm_fma_rz_f(__a, __b, __c);
}
LOCKSTEP_NV float __nv_fmaf_ieee_rz(float __a, float __b, float __c)
{
    return __nvvm_fma_rz_f(__a, __b, __c);
}
LOCKSTEP_NV double __nv_fma_rz(double __a, double __b, double __c)
{
    return __nvvm_fma_rz_d(__a, __b, __c);
}
LOCKSTEP_NV float __nv_fadd_ru(float __a, float __b)
{
    return __nvvm_add_rp_f(__a, __b);
}
LOCKSTEP_NV float __nv_fsub_ru(float __a, float __b)
{
    return __nvvm_add_rp_f(__a, -__b);
}
LOCKSTEP_NV float __nv_fmul_ru(float __a, float __b)
{
    return __nvvm_mul_rp_f(__a, __b);
}
LOCKSTEP_NV float __nv_fdiv_ru(float __a, float __b)
{
    return __nvvm_div_rp_f(__a, __b);
}
LOCKSTEP_NV float __nv_frcp_ru(float __a)
{
    return __nvvm_rcp_rp_f(__a);
}
LOCKSTEP_NV float __nv_fsqrt_ru(float __a)
{
    return __nvvm_sqrt_rp_f(__a);
}
LOCKSTEP_NV double __nv_dadd_ru(double __a, double __b)
{
    return __nvvm_add_rp_d(__a, __b);
}
LOCKSTEP_NV double __nv_dsub_ru(double __a, double __b)
{
    return __nvvm_add_rp_d(__a, -__b);
}
LOCKSTEP_NV double __nv_dmul_ru(double __a, double __b)
{
    return __nvvm_mul_rp_d(__a, __b);
}
LOCKSTEP_NV double __nv_ddiv_ru(double __a, double __b)
{
    return __nvvm_div_rp_d(__a, __b);
}
LOCKSTEP_NV double __nv_drcp_ru(double __a)
{
    return __nvvm_rcp_rp_d(__a);
}
LOCKSTEP_NV double __nv_dsqrt_ru(double __a)
{
    return __nvvm_sqrt_rp_d(__a);
}
LOCKSTEP_NV float __nv_fmaf_ru(float __a, float __b, float __c)
{
    return __nvvm_fma_rp_f(__a, __b, __c);
}
LOCKSTEP_NV float __nv_fmaf_ieee_ru(float __a, float __b, float __c)
{
    return __nvvm_fma_rp_f(__a, __b, __c);
}
LOCKSTEP_NV double __nv_fma_ru(double __a, double __b, double __c)
{
    return __nvvm_fma_rp_d(__a, __b, __c);
}
LOCKSTEP_NV float __nv_fadd_rd(float __a, float __b)
{
    return __nvvm_add_rm_f(__a, __b);
}
LOCKSTEP_NV float __nv_fsub_rd(float __a, float __b)
{
    return __nvvm_add_rm_f(__a, -__b);
}
LOCKSTEP_NV float __nv_fmul_rd(float __a, float __b)
{
    return __nvvm_mul_rm_f(__a, __b);
}
LOCKSTEP_NV float __nv_fdiv_rd(float __a, float __b)
{
    return __nvvm_div_rm_f(__a, __b);
}
LOCKSTEP_NV float __nv_frcp_rd(float __a)
{
    return __nvvm_rcp_rm_f(__a);
}
LOCKSTEP_NV float __nv_fsqrt_rd(float __a)
{
    return __nvvm_sqrt_rm_f(__a);
}
LOCKSTEP_NV double __nv_dadd_rd(double __a, double __b)
{
    return __nvvm_add_rm_d(__a, __b);
}
LOCKSTEP_NV double __nv_dsub_rd(double __a, double __b)
{
    return __nvvm_add_rm_d(__a, -__b);
}
LOCKSTEP_NV double __nv_dmul_rd(double __a, double __b)
{
    return __nvvm_mul_rm_d(__a, __b);
}
LOCKSTEP_NV double __nv_ddiv_rd(double __a, double __b)
{
    return __nvvm_div_rm_d(__a, __b);
}
LOCKSTEP_NV double __nv_drcp_rd(double __a)
{
    return __nvvm_rcp_rm_d(__a);
}
LOCKSTEP_NV double __nv_dsqrt_rd(double __a)
{
    return __nvvm_sqrt_rm_d(__a);
}
LOCKSTEP_NV float __nv_fmaf_rd(float __a, float __b, float __c)
{
    return __nvvm_fma_rm_f(__a, __b, __c);
}
LOCKSTEP_NV float __nv_fmaf_ieee_rd(float __a, float __b, float __c)
{
    return __nvvm_fma_rm_f(__a, __b, __c);
}
LOCKSTEP_NV double __nv_fma_rd(double __a, double __b, double __c)
{
    return __nvvm_fma_rm_d(__a, __b, __c);
}

/* -- conversions ---------------------------------------------------------------------------- */

LOCKSTEP_NV float __nv_double2float_rn(double __a)
{
    return __nvvm_d2f_rn(__a);
}
LOCKSTEP_NV int __nv_double2int_rn(double __a)
{
    return __nvvm_d2i_rn(__a);
}
LOCKSTEP_NV int __nv_float2int_rn(float __a)
{
    return __nvvm_f2i_rn(__a);
}
LOCKSTEP_NV float __nv_int2float_rn(int __a)
{
    return __nvvm_i2f_rn(__a);
}
LOCKSTEP_NV unsigned int __nv_double2uint_rn(double __a)
{
    return __nvvm_d2ui_rn(__a);
}
LOCKSTEP_NV unsigned int __nv_float2uint_rn(float __a)
{
    return __nvvm_f2ui_rn(__a);
}
LOCKSTEP_NV float __nv_uint2float_rn(unsigned int __a)
{
    return __nvvm_ui2f_rn(__a);
}
LOCKSTEP_NV long long __nv_double2ll_rn(double __a)
{
    return __nvvm_d2ll_rn(__a);
}
LOCKSTEP_NV long long __nv_float2ll_rn(float __a)
{
    return __nvvm_f2ll_rn(__a);
}
LOCKSTEP_NV float __nv_ll2float_rn(long long __a)
{
    return __nvvm_ll2f_rn(__a);
}
LOCKSTEP_NV unsigned long long __nv_double2ull_rn(double __a)
{
    return __nvvm_d2ull_rn(__a);
}
LOCKSTEP_NV unsigned long long __nv_float2ull_rn(float __a)
{
    return __nvvm_f2ull_rn(__a);
}
LOCKSTEP_NV float __nv_ull2float_rn(unsigned long long __a)
{
    return __nvvm_ull2f_rn(__a);
}
LOCKSTEP_NV double __nv_ll2double_rn(long long __a)
{
    return __nvvm_ll2d_rn(__a);
}
LOCKSTEP_NV double __nv_ull2double_rn(unsigned long long __a)
{
    return __nvvm_ull2d_rn(__a);
}
LOCKSTEP_NV float __nv_double2float_rz(double __a)
{
    return __nvvm_d2f_rz(__a);
}
/* Floating point to integer, towards zero: instructions, not builtins. LLVM folds the builtins to C's
 * conversion, which is undefined where PTX clamps. */
LOCKSTEP_NV int __nv_double2int_rz(double __a)
{
    int __r;
    asm("cvt.rzi.s32.f64 %0, %1;" : "=r"(__r) : "d"(__a));
    return __r;
}
LOCKSTEP_NV int __nv_float2int_rz(float __a)
{
    int __r;
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(__r) : "f"(__a));
    return __r;
}
LOCKSTEP_NV float __nv_int2float_rz(int __a)
{
    return __nvvm_i2f_rz(__a);
}
LOCKSTEP_NV unsigned int __nv_double2uint_rz(double __a)
{
    unsigned int __r;
    asm("cvt.rzi.u32.f64 %0, %1;" : "=r"(__r) : "d"(__a));
    return __r;
}
LOCKSTEP_NV unsigned int __nv_float2uint_rz(float __a)
{
    unsigned int __r;
    asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(__r) : "f"(__a));
    return __r;
}
LOCKSTEP_NV float __nv_uint2float_rz(unsigned int __a)
{
    return __nvvm_ui2f_rz(__a);
}
LOCKSTEP_NV long long __nv_double2ll_rz(double __a)
{
    long long __r;
    asm("cvt.rzi.s64.f64 %0, %1;" : "=l"(__r) : "d"(__a));
    return __r;
}
LOCKSTEP_NV long long __nv_float2ll_rz(float __a)
{
    long long __r;
    asm("cvt.rzi.s64.f32 %0, %1;" : "=l"(__r) : "f"(__a));
    return __r;
}
LOCKSTEP_NV float __nv_ll2float_rz(long long __a)
{
    return __nvvm_ll2f_rz(__a);
}
LOCKSTEP_NV unsigned long long __nv_double2ull_rz(double __a)
{
    unsigned long long __r;
    asm("cvt.rzi.u64.f64 %0, %1;" : "=l"(__r) : "d"(__a));
    return __r;
}
LOCKSTEP_NV unsigned long long __nv_float2ull_rz(float __a)
{
    unsigned long long __r;
    asm("cvt.rzi.u64.f32 %0, %1;" : "=l"(__r) : "f"(__a));
    return __r;
}
LOCKSTEP_NV float __nv_ull2float_rz(unsigned long long __a)
{
    return __nvvm_ull2f_rz(__a);
}
LOCKSTEP_NV double __nv_ll2double_rz(long long __a)
{
    return __nvvm_ll2d_rz(__a);
}
LOCKSTEP_NV double __nv_ull2double_rz(unsigned long long __a)
{
    return __nvvm_ull2d_rz(__a);
}
LOCKSTEP_NV float __nv_double2float_ru(double __a)
{
    return __nvvm_d2f_rp(__a);
}
LOCKSTEP_NV int __nv_double2int_ru(double __a)
{
    return __nvvm_d2i_rp(__a);
}
LOCKSTEP_NV int __nv_float2int_ru(float __a)
{
    return __nvvm_f2i_rp(__a);
}
LOCKSTEP_NV float __nv_int2float_ru(int __a)
{
    return __nvvm_i2f_rp(__a);
}
LOCKSTEP_NV unsigned int __nv_double2uint_ru(double __a)
{
    return __nvvm_d2ui_rp(__a);
}
LOCKSTEP_NV unsigned int __nv_float2uint_ru(float __a)
{
    return __nvvm_f2ui_rp(__a);
}
LOCKSTEP_NV float __nv_uint2float_ru(unsigned int __a)
{
    return __nvvm_ui2f_rp(__a);
}
LOCKSTEP_NV long long __nv_double2ll_ru(double __a)
{
    return __nvvm_d2ll_rp(__a);
}
LOCKSTEP_NV long long __nv_float2ll_ru(float __a)
{
    return __nvvm_f2ll_rp(__a);
}
LOCKSTEP_NV float __nv_ll2float_ru(long long __a)
{
    return __nvvm_ll2f_rp(__a);
}
LOCKSTEP_NV unsigned long long __nv_double2ull_ru(double __a)
{
    return __nvvm_d2ull_rp(__a);
}
LOCKSTEP_NV unsigned long long __nv_float2ull_ru(float __a)
{
    return __nvvm_f2ull_rp(__a);
}
LOCKSTEP_NV float __nv_ull2float_ru(unsigned long long __a)
{
    return __nvvm_ull2f_rp(__a);
}
LOCKSTEP_NV double __nv_ll2double_ru(long long __a)
{
    return __nvvm_ll2d_rp(__a);
}
LOCKSTEP_NV double __nv_ull2double_ru(unsigned long long __a)
{
    return __nvvm_ull2d_rp(__a);
}
LOCKSTEP_NV float __nv_double2float_rd(double __a)
{
    return __nvvm_d2f_rm(__a);
}
LOCKSTEP_NV int __nv_double2int_rd(double __a)
{
    return __nvvm_d2i_rm(__a);
}
LOCKSTEP_NV int __nv_float2int_rd(float __a)
{
    return __nvvm_f2i_rm(__a);
}
LOCKSTEP_NV float __nv_int2float_rd(int __a)
{
    return __nvvm_i2f_rm(__a);
}
LOCKSTEP_NV unsigned int __nv_double2uint_rd(double __a)
{
    return __nvvm_d2ui_rm(__a);
}
LOCKSTEP_NV unsigned int __nv_float2uint_rd(float __a)
{
    return __nvvm_f2ui_rm(__a);
}
LOCKSTEP_NV float __nv_uint2float_rd(unsigned int __a)
{
    return __nvvm_ui2f_rm(__a);
}
LOCKSTEP_NV long long __nv_double2ll_rd(double __a)
{
    return __nvvm_d2ll_rm(__a);
}
LOCKSTEP_NV long long __nv_float2ll_rd(float __a)
{
    return __nvvm_f2ll_rm(__a);
}
LOCKSTEP_NV float __nv_ll2float_rd(long long __a)
{
    return __nvvm_ll2f_rm(__a);
}
LOCKSTEP_NV unsigned long long __nv_double2ull_rd(double __a)
{
    return __nvvm_d2ull_rm(__a);
}
LOCKSTEP_NV unsigned long long __nv_float2ull_rd(float __a)
{
    return __nvvm_f2ull_rm(__a);
}
LOCKSTEP_NV float __nv_ull2float_rd(unsigned long long __a)
{
    return __nvvm_ull2f_rm(__a);
}
LOCKSTEP_NV double __nv_ll2double_rd(long long __a)
{
    return __nvvm_ll2d_rm(__a);
}
LOCKSTEP_NV double __nv_ull2double_rd(unsigned long long __a)
{
    return __nvvm_ull2d_rm(__a);
}
LOCKSTEP_NV double __nv_int2double_rn(int __a)
{
    return (double)__a;
}
LOCKSTEP_NV double __nv_uint2double_rn(unsigned int __a)
{
    return (double)(unsigned int)__a;
}
LOCKSTEP_NV long long __nv_llrint(double __a)
{
    return __nvvm_d2ll_rn(__a);
}
LOCKSTEP_NV long long __nv_llrintf(float __a)
{
    return __nvvm_f2ll_rn(__a);
}
LOCKSTEP_NV long long __nv_llround(double __a)
{
    return __nvvm_d2ll_rz(__builtin_round(__a));
}
LOCKSTEP_NV long long __nv_llroundf(float __a)
{
    return __nvvm_f2ll_rz(__builtin_roundf(__a));
}
LOCKSTEP_NV float __nv_half2float(unsigned short __a)
{
    float __r;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(__r) : "h"(__a));
    return __r;
}
LOCKSTEP_NV unsigned short __nv_float2half_rn(float __a)
{
    unsigned short __r;
    __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(__r) : "f"(__a));
    return __r;
}
LOCKSTEP_NV int __nv_float_as_int(float __a)
{
    return __builtin_bit_cast(int, __a);
}
LOCKSTEP_NV unsigned int __nv_float_as_uint(float __a)
{
    return __builtin_bit_cast(unsigned int, __a);
}
LOCKSTEP_NV float __nv_int_as_float(int __a)
{
    return __builtin_bit_cast(float, __a);
}
LOCKSTEP_NV float __nv_uint_as_float(unsigned int __a)
{
    return __builtin_bit_cast(float, __a);
}
LOCKSTEP_NV unsigned long long __nv_double_as_longlong(double __a)
{
    return __builtin_bit_cast(long long, __a);
}
LOCKSTEP_NV double __nv_longlong_as_double(long long __a)
{
    return __builtin_bit_cast(double, __a);
}
LOCKSTEP_NV int __nv_double2hiint(double __a)
{
    return (int)(__builtin_bit_cast(long long, __a) >> 32);
}
LOCKSTEP_NV int __nv_double2loint(double __a)
{
    return (int)__builtin_bit_cast(long long, __a);
}
LOCKSTEP_NV double __nv_hiloint2double(int __a, int __b)
{
    return __builtin_bit_cast(
        double, (long long)(((unsigned long long)(unsigned int)__a << 32) | (unsigned int)__b));
}

/* -- approximations ------------------------------------------------------------------------- */

LOCKSTEP_NV float __nv_rsqrtf(float __a)
{
    return __nvvm_rsqrt_approx_f(__a);
}
LOCKSTEP_NV float __nv_frsqrt_rn(float __a)
{
    return (float)(1.0 / __builtin_sqrt((double)__a));
}
LOCKSTEP_NV float __nv_fast_sinf(float __a)
{
    return __nvvm_sin_approx_f(__a);
}
LOCKSTEP_NV float __nv_fast_cosf(float __a)
{
    return __nvvm_cos_approx_f(__a);
}
LOCKSTEP_NV float __nv_fast_tanf(float __a)
{
    return __nvvm_div_approx_f(__nvvm_sin_approx_f(__a), __nvvm_cos_approx_f(__a));
}
LOCKSTEP_NV void __nv_fast_sincosf(float __a, float *__b, float *__c)
{
    *__b = __nvvm_sin_approx_f(__a);
    *__c = __nvvm_cos_approx_f(__a);
}
LOCKSTEP_NV float __nv_fast_expf(float __a)
{
    return __nvvm_ex2_approx_f(__a * 1.4426950408889634f);
}
LOCKSTEP_NV float __nv_fast_exp10f(float __a)
{
    return __nvvm_ex2_approx_f(__a * 3.3219280948873623f);
}
LOCKSTEP_NV float __nv_fast_log2f(float __a)
{
    return __nvvm_lg2_approx_f(__a);
}
LOCKSTEP_NV float __nv_fast_logf(float __a)
{
    return __nvvm_lg2_approx_f(__a) * 0.6931471805599453f;
}
LOCKSTEP_NV float __nv_fast_log10f(float __a)
{
    return __nvvm_lg2_approx_f(__a) * 0.3010299956639812f;
}
LOCKSTEP_NV float __nv_fast_powf(float __a, float __b)
{
    return __nvvm_ex2_approx_f(__b * __nvvm_lg2_approx_f(__a));
}
LOCKSTEP_NV float __nv_fast_fdividef(float __a, float __b)
{
    return __nvvm_div_approx_f(__a, __b);
}

/* -- two or four values in a word ----------------------------------------------------------- */

/* The function's body for each part: __x and __y are a part of each operand, widened to int. */
#define LOCKSTEP_PARTS(bits, type, expression)                                                     \
    unsigned int __r = 0;                                                                          \
    _Pragma("unroll") for (int __i = 0; __i < 32; __i += bits)                                     \
    {                                                                                              \
        int __x = (type)(__a >> __i), __y = (type)(__b >> __i);                                    \
        (void)__y;                                                                                 \
        __r |= ((unsigned int)(expression) & (0xffffffffu >> (32 - bits))) << __i;                 \
    }                                                                                              \
    return __r;
#define LOCKSTEP_CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))

LOCKSTEP_NV int __nv_vadd2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x + __y)
}
LOCKSTEP_NV int __nv_vsub2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x - __y)
}
LOCKSTEP_NV int __nv_vaddss2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, short, LOCKSTEP_CLAMP(__x + __y, -32768, 32767))
}
LOCKSTEP_NV int __nv_vsubss2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, short, LOCKSTEP_CLAMP(__x - __y, -32768, 32767))
}
LOCKSTEP_NV int __nv_vaddus2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, LOCKSTEP_CLAMP(__x + __y, 0, 65535))
}
LOCKSTEP_NV int __nv_vsubus2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, LOCKSTEP_CLAMP(__x - __y, 0, 65535))
}
LOCKSTEP_NV int __nv_vabs2(int __a)
{
    unsigned int __b = 0;
    LOCKSTEP_PARTS(16, short, __x < 0 ? -__x : __x)
}
LOCKSTEP_NV int __nv_vabsss2(int __a)
{
    unsigned int __b = 0;
    LOCKSTEP_PARTS(16, short, __x < 0 ? LOCKSTEP_CLAMP(-__x, -32768, 32767) : __x)
}
LOCKSTEP_NV int __nv_vneg2(int __a)
{
    unsigned int __b = 0;
    LOCKSTEP_PARTS(16, short, -__x)
}
LOCKSTEP_NV int __nv_vnegss2(int __a)
{
    unsigned int __b = 0;
    LOCKSTEP_PARTS(16, short, LOCKSTEP_CLAMP(-__x, -32768, 32767))
}
LOCKSTEP_NV int __nv_vabsdiffs2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, short, __x > __y ? __x - __y : __y - __x)
}
LOCKSTEP_NV int __nv_vabsdiffu2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x > __y ? __x - __y : __y - __x)
}
LOCKSTEP_NV int __nv_vavgs2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, short, (__x + __y + 1) >> 1)
}
LOCKSTEP_NV int __nv_vavgu2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, (__x + __y + 1) >> 1)
}
LOCKSTEP_NV int __nv_vhaddu2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, (__x + __y) >> 1)
}
LOCKSTEP_NV int __nv_vmaxs2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, short, __x > __y ? __x : __y)
}
LOCKSTEP_NV int __nv_vmaxu2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x > __y ? __x : __y)
}
LOCKSTEP_NV int __nv_vmins2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, short, __x < __y ? __x : __y)
}
LOCKSTEP_NV int __nv_vminu2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x < __y ? __x : __y)
}
LOCKSTEP_NV int __nv_vcmpeq2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x == __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vseteq2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x == __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmpne2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x != __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetne2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x != __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmpges2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, short, __x >= __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetges2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, short, __x >= __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmpgeu2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x >= __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetgeu2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x >= __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmpgts2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, short, __x > __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetgts2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, short, __x > __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmpgtu2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x > __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetgtu2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x > __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmples2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, short, __x <= __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetles2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, short, __x <= __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmpleu2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x <= __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetleu2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x <= __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmplts2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, short, __x < __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetlts2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, short, __x < __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmpltu2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x < __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetltu2(int __a, int __b)
{
    LOCKSTEP_PARTS(16, unsigned short, __x < __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vsads2(int __a, int __b)
{
    unsigned int __r = 0;
#pragma unroll
    for (int __i = 0; __i < 32; __i += 16) {
        int __x = (short)(__a >> __i), __y = (short)(__b >> __i);
        __r += (unsigned int)(__x > __y ? __x - __y : __y - __x);
    }
    return __r;
}
LOCKSTEP_NV int __nv_vsadu2(int __a, int __b)
{
    unsigned int __r = 0;
#pragma unroll
    for (int __i = 0; __i < 32; __i += 16) {
        int __x = (unsigned short)(__a >> __i), __y = (unsigned short)(__b >> __i);
        __r += (unsigned int)(__x > __y ? __x - __y : __y - __x);
    }
    return __r;
}
LOCKSTEP_NV int __nv_vadd4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x + __y)
}
LOCKSTEP_NV int __nv_vsub4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x - __y)
}
LOCKSTEP_NV int __nv_vaddss4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, signed char, LOCKSTEP_CLAMP(__x + __y, -128, 127))
}
LOCKSTEP_NV int __nv_vsubss4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, signed char, LOCKSTEP_CLAMP(__x - __y, -128, 127))
}
LOCKSTEP_NV int __nv_vaddus4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, LOCKSTEP_CLAMP(__x + __y, 0, 255))
}
LOCKSTEP_NV int __nv_vsubus4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, LOCKSTEP_CLAMP(__x - __y, 0, 255))
}
LOCKSTEP_NV int __nv_vabs4(int __a)
{
    unsigned int __b = 0;
    LOCKSTEP_PARTS(8, signed char, __x < 0 ? -__x : __x)
}
LOCKSTEP_NV int __nv_vabsss4(int __a)
{
    unsigned int __b = 0;
    LOCKSTEP_PARTS(8, signed char, __x < 0 ? LOCKSTEP_CLAMP(-__x, -128, 127) : __x)
}
LOCKSTEP_NV int __nv_vneg4(int __a)
{
    unsigned int __b = 0;
    LOCKSTEP_PARTS(8, signed char, -__x)
}
LOCKSTEP_NV int __nv_vnegss4(int __a)
{
    unsigned int __b = 0;
    LOCKSTEP_PARTS(8, signed char, LOCKSTEP_CLAMP(-__x, -128, 127))
}
LOCKSTEP_NV int __nv_vabsdiffs4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, signed char, __x > __y ? __x - __y : __y - __x)
}
LOCKSTEP_NV int __nv_vabsdiffu4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x > __y ? __x - __y : __y - __x)
}
LOCKSTEP_NV int __nv_vavgs4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, signed char, (__x + __y + 1) >> 1)
}
LOCKSTEP_NV int __nv_vavgu4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, (__x + __y + 1) >> 1)
}
LOCKSTEP_NV int __nv_vhaddu4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, (__x + __y) >> 1)
}
LOCKSTEP_NV int __nv_vmaxs4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, signed char, __x > __y ? __x : __y)
}
LOCKSTEP_NV int __nv_vmaxu4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x > __y ? __x : __y)
}
LOCKSTEP_NV int __nv_vmins4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, signed char, __x < __y ? __x : __y)
}
LOCKSTEP_NV int __nv_vminu4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x < __y ? __x : __y)
}
LOCKSTEP_NV int __nv_vcmpeq4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x == __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vseteq4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x == __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmpne4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x != __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetne4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x != __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmpges4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, signed char, __x >= __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetges4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, signed char, __x >= __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmpgeu4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x >= __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetgeu4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x >= __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmpgts4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, signed char, __x > __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetgts4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, signed char, __x > __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmpgtu4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x > __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetgtu4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x > __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmples4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, signed char, __x <= __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetles4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, signed char, __x <= __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmpleu4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x <= __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetleu4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x <= __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmplts4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, signed char, __x < __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetlts4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, signed char, __x < __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vcmpltu4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x < __y ? -1 : 0)
}
LOCKSTEP_NV int __nv_vsetltu4(int __a, int __b)
{
    LOCKSTEP_PARTS(8, unsigned char, __x < __y ? 1 : 0)
}
LOCKSTEP_NV int __nv_vsads4(int __a, int __b)
{
    unsigned int __r = 0;
#pragma unroll
    for (int __i = 0; __i < 32; __i += 8) {
        int __x = (signed char)(__a >> __i), __y = (signed char)(__b >> __i);
        __r += (unsigned int)(__x > __y ? __x - __y : __y - __x);
    }
    return __r;
}
LOCKSTEP_NV int __nv_vsadu4(int __a, int __b)
{
    unsigned int __r = 0;
#pragma unroll
    for (int __i = 0; __i < 32; __i += 8) {
        int __x = (unsigned char)(__a >> __i), __y = (unsigned char)(__b >> __i);
        __r += (unsigned int)(__x > __y ? __x - __y : __y - __x);
    }
    return __r;
}

#undef LOCKSTEP_PARTS
#undef LOCKSTEP_CLAMP
#undef LOCKSTEP_NV

#endif
