/* SPDX-License-Identifier: Apache-2.0
 *
 * opt/narrow_products.c: products of the lower 24 bits of two numbers, as programs for the first
 * GPUs write them for `blockIdx.x * blockDim.x`, become shifts and a product of 32 bits. Of these
 * is known what they make of the thread's number (analysis/transfer.c); of mul24 nothing is.
 *
 *     mul24.lo.s32 %r, %x, 4      shl.b32 %a, %x, 8;  shr.s32 %b, %a, 8;  mul.lo.s32 %r, %b, 4
 */
#include "jit/opt/opt.h"

#include <string.h>

enum { CUT = 8 }; /* bits of 32 that do not count */

/* Before insns[n]: x shifted by CUT bits, in a new register. */
static struct ptx_operand
shifted(struct opt *o, uint32_t n, enum ptx_op op, enum ptx_type type, struct ptx_operand x)
{
    struct ptx_insn i = o->edit.f->insns[n].i;
    const char *name = o->edit.f->regs[i.operand[0].reg].name;
    struct ptx_operand operand[3] = {
        {.kind = PTX_O_REG, .reg = wir_edit_register(&o->edit, PTX_B32, name)},
        x,
        {.kind = PTX_O_INT, .imm = CUT}};
    i.op = (uint16_t)op;
    i.type[0] = (uint8_t)type;
    i.operand = operand;
    i.operand_count = 3;
    i.guard = PTX_NO_REG;
    memset(i.mods, 0, sizeof i.mods);
    memset(i.order, 0, sizeof i.order);
    wir_edit_before(&o->edit, n, &i);
    return operand[0];
}

/* The lower 24 bits of a factor of insns[n], as a number of 32. */
static struct ptx_operand
factor(struct opt *o, uint32_t n, struct ptx_operand x)
{
    bool is_signed = o->edit.f->insns[n].i.type[0] == PTX_S32;
    if (x.kind == PTX_O_INT) {
        uint32_t high = (uint32_t)x.imm << CUT;
        x.imm = is_signed ? (uint64_t)(int64_t)((int32_t)high >> CUT) : high >> CUT;
        return x;
    }
    x = shifted(o, n, PTX_OP_SHL, PTX_B32, x);
    return shifted(o, n, PTX_OP_SHR, is_signed ? PTX_S32 : PTX_U32, x);
}

OPT_PASS(NARROW_PRODUCTS)
{
    const struct wir *f = o->edit.f;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const struct ptx_insn *p = &f->insns[n].i;
        bool sum = p->op == PTX_OP_MAD24;
        if ((p->op != PTX_OP_MUL24 && !sum) || f->chains.block_of[n] == UINT32_MAX ||
            p->operand[0].kind != PTX_O_REG)
            continue;
        if (ptx_has(p, PTX_M_HI)) {
            opt_missed(o, n, "the upper half of the product");
            continue;
        }
        struct ptx_operand operand[4] = {p->operand[0], factor(o, n, p->operand[1]),
                                         factor(o, n, p->operand[2])};
        struct ptx_insn wide = *p;
        if (sum)
            operand[3] = p->operand[3];
        wide.op = sum ? PTX_OP_MAD : PTX_OP_MUL;
        wide.operand = operand;
        opt_fired(o, n, "a product of 32 bits");
        wir_edit_replace(&o->edit, n, &wide);
    }
}
