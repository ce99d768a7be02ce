/* SPDX-License-Identifier: Apache-2.0
 *
 * trap.c: what generated code itself finds wrong: traps, assertions, stacks that are full, lanes
 * that cannot meet.
 */
#include "exec/exec_priv.h"

#include <stdio.h>

static const char *
function_of(const struct ptx_module *m, uint32_t place, struct arena *a)
{
    const struct ptx_func *f;
    const struct ptx_insn *i;
    return jit_place(m, place, &f, &i) ? ls_readable_name(a, f->name) : "?";
}

/* Whose stack is full: the warp's on the host, where its functions keep vectors, or the threads'.
 */
static void
stack_text(const struct jit_warp *w, struct text *out)
{
    const struct exec_slot *s = w->owner;
    uint32_t stride = s->block.launch->local_stride;
    if (w->stack <= stride && (uint8_t *)__builtin_frame_address(0) < w->stack_end)
        text_add(out,
                 "the host's stack for a warp is full, which no limit of the device's changes");
    else
        text_add(out, "%u bytes of stack per thread (cudaLimitStackSize)",
                 stride - s->run->code->kernel->needs.local_bytes);
}

/* "1024 bytes of stack per thread (cudaLimitStackSize); calls: fib at a.cu:3 (28 times), ..., k at
 * a.cu:9": the innermost first, equal ones in a row once. */
static void
call_text(const struct jit_warp *w, uint32_t place, struct text *out)
{
    enum { MOST = 8 };
    const struct exec_slot *s = w->owner;
    const struct ptx_module *m = s->run->request->module;
    struct arena a = {0};
    char where[300];
    uint32_t shown = 0, left = 0;
    if (!m)
        return;
    stack_text(w, out);
    text_add(out, "; calls: %s", function_of(m, place, &a));
    for (const uint8_t *area = w->calls; area;) {
        const struct jit_call *c = (const struct jit_call *)area - 1, *next = c;
        uint32_t times = 0;
        for (; next && next->place == c->place; times++)
            next = next->caller ? (const struct jit_call *)next->caller - 1 : NULL;
        area = next ? (const uint8_t *)(next + 1) : NULL;
        if (shown == MOST && area) { /* the outermost is shown in any case */
            left += times;
            continue;
        }
        if (left)
            text_add(out, ", %u more", left);
        left = 0;
        shown += shown < MOST;
        jit_place_text(m, c->place, where, sizeof where);
        text_add(out, ", from %s at %s", function_of(m, c->place, &a), where);
        if (times > 1)
            text_add(out, " (%u times)", times);
    }
    arena_free(&a);
}

static bool
asks(const struct ptx_insn *i)
{
    bool so = false;
    for (uint32_t n = 0; n < i->operand_count; n++)
        so |= i->operand[n].kind == PTX_O_SREG && i->operand[n].sreg == PTX_SR_ENVREG1;
    return so;
}

/* cooperative_groups.h asks %envreg1 whether the launch is cooperative, and traps where a grid
 * cannot wait: whether that is what a trap of this kernel means, or may mean beside others. */
static const char *
grid_wait(const struct ptx_module *m, const struct ptx_func *kernel)
{
    struct ptx_reached reached = ptx_reach(m, kernel);
    uint32_t questions = 0, traps = 0;
    for (uint32_t f = 0; f < m->func_count; f++)
        for (uint32_t k = 0; k < m->funcs[f]->insn_count && reached.func[f]; k++) {
            questions += asks(&m->funcs[f]->insns[k]);
            traps += m->funcs[f]->insns[k].op == PTX_OP_TRAP;
        }
    ptx_reached_free(&reached);
    return !questions           ? NULL
           : traps <= questions ? "where it waits for its whole grid: only a cooperative launch "
                                  "can (cudaLaunchCooperativeKernel)"
                                : "a trap of its own, or it waits for its whole grid, which only a "
                                  "cooperative launch can (cudaLaunchCooperativeKernel)";
}

void
exec_trap(struct jit_warp *w, uint32_t lanes, uint32_t reason, uint32_t place)
{
    static const struct {
        enum exec_status status;
        const char *what;
    } table[] = {
        [JIT_TRAP_INSTRUCTION] = {EXEC_TRAP, "trap"},
        [JIT_TRAP_BREAKPOINT] = {EXEC_TRAP, "breakpoint"},
        [JIT_TRAP_ASSERT] = {EXEC_ASSERT, "assertion failed"},
        [JIT_TRAP_STACK] = {EXEC_STACK, "stack overflow"},
        [JIT_TRAP_CALL] = {EXEC_INVALID_CALL, "call of something that is no function"},
        [JIT_TRAP_UNREACHABLE] = {EXEC_TRAP, "control ran past the end of a function"},
        [JIT_TRAP_BARRIER] = {EXEC_INVALID_BARRIER, "invalid barrier"},
        [JIT_TRAP_MASK] = {EXEC_INVALID_MASK,
                           "illegal instruction: a warp operation whose mask does not name the "
                           "lane that executes it"},
        [JIT_TRAP_WARPGROUP] = {EXEC_INVALID_MASK,
                                "illegal instruction: wgmma.mma_async is executed by all lanes of "
                                "a warpgroup: four warps, the first one's number a multiple of 4"},
    };
    if (reason == JIT_TRAP_LANES)
        exec_lanes_deadlock(w, lanes);
    reason = reason < sizeof table / sizeof *table ? reason : JIT_TRAP_INSTRUCTION;
    const struct exec_slot *s = w->owner;
    const struct exec_request *r = s->run->request;
    const char *grid = reason == JIT_TRAP_INSTRUCTION && !r->cooperative && r->module
                           ? grid_wait(r->module, r->kernel)
                           : NULL;
    struct text detail = {0};
    char text[700] = "";
    if (reason == JIT_TRAP_STACK)
        call_text(w, place, &detail);
    if (grid)
        text_add(&detail, "%s", grid);
    if (detail.count)
        snprintf(text, sizeof text, "%s", detail.at);
    text_free(&detail);
    exec_escape(w->owner, w->warp, lanes, place, true, table[reason].status, table[reason].what,
                text);
}
