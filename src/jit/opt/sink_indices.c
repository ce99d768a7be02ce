/* SPDX-License-Identifier: Apache-2.0
 *
 * opt/sink_indices.c: indices from before a loop with barriers.
 *
 *     mul.lo.s32 %a, %y, %n                   loop:
 *     add.s32    %i, %a, %x                       @!%p bra on
 *     loop:                                       mul.lo.s32 %a, %y, %n
 *         @!%p bra on                             add.s32    %i, %a, %x
 *         add.s32    %j, %i, %k                   add.s32    %j, %i, %k
 *
 * A front end computes y * n + x once, in front of the loop; here that is a vector of each warp,
 * which goes to its frame and back at every barrier. Of y, n and x scalars are kept; where the
 * index is used it is a sum of products of these (versions/speculate.c), or two or three
 * instructions.
 */
#include "jit/opt/opt.h"

enum {
    DEPTH = 8,
    MOST_VECTORS = 3, /* instructions of 32 lanes, rather than a vector in each frame */
};

/* What a register is made of. */
enum made {
    MADE_OTHER,
    MADE_SCALAR, /* what all threads agree on, the thread's coordinates, sums of these, and bits and
                    multiples by numbers of the text */
    MADE_PRODUCT /* sums of products of such */
};

static enum made make_of(const struct wir *f, const struct ptx_operand *o, unsigned depth,
                         unsigned *vectors);

static bool
is_word(const struct ptx_insn *p)
{
    char kind = p->type_count == 1 ? ptx_type_kind((enum ptx_type)p->type[0]) : 0;
    return (kind == 's' || kind == 'u' || kind == 'b') &&
           ptx_type_bytes((enum ptx_type)p->type[0]) == 4 && p->guard == PTX_NO_REG &&
           !ptx_has(p, PTX_M_SAT) && !ptx_has(p, PTX_M_CC) && !ptx_has(p, PTX_M_HI);
}

/* Of a product: one factor is uniform. vectors: instructions that make it out of scalars. */
static enum made
make_of_insn(const struct wir *f, const struct ptx_insn *p, unsigned depth, unsigned *vectors)
{
    enum made in[3] = {MADE_SCALAR, MADE_SCALAR, MADE_SCALAR};
    bool scalars = true;
    if (p->operand_count < 2 || p->operand_count > 4 || !is_word(p))
        return MADE_OTHER;
    for (unsigned k = 1; k < p->operand_count; k++) {
        in[k - 1] = make_of(f, &p->operand[k], depth + 1, vectors);
        if (in[k - 1] == MADE_OTHER)
            return MADE_OTHER;
        scalars &= in[k - 1] == MADE_SCALAR;
    }
    const struct ptx_operand *x = &p->operand[1], *y = &p->operand[2];
    bool number = p->operand_count > 2 && (x->kind == PTX_O_INT || y->kind == PTX_O_INT);
    switch (p->op) {
    case PTX_OP_MOV: return in[0];
    case PTX_OP_ADD:
    case PTX_OP_SUB: break;
    case PTX_OP_SHL: return y->kind != PTX_O_INT ? MADE_OTHER : in[0];
    case PTX_OP_SHR:
    case PTX_OP_AND: return number && scalars ? MADE_SCALAR : MADE_OTHER;
    case PTX_OP_MUL:
    case PTX_OP_MAD:
        if (!number && !opt_uniform(f, x) && !opt_uniform(f, y))
            return MADE_OTHER;
        scalars &= number;
        break;
    default: return MADE_OTHER;
    }
    *vectors += !scalars;
    return scalars ? MADE_SCALAR : MADE_PRODUCT;
}

static enum made
make_of(const struct wir *f, const struct ptx_operand *o, unsigned depth, unsigned *vectors)
{
    if (opt_uniform(f, o) || (o->kind == PTX_O_SREG && ptx_sreg_is_thread((enum ptx_sreg)o->sreg)))
        return MADE_SCALAR;
    const struct wir_insn *i =
        o->kind == PTX_O_REG && !o->negated && !o->part ? wir_only_writer(f, o->reg) : NULL;
    return i && depth < DEPTH ? make_of_insn(f, &i->i, depth, vectors) : MADE_OTHER;
}

/* Before insns[n], what makes the register once more, out of scalars: in which register it is. */
static uint32_t
compute(struct opt *o, uint32_t n, uint32_t reg)
{
    const struct wir *f = o->edit.f;
    const struct ptx_insn *p = &wir_only_writer(f, reg)->i;
    const struct ptx_operand self = {.kind = PTX_O_REG, .reg = reg};
    unsigned vectors = 0;
    struct ptx_operand operand[4] = {self};
    if (make_of(f, &self, 0, &vectors) == MADE_SCALAR)
        return reg;
    for (unsigned k = 1; k < p->operand_count; k++) {
        operand[k] = p->operand[k];
        if (operand[k].kind == PTX_O_REG)
            operand[k].reg = compute(o, n, operand[k].reg);
    }
    operand[0].reg =
        wir_edit_register(&o->edit, (enum ptx_type)f->regs[reg].type, f->regs[reg].name);
    struct ptx_insn i = *p;
    i.operand = operand;
    wir_edit_before(&o->edit, n, &i);
    return operand[0].reg;
}

/* Whether insns[n], in a loop with barriers, uses such an index from before it. */
static bool
sinks(const struct wir *f, uint32_t n, uint32_t reg)
{
    const struct ptx_operand o = {.kind = PTX_O_REG, .reg = reg};
    uint32_t loop = wir_barrier_loop(f, f->chains.block_of[n]);
    const struct wir_insn *i = wir_only_writer(f, reg);
    uint32_t from = i ? f->chains.block_of[wir_index(f, i)] : UINT32_MAX;
    unsigned vectors = 0;
    return loop != UINT32_MAX && from < f->loops[loop].head && opt_may_rename(f, n, reg) &&
           make_of(f, &o, 0, &vectors) == MADE_PRODUCT && vectors <= MOST_VECTORS;
}

OPT_PASS(SINK_INDICES)
{
    const struct wir *f = o->edit.f;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        if (f->chains.block_of[n] == UINT32_MAX)
            continue;
        struct span uses = wir_uses(f, n);
        struct opt_renamed r = opt_rename_begin(f, n);
        for (uint32_t u = 0; u < uses.count; u++)
            if (sinks(f, n, uses.at[u])) {
                opt_rename(&r, uses.at[u], compute(o, n, uses.at[u]));
                opt_fired(o, n, "an index from before the loop");
            }
        opt_rename_end(o, n, &r);
    }
}
