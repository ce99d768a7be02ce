/* SPDX-License-Identifier: Apache-2.0
 *
 * cancel.c: clusterlaunchcontrol.try_cancel (PTX ISA 9.7.13.17): blocks take over the work of
 * clusters that have not begun. Where a run is not one whose blocks are in flight together, none is
 * left.
 */
#include "exec/exec_priv.h"

#include <string.h>

static void
answer(uint64_t to, uint64_t barrier, const struct jit_cancelled *a)
{
    memcpy((void *)(uintptr_t)to, a, sizeof *a);
    jit_mbarrier_complete(barrier, sizeof *a);
}

void
exec_cancel(struct jit_warp *w, uint32_t lanes, const uint64_t *to, const uint64_t *barrier,
            uint32_t all)
{
    const struct exec_slot *s = w->owner;
    const struct jit_block *b = w->block;
    uint64_t window = (uint64_t)(uintptr_t)b->window, mask = (1ull << JIT_RANK_BIT) - 1, number;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        struct jit_cancelled a = {.is = exec_resident_cancel(s->run, &number)};
        if (a.is)
            exec_block_place(s->run, number, a.ctaid);
        if (!all)
            answer(to[l], barrier[l], &a);
        for (uint32_t r = 0; all && r < b->launch->cluster_blocks; r++) {
            uint64_t base = window + ((uint64_t)r << JIT_RANK_BIT);
            answer(base + ((to[l] - window) & mask), base + ((barrier[l] - window) & mask), &a);
        }
    }
}
