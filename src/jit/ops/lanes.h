/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: the C functions behind the MATH_LANES rows of ops/math.def. out and each in[k] hold
 * 32 values of the row's types (one for a uniform call, mask 1); lanes outside of the mask are left
 * alone.
 */
#ifndef LOCKSTEP_JIT_LANES_H
#define LOCKSTEP_JIT_LANES_H

#include <stdbool.h>
#include <stdint.h>

typedef void lanes_fn(uint32_t mask, void *out, const void *const *in);

#define MATH_PTX(name, op, type0, type1, mod0, mod1)
#define MATH_SLEEF(name, function)
#define MATH_OWN(name, emitter)
#define MATH_LANES(name, bits) lanes_fn lanes_##name;
#include "jit/ops/math.def"
#undef MATH_PTX
#undef MATH_SLEEF
#undef MATH_OWN
#undef MATH_LANES

#endif
