/* SPDX-License-Identifier: Apache-2.0
 *
 * widened.c: instructions whose result a version behind a test of bounds keeps as a scalar
 * (values/widened.c).
 */
#include "jit/insn/insn.h"

/* -- emitting ---------------------------------------------------------------------------------- */

bool
core_speculated_insn(struct core *c, const struct wir_insn *i)
{
    const struct ptx_operand *to = &i->i.operand[0];
    const struct speculation_widened *w = speculation_wide_of(c, i);
    if (!w || !core_reg_scalar(c, to->reg))
        return false;
    core_write(c, i, to, speculation_wide_lane(c, i, w, 0), false);
    return true;
}
