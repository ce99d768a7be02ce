/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_steps.c: how far a register's value is from one warp of the block to the next.
 *
 *     mov.u32 %x, %tid.x;          blocks of 256 threads in a row: 32 more in each warp
 *     add.s32 %at, %x, %first;     the same: what all of the block agree on adds nothing
 *     shl.b32 %b, %at, 2;          128
 *
 * With it the range of a value in several warps that run together (jit_jam.c) is known from the first lane
 * of the first of them, and a condition is tested once for all of them (jit_agree.c).
 *
 * Modulo 2^32: the low halves of sums and products are made of low halves alone, so registers of 64 bits
 * have steps, too. Only registers that one instruction writes, with no guard, in the order of the text.
 */
#include "jit/jit_phases.h"

/* Of the coordinates of a warp's first thread, for blocks whose rows are whole warps or parts of one. */
static bool
sreg_step(const struct core *c, enum ptx_sreg r, uint32_t *step)
{
    const uint32_t *dim = c->facts->shape.block;
    bool in_row = dim[1] * dim[2] == 1, in_plane = dim[2] == 1 && LANES % dim[0] == 0;
    switch (r) {
    case PTX_SR_TID_X:
        *step = in_row ? LANES : 0;
        return in_row || LANES % dim[0] == 0;
    case PTX_SR_TID_Y:
        *step = in_row ? 0 : LANES / dim[0];
        return in_row || in_plane;
    case PTX_SR_TID_Z:
        *step = 0;
        return dim[2] == 1;
    case PTX_SR_LANEID:
    case PTX_SR_NTID_X: case PTX_SR_NTID_Y: case PTX_SR_NTID_Z:
    case PTX_SR_CTAID_X: case PTX_SR_CTAID_Y: case PTX_SR_CTAID_Z:
    case PTX_SR_NCTAID_X: case PTX_SR_NCTAID_Y: case PTX_SR_NCTAID_Z:
        *step = 0;
        return true;
    case PTX_SR_WARPID:
        *step = 1;
        return true;
    default:
        return false;
    }
}

bool
phases_step(const struct core *c, const struct phases *p, const struct ptx_operand *o, uint32_t *step)
{
    *step = 0;
    switch (o->kind) {
    case PTX_O_INT:
        return true;
    case PTX_O_REG:
        if (o->negated || o->part)
            return false;
        if (p->same[o->reg])
            return true;
        *step = p->step[o->reg].by;
        return p->step[o->reg].known;
    case PTX_O_SREG:
        return sreg_step(c, (enum ptx_sreg)o->sreg, step);
    default:
        return false;
    }
}

/* Integers of 32 and 64 bits, in every type the instruction has. */
static bool
is_wide_enough(const struct ptx_insn *p)
{
    for (unsigned t = 0; t < p->type_count; t++) {
        enum ptx_type type = (enum ptx_type)p->type[t];
        char kind = ptx_type_kind(type);
        if (ptx_type_bytes(type) < 4 || (kind != 's' && kind != 'u' && kind != 'b'))
            return false;
    }
    return p->type_count > 0 && !ptx_has(p, PTX_M_SAT) && !ptx_has(p, PTX_M_CC);
}

/* in[0] * in[1]: no steps, or one of them is a number of the text. */
static bool
product_step(const struct ptx_insn *p, const uint32_t in[2], uint32_t *step)
{
    const struct ptx_operand *o = &p->operand[1];
    *step = o[1].kind == PTX_O_INT ? in[0] * (uint32_t)o[1].imm : in[1] * (uint32_t)o[0].imm;
    if (!(in[0] | in[1]))
        *step = 0;
    else if (o[0].kind != PTX_O_INT && o[1].kind != PTX_O_INT)
        return false;
    return !ptx_has(p, PTX_M_HI);
}

/* A parameter of the kernel: where only some threads come, the block does not agree on its register. */
static bool
is_parameter(const struct core *c, const struct ptx_insn *p)
{
    const struct ptx_operand *from = &p->operand[1];
    return p->op == PTX_OP_LD && from->kind == PTX_O_ADDRESS && from->base_kind == PTX_BASE_VAR && from->var->func &&
           c->flow->vars[from->var->index].place == FLOW_KERNEL_PARAM;
}

static bool
insn_step(const struct core *c, const struct phases *p, const struct ptx_insn *n, uint32_t *step)
{
    uint32_t in[3] = {0, 0, 0};
    *step = 0;
    if (n->guard != PTX_NO_REG || n->operand_count < 2 || n->operand_count > 4 ||
        n->operand[0].kind != PTX_O_REG || n->operand[0].part || !is_wide_enough(n))
        return false;
    if (is_parameter(c, n))
        return true;
    for (unsigned k = 1; k < n->operand_count; k++)
        if (!phases_step(c, p, &n->operand[k], &in[k - 1]))
            return false;
    switch (n->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVT:
        *step = in[0];
        return n->operand_count == 2;
    case PTX_OP_ADD:
        *step = in[0] + in[1];
        return true;
    case PTX_OP_SUB:
        *step = in[0] - in[1];
        return true;
    case PTX_OP_MUL:
        return product_step(n, in, step);
    case PTX_OP_MAD:
        if (!product_step(n, in, step))
            return false;
        *step += in[2];
        return true;
    case PTX_OP_SHL:
        *step = in[0] << (n->operand[2].imm & 31);
        return n->operand[2].kind == PTX_O_INT && n->operand[2].imm < 32;
    default: /* made of what is the same in all warps, it is the same */
        return emit_is_arith(n) && !(in[0] | in[1] | in[2]);
    }
}

void
phases_find_steps(const struct core *c, struct phases *p)
{
    const struct flow *f = c->flow;
    p->step = ARENA_ARRAY(&p->arena, struct phase_step, f->reg_count + 1);
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const struct ptx_insn *i = &f->insns[n].i;
        const struct ptx_operand *to = i->operand_count ? &i->operand[0] : NULL;
        uint32_t step;
        if (!to || to->kind != PTX_O_REG || p->maker[to->reg] != &f->insns[n] ||
            set_has(f->blocks[0].live_in, to->reg) || !insn_step(c, p, i, &step))
            continue;
        p->step[to->reg] = (struct phase_step){.known = true, .by = step};
    }
}
