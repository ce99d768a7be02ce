/* SPDX-License-Identifier: Apache-2.0
 *
 * opt/split_compare.c: comparisons that front ends have merged.
 *
 *     max.s32 %m, %x, %y             x < n && y < n
 *     setp.lt.s32 %p, %m, %n
 *
 *     or.b32      %m, %x, %y             x < 16 && y < 16, of unsigned numbers
 *     setp.lt.u32 %p, %m, 16
 *
 * is two comparisons for a scalar processor's one. Here x is often known (a thread's place in its
 * row: the mask is a constant), and y the same for a row of threads and for all loads of an
 * iteration; of the greater of both nothing is known. So they are compared one by one. Registers
 * are looked up within the block, where nothing can come in between.
 */
#include "jit/opt/opt.h"

#include <string.h>

/* 1: the comparison is true of the greater number only if of both; -1:
 * if of any; 0: neither is so. */
static int
of_both(const struct ptx_insn *p)
{
    bool below = ptx_has(p, PTX_M_LT) || ptx_has(p, PTX_M_LE) || ptx_has(p, PTX_M_LO) ||
                 ptx_has(p, PTX_M_LS);
    bool above = ptx_has(p, PTX_M_GT) || ptx_has(p, PTX_M_GE) || ptx_has(p, PTX_M_HI) ||
                 ptx_has(p, PTX_M_HS);
    bool signed_type = ptx_type_kind((enum ptx_type)p->type[0]) == 's';
    bool odd = signed_type && (ptx_has(p, PTX_M_LO) || ptx_has(p, PTX_M_LS) ||
                               ptx_has(p, PTX_M_HI) || ptx_has(p, PTX_M_HS));
    return odd ? 0 : below - above;
}

static bool
is_plain_compare(const struct ptx_insn *p)
{
    return p->op == PTX_OP_SETP && p->operand_count == 3 && p->type_count == 1 &&
           p->guard == PTX_NO_REG && p->operand[0].kind == PTX_O_REG &&
           p->operand[1].kind == PTX_O_REG && !p->operand[1].negated && !ptx_has(p, PTX_M_AND) &&
           !ptx_has(p, PTX_M_OR) && !ptx_has(p, PTX_M_XOR);
}

/* Whether the number compared with is such that bits decide: x | y < 16 if both are. */
static bool
of_bits(const struct ptx_insn *p)
{
    bool next = ptx_has(p, PTX_M_LE) || ptx_has(p, PTX_M_LS) || ptx_has(p, PTX_M_GT) ||
                ptx_has(p, PTX_M_HI);
    uint32_t edge = (uint32_t)p->operand[2].imm + next;
    return p->operand[2].kind == PTX_O_INT && ptx_type_kind((enum ptx_type)p->type[0]) == 'u' &&
           ptx_type_bytes((enum ptx_type)p->type[0]) == 4 && edge && !(edge & (edge - 1));
}

/* The or of two registers that the comparison is of, or of the lower halves of two; NULL: none. */
static const struct wir_insn *
or_before(const struct wir *f, const struct ptx_insn *p, uint32_t block, uint32_t at)
{
    const struct wir_insn *made = wir_maker_before(f, block, p->operand[1].reg, at);
    const struct ptx_insn *m = made ? &made->i : NULL;
    bool halves = m && m->op == PTX_OP_CVT && m->operand_count == 2 && m->type_count == 2 &&
                  m->operand[1].kind == PTX_O_REG &&
                  ptx_type_bytes((enum ptx_type)m->type[0]) == 4 &&
                  ptx_type_bytes((enum ptx_type)m->type[1]) == 8 && !ptx_has(m, PTX_M_SAT) &&
                  ptx_type_kind((enum ptx_type)m->type[0]) != 'f' &&
                  ptx_type_kind((enum ptx_type)m->type[1]) != 'f';
    if (halves) {
        made = wir_maker_before(f, block, m->operand[1].reg, wir_index(f, made));
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

/* Before insns[at], the lower 32 bits of a register; the register itself where it has no more. */
static struct ptx_operand
lower_half(struct opt *o, uint32_t at, const struct ptx_insn *like, const struct ptx_operand *from)
{
    const struct wir_reg *r = from->kind == PTX_O_REG ? &o->edit.f->regs[from->reg] : NULL;
    if (!r ||
        ptx_type_bytes((enum ptx_type)r->type) <= ptx_type_bytes((enum ptx_type)like->type[0]))
        return *from;
    struct ptx_operand to = {.kind = PTX_O_REG,
                             .reg = wir_edit_register(&o->edit, PTX_B32, r->name)};
    struct ptx_operand operand[] = {to, *from};
    struct ptx_insn cut = {.op = PTX_OP_CVT,
                           .type_count = 2,
                           .type = {PTX_U32, PTX_U64},
                           .vec = 1,
                           .operand_count = 2,
                           .guard = PTX_NO_REG,
                           .operand = operand,
                           .line = like->line,
                           .column = like->column,
                           .loc = like->loc};
    wir_edit_before(&o->edit, at, &cut);
    return to;
}

/* insns[at] compares what `made` has made of two numbers: each is compared by itself. */
static void
split(struct opt *o, uint32_t at, const struct ptx_insn *made, bool both)
{
    struct ptx_insn p = o->edit.f->insns[at].i, join = p;
    const char *name = o->edit.f->regs[p.operand[0].reg].name;
    struct ptx_operand result[3] = {p.operand[0]};
    for (unsigned k = 0; k < 2; k++) {
        struct ptx_operand operand[3] = {p.operand[0], lower_half(o, at, &p, &made->operand[1 + k]),
                                         p.operand[2]};
        operand[0].reg = wir_edit_register(&o->edit, PTX_PRED, name);
        result[1 + k] = operand[0];
        struct ptx_insn one = p;
        one.operand = operand;
        wir_edit_before(&o->edit, at, &one);
    }
    join.op = both ? PTX_OP_AND : PTX_OP_OR;
    join.type[0] = PTX_PRED;
    memset(join.mods, 0, sizeof join.mods);
    memset(join.order, 0, sizeof join.order);
    join.operand = result;
    wir_edit_replace(&o->edit, at, &join);
}

OPT_PASS(SPLIT_COMPARE)
{
    const struct wir *f = o->edit.f;
    for (uint32_t at = 0; at < f->insn_count; at++) {
        const struct ptx_insn *p = &f->insns[at].i;
        uint32_t block = f->chains.block_of[at];
        char kind = p->type_count ? ptx_type_kind((enum ptx_type)p->type[0]) : 0;
        int way = of_both(p);
        if (block == UINT32_MAX || !is_plain_compare(p) || !way || (kind != 's' && kind != 'u'))
            continue;
        const struct wir_insn *made = of_bits(p) ? or_before(f, p, block, at) : NULL;
        bool greater = made; /* an or is below a power of two where the greater number is */
        if (!greater)
            made = wir_maker_before(f, block, p->operand[1].reg, at);
        if (!made || (!greater && !is_choice(&made->i, p)))
            continue;
        uint32_t n = wir_index(f, made);
        if (!wir_same_since(f, &made->i.operand[1], n, at) ||
            !wir_same_since(f, &made->i.operand[2], n, at)) {
            opt_missed(o, at, "one of the two numbers is written in between");
            continue;
        }
        opt_fired(o, at, "%s of two numbers",
                  greater                    ? "or"
                  : made->i.op == PTX_OP_MAX ? "max"
                                             : "min");
        split(o, at, &made->i, (way > 0) == (greater || made->i.op == PTX_OP_MAX));
    }
}
