/* SPDX-License-Identifier: Apache-2.0
 *
 * flow.c: questions about a kernel's flow graph that several parts ask, and room in the frame. No code is emitted.
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

/* -- the stack --------------------------------------------------------------------------------------------- */

bool
core_uses_stack(const struct flow *f)
{
    for (uint32_t n = 0; n < f->insn_count; n++)
        if (f->insns[n].i.op == PTX_OP_ALLOCA)
            return true;
    return false;
}

bool
core_can_combine(const struct ptx_insn *p)
{
    if (p->op != PTX_OP_RED || !p->type_count)
        return false;
    enum ptx_type t = (enum ptx_type)p->type[p->type_count - 1];
    return p->space == PTX_SPACE_GLOBAL && ptx_has(p, PTX_M_ADD) &&
           (t == PTX_U32 || t == PTX_S32) && !(p->vec > 1) && !ptx_has(p, PTX_M_RELEASE) &&
           !ptx_has(p, PTX_M_ACQUIRE) && !ptx_has(p, PTX_M_ACQ_REL) &&
           !ptx_has(p, PTX_M_SYS); /* the host may watch it grow */
}

/* What reads or writes global memory by other ways than load, store and atom. */
static bool
goes_around(const struct ptx_insn *p)
{
    switch (p->op) {
    case PTX_OP_CP_ASYNC: case PTX_OP_CP_ASYNC_BULK: case PTX_OP_CP_REDUCE_ASYNC_BULK: case PTX_OP_SUST: case PTX_OP_SURED:
    case PTX_OP_SULD: case PTX_OP_MBARRIER: case PTX_OP_WMMA: case PTX_OP_LDMATRIX:
    case PTX_OP_STMATRIX:
        return true;
    default:
        return false;
    }
}

bool
core_combines(const struct flow *f)
{
    bool some = false;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        if (goes_around(&f->insns[n].i))
            return false;
        some |= core_can_combine(&f->insns[n].i);
    }
    return some && !f->call_count && !f->indirect;
}

/* -- moving lanes ----------------------------------------------------------------------------------- */

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
    return frame_slot(c, 4, &c->saved.frame_at[c->flow->reg_count + index]);
}

bool
core_is_ordered(const struct ptx_insn *p)
{
    return ptx_has(p, PTX_M_VOLATILE) || ptx_has(p, PTX_M_RELAXED) || ptx_has(p, PTX_M_ACQUIRE) ||
           ptx_has(p, PTX_M_RELEASE) || ptx_has(p, PTX_M_MMIO) || ptx_has(p, PTX_M_CV) ||
           ptx_has(p, PTX_M_SC);
}

/* -- past the caches -- */

bool
core_streams(const struct flow *f)
{
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const struct ptx_insn *p = &f->insns[n].i;
        bool other = core_is_ordered(p) || p->op == PTX_OP_ATOM || p->op == PTX_OP_RED ||
                     p->op == PTX_OP_CALL || p->op == PTX_OP_MEMBAR || p->op == PTX_OP_FENCE ||
                     p->op == PTX_OP_MBARRIER;
        if (other)
            return false;
    }
    return !f->call_count && !f->indirect;
}

/* -- the usual kind: leaving ---------------------------------------------------------------------- */

bool
core_sync_tests(const struct core *c, uint32_t block)
{
    bool pending = false;
    for (uint32_t k = 0; k < c->facts->block_words; k++)
        pending |= c->facts->pending[block][k] != 0;
    return !c->facts->shape.apart && c->flow->blocks[block].sync && (pending || c->form.called);
}

/* Where no generic pointer to local memory can exist, a warp's local memory is laid out as on the
 * hardware (CUDA C Programming Guide, "Local Memory"): word by word, the 32 lanes' side by side.
 * Then lanes that use the same variable access consecutive words, and an access is a vector load
 * instead of a gather: 40 times faster for an array of sums (docs/decisions/0009). */
bool
core_local_words(const struct flow *f)
{
    if (f->call_count || f->indirect)
        return false;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const struct ptx_insn *p = &f->insns[n].i;
        if (p->op == PTX_OP_CVTA && (p->space == PTX_SPACE_LOCAL || p->space2 == PTX_SPACE_LOCAL))
            return false;
        if (p->op == PTX_OP_ALLOCA)
            return false;
    }
    return true;
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
