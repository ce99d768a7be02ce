/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: the families behind emit_arith, one file each, and what they share about
 * floating-point numbers: formats, roundings, widening and narrowing (ops/round.c).
 */
#ifndef LOCKSTEP_JIT_ARITH_H
#define LOCKSTEP_JIT_ARITH_H

#include "jit/build/value.h"

typedef bool arith_fn(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin,
                      value *out);

/* ops/bits.c */
arith_fn bits_popc, bits_clz, bits_bfind, bits_fns, bits_brev, bits_bfe, bits_bfi, bits_bmsk,
    bits_szext, bits_lop3, bits_shf, bits_shl, bits_shr, bits_prmt, bits_dp4a, bits_dp2a;
/* ops/video.c */
arith_fn video_scalar, video_packed;
/* ops/float.c */
bool float_type(enum ptx_type t);
arith_fn float_add, float_mul, float_fma, float_div, float_rcp, float_sqrt, float_rsqrt,
    float_min_max, float_abs_neg, float_approx, float_testp, float_copysign;

/* -- formats ----------------------------------------------------------------------------------- */

/* A binary format: sign, exponent, mantissa. `has_inf`: the largest exponent holds infinity and
 * NaNs; else every code but all ones (`has_nan`) is a number. */
struct format {
    uint8_t bits, exponent, mantissa;
    bool has_inf, has_nan;
};

extern const struct format format_f64, format_f32, format_f16, format_bf16, format_tf32,
    format_e2m1;

const struct format *format_of(enum ptx_type t); /* of one number: F16X2 -> f16; NULL: no float */
unsigned format_count(enum ptx_type t);          /* numbers in a register: F16X2 -> 2 */

enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY };

enum rounding rounding_of(const struct ptx_insn *i);     /* .rn .rz .rm .rp .rna, else nearest */
enum rounding rounding_to_int(const struct ptx_insn *i); /* .rni .rzi .rmi .rpi, else zero */

/* The bits of a number in format f as float (double for f64): exact. */
value round_widen(struct emit *e, value bits, const struct format *f);
/* A float or double to the bits of format f, rounded once. NaN becomes the format's canonical NaN.
 * Overflow: infinity or the largest number as the rounding says; `finite`: the largest number. */
value round_narrow(struct emit *e, value x, const struct format *f, enum rounding r, bool finite);
/* x + y, x * y, x / y, x * y + z, sqrt x in float or double, rounded as asked. */
value round_add(struct emit *e, value x, value y, enum rounding r);
value round_mul(struct emit *e, value x, value y, enum rounding r);
value round_div(struct emit *e, value x, value y, enum rounding r);
value round_fma(struct emit *e, value x, value y, value z, enum rounding r);
value round_sqrt(struct emit *e, value x, enum rounding r);
/* Integer of any width to float or double. */
value round_from_int(struct emit *e, value x, bool is_signed, unsigned bits, enum rounding r);
value round_to_integral(struct emit *e, value x, enum rounding r); /* floor, ceil, ... */

value float_flush(struct emit *e, value x);     /* denormal -> zero with its sign */
value float_saturate(struct emit *e, value x);  /* to [0, 1], NaN -> +0 */
value float_canonical(struct emit *e, value x); /* NaN -> the canonical one */
value float_nan(struct emit *e, value like);    /* 0x7fffffff, 0x7ff8000000000000, 0x7fff */
value float_min(struct emit *e, value a, value b, bool max, bool nan);

/* -- comparison (ops/arith.c) ------------------------------------------------------------------ */

/* The comparison that the instruction names; false: it names none. a, b: bits of type t. */
bool arith_compare(struct emit *e, const struct ptx_insn *i, enum ptx_type t, value a, value b,
                   value *out);

/* -- functions called by name (ops/sleef.c, ops/round.c) --------------------------------------- */

/* A function of ops/sleef.def on floats or doubles. */
value math_call(struct emit *e, const char *name, const value *in, unsigned nin);
/* ops/power.c: x^n or x^y, as bits, where the exponent is a constant that suits; false: else. */
bool power_whole(struct emit *e, value x, value n, value *out);
bool power_real(struct emit *e, value x, value y, value *out);
bool sleef_symbol(size_t i, const char **name, void **address);
bool round_symbol(size_t i, const char **name, void **address);

#endif
