/* SPDX-License-Identifier: Apache-2.0
 *
 * plans/kernel.c: what one instruction asks of memory, and what the whole kernel allows.
 */
#include "jit/plans/plans.h"

bool
plan_is_ordered(const struct ptx_insn *p)
{
    return ptx_has(p, PTX_M_VOLATILE) || ptx_has(p, PTX_M_RELAXED) || ptx_has(p, PTX_M_ACQUIRE) ||
           ptx_has(p, PTX_M_RELEASE) || ptx_has(p, PTX_M_MMIO) || ptx_has(p, PTX_M_CV) ||
           ptx_has(p, PTX_M_SC);
}

/* -- sums that are kept back ------------------------------------------------------------------ */

bool
plan_may_pend(const struct ptx_insn *p)
{
    if (p->op != PTX_OP_RED || !p->type_count)
        return false;
    enum ptx_type t = (enum ptx_type)p->type[p->type_count - 1];
    return p->space == PTX_SPACE_GLOBAL && ptx_has(p, PTX_M_ADD) &&
           (t == PTX_U32 || t == PTX_S32) && !(p->vec > 1) && !ptx_has(p, PTX_M_RELEASE) &&
           !ptx_has(p, PTX_M_ACQUIRE) && !ptx_has(p, PTX_M_ACQ_REL) &&
           !ptx_has(p, PTX_M_SYS); /* the host may watch it grow */
}

bool
plan_combines(const struct wir *f)
{
    bool some = false;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        if (ptx_op_is(f->insns[n].i.op, PTX_AROUND))
            return false;
        some |= plan_may_pend(&f->insns[n].i);
    }
    return some && !f->call_count && !f->indirect;
}

/* -- past the caches -------------------------------------------------------------------------- */

/* Another block may learn from it that the stores before it are made. */
static bool
tells_blocks(const struct ptx_insn *p)
{
    return plan_is_ordered(p) || p->op == PTX_OP_ATOM || p->op == PTX_OP_RED ||
           p->op == PTX_OP_CALL || p->op == PTX_OP_MEMBAR ||
           (p->op == PTX_OP_FENCE && !ptx_has(p, PTX_M_PROXY));
}

bool
plan_unseen(const struct wir *f)
{
    bool seen = false;
    for (uint32_t n = 0; n < f->insn_count; n++)
        seen |= tells_blocks(&f->insns[n].i);
    return !seen && !f->call_count && !f->indirect;
}

bool
plan_streams(const struct wir *f)
{
    bool within = false; /* another warp of the block may learn of it */
    for (uint32_t n = 0; n < f->insn_count; n++)
        within |= f->insns[n].i.op == PTX_OP_FENCE || f->insns[n].i.op == PTX_OP_MBARRIER;
    return !within && plan_unseen(f);
}

/* -- local memory ----------------------------------------------------------------------------- */

bool
plan_words(const struct wir *f)
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
