/* SPDX-License-Identifier: Apache-2.0
 *
 * tools/plan.c: what a tool is told of each instruction: a field of the warp IR (wir.h, enum tell),
 * filled in before any code is emitted (tools_tell). Emitters ask it of their instruction and learn
 * nothing else of tools: which one it is, and what for. Where no tool watches it is empty.
 *
 *     instruction                  check              profile
 *     ld.global.u32 %r1, [%rd1];   sync access guard  count access new offset
 *     ld.param.u64 %rd1, [p];      the same           count
 *     add.u32 %r1, %r1, 1;                            count
 *     ld.local.u32 %r1, [a+4];     sync where all of it was stored above (proven-local)
 */
#include "jit/tools/plan.h"

#include "jit/ops/ops.h"

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
    return tell & TELL_ACCESS ? tell : tell & ~(unsigned)TELL_ACCESSES;
}

/* A parameter of the kernel: all lanes read the same words, every time. Those that are kept in
 * local memory word by word (words) are told like the rest of it. */
static bool
is_parameter(const struct wir *f, bool words, const struct ptx_insn *p)
{
    if (p->space != PTX_SPACE_PARAM)
        return false;
    for (unsigned k = 0; words && k < p->operand_count; k++) {
        const struct ptx_operand *o = &p->operand[k];
        if (o->kind == PTX_O_ADDRESS && o->base_kind == PTX_BASE_VAR && tools_is_local(f, o->var))
            return false;
    }
    return true;
}

/* That a warp has come to a wgmma orders it with its warpgroup. */
static unsigned
tell_added(const struct ptx_insn *p)
{
    return p->op == PTX_OP_WGMMA_FENCE ? TELL_SYNC : 0;
}

static unsigned
tell_of(const struct wir *f, bool words, const struct wir_insn *i, unsigned tell)
{
    if (i->added)
        return tell & tell_added(&i->i);
    if (emit_is_arith(&i->i) || i->i.op == PTX_OP_MOV || i->i.op == PTX_OP_CVT)
        tell &= TELL_COUNT | TELL_COMPARE;
    if (tell & TELL_NEW && is_parameter(f, words, &i->i))
        tell &= ~(unsigned)TELL_ACCESSES;
    if (i->i.op != PTX_OP_SETP || i->i.operand_count < 3)
        tell &= ~(unsigned)TELL_COMPARE;
    return tell;
}

void
tools_tell(struct wir *f, const struct jit_request *r, uint64_t off, struct jit_remarks *remarks)
{
    unsigned tell = tell_any(r->events);
    bool words = f->kernel->is_kernel && jit_on(off, PASS_LOCAL_WORDS) && plan_words(f);
    for (uint32_t k = 0; k < f->insn_count && tell; k++)
        f->insns[k].tells = (uint8_t)tell_of(f, words, &f->insns[k], tell);
    if (tell & TELL_GUARD && words && jit_on(off, PASS_PROVEN_LOCAL))
        tools_drop_sure(&(struct opt){{.f = f}, PASS_PROVEN_LOCAL, remarks});
}

void
tools_before(struct core *c, const struct wir_insn *i)
{
    if (!c->now.synced) /* else it was done when lanes came to it */
        core_step(c, i, NULL);
    core_count(c, i);
    core_batch_before(c, i);
}
