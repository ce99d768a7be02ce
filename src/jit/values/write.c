/* SPDX-License-Identifier: Apache-2.0
 *
 * write.c: a result into its register, under the mask of the lanes that execute it.
 */
#include "jit/values/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- registers --------------------------------------------------------------------------------- */

static void
write_reg(struct core *c, const struct wir_insn *i, uint32_t reg, LLVMValueRef v, bool sign)
{
    LLVMBuilderRef b = c->e.b;
    if (!c->regs.reg[reg])
        return;
    if (i->i.op == PTX_OP_SETP && c->facts->reg[reg].known) /* lane 0 may not be there */
        v = LLVMConstInt(core_scalar(c, 1), (unsigned long long)c->facts->reg[reg].base, false);
    v = core_resize(c, v, core_reg_bits(c, reg), sign);
    unsigned count = core_reg_count(c, reg);
    bool scalar = count == 1;
    if (scalar && core_is_vector(v))
        v = LLVMBuildExtractElement(b, v, core_i32(c, 0), "");
    else if (!scalar && !core_is_vector(v))
        v = count == LANES ? core_splat(c, v) : core_spread_some(c, v, NULL, count);
    else if (core_value_count(v) > count)
        v = core_take_firsts(c, v, count);
    bool guarded = i->i.guard != PTX_NO_REG && i->i.op != PTX_OP_BRA;
    if (guarded) {
        struct ptx_operand g = {.kind = PTX_O_REG, .reg = i->i.guard};
        LLVMValueRef p = core_value(c, i, &g, 1, count < LANES);
        LLVMValueRef old = count == LANES || scalar
                               ? core_read(c, reg, scalar)
                               : LLVMBuildLoad2(b, core_reg_type(c, reg), c->regs.reg[reg], "");
        v = i->i.guard_negated ? LLVMBuildSelect(b, p, old, v, "")
                               : LLVMBuildSelect(b, p, v, old, "");
    }
    bool merged = c->facts->merge[reg];
    if (c->form.in_memory) /* what has no home is nobody's when the block ends */
        merged &= !LLVMIsAAllocaInst(c->regs.reg[reg]);
    LLVMValueRef mask = scalar || !merged ? NULL : core_mask(c);
    if (mask)
        v = LLVMBuildSelect(b, mask, v, core_read(c, reg, false), "");
    LLVMBuildStore(b, v, c->regs.reg[reg]);
    core_guess_write(c, i, reg);
}

void
core_write(struct core *c, const struct wir_insn *i, const struct ptx_operand *o, LLVMValueRef v,
           bool sign)
{
    if (o->kind == PTX_O_REG)
        write_reg(c, i, o->reg, v, sign);
}

/* -- arithmetic and the like ------------------------------------------------------------------- */

void
core_write_results(struct core *c, const struct wir_insn *i, const struct ptx_operand *to,
                   LLVMValueRef *out, bool sign)
{
    if (to->kind == PTX_O_PAIR || to->kind == PTX_O_VECTOR || to->kind == PTX_O_LIST) {
        for (uint32_t k = 0; k < to->count; k++)
            if (out[k])
                core_write(c, i, &to->elements[k], out[k], sign);
    } else if (out[0]) {
        core_write(c, i, to, out[0], sign);
    }
}
