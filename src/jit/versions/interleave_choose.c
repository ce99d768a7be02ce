/* SPDX-License-Identifier: Apache-2.0
 *
 * interleave_choose.c: how many warps of a barrier region are interleaved (interleave.c), by its
 * instructions, the vectors alive in it and the branches at which warps part.
 */
#include "jit/versions/versions.h"

#include "jit/memory/memory.h"
#include "jit/ops/ops.h"

#include <string.h>

enum {
    /* A region with a branch that parts warps in every block, by their number: of a tree's regions
     * of five instructions (57 ms instead of 35, all together) nothing would be left to run
     * together; of loads with those of the edge behind them, most (1-D convolution: 12.5 ms, 10.4
     * in pairs, 12.4 in eights). */
    PARTING_INSNS = 16,
    PARTING_WARPS = 2,
    /* Of a region, times the warps: the time to compile it (the plain product, 84 instructions:
     * 0.05 s by itself, 0.10 for four warps, 0.15 for eight, and 79 and 80 ms to run instead of
     * 204). */
    MOST_INSNS = 460,
    ROOM = 26, /* vector registers of 512 bits for what the warps hold */
};

/* -- which regions, and how many warps ----------------------------------------------------------
 */

struct measure {
    uint32_t insns, registers, sites;
    uint32_t equal; /* of the instructions: those that are emitted once for all warps */
    bool stores;    /* in a loop: that takes what it takes, however many warps share what they load
                       (a product whose sums are in memory: 146 ms for four, 180 for eight) */
    bool fits;
    bool parts; /* at a branch that the block's shape decides: likely in every block */
    bool loops; /* in a loop that something else ends */
    bool has_loop;
    bool rows; /* lanes read along rows of their own */
    const bool *shaped;
    uint64_t *used;
    /* Of the loop that was looked at last (UINT32_MAX: of none): warps may part in it; the
     * registers that it names. */
    uint32_t loop;
    bool loop_parts;
    uint64_t *named;
};

static void
look_at_loop(const struct core *c, const struct barrier_regions *p, struct measure *m,
             uint32_t loop)
{
    const struct wir *f = c->wir;
    const struct wir_loop *l = &f->loops[loop];
    if (m->loop == loop)
        return;
    m->loop = loop;
    m->loop_parts = false;
    memset(m->named, 0, sizeof *m->named * f->reg_words);
    for (uint32_t k = l->head; k <= l->last; k++) {
        m->loop_parts |= !warps_agree_now(p->known, k);
        for (uint32_t n = f->blocks[k].first; n < wir_block_end(f, k); n++) {
            set_add_all(m->named, wir_values(f, n));
            set_add_all(m->named, wir_defs(f, n));
        }
    }
}

/* Whether the register takes room while block b runs, for each of the warps. Where warps may part,
 * all do: they go to the warps' frames. In other loops those do not that only live through it, or
 * are the same in each warp. */
static bool
takes_room(const struct core *c, const struct barrier_regions *p, struct measure *m, uint32_t b,
           uint32_t reg)
{
    uint32_t loop = c->wir->blocks[b].loop;
    if (m->stores || loop == UINT32_MAX)
        return true;
    look_at_loop(c, p, m, loop);
    return m->loop_parts || (set_has(m->named, reg) && !(p->known->alike && p->known->alike[reg]));
}

/* Registers of 512 bits that a warp's values alive at the start of the block take, of those that
 * the group uses. */
static uint32_t
registers_at(const struct core *c, const struct barrier_regions *p, struct measure *m,
             uint32_t block)
{
    const uint64_t *live = c->wir->blocks[block].live_in;
    uint32_t bits = 0;
    for (uint32_t r = 0; r < c->wir->reg_count; r++)
        if (set_has(live, r) && set_has(m->used, r) && !p->known->same[r] && !p->known->again[r] &&
            core_reg_count(c, r) == LANES && core_reg_bits(c, r) > 1 &&
            takes_room(c, p, m, block, r))
            bits += core_reg_bits(c, r) * LANES;
    return bits / 512;
}

static bool
insn_fits(const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    switch (p->op) {
    case PTX_OP_CALL: /* may print */
    case PTX_OP_ADDC:
    case PTX_OP_SUBC:
    case PTX_OP_MADC:
    case PTX_OP_NANOSLEEP: return false;
    default: return !ptx_has(p, PTX_M_CC);
    }
}

static bool
end_fits(const struct core *c, const struct wir_block *blk)
{
    switch (blk->end) {
    case WIR_JUMP:
    case WIR_BRANCH:
    case WIR_EXIT: return true;
    case WIR_BARRIER: return !ptx_has(&c->wir->insns[blk->end_insn].i, PTX_M_RED);
    default: return false;
    }
}

/* Lanes store to places that are not side by side: memory/columns.c does better with warps in a
 * row, unless it knows that the warps' places are. */
static bool
is_scatter(const struct core *c, const struct wir_insn *i)
{
    const struct ptx_operand *to = &i->i.operand[0];
    return i->i.op == PTX_OP_ST && i->i.space == PTX_SPACE_GLOBAL && to->kind == PTX_O_ADDRESS &&
           to->base_kind == PTX_BASE_REG && c->facts->reg[to->reg].kind == FACT_VECTOR &&
           c->facts->reg[to->reg].segment < 8;
}

/* A branch out of a loop without barriers. */
static bool
leaves_loop(const struct wir *f, uint32_t block)
{
    const struct wir_block *blk = &f->blocks[block];
    bool leaves = false, barrier = false;
    if (blk->loop == UINT32_MAX)
        return false;
    const struct wir_loop *l = &f->loops[blk->loop];
    for (uint32_t k = 0; k < blk->succ_count; k++)
        leaves |= blk->succ[k] < l->head || blk->succ[k] > l->last;
    for (uint32_t b = l->head; b <= l->last; b++)
        barrier |= f->blocks[b].end == WIR_BARRIER;
    return leaves && !barrier;
}

static void
measure_block(const struct core *c, struct barrier_regions *p, uint32_t b, struct measure *m)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    struct plan_scope scope = core_scope(c);
    scope.warps = p->known;
    scope.block = b;
    bool branch = blk->end == WIR_BRANCH, shaped = branch && m->shaped[blk->guard];
    m->insns += blk->count;
    m->has_loop |= blk->loop != UINT32_MAX;
    m->fits &= end_fits(c, blk);
    m->loops |= branch && !shaped && leaves_loop(c->wir, b);
    m->sites += branch && !warps_agree_now(p->known, b);
    m->parts |= shaped && !warps_agree_now(p->known, b);
    for (uint32_t k = 0; k < blk->count; k++) {
        const struct wir_insn *i = &c->wir->insns[blk->first + k];
        bool scatter = is_scatter(c, i);
        if (scatter && !p->columns && plan_keeps_interleaved(&scope, i, b))
            p->columns = i;
        m->rows |= plan_reads_rows(&scope, i);
        m->fits &= insn_fits(i) && (!scatter || p->columns == i);
        m->equal += warps_once(p->known, blk->first + k) || warps_alike(p->known, blk->first + k);
        m->stores |= i->i.op == PTX_OP_ST && blk->loop != UINT32_MAX;
        set_add_all(m->used, wir_values(c->wir, blk->first + k));
        set_add_all(m->used, wir_defs(c->wir, blk->first + k));
    }
}

/* How many warps of the group run together. */
static uint32_t
choose(const struct core *c, struct barrier_regions *p, uint32_t group, const bool *shaped,
       uint32_t *sites)
{
    struct measure m = {.fits = true, .shaped = shaped, .loop = UINT32_MAX};
    m.used = ls_alloc(sizeof *m.used * (c->wir->reg_words + 1));
    m.named = ls_alloc(sizeof *m.named * (c->wir->reg_words + 1));
    const struct region_group *g = &p->group[group];
    for (uint32_t n = 0; n < g->block_count; n++)
        measure_block(c, p, g->blocks[n], &m);
    for (uint32_t n = 0; n < g->block_count; n++) {
        uint32_t b = g->blocks[n];
        bool counts = c->wir->blocks[b].loop != UINT32_MAX || !m.has_loop || m.stores;
        uint32_t at = counts ? registers_at(c, p, &m, b) : 0;
        m.registers = at > m.registers ? at : m.registers;
    }
    ls_release(m.used);
    ls_release(m.named);
    m.equal = m.stores ? 0 : m.equal;
    *sites = m.sites;
    bool parts = m.parts && !m.loops;
    const char *why = !m.fits ? "an instruction or a block end that runs for one warp alone"
                      : parts && m.insns < PARTING_INSNS
                          ? "a short region whose warps part in every block"
                      : m.rows ? "lanes read along rows of their own"
                               : NULL;
    for (uint32_t k = parts ? PARTING_WARPS : INTERLEAVE_MOST; !why && k > 1; k /= 2)
        if (p->warps % k == 0 && k * (m.insns - m.equal) + m.equal <= MOST_INSNS &&
            k * m.registers <= ROOM) {
            jit_remark_kernel(c->e.remarks, PASS_INTERLEAVE, true,
                              "region %u: %u warps together (%u instructions)", group, k, m.insns);
            return k;
        }
    if (why)
        jit_remark_kernel(c->e.remarks, PASS_INTERLEAVE, false, "region %u: %s", group, why);
    else
        jit_remark_kernel(c->e.remarks, PASS_INTERLEAVE, false,
                          "region %u: %u warps, %u instructions and %u vectors alive in each",
                          group, p->warps, m.insns, m.registers);
    return 1;
}

static void
add_site(const struct core *c, struct barrier_regions *p, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    struct interleave_site *s = &p->site[p->site_count++];
    s->block = b;
    s->live = ARENA_ARRAY(&p->arena, uint64_t, c->wir->reg_words + 1);
    for (uint32_t k = 0; k < blk->succ_count; k++)
        for (uint32_t w = 0; w < c->wir->reg_words; w++)
            s->live[w] |= c->wir->blocks[blk->succ[k]].live_in[w];
    set_add(s->live, blk->guard);
}

void
interleave_choose(const struct core *c, struct barrier_regions *p)
{
    uint32_t sites = 0;
    for (uint32_t g = 0; g < p->group_count; g++) {
        uint32_t more = 0;
        const struct wir_insn *columns = p->columns;
        p->group[g].interleaved = p->group[g].regions && emit_on(&c->e, PASS_INTERLEAVE)
                                      ? choose(c, p, g, p->known->shaped, &more)
                                      : 1;
        if (p->group[g].interleaved == 1)
            p->columns = columns;
        sites += more;
        if (p->group[g].interleaved > 1)
            p->group[g].unrolled = false;
    }
    p->site = ARENA_ARRAY(&p->arena, struct interleave_site, sites + 1);
    for (uint32_t b = 0; b < c->wir->block_count; b++)
        if (p->group_of[b] != UINT32_MAX && p->group[p->group_of[b]].interleaved > 1 &&
            c->wir->blocks[b].end == WIR_BRANCH && !warps_agree_now(p->known, b))
            add_site(c, p, b);
}

void
interleave_free(struct barrier_regions *p)
{
    for (uint32_t k = 0; k < INTERLEAVE_MOST; k++) {
        ls_release(p->interleaved_warp[k].reg);
        ls_release(p->interleaved_warp[k].guess);
    }
    ls_release(p->agree);
}
