/* SPDX-License-Identifier: Apache-2.0
 *
 * alike.c: registers that hold the same in all warps of a block, lane by lane, while the warps run
 * together.
 *
 *     mov.u32 %x, %tid.x;           blocks of 16 x 16 threads: 0 to 15, twice, in each warp
 *     mad.lo.s32 %i, %k, %n, %x;    alike, as %k and %n are the same in all threads
 *     ld.global.f32 %b, [%a];       %a made of %i: each warp reads the same words
 *
 * Believed of all registers at first, and doubted until nothing changes. What is loaded, or written
 * where some warps may not come, is alike only until the region ends: in the region before, warps
 * may have parted, and one of them may have read what another one's word was later.
 */
#include "analysis/facts_priv.h"

struct alike_search {
    struct warps *w;
    bool (*reads)(const struct ptx_insn *);
    bool *passing; /* per register: alike until the region ends */
    bool *stays;   /* per register: read after a barrier */
};

static bool
register_alike(const struct warps *w, uint32_t reg)
{
    return w->same[reg] || w->alike[reg];
}

static bool
variable_alike(const struct wir *f, const struct ptx_var *var)
{
    if (!var || !var->func)
        return var != NULL;
    uint8_t place = f->vars[var->index].place;
    return place == WIR_KERNEL_PARAM || place == WIR_SHARED;
}

static bool
operand_alike(const struct warps *w, const struct ptx_operand *o)
{
    uint32_t step;
    bool all = true;
    switch (o->kind) {
    case PTX_O_INT:
    case PTX_O_FLOAT: return true;
    case PTX_O_REG: return register_alike(w, o->reg);
    case PTX_O_SREG: return warps_step(w, o, &step) && !step;
    case PTX_O_SYMBOL: return variable_alike(w->facts->wir, o->var);
    case PTX_O_VECTOR:
        for (uint32_t k = 0; k < o->count; k++)
            all &= operand_alike(w, &o->elements[k]);
        return all;
    case PTX_O_ADDRESS:
        return o->base_kind == PTX_BASE_REG ? register_alike(w, o->reg)
                                            : variable_alike(w->facts->wir, o->var);
    default: return false;
    }
}

/* -- one instruction --------------------------------------------------------------------------- */

/* x & 31, of numbers that go up by 32 from warp to warp: the lane's number in a row of threads. */
static bool
is_low_bits(const struct warps *w, const struct ptx_insn *p)
{
    uint32_t step;
    if (p->op != PTX_OP_AND || p->operand_count != 3 || p->operand[2].kind != PTX_O_INT)
        return false;
    uint64_t bits = (uint64_t)p->operand[2].imm;
    return bits <= UINT32_MAX && !(bits & (bits + 1)) && warps_step(w, &p->operand[1], &step) &&
           !(step & bits);
}

/* Whether warps that execute instruction n together write the same; *passing: but not what a warp
 * by itself would. */
static bool
results_alike(const struct alike_search *s, uint32_t n, bool *passing)
{
    const struct wir *f = s->w->facts->wir;
    const struct ptx_insn *p = &f->insns[n].i;
    bool pure = warps_pure(p, s->w->computes), all = pure || s->reads(p);
    struct span uses = wir_values(f, n);
    *passing = !pure;
    for (uint32_t k = 0; k < uses.count; k++)
        *passing |= s->passing[uses.at[k]];
    if (p->guard != PTX_NO_REG)
        all &= register_alike(s->w, p->guard);
    for (unsigned k = 1; k < p->operand_count && !is_low_bits(s->w, p); k++)
        all &= operand_alike(s->w, &p->operand[k]);
    return all;
}

/* Whether what is believed of the register changed. */
static bool
see_result(const struct alike_search *s, uint32_t reg, bool alike, bool passing)
{
    bool before = s->w->alike[reg], passed = s->passing[reg];
    s->passing[reg] |= passing;
    s->w->alike[reg] &= alike && !(s->stays[reg] && s->passing[reg]);
    return before != s->w->alike[reg] || passed != s->passing[reg];
}

static bool
search_block(const struct alike_search *s, uint32_t b)
{
    const struct wir *f = s->w->facts->wir;
    bool changed = false, passing;
    for (uint32_t n = f->blocks[b].first; n < wir_block_end(f, b); n++) {
        struct span defs = wir_defs(f, n);
        bool alike = results_alike(s, n, &passing);
        for (uint32_t k = 0; k < defs.count; k++) {
            bool some = s->w->tangled[b] && !s->w->fixed[defs.at[k]];
            changed |= see_result(s, defs.at[k], alike, passing || some);
        }
    }
    return changed;
}

/* -- the whole --------------------------------------------------------------------------------- */

/* Registers that a region begins with. */
static void
find_staying(struct alike_search *s)
{
    const struct wir *f = s->w->facts->wir;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t r = 0; f->blocks[b].end == WIR_BARRIER && r < f->reg_count; r++)
            s->stays[r] |= set_has(f->blocks[f->blocks[b].succ[0]].live_in, r);
}

void
warps_find_alike(struct warps *w, bool (*reads)(const struct ptx_insn *))
{
    const struct wir *f = w->facts->wir;
    struct alike_search s = {.w = w,
                             .reads = reads,
                             .passing = ls_alloc(f->reg_count + 1),
                             .stays = ls_alloc(f->reg_count + 1)};
    bool changed = true;
    w->alike = ARENA_ARRAY(&w->arena, bool, f->reg_count + 1);
    find_staying(&s);
    for (uint32_t r = 0; r < f->reg_count; r++) /* what is read before it is written is not known */
        w->alike[r] = !set_has(f->blocks[0].live_in, r);
    while (changed) {
        changed = false;
        for (uint32_t b = 0; b < f->block_count; b++)
            changed |= search_block(&s, b);
    }
    ls_release(s.passing);
    ls_release(s.stays);
}

bool
warps_alike(const struct warps *w, uint32_t n)
{
    struct span defs = wir_defs(w->facts->wir, n);
    bool all = w->alike && defs.count;
    for (uint32_t k = 0; all && k < defs.count; k++)
        all = register_alike(w, defs.at[k]);
    return all;
}

bool
warps_agree_now(const struct warps *w, uint32_t b)
{
    const struct wir_block *blk = &w->facts->wir->blocks[b];
    if (warps_agree(w, b))
        return true;
    return blk->end == WIR_BRANCH && !w->facts->divergent[b] && w->alike && w->alike[blk->guard] &&
           fact_uniform(&w->facts->reg[blk->guard]);
}
