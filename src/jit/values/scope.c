/* SPDX-License-Identifier: Apache-2.0
 *
 * values/scope.c: what plans of accesses (plans/plans.h) may ask of the function, and where they
 * are.
 */
#include "jit/values/values.h"

#include "jit/build/value.h"
#include "jit/ops/ops.h"

struct plan_scope
core_scope(const struct core *c)
{
    return (struct plan_scope){
        .wir = c->wir,
        .facts = c->facts,
        .converged = c->converged,
        .warps = c->regions ? c->regions->known : NULL,
        .off = c->e.off,
        .called = c->form.called,
        .in_memory = c->form.in_memory,
        .words = c->form.local_words,
        .streams = c->form.streams,
        .combines = c->form.combines,
        .avx512 = host_has_avx512(&c->e),
        .computes = emit_is_arith,
        .remarks = c->e.remarks,
    };
}

const struct plan *
core_plan(const struct core *c, const struct wir_insn *i)
{
    const struct plan_set *set = c->now.version.plans;
    uint32_t n = wir_index(c->wir, i);
    bool next = c->now.version.warps > 1 && c->regs.reg != c->regions->interleaved_warp[0].reg;
    const struct plan *p = next ? set->next[n] : set->one[n];
    return p ? p : c->plans.plain.one[n]; /* of a register that is computed again elsewhere */
}
