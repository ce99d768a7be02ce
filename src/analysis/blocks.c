/* SPDX-License-Identifier: Apache-2.0
 *
 * blocks.c: a flat list of instructions becomes blocks in weak topological order, with loops and
 * post-dominators; webs.c splits registers and finds live ranges. Start at flow_cut, which reads as the
 * table of contents.
 */
#include "analysis/flow_priv.h"

#include <string.h>

/* -- cutting --------------------------------------------------------------------------------------- */

static bool
is_barrier(const struct ptx_insn *i)
{
    bool arrives = ptx_has(i, PTX_M_ARRIVE);
    return ((i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER) && !arrives) ||
           (i->op == PTX_OP_BARRIER_CLUSTER && ptx_has(i, PTX_M_WAIT));
}

static bool
ends_block(const struct ptx_insn *i)
{
    return i->op == PTX_OP_BRA || i->op == PTX_OP_BRX || i->op == PTX_OP_RET ||
           i->op == PTX_OP_EXIT || i->op == PTX_OP_TRAP || is_barrier(i);
}

bool
flow_syncs(const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_BAR_WARP:
        return true;
    case PTX_OP_SHFL: case PTX_OP_VOTE: case PTX_OP_MATCH: case PTX_OP_REDUX: case PTX_OP_ELECT:
        return ptx_has(i, PTX_M_SYNC);
    default:
        return false;
    }
}

struct cut {
    struct flat *b;
    struct flow *f;
    uint32_t *block_at;   /* per instruction: the block that begins there, UINT32_MAX: none */
    struct flow_block *raw; /* in text order */
    uint32_t count;
    uint32_t exit_block;  /* an empty block that only exits; made when needed */
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
        if (ends_block(&b->insns.at[k].i))
            c->block_at[k + 1] = 0;
        if (flow_syncs(&b->insns.at[k].i))
            c->block_at[k] = 0;
    }
    for (size_t k = 0; k < b->labels.count; k++)
        if (b->labels.at[k] < n)
            c->block_at[b->labels.at[k]] = 0;
    c->count = 0;
    for (size_t k = 0; k < n; k++)
        if (c->block_at[k] == 0)
            c->block_at[k] = c->count++;
    c->exit_block = c->count++;
    c->block_at[n] = c->exit_block;
}

static void
set_succ(struct cut *c, struct flow_block *blk, uint32_t n, uint32_t first, uint32_t second)
{
    blk->succ = ARENA_ARRAY(&c->f->arena, uint32_t, n ? n : 1);
    blk->succ_count = n;
    if (n > 0)
        blk->succ[0] = first;
    if (n > 1)
        blk->succ[1] = second;
}

/* The block's end, from its last instruction `i` at position `at`. */
static void
set_end(struct cut *c, struct flow_block *blk, uint32_t at)
{
    const struct ptx_insn *i = &c->b->insns.at[at].i;
    uint32_t next = c->block_at[at + 1];
    blk->end_insn = at;
    blk->count--;
    bool guarded = i->guard != PTX_NO_REG;
    if (i->op == PTX_OP_BRA || i->op == PTX_OP_RET || i->op == PTX_OP_EXIT) {
        uint32_t to = i->op == PTX_OP_BRA ? label_block(c, i->operand[0].label) : c->exit_block;
        if (guarded && to != next) {
            blk->end = FLOW_BRANCH;
            blk->guard = i->guard;
            blk->guard_negated = i->guard_negated;
            set_succ(c, blk, 2, to, next);
        } else {
            blk->end = FLOW_JUMP;
            set_succ(c, blk, 1, to, 0);
        }
    } else if (i->op == PTX_OP_BRX) {
        blk->end = FLOW_SWITCH;
        set_succ(c, blk, i->operand[1].count, 0, 0);
        for (uint32_t k = 0; k < blk->succ_count; k++)
            blk->succ[k] = label_block(c, i->operand[1].elements[k].label);
    } else if (i->op == PTX_OP_TRAP) {
        blk->end = FLOW_TRAP;
        set_succ(c, blk, 0, 0, 0);
    } else {
        blk->end = FLOW_BARRIER;
        set_succ(c, blk, 1, next, 0);
    }
}

static void
make_blocks(struct cut *c)
{
    size_t n = c->b->insns.count;
    c->raw = ARENA_ARRAY(&c->f->arena, struct flow_block, c->count);
    for (size_t k = 0; k < n;) {
        struct flow_block *blk = &c->raw[c->block_at[k]];
        blk->first = (uint32_t)k;
        blk->end_insn = UINT32_MAX;
        blk->sync = flow_syncs(&c->b->insns.at[k].i);
        do {
            blk->count++;
            k++;
        } while (k < n && c->block_at[k] == UINT32_MAX);
        if (ends_block(&c->b->insns.at[k - 1].i)) {
            set_end(c, blk, (uint32_t)k - 1);
        } else {
            blk->end = FLOW_JUMP;
            set_succ(c, blk, 1, c->block_at[k], 0);
        }
    }
    struct flow_block *exit = &c->raw[c->exit_block];
    exit->first = (uint32_t)n;
    exit->end = FLOW_EXIT;
    exit->end_insn = UINT32_MAX;
    set_succ(c, exit, 0, 0, 0);
}

/* -- weak topological order ------------------------------------------------------------------------- */

struct order {
    struct cut *c;
    uint32_t *number;      /* depth-first number; 0: not visited; UINT32_MAX: placed */
    uint32_t *stack, top, visits;
    uint32_t *sequence, free; /* filled from the end: sequence[free..count) */
    VEC(struct flow_loop) loops; /* head, last as distances from the end */
};

static void order_component(struct order *o, uint32_t v);

static uint32_t
order_visit(struct order *o, uint32_t v)
{
    o->stack[o->top++] = v;
    o->number[v] = ++o->visits;
    uint32_t head = o->number[v];
    bool loop = false;
    const struct flow_block *blk = &o->c->raw[v];
    for (uint32_t k = 0; k < blk->succ_count; k++) {
        uint32_t u = blk->succ[k];
        uint32_t low = o->number[u] ? o->number[u] : order_visit(o, u);
        if (low <= head) {
            head = low;
            loop = true;
        }
    }
    if (head != o->number[v])
        return head;
    o->number[v] = UINT32_MAX;
    uint32_t element = o->stack[--o->top];
    if (!loop) {
        o->sequence[--o->free] = v;
        return head;
    }
    while (element != v) {
        o->number[element] = 0;
        element = o->stack[--o->top];
    }
    order_component(o, v);
    return head;
}

static void
order_component(struct order *o, uint32_t v)
{
    uint32_t end = o->free;
    const struct flow_block *blk = &o->c->raw[v];
    for (uint32_t k = 0; k < blk->succ_count; k++)
        if (!o->number[blk->succ[k]])
            order_visit(o, blk->succ[k]);
    o->sequence[--o->free] = v;
    VEC_PUSH(&o->loops, ((struct flow_loop){.head = o->free, .last = end - 1, .parent = UINT32_MAX}));
}

static void
find_loops(struct flow *f, struct order *o, uint32_t shift)
{
    f->loop_count = (uint32_t)o->loops.count;
    f->loops = ARENA_ARRAY(&f->arena, struct flow_loop, f->loop_count + 1);
    for (uint32_t k = 0; k < f->block_count; k++)
        f->blocks[k].loop = UINT32_MAX;
    /* Inner loops were finished first: going backwards, outer ones are painted before inner ones. */
    for (uint32_t k = 0; k < f->loop_count; k++) {
        struct flow_loop l = o->loops.at[f->loop_count - 1 - k];
        l.head -= shift;
        l.last -= shift;
        l.parent = f->blocks[l.head].loop;
        f->loops[k] = l;
        for (uint32_t b = l.head; b <= l.last; b++)
            f->blocks[b].loop = k;
    }
}

static void
place_blocks(struct cut *c)
{
    struct flow *f = c->f;
    struct order o = {.c = c, .free = c->count};
    o.number = ls_alloc(sizeof *o.number * c->count);
    o.stack = ls_alloc(sizeof *o.stack * c->count);
    o.sequence = ls_alloc(sizeof *o.sequence * c->count);
    order_visit(&o, 0);
    /* What is not reached is not kept. */
    f->block_count = c->count - o.free;
    f->blocks = ARENA_ARRAY(&f->arena, struct flow_block, f->block_count);
    uint32_t *new_index = ls_alloc(sizeof *new_index * c->count);
    for (uint32_t k = 0; k < f->block_count; k++)
        new_index[o.sequence[o.free + k]] = k;
    for (uint32_t k = 0; k < f->block_count; k++) {
        f->blocks[k] = c->raw[o.sequence[o.free + k]];
        for (uint32_t s = 0; s < f->blocks[k].succ_count; s++)
            f->blocks[k].succ[s] = new_index[f->blocks[k].succ[s]];
    }
    find_loops(f, &o, o.free);
    VEC_FREE(&o.loops);
    ls_release(o.number);
    ls_release(o.stack);
    ls_release(o.sequence);
    ls_release(new_index);
}

static void
find_predecessors(struct flow *f)
{
    for (uint32_t k = 0; k < f->block_count; k++)
        for (uint32_t s = 0; s < f->blocks[k].succ_count; s++)
            f->blocks[f->blocks[k].succ[s]].pred_count++;
    for (uint32_t k = 0; k < f->block_count; k++) {
        f->blocks[k].pred = ARENA_ARRAY(&f->arena, uint32_t, f->blocks[k].pred_count + 1);
        f->blocks[k].pred_count = 0;
    }
    for (uint32_t k = 0; k < f->block_count; k++)
        for (uint32_t s = 0; s < f->blocks[k].succ_count; s++) {
            struct flow_block *to = &f->blocks[f->blocks[k].succ[s]];
            to->pred[to->pred_count++] = k;
        }
}

/* -- atomics whose result nobody reads ------------------------------------------------------------------- */

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

/* Compilers write `atom` where `red` would do. A red need not be waited for, cannot poll, and may be
 * combined with others before it reaches memory. */
static void
atoms_to_reds(struct flow *f, uint32_t reg_count)
{
    struct unread u = {.read = ls_alloc(sizeof(uint64_t) * (reg_count / 64 + 1))};
    for (uint32_t k = 0; k < f->insn_count; k++)
        flow_visit(&f->insns[k], note_read, &u);
    for (uint32_t k = 0; k < f->insn_count; k++) {
        struct ptx_insn *i = &f->insns[k].i;
        if (i->op != PTX_OP_ATOM)
            continue;
        u.some = false;
        flow_visit(&f->insns[k], find_read_result, &u);
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
    case PTX_OP_ATOM: case PTX_OP_NANOSLEEP: case PTX_OP_MEMBAR: case PTX_OP_FENCE:
    case PTX_OP_MBARRIER:
        return true;
    case PTX_OP_LD:
        return ptx_has(i, PTX_M_VOLATILE) || ptx_has(i, PTX_M_RELAXED) ||
               ptx_has(i, PTX_M_ACQUIRE) || ptx_has(i, PTX_M_CV);
    default:
        return false;
    }
}

static void
mark_waiting_loops(struct flow *f)
{
    for (uint32_t b = 0; b < f->block_count; b++) {
        bool polls = false;
        for (uint32_t k = 0; k < f->blocks[b].count; k++)
            polls |= may_poll(&f->insns[f->blocks[b].first + k].i);
        for (uint32_t l = f->blocks[b].loop; polls && l != UINT32_MAX; l = f->loops[l].parent)
            f->loops[l].waits = true;
    }
}

void
flow_all_wait(struct flow *f)
{
    for (uint32_t l = 0; l < f->loop_count; l++)
        f->loops[l].waits = true;
}

/* -- post-dominators (Cooper, Harvey, Kennedy) -------------------------------------------------------- */

struct post {
    struct flow *f;
    uint32_t *number;   /* post-order number in the reversed graph; 0: not reached */
    uint32_t *by_number; /* 1-based, the virtual end has the highest number */
    uint32_t count;
};

static void
post_visit(struct post *p, uint32_t v)
{
    /* An explicit stack: the reversed graph can be deep. */
    VEC(uint32_t) stack = {0};
    VEC(uint32_t) edge = {0};
    p->number[v] = UINT32_MAX;
    VEC_PUSH(&stack, v);
    VEC_PUSH(&edge, 0);
    while (stack.count) {
        uint32_t x = stack.at[stack.count - 1];
        uint32_t *e = &edge.at[edge.count - 1];
        if (*e < p->f->blocks[x].pred_count) {
            uint32_t u = p->f->blocks[x].pred[(*e)++];
            if (!p->number[u]) {
                p->number[u] = UINT32_MAX;
                VEC_PUSH(&stack, u);
                VEC_PUSH(&edge, 0);
            }
        } else {
            p->number[x] = ++p->count;
            p->by_number[p->count] = x;
            stack.count--;
            edge.count--;
        }
    }
    VEC_FREE(&stack);
    VEC_FREE(&edge);
}

static uint32_t
common(const uint32_t *idom, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (a < b)
            a = idom[a];
        while (b < a)
            b = idom[b];
    }
    return a;
}

static void
find_post_dominators(struct flow *f)
{
    uint32_t n = f->block_count;
    struct post p = {.f = f};
    p.number = ls_alloc(sizeof *p.number * (n + 1));
    p.by_number = ls_alloc(sizeof *p.by_number * (n + 2));
    bool *root = ls_alloc(n + 1);
    for (uint32_t b = n; b-- > 0;)
        if (!f->blocks[b].succ_count && !p.number[b]) {
            root[b] = true;
            post_visit(&p, b);
        }
    /* Loops without an end: their last block counts as one. */
    for (uint32_t b = n; b-- > 0;)
        if (!p.number[b]) {
            root[b] = true;
            post_visit(&p, b);
        }
    uint32_t end = n + 1;
    uint32_t *idom = ls_alloc(sizeof *idom * (n + 2));
    idom[end] = end;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = n; k >= 1; k--) {
            uint32_t b = p.by_number[k];
            uint32_t d = root[b] ? end : 0;
            for (uint32_t s = 0; s < f->blocks[b].succ_count; s++) {
                uint32_t other = p.number[f->blocks[b].succ[s]];
                if (idom[other])
                    d = d ? common(idom, d, other) : other;
            }
            if (d && idom[k] != d) {
                idom[k] = d;
                changed = true;
            }
        }
    }
    for (uint32_t k = 1; k <= n; k++)
        f->blocks[p.by_number[k]].ipdom = idom[k] == end || !idom[k] ? UINT32_MAX
                                                                     : p.by_number[idom[k]];
    ls_release(idom);
    ls_release(root);
    ls_release(p.number);
    ls_release(p.by_number);
}

void
flow_reach(const struct flow *f, uint32_t from, uint32_t end, bool *seen)
{
    VEC(uint32_t) work = {0};
    if (from != end && !seen[from])
        VEC_PUSH(&work, from);
    while (work.count) {
        uint32_t b = work.at[--work.count];
        seen[b] = true;
        for (uint32_t s = 0; s < f->blocks[b].succ_count; s++)
            if (f->blocks[b].succ[s] != end && !seen[f->blocks[b].succ[s]])
                VEC_PUSH(&work, f->blocks[b].succ[s]);
    }
    VEC_FREE(&work);
}

/* -- the whole -------------------------------------------------------------------------------------------- */

bool
flow_cut(struct flat *b)
{
    struct flow *f = b->flow;
    struct cut c = {.b = b, .f = f};
    f->insn_count = (uint32_t)b->insns.count;
    f->insns = ARENA_ARRAY(&f->arena, struct flow_insn, f->insn_count + 1);
    c.block_at = ls_alloc(sizeof *c.block_at * (f->insn_count + 2));
    mark_leaders(&c);
    make_blocks(&c);
    if (f->insn_count)
        memcpy(f->insns, b->insns.at, sizeof *f->insns * f->insn_count);
    place_blocks(&c);
    ls_release(c.block_at);
    find_predecessors(f);
    atoms_to_reds(f, (uint32_t)b->regs.count);
    mark_waiting_loops(f);
    find_post_dominators(f);
    flow_split_webs(b);
    f->reg_count = (uint32_t)b->regs.count;
    f->regs = ARENA_ARRAY(&f->arena, struct flow_reg, f->reg_count + 1);
    if (f->reg_count)
        memcpy(f->regs, b->regs.at, sizeof *f->regs * f->reg_count);
    flow_chain(f);
    flow_find_live(f);
    f->var_count = (uint32_t)b->vars.count;
    f->vars = ARENA_ARRAY(&f->arena, struct flow_var, f->var_count + 1);
    if (f->var_count)
        memcpy(f->vars, b->vars.at, sizeof *f->vars * f->var_count);
    return true;
}
