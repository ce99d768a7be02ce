/* SPDX-License-Identifier: Apache-2.0
 *
 * opt/uniform_inductions.c: indices that a loop with barriers steps on by as much in all threads.
 *
 *     mad.lo.s32 %i, %ty, %n, %tx             mad.lo.s32 %i, %ty, %n, %tx;  mov.b32 %t, 0
 *     loop:                                   loop:
 *         mul.wide.s32 %a, %i, 4                  add.s32 %j, %i, %t
 *         ...                                     mul.wide.s32 %a, %j, 4
 *         bar.sync 0                              bar.sync 0
 *         add.s32 %i, %i, %step                   add.s32 %t, %t, %step
 *
 * Such an index is a vector of each warp that goes to its frame and back at every barrier. Apart,
 * what the thread decides does not change in the loop, and what changes is one number for the whole
 * block: of both more is known than of their sum (versions/speculate.c).
 */
#include "jit/opt/opt.h"

#include <string.h>

/* -- which registers --------------------------------------------------------------------------- */

/* `add %r, %r, step`: the operand that is the step; 0: none. */
static unsigned
step_operand(const struct wir *f, uint32_t n, uint32_t reg)
{
    const struct ptx_insn *p = &f->insns[n].i;
    char kind = p->type_count == 1 ? ptx_type_kind((enum ptx_type)p->type[0]) : 0;
    if ((p->op != PTX_OP_ADD && p->op != PTX_OP_SUB) || p->guard != PTX_NO_REG ||
        p->operand_count != 3 || (kind != 's' && kind != 'u' && kind != 'b') ||
        ptx_has(p, PTX_M_SAT) || ptx_has(p, PTX_M_CC))
        return 0;
    for (unsigned k = 1; k <= (p->op == PTX_OP_ADD ? 2u : 1u); k++) {
        const struct ptx_operand *own = &p->operand[k], *step = &p->operand[3 - k];
        if (own->kind == PTX_O_REG && own->reg == reg && !own->negated && !own->part &&
            !step->negated && !step->part && opt_uniform(f, step))
            return 3 - k;
    }
    return 0;
}

/* All of its uses can be renamed. */
static bool
has_plain_uses(const struct wir *f, uint32_t reg)
{
    struct span readers = wir_readers(f, reg);
    bool all = true;
    for (uint32_t k = 0; k < readers.count; k++)
        all &= opt_may_rename(f, readers.at[k], reg);
    return all;
}

/* The instruction that gives the register its value before the loop; UINT32_MAX: it is not such an
 * index. */
static uint32_t
induction_start(const struct wir *f, uint32_t reg)
{
    struct span writers = wir_writers(f, reg);
    unsigned bytes = ptx_type_bytes((enum ptx_type)f->regs[reg].type);
    uint32_t start = UINT32_MAX, steps = 0;
    if (writers.count < 2 || f->regs[reg].param || (bytes != 4 && bytes != 8) ||
        set_has(f->blocks[0].live_in, reg))
        return UINT32_MAX;
    for (uint32_t k = 0; k < writers.count; k++) {
        uint32_t n = writers.at[k], b = f->chains.block_of[n];
        bool there = b != UINT32_MAX, inside = there && wir_barrier_loop(f, b) != UINT32_MAX;
        if (inside && step_operand(f, n, reg))
            steps++;
        else if (there && !inside && start == UINT32_MAX)
            start = n;
        else
            return UINT32_MAX;
    }
    bool found = steps && start != UINT32_MAX && has_plain_uses(f, reg);
    const struct ptx_insn *p = found ? &f->insns[start].i : NULL;
    return found && p->guard == PTX_NO_REG && !opt_makes_uniform(f, p) ? start : UINT32_MAX;
}

/* -- taking them apart ------------------------------------------------------------------------- */

struct inductions {
    struct opt *o;
    uint32_t *uniform; /* per register: what steps on for it; UINT32_MAX: it stays as it is */
    uint32_t *start;   /* per instruction: the register that it gives its first value; likewise */
};

static enum ptx_type
bits_of(const struct wir *f, uint32_t reg)
{
    return ptx_type_bytes((enum ptx_type)f->regs[reg].type) == 8 ? PTX_B64 : PTX_B32;
}

static void
begin(const struct inductions *x, uint32_t n, uint32_t reg)
{
    struct ptx_operand operand[2] = {{.kind = PTX_O_REG, .reg = x->uniform[reg]},
                                     {.kind = PTX_O_INT, .imm = 0}};
    opt_put(x->o, n, PTX_OP_MOV, bits_of(x->o->edit.f, reg), operand, 2);
}

/* The sum, in a register of its own. */
static uint32_t
join(const struct inductions *x, uint32_t n, uint32_t reg)
{
    struct wir_edit *e = &x->o->edit;
    bool wide = bits_of(e->f, reg) == PTX_B64;
    uint32_t sum = wir_edit_register(e, wide ? PTX_B64 : PTX_B32, e->f->regs[reg].name);
    struct ptx_operand operand[3] = {{.kind = PTX_O_REG, .reg = sum},
                                     {.kind = PTX_O_REG, .reg = reg},
                                     {.kind = PTX_O_REG, .reg = x->uniform[reg]}};
    opt_put(x->o, n, PTX_OP_ADD, wide ? PTX_S64 : PTX_S32, operand, 3);
    return sum;
}

/* Registers in the operands of insns[n] are joined; those of a step stand for themselves. */
static void
rewrite(const struct inductions *x, uint32_t n)
{
    const struct wir *f = x->o->edit.f;
    struct opt_renamed r = opt_rename_begin(f, n);
    struct span uses = wir_uses(f, n), defs = wir_defs(f, n);
    uint32_t to = defs.count == 1 ? defs.at[0] : UINT32_MAX;
    bool steps = to != UINT32_MAX && x->uniform[to] != UINT32_MAX && x->start[n] != to;
    for (uint32_t u = 0; u < uses.count; u++) {
        uint32_t reg = uses.at[u];
        if (x->uniform[reg] != UINT32_MAX)
            opt_rename(&r, reg, steps ? x->uniform[reg] : join(x, n, reg));
    }
    opt_rename_end(x->o, n, &r);
}

OPT_PASS(UNIFORM_INDUCTIONS)
{
    const struct wir *f = o->edit.f;
    struct inductions x = {.o = o};
    x.uniform = ls_alloc(sizeof *x.uniform * (f->reg_count + 1));
    x.start = ls_alloc(sizeof *x.start * (f->insn_count + 1));
    memset(x.uniform, 0xff, sizeof *x.uniform * (f->reg_count + 1));
    memset(x.start, 0xff, sizeof *x.start * (f->insn_count + 1));
    for (uint32_t reg = 0; reg < f->reg_count; reg++) {
        uint32_t n = induction_start(f, reg);
        if (n == UINT32_MAX || x.start[n] != UINT32_MAX)
            continue;
        x.start[n] = reg;
        x.uniform[reg] = wir_edit_register(&o->edit, bits_of(f, reg), f->regs[reg].name);
        opt_fired(o, n, "the loop's steps are counted once for the block");
    }
    for (uint32_t n = 0; n < f->insn_count; n++) {
        if (x.start[n] != UINT32_MAX)
            begin(&x, n, x.start[n]);
        rewrite(&x, n);
    }
    ls_release(x.uniform);
    ls_release(x.start);
}
