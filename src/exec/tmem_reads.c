/* SPDX-License-Identifier: Apache-2.0
 *
 * tmem_reads.c: tools hear what the matrix unit reads of shared memory, before it does: tcgen05.mma
 * and tcgen05.cp (PTX ISA 9.7.16.6); of a pair, in the block whose warp executes it. Start at
 * exec_tmem_tell_product.
 */
#include "exec/tmem.h"

static void
tell(void *context, uint32_t at, uint32_t bytes)
{
    const struct exec_tmem_use *u = context;
    uint64_t shared = (uint64_t)(uintptr_t)u->slot->block.shared;
    exec_announce(u->warp, u->lane, shared + at, bytes, PTX_SPACE_SHARED, JIT_LOAD, u->place);
}

static bool
begin(const struct exec_tmem_use *u, uint64_t descriptor, enum jit_tmem_op what)
{
    if (!(u->what.flags & JIT_TMEM_ANNOUNCED) || u->slot != u->warp->owner)
        return false;
    exec_announce_async(u->warp, u->lane, (enum jit_async)JIT_ASYNC_TMEM, descriptor, what,
                        u->place);
    return true;
}

void
exec_tmem_tell_product(const struct exec_tmem_use *u, const struct jit_tmem_product *p)
{
    if (!(u->what.flags & JIT_TMEM_A_INSIDE))
        begin(u, p->descriptor_a, JIT_TMEM_READ_A);
    if (begin(u, p->descriptor_b, JIT_TMEM_READ_B))
        jit_tmem_reads(p, tell, (void *)u);
}

void
exec_tmem_tell_rows(const struct exec_tmem_use *u, uint64_t descriptor, uint32_t rows,
                    uint32_t chunks)
{
    uint32_t bytes = u->what.flags & JIT_TMEM_B6 ? 12 : u->what.flags & JIT_TMEM_B4 ? 8 : 16;
    if (begin(u, descriptor, JIT_TMEM_READ))
        jit_tmem_row_reads((uint32_t)exec_tmem_shared_bytes(u), descriptor, rows, chunks, bytes,
                           tell, (void *)u);
}
