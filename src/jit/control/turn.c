/* SPDX-License-Identifier: Apache-2.0
 *
 * control/turn.c: code for a schedule other than the usual one (jit_request.scheduled). Blocks
 * begin where memory is accessed (wir_gives_way); there the warp returns and exec says who goes
 * next, so that warps take turns at every access. Each block adds to the warp's clock what an SM
 * would take for it, about: instructions begin in order, and one that needs what was loaded waits
 * until it is there. The kernel reads the same clock: a schedule does not depend on the host's
 * time.
 */
#include "jit/control/control.h"

/* Cycles of an H200 (docs/model.md, latency); of device memory those of its second cache. */
enum {
    CYCLES = 4, /* until the result of an instruction can be used */
    SHARED_CYCLES = 30,
    GLOBAL_CYCLES = 270,
    SLEEP_CYCLES = 400, /* where it is not known how long */
};

static uint32_t
latency(const struct ptx_insn *i)
{
    if (i->op == PTX_OP_NANOSLEEP) {
        const struct ptx_operand *o = &i->operand[0];
        return o->kind == PTX_O_INT ? (uint32_t)o->imm : SLEEP_CYCLES;
    }
    return i->space == PTX_SPACE_SHARED || i->space == PTX_SPACE_SHARED_CLUSTER ? SHARED_CYCLES
                                                                                : GLOBAL_CYCLES;
}

/* Whether one of instructions [first, end) needs what an access to memory gave. */
static bool
needs_loaded(const struct wir *f, uint32_t first, uint32_t end)
{
    for (uint32_t n = first; n < end; n++) {
        struct span uses = wir_uses(f, n);
        for (uint32_t k = 0; k < uses.count; k++) {
            struct span writers = wir_writers(f, uses.at[k]);
            for (uint32_t w = 0; w < writers.count; w++)
                if (wir_gives_way(&f->insns[writers.at[w]].i))
                    return true;
        }
    }
    return false;
}

static LLVMValueRef
load_cycles(struct core *c, size_t field)
{
    return core_load_field(c, c->e.warp, field, core_scalar(c, 64));
}

static void
wait_for_loads(struct core *c)
{
    LLVMValueRef clock = load_cycles(c, FIELD(jit_warp, clock)),
                 ready = load_cycles(c, FIELD(jit_warp, ready));
    LLVMValueRef late = LLVMBuildICmp(c->e.b, LLVMIntUGT, ready, clock, "");
    core_store_field(c, c->e.warp, FIELD(jit_warp, clock),
                     LLVMBuildSelect(c->e.b, late, ready, clock, ""));
}

static void
add_cycles(struct core *c, size_t to, uint32_t cycles)
{
    LLVMValueRef clock = load_cycles(c, FIELD(jit_warp, clock));
    core_store_field(c, c->e.warp, to, LLVMBuildAdd(c->e.b, clock, core_i64(c, cycles), ""));
}

static void
give_way(struct core *c, uint32_t b, uint32_t place)
{
    uint64_t *blocks = lanes_blocks(c, c->facts->pending[b]);
    set_add(blocks, b);
    LLVMValueRef lanes = core_load_i32(c, c->lanes.mask);
    lanes_add(c, c->lanes.pending[b], lanes);
    core_store_field(c, c->e.warp, FIELD(jit_warp, barrier_place), core_i32(c, place));
    core_store_field(c, c->e.warp, FIELD(jit_warp, barrier_votes), lanes);
    lanes_suspend(c, JIT_YIELD, blocks);
    LLVMBuildStore(c->e.b, core_load_i32(c, c->lanes.pending[b]), c->lanes.mask);
    LLVMBuildStore(c->e.b, core_i32(c, 0), c->lanes.pending[b]);
    ls_release(blocks);
}

void
core_turn(struct core *c, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    const struct wir_insn *i = &c->wir->insns[blk->first];
    uint32_t rest = blk->first, end = wir_block_end(c->wir, b);
    if (blk->count && wir_gives_way(&i->i)) {
        rest++;
        if (needs_loaded(c->wir, blk->first, rest))
            wait_for_loads(c);
        give_way(c, b, i->place);
        if (i->i.op == PTX_OP_NANOSLEEP || wir_defs(c->wir, blk->first).count)
            add_cycles(
                c, i->i.op == PTX_OP_NANOSLEEP ? FIELD(jit_warp, clock) : FIELD(jit_warp, ready),
                latency(&i->i));
    }
    add_cycles(c, FIELD(jit_warp, clock), CYCLES * (end - blk->first));
    if (needs_loaded(c->wir, rest, end))
        wait_for_loads(c);
}
