/* SPDX-License-Identifier: Apache-2.0
 *
 * passing.c: blocks that a debugger passes over (jit_tool.passes): nothing can stop the launch in
 * them, so that they run in code that asks nobody before each instruction. It is code for warps one
 * by one, in the order of the other: what a race comes to does not depend on who is asked. Launches
 * whose blocks run one after the other alone, of kernels that read no clock and wait for nobody.
 */
#include "exec/exec_priv.h"

static bool
can_pass(const struct exec_run *run)
{
    const struct jit_kernel *k = run->code->kernel;
    return run->launch.steps && run->tool->passes && run->code->passed && !run->resident &&
           run->cluster == 1 && !k->pauses && !k->recursive && !k->polls && !k->functions &&
           exec_is_closed(run);
}

/* Whether the code for passed blocks can run on a block's memory as it was set up for the code that
 * asks the debugger: local memory, shared memory and frames of the sizes that it expects. */
static bool
fits(const struct exec_slot *s, const struct jit_kernel *k)
{
    const struct jit_kernel *usual = s->run->code->kernel;
    return k->needs.local_bytes <= s->block.launch->local_stride &&
           k->needs.shared_bytes == usual->needs.shared_bytes && !k->block && !k->pauses &&
           !k->functions && (size_t)k->frame_bytes * s->warps <= s->memory.frames_room;
}

static bool
has_code(struct exec_slot *s, struct exec_passing *p)
{
    struct ls_error err;
    if (p->code.kernel)
        return true;
    const struct jit_kernel *k = s->run->code->passed(s->run->code->context, &err);
    p->never = !k || !fits(s, k);
    if (p->never)
        return false;
    p->code = *s->run->code;
    p->code.kernel = k;
    p->code.events = JIT_EVENT_COUNT | JIT_EVENT_PASSED;
    return true;
}

bool
exec_pass(struct exec_slot *s, struct exec_passing *p, uint64_t number)
{
    struct exec_run *run = s->run;
    uint32_t at[3];
    if (!p->usual) {
        p->usual = run->code;
        p->never = !can_pass(run);
    }
    if (p->never)
        return false;
    exec_block_place(run, number, at);
    if (!run->tool->passes(run->tool, at, number) || !has_code(s, p))
        return false;
    run->code = &p->code;
    s->block.passed = true;
    s->unsettled = true;
    return true;
}

void
exec_passed(struct exec_slot *s, const struct exec_passing *p)
{
    s->run->code = p->usual;
    s->block.passed = false;
    s->unsettled = true;
}
