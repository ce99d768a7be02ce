/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/near.c: additions into tables, as histograms make them.
 *
 *     mul.wide.u32 %b, %byte, 4       each lane's: 0 to 1020
 *     add.s64      %a, %table, %b     %table: the same in all lanes
 *     red.add.u32  [%a], 1
 *
 * What lanes have of their own fits 16 bits, so that one vector holds it and eight words bring all
 * of it to the registers that addresses are made of. Nothing has to be compared lane by lane: the
 * table as a whole lies in shared memory, or in the window of sums that are kept back
 * (memory/combine.c). Taken are warps with all lanes active, of which two are at different places;
 * others go the general way (ops/atomic.c).
 *
 * Of the histogram in global memory, two thirds of the time went into vectors of 64-bit addresses
 * and their comparisons before (docs/decisions/0009).
 */
#include "jit/memory/memory.h"
#include "jit/ops/ops.h"

enum { NEAR = 0xffff };

struct parts {
    const struct ptx_operand *base, *own; /* base: NULL where there is none */
    uint64_t high;                        /* own is at most this */
    const struct flow_insn *made;         /* the addition of both */
};

static bool
is_small(const struct core *c, const struct flow_insn *i, const struct ptx_operand *o,
         struct parts *p)
{
    struct fact f = facts_operand(c->facts, i, o);
    if (o->kind != PTX_O_REG || !f.bounded || f.low < 0 || f.high > NEAR)
        return false;
    p->own = o;
    p->high = (uint64_t)f.high;
    return true;
}

static bool
is_same(const struct core *c, const struct flow_insn *i, const struct ptx_operand *o)
{
    struct fact f = facts_operand(c->facts, i, o);
    return (o->kind == PTX_O_REG || o->kind == PTX_O_SYMBOL || o->kind == PTX_O_INT) &&
           fact_uniform(&f);
}

/* The instruction that makes the register before i, in the same block, of two operands; NULL: none. */
static const struct flow_insn *
maker_before(const struct core *c, const struct flow_insn *i, uint32_t reg)
{
    const struct flow_insn *made = flow_maker_before(c->flow, c->now.current, reg, flow_index(c->flow, i));
    const struct ptx_insn *n = made ? &made->i : NULL;
    bool plain = n && !ptx_has(n, PTX_M_CC) && !ptx_has(n, PTX_M_SAT);
    return plain && n->operand_count == 3 && n->type_count == 1 ? made : NULL;
}

/* Whether an operand of `made` still has its value at i. */
static bool
stays(const struct core *c, const struct flow_insn *made, const struct flow_insn *i, const struct ptx_operand *o)
{
    return o->kind != PTX_O_REG || flow_same_since(c->flow, o, flow_index(c->flow, made), flow_index(c->flow, i));
}

/* The addition that makes register `reg` before instruction i, in the same block, from values that
 * still are what they were then. */
static bool
find_parts(const struct core *c, const struct flow_insn *i, uint32_t reg, struct parts *p)
{
    const struct flow_insn *made = maker_before(c, i, reg);
    if (!made || made->i.op != PTX_OP_ADD || ptx_type_bytes((enum ptx_type)made->i.type[0]) != 8)
        return false;
    const struct ptx_insn *n = &made->i;
    p->made = made;
    for (unsigned k = 1; k <= 2; k++)
        if (is_same(c, made, &n->operand[k]) && is_small(c, made, &n->operand[3 - k], p))
            p->base = &n->operand[k];
    return p->base && stays(c, made, i, p->own) && stays(c, made, i, p->base);
}

/* The small number in 16 bits, from what it is a multiple of where that can be seen: then nothing
 * wider has to be computed for it. Modulo 2^16 the product is right as it stands. */
static LLVMValueRef
narrow(struct core *c, const struct flow_insn *i, const struct parts *p)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef type = core_vector(c, 16);
    const struct flow_insn *made = maker_before(c, p->made, p->own->reg);
    const struct ptx_operand *o = made ? made->i.operand : NULL;
    bool product = made && made->i.operand_count == 3 && o[1].kind == PTX_O_REG && !o[1].negated &&
                   o[2].kind == PTX_O_INT && core_reg_bits(c, o[1].reg) >= 32 &&
                   stays(c, made, i, &o[1]);
    bool shift = product && made->i.op == PTX_OP_SHL && o[2].imm < 16;
    product &= made && made->i.op == PTX_OP_MUL && !ptx_has(&made->i, PTX_M_HI) &&
               ptx_type_kind((enum ptx_type)made->i.type[0]) != 'f';
    if (!product && !shift)
        return LLVMBuildTrunc(b, core_value(c, i, p->own, 64, false), type, "");
    LLVMValueRef v = core_value(c, made, &o[1], core_reg_bits(c, o[1].reg), false);
    uint64_t by = shift ? UINT64_C(1) << o[2].imm : o[2].imm & NEAR;
    LLVMValueRef factor = core_splat(c, LLVMConstInt(core_scalar(c, 16), by, false));
    return LLVMBuildMul(b, LLVMBuildTrunc(b, v, type, ""), factor, "");
}

static bool
is_sum(const struct core *c, const struct ptx_insn *p)
{
    enum ptx_type t = (enum ptx_type)p->type[p->type_count - 1];
    bool wants_old = p->op == PTX_OP_ATOM && p->operand[0].kind != PTX_O_SINK;
    if (!emit_on(&c->e, PASS_TABLE_SUMS) || wants_old || p->vec > 1 || p->guard != PTX_NO_REG || !ptx_has(p, PTX_M_ADD) ||
        (t != PTX_U32 && t != PTX_S32))
        return false;
    return p->space == PTX_SPACE_SHARED || (c->form.combines && core_can_combine(p));
}

/* The builder goes on where the condition holds, else the code does at `otherwise`. */
static void
only_if(struct core *c, LLVMValueRef condition, LLVMBasicBlockRef otherwise)
{
    LLVMBasicBlockRef on = core_new_block(c, "near");
    LLVMBuildCondBr(c->e.b, condition, on, otherwise);
    LLVMPositionBuilderAtEnd(c->e.b, on);
}

/* Where the sums of the table at `base` are kept, if all of it lies in the window. */
static LLVMValueRef
sums_of(struct core *c, LLVMValueRef base, uint64_t high, LLVMBasicBlockRef otherwise)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    LLVMValueRef pending = core_load_field(c, c->in.block_ptr, FIELD(jit_block, pending),
                                           LLVMPointerTypeInContext(c->e.context, 0));
    only_if(c, LLVMBuildIsNotNull(b, pending, ""), otherwise);
    LLVMValueRef from = core_load_field(c, pending, FIELD(jit_pending, base), i64);
    LLVMValueRef size = core_load_field(c, pending, FIELD(jit_pending, size), i64);
    LLVMValueRef at = LLVMBuildSub(b, base, from, "");
    LLVMValueRef last = LLVMBuildAdd(b, at, core_i64(c, high + 3), "");
    only_if(c,
            LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntULT, at, size, ""),
                         LLVMBuildICmp(b, LLVMIntULT, last, size, ""), ""),
            otherwise);
    LLVMValueRef sums = LLVMBuildPtrToInt(b, pending, i64, "");
    return LLVMBuildAdd(b, LLVMBuildAdd(b, sums, core_i64(c, FIELD(jit_pending, sum)), ""), at, "");
}

LLVMBasicBlockRef
core_near_sum(struct core *c, const struct flow_insn *i, const struct ptx_operand *o,
              LLVMValueRef x)
{
    LLVMBuilderRef b = c->e.b;
    struct parts p = {0};
    bool shared = i->i.space == PTX_SPACE_SHARED;
    if (!is_sum(c, &i->i) || o->kind != PTX_O_ADDRESS || o->base_kind != PTX_BASE_REG ||
        core_reg_scalar(c, o->reg) || !find_parts(c, i, o->reg, &p))
        return NULL;
    emit_fired(&c->e, PASS_TABLE_SUMS, "a table of at most %llu bytes", (unsigned long long)p.high + 4);
    LLVMBasicBlockRef general = core_new_block(c, "places"), done = core_new_block(c, "added");
    only_if(c, LLVMBuildICmp(b, LLVMIntEQ, core_mask_bits(c), core_i32(c, ~0u), ""), general);
    LLVMValueRef base =
        LLVMBuildAdd(b, core_value(c, i, p.base, 64, true), core_i64(c, (uint64_t)o->offset), "");
    base = shared ? LLVMBuildAdd(b, base, c->in.shared, "") : sums_of(c, base, p.high, general);
    LLVMValueRef own = narrow(c, i, &p);
    LLVMValueRef one = LLVMBuildExtractElement(b, own, core_i32(c, 0), "");
    LLVMValueRef other = LLVMBuildExtractElement(b, own, core_i32(c, 1), "");
    only_if(c, LLVMBuildICmp(b, LLVMIntNE, one, other, ""), general);
    core_fence(c, false);
    emit_add_near(&c->e, base, own, x);
    core_fence(c, false);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, general);
    return done;
}
