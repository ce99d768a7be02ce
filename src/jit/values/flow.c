/* SPDX-License-Identifier: Apache-2.0
 *
 * flow.c: questions about a kernel's blocks that several parts ask, and room in the frame. No code
 * is emitted.
 */
#include "jit/values/values.h"

#include <stdio.h>
#include <string.h>
#include <llvm-c/Analysis.h>

void
core_function_name(const struct ptx_func *f, char out[32])
{
    snprintf(out, 32, "function_%u", f->index);
}

/* -- the stack --------------------------------------------------------------------------------- */

bool
core_uses_stack(const struct wir *f)
{
    for (uint32_t n = 0; n < f->insn_count; n++)
        if (f->insns[n].i.op == PTX_OP_ALLOCA)
            return true;
    return false;
}

/* -- moving lanes ------------------------------------------------------------------------------ */

bool
core_nothing_pending(const struct core *c, uint32_t b)
{
    for (uint32_t k = 0; k < c->facts->block_words; k++)
        if (c->facts->pending[b][k])
            return false;
    return true;
}

uint32_t
frame_slot(struct core *c, uint32_t bytes, uint32_t *at)
{
    if (*at == UINT32_MAX) {
        uint32_t align = bytes >= 64 ? 64 : bytes;
        c->saved.frame_bytes = (c->saved.frame_bytes + align - 1) & ~(align - 1);
        *at = c->saved.frame_bytes;
        c->saved.frame_bytes += bytes;
    }
    return *at;
}

uint32_t
frame_room(struct core *c, uint32_t bytes)
{
    uint32_t at = UINT32_MAX;
    return frame_slot(c, bytes, &at);
}

uint32_t
frame_lanes(struct core *c, uint32_t index)
{
    /* Two i32 per block, pending and waiting: allotted on first use. */
    return frame_slot(c, 4, &c->saved.frame_at[c->wir->reg_count + index]);
}

/* -- the usual kind: leaving ------------------------------------------------------------------- */

bool
core_sync_tests(const struct core *c, uint32_t block)
{
    bool pending = false;
    for (uint32_t k = 0; k < c->facts->block_words; k++)
        pending |= c->facts->pending[block][k] != 0;
    return !c->facts->shape.apart && c->wir->blocks[block].sync && (pending || c->form.called);
}

const struct ptx_operand *
core_members(const struct ptx_insn *p)
{
    if (p->op == PTX_OP_BAR_WARP)
        return &p->operand[0];
    bool warp = p->op == PTX_OP_SHFL || p->op == PTX_OP_VOTE || p->op == PTX_OP_MATCH ||
                p->op == PTX_OP_REDUX || p->op == PTX_OP_ELECT;
    return warp && ptx_has(p, PTX_M_SYNC) ? &p->operand[p->operand_count - 1] : NULL;
}
