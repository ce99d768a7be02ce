/* SPDX-License-Identifier: Apache-2.0
 *
 * tools/plan.c: what a tool is told of each instruction, decided for all of them before code is
 * emitted (tools_plan). Emitters ask core_tells() of the instruction that they are at and learn
 * nothing else of tools: which one it is, and what for. Where no tool watches there is no plan, and
 * every answer is no.
 *
 *     instruction                  check profile
 *     ld.global.u32 %r1, [%rd1];   TELL_SYNC TELL_ACCESS TELL_GUARD TELL_COUNT TELL_ACCESS TELL_NEW
 *     ld.param.u64 %rd1, [p];      the same TELL_COUNT TELL_NEW
 *     ld.local.u32 %r1, [a+4];     TELL_SYNC where all of it was stored above (proven-local)
 */
#include "jit/tools/plan.h"

/* -- code that a tool watches ------------------------------------------------------------------ */

unsigned
tools_code(const struct jit_request *r)
{
    unsigned code = 0;
    if (tools_step(r))
        return CODE_DEBUG;
    if (r->scheduled)
        return CODE_STEPS;
    if (!r->events)
        return CODE_PLAIN;
    if (r->events & JIT_EVENT_GUARD)
        code |= CODE_CHECK;
    if (r->events & JIT_EVENT_COUNT)
        code |= CODE_PROFILE;
    if (tools_passed(r))
        code |= CODE_PASSED;
    return code ? code : CODE_REPLAY;
}

bool
tools_step(const struct jit_request *r)
{
    return r->events & JIT_EVENT_STEP;
}

bool
tools_passed(const struct jit_request *r)
{
    return r->events & JIT_EVENT_PASSED;
}

bool
tools_give_way(const struct jit_request *r)
{
    return r->events & JIT_EVENT_TURNS;
}

struct tools *
tools_new(const struct jit_request *r)
{
    if (!r->events)
        return NULL;
    struct tools *t = ls_alloc(sizeof *t);
    t->events = r->events;
    return t;
}

void
tools_free(struct tools *t)
{
    if (!t)
        return;
    ls_release(t->of);
    ls_release(t->batch);
    ls_release(t);
}

/* -- the plan ---------------------------------------------------------------------------------- */

/* What there is to tell of any instruction: emitters ask for what theirs does. */
static unsigned
tell_any(uint32_t events)
{
    static const struct {
        uint32_t events, tell;
    } rows[] = {{JIT_EVENT_COUNT, TELL_COUNT},   {JIT_EVENT_SYNC, TELL_SYNC},
                {JIT_EVENT_ACCESS, TELL_ACCESS}, {JIT_EVENT_GUARD, TELL_GUARD},
                {JIT_EVENT_SEEN, TELL_NEW},      {JIT_EVENT_TURNS, TELL_COMPARE}};
    unsigned tell = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (events & rows[k].events)
            tell |= rows[k].tell;
    if ((events & (JIT_EVENT_COUNT | JIT_EVENT_GUARD)) == JIT_EVENT_COUNT)
        tell |= TELL_OFFSET;
    return tell;
}

/* A parameter of the kernel: all lanes read the same words, every time. Those that are kept in
 * local memory word by word are told like the rest of it. */
static bool
is_parameter(const struct core *c, const struct ptx_insn *p)
{
    if (p->space != PTX_SPACE_PARAM)
        return false;
    for (unsigned k = 0; c->form.local_words && k < p->operand_count; k++) {
        const struct ptx_operand *o = &p->operand[k];
        if (o->kind == PTX_O_ADDRESS && o->base_kind == PTX_BASE_VAR && tools_is_local(c, o->var))
            return false;
    }
    return true;
}

/* That a warp has come to a wgmma orders it with its warpgroup. */
static unsigned
tell_added(const struct ptx_insn *p, unsigned tell)
{
    return p->op == PTX_OP_WGMMA_FENCE ? tell & TELL_SYNC : 0;
}

void
tools_plan(struct core *c)
{
    struct tools *t = c->tools;
    if (!t)
        return;
    unsigned tell = tell_any(t->events);
    t->of = ls_alloc(c->wir->insn_count + 1);
    for (uint32_t k = 0; k < c->wir->insn_count; k++) {
        t->of[k] = (uint8_t)(c->wir->insns[k].added ? tell_added(&c->wir->insns[k].i, tell) : tell);
        if (tell & TELL_NEW && is_parameter(c, &c->wir->insns[k].i))
            t->of[k] &= (uint8_t)~TELL_ACCESS;
    }
    if (tell & TELL_GUARD)
        tools_drop_sure(c);
}

/* -- questions --------------------------------------------------------------------------------- */

unsigned
tools_of(const struct core *c, const struct wir_insn *i)
{
    return c->tools ? c->tools->of[i - c->wir->insns] : 0;
}

void
tools_at(struct core *c, const struct wir_insn *i)
{
    if (c->tools)
        c->tools->now = c->tools->of[i - c->wir->insns];
}

void
tools_before(struct core *c, const struct wir_insn *i)
{
    tools_at(c, i);
    if (!c->now.synced) /* else it was done when lanes came to it */
        core_step(c, i, NULL);
    core_count(c, i);
    core_batch_before(c, i);
}

bool
core_tells(const struct core *c, enum tell what)
{
    return c->tools && c->tools->now & what;
}
