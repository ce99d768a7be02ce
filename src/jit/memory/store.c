/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/store.c: stores of a warp, in the forms of loads (memory/load.c); whole lines that are
 * written once go past the caches; columns of a transpose are kept back (memory/columns.c).
 */
#include "jit/memory/memory.h"

/* -- in the best form -- */

/* One address for all lanes: the last active lane's value stays. */
static void
store_uniform(struct site *s, const struct ptx_operand *from)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    for (unsigned e = 0; e < s->vec; e++) {
        const struct ptx_operand *o = from->kind == PTX_O_VECTOR ? &from->elements[e] : from;
        struct fact f = facts_operand(c->facts, s->i, o);
        LLVMValueRef v;
        if (fact_uniform(&f)) {
            v = core_value(c, s->i, o, s->bytes * 8, true);
        } else {
            LLVMTypeRef i32 = core_scalar(c, 32);
            LLVMValueRef args[] = {core_mask_bits(c), LLVMConstInt(core_scalar(c, 1), 1, false)};
            LLVMValueRef zeros = emit_intrinsic(&c->e, "llvm.ctlz", &i32, 1, args, 2);
            LLVMValueRef last = LLVMBuildSub(b, core_i32(c, 31), zeros, "");
            v = LLVMBuildExtractElement(b, core_value(c, s->i, o, s->bytes * 8, false), last, "");
        }
        site_store_scalar(s, s->base, v, e);
    }
}

static void
store_value(struct site *s, const struct plan *p, const struct ptx_operand *from)
{
    LLVMValueRef v[8];
    if (p->way[0].form == PLAN_SCALAR) {
        store_uniform(s, from);
        return;
    }
    for (unsigned e = 0; e < s->vec; e++)
        v[e] = core_value(s->c, s->i, from->kind == PTX_O_VECTOR ? &from->elements[e] : from,
                          s->bytes * 8, false);
    site_store_ways(s, p->way, v);
}

static void
show_values(struct site *s, const struct ptx_operand *from)
{
    struct core *c = s->c;
    LLVMValueRef room = core_alloca(c, LLVMArrayType2(core_vector(c, s->bytes * 8), s->vec));
    for (unsigned e = 0; e < s->vec; e++) {
        const struct ptx_operand *o = from->kind == PTX_O_VECTOR ? &from->elements[e] : from;
        LLVMValueRef at[] = {core_i64(c, (uint64_t)e * s->bytes * LANES)};
        LLVMValueRef p = LLVMBuildGEP2(c->e.b, core_scalar(c, 8), room, at, 1, "");
        LLVMBuildStore(c->e.b, core_value(c, s->i, o, s->bytes * 8, false), p);
    }
    core_store_field(c, c->e.warp, FIELD(jit_warp, values), room);
}

static void
store_guarded(struct site *s, const struct plan *p, LLVMValueRef denied,
              const struct ptx_operand *from)
{
    struct core *c = s->c;
    LLVMValueRef v[8];
    bool scalar = p->way[0].form == PLAN_SCALAR;
    if (!scalar)
        site_lanes(s);
    for (unsigned e = 0; e < s->vec; e++)
        v[e] = core_value(c, s->i, from->kind == PTX_O_VECTOR ? &from->elements[e] : from,
                          s->bytes * 8, false);
    struct site few = *s;
    struct fork f = fork_begin(c, LLVMBuildICmp(c->e.b, LLVMIntEQ, denied, core_i32(c, 0), ""));
    store_value(s, p, from);
    fork_other(c, &f);
    site_allow_some(&few, denied);
    if (!scalar)
        site_store_each(&few, v);
    fork_join(c, &f, 0, NULL, NULL, NULL);
}

/* An address: memory. */
static void
store_memory(struct site *s, const struct plan *p, const struct ptx_operand *from)
{
    struct core *c = s->c;
    if (p->way[0].form == PLAN_WORDS) {
        site_store_words(s, p, from);
        return;
    }
    site_at(s, p->o, &p->at);
    if (p->guarded)
        show_values(s, from);
    site_tell(s, &p->tell, JIT_STORE);
    LLVMValueRef denied = p->guarded ? core_denied(c, s->i) : NULL;
    if (p->ordered) {
        core_combine_flush(c);
        core_fence(c, false);
    }
    site_index(s, p);
    if (denied)
        store_guarded(s, p, denied, from);
    else if (p->way[0].form == PLAN_KEPT)
        site_store_columns(s, p, from);
    else
        store_value(s, p, from);
    if (p->ordered)
        core_fence(c, false);
}

bool
core_store(struct core *c, const struct wir_insn *i)
{
    struct site s;
    const struct ptx_operand *to = &i->i.operand[0], *from = &i->i.operand[1];
    const struct plan *p = to->kind == PTX_O_ADDRESS ? core_plan(c, i) : NULL;
    i = p ? p->i : i; /* st.async: the store that it makes */
    if (!site_begin(&s, c, i))
        return false;
    if (core_stepped_access(c, i, true))
        return true;
    if (p) {
        store_memory(&s, p, from);
        return true;
    }
    for (unsigned e = 0; e < s.vec; e++) { /* a parameter slot in registers */
        const struct ptx_operand *o = from->kind == PTX_O_VECTOR ? &from->elements[e] : from;
        const struct ptx_operand *d = to->kind == PTX_O_VECTOR ? &to->elements[e] : to;
        bool scalar = d->kind == PTX_O_REG && core_reg_scalar(c, d->reg);
        core_write(c, i, d, core_value(c, i, o, s.bytes * 8, scalar), false);
    }
    return true;
}
