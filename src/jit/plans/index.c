/* SPDX-License-Identifier: Apache-2.0
 *
 * plans/index.c: addresses that are one base and a 32-bit number a lane.
 *
 *     mul.wide.s32 %off, %index, 4      the processor's gathers take the number as it is: 16
 *     add.s64      %a, %base, %off      lanes at once instead of 8, and nothing is widened,
 *     ld.f32       %x, [%a+8]           shifted and added; a comparison takes half as many
 *                                       instructions
 *
 * An iteration of a convolution with two such loads, by hand: 14.6 ns with addresses of 64 bits,
 * 10.2 with numbers of 32. Looked for in the load's own block; in between nobody may write what the
 * address is made of.
 */
#include "jit/plans/choose.h"

/* %off = %index * 1, 2, 4 or 8, widened: sets the shift. */
static bool
is_scaled(const struct ptx_insn *p, unsigned *shift)
{
    if (p->op != PTX_OP_MUL || !ptx_has(p, PTX_M_WIDE) || p->operand[1].kind != PTX_O_REG ||
        p->operand[2].kind != PTX_O_INT || (p->type[0] != PTX_S32 && p->type[0] != PTX_U32))
        return false;
    for (*shift = 0; *shift < 4; ++*shift)
        if (p->operand[2].imm == UINT64_C(1) << *shift)
            return true;
    return false;
}

static bool
is_sum(const struct ptx_insn *p)
{
    return p->op == PTX_OP_ADD && p->operand[1].kind == PTX_O_REG &&
           p->operand[2].kind == PTX_O_REG && !p->operand[1].negated && !p->operand[2].negated &&
           ptx_type_bytes((enum ptx_type)p->type[0]) == 8 && !ptx_has(p, PTX_M_CC) &&
           !ptx_has(p, PTX_M_SAT);
}

/* The base among the sum's operands, and what makes the other one. */
static void
find_parts(const struct plan_scope *s, struct plan *p, const struct wir_insn *sum)
{
    const struct wir *wir = s->wir;
    uint32_t at = p->number, n = wir_index(wir, sum);
    for (unsigned k = 1; k <= 2 && !p->index.base; k++) {
        const struct ptx_operand *o = &sum->i.operand[3 - k];
        struct fact f = facts_operand(s->facts, p->i, o);
        const struct wir_insn *scaled = wir_maker_before(wir, s->block, sum->i.operand[k].reg, n);
        if (!fact_uniform(&f) || !scaled || !is_scaled(&scaled->i, &p->index.shift) ||
            !wir_same_since(wir, &scaled->i.operand[1], wir_index(wir, scaled), at) ||
            !wir_same_since(wir, o, n, at))
            continue;
        p->index.base = o;
        p->index.index = &scaled->i.operand[1];
        p->index.is_unsigned = scaled->i.type[0] == PTX_U32;
    }
}

void
plan_find_index(const struct plan_scope *s, struct plan *p)
{
    const struct fact *f = &p->at.fact;
    enum ptx_space where = p->at.space;
    bool one_base = where == PTX_SPACE_GLOBAL || where == PTX_SPACE_NONE ||
                    where == PTX_SPACE_SHARED || where == PTX_SPACE_CONST;
    if (!one_base || !plan_on(s, PASS_INDEXED_GATHERS) || s->called ||
        p->o->base_kind != PTX_BASE_REG || f->kind != FACT_VECTOR || f->segment != 1 || f->guess ||
        p->bytes < 4)
        return;
    const struct wir_insn *sum = wir_maker_before(s->wir, s->block, p->o->reg, p->number);
    if (sum && is_sum(&sum->i))
        find_parts(s, p, sum);
}
