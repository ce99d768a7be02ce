/* SPDX-License-Identifier: Apache-2.0
 *
 * opt/uniform.c: what passes over loops with barriers share: which registers all threads of a block
 * agree on, where such loops are, and how registers are renamed in one instruction.
 */
#include "jit/opt/opt.h"

#include <string.h>

enum { DEPTH = 8 }; /* of what a register is computed from */

/* -- what all threads of a block agree on ------------------------------------------------------ */

static bool uniform_at(const struct wir *f, const struct ptx_operand *o, unsigned depth);

/* Sums, products, shifts and conversions of what is uniform. */
static bool
computes_uniform(const struct wir *f, const struct ptx_insn *p, unsigned depth)
{
    bool all = p->guard == PTX_NO_REG && !ptx_has(p, PTX_M_CC) && p->operand_count >= 2;
    switch (p->op) {
    case PTX_OP_LD: return all && wir_is_parameter(f, &p->operand[1]);
    case PTX_OP_MOV:
    case PTX_OP_CVT:
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_AND:
    case PTX_OP_NEG: break;
    default: return false;
    }
    for (unsigned k = 1; k < p->operand_count && all; k++)
        all = uniform_at(f, &p->operand[k], depth + 1);
    return all;
}

static bool
uniform_at(const struct wir *f, const struct ptx_operand *o, unsigned depth)
{
    if (o->kind == PTX_O_INT)
        return true;
    if (o->kind == PTX_O_SREG)
        return ptx_sreg_is_block((enum ptx_sreg)o->sreg);
    const struct wir_insn *i = o->kind == PTX_O_REG ? wir_only_writer(f, o->reg) : NULL;
    return i && depth < DEPTH && computes_uniform(f, &i->i, depth);
}

bool
opt_uniform(const struct wir *f, const struct ptx_operand *o)
{
    return uniform_at(f, o, 0);
}

bool
opt_makes_uniform(const struct wir *f, const struct ptx_insn *p)
{
    return computes_uniform(f, p, 0);
}

/* -- changes to one instruction ---------------------------------------------------------------- */

static bool
is_plain_use(const struct ptx_operand *o, uint32_t reg)
{
    return (o->kind == PTX_O_REG && o->reg == reg && !o->negated && !o->part) ||
           (o->kind == PTX_O_ADDRESS && o->base_kind == PTX_BASE_REG && o->reg == reg);
}

bool
opt_may_rename(const struct wir *f, uint32_t n, uint32_t reg)
{
    const struct ptx_insn *p = &f->insns[n].i;
    uint32_t b = f->chains.block_of[n];
    bool plain = b != UINT32_MAX && f->blocks[b].end_insn != n && p->guard != reg &&
                 p->operand_count <= OPT_OPERANDS;
    for (unsigned k = 0; k < p->operand_count; k++) {
        const struct ptx_operand *o = &p->operand[k];
        bool names = (o->kind == PTX_O_REG || o->kind == PTX_O_ADDRESS) && o->reg == reg;
        plain &= !o->elements && (!names || is_plain_use(o, reg) || o->kind == PTX_O_ADDRESS);
    }
    return plain;
}

struct opt_renamed
opt_rename_begin(const struct wir *f, uint32_t n)
{
    struct opt_renamed r = {.from = &f->insns[n].i};
    if (r.from->operand_count <= OPT_OPERANDS)
        memcpy(r.operand, r.from->operand, sizeof *r.operand * r.from->operand_count);
    return r;
}

void
opt_rename(struct opt_renamed *r, uint32_t reg, uint32_t to)
{
    for (unsigned k = 0; k < r->from->operand_count; k++)
        if (is_plain_use(&r->from->operand[k], reg))
            r->operand[k].reg = to;
    r->changed = true;
}

void
opt_rename_end(struct opt *o, uint32_t n, struct opt_renamed *r)
{
    struct ptx_insn i = *r->from;
    i.operand = r->operand;
    if (r->changed)
        wir_edit_replace(&o->edit, n, &i);
}

void
opt_put(struct opt *o, uint32_t n, enum ptx_op op, enum ptx_type type, struct ptx_operand *operand,
        unsigned count)
{
    struct ptx_insn i = o->edit.f->insns[n].i;
    i.op = (uint16_t)op;
    i.type_count = 1;
    i.type[0] = (uint8_t)type;
    memset(i.mods, 0, sizeof i.mods);
    memset(i.order, 0, sizeof i.order);
    i.space = PTX_SPACE_NONE;
    i.vec = 1;
    i.guard = PTX_NO_REG;
    i.operand = operand;
    i.operand_count = (uint8_t)count;
    wir_edit_before(&o->edit, n, &i);
}
