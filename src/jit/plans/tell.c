/* SPDX-License-Identifier: Apache-2.0
 *
 * plans/tell.c: what a tool that watches is told of an access, before it is made; and whether sums
 * that are kept back for what it touches go to memory first.
 */
#include "jit/plans/plans.h"

/* Which values of an address are compared for a tool that is told only of accesses that it has not
 * seen. */
static enum plan_tells
tells_segments(const struct plan_address *at)
{
    const struct fact *f = &at->fact;
    if (at->values == 1)
        return TELL_FIRST;
    if (at->values == 2 && !f->guess && f->segment == LANES / 2)
        return TELL_HALVES;
    return at->kept && f->segment >= LANES / 2 ? TELL_SPECULATED : TELL_LANES;
}

static enum plan_flush
flushes(const struct plan_scope *s, const struct ptx_insn *p, const struct plan_address *at,
        enum jit_access_op op)
{
    if (!s->combines || (p->space != PTX_SPACE_GLOBAL && p->space != PTX_SPACE_NONE) ||
        ptx_has(p, PTX_M_NC) || (op == JIT_ATOMIC && plan_may_pend(p)))
        return FLUSH_NONE;
    if (at->kept && at->fact.segment == LANES)
        return FLUSH_SPECULATED;
    return at->values == 1 && !at->fact.guess ? FLUSH_RANGE : FLUSH_LANES;
}

void
plan_telling(const struct plan_scope *s, const struct wir_insn *i, const struct plan_address *at,
             enum jit_access_op op, bool sized, struct plan_tell *out)
{
    *out = (struct plan_tell){.flush = flushes(s, &i->i, at, op),
                              .gated = i->tells & TELL_GUARD && op != JIT_ATOMIC && !sized};
    if (!(i->tells & TELL_ACCESS))
        return;
    out->how = at->values == 1 ? TELL_PATTERN : TELL_LANES;
    if (!(i->tells & TELL_NEW) || sized)
        return;
    if (i->i.space == PTX_SPACE_PARAM)
        out->how = TELL_NOTHING;
    else if (tells_segments(at) != TELL_LANES)
        out->how = tells_segments(at);
}

/* A tool that only counts is told of lanes at one offset as a pattern. */
void
plan_telling_words(const struct plan_scope *s, struct plan *p)
{
    struct fact f = facts_operand(s->facts, p->i, p->o);
    plan_telling(s, p->i, &p->at, p->store ? JIT_STORE : JIT_LOAD, false, &p->tell);
    if (p->i->tells & TELL_ACCESS && p->i->tells & TELL_OFFSET && fact_uniform(&f))
        p->tell.how = TELL_ONE_OFFSET;
}
