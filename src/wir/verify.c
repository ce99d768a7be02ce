/* SPDX-License-Identifier: Apache-2.0
 *
 * verify.c: whether a kernel is in the normal form of wir.h, rule by rule, each with its own
 * message. The compile of debug and sanitizer builds asks after every pass that changes the warp
 * IR.
 */
#include "wir/wir_priv.h"

#include <string.h>

struct verify {
    const struct wir *f;
    struct ls_error *err;
    bool fine;
};

static void fail(struct verify *v, uint32_t b, uint32_t n, const char *what) __attribute__((cold));
static void
fail(struct verify *v, uint32_t b, uint32_t n, const char *what)
{
    const struct wir *f = v->f;
    if (!v->fine)
        return;
    v->fine = false;
    if (n < f->insn_count)
        ls_fail(v->err, LS_ERR_INTERNAL, "%s: b%u, %s of line %u: %s", f->kernel->name, b,
                ptx_op_name((enum ptx_op)f->insns[n].i.op), f->insns[n].i.line, what);
    else
        ls_fail(v->err, LS_ERR_INTERNAL, "%s: b%u: %s", f->kernel->name, b, what);
}

static void
require(struct verify *v, bool holds, uint32_t b, uint32_t n, const char *what)
{
    if (!holds)
        fail(v, b, n, what);
}

/* -- blocks ------------------------------------------------------------------------------------ */

static bool
has_pred(const struct wir_block *blk, uint32_t b)
{
    for (uint32_t k = 0; k < blk->pred_count; k++)
        if (blk->pred[k] == b)
            return true;
    return false;
}

static bool
is_in_loop(const struct wir *f, uint32_t b, uint32_t loop)
{
    return b >= f->loops[loop].head && b <= f->loops[loop].last;
}

/* An edge leads forwards, or to the head of a loop around it. */
static bool
is_ordered(const struct wir *f, uint32_t from, uint32_t to)
{
    if (to > from)
        return true;
    for (uint32_t l = f->blocks[from].loop; l != UINT32_MAX; l = f->loops[l].parent)
        if (f->loops[l].head == to)
            return true;
    return false;
}

static void
verify_edges(struct verify *v, uint32_t b)
{
    static const int8_t successors[] = {[WIR_JUMP] = 1, [WIR_BRANCH] = 2,  [WIR_SWITCH] = -1,
                                        [WIR_EXIT] = 0, [WIR_BARRIER] = 1, [WIR_TRAP] = 0};
    const struct wir *f = v->f;
    const struct wir_block *blk = &f->blocks[b];
    int most = blk->end < sizeof successors ? successors[blk->end] : -2;
    require(v, most == -1 || most == (int)blk->succ_count, b, UINT32_MAX,
            "its end asks for other successors");
    for (uint32_t k = 0; v->fine && k < blk->succ_count; k++) {
        require(v, blk->succ[k] < f->block_count, b, UINT32_MAX, "a successor that is no block");
        require(v, !v->fine || has_pred(&f->blocks[blk->succ[k]], b), b, UINT32_MAX,
                "a successor does not name it as a predecessor");
        require(v, !v->fine || is_ordered(f, b, blk->succ[k]), b, UINT32_MAX,
                "an edge leads back to no head of a loop around it");
    }
    require(v,
            blk->loop == UINT32_MAX || (blk->loop < f->loop_count && is_in_loop(f, b, blk->loop)),
            b, UINT32_MAX, "its loop does not hold it");
}

static void
verify_end(struct verify *v, uint32_t b)
{
    const struct wir *f = v->f;
    const struct wir_block *blk = &f->blocks[b];
    const struct wir_insn *i = blk->end_insn != UINT32_MAX ? &f->insns[blk->end_insn] : NULL;
    require(v, !i || blk->end_insn == blk->first + blk->count, b, blk->end_insn,
            "does not stand last");
    require(v, !i || wir_ends_block(&i->i), b, blk->end_insn, "does not end a block");
    bool needs = blk->end == WIR_BRANCH || blk->end == WIR_SWITCH || blk->end == WIR_BARRIER ||
                 blk->end == WIR_TRAP;
    require(v, i || !needs, b, UINT32_MAX, "no instruction ends it");
    if (blk->end == WIR_BRANCH)
        require(v,
                i && blk->guard < f->reg_count && blk->guard == i->i.guard &&
                    f->regs[blk->guard].type == PTX_PRED,
                b, blk->end_insn, "no predicate decides the branch");
}

/* -- instructions ------------------------------------------------------------------------------ */

struct operands {
    struct verify *v;
    uint32_t b, n;
};

static void
verify_register(struct ptx_operand *o, bool write, void *operands)
{
    struct operands *at = operands;
    (void)write;
    require(at->v, o->reg < at->v->f->reg_count, at->b, at->n,
            "a register that is none of the kernel's");
}

static void
verify_variables(struct verify *v, uint32_t b, uint32_t n, const struct ptx_operand *o)
{
    const struct wir *f = v->f;
    bool names = (o->kind == PTX_O_SYMBOL || o->kind == PTX_O_ADDRESS) && o->var && o->var->func &&
                 (o->var->space == PTX_SPACE_SHARED || o->var->space == PTX_SPACE_LOCAL ||
                  o->var->space == PTX_SPACE_PARAM);
    require(v, !names || (o->var->index < f->var_count && f->vars[o->var->index].var == o->var), b,
            n, "a variable that is none of the kernel's");
    for (uint32_t k = 0; k < o->count && o->elements; k++)
        verify_variables(v, b, n, &o->elements[k]);
}

static void
verify_tells(struct verify *v, uint32_t b, uint32_t n)
{
    const struct wir_insn *i = &v->f->insns[n];
    require(v, i->tells & TELL_ACCESS || !(i->tells & TELL_ACCESSES), b, n,
            "a tool is told how it accesses memory, and not that it does");
    require(v, !(i->tells & TELL_COMPARE) || (i->i.op == PTX_OP_SETP && i->i.operand_count > 2), b,
            n, "a tool is told what it compares, and it compares nothing");
    require(v, !i->added || !(i->tells & ~(unsigned)TELL_SYNC), b, n,
            "a tool is told of it, and of the instruction that it was added to");
}

static void
verify_insn(struct verify *v, uint32_t b, uint32_t n)
{
    const struct wir *f = v->f;
    const struct ptx_insn *i = &f->insns[n].i;
    bool first = n == f->blocks[b].first, last = n == f->blocks[b].end_insn;
    require(v, f->chains.block_of[n] == b, b, n, "the chains have it in another block");
    require(v, last || !wir_ends_block(i), b, n, "ends a block, and does not stand last");
    require(v, first || !wir_syncs(i), b, n,
            "waits for lanes of its warp, and does not stand first");
    require(v, !first || f->blocks[b].sync == wir_syncs(i), b, n,
            "the block does not know whether it waits");
    require(v, i->guard == PTX_NO_REG || last || !wir_needs_branch(i), b, n,
            "needs a branch around it, not a guard");
    require(v,
            i->guard == PTX_NO_REG ||
                (i->guard < f->reg_count && f->regs[i->guard].type == PTX_PRED),
            b, n, "its guard is no predicate");
    verify_tells(v, b, n);
    wir_visit(&f->insns[n], verify_register, &(struct operands){v, b, n});
    for (uint32_t k = 0; k < i->operand_count; k++)
        verify_variables(v, b, n, &i->operand[k]);
}

/* -- chains and live ranges -------------------------------------------------------------------- */

struct found {
    struct span defs, uses;
    uint32_t def, use;
    bool same;
};

static void
compare_operand(struct ptx_operand *o, bool write, void *found)
{
    struct found *x = found;
    if (write)
        x->same &= x->def < x->defs.count && x->defs.at[x->def] == o->reg;
    x->def += write;
    x->use += !write;
}

/* Before insns[n] of block b. */
static bool
is_alive(const struct wir *f, uint32_t b, uint32_t reg, uint32_t n)
{
    return set_has(f->blocks[b].live_in, reg) ||
           wir_last_writer(f, reg, f->blocks[b].first, n) != UINT32_MAX;
}

static void
verify_chains(struct verify *v, uint32_t b, uint32_t n)
{
    const struct wir *f = v->f;
    struct found x = {.defs = wir_defs(f, n), .uses = wir_uses(f, n), .same = true};
    wir_visit(&f->insns[n], compare_operand, &x);
    require(v, x.same && x.def == x.defs.count && x.use == x.uses.count, b, n,
            "the chains are of another instruction");
    for (uint32_t k = 0; v->fine && k < x.defs.count; k++)
        require(v, wir_last_writer(f, x.defs.at[k], n, n + 1) == n, b, n,
                "its result's register does not name it as a writer");
    for (uint32_t k = 0; v->fine && k < x.uses.count; k++)
        require(v, is_alive(f, b, x.uses.at[k], n), b, n, "reads a register that is not alive");
}

/* What is alive where successors begin is so where the block ends. */
static void
verify_live(struct verify *v, uint32_t b)
{
    const struct wir *f = v->f;
    for (uint32_t s = 0; s < f->blocks[b].succ_count; s++)
        for (uint32_t w = 0; w < f->reg_words; w++)
            for (uint64_t live = f->blocks[f->blocks[b].succ[s]].live_in[w]; live; live &= live - 1)
                require(
                    v,
                    is_alive(f, b, w * 64 + (uint32_t)__builtin_ctzll(live), wir_block_end(f, b)),
                    b, UINT32_MAX,
                    "a register is alive behind the block, and neither before it nor written in "
                    "it");
}

bool
wir_verify(const struct wir *f, struct ls_error *err)
{
    struct verify v = {f, err, true};
    for (uint32_t b = 0; v.fine && b < f->block_count; b++) {
        const struct wir_block *blk = &f->blocks[b];
        require(&v, blk->first <= f->insn_count && blk->count <= f->insn_count - blk->first, b,
                UINT32_MAX, "its instructions are none of the kernel's");
        if (v.fine)
            verify_edges(&v, b);
        if (v.fine)
            verify_end(&v, b);
        for (uint32_t n = blk->first; v.fine && n < wir_block_end(f, b); n++) {
            verify_insn(&v, b, n);
            if (v.fine)
                verify_chains(&v, b, n);
        }
        if (v.fine)
            verify_live(&v, b);
    }
    return v.fine;
}
