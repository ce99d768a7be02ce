/* SPDX-License-Identifier: Apache-2.0
 *
 * atomics.c: what a GPU's compiler makes of atomics on global memory: a warp's lanes combined
 * first, and what it cannot combine.
 */
#include "profile/profile_priv.h"

#include "analysis/analysis.h"

/* Is the register the same in all lanes, as far as a compiler sees that: made of parameters,
 * constants and the block's place alone? */
static bool
is_uniform(const struct wir *wir, uint32_t reg, uint32_t depth)
{
    const struct wir_insn *w = depth ? wir_only_writer(wir, reg) : NULL;
    if (!w || w->i.op == PTX_OP_SHFL || w->i.op == PTX_OP_ATOM || w->i.op == PTX_OP_CALL ||
        (w->i.op == PTX_OP_LD && w->i.space != PTX_SPACE_PARAM))
        return false;
    for (uint32_t k = 0; k < w->i.operand_count; k++)
        if (w->i.operand[k].kind == PTX_O_SREG &&
            (ptx_sreg_is_thread((enum ptx_sreg)w->i.operand[k].sreg) ||
             w->i.operand[k].sreg == PTX_SR_LANEID))
            return false;
    struct span uses = wir_uses(wir, (uint32_t)(w - wir->insns));
    for (uint32_t k = 0; k < uses.count; k++)
        if (!is_uniform(wir, uses.at[k], depth - 1))
            return false;
    return true;
}

/* Does nobody ask for the results of that instruction? */
static bool
is_unused(const struct wir *wir, uint32_t number)
{
    struct span defs = wir_defs(wir, number);
    for (uint32_t n = 0; n < wir->insn_count && defs.count; n++) {
        struct span uses = wir_uses(wir, n);
        for (uint32_t k = 0; k < uses.count; k++)
            for (uint32_t d = 0; d < defs.count; d++)
                if (uses.at[k] == defs.at[d])
                    return false;
    }
    return true;
}

/* Is what a sum adds the same in all lanes? Then each lane's result follows from its place among
 * them. */
static bool
is_same_value(const struct wir *wir, const struct ptx_insn *i)
{
    enum { DEPTH = 12 };
    const struct ptx_operand *value = &i->operand[i->operand_count - 1];
    return ptx_has(i, PTX_M_ADD) &&
           (value->kind == PTX_O_INT ||
            (value->kind == PTX_O_REG && is_uniform(wir, value->reg, DEPTH)));
}

/* Compilers combine a warp's integers first where all go to one address and nobody asks what was
 * there, or all add the same. Not exchanges, nor counters that wrap (ptxas 13.0). */
static bool
is_together(const struct wir *wir, uint32_t number)
{
    enum { DEPTH = 12 };
    static const enum ptx_mod combined[] = {PTX_M_ADD, PTX_M_MIN, PTX_M_MAX,
                                            PTX_M_AND, PTX_M_OR,  PTX_M_XOR};
    const struct ptx_insn *i = &wir->insns[number].i;
    const struct ptx_operand *address = ptx_address(i);
    enum ptx_type type = i->type_count ? i->type[0] : PTX_TYPE_NONE;
    bool known = false;
    for (size_t k = 0; k < sizeof combined / sizeof *combined; k++)
        known = known || ptx_has(i, combined[k]);
    return known && ptx_type_bytes(type) == 4 && type != PTX_F32 && address &&
           (address->base_kind == PTX_BASE_VAR ||
            (address->base_kind == PTX_BASE_REG && is_uniform(wir, address->reg, DEPTH))) &&
           (is_same_value(wir, i) || is_unused(wir, number));
}

void
atomics_places(const struct wir *wir, uint8_t *as)
{
    for (uint32_t b = 0; b < wir->block_count; b++)
        for (uint32_t n = wir->blocks[b].first; n < wir_block_end(wir, b); n++) {
            const struct wir_insn *f = &wir->insns[n];
            if (f->i.op != PTX_OP_RED && f->i.op != PTX_OP_ATOM)
                continue;
            if (ptx_has(&f->i, PTX_M_CAS) && wir->blocks[b].loop == UINT32_MAX)
                as[f->place] = ATOMIC_ONCE;
            else if (is_together(wir, n))
                as[f->place] = ATOMIC_TOGETHER;
        }
}
