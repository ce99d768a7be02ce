/* SPDX-License-Identifier: Apache-2.0
 *
 * values/merge.c: comparisons that front ends have merged.
 *
 *     max.s32 %m, %x, %y             x < n && y < n
 *     setp.lt.s32 %p, %m, %n
 *
 *     or.b32      %m, %x, %y             x < 16 && y < 16, of unsigned numbers
 *     setp.lt.u32 %p, %m, 16
 *
 * is two comparisons for a scalar processor's one. Here x is often known (a thread's place in its row: the
 * mask is a constant), and y the same for a row of threads and for all loads of a turn; of the greater of
 * both nothing is known. So they are compared one by one. Registers are looked up within the block, where
 * nothing can come in between.
 */
#include "jit/values/values.h"

/* 1: the comparison is true of the greater number only if of both; -1: if of any; 0: neither is so. */
static int
of_both(const struct ptx_insn *p)
{
    bool below = ptx_has(p, PTX_M_LT) || ptx_has(p, PTX_M_LE) || ptx_has(p, PTX_M_LO) || ptx_has(p, PTX_M_LS);
    bool above = ptx_has(p, PTX_M_GT) || ptx_has(p, PTX_M_GE) || ptx_has(p, PTX_M_HI) || ptx_has(p, PTX_M_HS);
    bool signed_type = ptx_type_kind((enum ptx_type)p->type[0]) == 's';
    bool odd = signed_type && (ptx_has(p, PTX_M_LO) || ptx_has(p, PTX_M_LS) || ptx_has(p, PTX_M_HI) ||
                               ptx_has(p, PTX_M_HS));
    return odd ? 0 : below - above;
}

static bool
is_plain_compare(const struct core *c, const struct flow_insn *i)
{
    const struct ptx_insn *p = &i->i;
    return p->op == PTX_OP_SETP && p->operand_count == 3 && p->type_count == 1 && p->guard == PTX_NO_REG &&
           p->operand[0].kind == PTX_O_REG && p->operand[1].kind == PTX_O_REG && !p->operand[1].negated &&
           !ptx_has(p, PTX_M_AND) && !ptx_has(p, PTX_M_OR) && !ptx_has(p, PTX_M_XOR) &&
           flow_index(c->flow, i) != UINT32_MAX;
}

/* Whether the number compared with is such that bits decide: x | y < 16 if both are. */
static bool
of_bits(const struct ptx_insn *p)
{
    bool next = ptx_has(p, PTX_M_LE) || ptx_has(p, PTX_M_LS) || ptx_has(p, PTX_M_GT) || ptx_has(p, PTX_M_HI);
    uint32_t edge = (uint32_t)p->operand[2].imm + next;
    return p->operand[2].kind == PTX_O_INT && ptx_type_kind((enum ptx_type)p->type[0]) == 'u' &&
           ptx_type_bytes((enum ptx_type)p->type[0]) == 4 && edge && !(edge & (edge - 1));
}

/* The or of two registers that the comparison is of, or of the lower halves of two; NULL: none. */
static const struct flow_insn *
or_before(const struct core *c, const struct ptx_insn *p, uint32_t at)
{
    const struct flow_insn *made = flow_maker_before(c->flow, c->now.current, p->operand[1].reg, at);
    const struct ptx_insn *m = made ? &made->i : NULL;
    bool halves = m && m->op == PTX_OP_CVT && m->operand_count == 2 && m->type_count == 2 &&
                  m->operand[1].kind == PTX_O_REG && ptx_type_bytes((enum ptx_type)m->type[0]) == 4 &&
                  ptx_type_bytes((enum ptx_type)m->type[1]) == 8 && !ptx_has(m, PTX_M_SAT) &&
                  ptx_type_kind((enum ptx_type)m->type[0]) != 'f' && ptx_type_kind((enum ptx_type)m->type[1]) != 'f';
    if (halves) {
        made = flow_maker_before(c->flow, c->now.current, m->operand[1].reg, flow_index(c->flow, made));
        m = made ? &made->i : NULL;
    }
    bool fits = m && m->op == PTX_OP_OR && m->operand_count == 3 && m->type_count == 1 &&
                ptx_type_bytes((enum ptx_type)m->type[0]) == (halves ? 8 : 4);
    for (unsigned k = 1; fits && k < 3; k++)
        fits = m->operand[k].kind == PTX_O_REG && !m->operand[k].negated && !m->operand[k].part;
    return fits ? made : NULL;
}

/* max, min of the comparison's type. */
static bool
is_choice(const struct ptx_insn *m, const struct ptx_insn *p)
{
    return (m->op == PTX_OP_MAX || m->op == PTX_OP_MIN) && m->type_count == 1 &&
           m->type[0] == p->type[0] && m->operand_count == 3 && !ptx_has(m, PTX_M_RELU);
}

bool
core_merged(const struct core *c, const struct flow_insn *i, struct merged *out)
{
    const struct ptx_insn *p = &i->i, *m;
    if (!emit_on(&c->e, PASS_SPLIT_COMPARE) || !is_plain_compare(c, i))
        return false;
    uint32_t at = flow_index(c->flow, i);
    const struct flow_insn *made = of_bits(p) ? or_before(c, p, at) : NULL;
    char kind = ptx_type_kind((enum ptx_type)p->type[0]);
    int way = of_both(p);
    bool greater = made; /* an or is below a power of two where the greater number is */
    if (!greater)
        made = flow_maker_before(c->flow, c->now.current, p->operand[1].reg, at);
    if (!made || !way || (kind != 's' && kind != 'u'))
        return false;
    m = &made->i;
    if (!greater && !is_choice(m, p))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        if (!flow_same_since(c->flow, &m->operand[1 + k], flow_index(c->flow, made), at))
            return false;
        out->part[k] = *i;
        out->part[k].i.operand = out->operand[k];
        out->operand[k][0] = p->operand[0];
        out->operand[k][1] = m->operand[1 + k];
        out->operand[k][2] = p->operand[2];
    }
    emit_remark_at(&c->e, PASS_SPLIT_COMPARE, true, i->place, "%s of two numbers",
                   greater ? "or" : m->op == PTX_OP_MAX ? "max" : "min");
    out->both = (way > 0) == (greater || m->op == PTX_OP_MAX);
    return true;
}
