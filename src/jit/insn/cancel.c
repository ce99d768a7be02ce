/* SPDX-License-Identifier: Apache-2.0
 *
 * insn/cancel.c: clusterlaunchcontrol (PTX ISA 9.7.13.17, 9.7.13.18): a request that a cluster that
 * has not begun does not, which is answered at once (struct jit_cancelled), and what the answer
 * says.
 */
#include "jit/insn/insn.h"
#include "jit/build/value.h"
#include "jit/memory/memory.h"
#include "jit/tools/tools.h"

/* [to], [mbarrier]. */
static bool
emit_try(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    if (!ptx_has(p, PTX_M_MBARRIER_COMPLETE_TX_BYTES))
        return emit_fail(&c->e,
                         "clusterlaunchcontrol.try_cancel without .mbarrier::complete_tx::bytes");
    value to = core_address_lanes(c, i, &p->operand[0]),
          barrier = core_address_lanes(c, i, &p->operand[1]);
    uint32_t flags = (ptx_has(p, PTX_M_MULTICAST_CLUSTER_ALL) ? JIT_CANCEL_ALL : 0) |
                     (i->tells & TELL_ACCESS ? JIT_CANCEL_ANNOUNCED : 0);
    core_batch_flush(c);
    core_fence(c, false);
    value args[] = {
        c->e.warp,          c->e.mask_bits,       core_in_memory(c, to), core_in_memory(c, barrier),
        core_i32(c, flags), core_i32(c, i->place)};
    core_service(c, offsetof(struct jit_services, cancel), LLVMVoidTypeInContext(c->e.context),
                 args, 6);
    core_fence(c, false);
    return true;
}

/* The answer's word k; 0 is whether. */
static value
word_of(struct core *c, value answer, unsigned k)
{
    return v_trunc(&c->e, v_lshrk(&c->e, answer, 32 * k), 32);
}

static bool
emit_query(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    const struct ptx_operand *to = &p->operand[0];
    value answer = core_value(c, i, &p->operand[1], 128, false);
    if (ptx_has(p, PTX_M_IS_CANCELED)) {
        value is = word_of(c, answer, 0);
        core_write(c, i, to, v_ne(&c->e, is, v_k(&c->e, is, 0)), false);
        return true;
    }
    for (int d = 0; d < 3; d++)
        if (ptx_has(p, (enum ptx_mod)(PTX_M_GET_FIRST_CTAID_X + d))) {
            core_write(c, i, to, word_of(c, answer, (unsigned)d + 1), false);
            return true;
        }
    if (!ptx_has(p, PTX_M_GET_FIRST_CTAID) || to->kind != PTX_O_VECTOR || to->count != 4)
        return emit_fail(&c->e,
                         "clusterlaunchcontrol.query_cancel.get_first_ctaid gives 4 registers");
    for (unsigned k = 0; k < 3; k++)
        if (to->elements[k].kind != PTX_O_SINK)
            core_write(c, i, &to->elements[k], word_of(c, answer, k + 1), false);
    return true;
}

bool
cancel_insn(struct core *c, const struct wir_insn *i)
{
    c->e.lanes = LANES;
    c->e.mask = core_mask(c);
    c->e.mask_bits = core_mask_bits(c);
    return i->i.op == PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL ? emit_try(c, i) : emit_query(c, i);
}
