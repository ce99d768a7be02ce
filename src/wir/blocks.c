/* SPDX-License-Identifier: Apache-2.0
 *
 * blocks.c: a flat list of instructions becomes blocks; order.c puts them in order, webs.c splits
 * registers. Start at wir_cut, which reads as the table of contents.
 */
#include "wir/wir_priv.h"

#include <string.h>

/* -- cutting ----------------------------------------------------------------------------------- */

static bool
is_barrier(const struct ptx_insn *i)
{
    bool arrives = ptx_has(i, PTX_M_ARRIVE);
    return ((i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER) && !arrives) ||
           (i->op == PTX_OP_BARRIER_CLUSTER && ptx_has(i, PTX_M_WAIT));
}

bool
wir_ends_block(const struct ptx_insn *i)
{
    return i->op == PTX_OP_BRA || i->op == PTX_OP_BRX || i->op == PTX_OP_RET ||
           i->op == PTX_OP_EXIT || i->op == PTX_OP_TRAP || is_barrier(i);
}

bool
wir_syncs(const struct ptx_insn *i)
{
    return i->op == PTX_OP_BAR_WARP || (ptx_op_is(i->op, PTX_LANES) && ptx_has(i, PTX_M_SYNC));
}

/* Arithmetic can be done for all lanes and kept for some; what reads or writes memory, calls or
 * waits needs a branch around it. */
bool
wir_needs_branch(const struct ptx_insn *i)
{
    return ptx_op_is(i->op, PTX_BRANCHED);
}

bool
wir_gives_way(const struct ptx_insn *i)
{
    if (i->op == PTX_OP_WMMA)
        return ptx_has(i, PTX_M_LOAD) || ptx_has(i, PTX_M_STORE);
    bool own =
        i->space == PTX_SPACE_PARAM || i->space == PTX_SPACE_LOCAL || i->space == PTX_SPACE_CONST;
    return ptx_op_is(i->op, PTX_YIELDS) && !(own && ptx_op_is(i->op, PTX_BY_SPACE));
}

bool
wir_votes(const struct ptx_insn *i)
{
    return (i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER) && ptx_has(i, PTX_M_RED);
}

bool
wir_is_parameter(const struct wir *f, const struct ptx_operand *o)
{
    return o->kind == PTX_O_ADDRESS && o->base_kind == PTX_BASE_VAR && o->var && o->var->func &&
           f->vars[o->var->index].place == WIR_KERNEL_PARAM;
}

struct cut {
    struct flat *b;
    struct wir *f;
    uint32_t *block_at;    /* per instruction: the block that begins there, UINT32_MAX: none */
    bool *labelled;        /* per instruction: a label stands before it */
    struct wir_block *raw; /* in text order */
    uint32_t count;
    uint32_t exit_block; /* an empty block that only exits; made when needed */
};

static uint32_t
label_block(struct cut *c, uint32_t label)
{
    uint32_t at = c->b->labels.at[label];
    return at < c->b->insns.count ? c->block_at[at] : c->exit_block;
}

static void
mark_leaders(struct cut *c)
{
    struct flat *b = c->b;
    size_t n = b->insns.count;
    memset(c->block_at, 0xff, sizeof *c->block_at * (n + 1));
    c->block_at[0] = 0;
    for (size_t k = 0; k < n; k++) {
        if (wir_ends_block(&b->insns.at[k].i))
            c->block_at[k + 1] = 0;
        if (wir_syncs(&b->insns.at[k].i) || (b->scheduled && wir_gives_way(&b->insns.at[k].i)))
            c->block_at[k] = 0;
    }
    for (size_t k = 0; k < b->labels.count; k++)
        if (b->labels.at[k] < n) {
            c->block_at[b->labels.at[k]] = 0;
            c->labelled[b->labels.at[k]] = true;
        }
    c->count = 0;
    for (size_t k = 0; k < n; k++)
        if (c->block_at[k] == 0)
            c->block_at[k] = c->count++;
    c->exit_block = c->count++;
    c->block_at[n] = c->exit_block;
}

static void
set_succ(struct cut *c, struct wir_block *blk, uint32_t n, uint32_t first, uint32_t second)
{
    blk->succ = ARENA_ARRAY(&c->f->arena, uint32_t, n ? n : 1);
    blk->succ_count = n;
    if (n > 0)
        blk->succ[0] = first;
    if (n > 1)
        blk->succ[1] = second;
}

/* The block that runs behind position `at`: where the text is the warp IR's, a jump there that no
 * label stands before is not an instruction but where the one at `at` goes on. */
static uint32_t
block_behind(const struct cut *c, uint32_t at)
{
    const struct flat *b = c->b;
    const struct ptx_insn *i = at + 1 < b->insns.count ? &b->insns.at[at + 1].i : NULL;
    bool jump = b->wir->module->is_wir && i && i->op == PTX_OP_BRA && i->guard == PTX_NO_REG &&
                !c->labelled[at + 1];
    return jump ? label_block((struct cut *)c, i->operand[0].label) : c->block_at[at + 1];
}

/* The block's end, from its last instruction `i` at position `at`. */
static void
set_end(struct cut *c, struct wir_block *blk, uint32_t at)
{
    const struct ptx_insn *i = &c->b->insns.at[at].i;
    uint32_t next = block_behind(c, at);
    blk->end_insn = at;
    blk->count--;
    bool guarded = i->guard != PTX_NO_REG;
    if (i->op == PTX_OP_BRA || i->op == PTX_OP_RET || i->op == PTX_OP_EXIT) {
        uint32_t to = i->op == PTX_OP_BRA ? label_block(c, i->operand[0].label) : c->exit_block;
        if (guarded && to != next) {
            blk->end = WIR_BRANCH;
            blk->guard = i->guard;
            blk->guard_negated = i->guard_negated;
            set_succ(c, blk, 2, to, next);
        } else {
            blk->end = WIR_JUMP;
            set_succ(c, blk, 1, to, 0);
        }
    } else if (i->op == PTX_OP_BRX) {
        blk->end = WIR_SWITCH;
        set_succ(c, blk, i->operand[1].count, 0, 0);
        for (uint32_t k = 0; k < blk->succ_count; k++)
            blk->succ[k] = label_block(c, i->operand[1].elements[k].label);
    } else if (i->op == PTX_OP_TRAP) {
        blk->end = WIR_TRAP;
        set_succ(c, blk, 0, 0, 0);
    } else {
        blk->end = WIR_BARRIER;
        set_succ(c, blk, 1, next, 0);
    }
}

static void
make_blocks(struct cut *c)
{
    size_t n = c->b->insns.count;
    c->raw = ARENA_ARRAY(&c->f->arena, struct wir_block, c->count);
    for (size_t k = 0; k < n;) {
        struct wir_block *blk = &c->raw[c->block_at[k]];
        blk->first = (uint32_t)k;
        blk->end_insn = UINT32_MAX;
        blk->sync = wir_syncs(&c->b->insns.at[k].i);
        do {
            blk->count++;
            k++;
        } while (k < n && c->block_at[k] == UINT32_MAX);
        if (wir_ends_block(&c->b->insns.at[k - 1].i)) {
            set_end(c, blk, (uint32_t)k - 1);
        } else {
            blk->end = WIR_JUMP;
            set_succ(c, blk, 1, c->block_at[k], 0);
        }
    }
    struct wir_block *exit = &c->raw[c->exit_block];
    exit->first = (uint32_t)n;
    exit->end = WIR_EXIT;
    exit->end_insn = UINT32_MAX;
    set_succ(c, exit, 0, 0, 0);
}

/* -- atomics whose result nobody reads --------------------------------------------------------- */

struct unread {
    uint64_t *read; /* set of registers */
    bool some;
};

static void
note_read(struct ptx_operand *o, bool write, void *context)
{
    struct unread *u = context;
    if (!write)
        set_add(u->read, o->reg);
}

static void
find_read_result(struct ptx_operand *o, bool write, void *context)
{
    struct unread *u = context;
    u->some |= write && set_has(u->read, o->reg);
}

/* Compilers write `atom` where `red` would do. A red need not be waited for, cannot poll, and may
 * be combined with others before it reaches memory. */
static void
atoms_to_reds(struct wir *f, uint32_t reg_count)
{
    struct unread u = {.read = ls_alloc(sizeof(uint64_t) * (reg_count / 64 + 1))};
    for (uint32_t k = 0; k < f->insn_count; k++)
        wir_visit(&f->insns[k], note_read, &u);
    for (uint32_t k = 0; k < f->insn_count; k++) {
        struct ptx_insn *i = &f->insns[k].i;
        if (i->op != PTX_OP_ATOM)
            continue;
        u.some = false;
        wir_visit(&f->insns[k], find_read_result, &u);
        if (u.some)
            continue;
        i->op = PTX_OP_RED;
        i->operand++;
        i->operand_count--;
    }
    ls_release(u.read);
}

/* A loop waits when it may be polling what another warp writes. */
static bool
may_poll(const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_ATOM:
    case PTX_OP_NANOSLEEP:
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE:
    case PTX_OP_TCGEN05_ALLOC:
    case PTX_OP_MBARRIER: return true;
    case PTX_OP_WGMMA_FENCE:
    case PTX_OP_WGMMA_WAIT_GROUP:
        return i->operand_count && i->operand[0].kind == PTX_O_REG; /* whether all have come */
    case PTX_OP_LD:
        return ptx_has(i, PTX_M_VOLATILE) || ptx_has(i, PTX_M_RELAXED) ||
               ptx_has(i, PTX_M_ACQUIRE) || ptx_has(i, PTX_M_CV);
    default: return false;
    }
}

/* Of what may poll: whether another block, or another cluster, may change what is polled. Warps of
 * a warpgroup, and who writes shared memory, belong to the block or to its cluster; exec gives each
 * block a tensor memory, of which no other one takes columns; a fence of a proxy orders no access
 * of other threads. */
static bool
polls_outside(const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_MBARRIER:
    case PTX_OP_TCGEN05_ALLOC:
    case PTX_OP_WGMMA_FENCE:
    case PTX_OP_WGMMA_WAIT_GROUP: return false;
    case PTX_OP_FENCE: return !ptx_has(i, PTX_M_PROXY);
    default: return i->space != PTX_SPACE_SHARED && i->space != PTX_SPACE_SHARED_CLUSTER;
    }
}

static void
mark_waiting_loops(struct wir *f)
{
    for (uint32_t b = 0; b < f->block_count; b++) {
        bool polls = false, outside = false;
        for (uint32_t k = 0; k < f->blocks[b].count; k++) {
            const struct ptx_insn *i = &f->insns[f->blocks[b].first + k].i;
            polls |= may_poll(i);
            outside |= may_poll(i) && polls_outside(i);
        }
        for (uint32_t l = f->blocks[b].loop; polls && l != UINT32_MAX; l = f->loops[l].parent) {
            f->loops[l].waits = true;
            f->loops[l].outside |= outside;
        }
    }
}

void
wir_all_wait(struct wir *f)
{
    for (uint32_t l = 0; l < f->loop_count; l++)
        f->loops[l].waits = true;
}

/* -- the whole --------------------------------------------------------------------------------- */

bool
wir_cut(struct flat *b)
{
    struct wir *f = b->wir;
    struct cut c = {.b = b, .f = f};
    f->insn_count = (uint32_t)b->insns.count;
    f->insns = ARENA_ARRAY(&f->arena, struct wir_insn, f->insn_count + 1);
    c.block_at = ls_alloc(sizeof *c.block_at * (f->insn_count + 2));
    c.labelled = ls_alloc(f->insn_count + 1);
    mark_leaders(&c);
    make_blocks(&c);
    if (f->insn_count)
        memcpy(f->insns, b->insns.at, sizeof *f->insns * f->insn_count);
    wir_order(f, c.raw, c.count);
    ls_release(c.block_at);
    ls_release(c.labelled);
    if (!b->debug)
        atoms_to_reds(f, (uint32_t)b->regs.count);
    mark_waiting_loops(f);
    if (!b->debug) {
        wir_split_webs(b);
        wir_name_parameters(b);
    }
    f->reg_count = (uint32_t)b->regs.count;
    f->regs = ARENA_ARRAY(&f->arena, struct wir_reg, f->reg_count + 1);
    if (f->reg_count)
        memcpy(f->regs, b->regs.at, sizeof *f->regs * f->reg_count);
    wir_chain(f);
    wir_find_live(f);
    f->var_count = (uint32_t)b->vars.count;
    f->vars = ARENA_ARRAY(&f->arena, struct wir_var, f->var_count + 1);
    if (f->var_count)
        memcpy(f->vars, b->vars.at, sizeof *f->vars * f->var_count);
    return true;
}
