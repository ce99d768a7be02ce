/* SPDX-License-Identifier: Apache-2.0
 *
 * values/scope.c: what plans of accesses (plans/plans.h) may ask of the code that is being emitted.
 */
#include "jit/values/values.h"

#include "jit/build/value.h"
#include "jit/ops/ops.h"

/* The passes that are off, those too that do not run where a tool watches. */
static uint64_t
passes_off(const struct core *c)
{
    uint64_t off = c->e.off;
    for (unsigned k = 0; c->events && k < PASS_COUNT; k++)
        if (jit_passes[k].tools == TOOLS_NEVER)
            off |= (uint64_t)1 << k;
    return off;
}

struct plan_scope
core_scope(const struct core *c)
{
    struct plan_scope s = {
        .flow = c->flow,
        .facts = c->facts,
        .converged = c->together,
        .warps = c->phases ? c->phases->known : NULL,
        .off = passes_off(c),
        .watched = c->events,
        .guarded = c->events & JIT_EVENT_GUARD,
        .told = c->events & JIT_EVENT_ACCESS,
        .unseen = c->events & JIT_EVENT_SEEN,
        .counted = c->events & JIT_EVENT_COUNT,
        .called = c->called,
        .in_memory = c->in_memory,
        .words = c->local_words,
        .streams = c->streams,
        .combines = c->combines,
        .avx512 = host_has_avx512(&c->e),
        .computes = emit_is_arith,
        .remarks = c->e.remarks,
        .block = c->current,
        .full = c->all_active || c->in_whole || c->facts->complete[c->current],
        .interleaved = c->all_active ? c->agree_warps : 0,
        .first = c->all_active && c->reg == c->phases->jammed[0].reg,
        .room = (unsigned)(sizeof c->ahead / sizeof *c->ahead) - c->ahead_count,
        .settled = c->settled,
        .kept = c->all_active ? c->phases->columns : c->columns.insn,
        .fetched_count = c->fetch_count,
    };
    for (uint32_t k = 0; k < c->fetch_count; k++)
        s.fetched[k] = c->fetch[k].insn;
    return s;
}
