/* SPDX-License-Identifier: Apache-2.0
 *
 * values/scope.c: what plans of accesses (plans/plans.h) may ask of the code that is being emitted.
 */
#include "jit/values/values.h"

#include "jit/build/value.h"
#include "jit/ops/ops.h"

struct plan_scope
core_scope(const struct core *c)
{
    struct plan_scope s = {
        .wir = c->wir,
        .facts = c->facts,
        .converged = c->together,
        .warps = c->phases ? c->phases->known : NULL,
        .off = c->e.off,
        .called = c->form.called,
        .in_memory = c->form.in_memory,
        .words = c->form.local_words,
        .streams = c->form.streams,
        .combines = c->form.combines,
        .avx512 = host_has_avx512(&c->e),
        .computes = emit_is_arith,
        .remarks = c->e.remarks,
        .block = c->now.current,
        .full = core_is_full(c),
        .interleaved = c->now.version.warps > 1 ? c->now.version.warps : 0,
        .first = c->now.version.warps > 1 && c->regs.reg == c->phases->interleaved_turn[0].reg,
        .room =
            (unsigned)(sizeof c->memory.ahead / sizeof *c->memory.ahead) - c->memory.ahead_count,
        .fits_whole = c->now.version.fits_whole,
        .kept = c->now.version.warps > 1 ? c->phases->columns : c->memory.columns.insn,
        .fetched_count = c->memory.fetch_count,
    };
    for (uint32_t k = 0; k < c->memory.fetch_count; k++)
        s.fetched[k] = c->memory.fetch[k].insn;
    return s;
}
