/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_merge.c: comparisons that front ends have merged.
 *
 *     max.s32 %m, %x, %y             x < n && y < n
 *     setp.lt.s32 %p, %m, %n
 *
 * is two comparisons for a scalar processor's one. Here x is often known (a thread's place in its row: the
 * mask is a constant), and y the same for a row of threads and for all loads of a turn; of the greater of
 * both nothing is known. So they are compared one by one. Registers are looked up within the block, where
 * nothing can come in between.
 */
#include "jit/jit_core.h"

uint32_t
core_last_writer(const struct core *c, uint32_t reg, uint32_t end)
{
    const struct flow_block *blk = &c->flow->blocks[c->current];
    if (end < blk->first || end > blk->first + blk->count) /* of another block, computed anew here */
        return UINT32_MAX;
    for (uint32_t n = end; n-- > blk->first;)
        if (flow_writes(&c->flow->insns[n], reg))
            return n;
    return UINT32_MAX;
}

bool
core_same_since(const struct core *c, const struct ptx_operand *o, uint32_t n, uint32_t end)
{
    if (o->kind != PTX_O_REG)
        return o->kind == PTX_O_INT;
    uint32_t w = core_last_writer(c, o->reg, end);
    return w == UINT32_MAX || w < n;
}

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
           !ptx_has(p, PTX_M_AND) && !ptx_has(p, PTX_M_OR) && !ptx_has(p, PTX_M_XOR) && i >= c->flow->insns &&
           i < c->flow->insns + c->flow->insn_count;
}

bool
core_merged(const struct core *c, const struct flow_insn *i, struct merged *out)
{
    const struct ptx_insn *p = &i->i, *m;
    if (!is_plain_compare(c, i))
        return false;
    uint32_t at = (uint32_t)(i - c->flow->insns), n = core_last_writer(c, p->operand[1].reg, at);
    char kind = ptx_type_kind((enum ptx_type)p->type[0]);
    int way = of_both(p);
    if (n == UINT32_MAX || !way || (kind != 's' && kind != 'u'))
        return false;
    m = &c->flow->insns[n].i;
    if ((m->op != PTX_OP_MAX && m->op != PTX_OP_MIN) || m->guard != PTX_NO_REG || m->type_count != 1 ||
        m->type[0] != p->type[0] || m->operand_count != 3 || ptx_has(m, PTX_M_RELU))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        if (!core_same_since(c, &m->operand[1 + k], n, at))
            return false;
        out->part[k] = *i;
        out->part[k].i.operand = out->operand[k];
        out->operand[k][0] = p->operand[0];
        out->operand[k][1] = m->operand[1 + k];
        out->operand[k][2] = p->operand[2];
    }
    out->both = (way > 0) == (m->op == PTX_OP_MAX);
    return true;
}
