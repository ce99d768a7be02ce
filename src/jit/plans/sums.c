/* SPDX-License-Identifier: Apache-2.0
 *
 * plans/sums.c: additions to memory, atomic ones, as histograms make them.
 *
 *     mul.wide.u32 %b, %byte, 4       each lane's: 0 to 1020
 *     add.s64      %a, %table, %b     %table: the same in all lanes
 *     red.add.u32  [%a], 1
 *
 * What lanes have of their own fits 16 bits: memory/near.c. What need not be seen at once is kept
 * back: memory/combine.c.
 */
#include "jit/plans/choose.h"

enum { NEAR = 0xffff };

static bool
is_small(const struct plan_scope *s, const struct wir_insn *i, const struct ptx_operand *o,
         struct plan_sum *p)
{
    struct fact f = facts_operand(s->facts, i, o);
    if (o->kind != PTX_O_REG || !f.bounded || f.low < 0 || f.high > NEAR)
        return false;
    p->own = o;
    p->high = (uint64_t)f.high;
    return true;
}

static bool
is_same(const struct plan_scope *s, const struct wir_insn *i, const struct ptx_operand *o)
{
    struct fact f = facts_operand(s->facts, i, o);
    return (o->kind == PTX_O_REG || o->kind == PTX_O_SYMBOL || o->kind == PTX_O_INT) &&
           fact_uniform(&f);
}

/* The instruction that makes the register before the one with the number, in the same block, of two
 * operands; NULL: none. */
static const struct wir_insn *
maker_before(const struct plan_scope *s, uint32_t number, uint32_t reg)
{
    const struct wir_insn *made = wir_maker_before(s->wir, s->block, reg, number);
    const struct ptx_insn *n = made ? &made->i : NULL;
    bool plain = n && !ptx_has(n, PTX_M_CC) && !ptx_has(n, PTX_M_SAT);
    return plain && n->operand_count == 3 && n->type_count == 1 ? made : NULL;
}

/* Whether an operand of `made` still has its value at the instruction with the number. */
static bool
stays(const struct plan_scope *s, const struct wir_insn *made, uint32_t number,
      const struct ptx_operand *o)
{
    return o->kind != PTX_O_REG || wir_same_since(s->wir, o, wir_index(s->wir, made), number);
}

/* What the small number is a multiple of where that can be seen: then nothing wider has to be
 * computed for it. */
static void
find_factor(const struct plan_scope *s, uint32_t number, const struct wir_insn *sum,
            struct plan_sum *p)
{
    const struct wir_insn *made = maker_before(s, wir_index(s->wir, sum), p->own->reg);
    const struct ptx_operand *o = made ? made->i.operand : NULL;
    if (!made || o[1].kind != PTX_O_REG || o[1].negated || o[2].kind != PTX_O_INT ||
        ptx_type_bytes((enum ptx_type)s->wir->regs[o[1].reg].type) < 4 ||
        !stays(s, made, number, &o[1]))
        return;
    bool shift = made->i.op == PTX_OP_SHL && o[2].imm < 16;
    bool product = made->i.op == PTX_OP_MUL && !ptx_has(&made->i, PTX_M_HI) &&
                   ptx_type_kind((enum ptx_type)made->i.type[0]) != 'f';
    p->scaled = shift || product ? made : NULL;
    p->factor = shift ? UINT64_C(1) << o[2].imm : o[2].imm & NEAR;
}

/* The addition that makes the address before the instruction, in the same block, from values that
 * still are what they were then. */
static bool
find_table(const struct plan_scope *s, uint32_t number, uint32_t reg, struct plan_sum *p)
{
    const struct wir_insn *made = maker_before(s, number, reg);
    if (!made || made->i.op != PTX_OP_ADD || ptx_type_bytes((enum ptx_type)made->i.type[0]) != 8)
        return false;
    for (unsigned k = 1; k <= 2; k++)
        if (is_same(s, made, &made->i.operand[k]) && is_small(s, made, &made->i.operand[3 - k], p))
            p->base = &made->i.operand[k];
    if (!p->base || !stays(s, made, number, p->own) || !stays(s, made, number, p->base))
        return false;
    find_factor(s, number, made, p);
    return true;
}

static bool
may_be_table(const struct plan_scope *s, const struct ptx_insn *p)
{
    enum ptx_type t = (enum ptx_type)p->type[p->type_count - 1];
    bool wants_old = p->op == PTX_OP_ATOM && p->operand[0].kind != PTX_O_SINK;
    if (!plan_on(s, PASS_TABLE_SUMS) || wants_old || p->vec > 1 || p->guard != PTX_NO_REG ||
        !ptx_has(p, PTX_M_ADD) || (t != PTX_U32 && t != PTX_S32))
        return false;
    return p->space == PTX_SPACE_SHARED || (s->combines && plan_may_pend(p));
}

void
plan_atomic(const struct plan_scope *s, const struct wir_insn *i, uint32_t number,
            const struct ptx_operand *o, struct plan_sum *out)
{
    *out = (struct plan_sum){.i = i, .pending = s->combines && plan_may_pend(&i->i)};
    out->table = may_be_table(s, &i->i) && o->kind == PTX_O_ADDRESS &&
                 o->base_kind == PTX_BASE_REG && s->facts->reg[o->reg].kind != FACT_SCALAR &&
                 find_table(s, number, o->reg, out);
    plan_remark_sum(s, out);
}
