/* SPDX-License-Identifier: Apache-2.0
 *
 * announcing.c: what services that access memory themselves (tensor.c, tmem.c, cancel.c) announce
 * to a tool, as generated code does for other instructions.
 */
#include "exec/exec_priv.h"

bool
exec_announce(struct jit_warp *w, uint32_t lane, uint64_t at, uint32_t bytes, uint32_t space,
              enum jit_access_op op, uint32_t place)
{
    uint64_t address[JIT_LANES];
    for (uint32_t k = 0; k < JIT_LANES; k++)
        address[k] = at;
    w->denied = 0;
    w->block->launch->services->access(w, 1u << lane, address, bytes, space, op, place);
    return !w->denied;
}

void
exec_announce_async(struct jit_warp *w, uint32_t lane, enum jit_async what, uint64_t at,
                    uint32_t number, uint32_t place)
{
    const struct jit_services *services = w->block->launch->services;
    uint64_t address[JIT_LANES] = {0};
    address[lane] = at;
    if (services->async)
        services->async(w, 1u << lane, what, at ? address : NULL, number, place);
}

void
exec_announce_move(struct jit_warp *w, uint32_t lane, uint64_t to, uint64_t from, uint32_t number,
                   uint32_t place)
{
    const struct jit_services *services = w->block->launch->services;
    uint64_t both[2 * JIT_LANES] = {0};
    both[lane] = to;
    both[JIT_LANES + lane] = from;
    if (services->async)
        services->async(w, 1u << lane, JIT_ASYNC_MOVE, both, number, place);
}
