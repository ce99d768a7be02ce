/* SPDX-License-Identifier: Apache-2.0
 *
 * shared_math_begin.h, shared_math_end.h: around <cmath> where mathematics is one function for host
 * and device (LOCKSTEP_SHARED_MATH, the device pass alone). clang's headers have a function of the
 * host and one of the device by each name; in a template's argument that host code writes,
 * kernel<erff>, the name is the host's, which the kernel may not call. Here each name of <math.h> and
 * <cmath> is a function for both sides; shared_math_bodies.h has its body on the device.
 * `lockstep cc` compiles so only what clang refuses for this reason (cc_mathematics.c).
 *
 * In libstdc++ these functions are builtins, for which there is no instruction: their names stand for
 * the functions of C instead. glibc's own names that are CUDA's intrinsics, too, get other names.
 */
#pragma clang force_cuda_host_device begin
#define __cosf lockstep_libc_cosf
#define __exp10f lockstep_libc_exp10f
#define __expf lockstep_libc_expf
#define __finite lockstep_libc_finite
#define __finitef lockstep_libc_finitef
#define __isinf lockstep_libc_isinf
#define __isinff lockstep_libc_isinff
#define __isnan lockstep_libc_isnan
#define __isnanf lockstep_libc_isnanf
#define __log10f lockstep_libc_log10f
#define __log2f lockstep_libc_log2f
#define __logf lockstep_libc_logf
#define __powf lockstep_libc_powf
#define __signbit lockstep_libc_signbit
#define __signbitf lockstep_libc_signbitf
#define __sincosf lockstep_libc_sincosf
#define __sinf lockstep_libc_sinf
#define __tanf lockstep_libc_tanf
#define __tanhf lockstep_libc_tanhf
#define __builtin_acos ::acos
#define __builtin_acosf ::acosf
#define __builtin_acosh ::acosh
#define __builtin_acoshf ::acoshf
#define __builtin_asin ::asin
#define __builtin_asinf ::asinf
#define __builtin_asinh ::asinh
#define __builtin_asinhf ::asinhf
#define __builtin_atan ::atan
#define __builtin_atanf ::atanf
#define __builtin_atan2 ::atan2
#define __builtin_atan2f ::atan2f
#define __builtin_atanh ::atanh
#define __builtin_atanhf ::atanhf
#define __builtin_cbrt ::cbrt
#define __builtin_cbrtf ::cbrtf
#define __builtin_cos ::cos
#define __builtin_cosf ::cosf
#define __builtin_cosh ::cosh
#define __builtin_coshf ::coshf
#define __builtin_erf ::erf
#define __builtin_erff ::erff
#define __builtin_erfc ::erfc
#define __builtin_erfcf ::erfcf
#define __builtin_exp ::exp
#define __builtin_expf ::expf
#define __builtin_exp2 ::exp2
#define __builtin_exp2f ::exp2f
#define __builtin_expm1 ::expm1
#define __builtin_expm1f ::expm1f
#define __builtin_fdim ::fdim
#define __builtin_fdimf ::fdimf
#define __builtin_fma ::fma
#define __builtin_fmaf ::fmaf
#define __builtin_fmod ::fmod
#define __builtin_fmodf ::fmodf
#define __builtin_frexp ::frexp
#define __builtin_frexpf ::frexpf
#define __builtin_hypot ::hypot
#define __builtin_hypotf ::hypotf
#define __builtin_ilogb ::ilogb
#define __builtin_ilogbf ::ilogbf
#define __builtin_ldexp ::ldexp
#define __builtin_ldexpf ::ldexpf
#define __builtin_lgamma ::lgamma
#define __builtin_lgammaf ::lgammaf
#define __builtin_llrint ::llrint
#define __builtin_llrintf ::llrintf
#define __builtin_llround ::llround
#define __builtin_llroundf ::llroundf
#define __builtin_log ::log
#define __builtin_logf ::logf
#define __builtin_log10 ::log10
#define __builtin_log10f ::log10f
#define __builtin_log1p ::log1p
#define __builtin_log1pf ::log1pf
#define __builtin_log2 ::log2
#define __builtin_log2f ::log2f
#define __builtin_logb ::logb
#define __builtin_logbf ::logbf
#define __builtin_lrint ::lrint
#define __builtin_lrintf ::lrintf
#define __builtin_lround ::lround
#define __builtin_lroundf ::lroundf
#define __builtin_modf ::modf
#define __builtin_modff ::modff
#define __builtin_nextafter ::nextafter
#define __builtin_nextafterf ::nextafterf
#define __builtin_pow ::pow
#define __builtin_powf ::powf
#define __builtin_remainder ::remainder
#define __builtin_remainderf ::remainderf
#define __builtin_remquo ::remquo
#define __builtin_remquof ::remquof
#define __builtin_round ::round
#define __builtin_roundf ::roundf
#define __builtin_scalbln ::scalbln
#define __builtin_scalblnf ::scalblnf
#define __builtin_scalbn ::scalbn
#define __builtin_scalbnf ::scalbnf
#define __builtin_sin ::sin
#define __builtin_sinf ::sinf
#define __builtin_sinh ::sinh
#define __builtin_sinhf ::sinhf
#define __builtin_sqrt ::sqrt
#define __builtin_sqrtf ::sqrtf
#define __builtin_tan ::tan
#define __builtin_tanf ::tanf
#define __builtin_tanh ::tanh
#define __builtin_tanhf ::tanhf
#define __builtin_tgamma ::tgamma
#define __builtin_tgammaf ::tgammaf
