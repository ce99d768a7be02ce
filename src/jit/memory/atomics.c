/* SPDX-License-Identifier: Apache-2.0
 *
 * atomics.c: atom and red (PTX ISA 9.7.13.5, 9.7.13.6): the addresses of the lanes, and which of
 * the ways to add to memory is taken: at once (ops/atomic.c), into a table (near.c), or kept back
 * (combine.c).
 */
#include "jit/memory/memory.h"

#include "jit/ops/ops.h"

/* -- arithmetic and the like ------------------------------------------------------------------- */

static bool
atomic_at(struct core *c, const struct wir_insn *i, const struct plan_sum *sum,
          LLVMValueRef address, const LLVMValueRef *in, unsigned n)
{
    const struct ptx_insn *p = &i->i;
    LLVMValueRef out[8] = {0};
    if (sum->pending) {
        core_combine(c, i, address, in[0]);
        return true;
    }
    if (ptx_has(p, PTX_M_ACQ_REL) || ptx_has(p, PTX_M_RELEASE) || ptx_has(p, PTX_M_ACQUIRE))
        core_combine_flush(c);
    core_fence(c, false);
    if (!emit_atomic(&c->e, p, address, p->space == PTX_SPACE_SHARED, in, n, out))
        return false;
    core_fence(c, false);
    if (p->op == PTX_OP_ATOM)
        core_write_results(c, i, &p->operand[0], out, false);
    return true;
}

bool
core_atomic(struct core *c, const struct wir_insn *i)
{
    const struct plan_sum *sum = c->plans.sum[wir_index(c->wir, i)];
    i = sum->i;
    const struct ptx_insn *p = &i->i;
    unsigned at = p->op == PTX_OP_RED ? 0 : 1;
    unsigned bits = 8 * ptx_type_bytes((enum ptx_type)p->type[p->type_count - 1]);
    LLVMValueRef in[8] = {0};
    unsigned n = 0;
    c->e.lanes = LANES;
    c->e.mask = core_mask(c);
    for (unsigned k = at + 1; k < p->operand_count && n < 8; k++) {
        const struct ptx_operand *o = &p->operand[k];
        if (o->kind == PTX_O_VECTOR)
            for (uint32_t j = 0; j < o->count && n < 8; j++)
                in[n++] = core_value(c, i, &o->elements[j], bits, false);
        else
            in[n++] = core_value(c, i, o, bits, false);
    }
    LLVMBasicBlockRef done = sum->table ? core_near_sum(c, i, &p->operand[at], sum, in[0]) : NULL;
    LLVMValueRef address =
        core_addresses(c, i, &p->operand[at], bits / 8 * (p->vec ? p->vec : 1), JIT_ATOMIC);
    if (done) /* so that what is computed for it only here can be left for here */
        address = LLVMBuildFreeze(c->e.b, address, "");
    bool ok = atomic_at(c, i, sum, address, in, n);
    if (done) {
        LLVMBuildBr(c->e.b, done);
        LLVMPositionBuilderAtEnd(c->e.b, done);
    }
    return ok;
}
