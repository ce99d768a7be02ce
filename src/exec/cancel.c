/* SPDX-License-Identifier: Apache-2.0
 *
 * cancel.c: clusterlaunchcontrol.try_cancel (PTX ISA 9.7.13.17): blocks take over the work of
 * clusters that have not begun. Where a run is not one whose blocks are in flight together, none is
 * left.
 */
#include "exec/exec_priv.h"

#include <string.h>

/* A request. */
struct cancel {
    struct jit_warp *warp;
    uint32_t lane, flags, place;
    struct jit_cancelled is;
};

static bool
announce(const struct cancel *c, uint64_t at, uint32_t bytes, enum jit_access_op op)
{
    return exec_announce(c->warp, c->lane, at, bytes, PTX_SPACE_SHARED, op, c->place);
}

static void
tell(const struct cancel *c, enum jit_async what, uint64_t barrier)
{
    if (c->flags & JIT_CANCEL_ANNOUNCED)
        exec_announce_async(c->warp, c->lane, what, barrier, 0, c->place);
}

/* The answer is a transfer to shared memory, whose mbarrier learns of it. */
static void
answer(const struct cancel *c, uint64_t to, uint64_t barrier)
{
    if (c->flags & JIT_CANCEL_ANNOUNCED &&
        (!announce(c, to, sizeof c->is, JIT_STORE) || !announce(c, barrier, 8, JIT_ATOMIC)))
        return;
    tell(c, JIT_ASYNC_BULK, barrier);
    memcpy((void *)(uintptr_t)to, &c->is, sizeof c->is);
    jit_mbarrier_complete(barrier, sizeof c->is);
    tell(c, JIT_ASYNC_AFTER, barrier);
}

void
exec_cancel(struct jit_warp *w, uint32_t lanes, const uint64_t *to, const uint64_t *barrier,
            uint32_t flags, uint32_t place)
{
    const struct exec_slot *s = w->owner;
    const struct jit_block *b = w->block;
    uint64_t window = (uint64_t)(uintptr_t)b->window, mask = (1ull << JIT_RANK_BIT) - 1, number;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        struct cancel c = {.warp = w, .lane = l, .flags = flags, .place = place};
        c.is.is = exec_resident_cancel(s->run, &number);
        if (c.is.is)
            exec_block_place(s->run, number, c.is.ctaid);
        if (!(flags & JIT_CANCEL_ALL))
            answer(&c, to[l], barrier[l]);
        for (uint32_t r = 0; flags & JIT_CANCEL_ALL && r < b->launch->cluster_blocks; r++) {
            uint64_t base = window + ((uint64_t)r << JIT_RANK_BIT);
            answer(&c, base + ((to[l] - window) & mask), base + ((barrier[l] - window) & mask));
        }
    }
}
