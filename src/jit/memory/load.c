/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/load.c: loads of a warp.
 *
 * As the plan says (plans/plans.h): made together with its neighbours, of a tile (tile.c), of two
 * selected addresses (pick.c), or by itself; load_forms.c has the forms.
 */
#include "jit/memory/memory.h"

/* -- values that came with another load -- */

/* The value of a load that was made with another one; NULL: it was not. */
static LLVMValueRef
ahead_take(struct core *c, const struct wir_insn *i)
{
    for (uint32_t k = 0; k < c->memory.ahead_count; k++)
        if (c->memory.ahead[k].insn == i && c->memory.ahead[k].reg == c->regs.reg) {
            LLVMValueRef v = c->memory.ahead[k].value;
            c->memory.ahead[k] = c->memory.ahead[--c->memory.ahead_count];
            return v;
        }
    return NULL;
}

void
core_ahead_put(struct core *c, const struct wir_insn *i, LLVMValueRef v)
{
    for (uint32_t k = 0; k < c->memory.ahead_count; k++) /* of two groups: it is taken once */
        if (c->memory.ahead[k].insn == i && c->memory.ahead[k].reg == c->regs.reg)
            return;
    c->memory.ahead[c->memory.ahead_count++] = (struct core_ahead){i, c->regs.reg, v};
}

/* -- loads of neighbouring words -- */

/* n words from the lanes' addresses on, two with each gather. */
static void
gather_words(struct site *s, unsigned n, LLVMValueRef *out)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef mask = s->mask ? s->mask : LLVMConstAllOnes(core_vector(c, 1));
    for (unsigned k = 0; k < n; k += 2) {
        bool pair = k + 1 < n;
        LLVMTypeRef type = core_vector(c, pair ? 64 : 32),
                    words = LLVMVectorType(core_scalar(c, 32), 2 * LANES);
        LLVMValueRef at = LLVMBuildAdd(b, site_lanes(s), core_splat(c, core_i64(c, 4 * k)), "");
        LLVMValueRef p = core_ptr(c, at),
                     args[] = {p, core_i32(c, s->align), mask, LLVMConstNull(type)};
        LLVMTypeRef types[] = {type, LLVMTypeOf(p)};
        LLVMValueRef v = emit_intrinsic(&c->e, "llvm.masked.gather", types, 2, args, 4);
        if (!pair) {
            out[k] = v;
            continue;
        }
        v = LLVMBuildBitCast(b, v, words, "");
        for (unsigned half = 0; half < 2; half++) {
            int32_t lane[LANES];
            for (unsigned l = 0; l < LANES; l++)
                lane[l] = (int32_t)(2 * l + half);
            out[k + half] = core_shuffle(c, v, NULL, lane, LANES);
        }
    }
}

/* The loads of the plan's group: the others' values are kept until it is their turn. */
static void
load_group(struct site *s, const struct plan *p, LLVMValueRef *out)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef fast[PLAN_MEMBERS], slow[PLAN_MEMBERS], all[PLAN_MEMBERS];
    unsigned own = p->group.own, n = p->group.words;
    struct site from = *s, sure;
    from.lanes = LLVMBuildSub(b, site_lanes(s), core_splat(c, core_i64(c, 4 * own)), "");
    if (p->fetch.rows)
        site_fetch_rows(&from);
    struct fork f = site_fork_way(&from, p->way, &sure);
    for (unsigned k = 0; k < n; k++) {
        struct site word = sure;
        word.base = LLVMBuildAdd(b, sure.base, core_i64(c, 4 * k), "");
        site_load_runs(&word, &fast[k]);
    }
    fork_other(c, &f);
    gather_words(&from, n, slow);
    fork_join(c, &f, n, fast, slow, all);
    for (unsigned k = 0; k < n; k++)
        if (k != own)
            core_ahead_put(c, p->group.member[k], all[k]);
    *out = all[own];
}

/* -- what the kernel asks for -- */

/* Lanes that the tool keeps from it are left out, lane by lane. */
static void
load_guarded(struct site *s, const struct plan *p, LLVMValueRef denied, LLVMValueRef out[])
{
    struct core *c = s->c;
    LLVMValueRef fast[8], slow[8];
    bool scalar = p->way[0].form == PLAN_SCALAR;
    if (!scalar)
        site_lanes(s);
    struct site few = *s;
    struct fork f = fork_begin(c, LLVMBuildICmp(c->e.b, LLVMIntEQ, denied, core_i32(c, 0), ""));
    site_load_ways(s, p->way, fast);
    fork_other(c, &f);
    site_allow_some(&few, denied);
    for (unsigned e = 0; scalar && e < s->vec; e++) /* lanes with one address share its fate */
        slow[e] = LLVMConstNull(LLVMTypeOf(fast[e]));
    if (!scalar)
        site_load_each(&few, slow);
    fork_join(c, &f, s->vec, fast, slow, out);
}

static void
load_planned(struct site *s, const struct plan *p, LLVMValueRef out[])
{
    struct core *c = s->c;
    LLVMValueRef denied = p->guarded ? core_denied(c, s->i) : NULL;
    site_fetch(s, p);
    if (p->ordered) {
        core_combine_flush(c);
        core_fence(c, false);
    }
    site_index(s, p);
    if (denied)
        load_guarded(s, p, denied, out);
    else if (p->way[0].form == PLAN_GROUPED)
        load_group(s, p, out);
    else if (p->way[0].form == PLAN_TRANSPOSED)
        site_load_tile(s, p, out);
    else if (p->way[0].form == PLAN_SELECTED)
        site_load_split(s, p, out);
    else
        site_load_ways(s, p->way, out);
    if (p->ordered)
        core_fence(c, false);
}

/* An address: memory. */
static void
load_memory(struct site *s, LLVMValueRef out[])
{
    const struct plan *p = core_plan(s->c, s->i);
    if (p->way[0].form == PLAN_WORDS) {
        site_load_words(s, p, out);
        return;
    }
    site_at(s, p->o, &p->at);
    site_tell(s, &p->tell, JIT_LOAD);
    load_planned(s, p, out);
}

bool
core_load(struct core *c, const struct wir_insn *i)
{
    struct site s;
    const struct ptx_operand *from = &i->i.operand[1], *to = &i->i.operand[0];
    LLVMValueRef out[8];
    if (!site_begin(&s, c, i))
        return false;
    if (core_stepped_access(c, i, false))
        return true;
    bool sign = ptx_type_kind((enum ptx_type)i->i.type[i->i.type_count - 1]) == 's';
    LLVMValueRef ahead = ahead_take(c, i);
    if (ahead) {
        core_write(c, i, to, ahead, sign);
        return true;
    }
    if (from->kind == PTX_O_ADDRESS)
        load_memory(&s, out);
    for (unsigned e = 0; from->kind != PTX_O_ADDRESS && e < s.vec; e++) {
        const struct ptx_operand *o = from->kind == PTX_O_VECTOR ? &from->elements[e] : from;
        bool scalar = o->kind != PTX_O_REG || core_reg_scalar(c, o->reg);
        out[e] = core_value(c, i, o, s.bytes * 8, scalar);
    }
    for (unsigned e = 0; e < s.vec; e++)
        core_write(c, i, to->kind == PTX_O_VECTOR ? &to->elements[e] : to, out[e], sign);
    return true;
}
