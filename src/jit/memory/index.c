/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/index.c: addresses that are one base and a 32-bit number a lane.
 *
 *     mul.wide.s32 %off, %index, 4      the processor's gathers take the number as it is: 16 lanes at
 *     add.s64      %a, %base, %off      once instead of 8, and nothing is widened, shifted and added;
 *     ld.f32       %x, [%a+8]           a comparison of the lanes takes half as many instructions
 *
 * A turn of a convolution with two such loads, by hand: 14.6 ns with addresses of 64 bits, 10.2 with
 * numbers of 32. Looked for in the load's own block; in between nobody may write what it is made of.
 */
#include "jit/memory/memory.h"

#include <string.h>

/* %off = %index * 1, 2, 4 or 8, widened: sets the shift. */
static bool
is_scaled(const struct ptx_insn *p, unsigned *shift)
{
    if (p->op != PTX_OP_MUL || !ptx_has(p, PTX_M_WIDE) || p->operand[1].kind != PTX_O_REG ||
        p->operand[2].kind != PTX_O_INT || (p->type[0] != PTX_S32 && p->type[0] != PTX_U32))
        return false;
    for (*shift = 0; *shift < 4; ++*shift)
        if (p->operand[2].imm == UINT64_C(1) << *shift)
            return true;
    return false;
}

static bool
is_sum(const struct ptx_insn *p)
{
    return p->op == PTX_OP_ADD && p->operand[1].kind == PTX_O_REG && p->operand[2].kind == PTX_O_REG &&
           !p->operand[1].negated && !p->operand[2].negated &&
           ptx_type_bytes((enum ptx_type)p->type[0]) == 8 && !ptx_has(p, PTX_M_CC) && !ptx_has(p, PTX_M_SAT);
}

/* The base among the sum's operands, and what makes the other one. */
static const struct flow_insn *
parts_of(struct site *s, const struct flow_insn *sum, const struct ptx_operand **base, unsigned *shift)
{
    const struct core *c = s->c;
    const struct flow *flow = c->flow;
    uint32_t at = flow_index(flow, s->i), n = flow_index(flow, sum);
    for (unsigned k = 1; k <= 2; k++) {
        const struct ptx_operand *o = &sum->i.operand[3 - k];
        struct fact f = facts_operand(c->facts, s->i, o);
        const struct flow_insn *scaled = flow_maker_before(flow, c->current, sum->i.operand[k].reg, n);
        if (!fact_uniform(&f) || !scaled || !is_scaled(&scaled->i, shift) ||
            !flow_same_since(flow, &scaled->i.operand[1], flow_index(flow, scaled), at) ||
            !flow_same_since(flow, o, n, at))
            continue;
        *base = o;
        return scaled;
    }
    return NULL;
}

void
site_index(struct site *s, const struct ptx_operand *o)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    const struct ptx_operand *base;
    enum ptx_space where = plan_space(c->flow, &s->i->i, o);
    if (where != PTX_SPACE_GLOBAL && where != PTX_SPACE_NONE && where != PTX_SPACE_SHARED && where != PTX_SPACE_CONST)
        return; /* local memory: each lane's begins elsewhere */
    if (!emit_on(&c->e, PASS_INDEXED_GATHERS) || c->events || c->called || o->base_kind != PTX_BASE_REG || s->fact.kind != FACT_VECTOR ||
        s->fact.segment != 1 || s->fact.guess || !s->lanes || s->bytes < 4)
        return;
    const struct flow_insn *sum = flow_maker_before(c->flow, c->current, o->reg, flow_index(c->flow, s->i));
    const struct flow_insn *scaled = sum && is_sum(&sum->i) ? parts_of(s, sum, &base, &s->shift) : NULL;
    if (!scaled)
        return;
    LLVMValueRef space = site_space_base(c, where, o);
    LLVMValueRef at = LLVMBuildAdd(b, core_value(c, s->i, base, 64, true),
                                   core_i64(c, site_known_offset(c, o)), "");
    at = space ? LLVMBuildAdd(b, at, space, "") : at;
    LLVMValueRef index = core_value(c, s->i, &scaled->i.operand[1], 32, false);
    if (scaled->i.type[0] == PTX_U32) { /* n = (n - 2^31 as a signed number) + 2^31 */
        index = LLVMBuildXor(b, index, core_splat(c, core_i32(c, 0x80000000)), "");
        at = LLVMBuildAdd(b, at, core_i64(c, UINT64_C(0x80000000) << s->shift), "");
    }
    s->at = at;
    s->index = index;
    emit_fired(&c->e, PASS_INDEXED_GATHERS, "a uniform base and a 32-bit index a lane, times %u", 1u << s->shift);
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

/* -- consecutive lanes ---------------------------------------------------------------------------------- */

bool
site_index_steps(const struct site *s)
{
    return s->index && s->bytes * s->vec == 1u << s->shift;
}

static LLVMValueRef
lane(struct core *c, LLVMValueRef v, unsigned l)
{
    return LLVMBuildExtractElement(c->e.b, v, core_i32(c, l), "");
}

void
site_index_ends(struct site *s, struct ends *e)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef one = core_i32(c, 1), low = lane(c, s->index, 0), high = lane(c, s->index, LANES - 1);
    LLVMValueRef begins = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAdd(b, low, one, ""), lane(c, s->index, 1), "");
    LLVMValueRef ends = LLVMBuildICmp(
        b, LLVMIntEQ, LLVMBuildAdd(b, lane(c, s->index, LANES - 2), one, ""), high, "");
    e->likely = LLVMBuildOr(b, begins, ends, "");
    e->first = LLVMBuildSelect(b, begins, low, LLVMBuildSub(b, high, core_i32(c, LANES - 1), ""), "");
}

LLVMValueRef
site_index_holds(struct site *s, LLVMValueRef first)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    int32_t count[LANES];
    for (int l = 0; l < LANES; l++)
        count[l] = l;
    LLVMValueRef differs =
        LLVMBuildICmp(b, LLVMIntNE, core_spread(c, first, count), s->index, "");
    if (s->mask)
        differs = LLVMBuildAnd(b, differs, s->mask, "");
    LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, emit_mask_to_bits(&c->e, differs), core_i32(c, 0), "");
    /* Numbers that wrap are next to each other, addresses are not. */
    LLVMValueRef room = LLVMBuildICmp(b, LLVMIntSLE, first, core_i32(c, INT32_MAX - (LANES - 1)), "");
    LLVMValueRef wide = LLVMBuildSExt(b, first, core_scalar(c, 64), "");
    s->guessed = LLVMBuildAdd(b, s->at, LLVMBuildShl(b, wide, core_i64(c, s->shift), ""), "");
    return LLVMBuildAnd(b, same, room, "");
}
