/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/index.c: addresses that are one base and a 32-bit number a lane (plans/index.c).
 */
#include "jit/memory/memory.h"

void
site_index(struct site *s, const struct plan *p)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    const struct plan_index *x = &p->index;
    if (!x->base)
        return;
    LLVMValueRef space = site_space_base(c, p->at.space, p->o);
    LLVMValueRef at = LLVMBuildAdd(b, core_value(c, s->i, x->base, 64, true),
                                   core_i64(c, site_known_offset(c, p->o)), "");
    at = space ? LLVMBuildAdd(b, at, space, "") : at;
    LLVMValueRef index = core_value(c, s->i, x->index, 32, false);
    if (x->is_unsigned) { /* n = (n - 2^31 as a signed number) + 2^31 */
        index = LLVMBuildXor(b, index, core_splat(c, core_i32(c, 0x80000000)), "");
        at = LLVMBuildAdd(b, at, core_i64(c, UINT64_C(0x80000000) << x->shift), "");
    }
    s->at = at;
    s->index = index;
    s->shift = x->shift;
}

LLVMValueRef
site_pointers(struct site *s, unsigned element)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef more = core_i64(c, (uint64_t)element * s->bytes);
    if (!s->index)
        return core_ptr(c, LLVMBuildAdd(b, site_lanes(s), core_splat(c, more), ""));
    LLVMValueRef base = core_ptr(c, LLVMBuildAdd(b, s->at, more, ""));
    LLVMValueRef wide = LLVMBuildSExt(b, s->index, core_vector(c, 64), "");
    return LLVMBuildGEP2(b, core_scalar(c, 8u << s->shift), base, &wide, 1, "");
}

/* -- consecutive lanes ------------------------------------------------------------------------- */

bool
site_index_steps(const struct site *s)
{
    return s->index && s->bytes * s->vec == 1u << s->shift;
}

void
site_index_ends(struct site *s, struct ends *e)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef one = core_i32(c, 1), low = core_frozen_lane(c, s->index, 0),
                 high = core_frozen_lane(c, s->index, LANES - 1);
    LLVMValueRef begins = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAdd(b, low, one, ""),
                                        core_frozen_lane(c, s->index, 1), "");
    LLVMValueRef ends = LLVMBuildICmp(
        b, LLVMIntEQ, LLVMBuildAdd(b, core_frozen_lane(c, s->index, LANES - 2), one, ""), high, "");
    e->likely = LLVMBuildOr(b, begins, ends, "");
    e->first =
        LLVMBuildSelect(b, begins, low, LLVMBuildSub(b, high, core_i32(c, LANES - 1), ""), "");
}

LLVMValueRef
site_index_holds(struct site *s, LLVMValueRef first)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    int32_t count[LANES];
    for (int l = 0; l < LANES; l++)
        count[l] = l;
    LLVMValueRef differs = LLVMBuildICmp(b, LLVMIntNE, core_spread(c, first, count), s->index, "");
    if (s->mask) /* as in runs.c */
        differs = LLVMBuildSelect(b, s->mask, differs, LLVMConstNull(LLVMTypeOf(differs)), "");
    LLVMValueRef same =
        LLVMBuildICmp(b, LLVMIntEQ, emit_mask_to_bits(&c->e, differs), core_i32(c, 0), "");
    /* Numbers that wrap are next to each other, addresses are not. */
    LLVMValueRef room =
        LLVMBuildICmp(b, LLVMIntSLE, first, core_i32(c, INT32_MAX - (LANES - 1)), "");
    LLVMValueRef wide = LLVMBuildSExt(b, first, core_scalar(c, 64), "");
    s->guessed = LLVMBuildAdd(b, s->at, LLVMBuildShl(b, wide, core_i64(c, s->shift), ""), "");
    return LLVMBuildAnd(b, same, room, "");
}
