/* SPDX-License-Identifier: Apache-2.0
 *
 * widened.c: in a version behind a test of all bounds (versions/speculate.c): 32-bit numbers that
 * no lane wraps, widened to 64 bits as scalars.
 */
#include "jit/values/values.h"

/* -- what is asked of them --------------------------------------------------------------------- */

struct speculation_bound *
speculation_bound_of(struct speculation *s, uint32_t root)
{
    for (uint32_t k = 0; k < s->bound_count; k++)
        if (s->bound[k].root == root)
            return &s->bound[k];
    if (s->bound_count == SPECULATION_BOUNDS)
        return NULL;
    s->bound[s->bound_count] = (struct speculation_bound){root, INT32_MIN, INT32_MAX, NULL};
    return &s->bound[s->bound_count++];
}

/* -- along the way ----------------------------------------------------------------------------- */

bool
speculation_is_unsigned(const struct ptx_insn *p)
{
    return ptx_type_kind((enum ptx_type)p->type[p->type_count - 1]) == 'u';
}

/* -- emitting ---------------------------------------------------------------------------------- */

LLVMValueRef
speculation_root_value(struct speculation *s, uint32_t root)
{
    return speculation_bound_of(s, root)->value;
}

LLVMValueRef
speculation_term_value(struct core *c, struct speculation *s, const struct index_term *t,
                       int64_t times)
{
    LLVMValueRef v = core_i64(c, (uint64_t)times);
    if (t->x == PTX_NO_REG)
        return v;
    LLVMValueRef x = speculation_root_value(s, t->x);
    x = t->y == PTX_NO_REG ? x : LLVMBuildMul(c->e.b, x, speculation_root_value(s, t->y), "");
    return times == 1 ? x : LLVMBuildMul(c->e.b, x, v, "");
}

const struct speculation_widened *
speculation_wide_of(const struct core *c, const struct wir_insn *i)
{
    const struct wir_insn *all = c->wir->insns;
    if (!c->now.version.speculation || i < all || i >= all + c->wir->insn_count ||
        !c->now.version.speculation->wide[i - all].index.known)
        return NULL;
    return &c->now.version.speculation->wide[i - all];
}

bool
core_speculated(const struct core *c, const struct wir_insn *i)
{
    return speculation_wide_of(c, i) != NULL;
}

/* Of which of the warps that run together the registers are. */
static uint32_t
warp_now(const struct core *c)
{
    uint32_t k = 0;
    while (c->regions->interleaved_warp[k].reg != c->regs.reg)
        k++;
    return k;
}

LLVMValueRef
speculation_wide_lane(struct core *c, const struct wir_insn *i, const struct speculation_widened *w,
                      unsigned lane)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef v = NULL;
    int64_t number = 0;
    for (unsigned k = 0; k < w->index.count; k++) {
        const struct index_term *t = &w->index.term[k];
        int64_t on = (t->pattern ? t->pattern[lane] : 0) + (int64_t)t->step * warp_now(c);
        int64_t times = (t->times + t->scale * on) * w->times;
        if (t->x == PTX_NO_REG)
            number += times;
        if (t->x == PTX_NO_REG || !times)
            continue;
        LLVMValueRef own = speculation_term_value(c, c->now.version.speculation, t, times);
        v = v ? LLVMBuildAdd(b, v, own, "") : own;
    }
    LLVMValueRef base = w->base ? core_value(c, i, &i->i.operand[w->base], 64, true) : NULL;
    v = v && base ? LLVMBuildAdd(b, base, v, "") : v ? v : base ? base : core_i64(c, 0);
    return LLVMBuildAdd(b, v, core_i64(c, (uint64_t)number), "");
}

LLVMValueRef
core_speculated_firsts(struct core *c, const struct wir_insn *i, unsigned n)
{
    const struct speculation_widened *w = speculation_wide_of(c, i);
    if (!w)
        return NULL;
    if (n == 1)
        return speculation_wide_lane(c, i, w, 0);
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(core_scalar(c, 64), n));
    for (unsigned k = 0; k < n; k++)
        v = LLVMBuildInsertElement(c->e.b, v, speculation_wide_lane(c, i, w, k * LANES / n),
                                   core_i32(c, k), "");
    return v;
}
