/* SPDX-License-Identifier: Apache-2.0
 *
 * steps.c: how far a register's value is from one warp of the block to the next.
 *
 *     mov.u32 %x, %tid.x;          blocks of 256 threads in a row: 32 more in each warp
 *     add.s32 %at, %x, %first;     the same: what all of the block agree on adds nothing
 *     shl.b32 %b, %at, 2;          128
 *
 * With it the range of a value in several warps that run together is known from the first lane of
 * the first of them, and a condition is tested once for all of them.
 *
 * Modulo 2^32: the low halves of sums and products are made of low halves alone, so registers of 64
 * bits have steps, too. Registers that several instructions write - the counter of a grid-stride
 * loop - have one if all of them say the same; but not if they do so where warps may part, and the
 * register, or one made of it, is read after a barrier: while warps run together each of them has
 * executed the same instructions, but in the region before some may have parted.
 */
#include "analysis/facts_priv.h"

/* Of the coordinates of a warp's first thread, for blocks whose rows are whole warps or parts of
 * one. */
static bool
sreg_step(const struct facts *f, enum ptx_sreg r, uint32_t *step)
{
    const uint32_t *dim = f->shape.block;
    bool in_row = dim[1] * dim[2] == 1, in_plane = dim[2] == 1 && LANES % dim[0] == 0;
    switch (r) {
    case PTX_SR_TID_X: *step = in_row ? LANES : 0; return in_row || LANES % dim[0] == 0;
    case PTX_SR_TID_Y: *step = in_row ? 0 : LANES / dim[0]; return in_row || in_plane;
    case PTX_SR_TID_Z: *step = 0; return dim[2] == 1;
    case PTX_SR_WARPID: *step = 1; return true;
    default: *step = 0; return r == PTX_SR_LANEID || ptx_sreg_is_block(r);
    }
}

bool
warps_step(const struct warps *w, const struct ptx_operand *o, uint32_t *step)
{
    *step = 0;
    switch (o->kind) {
    case PTX_O_INT: return true;
    case PTX_O_REG:
        if (o->negated || o->part)
            return false;
        if (w->same[o->reg])
            return true;
        *step = w->step[o->reg].by;
        return w->step[o->reg].known;
    case PTX_O_SREG: return sreg_step(w->facts, (enum ptx_sreg)o->sreg, step);
    default: return false;
    }
}

/* Integers of 32 and 64 bits, in every type the instruction has. */
static bool
is_wide_enough(const struct ptx_insn *p)
{
    for (unsigned t = 0; t < p->type_count; t++) {
        enum ptx_type type = (enum ptx_type)p->type[t];
        char kind = ptx_type_kind(type);
        if (ptx_type_bytes(type) < 4 || (kind != 's' && kind != 'u' && kind != 'b'))
            return false;
    }
    return p->type_count > 0 && !ptx_has(p, PTX_M_SAT) && !ptx_has(p, PTX_M_CC);
}

/* in[0] * in[1]: no steps, or one of them is a number of the text. */
static bool
product_step(const struct ptx_insn *p, const uint32_t in[2], uint32_t *step)
{
    const struct ptx_operand *o = &p->operand[1];
    *step = o[1].kind == PTX_O_INT ? in[0] * (uint32_t)o[1].imm : in[1] * (uint32_t)o[0].imm;
    if (!(in[0] | in[1]))
        *step = 0;
    else if (o[0].kind != PTX_O_INT && o[1].kind != PTX_O_INT)
        return false;
    return !ptx_has(p, PTX_M_HI);
}

/* A parameter of the kernel: where only some threads come, the block does not agree on its
 * register. */
static bool
is_parameter(const struct wir *f, const struct ptx_insn *p)
{
    return p->op == PTX_OP_LD && wir_is_parameter(f, &p->operand[1]);
}

/* Steps are of the low halves: of registers of 64 bits they say all only where the block agrees. */
static bool
is_all_known(const struct warps *w, const struct ptx_insn *p)
{
    bool all = true;
    for (unsigned k = 1; k < p->operand_count; k++)
        if (p->operand[k].kind == PTX_O_REG)
            all &= w->same[p->operand[k].reg] ||
                   ptx_type_bytes((enum ptx_type)w->facts->wir->regs[p->operand[k].reg].type) <= 4;
    return all;
}

static bool
insn_step(const struct warps *w, const struct ptx_insn *n, uint32_t *step)
{
    uint32_t in[3] = {0, 0, 0};
    *step = 0;
    if (n->guard != PTX_NO_REG || n->operand_count < 2 || n->operand_count > 4 ||
        n->operand[0].kind != PTX_O_REG || n->operand[0].part || !is_wide_enough(n))
        return false;
    if (is_parameter(w->facts->wir, n))
        return true;
    for (unsigned k = 1; k < n->operand_count; k++)
        if (!warps_step(w, &n->operand[k], &in[k - 1]))
            return false;
    switch (n->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVT:
    case PTX_OP_CVTA: *step = in[0]; return n->operand_count == 2;
    case PTX_OP_ADD: *step = in[0] + in[1]; return true;
    case PTX_OP_SUB: *step = in[0] - in[1]; return true;
    case PTX_OP_MUL: return product_step(n, in, step);
    case PTX_OP_MAD:
        if (!product_step(n, in, step))
            return false;
        *step += in[2];
        return true;
    case PTX_OP_SHL:
        *step = in[0] << (n->operand[2].imm & 31);
        return n->operand[2].kind == PTX_O_INT && n->operand[2].imm < 32;
    default: /* made of what is the same in all warps, it is the same */
        return w->computes(n) && !(in[0] | in[1] | in[2]) && is_all_known(w, n);
    }
}

struct step_search {
    struct warps *w;
    bool *seen,
        *lost;   /* per register: an instruction has said its step; and another one otherwise; */
    bool *parts; /*   its step is what it is only where all warps have gone the same way in this
                    region */
    bool tangled, changed;
};

/* Read after a barrier. */
static bool
outlives_region(const struct step_search *s, uint32_t reg)
{
    const struct wir *f = s->w->facts->wir;
    for (uint32_t b = 0; b < f->block_count; b++)
        if (f->blocks[b].end == WIR_BARRIER &&
            set_has(f->blocks[f->blocks[b].succ[0]].live_in, reg))
            return true;
    return false;
}

/* Instruction n writes the register; from_parts: a source's step is what it is only where warps
 * have not parted. */
static void
see_write(struct step_search *s, uint32_t n, uint32_t reg, bool from_parts)
{
    const struct wir_insn *i = &s->w->facts->wir->insns[n];
    const struct ptx_operand *to = &i->i.operand[0];
    if (s->lost[reg])
        return;
    struct warp_step *r = &s->w->step[reg];
    uint32_t step = 0;
    bool parts =
        from_parts || s->parts[reg] || (s->tangled && wir_only_writer(s->w->facts->wir, reg) != i);
    bool ok = to->kind == PTX_O_REG && to->reg == reg && insn_step(s->w, &i->i, &step) &&
              (!s->seen[reg] || r->by == step) && !(parts && outlives_region(s, reg));
    s->changed |= !ok || !s->seen[reg] || parts != s->parts[reg];
    s->parts[reg] = parts;
    s->lost[reg] = !ok;
    s->seen[reg] = true;
    *r = (struct warp_step){.known = ok, .by = ok ? step : 0};
}

static void
search_block(struct step_search *s, uint32_t b)
{
    const struct wir *f = s->w->facts->wir;
    s->tangled = s->w->tangled[b];
    for (uint32_t n = f->blocks[b].first; n < wir_block_end(f, b); n++) {
        struct span uses = wir_values(f, n), defs = wir_defs(f, n);
        bool wait = false, from_parts = false; /* wait: sources are not seen yet */
        for (uint32_t k = 0; k < uses.count; k++) {
            wait |= !s->w->same[uses.at[k]] && !s->seen[uses.at[k]] && !s->lost[uses.at[k]];
            from_parts |= s->parts[uses.at[k]];
        }
        for (uint32_t k = 0; !wait && k < defs.count; k++)
            see_write(s, n, defs.at[k], from_parts);
    }
}

/* Of a register that several instructions write - a loop's counter - all of them must say the same:
 * first that is believed of what has been seen, then it is looked at until nothing contradicts. */
void
warps_find_steps(struct warps *w)
{
    const struct wir *f = w->facts->wir;
    struct step_search s = {.w = w,
                            .seen = ls_alloc(f->reg_count + 1),
                            .lost = ls_alloc(f->reg_count + 1),
                            .parts = ls_alloc(f->reg_count + 1)};
    w->step = ARENA_ARRAY(&w->arena, struct warp_step, f->reg_count + 1);
    for (uint32_t r = 0; r < f->reg_count; r++)
        s.lost[r] = set_has(f->blocks[0].live_in, r); /* read before it is written */
    do {
        s.changed = false;
        for (uint32_t b = 0; b < f->block_count; b++)
            search_block(&s, b);
    } while (s.changed);
    ls_release(s.seen);
    ls_release(s.lost);
    ls_release(s.parts);
}

/* -- registers of 64 bits ---------------------------------------------------------------------- */

/* A value that differs by `step` from each warp to the next if the one register that may wrap does
 * not wrap; scale: the factor of that register in the value. */
struct line {
    int64_t step, scale;
    uint32_t made; /* of how many registers that may wrap */
};

static bool line_of(const struct warps *w, const struct ptx_operand *o, unsigned depth,
                    struct line *out);

/* A register of 32 bits, widened. */
static bool
line_widened(const struct warps *w, const struct ptx_operand *o, struct line *out)
{
    uint32_t step;
    *out = (struct line){0};
    if (!warps_step(w, o, &step))
        return false;
    if (step)
        *out = (struct line){.step = (int32_t)step, .scale = 1, .made = 1};
    return true;
}

static bool
line_times(const struct ptx_operand *by, struct line *x)
{
    int64_t k = (int64_t)by->imm;
    if (by->kind != PTX_O_INT || k < 0 || k > INT32_MAX ||
        __builtin_mul_overflow(x->step, k, &x->step) ||
        __builtin_mul_overflow(x->scale, k, &x->scale))
        return false;
    return true;
}

static bool
line_product(const struct warps *w, const struct ptx_insn *n, unsigned depth, struct line *out)
{
    const struct ptx_operand *x = &n->operand[1], *y = &n->operand[2];
    bool wide = ptx_has(n, PTX_M_WIDE), first = y->kind == PTX_O_INT;
    const struct ptx_operand *of = first ? x : y, *by = first ? y : x;
    if (ptx_has(n, PTX_M_HI) || ptx_type_bytes((enum ptx_type)n->type[0]) != (wide ? 4 : 8))
        return false;
    if (by->kind != PTX_O_INT) { /* of two numbers that are the same in all warps */
        struct line l;
        *out = (struct line){0};
        return (wide ? line_widened(w, x, &l) : line_of(w, x, depth, &l)) && !l.step && !l.made &&
               (wide ? line_widened(w, y, &l) : line_of(w, y, depth, &l)) && !l.step && !l.made;
    }
    return (wide ? line_widened(w, of, out) : line_of(w, of, depth, out)) && line_times(by, out);
}

/* x + y, x - y. */
static bool
line_sum(struct line *x, const struct line *y, bool minus)
{
    x->made += y->made;
    return minus ? !__builtin_sub_overflow(x->step, y->step, &x->step) &&
                       !__builtin_sub_overflow(x->scale, y->scale, &x->scale)
                 : !__builtin_add_overflow(x->step, y->step, &x->step) &&
                       !__builtin_add_overflow(x->scale, y->scale, &x->scale);
}

static bool
line_insn(const struct warps *w, const struct ptx_insn *n, unsigned depth, struct line *out)
{
    struct line more;
    struct ptx_operand shift;
    if (n->guard != PTX_NO_REG || !is_wide_enough(n) || n->operand[0].kind != PTX_O_REG ||
        n->operand[0].part)
        return false;
    switch (n->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVTA: return n->operand_count == 2 && line_of(w, &n->operand[1], depth, out);
    case PTX_OP_CVT:
        return ptx_type_bytes((enum ptx_type)n->type[n->type_count - 1]) == 4
                   ? line_widened(w, &n->operand[1], out)
                   : line_of(w, &n->operand[1], depth, out);
    case PTX_OP_ADD:
    case PTX_OP_SUB:
        return line_of(w, &n->operand[1], depth, out) && line_of(w, &n->operand[2], depth, &more) &&
               line_sum(out, &more, n->op == PTX_OP_SUB);
    case PTX_OP_MUL: return line_product(w, n, depth, out);
    case PTX_OP_MAD:
        return line_product(w, n, depth, out) && line_of(w, &n->operand[3], depth, &more) &&
               line_sum(out, &more, false);
    case PTX_OP_SHL:
        shift = (struct ptx_operand){.kind = PTX_O_INT, .imm = 1ll << (n->operand[2].imm & 15)};
        return n->operand[2].kind == PTX_O_INT && n->operand[2].imm < 16 &&
               line_of(w, &n->operand[1], depth, out) && line_times(&shift, out);
    default: return false;
    }
}

static bool
line_of(const struct warps *w, const struct ptx_operand *o, unsigned depth, struct line *out)
{
    uint32_t low;
    *out = (struct line){0};
    if (o->kind == PTX_O_INT)
        return true;
    if (o->kind != PTX_O_REG ||
        8 * ptx_type_bytes((enum ptx_type)w->facts->wir->regs[o->reg].type) != 64 ||
        !warps_step(w, o, &low))
        return false;
    const struct wir_insn *i = wir_only_writer(w->facts->wir, o->reg);
    if (w->same[o->reg] || (i && i->i.guard == PTX_NO_REG && is_parameter(w->facts->wir, &i->i)))
        return true;
    return i && depth && line_insn(w, &i->i, depth - 1, out);
}

bool
warps_line(const struct warps *w, uint32_t reg, uint32_t warps, int64_t *step)
{
    enum { DEPTH = 8 };
    struct line l;
    const struct ptx_operand o = {.kind = PTX_O_REG, .reg = reg};
    if (!line_of(w, &o, DEPTH, &l) || l.made > 1 || !warps)
        return false;
    /* A register that wraps is 2^32 less at the end, and the value as many times that. */
    *step = l.step;
    return l.scale > INT32_MIN && l.scale < INT32_MAX && l.step > INT32_MIN / (int64_t)warps &&
           l.step < INT32_MAX / (int64_t)warps;
}
