/* SPDX-License-Identifier: Apache-2.0
 *
 * local.c: a thread's local memory: which bytes it has written.
 */
#include "check/check_priv.h"

#include <stdio.h>

static void
report_local(const struct visit *v, uint32_t lane, uint64_t offset)
{
    const struct launch *l = v->b->launch;
    struct finding f = {.kind = FINDING_UNINITIALIZED, .space = "local"};
    if (!finding_wanted(l, f.kind, f.rank, l->facts, v->place, NULL, 0, v->b->block->ctaid))
        return;
    f.access = side_of(v, lane, offset);
    snprintf(f.message, sizeof f.message,
             "%s of %u bytes of the thread's local memory that it has not written", f.access.op,
             v->bytes);
    snprintf(f.missing, sizeof f.missing, "a value for the variable before it is read");
    finding_add(l->check, &f);
}

/* Lanes at one offset of their own memory. */
static void
touch_local(const struct visit *v, uint32_t lanes, uint64_t offset)
{
    struct block_state *b = v->b;
    if (!b->local_init)
        return;
    uint32_t *at = b->local_init + v->warp * (uint64_t)b->block->launch->local_stride + offset;
    uint32_t missing = 0;
    for (uint32_t k = 0; k < v->bytes && v->op != JIT_STORE; k++)
        missing |= bytes_used(v->facts, k, 1) ? lanes & ~at[k] : 0;
    for (uint32_t k = 0; k < v->bytes && v->op != JIT_LOAD; k++)
        at[k] |= lanes;
    for (; missing; missing &= missing - 1)
        report_local(v, (uint32_t)__builtin_ctz(missing), offset);
}

/* What has to be added to a lane's address for its offset. */
static uint64_t
from_local(const struct visit *v, uint32_t lane)
{
    const struct jit_block *k = v->b->block;
    return -(uint64_t)(uintptr_t)k->local -
           (v->warp * (uint64_t)JIT_LANES + lane) * k->launch->local_stride;
}

void
local_access(const struct visit *v, uint32_t lanes, const uint64_t *address)
{
    while (lanes) {
        uint32_t first = (uint32_t)__builtin_ctz(lanes), same = 0;
        uint64_t offset = address[first] + from_local(v, first);
        for (uint32_t left = lanes; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            same |= address[lane] + from_local(v, lane) == offset ? left & -left : 0;
        }
        touch_local(v, same, offset);
        lanes &= ~same;
    }
}

bool
local_lanes(const struct visit *v, const uint64_t *address)
{
    uint32_t stride = v->b->block->launch->local_stride, align = v->facts->align;
    if (v->space != PTX_SPACE_LOCAL || !align || !v->b->block->local || v->bytes < align)
        return false;
    uint32_t first = (uint32_t)__builtin_ctz(v->lanes);
    uint64_t offset = address[first] + from_local(v, first), differ = 0;
    if (v->lanes == ~0u)
        for (uint32_t l = 0; l < JIT_LANES; l++)
            differ |= (address[l] - address[0]) ^ (uint64_t)l * stride;
    for (uint32_t left = v->lanes; left && v->lanes != ~0u; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        differ |= (address[l] - address[first]) ^ (uint64_t)(l - first) * stride;
    }
    if (differ || offset >= stride || stride - offset < v->bytes || (offset & (align - 1)))
        return false;
    touch_local(v, v->lanes, offset);
    return true;
}
