/* SPDX-License-Identifier: Apache-2.0
 *
 * polls.c: loops that wait for other warps: they read, and go round again with all registers as
 * they were. How often they turn follows from how warps are run here (a warp goes on for hundreds
 * of turns before another one has its turn), not from the kernel: for the estimate one turn counts
 * each time that a warp comes to the loop.
 */
#include "profile/profile_priv.h"

#include "analysis/analysis.h"

static bool
only_looks(const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_LD:
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE:
    case PTX_OP_NANOSLEEP:
    case PTX_OP_BRA: return true;
    case PTX_OP_MBARRIER: return ptx_has(i, PTX_M_TEST_WAIT) || ptx_has(i, PTX_M_TRY_WAIT);
    default: return ptx_op_is(i->op, PTX_REGISTERS);
    }
}

/* Nothing that a turn leaves in a register is there for the next one. */
static bool
is_poll(const struct wir *wir, const struct wir_loop *l)
{
    if (!l->waits)
        return false;
    for (uint32_t b = l->head; b <= l->last; b++)
        for (uint32_t n = wir->blocks[b].first; n < wir_block_end(wir, b); n++) {
            struct span defs = wir_defs(wir, n);
            if (!only_looks(&wir->insns[n].i))
                return false;
            for (uint32_t k = 0; k < defs.count; k++)
                if (set_has(wir->blocks[l->head].live_in, defs.at[k]))
                    return false;
        }
    return true;
}

/* Warps that come to the loop from outside: those of the blocks before it, of which it may not be
 * all. */
static double
entries(const struct wir *wir, const struct wir_loop *l, const uint64_t *warps)
{
    const struct wir_block *head = &wir->blocks[l->head];
    double n = 0;
    for (uint32_t k = 0; k < head->pred_count; k++)
        if (head->pred[k] < l->head || head->pred[k] > l->last)
            n += (double)warps[head->pred[k]];
    return n;
}

bool
polls_find(const struct wir *wir, const uint64_t *warps, double *share)
{
    bool any = false;
    for (uint32_t n = 0; n < wir->loop_count; n++) {
        const struct wir_loop *l = &wir->loops[n];
        if (!warps[l->head] || !is_poll(wir, l))
            continue;
        double turns = (double)warps[l->head], come = entries(wir, l, warps);
        for (uint32_t b = l->head; b <= l->last && come < turns; b++)
            for (uint32_t i = wir->blocks[b].first; i < wir_block_end(wir, b); i++)
                share[wir->insns[i].place] = come / turns;
        any = any || come < turns;
    }
    return any;
}
